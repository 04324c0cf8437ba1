/*==================================================================*
 * MARK: weights_fit - of several casts of a model, one for each leaf
 *   Leaves move to smaller casts, always the leaf whose squared error grows least for each byte
 *   saved. Halving finds the least limit on that growth which fits the budget. Some then move back.
 *==================================================================*/
#if !MPX_NO_WEIGHTS

typedef struct mpx__fitting {
    size_t *chosen;
    const mpx_weights *casts;
    size_t count, leaves, total, budget;
} mpx__fitting;
#define MPX__LEAST_LIMIT (((uint64_t)1 << 52) - 1u) /* the key of -Inf */

/* The next cast of leaf i, `count` if there is none: a smaller one, or with room one of less than so
   many bytes more. rate: the growth of the squared error for each byte, which is the least. */
MPX__SELDOM size_t mpx__fit_next(const mpx__fitting *f, size_t i, size_t room, double *rate) {
    const mpx_weight *from = &f->casts[f->chosen[i]].weights[i];
    size_t k, best = f->count;
    for (k = 0; k < f->count; k++) {
        const mpx_weight *to = &f->casts[k].weights[i];
        const size_t bytes = room != 0 ? to->bytes - from->bytes : from->bytes - to->bytes;
        double more = to->sum_error_squares - from->sum_error_squares;
        if (bytes - (room == 0) >= (room != 0 ? room : from->bytes) ||
            to->overflowed > to->saturated)
            continue;
        more /= (double)(ptrdiff_t)(bytes + (bytes == 0));
        if (best != f->count && !(more < *rate)) continue;
        *rate = more;
        best = k;
    }
    return best;
}
MPX__SELDOM void mpx__fit_move(mpx__fitting *f, size_t i, size_t to) {
    f->total += f->casts[to].weights[i].bytes - f->casts[f->chosen[i]].weights[i].bytes;
    f->chosen[i] = to;
}
/* Move all leaves on while that costs no more than the limit, whose bits are in order in `key`; below
   the key of -Inf none moves. */
MPX__SELDOM int mpx__fit_by(mpx__fitting *f, uint64_t key) {
    const double limit = mpx__double_of_bits(key >> 63 != 0 ? key << 1 >> 1 : ~key);
    double rate = 0;
    size_t i, k;
    f->total = 0;
    for (i = 0; i < f->leaves; i++) {
        const mpx_weight *first = &f->casts[0].weights[i];
        for (f->chosen[i] = 0; first->overflowed > first->saturated && f->chosen[i] + 1 < f->count;)
            first = &f->casts[++f->chosen[i]].weights[i];
        f->total += first->bytes;
        while (key >= MPX__LEAST_LIMIT && (k = mpx__fit_next(f, i, 0, &rate)) != f->count &&
               !(rate > limit))
            mpx__fit_move(f, i, k);
    }
    return f->total <= f->budget;
}
/* Spend what is left of the budget. */
MPX__SELDOM void mpx__fit_rest(mpx__fitting *f) {
    double rate = 0, least;
    size_t i, k, leaf, to = 0;
    while (f->total <= f->budget) {
        const size_t left = f->budget - f->total;
        least = 0;
        leaf = f->leaves;
        for (i = f->leaves; i-- != 0;) {
            k = mpx__fit_next(f, i, left + (left + 1 != 0), &rate);
            if (k == f->count || !(rate < least)) continue;
            least = rate;
            leaf = i;
            to = k;
        }
        if (leaf == f->leaves) return;
        mpx__fit_move(f, leaf, to);
    }
}

MPX__API mpx_status mpx_weights_fit(size_t *chosen, const mpx_weights *casts, size_t count,
                                    size_t budget, mpx_error *err) {
    uint64_t low = MPX__LEAST_LIMIT - 1u, high = ~MPX__LEAST_LIMIT, key; /* high: of Inf */
    mpx__fitting f;
    size_t i;
    for (i = 1; i < count; i++)
        if (casts[i].count != casts[0].count) return mpx__fail(err, MPX_ERR_STRUCTURE, 0, 0);
    f.chosen = chosen;
    f.casts = casts;
    f.count = count;
    f.leaves = count != 0 ? casts[0].count : 0;
    f.budget = budget;
    while (low < high) {
        key = low + (high - low) / 2;
        if (mpx__fit_by(&f, key))
            high = key;
        else
            low = key + 1;
    }
    (void)mpx__fit_by(&f, low);
    mpx__fit_rest(&f);
    for (i = 0; i < f.leaves; i++)
        chosen[i] = chosen[casts[0].weights[i].shares];
    (void)mpx__fail(err, f.total <= budget ? MPX_OK : MPX_ERR_SPACE, 0, 0);
    return f.total <= budget ? MPX_OK : mpx__lack(err, "bytes", budget, f.total);
}

#endif /* !MPX_NO_WEIGHTS */
