/*==========================================================================*
 * MARK: float_env - the caller's floating-point environment                 *
 *   Codecs compute with integers. Where a row uses float instructions, it   *
 *   runs between enter and leave: rounding to nearest, subnormals kept,     *
 *   nothing trapped; the caller's modes and flags are as before after it.   *
 *   Flags but for those that MPX_KEEP_FLAGS is about, see config.h.         *
 *==========================================================================*/
#if MPX__HAS_MXCSR
typedef unsigned mpx__env;
/* MXCSR: 1f80 is all masked and nearest; 3f the flags. Reading it waits for the float instructions
   before, writing it does not (Zen 4): so it is read once. The fences keep the float instructions,
   which hang on loads and stores, in between. */
MPX__FORCE_INLINE mpx__env mpx__env_enter(void) {
    unsigned saved = _mm_getcsr(), wanted = 0x1f80u | (saved & 0x3fu);
    if (saved != wanted) _mm_setcsr(wanted);
    MPX__KEEP_LOOP();
    return saved;
}
MPX__FORCE_INLINE void mpx__env_leave(mpx__env saved) {
    MPX__KEEP_LOOP();
    _mm_setcsr(saved);
}
#elif !MPX__HAS_ENV /* nothing to be set, or no float instructions in use */
typedef int mpx__env;
MPX__INLINE mpx__env mpx__env_enter(void) { return 0; }
MPX__INLINE void mpx__env_leave(mpx__env saved) { (void)saved; }
#endif

/* For one float operation per element it is enough to keep the modes; flags may be raised. That
   takes half the time. With MPX_KEEP_FLAGS, and elsewhere: as above. */
#define MPX__MODES_ARE_TOLD (MPX__HAS_MXCSR && !MPX_KEEP_FLAGS)
#if MPX__MODES_ARE_TOLD
/* Whether they are other than nearest and subnormals kept, told by sums which only then are these:
   twice the least subnormal, 1 and three quarters of what follows it, 1 and a quarter. That raises
   "inexact" and "denormal". */
MPX__FORCE_INLINE int mpx__modes_differ(void) {
    MPX__READ_HERE int tiny = 1;
    __m128i a = _mm_set_epi32(0, 0x3f800000, 0x3f800000, tiny),
            want = _mm_set_epi32(0, 0x3f800000, 0x3f800001, 2);
    __m128 sum = _mm_castsi128_ps(a);
    MPX__HERE(sum);
    sum = _mm_add_ps(sum, _mm_castsi128_ps(_mm_set_epi32(0, 0x33000000, 0x33c00000, 1)));
    MPX__HERE(sum);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castps_si128(sum), want)) != 0xffff;
}
MPX__FORCE_INLINE mpx__env mpx__modes_enter(void) {
    return mpx__modes_differ() ? mpx__env_enter() : 0;
}
MPX__FORCE_INLINE void mpx__modes_leave(mpx__env saved) {
    if (saved != 0) mpx__env_leave(saved);
}
#else /* who needs them enters */
#ifndef MPX__HAS_MODES_DIFFER
MPX__INLINE int mpx__modes_differ(void) { return 0; }
#endif
MPX__INLINE mpx__env mpx__modes_enter(void) { return mpx__env_enter(); }
MPX__INLINE void mpx__modes_leave(mpx__env saved) { mpx__env_leave(saved); }
#endif

/* Whether sums are rounded down: then 1 less 1 is -0. That is exact, and raises nothing. */
#if MPX__HAS_MXCSR
MPX__FORCE_INLINE int mpx__rounds_down(void) {
    MPX__READ_HERE float one = 1;
    __m128 sum = _mm_set_ss(one);
    MPX__HERE(sum);
    sum = _mm_sub_ss(sum, _mm_set_ss(1));
    MPX__HERE(sum);
    return _mm_movemask_ps(sum) & 1;
}
#else /* it may be */
MPX__INLINE int mpx__rounds_down(void) { return MPX__HAS_ENV; }
#endif

/* The instructions of F16C keep to their own rounding and to subnormals, but raise flags, as C's
   own conversions do; those of AVX-512 can be told not to; those of AArch64 do as the modes say. */
#if MPX__F16_IN_ENV
MPX__FORCE_INLINE mpx__env mpx__f16_enter(void) { return mpx__env_enter(); }
MPX__FORCE_INLINE void mpx__f16_leave(mpx__env saved) { mpx__env_leave(saved); }
#else
MPX__INLINE mpx__env mpx__f16_enter(void) { return 0; }
MPX__INLINE void mpx__f16_leave(mpx__env saved) { (void)saved; }
#endif

#if MPX__HAS_FLOAT && !defined(MPX__HAS_ODD)
/* f64 to what f32 holds, by round-to-odd: 29 bits go, and the lowest that stays is set if they are
   not all 0, by the carry when all ones are added to them. The conversion then has nothing to
   round, but below 2^-126, and makes Inf of 2^128 and more. */
MPX__FORCE_INLINE mpx__vu mpx__cut_f64(mpx__vu x) {
    mpx__vu low = mpx__set64(0x1fffffffu), carry = mpx__add(mpx__and(x, low), low);
    return mpx__and(mpx__or(x, carry), mpx__set64(~(uint64_t)0x1fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_f32_of_f64(mpx__vu a, mpx__vu b) {
    return mpx__f32_of_f64(mpx__cut_f64(a), mpx__cut_f64(b));
}
#endif
