/*==================================================================*
 * MARK: ints - blocks of integers, and of f32 and f64 with them
 *   Integers of 8 and 16 bits are cast to one another in lanes of their own width; others go
 *   through i32, or through i64 if i32 does not hold every value that both dtypes have. All casts
 *   saturate.
 *==================================================================*/
#if !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_INT

MPX__FORCE_INLINE mpx__vu mpx__ones(void) { return mpx__set(0xffffffffu); }

/* ---- 8 and 16 bits to one another ------------------------------ */

/* Two blocks in each round, as there is little work in one. The storers read the source. */
MPX__FORCE_INLINE void mpx__loop_by_two(unsigned char *d, size_t d_step, const unsigned char *s,
                                        size_t s_step, size_t n, const mpx__job *job,
                                        mpx__store4_fn store) {
    const unsigned char *end = s + n / MPX__BLOCK * s_step;
    const int stream = MPX__HAS_STREAM ? job->stream : 0;
    if (n / MPX__BLOCK % 2 != 0) {
        (void)store(d, NULL, s, stream, NULL);
        d += d_step;
        s += s_step;
    }
    for (; s != end; d += 2 * d_step, s += 2 * s_step) {
        if (MPX__RARELY(stream)) mpx__fetch(s, 2 * s_step);
        (void)store(d, NULL, s, stream, NULL);
        (void)store(d + d_step, NULL, s + s_step, stream, NULL);
    }
}
#define MPX__KERNEL_BY_TWO(name, d_bits, store, s_bits) \
    MPX__OF_PARTS void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__loop_by_two(d, MPX__BLOCK * (d_bits) / 8, s, MPX__BLOCK * (s_bits) / 8, n, job, \
                         store); \
    }

/* Equally many bits: negative values become 0, too large values the largest signed number. */
MPX__STORER(mpx__store_u8_of_i8) { return mpx__put1(d, mpx__at_least_0_8(mpx__load32(s)), stream); }
MPX__STORER(mpx__store_i8_of_u8) {
    return mpx__put1(d, mpx__min8(mpx__load32(s), mpx__set8(0x7f)), stream);
}
MPX__STORER(mpx__store_u16_of_i16) {
    return mpx__put2(d, mpx__max16s(mpx__load32(s), mpx__set(0)),
                     mpx__max16s(mpx__load32(s + MPX__VECTOR), mpx__set(0)), stream);
}
MPX__STORER(mpx__store_i16_of_u16) {
    return mpx__put2(d, mpx__at_most_i16(mpx__load32(s)),
                     mpx__at_most_i16(mpx__load32(s + MPX__VECTOR)), stream);
}
MPX__KERNEL_BY_TWO(mpx__i8_to_u8, 8, mpx__store_u8_of_i8, 8)
MPX__KERNEL_BY_TWO(mpx__u8_to_i8, 8, mpx__store_i8_of_u8, 8)
MPX__KERNEL_BY_TWO(mpx__i16_to_u16, 16, mpx__store_u16_of_i16, 16)
MPX__KERNEL_BY_TWO(mpx__u16_to_i16, 16, mpx__store_i16_of_u16, 16)

/* 16 bits to 8: packing saturates. */
MPX__STORER(mpx__store_i8_of_i16) {
    const mpx__vu words = mpx__pack16s(mpx__load32(s), mpx__load32(s + MPX__VECTOR));
    return mpx__put1(d, mpx__packed_once(words), stream);
}
MPX__STORER(mpx__store_u8_of_i16) {
    const mpx__vu words = mpx__pack16(mpx__load32(s), mpx__load32(s + MPX__VECTOR));
    return mpx__put1(d, mpx__packed_once(words), stream);
}
MPX__STORER(mpx__store_i8_of_u16) {
    mpx__vu a = mpx__at_most_i16(mpx__load32(s)), b = mpx__at_most_i16(mpx__load32(s + MPX__VECTOR));
    return mpx__put1(d, mpx__packed_once(mpx__pack16s(a, b)), stream);
}
MPX__STORER(mpx__store_u8_of_u16) {
    mpx__vu a = mpx__at_most_i16(mpx__load32(s)), b = mpx__at_most_i16(mpx__load32(s + MPX__VECTOR));
    return mpx__put1(d, mpx__packed_once(mpx__pack16(a, b)), stream);
}
MPX__KERNEL_BY_TWO(mpx__i16_to_i8, 8, mpx__store_i8_of_i16, 16)
MPX__KERNEL_BY_TWO(mpx__i16_to_u8, 8, mpx__store_u8_of_i16, 16)
MPX__KERNEL_BY_TWO(mpx__u16_to_i8, 8, mpx__store_i8_of_u16, 16)
MPX__KERNEL_BY_TWO(mpx__u16_to_u8, 8, mpx__store_u8_of_u16, 16)

