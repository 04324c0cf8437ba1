/*==================================================================*
 * MARK: amp_plan - where the casts of a whole graph go
 *   One walk over the nodes, in their order. Values are numbered: first the results of the nodes,
 *   then the inserted casts. Nothing is computed.
 *==================================================================*/
#if !MPX_NO_AMP

#define MPX__NOWHERE ((size_t)-1)

MPX__PRIVATE mpx_status mpx__array_node(size_t index, mpx_amp_node *node, void *user) {
    mpx__copy(node, (const mpx_amp_node *)user + index, sizeof *node);
    return MPX_OK;
}

MPX__API mpx_amp_graph mpx_amp_graph_of_nodes(const mpx_amp_node *nodes, size_t count) {
    mpx_amp_graph graph;
    graph.node = mpx__array_node;
    graph.user = (void *)(uintptr_t)nodes; /* it is only read */
    graph.count = count;
    return graph;
}

MPX__PRIVATE mpx_status mpx__amp_fail(mpx_error *err, mpx_status status, size_t node, size_t input,
                                      const char *op) {
    (void)mpx__fail_at(err, status, MPX_SUBJECT_NODE, node);
    if (err == NULL) return status;
    err->input = input;
    mpx__put_path(err, op);
    return status;
}

/* Fetch a node and look whether it can be one. */
MPX__PRIVATE mpx_status mpx__amp_node_at(const mpx_amp_graph *graph, size_t index,
                                         mpx_amp_node *node, mpx_error *err) {
    mpx_status status;
    size_t i;
    mpx__zero(node, sizeof *node);
    status = graph->node(index, node, graph->user);
    if (status == MPX_OK && mpx__row_of(node->dtype)->bits == 0) status = MPX_ERR_DTYPE;
    if (status == MPX_OK && ((node->inputs == NULL && node->input_count != 0) ||
                             ((node->flags & MPX_AMP_NODE_CAST) != 0 && node->input_count != 1)))
        status = MPX_ERR_ARGUMENT;
    if (status != MPX_OK) return mpx__amp_fail(err, status, index, MPX__NOWHERE, node->op);
    for (i = 0; i < node->input_count; i++)
        if (node->inputs[i] >= index) return mpx__amp_fail(err, MPX_ERR_CYCLE, index, i, node->op);
    return MPX_OK;
}

/* ---- the memory ------------------------------------------------ */

/* What is known of a value while planning. */
typedef struct mpx__amp_value {
    mpx_dtype dtype, plain;
    size_t count;         /* elements */
    size_t root;          /* the value itself, or one of which it is a copy that loses nothing */
    size_t first_cast;    /* of it, a value; MPX__NOWHERE: none */
    size_t next_cast;     /* the next cast of the same source */
    int constant, read, output; /* output: of casts, too; read: by a node, without AMP */
} mpx__amp_value;

/* How much there is of everything. A cast goes to an input or to an output. */
typedef struct mpx__amp_extent {
    size_t nodes, edges, widest; /* widest: most inputs of one node */
} mpx__amp_extent;

typedef struct mpx__amp_planner {
    const mpx_amp *amp;
    mpx_amp_graph graph;
    mpx_error *err;
    mpx__amp_extent extent;
    mpx_amp_planned_node *nodes;
    mpx_amp_planned_cast *casts;
    mpx__amp_value *values;
    mpx_amp_operand *operands; /* of one node */
    size_t *edges;
    size_t edge_count;
    mpx_amp_plan plan;
} mpx__amp_planner;

MPX__PRIVATE mpx_status mpx__amp_measure(const mpx_amp_graph *graph, mpx__amp_extent *extent,
                                         mpx_error *err) {
    mpx_amp_node node;
    size_t i;
    extent->nodes = graph->count;
    extent->edges = extent->widest = 0;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    for (i = 0; i < graph->count; i++) {
        mpx_status status = mpx__amp_node_at(graph, i, &node, err);
        if (status != MPX_OK) return status;
        if (node.input_count > MPX__NOWHERE - extent->edges)
            return mpx__amp_fail(err, MPX_ERR_SPACE, i, MPX__NOWHERE, NULL);
        extent->edges += node.input_count;
        if (node.input_count > extent->widest) extent->widest = node.input_count;
    }
    return MPX_OK;
}

