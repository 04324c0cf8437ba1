/*==========================================================================*
 * MARK: fast_avx512 - what AVX-512 does better than the shared loop         *
 *   Ratios: time of the shared loop over time here, 16 KiB of source.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* Optional parts: the bf16 conversions; permutations and shifts of bytes, and the bit matrix. */
#ifdef __AVX512BF16__
#define MPX__HAS_BF16 1
#else
#define MPX__HAS_BF16 0
#endif
#if defined(__AVX512VBMI__) && defined(__AVX512VBMI2__) && defined(__GFNI__)
#define MPX__HAS_VBMI 1
#else
#define MPX__HAS_VBMI 0
#endif

#define MPX__CUT (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

/* ---- bytes ----------------------------------------------------------------------------------- */

MPX__FORCE_INLINE __m512i mpx__get64(const void *p) { return _mm512_loadu_si512(p); }
/* Joining halves costs more than storing both; streaming stores are whole. */
MPX__FORCE_INLINE void mpx__store_half(unsigned char *d, __m256i h) {
    _mm256_storeu_si256((__m256i *)(void *)d, h);
}
MPX__FORCE_INLINE __m512i mpx__join(__m256i low, __m256i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
/* a | (b & c) */
MPX__FORCE_INLINE __m512i mpx__or_and(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0xf8);
}

/* 0, 1, 2 ... 63: all index vectors below come from it. */
static const unsigned char mpx__iota[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

/* Every other element of two vectors laid end to end, from element `first` on. */
MPX__FORCE_INLINE __m512i mpx__alternate16(int first) {
    __m256i i = _mm256_loadu_si256((const __m256i *)(const void *)mpx__iota);
    return _mm512_or_si512(_mm512_slli_epi16(_mm512_cvtepu8_epi16(i), 1), mpx__set16(first));
}
#if MPX__HAS_VBMI
MPX__FORCE_INLINE __m512i mpx__alternate8(int first) {
    __m512i i = mpx__get64(mpx__iota);
    return _mm512_or_si512(_mm512_add_epi8(i, i), mpx__set8(first));
}
MPX__FORCE_INLINE __m512i mpx__even_bytes(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi8(a, mpx__alternate8(0), b);
}
MPX__FORCE_INLINE __m512i mpx__odd_bytes(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi8(a, mpx__alternate8(1), b);
}
#else /* packing interleaves 64-bit pieces of a and b: put them in order again */
MPX__FORCE_INLINE __m512i mpx__odd_bytes(__m512i a, __m512i b) {
    __m512i bytes = _mm512_packus_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), bytes);
}
MPX__FORCE_INLINE __m512i mpx__even_bytes(__m512i a, __m512i b) {
    return mpx__odd_bytes(_mm512_slli_epi16(a, 8), _mm512_slli_epi16(b, 8));
}
#endif
/* Zeros where the mask is 0. */
MPX__FORCE_INLINE __m512i mpx__odd_bytes_of(__mmask64 mask, __m512i a, __m512i b) {
#if MPX__HAS_VBMI
    return _mm512_maskz_permutex2var_epi8(mask, a, mpx__alternate8(1), b);
#else
    return _mm512_maskz_mov_epi8(mask, mpx__odd_bytes(a, b));
#endif
}
MPX__FORCE_INLINE __m512i mpx__even_words(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi16(a, mpx__alternate16(0), b);
}
MPX__FORCE_INLINE __m512i mpx__odd_words(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi16(a, mpx__alternate16(1), b);
}

/* ---- decoders to f32 lanes that codec.h has no name for -------------------------------------- */

/* f64 by round-to-odd: any bit among the 29 that f32 has no room for sets the lowest it has; then
   they are cut off. Results below 2^-126 may be flushed: only for targets that make zero of them,
   or look again. */
MPX__FORCE_INLINE __m256 mpx__f32_odd_of_f64(const unsigned char *p) {
    __m512i x = mpx__get64(p), rest = _mm512_set1_epi64((1 << 29) - 1);
    x = _mm512_mask_or_epi64(x, _mm512_test_epi64_mask(x, rest), x, _mm512_set1_epi64(1 << 29));
    return _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(x), MPX__CUT);
}
MPX__DECODER(mpx__dec_f64_odd) {
    const unsigned char *s = (const unsigned char *)p;
    return mpx__join(_mm256_castps_si256(mpx__f32_odd_of_f64(s)),
                     _mm256_castps_si256(mpx__f32_odd_of_f64(s + 64)));
}
MPX__DECODER(mpx__dec_bf16_any_nan) { return mpx__shl(mpx__load16(p), 16); }
/* e5m2 is the upper half of f16. */
MPX__DECODER(mpx__dec_e5m2_as_f16) {
    __m256i bytes = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
    __m256i words = _mm256_slli_epi16(bytes, 8);
    return _mm512_castps_si512(_mm512_cvt_roundph_ps(words, _MM_FROUND_NO_EXC));
}
MPX__DECODER(mpx__dec_i8_extended) {
    __m512i x = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm512_castps_si512(_mm512_cvtepi32_ps(x));
}
MPX__DECODER(mpx__dec_i16_extended) {
    __m512i x = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castps_si512(_mm512_cvtepi32_ps(x));
}
MPX__DECODER(mpx__dec_i32_nearest) {
    return _mm512_castps_si512(_mm512_cvt_roundepi32_ps(mpx__get64(p), MPX__NEAREST));
}
MPX__DECODER(mpx__dec_u32_nearest) {
    return _mm512_castps_si512(_mm512_cvt_roundepu32_ps(mpx__get64(p), MPX__NEAREST));
}

/* ---- to the floats of a byte and less -------------------------------------------------------- */

/* Of one f32 x of a format with M mantissa bits:
       E = the power of two at or below |x|, at least the smallest normal, with x's sign
       s = x * 2^(M-23) + E, rounded once by fma to nearest even
   s has the exponent of E, and in its lowest bits x / E in units of 2^-M: the code's mantissa with
   its hidden bit, rounded at the right place, subnormals included (there E stays, and the hidden
   bit is 0).
       bits of s       s eeeeeeee 0000000 | 00...0 RRRR        R = 0 ... 2^(M+1)
                       upper word         | lower word
   The code without sign is R + (exponent << M), less a constant. NaN is known by bit 6 of the upper
   word: the quiet bit, where finite s has zeros; its payload follows. */
typedef struct mpx__narrow {
    __m512 unit, least;       /* 2^(M-23), the smallest normal               */
    __m512i offset, top;      /* the constant; the largest code, plus it     */
    __m512i sign, payload;    /* the code's sign bit; its NaN payload bits   */
    __m512i nan;              /* NaN's code without payload and sign         */
    __m512i to_exponent;      /* 7 - M: from the upper word's exponent to M  */
    __m512i to_sign;          /* from bit 7 to the code's sign bit           */
} mpx__narrow;

/* How NaN and the sign come in. PLAIN: NaN saturates to the largest code, as in e4m3fn. OR: NaN's
   bits are or-ed into the code of too large values. */
enum { MPX__PLAIN, MPX__OR_NAN, MPX__BLEND_NAN, MPX__FNUZ_NAN, MPX__NO_NAN };

MPX__FORCE_INLINE void mpx__narrow_set(mpx__narrow *k, const mpx__row *row, int saturate) {
    int m = row->mantissa_bits, all_ones = (1 << (row->exponent_bits + m)) - 1,
        inf = all_ones & ~((1 << m) - 1), ieee = row->family == MPX__IEEE,
        fnuz = row->family == MPX__FNUZ, offset = (128 - row->bias) << m, top = all_ones;
    if (row->family == MPX__FN) top -= saturate;
    if (ieee) top = inf - saturate;
    if (fnuz) top += !saturate;
    k->unit = _mm512_castsi512_ps(mpx__set((uint32_t)(127 + m - 23) << 23));
    k->least = _mm512_castsi512_ps(mpx__set((uint32_t)(128 - row->bias) << 23));
    k->offset = mpx__set8(offset);
    k->top = mpx__set16(offset + top);
    k->sign = mpx__set8(all_ones + 1);
    k->payload = mpx__set8(ieee ? (1 << m) - 1 : 0);
    k->nan = mpx__set8(ieee ? inf : fnuz ? all_ones + 1 : all_ones);
    k->to_exponent = mpx__set16(7 - m);
    k->to_sign = mpx__set16(7 - row->exponent_bits - m);
}

MPX__FORCE_INLINE __m512i mpx__round_lanes(__m512i u, const mpx__narrow *k) {
    __m512 power = _mm512_castsi512_ps(mpx__and(u, mpx__set(0xff800000u)));
    __m512 e = _mm512_range_round_ps(power, k->least, 3, _MM_FROUND_NO_EXC);
    return _mm512_castps_si512(
        _mm512_fmadd_round_ps(_mm512_castsi512_ps(u), k->unit, e, MPX__NEAREST));
}
/* R + exponent, limited; NaN's exponent is larger than any limit. */
MPX__FORCE_INLINE __m512i mpx__magnitudes(__m512i high, __m512i low, const mpx__narrow *k) {
    __m512i a = mpx__and(high, mpx__set16(0x7fff));
    return _mm512_min_epu16(_mm512_adds_epu16(low, _mm512_srlv_epi16(a, k->to_exponent)), k->top);
}

/* 64 f32 to 64 codes, one per byte. If `upper` is not NULL it gathers the upper words, and NaN is
   left to the caller: mpx__any_nan_among. */
