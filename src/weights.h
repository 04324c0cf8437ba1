/*==================================================================*
 * MARK: weights - from a text to cast weights, in one call
 *   One block of memory holds everything: the map's entries, reports, leaves, paths and data.
 *==================================================================*/
#if !MPX_NO_WEIGHTS

/* ---- casts that count ------------------------------------------ */

MPX__FORCE_INLINE size_t mpx__zeros(const unsigned char *p, unsigned bits, mpx__sig mask,
                                    size_t n) {
    size_t i, count = 0;
    for (i = 0; i < n; i++)
        count += (mpx__read_code(p + i * (bits / 8), bits) & mask) == 0;
    return count;
}
/* Elements that are zero; whole bytes. The code of fnuz that has the sign bit alone is NaN. */
MPX__PRIVATE size_t mpx__count_zeros(const unsigned char *p, const mpx__row *row, size_t n) {
    const mpx__sig sign = (mpx__sig)1 << (row->bits - 1u),
                   mask = row->family == MPX__FNUZ ? sign | (sign - 1u) : sign - 1u;
    switch (row->bits) {
    case 8: return mpx__zeros(p, 8, mask, n);
    case 16: return mpx__zeros(p, 16, mask, n);
    case 32: return mpx__zeros(p, 32, mask, n);
    default: return mpx__zeros(p, 64, mask, n);
    }
}

/* Every value of the source fits the target: none overflows or becomes zero. Formats other than
   IEEE's have values where IEEE's have Inf. */
MPX__INLINE int mpx__is_in_range_of(const mpx__row *to, const mpx__row *from) {
    return to->family == MPX__IEEE && to->bits > from->bits &&
           to->exponent_bits >= from->exponent_bits + (from->family != MPX__IEEE);
}
/* Zeros are codes of whole bytes in which no bit but the sign is set. */
MPX__INLINE int mpx__has_plain_zeros(const mpx__row *row) {
    return row->bits >= 8 && row->family != MPX__E8M0;
}

/* n elements. If all are below the limit, only zeros are counted; else all is checked. */
MPX__PRIVATE void mpx__cast_weight_piece(mpx_weight *weight, unsigned char *d,
                                         const unsigned char *s, size_t n, int saturate,
                                         uint32_t limit) {
    const mpx__row *to = mpx__row_of(weight->to), *from = mpx__row_of(weight->from);
    mpx_cast_options opt;
    mpx_cast_stats stats;
    float most = 0;
    if (limit != 0) (void)mpx_amax(s, weight->from, n, &most);
    if (mpx__read32(&most) < limit) { /* NaN is above all */
        (void)mpx_cast(d, weight->to, s, weight->from, n);
        weight->zeroed += mpx__count_zeros(d, to, n) - mpx__count_zeros(s, from, n);
        return;
    }
    mpx__zero(&stats, sizeof stats);
    mpx__zero(&opt, sizeof opt);
    opt.saturate = saturate;
    opt.stats = &stats;
    (void)mpx_cast_with(d, weight->to, s, weight->from, n, &opt);
    weight->zeroed += stats.zeroed;
    weight->overflowed += stats.overflowed;
    if (saturate || to->family == MPX__FINITE)
        weight->saturated += stats.overflowed + stats.infinite;
}
MPX__PRIVATE void mpx__cast_weight(mpx_weight *weight, void *dst, const mpx_leaf *src,
                                   const mpx__goal *goal) {
    const mpx__row *to = mpx__row_of(weight->to), *from = mpx__row_of(weight->from);
    const int plain = mpx__has_plain_zeros(to) && mpx__has_plain_zeros(from);
    const uint32_t limit = plain && to->bits < 64 ? mpx__largest_f32(to) : 0;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src->data;
    size_t i, m;
#if !MPX_NO_QUANT
    if (weight->rows != 0) {
        (void)mpx_quantize(dst, weight->quant, s, src->dtype, weight->rows, weight->cols);
        mpx__quant_stats(weight, dst, src);
        return;
    }
#endif
    if (!goal->saturate && mpx__is_in_range_of(to, from)) {
        mpx__cast_to_goal(dst, goal, src);
        return;
    }
    for (i = 0; i < src->count; i += m) {
        m = src->count - i < MPX_TILE ? src->count - i : MPX_TILE;
        mpx__cast_weight_piece(weight, d + mpx_dtype_bytes(weight->to, i),
                               s + mpx_dtype_bytes(weight->from, i), m, goal->saturate, limit);
    }
}