/* A piece of memory that is handed out in arrays, one after the other. at: SIZE_MAX once it was too
   small; start NULL: only count. */
typedef struct mpx__amp_memory {
    unsigned char *start;
    size_t size, at;
} mpx__amp_memory;

MPX__PRIVATE void *mpx__amp_take(mpx__amp_memory *from, size_t count, size_t size) {
    void *taken;
    size_t left;
    if (from->at == MPX__NOWHERE) return NULL;
    left = (from->size - from->at) / MPX__ALIGNMENT * MPX__ALIGNMENT;
    if (count > left / size) {
        from->at = MPX__NOWHERE;
        return NULL;
    }
    taken = from->start != NULL ? from->start + from->at : NULL;
    from->at += mpx__aligned(count * size);
    return taken;
}

/* Lay everything out in memory that begins at a multiple of 16; its size, or SIZE_MAX. */
MPX__PRIVATE size_t mpx__amp_layout(mpx__amp_planner *p, unsigned char *start, size_t size) {
    size_t nodes = p->extent.nodes, edges = p->extent.edges, casts;
    mpx__amp_memory from;
    if (edges > MPX__NOWHERE / 4 || nodes > MPX__NOWHERE / 4) return MPX__NOWHERE;
    casts = edges + nodes;
    from.start = start;
    from.size = size;
    from.at = 0;
    p->nodes = (mpx_amp_planned_node *)mpx__amp_take(&from, nodes, sizeof *p->nodes);
    p->casts = (mpx_amp_planned_cast *)mpx__amp_take(&from, casts, sizeof *p->casts);
    p->values = (mpx__amp_value *)mpx__amp_take(&from, nodes + casts, sizeof *p->values);
    p->operands = (mpx_amp_operand *)mpx__amp_take(&from, p->extent.widest, sizeof *p->operands);
    p->edges = (size_t *)mpx__amp_take(&from, edges, sizeof *p->edges);
    return from.at;
}

/* Bytes of the memory, which may begin at any address; SIZE_MAX: size_t cannot hold them. */
MPX__PRIVATE size_t mpx__amp_memory_size(mpx__amp_planner *p) {
    size_t needed = mpx__amp_layout(p, NULL, MPX__NOWHERE - 31);
    return needed == MPX__NOWHERE ? needed : needed + 15;
}

MPX__API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_error *err) {
    mpx__amp_planner p;
    mpx_status status = mpx__amp_measure(&graph, &p.extent, err);
    size_t needed;
    if (status != MPX_OK) return status;
    needed = mpx__amp_memory_size(&p);
    if (needed == MPX__NOWHERE)
        return mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE, NULL);
    *size = needed;
    return MPX_OK;
}

/* ---- dtypes of results ----------------------------------------- */

/* Is the largest value of a no larger than that of b, which has as many mantissa bits or more? */
MPX__PRIVATE int mpx__fits_below(const mpx__row *a, const mpx__row *b) {
    int a_top = mpx__top_exponent(a), b_top = mpx__top_exponent(b);
    if (a_top != b_top) return a_top < b_top;
    return mpx__top_fraction(a) << (b->mantissa_bits - a->mantissa_bits) <= mpx__top_fraction(b);
}

/* Is every value of the first float format one of the second? Then a cast loses nothing. (Any cast
   makes signalling NaN quiet.) */
