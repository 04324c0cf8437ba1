/*==========================================================================*
 * MARK: fast_avx512 - what AVX-512 does better than the shared loop         *
 *   Ratios: time of the shared loop over time here, 16 KiB of source.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512

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

#define MPX__NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define MPX__CUT (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

/* ---- bytes ----------------------------------------------------------------------------------- */

MPX__FORCE_INLINE __m512i mpx__set8(int x) { return _mm512_set1_epi8((char)x); }
MPX__FORCE_INLINE __m512i mpx__set16(int x) { return _mm512_set1_epi16((short)x); }
MPX__FORCE_INLINE __m512i mpx__get64(const void *p) { return _mm512_loadu_si512(p); }
MPX__FORCE_INLINE __m512i mpx__join(__m256i low, __m256i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
/* a | (b & c) */
MPX__FORCE_INLINE __m512i mpx__or_and(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0xf8);
}

MPX__FORCE_INLINE void mpx__put64(void *p, __m512i v, int stream) {
    if (stream)
        _mm512_stream_si512((__m512i *)p, v);
    else
        _mm512_storeu_si512(p, v);
}
/* While streaming, the source is asked for 8 KiB ahead: less gains less, and so does more. */
MPX__FORCE_INLINE void mpx__fetch(const unsigned char *s, size_t bytes, int stream) {
    size_t i;
    if (stream)
        for (i = 0; i < bytes; i += 64)
            _mm_prefetch((const char *)s + i + 8192, _MM_HINT_T0);
}

/* 0, 1, 2 ... 63: all index vectors below come from it. */
static const unsigned char mpx__iota[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

/* Every other element of two vectors laid end to end, from element `first` on. */
MPX__FORCE_INLINE __m512i mpx__alternate16(int first) {
    __m256i i = _mm256_loadu_si256((const __m256i *)mpx__iota);
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
    __m128i to_exponent;      /* 7 - M: from the upper word's exponent to M  */
    __m128i to_sign;          /* from bit 7 to the code's sign bit           */
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
    k->to_exponent = _mm_cvtsi32_si128(7 - m);
    k->to_sign = _mm_cvtsi32_si128(7 - row->exponent_bits - m);
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
    return _mm512_min_epu16(_mm512_adds_epu16(low, _mm512_srl_epi16(a, k->to_exponent)), k->top);
}

/* 64 f32 to 64 codes, one per byte. */
MPX__FORCE_INLINE __m512i mpx__narrow64(__m512i u0, __m512i u1, __m512i u2, __m512i u3,
                                        const mpx__narrow *k, int finish) {
    __m512i s0 = mpx__round_lanes(u0, k), s1 = mpx__round_lanes(u1, k),
            s2 = mpx__round_lanes(u2, k), s3 = mpx__round_lanes(u3, k);
    __m512i high0 = mpx__odd_words(s0, s1), high1 = mpx__odd_words(s2, s3);
    __m512i t0 = mpx__magnitudes(high0, mpx__even_words(s0, s1), k),
            t1 = mpx__magnitudes(high1, mpx__even_words(s2, s3), k);
    __m512i code = _mm512_sub_epi8(mpx__even_bytes(t0, t1), k->offset);
    __m512i sign = _mm512_srl_epi16(mpx__odd_bytes(high0, high1), k->to_sign), nan, payload;
    __mmask64 is_nan;
    if (finish == MPX__PLAIN) return mpx__or_and(code, sign, k->sign);
    nan = mpx__even_bytes(high0, high1);
    payload = _mm512_srl_epi16(nan, k->to_exponent);
    is_nan = _mm512_test_epi8_mask(nan, mpx__set8(0x40));
    if (finish == MPX__OR_NAN) code = mpx__or_and(code, payload, k->payload);
    if (finish == MPX__BLEND_NAN)
        code = _mm512_mask_mov_epi8(code, is_nan, mpx__or_and(k->nan, payload, k->payload));
    if (finish == MPX__FNUZ_NAN) { /* zero keeps no sign */
        code = _mm512_mask_mov_epi8(code, is_nan, k->nan);
        sign = _mm512_maskz_mov_epi8(_mm512_test_epi8_mask(code, code), sign);
    }
    code = mpx__or_and(code, sign, k->sign);
    if (finish == MPX__NO_NAN) /* a zero of the other sign */
        code = _mm512_mask_mov_epi8(code, is_nan, _mm512_andnot_si512(sign, k->sign));
    return code;
}

#define MPX__NARROW64(s, size) \
    mpx__narrow64(dec(s), dec((s) + 16 * (size)), dec((s) + 32 * (size)), dec((s) + 48 * (size)), \
                  &k, finish)

/* Packed pairs: lo + 16 * hi of every two bytes, then every other byte. */
MPX__FORCE_INLINE size_t mpx__narrow_rows(const mpx__span *span, size_t size, mpx__dec_fn dec,
                                          int finish) {
    const mpx__row *row = mpx__row_of(span->to);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, row, span->saturate);
    if (row->bits == 4 && span->packed) {
        __m512i pair = mpx__set16(0x1001);
        for (; n >= 128; n -= 128, d += 64, s += 128 * size) {
            __m512i a, b;
            mpx__fetch(s, 128 * size, span->stream);
            a = _mm512_maddubs_epi16(MPX__NARROW64(s, size), pair);
            b = _mm512_maddubs_epi16(MPX__NARROW64(s + 64 * size, size), pair);
            mpx__put64(d, mpx__even_bytes(a, b), span->stream);
        }
        return span->n - n;
    }
    for (; n >= 64; n -= 64, d += 64, s += 64 * size) {
        mpx__fetch(s, 64 * size, span->stream);
        mpx__put64(d, MPX__NARROW64(s, size), span->stream);
    }
    return span->n - n;
}
#undef MPX__NARROW64

