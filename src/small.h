/*==================================================================*
 * MARK: small - blocks of floats of a byte and less, one code in a byte
 *   The format is read from the dtype's row when the call begins, so a new small float needs no
 *   code here.
 *==================================================================*/
#if !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_SMALL

/* ---- to small floats, by float arithmetic ---------------------- */

/* The largest code, the bit of the sign, and whether zero has none. */
MPX__INLINE void mpx__limits_set(mpx__constants *k, const mpx__job *job) {
    const mpx__row *row = job->to;
    int top = (int)mpx__largest_code(row);
    if (row->family != MPX__FINITE && !job->rounding.saturate) top++;
    k->narrow.top = mpx__set8(top);
    k->narrow.sign = mpx__set8(1 << (row->exponent_bits + row->mantissa_bits));
    k->narrow.is_fnuz = row->family == MPX__FNUZ;
}

/* Of the magnitude x of one f32, for a format with M mantissa bits:
       E = the power of two at or below x, at least the smallest normal
       s = x * 2^(M-23) + E, rounded to nearest even; the product is exact, or far below half a unit
   s has the exponent of E, and in its lowest bits x / E in units of 2^-M: the code's mantissa with
   its hidden bit, rounded at the right place, subnormals included (there E stays, and the hidden
   bit is 0).
       bits of s       0 eeeeeeee 0000000 | 00...0 RRRRRR        R = 0 ... 2^(M+1)
                       upper word         | lower word
   upper + lower * 2^(7-M) is (code + a constant) * 2^(7-M): one instruction for both words. NaN has
   the quiet bit in the upper word, and is above Inf. The constants: mpx__narrow, simd_generic.h. */
MPX__NOINLINE void mpx__narrow_set(mpx__constants *k, mpx__job *job) {
    const mpx__row *row = job->to;
    const int m = row->mantissa_bits;
    mpx__limits_set(k, job);
    k->job = job;
    k->narrow.unit = mpx__set((uint32_t)(127 + m - 23) << 23);
    k->narrow.least = mpx__set((uint32_t)(128 - row->bias) << 23);
    k->narrow.weights = mpx__set(1u << 16 | 1u << (7 - m));
    k->narrow.to_code = mpx__shift16_set(7 - m);
    k->narrow.offset = mpx__set16((128 - row->bias) << m);
    k->narrow.sign_shift = 8 - row->bits;
    k->narrow.nan = mpx__set16(MPX__F16_BY_SUMS && job->from->type == MPX_F16 ? 0x7c00 : 0x7f80);
}

/* (code + constant) * 2^(7-M), up to 0x8000, in a lane of 32 bits. */
MPX__FORCE_INLINE mpx__vu mpx__narrow_lanes(mpx__vu a, const mpx__narrow *k) {
    mpx__vf e = mpx__fmax(mpx__vf_of_bits(mpx__and(a, mpx__set(0x7f800000u))),
                          mpx__vf_of_bits(k->least));
    mpx__vf t = mpx__fmul_add(mpx__vf_of_bits(a), mpx__vf_of_bits(k->unit), e);
    /* the mask cuts off the payload of NaN */
    return mpx__dot16s(mpx__and(mpx__bits_of_vf(t), mpx__set(0xffff00ffu)), k->weights);
}
MPX__FORCE_INLINE mpx__vu mpx__code_words(mpx__vu w, const mpx__narrow *k) {
    return mpx__sub16(mpx__shr16(w, k->to_code), k->offset);
}
/* The sign of a byte in bit 7 of `sign` to where the code has it. */
MPX__FORCE_INLINE mpx__vu mpx__with_sign(mpx__vu code, mpx__vu sign, int plain,
                                         const mpx__narrow *k) {
    if (!plain && k->is_fnuz) sign = mpx__and(sign, mpx__gt8s(code, mpx__set(0)));
    if (!plain && k->sign_shift != 0) sign = mpx__shr(sign, k->sign_shift);
    return mpx__or(code, mpx__and(sign, k->sign));
}
/* Store the codes of a block in order. packed_words: the words are packed lanes, not in order.
   plain: NaN saturates to the topmost code, which is NaN in e4m3fn. */
