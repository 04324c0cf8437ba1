/* Loss scales beyond the recorded traces: every sequence of finite and non-finite steps up to
   twelve against a model in integers, values against exact arithmetic, checks of configurations,
   saved states. */
#include "test.h"

/* ---- floats as bits, rounded exactly --------------------------------------------------------- */

/* A binary format: mantissa bits, and the exponent of its smallest subnormal and of its largest
   value. */
typedef struct format {
    int man_bits, lowest, highest;
} format;
static const format format_f64 = { 52, -1074, 1023 }, format_f32 = { 23, -149, 127 },
                    format_f16 = { 10, -24, 15 }, format_bf16 = { 7, -133, 127 };

/* Bits of a format of at most 64 of them, in the low bits. */
static uint64_t inf_of(format f) { return (uint64_t)(f.highest * 2 + 1) << f.man_bits; }
static uint64_t sign_of(format f) { return inf_of(f) + ((uint64_t)1 << f.man_bits); }
static int is_nan(format f, uint64_t bits) { return (bits & (sign_of(f) - 1)) > inf_of(f); }
static int is_inf(format f, uint64_t bits) { return (bits & (sign_of(f) - 1)) == inf_of(f); }
static int is_zero(format f, uint64_t bits) { return (bits & (sign_of(f) - 1)) == 0; }
static int is_finite(uint32_t f32_bits) { return (f32_bits & 0x7fffffffu) < 0x7f800000u; }

static float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* By pointer: a float passed by value may lose a signalling NaN's bits. */
static uint32_t bits_of_float(const float *x) {
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

static uint32_t bits_of_value(float x) { return bits_of_float(&x); }

/* |value| of finite bits is *mantissa * 2^result. */
static int split(format f, uint64_t bits, uint64_t *mantissa) {
    uint64_t hidden = (uint64_t)1 << f.man_bits, fraction = bits & (hidden - 1);
    int exponent = (int)((bits & (sign_of(f) - 1)) >> f.man_bits);
    *mantissa = exponent != 0 ? fraction | hidden : fraction;
    return f.lowest + (exponent != 0 ? exponent - 1 : 0);
}

/* m * 2^e, and a little more if sticky, to the nearest number of the format, ties to even. m is
   not 0; sticky needs the upper 60 bits of it in use. */
static uint64_t round_to(format f, uint64_t m, int e, int sticky) {
    uint64_t kept, rest, half;
    int lowest_bit, drop;
    while (m >> 63 == 0)
        m <<= 1, e--;
    lowest_bit = e + 63 - f.man_bits > f.lowest ? e + 63 - f.man_bits : f.lowest;
    drop = lowest_bit - e; /* low bits of m below the last kept one: 11 and more */
    if (e + 63 > f.highest) return inf_of(f);
    if (drop > 64) return 0;
    kept = drop == 64 ? 0 : m >> drop;
    rest = drop == 64 ? m : m & (((uint64_t)1 << drop) - 1);
    half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) kept++;
    return kept + ((uint64_t)(lowest_bit - f.lowest) << f.man_bits);
}

/* ma (at most 53 bits) * mb (at most 24), rounded: high * 2^24 + low is the product. */
static uint64_t round_product(format out, uint64_t ma, uint64_t mb, int e) {
    uint64_t low, high;
    while (ma >> 52 == 0)
        ma <<= 1, e--;
    while (mb >> 23 == 0)
        mb <<= 1, e--; /* the product now has 76 or 77 bits */
    low = (ma & 0xffffffu) * mb;
    high = (ma >> 24) * mb + (low >> 24);
    low &= 0xffffffu;
    return round_to(out, high << 8 | low >> 16, e + 16, (low & 0xffffu) != 0);
}

/* a * b of two formats, rounded once to a third; b has at most 24 bits. */
static uint64_t exact_product(format out, format fa, uint64_t a, format fb, uint64_t b) {
    uint64_t sign = ((a & sign_of(fa)) != 0) != ((b & sign_of(fb)) != 0) ? sign_of(out) : 0;
    uint64_t ma, mb;
    int e;
    if (is_nan(fa, a) || is_nan(fb, b)) return inf_of(out) | 1u;
    if (is_inf(fa, a) || is_inf(fb, b))
        return is_zero(fa, a) || is_zero(fb, b) ? inf_of(out) | 1u : sign | inf_of(out);
    e = split(fa, a, &ma) + split(fb, b, &mb);
    return ma == 0 || mb == 0 ? sign : sign | round_product(out, ma, mb, e);
}

/* a / b likewise: the quotient is extended bit by bit until it has 62. */
static uint64_t exact_quotient(format out, format fa, uint64_t a, format fb, uint64_t b) {
    uint64_t sign = ((a & sign_of(fa)) != 0) != ((b & sign_of(fb)) != 0) ? sign_of(out) : 0;
    uint64_t ma, mb, q, rest;
    int e;
    if (is_nan(fa, a) || is_nan(fb, b)) return inf_of(out) | 1u;
    if (is_inf(fa, a)) return is_inf(fb, b) ? inf_of(out) | 1u : sign | inf_of(out);
    if (is_zero(fb, b)) return is_zero(fa, a) ? inf_of(out) | 1u : sign | inf_of(out);
    if (is_inf(fb, b) || is_zero(fa, a)) return sign;
    e = split(fa, a, &ma) - split(fb, b, &mb);
    for (q = ma / mb, rest = ma % mb; q >> 61 == 0; e--) {
        rest <<= 1;
        q = q << 1 | (rest >= mb);
        if (rest >= mb) rest -= mb;
    }
    return sign | round_to(out, q, e, rest != 0);
}

static uint32_t product(uint32_t a, uint32_t b) {
    return (uint32_t)exact_product(format_f32, format_f32, a, format_f32, b);
}
static uint32_t quotient(uint32_t a, uint32_t b) {
    return (uint32_t)exact_quotient(format_f32, format_f32, a, format_f32, b);
}

static int same(format f, uint64_t a, uint64_t b) {
    return a == b || (is_nan(f, a) && is_nan(f, b));
}

