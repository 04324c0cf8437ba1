/* Functions of elements and rows against libm's double: a dense sample of f32, every bf16 and f16,
   special values, sizes around blocks, places that are not aligned.

   test_rows [--say | --quick]   prints the largest errors and the counts of inexact 16-bit results;
                                 a fourth of the f32 */
#define MPX_COMPUTE 1
#include "test.h"
#include "fpmode.h"
#include <float.h>
#include <math.h>

static int say;
static uint32_t every = 1; /* of the stretches of f32 */
#define COUNT(a) (sizeof (a) / sizeof (a)[0])

static double want_of(int act, double x) {
    switch (act) {
    case MPX_ACT_RELU: return x > 0 ? x : x <= 0 ? 0 : x;
    case MPX_ACT_EXP: return exp(x);
    case MPX_ACT_TANH: return tanh(x);
    case MPX_ACT_SIGMOID: return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
    case MPX_ACT_SILU: return x < -1000 ? 0 : x > 0 ? x / (1 + exp(-x)) : x * exp(x) / (1 + exp(x));
    case MPX_ACT_GELU: {
        const double u = 2 * sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
        return x < -1000 ? 0 : x > 0 ? x / (1 + exp(-u)) : x * exp(u) / (1 + exp(u));
    }
    case MPX_ACT_GELU_ERF: return x < -1000 ? 0 : x * 0.5 * erfc(-x / sqrt(2));
    default: return x;
    }
}
static double slope_of(int act, double x) {
    const double e = exp(-fabs(x)), root = sqrt(2 / 3.14159265358979323846);
    switch (act) {
    case MPX_ACT_RELU: return x > 0 ? 1 : 0;
    case MPX_ACT_EXP: return exp(x);
    case MPX_ACT_TANH: return 4 * exp(-2 * fabs(x)) / pow(1 + exp(-2 * fabs(x)), 2);
    case MPX_ACT_SIGMOID: return e / ((1 + e) * (1 + e));
    case MPX_ACT_SILU:
        return fabs(x) > 1000 ? x > 0 : x > 0 ? (1 + x * e / (1 + e)) / (1 + e) : e / (1 + e) * (1 + x / (1 + e));
    case MPX_ACT_GELU: {
        const double z = 2 * root * (x + 0.044715 * x * x * x), w = 2 * root * (x + 3 * 0.044715 * x * x * x),
                     f = exp(-fabs(z));
        return fabs(x) > 1000 ? x > 0 : x > 0 ? (1 + w * f / (1 + f)) / (1 + f) : f / (1 + f) * (1 + w / (1 + f));
    }
    case MPX_ACT_GELU_ERF: return fabs(x) > 1000 ? x > 0 : 0.5 * erfc(-x / sqrt(2)) + x * exp(-x * x / 2) * root / 2;
    default: return 1;
    }
}
static int grads; /* derivatives are checked, with dy = 1 */
static double want_now(int act, double x) { return grads ? slope_of(act, x) : want_of(act, x); }
static mpx_status run_act(void *y, mpx_dtype to, const void *x, mpx_dtype from, size_t n, int act) {
    static float ones[65536];
    size_t i;
    if (!grads) return mpx_activate(y, to, x, from, n, (mpx_activation)act);
    for (i = 0; i < 65536; i++)
        ones[i] = 1;
    return mpx_activate_grad(y, to, ones, MPX_F32, x, from, n, (mpx_activation)act);
}
/* Bounds: ulp of f32, and how many of 65,536 bf16 and f16 results may be the other neighbour. Then
   of derivatives: ulp of f32 and, where they pass through 0 below it, 2^-24. */
