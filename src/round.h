/*==========================================================================*
 * MARK: round - rounding modes and saturation, for any float dtype          *
 *   On the way to a float dtype the f32 tile is first rounded to the        *
 *   dtype's precision and clamped to its range as the options ask; encoding *
 *   such a tile is exact.                                                   *
 *==========================================================================*/

/* ---- random bits ----------------------------------------------------------------------------- */

/* 16 bits for element `index`: half of a 32-bit word whose counter is index / 2, the lower half for
   even elements. The word is the counter, xored with a key of the seed, through two
   multiply-xorshift rounds (constants: Wellons, hash-prospector "lowbias32") with a second key
   between them, so that seeds do not permute each other's words. The counter's high half is mixed
   into the second key. */
MPX__FORCE_INLINE mpx__vu mpx__mix_lanes(mpx__vu x, mpx__vu key) {
    x = mpx__mul(mpx__xor(x, mpx__shr(x, 16)), mpx__set(0x7feb352du));
    x = mpx__xor(mpx__xor(x, mpx__shr(x, 15)), key);
    x = mpx__mul(x, mpx__set(0x846ca68bu));
    return mpx__xor(x, mpx__shr(x, 16));
}
MPX__INLINE uint32_t mpx__mix32(uint32_t x, uint32_t key) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x ^= key;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* ---- rounding the tile ----------------------------------------------------------------------- */

/* What rounding to a dtype needs to know. largest: f32 bits of its largest finite value; magnitudes
   above it and below clamp_end become it. */
typedef struct mpx__rounder {
    int rounding, saturate, man_bits, bias;
    uint32_t largest, clamp_end, key0, key1;
    uint64_t index; /* of the next element */
} mpx__rounder;

/* The second key of the words from the next element on, until the counter's high half changes. */
MPX__INLINE uint32_t mpx__second_key(const mpx__rounder *r) {
    return r->key1 ^ mpx__mix32((uint32_t)(r->index >> 33) + r->key1, r->key0);
}

MPX__INLINE uint32_t mpx__random16(const mpx__rounder *r) {
    uint32_t word = mpx__mix32((uint32_t)(r->index >> 1) ^ r->key0, mpx__second_key(r));
    return (r->index & 1u) != 0 ? word >> 16 : word & 0xffffu;
}

/* f32 bits rounded to man_bits and bias. `random` is what the mode adds before the cut: 16 random
   bits, placed at the top of what is lost, or 0. Inf and NaN stay.
   Normal results:    the lowest `drop` mantissa bits go.
   Subnormal results: the mantissa with its hidden bit counts units of 2^(1 - bias - man_bits), and
                      loses n bits so that whole units remain: (m + random * 2^(n - 16)) >> n. n is
                      at least 14, so 4 * m is shifted by n - 14, and the last 16 after the sum.
   e8m0:              of f32's subnormals, those up to 2^-127 stay and the others lose 22 bits. */
MPX__FORCE_INLINE mpx__vu mpx__round_to_format(mpx__vu u, mpx__vu random, int man_bits, int bias) {
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), v;
    v = mpx__add(a, drop < 16 ? mpx__shr(random, 16 - drop) : mpx__shl(random, drop - 16));
    v = mpx__shl(mpx__shr(v, drop), drop);
    if (bias < 127) {
        mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
        mpx__vu n_less_14 = mpx__sub(mpx__set((uint32_t)(drop + 128 - bias - 14)), mpx__shr(a, 23));
        mpx__vu cut = mpx__shrv(mpx__shl(m, 2), mpx__min(n_less_14, mpx__set(31)));
        mpx__vu units = mpx__shr(mpx__add(cut, random), 16);
        v = mpx__select(mpx__gt(mpx__set((uint32_t)(128 - bias) << 23), a),
                        mpx__decode_subnormal(units, man_bits, bias), v);
    } else if (man_bits == 0) {
        mpx__vu cut = mpx__shl(mpx__shr(mpx__add(a, mpx__shl(random, 6)), 22), 22);
        v = mpx__select(mpx__gt(mpx__set(0x800000u), a), cut, v);
        v = mpx__select(mpx__gt(a, mpx__set(0x400000u)), v, a);
    }
    v = mpx__select(mpx__gt(mpx__set(0x7f800000u), a), v, a);
    return mpx__or(v, mpx__and(u, mpx__set(0x80000000u)));
}

MPX__FORCE_INLINE mpx__vu mpx__clamp_to_format(mpx__vu u, uint32_t largest, uint32_t end) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), sign = mpx__xor(u, a);
    mpx__vu beyond = mpx__and(mpx__gt(a, mpx__set(largest)), mpx__gt(mpx__set(end), a));
    return mpx__select(beyond, mpx__or(sign, mpx__set(largest)), u);
}

/* Counters of the lanes, less that of the first. */
static const unsigned char mpx__lane_numbers[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                                     8, 9, 10, 11, 12, 13, 14, 15 };
typedef char mpx__lanes_have_numbers[MPX__LANES <= 16 ? 1 : -1];

/* A lane of random bits serves two elements: the lower half is to stand first in memory. */
MPX__FORCE_INLINE void mpx__store_halves(void *p, mpx__vu word) {
    const uint16_t one = 1;
    int little_endian = *(const unsigned char *)&one != 0;
    mpx__store32(p, little_endian ? word : mpx__or(mpx__shl(word, 16), mpx__shr(word, 16)));
}

/* Words from the next element on until the counter's high half changes; the counters of the first
   ones. */
