/* Keras' quantized policies and the default policy: what parses, where exactly the rest is wrong,
   that every value prints as text that reads back, and that each thread has a default of its own.
   Texts are parsed from heap blocks of exactly their size. */
#include "test.h"
#include <pthread.h>

#define ANY MPX_DIALECT_ANY
#define KERAS MPX_DIALECT_KERAS
#define DTYPE MPX_ERR_DTYPE
#define PAIR MPX_ERR_PAIR
#define MODE MPX_ERR_MODE
#define NUMBER MPX_ERR_NUMBER
#define RANGE MPX_ERR_RANGE
#define UNSUPPORTED MPX_ERR_UNSUPPORTED
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static mpx_parse_options options_of(mpx_dialect dialect) {
    mpx_parse_options opt;
    opt.dialect = dialect;
    opt.half = MPX_NONE;
    return opt;
}

static mpx_policy policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output, int quantization,
                            int bits, int32_t size, int32_t history) {
    mpx_policy p;
    p.param = param, p.compute = compute, p.output = output;
    p.quantization = (mpx_quantization)quantization, p.weight_bits = bits;
    p.group_size = size, p.amax_history_length = history;
    return p;
}

static mpx_policy nonsense(void) { return policy_of(71, 72, 73, 74, 75, 76, 77); }

/* Parse from a block of exactly the text's size; err must agree with the result. */
static mpx_status parse(mpx_dialect dialect, const char *text, size_t len, mpx_policy *p,
                        mpx_error *err) {
    char *copy = (char *)malloc(len + (len == 0));
    mpx_status status;
    if (copy == NULL) exit(2);
    if (len != 0) memcpy(copy, text, len);
    memset(err, 0x5a, sizeof *err);
    status = mpx_policy_parse_n(copy, len, options_of(dialect), p, err);
    CHECK(err->status == status, "'%.*s': err has %d, not %d", (int)len, text, err->status, status);
    CHECK(err->offset <= len && err->length <= len - err->offset, "'%.*s': error at %lu, %lu",
          (int)len, text, (unsigned long)err->offset, (unsigned long)err->length);
    free(copy);
    return status;
}

/* ---- what is wrong, and where ---------------------------------------------------------------- */

typedef struct bad_text {
    const char *text;
    mpx_status status;
    size_t offset, length;
} bad_text;

