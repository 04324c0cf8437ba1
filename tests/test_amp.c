/* AMP: every recorded row of jaxamp (tests/golden/scope_rules, amp_ops, amp_precision), in its own
   mode and in ours, where rows that differ stand in tests/golden/differences_amp.tsv with what the
   library does and why, and must still do that; rules as text; operations one by one; plans of
   graphs, executed and compared with the same graphs executed without a plan; hostile input. With
   the argument --list: prints the differences; --time: the time of a plan of 100,000 nodes, and
   fails from 100 ms on. */
#include "test.h"
#include "golden.h"
#include <time.h>

#define UNTOUCHED 77
enum { OPERANDS = 8, RULES = 40 };

/* ---- what was recorded ----------------------------------------------------------------------- */

static mpx_dtype dtype_of(const char *word, size_t len) {
    mpx_dtype t;
    for (t = 1; t < MPX_DTYPE_COUNT; t++)
        if (strlen(mpx_dtype_name(t)) == len && memcmp(mpx_dtype_name(t), word, len) == 0) return t;
    printf("tests/golden: no dtype is called '%.*s'\n", (int)len, word);
    exit(2);
}

static size_t dtypes_of(const char *list, mpx_dtype *types) {
    size_t n = 0;
    while (list != NULL && *list != '\0') {
        size_t len = strcspn(list, ",");
        types[n++] = dtype_of(list, len);
        list += len + (list[len] == ',');
    }
    return n;
}

/* jaxamp's precision functions by the names of the golden files. */
static int precision_of(const char *word, size_t len) {
    static const struct {
        const char *word;
        int precision;
    } functions[] = {
        { "orig", MPX_AMP_ORIGINAL },   { "original", MPX_AMP_ORIGINAL }, { "f32", MPX_F32 },
        { "compute", MPX_AMP_COMPUTE }, { "widest", MPX_AMP_WIDEST },     { "float32", MPX_F32 },
        { "bf16", MPX_BF16 },           { "f16", MPX_F16 },
    };
    size_t i;
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strlen(functions[i].word) == len && memcmp(functions[i].word, word, len) == 0)
            return functions[i].precision;
    printf("tests/golden: no precision is called '%.*s'\n", (int)len, word);
    exit(2);
}

/* "default;a=orig;@mul=f16": @ is an operation, the others are scopes. */
static size_t rules_of(const char *policy, mpx_amp_rule *rules) {
    size_t n = 0, len;
    for (; *policy != '\0'; policy += len + (policy[len] == ';')) {
        const char *equals = strchr(policy, '=');
        mpx_amp_rule rule = MPX_AMP_SCOPE(NULL, 0);
        len = strcspn(policy, ";");
        if (len == 7 && memcmp(policy, "default", 7) == 0) {
            size_t count;
            const mpx_amp_rule *table = mpx_amp_default_rules(&count);
            memcpy(rules + n, table, count * sizeof *table);
            n += count;
            continue;
        }
        rule.is_scope = *policy != '@';
        rule.key = policy + !rule.is_scope;
        rule.key_length = (size_t)(equals - rule.key);
        if (rule.key_length == 0) rule.key = "";
        rule.precision = precision_of(equals + 1, len - (size_t)(equals + 1 - policy));
        rules[n++] = rule;
    }
    return n;
}

/* The same policy in the words of mpx_amp_rules_parse. An empty scope has none: it is left out. */
static void rules_text(const char *policy, char *text) {
    size_t len;
    for (*text = '\0'; *policy != '\0'; policy += len + (policy[len] == ';')) {
        len = strcspn(policy, ";");
        if (*policy == '=') continue;
        if (*policy == '@') strcat(text, "op:"), policy++, len--;
        else if (strncmp(policy, "default", len) != 0) strcat(text, "scope:");
        strncat(text, policy, len);
        strcat(text, "; ");
    }
}

static void print_operands(char *out, const mpx_amp_operand *operands, size_t n) {
    size_t i;
    for (*out = '\0', i = 0; i < n; i++) {
        if (i != 0) strcat(out, ",");
        strcat(out, mpx_dtype_name(operands[i].to));
    }
}

/* What a row is about, and what the library did with it. */
typedef struct row_run {
    mpx_amp_rule rules[RULES];
    mpx_amp amp;
    mpx_amp_operand operands[OPERANDS];
    size_t count;
    mpx_amp_answer answer;
    mpx_status status;
    char got[256];
} row_run;

static void set_operands(row_run *run, const char *plain, const char *have) {
    mpx_dtype plains[OPERANDS], haves[OPERANDS];
    size_t i, n = dtypes_of(have, haves);
    if (dtypes_of(plain, plains) != n) exit(2);
    memset(run->operands, 0, sizeof run->operands);
    for (i = 0; i < n; i++) {
        run->operands[i].dtype = haves[i];
        run->operands[i].plain = plains[i];
    }
    run->count = n;
}

static void ask(row_run *run, const char *op, const char *scope) {
    memset(&run->answer, 0x5a, sizeof run->answer);
    run->status = mpx_amp_ask(&run->amp, op, scope, run->operands, run->count, &run->answer);
}

/* The key in the file's words. */
static void print_key(char *out, const mpx_amp_rule *rule) {
    int n = (int)(rule == NULL ? 0 : rule->key_length != 0 ? rule->key_length : strlen(rule->key));
    if (rule == NULL) strcpy(out, "-");
    else sprintf(out, "%s%.*s", rule->is_scope ? "" : "@", n, rule->key);
}

static int run_scope_rules(const golden_file *g, row_run *run) {
    const char *scopes = golden_text(g, "scopes");
    char text[256], key[64], results[128];
    mpx_amp_rule parsed[RULES];
    size_t count = 0;
    run->amp.rules = run->rules;
    run->amp.rule_count = rules_of(golden_text(g, "policy"), run->rules);
    run->amp.compute = dtype_of(golden_text(g, "compute"), strlen(golden_text(g, "compute")));
    run->amp.separator = '>';
    set_operands(run, golden_text(g, "aval_dtypes"), golden_text(g, "value_dtypes"));
    rules_text(golden_text(g, "policy"), text);
    CHECK(mpx_amp_rules_parse(text, parsed, RULES, &count, NULL) == MPX_OK, "%s", text);
    run->amp.rules = parsed;
    run->amp.rule_count = count;
    ask(run, golden_text(g, "op"), scopes);
    print_key(key, run->answer.rule);
    print_operands(results, run->operands, run->count);
    run->amp.rules = run->rules;
    run->amp.rule_count = rules_of(golden_text(g, "policy"), run->rules);
    ask(run, golden_text(g, "op"), scopes);
    print_key(run->got, run->answer.rule);
    CHECK(strcmp(key, run->got) == 0, "row %ld: text %s, table %s", g->row, key, run->got);
    print_operands(text, run->operands, run->count);
    CHECK(strcmp(results, text) == 0, "row %ld: text %s, table %s", g->row, results, text);
    sprintf(run->got + strlen(run->got), " %.200s", text);
    if (golden_is(g, "status", "error")) /* an integer dot product that should sum in bfloat16 */
        return run->status == MPX_OK && run->answer.accumulate != MPX_NONE;
    return run->status == MPX_OK && golden_is(g, "matched", key) &&
           golden_is(g, "result_dtypes", results) &&
           run->answer.rule->precision ==
               precision_of(golden_text(g, "precision"), strlen(golden_text(g, "precision")));
}

static int run_ops(const golden_file *g, row_run *run) {
    const char *want = golden_text(g, "precision");
    run->amp.rules = mpx_amp_default_rules(&run->amp.rule_count);
    run->amp.compute = MPX_F16;
    set_operands(run, "bfloat16", "bfloat16");
    ask(run, golden_text(g, "primitive"), NULL);
    strcpy(run->got, mpx_status_string(run->status));
    return run->status == MPX_OK &&
           run->answer.rule->precision == precision_of(want, strlen(want)) &&
           run->operands[0].to == (strcmp(want, "compute") == 0   ? MPX_F16
                                   : strcmp(want, "float32") == 0 ? MPX_F32
                                                                  : MPX_BF16);
}

static int run_precision(const golden_file *g, row_run *run) {
    const char *fn = golden_text(g, "fn"), *preferred = golden_text(g, "preferred");
    mpx_amp_rule rule = MPX_AMP_OP("x", 0);
    char sums[32] = "-";
    rule.precision = precision_of(fn, strlen(fn));
    run->rules[0] = rule;
    run->amp.rules = run->rules;
    run->amp.rule_count = 1;
    run->amp.compute = dtype_of(golden_text(g, "compute"), strlen(golden_text(g, "compute")));
    set_operands(run, golden_text(g, "original"), golden_text(g, "values"));
    ask(run, "x", NULL);
    if (golden_is(g, "status", "error")) {
        strcpy(run->got, mpx_status_string(run->status));
        return run->status != MPX_OK;
    }
    print_operands(run->got, run->operands, run->count);
    if (preferred != NULL)
        strcpy(sums, run->answer.accumulate != MPX_NONE ? mpx_dtype_name(run->answer.accumulate)
                                                        : preferred);
    if (run->status == MPX_OK && golden_is(g, "result", run->got) &&
        strcmp(golden_raw(g, "preferred_out"), sums) == 0)
        return 1;
    strcat(run->got, " acc ");
    strcat(run->got, sums);
    return 0;
}

typedef int (*run_fn)(const golden_file *g, row_run *run);
static const struct {
    const char *file, *key[3];
    run_fn run;
} files[] = {
    { "scope_rules", { "case", "op", "value_dtypes" }, run_scope_rules },
    { "amp_ops", { "primitive", "precision", "precision" }, run_ops },
    { "amp_precision", { "fn", "original", "values" }, run_precision },
};

static const char *reason(const row_run *run) {
    size_t i, floats = 0;
    for (i = 0; i < run->count; i++) {
        if (mpx_dtype_info(run->operands[i].dtype).kind == MPX_KIND_COMPLEX)
            return "complex operands stay; MPX_AMP_JAXAMP casts them to real";
        floats += (size_t)mpx_dtype_is_floating(run->operands[i].dtype);
    }
    if (run->count == 0) return "no operands: nothing to do; MPX_AMP_JAXAMP: an error";
    return floats == 0 ? "only integers: the accumulate type stays too; MPX_AMP_JAXAMP sets it"
                       : "?";
}

static void run_file(size_t f, golden_file *known, int *more, int list) {
    golden_file g;
    row_run run;
    long differences = 0;
    golden_open(&g, files[f].file);
    while (golden_next(&g)) {
        int same, listed;
        memset(&run, 0, sizeof run);
        run.amp.flags = MPX_AMP_JAXAMP;
        same = files[f].run(&g, &run);
        CHECK(same, "%s, row %ld, as jaxamp: %s", files[f].file, g.row, run.got);
        memset(&run, 0, sizeof run);
        same = files[f].run(&g, &run);
        if (list) {
            if (!same)
                printf("%s\t%ld\t%s | %s | %s\t%s\t%s\n", files[f].file, g.row,
                       golden_raw(&g, files[f].key[0]), golden_raw(&g, files[f].key[1]),
                       golden_raw(&g, files[f].key[2]), run.got, reason(&run));
            continue;
        }
        listed = *more && golden_is(known, "file", files[f].file) &&
                 strtol(golden_text(known, "row"), NULL, 10) == g.row;
        CHECK(same != listed, "%s, row %ld: %s; it is %slisted", files[f].file, g.row, run.got,
              listed ? "" : "not ");
        if (!listed) continue;
        CHECK(golden_is(known, "mpx", run.got) && golden_is(known, "reason", reason(&run)),
              "%s, row %ld: %s, listed as %s", files[f].file, g.row, run.got,
              golden_raw(known, "mpx"));
        *more = golden_next(known);
        differences++;
    }
    if (!list) printf("%s: %ld rows, %ld differ and are listed\n", files[f].file, g.row, differences);
    golden_close(&g);
}

static void case_golden(int list) {
    golden_file known;
    size_t f;
    int more = 0;
    if (list) printf("# file\trow\tkey\tmpx\treason\n");
    else golden_open(&known, "differences_amp"), more = golden_next(&known);
    for (f = 0; f < sizeof files / sizeof files[0]; f++)
        run_file(f, &known, &more, list);
    CHECK(!more, "differences_amp: rows are not in order or are too many");
    if (!list) golden_close(&known);
}

/* ---- rules as text --------------------------------------------------------------------------- */

static mpx_amp_rule rules[RULES];

/* A custom rule: weights (all but the first operand) stay in f32; fails when told. */
static mpx_status first_low(const char *op, mpx_amp_operand *operands, size_t count,
                            mpx_dtype *accumulate, const mpx_amp *amp, void *user) {
    if (count > 0) operands[0].to = amp->compute;
    *accumulate = MPX_F32;
    if (strcmp(op, "bad_dtype") == 0) operands[0].to = 1000;
    if (strcmp(op, "bad_second") == 0 && count > 1) operands[1].to = 1000;
    if (strcmp(op, "bad_sums") == 0) *accumulate = -4;
    return *(mpx_status *)user;
}

static mpx_amp amp_of(const char *text, mpx_dtype compute) {
    mpx_amp amp;
    mpx_error err = test_any_error();
    memset(&amp, 0, sizeof amp);
    CHECK(mpx_amp_rules_parse(text, rules, RULES, &amp.rule_count, &err) == MPX_OK && test_is_no_error(&err), "'%s': %s",
          text, mpx_status_string(err.status));
    amp.rules = rules;
    amp.compute = compute;
    return amp;
}

