/* What every test shares: counting, ten failure lines at most, one closing line, exit code 1 on failure. */
#ifndef TEST_H
#define TEST_H
#include "mpx.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long test_checks, test_failures;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), unused))
#endif
static void test_fail(const char *file, int line, const char *format, ...) {
    va_list args;
    if (++test_failures > 10) return;
    printf("%s:%d: ", file, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
#ifdef TEST_STOP /* whether anything fails is all that tests/mutate.py asks for */
    exit(1);
#endif
}

/* An error as a caller may hand it over: not yet written. */
#if defined(__GNUC__)
__attribute__((unused))
#endif
static mpx_error test_any_error(void) {
    mpx_error err;
    memset(&err, 77, sizeof err);
    return err;
}

/* Is it {0}, which says that there is none? */
#if defined(__GNUC__)
__attribute__((unused))
#endif
static int test_is_no_error(const mpx_error *err) {
    mpx_error none;
    memset(&none, 0, sizeof none);
    return memcmp(err, &none, sizeof none) == 0;
}

/* CHECK(condition, "printf-like words on what was got and what was expected", ...) */
#define CHECK(condition, ...) \
    do { \
        test_checks++; \
        if (!(condition)) test_fail(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

/* Whether compute works on vectors of f32. Else it is plain C's, and follows the floating-point modes. */
#if defined(__GNUC__)
__attribute__((unused))
#endif
static int has_float_lanes(void) {
#ifdef __arm__
    return 0;
#else
    return strcmp(mpx_isa(), "scalar") != 0 && strcmp(mpx_isa(), "rvv") != 0;
#endif
}

#if defined(__GNUC__)
__attribute__((unused))
#endif
static int test_done(const char *name) {
    printf("%s [%s]: %lu checks, %lu failed\n", name, mpx_isa(), test_checks, test_failures);
    if (test_checks == 0) printf("%s: nothing was checked: that is a failure\n", name);
    return test_failures != 0 || test_checks == 0;
}
#endif
