/*==========================================================================*
 * MARK: simd_wasm - the vocabulary, four lanes                              *
 *   WebAssembly's SIMD128, which every browser and runtime has since 2021.  *
 *   Its arithmetic knows one mode: to nearest even, subnormals kept, no     *
 *   flags; so the caller has no environment to be kept. Which NaN comes     *
 *   out of it the standard leaves open: where one is stored, its bits are   *
 *   made by integers. Nothing of the relaxed extension is used.             *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_WASM
#define MPX__LANES 4
#define MPX__ISA_NAME "wasm"
#define MPX__NATIVE_F16 0
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 1
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0

typedef v128_t mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return wasm_u32x4_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return wasm_v128_and(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return wasm_v128_or(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return wasm_v128_xor(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return wasm_i32x4_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return wasm_i32x4_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return wasm_i32x4_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return wasm_i32x4_shl(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return wasm_u32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return wasm_u32x4_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return wasm_u32x4_max(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return wasm_i32x4_eq(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return wasm_u32x4_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return wasm_v128_bitselect(a, b, mask);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return wasm_v128_any_true(a); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) { return wasm_f32x4_convert_i32x4(a); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

/* There are no shifts by lane: they are products with a power of two, 2^(31 - n) for a shift to the
   right, whose upper 33 bits remain. Byte j of a power is 2^(k - 8j) where that is below 256, else
   0: looked up in a table, all from 8 on being 0. */
MPX__FORCE_INLINE mpx__vu mpx__powers(mpx__vu k) { /* in each byte of a lane: k - 8j */
    const mpx__vu table = wasm_u64x2_const(0x8040201008040201u, 0);
    return wasm_i8x16_swizzle(table, k);
}
MPX__FORCE_INLINE mpx__vu mpx__in_all_bytes(mpx__vu n) {
    return wasm_i8x16_shuffle(n, n, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
}
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
    return mpx__mul(a, mpx__powers(wasm_i8x16_sub(mpx__in_all_bytes(n), mpx__set(0x18100800u))));
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    mpx__vu by = mpx__powers(wasm_i8x16_sub(mpx__set(0x070f171fu), mpx__in_all_bytes(n)));
    mpx__vu low = wasm_u64x2_shr(wasm_u64x2_extmul_low_u32x4(a, by), 31),
            high = wasm_u64x2_shr(wasm_u64x2_extmul_high_u32x4(a, by), 31);
    return wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
}

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return wasm_v128_load(p); }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return wasm_u32x4_load16x4(p); }
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { wasm_v128_store(p, v); }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    wasm_v128_store64_lane(p, wasm_i16x8_shuffle(v, v, 0, 2, 4, 6, 0, 2, 4, 6), 0);
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    v = wasm_i8x16_shuffle(v, v, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    wasm_v128_store32_lane(p, v, 0);
}
/* Even and odd lanes of two vectors. */
MPX__FORCE_INLINE mpx__vu mpx__even32(mpx__vu a, mpx__vu b) {
    return wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
}
MPX__FORCE_INLINE mpx__vu mpx__odd32(mpx__vu a, mpx__vu b) {
    return wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
}
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    mpx__vu a = mpx__load32(p), b = mpx__load32((const unsigned char *)p + 16);
    *low = mpx__even32(a, b);
    *high = mpx__odd32(a, b);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__store32(p, wasm_i32x4_shuffle(low, high, 0, 4, 1, 5));
    mpx__store32((unsigned char *)p + 16, wasm_i32x4_shuffle(low, high, 2, 6, 3, 7));
}

