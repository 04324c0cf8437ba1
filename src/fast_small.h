/*==========================================================================*
 * MARK: fast_small - floats of a byte and less                              *
 *   In the vocabulary, for every ISA with float lanes. To them, by float    *
 *   arithmetic between mpx__env_enter and leave; from them, by integers.    *
 *   Against the shared loop, 16 KiB of source: to them 4 times as fast with *
 *   AVX2 and 9 with SSE2, from them 3 to 18 and 2 to 13 times.              *
 *==========================================================================*/
#if MPX__HAS_FLOAT

/* Codes of a block: four vectors of f32, one vector of bytes. */
enum { MPX__BLOCK = 4 * MPX__LANES };

MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n);
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n);

#if !MPX__HAS_OWN_ROWS /* by better instructions */

/* ---- to the floats of a byte and less -------------------------------------------------------- */

/* Of the magnitude x of one f32, for a format with M mantissa bits:
       E = the power of two at or below x, at least the smallest normal
       s = x * 2^(M-23) + E, rounded to nearest even; the product is exact, or far below half a unit
   s has the exponent of E, and in its lowest bits x / E in units of 2^-M: the code's mantissa with
   its hidden bit, rounded at the right place, subnormals included (there E stays, and the hidden
   bit is 0).
       bits of s       0 eeeeeeee 0000000 | 00...0 RRRRRR        R = 0 ... 2^(M+1)
                       upper word         | lower word
   upper + lower * 2^(7-M) is (code + a constant) * 2^(7-M): one instruction for both words. NaN has
   the quiet bit in the upper word, and is above Inf. */
typedef struct mpx__narrow {
    mpx__vu unit, least;      /* 2^(M-23), the smallest normal                */
    mpx__weights weights;     /* of the two words: 1, 2^(7-M)                 */
    mpx__shift16 to_code;     /* right by 7 - M                               */
    mpx__vu offset;           /* subtract                                     */
    mpx__vu top, sign;        /* the largest code, the sign bit; bytes        */
    mpx__vu nan;              /* NaN is above; words                          */
} mpx__narrow;

MPX__PRIVATE void mpx__narrow_set(mpx__narrow *k, const mpx__span *span) {
    const mpx__row *row = span->to;
    int m = row->mantissa_bits, all_ones = (1 << (row->exponent_bits + m)) - 1, top = all_ones;
    if (row->family == MPX__FN) top -= span->saturate;
    if (row->family == MPX__IEEE) top = (all_ones & ~((1 << m) - 1)) - span->saturate;
    if (row->family == MPX__FNUZ) top += !span->saturate;
    k->unit = mpx__set((uint32_t)(127 + m - 23) << 23);
    k->least = mpx__set((uint32_t)(128 - row->bias) << 23);
    k->weights = mpx__weights_set(7 - m);
    k->to_code = mpx__shift16_set(7 - m);
    k->offset = mpx__set16((128 - row->bias) << m);
    k->top = mpx__set8(top);
    k->sign = mpx__set8(all_ones + 1);
    k->nan = mpx__set16(!MPX__NATIVE_F16 && span->from->type == MPX_F16 ? 0x7c00 : 0x7f80);
}

/* A block with NaN, and with Inf where it matters, by the codecs; one byte per code. */
MPX__PRIVATE void mpx__narrow_exactly(unsigned char *codes, const mpx__span *span,
                                      const unsigned char *s) {
    const uint32_t largest = mpx__largest_f32(span->to), inf = 0x7f800000u;
    uint32_t tile[MPX__BLOCK];
    int i;
    mpx__codes_to_f32(mpx__type_of(span->from), tile, s, MPX__BLOCK);
    for (i = 0; i < MPX__BLOCK && span->saturate; i++) {
        uint32_t a = tile[i] & 0x7fffffffu;
        if (a > largest && a <= inf) tile[i] += largest - a;
    }
    mpx__codes_from_f32(mpx__type_of(span->to), codes, tile, MPX__BLOCK);
}

/* (code + constant) * 2^(7-M), up to 0x8000. */
MPX__FORCE_INLINE mpx__vu mpx__round_lanes(mpx__vu a, const mpx__narrow *k) {
    mpx__vu e = mpx__fmax(mpx__and(a, mpx__set(0x7f800000u)), k->least);
    mpx__vu s = mpx__fmul_add(a, k->unit, e);
    return mpx__merge_words(s, 0xffu, k->weights); /* less NaN's payload */
}

/* A block: its results in words, its signs in bytes, and whether there may be NaN in it. in_words:
   they were words from the start, not packed. */
typedef struct mpx__rounded {
    mpx__vu low, high, sign, nan;
    int in_words;
} mpx__rounded;
typedef mpx__rounded (*mpx__words_fn)(const unsigned char *s, const mpx__narrow *k);

