/* One example for each public function, for the reference in docs/. tools/reference.py shows the paragraph of
   example_PAGE that calls a function first. `make test` compiles this file as C99 and as C++11 and runs it. */
#undef NDEBUG
#define MPX_COMPUTE 1
#ifndef MPX_FILES
#define MPX_FILES 1
#endif
#include "mpx.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1024];
static mpx_error err;

/* ---- library --------------------------------------------------------------------------------------------------- */

static void example_library(void) {
    const char *wish = "p=f32,c=bf61";
    mpx_policy policy;

    assert(mpx_version() == MPX_VERSION); /* header and implementation are of one version */

    printf("casts by %s\n", mpx_isa()); /* "avx2", "neon", "scalar" ... */

#if MPX_DISPATCH
    assert(mpx_isa_set("sse2") == MPX_OK);
    assert(strcmp(mpx_isa(), "sse2") == 0);
    assert(mpx_isa_set(NULL) == MPX_OK); /* the best that there is */
#endif

    assert(strcmp(mpx_status_string(MPX_ERR_KEY), "unknown key") == 0);

    assert(mpx_policy_parse(wish, &policy, &err) == MPX_ERR_DTYPE);
    assert(err.offset == 8 && err.length == 4); /* "bf61" */
    mpx_error_format(&err, wish, text, sizeof text);
    assert(strncmp(text, "unknown dtype 'bf61' at 8; expected a dtype", 43) == 0);

    err.offset = 12; /* as a parser would set it */
    assert(mpx_error_line(&err, "a = f16\nb = f61\n") == 2);
}

/* ---- dtypes ---------------------------------------------------------------------------------------------------- */

static void example_dtypes(void) {
    const mpx_parse_options keras = { MPX_DIALECT_KERAS, MPX_NONE };
    mpx_dtype type;

    assert(mpx_dtype_parse("bfloat16", &type) == MPX_OK && type == MPX_BF16);
    assert(mpx_dtype_parse("e4m3", &type) == MPX_ERR_DTYPE); /* which of two? */

    assert(mpx_dtype_parse_n("float16, channels last", 7, keras, &type, &err) == MPX_OK);
    assert(type == MPX_F16);

    assert(strcmp(mpx_dtype_name(MPX_F8E4M3FN), "float8_e4m3fn") == 0);

    assert(strcmp(mpx_dtype_short_name(MPX_BF16), "bf16") == 0);

    assert(mpx_dtype_info(MPX_F16).max == 65504.0);
    assert(mpx_dtype_info(MPX_I8).int_min == -128);

    assert(mpx_dtype_is_floating(MPX_F4E2M1FN) == 1);
    assert(mpx_dtype_is_floating(MPX_I8) == 0);

    assert(mpx_dtype_bits(MPX_F6E2M3FN) == 6);

    assert(mpx_dtype_bytes(MPX_I4, 3) == 2); /* packed: two in a byte */

    assert(mpx_dtype_offset(MPX_I4, 8) == 4);
}

/* ---- casts ----------------------------------------------------------------------------------------------------- */

static void example_casts(void) {
    const float x[4] = { 1.0f, 0.1f, 70000.0f, -0.0f }, large[2] = { 70000.0f, 2.5f };
    const float points[6] = { 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f }; /* xyz xyz */
    const uint8_t ocp[2] = { 0x38, 0xb8 }; /* 1 and -1 as e4m3fn */
    uint16_t half[4], bf16[4], packed[8];
    uint8_t fp8[4], fnuz[2];
    int8_t i8[4];
    float back[4], rounded[4];
    mpx_cast_options opt;
    mpx_cast_stats stats;
    memset(&opt, 0, sizeof opt);
    memset(&stats, 0, sizeof stats);

    assert(mpx_cast(half, MPX_F16, x, MPX_F32, 4) == MPX_OK);
    assert(half[0] == 0x3c00 && half[1] == 0x2e66 && half[2] == 0x7c00 && half[3] == 0x8000); /* 70000: Inf */

    opt.saturate = 1;
    opt.stats = &stats;
    assert(mpx_cast_with(half, MPX_F16, large, MPX_F32, 2, &opt) == MPX_OK);
    assert(half[0] == 0x7bff && stats.overflowed == 1); /* 65504, the largest */

    assert(mpx_cast_strided(packed, MPX_F16, 8, points, MPX_F32, 12, 2, 3, NULL) == MPX_OK);
    assert(packed[0] == 0x3c00 && packed[4] == 0x4400); /* x of both points: 1 and 4 */

    assert(mpx_round_to(rounded, x, 2, MPX_BF16) == MPX_OK);
    assert(rounded[1] == 0.10009765625f); /* the bfloat16 next to 0.1, as a float */

    opt.stats = NULL;
    opt.rounding = MPX_ROUND_TOWARD_ZERO;
    assert(mpx_round_to_with(rounded, x, 2, MPX_BF16, &opt) == MPX_OK);
    assert(rounded[1] == 0.099609375f);

    assert(mpx_f8_rebias(fnuz, MPX_F8E4M3FNUZ, ocp, MPX_F8E4M3FN, 2) == MPX_OK);
    assert(fnuz[0] == ocp[0]); /* the same code, half the value: multiply the scale by 2 */

    assert(mpx_cast_stats_rms_error(&stats) >= 0);
    assert(mpx_cast_stats_sqnr(&stats) > 20); /* dB */

    assert(mpx_cast_f32_to_f16(half, x, 4) == MPX_OK);
    assert(mpx_cast_f16_to_f32(back, half, 4) == MPX_OK);

    assert(mpx_cast_f32_to_bf16(bf16, x, 4) == MPX_OK);
    assert(mpx_cast_bf16_to_f32(back, bf16, 4) == MPX_OK);

    assert(mpx_cast_f32_to_f8e4m3fn(fp8, x, 4) == MPX_OK);
    assert(mpx_cast_f8e4m3fn_to_f32(back, fp8, 4) == MPX_OK);

    assert(mpx_cast_f32_to_f8e5m2(fp8, x, 4) == MPX_OK);
    assert(mpx_cast_f8e5m2_to_f32(back, fp8, 4) == MPX_OK);

    assert(mpx_cast_f32_to_i8(i8, large, 2) == MPX_OK);
    assert(i8[0] == 127 && i8[1] == 2); /* saturated; truncated */
    assert(mpx_cast_i8_to_f32(back, i8, 2) == MPX_OK);

    assert(mpx_f16_from_bits(0x3f800000) == 0x3c00); /* the bits of 1.0f */
    assert(mpx_bf16_from_bits(0x3f800000) == 0x3f80);
    assert(mpx_f8e4m3fn_from_bits(0x3f800000) == 0x38);
    assert(mpx_f8e5m2_from_bits(0x3f800000) == 0x3c);

    assert(mpx_f16_from_f32(0.1f) == 0x2e66);
    assert(mpx_bf16_from_f32(0.1f) == 0x3dcd);
    assert(mpx_f8e4m3fn_from_f32(448.0f) == 0x7e);
    assert(mpx_f8e5m2_from_f32(57344.0f) == 0x7b);

    assert(mpx_f16_to_bits(0x3c00) == 0x3f800000);
    assert(mpx_bf16_to_bits(0x3f80) == 0x3f800000);
    assert(mpx_f8e4m3fn_to_bits(0x38) == 0x3f800000);
    assert(mpx_f8e5m2_to_bits(0x3c) == 0x3f800000);

    assert(mpx_f16_to_f32(0x2e66) == 0.0999755859375f);
    assert(mpx_bf16_to_f32(0x3dcd) == 0.10009765625f);
    assert(mpx_f8e5m2_to_f32(0x7b) == 57344.0f);
    assert(mpx_f8e4m3fn_to_f32(0x7e) == 448.0f);
}

