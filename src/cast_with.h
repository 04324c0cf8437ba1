/*==========================================================================*
 * MARK: cast_with - rounding modes, saturation, layouts, strides            *
 *   Options do not multiply the codecs. On the way to a float dtype the f32 *
 *   tile is first rounded to the dtype's precision and clamped to its range *
 *   as the options ask; encoding such a tile is exact.                      *
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

/* Groups of 2 * MPX__LANES elements in place, the first at an even index. */
MPX__PRIVATE void mpx__round_groups(void *tile, size_t groups, const mpx__rounder *r) {
    const int rounding = r->rounding, man_bits = r->man_bits, bias = r->bias;
    const uint32_t largest = r->largest, end = r->clamp_end;
    unsigned char *p = (unsigned char *)tile, random[MPX__LANES * 4];
    mpx__vu counter = mpx__add(mpx__set((uint32_t)(r->index >> 1)), mpx__load8(mpx__lane_numbers)),
            key0 = mpx__set(r->key0), key = mpx__set(mpx__second_key(r));
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
MPX__PRIVATE size_t mpx__round_some(uint32_t *tile, size_t n, const mpx__rounder *r) {
    enum { GROUP = 2 * MPX__LANES };
    uint64_t words = ((uint64_t)1 << 32) - (r->index >> 1 & 0xffffffffu);
    size_t odd = (size_t)(r->index & 1u), groups = n / GROUP, m = GROUP - odd;
    uint32_t rest[GROUP];
    if (groups > words / MPX__LANES) groups = (size_t)(words / MPX__LANES);
    if (groups != 0 && odd == 0) {
        mpx__round_groups(tile, groups, r);
        return groups * GROUP;
    }
    if (words < MPX__LANES) m = (size_t)words * 2 - odd;
    if (m > n) m = n;
    mpx__zero(rest, sizeof rest);
    mpx__copy(rest + odd, tile, m * 4);
    mpx__round_groups(rest, 1, r);
    mpx__copy(tile, rest + odd, m * 4);
    return m;
}

MPX__PRIVATE void mpx__round_tile(uint32_t *tile, size_t n, mpx__rounder *r) {
    while (n != 0 && (r->rounding != MPX_ROUND_NEAREST || r->saturate)) {
        size_t m = mpx__round_some(tile, n, r);
        tile += m;
        n -= m;
        r->index += m;
    }
}

#if MPX__HAS_FLOAT && MPX_ISA != MPX_ISA_AVX512
/* f32 to bf16: the sums' upper halves. A block with what they do not serve goes the way of the
   tile. Whole blocks from r->index on, while the counter's high half stays; returns how many
   elements that is. */
MPX__PRIVATE void mpx__dither_specials(unsigned char *d, const unsigned char *s, mpx__rounder *r) {
    uint32_t tile[MPX__BLOCK];
    mpx__copy(tile, s, sizeof tile);
    mpx__round_tile(tile, MPX__BLOCK, r);
    mpx__loop(d, 2, tile, 4, MPX__BLOCK, mpx__dec_f32, mpx__enc_bf16);
}
MPX__FORCE_INLINE mpx__vu mpx__dither_pair(const mpx__vu v[2], mpx__vu word) {
    mpx__vu random[2];
    mpx__unpack_unsigned16(random, word);
    return mpx__join_upper16(mpx__add(v[0], random[0]), mpx__add(v[1], random[1]));
}
MPX__PRIVATE size_t mpx__dither_bf16(unsigned char *d, const unsigned char *s, size_t n,
                                     mpx__rounder *r) {
    const mpx__vu key0 = mpx__set(r->key0), key = mpx__set(mpx__second_key(r));
    const uint32_t limit = r->saturate ? 0x7f7e : 0x7f7f; /* of the upper halves of magnitudes */
    mpx__vu counter = mpx__add(mpx__set((uint32_t)(r->index >> 1)), mpx__load8(mpx__lane_numbers));
    uint64_t words = ((uint64_t)1 << 32) - (r->index >> 1 & 0xffffffffu);
    size_t all = n / 2 < words ? n : (size_t)words * 2;
    if ((r->index & 1u) != 0) return 0;
    for (n = all -= all % MPX__BLOCK; n != 0; n -= MPX__BLOCK) {
        mpx__vu next = mpx__add(counter, mpx__set(MPX__LANES)), v[4];
        mpx__load_block(v, s);
        if (mpx__above_block(v, limit)) {
            mpx__rounder block = *r;
            block.index += all - n;
            mpx__dither_specials(d, s, &block);
        } else {
            mpx__vu a = mpx__mix_lanes(mpx__xor(counter, key0), key);
            mpx__vu b = mpx__mix_lanes(mpx__xor(next, key0), key);
            mpx__store32(d, mpx__dither_pair(v, a));
            mpx__store32(d + MPX__VECTOR, mpx__dither_pair(v + 2, b));
        }
        counter = mpx__add(next, mpx__set(MPX__LANES));
        d += MPX__BLOCK * 2;
        s += MPX__BLOCK * 4;
    }
    return all;
}
#else
MPX__INLINE size_t mpx__dither_bf16(unsigned char *d, const unsigned char *s, size_t n,
                                    mpx__rounder *r) {
    (void)d, (void)s, (void)n, (void)r;
    return 0;
}
#endif

/* A wide number straight to f32 or f64 bits. */
MPX__PRIVATE void mpx__round_wide(void *p, mpx_dtype type, const mpx__wide *w, mpx__rounder *r) {
    int e = type == MPX_F64 ? 11 : 8, m = type == MPX_F64 ? 52 : 23;
    int bias = (1 << (e - 1)) - 1, stochastic = r->rounding == MPX_ROUND_STOCHASTIC;
    uint32_t random = stochastic ? mpx__random16(r) : 0;
    uint64_t inf = (uint64_t)((1 << e) - 1) << m, sign = (uint64_t)w->sign << (e + m);
    uint64_t code = mpx__float_code(w, e, m, bias, r->rounding, random);
    if (r->saturate && (code ^ sign) == inf) code--;
    r->index++;
    if (type == MPX_F64)
        mpx__write64(p, code);
    else
        mpx__write32(p, (uint32_t)code);
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* Where element i of a split block array lies: its byte, and whether in the upper half. */
MPX__INLINE size_t mpx__split_byte(size_t i, size_t block, int *upper) {
    size_t half = block / 2, in_block = i % block;
    *upper = in_block >= half;
    return i / block * half + (*upper ? in_block - half : in_block);
}

/* Codes of elements start .. start + n of a whole array, one per byte. */
MPX__PRIVATE void mpx__read_codes(unsigned char *codes, const void *src, int bits, int layout,
                                  size_t block, size_t start, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    unsigned mask = (1u << bits) - 1u;
    size_t i;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__unpack(codes, s + start / 8 * (size_t)bits, bits, n); /* start is a multiple of 8 */
        return;
    }
    for (i = 0; i < n; i++) {
        int upper = 0;
        size_t at =
            layout == MPX_LAYOUT_BYTES ? start + i : mpx__split_byte(start + i, block, &upper);
        codes[i] = (unsigned char)((unsigned)s[at] >> (upper ? 4 : 0) & mask);
    }
}

/* And back. Of a split byte the lower half is written first, and clears the upper. */
MPX__PRIVATE void mpx__write_codes(void *dst, const unsigned char *codes, int bits, int layout,
                                   size_t block, size_t start, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    size_t i;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__pack(d + start / 8 * (size_t)bits, codes, bits, n);
        return;
    }
    for (i = 0; i < n; i++) {
        int upper = 0;
        size_t at =
            layout == MPX_LAYOUT_BYTES ? start + i : mpx__split_byte(start + i, block, &upper);
        d[at] = (unsigned char)(upper ? d[at] | (unsigned)codes[i] << 4 : codes[i]);
        MPX__KEEP_LOOP(); /* else clang calls memcpy for the byte layout */
    }
}

