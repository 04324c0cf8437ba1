/* Casts, vertices, scaling, quantization, the checks for Inf and NaN, and with MPX_KEEP_FLAGS compute
   raise no floating-point flag, whatever the data:
   none stands after any of them, and with every exception unmasked (x86) none traps; but for what
   config.h says of MPX_KEEP_FLAGS, which is compiled in here as it is in the library. Data: every
   rounding class, so inexact, overflowing, underflowing, subnormal, Inf, quiet and signalling NaN.
   Statistics are left out: they compute in double, and say so. */
#ifdef __wasm__ /* its machine has no flags and no signals */
#include <stdio.h>
int main(void) {
    printf("SKIP test_flags: WebAssembly has no floating-point flags\n");
    return 77;
}
#else
#define MPX_COMPUTE 1
#include "pairs.h"
#include "fpmode.h"
#if defined(FE_INEXACT) /* the flags are those that the machine has */
#include <math.h>
#include <signal.h>

enum { MASKS = FLUSH_IS_MXCSR ? 0x1f80 : 0 };
enum { SHORT = 19, SCALED = 3000 };

/* Set: exceptions trap, so that there is no need to look. */
static int traps;
static const char *now = "start";

static const char *name_of(mpx_dtype type) { return ref_formats[type].name; }

static void on_trap(int number) {
    (void)number;
    printf("%s->%s %s: SIGFPE with exceptions unmasked\n", name_of(pair_src), name_of(pair_dst),
           now);
    fflush(stdout);
    _Exit(1);
}

static void flags_clear(void) {
    feclearexcept(FE_ALL_EXCEPT);
    flags_zero();
}

/* fenv.h's flags, and those that it does not know. */
static unsigned flags_get(void) {
    return (unsigned)fetestexcept(FE_ALL_EXCEPT) | flags_word();
}

/* Whether the pair is cast, or scaled, by one float operation per element, whose flags may then be
   those of C's own. */
static int may_raise(int scaling) {
#if MPX_KEEP_FLAGS
    (void)scaling;
    return 0;
#else
    int avx2 = strcmp(mpx_isa(), "avx2") == 0;
    if (!avx2 && strcmp(mpx_isa(), "sse2") != 0) return 0;
    if (scaling) return pair_dst <= MPX_F32 && pair_src <= MPX_F32; /* these two and f64 */
    if (avx2 && (pair_src == MPX_F16 || pair_dst == MPX_F16)) return 1; /* F16C */
    if (pair_dst == MPX_F64) /* by way of f32, or from 64 bits */
        return pair_src < MPX_I32 || pair_src == MPX_I64 || pair_src == MPX_U64;
    return pair_dst == MPX_F32 && (pair_src == MPX_F64 || (pair_src >= MPX_I32 && pair_src <= MPX_U64));
#endif
}

static void check_flags(size_t n) {
    unsigned flags;
    test_checks++;
    if (traps) return;
    flags = flags_get();
    if (flags == 0) return;
    test_fail(__FILE__, __LINE__, "%s->%s %s n=%lu [%s]: flags 0x%x", name_of(pair_src),
              name_of(pair_dst), now, (unsigned long)n, mpx_isa(), flags);
    flags_clear();
}

static void check_casts(void) {
    int option;
    size_t n;
    for (option = 0; option < OPTIONS; option++) {
        now = option_names[option];
        pair_cast(option, pair_count);
        check_flags(pair_count);
        for (n = 1; n <= SHORT && n <= pair_count; n += 3) {
            pair_cast(option, n); /* what a rest is filled up with */
            check_flags(n);
        }
    }
}

/* The x87 raises its flag for subnormal operands, which fenv.h does not know, where a subnormal
   factor is passed by value: here, not in the header. */
static void forget_factor(uint32_t factor) {
#ifdef NARROW_IS_X87
    if (factor >> 23 == 0 && flags_get() == 2) flags_clear();
#else
    (void)factor;
#endif
}

