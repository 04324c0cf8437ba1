/* ggml, by its CPU back end: rows of f16 and bf16, products of a matrix and a vector, blocks of GGUF. */
#include "peer.h"
#include "ggml-cpu.h"
#include "ggml.h"
#include <stdlib.h>

static void f32_f16(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    ggml_cpu_fp32_to_fp16((const float *)src, (ggml_fp16_t *)dst, (int64_t)n);
}
static void f16_f32(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    ggml_cpu_fp16_to_fp32((const ggml_fp16_t *)src, (float *)dst, (int64_t)n);
}
static void f32_bf16(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    ggml_cpu_fp32_to_bf16((const float *)src, (ggml_bf16_t *)dst, (int64_t)n);
}
static void bf16_f32(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    ggml_cpu_bf16_to_fp32((const ggml_bf16_t *)src, (float *)dst, (int64_t)n);
}

/* y = W x in one thread, for bench/compute_peers.py; 1: the type or the size is refused. */
__attribute__((visibility("default"))) int peer_matvec(float *y, void *w, int type, float *x, size_t rows, size_t cols);
int peer_matvec(float *y, void *w, int type, float *x, size_t rows, size_t cols) {
    static _Alignas(64) char place[1 << 16];
    static unsigned char *work;
    static size_t work_size;
    struct ggml_context *context = ggml_init((struct ggml_init_params) { sizeof place, place, true });
    struct ggml_tensor *a = ggml_new_tensor_2d(context, (enum ggml_type)type, (int64_t)cols, (int64_t)rows),
                       *b = ggml_new_tensor_1d(context, GGML_TYPE_F32, (int64_t)cols), *c = ggml_mul_mat(context, a, b);
    struct ggml_cgraph *graph = ggml_new_graph_custom(context, 8, false);
    struct ggml_cplan plan;
    int failed;
    a->data = w, b->data = x, c->data = y;
    ggml_build_forward_expand(graph, c);
    plan = ggml_graph_plan(graph, 1, NULL);
    if (plan.work_size > work_size) work = realloc(work, work_size = plan.work_size);
    plan.work_data = work;
    failed = ggml_graph_compute(graph, &plan) != GGML_STATUS_SUCCESS;
    ggml_free(context);
    return failed;
}

/* Blocks of GGUF from f32 and to f32, for bench/compute_peers.py; 1: ggml has no such function. */
__attribute__((visibility("default"))) int peer_blocks(void *dst, const void *src, int type, size_t rows, size_t cols,
                                                       int back);
int peer_blocks(void *dst, const void *src, int type, size_t rows, size_t cols, int back) {
    const ggml_to_float_t to_float = ggml_get_type_traits((enum ggml_type)type)->to_float;
    if (!back)
        return ggml_quantize_chunk((enum ggml_type)type, (const float *)src, dst, 0, (int64_t)rows, (int64_t)cols,
                                   NULL) == 0;
    if (to_float != NULL) to_float(src, (float *)dst, (int64_t)(rows * cols));
    return to_float == NULL;
}

__attribute__((constructor)) static void start(void) { ggml_cpu_init(); }

static const peer_row rows[] = { { "f32->f16", f32_f16 },
                                 { "f16->f32", f16_f32 },
                                 { "f32->bf16", f32_bf16 },
                                 { "bf16->f32", bf16_f32 },
                                 { NULL, NULL } };
PEER("ggml", rows)
