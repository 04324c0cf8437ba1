/* mpx_sum_squares and mpx_unscale_squares against an oracle in integers: squares and sums are exact
   and then rounded by ref.h's search; the sixteen sums and their order are those that api.h states.
   All codes of 16 bits and less, classes of f32 and f64, every length up to 300, Inf and NaN at
   every place, every floating-point mode, arrays at both ends of a page.

   test_reduce [--quick]   fewer codes */
#include "pages.h"
#include "test.h"
#include "ref.h"
#include "fpmode.h"
#include <math.h>

enum { MAX_N = 300, SUMS = 16, CANARY = 0xa5 };
#define NAN_BITS ((uint64_t)0x7ff8 << 48)
#define INF_BITS ((uint64_t)0x7ff << 52)

static const char *name_of(mpx_dtype type) { return ref_formats[type].name; }

/* ---- the oracle ------------------------------------------------------------------------------ */

/* hi:lo += more_hi:more_lo. */
static void add_128(ref_real *sum, uint64_t more_hi, uint64_t more_lo) {
    sum->lo += more_lo;
    sum->hi += more_hi + (sum->lo < more_lo);
}

/* The square of a code, rounded to f64. */
static uint64_t want_square(mpx_dtype type, uint64_t code) {
    ref_real x = ref_decode(type, code), square;
    uint64_t hi, lo;
    if (x.kind == REF_NAN) return NAN_BITS;
    if (x.kind == REF_INF) return INF_BITS;
    square = ref_make(REF_FINITE, 0, 0, 2 * x.exp);
    ref_multiply(x.lo, (uint32_t)(x.lo >> 32), &hi, &lo);
    square.hi = hi << 32 | lo >> 32;
    square.lo = lo << 32;
    ref_multiply(x.lo, (uint32_t)x.lo, &hi, &lo);
    add_128(&square, hi, lo);
    return ref_encode(MPX_F64, &square);
}

/* The sum of two f64 that are not negative. What lies 64 bits and more below the other's last place
   is less than half of that place: one unit stands for it. */
static uint64_t want_sum(uint64_t a, uint64_t b) {
    ref_real x = ref_decode(MPX_F64, a), y = ref_decode(MPX_F64, b), sum;
    int up;
    if (x.kind == REF_NAN || y.kind == REF_NAN) return NAN_BITS;
    if (x.kind == REF_INF || y.kind == REF_INF) return INF_BITS;
    if (x.exp < y.exp) return want_sum(b, a);
    up = x.exp - y.exp;
    sum = ref_make(REF_FINITE, 0, y.lo, y.exp);
    if (up >= 64)
        sum = ref_make(REF_FINITE, 0, y.lo != 0, x.exp - 64), sum.hi = x.lo;
    else
        add_128(&sum, up == 0 ? 0 : x.lo >> (64 - up), x.lo << up);
    return ref_encode(MPX_F64, &sum);
}

/* Sixteen sums, element i in number i mod 16; then those 8, 4, 2 and 1 apart. */
typedef struct model {
    uint64_t sums[SUMS];
    size_t count;
} model;

static void model_add(model *m, uint64_t square) {
    uint64_t *sum = &m->sums[m->count++ % SUMS];
    *sum = want_sum(*sum, square);
}

static uint64_t model_sum(const model *m) {
    uint64_t sums[SUMS];
    int apart, i;
    memcpy(sums, m->sums, sizeof sums);
    for (apart = SUMS / 2; apart != 0; apart /= 2)
        for (i = 0; i < apart; i++)
            sums[i] = want_sum(sums[i], sums[i + apart]);
    return sums[0];
}

/* The oracle against constants. */
static void test_model(void) {
    static const uint64_t sums[][3] = {
        { 0x3ff0000000000000u, 0x3ca0000000000000u, 0x3ff0000000000000u }, /* 1 + 2^-53: a tie */
        { 0x3ff0000000000001u, 0x3ca0000000000000u, 0x3ff0000000000002u }, /* to even, up */
        { 0x3ff0000000000000u, 0x3ca0000000000001u, 0x3ff0000000000001u },
        { 0x3ff8000000000000u, 0x3ff8000000000000u, 0x4008000000000000u }, /* 1.5 + 1.5 */
        { 0x7fefffffffffffffu, 0x7c80000000000000u, 0x7fefffffffffffffu },
        { 0x7fefffffffffffffu, 0x7c90000000000000u, INF_BITS },
        { 0x000fffffffffffffu, 1, 0x0010000000000000u }, /* subnormal to normal */
        { 0x7fefffffffffffffu, 1, 0x7fefffffffffffffu },
        { 0x3ff0000000000000u, 0, 0x3ff0000000000000u },
        { 0, 0, 0 },
        { INF_BITS, 1, INF_BITS },
        { INF_BITS, INF_BITS + 1, NAN_BITS },
    };
    size_t i;
    for (i = 0; i < sizeof sums / sizeof sums[0]; i++)
        CHECK(want_sum(sums[i][0], sums[i][1]) == sums[i][2] &&
                  want_sum(sums[i][1], sums[i][0]) == sums[i][2],
              "sum %lu: %016llx", (unsigned long)i,
              (unsigned long long)want_sum(sums[i][0], sums[i][1]));
    CHECK(want_square(MPX_F32, 0xc0400000u) == 0x4022000000000000u, "-3 squared");
    CHECK(want_square(MPX_F64, 0x3ff0000000000001u) == 0x3ff0000000000002u, "(1 + 2^-52) squared");
    CHECK(want_square(MPX_F32, 0x00000001u) == 0x2d50000000000000u, "2^-149 squared");
    CHECK(want_square(MPX_F64, 0x1e60000000000000u) == 1, "2^-537 squared");
    CHECK(want_square(MPX_F64, 0x7fe0000000000000u) == INF_BITS, "2^1023 squared");
}

