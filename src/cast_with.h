/*==========================================================================*
 * MARK: cast_with - rounding modes, saturation, layouts, strides            *
 *   Options do not multiply the codecs: what they ask is done by round.h on *
 *   the way to a float dtype, and by the layouts here.                      *
 *==========================================================================*/

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
   array of the same dtype. i begins a byte; of a split layout it is a multiple of 16. */
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
    } else if ((from_wide && to_wide) || (mpx__is_f64(dst->type) && !plain)) {
        mpx__cast_wide_piece(dst, src, i, n, r);
    } else {
        mpx__side_to_f32(src, i, tile, n);
        if (mpx_dtype_is_floating(dst->type) && !mpx__is_f64(dst->type))
            mpx__round_tile(tile, n, r);
        mpx__side_from_f32(dst, i, tile, n);
    }
}

#if !MPX_NO_STATS
MPX__PRIVATE void mpx__wide_store_f64_cut(void *p, const mpx__wide *w) {
    mpx__write64(p, mpx__float_code(w, 11, 52, 1023, MPX_ROUND_TOWARD_ZERO, 0));
}

/* n elements of one side as f64, at most MPX__STATS_TILE. 64-bit integers toward zero: the nearest
   f64 of one in range may be the limit itself. */
MPX__PRIVATE void mpx__side_to_f64(const mpx__side *side, size_t i, unsigned char *out, size_t n) {
    unsigned char codes[MPX__STATS_TILE];
    uint32_t tile[MPX__STATS_TILE];
    mpx__wide_load_fn load = mpx__wide_loader(side->type);
    if (side->type == MPX_I64 || side->type == MPX_U64) {
        mpx__wide_loop(out, 8, mpx__side_at(side, i), 8, n, load, mpx__wide_store_f64_cut);
        return;
    }
    if (load != NULL || side->bits >= 8) {
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

MPX__INLINE size_t mpx__block_of(size_t n, const mpx_cast_options *opt) {
    return opt->split_block != 0 ? opt->split_block : n;
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

#if MPX_NO_STATS
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return (void)opt, 0; }
#else
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return opt->stats != NULL; }
#endif

/* Where the codes of dtypes below a byte are packed or have a byte each, a row of its own may serve
   from the start, if there is one for the rounding asked for; returns how many elements it served.
   Random words are for two elements, the first at an even index. */
MPX__PRIVATE size_t mpx__with_rows(const mpx__side *dst, const mpx__side *src, size_t n,
                                   const mpx_cast_options *opt, mpx__rounder *r) {
    int narrow = dst->bits < 8 ? dst->layout : src->layout;
    int nearest = opt->rounding == MPX_ROUND_NEAREST;
    int dither = opt->rounding == MPX_ROUND_STOCHASTIC && dst->type == MPX_BF16 &&
                 src->type == MPX_F32;
    size_t head = 0, done;
    mpx__span span;
    if (n == 0 || !(nearest || dither) || dst->type == src->type || mpx__wants_stats(opt) ||
        narrow == MPX_LAYOUT_SPLIT || (dst->bits < 8 && src->bits < 8))
        return 0;
    if (mpx__span_set(&span, dst->data, mpx__row_of(dst->type), src->data, mpx__row_of(src->type),
                      n, opt->saturate != 0, narrow == MPX_LAYOUT_PACKED))
        head = mpx__span_align(&span);
    if (dither && ((r->index + head) & 1u) != 0) { /* aligned, but odd */
        span.stream = 0;
        head = (size_t)(r->index & 1u);
    }
    for (done = 0; done < head; done += 16)
        mpx__cast_piece(dst, src, done, head - done < 16 ? head - done : 16, r);
    mpx__span_advance(&span, head);
    done = head + (dither ? mpx__dither_rows(&span, r) : mpx__fast_rows(&span));
    if (span.stream) mpx__fence();
    r->index = opt->offset + done;
    return done;
}

/* To nearest, saturating or not, and nothing to be counted or split: where there are rows the way
   to them is short then. */
#if MPX__HAS_FLOAT
MPX__INLINE int mpx__is_whole(int layout) {
    return layout == MPX_LAYOUT_PACKED || layout == MPX_LAYOUT_BYTES;
}
MPX__INLINE int mpx__is_nearest_alone(const mpx_cast_options *opt) {
    return opt->rounding == MPX_ROUND_NEAREST && mpx__is_whole(opt->dst_layout) &&
           mpx__is_whole(opt->src_layout) && !mpx__wants_stats(opt);
}
/* Returns how many elements a row of its own has cast, from the start; none of an array that may be
   large. */
MPX__INLINE size_t mpx__nearest_rows(void *dst, mpx_dtype dst_type, const void *src,
                                     mpx_dtype src_type, size_t n, const mpx_cast_options *opt) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    int layout = to->bits < 8 ? opt->dst_layout : opt->src_layout, large;
    mpx__span span;
    if (to == from || !mpx__is_real(to) || !mpx__is_real(from) || (to->bits < 8 && from->bits < 8))
        return 0;
    MPX_ASSERT(dst != NULL && src != NULL);
    large = mpx__span_set(&span, dst, to, src, from, n, opt->saturate != 0,
                          layout == MPX_LAYOUT_PACKED);
    return large ? 0 : mpx__fast_rows(&span);
}
#else
MPX__INLINE int mpx__is_nearest_alone(const mpx_cast_options *opt) { return (void)opt, 0; }
MPX__INLINE size_t mpx__nearest_rows(void *dst, mpx_dtype dst_type, const void *src,
                                     mpx_dtype src_type, size_t n, const mpx_cast_options *opt) {
    (void)dst, (void)dst_type, (void)src, (void)src_type, (void)n, (void)opt;
    return 0;
}
#endif
/* And packed and not saturating: exactly mpx_cast. */
MPX__INLINE int mpx__is_default(const mpx_cast_options *opt) {
    return !opt->saturate && opt->dst_layout == MPX_LAYOUT_PACKED &&
           opt->src_layout == MPX_LAYOUT_PACKED;
}

MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx_cast_options *opt) {
    mpx__side to, from;
    mpx__rounder r;
    mpx_status status;
    size_t i = 0, m, block;
    if (opt == NULL) return mpx_cast(dst, dst_type, src, src_type, n);
    if (n != 0 && mpx__is_nearest_alone(opt)) {
        if (mpx__is_default(opt)) return mpx_cast(dst, dst_type, src, src_type, n);
        i = mpx__nearest_rows(dst, dst_type, src, src_type, n, opt);
        if (i == n) return MPX_OK;
    }
    block = mpx__block_of(n, opt);
    status = mpx__check_cast(dst_type, src_type, n, block, opt);
    if (status != MPX_OK) return status;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    mpx__side_set(&to, dst, dst_type, opt->dst_layout, block);
    mpx__side_set(&from, src, src_type, opt->src_layout, block);
    mpx__rounder_set(&r, dst_type, opt);
    if (i == 0) i = mpx__with_rows(&to, &from, n, opt, &r);
    for (; i < n; i += m) {
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
    size_t i; /* no pointer past the last item, which may be part of a larger object */
    for (i = 0; i < n; i++)
        mpx__copy(dst + i * dst_stride, src + i * src_stride, size);
}

/* By rows of as many whole items as fit a tile; an item wider than that is a row of its own. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype dst_type, size_t dst_stride,
                                    const void *src, mpx_dtype src_type, size_t src_stride,
                                    size_t n, size_t components, const mpx_cast_options *opt) {
    enum { row = MPX_TILE / 4 };
    unsigned char in[row * 16], out[row * 16];
    size_t i, m, dst_size = mpx_dtype_bytes(dst_type, components),
           src_size = mpx_dtype_bytes(src_type, components);
    const size_t items = components != 0 && components <= row ? row / components : 1;
    mpx_cast_options piece;
    mpx_status status;
    mpx__zero(&piece, sizeof piece);
    if (opt != NULL) mpx__copy(&piece, opt, sizeof piece);
    status = mpx__check_cast(dst_type, src_type, 0, 0, &piece);
    if (status != MPX_OK) return status;
    if (mpx_dtype_bits(dst_type) < 8 || mpx_dtype_bits(src_type) < 8) return MPX_ERR_DTYPE;
    if (components == 0 || (n > 1 && (dst_stride < dst_size || src_stride < src_size)))
        return MPX_ERR_ARGUMENT;
    for (i = 0; i < n; i += m) {
        unsigned char *d = (unsigned char *)dst + i * dst_stride;
        const unsigned char *s = (const unsigned char *)src + i * src_stride;
        m = n - i < items ? n - i : items;
        if (components > row) {
            (void)mpx_cast_with(d, dst_type, s, src_type, components, &piece);
        } else {
            mpx__move_items(in, src_size, s, src_stride, src_size, m);
            (void)mpx_cast_with(out, dst_type, in, src_type, m * components, &piece);
            mpx__move_items(d, dst_stride, out, dst_size, dst_size, m);
        }
        piece.offset += m * components;
    }
    return MPX_OK;
}

/* ---- fp8 between the OCP and the fnuz formats ------------------------------------------------ */

/* A code c of the fnuz format is worth half of the same code in the OCP format: its bias is one
   more. to_fnuz: codes from `special` on (NaN, Inf) become the NaN, 0x80. Else: what lies above the
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
    if (mpx_dtype_bits(dst_type) == 0 || mpx_dtype_bits(src_type) == 0) return MPX_ERR_DTYPE;
    for (; n != 0; n--)
        *d++ = (unsigned char)mpx__rebias(*s++, e4m3 ? 0x7fu : 0x7cu, to_fnuz);
    return MPX_OK;
}