MPX__FORCE_INLINE int mpx__any_nan_among(__m512i upper) {
    return _mm512_test_epi16_mask(upper, mpx__set16(0x40)) != 0;
}
MPX__FORCE_INLINE __m512i mpx__narrow64(__m512i u0, __m512i u1, __m512i u2, __m512i u3,
                                        const mpx__narrow *k, int finish, __m512i *upper) {
    __m512i s0 = mpx__round_lanes(u0, k), s1 = mpx__round_lanes(u1, k),
            s2 = mpx__round_lanes(u2, k), s3 = mpx__round_lanes(u3, k);
    __m512i high0 = mpx__odd_words(s0, s1), high1 = mpx__odd_words(s2, s3);
    __m512i t0 = mpx__magnitudes(high0, mpx__even_words(s0, s1), k),
            t1 = mpx__magnitudes(high1, mpx__even_words(s2, s3), k);
    __m512i code = _mm512_sub_epi8(mpx__even_bytes(t0, t1), k->offset);
    /* FNUZ: zero keeps no sign, and NaN has it in its code */
    __m512i sign = finish == MPX__FNUZ_NAN
                       ? mpx__odd_bytes_of(_mm512_test_epi8_mask(code, code), high0, high1)
                       : mpx__odd_bytes(high0, high1);
    if (finish == MPX__NO_NAN) sign = _mm512_srlv_epi16(sign, k->to_sign); /* bit 7 elsewhere */
    if (upper != NULL) *upper = _mm512_ternarylogic_epi32(*upper, high0, high1, 0xfe); /* or */
    if (finish == MPX__PLAIN || upper != NULL) return mpx__or_and(code, sign, k->sign);
    /* A branch: NaN is rare, and what follows is much for a row near its limit. */
    if (!MPX__LIKELY(!mpx__any_nan_among(mpx__or(high0, high1)))) {
        __m512i nan = mpx__even_bytes(high0, high1);
        __m512i payload = _mm512_srlv_epi16(nan, k->to_exponent);
        __mmask64 is_nan = _mm512_test_epi8_mask(nan, mpx__set8(0x40));
        if (finish == MPX__OR_NAN) code = mpx__or_and(code, payload, k->payload);
        if (finish == MPX__BLEND_NAN)
            code = _mm512_mask_mov_epi8(code, is_nan, mpx__or_and(k->nan, payload, k->payload));
        if (finish == MPX__FNUZ_NAN) code = _mm512_mask_mov_epi8(code, is_nan, k->nan);
        if (finish == MPX__NO_NAN) { /* a zero of the other sign */
            code = _mm512_mask_mov_epi8(code, is_nan, _mm512_setzero_si512());
            sign = _mm512_mask_mov_epi8(sign, is_nan, _mm512_andnot_si512(sign, k->sign));
        }
    }
    return mpx__or_and(code, sign, k->sign);
}

#define MPX__NARROW64_TO(s, size, upper) \
    mpx__narrow64(dec(s), dec((s) + 16 * (size)), dec((s) + 32 * (size)), dec((s) + 48 * (size)), \
                  &k, finish, upper)
#define MPX__NARROW64(s, size) MPX__NARROW64_TO(s, size, NULL)

/* Four times 48 bytes, at the starts of vectors, are three vectors: so they may go past the caches,
   and no two stores overlap. 1.05 times, in memory 1.5. */
MPX__FORCE_INLINE void mpx__put_three_of_four(unsigned char *d, __m512i a, __m512i b, __m512i c,
                                              __m512i e, int stream) {
    const __m512i first =
        _mm512_set_epi32(19, 18, 17, 16, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i second =
        _mm512_set_epi32(23, 22, 21, 20, 19, 18, 17, 16, 11, 10, 9, 8, 7, 6, 5, 4);
    const __m512i third =
        _mm512_set_epi32(27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 11, 10, 9, 8);
    mpx__store_past(d, _mm512_permutex2var_epi32(a, first, b), stream);
    mpx__store_past(d + 64, _mm512_permutex2var_epi32(b, second, c), stream);
    mpx__store_past(d + 128, _mm512_permutex2var_epi32(c, third, e), stream);
}

/* Packed codes of six bits. Blocks with NaN are done again, outside the loop: what they need would
   keep other constants out of the registers. */
MPX__FORCE_INLINE size_t mpx__narrow_rows6(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    enum { finish = MPX__NO_NAN };
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n, i;
    mpx__narrow k;
    mpx__narrow_set(&k, span->to, span->saturate);
    for (; n >= 256; n -= 256, d += 192, s += 256 * size) {
        for (; n >= 256; n -= 256, d += 192, s += 256 * size) {
            __m512i upper = _mm512_setzero_si512();
            __m512i a = mpx__join6(MPX__NARROW64_TO(s, size, &upper));
            __m512i b = mpx__join6(MPX__NARROW64_TO(s + 64 * size, size, &upper));
            __m512i c = mpx__join6(MPX__NARROW64_TO(s + 128 * size, size, &upper));
            __m512i e = mpx__join6(MPX__NARROW64_TO(s + 192 * size, size, &upper));
            mpx__fetch(s, 256 * size, stream);
            if (mpx__any_nan_among(upper)) break;
            mpx__put_three_of_four(d, a, b, c, e, stream);
        }
        if (n < 256) break;
        for (i = 0; i < 4; i++)
            mpx__put_joined6(d + 48 * i, mpx__join6(MPX__NARROW64(s + 64 * i * size, size)),
                             n - 64 * i);
    }
    for (; n >= 64; n -= 64, d += 48, s += 64 * size)
        mpx__put_joined6(d, mpx__join6(MPX__NARROW64(s, size)), n);
    return span->n - n;
}

/* Packed pairs: lo + 16 * hi of every two bytes, then every other byte. */
MPX__FORCE_INLINE size_t mpx__narrow_rows(const mpx__span *span, size_t size, mpx__dec_fn dec,
                                          int finish) {
    const mpx__row *row = span->to;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, row, span->saturate);
    if (finish == MPX__NO_NAN && row->bits == 4 && span->packed) {
        __m512i pair = mpx__set16(0x1001);
        for (; n >= 128; n -= 128, d += 64, s += 128 * size) {
            __m512i a, b;
            mpx__fetch(s, 128 * size, stream);
            a = _mm512_maddubs_epi16(MPX__NARROW64(s, size), pair);
            b = _mm512_maddubs_epi16(MPX__NARROW64(s + 64 * size, size), pair);
            mpx__store_past(d, mpx__even_bytes(a, b), stream);
        }
        return span->n - n;
    }
    if (finish == MPX__NO_NAN && row->bits == 6 && span->packed)
        return mpx__narrow_rows6(span, size, dec);
    for (; n >= 64; n -= 64, d += 64, s += 64 * size) {
        mpx__fetch(s, 64 * size, stream);
        mpx__store_past(d, MPX__NARROW64(s, size), stream);
    }
    return span->n - n;
}
#undef MPX__NARROW64
#undef MPX__NARROW64_TO

/* One function per source and finish: 7 to 12 times. */
#define MPX__NARROW_FROM(name, size, dec) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        int family = span->to->family; \
        if (family == MPX__FN && !span->saturate) \
            return mpx__narrow_rows(span, size, dec, MPX__PLAIN); \
        if (family == MPX__IEEE && !span->saturate) \
            return mpx__narrow_rows(span, size, dec, MPX__OR_NAN); \
        if (family == MPX__FN || family == MPX__IEEE) \
            return mpx__narrow_rows(span, size, dec, MPX__BLEND_NAN); \
        if (family == MPX__FNUZ) return mpx__narrow_rows(span, size, dec, MPX__FNUZ_NAN); \
        return mpx__narrow_rows(span, size, dec, MPX__NO_NAN); \
    }
MPX__NARROW_FROM(mpx__narrow_f32, 4, mpx__dec_f32)
MPX__NARROW_FROM(mpx__narrow_f16, 2, mpx__dec_f16)
MPX__NARROW_FROM(mpx__narrow_bf16, 2, mpx__dec_bf16_any_nan)
MPX__NARROW_FROM(mpx__narrow_f64, 8, mpx__dec_f64_odd)
#undef MPX__NARROW_FROM

/* ---- to f32 ---------------------------------------------------------------------------------- */

/* Four vectors, each from `bytes` bytes. */
MPX__FORCE_INLINE void mpx__put_four(unsigned char *d, const unsigned char *s, size_t bytes,
                                     mpx__dec_fn dec, int stream) {
    mpx__fetch(s, 4 * bytes, stream);
    mpx__store_past(d, dec(s), stream);
    mpx__store_past(d + 64, dec(s + bytes), stream);
    mpx__store_past(d + 128, dec(s + 2 * bytes), stream);
    mpx__store_past(d + 192, dec(s + 3 * bytes), stream);
}
/* The codec, 64 elements at a time: 1.3, and streaming. */
MPX__FORCE_INLINE size_t mpx__widen_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const size_t done = span->n / 64 * 64;
    const unsigned char *s = span->s, *end = s + done * size;
    unsigned char *d = span->d;
    if (span->stream) {
        for (; s != end; d += 256, s += 64 * size)
            mpx__put_four(d, s, 16 * size, dec, 1);
        return done;
    }
    for (; s != end; d += 256, s += 64 * size)
        mpx__put_four(d, s, 16 * size, dec, 0);
    return done;
}
#define MPX__WIDEN(name, size, dec) \
    MPX__PRIVATE size_t name(const mpx__span *span) { return mpx__widen_rows(span, size, dec); }
MPX__WIDEN(mpx__widen_f16, 2, mpx__dec_f16)
MPX__WIDEN(mpx__widen_e5m2, 1, mpx__dec_e5m2_as_f16)
#undef MPX__WIDEN

/* Twice a bf16 or f16: its magnitude, in the upper 15 bits. */
MPX__FORCE_INLINE __m512i mpx__doubled16(__m512i h) { return _mm512_add_epi16(h, h); }
MPX__FORCE_INLINE __m512i mpx__quiet_bf16(__m512i h) {
    __mmask32 nan = _mm512_cmpgt_epu16_mask(mpx__doubled16(h), mpx__set16(0xff00));
    return mpx__or(h, _mm512_maskz_mov_epi16(nan, mpx__set16(0x40)));
}

