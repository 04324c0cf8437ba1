/*==================================================================*
 * MARK: simd_generic - functions that an instruction set lacks
 *   They are made of other functions of the vocabulary. An instruction set that has a better
 *   version defines MPX__OWN_... beside it.
 *==================================================================*/
#if !MPX__COMPACT

/* a > b, of unsigned lanes. */
#ifndef MPX__OWN_GT
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    const mpx__vu top = mpx__set(0x80000000u);
    return mpx__gt_signed(mpx__xor(a, top), mpx__xor(b, top));
}
#endif
#if MPX__HAS_FLOAT && !defined(MPX__OWN_ANY_GT)
MPX__FORCE_INLINE int mpx__any_gt_signed(mpx__vu a, mpx__vu b) {
    return mpx__any(mpx__gt_signed(a, b));
}
MPX__FORCE_INLINE int mpx__any_gt16s(mpx__vu a, mpx__vu b) { return mpx__any(mpx__gt16s(a, b)); }
MPX__FORCE_INLINE int mpx__any_gt8s(mpx__vu a, mpx__vu b) { return mpx__any(mpx__gt8s(a, b)); }
#endif
/* The larger of two magnitudes below 2^31: exact; right only in the upper half. */
#ifndef MPX__OWN_MAX_MAGNITUDE
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
#endif
/* The largest lane. */
#ifndef MPX__OWN_LARGEST_LANE
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu lanes) {
    unsigned char at[MPX__LANES * 4];
    uint32_t largest = 0;
    size_t i;
    mpx__store32(at, lanes);
    for (i = 0; i < sizeof at; i += 4)
        if (mpx__read32(at + i) > largest) largest = mpx__read32(at + i);
    return largest;
}
#endif
#if !MPX__HAS_STREAM
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v) { mpx__store32(p, v); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) { (void)p; }
MPX__INLINE void mpx__fence(void) {}
#endif
MPX__FORCE_INLINE void mpx__fetch(const unsigned char *s, size_t bytes) {
    size_t i;
    MPX__KEEP_POINTER(s); /* else gcc counts from what is fetched, and loads have long offsets */
    for (i = 0; i < bytes; i += 64)
        mpx__prefetch(s + i + 8192);
}

#if MPX__HAS_FLOAT
#if MPX__LANES == 4 /* lanes stay in order */
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
#endif
/* Integers of 24 bits at most, exact. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__bits_of_vf(mpx__vf_of_i32(a)); }
/* Signed lanes below 0 become 0; unsigned lanes above 2^31 - 1 become that. */
#ifndef MPX__OWN_AT_LEAST_0
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__and(a, mpx__gt_signed(a, mpx__set(0)));
}
#endif
#ifndef MPX__OWN_AT_LEAST_0_8
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__and(a, mpx__gt8s(a, mpx__set(0)));
}
#endif
#ifndef MPX__OWN_AT_MOST_I32
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) { return mpx__min(a, mpx__set(0x7fffffffu)); }
#endif

/* Two vectors of signed lanes to unsigned ones of half the width, saturated: less 32768, they are
   packed as signed lanes; then 32768 is added. */
#ifndef MPX__OWN_PACK32
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000u);
    a = mpx__sub(mpx__at_least_0(a), half);
    b = mpx__sub(mpx__at_least_0(b), half);
    return mpx__xor(mpx__pack32s(a, b), mpx__set(0x80008000u));
}
#endif
#ifndef MPX__OWN_JOIN_UPPER16
/* The upper halves of two vectors' lanes, in order. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
}
#endif
#ifndef MPX__OWN_SIGNS
/* The sign bits of lanes of 16 bits, or of a block's lanes, as those of bytes, in the order of
   packed lanes. The other bits of the bytes may be anything. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(const mpx__vu v[4]) {
    return mpx__pack16s(mpx__pack32s(v[0], v[1]), mpx__pack32s(v[2], v[3]));
}
#endif

/* Integers from memory to wider lanes. */
#ifndef MPX__OWN_LOAD_SIGNED
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__signed8to16(v, mpx__load32(p));
}
MPX__FORCE_INLINE mpx__vu mpx__load_signed_bytes(const void *p) {
    return mpx__sar(mpx__shl(mpx__load8(p), 24), 24);
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    mpx__vu words[2];
    mpx__load_signed8to16(words, p);
    mpx__unpack_signed16(v, words[0]);
    mpx__unpack_signed16(v + 2, words[1]);
}
#endif
#ifndef MPX__OWN_LOAD_UNSIGNED8
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    mpx__vu low, high;
    mpx__pair8(mpx__to_pair_twice(mpx__load32(p)), mpx__set(0), &low, &high);
    mpx__pair16(low, mpx__set(0), &v[0], &v[1]);
    mpx__pair16(high, mpx__set(0), &v[2], &v[3]);
}
#endif

