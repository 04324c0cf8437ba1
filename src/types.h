/*==================================================================*
 * MARK: types - dtypes, statuses, policies, trees, loss scales
 *   Zero is the default. A struct of options or state that is all zero ({0}, in C++ {}) is valid,
 *   and its comment says what it then means. New enumerators are appended, and none is renumbered.
 *   The last enumerator of each enum (MPX__..._WIDTH) is not a value: it makes the enum signed and
 *   32 bits wide for every compiler.
 *==================================================================*/

/* Element types. A constant is named MPX_ and the short name in capitals. Store the name in files
   (mpx_dtype_name), not the number. A dtype of fewer than 8 bits is packed: element 0 is in the
   lowest bits of byte 0, and unused bits of the last byte become zero. If you cut such an array
   into pieces, let each piece begin at a multiple of 8 elements. */
typedef enum mpx_dtype {
    /* MPX_NONE: no dtype is set, so nothing is cast. F64, F32, F16: IEEE 754. BF16: the upper half
       of an F32. 16 bits are stored as uint16_t. */
    MPX_NONE = 0, MPX_F64, MPX_F32, MPX_F16, MPX_BF16,
    /* F8E4M3FN: OCP "E4M3", largest 448, no Inf, NaN are 0x7f and 0xff. F8E5M2: OCP "E5M2", has
       Inf. Stored as uint8_t. */
    MPX_F8E4M3FN, MPX_F8E5M2,
    /* FNUZ: no Inf, no -0, one NaN, the code 0x80; F8E4M3B11FNUZ has exponent bias 11 */
    MPX_F8E4M3FNUZ, MPX_F8E5M2FNUZ, MPX_F8E4M3B11FNUZ,
    /* F8E4M3, F8E3M4: IEEE-like, with Inf; largest 240 (not the OCP format) and 15.5.
       F8E8M0FNU: powers of two from 2^-127 to 2^127; NaN is 0xff; no zero, no sign. */
    MPX_F8E4M3, MPX_F8E3M4, MPX_F8E8M0FNU,
    /* Six- and four-bit floats: finite values only, packed. MPX_BOOL: a byte; all but 0 read as
       1. */
    MPX_F6E2M3FN, MPX_F6E3M2FN, MPX_F4E2M1FN, MPX_BOOL,
    /* I2 to I64: two's complement; U2 to U64: unsigned; below a byte packed. C64, C128: pairs of
       f32 and f64, carried along, never cast. */
    MPX_I2, MPX_U2, MPX_I4, MPX_U4, MPX_I8, MPX_U8, MPX_I16, MPX_U16, MPX_I32, MPX_U32, MPX_I64,
    MPX_U64, MPX_C64, MPX_C128,
    MPX_DTYPE_COUNT,
    /* Weak operands: literal constants, for mpx_dtype_promote and AMP operands only. They take the
       dtype of the other operands. They are not dtypes of arrays. */
    MPX_WEAK_INT = -1, MPX_WEAK_FLOAT = -2, MPX_WEAK_COMPLEX = -3, MPX__DTYPE_WIDTH = -0x7fffffff
} mpx_dtype;

/* Kinds of dtypes, as mpx_dtype_info reports them. */
typedef enum mpx_kind {
    MPX_KIND_NONE, MPX_KIND_FLOAT, MPX_KIND_BOOL, MPX_KIND_INT, MPX_KIND_UINT, MPX_KIND_COMPLEX,
    MPX__KIND_WIDTH = -0x7fffffff
} mpx_kind;

/* What every function that can fail returns; mpx_status_string names each. */
typedef enum mpx_status {
    /* _ARGUMENT: NULL where data is needed, or a value out of range. _DTYPE: an unknown or
       ambiguous name, or a dtype that the function does not take. _SPACE: too little memory, a path
       that is too long, or a size beyond size_t. _STATE: bytes that are not a saved state. */
    MPX_OK = 0, MPX_ERR_ARGUMENT = -1, MPX_ERR_DTYPE = -2, MPX_ERR_SPACE = -8, MPX_ERR_STATE = -14,
    /* Policies. _KEY: an unknown key. _MISSING_EQUALS, _EXTRA_EQUALS: a part without '=', or with
       two. _EMPTY: no text. _SYNTAX: the printed form <...> is not closed, or more text follows. */
    MPX_ERR_KEY = -3, MPX_ERR_MISSING_EQUALS = -4, MPX_ERR_EXTRA_EQUALS = -5, MPX_ERR_EMPTY = -6,
    MPX_ERR_SYNTAX = -7,
    /* Trees. _STRUCTURE: two trees differ in leaves, paths or counts. _NOT_FLOATING: the dtype of a
       leaf is not floating. _FIXED_DTYPE: the dtype of a leaf cannot be changed in place. _WIDER:
       some leaves of dst are wider than those of src and none is narrower, so the trees seem
       swapped. _DEPTH: nodes nested deeper than MPX_TREE_DEPTH. _CALLBACK: your walker failed. */
    MPX_ERR_STRUCTURE = -9, MPX_ERR_NOT_FLOATING = -10, MPX_ERR_FIXED_DTYPE = -11,
    MPX_ERR_DEPTH = -12, MPX_ERR_CALLBACK = -13, MPX_ERR_WIDER = -26,
    /* Quantized policies. _PAIR: not one mode and one source around "_from_". _MODE: an unknown
       mode. _NUMBER: not a whole number. _RANGE, _UNSUPPORTED: a number or a source that the mode
       does not take. _SHAPE, _SCHEME: a size or a word that the quantized format does not take. */
    MPX_ERR_PAIR = -15, MPX_ERR_MODE = -16, MPX_ERR_NUMBER = -17, MPX_ERR_RANGE = -18,
    MPX_ERR_UNSUPPORTED = -19, MPX_ERR_SHAPE = -50, MPX_ERR_SCHEME = -51,
    /* AMP. _SCOPE: a scope is left that was not entered. _CYCLE: a node of a graph reads a node
       that does not come before it. _RULE: not a rule. _PRECISION: not a precision for a rule. */
    MPX_ERR_SCOPE = -24, MPX_ERR_CYCLE = -25, MPX_ERR_RULE = -30, MPX_ERR_PRECISION = -31,
    /* Policy maps. _PATTERN: not a valid pattern, or too large. _EXISTS, _MISSING: a key exists,
       does not exist. _AMBIGUOUS: two patterns match. _QUOTE: without end. _ORDER: a late
       setting. */
    MPX_ERR_PATTERN = -20, MPX_ERR_EXISTS = -21, MPX_ERR_MISSING = -22, MPX_ERR_AMBIGUOUS = -23,
    MPX_ERR_QUOTE = -40, MPX_ERR_ORDER = -41, MPX_ERR_OPERATION = -32, /* mpx_amp_run lacks it */
    /* Files. _FILE: bytes that the format does not allow. _FORMAT: an unknown format or part of
       one. _OVERFLOW is a warning: all is done, but finite values became Inf or NaN. */
    MPX_ERR_FILE = -60, MPX_ERR_FORMAT = -61, MPX_WARN_OVERFLOW = 1, MPX__STATUS_WIDTH = -0x7fffffff
} mpx_status;

/* Bytes that are enough for every sentence of mpx_error_format and for every policy that
   mpx_policy_format_with prints, NUL included. */
#define MPX_ERROR_TEXT_SIZE 512
#define MPX_POLICY_TEXT_SIZE 96

#define MPX_PATH_SIZE 128 /* bytes of a path that is copied or built, with its NUL */

/* What an error is about: text that was read, a leaf of a tree, a layer, a node of a graph, a file. */
typedef enum mpx_subject {
    MPX_SUBJECT_TEXT = 0, MPX_SUBJECT_LEAF, MPX_SUBJECT_LAYER, MPX_SUBJECT_NODE, MPX_SUBJECT_FILE,
    MPX__SUBJECT_WIDTH = -0x7fffffff
} mpx_subject;

