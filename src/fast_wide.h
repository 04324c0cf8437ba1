/*==========================================================================*
 * MARK: fast_wide - dtypes of 16 bits and more, by float arithmetic         *
 *   As fast_small. A row is a loop over blocks of four vectors. A block     *
 *   with something that float instructions do not do as the codec does goes *
 *   through the codec.                                                      *
 *==========================================================================*/
#if MPX__HAS_FLOAT && !MPX__HAS_OWN_ROWS

enum { MPX__VECTOR = 4 * MPX__LANES }; /* bytes; MPX__BLOCK: elements in four of them */

/* A block by the codecs alone. */
MPX__PRIVATE mpx__kernel mpx__direct_kernel(mpx_dtype dst_type, mpx_dtype src_type);
MPX__PRIVATE void mpx__block_exactly(unsigned char *d, const mpx__row *to, const unsigned char *s,
                                     const mpx__row *from) {
    mpx__kernel direct = mpx__direct_kernel(mpx__type_of(to), mpx__type_of(from));
    uint32_t tile[MPX__BLOCK];
    if (direct != NULL) {
        direct(d, s, MPX__BLOCK);
    } else {
        mpx__codes_to_f32(mpx__type_of(from), tile, s, MPX__BLOCK);
        mpx__codes_from_f32(mpx__type_of(to), d, tile, MPX__BLOCK);
    }
}

/* One block from s to d, in place too; 0, and nothing written, where the codec is needed. */
typedef int (*mpx__block_fn)(unsigned char *d, const unsigned char *s, int stream);
typedef int (*mpx__block_store_fn)(unsigned char *d, const mpx__vu v[4], int stream);

MPX__FORCE_INLINE size_t mpx__stream_blocks(const mpx__span *span, size_t to_size,
                                            size_t from_size, mpx__block_fn block, int stream) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__fetch(s, MPX__BLOCK * from_size, stream);
        if (!block(d, s, stream)) mpx__block_exactly(d, span->to, s, span->from);
        d += MPX__BLOCK * to_size;
        s += MPX__BLOCK * from_size;
    }
    return span->n - n;
}
/* Near the speed of the caches a branch per store counts. */
MPX__FORCE_INLINE size_t mpx__blocks(const mpx__span *span, size_t to_size, size_t from_size,
                                     mpx__block_fn block) {
#if MPX__HAS_STREAM
    if (span->stream) return mpx__stream_blocks(span, to_size, from_size, block, 1);
#endif
    return mpx__stream_blocks(span, to_size, from_size, block, 0);
}
/* From element `start` up to the first `step` elements, a block or several, that need the codec: a
   loop that calls nothing. Not past the caches. Returns where it ends. */
MPX__FORCE_INLINE size_t mpx__blocks_until(const mpx__span *span, size_t start, size_t step,
                                           size_t to_size, size_t from_size, mpx__block_fn block) {
    const unsigned char *s = span->s + start * from_size;
    unsigned char *d = span->d + start * to_size;
    size_t n = span->n - start;
    for (; n >= step && block(d, s, 0); n -= step) {
        d += step * to_size;
        s += step * from_size;
    }
    return span->n - n;
}
/* Elements of `step`, a block each, short or not. Loops compare pointers, and count nothing else.
   Those of short blocks are unrolled: the place of such a loop in the code costs up to half its
   time again (Zen 5), and changes with any change before it. */
MPX__FORCE_INLINE size_t mpx__steps(const mpx__span *span, size_t to_size, size_t from_size,
                                    size_t step, mpx__block_fn block, int is_short) {
    const size_t done = span->n / step * step;
    const unsigned char *s = span->s, *end = s + done * from_size;
    unsigned char *d = span->d;
    if (MPX__HAS_STREAM && span->stream) {
        for (; s != end; d += step * to_size, s += step * from_size) {
            mpx__fetch(s, step * from_size, 1);
            (void)block(d, s, 1);
        }
    } else if (is_short) {
        MPX__UNROLL_TWICE
        for (; s != end; d += step * to_size, s += step * from_size)
            (void)block(d, s, 0);
    } else {
        for (; s != end; d += step * to_size, s += step * from_size)
            (void)block(d, s, 0);
    }
    return done;
}
/* A row whose float instructions, if any, are exact: none depends on a mode or raises a flag; one
   that needs the environment; one of a single float instruction per vector, and of F16C's. */
