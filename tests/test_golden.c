/* Every row that the five systems left in tests/golden/ is run against the library. A row that
   differs must be listed, with what the library does instead and why, in
   tests/golden/differences.tsv, and a row listed there must still do that: neither the library
   nor the list can move unseen. Prints rows, equal rows and the reasons. With the argument
   --list: prints every differing row in the form of the list, new ones with the reason "?". */
#include "test.h"
#include "golden.h"

static char got[512]; /* what the library did with the row, in words */

/* ---- reading cells --------------------------------------------------------------------------- */

/* The dtype with this ml_dtypes name; MPX_NONE for "-". */
static mpx_dtype dtype_of(const char *name) {
    mpx_dtype t;
    if (name == NULL) return MPX_NONE;
    for (t = MPX_NONE + 1; t < MPX_DTYPE_COUNT; t++)
        if (strcmp(mpx_dtype_name(t), name) == 0) return t;
    printf("tests/golden: no dtype is called '%s'\n", name);
    exit(2);
}

static uint32_t hex_u32(const char *text) { return (uint32_t)strtoul(text, NULL, 16); }

static uint32_t bits_of_float(const float *x) {
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

static int is_nan_bits(mpx_dtype type, uint32_t bits) {
    uint32_t inf = type == MPX_F16 ? 0x7c00u : type == MPX_BF16 ? 0x7f80u : 0x7f800000u;
    uint32_t sign = type == MPX_F16 || type == MPX_BF16 ? 0x8000u : 0x80000000u;
    return (bits & ~sign) > inf;
}

/* Equal bits, or both NaN. For f32, f16 and bf16; other dtypes by their bits. */
static int same_number(mpx_dtype type, uint32_t a, uint32_t b) {
    int floating = type == MPX_F32 || type == MPX_F16 || type == MPX_BF16 || type == MPX_C64;
    return a == b || (floating && is_nan_bits(type, a) && is_nan_bits(type, b));
}

/* One word of an array, by its width in hexadecimal digits: numbers in the files are not bytes
   in memory. */
static void put_word(unsigned char *at, uint32_t word, size_t digits) {
    uint8_t u8 = (uint8_t)word;
    uint16_t u16 = (uint16_t)word;
    if (digits == 2)
        memcpy(at, &u8, 1);
    else if (digits == 4)
        memcpy(at, &u16, 2);
    else
        memcpy(at, &word, 4);
}

static uint32_t get_word(const unsigned char *at, size_t digits) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    memcpy(&u8, at, 1);
    if (digits == 2) return u8;
    memcpy(&u16, at, 2);
    if (digits == 4) return u16;
    memcpy(&u32, at, 4);
    return u32;
}

/* "3c00,7c01" up to the end or ';' into an array. Returns its bytes. */
static size_t put_list(unsigned char *array, const char *list) {
    size_t size = 0;
    while (*list != '\0' && *list != ';') {
        size_t digits = strcspn(list, ",;");
        put_word(array + size, hex_u32(list), digits);
        size += digits / 2;
        list += digits;
        if (*list == ',') list++;
    }
    return size;
}

/* 1 if the array holds the numbers of the list. */
static int same_list(const unsigned char *array, mpx_dtype type, const char *list) {
    while (*list != '\0') {
        size_t digits = strcspn(list, ",");
        if (!same_number(type, get_word(array, digits), hex_u32(list))) return 0;
        array += digits / 2;
        list += digits;
        if (*list == ',') list++;
    }
    return 1;
}

/* The array in words, as the files have lists, into `got`. */
static void print_list(const unsigned char *array, mpx_dtype type, size_t count) {
    int pair = type == MPX_C64;
    size_t digits = pair ? 8 : (size_t)mpx_dtype_bits(type) / 4, i, n = 0;
    for (i = 0; i < count << pair && n < sizeof got; i++, array += digits / 2)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%0*lx", i > 0 ? "," : "", (int)digits,
                              (unsigned long)get_word(array, digits));
}

