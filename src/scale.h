/*==========================================================================*
 * MARK: scale - products, quotients, and the check for Inf and NaN          *
 *   IEEE arithmetic in integers: the same bits on every machine, whatever   *
 *   the caller's rounding mode, flush-to-zero and -ffast-math say.          *
 *==========================================================================*/

/* ---- one product, one quotient: f32 ---------------------------------------------------------- */

/* A nonzero finite magnitude: its significand with the leading one at bit 23; returns the exponent
   field, 0 and less for subnormals. */
MPX__ONCE int32_t mpx__f32_unpack(uint32_t a, uint32_t *significand) {
    int32_t exponent = (int32_t)(a >> 23);
    uint32_t m = a & 0x7fffffu;
    if (exponent != 0)
        m |= 0x800000u;
    else
        for (exponent = 1; m < 0x800000u; exponent--)
            m <<= 1;
    *significand = m;
    return exponent;
}

/* A product or quotient of two such has its leading one at bit 31 or 30, and the lowest bit stands
   for all below it. */
MPX__INLINE uint32_t mpx__long_product(uint32_t a, uint32_t b) {
    uint32_t x = a >> 16, y = b >> 16, low = (a & 0xffffu) * (b & 0xffffu);
    uint32_t high = (x * y << 16) + x * (b & 0xffffu) + y * (a & 0xffffu) + (low >> 16);
    return high | ((low & 0xffffu) != 0);
}
MPX__INLINE uint32_t mpx__long_quotient(uint32_t a, uint32_t b) {
    uint32_t q = 0;
    int bits;
    for (bits = 28; bits != 0; bits--) {
        uint32_t fits = a >= b;
        q = q << 1 | fits;
        a = (a - (fits != 0 ? b : 0)) << 1;
    }
    return q << 4 | (a != 0);
}

/* An f32 magnitude: z with the leading one at bit 31, and an exponent field in a wider range,
   rounded to nearest even or to odd. Below 1 the field stays 0, and z loses a bit for each. */
MPX__INLINE uint32_t mpx__f32_pack(int32_t exponent, uint32_t z, int to_odd) {
    uint32_t a;
    if (exponent > 254) return to_odd ? 0x7f7fffffu : 0x7f800000u;
    for (; exponent < 1 && z > 1; exponent++)
        z = z >> 1 | (z & 1u);
    a = exponent > 1 ? ((uint32_t)exponent - 1u) << 23 : 0;
    if (to_odd) return (a + (z >> 8)) | ((z & 0xffu) != 0);
    return a + (z >> 8) + ((z & 0xffu) + (z >> 8 & 1u) > 0x80u);
}

MPX__ONCE int mpx__is_nan(uint32_t u) { return u << 1 > 0xff000000u; }

/* f32 bits: a * b or a / b, rounded once. To divide by Inf is to multiply by zero, and the other
   way round; where both come together, NaN with the sign of b. */
MPX__ONCE uint32_t mpx__f32_times(uint32_t a, uint32_t b, int divide, int to_odd) {
    const uint32_t inf = 0x7f800000u;
    uint32_t sign = (a ^ b) & 0x80000000u, x = a & 0x7fffffffu, y = b & 0x7fffffffu, z;
    uint32_t makes_zero = divide ? inf : 0, makes_inf = inf - makes_zero;
    int32_t exponent, other;
#if MPX__NATIVE_F32
    if (!to_odd) {
        z = mpx__bits(divide ? mpx__native_quotient(mpx__float(a), mpx__float(b))
                             : mpx__native_product(mpx__float(a), mpx__float(b)));
        if (!mpx__is_nan(z)) return z;
        return (mpx__is_nan(a) ? a : mpx__is_nan(b) ? b : (b & 0x80000000u) | inf) | 0x400000u;
    }
#endif
    if (x > inf) return a | 0x400000u;
    if (y > inf) return b | 0x400000u;
    if (x == inf || y == makes_inf)
        return x == 0 || y == makes_zero ? (b & 0x80000000u) | 0x7fc00000u : sign | inf;
    if (x == 0 || y == makes_zero) return sign;
    exponent = mpx__f32_unpack(x, &x);
    other = mpx__f32_unpack(y, &y);
    z = divide ? mpx__long_quotient(x, y) : mpx__long_product(x, y);
    exponent += divide ? 127 - other : other - 126;
    if (z >> 31 == 0) {
        z <<= 1;
        exponent--;
    }
    return sign | mpx__f32_pack(exponent, z, to_odd);
}
MPX__INLINE uint32_t mpx__multiply(uint32_t a, uint32_t b) { return mpx__f32_times(a, b, 0, 0); }
MPX__INLINE uint32_t mpx__divide(uint32_t a, uint32_t b) { return mpx__f32_times(a, b, 1, 0); }

