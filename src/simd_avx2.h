/*==========================================================================*
 * MARK: simd_avx2 - the vocabulary, eight lanes                             *
 *   AVX2 with F16C and FMA: x86-64-v3, all of Haswell, Zen and later.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX2
#define MPX__LANES 8
#define MPX__ISA_NAME "avx2"
#define MPX__NATIVE_F16 1
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 1
#define MPX__F16_IN_ENV MPX_KEEP_FLAGS
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 1
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 1
#define MPX__HAS_OWN_ROWS 0

typedef __m256i mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm256_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm256_and_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm256_or_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm256_xor_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm256_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm256_sub_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return _mm256_mullo_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return _mm256_slli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return _mm256_srli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return _mm256_sllv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return _mm256_srlv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return _mm256_min_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return _mm256_max_epu32(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return _mm256_cmpeq_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    mpx__vu top = mpx__set(0x80000000u);
    return _mm256_cmpgt_epi32(mpx__xor(a, top), mpx__xor(b, top));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm256_blendv_epi8(b, a, mask);
}
#define MPX__HAS_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    __m128i x = _mm_max_epu32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xb1)));
}
/* The one instruction that looks across lanes finds the least of 16 bits. */
#define MPX__HAS_LARGEST_HALF 1
MPX__FORCE_INLINE uint32_t mpx__largest_half(mpx__vu a) {
    __m128i x = _mm_max_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_minpos_epu16(_mm_xor_si128(x, _mm_set1_epi32(-1)));
    return ~(uint32_t)_mm_cvtsi128_si32(x) & 0xffffu;
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return !_mm256_testz_si256(a, a); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return _mm256_castps_si256(_mm256_cvtepi32_ps(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
}
/* The first 16 bytes; then zeros. */
#define MPX__HAS_OF_BYTES 1
MPX__FORCE_INLINE mpx__vu mpx__of_bytes(uint64_t low, uint64_t high) {
    return _mm256_set_epi64x(0, 0, (int64_t)high, (int64_t)low);
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
/* Packing works within each half of the register, so the halves are packed against each other. */
MPX__FORCE_INLINE __m128i mpx__words(mpx__vu v) {
    v = mpx__and(v, mpx__set(0xffff));
    return _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    _mm_storeu_si128((__m128i *)p, mpx__words(v));
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    __m128i w = mpx__words(mpx__and(v, mpx__set(0xff)));
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(w, w));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm256_storeu_si256((__m256i *)p, v); }
/* Shuffles work within each half of the register as well. */
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    __m256 a = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)p)),
           b = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)p + 1));
    *low = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xd8);
    *high = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)), 0xd8);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__vu a = _mm256_unpacklo_epi32(low, high), b = _mm256_unpackhi_epi32(low, high);
    _mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)p + 1, _mm256_permute2x128_si256(a, b, 0x31));
}

/* A constant that stays in its register: gcc makes it anew in each round of a loop that calls
   something, of three instructions. */
MPX__FORCE_INLINE mpx__vu mpx__kept(mpx__vu constant) {
    MPX__KEEP_VALUE(constant);
    return constant;
}

/* F16C: five times the codec. Both keep subnormals and NaN payloads whatever MXCSR says, but raise
   flags. */