/* The status that stands for an error word of the files. */
static mpx_status status_of(const char *error) {
    static const struct {
        const char *word;
        mpx_status status;
    } table[] = {
        { "unknown_dtype", MPX_ERR_DTYPE },
        { "unknown_key", MPX_ERR_KEY },
        { "missing_equals", MPX_ERR_MISSING_EQUALS },
        { "extra_equals", MPX_ERR_EXTRA_EQUALS },
        { "invalid_name", MPX_ERR_DTYPE }, /* Keras */
        { "bad_pair", MPX_ERR_PAIR },
        { "bad_mode", MPX_ERR_MODE },
        { "bad_format", MPX_ERR_MODE },
        { "not_integer", MPX_ERR_NUMBER },
        { "bad_amax_type", MPX_ERR_NUMBER },
        { "bad_weight_bits", MPX_ERR_RANGE },
        { "bad_block_size", MPX_ERR_RANGE },
        { "bad_group_size", MPX_ERR_RANGE },
        { "int8_float16", MPX_ERR_UNSUPPORTED },
    };
    size_t i;
    if (error == NULL) return MPX_OK;
    for (i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(error, table[i].word) == 0) return table[i].status;
    printf("tests/golden: unknown error word '%s'\n", error);
    exit(2);
}

/* A list of numbers or pairs, one element at a time: the number before the next comma, and past
   it. */
static const char *next_item(const char *list) {
    list += strcspn(list, ",");
    return *list == ',' ? list + 1 : list;
}

/* ---- policies and names ---------------------------------------------------------------------- */

static int equal_policy_parse(golden_file *g) {
    const char *text = golden_text(g, "input");
    size_t len = golden_length(g, "input");
    mpx_status want = status_of(golden_text(g, "error")), status;
    mpx_parse_options opt = { MPX_DIALECT_JMP, MPX_F16 };
    mpx_policy p;
    mpx_error err;
    p.param = 77, p.compute = 78, p.output = 79;
    if (golden_is(g, "system", "eformer")) opt.dialect = MPX_DIALECT_EFORMER;
    if (golden_is(g, "platform", "tpu")) opt.half = MPX_BF16;
    status = mpx_policy_parse_n(text, len, opt, &p, &err);
    snprintf(got, sizeof got, "%s, p=%s c=%s o=%s", mpx_status_string(status),
             mpx_dtype_name(p.param), mpx_dtype_name(p.compute), mpx_dtype_name(p.output));
    if (status != want) return 0;
    if (status == MPX_OK)
        return p.param == dtype_of(golden_text(g, "param")) &&
               p.compute == dtype_of(golden_text(g, "compute")) &&
               p.output == dtype_of(golden_text(g, "output"));
    return p.param == 77 && p.compute == 78 && p.output == 79 && err.status == status &&
           err.offset <= len && err.length <= len - err.offset;
}

static int equal_policy_format(golden_file *g) {
    mpx_dialect dialect = golden_is(g, "system", "jmp") ? MPX_DIALECT_JMP : MPX_DIALECT_AXON;
    const char *want = golden_is(g, "status", "ok") ? golden_text(g, "text") : "";
    mpx_policy p;
    size_t len;
    memset(&p, 0, sizeof p);
    p.param = dtype_of(golden_text(g, "param"));
    p.compute = dtype_of(golden_text(g, "compute"));
    p.output = dtype_of(golden_text(g, "output"));
    len = mpx_policy_format_with(p, dialect, got, sizeof got);
    return len == strlen(want) && strcmp(got, want) == 0;
}

static int equal_dtype_names(golden_file *g) {
    const char *want_name = golden_text(g, "dtype");
    mpx_status want = status_of(golden_text(g, "error")), status;
    mpx_dtype want_dtype =
        want_name != NULL && strcmp(want_name, "unchanged") == 0 ? MPX_NONE : dtype_of(want_name);
    mpx_parse_options opt = { MPX_DIALECT_JMP, MPX_NONE };
    mpx_dtype type = 77;
    if (golden_is(g, "context", "eformer.policy")) opt.dialect = MPX_DIALECT_EFORMER;
    if (golden_is(g, "context", "eformer.put_dtype")) opt.dialect = MPX_DIALECT_EFORMER_PUT;
    if (golden_is(g, "context", "nx.type")) opt.dialect = MPX_DIALECT_AXON;
    status = mpx_dtype_parse_n(golden_text(g, "name"), golden_length(g, "name"), opt, &type, NULL);
    snprintf(got, sizeof got, "%s, dtype '%s'", mpx_status_string(status), mpx_dtype_name(type));
    return status == want && type == (status == MPX_OK ? want_dtype : 77);
}

