/*==========================================================================*
 * MARK: amax - the largest magnitude                                        *
 *   What a scale for a narrow dtype is computed from; f32, f16 and bf16 at  *
 *   the speed of reading. As finite.h: magnitudes are ordered as their bits *
 *   are, Inf above all numbers, NaN above Inf.                              *
 *==========================================================================*/

MPX__FORCE_INLINE mpx__vu mpx__larger_of_all_bits(mpx__vu largest, const void *p) {
    return mpx__max(largest, mpx__and(mpx__load32(p), mpx__set(0x7fffffffu)));
}

/* The largest among lanes of 32 bits, or of two times 16. */
MPX__PRIVATE uint32_t mpx__largest_lane(mpx__vu lanes, int half) {
    unsigned char at[MPX__LANES * 4];
    uint32_t largest = 0;
    size_t i;
    mpx__store32(at, lanes);
    for (i = 0; i < sizeof at; i += half ? 2 : 4) {
        uint32_t x = half ? mpx__read16(at + i) : mpx__read32(at + i);
        largest = x > largest ? x : largest;
    }
    return largest;
}

MPX__PRIVATE uint32_t mpx__f32_amax(const void *src, size_t n) {
    return mpx__largest_lane(mpx__largest(src, n * 4, mpx__larger_of_all_bits, mpx__max), 0);
}
MPX__PRIVATE uint32_t mpx__half_amax(const void *src, mpx_dtype type, size_t n) {
    mpx__vu lanes = mpx__largest(src, n * 2, mpx__larger16, mpx__max16);
    uint16_t code = (uint16_t)mpx__largest_lane(lanes, 1);
    return type == MPX_F16 ? mpx_f16_to_bits(code) : mpx_bf16_to_bits(code);
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

/* The bits of the largest magnitude. */
MPX__PRIVATE uint32_t mpx__amax(const void *data, mpx_dtype type, size_t n) {
    switch (type) {
    case MPX_F32: return mpx__f32_amax(data, n);
        MPX__IF_F64(case MPX_F64: return mpx__f64_amax(data, n);)
        MPX__IF_F16(case MPX_F16: return mpx__half_amax(data, type, n);)
        MPX__IF_BF16(case MPX_BF16: return mpx__half_amax(data, type, n);)
    default: return mpx__tile_amax(data, type, n);
    }
}

MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    uint32_t u;
    if (!mpx_dtype_is_floating(type)) return MPX_ERR_DTYPE;
    MPX_ASSERT(amax != NULL && (data != NULL || n == 0));
    u = n != 0 ? mpx__amax(data, type, n) : 0;
    *amax = mpx__float(u > 0x7f800000u ? u | 0x400000u : u);
    return MPX_OK;
}
