/* Values for tests/test_gdb.py to look at in a debugger, and what the library itself says of them. C and C++. */
#define MPX_COMPUTE 1
#define MPX_FILES 1
#include "mpx.h"
#include <string.h>

enum { VIEWS_CODES = 65536 };
typedef struct views_codes {
    mpx_dtype dtype;
    size_t count;
    uint16_t codes[VIEWS_CODES]; /* of 16 bits; or bytes */
    double values[VIEWS_CODES];
} views_codes;
typedef struct views_policy {
    mpx_policy policy;
    char text[MPX_POLICY_TEXT_SIZE];
} views_policy;
typedef struct views_error {
    mpx_error error;
    const char *text;
    char sentence[MPX_ERROR_TEXT_SIZE];
} views_error;

static views_codes all_codes[MPX_DTYPE_COUNT];
static views_policy all_policies[20];
static views_error all_errors[24];
static mpx_error unset_error;
static mpx_policy unset_policy;
static const char *all_statuses[128]; /* in words; that of status i at i + 64 */
static mpx_dtype_facts all_names[MPX_DTYPE_COUNT];
static mpx_leaf leaves[6];
static uint16_t some_bf16[9] = { 0x3f80, 0xbf00, 0x4049, 0x7f80, 0xff80, 0x0001, 0x8000, 0x42c8, 0x4120 };
static unsigned char some_i4[2] = { 0x81, 0x0f };
static int64_t some_i64[2] = { -9007199254740993, 7 };
static uint64_t some_u64[1] = { 18446744073709551615u };
static float some_f32[2] = { 0.5f, -3.0f }, some_c64[4] = { 1.0f, 2.0f, 3.0f, -4.0f };

#ifdef __cplusplus
extern "C"
#endif
void views_are_made(const void *data);
/* The breakpoint. */
void views_are_made(const void *data) { (void)data; }

/* Every code of 16 bits, and random bytes for all that is less. */
static void make_codes(views_codes *out, mpx_dtype dtype) {
    size_t i;
    uint32_t random = 1;
    out->dtype = dtype;
    out->count = mpx_dtype_bits(dtype) == 16 ? VIEWS_CODES : 1000;
    for (i = 0; i < VIEWS_CODES; i++) {
        random = random * 1664525u + 1013904223u;
        out->codes[i] = (uint16_t)(mpx_dtype_bits(dtype) == 16 ? i : random >> 16);
    }
    if (mpx_cast(out->values, MPX_F64, out->codes, dtype, out->count) != MPX_OK) out->count = 0;
}

static void make_policies(void) {
    static const char *const texts[] = {
        "p=f32,c=bf16,o=f32", "f16", "<c=bf16>", "<p=f8e4m3fn o=f16>", "<>", "int8_from_mixed_bfloat16",
        "int4/128_from_float32", "int4/-1_from_mixed_float16", "int4_from_bfloat16", "float8_from_float32",
        "float8/16_from_mixed_float16", "float8/0_from_float32", "gptq/4/128_from_bfloat16",
        "awq/4/-1_from_mixed_bfloat16",
        "int8_from_p=f32,c=bf16,o=f32", "float8_from_<c=bf16>", "ternary_from_float32", "int4/None_from_float32",
    };
    size_t i;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (mpx_policy_parse(texts[i], &all_policies[i].policy, NULL) == MPX_OK)
            mpx_policy_format(all_policies[i].policy, all_policies[i].text, sizeof all_policies[i].text);
}

static int refuse(const char *pattern, size_t pattern_length, const char *path, size_t path_length, void *user) {
    (void)pattern, (void)pattern_length, (void)path, (void)path_length, (void)user;
    return MPX_ERR_CALLBACK;
}

