/*==========================================================================*
 * MARK: row_kernels - functions of rows, on lanes of f32                    *
 *   e^x is the base of all: 2^n times a polynomial, with 2^n in two factors *
 *   that are multiplied last, so that results below 2^-126 are right too.   *
 *   Source: exp's polynomial is a minimax one of degree 6, tanh's that of   *
 *   Cephes, erfc's was fitted to a relative error of 4e-8.                  *
 *==========================================================================*/
#if MPX_COMPUTE

/* Its value for NaN is low. */
MPX__FORCE_INLINE mpx__vf mpx__fl_clamped(mpx__vf x, float low, float high) {
    return mpx__fl_smaller(mpx__fl_larger(x, mpx__fl(low)), mpx__fl(high));
}
/* y, but a quiet NaN where x is NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fl_unless_nan(mpx__vf x, mpx__vf y) {
    return mpx__fl_if_below(mpx__fl_abs(x), mpx__fl_of_bits(0x7f800001u), y, mpx__fl_add(x, x));
}
/* x is below 0 ? a : b; a and b may be negative. */
MPX__FORCE_INLINE mpx__vf mpx__fl_if_negative(mpx__vf x, mpx__vf a, mpx__vf b) {
#if MPX__HAS_FLOAT
    const mpx__vu is = mpx__gt_signed(mpx__set(0), mpx__bits_of_vf(x));
    return mpx__vf_of_bits(mpx__select(is, mpx__bits_of_vf(a), mpx__bits_of_vf(b)));
#else
    return mpx__opaque_bits(x) >> 31 != 0 ? a : b;
#endif
}
/* e^(x + rest) = y * by * by2, of x from -130 to 89 and a small rest. */
typedef struct mpx__exp { mpx__vf y, by, by2; } mpx__exp;
MPX__FORCE_INLINE mpx__exp mpx__exp_parts(mpx__vf x, mpx__vf rest) {
    const mpx__vf n = mpx__fl_round(mpx__fmul(x, mpx__fl(1.44269504f))),
                  half = mpx__fl_round(mpx__fmul(n, mpx__fl(0.5f)));
    mpx__vf r = mpx__fmul_add(n, mpx__fl(-0.693145752f), x), q = mpx__fl(0.0013950489f);
    mpx__exp e;
    r = mpx__fl_add(mpx__fmul_add(n, mpx__fl(-1.42860677e-6f), mpx__fl_kept(r)), rest);
    q = mpx__fmul_add(q, r, mpx__fl(0.0083688898f));
    q = mpx__fmul_add(q, r, mpx__fl(0.041666206f));
    q = mpx__fmul_add(q, r, mpx__fl(0.16666518f));
    q = mpx__fmul_add(q, r, mpx__fl(0.5f));
    e.y = mpx__fl_add(mpx__fl(1), mpx__fl_kept(mpx__fmul_add(mpx__fmul(r, r), q, r)));
    e.by = mpx__fl_power_of_2(half);
    e.by2 = mpx__fl_kept(mpx__fl_power_of_2(mpx__fl_sub(n, half)));
    return e;
}
MPX__FORCE_INLINE mpx__vf mpx__exp_of(mpx__vf x) {
    const mpx__exp e = mpx__exp_parts(mpx__fl_clamped(x, -130, 89), mpx__fl_zero());
    return mpx__fmul(mpx__fl_kept(mpx__fmul(e.y, e.by)), e.by2);
}
/* Below 0.625 a polynomial, from there on 1 - 2 / (1 + e^2x). */
MPX__FORCE_INLINE mpx__vf mpx__tanh_of(mpx__vf x) {
    const mpx__vf a = mpx__fl_abs(x), z = mpx__fmul(x, x),
                  e = mpx__exp_of(mpx__fl_smaller(mpx__fl_add(a, a), mpx__fl(40)));
    mpx__vf p = mpx__fl(-5.70498872745e-3f), y;
    p = mpx__fmul_add(p, z, mpx__fl(2.06390887954e-2f));
    p = mpx__fmul_add(p, z, mpx__fl(-5.37397155531e-2f));
    p = mpx__fmul_add(p, z, mpx__fl(1.33314422036e-1f));
    p = mpx__fmul_add(p, z, mpx__fl(-3.33332819422e-1f));
    p = mpx__fmul_add(mpx__fmul(p, z), a, a);
    y = mpx__fl_sub(mpx__fl(1), mpx__fdiv(mpx__fl(2), mpx__fl_add(e, mpx__fl(1))));
    return mpx__fl_signed(mpx__fl_if_below(a, mpx__fl(0.625f), p, y), x);
}
/* a / (1 + e^-x), of -130 * a where x is below that. */
MPX__FORCE_INLINE mpx__vf mpx__times_sigmoid(mpx__vf a, mpx__vf x) {
    const mpx__vf one = mpx__fl(1), size = mpx__fl_smaller(mpx__fl_abs(x), mpx__fl(130));
    const mpx__exp e = mpx__exp_parts(mpx__fl_sub(mpx__fl_zero(), size), mpx__fl_zero());
    const mpx__vf part = mpx__fmul(e.y, e.by), below = mpx__fmul_add(part, e.by2, one);
    a = mpx__fmul(a, mpx__fl_if_negative(x, part, one));
    return mpx__fmul(mpx__fdiv(a, below), mpx__fl_if_negative(x, e.by2, one));
}
/* erfc(t / sqrt(2)) * e^(t * t / 2) / 2, of t from 0 to 16. */
MPX__FORCE_INLINE mpx__vf mpx__tail_of(mpx__vf t) {
    const mpx__vf w = mpx__fdiv(mpx__fl(1), mpx__fmul_add(t, mpx__fl(0.35f), mpx__fl(1)));
    mpx__vf p = mpx__fl(-0.02916511707f);
    p = mpx__fmul_add(p, w, mpx__fl(0.1440666914f));
    p = mpx__fmul_add(p, w, mpx__fl(-0.2559142709f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1594073474f));
    p = mpx__fmul_add(p, w, mpx__fl(-0.02327398397f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1055791974f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1198143587f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1398645043f));
    p = mpx__fmul_add(p, w, mpx__fl(0.1396212429f));
    return mpx__fmul(p, w);
}
/* t * t is exact in two parts: that of 12 bits of t, and the rest. */
MPX__FORCE_INLINE mpx__vf mpx__gelu_erf_of(mpx__vf x) {
    const mpx__vf t = mpx__fl_smaller(mpx__fl_abs(x), mpx__fl(16)), one = mpx__fl(1),
                  few = mpx__fmul(mpx__fl_round(mpx__fmul(t, mpx__fl(256))), mpx__fl(1.0f / 256)),
                  rest = mpx__fmul(mpx__fl_sub(t, few), mpx__fl_add(t, few)), down = mpx__fl(-0.5f);
    const mpx__exp e = mpx__exp_parts(mpx__fmul(mpx__fmul(few, few), down), mpx__fmul(rest, down));
    const mpx__vf part = mpx__fmul(mpx__fmul(e.y, mpx__tail_of(t)), e.by),
                  above = mpx__fl_sub(one, mpx__fmul(part, e.by2));
    x = mpx__fmul(mpx__fl_larger(x, mpx__fl(-16)), mpx__fl_if_negative(x, part, above));
    return mpx__fmul(x, mpx__fl_if_negative(x, e.by2, one));
}
MPX__FORCE_INLINE mpx__vf mpx__gelu_of(mpx__vf x) {
    const mpx__vf a = mpx__fl_larger(x, mpx__fl(-130)), z = mpx__fmul(a, a);
    return mpx__times_sigmoid(a, mpx__fmul(a, mpx__fmul_add(z, mpx__fl(0.0713548162726f),
                                                            mpx__fl(1.59576912161f))));
}
MPX__FORCE_INLINE mpx__vf mpx__relu_of(mpx__vf x) { return mpx__fl_larger(x, mpx__fl_zero()); }
MPX__FORCE_INLINE mpx__vf mpx__sigmoid_of(mpx__vf x) { return mpx__times_sigmoid(mpx__fl(1), x); }
MPX__FORCE_INLINE mpx__vf mpx__silu_of(mpx__vf x) {
    return mpx__times_sigmoid(mpx__fl_larger(x, mpx__fl(-130)), x);
}
#define MPX__EACH(name, of) \
    MPX__NOINLINE void name(unsigned char *d, const unsigned char *s, size_t n) { \
        for (; n != 0; n -= MPX__FLOATS, d += 4 * MPX__FLOATS, s += 4 * MPX__FLOATS) { \
            const mpx__vf x = mpx__fl_load(s); \
            mpx__fl_store(d, mpx__fl_unless_nan(x, of(x))); \
        } \
    }
