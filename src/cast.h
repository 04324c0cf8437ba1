/*==========================================================================*
 * MARK: cast - buffer conversion                                            *
 *   Two kernels per dtype, most pairs through them.                         *
 *==========================================================================*/

/* ---- two kernels per dtype: to f32 and from f32 ---------------------------------------------- */

#define MPX__TO_F32(name, size, dec) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, 4, src, size, n, dec, mpx__enc_f32); \
    }
#define MPX__FROM_F32(name, size, enc) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, size, src, 4, n, mpx__dec_f32, enc); \
    }

MPX__PRIVATE void mpx__f16_to_f32(void *dst, const void *src, size_t n) {
    mpx__env env = mpx__f16_enter();
    mpx__loop(dst, 4, src, 2, n, mpx__dec_f16, mpx__enc_f32);
    mpx__f16_leave(env);
}
MPX__PRIVATE void mpx__f16_from_f32(void *dst, const void *src, size_t n) {
    mpx__env env = mpx__f16_enter();
    mpx__loop(dst, 2, src, 4, n, mpx__dec_f32, mpx__enc_f16);
    mpx__f16_leave(env);
}
MPX__TO_F32(mpx__bf16_to_f32, 2, mpx__dec_bf16)
MPX__FROM_F32(mpx__bf16_from_f32, 2, mpx__enc_bf16)
MPX__TO_F32(mpx__f8e4m3fn_to_f32, 1, mpx__dec_f8e4m3fn)
MPX__FROM_F32(mpx__f8e4m3fn_from_f32, 1, mpx__enc_f8e4m3fn)
MPX__TO_F32(mpx__f8e5m2_to_f32, 1, mpx__dec_f8e5m2)
MPX__FROM_F32(mpx__f8e5m2_from_f32, 1, mpx__enc_f8e5m2)
MPX__TO_F32(mpx__f8e4m3fnuz_to_f32, 1, mpx__dec_f8e4m3fnuz)
MPX__FROM_F32(mpx__f8e4m3fnuz_from_f32, 1, mpx__enc_f8e4m3fnuz)
MPX__TO_F32(mpx__f8e5m2fnuz_to_f32, 1, mpx__dec_f8e5m2fnuz)
MPX__FROM_F32(mpx__f8e5m2fnuz_from_f32, 1, mpx__enc_f8e5m2fnuz)
MPX__TO_F32(mpx__f8e4m3b11fnuz_to_f32, 1, mpx__dec_f8e4m3b11fnuz)
MPX__FROM_F32(mpx__f8e4m3b11fnuz_from_f32, 1, mpx__enc_f8e4m3b11fnuz)
MPX__TO_F32(mpx__f8e4m3_to_f32, 1, mpx__dec_f8e4m3)
MPX__FROM_F32(mpx__f8e4m3_from_f32, 1, mpx__enc_f8e4m3)
MPX__TO_F32(mpx__f8e3m4_to_f32, 1, mpx__dec_f8e3m4)
MPX__FROM_F32(mpx__f8e3m4_from_f32, 1, mpx__enc_f8e3m4)
MPX__TO_F32(mpx__f8e8m0fnu_to_f32, 1, mpx__dec_f8e8m0fnu)
MPX__FROM_F32(mpx__f8e8m0fnu_from_f32, 1, mpx__enc_f8e8m0fnu)
MPX__TO_F32(mpx__f6e2m3fn_to_f32, 1, mpx__dec_f6e2m3fn)
MPX__FROM_F32(mpx__f6e2m3fn_from_f32, 1, mpx__enc_f6e2m3fn)
MPX__TO_F32(mpx__f6e3m2fn_to_f32, 1, mpx__dec_f6e3m2fn)
MPX__FROM_F32(mpx__f6e3m2fn_from_f32, 1, mpx__enc_f6e3m2fn)
MPX__TO_F32(mpx__f4e2m1fn_to_f32, 1, mpx__dec_f4e2m1fn)
MPX__FROM_F32(mpx__f4e2m1fn_from_f32, 1, mpx__enc_f4e2m1fn)
MPX__TO_F32(mpx__bool_to_f32, 1, mpx__dec_bool)
MPX__FROM_F32(mpx__bool_from_f32, 1, mpx__enc_bool)
MPX__TO_F32(mpx__i2_to_f32, 1, mpx__dec_i2)
MPX__FROM_F32(mpx__i2_from_f32, 1, mpx__enc_i2)
MPX__TO_F32(mpx__u2_to_f32, 1, mpx__dec_u8)
MPX__FROM_F32(mpx__u2_from_f32, 1, mpx__enc_u2)
MPX__TO_F32(mpx__i4_to_f32, 1, mpx__dec_i4)
MPX__FROM_F32(mpx__i4_from_f32, 1, mpx__enc_i4)
MPX__TO_F32(mpx__u4_to_f32, 1, mpx__dec_u8)
MPX__FROM_F32(mpx__u4_from_f32, 1, mpx__enc_u4)
MPX__TO_F32(mpx__i8_to_f32, 1, mpx__dec_i8)
MPX__FROM_F32(mpx__i8_from_f32, 1, mpx__enc_i8)
MPX__TO_F32(mpx__u8_to_f32, 1, mpx__dec_u8)
MPX__FROM_F32(mpx__u8_from_f32, 1, mpx__enc_u8)
MPX__TO_F32(mpx__i16_to_f32, 2, mpx__dec_i16)
MPX__FROM_F32(mpx__i16_from_f32, 2, mpx__enc_i16)
MPX__TO_F32(mpx__u16_to_f32, 2, mpx__dec_u16)
MPX__FROM_F32(mpx__u16_from_f32, 2, mpx__enc_u16)
#if MPX__COMPACT
MPX__TO_F32(mpx__f32_to_f32, 4, mpx__dec_f32)
MPX__FROM_F32(mpx__f32_from_f32, 4, mpx__enc_f32)
#else
MPX__PRIVATE void mpx__f32_to_f32(void *dst, const void *src, size_t n) {
    mpx__copy(dst, src, n * 4);
}
MPX__PRIVATE void mpx__f32_from_f32(void *dst, const void *src, size_t n) {
    mpx__copy(dst, src, n * 4);
}
#endif

