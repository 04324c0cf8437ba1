/*==================================================================*
 * MARK: vertex - attributes of vertices, packed as graphics APIs have them
 *   Plain dtypes go through mpx_cast_strided, normalised integers through norms.h. The rest
 *   is computed here, with integers.
 *   Sources: Vulkan 1.3, "Fixed-Point Data Conversions" and "Numeric Representation and
 *   Computation"; EXT_texture_shared_exponent.
 *==================================================================*/

#if !MPX_NO_VERTEX

/* n items from s to d, `components` of each. */
typedef struct mpx__items {
    unsigned char *d;
    const unsigned char *s;
    size_t d_step, s_step, n, components;
} mpx__items;

/* ---- one word -------------------------------------------------- */

/* Five bits of exponent, m of mantissa, no sign: negatives are 0, NaN stays NaN, and finite values
   do not become Inf. */
MPX__PRIVATE uint32_t mpx__to_ufloat(uint32_t u, uint32_t m) {
    const uint32_t inf = 31u << m, a = u & 0x7fffffffu, code = mpx__round(a, 5, m, 1);
    if (u >> 31 != 0 && a <= 0x7f800000u) return 0;
    return code == inf && a != 0x7f800000u ? inf - 1u : code;
}

/* Three f32 at s by the algorithm of EXT_texture_shared_exponent, N = 9, B = 15: clamped to
   0 ... 65408 (NaN is 0); the exponent is that of the largest, one more if its 9 bits round up to
   512; halves go up. A component is (2^23 + m) * 2^(e - 150), its field counts 2^(shared - 24). */
MPX__INLINE uint32_t mpx__shared_field(uint32_t u, uint32_t shared) {
    const uint32_t shift = 125u + shared - (u >> 23), most = shift > 31u ? 31u : shift;
    return ((((u & 0x7fffffu) | 0x800000u) >> most) + 1u) >> 1;
}
MPX__INLINE uint32_t mpx__to_rgb9e5(const unsigned char *s) {
    uint32_t x[3], largest = 0, shared;
    int k;
    for (k = 0; k < 3; k++) {
        const uint32_t u = mpx__read32(s + 4 * k), top = 0x477f8000u; /* 65408 */
        x[k] = u > 0x7f800000u ? 0 : u > top ? top : u;
        largest = x[k] > largest ? x[k] : largest;
    }
    shared = largest >> 23 > 111u ? (largest >> 23) - 111u : 0;
    shared += mpx__shared_field(largest, shared) == 512u;
    return mpx__shared_field(x[0], shared) | mpx__shared_field(x[1], shared) << 9 |
           mpx__shared_field(x[2], shared) << 18 | shared << 27;
}

/* The f32 bits of field * 2^exp. Not by a float sum, as in mpx__value: clang 22 takes two fields in
   a vector, and what is in its other lanes raises flags. */
MPX__INLINE uint32_t mpx__from_field(uint32_t field, int exp) {
    mpx__number x;
    if (field == 0) return 0;
    x.sig = field;
    x.exp = exp + MPX__SIG_BITS + 125;
    mpx__normalize(&x);
    return ((uint32_t)x.exp << 23) + (uint32_t)(x.sig >> (MPX__SIG_BITS - 24));
}
/* Back; NaN becomes quiet. */
MPX__INLINE uint32_t mpx__from_ufloat(uint32_t code, int m) {
    const uint32_t rebias = 112u << 23, u = (code << (23 - m)) + rebias;
    if (code >> m == 0) return mpx__from_field(code, -14 - m);
    if (code >> m != 31) return u;
    return (u + rebias) | ((u & 0x7fffffu) != 0 ? 0x400000u : 0);
}

/* ---- normalised integers --------------------------------------- */

enum { MPX__ITEM_TILE = 256 }; /* components on the stack */