/* ---- Keras' policies ------------------------------------------------------------------------- */

static mpx_parse_options keras_options(void) {
    mpx_parse_options opt = { MPX_DIALECT_KERAS, MPX_NONE };
    return opt;
}

/* The class DTypePolicy reads mixed_ names and every dtype, also those that get takes for a
   quantized policy. */
static mpx_status keras_plain(const char *name, size_t len, mpx_policy *p) {
    const mpx_parse_options plain = { MPX_DIALECT_KERAS_CLASS, MPX_NONE };
    return mpx_policy_parse_n(name, len, plain, p, NULL);
}

/* As Keras names the policy: quantized ones as the default dialect prints them, which is the
   canonical name. */
static void keras_name(mpx_policy p, char *name, size_t size) {
    mpx_policy_format_with(p, p.quantization != 0 ? MPX_DIALECT_ANY : MPX_DIALECT_KERAS, name,
                           size);
}

/* A class, from mode, source (if left out, the name of the default policy) and history. A mode and
   its history are one word here; QuantizedDTypePolicy's float8 has none. */
static mpx_status keras_class(golden_file *g, mpx_policy *p) {
    const char *text = golden_text(g, "name"), *rest = text + strcspn(text, "|");
    int float8 = golden_is(g, "api", "QuantizedFloat8DTypePolicy");
    mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_NONE };
    char mode[64], source[64];
    mpx_policy plain;
    mpx_status status;
    int n = snprintf(mode, sizeof mode, "%.*s", (int)(rest - text), text);
    keras_name(mpx_default_policy_get(), source, sizeof source);
    if (*rest == '|') {
        snprintf(source, sizeof source, "%.*s", (int)strcspn(rest + 1, "|"), rest + 1);
        rest += 1 + strlen(source);
    }
    if (*rest == '|')
        snprintf(mode + n, sizeof mode - (size_t)n, "/%s", rest + 1);
    else if (!float8 && strcmp(mode, "float8") == 0)
        snprintf(mode, sizeof mode, "float8/0");
    else
        opt.dialect = MPX_DIALECT_KERAS;
    status = keras_plain(source, strlen(source), &plain);
    if (status == MPX_OK)
        status = mpx_policy_quantize_n(plain, mode, strlen(mode), opt, p, NULL);
    if (status == MPX_OK && float8 && *rest != '|') p->amax_history_length = 1024;
    return status;
}

static mpx_status keras_policy(golden_file *g, mpx_policy *p) {
    const char *text = golden_text(g, "name");
    size_t len = golden_length(g, "name");
    mpx_error err;
    mpx_status status;
    if (golden_is(g, "api", "DTypePolicy")) return keras_plain(text, len, p);
    if (!golden_is(g, "api", "get") && !golden_is(g, "api", "set_dtype_policy"))
        return keras_class(g, p);
    status = mpx_policy_parse_n(text, len, keras_options(), p, &err);
    if (err.status != status || err.offset > len || err.length > len - err.offset) return 1;
    if (status != MPX_OK || golden_is(g, "api", "get")) return status;
    mpx_default_policy_set(*p);
    *p = mpx_default_policy_get();
    return MPX_OK;
}

/* "-" is 0: none. */
static int same_cell(golden_file *g, const char *column, int32_t value) {
    const char *cell = golden_text(g, column);
    return (cell != NULL ? strtoll(cell, NULL, 10) : 0) == value;
}

