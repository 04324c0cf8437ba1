/* A loop over each inline helper, with a count that it does not know: for tests/test_inline.c and bench/inline.c. */
#include "mpx.h"

#if defined(__GNUC__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif
#define LOOP(name, D, S, helper) \
    NOINLINE static void name(void *to, const void *from, size_t n) { \
        D *d = (D *)to; \
        const S *s = (const S *)from; \
        size_t i; \
        for (i = 0; i < n; i++) d[i] = helper(s[i]); \
    }
LOOP(f16_to_f32, float, uint16_t, mpx_f16_to_f32)
LOOP(bf16_to_f32, float, uint16_t, mpx_bf16_to_f32)
LOOP(e4m3fn_to_f32, float, uint8_t, mpx_f8e4m3fn_to_f32)
LOOP(e5m2_to_f32, float, uint8_t, mpx_f8e5m2_to_f32)
LOOP(f32_to_f16, uint16_t, float, mpx_f16_from_f32)
LOOP(f32_to_bf16, uint16_t, float, mpx_bf16_from_f32)
LOOP(f32_to_e4m3fn, uint8_t, float, mpx_f8e4m3fn_from_f32)
LOOP(f32_to_e5m2, uint8_t, float, mpx_f8e5m2_from_f32)

typedef struct inline_loop {
    mpx_dtype dst, src;
    void (*run)(void *to, const void *from, size_t n);
} inline_loop;
static const inline_loop inline_loops[] = {
    { MPX_F32, MPX_F16, f16_to_f32 },         { MPX_F32, MPX_BF16, bf16_to_f32 },
    { MPX_F32, MPX_F8E4M3FN, e4m3fn_to_f32 }, { MPX_F32, MPX_F8E5M2, e5m2_to_f32 },
    { MPX_F16, MPX_F32, f32_to_f16 },         { MPX_BF16, MPX_F32, f32_to_bf16 },
    { MPX_F8E4M3FN, MPX_F32, f32_to_e4m3fn }, { MPX_F8E5M2, MPX_F32, f32_to_e5m2 },
};
enum { INLINE_LOOPS = sizeof inline_loops / sizeof inline_loops[0] };
