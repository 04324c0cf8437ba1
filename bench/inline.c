/* Loops over the inline helpers beside mpx_cast, in L1: nanoseconds an element. The Makefile compiles it with several
   compilers and flags; argv[1] says which. That they have the same bits is tests/test_inline.c's. */
#define _POSIX_C_SOURCE 199309L
#include "mpx.h"
#include <stdio.h>
#include <time.h>

enum { N = 4096, TRIES = 400 };
static float floats[N], widened[N];
static uint16_t words[N], narrowed16[N];
static uint8_t bytes[N], narrowed8[N];
static volatile size_t count = N; /* the loops do not know it */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define LOOP(name, D, S, helper) \
    __attribute__((noinline)) static void name(D *d, const S *s, size_t n) { \
        size_t i; \
        for (i = 0; i < n; i++) d[i] = helper(s[i]); \
    }
LOOP(f16_to_f32, float, uint16_t, mpx_f16_to_f32)
LOOP(bf16_to_f32, float, uint16_t, mpx_bf16_to_f32)
LOOP(e4m3fn_to_f32, float, uint8_t, mpx_f8e4m3fn_to_f32)
LOOP(e5m2_to_f32, float, uint8_t, mpx_f8e5m2_to_f32)
LOOP(f32_to_f16, uint16_t, float, mpx_f16_from_f32)
LOOP(f32_to_bf16, uint16_t, float, mpx_bf16_from_f32)
LOOP(f32_to_e4m3fn, uint8_t, float, mpx_f8e4m3fn_from_f32)
LOOP(f32_to_e5m2, uint8_t, float, mpx_f8e5m2_from_f32)

/* Best of TRIES, an element. */
#define TIME(ns, call) \
    do { \
        int try; \
        for ((ns) = 1e9, try = 0; try < TRIES; try++) { \
            double start = now(), took; \
            call; \
            took = (now() - start) / (double)N; \
            if (took < (ns)) (ns) = took; \
        } \
    } while (0)
#define ROW(name, loop, d, s, to, from) \
    do { \
        double helper, cast; \
        TIME(helper, loop(d, s, count)); \
        TIME(cast, mpx_cast(d, to, s, from, N)); \
        printf("%-28s %-14s %6.2f %6.3f %6.1f\n", which, name, helper, cast, helper / cast); \
    } while (0)

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "";
    int i;
    for (i = 0; i < N; i++) {
        floats[i] = (float)(i * 37 % 2001 - 1000) / 500;
        words[i] = (uint16_t)(i * 7919 & 0x7bff), bytes[i] = (uint8_t)(i * 31 & 0x7b);
    }
    ROW("f16->f32", f16_to_f32, widened, words, MPX_F32, MPX_F16);
    ROW("bf16->f32", bf16_to_f32, widened, words, MPX_F32, MPX_BF16);
    ROW("f8e4m3fn->f32", e4m3fn_to_f32, widened, bytes, MPX_F32, MPX_F8E4M3FN);
    ROW("f8e5m2->f32", e5m2_to_f32, widened, bytes, MPX_F32, MPX_F8E5M2);
    ROW("f32->f16", f32_to_f16, narrowed16, floats, MPX_F16, MPX_F32);
    ROW("f32->bf16", f32_to_bf16, narrowed16, floats, MPX_BF16, MPX_F32);
    ROW("f32->f8e4m3fn", f32_to_e4m3fn, narrowed8, floats, MPX_F8E4M3FN, MPX_F32);
    ROW("f32->f8e5m2", f32_to_e5m2, narrowed8, floats, MPX_F8E5M2, MPX_F32);
    return 0;
}
