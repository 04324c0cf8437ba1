/*==================================================================*
 * MARK: interop - the same dtypes in other systems, and the nearest word
 *   The table has one row per dtype, in the order of types.h: its number and its name in each
 *   system. -1 and "": the system does not have the dtype. A dtype after the last row is
 *   in no system.
 *==================================================================*/
#if !MPX_NO_INTEROP

/* Systems whose names are mpx's own, for the dtypes that carry the mark. */
enum { MPX__WEBNN = 1, MPX__WGSL = 2 };

/* The columns, three lines as in the table below, and where each was read:
   files     safetensors: tensor.rs. ggml_type: ggml.h. ONNX: onnx.proto, TensorProto.DataType.
             DLPack: dlpack.h 1.1, DLDataTypeCode. Arrow: type_fwd.h, Type::type, and the letters of
             the C data interface. TFLite: schema.fbs, TensorType (in a file), and tflite_types.h,
             TfLiteType (in the C API): two numberings.
   programs  NumPy 2.4 with ml_dtypes 0.6: dtype.str. PyTorch 2.13: c10/ScalarType.h, and the
             ScalarType of torch.export's schema 8.20: two numberings. XLA: xla_data.proto,
             PrimitiveType (floats of 6 bits: jaxlib 0.10.2). MLIR: StableHLO's spec.md. IREE:
             hal/buffer_view.h, the numerical type, which stands above the bits; 0: none.
   devices   CUDA 12.9: library_types.h, cudaDataType. Vulkan: vulkan_core.h, VkComponentTypeKHR.
             MPI: mpi.h of MPICH 5 and Open MPI 5. WebNN: index.bs, MLOperandDataType. WGSL. */
typedef struct mpx__interop_row {
    char safetensors[12];
    int8_t ggml_type;
    char ggml[5];
    int8_t onnx_type;
    char onnx[15];
    int8_t dlpack, arrow_type;
    char arrow[2];
    int8_t tflite_file, tflite_c;

    char numpy[5];
    int8_t torch, torch_export, xla_type;
    char xla[14], mlir[14];
    uint8_t iree;

    int8_t cuda_type;
    char cuda[16];
    int32_t vulkan;
    char mpi[21];
    uint8_t own_name;
} mpx__interop_row;

