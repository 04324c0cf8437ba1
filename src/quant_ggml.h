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
/* `half` is subtracted from each. */
MPX__PRIVATE void mpx__split_halves(unsigned char *codes, const unsigned char *s, size_t n,
                                    unsigned half) {
    const uint64_t low = 15 * mpx__each_byte, top = 128 * mpx__each_byte,
                   less = half * mpx__each_byte;
    size_t i;
    for (i = 0; i < n; i += 8) {
        const uint64_t x = mpx__read64(s + i);
        mpx__write64(codes + i, (((x & low) | top) - less) ^ top);
        mpx__write64(codes + n + i, (((x >> 4 & low) | top) - less) ^ top);
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
    const int shifted = z->ggml->has_least;
    size_t i;
    mpx__band_largest(z, band, g->d, shifted ? MPX__LARGER_KEY : MPX__LARGER);
    mpx__zero(g->least, sizeof g->least);
    if (shifted) mpx__band_largest(z, band, g->least, MPX__LARGER_NOT_KEY);
    for (i = 0; i < band->groups; i++) {
        unsigned char *d = g->d + i * 4, *least = g->least + i * 4;
        if (shifted) { /* the least is negated, to be added */
            mpx__write32(d, mpx__of_key(mpx__read32(d)));
            mpx__write32(least, mpx__of_key(~mpx__read32(least)) ^ 0x80000000u);
        } else if (z->q->scheme != MPX_SCHEME_Q8_0) {
            mpx__write32(d, mpx__first_with(z, band, i, mpx__read32(d)));
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
        mpx__write32(g->by + i * 4, mpx__two_to(127 - (int32_t)e));
    }
}
MPX__PRIVATE void mpx__mxfp4_codes(unsigned char *codes, unsigned char *tile, size_t n) {
    mpx_cast_options opt;
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t u = mpx__read32(tile + i * 4);
        if ((u & 0xfffffu) == 0 && u << 1 != 0) mpx__write32(tile + i * 4, u - 1u);
    }
    mpx__zero(&opt, sizeof opt);
    opt.saturate = 1;
    opt.dst_layout = MPX_LAYOUT_BYTES;
    (void)mpx_cast_with(codes, MPX_F4E2M1FN, tile, MPX_F32, n, &opt);
    for (i = 0; i < n; i++)
        codes[i] = codes[i] == 8 ? 0 : codes[i];
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
        mpx__copy(d + 2, codes, 32);
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
    unsigned char tile[MPX__QUANT_TILE * 4], codes[MPX__QUANT_TILE], half[4], one[4];
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
        k.low = 0;
        k.high = z->ggml->codes - 1;
        mpx__write32(one, 0x3f800000u);
        mpx__write32(half, z->ggml->half);
        if (z->ggml->has_least) {
            mpx__arith(tile, s, g->least + first * 4, n, 32, MPX__ADD);
            s = tile;
        }
        mpx__arith(tile, s, by, n, 32, MPX__MULTIPLY);
        mpx__arith(tile, tile, half, n, 0, MPX__ADD);
        mpx__codes(codes, tile, one, NULL, n, 0, &k);
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
        n = mpx__tile_of(band, c);
        mpx__ggml_tile(z, band, &g, c, n);
    }
}

/* ---- from blocks ----------------------------------------------- */

/* What a tile of blocks holds: codes, and for each group what they are multiplied by, the integer
   that by is multiplied by first, and what is added: f32. */
typedef struct mpx__ggml_codes {
    unsigned char codes[MPX__QUANT_TILE], by[128], factor[128], plus[128], plus_factor[128];
} mpx__ggml_codes;

/* The scale and the minimum of group j of eight: six bits each, in twelve bytes. */
MPX__PRIVATE void mpx__k_scale(const unsigned char *s, size_t j, unsigned *scale, unsigned *min) {
    if (j < 4) {
        *scale = s[j] & 63u;
        *min = s[j + 4] & 63u;
    } else {
        *scale = (s[j + 4] & 15u) | (unsigned)s[j - 4] >> 6 << 4;
        *min = (unsigned)s[j + 4] >> 4 | (unsigned)s[j] >> 6 << 4;
    }
}
/* A block of Q4_K: d, dmin, scales, then 64 codes in every 32 bytes; of Q6_K: lower four bits,
   upper two, 16 scales, d. g: its first group. */