/* What was wrong, and where. {0}: no error. mpx_error_format makes a sentence of it. */
typedef struct mpx_error {
    mpx_status status;
    mpx_subject subject;
    size_t offset, length;     /* bytes: the word text[offset .. offset + length) */
    size_t index, input;       /* of the leaf, layer or node, and its input; SIZE_MAX: none; of
                                  mpx_interop_parse: the system */
    mpx_dtype found, expected; /* of errors about dtypes */
    const char *what;          /* a unit ("bytes"), an option ("lr"), one of several trees ("m"); of
                                  files: the reason */
    size_t have, need;         /* how many units there are and are needed, if what is not NULL */
    char path[MPX_PATH_SIZE];  /* of the leaf or layer, or a node's operation; cut to fit */
} mpx_error;

/* Facts about a dtype. Float limits are exact in double. Source: IEEE 754-2019 3.6, OCP OFP8 1.0,
   OCP MX 1.0. */
typedef struct mpx_dtype_facts {
    const char *name, *short_name; /* "bfloat16", "bf16" */
    mpx_kind kind;
    int bits;                      /* per element, 2 to 128 */
    int exponent_bits, mantissa_bits, bias; /* floats; mantissa without the hidden bit */
    int has_inf, has_nan, has_negative_zero;
    double max, min, epsilon;      /* largest and most negative finite value (e8m0: smallest), and
                                      the distance from 1 to the next larger value */
    double smallest_normal, smallest_subnormal; /* e8m0 has no subnormals: both are its minimum */
    int64_t int_min;               /* integers */
    uint64_t int_max;
} mpx_dtype_facts;

/* Whose rules a text follows. ANY: the grammars of all systems together, tolerant of blanks and
   case. Each other dialect follows one system exactly (differences: docs/differences.md). */
typedef enum mpx_dialect {
    /* EFORMER: Policy.from_string. JMP: get_policy, parse_dtype. KERAS: dtype_policies.get of 3.16
       with plain, mixed_ and quantized names. AXON: the printed form, and Nx's type names.
       EFORMER_PUT: put_dtype, a second name table. KERAS_CLASS: DTypePolicy, for which "int8" is a
       dtype. */
    MPX_DIALECT_ANY = 0, MPX_DIALECT_EFORMER, MPX_DIALECT_JMP, MPX_DIALECT_KERAS, MPX_DIALECT_AXON,
    MPX_DIALECT_EFORMER_PUT, MPX_DIALECT_KERAS_CLASS, MPX__DIALECT_WIDTH = -0x7fffffff
} mpx_dialect;

/* half: the dtype that the word `half` means; MPX_NONE: MPX_F16. {0}: any dialect, and MPX_F16. */
typedef struct mpx_parse_options { mpx_dialect dialect; mpx_dtype half; } mpx_parse_options;

/* Other systems that have numbers or names for dtypes. A system with two numberings has two
   enumerators. Do not store these values. */
typedef enum mpx_system {
    /* Each example is the number or name of bfloat16, or of the dtype that stands before it. NONE:
       MPX_ERR_ARGUMENT. SAFETENSORS: "BF16" (F8_E4M3 is MPX_F8E4M3FN). GGUF: ggml_type 30, "BF16"
       as in gguf-py (elements, no blocks such as Q8_0). ONNX: TensorProto.DataType 16, "BFLOAT16".
       ARROW: Type::type, float16 is 10, and the C data interface, "e" (its bool is one bit). */
    MPX_SYSTEM_NONE = 0, MPX_SYSTEM_SAFETENSORS, MPX_SYSTEM_GGUF, MPX_SYSTEM_ONNX, MPX_SYSTEM_ARROW,
    /* TFLITE: TensorType in a .tflite file, float16 is 1. TFLITE_C: TfLiteType in the C API,
       float16 is 10. NUMPY: with ml_dtypes, "bfloat16". NUMPY_STR: dtype.str, what .npy files
       keep, float16 is "<f2". */
    MPX_SYSTEM_TFLITE, MPX_SYSTEM_TFLITE_C, MPX_SYSTEM_NUMPY, MPX_SYSTEM_NUMPY_STR,
    /* TORCH: c10::ScalarType 5, "float16" (45, float4_e2m1fn_x2, is a pair). TORCH_EXPORT:
       torch.export's schema, float16 is 6. */
    MPX_SYSTEM_TORCH, MPX_SYSTEM_TORCH_EXPORT,
    /* JAX, KERAS: "bfloat16". XLA: PrimitiveType 16, "BF16" (F8E4M3 is MPX_F8E4M3). MLIR: with
       StableHLO, "bf16", "f8E4M3FN", "ui8", "complex<f32>". IREE: iree_hal_element_type_t
       0x22000010. */
    MPX_SYSTEM_JAX, MPX_SYSTEM_KERAS, MPX_SYSTEM_XLA, MPX_SYSTEM_MLIR, MPX_SYSTEM_IREE,
    /* CUDA: cudaDataType 14, "CUDA_R_16BF". VULKAN: VkComponentTypeKHR 1000141000. WEBNN:
       MLOperandDataType "float16". WGSL: "f16". MPI: "MPI_FLOAT", and MPIX_ ones that not every MPI
       has. */
    MPX_SYSTEM_CUDA, MPX_SYSTEM_VULKAN, MPX_SYSTEM_WEBNN, MPX_SYSTEM_WGSL, MPX_SYSTEM_MPI,
    MPX_SYSTEM_COUNT, MPX__SYSTEM_WIDTH = -0x7fffffff
} mpx_system;

/* DLPack's DLDataType, member for member. */
typedef struct mpx_dlpack {
    uint8_t code, bits;
    uint16_t lanes;
} mpx_dlpack;

/* How mpx_cast_with rounds floats to integers, before they saturate. Nearest: ties to even. */
typedef enum mpx_int_rounding {
    MPX_INT_TRUNCATE = 0, MPX_INT_NEAREST, MPX_INT_UP, MPX_INT_DOWN,
    MPX__INT_ROUNDING_WIDTH = -0x7fffffff
} mpx_int_rounding;

/* How a cast rounds to a float dtype (to integers: mpx_int_rounding). Nearest: ties to even, in
   e8m0 up. Toward zero: a finite value that is too large becomes the largest finite value, not Inf.
   Stochastic: up with a probability equal to the fraction that is cut off, in steps of 2^-16. */
typedef enum mpx_rounding {
    MPX_ROUND_NEAREST = 0, MPX_ROUND_TOWARD_ZERO, MPX_ROUND_STOCHASTIC,
    MPX__ROUNDING_WIDTH = -0x7fffffff
} mpx_rounding;

/* How elements of fewer than 8 bits lie in memory. Packed: element 0 in the lowest bits (ONNX,
   PyTorch, DLPack). Bytes: one element in the low bits of each byte (ml_dtypes, NumPy). Split: byte
   j of a block holds the four-bit elements j and j + half of the block (GGUF). */
typedef enum mpx_layout {
    MPX_LAYOUT_PACKED = 0, MPX_LAYOUT_BYTES, MPX_LAYOUT_SPLIT, MPX__LAYOUT_WIDTH = -0x7fffffff
} mpx_layout;

/* What casts did to the values. Start from {0}; each call adds to it. Sums are doubles, added in
   the order of the elements. Unlike other results of casts, they depend on the caller's rounding
   mode, the compiler's -ffp-contract and x87's registers, and may raise flags. If the caller's mode
   reads subnormals as zero, subnormal doubles may count as zero. 64-bit integers from 2^53 on are
   first rounded toward zero to a double. */
typedef struct mpx_cast_stats {
    uint64_t count, nan, infinite; /* elements; NaN and Inf in the source (complex: 0) */
    /* overflowed: finite, but became Inf or NaN, or rounds (to a float: to nearest) beyond the
       range; in e8m0 also zero and negatives. zeroed: not zero, but zero in the target. subnormal:
       results that are not zero but below the target's smallest normal. */
    uint64_t overflowed, zeroed, subnormal;
    /* max_abs: the largest finite magnitude of the source. The others count only elements with a
       finite result. max_error: the largest |source - result|. sum_squares, sum_error_squares: the
       sums of source^2 and of (source - result)^2. */
    double max_abs, max_error, sum_squares, sum_error_squares;
} mpx_cast_stats;