#define MPX__EXACT_ROW(name, to_size, from_size, block) \
    MPX__FORCE_INLINE size_t name(const mpx__span *span) { \
        return mpx__blocks(span, to_size, from_size, block); \
    }
#define MPX__ROW_WITHIN(name, to_size, from_size, block, enter, leave) \
    MPX__FORCE_INLINE size_t name(const mpx__span *span) { \
        mpx__env env = enter(); \
        size_t done = mpx__blocks(span, to_size, from_size, block); \
        leave(env); \
        return done; \
    }
#define MPX__WIDE_ROW(name, to_size, from_size, block) \
    MPX__ROW_WITHIN(name, to_size, from_size, block, mpx__env_enter, mpx__env_leave)
#define MPX__ONE_STEP_ROW(name, to_size, from_size, block) \
    MPX__ROW_WITHIN(name, to_size, from_size, block, mpx__modes_enter, mpx__modes_leave)
#define MPX__F16_ROW(name, to_size, from_size, block) \
    MPX__ROW_WITHIN(name, to_size, from_size, block, mpx__f16_enter, mpx__f16_leave)

MPX__FORCE_INLINE void mpx__load_block(mpx__vu v[4], const unsigned char *s) {
    v[0] = mpx__load32(s);
    v[1] = mpx__load32(s + MPX__VECTOR);
    v[2] = mpx__load32(s + 2 * MPX__VECTOR);
    v[3] = mpx__load32(s + 3 * MPX__VECTOR);
}
/* Words to the upper halves of lanes, above zeros. */
MPX__FORCE_INLINE void mpx__upper_two(mpx__vu v[2], mpx__vu words) {
    mpx__pair16(mpx__set(0), mpx__to_pair_once(words), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__upper_block(mpx__vu v[4], const unsigned char *s) {
    mpx__upper_two(v, mpx__load32(s));
    mpx__upper_two(v + 2, mpx__load32(s + MPX__VECTOR));
}
MPX__FORCE_INLINE int mpx__store_block(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
    mpx__store_past(d + 2 * MPX__VECTOR, v[2], stream);
    mpx__store_past(d + 3 * MPX__VECTOR, v[3], stream);
    return 1;
}

/* Whether one of the magnitudes has an upper half above `limit`. */
#ifdef MPX__HAS_UPPER_WORDS /* which have been made, or will be */
MPX__FORCE_INLINE int mpx__above_words(mpx__vu a, mpx__vu b, uint32_t limit) {
    mpx__vu magnitude = mpx__set(0x7fff7fffu);
    return mpx__any(mpx__gt16s(mpx__max16(mpx__and(a, magnitude), mpx__and(b, magnitude)),
                               mpx__set(limit * 0x10001u)));
}
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    return mpx__above_words(mpx__upper_words(v[0], v[1]), mpx__upper_words(v[2], v[3]), limit);
}
#else
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max_upper(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max_upper(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any(mpx__gt_signed(mpx__max_upper(a, b), mpx__set(limit << 16 | 0xffffu)));
}
#endif

/* Whether one of a block is NaN; without float comparisons, which raise flags. */
MPX__FORCE_INLINE mpx__vu mpx__nan_in(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), inf = mpx__set(0x7f800000u);
    return mpx__or(mpx__gt_signed(mpx__and(a, magnitude), inf),
                   mpx__gt_signed(mpx__and(b, magnitude), inf));
}
/* The same where none is signalling: an ISA may compare floats, between enter and leave. */
#ifndef MPX__HAS_QUIET_NAN
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) { return mpx__nan_in(a, b); }
#endif
#ifndef MPX__HAS_NAN_IN_BLOCK
MPX__FORCE_INLINE int mpx__nan_in_four(const mpx__vu v[4]) {
    return mpx__any(mpx__or(mpx__nan_in(v[0], v[1]), mpx__nan_in(v[2], v[3])));
}
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    return mpx__above_block(v, 0x7f7f) && mpx__nan_in_four(v);
}
#endif

/* ---- f64 ------------------------------------------------------------------------------------- */

