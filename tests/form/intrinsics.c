/* All of the compiler's intrinsics after the implementation, which needs only some of them: each is there, once. */
#define MPX_IMPLEMENTATION
#include "mpx.h"
#if defined(__SSE2__)
#include <immintrin.h>
#include <x86intrin.h>
__attribute__((target("avx512f,rdrnd"))) int wide(void *p);
__attribute__((target("avx512f,rdrnd"))) int wide(void *p) {
    __m512i a = _mm512_loadu_si512(p);
    unsigned random = 0;
    _mm512_storeu_si512(p, _mm512_add_epi32(a, a));
    return _rdrand32_step(&random);
}
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
int main(void) { return mpx_dtype_bits(MPX_F32) == 32 ? 0 : 1; }
