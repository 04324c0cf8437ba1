/*==========================================================================*
 * MARK: scale_rows - products and quotients by vectors                      *
 *   For ISAs whose float arithmetic can be had in nearest mode with         *
 *   subnormals, whatever the caller's modes: after mpx__env_enter or        *
 *   mpx__modes_enter. What these rows do not take is left to scale.h's      *
 *   integers.                                                               *
 *==========================================================================*/

/* What to do with every element: multiply or divide by f32 bits u; `shift` is what a power of two
   adds to an exponent. */
typedef struct mpx__factor {
    uint32_t u;
    int divide, power_of_two;
    int32_t shift;
} mpx__factor;

MPX__PRIVATE void mpx__factor_set(mpx__factor *f, uint32_t u, int divide) {
    f->u = u;
    f->divide = divide;
    f->power_of_two =
        (u & 0x7fffffu) == 0 && u >> 31 == 0 && u - 1u < 0x7f7fffffu; /* normal and positive */
    f->shift = divide ? 127 - (int32_t)(u >> 23) : (int32_t)(u >> 23) - 127;
}

#if MPX__HAS_FLOAT

/* 2^exponent, -149 to 127. */
MPX__INLINE uint32_t mpx__power_of_two(int32_t exponent) {
    return exponent > -127 ? (uint32_t)(exponent + 127) << 23 : 1u << (exponent + 149);
}

/* 7f800000 and more: Inf or NaN. */
MPX__FORCE_INLINE mpx__vu mpx__larger_magnitude(mpx__vu largest, mpx__vu u) {
    return mpx__max_upper(largest, mpx__and(u, mpx__set(0x7fffffffu)));
}
MPX__FORCE_INLINE int mpx__is_finite_magnitude(mpx__vu largest) {
    return !mpx__any(mpx__gt(largest, mpx__set(0x7f7fffffu)));
}

/* Is the factor finite, and not zero? */
MPX__INLINE int mpx__is_usual(const mpx__factor *f) {
    return (f->u & 0x7fffffffu) - 1u < 0x7f7fffffu;
}

enum { MPX__MULTIPLY, MPX__DIVIDE };

/* One vector: by a product with a power of two, or by a product or quotient rounded once. */
MPX__FORCE_INLINE mpx__vu mpx__scale_lanes(mpx__vu u, const mpx__divisor *by, int operation) {
    return operation == MPX__MULTIPLY ? mpx__fmul(u, by->value) : mpx__fdiv(u, by);
}

/* Rows of an ISA's own, see fast_avx512.h; those of the others. */
#if MPX__HAS_OWN_ROWS
MPX__PRIVATE size_t mpx__scale_own_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n, const mpx__factor *f, int stream,
                                         int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const uint32_t by = f->power_of_two ? mpx__power_of_two(f->shift) : f->u;
    if (to == MPX_F32 && from == MPX_F32 && f->divide && !f->power_of_two)
        return mpx__f32_divide_rows(d, s, n, f->u, finite);
    if (to == MPX_F32 && mpx__is_usual(f) && (f->power_of_two || !f->divide)) {
        if (from == MPX_F16) return mpx__f16_times(d, s, n, by, stream, finite);
        if (from == MPX_BF16) return mpx__bf16_times(d, s, n, by, stream, finite);
    }
    /* the others are in place, or as fast as the caches */
    if (to != from || !f->power_of_two) return 0;
    if (to == MPX_F16) return mpx__f16_scale_rows(d, s, n, f->shift, finite);
    return to == MPX_BF16 ? mpx__bf16_scale_rows(d, s, n, f->shift, finite) : 0;
}
#else
typedef void (*mpx__load_fn)(mpx__vu v[4], const unsigned char *s);

/* f16 or bf16 times a power of two: where exponents before and after are those of normal numbers,
   only the exponent moves; zeros stay. */
typedef struct mpx__exponents {
    mpx__vu least, largest, delta; /* of magnitudes: the least less 0x8001, the largest; words */
} mpx__exponents;
MPX__PRIVATE void mpx__exponents_set(mpx__exponents *k, int32_t shift, int m) {
    const int32_t all_ones = (1 << (15 - m)) - 1, low = shift < 0 ? 1 - shift : 1,
                  end = shift > 0 ? all_ones - shift : all_ones;
    k->least = mpx__set16(low < end ? (low << m) - 0x8001 : 0x7fff); /* else zeros alone */
    k->largest = mpx__set16(low < end ? (end << m) - 1 : 0);
    k->delta = mpx__set16(shift * (1 << m));
}
/* A block, in place too; 0, and nothing written, where one is another. 2.5 times as fast as by way
   of f32 (bf16, Zen 3, AVX2 and SSE2). */