/* How mpx_cast_with casts. {0}: as mpx_cast. */
typedef struct mpx_cast_options {
    mpx_rounding rounding;
    int saturate;       /* 1: values that overflow, Inf included, become the largest value; in
                           e8m0, zero and negatives become the least, 2^-127 */
    mpx_layout dst_layout, src_layout; /* for dtypes of fewer than 8 bits */
    size_t split_block; /* elements of a split block, an even number; 0: all n are one block */
    /* Stochastic: the seed of the random bits, and the index of element 0 in the whole tensor. With
       the right offset, pieces that are cast separately get the bits of one call. */
    uint64_t random_seed, offset;
    mpx_cast_stats *stats; /* NULL: none */
    mpx_int_rounding int_rounding; /* of floats to integers */
} mpx_cast_options;

/* How an attribute of a packed vertex is stored. Words are native uint32_t, component 0 in the
   lowest bits. PLAIN: components of a dtype. UNORM: 0 ... 1 as 0 ... 2^bits - 1. SNORM: -1 ... 1 as
   two's complement; the most negative code is -1, too. UNORM10_10_10_2 and SNORM10_10_10_2: three
   or four components (DXGI R10G10B10A2, Vulkan A2B10G10R10). UFLOAT11_11_10, RGB9E5: three
   components that are not negative (R11G11B10_FLOAT, B10G11R11_UFLOAT; R9G9B9E5_SHAREDEXP). */
typedef enum mpx_vertex_format {
    MPX_VERTEX_PLAIN = 0, MPX_VERTEX_UNORM8, MPX_VERTEX_SNORM8, MPX_VERTEX_UNORM16,
    MPX_VERTEX_SNORM16, MPX_VERTEX_UNORM10_10_10_2, MPX_VERTEX_SNORM10_10_10_2,
    MPX_VERTEX_UFLOAT11_11_10, MPX_VERTEX_RGB9E5, MPX__VERTEX_WIDTH = -0x7fffffff
} mpx_vertex_format;

/* An attribute of a vertex: `components` floats at float_offset of one struct, and their packed
   form at packed_offset of another. Offsets are bytes, as offsetof has them. */
typedef struct mpx_attribute {
    mpx_vertex_format format;
    mpx_dtype dtype; /* PLAIN: of a component, 8 bits or more, not complex; else MPX_NONE */
    size_t components, packed_offset, float_offset;
} mpx_attribute;

/* How a matrix is quantized. A code is the stored number, zero a zero point; low and high are the
   least and largest code; amax, min and max are of the values that share a scale. KERAS: scale =
   high / (amax + epsilon), value = code / scale; with zero points, scale = (max - min + epsilon) /
   (high - low), value = (code - zero) * scale. LINEAR (ONNX, PyTorch): value = (code - zero) *
   scale, scale = amax / high, or (max - min) / (high - low) over a range that contains 0. MX: OCP
   MX 1.0, blocks of 32, value = code * 2^scale. NVFP4: blocks of 16 of e2m1, value = code * scale *
   tensor scale; scale is from 2^-6 to 448, as in torchao, so with `single` values up to 2^-8 become
   0. Q4_0 to Q6_K, GGML_MXFP4: blocks as in GGUF files, scales and codes together. Q4_K, Q5_K, Q6_K
   and GGML_NVFP4 can only be read. */
typedef enum mpx_scheme {
    MPX_SCHEME_NONE = 0, MPX_SCHEME_KERAS, MPX_SCHEME_LINEAR, MPX_SCHEME_MX, MPX_SCHEME_NVFP4,
    MPX_SCHEME_Q4_0, MPX_SCHEME_Q4_1, MPX_SCHEME_Q5_0, MPX_SCHEME_Q5_1, MPX_SCHEME_Q8_0,
    MPX_SCHEME_Q4_K, MPX_SCHEME_Q5_K, MPX_SCHEME_Q6_K, MPX_SCHEME_GGML_MXFP4,
    MPX_SCHEME_GGML_NVFP4, MPX__SCHEME_WIDTH = -0x7fffffff
} mpx_scheme;

/* Which elements share a scale: the tensor; a row; a column; `block` neighbours in a row; `block`
   neighbours in a column. The last block may be shorter in KERAS and LINEAR. */
typedef enum mpx_scope {
    MPX_SCOPE_TENSOR = 0, MPX_SCOPE_ROW, MPX_SCOPE_COLUMN, MPX_SCOPE_BLOCK, MPX_SCOPE_BLOCK_DOWN,
    MPX__SCOPE_WIDTH = -0x7fffffff
} mpx_scope;

/* How the scale of an MX block follows from amax, its largest magnitude. emax is the largest
   exponent and max the largest value of the element dtype. FLOOR: 2^(floor(log2 amax) - emax), as
   in the OCP text and torchao's default. EVEN: as FLOOR, but amax is first rounded, half up, to the
   mantissa bits of an element (torchao). CEIL: 2^(ceil(log2 amax) - emax) (torchao). RCEIL:
   2^ceil(log2(amax / max)) (cuBLAS, MLX, torchao): nothing below 2^127 saturates. */
typedef enum mpx_scale_rule {
    MPX_SCALE_FLOOR = 0, MPX_SCALE_EVEN, MPX_SCALE_CEIL, MPX_SCALE_RCEIL,
    MPX__SCALE_RULE_WIDTH = -0x7fffffff
} mpx_scale_rule;

/* A value made by mpx_quant_parse. {0}: not quantized. */
typedef struct mpx_quant {
    mpx_scheme scheme;
    mpx_dtype element; /* of the codes: KERAS, LINEAR: I8, I4, I2, U8, U4, U2; LINEAR also floats of
                          8 bits but F8E8M0FNU; MX: F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN, I8 */
    mpx_scope scope;   /* KERAS, LINEAR; the others have their blocks along rows */
    size_t block;      /* SCOPE_BLOCK, _DOWN: elements of a block */
    mpx_scale_rule rule; /* MX */
    int zero_point;    /* 1: KERAS, LINEAR: codes have a zero point */
    int single;        /* 1: NVFP4: no tensor scale */
    int swizzled;      /* 1: MX, NVFP4: scales in the order that cuBLAS wants, see mpx_quant_layout */
    int given;         /* 1: mpx_quantize takes from dst, for KERAS and LINEAR, the scales and zero
                          points, for NVFP4 the tensor scale; other schemes ignore it */
    /* KERAS, LINEAR: which of an integer's codes are used; 0, 0: all, KERAS without zero
       points -127 in place of -128. KERAS: epsilon of abs_max_quantize; 0: 1e-7, below 0: none. */
    int32_t low, high;
    float epsilon;
} mpx_quant;

#if !MPX_NO_QUANT
/* The parts of a quantized matrix: their offsets in bytes, and the number of scales. In interleaved
   formats the scales stand among the codes, and scale_type is MPX_NONE. */
typedef struct mpx_quant_layout {
    size_t bytes;                    /* of the whole matrix; gaps are 0 */
    size_t codes, scales, zeros, tensor_scale; /* multiples of 16; absent: equal to bytes */
    size_t scale_count;              /* as stored, padding included */
    mpx_dtype scale_type, zero_type;
    size_t block, block_bytes;       /* elements that share a scale, of GGUF those of a block; their
                                        bytes if interleaved */
} mpx_quant_layout;

/* The scale of one tensor that is rounded to 8-bit floats in every step, and the largest magnitudes
   that it had in earlier steps. value = code * scale. {0} and a dtype: scale 1. */
typedef struct mpx_float8_scale {
    mpx_dtype dtype; /* F8E4M3FN for inputs and weights, F8E5M2 for gradients; or another float of
                        8 bits, but not F8E8M0FNU */
    float scale;     /* 0 reads as 1 */
    int32_t margin;  /* scales are 2^margin times as large; -126 to 127 */
    float *history;  /* the caller's `length` magnitudes, zeros at first: the newest, then the
                        others from the oldest on, as in Keras */
    size_t length;
} mpx_float8_scale;
#endif

