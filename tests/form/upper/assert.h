/* For docs/examples.c: after each assert, no upper half of the first 16 vector registers is in use. XGETBV with ECX = 1
   says so (Intel's manual, volume 1, section 13.6); exit code 77: this CPU has no such XGETBV. */
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>

static inline void assert_lower(int is_true, const char *text, int line) {
    unsigned a = 0, b, c, d;
    if (!__get_cpuid_count(13, 1, &a, &b, &c, &d) || (a & 4u) == 0) exit(77);
    __asm__ __volatile__("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    if (is_true && (a & 0x44u) == 0) return;
    fprintf(stderr, "docs/examples.c:%d: %s: %s\n", line, is_true ? "leaves upper halves in use" : "not true", text);
    exit(1);
}
#undef assert
#define assert(...) assert_lower((__VA_ARGS__) != 0, #__VA_ARGS__, __LINE__)
