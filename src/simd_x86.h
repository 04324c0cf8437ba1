/*==================================================================*
 * MARK: simd_x86 - what SSE2, AVX2 and AVX-512 have in common
 *   Functions of one instruction, or of few, whose names differ in the width of a vector alone:
 *   with AVX2, MPX__MM(add_epi32) is _mm256_add_epi32.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_SSE2 || MPX_ISA == MPX_ISA_AVX2 || MPX_ISA == MPX_ISA_AVX512
#define MPX__HAS_FLOAT 1
#define MPX__HAS_MXCSR 1
#define MPX__HAS_STREAM 1
#define MPX__HAS_JOIN 1

/* MPX__MM_BITS(and) is _mm256_and_si256, MPX__MM_CAST(ps) is _mm256_castsi256_ps. In assembly,
   MPX__MM_V stands before the name of an instruction, and MPX__MM_AB is its operands a and b, of
   which a becomes the result. */
#if MPX_ISA == MPX_ISA_SSE2
#define MPX__LANES 4
#define MPX__MM(op) _mm_##op
#define MPX__MM_BITS(op) _mm_##op##_si128
#define MPX__MM_CAST(to) _mm_castsi128_##to
#define MPX__MM_V ""
#define MPX__MM_AB " {%1, %0|%0, %1}"
#define MPX__MM_UNORDERED(a, b) _mm_cmpunord_ps(a, b)
typedef __m128i mpx__vu;
typedef __m128 mpx__vf;
typedef __m128d mpx__vd;
#elif MPX_ISA == MPX_ISA_AVX2
#define MPX__LANES 8
#define MPX__MM(op) _mm256_##op
#define MPX__MM_BITS(op) _mm256_##op##_si256
#define MPX__MM_CAST(to) _mm256_castsi256_##to
#define MPX__MM_V "v"
#define MPX__MM_AB " {%1, %0, %0|%0, %0, %1}"
#define MPX__MM_UNORDERED(a, b) _mm256_cmp_ps(a, b, _CMP_UNORD_Q)
typedef __m256i mpx__vu;
typedef __m256 mpx__vf;
typedef __m256d mpx__vd;
#elif MPX_ISA == MPX_ISA_AVX512
#define MPX__LANES 16
#define MPX__MM(op) _mm512_##op
#define MPX__MM_BITS(op) _mm512_##op##_si512
#define MPX__MM_CAST(to) _mm512_castsi512_##to
typedef __m512i mpx__vu;
typedef __m512 mpx__vf;
typedef __m512d mpx__vd;
#endif

/* ---- lanes of 32 bits, and memory ------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return MPX__MM(set1_epi32)((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return MPX__MM_BITS(and)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return MPX__MM_BITS(or)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return MPX__MM_BITS(xor)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return MPX__MM(add_epi32)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return MPX__MM(sub_epi32)(a, b); }
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v) {
    MPX__MM_BITS(stream)((mpx__vu *)p, v);
}
MPX__INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* ---- lanes of 16, of 8 and of 64 bits -------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return MPX__MM(add_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return MPX__MM(sub_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return MPX__MM(max_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return MPX__MM(min_epi16)(a, b); }
/* A sum that saturates; the lower half of a product; per lane of 32 bits, a sum of two products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return MPX__MM(adds_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return MPX__MM(mullo_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return MPX__MM(madd_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return MPX__MM(add_epi8)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return MPX__MM(min_epu8)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return MPX__MM(add_epi64)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return MPX__MM(sub_epi64)(a, b); }

/* ---- floats ---------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return MPX__MM_CAST(ps)(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) { return MPX__MM_BITS(castps)(f); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return MPX__MM_CAST(pd)(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) { return MPX__MM_BITS(castpd)(d); }
#if MPX_COMPUTE
MPX__FORCE_INLINE mpx__vf mpx__fl_add(mpx__vf a, mpx__vf b) { return MPX__MM(add_ps)(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_sub(mpx__vf a, mpx__vf b) { return MPX__MM(sub_ps)(a, b); }
/* a > b ? a : b and a < b ? a : b; b where one of them is NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fl_larger(mpx__vf a, mpx__vf b) { return MPX__MM(max_ps)(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_smaller(mpx__vf a, mpx__vf b) { return MPX__MM(min_ps)(a, b); }
#endif

/* ---- packing and pairing --------------------------------------- */