/* Wide dtypes meet the hub by round-to-odd. */
MPX__TO_F32(mpx__f64_to_f32, 8, mpx__dec_odd_f64)
MPX__FROM_F32(mpx__f64_from_f32, 8, mpx__enc_f64)
MPX__TO_F32(mpx__i32_to_f32, 4, mpx__dec_odd_i32)
MPX__FROM_F32(mpx__i32_from_f32, 4, mpx__enc_i32)
MPX__TO_F32(mpx__u32_to_f32, 4, mpx__dec_odd_u32)
MPX__FROM_F32(mpx__u32_from_f32, 4, mpx__enc_u32)
MPX__TO_F32(mpx__i64_to_f32, 8, mpx__dec_odd_i64)
MPX__FROM_F32(mpx__i64_from_f32, 8, mpx__enc_i64)
MPX__TO_F32(mpx__u64_to_f32, 8, mpx__dec_odd_u64)
MPX__FROM_F32(mpx__u64_from_f32, 8, mpx__enc_u64)
MPX__PRIVATE void mpx__none_to_f32(void *dst, const void *src, size_t n) {
    (void)dst, (void)src, (void)n;
}
MPX__PRIVATE void mpx__none_from_f32(void *dst, const void *src, size_t n) {
    (void)dst, (void)src, (void)n;
}

/* ---- pairs that do not meet in the hub ------------------------------------------------------- */