/* 8 bits to 16. */
MPX__STORER(mpx__store_i16_of_i8) {
    mpx__vu w[2];
    mpx__load_signed8to16(w, s);
    return mpx__put2(d, w[0], w[1], stream);
}
MPX__STORER(mpx__store_u16_of_i8) {
    mpx__vu low, high;
    mpx__pair8(mpx__to_pair_once(mpx__at_least_0_8(mpx__load32(s))), mpx__set(0), &low, &high);
    return mpx__put2(d, low, high, stream);
}
MPX__STORER(mpx__store_u16_of_u8) {
    mpx__vu low, high;
    mpx__pair8(mpx__to_pair_once(mpx__load32(s)), mpx__set(0), &low, &high);
    return mpx__put2(d, low, high, stream);
}
MPX__KERNEL_BY_TWO(mpx__i8_to_i16, 16, mpx__store_i16_of_i8, 8)
MPX__KERNEL_BY_TWO(mpx__i8_to_u16, 16, mpx__store_u16_of_i8, 8)
MPX__KERNEL_BY_TWO(mpx__u8_to_u16, 16, mpx__store_u16_of_u8, 8) /* to i16 too */

/* ---- bool, and integers of four bits and less in a byte -------- */

/* 1 where a byte is not 0. */
MPX__STORER(mpx__store_nonzero8) {
    const mpx__vu x = mpx__load32(s), zero = mpx__set(0),
                  is = mpx__or(mpx__gt8s(x, zero), mpx__gt8s(zero, x));
    return mpx__put1(d, mpx__and(is, mpx__set8(1)), stream);
}
MPX__KERNEL(mpx__nonzero8, 8, mpx__store_nonzero8, 8, mpx__load4_nothing)
/* 1 where an f32 is not 0; NaN gives 1. */
MPX__FORCE_INLINE mpx__vu mpx__one_unless_zero(mpx__vu u) {
    return mpx__add(mpx__eq(mpx__shl(u, 1), mpx__set(0)), mpx__set(1));
}
MPX__STORER(mpx__store4_bool) {
    mpx__vu a = mpx__pack32s(mpx__one_unless_zero(v[0]), mpx__one_unless_zero(v[1])),
            b = mpx__pack32s(mpx__one_unless_zero(v[2]), mpx__one_unless_zero(v[3]));
    return mpx__put1(d, mpx__packed_twice(mpx__pack16(a, b)), stream);
}
MPX__KERNEL(mpx__f32_to_bool, 8, mpx__store4_bool, 32, mpx__load4_32)

/* Codes of 2 and 4 bits, one in a byte, to i8 and u8. Back: saturated, with the bits above cut. */
MPX__INLINE void mpx__from_bits_set(mpx__constants *k, mpx__job *job) {
    const int half = 1 << (job->from->bits - 1);
    k->magnitude = mpx__set8(2 * half - 1);
    k->fields = mpx__set8(half);
    k->less = mpx__set8(-half);
}
MPX__STORER(mpx__store_i8_of_i4) {
    const mpx__vu x = mpx__and(mpx__load32(s), k->magnitude);
    return mpx__put1(d, mpx__add8(mpx__xor(x, k->fields), k->less), stream);
}
MPX__STORER(mpx__store_u8_of_u4) {
    return mpx__put1(d, mpx__and(mpx__load32(s), k->magnitude), stream);
}
MPX__KERNEL_WITH(mpx__i4_to_i8, mpx__from_bits_set, 8, mpx__store_i8_of_i4, 8, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__u4_to_u8, mpx__from_bits_set, 8, mpx__store_u8_of_u4, 8, mpx__load4_nothing)
MPX__INLINE void mpx__to_bits_set(mpx__constants *k, mpx__job *job) {
    const int half = 1 << (job->to->bits - 1);
    k->magnitude = mpx__set8(2 * half - 1);
    k->fields = mpx__set8(half - 1);
    k->less = mpx__set8(-half);
}
MPX__STORER(mpx__store_i4_of_i8) {
    mpx__vu x = mpx__load32(s);
    x = mpx__select(mpx__gt8s(x, k->fields), k->fields, x);
    x = mpx__select(mpx__gt8s(k->less, x), k->less, x);
    return mpx__put1(d, mpx__and(x, k->magnitude), stream);
}
MPX__STORER(mpx__store_u4_of_u8) {
    return mpx__put1(d, mpx__min8(mpx__load32(s), k->magnitude), stream);
}
MPX__KERNEL_WITH(mpx__i8_to_i4, mpx__to_bits_set, 8, mpx__store_i4_of_i8, 8, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__u8_to_u4, mpx__to_bits_set, 8, mpx__store_u4_of_u8, 8, mpx__load4_nothing)

/* ---- to i32 ---------------------------------------------------- */