static const struct { int act; const char *name; double ulps; int bf16, f16; double slope; int slope_bf16, slope_f16; }
acts[] = {
    { MPX_ACT_NONE, "none", 0, 0, 0, 0, 0, 0 },
    { MPX_ACT_RELU, "relu", 0, 0, 0, 0, 0, 0 },
    { MPX_ACT_EXP, "exp", 1.1, 0, 2, 1.1, 0, 2 },
    { MPX_ACT_TANH, "tanh", 1.4, 0, 0, 5, 0, 10 },
    { MPX_ACT_SIGMOID, "sigmoid", 3, 0, 7, 5, 0, 10 },
    { MPX_ACT_SILU, "silu", 3, 0, 2, 4, 1, 13 },
    { MPX_ACT_GELU, "gelu", 300, 0, 4, 4, 1, 6 },
    { MPX_ACT_GELU_ERF, "gelu_erf", 7, 0, 5, 4, 0, 7 },
};
/* In units of the last place of an f32 of the size of `want`; of subnormal ones, 2^-149. */
static double ulps_off(float got, double want) {
    int e;
    if (isinf(got) && fabs(want) > 3.4028235677973362e38) return 0;
    (void)frexp(want, &e);
    return fabs((double)got - want) / ldexp(1, e - 24 < -149 ? -149 : e - 24);
}
static void check_f32(size_t k) {
    enum { N = 4096 };
    static float x[N], y[N];
    double worst = 0, at = 0, most = 0;
    uint32_t base = 0, i;
    for (base = (uint32_t)k % every * N * 331; base < 0x7f800000u; base += N * 331 * every) {
        for (i = 0; i < N; i++) {
            uint32_t u = base + i / 2 * 662 + (i * 7919u) % 331;
            if (u > 0x7f7fffffu) u = 0x7f7fffffu;
            u |= (i & 1) << 31;
            memcpy(&x[i], &u, 4);
        }
        CHECK(run_act(y, MPX_F32, x, MPX_F32, N, acts[k].act) == MPX_OK, "status");
        for (i = 0; i < N; i++) {
            const double want = want_now(acts[k].act, (double)x[i]);
            double off = ulps_off(y[i], want);
            if (grads && acts[k].act >= MPX_ACT_SILU && fabs(want) < 0.5)
                off = fabs((double)y[i] - want) * 16777216;
            if (!grads && acts[k].act == MPX_ACT_GELU && x[i] >= -2 && !(off <= most)) most = off;
            if (grads && acts[k].act >= MPX_ACT_SILU && fabs(want) >= 0.5 && !(off <= most)) most = off;
            if (!(off <= worst)) {
                worst = off;
                at = (double)x[i];
            }
        }
    }
    if (say) printf("%s%s: %.3f ulp at %.9g, elsewhere %.3f\n", acts[k].name, grads ? "'" : "", worst, at, most);
    CHECK(most <= (grads ? 4 : 7), "%s: %g ulp", acts[k].name, most);
    CHECK(worst <= (grads ? acts[k].slope : acts[k].ulps), "%s: %g ulp at %.9g", acts[k].name, worst, at);
}
/* Every f32 of the stretches where gelu_erf has its largest errors, and where silu is about to become 0. */
static void check_worst(void) {
    static const float starts[] = { -0.003916f, 0.01497f, -0.06356f, -0.3142f, -1.836f, -2.497f, -104.3f, -108.7f };
    enum { N = 8192 };
    static float x[N], y[N];
    size_t i, k;
    for (k = 0; k < COUNT(starts); k++) {
        const mpx_activation act = starts[k] < -100 ? MPX_ACT_SILU : MPX_ACT_GELU_ERF;
        for (i = 0; i < N; i++) {
            uint32_t u;
            memcpy(&u, &starts[k], 4);
            u += (uint32_t)i;
            memcpy(&x[i], &u, 4);
        }
        CHECK(mpx_activate(y, MPX_F32, x, MPX_F32, N, act) == MPX_OK, "status");
        for (i = 0; i < N; i++)
            CHECK(ulps_off(y[i], want_of(act, (double)x[i])) <= 7, "activation %d: %g ulp at %.9g", act,
                  ulps_off(y[i], want_of(act, (double)x[i])), (double)x[i]);
    }
}
static void check_16(size_t k, mpx_dtype type, int allowed) {
    static uint16_t x[65536], y[65536], want[65536];
    static double x64[65536], want64[65536];
    int off = 0;
    size_t i;
    for (i = 0; i < 65536; i++)
        x[i] = (uint16_t)i;
    (void)mpx_cast(x64, MPX_F64, x, type, 65536);
    for (i = 0; i < 65536; i++)
        want64[i] = isnan(x64[i]) ? x64[i] : want_now(acts[k].act, x64[i]);
    (void)mpx_cast(want, type, want64, MPX_F64, 65536);
    CHECK(run_act(y, type, x, type, 65536, acts[k].act) == MPX_OK, "status");
    for (i = 0; i < 65536; i++) {
        const int gap = (int)(y[i] & 0x7fff) - (int)(want[i] & 0x7fff);
        int nan, zero;
        nan = (y[i] & 0x7fff) > (type == MPX_BF16 ? 0x7f80 : 0x7c00);
        zero = (y[i] & 0x7fff) == 0 && (want[i] & 0x7fff) == 0;
        CHECK(nan == (isnan(x64[i]) != 0 && (!grads || k != 0)), "%s of %04x: %04x", acts[k].name, (unsigned)i, y[i]);
        if (nan || zero || isnan(x64[i]) || y[i] == want[i]) continue;
        off++;
        CHECK(gap >= -1 && gap <= 1 && (y[i] ^ want[i]) < 0x8000, "%s of %04x: %04x, not %04x", acts[k].name,
              (unsigned)i, y[i], want[i]);
    }
    if (say) printf("%s%s of %s: %d off\n", acts[k].name, grads ? "'" : "", mpx_dtype_short_name(type), off);
    CHECK(off <= allowed, "%s of %s: %d are not the nearest", acts[k].name, mpx_dtype_short_name(type), off);
}
/* All sizes and places give what one call for all gives; nothing after is touched. */
static void check_places(size_t k) {
    static const size_t sizes[] = { 0, 1, 7, 15, 16, 17, 33, 255, 256, 257, 1000 };
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    static unsigned char s[8100], d[8100], all[8100];
    static float x[1000], y[1000];
    size_t i, t, from;
    for (i = 0; i < 1000; i++)
        x[i] = (float)((int)i - 500) / 37;
    for (from = 0; from < COUNT(types); from++) {
        (void)mpx_cast(s + 1, types[from], x, MPX_F32, 1000);
        (void)mpx_cast(y, MPX_F32, s + 1, types[from], 1000);
        for (i = 0; i < 1000; i++) /* one by one */
            (void)mpx_activate(&y[i], MPX_F32, &y[i], MPX_F32, 1, (mpx_activation)acts[k].act);
        for (t = 0; t < COUNT(types); t++) {
            (void)mpx_cast(all, types[t], y, MPX_F32, 1000);
            for (i = 0; i < COUNT(sizes); i++) {
                const size_t bytes = mpx_dtype_bytes(types[t], sizes[i]);
                memset(d, 0x5a, sizeof d);
                (void)mpx_activate(d + 3, types[t], s + 1, types[from], sizes[i], (mpx_activation)acts[k].act);
                CHECK(memcmp(d + 3, all, bytes) == 0 && d[3 + bytes] == 0x5a && d[2] == 0x5a,
                      "%s: %zu of %s to %s", acts[k].name, sizes[i], mpx_dtype_short_name(types[from]),
                      mpx_dtype_short_name(types[t]));
            }
        }
        memcpy(d, s + 1, sizeof s - 1);
        (void)mpx_activate(d, types[from], d, types[from], 1000, (mpx_activation)acts[k].act);
        (void)mpx_cast(all, types[from], y, MPX_F32, 1000);
        CHECK(memcmp(d, all, mpx_dtype_bytes(types[from], 1000)) == 0, "%s: in place", acts[k].name);
    }
}
static void check_limits(void) {
    const float inf = (float)INFINITY;
    float y[2], x[2];
    size_t k;
    x[0] = inf, x[1] = -inf;
    for (k = 2; k < COUNT(acts); k++) {
        (void)mpx_activate(y, MPX_F32, x, MPX_F32, 2, (mpx_activation)acts[k].act);
        CHECK(y[0] == (acts[k].act == MPX_ACT_TANH || acts[k].act == MPX_ACT_SIGMOID ? 1 : inf) &&
                  y[1] == (acts[k].act == MPX_ACT_TANH ? -1 : 0),
              "%s at Inf: %g, at -Inf: %g", acts[k].name, (double)y[0], (double)y[1]);
    }
    CHECK(mpx_activate(y, MPX_I8, x, MPX_F32, 1, MPX_ACT_EXP) == MPX_ERR_DTYPE, "to i8");
    CHECK(mpx_activate(y, MPX_F32, x, MPX_F4E2M1FN, 1, MPX_ACT_EXP) == MPX_ERR_DTYPE, "of 4 bits");
    CHECK(mpx_activate(y, MPX_F32, x, MPX_F32, 1, (mpx_activation)99) == MPX_ERR_ARGUMENT, "no activation");
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SOFTMAX, LOG_SOFTMAX, LAYER_NORM, RMS_NORM };
static const char *const row_names[] = { "softmax", "log_softmax", "layer_norm", "rms_norm" };
static mpx_status run_rows(int what, void *d, mpx_dtype to, const void *s, mpx_dtype from, size_t rows,
                           size_t cols, const mpx_norm_options *opt) {
    return what == SOFTMAX       ? mpx_softmax(d, to, s, from, rows, cols)
           : what == LOG_SOFTMAX ? mpx_log_softmax(d, to, s, from, rows, cols)
           : what == LAYER_NORM  ? mpx_layer_norm(d, to, s, from, rows, cols, opt)
                                 : mpx_rms_norm(d, to, s, from, rows, cols, opt);
}
/* size: what errors are relative to: terms that are subtracted. */
static void want_row(int what, double *y, double *size, const float *x, size_t n, const float *w, const float *b,
                     double eps) {
    double largest = -(double)INFINITY, sum = 0, mean = 0, usual = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        largest = (double)x[i] > largest ? (double)x[i] : largest;
        mean += (double)x[i] / (double)n;
        usual += fabs((double)x[i]) / (double)n;
    }
    if (what == RMS_NORM) mean = usual = 0;
    for (i = 0; i < n; i++)
        sum += what <= LOG_SOFTMAX ? exp((double)x[i] - largest)
                                   : ((double)x[i] - mean) * ((double)x[i] - mean) / (double)n;
    for (i = 0; i < n; i++) {
        const double c = (double)x[i] - mean;
        size[i] = what == SOFTMAX       ? exp((double)x[i] - largest) / sum * (1 + (largest - (double)x[i]) / 4)
                  : what == LOG_SOFTMAX ? 1 + largest - (double)x[i] + log(sum)
                                        : (fabs((double)x[i]) + usual) / sqrt(sum + eps) *
                                                  (w ? fabs((double)w[i]) : 1) + (b ? fabs((double)b[i]) : 0);
        y[i] = what == SOFTMAX       ? exp((double)x[i] - largest) / sum
               : what == LOG_SOFTMAX ? (double)x[i] - largest - log(sum)
                                     : c / sqrt(sum + eps) * (w ? (double)w[i] : 1) + (b ? (double)b[i] : 0);
    }
}
static double worst_row[4];
static void check_rows_of(int what, size_t cols, int with, mpx_dtype type) {
    enum { ROWS = 3, MOST = 3000 };
    static float x[ROWS * MOST], w[MOST], b[MOST], y[ROWS * MOST];
    static unsigned char s[ROWS * MOST * 8 + 9], d[ROWS * MOST * 8 + 9], want16[ROWS * MOST * 8];
    static double want[MOST], size[MOST];
    static uint16_t b16[MOST];
    const size_t n = ROWS * cols, bytes = mpx_dtype_bytes(type, n);
    mpx_norm_options opt;
    size_t i, r;
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < n; i++)
        x[i] = (float)((int)(i * 7919u % 2001u) - 1000) / 97 + (float)(i / (cols + 1));
    for (i = 0; i < cols; i++) {
        w[i] = (float)((int)(i % 17) - 8) / 5;
        b[i] = (float)((int)(i % 23) - 11) / 7;
    }
    opt.type = MPX_F32;
    opt.weight = with == 1 || with == 2 ? w : NULL;
    opt.bias = with >= 2 ? b : NULL;
    opt.eps = with ? 0.25f : 0;
    if (with == 3) { /* a bias alone, in half the bits */
        opt.type = MPX_F16;
        opt.bias = b16;
        (void)mpx_cast(b16, MPX_F16, b, MPX_F32, cols);
        (void)mpx_cast(b, MPX_F32, b16, MPX_F16, cols);
    }
    (void)mpx_cast(s + 1, type, x, MPX_F32, n);
    (void)mpx_cast(x, MPX_F32, s + 1, type, n);
    CHECK(run_rows(what, y, MPX_F32, s + 1, type, ROWS, cols, &opt) == MPX_OK, "status");
    for (r = 0; r < ROWS; r++) {
        want_row(what, want, size, x + r * cols, cols, opt.weight ? w : NULL, opt.bias ? b : NULL,
                 with ? 0.25 : (double)1e-5f);
        for (i = 0; i < cols; i++) {
            const double gap = fabs((double)y[r * cols + i] - want[i]),
                         off = gap == 0 ? 0 : gap / size[i] * 16777216;
            if (!(off <= worst_row[what])) worst_row[what] = off;
            CHECK(off <= (has_float_lanes() ? 6 : 12), "%s, %zu columns, %s: %.9g, not %.9g", row_names[what], cols,
                  mpx_dtype_short_name(type), (double)y[r * cols + i], want[i]);
        }
    }
    (void)mpx_cast(want16, type, y, MPX_F32, n);
    memset(d, 0x5a, sizeof d);
    (void)run_rows(what, d + 3, type, s + 1, type, ROWS, cols, &opt);
    CHECK(memcmp(d + 3, want16, bytes) == 0 && d[2] == 0x5a && d[3 + bytes] == 0x5a, "%s to %s, %zu",
          row_names[what], mpx_dtype_short_name(type), cols);
    (void)run_rows(what, s + 1, type, s + 1, type, ROWS, cols, &opt);
    CHECK(memcmp(s + 1, want16, bytes) == 0, "%s in place, %s, %zu", row_names[what],
          mpx_dtype_short_name(type), cols);
}
/* Few large terms, then terms that a sum of f32 loses one by one. */
static void check_lost_terms(void) {
    static const int larges[] = { 1, 2, 8 };
    static float x[496], y[496], dy[496];
    static double want[496], size[496];
    int what, large, i;
    size_t k;
    for (what = 0; what < 4; what++)
        for (k = 0; k < 6; k++) {
            const int n = k < 3 ? 496 : 240;
            double sum = 0;
            large = larges[k % 3];
            for (i = 0; i < n; i++) {
                x[i] = what == SOFTMAX || what == LOG_SOFTMAX ? (i < large ? 0 : -16.64f) : i < large ? 1 : 1 / 4096.0f;
                dy[i] = i < large ? 1 : 5.9e-8f;
                sum += (double)dy[i];
            }
            (void)run_rows(what, y, MPX_F32, x, MPX_F32, 1, (size_t)n, NULL);
            want_row(what, want, size, x, (size_t)n, NULL, NULL, (double)1e-5f);
            for (i = 0; i < n; i++)
                CHECK(fabs((double)y[i] - want[i]) <= size[i] * (has_float_lanes() ? 6 : 12) / 16777216,
                      "%s, %d large of %d: %.9g, not %.9g", row_names[what], large, n, (double)y[i], want[i]);
            for (i = 0; i < n; i++)
                x[i] = 1;
            (void)mpx_softmax_grad(y, MPX_F32, dy, MPX_F32, x, MPX_F32, 1, (size_t)n);
            for (i = 0; i < n; i++)
                CHECK(fabs((double)y[i] - ((double)dy[i] - sum)) <= ((double)dy[i] + sum) * (has_float_lanes() ? 8 : 16) / 16777216,
                      "softmax_grad, %d large of %d: %.9g", large, n, (double)y[i]);
        }
}
static void check_rows(void) {
    static const size_t cols[] = { 0, 1, 2, 7, 15, 16, 17, 33, 255, 256, 257, 1000, 1025, 3000 };
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    mpx_norm_options opt;
    float x[3], y[3];
    int what, with;
    size_t c, t;
    for (what = 0; what < 4; what++) {
        for (t = 0; t < COUNT(types); t++)
            for (c = 0; c < COUNT(cols); c++)
                for (with = 0; with < (what >= LAYER_NORM ? 4 : 1); with++)
                    check_rows_of(what, cols[c], with, types[t]);
        if (say) printf("%s: %.2f * 2^-24\n", row_names[what], worst_row[what]);
        for (c = 0; c < 3; c++) {
            x[0] = x[1] = x[2] = 1;
            x[c] = (float)NAN;
            (void)run_rows(what, y, MPX_F32, x, MPX_F32, 1, 3, NULL);
            CHECK(isnan(y[0]) && isnan(y[1]) && isnan(y[2]), "%s: NaN", row_names[what]);
        }
        CHECK(run_rows(what, y, MPX_F32, x, MPX_I32, 1, 3, NULL) == MPX_ERR_DTYPE, "of i32");
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, (size_t)-1, 3, NULL) == MPX_ERR_SPACE, "too large");
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, ((size_t)-1 >> 4) / 3 + 1, 3, NULL) == MPX_ERR_SPACE, "too large");
        CHECK(run_rows(what, NULL, MPX_F32, NULL, MPX_F32, 0, 3, NULL) == MPX_OK, "no rows");
        memset(&opt, 0, sizeof opt);
        opt.type = MPX_I4;
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, 1, 3, &opt) == MPX_OK, "no weight and no bias need no dtype");
        opt.weight = x;
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, 1, 3, &opt) == (what >= LAYER_NORM ? MPX_ERR_DTYPE : MPX_OK), "weight of i4");
        opt.weight = NULL, opt.bias = x;
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, 1, 3, &opt) == (what >= LAYER_NORM ? MPX_ERR_DTYPE : MPX_OK), "bias of i4");
        opt.type = MPX_I32;
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, 1, 3, &opt) == (what >= LAYER_NORM ? MPX_ERR_DTYPE : MPX_OK),
              "bias of i32");
    }
    check_lost_terms();
    x[0] = x[2] = 1e20f, x[1] = -1e20f; /* squares beyond f32 */
    (void)mpx_rms_norm(y, MPX_F32, x, MPX_F32, 1, 3, NULL);
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0, "rms_norm of 1e20: %g %g", (double)y[0], (double)y[1]);
    (void)mpx_layer_norm(y, MPX_F32, x, MPX_F32, 1, 3, NULL);
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0, "layer_norm of 1e20: %g %g", (double)y[0], (double)y[1]);
    memset(&opt, 0, sizeof opt);
    opt.eps = -0.0f; /* is 0 too */
    x[0] = x[1] = x[2] = 0;
    (void)mpx_rms_norm(y, MPX_F32, x, MPX_F32, 1, 3, &opt);
    CHECK(y[0] == 0 && y[2] == 0, "rms_norm of zeros, eps -0: %g", (double)y[0]);
    opt.eps = 2; /* a power of two with one bit of its exponent */
    x[0] = x[1] = x[2] = 1;
    (void)mpx_rms_norm(y, MPX_F32, x, MPX_F32, 1, 3, &opt);
    CHECK(fabs((double)y[0] - 1 / sqrt(3)) < 1e-6, "rms_norm of ones, eps 2: %g", (double)y[0]);
    x[0] = x[1] = x[2] = -200;
    (void)mpx_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(fabs((double)y[0] - 1.0 / 3) < 1e-7, "softmax of -200 alone: %g", (double)y[0]);
    x[0] = (float)-INFINITY, x[1] = 5, x[2] = 5;
    (void)mpx_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(y[0] == 0 && y[1] == 0.5f && y[2] == 0.5f, "softmax with -Inf: %g %g", (double)y[0], (double)y[1]);
    (void)mpx_log_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(y[0] == x[0] && fabs((double)y[1] + log(2)) < 1e-6, "log_softmax with -Inf: %g", (double)y[0]);
    x[0] = x[1] = 1e8f, x[2] = 0; /* far above the logarithm of the sum */
    (void)mpx_log_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(fabs((double)y[0] + log(2)) < 1e-6 && y[2] == -1e8f, "log_softmax of 1e8: %g %g", (double)y[0], (double)y[2]);
}

