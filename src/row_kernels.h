/*==================================================================*
 * MARK: row_kernels - functions of rows, on lanes of f32
 *   All functions are built on e^x: 2^n times a polynomial. 2^n is split into two factors (not
 *   with AVX-512) that are multiplied last, so that results below 2^-126 are right, too.
 *   Source: the polynomial of exp is a minimax polynomial of degree 6, that of tanh is from Cephes,
 *   and that of erfc was fitted to a relative error of 4e-8.
 *==================================================================*/
#if MPX_COMPUTE

/* e^(x + rest) = y * power, or y / power where `over` is -1; x from -176 to 89, rest small or none.
   e^-176 is 2^-254, both of whose factors are 0. Limits are there, as products that underflow take
   far longer than products with 0. */
typedef struct mpx__exp { mpx__vf y; mpx__fl_two_n power; } mpx__exp;
MPX__FORCE_INLINE mpx__exp mpx__exp_parts(mpx__vf x, const mpx__vf *rest, float over) {
    mpx__exp e;
    const mpx__vf all = rest != NULL ? mpx__fl_add(x, *rest) : x;
    const mpx__vf n = mpx__fl_power(all, over * 1.44269504f, &e.power);
    mpx__vf r = mpx__fmul_add(n, mpx__fl(over * -0.693145752f), x), q = mpx__fl(0.0013950489f);
    r = mpx__fmul_add(n, mpx__fl(over * -1.42860677e-6f), mpx__fl_kept(r));
    if (rest != NULL) r = mpx__fl_add(r, *rest);
    q = mpx__fmul_add(q, r, mpx__fl(0.0083688898f));
    q = mpx__fmul_add(q, r, mpx__fl(0.041666206f));
    q = mpx__fmul_add(q, r, mpx__fl(0.16666518f));
    q = mpx__fmul_add(q, r, mpx__fl(0.5f));
    e.y = mpx__fl_add(mpx__fl(1), mpx__fl_kept(mpx__fmul_add(mpx__fmul(r, r), q, r)));
    return e;
}
MPX__FORCE_INLINE mpx__vf mpx__exp_of(mpx__vf x) {
    const mpx__exp e = mpx__exp_parts(mpx__fl_at_most(mpx__fl_at_least(x, -176), 89), NULL, 1);
    return mpx__fl_scale(e.y, e.power);
}
/* Below 0.625 a polynomial, from there on 1 - 2 / (1 + e^2x). */
MPX__FORCE_INLINE mpx__vf mpx__tanh_of(mpx__vf x) {
    const mpx__vf a = mpx__fl_abs(x), z = mpx__fmul(x, x), one = mpx__fl(1);
    const mpx__exp e = mpx__exp_parts(mpx__fl_at_most(mpx__fl_add(a, a), 40), NULL, 1);
    mpx__vf p = mpx__fl(-5.70498872745e-3f), y;
    p = mpx__fmul_add(p, z, mpx__fl(2.06390887954e-2f));
    p = mpx__fmul_add(p, z, mpx__fl(-5.37397155531e-2f));
    p = mpx__fmul_add(p, z, mpx__fl(1.33314422036e-1f));
    p = mpx__fmul_add(p, z, mpx__fl(-3.33332819422e-1f));
    p = mpx__fmul_add(mpx__fmul(p, z), a, a);
    y = mpx__fl_inverse(mpx__fl_add(mpx__fl_scale(e.y, e.power), one));
    y = mpx__fmul_add(y, mpx__fl(-2), one);
    return mpx__fl_signed(mpx__fl_if_below(a, mpx__fl(0.625f), p, y), x);
}
/* The sigmoid s of -x is y * power, and 1 - s is `rest`: with e^x = e / power, 1 / (1 + e^x) is
   power / (power + e). Of x below -40 s is 1. */