MPX__FORCE_INLINE int mpx__put_codes(unsigned char *d, mpx__vu low, mpx__vu high, mpx__vu sign,
                                     int packed_words, int plain, const mpx__narrow *k,
                                     int stream) {
    mpx__vu code = mpx__pack16(mpx__code_words(low, k), mpx__code_words(high, k));
    code = mpx__with_sign(mpx__min8(code, k->top), sign, plain, k);
    return mpx__put1(d, packed_words ? mpx__packed_twice(code) : mpx__packed_once(code), stream);
}
/* NaN is above k->nan, and the largest finite values may be: the exact codec tells them apart. */
MPX__FORCE_INLINE int mpx__narrow_block(unsigned char *d, const mpx__vu v[4], int plain,
                                        const mpx__narrow *k, int stream) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu low = mpx__pack32s(mpx__narrow_lanes(mpx__and(v[0], magnitude), k),
                               mpx__narrow_lanes(mpx__and(v[1], magnitude), k)),
            high = mpx__pack32s(mpx__narrow_lanes(mpx__and(v[2], magnitude), k),
                                mpx__narrow_lanes(mpx__and(v[3], magnitude), k)),
            sign = mpx__signs_of_32(v);
    if (!plain && mpx__any_gt16s(mpx__max16s(low, high), k->nan)) return 0;
    return mpx__put_codes(d, low, high, sign, 1, plain, k, stream);
}
MPX__STORER(mpx__store4_f8) { return mpx__narrow_block(d, v, 0, &k->narrow, stream); }
MPX__STORER(mpx__store4_f8_plain) { return mpx__narrow_block(d, v, 1, &k->narrow, stream); }
#if MPX__HAS_JOIN
/* Codes of four bits, two in a byte. */
MPX__STORER(mpx__store4_packed_f4) {
    unsigned char codes[MPX__BLOCK];
    if (!mpx__narrow_block(codes, v, 0, &k->narrow, 0))
        mpx__exact_cast(codes, s, MPX__BLOCK, 0, k->job);
    mpx__store_joined4(d, mpx__load32(codes));
    return 1;
}
MPX__KERNEL_WITH(mpx__f32_to_packed_f4, mpx__narrow_set, 4, mpx__store4_packed_f4, 32,
                 mpx__load4_32)
#endif
MPX__KERNEL_WITH(mpx__f32_to_f8, mpx__narrow_set, 8, mpx__store4_f8, 32, mpx__load4_32)
MPX__KERNEL_WITH(mpx__f32_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain, 32, mpx__load4_32)

/* From f64, by f32 rounded to odd: no small float has the range of f32. */
#if MPX__HAS_F64
MPX__KERNEL_WITH(mpx__f64_to_f8, mpx__narrow_set, 8, mpx__store4_f8, 64, mpx__load4_f64_to_odd)
#endif

#ifdef MPX__OWN_ENTRIES_64
/* From f16 and bf16 to floats of a byte with two or three mantissa bits, by tables of 64 bytes. A
   magnitude less `least`, which is half the smallest code, is the number i of a bin and, in the bits
   below, how far into the bin it is. There are 2^M bins from one power of two to the next. From bin
   (M + 1) << M on codes are normal: i - (M << M), and one more above half a bin. Below, several bins
   are one code, whose bounds are where bins begin. There the table has by how much more the code is,
   and 128 unless the start of the bin is a tie: then numbers above it have the next code. */
