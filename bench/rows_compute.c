/* Functions of rows, ns an element in f32 and bf16, beside memcpy of as many bytes: 4096 elements,
   in L1 and L2; rows of 1024 but where it says so. The fastest of many runs, which take turns. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_COMPUTE 1
#include "mpx.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROWS = 4, COLS = 1024, N = ROWS * COLS, ACTS = 7, TIMES = 20, RUNS = 60 };
static const char *const names[] = { "relu", "exp", "tanh", "sigmoid", "silu", "gelu", "gelu_erf",
    "relu_grad", "exp_grad", "tanh_grad", "sigmoid_grad", "silu_grad", "gelu_grad", "gelu_erf_grad",
    "softmax", "- half is -Inf", "- rows of 10", "- a row of 4096", "log_softmax", "layer_norm", "rms_norm",
    "softmax_grad", "layer_norm_grad", "rms_norm_grad", "cross_entropy", "rotary halves", "rotary interleaved", "memcpy" };
enum { SOFTMAX = 2 * ACTS, WHATS = SOFTMAX + 14 };
static float x32[N], dy32[N], masked32[N], out32[N], weight[COLS], table[ROWS * 128];
static uint16_t x16[N], dy16[N], masked16[N], out16[N];

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void run(int what, mpx_dtype type, void *out, const void *x, const void *dy) {
    static const int32_t labels[ROWS];
    mpx_norm_options opt;
    memset(&opt, 0, sizeof opt);
    opt.weight = weight, opt.type = MPX_F32;
    if (what < ACTS) (void)mpx_activate(out, type, x, type, N, (mpx_activation)(MPX_ACT_RELU + what));
    else if (what < SOFTMAX)
        (void)mpx_activate_grad(out, type, dy, type, x, type, N, (mpx_activation)(MPX_ACT_RELU + what - ACTS));
    else switch (what - SOFTMAX) {
        case 0: (void)mpx_softmax(out, type, x, type, ROWS, COLS); break;
        case 1: (void)mpx_softmax(out, type, type == MPX_F32 ? (const void *)masked32 : masked16, type, ROWS, COLS); break;
        case 2: (void)mpx_softmax(out, type, x, type, N / 10, 10); break;
        case 3: (void)mpx_softmax(out, type, x, type, 1, N); break;
        case 4: (void)mpx_log_softmax(out, type, x, type, ROWS, COLS); break;
        case 5: (void)mpx_layer_norm(out, type, x, type, ROWS, COLS, &opt); break;
        case 6: (void)mpx_rms_norm(out, type, x, type, ROWS, COLS, &opt); break;
        case 7: (void)mpx_softmax_grad(out, type, dy, type, x, type, ROWS, COLS); break;
        case 8: (void)mpx_layer_norm_grad(out, type, dy, type, x, type, ROWS, COLS, &opt); break;
        case 9: (void)mpx_rms_norm_grad(out, type, dy, type, x, type, ROWS, COLS, &opt); break;
        case 10: (void)mpx_cross_entropy(NULL, out, type, x, type, labels, ROWS, COLS, 1); break;
        case 11: (void)mpx_rotary(out, type, x, type, table, ROWS, COLS / 128, 128, MPX_ROTARY_HALVES, 0); break;
        case 12: (void)mpx_rotary(out, type, x, type, table, ROWS, COLS / 128, 128, MPX_ROTARY_INTERLEAVED, 0); break;
        default: memcpy(out, x, mpx_dtype_bytes(type, N)); break;
        }
}
int main(void) {
    double best[2][WHATS];
    int i, what, wide, times;
    for (i = 0; i < N; i++) {
        x32[i] = (float)(i * 7919 % 2001 - 1000) / 250;
        dy32[i] = (float)(i * 31 % 101 - 50) / 64;
        masked32[i] = i % COLS < COLS / 2 ? x32[i] : -INFINITY;
    }
    for (i = 0; i < COLS; i++) weight[i] = 1;
    (void)mpx_cast(x16, MPX_BF16, x32, MPX_F32, N);
    (void)mpx_cast(dy16, MPX_BF16, dy32, MPX_F32, N);
    (void)mpx_cast(masked16, MPX_BF16, masked32, MPX_F32, N);
    (void)mpx_rotary_table(table, 100, ROWS, 128, 10000);
    for (wide = 0; wide < 2; wide++)
        for (what = 0; what < WHATS; what++) best[wide][what] = 1e9;
    for (i = 0; i < RUNS; i++)
        for (what = 0; what < WHATS; what++)
            for (wide = 0; wide < 2; wide++) {
                const double start = seconds();
                double took;
                for (times = 0; times < TIMES; times++)
                    run(what, wide ? MPX_F32 : MPX_BF16, wide ? (void *)out32 : (void *)out16,
                        wide ? (void *)x32 : (void *)x16, wide ? (void *)dy32 : (void *)dy16);
                took = (seconds() - start) * 1e9 / (double)TIMES / (double)N;
                if (took < best[wide][what]) best[wide][what] = took;
            }
    printf("%s; ns an element; x: times memcpy of as many bytes\n%-20s %14s %14s\n", mpx_isa(), "", "bf16", "f32");
    for (what = 0; what < WHATS; what++)
        printf("%-20s %7.3f %5.0fx %7.3f %5.0fx\n", names[what], best[0][what], best[0][what] / best[0][WHATS - 1],
               best[1][what], best[1][what] / best[1][WHATS - 1]);
    return 0;
}
