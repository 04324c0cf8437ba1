/* Same bits whatever the floating-point environment and the compiler's float options say. The
   results of a moderate class sweep go into one hash per group; every rounding mode, with and
   without flush-to-zero, must give the recorded hash. The file is also compiled with -ffast-math,
   -Ofast, -O0 and by clang, against the same constants: so nothing here does float arithmetic, and
   Inf and NaN are looked at as integers only.

   test_fpenv               check
   test_fpenv --quick       the directed modes only, with flush-to-zero where that is known
   test_fpenv --quick K     one of these
   test_fpenv --reference   print the constants anew, from tests/ref.h alone
   Link with -lm where fesetround lives there. */
#include "test.h"
#include "ref.h"
#include "fpmode.h"
#include <float.h>
#ifndef FLT_EVAL_METHOD /* tcc has none */
#define FLT_EVAL_METHOD 0
#endif

enum { GROUP_CAST, GROUP_INLINE, GROUP_SCALE, GROUP_UNSCALE, GROUP_LOSS_SCALE, GROUPS };
static const char *const group_names[GROUPS] = { "cast", "inline", "scale", "unscale",
                                                 "loss_scale" };
static const uint64_t recorded[GROUPS] = {
    0x79c35cc2a89ceb06u, /* cast */
    0xae1adfed47263092u, /* inline */
    0x01c76ccf6710fe09u, /* scale */
    0xd7ae507411fa947eu, /* unscale */
    0x6f96ddd43e7be6f0u, /* loss_scale */
};

/* Set: results come from ref.h, not from the library. */
static int from_reference;

/* ---- hash over values, not bytes: the same on every byte order ------------------------------- */

static uint64_t hash_start(void) { return 0xcbf29ce484222325u; }

static void hash_add(uint64_t *hash, uint64_t value) {
    *hash = (*hash ^ value) * 0x100000001b3u;
    *hash ^= *hash >> 29;
}

static uint64_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- batches --------------------------------------------------------------------------------- */

enum { BATCH = 1024 };

/* Codes of src on their way to dst: cast, or scaled by the float of these bits. */
typedef struct batch {
    uint64_t *hash;
    mpx_dtype dst, src;
    int group;
    uint32_t by;
    size_t count;
    uint64_t codes[BATCH];
} batch;

static uint64_t reference_result(const batch *b, uint64_t code) {
    ref_real x, by = ref_decode(MPX_F32, b->by);
    if (b->group == GROUP_CAST) return ref_cast(b->dst, b->src, code);
    x = ref_decode(b->src, code);
    x = b->group == GROUP_SCALE ? ref_product(x, by) : ref_quotient(x, by);
    return ref_encode(b->dst, &x);
}

static mpx_status run_library(const batch *b, void *dst, const void *src) {
    float by = ref_float(b->by);
    if (b->group == GROUP_CAST) return mpx_cast(dst, b->dst, src, b->src, b->count);
    if (b->group == GROUP_SCALE) return mpx_scale(dst, b->dst, src, b->src, b->count, by);
    return mpx_unscale(dst, b->dst, src, b->src, b->count, by, NULL);
}

static void flush_batch(batch *b) {
    static unsigned char src_bytes[BATCH * 8], dst_bytes[BATCH * 8];
    size_t i;
    for (i = 0; from_reference && i < b->count; i++)
        hash_add(b->hash, reference_result(b, b->codes[i]));
    if (!from_reference) {
        for (i = 0; i < b->count; i++)
            ref_store(b->src, src_bytes, i, b->codes[i]);
        CHECK(run_library(b, dst_bytes, src_bytes) == MPX_OK, "%s->%s: not MPX_OK",
              ref_formats[b->src].name, ref_formats[b->dst].name);
        for (i = 0; i < b->count; i++)
            hash_add(b->hash, ref_load(b->dst, dst_bytes, i));
    }
    b->count = 0;
}

static void take_into_batch(void *user, uint64_t code) {
    batch *b = (batch *)user;
    b->codes[b->count++] = code;
    if (b->count == BATCH) flush_batch(b);
}

/* Every third code of the 16-bit types is enough here: test_cast takes them all. */
static void take_third(void *user, uint64_t code) {
    if (code % 3 == 0) take_into_batch(user, code);
}

/* ---- the groups ------------------------------------------------------------------------------ */

static uint64_t hash_casts(void) {
    static batch b;
    uint64_t hash = hash_start();
    b.hash = &hash, b.group = GROUP_CAST;
    for (b.src = REF_FIRST; b.src <= REF_LAST; b.src++)
        for (b.dst = REF_FIRST; b.dst <= REF_LAST; b.dst++) {
            int thin = ref_formats[b.src].bits == 16;
            ref_sweep(b.dst, b.src, 5, thin ? take_third : take_into_batch, &b);
            flush_batch(&b);
        }
    return hash;
}

