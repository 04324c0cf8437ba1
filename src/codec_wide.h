/*==========================================================================*
 * MARK: codec_wide - f64 and the integers of 32 and 64 bits, in lanes       *
 *   What f32 cannot hold, to and from f32 bits: as in codec.h, integer      *
 *   lanes only. A lane of 64 bits stands in two: its low and high halves.   *
 *   A number becomes an f32 by one rounding: to nearest even where f32 is   *
 *   the target. On the way to a small format it is rounded to odd (a cut,   *
 *   with the lowest bit set if anything was cut off): rounding that f32     *
 *   again gives what rounding the number itself would, as f32 has at least  *
 *   two more bits than any small format. Source: Boldo and Melquiond, When  *
 *   double rounding is odd, 2005.                                           *
 *==========================================================================*/

/* 1 where x is not 0. */
MPX__FORCE_INLINE mpx__vu mpx__nonzero(mpx__vu x) {
    return mpx__add(mpx__set(1), mpx__eq(x, mpx__set(0)));
}

/* ---- to f32 ---------------------------------------------------------------------------------- */

/* The f32 magnitude of a number with 32 leading bits z and the f32 exponent field `exponent`:

     z     1 mmmmmmmmmmmmmmmmmmmmmmm yyyyyyyy     23 mantissa bits are kept, 8 dropped

   The lowest bit of z stands for all that lies below it. Bit 31 is the hidden one; without it z is
   a subnormal or zero, and the exponent field 0. A carry out of the mantissa raises the
   exponent. */
MPX__SHARED_INLINE mpx__vu mpx__f32_of_parts(mpx__vu exponent, mpx__vu z, int to_odd) {
    mpx__vu top = mpx__shl(exponent, 23), rest = mpx__and(z, mpx__set(0x7fffffffu));
    mpx__vu mantissa = mpx__shr(rest, 8), odd = mpx__and(mantissa, mpx__set(1));
    if (to_odd)
        return mpx__or(mpx__or(top, mantissa), mpx__nonzero(mpx__and(rest, mpx__set(0xffu))));
    return mpx__add(top, mpx__shr(mpx__add(rest, mpx__add(mpx__set(0x7fu), odd)), 8));
}

/* The f32 exponent field of an integer: 127 + the place of its leading one, 0 of 0. */
MPX__SHARED_INLINE mpx__vu mpx__exponent_of(mpx__vu x) {
    mpx__vu large = mpx__gt(x, mpx__set(0xffffffu));
    mpx__vu u = mpx__f32_of_u24(mpx__select(large, mpx__shr(x, 8), x));
    return mpx__add(mpx__shr(u, 23), mpx__and(large, mpx__set(8)));
}

/* How far an integer with that exponent field is shifted to the left to have its leading one at bit
   31; for 0, any count in range. */
MPX__FORCE_INLINE mpx__vu mpx__leading_zeros(mpx__vu exponent) {
    return mpx__and(mpx__sub(mpx__set(127 + 31), exponent), mpx__set(31));
}

MPX__SHARED_INLINE mpx__vu mpx__decode_u32(mpx__vu x, int to_odd) {
    mpx__vu exponent = mpx__exponent_of(x);
    return mpx__f32_of_parts(exponent, mpx__shlv(x, mpx__leading_zeros(exponent)), to_odd);
}

/* The 64 bits of a number from its leading one on: z, and what follows. That one is in the high
   half, or in the low half alone, which then moves up. Returns its exponent field in f32. */
MPX__SHARED_INLINE mpx__vu mpx__leading_bits_u64(mpx__vu low, mpx__vu high, mpx__vu *z,
                                                 mpx__vu *rest) {
    mpx__vu tall = mpx__gt(high, mpx__set(0)), a = mpx__select(tall, high, low),
            b = mpx__and(tall, low);
    mpx__vu exponent = mpx__exponent_of(a), n = mpx__leading_zeros(exponent);
    mpx__vu from_b = mpx__shrv(mpx__shr(b, 1), mpx__sub(mpx__set(31), n)); /* b >> (32 - n) */
    *z = mpx__or(mpx__shlv(a, n), from_b);
    *rest = mpx__shlv(b, n);
    return mpx__add(exponent, mpx__and(tall, mpx__set(32)));
}
MPX__SHARED_INLINE mpx__vu mpx__decode_u64(mpx__vu low, mpx__vu high, int to_odd) {
    mpx__vu z, rest, exponent = mpx__leading_bits_u64(low, high, &z, &rest);
    return mpx__f32_of_parts(exponent, mpx__or(z, mpx__nonzero(rest)), to_odd);
}