static const unsigned char mpx__bins[2][64] = {
    { 8, 136, 135, 134, 133, 132, 132, 131, 130, 1, 129, 129 },
    { 24, 152, 151, 150, 149, 148, 147, 146, 145, 144, 143, 142, 142, 141, 140, 139,
      138, 137, 8, 136, 135, 134, 134, 133, 132, 3, 131, 131, 130, 1, 129, 129 },
};
MPX__FORCE_INLINE void mpx__bins_set(mpx__constants *k, mpx__job *job) {
    const int m = job->to->mantissa_bits, t = job->from->mantissa_bits, half = 1 << (t - m - 1);
    const mpx__vu bins = mpx__load32(mpx__bins[m - 2]), more = mpx__and(bins, mpx__set8(127)),
                  zero = mpx__set(0), alternate = mpx__set16(257 * half - 256);
    mpx__limits_set(k, job);
    k->narrow.sign_shift = 0;
    k->narrow.nan = mpx__set16(((1 << (15 - t)) - 1) << t);
    k->narrow.least = mpx__set16((job->from->bias - job->to->bias - m) << t);
    k->narrow.to_code = mpx__shift16_set(t - m);
    k->fields = mpx__set16(2 * half - 1);
    k->table[0] = mpx__add8(more, mpx__set8(0 - (m << m)));
    k->table[1] = mpx__select(mpx__gt8s(more, zero), mpx__gt8s(zero, bins), alternate);
}
MPX__FORCE_INLINE int mpx__put_bins(unsigned char *d, const unsigned char *s, int plain,
                                    const mpx__constants *k, int stream) {
    const mpx__vu magnitude = mpx__set16(0x7fff);
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__VECTOR), a0 = mpx__and(h0, magnitude),
            a1 = mpx__and(h1, magnitude), bin, at, code;
    if (!plain && mpx__any_gt16s(mpx__max16s(a0, a1), k->narrow.nan)) return 0;
    a0 = mpx__less16(a0, k->narrow.least);
    a1 = mpx__less16(a1, k->narrow.least);
    bin = mpx__pack16(mpx__shr16(a0, k->narrow.to_code), mpx__shr16(a1, k->narrow.to_code));
    /* bins beyond the tables are like 62 and 63 */
    at = mpx__min8(bin, mpx__or(mpx__and(bin, mpx__set8(1)), mpx__set8(62)));
    code = mpx__add8(bin, mpx__entries_64(k->table[0], at));
    code = mpx__one_more_if_gt8(code, mpx__pack16(mpx__and(a0, k->fields), mpx__and(a1, k->fields)),
                                mpx__entries_64(k->table[1], at));
    code = mpx__min8(code, k->narrow.top);
    code = mpx__with_sign(code, mpx__signs_of_16(h0, h1), plain, &k->narrow);
    return mpx__put1(d, mpx__packed_once(code), stream);
}
MPX__STORER(mpx__store4_bins) { return mpx__put_bins(d, s, 0, k, stream); }
MPX__STORER(mpx__store4_bins_plain) { return mpx__put_bins(d, s, 1, k, stream); }
MPX__KERNEL_WITH(mpx__16_to_f8, mpx__bins_set, 8, mpx__store4_bins, 16, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__16_to_e4m3fn, mpx__bins_set, 8, mpx__store4_bins_plain, 16,
                 mpx__load4_nothing)
#endif

/* From f16 and bf16: the magnitudes of even and of odd words become f32 where they are, so that the
   codes are words in order. */
typedef mpx__vu (*mpx__lane_fn)(mpx__vu a);
MPX__INLINE mpx__vu mpx__even_bf16(mpx__vu a) { return mpx__shl(a, 16); }
MPX__INLINE mpx__vu mpx__odd_bf16(mpx__vu a) { return mpx__and(a, mpx__set(0xffff0000u)); }
MPX__FORCE_INLINE mpx__vu mpx__narrow_words(mpx__vu a, mpx__lane_fn even, mpx__lane_fn odd,
                                            const mpx__narrow *k) {
    return mpx__or(mpx__narrow_lanes(even(a), k), mpx__shl(mpx__narrow_lanes(odd(a), k), 16));
}
MPX__FORCE_INLINE int mpx__narrow_block16(unsigned char *d, const unsigned char *s,
                                          mpx__lane_fn even, mpx__lane_fn odd, int plain,
                                          const mpx__narrow *k, int stream) {
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__VECTOR), magnitude = mpx__set16(0x7fff);
    mpx__vu a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
    if (!plain && mpx__any_gt16s(mpx__max16s(a0, a1), k->nan)) return 0;
    return mpx__put_codes(d, mpx__narrow_words(a0, even, odd, k), mpx__narrow_words(a1, even, odd, k),
                          mpx__signs_of_16(h0, h1), 0, plain, k, stream);
}
MPX__STORER(mpx__store4_f8_of_bf16) {
    return mpx__narrow_block16(d, s, mpx__even_bf16, mpx__odd_bf16, 0, &k->narrow, stream);
}
MPX__KERNEL_WITH(mpx__bf16_to_f8, mpx__narrow_set, 8, mpx__store4_f8_of_bf16, 16,
                 mpx__load4_nothing)
#ifndef MPX__OWN_ENTRIES_64
MPX__STORER(mpx__store4_f8_plain_of_bf16) {
    return mpx__narrow_block16(d, s, mpx__even_bf16, mpx__odd_bf16, 1, &k->narrow, stream);
}
MPX__KERNEL_WITH(mpx__bf16_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain_of_bf16, 16,
                 mpx__load4_nothing)
#endif
#if !MPX__F16_BY_SUMS
MPX__KERNEL_WITH(mpx__f16_to_f8, mpx__narrow_set, 8, mpx__store4_f8, 16, mpx__load4_f16)
#ifndef MPX__OWN_ENTRIES_64
MPX__KERNEL_WITH(mpx__f16_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain, 16, mpx__load4_f16)
#endif
#else
/* An f16 as an f32 with its exponent moved: y. Of a subnormal, y has a hidden bit too much, and 2y
   - 2^-14 is right, which is less than y for subnormals only. Inf and NaN become 65536 and more. */