/* n elements of `bytes`, 1 or 2, and lanes of 32 bits in a tile. */
MPX__PRIVATE void mpx__codes_of_lanes(unsigned char *d, const unsigned char *x, size_t n,
                                      size_t bytes) {
    size_t i;
    for (i = 0; bytes == 1 && i < n; i++)
        d[i] = (unsigned char)(mpx__read32(x + 4 * i) & 255u);
    for (i = 0; bytes == 2 && i < n; i++)
        mpx__write16(d + 2 * i, (uint16_t)(mpx__read32(x + 4 * i) & 0xffffu));
}
MPX__PRIVATE void mpx__lanes_of_codes(unsigned char *x, const unsigned char *s, size_t n,
                                      size_t bytes) {
    size_t i;
    for (i = 0; bytes == 1 && i < n; i++)
        mpx__write32(x + 4 * i, s[i]);
    for (i = 0; bytes == 2 && i < n; i++)
        mpx__write32(x + 4 * i, mpx__read16(s + 2 * i));
}
/* Four components at a time: those of 64 items fill a tile. */
MPX__PRIVATE void mpx__cast_norms(const mpx__items *items, size_t size, int is_signed, int unpack) {
    unsigned char tile[MPX__ITEM_TILE * 4], codes[MPX__ITEM_TILE * 2];
    const size_t n = items->n, all = items->components;
    size_t k;
    for (k = 0; k < all; k += 4) {
        const size_t run = all - k < 4 ? all - k : 4, wide = run * 4, narrow = run * size;
        if (unpack) {
            mpx__move_items(codes, narrow, items->s + k * size, items->s_step, narrow, n);
            mpx__lanes_of_codes(tile, codes, n * run, size);
            MPX__ENGINE_FN(norms)(tile, n * run, (int)size * 8, is_signed, 1);
            mpx__move_items(items->d + k * 4, items->d_step, tile, wide, wide, n);
        } else {
            mpx__move_items(tile, wide, items->s + k * 4, items->s_step, wide, n);
            MPX__ENGINE_FN(norms)(tile, n * run, (int)size * 8, is_signed, 0);
            mpx__codes_of_lanes(codes, tile, n * run, size);
            mpx__move_items(items->d + k * size, items->d_step, codes, narrow, narrow, n);
        }
    }
}
/* 10-10-10-2: three components of 10 bits in a tile, the fourth in another. */
MPX__PRIVATE void mpx__pack_tens(const mpx__items *items, int is_signed) {
    unsigned char xyz[MPX__ITEM_TILE * 3], w[MPX__ITEM_TILE]; /* of 64 items at most */
    const int has_w = items->components == 4;
    size_t i;
    mpx__move_items(xyz, 12, items->s, items->s_step, 12, items->n);
    MPX__ENGINE_FN(norms)(xyz, items->n * 3, 10, is_signed, 0);
    if (has_w) mpx__move_items(w, 4, items->s + 12, items->s_step, 4, items->n);
    if (has_w) MPX__ENGINE_FN(norms)(w, items->n, 2, is_signed, 0);
    for (i = 0; i < items->n; i++) {
        const unsigned char *x = xyz + i * 12;
        const uint32_t top = has_w ? mpx__read32(w + i * 4) << 30 : 0;
        mpx__write32(items->d + i * items->d_step,
                     (mpx__read32(x) & 1023u) | (mpx__read32(x + 4) & 1023u) << 10 |
                         (mpx__read32(x + 8) & 1023u) << 20 | top);
    }
}
MPX__PRIVATE void mpx__unpack_tens(const mpx__items *items, int is_signed) {
    unsigned char xyz[MPX__ITEM_TILE * 3], w[MPX__ITEM_TILE]; /* of 64 items at most */
    size_t i;
    for (i = 0; i < items->n; i++) {
        const uint32_t word = mpx__read32(items->s + i * items->s_step);
        mpx__write32(xyz + i * 12, word & 1023u);
        mpx__write32(xyz + i * 12 + 4, word >> 10 & 1023u);
        mpx__write32(xyz + i * 12 + 8, word >> 20 & 1023u);
        mpx__write32(w + i * 4, word >> 30);
    }
    MPX__ENGINE_FN(norms)(xyz, items->n * 3, 10, is_signed, 1);
    mpx__move_items(items->d, items->d_step, xyz, 12, 12, items->n);
    if (items->components != 4) return;
    MPX__ENGINE_FN(norms)(w, items->n, 2, is_signed, 1);
    mpx__move_items(items->d + 12, items->d_step, w, 4, 4, items->n);
}

/* Words of three fields. */
MPX__PRIVATE void mpx__pack_words(const mpx__items *items, int format) {
    size_t i;
    unsigned k;
    for (i = 0; i < items->n; i++) {
        const unsigned char *x = items->s + i * items->s_step;
        uint32_t word = format == MPX_VERTEX_RGB9E5 ? mpx__to_rgb9e5(x) : 0;
        for (k = 0; k < 3 && format != MPX_VERTEX_RGB9E5; k++)
            word |= mpx__to_ufloat(mpx__read32(x + 4 * k), k < 2 ? 6 : 5) << 11 * k;
        mpx__write32(items->d + i * items->d_step, word);
    }
}
MPX__PRIVATE void mpx__unpack_words(const mpx__items *items, int format) {
    size_t i;
    unsigned k;
    for (i = 0; i < items->n; i++) {
        unsigned char *x = items->d + i * items->d_step;
        const uint32_t word = mpx__read32(items->s + i * items->s_step);
        for (k = 0; k < 3; k++)
            mpx__write32(x + 4 * k,
                         format == MPX_VERTEX_RGB9E5
                             ? mpx__from_field(word >> 9 * k & 511u, (int)(word >> 27) - 24)
                             : mpx__from_ufloat(word >> 11 * k & 2047u, k < 2 ? 6 : 5));
    }
}

/* ---- all attributes -------------------------------------------- */