/* clang-format off */
static const mpx__interop_row mpx__interop_rows[] = {
    /* none */
    { "", -1, "", -1, "", -1, -1, "", -1, -1,
      "", -1, -1, -1, "", "", 0,
      -1, "", -1, "", 0 },
    /* f64 */
    { "F64", 28, "F64", 11, "DOUBLE", 2, 12, "g", 10, 11,
      "<f8", 7, 8, 12, "F64", "f64", 0x21,
      1, "CUDA_R_64F", 2, "MPI_DOUBLE", 0 },
    /* f32 */
    { "F32", 0, "F32", 1, "FLOAT", 2, 11, "f", 0, 1,
      "<f4", 6, 7, 11, "F32", "f32", 0x21,
      0, "CUDA_R_32F", 1, "MPI_FLOAT", MPX__WEBNN | MPX__WGSL },
    /* f16 */
    { "F16", 1, "F16", 10, "FLOAT16", 2, 10, "e", 1, 10,
      "<f2", 5, 6, 10, "F16", "f16", 0x21,
      2, "CUDA_R_16F", 0, "MPIX_C_FLOAT16", MPX__WEBNN | MPX__WGSL },
    /* bf16 */
    { "BF16", 30, "BF16", 16, "BFLOAT16", 4, -1, "", 18, 19,
      "<V2", 15, 13, 16, "BF16", "bf16", 0x22,
      14, "CUDA_R_16BF", 1000141000, "MPIX_BFLOAT16", 0 },
    /* f8e4m3fn: what safetensors, CUDA and Vulkan call E4M3 */
    { "F8_E4M3", -1, "", 17, "FLOAT8E4M3FN", 10, -1, "", 21, 22,
      "<V1", 24, 29, 20, "F8E4M3FN", "f8E4M3FN", 0x25,
      28, "CUDA_R_8F_E4M3", 1000491002, "", 0 },
    /* f8e5m2 */
    { "F8_E5M2", -1, "", 19, "FLOAT8E5M2", 12, -1, "", 22, 23,
      "<f1", 23, 30, 19, "F8E5M2", "f8E5M2", 0x24,
      29, "CUDA_R_8F_E5M2", 1000491003, "", 0 },
    /* f8e4m3fnuz */
    { "F8_E4M3FNUZ", -1, "", 18, "FLOAT8E4M3FNUZ", 11, -1, "", -1, -1,
      "<V1", 26, 31, 25, "F8E4M3FNUZ", "f8E4M3FNUZ", 0x27,
      -1, "", -1, "", 0 },
    /* f8e5m2fnuz */
    { "F8_E5M2FNUZ", -1, "", 20, "FLOAT8E5M2FNUZ", 13, -1, "", -1, -1,
      "<V1", 25, 32, 24, "F8E5M2FNUZ", "f8E5M2FNUZ", 0x26,
      -1, "", -1, "", 0 },
    /* f8e4m3b11fnuz */
    { "", -1, "", -1, "", 9, -1, "", -1, -1,
      "<V1", -1, -1, 23, "F8E4M3B11FNUZ", "f8E4M3B11FNUZ", 0,
      -1, "", -1, "", 0 },
    /* f8e4m3: the IEEE-like one */
    { "", -1, "", -1, "", 8, -1, "", -1, -1,
      "<V1", -1, -1, 28, "F8E4M3", "f8E4M3", 0,
      -1, "", -1, "", 0 },
    /* f8e3m4 */
    { "", -1, "", -1, "", 7, -1, "", -1, -1,
      "<V1", -1, -1, 29, "F8E3M4", "f8E3M4", 0,
      -1, "", -1, "", 0 },
    /* f8e8m0fnu */
    { "F8_E8M0", -1, "", 24, "FLOAT8E8M0", 14, -1, "", -1, -1,
      "<V1", 44, 33, 33, "F8E8M0FNU", "f8E8M0FNU", 0x28,
      30, "CUDA_R_8F_UE8M0", 1000672003, "", 0 },
    /* f6e2m3fn */
    { "F6_E2M3", -1, "", 27, "FLOAT6E2M3", 15, -1, "", -1, -1,
      "<V1", -1, -1, 36, "F6E2M3FN", "f6E2M3FN", 0x2a,
      31, "CUDA_R_6F_E2M3", 1000672000, "", 0 },
    /* f6e3m2fn */
    { "F6_E3M2", -1, "", 28, "FLOAT6E3M2", 16, -1, "", -1, -1,
      "<V1", -1, -1, 35, "F6E3M2FN", "f6E3M2FN", 0x29,
      32, "CUDA_R_6F_E3M2", 1000672001, "", 0 },
    /* f4e2m1fn: PyTorch's 45 is a byte that holds two of them */
    { "F4", -1, "", 23, "FLOAT4E2M1", 17, -1, "", -1, -1,
      "<V1", 45, -1, 32, "F4E2M1FN", "f4E2M1FN", 0x2b,
      33, "CUDA_R_4F_E2M1", 1000672002, "", 0 },
    /* bool: one bit in Arrow, a byte elsewhere */
    { "BOOL", -1, "", 9, "BOOL", 6, 1, "b", 6, 6,
      "|b1", 11, 12, 1, "PRED", "i1", 0x13,
      -1, "", -1, "MPI_C_BOOL", MPX__WGSL },
    /* i2 */
    { "", -1, "", 26, "INT2", 0, -1, "", 19, 20,
      "<V1", 38, -1, 26, "S2", "i2", 0x11,
      -1, "", -1, "", 0 },
    /* u2 */
    { "", -1, "", 25, "UINT2", 1, -1, "", -1, -1,
      "<V1", 31, -1, 27, "U2", "ui2", 0x12,
      -1, "", -1, "", 0 },
    /* i4 */
    { "", -1, "", 22, "INT4", 0, -1, "", 17, 18,
      "<V1", 40, -1, 21, "S4", "i4", 0x11,
      16, "CUDA_R_4I", -1, "", 0 },
    /* u4 */
    { "", -1, "", 21, "UINT4", 1, -1, "", 20, 21,
      "<V1", 33, -1, 22, "U4", "ui4", 0x12,
      18, "CUDA_R_4U", -1, "", 0 },
    /* i8 */
    { "I8", 24, "I8", 3, "INT8", 0, 3, "c", 9, 9,
      "|i1", 1, 2, 2, "S8", "i8", 0x11,
      3, "CUDA_R_8I", 3, "MPI_INT8_T", MPX__WEBNN },
    /* u8 */
    { "U8", -1, "", 2, "UINT8", 1, 2, "C", 3, 3,
      "|u1", 0, 1, 6, "U8", "ui8", 0x12,
      8, "CUDA_R_8U", 7, "MPI_UINT8_T", MPX__WEBNN },
    /* i16 */
    { "I16", 25, "I16", 5, "INT16", 0, 5, "s", 7, 7,
      "<i2", 2, 3, 3, "S16", "i16", 0x11,
      20, "CUDA_R_16I", 4, "MPI_INT16_T", 0 },
    /* u16 */
    { "U16", -1, "", 4, "UINT16", 1, 4, "S", 16, 17,
      "<u2", 27, 28, 7, "U16", "ui16", 0x12,
      22, "CUDA_R_16U", 8, "MPI_UINT16_T", 0 },
    /* i32 */
    { "I32", 26, "I32", 6, "INT32", 0, 7, "i", 2, 2,
      "<i4", 3, 4, 4, "S32", "i32", 0x11,
      10, "CUDA_R_32I", 5, "MPI_INT32_T", MPX__WEBNN | MPX__WGSL },
    /* u32 */
    { "U32", -1, "", 12, "UINT32", 1, 6, "I", 15, 16,
      "<u4", 28, 34, 8, "U32", "ui32", 0x12,
      12, "CUDA_R_32U", 9, "MPI_UINT32_T", MPX__WEBNN | MPX__WGSL },
    /* i64 */
    { "I64", 27, "I64", 7, "INT64", 0, 9, "l", 4, 4,
      "<i8", 4, 5, 5, "S64", "i64", 0x11,
      24, "CUDA_R_64I", 6, "MPI_INT64_T", MPX__WEBNN },
    /* u64 */
    { "U64", -1, "", 13, "UINT64", 1, 8, "L", 12, 13,
      "<u8", 29, 35, 9, "U64", "ui64", 0x12,
      26, "CUDA_R_64U", 10, "MPI_UINT64_T", MPX__WEBNN },
    /* c64 */
    { "C64", -1, "", 14, "COMPLEX64", 5, -1, "", 8, 8,
      "<c8", 9, 10, 15, "C64", "complex<f32>", 0x23,
      4, "CUDA_C_32F", -1, "MPI_C_FLOAT_COMPLEX", 0 },
    /* c128 */
    { "", -1, "", 15, "COMPLEX128", 5, -1, "", 11, 12,
      "<c16", 10, 11, 18, "C128", "complex<f64>", 0x23,
      5, "CUDA_C_64F", -1, "MPI_C_DOUBLE_COMPLEX", 0 },
};
/* clang-format on */

