/*==================================================================*
 * MARK: simd_avx2 - the vocabulary, eight lanes
 *   AVX2 with F16C and FMA: x86-64-v3, all of Haswell, Zen and later.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_AVX2
#define MPX__ISA_NAME "avx2"
#define MPX__F16_ENV (MPX_KEEP_FLAGS ? MPX__ENV_ALL : MPX__ENV_ANY)
#define MPX__TO_F16_ENV MPX__F16_ENV

/* ---- lanes of 32 bits ------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm256_blendv_epi8(b, a, mask);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return !_mm256_testz_si256(a, a); }
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    __m128i x = _mm_max_epu32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xb1)));
}

/* ---- memory ---------------------------------------------------- */

/* Whole words by a mask; what is left of n comes into the lane behind them. */
#define MPX__OWN_LOAD_FIRST 1
MPX__FORCE_INLINE mpx__vu mpx__load_first(const unsigned char *p, size_t n) {
    const mpx__vu lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), at = mpx__set((uint32_t)n / 4),
                  rest = mpx__set((uint32_t)mpx__first64(p, n, n & 28u));
    return mpx__or(_mm256_maskload_epi32((const int *)(const void *)p, mpx__gt_signed(at, lane)),
                   mpx__and(rest, mpx__eq(at, lane)));
}
/* A constant that stays in a register: gcc would load it again in each round of a loop. */
MPX__FORCE_INLINE mpx__vu mpx__kept(mpx__vu constant) {
    MPX__KEEP_VALUE(constant);
    return constant;
}

/* ---- lanes of 16, of 8 and of 64 bits -------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__shl16(mpx__vu a, int n) { return _mm256_slli_epi16(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
}

/* ---- packing and pairing --------------------------------------- */

/* See simd_x86.h. */
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return _mm256_permute4x64_epi64(a, 0xd8); }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm256_permute4x64_epi64(a, 0xd8);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
}
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}

/* Codes of four and of six bits, one in a byte, to packed ones and back. 32 codes of six bits are
   24 bytes; each half of the register has 12 of them. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = _mm256_maddubs_epi16(codes, mpx__set(0x10011001u));
    codes = mpx__packed_once(_mm256_packus_epi16(codes, codes));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(codes));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    mpx__vu two = _mm256_cvtepu8_epi16(mpx__half_at(p));
    return mpx__and(mpx__or(two, mpx__shl(two, 4)), mpx__set(0x0f0f0f0fu));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    const mpx__vu three_of_four = _mm256_broadcastsi128_si256(
        _mm_set_epi32(-1, 0x0e0d0c0a, 0x09080605, 0x04020100));
    v = _mm256_maddubs_epi16(v, mpx__set(0x40014001u));
    v = _mm256_shuffle_epi8(mpx__dot16s(v, mpx__set(0x10000001u)), three_of_four);
    v = _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(7, 3, 6, 5, 4, 2, 1, 0));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(v));
    _mm_storel_epi64((__m128i *)p + 1, _mm256_extracti128_si256(v, 1));
}
/* A word of 16 bits has two codes, from bit 0 on in even words, from bit 4 on in odd words. A
   product moves the codes of even words to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const mpx__vu overlapping = _mm256_broadcastsi128_si256(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    mpx__vu v = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
        _mm_loadl_epi64((const __m128i *)p + 1), 1);
    v = _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(6, 5, 4, 3, 3, 2, 1, 0));
    v = mpx__mul16(_mm256_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(mpx__shr(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(mpx__shr(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------- */

/* Sixteen bytes, loaded to both halves of the register, as lanes of 32 bits: half as many loads. */
MPX__FORCE_INLINE void mpx__unpack_sixteen(mpx__vu v[2], const unsigned char *p) {
    const mpx__vu a = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p));
    const mpx__vu first = mpx__or(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), mpx__set(0xffffff00u));
    v[0] = _mm256_shuffle_epi8(a, first);
    v[1] = _mm256_shuffle_epi8(a, mpx__add(first, mpx__set(8)));
}
#define MPX__OWN_WIDER_LOADS 1 /* as with AVX-512 */
#define MPX__OWN_LOAD_UNSIGNED8 1
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    mpx__unpack_sixteen(v, s);
    mpx__unpack_sixteen(v + 2, s + 16);
}