MPX__DECODER(mpx__dec_f16) {
    return _mm256_castps_si256(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}
MPX__ENCODER(mpx__enc_f16) {
    _mm_storeu_si128((__m128i *)p,
                     _mm256_cvtps_ph(_mm256_castsi256_ps(u), _MM_FROUND_TO_NEAREST_INT));
}
/* 32 codes of e5m2, the upper bytes of f16. NaN is made quiet first, and so raises nothing. */
MPX__FORCE_INLINE void mpx__two_of_e5m2(mpx__vu v[2], __m128i codes) {
    __m128i zero = _mm_setzero_si128();
    v[0] = _mm256_castps_si256(_mm256_cvtph_ps(_mm_unpacklo_epi8(zero, codes)));
    v[1] = _mm256_castps_si256(_mm256_cvtph_ps(_mm_unpackhi_epi8(zero, codes)));
}
MPX__FORCE_INLINE void mpx__load_e5m2(mpx__vu v[4], const void *p) {
    mpx__vu codes = mpx__load32(p), magnitude = mpx__and(codes, mpx__set(0x7f7f7f7fu));
    mpx__vu nan = _mm256_cmpgt_epi8(magnitude, mpx__set(0x7c7c7c7cu));
    codes = mpx__or(codes, mpx__and(nan, mpx__set(0x02020202u)));
    mpx__two_of_e5m2(v, _mm256_castsi256_si128(codes));
    mpx__two_of_e5m2(v + 2, _mm256_extracti128_si256(codes, 1));
}
/* 16 codes with an exponent of at most four bits and m of a mantissa, not Inf or NaN, as f16 with
   the same fields. */
#define MPX__HAS_BYTES_AS_F16 1
MPX__FORCE_INLINE void mpx__load_bytes_as_f16(mpx__vu v[2], const void *p, int m) {
    const uint32_t fields = 0x8000u | 0x7fu << (10 - m);
    mpx__vu words = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
    words = mpx__and(_mm256_slli_epi16(words, 10 - m), mpx__kept(mpx__set(fields * 0x10001u)));
    v[0] = _mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(words)));
    v[1] = _mm256_castps_si256(_mm256_cvtph_ps(_mm256_extracti128_si256(words, 1)));
}

/* Two vectors to one. */
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    __m128i low = _mm256_cvtps_ph(_mm256_castsi256_ps(a), _MM_FROUND_TO_NEAREST_INT),
            high = _mm256_cvtps_ph(_mm256_castsi256_ps(b), _MM_FROUND_TO_NEAREST_INT);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Float products and quotients, in the modes of mpx__env_enter. The division in assembly: under
   -ffast-math compilers make an approximation of the intrinsic. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    __asm__("vdivps {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(by->value));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    return _mm256_castps_si256(
        _mm256_div_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(by->value)));
}
#endif
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return _mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                                               _mm256_castsi256_ps(c)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) { return _mm256_max_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) { return _mm256_min_epi32(a, b); }

/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm256_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm256_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return _mm256_max_epu16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm256_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm256_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi16(a, b); }
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm256_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm256_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm256_madd_epi16(a, b); }
/* Lanes of 16 to the right by a count from 1 to 15, known early: as products. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm256_mulhi_epu16(a, n); }
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set(1u << 16 | 1u << n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return mpx__dot16s(mpx__and(a, mpx__set(0xffff0000u | mask)), w);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm256_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm256_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi8(a, b); }

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. Packing
   works within each half of the register, so what has been packed once or twice is put in order at
   the end. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm256_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm256_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm256_packus_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return _mm256_permute4x64_epi64(a, 0xd8); }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) {
    const mpx__vu by_turns = _mm256_broadcastsi128_si256(
        _mm_set_epi8(15, 14, 7, 6, 13, 12, 5, 4, 11, 10, 3, 2, 9, 8, 1, 0));
    return _mm256_shuffle_epi8(mpx__packed_once(a), by_turns);
}
/* From signed to unsigned, of lanes of 32 bits: one instruction; others have it from mpx__pack32s,
   in seven. */
#define MPX__HAS_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) { return _mm256_packus_epi32(a, b); }
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__pack16s(mpx__pack32s(a, b), mpx__pack32s(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. That works
   within each half of the register: what will be paired once or twice is put in order before. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm256_permute4x64_epi64(a, 0xd8);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
}
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm256_unpacklo_epi8(a, b);
    *high = _mm256_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm256_unpacklo_epi16(a, b);
    *high = _mm256_unpackhi_epi16(a, b);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm256_unpacklo_epi32(a, b);
    *high = _mm256_unpackhi_epi32(a, b);
}
/* The halves of two vectors' lanes of 64, as if packed once. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
    *low = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88));
    *high = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd));
}
/* A table of 16 bytes; its entry for each byte, which is below 16; zero where one from 16 to 127
   is. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return _mm256_shuffle_epi8(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return _mm256_shuffle_epi8(table, _mm256_add_epi8(i, mpx__set(0x70707070u)));
}

/* Lanes with a NaN in one or the other, none of them signalling. In assembly: under -ffast-math
   compilers take for granted that there is none. */
#define MPX__HAS_QUIET_NAN 1
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    __asm__("vcmpunordps {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    __m256 nan = _mm256_cmp_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_UNORD_Q);
    return _mm256_castps_si256(nan);
}
#endif