MPX__FORCE_INLINE mpx__vu mpx__f32_words(mpx__vu u0, mpx__vu u1, const mpx__narrow *k) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    return mpx__pack32s(mpx__round_lanes(mpx__and(u0, magnitude), k),
                        mpx__round_lanes(mpx__and(u1, magnitude), k));
}
/* Beside NaN, the largest finite values too may be above Inf. */
MPX__FORCE_INLINE mpx__rounded mpx__words_of_four(mpx__vu u0, mpx__vu u1, mpx__vu u2, mpx__vu u3,
                                                  const mpx__narrow *k) {
    mpx__rounded w;
    w.low = mpx__f32_words(u0, u1, k);
    w.high = mpx__f32_words(u2, u3, k);
    w.sign = mpx__signs_of_32(u0, u1, u2, u3);
    w.nan = mpx__gt16s(mpx__max16s(w.low, w.high), k->nan);
    w.in_words = 0;
    return w;
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f32(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_four(mpx__load32(s), mpx__load32(s + MPX__BLOCK),
                              mpx__load32(s + 2 * MPX__BLOCK), mpx__load32(s + 3 * MPX__BLOCK), k);
}

/* By round-to-odd. What that does not do right lies far below the smallest code, or far above the
   largest. */
MPX__DECODER(mpx__dec_f64_cut) {
    const unsigned char *s = (const unsigned char *)p;
    return mpx__odd_f32_of_f64(mpx__load32(s), mpx__load32(s + MPX__BLOCK));
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f64(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_four(mpx__dec_f64_cut(s), mpx__dec_f64_cut(s + 2 * MPX__BLOCK),
                              mpx__dec_f64_cut(s + 4 * MPX__BLOCK),
                              mpx__dec_f64_cut(s + 6 * MPX__BLOCK), k);
}

/* Magnitudes of 16 bits, to f32 in place: even lanes and odd lanes. */
typedef mpx__vu (*mpx__lane_fn)(mpx__vu a);
MPX__FORCE_INLINE mpx__vu mpx__even_bf16(mpx__vu a) { return mpx__shl(a, 16); }
MPX__FORCE_INLINE mpx__vu mpx__odd_bf16(mpx__vu a) { return mpx__and(a, mpx__set(0xffff0000u)); }

MPX__FORCE_INLINE mpx__vu mpx__interleaved(mpx__vu a, mpx__lane_fn even, mpx__lane_fn odd,
                                           const mpx__narrow *k) {
    return mpx__or(mpx__round_lanes(even(a), k), mpx__shl(mpx__round_lanes(odd(a), k), 16));
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_16(const unsigned char *s, mpx__lane_fn even,
                                              mpx__lane_fn odd, const mpx__narrow *k) {
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__BLOCK), magnitude = mpx__set16(0x7fff);
    mpx__vu a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
    mpx__rounded w;
    w.low = mpx__interleaved(a0, even, odd, k);
    w.high = mpx__interleaved(a1, even, odd, k);
    w.sign = mpx__signs_of_16(h0, h1);
    w.nan = mpx__gt16s(mpx__max16s(a0, a1), k->nan);
    w.in_words = 1;
    return w;
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_bf16(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_16(s, mpx__even_bf16, mpx__odd_bf16, k);
}
#if MPX__NATIVE_F16 /* 2/3 of the time (Zen 3, AVX2) */
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f16(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_four(mpx__dec_f16(s), mpx__dec_f16(s + MPX__BLOCK / 2),
                              mpx__dec_f16(s + MPX__BLOCK), mpx__dec_f16(s + 3 * MPX__BLOCK / 2),
                              k);
}
#else
/* f16 as f32 with the exponent moved: y. Of a subnormal the hidden bit is too much, and 2y - 2^-14
   is right; that is less than y for subnormals alone. Inf and NaN become 65536 and more. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_moved_f16(mpx__vu moved) {
    mpx__vu y = mpx__add(moved, mpx__set(112u << 23));
    return mpx__fmin(y, mpx__fmul_add(y, mpx__set(0x40000000u), mpx__set(0xb8800000u)));
}
MPX__FORCE_INLINE mpx__vu mpx__even_f16(mpx__vu a) {
    return mpx__f32_of_moved_f16(mpx__dot16s(a, mpx__set(0x2000u)));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_f16(mpx__vu a) {
    return mpx__f32_of_moved_f16(mpx__dot16s(a, mpx__set(0x20000000u)));
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f16(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_16(s, mpx__even_f16, mpx__odd_f16, k);
}
#endif

/* PLAIN: NaN saturates to the largest code, as in e4m3fn. CHECK: blocks with NaN go another way.
   FNUZ_ZERO, SIX_BITS, FOUR_BITS: so too; zero keeps no sign; the sign is in a lower place. */
enum { MPX__PLAIN, MPX__CHECK, MPX__FNUZ_ZERO, MPX__SIX_BITS, MPX__FOUR_BITS };

MPX__FORCE_INLINE mpx__vu mpx__code_words(mpx__vu w, const mpx__narrow *k) {
    return mpx__sub16(mpx__shr16(w, k->to_code), k->offset);
}
MPX__FORCE_INLINE mpx__vu mpx__narrow_block(const mpx__span *span, const unsigned char *s,
                                            mpx__words_fn words, const mpx__narrow *k, int kind) {
    mpx__rounded w = words(s, k);
    mpx__vu code = mpx__pack16(mpx__code_words(w.low, k), mpx__code_words(w.high, k));
    if (kind != MPX__PLAIN && mpx__any(w.nan)) {
        unsigned char codes[MPX__BLOCK];
        mpx__narrow_exactly(codes, span, s);
        return mpx__load32(codes);
    }
    code = mpx__min8(code, k->top);
    if (kind == MPX__FNUZ_ZERO) w.sign = mpx__and(w.sign, mpx__gt8s(code, mpx__set(0)));
    if (kind == MPX__SIX_BITS) w.sign = mpx__shr(w.sign, 2);
    if (kind == MPX__FOUR_BITS) w.sign = mpx__shr(w.sign, 4);
    code = mpx__or(code, mpx__and(w.sign, k->sign));
    return w.in_words ? mpx__packed_once(code) : mpx__packed_twice(code);
}

MPX__FORCE_INLINE size_t mpx__narrow_rows(const mpx__span *span, size_t size, mpx__words_fn words,
                                          int kind) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK, s += MPX__BLOCK * size) {
        mpx__fetch(s, MPX__BLOCK * size, stream);
        mpx__store_past(d, mpx__narrow_block(span, s, words, &k, kind), stream);
    }
    return span->n - n;
}

MPX__FORCE_INLINE size_t mpx__narrow_nibbles(const mpx__span *span, size_t size,
                                             mpx__words_fn words) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n, step = MPX__BLOCK * size;
    mpx__narrow k;
    mpx__narrow_set(&k, span);
    for (; n >= 2 * MPX__BLOCK; n -= 2 * MPX__BLOCK, d += MPX__BLOCK, s += 2 * step) {
        mpx__vu a = mpx__narrow_block(span, s, words, &k, MPX__FOUR_BITS);
        mpx__vu b = mpx__narrow_block(span, s + step, words, &k, MPX__FOUR_BITS);
        mpx__fetch(s, 2 * step, stream);
        mpx__store_past(d, mpx__join4(a, b), stream);
    }
    return span->n - n;
}
MPX__FORCE_INLINE size_t mpx__narrow_packed6(const mpx__span *span, size_t size,
                                             mpx__words_fn words) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK / 4 * 3, s += MPX__BLOCK * size) {
        mpx__vu code = mpx__narrow_block(span, s, words, &k, MPX__SIX_BITS);
        mpx__put_joined6(d, mpx__join6(code), n);
    }
    return span->n - n;
}

