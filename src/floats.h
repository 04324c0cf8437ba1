/*==================================================================*
 * MARK: floats - blocks of f32, f64, f16 and bf16, by float arithmetic
 *   Blocks for which float instructions would give other bits are left to the exact codec.
 *==================================================================*/
#if !MPX__COMPACT && MPX__HAS_FLOAT

/* ---- what a block holds ---------------------------------------- */

/* The same as mpx__load_upper, of two vectors in one. */
MPX__FORCE_INLINE void mpx__upper_two(mpx__vu v[2], mpx__vu words) {
    mpx__pair16(mpx__set(0), mpx__to_pair_once(words), &v[0], &v[1]);
}
/* The larger magnitudes of two vectors of 16-bit floats; whether one is above `limit`. */
MPX__FORCE_INLINE mpx__vu mpx__larger16(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fff7fffu);
    return mpx__max16(mpx__and(a, magnitude), mpx__and(b, magnitude));
}
MPX__FORCE_INLINE int mpx__is_above16(mpx__vu magnitudes, uint32_t limit) {
    return mpx__any_gt16s(magnitudes, mpx__set(limit * 0x10001u));
}
/* Whether one of the magnitudes in a block has an upper half above `limit`. */
#ifdef MPX__OWN_UPPER_WORDS
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    return mpx__is_above16(mpx__larger16(mpx__upper_words(v[0], v[1]),
                                         mpx__upper_words(v[2], v[3])), limit);
}
#else
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max_upper(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max_upper(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any_gt_signed(mpx__max_upper(a, b), mpx__set(limit << 16 | 0xffffu));
}
#endif
/* Whether a block may have a NaN; Inf counts too. By integers: float comparisons raise flags. */
#ifndef MPX__OWN_NAN_IN_BLOCK
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) { return mpx__above_block(v, 0x7f7f); }
#endif

/* ---- f64 ------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vd mpx__load_vd(const unsigned char *s) {
    return mpx__vd_of_bits(mpx__load32(s));
}
/* f64 to f32, rounded to nearest by the instruction. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(const unsigned char *s) {
    return mpx__bits_of_vf(mpx__vf_of_vd(mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR)));
}
MPX__FORCE_INLINE void mpx__f64_to_f32_in_halves(unsigned char *d, const unsigned char *s) {
    mpx__store_vf_of_vd(d, mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR));
}
MPX__STORER(mpx__store4_f32_of_f64) {
    mpx__vu w[4];
    if (!stream) {
        mpx__f64_to_f32_in_halves(d, s);
        mpx__f64_to_f32_in_halves(d + MPX__VECTOR, s + 2 * MPX__VECTOR);
        mpx__f64_to_f32_in_halves(d + 2 * MPX__VECTOR, s + 4 * MPX__VECTOR);
        mpx__f64_to_f32_in_halves(d + 3 * MPX__VECTOR, s + 6 * MPX__VECTOR);
        return 1;
    }
    w[0] = mpx__f32_of_f64(s);
    w[1] = mpx__f32_of_f64(s + 2 * MPX__VECTOR);
    w[2] = mpx__f32_of_f64(s + 4 * MPX__VECTOR);
    w[3] = mpx__f32_of_f64(s + 6 * MPX__VECTOR);
    return mpx__put4(d, w, 1);
}
MPX__KERNEL(mpx__f64_to_f32, 32, mpx__store4_f32_of_f64, 64, mpx__load4_nothing)

/* f32 to f64, exact. If the instruction may change a NaN, blocks with NaN need the exact codec. */
MPX__FORCE_INLINE void mpx__f32_to_f64_at(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vd w[2];
    mpx__load_vd_of_vf(w, s);
    (void)mpx__put2(d, mpx__bits_of_vd(w[0]), mpx__bits_of_vd(w[1]), stream);
}
MPX__STORER(mpx__store4_f64_of_f32) {
    if (MPX__LOSES_NAN && mpx__nan_in_block(v)) return 0;
    mpx__f32_to_f64_at(d, s, stream);
    mpx__f32_to_f64_at(d + 2 * MPX__VECTOR, s + MPX__VECTOR, stream);
    mpx__f32_to_f64_at(d + 4 * MPX__VECTOR, s + 2 * MPX__VECTOR, stream);
    mpx__f32_to_f64_at(d + 6 * MPX__VECTOR, s + 3 * MPX__VECTOR, stream);
    return 1;
}
MPX__KERNEL(mpx__f32_to_f64, 64, mpx__store4_f64_of_f32, 32, mpx__load4_32)

