/*==========================================================================*
 * MARK: integers - from integers and f64 to integers, and to f64            *
 *   As the hub of cast.h, with integers of 32 bits in the tile: signed      *
 *   ones, or unsigned where only these hold what source and target have in  *
 *   common. They saturate, and all targets then have the number itself or   *
 *   their own limit. Two dtypes of 64 bits meet directly. For size: wide.h  *
 *   and f32 serve all this too, in five to fifty times the time.            *
 *==========================================================================*/
/* f64 and the integers of 32 bits, without a tile. */
MPX__PRIVATE void mpx__f64_to_i32(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 4, src, 8, n, mpx__dec_i32_of_f64, mpx__enc_f32);
}
MPX__PRIVATE void mpx__f64_to_u32(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 4, src, 8, n, mpx__dec_u32_of_f64, mpx__enc_f32);
}
MPX__PRIVATE void mpx__i32_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 8, src, 4, n, mpx__dec_f32, mpx__enc_f64_of_i32);
}
MPX__PRIVATE void mpx__u32_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 8, src, 4, n, mpx__dec_f32, mpx__enc_f64_of_u32);
}

#if !MPX__COMPACT

/* ---- to integers of 32 bits, in two's complement --------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__sign_extended(mpx__vu x, int bits) {
    mpx__vu sign_bit = mpx__set(1u << (bits - 1));
    return mpx__sub(mpx__xor(x, sign_bit), sign_bit);
}
/* The limit on the side of a 64-bit integer's sign, where its high half is not all sign. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64(mpx__vu low, mpx__vu high) {
    mpx__vu limit = mpx__sub(mpx__set(0x7fffffffu), mpx__sign_mask(high));
    return mpx__select(mpx__eq(high, mpx__sign_mask(low)), low, limit);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64(mpx__vu low, mpx__vu high) {
    return mpx__or(low, mpx__gt(high, mpx__set(0)));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64(mpx__vu low, mpx__vu high) {
    return mpx__signed_u32(mpx__u32_of_u64(low, high), high);
}

#define MPX__DECODER64(name, decode) \
    MPX__DECODER(name) { \
        mpx__vu low, high; \
        mpx__load64(p, &low, &high); \
        return decode; \
    }
MPX__DECODER(mpx__int_of_bool) {
    return mpx__and(mpx__gt(mpx__load8(p), mpx__set(0)), mpx__set(1));
}
MPX__DECODER(mpx__int_of_i2) { return mpx__sign_extended(mpx__load8(p), 2); }
MPX__DECODER(mpx__int_of_i4) { return mpx__sign_extended(mpx__load8(p), 4); }
MPX__DECODER(mpx__int_of_i8) { return mpx__sign_extended(mpx__load8(p), 8); }
MPX__DECODER(mpx__int_of_i16) { return mpx__sign_extended(mpx__load16(p), 16); }
MPX__DECODER(mpx__int_of_u8) { return mpx__load8(p); } /* also u2 and u4 */
MPX__DECODER(mpx__int_of_u16) { return mpx__load16(p); }
MPX__DECODER(mpx__int_of_u32) { return mpx__min(mpx__load32(p), mpx__set(0x7fffffffu)); }
MPX__DECODER64(mpx__int_of_i64, mpx__i32_of_i64(low, high))
MPX__DECODER64(mpx__int_of_u64, mpx__min(mpx__u32_of_u64(low, high), mpx__set(0x7fffffffu)))
MPX__DECODER64(mpx__uint_of_i64, mpx__u32_of_i64(low, high))
MPX__DECODER64(mpx__uint_of_u64, mpx__u32_of_u64(low, high))
#undef MPX__DECODER64

/* ---- from them ------------------------------------------------------------------------------- */

/* Between two limits, by their order as unsigned numbers with bit 31 turned. What that turns is not
   stored. */