MPX__FORCE_INLINE mpx__vu mpx__moved_f16(mpx__vu moved) {
    mpx__vf y = mpx__vf_of_bits(mpx__add(moved, mpx__set(112u << 23)));
    mpx__vf z = mpx__fmul_add(y, mpx__vf_of_bits(mpx__set(0x40000000u)),
                              mpx__vf_of_bits(mpx__set(0xb8800000u)));
    return mpx__bits_of_vf(mpx__fmin(y, z));
}
MPX__INLINE mpx__vu mpx__even_f16(mpx__vu a) {
    return mpx__moved_f16(mpx__dot16s(a, mpx__set(0x2000u)));
}
MPX__INLINE mpx__vu mpx__odd_f16(mpx__vu a) {
    return mpx__moved_f16(mpx__dot16s(a, mpx__set(0x20000000u)));
}
MPX__STORER(mpx__store4_f8_of_f16) {
    return mpx__narrow_block16(d, s, mpx__even_f16, mpx__odd_f16, 0, &k->narrow, stream);
}
MPX__STORER(mpx__store4_f8_plain_of_f16) {
    return mpx__narrow_block16(d, s, mpx__even_f16, mpx__odd_f16, 1, &k->narrow, stream);
}
MPX__KERNEL_WITH(mpx__f16_to_f8, mpx__narrow_set, 8, mpx__store4_f8_of_f16, 16, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f16_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain_of_f16, 16,
                 mpx__load4_nothing)
#endif

/* f16 and e5m2 have the same exponents: half a unit less one is added, and one for odd codes. */
MPX__INLINE void mpx__e5m2_set(mpx__constants *k, mpx__job *job) {
    k->is_less = job->rounding.saturate;
}
MPX__FORCE_INLINE mpx__vu mpx__e5m2_words(mpx__vu h) {
    mpx__vu odd = mpx__and(mpx__shr(h, 8), mpx__set16(1));
    return mpx__shr16(mpx__add16(mpx__add16(h, mpx__set16(0x7f)), odd), mpx__shift16_set(8));
}
MPX__STORER(mpx__store4_e5m2_of_f16) {
    const mpx__vu magnitude = mpx__set16(0x7fff), sign = mpx__set8(0x80);
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__VECTOR), code,
            largest = mpx__max16s(mpx__and(h0, magnitude), mpx__and(h1, magnitude));
    if (mpx__any_gt16s(largest, mpx__set16(0x7c00))) return 0;
    code = mpx__pack16(mpx__e5m2_words(h0), mpx__e5m2_words(h1));
    if (k->is_less) /* no Inf */
        code = mpx__or(mpx__and(code, sign),
                       mpx__min8(mpx__and(code, mpx__set8(0x7f)), mpx__set8(0x7b)));
    return mpx__put1(d, mpx__packed_once(code), stream);
}
MPX__KERNEL_WITH(mpx__f16_to_e5m2, mpx__e5m2_set, 8, mpx__store4_e5m2_of_f16, 16,
                 mpx__load4_nothing)

/* ---- from small floats ----------------------------------------- */

/* A code is Inf or NaN if (code & mask) + add, as a signed byte, is above `finite`: such blocks
   need the exact codec. Codes below a byte are finite; `code` cuts off their other bits. */
MPX__INLINE void mpx__finite_set(mpx__finite *k, const mpx__row *row) {
    const int bits = row->exponent_bits + row->mantissa_bits, fnuz = row->family == MPX__FNUZ;
    k->mask = mpx__set8(fnuz ? 255 : (1 << bits) - 1);
    k->add = mpx__set8(fnuz ? -1 : 0);
    k->finite = mpx__set8(fnuz ? 126 : (int)mpx__largest_code(row));
    k->code = mpx__set8((1 << row->bits) - 1);
}
MPX__FORCE_INLINE mpx__vu mpx__special_in(mpx__vu codes, const mpx__finite *k) {
    return mpx__gt8s(mpx__add8(mpx__and(codes, k->mask), k->add), k->finite);
}
MPX__FORCE_INLINE int mpx__is_special_in(mpx__vu codes, const mpx__finite *k) {
    return mpx__any_gt8s(mpx__add8(mpx__and(codes, k->mask), k->add), k->finite);
}