/* The value forms: floats by value, in and out. */
static void take_inline_from(void *user, uint64_t code) {
    uint64_t *hash = (uint64_t *)user;
    float x = ref_float((uint32_t)code);
    hash_add(hash, from_reference ? ref_cast(MPX_F16, MPX_F32, code) : mpx_f16_from_f32(x));
    hash_add(hash, from_reference ? ref_cast(MPX_BF16, MPX_F32, code) : mpx_bf16_from_f32(x));
    hash_add(hash,
             from_reference ? ref_cast(MPX_F8E4M3FN, MPX_F32, code) : mpx_f8e4m3fn_from_f32(x));
    hash_add(hash, from_reference ? ref_cast(MPX_F8E5M2, MPX_F32, code) : mpx_f8e5m2_from_f32(x));
}

static uint64_t hash_inline(void) {
    uint64_t hash = hash_start();
    uint32_t c;
    ref_sweep(MPX_F16, MPX_F32, 5, take_inline_from, &hash);
    ref_sweep(MPX_F8E4M3FN, MPX_F32, 5, take_inline_from, &hash);
    for (c = 0; c <= 0xffff; c++) {
        hash_add(&hash, from_reference ? ref_cast(MPX_F32, MPX_F16, c)
                                       : float_bits(mpx_f16_to_f32((uint16_t)c)));
        hash_add(&hash, from_reference ? ref_cast(MPX_F32, MPX_BF16, c)
                                       : float_bits(mpx_bf16_to_f32((uint16_t)c)));
    }
    for (c = 0; c <= 0xff; c++) {
        hash_add(&hash, from_reference ? ref_cast(MPX_F32, MPX_F8E4M3FN, c)
                                       : float_bits(mpx_f8e4m3fn_to_f32((uint8_t)c)));
        hash_add(&hash, from_reference ? ref_cast(MPX_F32, MPX_F8E5M2, c)
                                       : float_bits(mpx_f8e5m2_to_f32((uint8_t)c)));
    }
    return hash;
}

/* Finite scales only: handing an Inf by value to a function is undefined under -ffast-math. Powers
   of two with normal and subnormal products, a subnormal power of two, scales that round, the
   largest float, a subnormal. */
static const uint32_t scales[] = { 0x3f800000u, 0x47800000u, 0x38000000u, 0x0d800000u,
                                   0x7f000000u, 0x00400000u, 0x40400000u, 0x3dcccccdu,
                                   0xc0e00000u, 0x477ff000u, 0x7f7fffffu, 0x00345678u };

/* A coarse walk over the codes of src, the edges of dst, and NaN. */
static void take_scaling_sources(batch *b) {
    const ref_format *f = &ref_formats[b->src];
    uint64_t all = ref_low_mask(f->bits), step = all / 83 | 1, code;
    ref_sweep_to to;
    to.src = b->src, to.all_bits = 5, to.take = take_into_batch, to.user = b;
    for (code = 0; code < all - step; code += step)
        take_into_batch(b, code);
    ref_sweep_edges(&to, &ref_formats[b->dst]);
    if (f->rule == REF_IEEE) ref_sweep_nan(&to);
}

static uint64_t hash_scaling(int group) {
    static batch b;
    uint64_t hash = hash_start();
    size_t i;
    b.hash = &hash, b.group = group;
    for (b.src = REF_FIRST; b.src <= REF_LAST_FLOAT; b.src++)
        for (b.dst = REF_FIRST; b.dst <= REF_LAST_FLOAT; b.dst++)
            for (i = 0; i < sizeof scales / sizeof scales[0]; i++) {
                b.by = scales[i];
                take_scaling_sources(&b);
                flush_batch(&b);
            }
    return hash;
}

/* ---- loss scale ------------------------------------------------------------------------------ */

static uint32_t reference_scaled(uint32_t x, uint32_t by, int divides) {
    ref_real a = ref_decode(MPX_F32, x), b = ref_decode(MPX_F32, by), r;
    r = divides ? ref_quotient(a, b) : ref_product(a, b);
    return (uint32_t)ref_encode(MPX_F32, &r);
}

static int is_finite_f32(uint32_t bits) { return (bits & 0x7fffffffu) < 0x7f800000u; }

