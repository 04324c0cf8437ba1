/* Planned graphs, executed by mpx_amp_run: every value against plain loops in double over what it
   was made of, and every cast against mpx_cast; then the same in the smallest memory, bit by bit.
   A graph with all operations and shapes, random graphs, operations of the caller, errors. */
#define MPX_COMPUTE 1
#include "test.h"
#include <math.h>

#define COUNT(a) (sizeof (a) / sizeof (a)[0])
enum { NODES = 64, VALUES = 4 * NODES, MOST = 4096 }; /* elements of a value */

/* ---- graphs ---------------------------------------------------------------------------------- */

typedef struct graph {
    mpx_amp_node nodes[NODES];
    size_t inputs[NODES][3], count;
    mpx_amp_value shapes[NODES]; /* of inputs, weights, and what is reshaped */
} graph;

static uint32_t seed = 1;
static uint32_t random_below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}
static size_t add(graph *g, const char *op, size_t count, size_t n, size_t a, size_t b, size_t c) {
    const size_t i = g->count++;
    memset(&g->nodes[i], 0, sizeof g->nodes[i]);
    memset(&g->shapes[i], 0, sizeof g->shapes[i]);
    g->inputs[i][0] = a, g->inputs[i][1] = b, g->inputs[i][2] = c;
    g->nodes[i].op = op;
    g->nodes[i].inputs = g->inputs[i];
    g->nodes[i].input_count = n;
    g->nodes[i].dtype = MPX_F32;
    g->nodes[i].count = count;
    return i;
}
static size_t put(graph *g, size_t batch, size_t rows, size_t cols) { /* an input */
    const size_t i = add(g, "input", (batch == 0 ? 1 : batch) * rows * cols, 0, 0, 0, 0);
    g->shapes[i].batch = batch;
    g->shapes[i].rows = rows;
    g->shapes[i].cols = cols;
    return i;
}
static size_t flagged(graph *g, size_t i, unsigned flags) {
    g->nodes[i].flags = flags;
    return i;
}

/* ---- plain loops ----------------------------------------------------------------------------- */

typedef struct array {
    size_t batch, rows, cols;
    double x[MOST];
} array;