/* Store a block of f16 or bf16, which is two vectors; or of f32, which is bf16 with zeros below. */
MPX__FORCE_INLINE int mpx__put_words(unsigned char *d, mpx__vu low, mpx__vu high, int to_f32,
                                     int stream) {
    mpx__vu w[4];
    if (!to_f32) return mpx__put2(d, low, high, stream);
    mpx__pair16(mpx__set(0), low, &w[0], &w[1]);
    mpx__pair16(mpx__set(0), high, &w[2], &w[3]);
    return mpx__put4(d, w, stream);
}

/* A code with an exponent of at most four bits, not Inf or NaN, is the f16 with the same fields
   times a power of two. */
#ifdef MPX__OWN_BYTES_AS_F16
MPX__INLINE void mpx__as_f16_set(mpx__constants *k, mpx__job *job) {
    k->drop = 10 - job->from->mantissa_bits;
    k->fields = mpx__set16(0x8000 | 0x7f << k->drop);
    mpx__finite_set(&k->finite, job->from);
    k->scale = mpx__set((uint32_t)(127 + 15 - job->from->bias) << 23);
}
MPX__FORCE_INLINE void mpx__two_as_f16(mpx__vu v[2], const unsigned char *s,
                                       const mpx__constants *k) {
    const mpx__vf scale = mpx__vf_of_bits(k->scale);
    mpx__two_of_f16(v, mpx__and(mpx__shl16(mpx__load_signed_words(s), k->drop), k->fields));
    v[0] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[0]), scale));
    v[1] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[1]), scale));
}
MPX__STORER(mpx__store4_f32_as_f16) {
    mpx__vu w[4];
    if (mpx__is_special_in(mpx__load32(s), &k->finite)) return 0;
    mpx__two_as_f16(w, s, k);
    mpx__two_as_f16(w + 2, s + MPX__BLOCK / 2, k);
    return mpx__put4(d, w, stream);
}
MPX__KERNEL_WITH(mpx__f8_to_f32_as_f16, mpx__as_f16_set, 32, mpx__store4_f32_as_f16, 8,
                 mpx__load4_nothing)
#endif

/* The words of bf16 and f16 (T mantissa bits) as a function of a code's magnitude are made of
   straight lines: between two powers of two the word grows by a fixed step, which is 2^(T-M) for
   normal codes and doubles with every binade of subnormal ones below. The function is concave, so
   it is the minimum of all M + 1 lines, and zero at zero.
       line j:  magnitude * 2^(T-M) * 2^j + ((bias' - bias - j) << T)        j = 0 ... M
   Sums saturate, above all that matters. rebias: bias' - bias. */
MPX__INLINE void mpx__lines_set(mpx__constants *k, const mpx__row *row, int t, int rebias) {
    const int top = 1 << (row->exponent_bits + row->mantissa_bits);
    int i;
    k->magnitude = mpx__set16(top - 1);
    k->fields = mpx__set16(top);
    k->scale = mpx__set16(1 << (t - row->mantissa_bits));
    k->to_sign = mpx__set16(0x8000 / top);
    for (i = 0; i <= 4; i++)
        k->line[i] = mpx__set16(i > row->mantissa_bits ? 0x7fff : (rebias - i) * (1 << t));
}
MPX__FORCE_INLINE mpx__vu mpx__next_line(mpx__vu r, mpx__vu steps, mpx__vu line) {
    return mpx__min16s(r, mpx__sum16s(steps, line));
}
/* The code is in the lowest bits of w. few: at most two mantissa bits. */
MPX__FORCE_INLINE mpx__vu mpx__word_of_code(mpx__vu w, const mpx__constants *k, int few) {
    mpx__vu x = mpx__mul16(mpx__and(w, k->magnitude), k->scale), two = mpx__sum16s(x, x),
            four = mpx__sum16s(two, two), r = mpx__sum16s(x, k->line[0]);
    r = mpx__next_line(mpx__next_line(r, two, k->line[1]), four, k->line[2]);
    if (!few) {
        mpx__vu eight = mpx__sum16s(four, four);
        r = mpx__next_line(r, eight, k->line[3]);
        r = mpx__next_line(r, mpx__sum16s(eight, eight), k->line[4]);
    }
    r = mpx__and(r, mpx__gt16s(x, mpx__set(0)));
    return mpx__or(r, mpx__mul16(mpx__and(w, k->fields), k->to_sign));
}

#if MPX__HAS_LOOKUP
/* By tables of 16 bytes, which the lines fill. The word of a normal code is a sum of what its upper
   and its lower four bits give, without carries if the difference of the biases is a multiple of 16
   / 2^M. Else the tables are made for a difference that is larger by `less`, which is then
   subtracted from the exponents of words other than zero. A third table corrects magnitudes below
   16; codes of four bits need no other. Tables of 128 bytes have the words of all magnitudes. */
