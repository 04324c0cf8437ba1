/*==========================================================================*
 * MARK: scale - products, quotients, and the check for Inf and NaN          *
 *   IEEE arithmetic in integers: the same bits on every machine, whatever   *
 *   the caller's rounding mode, flush-to-zero and -ffast-math say.          *
 *==========================================================================*/

/* ---- all finite ----------------------------------------------------------------------------------------------- */

/* The largest of the f32 magnitudes tells: shifted left by one (the sign goes), Inf and NaN are the largest. */
MPX__PRIVATE int mpx__f32_all_finite(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    mpx__vu largest = mpx__set(0);
    for (; n >= MPX__LANES; n -= MPX__LANES, s += MPX__LANES * 4) largest = mpx__max(largest, mpx__shl(mpx__load32(s), 1));
    if (MPX__LANES > 1 && n != 0) {
        unsigned char rest[MPX__LANES * 4];
        mpx__zero(rest, sizeof rest);
        mpx__copy(rest, s, n * 4);
        largest = mpx__max(largest, mpx__shl(mpx__load32(rest), 1));
    }
    return !mpx__any(mpx__gt(largest, mpx__set(0xfeffffffu)));
}

MPX__PRIVATE int mpx__f64_all_finite(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint64_t largest = 0;
    for (; n != 0; n--, s += 8) {
        uint64_t magnitude = mpx__read64(s) << 1;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest >> 53 != 0x7ffu;
}

MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    size_t step = mpx_dtype_bytes(type, MPX_TILE);
    uint32_t tile[MPX_TILE];
    MPX_ASSERT(data != NULL || n == 0);
    if (type == MPX_F32) return mpx__f32_all_finite(data, n);
    if (type == MPX_F64) return mpx__f64_all_finite(data, n);
    if (type == MPX_C64) return mpx__f32_all_finite(data, n) && mpx__f32_all_finite(s + n * 4, n);
    if (type == MPX_C128) return mpx__f64_all_finite(data, n) && mpx__f64_all_finite(s + n * 8, n);
    if (!mpx_dtype_is_floating(type)) return mpx__row_of(type)->kind != MPX_KIND_NONE;
    for (; n != 0; s += step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        mpx__to_f32(type, tile, s, m);
        if (!mpx__f32_all_finite(tile, m)) return 0;
        n -= m;
    }
    return 1;
}

/* ---- one product, one quotient -------------------------------------------------------------------------------- */

MPX__INLINE int mpx__is_zero(mpx__wide w) { return w.kind == MPX__ZERO_OR_FINITE && w.sig == 0; }
MPX__INLINE mpx__wide mpx__invalid(void) { return mpx__wide_make(0, MPX__NAN, 0, 0); }

/* a * b, where b has at most 24 significant bits. The 96 bits of the product are kept to 64, the last of them standing
   for all that was cut off: enough for one rounding to any dtype. */
MPX__PRIVATE mpx__wide mpx__product(mpx__wide a, mpx__wide b) {
    uint8_t sign = a.sign ^ b.sign;
    uint64_t low, high, b32;
    if (a.kind == MPX__NAN) return a;
    if (b.kind == MPX__NAN) return b;
    if (a.kind == MPX__INF || b.kind == MPX__INF)
        return mpx__is_zero(a) || mpx__is_zero(b) ? mpx__invalid() : mpx__wide_make(sign, MPX__INF, 0, 0);
    if (mpx__is_zero(a) || mpx__is_zero(b)) return mpx__wide_make(sign, MPX__ZERO_OR_FINITE, 0, 0);
    a = mpx__normalized(a);
    b = mpx__normalized(b);
    b32 = b.sig >> 32;
    low = (a.sig & 0xffffffffu) * b32;
    high = (a.sig >> 32) * b32 + (low >> 32);
    return mpx__wide_make(sign, MPX__ZERO_OR_FINITE, high | ((low & 0xffffffffu) != 0), a.exp + b.exp + 64);
}

/* a / b to `bits` leading bits by long division, the last of them standing for the remainder. */
MPX__PRIVATE mpx__wide mpx__quotient(mpx__wide a, mpx__wide b, int bits) {
    uint8_t sign = a.sign ^ b.sign;
    uint64_t rest, divisor, q = 0;
    int i;
    if (a.kind == MPX__NAN) return a;
    if (b.kind == MPX__NAN) return b;
    if ((a.kind == MPX__INF && b.kind == MPX__INF) || (mpx__is_zero(a) && mpx__is_zero(b))) return mpx__invalid();
    if (a.kind == MPX__INF || mpx__is_zero(b)) return mpx__wide_make(sign, MPX__INF, 0, 0);
    if (b.kind == MPX__INF || mpx__is_zero(a)) return mpx__wide_make(sign, MPX__ZERO_OR_FINITE, 0, 0);
    a = mpx__normalized(a);
    b = mpx__normalized(b);
    rest = a.sig >> 1; /* at most 53 bits are in use: nothing is lost, and rest << 1 fits */
    divisor = b.sig >> 1;
    for (i = 0; i < bits; i++) {
        uint64_t fits = rest >= divisor;
        q = q << 1 | fits;
        rest = (rest - (fits != 0 ? divisor : 0)) << 1;
    }
    return mpx__wide_make(sign, MPX__ZERO_OR_FINITE, q | (rest != 0), a.exp - b.exp - bits + 1);
}

