/* Words, policies and errors: what parses, what does not and where exactly it is wrong, and that
   what prints parses back. A parser must leave its output alone on error, and never look beyond
   its slice: texts are parsed from heap blocks of exactly their size. */
#include "test.h"
#include <limits.h>

/* Short names for the tables. */
#define DTYPE MPX_ERR_DTYPE
#define KEY MPX_ERR_KEY
#define MISSING MPX_ERR_MISSING_EQUALS
#define EXTRA MPX_ERR_EXTRA_EQUALS
#define EMPTY MPX_ERR_EMPTY
#define SYNTAX MPX_ERR_SYNTAX
#define PAIR MPX_ERR_PAIR

static mpx_parse_options options_of(mpx_dialect dialect, mpx_dtype half) {
    mpx_parse_options opt;
    opt.dialect = dialect;
    opt.half = half;
    return opt;
}

static mpx_policy policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output) {
    mpx_policy p;
    memset(&p, 0, sizeof p);
    p.param = param;
    p.compute = compute;
    p.output = output;
    return p;
}

/* A copy of the text in a block of exactly its size, without a NUL. */
static char *exact_copy(const char *text, size_t len) {
    char *copy = (char *)malloc(len + (len == 0));
    if (copy == NULL) exit(2);
    if (len != 0) memcpy(copy, text, len);
    return copy;
}

/* ---- malformed policies ---------------------------------------------------------------------- */

typedef struct bad_text {
    const char *text;
    size_t len;
    mpx_status status;
    size_t offset, length;
} bad_text;
#define BAD(text, status, offset, length) { text, sizeof(text) - 1, status, offset, length }
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void check_bad_policy(mpx_dialect dialect, const bad_text *bad) {
    const mpx_policy before = policy_of(71, 72, 73);
    mpx_parse_options opt = options_of(dialect, MPX_NONE);
    mpx_policy p = before;
    mpx_error err;
    char *text = exact_copy(bad->text, bad->len);
    mpx_status status;
    memset(&err, 0x5a, sizeof err);
    status = mpx_policy_parse_n(text, bad->len, opt, &p, &err);
    CHECK(status == bad->status, "dialect %d, '%s': status %d, not %d", dialect, bad->text, status,
          bad->status);
    CHECK(err.status == status, "dialect %d, '%s': err has status %d, not %d", dialect, bad->text,
          err.status, status);
    CHECK(err.offset == bad->offset && err.length == bad->length,
          "dialect %d, '%s': at %lu, %lu bytes; not at %lu, %lu", dialect, bad->text,
          (unsigned long)err.offset, (unsigned long)err.length, (unsigned long)bad->offset,
          (unsigned long)bad->length);
    CHECK(mpx_policy_equal(p, before), "dialect %d, '%s': the output was written", dialect,
          bad->text);
    CHECK(mpx_policy_parse_n(text, bad->len, opt, &p, NULL) == status, "'%s': err may be NULL",
          bad->text);
    if (memchr(bad->text, '\0', bad->len) == NULL)
        CHECK(mpx_policy_parse_with(bad->text, opt, &p, NULL) == status, "'%s': as a string",
              bad->text);
    if (dialect == MPX_DIALECT_ANY && memchr(bad->text, '\0', bad->len) == NULL)
        CHECK(mpx_policy_parse(bad->text, &p, NULL) == status, "'%s': the short form", bad->text);
    free(text);
}

#define AXON_NAME "#Axon.MixedPrecision.Policy"
#define LONG_WORD \
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" /* 80 */

static const bad_text bad_any[] = {
    /* nothing, or no dtype */
    BAD("", EMPTY, 0, 0),
    BAD(" ", EMPTY, 0, 0),
    BAD(" \t\r\n\v\f", EMPTY, 0, 0),
    BAD("\xc2\xa0", EMPTY, 0, 0),
    BAD("x", DTYPE, 0, 1),
    BAD("float61", DTYPE, 0, 7),
    BAD(" float61 ", DTYPE, 1, 7),
    BAD("\t\xe3\x80\x80"
        "f61\n",
        DTYPE, 4, 3),
    BAD("f16,bf16", DTYPE, 0, 8),
    BAD("f16 bf16", DTYPE, 0, 8),
    BAD("f 16", DTYPE, 0, 4),
    BAD("p", DTYPE, 0, 1),
    BAD(",", DTYPE, 0, 1),
    BAD(" , , ", DTYPE, 1, 3),
    BAD("p:f16", DTYPE, 0, 5),
    BAD("f8", DTYPE, 0, 2),
    BAD("float", DTYPE, 0, 5),
    BAD("long", DTYPE, 0, 4),
    BAD("E4M3", DTYPE, 0, 4),
    BAD("f4", DTYPE, 0, 2),
    BAD("mixed_float32", DTYPE, 0, 13),
    BAD("mixed_", DTYPE, 0, 6),
    BAD("mixed_f16", DTYPE, 0, 9),
    BAD("mixed_float16x", DTYPE, 0, 14),
    BAD(LONG_WORD LONG_WORD LONG_WORD LONG_WORD, DTYPE, 0, 320),
    /* values */
    BAD("=", DTYPE, 1, 0),
    BAD("p=", DTYPE, 2, 0),
    BAD(" p = ", DTYPE, 4, 0),
    BAD("p=,c=f16", DTYPE, 2, 0),
    BAD("p=f61", DTYPE, 2, 3),
    BAD("p= f61 ,c=f16", DTYPE, 3, 3),
    BAD("x=foo", DTYPE, 2, 3),
    BAD("f16=p", DTYPE, 4, 1),
    BAD("p=f16,c=f32,o=f61", DTYPE, 14, 3),
    BAD("p=foo,c==", DTYPE, 2, 3),
    BAD("c=f16,p=foo,x=f16", DTYPE, 8, 3),
    BAD("p=f16,c=f16 bf16", DTYPE, 8, 8),
    BAD("{p=f16}", DTYPE, 3, 4),
    BAD("p=f16>", DTYPE, 2, 4),
    BAD("p=fp8", DTYPE, 2, 3),
    BAD("p=mixed_float16", DTYPE, 2, 13),
    BAD("p=" LONG_WORD, DTYPE, 2, 80),
    /* keys */
    BAD("=f16", KEY, 0, 0),
    BAD(" =f16", KEY, 1, 0),
    BAD("p=f16, =f16", KEY, 7, 0),
    BAD("x=f16", KEY, 0, 1),
    BAD("pp=f16", KEY, 0, 2),
    BAD("p q=f16", KEY, 0, 3),
    BAD(" computer = f16", KEY, 1, 8),
    BAD("para=f16", KEY, 0, 4),
    BAD("params compute=f16", KEY, 0, 14),
    BAD("half=f16", KEY, 0, 4),
    BAD("p=f16,x=f16,c=foo", KEY, 6, 1),
    BAD(LONG_WORD "=f16", KEY, 0, 80),
    /* number of '=' */
    BAD("p=f16,", MISSING, 6, 0),
    BAD(",p=f16", MISSING, 0, 0),
    BAD("p=f16,,c=f32", MISSING, 6, 0),
    BAD("p=f16,c", MISSING, 6, 1),
    BAD("p=f16, compute ,o=f32", MISSING, 7, 7),
    BAD("f16,p=f16", MISSING, 0, 3),
    BAD("p=f16,\xc2\xa0"
        "c\xc2\xa0",
        MISSING, 8, 1),
    BAD("p==f16", EXTRA, 2, 1),
    BAD("p=f16=", EXTRA, 5, 1),
    BAD("p=f16=bf16", EXTRA, 5, 1),
    BAD("p=f16;c=f32", EXTRA, 7, 1),
    BAD("p=f16 c=f32", EXTRA, 7, 1),
    BAD("p=f16\nc=f32", EXTRA, 7, 1),
    BAD("p=f16,q=foo=bar", EXTRA, 11, 1),
    BAD("==", EXTRA, 1, 1),
    BAD("x=foo=,=", EXTRA, 5, 1),
    /* the printed form */
    BAD("<", SYNTAX, 1, 0),
    BAD("<p=f16", SYNTAX, 6, 0),
    BAD("<p=f16> x", SYNTAX, 8, 1),
    BAD("<>x", SYNTAX, 2, 1),
    BAD("<p=f16>>", SYNTAX, 7, 1),
    BAD("<p=f16> <c=f16>", SYNTAX, 8, 7),
    BAD("<>,p=f16", SYNTAX, 2, 6),
    BAD(AXON_NAME "<", SYNTAX, 28, 0),
    BAD(AXON_NAME "<c=bf16", SYNTAX, 34, 0),
    BAD(AXON_NAME "<>.", SYNTAX, 29, 1),
    BAD("<x=f16>", KEY, 1, 1),
    BAD("<=f16>", KEY, 1, 0),
    BAD("<<p=f16>", KEY, 1, 2),
    BAD("<p=f16 x=f16>", KEY, 7, 1),
    BAD("<p>", MISSING, 1, 1),
    BAD("<p=f16 c>", MISSING, 7, 1),
    BAD("<p = f16>", MISSING, 1, 1),
    BAD("<f16>", MISSING, 1, 3),
    BAD("<p=>", DTYPE, 3, 0),
    BAD("<p= f16>", DTYPE, 3, 0),
    BAD("<p=f61>", DTYPE, 3, 3),
    BAD("<p=f16,c=f32>", EXTRA, 8, 1),
    BAD("<p=f16,>", DTYPE, 3, 4),
    BAD(AXON_NAME, DTYPE, 0, 27),
    BAD(AXON_NAME " <c=f16>", DTYPE, 31, 4),
    BAD("#axon.mixedprecision.policy<c=f16>", DTYPE, 30, 4),
    BAD("#Foo<c=f16>", DTYPE, 7, 4),
    BAD(">", DTYPE, 0, 1),
    /* bytes: NUL, controls, beyond ASCII */
    BAD("\0", DTYPE, 0, 1),
    BAD("f16\0", DTYPE, 0, 4),
    BAD("p=f16\0", DTYPE, 2, 4),
    BAD("\0p=f16", KEY, 0, 2),
    BAD("p\0=f16", KEY, 0, 2),
    BAD("p=f16\0,c=f16", DTYPE, 2, 4),
    BAD("p=f16,\0", MISSING, 6, 1),
    BAD("<p=f16\0>", DTYPE, 3, 4),
    BAD("\x01"
        "f16",
        DTYPE, 0, 4),
    BAD("\x7f", DTYPE, 0, 1),
    BAD("p\b=f16", KEY, 0, 2),
    BAD("p=\x1b[0m", DTYPE, 2, 4),
    BAD("\xff\xfe", DTYPE, 0, 2),
    BAD("p=\xc3\xa9", DTYPE, 2, 2),
    BAD("\xe2\x82\xac=f16", KEY, 0, 3),
    BAD("F\xc4\xb1oat16", DTYPE, 0, 8),
    BAD("\xc2", DTYPE, 0, 1),
    BAD("f16\xc2", DTYPE, 0, 4),
    BAD("\xa0"
        "f16",
        DTYPE, 0, 4),
    BAD("p=f16\xe3\x80", DTYPE, 2, 5),
    BAD("\xef\xbb\xbf"
        "f16",
        DTYPE, 0, 6),
};

