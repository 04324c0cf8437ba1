/*==================================================================*
 * MARK: cast_with - rounding modes, saturation, layouts, strides
 *   The plan rounds and saturates; layouts and strides are handled here. Codes of split blocks are
 *   first moved to one byte each.
 *==================================================================*/

#if !MPX_NO_CAST_WITH
#if MPX__HAS_PACKED

/* ---- layouts --------------------------------------------------- */

/* d[i] = s[i] >> shift & mask: by eight, then one by one. And codes of four bits into the lower
   halves of bytes, which clears the upper halves, or into the upper halves. */
MPX__INLINE void mpx__cut_bytes(unsigned char *d, const unsigned char *s, int shift, unsigned mask,
                                size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, mpx__read64(s) >> shift & mask * 0x0101010101010101u);
    for (; n != 0; n--) {
        *d++ = (unsigned char)((unsigned)*s++ >> shift & mask);
        MPX__BARRIER(); /* else clang calls memcpy for the byte layout */
    }
}
MPX__INLINE void mpx__put_bytes(unsigned char *d, const unsigned char *s, int upper, size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, upper ? mpx__read64(d) | mpx__read64(s) << 4 : mpx__read64(s));
    for (; n != 0; n--, d++, s++) {
        *d = (unsigned char)(upper ? *d | (unsigned)*s << 4 : *s);
        MPX__BARRIER();
    }
}

/* Elements whose codes are in consecutive bytes, all in the lower or all in the upper halves: in a
   split block, the rest of the half block of element i; with one code per byte, all n. For size:
   one. */
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
MPX__PRIVATE void mpx__read_codes(unsigned char *codes, const void *src, unsigned bits, int layout,
                                  size_t block, size_t start, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__unpack(codes, s + start / 8 * bits, bits, n); /* start is a multiple of 8 */
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__cut_bytes(codes, s + run.byte, run.upper ? 4 : 0, (1u << bits) - 1u, run.n);
    }
}

/* And back. Of a split byte the lower half is written first. */
MPX__PRIVATE void mpx__write_codes(void *dst, const unsigned char *codes, unsigned bits,
                                   int layout, size_t block, size_t start, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__pack(d + start / 8 * bits, codes, bits, n);
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__put_bytes(d + run.byte, codes, run.upper, run.n);
    }
}

#endif /* MPX__HAS_PACKED */

/* ---- one side of a cast ---------------------------------------- */

/* An array of any dtype and layout. in_place: the plan reads or writes the array itself; else the
   codes of a piece are moved to a byte each. */
typedef struct mpx__side {
    unsigned char *data;
    mpx__array array;
    int layout, in_place;
    size_t block;
} mpx__side;

MPX__PRIVATE void mpx__side_set(mpx__side *side, const void *data, const mpx__row *row, int layout,
                                size_t block) {
    side->data = (unsigned char *)(uintptr_t)data;
    side->in_place = row->bits >= 8 || layout != MPX_LAYOUT_SPLIT;
    side->array = mpx__array_of(row, side->in_place ? layout : (int)MPX_LAYOUT_BYTES);
    side->layout = layout; /* of fewer than 8 bits */
    side->block = block;
}
/* Where element i is, which begins a byte. */
MPX__INLINE unsigned char *mpx__side_at(const mpx__side *side, size_t i) {
    const size_t bits = mpx__bits_of(&side->array);
    return side->data + i / 8 * bits + i % 8 * bits / 8;
}
/* Elements i .. i + n, at most MPX_TILE, as the plan reads them: in memory, or in `codes`. */
MPX__PRIVATE const unsigned char *mpx__side_read(const mpx__side *side, unsigned char *codes,
                                                 size_t i, size_t n) {
#if MPX__HAS_PACKED
    if (!side->in_place) {
        mpx__read_codes(codes, side->data, side->array.row->bits, side->layout, side->block, i, n);
        return codes;
    }
#endif
    return (void)codes, (void)n, mpx__side_at(side, i);
}

/* ---- the cast -------------------------------------------------- */

/* A cast in pieces of at most MPX_TILE elements. */
typedef struct mpx__pieces {
    mpx__side to, from;
    mpx__plan plan;
    mpx__job job;
    uint64_t offset; /* of element 0, for its random bits */
} mpx__pieces;

