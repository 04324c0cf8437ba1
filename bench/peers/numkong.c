/* NumKong: nk_cast, its kernels chosen when it is compiled. */
#define NK_DYNAMIC_DISPATCH 0
#include "peer.h"
#include <numkong/cast.h>

#define ROW(from, to)                                                                      \
    static void from##_##to(const void *row, void *dst, const void *src, size_t n) {       \
        (void)row;                                                                         \
        nk_cast(src, nk_##from##_k, n, dst, nk_##to##_k);                                  \
    }
ROW(f32, f16)
ROW(f16, f32)
ROW(f32, bf16)
ROW(bf16, f32)
ROW(i8, f32)
ROW(i32, f32)
ROW(u8, f32)
ROW(i16, f32)
ROW(f64, f32)
ROW(f32, i8)
ROW(e4m3, f32)
ROW(e4m3, f16)
ROW(e4m3, bf16)
ROW(e5m2, f32)
ROW(e5m2, f16)
ROW(e5m2, bf16)
ROW(f16, bf16)
ROW(bf16, f16)
ROW(f32, e4m3)
ROW(f32, e5m2)
ROW(f32, e2m3)
ROW(f32, e3m2)
ROW(bf16, e4m3)
ROW(bf16, e5m2)
ROW(f16, e4m3)
ROW(f16, e5m2)
ROW(f64, f16)
ROW(f64, bf16)
ROW(f64, e4m3)
ROW(f64, e5m2)

static const peer_row rows[] = {
    { "f32->f16", f32_f16 },
    { "f16->f32", f16_f32 },
    { "f32->bf16", f32_bf16 },
    { "bf16->f32", bf16_f32 },
    { "i8->f32", i8_f32 },
    { "i32->f32", i32_f32 },
    { "u8->f32", u8_f32 },
    { "i16->f32", i16_f32 },
    { "f64->f32", f64_f32 },
    { "f32->i8", f32_i8 },
    { "f8e4m3fn->f32", e4m3_f32 },
    { "f8e4m3fn->f16", e4m3_f16 },
    { "f8e4m3fn->bf16", e4m3_bf16 },
    { "f8e5m2->f32", e5m2_f32 },
    { "f8e5m2->f16", e5m2_f16 },
    { "f8e5m2->bf16", e5m2_bf16 },
    { "f16->bf16", f16_bf16 },
    { "bf16->f16", bf16_f16 },
    { "f32->f8e4m3fn", f32_e4m3 },
    { "f32->f8e5m2", f32_e5m2 },
    { "f32->f6e2m3fn bytes", f32_e2m3 },
    { "f32->f6e3m2fn bytes", f32_e3m2 },
    { "bf16->f8e4m3fn", bf16_e4m3 },
    { "bf16->f8e5m2", bf16_e5m2 },
    { "f16->f8e4m3fn", f16_e4m3 },
    { "f16->f8e5m2", f16_e5m2 },
    { "f64->f16", f64_f16 },
    { "f64->bf16", f64_bf16 },
    { "f64->f8e4m3fn", f64_e4m3 },
    { "f64->f8e5m2", f64_e5m2 },
    { NULL, NULL },
};
PEER("NumKong", rows)
