/* "Zero is the default": every public struct as {0} in C and as {} in C++. tests/form.py compares the list with
   src/types.h. */
#define MPX_COMPUTE 1
#define MPX_FILES 1
#include "mpx.h"

#ifdef __cplusplus
#define ZERO_VALUE {}
extern "C" int zero_bytes(void);
#else
#define ZERO_VALUE {0}
int zero_bytes(void);
#endif
#define ZERO(T) { T value = ZERO_VALUE; sum += zero_sum(&value, sizeof value); }

static int zero_sum(const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    int sum = 0;
    while (size > 0) sum += bytes[--size];
    return sum;
}

int zero_bytes(void) {
    int sum = 0;
    ZERO(mpx_error) ZERO(mpx_dtype_facts) ZERO(mpx_parse_options) ZERO(mpx_dlpack)
    ZERO(mpx_cast_stats) ZERO(mpx_cast_options) ZERO(mpx_quant) ZERO(mpx_quant_layout) ZERO(mpx_float8_scale)
    ZERO(mpx_policy) ZERO(mpx_map_entry) ZERO(mpx_policy_map) ZERO(mpx_layer) ZERO(mpx_layer_filter)
    ZERO(mpx_attribute) ZERO(mpx_leaf) ZERO(mpx_tensor) ZERO(mpx_cursor) ZERO(mpx_tree) ZERO(mpx_field) ZERO(mpx_arena)
    ZERO(mpx_parallel) ZERO(mpx_tree_filter) ZERO(mpx_tree_size) ZERO(mpx_cast_report)
    ZERO(mpx_weights_options) ZERO(mpx_weight) ZERO(mpx_weights)
    ZERO(mpx_loss_scale) ZERO(mpx_grad_call) ZERO(mpx_grad_result)
    ZERO(mpx_norm_options) ZERO(mpx_matrix) ZERO(mpx_matvec_options) ZERO(mpx_matmul_options)
    ZERO(mpx_optimizer) ZERO(mpx_optimizer_arrays) ZERO(mpx_optimizer_trees)
    ZERO(mpx_amp) ZERO(mpx_amp_operand) ZERO(mpx_amp_rule) ZERO(mpx_amp_answer) ZERO(mpx_amp_kept)
    ZERO(mpx_amp_eager) ZERO(mpx_amp_node) ZERO(mpx_amp_graph) ZERO(mpx_amp_planned_cast)
    ZERO(mpx_amp_planned_node) ZERO(mpx_amp_plan) ZERO(mpx_amp_value) ZERO(mpx_amp_call) ZERO(mpx_amp_op)
    ZERO(mpx_amp_program)
    ZERO(mpx_file_tensor) ZERO(mpx_file_meta) ZERO(mpx_file)
    return sum;
}
