/* Rules from raw bytes, and graphs and operations under them. Rules: a table that prints as text
   that reads back the same, or an error with its place and nothing written. Graphs: honest ones, in
   an array, of which the plan must hold together; hostile ones, whose callback makes up another
   node at every call. Operations: scopes entered and left at random, operands cast into an arena of
   any size. Input: what, size of a buffer, flags, compute dtype, length of the text, the text, then
   the choices. */
#include "fuzz.h"

enum { RULES = 24, NODES = 12, INPUTS = 4, CALLS = 60 };

static const char *const ops[8] = { NULL, "add", "matmul", "softmax", "x", "", "dot_general", "e" };
static const char *const scopes[8] = { NULL, "", "a", "a/b", "amp_stop", "x/amp_stop/a", "//", "e" };

/* ---- rules ----------------------------------------------------------------------------------- */

static void check_error(const mpx_error *err, const char *text, size_t len, unsigned size) {
    char *buf = (char *)fuzz_room(size);
    CLAIM(err->offset <= len && err->length <= len - err->offset);
    CLAIM(mpx_error_format(err, text, buf, size) != 0);
    if (size != 0) CLAIM(memchr(buf, 0, size) != NULL);
    free(buf);
}

static int same_rule(const mpx_amp_rule *a, const mpx_amp_rule *b) {
    size_t n = a->key_length != 0 ? a->key_length : strlen(a->key);
    return n == (b->key_length != 0 ? b->key_length : strlen(b->key)) &&
           memcmp(a->key, b->key, n) == 0 && a->is_scope == b->is_scope &&
           a->precision == b->precision && a->accumulate == b->accumulate;
}

static void check_format(const mpx_amp_rule *rules, size_t count, unsigned size) {
    size_t length = mpx_amp_rules_format(rules, count, NULL, 0), again = 0, i;
    char *buf = (char *)fuzz_room(length + 1), *cut = (char *)fuzz_room(size);
    mpx_amp_rule read[RULES];
    CLAIM(mpx_amp_rules_format(rules, count, buf, length + 1) == length);
    CLAIM(mpx_amp_rules_format(rules, count, cut, size) == length);
    if (size != 0) CLAIM(memchr(cut, 0, size) != NULL);
    CLAIM(mpx_amp_rules_parse_n(buf, length, read, RULES, &again, NULL) == MPX_OK);
    CLAIM(again == count);
    for (i = 0; i < count; i++) CLAIM(same_rule(&rules[i], &read[i]));
    free(cut);
    free(buf);
}