/* One function per source and finish: 7 to 12 times. */
#define MPX__NARROW_FROM(name, size, dec) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        int family = mpx__row_of(span->to)->family; \
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

/* The codec, 64 elements at a time: 1.3, and streaming. */
MPX__FORCE_INLINE size_t mpx__widen_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 256, s += 64 * size) {
        mpx__fetch(s, 64 * size, span->stream);
        mpx__put64(d, dec(s), span->stream);
        mpx__put64(d + 64, dec(s + 16 * size), span->stream);
        mpx__put64(d + 128, dec(s + 32 * size), span->stream);
        mpx__put64(d + 192, dec(s + 48 * size), span->stream);
    }
    return span->n - n;
}
#define MPX__WIDEN(name, size, dec) \
    MPX__PRIVATE size_t name(const mpx__span *span) { return mpx__widen_rows(span, size, dec); }
MPX__WIDEN(mpx__widen_f16, 2, mpx__dec_f16)
MPX__WIDEN(mpx__widen_i8, 1, mpx__dec_i8)
MPX__WIDEN(mpx__widen_u8, 1, mpx__dec_u8)
MPX__WIDEN(mpx__widen_i16, 2, mpx__dec_i16)
MPX__WIDEN(mpx__widen_u16, 2, mpx__dec_u16)
MPX__WIDEN(mpx__widen_i32, 4, mpx__dec_i32_nearest)
MPX__WIDEN(mpx__widen_u32, 4, mpx__dec_u32_nearest)
#undef MPX__WIDEN

/* Twice a bf16 or f16: its magnitude, in the upper 15 bits. */
MPX__FORCE_INLINE __m512i mpx__doubled16(__m512i h) { return _mm512_add_epi16(h, h); }
MPX__FORCE_INLINE __m512i mpx__quiet_bf16(__m512i h) {
    __mmask32 nan = _mm512_cmpgt_epu16_mask(mpx__doubled16(h), mpx__set16(0xff00));
    return mpx__or(h, _mm512_maskz_mov_epi16(nan, mpx__set16(0x40)));
}

/* Zeros below each word; NaN, which must become quiet, behind a rare branch. Unpacking works in
   quarters of the register: their halves are put in order before. 2.5 times. */