MPX__DECODER(mpx__dec_f64_nearest) {
    return mpx__f32_of_f64(mpx__load32(p), mpx__load32((const unsigned char *)p + MPX__VECTOR));
}
MPX__FORCE_INLINE void mpx__f64_block(mpx__vu v[4], const unsigned char *s, mpx__dec_fn dec) {
    v[0] = dec(s);
    v[1] = dec(s + 2 * MPX__VECTOR);
    v[2] = dec(s + 4 * MPX__VECTOR);
    v[3] = dec(s + 6 * MPX__VECTOR);
}
#ifdef MPX__HAS_STORE_HALF
MPX__FORCE_INLINE void mpx__store_f32_of_f64(unsigned char *d, const unsigned char *s) {
    mpx__store_half_of_f64(d, mpx__load32(s));
    mpx__store_half_of_f64(d + MPX__VECTOR / 2, mpx__load32(s + MPX__VECTOR));
}
#else
MPX__FORCE_INLINE void mpx__store_f32_of_f64(unsigned char *d, const unsigned char *s) {
    mpx__store32(d, mpx__dec_f64_nearest(s));
}
#endif
MPX__FORCE_INLINE int mpx__block_f32_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    if (!stream) {
        mpx__store_f32_of_f64(d, s);
        mpx__store_f32_of_f64(d + MPX__VECTOR, s + 2 * MPX__VECTOR);
        mpx__store_f32_of_f64(d + 2 * MPX__VECTOR, s + 4 * MPX__VECTOR);
        mpx__store_f32_of_f64(d + 3 * MPX__VECTOR, s + 6 * MPX__VECTOR);
        return 1;
    }
    mpx__f64_block(v, s, mpx__dec_f64_nearest);
    return mpx__store_block(d, v, stream);
}
MPX__ONE_STEP_ROW(mpx__f64_to_f32_row, 4, 8, mpx__block_f32_of_f64)

#ifdef MPX__LOSES_NAN
MPX__FORCE_INLINE int mpx__promotes(const mpx__vu v[4]) { return !mpx__nan_in_block(v); }
#else
MPX__FORCE_INLINE int mpx__promotes(const mpx__vu v[4]) { return (void)v, 1; }
#endif
#ifndef MPX__HAS_WIDENING_LOADS
MPX__FORCE_INLINE void mpx__f64_of_f32_at(mpx__vu v[2], const unsigned char *p) {
    mpx__f64_of_f32(v, mpx__load32(p));
}
#endif
MPX__FORCE_INLINE void mpx__store_f64_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[2];
    mpx__f64_of_f32_at(v, s);
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
}
MPX__FORCE_INLINE int mpx__block_f64_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    if (!mpx__promotes(v)) return 0;
    mpx__store_f64_of_f32(d, s, stream);
    mpx__store_f64_of_f32(d + 2 * MPX__VECTOR, s + MPX__VECTOR, stream);
    mpx__store_f64_of_f32(d + 4 * MPX__VECTOR, s + 2 * MPX__VECTOR, stream);
    mpx__store_f64_of_f32(d + 6 * MPX__VECTOR, s + 3 * MPX__VECTOR, stream);
    return 1;
}
MPX__ONE_STEP_ROW(mpx__f32_to_f64_row, 8, 4, mpx__block_f64_of_f32)

#ifdef MPX__HAS_ODD
MPX__FORCE_INLINE int mpx__is_beyond_cut(const mpx__vu v[4], const unsigned char *s) {
    return (void)v, (void)s, 0;
}
#else
/* Whether a cut may have met those ends of the range: a magnitude below 2^-125 or close to Inf. */
MPX__FORCE_INLINE int mpx__beyond_cut(const mpx__vu v[4]) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), a = mpx__and(v[0], magnitude),
            b = mpx__and(v[1], magnitude), c = mpx__and(v[2], magnitude),
            d = mpx__and(v[3], magnitude);
    mpx__vu least = mpx__min16s(mpx__min16s(a, b), mpx__min16s(c, d));
    return mpx__above_block(v, 0x7f7e) || mpx__any(mpx__gt_signed(mpx__set(0x1000000u), least));
}
/* And whether it has, in a block of f64: zeros are right. */
MPX__PRIVATE int mpx__f64_beyond_cut(const unsigned char *s) {
    mpx__vu bad = mpx__set(0), low, high, zero;
    const unsigned char *end = s + 8 * MPX__BLOCK;
    for (; s != end; s += 2 * MPX__VECTOR) {
        mpx__load64(s, &low, &high);
        high = mpx__and(high, mpx__set(0x7fffffffu));
        zero = mpx__eq(mpx__or(low, high), mpx__set(0));
        bad = mpx__or(bad, mpx__gt_signed(high, mpx__set(0x47dfffffu)));
        high = mpx__select(zero, mpx__set(0x3ff00000u), high);
        bad = mpx__or(bad, mpx__gt_signed(mpx__set(0x38200000u), high));
    }
    return mpx__any(bad);
}
MPX__FORCE_INLINE int mpx__is_beyond_cut(const mpx__vu v[4], const unsigned char *s) {
    return mpx__beyond_cut(v) && mpx__f64_beyond_cut(s);
}
#endif

