/*==========================================================================*
 * MARK: simd_sse2 - the vocabulary, four lanes                              *
 *   SSE2 alone, which every x86-64 has: unsigned comparisons, minimum,      *
 *   shifts by lane and narrowing stores take a few instructions each.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_SSE2
#define MPX__LANES 4
#define MPX__ISA_NAME "sse2"
#define MPX__NATIVE_F16 0
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 0
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 1
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 1
#define MPX__HAS_OWN_ROWS 0

typedef __m128i mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm_and_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm_or_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm_xor_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm_sub_epi32(a, b); }
/* By the products of two lanes that there are: of the even ones, and of the odd ones. */
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) {
    mpx__vu even = _mm_mul_epu32(a, b),
            odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return _mm_slli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return _mm_srli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return _mm_cmpeq_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    mpx__vu top = mpx__set(0x80000000u);
    return _mm_cmpgt_epi32(mpx__xor(a, top), mpx__xor(b, top));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__or(mpx__and(mask, a), _mm_andnot_si128(mask, b));
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), b, a);
}
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), a, b);
}
/* Of magnitudes below 2^31; and what is right in the upper half of a lane alone. The largest
   lane. */
#define MPX__HAS_MAX_MAGNITUDE 1
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) {
    return mpx__select(_mm_cmpgt_epi32(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
#define MPX__HAS_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    a = mpx__max_magnitude(a, _mm_shuffle_epi32(a, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(mpx__max_magnitude(a, _mm_shuffle_epi32(a, 0xb1)));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff;
}

/* Lane i of ci, for i = 0 to 3. Told not to look: clang sees a shift by lane in it, and makes one
   of float instructions, which raise flags. */
MPX__FORCE_INLINE mpx__vu mpx__diagonal(mpx__vu c0, mpx__vu c1, mpx__vu c2, mpx__vu c3) {
#if defined(__clang__)
    __asm__("" : "+x"(c0), "+x"(c1), "+x"(c2), "+x"(c3));
#endif
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(c0, _mm_srli_si128(c1, 4)),
                              _mm_unpackhi_epi32(c2, _mm_srli_si128(c3, 4)));
}
/* All lanes by each lane's count, which must stand alone in the lower half of a register. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
    mpx__vu zero = _mm_setzero_si128(), lo = _mm_unpacklo_epi32(n, zero),
            hi = _mm_unpackhi_epi32(n, zero);
    return mpx__diagonal(_mm_sll_epi32(a, lo), _mm_sll_epi32(a, _mm_srli_si128(lo, 8)),
                         _mm_sll_epi32(a, hi), _mm_sll_epi32(a, _mm_srli_si128(hi, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    mpx__vu zero = _mm_setzero_si128(), lo = _mm_unpacklo_epi32(n, zero),
            hi = _mm_unpackhi_epi32(n, zero);
    return mpx__diagonal(_mm_srl_epi32(a, lo), _mm_srl_epi32(a, _mm_srli_si128(lo, 8)),
                         _mm_srl_epi32(a, hi), _mm_srl_epi32(a, _mm_srli_si128(hi, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return _mm_castps_si128(_mm_cvtepi32_ps(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    mpx__vu zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(
        _mm_unpacklo_epi8(_mm_cvtsi32_si128((int)mpx__read32(p)), zero), zero);
}
#define MPX__HAS_OF_BYTES 1
MPX__FORCE_INLINE mpx__vu mpx__of_bytes(uint64_t low, uint64_t high) {
    return _mm_set_epi64x((int64_t)high, (int64_t)low);
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
/* The packing instructions saturate as signed numbers: bit 15 is spread over the upper half
   first. */
MPX__FORCE_INLINE mpx__vu mpx__words(mpx__vu v) {
    v = _mm_srai_epi32(_mm_slli_epi32(v, 16), 16);
    return _mm_packs_epi32(v, v);
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    _mm_storel_epi64((__m128i *)p, mpx__words(v));
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    v = mpx__words(mpx__and(v, mpx__set(0xff)));
    mpx__write32(p, (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(v, v)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm_storeu_si128((__m128i *)p, v); }
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    __m128 a = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)p)),
           b = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)p + 1));
    *low = _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88));
    *high = _mm_castps_si128(_mm_shuffle_ps(a, b, 0xdd));
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    _mm_storeu_si128((__m128i *)p, _mm_unpacklo_epi32(low, high));
    _mm_storeu_si128((__m128i *)p + 1, _mm_unpackhi_epi32(low, high));
}

