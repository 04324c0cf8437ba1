/* Vertices of 48 bytes packed into 20 and unpacked: mpx_vertices_pack beside a loop as a user would
   write it, in the caches and from memory; the fastest of many runs. The plain loop rounds with
   floorf(x + 0.5f) and takes f16 from mpx.h's inline helpers. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#include "mpx.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct vertex { float position[3], normal[3], uv[2], colour[4]; } vertex;
typedef struct gpu_vertex {
    uint16_t position[4];
    uint32_t normal;
    uint16_t uv[2];
    uint8_t colour[4];
} gpu_vertex;

static const mpx_attribute attributes[] = {
    { MPX_VERTEX_PLAIN, MPX_F16, 3, offsetof(gpu_vertex, position), offsetof(vertex, position) },
    { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 3, offsetof(gpu_vertex, normal),
      offsetof(vertex, normal) },
    { MPX_VERTEX_UNORM16, MPX_NONE, 2, offsetof(gpu_vertex, uv), offsetof(vertex, uv) },
    { MPX_VERTEX_UNORM8, MPX_NONE, 4, offsetof(gpu_vertex, colour), offsetof(vertex, colour) },
};
enum { ATTRIBUTES = sizeof attributes / sizeof attributes[0] };

static float clamp(float x, float least) { return x < least ? least : x > 1 ? 1 : x; }
static uint32_t norm(float x, float least, float most) {
    return (uint32_t)(int32_t)floorf(clamp(x, least) * most + 0.5f);
}
static float signed_field(uint32_t word, int shift) {
    const float x = (float)((int32_t)(word << (22 - shift)) >> 22) / 511;
    return x < -1 ? -1 : x;
}

static void pack_mpx(gpu_vertex *d, vertex *s, size_t n) {
    (void)mpx_vertices_pack(d, sizeof *d, s, sizeof *s, n, attributes, ATTRIBUTES);
}
static void unpack_mpx(gpu_vertex *s, vertex *d, size_t n) {
    (void)mpx_vertices_unpack(d, sizeof *d, s, sizeof *s, n, attributes, ATTRIBUTES);
}
static void pack_plain(gpu_vertex *d, vertex *s, size_t n) {
    size_t i;
    int k;
    for (i = 0; i < n; i++) {
        for (k = 0; k < 3; k++) d[i].position[k] = mpx_f16_from_f32(s[i].position[k]);
        d[i].normal = 0;
        for (k = 0; k < 3; k++)
            d[i].normal |= (norm(s[i].normal[k], -1, 511) & 1023u) << 10 * k;
        for (k = 0; k < 2; k++) d[i].uv[k] = (uint16_t)norm(s[i].uv[k], 0, 65535);
        for (k = 0; k < 4; k++) d[i].colour[k] = (uint8_t)norm(s[i].colour[k], 0, 255);
    }
}
static void unpack_plain(gpu_vertex *s, vertex *d, size_t n) {
    size_t i;
    int k;
    for (i = 0; i < n; i++) {
        for (k = 0; k < 3; k++) d[i].position[k] = mpx_f16_to_f32(s[i].position[k]);
        for (k = 0; k < 3; k++) d[i].normal[k] = signed_field(s[i].normal, 10 * k);
        for (k = 0; k < 2; k++) d[i].uv[k] = (float)s[i].uv[k] / 65535;
        for (k = 0; k < 4; k++) d[i].colour[k] = (float)s[i].colour[k] / 255;
    }
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
typedef void pass_fn(gpu_vertex *packed, vertex *floats, size_t n);
static const struct { const char *name; pass_fn *run; } passes[] = {
    { "pack", pack_mpx }, { "pack, plain loop", pack_plain },
    { "unpack", unpack_mpx }, { "unpack, plain loop", unpack_plain },
};

int main(void) {
    static const size_t counts[] = { 256, 1 << 20 };
    const size_t most = counts[1];
    vertex *floats = (vertex *)malloc(most * sizeof *floats);
    gpu_vertex *packed = (gpu_vertex *)calloc(most, sizeof *packed);
    size_t i, c, p;
    if (floats == NULL || packed == NULL) return 1;
    for (i = 0; i < most * (sizeof *floats / sizeof(float)); i++)
        ((float *)(void *)floats)[i] = (float)(i * 2654435761u >> 8 & 0xffff) / 32768 - 0.5f;
    printf("%-20s %10s %12s %8s   (%s)\n", "", "vertices", "ns a vertex", "GB/s", mpx_isa());
    for (c = 0; c < 2; c++)
        for (p = 0; p < sizeof passes / sizeof passes[0]; p++) {
            double best = 1e30;
            int run;
            for (run = 0; run < (c == 0 ? 3000 : 12); run++) {
                const double start = now();
                double passed;
                passes[p].run(packed, floats, counts[c]);
                passed = now() - start;
                best = passed < best ? passed : best;
            }
            best /= (double)counts[c];
            printf("%-20s %10lu %12.2f %8.2f\n", passes[p].name, (unsigned long)counts[c], best,
                   (double)(sizeof *floats + sizeof *packed) / best);
        }
    free(floats);
    free(packed);
    return 0;
}