static const bad_text bad_jmp[] = {
    BAD("", DTYPE, 0, 0),
    BAD(" ", DTYPE, 0, 1),
    BAD(" f16", DTYPE, 0, 4),
    BAD("f16 ", DTYPE, 0, 4),
    BAD("\tf16", DTYPE, 0, 4),
    BAD("F16", DTYPE, 0, 3),
    BAD("HALF", DTYPE, 0, 4),
    BAD("Full", DTYPE, 0, 4),
    BAD("f", DTYPE, 0, 1),
    BAD("fp16", DTYPE, 0, 4),
    BAD("f8_e4m3", DTYPE, 0, 7),
    BAD("float8_e5m2", DTYPE, 0, 11),
    BAD("int8", DTYPE, 0, 4),
    BAD("mixed_float16", DTYPE, 0, 13),
    BAD("f16,bf16", DTYPE, 0, 8),
    BAD(",", DTYPE, 0, 1),
    BAD("p", DTYPE, 0, 1),
    BAD("<>", DTYPE, 0, 2),
    BAD("<f4", DTYPE, 0, 3),
    BAD("torch.float16", DTYPE, 0, 13),
    BAD(LONG_WORD, DTYPE, 0, 80),
    BAD("p=F16", DTYPE, 2, 3),
    BAD("p= f16", DTYPE, 2, 4),
    BAD("p=f16 ", DTYPE, 2, 4),
    BAD("p=f16 ,c=f16", DTYPE, 2, 4),
    BAD("p=", DTYPE, 2, 0),
    BAD("=", DTYPE, 1, 0),
    BAD("x=foo", DTYPE, 2, 3),
    BAD("<p=f16>", DTYPE, 3, 4),
    BAD("p=f16,c=foo,x=f16", DTYPE, 8, 3),
    BAD("p=f16\n", DTYPE, 2, 4),
    BAD("p=f16\0", DTYPE, 2, 4),
    BAD("P=f16", KEY, 0, 1),
    BAD("p =f16", KEY, 0, 2),
    BAD(" p=f16", KEY, 0, 2),
    BAD("p=f16, c=bf16", KEY, 6, 2),
    BAD("param=f16", KEY, 0, 5),
    BAD("outputs=f16", KEY, 0, 7),
    BAD("Compute=f16", KEY, 0, 7),
    BAD("=f16", KEY, 0, 0),
    BAD("x=f16", KEY, 0, 1),
    BAD("p,c=f16", MISSING, 0, 1),
    BAD("p=f16,", MISSING, 6, 0),
    BAD(",p=f16", MISSING, 0, 0),
    BAD("p=f16, ", MISSING, 6, 1),
    BAD("p=f16,,c=f16", MISSING, 6, 0),
    BAD("p==f16", EXTRA, 2, 1),
    BAD("p=f16=", EXTRA, 5, 1),
    BAD("p=f16;c=f32", EXTRA, 7, 1),
    BAD("p=f16 c=f32", EXTRA, 7, 1),
    BAD("<c=bf16 o=f16>", EXTRA, 9, 1),
    BAD("\xc2\xa0"
        "f16",
        DTYPE, 0, 5),
    BAD("p\xff=f16", KEY, 0, 2),
    BAD("p=f16,\xff", MISSING, 6, 1),
    BAD("\0", DTYPE, 0, 1),
};

static const bad_text bad_eformer[] = {
    BAD("", DTYPE, 0, 0),
    BAD("  ", DTYPE, 2, 0),
    BAD("\xc2\xa0", DTYPE, 2, 0),
    BAD("x", DTYPE, 0, 1),
    BAD(" x ", DTYPE, 1, 1),
    BAD("full", DTYPE, 0, 4),
    BAD("FULL", DTYPE, 0, 4),
    BAD("fp16", DTYPE, 0, 4),
    BAD("fp8", DTYPE, 0, 3),
    BAD("float8_e4m3fn", DTYPE, 0, 13),
    BAD("f8_e4m3fn", DTYPE, 0, 9),
    BAD("f8e4m3fn", DTYPE, 0, 8),
    BAD("int8", DTYPE, 0, 4),
    BAD("mixed_float16", DTYPE, 0, 13),
    BAD("f16,bf16", DTYPE, 0, 8),
    BAD(" f16 , bf16 ", DTYPE, 1, 10),
    BAD(",", DTYPE, 0, 1),
    BAD("p", DTYPE, 0, 1),
    BAD("<>", DTYPE, 0, 2),
    BAD("<f4", DTYPE, 0, 3),
    BAD("torch.float16", DTYPE, 0, 13),
    BAD(LONG_WORD, DTYPE, 0, 80),
    BAD("=", DTYPE, 1, 0),
    BAD("p=", DTYPE, 2, 0),
    BAD("p= ,c=f16", DTYPE, 2, 0),
    BAD("x=foo", DTYPE, 2, 3),
    BAD("P=foo", DTYPE, 2, 3),
    BAD("p =foo", DTYPE, 3, 3),
    BAD("p= full ", DTYPE, 3, 4),
    BAD("x=f16,y=foo", DTYPE, 8, 3),
    BAD("<p=f16>", DTYPE, 3, 4),
    BAD(AXON_NAME "<p=f16>", DTYPE, 30, 4),
    BAD("p=f16,c=s32", DTYPE, 8, 3),
    BAD("x=f16,y", MISSING, 6, 1),
    BAD("p=f16,", MISSING, 6, 0),
    BAD(",p=f16", MISSING, 0, 0),
    BAD("p=f16, c ,o=f16", MISSING, 7, 1),
    BAD("p=f16,,", MISSING, 6, 0),
    BAD("p==f16", EXTRA, 2, 1),
    BAD("p=f16=", EXTRA, 5, 1),
    BAD("x=f16=", EXTRA, 5, 1),
    BAD("p=f16;c=f32", EXTRA, 7, 1),
    BAD("p=f16 c=f32", EXTRA, 7, 1),
    BAD("<c=bf16 o=f16>", EXTRA, 9, 1),
    BAD("f16\0", DTYPE, 0, 4),
    BAD("p=f16\0", DTYPE, 2, 4),
    BAD("\0", DTYPE, 0, 1),
    BAD("p=\xff", DTYPE, 2, 1),
    BAD("F\xc4\xb1oat16", DTYPE, 0, 8),
    BAD("\x7f", DTYPE, 0, 1),
    BAD("p=f16,\x01", MISSING, 6, 1),
};

static const bad_text bad_axon[] = {
    BAD(AXON_NAME "<c=bf16>  ", SYNTAX, 35, 2),
    BAD("", SYNTAX, 0, 0),
    BAD(" ", SYNTAX, 0, 1),
    BAD("f16", SYNTAX, 0, 3),
    BAD("p=f16", SYNTAX, 0, 5),
    BAD("float16", SYNTAX, 0, 7),
    BAD("nil", SYNTAX, 0, 3),
    BAD("mixed_float16", SYNTAX, 0, 13),
    BAD(" <p=f16>", SYNTAX, 0, 8),
    BAD(AXON_NAME, SYNTAX, 0, 27),
    BAD(AXON_NAME " <>", SYNTAX, 0, 30),
    BAD("#axon.mixedprecision.policy<>", SYNTAX, 0, 29),
    BAD("<", SYNTAX, 1, 0),
    BAD("<p=f16", SYNTAX, 6, 0),
    BAD(AXON_NAME "<", SYNTAX, 28, 0),
    BAD(">", SYNTAX, 0, 1),
    BAD("<>x", SYNTAX, 2, 1),
    BAD("<><>", SYNTAX, 2, 2),
    BAD("<p>", MISSING, 1, 1),
    BAD("<f16>", MISSING, 1, 3),
    BAD("<p = f16>", MISSING, 1, 1),
    BAD("<p =f16>", MISSING, 1, 1),
    BAD("<p=f16 c>", MISSING, 7, 1),
    BAD("<p=>", DTYPE, 3, 0),
    BAD("<p= f16>", DTYPE, 3, 0),
    BAD("<p=f16 c=>", DTYPE, 9, 0),
    BAD("<p=F16>", DTYPE, 3, 3),
    BAD("<p=float16>", DTYPE, 3, 7),
    BAD("<p=bfloat16>", DTYPE, 3, 8),
    BAD("<p=half>", DTYPE, 3, 4),
    BAD("<p=full>", DTYPE, 3, 4),
    BAD("<p=i8>", DTYPE, 3, 2),
    BAD("<p=int8>", DTYPE, 3, 4),
    BAD("<p=bool>", DTYPE, 3, 4),
    BAD("<p=f8_e4m3fn>", DTYPE, 3, 9),
    BAD("<p=f128>", DTYPE, 3, 4),
    BAD("<p=u1>", DTYPE, 3, 2),
    BAD("<p=f16 x=f17>", DTYPE, 9, 3),
    BAD("<=f16>", KEY, 1, 0),
    BAD("<x=f16>", KEY, 1, 1),
    BAD("<P=f16>", KEY, 1, 1),
    BAD("<params=f16>", KEY, 1, 6),
    BAD("<p=f16 x=f16>", KEY, 7, 1),
    BAD("<p=f16,c=f16>", EXTRA, 8, 1),
    BAD("<p==f16>", EXTRA, 3, 1),
    BAD("<p=f16=>", EXTRA, 6, 1),
    BAD("<\xff=f16>", KEY, 1, 1),
    BAD("<p=f16\0>", DTYPE, 3, 4),
    BAD("<p=\x01>", DTYPE, 3, 1),
    BAD("\0", SYNTAX, 0, 1),
};

