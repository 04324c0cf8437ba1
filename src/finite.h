/*==========================================================================*
 * MARK: finite - the check for Inf and NaN                                  *
 *   One maximum over the magnitudes, at the speed of reading.               *
 *==========================================================================*/

/* The largest of the magnitudes tells: Inf and NaN are the largest, and known by the upper half. */
typedef mpx__vu (*mpx__max_fn)(mpx__vu a, mpx__vu b);
#ifndef MPX__HAS_MAX_MAGNITUDE
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
#endif
enum { MPX__MAGNITUDES_32 = 0x7fffffff, MPX__MAGNITUDES_16 = 0x7fff7fff }; /* two per lane */

MPX__FORCE_INLINE mpx__vu mpx__larger_of_two(const void *p, const void *q, mpx__vu mask,
                                             mpx__max_fn larger) {
    return larger(mpx__and(mpx__load32(p), mask), mpx__and(mpx__load32(q), mask));
}
/* Fewer bytes than a vector, and zeros. */
MPX__LONG_WAY mpx__vu mpx__few_magnitudes(const void *src, size_t size, uint32_t magnitudes) {
    unsigned char few[2 * MPX__LANES * 4];
    mpx__stage(few, src, size);
    return mpx__and(mpx__load32(few), mpx__set(magnitudes));
}
/* size is at least a vector. The last load ends at the end of the buffer, so that some elements may
   be looked at twice. */
MPX__FORCE_INLINE mpx__vu mpx__largest_of_many(const void *src, size_t size, uint32_t magnitudes,
                                               mpx__max_fn larger) {
    enum { step = MPX__LANES * 4 };
    const unsigned char *s = (const unsigned char *)src;
    const mpx__vu mask = mpx__set(magnitudes);
    mpx__vu a = mpx__set(0);
#if !MPX__COMPACT
    if (MPX__LIKELY(size >= 8 * step)) {
        const unsigned char *end = s + (size - size % (8 * step));
        size %= 8 * step;
        MPX__ALIGN_LOOP();
        do {
            mpx__vu b = mpx__larger_of_two(s, s + step, mask, larger);
            mpx__vu c = mpx__larger_of_two(s + 2 * step, s + 3 * step, mask, larger);
            mpx__vu d = mpx__larger_of_two(s + 4 * step, s + 5 * step, mask, larger);
            mpx__vu e = mpx__larger_of_two(s + 6 * step, s + 7 * step, mask, larger);
            a = larger(a, larger(larger(b, c), larger(d, e)));
            s += 8 * step;
        } while (s != end);
    }
#endif
    for (; size >= step; size -= step, s += step)
        a = larger(a, mpx__and(mpx__load32(s), mask));
    if (size != 0) a = larger(a, mpx__and(mpx__load32(s + size - step), mask));
    return a;
}
MPX__FORCE_INLINE mpx__vu mpx__largest(const void *src, size_t size, uint32_t magnitudes,
                                       mpx__max_fn larger) {
    return size < MPX__LANES * 4 ? mpx__few_magnitudes(src, size, magnitudes)
                                 : mpx__largest_of_many(src, size, magnitudes, larger);
}

MPX__PRIVATE int mpx__f32_all_finite(const void *src, size_t n) {
    mpx__vu largest = mpx__largest(src, n * 4, MPX__MAGNITUDES_32, mpx__max_upper);
    return !mpx__any(mpx__gt(largest, mpx__set(0x7f7fffffu)));
}

/* f16 and bf16, by their Inf. */
#if MPX__COMPACT
MPX__PRIVATE int mpx__half_all_finite(const void *src, size_t n, uint32_t inf) {
    const unsigned char *s = (const unsigned char *)src;
    for (; n != 0; n--, s += 2)
        if ((mpx__read16(s) & 0x7fffu) >= inf) return 0;
    return 1;
}
#else
MPX__PRIVATE int mpx__half_all_finite(const void *src, size_t n, uint32_t inf) {
    mpx__vu largest = mpx__largest(src, n * 2, MPX__MAGNITUDES_16, mpx__max16);
    mpx__vu below = mpx__set(inf - 1u);
    return !mpx__any(mpx__or(mpx__gt(mpx__shr(largest, 16), below),
                             mpx__gt(mpx__and(largest, mpx__set(0xffff)), below)));
}

