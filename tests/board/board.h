/* The little that a test on a board needs; board.c has it by semihosting, host.c by stdio. */
#ifndef BOARD_H
#define BOARD_H
#include <stddef.h>
#include <stdint.h>
void board_print(const char *text);
void board_exit(int code);
#endif