MPX__PRIVATE size_t mpx__widen_bf16(const mpx__span *span) {
    const __m512i order = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), zero = _mm512_setzero_si512();
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 256, s += 128) {
        __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
        __m512i largest = _mm512_max_epu16(mpx__doubled16(a), mpx__doubled16(b));
        mpx__fetch(s, 128, span->stream);
        if (_mm512_cmpgt_epu16_mask(largest, mpx__set16(0xff00)) != 0) {
            a = mpx__quiet_bf16(a);
            b = mpx__quiet_bf16(b);
        }
        a = _mm512_permutexvar_epi64(order, a);
        b = _mm512_permutexvar_epi64(order, b);
        mpx__put64(d, _mm512_unpacklo_epi16(zero, a), span->stream);
        mpx__put64(d + 64, _mm512_unpackhi_epi16(zero, a), span->stream);
        mpx__put64(d + 128, _mm512_unpacklo_epi16(zero, b), span->stream);
        mpx__put64(d + 192, _mm512_unpackhi_epi16(zero, b), span->stream);
    }
    return span->n - n;
}

/* f64, rounded by the instruction: the shared loop takes integers for it. */
MPX__PRIVATE size_t mpx__f64_to_f32_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__env env = mpx__env_enter();
    for (; n >= 16; n -= 16, d += 64, s += 128) {
        __m256 a = _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(mpx__get64(s)), MPX__NEAREST);
        __m256 b = _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(mpx__get64(s + 64)), MPX__NEAREST);
        mpx__fetch(s, 128, span->stream);
        mpx__put64(d, mpx__join(_mm256_castps_si256(a), _mm256_castps_si256(b)), span->stream);
    }
    mpx__env_leave(env);
    return span->n - n;
}

/* ---- to f16 and bf16 ------------------------------------------------------------------------- */

