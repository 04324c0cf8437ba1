/*==================================================================*
 * MARK: detect - compiler and instruction set
 *   Only this room decides which instruction set is in use.
 *==================================================================*/

#if defined(MPX_NAMESPACE) && !defined(mpx_version)
#error "mpx.h: MPX_NAMESPACE has to be defined before the first #include"
#endif

/* The GNU dialect; clang-cl, which has it, does not define __GNUC__. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__GNU 1
#else
#define MPX__GNU 0
#endif

/* MPX__INLINE: a small function, and one that gcc -Og still calls through a constant pointer.
   MPX__FORCE_INLINE: a part of a kernel, whose constant arguments must be folded. With -O0
   or -fno-inline debuggers step into both. */
#if MPX__GNU
#define MPX__UNUSED __attribute__((unused))
#define MPX__INLINE static inline __attribute__((unused)) MPX__TARGET
#if defined(__OPTIMIZE__) && !defined(__NO_INLINE__)
#define MPX__FORCE_INLINE static inline __attribute__((always_inline, unused)) MPX__TARGET
#else
#define MPX__FORCE_INLINE static inline __attribute__((unused)) MPX__TARGET
#endif
#define MPX__PRIVATE static __attribute__((unused)) MPX__TARGET
#define MPX__NOINLINE static __attribute__((noinline, unused)) MPX__TARGET
#define MPX__TARGET /* the instruction set of a function, in passes.h */
#elif defined(_MSC_VER) /* clang-cl took the branch above */
#define MPX__UNUSED
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static __forceinline
#define MPX__PRIVATE static
#define MPX__NOINLINE static __declspec(noinline)
#pragma warning(push)
/* constant conditions in folded kernels; unreferenced parameters and static functions */
#pragma warning(disable : 4100 4127 4505)
#else
#define MPX__UNUSED
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static inline
#define MPX__PRIVATE static
#define MPX__NOINLINE static
#endif
/* Compiled for size: for work that is done once per call, or rarely. gcc treats a function that
   always calls a cold function, or that only cold functions call, as cold too. A function with a
   loop over elements must not be: it calls none, or it is a MPX__LOOP, compiled for speed. */
#if MPX__GNU
#define MPX__COLD __attribute__((cold))
#define MPX__LOOP MPX__NOINLINE __attribute__((hot))
#else
#define MPX__COLD
#define MPX__LOOP MPX__NOINLINE
#endif
/* A kernel whose loop gets MPX__FORCE_INLINE functions as arguments. With -Og, gcc 14 and later
   inline these in no other way; what else such a kernel calls is MPX__NOINLINE. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 14
#define MPX__FLAT __attribute__((flatten))
#else
#define MPX__FLAT
#endif
#define MPX__OF_PARTS MPX__FLAT MPX__NOINLINE
#define MPX__API MPX_API MPX__COLD
#define MPX__SELDOM MPX__PRIVATE MPX__COLD

/* In C++ this half is C all the same, and gcc 12 warns of values that its own AVX-512 intrinsics
   leave undefined on purpose. */
#if defined(__GNUC__) && defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#if MPX_DISPATCH || defined(__AVX512F__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
#endif

/* One object per thread; one for the whole program with tcc, old compilers, and where no system is
   that sets thread-local memory up: on Arm it would need __aeabi_read_tp. */
#if defined(__TINYC__) || (defined(__ELF__) && !defined(__unix__) && !defined(__linux__) && \
                           !defined(__HAIKU__) && !defined(__Fuchsia__) && !defined(__QNX__))
#define MPX__THREAD_LOCAL
#elif MPX__GNU
#define MPX__THREAD_LOCAL __thread
#elif defined(_MSC_VER)
#define MPX__THREAD_LOCAL __declspec(thread)
#elif defined(__cplusplus) && __cplusplus >= 201103L
#define MPX__THREAD_LOCAL thread_local
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define MPX__THREAD_LOCAL _Thread_local
#else
#define MPX__THREAD_LOCAL
#endif