/* All ones where the magnitude of a float is NaN's. */
MPX__FORCE_INLINE mpx__vu mpx__nan_mask(mpx__vu a) {
    return wasm_i32x4_gt(mpx__and(a, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
}
/* The result of an operation on a, or a itself, made quiet, if a is NaN. */
MPX__FORCE_INLINE mpx__vu mpx__unless_nan(mpx__vu a, mpx__vu result) {
    return mpx__select(mpx__nan_mask(a), mpx__or(a, mpx__set(0x400000u)), result);
}

/* Float products and quotients. The divisor by way of memory, where compilers do not look: under
   -ffast-math they multiply by its reciprocal. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return mpx__unless_nan(a, wasm_f32x4_mul(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    mpx__vu value = by->value;
    __asm__("" : "+m"(value));
    return mpx__unless_nan(a, wasm_f32x4_div(a, value));
}
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN: ordered as integers are. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) { return wasm_i32x4_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) { return wasm_i32x4_min(a, b); }

/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return wasm_i16x8_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return wasm_i16x8_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return wasm_u16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_gt(a, b); }
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_add_sat(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return wasm_i16x8_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return wasm_i32x4_dot_i16x8(a, b); }
/* Lanes of 16 to the right by a count from 1 to 15. */
typedef uint32_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return (uint32_t)n; }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return wasm_u16x8_shr(a, n); }
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set(1u << 16 | 1u << n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return mpx__dot16s(mpx__and(a, mpx__set(0xffff0000u | mask)), w);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return wasm_i8x16_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return wasm_u8x16_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return wasm_i8x16_gt(a, b); }

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. In order
   already. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_narrow_i32x4(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return wasm_i8x16_narrow_i16x8(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return wasm_u8x16_narrow_i16x8(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) { return a; }
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__pack16s(mpx__pack32s(a, b), mpx__pack32s(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) { return wasm_u16x8_load8x8(p); }
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
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
/* The halves of two vectors' lanes of 64. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__even32(a, b);
    *high = mpx__odd32(a, b);
}

/* Tables of 16 bytes: entry i, below 16; or zero for i from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 16 codes, 12 bytes; two
   are made twelve bits, four 24. */
MPX__FORCE_INLINE mpx__vu mpx__nibble_pairs(mpx__vu codes) {
    return mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
}
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    return mpx__pack16(mpx__nibble_pairs(a), mpx__nibble_pairs(b));
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__pair8(mpx__and(a, mpx__set(0x0f0f0f0fu)), wasm_u8x16_shr(a, 4), low, high);
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    const mpx__vu zero = mpx__set(0);
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    return wasm_i8x16_shuffle(v, zero, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 16, 16, 16);
}
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    v = wasm_i8x16_shuffle(v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

/* Of signed lanes, of 32 bits and of 16. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return wasm_i32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return wasm_i32x4_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return wasm_i16x8_eq(a, b); }

/* The upper halves of two vectors' lanes. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) { return wasm_i32x4_max(a, mpx__set(0)); }
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) { return wasm_i8x16_max(a, mpx__set(0)); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return wasm_u32x4_min(a, mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return wasm_u16x8_min(a, mpx__set(0x7fff7fffu));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_u32x4_extend_low_u16x8(a);
    v[1] = wasm_u32x4_extend_high_u16x8(a);
}
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_i32x4_extend_low_i16x8(a);
    v[1] = wasm_i32x4_extend_high_i16x8(a);
}
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    mpx__vu a = mpx__load32(p);
    mpx__unpack_signed16(v, wasm_i16x8_extend_low_i8x16(a));
    mpx__unpack_signed16(v + 2, wasm_i16x8_extend_high_i8x16(a));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    mpx__vu a = mpx__load32(p);
    mpx__unpack_unsigned16(v, wasm_u16x8_extend_low_u8x16(a));
    mpx__unpack_unsigned16(v + 2, wasm_u16x8_extend_high_u8x16(a));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__load32(p);
    v[0] = wasm_i16x8_extend_low_i8x16(a);
    v[1] = wasm_i16x8_extend_high_i8x16(a);
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__load32(p);
    v[0] = wasm_u16x8_extend_low_u8x16(a);
    v[1] = wasm_u16x8_extend_high_u8x16(a);
}

/* f32 truncated: what does not fit becomes the next that does, NaN zero. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) { return wasm_i32x4_trunc_sat_f32x4(a); }
/* Whether there is a NaN in a block. */
#define MPX__HAS_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any(wasm_i32x4_gt(mpx__max(a, b), mpx__set(0x7f800000u)));
}
/* Two vectors of f64 to one of f32; NaN's sign and the leading bits of its payload by integers. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return wasm_u64x2_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    mpx__vu r = wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(a),
                                   wasm_f32x4_demote_f64x2_zero(b), 0, 2);
    mpx__vu nan = mpx__nan_mask(r);
    if (mpx__any(nan)) {
        mpx__vu payload = mpx__even32(wasm_u64x2_shr(a, 29), wasm_u64x2_shr(b, 29)),
                sign = mpx__and(mpx__odd32(a, b), mpx__set(0x80000000u));
        payload = mpx__or(mpx__and(payload, mpx__set(0x7fffffu)), mpx__set(0x7fc00000u));
        r = mpx__select(nan, mpx__or(payload, sign), r);
    }
    return r;
}
/* And back, exact; not for NaN, of which a machine may make another. */
#define MPX__LOSES_NAN 1
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    v[0] = wasm_f64x2_promote_low_f32x4(u);
    v[1] = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(u, u, 1, 1));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_f64x2_convert_low_i32x4(a);
    v[1] = wasm_f64x2_convert_low_i32x4(wasm_i64x2_shuffle(a, a, 1, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    return wasm_i64x2_shuffle(wasm_i32x4_trunc_sat_f64x2_zero(a),
                              wasm_i32x4_trunc_sat_f64x2_zero(b), 0, 2);
}
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return wasm_u64x2_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return wasm_i64x2_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return wasm_i64x2_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) { return wasm_i64x2_shr(a, 63); }
#define MPX__HAS_TRUNCATE64 1
MPX__FORCE_INLINE mpx__vu mpx__truncate64(mpx__vu a) { return wasm_f64x2_trunc(a); }
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    __asm__("" : "+m"(b));
    return wasm_f64x2_add(a, b);
}
/* The result of an operation on a, or a itself, made quiet, if a is NaN. */
MPX__FORCE_INLINE mpx__vu mpx__unless_nan64(mpx__vu a, mpx__vu result) {
    mpx__vu nan = wasm_i64x2_gt(mpx__and(a, mpx__set64(0x7fffffffffffffffu)),
                                mpx__set64(0x7ff0000000000000u));
    return mpx__select(nan, mpx__or(a, mpx__set64(0x8000000000000u)), result);
}
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return mpx__unless_nan64(a, wasm_f64x2_mul(a, b));
}
/* In this order too. */
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    mpx__vu by = b;
    __asm__("" : "+m"(by));
    return mpx__unless_nan64(a, wasm_f64x2_div(a, by));
}

#endif /* MPX_ISA_WASM */