/* All ones where the sign bit of x is set. */
MPX__FORCE_INLINE mpx__vu mpx__sign_mask(mpx__vu x) { return mpx__gt(x, mpx__set(0x7fffffffu)); }

/* Two's complement where the mask says so: invert, add one; the high half gets the carry. */
MPX__FORCE_INLINE mpx__vu mpx__negate_low(mpx__vu low, mpx__vu mask) {
    return mpx__sub(mpx__xor(low, mask), mask);
}
MPX__FORCE_INLINE mpx__vu mpx__negate_high(mpx__vu low, mpx__vu high, mpx__vu mask) {
    return mpx__sub(mpx__xor(high, mask), mpx__and(mask, mpx__eq(low, mpx__set(0))));
}

MPX__FORCE_INLINE mpx__vu mpx__with_sign_of(mpx__vu magnitude, mpx__vu x) {
    return mpx__or(magnitude, mpx__and(x, mpx__set(0x80000000u)));
}

MPX__FORCE_INLINE mpx__vu mpx__decode_i32(mpx__vu x, int to_odd) {
    mpx__vu magnitude = mpx__negate_low(x, mpx__sign_mask(x));
    return mpx__with_sign_of(mpx__decode_u32(magnitude, to_odd), x);
}
MPX__FORCE_INLINE mpx__vu mpx__decode_i64(mpx__vu low, mpx__vu high, int to_odd) {
    mpx__vu mask = mpx__sign_mask(high), low_magnitude = mpx__negate_low(low, mask),
            high_magnitude = mpx__negate_high(low, high, mask);
    return mpx__with_sign_of(mpx__decode_u64(low_magnitude, high_magnitude, to_odd), high);
}

/* f64    s eeeeeeeeeee mmmmmmmmmmmmmmmmmmmm | mmmmmmmmmmm yyyyyyyyyyyyyyyyyyyyy     bias 1023
                                 20 in high  | 11 in low   21 below them
   The 32 leading bits of its significand; h is the high half without the sign. A subnormal f64 has
   no hidden bit. */
MPX__SHARED_INLINE mpx__vu mpx__significand_f64(mpx__vu low, mpx__vu h) {
    mpx__vu hidden = mpx__and(mpx__gt(h, mpx__set(0xfffffu)), mpx__set(0x80000000u));
    mpx__vu z = mpx__or(mpx__shl(mpx__and(h, mpx__set(0xfffffu)), 11), mpx__shr(low, 21));
    return mpx__or(hidden, z);
}

/* Normal results: the exponent moves from one bias to the other. Subnormal results: z is shifted
   to the right, one bit more per exponent below 897, that of the smallest normal f32; what leaves z
   goes into its lowest bit, and after 31 bits nothing else is left. Results of 2^128 and more stop
   at Inf, or, rounded to odd, below it. NaN: quiet, with the leading payload bits. cut: what is
   dropped is cleared before, and rounding to odd then is rounding toward zero. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64_parts(mpx__vu low, mpx__vu high, int to_odd, int cut) {
    const uint32_t rebias = 1023 - 127;
    mpx__vu h = mpx__and(high, mpx__set(0x7fffffffu)), e = mpx__shr(h, 20);
    mpx__vu below = mpx__sub(mpx__max(e, mpx__set(rebias + 1u)), e),
            n = mpx__min(below, mpx__set(31));
    mpx__vu within = mpx__min(mpx__max(e, mpx__set(rebias)), mpx__set(rebias + 255u)),
            exponent = mpx__sub(within, mpx__set(rebias));
    mpx__vu whole = mpx__significand_f64(low, h), z = mpx__shrv(whole, n);
    mpx__vu lost = mpx__or(mpx__xor(whole, mpx__shlv(z, n)), mpx__shl(low, 11));
    mpx__vu kept = cut ? mpx__and(z, mpx__set(~0xffu)) : mpx__or(z, mpx__nonzero(lost));
    mpx__vu rounded = mpx__f32_of_parts(exponent, kept, to_odd),
            finite = mpx__min(rounded, mpx__set(to_odd ? 0x7f7fffffu : 0x7f800000u));
    mpx__vu payload = mpx__or(mpx__shl(mpx__and(h, mpx__set(0xfffffu)), 3), mpx__shr(low, 29));
    mpx__vu is_nan = mpx__gt(mpx__or(h, mpx__nonzero(low)), mpx__set(0x7ff00000u));
    mpx__vu special = mpx__or(mpx__or(payload, mpx__set(0x7f800000u)),
                              mpx__and(is_nan, mpx__set(0x400000u)));
    mpx__vu a = mpx__select(mpx__gt(h, mpx__set(0x7fefffffu)), special, finite);
    return mpx__with_sign_of(a, high);
}
MPX__SHARED_INLINE mpx__vu mpx__decode_f64(mpx__vu low, mpx__vu high, int to_odd) {
    return mpx__f32_of_f64_parts(low, high, to_odd, 0);
}

/* ---- from f32 -------------------------------------------------------------------------------- */

