/*==================================================================*
 * MARK: simd_scalar - the vocabulary, one lane
 *   The vocabulary is the set of functions in which the kernels are written. Each instruction set
 *   has a room that defines functions with these names; this room is plain C. An mpx__vu is
 *   MPX__LANES unsigned lanes of 32 bits. A comparison gives all ones or zero in each lane.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_SCALAR
#define MPX__LANES 1
#define MPX__ISA_NAME "scalar"

/* What an instruction set has beyond integer lanes of 32 bits. Other rooms test these macros, never
   its name.
   HAS_FLOAT    IEEE float arithmetic, and integer lanes of other widths: all the functions of
                simd_sse2.h, for the rooms floats, small and ints
   HAS_MXCSR    x86's control word, which enter and leave in float_env.h set and restore
   HAS_STREAM   stores past the caches: mpx__store_past, fence, prefetch
   HAS_LOOKUP   tables of 16 bytes
   HAS_FMA      mpx__fmul_add rounds once
   HAS_JOIN     packed codes of four and six bits: mpx__load_split4, store_joined4 and 6
   F16_BY_SUMS  no instructions for f16, but float sums
   F16_ENV ...  the environments that conversions need, see simd_generic.h
   OWN_...      a function of simd_generic.h, or a part of a room, for which it has its own
   version */
#define MPX__HAS_FLOAT 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_FMA 0
#define MPX__HAS_JOIN 0
#define MPX__F16_BY_SUMS 0

typedef uint32_t mpx__vu;

/* Elements of 8, 16 and 32 bits: widened to lanes with zeros, narrowed by dropping upper bits. */
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) { return *(const unsigned char *)p; }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return mpx__read16(p); }
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return mpx__read32(p); }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) { mpx__write16(p, (uint16_t)v); }
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { mpx__write32(p, v); }

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return x; }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return a & b; }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return a | b; }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return a ^ b; }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return a + b; }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return a - b; }
/* The low 32 bits of a product. */
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return a * b; }
/* One count for all lanes, 0 to 31, not always a constant. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return a << n; }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return a >> n; }
/* Counts for each lane, 0 to 31. The asm hides the count: where clang vectorises for SSE2, it would
   shift left by a conversion from float to integer, which raises flags. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
#if defined(__clang__) && defined(__SSE2__)
    __asm__("" : "+r"(n));
#endif
    return a << n;
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
/* Comparisons of unsigned lanes and of signed ones, and what follows from them. */
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return a == b ? 0xffffffffu : 0u; }
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return a > b ? 0xffffffffu : 0u; }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return mpx__gt(a ^ 0x80000000u, b ^ 0x80000000u);
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return a < b ? a : b; }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return a > b ? a : b; }
/* mask ? a : b, bit by bit. */
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return (a & mask) | (b & ~mask);
}
/* Is any bit of any lane set? */
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return a != 0; }

/* The f32 bits of an integer below 2^24: exact. Other ISAs use their conversion instruction, not
   (float)x, which compilers expand in ways that depend on the rounding mode. There is no float
   arithmetic here, for which cores without an FPU would call a library: the leading one is moved to
   bit 23 in steps of 16, 8, 4, 2, 1, and the exponent falls by as much. */
#if defined(__GNUC__) && !MPX__COMPACT
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    const uint32_t by = (uint32_t)__builtin_clz(a | 1u) - 8u;
    return ((mpx__shlv(a, by) & 0x7fffffu) | (150u - by) << 23) & (0u - (uint32_t)(a != 0));
}
#else
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    uint32_t m = a, exponent = 127u + 23u, step;
    for (step = 16; step != 0; step >>= 1) {
        uint32_t by = m >> (24u - step) != 0 ? 0u : step;
        m <<= by;
        exponent -= by;
    }
    return a != 0 ? (m & 0x7fffffu) | exponent << 23 : 0u;
}
#endif

/* A lane of 32 bits is two lanes of 16: the larger of each. */
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__max(a & 0xffffu, b & 0xffffu) | mpx__max(a & 0xffff0000u, b & 0xffff0000u);
}

#endif /* MPX_ISA_SCALAR */