/* One function per source and kind. */
#define MPX__NARROW_FROM(name, size, words) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        const mpx__row *to = span->to; \
        if (to->bits == 4 && span->packed) return mpx__narrow_nibbles(span, size, words); \
        if (to->bits == 6 && span->packed) return mpx__narrow_packed6(span, size, words); \
        if (to->bits == 4) return mpx__narrow_rows(span, size, words, MPX__FOUR_BITS); \
        if (to->bits == 6) return mpx__narrow_rows(span, size, words, MPX__SIX_BITS); \
        if (to->family == MPX__FNUZ) return mpx__narrow_rows(span, size, words, MPX__FNUZ_ZERO); \
        if (to->family == MPX__FN && !span->saturate) \
            return mpx__narrow_rows(span, size, words, MPX__PLAIN); \
        return mpx__narrow_rows(span, size, words, MPX__CHECK); \
    }
MPX__NARROW_FROM(mpx__narrow_f32, 4, mpx__words_of_f32)
MPX__NARROW_FROM(mpx__narrow_f64, 8, mpx__words_of_f64)
MPX__NARROW_FROM(mpx__narrow_f16, 2, mpx__words_of_f16)
MPX__NARROW_FROM(mpx__narrow_bf16, 2, mpx__words_of_bf16)
#undef MPX__NARROW_FROM

/* f16 has the exponents of e5m2: half a unit less one is added, and one for odd codes. 2.5 times as
   fast as by f32. */
MPX__FORCE_INLINE mpx__vu mpx__e5m2_words(mpx__vu h, mpx__vu a) {
    mpx__vu odd = mpx__and(mpx__shr(h, 8), mpx__set16(1));
    return mpx__shr16(mpx__add16(mpx__add16(a, mpx__set16(0x7f)), odd), mpx__shift16_set(8));
}
MPX__PRIVATE size_t mpx__f16_to_e5m2(const mpx__span *span) {
    const mpx__vu magnitude = mpx__set16(0x7fff), inf = mpx__set16(0x7c00);
    const mpx__vu top = mpx__set8(0x7c - span->saturate), sign_bit = mpx__set8(0x80);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK, s += 2 * MPX__BLOCK) {
        mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__BLOCK), code, sign;
        mpx__vu a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
        mpx__fetch(s, 2 * MPX__BLOCK, stream);
        if (mpx__any(mpx__gt16s(mpx__max16s(a0, a1), inf))) {
            mpx__narrow_exactly(d, span, s);
            continue;
        }
        code = mpx__pack16(mpx__e5m2_words(h0, a0), mpx__e5m2_words(h1, a1));
        sign = mpx__and(mpx__signs_of_16(h0, h1), sign_bit);
        code = mpx__or(mpx__min8(code, top), sign);
        mpx__store_past(d, mpx__packed_once(code), stream);
    }
    return span->n - n;
}