/* Wrong in Keras' dialect; the order of the checks shows where two things are wrong. */
static const bad_text bad_keras[] = {
    { "int8", PAIR, 0, 4 },
    { "int4/128", PAIR, 0, 8 },
    { "float8_e4m3fn", PAIR, 0, 13 },
    { "int8_from", PAIR, 0, 9 },
    { "int8_FROM_float32", PAIR, 0, 17 },
    { "int8_from_int8_from_float32", PAIR, 14, 13 },
    { "int8_from__from_", PAIR, 10, 6 },
    { "gptqx/x/x_from_a_from_b_from_c", PAIR, 16, 14 }, /* the pair before the mode */
    { "int4/1/2_from_float32", MODE, 0, 8 },
    { "int4//_from_bad", MODE, 0, 6 },
    { "int42/1_from_float32", MODE, 0, 7 },
    { "gptq_from_float32", MODE, 0, 4 },
    { "gptq/4_from_bad", MODE, 0, 6 },
    { "gptq/4/128/1_from_float32", MODE, 0, 12 },
    { "gptqx/4/128_from_bad", MODE, 0, 11 },
    { "awq_from_float32", MODE, 0, 3 },
    { "int4/_from_bad", NUMBER, 5, 0 },
    { "int4/x_from_bad", NUMBER, 5, 1 },
    { "int4/1.5_from_float32", NUMBER, 5, 3 },
    { "int4/0x10_from_float32", NUMBER, 5, 4 },
    { "int4/1__0_from_float32", NUMBER, 5, 4 },
    { "int4/_1_from_float32", NUMBER, 5, 2 },
    { "int4/1__from_float32", NUMBER, 5, 2 },
    { "int4/- 1_from_float32", NUMBER, 5, 3 },
    { "int4/-_from_float32", NUMBER, 5, 1 },
    { "int4/ _from_float32", NUMBER, 5, 1 },
    { "int4/1 2_from_float32", NUMBER, 5, 3 },
    { "int4/99999999999x_from_float32", NUMBER, 5, 12 }, /* a number before its range */
    { "gptq/5/x_from_bad", NUMBER, 7, 1 },               /* both numbers before the bits */
    { "gptq//128_from_bad", NUMBER, 5, 0 },
    { "int4/0_from_bad", RANGE, 5, 1 }, /* the range before the source */
    { "int4/-2_from_bad", RANGE, 5, 2 },
    { "int4/-0_from_float32", RANGE, 5, 2 },
    { "int4/2147483648_from_float32", RANGE, 5, 10 },
    { "int4/4294967297_from_float32", RANGE, 5, 10 },
    { "int4/42949672961_from_float32", RANGE, 5, 11 },
    { "int4/-2147483648_from_float32", RANGE, 5, 11 },
    { "int4/-2147483649_from_float32", RANGE, 5, 11 }, /* whose negative is 2^31 - 1, cut to 32 bits */
    { "int4/99999999999999999999999_from_float32", RANGE, 5, 23 },
    { "gptq/5/0_from_bad", RANGE, 5, 1 }, /* the bits before the size */
    { "gptq/4/0_from_bad", RANGE, 7, 1 },
    { "gptq/0/1_from_float32", RANGE, 5, 1 },
    { "gptq/65540/1_from_float32", RANGE, 5, 5 }, /* 4 + 2^16 */
    { "awq/8/128_from_float32", RANGE, 4, 1 },
    { "awq/4/-5_from_float32", RANGE, 6, 2 },
    { "int8x_from_bad", DTYPE, 11, 3 }, /* the source before the name of the mode */
    { "int8_from_", DTYPE, 10, 0 },
    { "int8_from_ float32", DTYPE, 10, 8 },
    { "int8_from_half", DTYPE, 10, 4 },
    { "int8_from_f32", DTYPE, 10, 3 },
    { "int8_from_mixed_float32", DTYPE, 10, 13 },
    { "int8_from_from_float32", DTYPE, 10, 12 },
    { "int4/64_from_<c=bf16>", DTYPE, 13, 8 },
    { "int8_from_p=float32", DTYPE, 10, 9 },
    { "int8x_from_float16", MODE, 0, 5 }, /* the name before float16 */
    { "int8/128_from_float32", MODE, 0, 8 },
    { "float8/1_from_float32", MODE, 0, 8 },
    { "float8_e4m3fn_from_float32", MODE, 0, 13 },
    { "int8,int4_from_float32", MODE, 0, 9 },
    { "int42_from_float32", MODE, 0, 5 },
    { "int8 _from_float32", MODE, 0, 5 },
    { "int8_from_float16", UNSUPPORTED, 10, 7 },
    { "int8_from_mixed_float16", UNSUPPORTED, 10, 13 },
    { "int8_from_torch.float16", UNSUPPORTED, 10, 13 },
    { "torch.int", DTYPE, 0, 9 },
    { "jax.numpy.int", DTYPE, 0, 13 },
    { "ternary/3_from_float32", MODE, 0, 9 },
    { "int4/none_from_float32", NUMBER, 5, 4 },
    { " int8_from_float32", DTYPE, 0, 18 },
    { "Int8_from_float32", DTYPE, 0, 17 },
    { "fp8_from_float32", DTYPE, 0, 16 },
};