/* Where f32 itself is the target, wide dtypes are rounded to nearest. */
MPX__TO_F32(mpx__f64_to_f32_nearest, 8, mpx__dec_f64)
MPX__TO_F32(mpx__i32_to_f32_nearest, 4, mpx__dec_i32)
MPX__TO_F32(mpx__u32_to_f32_nearest, 4, mpx__dec_u32)
MPX__TO_F32(mpx__i64_to_f32_nearest, 8, mpx__dec_i64)
MPX__TO_F32(mpx__u64_to_f32_nearest, 8, mpx__dec_u64)

/* NULL for all other pairs. */
#define MPX__PAIR(dst, src) ((int)(dst) * 64 + (int)(src))
MPX__PRIVATE mpx__kernel mpx__direct_kernel(mpx_dtype dst_type, mpx_dtype src_type) {
    switch (MPX__PAIR(dst_type, src_type)) {
        MPX__IF_F64(case MPX__PAIR(MPX_F32, MPX_F64): return mpx__f64_to_f32_nearest;)
        MPX__IF_I32(case MPX__PAIR(MPX_F32, MPX_I32): return mpx__i32_to_f32_nearest;)
        MPX__IF_U32(case MPX__PAIR(MPX_F32, MPX_U32): return mpx__u32_to_f32_nearest;)
        MPX__IF_I64(case MPX__PAIR(MPX_F32, MPX_I64): return mpx__i64_to_f32_nearest;)
        MPX__IF_U64(case MPX__PAIR(MPX_F32, MPX_U64): return mpx__u64_to_f32_nearest;)
        MPX__IF_F64(MPX__IF_I32(case MPX__PAIR(MPX_I32, MPX_F64): return mpx__f64_to_i32;))
        MPX__IF_F64(MPX__IF_U32(case MPX__PAIR(MPX_U32, MPX_F64): return mpx__f64_to_u32;))
        MPX__IF_I32(MPX__IF_F64(case MPX__PAIR(MPX_F64, MPX_I32): return mpx__i32_to_f64;))
        MPX__IF_U32(MPX__IF_F64(case MPX__PAIR(MPX_F64, MPX_U32): return mpx__u32_to_f64;))
    default: return NULL;
    }
}
#undef MPX__PAIR

/* ---- the hub --------------------------------------------------------------------------------- */

#define MPX__CASE(constant, name, short_name, kind, bits, format, stem, systems) \
    case constant: stem##_to_f32(dst, src, n); break;
MPX__PRIVATE void mpx__kernel_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    switch (type) {
        MPX__DTYPES(MPX__CASE)
    default: mpx__f32_to_f32(dst, src, n); break; /* there are no others */
    }
}
#undef MPX__CASE
#define MPX__CASE(constant, name, short_name, kind, bits, format, stem, systems) \
    case constant: stem##_from_f32(dst, src, n); break;
MPX__PRIVATE void mpx__kernel_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    switch (type) {
        MPX__DTYPES(MPX__CASE)
    default: mpx__f32_from_f32(dst, src, n); break; /* there are no others */
    }
}
#undef MPX__CASE

/* Codes, one per byte where they are smaller. For size: one loop around all kernels, not one in
   each. */
#if MPX__COMPACT
MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    unsigned step = (mpx__row_of(type)->bits + 7u) >> 3;
    for (; n != 0; n--, d += 4, s += step)
        mpx__kernel_to_f32(type, d, s, 1);
}
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    unsigned step = (mpx__row_of(type)->bits + 7u) >> 3;
    for (; n != 0; n--, d += step, s += 4)
        mpx__kernel_from_f32(type, d, s, 1);
}
#else
MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    mpx__kernel_to_f32(type, dst, src, n);
}
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    mpx__kernel_from_f32(type, dst, src, n);
}
#endif

#if MPX__HAS_FLOAT
/* Codes of one or two bytes: those of the rest are packed, or meet f32 in two ways. */
MPX__INLINE int mpx__has_short_codes(const mpx__row *row) { return row->bits - 8u <= 8u; }

