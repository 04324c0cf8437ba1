/*==================================================================*
 * MARK: optimizer - a step of SGD, Adam or AdamW, in one pass
 *   All gradients are first checked for Inf and NaN, and their norm is computed. Then the arrays
 *   are updated, one tile at a time: f32 where it lies, other dtypes through f32 on the stack.
 *   Source: torch.optim's formulas.
 *==================================================================*/
#if MPX_COMPUTE

#if MPX__COMPACT
#define MPX__STEP mpx__step_here
#define MPX__STEP_BLOCK 4
#else
#define MPX__STEP mpx__engine_now()->step
#define MPX__STEP_BLOCK mpx__engine_now()->block
#endif

enum { MPX__UPDATE_TILE = 384 }; /* elements that are updated together */

/* ---- the arrays, one after the other --------------------------- */

/* The arrays, given as such or by trees; `now`: the arrays at the position of the walk. */
enum { MPX__TREES = 5, MPX__PARAMS = 0, MPX__MASTERS, MPX__MS, MPX__VS, MPX__GRADS };
static const char mpx__tree_names[MPX__TREES][8] = { "params", "masters", "m", "v", "grads" };
typedef struct mpx__arrays_walk {
    const mpx_optimizer_arrays *given;
    size_t count, at;
    mpx_optimizer_arrays now;
    mpx_error *err;
#if !MPX_NO_TREE
    const mpx_optimizer_trees *trees; /* NULL: `given` */
    mpx__walk walks[MPX__TREES];
#endif
} mpx__arrays_walk;

/* Something is wrong at the position of the walk, in one of the arrays or trees. */
MPX__PRIVATE mpx_status mpx__arrays_fail(const mpx__arrays_walk *walk, mpx_status status,
                                         mpx_dtype found, mpx_dtype expected, int which) {
    mpx_error *err = walk->err;
    if (err == NULL) return status;
#if !MPX_NO_TREE
    if (walk->trees != NULL) {
        const int place = walk->walks[which].tree->next != NULL ? which : MPX__PARAMS;
        (void)mpx__leaf_fail(&walk->walks[place], status, found, expected);
    } else
#endif
        (void)mpx__fail_at(err, status, MPX_SUBJECT_LEAF, walk->at);
    err->found = found;
    err->expected = expected;
    (void)mpx__lack(err, mpx__tree_names[which], 0, 0);
    return status;
}
#if !MPX_NO_TREE
MPX__PRIVATE void mpx__arrays_of_leaves(mpx__arrays_walk *walk) {
    const mpx__walk *w = walk->walks;
    mpx_optimizer_arrays *a = &walk->now;
    a->param = w[MPX__PARAMS].leaf.data;
    a->param_type = w[MPX__PARAMS].leaf.dtype;
    a->master = (float *)w[MPX__MASTERS].leaf.data;
    a->m = (float *)w[MPX__MS].leaf.data;
    a->v = (float *)w[MPX__VS].leaf.data;
    a->grad = w[MPX__GRADS].leaf.data;
    a->grad_type = w[MPX__GRADS].leaf.dtype;
    a->n = mpx_dtype_is_floating(a->param_type) ? w[MPX__PARAMS].leaf.count : 0;
    a->no_decay = a->n != 0 && walk->trees->decays != NULL &&
                  !walk->trees->decays(&w[MPX__PARAMS].leaf, walk->trees->user);
}
/* The next leaf of all trees that are there. */
MPX__PRIVATE int mpx__leaves_next(mpx__arrays_walk *walk) {
    mpx__walk *w = walk->walks;
    int i, more = 0;
    for (i = 0; i < MPX__TREES; i++) {
        const int one = i == MPX__PARAMS || w[i].tree->next != NULL ? mpx__walk_next(&w[i]) : more;
        if (one < 0) return one;
        if (i == MPX__PARAMS) more = one;
        if (one != more || (one && w[i].tree->next != NULL &&
                            (!mpx__same_path(w[i].leaf.path, w->leaf.path) ||
                             (w[i].leaf.count != w->leaf.count &&
                              mpx_dtype_is_floating(w->leaf.dtype)))))
            return mpx__arrays_fail(walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE, one ? i : 0);
    }
    if (!more) return 0;
    mpx__arrays_of_leaves(walk);
    for (i = MPX__MASTERS; i <= MPX__VS && walk->now.n != 0; i++)
        if (w[i].tree->next != NULL && w[i].leaf.dtype != MPX_F32)
            return mpx__arrays_fail(walk, MPX_ERR_DTYPE, w[i].leaf.dtype, MPX_F32, i);
    return 1;
}
#endif
MPX__PRIVATE void mpx__arrays_start(mpx__arrays_walk *walk) {
    walk->at = (size_t)-1;
#if !MPX_NO_TREE
    if (walk->trees != NULL) {
        const mpx_tree *trees = &walk->trees->params; /* the first of them all */
        int i;
        for (i = 0; i < MPX__TREES; i++)
            mpx__walk_start(&walk->walks[i], &trees[i], walk->err);
    }
#endif
}
MPX__PRIVATE int mpx__arrays_next(mpx__arrays_walk *walk) {
    walk->at++;
#if !MPX_NO_TREE
    if (walk->trees != NULL) return mpx__leaves_next(walk);
#endif
    if (walk->at >= walk->count) return 0;
    mpx__copy(&walk->now, &walk->given[walk->at], sizeof walk->now);
    return 1;
}