typedef struct mpx__logistic { mpx__vf y, rest; mpx__fl_two_n power; } mpx__logistic;
MPX__FORCE_INLINE mpx__logistic mpx__logistic_of(mpx__vf x) {
    const mpx__exp e = mpx__exp_parts(mpx__fl_at_most(mpx__fl_at_least(x, -40), 176), NULL, -1);
    const mpx__vf power = mpx__fl_scale(mpx__fl(1), e.power);
    mpx__logistic s;
    s.y = mpx__fl_kept(mpx__fl_inverse(mpx__fl_add(mpx__fl_kept(power), mpx__fl_kept(e.y))));
    s.rest = mpx__fl_kept(mpx__fmul(e.y, s.y));
    s.power = e.power;
    return s;
}
/* a times the sigmoid of -x. */
MPX__FORCE_INLINE mpx__vf mpx__times_sigmoid(mpx__vf a, mpx__vf x) {
    const mpx__logistic s = mpx__logistic_of(x);
    return mpx__fl_scale(mpx__fl_kept(mpx__fmul(a, s.y)), s.power);
}
MPX__FORCE_INLINE mpx__vf mpx__minus(mpx__vf x) { return mpx__fl_sub(mpx__fl_zero(), x); }
/* erfc(t / sqrt(2)) * e^(t * t / 2) / 2, of t from 0 to 16. */
MPX__FORCE_INLINE mpx__vf mpx__tail_of(mpx__vf t) {
    const mpx__vf w = mpx__fl_inverse(mpx__fmul_add(t, mpx__fl(0.35f), mpx__fl(1)));
    mpx__vf p = mpx__fmul_add(mpx__fl(-0.02916511707f), w, mpx__fl(0.1440666914f));
    p = mpx__fmul_add(p, w, mpx__fl(-0.2559142709f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1594073474f));
    p = mpx__fmul_add(p, w, mpx__fl(-0.02327398397f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1055792123f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1198143587f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1398645043f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1396212429f));
    return mpx__fmul(p, w);
}
/* e^(t * t * by). t * t is exact as the square of the upper 12 bits of t, plus the rest. by: -1/2
   or -1. Adding 0 makes a NaN quiet, so that its upper 12 bits are still a NaN. */
MPX__FORCE_INLINE mpx__exp mpx__bell_of(mpx__vf t, float by) {
    const mpx__vf few = mpx__fl_masked(mpx__fl_add(t, mpx__fl_zero()), 0xfffff000u),
                  times = mpx__fl(by),
                  rest = mpx__fmul(mpx__fmul(mpx__fl_sub(t, few), mpx__fl_add(t, few)), times);
    return mpx__exp_parts(mpx__fmul(mpx__fmul(few, few), times), &rest, 1);
}
/* The larger of x and 0, less |x| times the tail. */
MPX__FORCE_INLINE mpx__vf mpx__gelu_erf_of(mpx__vf x) {
    const mpx__vf t = mpx__fl_at_most(mpx__fl_abs(x), 16);
    const mpx__exp e = mpx__bell_of(t, -0.5f);
    const mpx__vf part = mpx__fmul(mpx__fl_kept(mpx__fmul(e.y, mpx__tail_of(t))), t);
    const mpx__vf less = mpx__fl_scale(part, e.power), relu = mpx__fl_larger(mpx__fl_zero(), x);
    return mpx__fl_signed(mpx__fl_sub(relu, less), x); /* -0 of -0 */
}
MPX__FORCE_INLINE mpx__vf mpx__gelu_of(mpx__vf x) {
    const mpx__vf a = mpx__fl_at_least(x, -130), z = mpx__fmul(a, a);
    return mpx__times_sigmoid(a, mpx__fmul(a, mpx__fmul_add(z, mpx__fl(-0.0713548162726f),
                                                            mpx__fl(-1.59576912161f))));
}
MPX__FORCE_INLINE mpx__vf mpx__relu_of(mpx__vf x) { return mpx__fl_larger(mpx__fl_zero(), x); }
MPX__FORCE_INLINE mpx__vf mpx__sigmoid_of(mpx__vf x) {
    const mpx__logistic s = mpx__logistic_of(mpx__minus(x));
    return mpx__fl_scale(s.y, s.power);
}
MPX__FORCE_INLINE mpx__vf mpx__silu_of(mpx__vf x) {
    return mpx__times_sigmoid(mpx__fl_at_least(x, -130), mpx__minus(x));
}

