/*==========================================================================*
 * MARK: dtypes - one row per dtype                                          *
 *   The table, the kernels' dispatch and the tests come from these rows.    *
 *   Adding a dtype: a constant in types.h, a bit in config.h, MPX__IF_ in   *
 *   carried.h, a row here, a codec in codec.h, two kernels in cast.h, rows  *
 *   in interop.h and promote.h, #undefs in outro.h.                         *
 *==========================================================================*/

/* Families of small floats: what the topmost codes mean. */
enum {
    MPX__NOT_FLOAT = 0,
    MPX__IEEE,   /* exponent all ones: Inf and NaN                              */
    MPX__FN,     /* no Inf; all ones: NaN                                       */
    MPX__FNUZ,   /* no Inf, no -0; sign bit alone: NaN                          */
    MPX__FINITE, /* every code is a finite value                                */
    MPX__E8M0    /* an exponent and nothing else; all ones: NaN                 */
};

/* Systems that know a word, for their exact dialects. ANY is the lenient default: all names, short
   names and aliases. */
enum {
    MPX__ANY = 1,
    MPX__JMP = 2,
    MPX__EFORMER = 4,
    MPX__KERAS = 8,
    MPX__AXON = 16,
    MPX__PUT = 32
};
/* Who knows a dtype's name, and who its short name. */
#define MPX__IN_NONE 0, 0
#define MPX__IN_ALL \
    MPX__JMP | MPX__EFORMER | MPX__KERAS | MPX__PUT, MPX__JMP | MPX__EFORMER | MPX__AXON
#define MPX__IN_PUT MPX__PUT, 0
#define MPX__IN_KERAS MPX__KERAS, 0
#define MPX__IN_KERAS_PUT MPX__KERAS | MPX__PUT, 0
#define MPX__IN_KERAS_PUT_EFORMER MPX__KERAS | MPX__PUT | MPX__EFORMER, 0
#define MPX__IN_KERAS_AXON MPX__KERAS, MPX__AXON
#define MPX__IN_AXON 0, MPX__AXON

/* Formats: exponent bits, mantissa bits, bias, family. */
#define MPX__FORMAT_NONE 0, 0, 0, MPX__NOT_FLOAT
#define MPX__FORMAT_F64 11, 52, 1023, MPX__IEEE
#define MPX__FORMAT_F32 8, 23, 127, MPX__IEEE
#define MPX__FORMAT_F16 5, 10, 15, MPX__IEEE
#define MPX__FORMAT_BF16 8, 7, 127, MPX__IEEE
#define MPX__FORMAT_F8E4M3FN 4, 3, 7, MPX__FN
#define MPX__FORMAT_F8E5M2 5, 2, 15, MPX__IEEE
#define MPX__FORMAT_F8E4M3FNUZ 4, 3, 8, MPX__FNUZ
#define MPX__FORMAT_F8E5M2FNUZ 5, 2, 16, MPX__FNUZ
#define MPX__FORMAT_F8E4M3B11FNUZ 4, 3, 11, MPX__FNUZ
#define MPX__FORMAT_F8E4M3 4, 3, 7, MPX__IEEE
#define MPX__FORMAT_F8E3M4 3, 4, 3, MPX__IEEE
#define MPX__FORMAT_F8E8M0FNU 8, 0, 127, MPX__E8M0
#define MPX__FORMAT_F6E2M3FN 2, 3, 1, MPX__FINITE
#define MPX__FORMAT_F6E3M2FN 3, 2, 3, MPX__FINITE
#define MPX__FORMAT_F4E2M1FN 2, 1, 1, MPX__FINITE

