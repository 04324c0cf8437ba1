/*==================================================================*
 * MARK: amp_run - a planned graph executed by one call
 *   Nodes and casts are walked twice, in their order: first to check everything and to give values
 *   their dtypes, shapes and places in memory, then to compute. A table has a row for each
 *   operation.
 *==================================================================*/
#if MPX_COMPUTE && !MPX_NO_AMP

/* What serves an operation. */
enum { MPX__EXEC_MATMUL, MPX__EXEC_ACTIVATE, MPX__EXEC_SOFTMAX, MPX__EXEC_NORM, MPX__EXEC_PAIR,
       MPX__EXEC_COPY };
typedef struct mpx__exec_op {
    char name[21];
    unsigned char by, which;   /* which: MPX_ACT_..., MPX__SOFTMAX ..., or a sign */
    unsigned char least, most; /* inputs */
} mpx__exec_op;
static const mpx__exec_op mpx__exec_ops[] = {
    { "matmul", MPX__EXEC_MATMUL, 0, 2, 2 },
    { "dot_general", MPX__EXEC_MATMUL, 0, 2, 2 },
    { "add", MPX__EXEC_PAIR, '+', 2, 2 },
    { "sub", MPX__EXEC_PAIR, '-', 2, 2 },
    { "mul", MPX__EXEC_PAIR, '*', 2, 2 },
    { "div", MPX__EXEC_PAIR, '/', 2, 2 },
    { "exp", MPX__EXEC_ACTIVATE, MPX_ACT_EXP, 1, 1 },
    { "tanh", MPX__EXEC_ACTIVATE, MPX_ACT_TANH, 1, 1 },
    { "logistic", MPX__EXEC_ACTIVATE, MPX_ACT_SIGMOID, 1, 1 },
    { "sigmoid", MPX__EXEC_ACTIVATE, MPX_ACT_SIGMOID, 1, 1 },
    { "relu", MPX__EXEC_ACTIVATE, MPX_ACT_RELU, 1, 1 },
    { "silu", MPX__EXEC_ACTIVATE, MPX_ACT_SILU, 1, 1 },
    { "gelu", MPX__EXEC_ACTIVATE, MPX_ACT_GELU, 1, 1 },
    { "gelu_erf", MPX__EXEC_ACTIVATE, MPX_ACT_GELU_ERF, 1, 1 },
    { "softmax", MPX__EXEC_SOFTMAX, MPX__SOFTMAX, 1, 1 },
    { "log_softmax", MPX__EXEC_SOFTMAX, MPX__LOG_SOFTMAX, 1, 1 },
    { "layer_norm", MPX__EXEC_NORM, MPX__LAYER_NORM, 1, 3 },
    { "rms_norm", MPX__EXEC_NORM, MPX__RMS_NORM, 1, 3 },
    { "convert_element_type", MPX__EXEC_COPY, 0, 1, 1 },
    { "cast", MPX__EXEC_COPY, 0, 1, 1 },
    { "copy", MPX__EXEC_COPY, 0, 1, 1 },
    { "reshape", MPX__EXEC_COPY, 0, 1, 1 },
};

typedef struct mpx__exec {
    const mpx_amp_program *p;
    size_t index, end, workspace; /* end of the results; bytes for a product: what the largest
                                     needs, then all that follow the results */
    int doing;                    /* 0: the first walk */
    unsigned char *memory;
    mpx_error *err;
    mpx_status status; /* the first that is not MPX_OK */
    mpx_amp_node node; /* that at `index`, and which values it reads */
    const size_t *inputs;
} mpx__exec;