MPX__PRIVATE void mpx__get_q4_k(mpx__ggml_codes *t, unsigned char *codes, size_t g,
                                const unsigned char *s) {
    const uint32_t by = mpx__read_f16_le(s), plus = mpx__read_f16_le(s + 2);
    unsigned scale, min;
    size_t j;
    for (j = 0; j < 8; j++, g++) {
        mpx__k_scale(s + 4, j, &scale, &min);
        mpx__write32(t->by + g * 4, by);
        mpx__write32(t->factor + g * 4, mpx__f32_of_int((int32_t)scale));
        mpx__write32(t->plus + g * 4, plus);
        mpx__write32(t->plus_factor + g * 4, mpx__f32_of_int((int32_t)min) | 0x80000000u);
    }
    for (j = 0; j < 4; j++)
        mpx__split_halves(codes + j * 64, s + 16 + j * 32, 32, 0);
}
MPX__PRIVATE void mpx__get_q6_k(mpx__ggml_codes *t, unsigned char *codes, size_t g,
                                const unsigned char *s) {
    const uint32_t by = mpx__read_f16_le(s + 208);
    size_t i, j;
    for (j = 0; j < 16; j++, g++) {
        const int32_t scale = s[192 + j];
        mpx__write32(t->by + g * 4, by);
        mpx__write32(t->factor + g * 4, mpx__f32_of_int(scale - 2 * (scale & 128)));
    }
    for (i = 0; i < 2; i++) {
        mpx__split_halves(codes + i * 128, s + i * 64, 64, 0);
        for (j = 0; j < 128; j++) {
            const unsigned high = (unsigned)s[128 + i * 32 + j % 32] >> 2 * (j / 32) & 3u;
            codes[i * 128 + j] = (unsigned char)(((codes[i * 128 + j] | high << 4) - 32u) & 255u);
        }
    }
}
/* Codes of 32, signed, from four or five bits; `half` is subtracted. */
MPX__PRIVATE void mpx__get_nibbles(unsigned char *codes, const unsigned char *s,
                                   const unsigned char *high, unsigned half) {
    const uint64_t top = 128 * mpx__each_byte, less = half * mpx__each_byte;
    size_t j;
    mpx__split_halves(codes, s, 16, high != NULL ? 0 : half);
    for (j = 0; high != NULL && j < 4; j++) { /* bit i of a byte to bit 4 of byte i */
        uint64_t x = high[j] * mpx__each_byte & mpx__read64(mpx__bits8);
        x = (x + 127 * mpx__each_byte) >> 3 & 16 * mpx__each_byte;
        x |= mpx__read64(codes + j * 8);
        mpx__write64(codes + j * 8, ((x | top) - less) ^ top);
    }
}
/* Codes of e2m1, 2 * n of them, as twice their values: ggml has them so, and no -0. */
MPX__PRIVATE void mpx__get_e2m1(unsigned char *codes, const unsigned char *s, size_t n) {
    static const unsigned char twice[16] = MPX__TWICE_E2M1;
    size_t i;
    mpx__split_halves(codes, s, n, 0);
    for (i = 0; i < 2 * n; i++)
        codes[i] = twice[codes[i]];
}
/* A block of four groups of 16, each with its own scale: f8e4m3fn without a sign, but that ggml
   reads 0x7f as 0 and 0xff as 480. */
