/*==================================================================*
 * MARK: sleef_lanes - SLEEF's functions of lanes, with MPX_USE_SLEEF
 *   Each pass calls SLEEF's functions for its own instruction set by their full names: mpx__log_of
 *   is Sleef_logf8_u10avx2 in the pass for AVX2. u10: an error of 1.0 units in the last place.
 *==================================================================*/
#if MPX_COMPUTE && MPX_USE_SLEEF

#include <sleef.h>
#if !MPX__HAS_FLOAT
#define MPX__SLEEF(f) Sleef_##f##_u10
#elif MPX_ISA == MPX_ISA_SSE2
#define MPX__SLEEF(f) Sleef_##f##4_u10sse2
#elif MPX_ISA == MPX_ISA_AVX2
#define MPX__SLEEF(f) Sleef_##f##8_u10avx2
#elif MPX_ISA == MPX_ISA_AVX512
#define MPX__SLEEF(f) Sleef_##f##16_u10avx512f
#elif MPX_ISA == MPX_ISA_NEON
#define MPX__SLEEF(f) Sleef_##f##4_u10advsimd
#else
#error "mpx.h: SLEEF has no vectors for this instruction set; MPX_ISA_SCALAR works with MPX_USE_SLEEF"
#endif

/* With MPX_DISPATCH: <sleef.h> hides what the compiler's flags do not allow. */
#if (MPX_ISA == MPX_ISA_AVX2 && !defined(__AVX__)) || \
    (MPX_ISA == MPX_ISA_AVX512 && !defined(__AVX512F__))
#ifdef __cplusplus
extern "C" {
#endif
MPX__TARGET mpx__vf MPX__SLEEF(logf)(mpx__vf x);
MPX__TARGET mpx__vf MPX__SLEEF(sinf)(mpx__vf x);
MPX__TARGET mpx__vf MPX__SLEEF(cosf)(mpx__vf x);
MPX__TARGET mpx__vf MPX__SLEEF(erff)(mpx__vf x);
MPX__TARGET mpx__vf MPX__SLEEF(expm1f)(mpx__vf x);
MPX__TARGET mpx__vf MPX__SLEEF(powf)(mpx__vf x, mpx__vf y);
#ifdef __cplusplus
}
#endif
#endif

MPX__FORCE_INLINE mpx__vf mpx__log_of(mpx__vf x) { return MPX__SLEEF(logf)(x); }
MPX__FORCE_INLINE mpx__vf mpx__sin_of(mpx__vf x) { return MPX__SLEEF(sinf)(x); }
MPX__FORCE_INLINE mpx__vf mpx__cos_of(mpx__vf x) { return MPX__SLEEF(cosf)(x); }
MPX__FORCE_INLINE mpx__vf mpx__erf_of(mpx__vf x) { return MPX__SLEEF(erff)(x); }
MPX__FORCE_INLINE mpx__vf mpx__expm1_of(mpx__vf x) { return MPX__SLEEF(expm1f)(x); }
MPX__FORCE_INLINE mpx__vf mpx__pow_of(mpx__vf x, mpx__vf y) { return MPX__SLEEF(powf)(x, y); }
#undef MPX__SLEEF

#endif /* MPX_COMPUTE && MPX_USE_SLEEF */
