/*==========================================================================*
 * MARK: codec - what the codes of each dtype mean, written once             *
 *   Decode: the code of each lane to f32 bits, exact. Encode: f32 bits to   *
 *   the code, rounded to nearest even. Integer lanes only: no rounding      *
 *   mode, flush-to-zero or -ffast-math can change a result.                 *
 *   Dtypes below a byte stand here one per byte; pack.h packs them.         *
 *==========================================================================*/

MPX_API const char *mpx_isa(void) { return MPX__ISA_NAME; }

/* The fields of a float of exp_bits and man_bits in the low bits of a lane, beside those of f32:

     code                         s eeee mmm        bias
     f32    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      127

   Same order, so a magnitude (code without sign) is moved by shifting it left by 23 - man_bits and
   adding the difference of the biases to the exponent field. What this does not cover: subnormal
   codes, and the topmost codes. */

/* A subnormal code is an integer times 2^(1 - bias - man_bits): convert, then lower the
   exponent. */
MPX__FORCE_INLINE mpx__vu mpx__decode_subnormal(mpx__vu a, int man_bits, int bias) {
    mpx__vu u = mpx__sub(mpx__f32_of_u24(a), mpx__set((uint32_t)(bias - 1 + man_bits) << 23));
    return mpx__and(u, mpx__gt(a, mpx__set(0)));
}

MPX__FORCE_INLINE mpx__vu mpx__decode(mpx__vu code, int exp_bits, int man_bits, int bias,
                                      int family) {
    const uint32_t all_ones = (1u << (exp_bits + man_bits)) - 1u,
                   inf = all_ones & ~((1u << man_bits) - 1u);
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(code, mpx__set(all_ones)),
            sign = mpx__shl(mpx__shr(code, exp_bits + man_bits), 31);
    mpx__vu u = mpx__add(mpx__shl(a, drop), mpx__set((uint32_t)(127 - bias) << 23));
    if (bias < 127) /* else subnormal codes are subnormal floats: bf16 */
        u = mpx__select(mpx__gt(mpx__set(1u << man_bits), a),
                        mpx__decode_subnormal(a, man_bits, bias), u);
    if (family == MPX__IEEE) {
        mpx__vu top = mpx__or(mpx__set(0x7f800000u), mpx__shl(a, drop));
        mpx__vu quiet = mpx__and(mpx__gt(a, mpx__set(inf)), mpx__set(0x400000u));
        u = mpx__select(mpx__gt(mpx__set(inf), a), u, bias < 127 ? mpx__or(top, quiet) : u);
        if (bias == 127) u = mpx__or(u, quiet);
    }
    if (family == MPX__FN)
        u = mpx__select(mpx__eq(a, mpx__set(all_ones)), mpx__set(0x7fc00000u), u);
    u = mpx__or(u, sign);
    if (family == MPX__FNUZ)
        u = mpx__select(mpx__eq(code, mpx__set(all_ones + 1u)), mpx__set(0xffc00000u), u);
    return u;
}

/* Round m to nearest even while dropping n bits (1 to 25, per lane): add half an ulp, less one
   unless the lowest kept bit is odd, and cut. */
MPX__SHARED_INLINE mpx__vu mpx__round_shift(mpx__vu m, mpx__vu n) {
    mpx__vu odd = mpx__and(mpx__shrv(m, n), mpx__set(1));
    mpx__vu half_less_one = mpx__sub(mpx__shlv(mpx__set(1), mpx__sub(n, mpx__set(1))), mpx__set(1));
    return mpx__shrv(mpx__add(m, mpx__add(half_less_one, odd)), n);
}

/* The magnitude a (f32 bits without sign, below Inf) rounded to a code, however large it gets.
   Normal:     bias moved, then rounded; a carry out of the mantissa raises the exponent, as it
               should.
   Subnormal:  the mantissa with its hidden bit loses one more bit per exponent below the smallest
               normal; from 25 on all of it lies below half an ulp. An f32 subnormal has no hidden
               bit, but is zero in every format but bf16. An ISA may have its own. */
