/*==================================================================*
 * MARK: simd_wasm - the vocabulary, four lanes
 *   WebAssembly's SIMD128, which every browser and runtime has since 2021. Its arithmetic has only
 *   one mode: it rounds to nearest even, keeps subnormals and has no flags. So there is no
 *   environment to save. The standard does not say which NaN an operation gives; therefore integer
 *   lanes make the bits of each NaN that is stored. The relaxed extension is not used.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_WASM
#define MPX__LANES 4
#define MPX__ISA_NAME "wasm"
#define MPX__HAS_FLOAT 1
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_FMA 0
#define MPX__HAS_JOIN 1
#define MPX__F16_BY_SUMS 1

typedef v128_t mpx__vu;
typedef v128_t mpx__vf;
typedef v128_t mpx__vd;

/* ---- lanes of 32 bits ------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return wasm_u32x4_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return wasm_v128_and(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return wasm_v128_or(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return wasm_v128_xor(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return wasm_i32x4_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return wasm_i32x4_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return wasm_i32x4_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return wasm_i32x4_shl(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return wasm_u32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return wasm_i32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return wasm_u32x4_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return wasm_u32x4_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return wasm_i32x4_eq(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return wasm_i32x4_gt(a, b); }
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return wasm_u32x4_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return wasm_v128_bitselect(a, b, mask);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return wasm_v128_any_true(a); }
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) { return wasm_i32x4_max(a, mpx__set(0)); }

/* There are no shifts by a count for each lane. A shift right by n is the upper 33 bits of a
   product with 2^(31 - n). Byte j of a power 2^k is 2^(k - 8j) if k - 8j is from 0 to 7, else 0: a
   table has these bytes, and 0 for all other indices. */
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    const mpx__vu table = wasm_u64x2_const(0x8040201008040201u, 0);
    mpx__vu bytes = wasm_i8x16_shuffle(n, n, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12),
            by = wasm_i8x16_swizzle(table, wasm_i8x16_sub(mpx__set(0x070f171fu), bytes)),
            low = wasm_u64x2_shr(wasm_u64x2_extmul_low_u32x4(a, by), 31),
            high = wasm_u64x2_shr(wasm_u64x2_extmul_high_u32x4(a, by), 31);
    return wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
}

/* ---- memory ---------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return wasm_v128_load(p); }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return wasm_u32x4_load16x4(p); }
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}
#define MPX__OWN_LOAD_FIRST 1
MPX__FORCE_INLINE mpx__vu mpx__load_first(const unsigned char *p, size_t n) {
    return wasm_u64x2_make(mpx__first64(p, n, 0), mpx__first64(p, n, 8));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { wasm_v128_store(p, v); }

/* ---- lanes of 16, of 8 and of 64 bits -------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return wasm_i16x8_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return wasm_i16x8_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return wasm_u16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return wasm_i16x8_eq(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_add_sat(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return wasm_i16x8_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return wasm_i32x4_dot_i16x8(a, b); }
/* Shift lanes of 16 bits right by a count from 1 to 15. */
typedef uint32_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return (uint32_t)n; }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return wasm_u16x8_shr(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return wasm_u16x8_min(a, mpx__set(0x7fff7fffu));
}

MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return wasm_i8x16_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return wasm_u8x16_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return wasm_i8x16_gt(a, b); }
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) { return wasm_i8x16_max(a, mpx__set(0)); }

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return wasm_u64x2_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return wasm_i64x2_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return wasm_i64x2_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return wasm_u64x2_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) { return wasm_i64x2_shr(a, 63); }

/* ---- packing and pairing --------------------------------------- */