/* Some of the inputs, from all over them, by powers of two and others. */
static void check_scaling(void) {
    static const uint32_t factors[] = { 0x44800000u, 0x00400000u, 0x40400000u, 0x7f7fffffu };
    static unsigned char from[SCALED * 8];
    size_t step = pair_count / SCALED + 1, n = 0, i;
    int finite;
    float amax;
    for (i = 0; i < pair_count; i += step)
        ref_store(pair_src, from, n++, pair_codes[i]);
    for (i = 0; i < sizeof factors / sizeof factors[0] && !may_raise(1); i++) {
        now = "scale";
        (void)mpx_scale(pair_to, pair_dst, from, pair_src, n, ref_float(factors[i]));
        forget_factor(factors[i]);
        check_flags(n);
        now = "unscale";
        (void)mpx_unscale(pair_to, pair_dst, from, pair_src, n, ref_float(factors[i]), &finite);
        forget_factor(factors[i]);
        check_flags(n);
    }
    now = "finite";
    (void)mpx_all_finite(from, pair_src, n);
    for (i = 0; i < n; i++) { /* they stop at the first that tells */
        const unsigned char *one = from + i * (size_t)ref_formats[pair_src].bits / 8;
        (void)mpx_all_finite(one, pair_src, 1);
        (void)mpx_any_infinite(one, pair_src, 1);
        (void)mpx_amax(one, pair_src, 1, &amax); /* a subnormal alone */
    }
    (void)mpx_amax(from, pair_src, n, &amax);
    check_flags(n);
}

/* What may raise flags raises these two alone where C's own operation raises none: at ones. And "underflow" where
   subnormals become zero, which is found out by one. */
static void check_ones(void) {
    enum { N = 256, INEXACT_OR_DENORMAL = FLUSH_IS_MXCSR ? 0x22 : 0, UNDERFLOW = FLUSH_IS_MXCSR ? 0x10 : 0 };
    const ref_real one = ref_make(REF_FINITE, 0, 1, 0);
    const uint64_t before = control_get();
    unsigned char from[N * 8], to[N * 8];
    size_t i;
    int flush;
    for (i = 0; i < N; i++)
        ref_store(pair_src, from, i, ref_encode(pair_src, &one));
    for (flush = 0; flush < 2; flush++) {
        const unsigned may = (unsigned)INEXACT_OR_DENORMAL | (unsigned)(flush ? UNDERFLOW : 0);
        if (flush && FLUSH_IS_MXCSR) control_set(before | FLUSH_BOTH);
        flags_clear();
        (void)mpx_cast(to, pair_dst, from, pair_src, N);
        if (ref_is_float(pair_src)) (void)mpx_scale(to, pair_dst, from, pair_src, N, 2);
        CHECK((flags_get() & ~may) == 0, "%s->%s of ones [%s], flush %d: flags 0x%x", name_of(pair_src),
              name_of(pair_dst), mpx_isa(), flush, flags_get());
        flags_clear();
        if (flush && FLUSH_IS_MXCSR) control_set(before & ~(uint64_t)0x3f);
    }
}

/* Integers to f32 and f64, where these may raise: "inexact" and "denormal" alone. Among ones, those whose bits, or sums
   with a power of two, are an f64's that is a signalling NaN, Inf or large. */
static void check_integers(void) {
    enum { N = 150 };
    static const uint64_t values[] = {
        0x7ff4000000000001u, 0x7fec000000000001u, 0x7fe8000000000001u, 0xfff4000000000001u,
        0xffec000000000001u, 0x7ff0000000000000u, 0x7fe8000000000000u, 0x7000000000000000u,
        0x47f0000000000000u, 0x7fffffffffffffffu, 0xffffffffffffffffu, 0x0010000000000001u,
        0x17979cfe362a0000u, 0x3cbc000000000001u, 0x97bc000000000001u, 0xbcc4000000000001u
    };
    unsigned char from[N * 8], to[N * 8];
    size_t i, k;
    for (k = 0; k < sizeof values / sizeof values[0] * 3; k++) {
        for (i = 0; i < N; i++)
            ref_store(pair_src, from, i, i == k * 7 % 64 ? values[k / 3] : 1);
        flags_clear();
        (void)mpx_cast(to, pair_dst, from, pair_src, N);
        CHECK((flags_get() & ~(FLUSH_IS_MXCSR ? 0x22u : 0u)) == 0, "%s->%s of 0x%lx [%s]: flags 0x%x",
              name_of(pair_src), name_of(pair_dst), (unsigned long)values[k / 3], mpx_isa(), flags_get());
        flags_clear();
    }
}