/* f64 to f32 rounded to odd, for storers that round again. 29 bits are cut off. If they are not all
   0, the carry from adding all ones to them sets the lowest bit that is kept. The conversion then
   has nothing to round, except below 2^-126, and it makes Inf of 2^128 and more. */
#ifndef MPX__OWN_ODD
MPX__FORCE_INLINE mpx__vd mpx__to_29_zeros(mpx__vd d) {
    mpx__vu x = mpx__bits_of_vd(d), low = mpx__set64(0x1fffffffu),
            carry = mpx__add(mpx__and(x, low), low);
    return mpx__vd_of_bits(
        mpx__and(mpx__or(x, carry), mpx__set64(~(uint64_t)0x1fffffffu)));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_of_f64(mpx__vd a, mpx__vd b) {
    return mpx__bits_of_vf(mpx__vf_of_vd(mpx__to_29_zeros(a), mpx__to_29_zeros(b)));
}
/* Whether a block of results may have reached these ends of the range: a magnitude below 2^-125 or
   near Inf. Then, whether the block of f64 really leaves the range of f32; zeros are right. */
MPX__FORCE_INLINE int mpx__near_range_end(const mpx__vu v[4]) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), a = mpx__and(v[0], magnitude),
            b = mpx__and(v[1], magnitude), c = mpx__and(v[2], magnitude),
            d = mpx__and(v[3], magnitude);
    mpx__vu least = mpx__min16s(mpx__min16s(a, b), mpx__min16s(c, d));
    return mpx__above_block(v, 0x7f7e) || mpx__any_gt_signed(mpx__set(0x1000000u), least);
}
MPX__NOINLINE int mpx__f64_leaves_f32_range(const unsigned char *s) {
    mpx__vu bad = mpx__set(0), low, high, zero;
    const unsigned char *end = s + 8 * MPX__BLOCK;
    for (; s != end; s += 2 * MPX__VECTOR) {
        mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
        high = mpx__and(high, mpx__set(0x7fffffffu));
        zero = mpx__eq(mpx__or(low, high), mpx__set(0));
        bad = mpx__or(bad, mpx__gt_signed(high, mpx__set(0x47dfffffu)));
        high = mpx__select(zero, mpx__set(0x3ff00000u), high);
        bad = mpx__or(bad, mpx__gt_signed(mpx__set(0x38200000u), high));
    }
    return mpx__any(bad);
}
MPX__FORCE_INLINE int mpx__is_odd_wrong(const mpx__vu v[4], const unsigned char *s) {
    return mpx__near_range_end(v) && mpx__f64_leaves_f32_range(s);
}
#else
MPX__FORCE_INLINE int mpx__is_odd_wrong(const mpx__vu v[4], const unsigned char *s) {
    return (void)v, (void)s, 0;
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__odd_of_f64_at(const unsigned char *s) {
    return mpx__odd_of_f64(mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR));
}
MPX__LOADER_OF(mpx__load4_f64_to_odd, mpx__odd_of_f64_at, 2 * MPX__VECTOR)
MPX__STORER(mpx__store4_odd) { return !mpx__is_odd_wrong(v, s) && mpx__put4(d, v, stream); }
MPX__KERNEL(mpx__f64_to_odd, 32, mpx__store4_odd, 64, mpx__load4_f64_to_odd)

/* ---- f16 ------------------------------------------------------- */

