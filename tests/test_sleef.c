/* SLEEF both ways. As an oracle: the header's own functions of elements against SLEEF's in double, within the
   bounds that api.h states. And what a build with MPX_USE_SLEEF has of it: log, sin, cos, erf, expm1, their
   derivatives and powers, against libm's double. A dense sample of f32, every bf16 and f16, special values, other
   floating-point modes, sizes and places. With MPX_DISPATCH: each instruction set that runs here.

   test_sleef [--say]   prints the largest errors and the counts of inexact 16-bit results */
#define MPX_COMPUTE 1
#define MPX_USE_SLEEF 1
#include "test.h"
#include "fpmode.h"
#include <math.h>
#include <sleef.h>

#define COUNT(a) (sizeof (a) / sizeof (a)[0])
enum { N = 4096 };
static int say;

/* ---- what is wanted -------------------------------------------------------------------------- */

static double oracle_exp(double x) { return Sleef_exp_u10(x); } /* not with a return type of SLEEF's own */
static double oracle_tanh(double x) { return Sleef_tanh_u10(x); }
static double oracle_sigmoid(double x) {
    const double e = Sleef_exp_u10(-fabs(x));
    return x > 0 ? 1 / (1 + e) : e / (1 + e);
}
static double oracle_silu(double x) { return x * oracle_sigmoid(x); }
static double oracle_gelu(double x) {
    return x * oracle_sigmoid(2 * 0.79788456080286536 * (x + 0.044715 * x * x * x)); /* sqrt(2 / pi) */
}
static double oracle_gelu_erf(double x) { return x * 0.5 * Sleef_erfc_u15(-x * 0.70710678118654752); }
static double log_slope(double x) { return 1 / x; }
static double cos_slope(double x) { return -sin(x); }
static double erf_slope(double x) { return 1.1283791670955126 * exp(-x * x); } /* 2 / sqrt(pi) */

/* ulps: of f32, the bound; most: for gelu from -2 on, for erf from 2^-120 on, where that is less. bf16, f16: how many of all 65,536 results may be the
   other neighbour. slope: the function is the derivative. */
typedef struct function {
    const char *name;
    int act, slope;
    double (*want)(double);
    double ulps, most;
    int bf16, f16;
} function;
static const function functions[] = {
    { "exp", MPX_ACT_EXP, 0, oracle_exp, 1.1, 1.1, 0, 2 },
    { "tanh", MPX_ACT_TANH, 0, oracle_tanh, 1.4, 1.4, 0, 0 },
    { "sigmoid", MPX_ACT_SIGMOID, 0, oracle_sigmoid, 3, 3, 0, 7 },
    { "silu", MPX_ACT_SILU, 0, oracle_silu, 3, 3, 0, 3 },
    { "gelu", MPX_ACT_GELU, 0, oracle_gelu, 300, 7, 0, 3 },
    { "gelu_erf", MPX_ACT_GELU_ERF, 0, oracle_gelu_erf, 7, 7, 0, 5 },
    { "log", MPX_ACT_LOG, 0, log, 1, 1, 0, 1 },
    { "sin", MPX_ACT_SIN, 0, sin, 1, 1, 0, 4 },
    { "cos", MPX_ACT_COS, 0, cos, 1, 1, 0, 2 },
    { "erf", MPX_ACT_ERF, 0, erf, 2.1, 1, 0, 2 },
    { "expm1", MPX_ACT_EXPM1, 0, expm1, 1, 1, 0, 1 },
    { "log'", MPX_ACT_LOG, 1, log_slope, 1, 1, 0, 0 },
    { "sin'", MPX_ACT_SIN, 1, cos, 1, 1, 0, 2 },
    { "cos'", MPX_ACT_COS, 1, cos_slope, 1, 1, 0, 4 },
    { "erf'", MPX_ACT_ERF, 1, erf_slope, 2.5, 2.5, 0, 0 },
    { "expm1'", MPX_ACT_EXPM1, 1, exp, 1.1, 1.1, 0, 2 },
};
static mpx_status run(const function *f, void *y, const void *x, mpx_dtype type, size_t n) {
    static float ones[65536];
    size_t i;
    if (!f->slope) return mpx_activate(y, type, x, type, n, (mpx_activation)f->act);
    for (i = 0; i < n; i++)
        ones[i] = 1;
    return mpx_activate_grad(y, type, ones, MPX_F32, x, type, n, (mpx_activation)f->act);
}
/* In units of the last place of an f32 of the size of `want`; of subnormal ones, 2^-149. Beyond f32: Inf. */
static double ulps_off(float got, double want) {
    int e;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
    if ((double)got == want) return 0;
    if (isinf(got) && fabs(want) > 3.4028235677973362e38 && (got > 0) == (want > 0)) return 0;
    (void)frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, e - 24 < -149 ? -149 : e - 24);
}

