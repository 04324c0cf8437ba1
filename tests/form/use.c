/* A user's program: it touches every room that is there and returns 0 if all is right, else the number of what is not.
   -DMPX_IMPLEMENTATION makes it complete, -DUSE_MAIN=name makes it a part of another program. C and C++. */
#include "mpx.h"

#ifndef USE_MAIN
#define USE_MAIN main
#elif defined(__cplusplus)
extern "C" int USE_MAIN(void);
#else
int USE_MAIN(void);
#endif

#define USE_N 1300 /* more than one tile, and a rest */

/* Through two steps, against the single-value functions. */
static int use_casts(void) {
    static uint16_t codes[USE_N], got[USE_N];
    unsigned i;
    for (i = 0; i < USE_N; i++) codes[i] = (uint16_t)(i * 53u);
    if (mpx_cast(got, MPX_BF16, codes, MPX_F16, USE_N) != MPX_OK) return 1;
    for (i = 0; i < USE_N; i++)
        if (got[i] != mpx_bf16_from_bits(mpx_f16_to_bits(codes[i]))) return 2;
    if (mpx_all_finite(got, MPX_BF16, USE_N) || !mpx_all_finite(got, MPX_BF16, 16)) return 3;
    if (mpx_f8e4m3fn_from_f32(448.0f) != 0x7e || mpx_version() != MPX_VERSION) return 4;
    return 0;
}

#if !MPX_NO_CAST_WITH
static int use_options(void) {
    static const mpx_cast_options saturate = { MPX_ROUND_TOWARD_ZERO, 1, MPX_LAYOUT_PACKED, MPX_LAYOUT_PACKED, 0, 0, 0, NULL, MPX_INT_TRUNCATE };
    float x[3] = { 1.125f, 70000.0f, -3.0f }, y[3];
    uint16_t codes[3];
    uint8_t e4m3 = 0x38;
    if (mpx_cast_with(codes, MPX_F16, x, MPX_F32, 3, &saturate) != MPX_OK || codes[1] != 0x7bff) return 51;
    if (mpx_cast_strided(codes, MPX_F16, 2, x, MPX_F32, 8, 2, 1, NULL) != MPX_OK || codes[1] != 0xc200) return 52;
    if (mpx_round_to(y, x, 3, MPX_I32) != MPX_OK || y[0] > 1.0f || y[0] < 1.0f) return 53;
    if (mpx_dtype_bits(MPX_F8E4M3FNUZ) == 8 &&
        (mpx_f8_rebias(&e4m3, MPX_F8E4M3FNUZ, &e4m3, MPX_F8E4M3FN, 1) != MPX_OK || e4m3 != 0x38)) return 54;
#if !MPX_NO_STATS
    {
        mpx_cast_stats stats = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
        mpx_cast_options counting = { MPX_ROUND_NEAREST, 0, MPX_LAYOUT_PACKED, MPX_LAYOUT_PACKED, 0, 0, 0, NULL, MPX_INT_TRUNCATE };
        counting.stats = &stats;
        if (mpx_cast_with(codes, MPX_F16, x, MPX_F32, 3, &counting) != MPX_OK || stats.overflowed != 1) return 55;
        if (mpx_cast_stats_sqnr(&stats) < 900) return 56;
    }
#endif
    return 0;
}
#endif

#if !MPX_NO_CAST_WITH && !MPX_NO_VERTEX
static int use_vertices(void) {
    static const mpx_attribute colour = { MPX_VERTEX_UNORM8, MPX_NONE, 3, 1, 0 };
    static const float rgb[3] = { 0.0f, 0.5f, 1.0f };
    unsigned char packed[4] = { 7, 7, 7, 7 };
    float back[3];
    if (mpx_vertices_pack(packed, 4, rgb, sizeof rgb, 1, &colour, 1) != MPX_OK) return 57;
    if (mpx_vertices_unpack(back, sizeof back, packed, 4, 1, &colour, 1) != MPX_OK) return 58;
    return packed[0] == 7 && packed[2] == 128 && back[2] == rgb[2] ? 0 : 59;
}
#endif