/* To f64, exact: three of the mantissa's bits move into the low half, and the exponent gets the
   other bias. A subnormal f32 counts units of 2^-149: convert the count, then lower the
   exponent. */
MPX__FORCE_INLINE void mpx__encode_f64(mpx__vu u, mpx__vu *low, mpx__vu *high) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu));
    mpx__vu subnormal = mpx__gt(mpx__set(0x800000u), a),
            special = mpx__gt(a, mpx__set(0x7f7fffffu)),
            quiet = mpx__and(mpx__gt(a, mpx__set(0x7f800000u)), mpx__set(0x80000u));
    mpx__vu v = mpx__select(subnormal, mpx__f32_of_u24(mpx__and(a, mpx__set(0x7fffffu))), a);
    mpx__vu rebias = mpx__select(subnormal, mpx__set((1023u - 127u - 149u) << 20),
                                 mpx__set((1023u - 127u) << 20));
    mpx__vu h = mpx__or(mpx__add(mpx__shr(v, 3), rebias),
                        mpx__or(mpx__and(special, mpx__set(0x7ff00000u)), quiet));
    *low = mpx__shl(v, 29);
    *high = mpx__with_sign_of(mpx__and(h, mpx__gt(a, mpx__set(0))), u);
}

/* The 32 leading bits of an f32's significand. */
MPX__FORCE_INLINE mpx__vu mpx__significand_f32(mpx__vu a) {
    return mpx__or(mpx__shl(a, 8), mpx__set(0x80000000u));
}

/* z * 2^(exponent - 158) truncated to an integer, all ones from 2^32 on. `exponent` is that of f32,
   in a float's wider field perhaps below 0 (as a huge number): then, as below 127, nothing is
   left. */
MPX__FORCE_INLINE mpx__vu mpx__truncate_u32(mpx__vu z, mpx__vu exponent) {
    mpx__vu n = mpx__sub(mpx__set(127 + 31), exponent);
    mpx__vu whole = mpx__and(mpx__shrv(z, mpx__and(n, mpx__set(31))), mpx__gt(mpx__set(32), n));
    return mpx__or(whole, mpx__gt(n, mpx__set(0xffff0000u)));
}

/* u holds the sign. Negative numbers become 0 or, in i32, as low as -2^31. */
MPX__FORCE_INLINE mpx__vu mpx__signed_u32(mpx__vu x, mpx__vu u) {
    return mpx__and(x, mpx__gt(mpx__set(0x80000000u), u));
}
MPX__FORCE_INLINE mpx__vu mpx__signed_i32(mpx__vu x, mpx__vu u) {
    mpx__vu limit = mpx__add(mpx__set(0x7fffffffu), mpx__shr(u, 31));
    return mpx__negate_low(mpx__min(x, limit), mpx__sign_mask(u));
}