#if MPX__COMPACT
MPX__SHARED_INLINE mpx__vu mpx__round_magnitude(mpx__vu a, int man_bits, int bias) {
    const uint32_t drop = (uint32_t)(23 - man_bits), rebias = (uint32_t)(127 - bias) << 23;
    uint32_t m = a - rebias, n = drop;
    if (bias < 127 && a < rebias + 0x800000u) {
        m = (a & 0x7fffffu) | 0x800000u;
        n = mpx__min(drop + 1u + (rebias >> 23) - (a >> 23), 25);
    }
    return mpx__round_shift(m, n);
}
#elif !defined(MPX__HAS_ROUND_MAGNITUDE)
MPX__SHARED_INLINE mpx__vu mpx__round_magnitude(mpx__vu a, int man_bits, int bias) {
    const uint32_t drop = (uint32_t)(23 - man_bits), rebias = (uint32_t)(127 - bias) << 23;
    mpx__vu normal = mpx__round_shift(mpx__sub(a, mpx__set(rebias)), mpx__set(drop));
    if (bias < 127) {
        mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
        mpx__vu n = mpx__sub(mpx__set(drop + 1u + (rebias >> 23)), mpx__shr(a, 23));
        mpx__vu subnormal = mpx__round_shift(m, mpx__max(mpx__min(n, mpx__set(25)), mpx__set(1)));
        return mpx__select(mpx__gt(mpx__set(rebias + 0x800000u), a), subnormal, normal);
    }
    return normal;
}
#endif

MPX__FORCE_INLINE mpx__vu mpx__encode(mpx__vu u, int exp_bits, int man_bits, int bias, int family) {
    const uint32_t all_ones = (1u << (exp_bits + man_bits)) - 1u,
                   inf = all_ones & ~((1u << man_bits) - 1u);
    const uint32_t sign_bit = all_ones + 1u;
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)),
            sign = mpx__shl(mpx__shr(u, 31), exp_bits + man_bits);
    mpx__vu nan = mpx__gt(a, mpx__set(0x7f800000u));
    mpx__vu code = mpx__round_magnitude(a, man_bits, bias);
    if (family == MPX__IEEE) { /* too large: Inf; NaN: quiet, with the leading payload bits */
        mpx__vu payload = mpx__shr(mpx__and(a, mpx__set(0x7fffffu)), 23 - man_bits);
        mpx__vu quiet = mpx__or(payload, mpx__set(inf | 1u << (man_bits - 1)));
        if (bias < 127) code = mpx__min(code, mpx__set(inf)); /* bf16 ends where f32 does */
        return mpx__or(sign, mpx__select(nan, quiet, code));
    }
    if (family == MPX__FN) /* too large, Inf, NaN: all ones */
        return mpx__or(sign, mpx__min(code, mpx__set(all_ones)));
    if (family == MPX__FNUZ) { /* too large, Inf, NaN: the sign bit alone; zero has no sign */
        mpx__vu signed_code = mpx__and(mpx__or(sign, code), mpx__gt(code, mpx__set(0)));
        return mpx__select(mpx__gt(code, mpx__set(all_ones)), mpx__set(sign_bit), signed_code);
    }
    /* finite only: too large, Inf: the largest; NaN: a zero of the other sign, as ml_dtypes */
    return mpx__select(nan, mpx__xor(sign, mpx__set(sign_bit)),
                       mpx__or(sign, mpx__min(code, mpx__set(all_ones))));
}

/* e8m0: a biased exponent. Code 0 is 2^-127, a subnormal float. */
MPX__FORCE_INLINE mpx__vu mpx__decode_e8m0(mpx__vu code) {
    mpx__vu u = mpx__select(mpx__eq(code, mpx__set(0)), mpx__set(0x400000u), mpx__shl(code, 23));
    return mpx__select(mpx__eq(code, mpx__set(255)), mpx__set(0x7fc00000u), u);
}

/* Nearest power of two, ties up: adding half of a binade carries into the exponent. Between 2^-127
   and 2^-126 the binade is that of the subnormal 0x400000, so half of it is 0x200000. Not positive,
   or too large: NaN (255). */
