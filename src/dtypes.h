/*==================================================================*
 * MARK: dtypes - one row per dtype
 *   To add a float of eight bits, add a constant in types.h, its bit in config.h and a row here.
 *   Its values must be below 65536, its mantissa at most four bits. Other new dtypes also need
 *   kernels.
 *==================================================================*/

/* ---- the dtypes that this build has: MPX_DTYPES ---------------- */

#define MPX__DTYPE_BITS ((MPX_DTYPES) | MPX_WITH_F32) /* casts meet in f32 */
#if (MPX__DTYPE_BITS | MPX_WITH_ALL) != MPX_WITH_ALL
#error "mpx.h: MPX_DTYPES has bits that are no MPX_WITH_..."
#endif
#if !MPX_NO_STATS && !(MPX__DTYPE_BITS & MPX_WITH_F64)
#error "mpx.h: statistics need MPX_WITH_F64 among MPX_DTYPES"
#endif
#if (MPX__DTYPE_BITS & (MPX_WITH_F64 | MPX_WITH_C128)) == MPX_WITH_C128
#error "mpx.h: MPX_WITH_C128 needs MPX_WITH_F64 among MPX_DTYPES"
#endif
/* 1 if the build has such dtypes. PACKED: of fewer than 8 bits. SMALL: floats of 8 bits and fewer.
   BYTES: SMALL or integers. 64: with significands of more than 32 bits. */
#define MPX__HAS_F64 ((MPX__DTYPE_BITS & MPX_WITH_F64) != 0)
#define MPX__HAS_F16 ((MPX__DTYPE_BITS & MPX_WITH_F16) != 0)
#define MPX__HAS_BF16 ((MPX__DTYPE_BITS & MPX_WITH_BF16) != 0)
#define MPX__HAS_PACKED \
    ((MPX__DTYPE_BITS & (MPX_WITH_F6E2M3FN | MPX_WITH_F6E3M2FN | MPX_WITH_F4E2M1FN | \
                         MPX_WITH_I2 | MPX_WITH_U2 | MPX_WITH_I4 | MPX_WITH_U4)) != 0)
#define MPX__INTEGER_BITS 0x1fff0000u /* from MPX_WITH_BOOL to MPX_WITH_U64 */
#define MPX__COMPLEX_BITS (MPX_WITH_C64 | MPX_WITH_C128)
#define MPX__HAS_INT ((MPX__DTYPE_BITS & MPX__INTEGER_BITS) != 0)
#define MPX__HAS_COMPLEX ((MPX__DTYPE_BITS & MPX__COMPLEX_BITS) != 0)
#define MPX__SMALL_BITS (MPX_WITH_ALL & ~(MPX__INTEGER_BITS | MPX__COMPLEX_BITS | MPX_WITH_F64 | \
                                          MPX_WITH_F32 | MPX_WITH_F16 | MPX_WITH_BF16))
#define MPX__HAS_SMALL ((MPX__DTYPE_BITS & MPX__SMALL_BITS) != 0)
#define MPX__HAS_BYTES ((MPX__DTYPE_BITS & (MPX__SMALL_BITS | MPX__INTEGER_BITS)) != 0)
#define MPX__HAS_64 ((MPX__DTYPE_BITS & (MPX_WITH_F64 | MPX_WITH_I64 | MPX_WITH_U64)) != 0)

/* ---- rows ------------------------------------------------------ */

/* Families of floats: what the topmost codes mean. */
enum {
    MPX__NOT_FLOAT = 0,
    MPX__IEEE,   /* exponent all ones: Inf and NaN                              */
    MPX__FN,     /* no Inf; all ones: NaN                                       */
    MPX__FNUZ,   /* no Inf, no -0; sign bit alone: NaN                          */
    MPX__FINITE, /* every code is a finite value                                */
    MPX__E8M0    /* an exponent and nothing else; all ones: NaN                 */
};