/* Below main on the stack: codes that no float holds exactly, where a function does not set its own. */
static void soil_stack(void) {
    volatile uint32_t codes[4096];
    size_t i;
    for (i = 0; i < 4096; i++)
        codes[i] = 0x7fffffffu;
    (void)codes[0];
}
/* Formats but PLAIN. Most counts leave a part of a vector. */
static void test_vertices(void) {
    static unsigned char packed[64 * 16];
    static float floats[64 * 4];
    mpx_attribute a = { MPX_VERTEX_PLAIN, MPX_NONE, 3, 0, 0 };
    size_t n, i;
    int format;
    now = "vertices";
    for (format = MPX_VERTEX_UNORM8; format <= MPX_VERTEX_RGB9E5; format++)
        for (n = 1; n <= 64; n += 9) {
            a.format = (mpx_vertex_format)format;
            for (i = 0; i < sizeof packed; i++)
                packed[i] = (unsigned char)(i * 0x9d ^ i >> 3);
            soil_stack();
            (void)mpx_vertices_unpack(floats, 16, packed, 16, n, &a, 1);
            soil_stack();
            (void)mpx_vertices_pack(packed, 16, floats, 16, n, &a, 1);
            check_flags(n);
        }
}

/* Every format, of numbers near 1, of every exponent, subnormal, and Inf and NaN among others. Where
   mpx_quantize refuses, any bytes are dequantized. */
static void test_quant(void) {
    enum { ROWS = 2, COLS = 256, N = ROWS * COLS, REFUSED = 4 }; /* the last four */
    static const char *const formats[] = {
        "int8", "int8/channel", "int8/zero", "int8/linear", "int4/128", "int4", "int2", "uint8", "uint4",
        "uint2", "float8", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxfp4/rceil",
        "mxfp4/ceil", "mxfp4/even", "mxint8", "nvfp4", "nvfp4/single", "q4_0", "q4_1", "q5_0", "q5_1",
        "q8_0", "ggml_mxfp4", "q4_k", "q5_k", "q6_k", "ggml_nvfp4",
    };
    static float x[N], y[N];
    static unsigned char codes[8 * N];
    mpx_quant q;
    mpx_status status;
    size_t k;
    uint32_t i, kind;
    for (k = 0; k < sizeof formats / sizeof formats[0]; k++)
        for (kind = 0; kind < 4; kind++) {
            now = formats[k];
            for (i = 0; i < N; i++) {
                uint32_t u = (i + (uint32_t)k * N + 1) * 0x9e3779b1u;
                u ^= u >> 15;
                x[i] = ref_float(kind == 0   ? (u & 0x80ffffffu) | 0x3f000000u
                                 : kind == 1 ? (u & 0x807fffffu) | (i % 250 + 1) << 23
                                 : kind == 2 ? u & 0x807fffffu
                                             : u);
            }
            for (i = 0; i < sizeof codes; i++)
                codes[i] = (unsigned char)((i + kind) * 0x9e3779b1u >> 21);
            CHECK(mpx_quant_parse(formats[k], &q, NULL) == MPX_OK && mpx_quant_bytes(q, ROWS, COLS) <= sizeof codes,
                  "%s", formats[k]);
            flags_clear();
            status = mpx_quantize(codes, q, x, MPX_F32, ROWS, COLS);
            check_flags(kind);
            CHECK(status == (k + REFUSED < sizeof formats / sizeof formats[0] ? MPX_OK : MPX_ERR_UNSUPPORTED),
                  "%s: %d", formats[k], (int)status);
            status = mpx_dequantize(y, MPX_F32, codes, q, ROWS, COLS);
            check_flags(kind);
            CHECK(status == MPX_OK, "%s: %d", formats[k], (int)status);
            status = mpx_dequantize(y, MPX_BF16, codes, q, ROWS, COLS);
            check_flags(kind);
            CHECK(status == MPX_OK, "%s: %d", formats[k], (int)status);
        }
}