MPX__FORCE_INLINE mpx__vu mpx__between(mpx__vu x, uint32_t low, uint32_t high) {
    const uint32_t turn = 0x80000000u;
    x = mpx__xor(x, mpx__set(turn));
    return mpx__min(mpx__max(x, mpx__set(low ^ turn)), mpx__set(high ^ turn));
}
MPX__FORCE_INLINE mpx__vu mpx__code_of_int(mpx__vu x, int bits) {
    const uint32_t half = 1u << (bits - 1);
    return mpx__and(mpx__between(x, 0u - half, half - 1u), mpx__set(2u * half - 1u));
}
MPX__FORCE_INLINE mpx__vu mpx__code_of_uint(mpx__vu x, int bits) {
    return mpx__and(mpx__between(x, 0, (1u << bits) - 1u), mpx__set((1u << bits) - 1u));
}

MPX__ENCODER(mpx__int_to_bool) {
    mpx__store8(p, mpx__and(mpx__gt(u, mpx__set(0)), mpx__set(1)));
}
MPX__ENCODER(mpx__int_to_i2) { mpx__store8(p, mpx__code_of_int(u, 2)); }
MPX__ENCODER(mpx__int_to_u2) { mpx__store8(p, mpx__code_of_uint(u, 2)); }
MPX__ENCODER(mpx__int_to_i4) { mpx__store8(p, mpx__code_of_int(u, 4)); }
MPX__ENCODER(mpx__int_to_u4) { mpx__store8(p, mpx__code_of_uint(u, 4)); }
MPX__ENCODER(mpx__int_to_i8) { mpx__store8(p, mpx__code_of_int(u, 8)); }
MPX__ENCODER(mpx__int_to_u8) { mpx__store8(p, mpx__code_of_uint(u, 8)); }
MPX__ENCODER(mpx__int_to_i16) { mpx__store16(p, mpx__code_of_int(u, 16)); }
MPX__ENCODER(mpx__int_to_u16) { mpx__store16(p, mpx__code_of_uint(u, 16)); }
MPX__ENCODER(mpx__int_to_u32) { mpx__store32(p, mpx__signed_u32(u, u)); }
MPX__ENCODER(mpx__int_to_i64) { mpx__store64(p, u, mpx__sign_mask(u)); }
MPX__ENCODER(mpx__int_to_u64) { mpx__store64(p, mpx__signed_u32(u, u), mpx__set(0)); }
MPX__ENCODER(mpx__uint_to_64) { mpx__store64(p, u, mpx__set(0)); }

#define MPX__TO_LANES(name, size, dec) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, 4, src, size, n, dec, mpx__enc_f32); \
    }
#define MPX__FROM_LANES(name, size, enc) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, size, src, 4, n, mpx__dec_f32, enc); \
    }
MPX__TO_LANES(mpx__bool_to_ints, 1, mpx__int_of_bool)
MPX__TO_LANES(mpx__i2_to_ints, 1, mpx__int_of_i2)
MPX__TO_LANES(mpx__i4_to_ints, 1, mpx__int_of_i4)
MPX__TO_LANES(mpx__i8_to_ints, 1, mpx__int_of_i8)
MPX__TO_LANES(mpx__u8_to_ints, 1, mpx__int_of_u8)
MPX__TO_LANES(mpx__i16_to_ints, 2, mpx__int_of_i16)
MPX__TO_LANES(mpx__u16_to_ints, 2, mpx__int_of_u16)
MPX__TO_LANES(mpx__u32_to_ints, 4, mpx__int_of_u32)
MPX__TO_LANES(mpx__i64_to_ints, 8, mpx__int_of_i64)
MPX__TO_LANES(mpx__u64_to_ints, 8, mpx__int_of_u64)
MPX__TO_LANES(mpx__i64_to_uints, 8, mpx__uint_of_i64)
MPX__TO_LANES(mpx__u64_to_uints, 8, mpx__uint_of_u64)
MPX__FROM_LANES(mpx__bool_from_ints, 1, mpx__int_to_bool)
MPX__FROM_LANES(mpx__i2_from_ints, 1, mpx__int_to_i2)
MPX__FROM_LANES(mpx__u2_from_ints, 1, mpx__int_to_u2)
MPX__FROM_LANES(mpx__i4_from_ints, 1, mpx__int_to_i4)
MPX__FROM_LANES(mpx__u4_from_ints, 1, mpx__int_to_u4)
MPX__FROM_LANES(mpx__i8_from_ints, 1, mpx__int_to_i8)
MPX__FROM_LANES(mpx__u8_from_ints, 1, mpx__int_to_u8)
MPX__FROM_LANES(mpx__i16_from_ints, 2, mpx__int_to_i16)
MPX__FROM_LANES(mpx__u16_from_ints, 2, mpx__int_to_u16)
MPX__FROM_LANES(mpx__u32_from_ints, 4, mpx__int_to_u32)
MPX__FROM_LANES(mpx__i64_from_ints, 8, mpx__int_to_i64)
MPX__FROM_LANES(mpx__u64_from_ints, 8, mpx__int_to_u64)
MPX__FROM_LANES(mpx__64_from_uints, 8, mpx__uint_to_64)
#undef MPX__TO_LANES
#undef MPX__FROM_LANES

