/*==================================================================*
 * MARK: norms - normalised integers, in lanes
 *   For vertex.h. Integers only, so no floating-point mode changes a result and no flag is raised.
 *==================================================================*/
#if !MPX_NO_VERTEX

/* The f32 bits u, of a value clamped to 0 ... 1, times most = 2^bits - 1, to nearest. NaN is 0.

     u    0 eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      at least 2^-(bits + 2), which gives 0 too

   1. 2^31 + 2^23 - 1 is added for the comparisons: NaN and negatives then are below all others.
   2. With sig = 2^23 + m, u * most = (sig * 2^bits - sig) * 2^(e - 150). So its whole part is sig -
      sig / 2^bits, rounded down, shifted by 150 - bits - e; one less leaves the bit that rounds.
   3. As most is odd, the only tie is u = 1/2, between 2^(bits-1) - 1 and 2^(bits-1). The even one
      is the upper, but for bits = 1, where it is 0. */
MPX__FORCE_INLINE mpx__vu mpx__to_unorm(mpx__vu u, int bits) {
    const uint32_t most = (1u << bits) - 1u, least = (125u - (unsigned)bits) << 23,
                   up = 0x807fffffu;
    mpx__vu sig, whole;
    u = mpx__max(mpx__add(u, mpx__set(up)), mpx__set(least + up));
    u = mpx__sub(mpx__min(u, mpx__set(0x3f800000u + up)), mpx__set(up));
    sig = mpx__or(mpx__and(u, mpx__set(0x7fffffu)), mpx__set(0x800000u));
    whole = mpx__sub(sig, mpx__shr(mpx__add(sig, mpx__set(most + (bits == 1))), bits));
    whole = mpx__shrv(whole, mpx__sub(mpx__set(149u - (unsigned)bits), mpx__shr(u, 23)));
    return mpx__shr(mpx__add(whole, mpx__set(1)), 1);
}
/* The f32 bits of x / (2^bits - 1), to nearest. In binary the quotient is 0.xxx..., x repeated
   without end, so it is never a tie. Its first 25 significant bits are rounded to 24. */
MPX__FORCE_INLINE mpx__vu mpx__from_unorm(mpx__vu x, int bits) {
    const int width = (24 + bits) / bits * bits; /* 25 to 32 */
    const mpx__vu hidden = mpx__set(0x800000u), u = mpx__f32_of_u24(x),
                  ones = mpx__set((0xffffffffu >> (32 - width)) / ((1u << bits) - 1u));
    mpx__vu sig = mpx__or(mpx__and(u, mpx__set(0x7fffffu)), hidden);
    sig = mpx__shr(mpx__mul(mpx__shr(sig, 24 - bits), ones), width - 25);
    sig = mpx__sub(mpx__shr(mpx__add(sig, mpx__set(1)), 1), hidden);
    sig = mpx__add(sig, mpx__sub(mpx__and(u, mpx__set(0x7f800000u)),
                                 mpx__set((uint32_t)bits << 23)));
    return mpx__select(mpx__eq(x, mpx__set(0)), x, sig);
}

/* n lanes of 32 bits in place, between f32 bits and codes, and the rest of their last vector, which
   may hold anything. A signed code is two's complement, the magnitude a unorm of one bit less; its
   most negative code is -1 too. Packed, signed codes fill 32 bits; to unpack, the lowest count. */
MPX__FORCE_INLINE void mpx__to_norms_of(unsigned char *x, size_t n, int bits, int is_signed) {
    size_t i;
    for (i = 0; i < n; i += MPX__LANES, x += MPX__LANES * 4) {
        const mpx__vu u = mpx__load32(x), minus = mpx__sub(mpx__set(0), mpx__shr(u, 31));
        mpx__vu code;
        if (is_signed) {
            code = mpx__to_unorm(mpx__and(u, mpx__set(0x7fffffffu)), bits - 1);
            code = mpx__sub(mpx__xor(code, minus), minus);
        } else {
            code = mpx__to_unorm(u, bits);
        }
        mpx__store32(x, code);
    }
}
MPX__FORCE_INLINE void mpx__from_norms_of(unsigned char *x, size_t n, int bits, int is_signed) {
    const uint32_t most = (1u << (bits - 1)) - 1u;
    size_t i;
    for (i = 0; i < n; i += MPX__LANES, x += MPX__LANES * 4) {
        mpx__vu code = mpx__load32(x), sign = mpx__shr(code, bits - 1),
                minus = mpx__sub(mpx__set(0), sign);
        if (is_signed) code = mpx__sub(mpx__xor(code, minus), minus);
        code = mpx__and(code, mpx__set(2u * most + 1u));
        if (is_signed)
            code = mpx__or(mpx__from_unorm(mpx__min(code, mpx__set(most)), bits - 1),
                           mpx__shl(sign, 31));
        else
            code = mpx__from_unorm(code, bits);
        mpx__store32(x, code);
    }
}
/* In plain C shifts by a constant are faster. */
MPX__NOINLINE void mpx__to_norms_here(unsigned char *x, size_t n, int bits, int is_signed) {
    switch ((MPX__COMPACT ? 0 : MPX__LANES) != 1 ? 0 : bits) {
    case 8: mpx__to_norms_of(x, n, 8, is_signed); break;
    case 10: mpx__to_norms_of(x, n, 10, is_signed); break;
    case 16: mpx__to_norms_of(x, n, 16, is_signed); break;
    default: mpx__to_norms_of(x, n, bits, is_signed); break;
    }
    MPX__CLEAR_UPPER();
}
MPX__NOINLINE void mpx__from_norms_here(unsigned char *x, size_t n, int bits, int is_signed) {
    switch ((MPX__COMPACT ? 0 : MPX__LANES) != 1 ? 0 : bits) {
    case 8: mpx__from_norms_of(x, n, 8, is_signed); break;
    case 10: mpx__from_norms_of(x, n, 10, is_signed); break;
    case 16: mpx__from_norms_of(x, n, 16, is_signed); break;
    default: mpx__from_norms_of(x, n, bits, is_signed); break;
    }
    MPX__CLEAR_UPPER();
}
#endif /* !MPX_NO_VERTEX */