/* Zeros below each word. clang would make three instructions of a permutation that it knows. */
typedef struct mpx__spread {
    __m512i lower, upper;
} mpx__spread;
MPX__FORCE_INLINE void mpx__spread_set(mpx__spread *k) {
    k->lower = _mm512_set_epi32(15 << 16, 14 << 16, 13 << 16, 12 << 16, 11 << 16, 10 << 16, 9 << 16,
                                8 << 16, 7 << 16, 6 << 16, 5 << 16, 4 << 16, 3 << 16, 2 << 16,
                                1 << 16, 0);
    k->upper = _mm512_set_epi32(31 << 16, 30 << 16, 29 << 16, 28 << 16, 27 << 16, 26 << 16,
                                25 << 16, 24 << 16, 23 << 16, 22 << 16, 21 << 16, 20 << 16,
                                19 << 16, 18 << 16, 17 << 16, 16 << 16);
    MPX__HERE(k->lower);
    MPX__HERE(k->upper);
}
MPX__FORCE_INLINE void mpx__store_spread(unsigned char *d, __m512i h, const mpx__spread *k,
                                         int stream) {
    const __mmask32 odd = 0xaaaaaaaau;
    mpx__store_past(d, _mm512_maskz_permutexvar_epi16(odd, k->lower, h), stream);
    mpx__store_past(d + 64, _mm512_maskz_permutexvar_epi16(odd, k->upper, h), stream);
}
MPX__FORCE_INLINE int mpx__bf16_nan_among(__m512i largest) {
    return _mm512_cmpgt_epu16_mask(largest, mpx__set16(0xff00)) != 0;
}
/* 64; NaN, which must become quiet, behind a rare branch. 2.5 times. */
MPX__FORCE_INLINE void mpx__widen_bf16_64(unsigned char *d, const unsigned char *s,
                                          const mpx__spread *k, int stream) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
    mpx__fetch(s, 128, stream);
    if (!MPX__LIKELY(!mpx__bf16_nan_among(mpx__max16(mpx__doubled16(a), mpx__doubled16(b))))) {
        a = mpx__quiet_bf16(a);
        b = mpx__quiet_bf16(b);
    }
    mpx__store_spread(d, a, k, stream);
    mpx__store_spread(d + 128, b, k, stream);
}
/* n, a multiple of 64, as they are. Returns whether there is NaN among them. */
MPX__FORCE_INLINE int mpx__widen_bf16_as_is(unsigned char *d, const unsigned char *s, size_t n,
                                            const mpx__spread *k, int stream) {
    __m512i largest = _mm512_setzero_si512();
    for (; n != 0; n -= 64, d += 256, s += 128) {
        __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
        largest = mpx__max16(largest, mpx__max16(mpx__doubled16(a), mpx__doubled16(b)));
        mpx__fetch(s, 128, stream);
        mpx__store_spread(d, a, k, stream);
        mpx__store_spread(d + 128, b, k, stream);
    }
    return mpx__bf16_nan_among(largest);
}
/* Many without a branch for each block: 1.05 times. Where there is NaN among them they are done
   again, as dst cannot be src here. */
MPX__FORCE_INLINE size_t mpx__widen_bf16(const mpx__span *span) {
    enum { many = 2048 };
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n, i;
    mpx__spread k;
    mpx__spread_set(&k);
    for (; n >= many; n -= many, d += 4 * many, s += 2 * many)
        if (!MPX__LIKELY(!(stream ? mpx__widen_bf16_as_is(d, s, many, &k, 1)
                                  : mpx__widen_bf16_as_is(d, s, many, &k, 0))))
            for (i = 0; i < many; i += 64)
                mpx__widen_bf16_64(d + 4 * i, s + 2 * i, &k, 0);
    for (; n >= 64; n -= 64, d += 256, s += 128)
        mpx__widen_bf16_64(d, s, &k, stream);
    return span->n - n;
}

/* From elements of 64 bits to 32; each call of the function does eight. */
typedef __m256i (*mpx__half_fn)(const unsigned char *s);
MPX__FORCE_INLINE void mpx__put_four_halves(unsigned char *d, const unsigned char *s,
                                            mpx__half_fn half) {
    mpx__store_half(d, half(s));
    mpx__store_half(d + 32, half(s + 64));
    mpx__store_half(d + 64, half(s + 128));
    mpx__store_half(d + 96, half(s + 192));
}
MPX__FORCE_INLINE size_t mpx__half_rows(const mpx__span *span, mpx__half_fn half) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64 && !stream; n -= 64, d += 256, s += 512) {
        mpx__put_four_halves(d, s, half);
        mpx__put_four_halves(d + 128, s + 256, half);
    }
    for (; n >= 16; n -= 16, d += 64, s += 128) {
        mpx__fetch(s, 128, stream);
        mpx__store_past(d, mpx__join(half(s), half(s + 64)), stream);
    }
    return span->n - n;
}

/* f64, rounded by the instruction: the shared loop takes integers for it. */
MPX__FORCE_INLINE __m256i mpx__f32_of_8_f64(const unsigned char *s) {
    return _mm256_castps_si256(
        _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(mpx__get64(s)), MPX__NEAREST));
}
MPX__FORCE_INLINE size_t mpx__f64_to_f32_blocks(const mpx__span *span) {
    return mpx__half_rows(span, mpx__f32_of_8_f64);
}
MPX__LONG_WAY size_t mpx__f64_to_f32_in_env(const mpx__span *span) {
    mpx__env env = mpx__env_enter();
    size_t done = mpx__f64_to_f32_blocks(span);
    mpx__env_leave(env);
    return done;
}
MPX__PRIVATE size_t mpx__f64_to_f32_rows(const mpx__span *span) {
    return mpx__modes_differ() ? mpx__f64_to_f32_in_env(span) : mpx__f64_to_f32_blocks(span);
}

/* And back. */
MPX__FORCE_INLINE size_t mpx__f32_to_f64_blocks(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 16; n -= 16, d += 128, s += 64) {
        mpx__vu v[2];
        mpx__fetch(s, 64, stream);
        mpx__f64_of_f32(v, mpx__get64(s));
        mpx__store_past(d, v[0], stream);
        mpx__store_past(d + 64, v[1], stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_f64_rows(const mpx__span *span) {
    mpx__env env = mpx__env_enter();
    size_t done = mpx__f32_to_f64_blocks(span);
    mpx__env_leave(env);
    return done;
}

/* ---- to f16 and bf16 ------------------------------------------------------------------------- */

/* e5m2 is the upper half of f16; its NaN becomes quiet. 1.2 times mpx__from_small_row. */
MPX__FORCE_INLINE void mpx__e5m2_to_f16_64(unsigned char *d, const unsigned char *s, int stream) {
    const __m512i order = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), zero = _mm512_setzero_si512();
    __m512i codes = _mm512_permutexvar_epi64(order, mpx__get64(s));
    __mmask64 nan = _mm512_cmpgt_epu8_mask(_mm512_add_epi8(codes, codes), mpx__set8(0xf8));
    mpx__fetch(s, 64, stream);
    if (!MPX__LIKELY(nan == 0)) codes = mpx__or(codes, _mm512_maskz_mov_epi8(nan, mpx__set8(2)));
    mpx__store_past(d, _mm512_unpacklo_epi8(zero, codes), stream);
    mpx__store_past(d + 64, _mm512_unpackhi_epi8(zero, codes), stream);
}
MPX__PRIVATE size_t mpx__e5m2_to_f16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 128 && !stream; n -= 128, d += 256, s += 128) {
        mpx__e5m2_to_f16_64(d, s, 0);
        mpx__e5m2_to_f16_64(d + 128, s + 64, 0);
    }
    for (; n >= 64; n -= 64, d += 128, s += 64)
        mpx__e5m2_to_f16_64(d, s, stream);
    return span->n - n;
}

MPX__FORCE_INLINE size_t mpx__to_f16_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64 && !stream; n -= 64, d += 128, s += 64 * size) {
        mpx__store_half(d, mpx__f16_of(dec(s)));
        mpx__store_half(d + 32, mpx__f16_of(dec(s + 16 * size)));
        mpx__store_half(d + 64, mpx__f16_of(dec(s + 32 * size)));
        mpx__store_half(d + 96, mpx__f16_of(dec(s + 48 * size)));
    }
    for (; n >= 32; n -= 32, d += 64, s += 32 * size) {
        mpx__fetch(s, 32 * size, stream);
        mpx__store_past(d, mpx__join(mpx__f16_of(dec(s)), mpx__f16_of(dec(s + 16 * size))), stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_f16_rows(const mpx__span *span) {
    return mpx__to_f16_rows(span, 4, mpx__dec_f32);
}
MPX__PRIVATE size_t mpx__f64_to_f16_rows(const mpx__span *span) {
    return mpx__to_f16_rows(span, 8, mpx__dec_f64_odd);
}
MPX__PRIVATE size_t mpx__bf16_to_f16_rows(const mpx__span *span) {
    const __m512i order = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), zero = _mm512_setzero_si512();
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 64) {
        __m512i h = mpx__get64(s);
        __m512i a = _mm512_castsi256_si512(mpx__f16_of(_mm512_unpacklo_epi16(zero, h)));
        __m512i b = _mm512_castsi256_si512(mpx__f16_of(_mm512_unpackhi_epi16(zero, h)));
        mpx__fetch(s, 64, stream);
        mpx__store_past(d, _mm512_permutex2var_epi64(a, order, b), stream);
    }
    return span->n - n;
}

#if MPX__HAS_BF16
MPX__FORCE_INLINE __m512i mpx__bf16_of(__m512i low, __m512i high) {
    return (__m512i)_mm512_cvtne2ps_pbh(_mm512_castsi512_ps(high), _mm512_castsi512_ps(low));
}
/* The conversion makes zero of f32 subnormals. So where a result is zero, the inputs are looked at:
   (u + u) - 1 is below 2^24 - 1 for subnormals alone. */