/* ---- gradients of rows ----------------------------------------------------------------------- */

enum { GRAD_SOFTMAX, GRAD_LAYER, GRAD_RMS };
static const char *const grad_names[] = { "softmax_grad", "layer_norm_grad", "rms_norm_grad" };
static mpx_status run_grad(int what, void *dx, mpx_dtype to, const void *dy, mpx_dtype by, const void *x,
                           mpx_dtype from, size_t rows, size_t cols, const mpx_norm_options *opt) {
    return what == GRAD_SOFTMAX ? mpx_softmax_grad(dx, to, dy, by, x, from, rows, cols)
           : what == GRAD_LAYER ? mpx_layer_norm_grad(dx, to, dy, by, x, from, rows, cols, opt)
                                : mpx_rms_norm_grad(dx, to, dy, by, x, from, rows, cols, opt);
}
/* size: the sum of the magnitudes of what dx is made of. dw and db: sums over rows, sizes of the same. */
static void want_grad(int what, double *dx, double *size, const float *dy, const float *x, size_t n, const float *w,
                      double eps, double *dw, double *dw_size) {
    double mean = 0, square = 0, usual = 0, by, sums[4] = { 0, 0, 0, 0 };
    size_t i;
    for (i = 0; i < n; i++) {
        mean += (double)x[i] / (double)n;
        usual += fabs((double)x[i]) / (double)n;
    }
    if (what != GRAD_LAYER) mean = usual = 0;
    for (i = 0; i < n; i++)
        square += ((double)x[i] - mean) * ((double)x[i] - mean) / (double)n;
    by = what == GRAD_SOFTMAX ? 1 : 1 / sqrt(square + eps);
    for (i = 0; i < n; i++) {
        const double g = (double)dy[i] * (w ? (double)w[i] : 1), z = ((double)x[i] - mean) * by,
                     zs = (fabs((double)x[i]) + usual) * by;
        sums[0] += g;
        sums[1] += what == GRAD_SOFTMAX ? (double)dy[i] * (double)x[i] : g * z;
        sums[2] += fabs(g);
        sums[3] += what == GRAD_SOFTMAX ? fabs((double)dy[i] * (double)x[i]) : fabs(g) * zs;
        dw[i] += (double)dy[i] * z;
        dw_size[i] += fabs((double)dy[i]) * zs;
    }
    for (i = 0; i < n; i++) {
        const double g = (double)dy[i] * (w ? (double)w[i] : 1), z = ((double)x[i] - mean) * by,
                     zs = (fabs((double)x[i]) + usual) * by, m = what == GRAD_LAYER ? 1 / (double)n : 0;
        if (what == GRAD_SOFTMAX) {
            dx[i] = (double)x[i] * ((double)dy[i] - sums[1]);
            size[i] = fabs((double)x[i]) * (fabs((double)dy[i]) + sums[3]);
        } else {
            dx[i] = by * (g - sums[0] * m - z * sums[1] / (double)n);
            size[i] = by * (fabs(g) + sums[2] * m + zs * sums[3] / (double)n);
        }
    }
}
static double worst_grad[3], worst_sum[3];
static void check_grad_of(int what, size_t cols, int with, mpx_dtype type) {
    enum { ROWS = 3, MOST = 3000 };
    static float x[ROWS * MOST], dy[ROWS * MOST], w[MOST], dx[ROWS * MOST], dw[MOST + 1], db[MOST + 1];
    static unsigned char s[ROWS * MOST * 8 + 9], g[ROWS * MOST * 8 + 9], d[ROWS * MOST * 8 + 9], all[ROWS * MOST * 8];
    static double want[MOST], size[MOST], dw64[MOST], dw_size[MOST];
    const double most = has_float_lanes() ? 8 : 16;
    const size_t n = ROWS * cols, bytes = mpx_dtype_bytes(type, n);
    mpx_norm_options opt;
    size_t i, r;
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < n; i++) {
        x[i] = (float)((int)(i * 7919u % 2001u) - 1000) / 97 + (float)(i / (cols + 1));
        if (what == GRAD_SOFTMAX) x[i] = (float)(i * 7919u % 2001u) / 2000 / (float)cols;
        dy[i] = (float)((int)(i * 104729u % 1999u) - 900) / 331;
    }
    for (i = 0; i < cols; i++) {
        w[i] = (float)((int)(i % 17) - 8) / 5;
        dw[i] = db[i] = (float)(i % 3);
        dw64[i] = dw_size[i] = (double)(i % 3);
    }
    dw[cols] = db[cols] = 77;
    opt.type = MPX_F32;
    opt.weight = with ? w : NULL;
    opt.eps = with ? 0.25f : 0;
    opt.dweight = with == 2 ? dw : NULL;
    opt.dbias = with == 2 ? db : NULL;
    (void)mpx_cast(s + 1, type, x, MPX_F32, n);
    (void)mpx_cast(x, MPX_F32, s + 1, type, n);
    (void)mpx_cast(g + 3, type, dy, MPX_F32, n);
    (void)mpx_cast(dy, MPX_F32, g + 3, type, n);
    CHECK(run_grad(what, dx, MPX_F32, g + 3, type, s + 1, type, ROWS, cols, &opt) == MPX_OK, "status");
    for (r = 0; r < ROWS; r++) {
        want_grad(what, want, size, dy + r * cols, x + r * cols, cols, opt.weight ? w : NULL,
                  with ? 0.25 : (double)1e-5f, dw64, dw_size);
        for (i = 0; i < cols; i++) {
            const double gap = fabs((double)dx[r * cols + i] - want[i]), off = gap == 0 ? 0 : gap / size[i] * 16777216;
            if (!(off <= worst_grad[what])) worst_grad[what] = off;
            CHECK(off <= most, "%s, %zu columns, %s: %.9g, not %.9g", grad_names[what], cols,
                  mpx_dtype_short_name(type), (double)dx[r * cols + i], want[i]);
        }
    }
    for (i = 0; i < cols && with == 2; i++) {
        const double off = fabs((double)dw[i] - dw64[i]) / (dw_size[i] + 1e-30) * 16777216;
        double sum = (double)(i % 3), sizes = sum;
        for (r = 0; r < ROWS; r++) {
            sum += (double)dy[r * cols + i];
            sizes += fabs((double)dy[r * cols + i]);
        }
        if (!(off <= worst_sum[what])) worst_sum[what] = off;
        CHECK(off <= most, "%s: dweight %zu of %zu", grad_names[what], i, cols);
        CHECK(fabs((double)db[i] - sum) <= sizes * 3 / 16777216, "%s: dbias %zu of %zu", grad_names[what], i, cols);
    }
    CHECK(dw[cols] == 77 && db[cols] == 77, "%s: past the end of dweight", grad_names[what]);
    opt.dweight = opt.dbias = NULL;
    (void)mpx_cast(all, type, dx, MPX_F32, n);
    memset(d, 0x5a, sizeof d);
    (void)run_grad(what, d + 3, type, g + 3, type, s + 1, type, ROWS, cols, &opt);
    CHECK(memcmp(d + 3, all, bytes) == 0 && d[2] == 0x5a && d[3 + bytes] == 0x5a, "%s to %s, %zu", grad_names[what],
          mpx_dtype_short_name(type), cols);
    memcpy(d, g, sizeof d);
    if (with == 2) { /* sums are made of dy and x as they were, though dx comes in the place of one */
        for (i = 0; i < cols; i++)
            dx[i] = dw[i], dw[i] = db[i] = (float)(i % 3);
        opt.dweight = dw, opt.dbias = db;
    }
    (void)run_grad(what, d + 3, type, d + 3, type, s + 1, type, ROWS, cols, &opt);
    CHECK(memcmp(d + 3, all, bytes) == 0, "%s in place of dy, %s, %zu", grad_names[what], mpx_dtype_short_name(type), cols);
    CHECK(with != 2 || memcmp(dx, dw, cols * 4) == 0, "%s: dweight in place, %zu", grad_names[what], cols);
    (void)run_grad(what, s + 1, type, g + 3, type, s + 1, type, ROWS, cols, &opt);
    CHECK(memcmp(s + 1, all, bytes) == 0, "%s in place of x, %s, %zu", grad_names[what], mpx_dtype_short_name(type), cols);
}
static void check_grads(void) {
    static const size_t cols[] = { 0, 1, 2, 7, 15, 16, 17, 33, 255, 256, 257, 1000, 1025, 3000 };
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    float x[3] = { 1, 2, 3 }, y[3], ones[3] = { 1, 1, 1 };
    int what, with;
    size_t c, t;
    for (what = 0; what < 3; what++) {
        for (t = 0; t < COUNT(types); t++)
            for (c = 0; c < COUNT(cols); c++)
                for (with = 0; with < (what == GRAD_SOFTMAX ? 1 : 3); with++)
                    check_grad_of(what, cols[c], with, types[t]);
        if (say) printf("%s: %.2f, dweight %.2f * 2^-24\n", grad_names[what], worst_grad[what], worst_sum[what]);
        CHECK(run_grad(what, y, MPX_F32, ones, MPX_I32, x, MPX_F32, 1, 3, NULL) == MPX_ERR_DTYPE, "dy of i32");
        CHECK(run_grad(what, y, MPX_F32, ones, MPX_F32, x, MPX_F32, (size_t)-1, 3, NULL) == MPX_ERR_SPACE, "large");
        for (c = 0; c < 3; c++) {
            ones[c] = (float)NAN;
            (void)run_grad(what, y, MPX_F32, ones, MPX_F32, x, MPX_F32, 1, 3, NULL);
            CHECK(isnan(y[0]) && isnan(y[1]) && isnan(y[2]), "%s: NaN", grad_names[what]);
            ones[c] = 1;
        }
    }
}