#if !MPX_NO_REDUCE
static int use_sums(void) {
    float x[3] = { 3.0f, -4.0f, 12.0f }, amax = 0;
    double sum = 0;
    int finite = 0;
    if (mpx_amax(x, MPX_F32, 3, &amax) != MPX_OK || amax < 12.0f || amax > 12.0f) return 61;
    if (mpx_sum_squares(x, MPX_F32, 3, &sum) != MPX_OK || sum < 169 || sum > 169) return 62;
    if (mpx_unscale_squares(x, MPX_F32, x, MPX_F32, 3, 2.0f, &finite, &sum) != MPX_OK || !finite) return 63;
    return sum < 42.25 || sum > 42.25 ? 64 : 0;
}
#endif

#if !MPX_NO_PARALLEL
static void use_run(size_t count, mpx_task_fn task, void *arg, void *user) {
    *(size_t *)user = count;
    while (count-- > 0) task(arg, count);
}

static int use_pieces(void) {
    static uint16_t codes[USE_N], want[USE_N], got[USE_N];
    size_t count = 0;
    mpx_parallel parallel = { use_run, &count, 1 };
    unsigned i;
    for (i = 0; i < USE_N; i++) codes[i] = (uint16_t)(i * 53u);
    if (mpx_cast(want, MPX_BF16, codes, MPX_F16, USE_N) != MPX_OK) return 5;
    if (mpx_cast_parallel(got, MPX_BF16, codes, MPX_F16, USE_N, NULL, parallel) != MPX_OK || count != 2) return 6;
    for (i = 0; i < USE_N; i++)
        if (got[i] != want[i]) return 7;
    return 0;
}
#endif

#if !MPX_NO_TREE
typedef struct use_layer {
    float weight[6];
    int32_t steps;
} use_layer;
typedef struct use_model {
    use_layer layers[2];
    use_layer head;
    use_layer *more;
    size_t more_count;
    float *bias;
    void *table;
    size_t table_count;
    mpx_dtype table_dtype;
} use_model;
static const mpx_field use_layer_fields[] = {
    MPX_LEAF(use_layer, weight, float, MPX_F32),
    MPX_LEAF(use_layer, steps, int32_t, MPX_I32),
};
static const mpx_field use_model_fields[] = {
    MPX_NODE_ARRAY(use_model, layers, use_layer, use_layer_fields),
    MPX_NODE(use_model, head, use_layer_fields),
    MPX_NODE_POINTER(use_model, more, more_count, use_layer, use_layer_fields),
    MPX_LEAF_POINTER(use_model, bias, 3, MPX_F32),
    MPX_LEAF_TYPED(use_model, table, table_count, table_dtype),
};

static mpx_tree use_tree(use_model *model) { return MPX_TREE_OF_STRUCT(model, use_model_fields); }