/* The same by the row of its own that a dtype may have to f32, or f32 to it. A wide dtype, which
   f32 does not hold, needs one that rounds to odd. */
MPX__PRIVATE void mpx__codes_to_tile(mpx_dtype type, void *tile, const void *src, size_t n) {
    mpx__span span;
    if (n < MPX__FEW && !mpx__is_f64(type)) {
        mpx__codes_to_f32(type, tile, src, n);
        return;
    }
    (void)mpx__span_set(&span, tile, mpx__row_of(MPX_F32), src, mpx__row_of(type), n, 0, 0);
    if (mpx__is_f64(type))
        mpx__span_advance(&span, mpx__f64_to_tile(&span));
    else if (mpx__wide_loader(type) == NULL)
        mpx__span_advance(&span, mpx__fast_rows(&span));
    if (span.n != 0) mpx__codes_to_f32(type, span.d, span.s, span.n);
}
MPX__PRIVATE void mpx__tile_to_codes(mpx_dtype type, void *dst, const void *tile, size_t n) {
    mpx__span span;
    if (n < MPX__FEW) {
        mpx__codes_from_f32(type, dst, tile, n);
        return;
    }
    (void)mpx__span_set(&span, dst, mpx__row_of(type), tile, mpx__row_of(MPX_F32), n, 0, 0);
    mpx__span_advance(&span, mpx__fast_rows(&span));
    if (span.n != 0) mpx__codes_from_f32(type, span.d, span.s, span.n);
}
#else
MPX__INLINE void mpx__codes_to_tile(mpx_dtype type, void *tile, const void *src, size_t n) {
    mpx__codes_to_f32(type, tile, src, n);
}
MPX__INLINE void mpx__tile_to_codes(mpx_dtype type, void *dst, const void *tile, size_t n) {
    mpx__codes_from_f32(type, dst, tile, n);
}
#endif

/* At most MPX_TILE elements of any dtype to and from f32 bits. */
MPX__PRIVATE void mpx__to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    if (mpx__is_packed(type)) {
        unsigned char codes[MPX_TILE];
        mpx__unpack(codes, src, mpx_dtype_bits(type), n);
        mpx__codes_to_tile(type, dst, codes, n);
    } else {
        mpx__codes_to_tile(type, dst, src, n);
    }
}
MPX__PRIVATE void mpx__from_f32(mpx_dtype type, void *dst, const void *tile, size_t n) {
    if (mpx__is_packed(type)) {
        unsigned char codes[MPX_TILE];
        mpx__tile_to_codes(type, codes, tile, n);
        mpx__pack(dst, codes, mpx_dtype_bits(type), n);
    } else {
        mpx__tile_to_codes(type, dst, tile, n);
    }
}

/* Bits as they are; what is left of the last byte becomes zero. */
#if MPX__HAS_PACKED
MPX__LONG_WAY mpx_status mpx__copy_elements(void *dst, const void *src, mpx_dtype type, size_t n) {
    size_t bytes = mpx_dtype_bytes(type, n);
    unsigned used = (unsigned)(n & 7) * (unsigned)mpx_dtype_bits(type) & 7u;
    if (bytes == 0) return MPX_OK;
    mpx__copy(dst, src, bytes);
    if (used != 0) ((unsigned char *)dst)[bytes - 1] &= (unsigned char)((1u << used) - 1u);
    return MPX_OK;
}
#else
MPX__LONG_WAY mpx_status mpx__copy_elements(void *dst, const void *src, mpx_dtype type, size_t n) {
    mpx__copy(dst, src, n * (mpx__row_of(type)->bits / 8u));
    return MPX_OK;
}
#endif