/* ---- what is wrong, if anything -------------------------------- */

/* Not negative, no NaN, and below `end`, as bits. */
MPX__INLINE int mpx__is_below(const double *x, uint64_t end) { return mpx__read64(x) < end; }
/* The name of an option that is out of range; NULL if none is. */
MPX__PRIVATE const char *mpx__bad_option(const mpx_optimizer *opt) {
    const uint64_t one = (uint64_t)0x3ff << 52, large = (uint64_t)0x43f << 52,
                   least = (uint64_t)0x381 << 52, eps = mpx__read64(&opt->eps);
    if (opt->kind < MPX_OPTIMIZER_ADAMW || opt->kind > MPX_OPTIMIZER_SGD) return "kind";
    if (!mpx__is_below(&opt->lr, large)) return "lr";
    if (!mpx__is_below(&opt->beta1, one)) return "beta1";
    if (!mpx__is_below(&opt->beta2, one)) return "beta2";
    if (eps != 0 && (eps < least || eps >= large)) return "eps";
    if (!mpx__is_below(&opt->weight_decay, large)) return "weight_decay";
    if (!mpx__is_below(&opt->momentum, one)) return "momentum";
    if (mpx__read32(&opt->loss_scale) >= 0x7f800000u) return "loss_scale";
    if (mpx__read32(&opt->max_norm) > (MPX_NO_REDUCE ? 0 : 0x7f800000u)) return "max_norm";
    if (opt->rounding < MPX_ROUND_NEAREST ||
        opt->rounding > (MPX_NO_CAST_WITH ? MPX_ROUND_NEAREST : MPX_ROUND_STOCHASTIC))
        return "rounding";
    return (uint64_t)opt->step >> 62 != 0 ? "step" : NULL;
}
MPX__INLINE int mpx__steps_in_f32(mpx_dtype type) {
    const mpx__row *row = mpx__row_of(type);
    return mpx__computes(row, 1) && row->bits <= 32;
}
MPX__PRIVATE mpx_status mpx__arrays_check(const mpx__arrays_walk *walk, const mpx_optimizer *opt) {
    const mpx_optimizer_arrays *a = &walk->now;
    const int is_sgd = opt->kind == MPX_OPTIMIZER_SGD;
    int lacks = -1;
    if (a->n == 0) return MPX_OK;
    if (a->v == NULL && !is_sgd) lacks = MPX__VS;
    if (a->m == NULL && (!is_sgd || mpx__read64(&opt->momentum) != 0)) lacks = MPX__MS;
    if (a->grad == NULL) lacks = MPX__GRADS;
    if (a->param == NULL && a->master == NULL) lacks = MPX__PARAMS;
    if (lacks >= 0) return mpx__arrays_fail(walk, MPX_ERR_ARGUMENT, MPX_NONE, MPX_NONE, lacks);
    if (a->param != NULL && !mpx__steps_in_f32(a->param_type))
        return mpx__arrays_fail(walk, MPX_ERR_DTYPE, a->param_type, MPX_NONE, MPX__PARAMS);
    if (!mpx__steps_in_f32(a->grad_type))
        return mpx__arrays_fail(walk, MPX_ERR_DTYPE, a->grad_type, MPX_NONE, MPX__GRADS);
    if (a->n <= (size_t)-1 / 4) return MPX_OK;
    return mpx__arrays_fail(walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE, MPX__PARAMS);
}

