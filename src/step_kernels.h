/*==================================================================*
 * MARK: step_kernels - a step of an optimizer, on lanes of f32
 *   engine.h has the formulas. Every array is read once and written once.
 *==================================================================*/
#if MPX_COMPUTE

/* The gradient, unscaled, clipped, with the decay of p, if any: 0 * Inf is NaN. */
typedef struct mpx__slope { mpx__vf scale, clip, decay; int divide, decays; } mpx__slope;
MPX__FORCE_INLINE void mpx__slope_set(mpx__slope *k, const mpx__descent *a) {
    k->scale = mpx__fl(a->scale);
    k->clip = mpx__fl(a->clip);
    k->decay = mpx__fl(a->decay);
    k->divide = a->divide;
    k->decays = a->decay > 0;
}
MPX__FORCE_INLINE mpx__vf mpx__slope_at(const mpx__slope *k, mpx__vf g, mpx__vf p) {
    g = k->divide ? mpx__fdiv(g, k->scale) : mpx__fmul(g, k->scale);
    g = mpx__fl_kept(mpx__fmul(mpx__fl_kept(g), k->clip));
    return k->decays ? mpx__fmul_add(k->decay, p, g) : g;
}
/* Prefetch what follows byte i of a tile: it has too many arrays for a CPU to predict them. */
enum { MPX__STEP_AHEAD = 2048 };
MPX__FORCE_INLINE void mpx__step_fetch(const mpx__descent *a, size_t i) {
    mpx__prefetch(a->p + i + MPX__STEP_AHEAD);
    mpx__prefetch(a->next[0] + (i >> a->shift[0]));
    mpx__prefetch(a->next[1] + (i >> a->shift[1]));
}
/* Moments of parameters without gradients fade. They would stay subnormal for ever, and each step
   would take 20 times as long. */
MPX__FORCE_INLINE mpx__vf mpx__moment(mpx__vf a, mpx__vf least) {
    return mpx__fl_if_below(mpx__fl_abs(a), least, mpx__fl_zero(), a);
}
MPX__LOOP void mpx__step_adam(const mpx__descent *a) {
    const mpx__vf beta1 = mpx__fl(a->beta1), rest1 = mpx__fl(a->rest1),
                  beta2 = mpx__fl(a->beta2), rest2 = mpx__fl(a->rest2),
                  root = mpx__fl(a->root), eps = mpx__fl(a->eps),
                  size = mpx__fl(a->size), keep = mpx__fl(a->keep), least = mpx__fl_of_bits(1u << 23),
                  least_v = a->eps < 1e-12f ? mpx__fl_zero() : least; /* v counts beside such an eps */
    const size_t end = a->n * 4, step = 4 * MPX__FLOATS;
    const unsigned char *gs = a->g;
    unsigned char *ps = a->p, *ms = a->m, *vs = a->v;
    mpx__slope k;
    size_t i;
    mpx__slope_set(&k, a);
    for (i = 0; i < end; i += step) {
        mpx__vf p = mpx__fl_load(ps + i), g, m, v;
        if (i % 64 == 0) {
            mpx__step_fetch(a, i);
            mpx__prefetch(ms + i + MPX__STEP_AHEAD);
            mpx__prefetch(vs + i + MPX__STEP_AHEAD);
        }
        g = mpx__slope_at(&k, mpx__fl_load(gs + i), p);
        m = mpx__fmul_add(beta1, mpx__fl_load(ms + i), mpx__fmul(rest1, g));
        v = mpx__fmul_add(beta2, mpx__fl_load(vs + i), mpx__fmul(mpx__fmul(rest2, g), g));
        m = mpx__moment(m, least);
        v = mpx__moment(v, least_v);
        mpx__fl_store(ms + i, m);
        mpx__fl_store(vs + i, v);
        m = mpx__fdiv(m, mpx__fmul_add(root, mpx__fl_sqrt(v), eps));
        mpx__fl_store(ps + i, mpx__fmul_add(size, m, mpx__fmul(keep, p)));
    }
}
MPX__FORCE_INLINE void mpx__step_sgd(const mpx__descent *a, int has_momentum) {
    const mpx__vf beta1 = mpx__fl(a->beta1), beta2 = mpx__fl(a->beta2),
                  rest2 = mpx__fl(a->rest2), size = mpx__fl(a->size);
    const size_t end = a->n * 4, step = 4 * MPX__FLOATS;
    const unsigned char *gs = a->g;
    unsigned char *ps = a->p, *ms = a->m;
    mpx__slope k;
    size_t i;
    mpx__slope_set(&k, a);
    for (i = 0; i < end; i += step) {
        mpx__vf p = mpx__fl_load(ps + i), g, m;
        if (i % 64 == 0) {
            mpx__step_fetch(a, i);
            if (has_momentum) mpx__prefetch(ms + i + MPX__STEP_AHEAD);
        }
        g = mpx__slope_at(&k, mpx__fl_load(gs + i), p);
        if (has_momentum) {
            m = mpx__moment(mpx__fmul_add(beta1, mpx__fl_load(ms + i), g), mpx__fl_of_bits(1u << 23));
            mpx__fl_store(ms + i, m);
            g = mpx__fmul_add(beta2, m, mpx__fmul(rest2, g));
        }
        mpx__fl_store(ps + i, mpx__fmul_add(size, g, p));
    }
}
MPX__LOOP void mpx__step_sgd_plain(const mpx__descent *a) { mpx__step_sgd(a, 0); }
MPX__LOOP void mpx__step_sgd_momentum(const mpx__descent *a) { mpx__step_sgd(a, 1); }
MPX__PRIVATE void mpx__step_here(const mpx__descent *a) {
    if (!a->is_sgd)
        mpx__step_adam(a);
    else if (a->m != NULL)
        mpx__step_sgd_momentum(a);
    else
        mpx__step_sgd_plain(a);
}

#endif /* MPX_COMPUTE */