/* The f32 of the hub: by round-to-odd, whatever the target. */
MPX__FORCE_INLINE int mpx__block_tile_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    if (mpx__is_beyond_cut(v, s))
        mpx__loop(d, 4, s, 8, MPX__BLOCK, mpx__dec_odd_f64, mpx__enc_f32);
    else
        mpx__store_block(d, v, stream);
    return 1;
}
MPX__WIDE_ROW(mpx__f64_to_tile, 4, 8, mpx__block_tile_of_f64)

/* ---- f16 and bf16 to f32 --------------------------------------------------------------------- */

/* The larger magnitudes of two vectors of 16-bit floats, and whether one is above `limit`. */
MPX__FORCE_INLINE mpx__vu mpx__larger16(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fff7fffu);
    return mpx__max16(mpx__and(a, magnitude), mpx__and(b, magnitude));
}
MPX__FORCE_INLINE int mpx__is_above16(mpx__vu magnitudes, uint32_t limit) {
    return mpx__any(mpx__gt16s(magnitudes, mpx__set(limit * 0x10001u)));
}
MPX__FORCE_INLINE void mpx__store_upper16(unsigned char *d, mpx__vu words, int stream) {
    mpx__vu v[2];
    mpx__upper_two(v, words);
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
}
/* NaN is left: to be made quiet. */
MPX__FORCE_INLINE int mpx__block_f32_of_bf16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
    if (mpx__is_above16(mpx__larger16(a, b), 0x7f80)) return 0;
    mpx__store_upper16(d, a, stream);
    mpx__store_upper16(d + 2 * MPX__VECTOR, b, stream);
    return 1;
}
/* Two, with one question about NaN: 8 % less time at 1 KiB in bench-peers (Zen 3, AVX2). */
MPX__FORCE_INLINE int mpx__two_f32_of_bf16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    if (mpx__is_above16(mpx__max16(mpx__larger16(v[0], v[1]), mpx__larger16(v[2], v[3])), 0x7f80))
        return 0;
    mpx__store_upper16(d, v[0], stream);
    mpx__store_upper16(d + 2 * MPX__VECTOR, v[1], stream);
    mpx__store_upper16(d + 4 * MPX__VECTOR, v[2], stream);
    mpx__store_upper16(d + 6 * MPX__VECTOR, v[3], stream);
    return 1;
}
MPX__FORCE_INLINE size_t mpx__bf16_to_f32_until(const mpx__span *span) {
    size_t done = mpx__blocks_until(span, 0, 2 * MPX__BLOCK, 4, 2, mpx__two_f32_of_bf16);
    return mpx__blocks_until(span, done, MPX__BLOCK, 4, 2, mpx__block_f32_of_bf16);
}
MPX__EXACT_ROW(mpx__bf16_to_f32_row, 4, 2, mpx__block_f32_of_bf16)

#if MPX__NATIVE_F16
MPX__FORCE_INLINE void mpx__f16_block(mpx__vu v[4], const unsigned char *s) {
    v[0] = mpx__dec_f16(s);
    v[1] = mpx__dec_f16(s + 2 * MPX__LANES);
    v[2] = mpx__dec_f16(s + 4 * MPX__LANES);
    v[3] = mpx__dec_f16(s + 6 * MPX__LANES);
}
#else
/* The bits of an f16 as those of an f32 with the same fields, times 2^112: the difference of the
   biases. Not Inf and NaN, nor subnormals: their products would be right, but take 150 cycles on
   some machines. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_upper_f16(mpx__vu u) {
    return mpx__fmul(mpx__and(mpx__sar(u, 3), mpx__set(0x8fffffffu)),
                     mpx__set((127u + 112u) << 23));
}
/* Twice the magnitude less 0x8001, as a signed number: subnormals are the least, zero is the
   largest. */