/* Codes, one per byte where they are smaller. */
MPX__PRIVATE void mpx__kernel_to_ints(mpx_dtype type, void *tile, const void *src, size_t n) {
    switch (type) {
        MPX__IF_BOOL(case MPX_BOOL: mpx__bool_to_ints(tile, src, n); break;)
        MPX__IF_I2(case MPX_I2: mpx__i2_to_ints(tile, src, n); break;)
        MPX__IF_I4(case MPX_I4: mpx__i4_to_ints(tile, src, n); break;)
        MPX__IF_I8(case MPX_I8: mpx__i8_to_ints(tile, src, n); break;)
        MPX__IF_I16(case MPX_I16: mpx__i16_to_ints(tile, src, n); break;)
        MPX__IF_U16(case MPX_U16: mpx__u16_to_ints(tile, src, n); break;)
        MPX__IF_U32(case MPX_U32: mpx__u32_to_ints(tile, src, n); break;)
        MPX__IF_I64(case MPX_I64: mpx__i64_to_ints(tile, src, n); break;)
        MPX__IF_U64(case MPX_U64: mpx__u64_to_ints(tile, src, n); break;)
        MPX__IF_F64(case MPX_F64: mpx__f64_to_i32(tile, src, n); break;)
    default: mpx__u8_to_ints(tile, src, n); break; /* and u2, u4 */
    }
}
MPX__PRIVATE void mpx__kernel_from_ints(mpx_dtype type, void *dst, const void *tile, size_t n) {
    switch (type) {
        MPX__IF_BOOL(case MPX_BOOL: mpx__bool_from_ints(dst, tile, n); break;)
        MPX__IF_I2(case MPX_I2: mpx__i2_from_ints(dst, tile, n); break;)
        MPX__IF_U2(case MPX_U2: mpx__u2_from_ints(dst, tile, n); break;)
        MPX__IF_I4(case MPX_I4: mpx__i4_from_ints(dst, tile, n); break;)
        MPX__IF_U4(case MPX_U4: mpx__u4_from_ints(dst, tile, n); break;)
        MPX__IF_I8(case MPX_I8: mpx__i8_from_ints(dst, tile, n); break;)
        MPX__IF_I16(case MPX_I16: mpx__i16_from_ints(dst, tile, n); break;)
        MPX__IF_U16(case MPX_U16: mpx__u16_from_ints(dst, tile, n); break;)
        MPX__IF_U32(case MPX_U32: mpx__u32_from_ints(dst, tile, n); break;)
        MPX__IF_I64(case MPX_I64: mpx__i64_from_ints(dst, tile, n); break;)
        MPX__IF_U64(case MPX_U64: mpx__u64_from_ints(dst, tile, n); break;)
        MPX__IF_F64(case MPX_F64: mpx__i32_to_f64(dst, tile, n); break;)
    default: mpx__u8_from_ints(dst, tile, n); break; /* there are no others */
    }
}
/* The same by the rows of their own that f64 and integers may have, which for a few elements would
   take longer. */