/* Two vectors to lanes of half the width, saturated: signed to signed, and (pack16) signed to
   unsigned. AVX2 and AVX-512 do it within each 128 bits of the register, and pairing, too:
   mpx__packed_once and _twice restore the order after one or two packings; mpx__to_pair_once and
   _twice prepare for pairings. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return MPX__MM(packs_epi32)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return MPX__MM(packs_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return MPX__MM(packus_epi16)(a, b); }
/* Join lanes to lanes twice as wide: the lower half from a, the upper from b. */
MPX__HALVES_BY(mpx__pair8, mpx__vu, MPX__MM(unpacklo_epi8), MPX__MM(unpackhi_epi8))
MPX__HALVES_BY(mpx__pair16, mpx__vu, MPX__MM(unpacklo_epi16), MPX__MM(unpackhi_epi16))
MPX__HALVES_BY(mpx__pair32, mpx__vu, MPX__MM(unpacklo_epi32), MPX__MM(unpackhi_epi32))
/* The lower and the upper halves of two vectors' lanes of 64 bits, ordered as lanes packed once. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    const mpx__vf x = mpx__vf_of_bits(a), y = mpx__vf_of_bits(b);
    *low = mpx__bits_of_vf(MPX__MM(shuffle_ps)(x, y, 0x88));
    *high = mpx__bits_of_vf(MPX__MM(shuffle_ps)(x, y, 0xdd));
}

/* ---- SSE2 and AVX2 --------------------------------------------- */
#if MPX_ISA != MPX_ISA_AVX512

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return MPX__MM_BITS(loadu)((const mpx__vu *)p);
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { MPX__MM_BITS(storeu)((mpx__vu *)p, v); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return MPX__MM(slli_epi32)(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return MPX__MM(srli_epi32)(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return MPX__MM(srai_epi32)(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return MPX__MM(cmpeq_epi32)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return MPX__MM(cmpgt_epi32)(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return MPX__MM(cmpgt_epi16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return MPX__MM(cmpeq_epi16)(a, b); }
/* Shift lanes of 16 bits right by 1 to 15, by a product; the count is set before the loop. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) {
    return MPX__MM(mulhi_epu16)(a, n);
}
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return MPX__MM(cmpgt_epi8)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return MPX__MM(set1_epi64x)((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return MPX__MM(srli_epi64)(a, n); }
/* i32 to f32; f32 to i32, truncated: NaN and values out of range become -2^31. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return MPX__MM(cvtepi32_ps)(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) { return MPX__MM(cvttps_epi32)(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_nearest_of_vf(mpx__vf a) { return MPX__MM(cvtps_epi32)(a); }
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return MPX__MM(mul_ps)(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return MPX__MM(mul_pd)(a, b); }
/* In assembly: under -ffast-math compilers reorder additions, assume that there is no NaN, and
   approximate quotients and roots. */
#if MPX__GNU
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    __asm__(MPX__MM_V "addpd" MPX__MM_AB : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    __asm__(MPX__MM_V "divps" MPX__MM_AB : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vf mpx__fl_sqrt(mpx__vf a) {
    __asm__(MPX__MM_V "sqrtps %0, %0" : "+x"(a));
    return a;
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    __asm__(MPX__MM_V "divpd" MPX__MM_AB : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    __asm__(MPX__MM_V "cmpunordps" MPX__MM_AB : "+x"(a) : "x"(b));
    return mpx__bits_of_vf(a);
}
#else
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) { return MPX__MM(add_pd)(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) { return MPX__MM(div_ps)(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_sqrt(mpx__vf a) { return MPX__MM(sqrt_ps)(a); }
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) { return MPX__MM(div_pd)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    return mpx__bits_of_vf(MPX__MM_UNORDERED(a, b));
}
#endif
#endif

/* ---- AVX2 and AVX-512 ------------------------------------------ */
#if MPX_ISA != MPX_ISA_SSE2
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_FMA 1
#define MPX__F16_BY_SUMS 0

MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return MPX__MM(mullo_epi32)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return MPX__MM(srlv_epi32)(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return MPX__MM(min_epu32)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return MPX__MM(max_epu32)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return MPX__MM(max_epu16)(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return MPX__MM(min_epu16)(a, mpx__set(0x7fff7fffu));
}
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return MPX__MM(max_epi32)(a, MPX__MM_BITS(setzero)());
}
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return MPX__MM(max_epi8)(a, MPX__MM_BITS(setzero)());
}
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) { return MPX__MM(packus_epi32)(a, b); }
/* Half of a vector, and a quarter, from memory. */
#if MPX_ISA == MPX_ISA_AVX512
MPX__FORCE_INLINE __m256i mpx__half_at(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
MPX__FORCE_INLINE __m128i mpx__quarter_at(const void *p) {
    return _mm_loadu_si128((const __m128i *)p);
}
#else
MPX__FORCE_INLINE __m128i mpx__half_at(const void *p) {
    return _mm_loadu_si128((const __m128i *)p);
}
MPX__FORCE_INLINE __m128i mpx__quarter_at(const void *p) {
    return _mm_loadl_epi64((const __m128i *)p);
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return MPX__MM(cvtepu16_epi32)(mpx__half_at(p));
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return MPX__MM(cvtepu8_epi32)(mpx__quarter_at(p));
}
#define MPX__OWN_LOAD_SIGNED 1
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    v[0] = MPX__MM(cvtepi16_epi32)(mpx__half_at(p));
    v[1] = MPX__MM(cvtepi16_epi32)(mpx__half_at((const unsigned char *)p + 2 * MPX__LANES));
}
/* Bytes extended with their sign to words. */
MPX__FORCE_INLINE mpx__vu mpx__load_signed_words(const void *p) {
    return MPX__MM(cvtepi8_epi16)(mpx__half_at(p));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    v[0] = mpx__load_signed_words(p);
    v[1] = mpx__load_signed_words((const unsigned char *)p + 2 * MPX__LANES);
}
/* The same to lanes. */
MPX__FORCE_INLINE mpx__vu mpx__load_signed_bytes(const void *p) {
    return MPX__MM(cvtepi8_epi32)(mpx__quarter_at(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    v[0] = mpx__load_signed_bytes(s);
    v[1] = mpx__load_signed_bytes(s + MPX__LANES);
    v[2] = mpx__load_signed_bytes(s + 2 * MPX__LANES);
    v[3] = mpx__load_signed_bytes(s + 3 * MPX__LANES);
}
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    v[0] = MPX__MM(cvtepi32_pd)(mpx__half_at(p));
    v[1] = MPX__MM(cvtepi32_pd)(mpx__half_at((const unsigned char *)p + 2 * MPX__LANES));
}
/* Tables of 16 bytes. The entry of each byte; _or_zero gives 0 for bytes from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return MPX__MM(shuffle_epi8)(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return MPX__MM(shuffle_epi8)(table, mpx__add8(i, mpx__set(0x70707070u)));
}
/* Maximum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) {
    return mpx__vf_of_bits(MPX__MM(max_epi32)(mpx__bits_of_vf(a), mpx__bits_of_vf(b)));
}
#define MPX__OWN_BYTES_AS_F16 1
#endif

#undef MPX__MM
#undef MPX__MM_BITS
#undef MPX__MM_CAST
#undef MPX__MM_V
#undef MPX__MM_AB
#undef MPX__MM_UNORDERED
#endif /* SSE2, AVX2 or AVX-512 */
