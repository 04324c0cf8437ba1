/* Functions of 4096 f32, ns an element: the header's own beside SLEEF's vectors in a plain loop, and what it takes from
   SLEEF with MPX_USE_SLEEF. The fastest of many runs, which take turns. x86-64 and AArch64. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_COMPUTE 1
#define MPX_USE_SLEEF 1
#include "mpx.h"
#include <sleef.h>
#include <stdio.h>
#include <time.h>

enum { N = 4096, TIMES = 10, RUNS = 300 };
#if defined(__AVX512F__)
enum { LANES = 16 };
#define LOOP(f) _mm512_storeu_ps(y + i, Sleef_##f##16_u10avx512f(_mm512_loadu_ps(x + i)))
#elif defined(__AVX2__)
enum { LANES = 8 };
#define LOOP(f) _mm256_storeu_ps(y + i, Sleef_##f##8_u10avx2(_mm256_loadu_ps(x + i)))
#elif defined(__x86_64__)
enum { LANES = 4 };
#define LOOP(f) _mm_storeu_ps(y + i, Sleef_##f##4_u10sse2(_mm_loadu_ps(x + i)))
#else
enum { LANES = 4 };
#define LOOP(f) vst1q_f32(y + i, Sleef_##f##4_u10advsimd(vld1q_f32(x + i)))
#endif
static float x[N], y[N];
static const struct { const char *name; int act; } rows[] = {
    { "exp", MPX_ACT_EXP }, { "exp, SLEEF", -1 }, { "tanh", MPX_ACT_TANH }, { "tanh, SLEEF", -2 },
    { "gelu_erf", MPX_ACT_GELU_ERF }, { "log, SLEEF", MPX_ACT_LOG }, { "sin, SLEEF", MPX_ACT_SIN },
    { "cos, SLEEF", MPX_ACT_COS }, { "erf, SLEEF", MPX_ACT_ERF }, { "expm1, SLEEF", MPX_ACT_EXPM1 }, { "pow, SLEEF", -3 },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void run(int act) {
    int i;
    if (act >= 0) (void)mpx_activate(y, MPX_F32, x, MPX_F32, N, (mpx_activation)act);
    else if (act == -1) for (i = 0; i < N; i += LANES) LOOP(expf);
    else if (act == -2) for (i = 0; i < N; i += LANES) LOOP(tanhf);
    else (void)mpx_pow(y, MPX_F32, x, MPX_F32, x, MPX_F32, N);
}
int main(void) {
    double best[ROWS], start, took;
    int i, row, times;
    for (i = 0; i < N; i++) x[i] = (float)(i * 7919 % 2001 - 1000) / 250;
    for (row = 0; row < ROWS; row++) best[row] = 1e9;
    for (i = 0; i < RUNS; i++)
        for (row = 0; row < ROWS; row++) {
            start = seconds();
            for (times = 0; times < TIMES; times++) run(rows[row].act);
            took = (seconds() - start) * 1e9 / (double)TIMES / (double)N;
            if (took < best[row]) best[row] = took;
        }
    printf("%s: ns an element\n", mpx_isa());
    for (row = 0; row < ROWS; row++) printf("%-14s %7.3f\n", rows[row].name, best[row]);
    return 0;
}
