/* Whole models, quantized by a text: mpx_weights_cast, and mpx_weights_fit for a byte budget. Codes against mpx_quantize,
   sums and counts against loops in double over mpx_dequantize, the budget against all combinations. */
#include "test.h"
#include "ref.h"
#include "fpmode.h"
#include <math.h>

/* ---- a model --------------------------------------------------------------------------------- */

enum { EMBED = 40 * 96, LSTM = 64 * 33, BIAS = 5 };
static float embed[EMBED], lstm[LSTM], bias[BIAS];
static int32_t steps[3] = { 1, 2, 3 };
static uint16_t half[64];
static unsigned char memory[1 << 18];

/* A bell of 64 steps with a few large values in it. */
static float next_value(void) {
    static uint32_t state = 12345;
    float sum = 0;
    int i;
    for (i = 0; i < 6; i++) {
        state = state * 1664525u + 1013904223u;
        sum += (float)(state >> 8) / 16777216.0f - 0.5f;
    }
    return state >> 28 == 0 ? sum * 8 : sum;
}
static size_t make_leaves(mpx_leaf *leaves) {
    size_t i;
    for (i = 0; i < EMBED; i++) embed[i] = next_value();
    for (i = 0; i < LSTM; i++) lstm[i] = next_value() / 16;
    for (i = 0; i < BIAS; i++) bias[i] = (float)i - 2.5f;
    for (i = 0; i < 64; i++) half[i] = (uint16_t)(0x3f80 + i);
    leaves[0] = mpx_leaf_of("embed", embed, EMBED, MPX_F32);
    leaves[1] = mpx_leaf_of("lstm.weight", lstm, LSTM, MPX_F32);
    leaves[2] = mpx_leaf_of("lstm.bias", bias, BIAS, MPX_F32);
    leaves[3] = mpx_leaf_of("steps", steps, 3, MPX_I32);
    leaves[4] = mpx_leaf_of("half", half, 64, MPX_BF16);
    return 5;
}
static mpx_weights_options options_of(const size_t *cols) {
    mpx_weights_options opt;
    memset(&opt, 0, sizeof opt);
    opt.block = memory, opt.size = sizeof memory, opt.cols = cols;
    return opt;
}

/* ---- map text -------------------------------------------------------------------------------- */

static void case_map_text(void) {
    static const struct { const char *value, *quant, *policy; } rows[] = {
        { "int8/channel", "int8/channel", NULL }, { "q8_0", "q8_0", NULL }, { "Q4_0", "q4_0", NULL },
        { "int8", "int8", NULL }, { "int4/128", "int4/128", NULL }, { "uint8/column", "uint8/column", NULL },
        { "float8", "float8", NULL }, { "mxfp4/rceil/swizzled", "mxfp4/rceil/swizzled", NULL },
        { "f8e4m3fn", NULL, "p=f8e4m3fn,c=f8e4m3fn,o=f8e4m3fn" }, { "bf16", NULL, "p=bf16,c=bf16,o=bf16" },
        { "f8e5m2/channel", "f8e5m2/channel", NULL }, { "none", NULL, "<>" }, { "<c=bf16>", NULL, "<c=bf16>" },
        { "int8_from_float32", NULL, "int8_from_float32" }, { "p=f32,c=int8", NULL, "p=f32,c=i8,o=i8" },
        { "i8", NULL, "p=i8,c=i8,o=i8" }
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_map_entry entries[2], again[2];
        mpx_policy_map map = mpx_policy_map_of(entries, 2, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE)),
                       back = mpx_policy_map_of(again, 2, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
        const char *want = rows[i].quant != NULL ? rows[i].quant : rows[i].policy, *format;
        char text[200], printed[400], twice[400], line[200];
        mpx_error err;
        mpx_quant quant;
        memset(&quant, 0, sizeof quant);
        if (rows[i].quant != NULL) (void)mpx_quant_parse(rows[i].quant, &quant, NULL);
        snprintf(text, sizeof text, "default = %s\nlstm.* = %s # so\n", rows[i].value, rows[i].value);
        CHECK(mpx_policy_map_parse(&map, text, &err) == MPX_OK && err.status == MPX_OK, "%s", text);
        CHECK(memcmp(&entries[0].quant, &quant, sizeof quant) == 0 &&
                  memcmp(&map.fallback_quant, &quant, sizeof quant) == 0, "%s: the value", text);
        (void)mpx_policy_map_format(&map, printed, sizeof printed);
        format = strstr(printed, "lstm.* = ");
        CHECK(strncmp(printed + 10, want, strlen(want)) == 0 && format != NULL &&
                  strncmp(format + 9, want, strlen(want)) == 0 && format[9 + strlen(want)] == '\n',
              "%s: printed %s", text, printed);
        CHECK(mpx_policy_map_parse(&back, printed, NULL) == MPX_OK &&
                  memcmp(&again[0].quant, &quant, sizeof quant) == 0 &&
                  mpx_policy_equal(again[0].policy, entries[0].policy), "%s: read back", text);
        (void)mpx_policy_map_format(&back, twice, sizeof twice);
        CHECK(strcmp(printed, twice) == 0, "%s: printed again: %s", text, twice);
        (void)mpx_policy_map_explain(&map, "lstm.bias", line, sizeof line);
        snprintf(text, sizeof text, "'lstm.bias': 'lstm.*' decides: %s", want);
        CHECK(strcmp(line, text) == 0, "%s", line);
    }
}

