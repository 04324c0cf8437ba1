/* Who knows jmp and Keras: the same words in the same order.
       policy = jmp.get_policy("p=f32,c=bf16,o=f32"); x = policy.cast_to_compute(params)
       scale = jmp.DynamicLossScale(2.0**15); grads = scale.unscale(grads); scale.adjust(finite)
       keras.DTypePolicy("mixed_float16") */
#include "client.h"

int main(void) {
    float w[3] = { 1, 0.1f, 3 };
    uint64_t storage[4];
    mpx_leaf leaves[1], copies[1];
    mpx_tree params, x;
    mpx_policy policy, keras;
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, copies, 1);
    mpx_loss_scale scale = mpx_loss_scale_dynamic(32768);
    int finite;
    leaves[0] = mpx_leaf_of("w", w, 3, MPX_F32);
    params = mpx_tree_of_leaves(leaves, 1);
    if (mpx_policy_parse("p=f32,c=bf16,o=f32", &policy, NULL) != MPX_OK) return 1;
    if (mpx_tree_cast_into(&x, params, policy.compute, &arena, NULL) != MPX_OK) return 1;
    if (mpx_tree_scale(params, params, mpx_loss_scale_value(scale), NULL) != MPX_OK) return 1;
    if (mpx_loss_scale_unscale_tree(params, params, scale, &finite, NULL) != MPX_OK) return 1;
    scale = mpx_loss_scale_adjust(scale, finite);
    if (mpx_policy_parse("mixed_float16", &keras, NULL) != MPX_OK) return 1;
    printf("%s %s, finite %d\n", mpx_dtype_name(copies[0].dtype), mpx_dtype_name(keras.compute), finite);
    expect(copies[0].dtype == MPX_BF16 && finite && keras.compute == MPX_F16 && w[0] >= 1 && w[0] <= 1);
    return 0;
}