MPX__INLINE const mpx__interop_row *mpx__interop_row_of(mpx_dtype type) {
    const size_t i = mpx__row_of(type)->type;
    return mpx__interop_rows + (i < sizeof mpx__interop_rows / sizeof mpx__interop_rows[0] ? i : 0);
}

MPX__INLINE int mpx__is_system(mpx_system system) {
    return system > MPX_SYSTEM_NONE && system < MPX_SYSTEM_COUNT;
}

/* ---- numbers --------------------------------------------------- */

/* IREE's element type: (numerical type << 24) | bits. */
MPX__INLINE int64_t mpx__iree_code(unsigned numerical_type, int bits) {
    return numerical_type == 0 ? -1 : (int64_t)(((uint32_t)numerical_type << 24) | (uint32_t)bits);
}

/* The number of a dtype, -1 if it has none. */
MPX__PRIVATE int64_t mpx__interop_code(mpx_system system, mpx_dtype type) {
    const mpx__interop_row *row = mpx__interop_row_of(type);
    switch ((int)system) {
    case MPX_SYSTEM_GGUF: return row->ggml_type;
    case MPX_SYSTEM_ONNX: return row->onnx_type;
    case MPX_SYSTEM_ARROW: return row->arrow_type;
    case MPX_SYSTEM_TFLITE: return row->tflite_file;
    case MPX_SYSTEM_TFLITE_C: return row->tflite_c;
    case MPX_SYSTEM_TORCH: return row->torch;
    case MPX_SYSTEM_TORCH_EXPORT: return row->torch_export;
    case MPX_SYSTEM_XLA: return row->xla_type;
    case MPX_SYSTEM_IREE: return mpx__iree_code(row->iree, mpx_dtype_bits(type));
    case MPX_SYSTEM_CUDA: return row->cuda_type;
    case MPX_SYSTEM_VULKAN: return row->vulkan;
    default: return -1;
    }
}

