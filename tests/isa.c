/* Linked into every test program, compiled without instruction-set flags: before main runs it asks
   the CPU for what the library in this program was compiled for, and gives up with exit code 77
   where that is missing. So the Makefile's list of features decides both flags and skips, and a
   program cannot be skipped on a machine that can run it.

   TEST_ISA        the name in the Makefile: "avx2"
   TEST_FEATURES   what it was compiled with, as in -m flags: "avx2 f16c fma"; "" asks for nothing
   TEST_EXPECT     what mpx_isa() must say ("" anything); looked at if CHECK_ISA=1 is in the
                   environment */
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP = 77, NO_SUCH_FEATURE = -1 };

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define X86 1
#else
#define X86 0
#endif

/* 1 if this CPU (and its operating system) has it. */
static int cpu_has(const char *feature) {
#if X86
    __builtin_cpu_init();
#define ASK(name) \
    if (strcmp(feature, name) == 0) return __builtin_cpu_supports(name) != 0
    ASK("sse2");
    ASK("avx2");
    ASK("fma");
    ASK("avx512f");
    ASK("avx512bw");
    ASK("avx512vl");
    ASK("avx512dq");
    ASK("avx512bf16");
    ASK("avx512vbmi");
    ASK("avx512vbmi2");
    ASK("gfni");
#undef ASK
    if (strcmp(feature, "f16c") == 0) { /* clang before 18 has no word for it */
        unsigned a, b, c, d;
        if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
        return (c & bit_F16C) != 0 && __builtin_cpu_supports("avx") != 0;
    }
#endif
#if defined(__x86_64__)
    if (strncmp(feature, "amx-", 4) == 0) { /* gcc 12 has no word for it */
        unsigned a, b, c, d;
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
        return (d >> (strcmp(feature, "amx-tile") == 0 ? 24 : 22) & 1) != 0;
    }
#endif
    (void)feature;
    return NO_SUCH_FEATURE;
}

static void stop(int code) {
    fflush(stdout);
    _Exit(code);
}

static void check_features(void) {
    char features[] = TEST_FEATURES, *word;
    int has;
    for (word = strtok(features, " "); word != NULL; word = strtok(NULL, " ")) {
        has = cpu_has(word);
        if (has == 1) continue;
        if (has == 0) printf("SKIP %s: this CPU has no %s\n", TEST_ISA, word), stop(SKIP);
        printf("tests/isa.c: cannot ask for '%s'\n", word), stop(1);
    }
}

static void check_name(void) {
    const char *wish = getenv("CHECK_ISA");
    if (wish == NULL || strcmp(wish, "1") != 0 || TEST_EXPECT[0] == 0) return;
    if (strcmp(mpx_isa(), TEST_EXPECT) == 0) return;
    printf("mpx_isa() is \"%s\": the library for %s must say \"%s\"\n", mpx_isa(), TEST_ISA,
           TEST_EXPECT);
    stop(1);
}

__attribute__((constructor)) static void start(void) {
    check_features();
    check_name();
}
