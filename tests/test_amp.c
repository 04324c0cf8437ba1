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

int main(int argc, char **argv) {
    int list = argc > 1 && strcmp(argv[1], "--list") == 0;
    case_golden(list);
    return list ? 0 : test_done("amp");
}
