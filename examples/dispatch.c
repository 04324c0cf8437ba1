/* One program, several instruction sets: with MPX_DISPATCH the casts are in it for SSE2, AVX2 and
   AVX-512, and the first of them asks the CPU which it can run (stderr says which). For x86-64,
   with gcc or clang.

       cc -O2 -I. examples/dispatch.c -o dispatch

   prints

       1.5 -0.3 70000 1e-06 in f16: 3e00 b4cd 7c00 0011
       same bits on every instruction set: yes
*/
#if defined(__x86_64__)
#define MPX_DISPATCH 1
#endif
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>
#include <string.h>

enum { N = 100003 };
static float values[N] = { 1.5f, -0.3f, 70000.0f, 1e-6f };
static uint16_t picked[N];

/* For tests: the same by an instruction set of one's choice. */
static int same_by_others(void) {
    int same = 1;
#if MPX_DISPATCH
    static const char *const isa[] = { "sse2", "avx2", "avx512" };
    static uint16_t other[N];
    int i;
    for (i = 0; i < 3; i++) {
        if (mpx_isa_set(isa[i]) != MPX_OK) continue; /* not on this CPU */
        if (mpx_cast(other, MPX_F16, values, MPX_F32, N) != MPX_OK) return 0;
        same = same && memcmp(picked, other, sizeof picked) == 0;
    }
#endif
    return same;
}

int main(void) {
    int i;
    for (i = 4; i < N; i++) values[i] = values[i - 4] * 1.0009765625f;
    if (mpx_cast(picked, MPX_F16, values, MPX_F32, N) != MPX_OK) return 1;
    fprintf(stderr, "dispatch: %s\n", mpx_isa());
    printf("1.5 -0.3 70000 1e-06 in f16: %04x %04x %04x %04x\n", (unsigned)picked[0],
           (unsigned)picked[1], (unsigned)picked[2], (unsigned)picked[3]);
    i = same_by_others();
    printf("same bits on every instruction set: %s\n", i ? "yes" : "no");
    return !i;
}