static const bad_text bad_keras[] = {
    BAD("", DTYPE, 0, 0),
    BAD(" ", DTYPE, 0, 1),
    BAD(" float32", DTYPE, 0, 8),
    BAD("float32 ", DTYPE, 0, 8),
    BAD("Float32", DTYPE, 0, 7),
    BAD("half", DTYPE, 0, 4),
    BAD("full", DTYPE, 0, 4),
    BAD("f16", DTYPE, 0, 3),
    BAD("bf16", DTYPE, 0, 4),
    BAD("fp16", DTYPE, 0, 4),
    BAD("double", DTYPE, 0, 6),
    BAD("infer", DTYPE, 0, 5),
    BAD("auto", DTYPE, 0, 4),
    BAD("None", DTYPE, 0, 4),
    BAD("input_float16", DTYPE, 0, 13),
    BAD("string", DTYPE, 0, 6),
    BAD("mixed_float32", DTYPE, 0, 13),
    BAD("mixed_", DTYPE, 0, 6),
    BAD("mixed", DTYPE, 0, 5),
    BAD("mixed_half", DTYPE, 0, 10),
    BAD("Mixed_float16", DTYPE, 0, 13),
    BAD("mixed_Float16", DTYPE, 0, 13),
    BAD("mixed_float16 ", DTYPE, 0, 14),
    BAD(" mixed_float16", DTYPE, 0, 14),
    BAD("mixed_float8_e5m2", DTYPE, 0, 17),
    BAD("mixed_int8", DTYPE, 0, 10),
    BAD("torch.mixed_float16", DTYPE, 0, 19),
    BAD("int8", PAIR, 0, 4),
    BAD("int4", PAIR, 0, 4),
    BAD("int8x", PAIR, 0, 5),
    BAD("float8_e4m3fn", PAIR, 0, 13),
    BAD("float8_e5m2", PAIR, 0, 11),
    BAD("gptq", PAIR, 0, 4),
    BAD("awq/4/128", PAIR, 0, 9),
    BAD("float4_e2m1fn", DTYPE, 0, 13),
    BAD("uint4", DTYPE, 0, 5),
    BAD("p=float16", DTYPE, 0, 9),
    BAD("p=float16,c=float16", DTYPE, 0, 19),
    BAD("float16,bfloat16", DTYPE, 0, 16),
    BAD("=", DTYPE, 0, 1),
    BAD(",", DTYPE, 0, 1),
    BAD("<c=bf16>", DTYPE, 0, 8),
    BAD("<>", DTYPE, 0, 2),
    BAD("torch", DTYPE, 0, 5),
    BAD("torch.", DTYPE, 0, 6),
    BAD("torch.half", DTYPE, 0, 10),
    BAD("jax.float32", DTYPE, 0, 11),
    BAD("numpy.float32", DTYPE, 0, 13),
    BAD(LONG_WORD, DTYPE, 0, 80),
    BAD("float32\0", DTYPE, 0, 8),
    BAD("\0", DTYPE, 0, 1),
    BAD("\xff", DTYPE, 0, 1),
    BAD("float\xc2\xa0"
        "32",
        DTYPE, 0, 9),
    BAD("\x7f"
        "float32",
        DTYPE, 0, 8),
};

static void test_bad_policies(void) {
    size_t i;
    for (i = 0; i < COUNT(bad_any); i++)
        check_bad_policy(MPX_DIALECT_ANY, &bad_any[i]);
    for (i = 0; i < COUNT(bad_jmp); i++)
        check_bad_policy(MPX_DIALECT_JMP, &bad_jmp[i]);
    for (i = 0; i < COUNT(bad_eformer); i++)
        check_bad_policy(MPX_DIALECT_EFORMER, &bad_eformer[i]);
    for (i = 0; i < COUNT(bad_axon); i++)
        check_bad_policy(MPX_DIALECT_AXON, &bad_axon[i]);
    for (i = 0; i < COUNT(bad_keras); i++)
        check_bad_policy(MPX_DIALECT_KERAS, &bad_keras[i]);
}

/* Numbers that are no dialect: nothing is read, nothing printed. */
static void test_unknown_dialects(void) {
    static const int bad[] = { -1, MPX_DIALECT_KERAS_CLASS + 1, 77, INT_MIN, INT_MAX };
    size_t i;
    for (i = 0; i < COUNT(bad); i++) {
        mpx_parse_options opt = options_of(bad[i], MPX_NONE);
        mpx_policy p = policy_of(71, 72, 73);
        mpx_dtype type = 71;
        mpx_error err;
        char text[MPX_POLICY_TEXT_SIZE] = "untouched";
        CHECK(mpx_policy_parse_with("f16", opt, &p, &err) == MPX_ERR_ARGUMENT &&
                  err.status == MPX_ERR_ARGUMENT && p.param == 71,
              "dialect %d: a policy", bad[i]);
        CHECK(mpx_policy_quantize_n(policy_of(MPX_F32, MPX_F32, MPX_F32), "int8", 4, opt, &p,
                                    &err) == MPX_ERR_ARGUMENT &&
                  p.param == 71 && err.offset == 0 && err.length == 0,
              "dialect %d: a mode", bad[i]);
        CHECK(mpx_dtype_parse_n("f16", 3, opt, &type, &err) == MPX_ERR_ARGUMENT && type == 71 &&
                  err.offset == 0 && err.length == 0,
              "dialect %d: a dtype", bad[i]);
        p = policy_of(MPX_F32, MPX_F16, MPX_F32);
        CHECK(mpx_policy_format_with(p, bad[i], text, sizeof text) == 0 && text[0] == '\0',
              "dialect %d: '%s'", bad[i], text);
    }
}

/* What is no dtype has no text, in a quantized policy too. */
static void test_no_text(void) {
    char text[MPX_POLICY_TEXT_SIZE] = "untouched";
    mpx_policy p = policy_of(MPX_F32, MPX_BF16, 77);
    CHECK(mpx_policy_format(p, text, sizeof text) == 0 && text[0] == '\0', "'%s'", text);
    p.quantization = MPX_QUANT_INT8;
    strcpy(text, "untouched");
    CHECK(mpx_policy_format(p, text, sizeof text) == 0 && text[0] == '\0', "'%s'", text);
    p.output = MPX_F32;
    CHECK(mpx_policy_format(p, text, sizeof text) != 0 && strncmp(text, "int8_from_", 10) == 0, "'%s'", text);
}

/* A mebibyte: a text repeated as often as it fits, blanks, and something at the end. */
static void check_huge(const char *repeated, const char *last, mpx_status status, size_t offset,
                       size_t length) {
    const size_t size = 1 << 20, n = strlen(repeated), end = size - strlen(last);
    char *text = (char *)malloc(size);
    mpx_policy p = policy_of(71, 72, 73);
    mpx_error err;
    mpx_status got;
    size_t i;
    if (text == NULL) exit(2);
    for (i = 0; i < end; i++)
        text[i] = i < end / n * n ? repeated[i % n] : ' ';
    memcpy(text + end, last, strlen(last));
    got = mpx_policy_parse_n(text, size, options_of(MPX_DIALECT_ANY, 0), &p, &err);
    CHECK(got == status && err.offset == offset && err.length == length,
          "1 MiB of '%s' and '%s': %d at %lu, %lu bytes", repeated, last, got,
          (unsigned long)err.offset, (unsigned long)err.length);
    CHECK(p.param == 71 && p.output == 73, "1 MiB of '%s': the output was written", repeated);
    free(text);
}

static void test_huge(void) {
    const size_t n = 1 << 20;
    check_huge("f", "", DTYPE, 0, n);
    check_huge(" ", "", EMPTY, 0, 0);
    check_huge(" ", "x", DTYPE, n - 1, 1);
    check_huge(",", "", DTYPE, 0, n);
    check_huge("=", "", EXTRA, 1, 1);
    check_huge("<", "", SYNTAX, n, 0);
    check_huge("<", ">", MISSING, 1, n - 2);
    check_huge(">", "", DTYPE, 0, n);
    check_huge("p=f16, ", "x", MISSING, n - 1, 1);
    check_huge("p=f16,  ", "x=f16", KEY, n - 5, 1);
    check_huge("p=f16,", "=", DTYPE, n, 0);
    check_huge("<p=f16 ", ">", KEY, 7, 2);
}

/* ---- good policies --------------------------------------------------------------------------- */

typedef struct good_text {
    mpx_dialect dialect;
    const char *text;
    mpx_dtype param, compute, output;
} good_text;

static const good_text good[] = {
    { MPX_DIALECT_ANY, "p=f32,c=bf16,o=f32", MPX_F32, MPX_BF16, MPX_F32 },
    { MPX_DIALECT_ANY, "bf16", MPX_BF16, MPX_BF16, MPX_BF16 },
    { MPX_DIALECT_ANY, "params=float32, compute=half", MPX_F32, MPX_F16, MPX_F16 },
    { MPX_DIALECT_ANY, " Param = F64 ,\tCOMPUTE\n= Half , outputs=FULL ", MPX_F64, MPX_F16,
      MPX_F32 },
    { MPX_DIALECT_ANY, "c=f16", MPX_F32, MPX_F16, MPX_F16 },
    { MPX_DIALECT_ANY, "o=f16", MPX_F32, MPX_F32, MPX_F16 },
    { MPX_DIALECT_ANY, "p=f16", MPX_F16, MPX_F16, MPX_F16 },
    { MPX_DIALECT_ANY, "p=f16,o=bf16", MPX_F16, MPX_F16, MPX_BF16 },
    { MPX_DIALECT_ANY, "p=f16,P=f64,params=bf16", MPX_BF16, MPX_BF16, MPX_BF16 },
    { MPX_DIALECT_ANY, "o=f64,c=i8,p=c128", MPX_C128, MPX_I8, MPX_F64 },
    { MPX_DIALECT_ANY, "<>", 0, 0, 0 },
    { MPX_DIALECT_ANY, " < > ", 0, 0, 0 },
    { MPX_DIALECT_ANY, "<c=bf16>", 0, MPX_BF16, 0 },
    { MPX_DIALECT_ANY, "< O=f32\tparam=BF16  >", MPX_BF16, 0, MPX_F32 },
    { MPX_DIALECT_ANY, "<p=f16 p=f32>", MPX_F32, 0, 0 },
    { MPX_DIALECT_ANY, " " AXON_NAME "<p=s32 o=f16>", MPX_I32, 0, MPX_F16 },
    { MPX_DIALECT_ANY, "mixed_float16", MPX_F32, MPX_F16, MPX_F16 },
    { MPX_DIALECT_ANY, "Mixed_BFloat16 ", MPX_F32, MPX_BF16, MPX_BF16 },
    { MPX_DIALECT_ANY, "int8", MPX_I8, MPX_I8, MPX_I8 },
    { MPX_DIALECT_ANY, "float8_e4m3fn", MPX_F8E4M3FN, MPX_F8E4M3FN, MPX_F8E4M3FN },
    { MPX_DIALECT_ANY,
      "\xc2\xa0p\xe2\x80\x83=\xe3\x80\x80"
      "f16\xc2\x85",
      MPX_F16, MPX_F16, MPX_F16 },
    { MPX_DIALECT_ANY,
      "\x1c"
      "f16\x1f",
      MPX_F16, MPX_F16, MPX_F16 },
    { MPX_DIALECT_JMP, "p=full,c=half,o=f64", MPX_F32, MPX_F16, MPX_F64 },
    { MPX_DIALECT_JMP, "params=f16,compute=bf16,output=float32", MPX_F16, MPX_BF16, MPX_F32 },
    { MPX_DIALECT_JMP, "p=f16,params=f64", MPX_F64, MPX_F64, MPX_F64 },
    { MPX_DIALECT_EFORMER, " P=f16 , c = F8_E4M3 ,o=float8_e4m3", MPX_F32, MPX_F32, MPX_F8E4M3FN },
    { MPX_DIALECT_EFORMER, "p=HALF,x=f64", MPX_F16, MPX_F16, MPX_F16 },
    { MPX_DIALECT_EFORMER, "=f16", MPX_F32, MPX_F32, MPX_F32 },
    { MPX_DIALECT_AXON, "<>", 0, 0, 0 },
    { MPX_DIALECT_AXON, AXON_NAME "<p=f8 c=u2 o=c64>", MPX_F8E5M2, MPX_U2, MPX_C64 },
    { MPX_DIALECT_AXON, "<p=f16 p=f32 c=f32 p=f64>", MPX_F16, MPX_F32, 0 }, /* the first wins */
    { MPX_DIALECT_AXON, "<o=f16 c=bf16 o=f32 c=f64>", 0, MPX_BF16, MPX_F16 },
    { MPX_DIALECT_KERAS, "mixed_float16", MPX_F32, MPX_F16, MPX_F16 },
    { MPX_DIALECT_KERAS, "mixed_bfloat16", MPX_F32, MPX_BF16, MPX_BF16 },
    { MPX_DIALECT_KERAS, "float16", MPX_F16, MPX_F16, MPX_F16 },
    { MPX_DIALECT_KERAS, "uint8", MPX_U8, MPX_U8, MPX_U8 },
    { MPX_DIALECT_KERAS, "int", MPX_I32, MPX_I32, MPX_I32 },
    { MPX_DIALECT_KERAS, "xtorch.int32", MPX_I32, MPX_I32, MPX_I32 },
    { MPX_DIALECT_KERAS, "mixed_torch.float16", MPX_F16, MPX_F16, MPX_F16 }, /* by its last part */
    { MPX_DIALECT_KERAS, "mixed_jax.numpy.bfloat16", MPX_BF16, MPX_BF16, MPX_BF16 },
};