/* Lanes are in order after packing, and before pairing. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_narrow_i32x4(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return wasm_i8x16_narrow_i16x8(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return wasm_u8x16_narrow_i16x8(a, b);
}
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    return wasm_u16x8_narrow_i32x4(a, b);
}
#define MPX__OWN_JOIN_UPPER16 1
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *high = wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    *high = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
    *high = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
}
/* The lower and the upper halves of two vectors' lanes of 64 bits. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
    *high = wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
}
/* Tables of 16 bytes. The entry of each byte; _or_zero gives 0 for bytes from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}

/* Codes of four and of six bits, one in a byte, to packed ones and back. 16 codes of six bits are
   12 bytes: two codes become 12 bits, four become 24. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
    wasm_v128_store64_lane(p, mpx__pack16(codes, codes), 0);
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    mpx__vu two = wasm_u16x8_load8x8(p);
    return mpx__and(mpx__or(two, mpx__shl(two, 4)), mpx__set(0x0f0f0f0fu));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    v = wasm_i8x16_shuffle(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
    wasm_v128_store64_lane(p, v, 0);
    wasm_v128_store32_lane((unsigned char *)p + 8, v, 2);
}
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    mpx__vu v = wasm_v128_load32_lane((const unsigned char *)p + 8, wasm_v128_load64_zero(p), 2);
    v = wasm_i8x16_shuffle(v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_i32x4_extend_low_i16x8(a);
    v[1] = wasm_i32x4_extend_high_i16x8(a);
}
MPX__FORCE_INLINE void mpx__signed8to16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_i16x8_extend_low_i8x16(a);
    v[1] = wasm_i16x8_extend_high_i8x16(a);
}

/* ---- floats ---------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return u; }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) { return f; }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return u; }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) { return d; }

/* Integers to f32; f32 to i32, truncated: values out of range saturate, NaN becomes 0. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return wasm_f32x4_convert_i32x4(a); }
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) { return wasm_f32x4_convert_u32x4(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) { return wasm_i32x4_trunc_sat_f32x4(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_nearest_of_vf(mpx__vf a) {
    return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(a));
}
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return wasm_f32x4_mul(a, b); }
/* Rounded twice: for products that are exact, or whose rounding does not matter. */
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
}
/* Maximum and minimum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) { return wasm_i32x4_max(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmin(mpx__vf a, mpx__vf b) { return wasm_i32x4_min(a, b); }

/* NaN is found by integers: under -ffast-math compilers assume that there is none. */
MPX__FORCE_INLINE mpx__vu mpx__nan_mask(mpx__vu a) {
    return wasm_i32x4_gt(mpx__and(a, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    return mpx__nan_mask(wasm_i32x4_max(mpx__and(a, magnitude), mpx__and(b, magnitude)));
}

/* One vector of f32 and two of f64. To f32, a NaN keeps its sign and the leading bits of its
   payload. From f32, a machine may change a NaN. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    mpx__vu r = wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(a),
                                   wasm_f32x4_demote_f64x2_zero(b), 0, 2), nan = mpx__nan_mask(r);
    if (mpx__any(nan)) {
        mpx__vu payload, other, sign;
        mpx__split64(wasm_u64x2_shr(a, 29), wasm_u64x2_shr(b, 29), &payload, &other);
        mpx__split64(a, b, &other, &sign);
        payload = mpx__or(mpx__and(payload, mpx__set(0x7fffffu)), mpx__set(0x7fc00000u));
        sign = mpx__and(sign, mpx__set(0x80000000u));
        r = mpx__select(nan, mpx__or(payload, sign), r);
    }
    return r;
}
#define MPX__LOSES_NAN 1
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = wasm_f64x2_promote_low_f32x4(a);
    v[1] = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(a, a, 1, 1));
}
/* Integers of 32 bits; back as mpx__i32_of_vf. */
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    v[0] = wasm_f64x2_convert_low_i32x4(wasm_v128_load64_zero(p));
    v[1] = wasm_f64x2_convert_low_i32x4(wasm_v128_load64_zero((const unsigned char *)p + 8));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return wasm_i64x2_shuffle(wasm_i32x4_trunc_sat_f64x2_zero(a),
                              wasm_i32x4_trunc_sat_f64x2_zero(b), 0, 2);
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return wasm_f64x2_mul(a, b); }
#define MPX__OWN_TRUNCATE 1
MPX__FORCE_INLINE mpx__vd mpx__dtruncate(mpx__vd a) { return wasm_f64x2_trunc(a); }
/* One operand passes through memory, which hides it from compilers: under -ffast-math they reorder
   additions, and multiply by the reciprocal of a divisor. Of a sum it is the first operand, which
   may be a sum itself; with the relaxed extension also the second one, which may be a product. */
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    __asm__("" : "+m"(a));
#ifdef __wasm_relaxed_simd__
    __asm__("" : "+m"(b));
#endif
    return wasm_f64x2_add(a, b);
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    __asm__("" : "+m"(b));
    return wasm_f32x4_div(a, b);
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    __asm__("" : "+m"(b));
    return wasm_f64x2_div(a, b);
}
/* The result of an operation on a, or a itself, made quiet, if a is NaN. */
#define MPX__OWN_PRODUCT 1
MPX__FORCE_INLINE mpx__vf mpx__unless_nan(mpx__vf a, mpx__vf result) {
    return mpx__select(mpx__nan_mask(a), mpx__or(a, mpx__set(0x400000u)), result);
}
MPX__FORCE_INLINE mpx__vd mpx__unless_nan64(mpx__vd a, mpx__vd result) {
    mpx__vu nan = wasm_i64x2_gt(mpx__and(a, mpx__set64(0x7fffffffffffffffu)),
                                mpx__set64(0x7ff0000000000000u));
    return mpx__select(nan, mpx__or(a, mpx__set64(0x8000000000000u)), result);
}
MPX__FORCE_INLINE mpx__vf mpx__fproduct(mpx__vf a, mpx__vf b) {
    return mpx__unless_nan(a, mpx__fmul(a, b));
}
MPX__FORCE_INLINE mpx__vf mpx__fquotient(mpx__vf a, mpx__vf b) {
    return mpx__unless_nan(a, mpx__fdiv(a, b));
}
MPX__FORCE_INLINE mpx__vd mpx__dproduct(mpx__vd a, mpx__vd b) {
    return mpx__unless_nan64(a, mpx__dmul(a, b));
}
MPX__FORCE_INLINE mpx__vd mpx__dquotient(mpx__vd a, mpx__vd b) {
    return mpx__unless_nan64(a, mpx__ddiv(a, b));
}

/* ---- floats, for MPX_COMPUTE ----------------------------------- */
#if MPX_COMPUTE

MPX__FORCE_INLINE mpx__vf mpx__fl_add(mpx__vf a, mpx__vf b) { return wasm_f32x4_add(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_sub(mpx__vf a, mpx__vf b) { return wasm_f32x4_sub(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_sqrt(mpx__vf a) { return wasm_f32x4_sqrt(a); }
/* a > b ? a : b and a < b ? a : b; b where one of them is NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fl_larger(mpx__vf a, mpx__vf b) { return wasm_f32x4_pmax(b, a); }
MPX__FORCE_INLINE mpx__vf mpx__fl_smaller(mpx__vf a, mpx__vf b) { return wasm_f32x4_pmin(b, a); }
#endif

#endif /* MPX_ISA_WASM */