/* The default dialect: a bare word is a dtype's; blanks do not count. */
static const bad_text bad_any[] = {
    { "int8x", DTYPE, 0, 5 },
    { "float8", DTYPE, 0, 6 },
    { "gptq", DTYPE, 0, 4 },
    { "awq/4/128", PAIR, 0, 9 },
    { " int4/128 ", PAIR, 1, 8 },
    { "float8/16", PAIR, 0, 9 },
    { "  int8_from_int8_From_f32", PAIR, 16, 9 },
    { "gptq/4_from_f32", MODE, 0, 6 },
    { "int8/1_from_f32", MODE, 0, 6 },
    { " int8 x _from_f32", MODE, 1, 6 },
    { "float8/1/2_from_f32", MODE, 0, 10 },
    { "float8/x_from_f32", NUMBER, 7, 1 },
    { "float8/-1_from_f32", RANGE, 7, 2 },
    { "float8/2147483648_from_f32", RANGE, 7, 10 },
    { "int8_from_", DTYPE, 10, 0 },
    { "int8_from_ float61 ", DTYPE, 11, 7 },
    { "int8_from_ p=f32,c=x", DTYPE, 19, 1 },
    { "int8_from_p=f32,q=f32", MPX_ERR_KEY, 16, 1 },
    { "int8_from_<c=bf16", MPX_ERR_SYNTAX, 17, 0 },
    { "INT8_from_ half", UNSUPPORTED, 11, 4 },
    { "int8_from_p=f32,c=f16,o=f32", UNSUPPORTED, 10, 17 },
};

static void check_bad(mpx_dialect dialect, const bad_text *bad) {
    mpx_policy p = nonsense();
    mpx_error err;
    mpx_status status = parse(dialect, bad->text, strlen(bad->text), &p, &err);
    CHECK(status == bad->status, "dialect %d, '%s': status %d, not %d", dialect, bad->text, status,
          bad->status);
    CHECK(err.offset == bad->offset && err.length == bad->length,
          "dialect %d, '%s': at %lu, %lu bytes; not at %lu, %lu", dialect, bad->text,
          (unsigned long)err.offset, (unsigned long)err.length, (unsigned long)bad->offset,
          (unsigned long)bad->length);
    CHECK(mpx_policy_equal(p, nonsense()), "'%s': the output was written", bad->text);
}

/* Other dialects know no quantized policies. */
static void test_bad(void) {
    static const mpx_dialect others[] = { MPX_DIALECT_EFORMER, MPX_DIALECT_JMP };
    size_t i;
    mpx_policy p;
    mpx_error err;
    for (i = 0; i < COUNT(bad_keras); i++)
        check_bad(KERAS, &bad_keras[i]);
    for (i = 0; i < COUNT(bad_any); i++)
        check_bad(ANY, &bad_any[i]);
    for (i = 0; i < COUNT(others); i++)
        CHECK(parse(others[i], "int8_from_float32", 17, &p, &err) == DTYPE, "dialect %d",
              others[i]);
    CHECK(parse(MPX_DIALECT_AXON, "int8_from_float32", 17, &p, &err) == MPX_ERR_SYNTAX, "Axon");
}

/* ---- what is right --------------------------------------------------------------------------- */

typedef struct good_text {
    mpx_dialect dialect;
    const char *text, *printed; /* printed: NULL if it is the text itself */
    mpx_dtype param, compute;   /* the output is as the compute */
    int quantization, bits;
    int32_t size, history;
} good_text;