static int use_trees(void) {
    static float bias[3] = { 1.0f, 2.0f, 3.0f };
    static float table[5] = { 0.5f, 1.5f, 2.5f, 3.5f, 4.5f };
    static use_model model;
    mpx_tree_size size = { 0, 0, 0, 0 };
    int finite = 0;
    model.bias = bias;
    model.table = table;
    model.table_count = 5;
    model.table_dtype = MPX_F32;
    if (mpx_tree_measure(use_tree(&model), MPX_BF16, &size, NULL) != MPX_OK || size.leaves != 8) return 11;
    if (mpx_tree_all_finite(use_tree(&model), &finite, NULL) != MPX_OK || !finite) return 12;
    if (mpx_tree_check_floating(use_tree(&model), NULL) != MPX_ERR_NOT_FLOATING) return 13;
    if (mpx_tree_scale(use_tree(&model), use_tree(&model), 2.0f, NULL) != MPX_OK || bias[2] < 6.0f) return 14;
#if !MPX_NO_REDUCE
    {
        double sum = 0, whole = 0;
        if (mpx_tree_sum_squares(use_tree(&model), &whole, NULL) != MPX_OK || whole < 221 || whole > 221) return 15;
        if (mpx_tree_unscale_squares(use_tree(&model), use_tree(&model), 2.0f, &finite, &sum, NULL) != MPX_OK) return 16;
        if (!finite || sum * 4 < whole || sum * 4 > whole || bias[2] > 3.0f) return 17;
    }
#endif
#if !MPX_NO_STATS
    {
        static mpx_cast_report reports[2];
        size_t count = 0;
        char text[MPX_ERROR_TEXT_SIZE];
        if (mpx_tree_dry_run(use_tree(&model), MPX_F16, reports, 2, &count, NULL) != MPX_OK || count != 2) return 18;
        if (mpx_cast_report_format(reports, text, sizeof text) == 0) return 19;
    }
#endif
#if !MPX_NO_LOSS_SCALE
    if (mpx_loss_scale_scale_tree(use_tree(&model), use_tree(&model), mpx_loss_scale_static(2.0f), NULL) != MPX_OK) return 20;
    if (bias[2] < 6.0f) return 20;
#endif
#if !MPX_NO_PARALLEL
    {
        size_t pieces = 0;
        mpx_parallel parallel = { use_run, &pieces, 1 };
        if (mpx_tree_cast_parallel(use_tree(&model), use_tree(&model), parallel, NULL) != MPX_OK) return 10;
    }
#endif
    return 0;
}
#endif

#if !MPX_NO_POLICY
static int use_policies(void) {
    mpx_policy p;
    char text[64];
    if (mpx_policy_parse("p=f32,c=bf16,o=f16", &p, NULL) != MPX_OK || p.compute != MPX_BF16) return 21;
    p.output = MPX_F32;
    if (mpx_policy_format(p, text, sizeof text) != 18 || text[17] != '2') return 22;
#if !MPX_NO_KERAS
    if (mpx_policy_parse("int4/128_from_mixed_bfloat16", &p, NULL) != MPX_OK || p.group_size != 128) return 23;
#endif
#if !MPX_NO_DEFAULT_POLICY
    if (mpx_default_policy_get().param != MPX_F32) return 24;
    mpx_default_policy_set(p);
    if (!mpx_policy_equal(mpx_default_policy_get(), p)) return 24;
#endif
    return 0;
}
#endif

#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
static int use_maps(void) {
    static const char text[] = "default = p=f32,c=bf16,o=f32\nencoder/*/bias = f32 # kept\n";
    mpx_map_entry entries[4];
    mpx_policy p;
    mpx_policy_map map;
    char line[80];
#if !MPX_NO_REGEX
    size_t index = 1;
#else
    mpx_error err;
#endif
    if (mpx_policy_parse("<>", &p, NULL) != MPX_OK) return 40;
    map = mpx_policy_map_of(entries, 4, p);
    if (mpx_policy_map_parse(&map, text, NULL) != MPX_OK || map.count != 1) return 41;
    if (mpx_policy_map_get(&map, "encoder/3/bias", &p) != MPX_OK || p.compute != MPX_F32) return 42;
    if (mpx_policy_map_get(&map, "encoder/3/kernel", &p) != MPX_OK || p.compute != MPX_BF16) return 43;
    if (mpx_policy_map_explain(&map, "wte", line, sizeof line) < 20) return 44;
#if !MPX_NO_REGEX
    map = mpx_policy_map_keras(entries, 4, p);
    if (mpx_policy_map_set(&map, "enc(oder)?/[0-9]+", p, NULL) != MPX_OK) return 45;
    if (mpx_policy_map_find(&map, "encoder/12", &index) != MPX_OK || index != 0) return 46;
#else
    map = mpx_policy_map_of(entries, 4, p);
    if (mpx_policy_map_parse(&map, "patterns = regex", &err) != MPX_ERR_ARGUMENT || err.offset != 11) return 47;
#endif
    return 0;
}
#endif