static size_t read_rules(const char *text, size_t len, mpx_amp_rule *rules, unsigned size) {
    size_t count = 99;
    mpx_error err;
    mpx_status status = mpx_amp_rules_parse_n(text, len, rules, RULES, &count, &err);
    CLAIM(err.status == status);
    if (status == MPX_OK) {
        CLAIM(count <= RULES);
        check_format(rules, count, size);
        return count;
    }
    CLAIM(count == 99);
    check_error(&err, text, len, size);
    return 0;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static mpx_dtype choose_dtype(fuzz_input *in) {
    unsigned x = fuzz_byte(in);
    return x < 4 ? (int)x * 60 - 70 : (int)(1 + x % (MPX_DTYPE_COUNT - 1));
}

static void choose_node(fuzz_input *in, size_t index, mpx_amp_node *node, size_t *inputs) {
    unsigned i, shape = fuzz_byte(in);
    node->op = ops[shape & 7];
    node->scope = scopes[shape >> 3 & 7];
    node->inputs = inputs;
    node->input_count = fuzz_below(in, INPUTS + 1);
    node->dtype = choose_dtype(in);
    node->count = shape >> 6 == 3 ? (size_t)-1 - shape : shape;
    node->flags = fuzz_byte(in);
    if ((node->flags & MPX_AMP_NODE_CAST) != 0 && shape % 5 != 0) node->input_count = 1;
    for (i = 0; i < INPUTS; i++) {
        unsigned x = fuzz_byte(in);
        inputs[i] = x < 250 && index != 0 ? x % index : (size_t)x - 250;
    }
    if (index == 0 && shape % 7 != 0) node->input_count = 0;
}

typedef struct liar {
    fuzz_input *in;
    unsigned calls;
    size_t inputs[INPUTS];
} liar;

static mpx_status lie(size_t index, mpx_amp_node *node, void *user) {
    liar *self = (liar *)user;
    if (self->calls++ >= CALLS || fuzz_below(self->in, 40) == 39) return MPX_ERR_CALLBACK;
    choose_node(self->in, index, node, self->inputs);
    return MPX_OK;
}

static mpx_dtype value_dtype(const mpx_amp_plan *plan, size_t value) {
    size_t n = plan->node_count;
    CLAIM(value < n + plan->cast_count);
    return value < n ? plan->nodes[value].dtype : plan->casts[value - n].to;
}

static void check_plan(const mpx_amp_plan *plan, const mpx_amp_node *nodes) {
    size_t n = plan->node_count, i, k, before = 0;
    for (k = 0; k < plan->cast_count; k++) {
        const mpx_amp_planned_cast *cast = &plan->casts[k];
        CLAIM(cast->before >= before && cast->before <= n && cast->uses > 0);
        CLAIM(cast->source < n ? cast->source < cast->before : cast->source < n + k);
        CLAIM(cast->from == value_dtype(plan, cast->source) && cast->from != cast->to);
        for (i = 0; i < k; i++)
            CLAIM(plan->casts[i].source != cast->source || plan->casts[i].to != cast->to);
        before = cast->before;
    }
    for (i = 0; i < n; i++) {
        CLAIM(mpx_dtype_bits(plan->nodes[i].dtype) != 0);
        CLAIM(!plan->nodes[i].removed || plan->nodes[i].uses == 0);
        (void)value_dtype(plan, plan->nodes[i].output);
        for (k = 0; k < nodes[i].input_count; k++) {
            size_t value = plan->nodes[i].inputs[k];
            (void)value_dtype(plan, value);
            CLAIM(value >= n ? plan->casts[value - n].before <= i : value < i);
            if (value < n && !plan->nodes[i].removed) CLAIM(!plan->nodes[value].removed);
        }
    }
}

static void check_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, unsigned size) {
    char *buf = (char *)fuzz_room(size);
    (void)mpx_amp_explain(plan, graph, buf, size);
    if (size != 0) CLAIM(memchr(buf, 0, size) != NULL);
    (void)mpx_amp_explain_node(plan, graph, size, buf, size);
    free(buf);
}

/* nodes NULL: the callback's. */
static void make_plan(const mpx_amp *amp, mpx_amp_graph graph, const mpx_amp_node *nodes,
                      unsigned size) {
    mpx_error err;
    mpx_amp_plan plan;
    size_t bytes = 7, odd = size % 16;
    mpx_status status;
    uint8_t *memory;
    char text[128];
    if (mpx_amp_plan_size(graph, &bytes, &err) != MPX_OK) {
        CLAIM(bytes == 7 && err.index <= graph.count && mpx_error_format(&err, NULL, text, 128) < 128);
        return;
    }
    memory = fuzz_room(bytes + odd);
    memset(&plan, 0, sizeof plan);
    status = mpx_amp_plan_graph(amp, graph, memory + odd, bytes, &plan, &err);
    CLAIM(status == err.status);
    if (status == MPX_OK && nodes != NULL) check_plan(&plan, nodes);
    if (status == MPX_OK && nodes != NULL) check_explain(&plan, graph, size);
    if (status != MPX_OK) CLAIM(plan.nodes == NULL && plan.cast_count == 0);
    free(memory);
}

static void honest_graph(fuzz_input *in, const mpx_amp *amp, unsigned size) {
    static mpx_amp_node nodes[NODES];
    static size_t inputs[NODES][INPUTS];
    size_t n = fuzz_below(in, NODES + 1), i;
    for (i = 0; i < n; i++) choose_node(in, i, &nodes[i], inputs[i]);
    make_plan(amp, mpx_amp_graph_of_nodes(nodes, n), nodes, size);
}