/* Errors of all kinds, as they are met. */
static void make_errors(void) {
    static const size_t later[1] = { 1 }, first[1] = { 0 };
    static const mpx_amp_node nodes[2] = { { "exp", NULL, later, 1, MPX_F32, 4, 0 },
                                           { "in", NULL, NULL, 0, MPX_F32, 4, 0 } };
    static const size_t wide[1] = { 2 };
    static float numbers[32], others[8];
    static size_t block[4096];
    static mpx_map_entry entries[2];
    mpx_policy policy = mpx_policy_of(MPX_F32, MPX_BF16, MPX_F32);
    mpx_policy_map map = mpx_policy_map_of(entries, 2, policy), full = mpx_policy_map_of(entries, 0, policy);
    mpx_layer layer = { "a/b", "dense", policy };
    mpx_leaf one = mpx_leaf_of("decoder/bias", numbers, 3, MPX_F32),
             two = mpx_leaf_of("decoder/bias", numbers, 4, MPX_F32),
             half = mpx_leaf_of("decoder/bias", others, 3, MPX_F16), whole = mpx_leaf_of("w", numbers, 3, MPX_I32),
             group = mpx_leaf_of("group", numbers, 32, MPX_F32),
             no_data = mpx_leaf_of("w\xc3\xa4", NULL, 3, MPX_F32);
    mpx_tree tree = mpx_tree_of_leaves(&one, 1), out;
    mpx_arena arena = mpx_arena_of(numbers, 2, &two, 1);
    mpx_tree_size measured;
    mpx_weights weights;
    mpx_weights_options options = { MPX_ROLE_PARAM, 0, { MPX_DIALECT_ANY, MPX_NONE }, NULL, NULL, block, sizeof block,
                                    NULL, 0, 0, { NULL, NULL, 0 } };
    static const char file_text[] = "\x08\0\0\0\0\0\0\0{\"a\":12}";
    static const mpx_amp_node cubes[2] = { { "in", NULL, NULL, 0, MPX_F32, 4, 0 },
                                           { "cube", NULL, first, 1, MPX_F32, 4, 0 } };
    mpx_amp amp = { NULL, 0, MPX_NONE, 0, 0 };
    mpx_amp_value values[2];
    mpx_amp_plan plan;
    mpx_amp_program program = { &plan, mpx_amp_graph_of_nodes(cubes, 2), values, NULL, 0, { NULL, NULL, 0 } };
    mpx_file file;
    size_t size, i = 0;

    (void)mpx_policy_parse(all_errors[i].text = "p=f32,c=float61", &policy, &all_errors[i].error), i++;
    (void)mpx_policy_parse(all_errors[i].text = "", &policy, &all_errors[i].error), i++;
    (void)mpx_policy_map_parse(&map, all_errors[i].text = "a = f32\n[b = f16\n", &all_errors[i].error), i++;
    (void)mpx_tree_copy(tree, mpx_tree_of_leaves(&two, 1), &all_errors[i++].error);
    (void)mpx_tree_copy(tree, mpx_tree_of_leaves(&half, 1), &all_errors[i++].error);
    (void)mpx_tree_cast(tree, mpx_tree_of_leaves(&half, 1), &all_errors[i++].error);
    (void)mpx_tree_check_floating(mpx_tree_of_leaves(&whole, 1), &all_errors[i++].error);
    (void)mpx_tree_measure(mpx_tree_of_leaves(&no_data, 1), MPX_BF16, &measured, &all_errors[i++].error);
    (void)mpx_tree_measure(tree, MPX_I8, &measured, &all_errors[i++].error);
    (void)mpx_tree_cast_into(&out, tree, MPX_BF16, &arena, &all_errors[i++].error);
    (void)mpx_policy_map_set(&full, "a", policy, &all_errors[i++].error);
    map.match = refuse;
    map.patterns = MPX_PATTERNS_HOOK;
    (void)mpx_policy_map_set(&map, "c", policy, NULL);
    (void)mpx_policy_map_apply(&layer, 1, &map, &all_errors[i++].error);
    (void)mpx_amp_plan_size(mpx_amp_graph_of_nodes(nodes, 2), &size, &all_errors[i++].error);
    numbers[0] = 1e9f;
    (void)mpx_weights_cast(&weights, tree, "f16", &options, &all_errors[i++].error);
    (void)mpx_weights_cast(&weights, tree, "q8_0", &options, &all_errors[i++].error);
    options.cols = wide;
    (void)mpx_weights_cast(&weights, tree, "int8", &options, &all_errors[i++].error);
    options.cols = NULL;
    numbers[0] = 3e38f;
    (void)mpx_weights_cast(&weights, mpx_tree_of_leaves(&group, 1), "q4_0", &options, &all_errors[i++].error);
    (void)mpx_file_open(&file, file_text, 16, block, sizeof block, &all_errors[i++].error);
    memset(&file, 0, sizeof file);
    (void)mpx_file_size(&file, &size, &all_errors[i++].error);
    memset(values, 0, sizeof values);
    if (mpx_amp_plan_graph(&amp, program.graph, block, sizeof block, &plan, NULL) == MPX_OK)
        (void)mpx_amp_run_size(&program, &size, &all_errors[i++].error);
    while (i-- > 0)
        mpx_error_format(&all_errors[i].error, all_errors[i].text, all_errors[i].sentence, MPX_ERROR_TEXT_SIZE);
}

int main(void) {
    int i;
    for (i = 0; i < (int)MPX_DTYPE_COUNT; i++) {
        all_names[i] = mpx_dtype_info((mpx_dtype)i);
        if (all_names[i].bits <= 16) make_codes(&all_codes[i], (mpx_dtype)i);
    }
    for (i = 0; i < 128; i++) all_statuses[i] = mpx_status_string((mpx_status)(i - 64));
    make_policies();
    make_errors();
    memset(&unset_policy, 0xa7, sizeof unset_policy);
    memset(&unset_error, 0xa7, sizeof unset_error);
    leaves[0] = mpx_leaf_of("encoder/kernel", some_bf16, 9, MPX_BF16);
    leaves[1] = mpx_leaf_of("q", some_i4, 4, MPX_I4);
    leaves[2] = mpx_leaf_of(NULL, NULL, 0, MPX_NONE);
    leaves[3] = mpx_leaf_of("wild", (const void *)(size_t)64, 2, MPX_F32);
    leaves[4] = mpx_leaf_of("none", some_f32, 2, (mpx_dtype)99);
    leaves[5] = mpx_leaf_of((const char *)(size_t)64, some_f32, 0, MPX_I32);
    views_are_made(some_i64), views_are_made(some_u64), views_are_made(some_c64);
    return all_codes[0].count != 0;
}