static void case_map_errors(void) {
    static const struct { const char *text, *sentence; } rows[] = {
        { "a = int8/chanel", "unknown or unusable 'chanel' at 9; " },
        { "a = q8_0\nb = mxfp4/ceil/128", "unknown or unusable '128' at 24; " },
        { "a = int4/0", "unknown or unusable '0' at 9; " },
        { "a = q9_0", "unknown dtype 'q9_0' at 4; " },
        { "a = q8_0 fast", "unknown dtype 'q8_0 fast' at 4; " },
        { "a = int4/x_from_float32", "not a whole number 'x' at 9" },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_map_entry entries[2];
        mpx_policy_map map = mpx_policy_map_of(entries, 2, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
        mpx_error err;
        char line[MPX_ERROR_TEXT_SIZE];
        CHECK(mpx_policy_map_parse(&map, rows[i].text, &err) < 0 && map.count == 0, "%s", rows[i].text);
        (void)mpx_error_format(&err, rows[i].text, line, sizeof line);
        CHECK(strncmp(line, rows[i].sentence, strlen(rows[i].sentence)) == 0, "%s: %s", rows[i].text, line);
    }
}

/* Functions that only cast refuse a leaf that is to be quantized; those for other roles see its policy. */
static void case_trees_refuse(void) {
    mpx_map_entry entries[2];
    mpx_policy_map map = mpx_policy_map_of(entries, 2, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
    mpx_leaf leaves[5], made[5];
    mpx_tree tree = mpx_tree_of_leaves(leaves, make_leaves(leaves)), out;
    mpx_tree_size size;
    mpx_arena arena;
    mpx_error err;
    memset(&arena, 0, sizeof arena);
    arena.data = memory, arena.size = sizeof memory, arena.leaves = made, arena.leaf_capacity = 5;
    CHECK(mpx_policy_map_parse(&map, "lstm.weight = q8_0", NULL) == MPX_OK, "the map");
    CHECK(mpx_policy_map_cast_into(&out, tree, &map, MPX_ROLE_PARAM, &arena, &err) == MPX_ERR_DTYPE &&
              err.index == 1, "cast_into: leaf %lu", (unsigned long)err.index);
    CHECK(mpx_policy_map_measure(&map, MPX_ROLE_PARAM, tree, &size, &err) == MPX_ERR_DTYPE, "measure");
    CHECK(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_PARAM, &err) == MPX_ERR_DTYPE, "in place");
    CHECK(mpx_policy_map_cast_into(&out, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_OK, "compute: %d", err.status);
}

/* ---- quantized leaves ------------------------------------------------------------------------ */

/* Leaf i of w: the bytes of mpx_quantize, and sums and counts by loops of our own. Clipped values are not counted here. */
static void check_quantized(const mpx_weights *w, size_t i, const mpx_leaf *src, const char *text, size_t cols) {
    const mpx_weight *weight = &w->weights[i];
    const size_t rows = src->count / cols, bytes = mpx_quant_bytes(weight->quant, rows, cols);
    static unsigned char codes[1 << 17];
    static double before[EMBED], after[EMBED];
    char name[64];
    double squares = 0, errors = 0;
    uint64_t zeroed = 0;
    size_t k;
    (void)mpx_quant_format(weight->quant, name, sizeof name);
    CHECK(strcmp(name, text) == 0 && weight->to == MPX_U8 && weight->from == src->dtype, "leaf %lu is %s", (unsigned long)i, name);
    CHECK(weight->rows == rows && weight->cols == cols && w->leaves[i].count == bytes && w->leaves[i].dtype == MPX_U8,
          "leaf %lu: %lu x %lu, %lu bytes", (unsigned long)i, (unsigned long)weight->rows, (unsigned long)weight->cols,
          (unsigned long)w->leaves[i].count);
    memset(codes, 0xa5, sizeof codes);
    memcpy(codes, w->leaves[i].data, bytes); /* bytes between the parts */
    CHECK(mpx_quantize(codes, weight->quant, src->data, src->dtype, rows, cols) == MPX_OK &&
              memcmp(codes, w->leaves[i].data, bytes) == 0, "leaf %lu: codes", (unsigned long)i);
    (void)mpx_cast(before, MPX_F64, src->data, src->dtype, src->count);
    CHECK(mpx_dequantize(after, MPX_F64, w->leaves[i].data, weight->quant, rows, cols) == MPX_OK, "dequantize");
    for (k = 0; k < src->count; k++) {
        squares += before[k] * before[k];
        errors += (before[k] - after[k]) * (before[k] - after[k]);
        zeroed += before[k] != 0 && after[k] == 0;
    }
    CHECK(fabs(weight->sum_squares - squares) <= 1e-12 * squares && fabs(weight->sum_error_squares - errors) <= 1e-12 * errors,
          "leaf %lu, %s: sums %.17g, %.17g for %.17g, %.17g", (unsigned long)i, text, weight->sum_squares, weight->sum_error_squares,
          squares, errors);
    CHECK(weight->zeroed == zeroed, "leaf %lu, %s: %lu zeroed for %lu", (unsigned long)i, text, (unsigned long)weight->zeroed,
          (unsigned long)zeroed);
}

static void case_map_quantizes(void) {
    static const char text[] = "default = bf16\n"
                               "lstm.weight = int8/channel\n"
                               "embed = q8_0\n"
                               "lstm.bias = none\n"
                               "steps = q4_0\n";
    mpx_leaf leaves[5];
    const size_t cols[5] = { 96, 33, 0, 0, 0 }, count = make_leaves(leaves);
    mpx_weights_options opt = options_of(cols);
    mpx_weights w;
    mpx_error err;
    mpx_status status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), text, &opt, &err);
    CHECK(status == MPX_OK && w.count == 5, "status %d", status);
    if (status != MPX_OK) return;
    check_quantized(&w, 0, &leaves[0], "q8_0", 96);
    check_quantized(&w, 1, &leaves[1], "int8/channel", 33);
    CHECK(w.leaves[2].data == bias && w.leaves[2].dtype == MPX_F32 && w.weights[2].bytes == sizeof bias, "none: stays");
    CHECK(w.leaves[3].data == steps && w.weights[3].quant.scheme == MPX_SCHEME_NONE, "integers stay");
    CHECK(w.leaves[4].data == half && w.weights[4].rows == 0, "no quantization");
    CHECK(w.weights[0].bytes == EMBED / 32 * 34 && w.weights[1].bytes == LSTM + 64 * 4 &&
              w.bytes == w.weights[0].bytes + w.weights[1].bytes + sizeof bias + sizeof steps + sizeof half,
          "%lu bytes", (unsigned long)w.bytes);
    CHECK(w.zeroed == w.weights[0].zeroed + w.weights[1].zeroed && w.saturated == 0, "totals");
    CHECK(strcmp(w.leaves[1].path, "lstm.weight") == 0 && w.unmatched == 1, "paths; steps decides no float");
}