static const good_text good[] = {
    { KERAS, "int8_from_float32", NULL, MPX_F32, MPX_F32, MPX_QUANT_INT8, 0, 0, 0 },
    { KERAS, "int8_from_mixed_bfloat16", NULL, MPX_F32, MPX_BF16, MPX_QUANT_INT8, 0, 0, 0 },
    { KERAS, "int8_from_int8", NULL, MPX_I8, MPX_I8, MPX_QUANT_INT8, 0, 0, 0 },
    { KERAS, "int4_from_mixed_float16", NULL, MPX_F32, MPX_F16, MPX_QUANT_INT4, 0, 0, 0 },
    { KERAS, "int4/128_from_float16", NULL, MPX_F16, MPX_F16, MPX_QUANT_INT4, 0, 128, 0 },
    { KERAS, "int4/None_from_float32", "int4/-1_from_float32", MPX_F32, MPX_F32, MPX_QUANT_INT4, 0, -1, 0 },
    { KERAS, "ternary_from_mixed_float16", NULL, MPX_F32, MPX_F16, MPX_QUANT_TERNARY, 0, 0, 0 },
    { KERAS, "int4/-1_from_bfloat16", NULL, MPX_BF16, MPX_BF16, MPX_QUANT_INT4, 0, -1, 0 },
    { KERAS, "int4/1_000_from_float32", "int4/1000_from_float32", MPX_F32, MPX_F32, MPX_QUANT_INT4,
      0, 1000, 0 },
    { KERAS, "int4/ +008 _from_float32", "int4/8_from_float32", MPX_F32, MPX_F32, MPX_QUANT_INT4, 0,
      8, 0 },
    { KERAS, "int4/2147483647_from_float32", NULL, MPX_F32, MPX_F32, MPX_QUANT_INT4, 0, 2147483647,
      0 },
    { KERAS, "float8_from_float32", NULL, MPX_F32, MPX_F32, MPX_QUANT_FLOAT8, 0, 0, 1024 },
    { KERAS, "float8_from_float8_e5m2", NULL, MPX_F8E5M2, MPX_F8E5M2, MPX_QUANT_FLOAT8, 0, 0,
      1024 },
    { KERAS, "gptq/4/128_from_bool", NULL, MPX_BOOL, MPX_BOOL, MPX_QUANT_GPTQ, 4, 128, 0 },
    { KERAS, "gptq/ 2/-1_from_mixed_bfloat16", "gptq/2/-1_from_mixed_bfloat16", MPX_F32, MPX_BF16,
      MPX_QUANT_GPTQ, 2, -1, 0 },
    { KERAS, "awq/4/32_from_jax.numpy.float16", "awq/4/32_from_float16", MPX_F16, MPX_F16,
      MPX_QUANT_AWQ, 4, 32, 0 },
    { ANY, " INT8_FROM_BF16\n", "int8_from_bfloat16", MPX_BF16, MPX_BF16, MPX_QUANT_INT8, 0, 0, 0 },
    { ANY, "int4 _from_ p = f32 , c = bf16", "int4_from_mixed_bfloat16", MPX_F32, MPX_BF16,
      MPX_QUANT_INT4, 0, 0, 0 },
    { ANY, "gptq_from_f16", "gptq_from_float16", MPX_F16, MPX_F16, MPX_QUANT_GPTQ, 0, 0, 0 },
    { ANY, "Awq_From_<>", "awq_from_<>", 0, 0, MPX_QUANT_AWQ, 0, 0, 0 },
    { ANY, "float8/16_from_full", "float8/16_from_float32", MPX_F32, MPX_F32, MPX_QUANT_FLOAT8, 0,
      0, 16 },
    { ANY, "float8/1024_from_full", "float8_from_float32", MPX_F32, MPX_F32, MPX_QUANT_FLOAT8, 0, 0,
      1024 },
    { ANY, "float8/0_from_<c=f16 o=f16>", "float8/0_from_<c=f16 o=f16>", 0, MPX_F16,
      MPX_QUANT_FLOAT8, 0, 0, 0 },
    { ANY, "int8_from_f8e4m3", "int8_from_p=f8e4m3,c=f8e4m3,o=f8e4m3", MPX_F8E4M3, MPX_F8E4M3,
      MPX_QUANT_INT8, 0, 0, 0 },
    { ANY, "int8", "p=i8,c=i8,o=i8", MPX_I8, MPX_I8, 0, 0, 0, 0 },
    { ANY, "float8_e4m3fn", "p=f8e4m3fn,c=f8e4m3fn,o=f8e4m3fn", MPX_F8E4M3FN, MPX_F8E4M3FN, 0, 0, 0,
      0 },
};

static void test_good(void) {
    size_t i;
    for (i = 0; i < COUNT(good); i++) {
        const good_text *g = &good[i];
        const char *printed = g->printed != NULL ? g->printed : g->text;
        mpx_policy p = nonsense(), want;
        mpx_error err;
        char buf[MPX_POLICY_TEXT_SIZE];
        want = policy_of(g->param, g->compute, g->compute, g->quantization, g->bits, g->size,
                         g->history);
        CHECK(parse(g->dialect, g->text, strlen(g->text), &p, &err) == MPX_OK, "'%s': status %d",
              g->text, err.status);
        CHECK(mpx_policy_equal(p, want), "'%s' has another value", g->text);
        CHECK(mpx_policy_format(p, buf, sizeof buf) == strlen(printed) && strcmp(buf, printed) == 0,
              "'%s' prints as '%s'", g->text, buf);
        CHECK(mpx_policy_parse(printed, &p, NULL) == MPX_OK && mpx_policy_equal(p, want),
              "'%s' does not come back", printed);
    }
}