MPX__FORCE_INLINE mpx__vu mpx__key_of_f16(mpx__vu h) {
    return mpx__add16(mpx__add16(h, h), mpx__set(0x7fff7fffu));
}
MPX__PRIVATE void mpx__f16_block_by_codec(unsigned char *d, const unsigned char *s) {
    mpx__loop(d, 4, s, 2, MPX__BLOCK, mpx__dec_f16, mpx__enc_f32);
}
MPX__FORCE_INLINE void mpx__f16_block(mpx__vu v[4], const unsigned char *s) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR), normal = mpx__set(0x87ff87ffu),
            least = mpx__min16s(mpx__key_of_f16(a), mpx__key_of_f16(b));
    if (mpx__any(mpx__gt16s(normal, least)) || mpx__is_above16(mpx__larger16(a, b), 0x7bff)) {
        unsigned char lanes[4 * MPX__VECTOR];
        mpx__f16_block_by_codec(lanes, s);
        mpx__load_block(v, lanes);
        return;
    }
    mpx__upper_block(v, s);
    v[0] = mpx__f32_of_upper_f16(v[0]);
    v[1] = mpx__f32_of_upper_f16(v[1]);
    v[2] = mpx__f32_of_upper_f16(v[2]);
    v[3] = mpx__f32_of_upper_f16(v[3]);
}
#endif
MPX__FORCE_INLINE int mpx__block_f32_of_f16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f16_block(v, s);
    return mpx__store_block(d, v, stream);
}
MPX__F16_ROW(mpx__f16_to_f32_row, 4, 2, mpx__block_f32_of_f16)

/* e5m2 is the upper byte of an f16: it is converted as such where an instruction does that. */
#if MPX__NATIVE_F16
MPX__FORCE_INLINE int mpx__block_f32_of_e5m2(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_e5m2(v, s);
    return mpx__store_block(d, v, stream);
}
#if MPX__HAS_ENV
MPX__F16_ROW(mpx__f8e5m2_to_f32_row, 4, 1, mpx__block_f32_of_e5m2)
#else /* F16C: no mode matters, and without signalling NaN nothing is raised */
MPX__EXACT_ROW(mpx__f8e5m2_to_f32_row, 4, 1, mpx__block_f32_of_e5m2)
#endif
MPX__INLINE int mpx__is_f16_of_e5m2(const mpx__span *span) {
    return span->from->type == MPX_F8E5M2 && span->to->type == MPX_F32;
}
#else
MPX__INLINE size_t mpx__f8e5m2_to_f32_row(const mpx__span *span) { return (void)span, 0; }
MPX__INLINE int mpx__is_f16_of_e5m2(const mpx__span *span) { return (void)span, 0; }
#endif

/* ---- to f16 and bf16 ------------------------------------------------------------------------- */

#if MPX__NATIVE_F16
MPX__FORCE_INLINE int mpx__in_f16_range(const mpx__vu v[4]) { return (void)v, 1; }
#else
/* No NaN, and no magnitude far beyond f16. */
MPX__FORCE_INLINE int mpx__in_f16_range(const mpx__vu v[4]) { return !mpx__above_block(v, 0x477e); }
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    mpx__vu t = mpx__pack32s(mpx__f16_lanes(a), mpx__f16_lanes(b));
    return mpx__signed_f16(t, a, b, mpx__set(0x7c007c00u));
}
#endif
MPX__FORCE_INLINE int mpx__round_f16_pairs(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__store_past(d, mpx__f16_pair(v[0], v[1]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__f16_pair(v[2], v[3]), stream);
    return 1;
}
#ifdef MPX__HAS_STORE_HALF
MPX__FORCE_INLINE int mpx__round_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    if (stream) return mpx__round_f16_pairs(d, v, 1);
    mpx__enc_f16(d, v[0]);
    mpx__enc_f16(d + 2 * MPX__LANES, v[1]);
    mpx__enc_f16(d + 4 * MPX__LANES, v[2]);
    mpx__enc_f16(d + 6 * MPX__LANES, v[3]);
    return 1;
}
#else
MPX__FORCE_INLINE int mpx__round_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    return mpx__round_f16_pairs(d, v, stream);
}
#endif
MPX__FORCE_INLINE int mpx__store_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    return mpx__in_f16_range(v) && mpx__round_f16(d, v, stream);
}
MPX__FORCE_INLINE int mpx__block_f16_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    return mpx__store_f16(d, v, stream);
}
#if MPX__NATIVE_F16 /* else fast_small.h has these two */
MPX__FORCE_INLINE int mpx__block_f16_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    return mpx__store_f16(d, v, stream);
}
MPX__FORCE_INLINE int mpx__block_f16_of_bf16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__upper_block(v, s);
    return mpx__store_f16(d, v, stream);
}
MPX__F16_ROW(mpx__f32_to_f16_row, 2, 4, mpx__block_f16_of_f32)
MPX__F16_ROW(mpx__bf16_to_f16_row, 2, 2, mpx__block_f16_of_bf16)
#endif
MPX__WIDE_ROW(mpx__f64_to_f16_row, 2, 8, mpx__block_f16_of_f64)