static void case_one_text(void) {
    static const char *const texts[] = {
        "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "int8", "int8/channel", "int8/column", "int8/32", "int8/24/down", "int4/128",
        "int4/32", "int4/20/down", "int2/7", "int4", "int8/zero", "int8/channel/linear", "uint8/column", "uint4/33", "uint2/1",
        "float8", "f8e5m2/channel", "mxfp8_e4m3", "mxfp8_e5m2/rceil", "mxfp6_e2m3", "mxfp6_e3m2/even", "mxfp4", "mxfp4/ceil",
        "mxint8", "nvfp4", "nvfp4/single", "nvfp4/swizzled", "mxfp4/swizzled", "int8/300", "int8/256", "int8/channel/zero",
        "ggml_mxfp4"
    };
    mpx_leaf leaves[5];
    const size_t count = make_leaves(leaves);
    static double wide[64 * 32];
    static uint16_t low[EMBED];
    size_t i, k, shape;
    (void)mpx_cast(wide, MPX_F64, embed, MPX_F32, 64 * 32);
    (void)mpx_cast(low, MPX_BF16, embed, MPX_F32, EMBED);
    leaves[2] = mpx_leaf_of("wide", wide, 64 * 32, MPX_F64);
    leaves[1] = mpx_leaf_of("low", low, EMBED, MPX_BF16);
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (shape = 0; shape < 3; shape++) {
            static const size_t shapes[3][5] = { { 96, 32, 64, 0, 0 }, { 1920, 96, 1024, 0, 0 }, { 32, 0, 32, 0, 64 } };
            mpx_weights_options opt = options_of(shapes[shape]);
            mpx_weights w;
            const mpx_status status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), texts[i], &opt, NULL);
            CHECK(status == MPX_OK, "%s: %d", texts[i], status);
            for (k = 0; status == MPX_OK && k < 5; k++)
                if (k != 3) check_quantized(&w, k, &leaves[k], texts[i], shapes[shape][k] != 0 ? shapes[shape][k] : leaves[k].count);
        }
}

/* ---- errors, ties, counts -------------------------------------------------------------------- */

#define ONLY_READ "; this quantized format is only read"
static void case_shape_errors(void) {
    static const struct { const char *text; size_t cols, index; mpx_status status; const char *sentence; } rows[] = {
        { "lstm.weight = q8_0", 33, 1, MPX_ERR_SHAPE,
          "unusable shape at leaf 1 'lstm.weight': rows of 33 elements are no whole blocks of 32" },
        { "lstm.weight = nvfp4", 33, 1, MPX_ERR_SHAPE,
          "unusable shape at leaf 1 'lstm.weight': rows of 33 elements are no whole blocks of 16" },
        { "lstm.weight = int8/channel", 100, 1, MPX_ERR_SHAPE,
          "unusable shape at leaf 1 'lstm.weight': 2112 elements are no whole rows of 100" },
        { "lstm.* = mxfp4", 0, 2, MPX_ERR_SHAPE, "unusable shape at leaf 2 'lstm.bias': rows of 5 elements are no whole blocks of 32" },
        { "lstm.weight = int8", 3000, 1, MPX_ERR_SHAPE,
          "unusable shape at leaf 1 'lstm.weight': 2112 elements are no whole rows of 3000" },
        { "lstm.weight = q4_k", 256, 1, MPX_ERR_SHAPE, "unusable shape at leaf 1 'lstm.weight': 2112 elements are no whole rows of 256" },
        { "embed = ggml_nvfp4", 0, 0, MPX_ERR_UNSUPPORTED, "unsupported source at leaf 0 'embed': found float32" ONLY_READ },
        { "embed = q4_k", 768, 0, MPX_ERR_UNSUPPORTED, "unsupported source at leaf 0 'embed': found float32" ONLY_READ },
    };
    static unsigned char untouched[64];
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_leaf leaves[5];
        size_t cols[5] = { 0, 0, 0, 0, 0 };
        const size_t count = make_leaves(leaves);
        mpx_weights_options opt = options_of(cols);
        mpx_weights w;
        mpx_error err = test_any_error();
        char line[MPX_ERROR_TEXT_SIZE];
        mpx_status status;
        cols[0] = cols[1] = rows[i].cols;
        status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), rows[i].text, &opt, &err);
        (void)mpx_error_format(&err, rows[i].text, line, sizeof line);
        CHECK(status == rows[i].status && err.status == status && err.index == rows[i].index && strcmp(line, rows[i].sentence) == 0,
              "%s: %d, leaf %lu: %s", rows[i].text, status, (unsigned long)err.index, line);
        opt.leave = 1;
        status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), rows[i].text, &opt, &err);
        if (rows[i].status != MPX_ERR_SHAPE) {
            CHECK(status == rows[i].status, "%s, left: %d", rows[i].text, status);
            continue;
        }
        CHECK(status == MPX_OK && err.status == MPX_OK && w.weights[rows[i].index].quant.scheme == MPX_SCHEME_NONE &&
                  w.leaves[rows[i].index].data == leaves[rows[i].index].data && w.leaves[rows[i].index].dtype == MPX_F32,
              "%s, left: %d", rows[i].text, status);
    }
    {   /* codes of 4 bits have nothing to lose */
        mpx_leaf leaf = mpx_leaf_of("small", untouched, 64, MPX_F4E2M1FN);
        mpx_weights_options opt = options_of(NULL);
        mpx_weights w;
        mpx_error err;
        CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), "q8_0", &opt, &err) == MPX_ERR_DTYPE && err.found == MPX_F4E2M1FN,
              "4 bits: %d", err.status);
        opt.leave = 1;
        CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), "q8_0", &opt, &err) == MPX_OK && w.leaves[0].data == untouched,
              "4 bits, left: %d", err.status);
    }
    {   /* no elements, no quantization; the roles that are no parameters */
        mpx_leaf leaf = mpx_leaf_of("none", NULL, 0, MPX_F32);
        mpx_weights_options opt = options_of(NULL);
        mpx_weights w;
        CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), "q8_0", &opt, NULL) == MPX_OK && w.leaves[0].dtype == MPX_F32 &&
                  w.leaves[0].count == 0 && w.bytes == 0, "an empty leaf");
        leaf = mpx_leaf_of("bias", bias, BIAS, MPX_F32);
        opt.role = MPX_ROLE_COMPUTE;
        CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), "q8_0", &opt, NULL) == MPX_OK && w.leaves[0].data == bias, "compute");
    }
}