/* f64 and f32 in memory. */
#ifndef MPX__OWN_HALVES
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    mpx__store32(p, mpx__bits_of_vf(mpx__vf_of_vd(a, b)));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    mpx__vd_of_vf(v, mpx__vf_of_bits(mpx__load32(p)));
}
#endif
/* A product or quotient. Where a is NaN, it is that NaN, made quiet. */
#ifndef MPX__OWN_PRODUCT
MPX__FORCE_INLINE mpx__vf mpx__fproduct(mpx__vf a, mpx__vf b) { return mpx__fmul(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fquotient(mpx__vf a, mpx__vf b) { return mpx__fdiv(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__dproduct(mpx__vd a, mpx__vd b) { return mpx__dmul(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__dquotient(mpx__vd a, mpx__vd b) { return mpx__ddiv(a, b); }
#endif
#ifndef MPX__LOSES_NAN /* 1: mpx__vd_of_vf may change a NaN */
#define MPX__LOSES_NAN 0
#endif
#ifndef MPX__NATIVE_BF16 /* 1: mpx__bf16_pair is right for NaN too */
#define MPX__NATIVE_BF16 0
#endif
#endif /* MPX__HAS_FLOAT */

/* The floating-point environments that kernels need, where instruction sets differ. */
#ifndef MPX__F16_ENV /* from f16 */
#define MPX__F16_ENV MPX__ENV_ANY
#endif
#ifndef MPX__TO_F16_ENV
#define MPX__TO_F16_ENV MPX__ENV_ALL
#endif
#ifndef MPX__BF16_ENV
#define MPX__BF16_ENV MPX__ENV_ANY
#endif
#ifndef MPX__F8_ENV
#define MPX__F8_ENV MPX__ENV_ALL
#endif

/* ---- constants of a call --------------------------------------- */

/* What a kernel with a format known only at run time computes from the dtype's row before its loop,
   see small.h. Each kernel uses some of the members. */
#if MPX__HAS_FLOAT
typedef struct mpx__narrow {
    mpx__vu unit, least;       /* 2^(M-23), the smallest normal                */
    mpx__vu weights;           /* of the two words: 1, 2^(7-M)                 */
    mpx__shift16 to_code;      /* right by 7 - M                               */
    mpx__vu offset;            /* subtract                                     */
    mpx__vu top, sign;         /* the largest code, the sign bit; bytes        */
    mpx__vu nan;               /* NaN is above; words                          */
    int sign_shift, is_fnuz;   /* from bit 7 to the sign bit; zero has no sign */
} mpx__narrow;
#else
typedef struct mpx__narrow { int none; } mpx__narrow;
#endif
typedef struct mpx__finite {
    mpx__vu mask, add, finite, code;
} mpx__finite;
typedef struct mpx__constants {
    const mpx__row *row;
    mpx__job *job;
    mpx__narrow narrow;
    mpx__finite finite;
    mpx__vu magnitude, fields, scale, to_sign, line[5], less, table[6];
    int is_less, drop, is_signed;
    mpx__vu by, largest; /* scaling: the factor; the largest results so far */
#if MPX_COMPUTE
    uint32_t by_sum; /* f32 bits: what sums are multiplied by */
#endif
} mpx__constants;

#endif /* !MPX__COMPACT */