static void hostile_graph(fuzz_input *in, const mpx_amp *amp, unsigned size) {
    mpx_amp_graph graph;
    liar self;
    memset(&self, 0, sizeof self);
    self.in = in;
    graph.node = lie;
    graph.user = &self;
    graph.count = fuzz_below(in, NODES + 1);
    make_plan(amp, graph, NULL, size);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* The operand as it should be after the call, from a copy of what it was before. */
static void check_cast(const mpx_amp_operand *now, const mpx_amp_operand *before,
                       const uint8_t *copy) {
    uint8_t want[512 * 8];
    CLAIM(now->dtype == now->to);
    if (now->keep || now->to == before->dtype) return;
    if (mpx_dtype_info(before->dtype).kind == MPX_KIND_COMPLEX) return; /* real parts */
    CLAIM(mpx_cast(want, now->to, copy, before->dtype, before->count) == MPX_OK);
    CLAIM(before->count == 0 ||
          memcmp(want, now->data, mpx_dtype_bytes(now->to, before->count)) == 0);
}

static void operate(fuzz_input *in, const mpx_amp *amp, unsigned size) {
    static uint8_t copies[3][512 * 8];
    mpx_amp_operand last;
    const char *names[3];
    mpx_amp_kept kept[3];
    mpx_amp_eager run;
    uint8_t *data = fuzz_room(64), *storage = fuzz_room(size);
    unsigned steps;
    fuzz_fill(in, data, 4);
    memset(&run, 0, sizeof run);
    memset(&last, 0, sizeof last);
    run.amp = *amp;
    run.scopes = names, run.scope_capacity = 3;
    run.kept = kept, run.kept_capacity = 3;
    run.arena.data = storage, run.arena.size = size;
    for (steps = 0; steps < 12; steps++) {
        mpx_amp_operand operands[3], before[3];
        unsigned what = fuzz_byte(in), i, depth = (unsigned)run.scope_count;
        mpx_amp_answer answer;
        if (what < 50) CLAIM(mpx_amp_eager_push(&run, scopes[1 + what % 7]) ==
                             (depth < 3 ? MPX_OK : MPX_ERR_SPACE));
        else if (what < 90) CLAIM(mpx_amp_eager_pop(&run) == (depth > 0 ? MPX_OK : MPX_ERR_SCOPE));
        else if (what < 100) mpx_amp_eager_forget(&run);
        if (what < 100) continue;
        memset(operands, 0, sizeof operands);
        for (i = 0; i < 3; i++) {
            int bits;
            operands[i].dtype = choose_dtype(in);
            operands[i].plain = fuzz_below(in, 2) ? choose_dtype(in) : MPX_NONE;
            bits = mpx_dtype_bits(operands[i].dtype);
            operands[i].count = bits != 0 ? fuzz_below(in, 512u / (unsigned)bits + 1) : 0;
            operands[i].data = data;
            operands[i].keep = (int)fuzz_below(in, 2);
        }
        if (last.data != NULL && what % 3 == 0) operands[0] = last;
        memcpy(before, operands, sizeof before);
        for (i = 0; i < 3; i++)
            if (operands[i].count != 0)
                memcpy(copies[i], operands[i].data,
                       mpx_dtype_bytes(operands[i].dtype, operands[i].count));
        last.data = NULL;
        if (mpx_amp_eager_cast(&run, ops[what % 8], operands, what % 4, &answer) == MPX_OK)
            for (i = 0; i < what % 4; i++) {
                check_cast(&operands[i], &before[i], copies[i]);
                last = operands[i];
                last.keep = 0;
            }
        CLAIM(run.arena.used <= size && run.kept_count <= 3);
    }
    free(storage);
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    unsigned what = fuzz_below(&in, 3), room = fuzz_byte(&in);
    mpx_amp_rule rules[RULES];
    mpx_amp amp;
    char *text;
    size_t len;
    memset(&amp, 0, sizeof amp);
    amp.flags = fuzz_below(&in, 8);
    amp.compute = choose_dtype(&in);
    len = fuzz_byte(&in);
    if (len > in.left) len = in.left;
    text = (char *)fuzz_room(len);
    memcpy(text, in.at, len);
    in.at += len, in.left -= len;
    amp.rules = rules;
    amp.rule_count = read_rules(text, len, rules, room);
    if (what == 0) honest_graph(&in, &amp, room);
    if (what == 1) hostile_graph(&in, &amp, room);
    if (what == 2) operate(&in, &amp, room);
    free(text);
    return 0;
}