#ifndef MPX__HAS_BF16_PAIR
/* To nearest even, in the upper halves: a carry out of the mantissa raises the exponent. */
MPX__FORCE_INLINE mpx__vu mpx__round_upper(mpx__vu u) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    return mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__join_upper16(mpx__round_upper(a), mpx__round_upper(b));
}
#endif
MPX__FORCE_INLINE int mpx__round_bf16(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__store_past(d, mpx__bf16_pair(v[0], v[1]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__bf16_pair(v[2], v[3]), stream);
    return 1;
}
#if MPX__NATIVE_BF16
MPX__FORCE_INLINE int mpx__store_bf16(unsigned char *d, const mpx__vu v[4], int stream) {
    return mpx__round_bf16(d, v, stream);
}
#else
MPX__FORCE_INLINE int mpx__store_bf16(unsigned char *d, const mpx__vu v[4], int stream) {
    if (mpx__nan_in_block(v)) return 0;
    return mpx__round_bf16(d, v, stream);
}
#endif
#ifdef MPX__HAS_WORDS_AT
MPX__FORCE_INLINE int mpx__block_bf16_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    const unsigned char *t = s + 2 * MPX__VECTOR;
    mpx__vu a = mpx__upper_words_at(s), b = mpx__upper_words_at(t), v[4];
    if (mpx__above_words(a, b, 0x7f7f)) {
        mpx__load_block(v, s);
        if (mpx__nan_in_four(v)) return 0;
    }
    mpx__store_past(d, mpx__bf16_of_words(a, mpx__lower_words_at(s)), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__bf16_of_words(b, mpx__lower_words_at(t)), stream);
    return 1;
}
#else
MPX__FORCE_INLINE int mpx__block_bf16_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    return mpx__store_bf16(d, v, stream);
}
#endif
MPX__FORCE_INLINE int mpx__block_bf16_of_f16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f16_block(v, s);
    return mpx__store_bf16(d, v, stream);
}
#ifdef MPX__HAS_ODD
MPX__FORCE_INLINE int mpx__block_bf16_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    return mpx__store_bf16(d, v, stream);
}
#else
/* Rounded twice, to f32 and then to bf16, each time to nearest. That is right but where the f32 is
   a tie: it does not tell on which side of it the f64 was. Blocks with a tie are rounded to odd.
   Less than half the time of doing so with all (Zen 3, AVX2 and SSE2), more where most have ties.
   The lower half of a tie is the least of signed words. */
MPX__FORCE_INLINE int mpx__tie_or_nan(const mpx__vu v[4]) {
    mpx__vu least = mpx__min16s(mpx__min16s(v[0], v[1]), mpx__min16s(v[2], v[3])),
            tie = mpx__and(mpx__eq16(least, mpx__set(0x8000)), mpx__set(0xffff)),
            nan = mpx__or(mpx__quiet_nan_in(v[0], v[1]), mpx__quiet_nan_in(v[2], v[3]));
    return mpx__any(mpx__or(tie, nan));
}
/* f64 to two vectors which mpx__pack32s joins in order: where a register has two halves, it does
   that within each of them. */