MPX__PRIVATE void mpx__sum_errors(mpx_weight *weight, const mpx_leaf *src, const mpx__goal *goal) {
    mpx_cast_stats stats;
    mpx__zero(&stats, sizeof stats);
    mpx__leaf_stats(&stats, src, goal);
    weight->sum_squares = stats.sum_squares;
    weight->sum_error_squares = stats.sum_error_squares;
}

/* ---- the block ------------------------------------------------- */

/* How the block is divided. The table finds leaves that share memory, before the data exist. */
typedef struct mpx__weights_plan {
    mpx_weights *out;
    const mpx_weights_options *opt;
    mpx_error *err;
    size_t entries, weights, leaves, paths; /* bytes, in this order; then the table or the data */
    size_t places;                          /* of the table, a power of two */
} mpx__weights_plan;

/* *sum = sum + count * size, rounded up to 16. Returns 0 beyond size_t. */
MPX__PRIVATE int mpx__add_array(size_t *sum, size_t count, size_t size) {
    return count <= ((size_t)-1 >> 1) / size && mpx__add_size(sum, mpx__aligned(count * size));
}
/* Make the block at least `size` bytes long, and find its parts in it again. */
MPX__PRIVATE mpx_status mpx__weights_grow(const mpx__weights_plan *plan, size_t size) {
    const mpx_weights_options *opt = plan->opt;
    mpx_weights *out = plan->out;
    void *block = opt->block;
    size_t have = opt->size;
    if (opt->grow != NULL) {
        have = size;
        block = size != 0 ? opt->grow(out->memory, size, opt->user) : NULL;
    }
    if (block == NULL) have = 0;
    if (size > have) {
        (void)mpx__fail(plan->err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(plan->err, "bytes", have, size);
    }
    if (block == NULL) return MPX_OK;
    out->memory = block;
    out->map.entries = plan->entries != 0 ? (mpx_map_entry *)block : NULL;
    out->weights = (mpx_weight *)(void *)((unsigned char *)block + plan->entries);
    out->leaves = (mpx_leaf *)(void *)((unsigned char *)block + plan->entries + plan->weights);
    return MPX_OK;
}

/* ---- the text -------------------------------------------------- */

/* One policy for all, or a map. If the text is neither, several lines get the error of a map, and a
   line gets that which lies further back, or that of a map which is one. */
MPX__PRIVATE mpx_status mpx__weights_text(mpx__weights_plan *plan, const char *text) {
    mpx_policy_map *map = &plan->out->map;
    const size_t length = mpx__length(text);
    mpx_error one, two;
    mpx_status status = mpx__read_value(map, mpx__slice_of(text, length), plan->opt->parse, &one);
    size_t i, end = length;
    if (status == MPX_OK) return MPX_OK;
    while (end != 0 && text[end - 1] == '\n')
        end--;
    for (i = 0, map->capacity = 1; i < end; i++)
        map->capacity += text[i] == '\n';
    if (!mpx__add_array(&plan->entries, map->capacity, sizeof *map->entries))
        return mpx__fail(plan->err, MPX_ERR_SPACE, 0, 0);
    status = mpx__weights_grow(plan, plan->entries);
    if (status != MPX_OK) return status;
    if (mpx_policy_map_parse_n(map, text, length, plan->opt->parse, &two) == MPX_OK) return MPX_OK;
    if (map->capacity > 1 || two.offset > one.offset ||
        (two.offset == one.offset && two.status != MPX_ERR_MISSING_EQUALS))
        mpx__copy(&one, &two, sizeof one);
    if (plan->err != NULL) mpx__copy(plan->err, &one, sizeof one);
    return one.status;
}

/* ---- leaves ---------------------------------------------------- */

MPX__PRIVATE int mpx__same_cast(const mpx_weight *a, const mpx_weight *b) {
#if !MPX_NO_QUANT
    if (!mpx__same_quant(&a->quant, &b->quant)) return 0;
#endif
    return a->to == b->to && a->saturates == b->saturates && a->cols == b->cols;
}
/* The leaf whose data leaf i shares: the first with the same memory and goal, or i itself. */
MPX__PRIVATE size_t mpx__shared_with(const mpx_weights *out, size_t i, size_t *table,
                                     size_t places) {
    const mpx_leaf *leaf = &out->leaves[i];
    const uint64_t key = (uint64_t)(uintptr_t)leaf->data ^ (uint64_t)leaf->count << 32;
    size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 32), j;
    for (slot &= places - 1; (j = table[slot]) != 0; slot = (slot + 1) & (places - 1)) {
        const mpx_leaf *other = &out->leaves[j - 1];
        if (other->data == leaf->data && other->count == leaf->count &&
            other->dtype == leaf->dtype && mpx__same_cast(&out->weights[j - 1], &out->weights[i]))
            return j - 1;
    }
    table[slot] = i + 1;
    return i;
}