#if MPX__COMPACT && !MPX__HAS_PACKED
/* For size: element by element. */
MPX__PRIVATE void mpx__hub_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    unsigned dst_step = mpx__row_of(dst_type)->bits >> 3,
             src_step = mpx__row_of(src_type)->bits >> 3;
    mpx__kernel direct = mpx__direct_kernel(dst_type, src_type);
    for (; n != 0; n--, d += dst_step, s += src_step) {
        uint32_t u;
        if (direct != NULL) {
            direct(d, s, 1);
        } else {
            mpx__codes_to_f32(src_type, &u, s, 1);
            mpx__codes_from_f32(dst_type, d, &u, 1);
        }
    }
}
#else
/* By tiles, one switch per tile. In place works because a tile is read before it is written, and
   dst is not ahead. */
MPX__PRIVATE void mpx__hub_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t dst_step = mpx_dtype_bytes(dst_type, MPX_TILE),
           src_step = mpx_dtype_bytes(src_type, MPX_TILE);
    mpx__kernel direct = mpx__direct_kernel(dst_type, src_type);
    uint32_t tile[MPX_TILE];
    for (; n != 0; d += dst_step, s += src_step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        if (direct != NULL) {
            direct(d, s, m);
        } else if (dst_type == MPX_F32 && !mpx__is_packed(src_type)) {
            /* what rows of their own have left */
            mpx__codes_to_f32(src_type, d, s, m);
        } else if (dst_type == MPX_F32) {
            mpx__to_f32(src_type, d, s, m);
        } else if (src_type == MPX_F32 && !mpx__is_packed(dst_type)) {
            mpx__codes_from_f32(dst_type, d, s, m);
        } else if (src_type == MPX_F32) {
            mpx__from_f32(dst_type, d, s, m);
        } else {
            mpx__to_f32(src_type, tile, s, m);
            mpx__from_f32(dst_type, d, tile, m);
        }
        n -= m;
    }
}
#endif

#if MPX__COMPACT
/* Between dtypes that f32 does not hold. */
MPX__LONG_WAY int mpx__integer_cast(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n) {
    mpx__wide_load_fn load = mpx__wide_loader(from->type);
    mpx__wide_store_fn store = mpx__wide_storer(to->type);
    if (load == NULL || store == NULL || mpx__direct_kernel(to->type, from->type) != NULL) return 0;
    mpx__wide_loop(dst, to->bits / 8u, src, from->bits / 8u, n, load, store);
    return 1;
}
#endif

/* ---- rows of their own ----------------------------------------------------------------------- */

#if MPX__HAS_FLOAT
/* Few elements, by kernels alone: the way to a row, or through the tiles, costs more than they. */
MPX__INLINE int mpx__are_few(const mpx__row *to, const mpx__row *from, size_t n) {
    const int to_f32 = to->type == MPX_F32, from_f32 = from->type == MPX_F32;
    const int one = to_f32 || (from_f32 && to->kind == MPX_KIND_FLOAT);
    const size_t few = one ? MPX__FEW_BY_KERNEL : MPX__FEW;
    return n < few && (to_f32 || mpx__has_short_codes(to)) &&
           (from_f32 || mpx__has_short_codes(from));
}
MPX__LONG_WAY void mpx__cast_few_by_tile(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n) {
    uint32_t tile[MPX__FEW];
    mpx__kernel_to_f32(from, tile, src, n);
    mpx__kernel_from_f32(to, dst, tile, n);
}
/* Returns whether these were few. */
MPX__INLINE int mpx__cast_few(void *dst, const mpx__row *to, const void *src, const mpx__row *from,
                              size_t n) {
    if (!mpx__are_few(to, from, n)) return 0;
    if (to->type == MPX_F32)
        mpx__kernel_to_f32(mpx__type_of(from), dst, src, n);
    else if (from->type == MPX_F32)
        mpx__kernel_from_f32(mpx__type_of(to), dst, src, n);
    else
        mpx__cast_few_by_tile(dst, mpx__type_of(to), src, mpx__type_of(from), n);
    return 1;
}