/* ---- derivatives ----------------------------------------------- */

/* s * (1 + w * (1 - s)), of the sigmoid s of -x. */
MPX__FORCE_INLINE mpx__vf mpx__gate_slope(mpx__vf x, mpx__vf w) {
    const mpx__logistic s = mpx__logistic_of(x);
    w = mpx__fmul_add(w, s.rest, mpx__fl(1));
    return mpx__fl_scale(mpx__fl_kept(mpx__fmul(s.y, w)), s.power);
}
MPX__FORCE_INLINE mpx__vf mpx__relu_slope(mpx__vf x) {
    const mpx__vf zero = mpx__fl_zero();
    return mpx__fl_unless_nan(x, mpx__fl_if_below(zero, mpx__fl_larger(x, zero), mpx__fl(1), zero));
}
/* s * (1 - s), which is the same of x and -x. */
MPX__FORCE_INLINE mpx__vf mpx__sigmoid_slope(mpx__vf x) {
    const mpx__logistic s = mpx__logistic_of(mpx__fl_abs(x));
    return mpx__fl_scale(mpx__fl_kept(mpx__fmul(s.y, s.rest)), s.power);
}
MPX__FORCE_INLINE mpx__vf mpx__tanh_slope(mpx__vf x) {
    return mpx__fmul(mpx__sigmoid_slope(mpx__fl_add(x, x)), mpx__fl(4));
}
MPX__FORCE_INLINE mpx__vf mpx__silu_slope(mpx__vf x) {
    return mpx__gate_slope(mpx__minus(x), mpx__fl_at_most(mpx__fl_at_least(x, -130), 130));
}
MPX__FORCE_INLINE mpx__vf mpx__gelu_slope(mpx__vf x) {
    const mpx__vf a = mpx__fl_at_most(mpx__fl_at_least(x, -130), 130), z = mpx__fmul(a, a);
    return mpx__gate_slope(mpx__fmul(a, mpx__fmul_add(z, mpx__fl(-0.0713548162726f),
                                                      mpx__fl(-1.59576912161f))),
                           mpx__fmul(a, mpx__fmul_add(z, mpx__fl(0.2140644488178f),
                                                      mpx__fl(1.59576912161f))));
}
MPX__FORCE_INLINE mpx__vf mpx__gelu_erf_slope(mpx__vf x) {
    const mpx__vf t = mpx__fl_at_most(mpx__fl_abs(x), 16);
    const mpx__exp e = mpx__bell_of(t, -0.5f);
    const mpx__vf tail = mpx__fmul_add(t, mpx__fl(-0.398942280401f), mpx__tail_of(t)),
                  part = mpx__fl_scale(mpx__fmul(e.y, tail), e.power);
    return mpx__fl_if_negative(x, part, mpx__fl_sub(mpx__fl(1), part));
}
#if MPX_USE_SLEEF
MPX__FORCE_INLINE mpx__vf mpx__log_slope(mpx__vf x) { return mpx__fdiv(mpx__fl(1), x); }
MPX__FORCE_INLINE mpx__vf mpx__cos_slope(mpx__vf x) {
    return mpx__fmul(mpx__sin_of(x), mpx__fl(-1));
}
/* 2 / sqrt(pi) * e^(-x * x), 0 from 11 on. */
MPX__FORCE_INLINE mpx__vf mpx__erf_slope(mpx__vf x) {
    const mpx__exp e = mpx__bell_of(mpx__fl_at_most(mpx__fl_abs(x), 11), -1);
    return mpx__fl_scale(mpx__fmul(e.y, mpx__fl(1.12837916710f)), e.power);
}
#endif
/* Of elements: a function or, if dy is not NULL, the derivative times dy. */
typedef void (*mpx__each_fn)(unsigned char *d, const unsigned char *dy, const unsigned char *s,
                             size_t n);