/* get_config, from the canonical name. */
static void keras_config(mpx_policy p, const char *name, char *config, size_t size) {
    const char *from = strstr(name, "_from_");
    char history[40] = "";
    if (p.amax_history_length != 0)
        sprintf(history, ";amax_history_length=%ld", (long)p.amax_history_length);
    if (from == NULL)
        snprintf(config, size, "name=%s", name);
    else
        snprintf(config, size, "mode=%.*s;source_name=%s%s", (int)(from - name), name, from + 6,
                 history);
}

static int equal_keras_names(golden_file *g) {
    static const char *const modes[] = { "-", "int8", "int4", "float8", "gptq", "awq" };
    mpx_status want = status_of(golden_text(g, "error")), status;
    const char *global = golden_text(g, "global");
    mpx_policy p, before;
    char name[128], config[256];
    if (mpx_policy_parse_with(global, keras_options(), &before, NULL) != MPX_OK) return 0;
    memset(&p, 0, sizeof p);
    mpx_default_policy_set(before);
    status = keras_policy(g, &p);
    if (status != MPX_OK) p = mpx_default_policy_get(); /* as it was */
    snprintf(got, sizeof got, "%s", mpx_status_string(status));
    if (status != MPX_OK) return status == want && mpx_policy_equal(p, before);
    keras_name(p, name, sizeof name);
    keras_config(p, name, config, sizeof config);
    snprintf(got, sizeof got, "%s, compute %s, variable %s, history %ld", name,
             mpx_dtype_name(p.compute), mpx_dtype_name(p.param), (long)p.amax_history_length);
    return want == MPX_OK && golden_is(g, "policy_name", name) && golden_is(g, "config", config) &&
           golden_is(g, "compute", mpx_dtype_name(p.compute)) &&
           golden_is(g, "variable", mpx_dtype_name(p.param)) && p.output == p.compute &&
           strcmp(golden_raw(g, "mode"), modes[p.quantization]) == 0 &&
           same_cell(g, "amax", p.amax_history_length) &&
           same_cell(g, "block_size", p.quantization == MPX_QUANT_INT4 ? p.group_size : 0) &&
           same_cell(g, "group_size", p.quantization == MPX_QUANT_INT4 ? 0 : p.group_size) &&
           same_cell(g, "weight_bits", p.weight_bits);
}

/* ---- loss scales ----------------------------------------------------------------------------- */

/* Bits of f16, bf16 or f32 as the float they stand for. */
static float scale_of(mpx_dtype type, const char *bits) {
    unsigned char word[4];
    float x = 0;
    put_word(word, hex_u32(bits), strcspn(bits, ","));
    mpx_cast(&x, MPX_F32, word, type, 1);
    return x;
}

static mpx_loss_scale loss_scale_of(golden_file *g) {
    mpx_dtype type = dtype_of(golden_text(g, "dtype"));
    mpx_loss_scale s = mpx_loss_scale_dynamic(1);
    if (golden_is(g, "system", "jaxamp")) s = mpx_loss_scale_jaxamp(1);
    if (golden_is(g, "system", "keras")) s = mpx_loss_scale_keras(1);
    if (golden_is(g, "system", "axon")) s = mpx_loss_scale_axon(1);
    s.scale = scale_of(type, golden_text(g, "scale0"));
    s.counter = (int32_t)strtol(golden_text(g, "count0"), NULL, 10);
    s.period = (int32_t)strtol(golden_text(g, "period"), NULL, 10);
    s.factor = (float)strtod(golden_text(g, "factor"), NULL);
    s.state = type;
    if (golden_text(g, "min_scale") != NULL)
        s.min_scale = scale_of(type, golden_text(g, "min_scale"));
    return s;
}

/* The trajectory: after every run of equal flags, scale, counter and resets are the recorded
   ones. */