static void case_block_of_memory(void) {
    mpx_leaf leaves[5];
    const size_t count = make_leaves(leaves);
    mpx_weights_options opt = options_of(NULL);
    mpx_weights w;
    mpx_error err;
    size_t need = 0;
    opt.size = 0;
    opt.leave = 1;
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), "q4_0", &opt, &err) == MPX_ERR_SPACE && err.need != 0, "no bytes");
    while (opt.size != err.need) {
        opt.size = need = err.need;
        if (mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), "q4_0", &opt, &err) != MPX_ERR_SPACE) break;
    }
    memset(memory, 0x5a, sizeof memory);
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), "q4_0", &opt, &err) == MPX_OK, "%lu bytes", (unsigned long)need);
    CHECK(memory[need] == 0x5a && memory[need + 1] == 0x5a, "no byte more");
    check_quantized(&w, 0, &leaves[0], "q4_0", EMBED);
}

static void case_tied(void) {
    mpx_leaf leaves[6];
    const size_t cols[6] = { 96, 96, 48, 96, 0, 0 };
    mpx_weights_options opt = options_of(cols);
    mpx_weights w;
    mpx_status status;
    (void)make_leaves(leaves);
    leaves[1] = leaves[2] = leaves[3] = leaves[0];
    leaves[1].path = "head", leaves[2].path = "other.cols", leaves[3].path = "other.format";
    status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, 4), "default = int8/channel\nother.format = int4/channel\n", &opt, NULL);
    CHECK(status == MPX_OK && w.weights[1].shares == 0 && w.weights[1].bytes == 0 && w.leaves[1].data == w.leaves[0].data &&
              w.leaves[1].count == w.leaves[0].count && w.leaves[1].dtype == MPX_U8 && w.weights[1].rows == 40,
          "tied: %d, shares %lu", status, (unsigned long)w.weights[1].shares);
    CHECK(w.weights[2].shares == 2 && w.weights[2].bytes == EMBED + 80 * 4 && w.weights[3].shares == 3, "other shapes and formats do not");
    check_quantized(&w, 2, &leaves[2], "int8/channel", 48);
    check_quantized(&w, 3, &leaves[3], "int4/channel", 96);
    CHECK(w.bytes == w.weights[0].bytes + w.weights[2].bytes + w.weights[3].bytes, "bytes once");
}

