/*==================================================================*
 * MARK: reduce - of a whole array: finite, amax, the sum of squares
 *   f32, f16 and bf16 run at the speed of reading. Other floats are first cast to tiles of f32. The
 *   results are the same on every machine.
 *==================================================================*/

/* ---- the largest magnitude ------------------------------------- */

/* As bits of an f32 or f64; NaN is above Inf. */
MPX__INLINE uint32_t mpx__f32_largest(const void *src, size_t n) {
#if MPX__COMPACT
    const unsigned char *s = (const unsigned char *)src;
    uint32_t largest = 0;
    for (; n != 0; n--, s += 4) {
        const uint32_t twice = mpx__read32(s) << 1;
        largest = twice > largest ? twice : largest;
    }
    return largest >> 1;
#else
    return mpx__engine_now()->largest32(src, n);
#endif
}
MPX__PRIVATE uint64_t mpx__f64_largest(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint64_t largest = 0;
    for (; n != 0; n--, s += 8) {
        const uint64_t twice = mpx__read64(s) << 1;
        largest = twice > largest ? twice : largest;
    }
    return largest >> 1;
}

/* Of any float but f64, a tile at a time as f32. */
MPX__PRIVATE uint32_t mpx__largest_by_tiles(const void *data, const mpx__row *row, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    uint32_t tile[MPX_TILE], largest = 0;
    size_t m;
    for (; n != 0; n -= m, s += MPX_TILE / 8 * row->bits) {
        uint32_t one;
        m = n < MPX_TILE ? n : MPX_TILE;
        (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(row), m);
        one = mpx__f32_largest(tile, m);
        largest = one > largest ? one : largest;
    }
    return largest;
}
/* The largest magnitude of an array of any float except f64, as f32 bits. NaN gives one code,
   because payloads change their order when they become quiet. */
MPX__PRIVATE uint32_t mpx__largest(const void *data, const mpx__row *row, size_t n) {
    uint32_t u, nan;
    if (row->type == MPX_F32) u = mpx__f32_largest(data, n);
#if !MPX__COMPACT && MPX__HAS_F16
    else if (row->type == MPX_F16)
        u = mpx_f16_to_bits((uint16_t)mpx__engine_now()->largest16(data, n));
#endif
#if !MPX__COMPACT && MPX__HAS_BF16
    else if (row->type == MPX_BF16) u = mpx__engine_now()->largest16(data, n) << 16;
#endif
    else u = mpx__largest_by_tiles(data, row, n);
    nan = mpx__above(u, 0x7f800000u); /* ?: fails by gcc 12 -O1, ARMv7 */
    return (u & ~nan) | (0x7fc00000u & nan);
}

/* ---- Inf and NaN ----------------------------------------------- */

MPX__PRIVATE int mpx__f64_all_finite(const void *src, size_t n) {
    return mpx__f64_largest(src, n) >> 52 != 0x7ffu;
}
MPX__INLINE int mpx__f32_all_finite(const void *src, size_t n) {
#if MPX__COMPACT
    return mpx__f32_largest(src, n) < 0x7f800000u;
#else
    return mpx__engine_now()->largest_upper32(src, n) < 0x7f800000u;
#endif
}

/* Integers are always finite; what is no dtype is not. */
MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n) {
    const mpx__row *row = mpx__parts_of(mpx__row_of(type), &n);
    const unsigned char *s = (const unsigned char *)data;
    MPX_ASSERT(data != NULL || n == 0);
    if (n == 0) return row->kind != MPX_KIND_NONE;
    if (row->type == MPX_F32) return mpx__f32_all_finite(s, n);
    if (mpx__is_f64(mpx__type_of(row))) return mpx__f64_all_finite(s, n);
    if (row->kind != MPX_KIND_FLOAT) return row->kind != MPX_KIND_NONE;
    return row->family == MPX__FINITE || mpx__largest(data, row, n) < 0x7f800000u;
}

MPX__PRIVATE int mpx__any_inf(const unsigned char *s, const mpx__row *row, size_t n) {
    const size_t size = row->bits / 8;
    mpx__number x;
    for (; n != 0; n--, s += size) {
        mpx__number_load(&x, s, row);
        if (x.kind == MPX__INF) return 1;
    }
    return 0;
}
/* Mostly there is nothing to find, and mpx_all_finite says so faster. */
MPX__API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n) {
    const mpx__row *row = mpx__row_of(type);
    if (row->kind == MPX_KIND_NONE || mpx_all_finite(data, type, n)) return 0;
    row = mpx__parts_of(row, &n);
    return mpx__any_inf((const unsigned char *)data, row, n);
}

/* ---- the square root ------------------------------------------- */

/* The square root of an f64 that is not negative, as bits, to nearest: bit by bit, to one bit more
   than an f64 has. That is never a tie: the root would be odd, and so its square, which ends in
   zeros. */