MPX__FORCE_INLINE __m512i mpx__subnormal_key(__m512i u) {
    return mpx__sub(mpx__add(u, u), mpx__set(1));
}
MPX__FORCE_INLINE __m512i mpx__smallest_key4(const unsigned char *s) {
    __m512i a = mpx__subnormal_key(mpx__get64(s)), b = mpx__subnormal_key(mpx__get64(s + 64));
    __m512i c = mpx__subnormal_key(mpx__get64(s + 128));
    __m512i d = mpx__subnormal_key(mpx__get64(s + 192));
    return mpx__min(mpx__min(a, b), mpx__min(c, d));
}
MPX__PRIVATE int mpx__subnormal_among_128(const unsigned char *s) {
    __m512i smallest = mpx__min(mpx__smallest_key4(s), mpx__smallest_key4(s + 256));
    return _mm512_cmplt_epu32_mask(smallest, mpx__set(0xffffffu)) != 0;
}
MPX__PRIVATE void mpx__f32_to_bf16_exactly(unsigned char *d, const unsigned char *s) {
    mpx__loop(d, 2, s, 4, 128, mpx__dec_f32, mpx__enc_bf16);
}
MPX__FORCE_INLINE __m512i mpx__bf16_of_32(const unsigned char *s) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), words = mpx__bf16_of(a, b);
    __m512i twice = mpx__doubled16(words),
            smallest = mpx__min(mpx__subnormal_key(a), mpx__subnormal_key(b));
    if (_mm512_testn_epi16_mask(twice, twice) != 0 &&
        _mm512_cmplt_epu32_mask(smallest, mpx__set(0xffffffu)) != 0)
        mpx__loop(&words, 2, s, 4, 32, mpx__dec_f32, mpx__enc_bf16);
    return words;
}
/* Past the caches in short steps, which some machines' prefetchers take better. */
MPX__FORCE_INLINE size_t mpx__f32_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 128 && !stream; n -= 128, d += 256, s += 512) {
        __m512i a = mpx__bf16_of(mpx__get64(s), mpx__get64(s + 64));
        __m512i b = mpx__bf16_of(mpx__get64(s + 128), mpx__get64(s + 192));
        __m512i c = mpx__bf16_of(mpx__get64(s + 256), mpx__get64(s + 320));
        __m512i e = mpx__bf16_of(mpx__get64(s + 384), mpx__get64(s + 448));
        /* sums, not a test of the words: clang reads that one as 32 float comparisons */
        __m512i least =
            _mm512_min_epu16(_mm512_min_epu16(mpx__doubled16(a), mpx__doubled16(b)),
                             _mm512_min_epu16(mpx__doubled16(c), mpx__doubled16(e)));
        if (_mm512_testn_epi16_mask(least, least) != 0 && mpx__subnormal_among_128(s)) {
            mpx__f32_to_bf16_exactly(d, s);
            continue;
        }
        mpx__store_past(d, a, 0);
        mpx__store_past(d + 64, b, 0);
        mpx__store_past(d + 128, c, 0);
        mpx__store_past(d + 192, e, 0);
    }
    for (; n >= 32; n -= 32, d += 64, s += 128) {
        mpx__fetch(s, 128, stream);
        mpx__store_past(d, mpx__bf16_of_32(s), stream);
    }
    return span->n - n;
}
/* From f64 likewise, by round-to-odd; blocks with results below the normal numbers, whose lowest
   bits that loses, go through the codec. */
MPX__FORCE_INLINE __m512i mpx__tiny_f64_key(const unsigned char *s) {
    __m512i x = mpx__get64(s);
    return _mm512_sub_epi64(_mm512_add_epi64(x, x), _mm512_set1_epi64(1));
}
MPX__PRIVATE int mpx__tiny_f64_among_64(const unsigned char *s) {
    __m512i smallest = mpx__tiny_f64_key(s);
    int i;
    for (i = 1; i < 8; i++)
        smallest = _mm512_min_epu64(smallest, mpx__tiny_f64_key(s + 64 * i));
    return _mm512_cmplt_epu64_mask(smallest, _mm512_set1_epi64(((1023LL - 126) << 53) - 1)) != 0;
}
MPX__PRIVATE void mpx__f64_to_bf16_exactly(unsigned char *d, const unsigned char *s) {
    uint32_t tile[64];
    mpx__loop(tile, 4, s, 8, 64, mpx__dec_odd_f64, mpx__enc_f32);
    mpx__loop(d, 2, tile, 4, 64, mpx__dec_f32, mpx__enc_bf16);
}
MPX__PRIVATE size_t mpx__f64_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 128, s += 512) {
        __m512i a = mpx__bf16_of(mpx__dec_f64_odd(s), mpx__dec_f64_odd(s + 128));
        __m512i b = mpx__bf16_of(mpx__dec_f64_odd(s + 256), mpx__dec_f64_odd(s + 384));
        __m512i least = _mm512_min_epu16(mpx__doubled16(a), mpx__doubled16(b));
        mpx__fetch(s, 512, stream);
        if (_mm512_testn_epi16_mask(least, least) != 0 && mpx__tiny_f64_among_64(s)) {
            mpx__f64_to_bf16_exactly(d, s);
            continue;
        }
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
    }
    return span->n - n;
}
/* No f16 is an f32 subnormal. */
MPX__PRIVATE size_t mpx__f16_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 64) {
        __m512i h = mpx__bf16_of(mpx__dec_f16(s), mpx__dec_f16(s + 32));
        mpx__fetch(s, 64, stream);
        mpx__store_past(d, h, stream);
    }
    return span->n - n;
}
#else
/* Word by word as the codec, packed by one permutation. */
MPX__FORCE_INLINE __m512i mpx__bf16_in_upper(__m512i u) {
    __m512i odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    __mmask16 nan = _mm512_cmpgt_epu32_mask(mpx__add(u, u), mpx__set(0xff000000u));
    __m512i rounded = mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
    return _mm512_mask_or_epi32(rounded, nan, u, mpx__set(0x400000u));
}
MPX__FORCE_INLINE size_t mpx__to_bf16_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 32 * size) {
        __m512i low = mpx__bf16_in_upper(dec(s)), high = mpx__bf16_in_upper(dec(s + 16 * size));
        mpx__fetch(s, 32 * size, stream);
        mpx__store_past(d, mpx__odd_words(low, high), stream);
    }
    return span->n - n;
}
MPX__FORCE_INLINE size_t mpx__f32_to_bf16_rows(const mpx__span *span) {
    return mpx__to_bf16_rows(span, 4, mpx__dec_f32);
}
MPX__PRIVATE size_t mpx__f16_to_bf16_rows(const mpx__span *span) {
    return mpx__to_bf16_rows(span, 2, mpx__dec_f16);
}
#endif

/* ---- 16-bit floats to e4m3fn and e5m2, without widening -------------------------------------- */

#if MPX__HAS_VBMI

/* A 16-bit magnitude is cut into two bytes: the index I, in which bins of the target's codes begin
   (exponent and M mantissa bits, with a base such that I = 0 is below half the smallest code), and
   L, the bits below. The code is base[I] + (L > limit[I]): the code of the bin's first value, and
   what L must exceed to round up.
   Where codes are normal, base is I less a constant, and limit 0x80 for even I, less for odd I:
   a tie. L's lowest bits are not the magnitude's; the limits allow for all of them.
   Where they are subnormal (I < (M + 1) << M) both come from tables: 0xff where a bin holds one
   code only. 1.9 times mpx__narrow_rows. */
typedef struct mpx__bins {
    unsigned char base[64], limit[64];
} mpx__bins;
static const mpx__bins mpx__bins_e4m3 = {
    { 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 6, 6, 6, 7,
      8 },
    { 15,  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
      255, 255, 15,  255, 255, 255, 255, 255, 255, 15,  255, 255, 255, 15,  255, 255 },
};
static const mpx__bins mpx__bins_e5m2 = {
    { 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4 },
    { 7, 255, 255, 255, 255, 255, 255, 255, 255, 7, 255, 255 },
};

/* From bf16: q = magnitude - first, with the sign shifted in below it. */
MPX__FORCE_INLINE __m512i mpx__bf16_bins(__m512i h, int m, int first, int top) {
    __m512i a = mpx__and(h, mpx__set16(0x7fff));
    __m512i q = _mm512_min_epu16(_mm512_subs_epu16(a, mpx__set16(first)), mpx__set16(top));
    return m == 3 ? _mm512_shldi_epi16(q, h, 4) : _mm512_shldi_epi16(q, h, 3);
}
MPX__FORCE_INLINE __m512i mpx__bins_code(__m512i q0, __m512i q1, int m, const mpx__bins *bins) {
    __m512i i = mpx__odd_bytes(q0, q1), rest = mpx__even_bytes(q0, q1), base, limit, code;
    __mmask64 subnormal = _mm512_cmplt_epu8_mask(i, mpx__set8((m + 1) << m));
    base = _mm512_mask_permutexvar_epi8(_mm512_sub_epi8(i, mpx__set8(m << m)), subnormal, i,
                                        mpx__get64(bins->base));
    /* of normal codes: bit 7 is not bit 0 of I, bits 0 to M are ones, the rest is bit 0 */
    limit = m == 3 ? _mm512_gf2p8affine_epi64_epi8(i, _mm512_set1_epi64(0x01010101), 0x8f)
                   : _mm512_gf2p8affine_epi64_epi8(i, _mm512_set1_epi64(0x0101010101), 0x87);
    limit = _mm512_mask_permutexvar_epi8(limit, subnormal, i, mpx__get64(bins->limit));
    code = _mm512_mask_sub_epi8(base, _mm512_cmpgt_epu8_mask(rest, limit), base, mpx__set8(-1));
    rest = m == 3 ? _mm512_slli_epi16(rest, 4) : _mm512_slli_epi16(rest, 5); /* sign to bit 7 */
    return mpx__or_and(code, rest, mpx__set8(0x80));
}
/* Whether one of 64 words is NaN: above inf; and which. */
MPX__FORCE_INLINE int mpx__any_nan_word(__m512i h0, __m512i h1, int inf) {
    __m512i magnitude = mpx__set16(0x7fff);
    __m512i largest = _mm512_max_epu16(mpx__and(h0, magnitude), mpx__and(h1, magnitude));
    return _mm512_cmpgt_epu16_mask(largest, mpx__set16(inf)) != 0;
}
MPX__FORCE_INLINE __mmask64 mpx__nan_words(__m512i h0, __m512i h1, int inf) {
    __m512i twice = mpx__set16(2 * inf);
    __mmask32 nan0 = _mm512_cmpgt_epu16_mask(mpx__doubled16(h0), twice);
    __mmask32 nan1 = _mm512_cmpgt_epu16_mask(mpx__doubled16(h1), twice);
    return _mm512_kunpackd((__mmask64)nan1, (__mmask64)nan0);
}
/* bf16's NaN, `low` its lower byte: e4m3fn has one, e5m2 takes the quiet bit and one bit of
   payload; the sign is in the code. */