/* Values that lie beyond the last code by more than half a step; by the formats' own definitions. */
static void case_clipped(void) {
    static const struct { const char *text; float values[5]; uint64_t saturated, overflowed, zeroed; } rows[] = {
        { "q4_0", { -8, 7.4f, 7.6f, 8, 0.4f }, 2, 2, 1 },     /* d = 1, codes -8 ... 7 */
        { "q4_0", { 8, -7.4f, -7.6f, -8, 7.9f }, 2, 2, 0 },   /* d = -1 */
        { "q5_0", { -16, 15.4f, 15.6f, 16, 0.4f }, 2, 2, 1 },
        { "q4_0", { 1e-9f, -1e-9f, 0, 0, 0 }, 0, 0, 2 },      /* d = 0 */
        { "q8_0", { -127, 127, 126.6f, 0.4f, 0 }, 0, 0, 1 },
        { "q4_1", { -1, 14, 13.6f, 0, 0 }, 0, 0, 0 },
        /* f16 rounds scales of 8e-8 and 7.5e-8 to 2^-24 */
        { "q8_0", { 1.016e-5f, -1.016e-5f, 7.5e-6f, 2e-8f, 0 }, 2, 2, 1 },
        { "q5_0", { 1.2e-6f, 9e-7f, -1.1e-6f, 0, 0 }, 2, 2, 0 },
        { "q4_1", { 1.2e-6f, 9e-7f, 1.1e-6f, 0, 0 }, 2, 2, 0 },
        { "mxfp4", { 4, 6.9f, 7.1f, -7.9f, 0.2f }, 2, 2, 1 }, /* floor: scale 1, up to 6; 7 is half a step more */
        { "mxfp4/rceil", { 4, 6.9f, 7.1f, -7.9f, 0.4f }, 0, 0, 1 },
        { "mxfp8_e4m3", { 256, 463, 465, -511, 1e-4f }, 2, 2, 1 }, /* 448 and half of 32 */
        { "mxint8", { 1, 1.99f, 1.995f, -1.999f, 0.001f }, 2, 2, 1 }, /* 127 / 64 and half of 1 / 64 */
        { "ggml_mxfp4", { 4, 6.9f, 7.1f, -7.9f, 0.2f }, 2, 2, 1 },
        { "nvfp4/single", { 3000, -3300, 0, 0, 0 }, 1, 1, 0 }, /* 448 * 6 = 2688; 448 * 7 = 3136 */
        { "nvfp4", { 3000, -3300, 0, 0, 0 }, 0, 0, 0 },
        { "int8", { 100, -100, 0.3f, 0, 0 }, 0, 0, 1 },
        { "int8", { 100, -100, 0.3f, -0.0f, -0.3f }, 0, 0, 2 }, /* -0 was a zero before */
        { "q8_0", { -0.0f, 127, 0.4f, -0.0f, 0 }, 0, 0, 1 },
        { "float8", { 100, -100, 1e-5f, 0, 0 }, 0, 0, 1 },
    };
    size_t i, k;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (k = 0; k < 2; k++) {
            float values[3 * 32];
            mpx_leaf leaf = mpx_leaf_of("x", values, 96, MPX_F32);
            mpx_weights_options opt = options_of(NULL);
            mpx_weights w;
            memset(values, 0, sizeof values);
            memcpy(values + 32 * k, rows[i].values, sizeof rows[i].values);
            CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), rows[i].text, &opt, NULL) == MPX_OK, "%s", rows[i].text);
            CHECK(w.weights[0].saturated == rows[i].saturated && w.weights[0].overflowed == rows[i].overflowed &&
                      w.weights[0].zeroed == rows[i].zeroed && w.saturated == rows[i].saturated && w.zeroed == rows[i].zeroed,
                  "row %lu, %s: %lu saturated, %lu overflowed, %lu zeroed", (unsigned long)i, rows[i].text,
                  (unsigned long)w.weights[0].saturated, (unsigned long)w.weights[0].overflowed, (unsigned long)w.weights[0].zeroed);
        }
    for (k = 0; k < 2; k++) { /* blocks with d = -1 and 1 in turn: each has its own end */
        float values[2 * 32] = { 0 };
        mpx_leaf leaf = mpx_leaf_of("x", values, 64, MPX_F32);
        mpx_weights_options opt = options_of(NULL);
        mpx_weights w;
        memcpy(values + 32 * k, rows[0].values, sizeof rows[0].values);
        memcpy(values + 32 * (1 - k), rows[1].values, sizeof rows[1].values);
        CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), "q4_0", &opt, NULL) == MPX_OK && w.saturated == 4,
              "in turn: %lu", (unsigned long)w.saturated);
    }
}

/* KERAS' zero points are cut to a code: what lies farther from 0 than its block is wide is clipped. Here from -20 to 21. */
static void case_far_from_zero(void) {
    static const char *const texts[] = {
        "int4/32", "int4/24", "int4/1", "int2/3", "int4/256", "int4/4/down", "int8/128/zero", "int8/zero", "int8/channel/zero",
        "int8/column/zero", "int8/64/linear/zero", "uint8/channel", "uint4/32", "uint2/column", "int8/channel", "int8/column"
    };
    static float values[8 * 64];
    const size_t cols[1] = { 64 };
    mpx_leaf leaf = mpx_leaf_of("x", values, 8 * 64, MPX_F32);
    mpx_weights_options opt = options_of(cols);
    uint64_t all = 0, clipped;
    size_t i, k, shape;
    for (shape = 0; shape < 3; shape++)
        for (k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            mpx_weights w;
            mpx_quant q;
            mpx_quant_layout at;
            const float far = shape == 0 ? 0.0f : shape == 1 ? 20.0f : -20.0f;
            for (i = 0; i < 8 * 64; i++)
                values[i] = (float)(i * 37 % 101) / 101 + (((i / 256) ^ (i / 32)) % 2 == 0 ? 0.0f : far);
            CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), texts[k], &opt, NULL) == MPX_OK, "%s", texts[k]);
            q = w.weights[0].quant;
            (void)mpx_quant_layout_of(q, 8, 64, &at, NULL);
            for (i = clipped = 0; i < 8 * 64 && q.zero_point; i++) {
                const mpx_dtype_facts facts = mpx_dtype_info(q.element);
                const unsigned char *codes = (const unsigned char *)w.leaves[0].data;
                const size_t row = i / 64, col = i % 64, blocks = (64 + q.block - 1) / (q.block != 0 ? q.block : 1),
                             group = q.scope == MPX_SCOPE_TENSOR ? 0 : q.scope == MPX_SCOPE_ROW ? row : q.scope == MPX_SCOPE_COLUMN ? col
                                     : q.scope == MPX_SCOPE_BLOCK ? row * blocks + col / q.block : row / q.block * 64 + col;
                int zero = codes[at.zeros + group];
                float scale;
                memcpy(&scale, codes + at.scales + group * 4, 4);
                if (zero > (int)facts.int_max) zero -= 1 << facts.bits;
                clipped += (double)values[i] < ((double)facts.int_min - zero - 0.5) * (double)scale ||
                           (double)values[i] > ((double)facts.int_max - zero + 0.5) * (double)scale;
            }
            CHECK(w.saturated == clipped && w.overflowed == clipped && w.weights[0].saturated == clipped,
                  "%s, shape %lu: %lu saturated, not %lu", texts[k], (unsigned long)shape, (unsigned long)w.saturated,
                  (unsigned long)clipped);
            all += clipped;
        }
    CHECK(all > 2000, "only %lu are clipped", (unsigned long)all);
}