/* ---- functions of one element ---------------------------------------------------------------- */

static void check_f32(const function *f) {
    static float x[N], y[N];
    double worst = 0, most = 0, at = 0;
    uint64_t base;
    uint32_t i;
    for (base = 0; base < 0xff800000u; base += N * 1999u) {
        for (i = 0; i < N; i++) {
            const uint32_t u = (uint32_t)(base + i * 1999u + i % 1999u); /* of both signs */
            memcpy(&x[i], &u, 4);
        }
        CHECK(run(f, y, x, MPX_F32, N) == MPX_OK, "status");
        for (i = 0; i < N; i++) {
            const double want = isnan(x[i]) ? (double)x[i] : f->want((double)x[i]),
                         off = isinf(x[i]) && f->act <= MPX_ACT_GELU_ERF ? 0 : ulps_off(y[i], want);
            const int less = f->act == MPX_ACT_GELU ? x[i] < -2 : f->act == MPX_ACT_ERF && fabs(want) < 1 / 1.329227995784916e36;
            if (!less && !(off <= most)) most = off;
            if (!(off <= worst)) worst = off, at = (double)x[i];
        }
    }
    if (say) printf("%s: %.4f ulp at %.9g, elsewhere %.4f\n", f->name, worst, at, most);
    CHECK(worst <= f->ulps && most <= f->most, "%s: %g ulp at %.9g, elsewhere %g", f->name, worst, at, most);
}
/* Every f32 of a stretch where erf' has its largest errors. */
static void check_worst(void) {
    const function erf_grad = { "erf'", MPX_ACT_ERF, 1, erf_slope, 2.5, 2.5, 0, 0 };
    static float x[N], y[N];
    size_t i;
    for (i = 0; i < N; i++)
        x[i] = 8.3083f + (float)i / 1048576;
    CHECK(run(&erf_grad, y, x, MPX_F32, N) == MPX_OK, "status");
    for (i = 0; i < N; i++)
        CHECK(ulps_off(y[i], erf_slope((double)x[i])) <= 2.5, "erf': %g ulp at %.9g", ulps_off(y[i], erf_slope((double)x[i])),
              (double)x[i]);
}
static void check_16(const function *f, mpx_dtype type, int allowed) {
    static uint16_t x[65536], y[65536], want[65536];
    static double x64[65536], want64[65536];
    const uint16_t inf = type == MPX_BF16 ? 0x7f80 : 0x7c00;
    int off = 0;
    size_t i;
    for (i = 0; i < 65536; i++)
        x[i] = (uint16_t)i;
    (void)mpx_cast(x64, MPX_F64, x, type, 65536);
    for (i = 0; i < 65536; i++)
        want64[i] = isnan(x64[i]) ? x64[i] : f->want(x64[i]);
    (void)mpx_cast(want, type, want64, MPX_F64, 65536);
    CHECK(run(f, y, x, type, 65536) == MPX_OK, "status");
    for (i = 0; i < 65536; i++) {
        const int gap = (int)(y[i] & 0x7fff) - (int)(want[i] & 0x7fff);
        if (y[i] == want[i] || ((y[i] & 0x7fff) > inf && (want[i] & 0x7fff) > inf)) continue;
        if (isinf(x64[i]) && f->act <= MPX_ACT_GELU_ERF) continue; /* the oracle has Inf * 0 */
        if ((y[i] & 0x7fff) == 0 && (want[i] & 0x7fff) == 0 && f->act <= MPX_ACT_GELU_ERF) continue;
        off++;
        CHECK(gap >= -1 && gap <= 1 && (y[i] ^ want[i]) < 0x8000, "%s of %04x: %04x, not %04x", f->name, (unsigned)i,
              y[i], want[i]);
    }
    if (say) printf("%s of %s: %d off\n", f->name, mpx_dtype_short_name(type), off);
    CHECK(off <= allowed, "%s of %s: %d are not the nearest", f->name, mpx_dtype_short_name(type), off);
}
/* What C's functions say of values that are not finite, of zeros and of subnormal ones. */
static void check_special(const function *f) {
    static const float x[] = { 0, -0.0f, 1, -1, (float)INFINITY, -(float)INFINITY, (float)NAN, -(float)NAN, 1e-45f,
                               -1e-45f, 1e-40f, -1e-40f, 1.17549435e-38f, 88.8f, -104.5f, 3.4e38f, -3.4e38f };
    float y[COUNT(x)];
    size_t i;
    if (f->act <= MPX_ACT_GELU_ERF) return; /* test_rows does */
    CHECK(run(f, y, x, MPX_F32, COUNT(x)) == MPX_OK, "status");
    for (i = 0; i < COUNT(x); i++) {
        const double want = f->want((double)x[i]);
        CHECK(ulps_off(y[i], want) <= f->ulps, "%s of %g: %g, not %g", f->name, (double)x[i], (double)y[i], want);
        CHECK(isnan(want) || want != 0 || !signbit(y[i]) == !signbit(want), "%s of %g: sign of 0", f->name, (double)x[i]);
    }
}
/* All sizes and places give what one call for all gives, and so do other modes; nothing after is touched. */
static void check_places(const function *f) {
    static float x[1001], y[1001], all[1001];
    static unsigned char raw[4100];
    size_t i, n;
    for (i = 0; i < 1001; i++)
        x[i] = (float)((int)i - 300) / 37;
    (void)run(f, all, x, MPX_F32, 1000);
    for (n = 0; n < 1000; n = n < 40 ? n + 1 : n * 2 + 1) {
        for (i = 0; i < 1001; i++)
            y[i] = 77;
        (void)run(f, y, x, MPX_F32, n);
        CHECK(memcmp(y, all, n * 4) == 0 && y[n] == 77, "%s of %zu", f->name, n);
        memcpy(raw + 1, x, n * 4);
        (void)run(f, raw + 1, raw + 1, MPX_F32, n);
        CHECK(memcmp(raw + 1, all, n * 4) == 0, "%s of %zu, in place, not aligned", f->name, n);
    }
    if (!has_float_lanes()) return;
    for (i = 0; i < FPMODES; i++) {
        if (!fpmode_enter(&fpmodes[i])) continue;
        (void)run(f, y, x, MPX_F32, 1000);
        CHECK(fpmode_holds(&fpmodes[i]), "%s: the mode was changed", fpmodes[i].name);
        fpmode_leave();
        CHECK(memcmp(y, all, 4000) == 0, "%s, %s", f->name, fpmodes[i].name);
    }
}

