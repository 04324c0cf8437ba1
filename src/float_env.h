/*==================================================================*
 * MARK: float_env - the caller's floating-point environment
 *   The exact codec computes with integers. Kernels with float instructions run between enter and
 *   leave, once for a whole call.
 *==================================================================*/
#if MPX__LEAVES_UPPER && (MPX_ISA == MPX_ISA_AVX2 || MPX_ISA == MPX_ISA_AVX512)
#define MPX__CLEAR_UPPER() _mm256_zeroupper() /* at the end of vector code */
#else
#define MPX__CLEAR_UPPER() ((void)0)
#endif

/* 1 unless the modes are: to nearest, subnormals kept. Three sums tell, in half the time of reading
   the control word, but raise flags: twice the least subnormal is not 0; 1 plus 3/4 of a unit in its
   last place rounds up, 1 plus 1/4 rounds down. */
#if MPX__HAS_MXCSR
#ifndef MPX__OWN_ENV
MPX__FORCE_INLINE int mpx__modes_differ(void) {
    MPX__READ_HERE int tiny = 1;
    __m128i a = _mm_set_epi32(0, 0x3f800000, 0x3f800000, tiny),
            want = _mm_set_epi32(0, 0x3f800000, 0x3f800001, 2);
    __m128 sum = _mm_castsi128_ps(a);
    MPX__FP_BARRIER(sum);
    sum = _mm_add_ps(sum, _mm_castsi128_ps(_mm_set_epi32(0, 0x33000000, 0x33c00000, 1)));
    MPX__FP_BARRIER(sum);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castps_si128(sum), want)) != 0xffff;
}
MPX__PRIVATE int mpx__env_serves(int env) {
    return MPX_KEEP_FLAGS ? 0 : env != MPX__ENV_ALL && !mpx__modes_differ();
}
/* MXCSR: 0x1f80 masks all exceptions and rounds to nearest; 0x3f are the flags. Reading it waits for
   earlier float instructions (Zen 4). The barriers keep kernels between enter and leave. */
MPX__PRIVATE mpx__env mpx__env_enter(int env) {
    unsigned saved, wanted;
    if (env == MPX__ENV_ANY || mpx__env_serves(env)) return 0;
    saved = _mm_getcsr();
    wanted = 0x1f80u | (saved & 0x3fu);
    if (saved != wanted) _mm_setcsr(wanted);
    MPX__BARRIER();
    return saved | (mpx__env)1 << 32;
}
#endif
/* The flags are the caller's. AVX-512's casts raised none in between, compute may have. */
MPX__PRIVATE void mpx__env_leave(mpx__env saved) {
    MPX__BARRIER();
    if (saved != 0) _mm_setcsr((unsigned)(saved & 0xffffffffu));
    MPX__CLEAR_UPPER();
}
#elif !defined(MPX__OWN_ENV) /* nothing to set, or no float instructions in use */
MPX__INLINE int mpx__env_serves(int env) { return (void)env, 1; }
MPX__INLINE mpx__env mpx__env_enter(int env) { return (void)env, 0; }
MPX__INLINE void mpx__env_leave(mpx__env saved) { (void)saved; }
#endif