MPX__PRIVATE int mpx__is_exact(mpx_dtype from, mpx_dtype to) {
    const mpx__row *a = mpx__row_of(from), *b = mpx__row_of(to);
    int e8m0 = a->family == MPX__E8M0; /* no sign, no subnormals */
    int a_step = 1 - a->bias - a->mantissa_bits - e8m0, b_step = 1 - b->bias - b->mantissa_bits;
    if (from == to) return 1;
    if (a->kind != MPX_KIND_FLOAT || b->kind != MPX_KIND_FLOAT) return 0;
    if (b->family == MPX__E8M0 || a->mantissa_bits > b->mantissa_bits) return 0;
    if (a->family == MPX__IEEE && b->family != MPX__IEEE) return 0;        /* Inf */
    if (a->family != MPX__FINITE && b->family == MPX__FINITE) return 0;    /* NaN */
    if (a->family != MPX__FNUZ && !e8m0 && b->family == MPX__FNUZ) return 0; /* -0 */
    return a_step >= b_step && mpx__fits_below(a, b);
}

/* The dtype of the result of two: the one that holds the other, else f32. */
MPX__PRIVATE mpx_dtype mpx__amp_meet(mpx_dtype a, mpx_dtype b) {
    if (a == MPX_NONE || mpx__is_exact(a, b)) return b;
    if (mpx__row_of(a)->kind == MPX_KIND_COMPLEX || mpx__row_of(b)->kind == MPX_KIND_COMPLEX)
        return mpx__row_of(a)->bits == mpx__row_of(b)->bits  ? MPX_C128
               : mpx__row_of(a)->bits > mpx__row_of(b)->bits ? a : b;
    return mpx__is_exact(b, a) ? a : MPX_F32;
}

/* A result has its operands' dtype if it had it without AMP, else its own. */
MPX__PRIVATE mpx_dtype mpx__amp_result(const mpx__amp_planner *p, const mpx_amp_node *node,
                                       const mpx_amp_answer *answer) {
    mpx_dtype plain = MPX_NONE, now = MPX_NONE;
    size_t i;
    if ((node->flags & (MPX_AMP_NODE_FIXED | MPX_AMP_NODE_CAST)) != 0) return node->dtype;
    if ((node->flags & MPX_AMP_NODE_ACCUMULATES) != 0)
        return answer->accumulate != MPX_NONE ? answer->accumulate : node->dtype;
    for (i = 0; i < node->input_count; i++) {
        const mpx_amp_operand *operand = &p->operands[i];
        if (!mpx__amp_casts(p->amp, operand->plain)) continue;
        plain = mpx__amp_meet(plain, operand->plain);
        now = mpx__amp_meet(now, operand->to);
    }
    return now != MPX_NONE && plain == node->dtype ? now : node->dtype;
}

/* ---- values and their casts ------------------------------------ */

MPX__PRIVATE void mpx__amp_add_value(mpx__amp_planner *p, size_t value, mpx_dtype dtype,
                                     mpx_dtype plain, size_t count) {
    mpx__amp_value *v = &p->values[value];
    mpx__zero(v, sizeof *v);
    v->dtype = dtype;
    v->plain = plain;
    v->count = count;
    v->root = value;
    v->first_cast = v->next_cast = MPX__NOWHERE;
}

MPX__INLINE size_t *mpx__amp_uses(mpx__amp_planner *p, size_t value) {
    size_t n = p->extent.nodes;
    return value < n ? &p->nodes[value].uses : &p->casts[value - n].uses;
}

MPX__INLINE mpx_dtype mpx__amp_dtype_of(const mpx__amp_planner *p, size_t value) {
    size_t n = p->extent.nodes;
    return value < n ? p->nodes[value].dtype : p->casts[value - n].to;
}