/* X(constant, name, short name, kind, bits, format, kernels' stem, systems) */
#define MPX__DTYPES(X) \
    MPX__IF_F64(X(MPX_F64, "float64", "f64", MPX_KIND_FLOAT, 64, MPX__FORMAT_F64, mpx__f64, \
      MPX__IN_ALL)) \
    MPX__IF_F32(X(MPX_F32, "float32", "f32", MPX_KIND_FLOAT, 32, MPX__FORMAT_F32, mpx__f32, \
      MPX__IN_ALL)) \
    MPX__IF_F16(X(MPX_F16, "float16", "f16", MPX_KIND_FLOAT, 16, MPX__FORMAT_F16, mpx__f16, \
      MPX__IN_ALL)) \
    MPX__IF_BF16(X(MPX_BF16, "bfloat16", "bf16", MPX_KIND_FLOAT, 16, MPX__FORMAT_BF16, mpx__bf16, \
      MPX__IN_ALL)) \
    MPX__IF_F8E4M3FN(X(MPX_F8E4M3FN, "float8_e4m3fn", "f8e4m3fn", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E4M3FN, mpx__f8e4m3fn, MPX__IN_KERAS_PUT)) \
    MPX__IF_F8E5M2(X(MPX_F8E5M2, "float8_e5m2", "f8e5m2", MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E5M2, \
      mpx__f8e5m2, MPX__IN_KERAS_PUT_EFORMER)) \
    MPX__IF_F8E4M3FNUZ(X(MPX_F8E4M3FNUZ, "float8_e4m3fnuz", "f8e4m3fnuz", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E4M3FNUZ, mpx__f8e4m3fnuz, MPX__IN_PUT)) \
    MPX__IF_F8E5M2FNUZ(X(MPX_F8E5M2FNUZ, "float8_e5m2fnuz", "f8e5m2fnuz", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E5M2FNUZ, mpx__f8e5m2fnuz, MPX__IN_PUT)) \
    MPX__IF_F8E4M3B11FNUZ(X(MPX_F8E4M3B11FNUZ, "float8_e4m3b11fnuz", "f8e4m3b11fnuz", \
      MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E4M3B11FNUZ, mpx__f8e4m3b11fnuz, MPX__IN_PUT)) \
    MPX__IF_F8E4M3(X(MPX_F8E4M3, "float8_e4m3", "f8e4m3", MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E4M3, \
      mpx__f8e4m3, MPX__IN_NONE)) \
    MPX__IF_F8E3M4(X(MPX_F8E3M4, "float8_e3m4", "f8e3m4", MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E3M4, \
      mpx__f8e3m4, MPX__IN_NONE)) \
    MPX__IF_F8E8M0FNU(X(MPX_F8E8M0FNU, "float8_e8m0fnu", "f8e8m0fnu", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E8M0FNU, mpx__f8e8m0fnu, MPX__IN_NONE)) \
    MPX__IF_F6E2M3FN(X(MPX_F6E2M3FN, "float6_e2m3fn", "f6e2m3fn", MPX_KIND_FLOAT, 6, \
      MPX__FORMAT_F6E2M3FN, mpx__f6e2m3fn, MPX__IN_NONE)) \
    MPX__IF_F6E3M2FN(X(MPX_F6E3M2FN, "float6_e3m2fn", "f6e3m2fn", MPX_KIND_FLOAT, 6, \
      MPX__FORMAT_F6E3M2FN, mpx__f6e3m2fn, MPX__IN_NONE)) \
    MPX__IF_F4E2M1FN(X(MPX_F4E2M1FN, "float4_e2m1fn", "f4e2m1fn", MPX_KIND_FLOAT, 4, \
      MPX__FORMAT_F4E2M1FN, mpx__f4e2m1fn, MPX__IN_NONE)) \
    MPX__IF_BOOL(X(MPX_BOOL, "bool", "bool", MPX_KIND_BOOL, 8, MPX__FORMAT_NONE, mpx__bool, \
      MPX__IN_KERAS)) \
    MPX__IF_I2(X(MPX_I2, "int2", "i2", MPX_KIND_INT, 2, MPX__FORMAT_NONE, mpx__i2, MPX__IN_NONE)) \
    MPX__IF_U2(X(MPX_U2, "uint2", "u2", MPX_KIND_UINT, 2, MPX__FORMAT_NONE, mpx__u2, \
      MPX__IN_AXON)) \
    MPX__IF_I4(X(MPX_I4, "int4", "i4", MPX_KIND_INT, 4, MPX__FORMAT_NONE, mpx__i4, MPX__IN_NONE)) \
    MPX__IF_U4(X(MPX_U4, "uint4", "u4", MPX_KIND_UINT, 4, MPX__FORMAT_NONE, mpx__u4, \
      MPX__IN_AXON)) \
    MPX__IF_I8(X(MPX_I8, "int8", "i8", MPX_KIND_INT, 8, MPX__FORMAT_NONE, mpx__i8, MPX__IN_KERAS)) \
    MPX__IF_U8(X(MPX_U8, "uint8", "u8", MPX_KIND_UINT, 8, MPX__FORMAT_NONE, mpx__u8, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_I16(X(MPX_I16, "int16", "i16", MPX_KIND_INT, 16, MPX__FORMAT_NONE, mpx__i16, \
      MPX__IN_KERAS)) \
    MPX__IF_U16(X(MPX_U16, "uint16", "u16", MPX_KIND_UINT, 16, MPX__FORMAT_NONE, mpx__u16, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_I32(X(MPX_I32, "int32", "i32", MPX_KIND_INT, 32, MPX__FORMAT_NONE, mpx__i32, \
      MPX__IN_KERAS)) \
    MPX__IF_U32(X(MPX_U32, "uint32", "u32", MPX_KIND_UINT, 32, MPX__FORMAT_NONE, mpx__u32, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_I64(X(MPX_I64, "int64", "i64", MPX_KIND_INT, 64, MPX__FORMAT_NONE, mpx__i64, \
      MPX__IN_KERAS)) \
    MPX__IF_U64(X(MPX_U64, "uint64", "u64", MPX_KIND_UINT, 64, MPX__FORMAT_NONE, mpx__u64, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_C64(X(MPX_C64, "complex64", "c64", MPX_KIND_COMPLEX, 64, MPX__FORMAT_NONE, mpx__none, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_C128(X(MPX_C128, "complex128", "c128", MPX_KIND_COMPLEX, 128, MPX__FORMAT_NONE, \
      mpx__none, MPX__IN_KERAS_AXON))

/* Array sizes for these words. The preprocessor has no maximum of a list, so the sizes are or-ed
   together, which is an upper bound, and cut to the known longest. */
#define MPX__AT_MOST(bits, most) ((bits) < (most) ? (bits) : (most))
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) | (int)sizeof name
enum { MPX__NAME_SIZE = MPX__AT_MOST(1 MPX__DTYPES(MPX__ROW), 20) };
#undef MPX__ROW
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    | (int)sizeof short_name
enum { MPX__SHORT_NAME_SIZE = MPX__AT_MOST(1 MPX__DTYPES(MPX__ROW), 14) };
#undef MPX__ROW
typedef struct mpx__row {
    char name[MPX__NAME_SIZE], short_name[MPX__SHORT_NAME_SIZE];
    uint8_t kind, bits, exponent_bits, mantissa_bits;
    int16_t bias;
    uint8_t family, name_systems, short_systems, type;
} mpx__row;

#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    { name, short_name, kind, bits, format, systems, constant },
static const mpx__row mpx__rows[] = {
    { "", "", MPX_KIND_NONE, 0, MPX__FORMAT_NONE, MPX__IN_NONE, MPX_NONE }, MPX__DTYPES(MPX__ROW)
};
#undef MPX__ROW
enum { MPX__ROWS = sizeof mpx__rows / sizeof mpx__rows[0] };

/* In #if a name such as MPX_F16 reads as 0: what the compiler makes of MPX_DTYPES must be the bits
   of the rows above. Not seen: a constant that is the number of a bit already named, as MPX_BF16 is
   that of MPX_WITH_F32. */
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    | 1 << (int)constant
enum { MPX__ROW_BITS = (0 MPX__DTYPES(MPX__ROW)) - MPX__F32_UNSAID };
typedef char mpx__MPX_DTYPES_takes_MPX_WITH_names[(MPX_DTYPES) == MPX__ROW_BITS ? 1 : -1];
#undef MPX__ROW

/* Numbers that are no dtype, or none that this build carries, read as the row of MPX_NONE. */
#if MPX__DTYPE_BITS == MPX_WITH_ALL
/* The rows stand in the order of the constants. */
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    MPX__ROW_OF_##constant,
enum { MPX__ROW_OF_MPX_NONE, MPX__DTYPES(MPX__ROW) MPX__ROW_COUNT };
#undef MPX__ROW
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    &&(int)MPX__ROW_OF_##constant == (int)constant
enum { MPX__ROWS_IN_ORDER = (int)MPX__ROW_COUNT == (int)MPX_DTYPE_COUNT MPX__DTYPES(MPX__ROW) };
typedef char mpx__rows_are_in_order[MPX__ROWS_IN_ORDER ? 1 : -1];
#undef MPX__ROW

MPX__INLINE const mpx__row *mpx__row_of(mpx_dtype type) {
    const size_t i = (unsigned)type;
    return mpx__rows + (i < MPX_DTYPE_COUNT ? i : 0);
}
#else
MPX__PRIVATE const mpx__row *mpx__row_of(mpx_dtype type) {
    const mpx__row *row = mpx__rows + MPX__ROWS - 1;
    while (row != mpx__rows && row->type != type)
        row--;
    return row;
}
#endif

MPX__INLINE mpx_dtype mpx__type_of(const mpx__row *row) { return (mpx_dtype)row->type; }

MPX_API const char *mpx_dtype_name(mpx_dtype type) { return mpx__row_of(type)->name; }
MPX_API const char *mpx_dtype_short_name(mpx_dtype type) { return mpx__row_of(type)->short_name; }
MPX_API int mpx_dtype_is_floating(mpx_dtype type) {
    return mpx__row_of(type)->kind == MPX_KIND_FLOAT;
}
MPX_API int mpx_dtype_bits(mpx_dtype type) { return mpx__row_of(type)->bits; }

/* Constants where the build has no such dtype. */
MPX__INLINE int mpx__is_f64(mpx_dtype type) { return MPX__HAS_F64 ? type == MPX_F64 : 0; }
MPX__INLINE int mpx__is_packed(mpx_dtype type) {
    return MPX__HAS_PACKED ? mpx_dtype_bits(type) < 8 : 0;
}

#if MPX__HAS_PACKED
/* n * bits / 8 rounded up: n = 8 * groups + rest, so that no product is larger than the result. Of
   many groups the upper and the lower half of the product are looked at: no division. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n) {
    const size_t most = (size_t)-1, half = sizeof(size_t) * 4;
    size_t bits = mpx__row_of(type)->bits, groups = n >> 3, rest = ((n & 7) * bits + 7) >> 3;
    if (groups > (most >> 8)) {
        size_t low = (groups & (most >> half)) * bits, high = (groups >> half) * bits;
        if ((high + (low >> half)) >> half != 0 || groups * bits > most - rest) return most;
    }
    return groups * bits + rest;
}
#else
/* n * bits / 8, where bits is 0 or a power of two from 8 on. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n) {
    unsigned bits = mpx__row_of(type)->bits;
    if (bits == 0) return 0;
    for (; bits > 8; bits >>= 1) {
        if (n > (size_t)-1 >> 1) return (size_t)-1;
        n <<= 1;
    }
    return n;
}
#endif

/* Bytes at whose multiples arrays begin in a caller's storage; x rounded up to one, SIZE_MAX where
   that is not possible. */
#define MPX__ALIGNMENT 16u
MPX__INLINE size_t mpx__aligned(size_t x) {
    return x > (size_t)-1 - MPX__ALIGNMENT
               ? (size_t)-1
               : (x + MPX__ALIGNMENT - 1) / MPX__ALIGNMENT * MPX__ALIGNMENT;
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* (1 + fraction / 2^fraction_bits) * 2^exponent as a double, put together from its fields. */
MPX__PRIVATE double mpx__double_of(uint64_t fraction, int fraction_bits, int exponent) {
    union {
        uint64_t u;
        double f;
    } pun;
    if (exponent < -1022)
        pun.u = (uint64_t)1 << (exponent + 1074);
    else
        pun.u = (uint64_t)(exponent + 1023) << 52 | fraction << (52 - fraction_bits);
    return pun.f;
}

/* The topmost exponent and fraction of a finite value. */
MPX__INLINE int mpx__top_exponent(const mpx__row *row) {
    int reserved = row->family == MPX__IEEE || row->family == MPX__E8M0;
    return (1 << row->exponent_bits) - (reserved ? 2 : 1) - row->bias;
}
MPX__INLINE uint64_t mpx__top_fraction(const mpx__row *row) {
    return ((uint64_t)1 << row->mantissa_bits) - (row->family == MPX__FN ? 2u : 1u);
}

/* The largest finite value as f32 bits. */
MPX__PRIVATE uint32_t mpx__largest_f32(const mpx__row *row) {
    uint32_t exponent = (uint32_t)(mpx__top_exponent(row) + 127);
    if (row->exponent_bits > 8) return 0x7f7fffffu; /* f64: beyond f32 altogether */
    return exponent << 23 | (uint32_t)mpx__top_fraction(row) << (23 - row->mantissa_bits);
}

/* Every field by an assignment of its own: with pointers to the result, small cores would copy it
   by calling memcpy. */
MPX_API mpx_dtype_facts mpx_dtype_info(mpx_dtype type) {
    const mpx__row *row = mpx__row_of(type);
    int is_float = row->kind == MPX_KIND_FLOAT, e8m0 = row->family == MPX__E8M0,
        m = row->mantissa_bits;
    int low = e8m0 ? -row->bias : 1 - row->bias, is_int = row->kind == MPX_KIND_INT,
        is_uint = row->kind == MPX_KIND_UINT;
    uint64_t ones = is_int || is_uint ? (uint64_t)-1 >> (64 - row->bits) : 0;
    mpx_dtype_facts facts;
    facts.name = row->name;
    facts.short_name = row->short_name;
    facts.kind = row->kind;
    facts.bits = row->bits;
    facts.exponent_bits = row->exponent_bits;
    facts.mantissa_bits = m;
    facts.bias = row->bias;
    facts.has_inf = row->family == MPX__IEEE;
    facts.has_nan = is_float && row->family != MPX__FINITE;
    facts.has_negative_zero = is_float && row->family != MPX__FNUZ && !e8m0;
    facts.max = is_float ? mpx__double_of(mpx__top_fraction(row), m, mpx__top_exponent(row)) : 0;
    facts.smallest_normal = is_float ? mpx__double_of(0, 0, low) : 0;
    facts.smallest_subnormal = is_float ? mpx__double_of(0, 0, e8m0 ? low : low - m) : 0;
    facts.min = e8m0 ? facts.smallest_normal : is_float ? -facts.max : 0;
    facts.epsilon = is_float ? mpx__double_of(0, 0, -m) : 0;
    facts.int_max = row->kind == MPX_KIND_BOOL ? 1 : is_int ? ones >> 1 : ones;
    facts.int_min = is_int ? -(int64_t)(ones >> 1) - 1 : 0;
    return facts;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Words that are neither a name nor a short name, and the systems that know them. Sources: jmp
   0.0.4, eformer 0.0.101 (two tables), Keras 3.15, Nx 0.9; f8_... as safetensors and eformer have
   it; NumPy's typestrings. */
#if MPX_NO_DIALECTS
#define MPX__IF_DIALECTS(x)
#else
#define MPX__IF_DIALECTS(x) x
#endif
#define MPX__ALIASES(X) \
    MPX__IF_F32(X("full", MPX_F32, MPX__ANY | MPX__JMP)) \
    MPX__IF_F16(X("fp16", MPX_F16, MPX__ANY | MPX__PUT)) \
    MPX__IF_F32(X("fp32", MPX_F32, MPX__ANY | MPX__PUT)) \
    MPX__IF_F64(X("fp64", MPX_F64, MPX__ANY | MPX__PUT)) \
    MPX__IF_BF16(MPX__IF_DIALECTS(X("bf16", MPX_BF16, MPX__PUT))) \
    MPX__IF_F8E4M3FN(X("f8_e4m3", MPX_F8E4M3FN, MPX__ANY | MPX__EFORMER)) \
    MPX__IF_F8E4M3FN(MPX__IF_DIALECTS(X("float8_e4m3", MPX_F8E4M3FN, MPX__EFORMER))) \
    MPX__IF_F8E4M3FN(X("f8_e4m3fn", MPX_F8E4M3FN, MPX__ANY)) \
    MPX__IF_F8E4M3FN(X("fp8_e4m3fn", MPX_F8E4M3FN, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E5M2(X("f8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__EFORMER)) \
    MPX__IF_F8E5M2(X("fp8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E5M2(MPX__IF_DIALECTS(X("fp8", MPX_F8E5M2, MPX__PUT))) \
    MPX__IF_F8E5M2(MPX__IF_DIALECTS(X("f8", MPX_F8E5M2, MPX__AXON))) \
    MPX__IF_F8E4M3FNUZ(X("f8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY)) \
    MPX__IF_F8E4M3FNUZ(X("fp8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E5M2FNUZ(X("f8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY)) \
    MPX__IF_F8E5M2FNUZ(X("fp8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E4M3B11FNUZ(X("fp8_e4m3b11fnuz", MPX_F8E4M3B11FNUZ, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E8M0FNU(X("f8_e8m0", MPX_F8E8M0FNU, MPX__ANY)) \
    MPX__IF_I32(X("int", MPX_I32, MPX__ANY | MPX__KERAS)) \
    MPX__IF_I2(X("s2", MPX_I2, MPX__ANY | MPX__AXON)) \
    MPX__IF_I4(X("s4", MPX_I4, MPX__ANY | MPX__AXON)) \
    MPX__IF_I8(X("s8", MPX_I8, MPX__ANY | MPX__AXON)) \
    MPX__IF_I16(X("s16", MPX_I16, MPX__ANY | MPX__AXON)) \
    MPX__IF_I32(X("s32", MPX_I32, MPX__ANY | MPX__AXON)) \
    MPX__IF_I64(X("s64", MPX_I64, MPX__ANY | MPX__AXON)) \
    MPX__IF_F64(X("<f8", MPX_F64, MPX__ANY)) \
    MPX__IF_F32(X("<f4", MPX_F32, MPX__ANY)) \
    MPX__IF_F16(X("<f2", MPX_F16, MPX__ANY)) \
    MPX__IF_BOOL(X("|b1", MPX_BOOL, MPX__ANY)) \
    MPX__IF_I8(X("|i1", MPX_I8, MPX__ANY)) \
    MPX__IF_U8(X("|u1", MPX_U8, MPX__ANY)) \
    MPX__IF_I16(X("<i2", MPX_I16, MPX__ANY)) \
    MPX__IF_U16(X("<u2", MPX_U16, MPX__ANY)) \
    MPX__IF_I32(X("<i4", MPX_I32, MPX__ANY)) \
    MPX__IF_U32(X("<u4", MPX_U32, MPX__ANY)) \
    MPX__IF_I64(X("<i8", MPX_I64, MPX__ANY)) \
    MPX__IF_U64(X("<u8", MPX_U64, MPX__ANY)) \
    MPX__IF_C64(X("<c8", MPX_C64, MPX__ANY)) \
    MPX__IF_C128(X("<c16", MPX_C128, MPX__ANY))

#define MPX__WORD(word, dtype, systems) | (int)sizeof word
enum { MPX__ALIAS_SIZE = MPX__AT_MOST(0 MPX__ALIASES(MPX__WORD), 18) };
#undef MPX__WORD
typedef struct mpx__alias {
    char word[MPX__ALIAS_SIZE];
    uint8_t dtype, systems;
} mpx__alias;
#define MPX__WORD(word, dtype, systems) { word, dtype, systems },
static const mpx__alias mpx__aliases[] = { MPX__ALIASES(MPX__WORD) };
#undef MPX__WORD

/* Words that mean different things in different systems: refused, with what to say instead. fp4
   might be read as a misspelt fp64. */
typedef struct mpx__ambiguity {
    char word[9];
    uint8_t instead, other; /* MPX_NONE: no other */
} mpx__ambiguity;
static const mpx__ambiguity mpx__ambiguities[] = {
    { "f8", MPX_F8E4M3FN, MPX_F8E5M2 },
    { "fp8", MPX_F8E4M3FN, MPX_F8E5M2 },
    { "float8", MPX_F8E4M3FN, MPX_F8E5M2 },
    { "e4m3", MPX_F8E4M3FN, MPX_F8E4M3 },
    { "fp8e4m3", MPX_F8E4M3FN, MPX_F8E4M3 },
    { "fp8_e4m3", MPX_F8E4M3FN, MPX_F8E4M3 },
    { "float", MPX_F32, MPX_F64 },
    { "long", MPX_I32, MPX_I64 },
    { "fp4", MPX_F4E2M1FN, MPX_NONE },
    { "float4", MPX_F4E2M1FN, MPX_NONE },
};

MPX__PRIVATE const mpx__ambiguity *mpx__ambiguity_of(mpx__slice word) {
    size_t i;
    for (i = 0; i < sizeof mpx__ambiguities / sizeof mpx__ambiguities[0]; i++)
        if (mpx__is_word(word, mpx__ambiguities[i].word, 1)) return &mpx__ambiguities[i];
    return NULL;
}

MPX__INLINE int mpx__is_dialect(mpx_dialect dialect) {
    return dialect >= MPX_DIALECT_ANY && dialect <= MPX_DIALECT_EFORMER_PUT;
}

/* Is it one that this build reads and prints? */
MPX__INLINE int mpx__has_dialect(mpx_dialect dialect) {
    return MPX_NO_DIALECTS ? dialect == MPX_DIALECT_ANY : mpx__is_dialect(dialect);
}

/* The dialect asked for. */
MPX__INLINE mpx_dialect mpx__dialect(const mpx_parse_options *opt) {
    return MPX_NO_DIALECTS ? MPX_DIALECT_ANY : opt->dialect;
}

MPX__INLINE unsigned mpx__system_of(mpx_dialect dialect) {
    return dialect == MPX_DIALECT_EFORMER       ? (unsigned)MPX__EFORMER
           : dialect == MPX_DIALECT_JMP         ? (unsigned)MPX__JMP
           : dialect == MPX_DIALECT_KERAS       ? (unsigned)MPX__KERAS
           : dialect == MPX_DIALECT_AXON        ? (unsigned)MPX__AXON
           : dialect == MPX_DIALECT_EFORMER_PUT ? (unsigned)MPX__PUT
                                                : (unsigned)MPX__ANY;
}

/* Without dialects there are no words but those of ANY. */
MPX__INLINE int mpx__knows(unsigned system, unsigned systems) {
    return MPX_NO_DIALECTS ? 1 : (systems & system) != 0;
}

/* Keras takes torch.float16 and jax.numpy.float16 by their last dotted part, wherever the package's
   name stands. */
#if MPX_NO_DIALECTS
MPX__INLINE mpx__slice mpx__without_package(mpx__slice word, unsigned system) {
    (void)system;
    return word;
}
#else
MPX__PRIVATE mpx__slice mpx__without_package(mpx__slice word, unsigned system) {
    size_t dot;
    int packaged = system == MPX__KERAS
                       ? mpx__find_word(word, "torch", 0) != word.n ||
                             mpx__find_word(word, "jax.numpy", 0) != word.n
                       : system == MPX__ANY && (mpx__begins_with(word, "torch.", 0) ||
                                                mpx__begins_with(word, "jax.numpy.", 0));
    while (packaged && (dot = mpx__find(word, '.')) != word.n)
        word = mpx__from(word, dot + 1);
    return word;
}
#endif

/* The dtype of a word without blanks, MPX_NONE if there is none. eformer's policies fold case, and
   so does ANY. */
MPX__PRIVATE mpx_dtype mpx__lookup(mpx__slice word, const mpx_parse_options *opt) {
    unsigned system = mpx__system_of(mpx__dialect(opt));
    int fold = system == MPX__ANY || system == MPX__EFORMER;
    size_t i;
    word = mpx__without_package(word, system);
    if ((system & (MPX__ANY | MPX__JMP | MPX__EFORMER)) != 0 && mpx__is_word(word, "half", fold))
        return mpx__row_of(opt->half != MPX_NONE ? opt->half : MPX_F16)->type;
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if (mpx__knows(system, mpx__aliases[i].systems) &&
            mpx__is_word(word, mpx__aliases[i].word, fold))
            return mpx__aliases[i].dtype;
    for (i = 1; i < MPX__ROWS; i++) {
        const mpx__row *row = &mpx__rows[i];
        int by_name = ((row->name_systems | MPX__ANY) & system) != 0,
            by_short_name = ((row->short_systems | MPX__ANY) & system) != 0;
        if ((by_name && mpx__is_word(word, row->name, fold)) ||
            (by_short_name && mpx__is_word(word, row->short_name, fold)))
            return row->type;
    }
    return MPX_NONE;
}

MPX_API mpx_status mpx_dtype_parse_n(const char *name, size_t len, mpx_parse_options opt,
                                     mpx_dtype *out, mpx_error *err) {
    mpx__slice word = mpx__slice_of(name, len);
    size_t start = 0;
    mpx_dtype type;
    MPX_ASSERT(out != NULL && (name != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    if (opt.dialect == MPX_DIALECT_EFORMER) {
        word = mpx__trim(word);
        start = word.n != 0 ? (size_t)(word.s - name) : 0;
    }
    if (word.n == 0 && opt.dialect == MPX_DIALECT_EFORMER_PUT) {
        *out = MPX_NONE;
        return mpx__fail(err, MPX_OK, 0, 0);
    }
    if (word.n == 0 && opt.dialect == MPX_DIALECT_ANY) return mpx__fail(err, MPX_ERR_EMPTY, 0, 0);
    type = mpx__lookup(word, &opt);
    if (type == MPX_NONE) return mpx__fail(err, MPX_ERR_DTYPE, start, word.n);
    *out = type;
    return mpx__fail(err, MPX_OK, 0, 0);
}

MPX_API mpx_status mpx_dtype_parse(const char *name, mpx_dtype *out) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_dtype_parse_n(name, mpx__length(name), any, out, NULL);
}

/* ---- statuses and sentences ------------------------------------------------------------------ */

MPX_API const char *mpx_status_string(mpx_status status) {
    switch (status) {
    case MPX_OK: return "ok";
    case MPX_ERR_ARGUMENT: return "bad argument";
    case MPX_ERR_DTYPE: return "unknown or unusable dtype";
    case MPX_ERR_KEY: return "unknown key";
    case MPX_ERR_MISSING_EQUALS: return "missing '='";
    case MPX_ERR_EXTRA_EQUALS: return "more than one '='";
    case MPX_ERR_EMPTY: return "empty text";
    case MPX_ERR_SYNTAX: return "malformed text";
    case MPX_ERR_SPACE: return "not enough space";
    case MPX_ERR_STRUCTURE: return "structures differ";
    case MPX_ERR_NOT_FLOATING: return "not floating";
    case MPX_ERR_FIXED_DTYPE: return "dtype cannot be changed";
    case MPX_ERR_DEPTH: return "nested too deeply";
    case MPX_ERR_CALLBACK: return "callback failed";
    case MPX_ERR_STATE: return "not a saved state";
    case MPX_ERR_PAIR: return "not one mode and one source";
    case MPX_ERR_MODE: return "unknown quantization mode";
    case MPX_ERR_NUMBER: return "not a whole number";
    case MPX_ERR_RANGE: return "number out of range";
    case MPX_ERR_UNSUPPORTED: return "unsupported source";
    case MPX_ERR_SCOPE: return "no scope to leave";
    case MPX_ERR_CYCLE: return "a node reads one that does not come before it";
    case MPX_ERR_RULE: return "not a rule";
    case MPX_ERR_PRECISION: return "unknown or unusable precision";
    case MPX_ERR_PATTERN: return "unusable pattern";
    case MPX_ERR_EXISTS: return "key exists already";
    case MPX_ERR_MISSING: return "no such key";
    case MPX_ERR_AMBIGUOUS: return "several patterns match";
    case MPX_ERR_QUOTE: return "quote is not closed";
    case MPX_ERR_ORDER: return "setting after an entry";
    default: return "unknown status";
    }
}

/* "unknown dtype 'x' at 2" and the like: the sentence as far as the place. */
MPX__PRIVATE void mpx__put_place(mpx__printer *out, const char *what, mpx__slice word,
                                 size_t offset) {
    mpx__put(out, what);
    if (word.n != 0) {
        mpx__put_char(out, ' ');
        mpx__put_quoted(out, word);
    }
    mpx__put(out, " at ");
    mpx__put_size(out, offset);
}

#define MPX__EXPECTED_DTYPE \
    "; expected a dtype such as f32" MPX__IF_BF16(", bf16") MPX__IF_F16(", f16") \
        MPX__IF_F8E4M3FN(", f8e4m3fn") MPX__IF_F8E5M2(", f8e5m2") ", or full" MPX__IF_F16(", half")

/* What stands before the place, on its line; empty without a text. */
MPX__PRIVATE mpx__slice mpx__line_before(const char *word, size_t offset) {
    mpx__slice line = mpx__slice_of(word, 0);
    while (word != NULL && line.n < offset && line.s[-1] != '\n') {
        line.s--;
        line.n++;
    }
    return line;
}

/* What is wrong with a quantized policy, and what was expected. */
#if !MPX_NO_KERAS
MPX__PRIVATE void mpx__put_quantized_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    const char *what = mpx_status_string(err->status), *wanted = "";
    const mpx__slice before = mpx__line_before(word.s, err->offset);
    switch (err->status) {
    case MPX_ERR_PAIR: wanted = "; expected one '_from_', as in int8_from_float32"; break;
    case MPX_ERR_MODE:
        wanted = "; expected int8, int4, int4/128, float8, gptq/4/128 or awq/4/128";
        break;
    case MPX_ERR_NUMBER:
        if (err->length == 0) what = "missing number";
        break;
    case MPX_ERR_RANGE:
        wanted = "; expected 1 and up or -1 (float8: 0 and up), and 2, 3, 4 or 8 bits (awq: 4)";
        break;
    default:
        wanted = mpx__find_word(before, "_from_", 1) != before.n
                     ? "; int8 takes none that computes in float16"
                 : word.n != 0 && !mpx__begins_with(word, "int8", 1)
                     ? "; it is quantized already"
                     : "; it is quantized already, or int8 with compute in float16";
        break;
    }
    mpx__put_place(out, what, word, err->offset);
    mpx__put(out, wanted);
}
#else
MPX__INLINE void mpx__put_quantized_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__put_place(out, mpx_status_string(err->status), word, err->offset);
}
#endif
/* "; did you mean 'bfloat16'?", if a name is near. */
#if !MPX_NO_INTEROP
MPX__PRIVATE void mpx__put_suggestion(mpx__printer *out, mpx__slice word) {
    const char *name = mpx_dtype_name(mpx_dtype_suggest(word.s, word.n));
    if (name[0] == '\0' || mpx__is_word(word, name, 0)) return;
    mpx__put(out, "; did you mean '");
    mpx__put(out, name);
    mpx__put(out, "'?");
}
#else
MPX__INLINE void mpx__put_suggestion(mpx__printer *out, mpx__slice word) {
    (void)out;
    (void)word;
}
#endif

/* mixed_bf16: Keras mixes float16 and bfloat16 by these names alone. */
#if !MPX_NO_DIALECTS
MPX__PRIVATE void mpx__put_mixed(mpx__printer *out, mpx__slice word) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type;
    if (!mpx__begins_with(word, "mixed_", 1)) return;
    word = mpx__from(word, 6);
    type = mpx__lookup(word, &any);
    if (type != MPX_F16 && type != MPX_BF16) return;
    if (mpx__is_word(word, mpx_dtype_name(type), 1)) return;
    mpx__put(out, "; did you mean 'mixed_");
    mpx__put(out, mpx_dtype_name(type));
    mpx__put(out, "'?");
}
#else
MPX__INLINE void mpx__put_mixed(mpx__printer *out, mpx__slice word) {
    (void)out;
    (void)word;
}
#endif

/* Of a word that means different things, those that the build has. */
MPX__PRIVATE void mpx__put_ambiguous(mpx__printer *out, mpx__slice word, size_t offset,
                                     const char *one, const char *two) {
    mpx__put_place(out, "ambiguous dtype", word, offset);
    mpx__put(out, "; say ");
    mpx__put(out, one);
    if (one[0] != '\0' && two[0] != '\0') mpx__put(out, " or ");
    mpx__put(out, two);
}

/* Whose dialect or system it was the error does not say. Where the word is right for us, it was
   wrong there. */
MPX__PRIVATE void mpx__put_dtype_error(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    const mpx__ambiguity *found = mpx__ambiguity_of(word);
    const char *one = found != NULL ? mpx_dtype_short_name(found->instead) : "",
               *two = found != NULL ? mpx_dtype_short_name(found->other) : "",
               *known = word.n != 0 ? mpx_dtype_name(mpx__lookup(word, &any)) : "";
    if (one[0] != '\0' || two[0] != '\0') {
        mpx__put_ambiguous(out, word, err->offset, one, two);
        return;
    }
    mpx__put_place(out, err->length != 0 ? "unknown dtype" : "missing dtype", word, err->offset);
    if (known[0] != '\0') {
        mpx__put(out, "; ");
        mpx__put(out, known);
        mpx__put(out, " has another name in this dialect or system, or none");
        if (mpx__is_word(word, "half", 1)) mpx__put(out, ", or opt.half is no dtype");
        return;
    }
    if (!MPX_NO_KERAS && mpx__find_word(word, "_from_", 1) != word.n) {
        mpx__put(out, "; in Keras' policies '_from_' follows int8, int4, float8, gptq or awq");
        return;
    }
    mpx__put(out, MPX__EXPECTED_DTYPE);
    mpx__put_suggestion(out, word);
    mpx__put_mixed(out, word);
}

#if !MPX_NO_AMP
/* Does a precision's word stand after acc? Then not only blanks are between '=' and it. */
MPX__PRIVATE int mpx__is_after_acc(const char *word, size_t offset) {
    mpx__slice before = mpx__slice_of(word, 0);
    for (; before.n < offset && before.s[-1] != '='; before.n++)
        before.s--;
    return mpx__trim(before).n != 0;
}

/* Integer dtypes are words that are known, and no precisions. */
MPX__PRIVATE void mpx__put_precision_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx__put_place(out, err->length != 0 ? "unknown precision" : "missing precision", word,
                   err->offset);
    mpx__put(out, "; expected ");
    if (word.s == NULL || !mpx__is_after_acc(word.s, err->offset))
        mpx__put(out, "compute, original, widest or ");
    mpx__put(out, "a floating dtype");
    if (mpx__lookup(word, &any) == MPX_NONE) mpx__put_suggestion(out, word);
}
#else
MPX__INLINE void mpx__put_precision_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__put_place(out, mpx_status_string(err->status), word, err->offset);
}
#endif

/* Text after the '>' of the printed form, no '>', or Axon's dialect, and no '<'. */
MPX__PRIVATE void mpx__put_syntax_error(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    const char *text = word.s != NULL ? word.s - err->offset : "";
    mpx__slice before = mpx__trim(mpx__slice_of(text, word.s != NULL ? err->offset : 0));
    int closed = word.s == NULL ? err->offset != 0
                                : before.n != 0 && before.s[before.n - 1] == '>';
    if (err->length == 0) {
        mpx__put_place(out, err->offset == 0 ? "missing '<'" : "missing '>'", word, err->offset);
        return;
    }
    mpx__put_place(out, "unexpected", word, err->offset);
    mpx__put(out, closed ? "; expected the end of the text"
                         : "; expected '<', as in <p=f32 c=bf16>");
}

/* A setting of a map. */
MPX__PRIVATE void mpx__put_argument_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__slice line = mpx__line_before(word.s, err->offset);
    const char *what = mpx_status_string(err->status);
    if (err->length == 0 && err->offset == 0) {
        mpx__put(out, what);
        return;
    }
    mpx__put_place(out, what, word, err->offset);
    if (mpx__begins_with(mpx__trim(line), "first_wins", 0)) mpx__put(out, "; expected 0 or 1");
    if (mpx__begins_with(mpx__trim(line), "patterns", 0))
        mpx__put(out, "; expected glob, regex, search, hook or exact");
}

/* A bracket alone is one that has no other. */
MPX__PRIVATE void mpx__put_pattern_error(mpx__printer *out, mpx__slice word,
                                         const mpx_error *err) {
    mpx__put_place(out, err->length != 0 ? "unusable in a pattern:" : "pattern too large", word,
                   err->offset);
    if (mpx__is_word(word, "(", 0) || mpx__is_word(word, "[", 0)) mpx__put(out, "; not closed");
    if (mpx__is_word(word, ")", 0)) mpx__put(out, "; not opened");
}

MPX_API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size) {
    mpx__printer out;
    mpx__slice word = mpx__slice_of(NULL, 0);
    if (text != NULL) word = mpx__slice_of(text + err->offset, err->length);
    mpx__print_to(&out, buf, size);
    switch (err->status) {
    case MPX_ERR_DTYPE: mpx__put_dtype_error(&out, word, err); break;
    case MPX_ERR_EMPTY:
        if (err->length != 0) /* the '=' of a line in a map */
            mpx__put_place(&out, "missing key before", word, err->offset);
        else if (err->offset != 0)
            mpx__put_place(&out, "missing policy", word, err->offset);
        else
            mpx__put(&out, "empty text");
        if (err->length == 0) mpx__put(&out, MPX__EXPECTED_DTYPE);
        break;
    case MPX_ERR_KEY:
        mpx__put_place(&out, err->length != 0 ? "unknown key" : "missing key", word, err->offset);
        mpx__put(&out, "; expected p, c or o (param, compute, output)");
        break;
    case MPX_ERR_MISSING_EQUALS:
        mpx__put_place(&out, err->length != 0 ? "missing '=' in" : "empty part", word, err->offset);
        mpx__put(&out, "; expected key=dtype");
        break;
    case MPX_ERR_EXTRA_EQUALS:
        mpx__put_place(&out, "unexpected", word, err->offset);
        mpx__put(&out, "; expected one '=' in a part; parts end at ',', in <...> at blanks");
        break;
    case MPX_ERR_SYNTAX: mpx__put_syntax_error(&out, word, err); break;
    case MPX_ERR_PAIR:
    case MPX_ERR_MODE:
    case MPX_ERR_NUMBER:
    case MPX_ERR_RANGE:
    case MPX_ERR_UNSUPPORTED: mpx__put_quantized_error(&out, word, err); break;
    case MPX_ERR_RULE:
        mpx__put_place(&out, err->length != 0 ? "not a rule:" : "missing key", word, err->offset);
        mpx__put(&out, "; expected default, operation=precision or scope:name=precision");
        break;
    case MPX_ERR_PRECISION: mpx__put_precision_error(&out, word, err); break;
    case MPX_ERR_PATTERN: mpx__put_pattern_error(&out, word, err); break;
    case MPX_ERR_ARGUMENT: mpx__put_argument_error(&out, word, err); break;
    default:
        if (err->length != 0)
            mpx__put_place(&out, mpx_status_string(err->status), word, err->offset);
        else
            mpx__put(&out, mpx_status_string(err->status));
        break;
    }
    return out.length;
}