MPX__SELDOM uint64_t mpx__f64_root(uint64_t u) {
    const uint64_t hidden = (uint64_t)1 << 52;
    uint64_t sig = u & (hidden - 1u), rest = 0, root = 0;
    int exponent = (int)(u >> 52), i;
    if (u == 0 || exponent == 0x7ff) return u;
    if (exponent != 0) sig |= hidden;
    exponent += exponent == 0;
    for (; sig < hidden; exponent--)
        sig <<= 1;
    sig <<= (exponent & 1) != 0 ? 10 : 11; /* the other half of the exponent's lowest bit */
    for (i = 0; i < 54; i++, sig <<= 2) {
        rest = rest << 2 | sig >> 62;
        root <<= 1;
        if (rest <= root << 1) continue; /* below 2 root + 1 */
        rest -= (root << 1) + 1u;
        root++;
    }
    return ((uint64_t)((exponent + 1023) / 2 - 1) << 52) + ((root + 1u) >> 1);
}

#if MPX_COMPUTE || !MPX_NO_TREE
/* The f32 most / norm; of the norm, a normal f64, 24 bits count. */
MPX__PRIVATE void mpx__clip_factor(void *factor, const void *most, const void *norm) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    const uint64_t v = mpx__read64(norm), u = (v + 0x0fffffffu + (v >> 29 & 1u)) >> 29;
    mpx__number x, by;
    mpx__load_float(&x, mpx__read32(most), f32_row);
    mpx__number_set(&by, 0, MPX__ZERO_OR_FINITE, (uint32_t)(u & 0x7fffffu) | 0x800000u,
                    (int32_t)(u >> 23) - 1023 - 23);
    mpx__number_scale(&x, &by, 1);
    mpx__write32(factor, (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest));
}
#endif
#if !MPX_NO_REDUCE

/* ---- amax ------------------------------------------------------ */

/* The bits of the largest magnitude, rounded to f32. */
MPX__PRIVATE uint32_t mpx__amax(const void *data, const mpx__row *row, size_t n) {
#if MPX__HAS_F64
    if (row->type == MPX_F64) {
        const uint64_t largest = mpx__f64_largest(data, n);
        mpx__number x;
        mpx__number_load(&x, &largest, row);
        if (x.kind == MPX__NAN) x.sig = 0;
        return (uint32_t)mpx__float_code(&x, mpx__row_of(MPX_F32), &mpx__to_nearest);
    }
#endif
    return mpx__largest(data, row, n);
}
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    const mpx__row *row = mpx__row_of(type);
    if (row->kind != MPX_KIND_FLOAT) return MPX_ERR_DTYPE;
    MPX_ASSERT(amax != NULL && (data != NULL || n == 0));
    mpx__write32(amax, n != 0 ? mpx__amax(data, row, n) : 0); /* no float: x87 raises flags */
    return MPX_OK;
}

/* ---- the sum of squares ---------------------------------------- */

/* Sums of f64 as bits, by integers: of numbers that are not negative, to nearest even. Three bits
   below the last one are enough for that. */
MPX__PRIVATE uint64_t mpx__f64_sum(uint64_t a, uint64_t b) {
    const uint64_t inf = (uint64_t)0x7ff << 52, hidden = (uint64_t)1 << 52;
    uint64_t greater = a > b ? a : b, lesser = a > b ? b : a, x, y, code;
    unsigned exponent, drop;
    if (greater >= inf) return greater > inf ? inf | hidden >> 1 : inf;
    exponent = (unsigned)(greater >> 52);
    drop = (unsigned)(lesser >> 52);
    x = ((greater & (hidden - 1u)) | (exponent != 0 ? hidden : 0)) << 3;
    y = ((lesser & (hidden - 1u)) | (drop != 0 ? hidden : 0)) << 3;
    exponent += exponent == 0;
    drop = exponent - (drop + (drop == 0));
    if (drop > 58)
        y = y != 0;
    else
        y = y >> drop | ((y & (((uint64_t)1 << drop) - 1u)) != 0);
    x += y;
    if (x >> 56 != 0) {
        x = x >> 1 | (x & 1u);
        exponent++;
    }
    code = ((uint64_t)(exponent - 1u) << 52) + (x >> 3);
    code += (x & 7u) > 4u || ((x & 7u) == 4u && (code & 1u) != 0);
    return code > inf ? inf : code;
}

/* Sixteen sums, as in reducing.h: an element belongs to the sum of its index modulo 16. */
typedef struct mpx__squares {
    uint64_t sums[MPX__SUMS];
} mpx__squares;