static uint32_t random_state = 12345;
static uint32_t random_u32(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* The numbers where something can go wrong, then random ones. */
static uint32_t sample(unsigned i) {
    static const uint32_t edge[] = {
        0x00000000u, 0x80000000u, 0x00000001u, 0x007fffffu, 0x00800000u, 0x00ffffffu, 0x3f7fffffu,
        0x3f800000u, 0x3f800001u, 0x33000000u, 0x40400000u, 0x47000000u, 0x477fe000u, 0x477ff000u,
        0x7e800000u, 0x7effffffu, 0x7f000000u, 0x7f7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u,
        0xc2280000u, 0x80000001u, 0x38800000u, 0x387fffffu, 0x42280000u,
    };
    unsigned n = sizeof edge / sizeof edge[0];
    uint32_t bits = i < n ? edge[i] : random_u32();
    return (bits & 0x7fc00000u) == 0x7f800000u && (bits & 0x3fffffu) != 0
               ? bits | 0x400000u
               : bits; /* quiet NaN only */
}
#define EDGES 26u

/* ---- values ---------------------------------------------------------------------------------- */

static void check_pair(uint32_t x, uint32_t by) {
    mpx_loss_scale s = mpx_loss_scale_static(float_of_bits(by));
    uint32_t up = bits_of_value(mpx_loss_scale_scale(s, float_of_bits(x)));
    uint32_t down = bits_of_value(mpx_loss_scale_unscale(s, float_of_bits(x))), jmp;
    CHECK(same(format_f32, up, product(x, by)), "scale: %08lx * %08lx is %08lx, not %08lx",
          (unsigned long)x, (unsigned long)by, (unsigned long)product(x, by), (unsigned long)up);
    CHECK(same(format_f32, down, quotient(x, by)), "unscale: %08lx / %08lx is %08lx, not %08lx",
          (unsigned long)x, (unsigned long)by, (unsigned long)quotient(x, by), (unsigned long)down);
    s.dialect = MPX_DIALECT_JMP;
    jmp = bits_of_value(mpx_loss_scale_unscale(s, float_of_bits(x)));
    CHECK(same(format_f32, jmp, product(x, quotient(0x3f800000u, by))),
          "jmp unscale: %08lx by %08lx gave %08lx", (unsigned long)x, (unsigned long)by,
          (unsigned long)jmp);
}

/* NaN to the bit: that of the value, else that of the scale, quiet; where Inf meets zero one with
   the sign of the scale. Machines disagree here (WebAssembly leaves it open): the header does not. */
static uint32_t nan_of(uint32_t x, uint32_t by) {
    return is_nan(format_f32, x) ? x : is_nan(format_f32, by) ? by : (by & 0x80000000u) | 0x7fc00000u;
}
static void test_nan_bits(void) {
    static const uint32_t odd[] = { 0x7fc12345u, 0xffc54321u, 0x7fc00000u, 0x7f800000u, 0xff800000u,
                                    0x00000000u, 0x80000000u, 0x3f800000u, 0xc0400000u };
    unsigned i, j, n = sizeof odd / sizeof odd[0], seen = 0;
    for (i = 0; i < n * n; i++) {
        mpx_loss_scale s = mpx_loss_scale_static(float_of_bits(odd[i % n]));
        uint32_t x = odd[i / n], got[2], want = nan_of(x, odd[i % n]);
        got[0] = bits_of_value(mpx_loss_scale_scale(s, float_of_bits(x)));
        got[1] = bits_of_value(mpx_loss_scale_unscale(s, float_of_bits(x)));
        for (j = 0; j < 2; j++) {
            if (!is_nan(format_f32, got[j])) continue;
            seen++;
            CHECK(got[j] == want, "NaN of %08lx and %08lx is %08lx, not %08lx", (unsigned long)x,
                  (unsigned long)odd[i % n], (unsigned long)got[j], (unsigned long)want);
        }
    }
    CHECK(seen > 2 * 45, "%u NaN", seen);
}

static void test_values(void) {
    unsigned i, j;
    for (i = 0; i < EDGES; i++)
        for (j = 0; j < EDGES; j++)
            check_pair(sample(i), sample(j));
    for (i = 0; i < 100000; i++)
        check_pair(sample(EDGES), sample(EDGES));
    for (i = 0; i < 50000; i++)
        check_pair(sample(EDGES), 0x00800000u + (random_u32() % 254u << 23)); /* powers of two */
    for (i = 0; i < 50000; i++) /* products of few bits: ties */
        check_pair(sample(EDGES) & 0xfffff800u, (random_u32() & 0x0ffff800u) | 0x38000000u);
    for (i = 0; i < 50000; i++) /* quotients and products near the subnormals */
        check_pair(0x30000000u + random_u32() % 0x10000000u,
                   0x60000000u + random_u32() % 0x1f000000u);
}

typedef struct lane {
    mpx_dtype dtype;
    format f;
    size_t size;
} lane;

static uint64_t read_lane(const lane *l, const unsigned char *data, size_t i) {
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    memcpy(&u16, data + i * 2, 2);
    memcpy(&u32, data + i * 4, 4);
    memcpy(&u64, data + i * 8, 8);
    return l->size == 2 ? u16 : l->size == 4 ? u32 : u64;
}

static void write_lane(const lane *l, unsigned char *data, size_t i, uint64_t bits) {
    uint16_t u16 = (uint16_t)bits;
    uint32_t u32 = (uint32_t)bits;
    if (l->size == 2) memcpy(data + i * 2, &u16, 2);
    if (l->size == 4) memcpy(data + i * 4, &u32, 4);
    if (l->size == 8) memcpy(data + i * 8, &bits, 8);
}

/* The numbers of sample, as bits of the lane; for f64 with exponents that f32 knows too, and with
   mantissas of any length. */
static uint64_t sample_lane(const lane *l, unsigned i) {
    uint32_t u = sample(i);
    uint64_t fraction = ((uint64_t)random_u32() << 32 | random_u32()) >> 12;
    if (l->size == 2) return u >> 16;
    if (l->size == 4) return u;
    if (is_nan(format_f32, u) || is_inf(format_f32, u) || (u & 0x7f800000u) == 0)
        return (uint64_t)(u >> 31) << 63 | (uint64_t)((u >> 23 & 255u) * 8u + 7u) << 52 | u % 3u;
    fraction &= ~(((uint64_t)1 << u % 53u) - 1);
    return (uint64_t)(u >> 31) << 63 | (uint64_t)((u >> 23 & 255u) + 896u) << 52 | fraction;
}

static void make_leaf(mpx_leaf *leaf, void *data, size_t count, mpx_dtype dtype) {
    leaf->path = "w";
    leaf->data = data;
    leaf->count = count;
    leaf->dtype = dtype;
}

static void check_number(const lane *from, const lane *to, const char *verb, uint32_t by,
                         uint64_t x, uint64_t got, uint64_t want) {
    CHECK(same(to->f, got, want), "%s %s->%s: %08lx%08lx by %08lx gave %08lx%08lx, not %08lx%08lx",
          verb, mpx_dtype_short_name(from->dtype), mpx_dtype_short_name(to->dtype),
          (unsigned long)(x >> 32), (unsigned long)(x & 0xffffffffu), (unsigned long)by,
          (unsigned long)(got >> 32), (unsigned long)(got & 0xffffffffu),
          (unsigned long)(want >> 32), (unsigned long)(want & 0xffffffffu));
}

/* The forms for buffers write the same bytes and the same flag, whatever it was before. */
static void check_buffers(const lane *from, const lane *to, mpx_loss_scale s, const void *src,
                          const void *up, const void *down, size_t n, int finite) {
    unsigned char out[128 * 8];
    int one = 1, zero = 0;
    CHECK(mpx_loss_scale_scale_n(out, to->dtype, src, from->dtype, n, s) == MPX_OK, "scale_n");
    CHECK(memcmp(out, up, n * to->size) == 0, "scale_n differs from the tree's");
    CHECK(mpx_loss_scale_unscale_n(out, to->dtype, src, from->dtype, n, s, &one) == MPX_OK,
          "unscale_n");
    CHECK(memcmp(out, down, n * to->size) == 0, "unscale_n differs from the tree's");
    CHECK(one == finite, "unscale_n: finite %d, not %d", one, finite);
    CHECK(mpx_loss_scale_unscale_n(out, to->dtype, src, from->dtype, n, s, &zero) == MPX_OK &&
              zero == finite,
          "unscale_n: finite %d, not %d", zero, finite);
    CHECK(mpx_loss_scale_unscale_n(out, to->dtype, src, from->dtype, n, s, NULL) == MPX_OK,
          "unscale_n without a flag");
}

/* Scale and unscale a leaf of one dtype into one of another: one rounding each, and the flag
   tells Inf and NaN. */
static void check_leaves(const lane *from, const lane *to, uint32_t by, int jmp) {
    enum { N = 67 };
    unsigned char src[N * 8], up[N * 8], down[N * 8];
    mpx_loss_scale s = mpx_loss_scale_static(float_of_bits(by));
    uint32_t inverse = quotient(0x3f800000u, by);
    mpx_leaf a, b, c;
    int finite = -1, want_finite = 1;
    size_t i;
    s.dialect = jmp ? MPX_DIALECT_JMP : MPX_DIALECT_ANY;
    for (i = 0; i < N; i++)
        write_lane(from, src, i, sample_lane(from, (unsigned)i));
    if (by & 1u) /* half of the calls without Inf and NaN */
        for (i = 0; i < N; i++)
            if (is_nan(from->f, read_lane(from, src, i)) ||
                is_inf(from->f, read_lane(from, src, i)))
                write_lane(from, src, i, 0);
    make_leaf(&a, src, N, from->dtype);
    make_leaf(&b, up, N, to->dtype);
    make_leaf(&c, down, N, to->dtype);
    CHECK(mpx_loss_scale_scale_tree(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), s, NULL) == MPX_OK,
          "scale");
    CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&c, 1), mpx_tree_of_leaves(&a, 1), s, &finite, NULL) == MPX_OK,
          "unscale");
    for (i = 0; i < N; i++) {
        uint64_t x = read_lane(from, src, i), u = read_lane(to, up, i), d = read_lane(to, down, i);
        uint64_t want_u = exact_product(to->f, from->f, x, format_f32, by);
        uint64_t want_d = jmp ? exact_product(to->f, from->f, x, format_f32, inverse)
                              : exact_quotient(to->f, from->f, x, format_f32, by);
        if (is_nan(to->f, want_d) || is_inf(to->f, want_d)) want_finite = 0;
        check_number(from, to, jmp ? "jmp's scale" : "scale", by, x, u, want_u);
        check_number(from, to, jmp ? "jmp's unscale" : "unscale", by, x, d, want_d);
    }
    check_buffers(from, to, s, src, up, down, N, want_finite);
    CHECK(finite == want_finite, "unscale %s->%s by %08lx: finite %d, not %d",
          mpx_dtype_short_name(from->dtype), mpx_dtype_short_name(to->dtype), (unsigned long)by,
          finite, want_finite);
}

