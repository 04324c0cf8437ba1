/* Buffers on huge pages, and what is in them: normally distributed values, or special ones. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS, madvise under -std=c99 */
#endif
#if !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define HAVE_MMAP 1
#else
#define HAVE_MMAP 0
#endif

#define HUGE_PAGE ((size_t)2 << 20)
/* dst does not start at the same offset in its page as src, or stores would seem to hit loads. */
#define DST_OFFSET ((size_t)33 * 64)

/* ---- buffers --------------------------------------------------------------------------------- */

/* size bytes at a multiple of 2 MiB, written to once. The whole mapping goes to *map. */
static char *map_pages(size_t size, void **map, size_t *map_size) {
    uintptr_t address;
    *map_size = size + HUGE_PAGE;
#if HAVE_MMAP
    *map = mmap(NULL, *map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (*map == MAP_FAILED) *map = NULL;
#else
    *map = malloc(*map_size);
#endif
    if (*map == NULL) return NULL;
    address = ((uintptr_t)*map + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
#if HAVE_MMAP && defined(MADV_HUGEPAGE)
    (void)madvise((void *)address, size, MADV_HUGEPAGE);
#endif
    memset((void *)address, 1, size);
    return (char *)address;
}

static void unmap_pages(void *map, size_t size) {
    if (map == NULL) return;
#if HAVE_MMAP
    (void)munmap(map, size);
#else
    (void)size;
    free(map);
#endif
}

int bench_open(bench_buffers *b, size_t src_size, size_t dst_size) {
    memset(b, 0, sizeof *b);
    b->src_size = src_size > BENCH_CHECK_MAX ? src_size : BENCH_CHECK_MAX;
    b->dst_size = dst_size > 2 * BENCH_CHECK_MAX ? dst_size : 2 * BENCH_CHECK_MAX;
    b->src = map_pages(b->src_size, &b->maps[0], &b->map_sizes[0]);
    b->dst = map_pages(b->dst_size + DST_OFFSET, &b->maps[1], &b->map_sizes[1]);
    if (b->src == NULL || b->dst == NULL) return bench_close(b), 0;
    b->dst += DST_OFFSET;
    return 1;
}

void bench_close(bench_buffers *b) {
    unmap_pages(b->maps[0], b->map_sizes[0]);
    unmap_pages(b->maps[1], b->map_sizes[1]);
    memset(b, 0, sizeof *b);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Nearly normal: four uniform numbers added up; variance 1, and never close to zero, so that no
   result of any row is subnormal by chance more often than its format makes it. */
static float next_normal(void) {
    float x;
    do {
        uint64_t r = next_random();
        x = (float)((int)(r & 0xffff) + (int)(r >> 16 & 0xffff) + (int)(r >> 32 & 0xffff) +
                    (int)(r >> 48) - 131070);
        x /= 37837.0f;
    } while (x < 0x1p-10f && x > -0x1p-10f);
    return x;
}

static int32_t clamped(float x, float low, float high) {
    return (int32_t)(x < low ? low : x > high ? high : x);
}

/* The plain loops make the 16-bit formats and fp8: the data do not depend on what is measured. */
static const char *maker(mpx_dtype type) {
    switch (type) {
    case MPX_F16: return "f32->f16";
    case MPX_BF16: return "f32->bf16";
    case MPX_F8E4M3FN: return "f32->f8e4m3fn";
    case MPX_F8E5M2: return "f32->f8e5m2";
    default: return "f32->f4e2m1fn";
    }
}

static void store(char *p, mpx_dtype type, size_t i, const float *x) {
    double wide = (double)x[0] * 1.0000000123;
    int8_t i8 = (int8_t)clamped(x[0], -128, 127);
    uint8_t u8 = (uint8_t)clamped(x[0] < 0 ? -x[0] : x[0], 0, 255);
    int16_t i16 = (int16_t)clamped(x[0], -32768, 32767);
    int32_t i32 = clamped(x[0], -2147483520.0f, 2147483520.0f);
    uint32_t u32 = i32 < 0 ? 0u - (uint32_t)i32 : (uint32_t)i32;
    int64_t i64 = i32;
    switch (type) {
    case MPX_F64: memcpy(p + 8 * i, &wide, 8); break;
    case MPX_F32: memcpy(p + 4 * i, x, 4); break;
    case MPX_I8: memcpy(p + i, &i8, 1); break;
    case MPX_U8: memcpy(p + i, &u8, 1); break;
    case MPX_I16: memcpy(p + 2 * i, &i16, 2); break;
    case MPX_I32: memcpy(p + 4 * i, &i32, 4); break;
    case MPX_U32: memcpy(p + 4 * i, &u32, 4); break;
    case MPX_I64: memcpy(p + 8 * i, &i64, 8); break;
    case MPX_F4E2M1FN: bench_find(bench_plain_cc, maker(type))(NULL, p + i / 2, x, 2); break;
    default:
        bench_find(bench_plain_cc, maker(type))(NULL, p + i * (size_t)mpx_dtype_bits(type) / 8, x,
                                                1);
    }
}

enum { BLOCK = 1 << 16 }; /* elements that are made; the rest are copies */

int bench_is_filled(const bench_buffers *b, const bench_row *row, size_t n) {
    const bench_row *was = b->filled;
    if (was == NULL || b->filled_count < n) return 0;
    return was->src == row->src && was->magnitude == row->magnitude;
}

void bench_repeat(char *p, size_t block_bytes, size_t bytes) {
    size_t done;
    for (done = block_bytes; done < bytes; done *= 2)
        memcpy(p + done, p, done < bytes - done ? done : bytes - done);
}

void bench_fill(bench_buffers *b, const bench_row *row, size_t n) {
    int same = bench_is_filled(b, row, n);
    size_t i;
    b->filled = row;
    b->age = row->chain;
    if (same) return;
    b->filled_count = n;
    for (i = 0; i < n && i < BLOCK; i += row->src == MPX_F4E2M1FN ? 2 : 1) {
        float x[2];
        x[0] = next_normal() * row->magnitude;
        x[1] = next_normal() * row->magnitude;
        store(b->src, row->src, i, x);
    }
    bench_repeat(b->src, bench_src_bytes(row, i), bench_src_bytes(row, n));
}

/* Every upper half of an f32 with these lower ones: all classes, and the ties of all targets. */
static const uint32_t low_halves[] = { 0,      1,      0xfff,  0x1000, 0x1001,
                                       0x3000, 0x7fff, 0x8000, 0x8001, 0xffff };
enum { LOWS = (int)(sizeof low_halves / sizeof *low_halves) };

static size_t fill_words(char *p, mpx_dtype type) {
    size_t n = 0, high, k;
    for (high = 0; high < 65536; high++)
        for (k = 0; k < LOWS; k++, n++) {
            uint32_t u = (uint32_t)high << 16 | low_halves[k];
            float x;
            double wide;
            uint64_t around[3];
            memcpy(&x, &u, 4);
            wide = (double)x;
            memcpy(&around[1], &wide, 8);
            around[0] = around[1] - 1;
            around[2] = around[1] + 1;
            if (type == MPX_F64)
                memcpy(p + 24 * n, around, 24);
            else
                memcpy(p + 4 * n, &u, 4);
        }
    return type == MPX_F64 ? 3 * n : n;
}

size_t bench_fill_special(bench_buffers *b, const bench_row *row) {
    int bits = mpx_dtype_bits(row->src);
    size_t i;
    b->filled = NULL;
    b->age = row->chain;
    if (bits >= 32) return fill_words(b->src, row->src);
    for (i = 0; i < (bits == 16 ? 65536u : 256u); i++) {
        uint16_t code16 = (uint16_t)i;
        uint8_t code8 = (uint8_t)i;
        if (bits == 16)
            memcpy(b->src + 2 * i, &code16, 2);
        else
            memcpy(b->src + i, &code8, 1);
    }
    return bits < 8 ? i * 8 / (size_t)bits : i;
}

void bench_restore(bench_buffers *b, const bench_row *row, size_t n) {
    memcpy(b->dst, b->src, bench_src_bytes(row, n));
    b->age = 0;
    bench_reset_by();
}
