/*==================================================================*
 * MARK: promote - the dtype that operands of different dtypes meet in
 *   JAX's lattice is drawn below. The answer is the least dtype above every operand, if any.
 *==================================================================*/
#if !MPX_NO_PROMOTE

/* A set of dtypes and of weak numbers, which are negative. MPX_WITH_ bits, multiplied by
   MPX__SET(MPX_NONE), are such a set too. */
#define MPX__SET(type) ((uint64_t)1 << ((int)(type) - (int)MPX_WEAK_COMPLEX))

/* What stands directly above a dtype. Every step goes to a later row, and what has no row has
   nothing above it: complex128, and the formats of 8 bits and less, which meet no other strong
   float or integer. Source: _type_promotion_lattice of jax/_src/dtypes.py, x64 enabled.

     bool - int - u8..u64, i8..i64 - float - bf16, f16 - f32 -------- f64 -- c128
             |                         |                  |                  |
             i2 u2 i4 u4               f8.. f6.. f4..     '-- c64 -----------'
                                       '--- complex ----------'       */
typedef struct mpx__lattice_row {
    int8_t type;
    uint64_t above;
} mpx__lattice_row;

static const mpx__lattice_row mpx__lattice[] = {
    { MPX_BOOL, MPX__SET(MPX_WEAK_INT) },
    { MPX_WEAK_INT, MPX__SET(MPX_U8) | MPX__SET(MPX_I8) | MPX__SET(MPX_U4) | MPX__SET(MPX_I4) |
                        MPX__SET(MPX_U2) | MPX__SET(MPX_I2) },
    { MPX_U8, MPX__SET(MPX_U16) | MPX__SET(MPX_I16) },
    { MPX_U16, MPX__SET(MPX_U32) | MPX__SET(MPX_I32) },
    { MPX_U32, MPX__SET(MPX_U64) | MPX__SET(MPX_I64) },
    { MPX_U64, MPX__SET(MPX_WEAK_FLOAT) },
    { MPX_I8, MPX__SET(MPX_I16) },
    { MPX_I16, MPX__SET(MPX_I32) },
    { MPX_I32, MPX__SET(MPX_I64) },
    { MPX_I64, MPX__SET(MPX_WEAK_FLOAT) },
    { MPX_WEAK_FLOAT, MPX__SET(MPX_WEAK_COMPLEX) | MPX__SET(MPX_BF16) | MPX__SET(MPX_F16) |
                          MPX__SMALL_BITS * MPX__SET(MPX_NONE) },
    { MPX_BF16, MPX__SET(MPX_F32) },
    { MPX_F16, MPX__SET(MPX_F32) },
    { MPX_F32, MPX__SET(MPX_F64) | MPX__SET(MPX_C64) },
    { MPX_F64, MPX__SET(MPX_C128) },
    { MPX_WEAK_COMPLEX, MPX__SET(MPX_C64) },
    { MPX_C64, MPX__SET(MPX_C128) },
};

/* A dtype and all that is above it. */
MPX__PRIVATE uint64_t mpx__up_from(mpx_dtype type) {
    uint64_t set = MPX__SET(type);
    size_t i;
    for (i = 0; i < sizeof mpx__lattice / sizeof mpx__lattice[0]; i++)
        if ((set & MPX__SET(mpx__lattice[i].type)) != 0) set |= mpx__lattice[i].above;
    return set;
}

/* Does Keras promote this dtype? It refuses fp8, and what it has no name for. */
MPX__INLINE int mpx__keras_promotes(const mpx__row *row) {
    return (row->name_systems & MPX__KERAS) != 0 &&
           (row->kind != MPX_KIND_FLOAT || row->bits >= 16);
}

/* The operand as a node of the lattice; MPX_NONE if it is none. In Keras None is float32. (Python's
   complex is weak in JAX and complex64 in Keras; both end as complex64 there.) */
MPX__PRIVATE mpx_dtype mpx__operand(mpx_dtype type, int keras) {
    const mpx__row *row = mpx__row_of(type);
    if (keras && type == MPX_NONE) return MPX_F32;
    if (type >= MPX_WEAK_COMPLEX && type < MPX_NONE) return type;
    if (row->kind == MPX_KIND_NONE || (keras && !mpx__keras_promotes(row))) return MPX_NONE;
    return type;
}

/* Weak results become 64 bits wide, as in JAX with x64 enabled; Keras has 32 bits for them and for
   every wider result, complex64 for complex. */
MPX__PRIVATE mpx_dtype mpx__settle(mpx_dtype type, int keras) {
    switch ((int)type) {
    case MPX_WEAK_INT: return keras ? MPX_I32 : MPX_I64;
    case MPX_WEAK_FLOAT: return keras ? MPX_F32 : MPX_F64;
    case MPX_WEAK_COMPLEX: return keras ? MPX_C64 : MPX_C128;
    case MPX_I64: return keras ? MPX_I32 : MPX_I64;
    case MPX_U64: return keras ? MPX_U32 : MPX_U64;
    case MPX_F64: return keras ? MPX_F32 : MPX_F64;
    case MPX_C128: return keras ? MPX_C64 : MPX_C128;
    default: return type;
    }
}

MPX__API mpx_status mpx_dtype_promote(const mpx_dtype *types, size_t n, mpx_dialect dialect,
                                      mpx_dtype *out) {
    uint64_t above_all = ~(uint64_t)0;
    int keras = mpx__is_keras(dialect);
    mpx_dtype type;
    size_t i;
    MPX_ASSERT(out != NULL && (types != NULL || n == 0));
    if (!mpx__is_dialect(dialect)) return MPX_ERR_ARGUMENT;
    if (dialect == MPX_DIALECT_AXON || (n == 0 && !keras)) return MPX_ERR_ARGUMENT;
    if (n == 0) above_all = mpx__up_from(MPX_F32); /* as result_type() has it */
    for (i = 0; i < n; i++) {
        type = mpx__operand(types[i], keras);
        if (type == MPX_NONE) return MPX_ERR_DTYPE;
        above_all &= mpx__up_from(type);
    }
    for (type = MPX_WEAK_COMPLEX; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        if ((above_all & MPX__SET(type)) != 0 && (above_all & ~mpx__up_from(type)) == 0) {
            type = mpx__settle(type, keras);
            if (mpx__row_of(type)->kind == MPX_KIND_NONE) return MPX_ERR_DTYPE; /* not carried */
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}
#undef MPX__SET
#endif /* !MPX_NO_PROMOTE */