MPX__LOADER(mpx__load4_i8) { mpx__load_signed8(v, s); }
MPX__LOADER(mpx__load4_u8) { mpx__load_unsigned8(v, s); }
MPX__LOADER(mpx__load4_i16) {
    mpx__load_signed16(v, s);
    mpx__load_signed16(v + 2, s + MPX__VECTOR);
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const unsigned char *s) {
    mpx__pair16(mpx__to_pair_once(mpx__load32(s)), mpx__set(0), &v[0], &v[1]);
}
MPX__LOADER(mpx__load4_u16) {
    mpx__load_unsigned16(v, s);
    mpx__load_unsigned16(v + 2, s + MPX__VECTOR);
}
MPX__LOADER_THEN(mpx__load4_u32_as_i32, mpx__load4_32, mpx__at_most_i32)
/* From 64 bits: the low halves of two vectors' lanes, saturated if the high halves require it. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64(const unsigned char *s) {
    mpx__vu low, high, limit;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    limit = mpx__xor(mpx__sar(high, 31), mpx__set(0x7fffffffu));
    low = mpx__select(mpx__eq(high, mpx__sar(low, 31)), low, limit);
    return mpx__packed_once(low);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    low = mpx__or(low, mpx__xor(mpx__eq(high, mpx__set(0)), mpx__ones()));
    return mpx__packed_once(low);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    low = mpx__or(low, mpx__gt_signed(high, mpx__set(0)));
    return mpx__packed_once(mpx__and(low, mpx__xor(mpx__sar(high, 31), mpx__ones())));
}
MPX__LOADER_OF(mpx__load4_i64, mpx__i32_of_i64, 2 * MPX__VECTOR)
MPX__LOADER_OF(mpx__load4_u32_of_i64, mpx__u32_of_i64, 2 * MPX__VECTOR)
MPX__LOADER_OF(mpx__load4_u32_of_u64, mpx__u32_of_u64, 2 * MPX__VECTOR)
MPX__LOADER_THEN(mpx__load4_u64, mpx__load4_u32_of_u64, mpx__at_most_i32)
MPX__KERNEL(mpx__i8_to_i32, 32, mpx__store4_32, 8, mpx__load4_i8)
MPX__KERNEL(mpx__u8_to_i32, 32, mpx__store4_32, 8, mpx__load4_u8)
MPX__KERNEL(mpx__i16_to_i32, 32, mpx__store4_32, 16, mpx__load4_i16)
MPX__KERNEL(mpx__u16_to_i32, 32, mpx__store4_32, 16, mpx__load4_u16)
MPX__KERNEL(mpx__u32_to_i32, 32, mpx__store4_32, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__i64_to_i32, 32, mpx__store4_32, 64, mpx__load4_i64)
MPX__KERNEL(mpx__u64_to_i32, 32, mpx__store4_32, 64, mpx__load4_u64)

/* ---- from i32 -------------------------------------------------- */

MPX__STORER(mpx__store4_i8) {
    mpx__vu a = mpx__pack32s(v[0], v[1]), b = mpx__pack32s(v[2], v[3]);
    return mpx__put1(d, mpx__packed_twice(mpx__pack16s(a, b)), stream);
}
MPX__STORER(mpx__store4_u8) {
    mpx__vu a = mpx__pack32s(v[0], v[1]), b = mpx__pack32s(v[2], v[3]);
    return mpx__put1(d, mpx__packed_twice(mpx__pack16(a, b)), stream);
}
MPX__STORER(mpx__store4_i16) {
    return mpx__put2(d, mpx__packed_once(mpx__pack32s(v[0], v[1])),
                     mpx__packed_once(mpx__pack32s(v[2], v[3])), stream);
}
MPX__STORER(mpx__store4_u16) {
    return mpx__put2(d, mpx__packed_once(mpx__pack32(v[0], v[1])),
                     mpx__packed_once(mpx__pack32(v[2], v[3])), stream);
}
MPX__LOADER_THEN(mpx__load4_u32_of_i8, mpx__load4_i8, mpx__at_least_0)
MPX__LOADER_THEN(mpx__load4_u32_of_i16, mpx__load4_i16, mpx__at_least_0)
MPX__LOADER_THEN(mpx__load4_u32_of_i32, mpx__load4_32, mpx__at_least_0)
/* To 64 bits, extended with the sign or with zeros. */
MPX__FORCE_INLINE void mpx__put_64(unsigned char *d, mpx__vu x, int is_signed, int stream) {
    mpx__vu low, high;
    x = mpx__to_pair_once(x);
    mpx__pair32(x, is_signed ? mpx__sar(x, 31) : mpx__set(0), &low, &high);
    (void)mpx__put2(d, low, high, stream);
}
MPX__FORCE_INLINE void mpx__put_64_of_i32(unsigned char *d, mpx__vu x, int stream) {
    mpx__put_64(d, x, 1, stream);
}
MPX__FORCE_INLINE void mpx__put_64_of_u32(unsigned char *d, mpx__vu x, int stream) {
    mpx__put_64(d, x, 0, stream);
}
MPX__STORER_OF(mpx__store4_64_of_i32, mpx__put_64_of_i32, 2 * MPX__VECTOR)
MPX__STORER_OF(mpx__store4_64_of_u32, mpx__put_64_of_u32, 2 * MPX__VECTOR)
MPX__KERNEL(mpx__i32_to_i8, 8, mpx__store4_i8, 32, mpx__load4_32)
MPX__KERNEL(mpx__i32_to_u8, 8, mpx__store4_u8, 32, mpx__load4_32)
MPX__KERNEL(mpx__i32_to_i16, 16, mpx__store4_i16, 32, mpx__load4_32)
MPX__KERNEL(mpx__i32_to_u16, 16, mpx__store4_u16, 32, mpx__load4_32)
MPX__KERNEL(mpx__i32_to_u32, 32, mpx__store4_32, 32, mpx__load4_u32_of_i32)
MPX__KERNEL(mpx__i32_to_i64, 64, mpx__store4_64_of_i32, 32, mpx__load4_32)
MPX__KERNEL(mpx__i32_to_u64, 64, mpx__store4_64_of_u32, 32, mpx__load4_u32_of_i32)
MPX__KERNEL(mpx__i8_to_u32, 32, mpx__store4_32, 8, mpx__load4_u32_of_i8)
MPX__KERNEL(mpx__i16_to_u32, 32, mpx__store4_32, 16, mpx__load4_u32_of_i16)
MPX__KERNEL(mpx__u32_to_i8, 8, mpx__store4_i8, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_u8, 8, mpx__store4_u8, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_i16, 16, mpx__store4_i16, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_u16, 16, mpx__store4_u16, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_64, 64, mpx__store4_64_of_u32, 32, mpx__load4_32) /* to i64, u64 */