MPX__PRIVATE void mpx__exec_fail(mpx__exec *r, mpx_status status, size_t input) {
    if (r->status != MPX_OK || status == MPX_OK) return;
    r->status = mpx__amp_fail(r->err, status, r->index, input, r->node.op);
}
MPX__PRIVATE void mpx__exec_lack(mpx__exec *r, mpx_status status, size_t input, const char *what,
                                 size_t have, size_t need) {
    if (r->status != MPX_OK || have == need) return;
    mpx__exec_fail(r, status, input);
    (void)mpx__lack(r->err, what, have, need);
}
MPX__PRIVATE void mpx__exec_want(mpx__exec *r, size_t input, const char *what, size_t have,
                                 size_t need) {
    mpx__exec_lack(r, MPX_ERR_SHAPE, input, what, have, need);
}
MPX__INLINE mpx_amp_value *mpx__exec_input(const mpx__exec *r, size_t i) {
    return &r->p->values[r->inputs[i]];
}
MPX__INLINE size_t mpx__exec_rows(const mpx_amp_value *v) { return v->batch * v->rows; }
MPX__INLINE size_t mpx__exec_count(const mpx_amp_value *v) { return mpx__exec_rows(v) * v->cols; }
MPX__INLINE unsigned char *mpx__exec_at(const mpx_amp_value *v, size_t i) {
    return (unsigned char *)v->at + mpx_dtype_bytes(v->dtype, i);
}

/* ---- products -------------------------------------------------- */

typedef struct mpx__exec_product {
    const mpx_amp_value *x, *w;
    mpx_matrix a, b;
    mpx_matmul_options opt;
    size_t count; /* of products: one does for all matrices of a where b has one */
} mpx__exec_product;
MPX__PRIVATE void mpx__exec_product_set(const mpx__exec *r, mpx__exec_product *m) {
    mpx__zero(m, sizeof *m);
    m->opt.transpose_a = (r->node.flags & MPX_AMP_NODE_TRANSPOSE_A) != 0;
    m->opt.transpose_b = (r->node.flags & MPX_AMP_NODE_TRANSPOSE_B) != 0;
    m->opt.parallel = r->p->parallel;
    m->x = mpx__exec_input(r, 0);
    m->w = mpx__exec_input(r, 1);
    m->count = m->w->batch == 1 && !m->opt.transpose_a ? 1 : m->x->batch;
    m->a.type = m->x->dtype;
    m->a.rows = m->count == 1 ? mpx__exec_rows(m->x) : m->x->rows;
    m->a.cols = m->x->cols;
    m->b.type = m->w->dtype;
    m->b.rows = m->w->rows;
    m->b.cols = m->w->cols;
}
MPX__PRIVATE void mpx__exec_product_check(mpx__exec *r, size_t *rows, size_t *cols) {
    mpx__exec_product m;
    size_t size, depth;
    mpx__exec_product_set(r, &m);
    depth = m.opt.transpose_a ? m.x->rows : m.x->cols;
    *rows = m.opt.transpose_a ? m.x->cols : m.x->rows;
    *cols = m.opt.transpose_b ? m.b.rows : m.b.cols;
    if (m.opt.transpose_b) mpx__exec_want(r, 1, "columns", m.b.cols, depth);
    else mpx__exec_want(r, 1, "rows", m.b.rows, depth);
    if (m.w->batch != 1) mpx__exec_want(r, 1, "matrices", m.w->batch, m.x->batch);
    size = mpx_matmul_workspace(m.b, &m.opt);
    if (size == 0) mpx__exec_fail(r, MPX_ERR_SPACE, 1);
    if (size > r->workspace) r->workspace = size;
}
MPX__PRIVATE mpx_status mpx__exec_product_do(const mpx__exec *r, const mpx_amp_value *y) {
    mpx__exec_product m;
    mpx_status status = MPX_OK;
    size_t i;
    mpx__exec_product_set(r, &m);
    m.opt.workspace = r->memory + r->end;
    m.opt.workspace_size = r->workspace;
    for (i = 0; i < m.count && status == MPX_OK; i++) {
        m.a.data = mpx__exec_at(m.x, i * m.a.rows * m.a.cols);
        m.b.data = mpx__exec_at(m.w, m.w->batch == 1 ? 0 : i * m.b.rows * m.b.cols);
        status = mpx_matmul(mpx__exec_at(y, i * y->rows * y->cols), y->dtype, m.a, m.b, &m.opt);
    }
    return status;
}