/* The instruction set, one per translation unit: the best that the compiler's flags allow, or the
   one that MPX_ISA names. The numbers begin at 1, so that a misspelt name (0) is refused. AVX2
   means F16C and FMA, too; AVX512 means F, BW, VL and DQ (BF16 and VBMI are used if the flags allow
   them). MSVC defines neither __F16C__ nor __FMA__: there AVX2 implies both. NEON needs
   little-endian order and GNU assembly. */
#define MPX_ISA_SCALAR 1
#define MPX_ISA_SSE2 2
#define MPX_ISA_AVX2 3
#define MPX_ISA_AVX512 4
#define MPX_ISA_NEON 5
#define MPX_ISA_WASM 6
#define MPX_ISA_RVV 7

#if (MPX__GNU && (defined(__x86_64__) || defined(__i386__)) && defined(__SSE2__)) || \
    (defined(_MSC_VER) && (defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)))
#define MPX__HAS_SSE2 1
#endif
#if defined(__AVX2__) && \
    (MPX__GNU ? defined(__F16C__) && defined(__FMA__) : defined(_MSC_VER))
#define MPX__HAS_AVX2 1
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && \
    defined(__AVX512DQ__)
#define MPX__HAS_AVX512 1
#endif
#if MPX__GNU && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define MPX__HAS_NEON 1
#endif
#ifdef __wasm_simd128__
#define MPX__HAS_WASM 1
#endif
#if defined(__riscv_v_fixed_vlen) && __riscv_v_fixed_vlen <= 512 && /* at most 16 lanes */ \
    __riscv_v_elen_fp >= 32
#define MPX__HAS_RVV 1
#endif

#if MPX_DISPATCH
#if !defined(__x86_64__) || !MPX__GNU || defined(_MSC_VER)
#error "mpx.h: MPX_DISPATCH is for x86-64, with gcc or clang, not clang-cl"
#endif
#ifdef MPX_ISA
#error "mpx.h: MPX_DISPATCH has three instruction sets; MPX_ISA chooses one"
#endif
/* evex512: vectors of 512 bits, which zig cc takes away from these versions of clang. */
#if defined(__clang__) && __clang_major__ >= 18 && __clang_major__ <= 20
#define MPX__AVX512_NAMES "avx2,f16c,fma,avx512f,avx512bw,avx512vl,avx512dq,evex512"
#else
#define MPX__AVX512_NAMES "avx2,f16c,fma,avx512f,avx512bw,avx512vl,avx512dq"
#endif
#include <cpuid.h>
#include <immintrin.h>
#else
#ifndef MPX_ISA
#ifdef MPX__HAS_AVX512
#define MPX_ISA MPX_ISA_AVX512
#elif defined(MPX__HAS_AVX2)
#define MPX_ISA MPX_ISA_AVX2
#elif defined(MPX__HAS_SSE2)
#define MPX_ISA MPX_ISA_SSE2
#elif defined(MPX__HAS_NEON)
#define MPX_ISA MPX_ISA_NEON
#elif defined(MPX__HAS_WASM)
#define MPX_ISA MPX_ISA_WASM
#elif defined(MPX__HAS_RVV)
#define MPX_ISA MPX_ISA_RVV
#else
#define MPX_ISA MPX_ISA_SCALAR
#endif
#endif
#if MPX_ISA < MPX_ISA_SCALAR || MPX_ISA > MPX_ISA_RVV
#error "mpx.h: MPX_ISA is not one of MPX_ISA_SCALAR, _SSE2, _AVX2, _AVX512, _NEON, _WASM, _RVV"
#endif
#if (MPX_ISA == MPX_ISA_SSE2 && !defined(MPX__HAS_SSE2)) || \
    (MPX_ISA == MPX_ISA_AVX2 && !defined(MPX__HAS_AVX2)) || \
    (MPX_ISA == MPX_ISA_AVX512 && !defined(MPX__HAS_AVX512)) || \
    (MPX_ISA == MPX_ISA_NEON && !defined(MPX__HAS_NEON)) || \
    (MPX_ISA == MPX_ISA_WASM && !defined(MPX__HAS_WASM)) || \
    (MPX_ISA == MPX_ISA_RVV && !defined(MPX__HAS_RVV))