enum { MPX__ROW_STEP = 4 * MPX__FLOATS };
#define MPX__EACH(name, of, slope) \
    MPX__NOINLINE void name(unsigned char *d, const unsigned char *dy, const unsigned char *s, \
                            size_t n) { \
        size_t i = 0; \
        for (; dy == NULL && i < n * 4; i += MPX__ROW_STEP) { \
            const mpx__vf x = mpx__fl_load(s + i); \
            mpx__fl_store(d + i, MPX__FL_UNLESS_NAN(x, of(x))); \
        } \
        for (; i < n * 4; i += MPX__ROW_STEP) { \
            const mpx__vf x = mpx__fl_load(s + i), y = mpx__fl_kept(slope(x)); \
            mpx__fl_store(d + i, MPX__FL_UNLESS_NAN(x, mpx__fmul(mpx__fl_load(dy + i), y))); \
        } \
    }
MPX__EACH(mpx__each_relu, mpx__relu_of, mpx__relu_slope)
MPX__EACH(mpx__each_exp, mpx__exp_of, mpx__exp_of)
MPX__EACH(mpx__each_tanh, mpx__tanh_of, mpx__tanh_slope)
MPX__EACH(mpx__each_sigmoid, mpx__sigmoid_of, mpx__sigmoid_slope)
MPX__EACH(mpx__each_silu, mpx__silu_of, mpx__silu_slope)
MPX__EACH(mpx__each_gelu, mpx__gelu_of, mpx__gelu_slope)
MPX__EACH(mpx__each_gelu_erf, mpx__gelu_erf_of, mpx__gelu_erf_slope)
#if MPX_USE_SLEEF
MPX__EACH(mpx__each_log, mpx__log_of, mpx__log_slope)
MPX__EACH(mpx__each_sin, mpx__sin_of, mpx__cos_of)
MPX__EACH(mpx__each_cos, mpx__cos_of, mpx__cos_slope)
MPX__EACH(mpx__each_erf, mpx__erf_of, mpx__erf_slope)
MPX__EACH(mpx__each_expm1, mpx__expm1_of, mpx__exp_of)
/* Bases and exponents. */
MPX__NOINLINE void mpx__each_pow(unsigned char *d, const unsigned char *exponents,
                                 const unsigned char *s, size_t n) {
    size_t i;
    for (i = 0; i < n * 4; i += MPX__ROW_STEP)
        mpx__fl_store(d + i, mpx__pow_of(mpx__fl_load(s + i), mpx__fl_load(exponents + i)));
}
#endif
#undef MPX__EACH
static const mpx__each_fn mpx__each_here[] = {
    mpx__each_relu, mpx__each_exp,  mpx__each_tanh,     mpx__each_sigmoid,
    mpx__each_silu, mpx__each_gelu, mpx__each_gelu_erf,
#if MPX_USE_SLEEF
    mpx__each_log,  mpx__each_sin,  mpx__each_cos,      mpx__each_erf,
    mpx__each_expm1, mpx__each_pow,
#endif
};
MPX__PRIVATE void mpx__activate_here(unsigned char *d, const unsigned char *dy,
                                     const unsigned char *s, size_t n, int activation) {
    mpx__each_here[activation - MPX_ACT_RELU](d, dy, s, n);
}

/* ---- rows ------------------------------------------------------ */

/* step(i) of every vector: for one result it takes four turns, which do not wait for one another. */
#define MPX__ROW_REDUCE(step) \
    for (; n >= 4 * MPX__FLOATS; n -= 4 * MPX__FLOATS, i += 4 * MPX__ROW_STEP) { \
        step(a, i) step(b, i + MPX__ROW_STEP) step(c, i + 2 * MPX__ROW_STEP) \
        step(d, i + 3 * MPX__ROW_STEP) \
    } \
    if (n != 0) { step(a, i) } \
    if (n > MPX__FLOATS) { step(b, i + MPX__ROW_STEP) } \
    if (n > 2 * MPX__FLOATS) { step(c, i + 2 * MPX__ROW_STEP) }