/* Magnitudes of f32 and f64 to 32 bits; NaN gives 0. */
MPX__SHARED_INLINE mpx__vu mpx__truncate_f32(mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu));
    mpx__vu x = mpx__truncate_u32(mpx__significand_f32(a), mpx__shr(a, 23));
    return mpx__and(x, mpx__gt(mpx__set(0x7f800001u), a));
}
MPX__SHARED_INLINE mpx__vu mpx__truncate_f64(mpx__vu low, mpx__vu high) {
    mpx__vu h = mpx__and(high, mpx__set(0x7fffffffu));
    mpx__vu e = mpx__sub(mpx__shr(h, 20), mpx__set(1023 - 127));
    mpx__vu x = mpx__truncate_u32(mpx__significand_f64(low, h), e);
    return mpx__and(x, mpx__gt(mpx__set(0x7ff00001u), mpx__or(h, mpx__nonzero(low))));
}

/* f32 magnitude to 64 bits. Below 2^32: z >> (158 - exponent), in the low half. From there on:
   z >> (190 - exponent), in the high half, and what that drops in the low half. Both counts have
   the same lowest five bits. */
MPX__SHARED_INLINE void mpx__truncate_u64(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu z = mpx__significand_f32(a);
    mpx__vu n = mpx__and(mpx__sub(mpx__set(127 + 31), mpx__shr(a, 23)), mpx__set(31));
    mpx__vu x = mpx__shrv(z, n), below = mpx__shlv(mpx__shl(z, 1), mpx__sub(mpx__set(31), n));
    mpx__vu tall = mpx__gt(a, mpx__set(0x4f7fffffu)), full = mpx__gt(a, mpx__set(0x5f7fffffu));
    mpx__vu valid = mpx__and(mpx__gt(a, mpx__set(0x3f7fffffu)), /* 1 and more, but no NaN */
                             mpx__gt(mpx__set(0x7f800001u), a));
    *low = mpx__and(mpx__or(mpx__select(tall, below, x), full), valid);
    *high = mpx__and(mpx__or(mpx__and(tall, x), full), valid);
}

/* A magnitude of 64 bits gets a sign. From 2^63 on: 2^63 - 1, or 2^63 where it is negated, which is
   its own negative. */
MPX__FORCE_INLINE void mpx__signed_i64(mpx__vu *low, mpx__vu *high, mpx__vu mask) {
    mpx__vu full = mpx__sign_mask(*high),
            x = mpx__select(full, mpx__xor(mask, mpx__set(0xffffffffu)), *low),
            y = mpx__select(full, mpx__sub(mpx__set(0x7fffffffu), mask), *high);
    *low = mpx__negate_low(x, mask);
    *high = mpx__negate_high(x, y, mask);
}
/* Negative numbers become 0. */
MPX__FORCE_INLINE void mpx__signed_u64(mpx__vu *low, mpx__vu *high, mpx__vu mask) {
    mpx__vu positive = mpx__eq(mask, mpx__set(0));
    *low = mpx__and(*low, positive);
    *high = mpx__and(*high, positive);
}
MPX__FORCE_INLINE void mpx__encode_u64(mpx__vu u, mpx__vu *low, mpx__vu *high) {
    mpx__truncate_u64(mpx__and(u, mpx__set(0x7fffffffu)), low, high);
    mpx__signed_u64(low, high, mpx__sign_mask(u));
}
MPX__FORCE_INLINE void mpx__encode_i64(mpx__vu u, mpx__vu *low, mpx__vu *high) {
    mpx__truncate_u64(mpx__and(u, mpx__set(0x7fffffffu)), low, high);
    mpx__signed_i64(low, high, mpx__sign_mask(u));
}

/* An integer of 32 bits to f64, exact: 21 of its bits below the hidden one stand in high. */
MPX__SHARED_INLINE void mpx__encode_f64_of_u32(mpx__vu x, mpx__vu *low, mpx__vu *high) {
    mpx__vu exponent = mpx__exponent_of(x), z = mpx__shlv(x, mpx__leading_zeros(exponent));
    mpx__vu h = mpx__add(mpx__shl(mpx__add(exponent, mpx__set(1023 - 127)), 20),
                         mpx__shr(mpx__and(z, mpx__set(0x7fffffffu)), 11));
    *low = mpx__shl(z, 21);
    *high = mpx__and(h, mpx__gt(x, mpx__set(0)));
}

