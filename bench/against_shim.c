/* Compiled once for each version of mpx.h that build/against/bench-* compares:
   -DSHIM_HEADER='"build/against/base.h"' -DSHIM_NAME=against_base -DMPX_NAMESPACE=base_
   If the API of mpx.h changes, this file needs an #if so that it compiles with both versions. */
#define MPX_IMPLEMENTATION
#include SHIM_HEADER
#include "against_shim.h"

/* Both versions start on a page of their own. Otherwise the place where the linker happens to put
   them would make the same code up to 15 % faster or slower in small buffers. */
#if defined(__GNUC__)
#define ON_A_PAGE __attribute__((aligned(4096)))
#else
#define ON_A_PAGE
#endif

ON_A_PAGE static const char *isa(void) { return mpx_isa(); }

static const char *dtype_name(int type) { return mpx_dtype_name((mpx_dtype)type); }

static int dtype_bits(int type) { return mpx_dtype_bits((mpx_dtype)type); }

static int cast(void *dst, int to, const void *src, int from, size_t n) {
    return (int)mpx_cast(dst, (mpx_dtype)to, src, (mpx_dtype)from, n);
}

static int cast_with(void *dst, int to, const void *src, int from, size_t n, int saturate,
                     int bytes, int stochastic) {
    mpx_cast_options opt = { 0 };
    opt.saturate = saturate != 0;
    opt.dst_layout = bytes ? MPX_LAYOUT_BYTES : MPX_LAYOUT_PACKED;
    opt.rounding = stochastic ? MPX_ROUND_STOCHASTIC : MPX_ROUND_NEAREST;
    return (int)mpx_cast_with(dst, (mpx_dtype)to, src, (mpx_dtype)from, n, &opt);
}

static int unscale(void *dst, int to, const void *src, int from, size_t n, float by, int *finite) {
    return (int)mpx_unscale(dst, (mpx_dtype)to, src, (mpx_dtype)from, n, by, finite);
}

static int all_finite(const void *data, int type, size_t n) {
    return mpx_all_finite(data, (mpx_dtype)type, n);
}

static int amax(const void *data, int type, size_t n, float *largest) {
    return (int)mpx_amax(data, (mpx_dtype)type, n, largest);
}

const against_shim SHIM_NAME = { isa,       dtype_name, dtype_bits, cast,
                                 cast_with, unscale,    all_finite, amax };