MPX__API mpx_status mpx_interop_code(mpx_system system, mpx_dtype type, int64_t *code) {
    int64_t found = mpx__interop_code(system, type);
    MPX_ASSERT(code != NULL);
    if (!mpx__is_system(system)) return MPX_ERR_ARGUMENT;
    if (found < 0) return MPX_ERR_DTYPE;
    *code = found;
    return MPX_OK;
}

/* 0x10 is IREE's integer without a sign, which its tools write for MLIR's i8. */
MPX__INLINE int mpx__is_signless(mpx_system system, int64_t code, mpx_dtype type) {
    return system == MPX_SYSTEM_IREE && mpx__row_of(type)->kind == MPX_KIND_INT &&
           code == mpx__iree_code(0x10, mpx_dtype_bits(type));
}

MPX__API mpx_status mpx_interop_dtype(mpx_system system, int64_t code, mpx_dtype *out) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL);
    if (!mpx__is_system(system)) return MPX_ERR_ARGUMENT;
    if (code < 0) return MPX_ERR_DTYPE; /* -1 in the table is no number */
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        if (mpx__interop_code(system, type) == code || mpx__is_signless(system, code, type)) {
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}

/* ---- DLPack ---------------------------------------------------- */

MPX__API mpx_status mpx_interop_dlpack(mpx_dtype type, mpx_dlpack *out) {
    int code = mpx__interop_row_of(type)->dlpack;
    MPX_ASSERT(out != NULL);
    if (code < 0) return MPX_ERR_DTYPE;
    out->code = (uint8_t)code;
    out->bits = mpx__row_of(type)->bits;
    out->lanes = 1;
    return MPX_OK;
}

MPX__API mpx_status mpx_interop_dlpack_dtype(mpx_dlpack format, mpx_dtype *out) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL);
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        int lanes_fit = format.lanes == 1 || (format.lanes == 2 && type == MPX_F4E2M1FN);
        if (lanes_fit && format.code == mpx__interop_row_of(type)->dlpack &&
            format.bits == mpx__row_of(type)->bits) {
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}

/* ---- names ----------------------------------------------------- */

MPX__PRIVATE const char *mpx__torch_name(mpx_dtype type) {
    if (mpx__interop_row_of(type)->torch < 0) return "";
    return type == MPX_F4E2M1FN ? "float4_e2m1fn_x2" : mpx_dtype_name(type);
}