static void test_leaves(void) {
    lane lanes[4];
    int i, j, k;
    lanes[0].dtype = MPX_F32, lanes[0].f = format_f32, lanes[0].size = 4;
    lanes[1].dtype = MPX_F16, lanes[1].f = format_f16, lanes[1].size = 2;
    lanes[2].dtype = MPX_BF16, lanes[2].f = format_bf16, lanes[2].size = 2;
    lanes[3].dtype = MPX_F64, lanes[3].f = format_f64, lanes[3].size = 8;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            for (k = 0; k < 200; k++) {
                check_leaves(&lanes[i], &lanes[j], sample((unsigned)k), 0);
                check_leaves(&lanes[i], &lanes[j], sample((unsigned)k), 1);
                check_leaves(&lanes[i], &lanes[j], 0x3f800000u + ((uint32_t)(k % 120) << 23),
                             k & 1);
            }
}

/* The flag where the destination has neither Inf nor NaN to show it. */
static void test_flag_of_finite_formats(void) {
    static const mpx_dtype formats[] = { MPX_F4E2M1FN, MPX_F6E2M3FN, MPX_F6E3M2FN };
    static const uint32_t x[] = { 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f7fffffu, 0 };
    size_t i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 5; k++) {
            uint32_t bits = x[k];
            unsigned char code = 0;
            mpx_leaf a, b;
            int finite = -1;
            make_leaf(&a, &bits, 1, MPX_F32);
            make_leaf(&b, &code, 1, formats[i]);
            CHECK(mpx_tree_unscale(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), 3, &finite,
                                   NULL) == MPX_OK,
                  "unscale to %s", mpx_dtype_name(formats[i]));
            CHECK(finite == (k >= 3), "%08lx / 3 to %s: finite %d", (unsigned long)bits,
                  mpx_dtype_name(formats[i]), finite);
        }
}

/* Buffers that are not floating are refused. */
static void test_buffer_dtypes(void) {
    int32_t n[2] = { 1, 2 };
    float x[2] = { 1, 2 };
    mpx_loss_scale s = mpx_loss_scale_static(2);
    CHECK(mpx_loss_scale_scale_n(n, MPX_I32, n, MPX_I32, 2, s) == MPX_ERR_DTYPE, "i32");
    CHECK(mpx_loss_scale_scale_n(x, MPX_F32, n, MPX_I32, 2, s) == MPX_ERR_DTYPE, "i32 to f32");
    CHECK(mpx_loss_scale_unscale_n(n, MPX_C64, x, MPX_F32, 1, s, NULL) == MPX_ERR_DTYPE, "c64");
    CHECK(mpx_loss_scale_unscale_n(n, 99, x, MPX_F32, 1, s, NULL) == MPX_ERR_DTYPE, "no dtype");
    CHECK(n[0] == 1 && n[1] == 2 && x[0] == 1, "nothing written");
    CHECK(mpx_loss_scale_scale_n(NULL, MPX_F32, NULL, MPX_F16, 0, s) == MPX_OK, "no elements");
}

/* NoOp multiplies nothing: the leaf is cast to dst's dtype, other leaves are copied, the flag is
   right. */
static void test_noop_tree(void) {
    float x[2] = { 3, 0 }, y[2] = { 7, 7 };
    int32_t i[1] = { 5 }, j[1] = { 0 };
    mpx_loss_scale noop;
    mpx_leaf a[2], b[2];
    int finite = -1;
    memset(&noop, 0, sizeof noop);
    make_leaf(&a[0], x, 2, MPX_F32), make_leaf(&a[1], i, 1, MPX_I32);
    make_leaf(&b[0], y, 2, MPX_F32), make_leaf(&b[1], j, 1, MPX_I32);
    CHECK(mpx_loss_scale_scale_tree(mpx_tree_of_leaves(b, 2), mpx_tree_of_leaves(a, 2), noop, NULL) == MPX_OK,
          "noop");
    CHECK(memcmp(x, y, sizeof x) == 0 && j[0] == 5, "noop scale copies");
    y[0] = y[1] = 7;
    CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(b, 2), mpx_tree_of_leaves(a, 2), noop, &finite, NULL) == MPX_OK,
          "noop");
    CHECK(memcmp(x, y, sizeof x) == 0 && finite == 1, "noop unscale copies, finite %d", finite);
    x[1] = float_of_bits(0x7f800000u);
    mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(b, 2), mpx_tree_of_leaves(a, 2), noop, &finite, NULL);
    CHECK(memcmp(x, y, sizeof x) == 0 && finite == 0, "noop unscale sees Inf");
}

/* ---- the state machine ----------------------------------------------------------------------- */

/* The next state by each system's own rule, on bits. */
static mpx_loss_scale model_rule_finite(mpx_loss_scale s) {
    uint32_t grown = product(bits_of_float(&s.scale), bits_of_float(&s.factor));
    float larger = float_of_bits(grown);
    if (s.kind == MPX_LOSS_SCALE_JAXAMP) {
        int grow = s.counter >= s.period;
        if (grow) s.scale = larger;
        s.counter = grow ? 0 : s.counter + 1;
    } else if (s.kind == MPX_LOSS_SCALE_KERAS) {
        int grow = s.counter == s.period - 1;
        if (grow) s.scale = larger;
        s.counter = grow ? 0 : s.counter + 1;
    } else if (s.kind == MPX_LOSS_SCALE_DYNAMIC) {
        if (s.counter == s.period - 1 && is_finite(grown)) s.scale = larger;
        s.counter = ((s.counter + 1) % s.period + s.period) % s.period;
    }
    return s;
}

/* The larger of two f32, NaN if one is. */
static uint32_t larger(uint32_t a, uint32_t b) {
    int a_first = (a >> 31) != (b >> 31) ? b >> 31 != 0 : (a >> 31) != 0 ? a < b : a > b;
    if (is_nan(format_f32, a) || is_nan(format_f32, b)) return 0x7fc00000u;
    return a_first ? a : b;
}

static mpx_loss_scale model_rule_not_finite(mpx_loss_scale s) {
    uint32_t now = bits_of_float(&s.scale), least = bits_of_float(&s.min_scale);
    uint32_t shrunk = quotient(now, bits_of_float(&s.factor));
    if (s.kind == MPX_LOSS_SCALE_NOOP || s.kind == MPX_LOSS_SCALE_STATIC) return s;
    if (s.kind == MPX_LOSS_SCALE_DYNAMIC) shrunk = larger(shrunk, least);
    if (s.kind == MPX_LOSS_SCALE_JAXAMP) s.resets++;
    s.scale = float_of_bits(shrunk);
    s.counter = 0;
    return s;
}

/* Under a maximum and a hysteresis of 2 and more: DynamicGradScaler of Megatron-LM, whose tracker
   is hysteresis - misses and stays at 0 here. Growth ends at the maximum, and never lowers. */