/* Where there is no row, or less than a block. */
MPX__LONG_WAY void mpx__cast_by_kernels(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    mpx_dtype dst_type = mpx__type_of(to), src_type = mpx__type_of(from);
    mpx__kernel direct = mpx__direct_kernel(dst_type, src_type);
    if (direct != NULL)
        direct(dst, src, n);
    else if (!mpx__integer_cast(dst, to, src, from, n))
        mpx__hub_cast(dst, dst_type, src, src_type, n);
}
MPX__LONG_WAY void mpx__cast_without_row(void *dst, const mpx__row *to, const void *src,
                                         const mpx__row *from, size_t n) {
    if (!mpx__cast_few(dst, to, src, from, n)) mpx__cast_by_kernels(dst, to, src, from, n);
}
MPX__LONG_WAY void mpx__cast_rest(mpx__span *span, size_t done) {
    mpx__span_advance(span, done);
    mpx__cast_without_row(span->d, span->to, span->s, span->from, span->n);
}
MPX__LONG_WAY void mpx__cast_large(mpx__span *span) {
    size_t head = mpx__span_align(span), done;
    if (head != 0) {
        mpx__cast_without_row(span->d, span->to, span->s, span->from, head);
        mpx__span_advance(span, head);
    }
    done = mpx__fast_rows(span);
    if (span->stream) mpx__fence();
    if (done != span->n) mpx__cast_rest(span, done);
}
MPX__LONG_WAY mpx_status mpx__cast_many(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    mpx__span span;
    if (mpx__span_set(&span, dst, to, src, from, n, 0, 1)) {
        mpx__cast_large(&span);
    } else {
        size_t done = mpx__fast_rows(&span);
        if (done != span.n) mpx__cast_rest(&span, done);
    }
    return MPX_OK;
}
MPX__LONG_WAY mpx_status mpx__cast_left(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    if (n >= 4 * MPX__LANES) return mpx__cast_many(dst, to, src, from, n);
    mpx__cast_without_row(dst, to, src, from, n);
    return MPX_OK;
}
MPX__LONG_WAY mpx_status mpx__cast_some(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    mpx_dtype dst_type = mpx__type_of(to), src_type = mpx__type_of(from);
    if (!MPX__HAS_OWN_ROWS && n >= MPX__ROW_MIN &&
        mpx__cast_numbers(dst, dst_type, src, src_type, n, 0) == MPX_OK)
        return MPX_OK;
    if (mpx__cast_few(dst, to, src, from, n)) return MPX_OK;
    if (n >= MPX__ROW_MIN) return mpx__cast_many(dst, to, src, from, n);
    mpx__cast_by_kernels(dst, to, src, from, n);
    return MPX_OK;
}
MPX__INLINE mpx_status mpx__cast_elements(void *dst, mpx_dtype dst_type, const void *src,
                                          mpx_dtype src_type, size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    if (n < MPX__FEW_BY_KERNEL) return mpx__cast_some(dst, to, src, from, n);
    return mpx__cast_many(dst, to, src, from, n);
}
#else
MPX__INLINE mpx_status mpx__cast_elements(void *dst, mpx_dtype dst_type, const void *src,
                                          mpx_dtype src_type, size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    if (!mpx__integer_cast(dst, to, src, from, n)) mpx__hub_cast(dst, dst_type, src, src_type, n);
    return MPX_OK;
}
#endif

/* Complex numbers are only copied. */
#if MPX__HAS_COMPLEX
MPX__INLINE int mpx__is_real(const mpx__row *row) {
    return row->kind > MPX_KIND_NONE && row->kind < MPX_KIND_COMPLEX;
}
MPX__LONG_WAY mpx_status mpx__cast_complex(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                           size_t n) {
    if (to != from || mpx__row_of(to)->kind != MPX_KIND_COMPLEX) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    return mpx__copy_elements(dst, src, to, n);
}
#else
MPX__INLINE int mpx__is_real(const mpx__row *row) { return row->kind != MPX_KIND_NONE; }
MPX__INLINE mpx_status mpx__cast_complex(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n) {
    (void)dst, (void)to, (void)src, (void)from, (void)n;
    return MPX_ERR_DTYPE;
}
#endif