MPX__FORCE_INLINE void mpx__f32_of_f64_to_pack(mpx__vu v[2], const unsigned char *s) {
    const int second = MPX__VECTOR * (MPX__LANES / 4), third = 3 * MPX__VECTOR - second;
    v[0] = mpx__f32_of_f64(mpx__load32(s), mpx__load32(s + second));
    v[1] = mpx__f32_of_f64(mpx__load32(s + third), mpx__load32(s + 3 * MPX__VECTOR));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_without_ties(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000);
    return mpx__pack32s(mpx__sar(mpx__add(a, half), 16), mpx__sar(mpx__add(b, half), 16));
}
MPX__LONG_WAY int mpx__bf16_of_f64_by_odd(unsigned char *d, const unsigned char *s) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    return !mpx__is_beyond_cut(v, s) && mpx__store_bf16(d, v, 0);
}
MPX__FORCE_INLINE int mpx__block_bf16_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f32_of_f64_to_pack(v, s);
    mpx__f32_of_f64_to_pack(v + 2, s + 4 * MPX__VECTOR);
    if (mpx__tie_or_nan(v)) return mpx__bf16_of_f64_by_odd(d, s);
    mpx__store_past(d, mpx__bf16_without_ties(v[0], v[1]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__bf16_without_ties(v[2], v[3]), stream);
    return 1;
}
#endif
#if MPX__NATIVE_BF16 || defined(MPX__HAS_NAN_IN_BLOCK)
MPX__WIDE_ROW(mpx__f32_to_bf16_row, 2, 4, mpx__block_bf16_of_f32)
MPX__WIDE_ROW(mpx__f16_to_bf16_row, 2, 2, mpx__block_bf16_of_f16)
#else
MPX__EXACT_ROW(mpx__f32_to_bf16_row, 2, 4, mpx__block_bf16_of_f32)
MPX__F16_ROW(mpx__f16_to_bf16_row, 2, 2, mpx__block_bf16_of_f16)
#endif
MPX__WIDE_ROW(mpx__f64_to_bf16_row, 2, 8, mpx__block_bf16_of_f64)
#undef MPX__ROW_WITHIN
#undef MPX__WIDE_ROW
#undef MPX__ONE_STEP_ROW
#undef MPX__F16_ROW
#undef MPX__EXACT_ROW

/* ---- stochastic, f32 to bf16 ----------------------------------------------------------------- */

/* The sums' upper halves. A block with what they do not serve goes the way of the tile (round.h).
   r->index is even; whole blocks, while the counter's high half stays. */
MPX__FORCE_INLINE mpx__vu mpx__dither_pair(const mpx__vu v[2], mpx__vu word) {
    mpx__vu random[2];
    mpx__unpack_unsigned16(random, word);
    return mpx__join_upper16(mpx__add(v[0], random[0]), mpx__add(v[1], random[1]));
}
MPX__PRIVATE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    const mpx__vu key0 = mpx__set(r->key0), key = mpx__set(mpx__second_key(r));
    const uint32_t limit = r->saturate ? 0x7f7e : 0x7f7f; /* of the upper halves of magnitudes */
    const size_t all = mpx__words_left(r) < span->n / 2 ? (size_t)mpx__words_left(r) * 2 : span->n;
    mpx__vu counter = mpx__first_counters(r);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = all;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK * 2, s += MPX__BLOCK * 4) {
        mpx__vu next = mpx__add(counter, mpx__set(MPX__LANES)), v[4];
        mpx__load_block(v, s);
        if (mpx__above_block(v, limit)) {
            mpx__dither_exactly(d, s, MPX__BLOCK, r, all - n);
        } else {
            mpx__vu a = mpx__mix_lanes(mpx__xor(counter, key0), key);
            mpx__vu b = mpx__mix_lanes(mpx__xor(next, key0), key);
            mpx__fetch(s, MPX__BLOCK * 4, span->stream);
            mpx__store_past(d, mpx__dither_pair(v, a), span->stream);
            mpx__store_past(d + MPX__VECTOR, mpx__dither_pair(v + 2, b), span->stream);
        }
        counter = mpx__add(next, mpx__set(MPX__LANES));
    }
    return all - n;
}

/* ---- which row ------------------------------------------------------------------------------- */