static double function(const char *op, double x) {
    if (strcmp(op, "exp") == 0) return exp(x);
    if (strcmp(op, "tanh") == 0) return tanh(x);
    if (strcmp(op, "logistic") == 0 || strcmp(op, "sigmoid") == 0) return 1 / (1 + exp(-x));
    if (strcmp(op, "relu") == 0) return x > 0 ? x : 0;
    if (strcmp(op, "silu") == 0) return x / (1 + exp(-x));
    if (strcmp(op, "gelu_erf") == 0) return x * 0.5 * erfc(-x / sqrt(2));
    if (strcmp(op, "gelu") == 0)
        return x / (1 + exp(-2 * sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    return x; /* casts */
}
static double of(const array *a, size_t batch, size_t row, size_t col) { /* with one for all */
    if (a->batch == 1) batch = 0;
    if (a->rows == 1) row = 0;
    return a->x[(batch * a->rows + row) * a->cols + (a->cols == 1 ? 0 : col)];
}
/* y, and how far off f32 may be. */
static void plain(const char *op, unsigned flags, const array *in, size_t n, array *y, double *off) {
    const array *a = &in[0], *w = &in[1];
    size_t b, r, c, k;
    for (b = 0; b < y->batch; b++)
        for (r = 0; r < y->rows; r++) {
            double sum = 0, mean = 0, around = 0, top = -1e300;
            const size_t row = (b * y->rows + r) * y->cols;
            const int log_too = op[0] == 'l' && op[1] == 'o' && op[3] == '_';
            for (c = 0; c < a->cols; c++) {
                mean += of(a, b, r, c) / (double)a->cols;
                around += fabs(of(a, b, r, c)) / (double)a->cols;
                if (of(a, b, r, c) > top) top = of(a, b, r, c);
            }
            if (strstr(op, "rms") != NULL) mean = 0;
            for (c = 0; c < a->cols; c++)
                sum += strstr(op, "softmax") != NULL ? exp(of(a, b, r, c) - top)
                                                     : pow(of(a, b, r, c) - mean, 2) / (double)a->cols;
            for (c = 0; c < y->cols; c++) {
                double v = 0, size = 0;
                if (strcmp(op, "matmul") == 0 || strcmp(op, "dot_general") == 0) {
                    const int at = (flags & MPX_AMP_NODE_TRANSPOSE_A) != 0;
                    const int wt = (flags & MPX_AMP_NODE_TRANSPOSE_B) != 0;
                    const double *x = a->x + b * a->rows * a->cols;
                    const double *z = w->x + (w->batch == 1 ? 0 : b) * w->rows * w->cols;
                    for (k = 0; k < (at ? a->rows : a->cols); k++) {
                        const size_t xi = at ? k * a->cols + r : r * a->cols + k;
                        const double p = x[xi] * z[wt ? c * w->cols + k : k * w->cols + c];
                        v += p;
                        size += fabs(p);
                    }
                    size *= (double)k + 2;
                } else if (strstr(op, "softmax") != NULL) {
                    v = of(a, b, r, c) - top;
                    size = 8 * (fabs(of(a, b, r, c)) + fabs(top) + log(sum));
                    if (!log_too) size = exp(v) / sum * (8 - 2 * v);
                    v = log_too ? v - log(sum) : exp(v) / sum;
                } else if (strstr(op, "norm") != NULL) {
                    v = (of(a, b, r, c) - mean) / sqrt(sum + 1e-5);
                    size = 16 * (fabs(of(a, b, r, c)) + around) / sqrt(sum + 1e-5);
                    if (n > 1) v *= w->x[c], size *= fabs(w->x[c]);
                    if (n > 2) v += in[2].x[c], size += fabs(in[2].x[c]);
                } else if (n == 2) {
                    const double x = of(a, b, r, c), z = of(w, b, r, c);
                    v = op[0] == 'a' ? x + z : op[0] == 's' ? x - z : op[0] == 'm' ? x * z : x / z;
                } else {
                    v = function(op, strcmp(op, "reshape") == 0 ? a->x[row + c] : of(a, b, r, c));
                    size = fabs(v) * (op[0] == 'g' ? 300 : 4);
                }
                y->x[row + c] = v;
                off[row + c] = size / 16777216;
            }
        }
}
/* What a dtype's rounding may change: half a unit of the last place, and the smallest subnormal. */
static double rounding_of(mpx_dtype type, double x) {
    const mpx_dtype_facts f = mpx_dtype_info(type);
    return fabs(x) * f.epsilon * 0.5000001 + f.smallest_subnormal;
}

/* ---- running --------------------------------------------------------------------------------- */

static union { double align; unsigned char x[MOST * 8]; } store[VALUES];
static array arrays[4];
static double offs[MOST];

static void to_array(array *a, const mpx_amp_value *v) {
    a->batch = v->batch, a->rows = v->rows, a->cols = v->cols;
    (void)mpx_cast(a->x, MPX_F64, v->at, v->dtype, v->batch * v->rows * v->cols);
}
static void fill_inputs(const graph *g, const mpx_amp_plan *plan, mpx_amp_value *values, int stored) {
    float x[MOST];
    size_t i, k;
    uint32_t own = 7;
    memset(values, 0, VALUES * sizeof *values);
    for (i = 0; i < g->count; i++) {
        values[i] = g->shapes[i];
        if (g->nodes[i].input_count != 0) continue;
        for (k = 0; k < g->nodes[i].count; k++) {
            own = own * 1664525u + 1013904223u;
            x[k] = (float)(own >> 8) / 8388608.0f - 1;
            if (fabsf(x[k]) < 0.1f) x[k] += 0.5f; /* divisors */
        }
        values[i].data = store[i].x;
        values[i].dtype = stored ? plan->nodes[i].store : MPX_NONE;
        /* values that the node's dtype has */
        (void)mpx_cast(store[i].x, plan->nodes[i].dtype, x, MPX_F32, g->nodes[i].count);
        (void)mpx_cast(x, MPX_F32, store[i].x, plan->nodes[i].dtype, g->nodes[i].count);
        (void)mpx_cast(store[i].x, stored ? plan->nodes[i].store : plan->nodes[i].dtype, x, MPX_F32, g->nodes[i].count);
    }
}
static void check_value(const graph *g, const mpx_amp_program *p, size_t i) {
    const mpx_amp_planned_node *planned = &p->plan->nodes[i];
    const mpx_amp_value *v = &p->values[i];
    size_t k, count = g->nodes[i].count;
    double got[MOST];
    for (k = 0; k < planned->input_count; k++)
        to_array(&arrays[k], &p->values[planned->inputs[k]]);
    arrays[3].batch = v->batch, arrays[3].rows = v->rows, arrays[3].cols = v->cols;
    CHECK(v->batch * v->rows * v->cols == count, "node %zu %s: shape", i, g->nodes[i].op);
    CHECK(v->dtype == planned->dtype, "node %zu: dtype", i);
    plain(g->nodes[i].op, g->nodes[i].flags, arrays, planned->input_count, &arrays[3], offs);
    (void)mpx_cast(got, MPX_F64, v->at, v->dtype, count);
    for (k = 0; k < count; k++) {
        const double want = arrays[3].x[k];
        const double bound = offs[k] + 8 * rounding_of(MPX_F32, want) + rounding_of(v->dtype, want);
        if (fabs(want) > 60000 || !isfinite(want)) continue;
        CHECK(fabs(got[k] - want) <= bound, "node %zu %s [%zu]: %.9g, want %.9g within %g", i, g->nodes[i].op, k,
              got[k], want, bound);
    }
}

#define O1 "matmul=compute acc f32, dot_general=compute, softmax=f32, log_softmax=f32, layer_norm=f32, " \
           "rms_norm=f32, exp=f32, gelu=compute, add=widest, mul=f32"
static const struct { const char *rules; mpx_dtype compute; unsigned flags; } policies[] = {
    { "", MPX_NONE, 0 },
    { O1, MPX_BF16, MPX_AMP_RESTORE },
    { O1, MPX_F16, MPX_AMP_RESTORE },
    { "default, matmul=compute", MPX_BF16, 0 },
    { "amp_default=compute", MPX_F16, MPX_AMP_RESTORE },
    { "amp_default=compute", MPX_F64, 0 },
    { "amp_default=compute", MPX_F16, MPX_AMP_JAXAMP },
};
static size_t error_policy; /* in check_error */
static void *plan_of(const graph *g, size_t policy, mpx_amp_plan *plan) {
    static mpx_amp_rule rules[32];
    mpx_amp amp;
    size_t size = 0;
    void *memory;
    memset(&amp, 0, sizeof amp);
    amp.rules = rules;
    amp.compute = policies[policy].compute;
    amp.flags = policies[policy].flags;
    CHECK(mpx_amp_rules_parse(policies[policy].rules, rules, 32, &amp.rule_count, NULL) == MPX_OK, "rules");
    CHECK(mpx_amp_plan_size(mpx_amp_graph_of_nodes(g->nodes, g->count), &size, NULL) == MPX_OK, "plan's size");
    memory = malloc(size);
    CHECK(memory != NULL && mpx_amp_plan_graph(&amp, mpx_amp_graph_of_nodes(g->nodes, g->count), memory, size, plan,
                                               NULL) == MPX_OK, "plan");
    return memory;
}
/* Is it what the graph is run for: the result of a node that says so, or that no other reads? */
static int is_result(const graph *g, const mpx_amp_plan *plan, size_t value) {
    size_t i, k, j;
    for (i = 0; i < g->count; i++) {
        int read = (g->nodes[i].flags & MPX_AMP_NODE_OUTPUT) == 0 && i != g->count - 1;
        for (k = j = 0; read && k < g->count * 3 && j == 0; k++)
            j = k % 3 < g->nodes[k / 3].input_count && g->inputs[k / 3][k % 3] == i;
        if (g->nodes[i].input_count != 0 && j == 0 && plan->nodes[i].output == value) return 1;
    }
    return 0;
}
static int less; /* times that weights in the dtype that is planned saved memory */
static size_t check_graph(const graph *g, size_t policy) {
    static mpx_amp_value values[VALUES];
    static unsigned char want[VALUES][MOST * 8];
    mpx_amp_plan plan;
    void *planned = plan_of(g, policy, &plan), *memory;
    mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(g->nodes, g->count), values, NULL, 0, { NULL, NULL, 0 } };
    const size_t all = plan.node_count + plan.cast_count;
    size_t i, size = 0, most = 0;
    char text[MPX_ERROR_TEXT_SIZE];
    mpx_error err = test_any_error(), none;
    mpx_status status;
    memset(&none, 0, sizeof none);
    fill_inputs(g, &plan, values, 0);
    for (i = 0; i < all; i++) /* everything is kept */
        values[i].data = store[i].x;
    status = mpx_amp_run_size(&p, &size, &err);
    mpx_error_format(&err, NULL, text, sizeof text);
    CHECK(status == MPX_OK && memcmp(&err, &none, sizeof err) == 0, "size: %s", text);
    memory = malloc(size);
    err = test_any_error();
    CHECK(mpx_amp_run(&p, memory, size, &err) == MPX_OK && memcmp(&err, &none, sizeof err) == 0, "run");
    free(memory);
    for (i = 0; i < g->count; i++)
        if (g->nodes[i].input_count != 0 && !plan.nodes[i].removed) check_value(g, &p, i);
    for (i = 0; i < plan.cast_count; i++) {
        const mpx_amp_planned_cast *cast = &plan.casts[i];
        (void)mpx_cast(want[0], cast->to, values[cast->source].at, cast->from, cast->count);
        CHECK(memcmp(want[0], store[g->count + i].x, mpx_dtype_bytes(cast->to, cast->count)) == 0, "cast %zu", i);
    }
    for (i = 0; i < all; i++)
        memcpy(want[i], store[i].x, sizeof want[i]);
    /* The same in the smallest memory; then with weights in the dtype that the plan says. Behind inputs is no byte. */
    for (status = 0; status < 2; status++) {
        fill_inputs(g, &plan, values, status != 0);
        for (i = 0; i < g->count; i++) {
            const mpx_dtype type = status != 0 ? plan.nodes[i].store : plan.nodes[i].dtype;
            const size_t bytes = mpx_dtype_bytes(type, g->nodes[i].count);
            if (g->nodes[i].input_count != 0) continue;
            values[i].data = malloc(bytes);
            memcpy(values[i].data, store[i].x, bytes);
        }
        memset(store + g->count, 0x5a, (VALUES - g->count) * sizeof store[0]);
        for (i = 0; i < all; i++)
            if (values[i].data == NULL && is_result(g, &plan, i)) values[i].data = store[i].x;
        size = 0;
        CHECK(mpx_amp_run_size(&p, &size, NULL) == MPX_OK, "size");
        if (status == 0) most = size;
        if (status == 1 && policy == 1) less += size < most;
        memory = malloc(size);
        memset(memory, 0xff, size);
        CHECK(mpx_amp_run(&p, memory, size - 1, &err) == MPX_ERR_SPACE, "a byte less");
        CHECK(err.need == size && err.have == size - 1, "the bytes that are needed");
        CHECK(mpx_amp_run(&p, memory, size, NULL) == MPX_OK, "run");
        for (i = 0; i < all; i++)
            if (is_result(g, &plan, i))
                CHECK(memcmp(want[i], values[i].at, mpx_dtype_bytes(values[i].dtype, values[i].batch * values[i].rows *
                             values[i].cols)) == 0, "value %zu of policy %zu differs in little memory", i, policy);
        for (i = 0; i < g->count; i++)
            if (g->nodes[i].input_count == 0) free(values[i].data);
        free(memory);
    }
    free(planned);
    return most;
}

/* Attention of two heads, an MLP, and every operation and shape once. */
static void make_block(graph *g) {
    size_t x, w, q, k, v, s, one, row, column, h, i;
    static const char *const functions[] = { "exp", "tanh", "logistic", "sigmoid", "relu", "silu", "gelu",
                                             "gelu_erf", "copy" };
    g->count = 0;
    x = put(g, 2, 7, 12);
    w = flagged(g, put(g, 0, 12, 12), MPX_AMP_NODE_CONSTANT);
    row = put(g, 0, 1, 12);
    one = put(g, 0, 0, 0);
    g->shapes[one].batch = g->shapes[one].rows = g->shapes[one].cols = 0; /* filled in */
    g->nodes[one].count = 1;
    column = put(g, 2, 7, 1);
    h = put(g, 0, 1, 12); /* a weight and a bias in half the bits of x */
    g->nodes[h].dtype = MPX_F16;
    (void)add(g, "layer_norm", 168, 3, x, h, h);
    h = add(g, "layer_norm", 168, 3, x, row, row);
    q = add(g, "matmul", 168, 2, h, w, 0);
    k = add(g, "dot_general", 168, 2, h, w, 0);
    v = add(g, "matmul", 168, 2, h, put(g, 2, 12, 12), 0);
    s = flagged(g, add(g, "matmul", 98, 2, q, k, 0), MPX_AMP_NODE_TRANSPOSE_B);
    s = add(g, "mul", 98, 2, s, one, 0);
    s = add(g, "softmax", 98, 1, s, 0, 0);
    h = add(g, "matmul", 168, 2, s, v, 0);
    h = add(g, "add", 168, 2, x, h, 0);
    h = add(g, "rms_norm", 168, 2, h, row, 0);
    h = add(g, "rms_norm", 168, 1, h, 0, 0);
    for (i = 0; i < COUNT(functions); i++)
        h = add(g, functions[i], 168, 1, h, 0, 0);
    h = add(g, "div", 168, 2, h, column, 0);
    h = add(g, "sub", 168, 2, h, row, 0);
    h = flagged(g, add(g, "convert_element_type", 168, 1, h, 0, 0), MPX_AMP_NODE_CAST | MPX_AMP_NODE_OUTPUT);
    g->nodes[h].dtype = MPX_F16;
    h = add(g, "reshape", 168, 1, h, 0, 0);
    g->shapes[h].rows = 21, g->shapes[h].cols = 8;
    h = flagged(g, add(g, "matmul", 64, 2, h, h, 0), MPX_AMP_NODE_TRANSPOSE_A);
    h = add(g, "log_softmax", 64, 1, h, 0, 0);
    h = add(g, "cast", 64, 1, h, 0, 0);
    (void)flagged(g, add(g, "as_type", 64, 1, h, 0, 0), MPX_AMP_NODE_CAST);
    (void)flagged(g, add(g, "matmul", 2 * 12 * 5, 2, x, put(g, 0, 7, 5), 0), MPX_AMP_NODE_TRANSPOSE_A);
    x = put(g, 0, 3, 300); /* more than a tile */
    w = put(g, 0, 3, 1);
    h = add(g, "mul", 900, 2, x, w, 0);
    h = add(g, "add", 900, 2, h, put(g, 0, 1, 300), 0);
    (void)add(g, "sub", 900, 2, h, one, 0);
}
/* Any operation of any two earlier values: all have two matrices of 6 x 6. */
static void make_random(graph *g) {
    static const char *const ops[] = { "tanh", "softmax", "layer_norm", "sigmoid", "matmul", "add", "sub",
                                       "mul", "copy", "gelu", "cast" };
    size_t i;
    g->count = 0;
    for (i = 0; i < 3; i++)
        (void)flagged(g, put(g, 2, 6, 6), i == 0 ? MPX_AMP_NODE_CONSTANT : 0);
    while (g->count < 40) {
        const uint32_t which = random_below((uint32_t)COUNT(ops)), far = random_below(3) == 0 ? 0 : 3;
        const size_t n = g->count, from = far && n > 6 ? n - 4 : 0;
        const size_t a = from + random_below((uint32_t)(n - from)), b = random_below((uint32_t)n);
        i = add(g, ops[which], 72, which >= 4 && which < 8 ? 2 : 1, a, b, 0);
        if (which == 4) g->nodes[i].flags = random_below(4) * MPX_AMP_NODE_TRANSPOSE_A;
        if (which == 10) {
            static const mpx_dtype types[] = { MPX_F32, MPX_F16, MPX_BF16 };
            g->nodes[i].flags = MPX_AMP_NODE_CAST;
            g->nodes[i].dtype = types[random_below(3)];
        }
        if (random_below(12) == 0) g->nodes[i].flags |= MPX_AMP_NODE_OUTPUT;
    }
}

/* ---- the caller's operations, errors --------------------------------------------------------- */

static int calls;
static mpx_status negate(const mpx_amp_call *call, void *user) {
    const mpx_amp_value *x = &call->values[call->inputs[0]];
    calls++;
    CHECK(call->node->input_count == 1, "a call's inputs");
    CHECK(call->result->cols == x->cols && call->result->rows == x->rows, "a call's shapes");
    return mpx_scale(call->result->at, call->result->dtype, x->at, x->dtype, call->node->count, *(const float *)user);
}
static mpx_status refuse(const mpx_amp_call *call, void *user) {
    (void)call;
    (void)user;
    return MPX_ERR_CALLBACK;
}
static void check_own(void) {
    static mpx_amp_value values[VALUES];
    static float x[12], y[12];
    float by = -1;
    mpx_amp_op ops[2] = { { "negate", negate, NULL }, { "exp", negate, NULL } };
    graph g;
    mpx_amp_plan plan;
    mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(NULL, 0), values, ops, 2, { NULL, NULL, 0 } };
    mpx_error err;
    void *planned;
    size_t size = 0, i;
    char memory[1024];
    ops[0].user = ops[1].user = &by;
    g.count = 0;
    (void)put(&g, 0, 3, 4);
    (void)add(&g, "negate", 12, 1, 0, 0, 0);
    (void)add(&g, "exp", 12, 1, 1, 0, 0); /* ours comes first */
    (void)add(&g, "relu", 12, 1, 2, 0, 0);
    planned = plan_of(&g, 0, &plan);
    p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
    memset(values, 0, sizeof values);
    for (i = 0; i < 12; i++)
        x[i] = (float)i - 5;
    values[0] = g.shapes[0];
    values[0].data = x;
    values[3].data = y;
    CHECK(mpx_amp_run_size(&p, &size, NULL) == MPX_OK && size <= sizeof memory && calls == 0, "size");
    CHECK(size == 2 * 48 + 15, "two results at any alignment: %zu bytes", size);
    CHECK(mpx_amp_run(&p, memory, size, NULL) == MPX_OK && calls == 2, "own operations: %d calls", calls);
    for (i = 0; i < 12; i++)
        CHECK((double)y[i] == fmax((double)x[i], 0), "own operations");
    CHECK(values[3].rows == 3 && values[3].cols == 4 && values[3].batch == 1, "a shape that is filled in");
    CHECK(values[3].dtype == MPX_F32, "a dtype that is filled in");
    ops[1].run = refuse;
    CHECK(mpx_amp_run(&p, memory, size, &err) == MPX_ERR_CALLBACK && err.index == 2, "an operation that fails");
    CHECK(mpx_amp_run(&p, NULL, size, &err) == MPX_ERR_SPACE && err.have == 0 && err.need == size, "no memory");
    free(planned);
}
/* One of the caller's operations with fewer elements than it reads: one row. Arrays of nothing. */
static mpx_status first_few(const mpx_amp_call *call, void *user) {
    const mpx_amp_value *x = &call->values[call->inputs[0]], *y = call->result;
    CHECK(y->batch == 1 && y->rows == 1 && y->cols == call->node->count, "a row");
    (void)user;
    return mpx_cast(y->at, y->dtype, x->at, x->dtype, call->node->count);
}
static void check_few(void) {
    static mpx_amp_value values[VALUES];
    static const float x[12] = { 4, 5, 6, 7 };
    const mpx_amp_op few = { "few", first_few, NULL };
    float y[5] = { 0 };
    graph g;
    mpx_amp_plan plan;
    mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(NULL, 0), values, &few, 1, { NULL, NULL, 0 } };
    size_t size = 0;
    char memory[1024];
    void *planned;
    g.count = 0;
    (void)put(&g, 0, 3, 4);
    (void)put(&g, 0, 0, 4);
    (void)add(&g, "exp", 0, 1, 1, 0, 0);
    (void)add(&g, "few", 5, 1, 0, 0, 0);
    (void)put(&g, 0, 4, 0);
    (void)add(&g, "exp", 0, 1, 4, 0, 0);
    planned = plan_of(&g, 0, &plan);
    p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
    memset(values, 0, sizeof values);
    values[0] = g.shapes[0], values[1] = g.shapes[1], values[4] = g.shapes[4];
    values[0].data = values[1].data = values[4].data = (void *)(uintptr_t)x;
    values[3].data = y;
    CHECK(mpx_amp_run_size(&p, &size, NULL) == MPX_OK && size <= sizeof memory, "size");
    CHECK(mpx_amp_run(&p, memory, size, NULL) == MPX_OK && memcmp(x, y, sizeof y) == 0, "few");
    CHECK(values[2].rows == 0 && values[2].cols == 4 && values[5].rows == 4 && values[5].cols == 0, "of nothing");
    free(planned);
}
/* Results of as many bytes as memory can have, and of more. Nothing is run. */
static void check_too_large(void) {
    const size_t quarter = ((size_t)-1 >> 4) + 1; /* floats, in bytes a quarter of what size_t counts */
    const struct { size_t count; mpx_status status; } sizes[] = {
        { quarter - 64, MPX_OK }, { quarter, MPX_ERR_SPACE }, { quarter * 2, MPX_ERR_SPACE }, { quarter * 4, MPX_ERR_SPACE },
        { quarter * 8, MPX_ERR_SPACE },
    };
    static mpx_amp_value values[VALUES];
    float x = 0;
    size_t i, size;
    for (i = 0; i < COUNT(sizes); i++) {
        mpx_amp_plan plan;
        mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(NULL, 0), values, NULL, 0, { NULL, NULL, 0 } };
        mpx_error err;
        graph g;
        void *planned;
        g.count = 0;
        (void)put(&g, 0, 1, sizes[i].count);
        (void)add(&g, "exp", sizes[i].count, 1, 0, 0, 0);
        planned = plan_of(&g, 0, &plan);
        p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
        memset(values, 0, sizeof values);
        values[0] = g.shapes[0];
        values[0].data = &x;
        size = 0;
        CHECK(mpx_amp_run_size(&p, &size, &err) == sizes[i].status, "%zu floats: %s", sizes[i].count,
              mpx_status_string(err.status));
        CHECK(sizes[i].status == MPX_OK ? size >= sizes[i].count * 4 && size < sizes[i].count * 4 + 1000 : err.index == 1,
              "%zu floats: %zu bytes, node %zu", sizes[i].count, size, err.index);
        free(planned);
    }
    { /* a matrix that cannot be packed */
        const size_t k = (size_t)-1 >> 8;
        mpx_amp_plan plan;
        mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(NULL, 0), values, NULL, 0, { NULL, NULL, 0 } };
        graph g;
        void *planned;
        g.count = 0;
        (void)put(&g, 0, 1, k), (void)put(&g, 0, k, 16);
        (void)add(&g, "matmul", 16, 2, 0, 1, 0);
        planned = plan_of(&g, 0, &plan);
        p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
        memset(values, 0, sizeof values);
        values[0] = g.shapes[0], values[1] = g.shapes[1];
        values[0].data = values[1].data = &x;
        CHECK(mpx_amp_run_size(&p, &size, NULL) == MPX_ERR_SPACE, "a matrix that is too large");
        free(planned);
    }
}
static void check_error(const graph *g, const mpx_amp_value *set, size_t at, const char *want) {
    static mpx_amp_value values[VALUES];
    static float y[MOST];
    mpx_amp_op own = { "negate", negate, NULL };
    mpx_amp_plan plan;
    mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(g->nodes, g->count), values, &own, 1, { NULL, NULL, 0 } };
    mpx_error err = test_any_error();
    void *planned = plan_of(g, error_policy, &plan);
    char text[MPX_ERROR_TEXT_SIZE] = "none", memory[64];
    size_t size = 123, i;
    fill_inputs(g, &plan, values, 0);
    for (i = 0; i < MOST; i++)
        y[i] = 77;
    values[g->count - 1].data = y;
    if (set != NULL) values[at] = *set;
    calls = 0;
    CHECK(mpx_amp_run_size(&p, &size, &err) != MPX_OK && size == 123, "an error");
    mpx_error_format(&err, NULL, text, sizeof text);
    CHECK(strcmp(text, want) == 0, "%s, not %s", text, want);
    CHECK(mpx_amp_run(&p, memory, sizeof memory, NULL) == err.status && calls == 0 && y[0] == 77, "nothing is run");
    free(planned);
}
#define ONE_OF "; expected one of the caller's, or matmul, softmax, add or the like"
static void check_errors(void) {
    graph g, h;
    mpx_amp_value bad;
    mpx_error err;
    mpx_amp_plan plan;
    mpx_amp_program p;
    size_t size;
    void *planned;
    memset(&bad, 0, sizeof bad);
    g.count = 0;
    (void)put(&g, 0, 3, 4);
    (void)put(&g, 0, 4, 5);
    h = g;
    (void)add(&h, "matmul", 15, 2, 0, 1, 0);
    (void)add(&h, "frobnicate", 15, 1, 2, 0, 0);
    check_error(&h, NULL, 0, "unknown operation: node 3 'frobnicate'" ONE_OF);
    h.nodes[3].op = "Exp";
    check_error(&h, NULL, 0, "unknown operation: node 3 'Exp'" ONE_OF);
    h.nodes[3].op = NULL;
    check_error(&h, NULL, 0, "unknown operation: node 3" ONE_OF);
    h.nodes[3].op = "softmax";
    check_error(&h, &bad, 1, "bad argument: node 1 'input'; 0 bytes where 80 are needed");
    bad.data = store[1].x;
    bad.rows = 5, bad.cols = 4;
    check_error(&h, &bad, 1, "unusable shape: input 1 of node 2 'matmul'; 5 rows where 4 are needed");
    bad.rows = 4;
    check_error(&h, &bad, 1, "unusable shape: node 1 'input'; 16 elements where 20 are needed");
    bad.rows = ((size_t)-1 >> 2) + 6, bad.cols = 4, bad.batch = 1; /* their product wraps to 20 */
    check_error(&h, &bad, 1, "unusable shape: node 1 'input'");
    h.nodes[1].count = 0; /* and to 0 */
    bad.rows = ((size_t)-1 >> 8) + 1, bad.cols = 16, bad.batch = 16;
    check_error(&h, &bad, 1, "unusable shape: node 1 'input'");
    h.nodes[1].count = 20;
    bad.batch = 1;
    bad.rows = 5, bad.cols = 4, bad.dtype = MPX_F16;
    check_error(&h, &bad, 1, "unknown or unusable dtype: node 1 'input': found float16, expected float32");
    memset(&bad, 0, sizeof bad);
    bad.rows = 5, bad.cols = 3;
    check_error(&h, &bad, 2, "unusable shape: node 2 'matmul'; 3 columns where 5 are needed");
    h.nodes[2].flags = MPX_AMP_NODE_TRANSPOSE_B;
    check_error(&h, NULL, 0, "unusable shape: input 1 of node 2 'matmul'; 5 columns where 4 are needed");
    h.nodes[2].flags = 0;
    h.nodes[3].input_count = 3;
    check_error(&h, NULL, 0, "bad argument: node 3 'softmax'; 3 inputs where 1 are needed");
    h.nodes[3].op = "negate";
    h.nodes[3].input_count = 1;
    h.nodes[2].count = 16;
    check_error(&h, NULL, 0, "unusable shape: node 2 'matmul'; 15 elements where 16 are needed");
    h = g;
    (void)add(&h, "add", 12, 2, 0, 1, 0);
    check_error(&h, NULL, 0, "unusable shape: input 1 of node 2 'add'; 4 rows where 3 are needed");
    h = g;
    (void)put(&h, 0, 1, 5);
    (void)add(&h, "add", 12, 2, 0, 2, 0);
    check_error(&h, NULL, 0, "unusable shape: input 1 of node 3 'add'; 5 columns where 4 are needed");
    h = g;
    (void)put(&h, 2, 3, 4), (void)put(&h, 3, 4, 5);
    (void)add(&h, "matmul", 30, 2, 2, 3, 0);
    check_error(&h, NULL, 0, "unusable shape: input 1 of node 4 'matmul'; 3 matrices where 2 are needed");
    h = g;
    (void)add(&h, "layer_norm", 12, 2, 0, 1, 0);
    check_error(&h, NULL, 0, "unusable shape: input 1 of node 2 'layer_norm'; 20 elements where 4 are needed");
    memset(&bad, 0, sizeof bad); /* results larger than what they are made of */
    bad.batch = 2, bad.rows = 3, bad.cols = 4;
    h = g;
    (void)add(&h, "exp", 24, 1, 0, 0, 0);
    check_error(&h, &bad, 2, "unusable shape: node 2 'exp'; 2 matrices where 1 are needed");
    h = g;
    (void)add(&h, "reshape", 24, 1, 0, 0, 0);
    check_error(&h, &bad, 2, "unusable shape: input 0 of node 2 'reshape'; 12 elements where 24 are needed");
    h = g;
    (void)add(&h, "exp", 12, 1, 0, 0, 0);
    h.nodes[0].dtype = MPX_I32;
    check_error(&h, NULL, 0, "unknown or unusable dtype: input 0 of node 2 'exp': found int32");
    h.nodes[0].dtype = MPX_F32;
    h.nodes[2].dtype = MPX_I32;
    check_error(&h, NULL, 0, "unknown or unusable dtype: node 2 'exp': found int32");
    h = g;
    (void)add(&h, "matmul", 15, 1, 0, 0, 0);
    check_error(&h, NULL, 0, "bad argument: node 2 'matmul'; 1 inputs where 2 are needed");
    h = g; /* complex numbers are not cast, neither by a node nor by a cast of the plan */
    h.nodes[0].dtype = MPX_C64;
    (void)add(&h, "negate", 20, 1, 1, 0, 0);
    (void)flagged(&h, add(&h, "cast", 12, 1, 0, 0, 0), MPX_AMP_NODE_CAST);
    check_error(&h, NULL, 0, "unknown or unusable dtype: input 0 of node 3 'cast'");
    h.nodes[3].op = "negate", h.nodes[3].flags = 0;
    error_policy = COUNT(policies) - 1;
    check_error(&h, NULL, 0, "unknown or unusable dtype: node 3 'cast'");
    error_policy = 0;
    h = g; /* a norm's weight and bias have one dtype */
    (void)put(&h, 0, 1, 4), (void)put(&h, 0, 1, 4);
    h.nodes[3].dtype = MPX_F16;
    (void)add(&h, "layer_norm", 12, 3, 0, 2, 3);
    check_error(&h, NULL, 0,
                "unknown or unusable dtype: input 2 of node 4 'layer_norm': found float16, expected float32");
    h = g;
    (void)add(&h, "matmul", 15, 2, 0, 1, 0);
    planned = plan_of(&h, 0, &plan);
    p.plan = &plan;
    p.graph = mpx_amp_graph_of_nodes(h.nodes, 2);
    p.ops = NULL;
    p.op_count = 0;
    p.values = (mpx_amp_value *)calloc(VALUES, sizeof *p.values);
    CHECK(mpx_amp_run_size(&p, &size, &err) == MPX_ERR_STRUCTURE && err.have == 2 && err.need == 3, "another graph");
    p.graph.count = 3;
    h.nodes[2].input_count = 1;
    p.values[0].data = p.values[1].data = store;
    CHECK(mpx_amp_run_size(&p, &size, &err) == MPX_ERR_STRUCTURE && err.index == 2, "another count of inputs");
    free(p.values);
    free(planned);
}

