/*==================================================================*
 * MARK: quant_ggml - blocks as GGUF files have them
 *   Each block has its scales beside its codes. f16 numbers are little-endian. Codes of four bits
 *   are split: byte j of a group has elements j and j + half.
 *   Source: ggml-quants.c and the gguf package 0.19: their float32 steps, each rounded once.
 *==================================================================*/
#if !MPX_NO_QUANT

MPX__INLINE uint32_t mpx__read_f16_le(const unsigned char *s) {
    return mpx_f16_to_bits((uint16_t)(s[0] | s[1] << 8));
}
MPX__INLINE void mpx__write_f16_le(unsigned char *d, uint32_t u) {
    const uint16_t code = mpx_f16_from_bits(u);
    d[0] = (unsigned char)(code & 255u);
    d[1] = (unsigned char)(code >> 8);
}
/* Two halves of codes of four bits, 2 * n of them, to n bytes, and back. */
static const uint64_t mpx__each_byte = 0x0101010101010101u;
static const unsigned char mpx__bits8[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
MPX__PRIVATE void mpx__join_halves(unsigned char *d, const unsigned char *codes, size_t n) {
    const uint64_t low = 15 * mpx__each_byte;
    size_t i;
    for (i = 0; i < n; i += 8)
        mpx__write64(d + i, (mpx__read64(codes + i) & low) |
                                (mpx__read64(codes + n + i) & low) << 4);
}
MPX__FORCE_INLINE void mpx__split_halves(unsigned char *codes, const unsigned char *s, size_t n) {
    const uint64_t low = 15 * mpx__each_byte;
    size_t i;
    for (i = 0; i < n; i += 8) {
        const uint64_t x = mpx__read64(s + i);
        mpx__write64(codes + i, x & low);
        mpx__write64(codes + n + i, x >> 4 & low);
    }
}

/* ---- to blocks ------------------------------------------------- */

/* What the scales of a band's blocks are made of. d: as stored. by: its reciprocal, or 0. least:
   what is subtracted first, Q4_1 and Q5_1. */
typedef struct mpx__ggml_band {
    unsigned char d[MPX__BAND_GROUPS * 4], by[MPX__BAND_GROUPS * 4], least[MPX__BAND_GROUPS * 4];
} mpx__ggml_band;

/* The first of a block's 32 floats with this magnitude. */
MPX__PRIVATE uint32_t mpx__first_with(const mpx__quantizer *z, const mpx__band *band, size_t group,
                                      uint32_t amax) {
    unsigned char tile[32 * 4];
    const unsigned char *s = mpx__floats_in(z, tile, band->row, band->col + group * 32, 32);
    size_t i = 0;
    while (i < 31 && (mpx__read32(s + i * 4) & 0x7fffffffu) != amax)
        i++;
    return mpx__read32(s + i * 4);
}
MPX__PRIVATE void mpx__ggml_scales(const mpx__quantizer *z, const mpx__band *band,
                                   mpx__ggml_band *g) {
    const int shifted = z->ggml->has_least, q8 = z->q->scheme == MPX_SCHEME_Q8_0;
    size_t i;
    mpx__band_largest(z, band, g->d, q8        ? MPX__LARGER
                                     : shifted ? MPX__LARGER_KEY : MPX__LARGER_ABOVE);
    if (!q8) mpx__band_largest(z, band, g->least, shifted ? MPX__LARGER_NOT_KEY : MPX__LARGER_BELOW);
    for (i = 0; !q8 && i < band->groups; i++) {
        unsigned char *d = g->d + i * 4, *least = g->least + i * 4;
        const uint32_t a = mpx__read32(d), b = mpx__read32(least);
        if (shifted) { /* the least is negated, to be added; of zeros it is the first */
            const uint32_t low = mpx__of_key(~b);
            mpx__write32(d, mpx__of_key(a));
            mpx__write32(least, (low << 1 == 0 ? mpx__first_with(z, band, i, 0) : low) ^ 0x80000000u);
        } else { /* of the largest magnitude; of two such, the first */
            mpx__write32(d, a > b   ? a
                            : a < b ? b | 0x80000000u : mpx__first_with(z, band, i, a));
        }
    }
    if (shifted) mpx__arith(g->d, g->d, g->least, MPX__BAND_GROUPS, 1, MPX__ADD);
    mpx__step_with(z, g->d, z->ggml->divisor, MPX__DIVIDE);
    mpx__fill(g->by, 0x3f800000u, MPX__BAND_GROUPS);
    mpx__arith(g->by, g->by, g->d, MPX__BAND_GROUPS, 1, MPX__DIVIDE);
    for (i = 0; i < band->groups; i++)
        if (mpx__read32(g->d + i * 4) << 1 == 0) mpx__write32(g->by + i * 4, 0);
    mpx__mend_nans(g->d, band->groups);
}
/* MXFP4: d: the code of a scale by the floor rule, at least 0, where ggml wraps. Values are nearest
   to what they were, and ties go to the smaller: then multiples of a quarter of the least
   difference lose their last bit, before they are rounded to even. */
MPX__PRIVATE void mpx__mxfp4_scales(const mpx__quantizer *z, const mpx__band *band,
                                    mpx__ggml_band *g) {
    size_t i;
    mpx__band_largest(z, band, g->d, MPX__LARGER);
    for (i = 0; i < band->groups; i++) {
        const uint32_t exponent = mpx__read32(g->d + i * 4) >> 23,
                       e = exponent > 2 ? exponent - 2 : 0;
        mpx__write32(g->d + i * 4, e);
        mpx__write32(g->by + i * 4, mpx__of_e8m0(254u - e));
    }
}
MPX__LOOP void mpx__mxfp4_codes(unsigned char *codes, unsigned char *tile, size_t n) {
    mpx_cast_options opt;
    size_t i, j;
    for (i = 0; i < n * 4; i += 32 * 4)
        for (j = 0; j < 32 * 4; j += 4) {
            const uint32_t u = mpx__read32(tile + i + j);
            mpx__write32(tile + i + j, u - ((u & 0xfffffu) == 0) + (u << 1 == 0));
        }
    mpx__zero(&opt, sizeof opt);
    opt.saturate = 1;
    opt.dst_layout = MPX_LAYOUT_BYTES;
    (void)mpx_cast_with(codes, MPX_F4E2M1FN, tile, MPX_F32, n, &opt);
    for (i = 0; i < n; i += 8) { /* no -0 */
        const uint64_t x = mpx__read64(codes + i), magnitude = 7 * mpx__each_byte;
        mpx__write64(codes + i, x & ((((x & magnitude) + magnitude) & ~magnitude) | magnitude));
    }
}
/* One block, of 32 codes. */
MPX__PRIVATE void mpx__ggml_put(const mpx__quantizer *z, unsigned char *d,
                                const unsigned char *codes, const mpx__ggml_band *g, size_t i) {
    const int scheme = z->q->scheme;
    size_t j;
    if (scheme == MPX_SCHEME_GGML_MXFP4)
        d[0] = (unsigned char)(mpx__read32(g->d + i * 4) & 255u);
    else
        mpx__write_f16_le(d, mpx__read32(g->d + i * 4));
    if (scheme == MPX_SCHEME_Q8_0) {
        for (j = 2; j < 34; j += 8)
            mpx__write64(d + j, mpx__read64(codes + j - 2));
        return;
    }
    if (z->ggml->has_least)
        mpx__write_f16_le(d + 2, mpx__read32(g->least + i * 4) ^ 0x80000000u);
    d += z->ggml->header;
    mpx__join_halves(d, codes, 16);
    if (z->ggml->codes != 32) return;
    for (j = 0, d -= 4; j < 4; j++) { /* bit 4 of byte i to bit i of a byte: their sum */
        const uint64_t x = mpx__read64(codes + j * 8) >> 4 & mpx__each_byte;
        d[j] = (unsigned char)((x * 255u & mpx__read64(mpx__bits8)) * mpx__each_byte >> 56);
    }
}
MPX__NOINLINE void mpx__ggml_tile(const mpx__quantizer *z, const mpx__band *band,
                                 const mpx__ggml_band *g, size_t c, size_t n) {
    unsigned char tile[MPX__QUANT_TILE * 4], codes[MPX__QUANT_TILE];
    const int scheme = z->q->scheme;
    const size_t col = band->col + c, first = c / 32;
    const unsigned char *s = mpx__floats_in(z, tile, band->row, col, n), *by = g->by + first * 4;
    unsigned char *d = z->out + (band->row * z->grid.cols + col) / 32 * z->ggml->block_bytes;
    mpx__coder k;
    size_t i;
    k.how = MPX__AWAY;
    k.low = -128;
    k.high = 127;
    k.mask = 255;
    if (scheme == MPX_SCHEME_Q8_0) {
        mpx__codes(codes, s, by, NULL, n, 32, &k);
    } else if (scheme == MPX_SCHEME_GGML_MXFP4) {
        mpx__arith(tile, s, by, n, 32, MPX__MULTIPLY);
        mpx__mxfp4_codes(codes, tile, n);
    } else {
        k.how = MPX__CUT;
        k.plus = z->ggml->half;
        k.low = 0;
        k.high = z->ggml->codes - 1;
        if (z->ggml->has_least) {
            mpx__arith(tile, s, g->least + first * 4, n, 32, MPX__ADD);
            s = tile;
        }
        mpx__codes(codes, s, by, NULL, n, 32, &k);
    }
    for (i = 0; i < n / 32; i++)
        mpx__ggml_put(z, d + i * z->ggml->block_bytes, codes + i * 32, g, first + i);
}
MPX__LOOP void mpx__ggml_quantize(const mpx__quantizer *z, const mpx__band *band) {
    mpx__ggml_band g;
    size_t c, n;
    if (z->q->scheme == MPX_SCHEME_GGML_MXFP4)
        mpx__mxfp4_scales(z, band, &g);
    else
        mpx__ggml_scales(z, band, &g);
    for (c = 0; c < band->cols; c += n) {
        n = mpx__tiles_of(band, c, 1);
        mpx__ggml_tile(z, band, &g, c, n);
    }
}

/* ---- from blocks ----------------------------------------------- */

/* What a band of blocks holds: codes; for each group what they are multiplied by, then, for each
   again, what is added; and the integers that these are multiplied by first: f32. special: a scale
   is Inf or NaN. */
typedef struct mpx__ggml_codes {
    unsigned char codes[MPX__BAND_GROUPS * 32], by[2 * MPX__BAND_GROUPS * 4],
        factor[2 * MPX__BAND_GROUPS * 4];
    size_t plus; /* where what is added begins, in groups */
    int special;
} mpx__ggml_codes;

/* An f16 as an f32 that is to be multiplied by 2^112, except Inf and NaN. */
MPX__INLINE uint32_t mpx__moved_f16_le(const unsigned char *s, int *special) {
    const uint32_t h = (uint32_t)(s[0] | s[1] << 8), u = (h & 0x8000u) << 16 | (h & 0x7fffu) << 13;
    if ((h & 0x7c00u) != 0x7c00u) return u;
    *special = 1;
    return u + 0x70000000u;
}
/* A block of Q4_K or Q5_K: d, dmin, eight scales and minima of six bits, bit 4 of Q5_K's codes, then
   64 codes in every 32 bytes. Lower four bits of the last four scales and minima are together, upper
   two above the first. Bit 4 of codes 32 k to 32 k + 31 is bit k of 32 bytes. */
MPX__PRIVATE void mpx__get_q4_k(mpx__ggml_codes *t, unsigned char *codes, size_t g,
                                const unsigned char *s, int five) {
    const uint32_t by = mpx__moved_f16_le(s, &t->special),
                   plus = mpx__moved_f16_le(s + 2, &t->special) ^ 0x80000000u;
    const unsigned char *low = s + 4;
    const size_t at_plus = t->plus;
    size_t j;
    for (j = 0; j < 8; j++, g++) {
        const unsigned both = low[j % 4 + 8], scale = j < 4 ? low[j] & 63u
                                                   : (both & 15u) | (unsigned)low[j - 4] >> 6 << 4,
                       min = j < 4 ? low[j + 4] & 63u : both >> 4 | (unsigned)low[j] >> 6 << 4;
        mpx__write32(t->by + g * 4, by);
        mpx__write32(t->factor + g * 4, MPX__INT_IN_F32 + scale);
        mpx__write32(t->by + (at_plus + g) * 4, plus);
        mpx__write32(t->factor + (at_plus + g) * 4, MPX__INT_IN_F32 + min);
    }
    for (j = 0; j < 4; j++)
        mpx__split_halves(codes + j * 64, s + (five ? 48 : 16) + j * 32, 32);
    for (j = 0; five && j < 256; j += 8) {
        const uint64_t bits = mpx__read64(s + 16 + j % 32) >> j / 32 & mpx__each_byte;
        mpx__write64(codes + j, mpx__read64(codes + j) | bits << 4);
    }
}
/* A block of Q6_K: lower four bits, upper two, 16 scales, d. */
MPX__PRIVATE void mpx__get_q6_k(mpx__ggml_codes *t, unsigned char *codes, size_t g,
                                const unsigned char *s) {
    const uint64_t top = 128 * mpx__each_byte, less = 32 * mpx__each_byte;
    const uint32_t by = mpx__moved_f16_le(s + 208, &t->special);
    size_t i, j;
    for (j = 0; j < 16; j++, g++) {
        mpx__write32(t->by + g * 4, by);
        mpx__write32(t->factor + g * 4, MPX__INT_IN_F32 - 128u + (s[192 + j] ^ 128u));
    }
    for (i = 0; i < 2; i++) {
        mpx__split_halves(codes + i * 128, s + i * 64, 64);
        for (j = 0; j < 128; j += 8) {
            unsigned char *at = codes + i * 128 + j;
            const uint64_t high = mpx__read64(s + 128 + i * 32 + j % 32) >> j / 32 * 2 << 4;
            mpx__write64(at, ((mpx__read64(at) | (high & 48 * mpx__each_byte) | top) - less) ^ top);
        }
    }
}
/* Bit i of a byte to bit 4 of byte i. */
MPX__INLINE uint64_t mpx__fifth_bits(uint64_t bits) {
    return ((bits * mpx__each_byte & mpx__read64(mpx__bits8)) + 127 * mpx__each_byte) >> 3 &
           16 * mpx__each_byte;
}
/* Codes of 32, signed, from four or five bits; `half` is subtracted. */
MPX__FORCE_INLINE void mpx__get_nibbles(unsigned char *codes, const unsigned char *s,
                                        const unsigned char *high, unsigned half) {
    const uint64_t low = 15 * mpx__each_byte, top = 128 * mpx__each_byte,
                   less = half * mpx__each_byte;
    size_t i;
    MPX__UNROLL
    for (i = 0; i < 2; i++) {
        uint64_t x = mpx__read64(s + i * 8), y = x >> 4 & low;
        x &= low;
        if (high != NULL) {
            x |= mpx__fifth_bits(high[i]);
            y |= mpx__fifth_bits(high[i + 2]);
        }
        mpx__write64(codes + i * 8, ((x | top) - less) ^ top);
        mpx__write64(codes + 16 + i * 8, ((y | top) - less) ^ top);
    }
}
/* Codes of e2m1, in bytes, to twice their values, as MPX__TWICE_E2M1 has them: ggml has no -0. */
MPX__INLINE uint64_t mpx__twice_e2m1(uint64_t x) {
    const uint64_t one = mpx__each_byte, a = x & 7 * one, large = x >> 2 & one, odd = x & large,
                   upper = x >> 1 & large, twice = a + odd + ((upper + (odd & upper)) << 1),
                   minus = x >> 3 & (a + 7 * one) >> 3 & one;
    return (twice ^ ((minus << 8) - minus)) + minus;
}
MPX__FORCE_INLINE void mpx__get_e2m1(unsigned char *codes, const unsigned char *s, size_t n) {
    const uint64_t low = 15 * mpx__each_byte;
    size_t i;
    for (i = 0; i < n; i += 8) {
        const uint64_t x = mpx__read64(s + i);
        mpx__write64(codes + i, mpx__twice_e2m1(x & low));
        mpx__write64(codes + n + i, mpx__twice_e2m1(x >> 4 & low));
    }
}
/* A block of four groups of 16, each with its own scale: f8e4m3fn without a sign, but that ggml
   reads 0x7f as 0 and 0xff as 480. Half of it is the f32 with these fields times 2^119. */
MPX__PRIVATE void mpx__get_nvfp4(mpx__ggml_codes *t, unsigned char *codes, size_t g,
                                 const unsigned char *s) {
    size_t j;
    for (j = 0; j < 4; j++) {
        mpx__write32(t->by + (g + j) * 4, s[j] == 127 ? 0 : (s[j] & 127u) << 20);
        mpx__get_e2m1(codes + j * 16, s + 4 + j * 8, 8);
    }
}
/* The block at s; g: its first group. */
MPX__PRIVATE void mpx__ggml_get(const mpx__ggml *ggml, mpx__ggml_codes *t, unsigned char *codes,
                                size_t g, const unsigned char *s) {
    const int scheme = ggml->scheme;
    if (scheme == MPX_SCHEME_Q4_K || scheme == MPX_SCHEME_Q5_K) {
        mpx__get_q4_k(t, codes, g, s, scheme == MPX_SCHEME_Q5_K);
    } else if (scheme == MPX_SCHEME_Q6_K) {
        mpx__get_q6_k(t, codes, g, s);
    } else if (scheme == MPX_SCHEME_GGML_NVFP4) {
        mpx__get_nvfp4(t, codes, g, s);
    } else { /* GGML_MXFP4 */
        mpx__write32(t->by + g * 4, s[0] > 1 ? (s[0] - 1u) << 23 : 0x200000u << s[0]); /* half */
        mpx__get_e2m1(codes, s + 1, 16);
    }
}
/* n blocks of the formats that have a divisor. The codes of Q8_0 are taken where they are. */
MPX__LOOP void mpx__get_simple(const mpx__ggml *ggml, mpx__ggml_codes *t, size_t n,
                               const unsigned char *s) {
    const size_t block = ggml->block_bytes, header = ggml->header;
    const int has_least = ggml->has_least, levels = ggml->codes;
    unsigned char *by = t->by, *plus = t->by + t->plus * 4, *codes = t->codes;
    int special = 0;
    for (; n != 0; n--, s += block, by += 4, plus += 4, codes += 32) {
        mpx__write32(by, mpx__moved_f16_le(s, &special));
        if (has_least) mpx__write32(plus, mpx__moved_f16_le(s + 2, &special));
        if (levels == 16)
            mpx__get_nibbles(codes, s + header, NULL, has_least ? 0 : 8);
        else if (levels == 32)
            mpx__get_nibbles(codes, s + header, s + header - 4, has_least ? 0 : 16);
    }
    t->special = special;
}
/* The numbers of n groups: their unit, and integers as factors. */
MPX__PRIVATE void mpx__ggml_numbers(mpx__ggml_codes *t, int scheme, size_t n) {
    unsigned char unit[4];
    mpx__write32(unit, scheme == MPX_SCHEME_GGML_NVFP4 ? 0x7b000000u : 0x77800000u);
    if (scheme != MPX_SCHEME_GGML_MXFP4) mpx__arith(t->by, t->by, unit, n, 0, MPX__MULTIPLY);
    if (scheme < MPX_SCHEME_Q4_K || scheme > MPX_SCHEME_Q6_K) return;
    mpx__ints_to_f32(t->factor, n);
    mpx__arith(t->by, t->by, t->factor, n, 1, MPX__MULTIPLY);
}
/* Columns c and on of a band, n of them. */
MPX__NOINLINE void mpx__ggml_floats(const mpx__quantizer *z, const mpx__ggml_codes *t,
                                    const unsigned char *codes, size_t step, size_t col, size_t c,
                                    size_t n) {
    unsigned char tile[MPX__QUANT_TILE * 4];
    const size_t group = z->grid.group, g = c / group;
    unsigned char *d = z->type->type == MPX_F32 ? mpx__float_at(z, 0, col + c) : tile;
    mpx__fetch_ahead(z, 0, col + c, n);
    mpx__values(d, codes + g * step, step, t->by + g * 4,
                z->ggml->has_least ? t->by + (t->plus + g) * 4 : NULL, n / group, group);
    if (t->special) mpx__mend_nans(d, n);
    mpx__floats_out(z, d, 0, col + c, n);
}
MPX__LOOP void mpx__ggml_dequantize(const mpx__quantizer *z, const mpx__band *band) {
    const size_t block = z->ggml->block, bytes = z->ggml->block_bytes,
                 groups = block / z->grid.group, m = mpx__padded(band->groups);
    const int direct = z->q->scheme == MPX_SCHEME_Q8_0, simple = z->ggml->divisor != 0;
    const unsigned char *s = z->out + band->col / block * bytes;
    mpx__ggml_codes t;
    size_t c, n, i;
    t.special = 0;
    t.plus = m;
    if (m != band->groups) mpx__zero(t.by, sizeof t.by + sizeof t.factor);
    if (simple) mpx__get_simple(z->ggml, &t, band->groups, s);
    for (i = 0; !simple && i < band->cols / block; i++)
        mpx__ggml_get(z->ggml, &t, t.codes + i * block, i * groups, s + i * bytes);
    mpx__ggml_numbers(&t, z->q->scheme, z->ggml->has_least ? 2 * m : m);
    for (c = 0; c < band->cols; c += n) {
        n = z->type->type == MPX_F32 ? band->cols : mpx__tiles_of(band, c, 1);
        mpx__ggml_floats(z, &t, direct ? s + 2 : t.codes, direct ? bytes : z->grid.group,
                         band->col, c, n);
    }
}

#endif /* !MPX_NO_QUANT */