static mpx_loss_scale model_finite(mpx_loss_scale s) {
    mpx_loss_scale next = model_rule_finite(s);
    int full_period =
        s.kind == MPX_LOSS_SCALE_JAXAMP ? s.counter >= s.period : s.counter + 1 == s.period;
    if (s.kind == MPX_LOSS_SCALE_NOOP || s.kind == MPX_LOSS_SCALE_STATIC) return s;
    if (full_period) next.misses = 0;
    if (s.max_scale > 0 && next.scale > s.max_scale)
        next.scale = s.scale > s.max_scale ? s.scale : s.max_scale;
    return next;
}

static mpx_loss_scale model_not_finite(mpx_loss_scale s) {
    mpx_loss_scale next = model_rule_not_finite(s);
    int32_t tracker = s.hysteresis - s.misses - 1;
    if (s.hysteresis == 0 || s.kind == MPX_LOSS_SCALE_NOOP || s.kind == MPX_LOSS_SCALE_STATIC)
        return next;
    if (tracker > 0) next.scale = s.scale;
    next.misses = tracker > 0 ? s.misses + 1 : s.hysteresis;
    return next;
}

static int same_state(mpx_loss_scale a, mpx_loss_scale b) {
    return a.kind == b.kind && same(format_f32, bits_of_float(&a.scale), bits_of_float(&b.scale)) &&
           a.counter == b.counter && a.period == b.period &&
           bits_of_float(&a.factor) == bits_of_float(&b.factor) &&
           bits_of_float(&a.min_scale) == bits_of_float(&b.min_scale) && a.resets == b.resets &&
           a.dialect == b.dialect && bits_of_float(&a.max_scale) == bits_of_float(&b.max_scale) &&
           a.hysteresis == b.hysteresis && a.misses == b.misses && a.state == b.state;
}

static int is_power_of_two(uint32_t bits) {
    return (bits & 0x7fffffu) == 0 ? bits != 0 : (bits & (bits - 1)) == 0 && bits < 0x800000u;
}

/* One step: the model's state, within its bounds. Returns it. */
static mpx_loss_scale check_step(mpx_loss_scale s, int finite, int powers) {
    mpx_loss_scale next = mpx_loss_scale_adjust(s, finite),
                   want = finite ? model_finite(s) : model_not_finite(s);
    uint32_t now = bits_of_float(&next.scale), before = bits_of_float(&s.scale),
             least = bits_of_float(&s.min_scale);
    CHECK(same_state(next, want),
          "kind %d, finite %d: from %08lx %ld to %08lx %ld, resets %ld, misses %ld; not %08lx %ld, "
          "%ld, %ld",
          s.kind, finite, (unsigned long)before, (long)s.counter, (unsigned long)now,
          (long)next.counter, (long)next.resets, (long)next.misses,
          (unsigned long)bits_of_float(&want.scale), (long)want.counter, (long)want.resets,
          (long)want.misses);
    CHECK(next.misses >= 0 && next.misses <= next.hysteresis, "%ld misses", (long)next.misses);
    if (s.max_scale > 0 && s.scale <= s.max_scale)
        CHECK(next.scale <= s.max_scale, "%08lx is above the maximum", (unsigned long)now);
    if (s.kind == MPX_LOSS_SCALE_DYNAMIC) {
        CHECK(is_finite(now) && now >= (finite ? before : least), "%08lx is out of bounds",
              (unsigned long)now);
        CHECK(!powers || now == 0 || is_power_of_two(now), "%08lx is no power of two",
              (unsigned long)now);
    }
    return next;
}

static int all_steps = 12; /* --quick: 9 */

/* Every sequence of so many steps from s. */
static void check_sequences(mpx_loss_scale s, int steps) {
    uint32_t least = bits_of_float(&s.min_scale), most = bits_of_float(&s.max_scale);
    int powers = (most == 0 || is_power_of_two(most)) && is_power_of_two(bits_of_float(&s.scale)) &&
                 is_power_of_two(bits_of_float(&s.factor)) &&
                 (least == 0 || is_power_of_two(least));
    if (steps == 0) return;
    check_sequences(check_step(s, 0, powers), steps - 1);
    check_sequences(check_step(s, 1, powers), steps - 1);
}

/* All 4096 sequences of twelve steps, from many states of every kind. */
static void test_sequences(void) {
    static const uint32_t scales[] = { 0x47000000u, 0x3f800000u, 0x7e800000u, 0x7f000000u,
                                       0x7f7fffffu, 0x40490fdbu, 1u };
    static const uint32_t factors[] = { 0x40000000u, 0x40800000u, 0x3f8ccccdu };
    static const uint32_t leasts[] = { 0x3f800000u, 0, 0x43000000u };
    static const int32_t periods[] = { 1, 2, 3, 2000 };
    unsigned i, kind;
    for (i = 0; i < 7 * 3 * 4; i++)
        for (kind = MPX_LOSS_SCALE_DYNAMIC; kind <= MPX_LOSS_SCALE_KERAS; kind++) {
            mpx_loss_scale s = mpx_loss_scale_dynamic(float_of_bits(scales[i % 7]));
            s.kind = (int)kind;
            s.factor = float_of_bits(factors[i / 7 % 3]);
            s.min_scale = kind == MPX_LOSS_SCALE_DYNAMIC ? float_of_bits(leasts[i % 3]) : 0.0f;
            s.period = periods[i / 21];
            check_sequences(s, all_steps);
        }
}

/* All sequences again, bound: every hysteresis up to 5, a maximum that growth meets exactly, steps
   over, starts at or above; every rule. */
static void test_bound_sequences(void) {
    static const float scales[] = { 1024, 3, 65536 };
    static const float most[] = { 0, 4096, 5000, 1024 };
    static const int32_t periods[] = { 1, 2, 3 };
    unsigned i, kind;
    int32_t hysteresis;
    for (hysteresis = 0; hysteresis <= 5; hysteresis++)
        for (kind = MPX_LOSS_SCALE_NOOP; kind <= MPX_LOSS_SCALE_KERAS; kind++)
            for (i = 0; i < 3 * 4 * 3; i++) {
                mpx_loss_scale s = mpx_loss_scale_dynamic(scales[i % 3]);
                s.kind = (int)kind;
                s.max_scale = most[i / 3 % 4];
                s.period = periods[i / 12];
                s.hysteresis = hysteresis;
                check_sequences(s, all_steps);
            }
}

/* What Megatron-LM's update does, step by step; overflows need not follow each other. */
static void test_hysteresis_trace(void) {
    static const struct {
        int finite;
        float scale;
        int32_t misses;
    } steps[] = {
        { 0, 1024, 1 }, { 1, 1024, 1 }, { 0, 512, 2 }, /* the second, not in a row */
        { 0, 256, 2 },  { 1, 256, 2 },  { 1, 512, 0 }, /* a full period restores */
        { 0, 512, 1 },  { 1, 512, 1 },  { 1, 1024, 0 }, { 1, 1024, 0 }, { 1, 2048, 0 },
        { 1, 2048, 0 }, { 1, 2048, 0 }, { 0, 2048, 1 }, { 0, 1024, 2 }, /* 2048 is the maximum */
    };
    mpx_loss_scale s = mpx_loss_scale_dynamic(1024);
    size_t i;
    s.hysteresis = 2, s.period = 2, s.max_scale = 2048;
    CHECK(mpx_loss_scale_check(s) == MPX_OK, "a good configuration");
    for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        s = mpx_loss_scale_adjust(s, steps[i].finite);
        CHECK(bits_of_float(&s.scale) == bits_of_value(steps[i].scale) &&
                  s.misses == steps[i].misses,
              "step %lu: scale %g, misses %ld", (unsigned long)i, (double)s.scale, (long)s.misses);
        CHECK(mpx_loss_scale_check(s) == MPX_OK, "step %lu", (unsigned long)i);
    }
}

