/*==========================================================================*
 * MARK: simd_avx512 - the vocabulary, sixteen lanes                         *
 *   AVX-512 F, BW, VL, DQ: x86-64-v4. A comparison's mask register becomes  *
 *   a vector again (vpmovm2d), so that codecs know one kind of mask.        *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
#define MPX__LANES 16
#define MPX__ISA_NAME "avx512"
#define MPX__NATIVE_F16 1
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 1
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 1
#define MPX__HAS_STREAM 1
#define MPX__HAS_OWN_ROWS 1

typedef __m512i mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm512_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm512_and_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm512_or_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm512_xor_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm512_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm512_sub_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return _mm512_mullo_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return _mm512_sllv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return _mm512_srlv_epi32(a, n); }
/* By a count per lane too: the form with an immediate does not compile without optimisation. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return mpx__shlv(a, mpx__set((uint32_t)n)); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return mpx__shrv(a, mpx__set((uint32_t)n)); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return _mm512_min_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return _mm512_max_epu32(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epu32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}
#define MPX__HAS_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) { return _mm512_reduce_max_epu32(a); }
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return _mm512_test_epi32_mask(a, a) != 0; }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return _mm512_castps_si512(_mm512_cvtepi32_ps(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm512_loadu_si512(p); }
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(v));
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(v));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm512_storeu_si512(p, v); }
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    mpx__vu a = _mm512_loadu_si512(p), b = _mm512_loadu_si512((const unsigned char *)p + 64);
    mpx__vu even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    *low = _mm512_permutex2var_epi32(a, even, b);
    *high = _mm512_permutex2var_epi32(a, mpx__or(even, mpx__set(1)), b);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__vu first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    mpx__vu second = mpx__or(first, mpx__set(8));
    _mm512_storeu_si512(p, _mm512_permutex2var_epi32(low, first, high));
    _mm512_storeu_si512((unsigned char *)p + 64, _mm512_permutex2var_epi32(low, second, high));
}

/* See fast.h. */
#define MPX__FEW_BY_KERNEL 128

/* A call for one element takes 4 ns less than by words, for which a vector load has to wait. */
#define MPX__HAS_STAGE 1
MPX__FORCE_INLINE void mpx__stage(void *in, const void *src, size_t size) {
    const unsigned char *s = (const unsigned char *)src;
    unsigned char *d = (unsigned char *)in;
    __mmask64 low = size < 64 ? ((__mmask64)1 << size) - 1 : ~(__mmask64)0;
    __mmask64 high = size > 64 ? ((__mmask64)1 << (size - 64)) - 1 : 0;
    _mm512_storeu_si512(d, _mm512_maskz_loadu_epi8(low, s));
    _mm512_storeu_si512(d + 64, high != 0 ? _mm512_maskz_loadu_epi8(high, s + 64)
                                          : _mm512_setzero_si512());
}
/* Read as wide as it was written: what is wider waits for the cache. */
MPX__FORCE_INLINE void mpx__unstage(void *dst, const void *out, size_t size, size_t all) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)out;
    __mmask64 low = size < 64 ? ((__mmask64)1 << size) - 1 : ~(__mmask64)0;
    if (all == 16)
        _mm_mask_storeu_epi8(d, (__mmask16)low, _mm_loadu_si128((const __m128i *)out));
    else if (all == 32)
        _mm256_mask_storeu_epi8(d, (__mmask32)low, _mm256_loadu_si256((const __m256i *)out));
    else
        _mm512_mask_storeu_epi8(d, low, _mm512_loadu_si512(s));
    if (all > 64) /* else it never was, but gcc 12 at -O1 does not know */
        if (size > 64)
            _mm512_mask_storeu_epi8(d + 64, ((__mmask64)1 << (size - 64)) - 1,
                                    _mm512_loadu_si512(s + 64));
}

/* Five times the codec. Told to raise no flags: in assembly, as gcc 12 does not pass
   that on. */