#if !MPX__F16_BY_SUMS
MPX__LOADER_OF(mpx__load4_f16, mpx__load_f16, 2 * MPX__LANES)
MPX__STORER(mpx__store4_f16) {
    if (stream) {
        (void)mpx__put2(d, mpx__f16_pair(v[0], v[1]), mpx__f16_pair(v[2], v[3]), 1);
    } else {
        mpx__store_f16_pair(d, v[0], v[1]);
        mpx__store_f16_pair(d + MPX__VECTOR, v[2], v[3]);
    }
    return 1;
}
#else
/* An f16 in the upper half of a lane to f32: its fields are moved to those of an f32, and
   multiplied by 2^112, the difference of the biases. Not for Inf and NaN, nor for subnormals: their
   products would be right, but take 150 cycles on some machines. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_moved_f16(mpx__vu u) {
    u = mpx__and(mpx__sar(u, 3), mpx__set(0x8fffffffu));
    return mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(u), mpx__vf_of_bits(mpx__set(239u << 23))));
}
/* Any f16. If the exponent field of a subnormal is raised by one, the value is 2^-14 too large, which
   is then subtracted. Other lanes subtract 2^-14 from itself: their difference would not be exact. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_any_f16(mpx__vu u) {
    const mpx__vu sign = mpx__and(u, mpx__set(0x80000000u)), less = mpx__set(0xb8800000u);
    mpx__vu a = mpx__shr(mpx__shl(u, 1), 4), low, high;
    mpx__vu subnormal = mpx__gt_signed(mpx__set(1u << 23), a),
            special = mpx__gt_signed(a, mpx__set(0xf7fffffu)),
            quiet = mpx__and(mpx__gt_signed(a, mpx__set(0xf800000u)), mpx__set(0x400000u));
    low = mpx__add(mpx__and(a, subnormal), mpx__set(113u << 23));
    MPX__HIDE(low);
    low = mpx__bits_of_vf(mpx__fmul_add(mpx__vf_of_bits(low), mpx__vf_of_bits(mpx__set(0x3f800000u)),
                                        mpx__vf_of_bits(less)));
    low = mpx__and(low, mpx__set(0x7fffffffu)); /* 0 has no sign where sums are rounded down */
    high = mpx__add(a, mpx__add(mpx__set(112u << 23), mpx__and(special, mpx__set(112u << 23))));
    return mpx__or(mpx__or(mpx__select(subnormal, low, high), quiet), sign);
}
MPX__NOINLINE void mpx__load4_any_f16(mpx__vu v[4], const unsigned char *s) {
    mpx__upper_two(v, mpx__load32(s));
    mpx__upper_two(v + 2, mpx__load32(s + MPX__VECTOR));
    v[0] = mpx__f32_of_any_f16(v[0]);
    v[1] = mpx__f32_of_any_f16(v[1]);
    v[2] = mpx__f32_of_any_f16(v[2]);
    v[3] = mpx__f32_of_any_f16(v[3]);
}
/* Twice the magnitude less 0x8001, signed: subnormals are the least, zero is the largest. */
MPX__FORCE_INLINE mpx__vu mpx__key_of_f16(mpx__vu h) {
    return mpx__add16(mpx__add16(h, h), mpx__set(0x7fff7fffu));
}
MPX__LOADER(mpx__load4_f16) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR), normal = mpx__set(0x87ff87ffu),
            least = mpx__min16s(mpx__key_of_f16(a), mpx__key_of_f16(b));
    if (mpx__any_gt16s(normal, least) || mpx__is_above16(mpx__larger16(a, b), 0x7bff)) {
        mpx__load4_any_f16(v, s);
        return;
    }
    mpx__upper_two(v, a);
    mpx__upper_two(v + 2, b);
    v[0] = mpx__f32_of_moved_f16(v[0]);
    v[1] = mpx__f32_of_moved_f16(v[1]);
    v[2] = mpx__f32_of_moved_f16(v[2]);
    v[3] = mpx__f32_of_moved_f16(v[3]);
}
/* Of a magnitude x:   E = the power of two at or below x, at least 2^-14
                       s = x * 2^-13 + E, rounded to nearest even
   s has the exponent of E, and in its lowest bits x / E in units of 2^-10: the mantissa with its
   hidden bit, rounded at the right place, subnormals included. 8 * its upper word + its lower word
   is the code + a constant. Packing saturates Inf, NaN and values far beyond f16. */