/* A graph that fails at one call, of the walk that checks or of the one that computes: nothing more is done. */
typedef struct failing {
    const graph *g;
    size_t calls, fails_at;
} failing;
static mpx_status failing_node(size_t index, mpx_amp_node *node, void *user) {
    failing *f = (failing *)user;
    if (f->calls++ == f->fails_at) return MPX_ERR_CALLBACK;
    *node = f->g->nodes[index];
    return MPX_OK;
}
static void check_failing(void) {
    static mpx_amp_value values[VALUES];
    static float x[20], y[15];
    graph g;
    failing f;
    mpx_amp_plan plan;
    mpx_amp_program p = { &plan, mpx_amp_graph_of_nodes(NULL, 0), values, NULL, 0, { NULL, NULL, 0 } };
    mpx_error err;
    void *planned, *memory;
    size_t size = 0, most;
    g.count = 0;
    (void)put(&g, 0, 3, 4);
    (void)put(&g, 0, 4, 5);
    (void)add(&g, "matmul", 15, 2, 0, 1, 0);
    planned = plan_of(&g, 3, &plan);
    CHECK(plan.cast_count == 2 && plan.casts[0].before == 2, "casts before the product");
    f.g = &g;
    p.graph.node = failing_node, p.graph.user = &f, p.graph.count = 3;
    memset(values, 0, sizeof values);
    values[0] = g.shapes[0], values[1] = g.shapes[1];
    values[0].data = values[1].data = x;
    values[2].data = y;
    f.calls = 0, f.fails_at = 99;
    CHECK(mpx_amp_run_size(&p, &most, NULL) == MPX_OK && f.calls == 3, "a walk");
    memory = malloc(most);
    for (f.fails_at = 0; f.fails_at <= 6; f.fails_at++) {
        f.calls = 0;
        size = 7;
        CHECK(mpx_amp_run_size(&p, &size, &err) == (f.fails_at < 3 ? MPX_ERR_CALLBACK : MPX_OK), "size");
        CHECK(size == (f.fails_at < 3 ? 7 : most), "%zu bytes", size);
        CHECK(f.fails_at >= 3 || err.index == f.fails_at, "call %zu: node %zu", f.fails_at, err.index);
        f.calls = 0, y[0] = 7;
        CHECK(mpx_amp_run(&p, memory, most, &err) == (f.fails_at < 6 ? MPX_ERR_CALLBACK : MPX_OK), "call %zu", f.fails_at);
        CHECK(f.fails_at >= 6 || (err.index == f.fails_at % 3 && f.calls == f.fails_at + 1), "call %zu: node %zu", f.fails_at,
              err.index);
        CHECK((double)y[0] == (f.fails_at < 6 ? 7 : 0), "call %zu", f.fails_at);
    }
    free(memory);
    free(planned);
}

