/*==========================================================================*
 * MARK: fast_int - integers, f32 and f64 to one another                     *
 *   Instead of integers.h's halves and tiles: pairs of integers of 8 to 64  *
 *   bits, and these with f32 and f64, straight from source to target.       *
 *   AVX-512 has a room of its own.                                          *
 *==========================================================================*/
#if MPX__HAS_FLOAT && !MPX__HAS_OWN_ROWS

/* ---- rows ------------------------------------------------------------------------------------ */

/* In any mode; in those to nearest; in an environment of its own, whatever the modes. */
#define MPX__STEPS(from, to, step, block, is_short) \
    mpx__steps(span, MPX__SIZE_##to, MPX__SIZE_##from, step, block, is_short)
#define MPX__IN_VECTORS(count, to) ((count) * MPX__VECTOR / MPX__SIZE_##to)
#define MPX__ANY_MODE_ROW(from, to, step, block, few_step, few) \
    MPX__NUMBER_ROW_IN( \
        from, to, MPX__STEPS(from, to, step, block, (step) <= MPX__IN_VECTORS(4, to)), few_step, \
        MPX__STEPS(from, to, few_step, few, 0), 1, 0, mpx__no_env_enter, mpx__no_env_leave)
MPX__FORCE_INLINE int mpx__modes_may_differ(void) {
    return MPX__MODES_ARE_TOLD ? mpx__modes_differ() : MPX__HAS_MXCSR || MPX__HAS_ENV;
}
#define MPX__MODES_ROW(from, to, step, block) \
    MPX__NUMBER_ROW_IN(from, to, MPX__STEPS(from, to, step, block, 1), step, \
                       MPX__STEPS(from, to, step, block, 0), stream, mpx__modes_may_differ(), \
                       mpx__env_enter, mpx__env_leave)
#define MPX__ENV_ROW(from, to, step, block) \
    MPX__NUMBER_ROW_IN(from, to, MPX__STEPS(from, to, step, block, 0), step, \
                       MPX__STEPS(from, to, step, block, 0), stream, 1, mpx__env_enter, \
                       mpx__env_leave)

/* ---- by vectors of the target ---------------------------------------------------------------- */

/* Four, each from `bytes` of the source on. */
typedef mpx__vu (*mpx__vector_fn)(const unsigned char *s);
MPX__FORCE_INLINE int mpx__four_vectors(unsigned char *d, const unsigned char *s, size_t bytes,
                                        mpx__vector_fn vector, int stream) {
    mpx__vu v[4];
    if (bytes > MPX__VECTOR) { /* bound by loads */
        mpx__store_past(d, vector(s), stream);
        mpx__store_past(d + MPX__VECTOR, vector(s + bytes), stream);
        mpx__store_past(d + 2 * MPX__VECTOR, vector(s + 2 * bytes), stream);
        mpx__store_past(d + 3 * MPX__VECTOR, vector(s + 3 * bytes), stream);
        return 1;
    }
    v[0] = vector(s);
    v[1] = vector(s + bytes);
    v[2] = vector(s + 2 * bytes);
    v[3] = vector(s + 3 * bytes);
    return mpx__store_block(d, v, stream);
}
/* A block: four, or one where each takes more than two vectors of the source. */
MPX__FORCE_INLINE int mpx__vectors(unsigned char *d, const unsigned char *s, size_t to_size,
                                   size_t from_size, mpx__vector_fn vector, int stream) {
    const size_t bytes = MPX__VECTOR / to_size * from_size;
    if (bytes <= 2 * MPX__VECTOR) return mpx__four_vectors(d, s, bytes, vector, stream);
    mpx__store_past(d, vector(s), stream);
    return 1;
}
#define MPX__VECTOR_ROW(from, to, vector) \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        return mpx__vectors(d, s, MPX__SIZE_##to, MPX__SIZE_##from, vector, stream); \
    } \
    MPX__FORCE_INLINE int mpx__few_##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                        int stream) { \
        mpx__store_past(d, vector(s), stream); \
        return 1; \
    } \
    MPX__ANY_MODE_ROW(from, to, \
                      MPX__IN_VECTORS(MPX__SIZE_##from > 2 * MPX__SIZE_##to ? 1 : 4, to), \
                      mpx__##to##s_of_##from##s, MPX__IN_VECTORS(1, to), \
                      mpx__few_##to##s_of_##from##s)

/* Of as many bits. What is below 0 becomes 0, what is above the largest signed number that. */
MPX__FORCE_INLINE mpx__vu mpx__ones(void) { return mpx__set(0xffffffffu); }
MPX__FORCE_INLINE mpx__vu mpx__u8_of_i8s(const unsigned char *s) {
    return mpx__at_least_0_8(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i8_of_u8s(const unsigned char *s) {
    return mpx__min8(mpx__load32(s), mpx__set(0x7f7f7f7fu));
}
MPX__FORCE_INLINE mpx__vu mpx__u16_of_i16s(const unsigned char *s) {
    return mpx__max16s(mpx__load32(s), mpx__set(0));
}
MPX__FORCE_INLINE mpx__vu mpx__i16_of_u16s(const unsigned char *s) {
    return mpx__at_most_i16(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i32s(const unsigned char *s) {
    return mpx__at_least_0(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_u32s(const unsigned char *s) {
    return mpx__at_most_i32(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_i64s(const unsigned char *s) {
    mpx__vu x = mpx__load32(s);
    return mpx__and(x, mpx__xor(mpx__sign64(x), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__i64_of_u64s(const unsigned char *s) {
    mpx__vu x = mpx__load32(s);
    return mpx__and(mpx__or(x, mpx__sign64(x)), mpx__set64(0x7fffffffffffffffu));
}
MPX__VECTOR_ROW(i8, u8, mpx__u8_of_i8s)
MPX__VECTOR_ROW(u8, i8, mpx__i8_of_u8s)
MPX__VECTOR_ROW(i16, u16, mpx__u16_of_i16s)
MPX__VECTOR_ROW(u16, i16, mpx__i16_of_u16s)
MPX__VECTOR_ROW(i32, u32, mpx__u32_of_i32s)
MPX__VECTOR_ROW(u32, i32, mpx__i32_of_u32s)
MPX__VECTOR_ROW(i64, u64, mpx__u64_of_i64s)
MPX__VECTOR_ROW(u64, i64, mpx__i64_of_u64s)

/* 16 bits to 8: packing saturates. */
MPX__FORCE_INLINE mpx__vu mpx__i8_of_i16s(const unsigned char *s) {
    return mpx__packed_once(mpx__pack16s(mpx__load32(s), mpx__load32(s + MPX__VECTOR)));
}
MPX__FORCE_INLINE mpx__vu mpx__u8_of_i16s(const unsigned char *s) {
    return mpx__packed_once(mpx__pack16(mpx__load32(s), mpx__load32(s + MPX__VECTOR)));
}
MPX__FORCE_INLINE mpx__vu mpx__i8_of_u16s(const unsigned char *s) {
    mpx__vu a = mpx__i16_of_u16s(s), b = mpx__i16_of_u16s(s + MPX__VECTOR);
    return mpx__packed_once(mpx__pack16s(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__u8_of_u16s(const unsigned char *s) {
    mpx__vu a = mpx__i16_of_u16s(s), b = mpx__i16_of_u16s(s + MPX__VECTOR);
    return mpx__packed_once(mpx__pack16(a, b));
}
MPX__VECTOR_ROW(i16, i8, mpx__i8_of_i16s)
MPX__VECTOR_ROW(i16, u8, mpx__u8_of_i16s)
MPX__VECTOR_ROW(u16, i8, mpx__i8_of_u16s)
MPX__VECTOR_ROW(u16, u8, mpx__u8_of_u16s)

/* 64 bits to 32: the low halves of two vectors' lanes, and what the high ones say of them. As if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64s(const unsigned char *s) {
    mpx__vu low, high, sign, limit;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    sign = mpx__sar(high, 31);
    limit = mpx__xor(sign, mpx__set(0x7fffffffu));
    return mpx__select(mpx__eq(high, mpx__sar(low, 31)), low, limit);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64s(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    low = mpx__or(low, mpx__gt_signed(high, mpx__set(0)));
    return mpx__and(low, mpx__xor(mpx__sar(high, 31), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64s(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    return mpx__or(low, mpx__xor(mpx__eq(high, mpx__set(0)), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_u64s(const unsigned char *s) {
    return mpx__at_most_i32(mpx__u32_of_u64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__i32_of_i64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__u32_of_i64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_u64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__i32_of_u64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__u32_of_u64s(s));
}
MPX__VECTOR_ROW(i64, i32, mpx__i32_of_i64s_in_order)
MPX__VECTOR_ROW(i64, u32, mpx__u32_of_i64s_in_order)
MPX__VECTOR_ROW(u64, i32, mpx__i32_of_u64s_in_order)
MPX__VECTOR_ROW(u64, u32, mpx__u32_of_u64s_in_order)

/* 32 and 64 bits to 16 and 8: signed lanes of 32 bits, of `step` bytes of the source each, packed
   once or twice more. */
#ifndef MPX__HAS_PACK32
/* -32768 .. 32767 and 32768 more. */
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000u);
    a = mpx__sub(mpx__at_least_0(a), half);
    b = mpx__sub(mpx__at_least_0(b), half);
    return mpx__xor(mpx__pack32s(a, b), mpx__set(0x80008000u));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__two_to_i16(const unsigned char *s, size_t step,
                                        mpx__vector_fn lanes) {
    return mpx__pack32s(lanes(s), lanes(s + step));
}
MPX__FORCE_INLINE mpx__vu mpx__two_to_u16(const unsigned char *s, size_t step,
                                        mpx__vector_fn lanes) {
    return mpx__pack32(lanes(s), lanes(s + step));
}
MPX__FORCE_INLINE mpx__vu mpx__four_to_i8(const unsigned char *s, size_t step,
                                         mpx__vector_fn lanes) {
    return mpx__pack16s(mpx__two_to_i16(s, step, lanes),
                        mpx__two_to_i16(s + 2 * step, step, lanes));
}
MPX__FORCE_INLINE mpx__vu mpx__four_to_u8(const unsigned char *s, size_t step,
                                         mpx__vector_fn lanes) {
    return mpx__pack16(mpx__two_to_i16(s, step, lanes),
                       mpx__two_to_i16(s + 2 * step, step, lanes));
}
MPX__FORCE_INLINE mpx__vu mpx__lanes_at(const unsigned char *s) { return mpx__load32(s); }
#define MPX__PACK_ROW(from, to, pack, order, lanes) \
    MPX__FORCE_INLINE mpx__vu mpx__##to##_packed_##from(const unsigned char *s) { \
        return order(pack(s, MPX__LANES * MPX__SIZE_##from, lanes)); \
    } \
    MPX__VECTOR_ROW(from, to, mpx__##to##_packed_##from)
#define MPX__PACK_ROWS(from, once, twice, lanes) \
    MPX__PACK_ROW(from, i16, mpx__two_to_i16, once, lanes) \
    MPX__PACK_ROW(from, u16, mpx__two_to_u16, once, lanes) \
    MPX__PACK_ROW(from, i8, mpx__four_to_i8, twice, lanes) \
    MPX__PACK_ROW(from, u8, mpx__four_to_u8, twice, lanes)
MPX__PACK_ROWS(i32, mpx__packed_once, mpx__packed_twice, mpx__lanes_at)
MPX__PACK_ROWS(u32, mpx__packed_once, mpx__packed_twice, mpx__i32_of_u32s)
MPX__PACK_ROWS(i64, mpx__packed_twice, mpx__packed_thrice, mpx__i32_of_i64s)
MPX__PACK_ROWS(u64, mpx__packed_twice, mpx__packed_thrice, mpx__i32_of_u64s)
#undef MPX__PACK_ROWS
#undef MPX__PACK_ROW
#undef MPX__VECTOR_ROW

/* ---- integers to wider ones, f32 and f64 ----------------------------------------------------- */

/* Two vectors of lanes as wide as the target's, or half as wide, and what becomes of them. */
typedef void (*mpx__store_fn)(unsigned char *d, const mpx__vu v[2], int stream);
MPX__FORCE_INLINE void mpx__store_pair(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
}
/* Beyond 24 bits the conversion rounds to nearest even. */
MPX__FORCE_INLINE void mpx__store_f32s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_past(d, mpx__f32_of_i24(v[0]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__f32_of_i24(v[1]), stream);
}
/* Twice as wide. */
typedef void (*mpx__double_fn)(mpx__vu v[2], mpx__vu x);
MPX__FORCE_INLINE void mpx__two_i64(mpx__vu v[2], mpx__vu x) {
    x = mpx__to_pair_once(x);
    mpx__pair32(x, mpx__sar(x, 31), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__two_u64(mpx__vu v[2], mpx__vu x) {
    mpx__pair32(mpx__to_pair_once(x), mpx__set(0), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__two_u64_of_i32(mpx__vu v[2], mpx__vu x) {
    mpx__two_u64(v, mpx__at_least_0(x));
}
/* 2^52 and the number, less 2^52: exact, but that 0 becomes -0 where sums are rounded down. */
MPX__FORCE_INLINE void mpx__two_f64_of_u32(mpx__vu v[2], mpx__vu x) {
    const mpx__vu less = mpx__set64((uint64_t)0xc33 << 52);
    mpx__pair32(mpx__to_pair_once(x), mpx__set(0x43300000u), &v[0], &v[1]);
    v[0] = mpx__fadd64(v[0], less);
    v[1] = mpx__fadd64(v[1], less);
}
MPX__FORCE_INLINE void mpx__store_twice(unsigned char *d, const mpx__vu v[2], mpx__double_fn two,
                                        int stream) {
    mpx__vu w[2];
    two(w, v[0]);
    mpx__store_pair(d, w, stream);
    two(w, v[1]);
    mpx__store_pair(d + 2 * MPX__VECTOR, w, stream);
}
MPX__FORCE_INLINE void mpx__store_i64s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_i64, stream);
}
MPX__FORCE_INLINE void mpx__store_u64s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_u64, stream);
}
MPX__FORCE_INLINE void mpx__store_u64s_of_i32(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_u64_of_i32, stream);
}
MPX__FORCE_INLINE void mpx__store_f64s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__f64_of_i32, stream);
}
MPX__FORCE_INLINE void mpx__store_f64s_of_u32(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_f64_of_u32, stream);
}

/* From a vector of numbers half as wide two, from one of a quarter four; of signed numbers those
   below 0 made 0, before they are wider. */
MPX__FORCE_INLINE void mpx__load_pair(mpx__vu v[2], const void *p) {
    v[0] = mpx__load32(p);
    v[1] = mpx__load32((const unsigned char *)p + MPX__VECTOR);
}
MPX__FORCE_INLINE void mpx__load_extended16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_clipped8to16(mpx__vu v[2], const void *p) {
    mpx__vu x = mpx__u8_of_i8s((const unsigned char *)p);
    mpx__pair8(mpx__to_pair_once(x), mpx__set(0), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__load_clipped16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__max16s(mpx__load32(p), mpx__set(0)));
}
#ifndef MPX__HAS_CLIPPED8
MPX__FORCE_INLINE void mpx__load_clipped8(mpx__vu v[4], const void *p) {
    mpx__vu w[2];
    mpx__load_clipped8to16(w, p);
    mpx__unpack_unsigned16(v, w[0]);
    mpx__unpack_unsigned16(v + 2, w[1]);
}
#endif

/* Blocks: two pairs, or four vectors of lanes. */
typedef void (*mpx__spread_fn)(mpx__vu *v, const void *p);
MPX__FORCE_INLINE int mpx__two_pairs(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__spread_fn load, mpx__store_fn store, size_t to_bytes,
                                     size_t from_bytes) {
    mpx__vu v[2];
    load(v, s);
    store(d, v, stream);
    load(v, s + from_bytes);
    store(d + to_bytes, v, stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__one_four(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__spread_fn load, mpx__store_fn store, size_t to_bytes,
                                    size_t from_bytes) {
    mpx__vu v[4];
    (void)from_bytes;
    load(v, s);
    store(d, v, stream);
    store(d + to_bytes, v + 2, stream);
    return 1;
}
#define MPX__LANES_BLOCK(from, to, step, way, load, store) \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        return way(d, s, stream, load, store, (step) / 2 * MPX__SIZE_##to, \
                   (step) / 2 * MPX__SIZE_##from); \
    }
#define MPX__LANES_ROW(from, to, step, way, load, store) \
    MPX__LANES_BLOCK(from, to, step, way, load, store) \
    MPX__ANY_MODE_ROW(from, to, step, mpx__##to##s_of_##from##s, step, mpx__##to##s_of_##from##s)
#define MPX__ROW_OF_8(from, to, load, store) \
    MPX__LANES_ROW(from, to, MPX__BLOCK, mpx__one_four, load, store)
#define MPX__ROW_OF_PAIRS(from, to, load, store) \
    MPX__LANES_ROW(from, to, MPX__BLOCK, mpx__two_pairs, load, store)
#define MPX__ROW_OF_8_TO_16(from, to, load) \
    MPX__LANES_BLOCK(from, to, 2 * MPX__BLOCK, mpx__two_pairs, load, mpx__store_pair) \
    MPX__FORCE_INLINE int mpx__few_##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                        int stream) { \
        mpx__vu v[2]; \
        load(v, s); \
        mpx__store_pair(d, v, stream); \
        return 1; \
    } \
    MPX__ANY_MODE_ROW(from, to, 2 * MPX__BLOCK, mpx__##to##s_of_##from##s, MPX__BLOCK, \
                      mpx__few_##to##s_of_##from##s)
MPX__ROW_OF_8_TO_16(i8, i16, mpx__load_signed8to16)
MPX__ROW_OF_8_TO_16(i8, u16, mpx__load_clipped8to16)
MPX__ROW_OF_8_TO_16(u8, i16, mpx__load_unsigned8to16)
MPX__ROW_OF_8_TO_16(u8, u16, mpx__load_unsigned8to16)
MPX__ROW_OF_8(i8, i32, mpx__load_signed8, mpx__store_pair)
MPX__ROW_OF_8(u8, i32, mpx__load_unsigned8, mpx__store_pair)
MPX__ROW_OF_PAIRS(i16, i32, mpx__load_extended16, mpx__store_pair)
MPX__ROW_OF_PAIRS(u16, i32, mpx__load_unsigned16, mpx__store_pair)
MPX__ROW_OF_8(i8, u32, mpx__load_clipped8, mpx__store_pair)
MPX__ROW_OF_8(u8, u32, mpx__load_unsigned8, mpx__store_pair)
MPX__ROW_OF_PAIRS(i16, u32, mpx__load_clipped16, mpx__store_pair)
MPX__ROW_OF_PAIRS(u16, u32, mpx__load_unsigned16, mpx__store_pair)
MPX__ROW_OF_8(i8, f32, mpx__load_signed8, mpx__store_f32s)
MPX__ROW_OF_8(u8, f32, mpx__load_unsigned8, mpx__store_f32s)
MPX__ROW_OF_PAIRS(i16, f32, mpx__load_signed16, mpx__store_f32s)
MPX__ROW_OF_PAIRS(u16, f32, mpx__load_unsigned16, mpx__store_f32s)
MPX__ROW_OF_8(i8, i64, mpx__load_signed8, mpx__store_i64s)
MPX__ROW_OF_8(u8, i64, mpx__load_unsigned8, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i16, i64, mpx__load_signed16, mpx__store_i64s)
MPX__ROW_OF_PAIRS(u16, i64, mpx__load_unsigned16, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i32, i64, mpx__load_pair, mpx__store_i64s)
MPX__ROW_OF_PAIRS(u32, i64, mpx__load_pair, mpx__store_u64s)
MPX__ROW_OF_8(i8, u64, mpx__load_clipped8, mpx__store_u64s)
MPX__ROW_OF_8(u8, u64, mpx__load_unsigned8, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i16, u64, mpx__load_clipped16, mpx__store_u64s)
MPX__ROW_OF_PAIRS(u16, u64, mpx__load_unsigned16, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i32, u64, mpx__load_pair, mpx__store_u64s_of_i32)
MPX__ROW_OF_PAIRS(u32, u64, mpx__load_pair, mpx__store_u64s)
MPX__ROW_OF_8(i8, f64, mpx__load_signed8, mpx__store_f64s)
MPX__ROW_OF_8(u8, f64, mpx__load_unsigned8, mpx__store_f64s)
MPX__ROW_OF_PAIRS(i16, f64, mpx__load_signed16, mpx__store_f64s)
MPX__ROW_OF_PAIRS(u16, f64, mpx__load_unsigned16, mpx__store_f64s)
MPX__LANES_BLOCK(u32, f64, MPX__BLOCK, mpx__two_pairs, mpx__load_pair, mpx__store_f64s_of_u32)
MPX__NUMBER_ROW_IN(u32, f64, MPX__STEPS(u32, f64, MPX__BLOCK, mpx__f64s_of_u32s, 0), MPX__BLOCK,
                   MPX__STEPS(u32, f64, MPX__BLOCK, mpx__f64s_of_u32s, 0), stream,
                   mpx__rounds_down(), mpx__env_enter, mpx__env_leave)
/* Those that round; in another mode than to nearest they may make -0 of 0 too. */
MPX__LANES_BLOCK(i32, f32, MPX__BLOCK, mpx__two_pairs, mpx__load_pair, mpx__store_f32s)
MPX__MODES_ROW(i32, f32, MPX__BLOCK, mpx__f32s_of_i32s)
#undef MPX__ROW_OF_8_TO_16
#undef MPX__ROW_OF_PAIRS
#undef MPX__ROW_OF_8
#undef MPX__LANES_ROW
#undef MPX__LANES_BLOCK

#ifndef MPX__HAS_WIDENING_LOADS
MPX__FORCE_INLINE void mpx__f64_of_i32_at(mpx__vu v[2], const unsigned char *p) {
    mpx__f64_of_i32(v, mpx__load32(p));
}
#endif
MPX__FORCE_INLINE int mpx__f64s_of_i32s(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_of_i32_at(v, s);
    mpx__f64_of_i32_at(v + 2, s + MPX__VECTOR);
    (void)mpx__store_block(d, v, stream);
    mpx__f64_of_i32_at(v, s + 2 * MPX__VECTOR);
    mpx__f64_of_i32_at(v + 2, s + 3 * MPX__VECTOR);
    return mpx__store_block(d + 4 * MPX__VECTOR, v, stream);
}
MPX__ANY_MODE_ROW(i32, f64, MPX__BLOCK, mpx__f64s_of_i32s, MPX__BLOCK, mpx__f64s_of_i32s)

#ifndef MPX__HAS_F32_OF_U32
/* By halves: their product and the sum before it is rounded are exact. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u32(mpx__vu x) {
    const mpx__vu step = mpx__set(0x47800000u), half = mpx__set(0xffffu); /* 65536 */
    return mpx__fmul_add(mpx__f32_of_u24(mpx__shr(x, 16)), step,
                         mpx__f32_of_u24(mpx__and(x, half)));
}
#endif
MPX__FORCE_INLINE void mpx__store_f32s_of_u32(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__vu w[2];
    w[0] = mpx__f32_of_u32(v[0]);
    w[1] = mpx__f32_of_u32(v[1]);
    mpx__store_pair(d, w, stream);
}
MPX__FORCE_INLINE int mpx__f32s_of_u32s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__two_pairs(d, s, stream, mpx__load_pair, mpx__store_f32s_of_u32, 2 * MPX__VECTOR,
                          2 * MPX__VECTOR);
}
MPX__MODES_ROW(u32, f32, MPX__BLOCK, mpx__f32s_of_u32s)

/* ---- 64 bits to f64 and f32 ------------------------------------------------------------------ */

/* Unsigned ones below 2^52, and signed ones from -2^51 to 2^51 with 2^51 added, are the low bits of
   an f64, 2^52 and so many; less 2^52 and what was added: exact. `beyond` collects the bits that
   tell others. */
MPX__FORCE_INLINE mpx__vu mpx__f64_of_52_bits(mpx__vu x, uint64_t added, mpx__vu *beyond) {
    const uint64_t exponent = (uint64_t)0x433 << 52, less = (uint64_t)0xc33 << 52 | added;
    if (added != 0) x = mpx__add64(x, mpx__set64(added));
    *beyond = mpx__or(*beyond, x);
    x = mpx__and(x, mpx__set64(~(uint64_t)0 >> 12)); /* of others no NaN is made */
    return mpx__fadd64(mpx__or(x, mpx__set64(exponent)), mpx__set64(less));
}
MPX__FORCE_INLINE int mpx__is_beyond_52_bits(mpx__vu beyond) {
    return mpx__any(mpx__and(beyond, mpx__set64((uint64_t)0xfff << 52)));
}
/* Any of them as a sum, which is rounded once: of 2^52 + its low half, and of 2^84 + its high half
   * 2^32 (+ 2^63 where it is signed) less all these powers, which is exact. Both have the half for
   the low bits of their code. */
MPX__FORCE_INLINE mpx__vu mpx__f64_of_halves(mpx__vu x, int is_signed) {
    const uint64_t above = (uint64_t)0x453 << 52 | (is_signed ? 0x80000000u : 0),
                   less = (uint64_t)0xc5300000 << 32 | (is_signed ? 0x80100000u : 0x100000u);
    mpx__vu low = mpx__or(mpx__and(x, mpx__set64(0xffffffffu)), mpx__set64((uint64_t)0x433 << 52)),
            high = mpx__xor(mpx__shr64(x, 32), mpx__set64(above));
    return mpx__fadd64(mpx__fadd64(high, mpx__set64(less)), low);
}
/* To be rounded again, to f32: where f64 would round, bit 11 stands for itself and all below it. In
   magnitudes from 2^52 on, whose f32 ends far above. By lanes of 32 bits: no sum carries, `sticky`
   has the upper half of x, and the upper half of what is compared is 0 in both. */
MPX__FORCE_INLINE mpx__vu mpx__sticky_64(mpx__vu x, int is_signed) {
    const mpx__vu low = mpx__set64(0x7ffu);
    mpx__vu any = mpx__add(mpx__and(x, low), low),
            sticky = mpx__and(mpx__or(x, any), mpx__set64(~(uint64_t)0x7ff)),
            top = is_signed ? mpx__add64(x, mpx__set64((uint64_t)1 << 52)) : x;
    return mpx__select(mpx__eq(mpx__shr64(top, 53), mpx__set(0)), x, sticky);
}

/* To f64. */
enum { MPX__FOUR_64 = 2 * MPX__LANES }; /* lanes of 64 bits in four vectors */
MPX__LONG_WAY void mpx__four_f64_of_halves(unsigned char *d, const unsigned char *s,
                                           int is_signed) {
    size_t i;
    for (i = 0; i < 4 * MPX__VECTOR; i += MPX__VECTOR)
        mpx__store32(d + i, mpx__f64_of_halves(mpx__load32(s + i), is_signed));
}
MPX__FORCE_INLINE int mpx__f64s_of_64s(unsigned char *d, const unsigned char *s, int stream,
                                       int is_signed) {
    const uint64_t added = is_signed ? (uint64_t)1 << 51 : 0;
    mpx__vu v[4], beyond = mpx__set(0);
    mpx__load_block(v, s);
    v[0] = mpx__f64_of_52_bits(v[0], added, &beyond);
    v[1] = mpx__f64_of_52_bits(v[1], added, &beyond);
    v[2] = mpx__f64_of_52_bits(v[2], added, &beyond);
    v[3] = mpx__f64_of_52_bits(v[3], added, &beyond);
    if (!mpx__is_beyond_52_bits(beyond)) return mpx__store_block(d, v, stream);
    mpx__four_f64_of_halves(d, s, is_signed);
    return 1;
}
#ifdef MPX__HAS_FROM_I64
MPX__FORCE_INLINE int mpx__f64s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__four_vectors(d, s, MPX__VECTOR, mpx__f64_of_i64_at, stream);
}
#else
MPX__FORCE_INLINE int mpx__f64s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f64s_of_64s(d, s, stream, 1);
}
#endif
MPX__FORCE_INLINE int mpx__f64s_of_u64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f64s_of_64s(d, s, stream, 0);
}
MPX__MODES_ROW(i64, f64, MPX__FOUR_64, mpx__f64s_of_i64s)
MPX__MODES_ROW(u64, f64, MPX__FOUR_64, mpx__f64s_of_u64s)

/* To f32. */
MPX__LONG_WAY void mpx__block_f32_of_halves(unsigned char *d, const unsigned char *s,
                                            int is_signed) {
    size_t i;
    for (i = 0; i < 4 * MPX__VECTOR; i += MPX__VECTOR) {
        mpx__vu a = mpx__sticky_64(mpx__load32(s + 2 * i), is_signed),
                b = mpx__sticky_64(mpx__load32(s + 2 * i + MPX__VECTOR), is_signed);
        mpx__store32(d + i, mpx__f32_of_f64(mpx__f64_of_halves(a, is_signed),
                                            mpx__f64_of_halves(b, is_signed)));
    }
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_52_bits(const unsigned char *s, uint64_t added,
                                              mpx__vu *beyond) {
    mpx__vu a = mpx__f64_of_52_bits(mpx__load32(s), added, beyond),
            b = mpx__f64_of_52_bits(mpx__load32(s + MPX__VECTOR), added, beyond);
    return mpx__f32_of_f64(a, b);
}
MPX__FORCE_INLINE int mpx__f32s_of_64s(unsigned char *d, const unsigned char *s, int stream,
                                       int is_signed) {
    const uint64_t added = is_signed ? (uint64_t)1 << 51 : 0;
    mpx__vu v[4], beyond = mpx__set(0);
    v[0] = mpx__f32_of_52_bits(s, added, &beyond);
    v[1] = mpx__f32_of_52_bits(s + 2 * MPX__VECTOR, added, &beyond);
    v[2] = mpx__f32_of_52_bits(s + 4 * MPX__VECTOR, added, &beyond);
    v[3] = mpx__f32_of_52_bits(s + 6 * MPX__VECTOR, added, &beyond);
    if (!mpx__is_beyond_52_bits(beyond)) return mpx__store_block(d, v, stream);
    mpx__block_f32_of_halves(d, s, is_signed);
    return 1;
}
#ifdef MPX__HAS_FROM_I64
MPX__FORCE_INLINE int mpx__f32s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__four_vectors(d, s, 2 * MPX__VECTOR, mpx__f32_of_i64_at, stream);
}
#else
MPX__FORCE_INLINE int mpx__f32s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f32s_of_64s(d, s, stream, 1);
}
#endif
MPX__FORCE_INLINE int mpx__f32s_of_u64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f32s_of_64s(d, s, stream, 0);
}
MPX__MODES_ROW(i64, f32, MPX__BLOCK, mpx__f32s_of_i64s)
MPX__MODES_ROW(u64, f32, MPX__BLOCK, mpx__f32s_of_u64s)
#undef MPX__MODES_ROW
#undef MPX__ANY_MODE_ROW
#undef MPX__IN_VECTORS

/* ---- f32 and f64 to integers of 32 bits and less, truncated ---------------------------------- */

/* Only NaN and what lies beyond 32 bits may convert to a wrong number, the least. */
MPX__FORCE_INLINE void mpx__whole_f32s(mpx__vu v[4], const unsigned char *s) {
    mpx__load_block(v, s);
    v[0] = mpx__i32_of_f32(v[0]);
    v[1] = mpx__i32_of_f32(v[1]);
    v[2] = mpx__i32_of_f32(v[2]);
    v[3] = mpx__i32_of_f32(v[3]);
}
MPX__DECODER(mpx__whole_f64) {
    return mpx__i32_of_f64(mpx__load32(p), mpx__load32((const unsigned char *)p + MPX__VECTOR));
}
MPX__FORCE_INLINE void mpx__whole_f64s(mpx__vu v[4], const unsigned char *s) {
    mpx__f64_block(v, s, mpx__whole_f64);
}
/* Whether one of them may stand for what is beyond 32 bits, or beyond 31. */
MPX__FORCE_INLINE int mpx__beyond_i32(const mpx__vu v[4]) {
    const mpx__vu least = mpx__set(0x80000000u);
    mpx__vu a = mpx__or(mpx__eq(v[0], least), mpx__eq(v[1], least)),
            b = mpx__or(mpx__eq(v[2], least), mpx__eq(v[3], least));
    return mpx__any(mpx__or(a, b));
}
MPX__FORCE_INLINE int mpx__beyond_u31(const mpx__vu v[4]) {
    const mpx__vu most = mpx__set(0x7ffffffeu);
    mpx__vu a = mpx__or(mpx__gt_signed(v[0], most), mpx__gt_signed(v[1], most)),
            b = mpx__or(mpx__gt_signed(v[2], most), mpx__gt_signed(v[3], most));
    return mpx__beyond_i32(v) || mpx__any(mpx__or(a, b));
}
/* A block with such is looked at once more, by the codec: saturated, to all 32 bits. */
typedef enum mpx__source { MPX__OF_F32, MPX__OF_F64 } mpx__source;
MPX__DECODER(mpx__exact_i32_of_f32) {
    mpx__vu u = mpx__load32(p);
    return mpx__signed_i32(mpx__truncate_f32(u), u);
}
MPX__DECODER(mpx__exact_u32_of_f32) {
    mpx__vu u = mpx__load32(p);
    return mpx__signed_u32(mpx__truncate_f32(u), u);
}
MPX__LONG_WAY void mpx__exact_i32s(unsigned char *d, const unsigned char *s, mpx__source source) {
    if (source == MPX__OF_F32)
        mpx__loop(d, 4, s, 4, MPX__BLOCK, mpx__exact_i32_of_f32, mpx__enc_f32);
    else
        mpx__loop(d, 4, s, 8, MPX__BLOCK, mpx__dec_i32_of_f64, mpx__enc_f32);
}
MPX__LONG_WAY void mpx__exact_u32s(unsigned char *d, const unsigned char *s, mpx__source source) {
    if (source == MPX__OF_F32)
        mpx__loop(d, 4, s, 4, MPX__BLOCK, mpx__exact_u32_of_f32, mpx__enc_f32);
    else
        mpx__loop(d, 4, s, 8, MPX__BLOCK, mpx__dec_u32_of_f64, mpx__enc_f32);
}
MPX__FORCE_INLINE void mpx__whole_lanes(mpx__vu v[4], const unsigned char *s, mpx__source source) {
    if (source == MPX__OF_F32)
        mpx__whole_f32s(v, s);
    else
        mpx__whole_f64s(v, s);
}
MPX__FORCE_INLINE void mpx__whole_i32s(mpx__vu v[4], const unsigned char *s, mpx__source source) {
    mpx__whole_lanes(v, s, source);
    if (mpx__beyond_i32(v)) {
        unsigned char lanes[4 * MPX__VECTOR];
        mpx__exact_i32s(lanes, s, source);
        mpx__load_block(v, lanes);
    }
}
/* As words. Packing makes -32768 of the least number, and of all below: then look at 32 bits. */
MPX__FORCE_INLINE void mpx__whole_words(mpx__vu w[2], const unsigned char *s, mpx__source source) {
    mpx__vu v[4];
    mpx__whole_lanes(v, s, source);
    w[0] = mpx__pack32s(v[0], v[1]);
    w[1] = mpx__pack32s(v[2], v[3]);
    if (mpx__any(mpx__eq16(mpx__min16s(w[0], w[1]), mpx__set(0x80008000u))) &&
        mpx__beyond_i32(v)) {
        unsigned char lanes[4 * MPX__VECTOR];
        mpx__exact_i32s(lanes, s, source);
        mpx__load_block(v, lanes);
        w[0] = mpx__pack32s(v[0], v[1]);
        w[1] = mpx__pack32s(v[2], v[3]);
    }
}
MPX__FORCE_INLINE int mpx__whole_i8(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__source source) {
    mpx__vu w[2];
    mpx__whole_words(w, s, source);
    mpx__store_past(d, mpx__packed_twice(mpx__pack16s(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_u8(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__source source) {
    mpx__vu w[2];
    mpx__whole_words(w, s, source);
    mpx__store_past(d, mpx__packed_twice(mpx__pack16(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_i16(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu w[2];
    mpx__whole_words(w, s, source);
    mpx__store_past(d, mpx__packed_once(w[0]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__packed_once(w[1]), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_u16(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu v[4];
    mpx__whole_i32s(v, s, source);
    mpx__store_past(d, mpx__packed_once(mpx__pack32(v[0], v[1])), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__packed_once(mpx__pack32(v[2], v[3])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_i32(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu v[4];
    mpx__whole_i32s(v, s, source);
    return mpx__store_block(d, v, stream);
}
MPX__FORCE_INLINE int mpx__whole_u32(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu v[4];
    mpx__whole_lanes(v, s, source);
    if (mpx__beyond_u31(v)) {
        mpx__exact_u32s(d, s, source);
    } else {
        v[0] = mpx__at_least_0(v[0]);
        v[1] = mpx__at_least_0(v[1]);
        v[2] = mpx__at_least_0(v[2]);
        v[3] = mpx__at_least_0(v[3]);
        (void)mpx__store_block(d, v, stream);
    }
    return 1;
}
#define MPX__WHOLE_ROW(from, to, source) \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        return mpx__whole_##to(d, s, stream, source); \
    } \
    MPX__ENV_ROW(from, to, MPX__BLOCK, mpx__##to##s_of_##from##s)
MPX__WHOLE_ROW(f32, i8, MPX__OF_F32)
MPX__WHOLE_ROW(f32, u8, MPX__OF_F32)
MPX__WHOLE_ROW(f32, i16, MPX__OF_F32)
MPX__WHOLE_ROW(f32, u16, MPX__OF_F32)
MPX__WHOLE_ROW(f32, i32, MPX__OF_F32)
MPX__WHOLE_ROW(f32, u32, MPX__OF_F32)
MPX__WHOLE_ROW(f64, i8, MPX__OF_F64)
MPX__WHOLE_ROW(f64, u8, MPX__OF_F64)
MPX__WHOLE_ROW(f64, i16, MPX__OF_F64)
MPX__WHOLE_ROW(f64, u16, MPX__OF_F64)
MPX__WHOLE_ROW(f64, i32, MPX__OF_F64)
MPX__WHOLE_ROW(f64, u32, MPX__OF_F64)
#undef MPX__WHOLE_ROW

/* ---- f32 and f64 to integers of 64 bits, truncated ------------------------------------------- */

/* Magnitudes below 2^51: an f64 with 2^52 (+ 2^51 where it is signed) added has the integer for its
   low bits. */
#ifdef MPX__HAS_TRUNCATE64
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x4338 << 48);
    return mpx__sub64(mpx__fadd64(mpx__truncate64(x), added), added);
}
#else /* rounded to nearest, and one less where that is above the magnitude */
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x433 << 52),
                  less = mpx__set64((uint64_t)0xc33 << 52);
    mpx__vu sign = mpx__sign64(x), a = mpx__and(x, mpx__set64(0x7fffffffffffffffu));
    mpx__vu sum = mpx__fadd64(a, added), rounded = mpx__fadd64(sum, less);
    mpx__vu above = mpx__shr64(mpx__sub64(a, rounded), 63);
    return mpx__sub64(mpx__xor(mpx__sub64(mpx__xor(sum, added), above), sign), sign);
}
#endif
/* The sign bit of 64 is set where a magnitude is 2^51 or more, or NaN. */
MPX__FORCE_INLINE mpx__vu mpx__beyond_51_bits(mpx__vu a, mpx__vu b) {
    const mpx__vu magnitude = mpx__set64(0x7fffffffffffffffu),
                  to_sign = mpx__set64(((uint64_t)0x8000 - 0x4320) << 48);
    return mpx__or(mpx__add64(mpx__and(a, magnitude), to_sign),
                   mpx__add64(mpx__and(b, magnitude), to_sign));
}
MPX__FORCE_INLINE int mpx__are_51_bits(const mpx__vu v[4]) {
    mpx__vu beyond = mpx__or(mpx__beyond_51_bits(v[0], v[1]), mpx__beyond_51_bits(v[2], v[3]));
    return !mpx__any(mpx__and(beyond, mpx__set64((uint64_t)1 << 63)));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_51_bits(mpx__vu x) {
    mpx__vu i = mpx__i64_of_51_bits(x);
    return mpx__and(i, mpx__xor(mpx__sign64(i), mpx__ones()));
}
MPX__FORCE_INLINE int mpx__store_as_i64(unsigned char *d, mpx__vu v[4], int stream) {
    v[0] = mpx__i64_of_51_bits(v[0]);
    v[1] = mpx__i64_of_51_bits(v[1]);
    v[2] = mpx__i64_of_51_bits(v[2]);
    v[3] = mpx__i64_of_51_bits(v[3]);
    return mpx__store_block(d, v, stream);
}
MPX__FORCE_INLINE int mpx__store_as_u64(unsigned char *d, mpx__vu v[4], int stream) {
    v[0] = mpx__u64_of_51_bits(v[0]);
    v[1] = mpx__u64_of_51_bits(v[1]);
    v[2] = mpx__u64_of_51_bits(v[2]);
    v[3] = mpx__u64_of_51_bits(v[3]);
    return mpx__store_block(d, v, stream);
}
MPX__FORCE_INLINE void mpx__load_four_f32(mpx__vu v[4], const unsigned char *s) {
    mpx__f64_of_f32_at(v, s);
    mpx__f64_of_f32_at(v + 2, s + MPX__VECTOR);
}
/* Others are for the codecs. */
#define MPX__WHOLE_ROW(from, to, load, exactly) \
    MPX__PRIVATE void exactly(void *dst, const void *src, size_t n); \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        mpx__vu v[4]; \
        load(v, s); \
        if (mpx__are_51_bits(v)) return mpx__store_as_##to(d, v, stream); \
        exactly(d, s, MPX__FOUR_64); \
        return 1; \
    } \
    MPX__ENV_ROW(from, to, MPX__FOUR_64, mpx__##to##s_of_##from##s)
MPX__WHOLE_ROW(f32, i64, mpx__load_four_f32, mpx__i64_from_f32)
MPX__WHOLE_ROW(f32, u64, mpx__load_four_f32, mpx__u64_from_f32)
MPX__WHOLE_ROW(f64, i64, mpx__load_block, mpx__f64_to_i64)
MPX__WHOLE_ROW(f64, u64, mpx__load_block, mpx__f64_to_u64)
#undef MPX__WHOLE_ROW
#undef MPX__ENV_ROW
#undef MPX__STEPS

#endif