MPX__EACH(mpx__each_relu, mpx__relu_of)
MPX__EACH(mpx__each_exp, mpx__exp_of)
MPX__EACH(mpx__each_tanh, mpx__tanh_of)
MPX__EACH(mpx__each_sigmoid, mpx__sigmoid_of)
MPX__EACH(mpx__each_silu, mpx__silu_of)
MPX__EACH(mpx__each_gelu, mpx__gelu_of)
MPX__EACH(mpx__each_gelu_erf, mpx__gelu_erf_of)
#undef MPX__EACH
MPX__PRIVATE void mpx__activate_here(unsigned char *d, const unsigned char *s, size_t n,
                                     int activation) {
    switch (activation) {
    case MPX_ACT_RELU: mpx__each_relu(d, s, n); break;
    case MPX_ACT_EXP: mpx__each_exp(d, s, n); break;
    case MPX_ACT_TANH: mpx__each_tanh(d, s, n); break;
    case MPX_ACT_SIGMOID: mpx__each_sigmoid(d, s, n); break;
    case MPX_ACT_SILU: mpx__each_silu(d, s, n); break;
    case MPX_ACT_GELU: mpx__each_gelu(d, s, n); break;
    default: mpx__each_gelu_erf(d, s, n); break;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { MPX__ROW_STEP = 4 * MPX__FLOATS };
MPX__NOINLINE float mpx__row_largest(const unsigned char *s, size_t n) {
    mpx__vf largest = mpx__fl_load(s);
    for (; n != 0; n -= MPX__FLOATS, s += MPX__ROW_STEP)
        largest = mpx__fl_larger(mpx__fl_load(s), largest);
    return mpx__fl_largest(largest);
}
MPX__NOINLINE float mpx__row_exp_sum(unsigned char *d, const unsigned char *s, size_t n,
                                     float from) {
    const mpx__vf less = mpx__fl(from);
    mpx__vf sum = mpx__fl_zero();
    for (; n != 0; n -= MPX__FLOATS, d += MPX__ROW_STEP, s += MPX__ROW_STEP) {
        const mpx__vf x = mpx__fl_sub(mpx__fl_load(s), less),
                      y = mpx__fl_unless_nan(x, mpx__exp_of(x));
        mpx__fl_store(d, y);
        sum = mpx__fl_add(sum, y);
    }
    return mpx__fl_sum(sum);
}
MPX__NOINLINE float mpx__row_sum(const unsigned char *s, size_t n, float from, int square) {
    const mpx__vf less = mpx__fl(from);
    mpx__vf sum = mpx__fl_zero(), x;
    for (; n != 0; n -= MPX__FLOATS, s += MPX__ROW_STEP) {
        x = mpx__fl_sub(mpx__fl_load(s), less);
        sum = square ? mpx__fmul_add(x, x, sum) : mpx__fl_add(sum, x);
    }
    return mpx__fl_sum(sum);
}
MPX__NOINLINE void mpx__row_affine(unsigned char *d, const unsigned char *s, size_t n, float from,
                                   float by, const unsigned char *weight,
                                   const unsigned char *bias) {
    const mpx__vf less = mpx__fl(from), times = mpx__fl(by);
    size_t i;
    for (i = 0; i < n * 4; i += MPX__ROW_STEP) {
        mpx__vf y = mpx__fmul(mpx__fl_sub(mpx__fl_load(s + i), less), times);
        if (weight != NULL) y = mpx__fmul(y, mpx__fl_load(weight + i));
        if (bias != NULL) y = mpx__fl_add(y, mpx__fl_load(bias + i));
        mpx__fl_store(d + i, y);
    }
}
static const mpx__row_kernels mpx__row_kernels_here = {
    mpx__activate_here, mpx__row_largest, mpx__row_exp_sum, mpx__row_sum, mpx__row_affine,
};

#endif /* MPX_COMPUTE */
