/*==========================================================================*
 * MARK: fast_avx512_int - integers, f32 and f64 to one another, by AVX-512  *
 *   As fast_int, by instructions for each pair. They round as they are      *
 *   told, and raise no flags: no row needs an environment.                  *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* ---- integers to integers -------------------------------------------------------------------- */

/* What is wider than the target, or of another sign, is limited to what both hold: signed lanes
   below and above, unsigned ones above, and, where nothing can be too large, below alone. Then
   every lane is cut in two, or extended. */
typedef __m512i (*mpx__limit_fn)(__m512i v, __m512i low, __m512i high);
#define MPX__LIMITS(bits) \
    MPX__FORCE_INLINE __m512i mpx__limit_i##bits(__m512i v, __m512i low, __m512i high) { \
        return _mm512_min_epi##bits(_mm512_max_epi##bits(v, low), high); \
    } \
    MPX__FORCE_INLINE __m512i mpx__limit_u##bits(__m512i v, __m512i low, __m512i high) { \
        (void)low; \
        return _mm512_min_epu##bits(v, high); \
    } \
    MPX__FORCE_INLINE __m512i mpx__floor_i##bits(__m512i v, __m512i low, __m512i high) { \
        (void)high; \
        return _mm512_max_epi##bits(v, low); \
    }
MPX__LIMITS(8)
MPX__LIMITS(16)
MPX__LIMITS(32)
MPX__LIMITS(64)
#undef MPX__LIMITS

/* One number in every lane of so many bits. */
MPX__FORCE_INLINE __m512i mpx__in_lanes(uint64_t x, int bits) {
    if (bits == 64) return _mm512_set1_epi64((int64_t)x);
    if (bits == 32) return mpx__set((uint32_t)x);
    return bits == 16 ? mpx__set16((int)(uint16_t)x) : mpx__set8((int)(uint8_t)x);
}

/* The limits that source and target have in common, as lanes of the source. */
typedef struct mpx__limits {
    __m512i low, high;
} mpx__limits;
MPX__INLINE int mpx__is_signed(const mpx__row *row) { return row->kind == MPX_KIND_INT; }
MPX__FORCE_INLINE void mpx__limits_set(mpx__limits *k, const mpx__span *span, int bits) {
    const int from_signed = mpx__is_signed(span->from), to_signed = mpx__is_signed(span->to);
    const int value_bits = span->from->bits - from_signed, room = span->to->bits - to_signed;
    const uint64_t high = ~(uint64_t)0 >> (64 - (value_bits < room ? value_bits : room));
    k->low = mpx__in_lanes(to_signed ? ~high : 0, bits);
    k->high = mpx__in_lanes(high, bits);
}

/* The lower halves of the lanes of two vectors. */
MPX__FORCE_INLINE __m512i mpx__halves(__m512i a, __m512i b, int bits) {
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    if (bits == 64) return _mm512_permutex2var_epi32(a, even, b);
    return bits == 32 ? mpx__even_words(a, b) : mpx__even_bytes(a, b);
}
/* From one, two, four or eight vectors, one. */
MPX__FORCE_INLINE __m512i mpx__cut1(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit) {
    return limit(mpx__get64(s), k->low, k->high);
}
MPX__FORCE_INLINE __m512i mpx__cut2(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit, int bits) {
    return mpx__halves(mpx__cut1(s, k, limit), mpx__cut1(s + 64, k, limit), bits);
}
MPX__FORCE_INLINE __m512i mpx__cut4(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit, int bits) {
    return mpx__halves(mpx__cut2(s, k, limit, bits), mpx__cut2(s + 128, k, limit, bits), bits / 2);
}
MPX__FORCE_INLINE __m512i mpx__cut8(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit, int bits, int vectors) {
    if (vectors == 1) return mpx__cut1(s, k, limit);
    if (vectors == 2) return mpx__cut2(s, k, limit, bits);
    if (vectors == 4) return mpx__cut4(s, k, limit, bits);
    return mpx__halves(mpx__cut4(s, k, limit, bits), mpx__cut4(s + 256, k, limit, bits), bits / 4);
}

