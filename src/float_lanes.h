/*==================================================================*
 * MARK: float_lanes - the vocabulary of compute: lanes of f32
 *   Casts work on integer lanes, so that their bits are the same everywhere. Dot products and
 *   functions of rows use float instructions. A multiplication and an addition round once where the
 *   machine has a fused instruction, and a sum has as many parts as a vector has lanes. So the last
 *   bits may differ between instruction sets. Without float vectors, a lane is a plain C float.
 *==================================================================*/
#if MPX_COMPUTE

/* a unchanged. Under -ffast-math an empty asm hides it from the compiler, which therefore does not
   rewrite sums and products that it is part of. */
#if !MPX__GNU || !defined(__FAST_MATH__)
#define MPX__FL_HIDE(a) ((void)(a))
#elif defined(MPX__HAS_SSE2)
#define MPX__FL_HIDE(a) __asm__("" : "+x"(a))
#elif defined(__aarch64__)
#define MPX__FL_HIDE(a) __asm__("" : "+w"(a))
#else
#define MPX__FL_HIDE(a) __asm__("" : "+m"(a))
#endif

#if MPX__HAS_FLOAT
enum { MPX__FLOATS = MPX__LANES }; /* lanes */
MPX__FORCE_INLINE mpx__vf mpx__fl_of_bits(uint32_t u) { return mpx__vf_of_bits(mpx__set(u)); }
MPX__FORCE_INLINE mpx__vf mpx__fl_load(const void *p) { return mpx__vf_of_bits(mpx__load32(p)); }
MPX__FORCE_INLINE void mpx__fl_store(void *p, mpx__vf a) { mpx__store32(p, mpx__bits_of_vf(a)); }
#ifndef MPX__OWN_POWER
typedef struct mpx__fl_two_n { mpx__vf by, by2; } mpx__fl_two_n; /* 2^n as two factors */
#endif
MPX__FORCE_INLINE mpx__vf mpx__fl_masked(mpx__vf a, uint32_t mask) {
    return mpx__vf_of_bits(mpx__and(mpx__bits_of_vf(a), mpx__set(mask)));
}
/* a, which is not negative unless `from` is, with the sign of `from`. */
MPX__FORCE_INLINE mpx__vf mpx__fl_signed(mpx__vf a, mpx__vf from) {
    return mpx__vf_of_bits(mpx__or(mpx__bits_of_vf(a), mpx__and(mpx__bits_of_vf(from),
                                                                mpx__set(0x80000000u))));
}
/* a < b ? x : y, of magnitudes: neither a nor b is negative; NaN is above all. */
MPX__FORCE_INLINE mpx__vf mpx__fl_if_below(mpx__vf a, mpx__vf b, mpx__vf x, mpx__vf y) {
    mpx__vu below = mpx__gt_signed(mpx__bits_of_vf(b), mpx__bits_of_vf(a));
    return mpx__vf_of_bits(mpx__select(below, mpx__bits_of_vf(x), mpx__bits_of_vf(y)));
}
#else
typedef float mpx__vf;
enum { MPX__FLOATS = 1 };
MPX__FORCE_INLINE float mpx__fl_of_bits(uint32_t u) { return mpx__float(u); }
MPX__FORCE_INLINE float mpx__fl_load(const void *p) { return mpx__float(mpx__read32(p)); }
MPX__FORCE_INLINE void mpx__fl_store(void *p, float a) { mpx__write32(p, mpx__opaque_bits(a)); }
MPX__FORCE_INLINE float mpx__fl_add(float a, float b) { return a + b; }
MPX__FORCE_INLINE float mpx__fl_sub(float a, float b) { return a - b; }
MPX__FORCE_INLINE float mpx__fmul(float a, float b) { return a * b; }
MPX__FORCE_INLINE float mpx__fmul_add(float a, float b, float c) { return a * b + c; }
#ifdef __FAST_MATH__ /* a quotient of f32 may be a product with an estimate of 1 / b */
MPX__FORCE_INLINE float mpx__fdiv(float a, float b) {
    double quotient = (double)a / (double)b;
    MPX__FL_HIDE(quotient);
    return (float)quotient;
}
#else
MPX__FORCE_INLINE float mpx__fdiv(float a, float b) { return a / b; }
#endif
MPX__FORCE_INLINE float mpx__fl_larger(float a, float b) { return a > b ? a : b; }
MPX__FORCE_INLINE float mpx__fl_smaller(float a, float b) { return a < b ? a : b; }
typedef struct mpx__fl_two_n { float by, by2; } mpx__fl_two_n;
MPX__FORCE_INLINE float mpx__fl_masked(float a, uint32_t mask) {
    return mpx__float(mpx__opaque_bits(a) & mask);
}
MPX__FORCE_INLINE float mpx__fl_signed(float a, float from) {
    return mpx__float(mpx__opaque_bits(a) | (mpx__opaque_bits(from) & 0x80000000u));
}
MPX__FORCE_INLINE float mpx__fl_if_below(float a, float b, float x, float y) {
    return mpx__opaque_bits(a) < mpx__opaque_bits(b) ? x : y;
}
/* By Newton's steps, from half the exponent, so that no libm is linked. */
MPX__NOINLINE float mpx__fl_sqrt(float a) {
    const uint32_t u = mpx__opaque_bits(a);
    float by = 1.0f, x;
    int i;
    if (u << 1 == 0 || (u & 0x7fffffffu) > 0x7f800000u || u == 0x7f800000u) return a;
    if ((u >> 31) != 0) return mpx__float(0x7fc00000u);
    if (u < 0x00800000u) {
        a *= 16777216.0f;
        by = 1.0f / 4096.0f;
    }
    x = mpx__float((mpx__opaque_bits(a) >> 1) + 0x1fbd1df5u);
    for (i = 0; i < 4; i++)
        x = 0.5f * (x + a / x);
    return x * by;
}
#endif