/* A form is what kernels know of a dtype. F8: eight bits, two or three of them mantissa, and all
   values normal in f16; F8_OTHER: other floats of eight bits. Their formats are in their rows. F6,
   F4, I4 and U4: floats of six and four bits and integers of four and two, one code in a byte. The
   PACKED forms, in the same order, are packed arrays of these; they stand at the end, where the
   table of kernels is cut. F32_ODD and F64_ODD are f32 and f64 that were rounded to odd. */
enum {
    MPX__FORM_NONE = 0, MPX__FORM_F64, MPX__FORM_F32, MPX__FORM_F16, MPX__FORM_BF16,
    MPX__FORM_E4M3FN, MPX__FORM_E5M2, MPX__FORM_F8, MPX__FORM_F8_OTHER, MPX__FORM_E8M0,
    MPX__FORM_F32_ODD, MPX__FORM_F64_ODD, MPX__FORM_F4, MPX__FORM_F6, MPX__FORM_I4, MPX__FORM_U4,
    MPX__FORM_BOOL, MPX__FORM_I8, MPX__FORM_U8, MPX__FORM_I16, MPX__FORM_U16, MPX__FORM_I32,
    MPX__FORM_U32, MPX__FORM_I64, MPX__FORM_U64,
    MPX__FORM_PACKED_F4, MPX__FORM_PACKED_F6, MPX__FORM_PACKED_I4, MPX__FORM_PACKED_U4
};

/* Systems that know a word, for their exact dialects. ANY is the lenient default: all names, short
   names and aliases. */
enum {
    MPX__ANY = 1,
    MPX__JMP = 2,
    MPX__EFORMER = 4,
    MPX__KERAS = 8,
    MPX__AXON = 16,
    MPX__PUT = 32,
    MPX__PUT_EFORMER = MPX__PUT | MPX__EFORMER,
    MPX__ALL_NAMES = MPX__JMP | MPX__EFORMER | MPX__KERAS | MPX__PUT,
    MPX__ALL_SHORT = MPX__JMP | MPX__EFORMER | MPX__AXON
};

/* Names are arrays, not pointers, which would need relocations in position-independent code. */
#if MPX__HAS_BYTES || MPX__HAS_COMPLEX
enum { MPX__NAME_SIZE = 20, MPX__SHORT_NAME_SIZE = 14 };
#else
enum { MPX__NAME_SIZE = 9, MPX__SHORT_NAME_SIZE = 5 };
#endif
typedef struct mpx__row {
    char name[MPX__NAME_SIZE], short_name[MPX__SHORT_NAME_SIZE];
    uint8_t kind, bits, exponent_bits, mantissa_bits;
    int16_t bias;
    uint8_t family, form;
    uint8_t name_systems, short_systems; /* who knows its name, and who its short name */
    uint8_t type;
} mpx__row;