/* ---- floats ---------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return _mm256_fmadd_ps(a, b, c);
}
/* Two of f64, one of f32 or i32. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
    v[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(a)),
                                   _mm256_cvttpd_epi32(b), 1);
}
/* In memory: no vector is joined or split. */
#define MPX__OWN_HALVES 1
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    _mm_storeu_ps((float *)p, _mm256_cvtpd_ps(a));
    _mm_storeu_ps((float *)p + 4, _mm256_cvtpd_ps(b));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    v[0] = _mm256_cvtps_pd(_mm_loadu_ps((const float *)p));
    v[1] = _mm256_cvtps_pd(_mm_loadu_ps((const float *)p + 4));
}
#define MPX__OWN_TRUNCATE 1
MPX__FORCE_INLINE mpx__vd mpx__dtruncate(mpx__vd a) {
    return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* F16C keeps subnormals and NaN payloads whatever MXCSR says, but raises flags. */
MPX__FORCE_INLINE mpx__vu mpx__load_f16(const void *p) {
    return mpx__bits_of_vf(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}
MPX__FORCE_INLINE __m128i mpx__half_of_f16(mpx__vu u) {
    return _mm256_cvtps_ph(mpx__vf_of_bits(u), _MM_FROUND_TO_NEAREST_INT);
}
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(mpx__half_of_f16(a)),
                                   mpx__half_of_f16(b), 1);
}
MPX__FORCE_INLINE void mpx__store_f16_pair(void *p, mpx__vu a, mpx__vu b) {
    _mm_storeu_si128((__m128i *)p, mpx__half_of_f16(a));
    _mm_storeu_si128((__m128i *)p + 1, mpx__half_of_f16(b));
}
/* Two vectors of f32 from the f16 in words. */
MPX__FORCE_INLINE void mpx__two_of_f16(mpx__vu v[2], mpx__vu words) {
    v[0] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_castsi256_si128(words)));
    v[1] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_extracti128_si256(words, 1)));
}

/* Codes of e5m2 as the upper halves of f16. */
MPX__FORCE_INLINE void mpx__two_of_e5m2(mpx__vu v[2], __m128i codes) {
    const __m128i zero = _mm_setzero_si128();
    v[0] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm_unpacklo_epi8(zero, codes)));
    v[1] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm_unpackhi_epi8(zero, codes)));
}
MPX__FORCE_INLINE void mpx__load4_as_e5m2(mpx__vu v[4], mpx__vu codes) {
    mpx__two_of_e5m2(v, _mm256_castsi256_si128(codes));
    mpx__two_of_e5m2(v + 2, _mm256_extracti128_si256(codes, 1));
}

/* ---- f32 to bf16 by words -------------------------------------- */

/* The upper halves of two vectors' lanes, alternating. */
#define MPX__OWN_UPPER_WORDS 1
#define MPX__OWN_WORDS_AT 1
#define MPX__OWN_BF16_PAIR 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(mpx__shr(a, 16), b, 0xaa);
}
/* The same from memory: loads that begin 2 bytes later, or earlier, replace the shifts. */
MPX__FORCE_INLINE mpx__vu mpx__upper_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p + 2), mpx__load32(p + 32), 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p), mpx__load32(p + 30), 0xaa);
}
/* To nearest even. If the lower half, as a signed number, is negative, it is half a unit or more,
   and 1 is added. If the upper half is even, 1 is first subtracted from a lower half that is not 0,
   so that a tie does not count. 2/3 of the time of 32-bit lanes (Zen 3). */
MPX__FORCE_INLINE mpx__vu mpx__bf16_of_words(mpx__vu upper, mpx__vu lower) {
    const mpx__vu one = mpx__kept(mpx__set(0x10001u)),
                  one_then_other = mpx__kept(_mm256_broadcastsi128_si256(_mm_set_epi8(
                      15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0)));
    mpx__vu up = _mm256_subs_epu16(lower, _mm256_andnot_si256(upper, one)); /* where negative */
    upper = _mm256_sub_epi16(upper, mpx__gt16s(mpx__set(0), up));
    return mpx__packed_once(_mm256_shuffle_epi8(upper, one_then_other));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__bf16_of_words(mpx__upper_words(a, b),
                              _mm256_blend_epi16(a, mpx__shl(b, 16), 0xaa));
}

/* ---- floats, for MPX_COMPUTE ----------------------------------- */
#if MPX_COMPUTE

/* Bytes from the sign on, moved right by n, within the mask, as f16. */
#define MPX__OWN_F16_OF_BYTES 1
MPX__FORCE_INLINE void mpx__f16_of_bytes(mpx__vu v[4], mpx__vu codes, int n, mpx__vu mask) {
    const __m256i zero = _mm256_setzero_si256();
    const __m128i count = _mm_cvtsi32_si128(n);
    __m256i low = _mm256_sra_epi16(_mm256_unpacklo_epi8(zero, codes), count),
            high = _mm256_sra_epi16(_mm256_unpackhi_epi8(zero, codes), count);
    low = mpx__and(low, mask);
    high = mpx__and(high, mask);
    v[0] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_castsi256_si128(low)));
    v[1] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_castsi256_si128(high)));
    v[2] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_extracti128_si256(low, 1)));
    v[3] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_extracti128_si256(high, 1)));
}
MPX__FORCE_INLINE __m256i mpx__lower256(mpx__vu a) { return a; }
#endif

#endif /* MPX_ISA_AVX2 */