/* ---- to f16 without conversion instructions -------------------------------------------------- */

#if !MPX__NATIVE_F16
/* The same with ten mantissa bits: code + constant is 8 * upper + lower, in 32 bits. Packed, Inf,
   NaN and what is far beyond saturate: such blocks go another way. */
MPX__FORCE_INLINE mpx__vu mpx__f16_lanes(mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu));
    mpx__vu e = mpx__fmax(mpx__and(u, mpx__set(0x7f800000u)), mpx__set(113u << 23));
    mpx__vu s = mpx__fmul_add(a, mpx__set(114u << 23), e); /* times 2^-13 */
    s = mpx__dot16s(mpx__and(s, mpx__set(0xffff0fffu)), mpx__set(0x80001u));
    return mpx__sub(s, mpx__set(113u << 10));
}
MPX__FORCE_INLINE mpx__vu mpx__signed_f16(mpx__vu t, mpx__vu u0, mpx__vu u1, mpx__vu top) {
    mpx__vu sign = mpx__and(mpx__pack32s(u0, u1), mpx__set(0x80008000u));
    return mpx__packed_once(mpx__or(mpx__min16s(t, top), sign));
}
MPX__FORCE_INLINE size_t mpx__f16_rows(const mpx__span *span, size_t size) {
    const mpx__vu top = mpx__set16(0x7c00 - span->saturate), far_beyond = mpx__set16(0x7ffe);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__env env = mpx__env_enter();
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 2 * MPX__BLOCK, s += MPX__BLOCK * size) {
        mpx__vu u0 = mpx__load32(s), u1 = mpx__load32(s + MPX__BLOCK), u2 = u0, u3 = u1, t0, t1;
        if (size == 4) {
            u2 = mpx__load32(s + 2 * MPX__BLOCK);
            u3 = mpx__load32(s + 3 * MPX__BLOCK);
        } else { /* bf16 */
            mpx__pair16(mpx__set(0), mpx__to_pair_once(u1), &u2, &u3);
            mpx__pair16(mpx__set(0), mpx__to_pair_once(u0), &u0, &u1);
        }
        t0 = mpx__pack32s(mpx__f16_lanes(u0), mpx__f16_lanes(u1));
        t1 = mpx__pack32s(mpx__f16_lanes(u2), mpx__f16_lanes(u3));
        if (mpx__any(mpx__gt16s(mpx__max16s(t0, t1), far_beyond))) {
            mpx__narrow_exactly(d, span, s);
            continue;
        }
        mpx__fetch(s, MPX__BLOCK * size, stream);
        mpx__store_past(d, mpx__signed_f16(t0, u0, u1, top), stream);
        mpx__store_past(d + MPX__BLOCK, mpx__signed_f16(t1, u2, u3, top), stream);
    }
    mpx__env_leave(env);
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_f16_row(const mpx__span *span) { return mpx__f16_rows(span, 4); }
MPX__PRIVATE size_t mpx__bf16_to_f16_row(const mpx__span *span) { return mpx__f16_rows(span, 2); }
#endif

#endif

/* ---- from the floats of a byte and less ------------------------------------------------------ */

/* The words of bf16 and f16 (T mantissa bits) as a function of a code's magnitude are made of
   straight lines: between two powers of two the word grows by a fixed step, which is 2^(T-M) for
   normal codes and doubles with every binade of subnormal ones below. The function is concave, so
   it is the minimum of all M + 1 lines, and zero at zero.
       line j:  magnitude * 2^(T-M) * 2^j + ((bias' - bias - j) << T)        j = 0 ... M
   Sums saturate, above all that matters. f32 is the bf16 with zeros below.
   e5m2fnuz has normal codes that are subnormal in f16: a convex function, the maximum of two
   lines. */
typedef struct mpx__lines {
    mpx__vu magnitude, sign;   /* their bits in a code                        */
    mpx__vu scale, to_sign;    /* shifts to their places in words, as factors */
    mpx__vu line[5];           /* what is added                               */
} mpx__lines;

MPX__PRIVATE void mpx__lines_set(mpx__lines *k, const mpx__span *span) {
    const mpx__row *row = span->from;
    int m = row->mantissa_bits, top = 1 << (row->exponent_bits + m), i;
    int f16 = span->to->type == MPX_F16, t = f16 ? 10 : 7, rebias = (f16 ? 15 : 127) - row->bias;
    k->magnitude = mpx__set16(top - 1);
    k->sign = mpx__set16(top);
    k->scale = mpx__set16(1 << (t - m));
    k->to_sign = mpx__set16(0x8000 / top);
    for (i = 0; i <= 4; i++)
        k->line[i] = mpx__set16((rebias - i) * (1 << t));
}