static int equal_loss_scale(golden_file *g) {
    mpx_dtype type = dtype_of(golden_text(g, "dtype"));
    const char *flags = golden_text(g, "flags"), *scales = golden_text(g, "scales");
    const char *counts = golden_text(g, "counts"), *resets = golden_text(g, "resets");
    mpx_loss_scale s = loss_scale_of(g);
    int run;
    for (run = 1; *flags != '\0'; run++) {
        long repeat = strtol(flags + 2, NULL, 10);
        float want = scale_of(type, scales);
        while (repeat-- > 0)
            s = mpx_loss_scale_adjust(s, flags[0] == '1');
        snprintf(got, sizeof got, "run %d: scale %08lx, counter %ld, resets %ld", run,
                 (unsigned long)bits_of_float(&s.scale), (long)s.counter, (long)s.resets);
        if (!same_number(MPX_F32, bits_of_float(&s.scale), bits_of_float(&want))) return 0;
        if (s.counter != strtol(counts, NULL, 10)) return 0;
        if (resets != NULL && s.resets != strtol(resets, NULL, 10)) return 0;
        flags = next_item(flags), scales = next_item(scales), counts = next_item(counts);
        if (resets != NULL) resets = next_item(resets);
    }
    return run > 1;
}

/* How a caller gets each system's scale and unscale from the library. */
static mpx_loss_scale apply_scale_of(golden_file *g, mpx_dtype leaf_dtype, int unscale) {
    mpx_dtype type = dtype_of(golden_text(g, "scale_dtype"));
    mpx_loss_scale s = mpx_loss_scale_static(1);
    uint16_t narrow;
    s.scale = scale_of(type, golden_text(g, "scale"));
    s.state = type;
    if (strncmp(golden_text(g, "system"), "jmp", 3) == 0) s.dialect = MPX_DIALECT_JMP;
    if (golden_is(g, "system", "jaxamp") && !unscale && leaf_dtype != MPX_F32) {
        mpx_cast(&narrow, leaf_dtype, &s.scale, MPX_F32,
                 1); /* jaxamp: the scale goes to the dtype of the leaf */
        mpx_cast(&s.scale, MPX_F32, &narrow, leaf_dtype, 1);
    }
    return s;
}

static int equal_loss_apply(golden_file *g) {
    static unsigned char src[512], dst[512];
    mpx_dtype type = dtype_of(golden_text(g, "leaf_dtype"));
    int ok = golden_is(g, "status", "ok"); /* else out_dtype holds the kind of error */
    mpx_dtype out = ok ? dtype_of(golden_text(g, "out_dtype")) : type;
    size_t count = put_list(src, golden_text(g, "input")) * 8 / (size_t)mpx_dtype_bits(type);
    int unscale = golden_is(g, "op", "unscale"), finite;
    mpx_loss_scale s = apply_scale_of(g, type, unscale);
    mpx_leaf from = { "x", NULL, 0, 0 }, to = { "x", NULL, 0, 0 };
    mpx_status status;
    from.data = src, from.count = count, from.dtype = type;
    to.data = dst, to.count = count, to.dtype = out;
    status = unscale ? mpx_loss_scale_unscale_tree(mpx_tree_of_leaves(&to, 1), mpx_tree_of_leaves(&from, 1), s, &finite, NULL)
                     : mpx_loss_scale_scale_tree(mpx_tree_of_leaves(&to, 1), mpx_tree_of_leaves(&from, 1), s, NULL);
    print_list(dst, out, count);
    if (status != MPX_OK) snprintf(got, sizeof got, "%s", mpx_status_string(status));
    if (!ok) return status != MPX_OK;
    return status == MPX_OK && same_list(dst, out, golden_text(g, "output"));
}

/* One gradient, finite while the scale is at most the threshold. */
typedef struct redo_row {
    float threshold, grad;
    int calls;
} redo_row;

static mpx_status redo_evaluate(mpx_loss_scale s, float *loss, void *user) {
    redo_row *row = (redo_row *)user;
    uint32_t bits = bits_of_float(&s.scale), inf = 0x7f800000u;
    row->calls++;
    *loss = s.scale;
    row->grad = s.scale;
    if (bits > bits_of_float(&row->threshold)) memcpy(&row->grad, &inf, sizeof inf);
    return MPX_OK;
}