/* ---- element by element ---------------------------------------- */

/* Of a block, so that compilers make vectors of it. */
MPX__FORCE_INLINE void mpx__exec_sign(float *x, const float *y, int sign) {
    int i;
    switch (sign) {
    case '+': for (i = 0; i < MPX__ROW_BLOCK; i++) x[i] += y[i]; break;
    case '-': for (i = 0; i < MPX__ROW_BLOCK; i++) x[i] -= y[i]; break;
    case '*': for (i = 0; i < MPX__ROW_BLOCK; i++) x[i] *= y[i]; break;
    default:
        for (i = 0; i < MPX__ROW_BLOCK; i++) {
            x[i] /= y[i];
            MPX__BARRIER(); /* clang -ffast-math divides vectors by estimates */
        }
    }
}
/* y = a sign b. b may have one row for all, and one element for all of a row. */
MPX__LOOP mpx_status mpx__exec_pair(const mpx_amp_value *y, const mpx_amp_value *a,
                                      const mpx_amp_value *b, int sign) {
    float x[MPX__ROW_TILE], w[MPX__ROW_TILE];
    const size_t count = mpx__exec_count(a), whole = mpx__exec_count(b) == count,
                 cols = whole ? count : a->cols, width = whole ? count : b->cols,
                 step = whole || mpx__exec_rows(b) == 1 ? 0 : width;
    size_t at, col = 0, n, i;
    const mpx__env env = mpx__enter(MPX__ENV_PLAIN);
    for (i = 0; i < MPX__ROW_TILE; i++)
        x[i] = w[i] = 1;
    for (at = 0; at < count; at += n) {
        n = mpx__at_most(cols - col, MPX__ROW_TILE);
        i = step * (at / cols) + (width == 1 ? 0 : col);
        (void)mpx_cast(x, MPX_F32, mpx__exec_at(a, at), a->dtype, n);
        (void)mpx_cast(w, MPX_F32, mpx__exec_at(b, i), b->dtype, width == 1 ? 1 : n);
        for (i = 1; width == 1 && i < n; i++)
            w[i] = w[0];
        for (i = 0; i < n; i += MPX__ROW_BLOCK)
            mpx__exec_sign(x + i, w + i, sign);
        (void)mpx_cast(mpx__exec_at(y, at), y->dtype, x, MPX_F32, n);
        col = col + n < cols ? col + n : 0;
    }
    mpx__leave(env);
    return MPX_OK;
}

/* ---- one node -------------------------------------------------- */