MPX__FORCE_INLINE int mpx__move_exponents(unsigned char *d, const unsigned char *s,
                                          const mpx__exponents *k) {
    const mpx__vu magnitude = mpx__set16(0x7fff), zero = mpx__set(0);
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
    mpx__vu x = mpx__and(a, magnitude), y = mpx__and(b, magnitude);
    mpx__vu least = mpx__min16s(mpx__add16(x, magnitude), mpx__add16(y, magnitude));
    if (mpx__any(mpx__or(mpx__gt16s(k->least, least), mpx__gt16s(mpx__max16s(x, y), k->largest))))
        return 0;
    mpx__store32(d, mpx__add16(a, mpx__and(mpx__gt16s(x, zero), k->delta)));
    mpx__store32(d + MPX__VECTOR, mpx__add16(b, mpx__and(mpx__gt16s(y, zero), k->delta)));
    return 1;
}

/* f16 and bf16, to f32 or to themselves: there by `exponents` if not NULL, and it stops at a block
   with a magnitude above `limit`, as the results may not be finite. */
MPX__FORCE_INLINE size_t mpx__scale_blocks(unsigned char *d, size_t to_size, const unsigned char *s,
                                           size_t n, mpx__load_fn load, mpx__block_store_fn store,
                                           const mpx__exponents *exponents, const mpx__divisor *by,
                                           int operation, uint32_t limit, int stream,
                                           int *finite) {
    const size_t all = n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK * to_size, s += MPX__BLOCK * 2) {
        mpx__vu v[4];
        if (exponents != NULL && mpx__move_exponents(d, s, exponents)) continue;
        load(v, s);
        mpx__fetch(s, MPX__BLOCK * 2, stream);
        v[0] = mpx__scale_lanes(v[0], by, operation);
        v[1] = mpx__scale_lanes(v[1], by, operation);
        v[2] = mpx__scale_lanes(v[2], by, operation);
        v[3] = mpx__scale_lanes(v[3], by, operation);
        if (mpx__above_block(v, limit)) {
            if (to_size == 2) break;
            *finite = 0;
        }
        (void)store(d, v, stream);
    }
    return all - n;
}
MPX__FORCE_INLINE size_t mpx__scale_half_to_f32(unsigned char *d, const unsigned char *s, size_t n,
                                                mpx__load_fn load, const mpx__divisor *by,
                                                int multiply, int stream, int *finite) {
    return multiply ? mpx__scale_blocks(d, 4, s, n, load, mpx__store_block, NULL, by, MPX__MULTIPLY,
                                        0x7f7f, stream, finite)
                    : mpx__scale_blocks(d, 4, s, n, load, mpx__store_block, NULL, by, MPX__DIVIDE,
                                        0x7f7f, stream, finite);
}

/* A product with a power of two is exact in f32, or becomes a zero: it is rounded once. */
MPX__PRIVATE size_t mpx__scale_own_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n, const mpx__factor *f, int stream,
                                         int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int multiply = f->power_of_two || !f->divide;
    mpx__exponents k;
    mpx__divisor by;
    if (from == MPX_F32 || !mpx__is_usual(f)) return 0;
    mpx__divisor_set(&by, f->power_of_two ? mpx__power_of_two(f->shift) : f->u);
    if (to == MPX_F32 && from == MPX_F16)
        return mpx__scale_half_to_f32(d, s, n, mpx__f16_block, &by, multiply, stream, finite);
    if (to == MPX_F32 && from == MPX_BF16)
        return mpx__scale_half_to_f32(d, s, n, mpx__upper_block, &by, multiply, stream, finite);
    if (!f->power_of_two || to != from) return 0;
    mpx__exponents_set(&k, f->shift, to == MPX_F16 ? 10 : 7);
    if (to == MPX_BF16)
        return mpx__scale_blocks(d, 2, s, n, mpx__upper_block, mpx__round_bf16, &k, &by,
                                 MPX__MULTIPLY, 0x7f7e, 0, finite);
    if (to != MPX_F16) return 0;
    /* gradients of f16 become subnormal: conversion instructions take the same time for all */
    return mpx__scale_blocks(d, 2, s, n, mpx__f16_block, mpx__round_f16,
                             MPX__NATIVE_F16 ? NULL : &k, &by, MPX__MULTIPLY, 0x477e, 0, finite);
}
#endif

