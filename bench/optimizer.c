/* A step of AdamW over f32 masters, m and v, with gradients and copies in bf16: 28 bytes a
   parameter, 14 read and 14 written, and 2 more for the look at the gradients. Beside it memcpy of
   as many bytes, and the same step as a loop of plain C, which looks at nothing and unscales by a
   product, compiled as BENCH_PLAIN_FLAGS say. In L2 and in DRAM; the fastest of many runs, which
   take turns. Compiled twice: with BENCH_PLAIN the loop alone. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_COMPUTE 1
#include "mpx.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct arrays {
    float *p, *m, *v;
    uint16_t *g, *low;
    size_t n;
} arrays;
void plain_step(const arrays *a, float lr, float unscale, float bias1, float bias2);

#ifdef BENCH_PLAIN
void plain_step(const arrays *a, float lr, float unscale, float bias1, float bias2) {
    float *restrict p = a->p, *restrict m = a->m, *restrict v = a->v;
    const uint16_t *restrict gs = a->g;
    uint16_t *restrict low = a->low;
    const float keep = 1.0f - lr * 0.01f, size = lr / bias1, root = 1.0f / sqrtf(bias2);
    size_t i;
    for (i = 0; i < a->n; i++) {
        union { uint32_t u; float f; } g, out;
        g.u = (uint32_t)gs[i] << 16;
        g.f *= unscale;
        m[i] = 0.9f * m[i] + 0.1f * g.f;
        v[i] = 0.999f * v[i] + 0.001f * g.f * g.f;
        p[i] = p[i] * keep - size * m[i] / (sqrtf(v[i]) * root + 1e-8f);
        out.f = p[i];
        low[i] = (uint16_t)((out.u + 0x7fffu + (out.u >> 16 & 1u)) >> 16);
    }
}
#else
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void *memory(size_t size) {
    void *p = malloc(size);
    if (p == NULL) exit(1);
    memset(p, 1, size); /* pages of its own */
    return p;
}
enum { STEP, CLIPPED, SGD, PLAIN, COPY, WHATS };
static const char *const names[] = { "AdamW", "AdamW clipped", "SGD momentum", "AdamW plain C", "memcpy" };
/* memcpy reads and writes 14 bytes a parameter. */
static void run(int what, arrays *a, unsigned char *copy) {
    mpx_optimizer opt;
    mpx_optimizer_arrays x;
    memset(&opt, 0, sizeof opt);
    memset(&x, 0, sizeof x);
    opt.lr = 1e-3, opt.weight_decay = 0.01, opt.loss_scale = 1024, opt.step = 100;
    if (what == CLIPPED) opt.max_norm = 1;
    if (what == SGD) opt.kind = MPX_OPTIMIZER_SGD, opt.momentum = 0.9;
    x.param = a->low, x.param_type = MPX_BF16, x.master = a->p, x.m = a->m, x.v = a->v;
    x.grad = a->g, x.grad_type = MPX_BF16, x.n = a->n;
    if (what == PLAIN)
        plain_step(a, 1e-3f, 1.0f / 1024, 1.0f, 0.1f);
    else if (what == COPY)
        memcpy(copy, copy + a->n * 14, a->n * 14);
    else
        (void)mpx_optimizer_step(&opt, &x, 1, NULL, NULL);
}
static void measure(size_t n, int runs) {
    double best[WHATS];
    arrays a;
    unsigned char *copy = (unsigned char *)memory(n * 28);
    size_t i;
    int r, what;
    a.p = (float *)memory(n * 4), a.m = (float *)memory(n * 4), a.v = (float *)memory(n * 4);
    a.g = (uint16_t *)memory(n * 2), a.low = (uint16_t *)memory(n * 2), a.n = n;
    for (i = 0; i < n; i++) a.g[i] = (uint16_t)(0x3f80u + (i * 2654435761u >> 16 & 0x80ffu));
    for (what = 0; what < WHATS; what++) best[what] = 1e9;
    for (r = 0; r < runs; r++)
        for (what = 0; what < WHATS; what++) {
            const int times = n < (1u << 20) ? 8 : 1; /* the first brings the arrays to the cache */
            int t;
            for (t = 0; t < times; t++) {
                const double start = seconds(), took = (run(what, &a, copy), seconds() - start);
                if (took < best[what]) best[what] = took;
            }
        }
    for (what = 0; what < WHATS; what++)
        printf("%9zu parameters  %-14s %7.3f ns %6.2f x\n", n, names[what], best[what] * 1e9 / (double)n,
               best[what] / best[COPY]);
    fflush(stdout);
    free(copy), free(a.p), free(a.m), free(a.v), free(a.g), free(a.low);
}
int main(void) {
    printf("%s; ns a parameter; x: times memcpy of as many bytes\n", mpx_isa());
    measure((size_t)8 << 10, 200);
    measure((size_t)32 << 10, 100);
    measure((size_t)16 << 20, 7);
    return 0;
}
#endif
