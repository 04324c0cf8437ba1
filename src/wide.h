/*==========================================================================*
 * MARK: wide - f64 and the integers of 32 and 64 bits                       *
 *   What f32 cannot hold goes through an unpacked number that holds all of  *
 *   them: a significand of 64 bits (32 where a build has no dtype that      *
 *   needs more) with an exponent. One rounding when it is packed again; on  *
 *   the way to a small format by round-to-odd into an f32,                  *
 *   as in codec_wide. That room and integers cast in lanes; this one does   *
 *   the rest, element by element: casts to f64 and f32 with options,        *
 *   products and quotients, and for size all casts between these dtypes.    *
 *==========================================================================*/

enum { MPX__ZERO_OR_FINITE = 0, MPX__INF, MPX__NAN };

#if MPX__HAS_64
typedef uint64_t mpx__sig;
#define MPX__SIG_BITS 64
#else
typedef uint32_t mpx__sig;
#define MPX__SIG_BITS 32
#endif

/* (-1)^sign * sig * 2^exp. A NaN's payload stands at the top of sig. */
typedef struct mpx__wide {
    mpx__sig sig;
    int32_t exp;
    uint8_t sign, kind;
} mpx__wide;

MPX__INLINE void mpx__wide_set(mpx__wide *w, unsigned sign, int kind, mpx__sig sig, int32_t exp) {
    w->sig = sig;
    w->exp = exp;
    w->sign = (uint8_t)sign;
    w->kind = (uint8_t)kind;
}

/* The fields of an IEEE format: the code without its sign in magnitude. */
MPX__INLINE void mpx__unpack_float(mpx__wide *w, unsigned sign, mpx__sig magnitude, int exp_bits,
                                   int man_bits, int bias) {
    int32_t exponent = (int32_t)(magnitude >> man_bits);
    mpx__sig fraction = magnitude & (((mpx__sig)1 << man_bits) - 1u);
    if (exponent == (1 << exp_bits) - 1)
        mpx__wide_set(w, sign, fraction != 0 ? MPX__NAN : MPX__INF,
                      fraction << (MPX__SIG_BITS - man_bits), 0);
    else if (exponent == 0)
        mpx__wide_set(w, sign, MPX__ZERO_OR_FINITE, fraction, 1 - bias - man_bits);
    else
        mpx__wide_set(w, sign, MPX__ZERO_OR_FINITE, fraction | (mpx__sig)1 << man_bits,
                      exponent - bias - man_bits);
}

/* Shift the leading one to the highest bit; sig is not zero. */
MPX__INLINE void mpx__normalize(mpx__wide *w) {
    int step;
    for (step = MPX__SIG_BITS / 2; step != 0; step >>= 1) {
        if (w->sig >> (MPX__SIG_BITS - step) == 0) {
            w->sig <<= step;
            w->exp -= step;
        }
    }
}

/* How a wide number is rounded: the public modes, and round-to-odd for what is rounded again. */
enum { MPX__TO_ODD = MPX_ROUND_STOCHASTIC + 1 };

/* Does dropping `rest` (its leading bit the highest) round up? q is what is kept. Stochastic: 16
   random bits at the top of the rest carry out with the probability rest / 2^64, to 2^-16. */
MPX__INLINE int mpx__rounds_up(mpx__sig q, mpx__sig rest, int mode, uint32_t random) {
    mpx__sig half = (mpx__sig)1 << (MPX__SIG_BITS - 1);
    if (mode == MPX_ROUND_NEAREST) return rest > half || (rest == half && (q & 1u) != 0);
    if (mode == MPX_ROUND_STOCHASTIC)
        return rest > (mpx__sig)-1 - ((mpx__sig)random << (MPX__SIG_BITS - 16));
    return 0;
}

/* Round a finite number to a code of an IEEE format, without sign.
     sig      1xxxxxxxxxxxxxx yyyyyyyyyyyyy    value = sig * 2^exp, leading one: exponent exp + top
              kept (q)        dropped (rest)   drop = top - man_bits, more for subnormal results
   q holds the hidden bit, so (biased exponent - 1) is what it is added to; a carry moves into the
   exponent. Toward zero and to odd do not reach Inf. */
