/* Modes that change between two calls of a private copy, which compilers may fold into one function: both calls give
   the same bits. Subnormal results of f64 to f32 and of a scale, before a flush to zero is set, under it, and after. */
#define MPX_STATIC 1
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include "../fpmode.h"
#include <string.h>

enum { N = 256 };

int main(void) {
    static double wide[N];
    static float single[N], cast[3][N], scaled[3][N];
    const uint64_t modes = control_get();
    int i, bad = 0;
#if defined(__AVX512F__)
    if (!__builtin_cpu_supports("avx512vbmi2") || !__builtin_cpu_supports("gfni")) return 77; /* not on this machine */
#endif
    for (i = 0; i < N; i++) {
        wide[i] = (i + 1) * 1e-40;
        single[i] = (float)(i + 1) * 1e-30f;
    }
    bad |= mpx_cast(cast[0], MPX_F32, wide, MPX_F64, N) | mpx_scale(scaled[0], MPX_F32, single, MPX_F32, N, 1e-10f);
    control_set(modes | FLUSH_FIRST | FLUSH_SECOND);
    bad |= mpx_cast(cast[1], MPX_F32, wide, MPX_F64, N) | mpx_scale(scaled[1], MPX_F32, single, MPX_F32, N, 1e-10f);
    control_set(modes);
    bad |= mpx_cast(cast[2], MPX_F32, wide, MPX_F64, N) | mpx_scale(scaled[2], MPX_F32, single, MPX_F32, N, 1e-10f);
    bad |= memcmp(cast[0], cast[1], sizeof cast[0]) | memcmp(cast[0], cast[2], sizeof cast[0]);
    bad |= memcmp(scaled[0], scaled[1], sizeof scaled[0]) | memcmp(scaled[0], scaled[2], sizeof scaled[0]);
    bad |= cast[0][0] == 0 || scaled[0][0] == 0;
    return bad != 0;
}
