/* Every macro for users, those that describe structs first, in a file of a user's with all its warnings. */
#include "mpx.h"

typedef struct fields_layer {
    float weight[4], bias;
} fields_layer;
typedef struct fields_model {
    fields_layer layers[2], head, *more;
    float *scale;
    void *table;
    size_t more_count, table_count;
    mpx_dtype table_dtype;
} fields_model;

extern const mpx_field fields_of_layer[2];
extern const mpx_field fields_of_model[5];

const mpx_field fields_of_layer[2] = {
    MPX_LEAF(struct fields_layer, weight, float, MPX_F32),
    MPX_LEAF(fields_layer, bias, float, MPX_F32),
};
const mpx_field fields_of_model[5] = {
    MPX_NODE_ARRAY(fields_model, layers, fields_layer, fields_of_layer),
    MPX_NODE(fields_model, head, fields_of_layer),
    MPX_NODE_POINTER(fields_model, more, more_count, fields_layer, fields_of_layer),
    MPX_LEAF_POINTER(fields_model, scale, 3, MPX_F32),
    MPX_LEAF_TYPED(fields_model, table, table_count, table_dtype),
};

#if !MPX_NO_AMP
extern const mpx_amp_rule fields_rules[2];
const mpx_amp_rule fields_rules[2] = { MPX_AMP_OP("softmax", MPX_F32), MPX_AMP_SCOPE("head", MPX_AMP_COMPUTE) };
#endif
extern const mpx_policy fields_policy;
const mpx_policy fields_policy = MPX_POLICY(MPX_F32, MPX_BF16, MPX_F32);
extern const size_t fields_nowhere;
const size_t fields_nowhere = MPX_MAP_DEFAULT;
