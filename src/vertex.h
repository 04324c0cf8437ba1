/*==========================================================================*
 * MARK: vertex - attributes of vertices, packed as graphics APIs have them  *
 *   Components of a plain dtype go through mpx_cast_strided. Normalised     *
 *   integers, small unsigned floats and shared exponents are converted here *
 *   by integers alone, so that no floating-point mode changes a result.     *
 *   Sources: Vulkan 1.3, 3.10 "Fixed-Point Data Conversions" and 28.3       *
 *   "Numeric Representation and Computation"; EXT_texture_shared_exponent.  *
 *==========================================================================*/

#if !MPX_NO_CAST_WITH && !MPX_NO_VERTEX

/* ---- one component --------------------------------------------------------------------------- */

/* x or 0, without a branch. */
MPX__INLINE uint32_t mpx__kept_if(int condition, uint32_t x) {
    return x & (0u - (uint32_t)condition);
}

/* The f32 bits u, of a value clamped to 0 ... 1, times most = 2^bits - 1, to nearest. NaN is 0.

     u         0 eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      at least 2^-20, which rounds to 0 too
     product   (2^23 + m) * most, below 2^40; its lowest 150 - e bits are the fraction

   As most is odd, the only tie is u = 1/2, between 2^(bits-1) - 1 and 2^(bits-1). The even one is
   the upper, but for bits = 1, where it is 0. 2^23 - 1 is added to u for the comparisons: then NaN
   is below all numbers, as negatives are. No branches: random data would mispredict them. */
MPX__FORCE_INLINE uint32_t mpx__to_unorm(uint32_t u, unsigned bits) {
    const uint32_t most = (1u << bits) - 1u, up = 0x7fffffu;
    const int32_t least = (int32_t)((107u << 23) + up), one = (int32_t)((127u << 23) + up);
    int32_t x = (int32_t)(u + up);
    uint64_t product;
    x = x < least ? least : x;
    x = x > one ? one : x;
    u = (uint32_t)x - up;
    product = (uint64_t)((u & up) | 0x800000u) * most - (bits == 1);
    return (uint32_t)(((product >> (~u >> 23 & 63u)) + 0x400000u) >> 23); /* by 127 - e, by 23 */
}
/* Two's complement of `bits` bits; the magnitude is a unorm of one bit less. */
MPX__FORCE_INLINE uint32_t mpx__to_norm(uint32_t u, unsigned bits, int is_signed) {
    const uint32_t magnitude = mpx__to_unorm(is_signed ? u & 0x7fffffffu : u,
                                             is_signed ? bits - 1u : bits);
    const uint32_t sign = is_signed ? 0u - (u >> 31) : 0;
    return ((magnitude ^ sign) - sign) & ((1u << bits) - 1u);
}

/* The f32 bits of an integer of at most 17 bits, which are exact. */
MPX__INLINE uint32_t mpx__bits_of_int(int32_t x) {
#if MPX__HAS_FLOAT
    return mpx__bits((float)x);
#else /* the compiler would call a function */
    uint32_t a = x < 0 ? 0u - (uint32_t)x : (uint32_t)x, exponent = 126u + 24u, step;
    for (step = 16; step != 0; step >>= 1) {
        const uint32_t by = a >> (24u - step) == 0 ? step : 0;
        a <<= by;
        exponent -= by;
    }
    return x == 0 ? 0 : (x < 0 ? 0x80000000u : 0) + (exponent << 23) + (a - 0x800000u);
#endif
}
/* The f32 bits of x / most, most = 2^bits - 1, to nearest: x / most = 2^-bits * (x + x / most). The
   significand of x grows by itself / most, which has no ties: most is odd. */
MPX__FORCE_INLINE uint32_t mpx__from_unorm(int32_t x, unsigned bits) {
    const uint32_t u = mpx__bits_of_int(x), most = (1u << bits) - 1u;
    const uint64_t inverse = ((uint64_t)1 << (25u + bits)) / most + 1u,
                   n = ((u & 0x7fffffu) | 0x800000u) + most / 2; /* below 2^25: n / most is exact */
    const uint32_t more = (uint32_t)(n * inverse >> (25u + bits));
    return mpx__kept_if(x != 0, u - (bits << 23) + more);
}
/* The most negative code of a snorm is -1 too. */
MPX__FORCE_INLINE uint32_t mpx__from_norm(uint32_t code, unsigned bits, int is_signed) {
    const int32_t top = (int32_t)(1u << (bits - 1u)), x = ((int32_t)code ^ top) - top;
    if (!is_signed) return mpx__from_unorm((int32_t)code, bits);
    return mpx__from_unorm(x + (x == -top), bits - 1u);
}

