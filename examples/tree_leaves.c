/* One block of parameters with named tensors at known offsets, as in llm.c: a bf16 copy to compute
   with, refreshed each step (layer norms stay in f32); bf16 gradients are checked and unscaled into
   f32 in one pass.

       cc -O2 -I. examples/tree_leaves.c -o tree_leaves

   prints

       step 1: update  attn.qkv.w[0] 1.03125, computed with 1.0390625
       step 2: skip    attn.qkv.w[0] 1.03125, computed with 1.03125
       step 3: update  attn.qkv.w[0] 1.0234375, computed with 1.03125
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

enum { TENSORS = 4, LAYER_NORM = 1, PARAMETERS = 22 };
static const mpx_tensor tensors[TENSORS] = {
    { "wte", 0, 8 }, { "ln1.w", 8, 2 }, { "attn.qkv.w", 10, 8 }, { "attn.qkv.b", 18, 4 },
};
static float params_memory[PARAMETERS], grads_memory[PARAMETERS];
static uint16_t params_bf16[PARAMETERS], grads_bf16[PARAMETERS];

static int fail(const mpx_error *err) {
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_error_format(err, NULL, sentence, sizeof sentence);
    fprintf(stderr, "tree_leaves: %s\n", sentence);
    return 1;
}

int main(void) {
    mpx_leaf p_leaves[TENSORS], p_low_leaves[TENSORS], g_leaves[TENSORS], g_low_leaves[TENSORS];
    mpx_tree params = mpx_tree_of_leaves(p_leaves, TENSORS);
    mpx_tree params_low = mpx_tree_of_leaves(p_low_leaves, TENSORS);
    mpx_tree grads = mpx_tree_of_leaves(g_leaves, TENSORS);
    mpx_tree grads_low = mpx_tree_of_leaves(g_low_leaves, TENSORS);
    const float scale = 1024.0f;
    mpx_error err;
    int i, step, finite;

    mpx_leaves_of_tensors(p_leaves, tensors, TENSORS, params_memory, MPX_F32);
    mpx_leaves_of_tensors(p_low_leaves, tensors, TENSORS, params_bf16, MPX_BF16);
    mpx_leaves_of_tensors(g_leaves, tensors, TENSORS, grads_memory, MPX_F32);
    mpx_leaves_of_tensors(g_low_leaves, tensors, TENSORS, grads_bf16, MPX_BF16);
    p_low_leaves[LAYER_NORM] = p_leaves[LAYER_NORM]; /* what stays in f32 is shared, not copied */
    for (i = 0; i < PARAMETERS; i++) params_memory[i] = 1.0f + (float)i / 256.0f;

    for (step = 1; step <= 3; step++) {
        if (mpx_tree_cast(params_low, params, &err) != MPX_OK) return fail(&err);
        /* forward and backward: here every gradient is 1/16, times the scale; step 2 overflows */
        for (i = 0; i < PARAMETERS; i++) grads_bf16[i] = mpx_bf16_from_f32(scale / 16.0f);
        if (step == 2) grads_bf16[12] = 0x7f80;
        if (mpx_tree_unscale(grads, grads_low, scale, &finite, &err) != MPX_OK) return fail(&err);
        for (i = 0; finite && i < PARAMETERS; i++) params_memory[i] -= 0.125f * grads_memory[i];
        printf("step %d: %-7s attn.qkv.w[0] %.9g, computed with %.9g\n", step,
               finite ? "update" : "skip", (double)params_memory[10],
               (double)mpx_bf16_to_f32(params_bf16[10]));
    }
    return 0;
}