MPX__API const char *mpx_interop_name(mpx_system system, mpx_dtype type) {
    const mpx__interop_row *row = mpx__interop_row_of(type);
    switch ((int)system) {
    case MPX_SYSTEM_SAFETENSORS: return row->safetensors;
    case MPX_SYSTEM_GGUF: return row->ggml;
    case MPX_SYSTEM_ONNX: return row->onnx;
    case MPX_SYSTEM_ARROW: return row->arrow;
    case MPX_SYSTEM_NUMPY:
    case MPX_SYSTEM_JAX: return row != mpx__interop_rows ? mpx_dtype_name(type) : "";
    case MPX_SYSTEM_NUMPY_STR: return row->numpy;
    case MPX_SYSTEM_TORCH: return mpx__torch_name(type);
    case MPX_SYSTEM_KERAS:
        return (mpx__row_of(type)->name_systems & MPX__KERAS) != 0 ? mpx_dtype_name(type) : "";
    case MPX_SYSTEM_XLA: return row->xla;
    case MPX_SYSTEM_MLIR: return row->mlir;
    case MPX_SYSTEM_CUDA: return row->cuda;
    case MPX_SYSTEM_WEBNN: return (row->own_name & MPX__WEBNN) != 0 ? mpx_dtype_name(type) : "";
    case MPX_SYSTEM_WGSL: return (row->own_name & MPX__WGSL) != 0 ? mpx_dtype_short_name(type) : "";
    case MPX_SYSTEM_MPI: return row->mpi;
    default: return "";
    }
}

/* Does this system mean the dtype by the word, not empty? Beside the names in the table:
   MLIR's si8 is its i8, CUDA's UE4M3 is its E4M3; NumPy's <V1 and <V2 are bytes without their
   dtype. */
MPX__PRIVATE int mpx__means(mpx_system system, mpx__slice word, mpx_dtype type) {
    const char *name = mpx_interop_name(system, type);
    if (name[0] == '\0') return 0;
    if (system == MPX_SYSTEM_NUMPY_STR && name[1] == 'V') return 0;
    if (mpx__is_word(word, name, 0)) return 1;
    if (system == MPX_SYSTEM_MLIR && mpx__row_of(type)->kind == MPX_KIND_INT)
        return word.s[0] == 's' && mpx__is_word(mpx__from(word, 1), name, 0);
    return system == MPX_SYSTEM_CUDA && type == MPX_F8E4M3FN &&
           mpx__is_word(word, "CUDA_R_8F_UE4M3", 0);
}

MPX__API mpx_status mpx_interop_parse_n(mpx_system system, const char *name, size_t len,
                                        mpx_dtype *out, mpx_error *err) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL && (name != NULL || len == 0));
    if (!mpx__is_system(system)) return mpx__fail_option(err, "system");
    if (len == 0) return mpx__fail(err, MPX_ERR_EMPTY, 0, 0);
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        if (mpx__means(system, mpx__slice_of(name, len), type)) {
            *out = type;
            return mpx__fail(err, MPX_OK, 0, 0);
        }
    }
    (void)mpx__fail(err, MPX_ERR_DTYPE, 0, len);
    if (err != NULL) err->index = (size_t)system;
    return MPX_ERR_DTYPE;
}

MPX__API mpx_status mpx_interop_parse(mpx_system system, const char *name, mpx_dtype *out,
                                      mpx_error *err) {
    return mpx_interop_parse_n(system, name, mpx__length(name), out, err);
}

/* ---- did you mean ---------------------------------------------- */

enum { MPX__NEAR = 2, MPX__NEAR_WORD = 24 }; /* edits that are near; the longest word looked at */

/* Edits that turn the word into the known one, case aside: letters put in, left out, changed, or
   two neighbours swapped; more than MPX__NEAR if there is no hope. The matrix of Damerau and
   Levenshtein (optimal string alignment), of which three rows are kept:

     at[j] = min(left[j-1] + 1, up[j] + 1, up[j-1] + differ, two_up[j-2] + 1 if swapped)   */
