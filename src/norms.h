/*==================================================================*
 * MARK: norms - normalised integers, in lanes
 *   For vertex.h. No floating-point mode matters, and no flag is raised.
 *==================================================================*/
#if !MPX_NO_VERTEX

#if MPX__HAS_FLOAT
/* f32 bits of x / (2^bits - 1), to nearest. */
MPX__FORCE_INLINE mpx__vu mpx__from_unorm(mpx__vu x, int bits) {
    const mpx__vu most = mpx__set((1u << bits) - 1u);
    return mpx__bits_of_vf(mpx__fdiv(mpx__vf_of_i32(x), mpx__vf_of_i32(most)));
}
#else
/* The same: in binary the quotient is 0.xxx..., x repeated without end, so it is never a tie. Its
   first 25 significant bits are rounded to 24. */
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
#endif
#if MPX__HAS_FMA
/* The f32 bits u of a value of 0 ... 1, times most = 2^bits - 1, to nearest: the sum with 2^23 is
   rounded once. */
MPX__FORCE_INLINE mpx__vu mpx__times_most(mpx__vu u, int bits) {
    const mpx__vf most = mpx__vf_of_i32(mpx__set((1u << bits) - 1u)),
                  unit = mpx__vf_of_bits(mpx__set(0x4b000000u));
    u = mpx__bits_of_vf(mpx__fmul_add(mpx__vf_of_bits(u), most, unit));
    return mpx__and(u, mpx__set(0x7fffffu));
}
#else
/* The same, by integers; u is at least 2^-(bits + 2), which gives 0 too.
   1. With sig = 2^23 + m, u * most = (sig * 2^bits - sig) * 2^(e - 150). So its whole part is sig -
      sig / 2^bits, rounded down, shifted by 150 - bits - e; one less leaves the bit that rounds.
   2. As most is odd, the only tie is u = 1/2, between 2^(bits-1) - 1 and 2^(bits-1). The even one
      is the upper, but for bits = 1, where it is 0. */
MPX__FORCE_INLINE mpx__vu mpx__times_most(mpx__vu u, int bits) {
    const uint32_t most = (1u << bits) - 1u;
    mpx__vu sig = mpx__or(mpx__and(u, mpx__set(0x7fffffu)), mpx__set(0x800000u)), whole;
    whole = mpx__sub(sig, mpx__shr(mpx__add(sig, mpx__set(most + (bits == 1))), bits));
    whole = mpx__shrv(whole, mpx__sub(mpx__set(149u - (unsigned)bits), mpx__shr(u, 23)));
    return mpx__shr(mpx__add(whole, mpx__set(1)), 1);
}
#endif
/* Clamped to 0 ... 1; NaN is 0. With 2^31 + 2^23 - 1 added, it and negatives are below others. */
MPX__FORCE_INLINE mpx__vu mpx__to_unorm(mpx__vu u, int bits) {
    const uint32_t least = (125u - (unsigned)bits) << 23, up = 0x807fffffu;
    u = mpx__max(mpx__add(u, mpx__set(up)), mpx__set(least + up));
    u = mpx__sub(mpx__min(u, mpx__set(0x3f800000u + up)), mpx__set(up));
    return mpx__times_most(u, bits);
}

/* Between f32 bits and codes. A signed code is two's complement, the magnitude a unorm of one bit
   less; its most negative code is -1 too. Packed, it fills 32 bits; to unpack, the lowest count. */
MPX__FORCE_INLINE mpx__vu mpx__to_norm(mpx__vu u, int bits, int is_signed) {
    const mpx__vu minus = mpx__sub(mpx__set(0), mpx__shr(u, 31));
    if (!is_signed) return mpx__to_unorm(u, bits);
    u = mpx__to_unorm(mpx__and(u, mpx__set(0x7fffffffu)), bits - 1);
    return mpx__sub(mpx__xor(u, minus), minus);
}
MPX__FORCE_INLINE mpx__vu mpx__from_norm(mpx__vu code, int bits, int is_signed) {
    const mpx__vu sign = mpx__shr(code, bits - 1), minus = mpx__sub(mpx__set(0), sign),
                  all = mpx__set((2u << (bits - 1)) - 1u);
    if (!is_signed) return mpx__from_unorm(mpx__and(code, all), bits);
    code = mpx__and(mpx__sub(mpx__xor(code, minus), minus), all);
    code = mpx__from_unorm(mpx__min(code, mpx__shr(all, 1)), bits - 1);
    return mpx__or(code, mpx__shl(sign, 31));
}
/* n lanes of 32 bits in place, and the rest of their last vector, whatever it holds. */
MPX__FORCE_INLINE void mpx__norms_of(unsigned char *x, size_t n, int bits, int is_signed,
                                     int unpack) {
    size_t i;
    for (i = 0; i < n; i += MPX__LANES, x += MPX__LANES * 4)
        mpx__store32(x, unpack ? mpx__from_norm(mpx__load32(x), bits, is_signed)
                               : mpx__to_norm(mpx__load32(x), bits, is_signed));
}
/* In plain C shifts by a constant are faster. */
MPX__NOINLINE void mpx__norms_here(unsigned char *x, size_t n, int bits, int is_signed,
                                   int unpack) {
    const mpx__env env = mpx__env_enter(MPX__ENV_ALL);
    switch ((MPX__COMPACT ? 0 : MPX__LANES) != 1 ? 0 : bits) {
    case 8: mpx__norms_of(x, n, 8, is_signed, unpack); break;
    case 10: mpx__norms_of(x, n, 10, is_signed, unpack); break;
    case 16: mpx__norms_of(x, n, 16, is_signed, unpack); break;
    default: mpx__norms_of(x, n, bits, is_signed, unpack); break;
    }
    mpx__env_leave(env);
}
#endif /* !MPX_NO_VERTEX */