#if !MPX_NO_LOSS_SCALE
static int use_loss_scales(void) {
    mpx_loss_scale s = mpx_loss_scale_dynamic(1024.0f);
    s = mpx_loss_scale_adjust(s, 0);
    return mpx_loss_scale_scale(s, 2.0f) > 1023.0f && mpx_loss_scale_value(s) < 513.0f ? 0 : 31;
}
#endif

#if !MPX_NO_INTEROP
static int use_interop(void) {
    mpx_dtype type = MPX_NONE;
    if (mpx_interop_parse(MPX_SYSTEM_SAFETENSORS, "BF16", &type, NULL) != MPX_OK || type != MPX_BF16) return 71;
    return mpx_dtype_suggest("flot16", 6) == MPX_F16 ? 0 : 72;
}
#endif

#if !MPX_NO_PROMOTE
static int use_promotion(void) {
    static const mpx_dtype types[] = { MPX_F16, MPX_BF16 };
    mpx_dtype type = MPX_NONE;
    return mpx_dtype_promote(types, 2, MPX_DIALECT_ANY, &type) == MPX_OK && type == MPX_F32 ? 0 : 81;
}
#endif

#if !MPX_NO_AMP
static int use_amp(void) {
    static const size_t inputs[] = { 0 };
    static const mpx_amp_node nodes[] = { { NULL, NULL, NULL, 0, MPX_F32, 4, 0 },
                                          { "matmul", "head", inputs, 1, MPX_F32, 4, 0 } };
    static size_t memory[200];
    mpx_amp_rule rules[2];
    mpx_amp amp = { NULL, 0, MPX_F16, 0, 0 };
    mpx_amp_plan plan;
    size_t size = 0;
    if (mpx_amp_rules_parse("matmul=compute, scope:x=f32", rules, 2, &amp.rule_count, NULL) != MPX_OK) return 91;
    amp.rules = rules;
    if (mpx_amp_plan_size(mpx_amp_graph_of_nodes(nodes, 2), &size, NULL) != MPX_OK || size > sizeof memory) return 92;
    if (mpx_amp_plan_graph(&amp, mpx_amp_graph_of_nodes(nodes, 2), memory, size, &plan, NULL) != MPX_OK) return 93;
    return plan.cast_count == 1 && plan.nodes[1].dtype == MPX_F16 ? 0 : 94;
}
#endif

int USE_MAIN(void) {
    int wrong = use_casts();
#if !MPX_NO_CAST_WITH
    if (wrong == 0) wrong = use_options();
#endif
#if !MPX_NO_CAST_WITH && !MPX_NO_VERTEX
    if (wrong == 0) wrong = use_vertices();
#endif
#if !MPX_NO_REDUCE
    if (wrong == 0) wrong = use_sums();
#endif
#if !MPX_NO_PARALLEL
    if (wrong == 0) wrong = use_pieces();
#endif
#if !MPX_NO_TREE
    if (wrong == 0) wrong = use_trees();
#endif
#if !MPX_NO_POLICY
    if (wrong == 0) wrong = use_policies();
#endif
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
    if (wrong == 0) wrong = use_maps();
#endif
#if !MPX_NO_LOSS_SCALE
    if (wrong == 0) wrong = use_loss_scales();
#endif
#if !MPX_NO_INTEROP
    if (wrong == 0) wrong = use_interop();
#endif
#if !MPX_NO_PROMOTE
    if (wrong == 0) wrong = use_promotion();
#endif
#if !MPX_NO_AMP
    if (wrong == 0) wrong = use_amp();
#endif
    return wrong;
}
