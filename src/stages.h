/*==================================================================*
 * MARK: stages - rounding modes and saturation
 *   A stage rounds a tile of f32 toward zero or at random to the precision of a float dtype, and
 *   limits it to the range of that dtype. The tile stays f32. The kernel that then casts it has
 *   nothing left to round.
 *==================================================================*/
#if !MPX__COMPACT && !MPX_NO_CAST_WITH

/* The random words for the lanes' counters, see exact.h. */
MPX__FORCE_INLINE mpx__vu mpx__random_words(mpx__vu counter, mpx__vu key0, mpx__vu key) {
    mpx__vu x = mpx__xor(counter, key0);
    x = mpx__mul(mpx__xor(x, mpx__shr(x, 16)), mpx__set(0x7feb352du));
    x = mpx__xor(mpx__xor(x, mpx__shr(x, 15)), key);
    x = mpx__mul(x, mpx__set(0x846ca68bu));
    return mpx__xor(x, mpx__shr(x, 16));
}
/* Counters of the lanes from an even element on. */
MPX__FORCE_INLINE mpx__vu mpx__counters(uint64_t index) {
    static const unsigned char lanes[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                             8, 9, 10, 11, 12, 13, 14, 15 };
    return mpx__add(mpx__set((uint32_t)(index >> 1 & 0xffffffffu)), mpx__load8(lanes));
}
typedef char mpx__lanes_have_counters[16 % MPX__LANES == 0 ? 1 : -1];
/* Whether the counters of n elements have the same high half, so that one key serves all. */
MPX__INLINE int mpx__one_key_serves(const mpx__job *job, size_t n) {
    return n / 2 < 0xffffffffu - (uint32_t)(job->index >> 1 & 0xffffffffu);
}
/* The two halves of a word are for two elements, the lower half for the first. */
MPX__FORCE_INLINE void mpx__spread_words(mpx__vu random[2], mpx__vu word) {
    unsigned char at[MPX__LANES * 4];
    const uint16_t one = 1;
    const int little_endian = *(const unsigned char *)&one != 0;
    mpx__store32(at, little_endian ? word : mpx__or(mpx__shl(word, 16), mpx__shr(word, 16)));
    random[0] = mpx__load16(at);
    random[1] = mpx__load16(at + MPX__LANES * 2);
}

/* f32 bits rounded to man_bits and bias. `random` is what the mode adds before the cut: 16 random
   bits, placed at the top of what is lost, or 0. Inf and NaN stay.
   Normal results:    the lowest `drop` mantissa bits go.
   Subnormal results: the mantissa with its hidden bit counts units of 2^(1 - bias - man_bits), and
                      loses n bits so that whole units remain: (m + random * 2^(n - 16)) >> n. n is
                      at least 14, so 4 * m is shifted by n - 14, and the last 16 after the sum.
   e8m0:              of f32's subnormals, those up to 2^-127 stay and the others lose 22 bits. */