/* Fewer elements than lanes: by way of the stack, filled up with zeros, which give zeros. */
MPX__FORCE_INLINE void mpx__scale_few(unsigned char *d, const unsigned char *s, size_t size,
                                      size_t n, mpx__dec_fn dec, const mpx__divisor *by,
                                      int operation, int *finite) {
    unsigned char in[MPX__LANES * 8], out[MPX__LANES * 4];
    mpx__vu v;
    mpx__stage(in, s, n * size);
    v = mpx__scale_lanes(dec(in), by, operation);
    mpx__store32(out, v);
    mpx__unstage(d, out, n * 4, MPX__LANES * 4);
    if (!mpx__is_finite_magnitude(mpx__larger_magnitude(mpx__set(0), v))) *finite = 0;
}

/* To f32: blocks, then vectors; the last vector takes some elements once more, and so is read
   before any is written, as dst may be src. *finite becomes 0 if a result is not. */
MPX__FORCE_INLINE void mpx__scale_row(unsigned char *d, const unsigned char *s, size_t size,
                                      size_t n, mpx__dec_fn dec, const mpx__divisor *by,
                                      int operation, int stream, int *finite) {
    const size_t step = MPX__LANES * size, block = 4 * MPX__LANES;
    mpx__vu last, largest0, largest1 = mpx__set(0);
    if (n < MPX__LANES) {
        mpx__scale_few(d, s, size, n, dec, by, operation, finite);
        return;
    }
    last = mpx__scale_lanes(dec(s + (n - MPX__LANES) * size), by, operation);
    largest0 = mpx__larger_magnitude(mpx__set(0), last);
    for (; n >= block; n -= block, d += block * 4, s += 4 * step) {
        mpx__vu a = mpx__scale_lanes(dec(s), by, operation);
        mpx__vu b = mpx__scale_lanes(dec(s + step), by, operation);
        mpx__vu c = mpx__scale_lanes(dec(s + 2 * step), by, operation);
        mpx__vu e = mpx__scale_lanes(dec(s + 3 * step), by, operation);
        largest0 = mpx__larger_magnitude(mpx__larger_magnitude(largest0, a), b);
        largest1 = mpx__larger_magnitude(mpx__larger_magnitude(largest1, c), e);
        mpx__fetch(s, 4 * step, stream);
        mpx__store_past(d, a, stream);
        mpx__store_past(d + MPX__LANES * 4, b, stream);
        mpx__store_past(d + MPX__LANES * 8, c, stream);
        mpx__store_past(d + MPX__LANES * 12, e, stream);
    }
    for (; n >= MPX__LANES; n -= MPX__LANES, d += MPX__LANES * 4, s += step) {
        mpx__vu a = mpx__scale_lanes(dec(s), by, operation);
        largest0 = mpx__larger_magnitude(largest0, a);
        mpx__store32(d, a);
    }
    if (n != 0) mpx__store32(d + n * 4 - MPX__LANES * 4, last);
    if (!mpx__is_finite_magnitude(mpx__max_upper(largest0, largest1))) *finite = 0;
}

/* To f32 from f32, f16 or bf16; st: past the caches. Returns n, or 0: Inf, NaN and zero as a factor
   are left to the integers. */