MPX__PRIVATE void mpx__get_nvfp4(mpx__ggml_codes *t, unsigned char *codes, size_t g,
                                 const unsigned char *s) {
    size_t j;
    for (j = 0; j < 4; j++) {
        const uint32_t u = s[j] == 255 ? 0x43f00000u
                           : s[j] == 127 ? 0 : mpx_f8e4m3fn_to_bits(s[j] & 127u);
        mpx__write32(t->by + (g + j) * 4, u != 0 ? u - 0x800000u : 0); /* half */
        mpx__get_e2m1(codes + j * 16, s + 4 + j * 8, 8);
    }
}
/* The block at s; g: its first group. */
MPX__PRIVATE void mpx__ggml_get(const mpx__ggml *ggml, mpx__ggml_codes *t, unsigned char *codes,
                                size_t g, const unsigned char *s) {
    const int scheme = ggml->scheme;
    unsigned char *by = t->by + g * 4;
    if (scheme == MPX_SCHEME_Q4_K) {
        mpx__get_q4_k(t, codes, g, s);
    } else if (scheme == MPX_SCHEME_Q6_K) {
        mpx__get_q6_k(t, codes, g, s);
    } else if (scheme == MPX_SCHEME_GGML_NVFP4) {
        mpx__get_nvfp4(t, codes, g, s);
    } else if (scheme == MPX_SCHEME_GGML_MXFP4) {
        mpx__write32(by, mpx__two_to((int32_t)s[0] - 128)); /* half */
        mpx__get_e2m1(codes, s + 1, 16);
    } else {
        mpx__write32(by, mpx__read_f16_le(s));
        if (ggml->has_least) mpx__write32(t->plus + g * 4, mpx__read_f16_le(s + 2));
        s += ggml->header;
        if (scheme == MPX_SCHEME_Q8_0)
            mpx__copy(codes, s, 32);
        else
            mpx__get_nibbles(codes, s, ggml->codes == 32 ? s - 4 : NULL,
                             ggml->has_least ? 0 : ggml->codes / 2u);
    }
}
/* Codes of a tile to f32. */
MPX__NOINLINE void mpx__ggml_floats(const mpx__quantizer *z, const mpx__ggml_codes *t, size_t col,
                                   size_t n) {
    unsigned char tile[MPX__QUANT_TILE * 4];
    const int plus = z->ggml->has_least;
    const size_t group = z->grid.group;
    unsigned char *d = z->type->type == MPX_F32 ? mpx__float_at(z, 0, col) : tile;
    (void)mpx_cast(d, MPX_F32, t->codes, MPX_I8, n);
    mpx__arith(d, d, t->by, n, group, MPX__MULTIPLY);
    if (plus) mpx__arith(d, d, t->plus, n, group, MPX__ADD);
    if (mpx__any_special(t->by, n / group) || mpx__any_special(t->plus, plus ? n / group : 0))
        mpx__mend_nans(d, n);
    mpx__floats_out(z, d, 0, col, n);
}
MPX__LOOP void mpx__ggml_dequantize(const mpx__quantizer *z, const mpx__band *band) {
    const size_t block = z->ggml->block, groups = block / z->grid.group;
    const int scheme = z->q->scheme;
    mpx__ggml_codes t;
    size_t c, n, m, i;
    for (c = 0; c < band->cols; c += n) {
        const size_t col = band->col + c;
        const unsigned char *s = z->out + col / block * z->ggml->block_bytes;
        n = mpx__tile_of(band, c);
        mpx__zero(t.by, sizeof t - sizeof t.codes);
        for (i = 0; i < n / block; i++)
            mpx__ggml_get(z->ggml, &t, t.codes + i * block, i * groups,
                          s + i * z->ggml->block_bytes);
        m = mpx__padded(n / z->grid.group);
        if (scheme == MPX_SCHEME_Q4_K || scheme == MPX_SCHEME_Q6_K)
            mpx__arith(t.by, t.by, t.factor, m, 1, MPX__MULTIPLY);
        if (scheme == MPX_SCHEME_Q4_K)
            mpx__arith(t.plus, t.plus, t.plus_factor, m, 1, MPX__MULTIPLY);
        mpx__ggml_floats(z, &t, col, n);
    }
}

#endif /* !MPX_NO_QUANT */
