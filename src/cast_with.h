/*==========================================================================*
 * MARK: cast_with - rounding modes, saturation, layouts, strides            *
 *   Options do not multiply the codecs: what they ask is done by round.h on *
 *   the way to a float dtype, and by the layouts here.                      *
 *==========================================================================*/

/* ---- layouts --------------------------------------------------------------------------------- */

/* d[i] = s[i] >> shift & mask: by eight, then one by one. And codes of four bits into lower halves,
   which clears the upper ones, or into these. */
MPX__INLINE void mpx__cut_bytes(unsigned char *d, const unsigned char *s, int shift, unsigned mask,
                                size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, mpx__read64(s) >> shift & mask * 0x0101010101010101u);
    for (; n != 0; n--) {
        *d++ = (unsigned char)((unsigned)*s++ >> shift & mask);
        MPX__KEEP_LOOP(); /* else clang calls memcpy for the byte layout */
    }
}
MPX__INLINE void mpx__put_bytes(unsigned char *d, const unsigned char *s, int upper, size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, upper ? mpx__read64(d) | mpx__read64(s) << 4 : mpx__read64(s));
    for (; n != 0; n--, d++, s++) {
        *d = (unsigned char)(upper ? *d | (unsigned)*s << 4 : *s);
        MPX__KEEP_LOOP();
    }
}

/* Elements whose codes stand in bytes one after the other, all in their lower or all in their upper
   halves: of a split block what is left of the half where element i is, of one code per byte all n.
   Where size counts, one element. */
typedef struct mpx__code_run {
    size_t byte, n;
    int upper;
} mpx__code_run;

MPX__INLINE void mpx__code_run_set(mpx__code_run *run, int layout, size_t block, size_t i,
                                   size_t n) {
    const size_t half = layout == MPX_LAYOUT_BYTES ? (size_t)-1 : block / 2, in_half = i % half;
    run->byte = i / half / 2 * half + in_half;
    run->upper = (int)(i / half % 2);
    run->n = MPX__COMPACT ? 1 : n < half - in_half ? n : half - in_half;
}

/* Codes of elements start .. start + n of a whole array, one per byte. */
MPX__PRIVATE void mpx__read_codes(unsigned char *codes, const void *src, int bits, int layout,
                                  size_t block, size_t start, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__unpack(codes, s + start / 8 * (size_t)bits, bits, n); /* start is a multiple of 8 */
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__cut_bytes(codes, s + run.byte, run.upper ? 4 : 0, (1u << bits) - 1u, run.n);
    }
}

