/* Mixed precision from nothing: docs/guide.md explains this program. A network with one input, 16 hidden values and
   one output learns the curve y = x * x under four policies. Then its weights are stored in fewer bits.

       cc -O2 -I. examples/guide.c -o guide

   prints

       float32   0.100000001   2049   70000   1e-08
       float16   0.0999755859  2048   inf     0
       bfloat16  0.100097656   2048   70144   1.00117e-08
       policy              loss    lost   skipped  scale
       p=f32,c=f32,o=f32   0.0001    0 %        0  1
       p=f32,c=bf16,o=f32  0.0001    0 %        0  1
       p=f32,c=f16,o=f32   0.0312   97 %        0  1
       p=f32,c=f16,o=f32   0.0001    0 %        8  4.29497e+09
       weights             loss    size
       f8e4m3fn            0.0006   68 bytes
       int8                0.0001   68 bytes
       int4/16             0.0012   52 bytes
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

enum { HIDDEN = 16, SAMPLES = 256, STEPS = 2000, WEIGHTS = 3 * HIDDEN + 1 };
static const float SMALL = 1.0f / 65536; /* what the layers of a deep network do to its gradients */
static const mpx_tensor tensors[4] = { { "hidden/weight", 0, HIDDEN }, { "hidden/bias", HIDDEN, HIDDEN },
                                       { "output/weight", 2 * HIDDEN, HIDDEN }, { "output/bias", 3 * HIDDEN, 1 } };

/* The network at all samples: the mean squared error, and in grads its gradients * SMALL * scale. All that is stored
   is rounded to dtype. Gradients that this turns to zero are counted. */
static float backward(void *grads, const void *weights, mpx_dtype dtype, mpx_loss_scale scale, int *lost) {
    float w[WEIGHTS], sums[WEIGHTS] = { 0 }, hidden[HIDDEN], *out = w + 2 * HIDDEN, loss = 0, x, y, error, g;
    int i, j;
    if (mpx_cast(w, MPX_F32, weights, dtype, WEIGHTS) != MPX_OK) return -1;
    for (i = 0; i < SAMPLES; i++) {
        x = (float)i / (SAMPLES / 2) - 1;
        for (j = 0; j < HIDDEN; j++) hidden[j] = w[j] * x + w[HIDDEN + j] > 0 ? w[j] * x + w[HIDDEN + j] : 0;
        mpx_round_to(hidden, hidden, HIDDEN, dtype);
        for (y = out[HIDDEN], j = 0; j < HIDDEN; j++) y += out[j] * hidden[j];
        error = y - x * x;
        loss += error * error / (float)SAMPLES;
        g = mpx_loss_scale_scale(scale, 2 * error / (float)SAMPLES * SMALL); /* by the output */
        mpx_round_to(&g, &g, 1, dtype);
        *lost += g == 0;
        for (j = 0; j < HIDDEN; j++) {
            sums[j] += hidden[j] > 0 ? g * out[j] * x : 0;
            sums[HIDDEN + j] += hidden[j] > 0 ? g * out[j] : 0;
            sums[2 * HIDDEN + j] += g * hidden[j];
        }
        sums[3 * HIDDEN] += g;
    }
    return mpx_cast(grads, dtype, sums, MPX_F32, WEIGHTS) == MPX_OK ? loss : -1;
}