/* ---- decoders and encoders ------------------------------------------------------------------- */

/* From 64 bits at p. */
#define MPX__DECODER64(name, decode) \
    MPX__DECODER(name) { \
        mpx__vu low, high; \
        mpx__load64(p, &low, &high); \
        return decode; \
    }
/* u to 64 bits at p. */
#define MPX__ENCODER64(name, encode) \
    MPX__ENCODER(name) { \
        mpx__vu low, high; \
        encode(u, &low, &high); \
        mpx__store64(p, low, high); \
    }

/* To f32: to nearest, and to odd for the hub. */
MPX__DECODER64(mpx__dec_f64, mpx__decode_f64(low, high, 0))
MPX__DECODER64(mpx__dec_odd_f64, mpx__decode_f64(low, high, 1))
MPX__DECODER64(mpx__dec_cut_f64, mpx__f32_of_f64_parts(low, high, 1, 1))
MPX__DECODER(mpx__dec_i32) { return mpx__decode_i32(mpx__load32(p), 0); }
MPX__DECODER(mpx__dec_odd_i32) { return mpx__decode_i32(mpx__load32(p), 1); }
MPX__DECODER(mpx__dec_u32) { return mpx__decode_u32(mpx__load32(p), 0); }
MPX__DECODER(mpx__dec_odd_u32) { return mpx__decode_u32(mpx__load32(p), 1); }
MPX__DECODER64(mpx__dec_i64, mpx__decode_i64(low, high, 0))
MPX__DECODER64(mpx__dec_odd_i64, mpx__decode_i64(low, high, 1))
MPX__DECODER64(mpx__dec_u64, mpx__decode_u64(low, high, 0))
MPX__DECODER64(mpx__dec_odd_u64, mpx__decode_u64(low, high, 1))

/* From f32. */
MPX__ENCODER64(mpx__enc_f64, mpx__encode_f64)
MPX__ENCODER(mpx__enc_i32) { mpx__store32(p, mpx__signed_i32(mpx__truncate_f32(u), u)); }
MPX__ENCODER(mpx__enc_u32) { mpx__store32(p, mpx__signed_u32(mpx__truncate_f32(u), u)); }
MPX__ENCODER64(mpx__enc_i64, mpx__encode_i64)
MPX__ENCODER64(mpx__enc_u64, mpx__encode_u64)

/* Without f32 between: f64 to bits of i32 and u32, and back. */
MPX__DECODER64(mpx__dec_i32_of_f64, mpx__signed_i32(mpx__truncate_f64(low, high), high))
MPX__DECODER64(mpx__dec_u32_of_f64, mpx__signed_u32(mpx__truncate_f64(low, high), high))
#if MPX__HAS_FLOAT /* exact: no mode changes them, and they raise no flag */
MPX__ENCODER(mpx__enc_f64_of_i32) {
    mpx__vu v[2];
    mpx__f64_of_i32(v, u);
    mpx__store32(p, v[0]);
    mpx__store32((unsigned char *)p + 4 * MPX__LANES, v[1]);
}
/* 2^31 less, then more: that makes zero of 0, with the sign that the mode says. */
MPX__ENCODER(mpx__enc_f64_of_u32) {
    const mpx__vu more = mpx__set64((uint64_t)0x41e0 << 48),
                  magnitude = mpx__set64((uint64_t)-1 >> 1);
    mpx__vu v[2];
    mpx__f64_of_i32(v, mpx__xor(u, mpx__set(0x80000000u)));
    mpx__store32(p, mpx__and(mpx__fadd64(v[0], more), magnitude));
    mpx__store32((unsigned char *)p + 4 * MPX__LANES,
                 mpx__and(mpx__fadd64(v[1], more), magnitude));
}
#else
MPX__ENCODER64(mpx__enc_f64_of_u32, mpx__encode_f64_of_u32)
MPX__ENCODER(mpx__enc_f64_of_i32) {
    mpx__vu low, high;
    mpx__encode_f64_of_u32(mpx__negate_low(u, mpx__sign_mask(u)), &low, &high);
    mpx__store64(p, low, mpx__with_sign_of(high, u));
}
#endif
#undef MPX__DECODER64
#undef MPX__ENCODER64
