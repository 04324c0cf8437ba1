/*==================================================================*
 * MARK: simd_sse2 - the vocabulary, four lanes
 *   SSE2 alone, which every x86-64 has. Unsigned comparisons, minimum and shifts by a different
 *   count in each lane take a few instructions each.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_SSE2
#define MPX__ISA_NAME "sse2"
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_FMA 0
#define MPX__F16_BY_SUMS 1

/* ---- lanes of 32 bits ------------------------------------------ */

/* Products of two lanes: first of the even ones, then of the odd ones. */
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) {
    mpx__vu even = _mm_mul_epu32(a, b),
            odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}
/* Lane i of ci, for i = 0 to 3. The asm hides the operands: clang would recognise a shift by lane
   and use float instructions, which raise flags. */
MPX__FORCE_INLINE mpx__vu mpx__diagonal(mpx__vu c0, mpx__vu c1, mpx__vu c2, mpx__vu c3) {
#if defined(__clang__)
    __asm__("" : "+x"(c0), "+x"(c1), "+x"(c2), "+x"(c3));
#endif
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(c0, _mm_srli_si128(c1, 4)),
                              _mm_unpackhi_epi32(c2, _mm_srli_si128(c3, 4)));
}
/* All lanes by each count in turn, which must be alone in the lower half of a register. */
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    mpx__vu zero = _mm_setzero_si128(), lo = _mm_unpacklo_epi32(n, zero),
            hi = _mm_unpackhi_epi32(n, zero);
    return mpx__diagonal(_mm_srl_epi32(a, lo), _mm_srl_epi32(a, _mm_srli_si128(lo, 8)),
                         _mm_srl_epi32(a, hi), _mm_srl_epi32(a, _mm_srli_si128(hi, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__or(mpx__and(mask, a), _mm_andnot_si128(mask, b));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    const mpx__vu top = mpx__set(0x80000000u);
    return _mm_cmpgt_epi32(mpx__xor(a, top), mpx__xor(b, top));
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), b, a);
}
/* The larger of two magnitudes below 2^31: exact; right only in the upper half. The largest
   lane. */
#define MPX__OWN_MAX_MAGNITUDE 1
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) {
    return mpx__select(_mm_cmpgt_epi32(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    a = mpx__max(a, _mm_shuffle_epi32(a, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(mpx__max(a, _mm_shuffle_epi32(a, 0xb1)));
}
#define MPX__OWN_AT_MOST_I32 1
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return mpx__and(mpx__or(a, mpx__sar(a, 31)), mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff;
}

/* ---- memory ---------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    const mpx__vu zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(
        _mm_unpacklo_epi8(_mm_cvtsi32_si128((int)mpx__read32(p)), zero), zero);
}
/* The first n bytes of a vector, not all; the others become 0. */
#define MPX__OWN_LOAD_FIRST 1
MPX__FORCE_INLINE mpx__vu mpx__load_first(const unsigned char *p, size_t n) {
    return _mm_set_epi64x((int64_t)mpx__first64(p, n, 8), (int64_t)mpx__first64(p, n, 0));
}

/* ---- lanes of 16, of 8 and of 64 bits -------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { /* of lanes below 2^15 */
    return _mm_max_epi16(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm_sub_epi16(a, _mm_subs_epu16(a, mpx__set(0x7fff7fffu)));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xf5);
}

/* ---- packed codes ---------------------------------------------- */

/* Codes of four and of six bits, one in a byte, to packed ones and back. 16 codes of six bits are
   12 bytes: two codes become 12 bits, four become 24, eight 48, all of them 96. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
    _mm_storel_epi64((__m128i *)p, mpx__pack16(codes, codes));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    const mpx__vu four = mpx__set(0x0f0f0f0fu);
    mpx__vu v = _mm_loadl_epi64((const __m128i *)p);
    return _mm_unpacklo_epi8(mpx__and(v, four), mpx__and(mpx__shr(v, 4), four));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    const mpx__vu even = _mm_set_epi32(0, -1, 0, -1);
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    v = mpx__or(mpx__and(v, even), _mm_srli_epi64(_mm_andnot_si128(even, v), 8));
    v = mpx__or(_mm_move_epi64(v), _mm_slli_si128(_mm_srli_si128(v, 8), 6));
    _mm_storel_epi64((__m128i *)p, v);
    mpx__write32((unsigned char *)p + 8, (uint32_t)_mm_cvtsi128_si32(_mm_srli_si128(v, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const mpx__vu even = _mm_set_epi32(0, 0xffffff, 0, 0xffffff);
    const unsigned char *s = (const unsigned char *)p;
    mpx__vu v = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p),
                                   _mm_cvtsi32_si128((int)mpx__read32(s + 8)));
    v = _mm_unpacklo_epi64(v, _mm_srli_si128(v, 6));
    v = mpx__or(mpx__and(v, even), _mm_andnot_si128(even, _mm_slli_epi64(v, 8)));
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    mpx__pair16(a, _mm_cmpgt_epi16(_mm_setzero_si128(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__signed8to16(mpx__vu v[2], mpx__vu a) {
    mpx__pair8(a, _mm_cmpgt_epi8(_mm_setzero_si128(), a), v, v + 1);
}

/* ---- floats ---------------------------------------------------- */

/* Rounded once or twice: for products whose rounding does not matter. */
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
/* Maximum and minimum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) { return _mm_max_ps(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmin(mpx__vf a, mpx__vf b) { return _mm_min_ps(a, b); }
/* Two of f64, one of f32 or i32. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b));
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = _mm_cvtps_pd(a);
    v[1] = _mm_cvtps_pd(_mm_movehl_ps(a, a));
}
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    v[0] = _mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)p));
    v[1] = _mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)(const void *)((const __m64 *)p + 1)));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return _mm_unpacklo_epi64(_mm_cvttpd_epi32(a), _mm_cvttpd_epi32(b));
}
#if MPX__GNU
#define MPX__OWN_HALVES 1 /* in memory: no shuffles */
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    _mm_storel_pi((__m64 *)p, _mm_cvtpd_ps(a));
    MPX__BARRIER(); /* or they are joined */
    _mm_storel_pi((__m64 *)p + 1, _mm_cvtpd_ps(b));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    __asm__("cvtps2pd {%1, %0|%0, %1}" : "=x"(v[0]) : "m"(*(const __m64 *)p));
    __asm__("cvtps2pd {%1, %0|%0, %1}" : "=x"(v[1]) : "m"(((const __m64 *)p)[1]));
}
/* In assembly: see mpx__dadd. */
MPX__FORCE_INLINE mpx__vf mpx__fsub(mpx__vf a, mpx__vf b) {
    __asm__("subps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vf mpx__fsub(mpx__vf a, mpx__vf b) { return _mm_sub_ps(a, b); }
#endif
/* Unsigned integers of 32 bits, rounded once and without a conversion. The high half, as 2^39 +
   high * 2^16, less 2^39 + 2^23, and the low half, as 2^23 + low, are added. */
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) {
    mpx__vu low = mpx__or(mpx__and(a, mpx__set(0xffff)), mpx__set(0x4b000000u)),
            high = mpx__or(mpx__shr(a, 16), mpx__set(0x53000000u));
    return _mm_add_ps(mpx__fsub(mpx__vf_of_bits(high), mpx__vf_of_bits(mpx__set(0x53000080u))),
                      mpx__vf_of_bits(low));
}

#endif /* MPX_ISA_SSE2 */
