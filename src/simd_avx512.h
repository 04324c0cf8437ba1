/*==================================================================*
 * MARK: simd_avx512 - the vocabulary, sixteen lanes
 *   AVX-512 F, BW, VL, DQ: x86-64-v4. A comparison gives a mask register, which is turned into a
 *   vector again (vpmovm2d), so that other rooms know only one kind of mask.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
#define MPX__ISA_NAME "avx512"
/* The conversions of f16 ignore flush-to-zero where it would matter. Narrowing to a byte gives the
   same result if subnormal f32 are flushed. */
#define MPX__TO_F16_ENV MPX__ENV_ANY
#define MPX__F8_ENV MPX__ENV_ANY

/* ---- lanes of 32 bits ------------------------------------------ */

/* Shifts by a count for each lane: shifts by an immediate do not compile without optimisation. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) {
    return _mm512_sllv_epi32(a, _mm512_set1_epi32(n));
}
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) {
    return _mm512_srlv_epi32(a, _mm512_set1_epi32(n));
}
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) {
    return _mm512_srav_epi32(a, _mm512_set1_epi32(n));
}
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epu32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return _mm512_test_epi32_mask(a, a) != 0; }
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) { return _mm512_reduce_max_epu32(a); }

/* ---- memory ---------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm512_loadu_si512(p); }
#define MPX__OWN_WIDER_LOADS 1 /* four take less time than two and pairings */
#define MPX__OWN_LOAD_FIRST 1
MPX__FORCE_INLINE mpx__vu mpx__load_first(const unsigned char *p, size_t n) {
    return _mm512_maskz_loadu_epi8(((uint64_t)1 << n) - 1u, p);
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm512_storeu_si512(p, v); }

/* ---- lanes of 16, of 8 and of 64 bits -------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b));
}
#define MPX__OWN_ANY_GT 1
MPX__FORCE_INLINE int mpx__any_gt_signed(mpx__vu a, mpx__vu b) {
    return _mm512_cmpgt_epi32_mask(a, b) != 0;
}
MPX__FORCE_INLINE int mpx__any_gt16s(mpx__vu a, mpx__vu b) {
    return _mm512_cmpgt_epi16_mask(a, b) != 0;
}
MPX__FORCE_INLINE int mpx__any_gt8s(mpx__vu a, mpx__vu b) {
    return _mm512_cmpgt_epi8_mask(a, b) != 0;
}
/* In place of comparisons with all four vectors of a block, see ints.h. */
MPX__FORCE_INLINE int mpx__is_beyond_i32(const mpx__vu v[4]) {
    mpx__vu a = _mm512_min_epi32(v[0], v[1]), b = _mm512_min_epi32(v[2], v[3]);
    return _mm512_cmpeq_epi32_mask(_mm512_min_epi32(a, b), mpx__set(0x80000000u)) != 0;
}
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi16(_mm512_cmpeq_epi16_mask(a, b));
}
/* Shift lanes of 16 bits right by a count that is set before the loop. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return _mm512_set1_epi16((short)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm512_srlv_epi16(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shl16(mpx__vu a, int n) {
    return _mm512_sllv_epi16(a, _mm512_set1_epi16((short)n));
}
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi8(_mm512_cmpgt_epi8_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm512_set1_epi64((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) {
    return _mm512_srlv_epi64(a, _mm512_set1_epi64(n));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) { return _mm512_srai_epi64(a, 63); }

/* ---- packing and pairing --------------------------------------- */

/* See simd_x86.h. */
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) {
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return mpx__packed_twice(a); }
/* The upper halves of two vectors' lanes, in order, by one permutation. */
#define MPX__OWN_JOIN_UPPER16 1
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    const mpx__vu odd = _mm512_set_epi32(
        0x3f003d, 0x3b0039, 0x370035, 0x330031, 0x2f002d, 0x2b0029, 0x270025, 0x230021, 0x1f001d,
        0x1b0019, 0x170015, 0x130011, 0xf000d, 0xb0009, 0x70005, 0x30001);
    return _mm512_permutex2var_epi16(a, odd, b);
}
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm512_broadcast_i32x4(mpx__quarter_at(p));
}