/* ---- all gradients --------------------------------------------- */

/* The largest magnitude, as bits of an f32, and the sum of squares, as bits of an f64. */
typedef struct mpx__slopes {
    uint32_t largest;
    uint64_t squares;
} mpx__slopes;
MPX__PRIVATE void mpx__slopes_add(mpx__slopes *all, const mpx_optimizer_arrays *a, int squares) {
    const mpx__row *row = mpx__row_of(a->grad_type);
    const unsigned char *s = (const unsigned char *)a->grad;
    size_t n = a->n, m;
#if !MPX_NO_REDUCE
    mpx__squares sums;
    mpx__zero(&sums, sizeof sums);
#endif
    for (; n != 0; n -= m, s += m * (row->bits / 8u)) {
        uint32_t largest;
        m = mpx__at_most(n, 16 * MPX_TILE); /* in the caches for both */
        largest = mpx__largest(s, row, m);
        if (largest > all->largest) all->largest = largest;
#if !MPX_NO_REDUCE
        if (squares) mpx__squares_add(&sums, s, row, m);
#endif
    }
#if !MPX_NO_REDUCE
    if (squares) all->squares = mpx__f64_sum(all->squares, mpx__squares_sum(&sums));
#endif
    (void)squares;
}

/* ---- the update ------------------------------------------------ */

typedef struct mpx__update {
    mpx__descent k;
    const mpx_optimizer_arrays *a;
    mpx_rounding rounding;
    uint64_t seed, index; /* of random bits: the tree is one array */
    size_t chunk, block;  /* elements of a task, of the engine's block */
} mpx__update;

/* Elements i to i + n as f32, filled up with zeros to a block. */
MPX__PRIVATE unsigned char *mpx__tile_in(const mpx__update *u, unsigned char *tile, const void *data,
                                         mpx_dtype type, size_t i, size_t n) {
    data = mpx__f32_in(tile, data, mpx__row_of(type), i, n, n < u->block ? u->block : n, 0);
    return (unsigned char *)(uintptr_t)data;
}
MPX__PRIVATE void mpx__tile_out(const unsigned char *tile, float *data, size_t i, size_t n) {
    if (data != NULL && tile != (unsigned char *)data + i * 4)
        mpx__copy((unsigned char *)data + i * 4, tile, n * 4);
}
MPX__PRIVATE void mpx__param_out(const mpx__update *u, const unsigned char *tile, size_t i,
                                 size_t n) {
    const mpx_optimizer_arrays *a = u->a;
    unsigned char *d = (unsigned char *)a->param + i * (mpx__row_of(a->param_type)->bits / 8u);
    if (tile == d) return;
#if !MPX_NO_CAST_WITH
    if (a->master == NULL && u->rounding != MPX_ROUND_NEAREST) {
        mpx_cast_options opt;
        mpx__zero(&opt, sizeof opt);
        opt.rounding = u->rounding;
        opt.random_seed = u->seed;
        opt.offset = u->index + i;
        (void)mpx_cast_with(d, a->param_type, tile, MPX_F32, n, &opt);
        return;
    }
#endif
    (void)mpx_cast(d, a->param_type, tile, MPX_F32, n);
}
/* Where elements from i on are: see mpx__descent. */
MPX__INLINE void mpx__step_next(mpx__descent *k, int which, const void *data, mpx_dtype type,
                                size_t i) {
    const unsigned bits = data != NULL ? mpx__row_of(type)->bits : 32;
    k->next[which] = data != NULL ? (const unsigned char *)data + i * (bits / 8u) : k->p;
    k->shift[which] = (bits <= 16) + (bits <= 8);
}
/* n: whole blocks, at most a tile, or less than a block, which is filled up with zeros. */
MPX__NOINLINE void mpx__update_tile(const mpx__update *u, size_t i, size_t n) {
    unsigned char p[MPX__UPDATE_TILE * 4], g[MPX__UPDATE_TILE * 4], m[64 * 4], v[64 * 4];
    const mpx_optimizer_arrays *a = u->a;
    mpx__descent k;
    mpx__copy(&k, &u->k, sizeof k);
    k.n = n < u->block ? u->block : n;
    k.p = a->master != NULL ? mpx__tile_in(u, p, a->master, MPX_F32, i, n)
                            : mpx__tile_in(u, p, a->param, a->param_type, i, n);
    k.g = mpx__tile_in(u, g, a->grad, a->grad_type, i, n);
    k.m = k.is_sgd && !(k.beta1 > 0) ? NULL : mpx__tile_in(u, m, a->m, MPX_F32, i, n);
    k.v = k.is_sgd ? NULL : mpx__tile_in(u, v, a->v, MPX_F32, i, n);
    mpx__step_next(&k, 0, a->grad, a->grad_type, i + n);
    mpx__step_next(&k, 1, a->param, a->param_type, i);
    MPX__STEP(&k);
    mpx__tile_out(k.p, a->master, i, n);
    if (k.m != NULL) mpx__tile_out(k.m, a->m, i, n);
    if (k.v != NULL) mpx__tile_out(k.v, a->v, i, n);
    if (a->param != NULL) mpx__param_out(u, k.p, i, n);
}
MPX__PRIVATE void mpx__update_range(const mpx__update *u, size_t i, size_t end) {
    const mpx__env env = mpx__enter(MPX__ENV_PLAIN);
    size_t n;
    for (; i < end; i += n) {
        n = mpx__at_most(end - i, MPX__UPDATE_TILE);
        if (n > u->block) n -= n % u->block;
        mpx__update_tile(u, i, n);
    }
    mpx__leave(env);
}
MPX__PRIVATE void mpx__update_task(void *arg, size_t i) {
    const mpx__update *u = (const mpx__update *)arg;
    const size_t first = i * u->chunk;
    mpx__update_range(u, first, first + mpx__at_most(u->a->n - first, u->chunk));
}
/* About 32 bytes are read and written for each element. */
MPX__PRIVATE void mpx__update_arrays(mpx__update *u, const mpx_parallel *parallel) {
    const size_t grain = parallel->grain != 0 ? parallel->grain : (size_t)1 << 20;
    u->chunk = (grain / 32 / MPX__UPDATE_TILE + 1u) * MPX__UPDATE_TILE;
    if (parallel->run != NULL && u->chunk < u->a->n)
        parallel->run((u->a->n - 1u) / u->chunk + 1u, mpx__update_task, u, parallel->user);
    else
        mpx__update_range(u, 0, u->a->n);
}