MPX__PRIVATE size_t mpx__scale_to_f32(void *dst, const void *src, mpx_dtype from, size_t n,
                                      const mpx__factor *f, int st, int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int multiply = f->power_of_two || !f->divide;
    mpx__divisor by;
    if (!mpx__is_usual(f)) return 0;
    mpx__divisor_set(&by, f->power_of_two ? mpx__power_of_two(f->shift) : f->u);
    if (from == MPX_F32 && multiply && !st) /* near the speed of the caches a branch counts */
        mpx__scale_row(d, s, 4, n, mpx__dec_f32, &by, MPX__MULTIPLY, 0, finite);
    else if (from == MPX_F32 && multiply)
        mpx__scale_row(d, s, 4, n, mpx__dec_f32, &by, MPX__MULTIPLY, st, finite);
    else if (from == MPX_F32)
        mpx__scale_row(d, s, 4, n, mpx__dec_f32, &by, MPX__DIVIDE, st, finite);
    else if (from == MPX_F16 && multiply)
        mpx__scale_row(d, s, 2, n, mpx__dec_f16, &by, MPX__MULTIPLY, st, finite);
    else if (from == MPX_F16)
        mpx__scale_row(d, s, 2, n, mpx__dec_f16, &by, MPX__DIVIDE, st, finite);
    else if (from == MPX_BF16 && multiply)
        mpx__scale_row(d, s, 2, n, mpx__dec_bf16, &by, MPX__MULTIPLY, st, finite);
    else if (from == MPX_BF16)
        mpx__scale_row(d, s, 2, n, mpx__dec_bf16, &by, MPX__DIVIDE, st, finite);
    else
        n = 0;
    return n;
}

/* A tile of f32 in place, on its way to a narrower dtype. By a power of two alone, as nothing may
   be rounded twice: 0, and nothing done, if a result is below the normal numbers. */
MPX__PRIVATE int mpx__scale_tile_exactly(uint32_t *tile, size_t n, const mpx__factor *f,
                                         int *finite) {
    uint32_t lowest = f->shift < 0 ? (uint32_t)(1 - f->shift) << 24 : 1u << 24;
    mpx__vu least = mpx__set(0xffffffffu), one = mpx__set(1), largest = mpx__set(0), by;
    size_t i, rest = n % MPX__LANES;
    if (!f->power_of_two || f->shift < -126) return 0;
    by = mpx__set(mpx__power_of_two(f->shift));
    if (rest != 0) mpx__zero(tile + n, (MPX__LANES - rest) * 4); /* MPX_TILE is a multiple */
    for (i = 0; i < n; i += MPX__LANES) {
        mpx__vu u = mpx__load32(tile + i); /* zero becomes the largest */
        least = mpx__min(least, mpx__sub(mpx__add(u, u), one));
    }
    if (mpx__any(mpx__gt(mpx__set(lowest - 1u), least))) return 0;
    n = (n + MPX__LANES - 1) / MPX__LANES * MPX__LANES;
    for (i = 0; i < n; i += MPX__LANES) {
        mpx__vu u = mpx__load32(tile + i);
        largest = mpx__larger_magnitude(largest, u);
        mpx__store32(tile + i, mpx__fmul(u, by));
    }
    if (!mpx__is_finite_magnitude(largest)) *finite = 0;
    return 1;
}

/* The same by any factor, rounded to odd. In f64 a product of two f32 is exact. A quotient x / s is
   an f32 m, or differs from it by (x - m s) / s: in units of the last place of m s, which has at
   most 48 bits, by a whole number at least. So it is not rounded to m in f64, whose rounding is
   smaller. A vector with Inf or close to it, or with results below the normal numbers, goes the
   long way. */
MPX__PRIVATE int mpx__scale_f32(void *dst, const void *src, size_t n, int to_odd,
                                const mpx__factor *f);
MPX__FORCE_INLINE mpx__vu mpx__scale_odd(mpx__vu u, mpx__vu by, int divide) {
    mpx__vu v[2];
    mpx__f64_of_f32(v, u);
    v[0] = divide ? mpx__fdiv64(v[0], by) : mpx__fmul64(v[0], by);
    v[1] = divide ? mpx__fdiv64(v[1], by) : mpx__fmul64(v[1], by);
    return mpx__odd_f32_of_f64(v[0], v[1]);
}
MPX__PRIVATE int mpx__scale_tile_odd(uint32_t *tile, size_t n, const mpx__factor *f, int *finite) {
    mpx__vu by[2], tiny = mpx__set(0x1000000u), large = mpx__set(0x7f7effffu);
    size_t i, rest = n % MPX__LANES;
    if (!mpx__is_usual(f)) return 0;
    if (rest != 0) mpx__zero(tile + n, (MPX__LANES - rest) * 4);
    mpx__f64_of_f32(by, mpx__set(f->u));
    for (i = 0; i < n; i += MPX__LANES) {
        mpx__vu u = mpx__load32(tile + i), v = mpx__scale_odd(u, by[0], f->divide);
        mpx__vu a = mpx__and(v, mpx__set(0x7fffffffu)), zero = mpx__eq(mpx__add(u, u), mpx__set(0));
        mpx__vu low = mpx__gt_signed(tiny, mpx__select(zero, tiny, a));
        if (mpx__any(mpx__or(low, mpx__gt_signed(a, large))))
            *finite &= mpx__scale_f32(tile + i, tile + i, MPX__LANES, 1, f);
        else
            mpx__store32(tile + i, v);
    }
    return 1;
}