static int equal_redo(golden_file *g) {
    redo_row row = { 0, 0, 0 };
    mpx_leaf leaf = { "grad", NULL, 1, MPX_F32 };
    mpx_loss_scale s = mpx_loss_scale_jaxamp(1);
    mpx_grad_call call;
    mpx_grad_result result;
    mpx_status status;
    uint32_t want = hex_u32(golden_text(g, "scaler"));
    memset(&call, 0, sizeof call);
    row.threshold = scale_of(MPX_F32, golden_text(g, "threshold"));
    leaf.data = &row.grad;
    call.evaluate = redo_evaluate, call.user = &row;
    call.grads = call.scaled_grads = mpx_tree_of_leaves(&leaf, 1);
    call.redo_on_nan = (int)strtol(golden_text(g, "redo_on_nan"), NULL, 10);
    s.scale = scale_of(MPX_F32, golden_text(g, "scaler0"));
    s.counter = (int32_t)strtol(golden_text(g, "count0"), NULL, 10);
    s.period = (int32_t)strtol(golden_text(g, "patience"), NULL, 10);
    s.factor = (float)strtod(golden_text(g, "factor"), NULL);
    status = mpx_loss_scale_grad(&s, &call, &result, NULL);
    snprintf(got, sizeof got, "%s: scale %08lx, counter %ld, resets %ld, %d evaluations, finite %d",
             mpx_status_string(status), (unsigned long)bits_of_float(&s.scale), (long)s.counter,
             (long)s.resets, result.evaluations, result.finite);
    return status == MPX_OK && same_number(MPX_F32, bits_of_float(&s.scale), want) &&
           same_cell(g, "count", s.counter) && same_cell(g, "resets", s.resets) &&
           same_cell(g, "evaluations", result.evaluations) && row.calls == result.evaluations &&
           same_cell(g, "finite", result.finite);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* "float16:3c00,7c00;int32:" */
static int equal_finite(golden_file *g) {
    static unsigned char data[16][512];
    mpx_leaf leaves[16];
    const char *text = golden_text(g, "leaves");
    char name[32];
    size_t n = 0;
    int finite = -1;
    while (*text != '\0' && n < 16) {
        size_t name_length = strcspn(text, ":");
        snprintf(name, sizeof name, "%.*s", (int)name_length, text);
        text += name_length + 1;
        leaves[n].path = "leaf";
        leaves[n].data = data[n];
        leaves[n].dtype = dtype_of(name);
        leaves[n].count = put_list(data[n], text) * 8 / (size_t)mpx_dtype_bits(leaves[n].dtype);
        n++;
        text += strcspn(text, ";");
        if (*text == ';') text++;
    }
    if (mpx_tree_all_finite(mpx_tree_of_leaves(leaves, n), &finite, NULL) != MPX_OK) finite = -2;
    snprintf(got, sizeof got, "finite %d", finite);
    return *text == '\0' && finite == golden_is(g, "result", "1");
}

/* The call that does what the system's function does. */
static mpx_status cast_rule(golden_file *g, mpx_tree src, mpx_arena *arena, mpx_tree *out) {
    mpx_policy policy;
    memset(&policy, 0, sizeof policy);
    policy.compute = dtype_of(golden_text(g, "target"));
    if (golden_is(g, "op", "cast_to_full")) return mpx_tree_cast_into(out, src, MPX_F32, arena, NULL);
    if (golden_is(g, "op", "cast_to_half")) return mpx_tree_cast_into(out, src, MPX_F16, arena, NULL);
    if (golden_is(g, "op", "convert_input(autocast=0)"))
        return mpx_tree_cast_into(out, src, MPX_NONE, arena, NULL);
    if (golden_is(g, "op", "put_dtype"))
        return mpx_tree_put_dtype(out, src, policy.compute, arena, NULL);
    if (golden_is(g, "op", "cast_to_compute") || golden_is(g, "op", "cast_for_compute") ||
        golden_is(g, "op", "cast"))
        return mpx_tree_cast_into(out, src, policy.compute, arena, NULL);
    return mpx_tree_cast_into(out, src, policy.compute, arena, NULL);
}

static int equal_cast_rules(golden_file *g) {
    static unsigned char data[64], room[256];
    mpx_leaf leaf = { "x", NULL, 1, 0 }, new_leaf, after = { "x", NULL, 0, 0 };
    mpx_arena arena;
    mpx_cursor at;
    mpx_tree out;
    mpx_status status;
    leaf.data = data;
    leaf.dtype = dtype_of(golden_text(g, "leaf_dtype"));
    memset(&arena, 0, sizeof arena);
    arena.data = room, arena.size = sizeof room, arena.leaves = &new_leaf, arena.leaf_capacity = 1;
    status = cast_rule(g, mpx_tree_of_leaves(&leaf, 1), &arena, &out);
    snprintf(got, sizeof got, "%s", mpx_status_string(status));
    if (status != MPX_OK || !golden_is(g, "status", "ok"))
        return status != MPX_OK && !golden_is(g, "status", "ok");
    memset(&at, 0, sizeof at);
    if (out.next(&at, &after, &out) != 1) return 0;
    snprintf(got, sizeof got, "%s, %s", mpx_dtype_name(after.dtype),
             after.data == data ? "shared" : "cast");
    if (after.dtype != dtype_of(golden_text(g, "result"))) return 0;
    return (after.data == data) ==
           golden_is(g, "note", "unchanged"); /* what is not cast is shared */
}

/* ---- rows, differences, score ---------------------------------------------------------------- */

typedef struct golden_suite {
    const char *file;
    int (*equal)(golden_file *row);
    const char *keys[9];        /* the columns that tell a reader which row it is          */
    const char *only_column[2]; /* rows with this text in this column; the others are left out */
} golden_suite;

static const golden_suite suites[] = {
    { "policy_parse", equal_policy_parse, { "system", "platform", "input" }, { NULL, NULL } },
    { "policy_format",
      equal_policy_format,
      { "system", "param", "compute", "output" },
      { NULL, NULL } },
    { "dtype_names", equal_dtype_names, { "context", "name" }, { NULL, NULL } },
    { "keras_names", equal_keras_names, { "system", "api", "global", "name" }, { NULL, NULL } },
    { "loss_scale",
      equal_loss_scale,
      { "system", "dtype", "scale0", "count0", "period", "factor", "min_scale" },
      { NULL, NULL } },
    { "loss_scale_16",
      equal_loss_scale,
      { "system", "dtype", "scale0", "count0", "period", "factor", "min_scale" },
      { NULL, NULL } },
    { "loss_apply",
      equal_loss_apply,
      { "system", "op", "leaf_dtype", "scale_dtype", "scale", "input" },
      { NULL, NULL } },
    { "redo",
      equal_redo,
      { "scaler0", "count0", "patience", "factor", "redo_on_nan", "threshold" },
      { NULL, NULL } },
    { "finite", equal_finite, { "system", "leaves" }, { NULL, NULL } },
    { "cast_rules",
      equal_cast_rules,
      { "system", "op", "leaf_dtype", "target" },
      { "leaf_kind", "array" } },
};

/* One line of differences.tsv. */
typedef struct difference {
    char file[32], *key, *mpx, *reason;
    long row;
    int used;
} difference;

static difference differences[2000];
static size_t difference_count;

static char *copy_text(const char *text) {
    char *copy = (char *)malloc(strlen(text) + 1);
    if (copy == NULL) exit(2);
    return strcpy(copy, text);
}

static void read_differences(void) {
    golden_file g;
    golden_open(&g, "differences");
    while (golden_next(&g)) {
        difference *d = &differences[difference_count++];
        if (difference_count > sizeof differences / sizeof differences[0])
            golden_broken(&g, "too many rows");
        snprintf(d->file, sizeof d->file, "%s", golden_raw(&g, "file"));
        d->row = strtol(golden_raw(&g, "row"), NULL, 10);
        d->key = copy_text(golden_raw(&g, "key"));
        d->mpx = copy_text(golden_raw(&g, "mpx"));
        d->reason = copy_text(golden_raw(&g, "reason"));
    }
    golden_close(&g);
}

static difference *find_difference(const char *file, long row) {
    size_t i;
    for (i = 0; i < difference_count; i++)
        if (differences[i].row == row && strcmp(differences[i].file, file) == 0)
            return &differences[i];
    return NULL;
}

/* The key cells of a row, as the file has them, with " | " between. */
static void row_key(const golden_file *g, const golden_suite *suite, char *key, size_t size) {
    size_t n = 0;
    int i;
    for (i = 0; suite->keys[i] != NULL && n < size; i++)
        n += (size_t)snprintf(key + n, size - n, "%s%s", i > 0 ? " | " : "",
                              golden_raw(g, suite->keys[i]));
}

/* A row that differs is listed; a listed row still differs, in the way that is listed. */
static void judge_row(const golden_suite *suite, long row, const char *key, int equal) {
    difference *d = find_difference(suite->file, row);
    if (d == NULL) {
        CHECK(equal, "%s row %ld (%s): got %s; the row has what was expected", suite->file, row,
              key, got);
        return;
    }
    d->used = 1;
    CHECK(strcmp(d->key, key) == 0, "differences.tsv: %s row %ld is (%s), not (%s)", suite->file,
          row, key, d->key);
    CHECK(!equal, "differences.tsv: %s row %ld (%s) no longer differs: remove it", suite->file, row,
          key);
    CHECK(equal || strcmp(d->mpx, got) == 0, "%s row %ld (%s): got %s, differences.tsv has %s",
          suite->file, row, key, got, d->mpx);
}

/* Run one row. Returns 1 if it is equal. */
static int run_row(golden_file *g, const golden_suite *suite, int listing) {
    static char key[4096];
    int equal;
    got[0] = '\0';
    equal = suite->equal(g);
    row_key(g, suite, key, sizeof key);
    if (!listing) {
        judge_row(suite, g->row, key, equal);
    } else if (!equal) {
        difference *d = find_difference(suite->file, g->row);
        printf("%s\t%ld\t%s\t%s\t%s\n", suite->file, g->row, key, got, d != NULL ? d->reason : "?");
    }
    return equal;
}

/* How often each reason stands in the list for this file. */
static void print_reasons(const char *file) {
    size_t i, j, count;
    for (i = 0; i < difference_count; i++) {
        for (j = 0, count = 0; j < difference_count; j++) {
            int same = strcmp(differences[j].file, file) == 0 &&
                       strcmp(differences[j].reason, differences[i].reason) == 0;
            if (same && j < i) break; /* printed already */
            count += (size_t)same;
        }
        if (j == difference_count && strcmp(differences[i].file, file) == 0)
            printf("%32lu  %s\n", (unsigned long)count, differences[i].reason);
    }
}

static void run_suite(const golden_suite *suite, int listing) {
    long rows = 0, equal = 0;
    golden_file g;
    golden_open(&g, suite->file);
    while (golden_next(&g)) {
        if (suite->only_column[0] != NULL &&
            !golden_is(&g, suite->only_column[0], suite->only_column[1]))
            continue;
        rows++;
        equal += run_row(&g, suite, listing);
    }
    golden_close(&g);
    if (listing) return;
    CHECK(rows > 0, "%s: no rows", suite->file);
    printf("%-16s%6ld  %6ld\n", suite->file, rows, equal);
    print_reasons(suite->file);
}

int main(int argc, char **argv) {
    int listing = argc > 1 && strcmp(argv[1], "--list") == 0;
    size_t i;
    read_differences();
    if (!listing) printf("%-16s%6s  %6s  different by decision\n", "file", "rows", "equal");
    for (i = 0; i < sizeof suites / sizeof suites[0]; i++)
        run_suite(&suites[i], listing);
    if (listing) return 0;
    for (i = 0; i < difference_count; i++)
        CHECK(differences[i].used, "differences.tsv: %s has no row %ld", differences[i].file,
              differences[i].row);
    return test_done("test_golden");
}
