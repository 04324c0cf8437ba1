/* A transformer that makes tokens, as llama2.c has it, with its weights in one format after the
   other: tokens a second, and how far the logits are from those of float32. One call does all that
   reads weights: mpx_matvec_with. The weights are random numbers; 110 million of them, with
   a count of tokens (-march=native: 1.6 to 1.9 times as fast in bf16, 2 to 3 in f8e4m3fn and q8_0; make
   bench-compute):

       llama 16

   or 2 million without, when no times are printed.

       cc -O2 -I. examples/llama.c -o llama -lm

   prints

       weights                     KB closer than
       f32                       6267      998 dB
       bf16                      3133       48 dB
       f16                       3133       66 dB
       f8e4m3fn                  1567       23 dB
       int8, groups of 64        1665       38 dB
       q8_0                      1665       38 dB
       q4_0                       881       14 dB
       mxfp8_e4m3                1616       24 dB
       mxfp4                      832       11 dB
*/
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_IMPLEMENTATION
#define MPX_COMPUTE 1
#include "mpx.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Rows * cols weights by a plain loop, for comparison: bench-compute compiles one with other flags. */
#ifdef PLAIN_LOOP
void plain_matvec(float *y, const float *w, const float *x, int rows, int cols);
#endif

typedef struct shape { size_t dim, hidden, layers, heads, vocabulary, steps; } shape;
enum { WQ, WK, WV, WO, W1, W2, W3, PER_LAYER };

typedef struct model {
    shape s;
    mpx_matrix *w;  /* PER_LAYER for each layer, then the classifier */
    float *x, *h, *h2, *q, *k, *v, *keys, *values, *scores, *logits, *turn;
    int plain;
} model;