MPX__FORCE_INLINE mpx__vu mpx__next_line(mpx__vu r, mpx__vu steps, mpx__vu line) {
    return mpx__min16s(r, mpx__sum16s(steps, line));
}
/* m: mantissa bits of the code; 0 for the maximum. The code is in the lowest bits of w. */
MPX__FORCE_INLINE mpx__vu mpx__word_of_code(mpx__vu w, const mpx__lines *k, int m) {
    mpx__vu x = mpx__mul16(mpx__and(w, k->magnitude), k->scale), two = mpx__sum16s(x, x);
    mpx__vu four = mpx__sum16s(two, two), eight = mpx__sum16s(four, four);
    mpx__vu r = mpx__sum16s(x, k->line[0]), some = mpx__gt16s(x, mpx__set(0));
    if (m == 0) r = mpx__max16s(mpx__shr(x, 1), r);
    if (m >= 1) r = mpx__next_line(r, two, k->line[1]);
    if (m >= 2) r = mpx__next_line(r, four, k->line[2]);
    if (m >= 3) r = mpx__next_line(r, eight, k->line[3]);
    if (m >= 4) r = mpx__next_line(r, mpx__sum16s(eight, eight), k->line[4]);
    return mpx__or(m == 0 ? r : mpx__and(r, some), mpx__mul16(mpx__and(w, k->sign), k->to_sign));
}

/* Of a code, (code & mask) + add is above `finite`, signed, if it is Inf or NaN. */
typedef struct mpx__finite {
    mpx__vu mask, add, finite;
} mpx__finite;
MPX__FORCE_INLINE void mpx__finite_set(mpx__finite *k, const mpx__row *row) {
    int m = row->mantissa_bits, top = 1 << (row->exponent_bits + m), finite = top - 1;
    int fnuz = row->family == MPX__FNUZ;
    if (row->family == MPX__FN) finite = top - 2;
    if (row->family == MPX__IEEE) finite = top - 1 - (1 << m);
    k->mask = mpx__set8(fnuz ? 255 : top - 1);
    k->add = mpx__set8(fnuz ? -1 : 0);
    k->finite = mpx__set8(fnuz ? 126 : finite);
}
MPX__FORCE_INLINE int mpx__has_special(mpx__vu codes, const mpx__finite *k) {
    return mpx__any(mpx__gt8s(mpx__add8(mpx__and(codes, k->mask), k->add), k->finite));
}
/* A block with Inf or NaN, by the codecs. */
MPX__PRIVATE void mpx__widen_exactly(unsigned char *d, const mpx__span *span,
                                     const unsigned char *s) {
    uint32_t tile[MPX__BLOCK];
    mpx__codes_to_f32(mpx__type_of(span->from), tile, s, MPX__BLOCK);
    mpx__codes_from_f32(mpx__type_of(span->to), d, tile, MPX__BLOCK);
}

MPX__FORCE_INLINE void mpx__put_words(unsigned char *d, mpx__vu w, int to_f32, int stream) {
    mpx__vu low, high;
    if (!to_f32) {
        mpx__store_past(d, w, stream);
        return;
    }
    mpx__pair16(mpx__set(0), mpx__to_pair_once(w), &low, &high);
    mpx__store_past(d, low, stream);
    mpx__store_past(d + MPX__BLOCK, high, stream);
}
/* A block of codes of `bits` bits as words. Of four: a byte's upper half to the next word; what
   else is moved there is no bit of a code. */
MPX__FORCE_INLINE mpx__vu mpx__load4to16(const unsigned char *s) {
    mpx__vu pair = mpx__load8(s);
    return mpx__or(pair, mpx__shl(pair, 12));
}
MPX__FORCE_INLINE void mpx__load_words(const unsigned char *s, int bits, size_t n, mpx__vu *low,
                                       mpx__vu *high) {
    if (bits == 8) {
        *low = mpx__load8to16(s);
        *high = mpx__load8to16(s + MPX__BLOCK / 2);
    } else if (bits == 4) {
        *low = mpx__load4to16(s);
        *high = mpx__load4to16(s + MPX__BLOCK / 4);
    } else {
        mpx__pair8(mpx__to_pair_once(mpx__get_split6(s, n)), mpx__set(0), low, high);
    }
}
/* Below a byte, all codes are finite. */
MPX__FORCE_INLINE size_t mpx__from_small_rows(const mpx__span *span, int bits, int m, int to_f32) {
    const size_t half = to_f32 ? 2 * MPX__BLOCK : MPX__BLOCK, step = MPX__BLOCK / 8 * (size_t)bits;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__finite finite;
    mpx__lines k;
    mpx__finite_set(&finite, span->from);
    mpx__lines_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 2 * half, s += step) {
        mpx__vu low, high;
        mpx__load_words(s, bits, n, &low, &high);
        mpx__fetch(s, step, stream);
        if (bits == 8 && mpx__has_special(mpx__load32(s), &finite)) {
            mpx__widen_exactly(d, span, s);
            continue;
        }
        mpx__put_words(d, mpx__word_of_code(low, &k, m), to_f32, stream);
        mpx__put_words(d + half, mpx__word_of_code(high, &k, m), to_f32, stream);
    }
    return span->n - n;
}