MPX__INLINE size_t mpx__norm_bytes(int format) { return format <= MPX_VERTEX_SNORM8 ? 1 : 2; }
/* Whether `count` elements of `size` bytes from an offset on end within a stride. */
MPX__INLINE int mpx__fits_stride(size_t offset, size_t count, size_t size, size_t stride) {
    return offset <= stride && count <= (stride - offset) / size;
}
MPX__COLD MPX__NOINLINE mpx_status mpx__check_attribute(const mpx_attribute *a, size_t packed,
                                                        size_t floats, size_t n) {
    const mpx__row *row = mpx__row_of(a->dtype);
    const int format = a->format, is_plain = format == MPX_VERTEX_PLAIN,
              is_word = format > MPX_VERTEX_SNORM16;
    const size_t most = !is_word ? (size_t)-1 : format <= MPX_VERTEX_SNORM10_10_10_2 ? 4 : 3;
    const size_t size = is_plain ? row->bits / 8u : is_word ? 4 : mpx__norm_bytes(format);
    if (format < MPX_VERTEX_PLAIN || format > MPX_VERTEX_RGB9E5) return MPX_ERR_ARGUMENT;
    if (is_plain ? size == 0 || row->kind == MPX_KIND_COMPLEX : a->dtype != MPX_NONE)
        return MPX_ERR_DTYPE;
    if (a->components < (is_word ? 3u : 1u) || a->components > most) return MPX_ERR_ARGUMENT;
    if (n > 1 && !(mpx__fits_stride(a->float_offset, a->components, 4, floats) &&
                   mpx__fits_stride(a->packed_offset, is_word ? 1 : a->components, size, packed)))
        return MPX_ERR_ARGUMENT;
    return MPX_OK;
}
MPX__PRIVATE void mpx__cast_attribute(const mpx__items *items, const mpx_attribute *a, int unpack) {
    const int format = a->format, is_signed = format % 2 == 0; /* SNORM is even */
    if (format == MPX_VERTEX_PLAIN)
        (void)mpx_cast_strided(items->d, unpack ? MPX_F32 : a->dtype, items->d_step, items->s,
                               unpack ? a->dtype : MPX_F32, items->s_step, items->n,
                               items->components, NULL);
    else if (format <= MPX_VERTEX_SNORM16)
        mpx__cast_norms(items, mpx__norm_bytes(format), is_signed, unpack);
    else if (format < MPX_VERTEX_UFLOAT11_11_10 && unpack)
        mpx__unpack_tens(items, is_signed);
    else if (format < MPX_VERTEX_UFLOAT11_11_10)
        mpx__pack_tens(items, is_signed);
    else if (unpack)
        mpx__unpack_words(items, format);
    else
        mpx__pack_words(items, format);
}
/* Fetch part k of `count` of the next tile's n items, from p on. */
MPX__NOINLINE void mpx__fetch_part(const unsigned char *p, size_t stride, size_t n, size_t k,
                                   size_t count) {
    const size_t part = (n - 1) * stride / count;
    size_t i;
    MPX__BARRIER(); /* else gcc drops the call */
    for (i = 0; i <= part && n != 0; i += 64)
        MPX__PREFETCH(p + k * part + i);
}
/* In tiles, which stay in the first cache while their attributes are cast. */
MPX__PRIVATE mpx_status mpx__cast_vertices(void *dst, size_t dst_stride, const void *src,
                                           size_t src_stride, size_t n,
                                           const mpx_attribute *attributes, size_t count,
                                           int unpack) {
    /* Small arrays are cached; large vertices, mostly unread. */
    const size_t tile = 64, fetched = n < 4096 || (dst_stride | src_stride) > 255 ? 0 : tile;
    const size_t packed = unpack ? src_stride : dst_stride,
                 floats = unpack ? dst_stride : src_stride;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    mpx__items items;
    size_t k;
    for (k = 0; k < count; k++) {
        const mpx_status status = mpx__check_attribute(attributes + k, packed, floats, n);
        if (status != MPX_OK) return status;
    }
    MPX_ASSERT((dst != NULL && src != NULL) || n == 0 || count == 0);
    items.d_step = dst_stride;
    items.s_step = src_stride;
    while (n != 0 && count != 0) {
        const size_t step = n > tile ? tile : 0;
        items.n = n < tile ? n : tile;
        n -= items.n;
        for (k = 0; k < count; k++) {
            const mpx_attribute *a = attributes + k;
            mpx__fetch_part(d + step * dst_stride, dst_stride, n < fetched ? n : fetched, k, count);
            mpx__fetch_part(s + step * src_stride, src_stride, n < fetched ? n : fetched, k, count);
            items.d = d + (unpack ? a->float_offset : a->packed_offset);
            items.s = s + (unpack ? a->packed_offset : a->float_offset);
            items.components = a->components;
            mpx__cast_attribute(&items, a, unpack);
        }
        d += step * dst_stride;
        s += step * src_stride;
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_vertices_pack(void *dst, size_t dst_stride, const void *src,
                                     size_t src_stride, size_t n, const mpx_attribute *attributes,
                                     size_t count) {
    return mpx__cast_vertices(dst, dst_stride, src, src_stride, n, attributes, count, 0);
}
MPX_API mpx_status mpx_vertices_unpack(void *dst, size_t dst_stride, const void *src,
                                       size_t src_stride, size_t n, const mpx_attribute *attributes,
                                       size_t count) {
    return mpx__cast_vertices(dst, dst_stride, src, src_stride, n, attributes, count, 1);
}

#endif /* !MPX_NO_VERTEX */