/* ---- cross-entropy --------------------------------------------------------------------------- */

static void check_entropy_of(size_t cols, mpx_dtype type, float scale) {
    enum { ROWS = 5, MOST = 3000 };
    static float x[ROWS * MOST], dx[ROWS * MOST];
    static unsigned char s[ROWS * MOST * 8 + 9], d[ROWS * MOST * 8 + 9], all[ROWS * MOST * 8];
    const double most = has_float_lanes() ? 6 : 12, by = fabs((double)scale) / 16777216;
    const size_t n = ROWS * cols, bytes = mpx_dtype_bytes(type, n);
    int32_t labels[ROWS];
    float loss[ROWS + 1], again[ROWS];
    size_t i, r;
    for (r = 0; r < ROWS; r++)
        labels[r] = r == 3 ? -100 : (int32_t)(r * 997u % cols);
    labels[4] = (int32_t)cols - 1;
    for (i = 0; i < n; i++)
        x[i] = i / cols == 3 && i % 2 ? (float)NAN : (float)((int)(i * 7919u % 2001u) - 1000) / 97;
    loss[ROWS] = 77;
    (void)mpx_cast(s + 1, type, x, MPX_F32, n);
    (void)mpx_cast(x, MPX_F32, s + 1, type, n);
    CHECK(mpx_cross_entropy(loss, dx, MPX_F32, s + 1, type, labels, ROWS, cols, scale) == MPX_OK, "status");
    for (r = 0; r < ROWS; r++) {
        const float *row = x + r * cols;
        double largest = -(double)INFINITY, sum = 0, want, size;
        for (i = 0; i < cols; i++)
            if ((double)row[i] > largest) largest = (double)row[i];
        for (i = 0; i < cols; i++)
            sum += exp((double)row[i] - largest);
        if (labels[r] < 0) {
            CHECK(loss[r] == 0, "loss without a label: %g", (double)loss[r]);
            for (i = 0; i < cols; i++)
                CHECK(dx[r * cols + i] == 0, "gradient without a label: %g", (double)dx[r * cols + i]);
            continue;
        }
        want = largest + log(sum) - (double)row[labels[r]];
        size = fabs(largest) + fabs((double)row[labels[r]]) + log(sum);
        CHECK(fabs((double)loss[r] - want) <= 2 * size / 16777216, "loss of %zu: %.9g, not %.9g", cols,
              (double)loss[r], want);
        for (i = 0; i < cols; i++) {
            const double p = exp((double)row[i] - largest) / sum, hit = i == (size_t)labels[r] ? 1 : 0;
            CHECK(fabs((double)dx[r * cols + i] - (p - hit) * (double)scale) <=
                      most * by * (hit + p * (1 + (largest - (double)row[i]) / 4)),
                  "gradient %zu of %zu: %.9g, not %.9g", i, cols, (double)dx[r * cols + i], (p - hit) * (double)scale);
        }
    }
    CHECK(loss[ROWS] == 77, "past the end of loss");
    CHECK(mpx_cross_entropy(again, NULL, MPX_F32, s + 1, type, labels, ROWS, cols, scale) == MPX_OK &&
              memcmp(again, loss, sizeof again) == 0, "loss alone");
    (void)mpx_cast(all, type, dx, MPX_F32, n);
    memset(d, 0x5a, sizeof d);
    (void)mpx_cross_entropy(NULL, d + 3, type, s + 1, type, labels, ROWS, cols, scale);
    CHECK(memcmp(d + 3, all, bytes) == 0 && d[2] == 0x5a && d[3 + bytes] == 0x5a, "gradient alone, %s, %zu",
          mpx_dtype_short_name(type), cols);
    (void)mpx_cross_entropy(again, s + 1, type, s + 1, type, labels, ROWS, cols, scale);
    CHECK(memcmp(s + 1, all, bytes) == 0 && memcmp(again, loss, sizeof again) == 0, "cross-entropy in place, %s, %zu",
          mpx_dtype_short_name(type), cols);
}
/* One large element and many equal small ones: what is lost of each has the same sign. */
static void check_peaked(size_t cols, float c) {
    enum { MOST = 1000 };
    const double lanes = has_float_lanes() ? 1 : 2;
    double want[MOST], size[MOST], dw[MOST], dw_size[MOST];
    float x[MOST], y[MOST], dy[MOST], loss;
    int32_t label;
    size_t i;
    int what;
    for (what = 0; what < 4; what++) {
        for (i = 0; i < cols; i++)
            x[i] = (i == cols / 2 ? 0 : -c) + (what >= LAYER_NORM ? 3.0f : 0);
        want_row(what, want, size, x, cols, NULL, NULL, (double)1e-5f);
        CHECK(run_rows(what, y, MPX_F32, x, MPX_F32, 1, cols, NULL) == MPX_OK, "status");
        for (i = 0; i < cols; i++)
            CHECK(fabs((double)y[i] - want[i]) * 16777216 <= 6 * lanes * (size[i] + (what == LOG_SOFTMAX)),
                  "%s of %zu: 0 among %g: %.9g, not %.9g", row_names[what], cols, (double)-c, (double)y[i], want[i]);
        if (what != LOG_SOFTMAX) continue;
        for (label = 0; label <= (int32_t)cols / 2; label += (int32_t)cols / 2) {
            (void)mpx_cross_entropy(&loss, NULL, MPX_NONE, x, MPX_F32, &label, 1, cols, 1);
            CHECK(fabs((double)loss + want[label]) * 16777216 <= 2 * (size[label] + 3), "loss of %zu: 0 among %g: %.9g", cols,
                  (double)-c, (double)loss);
        }
    }
    for (what = 0; what < 3; what++) {
        for (i = 0; i < cols; i++) {
            x[i] = i == cols / 2 ? 1 : what == GRAD_SOFTMAX ? expf(-c) : c / 16;
            dy[i] = 1.5f;
            dw[i] = dw_size[i] = 0;
        }
        want_grad(what, want, size, dy, x, cols, NULL, (double)1e-5f, dw, dw_size);
        CHECK(run_grad(what, y, MPX_F32, dy, MPX_F32, x, MPX_F32, 1, cols, NULL) == MPX_OK, "status");
        for (i = 0; i < cols; i++)
            CHECK(fabs((double)y[i] - want[i]) * 16777216 <= 8 * lanes * size[i], "%s of %zu: 1 among %g: %.9g, not %.9g",
                  grad_names[what], cols, (double)x[0], (double)y[i], want[i]);
    }
}
static void check_entropy(void) {
    static const size_t cols[] = { 1, 2, 7, 15, 16, 17, 33, 255, 256, 257, 1000, 1025, 3000 };
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16, MPX_F8E5M2 };
    float x[3] = { 1, 2, 3 }, loss = 5, dx[3] = { 7, 7, 7 }, zeros[8] = { 0 };
    int32_t label = 3;
    size_t c, t;
    for (t = 0; t < COUNT(types); t++)
        for (c = 0; c < COUNT(cols); c++) {
            check_entropy_of(cols[c], types[t], 1);
            check_entropy_of(cols[c], types[t], 1024.0f / 3);
        }
    CHECK(mpx_cross_entropy(&loss, dx, MPX_F32, x, MPX_F32, &label, 1, 3, 1) == MPX_ERR_ARGUMENT && loss == 5 &&
              dx[0] == 7, "a label too large");
    CHECK(mpx_cross_entropy(&loss, dx, MPX_I8, x, MPX_F32, &label, 1, 3, 1) == MPX_ERR_DTYPE, "gradient of i8");
    CHECK(mpx_cross_entropy(NULL, NULL, MPX_F32, NULL, MPX_F32, NULL, 0, 3, 1) == MPX_OK, "no rows");
    {   /* clang's sanitizer refuses NULL + 0 */
        const int32_t none[2] = { -1, -2 };
        float losses[2] = { 5, 5 };
        CHECK(mpx_cross_entropy(losses, NULL, MPX_F32, NULL, MPX_F32, none, 2, 0, 1) == MPX_OK && losses[0] == 0 &&
                  losses[1] == 0, "no columns");
        CHECK(mpx_cross_entropy(NULL, NULL, MPX_F32, NULL, MPX_F32, &label, ((size_t)-1 >> 2) + 1, 0, 1) == MPX_ERR_SPACE,
              "too many rows of no columns");
    }
    for (c = 0; c < 4; c++) { /* in any row */
        int32_t labels[4] = { 0, 0, -1, 0 };
        float losses[4] = { 5, 5, 5, 5 };
        labels[c] = 2;
        CHECK(mpx_cross_entropy(losses, NULL, MPX_NONE, zeros, MPX_F32, labels, 4, 2, 1) == MPX_ERR_ARGUMENT && losses[0] == 5,
              "a label too large in row %zu", c);
    }
    label = 0;
    CHECK(mpx_cross_entropy(&loss, dx, MPX_F32, x, MPX_F32, &label, 1, 0, 1) == MPX_ERR_ARGUMENT && loss == 5,
          "label 0 of no columns");
    CHECK(mpx_cross_entropy(&loss, NULL, MPX_NONE, x, MPX_F32, &label, 1, 3, 1) == MPX_OK, "without dx, without its dtype");
    CHECK(mpx_cross_entropy(&loss, dx, MPX_NONE, x, MPX_F32, &label, 1, 3, 1) == MPX_ERR_DTYPE, "dx without a dtype");
    label = 0, x[0] = (float)-INFINITY;
    (void)mpx_cross_entropy(&loss, dx, MPX_F32, x, MPX_F32, &label, 1, 3, 1);
    CHECK(isinf(loss) && loss > 0 && dx[0] == -1, "the label at -Inf: %g %g", (double)loss, (double)dx[0]);
    x[1] = (float)NAN;
    (void)mpx_cross_entropy(&loss, dx, MPX_F32, x, MPX_F32, &label, 1, 3, 1);
    CHECK(isnan(loss) && isnan(dx[0]) && isnan(dx[2]), "cross-entropy of NaN");
}