MPX__FORCE_INLINE __m512i mpx__put_nan(__m512i code, __mmask64 nan, __m512i low, int m) {
    __m512i bit = mpx__and(_mm512_srli_epi16(low, 5), mpx__set8(1));
    __m512i magnitude = m == 3 ? mpx__set8(0x7f) : mpx__or(mpx__set8(0x7e), bit);
    return _mm512_mask_mov_epi8(code, nan, mpx__or_and(magnitude, code, mpx__set8(0x80)));
}

/* `largest`: the code of too large values. NaN is one of them in e4m3fn, unless it saturates. */
MPX__FORCE_INLINE size_t mpx__bins_rows(const mpx__span *span, int m, int bias, int largest,
                                        const mpx__bins *bins) {
    const int first = (128 - bias - m - 1) << 7, top = (largest + (m << m)) << (7 - m);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64, s += 128) {
        __m512i h0 = mpx__get64(s), h1 = mpx__get64(s + 64);
        mpx__fetch(s, 128, stream);
        __m512i code = mpx__bins_code(mpx__bf16_bins(h0, m, first, top),
                                      mpx__bf16_bins(h1, m, first, top), m, bins);
        if (largest != 0x7f && mpx__any_nan_word(h0, h1, 0x7f80))
            code = mpx__put_nan(code, mpx__nan_words(h0, h1, 0x7f80), mpx__even_bytes(h0, h1), m);
        mpx__store_past(d, code, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__bf16_to_e4m3fn(const mpx__span *span) {
    return span->saturate ? mpx__bins_rows(span, 3, 7, 0x7e, &mpx__bins_e4m3)
                          : mpx__bins_rows(span, 3, 7, 0x7f, &mpx__bins_e4m3);
}
MPX__PRIVATE size_t mpx__bf16_to_e5m2(const mpx__span *span) {
    return span->saturate ? mpx__bins_rows(span, 2, 15, 0x7b, &mpx__bins_e5m2)
                          : mpx__bins_rows(span, 2, 15, 0x7c, &mpx__bins_e5m2);
}

/* From f16 to e4m3fn, I is the magnitude >> 7 and L the seven bits below, above the sign. Values of
   more than 448 have I from 127 on; one table of 128 serves subnormal and normal codes. */
static const unsigned char mpx__e4m3_of_f16_base[128] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 6, 6, 6, 7, 8,
};
#define MPX__FF8 255, 255, 255, 255, 255, 255, 255, 255
#define MPX__EVEN_ODD8 0x81, 0x7f, 0x81, 0x7f, 0x81, 0x7f, 0x81, 0x7f
static const unsigned char mpx__e4m3_of_f16_limit[128] = {
    MPX__FF8, MPX__FF8, MPX__FF8, MPX__FF8, MPX__FF8,
    1, 255, 255, 255, 255, 255, 255, 255, MPX__FF8,
    255, 255, 1, 255, 255, 255, 255, 255, 255, 1, 255, 255, 255, 1, 255, 255,
    MPX__EVEN_ODD8, MPX__EVEN_ODD8, MPX__EVEN_ODD8, MPX__EVEN_ODD8,
    MPX__EVEN_ODD8, MPX__EVEN_ODD8, MPX__EVEN_ODD8,
};
#undef MPX__FF8
#undef MPX__EVEN_ODD8

MPX__FORCE_INLINE size_t mpx__f16_bins_rows(const mpx__span *span, int largest) {
    const __m512i base0 = mpx__get64(mpx__e4m3_of_f16_base),
                  base1 = mpx__get64(mpx__e4m3_of_f16_base + 64),
                  limit0 = mpx__get64(mpx__e4m3_of_f16_limit),
                  limit1 = mpx__get64(mpx__e4m3_of_f16_limit + 64);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64, s += 128) {
        __m512i h0 = mpx__get64(s), h1 = mpx__get64(s + 64), i, rest, at, base, code;
        __mmask64 nan = 0;
        mpx__fetch(s, 128, stream);
        if (largest != 0x7f && mpx__any_nan_word(h0, h1, 0x7c00))
            nan = mpx__nan_words(h0, h1, 0x7c00);
        h0 = _mm512_shldi_epi16(h0, h0, 1); /* the sign to bit 0 */
        h1 = _mm512_shldi_epi16(h1, h1, 1);
        i = mpx__odd_bytes(h0, h1);
        rest = mpx__even_bytes(h0, h1);
        at = _mm512_min_epu8(i, mpx__or_and(mpx__set8(126), i, mpx__set8(1)));
        base = _mm512_max_epu8(_mm512_subs_epu8(i, mpx__set8(64)),
                               _mm512_permutex2var_epi8(base0, at, base1));
        at = _mm512_permutex2var_epi8(limit0, at, limit1);
        code = _mm512_mask_sub_epi8(base, _mm512_cmpgt_epu8_mask(rest, at), base, mpx__set8(-1));
        code = _mm512_min_epu8(code, mpx__set8(largest));
        if (nan != 0) code = _mm512_mask_mov_epi8(code, nan, mpx__set8(0x7f));
        code = mpx__or_and(code, _mm512_slli_epi16(rest, 7), mpx__set8(0x80));
        mpx__store_past(d, code, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f16_to_e4m3fn(const mpx__span *span) {
    return span->saturate ? mpx__f16_bins_rows(span, 0x7e) : mpx__f16_bins_rows(span, 0x7f);
}

/* f16 to e5m2: the upper byte, and one more if the lower one says so. NaN: payload and quiet
   bit. */
MPX__FORCE_INLINE size_t mpx__f16_to_e5m2_rows(const mpx__span *span, int saturate) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64, s += 128) {
        __m512i h0 = mpx__get64(s), h1 = mpx__get64(s + 64);
        __m512i high = mpx__odd_bytes(h0, h1), low = mpx__even_bytes(h0, h1);
        /* 0x80 for even, 0x7f for odd bytes */
        __m512i limit =
            _mm512_gf2p8affine_epi64_epi8(high, _mm512_set1_epi64(0x0101010101010101), 0x80);
        __mmask64 up = _mm512_cmpgt_epu8_mask(low, limit);
        __m512i code = _mm512_mask_sub_epi8(high, up, high, mpx__set8(-1));
        /* 7c and more, with anything below: NaN */
        __m512i a = mpx__and(high, mpx__set8(0x7f));
        __m512i key = _mm512_adds_epu8(a, _mm512_min_epu8(low, mpx__set8(1)));
        __mmask64 nan = _mm512_cmpgt_epu8_mask(key, mpx__set8(0x7c));
        mpx__fetch(s, 128, stream);
        if (saturate) {
            code = _mm512_min_epu8(mpx__and(code, mpx__set8(0x7f)), mpx__set8(0x7b));
            code = mpx__or_and(code, high, mpx__set8(0x80));
        }
        code = _mm512_mask_mov_epi8(code, nan, mpx__or(high, mpx__set8(0x7e)));
        mpx__store_past(d, code, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f16_to_e5m2(const mpx__span *span) {
    return span->saturate ? mpx__f16_to_e5m2_rows(span, 1) : mpx__f16_to_e5m2_rows(span, 0);
}

/* ---- from a byte, by tables ------------------------------------------------------------------ */

/* The 128 positive codes of a dtype as bf16 or f16, in planes of bytes; what 80 becomes, which is
   NaN in the fnuz formats. From 16 on all are normal: words rise by the same step from code to
   code. The codec makes the first 16, and the last, with Inf and NaN. This pays from 128 elements
   on. */
typedef struct mpx__planes {
    __m512i high0, high1, low0, low1, high_of_80, low_of_80;
} mpx__planes;

MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n);
MPX__FORCE_INLINE __m256i mpx__16_words(const uint32_t *f32, int f16) {
    __m512i u = mpx__get64(f32);
    return f16 ? mpx__f16_of(u) : _mm512_cvtepi32_epi16(mpx__shr(u, 16));
}
MPX__FORCE_INLINE void mpx__planes_set(mpx__planes *t, const mpx__row *from, int f16) {
    static const unsigned char codes[48] = {
        0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,
        15,   112,  113,  114,  115,  116,  117,  118,  119,  120,  121,  122,  123,  124,  125,
        126,  127,  0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80,
    };
    const int m = f16 ? 10 : 7, bias = f16 ? 15 : 127, step = 1 << (m - from->mantissa_bits);
    uint32_t f32[48];
    __m512i i = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)mpx__iota));
    __m512i w0, w1, w2, w3, w80;
    w0 = _mm512_add_epi16(_mm512_mullo_epi16(i, mpx__set16(step)),
                          mpx__set16((bias - from->bias) * (1 << m)));
    w1 = _mm512_add_epi16(w0, mpx__set16(32 * step));
    w2 = _mm512_add_epi16(w1, mpx__set16(32 * step));
    w3 = _mm512_add_epi16(w2, mpx__set16(32 * step));
    mpx__codes_to_f32(mpx__type_of(from), f32, codes, 48);
    w0 = _mm512_inserti64x4(w0, mpx__16_words(f32, f16), 0);
    w3 = _mm512_inserti64x4(w3, mpx__16_words(f32 + 16, f16), 1);
    w80 = _mm512_broadcast_i64x4(mpx__16_words(f32 + 32, f16));
    t->high0 = mpx__odd_bytes(w0, w1);
    t->high1 = mpx__odd_bytes(w2, w3);
    t->low0 = mpx__even_bytes(w0, w1);
    t->low1 = mpx__even_bytes(w2, w3);
    t->high_of_80 = mpx__odd_bytes(w80, w80);
    t->low_of_80 = mpx__even_bytes(w80, w80);
}

