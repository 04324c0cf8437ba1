/* What the tests need of <string.h> on a board without a libc; board.c has the bodies. */
#ifndef BOARD_STRING_H
#define BOARD_STRING_H
#include <stddef.h>
void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
void *memmove(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
#endif