/* ---- powers ---------------------------------------------------------------------------------- */

static double worst_pow, worst_x, worst_y;
static void check_powers(const float *x, const float *y, size_t n) {
    static float d[N];
    size_t i;
    CHECK(mpx_pow(d, MPX_F32, x, MPX_F32, y, MPX_F32, n) == MPX_OK, "status");
    for (i = 0; i < n; i++) {
        const double off = ulps_off(d[i], pow((double)x[i], (double)y[i]));
        if (!(off <= worst_pow)) worst_pow = off, worst_x = (double)x[i], worst_y = (double)y[i];
    }
}
static uint32_t random32(void) {
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}
static void check_pow_f32(void) {
    static float x[N], y[N];
    uint32_t round, i, u;
    for (round = 0; round < 600; round++) {
        for (i = 0; i < N; i++) {
            const double part = (double)random32() / 4294967296.0 * 320 - 160; /* results from 2^-160 to 2^160 */
            double exponent;
            u = random32();
            if (round % 3 == 1) u = 0x3f800000u + (random32() & 0x3ffffu) - 0x20000u; /* about 1 */
            if (round % 3 == 2) u = (u & 0x807fffffu) | (0x3f000000u + (u >> 24 & 7) * 0x800000u); /* about 1 to 64 */
            memcpy(&x[i], &u, 4);
            exponent = log2(fabs((double)x[i]));
            y[i] = (float)(exponent != 0 && isfinite(exponent) ? part / exponent : part);
            if (u >> 31) y[i] = rintf(y[i]);
        }
        check_powers(x, y, N);
    }
    if (say) printf("pow: %.4f ulp at %.9g, %.9g\n", worst_pow, worst_x, worst_y);
    CHECK(worst_pow <= 1, "pow: %g ulp at %.9g, %.9g", worst_pow, worst_x, worst_y);
}
/* Every value of 16 bits to some powers, each rounded once to the other dtype. */
static void check_pow_16(mpx_dtype type, mpx_dtype to) {
    static const float powers[] = { 0, 1, -1, 2, 0.5f, 3, -2.5f, 0.3333333433f, 17, (float)INFINITY, (float)NAN };
    static uint16_t x[65536], y[65536], want[65536];
    static double x64[65536], want64[65536];
    static float exponents[65536];
    size_t i, k;
    int off = 0;
    for (i = 0; i < 65536; i++)
        x[i] = (uint16_t)i;
    (void)mpx_cast(x64, MPX_F64, x, type, 65536);
    for (k = 0; k < COUNT(powers); k++) {
        for (i = 0; i < 65536; i++) {
            exponents[i] = powers[k];
            want64[i] = pow(x64[i], (double)powers[k]);
        }
        (void)mpx_cast(want, to, want64, MPX_F64, 65536);
        CHECK(mpx_pow(y, to, x, type, exponents, MPX_F32, 65536) == MPX_OK, "status");
        for (i = 0; i < 65536; i++) {
            const int gap = (int)(y[i] & 0x7fff) - (int)(want[i] & 0x7fff);
            if (y[i] == want[i] || (isnan(want64[i]) && (y[i] & 0x7fff) > (to == MPX_BF16 ? 0x7f80 : 0x7c00))) continue;
            off++;
            CHECK(gap >= -1 && gap <= 1 && (y[i] ^ want[i]) < 0x8000, "%04x to the power %g: %04x, not %04x", (unsigned)i,
                  (double)powers[k], y[i], want[i]);
        }
    }
    if (say) printf("pow of %s to %s: %d off\n", mpx_dtype_short_name(type), mpx_dtype_short_name(to), off);
    CHECK(off <= 1, "pow of %s: %d are not the nearest", mpx_dtype_short_name(type), off);
}
static void check_pow_modes(void) {
    enum { MANY = 1000 };
    static float x[MANY], exponents[MANY], want[MANY], got[MANY];
    size_t i;
    for (i = 0; i < MANY; i++)
        x[i] = (float)(i + 1) / 37, exponents[i] = (float)((int)i - 500) / 93;
    (void)mpx_pow(want, MPX_F32, x, MPX_F32, exponents, MPX_F32, MANY);
    for (i = 0; has_float_lanes() && i < COUNT(fpmodes); i++) {
        int holds;
        memset(got, 0, sizeof got);
        if (!fpmode_enter(&fpmodes[i])) continue;
        (void)mpx_pow(got, MPX_F32, x, MPX_F32, exponents, MPX_F32, MANY);
        holds = fpmode_holds(&fpmodes[i]);
        fpmode_leave();
        CHECK(holds && memcmp(got, want, sizeof got) == 0, "pow, %s", fpmodes[i].name);
    }
}
static void check_pow_special(void) {
    static const float at[] = { 0, -0.0f, 1, -1, 0.5f, -0.5f, 2, -2, 3, -3, 1.5f, -2.5f, 1e-45f, -1e-45f, 1e-40f, 3.4e38f,
                                -3.4e38f, 16777215, 16777216, -16777215, (float)INFINITY, -(float)INFINITY, (float)NAN };
    float y[COUNT(at)], x[COUNT(at)];
    size_t i, k;
    for (i = 0; i < COUNT(at); i++) {
        for (k = 0; k < COUNT(at); k++)
            x[k] = at[i];
        (void)mpx_pow(y, MPX_F32, x, MPX_F32, at, MPX_F32, COUNT(at));
        for (k = 0; k < COUNT(at); k++) {
            const double want = pow((double)at[i], (double)at[k]);
            CHECK(ulps_off(y[k], want) <= 1, "%g to the power %g: %g, not %g", (double)at[i], (double)at[k], (double)y[k],
                  want);
            CHECK(isnan(want) || y[k] != 0 || !signbit(y[k]) == !signbit(want), "%g to the power %g: sign of 0",
                  (double)at[i], (double)at[k]);
        }
    }
    CHECK(mpx_pow(y, MPX_F32, at, MPX_F32, at, MPX_I32, 1) == MPX_ERR_DTYPE, "powers of i32");
    CHECK(mpx_pow(y, MPX_F32, at, MPX_F6E2M3FN, at, MPX_F32, 1) == MPX_ERR_DTYPE, "of 6 bits");
    CHECK(mpx_pow(NULL, MPX_F32, NULL, MPX_F32, NULL, MPX_F32, 0) == MPX_OK, "none");
}
static void check_pow_places(void) {
    static float x[1001], y[1001], all[1001], d[1001];
    static uint16_t low[1001], want[1001];
    size_t i, n;
    for (i = 0; i < 1001; i++) {
        x[i] = (float)(i + 1) / 37;
        y[i] = (float)((int)(i * 37 % 101) - 50) / 8;
    }
    (void)mpx_pow(all, MPX_F32, x, MPX_F32, y, MPX_F32, 1000);
    (void)mpx_cast(want, MPX_BF16, all, MPX_F32, 1000);
    for (n = 0; n < 1000; n = n < 40 ? n + 1 : n * 2 + 1) {
        for (i = 0; i < 1001; i++)
            d[i] = 77, low[i] = 0x5a5a;
        (void)mpx_pow(d, MPX_F32, x, MPX_F32, y, MPX_F32, n);
        CHECK(memcmp(d, all, n * 4) == 0 && d[n] == 77, "pow of %zu", n);
        memcpy(d, x, n * 4);
        (void)mpx_pow(d, MPX_F32, d, MPX_F32, y, MPX_F32, n);
        CHECK(memcmp(d, all, n * 4) == 0, "pow in place of x, %zu", n);
        memcpy(d, y, n * 4);
        (void)mpx_pow(d, MPX_F32, x, MPX_F32, d, MPX_F32, n);
        CHECK(memcmp(d, all, n * 4) == 0, "pow in place of y, %zu", n);
        (void)mpx_pow(low, MPX_BF16, x, MPX_F32, y, MPX_F32, n);
        CHECK(memcmp(low, want, n * 2) == 0 && low[n] == 0x5a5a, "pow to bf16, %zu", n);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Of a layer, too: the sums, and then log of them. */
static void check_matvec(void) {
    const float w[4] = { 1, 2, 3, 4 }, x[2] = { 0.5f, 0.25f };
    float y[2];
    mpx_matrix matrix;
    mpx_matvec_options opt;
    memset(&matrix, 0, sizeof matrix);
    memset(&opt, 0, sizeof opt);
    matrix.data = w, matrix.type = MPX_F32, matrix.rows = matrix.cols = 2;
    opt.activation = MPX_ACT_LOG;
    CHECK(mpx_matvec_with(y, MPX_F32, matrix, x, MPX_F32, &opt) == MPX_OK, "status");
    CHECK(y[0] == 0 && ulps_off(y[1], log(2.5)) <= 1, "log of sums: %g, %g", (double)y[0], (double)y[1]);
    CHECK(mpx_activate(y, MPX_F32, x, MPX_F32, 1, (mpx_activation)(MPX_ACT_EXPM1 + 1)) == MPX_ERR_ARGUMENT, "after the last");
    CHECK(mpx_activate_grad(y, MPX_F32, x, MPX_F32, x, MPX_F32, 1, (mpx_activation)(MPX_ACT_EXPM1 + 1)) == MPX_ERR_ARGUMENT,
          "after the last");
}
static void check_all(void) {
    size_t k;
    if (say) printf("%s\n", mpx_isa());
    for (k = 0; k < COUNT(functions); k++) {
        check_f32(&functions[k]);
        check_16(&functions[k], MPX_BF16, functions[k].bf16);
        check_16(&functions[k], MPX_F16, functions[k].f16);
        check_special(&functions[k]);
        check_places(&functions[k]);
    }
    check_worst();
    check_pow_f32();
    check_pow_16(MPX_BF16, MPX_F16);
    check_pow_16(MPX_F16, MPX_BF16);
    check_pow_special();
    check_pow_modes();
    check_pow_places();
    check_matvec();
}

int main(int argc, char **argv) {
    say = argc > 1 && strcmp(argv[1], "--say") == 0;
#if MPX_DISPATCH
    {
        static const char *const isas[] = { "sse2", "avx2", "avx512" };
        size_t i;
        for (i = 0; i < COUNT(isas); i++)
            if (mpx_isa_set(isas[i]) == MPX_OK) check_all();
    }
#else
    check_all();
#endif
    return test_done("test_sleef");
}