#ifdef __AVX512VBMI__
#define MPX__OWN_ENTRIES_64 1
/* A table of 64 bytes; the entry of each byte, without its two highest bits. */
MPX__FORCE_INLINE mpx__vu mpx__entries_64(mpx__vu table, mpx__vu i) {
    return _mm512_permutexvar_epi8(i, table);
}
/* A table of 128 bytes in two vectors; the entry of each byte, without its highest bit. */
#define MPX__OWN_ENTRIES_128 1
MPX__FORCE_INLINE mpx__vu mpx__entries_128(mpx__vu low, mpx__vu high, mpx__vu i) {
    return _mm512_permutex2var_epi8(low, i, high);
}
/* Words without signs: a - b, or 0. */
MPX__FORCE_INLINE mpx__vu mpx__less16(mpx__vu a, mpx__vu b) { return _mm512_subs_epu16(a, b); }
/* One more where byte a is above byte b, without signs. */
MPX__FORCE_INLINE mpx__vu mpx__one_more_if_gt8(mpx__vu code, mpx__vu a, mpx__vu b) {
    return _mm512_mask_sub_epi8(code, _mm512_cmpgt_epu8_mask(a, b), code, mpx__set(~0u));
}
#endif

/* Codes of four and of six bits, one in a byte, to packed ones and back. 64 codes of six bits are
   48 bytes; each quarter of the register has 12 of them. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = _mm512_maddubs_epi16(codes, mpx__set(0x10011001u));
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi16_epi8(codes));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    mpx__vu two = _mm512_cvtepu8_epi16(mpx__half_at(p));
    return mpx__and(mpx__or(two, mpx__shl(two, 4)), mpx__set(0x0f0f0f0fu));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    const mpx__vu three_of_four = _mm512_broadcast_i32x4(
        _mm_set_epi32(-1, 0x0e0d0c0a, 0x09080605, 0x04020100));
    v = _mm512_maddubs_epi16(v, mpx__set(0x40014001u));
    v = _mm512_shuffle_epi8(mpx__dot16s(v, mpx__set(0x10000001u)), three_of_four);
    v = _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0), v);
    _mm256_storeu_si256((__m256i *)p, _mm512_castsi512_si256(v));
    _mm_storeu_si128((__m128i *)p + 2, _mm512_extracti32x4_epi32(v, 2));
}
/* A word of 16 bits has two codes, from bit 0 on in even words, from bit 4 on in odd words. A
   product moves the codes of even words to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const mpx__vu overlapping = _mm512_broadcast_i32x4(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    mpx__vu v = _mm512_permutexvar_epi32(
        _mm512_set_epi32(12, 11, 10, 9, 9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0),
        _mm512_maskz_loadu_epi32(0xfff, p));
    v = mpx__mul16(_mm512_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(mpx__shr(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(mpx__shr(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------- */

#define MPX__OWN_LOAD_UNSIGNED8 1
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    v[0] = mpx__load8(s);
    v[1] = mpx__load8(s + 16);
    v[2] = mpx__load8(s + 32);
    v[3] = mpx__load8(s + 48);
}

/* ---- the floating-point environment ---------------------------- */

/* Float instructions of casts name their rounding and raise no flags. Only flush-to-zero can change
   a result: the bits 0x8040 of MXCSR. A sum of subnormals tells whether they are set, faster than
   MXCSR itself: it is 0 if operands or results are flushed. Compute has sums without a rounding. */
#define MPX__NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define MPX__OWN_ENV 1
MPX__PRIVATE int mpx__env_serves(int env) {
    MPX__READ_HERE int one = 1;
    __m128 x = _mm_castsi128_ps(_mm_cvtsi32_si128(one));
    MPX__FP_BARRIER(x);
    if (env == MPX__ENV_PLAIN) return !MPX_KEEP_FLAGS && (_mm_getcsr() & 0xe040u) == 0;
    x = _mm_add_round_ss(x, x, MPX__NEAREST);
    MPX__FP_BARRIER(x);
    return _mm_cvtsi128_si32(_mm_castps_si128(x)) != 0;
}
MPX__PRIVATE mpx__env mpx__env_enter(int env) {
    unsigned saved;
    if (env == MPX__ENV_ANY || mpx__env_serves(env)) return 0;
    saved = _mm_getcsr();
    _mm_setcsr((saved & ~0xe040u) | 0x1f80u);
    MPX__BARRIER();
    return saved | (mpx__env)1 << 32;
}

