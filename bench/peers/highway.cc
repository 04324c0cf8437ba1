// Highway: loops over its conversion functions, one vector of floats (doubles) a step.
#include "peer.h"
#include <hwy/highway.h>

namespace hn = hwy::HWY_NAMESPACE;
using hwy::bfloat16_t;
using hwy::float16_t;

// f(to, from) converts `step` elements. The rest goes through buffers of that length.
template <class S, class D, class F>
static inline void loop(void *dst, const void *src, size_t n, size_t step, F f) {
    const S *s = static_cast<const S *>(src);
    D *d = static_cast<D *>(dst);
    size_t i = 0;
    for (; i + step <= n; i += step) f(d + i, s + i);
    if (i == n) return;
    alignas(64) S from[64] = {};
    alignas(64) D to[64];
    memcpy(from, s + i, (n - i) * sizeof(S));
    f(to, from);
    memcpy(d + i, to, (n - i) * sizeof(D));
}

static const hn::ScalableTag<float> f32;
static const hn::Rebind<float16_t, decltype(f32)> f16;
static const hn::Rebind<bfloat16_t, decltype(f32)> bf16;
static const hn::Rebind<int8_t, decltype(f32)> i8;
static const hn::Rebind<uint8_t, decltype(f32)> u8;
static const hn::Rebind<int16_t, decltype(f32)> i16;
static const hn::Rebind<int32_t, decltype(f32)> i32;
static const hn::ScalableTag<double> f64;
static const hn::Rebind<float, decltype(f64)> f32h;
static const hn::Rebind<float16_t, decltype(f64)> f16h;

#define ROW(name, S, D, tag, expression)                                    \
    static void name(const void *, void *dst, const void *src, size_t n) {  \
        loop<S, D>(dst, src, n, hn::Lanes(tag),                             \
                   [](D *d, const S *s) HWY_ATTR { expression; });          \
    }
ROW(f32_f16, float, float16_t, f32, hn::StoreU(hn::DemoteTo(f16, hn::LoadU(f32, s)), f16, d))
ROW(f16_f32, float16_t, float, f32, hn::StoreU(hn::PromoteTo(f32, hn::LoadU(f16, s)), f32, d))
ROW(f32_bf16, float, bfloat16_t, f32, hn::StoreU(hn::DemoteTo(bf16, hn::LoadU(f32, s)), bf16, d))
ROW(bf16_f32, bfloat16_t, float, f32, hn::StoreU(hn::PromoteTo(f32, hn::LoadU(bf16, s)), f32, d))
ROW(f16_bf16, float16_t, bfloat16_t, f32,
    hn::StoreU(hn::DemoteTo(bf16, hn::PromoteTo(f32, hn::LoadU(f16, s))), bf16, d))
ROW(bf16_f16, bfloat16_t, float16_t, f32,
    hn::StoreU(hn::DemoteTo(f16, hn::PromoteTo(f32, hn::LoadU(bf16, s))), f16, d))
ROW(i32_f32, int32_t, float, f32, hn::StoreU(hn::ConvertTo(f32, hn::LoadU(i32, s)), f32, d))
ROW(i16_f32, int16_t, float, f32,
    hn::StoreU(hn::ConvertTo(f32, hn::PromoteTo(i32, hn::LoadU(i16, s))), f32, d))
ROW(i8_f32, int8_t, float, f32,
    hn::StoreU(hn::ConvertTo(f32, hn::PromoteTo(i32, hn::LoadU(i8, s))), f32, d))
ROW(u8_f32, uint8_t, float, f32,
    hn::StoreU(hn::ConvertTo(f32, hn::PromoteTo(i32, hn::LoadU(u8, s))), f32, d))
ROW(f32_i8, float, int8_t, f32,
    hn::StoreU(hn::DemoteTo(i8, hn::ConvertTo(i32, hn::LoadU(f32, s))), i8, d))
ROW(f64_f32, double, float, f64, hn::StoreU(hn::DemoteTo(f32h, hn::LoadU(f64, s)), f32h, d))
ROW(f64_f16, double, float16_t, f64,
    hn::StoreU(hn::DemoteTo(f16h, hn::DemoteTo(f32h, hn::LoadU(f64, s))), f16h, d))

static const peer_row rows[] = {
    { "f32->f16", f32_f16 }, { "f16->f32", f16_f32 },   { "f32->bf16", f32_bf16 },
    { "bf16->f32", bf16_f32 }, { "f16->bf16", f16_bf16 }, { "bf16->f16", bf16_f16 },
    { "i32->f32", i32_f32 }, { "i16->f32", i16_f32 },   { "i8->f32", i8_f32 },
    { "u8->f32", u8_f32 },   { "f32->i8", f32_i8 },     { "f64->f32", f64_f32 },
    { "f64->f16", f64_f16 }, { nullptr, nullptr },
};
PEER("Highway", rows)