/* Squares whose first 64 bits end in a tie of f64, with more bits below that decide it. */
static const uint64_t case_f64_almost_tie[] = { 0x3ff16d634c189ca0u, 0x3ff1e849b3e68f60u,
                                                0x3ff10efbec088540u, 0x3ff090c773dfc87cu,
                                                0x3ff398eb0aa1609eu, 0x3ff30b18121939cdu };

/* ---- sums ------------------------------------------------------------------------------------ */

static uint64_t sum_of(mpx_dtype type, const void *data, size_t n) {
    double sum = -1;
    mpx_status status = mpx_sum_squares(data, type, n, &sum);
    CHECK(status == MPX_OK, "%s n=%lu: status %d", name_of(type), (unsigned long)n, status);
    return ref_double_bits(sum);
}

static void check_sum(mpx_dtype type, const void *data, size_t n, uint64_t want, const char *what) {
    uint64_t got = sum_of(type, data, n);
    CHECK(got == want, "%s n=%lu, %s: %016llx, not %016llx", name_of(type), (unsigned long)n, what,
          (unsigned long long)got, (unsigned long long)want);
}

/* One code alone, and among zeros at each place of a block: its square. */
static unsigned long every_code = 1, codes_seen;
static void take_single(void *user, uint64_t code) {
    mpx_dtype type = *(const mpx_dtype *)user;
    unsigned char data[2 * SUMS * 8] = { 0 };
    size_t at = codes_seen % (2 * SUMS), i;
    uint64_t want, zero = type == MPX_F8E8M0FNU ? code : 0;
    model m;
    if (codes_seen++ % every_code != 0) return;
    want = want_square(type, code);
    ref_store(type, data, 0, code);
    check_sum(type, data, 1, want, "one code");
    if (type == MPX_F8E8M0FNU) { /* which has no zero */
        memset(&m, 0, sizeof m);
        for (i = 0; i < 2 * SUMS; i++)
            model_add(&m, want);
        want = model_sum(&m);
    }
    for (i = 0; i < 2 * SUMS; i++)
        ref_store(type, data, i, i == at ? code : zero);
    check_sum(type, data, 2 * SUMS, want, "one code among zeros");
}

static void test_single(mpx_dtype type) {
    ref_sweep(MPX_F8E4M3FN, type, 5, take_single, &type);
}

/* Numbers of different magnitudes: `spread` binades around one (or as many as there are). */
static uint64_t scattered(mpx_dtype type, size_t i, int spread) {
    const ref_format *f = &ref_formats[type];
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u, code, field;
    x ^= x >> 29;
    code = x & ref_low_mask(f->bits);
    if (f->bits < 16) return ref_is_finite(type, code) ? code : code & 1u;
    field = (uint64_t)(f->bias - spread / 2) + (x >> 7) % (uint64_t)spread;
    return (code & ~(ref_low_mask(f->exp_bits) << f->man_bits)) | field << f->man_bits;
}

/* Every length; and the order matters: one sum from first to last is another in some of them. */
static void test_lengths(mpx_dtype type, int spread) {
    static unsigned char data[MAX_N * 8 + 8];
    unsigned char *p = data + (ref_formats[type].bits >= 8);
    uint64_t in_a_row = 0;
    size_t n, others = 0;
    model m;
    memset(&m, 0, sizeof m);
    for (n = 0; n < MAX_N; n++)
        ref_store(type, p, n, scattered(type, n, spread));
    for (n = 0; n <= MAX_N; n++) {
        check_sum(type, p, n, model_sum(&m), "scattered");
        if (n == MAX_N) break;
        others += model_sum(&m) != in_a_row;
        model_add(&m, want_square(type, scattered(type, n, spread)));
        in_a_row = want_sum(in_a_row, want_square(type, scattered(type, n, spread)));
    }
    if (ref_formats[type].bits >= 32)
        CHECK(others > MAX_N / 4, "%s: the order matters in %lu sums only", name_of(type),
              (unsigned long)others);
}

/* More than a tile; lengths around its multiples. */
static void test_long(mpx_dtype type) {
    enum { LONG = 4 * 1024 + 40 };
    static unsigned char data[LONG * 8];
    size_t n;
    model m;
    memset(&m, 0, sizeof m);
    for (n = 0; n < LONG; n++)
        ref_store(type, data, n, scattered(type, n, 12));
    for (n = 0; n <= LONG; n++) {
        size_t in_tile = n % 256;
        if (n > 200 && (in_tile < 2 || in_tile == 17 || in_tile > 254))
            check_sum(type, data, n, model_sum(&m), "long");
        if (n < LONG) model_add(&m, want_square(type, scattered(type, n, 12)));
    }
}