MPX__FORCE_INLINE mpx__vu mpx__encode_e8m0(mpx__vu u) {
    mpx__vu subnormal = mpx__gt(mpx__set(0x800000u), u);
    mpx__vu code =
        mpx__shr(mpx__add(u, mpx__select(subnormal, mpx__set(0x200000u), mpx__set(0x400000u))), 23);
    mpx__vu positive = mpx__gt(mpx__set(0x7f800000u),
                               mpx__sub(u, mpx__set(1))); /* neither zero nor negative nor NaN */
    return mpx__select(positive, mpx__min(code, mpx__set(255)), mpx__set(255));
}

/* Integers of up to 16 bits and bool: exact in f32. Signed ones: bit `bits` - 1 counts negative. */
MPX__FORCE_INLINE mpx__vu mpx__decode_uint(mpx__vu x) { return mpx__f32_of_u24(x); }
MPX__SHARED_INLINE mpx__vu mpx__decode_int(mpx__vu x, int bits) {
    mpx__vu sign_bit = mpx__set(1u << (bits - 1));
    return mpx__f32_of_i24(mpx__sub(mpx__xor(x, sign_bit), sign_bit));
}

/* |x| truncated to an integer, at most limit (below 2^23); NaN gives 0. The mantissa with its
   hidden bit, shifted right by 150 - exponent; below 1 that is at least 24, and all is gone. */
MPX__SHARED_INLINE mpx__vu mpx__truncate(mpx__vu a, uint32_t limit) {
    mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
    mpx__vu n = mpx__min(mpx__sub(mpx__set(150), mpx__shr(a, 23)), mpx__set(31));
    mpx__vu whole = mpx__shrv(m, n), large = mpx__gt(a, mpx__set(0x4affffffu)); /* 2^23 and up */
    mpx__vu x = mpx__min(mpx__select(large, mpx__set(limit), whole), mpx__set(limit));
    return mpx__and(x, mpx__gt(mpx__set(0x7f800001u), a));
}

MPX__SHARED_INLINE mpx__vu mpx__encode_uint(mpx__vu u, int bits) {
    mpx__vu x = mpx__truncate(mpx__and(u, mpx__set(0x7fffffffu)), (1u << bits) - 1u);
    return mpx__and(x, mpx__gt(mpx__set(0x80000000u), u));
}
MPX__SHARED_INLINE mpx__vu mpx__encode_int(mpx__vu u, int bits) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), negative = mpx__gt(u, mpx__set(0x7fffffffu));
    mpx__vu x = mpx__truncate(a, 1u << (bits - 1));
    mpx__vu up = mpx__min(x, mpx__set((1u << (bits - 1)) - 1u)), down = mpx__sub(mpx__set(0), x);
    return mpx__and(mpx__select(negative, down, up), mpx__set((1u << bits) - 1u));
}

/* ---- one decoder and one encoder per dtype --------------------------------------------------- */

/* MPX__NATIVE_F16: the ISA's room has them, by its conversion instructions. */