/* ---- one side of a cast ---------------------------------------------------------------------- */

/* An array of any dtype and layout. */
typedef struct mpx__side {
    unsigned char *data;
    mpx_dtype type;
    int bits, layout;
    size_t block;
} mpx__side;

MPX__PRIVATE void mpx__side_set(mpx__side *side, const void *data, mpx_dtype type, int layout,
                                size_t block) {
    side->data = (unsigned char *)(uintptr_t)data;
    side->type = type;
    side->bits = mpx_dtype_bits(type);
    side->layout = side->bits < 8 ? layout : MPX_LAYOUT_PACKED;
    side->block = block;
}

MPX__INLINE unsigned char *mpx__side_at(const mpx__side *side, size_t i) {
    return side->data + i / 8 * (size_t)side->bits + i % 8 * (size_t)side->bits / 8;
}

/* At most MPX_TILE elements from index i on, to and from f32 bits or, bits as they are, another
   array of the same dtype. i is a multiple of 16. */
MPX__PRIVATE void mpx__side_to_f32(const mpx__side *side, size_t i, uint32_t *tile, size_t n) {
    unsigned char codes[MPX_TILE];
    if (side->layout == MPX_LAYOUT_PACKED) {
        mpx__to_f32(side->type, tile, mpx__side_at(side, i), n);
        return;
    }
    mpx__read_codes(codes, side->data, side->bits, side->layout, side->block, i, n);
    mpx__codes_to_f32(side->type, tile, codes, n);
}

