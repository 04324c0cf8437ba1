/* tensor.h - arrays stored in any dtype, computed with in f32.

   A tensor is an mpx_leaf. Its elements are widened to f32 when they are read, and rounded to its
   dtype when they are written: what the matrix unit of a GPU does, with mpx_cast on either side. */
#ifndef DEMO_TENSOR_H
#define DEMO_TENSOR_H

#include "mpx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* What is allocated is freed all at once. */
typedef struct pool {
    void *blocks[64];
    int count;
} pool;

/* size bytes of zeros. */
static void *allocate(pool *memory, size_t size) {
    void *block = calloc(size > 0 ? size : 1, 1);
    if (block == NULL || memory->count == (int)(sizeof memory->blocks / sizeof block)) {
        fprintf(stderr, "digits: out of memory\n");
        exit(1);
    }
    return memory->blocks[memory->count++] = block;
}

static float *allocate_floats(pool *memory, size_t count) {
    return (float *)allocate(memory, count * sizeof(float));
}

static void pool_free(pool *memory) {
    while (memory->count > 0) free(memory->blocks[--memory->count]);
}

static mpx_leaf tensor_new(pool *memory, const char *path, mpx_dtype dtype, size_t count) {
    mpx_leaf t;
    t.path = path;
    t.data = allocate(memory, mpx_dtype_bytes(dtype, count));
    t.count = count;
    t.dtype = dtype;
    return t;
}

static size_t tensors_bytes(const mpx_leaf *tensors, size_t count) {
    size_t i, bytes = 0;
    for (i = 0; i < count; i++) bytes += mpx_dtype_bytes(tensors[i].dtype, tensors[i].count);
    return bytes;
}

/* ---- reading and writing: the first count elements ------------------------------------------- */

static void tensor_read(float *values, mpx_leaf t, size_t count) {
    mpx_cast(values, MPX_F32, t.data, t.dtype, count);
}

static void tensor_write(mpx_leaf t, const float *values, size_t count) {
    mpx_cast(t.data, t.dtype, values, MPX_F32, count);
}

/* What is left of values once they have been stored in a dtype. */
static void round_to(float *values, mpx_dtype dtype, size_t count) {
    unsigned char stored[512 * sizeof(double)];
    size_t n;
    for (; dtype != MPX_F32 && count > 0; values += n, count -= n) {
        n = count < 512 ? count : 512;
        mpx_cast(stored, dtype, values, MPX_F32, n);
        mpx_cast(values, MPX_F32, stored, dtype, n);
    }
}

static size_t count_nonzero(const float *values, size_t count) {
    size_t i, nonzero = 0;
    for (i = 0; i < count; i++) nonzero += values[i] == 0.0f ? 0 : 1;
    return nonzero;
}

/* Gradients that are not zero: when written, in f32, and when read back. The rest was lost. */
typedef struct gradient_count {
    double written, read;
} gradient_count;

static void gradient_write(mpx_leaf t, const float *values, gradient_count *nonzero) {
    nonzero->written += (double)count_nonzero(values, t.count);
    tensor_write(t, values, t.count);
}

static void gradient_read(float *values, mpx_leaf t, gradient_count *nonzero) {
    tensor_read(values, t, t.count);
    nonzero->read += (double)count_nonzero(values, t.count);
}

/* ---- arithmetic in f32 ----------------------------------------------------------------------- */

enum { TILE = 8 }; /* columns whose sums a compiler keeps in registers */

/* c = a b for b of inner x cols; element (i, k) of a is a[i * row_step + k * step]. */
static void matmul(float *c, const float *a, size_t row_step, size_t step, const float *b,
                   size_t rows, size_t inner, size_t cols) {
    size_t i, j, k, t;
    for (i = 0; i < rows; i++) {
        for (j = 0; j + TILE <= cols; j += TILE) {
            float sums[TILE] = { 0 };
            for (k = 0; k < inner; k++) {
                float x = a[i * row_step + k * step];
                for (t = 0; t < TILE; t++) sums[t] += x * b[k * cols + j + t];
            }
            memcpy(c + i * cols + j, sums, sizeof sums);
        }
        for (; j < cols; j++) {
            float sum = 0;
            for (k = 0; k < inner; k++) sum += a[i * row_step + k * step] * b[k * cols + j];
            c[i * cols + j] = sum;
        }
    }
}

static void transpose(float *dst, const float *src, size_t rows, size_t cols) {
    size_t i, j;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < cols; j++) dst[j * rows + i] = src[i * cols + j];
    }
}

static void add_to_rows(float *values, const float *bias, size_t rows, size_t cols) {
    size_t i, j;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < cols; j++) values[i * cols + j] += bias[j];
    }
}

static void sum_of_rows(float *sums, const float *values, size_t rows, size_t cols) {
    size_t i, j;
    for (j = 0; j < cols; j++) sums[j] = 0;
    for (i = 0; i < rows; i++) {
        for (j = 0; j < cols; j++) sums[j] += values[i * cols + j];
    }
}

static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

/* The next float in [-1, 1), by splitmix64. */
static float random_float(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (float)(z >> 40) / 8388608.0f - 1.0f;
}

#endif