/* Where the caller reads subnormals as zero, the limits of blocks whose scale is one are the same. */
static void case_flush(void) {
    static const char *const texts[] = { "mxfp4", "mxint8", "nvfp4", "ggml_mxfp4" };
    static float values[64];
    mpx_leaf leaf = mpx_leaf_of("x", values, 64, MPX_F32);
    mpx_weights_options opt = options_of(NULL);
    mpx_weights w;
    size_t k, i;
    for (k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        mpx_status status;
        for (i = 0; i < 64; i++) values[i] = ref_float(0x380000u + (uint32_t)i * 0x1000u);
        if (!fpmode_enter(&fpmodes[FPMODE_NEAREST_FLUSH])) return;
        status = mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), texts[k], &opt, NULL);
        fpmode_leave();
        CHECK(status == MPX_OK && w.saturated == 0 && w.overflowed == 0, "%s, flushed: %d, %lu, %lu", texts[k], status,
              (unsigned long)w.saturated, (unsigned long)w.overflowed);
    }
}

/* A block with an Inf has a scale that is NaN, and takes its neighbours with it. */
static void case_not_finite(void) {
    static float values[96];
    mpx_leaf leaf = mpx_leaf_of("x", values, 96, MPX_F32);
    mpx_weights_options opt = options_of(NULL);
    mpx_weights w;
    mpx_error err;
    char line[MPX_ERROR_TEXT_SIZE];
    int i;
    for (i = 0; i < 96; i++) values[i] = (float)(i + 1);
    values[40] = ref_float(0x7f800000);
    values[70] = ref_float(0x7fc00000);
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), "mxfp8_e4m3", &opt, &err) == MPX_WARN_OVERFLOW && err.have == 62,
          "%d: %lu", err.status, (unsigned long)err.have);
    CHECK(w.weights[0].overflowed == 62 && w.weights[0].saturated == 0 && w.overflowed == 62 && w.weights[0].sum_squares > 0,
          "%lu", (unsigned long)w.weights[0].overflowed);
    CHECK(w.weights[0].sum_squares == 11440 && isfinite(w.weights[0].sum_error_squares), "sums of the others: %g, %g",
          w.weights[0].sum_squares, w.weights[0].sum_error_squares); /* 1 + 4 + ... + 32 * 32 */
    (void)mpx_error_format(&err, "", line, sizeof line);
    CHECK(strcmp(line, "values overflow at leaf 0 'x': 62 of float32 become Inf or NaN") == 0, "%s", line);
}

/* ---- budgets --------------------------------------------------------------------------------- */

enum { FITS = 3 };
static unsigned char fit_memory[FITS][1 << 16];

static size_t bytes_of(const mpx_weights *casts, const size_t *chosen) {
    size_t i, sum = 0;
    for (i = 0; i < casts[0].count; i++) sum += casts[chosen[i]].weights[i].bytes;
    return sum;
}
static double error_of(const mpx_weights *casts, const size_t *chosen) {
    size_t i;
    double sum = 0;
    for (i = 0; i < casts[0].count; i++) sum += casts[chosen[i]].weights[i].sum_error_squares;
    return sum;
}
/* The greedy choice, move by move. */
static void greedy(size_t *chosen, const mpx_weights *casts, size_t count, size_t budget) {
    size_t i, k;
    for (i = 0; i < casts[0].count; i++) chosen[i] = 0;
    while (bytes_of(casts, chosen) > budget) {
        size_t leaf = (size_t)-1, to = 0;
        double least = 0;
        for (i = 0; i < casts[0].count; i++)
            for (k = 0; k < count; k++) {
                const mpx_weight *a = &casts[chosen[i]].weights[i], *b = &casts[k].weights[i];
                double rate;
                if (b->bytes >= a->bytes) continue;
                rate = (b->sum_error_squares - a->sum_error_squares) / (double)(a->bytes - b->bytes);
                if (leaf == (size_t)-1 || rate < least) leaf = i, to = k, least = rate;
            }
        if (leaf == (size_t)-1) return;
        chosen[leaf] = to;
    }
    for (;;) { /* back, while there is room */
        size_t leaf = (size_t)-1, to = 0;
        double most = 0;
        for (i = 0; i < casts[0].count; i++)
            for (k = 0; k < count; k++) {
                const mpx_weight *a = &casts[chosen[i]].weights[i], *b = &casts[k].weights[i];
                double fall;
                if (b->bytes <= a->bytes || bytes_of(casts, chosen) + b->bytes - a->bytes > budget) continue;
                fall = (a->sum_error_squares - b->sum_error_squares) / (double)(b->bytes - a->bytes);
                if (fall > most) leaf = i, to = k, most = fall;
            }
        if (leaf == (size_t)-1) return;
        chosen[leaf] = to;
    }
}
static void cast_all(mpx_weights *casts, const char *const *texts, mpx_leaf *leaves, size_t count, const size_t *cols) {
    size_t k;
    for (k = 0; k < FITS; k++) {
        mpx_weights_options opt = options_of(cols);
        mpx_status status;
        opt.block = fit_memory[k], opt.size = sizeof fit_memory[k], opt.leave = opt.sums = 1;
        status = mpx_weights_cast(&casts[k], mpx_tree_of_leaves(leaves, count), texts[k], &opt, NULL);
        CHECK(status >= 0, "%s: %d", texts[k], status);
    }
}