#error "mpx.h: the compiler's flags do not allow this MPX_ISA"
#endif
#if MPX_ISA == MPX_ISA_SSE2
#include <emmintrin.h>
#elif MPX_ISA == MPX_ISA_AVX2 && defined(__GNUC__) && __GNUC__ < 16 && !defined(__clang__) && \
    !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER) && !defined(__LCC__) && \
    !defined(_IMMINTRIN_H_INCLUDED)
/* A part of gcc's <immintrin.h>, known up to gcc 15. All takes 0.1 to 0.2 s more. */
#define _IMMINTRIN_H_INCLUDED
#include <smmintrin.h>
#include <avxintrin.h>
#include <avx2intrin.h>
#include <f16cintrin.h>
#include <fmaintrin.h>
#undef _IMMINTRIN_H_INCLUDED
#elif MPX_ISA == MPX_ISA_AVX2 || MPX_ISA == MPX_ISA_AVX512
#include <immintrin.h>
#elif MPX_ISA == MPX_ISA_NEON
#include <arm_neon.h>
#elif MPX_ISA == MPX_ISA_WASM
#include <wasm_simd128.h>
#elif MPX_ISA == MPX_ISA_RVV
#include <riscv_vector.h>
#endif
#endif /* MPX_DISPATCH */
/* 1: gcc -Os (as -O1 and -Og, which no macro tells) leaves the upper halves of AVX's registers in
   use, which slows callers' SSE code. */
#if defined(__OPTIMIZE_SIZE__) && defined(__GNUC__) && !defined(__clang__) && defined(MPX__HAS_SSE2)
#define MPX__LEAVES_UPPER 1
#else
#define MPX__LEAVES_UPPER 0
#endif
/* Plain C for size: plain loops, and one copy of functions that compilers would rather inline
   (MPX__ONCE; MPX__KEPT, where gcc would call memcpy for a struct that it inlined). Else a slow path
   is a function of its own, so that the fast one saves no registers for it (MPX__LONG_WAY). */
#if !MPX_DISPATCH && MPX_ISA == MPX_ISA_SCALAR && defined(__OPTIMIZE_SIZE__) && defined(__GNUC__)
#define MPX__COMPACT 1
#undef MPX__FORCE_INLINE
#define MPX__FORCE_INLINE MPX__INLINE
#define MPX__ONCE MPX__NOINLINE
#define MPX__LONG_WAY MPX__PRIVATE
#define MPX__KEPT __attribute__((noinline))
#else
#define MPX__ONCE MPX__PRIVATE
#define MPX__LONG_WAY MPX__NOINLINE
#define MPX__KEPT
#define MPX__COMPACT 0
#endif
/* A function of vectors with two results, each by an instruction. */
#define MPX__HALVES_BY(name, type, lower, higher) \
    MPX__FORCE_INLINE void name(type a, type b, type *low, type *high) { \
        *low = lower(a, b); \
        *high = higher(a, b); \
    }
/* The exact codec: what is seldom where there are vectors. */
#if MPX_DISPATCH || MPX_ISA != MPX_ISA_SCALAR
#define MPX__EXACT MPX__COLD MPX__NOINLINE
#else
#define MPX__EXACT MPX__PRIVATE
#endif
/* An instruction that divides integers of 64 bits. */
#if defined(__wasm__) || defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64) || \
    defined(_M_ARM64)
#define MPX__HAS_DIVIDER 1
#else
#define MPX__HAS_DIVIDER 0
#endif
#if MPX_TILE < 16 || MPX_TILE % 16 != 0
#error "mpx.h: MPX_TILE must be a multiple of 16, at least 16"
#endif