static void test_good_policies(void) {
    size_t i;
    for (i = 0; i < COUNT(good); i++) {
        const good_text *g = &good[i];
        mpx_policy p = policy_of(71, 72, 73);
        mpx_error err;
        char *text = exact_copy(g->text, strlen(g->text));
        mpx_status status =
            mpx_policy_parse_n(text, strlen(g->text), options_of(g->dialect, MPX_NONE), &p, &err);
        CHECK(status == MPX_OK && mpx_policy_equal(p, policy_of(g->param, g->compute, g->output)),
              "dialect %d, '%s': status %d, %s %s %s", g->dialect, g->text, status,
              mpx_dtype_name(p.param), mpx_dtype_name(p.compute), mpx_dtype_name(p.output));
        CHECK(err.status == MPX_OK && err.offset == 0 && err.length == 0, "'%s': err is {0}",
              g->text);
        free(text);
    }
}

/* Every blank that Python strips goes, and nothing that looks like one. */
static void test_blanks(void) {
    static const char *const blanks[] = {
        " ",
        "\t",
        "\n",
        "\v",
        "\f",
        "\r",
        "\x1c",
        "\x1d",
        "\x1e",
        "\x1f",
        "\xc2\x85",
        "\xc2\xa0",
        "\xe1\x9a\x80",
        "\xe2\x80\x80",
        "\xe2\x80\x81",
        "\xe2\x80\x82",
        "\xe2\x80\x83",
        "\xe2\x80\x84",
        "\xe2\x80\x85",
        "\xe2\x80\x86",
        "\xe2\x80\x87",
        "\xe2\x80\x88",
        "\xe2\x80\x89",
        "\xe2\x80\x8a",
        "\xe2\x80\xa8",
        "\xe2\x80\xa9",
        "\xe2\x80\xaf",
        "\xe2\x81\x9f",
        "\xe3\x80\x80",
    };
    static const char *const others[] = {
        "\b",           "\x0e",         "\x1b",         "\x7f",         "\xc2\x84",
        "\xc2\x86",     "\xc2\xa1",     "\xe1\x9a\x81", "\xe1\xa0\x8e", "\xe2\x80\x8b",
        "\xe2\x80\xa7", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\x9e", "\xe2\x81\xa0",
        "\xe3\x80\x81", "\xef\xbb\xbf", "\x85",         "\xa0",
    };
    char text[32];
    mpx_policy p;
    size_t i;
    for (i = 0; i < COUNT(blanks); i++) {
        snprintf(text, sizeof text, "%s%sp=%sf16%s", blanks[i], blanks[i], blanks[i], blanks[i]);
        CHECK(mpx_policy_parse(text, &p, NULL) == MPX_OK && p.param == MPX_F16, "'%s'", text);
        CHECK(mpx_policy_parse_with(text, options_of(MPX_DIALECT_EFORMER, 0), &p, NULL) == MPX_OK,
              "eformer: '%s'", text);
        CHECK(mpx_policy_parse_with(text, options_of(MPX_DIALECT_JMP, 0), &p, NULL) == DTYPE,
              "jmp: '%s'", text);
    }
    for (i = 0; i < COUNT(others); i++) {
        snprintf(text, sizeof text, "%sf16", others[i]);
        CHECK(mpx_policy_parse(text, &p, NULL) == DTYPE, "before: '%s'", text);
        snprintf(text, sizeof text, "f16%s", others[i]);
        CHECK(mpx_policy_parse(text, &p, NULL) == DTYPE, "after: '%s'", text);
    }
}

/* What `half` means is the caller's choice; a slice ends where its length says. */
static void test_options(void) {
    mpx_policy p;
    mpx_dtype t;
    mpx_parse_options opt = options_of(MPX_DIALECT_ANY, MPX_BF16);
    CHECK(mpx_policy_parse_with("half", opt, &p, NULL) == MPX_OK && p.param == MPX_BF16,
          "half as bf16");
    CHECK(mpx_dtype_parse_n("HALF", 4, opt, &t, NULL) == MPX_OK && t == MPX_BF16, "half as bf16");
    opt.dialect = MPX_DIALECT_JMP;
    CHECK(mpx_policy_parse_with("c=half", opt, &p, NULL) == MPX_OK && p.compute == MPX_BF16,
          "half as bf16, jmp");
    opt.dialect = MPX_DIALECT_EFORMER;
    CHECK(mpx_policy_parse_with("c=half", opt, &p, NULL) == MPX_OK && p.compute == MPX_BF16,
          "half as bf16, eformer");
    CHECK(mpx_dtype_parse("half", &t) == MPX_OK && t == MPX_F16, "half is f16 else");
    CHECK(mpx_policy_parse_n("f16xyz", 3, options_of(0, 0), &p, NULL) == MPX_OK &&
              p.param == MPX_F16,
          "a slice");
    CHECK(mpx_policy_parse_n("p=f16,c=bf16", 5, options_of(0, 0), &p, NULL) == MPX_OK &&
              p.compute == MPX_F16,
          "a slice");
    CHECK(mpx_policy_parse_n("\0\tf16", 5, options_of(0, 0), &p, NULL) == MPX_ERR_DTYPE &&
              mpx_policy_parse_n("f16\0\t", 5, options_of(0, 0), &p, NULL) == MPX_ERR_DTYPE,
          "NUL is no blank");
    CHECK(mpx_policy_parse_n(NULL, 0, options_of(0, 0), &p, NULL) == MPX_ERR_EMPTY,
          "an empty slice may be NULL");
}

/* ---- every policy prints and parses back ----------------------------------------------------- */

static void check_round_trip(mpx_policy p) {
    char buf[160], cut[160];
    mpx_policy back = policy_of(71, 72, 73);
    size_t len = mpx_policy_format(p, buf, sizeof buf);
    CHECK(len == strlen(buf) && len < sizeof buf, "'%s' has %lu bytes", buf, (unsigned long)len);
    CHECK(mpx_policy_parse(buf, &back, NULL) == MPX_OK && mpx_policy_equal(back, p),
          "'%s' does not come back", buf);
    memset(cut, '#', sizeof cut);
    CHECK(mpx_policy_format(p, cut, len) == len && cut[len - 1] == '\0' && cut[len] == '#',
          "'%s', a byte short", buf);
    CHECK(strncmp(cut, buf, len - 1) == 0, "'%s' is cut, not changed: '%s'", buf, cut);
}

/* As a system prints it, that system's dialect reads it. (Keras' get refuses "int8" and its
   like, which it prints.) */
static void check_dialect_round_trip(mpx_policy p, mpx_dialect dialect) {
    char buf[160];
    mpx_policy back = policy_of(71, 72, 73);
    mpx_parse_options opt =
        options_of(dialect == MPX_DIALECT_KERAS ? MPX_DIALECT_ANY : dialect, MPX_NONE);
    size_t len = mpx_policy_format_with(p, dialect, buf, sizeof buf);
    CHECK(len == strlen(buf), "dialect %d: '%s' has %lu bytes", dialect, buf, (unsigned long)len);
    if (len == 0) return;
    CHECK(mpx_policy_parse_with(buf, opt, &back, NULL) == MPX_OK && mpx_policy_equal(back, p),
          "dialect %d: '%s' does not come back", dialect, buf);
}

/* NumPy's typestrings are dtypes, though they begin as printed policies do. */
static void test_typestring(void) {
    mpx_policy p;
    CHECK(mpx_policy_parse("<f4", &p, NULL) == MPX_OK && p.param == MPX_F32 &&
              p.compute == MPX_F32 && p.output == MPX_F32,
          "<f4");
}

static void test_round_trips(void) {
    mpx_dtype p, c, o;
    mpx_dialect dialect;
    for (p = 0; p < MPX_DTYPE_COUNT; p++)
        for (c = 0; c < MPX_DTYPE_COUNT; c++)
            for (o = 0; o < MPX_DTYPE_COUNT; o++) {
                check_round_trip(policy_of(p, c, o));
                for (dialect = MPX_DIALECT_EFORMER; dialect <= MPX_DIALECT_AXON; dialect++)
                    check_dialect_round_trip(policy_of(p, c, o), dialect);
            }
}

/* ---- printing -------------------------------------------------------------------------------- */

typedef struct printed {
    mpx_dialect dialect;
    mpx_dtype param, compute, output;
    const char *text; /* "": the system has no words for it */
} printed;