/* And back. Of a split byte the lower half is written first. */
MPX__PRIVATE void mpx__write_codes(void *dst, const unsigned char *codes, int bits, int layout,
                                   size_t block, size_t start, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__pack(d + start / 8 * (size_t)bits, codes, bits, n);
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__put_bytes(d + run.byte, codes, run.upper, run.n);
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
MPX__PRIVATE void mpx__side_to_f32(const mpx__side *side, size_t i, void *tile, size_t n) {
    unsigned char codes[MPX_TILE];
    if (side->layout == MPX_LAYOUT_PACKED) {
        mpx__to_f32(side->type, tile, mpx__side_at(side, i), n);
        return;
    }
    mpx__read_codes(codes, side->data, side->bits, side->layout, side->block, i, n);
    mpx__codes_to_tile(side->type, tile, codes, n);
}

MPX__PRIVATE void mpx__side_from_f32(const mpx__side *side, size_t i, const void *tile, size_t n) {
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
    if (!MPX__COMPACT && dst->layout == MPX_LAYOUT_BYTES) { /* one code per byte is this layout */
        mpx__read_codes(dst->data + i, src->data, src->bits, src->layout, src->block, i, n);
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

/* Without a tile between: to f32, which holds what narrower dtypes do, and from f32 where nothing
   is to be rounded before or all of it is to cut. Return whether this was one of those. */
MPX__PRIVATE int mpx__cast_to_f32(const mpx__side *dst, const mpx__side *src, size_t i, size_t n,
                                  mpx__rounder *r) {
    unsigned char *d = mpx__side_at(dst, i);
    if (mpx__wide_loader(src->type) == NULL)
        mpx__side_to_f32(src, i, d, n);
    else if (r->rounding == MPX_ROUND_NEAREST)
        (void)mpx_cast(d, MPX_F32, mpx__side_at(src, i), src->type, n);
    else if (r->rounding == MPX_ROUND_TOWARD_ZERO && mpx__is_f64(src->type))
        mpx__loop(d, 4, mpx__side_at(src, i), 8, n, mpx__dec_cut_f64, mpx__enc_f32);
    else
        return 0;
    if (r->saturate) mpx__round_tile(d, n, r);
    return 1;
}
MPX__FORCE_INLINE void mpx__enc_cut_bf16(void *p, mpx__vu u) {
    mpx__vu nan = mpx__gt(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    mpx__store16(p, mpx__or(mpx__shr(u, 16), mpx__and(nan, mpx__set(0x40))));
}
MPX__PRIVATE int mpx__cast_from_f32(const mpx__side *dst, const mpx__side *src, size_t i, size_t n,
                                    const mpx__rounder *r) {
    const unsigned char *s = mpx__side_at(src, i);
    if (!mpx_dtype_is_floating(dst->type) || (r->rounding == MPX_ROUND_NEAREST && !r->saturate))
        mpx__side_from_f32(dst, i, s, n);
    else if (dst->type == MPX_BF16 && r->rounding == MPX_ROUND_TOWARD_ZERO && !r->saturate)
        mpx__loop(mpx__side_at(dst, i), 2, s, 4, n, mpx__dec_f32, mpx__enc_cut_bf16);
    else
        return 0;
    return 1;
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
        return;
    }
    if (!MPX__COMPACT && dst->type == MPX_F32 && mpx__cast_to_f32(dst, src, i, n, r)) return;
    if (!MPX__COMPACT && src->type == MPX_F32 && mpx__cast_from_f32(dst, src, i, n, r)) return;
    if (from_wide && to_wide && (plain || !mpx_dtype_is_floating(dst->type))) {
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

/* n items of `size` bytes, every `stride` bytes. Nothing between them is touched: others may write
   there. No pointer goes past the last item, which may be part of a larger object. Short items: a
   constant `size`, 1, 2, 4, 8, 16, 3, 6 or 12, by moves of 8, 4, 2 and 1. */
MPX__INLINE void mpx__move_long_items(unsigned char *dst, size_t dst_stride,
                                      const unsigned char *src, size_t src_stride, size_t size,
                                      size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        mpx__copy(dst + i * dst_stride, src + i * src_stride, size);
}
MPX__FORCE_INLINE void mpx__move_short_items(unsigned char *dst, size_t dst_stride,
                                             const unsigned char *src, size_t src_stride,
                                             size_t size, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        unsigned char *d = dst + i * dst_stride;
        const unsigned char *s = src + i * src_stride;
        if ((size & 16) != 0) mpx__write64(d + 8, mpx__read64(s + 8));
        if ((size & 24) != 0) mpx__write64(d, mpx__read64(s));
        if ((size & 4) != 0) mpx__write32(d + (size & 8), mpx__read32(s + (size & 8)));
        if ((size & 2) != 0) mpx__write16(d + (size & 4), mpx__read16(s + (size & 4)));
        if ((size & 1) != 0) d[size - 1] = s[size - 1];
        MPX__KEEP_LOOP(); /* else gcc looks for vectors, at some length */
    }
}
MPX__PRIVATE void mpx__move_items(unsigned char *dst, size_t dst_stride, const unsigned char *src,
                                  size_t src_stride, size_t size, size_t n) {
    switch (MPX__COMPACT ? 0 : size) {
    case 1: mpx__move_short_items(dst, dst_stride, src, src_stride, 1, n); break;
    case 2: mpx__move_short_items(dst, dst_stride, src, src_stride, 2, n); break;
    case 3: mpx__move_short_items(dst, dst_stride, src, src_stride, 3, n); break;
    case 4: mpx__move_short_items(dst, dst_stride, src, src_stride, 4, n); break;
    case 6: mpx__move_short_items(dst, dst_stride, src, src_stride, 6, n); break;
    case 8: mpx__move_short_items(dst, dst_stride, src, src_stride, 8, n); break;
    case 12: mpx__move_short_items(dst, dst_stride, src, src_stride, 12, n); break;
    case 16: mpx__move_short_items(dst, dst_stride, src, src_stride, 16, n); break;
    default: mpx__move_long_items(dst, dst_stride, src, src_stride, size, n); break;
    }
}

/* By rows of as many whole items as fit a tile; an item wider than that is a row of its own, and
   items with nothing between them are one as they stand. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype dst_type, size_t dst_stride,
                                    const void *src, mpx_dtype src_type, size_t src_stride,
                                    size_t n, size_t components, const mpx_cast_options *opt) {
    enum { row = MPX_TILE / 4, row_bytes = row * 16 };
    unsigned char in[row_bytes], out[row_bytes];
    const size_t dst_size = mpx_dtype_bytes(dst_type, components),
                 src_size = mpx_dtype_bytes(src_type, components);
    const int wide = components > row;
    const int dst_is_row = wide || (!MPX__COMPACT && dst_stride == dst_size),
              src_is_row = wide || (!MPX__COMPACT && src_stride == src_size);
    size_t i, m, items = 1;
    mpx_cast_options piece;
    mpx_status status;
    mpx__zero(&piece, sizeof piece);
    if (opt != NULL) mpx__copy(&piece, opt, sizeof piece);
    status = mpx__check_cast(dst_type, src_type, 0, 0, &piece);
    if (status != MPX_OK) return status;
    if (mpx_dtype_bits(dst_type) < 8 || mpx_dtype_bits(src_type) < 8) return MPX_ERR_DTYPE;
    if (components == 0 || (n > 1 && (dst_stride < dst_size || src_stride < src_size)))
        return MPX_ERR_ARGUMENT;
    if (!MPX__COMPACT && dst_type == src_type && !mpx__wants_stats(&piece)) {
        MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
        mpx__move_items((unsigned char *)dst, dst_stride, (const unsigned char *)src, src_stride,
                        src_size, n);
        return MPX_OK;
    }
    if (!wide) items = row_bytes / (dst_size > src_size ? dst_size : src_size);
    if (!wide && dst_is_row && src_is_row) items = n;
    for (i = 0; i < n; i += m) {
        unsigned char *d = (unsigned char *)dst + i * dst_stride;
        const unsigned char *s = (const unsigned char *)src + i * src_stride;
        m = n - i < items ? n - i : items;
        if (!src_is_row) {
            mpx__move_items(in, src_size, s, src_stride, src_size, m);
            s = in;
        }
        (void)mpx_cast_with(dst_is_row ? d : out, dst_type, s, src_type, m * components, &piece);
        if (!dst_is_row) mpx__move_items(d, dst_stride, out, dst_size, dst_size, m);
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

/* All ones in the bytes whose highest bit is set, of which alone x may consist. */
MPX__FORCE_INLINE mpx__vu mpx__fill_bytes(mpx__vu x) {
    return mpx__or(x, mpx__sub(x, mpx__shr(x, 7)));
}
/* The same of four codes per lane: sums of two numbers below 128 stay in their bytes. */
MPX__FORCE_INLINE mpx__vu mpx__rebias_four(mpx__vu x, uint32_t special, int to_fnuz) {
    const mpx__vu tops = mpx__set(0x80808080u), rest = mpx__set(0x7f7f7f7fu);
    mpx__vu a = mpx__and(x, rest), zero, beyond, sign = mpx__and(x, tops);
    zero = mpx__xor(mpx__and(mpx__add(a, rest), tops), tops);
    beyond = mpx__and(mpx__add(a, mpx__set((0x80u - special) * 0x01010101u)), tops);
    if (to_fnuz) {
        mpx__vu out = mpx__fill_bytes(mpx__or(zero, beyond));
        return mpx__or(mpx__select(out, mpx__set(0), x), beyond);
    }
    zero = mpx__fill_bytes(mpx__and(zero, sign)); /* the NaN */
    x = mpx__select(zero, rest, x);
    return mpx__select(mpx__fill_bytes(beyond),
                       mpx__or(sign, mpx__set((special - 1u) * 0x01010101u)), x);
}
MPX__INLINE size_t mpx__rebias_lanes(unsigned char *d, const unsigned char *s, size_t n,
                                     unsigned special, int to_fnuz) {
    enum { step = 4 * MPX__LANES };
    const size_t all = n;
    for (; n >= step; n -= step, d += step, s += step)
        mpx__store32(d, mpx__rebias_four(mpx__load32(s), special, to_fnuz));
    return all - n;
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
    const unsigned special = e4m3 ? 0x7fu : 0x7cu;
    size_t done;
    if (!e4m3 && !e5m2) return MPX_ERR_DTYPE;
    if (mpx_dtype_bits(dst_type) == 0 || mpx_dtype_bits(src_type) == 0) return MPX_ERR_DTYPE;
    if (n == 0) return MPX_OK; /* NULL has no sum */
    done = MPX__COMPACT ? 0 : mpx__rebias_lanes(d, s, n, special, to_fnuz);
    for (d += done, s += done, n -= done; n != 0; n--)
        *d++ = (unsigned char)mpx__rebias(*s++, special, to_fnuz);
    return MPX_OK;
}