/* How Keras' policies quantize the weights of a layer. */
typedef enum mpx_quantization {
    MPX_QUANT_NONE = 0, MPX_QUANT_INT8, MPX_QUANT_INT4, MPX_QUANT_FLOAT8, MPX_QUANT_GPTQ,
    MPX_QUANT_AWQ, MPX_QUANT_TERNARY, MPX__QUANT_WIDTH = -0x7fffffff
} mpx_quantization;

/* Which precision the parameters, the compute and the outputs have, and how weights are quantized.
   A role that is MPX_NONE is left alone. {0}: nothing is cast, nothing quantized. */
typedef struct mpx_policy {
    mpx_dtype param, compute, output;
    mpx_quantization quantization;
    int32_t weight_bits;         /* GPTQ: 2, 3, 4 or 8, AWQ: 4, else 0 */
    int32_t group_size;          /* INT4, GPTQ, AWQ: weights that share a scale; -1: one scale per
                                    channel; 0: not given */
    int32_t amax_history_length; /* FLOAT8: steps of history; else 0 */
} mpx_policy;
/* An initializer of the three roles: mpx_policy p = MPX_POLICY(MPX_F32, MPX_BF16, MPX_F32). As an
   argument of a call, use mpx_policy_of. */
#define MPX_POLICY(param, compute, output) { param, compute, output, MPX_QUANT_NONE, 0, 0, 0 }
#define MPX_AMAX_HISTORY_LENGTH 1024 /* if the text gives none, as in Keras */

/* One of the three roles. */
typedef enum mpx_role {
    MPX_ROLE_PARAM = 0, MPX_ROLE_COMPUTE, MPX_ROLE_OUTPUT, MPX__ROLE_WIDTH = -0x7fffffff
} mpx_role;

/* How the keys of a policy map are read. A key that equals the path always matches.
     glob     * matches any characters but '/', ** any characters, ? one character but '/', [a-z0]
              one character of a class and [!a-z] one outside it, but not '/'. A backslash takes the
              next character literally. If ** is a whole segment, but not the last, it stands for
              any number of segments, or for none
     regex    The part of Python's re that needs no backtracking: . [a-z] [^a-z] \d \s \w, * + ?
              {m,n}, a|b, (a) (?:a) (?P<name>a), ^ $ \A \Z \b \B, escapes; flags at the start, (?i)
              for ASCII letters, (?a) (?m) (?s) (?x); then look-aheads: (?!.*norm).* matches all
              paths without norm. Globs and these match the whole path
     search   A regex that may match anywhere in the path, as in Keras up to 3.11; look-aheads must
              follow ^ or \A
     hook     The map's function `match` decides
     exact    No patterns */
typedef enum mpx_patterns {
    MPX_PATTERNS_GLOB = 0, MPX_PATTERNS_REGEX, MPX_PATTERNS_SEARCH, MPX_PATTERNS_HOOK,
    MPX_PATTERNS_EXACT, MPX__PATTERNS_WIDTH = -0x7fffffff
} mpx_patterns;
/* The most steps that a pattern may have. Each character, class, anchor and wildcard is one step,
   but plain text at both ends is none (in a search with a wildcard, with (?i), (?x) or a | outside
   groups it counts, too). A ** that is a segment takes one more; each |, look-ahead and repeated
   group takes one or two more; {m,n} counts n times. A pattern may also have at most that many
   named groups, 16 groups within one another, and 8 classes of more than 64 bytes. */
#define MPX_PATTERN_STEPS 128
#define MPX_MAP_DEFAULT SIZE_MAX /* in place of an index: no entry decides */

/* One line of a map, made by mpx_policy_map_set and its like. */
typedef struct mpx_map_entry {
    const char *key; /* the caller's text, which must live as long as the entry, or a copy */
    size_t length;   /* of key, in bytes: it needs no NUL */
    mpx_policy policy;
    int saturate;    /* 1: casts of these leaves saturate, as opt->saturate has it */
    size_t leaves;   /* leaves that this entry decides: mpx_policy_map_count_leaves */
    size_t prefix, suffix; /* private: bytes of plain text at both ends of the pattern, */
    uint32_t needs[8];     /* letters that a path must have, and links between keys */
    size_t next[2];
    mpx_quant quant; /* how mpx_weights_cast quantizes these leaves; scheme NONE: the policy decides */
} mpx_map_entry;

/* A caller's engine for patterns. Returns 1: it matches; 0: it does not; a negative mpx_status. */
typedef int (*mpx_match_fn)(const char *pattern, size_t pattern_length, const char *path,
                            size_t path_length, void *user);

/* Policies by path: entries in the order in which they were set, and a policy for all other paths.
   {0}: there are no entries, no more can be set, and nothing is cast. */
typedef struct mpx_policy_map {
    mpx_map_entry *entries; /* the caller's array; `count` are set; lower count to drop the last */
    size_t capacity, count;
    mpx_policy fallback;    /* for paths that no key matches */
    int saturate;           /* 1: casts by the fallback saturate */
    mpx_patterns patterns;  /* choose it before you set the first key */
    int first_wins;         /* 1: the first pattern that matches a path decides; 0: two that match
                               are MPX_ERR_AMBIGUOUS */
    mpx_match_fn match;     /* MPX_PATTERNS_HOOK */
    void *user;
    struct mpx_arena *keys; /* keys are copied into it, each with a NUL, in multiples of 16 bytes;
                               NULL: the caller's texts are used */
    mpx_quant fallback_quant; /* beside the fallback, as in an entry */
} mpx_policy_map;

/* One layer of a model. */
typedef struct mpx_layer {
    const char *path, *op; /* "encoder/layer_norm", "layer_norm"; NULL reads as "" */
    mpx_policy policy;
} mpx_layer;

/* Which layers: all ({0}), or by one of three rules: `only` these op names, all `except` these, or
   a function. Lists end with NULL. A list that is not NULL but empty names no op. */
typedef struct mpx_layer_filter {
    const char *const *only, *const *except;
    int (*select)(const mpx_layer *layer, void *user); /* 1: yes; 0: no; negative: a mpx_status */
    void *user;
} mpx_layer_filter;

/* A tree is anything that can hand out its leaves one by one: see mpx_tree below. */
#define MPX_TREE_DEPTH 16 /* nested nodes that the struct walker follows */

/* One array of the tree. path: "encoder/0/kernel"; NULL reads as "". data: count elements of dtype.
   If count is 0, data may be NULL and dtype MPX_NONE, so {0} is a leaf without elements. */
typedef struct mpx_leaf {
    const char *path;
    void *data;
    size_t count;
    mpx_dtype dtype;
} mpx_leaf;

/* A named piece of one block of memory, as many trainers hold their parameters; offset and count
   are in elements. mpx_leaves_of_tensors makes leaves of such pieces. */
typedef struct mpx_tensor {
    const char *name;
    size_t offset, count;
} mpx_tensor;

/* The position of a walk: all zero before the first leaf. Walkers may use the members freely. */
typedef struct mpx_cursor {
    size_t index[2 * (MPX_TREE_DEPTH + 1)];
    size_t depth;
    void *node;
    char path[MPX_PATH_SIZE];
} mpx_cursor;

typedef struct mpx_tree mpx_tree;

/* Write the next leaf and advance the cursor. Returns 1: a leaf was written; 0: the end; a negative
   mpx_status: the walk stops with it. Every walk must give the same leaves, because functions that
   write walk once to check and once to work. */
typedef int (*mpx_next_fn)(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree);
/* Note that the last leaf that was handed out now has this dtype (after a cast in place). It is
   first called with the dtype that the leaf has, to ask. Returns MPX_OK, or MPX_ERR_FIXED_DTYPE if
   the dtype of this leaf cannot change. */
typedef mpx_status (*mpx_retype_fn)(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree);

/* A tree by callback. {0} is the empty tree. Walkers that ship: mpx_tree_of_leaves, _of_struct,
   _where. */
struct mpx_tree {
    mpx_next_fn next;     /* NULL: no leaves */
    mpx_retype_fn retype; /* NULL: dtypes are fixed, casts in place are refused */
    void *user;           /* the walker's own */
    const void *layout;   /* the walker's own (struct walker: its mpx_field[]) */
    size_t count;         /* the walker's own (length of user or layout) */
};