static int train(float *weights, const char *text, mpx_loss_scale scale) {
    float grads[WEIGHTS], speed[WEIGHTS] = { 0 }, low_weights[WEIGHTS], low_grads[WEIGHTS], loss = 0;
    mpx_leaf leaves[4][4];
    mpx_tree master = mpx_tree_of_leaves(leaves[0], 4), working = mpx_tree_of_leaves(leaves[1], 4);
    mpx_tree gradient = mpx_tree_of_leaves(leaves[2], 4), low_gradient = mpx_tree_of_leaves(leaves[3], 4);
    mpx_policy policy;
    mpx_error err;
    unsigned char checkpoint[MPX_LOSS_SCALE_BYTES];
    int step, i, finite, lost = 0, skipped = 0;
    if (mpx_policy_parse(text, &policy, &err) != MPX_OK) return 1;
    mpx_leaves_of_tensors(leaves[0], tensors, 4, weights, policy.param);
    mpx_leaves_of_tensors(leaves[1], tensors, 4, low_weights, policy.compute);
    mpx_leaves_of_tensors(leaves[2], tensors, 4, grads, policy.param);
    mpx_leaves_of_tensors(leaves[3], tensors, 4, low_grads, policy.compute);
    for (i = 0; i < WEIGHTS; i++) weights[i] = (float)(i * 37 % 49 - 24) / 48;
    for (step = 0; step < STEPS; step++) {
        if (mpx_tree_cast(working, master, &err) != MPX_OK) return 1;
        loss = backward(low_grads, low_weights, policy.compute, scale, &lost);
        if (mpx_loss_scale_unscale_tree(gradient, low_gradient, scale, &finite, &err) != MPX_OK) return 1;
        for (i = 0; finite && i < WEIGHTS; i++) {
            speed[i] = 0.9f * speed[i] + grads[i] / SMALL;
            weights[i] -= 0.03f * speed[i];
        }
        skipped += !finite;
        scale = mpx_loss_scale_adjust(scale, finite);
    }
    if (mpx_loss_scale_save(scale, checkpoint) != MPX_OK) return 1;
    if (mpx_loss_scale_load(checkpoint, sizeof checkpoint, &scale) != MPX_OK) return 1;
    printf("%-18s  %6.4f  %3d %%  %7d  %g\n", text, (double)loss, lost / SAMPLES * 100 / STEPS, skipped,
           (double)mpx_loss_scale_value(scale));
    return 0;
}

static int quantized(const float *weights, const char *format) {
    unsigned char codes[256];
    float back[WEIGHTS], grads[WEIGHTS], loss;
    mpx_quant q;
    int lost = 0;
    if (mpx_quant_parse(format, &q, NULL) != MPX_OK || mpx_quant_bytes(q, 1, WEIGHTS) > sizeof codes) return 1;
    if (mpx_quantize(codes, q, weights, MPX_F32, 1, WEIGHTS) != MPX_OK) return 1;
    if (mpx_dequantize(back, MPX_F32, codes, q, 1, WEIGHTS) != MPX_OK) return 1;
    loss = backward(grads, back, MPX_F32, mpx_loss_scale_noop(), &lost);
    printf("%-18s  %6.4f  %3u bytes\n", format, (double)loss, (unsigned)mpx_quant_bytes(q, 1, WEIGHTS));
    return 0;
}

int main(void) {
    static const float numbers[4] = { 0.1f, 2049.0f, 70000.0f, 1e-8f };
    static const mpx_dtype dtypes[3] = { MPX_F32, MPX_F16, MPX_BF16 };
    static const char *formats[3] = { "f8e4m3fn", "int8", "int4/16" };
    mpx_loss_scale none = mpx_loss_scale_noop(), dynamic = mpx_loss_scale_dynamic(1099511627776.0f); /* 2^40 */
    float weights[WEIGHTS], rounded[4];
    int i, wrong;
    for (i = 0; i < 3; i++) {
        if (mpx_round_to(rounded, numbers, 4, dtypes[i]) != MPX_OK) return 1;
        printf("%-8s  %-12.9g  %-5g  %-6g  %g\n", mpx_dtype_name(dtypes[i]), (double)rounded[0], (double)rounded[1],
               (double)rounded[2], (double)rounded[3]);
    }
    printf("policy              loss    lost   skipped  scale\n");
    wrong = train(weights, "p=f32,c=f32,o=f32", none) || train(weights, "p=f32,c=bf16,o=f32", none) ||
            train(weights, "p=f32,c=f16,o=f32", none) || train(weights, "p=f32,c=f16,o=f32", dynamic);
    printf("weights             loss    size\n");
    for (i = 0; i < 3; i++) wrong = wrong || quantized(weights, formats[i]);
    return wrong;
}