#if MPX__COMPACT /* simd_generic.h is not there */
MPX__FORCE_INLINE void mpx__prefetch(const void *p) { (void)p; }
#endif
MPX__FORCE_INLINE mpx__vf mpx__fl_kept(mpx__vf a) {
    MPX__FL_HIDE(a);
    return a;
}
#undef MPX__FL_HIDE
MPX__FORCE_INLINE mpx__vf mpx__fl(float x) { return mpx__fl_of_bits(mpx__bits(x)); }
MPX__FORCE_INLINE mpx__vf mpx__fl_zero(void) { return mpx__fl_of_bits(0); }
MPX__FORCE_INLINE mpx__vf mpx__fl_abs(mpx__vf a) { return mpx__fl_masked(a, 0x7fffffffu); }
/* x is below 0 ? a : b; a and b may be negative. */
MPX__FORCE_INLINE mpx__vf mpx__fl_if_negative(mpx__vf x, mpx__vf a, mpx__vf b) {
#if MPX__HAS_FLOAT
    const mpx__vu is = mpx__gt_signed(mpx__set(0), mpx__bits_of_vf(x));
    return mpx__vf_of_bits(mpx__select(is, mpx__bits_of_vf(a), mpx__bits_of_vf(b)));
#else
    return mpx__opaque_bits(x) >> 31 != 0 ? a : b;
#endif
}
/* The integer n nearest to x * by, from -254 to 250, and 2^n, of -253 and below 0. Then a * 2^n. */
#ifndef MPX__OWN_POWER
MPX__FORCE_INLINE mpx__vf mpx__fl_power(mpx__vf x, float by, mpx__fl_two_n *p) {
#if MPX__HAS_FLOAT /* in a sum with 1.5 * 2^23 the last bits are n */
    const mpx__vf large = mpx__fl(12582912.0f),
                  sum = mpx__fl_kept(mpx__fmul_add(x, mpx__fl(by), large));
    const mpx__vu both = mpx__add(mpx__bits_of_vf(sum), mpx__set(254u - 0x4b400000u)),
                  half = mpx__shr(both, 1);
    p->by = mpx__vf_of_bits(mpx__shl(half, 23));
    p->by2 = mpx__vf_of_bits(mpx__shl(mpx__sub(both, half), 23));
    return mpx__fl_sub(sum, large);
#else
    const float product = mpx__fl_smaller(x * by, 250), /* Inf beside a NaN is no integer */
                n = (float)(int32_t)(product + (product < 0 ? -0.5f : 0.5f));
    const uint32_t both = (uint32_t)(int32_t)n + 254, half = both / 2;
    p->by = mpx__float(half << 23);
    p->by2 = mpx__float((both - half) << 23);
    return n;
#endif
}
MPX__FORCE_INLINE mpx__vf mpx__fl_scale(mpx__vf a, mpx__fl_two_n p) {
    return mpx__fmul(mpx__fl_kept(mpx__fmul(a, p.by)), mpx__fl_kept(p.by2));
}
#endif
/* 1 / b, to a unit in the last place; b from 1/2 to 2^100, or NaN. */
#ifndef MPX__OWN_INVERSE
MPX__FORCE_INLINE mpx__vf mpx__fl_inverse(mpx__vf b) { return mpx__fdiv(mpx__fl(1), b); }
#endif
/* Whether NaN survives minimum, maximum and all that follows: then x need not be checked for it.
   Under -ffast-math compilers exchange operands. */
#if MPX__HAS_FLOAT && !defined(__FAST_MATH__)
#define MPX__FL_LAST(x, limit) mpx__fl(limit), x /* they return the second operand for NaN */
#define MPX__FL_UNLESS_NAN(x, y) (y)
#else
#define MPX__FL_LAST(x, limit) x, mpx__fl(limit)
#define MPX__FL_UNLESS_NAN(x, y) mpx__fl_unless_nan(x, y)
#endif
MPX__FORCE_INLINE mpx__vf mpx__fl_at_least(mpx__vf x, float low) {
    return mpx__fl_larger(MPX__FL_LAST(x, low));
}
MPX__FORCE_INLINE mpx__vf mpx__fl_at_most(mpx__vf x, float high) {
    return mpx__fl_smaller(MPX__FL_LAST(x, high));
}
#undef MPX__FL_LAST
/* y, but a quiet NaN where x is NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fl_unless_nan(mpx__vf x, mpx__vf y) {
    return mpx__fl_if_below(mpx__fl_of_bits(0x7f800000u), mpx__fl_abs(x), mpx__fl_add(x, x), y);
}
/* The sum of all lanes, and the largest, by halves. */
#ifndef MPX__OWN_FL_FOLD
#define MPX__FL_FOLD(name, both) \
    MPX__FORCE_INLINE float name(mpx__vf a) { \
        float x[MPX__FLOATS]; \
        int i, half; \
        mpx__fl_store(x, a); \
        for (half = MPX__FLOATS / 2; half > 0; half /= 2) \
            for (i = 0; i < half; i++) \
                x[i] = both; \
        return x[0]; \
    }
MPX__FL_FOLD(mpx__fl_sum, x[i] + x[i + half])
MPX__FL_FOLD(mpx__fl_largest, x[i + half] > x[i] ? x[i + half] : x[i])
#undef MPX__FL_FOLD
#endif
#endif /* MPX_COMPUTE */
