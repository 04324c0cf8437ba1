/* Products of two square matrices: GFLOP/s, and the share of what the processor's multiply-add
   units can do, which a loop in registers measures in the same run. The fastest of many runs. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_COMPUTE 1
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* Where programs put their matrices: at a multiple of 64 bytes. */
static unsigned char *at_64(void *p) { return (unsigned char *)p + ((0 - (uintptr_t)p) & 63u); }
/* Packed: b beforehand, as weights are. Or one of them transposed: b, as in y = x * w^T; a, as for the gradient of w. */
typedef enum way { PLAIN, PACKED, A_TURNED, B_TURNED } way;
static double run(mpx_dtype type, size_t n, way how, double least) {
    const size_t bytes = mpx_dtype_bytes(type, n * n);
    mpx_matmul_options opt;
    mpx_matrix a;
    float *x = (float *)malloc(n * n * 4);
    void *c = malloc(n * n * 4 + 63);
    void *data = malloc(bytes + 63), *b = NULL;
    double best = 1e9, all = 0;
    size_t i;
    memset(&opt, 0, sizeof opt);
    memset(&a, 0, sizeof a);
    for (i = 0; i < n * n; i++)
        x[i] = (float)((int)(i * 2654435761u >> 20 & 4095) - 2048) / 2048;
    (void)mpx_cast(at_64(data), type, x, MPX_F32, n * n);
    a.data = at_64(data);
    a.type = type;
    a.rows = a.cols = n;
    opt.transpose_a = how == A_TURNED;
    opt.transpose_b = how == B_TURNED;
    if (how == PACKED) {
        opt.packed_for = type;
        b = malloc(mpx_matmul_packed_bytes(a, &opt) + 63);
        (void)mpx_matmul_pack(at_64(b), a, &opt);
        opt.packed = at_64(b);
    }
    opt.workspace_size = mpx_matmul_workspace(a, &opt);
    opt.workspace = malloc(opt.workspace_size);
    while (all < least) {
        const double start = seconds();
        double took;
        if (mpx_matmul(at_64(c), MPX_F32, a, a, &opt) != MPX_OK) exit(1);
        took = seconds() - start;
        all += took;
        best = took < best ? took : best;
    }
    free(opt.workspace);
    free(b);
    free(data);
    free(c);
    free(x);
    return 2e-9 * (double)n * (double)n * (double)n / best;
}
#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#ifdef __AVX512F__
#define VECTOR __m512
#define OF(x) _mm512_set1_ps(x)
#define ADD(i) x = _mm512_add_ps(x, s##i);
#else
#define VECTOR __m256
#define OF(x) _mm256_set1_ps(x)
#define ADD(i) x = _mm256_add_ps(x, s##i);
#endif
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define START(i) VECTOR s##i = OF((float)(i));
#define STEP(i) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+x"(s##i) : "x"(x), "x"(y));
static double peak(void) { /* twelve sums that stay in registers */
    double best = 1e9;
    int round, i;
    for (round = 0; round < 500; round++) {
        VECTOR x = OF(0.999f), y = OF(0.001f);
        const double start = seconds();
        double took;
        float out[sizeof(VECTOR) / sizeof(float)];
        EACH(START)
        for (i = 0; i < 20000; i++) {
            EACH(STEP)
        }
        took = seconds() - start;
        EACH(ADD)
        memcpy(out, &x, sizeof out);
        if (took < best && out[0] != 0) best = took;
    }
    return 20000.0 * 12 * (sizeof(VECTOR) / 4.0) * 2 / best * 1e-9;
}
#else
static double peak(void) { return 0; }
#endif

int main(void) {
    static const mpx_dtype types[] = { MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_I8 };
    static const size_t sizes[] = { 256, 512, 1024 };
    const double most = peak();
    size_t i, j;
    printf("%s: %.1f GFLOP/s of multiply-adds (0: not measured)\n%-10s %6s %10s %8s %10s %8s %10s %10s\n", mpx_isa(), most,
           "dtype", "n", "GFLOP/s", "share", "packed", "share", "a turned", "b turned");
    for (i = 0; i < sizeof types / sizeof types[0]; i++)
        for (j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            const double all = run(types[i], sizes[j], PLAIN, 0.5), packed = run(types[i], sizes[j], PACKED, 0.5);
            printf("%-10s %6zu %10.1f %8.2f %10.1f %8.2f %10.1f %10.1f\n", mpx_dtype_short_name(types[i]), sizes[j], all,
                   most > 0 ? all / most : 0, packed, most > 0 ? packed / most : 0, run(types[i], sizes[j], A_TURNED, 0.5),
                   run(types[i], sizes[j], B_TURNED, 0.5));
        }
    return 0;
}