static uint32_t bits_at(const float *x) {
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

/* The three rules again, on bits; scale, factor and min_scale are not negative and no NaN here. */
static mpx_loss_scale reference_adjust(mpx_loss_scale s, int finite) {
    uint32_t scale = bits_at(&s.scale), factor = bits_at(&s.factor), min = bits_at(&s.min_scale);
    uint32_t grown = reference_scaled(scale, factor, 0),
             shrunk = reference_scaled(scale, factor, 1);
    int full = s.kind == MPX_LOSS_SCALE_JAXAMP ? s.counter >= s.period : s.counter == s.period - 1;
    if (s.kind == MPX_LOSS_SCALE_DYNAMIC && shrunk < min) shrunk = min;
    if (!finite) memcpy(&s.scale, &shrunk, sizeof shrunk);
    if (finite && full && (s.kind != MPX_LOSS_SCALE_DYNAMIC || is_finite_f32(grown)))
        memcpy(&s.scale, &grown, sizeof grown);
    s.counter = !finite || full ? 0 : s.counter + 1;
    return s;
}

static mpx_loss_scale adjust(mpx_loss_scale s, int finite) {
    return from_reference ? reference_adjust(s, finite) : mpx_loss_scale_adjust(s, finite);
}

/* A trajectory: runs of growth up to Inf, of shrinking down to subnormals and zero, and a mix. */
static void hash_trajectory(uint64_t *hash, int kind, uint32_t scale, uint32_t factor,
                            uint32_t min) {
    mpx_loss_scale s;
    int step;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.period = 2;
    memcpy(&s.scale, &scale, sizeof scale);
    memcpy(&s.factor, &factor, sizeof factor);
    memcpy(&s.min_scale, &min, sizeof min);
    for (step = 0; step < 160; step++) {
        s = adjust(s, step < 40 ? step % 5 != 4 : step < 80);
        hash_add(hash, bits_at(&s.scale));
        hash_add(hash, (uint64_t)s.counter);
    }
}

/* mpx_loss_scale_scale and _unscale of single values whose results are finite. */
static void hash_single_values(uint64_t *hash, uint32_t scale) {
    mpx_loss_scale s = mpx_loss_scale_static(ref_float(scale));
    uint32_t x, exponent;
    for (exponent = 0; exponent < 254; exponent++)
        for (x = exponent << 23 | 1; x < (exponent + 1) << 23; x += 0x1a2b3c) {
            uint32_t up = reference_scaled(x, scale, 0), down = reference_scaled(x, scale, 1);
            if (!is_finite_f32(up) || !is_finite_f32(down)) continue;
            hash_add(hash, from_reference ? up : float_bits(mpx_loss_scale_scale(s, ref_float(x))));
            hash_add(hash,
                     from_reference ? down : float_bits(mpx_loss_scale_unscale(s, ref_float(x))));
        }
}

static uint64_t hash_loss_scale(void) {
    static const uint32_t starts[] = { 0x47000000u, 0x7e000000u, 0x00800000u, 0x3f8ccccdu,
                                       0x00345678u };
    static const uint32_t factors[] = { 0x40000000u, 0x3f8ccccdu, 0x40400000u, 0x50000000u };
    static const uint32_t minima[] = { 0x3f800000u, 0, 0x00000007u };
    uint64_t hash = hash_start();
    int kind;
    size_t i, j, k;
    for (kind = MPX_LOSS_SCALE_DYNAMIC; kind <= MPX_LOSS_SCALE_KERAS; kind++)
        for (i = 0; i < 5; i++)
            for (j = 0; j < 4; j++)
                for (k = 0; k < 3; k++)
                    hash_trajectory(&hash, kind, starts[i], factors[j], minima[k]);
    for (i = 0; i < sizeof scales / sizeof scales[0]; i++)
        hash_single_values(&hash, scales[i]);
    return hash;
}

static uint64_t hash_group(int group) {
    switch (group) {
    case GROUP_CAST: return hash_casts();
    case GROUP_INLINE: return hash_inline();
    case GROUP_LOSS_SCALE: return hash_loss_scale();
    default: return hash_scaling(group);
    }
}

/* ---- the finite check ------------------------------------------------------------------------ */

/* The largest finite value, then Inf and NaN of every class: first, last, all payload bits, both
   signs. */
static size_t class_codes(mpx_dtype type, uint64_t codes[12]) {
    const ref_format *f = &ref_formats[type];
    uint64_t sign = ref_sign_bit(f), end = ref_max_code(f) + 1, all = ref_low_mask(f->bits);
    size_t count = 0;
    codes[count++] = end - 1, codes[count++] = (end - 1) | sign, codes[count++] = all;
    codes[count++] = all & ~sign, codes[count++] = sign;
    if (f->rule != REF_IEEE) return count;
    codes[count++] = end, codes[count++] = end | sign, codes[count++] = end + 1,
    codes[count++] = (end + 1) | sign;
    codes[count++] = end | (uint64_t)1 << (f->man_bits - 1);
    codes[count++] = end | (uint64_t)1 << (f->man_bits - 1) | sign;
    return count;
}

/* n elements, 1 or the nearest the format has, but for one: mpx_all_finite and mpx_unscale's flag
   must see it. */
static void check_flags(mpx_dtype type, size_t n, size_t position, uint64_t code) {
    static unsigned char src[80 * 8], dst[80 * 8];
    ref_real one = ref_make(REF_FINITE, 0, 1, 0);
    int want = ref_is_finite(type, code), got, flag = 2, both = 2;
    size_t i;
    for (i = 0; i < n; i++)
        ref_store(type, src, i, i == position ? code : ref_encode(type, &one));
    got = mpx_all_finite(src, type, n);
    mpx_unscale(dst, MPX_F64, src, type, n, ref_float(0x44800000u), &flag);
    mpx_unscale(dst, type, src, type, n, ref_float(0x40400000u), &both);
    CHECK(got == want, "mpx_all_finite %s n=%lu: 0x%llx at %lu: got %d", ref_formats[type].name,
          (unsigned long)n, (unsigned long long)code, (unsigned long)position, got);
    CHECK(flag == want, "mpx_unscale %s->f64 n=%lu: 0x%llx at %lu: *finite %d",
          ref_formats[type].name, (unsigned long)n, (unsigned long long)code,
          (unsigned long)position, flag);
    CHECK(both == want, "mpx_unscale %s->%s n=%lu: 0x%llx at %lu: *finite %d",
          ref_formats[type].name, ref_formats[type].name, (unsigned long)n,
          (unsigned long long)code, (unsigned long)position, both);
}

static void test_finite_flags(void) {
    uint64_t codes[12];
    mpx_dtype type;
    size_t n, position, i, count;
    unsigned long before = test_checks;
    for (type = REF_FIRST; type <= REF_LAST_FLOAT; type++) {
        count = class_codes(type, codes);
        for (n = 1; n <= 67; n += n < 18 ? 1 : 7)
            for (position = 0; position < n; position++)
                for (i = 0; i < count; i++)
                    check_flags(type, n, position, codes[i]);
    }
    printf("finite flags: every class at every position: %lu checks\n", test_checks - before);
}

/* ---- modes ----------------------------------------------------------------------------------- */

static void check_groups(const char *name) {
    int group;
    for (group = 0; group < GROUPS; group++) {
        uint64_t got = hash_group(group);
        CHECK(got == recorded[group], "%s [%s]: hash 0x%016llx want 0x%016llx", group_names[group],
              name, (unsigned long long)got, (unsigned long long)recorded[group]);
    }
    printf("%s: %d hashes\n", name, GROUPS);
}

/* The library leaves the mode as it found it. */
static void run_mode(const fpmode *m) {
    if (!fpmode_enter(m)) {
        printf("SKIP %s: not known how to set it here\n", m->name);
        return;
    }
    check_groups(m->name);
    if (m == &fpmodes[FPMODE_NEAREST_FLUSH]) test_finite_flags();
    CHECK(fpmode_holds(m), "%s: the mode was changed", m->name);
    fpmode_leave();
}

/* Sums of statistics are added in the order of the elements: after 2^54 each 1 is rounded away, but not the sum of
   several. A register of x87 holds 2^54 + 63, which is rounded to a double when it is stored. */
static void test_order_of_sums(void) {
    static uint32_t values[64];
    static uint16_t codes[64];
    mpx_cast_options opt;
    mpx_cast_stats stats;
    uint64_t sum;
    int i;
    for (i = 0; i < 64; i++) values[i] = i == 0 ? 0x4d000000u : 0x3f800000u; /* 2^27, 1 */
    memset(&opt, 0, sizeof opt);
    memset(&stats, 0, sizeof stats);
    opt.stats = &stats;
    (void)mpx_cast_with(codes, MPX_BF16, values, MPX_F32, 64, &opt);
    memcpy(&sum, &stats.sum_squares, 8);
    CHECK(sum == 0x4350000000000000u || (FLT_EVAL_METHOD == 2 && sum == 0x4350000000000010u),
          "sum of squares: 0x%016llx", (unsigned long long)sum);
}

static int print_reference(void) {
    int group;
    from_reference = 1;
    for (group = 0; group < GROUPS; group++)
        printf("    0x%016llxu, /* %s */\n", (unsigned long long)hash_group(group),
               group_names[group]);
    return 0;
}

/* one: number of the directed mode, all three if negative. */
static int is_wanted(int m, int quick, int one) {
    int first = FLUSH_BOTH ? FPMODE_UPWARD_FLUSH : FPMODE_UPWARD;
    if (quick && one >= 0) return m == first + one % 3;
    return !quick || (m >= first && m < first + 3);
}

int main(int argc, char **argv) {
    int i, quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && strcmp(argv[1], "--reference") == 0) return print_reference();
    check_groups("as started");
    test_finite_flags();
    test_order_of_sums();
    for (i = 0; i < FPMODES; i++)
        if (is_wanted(i, quick, argc > 2 ? atoi(argv[2]) : -1)) run_mode(&fpmodes[i]);
    return test_done("test_fpenv");
}