/* Five bits of exponent, m of mantissa, no sign: negatives are 0, NaN stays NaN, and finite values
   do not become Inf. */
MPX__FORCE_INLINE uint32_t mpx__to_ufloat(uint32_t u, uint32_t m) {
    const uint32_t inf = 31u << m, a = u & 0x7fffffffu, code = mpx__round(a, 5, m, 1);
    if (u >> 31 != 0 && a <= 0x7f800000u) return 0;
    return code == inf && a != 0x7f800000u ? inf - 1u : code;
}

MPX__FORCE_INLINE uint32_t mpx__from_ufloat(uint32_t code, uint32_t m) {
    const uint32_t inf = 31u << m, rebias = code < inf ? 112u << 23 : 224u << 23;
    if (code == 0) return 0;
    if (code >> m == 0) return mpx__bits_of_int((int32_t)code) - ((14u + m) << 23);
    return ((code << (23u - m)) + rebias) | (code > inf ? 0x400000u : 0);
}

/* Three f32 at s by the algorithm of EXT_texture_shared_exponent, N = 9, B = 15: clamped to
   0 ... 65408 (NaN is 0); the exponent is that of the largest, one more if its 9 bits round up to
   512; halves go up. A component is (2^23 + m) * 2^(e - 150), its field counts 2^(shared - 24). */
MPX__FORCE_INLINE uint32_t mpx__shared_field(uint32_t u, uint32_t shared) {
    const uint32_t shift = 125u + shared - (u >> 23), most = shift > 31u ? 31u : shift;
    return ((((u & 0x7fffffu) | 0x800000u) >> most) + 1u) >> 1;
}
MPX__INLINE uint32_t mpx__to_rgb9e5(const unsigned char *s) {
    uint32_t x[3], largest = 0, shared;
    int k;
    for (k = 0; k < 3; k++) {
        const uint32_t u = mpx__read32(s + 4 * k), top = 0x477f8000u; /* 65408 */
        x[k] = mpx__kept_if(u <= 0x7f800000u, u > top ? top : u);
        largest = x[k] > largest ? x[k] : largest;
    }
    shared = largest >> 23 > 111u ? (largest >> 23) - 111u : 0;
    shared += mpx__shared_field(largest, shared) == 512u;
    return mpx__shared_field(x[0], shared) | mpx__shared_field(x[1], shared) << 9 |
           mpx__shared_field(x[2], shared) << 18 | shared << 27;
}
MPX__FORCE_INLINE uint32_t mpx__from_shared(uint32_t field, uint32_t shared) {
    const uint32_t u = mpx__bits_of_int((int32_t)field);
    return mpx__kept_if(field != 0, u + (shared << 23) - (24u << 23));
}

/* ---- one attribute of many vertices ---------------------------------------------------------- */

/* n items from s to d. `format` is a constant where this is compiled for speed. */
typedef struct mpx__items {
    unsigned char *d;
    const unsigned char *s;
    size_t d_step, s_step, n, components;
} mpx__items;

MPX__INLINE unsigned mpx__norm_bits(int format) {
    return format <= MPX_VERTEX_SNORM8 ? 8 : format <= MPX_VERTEX_SNORM16 ? 16 : 10;
}
MPX__INLINE int mpx__is_snorm(int format) {
    return format == MPX_VERTEX_SNORM8 || format == MPX_VERTEX_SNORM16 ||
           format == MPX_VERTEX_SNORM10_10_10_2;
}
MPX__INLINE int mpx__is_one_word(int format) { return format > MPX_VERTEX_SNORM16; }