/* Loads and stores in native byte order at any address. GNU compilers use a packed struct that may
   alias anything: one instruction if the machine allows it, else byte accesses, never memcpy. */
#if MPX__GNU
typedef struct { uint16_t v; } __attribute__((packed, may_alias)) mpx__unaligned16;
typedef struct { uint32_t v; } __attribute__((packed, may_alias)) mpx__unaligned32;
typedef struct { uint64_t v; } __attribute__((packed, may_alias)) mpx__unaligned64;
MPX__INLINE uint16_t mpx__read16(const void *p) { return ((const mpx__unaligned16 *)p)->v; }
MPX__INLINE uint32_t mpx__read32(const void *p) { return ((const mpx__unaligned32 *)p)->v; }
MPX__INLINE uint64_t mpx__read64(const void *p) { return ((const mpx__unaligned64 *)p)->v; }
MPX__INLINE void mpx__write16(void *p, uint16_t v) { ((mpx__unaligned16 *)p)->v = v; }
MPX__INLINE void mpx__write32(void *p, uint32_t v) { ((mpx__unaligned32 *)p)->v = v; }
MPX__INLINE void mpx__write64(void *p, uint64_t v) { ((mpx__unaligned64 *)p)->v = v; }
#else
typedef union {
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    unsigned char byte[8];
} mpx__bytes;
MPX__INLINE void mpx__move_bytes(unsigned char *d, const unsigned char *s, int n) {
    while (n-- > 0)
        *d++ = *s++;
}
MPX__INLINE uint16_t mpx__read16(const void *p) {
    mpx__bytes u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 2);
    return u.v16;
}
MPX__INLINE uint32_t mpx__read32(const void *p) {
    mpx__bytes u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 4);
    return u.v32;
}
MPX__INLINE uint64_t mpx__read64(const void *p) {
    mpx__bytes u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 8);
    return u.v64;
}
MPX__INLINE void mpx__write16(void *p, uint16_t v) {
    mpx__bytes u;
    u.v16 = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 2);
}
MPX__INLINE void mpx__write32(void *p, uint32_t v) {
    mpx__bytes u;
    u.v32 = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 4);
}
MPX__INLINE void mpx__write64(void *p, uint64_t v) {
    mpx__bytes u;
    u.v64 = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 8);
}
#endif

/* A fence: the optimiser would replace the loops below by calls of memcpy and memset. */
#if MPX__GNU
#define MPX__BARRIER() __asm__ __volatile__("" ::: "memory")
#else
#define MPX__BARRIER() ((void)0)
#endif

/* Byte i and the seven next of n bytes, 0 behind the last; for little-endian machines. */
MPX__INLINE uint64_t mpx__first64(const unsigned char *p, size_t n, size_t i) {
    uint64_t x = 0;
    if (n >= i + 8) return mpx__read64(p + i);
    for (; n > i; n--)
        x = x << 8 | p[n - 1];
    return x;
}

/* The bits of a float that was passed by value. Under -ffinite-math-only clang 19 removes tests of
   such bits for Inf (x & 0x7fffffff == 0x7f800000), even through memcpy. So they pass through an
   empty asm, which the optimiser cannot look into. */
MPX__INLINE uint32_t mpx__opaque_bits(float x) {
    uint32_t u = mpx__bits(x);
#if defined(__clang__) && defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
    __asm__("" : "+r"(u));
#endif
    return u;
}

/* What is in a vector register stays there. */
#if defined(__GNUC__) && !defined(__clang__) && defined(MPX__HAS_SSE2)
#define MPX__KEEP_VALUE(x) __asm__("" : "+x"(x))
#define MPX__KEEP_POINTER(p) __asm__("" : "+r"(p))
#else
#define MPX__KEEP_VALUE(x) ((void)0)
#define MPX__KEEP_POINTER(p) ((void)0)
#endif

/* Lanes that the optimiser cannot look into. If nothing uses the sum of a lane, clang 23 leaves out
   what makes that sum exact, and flags are raised. */