/* ---- buffers --------------------------------------------------------------------------------------------------- */

static void example_buffers(void) {
    const uint16_t half[3] = { 0x3c00, 0xc000, 0x7c00 }; /* 1, -2, Inf */
    float x[2] = { 3.0f, 4.0f }, y[2], amax;
    uint16_t a[1], b[1], g[2];
    double sum;
    int finite;

    assert(mpx_all_finite(half, MPX_F16, 2) == 1);
    assert(mpx_all_finite(half, MPX_F16, 3) == 0);

    assert(mpx_any_infinite(half, MPX_F16, 3) == 1);

    assert(mpx_amax(half, MPX_F16, 2, &amax) == MPX_OK && amax == 2.0f);

    assert(mpx_sum_squares(x, MPX_F32, 2, &sum) == MPX_OK && sum == 25.0);

    assert(mpx_scale(g, MPX_F16, x, MPX_F32, 2, 1024.0f) == MPX_OK);
    assert(g[0] == 0x6a00); /* 3072 */

    assert(mpx_unscale(y, MPX_F32, g, MPX_F16, 2, 1024.0f, &finite) == MPX_OK);
    assert(finite == 1 && y[0] == 3.0f && y[1] == 4.0f);

    assert(mpx_unscale_squares(y, MPX_F32, g, MPX_F16, 2, 1024.0f, &finite, &sum) == MPX_OK);
    assert(sum == 25.0); /* the norm of the gradient is 5 */

    a[0] = mpx_bf16_from_f32(1.0f);
    b[0] = mpx_bf16_from_f32(0.5f);
    assert(mpx_add(a, b, 1, MPX_BF16) == MPX_OK && mpx_bf16_to_f32(a[0]) == 1.5f);
}

/* ---- vertices -------------------------------------------------------------------------------------------------- */

typedef struct vertex {
    float position[3], normal[3];
} vertex;
typedef struct gpu_vertex {
    uint16_t position[4];
    uint32_t normal;
} gpu_vertex;
static const mpx_attribute attributes[2] = {
    { MPX_VERTEX_PLAIN, MPX_F16, 3, offsetof(gpu_vertex, position), offsetof(vertex, position) },
    { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 3, offsetof(gpu_vertex, normal), offsetof(vertex, normal) },
};

static void example_vertices(void) {
    vertex v = { { 1.0f, 2.0f, 3.0f }, { 0.0f, 0.0f, 1.0f } };
    gpu_vertex g;

    assert(mpx_vertices_pack(&g, sizeof g, &v, sizeof v, 1, attributes, 2) == MPX_OK);
    assert(g.position[0] == 0x3c00 && g.normal == (uint32_t)511 << 20);

    assert(mpx_vertices_unpack(&v, sizeof v, &g, sizeof g, 1, attributes, 2) == MPX_OK);
    assert(v.position[2] == 3.0f && v.normal[2] == 1.0f);
}

/* ---- quantization ---------------------------------------------------------------------------------------------- */