/* ---- u32, i64 and u64 to one another --------------------------- */

MPX__KERNEL(mpx__i64_to_u32, 32, mpx__store4_32, 64, mpx__load4_u32_of_i64)
MPX__KERNEL(mpx__u64_to_u32, 32, mpx__store4_32, 64, mpx__load4_u32_of_u64)

/* A function of the lanes of 64 bits, over the eight vectors of a block. */
typedef mpx__vu (*mpx__lanes64_fn)(mpx__vu x);
MPX__FORCE_INLINE void mpx__four_64(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__lanes64_fn fn) {
    mpx__vu v[4];
    mpx__load4_32(v, s, NULL);
    v[0] = fn(v[0]);
    v[1] = fn(v[1]);
    v[2] = fn(v[2]);
    v[3] = fn(v[3]);
    (void)mpx__put4(d, v, stream);
}
MPX__FORCE_INLINE int mpx__eight_64(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__lanes64_fn fn) {
    mpx__four_64(d, s, stream, fn);
    mpx__four_64(d + 4 * MPX__VECTOR, s + 4 * MPX__VECTOR, stream, fn);
    return 1;
}
MPX__INLINE mpx__vu mpx__u64_of_i64(mpx__vu x) {
    return mpx__and(x, mpx__xor(mpx__sign64(x), mpx__ones()));
}
MPX__INLINE mpx__vu mpx__i64_of_u64(mpx__vu x) {
    return mpx__and(mpx__or(x, mpx__sign64(x)), mpx__set64(0x7fffffffffffffffu));
}
MPX__STORER(mpx__store_u64_of_i64) { return mpx__eight_64(d, s, stream, mpx__u64_of_i64); }
MPX__STORER(mpx__store_i64_of_u64) { return mpx__eight_64(d, s, stream, mpx__i64_of_u64); }
MPX__KERNEL(mpx__i64_to_u64, 64, mpx__store_u64_of_i64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__u64_to_i64, 64, mpx__store_i64_of_u64, 64, mpx__load4_nothing)

/* ---- to f32 ---------------------------------------------------- */

/* Exact up to 24 bits; beyond, the conversion rounds to nearest even. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i32(mpx__vu x) { return mpx__bits_of_vf(mpx__vf_of_i32(x)); }
MPX__LOADER_THEN(mpx__load4_f32_of_i8, mpx__load4_i8, mpx__f32_of_i32)
MPX__LOADER_THEN(mpx__load4_f32_of_u8, mpx__load4_u8, mpx__f32_of_i32)
MPX__LOADER_THEN(mpx__load4_f32_of_i16, mpx__load4_i16, mpx__f32_of_i32)
MPX__LOADER_THEN(mpx__load4_f32_of_u16, mpx__load4_u16, mpx__f32_of_i32)
MPX__LOADER_THEN(mpx__load4_f32_of_i32, mpx__load4_32, mpx__f32_of_i32)
#ifndef MPX__OWN_VF_OF_U32
/* In two halves: the product of the high half is exact, and the sum is rounded once. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu x) {
    const mpx__vf step = mpx__vf_of_bits(mpx__set(0x47800000u)); /* 65536 */
    return mpx__fmul_add(mpx__vf_of_i32(mpx__shr(x, 16)), step,
                         mpx__vf_of_i32(mpx__and(x, mpx__set(0xffffu))));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u32(mpx__vu x) { return mpx__bits_of_vf(mpx__vf_of_u32(x)); }