#ifdef MPX__OWN_ENTRIES_128
MPX__NOINLINE void mpx__widen_set(mpx__constants *k, mpx__job *job) {
    static const unsigned char lanes[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                             8, 9, 10, 11, 12, 13, 14, 15 };
    const mpx__row *row = job->from;
    const int to_f16 = job->to->type == MPX_F16;
    const mpx__vu byte = mpx__set16(255);
    mpx__vu codes, word[4];
    int i;
    mpx__lines_set(k, row, to_f16 ? 10 : 7, (to_f16 ? 15 : 127) - row->bias);
    mpx__finite_set(&k->finite, row);
    codes = mpx__add(mpx__mul(mpx__load8(lanes), mpx__set(0x20002u)), mpx__set(0x10000u));
    word[0] = mpx__word_of_code(codes, k, 0);
    codes = mpx__add16(codes, mpx__set16(32));
    if (row->bits < 8) {
        word[1] = row->bits < 5 ? word[0] : mpx__word_of_code(codes, k, 0);
        word[2] = word[3] = word[1];
    } else { /* normal codes */
        const mpx__vu step = mpx__shl16(k->scale, 5);
        word[1] = mpx__add16(mpx__mul16(codes, k->scale), k->line[0]);
        word[2] = mpx__add16(word[1], step);
        word[3] = mpx__add16(word[2], step);
    }
    for (i = 0; i < 2; i++) {
        mpx__vu a = word[2 * i], b = word[2 * i + 1];
        k->table[i] = mpx__packed_once(mpx__pack16(mpx__and(a, byte), mpx__and(b, byte)));
        a = mpx__and(mpx__shr(a, 8), byte);
        b = mpx__and(mpx__shr(b, 8), byte);
        k->table[2 + i] = mpx__packed_once(mpx__pack16(a, b));
    }
}
MPX__FORCE_INLINE void mpx__look_up(mpx__vu codes, const mpx__constants *k, int nibbles, mpx__vu *a,
                                    mpx__vu *b) {
    mpx__vu low = mpx__entries_128(k->table[0], k->table[1], codes),
            high = mpx__entries_128(k->table[2], k->table[3], codes);
    if (!nibbles) high = mpx__or(high, mpx__and(codes, mpx__set8(0x80)));
    mpx__pair8(low, high, a, b);
}
#else
/* Two tables: the lower and the upper bytes of sixteen words, in two vectors or in one. */
MPX__FORCE_INLINE void mpx__two_tables(mpx__vu table[2], mpx__vu a, mpx__vu b) {
    const mpx__vu byte = mpx__set16(255);
    unsigned char bytes[MPX__VECTOR];
    mpx__store32(bytes, mpx__packed_once(mpx__pack16(mpx__and(a, byte), mpx__and(b, byte))));
    table[0] = mpx__table16(bytes);
    a = mpx__and(mpx__shr(a, 8), byte);
    b = mpx__and(mpx__shr(b, 8), byte);
    mpx__store32(bytes, mpx__packed_once(mpx__pack16(a, b)));
    table[1] = mpx__table16(bytes);
}
/* (i & mask) << n in every word. */
MPX__FORCE_INLINE void mpx__shift_words(mpx__vu w[2], const mpx__vu i[2], mpx__vu mask, int n) {
    w[0] = mpx__shl(mpx__and(i[0], mask), n);
    w[1] = mpx__shl(mpx__and(i[1], mask), n);
}
MPX__NOINLINE void mpx__widen_set(mpx__constants *k, mpx__job *job) {
    static const unsigned char sixteen[MPX__VECTOR] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    };
    const mpx__row *row = job->from;
    const int to_f16 = job->to->type == MPX_F16, t = to_f16 ? 10 : 7, m = row->mantissa_bits,
              shift = t - m, e = row->exponent_bits, even = row->bits < 8 ? 1 : 16 >> m,
              less = (0 - ((to_f16 ? 15 : 127) - row->bias)) & (even - 1),
              rebias = (to_f16 ? 15 : 127) - row->bias + less;
    const mpx__vu first = mpx__set16(rebias << t);
    mpx__vu i[2], word[2], lower[2], upper[2], sign[2];
    mpx__pair8(mpx__to_pair_once(mpx__load32(sixteen)), mpx__set(0), &i[0], &i[1]);
    if (MPX__VECTOR > 16) i[1] = i[0];
    mpx__lines_set(k, row, t, rebias);
    word[0] = mpx__word_of_code(i[0], k, 0);
    word[1] = mpx__word_of_code(i[1], k, 0);
    if (row->bits != 4) {
        mpx__shift_words(lower, i, mpx__set16(15), shift);
        mpx__shift_words(upper, i, mpx__set16((1 << (e + m - 4)) - 1), shift + 4);
        mpx__shift_words(sign, i, mpx__set16(1 << (e + m - 4)), 19 - e - m);
        mpx__two_tables(k->table, mpx__or(mpx__add16(upper[0], first), sign[0]),
                        mpx__or(mpx__add16(upper[1], first), sign[1]));
        mpx__two_tables(k->table + 2, lower[0], lower[1]);
        word[0] = mpx__xor(mpx__xor(word[0], first), lower[0]);
        word[1] = mpx__xor(mpx__xor(word[1], first), lower[1]);
    }
    mpx__two_tables(k->table + 4, word[0], word[1]);
    k->magnitude = mpx__set8((1 << (e + m)) - 1);
    k->is_less = less != 0;
    k->less = mpx__set16(less << t);
    mpx__finite_set(&k->finite, row);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_exponent(mpx__vu word, const mpx__constants *k) {
    const mpx__vu nonzero = mpx__gt16s(mpx__and(word, mpx__set16(0x7fff)), mpx__set(0));
    return mpx__sub16(word, mpx__and(nonzero, k->less));
}
MPX__FORCE_INLINE void mpx__look_up(mpx__vu codes, const mpx__constants *k, int nibbles, mpx__vu *a,
                                    mpx__vu *b) {
    const mpx__vu four = mpx__set8(15);
    mpx__vu upper = mpx__and(mpx__shr(codes, 4), four), lower = mpx__and(codes, four),
            tiny = mpx__and(codes, k->magnitude), low, high;
    if (nibbles) {
        mpx__pair8(mpx__entries(k->table[4], codes), mpx__entries(k->table[5], codes), a, b);
        return;
    }
    low = mpx__xor(mpx__entries(k->table[0], upper), mpx__entries(k->table[2], lower));
    high = mpx__xor(mpx__entries(k->table[1], upper), mpx__entries(k->table[3], lower));
    mpx__pair8(mpx__xor(low, mpx__entries_or_zero(k->table[4], tiny)),
               mpx__xor(high, mpx__entries_or_zero(k->table[5], tiny)), a, b);
    if (k->is_less) {
        *a = mpx__lower_exponent(*a, k);
        *b = mpx__lower_exponent(*b, k);
    }
}
#endif
MPX__FORCE_INLINE int mpx__widen_block(unsigned char *d, mpx__vu codes, int nibbles, int to_f32,
                                       const mpx__constants *k, int stream) {
    mpx__vu a, b;
    codes = mpx__and(codes, k->finite.code);
    if (!nibbles && mpx__is_special_in(codes, &k->finite)) return 0;
    codes = to_f32 ? mpx__to_pair_twice(codes) : mpx__to_pair_once(codes);
    mpx__look_up(codes, k, nibbles, &a, &b);
    return mpx__put_words(d, a, b, to_f32, stream);
}
#else
MPX__NOINLINE void mpx__widen_set(mpx__constants *k, mpx__job *job) {
    const mpx__row *row = job->from;
    const int to_f16 = job->to->type == MPX_F16;
    mpx__lines_set(k, row, to_f16 ? 10 : 7, (to_f16 ? 15 : 127) - row->bias);
    mpx__finite_set(&k->finite, row);
}
MPX__FORCE_INLINE int mpx__widen_block(unsigned char *d, mpx__vu codes, int few, int to_f32,
                                       const mpx__constants *k, int stream) {
    mpx__vu low, high;
    codes = mpx__and(codes, k->finite.code);
    if (!few && mpx__is_special_in(codes, &k->finite)) return 0;
    mpx__pair8(mpx__to_pair_once(codes), mpx__set(0), &low, &high);
    low = mpx__word_of_code(low, k, few);
    high = mpx__word_of_code(high, k, few);
    if (!to_f32) return mpx__put_words(d, low, high, 0, stream);
    return mpx__put_words(d, mpx__to_pair_once(low), mpx__to_pair_once(high), 1, stream);
}
#endif
MPX__STORER(mpx__store4_words_of_f8) {
    return mpx__widen_block(d, mpx__load32(s), 0, 0, k, stream);
}
MPX__STORER(mpx__store4_f32_of_f8) { return mpx__widen_block(d, mpx__load32(s), 0, 1, k, stream); }
MPX__STORER(mpx__store4_words_of_f4) {
    return mpx__widen_block(d, mpx__load32(s), 1, 0, k, stream);
}
MPX__STORER(mpx__store4_f32_of_f4) { return mpx__widen_block(d, mpx__load32(s), 1, 1, k, stream); }
MPX__KERNEL_WITH(mpx__f8_to_words, mpx__widen_set, 16, mpx__store4_words_of_f8, 8,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f8_to_f32, mpx__widen_set, 32, mpx__store4_f32_of_f8, 8, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f4_to_words, mpx__widen_set, 16, mpx__store4_words_of_f4, 8,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f4_to_f32, mpx__widen_set, 32, mpx__store4_f32_of_f4, 8, mpx__load4_nothing)
#if MPX__HAS_JOIN
/* Two codes in a byte. */
MPX__STORER(mpx__store4_words_of_packed_f4) {
    return mpx__widen_block(d, mpx__load_split4(s), 1, 0, k, stream);
}
MPX__STORER(mpx__store4_f32_of_packed_f4) {
    return mpx__widen_block(d, mpx__load_split4(s), 1, 1, k, stream);
}
MPX__KERNEL_WITH(mpx__packed_f4_to_words, mpx__widen_set, 16, mpx__store4_words_of_packed_f4, 4,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__packed_f4_to_f32, mpx__widen_set, 32, mpx__store4_f32_of_packed_f4, 4,
                 mpx__load4_nothing)
