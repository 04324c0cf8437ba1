/* Matrices quantized and dequantized, at 512 KiB and 64 MiB of f32: time an element, and the time
   over that in which memcpy moves as many bytes (half of source and target: it reads them and
   writes them), in the same run. The fastest of many runs. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 4096 };
static const char *const formats[] = {
    "int8", "int8/row", "int4/128", "uint8/128", "float8", "f8e5m2/128", "mxfp8_e4m3", "mxfp8_e5m2",
    "mxfp6_e2m3", "mxfp4", "mxint8", "nvfp4", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q4_k", "q5_k", "q6_k",
    "ggml_mxfp4", "ggml_nvfp4",
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
typedef struct work {
    mpx_quant q;
    float *floats;
    unsigned char *codes, *copy;
    size_t rows, bytes, coded;
} work;
static void run(const work *w, int what) {
    unsigned char *floats = (unsigned char *)w->floats;
    switch (what) {
    case 0: (void)mpx_quantize(w->codes, w->q, floats, MPX_F32, w->rows, COLUMNS); break;
    case 1: (void)mpx_dequantize(floats, MPX_F32, w->codes, w->q, w->rows, COLUMNS); break;
    case 2: memcpy(w->copy, floats, (w->bytes + w->coded) / 2); break;
    default:
        (void)mpx_fake_quant((float *)(void *)w->copy, w->floats, w->rows * COLUMNS, -1.5f, 1.8f, 8, 0);
        break;
    }
}
static double fastest(const work *w, int what, int runs) {
    double best = 1e9;
    for (; runs > 0; runs--) {
        const double start = seconds(), took = (run(w, what), seconds() - start);
        if (took < best) best = took;
    }
    return best;
}
static int runs_of(size_t bytes) { return bytes < (size_t)1 << 22 ? 200 : 5; }
static void fill(float *floats, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) floats[i] = (float)((int)(i * 2654435761u >> 8 & 0xfff) - 2048) * 1e-3f;
}
static void measure(const char *name, size_t bytes) {
    const size_t n = bytes / 4;
    const int runs = runs_of(bytes);
    double t[3];
    size_t i;
    int what;
    work w;
    memset(&w, 0, sizeof w);
    if (mpx_quant_parse(name, &w.q, NULL) != MPX_OK) return;
    w.rows = n / COLUMNS;
    w.bytes = bytes;
    w.coded = mpx_quant_bytes(w.q, w.rows, COLUMNS);
    w.floats = (float *)malloc(bytes);
    w.codes = (unsigned char *)malloc(w.coded);
    w.copy = (unsigned char *)malloc(bytes);
    if (w.floats == NULL || w.codes == NULL || w.copy == NULL) exit(1);
    fill(w.floats, n);
    for (i = 0; i < w.coded; i++) w.codes[i] = (unsigned char)(i % 96); /* for formats that are only read */
    for (what = 0; what < 3; what++) t[what] = fastest(&w, what, runs);
    printf("%-12s %6zu KiB  ", name, bytes >> 10);
    if (mpx_quantize(w.codes, w.q, w.floats, MPX_F32, w.rows, COLUMNS) == MPX_OK)
        printf("quantize %6.3f ns %5.2f x", t[0] * 1e9 / (double)n, t[0] / t[2]);
    else
        printf("%26s", "");
    printf("   dequantize %6.3f ns %5.2f x\n", t[1] * 1e9 / (double)n, t[1] / t[2]);
    fflush(stdout);
    free(w.floats);
    free(w.codes);
    free(w.copy);
}
/* mpx_fake_quant to 8 bits: floats to floats. */
static void measure_fake(size_t bytes) {
    double t[2];
    int i;
    work w;
    memset(&w, 0, sizeof w);
    w.bytes = w.coded = bytes;
    w.rows = bytes / 4 / COLUMNS;
    w.floats = (float *)malloc(bytes);
    w.copy = (unsigned char *)malloc(bytes);
    if (w.floats == NULL || w.copy == NULL) exit(1);
    fill(w.floats, bytes / 4);
    for (i = 0; i < 2; i++) t[i] = fastest(&w, 3 - i, runs_of(bytes));
    printf("%-12s %6zu KiB  both     %6.3f ns %5.2f x\n", "fake_quant 8", bytes >> 10, t[0] * 4e9 / (double)bytes, t[0] / t[1]);
    free(w.floats);
    free(w.copy);
}
int main(void) {
    size_t i, size;
    printf("%s; ns an element; x: times memcpy of as many bytes\n", mpx_isa());
    for (size = (size_t)512 << 10; size <= (size_t)64 << 20; size <<= 7) {
        for (i = 0; i < sizeof formats / sizeof formats[0]; i++) measure(formats[i], size);
        measure_fake(size);
    }
    return 0;
}