#if !MPX_NO_QUANT
/* How the leaf where the walk stands is quantized, if it can be. */
MPX__PRIVATE mpx_status mpx__weight_shape(mpx_weight *weight, const mpx__walk *walk,
                                          const mpx_quant *quant, const mpx_weights_options *opt) {
    const size_t count = walk->leaf.count, own = opt->cols != NULL ? opt->cols[walk->index] : 0,
                 cols = own != 0 ? own : count, rows = count / cols;
    mpx_quant_layout at;
    mpx_error shape;
    mpx_status status = mpx_quant_layout_of(*quant, rows, cols, &at, &shape);
    if (status == MPX_OK && count % cols != 0) status = MPX_ERR_SHAPE;
    if (status == MPX_OK && mpx__is_only_read(quant)) status = MPX_ERR_UNSUPPORTED;
    if (status == MPX_OK && mpx_dtype_bits(walk->leaf.dtype) < 8) status = MPX_ERR_DTYPE;
    if (status == MPX_OK) {
        mpx__copy(&weight->quant, quant, sizeof *quant);
        weight->rows = rows;
        weight->cols = cols;
        weight->bytes = at.bytes;
    } else if (opt->leave && (status == MPX_ERR_SHAPE || status == MPX_ERR_DTYPE)) {
        weight->to = weight->from;
        status = MPX_OK;
    }
    if (status == MPX_OK) return MPX_OK;
    (void)mpx__leaf_fail(walk, status, walk->leaf.dtype, MPX_NONE);
    if (status == MPX_ERR_SHAPE && count % cols != 0)
        (void)mpx__lack(walk->err, "elements", count, cols);
    else if (status == MPX_ERR_SHAPE)
        (void)mpx__lack(walk->err, "columns", cols, shape.need);
    return status;
}
#endif