/* ---- the numbers of a step ------------------------------------- */

MPX__INLINE double mpx__unless_0(const double *x, double usual) {
    return mpx__read64(x) == 0 ? usual : *x;
}
/* Of a power of two the reciprocal is exact, if it is a normal number. */
MPX__PRIVATE void mpx__step_scale(mpx__descent *k, const mpx_optimizer *opt, uint64_t squares,
                                  double *norm) {
    const uint32_t u = mpx__read32(&opt->loss_scale);
    const float scale = u != 0 ? opt->loss_scale : 1;
    k->divide = (u & 0x7fffffu) != 0 || u > 0x7e800000u;
    k->scale = k->divide ? scale : (float)(1 / scale);
    k->clip = 1;
    if (mpx__read32(&opt->max_norm) == 0) return;
    mpx__write64(norm, mpx__f64_root(squares));
    *norm /= (double)scale;
    if (*norm > (double)opt->max_norm) mpx__clip_factor(&k->clip, &opt->max_norm, norm);
}
MPX__PRIVATE void mpx__step_set(mpx__descent *k, const mpx_optimizer *opt) {
    const double beta1 = mpx__unless_0(&opt->beta1, 0.9), beta2 = mpx__unless_0(&opt->beta2, 0.999);
    const uint64_t t = (uint64_t)opt->step + 1u;
    k->is_sgd = opt->kind == MPX_OPTIMIZER_SGD;
    if (k->is_sgd) {
        k->beta1 = (float)opt->momentum;
        k->beta2 = opt->nesterov ? k->beta1 : 1;
        k->rest2 = opt->nesterov ? 1 : 0;
        k->size = (float)-opt->lr;
        return;
    }
    k->beta1 = (float)beta1;
    k->rest1 = (float)(1 - beta1);
    k->beta2 = (float)beta2;
    k->rest2 = (float)(1 - beta2);
    k->root = (float)mpx__over_root(1 - mpx__power(beta2, t));
    k->eps = (float)mpx__unless_0(&opt->eps, 1e-8);
    k->size = (float)(-opt->lr / (1 - mpx__power(beta1, t)));
}
MPX__INLINE void mpx__step_decay(mpx__descent *k, const mpx_optimizer *opt, int no_decay) {
    const double decay = no_decay ? 0 : opt->weight_decay;
    const int apart = opt->kind == MPX_OPTIMIZER_ADAMW;
    k->decay = apart ? 0 : (float)decay;
    k->keep = apart ? (float)(1 - opt->lr * decay) : 1;
}