/* One member of a C struct, for mpx_tree_of_struct. Use the macros below; the fields are open to
   other generators. */
typedef struct mpx_field {
    const char *name;     /* the path segment */
    size_t offset, count; /* of the member; how many elements (nodes: structs) */
    /* MPX_FIELD_COUNTED: offset of a size_t member that holds the count; MPX_FIELD_TYPED: offset of
       an mpx_dtype member; nodes: bytes from one struct to the next */
    size_t count_offset, dtype_offset, stride;
    const struct mpx_field *fields; /* nodes: the members of the inner struct; NULL: a leaf */
    size_t field_count;
    mpx_dtype dtype; /* leaves: of the elements */
    unsigned flags;  /* MPX_FIELD_... */
} mpx_field;
/* POINTER: the member points to the data (NULL: no elements). COUNTED: the count is read from the
   struct. TYPED: the dtype is read from the struct, and may change. INDEXED: paths of nodes contain
   the index, as in "layers/3/weight". */
enum { MPX_FIELD_POINTER = 1, MPX_FIELD_COUNTED = 2, MPX_FIELD_TYPED = 4, MPX_FIELD_INDEXED = 8 };
/* For the macros below: bytes of a member, and no fields of its own. */
#ifdef __cplusplus
#define MPX_MEMBER_SIZE(T, m) sizeof(static_cast<T *>(nullptr)->m)
#define MPX_FIELDS_NONE nullptr
#else
#define MPX_MEMBER_SIZE(T, m) sizeof(((T *)0)->m)
#define MPX_FIELDS_NONE NULL
#endif
/* float w[64]; or float b; ctype is the C type of one element. Not for packed dtypes, of which a byte
   has several elements: MPX_LEAF_POINTER takes their number. */
#define MPX_LEAF(T, m, ctype, dtype) \
    { #m, offsetof(T, m), MPX_MEMBER_SIZE(T, m) / sizeof(ctype), 0, 0, 0, MPX_FIELDS_NONE, 0, \
      dtype, 0u }
