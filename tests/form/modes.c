/* Modes that change between two calls of a private copy, which compilers may fold into one function: all calls give
   the same bits. Subnormal results of f64 to f32 and of a scale, and integers that are rounded, in the modes of the
   start, under a flush to zero, rounded upward (x86), and in those of the start again. */
#define MPX_STATIC 1
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include "../fpmode.h"
#include <string.h>

enum { N = 256, CALLS = 4, UPWARD = FLUSH_IS_MXCSR ? 0x4000 : 0 };

static double wide[N];
static float single[N], cast[CALLS][N], scaled[CALLS][N], rounded[CALLS][N];
static int32_t whole[N];

/* Folded into main: what is told of the modes must not be told once for all. */
#define CALL(k) \
    (bad |= mpx_cast(cast[k], MPX_F32, wide, MPX_F64, N) | mpx_cast(rounded[k], MPX_F32, whole, MPX_I32, N) | \
            mpx_scale(scaled[k], MPX_F32, single, MPX_F32, N, 1e-10f))

int main(void) {
    const uint64_t modes = control_get();
    int i, k, bad = 0;
#if defined(__AVX512F__)
    if (!__builtin_cpu_supports("avx512vbmi2") || !__builtin_cpu_supports("gfni")) return 77; /* not on this machine */
#endif
    for (i = 0; i < N; i++) {
        wide[i] = (i + 1) * 1e-40;
        single[i] = (float)(i + 1) * 1e-30f;
        whole[i] = 0x12345678 + i;
    }
    CALL(0);
    control_set(modes | FLUSH_FIRST | FLUSH_SECOND);
    CALL(1);
    control_set(modes | UPWARD);
    CALL(2);
    control_set(modes);
    CALL(3);
    for (k = 1; k < CALLS; k++)
        bad |= memcmp(cast[0], cast[k], sizeof cast[0]) | memcmp(scaled[0], scaled[k], sizeof scaled[0]) |
               memcmp(rounded[0], rounded[k], sizeof rounded[0]);
    bad |= cast[0][0] == 0 || scaled[0][0] == 0;
    return bad != 0;
}