static void check_text(const char *text, const char *printed) {
    mpx_amp_rule mine[RULES];
    size_t count = UNTOUCHED, length;
    char buf[512];
    CHECK(mpx_amp_rules_parse(text, mine, RULES, &count, NULL) == MPX_OK, "'%s'", text);
    length = mpx_amp_rules_format(mine, count, buf, sizeof buf);
    CHECK(strcmp(buf, printed) == 0 && length == strlen(printed), "'%s' prints '%s'", text, buf);
    CHECK(mpx_amp_rules_format(mine, count, NULL, 0) == length, "'%s'", text);
    CHECK(strcmp(text, printed) == 0 || (check_text(printed, printed), 1), "again");
}

static void case_text(void) {
    check_text("", "");
    check_text(" ,; \n # nothing but words, and = signs\n", "");
    check_text("matmul=compute, softmax=f32, scope:head=original",
               "matmul=compute, softmax=f32, scope:head=original");
    check_text("matmul = BF16 acc  float32", "matmul=bf16 acc f32");
    check_text("add=Compute;exp=WIDEST\nlog=orig # why not\n\ttanh=half",
               "add=compute, exp=widest, log=original, tanh=f16");
    check_text("amp_stop=original, amp_default=f32", "amp_stop=original, amp_default=f32");
    check_text("default=f32", "amp_default=f32");
    check_text("Default=f32, Amp_stop=f16", "Default=f32, Amp_stop=f16"); /* operations: case counts */
    check_text("op:amp_stop=f32, op: default =f16, op:scope:x=f32, !op:!y",
               "op:amp_stop=f32, op:default=f16, op:scope:x=f32, !op:!y");
    check_text("op:Scope:x=f32, op:OP:y=f16", "op:Scope:x=f32, op:OP:y=f16");
    check_text("! mul, !scope:a, !amp_default", "!mul, !scope:a, !amp_default");
    check_text("scope:amp_stop=f32", "amp_stop=f32");
    check_text("\xef\xbb\xbf\xef\xbb\xbf" "a=f32, !scope:\xef\xbb\xbf", /* a mark at the start is none of a key's */
               "op:\xef\xbb\xbf" "a=f32, !scope:\xef\xbb\xbf");
    check_text("scope:a/b c=f32", "scope:a/b c=f32");
    check_text("default",
               "add=compute, sub=compute, dot_general=compute, conv_general_dilated=compute, "
               "exp=f32, log=f32, mul=f32, div=f32, amp_stop=original, amp_default=original");
}

/* What no text says prints nothing, whatever stands before. */
static void check_no_text(const char *key, size_t length, int precision, mpx_dtype accumulate) {
    mpx_amp_rule mine[2] = { MPX_AMP_OP("a", MPX_F32), MPX_AMP_OP(NULL, MPX_F32) };
    char buf[64] = "x";
    mine[1].key = key;
    mine[1].key_length = length;
    mine[1].precision = precision;
    mine[1].accumulate = accumulate;
    for (mine[1].is_scope = 0; mine[1].is_scope < 2; mine[1].is_scope++)
        CHECK(mpx_amp_rules_format(mine, 2, buf, sizeof buf) == 0 && buf[0] == '\0', "'%s', %d: %s",
              key != NULL ? key : "NULL", precision, buf);
}

static void case_no_text(void) {
    static const char *const keys[] = { NULL, "", " ", " a", "a\t", "\xc2\xa0" "a", "a,b", "a;b",
                                        "#a", "a=", "=", "a\nb", ",", "\n" };
    mpx_amp_rule custom = MPX_AMP_OP("a=b", MPX_F32);
    char buf[16];
    size_t i, count = UNTOUCHED;
    for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        check_no_text(keys[i], 0, MPX_F32, MPX_NONE);
        check_no_text(keys[i], 0, MPX_AMP_NO_RULE, MPX_NONE);
    }
    CHECK(mpx_amp_rules_parse_n(NULL, 0, NULL, 0, &count, NULL) == MPX_OK && count == 0, "no text: no rules");
    check_no_text("a,", 2, MPX_F32, MPX_NONE);
    check_no_text("a", 0, MPX_I8, MPX_NONE);
    check_no_text("a", 0, MPX_C64, MPX_NONE);
    check_no_text("a", 0, -4, MPX_NONE);
    check_no_text("a", 0, 1000, MPX_NONE);
    check_no_text("a", 0, MPX_F32, MPX_I32);
    check_no_text("a", 0, MPX_F32, MPX_WEAK_FLOAT);
    custom.custom = first_low;
    CHECK(mpx_amp_rules_format(&custom, 1, buf, sizeof buf) == 0 && buf[0] == '\0', "%s", buf);
    custom.key_length = 1, custom.precision = MPX_I8;
    CHECK(mpx_amp_rules_format(&custom, 1, buf, sizeof buf) == 8, "a=custom, not %s", buf);
}

static void check_bad(const char *text, mpx_status status, size_t offset, size_t length,
                      const char *sentence) {
    mpx_amp_rule mine[2], copy[2];
    size_t count = UNTOUCHED;
    mpx_error err;
    char buf[MPX_ERROR_TEXT_SIZE];
    memset(mine, 0x5a, sizeof mine);
    memcpy(copy, mine, sizeof mine);
    CHECK(mpx_amp_rules_parse(text, mine, 2, &count, &err) == status, "'%s': %s", text,
          mpx_status_string(err.status));
    CHECK(count == UNTOUCHED && memcmp(mine, copy, sizeof mine) == 0, "'%s' writes", text);
    CHECK(err.status == status && err.offset == offset && err.length == length,
          "'%s': %s at %d, %d", text, mpx_status_string(err.status), (int)err.offset,
          (int)err.length);
    mpx_error_format(&err, text, buf, sizeof buf);
    CHECK(strcmp(buf, sentence) == 0, "'%s': %s", text, buf);
    CHECK(mpx_amp_rules_parse_n(text, strlen(text), mine, 2, &count, NULL) == status, "'%s'", text);
}

static void case_bad_text(void) {
    check_bad("softmax", MPX_ERR_MISSING_EQUALS, 0, 7,
              "missing '=' in 'softmax' at 0; expected key=dtype");
    check_bad("a=f32, softmax=f=32", MPX_ERR_EXTRA_EQUALS, 16, 1,
              "unexpected '=' at 16; expected one '=' in each part: up to ',' "
              "(in <...> a blank, in maps a line's end)");
    check_bad("a=f32, softmax=int8", MPX_ERR_PRECISION, 15, 4,
              "unknown precision 'int8' at 15; expected compute, original, widest or a floating "
              "dtype");
    check_bad("softmax=bf61", MPX_ERR_PRECISION, 8, 4,
              "unknown precision 'bf61' at 8; expected compute, original, widest or a floating "
              "dtype; did you mean 'bfloat16'?");
    check_bad("softmax=f8", MPX_ERR_PRECISION, 8, 2,
              "ambiguous dtype 'f8' at 8; say f8e4m3fn or f8e5m2");
    check_bad("softmax=long", MPX_ERR_PRECISION, 8, 4,
              "unknown precision 'long' at 8; expected compute, original, widest or a floating "
              "dtype");
    check_bad("softmax=int33", MPX_ERR_PRECISION, 8, 5,
              "unknown precision 'int33' at 8; expected compute, original, widest or a floating "
              "dtype");
    check_bad("a=f32 f32", MPX_ERR_RULE, 6, 3,
              "not a rule: 'f32' at 6; expected acc and a floating dtype");
    check_bad("a=f32,b = f16  ac f32", MPX_ERR_RULE, 15, 2,
              "not a rule: 'ac' at 15; expected acc and a floating dtype");
    check_bad("a=f32, !b=f32", MPX_ERR_RULE, 7, 6,
              "not a rule: '!b=f32' at 7; expected default, operation=precision or "
              "scope:name=precision");
    check_bad("a=f32;op:=f32", MPX_ERR_RULE, 6, 3,
              "not a rule: 'op:' at 6; expected default, operation=precision or "
              "scope:name=precision");
    check_bad("\xef\xbb\xbf" "a=f32 f32", MPX_ERR_RULE, 9, 3,
              "not a rule: 'f32' at 9; expected acc and a floating dtype");
    check_bad("# a=f32\n!", MPX_ERR_RULE, 9, 0,
              "missing key at 9; expected default, operation=precision or scope:name=precision");
    check_bad("a=f32 acc", MPX_ERR_PRECISION, 9, 0,
              "missing precision at 9; expected a floating dtype");
    check_bad("a= f32 acc #", MPX_ERR_PRECISION, 10, 0,
              "missing precision at 10; expected a floating dtype");
    check_bad("a=\xc2\xa0 acc", MPX_ERR_PRECISION, 5, 3,
              "unknown precision 'acc' at 5; expected compute, original, widest or a floating "
              "dtype");
    check_bad("a=", MPX_ERR_PRECISION, 2, 0,
              "missing precision at 2; expected compute, original, widest or a floating dtype");
    check_bad("a=f32 acc i32", MPX_ERR_PRECISION, 10, 3,
              "unknown precision 'i32' at 10; expected a floating dtype");
    check_bad("b=f16, a =f32  acc original", MPX_ERR_PRECISION, 19, 8,
              "unknown precision 'original' at 19; expected a floating dtype");
    check_bad(" =f32", MPX_ERR_RULE, 1, 0,
              "missing key at 1; expected default, operation=precision or scope:name=precision");
    check_bad("scope: =f32", MPX_ERR_RULE, 0, 6,
              "not a rule: 'scope:' at 0; expected default, operation=precision or "
              "scope:name=precision");
    check_bad("!a=f32", MPX_ERR_RULE, 0, 6,
              "not a rule: '!a=f32' at 0; expected default, operation=precision or "
              "scope:name=precision");
    check_bad("!", MPX_ERR_RULE, 1, 0,
              "missing key at 1; expected default, operation=precision or scope:name=precision");
    check_bad("a=f32, b=f32, c=f32", MPX_ERR_SPACE, 14, 5, "not enough space 'c=f32' at 14; 2 rules where 3 are needed");
    check_bad("default", MPX_ERR_SPACE, 0, 7, "not enough space 'default' at 0; 2 rules where 10 are needed");
    {   /* a byte-order mark is no part of the first key */
        mpx_amp_rule mine[1];
        size_t count = 0;
        CHECK(mpx_amp_rules_parse("\xef\xbb\xbf" "a=f32", mine, 1, &count, NULL) == MPX_OK && count == 1 &&
                  mine[0].key_length == 1 && mine[0].key[0] == 'a',
              "a key of %lu bytes", (unsigned long)mine[0].key_length);
    }
    {   /* a blank whose second byte lies behind the text is none */
        mpx_amp_rule mine[1];
        mpx_error err;
        size_t count = UNTOUCHED;
        CHECK(mpx_amp_rules_parse_n("a=f32\xc2\xa0", 7, mine, 1, &count, &err) == MPX_OK && count == 1, "a blank at the end");
        CHECK(mpx_amp_rules_parse_n("a=f32\xc2\xa0", 6, mine, 1, &count, &err) == MPX_ERR_PRECISION && err.offset == 2 &&
                  err.length == 4,
              "half a blank: %d at %d, %d", err.status, (int)err.offset, (int)err.length);
    }
}

/* ---- which rule decides ---------------------------------------------------------------------- */

/* The dtype that an f32 operand gets, and the rule that said so. */
static mpx_dtype decide(mpx_amp amp, const char *op, const char *scope, const char *by) {
    mpx_amp_operand x = { NULL, 0, MPX_F32, MPX_NONE, UNTOUCHED, 0 };
    mpx_amp_answer answer;
    char rule[128] = "-";
    CHECK(mpx_amp_ask(&amp, op, scope, &x, 1, &answer) == MPX_OK, "%s in %s", op, scope);
    if (answer.rule != NULL) mpx_amp_rules_format(answer.rule, 1, rule, sizeof rule);
    CHECK(strcmp(rule, by) == 0, "%s in %s: %s decides, not %s", op, scope, rule, by);
    return x.to;
}

static void case_order(void) {
    mpx_amp amp = amp_of("default, matmul=compute, scope:head=f64, scope:enc=bf16", MPX_F16);
    CHECK(decide(amp, "matmul", NULL, "matmul=compute") == MPX_F16, "op");
    CHECK(decide(amp, "matmul", "head/x", "scope:head=f64") == MPX_F64, "scope before op");
    CHECK(decide(amp, "matmul", "x/enc/head", "scope:enc=bf16") == MPX_BF16, "outermost");
    CHECK(decide(amp, "matmul", "encoder", "matmul=compute") == MPX_F16, "scopes match whole");
    CHECK(decide(amp, "gelu", "", "amp_default=original") == MPX_F32, "unknown op");
    CHECK(decide(amp, NULL, "//enc//", "scope:enc=bf16") == MPX_BF16, "empty pieces are no scopes");
    CHECK(decide(amp, "matmul", "amp_stop", "amp_stop=original") == MPX_F32, "stop");
    CHECK(decide(amp, "matmul", "enc/amp_stop", "scope:enc=bf16") == MPX_BF16, "as jaxamp");
    amp.flags = MPX_AMP_INNERMOST_STOP;
    CHECK(decide(amp, "matmul", "enc/amp_stop", "amp_stop=original") == MPX_F32, "stop inside");
    CHECK(decide(amp, "matmul", "amp_stop/enc", "amp_stop=original") == MPX_F32, "stop outside");
    CHECK(decide(amp, "matmul", "enc/head", "scope:enc=bf16") == MPX_BF16, "no stop: outermost");
    amp.separator = '.';
    CHECK(decide(amp, "matmul", "x.enc", "scope:enc=bf16") == MPX_BF16, "separator");
    CHECK(decide(amp, "matmul", "x/enc", "matmul=compute") == MPX_F16, "separator");
}