/* Every operation of the table, with every count of inputs. */
static void check_counts(void) {
    static const struct { const char *ops[18]; size_t least, most; } rows[] = {
        { { "matmul", "dot_general", "add", "sub", "mul", "div" }, 2, 2 },
        { { "exp", "tanh", "logistic", "sigmoid", "relu", "silu", "gelu", "gelu_erf", "softmax", "log_softmax",
            "convert_element_type", "cast", "copy", "reshape" }, 1, 1 },
        { { "layer_norm", "rms_norm" }, 1, 3 },
    };
    static const size_t inputs[] = { 0, 0, 0, 0 };
    static float x[16], y[16];
    size_t i, k, n;
    for (i = 0; i < COUNT(rows); i++)
        for (k = 0; rows[i].ops[k] != NULL; k++)
            for (n = 1; n <= COUNT(inputs); n++) {
                mpx_amp_value values[4];
                mpx_amp_plan plan;
                mpx_amp_program p;
                mpx_error err = test_any_error();
                graph g;
                size_t size = 0;
                int is_refused;
                void *planned;
                g.count = 0;
                (void)put(&g, 0, 4, 4);
                (void)add(&g, rows[i].ops[k], 16, n, 0, 0, 0);
                g.nodes[1].inputs = inputs;
                planned = plan_of(&g, COUNT(policies) - 1, &plan);
                memset(values, 0, sizeof values);
                memset(&p, 0, sizeof p);
                values[0].data = x, values[0].rows = values[0].cols = 4;
                values[1].data = y;
                p.plan = &plan;
                p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
                p.values = values;
                (void)mpx_amp_run_size(&p, &size, &err);
                is_refused = err.status == MPX_ERR_ARGUMENT && err.what != NULL && strcmp(err.what, "inputs") == 0;
                CHECK(is_refused == (n < rows[i].least || n > rows[i].most), "%s of %zu inputs: %s", rows[i].ops[k], n,
                      mpx_status_string(err.status));
                CHECK(!is_refused || (err.have == n && err.need == (n < rows[i].least ? rows[i].least : rows[i].most)),
                      "%s: %zu, not %zu", rows[i].ops[k], err.have, err.need);
                free(planned);
            }
}