/* Float products and quotients, in the modes of mpx__env_enter. The division in assembly: under
   -ffast-math compilers make an approximation of the intrinsic. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_mul_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    __asm__("divps {%1, %0|%0, %1}" : "+x"(a) : "x"(by->value));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    return _mm_castps_si128(_mm_div_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(by->value)));
}
#endif
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(mpx__fmul(a, b)), _mm_castsi128_ps(c)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_max_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_min_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}

/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { /* of lanes below 2^15 */
    return _mm_max_epi16(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi16(a, b); }
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm_madd_epi16(a, b); }
/* Lanes of 16 to the right by a count from 1 to 15, known early: as products. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm_mulhi_epu16(a, n); }
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set(1u << 16 | 1u << n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return mpx__dot16s(mpx__and(a, mpx__set(0xffff0000u | mask)), w);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi8(a, b); }

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. In order
   already. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm_packus_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) { return a; }
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__pack16s(mpx__pack32s(a, b), mpx__pack32s(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm_unpacklo_epi8(a, b);
    *high = _mm_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm_unpacklo_epi16(a, b);
    *high = _mm_unpackhi_epi16(a, b);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm_unpacklo_epi32(a, b);
    *high = _mm_unpackhi_epi32(a, b);
}
/* The halves of two vectors' lanes of 64. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
    *low = _mm_castps_si128(_mm_shuffle_ps(x, y, 0x88));
    *high = _mm_castps_si128(_mm_shuffle_ps(x, y, 0xdd));
}

/* Lanes with a NaN in one or the other, none of them signalling. In assembly: under -ffast-math
   compilers take for granted that there is none. */
#define MPX__HAS_QUIET_NAN 1
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    __asm__("cmpunordps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_cmpunord_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
#endif

/* Past the caches or not. */
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    if (stream)
        _mm_stream_si128((__m128i *)p, v);
    else
        mpx__store32(p, v);
}
/* What went past them is in order with other threads' reads after the fence only. */
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 16 codes, 12 bytes; two
   are made twelve bits, four 24, eight 48, all of them 96. */
MPX__FORCE_INLINE mpx__vu mpx__nibble_pairs(mpx__vu codes) {
    return mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
}
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    return mpx__pack16(mpx__nibble_pairs(a), mpx__nibble_pairs(b));
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu four = mpx__set(0x0f0f0f0fu), even = mpx__and(a, four),
            odd = mpx__and(mpx__shr(a, 4), four);
    *low = _mm_unpacklo_epi8(even, odd);
    *high = _mm_unpackhi_epi8(even, odd);
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    const mpx__vu even = _mm_set_epi32(0, -1, 0, -1);
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    v = mpx__or(mpx__and(v, even), _mm_srli_epi64(_mm_andnot_si128(even, v), 8));
    return mpx__or(_mm_move_epi64(v), _mm_slli_si128(_mm_srli_si128(v, 8), 6));
}
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    const mpx__vu even = _mm_set_epi32(0, 0xffffff, 0, 0xffffff);
    v = _mm_unpacklo_epi64(v, _mm_srli_si128(v, 6));
    v = mpx__or(mpx__and(v, even), _mm_andnot_si128(even, _mm_slli_epi64(v, 8)));
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