/* The answer numbers the scope that decides: empty pieces are not counted, others are, with or
   without a rule. */
static void case_which_scope(void) {
    mpx_amp amp = amp_of("matmul=compute, scope:enc=bf16, amp_stop=original", MPX_F16);
    mpx_amp_operand x = { NULL, 0, MPX_F32, MPX_NONE, UNTOUCHED, 0 };
    mpx_amp_answer answer;
    CHECK(mpx_amp_ask(&amp, "matmul", "//a//enc/b", &x, 1, &answer) == MPX_OK && answer.scope == 1,
          "scope %lu", (unsigned long)answer.scope);
    amp.flags = MPX_AMP_INNERMOST_STOP;
    CHECK(mpx_amp_ask(&amp, NULL, "enc/a/amp_stop/b", &x, 1, &answer) == MPX_OK && answer.scope == 2,
          "amp_stop: scope %lu", (unsigned long)answer.scope);
    CHECK(mpx_amp_ask(&amp, "matmul", "a/b", &x, 1, &answer) == MPX_OK && answer.scope == (size_t)-1,
          "no scope decides, not %lu", (unsigned long)answer.scope);
}

/* A rule's key may be a slice of a longer text, and only the slice counts. */
static void case_key_slice(void) {
    mpx_amp_rule part = MPX_AMP_OP("matmul", MPX_BF16);
    mpx_amp amp;
    memset(&amp, 0, sizeof amp);
    part.key_length = 3; /* a slice: "mat" */
    amp.rules = &part, amp.rule_count = 1;
    CHECK(decide(amp, "matmul", NULL, "-") == MPX_F32, "a longer word");
    CHECK(decide(amp, "mat", NULL, "mat=bf16") == MPX_BF16, "the slice");
    CHECK(mpx_amp_default_rules(NULL) != NULL, "the default rules without their count");
}

static void case_later_rules_count(void) {
    mpx_amp amp = amp_of("a=f16, b=f16, a=bf16, !b, c=f16, default=f64", MPX_F16);
    CHECK(decide(amp, "a", NULL, "a=bf16") == MPX_BF16, "the last");
    CHECK(decide(amp, "b", NULL, "amp_default=f64") == MPX_F64, "removed");
    amp = amp_of("!b, b=f16", MPX_F16);
    CHECK(decide(amp, "b", NULL, "b=f16") == MPX_F16, "and back");
    CHECK(decide(amp, "c", NULL, "-") == MPX_F32, "no rule at all");
    memset(&amp, 0, sizeof amp);
    CHECK(decide(amp, "b", "amp_stop", "-") == MPX_F32, "{0}");
    amp = amp_of("b=compute", MPX_NONE);
    CHECK(decide(amp, "b", NULL, "b=compute") == MPX_F32, "no compute dtype");
}

/* What arrives in another dtype than the plain program's is cast back, by no rule too. */
static void case_unknown_ops_are_plain(void) {
    mpx_amp amp = amp_of("matmul=compute", MPX_F16);
    mpx_amp_operand x = { NULL, 0, MPX_F16, MPX_F32, UNTOUCHED, 0 };
    CHECK(mpx_amp_ask(&amp, "gelu", NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F32, "plain");
    amp.flags = MPX_AMP_JAXAMP;
    CHECK(mpx_amp_ask(&amp, "gelu", NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F16, "as it comes");
}

static void case_accumulate(void) {
    mpx_amp amp = amp_of("matmul=compute acc f32, conv=compute, norm=original acc f64", MPX_BF16);
    mpx_amp_operand x[2] = { { NULL, 0, MPX_F32, 0, 0, 0 }, { NULL, 0, MPX_I8, 0, 0, 0 } };
    mpx_amp_answer answer;
    CHECK(mpx_amp_ask(&amp, "matmul", NULL, x, 2, &answer) == MPX_OK &&
              answer.accumulate == MPX_F32 && x[0].to == MPX_BF16 && x[1].to == MPX_I8, "acc f32");
    CHECK(mpx_amp_ask(&amp, "conv", NULL, x, 2, &answer) == MPX_OK &&
              answer.accumulate == MPX_BF16, "compute");
    CHECK(mpx_amp_ask(&amp, "norm", NULL, x, 2, &answer) == MPX_OK &&
              answer.accumulate == MPX_F64 && x[0].to == MPX_F32, "original");
    CHECK(mpx_amp_ask(&amp, "matmul", NULL, x + 1, 1, &answer) == MPX_OK &&
              answer.accumulate == MPX_NONE && x[1].to == MPX_I8, "integers alone");
    CHECK(mpx_amp_ask(&amp, "matmul", NULL, NULL, 0, &answer) == MPX_OK &&
              answer.accumulate == MPX_NONE, "no operands");
}

/* The rule widest without any of its four dtypes: all stays as the program without AMP has it; as
   jaxamp: the first operand's plain dtype, which a number of the text has not. In either order. */
static void case_nothing_wide(void) {
    static const struct {
        mpx_dtype types[2], jaxamp[2];
    } rows[] = {
        { { MPX_F8E4M3FN, MPX_F8E5M2 }, { MPX_F8E4M3FN, MPX_F8E4M3FN } },
        { { MPX_F8E5M2, MPX_F8E4M3FN }, { MPX_F8E5M2, MPX_F8E5M2 } },
        { { MPX_I32, MPX_F8E5M2 }, { MPX_I32, MPX_I32 } },
        { { MPX_WEAK_INT, MPX_I32 }, { MPX_WEAK_INT, MPX_I32 } },
        { { MPX_I32, MPX_WEAK_INT }, { MPX_I32, MPX_WEAK_INT } },
        { { MPX_WEAK_FLOAT, MPX_F8E5M2 }, { MPX_WEAK_FLOAT, MPX_F8E5M2 } },
        { { MPX_F8E5M2, MPX_WEAK_FLOAT }, { MPX_F8E5M2, MPX_WEAK_FLOAT } },
        { { MPX_WEAK_COMPLEX, MPX_C64 }, { MPX_WEAK_COMPLEX, MPX_C64 } },
    };
    mpx_amp amp = amp_of("w=widest", MPX_F16);
    size_t i;
    int jaxamp, k;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (jaxamp = 0; jaxamp < 2; jaxamp++) {
            const mpx_dtype *want = jaxamp ? rows[i].jaxamp : rows[i].types;
            mpx_amp_operand x[2] = { { NULL, 0, 0, 0, 0, 0 }, { NULL, 0, 0, 0, 0, 0 } };
            mpx_amp_answer answer;
            amp.flags = jaxamp ? MPX_AMP_JAXAMP : 0;
            for (k = 0; k < 2; k++)
                x[k].dtype = rows[i].types[k];
            CHECK(mpx_amp_ask(&amp, "w", NULL, x, 2, &answer) == MPX_OK, "row %d", (int)i);
            CHECK(x[0].to == want[0] && x[1].to == want[1], "row %d, flag %d: %d, %d", (int)i,
                  jaxamp, x[0].to, x[1].to);
            if (!jaxamp) CHECK(answer.accumulate == MPX_NONE, "row %d: sums", (int)i);
        }
    {
        mpx_amp_operand x = { NULL, 0, MPX_F16, MPX_F8E5M2, 0, 0 };
        amp.flags = 0;
        CHECK(mpx_amp_ask(&amp, "w", NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F8E5M2, "plain");
    }
}

/* Numbers of the program's text, bad dtypes, bad rules. */
static void case_bad_operands(void) {
    mpx_amp amp = amp_of("a=compute, w=widest", MPX_F16);
    mpx_amp_operand x[2] = { { NULL, 0, MPX_F32, 0, 0, 0 }, { NULL, 0, MPX_WEAK_FLOAT, 0, 0, 0 } };
    mpx_amp_answer answer = { NULL, UNTOUCHED, UNTOUCHED };
    mpx_amp_rule bad = MPX_AMP_OP("a", MPX_I8);
    mpx_dtype t;
    CHECK(mpx_amp_ask(&amp, "a", NULL, x, 2, NULL) == MPX_OK && x[0].to == MPX_F16 &&
              x[1].to == MPX_WEAK_FLOAT, "weak");
    x[1].dtype = MPX_F8E4M3FN;
    CHECK(mpx_amp_ask(&amp, "w", NULL, x + 1, 1, NULL) == MPX_OK && x[1].to == MPX_F8E4M3FN, "f8");
    for (t = -10; t < MPX_DTYPE_COUNT + 5; t++) {
        int good = t >= MPX_WEAK_COMPLEX && t < MPX_DTYPE_COUNT && t != MPX_NONE;
        x[1].dtype = t;
        CHECK((mpx_amp_ask(&amp, "a", NULL, x, 2, NULL) == MPX_OK) == good, "dtype %d", t);
        if (!good) CHECK(x[0].to == MPX_F32 && x[1].to == t, "dtype %d: nothing to cast", t);
        amp.compute = t;
        CHECK((mpx_amp_ask(&amp, "a", NULL, x, 1, &answer) == MPX_OK) ==
                  (t == MPX_NONE || mpx_dtype_is_floating(t)), "compute %d", t);
        if (t == MPX_I8) CHECK(answer.rule == NULL || answer.accumulate != MPX_I8, "compute i8");
        amp.compute = MPX_F16;
    }
    amp.rules = &bad;
    amp.rule_count = 1;
    answer.scope = UNTOUCHED;
    CHECK(mpx_amp_ask(&amp, "a", NULL, x, 1, &answer) == MPX_ERR_DTYPE, "i8 as precision");
    CHECK(answer.scope == UNTOUCHED && x[0].to == MPX_F32, "untouched");
    bad.precision = MPX_F16, bad.accumulate = MPX_I32;
    CHECK(mpx_amp_ask(&amp, "a", NULL, x, 1, NULL) == MPX_ERR_DTYPE, "acc i32");
    bad.precision = -9, bad.accumulate = MPX_NONE;
    CHECK(mpx_amp_ask(&amp, "a", NULL, x, 1, NULL) == MPX_ERR_DTYPE, "precision -9");
}

/* Keys that are not there match nothing, empty ones nothing but an empty name; what a rule of the plain dtype finds may
   be an integer, to which it casts no float. */
static void case_odd_keys(void) {
    mpx_amp_rule mine[] = { MPX_AMP_OP("", MPX_F16), MPX_AMP_OP(NULL, MPX_BF16), MPX_AMP_OP("b", MPX_AMP_ORIGINAL) };
    mpx_amp_operand x = { NULL, 0, MPX_F32, 0, 0, 0 };
    mpx_amp amp;
    memset(&amp, 0, sizeof amp);
    amp.rules = mine, amp.rule_count = 3;
    CHECK(mpx_amp_ask(&amp, "", NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F16, "an empty name");
    CHECK(mpx_amp_ask(&amp, "a", NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F32, "another name");
    CHECK(mpx_amp_ask(&amp, NULL, NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F32, "no name");
    x.plain = MPX_I32;
    CHECK(mpx_amp_ask(&amp, "b", NULL, &x, 1, NULL) == MPX_OK && x.to == MPX_F32, "a float for an integer");
    x.plain = (mpx_dtype)1000;
    CHECK(mpx_amp_ask(&amp, "b", NULL, &x, 1, NULL) == MPX_ERR_DTYPE && x.to == MPX_F32, "plain 1000");
}

/* A rule of the caller's that casts to what it is told. */
static mpx_status cast_to_user(const char *op, mpx_amp_operand *operands, size_t count, mpx_dtype *accumulate,
                               const mpx_amp *amp, void *user) {
    (void)op, (void)count, (void)amp;
    operands[0].to = *(mpx_dtype *)user;
    *accumulate = (mpx_dtype)-4;
    if (*(mpx_dtype *)user == MPX_F16) return MPX_ERR_CALLBACK;
    *accumulate = MPX_NONE;
    return MPX_OK;
}
static void case_eager_refuses(void) {
    static float x[8];
    static unsigned char storage[64];
    mpx_amp_rule mine[] = { MPX_AMP_OP("mine", MPX_F32) };
    mpx_amp_operand in = { x, 2, MPX_C64, 0, 0, 0 };
    mpx_dtype to = MPX_C128;
    mpx_amp_eager run;
    memset(&run, 0, sizeof run);
    run.amp.rules = mine, run.amp.rule_count = 1;
    mine[0].custom = cast_to_user, mine[0].user = &to;
    run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_ERR_DTYPE && in.data == x && in.dtype == MPX_C64,
          "complex to complex");
    to = MPX_F16; /* fails, and names sums that are none */
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_ERR_CALLBACK && in.data == x && in.to == MPX_C64, "fails");
    to = MPX_BF16;
    in.dtype = (mpx_dtype)1000;
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_ERR_DTYPE && in.data == x, "no dtype");
    in.dtype = MPX_F32; /* the first 8 bytes of the arena, before which nothing is left */
    in.data = storage;
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_ERR_SPACE && in.data == storage, "the first bytes");
    in.data = storage + 31;
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_OK && in.data == storage, "before its operand");
    in.dtype = MPX_F32;
    in.data = x;
    run.arena.used = sizeof storage + 16; /* which no call leaves */
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_ERR_SPACE && in.data == x, "used beyond the end");
    run.arena = mpx_arena_of(storage, sizeof storage / 2, NULL, 0);
    in.data = storage + sizeof storage / 2; /* right behind the arena */
    CHECK(mpx_amp_eager_cast(&run, "mine", &in, 1, NULL) == MPX_OK && in.data == storage + 16 && in.dtype == MPX_BF16,
          "an operand behind the arena takes none of it");
}