MPX__PRIVATE void mpx__cast_piece(mpx__pieces *cast, size_t i, size_t n) {
    unsigned char in[MPX_TILE], out[MPX_TILE];
    const mpx__side *to = &cast->to;
    const unsigned char *s = mpx__side_read(&cast->from, in, i, n);
    unsigned char *d = to->in_place ? mpx__side_at(to, i) : out;
    cast->job.index = cast->offset + i;
    mpx__run_plan(&cast->plan, d, s, n, &cast->job);
#if MPX__HAS_PACKED
    if (!to->in_place)
        mpx__write_codes(to->data, out, to->array.row->bits, to->layout, to->block, i, n);
#endif
}

/* The same dtype: copy bits. Packed dtypes may have different layouts. */
MPX__PRIVATE void mpx__copy_piece(const mpx__side *to, const mpx__side *from, size_t i, size_t n) {
    const mpx_dtype type = mpx__type_of(to->array.row);
#if MPX__HAS_PACKED
    unsigned char codes[MPX_TILE];
    const unsigned bits = to->array.row->bits;
    if (bits < 8) {
        mpx__read_codes(codes, from->data, bits, from->layout, from->block, i, n);
        mpx__write_codes(to->data, codes, bits, to->layout, to->block, i, n);
        return;
    }
#endif
    mpx__copy(mpx__side_at(to, i), mpx__side_at(from, i), mpx_dtype_bytes(type, n));
}
MPX__INLINE void mpx__one_piece(mpx__pieces *cast, size_t i, size_t n) {
    if (cast->to.array.row == cast->from.array.row)
        mpx__copy_piece(&cast->to, &cast->from, i, n);
    else
        mpx__cast_piece(cast, i, n);
}

#if !MPX_NO_STATS
/* The values before and after the cast are compared in f64. Elements that would not change are not
   written: they may be constant. */
MPX__PRIVATE void mpx__cast_with_stats(mpx__pieces *cast, size_t n, mpx_cast_stats *stats) {
    unsigned char before[MPX__STATS_TILE * 8], after[MPX__STATS_TILE * 8], codes[MPX__STATS_TILE];
    const mpx__row *to = cast->to.array.row;
    const int stays = to == cast->from.array.row && cast->to.data == cast->from.data;
    mpx__to_f64 to_f64, from_f64;
    mpx__target target;
    size_t i, m;
    if (to->kind == MPX_KIND_COMPLEX) { /* a copy loses nothing */
        mpx__copy_piece(&cast->to, &cast->from, 0, n);
        stats->count += n;
        return;
    }
    mpx__to_f64_set(&from_f64, cast->from.array);
    mpx__to_f64_set(&to_f64, cast->to.array);
    mpx__target_set(&target, mpx__type_of(to), cast->plan.mode);
    for (i = 0; i < n; i += m) {
        m = n - i < MPX__STATS_TILE ? n - i : MPX__STATS_TILE;
        mpx__to_f64_run(&from_f64, before, mpx__side_read(&cast->from, codes, i, m), m);
        if (!stays) mpx__one_piece(cast, i, m);
        mpx__to_f64_run(&to_f64, after, mpx__side_read(&cast->to, codes, i, m), m);
        mpx__stats_add(stats, &target, before, after, m);
    }
}
#endif

MPX__INLINE size_t mpx__block_of(size_t n, const mpx_cast_options *opt) {
    return opt->split_block != 0 ? opt->split_block : n;
}