/* Past the caches or not. */
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    if (stream)
        _mm256_stream_si256((__m256i *)p, v);
    else
        mpx__store32(p, v);
}
/* What went past them is in order with other threads' reads after the fence only. */
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 32 codes, 24 bytes;
   each half of the register has 12 of them. */
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    mpx__vu weights = mpx__set(0x10011001u);
    a = _mm256_packus_epi16(_mm256_maddubs_epi16(a, weights), _mm256_maddubs_epi16(b, weights));
    return mpx__packed_once(a);
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu four = mpx__set(0x0f0f0f0fu), even, odd;
    a = _mm256_permute4x64_epi64(a, 0xd8);
    even = mpx__and(a, four), odd = mpx__and(mpx__shr(a, 4), four);
    *low = _mm256_unpacklo_epi8(even, odd);
    *high = _mm256_unpackhi_epi8(even, odd);
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    const mpx__vu three_of_four = _mm256_broadcastsi128_si256(
        _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
    v = _mm256_maddubs_epi16(v, mpx__set(0x40014001u));
    v = _mm256_shuffle_epi8(mpx__dot16s(v, mpx__set(0x10000001u)), three_of_four);
    return _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(7, 3, 6, 5, 4, 2, 1, 0));
}
/* Words with two codes each, from bit 0 and from bit 4 on: the former are moved to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    const mpx__vu overlapping = _mm256_broadcastsi128_si256(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    v = _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(6, 5, 4, 3, 3, 2, 1, 0));
    v = mpx__mul16(_mm256_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(mpx__shr(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(mpx__shr(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

/* Of signed lanes, of 32 bits and of 16. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return _mm256_srai_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return _mm256_cmpeq_epi16(a, b); }

/* The upper halves of two vectors' lanes: in order, and by turns; the lower ones. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
}
#define MPX__HAS_UPPER_WORDS 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(mpx__shr(a, 16), b, 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(a, mpx__shl(b, 16), 0xaa);
}
/* The same of two vectors in memory: loads of one word further on, or back, instead of shifts. */
#define MPX__HAS_WORDS_AT 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p + 2), mpx__load32(p + 32), 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p), mpx__load32(p + 30), 0xaa);
}
/* Two vectors to one of bf16, to nearest even: one more where the lower half is above a half, or is
   one and the upper half odd; if it is even, the lower half less one tells, but not less than zero.
   In words, and in those from memory, f32 to bf16 takes 2/3 of the time (Zen 3). */
MPX__FORCE_INLINE mpx__vu mpx__bf16_of_words(mpx__vu upper, mpx__vu lower) {
    const mpx__vu one = mpx__kept(mpx__set(0x10001u)),
                  one_then_other = mpx__kept(_mm256_broadcastsi128_si256(_mm_set_epi8(
                      15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0)));
    mpx__vu up = _mm256_subs_epu16(lower, _mm256_andnot_si256(upper, one)); /* where negative */
    upper = _mm256_sub_epi16(upper, mpx__gt16s(mpx__set(0), up));
    return mpx__packed_once(_mm256_shuffle_epi8(upper, one_then_other));
}
#define MPX__HAS_BF16_PAIR 1
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__bf16_of_words(mpx__upper_words(a, b), mpx__lower_words(a, b));
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return _mm256_max_epi32(a, _mm256_setzero_si256());
}
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return _mm256_max_epi8(a, _mm256_setzero_si256());
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) { return mpx__min(a, mpx__set(0x7fffffffu)); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm256_min_epu16(a, mpx__set(0x7fff7fffu));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    v[0] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
    v[1] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p + 1));
}
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    a = mpx__to_pair_once(a);
    mpx__pair16(a, _mm256_cmpgt_epi16(_mm256_setzero_si256(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], mpx__vu a) {
    mpx__pair16(mpx__to_pair_once(a), _mm256_setzero_si256(), v, v + 1);
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE mpx__vu mpx__load_signed8_one(const unsigned char *p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    v[0] = mpx__load_signed8_one(s);
    v[1] = mpx__load_signed8_one(s + 8);
    v[2] = mpx__load_signed8_one(s + 16);
    v[3] = mpx__load_signed8_one(s + 24);
}
/* Sixteen bytes, in both halves of the register, as lanes of 32: half the loads. */
MPX__FORCE_INLINE mpx__vu mpx__sixteen_at(const unsigned char *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p));
}
MPX__FORCE_INLINE void mpx__unpack_sixteen(mpx__vu v[2], mpx__vu a) {
    const mpx__vu first = _mm256_set_epi8(-1, -1, -1, 7, -1, -1, -1, 6, -1, -1, -1, 5, -1, -1, -1,
                                          4, -1, -1, -1, 3, -1, -1, -1, 2, -1, -1, -1, 1, -1, -1,
                                          -1, 0);
    v[0] = _mm256_shuffle_epi8(a, first);
    v[1] = _mm256_shuffle_epi8(a, mpx__add(first, mpx__set(8)));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    mpx__unpack_sixteen(v, mpx__sixteen_at(s));
    mpx__unpack_sixteen(v + 2, mpx__sixteen_at(s + 16));
}
#define MPX__HAS_CLIPPED8 1
MPX__FORCE_INLINE void mpx__load_clipped8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    const mpx__vu zero = _mm256_setzero_si256();
    mpx__unpack_sixteen(v, _mm256_max_epi8(mpx__sixteen_at(s), zero));
    mpx__unpack_sixteen(v + 2, _mm256_max_epi8(mpx__sixteen_at(s + 16), zero));
}

MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__to_pair_once(mpx__load32(p));
    mpx__pair8(a, _mm256_cmpgt_epi8(_mm256_setzero_si256(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    mpx__pair8(mpx__to_pair_once(mpx__load32(p)), _mm256_setzero_si256(), v, v + 1);
}

/* f32 truncated; NaN and what does not fit become -2^31 (in other files they may saturate, NaN to
   0). */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) {
    return _mm256_cvttps_epi32(_mm256_castsi256_ps(a));
}
/* Two vectors of f64 to one of f32. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm256_set1_epi64x((int64_t)x); }
MPX__FORCE_INLINE __m128 mpx__half_of_f64(mpx__vu a) {
    return _mm256_cvtpd_ps(_mm256_castsi256_pd(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    return _mm256_castps_si256(_mm256_insertf128_ps(
        _mm256_castps128_ps256(mpx__half_of_f64(a)), mpx__half_of_f64(b), 1));
}
/* One to half of one, stored: to join two takes half as long again, of f16 too (Zen 3). */
#define MPX__HAS_STORE_HALF 1
MPX__FORCE_INLINE void mpx__store_half_of_f64(void *p, mpx__vu a) {
    _mm_storeu_ps((float *)p, mpx__half_of_f64(a));
}
/* And back, exact. */
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    __m256 a = _mm256_castsi256_ps(u);
    v[0] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm256_castps256_ps128(a)));
    v[1] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)));
}
/* From memory: two thirds of the time (Zen 3). */
#define MPX__HAS_WIDENING_LOADS 1
MPX__FORCE_INLINE void mpx__f64_of_f32_at(mpx__vu v[2], const unsigned char *p) {
    const float *f = (const float *)(const void *)p;
    v[0] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm_loadu_ps(f)));
    v[1] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm_loadu_ps(f + 4)));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm256_castsi256_si128(a)));
    v[1] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1)));
}
MPX__FORCE_INLINE void mpx__f64_of_i32_at(mpx__vu v[2], const unsigned char *p) {
    const __m128i *i = (const __m128i *)(const void *)p;
    v[0] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm_loadu_si128(i)));
    v[1] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm_loadu_si128(i + 1)));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    __m128i low = _mm256_cvttpd_epi32(_mm256_castsi256_pd(a)),
            high = _mm256_cvttpd_epi32(_mm256_castsi256_pd(b));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return _mm256_srli_epi64(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm256_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm256_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
}
/* Toward zero: one instruction instead of six. */
#define MPX__HAS_TRUNCATE64 1
MPX__FORCE_INLINE mpx__vu mpx__truncate64(mpx__vu a) {
    __m256d x = _mm256_castsi256_pd(a);
    return _mm256_castpd_si256(_mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    __asm__("vaddpd {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    return _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return _mm256_castpd_si256(_mm256_mul_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
/* In assembly as above. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    mpx__vu q;
    __asm__("vdivpd {%2, %1, %0|%0, %1, %2}" : "=x"(q) : "x"(a), "x"(b));
    return q;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    return _mm256_castpd_si256(_mm256_div_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
#endif

#endif /* MPX_ISA_AVX2 */