MPX__FORCE_INLINE void mpx__pack_item(unsigned char *d, const unsigned char *s, size_t components,
                                      int format) {
    const unsigned bits = mpx__norm_bits(format);
    const int is_signed = mpx__is_snorm(format);
    uint32_t word;
    size_t k;
    for (k = 0; !mpx__is_one_word(format) && k < components; k++) {
        const uint32_t code = mpx__to_norm(mpx__read32(s + 4 * k), bits, is_signed);
        if (bits == 8)
            d[k] = (unsigned char)code;
        else
            mpx__write16(d + 2 * k, (uint16_t)code);
    }
    if (!mpx__is_one_word(format)) return;
    if (format == MPX_VERTEX_RGB9E5) {
        word = mpx__to_rgb9e5(s);
    } else if (format == MPX_VERTEX_UFLOAT11_11_10) {
        word = mpx__to_ufloat(mpx__read32(s), 6) | mpx__to_ufloat(mpx__read32(s + 4), 6) << 11 |
               mpx__to_ufloat(mpx__read32(s + 8), 5) << 22;
    } else {
        word = mpx__to_norm(mpx__read32(s), 10, is_signed) |
               mpx__to_norm(mpx__read32(s + 4), 10, is_signed) << 10 |
               mpx__to_norm(mpx__read32(s + 8), 10, is_signed) << 20;
        if (components == 4) word |= mpx__to_norm(mpx__read32(s + 12), 2, is_signed) << 30;
    }
    mpx__write32(d, word);
}

MPX__FORCE_INLINE void mpx__unpack_item(unsigned char *d, const unsigned char *s, size_t components,
                                        int format) {
    const unsigned bits = mpx__norm_bits(format);
    const int is_signed = mpx__is_snorm(format);
    const uint32_t word = mpx__is_one_word(format) ? mpx__read32(s) : 0;
    size_t k;
    if (format == MPX_VERTEX_RGB9E5) {
        for (k = 0; k < 3; k++)
            mpx__write32(d + 4 * k, mpx__from_shared(word >> 9 * k & 511u, word >> 27));
    } else if (format == MPX_VERTEX_UFLOAT11_11_10) {
        mpx__write32(d, mpx__from_ufloat(word & 2047u, 6));
        mpx__write32(d + 4, mpx__from_ufloat(word >> 11 & 2047u, 6));
        mpx__write32(d + 8, mpx__from_ufloat(word >> 22, 5));
    } else if (mpx__is_one_word(format)) {
        for (k = 0; k < 3; k++)
            mpx__write32(d + 4 * k, mpx__from_norm(word >> 10 * k & 1023u, 10, is_signed));
        if (components == 4) mpx__write32(d + 12, mpx__from_norm(word >> 30, 2, is_signed));
    } else {
        for (k = 0; k < components; k++)
            mpx__write32(d + 4 * k, mpx__from_norm(bits == 8 ? s[k] : mpx__read16(s + 2 * k), bits,
                                                   is_signed));
    }
}

MPX__FORCE_INLINE void mpx__each_item(const mpx__items *items, int format, int unpack) {
    const size_t n = items->n, d_step = items->d_step, s_step = items->s_step,
                 components = items->components;
    unsigned char *d = items->d;
    const unsigned char *s = items->s;
    size_t i;
    for (i = 0; i < n; i++) {
        if (unpack)
            mpx__unpack_item(d + i * d_step, s + i * s_step, components, format);
        else
            mpx__pack_item(d + i * d_step, s + i * s_step, components, format);
    }
}
MPX__FORCE_INLINE void mpx__each_format(const mpx__items *items, int format, int unpack) {
    switch (MPX__COMPACT ? 0 : format) {
    case MPX_VERTEX_UNORM8: mpx__each_item(items, MPX_VERTEX_UNORM8, unpack); break;
    case MPX_VERTEX_SNORM8: mpx__each_item(items, MPX_VERTEX_SNORM8, unpack); break;
    case MPX_VERTEX_UNORM16: mpx__each_item(items, MPX_VERTEX_UNORM16, unpack); break;
    case MPX_VERTEX_SNORM16: mpx__each_item(items, MPX_VERTEX_SNORM16, unpack); break;
    case MPX_VERTEX_UNORM10_10_10_2:
        mpx__each_item(items, MPX_VERTEX_UNORM10_10_10_2, unpack);
        break;
    case MPX_VERTEX_SNORM10_10_10_2:
        mpx__each_item(items, MPX_VERTEX_SNORM10_10_10_2, unpack);
        break;
    case MPX_VERTEX_UFLOAT11_11_10: mpx__each_item(items, MPX_VERTEX_UFLOAT11_11_10, unpack); break;
    default: mpx__each_item(items, MPX__COMPACT ? format : (int)MPX_VERTEX_RGB9E5, unpack); break;
    }
}
MPX__NOINLINE void mpx__pack_items(const mpx__items *items, int format) {
    mpx__each_format(items, format, 0);
}
MPX__NOINLINE void mpx__unpack_items(const mpx__items *items, int format) {
    mpx__each_format(items, format, 1);
}