/* ---- rotary embedding ------------------------------------------------------------------------ */

static void check_rotary_of(size_t dim, size_t heads, mpx_rotary_pairs pairs, mpx_dtype type) {
    enum { ROWS = 3, MOST = ROWS * 3 * 1100 };
    static float x[MOST], y[MOST], table[ROWS * 1100];
    static unsigned char s[MOST * 8 + 9], d[MOST * 8 + 9], all[MOST * 8];
    const size_t n = ROWS * heads * dim, bytes = mpx_dtype_bytes(type, n), half = dim / 2;
    unsigned char *exact;
    size_t i, r;
    CHECK(mpx_rotary_table(table, 5, ROWS, dim, 10000) == MPX_OK, "table");
    for (i = 0; i < n; i++)
        x[i] = (float)((int)(i * 7919u % 2001u) - 1000) / 97;
    (void)mpx_cast(s + 1, type, x, MPX_F32, n);
    (void)mpx_cast(x, MPX_F32, s + 1, type, n);
    CHECK(mpx_rotary(y, MPX_F32, s + 1, type, table, ROWS, heads, dim, pairs, 0) == MPX_OK, "status");
    for (r = 0; r < ROWS * heads; r++)
        for (i = 0; i < half; i++) {
            const size_t a = r * dim + (pairs == MPX_ROTARY_HALVES ? i : 2 * i),
                         b = a + (pairs == MPX_ROTARY_HALVES ? half : 1);
            const float *turn = table + r / heads * dim;
            const double c = (double)turn[i], up = (double)turn[half + i], p = (double)x[a], q = (double)x[b],
                         most = (fabs(p) + fabs(q)) * 2 / 16777216;
            CHECK(fabs((double)y[a] - (p * c - q * up)) <= most && fabs((double)y[b] - (q * c + p * up)) <= most,
                  "rotary %d, dim %zu, point %zu", (int)pairs, dim, i);
        }
    (void)mpx_cast(all, type, y, MPX_F32, n);
    memset(d, 0x5a, sizeof d);
    (void)mpx_rotary(d + 3, type, s + 1, type, table, ROWS, heads, dim, pairs, 0);
    CHECK(memcmp(d + 3, all, bytes) == 0 && d[2] == 0x5a && d[3 + bytes] == 0x5a, "rotary to %s, dim %zu",
          mpx_dtype_short_name(type), dim);
    exact = (unsigned char *)malloc(bytes + 1); /* make sanitize sees what reads before or past it */
    CHECK(exact != NULL, "memory");
    if (exact != NULL) {
        memcpy(exact + 1, s + 1, bytes);
        (void)mpx_rotary(exact + 1, type, exact + 1, type, table, ROWS, heads, dim, pairs, 0);
        CHECK(memcmp(exact + 1, all, bytes) == 0, "rotary of what ends there, %s, dim %zu", mpx_dtype_short_name(type), dim);
        free(exact);
    }
    (void)mpx_rotary(s + 1, type, s + 1, type, table, ROWS, heads, dim, pairs, 0);
    CHECK(memcmp(s + 1, all, bytes) == 0, "rotary in place, %s, dim %zu", mpx_dtype_short_name(type), dim);
    CHECK(mpx_rotary(y, MPX_F32, y, MPX_F32, table, ROWS, heads, dim, pairs, 1) == MPX_OK, "status");
    for (i = 0; i < n; i++)
        CHECK(fabs((double)y[i] - (double)x[i]) < 1e-5, "rotary and back, dim %zu: %zu", dim, i);
}
static void check_rotary(void) {
    static const size_t dims[] = { 0, 2, 6, 30, 32, 34, 64, 80, 128, 510, 512, 514, 1100 };
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN };
    static const double thetas[] = { 1, 1.0001274, 1.0475009, 1.0585413, 1.1911090, 1064.365, 10000, 500000, 1e6, 1e30 };
    static float table[4 * 1024];
    static double worst;
    size_t i, t, r, dim, first;
    float one[4] = { 1, 2, 3, 4 };
    for (i = 0; i < COUNT(dims); i++)
        for (t = 0; t < COUNT(types); t++)
            for (r = 1; r * dims[i] <= 3300 && r <= 9; r *= 3) { /* up to several tiles of heads */
                check_rotary_of(dims[i], r, MPX_ROTARY_HALVES, types[t]);
                check_rotary_of(dims[i], r, MPX_ROTARY_INTERLEAVED, types[t]);
            }
    for (t = 0; t < COUNT(thetas); t++)
        for (dim = 2; dim <= 1024; dim += dim < 8 ? 2 : dim < 256 ? 62 : 768)
            for (first = 0; first < 1048576; first = first * 5 / 3 + 1) {
                const double bound = thetas[t] == 1 ? 0.51 : dim > 256 ? 0.55 : thetas[t] < 1000 ? 0.53 : 0.51;
                (void)mpx_rotary_table(table, first, 4, dim, thetas[t]);
                for (r = 0; r < 4; r++)
                    for (i = 0; i < dim / 2; i++) {
                        const long double angle =
                            (long double)(first + r) * powl((long double)thetas[t], -2.0L * (long double)i / (long double)dim);
                        const double c = fabs((double)(cosl(angle) - (long double)table[r * dim + i])),
                                     u = fabs((double)(sinl(angle) - (long double)table[r * dim + dim / 2 + i]));
                        const double gap = (c > u ? c : u) * 16777216;
                        if (!(gap <= worst)) worst = gap;
                        CHECK(gap <= bound, "table, theta %g, dim %zu, position %zu, %zu: %g", thetas[t], dim, first + r,
                              i, gap);
                    }
            }
    if (say) printf("rotary table: %.3f * 2^-24\n", worst);
    CHECK(mpx_rotary_table(table, 0, 1, 3, 10000) == MPX_ERR_ARGUMENT, "an odd dim");
    CHECK(mpx_rotary_table(table, 0, 1, 4, (double)NAN) == MPX_ERR_ARGUMENT, "theta NaN");
    CHECK(mpx_rotary_table(table, 0, 1, 4, 0.5) == MPX_ERR_ARGUMENT, "theta below 1");
    CHECK(mpx_rotary_table(table, 0, 1, 4, nextafter(1, 0)) == MPX_ERR_ARGUMENT, "theta just below 1");
    CHECK(mpx_rotary_table(table, 0, 1, 4, nextafter(1e30, 2e30)) == MPX_ERR_ARGUMENT, "theta just above 1e30");
    CHECK(mpx_rotary_table(table, 0, 1, 4, (double)INFINITY) == MPX_ERR_ARGUMENT, "theta Inf");
    CHECK(mpx_rotary(one, MPX_F32, one, MPX_F32, table, 1, 1, 3, MPX_ROTARY_HALVES, 0) == MPX_ERR_ARGUMENT, "odd");
    CHECK(mpx_rotary(one, MPX_F32, one, MPX_F32, table, 1, 1, 2, (mpx_rotary_pairs)9, 0) == MPX_ERR_ARGUMENT, "pairs");
    CHECK(mpx_rotary(one, MPX_F32, one, MPX_F32, table, 1, (size_t)-1, 4, MPX_ROTARY_HALVES, 0) == MPX_ERR_SPACE,
          "large");
    CHECK(mpx_rotary(one, MPX_I8, one, MPX_F32, table, 1, 1, 2, MPX_ROTARY_HALVES, 0) == MPX_ERR_DTYPE, "to i8");
}

