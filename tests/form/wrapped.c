/* A unity build that puts everything, mpx.h too, into a namespace of its own; what mpx.h includes must be there before.
   In C: the same without a namespace. */
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#define MPX_IMPLEMENTATION
#define USE_MAIN use_wrapped
#ifdef __cplusplus
namespace engine {
namespace detail {
#endif
#include "use.c"
#ifdef __cplusplus
}
}
using engine::detail::use_wrapped;
#endif
int main(void) { return use_wrapped(); }
