/*==========================================================================*
 * MARK: numbers - which row, for integers, f32 and f64                      *
 *   Of those that fast_int has made, or for AVX-512 fast_avx512_int: none   *
 *   between f64 and f32, which are with the other floats.                   *
 *==========================================================================*/
#if MPX__HAS_FLOAT

/* What a build has of them, a bit for each. */
enum {
    MPX__NUMBERS = 0 MPX__IF_F64(+(1 << MPX_F64)) + (1 << MPX_F32) MPX__IF_I8(+(1 << MPX_I8))
        MPX__IF_U8(+(1 << MPX_U8)) MPX__IF_I16(+(1 << MPX_I16)) MPX__IF_U16(+(1 << MPX_U16))
        MPX__IF_I32(+(1 << MPX_I32)) MPX__IF_U32(+(1 << MPX_U32)) MPX__IF_I64(+(1 << MPX_I64))
        MPX__IF_U64(+(1 << MPX_U64))
};
/* Two different ones, not both floats. */
MPX__INLINE int mpx__are_numbers(mpx_dtype a, mpx_dtype b) {
    if ((unsigned)(a | b) > 31 || a == b || (a <= MPX_F32 && b <= MPX_F32)) return 0;
    return (MPX__NUMBERS >> a & 1) != 0 && (MPX__NUMBERS >> b & 1) != 0;
}
/* F64 and F32 are 0 and 1, I8 to U64 2 to 9. */
#define MPX__PLACE(type) ((type) < MPX_I8 ? (type)-MPX_F64 : (type)-MPX_I8 + 2)
#define MPX__IF_f64(x) MPX__IF_F64(x)
#define MPX__IF_f32(x) MPX__IF_F32(x)
#define MPX__IF_i8(x) MPX__IF_I8(x)
#define MPX__IF_u8(x) MPX__IF_U8(x)
#define MPX__IF_i16(x) MPX__IF_I16(x)
#define MPX__IF_u16(x) MPX__IF_U16(x)
#define MPX__IF_i32(x) MPX__IF_I32(x)
#define MPX__IF_u32(x) MPX__IF_U32(x)
#define MPX__IF_i64(x) MPX__IF_I64(x)
#define MPX__IF_u64(x) MPX__IF_U64(x)
#define MPX__CASE(from, to) \
    MPX__IF_##to(MPX__IF_##from(case MPX__PLACE((int)MPX__TYPE_##to) * 10 + \
                                    MPX__PLACE((int)MPX__TYPE_##from): \
                                    return mpx__##from##_to_##to##_row(dst, src, n, stream);))
MPX__PRIVATE mpx_status mpx__cast_numbers(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                          size_t n, int stream) {
    switch (MPX__PLACE(to) * 10 + MPX__PLACE(from)) {
        MPX__CASE(i8, f64) MPX__CASE(u8, f64) MPX__CASE(i16, f64) MPX__CASE(u16, f64)
        MPX__CASE(i32, f64) MPX__CASE(u32, f64) MPX__CASE(i64, f64) MPX__CASE(u64, f64)
        MPX__CASE(i8, f32) MPX__CASE(u8, f32) MPX__CASE(i16, f32) MPX__CASE(u16, f32)
        MPX__CASE(i32, f32) MPX__CASE(u32, f32) MPX__CASE(i64, f32) MPX__CASE(u64, f32)
        MPX__CASE(f64, i8) MPX__CASE(f32, i8) MPX__CASE(u8, i8) MPX__CASE(i16, i8)
        MPX__CASE(u16, i8) MPX__CASE(i32, i8) MPX__CASE(u32, i8) MPX__CASE(i64, i8)
        MPX__CASE(u64, i8)
        MPX__CASE(f64, u8) MPX__CASE(f32, u8) MPX__CASE(i8, u8) MPX__CASE(i16, u8)
        MPX__CASE(u16, u8) MPX__CASE(i32, u8) MPX__CASE(u32, u8) MPX__CASE(i64, u8)
        MPX__CASE(u64, u8)
        MPX__CASE(f64, i16) MPX__CASE(f32, i16) MPX__CASE(i8, i16) MPX__CASE(u8, i16)
        MPX__CASE(u16, i16) MPX__CASE(i32, i16) MPX__CASE(u32, i16) MPX__CASE(i64, i16)
        MPX__CASE(u64, i16)
        MPX__CASE(f64, u16) MPX__CASE(f32, u16) MPX__CASE(i8, u16) MPX__CASE(u8, u16)
        MPX__CASE(i16, u16) MPX__CASE(i32, u16) MPX__CASE(u32, u16) MPX__CASE(i64, u16)
        MPX__CASE(u64, u16)
        MPX__CASE(f64, i32) MPX__CASE(f32, i32) MPX__CASE(i8, i32) MPX__CASE(u8, i32)
        MPX__CASE(i16, i32) MPX__CASE(u16, i32) MPX__CASE(u32, i32) MPX__CASE(i64, i32)
        MPX__CASE(u64, i32)
        MPX__CASE(f64, u32) MPX__CASE(f32, u32) MPX__CASE(i8, u32) MPX__CASE(u8, u32)
        MPX__CASE(i16, u32) MPX__CASE(u16, u32) MPX__CASE(i32, u32) MPX__CASE(i64, u32)
        MPX__CASE(u64, u32)
        MPX__CASE(f64, i64) MPX__CASE(f32, i64) MPX__CASE(i8, i64) MPX__CASE(u8, i64)
        MPX__CASE(i16, i64) MPX__CASE(u16, i64) MPX__CASE(i32, i64) MPX__CASE(u32, i64)
        MPX__CASE(u64, i64)
        MPX__CASE(f64, u64) MPX__CASE(f32, u64) MPX__CASE(i8, u64) MPX__CASE(u8, u64)
        MPX__CASE(i16, u64) MPX__CASE(u16, u64) MPX__CASE(i32, u64) MPX__CASE(u32, u64)
        MPX__CASE(i64, u64)
    default: return MPX_ERR_DTYPE; /* there are no others */
    }
}
#undef MPX__CASE
#undef MPX__IF_f64
#undef MPX__IF_f32
#undef MPX__IF_i8
#undef MPX__IF_u8
#undef MPX__IF_i16
#undef MPX__IF_u16
#undef MPX__IF_i32
#undef MPX__IF_u32
#undef MPX__IF_i64
#undef MPX__IF_u64
#undef MPX__PLACE
/* All of a span, or nothing; returns how many elements that is. */
MPX__PRIVATE size_t mpx__number_row(const mpx__span *span) {
    const mpx_dtype to = mpx__type_of(span->to), from = mpx__type_of(span->from);
    if (!mpx__are_numbers(to, from)) return 0;
    if (mpx__cast_numbers(span->d, to, span->s, from, span->n, span->stream) != MPX_OK) return 0;
    return span->n;
}
#undef MPX__NUMBER_ROW

#endif