MPX__PRIVATE mpx__sig mpx__pack_float(const mpx__wide *number, int exp_bits, int man_bits, int bias,
                                      int mode, uint32_t random) {
    const int bits = MPX__SIG_BITS, top = bits - 1;
    mpx__sig inf = (mpx__sig)((1 << exp_bits) - 1) << man_bits, q, rest, code;
    int32_t biased, drop = top - man_bits;
    mpx__wide w;
    if (number->sig == 0) return 0;
    mpx__wide_set(&w, 0, 0, number->sig, number->exp);
    mpx__normalize(&w);
    biased = w.exp + top + bias;
    if (biased >= (1 << exp_bits) - 1)
        return mode == MPX__TO_ODD || mode == MPX_ROUND_TOWARD_ZERO ? inf - 1u : inf;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 1;
    }
    q = drop < bits ? w.sig >> drop : 0;
    rest = drop < bits ? w.sig << (bits - drop) : drop == bits ? w.sig : 1;
    if (drop > bits && drop < 2 * bits) rest |= w.sig >> (drop - bits);
    code = ((mpx__sig)(biased - 1) << man_bits) + q;
    if (mode == MPX__TO_ODD) return code | (rest != 0);
    return code + (unsigned)mpx__rounds_up(q, rest, mode, random);
}

MPX__PRIVATE mpx__sig mpx__float_code(const mpx__wide *w, int exp_bits, int man_bits, int bias,
                                      int mode, uint32_t random) {
    mpx__sig inf = (mpx__sig)((1 << exp_bits) - 1) << man_bits,
             sign = (mpx__sig)w->sign << (exp_bits + man_bits);
    if (w->kind == MPX__INF) return sign | inf;
    if (w->kind == MPX__NAN)
        return sign | inf | (mpx__sig)1 << (man_bits - 1) | w->sig >> (MPX__SIG_BITS - man_bits);
    return sign | mpx__pack_float(w, exp_bits, man_bits, bias, mode, random);
}

/* The integer part of the magnitude, at most limit; NaN gives 0. */
MPX__PRIVATE mpx__sig mpx__integer_part(const mpx__wide *w, mpx__sig limit) {
    mpx__sig x;
    if (w->kind != MPX__ZERO_OR_FINITE) return w->kind == MPX__INF ? limit : 0;
    if (w->exp <= -MPX__SIG_BITS || w->sig == 0) return 0;
    if (w->exp <= 0)
        x = w->sig >> -w->exp;
    else if (w->exp >= MPX__SIG_BITS || w->sig > limit >> w->exp)
        return limit;
    else
        x = w->sig << w->exp;
    return x < limit ? x : limit;
}

MPX__INLINE void mpx__wide_from_integer(mpx__wide *w, unsigned sign, mpx__sig magnitude) {
    mpx__wide_set(w, sign, MPX__ZERO_OR_FINITE, magnitude, 0);
}
MPX__INLINE void mpx__wide_from_f32(mpx__wide *w, uint32_t u) {
    mpx__unpack_float(w, u >> 31, u & 0x7fffffffu, 8, 23, 127);
}
MPX__INLINE uint32_t mpx__wide_to_f32(const mpx__wide *w) {
    return (uint32_t)mpx__float_code(w, 8, 23, 127, MPX_ROUND_NEAREST, 0);
}
MPX__INLINE uint32_t mpx__wide_to_f32_odd(const mpx__wide *w) {
    return (uint32_t)mpx__float_code(w, 8, 23, 127, MPX__TO_ODD, 0);
}

/* ---- one loader and one storer per dtype ----------------------------------------------------- */

typedef void (*mpx__wide_load_fn)(mpx__wide *w, const void *p);
typedef void (*mpx__wide_store_fn)(void *p, const mpx__wide *w);

