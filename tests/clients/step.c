/* A trainer in the way of llm.c: parameters and gradients in one block each, a table of tensors;
   a bf16 copy by a map of two lines, a scaled loss, one pass that unscales, checks and measures. */
#include "client.h"

enum { WTE = 512, LN = 16, PARAMS = WTE + LN, BYTES = 4096 };
static float params[PARAMS], grads[PARAMS];
static uint16_t low_grads[PARAMS];
static const mpx_tensor table[2] = { { "wte", 0, WTE }, { "ln.w", WTE, LN } };

/* d(loss)/d(params) of loss = |params - 1|^2 / 2, in bf16, times the scale. */
static float backward(mpx_loss_scale scale, float overflow) {
    float loss = 0, g[PARAMS];
    int i;
    for (i = 0; i < PARAMS; i++) {
        g[i] = mpx_loss_scale_scale(scale, params[i] - 1) * overflow;
        loss += (params[i] - 1) * (params[i] - 1) / 2;
    }
    (void)mpx_cast_f32_to_bf16(low_grads, g, PARAMS);
    return loss;
}

int main(void) {
    static uint64_t storage[BYTES / 8];
    mpx_leaf p[2], g[2], low[2], work[2];
    mpx_map_entry entries[2];
    mpx_policy_map map = mpx_policy_map_of(entries, 2, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, work, 2);
    mpx_loss_scale scale = mpx_loss_scale_dynamic(1024);
    unsigned char saved[MPX_LOSS_SCALE_BYTES];
    mpx_tree master, grad, grad_low, copy;
    mpx_error err;
    float first = 0, loss = 0;
    int step, i, finite, skipped = 0;
    mpx_leaves_of_tensors(p, table, 2, params, MPX_F32);
    mpx_leaves_of_tensors(g, table, 2, grads, MPX_F32);
    mpx_leaves_of_tensors(low, table, 2, low_grads, MPX_BF16);
    master = mpx_tree_of_leaves(p, 2), grad = mpx_tree_of_leaves(g, 2);
    grad_low = mpx_tree_of_leaves(low, 2);
    if (mpx_policy_map_parse(&map, "default = p=f32,c=bf16,o=f32\nln* = f32", &err) != MPX_OK ||
        mpx_policy_map_cast_into(&copy, master, &map, MPX_ROLE_COMPUTE, &arena, &err) != MPX_OK)
        return 1;
    for (step = 0; step < 40; step++) {
        double squares;
        if (mpx_tree_cast(copy, master, &err) != MPX_OK) return 1;
        loss = backward(scale, step == 3 ? 3e38f : 1);
        if (step == 0) first = loss;
        if (mpx_tree_unscale_squares(grad, grad_low, mpx_loss_scale_value(scale), &finite,
                                     &squares, &err) != MPX_OK)
            return 1;
        for (i = 0; finite && i < PARAMS; i++) params[i] -= 0.2f * grads[i];
        skipped += !finite;
        scale = mpx_loss_scale_adjust(scale, finite);
    }
    expect(loss < first / 100 && skipped == 1 && mpx_loss_scale_value(scale) == 512);
    expect(work[0].dtype == MPX_BF16 && work[1].dtype == MPX_F32);
    expect(mpx_loss_scale_save(scale, saved) == MPX_OK);
    printf("loss %.3f to %.5f, %d step skipped\n", (double)first, (double)loss, skipped);
    return 0;
}