/* ---- every value prints as what reads back, or not at all ------------------------------------ */

static unsigned long printed_values, silent_values;

static void check_value(mpx_policy p, mpx_dialect dialect) {
    char buf[2 * MPX_POLICY_TEXT_SIZE], cut[2 * MPX_POLICY_TEXT_SIZE];
    mpx_policy back = nonsense();
    mpx_error err;
    size_t len = mpx_policy_format_with(p, dialect, buf, sizeof buf);
    CHECK(len == strlen(buf) && len < MPX_POLICY_TEXT_SIZE, "'%s' is %lu long", buf,
          (unsigned long)len);
    if (len == 0) {
        silent_values++;
        return;
    }
    printed_values++;
    CHECK(parse(dialect, buf, len, &back, &err) == MPX_OK && mpx_policy_equal(p, back),
          "dialect %d: '%s' does not come back", dialect, buf);
    memset(cut, '#', sizeof cut);
    CHECK(mpx_policy_format_with(p, dialect, cut, len) == len && cut[len - 1] == '\0' &&
              cut[len] == '#' && strncmp(cut, buf, len - 1) == 0,
          "'%s', a byte short", buf);
}

/* By hand, from the comment at mpx_policy: does a mode take these fields? */
static int is_good(int mode, int bits, int32_t size, int32_t history) {
    int one = size == -1 || size > 0;
    if (mode == MPX_QUANT_NONE || mode == MPX_QUANT_INT8 || mode == MPX_QUANT_TERNARY)
        return !bits && !size && !history;
    if (mode == MPX_QUANT_INT4) return !bits && (size == 0 || one) && !history;
    if (mode == MPX_QUANT_FLOAT8) return !bits && !size && history >= 0;
    if (mode == MPX_QUANT_GPTQ)
        return ((!bits && !size) || ((bits == 2 || bits == 3 || bits == 4 || bits == 8) && one)) &&
               !history;
    return mode == MPX_QUANT_AWQ && ((!bits && !size) || (bits == 4 && one)) && !history;
}

static void test_values(void) {
    static const int bits[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 16, -4, 32767, -32768 };
    static const int32_t sizes[] = { 0, 1, -1, -2, 32, 128, 1024, 2147483647, -2147483647 - 1 };
    static const mpx_dtype roles[][3] = {
        { MPX_F32, MPX_F32, MPX_F32 },
        { MPX_F32, MPX_F16, MPX_F16 },
        { MPX_F32, MPX_BF16, MPX_BF16 },
        { MPX_F32, MPX_BF16, MPX_F32 },
        { 0, 0, 0 },
        { 0, MPX_BF16, 0 },
        { MPX_I8, MPX_I8, MPX_I8 },
        { MPX_F8E4M3B11FNUZ, MPX_F8E4M3B11FNUZ, MPX_F8E4M3B11FNUZ },
        { MPX_C128, MPX_I4, MPX_BOOL },
    };
    size_t b, s, h, r;
    int mode;
    mpx_dialect dialect;
    for (mode = -1; mode <= MPX_QUANT_TERNARY + 1; mode++)
        for (b = 0; b < COUNT(bits); b++)
            for (s = 0; s < COUNT(sizes); s++)
                for (h = 0; h < COUNT(sizes); h++)
                    for (r = 0; r < COUNT(roles); r++) {
                        mpx_policy p = policy_of(roles[r][0], roles[r][1], roles[r][2], mode,
                                                 bits[b], sizes[s], sizes[h]);
                        int fine = is_good(mode, bits[b], sizes[s], sizes[h]) &&
                                   (mode != MPX_QUANT_INT8 || roles[r][1] != MPX_F16);
                        CHECK((mpx_policy_format(p, NULL, 0) != 0) == fine,
                              "mode %d, bits %d, size %ld, history %ld: printed, or not", mode,
                              bits[b], (long)sizes[s], (long)sizes[h]);
                        for (dialect = ANY; dialect <= MPX_DIALECT_KERAS_CLASS; dialect++)
                            if (mode != MPX_QUANT_NONE || dialect == ANY) check_value(p, dialect);
                    }
    CHECK(printed_values > 500 && silent_values > 10000, "%lu printed, %lu not", printed_values,
          silent_values);
}