MPX__PRIVATE mpx_status mpx__check_layout(const mpx__row *row, int layout, size_t block, size_t n) {
    if (layout < MPX_LAYOUT_PACKED || layout > MPX_LAYOUT_SPLIT) return MPX_ERR_ARGUMENT;
    if (layout != MPX_LAYOUT_SPLIT || row->bits >= 8 || n == 0) return MPX_OK;
    return row->bits == 4 && block % 2 == 0 && n % block == 0 ? MPX_OK : MPX_ERR_ARGUMENT;
}
/* The mode of a plan: that of integer targets is apart. */
MPX__INLINE int mpx__rounding_of(const mpx__row *to, const mpx__row *from,
                                const mpx_cast_options *opt) {
    const int to_whole = (to->kind == MPX_KIND_INT || to->kind == MPX_KIND_UINT) &&
                         from->kind == MPX_KIND_FLOAT && opt->int_rounding != MPX_INT_TRUNCATE;
    return to_whole ? mpx__to_whole(opt->int_rounding) : (int)opt->rounding;
}
MPX__SELDOM mpx_status mpx__check_cast(mpx_dtype dst_type, mpx_dtype src_type, size_t n,
                                       size_t block, const mpx_cast_options *opt) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    mpx_status status = mpx__check_dtypes(to, from);
    if (status != MPX_OK) return status;
    if (opt->rounding < MPX_ROUND_NEAREST || opt->rounding > MPX_ROUND_STOCHASTIC)
        return MPX_ERR_ARGUMENT;
    if (opt->int_rounding < MPX_INT_TRUNCATE || opt->int_rounding > MPX_INT_DOWN)
        return MPX_ERR_ARGUMENT;
    status = mpx__check_layout(to, opt->dst_layout, block, n);
    return status != MPX_OK ? status : mpx__check_layout(from, opt->src_layout, block, n);
}

#if MPX_NO_STATS
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return (void)opt, 0; }
#else
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return opt->stats != NULL; }
#endif

MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx_cast_options *opt) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    mpx__pieces cast;
    mpx_status status;
    size_t i, m, block;
    if (opt == NULL) return mpx_cast(dst, dst_type, src, src_type, n);
    block = mpx__block_of(n, opt);
    status = mpx__check_cast(dst_type, src_type, n, block, opt);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    mpx__side_set(&cast.to, dst, to, opt->dst_layout, block);
    mpx__side_set(&cast.from, src, from, opt->src_layout, block);
    mpx__zero(&cast.job, sizeof cast.job);
    mpx__seed_set(&cast.job, opt->random_seed);
    cast.job.index = cast.offset = opt->offset;
    mpx__plan_cast_with(&cast.plan, cast.to.array, cast.from.array,
                        mpx__rounding_of(to, from, opt), opt->saturate != 0);
#if !MPX_NO_STATS
    if (mpx__wants_stats(opt)) {
        mpx__cast_with_stats(&cast, n, opt->stats);
        return MPX_OK;
    }
#endif
    if (to != from && cast.to.in_place && cast.from.in_place) {
        mpx__run_plan(&cast.plan, dst, src, n, &cast.job);
        return MPX_OK;
    }
    for (i = 0; i < n; i += m) {
        m = n - i < MPX_TILE ? n - i : MPX_TILE;
        mpx__one_piece(&cast, i, m);
    }
    return MPX_OK;
}

/* From one float dtype to another, saturated. Less stack than mpx_cast_with. */
MPX__PRIVATE void mpx__cast_saturating(void *dst, const mpx__row *to, const void *src,
                                       const mpx__row *from, size_t n) {
    mpx__plan plan;
    mpx__job job;
    mpx__zero(&job, sizeof job);
    mpx__plan_cast_with(&plan, mpx__array_of(to, MPX_LAYOUT_PACKED),
                        mpx__array_of(from, MPX_LAYOUT_PACKED), MPX_ROUND_NEAREST, 1);
    if (n != 0) mpx__run_plan(&plan, dst, src, n, &job);
}