static const printed prints[] = {
    { MPX_DIALECT_ANY, MPX_F32, MPX_BF16, MPX_F32, "p=f32,c=bf16,o=f32" },
    { MPX_DIALECT_ANY, 0, 0, 0, "<>" },
    { MPX_DIALECT_ANY, 0, MPX_BF16, 0, "<c=bf16>" },
    { MPX_DIALECT_ANY, MPX_F16, 0, MPX_I8, "<p=f16 o=i8>" },
    { MPX_DIALECT_ANY, MPX_F8E4M3B11FNUZ, MPX_F8E4M3B11FNUZ, MPX_C128,
      "p=f8e4m3b11fnuz,c=f8e4m3b11fnuz,o=c128" },
    { MPX_DIALECT_JMP, MPX_F32, MPX_BF16, MPX_F16, "p=full,c=bf16,o=f16" },
    { MPX_DIALECT_JMP, MPX_F64, MPX_F64, MPX_F32, "p=f64,c=f64,o=full" },
    { MPX_DIALECT_JMP, MPX_F32, MPX_F8E5M2, MPX_F16, "" },
    { MPX_DIALECT_JMP, MPX_F32, 0, MPX_F16, "" },
    { MPX_DIALECT_EFORMER, MPX_F32, MPX_F8E4M3FN, MPX_F8E5M2, "p=f32,c=f8_e4m3,o=f8_e5m2" },
    { MPX_DIALECT_EFORMER, MPX_F32, MPX_I8, MPX_F16, "" },
    { MPX_DIALECT_AXON, MPX_F16, MPX_BF16, MPX_F32, AXON_NAME "<p=f16 c=bf16 o=f32>" },
    { MPX_DIALECT_AXON, 0, MPX_I32, 0, AXON_NAME "<c=s32>" },
    { MPX_DIALECT_AXON, 0, 0, 0, AXON_NAME "<>" },
    { MPX_DIALECT_AXON, 0, MPX_F8E5M2, MPX_C64, AXON_NAME "<c=f8 o=c64>" },
    { MPX_DIALECT_AXON, 0, MPX_BOOL, 0, "" },
    { MPX_DIALECT_KERAS, MPX_F32, MPX_F16, MPX_F16, "mixed_float16" },
    { MPX_DIALECT_KERAS, MPX_F32, MPX_BF16, MPX_BF16, "mixed_bfloat16" },
    { MPX_DIALECT_KERAS, MPX_BF16, MPX_BF16, MPX_BF16, "bfloat16" },
    { MPX_DIALECT_KERAS, MPX_C64, MPX_C64, MPX_C64, "complex64" },
    { MPX_DIALECT_KERAS, MPX_F32, MPX_F16, MPX_F32, "" },
    { MPX_DIALECT_KERAS, MPX_F32, MPX_F64, MPX_F64, "" },
    { MPX_DIALECT_KERAS, MPX_U4, MPX_U4, MPX_U4, "" },
    { MPX_DIALECT_KERAS, 0, 0, 0, "" },
    { MPX_DIALECT_ANY, 99, MPX_F32, MPX_F32, "" },
};

/* snprintf's rules: the whole length comes back, the text is cut, a NUL always ends it, no byte
   beyond size. */
static void test_printing(void) {
    size_t i, size;
    for (i = 0; i < COUNT(prints); i++) {
        const printed *q = &prints[i];
        mpx_policy p = policy_of(q->param, q->compute, q->output);
        size_t len = strlen(q->text);
        for (size = 0; size <= len + 2; size++) {
            char buf[160];
            memset(buf, '#', sizeof buf);
            CHECK(mpx_policy_format_with(p, q->dialect, size > 0 ? buf : NULL, size) == len,
                  "'%s': length", q->text);
            CHECK(buf[size] == '#', "'%s': wrote beyond %lu bytes", q->text, (unsigned long)size);
            if (size == 0) continue;
            CHECK(strlen(buf) == (size <= len ? size - 1 : len), "'%s' in %lu bytes", q->text,
                  (unsigned long)size);
            CHECK(strncmp(buf, q->text, strlen(buf)) == 0, "'%s', not '%s'", buf, q->text);
        }
    }
}

static void test_equality(void) {
    mpx_policy p = policy_of(MPX_F32, MPX_BF16, MPX_F16);
    CHECK(mpx_policy_equal(p, mpx_policy_of(MPX_F32, MPX_BF16, MPX_F16)), "the same");
    CHECK(!mpx_policy_equal(p, policy_of(MPX_F64, MPX_BF16, MPX_F16)), "another param");
    CHECK(!mpx_policy_equal(p, policy_of(MPX_F32, MPX_F64, MPX_F16)), "another compute");
    CHECK(!mpx_policy_equal(p, policy_of(MPX_F32, MPX_BF16, MPX_F64)), "another output");
}

/* ---- every short string ---------------------------------------------------------------------- */

static unsigned long accepted[MPX_DIALECT_KERAS_CLASS + 1];

/* OK with a value that prints and parses back, or an error inside the text and an untouched
   output. */
static mpx_status check_any_text(const char *text, size_t len, mpx_dialect dialect, mpx_policy *p) {
    mpx_error err;
    mpx_status status;
    *p = policy_of(71, 72, 73);
    status = mpx_policy_parse_n(text, len, options_of(dialect, MPX_NONE), p, &err);
    CHECK(err.status == status, "'%.*s': err has %d, not %d", (int)len, text, err.status, status);
    if (status == MPX_OK) {
        accepted[dialect]++;
        check_round_trip(*p);
    } else {
        CHECK((status <= DTYPE && status >= SYNTAX) || status == PAIR, "'%.*s': status %d",
              (int)len, text, status);
        CHECK(err.offset <= len && err.length <= len - err.offset, "'%.*s': error at %lu, %lu",
              (int)len, text, (unsigned long)err.offset, (unsigned long)err.length);
        CHECK(p->param == 71 && p->compute == 72 && p->output == 73,
              "'%.*s': the output was written", (int)len, text);
    }
    return status;
}

/* The default dialect reads what the exact ones read (but eformer's ignored keys), and as the
   same value. */
static void check_short_text(const char *text, size_t len) {
    static const mpx_dialect exact[] = { MPX_DIALECT_JMP, MPX_DIALECT_KERAS, MPX_DIALECT_AXON,
                                         MPX_DIALECT_EFORMER };
    mpx_policy any, p;
    mpx_status any_status = check_any_text(text, len, MPX_DIALECT_ANY, &any);
    mpx_dtype type = 71;
    mpx_error err;
    size_t i;
    for (i = 0; i < COUNT(exact); i++) {
        mpx_status status = check_any_text(text, len, exact[i], &p);
        if (status == MPX_OK && exact[i] != MPX_DIALECT_EFORMER)
            CHECK(any_status == MPX_OK && mpx_policy_equal(any, p), "'%.*s': ANY and dialect %d",
                  (int)len, text, exact[i]);
    }
    if (mpx_dtype_parse_n(text, len, options_of(0, 0), &type, &err) ==
        MPX_OK) /* "<f4": not as a policy */
        CHECK(text[0] == '<' || (any_status == MPX_OK && any.param == type),
              "'%.*s': dtype, no policy", (int)len, text);
    else
        CHECK(type == 71 && err.offset == 0 && err.length == len, "'%.*s': dtype error", (int)len,
              text);
}

/* All strings of up to four letters of this alphabet: 168 421. */
static void test_short_strings(void) {
    static const char alphabet[] = "pco=,<> f1326b\tFhi8x";
    char *text = exact_copy("????", 4),
         *end = text + 4; /* at the end of its block, so that reading beyond it shows */
    size_t letters = sizeof alphabet - 1, len, i, k, all = 1, rest;
    for (len = 0; len <= 4; len++, all *= letters)
        for (i = 0; i < all; i++) {
            for (k = 1, rest = i; k <= len; k++, rest /= letters)
                end[-(int)k] = alphabet[rest % letters];
            check_short_text(end - len, len);
        }
    free(text);
    CHECK(accepted[MPX_DIALECT_JMP] == 3, "jmp reads f16 f32 bf16, not %lu",
          accepted[MPX_DIALECT_JMP]);
    CHECK(accepted[MPX_DIALECT_KERAS] == 0, "Keras reads none, not %lu",
          accepted[MPX_DIALECT_KERAS]);
    CHECK(accepted[MPX_DIALECT_AXON] == 1 + 2 + 4, "Axon reads <> with blanks, not %lu",
          accepted[MPX_DIALECT_AXON]);
}

/* Random bytes, and random texts of the tokens a policy has, longer than four bytes. */
static void test_random_strings(void) {
    static const char *const tokens[] = {
        "p", "c", "o",       "params", "compute", "output",   "=",       "=",      "=",
        ",", ",", " ",       "f16",    "bf16",    "f32",      "float16", "half",   "full",
        "<", ">", AXON_NAME, "mixed_", "x",       "\xc2\xa0", "\t",      "torch.", "f8_e4m3",
    };
    uint32_t random = 1;
    char text[512];
    int i, k;
    for (i = 0; i < 60000; i++) {
        size_t len = 0;
        mpx_policy p;
        for (k = 0; k < i % 12; k++) {
            const char *token = tokens[(random = random * 1664525u + 1013904223u) >> 8 & 0xffff
                                           ? (random >> 8) % COUNT(tokens)
                                           : 0];
            memcpy(text + len, token, strlen(token));
            len += strlen(token);
        }
        if (i % 4 == 0 && len > 0) text[(random >> 10) % len] = (char)(random >> 24);
        check_any_text(text, len, (mpx_dialect)(i % (MPX_DIALECT_AXON + 1)), &p);
    }
}

/* ---- dtype words ----------------------------------------------------------------------------- */

/* The dialects by letter: any, jmp, eformer, keras, axon (Nx: x), put_dtype. */
static const char dialect_letters[] = "aejkxp";

/* A word, and who knows it: SEMANTICS section 1. A word that two systems read differently has
   two lines; who is in no line of a word refuses it. Names and short names stand in no line:
   test_all_names has them for `a`. */
typedef struct word {
    const char *text, *known_by;
    mpx_dtype dtype;
} word;