MPX__FORCE_INLINE mpx__vu mpx__round_lanes(mpx__vu u, mpx__vu random, int man_bits, int bias) {
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), v;
    v = mpx__add(a, drop < 16 ? mpx__shr(random, 16 - drop) : mpx__shl(random, drop - 16));
    v = mpx__shl(mpx__shr(v, drop), drop);
    if (bias < 127) {
        mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
        mpx__vu less = mpx__sub(mpx__set((uint32_t)(drop + 128 - bias - 14)), mpx__shr(a, 23));
        mpx__vu cut = mpx__shrv(mpx__shl(m, 2), mpx__min(less, mpx__set(31))),
                units = mpx__shr(mpx__add(cut, random), 16), low;
        low = mpx__sub(mpx__f32_of_u24(units), mpx__set((uint32_t)(bias - 1 + man_bits) << 23));
        low = mpx__and(low, mpx__gt_signed(units, mpx__set(0)));
        v = mpx__select(mpx__gt_signed(mpx__set((uint32_t)(128 - bias) << 23), a), low, v);
    } else if (man_bits == 0) {
        mpx__vu cut = mpx__shl(mpx__shr(mpx__add(a, mpx__shl(random, 6)), 22), 22);
        v = mpx__select(mpx__gt_signed(mpx__set(0x800000u), a), cut, v);
        v = mpx__select(mpx__gt_signed(a, mpx__set(0x400000u)), v, a);
    }
    v = mpx__select(mpx__gt_signed(mpx__set(0x7f800000u), a), v, a);
    return mpx__or(v, mpx__and(u, mpx__set(0x80000000u)));
}
/* Magnitudes above the largest finite one, and below `end`, become it. */
MPX__FORCE_INLINE mpx__vu mpx__limit_lanes(mpx__vu u, uint32_t largest, uint32_t end) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), sign = mpx__xor(u, a);
    mpx__vu beyond = mpx__and(mpx__gt_signed(a, mpx__set(largest)), mpx__gt_signed(mpx__set(end), a));
    return mpx__select(beyond, mpx__or(sign, mpx__set(largest)), u);
}
/* What is below 2^-127, the least e8m0, becomes it; NaN stays. */
MPX__FORCE_INLINE mpx__vu mpx__lifted_lanes(mpx__vu u) {
    const mpx__vu least = mpx__set(0x400000u), inf = mpx__set(0x7f800000u);
    mpx__vu nan = mpx__gt_signed(mpx__and(u, mpx__set(0x7fffffffu)), inf);
    return mpx__select(mpx__or(mpx__gt_signed(u, least), nan), u, least);
}
/* One by one from this index on, if the lanes' random words would be those of other elements. */
MPX__NOINLINE void mpx__round_elements(unsigned char *d, const unsigned char *s, size_t n,
                                       uint64_t index, const mpx__job *job) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__rounding how = job->rounding;
    mpx__number x;
    for (; n != 0; n--, index++, d += 4, s += 4) {
        how.random = mpx__random16(job, index);
        mpx__load_float(&x, mpx__read32(s), f32_row);
        mpx__load_float(&x, mpx__float_code(&x, job->to, &how), job->to);
        mpx__write32(d, (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest));
    }
}
/* A kernel for any float dtype of 16 bits and fewer, and for f32 itself, which is only clamped. */
MPX__NOINLINE void mpx__round_tile(unsigned char *d, const unsigned char *s, size_t n,
                                   mpx__job *job) {
    const mpx__row *to = job->to;
    const int mode = to->type == MPX_F32 ? MPX_ROUND_NEAREST : job->rounding.mode,
              man_bits = to->mantissa_bits, bias = to->bias,
              at_random = mode == MPX_ROUND_STOCHASTIC,
              lifts = to->family == MPX__E8M0 && job->rounding.saturate; /* to 2^-127 */
    const uint32_t largest = mpx__largest_f32(to),
                   end = job->rounding.saturate ? 0x7f800001u : /* Inf too */
                         mode == MPX_ROUND_TOWARD_ZERO ? 0x7f800000u : 0;
    const mpx__vu key0 = mpx__set(job->key0), key = mpx__set(mpx__second_key(job, job->index));
    const size_t first = at_random ? (size_t)(job->index & 1u) : 0, all = n;
    mpx__vu counter = mpx__counters(job->index + first), random[2];
    if (at_random && !mpx__one_key_serves(job, n)) {
        mpx__round_elements(d, s, n, job->index, job);
        return;
    }
    if (first != 0) { /* the first element is the second of its pair: vectors end early */
        mpx__round_elements(d, s, first, job->index, job);
        d += 4;
        s += 4;
        n -= 2 * MPX__LANES;
    }
    random[0] = random[1] = mpx__set(0);
    for (; n != 0; n -= 2 * MPX__LANES, d += 2 * MPX__VECTOR, s += 2 * MPX__VECTOR) {
        mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
        if (at_random) mpx__spread_words(random, mpx__random_words(counter, key0, key));
        if (mode != MPX_ROUND_NEAREST) {
            a = mpx__round_lanes(a, random[0], man_bits, bias);
            b = mpx__round_lanes(b, random[1], man_bits, bias);
        }
        a = mpx__limit_lanes(a, largest, end);
        b = mpx__limit_lanes(b, largest, end);
        mpx__store32(d, lifts ? mpx__lifted_lanes(a) : a);
        mpx__store32(d + MPX__VECTOR, lifts ? mpx__lifted_lanes(b) : b);
        counter = mpx__add(counter, mpx__set(MPX__LANES));
    }
    if (first != 0)
        mpx__round_elements(d, s, 2 * MPX__LANES - 1, job->index + all - (2 * MPX__LANES - 1), job);
}

