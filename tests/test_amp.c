/* AMP: every recorded row of jaxamp (tests/golden/scope_rules, amp_ops, amp_precision), in its own
   mode and in ours, where rows that differ stand in tests/golden/differences_amp.tsv with what the
   library does and why, and must still do that; rules as text; operations one by one; plans of
   graphs, executed and compared with the same graphs executed without a plan; hostile input. With
   the argument --list: prints the differences. */
#include "test.h"
#include "golden.h"

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

static mpx_amp amp_of(const char *text, mpx_dtype compute) {
    mpx_amp amp;
    mpx_error err;
    memset(&amp, 0, sizeof amp);
    CHECK(mpx_amp_rules_parse(text, rules, RULES, &amp.rule_count, &err) == MPX_OK, "'%s': %s",
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
    check_text("op:amp_stop=f32, op: default =f16, op:scope:x=f32, !op:!y",
               "op:amp_stop=f32, op:default=f16, op:scope:x=f32, !op:!y");
    check_text("! mul, !scope:a, !amp_default", "!mul, !scope:a, !amp_default");
    check_text("scope:amp_stop=f32", "amp_stop=f32");
    check_text("scope:a/b c=f32", "scope:a/b c=f32");
    check_text("default",
               "add=compute, sub=compute, dot_general=compute, conv_general_dilated=compute, "
               "exp=f32, log=f32, mul=f32, div=f32, amp_stop=original, amp_default=original");
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
              "unexpected '=' at 16; expected one '=' in a part");
    check_bad("a=f32, softmax=int8", MPX_ERR_PRECISION, 15, 4,
              "unknown precision 'int8' at 15; expected compute, original, widest or a floating "
              "dtype");
    check_bad("softmax=bf61", MPX_ERR_PRECISION, 8, 4,
              "unknown precision 'bf61' at 8; expected compute, original, widest or a floating "
              "dtype; did you mean 'bfloat16'?");
    check_bad("a=f32 f32", MPX_ERR_RULE, 6, 3,
              "not a rule: 'f32' at 6; expected default, operation=precision or "
              "scope:name=precision");
    check_bad("a=f32 acc", MPX_ERR_PRECISION, 9, 0,
              "missing precision at 9; expected compute, original, widest or a floating dtype");
    check_bad("a=", MPX_ERR_PRECISION, 2, 0,
              "missing precision at 2; expected compute, original, widest or a floating dtype");
    check_bad("a=f32 acc i32", MPX_ERR_PRECISION, 10, 3,
              "unknown precision 'i32' at 10; expected compute, original, widest or a floating "
              "dtype");
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
    check_bad("a=f32, b=f32, c=f32", MPX_ERR_SPACE, 14, 5, "not enough space");
    check_bad("default", MPX_ERR_SPACE, 0, 7, "not enough space");
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

/* Weights (all but the first operand) stay in f32; fails when told. */
static mpx_status first_low(const char *op, mpx_amp_operand *operands, size_t count,
                            mpx_dtype *accumulate, const mpx_amp *amp, void *user) {
    if (count > 0) operands[0].to = amp->compute;
    *accumulate = MPX_F32;
    if (strcmp(op, "bad_dtype") == 0) operands[0].to = 1000;
    if (strcmp(op, "bad_sums") == 0) *accumulate = -4;
    return *(mpx_status *)user;
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
            mpx_amp_operand in[2] = { { x, 9, MPX_F32, 0, 0, 0 }, { x, 16, MPX_F32, 0, 0, 1 } };
            mpx_amp_answer answer = { NULL, UNTOUCHED, 0 };
            mpx_status want = size < 64 || capacity == 0 ? MPX_ERR_SPACE : MPX_OK, status;
            run.arena = mpx_arena_of(storage, size, NULL, 0);
            run.kept_capacity = capacity;
            run.kept_count = 0;
            memset(storage, 0x5a, sizeof storage);
            status = mpx_amp_eager_cast(&run, "matmul", in, 2, &answer);
            CHECK(status == want, "%d bytes, %d entries: %s", (int)size, (int)capacity,
                  mpx_status_string(status));
            if (want == MPX_OK) continue;
            CHECK(in[0].data == x && in[1].dtype == MPX_F32 && in[1].plain == MPX_NONE &&
                      answer.scope == UNTOUCHED && run.arena.used == 0 && run.kept_count == 0 &&
                      storage[0] == 0x5a, "%d bytes: nothing has changed", (int)size);
        }
}

static void case_eager_complex(void) {
    static double z[6] = { 1, 2, 3, 4, 5, 6 };
    static unsigned char storage[64];
    mpx_amp_operand in = { z, 3, MPX_C128, 0, 0, 0 };
    mpx_amp_eager run;
    memset(&run, 0, sizeof run);
    run.amp = amp_of("matmul=f32, fft=f4e2m1fn", MPX_F16);
    run.arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_OK && in.data == z, "stays");
    run.amp.flags = MPX_AMP_JAXAMP;
    CHECK(mpx_amp_eager_cast(&run, "fft", &in, 1, NULL) == MPX_ERR_DTYPE && in.data == z, "f4");
    CHECK(mpx_amp_eager_cast(&run, "matmul", &in, 1, NULL) == MPX_OK && in.dtype == MPX_F32, "f32");
    CHECK(((const float *)in.data)[2] > 4.9f && ((const float *)in.data)[2] < 5.1f, "real parts");
}

int main(int argc, char **argv) {
    int list = argc > 1 && strcmp(argv[1], "--list") == 0;
    case_golden(list);
    if (!list) {
        case_text();
        case_bad_text();
        case_order();
        case_later_rules_count();
        case_unknown_ops_are_plain();
        case_accumulate();
        case_bad_operands();
        case_custom();
        case_scopes_nest();
        case_weights_are_cast_once();
        case_eager_space();
        case_eager_complex();
    }
    return list ? 0 : test_done("amp");
}