/* ---- the step -------------------------------------------------- */

/* All arrays and all gradients are checked first; then all arrays are updated. */
MPX__PRIVATE mpx_status mpx__look_at_all(mpx__arrays_walk *walk, const mpx_optimizer *opt,
                                         mpx__slopes *all) {
    int more;
    mpx__zero(all, sizeof *all);
    mpx__arrays_start(walk);
    while ((more = mpx__arrays_next(walk)) > 0) {
        const mpx_status status = mpx__arrays_check(walk, opt);
        if (status != MPX_OK) return status;
        mpx__slopes_add(all, &walk->now, mpx__read32(&opt->max_norm) != 0);
    }
    return (mpx_status)more;
}
MPX__PRIVATE mpx_status mpx__update_all(mpx__arrays_walk *walk, mpx_optimizer *opt,
                                        mpx__update *u) {
    int more;
    u->a = &walk->now;
    u->block = MPX__STEP_BLOCK;
    u->rounding = opt->rounding;
    u->seed = opt->seed + (uint64_t)opt->step * 0x9e3779b97f4a7c15u;
    mpx__arrays_start(walk);
    while ((more = mpx__arrays_next(walk)) > 0) {
        const mpx__env env = mpx__enter(MPX__ENV_PLAIN);
        mpx__step_decay(&u->k, opt, walk->now.no_decay);
        mpx__leave(env);
        mpx__update_arrays(u, &opt->parallel);
        u->index += walk->now.n;
    }
    return (mpx_status)more;
}
MPX__PRIVATE mpx_status mpx__optimizer_run(mpx_optimizer *opt, mpx__arrays_walk *walk,
                                           int *finite) {
    mpx__slopes all;
    mpx__update u;
    mpx__env env;
    uint32_t largest = mpx__read32(&opt->loss_scale);
    const char *bad = mpx__bad_option(opt);
    mpx_status status;
    (void)mpx__fail(walk->err, MPX_OK, 0, 0);
    if (bad != NULL) return mpx__fail_option(walk->err, bad);
    status = mpx__look_at_all(walk, opt, &all);
    if (status != MPX_OK) return status;
    mpx__zero(&u, sizeof u);
    largest = largest == 0 ? all.largest : mpx__divide(all.largest, largest);
    if (finite != NULL) *finite = largest < 0x7f800000u;
    if (largest >= 0x7f800000u) return MPX_OK;
    env = mpx__enter(MPX__ENV_PLAIN);
    mpx__step_set(&u.k, opt);
    mpx__step_scale(&u.k, opt, all.squares, &opt->norm);
    mpx__leave(env);
    status = mpx__update_all(walk, opt, &u);
    if (status == MPX_OK) opt->step++;
    return status;
}
MPX__API mpx_status mpx_optimizer_step(mpx_optimizer *opt, const mpx_optimizer_arrays *arrays,
                                       size_t count, int *finite, mpx_error *err) {
    mpx__arrays_walk walk;
    mpx__zero(&walk, sizeof walk);
    walk.given = arrays;
    walk.count = count;
    walk.err = err;
    return mpx__optimizer_run(opt, &walk, finite);
}
#if !MPX_NO_TREE
MPX__API mpx_status mpx_optimizer_step_tree(mpx_optimizer *opt, const mpx_optimizer_trees *trees,
                                            int *finite, mpx_error *err) {
    mpx__arrays_walk walk;
    mpx__zero(&walk, sizeof walk);
    walk.trees = trees;
    walk.err = err;
    return mpx__optimizer_run(opt, &walk, finite);
}
#endif
#undef MPX__STEP
#undef MPX__STEP_BLOCK
#endif /* MPX_COMPUTE */