/* dx is dy times the derivative, with dy of another dtype, in place of x or of dy, and what is not finite. */
static void check_act_grads(size_t k) {
    static const size_t sizes[] = { 0, 1, 7, 15, 16, 17, 33, 255, 256, 257, 1000 };
    const float slack = FLT_EVAL_METHOD == 0 ? 0 : FLT_EPSILON; /* where C computes in more bits than float has */
    static float x[1000], dy[1000], slopes[1000], dx[1001];
    static uint16_t low[1001], want[1000], dy16[1000];
    const mpx_activation act = (mpx_activation)acts[k].act;
    size_t i, j;
    for (i = 0; i < 1000; i++) {
        x[i] = (float)((int)i - 500) / 37;
        dy[i] = (float)((int)(i * 37 % 101) - 50) / 64;
        slopes[i] = 1;
    }
    (void)mpx_cast(dy16, MPX_F16, dy, MPX_F32, 1000);
    (void)mpx_cast(dy, MPX_F32, dy16, MPX_F16, 1000);
    (void)mpx_activate_grad(slopes, MPX_F32, slopes, MPX_F32, x, MPX_F32, 1000, act);
    for (j = 0; j < COUNT(sizes); j++) {
        const size_t n = sizes[j];
        for (i = 0; i <= 1000; i++)
            dx[i] = 77, low[i] = 0x5a5a;
        (void)mpx_activate_grad(dx, MPX_F32, dy16, MPX_F16, x, MPX_F32, n, act);
        for (i = 0; i < n; i++) {
            const float product = dy[i] * slopes[i], gap = dx[i] - product;
            CHECK(fabsf(gap) <= fabsf(product) * slack, "%s: dy times the derivative, %zu of %zu", acts[k].name, i, n);
        }
        CHECK(dx[n] == 77, "%s: past %zu", acts[k].name, n);
        (void)mpx_cast(want, MPX_BF16, dx, MPX_F32, n);
        (void)mpx_activate_grad(low, MPX_BF16, dy, MPX_F32, x, MPX_F32, n, act);
        CHECK(memcmp(low, want, n * 2) == 0 && low[n] == 0x5a5a, "%s: gradient to bf16, %zu", acts[k].name, n);
        memcpy(slopes, x, sizeof x); /* in place of x, then of dy */
        (void)mpx_activate_grad(slopes, MPX_F32, dy, MPX_F32, slopes, MPX_F32, n, act);
        CHECK(memcmp(slopes, dx, n * 4) == 0, "%s: in place of x", acts[k].name);
        memcpy(slopes, dy, sizeof dy);
        (void)mpx_activate_grad(slopes, MPX_F32, slopes, MPX_F32, x, MPX_F32, n, act);
        CHECK(memcmp(slopes, dx, n * 4) == 0, "%s: in place of dy", acts[k].name);
        for (i = 0; i < 1000; i++)
            slopes[i] = 1;
        (void)mpx_activate_grad(slopes, MPX_F32, slopes, MPX_F32, x, MPX_F32, 1000, act);
    }
    dy[0] = (float)NAN, dy[1] = dy[2] = 1, x[0] = 1, x[1] = (float)INFINITY, x[2] = -x[1];
    (void)mpx_activate_grad(dx, MPX_F32, dy, MPX_F32, x, MPX_F32, 3, act);
    CHECK(isnan(dx[0]), "%s: dy is NaN", acts[k].name);
    CHECK((double)dx[1] == slope_of(acts[k].act, (double)INFINITY) &&
              (double)dx[2] == slope_of(acts[k].act, -(double)INFINITY),
          "%s' at Inf: %g, at -Inf: %g", acts[k].name, (double)dx[1], (double)dx[2]);
    CHECK(mpx_activate_grad(dx, MPX_F32, dy, MPX_I8, x, MPX_F32, 1, act) == MPX_ERR_DTYPE, "dy of i8");
    CHECK(mpx_activate_grad(dx, MPX_F32, dy, MPX_F32, x, MPX_I8, 1, act) == MPX_ERR_DTYPE, "x of i8");
    CHECK(mpx_activate_grad(dx, MPX_F32, dy, MPX_F32, x, MPX_F32, 1, (mpx_activation)-1) == MPX_ERR_ARGUMENT, "act");
}