static void example_quantization(void) {
    static float weights[2 * 64], back[2 * 64], history[16], loaded_history[16];
    unsigned char codes[256], saved[256];
    const float x[2] = { 0.26f, 7.0f };
    float y[2];
    mpx_quant q, column;
    mpx_quant_layout layout;
    mpx_policy policy;
    mpx_float8_scale state = { MPX_F8E4M3FN, 0.0f, 0, NULL, 16 }, loaded = { MPX_F8E4M3FN, 0.0f, 0, NULL, 16 };
    int i;
    for (i = 0; i < 2 * 64; i++) weights[i] = (float)(i % 15 - 7);
    state.history = history;
    loaded.history = loaded_history;

    assert(mpx_quant_parse("q8_0", &q, NULL) == MPX_OK && q.scheme == MPX_SCHEME_Q8_0);
    assert(mpx_quant_parse("int3", &q, &err) == MPX_ERR_SCHEME); /* q stays as it was */

    assert(mpx_quant_parse_n("int8/channel, per row", 12, &column, NULL) == MPX_OK);
    assert(column.scheme == MPX_SCHEME_KERAS && column.scope == MPX_SCOPE_ROW);

    assert(mpx_quant_format(q, text, sizeof text) == 4 && strcmp(text, "q8_0") == 0);

    assert(mpx_policy_parse("int4/128_from_float32", &policy, NULL) == MPX_OK);
    assert(mpx_quant_of_policy(policy).block == 128);

    assert(mpx_quant_layout_of(column, 2, 64, &layout, NULL) == MPX_OK);
    assert(layout.scale_count == 2 && layout.scale_type == MPX_F32); /* one scale a row */

    assert(mpx_quant_bytes(q, 2, 64) == 4 * 34); /* 4 blocks of 32 codes and a float16 scale */

    assert(mpx_quantize(codes, q, weights, MPX_F32, 2, 64) == MPX_OK);
    assert(mpx_dequantize(back, MPX_F32, codes, q, 2, 64) == MPX_OK);
    assert(fabsf(back[3] - weights[3]) < 0.03f); /* half a step of 7 / 127 */

    assert(mpx_float8_round(y, x, 2, MPX_F32, &state) == MPX_OK);
    assert(y[0] == 0.25f && y[1] == 7.0f); /* scale 1 before the first step */

    assert(mpx_float8_update(&state, 7.0f) == MPX_OK);
    assert(mpx_float8_step(y, x, 2, MPX_F32, &state) == MPX_OK);
    assert(state.scale == 7.0f / 448.0f); /* the largest of the history is 448 steps */

    assert(mpx_float8_bytes(16) <= sizeof saved);
    assert(mpx_float8_save(saved, &state) == MPX_OK);
    assert(mpx_float8_load(&loaded, saved, mpx_float8_bytes(16)) == MPX_OK);
    assert(loaded.scale == state.scale && loaded_history[0] == 7.0f);

    assert(mpx_fake_quant(y, x, 2, -1.0f, 1.0f, 8, 0) == MPX_OK);
    assert(fabsf(y[0] - 0.26f) < 0.004f && y[1] < 1.01f); /* 256 levels; 7 is clipped */
}

/* ---- trees ----------------------------------------------------------------------------------------------------- */

typedef struct dense {
    float kernel[2], bias[1];
} dense;
typedef struct model {
    dense layers[2];
} model;
static const mpx_field dense_fields[2] = { MPX_LEAF(dense, kernel, float, MPX_F32),
                                           MPX_LEAF(dense, bias, float, MPX_F32) };
static const mpx_field model_fields[1] = { MPX_NODE_ARRAY(model, layers, dense, dense_fields) };

static int is_kernel(const mpx_leaf *leaf, void *user) {
    (void)user;
    return strstr(leaf->path, "kernel") != NULL;
}

