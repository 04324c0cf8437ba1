/*==========================================================================*
 * MARK: amax - the largest magnitude                                        *
 *   What a scale for a narrow dtype is computed from; f32, f16 and bf16 at  *
 *   the speed of reading. As finite.h: magnitudes are ordered as their bits *
 *   are, Inf above all numbers, NaN above Inf.                              *
 *==========================================================================*/

/* Of lanes below 2^31. */
#ifndef MPX__HAS_LARGEST_LANE
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu lanes) {
    unsigned char at[MPX__LANES * 4];
    uint32_t largest = 0;
    size_t i;
    mpx__store32(at, lanes);
    for (i = 0; i < sizeof at; i += 4) {
        uint32_t x = mpx__read32(at + i);
        largest = x > largest ? x : largest;
    }
    return largest;
}
#endif

/* Of their halves. */
#ifndef MPX__HAS_LARGEST_HALF
MPX__FORCE_INLINE uint32_t mpx__largest_half(mpx__vu lanes) {
    mpx__vu low = mpx__and(lanes, mpx__set(0xffff));
    return mpx__largest_lane(mpx__max_magnitude(mpx__shr(lanes, 16), low));
}
#endif

MPX__FORCE_INLINE uint32_t mpx__f32_amax(const void *src, size_t n) {
    return mpx__largest_lane(mpx__largest(src, n * 4, MPX__MAGNITUDES_32, mpx__max_magnitude));
}
MPX__FORCE_INLINE uint32_t mpx__amax_of_halves(mpx_dtype type, mpx__vu lanes) {
    uint16_t code = (uint16_t)mpx__largest_half(lanes);
    return type == MPX_F16 ? mpx_f16_to_bits(code) : (uint32_t)code << 16;
}
#if MPX__HAS_F64
MPX__PRIVATE uint32_t mpx__f64_amax(const void *src, size_t n) {
    uint64_t largest = mpx__f64_largest(src, n);
    mpx__wide w;
    mpx__wide_load_f64(&w, &largest);
    return mpx__wide_to_f32(&w);
}
#endif
MPX__PRIVATE uint32_t mpx__tile_amax(const void *src, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint32_t tile[MPX_TILE], largest = 0;
    for (; n != 0; s += MPX_TILE / 8 * (size_t)mpx_dtype_bits(type)) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        uint32_t amax;
        mpx__to_f32(type, tile, s, m);
        amax = mpx__f32_amax(tile, m);
        largest = amax > largest ? amax : largest;
        n -= m;
    }
    return largest;
}

/* The bits of the largest magnitude; NaN may be one that signals. */
MPX__INLINE uint32_t mpx__amax(const void *data, mpx_dtype type, size_t n) {
    if (n == 0) return 0;
    if (type == MPX_F32) return mpx__f32_amax(data, n);
    if (type == MPX_F16 || type == MPX_BF16)
        return mpx__amax_of_halves(type,
                                   mpx__largest(data, n * 2, MPX__MAGNITUDES_16, mpx__max16));
    MPX__IF_F64(if (type == MPX_F64) return mpx__f64_amax(data, n);)
    return mpx__tile_amax(data, type, n);
}
MPX__INLINE mpx_status mpx__amax_set(float *amax, uint32_t u) {
    *amax = mpx__float(u > 0x7f800000u ? u | 0x400000u : u);
    return MPX_OK;
}

MPX__LONG_WAY mpx_status mpx__any_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    if (!mpx_dtype_is_floating(type)) return MPX_ERR_DTYPE;
    MPX_ASSERT(amax != NULL && (data != NULL || n == 0));
    return mpx__amax_set(amax, mpx__amax(data, type, n));
}
/* At 1 KiB each step on the way to a loop counts: what has a vector goes there straight. */
#if MPX__COMPACT
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    return mpx__any_amax(data, type, n, amax);
}
#else
MPX__FORCE_INLINE uint32_t mpx__amax_of_many(mpx_dtype type, const void *src, size_t n) {
    if (type == MPX_F32)
        return mpx__largest_lane(
            mpx__largest_of_many(src, n * 4, MPX__MAGNITUDES_32, mpx__max_magnitude));
    return mpx__amax_of_halves(
        type, mpx__largest_of_many(src, n * 2, MPX__MAGNITUDES_16, mpx__max16));
}
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    if (n >= 2 * MPX__LANES) {
        MPX_ASSERT(!mpx_dtype_is_floating(type) || (amax != NULL && data != NULL));
        if (type == MPX_F32) return mpx__amax_set(amax, mpx__amax_of_many(MPX_F32, data, n));
        MPX__IF_F16(if (type == MPX_F16)
                        return mpx__amax_set(amax, mpx__amax_of_many(MPX_F16, data, n));)
        MPX__IF_BF16(if (type == MPX_BF16)
                         return mpx__amax_set(amax, mpx__amax_of_many(MPX_BF16, data, n));)
    }
    return mpx__any_amax(data, type, n, amax);
}
#endif