/* 64 codes to 64 words; what unpacking interleaves is put in order before, by the caller. */
MPX__FORCE_INLINE void mpx__look_up(__m512i codes, const mpx__planes *t, int fnuz, __m512i *a,
                                    __m512i *b) {
    __m512i high = _mm512_permutex2var_epi8(t->high0, codes, t->high1);
    __m512i low = _mm512_permutex2var_epi8(t->low0, codes, t->low1);
    high = mpx__or_and(high, codes, mpx__set8(0x80));
    if (fnuz) {
        __mmask64 nan = _mm512_cmpeq_epi8_mask(codes, mpx__set8(0x80));
        high = _mm512_mask_mov_epi8(high, nan, t->high_of_80);
        low = _mm512_mask_mov_epi8(low, nan, t->low_of_80);
    }
    *a = _mm512_unpacklo_epi8(low, high);
    *b = _mm512_unpackhi_epi8(low, high);
}

MPX__FORCE_INLINE void mpx__table_64(unsigned char *d, const unsigned char *s, const mpx__planes *t,
                                     int fnuz, int to_f32, int stream) {
    const __m512i halves = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    const __m512i quarters =
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i zero = _mm512_setzero_si512();
    __m512i codes = mpx__get64(s), a, b;
    mpx__fetch(s, 64, stream);
    if (!to_f32) {
        mpx__look_up(_mm512_permutexvar_epi64(halves, codes), t, fnuz, &a, &b);
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
        return;
    }
    mpx__look_up(_mm512_permutexvar_epi32(quarters, codes), t, fnuz, &a, &b);
    mpx__store_past(d, _mm512_unpacklo_epi16(zero, a), stream);
    mpx__store_past(d + 64, _mm512_unpackhi_epi16(zero, a), stream);
    mpx__store_past(d + 128, _mm512_unpacklo_epi16(zero, b), stream);
    mpx__store_past(d + 192, _mm512_unpackhi_epi16(zero, b), stream);
}
MPX__FORCE_INLINE size_t mpx__table_rows(const mpx__span *span, int fnuz, int to_f32) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const size_t step = to_f32 ? 256 : 128;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__planes t;
    mpx__planes_set(&t, span->from, span->to->type == MPX_F16);
    for (; n >= 128; n -= 128, d += 2 * step, s += 128) {
        mpx__table_64(d, s, &t, fnuz, to_f32, stream);
        mpx__table_64(d + step, s + 64, &t, fnuz, to_f32, stream);
    }
    if (n >= 64) {
        mpx__table_64(d, s, &t, fnuz, to_f32, stream);
        n -= 64;
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__from_byte(const mpx__span *span) {
    int fnuz = span->from->family == MPX__FNUZ;
    if (span->to->type == MPX_F32)
        return fnuz ? mpx__table_rows(span, 1, 1) : mpx__table_rows(span, 0, 1);
    return fnuz ? mpx__table_rows(span, 1, 0) : mpx__table_rows(span, 0, 0);
}

/* ---- from packed nibbles --------------------------------------------------------------------- */

/* 16 values, one table. Lane k of 16 takes the byte from bit 4k of eight bytes on; the permutation
   looks at its low four bits only. */
MPX__FORCE_INLINE __m512i mpx__look_up16(const unsigned char *s, __m512i at, __m512i table) {
    __m512i eight = _mm512_set1_epi64((int64_t)mpx__read64(s));
    return _mm512_permutexvar_epi32(_mm512_multishift_epi64_epi8(at, eight), table);
}
MPX__FORCE_INLINE size_t mpx__nibble_to_f32(const mpx__span *span, __m512i table) {
    const __m512i at = _mm512_set_epi64(
        0x3c3c3c3c38383838, 0x3434343430303030, 0x2c2c2c2c28282828, 0x2424242420202020,
        0x1c1c1c1c18181818, 0x1414141410101010, 0x0c0c0c0c08080808, 0x0404040400000000);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 256, s += 32) {
        mpx__fetch(s, 32, stream);
        mpx__store_past(d, mpx__look_up16(s, at, table), stream);
        mpx__store_past(d + 64, mpx__look_up16(s + 8, at, table), stream);
        mpx__store_past(d + 128, mpx__look_up16(s + 16, at, table), stream);
        mpx__store_past(d + 192, mpx__look_up16(s + 24, at, table), stream);
    }
    return span->n - n;
}
/* To words: each 64-bit lane spreads two bytes. The table stands there twice, as five bits
   count. */
MPX__FORCE_INLINE size_t mpx__nibble_to_words(const mpx__span *span, __m512i table) {
    const __m512i at = _mm512_set1_epi64(0x0c0c080804040000);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 128, s += 32) {
        __m512i a = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)s));
        __m512i b = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)(s + 16)));
        mpx__fetch(s, 32, stream);
        a = _mm512_permutexvar_epi16(_mm512_multishift_epi64_epi8(at, a), table);
        b = _mm512_permutexvar_epi16(_mm512_multishift_epi64_epi8(at, b), table);
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__from_nibble(const mpx__span *span) {
    __m512i f32, words;
    mpx__codes_to_f32(mpx__type_of(span->from), &f32, mpx__iota, 16);
    if (span->to->type == MPX_F32) return mpx__nibble_to_f32(span, f32);
    words = span->to->type == MPX_F16 ? mpx__join(mpx__f16_of(f32), mpx__f16_of(f32))
                                      : mpx__odd_words(f32, f32);
    return mpx__nibble_to_words(span, words);
}

#endif /* MPX__HAS_VBMI */

/* ---- stochastic, f32 to bf16 ---------------------------------------------------------------- */

/* A random word for two elements: its halves, in memory's order, are added to what is cut off, and
   may carry. Blocks with Inf, NaN or what might become Inf go through round.h. r->index is even.
   25 times. */
typedef struct mpx__dither {
    mpx__vu key0, key;
} mpx__dither;
/* 32 elements, and the upper words that they had. */
MPX__FORCE_INLINE __m512i mpx__dither_32(const unsigned char *s, mpx__vu counter,
                                         const mpx__dither *k, __m512i *high) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), low = mpx__even_words(a, b);
    __m512i sum = mpx__add16(low, mpx__mix_lanes(mpx__xor(counter, k->key0), k->key));
    *high = mpx__odd_words(a, b);
    return _mm512_mask_sub_epi16(*high, _mm512_cmplt_epu16_mask(sum, low), *high, mpx__set16(-1));
}
MPX__FORCE_INLINE int mpx__may_become_inf(__m512i doubled) {
    return _mm512_cmpge_epu16_mask(doubled, mpx__set16(0xfefe)) != 0;
}
/* 64 elements at a time, up to the first block that is not served; counts what it does in *done. */
MPX__FORCE_INLINE void mpx__dither_64s(const mpx__span *span, size_t all, const mpx__dither *k,
                                       mpx__vu *counter, size_t *done) {
    const unsigned char *s = span->s + *done * 4;
    unsigned char *d = span->d + *done * 2;
    const int stream = span->stream;
    size_t n = all - *done;
    for (; n >= 64; n -= 64, d += 128, s += 256) {
        mpx__vu next = mpx__add(*counter, mpx__set(MPX__LANES));
        __m512i high0, high1, a = mpx__dither_32(s, *counter, k, &high0),
                              b = mpx__dither_32(s + 128, next, k, &high1);
        mpx__fetch(s, 256, stream);
        if (mpx__may_become_inf(mpx__max16(mpx__doubled16(high0), mpx__doubled16(high1)))) break;
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
        *counter = mpx__add(next, mpx__set(MPX__LANES));
    }
    *done = all - n;
}
MPX__PRIVATE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    const size_t all = mpx__words_left(r) < span->n / 2 ? (size_t)mpx__words_left(r) * 2 : span->n;
    mpx__vu counter = mpx__first_counters(r);
    size_t done = 0;
    mpx__dither k;
    k.key0 = mpx__set(r->key0);
    k.key = mpx__set(mpx__second_key(r));
    for (;;) { /* no call within the loop: it would keep constants out of the registers */
        mpx__dither_64s(span, all, &k, &counter, &done);
        if (all - done < 64) break;
        mpx__dither_exactly(span->d + done * 2, span->s + done * 4, 64, r, done);
        counter = mpx__add(counter, mpx__set(2 * MPX__LANES));
        done += 64;
    }
    if (all - done >= 32) {
        __m512i high, a = mpx__dither_32(span->s + done * 4, counter, &k, &high);
        if (mpx__may_become_inf(mpx__doubled16(high)))
            mpx__dither_exactly(span->d + done * 2, span->s + done * 4, 32, r, done);
        else
            mpx__store_past(span->d + done * 2, a, span->stream);
        done += 32;
    }
    return done;
}

/* ---- 16-bit floats times a power of two, in place or not ------------------------------------- */

/* f16 and bf16 with m mantissa bits. Where exponents before and after are those of normal numbers,
   only the exponent moves, and zeros stay; blocks with others go through f32, where every product
   is exact for shifts from -100 to 100. *finite becomes 0 if a result is not. */
MPX__FORCE_INLINE int mpx__scale16_exactly(unsigned char *d, const unsigned char *s, int shift,
                                           int inf, mpx__dec_fn dec, mpx__enc_fn enc) {
    const mpx__vu by = mpx__set((uint32_t)(shift + 127) << 23);
    __m512i largest = _mm512_setzero_si512();
    int i;
    for (i = 0; i < 256; i += 32)
        enc(d + i, mpx__fmul(dec(s + i), by));
    for (i = 0; i < 256; i += 64)
        largest = mpx__max16(largest, mpx__doubled16(mpx__get64(d + i)));
    return _mm512_cmpge_epu16_mask(largest, mpx__set16(2 * inf)) == 0;
}
/* The magnitude's place above the lowest that moves, doubled; 0 for zero. */
MPX__FORCE_INLINE __m512i mpx__above_lowest(__m512i h, __m512i lowest, __mmask32 *nonzero) {
    __m512i twice = mpx__doubled16(h);
    *nonzero = _mm512_test_epi16_mask(twice, twice);
    return _mm512_maskz_sub_epi16(*nonzero, twice, lowest);
}
/* What moves 16-bit floats: the least and the number of doubled magnitudes, from where they are
   normal before and after; what is added to words. */
