/*==================================================================*
 * MARK: fake_quant - TensorFlow's fake_quant_with_min_max_vars
 *   Each step is rounded to f32. The range is moved so that 0 is a level.
 *==================================================================*/
#if !MPX_NO_QUANT

MPX__INLINE uint32_t mpx__f32_minus(uint32_t u) { return u ^ 0x80000000u; }
/* Ordered as the numbers are; not for NaN. */
MPX__INLINE uint32_t mpx__f32_key(uint32_t u) { return u ^ ((0u - (u >> 31)) | 0x80000000u); }
MPX__INLINE int mpx__f32_below(uint32_t a, uint32_t b) { return mpx__f32_key(a) < mpx__f32_key(b); }
/* a if `yes` is 1, b if it is 0, without a branch. */
MPX__INLINE uint32_t mpx__either(int yes, uint32_t a, uint32_t b) {
    return b ^ ((a ^ b) & (0u - (uint32_t)yes));
}
/* Round down: fraction bits go, and negatives that had some are 1 less. NaN and Inf stay. */
MPX__INLINE uint32_t mpx__f32_floor(uint32_t u) {
    const uint32_t sign = u >> 31, a = u & 0x7fffffffu, exponent = a >> 23,
                   rest = 0x7fffffu >> ((exponent - 127u) & 31u),
                   whole = (u + (rest & (0u - sign))) & ~rest,
                   below_1 = 0xbf800000u & (0u - (sign & (uint32_t)(a != 0)));
    return mpx__either(exponent >= 150, u, mpx__either(exponent < 127, below_1, whole));
}

/* least and most of the nudged range; level = floor(((x - least) * by - zero) + 1/2) * scale. */
typedef struct mpx__fake {
    uint32_t least, most, minus_least, by, minus_zero, scale;
} mpx__fake;
/* Returns 0 if there is no such range. Adding and subtracting 2^23 rounds to whole numbers. */
MPX__PRIVATE int mpx__fake_set(mpx__fake *f, uint32_t min, uint32_t max, int bits, int narrow) {
    const uint32_t low = mpx__f32_of_int(narrow != 0), half = 0x3f000000u, whole = 0x4b000000u,
                   high = mpx__f32_of_int((1 << bits) - 1),
                   levels = mpx__sum_of(high, mpx__f32_minus(low)),
                   range = mpx__sum_of(max, mpx__f32_minus(min));
    uint32_t zero;
    if (range - 1u >= 0x7f7fffffu) return 0;
    f->scale = mpx__divide(range, levels);
    f->by = mpx__divide(levels, range);
    if (f->by >= 0x7f800000u) return 0;
    zero = mpx__sum_of(low, mpx__f32_minus(mpx__divide(min, f->scale)));
    zero = mpx__f32_below(zero, low) ? low : mpx__f32_below(high, zero) ? high : zero;
    zero = mpx__sum_of(mpx__sum_of(zero, whole), mpx__f32_minus(whole));
    f->least = mpx__multiply(mpx__sum_of(low, mpx__f32_minus(zero)), f->scale);
    f->most = mpx__multiply(mpx__sum_of(high, mpx__f32_minus(zero)), f->scale);
    f->minus_least = mpx__f32_minus(f->least);
    zero = mpx__f32_floor(mpx__sum_of(mpx__multiply(f->minus_least, f->by), half));
    f->minus_zero = mpx__f32_minus(zero);
    return f->least << 1 != 0xff000000u;
}
MPX__INLINE uint32_t mpx__fake_clip(uint32_t u, uint32_t least, uint32_t most) {
    const uint32_t low = mpx__either(mpx__f32_below(u, least), least, u),
                   clipped = mpx__either(mpx__f32_below(most, low), most, low);
    return mpx__either(u << 1 > 0xff000000u, u, clipped); /* NaN stays */
}
/* Every element of a tile, padded, times u or plus u. */
MPX__INLINE void mpx__fake_each(unsigned char *x, size_t n, uint32_t u, int op) {
    mpx__arith(x, x, (const unsigned char *)&u, mpx__padded(n), 0, op);
}
/* The loops go over whole tiles, so that compilers make vectors of them. */
MPX__LOOP void mpx__fake_tile(mpx__fake f, unsigned char *x, size_t n) {
    const mpx__env env = mpx__enter(MPX__ENV_ALL);
    size_t i;
    for (i = 0; i < MPX_TILE * 4; i += 4)
        mpx__write32(x + i, mpx__fake_clip(mpx__read32(x + i), f.least, f.most));
    mpx__fake_each(x, n, f.minus_least, MPX__ADD);
    mpx__fake_each(x, n, f.by, MPX__MULTIPLY);
    mpx__fake_each(x, n, f.minus_zero, MPX__ADD);
    mpx__fake_each(x, n, 0x3f000000u, MPX__ADD);
    for (i = 0; i < MPX_TILE * 4; i += 4)
        mpx__write32(x + i, mpx__f32_floor(mpx__read32(x + i)));
    mpx__fake_each(x, n, f.scale, MPX__MULTIPLY);
    mpx__leave(env);
}

MPX__API mpx_status mpx_fake_quant(float *dst, const float *src, size_t n, float min, float max,
                                  int bits, int narrow) {
    unsigned char x[MPX_TILE * 4];
    mpx__fake f;
    size_t m;
    if (bits < 2 || bits > 16 ||
        !mpx__fake_set(&f, mpx__opaque_bits(min), mpx__opaque_bits(max), bits, narrow))
        return MPX_ERR_ARGUMENT;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    for (; n != 0; n -= m, dst += m, src += m) {
        m = n < MPX_TILE ? n : MPX_TILE;
        if (m < MPX_TILE) mpx__zero(x, sizeof x);
        mpx__copy(x, src, m * 4);
        mpx__fake_tile(f, x, m);
        mpx__copy(dst, x, m * 4);
    }
    return MPX_OK;
}

#endif /* !MPX_NO_QUANT */