/* Inf and NaN, of either sign, at every place, alone and both. */
static void test_specials(mpx_dtype type) {
    static unsigned char data[(MAX_N + 1) * 8];
    const ref_format *f = &ref_formats[type];
    uint64_t sign = ref_sign_bit(f), inf = ref_max_code(f) + 1, nan, one;
    size_t n, at;
    if (f->rule == REF_ONLY_FINITE) return;
    nan = f->rule == REF_IEEE ? inf + 1 : f->rule == REF_FNUZ ? sign : ref_low_mask(f->bits);
    one = (uint64_t)f->bias << f->man_bits;
    for (n = 1; n <= MAX_N; n += n < 40 ? 1 : 13)
        for (at = 0; at < n; at++) {
            size_t i, other = (at + n / 2) % n;
            for (i = 0; i < n; i++)
                ref_store(type, data, i, one);
            ref_store(type, data, at, nan ^ (at % 2 != 0 && f->rule == REF_IEEE ? sign : 0));
            check_sum(type, data, n, NAN_BITS, "one NaN");
            if (f->rule != REF_IEEE) continue;
            if (other != at) {
                ref_store(type, data, other, inf);
                check_sum(type, data, n, NAN_BITS, "a NaN and an Inf");
                ref_store(type, data, other, one);
            }
            ref_store(type, data, at, inf | (at % 2 != 0 ? sign : 0));
            check_sum(type, data, n, INF_BITS, "one Inf");
        }
}

/* f64 alone overflows or underflows when it is squared, or added. */
static void test_f64_range(void) {
    static const uint64_t codes[] = { 0x5fe6a09e667f3bccu, 0x5fefffffffffffffu, 0x5ff0000000000000u,
                                      0x7fefffffffffffffu, 0x1e5fffffffffffffu, 0x1e60000000000000u,
                                      0x1e66a09e667f3bcdu, 0x2000000000000000u, 0x0010000000000000u,
                                      0x000fffffffffffffu, 0x0000000000000001u, 0x2006a09e667f3bcdu };
    enum { CODES = sizeof codes / sizeof codes[0] };
    unsigned char data[67 * 8];
    size_t k, l, i, n;
    for (k = 0; k < sizeof case_f64_almost_tie / sizeof case_f64_almost_tie[0]; k++)
        check_sum(MPX_F64, &case_f64_almost_tie[k], 1, want_square(MPX_F64, case_f64_almost_tie[k]),
                  "almost a tie");
    for (k = 0; k < CODES; k++)
        for (l = 0; l < CODES; l++)
            for (n = 1; n <= 67; n += 6) {
                model m;
                memset(&m, 0, sizeof m);
                for (i = 0; i < n; i++) {
                    uint64_t code = i % 3 == 1 ? codes[l] : codes[k];
                    ref_store(MPX_F64, data, i, code);
                    model_add(&m, want_square(MPX_F64, code));
                }
                check_sum(MPX_F64, data, n, model_sum(&m), "range");
            }
}

/* The caller's modes change neither sums nor themselves. */
static void test_modes(void) {
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_F16, MPX_BF16, MPX_F8E4M3FN,
                                       MPX_F6E3M2FN };
    enum { N = 77 };
    unsigned char data[N * 8];
    size_t t, i;
    int k, spread;
    for (t = 0; t < sizeof types / sizeof types[0]; t++)
        for (spread = 3; spread <= 23; spread += 20)
            for (k = 0; k < FPMODES; k++) {
                mpx_dtype type = types[t];
                uint64_t want, got;
                int holds;
                model m;
                memset(&m, 0, sizeof m);
                for (i = 0; i < N; i++) { /* subnormal numbers, and subnormal squares, among them */
                    uint64_t code = scattered(type, i, spread);
                    if (i % 4 == 1) code &= ref_low_mask(ref_formats[type].man_bits);
                    if (i % 4 == 2 && type == MPX_F64)
                        code = (code & ref_low_mask(52)) | (uint64_t)(0x1e2 + i % 16) << 52;
                    ref_store(type, data, i, code);
                    model_add(&m, want_square(type, code));
                }
                want = model_sum(&m);
                if (!fpmode_enter(&fpmodes[k])) continue;
                got = sum_of(type, data, N);
                holds = fpmode_holds(&fpmodes[k]);
                fpmode_leave();
                CHECK(got == want && holds, "%s, %s: %016llx, not %016llx%s", name_of(type),
                      fpmodes[k].name, (unsigned long long)got, (unsigned long long)want,
                      holds ? "" : "; the mode has changed");
            }
}

/* Nothing outside is read: the array begins or ends at a page that must not be touched, so that its
   address is any. */
static void test_pages(mpx_dtype type) {
    static unsigned char *pages, same[MAX_N * 8];
    static size_t size;
    size_t n, i;
    if (pages == NULL) size = MAX_N * 8, pages = fenced_pages(&size);
    for (n = 0; n <= MAX_N; n += n < 140 ? 1 : 9) {
        size_t bytes = ref_bytes(type, n);
        unsigned char *end = pages + size - bytes;
        for (i = 0; i < n; i++) {
            ref_store(type, same, i, scattered(type, i + n, 9));
            ref_store(type, pages, i, scattered(type, i + n, 9));
        }
        check_sum(type, pages, n, sum_of(type, same, n), "at the start of a page");
        memmove(end, same, bytes);
        check_sum(type, end, n, sum_of(type, same, n), "at the end of a page");
    }
}