/* Of signed lanes, of 32 bits and of 16. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return _mm_srai_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return _mm_cmpeq_epi16(a, b); }

/* The upper halves of two vectors' lanes. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__and(a, _mm_cmpgt_epi32(a, _mm_setzero_si128()));
}
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__and(a, _mm_cmpgt_epi8(a, _mm_setzero_si128()));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return mpx__and(mpx__or(a, _mm_srai_epi32(a, 31)), mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm_sub_epi16(a, _mm_subs_epu16(a, mpx__set(0x7fff7fffu)));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], __m128i a) {
    __m128i sign = _mm_cmpgt_epi16(_mm_setzero_si128(), a);
    v[0] = _mm_unpacklo_epi16(a, sign);
    v[1] = _mm_unpackhi_epi16(a, sign);
}
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], __m128i a) {
    v[0] = _mm_unpacklo_epi16(a, _mm_setzero_si128());
    v[1] = _mm_unpackhi_epi16(a, _mm_setzero_si128());
}
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    __m128i a = mpx__load32(p), sign = _mm_cmpgt_epi8(_mm_setzero_si128(), a);
    mpx__unpack_signed16(v, _mm_unpacklo_epi8(a, sign));
    mpx__unpack_signed16(v + 2, _mm_unpackhi_epi8(a, sign));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    __m128i a = mpx__load32(p), zero = _mm_setzero_si128();
    mpx__unpack_unsigned16(v, _mm_unpacklo_epi8(a, zero));
    mpx__unpack_unsigned16(v + 2, _mm_unpackhi_epi8(a, zero));
}

MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    __m128i a = mpx__load32(p), sign = _mm_cmpgt_epi8(_mm_setzero_si128(), a);
    v[0] = _mm_unpacklo_epi8(a, sign);
    v[1] = _mm_unpackhi_epi8(a, sign);
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    __m128i a = mpx__load32(p);
    v[0] = _mm_unpacklo_epi8(a, _mm_setzero_si128());
    v[1] = _mm_unpackhi_epi8(a, _mm_setzero_si128());
}

/* f32 truncated; NaN and what does not fit become -2^31 (in other files they may saturate, NaN to
   0). */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) {
    return _mm_cvttps_epi32(_mm_castsi128_ps(a));
}
/* Integers of 32 bits without a sign, rounded once: their high halves above 2^39, less 2^39 and
   2^23, and their low halves above 2^23: two conversions and a product less. In assembly as above,
   for the order. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fsub(mpx__vu a, mpx__vu b) {
    __asm__("subps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fsub(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_sub_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
#endif
#define MPX__HAS_F32_OF_U32 1
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u32(mpx__vu a) {
    mpx__vu low = mpx__or(mpx__and(a, mpx__set(0xffff)), mpx__set(0x4b000000u)),
            high = mpx__or(mpx__shr(a, 16), mpx__set(0x53000000u));
    high = mpx__fsub(high, mpx__set(0x53000080u));
    return _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(high), _mm_castsi128_ps(low)));
}
/* Two vectors of f64 to one of f32. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm_set1_epi64x((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_movelh_ps(_mm_cvtpd_ps(_mm_castsi128_pd(a)),
                                          _mm_cvtpd_ps(_mm_castsi128_pd(b))));
}
/* And back, exact. */
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    __m128 a = _mm_castsi128_ps(u);
    v[0] = _mm_castpd_si128(_mm_cvtps_pd(a));
    v[1] = _mm_castpd_si128(_mm_cvtps_pd(_mm_movehl_ps(a, a)));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = _mm_castpd_si128(_mm_cvtepi32_pd(a));
    v[1] = _mm_castpd_si128(_mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a)));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    return _mm_unpacklo_epi64(_mm_cvttpd_epi32(_mm_castsi128_pd(a)),
                              _mm_cvttpd_epi32(_mm_castsi128_pd(b)));
}
/* Integers of 64 bits, one by one: half as long again is the best way by vectors (Zen 5). */
#if defined(__x86_64__) || defined(_M_X64)
#define MPX__HAS_FROM_I64 1
MPX__FORCE_INLINE int64_t mpx__i64_at(const unsigned char *p) { return (int64_t)mpx__read64(p); }
MPX__FORCE_INLINE mpx__vu mpx__f64_of_i64_at(const unsigned char *p) {
    __m128d zero = _mm_setzero_pd();
    return _mm_castpd_si128(_mm_unpacklo_pd(_mm_cvtsi64_sd(zero, mpx__i64_at(p)),
                                            _mm_cvtsi64_sd(zero, mpx__i64_at(p + 8))));
}
MPX__FORCE_INLINE __m128 mpx__two_f32_of_i64(const unsigned char *p) {
    __m128 zero = _mm_setzero_ps();
    return _mm_unpacklo_ps(_mm_cvtsi64_ss(zero, mpx__i64_at(p)),
                           _mm_cvtsi64_ss(zero, mpx__i64_at(p + 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i64_at(const unsigned char *p) {
    return _mm_castps_si128(_mm_movelh_ps(mpx__two_f32_of_i64(p), mpx__two_f32_of_i64(p + 16)));
}
#endif
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return _mm_srli_epi64(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xf5);
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    __asm__("addpd {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    return _mm_castpd_si128(_mm_add_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b)));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return _mm_castpd_si128(_mm_mul_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b)));
}
/* In assembly as above. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    __asm__("divpd {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    return _mm_castpd_si128(_mm_div_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b)));
}
#endif

#endif /* MPX_ISA_SSE2 */