/* To an integer of as many bits or fewer: one vector of the target at a time. */
MPX__FORCE_INLINE size_t mpx__cut_rows(const mpx__span *span, int bits, int to_bits,
                                       mpx__limit_fn limit) {
    const int vectors = bits / to_bits;
    const size_t one = 512u / (unsigned)to_bits, bytes = 64u * (unsigned)vectors,
                 all = span->n / one;
    const unsigned char *s = span->s, *end = s + all * bytes;
    unsigned char *d = span->d;
    mpx__limits k;
    mpx__limits_set(&k, span, bits);
    if (span->stream) {
        for (; s != end; d += 64, s += bytes) {
            mpx__fetch(s, bytes, 1);
            mpx__store_past(d, mpx__cut8(s, &k, limit, bits, vectors), 1);
        }
        return all * one;
    }
    MPX__UNROLL_FOUR_TIMES
    for (; s != end; d += 64, s += bytes)
        mpx__store32(d, mpx__cut8(s, &k, limit, bits, vectors));
    return all * one;
}

/* From signed ones of 16 and 32 bits: packing limits and cuts at once, in quarters of the register.
   1.8 times mpx__cut_rows. */
MPX__FORCE_INLINE __m512i mpx__pack32(const unsigned char *s, int to_signed) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
    return to_signed ? _mm512_packs_epi32(a, b) : _mm512_packus_epi32(a, b);
}
MPX__FORCE_INLINE __m512i mpx__pack16(__m512i a, __m512i b, int to_signed) {
    return to_signed ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
}
MPX__FORCE_INLINE __m512i mpx__packed_once(__m512i a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}
MPX__FORCE_INLINE __m512i mpx__packed_twice(__m512i a) {
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    return _mm512_permutexvar_epi32(order, a);
}
typedef __m512i (*mpx__pack_fn)(const unsigned char *s, int to_signed);
MPX__FORCE_INLINE __m512i mpx__16_of_i32(const unsigned char *s, int to_signed) {
    return mpx__packed_once(mpx__pack32(s, to_signed));
}
MPX__FORCE_INLINE __m512i mpx__8_of_i32(const unsigned char *s, int to_signed) {
    __m512i a = mpx__pack32(s, 1), b = mpx__pack32(s + 128, 1);
    return mpx__packed_twice(mpx__pack16(a, b, to_signed));
}
MPX__FORCE_INLINE __m512i mpx__8_of_i16(const unsigned char *s, int to_signed) {
    return mpx__packed_once(mpx__pack16(mpx__get64(s), mpx__get64(s + 64), to_signed));
}
MPX__FORCE_INLINE size_t mpx__pack_rows(const mpx__span *span, int bits, int to_bits,
                                        mpx__pack_fn pack, int to_signed) {
    const size_t one = 512u / (unsigned)to_bits, bytes = 64u * (unsigned)(bits / to_bits),
                 all = span->n / one;
    const unsigned char *s = span->s, *end = s + all * bytes;
    unsigned char *d = span->d;
    if (span->stream) {
        for (; s != end; d += 64, s += bytes) {
            mpx__fetch(s, bytes, 1);
            mpx__store_past(d, pack(s, to_signed), 1);
        }
        return all * one;
    }
    MPX__UNROLL_FOUR_TIMES
    for (; s != end; d += 64, s += bytes)
        mpx__store32(d, pack(s, to_signed));
    return all * one;
}

/* As many elements as a vector of the target has. */
typedef __m512i (*mpx__extend_fn)(const unsigned char *s);
#define MPX__EXTEND(from, to, expression) \
    MPX__FORCE_INLINE __m512i mpx__i##from##_to_##to(const unsigned char *s) { \
        return _mm512_cvtepi##from##_epi##to(expression); \
    } \
    MPX__FORCE_INLINE __m512i mpx__u##from##_to_##to(const unsigned char *s) { \
        return _mm512_cvtepu##from##_epi##to(expression); \
    }