MPX__LOADER_THEN(mpx__load4_f32_of_u32, mpx__load4_32, mpx__f32_of_u32)
MPX__KERNEL(mpx__i8_to_f32, 32, mpx__store4_32, 8, mpx__load4_f32_of_i8)
MPX__KERNEL(mpx__u8_to_f32, 32, mpx__store4_32, 8, mpx__load4_f32_of_u8)
MPX__KERNEL(mpx__i16_to_f32, 32, mpx__store4_32, 16, mpx__load4_f32_of_i16)
MPX__KERNEL(mpx__u16_to_f32, 32, mpx__store4_32, 16, mpx__load4_f32_of_u16)
MPX__KERNEL(mpx__i32_to_f32, 32, mpx__store4_32, 32, mpx__load4_f32_of_i32)
MPX__KERNEL(mpx__u32_to_f32, 32, mpx__store4_32, 32, mpx__load4_f32_of_u32)

/* ---- f32 to integers, truncated -------------------------------- */

/* NaN and values out of range may become the least number: such blocks need the exact codec. */
MPX__FORCE_INLINE mpx__vu mpx__whole_f32(mpx__vu u) { return mpx__i32_of_vf(mpx__vf_of_bits(u)); }
MPX__LOADER_THEN(mpx__load4_whole, mpx__load4_32, mpx__whole_f32)
#ifndef MPX__OWN_ANY_GT
MPX__FORCE_INLINE int mpx__is_beyond_i32(const mpx__vu v[4]) {
    const mpx__vu least = mpx__set(0x80000000u);
    mpx__vu a = mpx__or(mpx__eq(v[0], least), mpx__eq(v[1], least)),
            b = mpx__or(mpx__eq(v[2], least), mpx__eq(v[3], least));
    return mpx__any(mpx__or(a, b));
}
#endif
/* Packing turns the least number, and all below it, into -32768: then lanes of 32 bits decide. */
MPX__FORCE_INLINE int mpx__pack_whole(mpx__vu w[2], const mpx__vu v[4]) {
    w[0] = mpx__pack32s(v[0], v[1]);
    w[1] = mpx__pack32s(v[2], v[3]);
    return !(mpx__any_gt16s(mpx__set(0x80018001u), mpx__min16s(w[0], w[1])) &&
             mpx__is_beyond_i32(v));
}
MPX__STORER(mpx__store4_i8_of_whole) {
    mpx__vu w[2];
    if (!mpx__pack_whole(w, v)) return 0;
    return mpx__put1(d, mpx__packed_twice(mpx__pack16s(w[0], w[1])), stream);
}
MPX__STORER(mpx__store4_u8_of_whole) {
    mpx__vu w[2];
    if (!mpx__pack_whole(w, v)) return 0;
    return mpx__put1(d, mpx__packed_twice(mpx__pack16(w[0], w[1])), stream);
}
MPX__STORER(mpx__store4_i16_of_whole) {
    mpx__vu w[2];
    if (!mpx__pack_whole(w, v)) return 0;
    return mpx__put2(d, mpx__packed_once(w[0]), mpx__packed_once(w[1]), stream);
}
MPX__STORER(mpx__store4_u16_of_whole) {
    return !mpx__is_beyond_i32(v) && mpx__store4_u16(d, v, s, stream, k);
}
MPX__STORER(mpx__store4_i32_of_whole) { return !mpx__is_beyond_i32(v) && mpx__put4(d, v, stream); }
/* From 2^31 on, the bits of the significand are moved to their places; from 2^32 on the result is the
   largest number, but 0 of NaN. */
MPX__FORCE_INLINE mpx__vu mpx__u32_of_f32(mpx__vu u) {
    const mpx__vu low = mpx__at_least_0(mpx__whole_f32(u)),
                  high = mpx__or(mpx__shl(u, 8), mpx__set(0x80000000u)),
                  beyond = mpx__gt_signed(u, mpx__set(0x4f7fffffu)),
                  nan = mpx__gt_signed(u, mpx__set(0x7f800000u));
    mpx__vu x = mpx__select(mpx__gt_signed(u, mpx__set(0x4effffffu)), high, low);
    return mpx__select(nan, mpx__set(0), mpx__or(x, beyond));
}
MPX__LOADER_THEN(mpx__load4_u32_of_f32, mpx__load4_32, mpx__u32_of_f32)
MPX__KERNEL(mpx__f32_to_i8, 8, mpx__store4_i8_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_u8, 8, mpx__store4_u8_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_i16, 16, mpx__store4_i16_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_u16, 16, mpx__store4_u16_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_i32, 32, mpx__store4_i32_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_u32, 32, mpx__store4_32, 32, mpx__load4_u32_of_f32)

/* ---- f64 with integers ----------------------------------------- */
#if MPX__HAS_F64