MPX__PRIVATE void mpx__side_from_f32(const mpx__side *side, size_t i, const uint32_t *tile,
                                     size_t n) {
    unsigned char codes[MPX_TILE];
    if (side->layout == MPX_LAYOUT_PACKED) {
        mpx__from_f32(side->type, mpx__side_at(side, i), tile, n);
        return;
    }
    mpx__tile_to_codes(side->type, codes, tile, n);
    mpx__write_codes(side->data, codes, side->bits, side->layout, side->block, i, n);
}

MPX__PRIVATE void mpx__side_copy(const mpx__side *dst, const mpx__side *src, size_t i, size_t n) {
    unsigned char codes[MPX_TILE];
    if (dst->bits >= 8) {
        mpx__copy(mpx__side_at(dst, i), mpx__side_at(src, i), mpx_dtype_bytes(dst->type, n));
        return;
    }
    mpx__read_codes(codes, src->data, src->bits, src->layout, src->block, i, n);
    mpx__write_codes(dst->data, codes, dst->bits, dst->layout, dst->block, i, n);
}

/* ---- the cast -------------------------------------------------------------------------------- */

/* Where the target holds more than the hub: to f64, and to f32 from a wide dtype. Straight from the
   wide number. */
MPX__PRIVATE void mpx__cast_wide_piece(const mpx__side *dst, const mpx__side *src, size_t i,
                                       size_t n, mpx__rounder *r) {
    uint32_t tile[MPX_TILE];
    mpx__wide_load_fn load = mpx__wide_loader(src->type);
    size_t k;
    if (load == NULL) mpx__side_to_f32(src, i, tile, n);
    for (k = 0; k < n; k++) {
        mpx__wide w;
        if (load != NULL)
            load(&w, mpx__side_at(src, i + k));
        else
            mpx__wide_from_f32(&w, tile[k]);
        mpx__round_wide(mpx__side_at(dst, i + k), dst->type, &w, r);
    }
}

/* Elements i .. i + n, at most MPX_TILE. Casts among wide dtypes that are exact, truncate or round
   to nearest are mpx_cast's. */
MPX__PRIVATE void mpx__cast_piece(const mpx__side *dst, const mpx__side *src, size_t i, size_t n,
                                  mpx__rounder *r) {
    uint32_t tile[MPX_TILE];
    int from_wide = mpx__wide_loader(src->type) != NULL,
        to_wide = mpx__wide_storer(dst->type) != NULL; /* or f32 */
    int plain = !r->saturate && (r->rounding == MPX_ROUND_NEAREST || !from_wide);
    if (dst->type == src->type) {
        mpx__side_copy(dst, src, i, n);
    } else if (from_wide && to_wide && (plain || !mpx_dtype_is_floating(dst->type))) {
        (void)mpx_cast(mpx__side_at(dst, i), dst->type, mpx__side_at(src, i), src->type, n);
    } else if ((from_wide && to_wide) || (dst->type == MPX_F64 && !plain)) {
        mpx__cast_wide_piece(dst, src, i, n, r);
    } else {
        mpx__side_to_f32(src, i, tile, n);
        if (mpx_dtype_is_floating(dst->type) && dst->type != MPX_F64) mpx__round_tile(tile, n, r);
        mpx__side_from_f32(dst, i, tile, n);
    }
}

#if !MPX_NO_STATS
/* n elements of one side as f64, at most MPX__STATS_TILE. */
MPX__PRIVATE void mpx__side_to_f64(const mpx__side *side, size_t i, unsigned char *out, size_t n) {
    unsigned char codes[MPX__STATS_TILE];
    uint32_t tile[MPX__STATS_TILE];
    if (mpx__wide_loader(side->type) != NULL || side->bits >= 8) {
        (void)mpx_cast(out, MPX_F64, mpx__side_at(side, i), side->type, n);
        return;
    }
    mpx__read_codes(codes, side->data, side->bits, side->layout, side->block, i, n);
    mpx__codes_to_f32(side->type, tile, codes, n);
    (void)mpx_cast(out, MPX_F64, tile, MPX_F32, n);
}

