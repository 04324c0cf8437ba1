/*==========================================================================*
 * MARK: numbers - which row, for integers, f32 and f64                      *
 *   Of those that fast_int has made, or for AVX-512 fast_avx512_int: none   *
 *   between f64 and f32, which are with the other floats.                   *
 *==========================================================================*/
#if MPX__HAS_FLOAT

/* Where a dtype stands among them: F64 and F32 are 0 and 1, I8 to U64 2 to 9. A pair is one number;
   100 and more if one is none of them, or this build has none of it. Not all that are less have a
   row. */
enum { MPX__NO_NUMBER = 100, MPX__NUMBER = -MPX__NO_NUMBER /* and its place, to be added */ };
#define MPX__PLACE(type) ((type) < MPX_I8 ? (type)-MPX_F64 : (type)-MPX_I8 + 2)
#define MPX__PLACES(to, from) (MPX__PLACE(to) * 10 + MPX__PLACE(from))
MPX__INLINE unsigned mpx__number_pair(mpx_dtype to, mpx_dtype from) {
#define MPX__5_OTHERS \
    MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER
    static const uint8_t places[32] = {
        MPX__NO_NUMBER, MPX__NO_NUMBER MPX__IF_F64(+MPX__NUMBER), 1, MPX__5_OTHERS, MPX__5_OTHERS,
        MPX__5_OTHERS, MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER,
        MPX__NO_NUMBER MPX__IF_I8(+MPX__NUMBER + 2), MPX__NO_NUMBER MPX__IF_U8(+MPX__NUMBER + 3),
        MPX__NO_NUMBER MPX__IF_I16(+MPX__NUMBER + 4), MPX__NO_NUMBER MPX__IF_U16(+MPX__NUMBER + 5),
        MPX__NO_NUMBER MPX__IF_I32(+MPX__NUMBER + 6), MPX__NO_NUMBER MPX__IF_U32(+MPX__NUMBER + 7),
        MPX__NO_NUMBER MPX__IF_I64(+MPX__NUMBER + 8), MPX__NO_NUMBER MPX__IF_U64(+MPX__NUMBER + 9),
        MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER
    };
#undef MPX__5_OTHERS
    if ((unsigned)to > 31 || (unsigned)from > 31) return MPX__NO_NUMBER;
    return places[to] * 10u + places[from];
}
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
#define MPX__ROW_OF(from, to, stream) \
    MPX__IF_##to(MPX__IF_##from(case MPX__PLACES((int)MPX__TYPE_##to, (int)MPX__TYPE_##from): \
                                    return mpx__##from##_to_##to##_row(dst, src, n, stream);))