/* Products are split into as many pieces as fit into the memory, and have the same bits. */
static void run_backward(size_t count, mpx_task_fn task, void *arg, void *user) {
    *(size_t *)user = count;
    while (count-- != 0)
        task(arg, count);
}
static void check_threads(void) {
    enum { M = 3, K = 5, N = 600, BYTES = 4 << 20 }; /* three slabs */
    static float x[M * K], w[K * N], got[2][M * N];
    static unsigned char memory[BYTES];
    mpx_amp_value values[4];
    mpx_amp_plan plan;
    mpx_amp_program p;
    mpx_matmul_options opt;
    mpx_matrix b;
    size_t i, k, size = 0, pieces = 0;
    graph g;
    void *planned;
    g.count = 0;
    (void)put(&g, 0, M, K);
    (void)put(&g, 0, K, N);
    (void)add(&g, "matmul", M * N, 2, 0, 1, 0);
    (void)add(&g, "relu", M * N, 1, 2, 0, 0);
    for (i = 0; i < K * N; i++)
        w[i] = (float)random_below(1000) / 999 - 0.5f;
    for (i = 0; i < M * K; i++)
        x[i] = (float)random_below(1000) / 999 - 0.5f;
    planned = plan_of(&g, 0, &plan);
    memset(&p, 0, sizeof p);
    memset(&opt, 0, sizeof opt);
    memset(&b, 0, sizeof b);
    p.plan = &plan;
    p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
    p.values = values;
    b.type = MPX_F32, b.rows = K, b.cols = N;
    for (k = 0; k < 4; k++) { /* one thread; one piece, which runs on the calling thread; two; three */
        memcpy(values, g.shapes, sizeof values);
        values[0].data = x, values[1].data = w, values[3].data = got[k != 0];
        p.parallel.run = k != 0 ? run_backward : NULL;
        p.parallel.user = &pieces;
        CHECK(mpx_amp_run_size(&p, &size, NULL) == MPX_OK, "size");
        if (k != 0) size += (k - 1) * mpx_matmul_workspace(b, &opt);
        CHECK(size < BYTES && mpx_amp_run(&p, memory + 1, size, NULL) == MPX_OK, "run");
        CHECK(pieces == (k > 1 ? k : 0), "%zu pieces, not %zu", pieces, k);
        CHECK(k == 0 || memcmp(got[1], got[0], sizeof got[0]) == 0, "bits of %zu pieces", k);
        memset(got[1], 0xff, sizeof got[1]);
    }
    free(planned);
}

