/* One program, several instruction sets: each build of the header has a namespace and the -m flags
   of its instruction set, and select.c picks one at the start (stderr says which).

   on x86-64

       cc -O2 -I. -c examples/dispatch/cast_base.c -o cast_base.o
       cc -O2 -I. -mavx2 -mf16c -mfma -c examples/dispatch/cast_avx2.c -o cast_avx2.o
       cc -O2 -I. -mf16c -mfma -mavx512f -mavx512bw -mavx512vl -mavx512dq -c examples/dispatch/cast_avx512.c -o cast_avx512.o
       cc -O2 -I. examples/dispatch/main.c examples/dispatch/select.c cast_base.o cast_avx2.o cast_avx512.o -o dispatch

   elsewhere

       cc -O2 -I. examples/dispatch/main.c examples/dispatch/select.c examples/dispatch/cast_base.c -o dispatch

   prints

       1.5 -0.3 70000 1e-06 in f16: 3e00 b4cd 7c00 0011
       same bits on every build: yes
*/
#include "casts.h"
#include <stdio.h>
#include <string.h>

enum { N = 100003 };
static float values[N] = { 1.5f, -0.3f, 70000.0f, 1e-6f };
static uint16_t picked[N], other[N];

int main(void) {
    const casts *builds[3];
    size_t count = casts_list(builds), i;
    const casts *mpx = builds[0];
    int same = 1;

    fprintf(stderr, "dispatch: %s, of %lu builds that can run here\n", mpx->isa(),
            (unsigned long)count);
    for (i = 4; i < N; i++) values[i] = values[i - 4] * 1.0009765625f;
    if (mpx->cast(picked, MPX_F16, values, MPX_F32, N) != MPX_OK) return 1;
    printf("1.5 -0.3 70000 1e-06 in f16: %04x %04x %04x %04x\n", (unsigned)picked[0],
           (unsigned)picked[1], (unsigned)picked[2], (unsigned)picked[3]);
    for (i = 1; i < count; i++) {
        if (builds[i]->cast(other, MPX_F16, values, MPX_F32, N) != MPX_OK) return 1;
        same = same && memcmp(picked, other, sizeof picked) == 0;
    }
    printf("same bits on every build: %s\n", same ? "yes" : "no");
    return !same;
}