MPX__PRIVATE void mpx__to_ints(const mpx__row *from, void *tile, const void *src, size_t n) {
    mpx__span span;
    (void)mpx__span_set(&span, tile, mpx__row_of(MPX_I32), src, from, n, 0, 0);
    if (n >= 4 * MPX__LANES) mpx__span_advance(&span, mpx__number_row(&span));
    if (span.n != 0) mpx__kernel_to_ints(mpx__type_of(from), span.d, span.s, span.n);
}
MPX__PRIVATE void mpx__from_ints(const mpx__row *to, void *dst, const void *tile, size_t n) {
    mpx__span span;
    (void)mpx__span_set(&span, dst, to, tile, mpx__row_of(MPX_I32), n, 0, 0);
    if (n >= 4 * MPX__LANES) mpx__span_advance(&span, mpx__number_row(&span));
    if (span.n != 0) mpx__kernel_from_ints(mpx__type_of(to), span.d, span.s, span.n);
}
/* The same of the unsigned ones: i64, u64 and f64 alone need them, and u32 to these. */
MPX__PRIVATE void mpx__to_uints(mpx_dtype type, void *tile, const void *src, size_t n) {
    switch (type) {
        MPX__IF_I64(case MPX_I64: mpx__i64_to_uints(tile, src, n); break;)
        MPX__IF_F64(case MPX_F64: mpx__f64_to_u32(tile, src, n); break;)
    default: mpx__u64_to_uints(tile, src, n); break;
    }
}
MPX__PRIVATE void mpx__from_uints(mpx_dtype type, void *dst, const void *tile, size_t n) {
    if (mpx__is_f64(type))
        mpx__u32_to_f64(dst, tile, n);
    else
        mpx__64_from_uints(dst, tile, n);
}

/* ---- 64 bits to 64 bits ---------------------------------------------------------------------- */

/* Both halves, in place. */
typedef void (*mpx__fn64)(mpx__vu *low, mpx__vu *high);

MPX__FORCE_INLINE void mpx__u64_of_i64(mpx__vu *low, mpx__vu *high) {
    mpx__signed_u64(low, high, mpx__sign_mask(*high));
}
MPX__FORCE_INLINE void mpx__i64_of_u64(mpx__vu *low, mpx__vu *high) {
    *low = mpx__or(*low, mpx__sign_mask(*high));
    *high = mpx__min(*high, mpx__set(0x7fffffffu));
}

/* 53 of the leading 64 bits are kept:

     z     1 mmmmmmmmmmmmmmmmmmmm | mmmmmmmmmmm     rest     mmmmmmmmmmmmmmmmmmmmm | yyyyyyyyyyy
             20 to high           | 11 to low                21 to low             | rounded off

   to nearest even. A carry out of all of them raises the exponent. */
MPX__FORCE_INLINE void mpx__f64_of_u64(mpx__vu *low, mpx__vu *high) {
    mpx__vu any = mpx__or(*low, *high), z, rest;
    mpx__vu exponent = mpx__leading_bits_u64(*low, *high, &z, &rest);
    mpx__vu odd = mpx__and(mpx__shr(rest, 11), mpx__set(1));
    mpx__vu sum = mpx__add(rest, mpx__add(mpx__set(0x3ffu), odd)), carry = mpx__gt(rest, sum);
    mpx__vu top = mpx__shl(mpx__add(exponent, mpx__set(1023 - 127)), 20);
    z = mpx__sub(mpx__and(z, mpx__set(0x7fffffffu)), carry);
    *low = mpx__or(mpx__shl(z, 21), mpx__shr(sum, 11));
    *high = mpx__and(mpx__add(top, mpx__shr(z, 11)), mpx__gt(any, mpx__set(0)));
}
MPX__FORCE_INLINE void mpx__f64_of_i64(mpx__vu *low, mpx__vu *high) {
    mpx__vu u = *high, mask = mpx__sign_mask(u);
    *high = mpx__negate_high(*low, u, mask);
    *low = mpx__negate_low(*low, mask);
    mpx__f64_of_u64(low, high);
    *high = mpx__with_sign_of(*high, u);
}