typedef struct mpx__move16 {
    __m512i lowest, range, delta;
} mpx__move16;
/* 128 without zeros: nothing is masked, in 0.6 of the time. Returns 0 and does nothing if there is
   one, or a magnitude out of range. */
MPX__FORCE_INLINE int mpx__move_nonzeros(unsigned char *d, const unsigned char *s,
                                         const mpx__move16 *k) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), c = mpx__get64(s + 128),
            e = mpx__get64(s + 192);
    __m512i p = mpx__max16(_mm512_sub_epi16(mpx__doubled16(a), k->lowest),
                           _mm512_sub_epi16(mpx__doubled16(b), k->lowest));
    __m512i q = mpx__max16(_mm512_sub_epi16(mpx__doubled16(c), k->lowest),
                           _mm512_sub_epi16(mpx__doubled16(e), k->lowest));
    if (_mm512_cmpge_epu16_mask(mpx__max16(p, q), k->range) != 0) return 0;
    _mm512_storeu_si512(d, mpx__add16(a, k->delta));
    _mm512_storeu_si512(d + 64, mpx__add16(b, k->delta));
    _mm512_storeu_si512(d + 128, mpx__add16(c, k->delta));
    _mm512_storeu_si512(d + 192, mpx__add16(e, k->delta));
    return 1;
}
MPX__FORCE_INLINE int mpx__move_with_zeros(unsigned char *d, const unsigned char *s,
                                           const mpx__move16 *k) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), c = mpx__get64(s + 128),
            e = mpx__get64(s + 192);
    __mmask32 ka, kb, kc, ke;
    __m512i above = mpx__max16(mpx__max16(mpx__above_lowest(a, k->lowest, &ka),
                                          mpx__above_lowest(b, k->lowest, &kb)),
                               mpx__max16(mpx__above_lowest(c, k->lowest, &kc),
                                          mpx__above_lowest(e, k->lowest, &ke)));
    if (_mm512_cmpge_epu16_mask(above, k->range) != 0) return 0;
    _mm512_storeu_si512(d, _mm512_mask_add_epi16(a, ka, a, k->delta));
    _mm512_storeu_si512(d + 64, _mm512_mask_add_epi16(b, kb, b, k->delta));
    _mm512_storeu_si512(d + 128, _mm512_mask_add_epi16(c, kc, c, k->delta));
    _mm512_storeu_si512(d + 192, _mm512_mask_add_epi16(e, ke, e, k->delta));
    return 1;
}
/* Where one block has zeros, or what is out of range, the next ones may: 32 do not ask first. */
MPX__FORCE_INLINE size_t mpx__scale16_rows(unsigned char *d, const unsigned char *s, size_t n,
                                           int shift, int m, mpx__dec_fn dec, mpx__enc_fn enc,
                                           int *finite) {
    const int top = (1 << (15 - m)) - 1, low = shift < 0 ? 1 - shift : 1,
              end = shift > 0 ? top - shift : top;
    const size_t all = n - n % 128;
    unsigned unasked = 0;
    mpx__move16 k;
    if (shift < -100 || shift > 100) return 0;
    k.lowest = mpx__set16(low << (m + 1));
    k.range = mpx__set16(end > low ? (end - low) << (m + 1) : 0);
    k.delta = mpx__set16(shift * (1 << m));
    for (n = all; n != 0; n -= 128, d += 256, s += 256) {
        if (unasked == 0) {
            if (MPX__LIKELY(mpx__move_nonzeros(d, s, &k))) continue;
            unasked = 32;
        }
        unasked--;
        if (!mpx__move_with_zeros(d, s, &k))
            *finite &= mpx__scale16_exactly(d, s, shift, top << m, dec, enc);
    }
    return all;
}
MPX__PRIVATE size_t mpx__f16_scale_rows(unsigned char *d, const unsigned char *s, size_t n,
                                        int shift, int *finite) {
    return mpx__scale16_rows(d, s, n, shift, 10, mpx__dec_f16, mpx__enc_f16, finite);
}
MPX__PRIVATE size_t mpx__bf16_scale_rows(unsigned char *d, const unsigned char *s, size_t n,
                                         int shift, int *finite) {
    return mpx__scale16_rows(d, s, n, shift, 7, mpx__dec_bf16, mpx__enc_bf16, finite);
}

/* ---- 16-bit floats times any number, to f32 -------------------------------------------------- */

/* The largest product is that of the largest magnitude, and words with it are compared in fewer
   instructions than f32. 1.2 times. */
MPX__FORCE_INLINE size_t mpx__scale_to_f32_rows(unsigned char *d, const unsigned char *s, size_t n,
                                                uint32_t factor, int stream, mpx__dec_fn dec,
                                                int *finite) {
    const mpx__vu by = mpx__set(factor);
    const size_t all = n - n % 64;
    __m512i largest = _mm512_setzero_si512();
    uint16_t words[32];
    for (n = all; n != 0; n -= 64, d += 256, s += 128) {
        __m512i a = mpx__doubled16(mpx__get64(s)), b = mpx__doubled16(mpx__get64(s + 64));
        largest = mpx__max16(largest, mpx__max16(a, b));
        mpx__fetch(s, 128, stream);
        mpx__store_past(d, mpx__fmul(dec(s), by), stream);
        mpx__store_past(d + 64, mpx__fmul(dec(s + 32), by), stream);
        mpx__store_past(d + 128, mpx__fmul(dec(s + 64), by), stream);
        mpx__store_past(d + 192, mpx__fmul(dec(s + 96), by), stream);
    }
    _mm512_storeu_si512(words, _mm512_srli_epi16(largest, 1));
    largest = mpx__max(mpx__shl(mpx__fmul(dec(words), by), 1),
                       mpx__shl(mpx__fmul(dec(words + 16), by), 1));
    if (_mm512_cmpgt_epu32_mask(largest, mpx__set(0xfeffffffu)) != 0) *finite = 0;
    return all;
}
MPX__PRIVATE size_t mpx__f16_times(unsigned char *d, const unsigned char *s, size_t n, uint32_t by,
                                   int stream, int *finite) {
    return mpx__scale_to_f32_rows(d, s, n, by, stream, mpx__dec_f16, finite);
}
MPX__PRIVATE size_t mpx__bf16_times(unsigned char *d, const unsigned char *s, size_t n, uint32_t by,
                                    int stream, int *finite) {
    return mpx__scale_to_f32_rows(d, s, n, by, stream, mpx__dec_bf16_any_nan, finite);
}

/* ---- f32 divided by any number, in place or not ---------------------------------------------- */

/* x / s without the division instruction: r is 1 / s, low what r lacks, both rounded to nearest.
   Holds for 2^-40 <= |s| < 2^40 and results that are finite and at least 2^-60, where nothing on
   the way overflows or is subnormal; and for zeros, if their lanes are left out of the steps with
   low. Two steps serve most s: mpx__two_steps_suffice says which. Four serve all: q, after two, is
   within an ulp of x / s, and x - q * s is exact, so q + (x - q * s) * r rounds to the quotient
   (Markstein, Computation of elementary functions on the IBM RS/6000, 1990). */
typedef struct mpx__quotient {
    __m512 s, r, low;
    __m512i magnitude; /* all bits but the sign's, unknown to clang: it would make a comparison of
                          floats of their test, which raises a flag for subnormals */
} mpx__quotient;

MPX__FORCE_INLINE __m512 mpx__quotient_of(__m512 x, const mpx__quotient *by, int steps,
                                          __mmask16 nonzero) {
    /* more than zeros is -0, which leaves the sign of x * r */
    __m512 more = _mm512_set1_ps(-0.0f), q, rest;
    more = _mm512_mask_mul_round_ps(more, nonzero, x, by->low, MPX__NEAREST);
    q = _mm512_fmadd_round_ps(x, by->r, more, MPX__NEAREST);
    if (steps == 2) return q;
    rest = _mm512_fnmadd_round_ps(q, by->s, x, MPX__NEAREST);
    return _mm512_mask3_fmadd_round_ps(rest, by->r, q, nonzero, MPX__NEAREST);
}

/* Before it is rounded, x * r + x * low differs from x / s by less than 2^-46 of it: 2^-47 as r and
   low err, 2^-48 as x * low is rounded. So the result is wrong only if M, halfway between two
   floats, is as near. Let X, S (24 bits) and M (25 bits, odd) be significands and k be 24, or 25 if
   X < S: then M S = X 2^k + d with 0 < |d| < 8. If S ends in three zeros, d would too: no such x.
   Else there are at most 16, M = d / S modulo 2^k, and all are tried.
   (After Brisebarre, Muller and Raina, Accelerating correctly rounded floating-point division when
   the divisor is known in advance, 2004.) */
MPX__PRIVATE int mpx__two_steps_suffice(uint32_t s, const mpx__quotient *by) {
    uint32_t odd = s & 0x7fffffu, zeros = 0, inverse, i, midpoints[16];
    __m512 x;
    if ((odd & 7u) == 0) return 1;
    for (odd |= 0x800000u; (odd & 1u) == 0; odd >>= 1)
        zeros++;
    inverse = odd * 3u ^ 2u; /* modulo 2^5; each step doubles the bits */
    for (i = 0; i < 3; i++)
        inverse *= 2u - odd * inverse;
    for (i = 0; i < 16; i++) {
        uint32_t v = i >> 1 & 3u, k = 24u + (i >> 3);
        uint32_t d = ((v & 3u >> zeros) * 2u + 1u) * (i & 1u ? 0xffffffffu : 1u); /* less zeros */
        uint32_t m = d * inverse + (v >> (2u - zeros) << (k - zeros));
        midpoints[i] = (m & 0x1ffffffu) | 0x1000000u; /* also others, which do no harm */
    }
    x = _mm512_cvtepi32_ps(mpx__sub(mpx__load32(midpoints), mpx__set(1)));
    x = _mm512_fmadd_round_ps(x, by->s, by->s, MPX__NEAREST);
    return _mm512_cmpneq_epi32_mask(
               _mm512_castps_si512(mpx__quotient_of(x, by, 2, (__mmask16)0xffff)),
               _mm512_castps_si512(mpx__quotient_of(x, by, 4, (__mmask16)0xffff))) == 0;
}

