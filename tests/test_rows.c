/* Functions of elements and rows against libm's double: a dense sample of f32, every bf16 and f16,
   special values, sizes around blocks, places that are not aligned.

   test_rows [--say]   prints the largest errors and the counts of inexact 16-bit results */
#define MPX_COMPUTE 1
#include "test.h"
#include <math.h>

static int say;
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
/* Bounds: ulp of f32, and how many of 65,536 bf16 and f16 results may be the other neighbour. */
static const struct { int act; const char *name; double ulps; int bf16, f16; } acts[] = {
    { MPX_ACT_NONE, "none", 0, 0, 0 },       { MPX_ACT_RELU, "relu", 0, 0, 0 },
    { MPX_ACT_EXP, "exp", 1.1, 0, 2 },       { MPX_ACT_TANH, "tanh", 1.4, 0, 0 },
    { MPX_ACT_SIGMOID, "sigmoid", 3, 0, 6 }, { MPX_ACT_SILU, "silu", 3, 0, 3 },
    { MPX_ACT_GELU, "gelu", 300, 0, 2 },     { MPX_ACT_GELU_ERF, "gelu_erf", 7, 0, 5 },
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
    double worst = 0, at = 0;
    uint32_t base = 0, i;
    for (base = 0; base < 0x7f800000u; base += N * 331) {
        for (i = 0; i < N; i++) {
            uint32_t u = base + i / 2 * 662 + (i * 7919u) % 331;
            if (u > 0x7f7fffffu) u = 0x7f7fffffu;
            u |= (i & 1) << 31;
            memcpy(&x[i], &u, 4);
        }
        CHECK(mpx_activate(y, MPX_F32, x, MPX_F32, N, (mpx_activation)acts[k].act) == MPX_OK, "status");
        for (i = 0; i < N; i++) {
            const double off = ulps_off(y[i], want_of(acts[k].act, (double)x[i]));
            if (!(off <= worst)) {
                worst = off;
                at = (double)x[i];
            }
        }
    }
    if (say) printf("%s: %.3f ulp at %.9g\n", acts[k].name, worst, at);
    CHECK(worst <= acts[k].ulps, "%s: %g ulp at %.9g", acts[k].name, worst, at);
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
        want64[i] = isnan(x64[i]) ? x64[i] : want_of(acts[k].act, x64[i]);
    (void)mpx_cast(want, type, want64, MPX_F64, 65536);
    CHECK(mpx_activate(y, type, x, type, 65536, (mpx_activation)acts[k].act) == MPX_OK, "status");
    for (i = 0; i < 65536; i++) {
        const int gap = (int)(y[i] & 0x7fff) - (int)(want[i] & 0x7fff);
        int nan, zero;
        nan = (y[i] & 0x7fff) > (type == MPX_BF16 ? 0x7f80 : 0x7c00);
        zero = (y[i] & 0x7fff) == 0 && (want[i] & 0x7fff) == 0;
        CHECK(nan == isnan(x64[i]), "%s of %04x: %04x", acts[k].name, (unsigned)i, y[i]);
        if (nan || zero || y[i] == want[i]) continue;
        off++;
        CHECK(gap >= -1 && gap <= 1 && (y[i] ^ want[i]) < 0x8000, "%s of %04x: %04x, not %04x", acts[k].name,
              (unsigned)i, y[i], want[i]);
    }
    if (say) printf("%s of %s: %d off\n", acts[k].name, mpx_dtype_short_name(type), off);
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
    double largest = -INFINITY, sum = 0, mean = 0, usual = 0;
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
                  : what == LOG_SOFTMAX ? fabs((double)x[i]) + fabs(largest) + log(sum)
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
    opt.weight = with ? w : NULL;
    opt.bias = with == 2 ? b : NULL;
    opt.eps = with ? 0.25f : 0;
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
            CHECK(off <= (strcmp(mpx_isa(), "scalar") == 0 ? 12 : 6), "%s, %zu columns, %s: %.9g, not %.9g", row_names[what], cols,
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
static void check_rows(void) {
    static const size_t cols[] = { 0, 1, 2, 7, 15, 16, 17, 33, 255, 256, 257, 1000, 3000 };
    static const mpx_dtype types[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    float x[3], y[3];
    int what, with;
    size_t c, t;
    for (what = 0; what < 4; what++) {
        for (t = 0; t < COUNT(types); t++)
            for (c = 0; c < COUNT(cols); c++)
                for (with = 0; with < (what >= LAYER_NORM ? 3 : 1); with++)
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
    }
    x[0] = x[1] = x[2] = -200;
    (void)mpx_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(fabs((double)y[0] - 1.0 / 3) < 1e-7, "softmax of -200 alone: %g", (double)y[0]);
    x[0] = (float)-INFINITY, x[1] = 5, x[2] = 5;
    (void)mpx_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(y[0] == 0 && y[1] == 0.5f && y[2] == 0.5f, "softmax with -Inf: %g %g", (double)y[0], (double)y[1]);
    (void)mpx_log_softmax(y, MPX_F32, x, MPX_F32, 1, 3);
    CHECK(y[0] == x[0] && fabs((double)y[1] + log(2)) < 1e-6, "log_softmax with -Inf: %g", (double)y[0]);
}

int main(int argc, char **argv) {
    size_t k;
    say = argc > 1 && strcmp(argv[1], "--say") == 0;
    for (k = 0; k < COUNT(acts); k++) {
        check_f32(k);
        check_16(k, MPX_BF16, acts[k].bf16);
        check_16(k, MPX_F16, acts[k].f16);
        check_places(k);
    }
    check_limits();
    check_rows();
    return test_done("test_rows");
}