/* A magnitude truncated, all ones from 2^64 on; NaN gives 0. Its significand, the leading one at
   bit 63, moves to the right by n: by n % 32, and by one half or not. Below 1, n is 64 and more;
   from 2^64 on it is negative. */
MPX__FORCE_INLINE void mpx__truncate_f64_to_64(mpx__vu *low, mpx__vu *high) {
    mpx__vu h = mpx__and(*high, mpx__set(0x7fffffffu));
    mpx__vu z = mpx__significand_f64(*low, h), rest = mpx__shl(*low, 11);
    mpx__vu n = mpx__sub(mpx__set(1023 + 63), mpx__shr(h, 20)), by = mpx__and(n, mpx__set(31));
    mpx__vu x = mpx__shrv(z, by), from_z = mpx__shlv(mpx__shl(z, 1), mpx__sub(mpx__set(31), by));
    mpx__vu tall = mpx__gt(mpx__set(32), n), full = mpx__sign_mask(n);
    mpx__vu y = mpx__select(tall, mpx__or(mpx__shrv(rest, by), from_z), x);
    mpx__vu valid = mpx__and(mpx__or(full, mpx__gt(mpx__set(64), n)),
                             mpx__gt(mpx__set(0x7ff00001u), mpx__or(h, mpx__nonzero(*low))));
    *low = mpx__and(mpx__or(y, full), valid);
    *high = mpx__and(mpx__or(mpx__and(tall, x), full), valid);
}
MPX__FORCE_INLINE void mpx__u64_of_f64(mpx__vu *low, mpx__vu *high) {
    mpx__vu mask = mpx__sign_mask(*high);
    mpx__truncate_f64_to_64(low, high);
    mpx__signed_u64(low, high, mask);
}
MPX__FORCE_INLINE void mpx__i64_of_f64(mpx__vu *low, mpx__vu *high) {
    mpx__vu mask = mpx__sign_mask(*high);
    mpx__truncate_f64_to_64(low, high);
    mpx__signed_i64(low, high, mask);
}

MPX__FORCE_INLINE void mpx__step64(unsigned char *d, const unsigned char *s, mpx__fn64 fn) {
    mpx__vu low, high;
    mpx__load64(s, &low, &high);
    fn(&low, &high);
    mpx__store64(d, low, high);
}
MPX__FORCE_INLINE void mpx__loop64(void *dst, const void *src, size_t n, mpx__fn64 fn) {
    unsigned char *d = (unsigned char *)dst, rest[MPX__LANES * 8];
    const unsigned char *s = (const unsigned char *)src;
    for (; n >= MPX__LANES; n -= MPX__LANES, d += MPX__LANES * 8, s += MPX__LANES * 8)
        mpx__step64(d, s, fn);
    if (MPX__LANES > 1 && n != 0) {
        mpx__stage(rest, s, n * 8);
        mpx__step64(rest, rest, fn);
        mpx__unstage(d, rest, n * 8, MPX__LANES * 8);
    }
}
MPX__PRIVATE void mpx__i64_to_u64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__u64_of_i64);
}
MPX__PRIVATE void mpx__u64_to_i64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__i64_of_u64);
}
MPX__PRIVATE void mpx__i64_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__f64_of_i64);
}
MPX__PRIVATE void mpx__u64_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__f64_of_u64);
}
MPX__PRIVATE void mpx__f64_to_i64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__i64_of_f64);
}
MPX__PRIVATE void mpx__f64_to_u64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__u64_of_f64);
}
MPX__PRIVATE void mpx__cast_64(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n) {
    if (mpx__is_f64(from))
        (to == MPX_I64 ? mpx__f64_to_i64 : mpx__f64_to_u64)(dst, src, n);
    else if (mpx__is_f64(to))
        (from == MPX_I64 ? mpx__i64_to_f64 : mpx__u64_to_f64)(dst, src, n);
    else
        (from == MPX_I64 ? mpx__i64_to_u64 : mpx__u64_to_i64)(dst, src, n);
}