/* Each piece is cast to the other dtype and back, with the codes on the stack. */
MPX__API mpx_status mpx_round_to_with(float *dst, const float *src, size_t n, mpx_dtype type,
                                      const mpx_cast_options *opt) {
    unsigned char codes[MPX_TILE * 8];
    unsigned char *d = (unsigned char *)(void *)dst;
    const unsigned char *s = (const unsigned char *)(const void *)src;
    const mpx__array to = mpx__array_of(mpx__row_of(type), MPX_LAYOUT_BYTES),
                     single = mpx__array_of(mpx__row_of(MPX_F32), MPX_LAYOUT_PACKED);
    mpx_cast_options options;
    mpx__plan there, back;
    mpx__job job;
    mpx_status status;
    size_t i, m;
    mpx__zero(&options, sizeof options);
    if (opt != NULL) mpx__copy(&options, opt, sizeof options);
    options.dst_layout = options.src_layout = MPX_LAYOUT_BYTES;
    status = mpx__check_cast(type, MPX_F32, n, 0, &options);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    if (type == MPX_F32) return mpx__copy_elements(dst, src, single.row, n);
    mpx__zero(&job, sizeof job);
    mpx__seed_set(&job, options.random_seed);
    mpx__plan_cast_with(&there, to, single, mpx__rounding_of(to.row, single.row, &options),
                        options.saturate != 0);
    mpx__plan_cast(&back, single, to, 0);
    for (i = 0; i < n; i += m) {
        m = n - i < MPX_TILE ? n - i : MPX_TILE;
        job.index = options.offset + i;
        mpx__run_plan(&there, codes, s + 4 * i, m, &job);
        mpx__run_plan(&back, d + 4 * i, codes, m, &job);
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_round_to(float *dst, const float *src, size_t n, mpx_dtype type) {
    return mpx_round_to_with(dst, src, n, type, NULL);
}

/* ---- strides --------------------------------------------------- */

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
        MPX__BARRIER(); /* else gcc looks for vectors, at some length */
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

/* Work in rows of as many whole items as fit the buffers. A wider item is a row of its own. Items
   without gaps are one row, in place. */
MPX__API mpx_status mpx_cast_strided(void *dst, mpx_dtype dst_type, size_t dst_stride,
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
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (!MPX__COMPACT && dst_type == src_type && !mpx__wants_stats(&piece)) {
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
        if (!dst_is_row && (dst != src || dst_type != src_type))
            mpx__move_items(d, dst_stride, out, dst_size, dst_size, m);
        piece.offset += m * components;
    }
    return MPX_OK;
}

/* ---- fp8 between the OCP and the fnuz formats ------------------ */

/* All ones in bytes with their highest bit, the only ones in x; and a where mask is 1, else b. */
MPX__INLINE uint64_t mpx__fill_bytes(uint64_t x) { return x | (x - (x >> 7)); }
MPX__INLINE uint64_t mpx__blend(uint64_t mask, uint64_t a, uint64_t b) {
    return b ^ ((a ^ b) & mask);
}
/* A code c of the fnuz format is worth half of the same code in the OCP format: its bias is one
   more. to_fnuz: codes from `special` on (NaN, Inf) become the NaN, 0x80. Else: what lies above the
   largest OCP code becomes it. Eight codes at once: sums of two numbers below 128 stay in their
   bytes. */
MPX__INLINE uint64_t mpx__rebias_eight(uint64_t x, unsigned special, int to_fnuz) {
    const uint64_t each = 0x0101010101010101u, tops = each << 7, rest = tops - each;
    const uint64_t a = x & rest, sign = x & tops, zero = ((a + rest) & tops) ^ tops,
                   beyond = (a + each * (0x80u - special)) & tops;
    if (to_fnuz) return (x & ~mpx__fill_bytes(zero | beyond)) | beyond;
    x = mpx__blend(mpx__fill_bytes(zero & sign), rest, x); /* the NaN */
    return mpx__blend(mpx__fill_bytes(beyond), sign | each * (special - 1u), x);
}

MPX__API mpx_status mpx_f8_rebias(void *dst, mpx_dtype dst_type, const void *src,
                                  mpx_dtype src_type, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int e4m3 = (dst_type == MPX_F8E4M3FNUZ && src_type == MPX_F8E4M3FN) ||
               (dst_type == MPX_F8E4M3FN && src_type == MPX_F8E4M3FNUZ);
    int e5m2 = (dst_type == MPX_F8E5M2FNUZ && src_type == MPX_F8E5M2) ||
               (dst_type == MPX_F8E5M2 && src_type == MPX_F8E5M2FNUZ);
    int to_fnuz = dst_type == MPX_F8E4M3FNUZ || dst_type == MPX_F8E5M2FNUZ;
    const unsigned special = e4m3 ? 0x7fu : 0x7cu;
    uint64_t x = 0;
    size_t m;
    if (!MPX__HAS_SMALL || (!e4m3 && !e5m2)) return MPX_ERR_DTYPE;
    if (mpx_dtype_bits(dst_type) == 0 || mpx_dtype_bits(src_type) == 0) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    for (; n != 0; n -= m, d += m, s += m) {
        m = n < 8 ? n : 8;
        if (m == 8) x = mpx__read64(s);
        else mpx__copy(&x, s, m);
        x = mpx__rebias_eight(x, special, to_fnuz);
        if (m == 8) mpx__write64(d, x);
        else mpx__copy(d, &x, m);
    }
    return MPX_OK;
}

#endif /* !MPX_NO_CAST_WITH */