/* What becomes of each leaf: *size grows by the bytes of their data. */
MPX__PRIVATE mpx_status mpx__weights_aim(const mpx__weights_plan *plan, const mpx_tree *src,
                                         size_t *size) {
    mpx_weights *out = plan->out;
    size_t *table = (size_t *)(void *)((unsigned char *)out->memory + *size), i = 0;
    mpx__aim aim = mpx__aim_by(&out->map, plan->opt->role);
    mpx_status status;
    mpx__walk walk;
    int more;
    aim.quantizes = 1;
    mpx__zero(table, plan->places * sizeof *table);
    mpx__walk_start(&walk, src, plan->err);
    status = mpx__check_aim(&walk, &aim);
    if (status != MPX_OK) return status;
    for (; (more = mpx__walk_next(&walk)) > 0; i++) {
        mpx_weight *weight = &out->weights[i];
        mpx__goal goal;
        if (i >= out->count) return mpx__leaf_fail(&walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
        status = mpx__aim_leaf(&walk, &aim, &goal);
        if (status != MPX_OK) return status;
        out->leaves[i] = walk.leaf;
        mpx__zero(weight, sizeof *weight);
        weight->from = weight->to = walk.leaf.dtype;
        if (mpx__needs_cast(&walk.leaf, goal.to) && (goal.quant == NULL || walk.leaf.count != 0))
            weight->to = goal.to;
#if !MPX_NO_QUANT
        if (goal.quant != NULL && weight->to != weight->from)
            status = mpx__weight_shape(weight, &walk, goal.quant, plan->opt);
        if (status != MPX_OK) return status;
#endif
        if (weight->to != weight->from) weight->saturates = goal.saturate || plan->opt->saturate;
        if (weight->rows == 0)
            weight->bytes = mpx_dtype_bytes(weight->to, walk.leaf.count);
        weight->shares = mpx__shared_with(out, i, table, plan->places);
        weight->offset = weight->shares == i ? *size : out->weights[weight->shares].offset;
        if (weight->shares != i) weight->bytes = 0;
        if (!mpx__add_size(&out->bytes, weight->bytes) ||
            (weight->to != weight->from && !mpx__add_array(size, weight->bytes, 1)))
            return mpx__leaf_fail(&walk, MPX_ERR_SPACE, weight->from, weight->to);
    }
    if (more == 0 && i < out->count)
        return mpx__leaf_fail(&walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    return (mpx_status)more;
}

/* The task: cast leaf i, which is the source's until then. A leaf that shares data reads no more of
   another than what stands before the tasks. */
MPX__PRIVATE void mpx__weight_task(void *arg, size_t i) {
    const mpx__weights_plan *plan = (const mpx__weights_plan *)arg;
    mpx_weights *out = plan->out;
    mpx_leaf *leaf = &out->leaves[i], src;
    mpx_weight *weight = &out->weights[i];
    mpx__goal goal;
    if (weight->to == weight->from) return;
    mpx__copy(&src, leaf, sizeof src);
    leaf->data = (unsigned char *)out->memory + weight->offset;
    leaf->dtype = weight->to;
    if (weight->rows != 0) leaf->count = out->weights[weight->shares].bytes;
    if (weight->shares != i) return;
    goal.to = weight->to;
    goal.saturate = weight->saturates;
    goal.quant = NULL;
    mpx__cast_weight(weight, leaf->data, &src, &goal);
    if (plan->opt->sums && weight->rows == 0) mpx__sum_errors(weight, &src, &goal);
}
/* Add up what became of all leaves. A warning is about the first that has overflowed. */
MPX__PRIVATE mpx_status mpx__weights_sum(const mpx__weights_plan *plan) {
    mpx_weights *out = plan->out;
    mpx_error *err = plan->err;
    mpx_status result = MPX_OK;
    size_t i;
    for (i = 0; i < out->count; i++) {
        const mpx_weight *weight = &out->weights[i];
        out->zeroed += weight->zeroed;
        out->overflowed += weight->overflowed;
        out->saturated += weight->saturated;
        if (result != MPX_OK || weight->overflowed <= weight->saturated) continue;
        result = MPX_WARN_OVERFLOW;
        if (err == NULL) continue;
        (void)mpx__fail_of(err, mpx__fail(err, result, 0, 0), MPX_SUBJECT_LEAF, i,
                           out->leaves[i].path);
        err->found = weight->from;
        err->expected = weight->rows != 0 ? MPX_NONE : weight->to;
        err->have = (size_t)(weight->overflowed - weight->saturated);
    }
    return result;
}

/* The last walk: paths are copied; then the tasks cast. */
MPX__PRIVATE mpx_status mpx__weights_fill(mpx__weights_plan *plan, const mpx_tree *src) {
    const mpx_parallel *parallel = &plan->opt->parallel;
    mpx_weights *out = plan->out;
    mpx__room paths;
    mpx__walk walk;
    size_t i = 0;
    int more;
    paths.at = (unsigned char *)out->leaves + plan->leaves;
    paths.left = plan->paths;
    mpx__walk_start(&walk, src, plan->err);
    for (; (more = mpx__walk_next(&walk)) > 0; i++) {
        mpx_leaf *leaf = &out->leaves[i];
        if (i >= out->count || leaf->data != walk.leaf.data || leaf->count != walk.leaf.count ||
            leaf->dtype != walk.leaf.dtype || !mpx__keep_path(&walk.leaf, &walk, &paths))
            return mpx__leaf_fail(&walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
        *leaf = walk.leaf;
    }
    if (more == 0 && i < out->count)
        return mpx__leaf_fail(&walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    if (more < 0) return (mpx_status)more;
    if (parallel->run != NULL && out->count > 1)
        parallel->run(out->count, mpx__weight_task, plan, parallel->user);
    else
        for (i = 0; i < out->count; i++)
            mpx__weight_task(plan, i);
    return mpx__weights_sum(plan);
}

MPX__API mpx_status mpx_weights_cast(mpx_weights *out, mpx_tree src, const char *text,
                                     const mpx_weights_options *opt, mpx_error *err) {
    mpx_policy none;
    mpx__weights_plan plan;
    mpx_tree_size size;
    mpx_status status;
    size_t bytes, first = 0, i;
    MPX_ASSERT(out != NULL && text != NULL && opt != NULL);
    mpx__zero(out, sizeof *out);
    mpx__zero(&size, sizeof size);
    mpx__policy_set(&none, MPX_NONE, MPX_NONE, MPX_NONE);
    mpx__map_make(&out->map, NULL, 0, &none, MPX_PATTERNS_GLOB);
    mpx__zero(&plan, sizeof plan);
    plan.out = out;
    plan.opt = opt;
    plan.err = err;
    status = mpx__weights_text(&plan, text);
    if (status == MPX_OK) status = mpx_tree_measure(src, MPX_NONE, &size, err);
    if (status != MPX_OK) return status;
    plan.paths = size.storage;
    for (plan.places = 2; plan.places / 2 < size.leaves;)
        plan.places *= 2;
    bytes = plan.entries;
    if (!mpx__add_array(&plan.weights, size.leaves, sizeof *out->weights) ||
        !mpx__add_array(&plan.leaves, size.leaves, sizeof *out->leaves) ||
        !mpx__add_size(&bytes, plan.weights) || !mpx__add_size(&bytes, plan.leaves) ||
        !mpx__add_size(&bytes, plan.paths) ||
        !mpx__add_array(&first, plan.places, sizeof(size_t)) || !mpx__add_size(&first, bytes))
        return mpx__fail(err, MPX_ERR_SPACE, 0, 0);
    out->count = size.leaves;
    status = mpx__weights_grow(&plan, first);
    if (status == MPX_OK) status = mpx__weights_aim(&plan, &src, &bytes);
    if (status == MPX_OK) status = mpx__weights_grow(&plan, bytes);
    if (status == MPX_OK) status = mpx_policy_map_count_leaves(&out->map, src, err);
    for (i = 0; status == MPX_OK && i < out->map.count; i++)
        out->unmatched += out->map.entries[i].leaves == 0;
    if (status == MPX_OK) status = mpx__weights_fill(&plan, &src);
    if (status < 0) out->count = 0; /* not all leaves are set */
    out->tree = mpx_tree_of_leaves(out->leaves, out->count);
    return status;
}

#endif /* !MPX_NO_WEIGHTS */