/* All lanes, or those that are not zero. */
MPX__FORCE_INLINE __mmask16 mpx__counted_lanes(__m512 x, const mpx__quotient *by, int zeros) {
    return zeros ? _mm512_test_epi32_mask(_mm512_castps_si512(x), by->magnitude)
                 : (__mmask16)0xffff;
}
/* Twice the magnitude, above that of 2^-60. */
MPX__FORCE_INLINE __m512i mpx__above_2_60(__m512 q, __mmask16 counted) {
    __m512i u = _mm512_castps_si512(q);
    return _mm512_maskz_sub_epi32(counted, mpx__add(u, u), mpx__set((127u - 60u) << 24));
}

/* 64 elements; 0, and nothing done, if that does not hold for all. */
MPX__FORCE_INLINE int mpx__divide_64(unsigned char *d, const unsigned char *s,
                                     const mpx__quotient *by, int steps, int zeros) {
    __m512 x0 = _mm512_loadu_ps(s), x1 = _mm512_loadu_ps(s + 64), x2 = _mm512_loadu_ps(s + 128),
           x3 = _mm512_loadu_ps(s + 192);
    __mmask16 k0 = mpx__counted_lanes(x0, by, zeros), k1 = mpx__counted_lanes(x1, by, zeros),
              k2 = mpx__counted_lanes(x2, by, zeros), k3 = mpx__counted_lanes(x3, by, zeros);
    __m512 q0 = mpx__quotient_of(x0, by, steps, k0), q1 = mpx__quotient_of(x1, by, steps, k1),
           q2 = mpx__quotient_of(x2, by, steps, k2), q3 = mpx__quotient_of(x3, by, steps, k3);
    __m512i above = mpx__max(mpx__max(mpx__above_2_60(q0, k0), mpx__above_2_60(q1, k1)),
                             mpx__max(mpx__above_2_60(q2, k2), mpx__above_2_60(q3, k3)));
    if (_mm512_cmpgt_epu32_mask(above, mpx__set(0xfeffffffu - ((127u - 60u) << 24))) != 0)
        return 0;
    _mm512_storeu_ps(d, q0);
    _mm512_storeu_ps(d + 64, q1);
    _mm512_storeu_ps(d + 128, q2);
    _mm512_storeu_ps(d + 192, q3);
    return 1;
}
/* The same by the instruction; returns whether the results are finite. */
MPX__FORCE_INLINE int mpx__divide_64_slowly(unsigned char *d, const unsigned char *s, __m512 by) {
    __m512i largest = _mm512_setzero_si512();
    int i;
    for (i = 0; i < 256; i += 64) {
        __m512 q = _mm512_div_round_ps(_mm512_loadu_ps(s + i), by, MPX__NEAREST);
        __m512i u = _mm512_castps_si512(q);
        largest = mpx__max(largest, mpx__add(u, u));
        _mm512_storeu_ps(d + i, q);
    }
    return _mm512_cmpgt_epu32_mask(largest, mpx__set(0xfeffffffu)) == 0;
}
MPX__FORCE_INLINE size_t mpx__divide_blocks(unsigned char *d, const unsigned char *s, size_t n,
                                            const mpx__quotient *by, int steps, int *finite) {
    const size_t all = n - n % 64;
    for (n = all; n != 0; n -= 64, d += 256, s += 256)
        if (!mpx__divide_64(d, s, by, steps, 0) && !mpx__divide_64(d, s, by, steps, 1))
            *finite &= mpx__divide_64_slowly(d, s, by->s);
    return all;
}

/* Returns the elements done; *finite becomes 0 if a result is not. A loop of divisions takes 1.8
   times as long as two steps (make bench, Zen 4); a block with zeros is done twice. For few
   elements the question whether two steps suffice costs more than they save. */
MPX__PRIVATE size_t mpx__f32_divide_rows(unsigned char *d, const unsigned char *s, size_t n,
                                         uint32_t u, int *finite) {
    const __m512 one = _mm512_set1_ps(1);
    const uint32_t exponent = u >> 23 & 255u;
    mpx__quotient by;
    __m512 rest;
    if (exponent < 127u - 40u || exponent >= 127u + 40u) return 0;
    by.s = _mm512_castsi512_ps(mpx__set(u));
    by.r = _mm512_div_round_ps(one, by.s, MPX__NEAREST);
    rest = _mm512_fnmadd_round_ps(by.r, by.s, one, MPX__NEAREST);
    by.low = _mm512_mul_round_ps(rest, by.r, MPX__NEAREST);
    by.magnitude = mpx__set(0x7fffffffu);
    MPX__HERE(by.magnitude);
    if (((u & 7u) == 0 || n >= 1024) && mpx__two_steps_suffice(u, &by))
        return mpx__divide_blocks(d, s, n, &by, 2, finite);
    return mpx__divide_blocks(d, s, n, &by, 4, finite);
}

/* ---- which row ------------------------------------------------------------------------------- */

MPX__PRIVATE size_t mpx__fast_to_small(const mpx__span *span) {
#if MPX__HAS_VBMI
    const int to = span->to->type, from = span->from->type;
    if (from == MPX_F16 && to == MPX_F8E4M3FN) return mpx__f16_to_e4m3fn(span);
    if (from == MPX_F16 && to == MPX_F8E5M2) return mpx__f16_to_e5m2(span);
    if (from == MPX_BF16 && to == MPX_F8E4M3FN) return mpx__bf16_to_e4m3fn(span);
    if (from == MPX_BF16 && to == MPX_F8E5M2) return mpx__bf16_to_e5m2(span);
#endif
    switch (span->from->type) {
    case MPX_F32: return mpx__narrow_f32(span);
    case MPX_F16: return mpx__narrow_f16(span);
    case MPX_BF16: return mpx__narrow_bf16(span);
    case MPX_F64: return mpx__narrow_f64(span);
    default: return 0;
    }
}
/* To f32, f16, bf16. */
MPX__PRIVATE size_t mpx__fast_from_small(const mpx__span *span) {
    const int e5m2 = span->from->type == MPX_F8E5M2;
    if (!mpx__is_small(span->from)) return 0;
    if (e5m2 && span->to->type == MPX_F32) return mpx__widen_e5m2(span);
    if (e5m2 && span->to->type == MPX_F16) return mpx__e5m2_to_f16_rows(span);
#if MPX__HAS_VBMI
    if (span->from->bits == 4 && span->packed) return mpx__from_nibble(span);
    if (span->n >= 128 && span->from->bits == 8) return mpx__from_byte(span);
#endif
    return mpx__from_small_row(span);
}
MPX__PRIVATE size_t mpx__fast_to_f32(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F16: return mpx__widen_f16(span);
    case MPX_BF16: return mpx__widen_bf16(span);
    case MPX_F64: return mpx__f64_to_f32_rows(span);
    default: return mpx__fast_from_small(span);
    }
}
MPX__PRIVATE size_t mpx__fast_to_f16(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_f16_rows(span);
    case MPX_BF16: return mpx__bf16_to_f16_rows(span);
    case MPX_F64: return mpx__f64_to_f16_rows(span);
    default: return mpx__fast_from_small(span);
    }
}
MPX__PRIVATE size_t mpx__fast_to_bf16(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_bf16_rows(span);
    case MPX_F16: return mpx__f16_to_bf16_rows(span);
#if MPX__HAS_BF16
    case MPX_F64: return mpx__f64_to_bf16_rows(span);
#endif
    default: return mpx__fast_from_small(span);
    }
}

/* Integers saturate anyway, and none is too large for f32. */
MPX__PRIVATE size_t mpx__pick_row(const mpx__span *span) {
    const int to = span->to->type;
    if (to == MPX_F16) return span->saturate ? 0 : mpx__fast_to_f16(span);
    if (to == MPX_BF16) return span->saturate ? 0 : mpx__fast_to_bf16(span);
    if (mpx__is_small(span->to)) return mpx__fast_to_small(span);
    if (mpx__has_integer(span)) return mpx__number_row(span);
    if (to == MPX_F32) return span->saturate ? 0 : mpx__fast_to_f32(span);
    if (to != MPX_F64 || span->from->type != MPX_F32 || span->saturate) return 0;
    return mpx__f32_to_f64_rows(span);
}

MPX__PRIVATE size_t mpx__fast_rows(const mpx__span *span) {
    return span->n >= 16 ? mpx__pick_row(span) : 0;
}

/* ---- shortcuts, see cast.h ------------------------------------------------------------------- */

MPX__SHORTCUT(mpx__f64_to_f32_shortcut, MPX_F32, MPX_F64, mpx__f64_to_f32_blocks(&span))
MPX__SHORTCUT(mpx__f32_to_f64_shortcut, MPX_F64, MPX_F32, mpx__f32_to_f64_blocks(&span))
MPX__SHORTCUT(mpx__f16_to_f32_shortcut, MPX_F32, MPX_F16, mpx__widen_rows(&span, 2, mpx__dec_f16))
MPX__SHORTCUT(mpx__f32_to_f16_shortcut, MPX_F16, MPX_F32, mpx__to_f16_rows(&span, 4, mpx__dec_f32))
MPX__SHORTCUT(mpx__bf16_to_f32_shortcut, MPX_F32, MPX_BF16, mpx__widen_bf16(&span))
MPX__SHORTCUT(mpx__f32_to_bf16_shortcut, MPX_BF16, MPX_F32, mpx__f32_to_bf16_rows(&span))
MPX__SHORTCUT(mpx__bf16_to_f16_shortcut, MPX_F16, MPX_BF16, mpx__bf16_to_f16_rows(&span))
MPX__SHORTCUT(mpx__f16_to_bf16_shortcut, MPX_BF16, MPX_F16, mpx__f16_to_bf16_rows(&span))
#undef MPX__SHORTCUT

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