static void case_custom(void) {
    mpx_status status = MPX_OK;
    mpx_amp_rule mine[] = { MPX_AMP_SCOPE("amp_default", MPX_AMP_NO_RULE) };
    mpx_amp_operand x[2] = { { NULL, 0, MPX_F32, 0, 0, 0 }, { NULL, 0, MPX_F32, 0, 0, 0 } };
    mpx_amp_answer answer = { NULL, UNTOUCHED, UNTOUCHED };
    mpx_amp amp;
    char text[64];
    memset(&amp, 0, sizeof amp);
    amp.rules = mine, amp.rule_count = 1, amp.compute = MPX_BF16;
    mine[0].custom = first_low;
    mine[0].user = &status;
    mpx_amp_rules_format(mine, 1, text, sizeof text);
    CHECK(strcmp(text, "amp_default=custom") == 0, "%s", text);
    CHECK(mpx_amp_ask(&amp, "norm", NULL, x, 2, &answer) == MPX_OK && x[0].to == MPX_BF16 &&
              x[1].to == MPX_F32 && answer.accumulate == MPX_F32, "custom");
    answer.scope = UNTOUCHED;
    CHECK(mpx_amp_ask(&amp, "bad_dtype", NULL, x, 2, &answer) == MPX_ERR_DTYPE, "dtype 1000");
    CHECK(mpx_amp_ask(&amp, "bad_second", NULL, x, 2, &answer) == MPX_ERR_DTYPE, "dtype 1000 of the second");
    CHECK(mpx_amp_ask(&amp, "bad_sums", NULL, x, 2, &answer) == MPX_ERR_DTYPE, "sums in -4");
    status = MPX_ERR_CALLBACK;
    CHECK(mpx_amp_ask(&amp, "norm", NULL, x, 2, &answer) == MPX_ERR_CALLBACK, "fails");
    CHECK(answer.scope == UNTOUCHED && x[0].to == MPX_F32, "untouched");
}

/* ---- operation by operation ------------------------------------------------------------------ */

static void case_scopes_nest(void) {
    static const char *names[100];
    mpx_amp_eager run;
    mpx_amp_operand x = { NULL, 0, MPX_F32, 0, 0, 0 };
    long i, pushed = 0;
    memset(&run, 0, sizeof run);
    CHECK(mpx_amp_eager_push(&run, "a") == MPX_ERR_SPACE, "{0} has no room for scopes");
    CHECK(mpx_amp_eager_pop(&run) == MPX_ERR_SCOPE, "nothing to pop");
    run.amp = amp_of("scope:a=f16, scope:b/c=bf16", MPX_F16);
    run.scopes = names;
    run.scope_capacity = 100;
    for (i = 0; i < 10000; i++) {
        mpx_status status = mpx_amp_eager_push(&run, i == 50 ? "a" : "x");
        CHECK(status == (i < 100 ? MPX_OK : MPX_ERR_SPACE), "push %ld: %s", i,
              mpx_status_string(status));
        pushed += status == MPX_OK;
    }
    CHECK(mpx_amp_eager_ask(&run, "op", &x, 1, NULL) == MPX_OK && x.to == MPX_F16, "deep inside");
    for (i = 0; i < 10000; i++)
        CHECK(mpx_amp_eager_pop(&run) == (i < pushed ? MPX_OK : MPX_ERR_SCOPE), "pop %ld", i);
    CHECK(run.scope_count == 0, "balanced");
    CHECK(mpx_amp_eager_push(&run, "b/c") == MPX_OK, "push");
    CHECK(mpx_amp_eager_ask(&run, "op", &x, 1, NULL) == MPX_OK && x.to == MPX_BF16, "whole names");
    names[0] = "x", names[1] = "a"; /* only the first is active */
    CHECK(mpx_amp_eager_ask(&run, "op", &x, 1, NULL) == MPX_OK && x.to == MPX_F32, "no rule");
}

/* One step of a trainer: the weight is cast once, the activation each time. */
static void case_weights_are_cast_once(void) {
    static float x[10], w[20];
    static unsigned char storage[512];
    static mpx_amp_kept kept[2];
    const void *first = NULL;
    mpx_amp_eager run;
    mpx_amp_answer answer;
    int use, i;
    for (i = 0; i < 20; i++)
        w[i] = (float)i, x[i / 2] = 0.5f * (float)i;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("matmul=compute acc f32", MPX_BF16);
    run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    run.kept = kept;
    run.kept_capacity = 2;
    for (use = 0; use < 10; use++) {
        mpx_amp_operand in[3] = { { x, 10, MPX_F32, 0, 0, 0 }, { w, 20, MPX_F32, 0, 0, 1 },
                                  { &use, 1, MPX_I32, 0, 0, 0 } };
        CHECK(mpx_amp_eager_cast(&run, "matmul", in, 3, &answer) == MPX_OK, "use %d", use);
        CHECK(in[0].dtype == MPX_BF16 && in[1].dtype == MPX_BF16 && in[1].plain == MPX_F32 &&
                  in[2].data == &use && answer.accumulate == MPX_F32, "use %d", use);
        for (i = 0; i < 20; i++) {
            CHECK(((const uint16_t *)in[1].data)[i] == mpx_bf16_from_f32(i < 5 ? w[i] : (float)i),
                  "use %d, weight %d", use, i);
            if (i < 10)
                CHECK(((const uint16_t *)in[0].data)[i] == mpx_bf16_from_f32(x[i]), "x %d", i);
        }
        CHECK(run.kept_count == 1 && run.arena.used == 48, "kept: %d", (int)run.kept_count);
        if (use == 0) first = in[1].data;
        CHECK(in[1].data == first, "the same cast");
        w[7] = -1; /* not seen before it is said */
        x[3] += 1;
    }
    mpx_amp_eager_forget(&run);
    CHECK(run.kept_count == 0 && run.arena.used == 0, "forgotten");
    {
        mpx_amp_operand in = { w, 20, MPX_F32, 0, 0, 1 };
        CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_OK &&
                  ((const uint16_t *)in.data)[7] == mpx_bf16_from_f32(-1), "cast anew");
    }
}

/* One address, and every time another cast: to another dtype, of fewer elements, from another. */
static void case_kept_casts_are_told_apart(void) {
    static float w[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static unsigned char storage[256];
    static mpx_amp_kept kept[8];
    mpx_amp_operand in[4] = { { w, 8, MPX_F32, 0, 0, 1 }, { w, 8, MPX_F32, 0, 0, 1 },
                              { w, 4, MPX_F32, 0, 0, 1 }, { w, 8, MPX_F16, MPX_F32, 0, 1 } };
    mpx_amp_eager run;
    int again, i;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("matmul=bf16, conv=f16", MPX_F16);
    run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    run.kept = kept;
    run.kept_capacity = 8;
    for (again = 0; again < 2; again++) {
        mpx_amp_operand now[4];
        uint16_t want;
        memcpy(now, in, sizeof now);
        for (i = 0; i < 4; i++)
            CHECK(mpx_amp_eager_cast(&run, i == 0 ? "conv" : "matmul", &now[i], 1, NULL) == MPX_OK,
                  "cast %d", i);
        CHECK(run.kept_count == 4, "%d kept", (int)run.kept_count);
        CHECK(((const uint16_t *)now[0].data)[1] == mpx_f16_from_f32(2), "to f16");
        CHECK(((const uint16_t *)now[1].data)[1] == mpx_bf16_from_f32(2), "to bf16");
        CHECK(now[2].data != now[1].data, "fewer");
        memcpy(&want, w, 2);
        CHECK(((const uint16_t *)now[3].data)[0] == mpx_bf16_from_f32(mpx_f16_to_f32(want)),
              "from f16");
    }
}

/* The cast of one call is the operand of the next, and kept there: nothing may be written over. */
static void case_casts_of_casts(void) {
    static float x[9];
    static unsigned char storage[320];
    mpx_amp_kept kept[4];
    mpx_amp_eager run;
    int i, n, keep;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("low=bf16, full=f32, wide=f64", MPX_F16);
    run.kept = kept;
    run.kept_capacity = 4;
    for (n = 0; n <= 9; n++)
        for (keep = 0; keep < 2; keep++) {
            mpx_amp_operand in[2] = { { x, 0, MPX_F32, 0, 0, 0 }, { x, 0, MPX_F32, 0, 0, 0 } };
            for (i = 0; i < n; i++) x[i] = (float)(i + 1);
            in[0].count = in[1].count = (size_t)n;
            run.kept_count = 0;
            run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
            CHECK(mpx_amp_eager_cast(&run, "low", in, 2, NULL) == MPX_OK, "low, %d", n);
            in[1].keep = keep;
            CHECK(mpx_amp_eager_cast(&run, "full", in, 2, NULL) == MPX_OK, "full, %d", n);
            in[0].count -= n > 3, in[0].data = (const char *)in[0].data + (n > 3 ? 4 : 0);
            CHECK(mpx_amp_eager_cast(&run, "wide", in, 2, NULL) == MPX_OK, "wide, %d", n);
            for (i = 0; i < n; i++) {
                double a = 0, b;
                if (i < (int)in[0].count) memcpy(&a, (const char *)in[0].data + 8 * i, 8);
                memcpy(&b, (const char *)in[1].data + 8 * i, 8);
                CHECK(i >= (int)in[0].count || (int)a == i + 1 + (n > 3), "%d of %d: %g", i, n, a);
                CHECK((int)b == i + 1, "%d of %d: %g", i, n, b);
            }
        }
}

/* Weights that are cast beside a result of the last call lie at the start of the arena, without gaps; nothing is written
   over. */
static void case_weights_beside_results(void) {
    static float x[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, w[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
    static unsigned char storage[160];
    mpx_amp_kept kept[2];
    mpx_amp_eager run;
    mpx_amp_operand in[2] = { { x, 8, MPX_F32, 0, 0, 0 }, { w, 8, MPX_F32, 0, 0, 1 } };
    mpx_amp_operand other = { x, 8, MPX_F32, 0, 0, 0 };
    uint16_t cast[8];
    int i;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("low=f16", MPX_F16);
    run.kept = kept;
    run.kept_capacity = 2;
    run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    CHECK(mpx_amp_eager_cast(&run, "low", in, 1, NULL) == MPX_OK, "the result");
    CHECK(mpx_amp_eager_cast(&run, "low", in, 2, NULL) == MPX_OK, "and the weight");
    CHECK(mpx_amp_eager_cast(&run, "low", &other, 1, NULL) == MPX_OK, "another");
    memcpy(cast, kept[0].cast, sizeof cast);
    for (i = 0; i < 8; i++) CHECK(cast[i] == 0x4000, "element %d of the weight: %04x", i, cast[i]);
    CHECK(kept[0].cast == storage && run.arena.used == 16, "one weight: %d bytes", (int)run.arena.used);
    in[0].to = MPX_NONE, in[0].dtype = MPX_F16; /* the last result, which becomes wide and so needs 32 bytes of 160 */
    run.amp = amp_of("low=f32", MPX_F16);
    in[1].data = x, in[1].dtype = MPX_F64, in[1].count = 4;
    CHECK(mpx_amp_eager_cast(&run, "low", in, 2, NULL) == MPX_OK && run.arena.used == 32 && kept[1].cast == storage + 16,
          "two weights: %d bytes", (int)run.arena.used);
    CHECK((const unsigned char *)in[0].data >= storage + 32, "where the result became wide");
}

static void case_eager_space(void) {
    static float x[16];
    static unsigned char storage[64];
    static mpx_amp_kept kept[1];
    mpx_amp_eager run;
    size_t size, capacity;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("matmul=compute", MPX_F16);
    run.kept = kept;
    for (size = 0; size <= 64; size++)
        for (capacity = 0; capacity < 2; capacity++) {
            mpx_amp_operand in[3] = { { x, 9, MPX_F32, 0, 0, 0 }, { x, 16, MPX_F32, 0, 0, 1 },
                                      { x, 32, MPX_F16, 0, 0, 1 } }; /* the third stays, and takes nothing */
            mpx_amp_answer answer = { NULL, UNTOUCHED, 0 };
            mpx_status want = size < 64 || capacity == 0 ? MPX_ERR_SPACE : MPX_OK, status;
            run.arena = mpx_arena_of(storage, size, NULL, 0);
            run.kept_capacity = capacity;
            run.kept_count = 0;
            memset(storage, 0x5a, sizeof storage);
            status = mpx_amp_eager_cast(&run, "matmul", in, 3, &answer);
            CHECK(in[2].data == x, "an f16 stays");
            CHECK(status == want, "%d bytes, %d entries: %s", (int)size, (int)capacity,
                  mpx_status_string(status));
            if (want == MPX_OK) continue;
            CHECK(in[0].data == x && in[1].dtype == MPX_F32 && in[1].plain == MPX_NONE &&
                      answer.scope == UNTOUCHED && run.arena.used == 0 && run.kept_count == 0 &&
                      storage[0] == 0x5a, "%d bytes: nothing has changed", (int)size);
        }
}

/* One weight as several operands: one cast, one entry; what differs needs room of its own. */
static void case_one_weight_twice(void) {
    static float x[32];
    static unsigned char storage[128];
    static mpx_amp_kept kept[3];
    static const struct {
        mpx_amp_operand first;
        size_t entries, bytes;
    } rows[] = {
        { { x, 16, MPX_F32, MPX_BF16, 0, 1 }, 1, 32 },
        { { x, 16, MPX_F32, MPX_BF16, 0, 0 }, 1, 64 },
        { { x, 15, MPX_F32, MPX_BF16, 0, 1 }, 2, 64 },
        { { x + 1, 16, MPX_F32, MPX_BF16, 0, 1 }, 2, 64 },
        { { x, 16, MPX_F16, MPX_BF16, 0, 1 }, 2, 64 },
        { { x, 16, MPX_F32, MPX_F16, 0, 1 }, 2, 64 },
    };
    mpx_amp_eager run;
    size_t i, size, capacity;
    memset(&run, 0, sizeof run);
    run.kept = kept; /* and no rule: each gets its plain dtype */
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size = 16; size <= 80; size += 16)
            for (capacity = 0; capacity < 4; capacity++) {
                mpx_amp_operand in[3];
                int fits = size >= rows[i].bytes && capacity >= rows[i].entries;
                in[0] = rows[i].first;
                in[1] = in[2] = rows[0].first;
                run.arena = mpx_arena_of(storage, size, NULL, 0);
                run.kept_capacity = capacity;
                run.kept_count = 0;
                CHECK(mpx_amp_eager_cast(&run, "matmul", in, 3, NULL) ==
                          (fits ? MPX_OK : MPX_ERR_SPACE),
                      "row %d, %d bytes, %d entries", (int)i, (int)size, (int)capacity);
                if (!fits) continue;
                CHECK(run.kept_count == rows[i].entries && in[2].data == in[1].data &&
                          (in[0].data == in[1].data) == (i == 0), "row %d", (int)i);
            }
}

static void case_eager_complex(void) {
    static double z[6] = { 1, 2, 3, 4, 5, 6 };
    static float w[4] = { 0.1f, 2, -3.5f, 4 };
    static const float want[2] = { 0.1f, -3.5f };
    static unsigned char storage[64];
    mpx_amp_operand in = { z, 3, MPX_C128, 0, 0, 0 }, single = { w, 2, MPX_C64, 0, 0, 0 };
    mpx_amp_eager run;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("matmul=f32, fft=f4e2m1fn", MPX_F16);
    run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_OK && in.data == z, "stays");
    run.amp.flags = MPX_AMP_JAXAMP;
    CHECK(mpx_amp_eager_cast(&run, "fft", &in, 1, NULL) == MPX_ERR_DTYPE && in.data == z, "f4");
    CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_OK && in.dtype == MPX_F32, "f32");
    CHECK(((const float *)in.data)[2] > 4.9f && ((const float *)in.data)[2] < 5.1f, "real parts");
    in = single;
    CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_OK && in.dtype == MPX_F32 &&
              memcmp(in.data, want, sizeof want) == 0,
          "real parts of c64");
    in = single;
    run.amp = amp_of("matmul=f16", MPX_F16);
    run.amp.flags = MPX_AMP_JAXAMP;
    run.arena.size = 0;
    CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_ERR_SPACE && in.data == w, "no room");
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A plan in memory of exactly the size asked for, at an odd address. */
typedef struct planned {
    unsigned char *memory;
    mpx_amp_plan plan;
    mpx_error err;
} planned;

