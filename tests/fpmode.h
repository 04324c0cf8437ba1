/* Floating-point environments to run things in: four rounding modes, each with and without
   flush-to-zero, the x87 with fewer bits, and what belongs to entering and leaving them. Nothing
   here does arithmetic. */
#ifndef FPMODE_H
#define FPMODE_H
#include <fenv.h>
#include <stdint.h>

/* The control word that holds flush-to-zero: x86 MXCSR, AArch64 FPCR, Arm FPSCR, MIPS FCSR. FLUSH_
   is FTZ and DAZ; on Arm FZ and default NaN, the latter on AArch64 with the f16 that has no Inf.
   The x87 has none; its word holds how many bits of a result are kept, NARROW_ fewer than all.
   flags_: fenv.h's flags and the one of subnormal operands, which it does not know; not Arm's of saturating
   integers, which the compiler sets by itself, and no call preserves. */
#if defined(__GNUC__) && (defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__)))
#define FLUSH_IS_MXCSR 1
enum { FLUSH_FIRST = 0x8000, FLUSH_SECOND = 0x40 };
static inline uint64_t control_get(void) {
    unsigned word;
    __asm__ __volatile__("stmxcsr %0" : "=m"(word));
    return word;
}
static inline void control_set(uint64_t value) {
    unsigned word = (unsigned)value;
    __asm__ __volatile__("ldmxcsr %0" : : "m"(word) : "memory");
}
static inline unsigned flags_word(void) { return (unsigned)(control_get() & 0x3f); }
static inline void flags_zero(void) { control_set(control_get() & ~(uint64_t)0x3f); }
#elif defined(__GNUC__) && defined(__aarch64__)
enum { FLUSH_FIRST = 0x1000000, FLUSH_SECOND = 0x6000000 };
static inline unsigned flags_word(void) {
    uint64_t word;
    __asm__ __volatile__("mrs %0, fpsr" : "=r"(word));
    return (unsigned)(word & 0x9f);
}
static inline void flags_zero(void) { __asm__ __volatile__("msr fpsr, xzr" ::: "memory"); }
static inline uint64_t control_get(void) {
    uint64_t word;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
    return word;
}
static inline void control_set(uint64_t word) {
    __asm__ __volatile__("msr fpcr, %0" : : "r"(word) : "memory");
}
#elif defined(__GNUC__) && defined(__arm__) && defined(__ARM_FP)
enum { FLUSH_FIRST = 0x1000000, FLUSH_SECOND = 0x2000000 };
static inline uint64_t control_get(void) {
    uint32_t word;
    __asm__ __volatile__("vmrs %0, fpscr" : "=r"(word));
    return word;
}
static inline void control_set(uint64_t value) {
    uint32_t word = (uint32_t)value;
    __asm__ __volatile__("vmsr fpscr, %0" : : "r"(word) : "memory");
}
static inline unsigned flags_word(void) { return (unsigned)(control_get() & 0x9f); }
static inline void flags_zero(void) { control_set(control_get() & ~(uint64_t)0x9f); }
#elif defined(__GNUC__) && defined(__mips__) && defined(__mips_hard_float)
#define FLAGS_ARE_FENV 1
enum { FLUSH_FIRST = 0x1000000, FLUSH_SECOND = 0 };
static inline uint64_t control_get(void) {
    uint32_t word;
    __asm__ __volatile__("cfc1 %0, $31" : "=r"(word));
    return word;
}
static inline void control_set(uint64_t value) {
    uint32_t word = (uint32_t)value;
    __asm__ __volatile__("ctc1 %0, $31" : : "r"(word) : "memory");
}
#elif defined(__GNUC__) && defined(__i386__)
#define NARROW_IS_X87 1
enum { FLUSH_FIRST = 0, FLUSH_SECOND = 0 };
static inline unsigned flags_word(void) {
    uint16_t word;
    __asm__ __volatile__("fnstsw %0" : "=m"(word));
    return word & 0x3fu;
}
static inline void flags_zero(void) { __asm__ __volatile__("fnclex" ::: "memory"); }
static inline uint64_t control_get(void) {
    uint16_t word;
    __asm__ __volatile__("fnstcw %0" : "=m"(word));
    return word;
}
static inline void control_set(uint64_t value) {
    uint16_t word = (uint16_t)value;
    __asm__ __volatile__("fldcw %0" : : "m"(word) : "memory");
}
#else
#define FLAGS_ARE_FENV 1
enum { FLUSH_FIRST = 0, FLUSH_SECOND = 0 };
static inline uint64_t control_get(void) { return 0; }
static inline void control_set(uint64_t word) { (void)word; }
#endif
#ifdef FLAGS_ARE_FENV /* no others */
static inline unsigned flags_word(void) { return 0; }
static inline void flags_zero(void) {}
#endif
#ifndef FLUSH_IS_MXCSR
#define FLUSH_IS_MXCSR 0
#endif
enum { FLUSH_BOTH = FLUSH_FIRST | FLUSH_SECOND };
#ifdef NARROW_IS_X87
enum { NARROW_ANY = 0x300, NARROW_NONE = 0x300, NARROW_F64 = 0x200, NARROW_F32 = 0 };
#else
enum { NARROW_ANY = 0, NARROW_NONE = 0, NARROW_F64 = 0, NARROW_F32 = 0 };
#endif
enum { CONTROL_MASK = FLUSH_BOTH | NARROW_ANY };