/* Every short text over the letters of one mode: a value that comes back, or an error inside the
   text and nothing written. */
static void check_texts(const char *head, const char *const *pieces, size_t count, int depth) {
    char text[256];
    size_t i;
    for (i = 0; i < count; i++) {
        mpx_policy p = nonsense();
        mpx_error err;
        mpx_dialect dialect;
        snprintf(text, sizeof text, "%s%s", head, pieces[i]);
        for (dialect = ANY; dialect <= MPX_DIALECT_AXON; dialect++, p = nonsense()) {
            if (parse(dialect, text, strlen(text), &p, &err) == MPX_OK)
                check_value(p, ANY);
            else
                CHECK(mpx_policy_equal(p, nonsense()), "'%s': the output was written", text);
        }
        if (depth > 1) check_texts(text, pieces, count, depth - 1);
    }
}

static void test_texts(void) {
    static const char *const pieces[] = { "int4", "gptq", "awq",     "float8", "/",    "4",   "-1",
                                          "_",    "from", "float16", "_from_", "f32,", " p=", "x" };
    check_texts("", pieces, COUNT(pieces), 5);
    check_texts("int4/", pieces, COUNT(pieces), 4);
    check_texts("gptq/4/128_from_", pieces, COUNT(pieces), 3);
}

/* ---- quantizing a policy --------------------------------------------------------------------- */

static void check_quantize(const char *source, const char *mode, mpx_dialect dialect,
                           mpx_status want, size_t offset, const char *printed) {
    mpx_policy p, out = nonsense();
    mpx_error err;
    char buf[MPX_POLICY_TEXT_SIZE], slice[1000];
    mpx_status status;
    if (mpx_policy_parse(source, &p, NULL) != MPX_OK) exit(2);
    snprintf(slice, sizeof slice, "%s/", mode); /* before more */
    status = mpx_policy_quantize_n(p, slice, strlen(mode), options_of(dialect), &out, &err);
    CHECK(status == want && err.status == want && err.offset == offset,
          "'%s' of '%s': %d at %lu, not %d at %lu", mode, source, status, (unsigned long)err.offset,
          want, (unsigned long)offset);
    if (dialect == ANY)
        CHECK(mpx_policy_quantize(p, mode, &out, NULL) == want, "'%s': the short form", mode);
    if (want != MPX_OK) {
        CHECK(mpx_policy_equal(out, nonsense()), "'%s': the output was written", mode);
        return;
    }
    (void)mpx_policy_format(out, buf, sizeof buf);
    CHECK(strcmp(buf, printed) == 0, "'%s' of '%s' is '%s', not '%s'", mode, source, buf, printed);
}

static void test_quantize(void) {
    check_quantize("f32", "int8", ANY, MPX_OK, 0, "int8_from_float32");
    check_quantize("f32", " INT4/64 ", ANY, MPX_OK, 0, "int4/64_from_float32");
    check_quantize("p=f32,c=bf16,o=f32", "gptq/3/32", KERAS, MPX_OK, 0,
                   "gptq/3/32_from_p=f32,c=bf16,o=f32");
    check_quantize("mixed_float16", "awq", KERAS, MPX_OK, 0, "awq_from_mixed_float16");
    check_quantize("bf16", "float8", KERAS, MPX_OK, 0, "float8_from_bfloat16");
    check_quantize("bf16", "float8/7", ANY, MPX_OK, 0, "float8/7_from_bfloat16");
    check_quantize("<>", "int8", ANY, MPX_OK, 0, "int8_from_<>");
    check_quantize("bf16", "float8/7", KERAS, MODE, 0, NULL);
    check_quantize("f32", "", ANY, MODE, 0, NULL);
    check_quantize("f32", " x", ANY, MODE, 1, NULL);
    check_quantize("f32", "INT8", KERAS, MODE, 0, NULL);
    check_quantize("f32", "int8 ", KERAS, MODE, 0, NULL);
    check_quantize("f32", "gptq/4", ANY, MODE, 0, NULL);
    check_quantize("f32", "gptq/4/", ANY, NUMBER, 7, NULL);
    check_quantize("f32", "awq/2/1", ANY, RANGE, 4, NULL);
    check_quantize("f16", " int8", ANY, UNSUPPORTED, 1, NULL);
    check_quantize("int8_from_float32", "int4", ANY, UNSUPPORTED, 0, NULL);
    check_quantize("int8_from_float32", "int5", ANY, MODE, 0, NULL);
}