static mpx_status make_plan(planned *p, const mpx_amp *amp, mpx_amp_graph graph, size_t odd) {
    size_t size = 0;
    mpx_status status;
    p->err = test_any_error();
    status = mpx_amp_plan_size(graph, &size, &p->err);
    CHECK(status != MPX_OK || test_is_no_error(&p->err), "an error where there is none");
    p->memory = NULL;
    memset(&p->plan, 0, sizeof p->plan);
    if (status != MPX_OK) return status;
    p->memory = (unsigned char *)malloc(size + odd);
    if (p->memory == NULL) exit(2);
    memset(p->memory, 0xa5, size + odd);
    status = mpx_amp_plan_graph(amp, graph, p->memory + odd, size, &p->plan, &p->err);
    CHECK(status != MPX_OK || test_is_no_error(&p->err), "an error where there is none");
    CHECK((uintptr_t)p->plan.nodes % 16 == 0 && (uintptr_t)p->plan.casts % 16 == 0, "aligned arrays");
    return status;
}

static mpx_amp_node node_of(const char *op, const char *scope, const size_t *inputs, size_t n,
                            mpx_dtype dtype, unsigned flags) {
    mpx_amp_node node;
    memset(&node, 0, sizeof node);
    node.op = op, node.scope = scope, node.inputs = inputs, node.input_count = n;
    node.dtype = dtype, node.count = 100, node.flags = flags;
    return node;
}

/* x and w to a softmax by two matmuls that share w: one cast of w, made once. */
static void case_plan_shares_casts(void) {
    static const size_t first[] = { 0, 1 }, second[] = { 2, 1 }, third[] = { 3 };
    mpx_amp_node nodes[5];
    mpx_amp amp = amp_of("matmul=compute, softmax=f32", MPX_F16);
    planned p;
    nodes[0] = node_of(NULL, NULL, NULL, 0, MPX_F32, 0);
    nodes[1] = node_of("w", NULL, NULL, 0, MPX_F32, MPX_AMP_NODE_CONSTANT);
    nodes[2] = node_of("matmul", NULL, first, 2, MPX_F32, 0);
    nodes[3] = node_of("matmul", NULL, second, 2, MPX_F32, 0);
    nodes[4] = node_of("softmax", NULL, third, 1, MPX_F32, 0);
    CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 5), 1) == MPX_OK, "plans");
    CHECK(p.plan.cast_count == 3 && p.plan.shared == 1 && p.plan.removed == 0, "%d casts",
          (int)p.plan.cast_count);
    CHECK(p.plan.casts[0].source == 0 && p.plan.casts[0].to == MPX_F16 &&
              p.plan.casts[0].before == 2 && p.plan.casts[0].uses == 1, "x to f16");
    CHECK(p.plan.casts[1].source == 1 && p.plan.casts[1].uses == 2 && p.plan.casts[1].before == 2,
          "w to f16");
    CHECK(p.plan.casts[2].source == 3 && p.plan.casts[2].from == MPX_F16 &&
              p.plan.casts[2].to == MPX_F32, "back to f32");
    CHECK(p.plan.nodes[2].inputs[1] == 6 && p.plan.nodes[3].inputs[1] == 6 &&
              p.plan.nodes[3].inputs[0] == 2 && p.plan.nodes[4].inputs[0] == 7, "who reads what");
    CHECK(p.plan.nodes[2].dtype == MPX_F16 && p.plan.nodes[4].dtype == MPX_F32, "results");
    CHECK(p.plan.nodes[1].store == MPX_F16 && p.plan.nodes[0].store == MPX_F16 &&
              p.plan.nodes[2].store == MPX_F16 && p.plan.nodes[3].store == MPX_F32, "store");
    CHECK(p.plan.nodes[1].uses == 1 && p.plan.nodes[2].uses == 1 && p.plan.nodes[4].uses == 1,
          "uses");
    CHECK(p.plan.bytes_before == 400 * 8, "before: %d", (int)p.plan.bytes_before);
    CHECK(p.plan.bytes_after == 600 + 200 * 6 + 400 * 2 + 600, "after: %d",
          (int)p.plan.bytes_after);
    CHECK(p.plan.bytes_once == 600, "once: %d", (int)p.plan.bytes_once);
    free(p.memory);
}

/* f16 -> f32 (the graph's own cast) -> matmul in f16: reads the f16, and the cast is gone. */
static void case_plan_removes_exact_casts(void) {
    static const size_t one[] = { 0 }, two[] = { 1 }, three[] = { 2 };
    mpx_amp_node nodes[4];
    mpx_amp amp = amp_of("matmul=compute", MPX_F16);
    planned p;
    nodes[0] = node_of(NULL, NULL, NULL, 0, MPX_F16, 0);
    nodes[1] = node_of("cast", NULL, one, 1, MPX_F32, MPX_AMP_NODE_CAST);
    nodes[2] = node_of("matmul", NULL, two, 1, MPX_F32, 0);
    nodes[3] = node_of("cast", NULL, three, 1, MPX_BF16, MPX_AMP_NODE_CAST);
    CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 4), 3) == MPX_OK, "plans");
    CHECK(p.plan.cast_count == 0 && p.plan.removed == 1 && p.plan.nodes[1].removed, "removed");
    CHECK(p.plan.nodes[2].inputs[0] == 0 && p.plan.nodes[2].dtype == MPX_F16, "reads the input");
    CHECK(p.plan.nodes[3].inputs[0] == 2 && p.plan.nodes[3].dtype == MPX_BF16,
          "f16 to bf16 without f32 between");
    CHECK(p.plan.bytes_after == 200 * 4, "%d", (int)p.plan.bytes_after);
    free(p.memory);
    nodes[2] = node_of("cast", NULL, two, 1, MPX_F16, MPX_AMP_NODE_CAST); /* and back: both go */
    CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 4), 0) == MPX_OK, "plans");
    CHECK(p.plan.removed == 2 && p.plan.nodes[3].inputs[0] == 0 && p.plan.cast_count == 0, "f16");
    free(p.memory);
    nodes[2] = node_of("matmul", NULL, two, 1, MPX_F16, 0);
    nodes[0].dtype = MPX_F32;
    nodes[1].dtype = MPX_F16; /* f32 -> f16 -> f32 loses: nothing may be skipped */
    nodes[2].dtype = MPX_F16;
    amp.compute = MPX_F32;
    CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 4), 0) == MPX_OK, "plans");
    CHECK(p.plan.removed == 0 && p.plan.cast_count == 2 && p.plan.casts[0].source == 1 &&
              p.plan.casts[1].source == 2 && p.plan.casts[1].to == MPX_F16, "%d casts",
          (int)p.plan.cast_count);
    free(p.memory);
}

/* Outputs get their plain dtype back: of a value that has such a cast already, the same one. */
static void case_plan_restores_outputs(void) {
    static const size_t one[] = { 0 }, two[] = { 1 };
    mpx_amp_node nodes[4];
    mpx_amp amp = amp_of("matmul=compute, default=original", MPX_F16);
    planned p;
    nodes[0] = node_of(NULL, NULL, NULL, 0, MPX_F32, 0);
    nodes[1] = node_of("matmul", NULL, one, 1, MPX_F32, MPX_AMP_NODE_OUTPUT);
    nodes[2] = node_of("gelu", NULL, two, 1, MPX_F32, 0);
    nodes[3] = node_of("matmul", NULL, two, 1, MPX_F32, 0);
    CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 4), 0) == MPX_OK, "plans");
    CHECK(p.plan.nodes[1].output == 1 && p.plan.nodes[3].output == 3 && p.plan.cast_count == 2,
          "not restored");
    free(p.memory);
    amp.flags = MPX_AMP_RESTORE;
    CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 4), 0) == MPX_OK, "plans");
    CHECK(p.plan.nodes[1].output == p.plan.nodes[2].inputs[0] && p.plan.nodes[1].output == 5,
          "shared with gelu's");
    CHECK(p.plan.nodes[2].output == 2, "gelu is in f32");
    CHECK(p.plan.nodes[3].output == 6 && p.plan.casts[2].before == 4 &&
              p.plan.casts[2].to == MPX_F32, "the last");
    free(p.memory);
}

/* ---- random graphs, executed ----------------------------------------------------------------- */

enum { NODES = 24, ELEMENTS = 5, INPUTS = 3 };

static uint32_t random_state = 1;
static unsigned below(unsigned end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % end;
}

/* Elements as they are stored. */
typedef struct value {
    mpx_dtype dtype;
    unsigned char bytes[ELEMENTS * 16];
} value;

static value cast_value(const value *v, mpx_dtype to) {
    value out;
    memset(&out, 0, sizeof out);
    out.dtype = to;
    CHECK(mpx_cast(out.bytes, to, v->bytes, v->dtype, ELEMENTS) == MPX_OK, "%s to %s",
          mpx_dtype_name(v->dtype), mpx_dtype_name(to));
    return out;
}

/* Something of all operands, in double, rounded once to the result's dtype. */
static value compute(const char *op, const value *operands, size_t n, mpx_dtype result) {
    value sum, out;
    double total[ELEMENTS];
    size_t i, k;
    if (n == 1 && strcmp(op, "cast") == 0) return cast_value(&operands[0], result);
    for (i = 0; i < ELEMENTS; i++) {
        total[i] = 0.125 * (double)strlen(op);
        for (k = 0; k < n; k++) {
            value wide = cast_value(&operands[k], MPX_F64);
            double x;
            memcpy(&x, wide.bytes + 8 * i, 8);
            total[i] = strcmp(op, "mul") == 0 ? total[i] * 1.25 * x : total[i] + 0.7 * x;
        }
    }
    memset(&sum, 0, sizeof sum);
    sum.dtype = MPX_F64;
    memcpy(sum.bytes, total, sizeof total);
    out = cast_value(&sum, result);
    return out;
}

/* Does every value of one dtype survive in the other? All codes, or what is known of wide ones. */
static int loses_nothing(mpx_dtype from, mpx_dtype to) {
    static signed char known[MPX_DTYPE_COUNT][MPX_DTYPE_COUNT];
    int bits = mpx_dtype_bits(from);
    uint32_t code;
    if (from == to) return 1;
    if (bits > 16) return from == MPX_F32 && to == MPX_F64;
    if (known[from][to] != 0) return known[from][to] > 0;
    known[from][to] = 1;
    for (code = 0; code < (uint32_t)1 << bits; code++) {
        unsigned char in[4], between[8];
        double before, after;
        in[0] = (unsigned char)code, in[1] = (unsigned char)(code >> 8);
        if (bits == 16) { /* in native order */
            uint16_t x = (uint16_t)code;
            memcpy(in, &x, 2);
        }
        CHECK(mpx_cast(&before, MPX_F64, in, from, 1) == MPX_OK, "to f64");
        CHECK(mpx_cast(between, to, in, from, 1) == MPX_OK, "between");
        CHECK(mpx_cast(&after, MPX_F64, between, to, 1) == MPX_OK, "to f64");
        if (before != before && after != after) continue;
        if (memcmp(&before, &after, 8) != 0) known[from][to] = -1;
    }
    return known[from][to] > 0;
}