/* -1: the platform has no such mode. */
enum { NO_MODE = -1 };
#ifdef FE_TONEAREST
#define MODE_NEAREST FE_TONEAREST
#else
#define MODE_NEAREST NO_MODE
#endif
#ifdef FE_UPWARD
#define MODE_UP FE_UPWARD
#else
#define MODE_UP NO_MODE
#endif
#ifdef FE_DOWNWARD
#define MODE_DOWN FE_DOWNWARD
#else
#define MODE_DOWN NO_MODE
#endif
#ifdef FE_TOWARDZERO
#define MODE_ZERO FE_TOWARDZERO
#else
#define MODE_ZERO NO_MODE
#endif

typedef struct fpmode {
    const char *name;
    int rounding;
    uint32_t control; /* bits of the control word */
    int is_special;   /* where control is as usual, the machine has no such mode */
} fpmode;

enum { FPMODES = 12, FPMODE_UPWARD = 1, FPMODE_NEAREST_FLUSH = 4, FPMODE_UPWARD_FLUSH = 5 };
static const fpmode fpmodes[FPMODES] = {
    { "nearest", MODE_NEAREST, NARROW_NONE, 0 },
    { "upward", MODE_UP, NARROW_NONE, 0 },
    { "downward", MODE_DOWN, NARROW_NONE, 0 },
    { "toward zero", MODE_ZERO, NARROW_NONE, 0 },
    { "nearest, flush to zero", MODE_NEAREST, FLUSH_BOTH | NARROW_NONE, 1 },
    { "upward, flush to zero", MODE_UP, FLUSH_BOTH | NARROW_NONE, 1 },
    { "downward, flush to zero", MODE_DOWN, FLUSH_BOTH | NARROW_NONE, 1 },
    { "toward zero, flush to zero", MODE_ZERO, FLUSH_BOTH | NARROW_NONE, 1 },
    { "nearest, flush results", MODE_NEAREST, FLUSH_FIRST | NARROW_NONE, 1 },
    { "nearest, flush operands", MODE_NEAREST, FLUSH_SECOND | NARROW_NONE, 1 },
    { "nearest, x87 with 53 bits", MODE_NEAREST, NARROW_F64, 1 },
    { "upward, x87 with 24 bits", MODE_UP, NARROW_F32, 1 },
};

static uint64_t fpmode_control; /* as they were */
static int fpmode_rounding;

static inline void fpmode_leave(void) {
    control_set(fpmode_control);
    fesetround(fpmode_rounding);
}

static inline int fpmode_holds(const fpmode *m) {
    return fegetround() == m->rounding && (control_get() & CONTROL_MASK) == m->control;
}

/* 0: no such mode here, nothing was changed. */
static inline int fpmode_enter(const fpmode *m) {
    fpmode_control = control_get();
    fpmode_rounding = fegetround();
    if (m->rounding == NO_MODE || (m->is_special && m->control == NARROW_NONE)) return 0;
    if (fesetround(m->rounding) != 0) return 0;
    control_set((control_get() & ~(uint64_t)CONTROL_MASK) | m->control);
    if (fpmode_holds(m)) return 1;
    fpmode_leave();
    return 0;
}
#endif
