/* Which builds this CPU, and this operating system, can run. Compiled without -m flags. */
#include "casts.h"

size_t casts_list(const casts **list) {
    size_t n = 0;
#if defined(__x86_64__)
    int avx2, avx512;
    __builtin_cpu_init();
    avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") &&
           __builtin_cpu_supports("fma");
    avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (avx512) list[n++] = &casts_avx512;
    if (avx2) list[n++] = &casts_avx2;
#endif
    list[n++] = &casts_base;
    return n;
}