static void test_sum_errors(void) {
    double zeros[4] = { 0, 0, 0, 0 }, sum;
    mpx_dtype type;
    for (type = -1; type <= MPX_DTYPE_COUNT; type++) {
        int is_float = type > 0 && type < MPX_DTYPE_COUNT &&
                       (ref_is_float(type) || type == MPX_C64 || type == MPX_C128);
        mpx_status want = is_float ? MPX_OK : MPX_ERR_DTYPE;
        sum = 7;
        CHECK(mpx_sum_squares(NULL, type, 0, &sum) == want, "dtype %d, n = 0", type);
        CHECK(ref_double_bits(sum) == (is_float ? 0 : 0x401c000000000000u), "dtype %d: sum %g", type,
              sum);
        CHECK(mpx_sum_squares(zeros, type, 2, &sum) == want, "dtype %d", type);
        if (!is_float) CHECK(sum > 6 && sum < 8, "dtype %d: written to", type);
    }
}

/* ---- unscaled in the same pass --------------------------------------------------------------- */

/* Against mpx_unscale, whose results have an oracle in test_loss_scale.c, and mpx_sum_squares of
   what it wrote; of short arrays also against the oracle here. */
enum { LONG = 2 * 8 * 256 + 77 };
static unsigned char from_bytes[LONG * 8], to_bytes[LONG * 8 + 16], want_bytes[LONG * 8 + 16];

static void check_unscale(mpx_dtype to, mpx_dtype from, size_t n, float by, int in_place) {
    int finite = 7, want_finite = 8;
    double sum = -1;
    uint64_t want;
    mpx_status status, plain;
    size_t bytes = ref_bytes(to, n), i;
    unsigned char *dst = to_bytes;
    memset(to_bytes, CANARY, sizeof to_bytes);
    memset(want_bytes, CANARY, sizeof want_bytes);
    for (i = 0; i < n; i++)
        ref_store(from, from_bytes, i,
                  n % 5 == 4 && i % 64 == n % 64 ? (i * 40503u) & ref_low_mask(ref_formats[from].bits)
                                                 : scattered(from, i + n, 14));
    plain = mpx_unscale(want_bytes, to, from_bytes, from, n, by, &want_finite);
    if (in_place) memcpy(to_bytes, from_bytes, ref_bytes(from, n));
    status = mpx_unscale_squares(dst, to, in_place ? dst : from_bytes, from, n, by,
                                 n % 3 == 2 ? NULL : &finite, &sum);
    if (n % 3 == 2) finite = want_finite;
    CHECK(status == MPX_OK && plain == MPX_OK, "%s->%s: status %d", name_of(from), name_of(to), status);
    CHECK(memcmp(dst, want_bytes, in_place ? bytes : sizeof to_bytes) == 0 && finite == want_finite,
          "%s->%s n=%lu by %g%s: not what mpx_unscale makes", name_of(from), name_of(to),
          (unsigned long)n, (double)by, in_place ? " in place" : "");
    want = sum_of(to, want_bytes, n);
    CHECK(ref_double_bits(sum) == want, "%s->%s n=%lu by %g%s: sum %016llx, not %016llx",
          name_of(from), name_of(to), (unsigned long)n, (double)by, in_place ? " in place" : "",
          (unsigned long long)ref_double_bits(sum), (unsigned long long)want);
    if (n <= 40) {
        model m;
        memset(&m, 0, sizeof m);
        for (i = 0; i < n; i++)
            model_add(&m, want_square(to, ref_load(to, want_bytes, i)));
        CHECK(ref_double_bits(sum) == model_sum(&m), "%s->%s n=%lu by %g: the oracle has %016llx",
              name_of(from), name_of(to), (unsigned long)n, (double)by,
              (unsigned long long)model_sum(&m));
    }
}

static void test_unscale(void) {
    static const uint32_t by[] = { 0x3f800000u, 0x44800000u, 0x40400000u, 0x3dcccccdu, 0xc0000000u,
                                   0x00000000u, 0x7f800000u, 0x7fc00000u, 0x00000100u, 0x7f000000u };
    static const size_t lengths[] = { 0, 1, 7, 16, 37, 64, 299, 2048, 2049, LONG };
    enum { FACTORS = sizeof by / sizeof by[0], LENGTHS = sizeof lengths / sizeof lengths[0] };
    mpx_dtype to, from;
    size_t k = 0, l;
    for (to = REF_FIRST; to <= REF_LAST_FLOAT; to++)
        for (from = REF_FIRST; from <= REF_LAST_FLOAT; from++)
            for (l = 0; l < LENGTHS; l++, k++) {
                int narrower = ref_formats[to].bits <= ref_formats[from].bits;
                check_unscale(to, from, lengths[l], ref_float(by[k % FACTORS]), 0);
                check_unscale(to, from, lengths[l], ref_float(by[(k + 1 + l) % 5]), 0);
                if (narrower) check_unscale(to, from, lengths[l], ref_float(by[(k + l) % 5]), 1);
            }
    for (l = 0; l <= MAX_N; l++) { /* every length of what gradients are */
        check_unscale(MPX_F32, MPX_F16, l, 1024.0f, 0);
        check_unscale(MPX_F16, MPX_F16, l, 1024.0f, 1);
        check_unscale(MPX_BF16, MPX_BF16, l, 3.0f, 1);
        check_unscale(MPX_F32, MPX_F32, l, 3.0f, 1);
        check_unscale(MPX_F64, MPX_F64, l, 0.1f, 1);
    }
}