MPX__PRIVATE void mpx__exec_dtype(mpx__exec *r, size_t input, mpx_dtype found, mpx_dtype expected) {
    if (r->status != MPX_OK || found == expected) return;
    mpx__exec_fail(r, MPX_ERR_DTYPE, input);
    if (r->err == NULL) return;
    r->err->found = found;
    r->err->expected = expected;
}
/* Its dtype, one of two. */
MPX__PRIVATE void mpx__exec_start(mpx__exec *r, mpx_amp_value *v, mpx_dtype dtype,
                                  mpx_dtype other) {
    if (v->dtype == MPX_NONE) v->dtype = dtype;
    if (v->dtype != other) mpx__exec_dtype(r, MPX__NOWHERE, v->dtype, dtype);
}
MPX__PRIVATE void mpx__exec_shape(mpx_amp_value *v, size_t batch, size_t rows, size_t cols) {
    if ((v->batch | v->rows | v->cols) == 0) {
        v->batch = batch;
        v->rows = rows;
        v->cols = cols;
    }
    v->batch += v->batch == 0;
}
MPX__PRIVATE void mpx__exec_check(mpx__exec *r, const mpx__exec_op *op, mpx_amp_value *y) {
    const mpx_amp_value *x = mpx__exec_input(r, 0);
    size_t rows = x->rows, cols = x->cols, i;
    for (i = 0; i < r->node.input_count && op->by != MPX__EXEC_COPY; i++) {
        const mpx_amp_value *w = mpx__exec_input(r, i);
        if (!mpx__computes(mpx__row_of(w->dtype), 1)) mpx__exec_dtype(r, i, w->dtype, MPX_NONE);
        if (op->by == MPX__EXEC_NORM && i == 2)
            mpx__exec_dtype(r, i, w->dtype, mpx__exec_input(r, 1)->dtype);
        if (i != 0 && op->by == MPX__EXEC_NORM)
            mpx__exec_want(r, i, "elements", mpx__exec_count(w), cols);
        if (i != 0 && op->by == MPX__EXEC_PAIR && mpx__exec_rows(w) != 1)
            mpx__exec_want(r, i, "rows", mpx__exec_rows(w), mpx__exec_rows(x));
        if (i != 0 && op->by == MPX__EXEC_PAIR && w->cols != 1)
            mpx__exec_want(r, i, "columns", w->cols, cols);
    }
    if (op->by != MPX__EXEC_COPY && !mpx__computes(mpx__row_of(y->dtype), 1))
        mpx__exec_dtype(r, MPX__NOWHERE, y->dtype, MPX_NONE);
    if (op->by == MPX__EXEC_MATMUL) mpx__exec_product_check(r, &rows, &cols);
    mpx__exec_shape(y, x->batch, rows, cols);
    if (op->by == MPX__EXEC_COPY) {
        mpx__exec_want(r, 0, "elements", mpx__exec_count(x), r->node.count);
        mpx__exec_fail(r, mpx_cast(NULL, y->dtype, NULL, x->dtype, 0), 0);
        return;
    }
    mpx__exec_want(r, MPX__NOWHERE, "matrices", y->batch, x->batch);
    mpx__exec_want(r, MPX__NOWHERE, "columns", y->cols, cols);
    mpx__exec_want(r, MPX__NOWHERE, "rows", y->rows, rows);
}
MPX__PRIVATE mpx_status mpx__exec_compute(const mpx__exec *r, const mpx__exec_op *op,
                                         const mpx_amp_value *y) {
    const mpx_amp_value *x = mpx__exec_input(r, 0);
    const size_t n = r->node.input_count;
    mpx_norm_options norm;
    switch (op->by) {
    case MPX__EXEC_MATMUL: return mpx__exec_product_do(r, y);
    case MPX__EXEC_PAIR: return mpx__exec_pair(y, x, mpx__exec_input(r, 1), op->which);
    case MPX__EXEC_COPY: return mpx_cast(y->at, y->dtype, x->at, x->dtype, r->node.count);
    case MPX__EXEC_ACTIVATE:
        return mpx_activate(y->at, y->dtype, x->at, x->dtype, r->node.count,
                            (mpx_activation)op->which);
    default:
        mpx__zero(&norm, sizeof norm);
        if (n > 1) norm.weight = mpx__exec_input(r, 1)->at;
        if (n > 1) norm.type = mpx__exec_input(r, 1)->dtype;
        if (n > 2) norm.bias = mpx__exec_input(r, 2)->at;
        return mpx__lines(y->at, y->dtype, NULL, x->dtype, x->at, x->dtype, mpx__exec_rows(x),
                          x->cols, op->which, &norm);
    }
}
/* The first place that no value has which is still read. */
MPX__PRIVATE void mpx__exec_place(mpx__exec *r, mpx_amp_value *v, size_t count) {
    const size_t most = (size_t)-1 >> 2,
                 size = mpx__aligned(mpx__at_most(mpx_dtype_bytes(v->dtype, count), most));
    const mpx_amp_value *u = r->p->values,
                        *end = u + r->p->plan->node_count + r->p->plan->cast_count;
    size_t before;
    if (v->data != NULL) return;
    do {
        before = v->begin;
        for (u = r->p->values; u < end; u++)
            if (u->last >= r->index && u->end > v->begin && u->begin < v->begin + size)
                v->begin = u->end;
    } while (v->begin != before);
    v->end = v->begin + size;
    if (v->end > r->end) r->end = v->end;
    if (r->end > most) mpx__exec_fail(r, MPX_ERR_SPACE, MPX__NOWHERE);
}
MPX__PRIVATE void mpx__exec_cast(mpx__exec *r, size_t k) {
    const mpx_amp_planned_cast *cast = &r->p->plan->casts[k];
    mpx_amp_value *s = &r->p->values[cast->source], *v = &r->p->values[r->p->plan->node_count + k];
    const int is_there = v->data == NULL && s->dtype == cast->to; /* the program has it so */
    r->node.op = "cast";
    if (!r->doing) {
        mpx__exec_start(r, v, cast->to, cast->to);
        v->batch = s->batch;
        v->rows = s->rows;
        v->cols = s->cols;
        mpx__exec_want(r, MPX__NOWHERE, "elements", mpx__exec_count(v), cast->count);
        mpx__exec_fail(r, mpx_cast(NULL, v->dtype, NULL, s->dtype, 0), MPX__NOWHERE);
        if (!is_there) mpx__exec_place(r, v, cast->count);
        return;
    }
    v->at = is_there ? s->at : v->data != NULL ? v->data : r->memory + v->begin;
    if (is_there) return;
    mpx__exec_fail(r, mpx_cast(v->at, v->dtype, s->at, s->dtype, cast->count), MPX__NOWHERE);
}
/* own, op: the function that runs it, the caller's or a row of the table; NULL: neither. */
MPX__PRIVATE void mpx__exec_check_node(mpx__exec *r, const mpx_amp_op *own, const mpx__exec_op *op,
                                       mpx_amp_value *y) {
    const mpx_amp_planned_node *planned = &r->p->plan->nodes[r->index];
    const size_t n = r->node.input_count, count = r->node.count;
    mpx__exec_start(r, y, planned->dtype, n == 0 ? planned->store : planned->dtype);
    if (n == 0) {
        if (y->data == NULL)
            mpx__exec_lack(r, MPX_ERR_ARGUMENT, MPX__NOWHERE, "bytes", 0,
                           mpx_dtype_bytes(y->dtype, count));
    } else if (own != NULL) {
        const mpx_amp_value *x = mpx__exec_input(r, 0);
        if (mpx__exec_count(x) == count) mpx__exec_shape(y, x->batch, x->rows, x->cols);
    } else if (op == NULL) {
        mpx__exec_fail(r, MPX_ERR_OPERATION, MPX__NOWHERE);
    } else if (n < op->least || n > op->most) {
        mpx__exec_lack(r, MPX_ERR_ARGUMENT, MPX__NOWHERE, "inputs", n,
                       n < op->least ? op->least : op->most);
    } else {
        mpx__exec_check(r, op, y);
    }
    mpx__exec_shape(y, 1, 1, count);
    mpx__exec_want(r, MPX__NOWHERE, "elements", mpx__exec_count(y), count);
    if (y->rows != 0 && y->cols != 0 && count / y->cols / y->rows != y->batch)
        mpx__exec_fail(r, MPX_ERR_SHAPE, MPX__NOWHERE); /* the product wraps */
    mpx__exec_place(r, y, count);
}
MPX__PRIVATE void mpx__exec_node(mpx__exec *r) {
    mpx_amp_value *y = &r->p->values[r->index];
    const mpx__exec_op *op = NULL;
    const mpx_amp_op *own = NULL;
    mpx__slice name;
    mpx_amp_call call;
    size_t i;
    r->status = mpx__amp_node_at(&r->p->graph, r->index, &r->node, r->err);
    if (r->p->plan->nodes[r->index].removed) return;
    r->inputs = r->p->plan->nodes[r->index].inputs;
    if (r->node.input_count != r->p->plan->nodes[r->index].input_count)
        mpx__exec_fail(r, MPX_ERR_STRUCTURE, MPX__NOWHERE);
    if (r->status != MPX_OK) return;
    if ((r->node.flags & MPX_AMP_NODE_CAST) != 0) r->node.op = "cast";
    if (r->node.op == NULL) r->node.op = "";
    name = mpx__slice_of(r->node.op, mpx__length(r->node.op));
    for (i = 0; i < r->p->op_count && own == NULL; i++)
        if (mpx__is_word(name, r->p->ops[i].name, 0)) own = &r->p->ops[i];
    for (i = 0; i < sizeof mpx__exec_ops / sizeof *op && op == NULL; i++)
        if (mpx__is_word(name, mpx__exec_ops[i].name, 0)) op = &mpx__exec_ops[i];
    if (!r->doing) mpx__exec_check_node(r, own, op, y);
    if (!r->doing) return;
    y->at = y->data != NULL ? y->data : r->memory + y->begin;
    if (r->node.input_count == 0) return;
    call.node = &r->node;
    call.values = r->p->values;
    call.inputs = r->inputs;
    call.result = y;
    mpx__exec_fail(r, own != NULL ? own->run(&call, own->user) : mpx__exec_compute(r, op, y),
                   MPX__NOWHERE);
}