/* f32 to bf16 at random: the random bits are added to what is cut off, and may carry. Blocks with
   Inf, NaN or what might become Inf are left to the exact codec. */
#if MPX__HAS_FLOAT && MPX__HAS_BF16
MPX__FORCE_INLINE mpx__vu mpx__dither_pair(mpx__vu a, mpx__vu b, mpx__vu word) {
    mpx__vu low, high;
    mpx__pair16(mpx__to_pair_once(word), mpx__set(0), &low, &high);
    return mpx__join_upper16(mpx__add(a, low), mpx__add(b, high));
}
/* From an even element on; n is a multiple of the block. */
MPX__FORCE_INLINE void mpx__dither(unsigned char *d, const unsigned char *s, size_t n,
                                   uint64_t index, int stream, mpx__job *job) {
    const mpx__vu key0 = mpx__set(job->key0), key = mpx__set(mpx__second_key(job, index));
    const uint32_t limit = job->rounding.saturate ? 0x7f7e : 0x7f7f; /* upper halves, magnitudes */
    const unsigned char *end = s + 4 * n;
    mpx__vu counter = mpx__counters(index);
    for (;;) {
        for (; s != end; d += 2 * MPX__VECTOR, s += 4 * MPX__VECTOR) {
            mpx__vu next = mpx__add(counter, mpx__set(MPX__LANES)), v[4];
            mpx__load4_32(v, s, NULL);
            if (stream) mpx__fetch(s, 4 * MPX__VECTOR);
            if (mpx__above_block(v, limit)) break;
            (void)mpx__put2(d, mpx__dither_pair(v[0], v[1], mpx__random_words(counter, key0, key)),
                            mpx__dither_pair(v[2], v[3], mpx__random_words(next, key0, key)),
                            stream);
            counter = mpx__add(next, mpx__set(MPX__LANES));
        }
        if (s == end) return;
        mpx__exact_cast(d, s, MPX__BLOCK, index + n - (size_t)(end - s) / 4, job);
        counter = mpx__add(counter, mpx__set(2 * MPX__LANES));
        d += 2 * MPX__VECTOR;
        s += 4 * MPX__VECTOR;
    }
}
MPX__LOOP void mpx__f32_to_bf16_at_random(unsigned char *d, const unsigned char *s, size_t n,
                                          mpx__job *job) {
    const uint64_t index = job->index;
    const size_t first = (size_t)(index & 1u), last = first != 0 ? MPX__BLOCK - 1 : 0;
    if (!mpx__one_key_serves(job, n)) {
        mpx__exact_cast(d, s, n, index, job);
        return;
    }
    n -= last; /* if the first element is the second of its pair */
    if (first != 0) mpx__exact_cast(d, s, first, index, job);
    mpx__dither(d + 2 * first, s + 4 * first, n - first, index + first,
                first != 0 ? 0 : job->stream, job);
    if (first != 0) mpx__exact_cast(d + 2 * n, s + 4 * n, last, index + n, job);
}
#endif

#endif /* !MPX__COMPACT && !MPX_NO_CAST_WITH */
