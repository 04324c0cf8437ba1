/*==========================================================================*
 * MARK: cast - buffer conversion                                            *
 *   Two kernels per dtype, all pairs through them.                          *
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

/* f16 by an instruction, where there is one: it raises flags. */
MPX__PRIVATE void mpx__f16_to_f32(void *dst, const void *src, size_t n) {
    mpx__env env = mpx__env_enter();
    mpx__loop(dst, 4, src, 2, n, mpx__dec_f16, mpx__enc_f32);
    mpx__env_leave(env);
}
MPX__PRIVATE void mpx__f16_from_f32(void *dst, const void *src, size_t n) {
    mpx__env env = mpx__env_enter();
    mpx__loop(dst, 2, src, 4, n, mpx__dec_f32, mpx__enc_f16);
    mpx__env_leave(env);
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
MPX__PRIVATE void mpx__f32_to_f32(void *dst, const void *src, size_t n) {
    mpx__copy(dst, src, n * 4);
}
MPX__PRIVATE void mpx__f32_from_f32(void *dst, const void *src, size_t n) {
    mpx__copy(dst, src, n * 4);
}

/* Wide dtypes meet the hub by round-to-odd, see wide.h. */
#define MPX__WIDE_TO_F32(name, size, load) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__wide_loop(dst, 4, src, size, n, load, mpx__wide_store_f32_odd); \
    }
#define MPX__WIDE_FROM_F32(name, size, store) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__wide_loop(dst, size, src, 4, n, mpx__wide_load_f32, store); \
    }
MPX__WIDE_TO_F32(mpx__f64_to_f32, 8, mpx__wide_load_f64)
MPX__WIDE_FROM_F32(mpx__f64_from_f32, 8, mpx__wide_store_f64)
MPX__WIDE_TO_F32(mpx__i32_to_f32, 4, mpx__wide_load_i32)
MPX__WIDE_FROM_F32(mpx__i32_from_f32, 4, mpx__wide_store_i32)
MPX__WIDE_TO_F32(mpx__u32_to_f32, 4, mpx__wide_load_u32)
MPX__WIDE_FROM_F32(mpx__u32_from_f32, 4, mpx__wide_store_u32)
MPX__WIDE_TO_F32(mpx__i64_to_f32, 8, mpx__wide_load_i64)
MPX__WIDE_FROM_F32(mpx__i64_from_f32, 8, mpx__wide_store_i64)
MPX__WIDE_TO_F32(mpx__u64_to_f32, 8, mpx__wide_load_u64)
MPX__WIDE_FROM_F32(mpx__u64_from_f32, 8, mpx__wide_store_u64)
MPX__PRIVATE void mpx__none_to_f32(void *dst, const void *src, size_t n) {
    (void)dst, (void)src, (void)n;
}
MPX__PRIVATE void mpx__none_from_f32(void *dst, const void *src, size_t n) {
    (void)dst, (void)src, (void)n;
}

/* ---- dtypes below a byte --------------------------------------------------------------------- */

/* n codes of `bits` bits each, element 0 in the lowest bits of byte 0, to one code per byte. */
MPX__PRIVATE void mpx__unpack(unsigned char *codes, const void *src, int bits, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    unsigned pool = 0, mask = (1u << bits) - 1u;
    int filled = 0;
    for (; n != 0; n--, pool >>= bits, filled -= bits) {
        if (filled < bits) {
            pool |= (unsigned)*s++ << filled;
            filled += 8;
        }
        *codes++ = (unsigned char)(pool & mask);
    }
}

/* And back; the unused bits of the last byte become zero. */
MPX__PRIVATE void mpx__pack(void *dst, const unsigned char *codes, int bits, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    unsigned pool = 0;
    int filled = 0;
    for (; n != 0; n--) {
        pool |= (unsigned)*codes++ << filled;
        filled += bits;
        if (filled >= 8) {
            *d++ = (unsigned char)(pool & 255u);
            pool >>= 8;
            filled -= 8;
        }
    }
    if (filled != 0) *d = (unsigned char)pool;
}

/* ---- the hub --------------------------------------------------------------------------------- */

#define MPX__CASE(constant, name, short_name, kind, bits, format, stem, systems) \
    case constant: stem##_to_f32(dst, src, n); break;
MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    switch (type) {
        MPX__DTYPES(MPX__CASE)
    default: break;
    }
}
#undef MPX__CASE
#define MPX__CASE(constant, name, short_name, kind, bits, format, stem, systems) \
    case constant: stem##_from_f32(dst, src, n); break;
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    mpx__span span;
    (void)mpx__span_set(&span, dst, type, src, MPX_F32, n, 0, 0);
    mpx__span_advance(&span, mpx__fast_rows(&span));
    dst = span.d;
    src = span.s;
    n = span.n;
    switch (type) {
        MPX__DTYPES(MPX__CASE)
    default: break;
    }
}
#undef MPX__CASE

/* At most MPX_TILE elements of any dtype to and from f32 bits. */
MPX__PRIVATE void mpx__to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    if (mpx_dtype_bits(type) < 8) {
        unsigned char codes[MPX_TILE];
        mpx__unpack(codes, src, mpx_dtype_bits(type), n);
        mpx__codes_to_f32(type, dst, codes, n);
    } else {
        mpx__codes_to_f32(type, dst, src, n);
    }
}
MPX__PRIVATE void mpx__from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    if (mpx_dtype_bits(type) < 8) {
        unsigned char codes[MPX_TILE];
        mpx__codes_from_f32(type, codes, src, n);
        mpx__pack(dst, codes, mpx_dtype_bits(type), n);
    } else {
        mpx__codes_from_f32(type, dst, src, n);
    }
}

/* Bits as they are; what is left of the last byte becomes zero. */
MPX__PRIVATE void mpx__copy_elements(void *dst, const void *src, mpx_dtype type, size_t n) {
    size_t bytes = mpx_dtype_bytes(type, n);
    unsigned used = (unsigned)(n & 7) * (unsigned)mpx_dtype_bits(type) & 7u;
    if (bytes == 0) return;
    mpx__copy(dst, src, bytes);
    if (used != 0) ((unsigned char *)dst)[bytes - 1] &= (unsigned char)((1u << used) - 1u);
}

/* By tiles, one switch per tile. In place works because a tile is read before it is written, and
   dst is not ahead. */
MPX__PRIVATE void mpx__hub_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t dst_step = mpx_dtype_bytes(dst_type, MPX_TILE),
           src_step = mpx_dtype_bytes(src_type, MPX_TILE);
    mpx__wide_load_fn load = mpx__wide_loader(src_type);
    uint32_t tile[MPX_TILE];
    for (; n != 0; d += dst_step, s += src_step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        if (dst_type == MPX_F32 && load != NULL) {
            mpx__wide_loop(d, 4, s, src_step / MPX_TILE, m, load, mpx__wide_store_f32);
        } else if (dst_type == MPX_F32) {
            mpx__to_f32(src_type, d, s, m);
        } else if (src_type == MPX_F32) {
            mpx__from_f32(dst_type, d, s, m);
        } else {
            mpx__to_f32(src_type, tile, s, m);
            mpx__from_f32(dst_type, d, tile, m);
        }
        n -= m;
    }
}

/* ---- rows of their own ----------------------------------------------------------------------- */

MPX__PRIVATE void mpx__rows_and_hub(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                    size_t n) {
    mpx__span span;
    size_t head = mpx__span_set(&span, dst, to, src, from, n, 0, 1);
    if (head != 0) {
        mpx__hub_cast(dst, to, src, from, head);
        mpx__span_advance(&span, head);
    }
    mpx__span_advance(&span, mpx__fast_rows(&span));
    if (span.n != 0) mpx__hub_cast(span.d, to, span.s, from, span.n);
}

MPX_API mpx_status mpx_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                            size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    mpx__wide_load_fn load = mpx__wide_loader(src_type);
    mpx__wide_store_fn store = mpx__wide_storer(dst_type);
    if (to->kind == MPX_KIND_NONE || from->kind == MPX_KIND_NONE) return MPX_ERR_DTYPE;
    if (dst_type != src_type && (to->kind == MPX_KIND_COMPLEX || from->kind == MPX_KIND_COMPLEX))
        return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (dst_type == src_type)
        mpx__copy_elements(dst, src, dst_type, n);
    else if (load != NULL && store != NULL && dst_type != MPX_F32)
        mpx__wide_loop(dst, to->bits / 8u, src, from->bits / 8u, n, load, store);
    else
        mpx__rows_and_hub(dst, dst_type, src, src_type, n);
    return MPX_OK;
}