#endif

/* e5m2 is the upper half of f16; NaN becomes quiet. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_e5m2(mpx__vu codes) {
    mpx__vu nan = mpx__gt8s(mpx__and(codes, mpx__set8(0x7f)), mpx__set8(0x7c));
    return mpx__or(codes, mpx__and(nan, mpx__set8(2)));
}
MPX__STORER(mpx__store4_f16_of_e5m2) {
    mpx__vu low, high;
    mpx__pair8(mpx__set(0), mpx__quiet_e5m2(mpx__to_pair_once(mpx__load32(s))), &low, &high);
    return mpx__put2(d, low, high, stream);
}
MPX__KERNEL(mpx__e5m2_to_f16, 16, mpx__store4_f16_of_e5m2, 8, mpx__load4_nothing)
#if !MPX__F16_BY_SUMS
/* Where there are instructions for f16, e5m2 is converted as f16. */
#ifdef MPX__OWN_LOAD_E5M2
MPX__LOADER_OF(mpx__load4_e5m2, mpx__load_e5m2, MPX__LANES)
#else
MPX__LOADER(mpx__load4_e5m2) {
    mpx__load4_as_e5m2(v, mpx__quiet_e5m2(mpx__load32(s)));
}
#endif
MPX__KERNEL(mpx__e5m2_to_f32, 32, mpx__store4_32, 8, mpx__load4_e5m2)
#endif

