/* ggml: rows of f16 and bf16, by its CPU back end. */
#include "peer.h"
#include "ggml-cpu.h"
#include "ggml.h"

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

__attribute__((constructor)) static void start(void) { ggml_cpu_init(); }

static const peer_row rows[] = { { "f32->f16", f32_f16 },
                                 { "f16->f32", f16_f32 },
                                 { "f32->bf16", f32_bf16 },
                                 { "bf16->f32", bf16_f32 },
                                 { NULL, NULL } };
PEER("ggml", rows)