/* ---- floats ---------------------------------------------------- */

/* Compilers do not know what operations with a named rounding do, and leave them alone under
   -ffast-math. */
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) {
    return _mm512_mul_round_ps(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return _mm512_fmadd_round_ps(a, b, c, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    return _mm512_div_round_ps(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    return _mm512_add_round_pd(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) {
    return _mm512_mul_round_pd(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    return _mm512_div_round_pd(a, b, MPX__NEAREST);
}
/* By class: clang lets float comparisons raise flags, and -ffast-math drops them. */
MPX__FORCE_INLINE __mmask16 mpx__nan_mask(mpx__vu u) {
    return _mm512_fpclass_ps_mask(mpx__vf_of_bits(u), 0x81);
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    return _mm512_movm_epi32((__mmask16)(mpx__nan_mask(mpx__bits_of_vf(a)) |
                                         mpx__nan_mask(mpx__bits_of_vf(b))));
}

/* i32 to f32; f32 to i32, truncated: NaN and values out of range become -2^31. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) {
    return _mm512_cvt_roundepi32_ps(a, MPX__NEAREST);
}
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) {
    return _mm512_cvt_roundepu32_ps(a, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) {
    return _mm512_cvtt_roundps_epi32(a, _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE mpx__vu mpx__i32_nearest_of_vf(mpx__vf a) {
    return _mm512_cvt_roundps_epi32(a, MPX__NEAREST);
}
/* One vector of f32, or of i32, and two of f64. */
MPX__FORCE_INLINE mpx__vu mpx__of_halves(__m256i low, __m256i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
MPX__FORCE_INLINE __m256 mpx__half_of_vd(mpx__vd a) {
    return _mm512_cvt_roundpd_ps(a, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__vd_of_half(__m256i a) {
    return _mm512_cvt_roundps_pd(_mm256_castsi256_ps(a), _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return mpx__vf_of_bits(mpx__of_halves(_mm256_castps_si256(mpx__half_of_vd(a)),
                                          _mm256_castps_si256(mpx__half_of_vd(b))));
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    mpx__vu u = mpx__bits_of_vf(a);
    v[0] = mpx__vd_of_half(_mm512_castsi512_si256(u));
    v[1] = mpx__vd_of_half(_mm512_extracti64x4_epi64(u, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return mpx__of_halves(_mm512_cvtt_roundpd_epi32(a, _MM_FROUND_NO_EXC),
                          _mm512_cvtt_roundpd_epi32(b, _MM_FROUND_NO_EXC));
}
/* In memory: no vector is joined or split. */
#define MPX__OWN_HALVES 1
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    _mm256_storeu_ps((float *)p, mpx__half_of_vd(a));
    _mm256_storeu_ps((float *)p + 8, mpx__half_of_vd(b));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    v[0] = mpx__vd_of_half(mpx__half_at(p));
    v[1] = mpx__vd_of_half(mpx__half_at((const unsigned char *)p + 32));
}
/* Integers of 64 bits. */
#define MPX__OWN_F64_OF_64 1
MPX__FORCE_INLINE mpx__vd mpx__vd_of_i64(mpx__vu x) {
    return _mm512_cvt_roundepi64_pd(x, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__vd_of_u64(mpx__vu x) {
    return _mm512_cvt_roundepu64_pd(x, MPX__NEAREST);
}

#define MPX__OWN_F32_OF_64 1
MPX__FORCE_INLINE mpx__vu mpx__f32_of_64(const unsigned char *s, int is_signed) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + 64);
    __m256 low = is_signed ? _mm512_cvt_roundepi64_ps(a, MPX__NEAREST)
                           : _mm512_cvt_roundepu64_ps(a, MPX__NEAREST),
           high = is_signed ? _mm512_cvt_roundepi64_ps(b, MPX__NEAREST)
                            : _mm512_cvt_roundepu64_ps(b, MPX__NEAREST);
    return mpx__of_halves(_mm256_castps_si256(low), _mm256_castps_si256(high));
}
/* Truncated. For values that are too large the instruction gives all ones in unsigned lanes, which
   is right, and the least number in signed lanes, which is right only below 0. NaN becomes 0.
   Integers are compared: see mpx__nan_mask. */
#define MPX__OWN_64_OF_F64 1
MPX__FORCE_INLINE mpx__vu mpx__i64_of_f64(mpx__vu x) {
    const mpx__vu nan = mpx__set64((uint64_t)0x7ff << 53), end = mpx__set64((uint64_t)0x43e << 52);
    __mmask8 number = _mm512_cmple_epu64_mask(_mm512_add_epi64(x, x), nan),
             large = _mm512_mask_cmpge_epi64_mask(number, x, end);
    mpx__vu i = _mm512_maskz_cvtt_roundpd_epi64(number, mpx__vd_of_bits(x), _MM_FROUND_NO_EXC);
    return _mm512_mask_mov_epi64(i, large, mpx__set64(~(uint64_t)0 >> 1));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_f64(mpx__vu x) {
    __mmask8 not_below_0 = _mm512_cmple_epu64_mask(x, mpx__set64((uint64_t)0x7ff << 52));
    return _mm512_maskz_cvtt_roundpd_epu64(not_below_0, mpx__vd_of_bits(x), _MM_FROUND_NO_EXC);
}

/* bf16, if there is an instruction for it. It rounds to nearest and raises no flags, but turns
   subnormal f32 into zero. So if a result is zero, the block is searched for subnormals: only for
   them (u + u) - 1 is below 2^24 - 1. Integer sums, as clang may use float comparisons. */
#ifdef __AVX512BF16__
#define MPX__OWN_BF16_WORDS 1
MPX__FORCE_INLINE mpx__vu mpx__subnormal_key(mpx__vu u) {
    return mpx__sub(mpx__add(u, u), mpx__set(1));
}
MPX__FORCE_INLINE int mpx__has_subnormal(const mpx__vu v[4]) {
    mpx__vu a = mpx__min(mpx__subnormal_key(v[0]), mpx__subnormal_key(v[1])),
            b = mpx__min(mpx__subnormal_key(v[2]), mpx__subnormal_key(v[3]));
    return _mm512_cmplt_epu32_mask(mpx__min(a, b), mpx__set(0xffffffu)) != 0;
}
MPX__FORCE_INLINE void mpx__bf16_words(mpx__vu w[2], const mpx__vu v[4]) {
    w[0] = (__m512i)_mm512_cvtne2ps_pbh(mpx__vf_of_bits(v[1]), mpx__vf_of_bits(v[0]));
    w[1] = (__m512i)_mm512_cvtne2ps_pbh(mpx__vf_of_bits(v[3]), mpx__vf_of_bits(v[2]));
}
MPX__FORCE_INLINE int mpx__loses_subnormal(const mpx__vu v[4]) {
    mpx__vu w[2], least;
    mpx__bf16_words(w, v);
    least = _mm512_min_epu16(mpx__add16(w[0], w[0]), mpx__add16(w[1], w[1]));
    return _mm512_testn_epi16_mask(least, least) != 0 && mpx__has_subnormal(v);
}
#endif

/* f16, without flags. In assembly, because gcc 12 loses that part of the instruction. */
#if MPX__GNU
MPX__FORCE_INLINE __m256i mpx__half_of_f16(mpx__vu u) {
    __m256i h;
    __asm__("vcvtps2ph {$0, %{sae%}, %1, %0|%0, %1, %{sae%}, 0}" : "=v"(h) : "v"(u));
    return h;
}
#else
MPX__FORCE_INLINE __m256i mpx__half_of_f16(mpx__vu u) {
    return _mm512_cvt_roundps_ph(mpx__vf_of_bits(u), MPX__NEAREST);
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__of_f16_half(__m256i h) {
    return mpx__bits_of_vf(_mm512_cvt_roundph_ps(h, _MM_FROUND_NO_EXC));
}
MPX__FORCE_INLINE mpx__vu mpx__load_f16(const void *p) { return mpx__of_f16_half(mpx__half_at(p)); }
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return mpx__of_halves(mpx__half_of_f16(a), mpx__half_of_f16(b));
}
MPX__FORCE_INLINE void mpx__store_f16_pair(void *p, mpx__vu a, mpx__vu b) {
    _mm256_storeu_si256((__m256i *)p, mpx__half_of_f16(a));
    _mm256_storeu_si256((__m256i *)p + 1, mpx__half_of_f16(b));
}
/* Two vectors of f32 from the f16 in words. */
MPX__FORCE_INLINE void mpx__two_of_f16(mpx__vu v[2], mpx__vu words) {
    v[0] = mpx__of_f16_half(_mm512_castsi512_si256(words));
    v[1] = mpx__of_f16_half(_mm512_extracti64x4_epi64(words, 1));
}
/* Codes of e5m2 are the upper halves of f16. NaN raises no flag here, and becomes quiet. */
#define MPX__OWN_LOAD_E5M2 1
MPX__FORCE_INLINE mpx__vu mpx__load_e5m2(const void *p) {
    return mpx__of_f16_half(_mm256_slli_epi16(_mm256_cvtepu8_epi16(mpx__quarter_at(p)), 8));
}

/* ---- floats, for MPX_COMPUTE ----------------------------------- */
#if MPX_COMPUTE

#define MPX__OWN_TILE_ROWS 1
#define MPX__ROWS_IN_FOURS 0 /* measured on a Xeon: one row after the other is faster */
/* See mpx__engine. */
#define MPX__OWN_TURN mpx__turn_words
MPX__FORCE_INLINE void mpx__store_quarters(unsigned char *d, size_t step, __m512i v) {
    _mm_storeu_si128((__m128i *)(void *)d, _mm512_castsi512_si128(v));
    _mm_storeu_si128((__m128i *)(void *)(d + 4 * step), _mm512_extracti32x4_epi32(v, 1));
    _mm_storeu_si128((__m128i *)(void *)(d + 8 * step), _mm512_extracti32x4_epi32(v, 2));
    _mm_storeu_si128((__m128i *)(void *)(d + 12 * step), _mm512_extracti32x4_epi32(v, 3));
}
MPX__NOINLINE void mpx__turn_words(unsigned char *d, size_t step, const unsigned char *s, size_t n) {
    const size_t row = MPX__TURN_ROW;
    size_t i;
    for (i = 0; i < n; i += 16, s += 64, d += 16 * step) {
        const __m512i v = mpx__load32(s), v1 = mpx__load32(s + row), v2 = mpx__load32(s + 2 * row),
                      v3 = mpx__load32(s + 3 * row), low = _mm512_unpacklo_epi32(v, v1),
                      high = _mm512_unpackhi_epi32(v, v1), low2 = _mm512_unpacklo_epi32(v2, v3),
                      high2 = _mm512_unpackhi_epi32(v2, v3);
        mpx__store_quarters(d, step, _mm512_unpacklo_epi64(low, low2));
        mpx__store_quarters(d + step, step, _mm512_unpackhi_epi64(low, low2));
        mpx__store_quarters(d + 2 * step, step, _mm512_unpacklo_epi64(high, high2));
        mpx__store_quarters(d + 3 * step, step, _mm512_unpackhi_epi64(high, high2));
    }
}
/* Powers of two by the instruction that multiplies with 2^n, see float_lanes.h. Where the
   result is 0, it takes 60 times as long (Sapphire Rapids), but not for an n far below. */
#define MPX__OWN_POWER 1
typedef struct mpx__fl_two_n { mpx__vf n; } mpx__fl_two_n;
MPX__FORCE_INLINE mpx__vf mpx__fl_power(mpx__vf x, float by, mpx__fl_two_n *p) {
    const mpx__vf large = _mm512_set1_ps(12582912.0f),
                  n = _mm512_sub_round_ps(mpx__fmul_add(x, _mm512_set1_ps(by), large), large,
                                          MPX__NEAREST);
    p->n = _mm512_mask_mov_ps(
        n, _mm512_cmpgt_epu32_mask(mpx__bits_of_vf(n), mpx__set(0xc3200000u)), /* below -160 */
        _mm512_set1_ps(-16384.0f));
    return n;
}
MPX__FORCE_INLINE mpx__vf mpx__fl_scale(mpx__vf a, mpx__fl_two_n p) {
    return _mm512_scalef_round_ps(a, p.n, MPX__NEAREST);
}
/* By an estimate of 14 bits, and a step of Newton. */
#define MPX__OWN_INVERSE 1
MPX__FORCE_INLINE mpx__vf mpx__fl_inverse(mpx__vf b) {
    const mpx__vf r = _mm512_rcp14_ps(b);
    return mpx__fmul_add(_mm512_fnmadd_round_ps(b, r, _mm512_set1_ps(1), MPX__NEAREST), r, r);
}
/* c + two products in each lane of pairs of bf16: a fused multiply-add for the upper one, then for
   the lower one. Subnormals count as zero, here and in sums. */
#if defined(MPX__DISPATCH_PAIRS) || \
    (MPX_BF16_DOTS && defined(__AVX512BF16__) && MPX__HAS_BF16)
#define MPX__OWN_BF16_DOT(a, b, c) \
    _mm512_dpbf16_ps(c, (__m512bh)mpx__bits_of_vf(mpx__hidden(a)), (__m512bh)mpx__bits_of_vf(b))
/* clang crashes if it sees that all lanes of a are equal. */
MPX__FORCE_INLINE mpx__vf mpx__hidden(mpx__vf a) {
#if defined(__clang__) && __clang_major__ < 18
    __asm__("" : "+v"(a));
#endif
    return a;
}
#if (defined(MPX__DISPATCH_PAIRS) || defined(__AMX_BF16__)) && defined(__linux__) && \
    defined(__x86_64__) && defined(__GNUC__)
#define MPX__OWN_AMX 1
#endif
#endif
MPX__FORCE_INLINE mpx__vf mpx__fl_sqrt(mpx__vf a) {
    return _mm512_sqrt_round_ps(a, MPX__NEAREST);
}
MPX__FORCE_INLINE __m256i mpx__lower256(mpx__vu a) { return _mm512_castsi512_si256(a); }
#define MPX__OWN_FIFTH 1
MPX__FORCE_INLINE mpx__vu mpx__fifth_of_words(uint32_t bits, int j) {
    return (void)j, _mm512_maskz_set1_epi16(bits, 16);
}
#endif

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
/* ---- both AVX2 and AVX-512: blocks of 32 codes, see dots.h ----- */
#if MPX_COMPUTE && (MPX_ISA == MPX_ISA_AVX2 || MPX_ISA == MPX_ISA_AVX512)
#define MPX__OWN_FL_FOLD 1
#if MPX_ISA == MPX_ISA_AVX512
#define MPX__FL_HALF(op, a) \
    _mm256_##op##_ps(_mm512_extractf32x8_ps(a, 1), _mm512_castps512_ps256(a))
#else
#define MPX__FL_HALF(op, a) (a)
#endif
#define MPX__FL_FOLD(name, op) \
    MPX__FORCE_INLINE float name(mpx__vf a) { \
        const __m256 y = MPX__FL_HALF(op, a); \
        __m128 x = _mm_##op##_ps(_mm256_extractf128_ps(y, 1), _mm256_castps256_ps128(y)); \
        x = _mm_##op##_ps(_mm_movehl_ps(x, x), x); \
        return _mm_cvtss_f32(_mm_##op##_ss(_mm_movehdup_ps(x), x)); \
    }
MPX__FL_FOLD(mpx__fl_sum, add)
MPX__FL_FOLD(mpx__fl_largest, max)
#undef MPX__FL_FOLD
#undef MPX__FL_HALF
#define MPX__OWN_BLOCKS 1
typedef __m256i mpx__codes32;
MPX__FORCE_INLINE __m256i mpx__codes_bytes(const unsigned char *s, mpx__vu table) {
    return (void)table, _mm256_loadu_si256((const __m256i *)(const void *)s);
}
MPX__FORCE_INLINE __m256i mpx__codes_halves(const unsigned char *s, mpx__vu table) {
    __m256i v = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s));
    v = _mm256_srlv_epi32(v, _mm256_set_epi32(4, 4, 4, 4, 0, 0, 0, 0));
    return _mm256_shuffle_epi8(mpx__lower256(table), _mm256_and_si256(v, _mm256_set1_epi8(15)));
}
MPX__FORCE_INLINE __m256i mpx__codes_pairs(const unsigned char *s, mpx__vu table) {
    __m256i v = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)s));
    v = _mm256_and_si256(_mm256_or_si256(v, _mm256_slli_epi16(v, 4)), _mm256_set1_epi8(15));
    return _mm256_shuffle_epi8(mpx__lower256(table), v);
}
MPX__FORCE_INLINE void mpx__words_of_codes(mpx__vu w[4], __m256i c) {
#if MPX_ISA == MPX_ISA_AVX512
    w[0] = _mm512_cvtepi8_epi16(c);
#else
    w[0] = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(c));
    w[1] = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(c, 1));
#endif
}
#if MPX_ISA == MPX_ISA_AVX2
/* The even ones, then the odd ones: shifts take less time than two extensions. */
#define MPX__OWN_WORDS_APART 1
MPX__FORCE_INLINE void mpx__words_apart(mpx__vu w[4], __m256i c) {
    w[0] = _mm256_srai_epi16(_mm256_slli_epi16(c, 8), 8);
    w[1] = _mm256_srai_epi16(c, 8);
}
#endif
MPX__FORCE_INLINE mpx__vf mpx__fl_of_f16(const unsigned char *s) {
#if MPX_ISA == MPX_ISA_AVX512
    return _mm512_cvtph_ps(_mm256_set1_epi16((short)mpx__read16(s)));
#else
    return _mm256_cvtph_ps(_mm_set1_epi16((short)mpx__read16(s)));
#endif
}
MPX__FORCE_INLINE void mpx__k_signed8(mpx__vu v[4], uint32_t a, uint32_t b, uint32_t c,
                                      uint32_t d) {
    const __m128i bytes = _mm_setr_epi32((int)a, (int)b, (int)c, (int)d);
#if MPX_ISA == MPX_ISA_AVX512
    v[0] = _mm512_cvtepi8_epi32(bytes);
#else
    v[0] = _mm256_cvtepi8_epi32(bytes);
    v[1] = _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(bytes, bytes));
#endif
}
/* Bits of the codes after the first four: of 64 codes, those of 32 and two bits above these. */
MPX__FORCE_INLINE mpx__vu mpx__k_high(const unsigned char *s) {
    const __m256i v = mpx__codes_bytes(s, mpx__set(0));
#if MPX_ISA == MPX_ISA_AVX512
    const __m512i by = _mm512_set_epi32(2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_srlv_epi32(_mm512_broadcast_i64x4(v), by);
#else
    return v;
#endif
}
/* The scales of a vector of codes: in Q6_K each for 16, else for 32, where 64 are two groups
   apart. */
MPX__FORCE_INLINE mpx__vf mpx__k_scales(const unsigned char *s, int six) {
    const mpx__vf first = mpx__vf_of_bits(mpx__set(mpx__read32(s)));
#if MPX_ISA == MPX_ISA_AVX512
    const __m512i of_16 = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m128i four = _mm_loadu_si128((const __m128i *)(const void *)s);
    return six ? mpx__vf_of_bits(_mm512_permutexvar_epi32(of_16, _mm512_castsi128_si512(four)))
               : _mm512_mask_mov_ps(first, 0xff00, mpx__vf_of_bits(mpx__set(mpx__read32(s + 8))));
#else
    return six ? _mm256_blend_ps(first, mpx__vf_of_bits(mpx__set(mpx__read32(s + 4))), 0xf0) : first;
#endif
}
#endif