MPX__INLINE uint64_t mpx__words_left(const mpx__rounder *r) {
    return ((uint64_t)1 << 32) - (r->index >> 1 & 0xffffffffu);
}
MPX__FORCE_INLINE mpx__vu mpx__first_counters(const mpx__rounder *r) {
    return mpx__add(mpx__set((uint32_t)(r->index >> 1)), mpx__load8(mpx__lane_numbers));
}

/* Groups of 2 * MPX__LANES elements in place, the first at an even index. */
MPX__PRIVATE void mpx__round_groups(void *tile, size_t groups, const mpx__rounder *r) {
    const int rounding = r->rounding, man_bits = r->man_bits, bias = r->bias;
    const uint32_t largest = r->largest, end = r->clamp_end;
    unsigned char *p = (unsigned char *)tile, random[MPX__LANES * 4];
    mpx__vu counter = mpx__first_counters(r), key0 = mpx__set(r->key0),
            key = mpx__set(mpx__second_key(r));
    int half;
    mpx__zero(random, sizeof random);
    for (; groups != 0; groups--, counter = mpx__add(counter, mpx__set(MPX__LANES))) {
        if (rounding == MPX_ROUND_STOCHASTIC)
            mpx__store_halves(random, mpx__mix_lanes(mpx__xor(counter, key0), key));
        for (half = 0; half < 2; half++, p += MPX__LANES * 4) {
            mpx__vu u = mpx__load32(p), random16 = mpx__load16(random + half * MPX__LANES * 2);
            if (rounding != MPX_ROUND_NEAREST)
                u = mpx__round_to_format(u, random16, man_bits, bias);
            mpx__store32(p, mpx__clamp_to_format(u, largest, end));
        }
    }
}

/* Elements from r->index on, as many as are done in one go; returns how many. Whole groups where
   they stand; what is no whole group, or starts at an odd index, in a group on the stack. Not past
   the word where the counter's high half changes. */
MPX__PRIVATE size_t mpx__round_some(void *tile, size_t n, const mpx__rounder *r) {
    enum { group = 2 * MPX__LANES };
    uint64_t words = mpx__words_left(r);
    size_t odd = (size_t)(r->index & 1u), groups = n / group, m = group - odd;
    uint32_t rest[group];
    if (groups > words / MPX__LANES) groups = (size_t)(words / MPX__LANES);
    if (groups != 0 && odd == 0) {
        mpx__round_groups(tile, groups, r);
        return groups * group;
    }
    if (words < MPX__LANES) m = (size_t)words * 2 - odd;
    if (m > n) m = n;
    mpx__zero(rest, sizeof rest);
    mpx__copy(rest + odd, tile, m * 4);
    mpx__round_groups(rest, 1, r);
    mpx__copy(tile, rest + odd, m * 4);
    return m;
}

/* A tile may stand at any address. */
MPX__PRIVATE void mpx__round_tile(void *tile, size_t n, mpx__rounder *r) {
    unsigned char *p = (unsigned char *)tile;
    while (n != 0 && (r->rounding != MPX_ROUND_NEAREST || r->saturate)) {
        size_t m = mpx__round_some(p, n, r);
        p += m * 4;
        n -= m;
        r->index += m;
    }
}

/* f32 to bf16 for rows of their own: elements that their way does not serve, `done` from the row's
   first; at most four vectors. */
MPX__PRIVATE void mpx__dither_exactly(unsigned char *d, const unsigned char *s, size_t n,
                                      const mpx__rounder *from_start, size_t done) {
    uint32_t tile[4 * MPX__LANES];
    mpx__rounder r;
    mpx__copy(&r, from_start, sizeof r); /* clang -Oz would call memcpy for an assignment */
    r.index += done;
    mpx__copy(tile, s, n * 4);
    mpx__round_tile(tile, n, &r);
    mpx__loop(d, 2, tile, 4, n, mpx__dec_f32, mpx__enc_bf16);
}

MPX__PRIVATE void mpx__rounder_set(mpx__rounder *r, mpx_dtype type, const mpx_cast_options *opt) {
    const mpx__row *row = mpx__row_of(type);
    uint32_t low = (uint32_t)opt->random_seed, high = (uint32_t)(opt->random_seed >> 32);
    r->rounding = opt->rounding;
    r->saturate = opt->saturate;
    r->man_bits = row->mantissa_bits;
    r->bias = row->bias;
    r->largest = row->kind == MPX_KIND_FLOAT ? mpx__largest_f32(row) : 0;
    r->clamp_end = opt->saturate                              ? 0x7f800001u /* Inf too */
                   : opt->rounding == MPX_ROUND_TOWARD_ZERO ? 0x7f800000u
                                                            : 0;
    r->key0 = mpx__mix32(low ^ 0x9e3779b9u, high);
    r->key1 = mpx__mix32(high + 0x85ebca6bu, low);
    r->index = opt->offset;
}

/* A wide number straight to f32 or f64 bits. */
MPX__PRIVATE void mpx__round_wide(void *p, mpx_dtype type, const mpx__wide *w, mpx__rounder *r) {
    int e = mpx__is_f64(type) ? 11 : 8, m = mpx__is_f64(type) ? 52 : 23;
    int bias = (1 << (e - 1)) - 1, stochastic = r->rounding == MPX_ROUND_STOCHASTIC;
    uint32_t random = stochastic ? mpx__random16(r) : 0;
    mpx__sig inf = (mpx__sig)((1 << e) - 1) << m, sign = (mpx__sig)w->sign << (e + m);
    mpx__sig code = mpx__float_code(w, e, m, bias, r->rounding, random);
    if (r->saturate && (code ^ sign) == inf) code--;
    r->index++;
    if (mpx__is_f64(type))
        mpx__write64(p, code);
    else
        mpx__write32(p, (uint32_t)code);
}