/* name, short name, kind, bits, exponent bits, mantissa bits, bias, family, form, systems, value */
static const mpx__row mpx__rows[] = {
    { "", "", MPX_KIND_NONE, 0, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_NONE, 0, 0, MPX_NONE },
#if MPX__DTYPE_BITS & MPX_WITH_F64
    { "float64", "f64", MPX_KIND_FLOAT, 64, 11, 52, 1023, MPX__IEEE, MPX__FORM_F64, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_F64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F32
    { "float32", "f32", MPX_KIND_FLOAT, 32, 8, 23, 127, MPX__IEEE, MPX__FORM_F32, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_F32 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F16
    { "float16", "f16", MPX_KIND_FLOAT, 16, 5, 10, 15, MPX__IEEE, MPX__FORM_F16, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_F16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BF16
    { "bfloat16", "bf16", MPX_KIND_FLOAT, 16, 8, 7, 127, MPX__IEEE, MPX__FORM_BF16, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_BF16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FN
    { "float8_e4m3fn", "f8e4m3fn", MPX_KIND_FLOAT, 8, 4, 3, 7, MPX__FN, MPX__FORM_E4M3FN,
      MPX__KERAS | MPX__PUT, 0, MPX_F8E4M3FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2
    { "float8_e5m2", "f8e5m2", MPX_KIND_FLOAT, 8, 5, 2, 15, MPX__IEEE, MPX__FORM_E5M2,
      MPX__KERAS | MPX__PUT_EFORMER, 0, MPX_F8E5M2 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FNUZ
    { "float8_e4m3fnuz", "f8e4m3fnuz", MPX_KIND_FLOAT, 8, 4, 3, 8, MPX__FNUZ, MPX__FORM_F8,
      MPX__PUT, 0, MPX_F8E4M3FNUZ },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2FNUZ
    { "float8_e5m2fnuz", "f8e5m2fnuz", MPX_KIND_FLOAT, 8, 5, 2, 16, MPX__FNUZ, MPX__FORM_F8_OTHER,
      MPX__PUT, 0, MPX_F8E5M2FNUZ },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3B11FNUZ
    { "float8_e4m3b11fnuz", "f8e4m3b11fnuz", MPX_KIND_FLOAT, 8, 4, 3, 11, MPX__FNUZ, MPX__FORM_F8,
      MPX__PUT, 0, MPX_F8E4M3B11FNUZ },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3
    { "float8_e4m3", "f8e4m3", MPX_KIND_FLOAT, 8, 4, 3, 7, MPX__IEEE, MPX__FORM_F8, 0, 0,
      MPX_F8E4M3 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E3M4
    { "float8_e3m4", "f8e3m4", MPX_KIND_FLOAT, 8, 3, 4, 3, MPX__IEEE, MPX__FORM_F8_OTHER, 0, 0,
      MPX_F8E3M4 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E8M0FNU
    { "float8_e8m0fnu", "f8e8m0fnu", MPX_KIND_FLOAT, 8, 8, 0, 127, MPX__E8M0, MPX__FORM_E8M0, 0, 0,
      MPX_F8E8M0FNU },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E2M3FN
    { "float6_e2m3fn", "f6e2m3fn", MPX_KIND_FLOAT, 6, 2, 3, 1, MPX__FINITE, MPX__FORM_PACKED_F6, 0, 0,
      MPX_F6E2M3FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E3M2FN
    { "float6_e3m2fn", "f6e3m2fn", MPX_KIND_FLOAT, 6, 3, 2, 3, MPX__FINITE, MPX__FORM_PACKED_F6, 0, 0,
      MPX_F6E3M2FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F4E2M1FN
    { "float4_e2m1fn", "f4e2m1fn", MPX_KIND_FLOAT, 4, 2, 1, 1, MPX__FINITE, MPX__FORM_PACKED_F4, 0, 0,
      MPX_F4E2M1FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BOOL
    { "bool", "bool", MPX_KIND_BOOL, 8, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_BOOL, MPX__KERAS, 0,
      MPX_BOOL },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I2
    { "int2", "i2", MPX_KIND_INT, 2, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_I4, 0, 0, MPX_I2 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U2
    { "uint2", "u2", MPX_KIND_UINT, 2, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_U4, 0, MPX__AXON,
      MPX_U2 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I4
    { "int4", "i4", MPX_KIND_INT, 4, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_I4, 0, 0, MPX_I4 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U4
    { "uint4", "u4", MPX_KIND_UINT, 4, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_U4, 0, MPX__AXON,
      MPX_U4 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I8
    { "int8", "i8", MPX_KIND_INT, 8, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I8, MPX__KERAS, 0, MPX_I8 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U8
    { "uint8", "u8", MPX_KIND_UINT, 8, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U8, MPX__KERAS,
      MPX__AXON, MPX_U8 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I16
    { "int16", "i16", MPX_KIND_INT, 16, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I16, MPX__KERAS, 0,
      MPX_I16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U16
    { "uint16", "u16", MPX_KIND_UINT, 16, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U16, MPX__KERAS,
      MPX__AXON, MPX_U16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I32
    { "int32", "i32", MPX_KIND_INT, 32, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I32, MPX__KERAS, 0,
      MPX_I32 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U32
    { "uint32", "u32", MPX_KIND_UINT, 32, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U32, MPX__KERAS,
      MPX__AXON, MPX_U32 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I64
    { "int64", "i64", MPX_KIND_INT, 64, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I64, MPX__KERAS, 0,
      MPX_I64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U64
    { "uint64", "u64", MPX_KIND_UINT, 64, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U64, MPX__KERAS,
      MPX__AXON, MPX_U64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C64
    { "complex64", "c64", MPX_KIND_COMPLEX, 64, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_NONE,
      MPX__KERAS, MPX__AXON, MPX_C64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C128
    { "complex128", "c128", MPX_KIND_COMPLEX, 128, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_NONE,
      MPX__KERAS, MPX__AXON, MPX_C128 },
#endif
};
enum { MPX__ROWS = sizeof mpx__rows / sizeof mpx__rows[0] };

/* In #if a name such as MPX_F16, or a misspelt MPX_WITH_..., reads as 0: the compiler must see as
   many bits in MPX_DTYPES as the preprocessor has made rows. This does not find a constant that is
   the number of a bit already named, as MPX_BF16 is that of MPX_WITH_F32. */
#define MPX__COUNT_2(x) (((unsigned)(x)) - ((unsigned)(x) >> 1 & 0x55555555u))
#define MPX__COUNT_4(x) ((MPX__COUNT_2(x) & 0x33333333u) + (MPX__COUNT_2(x) >> 2 & 0x33333333u))
#define MPX__COUNT_8(x) ((MPX__COUNT_4(x) + (MPX__COUNT_4(x) >> 4)) & 0x0f0f0f0fu)
#define MPX__COUNT(x) ((MPX__COUNT_8(x) * 0x01010101u & 0xffffffffu) >> 24)
#if (MPX_DTYPES) & MPX_WITH_F32
#define MPX__UNNAMED 1 /* the row of MPX_NONE */
#else
#define MPX__UNNAMED 2 /* and that of f32, which every build has */
#endif
typedef char mpx__MPX_DTYPES_takes_MPX_WITH_names
    [(int)MPX__COUNT(MPX_DTYPES) + MPX__UNNAMED == (int)MPX__ROWS ? 1 : -1];
#undef MPX__UNNAMED
#undef MPX__COUNT
#undef MPX__COUNT_8
#undef MPX__COUNT_4
#undef MPX__COUNT_2

/* A number that is no dtype of this build gets the row of MPX_NONE. */
#if MPX__DTYPE_BITS == MPX_WITH_ALL
typedef char mpx__every_dtype_has_a_row[(int)MPX__ROWS == (int)MPX_DTYPE_COUNT ? 1 : -1];
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

/* Whether its codes fill bytes. */
MPX__INLINE int mpx__are_bytes(const mpx__row *row) {
    return MPX__HAS_PACKED ? (row->bits & 7u) == 0 : 1;
}
/* Of one code in memory, not packed. */
MPX__INLINE size_t mpx__code_bytes(const mpx__row *row) {
    return MPX__HAS_PACKED ? (row->bits + 7u) / 8u : row->bits / 8u;
}
/* A constant where all floats of the build have one family. */
MPX__INLINE int mpx__family_of(const mpx__row *row) {
#if MPX__HAS_SMALL
    return row->family;
#else
    return (void)row, (int)MPX__IEEE;
#endif
}
/* The form of one code in a byte. */
MPX__INLINE int mpx__form_of(const mpx__row *row) {
    const int form = row->form, packed = form - MPX__FORM_PACKED_F4;
    return packed >= 0 ? packed + MPX__FORM_F4 : form;
}
MPX__INLINE mpx_dtype mpx__type_of(const mpx__row *row) { return (mpx_dtype)row->type; }
/* For loops over all dtypes: C++ does not count with enums. */
MPX__INLINE mpx_dtype mpx__type_after(mpx_dtype type) { return (mpx_dtype)(type + 1); }

MPX_API const char *mpx_dtype_name(mpx_dtype type) { return mpx__row_of(type)->name; }
MPX_API const char *mpx_dtype_short_name(mpx_dtype type) { return mpx__row_of(type)->short_name; }
MPX__API int mpx_dtype_is_floating(mpx_dtype type) {
    return mpx__row_of(type)->kind == MPX_KIND_FLOAT;
}
MPX_API int mpx_dtype_bits(mpx_dtype type) { return mpx__row_of(type)->bits; }

/* Constants where the build has no such dtype. */
MPX__INLINE int mpx__is_f64(mpx_dtype type) { return MPX__HAS_F64 ? type == MPX_F64 : 0; }

/* The row of one part of a complex number, of which there are twice as many; any other row as it
   is. */
MPX__INLINE const mpx__row *mpx__parts_of(const mpx__row *row, size_t *n) {
    if (!MPX__HAS_COMPLEX || row->kind != MPX_KIND_COMPLEX) return row;
    *n *= 2;
    return mpx__row_of(row->bits == 64 ? MPX_F32 : MPX_F64);
}

#if MPX__HAS_PACKED
/* n * bits / 8 rounded up: n = 8 * groups + rest, so that no product is larger than the result. Of
   many groups the upper and the lower half of the product are looked at: no division. */
MPX__API size_t mpx_dtype_bytes(mpx_dtype type, size_t n) {
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
MPX__API size_t mpx_dtype_bytes(mpx_dtype type, size_t n) {
    unsigned bits = mpx__row_of(type)->bits;
    if (bits == 0) return 0;
    for (; bits > 8; bits >>= 1) {
        if (n > (size_t)-1 >> 1) return (size_t)-1;
        n <<= 1;
    }
    return n;
}
#endif

/* What was rounded up is rounded down; the product may wrap, its last bits are right. */
MPX__API size_t mpx_dtype_offset(mpx_dtype type, size_t i) {
    return mpx_dtype_bytes(type, i) - (i * mpx__row_of(type)->bits % 8 != 0);
}

/* Bytes at whose multiples arrays begin in a caller's storage; x rounded up to one, SIZE_MAX where
   that is not possible. */
#define MPX__ALIGNMENT 16u
MPX__INLINE size_t mpx__aligned(size_t x) {
    return x > (size_t)-1 - MPX__ALIGNMENT
               ? (size_t)-1
               : (x + MPX__ALIGNMENT - 1) / MPX__ALIGNMENT * MPX__ALIGNMENT;
}

/* ---- facts ----------------------------------------------------- */

/* (1 + fraction / 2^fraction_bits) * 2^exponent as a double, put together from its fields. */
MPX__NOINLINE double mpx__double_of(uint64_t fraction, int fraction_bits, int exponent) {
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

/* The largest finite value as f32 bits; not of f64. */
MPX__PRIVATE uint32_t mpx__largest_f32(const mpx__row *row) {
    uint32_t exponent = (uint32_t)(mpx__top_exponent(row) + 127);
    return exponent << 23 | (uint32_t)mpx__top_fraction(row) << (23 - row->mantissa_bits);
}

/* Every field by an assignment of its own: with pointers to the result, small cores would copy it
   by calling memcpy. */
MPX__API mpx_dtype_facts mpx_dtype_info(mpx_dtype type) {
    const mpx__row *row = mpx__row_of(type);
    int is_float = row->kind == MPX_KIND_FLOAT, e8m0 = row->family == MPX__E8M0,
        m = row->mantissa_bits;
    int low = e8m0 ? -row->bias : 1 - row->bias, is_int = row->kind == MPX_KIND_INT,
        is_uint = row->kind == MPX_KIND_UINT;
    uint64_t ones = is_int || is_uint ? (uint64_t)-1 >> (64 - row->bits) : 0;
    mpx_dtype_facts facts;
    facts.name = row->name;
    facts.short_name = row->short_name;
    facts.kind = (mpx_kind)row->kind;
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
