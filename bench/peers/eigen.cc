// Eigen: array casts; where it has no packet for a pair, through float.
#include "peer.h"
#include <Eigen/Core>

using Eigen::bfloat16;
using Eigen::half;
template <class T> using Array = Eigen::Array<T, Eigen::Dynamic, 1>;

template <class S, class D> void cast(const void *, void *dst, const void *src, size_t n) {
    Eigen::Map<const Array<S>> from(static_cast<const S *>(src), static_cast<Eigen::Index>(n));
    Eigen::Map<Array<D>> to(static_cast<D *>(dst), static_cast<Eigen::Index>(n));
    to = from.template cast<D>();
}

template <class S, class D> void through_float(const void *, void *dst, const void *src, size_t n) {
    Eigen::Map<const Array<S>> from(static_cast<const S *>(src), static_cast<Eigen::Index>(n));
    Eigen::Map<Array<D>> to(static_cast<D *>(dst), static_cast<Eigen::Index>(n));
    to = from.template cast<float>().template cast<D>();
}

static const peer_row rows[] = {
    { "f32->f16", cast<float, half> },
    { "f16->f32", cast<half, float> },
    { "f32->bf16", cast<float, bfloat16> },
    { "bf16->f32", cast<bfloat16, float> },
    { "f64->f32", cast<double, float> },
    { "i8->f32", cast<int8_t, float> },
    { "u8->f32", cast<uint8_t, float> },
    { "i16->f32", cast<int16_t, float> },
    { "i32->f32", cast<int32_t, float> },
    { "f16->bf16", through_float<half, bfloat16> },
    { "bf16->f16", through_float<bfloat16, half> },
    { "f64->f16", through_float<double, half> },
    { "f64->bf16", through_float<double, bfloat16> },
    { nullptr, nullptr },
};
PEER("Eigen", rows)