/* Integers of 32 bits to f64, exact. */
MPX__FORCE_INLINE void mpx__i32_to_f64_at(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vd w[2];
    mpx__load_vd_of_i32(w, s);
    (void)mpx__put2(d, mpx__bits_of_vd(w[0]), mpx__bits_of_vd(w[1]), stream);
}
MPX__STORER(mpx__store4_f64_of_i32) {
    mpx__i32_to_f64_at(d, s, stream);
    mpx__i32_to_f64_at(d + 2 * MPX__VECTOR, s + MPX__VECTOR, stream);
    mpx__i32_to_f64_at(d + 4 * MPX__VECTOR, s + 2 * MPX__VECTOR, stream);
    mpx__i32_to_f64_at(d + 6 * MPX__VECTOR, s + 3 * MPX__VECTOR, stream);
    return 1;
}
MPX__KERNEL(mpx__i32_to_f64, 64, mpx__store4_f64_of_i32, 32, mpx__load4_nothing)
/* The bits of 2^52 + x, less 2^52: exact. But 0 becomes -0 where sums are rounded down, so the sign
   is cut off. */
MPX__FORCE_INLINE void mpx__put_f64_of_u32(unsigned char *d, mpx__vu x, int stream) {
    const mpx__vd less = mpx__vd_of_bits(mpx__set64((uint64_t)0xc33 << 52));
    const mpx__vu magnitude = mpx__set64((uint64_t)-1 >> 1);
    mpx__vu a, b;
    mpx__pair32(mpx__to_pair_once(x), mpx__set(0x43300000u), &a, &b);
    a = mpx__bits_of_vd(mpx__dadd(mpx__vd_of_bits(a), less));
    b = mpx__bits_of_vd(mpx__dadd(mpx__vd_of_bits(b), less));
    (void)mpx__put2(d, mpx__and(a, magnitude), mpx__and(b, magnitude), stream);
}
MPX__STORER_OF(mpx__store4_f64_of_u32, mpx__put_f64_of_u32, 2 * MPX__VECTOR)
MPX__KERNEL(mpx__u32_to_f64, 64, mpx__store4_f64_of_u32, 32, mpx__load4_32)

/* Any 64-bit integer as a sum, which is rounded once: of 2^52 + its low half, and of 2^84 + its
   high half * 2^32 (+ 2^63 where it is signed) less all these powers, which is exact. The halves
   are the low bits of both. */
MPX__FORCE_INLINE mpx__vd mpx__vd_of_halves(mpx__vu x, int is_signed) {
    const uint64_t above = (uint64_t)0x453 << 52 | (is_signed ? 0x80000000u : 0),
                   less = (uint64_t)0xc5300000 << 32 | (is_signed ? 0x80100000u : 0x100000u);
    mpx__vu low = mpx__or(mpx__and(x, mpx__set64(0xffffffffu)), mpx__set64((uint64_t)0x433 << 52)),
            high = mpx__xor(mpx__shr64(x, 32), mpx__set64(above));
    mpx__vd sum = mpx__dadd(mpx__vd_of_bits(high), mpx__vd_of_bits(mpx__set64(less)));
    return mpx__dadd(sum, mpx__vd_of_bits(low));
}
/* For results that are rounded again: where f64 would round, bit 11 stands for itself and all bits
   below it. In magnitudes from 2^52 on, whose f32 ends far above. Lanes of 32 bits are enough: no
   sum carries, and `sticky` has the upper half of x. */
MPX__FORCE_INLINE mpx__vu mpx__sticky_64(mpx__vu x, int is_signed) {
    const mpx__vu low = mpx__set64(0x7ffu);
    mpx__vu any = mpx__add(mpx__and(x, low), low),
            sticky = mpx__and(mpx__or(x, any), mpx__set64(~(uint64_t)0x7ff)),
            top = mpx__add64(x, mpx__set64(is_signed ? (uint64_t)1 << 52 : 0));
    return mpx__select(mpx__eq(mpx__shr64(top, 53), mpx__set(0)), x, sticky);
}
#if !defined(MPX__OWN_F64_OF_64) || !defined(MPX__OWN_F32_OF_64)
/* Integers from -2^51 to 2^51 - 1 are the low bits of an f64 with 2^52 + 2^51 added, unsigned ones
   below 2^52 with 2^52. That takes half the time. Others set bits of `beyond`; cut, they are no
   NaN or Inf. */