MPX__FORCE_INLINE mpx__vu mpx__f16_lanes(mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), t;
    mpx__vf e = mpx__fmax(mpx__vf_of_bits(mpx__and(u, mpx__set(0x7f800000u))),
                          mpx__vf_of_bits(mpx__set(113u << 23)));
    t = mpx__bits_of_vf(mpx__fmul_add(mpx__vf_of_bits(a), mpx__vf_of_bits(mpx__set(114u << 23)), e));
    t = mpx__dot16s(mpx__and(t, mpx__set(0xffff0fffu)), mpx__set(0x80001u));
    return mpx__sub(t, mpx__set(113u << 10));
}
MPX__FORCE_INLINE mpx__vu mpx__signed_f16(mpx__vu t, mpx__vu u0, mpx__vu u1) {
    mpx__vu sign = mpx__and(mpx__pack32s(u0, u1), mpx__set(0x80008000u));
    return mpx__packed_once(mpx__or(mpx__min16s(t, mpx__set(0x7c007c00u)), sign));
}
MPX__FORCE_INLINE int mpx__put_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__vu a = mpx__pack32s(mpx__f16_lanes(v[0]), mpx__f16_lanes(v[1])),
            b = mpx__pack32s(mpx__f16_lanes(v[2]), mpx__f16_lanes(v[3]));
    if (mpx__any_gt16s(mpx__max16s(a, b), mpx__set(0x7ffe7ffeu))) return 0;
    return mpx__put2(d, mpx__signed_f16(a, v[0], v[1]), mpx__signed_f16(b, v[2], v[3]), stream);
}
/* Inf, and what is far beyond f16, as 2^16; not NaN. */
MPX__COLD MPX__NOINLINE int mpx__put_big_f16(unsigned char *d, const mpx__vu v[4]) {
    const mpx__vu sign = mpx__set(0x80000000u), most = mpx__set(0x47800000u);
    mpx__vu w[4], a;
    int i;
    for (i = 0; i < 4; i++) {
        a = mpx__and(v[i], mpx__set(0x7fffffffu));
        a = mpx__xor(mpx__gt_signed(a, most), mpx__gt_signed(a, mpx__set(0x7f800000u)));
        w[i] = mpx__select(a, mpx__or(mpx__and(v[i], sign), most), v[i]);
    }
    return mpx__put_f16(d, w, 0);
}
MPX__STORER(mpx__store4_f16) { return mpx__put_f16(d, v, stream) || mpx__put_big_f16(d, v); }
#endif
MPX__KERNEL(mpx__f16_to_f32, 32, mpx__store4_32, 16, mpx__load4_f16)
MPX__KERNEL(mpx__f32_to_f16, 16, mpx__store4_f16, 32, mpx__load4_32)
MPX__KERNEL(mpx__f64_to_f16, 16, mpx__store4_f16, 64, mpx__load4_f64_to_odd)

/* ---- bf16 ------------------------------------------------------ */

/* A signalling NaN stays as it is: storers make it quiet. */
MPX__LOADER(mpx__load4_bf16) {
    mpx__upper_two(v, mpx__load32(s));
    mpx__upper_two(v + 2, mpx__load32(s + MPX__VECTOR));
}