/* Four leaves, three formats: every budget against all 81 choices. */
static void case_budget(const char *const *texts) {
    static float values[4][320];
    static const size_t counts[4] = { 320, 64, 96, 50 }; /* 50 are no blocks: that leaf stays as it is */
    mpx_leaf leaves[4];
    mpx_weights casts[FITS];
    size_t chosen[4], want[4], budget, i, k, least = (size_t)-1, most;
    for (i = 0; i < 4; i++) {
        for (k = 0; k < counts[i]; k++) values[i][k] = next_value() * (float)(1 << 2 * i);
        leaves[i] = mpx_leaf_of("x", values[i], counts[i], MPX_F32);
    }
    cast_all(casts, texts, leaves, 4, NULL);
    for (i = 0; i < 4; i++) chosen[i] = 0;
    most = bytes_of(casts, chosen);
    CHECK(casts[1].weights[3].bytes == 200 && casts[0].weights[3].bytes == 100 && casts[0].weights[0].sum_error_squares > 0, "the casts");
    for (k = 0; k < 81; k++) {
        size_t sum;
        for (i = 0, sum = k; i < 4; i++, sum /= 3) want[i] = sum % 3;
        sum = bytes_of(casts, want);
        if (sum < least) least = sum;
    }
    for (budget = least - 20; budget < most + 20; budget++) {
        mpx_error err = test_any_error();
        char line[MPX_ERROR_TEXT_SIZE], expected[100];
        const mpx_status status = mpx_weights_fit(chosen, casts, FITS, budget, &err);
        CHECK(status == (budget < least ? MPX_ERR_SPACE : MPX_OK) && err.status == status, "%lu bytes: %d", (unsigned long)budget, status);
        greedy(want, casts, FITS, budget);
        CHECK(memcmp(chosen, want, sizeof want) == 0, "%lu bytes: not as greedy", (unsigned long)budget);
        CHECK(status != MPX_OK || bytes_of(casts, chosen) <= budget, "%lu bytes: %lu", (unsigned long)budget,
              (unsigned long)bytes_of(casts, chosen));
        for (k = 0; k < 81 && status == MPX_OK; k++) { /* none is better both ways: all moves to one rate were made */
            size_t rest = k, wider = 0;
            for (i = 0; i < 4; i++, rest /= 3) {
                want[i] = rest % 3;
                wider += casts[want[i]].weights[i].bytes > casts[0].weights[i].bytes;
            }
            CHECK(wider != 0 || !(bytes_of(casts, want) < bytes_of(casts, chosen) && error_of(casts, want) < error_of(casts, chosen)),
                  "%lu bytes: choice %lu is better", (unsigned long)budget, (unsigned long)k);
        }
        if (budget >= least) continue;
        (void)mpx_error_format(&err, NULL, line, sizeof line);
        snprintf(expected, sizeof expected, "not enough space; %lu bytes where %lu are needed", (unsigned long)budget, (unsigned long)least);
        CHECK(strcmp(line, expected) == 0 && err.need == least && bytes_of(casts, chosen) == least, "%s", line);
    }
}

/* Sums of squared errors that are Inf: such a cast is the last to be taken, and the first to be left. */
static void case_budget_infinite(void) {
    static const struct { double errors[2][2]; size_t budget, chosen[2]; } rows[] = {
        { { { 0, 1 }, { 0, (double)INFINITY } }, 512, { 0, 0 } },
        { { { 0, 1 }, { 0, (double)INFINITY } }, 384, { 1, 0 } },
        { { { 0, (double)INFINITY }, { 0, 1 } }, 384, { 0, 1 } },
        { { { 0, (double)INFINITY }, { 0, 1 } }, 256, { 1, 1 } },
        { { { 0, 1 }, { (double)INFINITY, 5 } }, 512, { 0, 0 } },
        { { { 0, 1 }, { (double)INFINITY, 5 } }, 384, { 0, 1 } },
        { { { 0, 1 }, { (double)INFINITY, 5 } }, 256, { 1, 1 } },
    };
    size_t r, i, k, chosen[2];
    for (r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        mpx_weight weights[2][2];
        mpx_weights casts[2];
        memset(weights, 0, sizeof weights);
        memset(casts, 0, sizeof casts);
        for (k = 0; k < 2; k++) {
            casts[k].weights = weights[k], casts[k].count = 2;
            for (i = 0; i < 2; i++)
                weights[k][i].bytes = (size_t)256 >> k, weights[k][i].shares = i, weights[k][i].sum_error_squares = rows[r].errors[i][k];
        }
        CHECK(mpx_weights_fit(chosen, casts, 2, rows[r].budget, NULL) == MPX_OK && memcmp(chosen, rows[r].chosen, sizeof chosen) == 0,
              "row %lu: %lu %lu", (unsigned long)r, (unsigned long)chosen[0], (unsigned long)chosen[1]);
    }
}

/* Of casts of equal size the best is taken, whatever their order, also where nothing of the budget is left; not one that
   overflows, and none without room. */
static void case_budget_equal(void) {
    static const struct { double errors[3]; uint64_t overflowed[3]; size_t bytes[3], budget, chosen; } rows[] = {
        { { 5, 3, 4 }, { 0, 0, 0 }, { 128, 128, 128 }, 128, 1 },
        { { 5, 3, 4 }, { 0, 0, 0 }, { 128, 128, 128 }, (size_t)-1, 1 },
        { { 5, 3, 4 }, { 0, 1, 0 }, { 128, 128, 128 }, 128, 2 },
        { { 3, 3, 3 }, { 0, 0, 0 }, { 128, 128, 128 }, 128, 0 },
        { { 5, 3, 1 }, { 0, 0, 0 }, { 128, 128, 129 }, 128, 1 },
        { { 5, 3, 1 }, { 0, 0, 0 }, { 128, 128, 129 }, 129, 2 },
        { { 0, 9, 8 }, { 0, 0, 0 }, { 128, 64, 64 }, 64, 2 },
        { { 5, 5, 5 }, { 0, 0, 0 }, { 0, 0, 0 }, (size_t)-1, 0 },
    };
    size_t r, k, chosen = 9;
    for (r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        mpx_weight weights[3];
        mpx_weights casts[3];
        memset(weights, 0, sizeof weights);
        memset(casts, 0, sizeof casts);
        for (k = 0; k < 3; k++) {
            casts[k].weights = &weights[k], casts[k].count = 1;
            weights[k].bytes = rows[r].bytes[k], weights[k].overflowed = rows[r].overflowed[k];
            weights[k].sum_error_squares = rows[r].errors[k];
        }
        CHECK(mpx_weights_fit(&chosen, casts, 3, rows[r].budget, NULL) == MPX_OK && chosen == rows[r].chosen, "row %lu: %lu",
              (unsigned long)r, (unsigned long)chosen);
    }
}