/* ---- the cast -------------------------------------------------------------------------------- */

MPX__INLINE int mpx__is_f64_or_integer(const mpx__row *row) {
    return row->kind != MPX_KIND_FLOAT || row->bits == 64;
}
/* Two different dtypes of those. f64 to bool is not a question of its integer part. */
MPX__INLINE int mpx__meet_in_integers(const mpx__row *to, const mpx__row *from) {
    return mpx__is_f64_or_integer(to) && mpx__is_f64_or_integer(from) &&
           !(to->kind == MPX_KIND_BOOL && from->kind == MPX_KIND_FLOAT);
}
/* What has more bits than an i32 does, on both sides. */
MPX__INLINE int mpx__meet_unsigned(const mpx__row *to, const mpx__row *from) {
    return (to->type == MPX_U32 || to->bits == 64) && (from->type == MPX_U32 || from->bits == 64);
}

/* Codes, or what a tile holds itself. */
MPX__PRIVATE void mpx__step_to_ints(void *ints, const void *src, const mpx__row *from, size_t n,
                                    int is_unsigned) {
    if (is_unsigned)
        mpx__to_uints(mpx__type_of(from), ints, src, n);
    else
        mpx__to_ints(from, ints, src, n);
}
MPX__PRIVATE void mpx__step_from_ints(void *dst, const mpx__row *to, const void *ints, size_t n,
                                      int is_unsigned) {
    if (is_unsigned)
        mpx__from_uints(mpx__type_of(to), dst, ints, n);
    else
        mpx__from_ints(to, dst, ints, n);
}
/* At most MPX_TILE elements. */
MPX__PRIVATE void mpx__integer_tile(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n, int is_unsigned) {
    unsigned char codes[MPX_TILE];
    uint32_t tile[MPX_TILE];
    const void *ints = tile;
    if (from->bits < 8) {
        mpx__unpack(codes, src, from->bits, n);
        mpx__step_to_ints(tile, codes, from, n, is_unsigned);
    } else if (from->type == MPX_I32) {
        ints = src;
    } else {
        mpx__step_to_ints(tile, src, from, n, is_unsigned);
    }
    if (to->bits < 8) {
        mpx__step_from_ints(codes, to, ints, n, is_unsigned);
        mpx__pack(dst, codes, to->bits, n);
    } else if (to->type == MPX_I32) {
        mpx__copy(dst, ints, n * 4);
    } else {
        mpx__step_from_ints(dst, to, ints, n, is_unsigned);
    }
}

/* Returns whether it has been cast. What is in the tile on one side needs none. */
MPX__LONG_WAY int mpx__integer_cast(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n) {
    const int is_unsigned = mpx__meet_unsigned(to, from);
    const mpx_dtype lanes = is_unsigned ? MPX_U32 : MPX_I32;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const size_t dst_step = (size_t)MPX_TILE / 8 * to->bits,
                 src_step = (size_t)MPX_TILE / 8 * from->bits;
    if (!mpx__meet_in_integers(to, from)) return 0;
    if (n == 0) return 1; /* NULL has no sum */
    if (to->bits == 64 && from->bits == 64) {
        mpx__cast_64(dst, mpx__type_of(to), src, mpx__type_of(from), n);
    } else if (from->type == lanes && to->bits >= 8) {
        mpx__step_from_ints(dst, to, src, n, is_unsigned);
    } else if (to->type == lanes && from->bits >= 8) {
        mpx__step_to_ints(dst, src, from, n, is_unsigned);
    } else {
        for (; n > MPX_TILE; n -= MPX_TILE, d += dst_step, s += src_step)
            mpx__integer_tile(d, to, s, from, MPX_TILE, is_unsigned);
        mpx__integer_tile(d, to, s, from, n, is_unsigned);
    }
    return 1;
}
#endif