static void test_unscale_errors(void) {
    unsigned char data[32], before[32];
    mpx_dtype type;
    memset(data, CANARY, sizeof data);
    memcpy(before, data, sizeof data);
    for (type = -1; type <= MPX_DTYPE_COUNT; type++) {
        int is_float = type > 0 && type < MPX_DTYPE_COUNT && ref_is_float(type), finite = 5;
        double sum = 7;
        if (is_float) continue;
        CHECK(mpx_unscale_squares(data, type, data, MPX_F32, 1, 2.0f, &finite, &sum) == MPX_ERR_DTYPE &&
                  mpx_unscale_squares(data, MPX_F32, data, type, 1, 2.0f, &finite, &sum) == MPX_ERR_DTYPE,
              "dtype %d taken", type);
        CHECK(finite == 5 && sum > 6 && sum < 8 && memcmp(data, before, sizeof data) == 0,
              "dtype %d: written to", type);
    }
}

/* ---- complex numbers ------------------------------------------------------------------------- */

/* Scaled, unscaled and summed part by part, and refused beside what is not complex. */
static void check_complex(mpx_dtype to, mpx_dtype from, size_t n, uint32_t by, size_t bad) {
    const mpx_dtype to_part = to == MPX_C64 ? MPX_F32 : MPX_F64,
                    from_part = from == MPX_C64 ? MPX_F32 : MPX_F64;
    const uint64_t inf = from == MPX_C64 ? 0x7f800000u : INF_BITS;
    const ref_real factor = ref_decode(MPX_F32, by);
    size_t i, bytes = n * ref_bytes(to_part, 2);
    int finite = 7, again = 7;
    double sum = -1;
    model m;
    memset(&m, 0, sizeof m);
    memset(want_bytes, CANARY, sizeof want_bytes);
    for (i = 0; i < 2 * n; i++) {
        ref_real x = ref_decode(from_part, i == bad ? inf : scattered(from_part, i + n, 9));
        ref_store(from_part, from_bytes, i, ref_encode(from_part, &x));
        x = ref_product(x, factor);
        ref_store(to_part, want_bytes, i, ref_encode(to_part, &x));
    }
    memset(to_bytes, CANARY, sizeof to_bytes);
    CHECK(mpx_scale(to_bytes, to, from_bytes, from, n, ref_float(by)) == MPX_OK &&
              memcmp(to_bytes, want_bytes, bytes + 8) == 0,
          "complex %d to %d, n=%lu: scaled", from, to, (unsigned long)n);
    for (i = 0; i < 2 * n; i++) {
        ref_real x = ref_quotient(ref_decode(from_part, ref_load(from_part, from_bytes, i)), factor);
        ref_store(to_part, want_bytes, i, ref_encode(to_part, &x));
        model_add(&m, want_square(to_part, ref_load(to_part, want_bytes, i)));
    }
    CHECK(mpx_unscale(to_bytes, to, from_bytes, from, n, ref_float(by), &finite) == MPX_OK &&
              memcmp(to_bytes, want_bytes, bytes + 8) == 0 && finite == (bad >= 2 * n),
          "complex %d to %d, n=%lu: unscaled, finite %d", from, to, (unsigned long)n, finite);
    memset(to_bytes, CANARY, sizeof to_bytes);
    CHECK(mpx_unscale_squares(to_bytes, to, from_bytes, from, n, ref_float(by), &again, &sum) ==
                  MPX_OK &&
              memcmp(to_bytes, want_bytes, bytes + 8) == 0 && again == finite &&
              ref_double_bits(sum) == model_sum(&m) &&
              (n == 0 || sum_of(to, to_bytes, n) == model_sum(&m)),
          "complex %d to %d, n=%lu: sum %g", from, to, (unsigned long)n, sum);
    CHECK(mpx_all_finite(from_bytes, from, n) == finite &&
              mpx_any_infinite(from_bytes, from, n) == !finite,
          "complex %d, n=%lu: finite", from, (unsigned long)n);
}

static void test_complex(void) {
    static const uint32_t by[] = { 0x44800000u, 0x40400000u, 0x3dcccccdu };
    mpx_dtype to, from;
    size_t n, k = 0;
    float amax = 7;
    for (to = MPX_C64; to <= MPX_C128; to++)
        for (from = MPX_C64; from <= MPX_C128; from++)
            for (n = 0; n <= 70; n++, k++) {
                check_complex(to, from, n, by[k % 3], 2 * n);
                if (n != 0) check_complex(to, from, n, by[k % 3], k % (2 * n));
            }
    for (to = MPX_C64; to <= MPX_C128; to++) {
        check_complex(to, to, LONG / 4, by[1], LONG); /* more than what is summed at a time */
        CHECK(mpx_amax(from_bytes, to, 1, &amax) == MPX_ERR_DTYPE && amax == 7, "amax of complex");
        CHECK(mpx_scale(to_bytes, to, from_bytes, MPX_F32, 1, 2) == MPX_ERR_DTYPE &&
                  mpx_scale(to_bytes, MPX_F64, from_bytes, to, 1, 2) == MPX_ERR_DTYPE,
              "complex and real");
    }
}

/* ---- roots and clipping ---------------------------------------------------------------------- */

/* The root of one error's square, beside libm's, which IEEE 754 asks to be rounded to nearest. */
static void check_root(uint64_t bits) {
    mpx_cast_stats stats;
    double want = sqrt(ref_double(bits)), got;
    memset(&stats, 0, sizeof stats);
    stats.count = 1;
    stats.sum_error_squares = ref_double(bits);
    got = mpx_cast_stats_rms_error(&stats);
    CHECK(ref_double_bits(got) == ref_double_bits(want), "root of %016llx: %016llx, not %016llx",
          (unsigned long long)bits, (unsigned long long)ref_double_bits(got),
          (unsigned long long)ref_double_bits(want));
}