static const word words[] = {
    { "f64", "aejx", MPX_F64 },
    { "f32", "aejx", MPX_F32 },
    { "f16", "aejx", MPX_F16 },
    { "bf16", "aejxp", MPX_BF16 },
    { "float64", "aejkp", MPX_F64 },
    { "float32", "aejkp", MPX_F32 },
    { "float16", "aejkp", MPX_F16 },
    { "bfloat16", "aejkp", MPX_BF16 },
    { "full", "aj", MPX_F32 },
    { "half", "aej", MPX_F16 },
    { "fp16", "ap", MPX_F16 },
    { "fp32", "ap", MPX_F32 },
    { "fp64", "ap", MPX_F64 },
    { "f8_e4m3", "ae", MPX_F8E4M3FN },
    { "float8_e4m3", "e", MPX_F8E4M3FN },
    { "float8_e4m3", "a", MPX_F8E4M3 },
    { "f8e4m3", "a", MPX_F8E4M3 },
    { "f8e4m3fn", "a", MPX_F8E4M3FN },
    { "float8_e4m3fn", "akp", MPX_F8E4M3FN },
    { "fp8_e4m3fn", "ap", MPX_F8E4M3FN },
    { "f8_e5m2", "ae", MPX_F8E5M2 },
    { "float8_e5m2", "aekp", MPX_F8E5M2 },
    { "fp8_e5m2", "ap", MPX_F8E5M2 },
    { "f8e5m2", "a", MPX_F8E5M2 },
    { "fp8", "p", MPX_F8E5M2 },
    { "f8", "x", MPX_F8E5M2 },
    { "float8_e4m3fnuz", "ap", MPX_F8E4M3FNUZ },
    { "fp8_e4m3fnuz", "ap", MPX_F8E4M3FNUZ },
    { "float8_e5m2fnuz", "ap", MPX_F8E5M2FNUZ },
    { "fp8_e5m2fnuz", "ap", MPX_F8E5M2FNUZ },
    { "float8_e4m3b11fnuz", "ap", MPX_F8E4M3B11FNUZ },
    { "fp8_e4m3b11fnuz", "ap", MPX_F8E4M3B11FNUZ },
    { "bool", "ak", MPX_BOOL },
    { "int", "ak", MPX_I32 },
    { "int8", "ak", MPX_I8 },
    { "uint8", "ak", MPX_U8 },
    { "int16", "ak", MPX_I16 },
    { "uint16", "ak", MPX_U16 },
    { "int32", "ak", MPX_I32 },
    { "uint32", "ak", MPX_U32 },
    { "int64", "ak", MPX_I64 },
    { "uint64", "ak", MPX_U64 },
    { "int4", "a", MPX_I4 },
    { "uint2", "a", MPX_U2 },
    { "s2", "ax", MPX_I2 },
    { "s4", "ax", MPX_I4 },
    { "s8", "ax", MPX_I8 },
    { "s16", "ax", MPX_I16 },
    { "s32", "ax", MPX_I32 },
    { "s64", "ax", MPX_I64 },
    { "u2", "ax", MPX_U2 },
    { "u4", "ax", MPX_U4 },
    { "u8", "ax", MPX_U8 },
    { "u16", "ax", MPX_U16 },
    { "u32", "ax", MPX_U32 },
    { "u64", "ax", MPX_U64 },
    { "i2", "a", MPX_I2 },
    { "i4", "a", MPX_I4 },
    { "i8", "a", MPX_I8 },
    { "i16", "a", MPX_I16 },
    { "i32", "a", MPX_I32 },
    { "i64", "a", MPX_I64 },
    { "c64", "ax", MPX_C64 },
    { "c128", "ax", MPX_C128 },
    { "complex64", "ak", MPX_C64 },
    { "complex128", "ak", MPX_C128 },
    /* NumPy's typestrings, with their mark only */
    { "<f8", "a", MPX_F64 },
    { "<f4", "a", MPX_F32 },
    { "<f2", "a", MPX_F16 },
    { "|b1", "a", MPX_BOOL },
    { "|i1", "a", MPX_I8 },
    { "|u1", "a", MPX_U8 },
    { "<i2", "a", MPX_I16 },
    { "<u2", "a", MPX_U16 },
    { "<i4", "a", MPX_I32 },
    { "<u4", "a", MPX_U32 },
    { "<i8", "a", MPX_I64 },
    { "<u8", "a", MPX_U64 },
    { "<c8", "a", MPX_C64 },
    { "<c16", "a", MPX_C128 },
    /* with a package before them */
    { "torch.float16", "ak", MPX_F16 },
    { "jax.numpy.bfloat16", "ak", MPX_BF16 },
    { "xtorch.int32", "k", MPX_I32 },
    { "a.torch.b.uint8", "k", MPX_U8 },
    { "JAX.NUMPY.int32", "", 0 },
    { "Torch.int32", "", 0 },
    { "xJax.numpy.int32", "", 0 },
    /* refused by all, or by all but the lines above */
    { "float", "", 0 },
    { "long", "", 0 },
    { "e4m3", "", 0 },
    { "fp8_e4m3", "", 0 },
    { "float8", "", 0 },
    { "e5m2", "", 0 },
    { "f4", "", 0 },
    { "f2", "", 0 },
    { "f6", "", 0 },
    { "u1", "", 0 },
    { "i1", "", 0 },
    { "b1", "", 0 },
    { "c8", "", 0 },
    { "c16", "", 0 },
    { "V2", "", 0 },
    { "<V2", "", 0 },
    { ">f4", "", 0 },
    { "|f4", "", 0 },
    { "f", "", 0 },
    { "b16", "", 0 },
    { "bf32", "", 0 },
    { "f128", "", 0 },
    { "tf32", "", 0 },
    { "half_float", "", 0 },
    { "single", "", 0 },
    { "complex", "", 0 },
    { "uint", "", 0 },
    { "uint1", "", 0 },
    { "qint8", "", 0 },
    { "nf4", "", 0 },
    { "str", "", 0 },
    { "string", "", 0 },
    { "none", "", 0 },
    { "mixed_float16", "", 0 },
    { "f16f16", "", 0 },
    { "f1", "", 0 },
    { "f16 ", "e", MPX_F16 },
    { " f16", "e", MPX_F16 },
    { "\tbf16\r\n", "e", MPX_BF16 },
    { "f16,f16", "", 0 },
    { "p=f16", "", 0 },
    { "<f16>", "", 0 },
    { "float-16", "", 0 },
    { "float_16", "", 0 },
    { "float16_", "", 0 },
    { "bfloat", "", 0 },
    { "numpy.float32", "", 0 },
    { "torch", "", 0 },
    { "torch.", "", 0 },
    { "torch.float", "", 0 },
    { "torch.long", "", 0 },
};

/* What the table says of a word in a dialect; MPX_NONE: refused. */
static mpx_dtype expected_of(const char *text, char letter) {
    size_t i;
    for (i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].text, text) == 0 && strchr(words[i].known_by, letter) != NULL)
            return words[i].dtype;
    return MPX_NONE;
}

static void check_word(const char *text, size_t len, mpx_dialect dialect, mpx_dtype want) {
    char *copy = exact_copy(text, len);
    mpx_dtype type = 71;
    mpx_error err;
    mpx_status status = mpx_dtype_parse_n(copy, len, options_of(dialect, MPX_NONE), &type, &err);
    CHECK(status == (want != MPX_NONE ? MPX_OK : MPX_ERR_DTYPE), "dialect %d, '%s': status %d",
          dialect, text, status);
    CHECK(err.status == status, "dialect %d, '%s': err has %d", dialect, text, err.status);
    CHECK(type == (want != MPX_NONE ? want : 71), "dialect %d, '%s': dtype %d, not %d", dialect,
          text, type, want);
    if (status != MPX_OK && dialect != MPX_DIALECT_EFORMER)
        CHECK(err.offset == 0 && err.length == len, "dialect %d, '%s': error at %lu, %lu", dialect,
              text, (unsigned long)err.offset, (unsigned long)err.length);
    if (dialect == MPX_DIALECT_ANY && strlen(text) == len)
        CHECK(mpx_dtype_parse(text, &type) == status, "'%s': the short form", text);
    free(copy);
}

/* The word with some letters in capitals: bit i % 16 of mask decides about letter i. */
static int in_capitals(char *out, const char *text, unsigned mask) {
    int changed = 0;
    size_t i;
    for (i = 0; text[i] != '\0'; i++) {
        int raise = text[i] >= 'a' && text[i] <= 'z' && (mask >> i % 16 & 1u) != 0;
        out[i] = raise ? (char)(text[i] - 'a' + 'A') : text[i];
        changed |= raise;
    }
    out[i] = '\0';
    return changed;
}

/* The dialect's place in the letters is not its number. */
static mpx_dialect dialect_of(char letter) {
    switch (letter) {
    case 'e': return MPX_DIALECT_EFORMER;
    case 'j': return MPX_DIALECT_JMP;
    case 'k': return MPX_DIALECT_KERAS;
    case 'x': return MPX_DIALECT_AXON;
    case 'p': return MPX_DIALECT_EFORMER_PUT;
    default: return MPX_DIALECT_ANY;
    }
}

static void test_words(void) {
    static const unsigned masks[] = { 0xffff, 1, 0x5555, 0xaaaa, 0xfff0 };
    size_t i, k, m;
    char capitals[64];
    for (i = 0; i < COUNT(words); i++)
        for (k = 0; dialect_letters[k] != '\0'; k++) {
            char letter = dialect_letters[k];
            int folds = letter == 'a' || letter == 'e',
                packaged = strchr(words[i].text, '.') != NULL;
            mpx_dtype want = expected_of(words[i].text, letter);
            check_word(words[i].text, strlen(words[i].text), dialect_of(letter), want);
            for (m = 0; m < COUNT(masks); m++)
                if (!packaged && in_capitals(capitals, words[i].text, masks[m]))
                    check_word(capitals, strlen(capitals), dialect_of(letter),
                               folds ? want : MPX_NONE);
        }
}

/* Every dtype's name and short name, in any case; no part of one, nothing before or after it. */
static void test_all_names(void) {
    mpx_dtype t, got;
    char text[64];
    int which;
    unsigned mask;
    for (t = 1; t < MPX_DTYPE_COUNT; t++)
        for (which = 0; which < 2; which++) {
            const char *name = which == 0 ? mpx_dtype_name(t) : mpx_dtype_short_name(t);
            for (mask = 0; mask < 1u << 16; mask += 257 + 2 * (unsigned)t) {
                in_capitals(text, name, mask);
                CHECK(mpx_dtype_parse(text, &got) == MPX_OK && got == t, "'%s'", text);
            }
            snprintf(text, sizeof text, "%s ", name);
            CHECK(mpx_dtype_parse(text, &got) == MPX_ERR_DTYPE, "'%s'", text);
            snprintf(text, sizeof text, " %s", name);
            CHECK(mpx_dtype_parse(text, &got) == MPX_ERR_DTYPE, "'%s'", text);
            snprintf(text, sizeof text, "%s_", name);
            CHECK(mpx_dtype_parse(text, &got) == MPX_ERR_DTYPE, "'%s'", text);
            check_word(name, strlen(name) + 1, MPX_DIALECT_ANY, MPX_NONE); /* with its NUL */
        }
}