/* e5m2 is the upper half of f16; NaN becomes quiet. */
MPX__PRIVATE size_t mpx__widen_e5m2_to_f16(const mpx__span *span) {
    const mpx__vu magnitude = mpx__set8(0x7f), inf = mpx__set8(0x7c), quiet = mpx__set8(2);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 2 * MPX__BLOCK, s += MPX__BLOCK) {
        mpx__vu code = mpx__to_pair_once(mpx__load32(s)), low, high;
        mpx__vu nan = mpx__gt8s(mpx__and(code, magnitude), inf);
        mpx__pair8(mpx__set(0), mpx__or(code, mpx__and(nan, quiet)), &low, &high);
        mpx__fetch(s, MPX__BLOCK, stream);
        mpx__store_past(d, low, stream);
        mpx__store_past(d + MPX__BLOCK, high, stream);
    }
    return span->n - n;
}

#define MPX__WIDEN(name, to_f32) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        int bits = (int)mpx__stored_bits(span->from, span->packed), m = span->from->mantissa_bits; \
        if (bits == 4) return mpx__from_small_rows(span, 4, 1, to_f32); \
        if (bits == 6 && m == 2) return mpx__from_small_rows(span, 6, 2, to_f32); \
        if (bits == 6) return mpx__from_small_rows(span, 6, 3, to_f32); \
        if (m == 1) return mpx__from_small_rows(span, 8, 1, to_f32); \
        if (m == 2) return mpx__from_small_rows(span, 8, 2, to_f32); \
        if (m == 3) return mpx__from_small_rows(span, 8, 3, to_f32); \
        return mpx__from_small_rows(span, 8, 4, to_f32); \
    }
MPX__WIDEN(mpx__widen_to_16, 0)
MPX__WIDEN(mpx__widen_to_f32, 1)
#undef MPX__WIDEN

/* ---- bytes to f32 by way of f16 -------------------------------------------------------------- */