/* ---- all attributes -------------------------------------------------------------------------- */

/* Whether `count` elements of `size` bytes from an offset on end within a stride. */
MPX__INLINE int mpx__fits_stride(size_t offset, size_t count, size_t size, size_t stride) {
    return offset <= stride && count <= (stride - offset) / size;
}
MPX__PRIVATE mpx_status mpx__check_attribute(const mpx_attribute *a, size_t packed_stride,
                                             size_t float_stride, size_t n) {
    const mpx__row *row = mpx__row_of(a->dtype);
    const int format = a->format, is_plain = format == MPX_VERTEX_PLAIN,
              is_word = mpx__is_one_word(format);
    const size_t most = !is_word ? (size_t)-1 : format <= MPX_VERTEX_SNORM10_10_10_2 ? 4 : 3;
    const size_t size = is_plain ? row->bits / 8u : is_word ? 4 : mpx__norm_bits(format) / 8u;
    if (format < MPX_VERTEX_PLAIN || format > MPX_VERTEX_RGB9E5) return MPX_ERR_ARGUMENT;
    if (is_plain ? size == 0 || row->kind == MPX_KIND_COMPLEX : a->dtype != MPX_NONE)
        return MPX_ERR_DTYPE;
    if (a->components < (is_word ? 3u : 1u) || a->components > most) return MPX_ERR_ARGUMENT;
    if (n > 1 && !(mpx__fits_stride(a->float_offset, a->components, 4, float_stride) &&
                   mpx__fits_stride(a->packed_offset, is_word ? 1 : a->components, size,
                                    packed_stride)))
        return MPX_ERR_ARGUMENT;
    return MPX_OK;
}
MPX__PRIVATE void mpx__cast_attribute(const mpx_attribute *a, mpx__items items, int unpack) {
    items.d += unpack ? a->float_offset : a->packed_offset;
    items.s += unpack ? a->packed_offset : a->float_offset;
    items.components = a->components;
    if (a->format == MPX_VERTEX_PLAIN)
        (void)mpx_cast_strided(items.d, unpack ? MPX_F32 : a->dtype, items.d_step, items.s,
                               unpack ? a->dtype : MPX_F32, items.s_step, items.n, a->components,
                               NULL);
    else if (unpack)
        mpx__unpack_items(&items, a->format);
    else
        mpx__pack_items(&items, a->format);
}
/* In tiles of vertices, which stay in the first cache while attribute after attribute is cast. */
MPX__PRIVATE mpx_status mpx__cast_vertices(void *dst, size_t dst_stride, const void *src,
                                           size_t src_stride, size_t n,
                                           const mpx_attribute *attributes, size_t count,
                                           int unpack) {
    const size_t tile = 64;
    mpx__items items;
    size_t i, k;
    for (k = 0; k < count; k++) {
        const mpx_status status =
            mpx__check_attribute(attributes + k, unpack ? src_stride : dst_stride,
                                 unpack ? dst_stride : src_stride, n);
        if (status != MPX_OK) return status;
    }
    MPX_ASSERT((dst != NULL && src != NULL) || n == 0 || count == 0);
    items.d_step = dst_stride;
    items.s_step = src_stride;
    for (i = 0; i < n; i += items.n) {
        items.d = (unsigned char *)dst + i * dst_stride;
        items.s = (const unsigned char *)src + i * src_stride;
        items.n = n - i < tile ? n - i : tile;
        for (k = 0; k < count; k++)
            mpx__cast_attribute(attributes + k, items, unpack);
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

#endif /* !MPX_NO_CAST_WITH && !MPX_NO_VERTEX */