static void *get(size_t size) {
    void *p = malloc(size);
    if (p == NULL) printf("no memory\n"), exit(1);
    return p;
}
static uint32_t seed = 1;
static float number(void) { /* about normal, a standard deviation of 0.02 */
    float sum = 0;
    int i;
    for (i = 0; i < 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum += (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
    return sum * 0.035f;
}
static mpx_matrix random_matrix(size_t rows, size_t cols) {
    float *data = (float *)get(rows * cols * 4);
    mpx_matrix m;
    size_t i;
    memset(&m, 0, sizeof m);
    for (i = 0; i < rows * cols; i++)
        data[i] = number();
    m.data = data;
    m.type = MPX_F32;
    m.rows = rows;
    m.cols = cols;
    return m;
}
static mpx_matrix shaped(const shape *s, size_t i) {
    const size_t last = s->layers * PER_LAYER, kind = i % PER_LAYER;
    if (i == last) return random_matrix(s->vocabulary, s->dim);
    if (kind == W1 || kind == W3) return random_matrix(s->hidden, s->dim);
    if (kind == W2) return random_matrix(s->dim, s->hidden);
    return random_matrix(s->dim, s->dim);
}

/* The same weights as a dtype or a quantized format. 0: there is no such. */
static int convert(mpx_matrix *to, const mpx_matrix *from, const char *format, size_t *bytes) {
    const size_t n = from->rows * from->cols;
    mpx_dtype type;
    void *data;
    *to = *from;
    if (mpx_dtype_parse(format, &type) == MPX_OK) {
        *bytes += mpx_dtype_bytes(type, n);
        to->data = data = get(mpx_dtype_bytes(type, n));
        to->type = type;
        return mpx_cast(data, type, from->data, MPX_F32, n) == MPX_OK;
    }
    if (strcmp(format, "int8, groups of 64") == 0) {
        to->quant.scheme = MPX_SCHEME_LINEAR;
        to->quant.element = MPX_I8;
        to->quant.scope = MPX_SCOPE_BLOCK;
        to->quant.block = 64;
    } else if (mpx_quant_parse(format, &to->quant, NULL) != MPX_OK) {
        return 0;
    }
    *bytes += mpx_quant_bytes(to->quant, to->rows, to->cols);
    to->data = data = get(mpx_quant_bytes(to->quant, to->rows, to->cols));
    return mpx_quantize(data, to->quant, from->data, MPX_F32, to->rows, to->cols) == MPX_OK;
}

static void times(const model *m, float *y, size_t layer, size_t which, const float *x) {
    const mpx_matrix *w = &m->w[layer * PER_LAYER + which];
#ifdef PLAIN_LOOP
    if (m->plain) {
        plain_matvec(y, (const float *)w->data, x, (int)w->rows, (int)w->cols);
        return;
    }
#endif
    if (mpx_matvec_with(y, MPX_F32, *w, x, MPX_F32, NULL) != MPX_OK) printf("no matvec\n"), exit(1);
}
static void rms_norm(float *y, const float *x, size_t n) {
    float sum = 0;
    size_t i;
    for (i = 0; i < n; i++)
        sum += x[i] * x[i];
    sum = 1 / sqrtf(sum / (float)n + 1e-5f);
    for (i = 0; i < n; i++)
        y[i] = x[i] * sum;
}
/* cos and sin of the angles of a position, for the pairs of a head. */
static void angles(float *turn, size_t head, size_t position) {
    size_t i;
    for (i = 0; i < head; i += 2) {
        const float angle = (float)position * powf(10000.0f, -(float)i / (float)head);
        turn[i] = cosf(angle);
        turn[i + 1] = sinf(angle);
    }
}
static void rotate(float *x, size_t dim, size_t head, const float *turn) {
    size_t i;
    for (i = 0; i < dim; i += 2) {
        const float c = turn[i % head], s = turn[i % head + 1], a = x[i], b = x[i + 1];
        x[i] = a * c - b * s;
        x[i + 1] = a * s + b * c;
    }
}
static void attend(const model *m, float *out, const float *keys, const float *values, size_t position) {
    const size_t dim = m->s.dim, head = dim / m->s.heads;
    size_t h, t, i;
    for (h = 0; h < m->s.heads; h++) {
        float largest = -1e30f, sum = 0;
        for (t = 0; t <= position; t++) {
            m->scores[t] = mpx_dot(m->q + h * head, MPX_F32, keys + t * dim + h * head, MPX_F32, head) /
                           sqrtf((float)head);
            largest = m->scores[t] > largest ? m->scores[t] : largest;
        }
        for (t = 0; t <= position; t++)
            sum += m->scores[t] = expf(m->scores[t] - largest);
        for (i = 0; i < head; i++)
            out[h * head + i] = 0;
        for (t = 0; t <= position; t++)
            for (i = 0; i < head; i++)
                out[h * head + i] += m->scores[t] / sum * values[t * dim + h * head + i];
    }
}
/* The token after `token`, which is at `position`. The classifier's rows serve as embeddings. */
static size_t forward(model *m, const float *embeddings, size_t token, size_t position) {
    const shape *s = &m->s;
    const size_t dim = s->dim, cache = s->steps * dim;
    size_t layer, i, best = 0;
    memcpy(m->x, embeddings + token * dim, dim * 4);
    angles(m->turn, dim / s->heads, position);
    for (layer = 0; layer < s->layers; layer++) {
        float *keys = m->keys + layer * cache, *values = m->values + layer * cache;
        rms_norm(m->h, m->x, dim);
        times(m, m->q, layer, WQ, m->h);
        times(m, keys + position * dim, layer, WK, m->h);
        times(m, values + position * dim, layer, WV, m->h);
        rotate(m->q, dim, dim / s->heads, m->turn);
        rotate(keys + position * dim, dim, dim / s->heads, m->turn);
        attend(m, m->h, keys, values, position);
        times(m, m->v, layer, WO, m->h);
        for (i = 0; i < dim; i++)
            m->x[i] += m->v[i];
        rms_norm(m->h, m->x, dim);
        times(m, m->h2, layer, W1, m->h);
        times(m, m->k, layer, W3, m->h);
        for (i = 0; i < s->hidden; i++)
            m->h2[i] = m->h2[i] / (1 + expf(-m->h2[i])) * m->k[i];
        times(m, m->v, layer, W2, m->h2);
        for (i = 0; i < dim; i++)
            m->x[i] += m->v[i];
    }
    rms_norm(m->x, m->x, dim);
    times(m, m->logits, s->layers, 0, m->x);
    for (i = 1; i < s->vocabulary; i++)
        if (m->logits[i] > m->logits[best]) best = i;
    return best;
}
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* Seconds for one token: the fastest of all. The tokens are given, so that formats can be compared. */
static double run(model *m, const float *embeddings) {
    double best = 1e30;
    size_t i;
    for (i = 0; i < m->s.steps; i++) {
        const double start = seconds();
        (void)forward(m, embeddings, (i * 7919 + 1) % m->s.vocabulary, i);
        if (seconds() - start < best) best = seconds() - start;
    }
    return best;
}
/* The error of a against b, over b's magnitude, in decibels. */
static double decibels(const float *a, const float *b, size_t n) {
    double error = 0, all = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        error += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        all += (double)b[i] * (double)b[i];
    }
    return error > 0 ? 10 * log10(all / error) : 999;
}

static void give_back(model *m, mpx_matrix *master, size_t count) {
    float *const rows[] = { m->x, m->turn, m->h, m->q, m->v, m->h2, m->k, m->keys, m->values, m->scores, m->logits };
    size_t i;
    for (i = 0; i < count; i++)
        free((void *)(uintptr_t)master[i].data);
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        free(rows[i]);
    free(master);
    free(m->w);
}

int main(int argc, char **argv) {
    static const char *const formats[] = { "f32", "bf16", "f16", "f8e4m3fn", "int8, groups of 64", "q8_0", "q4_0",
                                           "mxfp8_e4m3", "mxfp4" };
    static const shape sizes[] = { { 768, 2048, 12, 12, 32000, 16 }, { 256, 512, 2, 4, 1000, 4 } };
    const int small = argc < 2;
    mpx_matrix *master;
    model m;
    float *want;
    double base = 0;
    size_t i, f, count;
    memset(&m, 0, sizeof m);
    m.s = sizes[small];
    if (!small) m.s.steps = atoi(argv[1]) > 0 ? (size_t)atoi(argv[1]) : 16;
    count = m.s.layers * PER_LAYER + 1;
    master = (mpx_matrix *)get(count * sizeof *master);
    m.w = (mpx_matrix *)get(count * sizeof *m.w);
    for (i = 0; i < count; i++)
        master[i] = shaped(&m.s, i);
    m.x = (float *)get(m.s.dim * 4);
    m.turn = (float *)get(m.s.dim * 4);
    m.h = (float *)get(m.s.dim * 4);
    m.q = (float *)get(m.s.dim * 4);
    m.v = (float *)get(m.s.dim * 4);
    m.h2 = (float *)get(m.s.hidden * 4);
    m.k = (float *)get(m.s.hidden * 4);
    m.keys = (float *)get(m.s.layers * m.s.steps * m.s.dim * 4);
    m.values = (float *)get(m.s.layers * m.s.steps * m.s.dim * 4);
    m.scores = (float *)get(m.s.steps * 4);
    m.logits = (float *)get(m.s.vocabulary * 4);
    want = (float *)get(m.s.vocabulary * 4);
    if (small)
        printf("%-20s %9s %s\n", "weights", "KB", "closer than");
    else
        printf("%s, one thread, %zu tokens\n%-20s %9s %10s %8s %11s\n", mpx_isa(), m.s.steps, "weights", "MB", "tokens/s",
               "over f32", "error, dB");
#ifdef PLAIN_LOOP
    memcpy(m.w, master, count * sizeof *master);
    m.plain = 1;
    base = run(&m, (const float *)master[count - 1].data);
    printf("%-20s %9s %10.2f\n", "a plain loop, f32", "", 1 / base);
    m.plain = 0;
#endif
    for (f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        size_t bytes = 0;
        double time, error;
        for (i = 0; i < count; i++)
            if (!convert(&m.w[i], &master[i], formats[f], &bytes)) return printf("no %s\n", formats[f]), 1;
        time = run(&m, (const float *)master[count - 1].data);
        if (f == 0) {
            base = time;
            memcpy(want, m.logits, m.s.vocabulary * 4);
        }
        error = decibels(m.logits, want, m.s.vocabulary);
        if (small)
            printf("%-20s %9.0f %8d dB\n", formats[f], (double)bytes / 1e3, (int)(error - 0.35));
        else
            printf("%-20s %9.1f %10.2f %8.2f %11.1f\n", formats[f], (double)bytes / 1e6, 1 / time, base / time, error);
        fflush(stdout);
        for (i = 0; i < count; i++)
            free((void *)(uintptr_t)m.w[i].data);
    }
    give_back(&m, master, count);
    free(want);
    return 0;
}