/* ---- the same for f64 ------------------------------------------------------------------------ */
#if MPX__HAS_F64

MPX__INLINE int mpx__is_zero(const mpx__wide *w) {
    return w->kind == MPX__ZERO_OR_FINITE && w->sig == 0;
}

/* a *= b, where b has at most 24 significant bits. The 96 bits of the product are kept to 64, the
   last of them standing for all that was cut off: enough for one rounding to any dtype. */
MPX__PRIVATE void mpx__multiply_by(mpx__wide *a, const mpx__wide *by) {
    unsigned sign = a->sign ^ by->sign;
    uint64_t low, high;
    mpx__wide b;
    if (a->kind == MPX__NAN) return;
    mpx__wide_set(&b, by->sign, by->kind, by->sig, by->exp);
    if (b.kind == MPX__NAN || (a->kind == MPX__INF && mpx__is_zero(&b)) ||
        (b.kind == MPX__INF && mpx__is_zero(a))) {
        mpx__wide_set(a, b.sign, MPX__NAN, b.kind == MPX__NAN ? b.sig : 0, 0);
    } else if (a->kind == MPX__INF || b.kind == MPX__INF) {
        mpx__wide_set(a, sign, MPX__INF, 0, 0);
    } else if (mpx__is_zero(a) || mpx__is_zero(&b)) {
        mpx__wide_set(a, sign, MPX__ZERO_OR_FINITE, 0, 0);
    } else {
        mpx__normalize(a);
        mpx__normalize(&b);
        b.sig >>= 32;
        low = (a->sig & 0xffffffffu) * b.sig;
        high = (a->sig >> 32) * b.sig + (low >> 32);
        mpx__wide_set(a, sign, MPX__ZERO_OR_FINITE, high | ((low & 0xffffffffu) != 0),
                      a->exp + b.exp + 64);
    }
}

/* The leading bits of a / b by long division, the last of them standing for the remainder. Both
   have their leading one at bit 63, and at most 53 bits in use: halving them loses nothing and
   leaves room to double the remainder. */
MPX__INLINE uint64_t mpx__long_division(uint64_t a, uint64_t b, int bits) {
    uint64_t rest = a >> 1, divisor = b >> 1, q = 0;
    for (; bits != 0; bits--) {
        uint64_t fits = rest >= divisor;
        q = q << 1 | fits;
        rest = (rest - (fits != 0 ? divisor : 0)) << 1;
    }
    return q | (rest != 0);
}

/* a /= b, to 57 bits and the remainder: enough for one rounding to f64. */
MPX__PRIVATE void mpx__divide_by(mpx__wide *a, const mpx__wide *by) {
    enum { quotient_bits = 57 };
    unsigned sign = a->sign ^ by->sign;
    mpx__wide b;
    if (a->kind == MPX__NAN) return;
    mpx__wide_set(&b, by->sign, by->kind, by->sig, by->exp);
    if (b.kind == MPX__NAN || (a->kind == MPX__INF && b.kind == MPX__INF) ||
        (mpx__is_zero(a) && mpx__is_zero(&b))) {
        mpx__wide_set(a, b.sign, MPX__NAN, b.kind == MPX__NAN ? b.sig : 0, 0);
    } else if (a->kind == MPX__INF || mpx__is_zero(&b)) {
        mpx__wide_set(a, sign, MPX__INF, 0, 0);
    } else if (b.kind == MPX__INF || mpx__is_zero(a)) {
        mpx__wide_set(a, sign, MPX__ZERO_OR_FINITE, 0, 0);
    } else {
        mpx__normalize(a);
        mpx__normalize(&b);
        a->sig = mpx__long_division(a->sig, b.sig, quotient_bits);
        a->exp -= b.exp + quotient_bits - 1;
        a->sign = (uint8_t)sign;
    }
}