MPX__FORCE_INLINE __m256i mpx__f16_of(__m512i u) {
    return _mm512_cvt_roundps_ph(_mm512_castsi512_ps(u), MPX__NEAREST);
}
MPX__FORCE_INLINE size_t mpx__to_f16_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 128, s += 64 * size) {
        __m512i a = mpx__join(mpx__f16_of(dec(s)), mpx__f16_of(dec(s + 16 * size)));
        __m512i b = mpx__join(mpx__f16_of(dec(s + 32 * size)), mpx__f16_of(dec(s + 48 * size)));
        mpx__fetch(s, 64 * size, span->stream);
        mpx__put64(d, a, span->stream);
        mpx__put64(d + 64, b, span->stream);
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
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 64) {
        __m512i h = mpx__get64(s);
        __m512i a = _mm512_castsi256_si512(mpx__f16_of(_mm512_unpacklo_epi16(zero, h)));
        __m512i b = _mm512_castsi256_si512(mpx__f16_of(_mm512_unpackhi_epi16(zero, h)));
        mpx__fetch(s, 64, span->stream);
        mpx__put64(d, _mm512_permutex2var_epi64(a, order, b), span->stream);
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
    return mpx__min(mpx__min(mpx__subnormal_key(mpx__get64(s)), mpx__subnormal_key(mpx__get64(s + 64))),
                    mpx__min(mpx__subnormal_key(mpx__get64(s + 128)),
                             mpx__subnormal_key(mpx__get64(s + 192))));
}
MPX__PRIVATE int mpx__subnormal_among_128(const unsigned char *s) {
    __m512i smallest = mpx__min(mpx__smallest_key4(s), mpx__smallest_key4(s + 256));
    return _mm512_cmplt_epu32_mask(smallest, mpx__set(0xffffffu)) != 0;
}
MPX__PRIVATE size_t mpx__f32_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= 128; n -= 128, d += 256, s += 512) {
        __m512i a = mpx__bf16_of(mpx__get64(s), mpx__get64(s + 64));
        __m512i b = mpx__bf16_of(mpx__get64(s + 128), mpx__get64(s + 192));
        __m512i c = mpx__bf16_of(mpx__get64(s + 256), mpx__get64(s + 320));
        __m512i e = mpx__bf16_of(mpx__get64(s + 384), mpx__get64(s + 448));
        /* sums, not a test of the words: clang reads that one as 32 float comparisons */
        __m512i least =
            _mm512_min_epu16(_mm512_min_epu16(mpx__doubled16(a), mpx__doubled16(b)),
                             _mm512_min_epu16(mpx__doubled16(c), mpx__doubled16(e)));
        mpx__fetch(s, 512, span->stream);
        if (_mm512_testn_epi16_mask(least, least) != 0 && mpx__subnormal_among_128(s)) {
            mpx__loop(d, 2, s, 4, 128, mpx__dec_f32, mpx__enc_bf16);
            continue;
        }
        mpx__put64(d, a, span->stream);
        mpx__put64(d + 64, b, span->stream);
        mpx__put64(d + 128, c, span->stream);
        mpx__put64(d + 192, e, span->stream);
    }
    return span->n - n;
}
/* No f16 is an f32 subnormal. */
MPX__PRIVATE size_t mpx__f16_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 64) {
        __m512i h = mpx__bf16_of(mpx__dec_f16(s), mpx__dec_f16(s + 32));
        mpx__fetch(s, 64, span->stream);
        mpx__put64(d, h, span->stream);
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
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 32 * size) {
        __m512i low = mpx__bf16_in_upper(dec(s)), high = mpx__bf16_in_upper(dec(s + 16 * size));
        mpx__fetch(s, 32 * size, span->stream);
        mpx__put64(d, mpx__odd_words(low, high), span->stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_bf16_rows(const mpx__span *span) {
    return mpx__to_bf16_rows(span, 4, mpx__dec_f32);
}
MPX__PRIVATE size_t mpx__f16_to_bf16_rows(const mpx__span *span) {
    return mpx__to_bf16_rows(span, 2, mpx__dec_f16);
}
#endif

/* ---- which row ------------------------------------------------------------------------------- */

MPX__PRIVATE size_t mpx__fast_to_small(const mpx__span *span) {
    switch (span->from) {
    case MPX_F32: return mpx__narrow_f32(span);
    case MPX_F16: return mpx__narrow_f16(span);
    case MPX_BF16: return mpx__narrow_bf16(span);
    case MPX_F64: return mpx__narrow_f64(span);
    default: return 0;
    }
}
MPX__PRIVATE size_t mpx__fast_to_f32(const mpx__span *span) {
    switch (span->from) {
    case MPX_F16: return mpx__widen_f16(span);
    case MPX_BF16: return mpx__widen_bf16(span);
    case MPX_F64: return mpx__f64_to_f32_rows(span);
    case MPX_I8: return mpx__widen_i8(span);
    case MPX_U8: return mpx__widen_u8(span);
    case MPX_I16: return mpx__widen_i16(span);
    case MPX_U16: return mpx__widen_u16(span);
    case MPX_I32: return mpx__widen_i32(span);
    case MPX_U32: return mpx__widen_u32(span);
    default: return 0;
    }
}
MPX__PRIVATE size_t mpx__fast_to_half(const mpx__span *span) {
    if (span->to == MPX_F16) {
        switch (span->from) {
        case MPX_F32: return mpx__f32_to_f16_rows(span);
        case MPX_BF16: return mpx__bf16_to_f16_rows(span);
        case MPX_F64: return mpx__f64_to_f16_rows(span);
        default: return 0;
        }
    }
    switch (span->from) {
    case MPX_F32: return mpx__f32_to_bf16_rows(span);
    case MPX_F16: return mpx__f16_to_bf16_rows(span);
    default: return 0;
    }
}

MPX__PRIVATE size_t mpx__fast_rows(const mpx__span *span) {
    const mpx__row *to = mpx__row_of(span->to);
    int is_small = to->kind == MPX_KIND_FLOAT && to->bits <= 8 && to->family != MPX__E8M0,
        whole = !span->packed || to->bits == 8;
    if (is_small && (whole || to->bits == 4)) return mpx__fast_to_small(span);
    if (span->saturate && (span->to == MPX_F16 || span->to == MPX_BF16 || span->to == MPX_F32))
        return 0;
    if (span->to == MPX_F32) return mpx__fast_to_f32(span);
    if (span->to == MPX_F16 || span->to == MPX_BF16) return mpx__fast_to_half(span);
    return 0;
}

#endif /* MPX_ISA_AVX512 */