/* ---- f64, and f32 to it ---------------------------------------------------------------------- */
#if MPX__HAS_F64

enum { MPX__BLOCK64 = 2 * MPX__LANES }; /* elements: four vectors of f64 */

MPX__FORCE_INLINE mpx__vu mpx__scale_lanes64(mpx__vu x, mpx__vu by, int operation) {
    return operation == MPX__MULTIPLY ? mpx__fmul64(x, by) : mpx__fdiv64(x, by);
}

/* A block of products or quotients; 0, and nothing written, where it takes the long way. The
   magnitudes in *largest are f32's, or the upper halves of f64's. */
typedef int (*mpx__scale64_fn)(unsigned char *d, const unsigned char *s, mpx__vu by, int operation,
                               int stream, mpx__vu *largest);

/* f64 is never written past the caches, see mpx__scale_any. */
MPX__FORCE_INLINE mpx__vu mpx__put_larger64(unsigned char *d, mpx__vu x, mpx__vu largest) {
    mpx__store32(d, x);
    return mpx__max_upper(largest, mpx__and(x, mpx__set64(0x7ff0000000000000u)));
}
MPX__FORCE_INLINE int mpx__put_block64(unsigned char *d, const mpx__vu v[4], mpx__vu *largest) {
    const size_t one = MPX__LANES * 4;
    mpx__vu a = mpx__put_larger64(d, v[0], *largest);
    a = mpx__put_larger64(d + one, v[1], a);
    a = mpx__put_larger64(d + 2 * one, v[2], a);
    *largest = mpx__put_larger64(d + 3 * one, v[3], a);
    return 1;
}
MPX__FORCE_INLINE void mpx__scale_four64(mpx__vu v[4], mpx__vu by, int operation) {
    v[0] = mpx__scale_lanes64(v[0], by, operation);
    v[1] = mpx__scale_lanes64(v[1], by, operation);
    v[2] = mpx__scale_lanes64(v[2], by, operation);
    v[3] = mpx__scale_lanes64(v[3], by, operation);
}
MPX__FORCE_INLINE void mpx__scale_block64(mpx__vu v[4], const unsigned char *s, mpx__vu by,
                                          int operation) {
    const size_t one = MPX__LANES * 4;
    v[0] = mpx__load32(s);
    v[1] = mpx__load32(s + one);
    v[2] = mpx__load32(s + 2 * one);
    v[3] = mpx__load32(s + 3 * one);
    mpx__scale_four64(v, by, operation);
}
MPX__FORCE_INLINE int mpx__scale_f64_to_f64(unsigned char *d, const unsigned char *s, mpx__vu by,
                                            int operation, int stream, mpx__vu *largest) {
    mpx__vu v[4];
    (void)stream;
    mpx__scale_block64(v, s, by, operation);
    return mpx__put_block64(d, v, largest);
}

/* In f64 a product of two f32 is exact. */
#ifdef MPX__LOSES_NAN
MPX__FORCE_INLINE int mpx__loses_nan(mpx__vu a, mpx__vu b) {
    return mpx__any(mpx__or(mpx__nan_mask(a), mpx__nan_mask(b)));
}
#else
MPX__FORCE_INLINE int mpx__loses_nan(mpx__vu a, mpx__vu b) { return (void)a, (void)b, 0; }
#endif
MPX__FORCE_INLINE int mpx__scale_f32_to_f64(unsigned char *d, const unsigned char *s, mpx__vu by,
                                            int operation, int stream, mpx__vu *largest) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__LANES * 4), v[4];
    (void)stream;
    if (mpx__loses_nan(a, b)) return 0;
    mpx__f64_of_f32(v, a);
    mpx__f64_of_f32(v + 2, b);
    mpx__scale_four64(v, by, operation);
    return mpx__put_block64(d, v, largest);
}