/* The cast of a value to a dtype: an existing one, else a new one before this node. */
MPX__PRIVATE size_t mpx__amp_cast_of(mpx__amp_planner *p, size_t source, mpx_dtype to,
                                     size_t before) {
    size_t n = p->extent.nodes, found = p->values[source].first_cast, value;
    mpx_amp_planned_cast *cast;
    for (; found != MPX__NOWHERE; found = p->values[found].next_cast)
        if (p->values[found].dtype == to) {
            p->plan.shared++;
            return found;
        }
    value = n + p->plan.cast_count;
    cast = &p->casts[p->plan.cast_count++];
    cast->source = source;
    cast->from = p->values[source].dtype;
    cast->to = to;
    cast->count = p->values[source].count;
    cast->before = before;
    cast->uses = 0;
    mpx__amp_add_value(p, value, to, to, cast->count);
    p->values[value].next_cast = p->values[source].first_cast;
    p->values[source].first_cast = value;
    ++*mpx__amp_uses(p, source);
    return value;
}

/* The value to read if `source` is needed as `to`: source itself, or the value before its lossless
   casts, cast if necessary. */
MPX__PRIVATE size_t mpx__amp_fetch(mpx__amp_planner *p, size_t source, mpx_dtype to,
                                   size_t before) {
    size_t root = p->values[source].root, value = source;
    if (p->values[root].dtype == to) value = root;
    else if (p->values[source].dtype != to) value = mpx__amp_cast_of(p, root, to, before);
    if (value != source && root != source) p->plan.skipped++;
    ++*mpx__amp_uses(p, value);
    return value;
}

/* ---- the walk -------------------------------------------------- */

/* Bytes moved: *sum += bytes of count elements, up to the largest number. */
MPX__PRIVATE void mpx__amp_move(uint64_t *sum, mpx_dtype dtype, size_t count) {
    uint64_t bytes = mpx_dtype_bytes(dtype, count);
    *sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
}

MPX__PRIVATE void mpx__amp_fill_operands(mpx__amp_planner *p, const mpx_amp_node *node) {
    size_t i;
    for (i = 0; i < node->input_count; i++) {
        mpx__amp_value *v = &p->values[node->inputs[i]];
        mpx_amp_operand *operand = &p->operands[i];
        mpx__zero(operand, sizeof *operand);
        operand->dtype = v->dtype;
        operand->plain = v->plain;
        operand->count = v->count;
        v->read = 1;
        mpx__amp_move(&p->plan.bytes_before, v->plain, v->count);
    }
}

/* From operands to the values that are read. A cast of the graph itself reads the value before
   lossless casts, those that come later included. */
MPX__PRIVATE void mpx__amp_fetch_operands(mpx__amp_planner *p, const mpx_amp_node *node,
                                          size_t index) {
    size_t i;
    for (i = 0; i < node->input_count; i++) {
        mpx_amp_operand *operand = &p->operands[i];
        size_t root = p->values[node->inputs[i]].root;
        if ((node->flags & MPX_AMP_NODE_CAST) != 0 && mpx__is_exact(operand->dtype, operand->to))
            operand->to = p->values[root].dtype;
        p->edges[p->edge_count++] = mpx__amp_fetch(p, node->inputs[i], operand->to, index);
    }
}