#endif

MPX__PRIVATE int mpx__f32_any_infinite(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    const mpx__vu twice_inf = mpx__set(0xff000000u);
    for (; n >= MPX__LANES; n -= MPX__LANES, s += 4 * MPX__LANES)
        if (mpx__any(mpx__eq(mpx__shl(mpx__load32(s), 1), twice_inf))) return 1;
    for (; n != 0; n--, s += 4)
        if (mpx__read32(s) << 1 == 0xff000000u) return 1;
    return 0;
}
MPX__PRIVATE int mpx__f64_any_infinite(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    for (; n != 0; n--, s += 8)
        if (mpx__read64(s) << 1 == (uint64_t)0x7ff << 53) return 1;
    return 0;
}

MPX__PRIVATE uint64_t mpx__f64_largest(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint64_t largest = 0;
    for (; n != 0; n--, s += 8) {
        uint64_t twice = mpx__read64(s) << 1;
        largest = twice > largest ? twice : largest;
    }
    return largest >> 1;
}
MPX__PRIVATE int mpx__f64_all_finite(const void *src, size_t n) {
    return mpx__f64_largest(src, n) >> 52 != 0x7ffu;
}

/* Of the other dtypes: floats by tiles; integers always are; what is no dtype is not. */
MPX__LONG_WAY int mpx__other_all_finite(const void *data, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    size_t step = mpx_dtype_bytes(type, MPX_TILE);
    uint32_t tile[MPX_TILE];
    if (n == 0) return mpx__row_of(type)->kind != MPX_KIND_NONE;
    if (mpx__is_f64(type)) return mpx__f64_all_finite(data, n);
    MPX__IF_C64(if (type == MPX_C64) return mpx__f32_all_finite(data, n) &&
                                            mpx__f32_all_finite(s + n * 4, n);)
    MPX__IF_C128(if (type == MPX_C128) return mpx__f64_all_finite(data, n) &&
                                              mpx__f64_all_finite(s + n * 8, n);)
    if (!mpx_dtype_is_floating(type)) return mpx__row_of(type)->kind != MPX_KIND_NONE;
    if (mpx__row_of(type)->family == MPX__FINITE) return 1;
    for (; n != 0; s += step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        mpx__to_f32(type, tile, s, m);
        if (!mpx__f32_all_finite(tile, m)) return 0;
        n -= m;
    }
    return 1;
}

MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n) {
    MPX_ASSERT(data != NULL || n == 0);
    if (type == MPX_F32) return mpx__f32_all_finite(data, n);
    MPX__IF_F16(if (type == MPX_F16) return mpx__half_all_finite(data, n, 0x7c00);)
    MPX__IF_BF16(if (type == MPX_BF16) return mpx__half_all_finite(data, n, 0x7f80);)
    return mpx__other_all_finite(data, type, n);
}

/* Mostly there is nothing to find, and mpx_all_finite says so faster. */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    size_t step = mpx_dtype_bytes(type, MPX_TILE);
    uint32_t tile[MPX_TILE];
    mpx__env env;
    int found = 0;
    if (mpx_dtype_is_floating(type) && mpx__row_of(type)->family != MPX__IEEE) return 0;
    if (mpx_all_finite(data, type, n)) return 0;
    if (mpx__is_f64(type)) return mpx__f64_any_infinite(s, n);
    MPX__IF_C64(if (type == MPX_C64) return mpx__f32_any_infinite(s, n) ||
                                            mpx__f32_any_infinite(s + n * 4, n);)
    MPX__IF_C128(if (type == MPX_C128) return mpx__f64_any_infinite(s, n) ||
                                              mpx__f64_any_infinite(s + n * 8, n);)
    if (!mpx_dtype_is_floating(type)) return 0;
    env = mpx__env_enter(); /* NaN raises nothing here */
    for (; n != 0 && !found; s += step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        mpx__to_f32(type, tile, s, m);
        found = mpx__f32_any_infinite(tile, m);
        n -= m;
    }
    mpx__env_leave(env);
    return found;
}