#endif

/* ---- buffers --------------------------------------------------------------------------------- */

/* f32 bits, rounded to nearest, or to odd where another rounding follows. By a power of two only
   the exponent moves where those before and after are of normal numbers. Returns whether all
   results are finite. */
MPX__PRIVATE int mpx__scale_f32(void *dst, const void *src, size_t n, int to_odd,
                                const mpx__factor *f) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int finite = 1;
    for (; n != 0; n--, d += 4, s += 4) {
        uint32_t u = mpx__read32(s);
        int32_t before = (int32_t)(u >> 23 & 255u), after = before + f->shift;
        if (f->power_of_two && before > 0 && before < 255 && after > 0 && after < 255)
            u += (uint32_t)f->shift << 23;
        else
            u = mpx__f32_times(u, f->u, f->divide, to_odd);
        if ((u & 0x7f800000u) == 0x7f800000u) finite = 0;
        mpx__write32(d, u);
    }
    return finite;
}

#if MPX__HAS_F64
/* Returns whether all results, before the storer rounds them, are finite. */
MPX__PRIVATE int mpx__scale_wide(void *dst, size_t dst_step, const void *src, size_t src_step,
                                 size_t n, mpx__wide_load_fn load, mpx__wide_store_fn store,
                                 const mpx__factor *f) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int finite = 1;
    mpx__wide by, w;
    mpx__wide_from_f32(&by, f->u);
    for (; n != 0; n--, d += dst_step, s += src_step) {
        load(&w, s);
        if (f->divide)
            mpx__divide_by(&w, &by);
        else
            mpx__multiply_by(&w, &by);
        if (w.kind != MPX__ZERO_OR_FINITE) finite = 0;
        store(d, &w);
    }
    return finite;
}

/* Between f32 and f64, or f64 alone: the wide numbers of wide.h do it all. */
MPX__PRIVATE int mpx__scale_tile_wide(void *dst, mpx_dtype dst_type, const void *src,
                                      mpx_dtype src_type, size_t n, const mpx__factor *f) {
    mpx__wide_load_fn load = src_type == MPX_F64 ? mpx__wide_load_f64 : mpx__wide_load_f32;
    size_t dst_step = dst_type == MPX_F64 ? 8 : 4, src_step = src_type == MPX_F64 ? 8 : 4;
    return mpx__scale_wide(dst, dst_step, src, src_step, n, load, mpx__wide_storer(dst_type), f);
}

#endif

/* To f32 bits, scaled with the rounding that the destination needs (to odd where another rounding
   follows), and on to the destination. */
MPX__PRIVATE int mpx__scale_tile(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx__factor *f) {
    uint32_t tile[MPX_TILE];
    int finite = 1, from_f64 = mpx__is_f64(src_type);
    if (src_type == MPX_F32)
        mpx__copy(tile, src, n * 4);
    else if (!from_f64)
        mpx__to_f32(src_type, tile, src, n);
#if MPX__HAS_F64
    if (dst_type == MPX_F64 && !from_f64 &&
        mpx__scale_wide_row(dst, MPX_F64, tile, MPX_F32, n, f, 0, &finite) != 0)
        return finite;
    if (dst_type == MPX_F64 || (dst_type == MPX_F32 && from_f64))
        return mpx__scale_tile_wide(dst, dst_type, from_f64 ? src : tile, src_type, n, f);
    if (from_f64)
        finite =
            mpx__scale_wide(tile, 4, src, 8, n, mpx__wide_load_f64, mpx__wide_store_f32_odd, f);
#endif
    if (dst_type == MPX_F32) {
        if (mpx__scale_to_f32(dst, tile, MPX_F32, n, f, 0, &finite) != 0) return finite;
        return mpx__scale_f32(dst, tile, n, 0, f);
    }
    if (!from_f64 && !mpx__scale_tile_exactly(tile, n, f, &finite) &&
        !mpx__scale_tile_odd(tile, n, f, &finite))
        finite = mpx__scale_f32(tile, tile, n, 1, f);
    mpx__from_f32(dst_type, dst, tile, n);
    return finite;
}