/* Plan one node: ask the rules, insert casts, find the result's dtype. */
MPX__PRIVATE mpx_status mpx__amp_plan_node(mpx__amp_planner *p, size_t index) {
    mpx_amp_planned_node *planned = &p->nodes[index];
    mpx_amp_node node;
    mpx_status status = mpx__amp_node_at(&p->graph, index, &node, p->err);
    if (status != MPX_OK) return status;
    if (node.input_count > p->extent.widest || node.input_count > p->extent.edges - p->edge_count)
        return mpx__amp_fail(p->err, MPX_ERR_STRUCTURE, index, MPX__NOWHERE, node.op);
    mpx__zero(planned, sizeof *planned);
    planned->inputs = p->edges + p->edge_count;
    planned->input_count = node.input_count;
    planned->output = index;
    planned->answer.scope = MPX__NOWHERE;
    mpx__amp_add_value(p, index, node.dtype, node.dtype, node.count);
    p->values[index].output = (node.flags & MPX_AMP_NODE_OUTPUT) != 0;
    p->values[index].constant = (node.flags & MPX_AMP_NODE_CONSTANT) != 0;
    planned->dtype = planned->store = node.dtype;
    if (node.input_count == 0) return MPX_OK;
    mpx__amp_fill_operands(p, &node);
    mpx__amp_move(&p->plan.bytes_before, node.dtype, node.count);
    status = mpx_amp_ask(p->amp, node.op, node.scope, p->operands, node.input_count,
                         &planned->answer);
    if (status != MPX_OK) return mpx__amp_fail(p->err, status, index, MPX__NOWHERE, node.op);
    mpx__amp_fetch_operands(p, &node, index);
    planned->dtype = planned->store = mpx__amp_result(p, &node, &planned->answer);
    p->values[index].dtype = planned->dtype;
    if ((node.flags & MPX_AMP_NODE_CAST) != 0) {
        size_t from = planned->inputs[0];
        if (mpx__is_exact(p->values[from].dtype, node.dtype)) p->values[index].root = from;
    }
    return MPX_OK;
}

/* The outputs of the graph: nodes with the flag, and nodes that no node reads. */
MPX__PRIVATE void mpx__amp_plan_outputs(mpx__amp_planner *p) {
    size_t i;
    for (i = 0; i < p->extent.nodes; i++) {
        const mpx__amp_value *v = &p->values[i];
        if (v->read && !v->output) continue;
        if ((p->amp->flags & MPX_AMP_RESTORE) != 0)
            p->nodes[i].output = mpx__amp_fetch(p, i, v->plain, p->extent.nodes);
        else
            p->nodes[i].uses++;
        p->values[p->nodes[i].output].output = 1; /* of no later node */
    }
}

/* The graph's own casts that nobody reads any more go, from the last to the first. What they read
   stays: who passed them by reads it. */
MPX__PRIVATE void mpx__amp_prune(mpx__amp_planner *p) {
    size_t i = p->extent.nodes;
    while (i-- != 0) {
        if (p->nodes[i].uses != 0 || p->values[i].root == i) continue;
        p->nodes[i].removed = 1;
        p->plan.removed++;
        --*mpx__amp_uses(p, p->nodes[i].inputs[0]);
    }
}

/* ---- bytes ----------------------------------------------------- */

/* What one input of a node reads. */
MPX__PRIVATE void mpx__amp_count_input(mpx__amp_planner *p, size_t value) {
    size_t n = p->extent.nodes, source = value, count;
    while (source >= n)
        source = p->casts[source - n].source;
    count = p->values[source].count;
    mpx__amp_move(&p->plan.bytes_after, mpx__amp_dtype_of(p, value), count);
    if (p->values[source].constant) source = value;
    mpx__amp_move(&p->plan.bytes_fused, mpx__amp_dtype_of(p, source), count);
}

/* And for the value that it alone reads. An output needs all casts before its own, too. */
MPX__PRIVATE void mpx__amp_count_cast(mpx__amp_planner *p, size_t index) {
    const mpx_amp_planned_cast *cast = &p->casts[index];
    size_t n = p->extent.nodes, source = cast->source;
    int output = p->values[n + index].output;
    uint64_t *moved = &p->plan.bytes_after;
    p->values[source].output |= output;
    if (source < n && p->nodes[source].uses == 1) p->nodes[source].store = cast->to;
    while (source >= n)
        source = p->casts[source - n].source;
    if (p->values[source].constant) moved = &p->plan.bytes_once;
    mpx__amp_move(moved, cast->from, cast->count);
    mpx__amp_move(moved, cast->to, cast->count);
    if (p->values[source].constant || !output) return;
    mpx__amp_move(&p->plan.bytes_fused, cast->from, cast->count);
    mpx__amp_move(&p->plan.bytes_fused, cast->to, cast->count);
}