/* ---- all of them ----------------------------------------------- */

MPX__PRIVATE void mpx__exec_walk(mpx__exec *r) {
    const mpx_amp_plan *plan = r->p->plan;
    size_t k = 0;
    for (r->index = 0; r->index <= plan->node_count; r->index++) {
        for (; k < plan->cast_count && plan->casts[k].before == r->index; k++)
            if (r->status == MPX_OK) mpx__exec_cast(r, k);
        if (r->status == MPX_OK && r->index < plan->node_count) mpx__exec_node(r);
    }
}
/* When each value is read last. */
MPX__PRIVATE void mpx__exec_lives(mpx_amp_value *values, const mpx_amp_plan *plan) {
    size_t i, k;
    for (i = 0; i < plan->node_count + plan->cast_count; i++)
        values[i].begin = values[i].end = values[i].last = 0;
    for (i = 0; i < plan->node_count; i++)
        for (k = 0; k < plan->nodes[i].input_count && !plan->nodes[i].removed; k++)
            values[plan->nodes[i].inputs[k]].last = i;
    for (k = 0; k < plan->cast_count; k++)
        if (values[plan->casts[k].source].last < plan->casts[k].before)
            values[plan->casts[k].source].last = plan->casts[k].before;
}
/* *size = the bytes that it needs. MPX_OK if nothing is wrong. */
MPX__PRIVATE mpx_status mpx__exec_prepare(mpx__exec *r, const mpx_amp_program *p, size_t *size,
                                          mpx_error *err) {
    mpx__zero(r, sizeof *r);
    (void)mpx__fail(err, MPX_OK, 0, 0);
    r->p = p;
    r->err = err;
    r->index = MPX__NOWHERE;
    mpx__exec_lack(r, MPX_ERR_STRUCTURE, MPX__NOWHERE, "nodes", p->graph.count,
                   p->plan->node_count);
    mpx__exec_lives(p->values, p->plan);
    mpx__exec_walk(r);
    if (r->status == MPX_OK) *size = r->end + r->workspace + MPX__ALIGNMENT - 1;
    return r->status;
}
MPX__API mpx_status mpx_amp_run_size(const mpx_amp_program *program, size_t *size, mpx_error *err) {
    mpx__exec r;
    return mpx__exec_prepare(&r, program, size, err);
}
MPX__API mpx_status mpx_amp_run(const mpx_amp_program *program, void *memory, size_t size,
                                mpx_error *err) {
    mpx__exec r;
    size_t need;
    if (mpx__exec_prepare(&r, program, &need, err) != MPX_OK) return r.status;
    if (memory == NULL || size < need) {
        (void)mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE, NULL);
        return mpx__lack(err, "bytes", memory != NULL ? size : 0, need);
    }
    r.memory = (unsigned char *)memory + (0 - (uintptr_t)memory) % MPX__ALIGNMENT;
    r.workspace = size - r.end - (size_t)(r.memory - (unsigned char *)memory);
    r.doing = 1;
    mpx__exec_walk(&r);
    return r.status;
}
#endif /* MPX_COMPUTE && !MPX_NO_AMP */