MPX__FORCE_INLINE mpx__vd mpx__vd_of_52_bits(mpx__vu x, int is_signed, mpx__vu *beyond) {
    const mpx__vu above = mpx__set64((uint64_t)0x433 << 52), low = mpx__set64((uint64_t)-1 >> 12);
    if (is_signed) x = mpx__add64(x, mpx__set64((uint64_t)1 << 51));
    *beyond = mpx__or(*beyond, x);
    return mpx__dadd(mpx__vd_of_bits(mpx__or(mpx__and(x, low), above)),
                     mpx__vd_of_bits(mpx__set64((uint64_t)(is_signed ? 0xc338 : 0xc330) << 48)));
}
MPX__FORCE_INLINE int mpx__is_beyond_52_bits(mpx__vu beyond) {
    return mpx__any(mpx__and(beyond, mpx__set64((uint64_t)0xfff << 52)));
}
#endif
#ifdef MPX__OWN_F64_OF_64
MPX__INLINE mpx__vu mpx__f64_of_i64(mpx__vu x) { return mpx__bits_of_vd(mpx__vd_of_i64(x)); }
MPX__INLINE mpx__vu mpx__f64_of_u64(mpx__vu x) { return mpx__bits_of_vd(mpx__vd_of_u64(x)); }
MPX__STORER(mpx__store_f64_of_i64) { return mpx__eight_64(d, s, stream, mpx__f64_of_i64); }
MPX__STORER(mpx__store_f64_of_u64) { return mpx__eight_64(d, s, stream, mpx__f64_of_u64); }
#else
MPX__NOINLINE void mpx__any_f64_of_64(unsigned char *d, const unsigned char *s, int is_signed) {
    mpx__vu v[4];
    mpx__load4_32(v, s, NULL);
    v[0] = mpx__bits_of_vd(mpx__vd_of_halves(v[0], is_signed));
    v[1] = mpx__bits_of_vd(mpx__vd_of_halves(v[1], is_signed));
    v[2] = mpx__bits_of_vd(mpx__vd_of_halves(v[2], is_signed));
    v[3] = mpx__bits_of_vd(mpx__vd_of_halves(v[3], is_signed));
    (void)mpx__put4(d, v, 0);
}
MPX__FORCE_INLINE void mpx__four_f64_of_64(unsigned char *d, const unsigned char *s, int stream,
                                           int is_signed) {
    mpx__vu v[4], beyond = mpx__set(0);
    mpx__load4_32(v, s, NULL);
    v[0] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[0], is_signed, &beyond));
    v[1] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[1], is_signed, &beyond));
    v[2] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[2], is_signed, &beyond));
    v[3] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[3], is_signed, &beyond));
    if (!mpx__is_beyond_52_bits(beyond))
        (void)mpx__put4(d, v, stream);
    else
        mpx__any_f64_of_64(d, s, is_signed);
}
MPX__STORER(mpx__store_f64_of_i64) {
    mpx__four_f64_of_64(d, s, stream, 1);
    mpx__four_f64_of_64(d + 4 * MPX__VECTOR, s + 4 * MPX__VECTOR, stream, 1);
    return 1;
}
MPX__STORER(mpx__store_f64_of_u64) {
    mpx__four_f64_of_64(d, s, stream, 0);
    mpx__four_f64_of_64(d + 4 * MPX__VECTOR, s + 4 * MPX__VECTOR, stream, 0);
    return 1;
}
#endif
/* Of both; never past the caches, as a narrower float is made of it. */
MPX__NOINLINE void mpx__64_to_odd(unsigned char *d, const unsigned char *s, size_t n,
                                  mpx__job *job) {
    const int is_signed = job->from->kind == MPX_KIND_INT;
    size_t i;
    for (i = 0; i < n * 8; i += MPX__VECTOR) {
        const mpx__vu x = mpx__sticky_64(mpx__load32(s + i), is_signed);
        mpx__store32(d + i, mpx__bits_of_vd(mpx__vd_of_halves(x, is_signed)));
    }
}
MPX__KERNEL(mpx__i64_to_f64, 64, mpx__store_f64_of_i64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__u64_to_f64, 64, mpx__store_f64_of_u64, 64, mpx__load4_nothing)

/* f64 to i32, as f32 above. */
MPX__FORCE_INLINE mpx__vu mpx__whole_f64(const unsigned char *s) {
    return mpx__i32_of_vd(mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR));
}
MPX__LOADER_OF(mpx__load4_whole_f64, mpx__whole_f64, 2 * MPX__VECTOR)
MPX__KERNEL(mpx__f64_to_i32, 32, mpx__store4_i32_of_whole, 64, mpx__load4_whole_f64)