MPX__PRIVATE void mpx__amp_count_bytes(mpx__amp_planner *p) {
    size_t n = p->extent.nodes, i;
    for (i = 0; i < n; i++) {
        const mpx_amp_planned_node *node = &p->nodes[i];
        size_t k;
        if (node->removed || node->input_count == 0) continue;
        for (k = 0; k < node->input_count; k++)
            mpx__amp_count_input(p, node->inputs[k]);
        mpx__amp_move(&p->plan.bytes_after, node->dtype, p->values[i].count);
        mpx__amp_move(&p->plan.bytes_fused, node->dtype, p->values[i].count);
    }
    for (i = p->plan.cast_count; i-- != 0;)
        mpx__amp_count_cast(p, i);
}

/* ---- all of it ------------------------------------------------- */

MPX__PRIVATE mpx_status mpx__amp_plan_all(mpx__amp_planner *p) {
    size_t i;
    for (i = 0; i < p->extent.nodes; i++) {
        mpx_status status = mpx__amp_plan_node(p, i);
        if (status != MPX_OK) return status;
    }
    mpx__amp_plan_outputs(p);
    mpx__amp_prune(p);
    mpx__amp_count_bytes(p);
    p->plan.nodes = p->nodes;
    p->plan.node_count = p->extent.nodes;
    p->plan.casts = p->casts;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                       size_t size, mpx_amp_plan *plan, mpx_error *err) {
    mpx__amp_planner p;
    size_t skip = (size_t)(16 - (uintptr_t)memory % 16) % 16;
    mpx_status status;
    mpx__zero(&p, sizeof p);
    p.amp = amp;
    p.graph = graph;
    p.err = err;
    status = mpx__amp_measure(&graph, &p.extent, err);
    if (status != MPX_OK) return status;
    if (graph.count != 0 &&
        (size < skip ||
         mpx__amp_layout(&p, (unsigned char *)memory + skip, size - skip) == MPX__NOWHERE)) {
        (void)mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE, NULL);
        return mpx__lack(err, "bytes", size, mpx__amp_memory_size(&p));
    }
    status = mpx__amp_plan_all(&p);
    if (status == MPX_OK) mpx__copy(plan, &p.plan, sizeof *plan);
    return status;
}

/* ---- saying it ------------------------------------------------- */

/* Fill up with blanks so that the next word begins at this column, one blank at least. */
MPX__PRIVATE void mpx__put_column(mpx__printer *out, size_t start, size_t column) {
    do
        mpx__put_char(out, ' ');
    while (out->length - start < column);
}

/* "f32>f16": the result of a node, and what is read in its place. */
MPX__PRIVATE void mpx__put_amp_value(mpx__printer *out, const mpx_amp_plan *plan, size_t source,
                                     size_t value) {
    size_t n = plan->node_count;
    mpx_dtype from = plan->nodes[source].dtype;
    mpx_dtype to = value < n ? plan->nodes[value].dtype : plan->casts[value - n].to;
    mpx__put(out, mpx_dtype_short_name(from));
    if (from == to) return;
    mpx__put_char(out, '>');
    mpx__put(out, mpx_dtype_short_name(to));
}

MPX__PRIVATE void mpx__put_amp_inputs(mpx__printer *out, const mpx_amp_plan *plan, size_t index,
                                      const mpx_amp_node *node) {
    size_t i;
    for (i = 0; i < node->input_count; i++) {
        if (i != 0) mpx__put_char(out, ' ');
        mpx__put_amp_value(out, plan, node->inputs[i], plan->nodes[index].inputs[i]);
    }
    if (node->input_count == 0)
        mpx__put(out, (node->flags & MPX_AMP_NODE_CONSTANT) != 0 ? "(weight)" : "(input)");
}