static void test_root(void) {
    uint64_t bits = 1, i;
    for (i = 0; i < 200000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        check_root((bits >> 1) % INF_BITS | 1); /* any number */
        check_root(bits >> (12 + i % 52) | 1);  /* subnormal */
        check_root(ref_double_bits((double)(i + 1) * (double)(i + 1)));
        check_root(ref_double_bits((double)(i + 1) * (double)(i + 1)) - 1);
        check_root(ref_double_bits((double)(i + 1) * (double)(i + 1)) + 1);
    }
    for (i = 1; i < 0x7ff; i++)
        check_root(i << 52), check_root((i << 52) - 1), check_root((i << 52) + 1);
}

enum { CLIPPED = 4, CLIP_N = 40 };
static const mpx_dtype clip_types[CLIPPED] = { MPX_F32, MPX_BF16, MPX_F64, MPX_C64 };
static unsigned char clip_data[CLIPPED][CLIP_N * 8];

static void clip_fill(mpx_leaf *leaves, unsigned char data[CLIPPED][CLIP_N * 8], size_t seed) {
    size_t k, i;
    for (k = 0; k < CLIPPED; k++) {
        mpx_dtype part = k == 3 ? MPX_F32 : clip_types[k];
        for (i = 0; i < CLIP_N; i++)
            ref_store(part, data[k], i, scattered(part, i + seed, 9));
        leaves[k] = mpx_leaf_of("w", data[k], k == 3 ? CLIP_N / 2 : CLIP_N, clip_types[k]);
    }
}

/* The norm by the oracle's sums; the factor as a quotient of floats; each element one product. */
static void check_clip(float max_norm, size_t seed, const fpmode *mode) {
    static unsigned char want[CLIPPED][CLIP_N * 8], out[CLIPPED][CLIP_N * 8];
    mpx_leaf leaves[CLIPPED], other[CLIPPED];
    uint64_t sum = 0, norm_bits;
    double norm = -1, again = -1;
    uint32_t most;
    ref_real factor;
    size_t k, i;
    int clips, entered, pass;
    mpx_status status;
    clip_fill(leaves, clip_data, seed);
    clip_fill(other, out, seed + 1);
    for (k = 0; k < CLIPPED; k++) {
        mpx_dtype part = k == 3 ? MPX_F32 : clip_types[k];
        model m;
        memset(&m, 0, sizeof m);
        for (i = 0; i < CLIP_N; i++)
            model_add(&m, want_square(part, ref_load(part, clip_data[k], i)));
        sum = want_sum(sum, model_sum(&m));
    }
    norm_bits = ref_double_bits(sqrt(ref_double(sum)));
    memcpy(&most, &max_norm, 4);
    factor = ref_quotient(ref_decode(MPX_F32, most),
                          ref_decode(MPX_F32, ref_cast(MPX_F32, MPX_F64, norm_bits)));
    clips = ref_encode(MPX_F32, &factor) < 0x3f800000u;
    factor = ref_decode(MPX_F32, ref_encode(MPX_F32, &factor));
    for (k = 0; k < CLIPPED; k++)
        for (i = 0; i < CLIP_N; i++) {
            mpx_dtype part = k == 3 ? MPX_F32 : clip_types[k];
            ref_real x = ref_decode(part, ref_load(part, clip_data[k], i));
            if (clips) x = ref_product(x, factor);
            ref_store(part, want[k], i, ref_encode(part, &x));
        }
    for (pass = 0; pass < 2; pass++) { /* into another tree, then in place */
        mpx_tree src = mpx_tree_of_leaves(leaves, CLIPPED),
                 dst = mpx_tree_of_leaves(pass ? leaves : other, CLIPPED);
        entered = mode != NULL && fpmode_enter(mode);
        status = mpx_tree_clip(dst, src, max_norm, pass ? &again : &norm, NULL);
        if (entered) fpmode_leave();
        CHECK(status == MPX_OK && ref_double_bits(pass ? again : norm) == norm_bits,
              "norm %.17g, not %.17g, status %d", pass ? again : norm, ref_double(norm_bits), status);
        for (k = 0; k < CLIPPED; k++)
            CHECK(memcmp(pass ? clip_data[k] : out[k], want[k],
                         CLIP_N * ref_bytes(k == 3 ? MPX_F32 : clip_types[k], 1)) == 0,
                  "leaf %lu clipped to %g, in place %d", (unsigned long)k, (double)max_norm, pass);
    }
}