MPX__DECODER(mpx__dec_f32) { return mpx__load32(p); }
MPX__ENCODER(mpx__enc_f32) { mpx__store32(p, u); }
#if !MPX__NATIVE_F16
MPX__DECODER(mpx__dec_f16) { return mpx__decode(mpx__load16(p), MPX__FORMAT_F16); }
MPX__ENCODER(mpx__enc_f16) { mpx__store16(p, mpx__encode(u, MPX__FORMAT_F16)); }
#endif
#if MPX__COMPACT
MPX__DECODER(mpx__dec_bf16) { return mpx__decode(mpx__load16(p), MPX__FORMAT_BF16); }
MPX__ENCODER(mpx__enc_bf16) { mpx__store16(p, mpx__encode(u, MPX__FORMAT_BF16)); }
#else /* the upper half of f32 needs less than other formats */
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan(mpx__vu u, mpx__vu otherwise) {
    mpx__vu nan = mpx__gt(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    return mpx__select(nan, mpx__or(u, mpx__set(0x400000u)), otherwise);
}
MPX__DECODER(mpx__dec_bf16) {
    mpx__vu u = mpx__shl(mpx__load16(p), 16);
    return mpx__quiet_nan(u, u);
}
MPX__ENCODER(mpx__enc_bf16) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    mpx__vu rounded = mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
    mpx__store16(p, mpx__shr(mpx__quiet_nan(u, rounded), 16));
}
#endif
MPX__DECODER(mpx__dec_f8e4m3fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3FN); }
MPX__ENCODER(mpx__enc_f8e4m3fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3FN)); }
MPX__DECODER(mpx__dec_f8e5m2) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E5M2); }
MPX__ENCODER(mpx__enc_f8e5m2) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E5M2)); }
MPX__DECODER(mpx__dec_f8e4m3fnuz) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3FNUZ); }
MPX__ENCODER(mpx__enc_f8e4m3fnuz) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3FNUZ)); }
MPX__DECODER(mpx__dec_f8e5m2fnuz) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E5M2FNUZ); }
MPX__ENCODER(mpx__enc_f8e5m2fnuz) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E5M2FNUZ)); }
MPX__DECODER(mpx__dec_f8e4m3b11fnuz) {
    return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3B11FNUZ);
}
MPX__ENCODER(mpx__enc_f8e4m3b11fnuz) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3B11FNUZ)); }
MPX__DECODER(mpx__dec_f8e4m3) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3); }
MPX__ENCODER(mpx__enc_f8e4m3) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3)); }
MPX__DECODER(mpx__dec_f8e3m4) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E3M4); }
MPX__ENCODER(mpx__enc_f8e3m4) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E3M4)); }
MPX__DECODER(mpx__dec_f8e8m0fnu) { return mpx__decode_e8m0(mpx__load8(p)); }
MPX__ENCODER(mpx__enc_f8e8m0fnu) { mpx__store8(p, mpx__encode_e8m0(u)); }
MPX__DECODER(mpx__dec_f6e2m3fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F6E2M3FN); }
MPX__ENCODER(mpx__enc_f6e2m3fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F6E2M3FN)); }
MPX__DECODER(mpx__dec_f6e3m2fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F6E3M2FN); }
MPX__ENCODER(mpx__enc_f6e3m2fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F6E3M2FN)); }
MPX__DECODER(mpx__dec_f4e2m1fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F4E2M1FN); }
MPX__ENCODER(mpx__enc_f4e2m1fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F4E2M1FN)); }

MPX__DECODER(mpx__dec_bool) {
    return mpx__and(mpx__gt(mpx__load8(p), mpx__set(0)), mpx__set(0x3f800000u));
}
MPX__ENCODER(mpx__enc_bool) {
    mpx__store8(p, mpx__and(mpx__gt(mpx__shl(u, 1), mpx__set(0)), mpx__set(1)));
}
MPX__DECODER(mpx__dec_i2) { return mpx__decode_int(mpx__load8(p), 2); }
MPX__ENCODER(mpx__enc_i2) { mpx__store8(p, mpx__encode_int(u, 2)); }
MPX__DECODER(mpx__dec_i4) { return mpx__decode_int(mpx__load8(p), 4); }
MPX__ENCODER(mpx__enc_i4) { mpx__store8(p, mpx__encode_int(u, 4)); }
MPX__DECODER(mpx__dec_i8) { return mpx__decode_int(mpx__load8(p), 8); }
MPX__ENCODER(mpx__enc_i8) { mpx__store8(p, mpx__encode_int(u, 8)); }
MPX__DECODER(mpx__dec_i16) { return mpx__decode_int(mpx__load16(p), 16); }
MPX__ENCODER(mpx__enc_i16) { mpx__store16(p, mpx__encode_int(u, 16)); }
MPX__DECODER(mpx__dec_u8) { return mpx__decode_uint(mpx__load8(p)); } /* also u2 and u4 */
MPX__ENCODER(mpx__enc_u2) { mpx__store8(p, mpx__encode_uint(u, 2)); }
MPX__ENCODER(mpx__enc_u4) { mpx__store8(p, mpx__encode_uint(u, 4)); }
MPX__ENCODER(mpx__enc_u8) { mpx__store8(p, mpx__encode_uint(u, 8)); }
MPX__DECODER(mpx__dec_u16) { return mpx__decode_uint(mpx__load16(p)); }
MPX__ENCODER(mpx__enc_u16) { mpx__store16(p, mpx__encode_uint(u, 16)); }