static void example_trees(void) {
    static float w[4] = { 3.0f, 4.0f, 0.0f, 70000.0f }, other[4], sixteen[4];
    static uint16_t w16[4];
    static model m;
    mpx_leaf leaves[2], low_leaves[2], other_leaves[2], tensors[2], new_leaves[8];
    const mpx_tensor names[2] = { { "kernel", 0, 2 }, { "bias", 2, 2 } };
    mpx_tree tree, low, copy, kernels, structs, made;
    mpx_tree_filter filter;
    mpx_tree_size size;
    mpx_arena arena;
    mpx_leaf leaf;
    mpx_cursor at;
    mpx_cast_report report;
    unsigned char storage[256];
    double sum, norm;
    size_t count;
    int finite, infinite;
    memset(&at, 0, sizeof at);
    memset(&filter, 0, sizeof filter);

    leaves[0] = mpx_leaf_of("kernel", w, 2, MPX_F32);
    leaves[1] = mpx_leaf_of("bias", w + 2, 1, MPX_F32);

    tree = mpx_tree_of_leaves(leaves, 2);
    low_leaves[0] = mpx_leaf_of("kernel", w16, 2, MPX_BF16);
    low_leaves[1] = mpx_leaf_of("bias", w16 + 2, 1, MPX_BF16);
    low = mpx_tree_of_leaves(low_leaves, 2);

    structs = mpx_tree_of_struct(&m, model_fields, 1); /* leaves "layers/0/kernel", "layers/0/bias" ... */

    mpx_leaves_of_tensors(tensors, names, 2, w, MPX_F32); /* two leaves of one block of floats */
    assert(tensors[1].data == w + 2 && tensors[1].count == 2);

    filter.tree = structs;
    filter.keep = is_kernel;
    kernels = mpx_tree_where(&filter); /* a tree of two leaves, the kernels */

    arena = mpx_arena_of(storage, sizeof storage, new_leaves, 8);

    assert(mpx_tree_next(&kernels, &at, &leaf) == 1 && strcmp(leaf.path, "layers/0/kernel") == 0);
    assert(mpx_tree_next(&kernels, &at, &leaf) == 1 && leaf.count == 2);
    assert(mpx_tree_next(&kernels, &at, &leaf) == 0); /* the end */

    assert(mpx_tree_measure(structs, MPX_BF16, &size, &err) == MPX_OK);
    assert(size.leaves == 4 && size.elements == 6 && size.bytes == 24);

    assert(mpx_tree_cast_into(&made, tree, MPX_F16, &arena, &err) == MPX_OK);
    assert(new_leaves[0].dtype == MPX_F16 && ((uint16_t *)new_leaves[0].data)[0] == 0x4200);

    assert(mpx_tree_put_dtype(&made, tree, MPX_F16, &arena, &err) == MPX_OK);

    assert(mpx_tree_cast(low, tree, &err) == MPX_OK); /* the bfloat16 copy follows the floats */
    assert(mpx_bf16_to_f32(w16[1]) == 4.0f);

    other_leaves[0] = mpx_leaf_of("kernel", other, 2, MPX_F32);
    other_leaves[1] = mpx_leaf_of("bias", other + 2, 1, MPX_F32);
    copy = mpx_tree_of_leaves(other_leaves, 2);
    assert(mpx_tree_widen(copy, low, &err) == MPX_OK && other[1] == 4.0f);

    assert(mpx_tree_cast_with(low, tree, NULL, &err) == MPX_OK); /* options as of mpx_cast_with */

    assert(mpx_tree_copy(copy, tree, &err) == MPX_OK);

    assert(mpx_tree_select(copy, tree, copy, 1, &err) == MPX_OK); /* copy = 1 ? tree : copy */

    assert(mpx_tree_all_finite(tree, &finite, &err) == MPX_OK && finite == 1);

    assert(mpx_tree_any_infinite(tree, &infinite, &err) == MPX_OK && infinite == 0);

    assert(mpx_tree_scale(copy, tree, 2.0f, &err) == MPX_OK && other[0] == 6.0f);
    assert(mpx_tree_unscale(copy, copy, 2.0f, &finite, &err) == MPX_OK);
    assert(other[0] == 3.0f && finite == 1);

    assert(mpx_tree_sum_squares(tree, &sum, &err) == MPX_OK && sum == 25.0);

    assert(mpx_tree_unscale_squares(copy, tree, 2.0f, &finite, &sum, &err) == MPX_OK && sum == 6.25);

    assert(mpx_tree_clip(copy, tree, 1.0f, &norm, &err) == MPX_OK);
    assert(norm == 5.0 && fabsf(other[0] - 0.6f) < 1e-6f);

    assert(mpx_tree_check_floating(tree, &err) == MPX_OK);

    leaves[1] = mpx_leaf_of("bias", w + 3, 1, MPX_F32);
    assert(mpx_tree_dry_run(tree, MPX_F16, &report, 1, &count, &err) == MPX_OK);
    assert(count == 1 && report.stats.overflowed == 1); /* the worst leaf: 70000 in "bias" */

    mpx_cast_report_format(&report, text, sizeof text);
    assert(strcmp(text, "bias: float32 to float16: 1 values up to 7.00e4, 1 overflow") == 0);

    memcpy(sixteen, w, sizeof sixteen);
    leaves[0] = mpx_leaf_of("kernel", sixteen, 4, MPX_F32);
    assert(mpx_tree_cast_in_place(mpx_tree_of_leaves(leaves, 1), MPX_BF16, &err) == MPX_OK);
    assert(leaves[0].dtype == MPX_BF16); /* four bfloat16 in the first half of the memory */
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static void run_here(size_t count, mpx_task_fn task, void *arg, void *user) {
    size_t i;
    (void)user;
    for (i = 0; i < count; i++) task(arg, i); /* a pool would run them on its threads */
}

static void example_threads(void) {
    static float x[5000];
    static uint16_t y[5000];
    mpx_parallel pool = { NULL, NULL, 4096 };
    mpx_leaf source[1], target[1];
    pool.run = run_here;

    assert(mpx_cast_parallel(y, MPX_BF16, x, MPX_F32, 5000, NULL, pool) == MPX_OK);

    source[0] = mpx_leaf_of("w", x, 5000, MPX_F32);
    target[0] = mpx_leaf_of("w", y, 5000, MPX_BF16);
    assert(mpx_tree_cast_parallel(mpx_tree_of_leaves(target, 1), mpx_tree_of_leaves(source, 1), pool, &err) == MPX_OK);
}

/* ---- policies -------------------------------------------------------------------------------------------------- */

static void example_policies(void) {
    const mpx_parse_options keras = { MPX_DIALECT_KERAS, MPX_NONE };
    mpx_policy p, q, before;

    assert(mpx_policy_parse("p=f32,c=bf16,o=f32", &p, &err) == MPX_OK);
    assert(p.param == MPX_F32 && p.compute == MPX_BF16 && p.output == MPX_F32);

    assert(mpx_policy_parse_with("mixed_float16", keras, &q, &err) == MPX_OK);
    assert(q.compute == MPX_F16);

    assert(mpx_policy_parse_n("bf16; the rest is not read", 4, keras, &q, &err) == MPX_ERR_DTYPE); /* Keras: bfloat16 */

    assert(mpx_policy_format(p, text, sizeof text) == 18 && strcmp(text, "p=f32,c=bf16,o=f32") == 0);

    q = mpx_policy_of(MPX_F32, MPX_BF16, MPX_BF16);
    assert(mpx_policy_format_with(q, MPX_DIALECT_KERAS, text, sizeof text) == 14);
    assert(strcmp(text, "mixed_bfloat16") == 0);

    p = mpx_policy_of(MPX_F32, MPX_F16, MPX_NONE); /* outputs are left alone */

    assert(mpx_policy_equal(p, mpx_policy_of(MPX_F32, MPX_F16, MPX_NONE)) == 1);

    assert(mpx_policy_quantize(mpx_policy_of(MPX_F32, MPX_BF16, MPX_BF16), "int4/64", &q, &err) == MPX_OK);
    assert(q.quantization == MPX_QUANT_INT4 && q.group_size == 64);

    assert(mpx_policy_quantize_n(mpx_policy_of(MPX_F32, MPX_F32, MPX_F32), "int8 ...", 4, keras, &q, &err) == MPX_OK);

    before = mpx_default_policy_get(); /* float32 until it is set */
    mpx_default_policy_set(p);         /* for what this thread does now */
    memset(&q, 0, sizeof q);           /* a layer without a policy of its own */
    assert(mpx_policy_or_default(q).compute == MPX_F16);
    mpx_default_policy_set(before);
}

/* ---- policy maps ----------------------------------------------------------------------------------------------- */

static void example_policy_maps(void) {
    const mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    const char *lines = "default = p=f32,c=bf16,o=f32\nln*.* = f32\nlstm.* = f16\n";
    const char *except[] = { "layer_norm", NULL };
    static float x[2] = { 1.0f, 70000.0f };
    mpx_map_entry entries[8], more[8];
    mpx_layer layers[2], layer;
    mpx_layer_filter filter;
    mpx_policy_map map, keras;
    mpx_policy p;
    mpx_leaf leaves[2], made_leaves[2];
    mpx_tree tree, made;
    mpx_tree_size size;
    mpx_cast_report report;
    mpx_arena arena;
    unsigned char storage[64];
    size_t index, count;
    memset(layers, 0, sizeof layers);
    memset(&filter, 0, sizeof filter);

    map = mpx_policy_map_of(entries, 8, mpx_policy_of(MPX_F32, MPX_BF16, MPX_F32));

    p = mpx_policy_of(MPX_F32, MPX_F32, MPX_F32);
    keras = mpx_policy_map_keras(more, 8, p); /* keys are regular expressions */

    assert(mpx_policy_map_set(&map, "ln*.*", p, &err) == MPX_OK);

    assert(mpx_policy_map_set_n(&keras, ".*_norm and more", 7, p, &err) == MPX_OK);

    assert(mpx_policy_map_contains(&map, "ln*.*") == 1);

    assert(mpx_policy_map_delete(&map, "ln*.*") == MPX_OK && map.count == 0);

    assert(mpx_policy_map_parse(&map, lines, &err) == MPX_OK && map.count == 2);

    assert(mpx_policy_map_get(&map, "ln1.w", &p) == MPX_OK && p.compute == MPX_F32);

    assert(mpx_policy_map_find(&map, "lstm.w", &index) == MPX_OK && index == 1);
    assert(mpx_policy_map_find(&map, "wte", &index) == MPX_OK && index == MPX_MAP_DEFAULT);

    assert(mpx_policy_map_find_n(&map, "ln1.w|ln1.b", 5, &index) == MPX_OK && index == 0);

    mpx_policy_map_explain(&map, "ln1.w", text, sizeof text);
    assert(strcmp(text, "'ln1.w': 'ln*.*' decides: p=f32,c=f32,o=f32") == 0);

    assert(mpx_policy_map_parse_n(&map, "head = f32, and more", 10, any, &err) == MPX_OK && map.count == 3);

    assert(mpx_policy_map_format(&map, text, sizeof text) > 0); /* parses back to the same map */

    layers[0].path = "encoder/dense";
    layers[0].op = "dense";
    layers[0].policy = mpx_policy_of(MPX_F32, MPX_F16, MPX_F32);
    assert(mpx_policy_map_add_layers(&map, layers, 1, &err) == MPX_OK);

    layer.path = "encoder/dense";
    assert(mpx_policy_map_apply(&layer, 1, &map, &err) == MPX_OK && layer.policy.compute == MPX_F16);

    filter.except = except;
    assert(mpx_layer_filter_takes(&filter, &layers[0]) == 1); /* a dense layer is none of them */
    assert(mpx_layers_apply_policy(layers, 1, mpx_policy_of(MPX_F32, MPX_BF16, MPX_F32), &filter) == MPX_OK);

    leaves[0] = mpx_leaf_of("ln1.w", x, 1, MPX_F32);
    leaves[1] = mpx_leaf_of("lstm.w", x + 1, 1, MPX_F32);
    tree = mpx_tree_of_leaves(leaves, 2);
    map = mpx_policy_map_of(entries, 8, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
    assert(mpx_policy_map_add_tree(&map, tree, &err) == MPX_OK && map.count == 2);

    map.count = 0;
    assert(mpx_policy_map_parse(&map, lines, &err) == MPX_OK);
    assert(mpx_policy_map_count_leaves(&map, tree, &err) == MPX_OK);
    assert(map.entries[0].leaves == 1 && map.entries[1].leaves == 1);

    assert(mpx_policy_map_measure(&map, MPX_ROLE_COMPUTE, tree, &size, &err) == MPX_OK);
    assert(size.storage == 16); /* of one float16; the other leaf stays */

    arena = mpx_arena_of(storage, sizeof storage, made_leaves, 2);
    assert(mpx_policy_map_cast_into(&made, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_OK);
    assert(made_leaves[0].data == x && made_leaves[1].dtype == MPX_F16); /* shared; cast */

    assert(mpx_policy_map_dry_run(&map, MPX_ROLE_COMPUTE, tree, &report, 1, &count, &err) == MPX_OK);
    assert(count == 1 && report.stats.overflowed == 1); /* 70000 */

    assert(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_COMPUTE, &err) == MPX_OK);
    assert(leaves[1].dtype == MPX_F16);
}

/* ---- weights --------------------------------------------------------------------------------------------------- */

static void *grow(void *old, size_t size, void *user) {
    (void)user;
    return realloc(old, size);
}

static void example_weights(void) {
    static float w[64], b[2] = { 1.0f, 2.0f };
    static const size_t cols[2] = { 32, 2 };
    mpx_weights_options opt;
    mpx_weights out, casts[2];
    mpx_leaf leaves[2];
    mpx_tree tree;
    size_t chosen[2], i;
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < 64; i++) w[i] = (float)i / 64.0f;
    leaves[0] = mpx_leaf_of("dense/w", w, 64, MPX_F32);
    leaves[1] = mpx_leaf_of("dense/b", b, 2, MPX_F32);
    tree = mpx_tree_of_leaves(leaves, 2);

    opt.grow = grow; /* realloc */
    opt.cols = cols; /* 32 elements a row of "dense/w" */
    assert(mpx_weights_cast(&out, tree, "*/w = q8_0", &opt, &err) == MPX_OK);
    assert(out.leaves[0].dtype == MPX_U8 && out.weights[0].bytes == 2 * 34);
    assert(out.leaves[1].data == b); /* not cast: the source's own memory */
    free(out.memory);

    opt.sums = opt.leave = 1;
    assert(mpx_weights_cast(&casts[0], tree, "bf16", &opt, &err) == MPX_OK);
    assert(mpx_weights_cast(&casts[1], tree, "q8_0", &opt, &err) == MPX_OK);
    assert(mpx_weights_fit(chosen, casts, 2, 100, &err) == MPX_OK); /* 100 bytes for all leaves */
    assert(chosen[0] == 1); /* "dense/w" is q8_0 then */

    free(casts[0].memory);
    free(casts[1].memory);
}

/* ---- loss scales ----------------------------------------------------------------------------------------------- */

static mpx_status differentiate(mpx_loss_scale scale, float *loss, void *user) {
    float *grads = (float *)user;
    grads[0] = mpx_loss_scale_scale(scale, 0.25f);
    *loss = mpx_loss_scale_scale(scale, 2.0f);
    return MPX_OK;
}

static void example_loss_scales(void) {
    mpx_loss_scale none, fixed, s, axon, jaxamp, keras, loaded;
    unsigned char bytes[MPX_LOSS_SCALE_BYTES];
    float g[2] = { 0.5f, -0.25f }, out[2];
    uint16_t low[2];
    mpx_leaf leaves[1], low_leaves[1];
    mpx_tree tree, low_tree;
    mpx_grad_call call;
    mpx_grad_result result;
    int finite;
    memset(&call, 0, sizeof call);

    none = mpx_loss_scale_noop(); /* as {0} */
    fixed = mpx_loss_scale_static(1024.0f);

    s = mpx_loss_scale_dynamic(65536.0f);
    s.max_scale = 1048576.0f; /* fields are open */

    axon = mpx_loss_scale_axon(32768.0f); /* a value, as all of them */

    jaxamp = mpx_loss_scale_jaxamp(65536.0f);
    keras = mpx_loss_scale_keras(32768.0f);

    assert(mpx_loss_scale_check(s) == MPX_OK);

    assert(mpx_loss_scale_value(none) == 1.0f && mpx_loss_scale_value(fixed) == 1024.0f);

    assert(mpx_loss_scale_scale(fixed, 0.5f) == 512.0f);
    assert(mpx_loss_scale_unscale(fixed, 512.0f) == 0.5f);

    s = mpx_loss_scale_adjust(s, 0); /* the gradients of this step were not all finite */
    assert(s.scale == 32768.0f && s.counter == 0);

    assert(mpx_loss_scale_is_stuck(s) == 0); /* it can shrink further */

    assert(mpx_loss_scale_save(s, bytes) == MPX_OK);
    assert(mpx_loss_scale_load(bytes, sizeof bytes, &loaded) == MPX_OK && loaded.scale == s.scale);

    assert(mpx_loss_scale_scale_n(low, MPX_F16, g, MPX_F32, 2, fixed) == MPX_OK);
    assert(mpx_loss_scale_unscale_n(out, MPX_F32, low, MPX_F16, 2, fixed, &finite) == MPX_OK);
    assert(finite == 1 && out[0] == 0.5f);

    leaves[0] = mpx_leaf_of("w", g, 2, MPX_F32);
    low_leaves[0] = mpx_leaf_of("w", low, 2, MPX_F16);
    tree = mpx_tree_of_leaves(leaves, 1);
    low_tree = mpx_tree_of_leaves(low_leaves, 1);
    assert(mpx_loss_scale_scale_tree(low_tree, tree, fixed, &err) == MPX_OK);
    assert(mpx_loss_scale_unscale_tree(tree, low_tree, fixed, &finite, &err) == MPX_OK && finite == 1);

    call.evaluate = differentiate; /* writes scaled gradients to g and the scaled loss */
    call.grads = call.scaled_grads = tree;
    call.user = g;
    assert(mpx_loss_scale_grad(&s, &call, &result, &err) == MPX_OK);
    assert(result.finite == 1 && result.loss == 2.0f && g[0] == 0.25f);

    assert(axon.scale == keras.scale && jaxamp.scale == 65536.0f);
}

/* ---- AMP ------------------------------------------------------------------------------------------------------- */

static void example_amp(void) {
    static float x[4] = { 1.0f, 2.0f, 3.0f, 4.0f }, w[4] = { 1.0f, 0.0f, 0.0f, 1.0f };
    static uint16_t y[4];
    static unsigned char storage[256], plan_memory[4096], run_memory[1 << 21];
    static const size_t inputs[2] = { 0, 1 };
    const char *scopes[4];
    mpx_amp_rule rules[16];
    mpx_amp amp;
    mpx_amp_operand in[2];
    mpx_amp_answer answer;
    mpx_amp_eager eager;
    mpx_amp_node nodes[3];
    mpx_amp_graph graph;
    mpx_amp_plan plan;
    mpx_amp_value values[8];
    mpx_amp_program program;
    size_t count, size;
    memset(&amp, 0, sizeof amp);
    memset(in, 0, sizeof in);
    memset(&eager, 0, sizeof eager);
    memset(nodes, 0, sizeof nodes);
    memset(values, 0, sizeof values);
    memset(&program, 0, sizeof program);

    assert(mpx_amp_default_rules(&count)[0].precision == MPX_AMP_COMPUTE && count == 10); /* jaxamp's table */

    assert(mpx_amp_rules_parse("matmul=compute acc f32, softmax=f32", rules, 16, &count, &err) == MPX_OK && count == 2);

    assert(mpx_amp_rules_parse_n("exp=f32; and more", 7, rules + 2, 14, &count, &err) == MPX_OK && count == 1);

    assert(mpx_amp_rules_format(rules, 2, text, sizeof text) > 0);
    assert(strcmp(text, "matmul=compute acc f32, softmax=f32") == 0);

    amp.rules = rules;
    amp.rule_count = 2;
    amp.compute = MPX_BF16;
    in[0].dtype = in[1].dtype = MPX_F32;
    assert(mpx_amp_ask(&amp, "matmul", "encoder/attention", in, 2, &answer) == MPX_OK);
    assert(in[0].to == MPX_BF16 && answer.accumulate == MPX_F32); /* cast both; sums in float32 */

    eager.amp = amp;
    eager.scopes = scopes;
    eager.scope_capacity = 4;
    assert(mpx_amp_eager_push(&eager, "encoder") == MPX_OK);
    assert(mpx_amp_eager_ask(&eager, "softmax", in, 1, NULL) == MPX_OK && in[0].to == MPX_F32);
    assert(mpx_amp_eager_pop(&eager) == MPX_OK);

    eager.arena.data = storage;
    eager.arena.size = sizeof storage;
    in[0].data = x;
    in[1].data = w;
    in[0].count = in[1].count = 4;
    assert(mpx_amp_eager_cast(&eager, "matmul", in, 2, NULL) == MPX_OK);
    assert(in[0].dtype == MPX_BF16 && in[0].data != x); /* the cast is in the arena */

    mpx_amp_eager_forget(&eager); /* after an update of the weights */

    nodes[0].op = "input";
    nodes[1].op = "weight";
    nodes[1].flags = MPX_AMP_NODE_CONSTANT;
    nodes[2].op = "matmul";
    nodes[2].inputs = inputs; /* nodes 0 and 1 */
    nodes[2].input_count = 2;
    nodes[0].dtype = nodes[1].dtype = nodes[2].dtype = MPX_F32;
    nodes[0].count = nodes[1].count = nodes[2].count = 4;
    graph = mpx_amp_graph_of_nodes(nodes, 3);

    assert(mpx_amp_plan_size(graph, &size, &err) == MPX_OK && size <= sizeof plan_memory);

    assert(mpx_amp_plan_graph(&amp, graph, plan_memory, sizeof plan_memory, &plan, &err) == MPX_OK);
    assert(plan.cast_count == 2 && plan.nodes[1].store == MPX_BF16); /* a weight stored in bfloat16 needs no cast */

    assert(mpx_amp_explain(&plan, graph, text, sizeof text) > 0); /* a table, one line a node */
    assert(mpx_amp_explain_node(&plan, graph, 2, text, sizeof text) > 0);
    assert(strstr(text, "matmul=compute acc f32") != NULL);

    program.plan = &plan;
    program.graph = graph;
    program.values = values; /* plan.node_count + plan.cast_count of them */
    values[0].data = x;
    values[1].data = w;
    values[2].data = y;
    values[0].rows = values[0].cols = values[1].rows = values[1].cols = 2;
    values[1].dtype = MPX_F32;
    assert(mpx_amp_run_size(&program, &size, &err) == MPX_OK && size <= sizeof run_memory);
    assert(mpx_amp_run(&program, run_memory, size, &err) == MPX_OK);
    assert(mpx_bf16_to_f32(y[3]) == 4.0f); /* the product, in bfloat16 */
}

/* ---- compute --------------------------------------------------------------------------------------------------- */

static void example_compute(void) {
    static float x[4] = { 1.0f, 2.0f, 3.0f, 4.0f }, w[8] = { 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f };
    static float y[8], dy[4] = { 1.0f, 0.0f, 0.0f, 0.0f }, dx[4], loss[1], m[4], v[4], table[4], params[4];
    static unsigned char workspace[1 << 19], packed[1 << 16];
    const int32_t label[1] = { 3 };
    mpx_matrix a, b;
    mpx_matmul_options opt;
    mpx_matvec_options vec;
    mpx_optimizer adam;
    mpx_optimizer_arrays arrays;
    mpx_optimizer_trees trees;
    mpx_leaf leaf_p[1], leaf_m[1], leaf_v[1], leaf_g[1];
    int finite;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(&opt, 0, sizeof opt);
    memset(&vec, 0, sizeof vec);
    memset(&adam, 0, sizeof adam);
    memset(&arrays, 0, sizeof arrays);
    memset(&trees, 0, sizeof trees);

    assert(mpx_dot(x, MPX_F32, x, MPX_F32, 4) == 30.0f);

    assert(mpx_matvec(y, MPX_F32, w, MPX_F32, x, MPX_F32, 2, 4) == MPX_OK); /* 2 rows of 4 */
    assert(y[0] == 1.0f && y[1] == 2.0f);

    a.data = w;
    a.type = MPX_F32;
    a.rows = 2;
    a.cols = 4;
    vec.activation = MPX_ACT_RELU;
    assert(mpx_matvec_with(y, MPX_F32, a, x, MPX_F32, &vec) == MPX_OK);

    b.data = x; /* 4 rows of 1 */
    b.type = MPX_F32;
    b.rows = 4;
    b.cols = 1;
    opt.workspace = workspace;
    opt.workspace_size = sizeof workspace;
    assert(mpx_matmul_workspace(b, &opt) <= sizeof workspace);
    assert(mpx_matmul(y, MPX_F32, a, b, &opt) == MPX_OK && y[1] == 2.0f);

    assert(mpx_matmul_packed_bytes(b, &opt) <= sizeof packed); /* for a b that is used often */
    assert(mpx_matmul_pack(packed, b, &opt) == MPX_OK);
    opt.packed = packed;
    assert(mpx_matmul(y, MPX_F32, a, b, &opt) == MPX_OK && y[0] == 1.0f);

    assert(mpx_activate(y, MPX_F32, x, MPX_F32, 4, MPX_ACT_SILU) == MPX_OK);
    assert(mpx_activate_grad(dx, MPX_F32, dy, MPX_F32, x, MPX_F32, 4, MPX_ACT_RELU) == MPX_OK);
    assert(fabsf(y[0] - 0.7310586f) < 1e-6f && dx[0] == 1.0f);

#if MPX_USE_SLEEF
    assert(mpx_pow(y, MPX_F32, x, MPX_F32, x, MPX_F32, 4) == MPX_OK);
    assert(fabsf(y[2] - 27.0f) < 1e-4f); /* 3 to the power 3 */
#endif

    assert(mpx_softmax(y, MPX_F32, x, MPX_F32, 1, 4) == MPX_OK);
    assert(fabsf(y[3] - 0.6439143f) < 1e-6f);
    assert(mpx_softmax_grad(dx, MPX_F32, dy, MPX_F32, y, MPX_F32, 1, 4) == MPX_OK);

    assert(mpx_log_softmax(y, MPX_F32, x, MPX_F32, 1, 4) == MPX_OK);
    assert(fabsf(y[3] + 0.4401897f) < 1e-6f);

    assert(mpx_layer_norm(y, MPX_F32, x, MPX_F32, 1, 4, NULL) == MPX_OK); /* no weight, no bias, eps 1e-5 */
    assert(fabsf(y[3] - 1.3416354f) < 1e-6f);
    assert(mpx_layer_norm_grad(dx, MPX_F32, dy, MPX_F32, x, MPX_F32, 1, 4, NULL) == MPX_OK);

    assert(mpx_rms_norm(y, MPX_F32, x, MPX_F32, 1, 4, NULL) == MPX_OK);
    assert(fabsf(y[3] - 1.4605926f) < 1e-6f);
    assert(mpx_rms_norm_grad(dx, MPX_F32, dy, MPX_F32, x, MPX_F32, 1, 4, NULL) == MPX_OK);

    assert(mpx_cross_entropy(loss, dx, MPX_F32, x, MPX_F32, label, 1, 4, 1.0f) == MPX_OK);
    assert(fabsf(loss[0] - 0.4401897f) < 1e-6f); /* -log(softmax(x)[3]) */

    assert(mpx_rotary_table(table, 1, 1, 4, 10000.0) == MPX_OK); /* cosines and sines for position 1 */
    assert(mpx_rotary(y, MPX_F32, x, MPX_F32, table, 1, 1, 4, MPX_ROTARY_HALVES, 0) == MPX_OK);

    adam.lr = 0.01; /* AdamW, without weight decay */
    memcpy(params, x, sizeof params);
    arrays.param = params;
    arrays.param_type = MPX_F32;
    arrays.grad = dy;
    arrays.grad_type = MPX_F32;
    arrays.m = m;
    arrays.v = v;
    arrays.n = 4;
    assert(mpx_optimizer_step(&adam, &arrays, 1, &finite, &err) == MPX_OK && finite == 1);
    assert(fabsf(params[0] - 0.99f) < 1e-6f && params[1] == 2.0f);

    leaf_p[0] = mpx_leaf_of("w", params, 4, MPX_F32);
    leaf_m[0] = mpx_leaf_of("w", m, 4, MPX_F32);
    leaf_v[0] = mpx_leaf_of("w", v, 4, MPX_F32);
    leaf_g[0] = mpx_leaf_of("w", dy, 4, MPX_F32);
    trees.params = mpx_tree_of_leaves(leaf_p, 1);
    trees.m = mpx_tree_of_leaves(leaf_m, 1);
    trees.v = mpx_tree_of_leaves(leaf_v, 1);
    trees.grads = mpx_tree_of_leaves(leaf_g, 1);
    assert(mpx_optimizer_step_tree(&adam, &trees, &finite, &err) == MPX_OK && adam.step == 2);
}

/* ---- interop --------------------------------------------------------------------------------------------------- */

static void example_interop(void) {
    const mpx_dtype types[2] = { MPX_F16, MPX_BF16 };
    mpx_dtype type;
    mpx_dlpack dlpack;
    int64_t code;

    assert(mpx_interop_code(MPX_SYSTEM_ONNX, MPX_BF16, &code) == MPX_OK && code == 16);

    assert(mpx_interop_dtype(MPX_SYSTEM_GGUF, 30, &type) == MPX_OK && type == MPX_BF16);

    assert(strcmp(mpx_interop_name(MPX_SYSTEM_SAFETENSORS, MPX_F8E4M3FN), "F8_E4M3") == 0);

    assert(mpx_interop_parse(MPX_SYSTEM_MLIR, "f8E4M3FN", &type, &err) == MPX_OK && type == MPX_F8E4M3FN);

    assert(mpx_interop_parse_n(MPX_SYSTEM_NUMPY_STR, "<f2', 'shape'", 3, &type, &err) == MPX_OK && type == MPX_F16);

    assert(mpx_interop_dlpack(MPX_BF16, &dlpack) == MPX_OK);
    assert(dlpack.code == 4 && dlpack.bits == 16 && dlpack.lanes == 1);
    assert(mpx_interop_dlpack_dtype(dlpack, &type) == MPX_OK && type == MPX_BF16);

    assert(mpx_dtype_suggest("bfloat61", 8) == MPX_BF16); /* "did you mean 'bfloat16'?" */

    assert(mpx_dtype_promote(types, 2, MPX_DIALECT_ANY, &type) == MPX_OK && type == MPX_F32);
}

#if MPX_FILES
/* ---- files ----------------------------------------------------------------------------------------------------- */

static mpx_status append(const void *data, size_t size, const mpx_file_tensor *tensor, void *user) {
    (void)data;
    (void)tensor;
    *(size_t *)user += size; /* a program would write the bytes */
    return MPX_OK;
}

static void example_files(void) {
    static float w[2] = { 1.0f, 2.0f };
    static char bytes[1024];
    static unsigned char memory[4096];
    static uint32_t layers = 12;
    mpx_file_tensor tensor;
    mpx_file_meta meta;
    mpx_file file, read;
    mpx_tree tree;
    mpx_tree_size measured;
    uint64_t number;
    size_t size, written = 0, at = 0, length;
    memset(&tensor, 0, sizeof tensor);
    memset(&meta, 0, sizeof meta);
    memset(&file, 0, sizeof file);

    tensor.leaf = mpx_leaf_of("dense/w", w, 2, MPX_F32);
    tensor.rank = 1;
    tensor.shape[0] = 2;
    meta.key = "layers";
    meta.data = &layers;
    meta.size = sizeof layers;
    meta.count = 1;
    meta.dtype = MPX_U32;
    file.format = MPX_FORMAT_GGUF;
    file.tensors = &tensor;
    file.metas = &meta;
    file.count = file.meta_count = 1;
    assert(mpx_file_size(&file, &size, &err) == MPX_OK && size <= sizeof bytes);

    assert(mpx_file_write(&file, append, &written, &err) == MPX_OK && written == size);

    assert(mpx_file_save(bytes, size, &file, &err) == MPX_OK);

    assert(mpx_file_open(&read, bytes, size, NULL, 0, &err) == MPX_ERR_SPACE && err.need <= sizeof memory);
    assert(mpx_file_open(&read, bytes, size, memory, err.need, &err) == MPX_OK);
    assert(read.format == MPX_FORMAT_GGUF && read.count == 1);

    assert(mpx_file_find(&read, "dense/w")->leaf.count == 2);
    assert(mpx_file_find_meta(&read, "absent") == NULL);

    assert(mpx_file_number(&number, MPX_U64, mpx_file_find_meta(&read, "layers"), 0) == MPX_OK && number == 12);

    assert(mpx_file_text(mpx_file_find_meta(&read, "layers"), &at, &length) == NULL); /* numbers, no text */

    tree = mpx_tree_of_file(&read);
    assert(mpx_tree_measure(tree, MPX_BF16, &measured, &err) == MPX_OK && measured.elements == 2);
}
#endif

int main(void) {
    example_library();
    example_dtypes();
    example_casts();
    example_buffers();
    example_vertices();
    example_quantization();
    example_trees();
    example_threads();
    example_policies();
    example_policy_maps();
    example_weights();
    example_loss_scales();
    example_amp();
    example_compute();
    example_interop();
#if MPX_FILES
    example_files();
#endif
    return printf("every example holds\n") < 0;
}