/* Bounds that are none, as a hostile file may have them, bind nothing and do not overflow. */
static void test_odd_bounds(void) {
    static const uint32_t odd[] = { 0x80000000u, 0xbf800000u, 0xff800000u, 0x7fc00000u,
                                    0xffc00000u };
    static const int32_t numbers[] = { INT32_MIN, -1, INT32_MAX };
    mpx_loss_scale plain = mpx_loss_scale_adjust(mpx_loss_scale_dynamic(1024), 1), s;
    size_t i;
    for (i = 0; i < 5; i++) {
        s = mpx_loss_scale_dynamic(1024);
        s.max_scale = float_of_bits(odd[i]);
        s = mpx_loss_scale_adjust(s, 1);
        CHECK(bits_of_float(&s.scale) == bits_of_float(&plain.scale), "maximum %08lx",
              (unsigned long)odd[i]);
    }
    for (i = 0; i < 9; i++) {
        s = mpx_loss_scale_dynamic(1024);
        s.hysteresis = numbers[i / 3], s.misses = numbers[i % 3];
        (void)mpx_loss_scale_adjust(s, 1);
        s = mpx_loss_scale_adjust(s, 0);
        CHECK(s.hysteresis == INT32_MAX ||
                  (bits_of_float(&s.scale) == bits_of_value(512) && s.misses == numbers[i % 3]),
              "hysteresis %ld", (long)s.hysteresis);
    }
}

/* Odd counters: at or beyond the period, negative, about to overflow. */
static void test_counters(void) {
    static const int32_t counters[] = { 0, 1, 2, 3, 4, 7, 1000, -1, -2, -3, -4, -7 };
    unsigned i;
    for (i = 0; i < sizeof counters / sizeof counters[0] * 3; i++) {
        mpx_loss_scale s = mpx_loss_scale_dynamic(1024);
        s.kind = MPX_LOSS_SCALE_DYNAMIC + (int)(i % 3);
        s.counter = counters[i / 3];
        s.period = 3;
        if (s.kind != MPX_LOSS_SCALE_DYNAMIC) s.min_scale = 0;
        check_sequences(s, 6);
    }
    for (i = 0; i < 5; i++) {
        mpx_loss_scale s = mpx_loss_scale_dynamic(1024), next;
        s.kind = (int)i;
        s.counter = s.resets = INT32_MAX;
        next = mpx_loss_scale_adjust(s, 1);
        CHECK(s.kind != MPX_LOSS_SCALE_DYNAMIC || (next.counter >= 0 && next.counter < s.period),
              "counter %ld", (long)next.counter);
        next = mpx_loss_scale_adjust(s, 0);
        CHECK(s.kind < MPX_LOSS_SCALE_DYNAMIC || next.counter == 0, "counter %ld",
              (long)next.counter);
        s.period = INT32_MIN;
        mpx_loss_scale_adjust(s, 1);
        s.period = -1, s.counter = INT32_MIN;
        mpx_loss_scale_adjust(s, 1);
    }
    {
        mpx_loss_scale s = mpx_loss_scale_dynamic(1024);
        s.period = 0;
        s = mpx_loss_scale_adjust(s, 1);
        CHECK(s.counter == 0 && s.scale == 1024, "period 0: never grows, the counter stays 0");
    }
}

/* Counters stop at their ends; kinds that are none stay; fields that a kind does not read are not
   checked. */
static void test_ends(void) {
    mpx_loss_scale s = mpx_loss_scale_jaxamp(1024), next;
    s.resets = INT32_MAX;
    CHECK(mpx_loss_scale_adjust(s, 0).resets == INT32_MAX, "resets");
    s = mpx_loss_scale_keras(1024);
    s.period = s.counter = INT32_MAX;
    next = mpx_loss_scale_adjust(s, 1);
    CHECK(next.counter == INT32_MAX && next.scale == 1024, "counter %ld", (long)next.counter);
    s.min_scale = 2048;
    CHECK(mpx_loss_scale_check(s) == MPX_OK, "Keras has no minimum");
    s.kind = MPX_LOSS_SCALE_JAXAMP;
    CHECK(mpx_loss_scale_check(s) == MPX_OK, "nor has jaxamp");
    s = mpx_loss_scale_dynamic(1024);
    s.kind = 99, s.counter = 5;
    next = mpx_loss_scale_adjust(s, 0);
    CHECK(next.scale == 1024 && next.counter == 5, "no kind");
    memset(&s, 0, sizeof s);
    s.kind = MPX_LOSS_SCALE_STATIC, s.scale = 128;
    CHECK(mpx_loss_scale_check(s) == MPX_OK, "a static scale needs nothing else");
}

/* Scales, factors and floors that check() refuses follow the formulas all the same. */
static void test_odd_numbers(void) {
    static const uint32_t odd[] = {
        0x7fc00000u, 0xffc00000u, 0x7f800000u, 0xff800000u, 0,           0x80000000u,
        0xc4800000u, 0x44800000u, 0x3f000000u, 0x00000001u, 0x7f7fffffu,
    };
    const unsigned n = sizeof odd / sizeof odd[0];
    unsigned i, finite;
    for (i = 0; i < n * n * n * 3; i++)
        for (finite = 0; finite < 2; finite++) {
            mpx_loss_scale s = mpx_loss_scale_dynamic(float_of_bits(odd[i / 3 % n])), next, want;
            s.kind = MPX_LOSS_SCALE_DYNAMIC + (int)(i % 3);
            s.factor = float_of_bits(odd[i / 3 / n % n]);
            s.min_scale = float_of_bits(odd[i / 3 / n / n]);
            s.period = 1;
            next = mpx_loss_scale_adjust(s, (int)finite);
            want = finite ? model_finite(s) : model_not_finite(s);
            CHECK(same_state(next, want),
                  "kind %d, finite %u: %08lx, factor %08lx, min %08lx: %08lx", s.kind, finite,
                  (unsigned long)bits_of_float(&s.scale), (unsigned long)bits_of_float(&s.factor),
                  (unsigned long)bits_of_float(&s.min_scale),
                  (unsigned long)bits_of_float(&next.scale));
        }
}

static void test_constants(void) {
    mpx_loss_scale zero, odd = mpx_loss_scale_static(float_of_bits(0x7fc00000u));
    memset(&zero, 0, sizeof zero);
    check_sequences(zero, all_steps);
    check_sequences(mpx_loss_scale_static(3), all_steps);
    check_sequences(odd, all_steps);
    CHECK(mpx_loss_scale_value(zero) == 1, "{0} reads as 1");
    CHECK(bits_of_value(mpx_loss_scale_scale(zero, 5)) == 0x40a00000u, "{0} scales by 1");
    CHECK(bits_of_value(mpx_loss_scale_unscale(zero, 5)) == 0x40a00000u, "{0} unscales by 1");
    CHECK(mpx_loss_scale_noop().kind == zero.kind &&
              mpx_loss_scale_value(mpx_loss_scale_noop()) == 1,
          "noop");
    CHECK(mpx_loss_scale_value(mpx_loss_scale_static(3)) == 3, "static reads as its scale");
    zero.scale = 5;
    CHECK(mpx_loss_scale_value(zero) == 1, "a NoOp reads as 1, whatever its scale field holds");
}

/* What the constructors fill in. */
static void test_defaults(void) {
    mpx_loss_scale s = mpx_loss_scale_dynamic(32768);
    CHECK(s.kind == MPX_LOSS_SCALE_DYNAMIC && s.scale == 32768 && s.counter == 0 &&
              s.period == 2000 && s.factor == 2 && s.min_scale == 1 && s.resets == 0 &&
              s.dialect == MPX_DIALECT_ANY,
          "dynamic");
    s = mpx_loss_scale_jaxamp(32768);
    CHECK(s.kind == MPX_LOSS_SCALE_JAXAMP && s.scale == 32768 && s.counter == 0 &&
              s.period == 2000 && s.factor == 2 && s.resets == 0,
          "jaxamp");
    s = mpx_loss_scale_keras(32768);
    CHECK(s.kind == MPX_LOSS_SCALE_KERAS && s.scale == 32768 && s.counter == 0 &&
              s.period == 2000 && s.factor == 2,
          "keras");
    s = mpx_loss_scale_static(7);
    CHECK(s.kind == MPX_LOSS_SCALE_STATIC && bits_of_float(&s.min_scale) == 0, "static");
}

/* ---- check and is_stuck ---------------------------------------------------------------------- */

