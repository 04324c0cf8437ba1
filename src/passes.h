/*==================================================================*
 * MARK: passes - the engine once, or once for each instruction set
 *   The rooms from simd_... to kernels are compiled in one pass. With MPX_DISPATCH this file
 *   includes itself once for each of three instruction sets; dispatch.h chooses one at run time.
 *==================================================================*/

#if MPX_DISPATCH
#define MPX__PASS sse2
#define MPX_ISA MPX_ISA_SSE2
#include MPX_FILE
#undef MPX__PASS
#undef MPX_ISA
#undef MPX__TARGET

#define MPX__PASS avx2
#define MPX_ISA MPX_ISA_AVX2
#define MPX__TARGET __attribute__((target("avx2,f16c,fma")))
#include MPX_FILE
#undef MPX__PASS
#undef MPX_ISA
#undef MPX__TARGET

#define MPX__PASS avx512
#define MPX_ISA MPX_ISA_AVX512
#define MPX__TARGET __attribute__((target(MPX__AVX512_NAMES)))
#include MPX_FILE
#undef MPX__PASS
#undef MPX_ISA
#undef MPX__TARGET
#define MPX__TARGET
#else
#define MPX__PASS
#endif