/* Where results of two dtypes meet. */
static mpx_dtype meeting(mpx_dtype a, mpx_dtype b) {
    return a == MPX_NONE || loses_nothing(a, b) ? b : loses_nothing(b, a) ? a : MPX_F32;
}

/* The graph without a plan: operand by operand, every cast made where it is needed. */
static void execute_plainly(const mpx_amp *amp, const mpx_amp_node *nodes, size_t n, value *env) {
    size_t i, k;
    for (i = 0; i < n; i++) {
        const mpx_amp_node *node = &nodes[i];
        mpx_amp_operand operands[INPUTS];
        value in[INPUTS];
        mpx_dtype plain = MPX_NONE, now = MPX_NONE, result = node->dtype;
        if (node->input_count == 0) continue;
        memset(operands, 0, sizeof operands);
        for (k = 0; k < node->input_count; k++) {
            operands[k].dtype = env[node->inputs[k]].dtype;
            operands[k].plain = nodes[node->inputs[k]].dtype;
        }
        CHECK(mpx_amp_ask(amp, node->op, node->scope, operands, node->input_count, NULL) == MPX_OK,
              "node %d", (int)i);
        for (k = 0; k < node->input_count; k++) {
            in[k] = cast_value(&env[node->inputs[k]], operands[k].to);
            if (!mpx_dtype_is_floating(operands[k].plain)) continue;
            plain = meeting(plain, operands[k].plain);
            now = meeting(now, operands[k].to);
        }
        if ((node->flags & (MPX_AMP_NODE_CAST | MPX_AMP_NODE_FIXED)) == 0 && plain == node->dtype)
            result = now;
        env[i] = compute(node->op, in, node->input_count, result);
    }
}

/* A cast of the graph's own between any two float dtypes, whose result is wanted as before: it goes
   if no value is lost on the way, and only then. */
static void case_every_exact_cast(void) {
    static const size_t one[] = { 0 }, two[] = { 1 };
    mpx_dtype from, to;
    int removed = 0;
    for (from = MPX_F64; from <= MPX_F4E2M1FN; from++)
        for (to = MPX_F64; to <= MPX_F4E2M1FN; to++) {
            mpx_amp_rule rule = MPX_AMP_OP("op", 0);
            mpx_amp_node nodes[3];
            mpx_amp amp;
            planned p;
            memset(&amp, 0, sizeof amp);
            rule.precision = from;
            amp.rules = &rule, amp.rule_count = 1;
            nodes[0] = node_of(NULL, NULL, NULL, 0, from, 0);
            nodes[1] = node_of("cast", NULL, one, 1, to, MPX_AMP_NODE_CAST);
            nodes[2] = node_of("op", NULL, two, 1, MPX_F32, MPX_AMP_NODE_FIXED);
            CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 3), 0) == MPX_OK, "plans");
            CHECK(p.plan.nodes[1].removed == loses_nothing(from, to), "%s to %s",
                  mpx_dtype_name(from), mpx_dtype_name(to));
            removed += p.plan.nodes[1].removed;
            free(p.memory);
        }
    CHECK(removed > 40 && removed < 120, "%d are exact", removed);
}

static size_t count_of(const mpx_amp_plan *plan, size_t v) {
    return v < plan->node_count ? 1 : plan->casts[v - plan->node_count].count;
}

static int is_output(const mpx_amp_node *nodes, size_t n, size_t i) {
    size_t k, c;
    for (k = i + 1; k < n; k++)
        for (c = 0; c < nodes[k].input_count; c++)
            if (nodes[k].inputs[c] == i) return (nodes[i].flags & MPX_AMP_NODE_OUTPUT) != 0;
    return 1;
}

/* By the plan, and what must hold of every plan. */
static void execute_plan(const mpx_amp_plan *plan, const mpx_amp_node *nodes, value *env) {
    size_t n = plan->node_count, i, k, c = 0, uses[4 * NODES + NODES * INPUTS], *count = uses;
    memset(uses, 0, sizeof uses);
    for (i = 0; i <= n; i++) {
        for (; c < plan->cast_count && plan->casts[c].before == i; c++) {
            const mpx_amp_planned_cast *cast = &plan->casts[c];
            CHECK(cast->source < n ? cast->source < i : cast->source < n + c, "cast %d", (int)c);
            CHECK(env[cast->source].dtype == cast->from && cast->from != cast->to, "cast %d", (int)c);
            CHECK(cast->uses > 0 && count_of(plan, cast->source) > 0, "cast %d is unused", (int)c);
            for (k = 0; k < c; k++)
                CHECK(plan->casts[k].source != cast->source || plan->casts[k].to != cast->to,
                      "casts %d and %d are one", (int)k, (int)c);
            env[n + c] = cast_value(&env[cast->source], cast->to);
            count[cast->source]++;
        }
        if (i < n && nodes[i].input_count != 0 && !plan->nodes[i].removed) {
            value in[INPUTS];
            for (k = 0; k < nodes[i].input_count; k++) {
                size_t v = plan->nodes[i].inputs[k];
                CHECK(v < n ? v < i && !plan->nodes[v].removed : v < n + c, "node %d reads %d",
                      (int)i, (int)v);
                in[k] = env[v];
                count[v]++;
            }
            env[i] = compute(nodes[i].op, in, nodes[i].input_count, plan->nodes[i].dtype);
        }
    }
    CHECK(c == plan->cast_count, "casts in order: %d of %d", (int)c, (int)plan->cast_count);
    for (i = 0; i < n; i++)
        if (is_output(nodes, n, i)) count[plan->nodes[i].output]++;
    for (i = 0; i < n + plan->cast_count; i++) {
        size_t said = i < n ? plan->nodes[i].uses : plan->casts[i - n].uses;
        CHECK(said == count[i], "value %d: %d uses, not %d", (int)i, (int)said, (int)count[i]);
    }
    for (i = 0; i < n; i++) {
        size_t readers = 0;
        mpx_dtype only = plan->nodes[i].dtype;
        for (c = 0; c < plan->cast_count; c++)
            if (plan->casts[c].source == i) readers++, only = plan->casts[c].to;
        if (readers != 1 || count[i] != 1) only = plan->nodes[i].dtype;
        CHECK(plan->nodes[i].store == only, "node %d: store", (int)i);
    }
    for (i = 0; i < n; i++)
        if (plan->nodes[i].removed)
            CHECK(count[i] == 0 && (nodes[i].flags & MPX_AMP_NODE_CAST) != 0, "node %d", (int)i);
}

static void check_bytes(const mpx_amp_plan *plan, const mpx_amp_node *nodes, const value *env) {
    size_t n = plan->node_count, i, k, v;
    uint64_t before = 0, after = 0, fused = 0, once = 0;
    char apart[NODES * INPUTS + NODES] = { 0 }; /* casts that an output is made of */
    for (i = 0; i < n; i++)
        for (v = is_output(nodes, n, i) ? plan->nodes[i].output : 0; v >= n; v = plan->casts[v - n].source)
            apart[v - n] = 1;
    for (i = 0; i < n; i++) {
        if (nodes[i].input_count == 0) continue;
        for (k = 0; k < nodes[i].input_count; k++) {
            before += mpx_dtype_bytes(nodes[nodes[i].inputs[k]].dtype, ELEMENTS);
            if (!plan->nodes[i].removed) {
                size_t at = plan->nodes[i].inputs[k], source = at;
                while (source >= n) source = plan->casts[source - n].source;
                if ((nodes[source].flags & MPX_AMP_NODE_CONSTANT) != 0) source = at;
                after += mpx_dtype_bytes(env[at].dtype, ELEMENTS);
                fused += mpx_dtype_bytes(env[source].dtype, ELEMENTS);
            }
        }
        before += mpx_dtype_bytes(nodes[i].dtype, ELEMENTS);
        if (plan->nodes[i].removed) continue;
        after += mpx_dtype_bytes(plan->nodes[i].dtype, ELEMENTS);
        fused += mpx_dtype_bytes(plan->nodes[i].dtype, ELEMENTS);
    }
    for (i = 0; i < plan->cast_count; i++) {
        size_t source = plan->casts[i].source;
        uint64_t moved = mpx_dtype_bytes(plan->casts[i].from, ELEMENTS) +
                         mpx_dtype_bytes(plan->casts[i].to, ELEMENTS);
        while (source >= n) source = plan->casts[source - n].source;
        if ((nodes[source].flags & MPX_AMP_NODE_CONSTANT) != 0) once += moved;
        else after += moved, fused += apart[i] ? moved : 0;
    }
    CHECK(plan->bytes_fused == fused, "fused: %ld, not %ld", (long)plan->bytes_fused, (long)fused);
    CHECK(plan->bytes_before == before && plan->bytes_after == after && plan->bytes_once == once,
          "bytes: %ld %ld %ld, not %ld %ld %ld", (long)plan->bytes_before, (long)plan->bytes_after,
          (long)plan->bytes_once, (long)before, (long)after, (long)once);
}

/* A graph of few operations, many of them casts. */
static size_t random_graph(mpx_amp_node *nodes, size_t (*inputs)[INPUTS], value *env) {
    static const mpx_dtype dtypes[] = { MPX_F32, MPX_F16, MPX_BF16, MPX_F64, MPX_F8E4M3FN,
                                        MPX_F8E5M2, MPX_I32, MPX_F32, MPX_F16, MPX_F8E4M3FNUZ };
    static const char *const ops[] = { "add", "mul", "neg", "less", "gelu" };
    static const char *const scopes[] = { NULL, "enc", "enc/head", "x/amp_stop", "head" };
    size_t n = 2 + below(NODES - 1), i, k;
    for (i = 0; i < n; i++) {
        mpx_amp_node *node = &nodes[i];
        mpx_dtype promoted = MPX_NONE;
        *node = node_of(ops[below(5)], scopes[below(5)], inputs[i], 0, dtypes[below(10)], 0);
        node->count = ELEMENTS;
        if (below(6) == 0) node->flags |= MPX_AMP_NODE_OUTPUT;
        if (i == 0 || below(5) == 0) { /* an input of the graph */
            value v;
            memset(&v, 0, sizeof v);
            v.dtype = MPX_F64;
            for (k = 0; k < ELEMENTS; k++) {
                double x = ((double)below(4001) - 2000) / (double)(1 << below(11));
                memcpy(v.bytes + 8 * k, &x, 8);
            }
            env[i] = cast_value(&v, node->dtype);
            if (below(3) == 0) node->flags |= MPX_AMP_NODE_CONSTANT;
            continue;
        }
        node->input_count = 1 + below(INPUTS);
        for (k = 0; k < node->input_count; k++) {
            inputs[i][k] = below((unsigned)i);
            if (mpx_dtype_is_floating(nodes[inputs[i][k]].dtype))
                promoted = meeting(promoted, nodes[inputs[i][k]].dtype);
        }
        if (below(3) == 0) node->input_count = 1, node->op = "cast", node->flags |= MPX_AMP_NODE_CAST;
        else if (strcmp(node->op, "less") == 0) node->dtype = MPX_BOOL;
        else if (below(8) == 0) node->flags |= MPX_AMP_NODE_FIXED;
        else if (promoted != MPX_NONE) node->dtype = promoted;
    }
    return n;
}

static void case_random_graphs(int rounds) {
    static const char *const texts[] = {
        "add=compute, mul=f32, default=original", "mul=compute, scope:enc=widest, neg=f16",
        "scope:enc=compute, scope:head=bf16, mul=f64, amp_stop=original", "default=compute",
        "add=f16, neg=bf16, gelu=f8e4m3fn, default=widest", "mul=f32, less=f16, scope:x=f16",
    };
    static const mpx_dtype compute_dtypes[] = { MPX_F16, MPX_BF16, MPX_F32, MPX_F8E5M2 };
    size_t shared = 0, skipped = 0, removed = 0, casts = 0;
    for (; rounds != 0; rounds--) {
        static mpx_amp_node nodes[NODES + 1];
        static size_t inputs[NODES + 1][INPUTS];
        static value plain[NODES + 1], env[NODES + 1 + NODES * (INPUTS + 2)];
        mpx_amp amp = amp_of(texts[below(6)], compute_dtypes[below(4)]);
        size_t n = random_graph(nodes, inputs, plain), i;
        planned p;
        amp.flags = below(2) * MPX_AMP_RESTORE + below(2) * MPX_AMP_INNERMOST_STOP;
        memset(env, 0, sizeof env);
        memcpy(env, plain, n * sizeof *plain);
        execute_plainly(&amp, nodes, n, plain);
        CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, n), below(16)) == MPX_OK, "plan");
        execute_plan(&p.plan, nodes, env);
        check_bytes(&p.plan, nodes, env);
        for (i = 0; i < n; i++) {
            size_t out = p.plan.nodes[i].output;
            value want = plain[i];
            if (p.plan.nodes[i].removed) continue;
            CHECK(memcmp(&env[i], &plain[i], sizeof *env) == 0, "node %d: %s", (int)i,
                  mpx_dtype_name(env[i].dtype));
            if (out == i && (amp.flags & MPX_AMP_RESTORE) == 0) continue;
            if (out != i) want = cast_value(&want, nodes[i].dtype);
            CHECK(memcmp(&env[out], &want, sizeof want) == 0, "output %d", (int)i);
        }
        shared += p.plan.shared, skipped += p.plan.skipped;
        removed += p.plan.removed, casts += p.plan.cast_count;
        free(p.memory);
    }
    printf("random graphs: %d casts, %d shared, %d skipped, %d nodes removed\n", (int)casts,
           (int)shared, (int)skipped, (int)removed);
    CHECK(casts > 1000 && shared > 1000 && skipped > 1000 && removed > 1000, "what happened");
}