/* f64 to f32: rounded in f64, then once more. That is as to round once, unless the first result is
   not exact and halfway between two f32. A product with a power of two is exact. A quotient q is
   not rounded to such an m, of at most 25 bits: m s has at most 49, so that x - m s is a unit in
   the last place of x at least, and (x - m s) / s = q - m is more than f64 rounds away. */
MPX__FORCE_INLINE int mpx__put_block32(unsigned char *d, const mpx__vu v[4], int stream,
                                       mpx__vu *largest) {
    mpx__vu a = mpx__f32_of_f64(v[0], v[1]), b = mpx__f32_of_f64(v[2], v[3]);
    *largest = mpx__larger_magnitude(mpx__larger_magnitude(*largest, a), b);
    mpx__store_past(d, a, stream);
    mpx__store_past(d + MPX__LANES * 4, b, stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__scale_f64_to_f32(unsigned char *d, const unsigned char *s, mpx__vu by,
                                            int operation, int stream, mpx__vu *largest) {
    mpx__vu v[4];
    mpx__scale_block64(v, s, by, operation);
    return mpx__put_block32(d, v, stream, largest);
}

/* Any other product may be. The 29 bits that go, in the lower half of a lane, then are 1 and zeros.
   From 2^-150 on, where f32 has subnormals, more go: all numbers count there, which the upper half
   tells. Below, it is zero either way. Both halves are moved to where the least signed numbers
   are. Returns bits, none if no lane may be halfway. */
MPX__FORCE_INLINE mpx__vu mpx__may_be_halfway(mpx__vu x) {
    const mpx__vu parts = mpx__set64(0x7fffffff1fffffffu),
                  first = mpx__set64(0x3690000010000000u ^ 0x8000000080000000u),
                  end = mpx__set64(0x8180000080000001u);
    return mpx__gt_signed(end, mpx__sub(mpx__and(x, parts), first));
}
MPX__FORCE_INLINE int mpx__multiply_f64_to_f32(unsigned char *d, const unsigned char *s,
                                               mpx__vu by, int operation, int stream,
                                               mpx__vu *largest) {
    mpx__vu v[4], halfway;
    mpx__scale_block64(v, s, by, operation);
    halfway = mpx__or(mpx__or(mpx__may_be_halfway(v[0]), mpx__may_be_halfway(v[1])),
                      mpx__or(mpx__may_be_halfway(v[2]), mpx__may_be_halfway(v[3])));
    return mpx__any(halfway) ? 0 : mpx__put_block32(d, v, stream, largest);
}

/* The long way, by integers, see scale.h: products, whose flag nobody asks for, and NaN. */
MPX__PRIVATE int mpx__scale_tile_wide(void *dst, mpx_dtype dst_type, const void *src,
                                      mpx_dtype src_type, size_t n, const mpx__factor *f);

/* Blocks, the last of them by way of the stack, filled up with zeros. */
MPX__FORCE_INLINE void mpx__scale_row64(unsigned char *d, mpx_dtype to, const unsigned char *s,
                                        mpx_dtype from, size_t n, const mpx__factor *f,
                                        mpx__vu by, mpx__scale64_fn block, int operation,
                                        int stream, int *finite) {
    const size_t to_size = to == MPX_F64 ? 8 : 4, from_size = from == MPX_F64 ? 8 : 4;
    const uint32_t inf = to == MPX_F64 ? 0x7ff00000u : 0x7f800000u;
    unsigned char in[MPX__BLOCK64 * 8], out[MPX__BLOCK64 * 8];
    mpx__vu largest = mpx__set(0);
    size_t i;
    for (; n >= MPX__BLOCK64; n -= MPX__BLOCK64) {
        mpx__fetch(s, MPX__BLOCK64 * from_size, stream);
        if (!block(d, s, by, operation, stream, &largest))
            *finite &= mpx__scale_tile_wide(d, to, s, from, MPX__BLOCK64, f);
        d += MPX__BLOCK64 * to_size;
        s += MPX__BLOCK64 * from_size;
    }
    if (n != 0) {
        for (i = 0; i < MPX__BLOCK64 * from_size; i += MPX__LANES * 4)
            mpx__store32(in + i, mpx__set(0));
        mpx__copy(in, s, n * from_size);
        if (block(out, in, by, operation, 0, &largest))
            mpx__copy(d, out, n * to_size);
        else
            *finite &= mpx__scale_tile_wide(d, to, s, from, n, f);
    }
    if (mpx__any(mpx__gt(largest, mpx__set(inf - 1u)))) *finite = 0;
}

/* To f64 from itself or f32, or from f64 to f32. Returns n, or 0, as mpx__scale_to_f32 does. */
MPX__PRIVATE size_t mpx__scale_wide_row(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                        size_t n, const mpx__factor *f, int st, int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int multiply = f->power_of_two || !f->divide;
    mpx__vu by[2];
    if (!mpx__is_usual(f)) return 0;
    mpx__f64_of_f32(by, mpx__set(f->power_of_two ? mpx__power_of_two(f->shift) : f->u));
    if (to == MPX_F32 && f->power_of_two)
        mpx__scale_row64(d, MPX_F32, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f32,
                         MPX__MULTIPLY, st, finite);
    else if (to == MPX_F32 && multiply)
        mpx__scale_row64(d, MPX_F32, s, MPX_F64, n, f, by[0], mpx__multiply_f64_to_f32,
                         MPX__MULTIPLY, st, finite);
    else if (to == MPX_F32)
        mpx__scale_row64(d, MPX_F32, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f32, MPX__DIVIDE,
                         st, finite);
    else if (from == MPX_F32 && multiply)
        mpx__scale_row64(d, MPX_F64, s, MPX_F32, n, f, by[0], mpx__scale_f32_to_f64,
                         MPX__MULTIPLY, st, finite);
    else if (from == MPX_F32)
        mpx__scale_row64(d, MPX_F64, s, MPX_F32, n, f, by[0], mpx__scale_f32_to_f64, MPX__DIVIDE,
                         st, finite);
    else if (multiply)
        mpx__scale_row64(d, MPX_F64, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f64,
                         MPX__MULTIPLY, st, finite);
    else
        mpx__scale_row64(d, MPX_F64, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f64, MPX__DIVIDE,
                         st, finite);
    return n;
}
MPX__INLINE int mpx__is_wide_pair(mpx_dtype to, mpx_dtype from) {
    return to == MPX_F64 ? from == MPX_F64 || from == MPX_F32 : to == MPX_F32 && from == MPX_F64;
}
#else
MPX__INLINE size_t mpx__scale_wide_row(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, const mpx__factor *f, int st, int *finite) {
    (void)dst, (void)to, (void)src, (void)from, (void)n, (void)f, (void)st, (void)finite;
    return 0;
}
MPX__INLINE int mpx__is_wide_pair(mpx_dtype to, mpx_dtype from) {
    return (void)to, (void)from, 0;
}
#endif

MPX__FORCE_INLINE size_t mpx__scale_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n, const mpx__factor *f, int stream, int *finite) {
    size_t done;
    if (mpx__is_wide_pair(to, from))
        return mpx__scale_wide_row(dst, to, src, from, n, f, stream, finite);
    done = mpx__scale_own_rows(dst, to, src, from, n, f, stream, finite);
    if (done == 0 && to == MPX_F32) done = mpx__scale_to_f32(dst, src, from, n, f, stream, finite);
    return done;
}

#else
MPX__INLINE size_t mpx__scale_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                   size_t n, const mpx__factor *f, int stream, int *finite) {
    (void)dst, (void)to, (void)src, (void)from, (void)n, (void)f, (void)stream, (void)finite;
    return 0;
}
MPX__INLINE size_t mpx__scale_to_f32(void *dst, const void *src, mpx_dtype from, size_t n,
                                     const mpx__factor *f, int st, int *finite) {
    (void)dst, (void)src, (void)from, (void)n, (void)f, (void)st, (void)finite;
    return 0;
}
MPX__INLINE size_t mpx__scale_wide_row(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, const mpx__factor *f, int st, int *finite) {
    (void)dst, (void)to, (void)src, (void)from, (void)n, (void)f, (void)st, (void)finite;
    return 0;
}
MPX__INLINE int mpx__scale_tile_exactly(uint32_t *tile, size_t n, const mpx__factor *f,
                                        int *finite) {
    (void)tile, (void)n, (void)f, (void)finite;
    return 0;
}
MPX__INLINE int mpx__scale_tile_odd(uint32_t *tile, size_t n, const mpx__factor *f, int *finite) {
    (void)tile, (void)n, (void)f, (void)finite;
    return 0;
}
#endif /* MPX__HAS_FLOAT */
