/* A board without an operating system: vectors, start-up, printing and exit by semihosting. From
   the Armv6-M to Armv8.1-M architecture manuals (vector table, CPACR) and Arm's "Semihosting for
   AArch32 and AArch64" (SYS_WRITE0, SYS_EXIT_EXTENDED). */
#include "board.h"
#include "string.h"

typedef void (*board_vector)(void);
extern uint32_t board_stack, board_data, board_data_end, board_data_load, board_bss, board_bss_end;
extern int main(void);
void board_start(void);
void board_fault(void);

/* The initial stack pointer, reset, and what a fault of any kind leads to. */
__attribute__((section(".vectors"), used)) static const board_vector board_vectors[16] = {
    (board_vector)(uintptr_t)&board_stack,
    board_start,
    board_fault,
    board_fault,
    board_fault,
    board_fault,
    board_fault,
};

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, STOPPED_APPLICATION_EXIT = 0x20026 };

static void board_call(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_print(const char *text) { board_call(SYS_WRITE0, text); }

void board_exit(int code) {
    uint32_t block[2];
    block[0] = STOPPED_APPLICATION_EXIT;
    block[1] = (uint32_t)code;
    board_call(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}

void board_fault(void) {
    board_print("a fault\n");
    board_exit(99);
}

/* Coprocessors 10 and 11 are the floating-point unit and Helium: off after reset. */
__attribute__((used, target("general-regs-only"))) void board_start(void) {
    uint32_t *to;
    const uint32_t *from = &board_data_load;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    for (to = &board_data; to != &board_data_end; to++)
        *to = *from++;
    for (to = &board_bss; to != &board_bss_end; to++)
        *to = 0;
    board_exit(main());
}

/* gcc may call these whatever it is told. */
void *memcpy(void *dst, const void *src, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    while (n-- != 0) {
        *d++ = *s++;
        __asm__ volatile("" ::: "memory");
    }
    return dst;
}
void *memset(void *dst, int c, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    while (n-- != 0) {
        *d++ = (unsigned char)c;
        __asm__ volatile("" ::: "memory");
    }
    return dst;
}
void *memmove(void *dst, const void *src, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (d < s) return memcpy(dst, src, n);
    while (n-- != 0) {
        d[n] = s[n];
        __asm__ volatile("" ::: "memory");
    }
    return dst;
}
int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (; n != 0; n--, x++, y++)
        if (*x != *y) return *x < *y ? -1 : 1;
    return 0;
}