static void test_clip(void) {
    static const float most[] = { 1, 0.1f, 3e-39f, 1e30f, 0, 7 };
    static const uint32_t refused[] = { 0xbf800000u, 0x7fc00000u, 0x80000000u, 0xff800000u };
    float x[4] = { 3, 0, -4, 0 }, huge[2] = { 3e38f, 3e38f };
    double d[2] = { 1e200, 1 }, norm = 7;
    mpx_leaf leaf = mpx_leaf_of("x", x, 4, MPX_F32);
    mpx_tree tree = mpx_tree_of_leaves(&leaf, 1);
    mpx_error err;
    size_t i, seed;
    for (i = 0; i < sizeof most / sizeof most[0]; i++)
        for (seed = 0; seed < 40; seed++)
            check_clip(most[i], seed, seed < FPMODES ? &fpmodes[seed] : NULL);
    CHECK(mpx_tree_clip(tree, tree, 5, &norm, NULL) == MPX_OK && norm == 5 && x[0] == 3 && x[2] == -4,
          "the norm itself is no reason to clip");
    CHECK(mpx_tree_clip(tree, tree, 2.5f, NULL, NULL) == MPX_OK && x[0] == 1.5f && x[2] == -2,
          "clipped to half");
    for (i = 0; i < 4; i++) {
        norm = 7;
        CHECK(mpx_tree_clip(tree, tree, ref_float(refused[i]), &norm, &err) == MPX_ERR_ARGUMENT &&
                  err.status == MPX_ERR_ARGUMENT && norm == 7 && x[0] == 1.5f,
              "max_norm %08lx", (unsigned long)refused[i]);
        CHECK(strcmp(err.what, "max_norm") == 0, "the option's name: %s", err.what);
    }
    CHECK(mpx_tree_clip(tree, tree, ref_float(0x7f800000u), &norm, NULL) == MPX_OK && norm == 2.5,
          "no limit: the norm alone");
    x[1] = ref_float(0x7f800000u);
    CHECK(mpx_tree_clip(tree, tree, 1, &norm, NULL) == MPX_OK && ref_double_bits(norm) == INF_BITS &&
              x[0] == 1.5f && x[2] == -2,
          "Inf: nothing is changed");
    x[3] = ref_float(0x7fc00000u);
    CHECK(mpx_tree_clip(tree, tree, 1, &norm, NULL) == MPX_OK &&
              ref_double_bits(norm) << 1 > INF_BITS << 1 && x[0] == 1.5f,
          "NaN: nothing is changed");
    leaf = mpx_leaf_of("huge", huge, 2, MPX_F32); /* a norm that is no float */
    CHECK(mpx_tree_clip(tree, tree, 1, &norm, NULL) == MPX_OK && norm > 4.2e38 && norm < 4.3e38 &&
              huge[0] > 0.707f && huge[0] < 0.7072f,
          "a norm above all floats: %g", (double)huge[0]);
    leaf = mpx_leaf_of("d", d, 2, MPX_F64);
    CHECK(mpx_tree_clip(tree, tree, 1, &norm, NULL) == MPX_OK && ref_double_bits(norm) == INF_BITS &&
              d[1] == 1,
          "squares overflow");
    leaf.count = 1;
    d[0] = 1 + 1.0 / (1 << 24);
    CHECK(mpx_tree_clip(tree, tree, 1, &norm, NULL) == MPX_OK && norm == d[0] && d[0] > 1,
          "a norm between 1 and the float above goes to even, 1");
    for (i = 0; i < 2; i++) { /* by 1 + 2^-23, and by 1 + 2^-22 */
        const double was = 1 + (i == 0 ? 1 + 1.0 / (1 << 28) : 3) / (1 << 24);
        d[0] = was;
        CHECK(mpx_tree_clip(tree, tree, 1, &norm, NULL) == MPX_OK && norm == was && d[0] < 1,
              "a norm %s: %.17g", i == 0 ? "just above the middle" : "above an odd float goes to even", d[0]);
    }
    leaf.count = 0;
    CHECK(mpx_tree_clip(tree, tree, 0, &norm, NULL) == MPX_OK && norm == 0, "nothing there");
}

/* ---- arrays added to one another ------------------------------------------------------------- */

/* The exact sum, rounded once. What lies 64 bits and more below the other's last place: as above. */
static uint64_t want_add(mpx_dtype type, uint64_t a, uint64_t b) {
    ref_real x = ref_decode(type, a), y = ref_decode(type, b), sum;
    uint64_t hi, lo, small;
    int up;
    if (x.kind == REF_NAN || y.kind == REF_NAN) return ref_encode(type, x.kind == REF_NAN ? &x : &y);
    if (x.kind == REF_INF && y.kind == REF_INF && x.sign != y.sign) {
        sum = ref_make_nan(0, REF_QUIET);
        return ref_encode(type, &sum);
    }
    if (x.kind == REF_INF || y.kind == REF_INF) return ref_encode(type, x.kind == REF_INF ? &x : &y);
    if (x.lo == 0 && y.lo == 0) x.sign = x.sign && y.sign;
    if (y.lo == 0) return ref_encode(type, &x);
    if (x.lo == 0) return ref_encode(type, &y);
    if (x.exp < y.exp) return want_add(type, b, a);
    up = x.exp - y.exp;
    hi = up >= 64 ? x.lo : up == 0 ? 0 : x.lo >> (64 - up);
    lo = up >= 64 ? 0 : x.lo << up;
    small = up >= 64 ? 1 : y.lo;
    sum = ref_make(REF_FINITE, x.sign, 0, up >= 64 ? x.exp - 64 : y.exp);
    sum.hi = hi, sum.lo = lo;
    if (x.sign == y.sign) {
        add_128(&sum, 0, small);
    } else if (hi == 0 && lo <= small) {
        sum.lo = small - lo;
        sum.sign = sum.lo != 0 && y.sign;
    } else {
        sum.lo = lo - small;
        sum.hi = hi - (lo < small);
    }
    return ref_encode(type, &sum);
}