MPX__PRIVATE void mpx__wide_load_f32(mpx__wide *w, const void *p) {
    mpx__wide_from_f32(w, mpx__read32(p));
}
MPX__PRIVATE void mpx__wide_load_i32(mpx__wide *w, const void *p) {
    uint32_t x = mpx__read32(p), negative = x >> 31;
    mpx__wide_from_integer(w, (unsigned)negative, negative != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_load_u32(mpx__wide *w, const void *p) {
    mpx__wide_from_integer(w, 0, mpx__read32(p));
}

MPX__PRIVATE void mpx__wide_store_f32(void *p, const mpx__wide *w) {
    mpx__write32(p, mpx__wide_to_f32(w));
}
MPX__PRIVATE void mpx__wide_store_f32_odd(void *p, const mpx__wide *w) {
    mpx__write32(p, mpx__wide_to_f32_odd(w));
}
MPX__PRIVATE void mpx__wide_store_i32(void *p, const mpx__wide *w) {
    uint32_t x = (uint32_t)mpx__integer_part(w, 0x7fffffffu + (mpx__sig)w->sign);
    mpx__write32(p, w->sign != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_store_u32(void *p, const mpx__wide *w) {
    mpx__write32(p, w->sign != 0 ? 0u : (uint32_t)mpx__integer_part(w, 0xffffffffu));
}

#if MPX__HAS_64
MPX__PRIVATE void mpx__wide_load_f64(mpx__wide *w, const void *p) {
    uint64_t u = mpx__read64(p);
    mpx__unpack_float(w, (unsigned)(u >> 63), u & ((uint64_t)-1 >> 1), 11, 52, 1023);
}
MPX__PRIVATE void mpx__wide_load_i64(mpx__wide *w, const void *p) {
    uint64_t x = mpx__read64(p), negative = x >> 63;
    mpx__wide_from_integer(w, (unsigned)negative, negative != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_load_u64(mpx__wide *w, const void *p) {
    mpx__wide_from_integer(w, 0, mpx__read64(p));
}

MPX__PRIVATE void mpx__wide_store_f64(void *p, const mpx__wide *w) {
    mpx__write64(p, mpx__float_code(w, 11, 52, 1023, MPX_ROUND_NEAREST, 0));
}
MPX__PRIVATE void mpx__wide_store_i64(void *p, const mpx__wide *w) {
    uint64_t x = mpx__integer_part(w, ((uint64_t)-1 >> 1) + w->sign);
    mpx__write64(p, w->sign != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_store_u64(void *p, const mpx__wide *w) {
    mpx__write64(p, w->sign != 0 ? 0u : mpx__integer_part(w, (uint64_t)-1));
}
#endif

/* NULL for the dtypes that the f32 hub serves. */
MPX__PRIVATE mpx__wide_load_fn mpx__wide_loader(mpx_dtype type) {
    switch (type) {
        MPX__IF_F64(case MPX_F64: return mpx__wide_load_f64;)
        MPX__IF_I32(case MPX_I32: return mpx__wide_load_i32;)
        MPX__IF_U32(case MPX_U32: return mpx__wide_load_u32;)
        MPX__IF_I64(case MPX_I64: return mpx__wide_load_i64;)
        MPX__IF_U64(case MPX_U64: return mpx__wide_load_u64;)
    default: return NULL;
    }
}

/* These, and f32: where a wide number meets f32 it is rounded to nearest, once. */
MPX__PRIVATE mpx__wide_store_fn mpx__wide_storer(mpx_dtype type) {
    switch (type) {
        MPX__IF_F64(case MPX_F64: return mpx__wide_store_f64;)
    case MPX_F32: return mpx__wide_store_f32;
        MPX__IF_I32(case MPX_I32: return mpx__wide_store_i32;)
        MPX__IF_U32(case MPX_U32: return mpx__wide_store_u32;)
        MPX__IF_I64(case MPX_I64: return mpx__wide_store_i64;)
        MPX__IF_U64(case MPX_U64: return mpx__wide_store_u64;)
    default: return NULL;
    }
}

MPX__PRIVATE void mpx__wide_loop(void *dst, size_t dst_step, const void *src, size_t src_step,
                                 size_t n, mpx__wide_load_fn load, mpx__wide_store_fn store) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    mpx__wide w;
    for (; n != 0; n--, d += dst_step, s += src_step) {
        load(&w, s);
        store(d, &w);
    }
}