/* ---- e8m0 ------------------------------------------------------ */

/* Nearest power of two, ties up: adding half of a binade carries into the exponent. Between 2^-127
   and 2^-126 the binade is that of the subnormal 0x400000, so half of it is 0x200000. Not positive,
   or too large: NaN (255). */
MPX__FORCE_INLINE mpx__vu mpx__e8m0_lanes(mpx__vu u) {
    mpx__vu half = mpx__select(mpx__gt_signed(mpx__set(0x800000u), u), mpx__set(0x200000u),
                               mpx__set(0x400000u));
    mpx__vu code = mpx__shr(mpx__add(u, half), 23),
            beyond = mpx__or(mpx__gt_signed(u, mpx__set(0x7f7fffffu)),
                             mpx__gt_signed(mpx__set(1), u));
    return mpx__or(code, mpx__and(beyond, mpx__set(255)));
}
MPX__STORER(mpx__store4_e8m0) {
    const mpx__vu code = mpx__set(255);
    mpx__vu a = mpx__pack32s(mpx__and(mpx__e8m0_lanes(v[0]), code),
                             mpx__and(mpx__e8m0_lanes(v[1]), code)),
            b = mpx__pack32s(mpx__and(mpx__e8m0_lanes(v[2]), code),
                             mpx__and(mpx__e8m0_lanes(v[3]), code));
    return mpx__put1(d, mpx__packed_twice(mpx__pack16(a, b)), stream);
}
MPX__KERNEL(mpx__f32_to_e8m0, 8, mpx__store4_e8m0, 32, mpx__load4_32)

#endif /* !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_SMALL */