/* Malformed words, of any bytes: the whole word is reported. */
static void test_bad_words(void) {
    static const bad_text bad[] = {
        BAD("", EMPTY, 0, 0),
        BAD(" ", DTYPE, 0, 1),
        BAD("\t", DTYPE, 0, 1),
        BAD("\0", DTYPE, 0, 1),
        BAD("f16\0", DTYPE, 0, 4),
        BAD("\0f16", DTYPE, 0, 4),
        BAD("f\0"
            "16",
            DTYPE, 0, 4),
        BAD("\xff", DTYPE, 0, 1),
        BAD("f16\xff", DTYPE, 0, 4),
        BAD("\xc2\xa0"
            "f16",
            DTYPE, 0, 5),
        BAD("F\xc4\xb1oat16", DTYPE, 0, 8),
        BAD("\x7f", DTYPE, 0, 1),
        BAD("\x01", DTYPE, 0, 1),
        BAD(LONG_WORD, DTYPE, 0, 80),
        BAD(LONG_WORD LONG_WORD LONG_WORD LONG_WORD, DTYPE, 0, 320),
        BAD("=", DTYPE, 0, 1),
        BAD("<", DTYPE, 0, 1),
        BAD("|", DTYPE, 0, 1),
        BAD("<>", DTYPE, 0, 2),
        BAD("bf16\n", DTYPE, 0, 5),
        BAD(".", DTYPE, 0, 1),
        BAD("torch.\0", DTYPE, 0, 7),
        BAD("'f16'", DTYPE, 0, 5),
        BAD("\"f16\"", DTYPE, 0, 5),
        BAD("f16;", DTYPE, 0, 4),
        BAD("-", DTYPE, 0, 1),
        BAD("0", DTYPE, 0, 1),
        BAD("16", DTYPE, 0, 2),
        BAD("f", DTYPE, 0, 1),
        BAD("fl", DTYPE, 0, 2),
        BAD("float1", DTYPE, 0, 6),
        BAD("float160", DTYPE, 0, 8),
        BAD("afloat16", DTYPE, 0, 8),
        BAD("float16float16", DTYPE, 0, 14),
        BAD("float8_", DTYPE, 0, 7),
        BAD("float8_e4", DTYPE, 0, 9),
        BAD("float8_e4m3fnu", DTYPE, 0, 14),
        BAD("float8-e4m3fn", DTYPE, 0, 13),
        BAD("float8.e4m3fn", DTYPE, 0, 13),
        BAD("i", DTYPE, 0, 1),
        BAD("i3", DTYPE, 0, 2),
        BAD("i128", DTYPE, 0, 4),
        BAD("u128", DTYPE, 0, 4),
        BAD("c256", DTYPE, 0, 4),
        BAD("int 8", DTYPE, 0, 5),
    };
    size_t i;
    for (i = 0; i < COUNT(bad); i++) {
        char *text = exact_copy(bad[i].text, bad[i].len);
        mpx_dtype type = 71;
        mpx_error err;
        mpx_status status = mpx_dtype_parse_n(text, bad[i].len, options_of(0, 0), &type, &err);
        CHECK(status == bad[i].status && err.status == status, "'%s': status %d", bad[i].text,
              status);
        CHECK(err.offset == bad[i].offset && err.length == bad[i].length, "'%s': error at %lu, %lu",
              bad[i].text, (unsigned long)err.offset, (unsigned long)err.length);
        CHECK(type == 71, "'%s': the output was written", bad[i].text);
        free(text);
    }
}

/* Empty words, and where eformer's blanks end. */
static void test_empty_words(void) {
    mpx_dtype type = 71;
    mpx_error err;
    mpx_dialect dialect;
    for (dialect = MPX_DIALECT_EFORMER; dialect <= MPX_DIALECT_AXON; dialect++) {
        CHECK(mpx_dtype_parse_n("", 0, options_of(dialect, 0), &type, &err) == MPX_ERR_DTYPE &&
                  type == 71,
              "empty");
        CHECK(err.status == MPX_ERR_DTYPE && err.offset == 0 && err.length == 0,
              "empty, dialect %d", dialect);
    }
    CHECK(mpx_dtype_parse_n(" \t ", 3, options_of(MPX_DIALECT_EFORMER, 0), &type, &err) ==
              MPX_ERR_DTYPE,
          "blanks");
    CHECK(err.length == 0, "blanks");
    CHECK(mpx_dtype_parse_n("  f61 ", 6, options_of(MPX_DIALECT_EFORMER, 0), &type, &err) ==
              MPX_ERR_DTYPE,
          "a word");
    CHECK(err.offset == 2 && err.length == 3, "the word without its blanks");
    CHECK(mpx_dtype_parse_n("", 0, options_of(MPX_DIALECT_EFORMER_PUT, 0), &type, &err) == MPX_OK &&
              type == MPX_NONE && err.status == MPX_OK && err.offset == 0 && err.length == 0,
          "put_dtype takes an empty word as none");
    CHECK(mpx_dtype_parse("", &type) == MPX_ERR_EMPTY && type == MPX_NONE,
          "the default dialect does not");
}

/* ---- sentences ------------------------------------------------------------------------------- */

typedef struct sentence {
    const char *text;
    size_t len;
    const char *want;
} sentence;
#define SENTENCE(text, want) { text, sizeof(text) - 1, want }
#define SUCH_AS "; expected a dtype such as f32, bf16, f16, f8e4m3fn, f8e5m2, or full, half"
#define ELSEWHERE " has another name in this dialect, or none"
#define MODES "; in Keras, '_from_' follows int8, int4, float8, ternary, gptq or awq"

static const sentence sentences[] = {
    SENTENCE("p=float61", "unknown dtype 'float61' at 2" SUCH_AS),
    SENTENCE("c= f61 ", "unknown dtype 'f61' at 3" SUCH_AS),
    SENTENCE("p=", "missing dtype at 2" SUCH_AS),
    SENTENCE(" ", "empty text" SUCH_AS),
    SENTENCE("fp8e4m3", "ambiguous dtype 'fp8e4m3' at 0; say f8e4m3fn or f8e4m3"),
    SENTENCE("c=fp4", "ambiguous dtype 'fp4' at 2; say f4e2m1fn"),
    SENTENCE("Float4", "ambiguous dtype 'Float4' at 0; say f4e2m1fn"),
    SENTENCE("int3_from_float32", "unknown dtype 'int3_from_float32' at 0" MODES),
    SENTENCE("c=int3_from_f32", "unknown dtype 'int3_from_f32' at 2" MODES),
    SENTENCE("mixed_bf16", "unknown dtype 'mixed_bf16' at 0" SUCH_AS
                           "; did you mean 'mixed_bfloat16'?"),
    SENTENCE("mixed_float32", "unknown dtype 'mixed_float32' at 0" SUCH_AS),
    SENTENCE("f8", "ambiguous dtype 'f8' at 0; say f8e4m3fn or f8e5m2"),
    SENTENCE("p=Float", "ambiguous dtype 'Float' at 2; say f32 or f64"),
    SENTENCE("long", "ambiguous dtype 'long' at 0; say i32 or i64"),
    SENTENCE("E4M3", "ambiguous dtype 'E4M3' at 0; say f8e4m3fn or f8e4m3"),
    SENTENCE("p=f16,q=f16", "unknown key 'q' at 6; expected p, c or o (param, compute, output)"),
    SENTENCE("=f16", "missing key at 0; expected p, c or o (param, compute, output)"),
    SENTENCE("p=f16,c", "missing '=' in 'c' at 6; expected key=dtype"),
    SENTENCE("p=f16,", "empty part at 6; expected key=dtype"),
    SENTENCE("p==f16", "unexpected '=' at 2; expected one '=' in each part: up to ',' "
             "(in <...> a blank, in maps a line's end)"),
    SENTENCE("p=f32;c=bf16",
             "unexpected '=' at 7; expected one '=' in each part: up to ',' "
             "(in <...> a blank, in maps a line's end)"),
    SENTENCE("<p=f32,c=bf16>",
             "unexpected '=' at 8; expected one '=' in each part: up to ',' "
             "(in <...> a blank, in maps a line's end)"),
    SENTENCE("<p=f16", "missing '>' at 6"),
    SENTENCE("<p=f16>x", "unexpected 'x' at 7; expected the end of the text"),
    SENTENCE("p=\xc3\xa9\0'\n", "unknown dtype '\\xc3\\xa9\\x00'' at 2" SUCH_AS),
    SENTENCE("p=\x7f~ !", "unknown dtype '\\x7f~ !' at 2" SUCH_AS),
    SENTENCE("0123456789012345678901234567890123456789",
             "unknown dtype '0123456789012345678901234567890123456789' at 0" SUCH_AS),
    SENTENCE("0123456789012345678901234567890123456789x",
             "unknown dtype '0123456789012345678901234567890123456789...' at 0" SUCH_AS),
    SENTENCE("f16", "ok"),
};

/* The sentence in a buffer of every size up to its own. */
static void check_sentence(const mpx_error *err, const char *text, const char *want) {
    size_t len = strlen(want), size;
    for (size = 0; size <= len + 2; size++) {
        char buf[256];
        memset(buf, '#', sizeof buf);
        CHECK(mpx_error_format(err, text, size > 0 ? buf : NULL, size) == len, "'%s': length",
              want);
        CHECK(buf[size] == '#', "'%s': wrote beyond %lu bytes", want, (unsigned long)size);
        if (size == 0) continue;
        CHECK(strlen(buf) == (size <= len ? size - 1 : len) && strncmp(buf, want, strlen(buf)) == 0,
              "'%s', not '%s'", buf, want);
    }
}