/* To nearest even, in the upper halves: a carry out of the mantissa raises the exponent. */
#ifndef MPX__OWN_BF16_PAIR
MPX__FORCE_INLINE mpx__vu mpx__round_upper(mpx__vu u) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    return mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__join_upper16(mpx__round_upper(a), mpx__round_upper(b));
}
#endif
/* A NaN is made quiet, and its lower half is cleared, so that rounding does not change it. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_upper(mpx__vu u) {
    mpx__vu nan = mpx__gt_signed(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    return mpx__select(nan, mpx__and(mpx__or(u, mpx__set(0x400000u)), mpx__set(0xffff0000u)), u);
}
/* bf16 to f32, in words of 16 bits. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_words(mpx__vu h) {
    const mpx__vu nan = mpx__gt16s(mpx__and(h, mpx__set16(0x7fff)), mpx__set16(0x7f80));
    return mpx__or(h, mpx__and(nan, mpx__set16(0x40)));
}
MPX__NOINLINE int mpx__put_quiet(unsigned char *d, const unsigned char *s) {
    mpx__vu v[4];
    mpx__upper_two(v, mpx__quiet_words(mpx__load32(s)));
    mpx__upper_two(v + 2, mpx__quiet_words(mpx__load32(s + MPX__VECTOR)));
    return mpx__put4(d, v, 0);
}
MPX__STORER(mpx__store4_f32_of_bf16) {
    const mpx__vu most = mpx__larger16(mpx__load32(s), mpx__load32(s + MPX__VECTOR));
    if (MPX__RARELY(mpx__is_above16(most, 0x7f80))) return mpx__put_quiet(d, s);
    return mpx__put4(d, v, stream);
}
MPX__FORCE_INLINE int mpx__put_bf16(unsigned char *d, const mpx__vu v[4], int nan, int stream) {
    mpx__vu w[4];
    w[0] = nan ? mpx__quiet_upper(v[0]) : v[0];
    w[1] = nan ? mpx__quiet_upper(v[1]) : v[1];
    w[2] = nan ? mpx__quiet_upper(v[2]) : v[2];
    w[3] = nan ? mpx__quiet_upper(v[3]) : v[3];
    return mpx__put2(d, mpx__bf16_pair(w[0], w[1]), mpx__bf16_pair(w[2], w[3]), stream);
}
#ifdef MPX__OWN_BF16_WORDS
/* By an instruction that turns subnormals into zero. Numbers that were f16 are no subnormals. */
MPX__STORER(mpx__store4_bf16_of_f16) {
    mpx__vu w[2];
    mpx__bf16_words(w, v);
    return mpx__put2(d, w[0], w[1], stream);
}
MPX__STORER(mpx__store4_bf16) {
    if (mpx__loses_subnormal(v)) return mpx__put_bf16(d, v, 1, stream);
    return mpx__store4_bf16_of_f16(d, v, s, stream, k);
}
MPX__KERNEL(mpx__f16_to_bf16, 16, mpx__store4_bf16_of_f16, 16, mpx__load4_f16)
#else
MPX__STORER(mpx__store4_bf16) {
    const int nan = !MPX__NATIVE_BF16 && mpx__nan_in_block(v);
    return MPX__RARELY(nan) ? mpx__put_bf16(d, v, 1, stream) : mpx__put_bf16(d, v, 0, stream);
}
MPX__KERNEL(mpx__f16_to_bf16, 16, mpx__store4_bf16, 16, mpx__load4_f16)
#endif
/* From f32 in memory. */
#ifdef MPX__OWN_WORDS_AT
MPX__STORER(mpx__store4_bf16_of_f32) {
    const unsigned char *t = s + 2 * MPX__VECTOR;
    mpx__vu a = mpx__upper_words_at(s), b = mpx__upper_words_at(t);
    if (mpx__is_above16(mpx__larger16(a, b), 0x7f7f)) {
        mpx__vu w[4];
        mpx__load4_32(w, s, k);
        return mpx__store4_bf16(d, w, s, stream, k);
    }
    return mpx__put2(d, mpx__bf16_of_words(a, mpx__lower_words_at(s)),
                     mpx__bf16_of_words(b, mpx__lower_words_at(t)), stream);
}
MPX__KERNEL(mpx__f32_to_bf16, 16, mpx__store4_bf16_of_f32, 32, mpx__load4_nothing)
#else
MPX__KERNEL(mpx__f32_to_bf16, 16, mpx__store4_bf16, 32, mpx__load4_32)
#endif
MPX__KERNEL(mpx__bf16_to_f32, 32, mpx__store4_f32_of_bf16, 16, mpx__load4_bf16)
#ifdef MPX__OWN_WIDER_LOADS
MPX__LOADER_OF(mpx__load4_upper, mpx__load_upper, 2 * MPX__LANES)
MPX__KERNEL(mpx__bf16_to_f16, 16, mpx__store4_f16, 16, mpx__load4_upper)
#else
MPX__KERNEL(mpx__bf16_to_f16, 16, mpx__store4_f16, 16, mpx__load4_bf16)
#endif