/* The same for f32 bits, rounded once. */
MPX__PRIVATE uint32_t mpx__multiply(uint32_t a, uint32_t b) {
    return mpx__f32_of_wide(mpx__product(mpx__wide_of_f32(a), mpx__wide_of_f32(b)));
}
MPX__PRIVATE uint32_t mpx__divide(uint32_t a, uint32_t b) {
    return mpx__f32_of_wide(mpx__quotient(mpx__wide_of_f32(a), mpx__wide_of_f32(b), 28));
}

/* ---- buffers -------------------------------------------------------------------------------------------------- */

/* What to do with every element: multiply or divide by `by` (f32 bits u); `shift` is what a power of two adds to an exponent. */
typedef struct mpx__factor {
    mpx__wide by;
    int divide, power_of_two;
    int32_t shift;
} mpx__factor;

MPX__PRIVATE mpx__factor mpx__factor_of(uint32_t u, int divide) {
    mpx__factor f;
    f.by = mpx__wide_of_f32(u);
    f.divide = divide;
    f.power_of_two = (u & 0x7fffffu) == 0 && u >> 31 == 0 && u - 1u < 0x7f7fffffu; /* normal and positive */
    f.shift = divide ? 127 - (int32_t)(u >> 23) : (int32_t)(u >> 23) - 127;
    return f;
}

MPX__INLINE mpx__wide mpx__apply(mpx__wide w, const mpx__factor *f) {
    return f->divide ? mpx__quotient(w, f->by, 57) : mpx__product(w, f->by);
}

/* Returns whether all results, before the storer rounds them, are finite. */
MPX__PRIVATE int mpx__scale_wide(void *dst, size_t dst_step, const void *src, size_t src_step, size_t n,
                                 mpx__wide_load_fn load, mpx__wide_store_fn store, const mpx__factor *f) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int finite = 1;
    for (; n != 0; n--, d += dst_step, s += src_step) {
        mpx__wide w = mpx__apply(load(s), f);
        if (w.kind != MPX__ZERO_OR_FINITE) finite = 0;
        store(d, w);
    }
    return finite;
}

/* The same between f32 buffers by a power of two. Where the exponents before and after are those of normal numbers, only
   the exponent moves; zeros stay; the others (subnormal, Inf, NaN, overflow) take the long way. */
MPX__PRIVATE int mpx__scale_exponents(void *dst, const void *src, size_t n, mpx__wide_store_fn store, const mpx__factor *f) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int finite = 1;
    for (; n != 0; n--, d += 4, s += 4) {
        uint32_t u = mpx__read32(s);
        int32_t before = (int32_t)(u >> 23 & 255u), after = before + f->shift;
        if (before > 0 && before < 255 && after > 0 && after < 255) mpx__write32(d, u + ((uint32_t)f->shift << 23));
        else if (u << 1 == 0) mpx__write32(d, u);
        else finite &= mpx__scale_wide(d, 4, s, 4, 1, mpx__wide_load_f32, store, f);
    }
    return finite;
}

/* One tile: in to f32 unless it is f64, scaled with the rounding its destination needs (to odd where another rounding
   follows), out from f32 unless it is f64. */
MPX__PRIVATE int mpx__scale_tile(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type, size_t n,
                                 const mpx__factor *f) {
    uint32_t tile[MPX_TILE];
    int from_f64 = src_type == MPX_F64, to_f64 = dst_type == MPX_F64, to_tile = !to_f64 && dst_type != MPX_F32, finite;
    mpx__wide_load_fn load = from_f64 ? mpx__wide_load_f64 : mpx__wide_load_f32;
    mpx__wide_store_fn store = to_tile ? mpx__wide_store_f32_to_odd : mpx__wide_storer(dst_type);
    const void *in = from_f64 || src_type == MPX_F32 ? src : (const void *)tile;
    void *out = to_tile ? (void *)tile : dst;
    if (in == tile) mpx__to_f32(src_type, tile, src, n);
    if (f->power_of_two && !from_f64 && !to_f64) finite = mpx__scale_exponents(out, in, n, store, f);
    else finite = mpx__scale_wide(out, to_f64 ? 8 : 4, in, from_f64 ? 8 : 4, n, load, store, f);
    if (to_tile) mpx__from_f32(dst_type, dst, tile, n);
    return finite;
}

MPX__PRIVATE mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type, size_t n,
                                            const mpx__factor *f, int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t dst_step = mpx_dtype_bytes(dst_type, MPX_TILE), src_step = mpx_dtype_bytes(src_type, MPX_TILE);
    if (!mpx_dtype_is_floating(dst_type) || !mpx_dtype_is_floating(src_type)) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    for (; n != 0; d += dst_step, s += src_step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        int tile_finite = mpx__scale_tile(d, dst_type, s, src_type, m, f);
        if (finite != NULL && *finite && !(tile_finite && mpx_all_finite(d, dst_type, m))) *finite = 0;
        n -= m;
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_scale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type, size_t n, float by) {
    mpx__factor f = mpx__factor_of(mpx__bits_of_float(by), 0);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, NULL);
}

MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type, size_t n, float by,
                               int *finite) {
    mpx__factor f = mpx__factor_of(mpx__bits_of_float(by), 1);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, finite);
}