#ifdef MPX__HAS_BYTES_AS_F16
/* f16 has more bits for both fields: their value there, subnormals too, times a power of two. */
MPX__FORCE_INLINE size_t mpx__bytes_by_f16(const mpx__span *span, int m, int stream) {
    const mpx__vu scale = mpx__set((uint32_t)(127 + 15 - span->from->bias) << 23);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__finite finite;
    mpx__finite_set(&finite, span->from);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 4 * MPX__BLOCK, s += MPX__BLOCK) {
        mpx__vu v[4];
        if (mpx__has_special(mpx__load32(s), &finite)) {
            mpx__widen_exactly(d, span, s);
            continue;
        }
        mpx__load_bytes_as_f16(v, s, m);
        mpx__load_bytes_as_f16(v + 2, s + MPX__BLOCK / 2, m);
        mpx__fetch(s, MPX__BLOCK, stream);
        mpx__store_past(d, mpx__fmul(v[0], scale), stream);
        mpx__store_past(d + MPX__BLOCK, mpx__fmul(v[1], scale), stream);
        mpx__store_past(d + 2 * MPX__BLOCK, mpx__fmul(v[2], scale), stream);
        mpx__store_past(d + 3 * MPX__BLOCK, mpx__fmul(v[3], scale), stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__bytes_to_f32(const mpx__span *span) {
    if (span->from->mantissa_bits == 4) return mpx__bytes_by_f16(span, 4, span->stream);
    return span->stream ? mpx__bytes_by_f16(span, 3, 1) : mpx__bytes_by_f16(span, 3, 0);
}
MPX__INLINE int mpx__are_bytes_to_f32(const mpx__span *span) {
    const mpx__row *from = span->from;
    return span->to->type == MPX_F32 && from->bits == 8 && from->exponent_bits <= 4;
}
#else
MPX__INLINE size_t mpx__bytes_to_f32(const mpx__span *span) { return (void)span, 0; }
MPX__INLINE int mpx__are_bytes_to_f32(const mpx__span *span) { return (void)span, 0; }
#endif

/* ---- the same by tables ---------------------------------------------------------------------- */

#if MPX__HAS_LOOKUP

/* A normal code's word is a sum of what its upper and its lower four bits give, without carries if
   the difference of the biases is even enough; magnitudes below 16 are corrected by a third table,
   made by the codecs. Words in planes of bytes. Twice as fast as the lines. */
typedef struct mpx__nibbles {
    mpx__vu upper_low, upper_high, lower_low, lower_high, small_low, small_high, magnitude;
} mpx__nibbles;

MPX__FORCE_INLINE int mpx__nibbles_serve(const mpx__span *span) {
    const mpx__row *row = span->from;
    int rebias = (span->to->type == MPX_F16 ? 15 : 127) - row->bias;
    return row->bits == 4 || (rebias > 0 && rebias % (1 << (4 - row->mantissa_bits)) == 0);
}
/* Of four bits, the third table is all. */
MPX__PRIVATE void mpx__nibbles_set(mpx__nibbles *k, const mpx__span *span) {
    const mpx__row *row = span->from;
    int f16 = span->to->type == MPX_F16, top = 1 << (row->exponent_bits + row->mantissa_bits);
    int t = f16 ? 10 : 7, rebias = ((f16 ? 15 : 127) - row->bias) * (1 << t), i;
    unsigned char codes[16], planes[6][16];
    uint32_t tile[16];
    for (i = 0; i < 16; i++)
        codes[i] = (unsigned char)i;
    mpx__codes_to_f32(mpx__type_of(span->from), tile, codes, 16);
    for (i = 0; i < 16; i++) {
        int word = f16 ? mpx_f16_from_bits(tile[i]) : mpx_bf16_from_bits(tile[i]);
        int shift = t - row->mantissa_bits, sign = (i << 4 & top) != 0 ? 0x8000 : 0;
        int upper = sign + rebias + (i << 4 & (top - 1)) * (1 << shift), lower = i << shift;
        int tiny = word ^ (row->bits == 4 ? 0 : rebias ^ lower);
        planes[0][i] = (unsigned char)(upper & 255);
        planes[1][i] = (unsigned char)(upper >> 8);
        planes[2][i] = (unsigned char)(lower & 255);
        planes[3][i] = (unsigned char)(lower >> 8);
        planes[4][i] = (unsigned char)(tiny & 255);
        planes[5][i] = (unsigned char)(tiny >> 8);
    }
    k->upper_low = mpx__table16(planes[0]);
    k->upper_high = mpx__table16(planes[1]);
    k->lower_low = mpx__table16(planes[2]);
    k->lower_high = mpx__table16(planes[3]);
    k->small_low = mpx__table16(planes[4]);
    k->small_high = mpx__table16(planes[5]);
    k->magnitude = mpx__set8(top - 1);
}

MPX__FORCE_INLINE void mpx__look_up_words(mpx__vu codes, const mpx__nibbles *k, int bits,
                                          mpx__vu *a, mpx__vu *b) {
    const mpx__vu four = mpx__set8(15);
    mpx__vu low, high, upper, lower, tiny;
    if (bits == 4) {
        mpx__pair8(mpx__entries(k->small_low, codes), mpx__entries(k->small_high, codes), a, b);
        return;
    }
    upper = mpx__and(mpx__shr(codes, 4), four);
    lower = mpx__and(codes, four);
    tiny = mpx__and(codes, k->magnitude);
    low = mpx__xor(mpx__entries(k->upper_low, upper), mpx__entries(k->lower_low, lower));
    high = mpx__xor(mpx__entries(k->upper_high, upper), mpx__entries(k->lower_high, lower));
    mpx__pair8(mpx__xor(low, mpx__entries_or_zero(k->small_low, tiny)),
               mpx__xor(high, mpx__entries_or_zero(k->small_high, tiny)), a, b);
}
/* A vector of codes, to two of words or four of f32. */
MPX__FORCE_INLINE void mpx__put_looked_up(unsigned char *d, mpx__vu codes, const mpx__nibbles *k,
                                          int bits, int to_f32, int stream) {
    mpx__vu a, b, low, high;
    codes = to_f32 ? mpx__to_pair_twice(codes) : mpx__to_pair_once(codes);
    mpx__look_up_words(codes, k, bits, &a, &b);
    if (!to_f32) {
        mpx__store_past(d, a, stream);
        mpx__store_past(d + MPX__BLOCK, b, stream);
        return;
    }
    mpx__pair16(mpx__set(0), a, &low, &high);
    mpx__store_past(d, low, stream);
    mpx__store_past(d + MPX__BLOCK, high, stream);
    mpx__pair16(mpx__set(0), b, &low, &high);
    mpx__store_past(d + 2 * MPX__BLOCK, low, stream);
    mpx__store_past(d + 3 * MPX__BLOCK, high, stream);
}
/* bits: of a code; step: of one in memory, whose other bits may be anything. */
MPX__FORCE_INLINE size_t mpx__look_up_rows(const mpx__span *span, int bits, int step, int to_f32) {
    const size_t s_step = MPX__BLOCK / 8 * (size_t)step, d_step = MPX__BLOCK * (to_f32 ? 4u : 2u);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__finite finite;
    mpx__nibbles k;
    mpx__finite_set(&finite, span->from);
    mpx__nibbles_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += d_step, s += s_step) {
        mpx__vu codes = step == 8 ? mpx__load32(s) : mpx__get_split6(s, n);
        if (step == 8 && bits < 8) codes = mpx__and(codes, mpx__set8((1 << bits) - 1));
        mpx__fetch(s, s_step, stream);
        if (bits == 8 && mpx__has_special(codes, &finite))
            mpx__widen_exactly(d, span, s);
        else
            mpx__put_looked_up(d, codes, &k, bits, to_f32, stream);
    }
    return span->n - n;
}
MPX__FORCE_INLINE size_t mpx__look_up_pairs(const mpx__span *span, int to_f32) {
    const size_t d_step = MPX__BLOCK * (to_f32 ? 4u : 2u);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__nibbles k;
    mpx__nibbles_set(&k, span);
    for (; n >= 2 * MPX__BLOCK; n -= 2 * MPX__BLOCK, d += 2 * d_step, s += MPX__BLOCK) {
        mpx__vu low, high;
        mpx__fetch(s, MPX__BLOCK, stream);
        mpx__split4(mpx__load32(s), &low, &high);
        mpx__put_looked_up(d, low, &k, 4, to_f32, stream);
        mpx__put_looked_up(d + d_step, high, &k, 4, to_f32, stream);
    }
    return span->n - n;
}
#define MPX__LOOK_UP(name, to_f32) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        const int bits = span->from->bits, packed = span->packed; \
        if (bits == 4 && packed) return mpx__look_up_pairs(span, to_f32); \
        if (bits == 4) return mpx__look_up_rows(span, 4, 8, to_f32); \
        if (bits == 6 && packed) return mpx__look_up_rows(span, 6, 6, to_f32); \
        if (bits == 6) return mpx__look_up_rows(span, 6, 8, to_f32); \
        return mpx__look_up_rows(span, 8, 8, to_f32); \
    }
