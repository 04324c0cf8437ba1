/* A matrix of 512 x 512 in quantized formats times a vector, in the caches: ns an element, and over f32.
   The fastest of many runs. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_COMPUTE 1
#include "mpx.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SIZE = 512, RUNS = 1500 };
static float weights[SIZE * SIZE], x[SIZE], y[SIZE];
static unsigned char codes[SIZE * SIZE * 4];

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* ns an element, of a format; NULL: f32. Below 0: there is no such format. */
static double run(const char *format) {
    double best = 1e9;
    mpx_matrix w;
    int i;
    memset(&w, 0, sizeof w);
    w.data = weights;
    w.type = MPX_F32;
    w.rows = w.cols = SIZE;
    if (format != NULL) {
        mpx_status status;
        w.data = codes;
        if (mpx_quant_parse(format, &w.quant, NULL) != MPX_OK || mpx_quant_bytes(w.quant, SIZE, SIZE) > sizeof codes) return -1;
        for (i = 0; i < (int)sizeof codes; i++) codes[i] = (unsigned char)(i * 37 % 64 + i * 31 % 32 + 4);
        status = mpx_quantize(codes, w.quant, weights, MPX_F32, SIZE, SIZE);
        if (status != MPX_OK && status != MPX_ERR_UNSUPPORTED) return -1; /* to be read only: any bytes */
    }
    for (i = 0; i < RUNS; i++) {
        const double start = seconds();
        double took;
        if (mpx_matvec_with(y, MPX_F32, w, x, MPX_F32, NULL) != MPX_OK) return -1;
        took = seconds() - start;
        if (took < best) best = took;
    }
    return best * 1e9 / (double)SIZE / (double)SIZE;
}
int main(void) {
    static const char *const formats[] = { "int8", "int8/64", "int4", "int4/128", "uint8/128", "q8_0", "q4_0", "q4_k",
                                           "q5_k", "q6_k", "q4_1", "q5_0", "q5_1", "mxfp4", "mxfp8_e4m3", "mxint8", "nvfp4",
                                           "float8/row" };
    double f32;
    size_t i;
    for (i = 0; i < SIZE * SIZE; i++) weights[i] = (float)(i * 7919 % 2001) / 1000 - 1;
    for (i = 0; i < SIZE; i++) x[i] = (float)(i * 31 % 101) / 50 - 1;
    f32 = run(NULL);
    printf("matrix of 512 x 512 times a vector [%s]: ns an element, over f32\nf32        %7.4f\n", mpx_isa(), f32);
    for (i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const double ns = run(formats[i]);
        if (ns < 0) return 1;
        printf("%-10s %7.4f %6.2f\n", formats[i], ns, ns / f32);
    }
    return 0;
}