/* A cast that makes Inf is not taken; tied leaves go together and count once; ties of the rate; odd arguments. */
static void case_budget_edges(void) {
    static const char *const texts[FITS] = { "f32", "f16", "q8_0" }, *const first[FITS] = { "f16", "f32", "q8_0" },
                             *const never[FITS] = { "f16", "f8e5m2", "f16" };
    static float values[64], large[64];
    mpx_leaf leaves[4];
    mpx_weights casts[FITS];
    size_t chosen[4], i;
    mpx_error err;
    for (i = 0; i < 64; i++) values[i] = (float)i / 64, large[i] = (float)i * 4096;
    leaves[0] = leaves[2] = mpx_leaf_of("x", values, 64, MPX_F32);
    leaves[1] = mpx_leaf_of("large", large, 64, MPX_F32);
    leaves[3] = mpx_leaf_of("steps", steps, 3, MPX_I32);
    cast_all(casts, texts, leaves, 4, NULL);
    CHECK(mpx_weights_fit(chosen, casts, FITS, 256 + 128 + 12, &err) == MPX_OK && chosen[0] == 1 && chosen[1] == 0 && chosen[2] == 1 &&
              chosen[3] == 0, "x moves: %lu %lu", (unsigned long)chosen[0], (unsigned long)chosen[1]);
    CHECK(mpx_weights_fit(chosen, casts, FITS, 256 + 68 + 12, &err) == MPX_OK && chosen[0] == 2 && chosen[1] == 0, "x moves twice");
    CHECK(mpx_weights_fit(chosen, casts, FITS, 68 + 68 + 12, &err) == MPX_OK && chosen[1] == 2 && chosen[2] == 2, "large moves past f16");
    CHECK(mpx_weights_fit(chosen, casts, FITS, 68 + 68 + 11, &err) == MPX_ERR_SPACE && err.need == 68 + 68 + 12, "a byte less");
    cast_all(casts, first, leaves, 4, NULL);
    CHECK(mpx_weights_fit(chosen, casts, FITS, 10000, &err) == MPX_OK && chosen[0] == 0 && chosen[1] == 1 && chosen[2] == 0,
          "f16 is no beginning for large");
    cast_all(casts, never, leaves, 4, NULL);
    CHECK(mpx_weights_fit(chosen, casts, FITS, 10000, &err) == MPX_OK && chosen[0] == 0 && chosen[1] == FITS - 1,
          "large fits none: the last");
    casts[2].count = 3;
    CHECK(mpx_weights_fit(chosen, casts, FITS, 10000, &err) == MPX_ERR_STRUCTURE && err.status == MPX_ERR_STRUCTURE &&
              err.offset == 0 && err.length == 0, "counts differ");
    CHECK(mpx_weights_fit(chosen, casts + 1, 2, 10000, &err) == MPX_ERR_STRUCTURE, "counts of two differ");
    CHECK(mpx_weights_fit(NULL, NULL, 0, 0, NULL) == MPX_OK, "no casts");
    leaves[1] = mpx_leaf_of("y", large, 64, MPX_F32); /* equal rates: the first leaf moves first */
    memcpy(large, values, sizeof large);
    cast_all(casts, texts, leaves, 4, NULL);
    CHECK(mpx_weights_fit(chosen, casts, FITS, 256 + 68 + 12, &err) == MPX_OK && chosen[0] == 1 && chosen[1] == 1, "both at f16: %lu %lu",
          (unsigned long)chosen[0], (unsigned long)chosen[1]);
    CHECK(mpx_weights_fit(chosen, casts, FITS, 128 + 68 + 12, &err) == MPX_OK && chosen[0] == 2 && chosen[1] == 1, "one of two");
}

/* Sums of casts, where they are asked for: against the dry run. */
static void case_sums_of_casts(void) {
    mpx_leaf leaves[5];
    const size_t count = make_leaves(leaves);
    mpx_weights_options opt = options_of(NULL);
    mpx_cast_report reports[5];
    mpx_weights w;
    size_t i, found;
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), "f8e4m3fn", &opt, NULL) == MPX_OK && w.weights[0].sum_squares <= 0,
          "not asked for");
    opt.sums = 1;
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, count), "f8e4m3fn", &opt, NULL) == MPX_OK, "asked for");
    CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, count), MPX_F8E4M3FN, reports, 5, &found, NULL) == MPX_OK && found == 4, "dry");
    for (i = 0; i < found; i++)
        CHECK(memcmp(&w.weights[reports[i].index].sum_squares, &reports[i].stats.sum_squares, 8) == 0 &&
                  memcmp(&w.weights[reports[i].index].sum_error_squares, &reports[i].stats.sum_error_squares, 8) == 0,
              "leaf %lu", (unsigned long)reports[i].index);
}

int main(void) {
    static const char *const orders[2][FITS] = { { "bf16", "q8_0", "q4_0" }, { "bf16", "q4_0", "q8_0" } };
    case_map_text();
    case_map_errors();
    case_trees_refuse();
    case_map_quantizes();
    case_one_text();
    case_shape_errors();
    case_block_of_memory();
    case_tied();
    case_clipped();
    case_far_from_zero();
    case_flush();
    case_not_finite();
    case_budget(orders[0]);
    case_budget(orders[1]);
    case_budget_infinite();
    case_budget_equal();
    case_budget_edges();
    case_sums_of_casts();
    return test_done("test_quant_model");
}
