/*==========================================================================*
 * MARK: detect - compiler and instruction set                               *
 *   The only room that asks which compiler and which machine this is.       *
 *==========================================================================*/

/* MPX__INLINE: a small function. MPX__FORCE_INLINE: one whose constant arguments must be folded:
   the kernels. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__INLINE static inline __attribute__((unused))
#define MPX__FORCE_INLINE static inline __attribute__((always_inline, unused))
#define MPX__PRIVATE static __attribute__((unused))
#elif defined(_MSC_VER) /* clang-cl took the branch above */
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static __forceinline
#define MPX__PRIVATE static
#pragma warning(push)
/* constant conditions in folded kernels; unreferenced static functions */
#pragma warning(disable : 4127 4505)
#else
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static inline
#define MPX__PRIVATE static
#endif

/* The instruction set: one per translation unit, numbered from 1 so that a misspelt name (0) is
   refused. */
#define MPX_ISA_SCALAR 1
#ifndef MPX_ISA
#define MPX_ISA MPX_ISA_SCALAR
#endif
#if MPX_ISA != MPX_ISA_SCALAR
#error "mpx.h: MPX_ISA is not one of MPX_ISA_SCALAR"
#endif
#if MPX_TILE < 16 || MPX_TILE % 16 != 0
#error "mpx.h: MPX_TILE must be a multiple of 16, at least 16"
#endif

/* Loads and stores in native byte order at any address. With GNU compilers a packed struct that may
   alias anything: one instruction where the machine allows, byte accesses where it does not, never
   a call of memcpy. */
#if defined(__GNUC__) || defined(__clang__)
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
    uint16_t v;
    unsigned char byte[2];
} mpx__bytes16;
typedef union {
    uint32_t v;
    unsigned char byte[4];
} mpx__bytes32;
typedef union {
    uint64_t v;
    unsigned char byte[8];
} mpx__bytes64;
MPX__INLINE void mpx__move_bytes(unsigned char *d, const unsigned char *s, int n) {
    while (n-- > 0)
        *d++ = *s++;
}
MPX__INLINE uint16_t mpx__read16(const void *p) {
    mpx__bytes16 u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 2);
    return u.v;
}
MPX__INLINE uint32_t mpx__read32(const void *p) {
    mpx__bytes32 u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 4);
    return u.v;
}
MPX__INLINE uint64_t mpx__read64(const void *p) {
    mpx__bytes64 u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 8);
    return u.v;
}
MPX__INLINE void mpx__write16(void *p, uint16_t v) {
    mpx__bytes16 u;
    u.v = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 2);
}
MPX__INLINE void mpx__write32(void *p, uint32_t v) {
    mpx__bytes32 u;
    u.v = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 4);
}
MPX__INLINE void mpx__write64(void *p, uint64_t v) {
    mpx__bytes64 u;
    u.v = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 8);
}
#endif

/* A fence for the optimiser, so that it does not replace the loops below by calls of memcpy and
   memset. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__KEEP_LOOP() __asm__ __volatile__("" ::: "memory")
#else
#define MPX__KEEP_LOOP() ((void)0)
#endif

/* dst == src is allowed, other overlaps are not. */
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
#ifdef MPX_MEMCPY
    if (dst != src && size != 0) MPX_MEMCPY(dst, src, size);
#else
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
        MPX__KEEP_LOOP();
    }
    for (; size != 0; size--) {
        *d++ = *s++;
        MPX__KEEP_LOOP();
    }
#endif
}

MPX__PRIVATE void mpx__zero(void *dst, size_t size) {
#ifdef MPX_MEMSET
    MPX_MEMSET(dst, 0, size);
#else
    unsigned char *d = (unsigned char *)dst;
    for (; size != 0; size--) {
        *d++ = 0;
        MPX__KEEP_LOOP();
    }
#endif
}

MPX_API int mpx_version(void) { return MPX_VERSION; }