MPX__LOOK_UP(mpx__look_up_to_16, 0)
MPX__LOOK_UP(mpx__look_up_to_f32, 1)
#undef MPX__LOOK_UP
/* To make the tables takes some 25 ns. */
MPX__INLINE int mpx__look_up_pays(const mpx__span *span) {
    return span->n >= 256 && mpx__nibbles_serve(span);
}
MPX__INLINE size_t mpx__look_up_span(const mpx__span *span) {
    return span->to->type == MPX_F32 ? mpx__look_up_to_f32(span) : mpx__look_up_to_16(span);
}
#else
MPX__INLINE int mpx__look_up_pays(const mpx__span *span) { return (void)span, 0; }
MPX__INLINE size_t mpx__look_up_span(const mpx__span *span) { return (void)span, 0; }
#endif

/* ---- which row ------------------------------------------------------------------------------- */

MPX__INLINE int mpx__is_small(const mpx__row *row) {
    return row->kind == MPX_KIND_FLOAT && row->bits <= 8 && row->family != MPX__E8M0;
}
/* From them, not saturating. */
MPX__PRIVATE size_t mpx__from_small_row(const mpx__span *span) {
    const int to = span->to->type, from = span->from->type;
    if (to != MPX_F32 && to != MPX_F16 && to != MPX_BF16) return 0;
    if (to == MPX_F16 && from == MPX_F8E5M2) return mpx__widen_e5m2_to_f16(span);
    if (to == MPX_F16 && from == MPX_F8E5M2FNUZ) return mpx__from_small_rows(span, 8, 0, 0);
    if (mpx__are_bytes_to_f32(span)) return mpx__bytes_to_f32(span);
    if (mpx__look_up_pays(span)) return mpx__look_up_span(span);
    return to == MPX_F32 ? mpx__widen_to_f32(span) : mpx__widen_to_16(span);
}

#if !MPX__HAS_OWN_ROWS /* nor a switch of its own */
MPX__PRIVATE size_t mpx__to_small_row(const mpx__span *span) {
    mpx__env env;
    size_t done = 0;
    if (span->from->type == MPX_F16 && span->to->type == MPX_F8E5M2) return mpx__f16_to_e5m2(span);
    env = mpx__env_enter();
    if (span->from->type == MPX_F32) done = mpx__narrow_f32(span);
    if (span->from->type == MPX_F64) done = mpx__narrow_f64(span);
    if (span->from->type == MPX_F16) done = mpx__narrow_f16(span);
    if (span->from->type == MPX_BF16) done = mpx__narrow_bf16(span);
    mpx__env_leave(env);
    return done;
}
/* To f16 from f32 and bf16, where that is for this room. */
#if MPX__NATIVE_F16
MPX__INLINE size_t mpx__to_f16_row(const mpx__span *span) { return (void)span, 0; }
#else
MPX__PRIVATE size_t mpx__to_f16_row(const mpx__span *span) {
    if (span->to->type != MPX_F16) return 0;
    if (span->from->type == MPX_F32) return mpx__f32_to_f16_row(span);
    return span->from->type == MPX_BF16 ? mpx__bf16_to_f16_row(span) : 0;
}
#endif
/* Returns the elements done, from the start of the span: whole blocks. */
MPX__PRIVATE size_t mpx__small_row(const mpx__span *span) {
    if (span->to->bits <= 8) return mpx__to_small_row(span);
    return span->saturate ? 0 : mpx__from_small_row(span);
}
#endif

#endif