/* The same piece by piece, looking at it before and after. */
MPX__PRIVATE void mpx__cast_piece_stats(const mpx__side *dst, const mpx__side *src, size_t i,
                                        size_t n, mpx__rounder *r, mpx_cast_stats *stats) {
    unsigned char before[MPX__STATS_TILE * 8], after[MPX__STATS_TILE * 8];
    mpx__target target;
    if (mpx__row_of(dst->type)->kind == MPX_KIND_COMPLEX) { /* a copy: nothing to be lost */
        stats->count += n;
        mpx__cast_piece(dst, src, i, n, r);
        return;
    }
    mpx__target_set(&target, dst->type);
    while (n != 0) {
        size_t m = n < MPX__STATS_TILE ? n : MPX__STATS_TILE;
        mpx__side_to_f64(src, i, before, m);
        mpx__cast_piece(dst, src, i, m, r);
        mpx__side_to_f64(dst, i, after, m);
        mpx__stats_add(stats, &target, before, after, m);
        i += m;
        n -= m;
    }
}
#endif

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

MPX__PRIVATE mpx_status mpx__check_layout(mpx_dtype type, int layout, size_t block, size_t n) {
    if (layout < MPX_LAYOUT_PACKED || layout > MPX_LAYOUT_SPLIT) return MPX_ERR_ARGUMENT;
    if (layout != MPX_LAYOUT_SPLIT || mpx_dtype_bits(type) >= 8 || n == 0) return MPX_OK;
    return mpx_dtype_bits(type) == 4 && block % 2 == 0 && n % block == 0 ? MPX_OK
                                                                         : MPX_ERR_ARGUMENT;
}

MPX__PRIVATE mpx_status mpx__check_cast(mpx_dtype dst_type, mpx_dtype src_type, size_t n,
                                        size_t block, const mpx_cast_options *opt) {
    mpx_status status = mpx_cast(NULL, dst_type, NULL, src_type, 0); /* the dtypes alone */
    if (status != MPX_OK) return status;
    if (opt->rounding < MPX_ROUND_NEAREST || opt->rounding > MPX_ROUND_STOCHASTIC)
        return MPX_ERR_ARGUMENT;
    status = mpx__check_layout(dst_type, opt->dst_layout, block, n);
    return status != MPX_OK ? status : mpx__check_layout(src_type, opt->src_layout, block, n);
}

/* To nearest, where the codes of dtypes below a byte are packed or have a byte each, a row of its
   own may serve from the start, and one for random bits; returns how many elements it served. */
MPX__PRIVATE size_t mpx__with_rows(const mpx__side *dst, const mpx__side *src, size_t n,
                                   const mpx_cast_options *opt, mpx__rounder *r) {
    int narrow = dst->bits < 8 ? dst->layout : src->layout;
    size_t head, done;
    mpx__span span;
    if (opt->rounding == MPX_ROUND_STOCHASTIC && dst->type == MPX_BF16 && src->type == MPX_F32 &&
        (opt->stats == NULL || MPX_NO_STATS)) {
        done = mpx__dither_bf16(dst->data, src->data, n, r);
        r->index += done;
        return done;
    }
    if (opt->rounding != MPX_ROUND_NEAREST || dst->type == src->type ||
        (opt->stats != NULL && !MPX_NO_STATS) || narrow == MPX_LAYOUT_SPLIT ||
        (dst->bits < 8 && src->bits < 8))
        return 0;
    head = mpx__span_set(&span, dst->data, dst->type, src->data, src->type, n, opt->saturate != 0,
                         narrow == MPX_LAYOUT_PACKED);
    for (done = 0; done < head; done += 16)
        mpx__cast_piece(dst, src, done, head - done < 16 ? head - done : 16, r);
    mpx__span_advance(&span, head);
    done = head + mpx__fast_rows(&span);
    r->index = opt->offset + done;
    return done;
}

MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx_cast_options *opt) {
    mpx__side to, from;
    mpx__rounder r;
    mpx_status status;
    size_t i, m, block;
    if (opt == NULL) return mpx_cast(dst, dst_type, src, src_type, n);
    block = opt->split_block != 0 ? opt->split_block : n;
    status = mpx__check_cast(dst_type, src_type, n, block, opt);
    if (status != MPX_OK) return status;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    mpx__side_set(&to, dst, dst_type, opt->dst_layout, block);
    mpx__side_set(&from, src, src_type, opt->src_layout, block);
    mpx__rounder_set(&r, dst_type, opt);
    for (i = mpx__with_rows(&to, &from, n, opt, &r); i < n; i += m) {
        m = n - i < MPX_TILE ? n - i : MPX_TILE;
#if !MPX_NO_STATS
        if (opt->stats != NULL) {
            mpx__cast_piece_stats(&to, &from, i, m, &r, opt->stats);
            continue;
        }
#endif
        mpx__cast_piece(&to, &from, i, m, &r);
    }
    return MPX_OK;
}

/* ---- strides --------------------------------------------------------------------------------- */

/* Items of `size` bytes, every `stride` bytes, gathered into a row or scattered from one. */
MPX__PRIVATE void mpx__move_items(unsigned char *dst, size_t dst_stride, const unsigned char *src,
                                  size_t src_stride, size_t size, size_t n) {
    for (; n != 0; n--, dst += dst_stride, src += src_stride)
        mpx__copy(dst, src, size);
}

/* By rows of as many whole items as fit a tile; an item wider than that is a row of its own. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype dst_type, size_t dst_stride,
                                    const void *src, mpx_dtype src_type, size_t src_stride,
                                    size_t n, size_t components, const mpx_cast_options *opt) {
    enum { ROW = MPX_TILE / 4 };
    unsigned char in[ROW * 16], out[ROW * 16], *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t dst_size = mpx_dtype_bytes(dst_type, components),
           src_size = mpx_dtype_bytes(src_type, components);
    size_t items = components != 0 && components <= ROW ? ROW / components : 1;
    mpx_cast_options piece;
    mpx_status status;
    mpx__zero(&piece, sizeof piece);
    if (opt != NULL) mpx__copy(&piece, opt, sizeof piece);
    status = mpx__check_cast(dst_type, src_type, 0, 0, &piece);
    if (status != MPX_OK) return status;
    if (mpx_dtype_bits(dst_type) < 8 || mpx_dtype_bits(src_type) < 8) return MPX_ERR_DTYPE;
    if (components == 0 || (n > 1 && (dst_stride < dst_size || src_stride < src_size)))
        return MPX_ERR_ARGUMENT;
    while (n != 0) {
        size_t m = n < items ? n : items;
        if (components > ROW) {
            (void)mpx_cast_with(d, dst_type, s, src_type, components, &piece);
        } else {
            mpx__move_items(in, src_size, s, src_stride, src_size, m);
            (void)mpx_cast_with(out, dst_type, in, src_type, m * components, &piece);
            mpx__move_items(d, dst_stride, out, dst_size, dst_size, m);
        }
        piece.offset += m * components;
        d += m * dst_stride;
        s += m * src_stride;
        n -= m;
    }
    return MPX_OK;
}

/* ---- fp8 between the OCP and the fnuz formats ------------------------------------------------ */

/* A code c of the fnuz format is worth half of the same code in the OCP format: its bias is one
   more. to_fnuz: codes from `special` on (NaN, Inf) become the NaN 80. Else: what lies above the
   largest OCP code becomes it. */
MPX__INLINE unsigned mpx__rebias(unsigned code, unsigned special, int to_fnuz) {
    unsigned a = code & 0x7fu;
    if (to_fnuz) return a == 0 ? 0 : a >= special ? 0x80 : code;
    return code == 0x80 ? 0x7f : a >= special ? (code & 0x80u) | (special - 1u) : code;
}

MPX_API mpx_status mpx_f8_rebias(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int e4m3 = (dst_type == MPX_F8E4M3FNUZ && src_type == MPX_F8E4M3FN) ||
               (dst_type == MPX_F8E4M3FN && src_type == MPX_F8E4M3FNUZ);
    int e5m2 = (dst_type == MPX_F8E5M2FNUZ && src_type == MPX_F8E5M2) ||
               (dst_type == MPX_F8E5M2 && src_type == MPX_F8E5M2FNUZ);
    int to_fnuz = dst_type == MPX_F8E4M3FNUZ || dst_type == MPX_F8E5M2FNUZ;
    if (!e4m3 && !e5m2) return MPX_ERR_DTYPE;
    for (; n != 0; n--)
        *d++ = (unsigned char)mpx__rebias(*s++, e4m3 ? 0x7fu : 0x7cu, to_fnuz);
    return MPX_OK;
}