MPX__PRIVATE size_t mpx__to_f32_row(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F16: return mpx__f16_to_f32_row(span);
    case MPX_BF16: return mpx__bf16_to_f32_row(span);
    case MPX_F64: return mpx__f64_to_f32_row(span);
    default: return 0;
    }
}
#if MPX__NATIVE_F16
MPX__PRIVATE size_t mpx__wide_to_f16_row(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_f16_row(span);
    case MPX_BF16: return mpx__bf16_to_f16_row(span);
    case MPX_F64: return mpx__f64_to_f16_row(span);
    default: return 0;
    }
}
#else
MPX__PRIVATE size_t mpx__wide_to_f16_row(const mpx__span *span) {
    return span->from->type == MPX_F64 ? mpx__f64_to_f16_row(span) : 0;
}
#endif
MPX__PRIVATE size_t mpx__to_bf16_row(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_bf16_row(span);
    case MPX_F16: return mpx__f16_to_bf16_row(span);
    case MPX_F64: return mpx__f64_to_bf16_row(span);
    default: return 0;
    }
}
/* Returns the elements done, from the start of the span: whole blocks. Integers saturate anyway,
   and none is too large for f32. */
MPX__PRIVATE size_t mpx__wide_row(const mpx__span *span) {
    size_t done = mpx__has_integer(span) ? mpx__number_row(span) : 0;
    if (done != 0 || span->saturate) return done;
    switch (span->to->type) {
    case MPX_F64: return span->from->type == MPX_F32 ? mpx__f32_to_f64_row(span) : 0;
    case MPX_F32: return mpx__to_f32_row(span);
    case MPX_F16: return mpx__wide_to_f16_row(span);
    case MPX_BF16: return mpx__to_bf16_row(span);
    default: return 0;
    }
}

MPX__PRIVATE size_t mpx__fast_rows(const mpx__span *span) {
    size_t done;
    if (span->n < MPX__BLOCK || (span->n < MPX__FEW && span->from->bits < 64)) return 0;
    if (mpx__is_f16_of_e5m2(span)) return span->saturate ? 0 : mpx__f8e5m2_to_f32_row(span);
    if (mpx__is_small(span->to) || mpx__is_small(span->from)) return mpx__small_row(span);
    done = mpx__to_f16_row(span);
    return done != 0 ? done : mpx__wide_row(span);
}

/* ---- shortcuts, see cast.h ------------------------------------------------------------------- */

#if MPX__MODES_ARE_TOLD
MPX__SHORTCUT(mpx__f64_to_f32_shortcut, MPX_F32, MPX_F64,
              mpx__steps(&span, 4, 8, MPX__BLOCK, mpx__block_f32_of_f64, 1))
MPX__SHORTCUT(mpx__f32_to_f64_shortcut, MPX_F64, MPX_F32,
              mpx__steps(&span, 8, 4, MPX__BLOCK, mpx__block_f64_of_f32, 1))
#else /* the rows see to the modes themselves */
MPX__SHORTCUT(mpx__f64_to_f32_shortcut, MPX_F32, MPX_F64, mpx__f64_to_f32_row(&span))
MPX__SHORTCUT(mpx__f32_to_f64_shortcut, MPX_F64, MPX_F32, mpx__f32_to_f64_row(&span))
#endif
MPX__SHORTCUT(mpx__f16_to_f32_shortcut, MPX_F32, MPX_F16, mpx__f16_to_f32_row(&span))
MPX__SHORTCUT(mpx__bf16_to_f16_shortcut, MPX_F16, MPX_BF16, mpx__bf16_to_f16_row(&span))
MPX__SHORTCUT(mpx__f16_to_bf16_shortcut, MPX_BF16, MPX_F16, mpx__f16_to_bf16_row(&span))
MPX__SHORTCUT(mpx__f32_to_f16_shortcut, MPX_F16, MPX_F32, mpx__f32_to_f16_row(&span))
MPX__SHORTCUT(mpx__bf16_to_f32_shortcut, MPX_F32, MPX_BF16, mpx__bf16_to_f32_until(&span))
#if MPX__NATIVE_BF16 || defined(MPX__HAS_NAN_IN_BLOCK) /* as its row */
MPX__SHORTCUT(mpx__f32_to_bf16_shortcut, MPX_BF16, MPX_F32, mpx__f32_to_bf16_row(&span))
#else
MPX__SHORTCUT(mpx__f32_to_bf16_shortcut, MPX_BF16, MPX_F32,
              mpx__blocks_until(&span, 0, MPX__BLOCK, 2, 4, mpx__block_bf16_of_f32))
#endif
#undef MPX__SHORTCUT

#endif