/* Zeros keep their sign, Inf comes through, whatever else is in the vector. */
static void check_ends(void) {
    static const int of[] = { MPX_ACT_TANH, MPX_ACT_SILU, MPX_ACT_GELU, MPX_ACT_GELU_ERF };
    float x[32], y[32];
    size_t i, k;
    grads = 0;
    for (k = 0; k < COUNT(of); k++) {
        for (i = 0; i < 32; i++)
            x[i] = i % 3 == 0 ? -0.0f : i % 3 == 1 ? (float)INFINITY : 0.25f;
        (void)run_act(y, MPX_F32, x, MPX_F32, 32, of[k]);
        for (i = 0; i < 32; i++)
            CHECK(i % 3 == 0 ? y[i] == 0 && signbit(y[i]) != 0 : i % 3 == 1 ? y[i] >= 1 : y[i] > 0 && y[i] < 1,
                  "function %d of %g: %g", of[k], (double)x[i], (double)y[i]);
    }
}
/* Every NaN stays one, whichever of its bits are set. */
static void check_nans(void) {
    float x[32], y[32];
    size_t i, k;
    for (grads = 0; grads < 2; grads++)
        for (k = 0; k < COUNT(acts); k++) {
            if (grads && acts[k].act == MPX_ACT_NONE) continue;
            for (i = 0; i < 32; i++) {
                const uint32_t u = (i % 2 != 0 ? 0xff800000u : 0x7f800000u) | (uint32_t)1 << (i / 2 < 10 ? i / 2 : i / 2 + 7);
                memcpy(&x[i], &u, 4);
            }
            (void)run_act(y, MPX_F32, x, MPX_F32, 32, acts[k].act);
            for (i = 0; i < 32; i++) {
                uint32_t u;
                memcpy(&u, &y[i], 4);
                CHECK((u & 0x7fffffffu) > 0x7f800000u, "%s%s of NaN %d: %08x", acts[k].name, grads ? "'" : "", (int)i,
                      (unsigned)u);
            }
        }
    grads = 0;
}
/* What every function of rows writes, in the caller's floating-point mode. */
static void run_all(float *d, const float *x, const float *y) {
    enum { ROWS = 2, COLS = 73 };
    const size_t n = ROWS * COLS;
    const int32_t labels[ROWS] = { 5, 70 };
    int k;
    for (k = 0; k < (int)COUNT(acts); k++, d += n)
        (void)run_act(d, MPX_F32, x, MPX_F32, n, acts[k].act);
    for (k = 0; k < 4; k++, d += n)
        (void)run_rows(k, d, MPX_F32, x, MPX_F32, ROWS, COLS, NULL);
    for (k = 0; k < 3; k++, d += n)
        (void)run_grad(k, d, MPX_F32, y, MPX_F32, x, MPX_F32, ROWS, COLS, NULL);
    (void)mpx_cross_entropy(d, d + ROWS, MPX_F32, x, MPX_F32, labels, ROWS, COLS, 0.3f);
    d += ROWS + n;
    (void)mpx_rotary_table(d, 7, 3, 24, 10000);
    (void)mpx_rotary(d + 72, MPX_F32, x, MPX_F32, y, 3, 2, 24, MPX_ROTARY_HALVES, 0);
}
static void check_modes(void) {
    enum { ROOM = 4096 };
    static float want[ROOM], got[ROOM], x[146], y[146];
    size_t i;
    for (i = 0; i < 146; i++)
        x[i] = (float)((int)(i * 7919 % 1009) - 500) / 77, y[i] = (float)((int)(i * 104729 % 1013) - 500) / 301;
    run_all(want, x, y);
    for (i = 0; has_float_lanes() && FLT_EVAL_METHOD != 2 && i < COUNT(fpmodes); i++) { /* not x87 */
        int holds;
        memset(got, 0, sizeof got);
        if (!fpmode_enter(&fpmodes[i])) continue;
        run_all(got, x, y);
        holds = fpmode_holds(&fpmodes[i]);
        fpmode_leave();
        CHECK(holds && memcmp(got, want, sizeof got) == 0, "%s", fpmodes[i].name);
    }
}

int main(int argc, char **argv) {
    size_t k;
    say = argc > 1 && strcmp(argv[1], "--say") == 0;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) every = 4;
    for (k = 0; k < COUNT(acts); k++) {
        grads = 0;
        check_f32(k);
        check_16(k, MPX_BF16, acts[k].bf16);
        check_16(k, MPX_F16, acts[k].f16);
        check_places(k);
        grads = 1;
        check_f32(k);
        check_16(k, MPX_BF16, acts[k].slope_bf16);
        check_16(k, MPX_F16, acts[k].slope_f16);
        check_act_grads(k);
    }
    check_worst();
    check_grads();
    check_entropy();
    for (k = 0; k < 400; k++)
        check_peaked(k % 4 == 0 ? 64 : k % 4 == 1 ? 255 : k % 4 == 2 ? 256 : 1000, (float)(k * k) / 10000);
    check_rotary();
    check_limits();
    check_rows();
    check_modes();
    check_ends();
    check_nans();
    return test_done("test_rows");
}