MPX__PRIVATE int mpx__edits(mpx__slice word, const char *known) {
    uint8_t rows[3][MPX__NEAR_WORD + 1], *two_up = rows[0], *up = rows[1], *at = rows[2];
    size_t length = mpx__length(known), i, j;
    if (length > word.n + MPX__NEAR || word.n > length + MPX__NEAR) return MPX__NEAR + 1;
    for (j = 0; j <= word.n; j++) {
        at[j] = (uint8_t)j;
        MPX__BARRIER(); /* gcc 12 would warn of its own vectors */
    }
    for (i = 1; i <= length; i++) {
        uint8_t *spare = two_up;
        char k = mpx__lower(known[i - 1]);
        two_up = up;
        up = at;
        at = spare;
        at[0] = (uint8_t)i;
        for (j = 1; j <= word.n; j++) {
            char w = mpx__lower(word.s[j - 1]);
            int best = up[j - 1] + (w != k);
            if (at[j - 1] + 1 < best) best = at[j - 1] + 1;
            if (up[j] + 1 < best) best = up[j] + 1;
            if (i > 1 && j > 1 && w == mpx__lower(known[i - 2]) && k == mpx__lower(word.s[j - 2]) &&
                two_up[j - 2] + 1 < best)
                best = two_up[j - 2] + 1;
            at[j] = (uint8_t)best;
        }
    }
    return at[word.n];
}

/* The nearest so far; MPX_NONE while two dtypes are equally near. */
typedef struct mpx__nearest {
    mpx__slice word;
    int edits;
    mpx_dtype type;
} mpx__nearest;

MPX__PRIVATE void mpx__consider(mpx__nearest *nearest, const char *known, mpx_dtype type) {
    int edits = mpx__edits(nearest->word, known);
    if (edits < nearest->edits) {
        nearest->edits = edits;
        nearest->type = type;
    } else if (edits == nearest->edits && type != nearest->type) {
        nearest->type = MPX_NONE;
    }
}

/* Words of the systems, but those of one or two letters (F4 is four bits in safetensors, four bytes
   in NumPy), ambiguous ones (ONNX's FLOAT), and NumPy's typestrings. */
MPX__PRIVATE void mpx__consider_systems(mpx__nearest *nearest, mpx_dtype type) {
    int system;
    for (system = MPX_SYSTEM_NONE + 1; system < MPX_SYSTEM_COUNT; system++) {
        const char *name = mpx_interop_name((mpx_system)system, type);
        size_t length = mpx__length(name);
        if (system != MPX_SYSTEM_NUMPY_STR && length > 2 &&
            mpx__ambiguity_of(mpx__slice_of(name, length)) == NULL)
            mpx__consider(nearest, name, type);
    }
}

/* NumPy's typestrings: their letters count bytes, and may stand the other way round. */
MPX__INLINE int mpx__has_byte_order(char c) {
    return c == '<' || c == '>' || c == '|' || c == '=';
}

MPX__API mpx_dtype mpx_dtype_suggest(const char *word, size_t len) {
    mpx__nearest nearest;
    mpx_dtype type;
    size_t i;
    MPX_ASSERT(word != NULL || len == 0);
    if (len == 0 || len > MPX__NEAR_WORD) return MPX_NONE;
    nearest.word = mpx__slice_of(word, len);
    if (mpx__has_byte_order(word[0]) || mpx__ambiguity_of(mpx__slice_of(word, len)) != NULL)
        return MPX_NONE; /* not nearest.word, which gcc would copy by memcpy */
    nearest.edits = (len >= 5 ? 2 : len >= 3 ? 1 : 0) + 1; /* less than half of the word */
    nearest.type = MPX_NONE;
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        mpx__consider(&nearest, mpx_dtype_name(type), type);
        mpx__consider(&nearest, mpx_dtype_short_name(type), type);
        mpx__consider_systems(&nearest, type);
    }
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if ((mpx__aliases[i].systems & MPX__ANY) != 0 &&
            !mpx__has_byte_order(mpx__aliases[i].word[0]))
            mpx__consider(&nearest, mpx__aliases[i].word, (mpx_dtype)mpx__aliases[i].dtype);
    if (MPX__HAS_F16) mpx__consider(&nearest, "half", MPX_F16);
    return nearest.type;
}
#endif /* !MPX_NO_INTEROP */