/* From f64. */
#ifdef MPX__OWN_ODD
MPX__KERNEL(mpx__f64_to_bf16, 16, mpx__store4_bf16, 64, mpx__load4_f64_to_odd)
#else
/* Rounded twice, to f32 and then to bf16, each time to nearest. That is right unless the f32 is a
   tie, which does not show on which side of it the f64 was. Blocks with a tie or NaN are rounded to
   odd instead. Doing so for all blocks would take twice the time (Zen 3, AVX2 and SSE2). The lower
   half of a tie is the least signed number of 16 bits. */
MPX__FORCE_INLINE int mpx__has_tie_or_nan(const mpx__vu v[4]) {
    mpx__vu least = mpx__min16s(mpx__min16s(v[0], v[1]), mpx__min16s(v[2], v[3])),
            tie = mpx__and(mpx__eq16(least, mpx__set(0x8000)), mpx__set(0xffff)),
            nan = mpx__or(mpx__unordered(mpx__vf_of_bits(v[0]), mpx__vf_of_bits(v[1])),
                          mpx__unordered(mpx__vf_of_bits(v[2]), mpx__vf_of_bits(v[3])));
    return mpx__any(mpx__or(tie, nan));
}
/* f64 to f32, in two vectors that mpx__pack32s joins in order: in a register of two halves, it
   packs within each half. Registers of four quarters are not packed. */
MPX__FORCE_INLINE void mpx__f32_of_f64_to_pack(mpx__vu v[2], const unsigned char *s) {
    const int second = MPX__LANES == 8 ? 2 * MPX__VECTOR : MPX__VECTOR,
              third = 3 * MPX__VECTOR - second;
    v[0] = mpx__bits_of_vf(mpx__vf_of_vd(mpx__load_vd(s), mpx__load_vd(s + second)));
    v[1] = mpx__bits_of_vf(mpx__vf_of_vd(mpx__load_vd(s + third), mpx__load_vd(s + 3 * MPX__VECTOR)));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_without_ties(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000);
    a = mpx__add(a, half);
    b = mpx__add(b, half);
    return MPX__LANES > 8 ? mpx__join_upper16(a, b)
                          : mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16));
}
MPX__STORER(mpx__store4_bf16_of_f64) {
    mpx__vu w[4];
    mpx__f32_of_f64_to_pack(w, s);
    mpx__f32_of_f64_to_pack(w + 2, s + 4 * MPX__VECTOR);
    if (mpx__has_tie_or_nan(w)) {
        mpx__load4_f64_to_odd(w, s, k);
        return !mpx__is_odd_wrong(w, s) && mpx__put_bf16(d, w, 1, stream);
    }
    return mpx__put2(d, mpx__bf16_without_ties(w[0], w[1]), mpx__bf16_without_ties(w[2], w[3]),
                     stream);
}
MPX__KERNEL(mpx__f64_to_bf16, 16, mpx__store4_bf16_of_f64, 64, mpx__load4_nothing)
#endif

#endif /* !MPX__COMPACT && MPX__HAS_FLOAT */
