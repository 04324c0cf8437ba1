/* What bench/compute_peers.py calls: compute with plain arguments and a workspace of its own. */
#define MPX_COMPUTE 1
#include "mpx.h"
#include <stdlib.h>
#include <string.h>

static mpx_matrix matrix_of(const void *data, int type, const char *how, size_t rows, size_t cols) {
    mpx_matrix w;
    memset(&w, 0, sizeof w);
    w.data = data;
    w.type = (mpx_dtype)type;
    w.rows = rows;
    w.cols = cols;
    if (how != NULL) (void)mpx_quant_parse(how, &w.quant, NULL);
    return w;
}
/* The bytes of a quantized matrix; dst may be NULL. */
size_t shim_quantize(void *dst, const char *how, const float *src, size_t rows, size_t cols);
size_t shim_quantize(void *dst, const char *how, const float *src, size_t rows, size_t cols) {
    const mpx_matrix w = matrix_of(NULL, MPX_F32, how, rows, cols);
    if (dst != NULL && mpx_quantize(dst, w.quant, src, MPX_F32, rows, cols) != MPX_OK) return 0;
    return mpx_quant_bytes(w.quant, rows, cols);
}
int shim_dequantize(float *dst, const char *how, const void *src, size_t rows, size_t cols);
int shim_dequantize(float *dst, const char *how, const void *src, size_t rows, size_t cols) {
    return mpx_dequantize(dst, MPX_F32, src, matrix_of(NULL, MPX_F32, how, rows, cols).quant, rows, cols);
}
int shim_matvec(void *y, int y_type, const void *w, int w_type, const char *how, const void *x, int x_type, size_t rows,
                size_t cols);
int shim_matvec(void *y, int y_type, const void *w, int w_type, const char *how, const void *x, int x_type, size_t rows,
                size_t cols) {
    return mpx_matvec_with(y, (mpx_dtype)y_type, matrix_of(w, w_type, how, rows, cols), x, (mpx_dtype)x_type, NULL);
}
int shim_matmul(void *c, const void *a, const void *b, int type, size_t n);
int shim_matmul(void *c, const void *a, const void *b, int type, size_t n) {
    static void *workspace;
    static size_t size;
    const mpx_matrix left = matrix_of(a, type, NULL, n, n), right = matrix_of(b, type, NULL, n, n);
    mpx_matmul_options opt;
    memset(&opt, 0, sizeof opt);
    if (mpx_matmul_workspace(right, &opt) > size) {
        free(workspace);
        size = mpx_matmul_workspace(right, &opt);
        workspace = malloc(size);
    }
    opt.workspace = workspace;
    opt.workspace_size = size;
    return mpx_matmul(c, (mpx_dtype)type, left, right, &opt);
}
/* A step of AdamW: gradients in bf16, unscaled and clipped; f32 masters, and copies in bf16. */
int shim_adamw(float *master, float *m, float *v, void *param, const void *grad, size_t n, float scale, float max_norm);
int shim_adamw(float *master, float *m, float *v, void *param, const void *grad, size_t n, float scale,
               float max_norm) {
    mpx_optimizer opt;
    mpx_optimizer_arrays x;
    memset(&opt, 0, sizeof opt);
    memset(&x, 0, sizeof x);
    opt.lr = 1e-3;
    opt.weight_decay = 0.01;
    opt.loss_scale = scale;
    opt.max_norm = max_norm;
    opt.step = 9;
    x.master = master, x.m = m, x.v = v, x.n = n;
    x.param = param, x.grad = grad;
    x.param_type = x.grad_type = MPX_BF16;
    return mpx_optimizer_step(&opt, &x, 1, NULL, NULL);
}