/* Rows as far as they go, then a tile the other way, and again. Large arrays go to f32 elsewhere
   past the caches, from an aligned element on. */
MPX__LONG_WAY int mpx__scale_any(void *dst, mpx_dtype dst_type, const void *src,
                                 mpx_dtype src_type, size_t n, const mpx__factor *f,
                                 int look) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t head = 0;
    int all = 1, stream = 0;
    mpx__env env;
    mpx__span span;
    if (MPX__HAS_FLOAT ? dst != src && dst_type == MPX_F32 : 0) {
        if (mpx__span_set(&span, dst, mpx__row_of(dst_type), src, mpx__row_of(src_type), n, 0, 1))
            head = mpx__span_align(&span);
        stream = span.stream;
    }
    env = mpx__env_enter();
    while (n != 0) {
        size_t m = head != 0 ? 0 : mpx__scale_rows(d, dst_type, s, src_type, n, f, stream, &all);
        if (m == 0) {
            m = head != 0 ? head : n < MPX_TILE ? n : MPX_TILE;
            if (!mpx__scale_tile(d, dst_type, s, src_type, m, f)) all = 0;
            if (all && look) all = mpx_all_finite(d, dst_type, m);
            head = 0;
        }
        d += mpx_dtype_bytes(dst_type, m);
        s += mpx_dtype_bytes(src_type, m);
        n -= m;
    }
    mpx__env_leave(env);
    if (stream) mpx__fence();
    return all;
}

/* f32 and f64, not so much that it goes past the caches: as far as rows go. */
#if MPX__HAS_FLOAT
MPX__INLINE size_t mpx__scale_some(unsigned char *d, mpx_dtype to, const unsigned char *s,
                                   mpx_dtype from, size_t n, const mpx__factor *f, int *finite) {
    const size_t to_size = to == MPX_F32 ? 4 : 8, from_size = from == MPX_F32 ? 4 : 8;
    size_t done = 0, m = 1;
    mpx__env env;
    if (n == 0 || mpx__may_be_large(n)) return 0;
    env = mpx__modes_enter();
    for (; done != n && m != 0; done += m)
        m = mpx__scale_rows(d + done * to_size, to, s + done * from_size, from, n - done, f, 0,
                            finite);
    mpx__modes_leave(env);
    return done;
}
#else
MPX__INLINE size_t mpx__scale_some(unsigned char *d, mpx_dtype to, const unsigned char *s,
                                   mpx_dtype from, size_t n, const mpx__factor *f, int *finite) {
    (void)d, (void)to, (void)s, (void)from, (void)n, (void)f, (void)finite;
    return 0;
}
#endif

MPX__PRIVATE mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src,
                                            mpx_dtype src_type, size_t n, const mpx__factor *f,
                                            int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t done = 0;
    int all = 1;
    if (!mpx_dtype_is_floating(dst_type) || !mpx_dtype_is_floating(src_type)) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (dst_type == MPX_F32 && src_type == MPX_F32) /* known early: a shorter way */
        done = mpx__scale_some(d, MPX_F32, s, MPX_F32, n, f, &all);
    else if (dst_type <= MPX_F32 && src_type <= MPX_F32)
        done = mpx__scale_some(d, dst_type, s, src_type, n, f, &all);
    if (done != n) {
        if (done != 0) {
            d += mpx_dtype_bytes(dst_type, done);
            s += mpx_dtype_bytes(src_type, done);
        }
        all &= mpx__scale_any(d, dst_type, s, src_type, n - done, f, finite != NULL);
    }
    if (finite != NULL) *finite = all;
    return MPX_OK;
}

MPX_API mpx_status mpx_scale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                             size_t n, float by) {
    mpx__factor f;
    mpx__factor_set(&f, mpx__bits(by), 0);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, NULL);
}

MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                               size_t n, float by, int *finite) {
    mpx__factor f;
    mpx__factor_set(&f, mpx__bits(by), 1);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, finite);
}