/* By the rules of one dialect: right elsewhere, or without the '<' of Axon's printed form. */
static void test_dialect_sentences(void) {
    static const struct {
        mpx_dialect dialect;
        const char *text, *want;
    } rows[] = {
        { MPX_DIALECT_KERAS, "bf16", "unknown dtype 'bf16' at 0; bfloat16" ELSEWHERE },
        { MPX_DIALECT_EFORMER, "p=f32,c=full", "unknown dtype 'full' at 8; float32" ELSEWHERE },
        { MPX_DIALECT_AXON, "<c=float32>", "unknown dtype 'float32' at 3; float32" ELSEWHERE },
        { MPX_DIALECT_JMP, "mixed_float16", "unknown dtype 'mixed_float16' at 0" SUCH_AS },
        { MPX_DIALECT_JMP, "int8_from_float32", "unknown dtype 'int8_from_float32' at 0" MODES },
        { MPX_DIALECT_AXON, "<>\n x", "unexpected 'x' at 4; expected the end of the text" },
        { MPX_DIALECT_AXON, "bf16", "unexpected 'bf16' at 0; expected '<', as in <p=f32 c=bf16>" },
        { MPX_DIALECT_AXON, "", "missing '<' at 0" },
        { MPX_DIALECT_AXON, "<c=bf16", "missing '>' at 7" },
        { MPX_DIALECT_AXON, "<> x", "unexpected 'x' at 3; expected the end of the text" },
    };
    size_t i;
    for (i = 0; i < COUNT(rows); i++) {
        mpx_error err;
        mpx_policy p;
        char *text = exact_copy(rows[i].text, strlen(rows[i].text));
        CHECK(mpx_policy_parse_n(text, strlen(rows[i].text), options_of(rows[i].dialect, 0), &p,
                                 &err) != MPX_OK,
              "'%s' is a policy", rows[i].text);
        check_sentence(&err, text, rows[i].want);
        free(text);
    }
}

static void test_sentences(void) {
    size_t i;
    mpx_error err;
    mpx_policy p;
    for (i = 0; i < COUNT(sentences); i++) {
        char *text = exact_copy(sentences[i].text, sentences[i].len);
        mpx_policy_parse_n(text, sentences[i].len, options_of(0, 0), &p, &err);
        check_sentence(&err, text, sentences[i].want);
        free(text);
    }
    CHECK(mpx_policy_parse_with("c=half", options_of(MPX_DIALECT_ANY, 77), &p, &err) ==
              MPX_ERR_DTYPE,
          "77 is no half");
    check_sentence(&err, "c=half",
                   "unknown dtype 'half' at 2; float16" ELSEWHERE ", or opt.half is no dtype");
    mpx_policy_parse("p=float61", &p, &err);
    check_sentence(&err, NULL, "unknown dtype at 2" SUCH_AS);
    err.offset = 4294967295u;
    check_sentence(&err, NULL, "unknown dtype at 4294967295" SUCH_AS);
    memset(&err, 0, sizeof err);
    check_sentence(&err, NULL, "ok");
    err.status = MPX_ERR_STATE;
    check_sentence(&err, NULL, "not a saved state");
    err.status = 5;
    check_sentence(&err, NULL, "unknown status");
}

/* Errors as callers may keep them: without their text, of layers, with as much as is known. */
static void test_kept_errors(void) {
    static const struct {
        mpx_status status;
        mpx_subject subject;
        size_t offset, length, index;
        const char *path;
        mpx_dtype found, expected;
        const char *what;
        size_t have, need;
        const char *want;
    } rows[] = {
        { SYNTAX, MPX_SUBJECT_TEXT, 3, 1, 0, "", 0, 0, NULL, 0, 0, "unexpected at 3; expected the end of the text" },
        { SYNTAX, MPX_SUBJECT_TEXT, 0, 1, 0, "", 0, 0, NULL, 0, 0, "unexpected at 0; expected '<', as in <p=f32 c=bf16>" },
        { SYNTAX, MPX_SUBJECT_TEXT, 0, 0, 0, "", 0, 0, NULL, 0, 0, "missing '<' at 0" },
        { SYNTAX, MPX_SUBJECT_TEXT, 9, 0, 0, "", 0, 0, NULL, 0, 0, "missing '>' at 9" },
        { MPX_ERR_SCHEME, MPX_SUBJECT_TEXT, 5, 3, 0, "", 0, 0, NULL, 0, 0,
          "unknown or unusable at 5; expected none, int8, uint4, float8, mxfp4, nvfp4, q8_0 or the like" },
        { MPX_ERR_PRECISION, MPX_SUBJECT_TEXT, 7, 4, 0, "", 0, 0, NULL, 0, 0,
          "unknown precision at 7; expected compute, original, widest or a floating dtype" },
        { MPX_ERR_PRECISION, MPX_SUBJECT_TEXT, 7, 0, 0, "", 0, 0, NULL, 0, 0,
          "missing precision at 7; expected compute, original, widest or a floating dtype" },
        { MPX_ERR_RULE, MPX_SUBJECT_TEXT, 2, 0, 0, "", 0, 0, NULL, 0, 0,
          "missing key at 2; expected default, operation=precision or scope:name=precision" },
        { MPX_ERR_NUMBER, MPX_SUBJECT_TEXT, 5, 0, 0, "", 0, 0, NULL, 0, 0, "missing number at 5" },
        { MPX_ERR_ARGUMENT, MPX_SUBJECT_TEXT, 0, 0, 0, "", 0, 0, NULL, 0, 0, "bad argument" },
        { MPX_ERR_ARGUMENT, MPX_SUBJECT_TEXT, 4, 0, 0, "", 0, 0, NULL, 0, 0, "bad argument at 4" },
        { MPX_ERR_STATE, MPX_SUBJECT_TEXT, 4, 2, 0, "", 0, 0, NULL, 0, 0, "not a saved state at 4" },
        { MPX_ERR_ARGUMENT, MPX_SUBJECT_LEAF, 0, 0, SIZE_MAX, "", 0, 0, NULL, 0, 0,
          "bad argument; expected one of the three roles" },
        { MPX_ERR_ARGUMENT, MPX_SUBJECT_LEAF, 0, 0, 3, "a/b", MPX_F32, 0, NULL, 0, 0,
          "bad argument at leaf 3 'a/b': found float32; its data is NULL" },
        { MPX_ERR_ARGUMENT, MPX_SUBJECT_LAYER, 0, 0, 3, "a", 0, 0, NULL, 0, 0, "bad argument at layer 3 'a'" },
        { MPX_ERR_WIDER, MPX_SUBJECT_LEAF, 0, 0, 0, "", MPX_F32, MPX_BF16, NULL, 0, 0,
          "destination wider than source at leaf 0: found float32, expected bfloat16; if the trees are not swapped, "
          "mpx_tree_widen" },
        { DTYPE, MPX_SUBJECT_LEAF, 0, 0, 1, "w", 0, MPX_F32, NULL, 0, 0,
          "unknown or unusable dtype at leaf 1 'w': expected float32" },
        { DTYPE, MPX_SUBJECT_LEAF, 0, 0, 1, "w", -77, 0, NULL, 0, 0, "unknown or unusable dtype at leaf 1 'w': found dtype -77" },
        { MPX_ERR_SHAPE, MPX_SUBJECT_LEAF, 0, 0, 1, "w", 0, 0, NULL, 5, 32,
          "unusable shape at leaf 1 'w': rows of 5 elements are no whole blocks of 32" },
        { MPX_ERR_SHAPE, MPX_SUBJECT_LEAF, 0, 0, 1, "w", 0, 0, "elements", 5, 32,
          "unusable shape at leaf 1 'w': 5 elements are no whole rows of 32" },
        { MPX_ERR_SPACE, MPX_SUBJECT_LAYER, 0, 0, SIZE_MAX, "", 0, 0, "leaves", 5, 32,
          "not enough space; 5 leaves where 32 are needed" },
        { MPX_WARN_OVERFLOW, MPX_SUBJECT_LEAF, 0, 0, 1, "w", MPX_F32, 0, NULL, 5, 0,
          "values overflow at leaf 1 'w': 5 of float32 become Inf or NaN" },
        { MPX_ERR_CYCLE, MPX_SUBJECT_NODE, 0, 0, SIZE_MAX, "", 0, 0, NULL, 0, 0,
          "a node reads one that does not come before it" },
    };
    size_t i;
    for (i = 0; i < COUNT(rows); i++) {
        mpx_error err;
        memset(&err, 0, sizeof err);
        err.status = rows[i].status, err.subject = rows[i].subject;
        err.offset = rows[i].offset, err.length = rows[i].length, err.index = rows[i].index;
        strcpy(err.path, rows[i].path);
        err.found = rows[i].found, err.expected = rows[i].expected;
        err.what = rows[i].what, err.have = rows[i].have, err.need = rows[i].need;
        check_sentence(&err, NULL, rows[i].want);
    }
}

/* Every status has words of its own. */
static void test_status_strings(void) {
    static const mpx_status others[] = {
        MPX_ERR_PATTERN, MPX_ERR_EXISTS, MPX_ERR_MISSING, MPX_ERR_AMBIGUOUS, MPX_ERR_SCOPE, MPX_ERR_CYCLE,
        MPX_ERR_WIDER, MPX_ERR_RULE, MPX_ERR_PRECISION, MPX_ERR_OPERATION, MPX_ERR_QUOTE, MPX_ERR_ORDER,
        MPX_ERR_SHAPE, MPX_ERR_SCHEME, MPX_WARN_OVERFLOW
    };
    const mpx_status last = MPX_ERR_UNSUPPORTED;
    mpx_status a, b;
    size_t i;
    for (i = 0; i < COUNT(others); i++) {
        CHECK(strcmp(mpx_status_string(others[i]), "unknown status") != 0, "status %d is known", others[i]);
        for (b = -100; b <= 1; b++)
            CHECK(b == others[i] || strcmp(mpx_status_string(others[i]), mpx_status_string(b)) != 0,
                  "%d and %d say the same", others[i], b);
    }
    CHECK(strcmp(mpx_status_string(MPX_OK), "ok") == 0, "ok");
    for (a = last; a <= MPX_OK; a++) {
        CHECK(mpx_status_string(a)[0] != '\0', "status %d has words", a);
        CHECK(strcmp(mpx_status_string(a), "unknown status") != 0, "status %d is known", a);
        for (b = last; b < a; b++)
            CHECK(strcmp(mpx_status_string(a), mpx_status_string(b)) != 0, "%d and %d say the same",
                  a, b);
    }
    CHECK(strcmp(mpx_status_string(MPX_WARN_OVERFLOW), "values overflow") == 0, "a warning");
    CHECK(strcmp(mpx_status_string(2), "unknown status") == 0, "2");
    CHECK(strcmp(mpx_status_string(-1000), "unknown status") == 0, "beyond the last");
    CHECK(strcmp(mpx_status_string(INT_MIN), "unknown status") == 0 &&
              strcmp(mpx_status_string(INT_MAX), "unknown status") == 0,
          "the ends of int");
}

int main(void) {
    test_bad_policies();
    test_unknown_dialects();
    test_no_text();
    test_huge();
    test_good_policies();
    test_blanks();
    test_options();
    test_round_trips();
    test_typestring();
    test_printing();
    test_equality();
    test_short_strings();
    test_random_strings();
    test_words();
    test_all_names();
    test_bad_words();
    test_empty_words();
    test_sentences();
    test_dialect_sentences();
    test_status_strings();
    test_kept_errors();
    CHECK(mpx_version() == MPX_VERSION, "the header is not the library's");
    return test_done("test_policy");
}