MPX__LOOP float mpx__row_largest(const unsigned char *s, size_t n) {
    mpx__vf a = mpx__fl_load(s), b = a, c = a, d = a;
    size_t i = 0;
#define MPX__ROW_LARGER(to, at) to = mpx__fl_larger(mpx__fl_load(s + (at)), to);
    MPX__ROW_REDUCE(MPX__ROW_LARGER)
#undef MPX__ROW_LARGER
    return mpx__fl_largest(mpx__fl_larger(mpx__fl_larger(a, b), mpx__fl_larger(c, d)));
}
MPX__LOOP float mpx__row_exp_sum(unsigned char *d, const unsigned char *s, size_t n,
                                 float from) {
    const mpx__vf less = mpx__fl(from);
    mpx__vf a = mpx__fl_zero(), b = a, c = a, sum = a;
    size_t i;
    for (i = 0; i < n * 4; i += MPX__ROW_STEP) {
        const mpx__vf x = mpx__fl_sub(mpx__fl_load(s + i), less);
        const mpx__exp e = mpx__exp_parts(mpx__fl_at_least(x, -176), NULL, 1);
        const mpx__vf y = MPX__FL_UNLESS_NAN(x, mpx__fl_scale(e.y, e.power)),
                      next = mpx__fl_add(a, y);
        if (d != NULL) mpx__fl_store(d + i, y);
        a = b; /* four sums take turns, so that each has few terms */
        b = c;
        c = sum;
        sum = next;
    }
    return mpx__fl_sum(mpx__fl_add(mpx__fl_add(a, b), mpx__fl_add(c, sum)));
}
MPX__LOOP float mpx__row_sum(const unsigned char *s, size_t n, float from, int square) {
    mpx__vf less = mpx__fl(from), a = mpx__fl_zero(), b = a, c = a, d = a, x;
    size_t i = 0;
#define MPX__ROW_ADD(to, at) \
    x = mpx__fl_sub(mpx__fl_load(s + (at)), less); \
    to = square ? mpx__fmul_add(x, x, to) : mpx__fl_add(to, x);
    MPX__ROW_REDUCE(MPX__ROW_ADD)
#undef MPX__ROW_ADD
    return mpx__fl_sum(mpx__fl_add(mpx__fl_add(a, b), mpx__fl_add(c, d)));
}
MPX__LOOP void mpx__row_affine(unsigned char *d, const unsigned char *s, size_t n, float from,
                               float by, float plus, const unsigned char *weight,
                               const unsigned char *bias) {
    const mpx__vf less = mpx__fl(from), times = mpx__fl(by), more = mpx__fl(plus);
    size_t i = 0;
/* A loop for each case: tests in one loop took as long as its sums (AVX2). */
#define MPX__ROW_AFFINE(then) \
    for (; i < n * 4; i += MPX__ROW_STEP) { \
        mpx__vf y = mpx__fl_kept(mpx__fl_sub(mpx__fl_load(s + i), less)); \
        y = mpx__fmul_add(y, times, more); \
        then; \
        mpx__fl_store(d + i, y); \
    }
    if (weight == NULL && bias == NULL) MPX__ROW_AFFINE((void)0)
    if (bias == NULL) MPX__ROW_AFFINE(y = mpx__fmul(y, mpx__fl_load(weight + i)))
    if (weight == NULL) MPX__ROW_AFFINE(y = mpx__fl_add(y, mpx__fl_load(bias + i)))
    MPX__ROW_AFFINE(y = mpx__fl_add(mpx__fmul(y, mpx__fl_load(weight + i)), mpx__fl_load(bias + i)))
#undef MPX__ROW_AFFINE
}
MPX__FORCE_INLINE mpx__vf mpx__row_weighted(const unsigned char *dy, const unsigned char *weight,
                                            size_t i) {
    const mpx__vf g = mpx__fl_load(dy + i);
    return weight != NULL ? mpx__fmul(g, mpx__fl_load(weight + i)) : g;
}
MPX__LOOP void mpx__row_grad_sums(float sums[2], const unsigned char *dy,
                                  const unsigned char *weight, const unsigned char *s, size_t n,
                                  float from) {
    const mpx__vf less = mpx__fl(from);
    mpx__vf a = mpx__fl_zero(), b = a, c = a, d = a, pa = a, pb = a, pc = a, pd = a, g;
    size_t i = 0;
#define MPX__ROW_ADD(to, at) \
    g = mpx__row_weighted(dy, weight, at); \
    to = mpx__fl_add(to, g); \
    p##to = mpx__fmul_add(g, mpx__fl_sub(mpx__fl_load(s + (at)), less), p##to);
    MPX__ROW_REDUCE(MPX__ROW_ADD)
#undef MPX__ROW_ADD
    sums[0] = mpx__fl_sum(mpx__fl_add(mpx__fl_add(a, b), mpx__fl_add(c, d)));
    sums[1] = mpx__fl_sum(mpx__fl_add(mpx__fl_add(pa, pb), mpx__fl_add(pc, pd)));
}
#undef MPX__ROW_REDUCE
MPX__LOOP void mpx__row_grad(unsigned char *d, const unsigned char *dy,
                             const unsigned char *weight, const unsigned char *s, size_t n,
                             const float k[4]) {
    const mpx__vf less = mpx__fl(k[0]), by = mpx__fl(k[1]), slope = mpx__fl(k[2]), c = mpx__fl(k[3]);
    size_t i;
    for (i = 0; i < n * 4; i += MPX__ROW_STEP) {
        const mpx__vf x = mpx__fl_sub(mpx__fl_load(s + i), less),
                      y = mpx__fmul_add(x, slope, c);
        mpx__fl_store(d + i, mpx__fmul_add(mpx__row_weighted(dy, weight, i), by, y));
    }
}
MPX__LOOP void mpx__row_rotate(unsigned char *const d[2], const unsigned char *const s[2],
                               const unsigned char *const turn[2], size_t n, float sign) {
    const mpx__vf by = mpx__fl(sign), zero = mpx__fl_zero();
    const int mixed = s[1] == NULL;
    const unsigned char *s2 = mixed ? s[0] + MPX__ROW_STEP : s[1];
    unsigned char *d2 = mixed ? d[0] + MPX__ROW_STEP : d[1];
    size_t i;
    for (i = 0; i < n * 4; i += MPX__ROW_STEP) {
        const mpx__vf across = mpx__fl_load(turn[0] + i),
                      up = mpx__fmul(mpx__fl_load(turn[1] + i), by);
        mpx__vf a = mpx__fl_load(s[0] + (i << mixed)), b = mpx__fl_load(s2 + (i << mixed)), c;
#if MPX__HAS_FLOAT
        mpx__vu x, y;
        if (mixed) {
            mpx__split64(mpx__bits_of_vf(a), mpx__bits_of_vf(b), &x, &y);
            a = mpx__vf_of_bits(mpx__packed_once(x));
            b = mpx__vf_of_bits(mpx__packed_once(y));
        }
#endif
        c = mpx__fmul_add(a, across, mpx__fl_sub(zero, mpx__fmul(b, up)));
        b = mpx__fmul_add(b, across, mpx__fmul(a, up));
#if MPX__HAS_FLOAT
        if (mixed) {
            x = mpx__to_pair_once(mpx__bits_of_vf(c));
            mpx__pair32(x, mpx__to_pair_once(mpx__bits_of_vf(b)), &x, &y);
            c = mpx__vf_of_bits(x);
            b = mpx__vf_of_bits(y);
        }
#endif
        mpx__fl_store(d[0] + (i << mixed), c);
        mpx__fl_store(d2 + (i << mixed), b);
    }
}
static const mpx__row_kernels mpx__row_kernels_here = {
    16 * MPX__FLOATS,
    mpx__activate_here, mpx__row_largest,   mpx__row_exp_sum, mpx__row_sum,
    mpx__row_affine,    mpx__row_grad_sums, mpx__row_grad,    mpx__row_rotate,
};

#endif /* MPX_COMPUTE */