#if defined(__GNUC__)
MPX__FORCE_INLINE __m256i mpx__f16_of(mpx__vu u) {
    __m256i h;
    __asm__("vcvtps2ph {$0, %{sae%}, %1, %0|%0, %1, %{sae%}, 0}" : "=v"(h) : "v"(u));
    return h;
}
#else
MPX__FORCE_INLINE __m256i mpx__f16_of(mpx__vu u) {
    return _mm512_cvt_roundps_ph(_mm512_castsi512_ps(u),
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#endif
MPX__DECODER(mpx__dec_f16) {
    return _mm512_castps_si512(
        _mm512_cvt_roundph_ps(_mm256_loadu_si256((const __m256i *)p), _MM_FROUND_NO_EXC));
}
MPX__ENCODER(mpx__enc_f16) { _mm256_storeu_si256((__m256i *)p, mpx__f16_of(u)); }

/* Float instructions here say their rounding themselves and raise no flags: only flushing to zero
   is in their way, MXCSR's bits 0x8040. */
#define MPX__NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
typedef unsigned mpx__env; /* MXCSR, if those bits were set; else 0 */
/* Whether they are set tells a sum of subnormals, which is not 0 only if neither operands nor
   results are flushed: sooner than MXCSR itself. */
#define MPX__HAS_MODES_DIFFER 1
MPX__FORCE_INLINE int mpx__modes_differ(void) {
    MPX__READ_HERE int one = 1;
    __m128 x = _mm_castsi128_ps(_mm_cvtsi32_si128(one));
    MPX__HERE(x);
    x = _mm_add_round_ss(x, x, MPX__NEAREST);
    MPX__HERE(x);
    return _mm_cvtsi128_si32(_mm_castps_si128(x)) == 0;
}
MPX__FORCE_INLINE mpx__env mpx__env_enter(void) {
    mpx__env saved = 0;
    if (mpx__modes_differ()) {
        saved = _mm_getcsr();
        _mm_setcsr(saved & ~0x8040u);
    }
    MPX__KEEP_LOOP();
    return saved;
}
MPX__FORCE_INLINE void mpx__env_leave(mpx__env saved) {
    MPX__KEEP_LOOP();
    if (saved != 0) _mm_setcsr(saved);
}

/* Float products and quotients, between mpx__env_enter and leave. */
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return _mm512_castps_si512(
        _mm512_mul_round_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), MPX__NEAREST));
}

/* See codec.h; by one fma, which mpx__narrow (fast_avx512.h) explains. Inf and NaN come out larger
   than any code, as they should. Calls for few elements, and what rows leave, take half. */
#define MPX__HAS_ROUND_MAGNITUDE 1
MPX__FORCE_INLINE mpx__vu mpx__round_magnitude(mpx__vu a, int man_bits, int bias) {
    mpx__vu unit = mpx__set((uint32_t)(127 + man_bits - 23) << 23);
    mpx__vu least = mpx__set((uint32_t)(128 - bias) << 23), s;
    s = _mm512_castps_si512(_mm512_fmadd_round_ps(
        _mm512_castsi512_ps(a), _mm512_castsi512_ps(unit),
        _mm512_castsi512_ps(mpx__max(mpx__and(a, mpx__set(0x7f800000u)), least)), MPX__NEAREST));
    return mpx__sub(mpx__add(mpx__and(s, mpx__set(0xffff)), mpx__shr(s, 23 - man_bits)),
                    mpx__set((uint32_t)(128 - bias) << man_bits));
}

typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    return _mm512_castps_si512(_mm512_div_round_ps(
        _mm512_castsi512_ps(a), _mm512_castsi512_ps(by->value), MPX__NEAREST));
}
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b));
}
/* Two vectors of f64 to one of f32, and back, exact; products and quotients of f64. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm512_set1_epi64((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    __m256 low = _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(a), MPX__NEAREST);
    __m256 high = _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(b), MPX__NEAREST);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_castps_si256(low)),
                              _mm256_castps_si256(high), 1);
}
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    __m256 low = _mm256_castsi256_ps(_mm512_castsi512_si256(u));
    __m256 high = _mm256_castsi256_ps(_mm512_extracti64x4_epi64(u, 1));
    v[0] = _mm512_castpd_si512(_mm512_cvt_roundps_pd(low, _MM_FROUND_NO_EXC));
    v[1] = _mm512_castpd_si512(_mm512_cvt_roundps_pd(high, _MM_FROUND_NO_EXC));
}
/* Integers of 32 bits to f64, exact. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = _mm512_castpd_si512(_mm512_cvtepi32_pd(_mm512_castsi512_si256(a)));
    v[1] = _mm512_castpd_si512(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(a, 1)));
}
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    return _mm512_castpd_si512(
        _mm512_add_round_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), MPX__NEAREST));
}
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return _mm512_castpd_si512(
        _mm512_mul_round_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), MPX__NEAREST));
}
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    return _mm512_castpd_si512(
        _mm512_div_round_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), MPX__NEAREST));
}
/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm512_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return _mm512_max_epu16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm512_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm512_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b));
}
/* A sum that saturates, and the lower half of a product. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm512_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm512_mullo_epi16(a, b); }
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm512_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi8(_mm512_cmpgt_epi8_mask(a, b));
}

/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}
/* Pairs of lanes of 8 or 16, the lower half of each from a: as one twice as wide. That works
   within quarters of the register: what will be paired once or twice is put in order before. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) {
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), a);
}
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi8(a, b);
    *high = _mm512_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi16(a, b);
    *high = _mm512_unpackhi_epi16(a, b);
}
/* A table of 16 bytes; its entry for each byte, which is below 16; zero where one from 16 to 127
   is. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return _mm512_shuffle_epi8(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return _mm512_shuffle_epi8(table, _mm512_add_epi8(i, mpx__set(0x70707070u)));
}

/* Past the caches or not. */
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    if (stream)
        _mm512_stream_si512((__m512i *)p, v);
    else
        mpx__store32(p, v);
}
/* What went past them is in order with other threads' reads after the fence only. */
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 64 codes, 48 bytes. */
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    mpx__vu weights = mpx__set(0x10011001u);
    a = _mm512_packus_epi16(_mm512_maddubs_epi16(a, weights), _mm512_maddubs_epi16(b, weights));
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu four = mpx__set(0x0f0f0f0fu), even, odd;
    a = _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
    even = mpx__and(a, four), odd = mpx__and(_mm512_srli_epi16(a, 4), four);
    *low = _mm512_unpacklo_epi8(even, odd);
    *high = _mm512_unpackhi_epi8(even, odd);
}
/* Three of four bytes: by one permutation, or within quarters of the register, then those. */
#ifdef __AVX512VBMI__
MPX__FORCE_INLINE mpx__vu mpx__three_of_four(mpx__vu v) {
    return _mm512_permutexvar_epi8(
        _mm512_set_epi32(0, 0, 0, 0, 0x3e3d3c3a, 0x39383635, 0x34323130, 0x2e2d2c2a, 0x29282625,
                         0x24222120, 0x1e1d1c1a, 0x19181615, 0x14121110, 0x0e0d0c0a, 0x09080605,
                         0x04020100),
        v);
}
#else
MPX__FORCE_INLINE mpx__vu mpx__three_of_four(mpx__vu v) {
    const mpx__vu within = _mm512_broadcast_i32x4(
        _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0),
        _mm512_shuffle_epi8(v, within));
}
#endif
/* By way of lanes of 24 bits. */
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    v = _mm512_maddubs_epi16(v, mpx__set(0x40014001u));
    return mpx__three_of_four(_mm512_madd_epi16(v, mpx__set(0x10000001u)));
}
/* Words with two codes each, from bit 0 and from bit 4 on: the former are moved to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    const mpx__vu overlapping = _mm512_broadcast_i32x4(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    v = _mm512_permutexvar_epi32(
        _mm512_set_epi32(12, 11, 10, 9, 9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0), v);
    v = _mm512_mullo_epi16(_mm512_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(_mm512_srli_epi16(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(_mm512_srli_epi16(v, 2), mpx__set(0x3f003f00u)));
}

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