/* Equal is all fields. */
static void test_derived(void) {
    mpx_policy p = policy_of(MPX_F32, MPX_BF16, MPX_BF16, MPX_QUANT_GPTQ, 4, 128, 9), q;
    q = p, q.quantization = MPX_QUANT_AWQ;
    CHECK(!mpx_policy_equal(p, q), "another mode");
    q = p, q.weight_bits = 3;
    CHECK(!mpx_policy_equal(p, q), "other bits");
    q = p, q.group_size = 64;
    CHECK(!mpx_policy_equal(p, q), "another size");
    q = p, q.amax_history_length = 0;
    CHECK(!mpx_policy_equal(p, q), "another history");
    q = policy_of(0, 0, 0, 0, 0, 0, 0);
    CHECK(mpx_policy_format(q, NULL, 0) == 2, "{0} is <>");
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void check_sentence(const char *text, const char *want) {
    char buf[MPX_ERROR_TEXT_SIZE];
    mpx_policy p;
    mpx_error err;
    (void)mpx_policy_parse(text, &p, &err);
    CHECK(mpx_error_format(&err, text, buf, sizeof buf) == strlen(want) && strcmp(buf, want) == 0,
          "'%s', not '%s'", buf, want);
    CHECK(mpx_error_format(&err, NULL, buf, sizeof buf) < sizeof buf, "'%s' without text", buf);
}

/* A source that is quantized already. */
static void check_quantized_twice(const char *mode, const char *want) {
    mpx_policy p;
    mpx_error err;
    char buf[MPX_ERROR_TEXT_SIZE];
    if (mpx_policy_parse("int8_from_float32", &p, NULL) != MPX_OK) exit(2);
    CHECK(mpx_policy_quantize(p, mode, &p, &err) == MPX_ERR_UNSUPPORTED, "%s", mode);
    mpx_error_format(&err, mode, buf, sizeof buf);
    CHECK(strcmp(buf, want) == 0, "'%s', not '%s'", buf, want);
}

static void test_sentences(void) {
    check_sentence("int4/128",
                   "not one mode and one source 'int4/128' at 0; expected one '_from_', "
                   "as in int8_from_float32");
    check_sentence("int8_from_int8_from_f32", "not one mode and one source '_from_f32' at 14; "
                                              "expected one '_from_', as in int8_from_float32");
    check_sentence("int8x_from_f32", "unknown quantization mode 'int8x' at 0; expected int8, int4, "
                                     "int4/128, float8, ternary, gptq/4/128 or awq/4/128");
    check_sentence("int4/x_from_f32", "not a whole number 'x' at 5");
    check_sentence("int4/_from_f32", "missing number at 5");
    check_sentence("gptq/5/1_from_f32",
                   "number out of range '5' at 5; expected -1 or 1 to 2147483647 (float8: from 0); "
                   "bits 2, 3, 4 or 8 (awq: 4)");
    check_sentence("int4/2147483648_from_f32",
                   "number out of range '2147483648' at 5; expected -1 or 1 to 2147483647 (float8: from 0); "
                   "bits 2, 3, 4 or 8 (awq: 4)");
    check_sentence("float8/-1_from_f32",
                   "number out of range '-1' at 7; expected -1 or 1 to 2147483647 (float8: from 0); "
                   "bits 2, 3, 4 or 8 (awq: 4)");
    check_sentence("int8_from_f16", "unsupported source 'f16' at 10; int8 takes none that computes "
                                    "in float16");
    check_quantized_twice("int4", "unsupported source 'int4' at 0; it is quantized already");
    check_quantized_twice("int8", "unsupported source 'int8' at 0; it is quantized already, or int8 with "
                           "compute in float16");
    check_sentence("int8_from_bf61", "unknown dtype 'bf61' at 10; expected a dtype such as f32, "
                                     "bf16, f16, f8e4m3fn, f8e5m2, or full, half; did you mean "
                                     "'bfloat16'?");
}

/* ---- the default policy ---------------------------------------------------------------------- */

static int default_is(const char *text) {
    mpx_policy p;
    return mpx_policy_parse(text, &p, NULL) == MPX_OK &&
           mpx_policy_equal(mpx_default_policy_get(), p);
}

/* Another thread starts with float32, whatever this one has set, and sets its own. */
static void *other_thread(void *arg) {
    mpx_policy p = mpx_default_policy_get();
    *(int *)arg = default_is("f32") && mpx_policy_parse("f64", &p, NULL) == MPX_OK;
    mpx_default_policy_set(p);
    *(int *)arg = *(int *)arg && default_is("f64");
    return NULL;
}

static void test_threads(void) {
    pthread_t thread[8];
    int fine[8] = { 0 }, i;
    mpx_policy p;
    if (mpx_policy_parse("bf16", &p, NULL) != MPX_OK) exit(2);
    mpx_default_policy_set(p);
    for (i = 0; i < 8; i++)
        if (pthread_create(&thread[i], NULL, other_thread, &fine[i]) != 0) exit(2);
    for (i = 0; i < 8; i++)
        CHECK(pthread_join(thread[i], NULL) == 0 && fine[i], "thread %d", i);
    CHECK(default_is("bf16"), "this thread's stays");
}

/* The steps that golden/policy_map records of Keras' global policy, and scopes. */
static void test_default(void) {
    static const char *const names[] = { "mixed_bfloat16", "float64", "float16",
                                         "int8_from_float32" };
    mpx_policy p, outer, inner, none = policy_of(0, 0, 0, 0, 0, 0, 0);
    size_t i;
    char name[MPX_POLICY_TEXT_SIZE];
    CHECK(default_is("f32"), "at the start");
    for (i = 0; i < COUNT(names); i++) {
        if (mpx_policy_parse_with(names[i], options_of(KERAS), &p, NULL) != MPX_OK) exit(2);
        mpx_default_policy_set(p);
        (void)mpx_policy_format_with(mpx_default_policy_get(), KERAS, name, sizeof name);
        CHECK(strcmp(name, names[i]) == 0, "'%s' is '%s'", names[i], name);
        CHECK(mpx_policy_equal(mpx_policy_or_default(none), p), "unset: the default");
    }
    mpx_policy_parse("p=f32,c=bf16", &p, NULL);
    outer = mpx_default_policy_get(), mpx_default_policy_set(p);
    CHECK(mpx_policy_equal(outer, mpx_policy_or_default(outer)), "a policy of its own comes first");
    inner = mpx_default_policy_get(), mpx_default_policy_set(none);
    CHECK(mpx_policy_equal(mpx_policy_or_default(none), none), "a default that casts nothing");
    mpx_default_policy_set(inner);
    CHECK(mpx_policy_equal(mpx_default_policy_get(), p), "the inner scope is left");
    mpx_default_policy_set(outer);
    CHECK(default_is("int8_from_float32"), "the outer scope is left");
    for (i = 1; i <= 4; i++) { /* one thing said is a policy of its own */
        none = policy_of(i == 1 ? MPX_F16 : 0, i == 2 ? MPX_F16 : 0, i == 3 ? MPX_F16 : 0, i == 4,
                         0, 0, 0);
        CHECK(mpx_policy_equal(mpx_policy_or_default(none), none), "field %lu", (unsigned long)i);
    }
}

int main(void) {
    test_default();
    test_threads();
    test_bad();
    test_good();
    test_values();
    test_texts();
    test_quantize();
    test_derived();
    test_sentences();
    return test_done("test_keras");
}