/* Which field to spoil, with which float bits or integer. */
static mpx_status check_with(mpx_loss_scale s, const char *field, uint32_t value) {
    if (strcmp(field, "scale") == 0) s.scale = float_of_bits(value);
    if (strcmp(field, "factor") == 0) s.factor = float_of_bits(value);
    if (strcmp(field, "min_scale") == 0) s.min_scale = float_of_bits(value);
    if (strcmp(field, "period") == 0) memcpy(&s.period, &value, sizeof value);
    if (strcmp(field, "max_scale") == 0) s.max_scale = float_of_bits(value);
    if (strcmp(field, "hysteresis") == 0) memcpy(&s.hysteresis, &value, sizeof value);
    if (strcmp(field, "misses") == 0) memcpy(&s.misses, &value, sizeof value);
    if (strcmp(field, "dialect") == 0) memcpy(&s.dialect, &value, sizeof value);
    if (strcmp(field, "kind") == 0) memcpy(&s.kind, &value, sizeof value);
    if (strcmp(field, "state") == 0) memcpy(&s.state, &value, sizeof value);
    return mpx_loss_scale_check(s);
}

static void test_check(void) {
    static const struct {
        const char *field;
        uint32_t value;
    } bad[] = {
        { "scale", 0 },
        { "scale", 0x80000000u },
        { "scale", 0xbf800000u },
        { "scale", 0x7f800000u },
        { "scale", 0x7fc00000u },
        { "scale", 0xff800000u },
        { "period", 0 },
        { "period", 0xffffffffu },
        { "period", 0x80000000u },
        { "factor", 0x3f800000u },
        { "factor", 0x3f7fffffu },
        { "factor", 0 },
        { "factor", 0xc0000000u },
        { "factor", 0x7f800000u },
        { "factor", 0x7fc00000u },
        { "max_scale", 0x447fffffu }, /* just below the scale */
        { "max_scale", 0x7f800000u },
        { "max_scale", 0x7fc00000u },
        { "max_scale", 0xc4800000u },
        { "max_scale", 0x40000000u }, /* 2 and -2: no other bit is set */
        { "max_scale", 0xc0000000u },
        { "hysteresis", 0xffffffffu },
        { "misses", 1 }, /* of 0 */
        { "misses", 0xffffffffu },
        { "dialect", MPX_DIALECT_KERAS_CLASS + 1 },
        { "dialect", 0xffffffffu },
        { "kind", 5 },
        { "kind", 0xffffffffu },
        { "state", MPX_F64 },
        { "state", 99 },
    };
    static const struct {
        const char *field;
        uint32_t value;
    } bad_least[] = {
        { "min_scale", 0x44800001u }, { "min_scale", 0xbf800000u }, { "min_scale", 0x7fc00000u },
        { "min_scale", 0x7f800000u }, { "min_scale", 0x80000001u }, { "min_scale", 0xc0000000u },
    };
    mpx_loss_scale kinds[3];
    size_t i, k;
    kinds[0] = mpx_loss_scale_dynamic(1024);
    kinds[1] = mpx_loss_scale_jaxamp(1024);
    kinds[2] = mpx_loss_scale_keras(1024);
    for (k = 0; k < 3; k++) {
        CHECK(mpx_loss_scale_check(kinds[k]) == MPX_OK, "kind %d is good", kinds[k].kind);
        for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
            CHECK(check_with(kinds[k], bad[i].field, bad[i].value) == MPX_ERR_ARGUMENT,
                  "kind %d: %s = %08lx is bad", kinds[k].kind, bad[i].field,
                  (unsigned long)bad[i].value);
        CHECK(check_with(kinds[k], "factor", 0x3f800001u) == MPX_OK, "just above 1 is a factor");
        CHECK(check_with(kinds[k], "scale", 0x7f7fffffu) == MPX_OK, "the largest scale");
        CHECK(check_with(kinds[k], "period", 1) == MPX_OK, "period 1");
        CHECK(check_with(kinds[k], "max_scale", 0x44800000u) == MPX_OK, "a maximum at the scale");
        CHECK(check_with(kinds[k], "max_scale", 0x80000000u) == MPX_OK, "-0: no maximum");
        CHECK(check_with(kinds[k], "hysteresis", 0x7fffffffu) == MPX_OK, "any hysteresis");
    }
    for (i = 0; i < sizeof bad_least / sizeof bad_least[0]; i++)
        CHECK(check_with(kinds[0], bad_least[i].field, bad_least[i].value) == MPX_ERR_ARGUMENT,
              "min_scale %08lx is bad", (unsigned long)bad_least[i].value);
    CHECK(check_with(kinds[0], "min_scale", 0x44800000u) == MPX_OK,
          "min_scale may equal the scale");
    CHECK(check_with(kinds[0], "min_scale", 0) == MPX_OK, "0: no floor");
    CHECK(check_with(kinds[0], "min_scale", 0x80000000u) == MPX_OK, "-0: no floor");
    CHECK(mpx_loss_scale_check(mpx_loss_scale_noop()) == MPX_OK, "noop is good");
    CHECK(mpx_loss_scale_check(mpx_loss_scale_static(128)) == MPX_OK, "static is good");
    CHECK(check_with(mpx_loss_scale_noop(), "dialect", 77) == MPX_ERR_ARGUMENT &&
              check_with(mpx_loss_scale_static(1), "dialect", 77) == MPX_ERR_ARGUMENT,
          "a dialect that is none is bad in every kind: it cannot be saved and loaded");
    for (i = 0; i < 6; i++)
        CHECK(check_with(mpx_loss_scale_static(1), "scale", bad[i].value) == MPX_ERR_ARGUMENT,
              "static %08lx is bad", (unsigned long)bad[i].value);
}

/* Stuck: a non-finite step does not lower the scale. */
static void check_stuck(mpx_loss_scale s) {
    mpx_loss_scale next = model_not_finite(s);
    uint32_t now = bits_of_float(&s.scale), then = bits_of_float(&next.scale);
    int want = is_nan(format_f32, now) || then >= now;
    CHECK(mpx_loss_scale_is_stuck(s) == want,
          "kind %d: scale %08lx, min_scale %08lx, factor %08lx: stuck %d, not %d", s.kind,
          (unsigned long)now, (unsigned long)bits_of_float(&s.min_scale),
          (unsigned long)bits_of_float(&s.factor), mpx_loss_scale_is_stuck(s), want);
}

static void test_is_stuck(void) {
    mpx_loss_scale patient;
    unsigned i, k;
    for (k = MPX_LOSS_SCALE_DYNAMIC; k <= MPX_LOSS_SCALE_KERAS; k++)
        for (i = 0; i < 2000; i++) {
            mpx_loss_scale s = mpx_loss_scale_dynamic(float_of_bits(sample(i) & 0x7fffffffu));
            s.kind = (int)k;
            s.min_scale = i % 3 == 0 ? 0.0f : i % 3 == 1 ? 1.0f : s.scale;
            check_stuck(s);
            s.factor = float_of_bits(0x3fc00000u); /* 1.5: 2^-149 / 1.5 is 2^-149 again */
            check_stuck(s);
        }
    CHECK(mpx_loss_scale_is_stuck(mpx_loss_scale_noop()) == 0, "noop is never stuck");
    CHECK(mpx_loss_scale_is_stuck(mpx_loss_scale_static(0)) == 0, "static is never stuck");
    CHECK(mpx_loss_scale_is_stuck(mpx_loss_scale_static(float_of_bits(0x7f800000u))) == 0,
          "static is never stuck");
    CHECK(mpx_loss_scale_is_stuck(mpx_loss_scale_dynamic(1)) == 1, "at its floor");
    CHECK(mpx_loss_scale_is_stuck(mpx_loss_scale_dynamic(2)) == 0, "above its floor");
    patient = mpx_loss_scale_dynamic(2);
    patient.min_scale = float_of_bits(0xffc00000u);
    CHECK(mpx_loss_scale_is_stuck(patient) == 1, "the step makes it NaN, whatever the sign");
    patient.min_scale = 1;
    patient.hysteresis = 3;
    CHECK(mpx_loss_scale_is_stuck(patient) == 0, "it could be lowered, though not by this step");
}

