/*==========================================================================*
 * MARK: simd_scalar - the vocabulary, one lane                              *
 *   What codec.h is written in. Every ISA has a file with these names; this *
 *   one is plain C. A vu is MPX__LANES unsigned 32-bit lanes; comparisons   *
 *   give all ones or zero per lane. Functions of one or two lines.          *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_SCALAR
#define MPX__LANES 1
#define MPX__ISA_NAME "scalar"

/* What an ISA has beyond codecs and loops. Other rooms ask for these, never for its name.
   NATIVE_F16   conversion instructions for f16: mpx__dec_f16, mpx__enc_f16 and, for fast_wide,
                mpx__f16_pair and mpx__load_e5m2
   HAS_BYTES_AS_F16 (if defined) bytes of other formats are widened by way of f16 too, see
                fast_small.h
   F16_IN_ENV   and they want to be between mpx__env_enter and leave
   NATIVE_BF16  mpx__bf16_pair is right for NaN too, between them
   HAS_FLOAT    float arithmetic as IEEE has it in the modes of mpx__env_enter, and so the words
                below "float products" of the other files: fast_small, fast_wide, scale_rows
   HAS_JOIN     mpx__join4, split4, join6, split6: codes of four and six bits, see pack.h
   HAS_LOOKUP   tables of 16 bytes
   HAS_MXCSR    x86's control word: float_env.h knows how to enter and leave
   HAS_ENV      another one: mpx__env, mpx__env_enter and leave are in the ISA's file
   HAS_MODES_DIFFER (if defined) and mpx__modes_differ too, see float_env.h
   HAS_STREAM   stores past the caches: mpx__store_past, fence, prefetch
   HAS_STAGE    (if defined) mpx__stage of its own, see loop.h
   HAS_STORE_HALF (if defined) mpx__store_half_of_f64; f16 too is stored by halves, see fast_wide.h
   HAS_MAX_MAGNITUDE (if defined) mpx__max_magnitude of its own: below 2^31, see finite.h
   HAS_LARGEST_LANE (if defined) mpx__largest_lane of its own, of what is below 2^31, see amax.h
   HAS_LARGEST_HALF (if defined) mpx__largest_half of its own, of what is below 2^15, see amax.h
   HAS_BF16_PAIR (if defined) mpx__bf16_pair of its own, see fast_wide.h
   HAS_UPPER_WORDS (if defined) mpx__upper_words: two vectors' upper halves in any order, see
                fast_wide.h
   HAS_WORDS_AT (if defined) mpx__upper_words_at, mpx__lower_words_at, mpx__bf16_of_words, see
                fast_wide.h
   HAS_NAN_IN_BLOCK (if defined) mpx__nan_in_block of its own, between enter and leave, see
                fast_wide.h
   HAS_WIDENING_LOADS (if defined) words that widen from memory of its own: mpx__f64_of_f32_at, see
                fast_wide.h, and mpx__f64_of_i32_at, see fast_int.h
   HAS_CLIPPED8 (if defined) mpx__load_clipped8 of its own, see fast_int.h
   HAS_F32_OF_U32 (if defined) mpx__f32_of_u32 of its own, see fast_int.h
   HAS_FROM_I64 (if defined) mpx__f64_of_i64_at, mpx__f32_of_i64_at: by instructions for them, of a
                vector's numbers in memory, rounded once, see fast_int.h
   HAS_PACK32   (if defined) mpx__pack32 of its own, see fast_int.h
   HAS_TRUNCATE64 (if defined) mpx__truncate64: f64 toward zero, see fast_int.h
   LOSES_NAN    (if defined) mpx__f64_of_f32 is not for NaN
   HAS_QUIET_NAN (if defined) mpx__quiet_nan_in of its own, see fast_wide.h
   HAS_OF_BYTES (if defined) mpx__of_bytes: 16 bytes from registers, see loop.h
   HAS_ODD      (if defined) mpx__odd_f32_of_f64 of its own, for the whole range, see float_env.h
   HAS_ROUND_MAGNITUDE (if defined) mpx__round_magnitude of its own, see codec.h
   FEW_BY_KERNEL (if defined) below how many elements one kernel alone is faster, see fast.h
   HAS_OWN_ROWS rows in a file of its own instead of fast_small's narrowing and fast_wide */
#define MPX__NATIVE_F16 0
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_FLOAT 0
#define MPX__HAS_JOIN 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0

typedef uint32_t mpx__vu;

/* Memory: elements of 8, 16, 32 bits, widened to lanes with zeros, narrowed by dropping the upper
   bits. */
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) { return *(const unsigned char *)p; }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return mpx__read16(p); }
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return mpx__read32(p); }
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) { *(unsigned char *)p = (unsigned char)v; }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) { mpx__write16(p, (uint16_t)v); }
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { mpx__write32(p, v); }
/* Elements of 64 bits (uint64_t, native byte order), their low and high halves apart. */
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    uint64_t x = mpx__read64(p);
    *low = (uint32_t)x;
    *high = (uint32_t)(x >> 32);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__write64(p, (uint64_t)high << 32 | low);
}

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
/* Per-lane counts, 0 to 31. */
/* Told not to look: vectorised for SSE2, clang makes a conversion to integers of a shift to the
   left, and that raises flags. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
#if defined(__clang__) && defined(__SSE2__)
    __asm__("" : "+r"(n));
#endif
    return a << n;
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
/* Unsigned comparisons and what follows from them. */
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return a > b ? 0xffffffffu : 0u; }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return a == b ? 0xffffffffu : 0u; }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return a < b ? a : b; }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return a > b ? a : b; }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
/* mask ? a : b, bit by bit. */
#if MPX__COMPACT /* lanes are all ones or zero: a branch is smaller */
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) { return mask ? a : b; }
#else
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return (a & mask) | (b & ~mask);
}
#endif
/* Is any bit of any lane set? */
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return a != 0; }

/* The f32 bits of an integer below 2^24: exact. Other ISAs use their conversion instruction, not
   (float)x, which compilers expand in ways that depend on the rounding mode. Written without float
   arithmetic, which cores without an FPU would call a library for: the leading one is moved to bit
   23 in steps of 16, 8, 4, 2, 1, the exponent falls by as much. */
#if MPX__NATIVE_F32
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__bits((float)(int32_t)a); }
#elif MPX__COMPACT
MPX__ONCE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    uint32_t exponent = 127u + 23u;
    if (a == 0) return 0;
    for (; a < 0x800000u; exponent--)
        a <<= 1;
    return (a & 0x7fffffu) | exponent << 23;
}
#else
MPX__SHARED_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    uint32_t m = a, exponent = 127u + 23u, step;
    for (step = 16; step != 0; step >>= 1) {
        uint32_t by = m >> (24u - step) != 0 ? 0u : step;
        m <<= by;
        exponent -= by;
    }
    return a != 0 ? (m & 0x7fffffu) | exponent << 23 : 0u;
}
#endif

/* The same of an integer between -2^24 and 2^24, in two's complement. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    uint32_t negative = a >> 31;
    return mpx__f32_of_u24(negative != 0 ? 0u - a : a) | negative << 31;
}

/* 32 bits hold two lanes of 16: for what needs no widening. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) {
    return ((a & 0xffffu) + (b & 0xffffu)) % 0x10000u + ((a & 0xffff0000u) + (b & 0xffff0000u));
}
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__max(a & 0xffffu, b & 0xffffu) | mpx__max(a & 0xffff0000u, b & 0xffff0000u);
}

#endif /* MPX_ISA_SCALAR */