/* Quotients have every bit of a division, also where compilers may take estimates of 1 / y. */
static void check_quotients(void) {
    enum { N = 40 };
    static const float last[] = { INFINITY, -INFINITY, 3.4e38f, -3.4e38f, 1.2e-38f, 0.0f, -0.0f };
    static float x[N], y[N], got[N];
    mpx_amp_value values[3];
    mpx_amp_plan plan;
    mpx_amp_program p;
    size_t i, size = 0;
    graph g;
    void *planned, *memory;
    g.count = 0;
    (void)put(&g, 0, 1, N);
    (void)put(&g, 0, 1, N);
    (void)add(&g, "div", N, 2, 0, 1, 0);
    for (i = 0; i < N; i++) {
        x[i] = 1 + (float)i / 7;
        y[i] = i < COUNT(last) ? last[i] : 3 + (float)i / 11;
    }
    planned = plan_of(&g, 0, &plan);
    memset(&p, 0, sizeof p);
    memcpy(values, g.shapes, sizeof values);
    values[0].data = x, values[1].data = y, values[2].data = got;
    p.plan = &plan;
    p.graph = mpx_amp_graph_of_nodes(g.nodes, g.count);
    p.values = values;
    CHECK(mpx_amp_run_size(&p, &size, NULL) == MPX_OK, "quotients");
    memory = malloc(size + 1);
    CHECK(mpx_amp_run(&p, memory, size, NULL) == MPX_OK, "quotients");
    for (i = 0; i < N; i++) {
        const float exact = (float)((double)x[i] / (double)y[i]);
        CHECK(memcmp(&got[i], &exact, sizeof exact) == 0, "%g / %g is %g", (double)x[i], (double)y[i], (double)got[i]);
    }
    free(memory);
    free(planned);
}

int main(void) {
    static graph g;
    size_t policy, i, first = 0, half = 0;
    make_block(&g);
    for (policy = 0; policy < COUNT(policies); policy++) {
        const size_t size = check_graph(&g, policy);
        if (policy == 0) first = size;
        if (policy == 4) half = size;
    }
    CHECK(less == 1, "weights as planned need no casts");
    CHECK(half < first, "%zu bytes in f16, %zu in f32", half, first);
    for (i = 0; i < 60; i++) {
        make_random(&g);
        for (policy = 0; policy < COUNT(policies); policy++)
            (void)check_graph(&g, policy);
    }
    check_own();
    check_few();
    check_too_large();
    check_errors();
    check_failing();
    check_counts();
    check_threads();
    check_quotients();
    return test_done("test_amp_run");
}