/* ---- Axon's finite test ---------------------------------------------------------------------- */

/* Only Inf counts, and in the gradients as they are given; the quotient is jmp's. */
static void test_axon(void) {
    static const uint32_t samples[4][3] = {
        { 0x3f800000u, 0x7fc00000u, 0x40000000u }, /* NaN passes */
        { 0x3f800000u, 0x7f800000u, 0x7fc00000u },
        { 0xff800000u, 0x7fc00000u, 0x00000000u },
        { 0x40a00000u, 0x40490fdbu, 0x40400000u }, /* 5 / 3 is not 5 * (1 / 3) */
    };
    mpx_loss_scale s = mpx_loss_scale_axon(3), jmp = mpx_loss_scale_dynamic(3);
    int i, k, want[4] = { 1, 0, 0, 1 };
    jmp.dialect = MPX_DIALECT_JMP;
    CHECK(s.kind == MPX_LOSS_SCALE_DYNAMIC && s.period == 2000 && s.dialect == MPX_DIALECT_AXON,
          "the preset");
    for (i = 0; i < 4; i++) {
        uint32_t grad[3], by_jmp[3];
        mpx_leaf leaf = { "g", NULL, 3, MPX_F32 };
        int finite = -1, of_jmp = -1;
        memcpy(grad, samples[i], sizeof grad);
        leaf.data = grad;
        CHECK(mpx_loss_scale_unscale_n(by_jmp, MPX_F32, grad, MPX_F32, 3, jmp, &of_jmp) == MPX_OK &&
                  of_jmp == (i == 3),
              "jmp sees NaN");
        CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&leaf, 1), mpx_tree_of_leaves(&leaf, 1), s, &finite, NULL) == MPX_OK &&
                  finite == want[i],
              "tree %d: finite %d", i, finite);
        for (k = 0; k < 3; k++)
            CHECK(same(format_f32, grad[k], by_jmp[k]), "tree %d, gradient %d", i, k);
        memcpy(grad, samples[i], sizeof grad);
        CHECK(mpx_loss_scale_unscale_n(grad, MPX_F32, grad, MPX_F32, 3, s, &finite) == MPX_OK &&
                  finite == want[i],
              "buffer %d: finite %d", i, finite);
        CHECK(mpx_loss_scale_unscale_n(grad, MPX_F32, grad, MPX_F32, 3, s, NULL) == MPX_OK, "NULL");
        CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&leaf, 1), mpx_tree_of_leaves(&leaf, 1), s, NULL, NULL) == MPX_OK,
              "tree, NULL");
    }
    CHECK(bits_of_value(mpx_loss_scale_unscale(s, 5)) ==
              bits_of_value(mpx_loss_scale_unscale(jmp, 5)),
          "one value is unscaled as jmp does");
}

/* The gradients are looked at before they are overwritten in another dtype; where nothing is done
   the flag stays. */
static void test_axon_in_place(void) {
    mpx_loss_scale s = mpx_loss_scale_axon(2);
    uint32_t grad[2] = { 0x7f800000u, 0x3f800000u };
    mpx_leaf wide = { "g", NULL, 2, MPX_F32 }, half = { "g", NULL, 2, MPX_F16 };
    int finite = 7;
    CHECK(mpx_loss_scale_unscale_n(grad, MPX_F16, grad, MPX_F32, 2, s, &finite) == MPX_OK &&
              finite == 0,
          "buffer: finite %d", finite);
    grad[0] = 0x477fe000u, finite = 7; /* f16's largest, which becomes twice as large */
    s.scale = 0.5f;
    CHECK(mpx_loss_scale_unscale_n(grad, MPX_F16, grad, MPX_F32, 2, s, &finite) == MPX_OK &&
              finite == 1,
          "Inf that unscaling makes does not count: finite %d", finite);
    wide.data = half.data = grad;
    grad[0] = 0x7f800000u, grad[1] = 0x3f800000u, finite = 7;
    CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&half, 1), mpx_tree_of_leaves(&wide, 1), s, &finite, NULL) == MPX_OK &&
              finite == 0,
          "tree: finite %d", finite);
    finite = 7;
    CHECK(mpx_loss_scale_unscale_n(grad, MPX_I32, grad, MPX_F32, 2, s, &finite) == MPX_ERR_DTYPE &&
              finite == 7,
          "no float: finite %d", finite);
    half.count = 1;
    CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&half, 1), mpx_tree_of_leaves(&wide, 1), s, &finite, NULL) ==
                  MPX_ERR_STRUCTURE &&
              finite == 7,
          "trees that differ: finite %d", finite);
    wide.dtype = (mpx_dtype)99;
    CHECK(mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&half, 1), mpx_tree_of_leaves(&wide, 1), s, &finite, NULL) ==
                  MPX_ERR_DTYPE &&
              finite == 7,
          "a dtype that is none: finite %d", finite);
}

/* ---- saved states ---------------------------------------------------------------------------- */

static mpx_loss_scale random_scale(void) {
    mpx_loss_scale s;
    memset(&s, 0, sizeof s);
    s.kind = (int)(random_u32() % 5);
    s.scale = float_of_bits(sample(random_u32() % 40));
    s.counter = (int32_t)(random_u32() >> 1) - 0x40000000;
    s.period = (int32_t)(random_u32() >> 1) - 0x40000000;
    s.factor = float_of_bits(sample(random_u32() % 40));
    s.min_scale = float_of_bits(sample(random_u32() % 40));
    s.resets = (int32_t)(random_u32() >> 1) - 0x40000000;
    s.dialect = (mpx_dialect)(random_u32() % 6);
    s.max_scale = float_of_bits(sample(random_u32() % 40));
    s.hysteresis = (int32_t)(random_u32() >> 1) - 0x40000000;
    s.misses = (int32_t)(random_u32() >> 1) - 0x40000000;
    s.state = (mpx_dtype)(random_u32() % 4 != 0 ? (unsigned)MPX_F32 + random_u32() % 3 : 0);
    return s;
}

static int same_bits(mpx_loss_scale a, mpx_loss_scale b) {
    return same_state(a, b) && bits_of_float(&a.scale) == bits_of_float(&b.scale);
}

/* A field to a number that is often none of its names: negative, one too far, any. */
static int any_number(int most) {
    int x = (int)(random_u32() >> 1);
    return random_u32() % 2 != 0 ? x % (most + 2) : random_u32() % 2 != 0 ? -1 - x % 3 : x;
}

/* Any state: save refuses it and writes nothing, or load reads it back to the bit. */
static void test_saved_or_refused(void) {
    int i, refused = 0;
    for (i = 0; i < 100000; i++) {
        unsigned char bytes[MPX_LOSS_SCALE_BYTES], untouched[MPX_LOSS_SCALE_BYTES];
        mpx_loss_scale s = random_scale(), back;
        int kind = i % 3 == 0 ? any_number(MPX_LOSS_SCALE_KERAS) : s.kind;
        int dialect = i % 3 == 1 ? any_number(MPX_DIALECT_KERAS_CLASS) : (int)s.dialect;
        int state = i % 3 == 2 ? any_number(MPX_DTYPE_COUNT) : (int)s.state;
        int good = kind >= 0 && kind <= MPX_LOSS_SCALE_KERAS && dialect >= 0 &&
                   dialect <= MPX_DIALECT_KERAS_CLASS &&
                   (state == MPX_NONE || state == MPX_F32 || state == MPX_F16 || state == MPX_BF16);
        mpx_status status;
        memcpy(&s.kind, &kind, sizeof kind);
        memcpy(&s.dialect, &dialect, sizeof dialect);
        memcpy(&s.state, &state, sizeof state);
        memset(bytes, 0x5a, sizeof bytes);
        memset(untouched, 0x5a, sizeof untouched);
        memset(&back, 0, sizeof back);
        status = mpx_loss_scale_save(s, bytes);
        CHECK(status == (good ? MPX_OK : MPX_ERR_ARGUMENT), "kind %d, dialect %d, state %d: %d",
              kind, dialect, state, (int)status);
        if (status != MPX_OK) {
            CHECK(memcmp(bytes, untouched, sizeof bytes) == 0, "a refused save writes");
            refused++;
        } else {
            CHECK(mpx_loss_scale_load(bytes, sizeof bytes, &back) == MPX_OK &&
                      memcmp(&s, &back, sizeof s) == 0,
                  "kind %d, dialect %d, state %d: saved, not loaded", kind, dialect, state);
        }
    }
    CHECK(refused > 20000 && refused < 80000, "%d refused", refused);
}