#define MPX__GET8 _mm_loadl_epi64((const __m128i *)(const void *)s)
#define MPX__GET16 _mm_loadu_si128((const __m128i *)(const void *)s)
#define MPX__GET32 _mm256_loadu_si256((const __m256i *)(const void *)s)
MPX__EXTEND(8, 16, MPX__GET32)
MPX__EXTEND(8, 32, MPX__GET16)
MPX__EXTEND(8, 64, MPX__GET8)
MPX__EXTEND(16, 32, MPX__GET32)
MPX__EXTEND(16, 64, MPX__GET16)
MPX__EXTEND(32, 64, MPX__GET32)
#undef MPX__EXTEND

MPX__FORCE_INLINE __m512i mpx__limit_none(__m512i v, __m512i low, __m512i high) {
    return (void)low, (void)high, v;
}

/* To an integer of more bits, and none below 0 if the target is unsigned. */
MPX__FORCE_INLINE size_t mpx__extend_rows(const mpx__span *span, int bits, int to_bits,
                                          mpx__extend_fn extend, mpx__limit_fn limit) {
    const size_t quarter = 64u * (unsigned)bits / (unsigned)to_bits,
                 step = 2048u / (unsigned)to_bits;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__limits k;
    mpx__limits_set(&k, span, to_bits);
    for (; n >= step; n -= step, d += 256, s += 4 * quarter) {
        mpx__fetch(s, 4 * quarter, stream);
        mpx__store_past(d, limit(extend(s), k.low, k.high), stream);
        mpx__store_past(d + 64, limit(extend(s + quarter), k.low, k.high), stream);
        mpx__store_past(d + 128, limit(extend(s + 2 * quarter), k.low, k.high), stream);
        mpx__store_past(d + 192, limit(extend(s + 3 * quarter), k.low, k.high), stream);
    }
    for (; n >= step / 4; n -= step / 4, d += 64, s += quarter)
        mpx__store32(d, limit(extend(s), k.low, k.high));
    return span->n - n;
}

/* 64 bits to 32, saturating; eight. */
MPX__FORCE_INLINE __m256i mpx__i32_of_8_i64(const unsigned char *s) {
    return _mm512_cvtsepi64_epi32(mpx__get64(s));
}
MPX__FORCE_INLINE __m256i mpx__u32_of_8_u64(const unsigned char *s) {
    return _mm512_cvtusepi64_epi32(mpx__get64(s));
}