/* Magnitudes below 2^51: an f64 with 2^52 + 2^51 added has the integer for its low bits. */
#ifdef MPX__OWN_TRUNCATE
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x4338 << 48);
    mpx__vd whole = mpx__dtruncate(mpx__vd_of_bits(x));
    return mpx__sub64(mpx__bits_of_vd(mpx__dadd(whole, mpx__vd_of_bits(added))), added);
}
#else /* rounded to nearest, and one less where that is above the magnitude */
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x433 << 52),
                  less = mpx__set64((uint64_t)0xc33 << 52);
    mpx__vu sign = mpx__sign64(x), a = mpx__and(x, mpx__set64(0x7fffffffffffffffu)), above;
    mpx__vd sum = mpx__dadd(mpx__vd_of_bits(a), mpx__vd_of_bits(added)),
            rounded = mpx__dadd(sum, mpx__vd_of_bits(less));
    above = mpx__shr64(mpx__sub64(a, mpx__bits_of_vd(rounded)), 63);
    above = mpx__sub64(mpx__xor(mpx__bits_of_vd(sum), added), above);
    return mpx__sub64(mpx__xor(above, sign), sign);
}
#endif
/* Whether all magnitudes are below 2^51: else the sign bit of a sum is set. */
MPX__FORCE_INLINE mpx__vu mpx__beyond_51_bits(mpx__vu x) {
    return mpx__add64(mpx__and(x, mpx__set64(0x7fffffffffffffffu)),
                      mpx__set64(((uint64_t)0x8000 - 0x4320) << 48));
}
MPX__FORCE_INLINE int mpx__are_51_bits(const unsigned char *s) {
    mpx__vu beyond = mpx__set(0), v[4];
    mpx__load4_32(v, s, NULL);
    beyond = mpx__or(mpx__or(mpx__beyond_51_bits(v[0]), mpx__beyond_51_bits(v[1])),
                     mpx__or(mpx__beyond_51_bits(v[2]), mpx__beyond_51_bits(v[3])));
    return !mpx__any(mpx__and(beyond, mpx__set64((uint64_t)1 << 63)));
}
MPX__FORCE_INLINE mpx__vu mpx__64_of_f64(mpx__vu x, int is_signed) {
#ifdef MPX__OWN_64_OF_F64
    return is_signed ? mpx__i64_of_f64(x) : mpx__u64_of_f64(x);
#else
    x = mpx__i64_of_51_bits(x);
    return is_signed ? x : mpx__u64_of_i64(x);
#endif
}
MPX__INLINE void mpx__to_64_set(mpx__constants *k, mpx__job *job) {
    k->is_signed = job->to->kind == MPX_KIND_INT;
}
MPX__STORER(mpx__store_64_of_f64) {
    size_t i;
#ifndef MPX__OWN_64_OF_F64
    if (!mpx__are_51_bits(s) || !mpx__are_51_bits(s + 4 * MPX__VECTOR)) return 0;
#endif
    for (i = 0; i < 8 * MPX__VECTOR; i += 2 * MPX__VECTOR)
        (void)mpx__put2(d + i, mpx__64_of_f64(mpx__load32(s + i), k->is_signed),
                        mpx__64_of_f64(mpx__load32(s + i + MPX__VECTOR), k->is_signed), stream);
    return 1;
}
MPX__KERNEL_WITH(mpx__f64_to_64, mpx__to_64_set, 64, mpx__store_64_of_f64, 64, mpx__load4_nothing)

/* 64 bits to f32: by f64, with the sticky bit where that would round. */
#ifdef MPX__OWN_F32_OF_64
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i64(const unsigned char *s) { return mpx__f32_of_64(s, 1); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u64(const unsigned char *s) { return mpx__f32_of_64(s, 0); }
MPX__LOADER_OF(mpx__load4_f32_of_i64, mpx__f32_of_i64, 2 * MPX__VECTOR)
MPX__LOADER_OF(mpx__load4_f32_of_u64, mpx__f32_of_u64, 2 * MPX__VECTOR)
#else
MPX__FORCE_INLINE mpx__vu mpx__f32_of_64(const unsigned char *s, int is_signed) {
    mpx__vu a = mpx__sticky_64(mpx__load32(s), is_signed),
            b = mpx__sticky_64(mpx__load32(s + MPX__VECTOR), is_signed);
    return mpx__bits_of_vf(mpx__vf_of_vd(mpx__vd_of_halves(a, is_signed),
                                         mpx__vd_of_halves(b, is_signed)));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_52_bits(const unsigned char *s, int is_signed,
                                              mpx__vu *beyond) {
    return mpx__bits_of_vf(
        mpx__vf_of_vd(mpx__vd_of_52_bits(mpx__load32(s), is_signed, beyond),
                      mpx__vd_of_52_bits(mpx__load32(s + MPX__VECTOR), is_signed, beyond)));
}
MPX__FORCE_INLINE int mpx__four_f32_of_52_bits(mpx__vu v[4], const unsigned char *s,
                                               int is_signed) {
    mpx__vu beyond = mpx__set(0);
    v[0] = mpx__f32_of_52_bits(s, is_signed, &beyond);
    v[1] = mpx__f32_of_52_bits(s + 2 * MPX__VECTOR, is_signed, &beyond);
    v[2] = mpx__f32_of_52_bits(s + 4 * MPX__VECTOR, is_signed, &beyond);
    v[3] = mpx__f32_of_52_bits(s + 6 * MPX__VECTOR, is_signed, &beyond);
    return !mpx__is_beyond_52_bits(beyond);
}
MPX__NOINLINE void mpx__any_f32_of_64(mpx__vu v[4], const unsigned char *s, int is_signed) {
    int j;
    for (j = 0; j < 4; j++, s += 2 * MPX__VECTOR)
        v[j] = mpx__f32_of_64(s, is_signed);
}
MPX__LOADER(mpx__load4_f32_of_i64) {
    if (!mpx__four_f32_of_52_bits(v, s, 1)) mpx__any_f32_of_64(v, s, 1);
}
MPX__LOADER(mpx__load4_f32_of_u64) {
    if (!mpx__four_f32_of_52_bits(v, s, 0)) mpx__any_f32_of_64(v, s, 0);
}
#endif
MPX__KERNEL(mpx__i64_to_f32, 32, mpx__store4_32, 64, mpx__load4_f32_of_i64)
MPX__KERNEL(mpx__u64_to_f32, 32, mpx__store4_32, 64, mpx__load4_f32_of_u64)

#endif /* MPX__HAS_F64 */
#endif /* !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_INT */