/* ---- hostile graphs -------------------------------------------------------------------------- */

static void check_refused(mpx_amp_node *nodes, size_t n, mpx_status status, size_t node,
                          size_t input, const char *sentence) {
    mpx_amp amp = amp_of("default", MPX_F16);
    mpx_amp_plan plan, before;
    mpx_error err;
    size_t size = UNTOUCHED;
    char buf[128];
    static unsigned char memory[1 << 16];
    memset(&plan, 0x5a, sizeof plan);
    memcpy(&before, &plan, sizeof plan);
    CHECK(mpx_amp_plan_size(mpx_amp_graph_of_nodes(nodes, n), &size, &err) == status &&
              size == UNTOUCHED && err.status == status && err.index == node && err.input == input,
          "%s: %s at %d, %d", sentence, mpx_status_string(err.status), (int)err.index,
          (int)err.input);
    mpx_error_format(&err, NULL, buf, sizeof buf);
    CHECK(strcmp(buf, sentence) == 0, "%s", buf);
    CHECK(mpx_amp_plan_graph(&amp, mpx_amp_graph_of_nodes(nodes, n), memory, sizeof memory, &plan,
                             NULL) == status && memcmp(&plan, &before, sizeof plan) == 0,
          "%s: untouched", sentence);
}

static void case_bad_graphs(void) {
    static size_t inputs[2] = { 0, 2 };
    mpx_amp_node nodes[3];
    size_t i;
    for (i = 0; i < 3; i++)
        nodes[i] = node_of("add", NULL, inputs, i == 2 ? 2 : 0, MPX_F32, 0);
    check_refused(nodes, 3, MPX_ERR_CYCLE, 2, 1,
                  "a node reads one that does not come before it: input 1 of node 2 'add'");
    inputs[1] = 1, inputs[0] = (size_t)-1;
    check_refused(nodes, 3, MPX_ERR_CYCLE, 2, 0,
                  "a node reads one that does not come before it: input 0 of node 2 'add'");
    inputs[0] = 0;
    nodes[1].input_count = 2; /* 1 reads itself */
    check_refused(nodes, 3, MPX_ERR_CYCLE, 1, 1,
                  "a node reads one that does not come before it: input 1 of node 1 'add'");
    nodes[1].input_count = 0;
    nodes[0].dtype = MPX_NONE;
    check_refused(nodes, 3, MPX_ERR_DTYPE, 0, (size_t)-1, "unknown or unusable dtype: node 0 'add'");
    nodes[0].dtype = MPX_WEAK_FLOAT;
    check_refused(nodes, 3, MPX_ERR_DTYPE, 0, (size_t)-1, "unknown or unusable dtype: node 0 'add'");
    nodes[0].dtype = MPX_F32;
    nodes[2].flags = MPX_AMP_NODE_CAST;
    check_refused(nodes, 3, MPX_ERR_ARGUMENT, 2, (size_t)-1, "bad argument: node 2 'add'");
    nodes[2].flags = 0, nodes[2].inputs = NULL;
    check_refused(nodes, 3, MPX_ERR_ARGUMENT, 2, (size_t)-1, "bad argument: node 2 'add'");
    nodes[2].inputs = inputs;
}

static void case_bad_plans(void) {
    static const size_t inputs[2] = { 0, 0 };
    mpx_amp_node nodes[2];
    mpx_amp amp = amp_of("add=compute", MPX_I8);
    mpx_amp_graph graph = mpx_amp_graph_of_nodes(nodes, 2);
    mpx_amp_plan plan;
    mpx_error err = test_any_error();
    size_t size, less;
    char sentence[128];
    planned p;
    nodes[0] = node_of(NULL, NULL, NULL, 0, MPX_F32, 0);
    nodes[1] = node_of("add", NULL, inputs, 2, MPX_F32, 0);
    CHECK(make_plan(&p, &amp, graph, 0) == MPX_ERR_DTYPE && p.err.index == 1, "compute i8");
    CHECK(p.plan.nodes == NULL, "untouched");
    free(p.memory);
    amp.compute = MPX_F16;
    nodes[0].count = nodes[1].count = (size_t)-1; /* bytes beyond any number */
    CHECK(make_plan(&p, &amp, graph, 0) == MPX_OK, "huge");
    CHECK(p.plan.bytes_before >= p.plan.bytes_after / 2, "saturates");
    CHECK(sizeof(size_t) < 8 || p.plan.bytes_before == UINT64_MAX, "stays at the largest number");
    CHECK(mpx_amp_plan_size(graph, &size, NULL) == MPX_OK, "size");
    memset(&plan, 0, sizeof plan);
    for (less = 16; less <= size; less++)
        CHECK(mpx_amp_plan_graph(&amp, graph, p.memory, size - less, &plan, &err) ==
                      MPX_ERR_SPACE && err.status == MPX_ERR_SPACE && plan.nodes == NULL,
              "%d bytes less", (int)less);
    CHECK(mpx_amp_plan_graph(&amp, graph, p.memory + 1, 14, &plan, NULL) == MPX_ERR_SPACE, "no room to align");
    mpx_error_format(&err, NULL, sentence, sizeof sentence);
    CHECK(strcmp(sentence, "not enough space; 0 bytes where") > 0 && err.index == SIZE_MAX &&
              err.need == size && err.have == 0,
          "%s", sentence);
    free(p.memory);
    graph.count = 0;
    graph.node = NULL;
    CHECK(make_plan(&p, &amp, graph, 0) == MPX_OK && p.plan.node_count == 0, "empty");
    CHECK(mpx_amp_plan_graph(&amp, graph, NULL, 0, &plan, NULL) == MPX_OK, "empty, no memory");
    free(p.memory);
}

/* A chain whose callback fails at one call, or answers differently from one walk on. */
typedef struct moody {
    size_t calls, fails_at, lies_from, node;
    size_t inputs[8];
} moody;

static mpx_status moody_node(size_t index, mpx_amp_node *node, void *user) {
    moody *self = (moody *)user;
    size_t i, lies = self->calls >= self->lies_from;
    self->node = index;
    if (self->calls++ == self->fails_at) return MPX_ERR_CALLBACK;
    for (i = 0; i < 8; i++)
        self->inputs[i] = index - 1;
    *node = node_of("matmul", "enc", self->inputs, index == 0 ? 0 : lies ? 8 : 1, MPX_F32, 0);
    return MPX_OK;
}

static void case_callbacks_fail_anywhere(void) {
    enum { CHAIN = 50 };
    mpx_amp amp = amp_of("matmul=compute", MPX_F16);
    mpx_amp_graph graph;
    moody self;
    size_t fails_at, size = 0;
    memset(&self, 0, sizeof self);
    graph.node = moody_node, graph.user = &self, graph.count = CHAIN;
    for (fails_at = 0; fails_at <= 2 * CHAIN; fails_at++) {
        mpx_amp_plan plan;
        mpx_error err;
        mpx_status status;
        unsigned char *memory;
        self.calls = 0, self.fails_at = fails_at, self.lies_from = (size_t)-1;
        status = mpx_amp_plan_size(graph, &size, &err);
        CHECK(status == (fails_at < CHAIN ? MPX_ERR_CALLBACK : MPX_OK), "size, %d", (int)fails_at);
        if (status != MPX_OK) CHECK(err.index == fails_at && err.status == status, "at node");
        self.calls = 0, self.fails_at = (size_t)-1;
        CHECK(mpx_amp_plan_size(graph, &size, NULL) == MPX_OK, "size");
        memory = (unsigned char *)malloc(size);
        memset(&plan, 0, sizeof plan);
        self.calls = 0, self.fails_at = fails_at;
        status = mpx_amp_plan_graph(&amp, graph, memory, size, &plan, &err);
        CHECK(status == (fails_at < 2 * CHAIN ? MPX_ERR_CALLBACK : MPX_OK), "plan, %d",
              (int)fails_at);
        CHECK(status == MPX_OK || (plan.nodes == NULL && err.index == fails_at % CHAIN), "untouched");
        self.calls = 0, self.fails_at = (size_t)-1, self.lies_from = fails_at;
        plan.nodes = NULL;
        status = mpx_amp_plan_graph(&amp, graph, memory, size, &plan, &err);
        CHECK(status == (fails_at < CHAIN ? MPX_ERR_SPACE
                         : fails_at < 2 * CHAIN ? MPX_ERR_STRUCTURE : MPX_OK),
              "lies from %d: %s", (int)fails_at, mpx_status_string(status));
        CHECK(status == MPX_OK || plan.nodes == NULL, "untouched");
        if (status == MPX_OK) { /* of a plan, what can be said without the node */
            char text[80];
            self.calls = self.fails_at = 0;
            CHECK(mpx_amp_explain_node(&plan, graph, 0, text, sizeof text) == 7 && strcmp(text, "    0 ?") == 0, "'%s'", text);
        }
        free(memory);
    }
}

/* A rule of the caller's that fails at one node. */
static mpx_status fail_later(const char *op, mpx_amp_operand *operands, size_t count,
                             mpx_dtype *accumulate, const mpx_amp *amp, void *user) {
    (void)op, (void)operands, (void)count, (void)accumulate, (void)amp;
    return (*(int *)user)-- == 0 ? MPX_ERR_PRECISION : MPX_OK;
}

static void case_rules_fail_anywhere(void) {
    mpx_amp_rule rule = MPX_AMP_OP("matmul", MPX_F32);
    mpx_amp amp;
    moody self;
    mpx_amp_graph graph;
    int fails_at, left;
    memset(&self, 0, sizeof self);
    memset(&amp, 0, sizeof amp);
    graph.node = moody_node, graph.user = &self, graph.count = 20;
    self.fails_at = self.lies_from = (size_t)-1;
    rule.custom = fail_later, rule.user = &left;
    amp.rules = &rule, amp.rule_count = 1;
    for (fails_at = 0; fails_at < 20; fails_at++) {
        planned p;
        mpx_status status;
        left = fails_at;
        status = make_plan(&p, &amp, graph, 0);
        CHECK(status == (fails_at < 19 ? MPX_ERR_PRECISION : MPX_OK), "rule %d", fails_at);
        if (status != MPX_OK)
            CHECK(p.plan.nodes == NULL && p.err.index == (size_t)fails_at + 1, "node %d", fails_at);
        free(p.memory);
    }
}

/* Nodes that have other counts of inputs when they are asked again are a changed structure. */
typedef struct recount {
    size_t asked;
    const size_t *first, *later; /* inputs of the four nodes */
} recount;

static mpx_status recounted_node(size_t index, mpx_amp_node *node, void *user) {
    static const size_t inputs[3] = { 0, 0, 0 };
    recount *r = (recount *)user;
    const size_t *counts = r->asked++ < 4 ? r->first : r->later;
    memset(node, 0, sizeof *node);
    node->dtype = MPX_F32;
    node->count = 1;
    node->inputs = inputs;
    node->input_count = counts[index];
    return MPX_OK;
}

static void case_other_inputs(void) {
    static const size_t spread[4] = { 0, 1, 1, 1 }, once[4] = { 0, 2, 0, 0 };
    static const size_t two[4] = { 0, 2, 1, 0 }, twice[4] = { 0, 2, 2, 0 };
    static unsigned char memory[4096];
    mpx_amp amp = amp_of("default", MPX_F16);
    mpx_amp_graph graph;
    mpx_amp_plan plan, before;
    mpx_error err;
    recount r;
    graph.node = recounted_node, graph.user = &r, graph.count = 4;
    r.asked = 0, r.first = spread, r.later = once;
    CHECK(mpx_amp_plan_graph(&amp, graph, memory, sizeof memory, &plan, &err) ==
                  MPX_ERR_STRUCTURE && err.index == 1,
          "a wider node than any before");
    r.asked = 0, r.first = two, r.later = twice;
    memset(&plan, 0x5a, sizeof plan);
    memset(&before, 0x5a, sizeof before);
    CHECK(mpx_amp_plan_graph(&amp, graph, memory, sizeof memory, &plan, &err) ==
                  MPX_ERR_STRUCTURE && err.index == 2,
          "more inputs than before");
    CHECK(memcmp(&plan, &before, sizeof plan) == 0, "the plan is untouched");
}

/* Complex and real: the wider of two complex dtypes, the complex one of a pair; so that a rule decides the result's. */
static void case_complex_results(void) {
    static const struct { mpx_dtype a, b, result, wanted; } rows[] = {
        { MPX_F32, MPX_C64, MPX_C64, MPX_BF16 },  { MPX_C64, MPX_F32, MPX_C64, MPX_BF16 },
        { MPX_C64, MPX_C128, MPX_C128, MPX_BF16 }, { MPX_C128, MPX_C64, MPX_C128, MPX_BF16 },
        { MPX_C64, MPX_C64, MPX_C64, MPX_BF16 },  { MPX_F32, MPX_C64, MPX_F32, MPX_F32 },
        { MPX_C64, MPX_F64, MPX_C128, MPX_BF16 }, { MPX_F64, MPX_C64, MPX_C128, MPX_BF16 },
    };
    static const size_t inputs[2] = { 0, 1 };
    mpx_amp_node nodes[3];
    size_t i;
    mpx_amp amp = amp_of("add=bf16", MPX_F16);
    amp.flags = MPX_AMP_JAXAMP;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        planned p;
        nodes[0] = node_of(NULL, NULL, NULL, 0, rows[i].a, 0);
        nodes[1] = node_of(NULL, NULL, NULL, 0, rows[i].b, 0);
        nodes[2] = node_of("add", NULL, inputs, 2, rows[i].result, 0);
        CHECK(make_plan(&p, &amp, mpx_amp_graph_of_nodes(nodes, 3), 0) == MPX_OK &&
                  p.plan.nodes[2].dtype == rows[i].wanted,
              "row %d: %s", (int)i, mpx_dtype_short_name(p.plan.nodes[2].dtype));
        free(p.memory);
    }
}