static void test_round_trip(void) {
    int i;
    for (i = 0; i < 10000; i++) {
        unsigned char bytes[MPX_LOSS_SCALE_BYTES + 1];
        mpx_loss_scale s = random_scale(), back;
        memset(&back, 0x5a, sizeof back);
        bytes[MPX_LOSS_SCALE_BYTES] = 0xa5;
        CHECK(mpx_loss_scale_save(s, bytes) == MPX_OK, "saves");
        CHECK(bytes[MPX_LOSS_SCALE_BYTES] == 0xa5, "save wrote beyond its bytes");
        CHECK(mpx_loss_scale_load(bytes, MPX_LOSS_SCALE_BYTES, &back) == MPX_OK &&
                  same_bits(s, back),
              "kind %d, scale %08lx does not come back", s.kind,
              (unsigned long)bits_of_float(&s.scale));
    }
}

/* Load must refuse, and leave *out as it was. The bytes are a block of exactly `size`, for the
   sanitizer. */
static void check_refused(const unsigned char *bytes, size_t size, const char *what, size_t where) {
    unsigned char *block = (unsigned char *)malloc(size + (size == 0));
    mpx_loss_scale out, before;
    if (block == NULL) return;
    memset(&out, 0x5a, sizeof out);
    memset(&before, 0x5a, sizeof before);
    memcpy(block, bytes, size);
    CHECK(mpx_loss_scale_load(block, size, &out) == MPX_ERR_STATE, "load took %s %lu", what,
          (unsigned long)where);
    CHECK(memcmp(&out, &before, sizeof out) == 0, "load wrote to *out after %s %lu", what,
          (unsigned long)where);
    free(block);
}

#define HEADER_BYTES 8 /* what is no field: magic and version */

static void test_damaged(void) {
    unsigned char bytes[MPX_LOSS_SCALE_BYTES + 8] = { 0 };
    size_t i;
    unsigned flip;
    mpx_loss_scale_save(mpx_loss_scale_dynamic(32768), bytes);
    for (i = 0; i < sizeof bytes; i++)
        if (i != MPX_LOSS_SCALE_BYTES) check_refused(bytes, i, "size", i);
    for (i = 0; i < HEADER_BYTES; i++)
        for (flip = 1; flip < 256; flip++) {
            bytes[i] = (unsigned char)(bytes[i] ^ flip);
            check_refused(bytes, MPX_LOSS_SCALE_BYTES, "a changed header byte", i);
            bytes[i] = (unsigned char)(bytes[i] ^ flip);
        }
    for (flip = 1; flip < 256; flip++) { /* kinds and dialects that are none */
        bytes[8 + 1 + flip % 3] = (unsigned char)flip;
        check_refused(bytes, MPX_LOSS_SCALE_BYTES, "a large kind", flip);
        bytes[8 + 1 + flip % 3] = 0;
        bytes[8] = (unsigned char)(flip > MPX_LOSS_SCALE_KERAS ? flip : 255);
        check_refused(bytes, MPX_LOSS_SCALE_BYTES, "kind", bytes[8]);
        bytes[8] = MPX_LOSS_SCALE_DYNAMIC;
        bytes[36] = (unsigned char)(flip > MPX_DIALECT_KERAS_CLASS ? flip : 255);
        check_refused(bytes, MPX_LOSS_SCALE_BYTES, "dialect", bytes[36]);
        bytes[36] = 0;
        bytes[52] = (unsigned char)(flip > MPX_BF16 ? flip : MPX_F64);
        check_refused(bytes, MPX_LOSS_SCALE_BYTES, "state", bytes[52]);
        bytes[52] = 0;
    }
    memset(bytes, 0, sizeof bytes);
    check_refused(bytes, MPX_LOSS_SCALE_BYTES, "zeros", 0);
    memset(bytes, 0xff, sizeof bytes);
    check_refused(bytes, MPX_LOSS_SCALE_BYTES, "ones", 0);
}

/* What save writes, byte by byte: the same on every machine, and what older files hold. */
static void test_recorded_bytes(void) {
    static const unsigned char want[MPX_LOSS_SCALE_BYTES] = {
        'M',  'P',  'X',  'L',  3,    0,    0,    0,    /* magic, version              */
        2,    0,    0,    0,    0x00, 0x00, 0x00, 0x47, /* dynamic, 32768              */
        0x39, 0x30, 0,    0,    0xd0, 0x07, 0,    0,    /* counter 12345, period 2000  */
        0x00, 0x00, 0x00, 0x40, 0,    0,    0x80, 0x3f, /* factor 2, min_scale 1   */
        0xfe, 0xff, 0xff, 0xff, 2,    0,    0,    0,    /* resets -2, jmp              */
        0x00, 0x00, 0x80, 0x4b, 3,    0,    0,    0,    /* max_scale 2^24, hysteresis 3 */
        2,    0,    0,    0,    4,    0,    0,    0,    /* misses 2, state bf16        */
    };
    unsigned char bytes[MPX_LOSS_SCALE_BYTES], old[40], older[52];
    mpx_loss_scale s = mpx_loss_scale_dynamic(32768), back;
    size_t i;
    s.counter = 12345, s.resets = -2, s.dialect = MPX_DIALECT_JMP;
    memcpy(old, want, sizeof old); /* version 1: the first ten words, nothing bound */
    old[4] = 1;
    CHECK(mpx_loss_scale_load(old, sizeof old, &back) == MPX_OK && same_bits(s, back),
          "load reads version 1");
    CHECK(mpx_loss_scale_load(want, sizeof old, &back) == MPX_ERR_STATE, "version 3 in 40 bytes");
    memcpy(bytes, want, sizeof bytes);
    for (bytes[4] = 0; bytes[4] < 8; bytes[4]++)
        for (i = 0; i <= sizeof bytes; i++)
            CHECK((mpx_loss_scale_load(bytes, i, &back) == MPX_OK) ==
                      ((bytes[4] == 1 && i == 40) || (bytes[4] == 2 && i == 52) ||
                       (bytes[4] == 3 && i == 56)),
                  "version %d in %lu bytes", bytes[4], (unsigned long)i);
    s.max_scale = 16777216, s.hysteresis = 3, s.misses = 2;
    memcpy(older, want, sizeof older); /* version 2: without the last word */
    older[4] = 2;
    CHECK(mpx_loss_scale_load(older, sizeof older, &back) == MPX_OK && same_bits(s, back),
          "load reads version 2");
    s.state = MPX_BF16;
    mpx_loss_scale_save(s, bytes);
    for (i = 0; i < sizeof want; i++)
        CHECK(bytes[i] == want[i], "byte %lu is %02x, not %02x", (unsigned long)i, bytes[i],
              want[i]);
    CHECK(mpx_loss_scale_load(want, sizeof want, &back) == MPX_OK && same_bits(s, back),
          "load reads it");
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) all_steps = 9;
    test_values();
    test_nan_bits();
    test_leaves();
    test_flag_of_finite_formats();
    test_buffer_dtypes();
    test_noop_tree();
    test_sequences();
    test_bound_sequences();
    test_hysteresis_trace();
    test_odd_bounds();
    test_counters();
    test_odd_numbers();
    test_constants();
    test_defaults();
    test_check();
    test_is_stuck();
    test_axon();
    test_axon_in_place();
    test_ends();
    test_round_trip();
    test_saved_or_refused();
    test_damaged();
    test_recorded_bytes();
    return test_done("test_loss_scale");
}
