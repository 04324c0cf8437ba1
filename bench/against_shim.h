/* One version of mpx.h behind a table of functions. The types in these signatures are plain C
   types, so that they stay the same when the types in mpx.h change. */
#ifndef BENCH_AGAINST_SHIM_H
#define BENCH_AGAINST_SHIM_H
#include <stddef.h>

typedef struct against_shim {
    const char *(*isa)(void);
    const char *(*dtype_name)(int type);
    int (*dtype_bits)(int type);
    /* Functions that return a status in mpx.h return its number here. */
    int (*cast)(void *dst, int to, const void *src, int from, size_t n);
    /* bytes: 1 if dst holds one element per byte; stochastic: 1 for stochastic rounding */
    int (*cast_with)(void *dst, int to, const void *src, int from, size_t n, int saturate,
                     int bytes, int stochastic);
    int (*unscale)(void *dst, int to, const void *src, int from, size_t n, float by, int *finite);
    int (*all_finite)(const void *data, int type, size_t n);
    int (*amax)(const void *data, int type, size_t n, float *amax);
} against_shim;

extern const against_shim against_base, against_now;
#endif