MPX__PRIVATE void mpx__put_amp_result(mpx__printer *out, const mpx_amp_plan *plan, size_t index,
                                      int is_constant) {
    const mpx_amp_planned_node *planned = &plan->nodes[index];
    const mpx_amp_rule *rule = planned->answer.rule;
    if (planned->removed) {
        mpx__put(out, "removed");
        return;
    }
    mpx__put_amp_value(out, plan, index, planned->output);
    if (is_constant && planned->store != planned->dtype) {
        mpx__put(out, ", store ");
        mpx__put(out, mpx_dtype_short_name(planned->store));
    }
    if (rule == NULL || (rule->accumulate == MPX_NONE && rule->custom == NULL)) return;
    if (planned->answer.accumulate == MPX_NONE) return;
    mpx__put(out, " acc ");
    mpx__put(out, mpx_dtype_short_name(planned->answer.accumulate));
}

enum { MPX__AMP_OP_COLUMN = 6, MPX__AMP_SCOPE_COLUMN = 20, MPX__AMP_RULE_COLUMN = 40,
       MPX__AMP_INPUT_COLUMN = 66, MPX__AMP_RESULT_COLUMN = 86 };

MPX__PRIVATE void mpx__put_amp_node(mpx__printer *out, const mpx_amp_plan *plan,
                                    const mpx_amp_graph *graph, size_t index) {
    size_t start = out->length, digits = index, blanks = 4;
    const mpx_amp_rule *rule = plan->nodes[index].answer.rule;
    mpx_amp_node node;
    for (; digits > 9 && blanks != 0; digits = mpx__tenth(digits))
        blanks--;
    for (; blanks != 0; blanks--)
        mpx__put_char(out, ' ');
    mpx__put_size(out, index);
    mpx__put_column(out, start, MPX__AMP_OP_COLUMN);
    if (index >= graph->count || mpx__amp_node_at(graph, index, &node, NULL) != MPX_OK ||
        node.input_count != plan->nodes[index].input_count) {
        mpx__put_char(out, '?');
        return;
    }
    mpx__put(out, node.op != NULL && node.op[0] != '\0' ? node.op : "-");
    mpx__put_column(out, start, MPX__AMP_SCOPE_COLUMN);
    mpx__put(out, node.scope != NULL && node.scope[0] != '\0' ? node.scope : "-");
    mpx__put_column(out, start, MPX__AMP_RULE_COLUMN);
    if (rule != NULL) mpx__put_amp_rule(out, rule);
    else mpx__put_char(out, '-');
    mpx__put_column(out, start, MPX__AMP_INPUT_COLUMN);
    mpx__put_amp_inputs(out, plan, index, &node);
    mpx__put_column(out, start, MPX__AMP_RESULT_COLUMN);
    mpx__put_amp_result(out, plan, index, (node.flags & MPX_AMP_NODE_CONSTANT) != 0);
}

MPX__PRIVATE void mpx__put_amp_totals(mpx__printer *out, const mpx_amp_plan *plan) {
    mpx__put_u64(out, plan->cast_count, " casts, ");
    mpx__put_u64(out, plan->shared, " shared; ");
    mpx__put_u64(out, plan->removed, " nodes removed; bytes moved ");
    mpx__put_u64(out, plan->bytes_before, " before, ");
    mpx__put_u64(out, plan->bytes_after, " after (");
    mpx__put_u64(out, plan->bytes_fused, " fused), ");
    mpx__put_u64(out, plan->bytes_once, " once\n");
}

MPX__API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                     char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (node < plan->node_count) mpx__put_amp_node(&out, plan, &graph, node);
    return out.length;
}

MPX__API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
                                size_t size) {
    mpx__printer out;
    size_t i;
    mpx__print_to(&out, buf, size);
    mpx__put(&out, " node operation     scope               decided by                operands"
                   "            result\n");
    for (i = 0; i < plan->node_count; i++) {
        mpx__put_amp_node(&out, plan, &graph, i);
        mpx__put_char(&out, '\n');
    }
    mpx__put_amp_totals(&out, plan);
    return out.length;
}

#endif /* !MPX_NO_AMP */