/* Of each size, the pairs with a sign and without. */
#define MPX__CUT_ROWS(bits, to_bits) \
    MPX__NUMBER_ROW(i##bits, i##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_i##bits)) \
    MPX__NUMBER_ROW(i##bits, u##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_i##bits)) \
    MPX__CUT_UNSIGNED(bits, to_bits)
#define MPX__CUT_UNSIGNED(bits, to_bits) \
    MPX__NUMBER_ROW(u##bits, i##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_u##bits)) \
    MPX__NUMBER_ROW(u##bits, u##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_u##bits))
#define MPX__TURN_ROWS(bits) \
    MPX__NUMBER_ROW(i##bits, u##bits, mpx__cut_rows(span, bits, bits, mpx__floor_i##bits)) \
    MPX__NUMBER_ROW(u##bits, i##bits, mpx__cut_rows(span, bits, bits, mpx__limit_u##bits))
#define MPX__PACK_ROWS(name, bits, to_bits) \
    MPX__NUMBER_ROW(name, i##to_bits, \
                    mpx__pack_rows(span, bits, to_bits, mpx__##to_bits##_of_##name, 1)) \
    MPX__NUMBER_ROW(name, u##to_bits, \
                    mpx__pack_rows(span, bits, to_bits, mpx__##to_bits##_of_##name, 0))
#define MPX__EXTEND_ROWS(bits, to_bits) \
    MPX__EXTEND_ROW(i##bits, i##to_bits, bits, to_bits, mpx__limit_none) \
    MPX__EXTEND_ROW(i##bits, u##to_bits, bits, to_bits, mpx__floor_i##to_bits) \
    MPX__EXTEND_ROW(u##bits, i##to_bits, bits, to_bits, mpx__limit_none) \
    MPX__EXTEND_ROW(u##bits, u##to_bits, bits, to_bits, mpx__limit_none)
#define MPX__EXTEND_ROW(from, to, bits, to_bits, limit) \
    MPX__NUMBER_ROW(from, to, \
                    mpx__extend_rows(span, bits, to_bits, mpx__##from##_to_##to_bits, limit))
MPX__TURN_ROWS(8)
MPX__TURN_ROWS(16)
MPX__TURN_ROWS(32)
MPX__TURN_ROWS(64)
MPX__PACK_ROWS(i16, 16, 8)
MPX__PACK_ROWS(i32, 32, 8)
MPX__PACK_ROWS(i32, 32, 16)
MPX__CUT_UNSIGNED(16, 8)
MPX__CUT_UNSIGNED(32, 8)
MPX__CUT_UNSIGNED(32, 16)
MPX__CUT_ROWS(64, 8)
MPX__CUT_ROWS(64, 16)
MPX__NUMBER_ROW(i64, i32, mpx__half_rows(span, mpx__i32_of_8_i64))
MPX__NUMBER_ROW(i64, u32, mpx__cut_rows(span, 64, 32, mpx__limit_i64))
MPX__NUMBER_ROW(u64, i32, mpx__cut_rows(span, 64, 32, mpx__limit_u64))
MPX__NUMBER_ROW(u64, u32, mpx__half_rows(span, mpx__u32_of_8_u64))
MPX__EXTEND_ROWS(8, 16)
MPX__EXTEND_ROWS(8, 32)
MPX__EXTEND_ROWS(8, 64)
MPX__EXTEND_ROWS(16, 32)
MPX__EXTEND_ROWS(16, 64)
MPX__EXTEND_ROWS(32, 64)
#undef MPX__CUT_ROWS
#undef MPX__CUT_UNSIGNED
#undef MPX__TURN_ROWS
#undef MPX__EXTEND_ROWS
#undef MPX__EXTEND_ROW

/* ---- to f64 and f32 -------------------------------------------------------------------------- */

/* Eight elements. Integers of 32 bits and less are exact. */
#define MPX__EIGHT(name, convert, expression) \
    MPX__FORCE_INLINE __m512i name(const void *s) { \
        return _mm512_castpd_si512(convert(expression)); \
    }
#define MPX__CVT_I64(x) _mm512_cvt_roundepi64_pd(x, MPX__NEAREST)
#define MPX__CVT_U64(x) _mm512_cvt_roundepu64_pd(x, MPX__NEAREST)
MPX__EIGHT(mpx__f64_of_8_i8, _mm512_cvtepi32_pd, _mm256_cvtepi8_epi32(MPX__GET8))
MPX__EIGHT(mpx__f64_of_8_u8, _mm512_cvtepi32_pd, _mm256_cvtepu8_epi32(MPX__GET8))
MPX__EIGHT(mpx__f64_of_8_i16, _mm512_cvtepi32_pd, _mm256_cvtepi16_epi32(MPX__GET16))
MPX__EIGHT(mpx__f64_of_8_u16, _mm512_cvtepi32_pd, _mm256_cvtepu16_epi32(MPX__GET16))
MPX__EIGHT(mpx__f64_of_8_i32, _mm512_cvtepi32_pd, MPX__GET32)
MPX__EIGHT(mpx__f64_of_8_u32, _mm512_cvtepu32_pd, MPX__GET32)
MPX__EIGHT(mpx__f64_of_8_i64, MPX__CVT_I64, mpx__get64(s))
MPX__EIGHT(mpx__f64_of_8_u64, MPX__CVT_U64, mpx__get64(s))
#undef MPX__EIGHT
#undef MPX__CVT_I64
#undef MPX__CVT_U64

/* From elements of `size` bytes to 64 bits, 32 at a time. */
MPX__FORCE_INLINE size_t mpx__eights_rows(const mpx__span *span, size_t size, mpx__dec_fn eight) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 256, s += 32 * size)
        mpx__put_four(d, s, 8 * size, eight, stream);
    return span->n - n;
}
MPX__FORCE_INLINE __m256i mpx__f32_of_8_i64(const unsigned char *s) {
    return _mm256_castps_si256(_mm512_cvt_roundepi64_ps(mpx__get64(s), MPX__NEAREST));
}
MPX__FORCE_INLINE __m256i mpx__f32_of_8_u64(const unsigned char *s) {
    return _mm256_castps_si256(_mm512_cvt_roundepu64_ps(mpx__get64(s), MPX__NEAREST));
}
MPX__NUMBER_ROW(i8, f64, mpx__eights_rows(span, 1, mpx__f64_of_8_i8))
MPX__NUMBER_ROW(u8, f64, mpx__eights_rows(span, 1, mpx__f64_of_8_u8))
MPX__NUMBER_ROW(i16, f64, mpx__eights_rows(span, 2, mpx__f64_of_8_i16))
MPX__NUMBER_ROW(u16, f64, mpx__eights_rows(span, 2, mpx__f64_of_8_u16))
MPX__NUMBER_ROW(i32, f64, mpx__eights_rows(span, 4, mpx__f64_of_8_i32))
MPX__NUMBER_ROW(u32, f64, mpx__eights_rows(span, 4, mpx__f64_of_8_u32))
MPX__NUMBER_ROW(i64, f64, mpx__eights_rows(span, 8, mpx__f64_of_8_i64))
MPX__NUMBER_ROW(u64, f64, mpx__eights_rows(span, 8, mpx__f64_of_8_u64))
MPX__NUMBER_ROW(i8, f32, mpx__widen_rows(span, 1, mpx__dec_i8_extended))
MPX__NUMBER_ROW(u8, f32, mpx__widen_rows(span, 1, mpx__dec_u8))
MPX__NUMBER_ROW(i16, f32, mpx__widen_rows(span, 2, mpx__dec_i16_extended))
MPX__NUMBER_ROW(u16, f32, mpx__widen_rows(span, 2, mpx__dec_u16))
MPX__NUMBER_ROW(i32, f32, mpx__widen_rows(span, 4, mpx__dec_i32_nearest))
MPX__NUMBER_ROW(u32, f32, mpx__widen_rows(span, 4, mpx__dec_u32_nearest))
MPX__NUMBER_ROW(i64, f32, mpx__half_rows(span, mpx__f32_of_8_i64))
MPX__NUMBER_ROW(u64, f32, mpx__half_rows(span, mpx__f32_of_8_u64))

/* ---- f64 to integers, truncated -------------------------------------------------------------- */

/* What is too large becomes all ones in unsigned lanes, as it should; and the least number in
   signed ones, which is right below 0 alone. Compared as integers: clang lets float comparisons
   raise flags, and -ffast-math leaves them and maxima out. */
MPX__FORCE_INLINE __mmask8 mpx__not_nan(__m512d x) {
    __m512i u = _mm512_castpd_si512(x);
    return _mm512_cmple_epu64_mask(_mm512_add_epi64(u, u), mpx__set64((uint64_t)0x7ff << 53));
}
/* 0 to Inf. */
MPX__FORCE_INLINE __mmask8 mpx__not_below_0(__m512d x) {
    return _mm512_cmple_epu64_mask(_mm512_castpd_si512(x), mpx__set64((uint64_t)0x7ff << 52));
}
MPX__FORCE_INLINE __m512i mpx__i64_of_8(__m512d x) {
    const __m512i end = mpx__set64((uint64_t)(1023 + 63) << 52);
    __mmask8 number = mpx__not_nan(x);
    __mmask8 large = _mm512_mask_cmpge_epi64_mask(number, _mm512_castpd_si512(x), end);
    __m512i i = _mm512_maskz_cvtt_roundpd_epi64(number, x, _MM_FROUND_NO_EXC);
    return _mm512_mask_mov_epi64(i, large, mpx__set64(~(uint64_t)0 >> 1));
}
MPX__FORCE_INLINE __m512i mpx__u64_of_8(__m512d x) {
    return _mm512_maskz_cvtt_roundpd_epu64(mpx__not_below_0(x), x, _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m512d mpx__8_f64(const void *s) {
    return _mm512_castsi512_pd(mpx__get64(s));
}
MPX__FORCE_INLINE __m256i mpx__i32_of_8_f64(const unsigned char *s) {
    const __m512d largest = _mm512_set1_pd(2147483647);
    __m512d x = mpx__8_f64(s);
    return _mm512_maskz_cvtt_roundpd_epi32(
        mpx__not_nan(x), _mm512_min_round_pd(x, largest, _MM_FROUND_NO_EXC), _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m256i mpx__u32_of_8_f64(const unsigned char *s) {
    __m512d x = mpx__8_f64(s);
    return _mm512_maskz_cvtt_roundpd_epu32(mpx__not_below_0(x), x, _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m512i mpx__i64_of_8_f64(const void *s) {
    return mpx__i64_of_8(mpx__8_f64(s));
}
MPX__FORCE_INLINE __m512i mpx__u64_of_8_f64(const void *s) {
    return mpx__u64_of_8(mpx__8_f64(s));
}
MPX__FORCE_INLINE __m512i mpx__i32_of_16_f64(const unsigned char *s) {
    return mpx__join(mpx__i32_of_8_f64(s), mpx__i32_of_8_f64(s + 64));
}
MPX__FORCE_INLINE __m512i mpx__16_of_f64(const unsigned char *s, int to_signed) {
    __m512i a = mpx__i32_of_16_f64(s), b = mpx__i32_of_16_f64(s + 128);
    return mpx__packed_once(to_signed ? _mm512_packs_epi32(a, b) : _mm512_packus_epi32(a, b));
}
MPX__FORCE_INLINE __m512i mpx__8_of_f64(const unsigned char *s, int to_signed) {
    __m512i a = _mm512_packs_epi32(mpx__i32_of_16_f64(s), mpx__i32_of_16_f64(s + 128)),
            b = _mm512_packs_epi32(mpx__i32_of_16_f64(s + 256), mpx__i32_of_16_f64(s + 384));
    return mpx__packed_twice(mpx__pack16(a, b, to_signed));
}
MPX__PACK_ROWS(f64, 64, 8)
MPX__PACK_ROWS(f64, 64, 16)
#undef MPX__PACK_ROWS
MPX__NUMBER_ROW(f64, i32, mpx__half_rows(span, mpx__i32_of_8_f64))
MPX__NUMBER_ROW(f64, u32, mpx__half_rows(span, mpx__u32_of_8_f64))
MPX__NUMBER_ROW(f64, i64, mpx__eights_rows(span, 8, mpx__i64_of_8_f64))
MPX__NUMBER_ROW(f64, u64, mpx__eights_rows(span, 8, mpx__u64_of_8_f64))

/* ---- f32 to integers, truncated -------------------------------------------------------------- */

/* Packing saturates; only NaN and what lies beyond 32 bits convert to a wrong number, the least,
   and that is -32768 after the first packing: such blocks go through the codec. */
MPX__FORCE_INLINE __m512i mpx__whole(const unsigned char *s) {
    return _mm512_cvtt_roundps_epi32(_mm512_loadu_ps((const float *)(const void *)s),
                                     _MM_FROUND_NO_EXC);
}
typedef int (*mpx__whole_fn)(unsigned char *d, const unsigned char *s, int stream);
MPX__FORCE_INLINE int mpx__whole_words(__m512i w[2], const unsigned char *s) {
    const __m512i least = mpx__set16(-32768);
    w[0] = _mm512_packs_epi32(mpx__whole(s), mpx__whole(s + 64));
    w[1] = _mm512_packs_epi32(mpx__whole(s + 128), mpx__whole(s + 192));
    return _mm512_cmpeq_epi16_mask(_mm512_min_epi16(w[0], w[1]), least) == 0;
}
MPX__FORCE_INLINE int mpx__i8_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    __m512i w[2];
    if (!mpx__whole_words(w, s)) return 0;
    mpx__store_past(d, mpx__packed_twice(_mm512_packs_epi16(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__u8_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    __m512i w[2];
    if (!mpx__whole_words(w, s)) return 0;
    mpx__store_past(d, mpx__packed_twice(_mm512_packus_epi16(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__i16_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    __m512i w[2];
    if (!mpx__whole_words(w, s)) return 0;
    mpx__store_past(d, mpx__packed_once(w[0]), stream);
    mpx__store_past(d + 64, mpx__packed_once(w[1]), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__i32_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    const __m512i least = mpx__set(0x80000000u);
    __m512i a = mpx__whole(s), b = mpx__whole(s + 64), c = mpx__whole(s + 128),
            e = mpx__whole(s + 192);
    if ((_mm512_cmpeq_epi32_mask(a, least) | _mm512_cmpeq_epi32_mask(b, least) |
         _mm512_cmpeq_epi32_mask(c, least) | _mm512_cmpeq_epi32_mask(e, least)) != 0)
        return 0;
    mpx__store_past(d, a, stream);
    mpx__store_past(d + 64, b, stream);
    mpx__store_past(d + 128, c, stream);
    mpx__store_past(d + 192, e, stream);
    return 1;
}
MPX__DECODER(mpx__whole_u32) {
    __m512i u = mpx__get64(p);
    __mmask16 not_below_0 = _mm512_cmple_epu32_mask(u, mpx__set(0x7f800000u));
    return _mm512_maskz_cvtt_roundps_epu32(not_below_0, _mm512_castsi512_ps(u),
                                           _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE int mpx__u16_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    const __m512i largest = mpx__set(0xffff);
    __m512i a = mpx__whole_u32(s), b = mpx__whole_u32(s + 64),
            c = mpx__whole_u32(s + 128), e = mpx__whole_u32(s + 192);
    mpx__store_past(d, mpx__even_words(mpx__min(a, largest), mpx__min(b, largest)), stream);
    mpx__store_past(d + 64, mpx__even_words(mpx__min(c, largest), mpx__min(e, largest)), stream);
    return 1;
}
/* By way of f64, which holds every f32. */
MPX__FORCE_INLINE __m512d mpx__8_f32(const void *s) {
    return _mm512_cvt_roundps_pd(_mm256_loadu_ps((const float *)s), _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m512i mpx__i64_of_8_f32(const void *s) {
    return mpx__i64_of_8(mpx__8_f32(s));
}
MPX__FORCE_INLINE __m512i mpx__u64_of_8_f32(const void *s) {
    return mpx__u64_of_8(mpx__8_f32(s));
}
MPX__FORCE_INLINE size_t mpx__whole_rows(const mpx__span *span, size_t size, mpx__whole_fn block) {
    const mpx_dtype type = mpx__type_of(span->to);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64 * size, s += 256) {
        mpx__fetch(s, 256, stream);
        if (!block(d, s, stream)) mpx__codes_from_f32(type, d, s, 64);
    }
    return span->n - n;
}
MPX__NUMBER_ROW(f32, i8, mpx__whole_rows(span, 1, mpx__i8_of_whole))
MPX__NUMBER_ROW(f32, u8, mpx__whole_rows(span, 1, mpx__u8_of_whole))
MPX__NUMBER_ROW(f32, i16, mpx__whole_rows(span, 2, mpx__i16_of_whole))
MPX__NUMBER_ROW(f32, u16, mpx__whole_rows(span, 2, mpx__u16_of_whole))
MPX__NUMBER_ROW(f32, i32, mpx__whole_rows(span, 4, mpx__i32_of_whole))
MPX__NUMBER_ROW(f32, u32, mpx__widen_rows(span, 4, mpx__whole_u32))
MPX__NUMBER_ROW(f32, i64, mpx__eights_rows(span, 4, mpx__i64_of_8_f32))
MPX__NUMBER_ROW(f32, u64, mpx__eights_rows(span, 4, mpx__u64_of_8_f32))

#undef MPX__GET8
#undef MPX__GET16
#undef MPX__GET32

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
