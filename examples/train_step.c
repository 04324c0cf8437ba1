/* The whole mixed-precision step on a linear regression: f32 master weights, an f16 copy to compute
   with, f16 gradients of a scaled loss, checked and unscaled in one pass; steps that overflow are
   skipped. The scale survives a checkpoint.

       cc -O2 -I. examples/train_step.c -o train_step

   prints

       step  1  loss 3.625  scale 65536  overflow: skipped
       step  2  loss 3.625  scale 32768  overflow: skipped
       step  3  loss 3.625  scale 16384  update
       step  4  loss 1.656  scale 16384  update
       step  5  loss 0.864  scale 16384  update
       step  6  loss 0.506  scale 32768  update
       step  7  loss 0.322  scale 32768  update
       step  8  loss 0.216  scale 32768  update
       step  9  loss 0.149  scale 65536  update
       step 10  loss 0.105  scale 65536  update
       weights 1.889 -0.840 0.277
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

enum { WEIGHTS = 3, SAMPLES = 4 };
static const float x[SAMPLES][WEIGHTS] = { { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 2 } };
static const float y[SAMPLES] = { 2.0f, -1.0f, 1.5f, 0.0f }; /* by the weights 2, -1, 0.5 */

/* Forward and backward in f16: the gradients of scale * loss by the weights. Returns the loss. */
static float backward(uint16_t *grads, const uint16_t *weights, mpx_loss_scale scale) {
    float sum[WEIGHTS] = { 0, 0, 0 }, loss = 0;
    int i, j;
    for (i = 0; i < SAMPLES; i++) {
        float error = -y[i], seed;
        for (j = 0; j < WEIGHTS; j++) error += mpx_f16_to_f32(weights[j]) * x[i][j];
        seed = mpx_loss_scale_scale(scale, error);
        for (j = 0; j < WEIGHTS; j++) sum[j] += seed * x[i][j];
        loss += 0.5f * error * error;
    }
    for (j = 0; j < WEIGHTS; j++) grads[j] = mpx_f16_from_f32(sum[j]);
    return loss;
}

int main(void) {
    float weights[WEIGHTS] = { 0, 0, 0 }, grads[WEIGHTS];
    uint16_t weights_f16[WEIGHTS], grads_f16[WEIGHTS];
    mpx_leaf leaf[4] = { { "w", weights, WEIGHTS, MPX_F32 }, { "w", weights_f16, WEIGHTS, MPX_F16 },
                         { "w", grads, WEIGHTS, MPX_F32 },   { "w", grads_f16, WEIGHTS, MPX_F16 } };
    mpx_tree master = mpx_tree_of_leaves(&leaf[0], 1), compute = mpx_tree_of_leaves(&leaf[1], 1);
    mpx_tree grad = mpx_tree_of_leaves(&leaf[2], 1), grad_low = mpx_tree_of_leaves(&leaf[3], 1);
    mpx_loss_scale scale = mpx_loss_scale_dynamic(65536.0f);
    unsigned char checkpoint[MPX_LOSS_SCALE_BYTES];
    int step, j, finite;
    scale.period = 3;
    if (mpx_loss_scale_check(scale) != MPX_OK) return 1;

    for (step = 1; step <= 10; step++) {
        const float used = mpx_loss_scale_value(scale);
        float loss;
        if (mpx_tree_cast(compute, master, NULL) != MPX_OK) return 1;
        loss = backward(grads_f16, weights_f16, scale);
        if (mpx_loss_scale_unscale_tree(grad, grad_low, scale, &finite, NULL) != MPX_OK) return 1;
        for (j = 0; finite && j < WEIGHTS; j++) weights[j] -= 0.25f * grads[j];
        scale = mpx_loss_scale_adjust(scale, finite);
        printf("step %2d  loss %.3f  scale %5.0f  %s\n", step, (double)loss, (double)used,
               finite ? "update" : "overflow: skipped");

        if (step == 6) { /* written to a file here, read by the next run */
            if (mpx_loss_scale_save(scale, checkpoint) != MPX_OK) return 1;
            scale = mpx_loss_scale_noop();
            if (mpx_loss_scale_load(checkpoint, sizeof checkpoint, &scale) != MPX_OK) return 1;
        }
    }
    printf("weights %.3f %.3f %.3f\n", (double)weights[0], (double)weights[1], (double)weights[2]);
    return 0;
}
