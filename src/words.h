/*==================================================================*
 * MARK: words - from a word to its dtype
 *   Names, short names and aliases, in the dialects of five systems.
 *==================================================================*/

/* Words that are neither a name nor a short name, and the systems that know them. Sources: jmp
   0.0.4, eformer 0.0.101 (two tables), Keras 3.15, Nx 0.9; f8_... as safetensors and eformer have
   it; NumPy's typestrings. */
#if MPX__HAS_SMALL
enum { MPX__ALIAS_SIZE = 16 };
#else
enum { MPX__ALIAS_SIZE = 6 };
#endif
typedef struct mpx__alias {
    char word[MPX__ALIAS_SIZE];
    uint8_t dtype, systems;
} mpx__alias;
static const mpx__alias mpx__aliases[] = {
#if MPX__DTYPE_BITS & MPX_WITH_F64
    { "fp64", MPX_F64, MPX__ANY | MPX__PUT },
    { "<f8", MPX_F64, MPX__ANY },
#endif
    { "full", MPX_F32, MPX__ANY | MPX__JMP },
    { "fp32", MPX_F32, MPX__ANY | MPX__PUT },
    { "<f4", MPX_F32, MPX__ANY },
#if MPX__DTYPE_BITS & MPX_WITH_F16
    { "fp16", MPX_F16, MPX__ANY | MPX__PUT },
    { "<f2", MPX_F16, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BF16
#if !MPX_NO_DIALECTS
    { "bf16", MPX_BF16, MPX__PUT },
#endif
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FN
    { "f8_e4m3", MPX_F8E4M3FN, MPX__ANY | MPX__EFORMER },
    { "f8_e4m3fn", MPX_F8E4M3FN, MPX__ANY },
    { "fp8_e4m3fn", MPX_F8E4M3FN, MPX__ANY | MPX__PUT },
#if !MPX_NO_DIALECTS
    { "float8_e4m3", MPX_F8E4M3FN, MPX__EFORMER },
#endif
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2
    { "f8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__EFORMER },
    { "fp8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__PUT },
#if !MPX_NO_DIALECTS
    { "fp8", MPX_F8E5M2, MPX__PUT },
    { "f8", MPX_F8E5M2, MPX__AXON },
#endif
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FNUZ
    { "f8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY },
    { "fp8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY | MPX__PUT },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2FNUZ
    { "f8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY },
    { "fp8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY | MPX__PUT },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3B11FNUZ
    { "fp8_e4m3b11fnuz", MPX_F8E4M3B11FNUZ, MPX__ANY | MPX__PUT },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E8M0FNU
    { "f8_e8m0", MPX_F8E8M0FNU, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BOOL
    { "|b1", MPX_BOOL, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I2
    { "s2", MPX_I2, MPX__ANY | MPX__AXON },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I4
    { "s4", MPX_I4, MPX__ANY | MPX__AXON },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I8
    { "s8", MPX_I8, MPX__ANY | MPX__AXON },
    { "|i1", MPX_I8, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U8
    { "|u1", MPX_U8, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I16
    { "s16", MPX_I16, MPX__ANY | MPX__AXON },
    { "<i2", MPX_I16, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U16
    { "<u2", MPX_U16, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I32
    { "int", MPX_I32, MPX__ANY | MPX__KERAS },
    { "s32", MPX_I32, MPX__ANY | MPX__AXON },
    { "<i4", MPX_I32, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U32
    { "<u4", MPX_U32, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I64
    { "s64", MPX_I64, MPX__ANY | MPX__AXON },
    { "<i8", MPX_I64, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U64
    { "<u8", MPX_U64, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C64
    { "<c8", MPX_C64, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C128
    { "<c16", MPX_C128, MPX__ANY },
#endif
};

/* Words that mean different things in different systems. They are refused, and the error says what
   to write instead. fp4 and float4 might be misspelt fp64 and float64. */
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
    return dialect >= MPX_DIALECT_ANY && dialect <= MPX_DIALECT_KERAS_CLASS;
}

MPX__INLINE int mpx__is_keras(mpx_dialect dialect) {
    return dialect == MPX_DIALECT_KERAS || dialect == MPX_DIALECT_KERAS_CLASS;
}

/* Does this build read and print the dialect? */
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
           : mpx__is_keras(dialect)             ? (unsigned)MPX__KERAS
           : dialect == MPX_DIALECT_AXON        ? (unsigned)MPX__AXON
           : dialect == MPX_DIALECT_EFORMER_PUT ? (unsigned)MPX__PUT
                                                : (unsigned)MPX__ANY;
}

/* Without dialects there are no words but those of ANY. */
MPX__INLINE int mpx__knows(unsigned system, unsigned systems) {
    return MPX_NO_DIALECTS ? 1 : (systems & system) != 0;
}

/* Keras reads only the last dotted part of torch.float16 and jax.numpy.float16, wherever the
   package's name stands. */
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

/* The dtype of a word without blanks, or MPX_NONE. eformer's policies fold case, and so does ANY. */
MPX__SELDOM mpx_dtype mpx__lookup(mpx__slice word, const mpx_parse_options *opt) {
    unsigned system = mpx__system_of(mpx__dialect(opt));
    int fold = system == MPX__ANY || system == MPX__EFORMER;
    const size_t given = word.n;
    size_t i;
    word = mpx__without_package(word, system);
    if ((system & (MPX__ANY | MPX__JMP | MPX__EFORMER)) != 0 && mpx__is_word(word, "half", fold))
        return mpx__type_of(mpx__row_of(opt->half != MPX_NONE ? opt->half : MPX_F16));
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if (mpx__knows(system, mpx__aliases[i].systems) &&
            (system != MPX__KERAS || word.n == given) &&
            mpx__is_word(word, mpx__aliases[i].word, fold))
            return (mpx_dtype)mpx__aliases[i].dtype;
    for (i = 1; i < MPX__ROWS; i++) {
        const mpx__row *row = &mpx__rows[i];
        int by_name = ((row->name_systems | MPX__ANY) & system) != 0,
            by_short_name = ((row->short_systems | MPX__ANY) & system) != 0;
        if ((by_name && mpx__is_word(word, row->name, fold)) ||
            (by_short_name && mpx__is_word(word, row->short_name, fold)))
            return mpx__type_of(row);
    }
    return MPX_NONE;
}

MPX__API mpx_status mpx_dtype_parse_n(const char *name, size_t len, mpx_parse_options opt,
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