/* Inside of a switch over pairs: what is no pair goes on behind it. */
#define MPX__NUMBER_CASES(stream) \
    MPX__ROW_OF(i8, f64, stream) MPX__ROW_OF(u8, f64, stream) MPX__ROW_OF(i16, f64, stream) \
    MPX__ROW_OF(u16, f64, stream) MPX__ROW_OF(i32, f64, stream) MPX__ROW_OF(u32, f64, stream) \
    MPX__ROW_OF(i64, f64, stream) MPX__ROW_OF(u64, f64, stream) \
    MPX__ROW_OF(i8, f32, stream) MPX__ROW_OF(u8, f32, stream) MPX__ROW_OF(i16, f32, stream) \
    MPX__ROW_OF(u16, f32, stream) MPX__ROW_OF(i32, f32, stream) MPX__ROW_OF(u32, f32, stream) \
    MPX__ROW_OF(i64, f32, stream) MPX__ROW_OF(u64, f32, stream) \
    MPX__ROW_OF(f64, i8, stream) MPX__ROW_OF(f32, i8, stream) MPX__ROW_OF(u8, i8, stream) \
    MPX__ROW_OF(i16, i8, stream) MPX__ROW_OF(u16, i8, stream) MPX__ROW_OF(i32, i8, stream) \
    MPX__ROW_OF(u32, i8, stream) MPX__ROW_OF(i64, i8, stream) MPX__ROW_OF(u64, i8, stream) \
    MPX__ROW_OF(f64, u8, stream) MPX__ROW_OF(f32, u8, stream) MPX__ROW_OF(i8, u8, stream) \
    MPX__ROW_OF(i16, u8, stream) MPX__ROW_OF(u16, u8, stream) MPX__ROW_OF(i32, u8, stream) \
    MPX__ROW_OF(u32, u8, stream) MPX__ROW_OF(i64, u8, stream) MPX__ROW_OF(u64, u8, stream) \
    MPX__ROW_OF(f64, i16, stream) MPX__ROW_OF(f32, i16, stream) MPX__ROW_OF(i8, i16, stream) \
    MPX__ROW_OF(u8, i16, stream) MPX__ROW_OF(u16, i16, stream) MPX__ROW_OF(i32, i16, stream) \
    MPX__ROW_OF(u32, i16, stream) MPX__ROW_OF(i64, i16, stream) MPX__ROW_OF(u64, i16, stream) \
    MPX__ROW_OF(f64, u16, stream) MPX__ROW_OF(f32, u16, stream) MPX__ROW_OF(i8, u16, stream) \
    MPX__ROW_OF(u8, u16, stream) MPX__ROW_OF(i16, u16, stream) MPX__ROW_OF(i32, u16, stream) \
    MPX__ROW_OF(u32, u16, stream) MPX__ROW_OF(i64, u16, stream) MPX__ROW_OF(u64, u16, stream) \
    MPX__ROW_OF(f64, i32, stream) MPX__ROW_OF(f32, i32, stream) MPX__ROW_OF(i8, i32, stream) \
    MPX__ROW_OF(u8, i32, stream) MPX__ROW_OF(i16, i32, stream) MPX__ROW_OF(u16, i32, stream) \
    MPX__ROW_OF(u32, i32, stream) MPX__ROW_OF(i64, i32, stream) MPX__ROW_OF(u64, i32, stream) \
    MPX__ROW_OF(f64, u32, stream) MPX__ROW_OF(f32, u32, stream) MPX__ROW_OF(i8, u32, stream) \
    MPX__ROW_OF(u8, u32, stream) MPX__ROW_OF(i16, u32, stream) MPX__ROW_OF(u16, u32, stream) \
    MPX__ROW_OF(i32, u32, stream) MPX__ROW_OF(i64, u32, stream) MPX__ROW_OF(u64, u32, stream) \
    MPX__ROW_OF(f64, i64, stream) MPX__ROW_OF(f32, i64, stream) MPX__ROW_OF(i8, i64, stream) \
    MPX__ROW_OF(u8, i64, stream) MPX__ROW_OF(i16, i64, stream) MPX__ROW_OF(u16, i64, stream) \
    MPX__ROW_OF(i32, i64, stream) MPX__ROW_OF(u32, i64, stream) MPX__ROW_OF(u64, i64, stream) \
    MPX__ROW_OF(f64, u64, stream) MPX__ROW_OF(f32, u64, stream) MPX__ROW_OF(i8, u64, stream) \
    MPX__ROW_OF(u8, u64, stream) MPX__ROW_OF(i16, u64, stream) MPX__ROW_OF(u16, u64, stream) \
    MPX__ROW_OF(i32, u64, stream) MPX__ROW_OF(u32, u64, stream) MPX__ROW_OF(i64, u64, stream)
/* All of it, or MPX_ERR_DTYPE. */
MPX__PRIVATE mpx_status mpx__cast_numbers(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                          size_t n, int stream) {
    (void)dst, (void)src, (void)n, (void)stream; /* with f32 alone there is no pair */
    switch (mpx__number_pair(to, from)) { MPX__NUMBER_CASES(stream) }
    return MPX_ERR_DTYPE;
}
/* All of a span, or nothing; returns how many elements that is. */
MPX__INLINE size_t mpx__number_row(const mpx__span *span) {
    mpx_status status = mpx__cast_numbers(span->d, mpx__type_of(span->to), span->s,
                                          mpx__type_of(span->from), span->n, span->stream);
    return status == MPX_OK ? span->n : 0;
}
#undef MPX__NUMBER_ROW
#undef MPX__NUMBER_ROW_IN
#undef MPX__NUMBERS

#endif
