/* Loops over the inline helpers beside mpx_cast, in L1: nanoseconds an element. The Makefile compiles it with several
   compilers and flags; argv[1] says which. That they have the same bits is tests/test_inline.c's. */
#define _POSIX_C_SOURCE 199309L
#include "mpx.h"
#include "../tests/inline_loops.h"
#include <stdio.h>
#include <time.h>

enum { N = 4096, TRIES = 400 };
static float from[N], to[N]; /* room for elements of any of the dtypes */
static volatile size_t count = N;

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Best of TRIES, an element: by the loop, or by mpx_cast. */
static double best(const inline_loop *loop, int casts) {
    double least = 1e9;
    int i;
    for (i = 0; i < TRIES; i++) {
        double start = now(), took;
        if (casts) (void)mpx_cast(to, loop->dst, from, loop->src, count);
        else loop->run(to, from, count);
        took = (now() - start) / (double)N;
        if (took < least) least = took;
    }
    return least;
}

int main(int argc, char **argv) {
    static float values[N];
    int i;
    for (i = 0; i < N; i++) values[i] = (float)(i * 37 % 2001 - 1000) / 500;
    for (i = 0; i < INLINE_LOOPS; i++) {
        const inline_loop *loop = &inline_loops[i];
        double by_loop, by_cast;
        if (mpx_cast(from, loop->src, values, MPX_F32, N) != MPX_OK) return 1;
        by_loop = best(loop, 0);
        by_cast = best(loop, 1);
        printf("%-10s %8s to %-8s %6.2f %6.3f %6.1f\n", argc > 1 ? argv[1] : "", mpx_dtype_short_name(loop->src),
               mpx_dtype_short_name(loop->dst), by_loop, by_cast, by_loop / by_cast);
    }
    return 0;
}