#if MPX__GNU && defined(MPX__HAS_SSE2)
#define MPX__HIDE(x) __asm__("" : "+x"(x))
#else
#define MPX__HIDE(x) ((void)0)
#endif

/* A condition that is mostly false: the code under it is moved out of the way. */
#if MPX__GNU
#define MPX__RARELY(x) __builtin_expect(!!(x), 0)
#else
#define MPX__RARELY(x) (x)
#endif

/* Fetch the cache line of p, maybe behind its array. */
#if MPX__GNU
#define MPX__PREFETCH(p) __builtin_prefetch(p)
#else
#define MPX__PREFETCH(p) ((void)(p))
#endif

/* Some loops have slow addresses (Zen 3). */
#if MPX__GNU && (defined(__x86_64__) || defined(__i386__))
#define MPX__ALIGN_LOOP() __asm__ __volatile__(".p2align 5")
#else
#define MPX__ALIGN_LOOP() ((void)0)
#endif

/* Before short loops to unroll: gcc does not do it at -O2, other compilers do. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8 && !MPX__COMPACT
#define MPX__UNROLL _Pragma("GCC unroll 8")
#else
#define MPX__UNROLL
#endif

/* Around a sum whose result depends on the floating-point modes. Compilers do not know that: they
   would move it across a change of modes, or merge two such sums. So there is a fence before and
   after it, or an operand that is read anew each time. */
#if MPX__GNU
#define MPX__FP_BARRIER(x) __asm__ __volatile__("" : "+x"(x) : : "memory")
#define MPX__READ_HERE const
#else
#define MPX__FP_BARRIER(x) ((void)0)
#define MPX__READ_HERE volatile
#endif

/* dst == src is allowed, other overlaps are not; both may be NULL if size is 0. */
#ifdef MPX_MEMCPY
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    if (dst != src && size != 0) MPX_MEMCPY(dst, src, size);
}
#elif defined(__wasm_bulk_memory__) && defined(__GNUC__) /* one instruction */
MPX__INLINE void mpx__copy(void *dst, const void *src, size_t size) {
    if (size != 0) __builtin_memcpy(dst, src, size);
}
#elif MPX__COMPACT
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (dst == src) return;
    for (; size != 0; size--) {
        *d++ = *s++;
        MPX__BARRIER();
    }
}
#else
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (dst == src) return;
    for (; size >= 32; size -= 32, d += 32, s += 32) {
        uint64_t a = mpx__read64(s), b = mpx__read64(s + 8), c = mpx__read64(s + 16),
                 e = mpx__read64(s + 24);
        mpx__write64(d, a);
        mpx__write64(d + 8, b);
        mpx__write64(d + 16, c);
        mpx__write64(d + 24, e);
        MPX__BARRIER();
    }
    for (; size >= 8; size -= 8, d += 8, s += 8) {
        mpx__write64(d, mpx__read64(s));
        MPX__BARRIER();
    }
    if ((size & 4) != 0) {
        mpx__write32(d, mpx__read32(s));
        d += 4;
        s += 4;
    }
    if ((size & 2) != 0) {
        mpx__write16(d, mpx__read16(s));
        d += 2;
        s += 2;
    }
    if ((size & 1) != 0) *d = *s;
}
#endif

#ifdef MPX_MEMSET
MPX__PRIVATE void mpx__zero(void *dst, size_t size) { MPX_MEMSET(dst, 0, size); }
#elif defined(__wasm_bulk_memory__) /* an instruction */
MPX__PRIVATE void mpx__zero(void *dst, size_t size) { __builtin_memset(dst, 0, size); }
#else
MPX__PRIVATE void mpx__zero(void *dst, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    for (; !MPX__COMPACT && size >= 8; size -= 8, d += 8) {
        mpx__write64(d, 0);
        MPX__BARRIER();
    }
    while (size != 0) {
        d[--size] = 0;
        MPX__BARRIER();
    }
}
#endif

MPX_API int mpx_version(void) { return MPX_VERSION; }