/* float *w; of n elements */
#define MPX_LEAF_POINTER(T, m, n, dtype) \
    { #m, offsetof(T, m), n, 0, 0, 0, MPX_FIELDS_NONE, 0, dtype, 0u | MPX_FIELD_POINTER }
/* void *w; size_t n_member; mpx_dtype t_member: a leaf that can be cast in place */
#define MPX_LEAF_TYPED(T, m, n_member, t_member) \
    { #m, offsetof(T, m), 0, offsetof(T, n_member), offsetof(T, t_member), 0, MPX_FIELDS_NONE, 0, \
      MPX_NONE, 0u | MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_TYPED }
/* struct layer encoder; described by layer_fields */
#define MPX_NODE(T, m, node_fields) \
    { #m, offsetof(T, m), 1, 0, 0, MPX_MEMBER_SIZE(T, m), node_fields, \
      sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, 0u }
/* struct layer layers[4]; */
#define MPX_NODE_ARRAY(T, m, node_type, node_fields) \
    { #m, offsetof(T, m), MPX_MEMBER_SIZE(T, m) / sizeof(node_type), 0, 0, sizeof(node_type), \
      node_fields, sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, 0u | MPX_FIELD_INDEXED }
/* struct layer *layers; size_t n_member; */
#define MPX_NODE_POINTER(T, m, n_member, node_type, node_fields) \
    { #m, offsetof(T, m), 0, offsetof(T, n_member), 0, sizeof(node_type), node_fields, \
      sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, \
      0u | MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_INDEXED }

/* mpx_tree_of_struct(object, fields, how many there are) */
#define MPX_TREE_OF_STRUCT(object, object_fields) \
    mpx_tree_of_struct(object, object_fields, sizeof(object_fields) / sizeof(mpx_field))

/* The caller's storage for casts that make new leaves: bytes for data, and leaves for the new tree.
   Casts take from it and advance `used` and `leaves_used`; set both to 0 to start again. */
typedef struct mpx_arena {
    void *data; /* leaves begin at multiples of 16 bytes from here; any address works */
    size_t size, used;
    mpx_leaf *leaves;
    size_t leaf_capacity, leaves_used;
} mpx_arena;

/* Run tasks on your threads: call task(arg, i) once for every i below count, in any order, on any
   threads, and return when all have returned. What the tasks wrote must then be visible to the
   caller. dispatch_apply_f and pthreadpool_parallelize_1d take such tasks as they are. */
typedef void (*mpx_task_fn)(void *arg, size_t i);
typedef void (*mpx_run_fn)(size_t count, mpx_task_fn task, void *arg, void *user);

/* How work is split for threads. {0}: it is not split. */
typedef struct mpx_parallel {
    mpx_run_fn run; /* NULL: all on the calling thread */
    void *user;     /* handed to run */
    size_t grain;   /* bytes that a piece reads and writes, at least 4096; 0: 1 MiB */
} mpx_parallel;

/* A tree of those leaves of another tree for which `keep` returns 1, not 0: see mpx_tree_where.
   leaf->path may be NULL, as in the tree. */
typedef int (*mpx_keep_fn)(const mpx_leaf *leaf, void *user);
typedef struct mpx_tree_filter {
    mpx_tree tree;
    mpx_keep_fn keep; /* NULL: all */
    void *user;
} mpx_tree_filter;

/* What a tree holds, and what casting it would need. */
typedef struct mpx_tree_size {
    /* bytes: of all data. storage: bytes that mpx_tree_cast_into takes from an arena: for the
       leaves that change, each rounded up to 16, and for the paths that the walker builds */
    size_t leaves, elements, bytes, storage;
} mpx_tree_size;

/* What a cast would do to one leaf: see mpx_tree_dry_run. */
typedef struct mpx_cast_report {
    char path[MPX_PATH_SIZE];
    size_t index; /* of the leaf in the tree */
    mpx_dtype from, to;
    mpx_cast_stats stats;
} mpx_cast_report;

/* Give memory as realloc does: `old`, NULL at first, becomes `size` bytes long (never 0) and may
   move; it is aligned for any type. If there is no memory, return NULL and do not change `old`. */
typedef void *(*mpx_grow_fn)(void *old, size_t size, void *user);

/* How mpx_weights_cast casts. {0}: to the policies' param dtypes, without any memory. */
typedef struct mpx_weights_options {
    mpx_role role;
    int saturate;            /* 1: all casts saturate; 0: those of entries that say so */
    mpx_parse_options parse; /* how policies are read */
    mpx_grow_fn grow;        /* NULL: `size` bytes at `block`, aligned as by malloc */
    void *user;              /* handed to grow */
    void *block;
    size_t size;
    const size_t *cols;      /* for each leaf, elements of a row, to quantize; NULL, 0: one row */
    int leave, sums;         /* 1: leaves that the format cannot quantize stay as they are; 1: sums
                                of errors for leaves that are cast, too: slower */
    mpx_parallel parallel;   /* how leaves are split: one task a leaf, whatever the grain */
} mpx_weights_options;

/* What became of one leaf. */
typedef struct mpx_weight {
    mpx_dtype from, to;    /* equal: the leaf is the source's memory, not copied */
    size_t bytes;          /* 0, as are counts and sums, if another leaf has the memory: */
    size_t shares, offset; /* the index of the first leaf with the same memory and the same cast;
                              where data that were cast lie in mpx_weights.memory, in bytes */
    int saturates;
    /* Counts: finite values that overflow; values that become zero; values, Inf included, that
       become the largest value (e8m0: or the least). */
    uint64_t overflowed, zeroed, saturated;
    double sum_squares, sum_error_squares; /* as in mpx_cast_stats; of casts if opt->sums is set */
    size_t rows, cols; /* 0, 0: not quantized. Else `to` is MPX_U8, and mpx_dequantize reads */
    mpx_quant quant;   /* the leaf's data with rows, cols and quant */
} mpx_weight;

/* A tree, cast, and all that belongs to it. */
typedef struct mpx_weights {
    mpx_tree tree;
    mpx_leaf *leaves;    /* those of the tree, in its order */
    mpx_weight *weights; /* one a leaf */
    size_t count;
    mpx_policy_map map;  /* as the text says; its keys point into the text */
    size_t unmatched;    /* keys that decide no leaf: map.entries[i].leaves is 0 */
    size_t bytes;        /* of all leaves; shared memory counts once */
    uint64_t overflowed, zeroed, saturated;
    void *memory;        /* holds all of the above: free it once, after an error, too */
} mpx_weights;

/* The rule by which a loss scale changes. */
typedef enum mpx_loss_scale_kind {
    /* NOOP: the scale is 1. STATIC: it never changes. DYNAMIC (jmp, eformer, Axon): it grows on the
       period-th finite step, if the result is finite, and never falls below min_scale. JAXAMP: it
       grows on finite step period + 1, without limits. KERAS: as DYNAMIC, but without min_scale and
       without the check that the result is finite. */
    MPX_LOSS_SCALE_NOOP = 0, MPX_LOSS_SCALE_STATIC, MPX_LOSS_SCALE_DYNAMIC, MPX_LOSS_SCALE_JAXAMP,
    MPX_LOSS_SCALE_KERAS, MPX__LOSS_SCALE_WIDTH = -0x7fffffff
} mpx_loss_scale_kind;

/* The state of loss scaling: a value to copy, store and compare. {0} is NoOp: the scale is 1. */
typedef struct mpx_loss_scale {
    mpx_loss_scale_kind kind;
    float scale;             /* the loss is multiplied by it, gradients are divided by it */
    int32_t counter, period; /* finite steps since it changed, and until it grows (patience) */
    float factor, min_scale; /* it grows and shrinks by factor; DYNAMIC: down to min, 0: no floor */
    int32_t resets;          /* JAXAMP: non-finite steps so far */
    mpx_dialect dialect;     /* MPX_DIALECT_JMP: unscale multiplies by the rounded reciprocal;
                                _AXON: so it does, and only Inf is not finite; else it divides */
    float max_scale;         /* the scale does not grow beyond it; 0: no maximum */
    /* Hysteresis h: the first h - 1 non-finite steps leave the scale as it is; later ones shrink
       it. A full period of finite steps starts the count again. 0 and 1: every non-finite step
       shrinks the scale. misses: non-finite steps that were counted, at most hysteresis. */
    int32_t hysteresis, misses;
    /* MPX_F16, MPX_BF16: a scale of 16 bits, as in jmp and jaxamp: scale, factor, min_scale,
       max_scale, every new scale and the reciprocal are rounded to this dtype. Not with
       MPX_NO_DIALECTS. MPX_NONE: MPX_F32. */
    mpx_dtype state;
} mpx_loss_scale;
#define MPX_LOSS_SCALE_BYTES 56 /* of a saved state; 40 and 52 (older versions) load, too */

/* Compute the loss and the gradients of loss * scale. Write the scaled loss to *loss and the
   gradients to the call's scaled_grads. A status that is not MPX_OK ends the step. */
typedef mpx_status (*mpx_grad_fn)(mpx_loss_scale scale, float *loss, void *user);

/* A step of mpx_loss_scale_grad. */
typedef struct mpx_grad_call {
    mpx_grad_fn evaluate;         /* never NULL */
    mpx_tree grads, scaled_grads; /* as dst and src of mpx_loss_scale_unscale_tree; may be equal */
    mpx_tree aux;                 /* other results, checked for Inf and NaN; {0}: none */
    int redo_on_nan;              /* after a non-finite result, repeat the step with the adjusted
                                     scale, at most so many times */
    void *user;                   /* for evaluate */
    int check_loss;               /* 1: the loss too must be finite, as in value_and_grad */
} mpx_grad_call;
#define MPX_REDO_ON_NAN 10 /* jaxamp's default for value_and_grad; for grad it is 0 */

/* The last evaluation: its unscaled loss, whether all was finite; and the number of evaluations. */
typedef struct mpx_grad_result {
    float loss;
    int finite, evaluations;
} mpx_grad_result;

/* ---- precision by operation (AMP) ------------------------------ */

/* The precision that a rule gives to the floating operands of an operation: one of these values, or
   a floating dtype for all operands. Integers and bool are never cast.
   ORIGINAL: each operand keeps the dtype that it has without AMP. COMPUTE: the compute dtype.
   WIDEST: the widest dtype that any operand has without AMP, in the order f64, f32, bf16, f16; if
   none of these is there, as ORIGINAL. NO_RULE: cancels an earlier rule for the same key. */
enum { MPX_AMP_ORIGINAL = 0, MPX_AMP_COMPUTE = -1, MPX_AMP_WIDEST = -2, MPX_AMP_NO_RULE = -3 };

typedef struct mpx_amp mpx_amp;

/* An operand of one operation. */
typedef struct mpx_amp_operand {
    const void *data; /* count elements of dtype: read and replaced by mpx_amp_eager_cast only */
    size_t count;
    /* dtype: its dtype now; MPX_WEAK_...: a literal constant, never cast. plain: its dtype without
       AMP; MPX_NONE: the same as dtype. to: the answer, the dtype that it must have; if that is
       dtype, nothing is to be cast. */
    mpx_dtype dtype, plain, to;
    int keep; /* mpx_amp_eager_cast: 1: a weight, cast once until mpx_amp_eager_forget */
} mpx_amp_operand;

/* A rule of your own. Before the call operands[i].to is operands[i].dtype and *accumulate is
   MPX_NONE; set them. A status other than MPX_OK is returned to the caller. */
typedef mpx_status (*mpx_amp_fn)(const char *op, mpx_amp_operand *operands, size_t count,
                                 mpx_dtype *accumulate, const mpx_amp *amp, void *user);

/* The precision of one operation, or of all operations in a scope. {0}: no rule. */
typedef struct mpx_amp_rule {
    const char *key;      /* "matmul"; a scope's name; the scope "amp_default": all others */
    size_t key_length;    /* 0: to the NUL */
    int is_scope;
    int precision;        /* MPX_AMP_..., or a floating dtype */
    mpx_dtype accumulate; /* the dtype of sums; MPX_NONE: as precision says */
    mpx_amp_fn custom;    /* NULL: precision decides */
    void *user;           /* handed to custom */
} mpx_amp_rule;
/* mpx_amp_rule mine[] = { MPX_AMP_OP("softmax", MPX_F32), MPX_AMP_SCOPE("head", MPX_BF16) }; */
#define MPX_AMP_OP(name, precision) { name, 0, 0, precision, MPX_NONE, NULL, NULL }
#define MPX_AMP_SCOPE(name, precision) { name, 0, 1, precision, MPX_NONE, NULL, NULL }

/* MPX_AMP_INNERMOST_STOP: amp_stop overrides the scopes around it, too. MPX_AMP_RESTORE: a plan
   casts the graph's outputs back to the dtypes that they have without AMP. MPX_AMP_JAXAMP, as in
   jaxamp: complex operands are cast, too, which drops their imaginary parts; integers alone also
   get an accumulate dtype; any dtype is allowed; without f64, f32, bf16 and f16, MPX_AMP_WIDEST is
   the first operand's dtype without AMP, unless that is MPX_WEAK_...; operands of operations
   without a rule are not cast. */
enum { MPX_AMP_INNERMOST_STOP = 1, MPX_AMP_RESTORE = 2, MPX_AMP_JAXAMP = 4 };

/* Rules, and their settings. {0}: every operation stays as it is without AMP. */
struct mpx_amp {
    const mpx_amp_rule *rules; /* of two rules with one key, the later counts */
    size_t rule_count;
    mpx_dtype compute;         /* a policy's compute role; MPX_NONE: MPX_AMP_COMPUTE is _ORIGINAL */
    unsigned flags;            /* MPX_AMP_... */
    char separator;            /* of scopes in "encoder/attention"; 0: '/' */
};

/* What was decided for an operation. */
typedef struct mpx_amp_answer {
    const mpx_amp_rule *rule; /* the rule that decided; NULL: none, as MPX_AMP_ORIGINAL */
    size_t scope;             /* the scope it matched, 0 the outermost; SIZE_MAX: none */
    mpx_dtype accumulate;     /* of sums (JAX: preferred_element_type); MPX_NONE: as without AMP */
} mpx_amp_answer;

/* A weight that was cast, and where the result is. */
typedef struct mpx_amp_kept {
    const void *data;
    void *cast;
    size_t count;
    mpx_dtype from, to;
} mpx_amp_kept;

/* AMP for one operation at a time. Set amp, and the storage that you use: an array for names of
   active scopes; data and size of an arena that nothing else uses; an array for kept casts. */
typedef struct mpx_amp_eager {
    mpx_amp amp;
    const char **scopes; /* names must live until they are popped */
    size_t scope_capacity, scope_count;
    mpx_arena arena;     /* kept casts lie first, others last, until the next call */
    mpx_amp_kept *kept;
    size_t kept_capacity, kept_count;
} mpx_amp_eager;

/* Flags of a node. CONSTANT: a weight, whose casts are made once, not in every run. CAST: the node
   only casts its input to its dtype. FIXED: its result has its dtype, whatever the operands have.
   OUTPUT: its result is used outside the graph, as is every result that no node reads. ACCUMULATES:
   its result has the accumulate dtype (JAX: preferred_element_type). */
enum { MPX_AMP_NODE_CONSTANT = 1, MPX_AMP_NODE_CAST = 2, MPX_AMP_NODE_FIXED = 4,
       MPX_AMP_NODE_OUTPUT = 8, MPX_AMP_NODE_ACCUMULATES = 16 };

/* One operation of a graph. A node without inputs is an input of the graph, or a weight. */
typedef struct mpx_amp_node {
    const char *op, *scope; /* "matmul"; "encoder/attention", outermost first, NULL: none */
    const size_t *inputs;   /* the nodes whose results it reads */
    size_t input_count;
    mpx_dtype dtype;        /* of its result without AMP */
    size_t count;           /* elements of its result */
    unsigned flags;         /* MPX_AMP_NODE_... */
} mpx_amp_node;

/* Fill in node `index`. Strings and inputs must live until the next call. The nodes are asked for
   in order (mpx_amp_explain_node: only one), several times, and the answers must not change.
   Returns MPX_OK, or a status for the caller. */
typedef mpx_status (*mpx_amp_node_fn)(size_t index, mpx_amp_node *node, void *user);

/* A graph: nodes in the order in which they run. {0}: empty. See mpx_amp_graph_of_nodes. */
typedef struct mpx_amp_graph {
    mpx_amp_node_fn node;
    void *user;
    size_t count;
} mpx_amp_graph;

/* A cast to insert. Value i is the result of node i, value node_count + k that of cast k. */
typedef struct mpx_amp_planned_cast {
    size_t source; /* the value that is cast */
    mpx_dtype from, to;
    /* count: elements. before: the first node that needs it, even a removed one; the number of
       nodes: an output does. uses: inputs, casts and outputs that read it. */
    size_t count, before, uses;
} mpx_amp_planned_cast;

/* What became of a node. */
typedef struct mpx_amp_planned_node {
    const size_t *inputs; /* the values it reads, as many as it has inputs */
    /* dtype: of its result. store: the dtype in which everything reads the result, if that is one
       dtype, else dtype. A constant stored so needs no cast. */
    mpx_dtype dtype, store;
    int removed; /* 1: a cast that nothing reads any more */
    /* uses: inputs, casts and outputs that read its result. output: the value that has its result
       for others: the node itself or, with MPX_AMP_RESTORE, a cast or what a lossless one reads. */
    size_t uses, output;
    mpx_amp_answer answer;
    size_t input_count; /* of inputs */
} mpx_amp_planned_node;

/* A planned graph: pointers into the memory it was planned in. */
typedef struct mpx_amp_plan {
    const mpx_amp_planned_node *nodes;
    size_t node_count;
    const mpx_amp_planned_cast *casts; /* in the order in which they run */
    size_t cast_count;
    /* shared: inputs and outputs that use a cast made for another. skipped: inputs and outputs that
       read the source of a lossless cast instead of its result. removed: nodes that are not run. */
    size_t shared, skipped, removed;
    /* Bytes that one run reads and writes. before: by all nodes without AMP. after: by nodes and
       casts. fused: if nodes cast what they read themselves (outputs are still cast apart). once:
       by casts of constants, which are made once and not counted in the others. */
    uint64_t bytes_before, bytes_after, bytes_fused, bytes_once;
} mpx_amp_plan;

#if MPX_COMPUTE
/* ---- compute --------------------------------------------------- */

/* A function of one element; for products, it is applied to sums before they are stored. */
typedef enum mpx_activation {
    MPX_ACT_NONE,
    MPX_ACT_RELU,
    MPX_ACT_EXP,
    MPX_ACT_TANH,
    MPX_ACT_SIGMOID,
    MPX_ACT_SILU,     /* x * sigmoid(x) */
    MPX_ACT_GELU,     /* x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3)): the form with tanh */
    MPX_ACT_GELU_ERF, /* x * (1 + erf(x / sqrt(2))) / 2 */
    /* With MPX_USE_SLEEF; without it MPX_ERR_ARGUMENT. */
    MPX_ACT_LOG, MPX_ACT_SIN, MPX_ACT_COS, MPX_ACT_ERF, MPX_ACT_EXPM1,
    MPX__ACTIVATION_WIDTH = -0x7fffffff
} mpx_activation;

/* Options of the norms and their gradients. {0}: no weight, no bias, eps 1e-5. */
typedef struct mpx_norm_options {
    const void *weight, *bias; /* NULL: none; else as many elements of `type` as a row has */
    mpx_dtype type;
    float eps; /* 0: 1e-5 */
    float *dweight, *dbias; /* gradients: sums over rows are added to these; NULL: none */
} mpx_norm_options;

/* Which two elements of a head mpx_rotary turns as a point: i and i + dim / 2, as in GPT-NeoX and
   Hugging Face's Llama checkpoints; or 2 * i and 2 * i + 1, as in GPT-J and Meta's checkpoints. */
typedef enum mpx_rotary_pairs {
    MPX_ROTARY_HALVES,
    MPX_ROTARY_INTERLEAVED,
    MPX__ROTARY_PAIRS_WIDTH = -0x7fffffff
} mpx_rotary_pairs;

/* A matrix of weights, row after row. With {0} and data, type, rows and cols, it is dense. */
typedef struct mpx_matrix {
    const void *data;
    mpx_dtype type; /* of elements, 8 bits or more; not used if quantized */
    size_t rows, cols;
    size_t stride;   /* elements from row to row; 0: cols */
    mpx_quant quant; /* if its scheme is not 0, mpx_quantize made data; no stride */
} mpx_matrix;

/* {0}: no bias, no activation, on the calling thread. */
typedef struct mpx_matvec_options {
    const void *bias; /* NULL: none; else rows elements of bias_type, added to the sums */
    mpx_dtype bias_type;
    mpx_activation activation;
    mpx_parallel parallel; /* how rows are split for threads */
} mpx_matvec_options;

/* {0}: c = a * b. */
typedef struct mpx_matmul_options {
    int transpose_a, transpose_b; /* 1: the rows in memory are the columns of the matrix */
    int accumulate;               /* 1: c += a * b, which rounds c once more */
    const void *bias;             /* NULL: none; else as many elements as c has columns */
    mpx_dtype bias_type;
    mpx_activation activation;    /* after c and bias are added */
    size_t c_stride;              /* elements from row to row; 0: columns */
    void *workspace;              /* at least mpx_matmul_workspace bytes, any alignment */
    size_t workspace_size;
    const void *packed;           /* b as mpx_matmul_pack packed it; b.data is not read */
    mpx_dtype packed_for;         /* for packing and for use: the dtype of a; MPX_NONE: any */
    mpx_parallel parallel;        /* as many pieces as fit into the workspace */
} mpx_matmul_options;

/* How a step changes parameters p by gradients g. SGD: m = momentum * m + g, p -= lr * m. ADAM: m
   and v are running averages of g and of g * g, corrected for their start at 0; p -= lr * m /
   (sqrt(v) + eps). Weight decay adds weight_decay * p to g; with ADAMW it subtracts lr *
   weight_decay * p from p instead. */
typedef enum mpx_optimizer_kind {
    MPX_OPTIMIZER_ADAMW = 0, MPX_OPTIMIZER_ADAM, MPX_OPTIMIZER_SGD,
    MPX__OPTIMIZER_WIDTH = -0x7fffffff
} mpx_optimizer_kind;

/* {0} with an lr is AdamW without weight decay. Copy and store it freely. Numbers are doubles,
   because 1 - beta2 has few digits left in a float. */
typedef struct mpx_optimizer {
    mpx_optimizer_kind kind;
    int nesterov;                  /* SGD: 1: p -= lr * (g + momentum * m) */
    double lr;
    double beta1, beta2, eps;      /* ADAM, ADAMW; 0: 0.9, 0.999, 1e-8. For a beta of 0: 1e-300 */
    double weight_decay, momentum; /* momentum: SGD; 0: none, and m is not used */
    float loss_scale;              /* gradients are divided by it; 0: 1. As in mpx_loss_scale */
    float max_norm;                /* clips gradients, as mpx_tree_clip; 0: never */
    mpx_rounding rounding;         /* of parameters below 32 bits that have no master */
    uint64_t seed;                 /* for MPX_ROUND_STOCHASTIC; bits differ in each step */
    mpx_parallel parallel;         /* how updates are split; results stay the same */
    int64_t step;                  /* steps that were done */
    double norm;                   /* with max_norm: of the unscaled gradients of the last step done */
} mpx_optimizer;

/* The arrays of n parameters. If there is a master, it is the parameter, and param is a copy in
   fewer bits, or NULL. m and v: zeros before the first step; SGD has no v. */
typedef struct mpx_optimizer_arrays {
    void *param;
    float *master, *m, *v;
    const void *grad;
    size_t n;
    mpx_dtype param_type, grad_type;
    int no_decay; /* 1: without weight decay, as biases are */
} mpx_optimizer_arrays;

#if !MPX_NO_TREE
/* The same arrays as trees of one structure. {0}: no masters, no m, no v. Leaves of params that are
   not floating stay as they are, whatever the other trees have at their place. */
typedef struct mpx_optimizer_trees {
    mpx_tree params, masters, m, v, grads;
    mpx_keep_fn decays; /* whether a leaf of params has weight decay; NULL: all have */
    void *user;         /* for decays */
} mpx_optimizer_trees;
#endif

#if !MPX_NO_AMP
/* More flags of a node, for mpx_amp_run: the matrices of its first or second input are transposed. */
enum { MPX_AMP_NODE_TRANSPOSE_A = 32, MPX_AMP_NODE_TRANSPOSE_B = 64 };

/* A value of a graph that is run: `batch` matrices of rows * cols elements, one after the other.
   {0}: shape, dtype and memory follow from the plan. */
typedef struct mpx_amp_value {
    /* A node without inputs: its elements. Other nodes, and casts: where the result is written;
       NULL: to the memory of the run, which is reused when nothing reads the result any more. */
    void *data;
    mpx_dtype dtype; /* MPX_NONE: as planned; a node without inputs may have its `store` */
    size_t batch, rows, cols; /* 0, 0, 0: from the operation, or one row; batch 0: 1 */
    void *at;                 /* during the run: the elements. Private, with what follows */
    size_t begin, end, last;
} mpx_amp_value;

/* The argument of your operation: it reads values[inputs[0]].at ... and writes result->at. */
typedef struct mpx_amp_call {
    const mpx_amp_node *node; /* as the graph has it, with its scope, flags and count of inputs */
    const mpx_amp_value *values, *result;
    const size_t *inputs;
} mpx_amp_call;

/* Returns MPX_OK, or a status that ends the run and is returned to the caller. */
typedef mpx_status (*mpx_amp_op_fn)(const mpx_amp_call *call, void *user);
typedef struct mpx_amp_op {
    const char *name;
    mpx_amp_op_fn run;
    void *user;
} mpx_amp_op;

/* A planned graph, and the values and operations to run it. The plan must be of this graph. */
typedef struct mpx_amp_program {
    const mpx_amp_plan *plan;
    mpx_amp_graph graph;   /* read again: operations, flags and counts */
    mpx_amp_value *values; /* plan->node_count + plan->cast_count of them, numbered as in the plan;
                              dtypes and shapes that were not set are filled in */
    const mpx_amp_op *ops; /* operations of yours, which come before the header's */
    size_t op_count;
    mpx_parallel parallel; /* how products are split, into as many pieces as fit into the memory */
} mpx_amp_program;
#endif
#endif /* MPX_COMPUTE */

#if MPX_FILES
/* ---- files ----------------------------------------------------- */

/* safetensors; GGUF 2 and 3; NumPy's .npy 1 to 3; .npz, which is a zip archive of .npy files. */
typedef enum mpx_file_format {
    MPX_FORMAT_NONE = 0, MPX_FORMAT_SAFETENSORS, MPX_FORMAT_GGUF, MPX_FORMAT_NPY, MPX_FORMAT_NPZ,
    MPX__FILE_FORMAT_WIDTH = -0x7fffffff
} mpx_file_format;
#define MPX_FILE_RANK 8 /* dimensions of a tensor, at most */

/* One tensor of a file. To write one, set leaf, rank and shape; for GGUF blocks set also quant, and
   dtype to MPX_NONE. */
typedef struct mpx_file_tensor {
    mpx_leaf leaf;      /* path: its name, "" in .npy files. data: in the file's bytes, at any
                           address. count, dtype: elements, if this machine can read them as they
                           are; else bytes and MPX_U8 */
    mpx_dtype dtype;    /* of elements; MPX_NONE: see quant, or else type */
    mpx_quant quant;    /* GGUF: how its blocks are quantized */
    const char *type;   /* the file's name: "F8_E4M3", "<f4"; GGUF: ggml's, "Q5_K" */
    size_t rank;        /* dimensions; 0: one element */
    size_t shape[MPX_FILE_RANK]; /* the last varies fastest; GGUF files store it first */
    int swapped;        /* 1: other byte order; leaf is bytes */
    int fortran;        /* 1: NumPy: the first of shape varies fastest */
} mpx_file_tensor;

/* One entry of the metadata: a text, numbers, or texts. */
typedef struct mpx_file_meta {
    const char *key;    /* UTF-8 with a NUL */
    const void *data;   /* a text: UTF-8 (not checked in GGUF files), from safetensors with a NUL;
                           other data are as in GGUF files: see mpx_file_number and mpx_file_text */
    size_t count;       /* bytes of a text, else count of numbers or texts */
    size_t size;        /* bytes of data */
    mpx_dtype dtype;    /* of numbers, never 16-bit floats; MPX_NONE: text */
    int is_array;       /* 1: GGUF: an array, of any count; 0: one number or text */
} mpx_file_meta;

/* What a file holds: mpx_file_open fills it in, mpx_file_write writes it. */
typedef struct mpx_file {
    mpx_file_format format;
    uint32_t version;   /* GGUF, .npy. For writing, 0: GGUF 3; .npy is always version 1 */
    mpx_file_tensor *tensors; /* in the order of the header */
    size_t count;
    mpx_file_meta *metas;     /* safetensors, GGUF */
    size_t meta_count;
    size_t *cols;       /* for each tensor the last of its shape, or 1: for mpx_weights_options */
    void *memory;       /* what mpx_file_open was given: free it. cols, memory: not written */
} mpx_file;

/* Take the next `size` bytes of a file. tensor: the tensor whose data they are, or NULL. data: NULL
   if the leaf has no data: the callback then supplies all data of this tensor, little-endian. A
   status that is not MPX_OK ends the writing. */
typedef mpx_status (*mpx_file_write_fn)(const void *data, size_t size,
                                        const mpx_file_tensor *tensor, void *user);
#endif /* MPX_FILES */