#if MPX__COMPACT || !MPX__HAS_FLOAT
/* The square of an f32, exact. */
MPX__PRIVATE uint64_t mpx__f32_square(uint32_t u) {
    const uint32_t a = u & 0x7fffffffu, exponent = a >> 23;
    const uint64_t m = (a & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0);
    uint64_t square = m * m;
    unsigned code = 1023u + 52u - 298u + 2u * (exponent != 0 ? exponent - 1u : 0);
    if (a >= 0x7f800000u) return ((uint64_t)0x7ff << 52) + (a > 0x7f800000u);
    if (square == 0) return 0;
    for (; square >> 52 == 0; code--)
        square <<= 1;
    return ((uint64_t)(code - 1u) << 52) + square;
}
#if MPX__HAS_F64
/* The square of an f64, rounded to nearest. */
MPX__PRIVATE uint64_t mpx__f64_square(uint64_t u) {
    const mpx__row *f64_row = mpx__row_of(MPX_F64);
    uint64_t high, low, cross;
    mpx__number x;
    mpx__load_float(&x, u, f64_row);
    if (x.kind == MPX__ZERO_OR_FINITE && x.sig != 0) {
        mpx__normalize(&x);
        high = x.sig >> 32;
        low = x.sig & 0xffffffffu;
        cross = high * low + (low * low >> 32);
        low = (cross & 0xffffffffu) + high * low;
        high = high * high + (cross >> 32) + (low >> 32);
        x.sig = high | ((x.sig & 0xffffffffu) != 0); /* 64 zeros end the square of 32 zeros alone */
        x.exp = 2 * x.exp + 64;
    }
    x.sign = 0;
    return mpx__float_code(&x, f64_row, &mpx__to_nearest);
}
#endif
MPX__PRIVATE void mpx__squares_many(mpx__squares *squares, const unsigned char *s, int is_f64,
                                    size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t *sum = &squares->sums[i % MPX__SUMS];
#if MPX__HAS_F64
        if (is_f64) {
            *sum = mpx__f64_sum(*sum, mpx__f64_square(mpx__read64(s + 8 * i)));
            continue;
        }
#endif
        *sum = mpx__f64_sum(*sum, mpx__f32_square(mpx__read32(s + 4 * i)));
    }
    (void)is_f64;
}
#else
MPX__PRIVATE void mpx__squares_many(mpx__squares *squares, const unsigned char *s, int is_f64,
                                    size_t n) {
    const mpx__engine *engine = mpx__engine_now();
    const mpx__squares_fn add = is_f64 ? engine->squares_of_f64 : engine->squares_of_f32;
    const size_t size = is_f64 ? 8 : 4, rest = n % MPX__SUMS, whole = n - rest;
    const mpx__env env = mpx__enter(MPX__ENV_ALL);
    if (whole != 0) add(squares->sums, s, whole);
    if (rest != 0) {
        unsigned char last[MPX__SUMS * 8];
        mpx__zero(last, sizeof last);
        mpx__copy(last, s + whole * size, rest * size);
        add(squares->sums, last, MPX__SUMS);
    }
    mpx__leave(env);
}
#endif
/* n elements of a float dtype; all calls but the last add a multiple of 16 of them. */
MPX__LONG_WAY void mpx__squares_add(mpx__squares *squares, const void *data, const mpx__row *row,
                                    size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    uint32_t tile[MPX_TILE];
    size_t m;
    if (row->type == MPX_F32 || mpx__is_f64(mpx__type_of(row))) {
        mpx__squares_many(squares, s, row->type != MPX_F32, n);
        return;
    }
    for (; n != 0; n -= m, s += MPX_TILE / 8 * row->bits) {
        m = n < MPX_TILE ? n : MPX_TILE;
        (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(row), m);
        mpx__squares_many(squares, (const unsigned char *)tile, 0, m);
    }
}
/* The sixteen sums are added in pairs: 0 and 8, 1 and 9, ...; then 0 and 4, ...; NaN is one code. */
MPX__PRIVATE uint64_t mpx__squares_sum(mpx__squares *squares) {
    int step, i;
    for (step = MPX__SUMS / 2; step != 0; step /= 2)
        for (i = 0; i < step; i++)
            squares->sums[i] = mpx__f64_sum(squares->sums[i], squares->sums[i + step]);
    return squares->sums[0];
}
MPX__API mpx_status mpx_sum_squares(const void *data, mpx_dtype type, size_t n, double *sum) {
    const mpx__row *row = mpx__parts_of(mpx__row_of(type), &n);
    uint64_t bits = 0;
    if (row->kind != MPX_KIND_FLOAT) return MPX_ERR_DTYPE;
    MPX_ASSERT(sum != NULL && (data != NULL || n == 0));
    if (n != 0) {
        mpx__squares squares;
        mpx__zero(&squares, sizeof squares);
        mpx__squares_add(&squares, data, row, n);
        bits = mpx__squares_sum(&squares);
    }
    mpx__write64(sum, bits);
    return MPX_OK;
}

#endif /* !MPX_NO_REDUCE */
