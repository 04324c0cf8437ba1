/* Wrong use of the header, row by row. With -DWRONG=0 every row is right, and the file compiles in the strict set.
   With -DWRONG=7 row 7 is wrong: a C++ compiler refuses it, and a C compiler does so with -Wall -Wextra -Werror where
   the row says "C too". tests/form.py tries every row. */
#include "mpx.h"

#ifdef __cplusplus
extern "C" int wrong_use(const float *weights, size_t n);
#else
int wrong_use(const float *weights, size_t n);
#endif

int wrong_use(const float *weights, size_t n) {
    static float masters[64];
    static uint16_t halves[64];
    static uint8_t bytes[64];
    static const mpx_dtype types[2] = { MPX_F16, MPX_BF16 };
    const char *text = "p=f32,c=bf16,o=f32";
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_leaf leaf;
    mpx_tree tree, out;
    mpx_arena arena = mpx_arena_of(masters, sizeof masters, &leaf, 1);
    mpx_policy policy = mpx_policy_of(MPX_F32, MPX_BF16, MPX_F32);
    mpx_policy_map map = mpx_policy_map_of(NULL, 0, policy);
    mpx_loss_scale scale = mpx_loss_scale_dynamic(32768.0f);
    mpx_parse_options parsing = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_error err;
    mpx_dtype dtype = MPX_NONE;
    int64_t code = 0;
    size_t length = 0;
    mpx_status status = MPX_OK;

#if WRONG == 1 /* the count stands where the target's dtype belongs */
    status = mpx_cast(halves, n, masters, MPX_F32, MPX_BF16);
#else
    status = mpx_cast(halves, MPX_BF16, masters, MPX_F32, n);
#endif

#if WRONG == 2 /* the source's dtype and the count are swapped */
    status = mpx_cast(halves, MPX_BF16, masters, n, MPX_F32);
#else
    status = mpx_cast(halves, MPX_BF16, masters, MPX_F32, n);
#endif

#if WRONG == 3 /* source and destination are swapped, and the source is constant; C too */
    status = mpx_cast(weights, MPX_F32, halves, MPX_BF16, n);
#else
    status = mpx_cast(halves, MPX_BF16, weights, MPX_F32, n);
#endif

#if WRONG == 4 /* a buffer and its dtype are swapped; C too */
    status = mpx_cast(MPX_BF16, halves, MPX_F32, weights, n);
#else
    status = mpx_cast(halves, MPX_BF16, weights, MPX_F32, n);
#endif

#if WRONG == 5 /* a typed cast into floats; C too */
    status = mpx_cast_f32_to_bf16(masters, weights, n);
#else
    status = mpx_cast_f32_to_bf16(halves, weights, n);
#endif

#if WRONG == 6 /* a typed cast, source and destination swapped; C too */
    status = mpx_cast_f32_to_f16(weights, halves, n);
#else
    status = mpx_cast_f32_to_f16(halves, weights, n);
#endif

#if WRONG == 7 /* a typed cast to fp8 into 16-bit elements; C too */
    status = mpx_cast_f32_to_f8e4m3fn(halves, weights, n);
#else
    status = mpx_cast_f32_to_f8e4m3fn(bytes, weights, n);
#endif

#if WRONG == 8 /* a status stands where a dtype belongs; C too */
    length = mpx_dtype_bytes(status, n);
#else
    length = mpx_dtype_bytes(MPX_BF16, n);
#endif

#if WRONG == 9 /* a number of bits stands where a dtype belongs */
    policy = mpx_policy_of(32, 16, 32);
#else
    policy = mpx_policy_of(MPX_F32, MPX_BF16, MPX_F32);
#endif

#if WRONG == 10 /* the result of reading a dtype goes into a policy; C too */
    status = mpx_dtype_parse("bf16", &policy);
#else
    status = mpx_dtype_parse("bf16", &dtype);
#endif

#if WRONG == 11 /* the error is passed by value; C too */
    status = mpx_policy_parse(text, &policy, err);
#else
    status = mpx_policy_parse(text, &policy, &err);
#endif

#if WRONG == 12 /* text and error are swapped; C too */
    length = mpx_error_format(text, &err, sentence, sizeof sentence);
#else
    length = mpx_error_format(&err, text, sentence, sizeof sentence);
#endif

#if WRONG == 13 /* the system and the dtype are swapped; C too */
    status = mpx_interop_code(MPX_BF16, MPX_SYSTEM_ONNX, &code);
#else
    status = mpx_interop_code(MPX_SYSTEM_ONNX, MPX_BF16, &code);
#endif

#if WRONG == 14 /* a system stands where a dialect belongs; C too */
    status = mpx_dtype_promote(types, 2, MPX_SYSTEM_KERAS, &dtype);
#else
    status = mpx_dtype_promote(types, 2, MPX_DIALECT_KERAS, &dtype);
#endif

#if WRONG == 15 /* the dtype of `half` stands where the dialect belongs; C too */
    parsing.dialect = MPX_BF16;
#else
    parsing.half = MPX_BF16;
#endif

#if WRONG == 16 /* a leaf of constant weights, filled by hand; C too */
    leaf.data = weights;
#else
    leaf = mpx_leaf_of("weights", weights, n, MPX_F32);
#endif
    tree = mpx_tree_of_leaves(&leaf, 1);

#if WRONG == 17 /* a role stands where a dtype belongs; C too */
    status = mpx_tree_cast_into(&out, tree, MPX_ROLE_COMPUTE, &arena, &err);
#else
    status = mpx_tree_cast_into(&out, tree, policy.compute, &arena, &err);
#endif

#if WRONG == 18 /* a policy stands where a dtype belongs; C too */
    status = mpx_tree_cast_into(&out, tree, policy, &arena, &err);
#else
    status = mpx_tree_cast_into(&out, tree, policy.compute, &arena, &err);
#endif

#if WRONG == 19 /* the new tree and the source are swapped; C too */
    status = mpx_tree_cast_into(tree, &out, policy.compute, &arena, &err);
#else
    status = mpx_tree_cast_into(&out, tree, policy.compute, &arena, &err);
#endif

#if WRONG == 20 /* a dtype stands where a role belongs; C too */
    status = mpx_policy_map_cast_into(&out, tree, &map, MPX_BF16, &arena, &err);
#else
    status = mpx_policy_map_cast_into(&out, tree, &map, MPX_ROLE_COMPUTE, &arena, &err);
#endif

#if WRONG == 21 /* the role and the map are swapped; C too */
    status = mpx_policy_map_cast_in_place(tree, MPX_ROLE_COMPUTE, &map, &err);
#else
    status = mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_COMPUTE, &err);
#endif

#if WRONG == 22 /* a loss scale's state stands where a number belongs; C too */
    status = mpx_tree_scale(out, tree, scale, &err);
#else
    status = mpx_tree_scale(out, tree, mpx_loss_scale_value(scale), &err);
#endif

#if WRONG == 23 /* the state of a loss scale is thought to be its kind; C too */
    scale.state = MPX_LOSS_SCALE_DYNAMIC;
#else
    scale.kind = MPX_LOSS_SCALE_DYNAMIC;
#endif

#if WRONG == 24 /* the error stands where the answer of the finite check belongs; C too */
    status = mpx_tree_unscale(out, tree, 2.0f, &err, NULL);
#else
    status = mpx_tree_unscale(out, tree, 2.0f, NULL, &err);
#endif

    return status == MPX_OK && dtype != MPX_NONE && parsing.half == MPX_NONE && code + (int64_t)length > 0 &&
           bytes[0] == 0 && scale.kind == MPX_LOSS_SCALE_DYNAMIC;
}