static uint64_t add_a[MAX_N + 300], add_b[MAX_N + 300];
static void check_add(mpx_dtype type, size_t n, const fpmode *mode) {
    static unsigned char dst[(MAX_N + 300) * 8 + 8], src[(MAX_N + 300) * 8];
    mpx_status status;
    size_t i, size = ref_bytes(type, n);
    int entered;
    memset(dst, CANARY, sizeof dst);
    if (ref_formats[type].bits < 8 && n != 0) dst[size - 1] = 0;
    for (i = 0; i < n; i++)
        ref_store(type, dst, i, add_a[i]), ref_store(type, src, i, add_b[i]);
    entered = mode != NULL && fpmode_enter(mode);
    status = mpx_add(dst, src, n, type);
    if (entered) {
        int holds = fpmode_holds(mode);
        fpmode_leave();
        CHECK(holds, "%s: the mode has changed", name_of(type));
    }
    CHECK(status == MPX_OK && dst[size] == CANARY, "%s n=%lu: status %d", name_of(type),
          (unsigned long)n, status);
    for (i = 0; i < n; i++) {
        uint64_t want = want_add(type, add_a[i], add_b[i]), got = ref_load(type, dst, i);
        CHECK(got == want, "%s %llx + %llx: %llx, not %llx", name_of(type),
              (unsigned long long)add_a[i], (unsigned long long)add_b[i], (unsigned long long)got,
              (unsigned long long)want);
    }
}

/* Pairs that are far apart, near, and almost opposite; all codes, so NaN and Inf too. */
static void test_add(mpx_dtype type) {
    const int bits = ref_formats[type].bits;
    const uint64_t mask = ref_low_mask(bits);
    uint64_t r = 7, k, pairs = bits <= 8 ? mask + 1 : every_code == 1 ? 4000 : 400;
    size_t i, n;
    for (k = 0; k < pairs; k++) {
        n = bits <= 8 ? (size_t)mask + 1 : 1 + k * 7 % MAX_N;
        for (i = 0; i < n; i++) {
            uint64_t near;
            r = r * 6364136223846793005u + 1442695040888963407u;
            near = (r >> 20 & 7) * (r >> 24 & 1 ? mask : 1) ^ (r >> 25 & 1) << (bits - 1);
            add_a[i] = bits <= 8 ? k : (r ^ r >> 32) & mask;
            if (k % 8 >= 6) add_a[i] = scattered(type, (size_t)r & 0xffff, 3 + (int)(k % 20));
            r = r * 6364136223846793005u + 1442695040888963407u;
            add_b[i] = bits <= 8    ? i
                       : k % 2 == 0 ? (add_a[i] + near) & mask
                       : k % 4 == 1 ? (add_a[i] ^ r >> (64 - ref_formats[type].man_bits - 3)) & mask
                                    : (r ^ r >> 32) & mask;
            if (bits > 8 && k % 8 == 5) { /* about half a unit in the last place of a */
                const uint64_t m = (uint64_t)ref_formats[type].man_bits,
                               half = ((add_a[i] >> m) - m - 1) << m;
                add_b[i] = (half + (r >> 60) - 4 + (r >> 50 & 1 ? r >> 63 << (m / 2) : 0)) & mask;
            }
            if (k % 8 == 7) add_b[i] = scattered(type, (size_t)r & 0xffff, 3 + (int)(k % 20));
        }
        check_add(type, n, k % 3 == 2 ? &fpmodes[k % FPMODES] : NULL);
    }
    for (n = 0; n < MAX_N + 300; n += n < 40 ? 1 : 13) { /* finite numbers, every length */
        for (i = 0; i < n; i++)
            add_a[i] = scattered(type, i, 5), add_b[i] = scattered(type, i + n + 1, 5);
        check_add(type, n, n % 2 != 0 ? &fpmodes[n % FPMODES] : NULL);
    }
}

static void test_add_others(void) {
    float c[4] = { 1, 2, -3, 4 }, more[4] = { 1, 0.5f, 3, -8 };
    uint16_t twice[2] = { 0x3f80, 0xc040 };
    mpx_dtype type;
    CHECK(mpx_add(c, more, 2, MPX_C64) == MPX_OK && c[0] == 2 && c[1] == 2.5f && c[2] == 0 &&
              c[3] == -4,
          "complex");
    CHECK(mpx_add(twice, twice, 2, MPX_BF16) == MPX_OK && twice[0] == 0x4000 && twice[1] == 0xc0c0,
          "to itself");
    for (type = -1; type <= MPX_DTYPE_COUNT; type++)
        if (type <= 0 || (type >= MPX_BOOL && type < MPX_C64) || type >= MPX_DTYPE_COUNT)
            CHECK(mpx_add(c, more, 1, type) == MPX_ERR_DTYPE && c[0] == 2, "dtype %d", type);
    CHECK(mpx_add(NULL, NULL, 0, MPX_F16) == MPX_OK, "nothing");
}

int main(int argc, char **argv) {
    mpx_dtype type;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) every_code = 13;
    test_model();
    for (type = REF_FIRST; type <= REF_LAST_FLOAT; type++) {
        test_single(type);
        test_lengths(type, 3);
        test_lengths(type, 23);
        test_long(type);
        test_specials(type);
        test_pages(type);
        test_add(type);
    }
    test_f64_range();
    test_modes();
    test_sum_errors();
    test_unscale();
    test_unscale_errors();
    test_complex();
    test_root();
    test_clip();
    test_add_others();
    return test_done("test_reduce");
}