/* Compute on vectors, with MPX_KEEP_FLAGS: inexact, overflowing, underflowing, subnormal, Inf and NaN. */
static void test_compute(void) {
#if MPX_KEEP_FLAGS
    static const float x[] = { 1e30f, 3e-39f, 1e-45f, 0.1f, -200, 100, (float)INFINITY, (float)NAN };
    enum { N = sizeof x / sizeof x[0] };
    float y[N];
    size_t i, n;
    int act;
    if (!has_float_lanes()) return;
    now = "compute";
    for (i = 0; i < N; i++)
        for (n = 1; i + n <= N; n++) {
            (void)mpx_dot(x + i, MPX_F32, x, MPX_F32, n);
            check_flags(n);
            (void)mpx_softmax(y, MPX_F32, x + i, MPX_F32, 1, n);
            check_flags(n);
            for (act = MPX_ACT_RELU; act <= MPX_ACT_GELU_ERF; act++) {
                (void)mpx_activate(y, MPX_F32, x + i, MPX_F32, n, (mpx_activation)act);
                check_flags(n);
            }
        }
#endif
}

/* Weights that become wider: no value is looked at, and none overflows. */
static void test_weights(void) {
#if !MPX_NO_WEIGHTS
    static float ones[3] = { 1, 1, 1 };
    static double block[512];
    mpx_leaf leaf;
    mpx_weights_options opt;
    mpx_weights out;
    mpx_error err;
    int saturate;
#ifdef NARROW_IS_X87 /* statistics load the least f64 */
    const unsigned may = 0x2;
#else
    const unsigned may = FLUSH_IS_MXCSR ? 0x22 : 0;
#endif
    for (saturate = 0; saturate < 2; saturate++) {
        memset(&opt, 0, sizeof opt);
        opt.block = block;
        opt.size = sizeof block;
        opt.saturate = saturate;
        leaf = mpx_leaf_of("ones", ones, 3, MPX_F32);
        flags_clear();
        CHECK(mpx_weights_cast(&out, mpx_tree_of_leaves(&leaf, 1), "f64", &opt, &err) == MPX_OK, "space %lu",
              (unsigned long)err.need);
        CHECK((flags_get() & ~may) == 0, "weights to f64, saturate %d: flags 0x%x", saturate,
              flags_get());
        flags_clear();
    }
#endif
}

static void test_pairs(void) {
    mpx_dtype dst, src;
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            pair_set(dst, src, 5);
            if (!may_raise(0)) check_casts();
            if (!traps && (may_raise(0) || may_raise(1))) check_ones();
            if (!traps && dst <= MPX_F32 && src >= MPX_I32 && may_raise(0)) check_integers();
            if (ref_is_float(dst) && ref_is_float(src)) check_scaling();
        }
}

/* A flag that is raised is seen. */
static void test_the_test(void) {
    volatile float one = 1, three = 3, third;
    flags_clear();
    third = one / three;
    (void)third;
    CHECK(flags_get() != 0, "1 / 3 raises no flag here: this test sees nothing");
    flags_clear();
}

static void test_unmasked(void) {
    uint64_t before = control_get();
    if (MASKS == 0) {
        printf("SKIP traps: not known how to unmask exceptions here\n");
        return;
    }
    signal(SIGFPE, on_trap);
    traps = 1;
    flags_zero();
    control_set(control_get() & ~(uint64_t)MASKS);
    test_pairs();
    test_vertices();
    test_quant();
    test_compute();
    CHECK((control_get() & MASKS) == 0 && flags_word() == 0, "the control word was changed: 0x%lx",
          (unsigned long)control_get());
    control_set(before);
    traps = 0;
}

int main(void) {
    test_the_test();
    test_pairs();
    test_vertices();
    test_quant();
    test_compute();
    test_weights();
    test_unmasked();
    return test_done("test_flags");
}
#else
int main(void) {
    printf("SKIP floating-point flags: this machine has none\n");
    return 77;
}
#endif /* FE_INEXACT */
#endif /* not WebAssembly */