/* What accumulates has its own dtype where no rule says another. */
static void case_accumulates_alone(void) {
    static const size_t inputs[1] = { 0 };
    static unsigned char memory[4096];
    mpx_amp_node nodes[2];
    mpx_amp amp = amp_of("", MPX_F16);
    mpx_amp_plan plan;
    memset(nodes, 0, sizeof nodes);
    nodes[0].dtype = nodes[1].dtype = MPX_F32;
    nodes[0].count = nodes[1].count = 1;
    nodes[1].op = "sum", nodes[1].inputs = inputs, nodes[1].input_count = 1;
    nodes[1].flags = MPX_AMP_NODE_ACCUMULATES;
    CHECK(mpx_amp_plan_graph(&amp, mpx_amp_graph_of_nodes(nodes, 2), memory, sizeof memory, &plan,
                             NULL) == MPX_OK &&
              plan.nodes[1].dtype == MPX_F32,
          "no rule");
    amp = amp_of("sum=f16", MPX_F16);
    CHECK(mpx_amp_plan_graph(&amp, mpx_amp_graph_of_nodes(nodes, 2), memory, sizeof memory, &plan,
                             NULL) == MPX_OK &&
              plan.cast_count == 1 && plan.skipped == 0,
          "%lu skipped", (unsigned long)plan.skipped);
}

/* ---- explain --------------------------------------------------------------------------------- */

static void case_explain(void) {
    static const char want[] =
        " node operation     scope               decided by                operands            result\n"
        "    0 -             -                   -                         (input)             f16\n"
        "    1 w             head                -                         (weight)            f32, store f16\n"
        "    2 cast          -                   amp_default=widest        f16                 removed\n"
        "    3 matmul        head/x              matmul=compute acc f32    f32>f16 f32>f16     f16 acc f32\n"
        "    4 softmax       amp_stop            amp_stop=f32              f16>f32             f32\n"
        "    5 less          -                   amp_default=widest        f16>f32 f32         bool\n"
        "    6 matmul        -                   matmul=compute acc f32    f16                 f16>f32 acc f32\n"
        "3 casts, 1 shared; 1 nodes removed; bytes moved 4300 before, 3900 after (2900 fused), 600 once\n";
    static const size_t cast[] = { 0 }, matmul[] = { 2, 1 }, softmax[] = { 3 }, less[] = { 3, 4 };
    mpx_amp amp = amp_of("matmul=compute acc f32, scope:amp_stop=f32, default=widest", MPX_F16);
    mpx_amp_node nodes[7];
    mpx_amp_graph graph = mpx_amp_graph_of_nodes(nodes, 7);
    char buf[2000], line[200];
    size_t length, size;
    planned p;
    nodes[0] = node_of(NULL, NULL, NULL, 0, MPX_F16, 0);
    nodes[1] = node_of("w", "head", NULL, 0, MPX_F32, MPX_AMP_NODE_CONSTANT);
    nodes[2] = node_of("cast", NULL, cast, 1, MPX_F32, MPX_AMP_NODE_CAST);
    nodes[3] = node_of("matmul", "head/x", matmul, 2, MPX_F32, 0);
    nodes[4] = node_of("softmax", "amp_stop", softmax, 1, MPX_F32, 0);
    nodes[5] = node_of("less", NULL, less, 2, MPX_BOOL, 0);
    nodes[6] = node_of("matmul", NULL, softmax, 1, MPX_F32, 0);
    amp.flags = MPX_AMP_RESTORE;
    CHECK(make_plan(&p, &amp, graph, 0) == MPX_OK, "plans");
    length = mpx_amp_explain(&p.plan, graph, buf, sizeof buf);
    CHECK(strcmp(buf, want) == 0, "explains:\n%s", buf);
    CHECK(length == strlen(buf) && mpx_amp_explain(&p.plan, graph, NULL, 0) == length, "length");
    for (size = 1; size < length; size += 7) {
        CHECK(mpx_amp_explain(&p.plan, graph, buf, size) == length, "cut at %d", (int)size);
        CHECK(strlen(buf) == size - 1 && memcmp(buf, want, size - 1) == 0, "cut at %d", (int)size);
    }
    CHECK(mpx_amp_explain_node(&p.plan, graph, 2, line, sizeof line) == strlen(line) &&
              strstr(want, line) != NULL, "%s", line);
    CHECK(mpx_amp_explain_node(&p.plan, graph, 7, line, sizeof line) == 0 && line[0] == '\0',
          "no such node");
    free(p.memory);
}

/* Empty names; a weight that stays; sums that a rule of the caller's asks for, or that nothing is there for; the cast of
   a removed node, which is read in its place and in its dtype. */
static void case_explain_others(void) {
    static const char *const wants[] = {
        "    0 -             -                   -                         (input)             f32",
        "    1 w             -                   -                         (weight)            f32",
        "    2 add           -                   -                         f32 f32             f32",
        "    3 n             -                   -                         (input)             i32",
        "    4 matmul        -                   matmul=f16 acc f32        i32                 i32",
        "    5 mine          -                   mine=custom               f32>bf16            bf16 acc f32",
        "    6 z             -                   -                         (input)             f64",
        "    7 matmul        -                   matmul=f16 acc f32        f64>f16             removed",
        "    8 matmul        -                   matmul=f16 acc f32        f16                 f16 acc f32",
    };
    static const size_t add[] = { 0, 1 }, ints[] = { 3 }, z[] = { 6 }, cast[] = { 7 };
    mpx_amp_rule mine[] = { MPX_AMP_OP("matmul", MPX_F16), MPX_AMP_OP("mine", MPX_F32) };
    mpx_status status = MPX_OK;
    mpx_amp_node nodes[9];
    mpx_amp_graph graph;
    mpx_amp amp;
    planned p;
    size_t i;
    char line[200];
    memset(&amp, 0, sizeof amp);
    amp.rules = mine, amp.rule_count = 2, amp.compute = MPX_BF16;
    mine[0].accumulate = MPX_F32, mine[1].custom = first_low, mine[1].user = &status;
    nodes[0] = node_of("", "", NULL, 0, MPX_F32, 0);
    nodes[1] = node_of("w", NULL, NULL, 0, MPX_F32, MPX_AMP_NODE_CONSTANT);
    nodes[2] = node_of("add", "", add, 2, MPX_F32, 0);
    nodes[3] = node_of("n", NULL, NULL, 0, MPX_I32, 0);
    nodes[4] = node_of("matmul", NULL, ints, 1, MPX_I32, 0);
    nodes[5] = node_of("mine", NULL, add, 1, MPX_F32, 0);
    nodes[6] = node_of("z", NULL, NULL, 0, MPX_F64, 0);
    nodes[7] = node_of("matmul", NULL, z, 1, MPX_F16, MPX_AMP_NODE_CAST);
    nodes[8] = node_of("matmul", NULL, cast, 1, MPX_F16, 0);
    graph = mpx_amp_graph_of_nodes(nodes, 9);
    CHECK(make_plan(&p, &amp, graph, 0) == MPX_OK, "plans");
    for (i = 0; i < 9; i++) {
        (void)mpx_amp_explain_node(&p.plan, graph, i, line, sizeof line);
        CHECK(strcmp(line, wants[i]) == 0, "%s", line);
    }
    free(p.memory);
}

/* The last node of three answers with other inputs than when it was planned: the plan has none of
   them, and a canary stands where they would be read. */
static void case_explain_other_inputs(void) {
    static const size_t one[] = { 0 }, many[] = { 0, 1, 0, 1, 0, 1 };
    const size_t counts[] = { 6, 2, 0 }, canary = (size_t)-1 / 64;
    mpx_amp amp = amp_of("matmul=compute", MPX_F16);
    mpx_amp_node nodes[3];
    mpx_amp_graph graph = mpx_amp_graph_of_nodes(nodes, 3);
    size_t size = 0, memory[400], i;
    char line[200];
    mpx_amp_plan plan;
    memset(&plan, 0, sizeof plan);
    nodes[0] = node_of("in", NULL, NULL, 0, MPX_F32, 0);
    nodes[1] = node_of("add", NULL, one, 1, MPX_F32, 0);
    nodes[2] = node_of("matmul", NULL, one, 1, MPX_F32, 0);
    CHECK(mpx_amp_plan_size(graph, &size, NULL) == MPX_OK && size <= sizeof memory, "size");
    for (i = 0; i < sizeof memory / sizeof memory[0]; i++)
        memory[i] = canary;
    CHECK(mpx_amp_plan_graph(&amp, graph, memory, size, &plan, NULL) == MPX_OK, "plans");
    CHECK(plan.nodes[2].input_count == 1 && plan.nodes[0].input_count == 0, "inputs");
    nodes[2].inputs = many;
    for (i = 0; i < 3; i++) {
        nodes[2].input_count = counts[i];
        mpx_amp_explain_node(&plan, graph, 2, line, sizeof line);
        CHECK(strcmp(line, "    2 ?") == 0, "%d inputs: %s", (int)counts[i], line);
    }
    graph.count = 2;
    nodes[2].input_count = 1;
    mpx_amp_explain_node(&plan, graph, 2, line, sizeof line);
    CHECK(strcmp(line, "    2 ?") == 0, "gone: %s", line);
}

/* ---- large graphs ---------------------------------------------------------------------------- */

/* Transformer blocks without end: twelve nodes a block, by callback. */
static mpx_status long_node(size_t index, mpx_amp_node *node, void *user) {
    static const char *const ops[12] = { "w", "w", "layer_norm", "matmul", "mul", "softmax",
                                         "matmul", "add", "layer_norm", "matmul", "gelu", "add" };
    static const char *const scopes[3] = { "model/block/attention", "model/block/mlp", "model" };
    size_t *inputs = (size_t *)user, at = index % 12;
    *node = node_of(ops[at], scopes[index / 12 % 3], inputs, at < 2 ? 0 : at % 2 == 1 ? 2 : 1,
                    MPX_F32, at < 2 ? MPX_AMP_NODE_CONSTANT : 0);
    inputs[0] = at == 2 && index > 12 ? index - 3 : index - (index != 0);
    inputs[1] = index - (at & 1u) - (index != 0);
    return MPX_OK;
}

/* The best of some runs, in milliseconds of this process. */
static double case_long_graph(int runs) {
    static const struct { size_t node; const char *start; } lines[] = {
        { 9, "    9 matmul  " }, { 10, "   10 gelu  " }, { 999, "  999 matmul  " }, { 1000, " 1000 mul  " },
        { 99999, "99999 " }, { 100000, "100000 " },
    };
    enum { LONG = 100001 };
    mpx_amp amp = amp_of("default, softmax=f32, layer_norm=f32, matmul=compute acc f32, "
                         "gelu=compute, scope:head=original", MPX_BF16);
    size_t inputs[2] = { 0, 0 }, size = 0, i;
    mpx_amp_graph graph;
    mpx_amp_plan plan;
    unsigned char *memory;
    double best = 1e9;
    graph.node = long_node, graph.user = inputs, graph.count = LONG;
    CHECK(mpx_amp_plan_size(graph, &size, NULL) == MPX_OK, "size");
    memory = (unsigned char *)malloc(size);
    for (; runs != 0; runs--) {
        clock_t start = clock();
        double time;
        memset(&plan, 0, sizeof plan);
        CHECK(mpx_amp_plan_graph(&amp, graph, memory, size, &plan, NULL) == MPX_OK, "plans");
        time = (double)(clock() - start) * 1000 / CLOCKS_PER_SEC;
        best = time < best ? time : best;
    }
    CHECK(plan.node_count == LONG && plan.cast_count > LONG / 12 && plan.shared > LONG / 24,
          "%d casts, %d shared", (int)plan.cast_count, (int)plan.shared);
    for (i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[200];
        (void)mpx_amp_explain_node(&plan, graph, lines[i].node, line, sizeof line);
        CHECK(strncmp(line, lines[i].start, strlen(lines[i].start)) == 0, "node %d: %s", (int)lines[i].node, line);
    }
    printf("a graph of %d nodes: %d casts, planned in %.1f ms, in %.1f MB\n", LONG,
           (int)plan.cast_count, best, (double)size / 1e6);
    free(memory);
    return best;
}

int main(int argc, char **argv) {
    int list = argc > 1 && strcmp(argv[1], "--list") == 0;
    if (argc > 1 && strcmp(argv[1], "--time") == 0) return case_long_graph(10) < 100.0 ? 0 : 1;
    case_golden(list);
    if (!list) {
        case_text();
        case_no_text();
        case_bad_text();
        case_order();
        case_which_scope();
        case_key_slice();
        case_later_rules_count();
        case_unknown_ops_are_plain();
        case_accumulate();
        case_nothing_wide();
        case_bad_operands();
        case_odd_keys();
        case_eager_refuses();
        case_custom();
        case_scopes_nest();
        case_weights_are_cast_once();
        case_kept_casts_are_told_apart();
        case_casts_of_casts();
        case_weights_beside_results();
        case_eager_space();
        case_one_weight_twice();
        case_eager_complex();
        case_plan_shares_casts();
        case_plan_removes_exact_casts();
        case_plan_restores_outputs();
        case_every_exact_cast();
        case_random_graphs(20000);
        case_bad_graphs();
        case_bad_plans();
        case_callbacks_fail_anywhere();
        case_rules_fail_anywhere();
        case_other_inputs();
        case_complex_results();
        case_accumulates_alone();
        case_explain();
        case_explain_others();
        case_explain_other_inputs();
        case_long_graph(1);
    }
    return list ? 0 : test_done("amp");
}
