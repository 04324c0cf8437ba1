/*==================================================================*
 * MARK: weights_fit - of several casts of a model, one for each leaf
 *   Leaves move to smaller casts, always the leaf whose squared error grows least for each byte
 *   saved. Halving finds the least limit on that growth which fits the budget.
 *==================================================================*/
#if !MPX_NO_WEIGHTS

typedef struct mpx__fitting {
    size_t *chosen;
    const mpx_weights *casts;
    size_t count, leaves, total, budget;
} mpx__fitting;

/* Move leaf i on while that costs less than the limit or, if asked, exactly the limit as long as
   the budget is not met. */
MPX__PRIVATE void mpx__fit_leaf(mpx__fitting *f, size_t i, double limit, int at_limit) {
    for (;;) {
        const mpx_weight *from = &f->casts[f->chosen[i]].weights[i];
        size_t k, best = f->count;
        double least = 0;
        for (k = 0; k < f->count; k++) {
            const mpx_weight *to = &f->casts[k].weights[i];
            double more = to->sum_error_squares - from->sum_error_squares;
            if (to->bytes >= from->bytes || to->overflowed > to->saturated) continue;
            more /= (double)(from->bytes - to->bytes);
            if (best != f->count && !(more < least)) continue;
            least = more;
            best = k;
        }
        if (best == f->count || (at_limit ? f->total <= f->budget || least > limit
                                          : !(least < limit)))
            return;
        f->total -= from->bytes - f->casts[best].weights[i].bytes;
        f->chosen[i] = best;
    }
}
/* Apply the limit to all leaves. Leaves that cost exactly the limit move on in their order. */
MPX__PRIVATE int mpx__fit_by(mpx__fitting *f, uint64_t key) {
    const double limit = mpx__double_of_bits(key >> 63 != 0 ? key << 1 >> 1 : ~key);
    size_t i;
    f->total = 0;
    for (i = 0; i < f->leaves; i++) {
        const mpx_weight *first = &f->casts[0].weights[i];
        for (f->chosen[i] = 0; first->overflowed > first->saturated && f->chosen[i] + 1 < f->count;)
            first = &f->casts[++f->chosen[i]].weights[i];
        f->total += first->bytes;
        mpx__fit_leaf(f, i, limit, 0);
    }
    for (i = 0; i < f->leaves; i++)
        mpx__fit_leaf(f, i, limit, 1);
    return f->total <= f->budget;
}

MPX__API mpx_status mpx_weights_fit(size_t *chosen, const mpx_weights *casts, size_t count,
                                    size_t budget, mpx_error *err) {
    uint64_t low = ((uint64_t)1 << 52) - 1u, high = ~low, key; /* the keys of -Inf, Inf */
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
    for (i = 0; i < f.leaves; i++)
        chosen[i] = chosen[casts[0].weights[i].shares];
    (void)mpx__fail(err, f.total <= budget ? MPX_OK : MPX_ERR_SPACE, 0, 0);
    return f.total <= budget ? MPX_OK : mpx__lack(err, "bytes", budget, f.total);
}

#endif /* !MPX_NO_WEIGHTS */