/* Any dtypes, any number of elements. */
MPX__LONG_WAY mpx_status mpx__cast_any(void *dst, mpx_dtype dst_type, const void *src,
                                       mpx_dtype src_type, size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    if (!mpx__is_real(to) || !mpx__is_real(from))
        return mpx__cast_complex(dst, dst_type, src, src_type, n);
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (dst_type == src_type) return mpx__copy_elements(dst, src, dst_type, n);
    return mpx__cast_elements(dst, dst_type, src, src_type, n);
}
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                            size_t n) {
#if MPX__HAS_FLOAT
    /* At 1 KiB the way to a row takes much of the time of the pairs that are most in use; those
       that take the least come first. In modes that a shortcut does not bear, rows see to them. */
    if (n >= MPX__FEW_BY_KERNEL && !mpx__may_be_large(n)) {
        MPX_ASSERT(dst != NULL && src != NULL);
        if (dst_type == MPX_F32) {
            MPX__IF_F64(if (src_type == MPX_F64 && MPX__LIKELY(!mpx__modes_differ()))
                            return mpx__f64_to_f32_shortcut(dst, src, n);)
            MPX__IF_I32(if (src_type == MPX_I32) return mpx__i32_to_f32_row(dst, src, n, 0);)
            MPX__IF_BF16(if (src_type == MPX_BF16) return mpx__bf16_to_f32_shortcut(dst, src, n);)
            MPX__IF_F16(if (src_type == MPX_F16) return mpx__f16_to_f32_shortcut(dst, src, n);)
            MPX__IF_I16(if (src_type == MPX_I16) return mpx__i16_to_f32_row(dst, src, n, 0);)
            MPX__IF_I8(if (src_type == MPX_I8) return mpx__i8_to_f32_row(dst, src, n, 0);)
            MPX__IF_U8(if (src_type == MPX_U8) return mpx__u8_to_f32_row(dst, src, n, 0);)
        }
        if (dst_type >= MPX_I8 || src_type >= MPX_I8) {
            switch (mpx__number_pair(dst_type, src_type)) { MPX__NUMBER_CASES(0) }
        }
        if (src_type == MPX_F32) {
            MPX__IF_F16(if (dst_type == MPX_F16) return mpx__f32_to_f16_shortcut(dst, src, n);)
            MPX__IF_BF16(if (dst_type == MPX_BF16) return mpx__f32_to_bf16_shortcut(dst, src, n);)
            MPX__IF_F64(if (dst_type == MPX_F64 && !mpx__modes_differ())
                            return mpx__f32_to_f64_shortcut(dst, src, n);)
        }
        MPX__IF_F16(MPX__IF_BF16(if (dst_type == MPX_F16 && src_type == MPX_BF16)
                                     return mpx__bf16_to_f16_shortcut(dst, src, n);))
        MPX__IF_F16(MPX__IF_BF16(if (dst_type == MPX_BF16 && src_type == MPX_F16)
                                     return mpx__f16_to_bf16_shortcut(dst, src, n);))
    }
#endif
    return mpx__cast_any(dst, dst_type, src, src_type, n);
}
#if MPX__HAS_FLOAT
#undef MPX__NUMBER_CASES
#undef MPX__ROW_OF
#undef MPX__IF_f64
#undef MPX__IF_f32
#undef MPX__IF_i8
#undef MPX__IF_u8
#undef MPX__IF_i16
#undef MPX__IF_u16
#undef MPX__IF_i32
#undef MPX__IF_u32
#undef MPX__IF_i64
#undef MPX__IF_u64
#undef MPX__PLACES
#undef MPX__PLACE
#endif
