/*==================================================================*
 * MARK: api - every public function, by topic
 *   Arguments stand in this order: what is written, what is read, options, err. A function that
 *   reads a text or answers a question gives its answer through a pointer after its arguments,
 *   before err.
 *   No function allocates, does I/O, or uses errno or the locale. The only mutable static data are
 *   the default policy, which is one per thread, and with MPX_DISPATCH a byte. Any number of threads
 *   may call any functions at once, except mpx_isa_set. Pointers may be NULL where the comment says
 *   so or where n = 0. Any other NULL is the caller's mistake (MPX_ASSERT).
 *   Stack figures are for gcc 12 -O2 on x86-64 without AVX, rounded up, without callbacks. AVX2
 *   adds up to 1.0 KiB, AVX-512 up to 2.6 KiB. A function without a figure needs less than 512
 *   bytes.
 *==================================================================*/
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the library ----------------------------------------------- */

/* MPX_VERSION of the implementation. Compare it with the macro to find a wrong header. */
MPX_API int mpx_version(void);
/* The instruction set in use: "scalar", "sse2", "avx2", "avx512", "neon", "wasm" or "rvv". */
MPX_API const char *mpx_isa(void);
#if MPX_DISPATCH
/* With MPX_DISPATCH, for tests: use "sse2", "avx2" or "avx512" from the next call on; with
   MPX_COMPUTE also "avx512bf16" or "amx", which mpx_matmul adds to "avx512"; NULL: the best that
   the machine has. MPX_ERR_ARGUMENT, and no change, for another name or one that comes after the
   best in this order. Do not call it while other threads cast. */
MPX_API mpx_status mpx_isa_set(const char *isa);
#endif
/* The status in words: "unknown key". Never NULL; "unknown status" for any other number. */
MPX_API const char *mpx_status_string(mpx_status status);
/* The sentence for an error: "unknown dtype 'float61' at 2; expected a dtype such as f32, ...",
   "structures differ at leaf 3 'decoder/bias'", "not enough space; 12 bytes where 48 are needed".
   text   what was parsed, from its start (nothing behind the offending word is read); NULL leaves
          the word out, as for errors that are not of a text
   buf    size bytes, always NUL-terminated if size > 0; NULL if size = 0. Bytes outside ASCII print
          as \xHH.
   Returns the length of the whole sentence, as snprintf does. Stack 450 bytes. */
MPX_API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size);

/* ---- dtypes ---------------------------------------------------- */

/* The dtype that a word names: ml_dtypes' names ("bfloat16", "float8_e4m3fn"), the short names
   ("bf16", "f8e4m3fn"), those of jmp, eformer, Keras and Nx, and NumPy's typestrings with their
   byte-order mark ("<f4"). ASCII case is ignored (not of a package, as in torch.f32), blanks are
   not. `half` is f16. Words with several meanings are refused: f8, fp8, float, long, e4m3 and more.
   Returns   MPX_ERR_DTYPE, and *out stays as it was; MPX_ERR_EMPTY for an empty word (MPX_ERR_DTYPE
             in the dialect of one system).
   Source    the name tables of the five systems. f8_e4m3, as in eformer and safetensors, is e4m3fn;
             float8_e4m3 is not. */
MPX_API mpx_status mpx_dtype_parse(const char *name, mpx_dtype *out);
/* The same for len bytes that need no NUL, or with the exact table of one system: then case and
   aliases are that system's. MPX_DIALECT_EFORMER_PUT reads an empty word as MPX_NONE. Returns also
   MPX_ERR_ARGUMENT for an unknown dialect. err may be NULL. */
MPX_API mpx_status mpx_dtype_parse_n(const char *name, size_t len, mpx_parse_options opt,
                                     mpx_dtype *out, mpx_error *err);
/* "bfloat16": ml_dtypes' name; store this one. "" for MPX_NONE and numbers that are no dtype. */
MPX_API const char *mpx_dtype_name(mpx_dtype type);
/* "bf16": as policies print it. "" as above. */
MPX_API const char *mpx_dtype_short_name(mpx_dtype type);
/* Limits, bits and exponent bias, as NumPy's finfo and iinfo. All zero, with names "", for numbers
   that are no dtype. Stack 128 bytes. */
MPX_API mpx_dtype_facts mpx_dtype_info(mpx_dtype type);
/* 1 for the fifteen float formats, fp8, fp6 and fp4 included; else 0. */
MPX_API int mpx_dtype_is_floating(mpx_dtype type);
/* Bits per element, 2 to 128; 0 for numbers that are no dtype. */
MPX_API int mpx_dtype_bits(mpx_dtype type);
/* Bytes of n elements, packed if they have fewer than 8 bits; SIZE_MAX if size_t cannot hold it. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n);
/* The byte in which element i begins, from the array's start. For packed dtypes it is the byte that
   holds the lowest bit of the element, at bit i * bits % 8; an element of 6 bits may go on in the
   next byte. Casts can start at element i if i is a multiple of 8. SIZE_MAX beyond size_t. */
MPX_API size_t mpx_dtype_offset(mpx_dtype type, size_t i);

/* ---- casts ----------------------------------------------------- */

/* Cast n elements of src to dst. Each result is the correctly rounded value, rounded once, to
   nearest, ties to even. The bits are the same on every machine, with or without -ffast-math, in
   every flush-to-zero and rounding mode.
   dst, src   n elements of `to` / `from`; any alignment; may be equal if `to` is no wider than
              `from`, else must not overlap
   Floats     NaN keeps its sign, becomes quiet and keeps the leading payload bits that fit.
              Overflow gives Inf; in formats without Inf (e4m3fn, fnuz, e8m0) it gives NaN; in
              formats with neither (f6, f4) it gives the largest value. In f6 and f4, +NaN gives -0
              and -NaN +0. Subnormals are kept. fnuz has no -0. e8m0: nearest power of two, ties up;
              zero and negatives give NaN, as in ml_dtypes. If mpx_cast_with saturates, they and
              -Inf give 2^-127, so that a block of zeros has a scale.
   Integers   float to int truncates toward zero and saturates, NaN gives 0; int to int saturates;
              to bool is x != 0 (NaN is true). The same dtype on both sides copies bits.
   Returns    MPX_ERR_DTYPE if either is no dtype, or if one is complex and the other differs.
   Modes      Rounding and flush-to-zero modes are left as they were. So are the exception flags,
              except in the cases listed at MPX_KEEP_FLAGS. This holds for scaling, too.
   Stack      3450 bytes + MPX_TILE * 8
   Source     IEEE 754-2019 4.3.1, OCP OFP8 1.0 table 1, ml_dtypes for fnuz, f6 and f4. Where
              ml_dtypes rounds twice (f64 and integers to bf16 and fp8), mpx_cast does not. */
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n);

#if !MPX_NO_CAST_WITH
/* The same with options: rounding modes, saturation, layouts of packed dtypes, statistics.
   opt        NULL: as mpx_cast. Rounding and saturation apply to float targets, int_rounding to
              casts from floats to integers (by the slow exact codec, if it is not 0). The same
              dtype on both sides copies bits, whatever they say
   dst, src   may be equal as for mpx_cast if both layouts are packed; with statistics and one
              dtype, elements are then counted but not written
   Random     element i of the tensor uses 16 bits of a counter-based generator (opt->random_seed,
              opt->offset + i) and nothing else, so the bits are the same for any split, thread or
              instruction set. For targets below f32, f64 and integers of 32 bits and more are first
              truncated to f32, its last bit 1 if a bit was lost; the probability is that of the f32
   Returns    also MPX_ERR_ARGUMENT for an unknown mode or layout and, unless n is 0, for n that is
              no multiple of an even split block, or for a split layout of elements of 2 or 6 bits.
              Stack as mpx_cast + 2.6 KiB. */
MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                                 const mpx_cast_options *opt);
/* Cast between interleaved arrays: n items of `components` elements each. dst_stride and src_stride
   are the bytes from one item to the next. The bits are those of one mpx_cast of all elements.
   strides    at least components * element bytes, unless n < 2; components is 1 or more. Bytes
              between items are neither read nor written
   dst, src   may be equal if the strides are and `to` is no wider than `from`, else must not
              overlap; with statistics and one dtype, elements are then counted but not written
   Returns    also MPX_ERR_ARGUMENT for a stride too small or components = 0, MPX_ERR_DTYPE for
              dtypes of fewer than 8 bits. opt may be NULL; element k of item i counts as i *
              components + k. Stack as mpx_cast_with + MPX_TILE * 9. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype to, size_t dst_stride, const void *src,
                                    mpx_dtype from, size_t src_stride, size_t n, size_t components,
                                    const mpx_cast_options *opt);
#if !MPX_NO_VERTEX
/* Pack n vertices of floats (32 bits) for a graphics card, and unpack them. One table describes all
   attributes, for both directions, and one pass over memory does them all. An array of normalised
   integers is a vertex with one attribute.
   strides    bytes from one vertex to the next. Bytes that no attribute covers are neither read nor
              written; where attributes overlap, the later one is written last
   dst, src   any alignment; must not overlap
   Pack       rounds once, to nearest, ties to even. UNORM, SNORM: clamped first; NaN gives 0.
              UFLOAT11_11_10: negatives give 0; NaN and Inf stay; larger finite values give the
              largest. RGB9E5: clamped to 0 ... 65408; NaN gives 0; ties go up. With three
              components, the fourth field of UNORM10_10_10_2 and SNORM10_10_10_2 is 0. PLAIN: as
              mpx_cast
   Unpack     to the nearest float
   Returns    MPX_ERR_DTYPE for a dtype that is none, complex or of fewer than 8 bits, or for one
              with a format other than PLAIN; MPX_ERR_ARGUMENT for an unknown format, a number of
              components that it does not have, or an attribute that ends beyond its stride, unless
              n < 2. Nothing is written then. Stack as mpx_cast_strided + 448 bytes.
   Source     Vulkan 1.3; EXT_texture_shared_exponent. D3D11 rounds floats toward zero. */
MPX_API mpx_status mpx_vertices_pack(void *dst, size_t dst_stride, const void *src,
                                     size_t src_stride, size_t n, const mpx_attribute *attributes,
                                     size_t count);
MPX_API mpx_status mpx_vertices_unpack(void *dst, size_t dst_stride, const void *src,
                                       size_t src_stride, size_t n, const mpx_attribute *attributes,
                                       size_t count);
#endif
/* Round n floats to what a dtype can hold, and leave them floats: dst is src cast to `type` and
   back, without memory for the codes between.
   type       any dtype but complex; MPX_F32 copies bits
   dst, src   n floats (32 bits); may be equal; any alignment
   opt        as for mpx_cast_with, of which layouts and statistics are ignored; may be NULL
   Returns    MPX_ERR_DTYPE, MPX_ERR_ARGUMENT as mpx_cast_with. Stack as mpx_cast +
              MPX_TILE * 8 + 512 bytes */
MPX_API mpx_status mpx_round_to(float *dst, const float *src, size_t n, mpx_dtype type);
MPX_API mpx_status mpx_round_to_with(float *dst, const float *src, size_t n, mpx_dtype type,
                                     const mpx_cast_options *opt);
/* Convert fp8 between the OCP and the fnuz formats without rounding. The codes stay, so each value
   is halved on the way to fnuz and doubled on the way back: multiply (divide) the tensor's scale by
   2. MPX_F8E4M3FN <-> MPX_F8E4M3FNUZ, MPX_F8E5M2 <-> MPX_F8E5M2FNUZ. NaN becomes NaN, -0 becomes 0,
   Inf becomes NaN. The topmost fnuz codes, which the OCP format cannot hold, become its largest
   value.
   Returns   MPX_ERR_DTYPE for any other pair. dst may be src. */
MPX_API mpx_status mpx_f8_rebias(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                 size_t n);
#endif

#if !MPX_NO_STATS
/* The root mean squared error, over all elements (one without a finite source or result counts as
   0), and the signal-to-quantization-noise ratio in dB: 10 log10(sum_squares / sum_error_squares),
   999 if there is no error, 0 if there is an error but no signal. If a sum is 0 or Inf because
   double cannot hold it, max_error^2 or max_abs^2 takes its place. */
MPX_API double mpx_cast_stats_rms_error(const mpx_cast_stats *stats);
MPX_API double mpx_cast_stats_sqnr(const mpx_cast_stats *stats);
#endif

/* 1 if none of n elements is Inf or NaN in its own format (of complex numbers: both parts).
   Integers, bool and n = 0 are always finite. 0 for numbers that are no dtype. Correct under
   -ffast-math, too, because it checks bits. Stack as mpx_any_infinite. */
MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n);

/* 1 if one of n elements is Inf, whether or not others are NaN; else 0, also for numbers that are
   no dtype. Axon's loss scale checks gradients so: NaN passes.
   Stack 3700 bytes + MPX_TILE * 12 */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n);

#if !MPX_NO_REDUCE
/* *amax = the largest absolute value of n elements of a floating dtype, from which scales for
   narrow dtypes are computed. 0 for n = 0; NaN (0x7fc00000) if an element is NaN, else Inf if one
   is Inf. f64 is rounded to the nearest float.
   Returns   MPX_ERR_DTYPE if the dtype is not floating (complex is not), with *amax as it was.
             Stack as mpx_any_infinite. */
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax);
/* *sum = the sum of the squares of n elements of a floating dtype (of a complex dtype: of both
   parts), in double; 0 for n = 0. Its square root is the norm by which gradients are clipped.
   Order     element i is added to sum number i mod 16; then sums 8 apart are added, then those 4, 2
             and 1 apart. Each addition rounds once, to nearest, so the bits are the same on every
             machine. Squares of f32 and narrower are exact. A NaN gives NaN, else an Inf gives Inf
   Returns   MPX_ERR_DTYPE if the dtype is neither; *sum then is untouched. Stack as
             mpx_any_infinite. */
MPX_API mpx_status mpx_sum_squares(const void *data, mpx_dtype type, size_t n, double *sum);
#endif

/* dst = src * by, each product rounded once to `to`. Both dtypes must be floating, or both complex
   (each part is multiplied). NaN and overflow are as in mpx_cast: overflow gives NaN in e4m3fn. To
   saturate, scale into float32 and then use mpx_cast_with.
   dst, src   as for mpx_cast
   Returns    MPX_ERR_DTYPE for any other pair. Stack 4150 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_scale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                             float by);
/* dst = src / by, a true division rounded once to `to`, with overflow as in mpx_cast. In the same
   pass, *finite becomes 0 if a quotient is Inf or NaN, before or after it is rounded to `to`, else
   1.
   finite     may be NULL. Division by a power of two only changes exponents; any other is slow in
              plain C and from f64 to 16 bits. Stack 4150 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                               float by, int *finite);
#if !MPX_NO_REDUCE
/* The same, and *sum = mpx_sum_squares of the results in dst, while they are in the caches. */
MPX_API mpx_status mpx_unscale_squares(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, float by, int *finite, double *sum);
/* dst += src for n elements of a floating or complex dtype. Each sum is exact before it is rounded
   once, to nearest even, in every floating-point mode and under -ffast-math. Overflow is as in
   mpx_cast; subnormals are kept. A NaN stays but becomes quiet (that of dst, if both are); Inf -
   Inf gives +NaN; x - x gives +0.
   dst, src   any alignment; may be equal, else must not overlap
   MPI        has no bf16 and f16; this is the body of such an operation:

       static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type) {
           mpx_add(inout, in, (size_t)*count, MPX_BF16);
       }
       MPI_Op_create(add_bf16, 1, &op);

   Returns    MPX_ERR_DTYPE for any other dtype. Stack 3700 bytes + MPX_TILE * 16 */
MPX_API mpx_status mpx_add(void *dst, const void *src, size_t n, mpx_dtype type);
#endif

/* ---- quantization ---------------------------------------------- */
#if !MPX_NO_QUANT

/* Read from a text how a matrix is quantized: a format, then words and a number after slashes, in
   any order.
       int8 int4 int2             KERAS; uint8 uint4 uint2: LINEAR with zero points; a float dtype of
                                  8 bits but f8e8m0fnu: LINEAR; float8: f8e4m3fn
         /tensor /row /column     what shares a scale; /channel is /row; default /tensor
         /128 /128/down           blocks of 128 in a row, in a column. int4 and int2: blocks have
                                  zero points, as in Keras' int4/128
         /linear /zero            LINEAR in place of KERAS; with zero points
       mxfp8_e4m3 mxfp8_e5m2 mxfp6_e2m3 mxfp6_e3m2 mxfp4 mxint8
         /floor /even /ceil /rceil   the rule of scales (mpx_scale_rule); default /floor
       nvfp4                      /single: without a tensor scale
         /swizzled                for mx... too: scales in cuBLAS' order (mpx_quant_layout_of)
       q4_0 q4_1 q5_0 q5_1 q8_0 q4_k q5_k q6_k ggml_mxfp4 ggml_nvfp4   blocks of GGUF files
       none                       not quantized
   Case is ignored.
   Returns   MPX_OK; else *out is untouched and mpx_error_format explains the status: MPX_ERR_SCHEME
             (a word that is unknown, as a float that the build lacks is, or that the format does not
             take), _DTYPE (the build lacks the codes' dtype, nvfp4's scales' or, for GGUF, I8) */
MPX_API mpx_status mpx_quant_parse(const char *name, mpx_quant *out, mpx_error *err);
MPX_API mpx_status mpx_quant_parse_n(const char *name, size_t len, mpx_quant *out, mpx_error *err);
/* Print q so that it parses back to the same value. buf, size and the result as snprintf. 0 and an
   empty text if no text gives it: texts cannot set given, low, high, epsilon. Stack 600 bytes. */
MPX_API size_t mpx_quant_format(mpx_quant q, char *buf, size_t size);
#if !MPX_NO_POLICY
/* How Keras quantizes the kernels (matrices of inputs x outputs) of layers with this policy. int8,
   int4: KERAS, one scale per column; int4/128: blocks of 128 down a column; float8: LINEAR,
   F8E4M3FN; gptq, awq, ternary and none: {0}. */
MPX_API mpx_quant mpx_quant_of_policy(mpx_policy p);
#endif
/* The layout of a quantized matrix of rows x cols numbers, which are stored row after row; and its
   size alone. A tensor of more axes is treated as a matrix. For one scale for each index of the
   first axis: rows = that axis, cols = the product of the others, SCOPE_ROW. For the last axis:
   cols = that axis, SCOPE_COLUMN. For an axis in between: rows = the product of the axes up to it,
   SCOPE_ROW, which gives one scale for each combination of their indices.
   Codes      element i of the matrix is code i, packed below 8 bits
   Scales     MPX_F32, or MPX_F8E8M0FNU (MX), MPX_F8E4M3FN (NVFP4), in the order of the blocks, row
              after row
   Zeros      zero points of the element's dtype, in the low bits of bytes
   Swizzled   the scales of a matrix of blocks, padded with zeros to multiples of 128 rows and of 4
              columns. The scale of (row, block) is at tile * 512 + row % 32 * 16 + row % 128 / 32 *
              4 + block % 4; tiles of 128 rows and 4 blocks are counted row after row (cuBLAS, "1D
              block scaling factors layout")
   Returns    MPX_ERR_SHAPE if blocks do not divide a row, or a scale would have no elements;
              MPX_ERR_ARGUMENT, _DTYPE for an invalid q; MPX_ERR_SPACE for 2^28 elements or scales and
              more where size_t has 32 bits, 2^60 where it has 64. err (may be NULL) says what was
              found and what is needed. mpx_quant_bytes returns 0 then */
MPX_API mpx_status mpx_quant_layout_of(mpx_quant q, size_t rows, size_t cols, mpx_quant_layout *out,
                                       mpx_error *err);
MPX_API size_t mpx_quant_bytes(mpx_quant q, size_t rows, size_t cols);
/* Quantize a matrix, and dequantize it: any rows x cols floats, in the layout of
   mpx_quant_layout_of.
   dst, src   any alignment; must not overlap; dst has mpx_quant_bytes(q, rows, cols)
   src_type   a float dtype of 8 bits and more; f64 is rounded to f32 first. With KERAS without zero
              points, f16 and bf16: every step is rounded to that dtype, as in Keras. Numbers of f16
              that share a scale then all become 0 if none is above high / 65520 (0.0019 for I8, 0.0001
              for I4): their scale is Inf. LINEAR keeps them
   dst_type   a float dtype of 8 bits and more; values are computed in f32 and rounded once more
   NaN, Inf   KERAS, LINEAR to integers: NaN gives the zero point, or 0; a scale of elements with a
              NaN is NaN; codes saturate. MX: the scale of such a block is NaN. NVFP4: as LINEAR.
              GGUF: the scale is NaN or Inf; GGML_MXFP4: 2^126, Inf stays, NaN gives 0
   Zeros      zeros give zeros if codes can; their scale is finite, in KERAS if high / epsilon is
   Subnormals kept, in and out; no floating-point mode changes a bit
   Flags      none is raised, but as mpx_cast does from f64 and to and from f16
   Returns    what mpx_quant_layout_of does, MPX_ERR_DTYPE for other dtypes, MPX_ERR_UNSUPPORTED to
              quantize to Q4_K, Q5_K, Q6_K, GGML_NVFP4; nothing is written then. Stack 12800 bytes. */
MPX_API mpx_status mpx_quantize(void *dst, mpx_quant q, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols);
MPX_API mpx_status mpx_dequantize(void *dst, mpx_dtype dst_type, const void *src, mpx_quant q,
                                  size_t rows, size_t cols);
/* Floats of 8 bits with delayed scaling, as Keras' float8 layers train. A tensor is rounded with a
   scale from earlier steps, and its largest magnitude serves later steps. Keep one state for each
   input, kernel and gradient.

       float history[1024] = { 0 };
       mpx_float8_scale state = { MPX_F8E4M3FN, 1.0f, 0, history, 1024 };
       ... in every step:
       mpx_float8_step(x, x, n, MPX_BF16, &state);

   For codes instead of values: mpx_quantize with `given` and this scale, or 1 for 0 (from f32: the
   same codes). From the OCP to the fnuz format without rounding: mpx_f8_rebias, and twice the
   scale. */

/* dst = src rounded to the values that the state's codes can hold: src / scale, clipped to the
   largest finite value, rounded to state->dtype, times scale.
   dst, src   n elements of type; any alignment; may be equal, else must not overlap
   type       F32, F16 or BF16: the scale and every step are rounded to it, as in Keras
   NaN, Inf   NaN stays; Inf becomes the largest value. If the scale rounds to 0 in `type`, it still
              divides, as in Keras: 0 becomes NaN
   Returns    MPX_ERR_DTYPE, MPX_ERR_ARGUMENT (margin), nothing written; history is not read. Stack
              4500 bytes + MPX_TILE * 20 */
MPX_API mpx_status mpx_float8_round(void *dst, const void *src, size_t n, mpx_dtype type,
                                    const mpx_float8_scale *state);
/* Compute the new scale from the history. Then amax, which may be NaN or Inf, becomes the newest
   entry, and the oldest is dropped. scale = 1 / ((max / m) / 2^margin), where m is the largest of
   the history and max that of the dtype, each step rounded to f32; unless m is finite and above 0,
   scale = 1 / (1 / scale). It is the reciprocal of Transformer Engine's scale.
   Zero       if (max / m) / 2^margin is Inf, the scale becomes 0, as in Keras, and then reads as 1;
              if that is 0 or its reciprocal is Inf, the scale becomes Inf, and all values NaN
   Returns    MPX_ERR_DTYPE; MPX_ERR_ARGUMENT for a history of NULL or 0 entries, or a margin out of
              range; *state then is untouched */
MPX_API mpx_status mpx_float8_update(mpx_float8_scale *state, float amax);
/* A training step in one pass: mpx_float8_round with the old scale, then mpx_float8_update with the
   largest magnitude of src (mpx_amax; 0 for n = 0). Returns their errors, with nothing written.
   Stack as mpx_float8_round */
MPX_API mpx_status mpx_float8_step(void *dst, const void *src, size_t n, mpx_dtype type,
                                   mpx_float8_scale *state);
/* Save the state with its history as bytes for a checkpoint, and load it: little-endian, the same
   on every machine. Scale and magnitudes may be any numbers.
   bytes     mpx_float8_bytes(state->length) of them; 0 for a length of 0, or of 2^32 and more
   load      out->history has room for out->length entries, as many as were saved
   Returns   save: as mpx_float8_update, the bytes untouched. load: MPX_ERR_STATE, *out and its
             history untouched, unless bytes and size are exactly what save wrote; MPX_ERR_ARGUMENT
             if out has no history */
MPX_API size_t mpx_float8_bytes(size_t length);
MPX_API mpx_status mpx_float8_save(void *bytes, const mpx_float8_scale *state);
MPX_API mpx_status mpx_float8_load(mpx_float8_scale *out, const void *bytes, size_t size);
/* dst = src rounded to 2^bits levels from min to max: what a network in training sees of a
   quantized tensor. As TensorFlow's fake_quant_with_min_max_vars in Keras: the range is moved so
   that 0 is a level, values outside are clamped, and each step is rounded to f32.
   dst, src   n floats; may be equal, else must not overlap. NaN stays
   bits       2 to 16; narrow: 1: without the lowest level
   Returns    MPX_ERR_ARGUMENT for other bits, and unless min < max, and max - min, the reciprocal
              of a step and the moved min are finite. Stack 1000 bytes + MPX_TILE * 4 */
MPX_API mpx_status mpx_fake_quant(float *dst, const float *src, size_t n, float min, float max,
                                  int bits, int narrow);
#endif

/* ---- trees ----------------------------------------------------- */
#if !MPX_NO_TREE
/* For all functions of trees: only floating leaves are cast or scaled (complex ones are scaled part
   by part); the values of all others stay the same. err may be NULL. Functions that write walk the
   tree once to check and once to work. So if the check finds an error, or a walker fails in the
   first walk, nothing has changed. Stack figures include a cursor (36 words and a path) per
   tree. */

/* A leaf of data that may be constant. If it is, use the tree only as a source. */
MPX_API mpx_leaf mpx_leaf_of(const char *path, const void *data, size_t count, mpx_dtype type);
/* The tree of count leaves in an array. Casts in place change leaves[i].dtype. */
MPX_API mpx_tree mpx_tree_of_leaves(mpx_leaf *leaves, size_t count);
/* The tree of a C struct that fields describe. Its paths are built in the cursor and live until the
   next leaf. MPX_TREE_OF_STRUCT(&model, model_fields) counts the fields. */
MPX_API mpx_tree mpx_tree_of_struct(void *object, const mpx_field *fields, size_t field_count);

/* Make leaves of count tensors in one block of memory of one dtype. For dtypes of fewer than 8
   bits, offsets must be multiples of 8. leaves has room for count. */
MPX_API void mpx_leaves_of_tensors(mpx_leaf *leaves, const mpx_tensor *tensors, size_t count,
                                   void *memory, mpx_dtype type);
/* The tree of those leaves that filter->keep keeps. *filter must outlive it. keep is called on
   every walk and must give the same answers. */
MPX_API mpx_tree mpx_tree_where(const mpx_tree_filter *filter);
/* An arena over a caller's storage, nothing used yet. */
MPX_API mpx_arena mpx_arena_of(void *data, size_t size, mpx_leaf *leaves, size_t leaf_capacity);
/* Visit leaves one by one. Begin with a cursor of {0}. Returns 1: *leaf is the next leaf; 0: the
   end; a negative mpx_status: the walker failed, or the leaf is not valid. A path that the struct
   walker built lives until the next call. */
MPX_API int mpx_tree_next(const mpx_tree *tree, mpx_cursor *at, mpx_leaf *leaf);

/* Count leaves, elements and bytes, and the storage that casting the floating leaves to `to` would
   take (MPX_NONE: no leaf changes; only paths that the struct walker builds need storage).
   Returns   MPX_ERR_DTYPE if `to` is no dtype, or if it is not floating and a leaf is, as in all
             casts; MPX_ERR_SPACE if size_t overflows; a status of the walker. *size then is
             untouched. Stack 3600 bytes. */
MPX_API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                    mpx_error *err);

/* Cast every floating leaf in place. MPX_NONE does nothing. Leaves must not share memory: tied
   weights would be cast twice, or scaled twice; mpx_tree_where can leave one out.
   Returns   MPX_ERR_DTYPE as above; MPX_ERR_SPACE if a leaf is narrower than `to`;
             MPX_ERR_FIXED_DTYPE if the walker cannot change a leaf's dtype.
             Stack 4050 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_error *err);
/* *out = a new tree with every floating leaf in dtype `to`, such as policy.compute. Leaves that
   change are cast into the arena; the others, and paths, are shared with src, not copied. Only
   paths that the struct walker builds are copied into the arena.
   arena     mpx_tree_measure tells its size: storage bytes and leaves. Its used counters advance;
             the new leaves are arena->leaves[old leaves_used ...], in the order of the walk
   Returns   MPX_ERR_SPACE if the arena is too small, nothing written.
   Stack 4250 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_cast_into(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                      mpx_error *err);
/* The same, but leaves of 8 bits and fewer stay as they are, as in eformer's put_dtype. */
MPX_API mpx_status mpx_tree_put_dtype(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                      mpx_error *err);

/* Cast leaf to leaf between two trees of one structure (same paths, same counts): each leaf of dst
   gets the values of its src leaf in its own dtype. Use it to refresh a bf16 working copy. Leaves
   that are not floating must have equal dtypes. Leaves that both trees share (same data, same
   dtype) are skipped.
   widen     as cast, for copies that may be wider: bf16 back into float32
   Returns   MPX_ERR_WIDER (not widen) if leaves of dst are wider than those of src and none is
             narrower, since the trees then seem swapped; MPX_ERR_STRUCTURE; MPX_ERR_DTYPE;
             MPX_ERR_SPACE if a dst leaf is the src leaf's memory, but wider.
             Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_error *err);
MPX_API mpx_status mpx_tree_widen(mpx_tree dst, mpx_tree src, mpx_error *err);
#if !MPX_NO_CAST_WITH
/* The same with the options of mpx_cast_with. Leaves that are not floating are copied, whatever the
   layouts, and not counted in opt->stats. Shared leaves are counted but not written. Random bits
   and offset go on from leaf to leaf, as if the tree were one tensor.
   opt       NULL: as mpx_tree_cast. To saturate a whole tree: first mpx_tree_cast_into or
             mpx_policy_map_cast_into, which make dst, then this.
   Returns   also MPX_ERR_ARGUMENT, with the leaf in err, and if a dst leaf is the src leaf's memory
             in another dtype or layout and one is not packed; no leaf is changed then
   Stack     6200 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                      mpx_error *err);
#endif
/* As mpx_tree_cast, but all dtypes must be equal: bits are copied.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_error *err);
/* dst = pick_a ? a : b, for three trees of one structure with equal dtypes, as jmp's select_tree.
   dst may be a or b. Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_select(mpx_tree dst, mpx_tree a, mpx_tree b, int pick_a,
                                   mpx_error *err);

/* *finite = 1 if every leaf is finite (mpx_all_finite), 1 for an empty tree, else 0.
   Stack 4100 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_error *err);
/* *infinite = 1 if a leaf has an Inf (mpx_any_infinite), else 0.
   Stack 4200 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_error *err);
/* dst = src * by (scale) or src / by (unscale) for floating leaves, and for complex ones of equal
   dtypes, each element rounded once to the dtype of the dst leaf; other leaves are copied. dst may
   be src. In the same pass, unscale sets *finite (may be NULL) to 1 if every quotient is finite,
   else to 0. Returns as mpx_tree_widen.
   Stack 5450 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_error *err);
MPX_API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                    mpx_error *err);
#if !MPX_NO_REDUCE
/* The sum of squares of all floating and complex leaves: mpx_sum_squares of each leaf, added in the
   order of the walk, rounded each time. The second function unscales, too, in the same pass, and
   sums dst.
   Stack 5450 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_sum_squares(mpx_tree tree, double *sum, mpx_error *err);
MPX_API mpx_status mpx_tree_unscale_squares(mpx_tree dst, mpx_tree src, float by, int *finite,
                                            double *sum, mpx_error *err);
/* Clip by norm: dst = src * (max_norm / norm) if that factor is below 1, else as mpx_tree_widen.
   *norm, which may be NULL, becomes the norm of src: the root of mpx_tree_sum_squares, rounded to
   nearest. dst may be src.
   Factor    a float, from 24 bits of norm; below 2^-126 it has fewer digits. No epsilon is added to
             norm, as in optax and TensorFlow (PyTorch adds 1e-6): a factor below 1 never divides by
             0. Leaves are rounded, so the norm of dst may be slightly above max_norm
   NaN, Inf  if norm is NaN or Inf (for float64 leaves also if squares overflow) nothing is scaled,
             and *norm says so: skip the step. PyTorch would make all leaves NaN or 0
   max_norm  0 and up. With Inf and dst = src nothing is written; only *norm is computed
   Returns   MPX_ERR_ARGUMENT for a negative or NaN max_norm, and for -0; else as mpx_tree_widen.
   Stack 5600 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_clip(mpx_tree dst, mpx_tree src, float max_norm, double *norm,
                                 mpx_error *err);
#endif

/* MPX_ERR_NOT_FLOATING, with path and dtype in err, if a leaf is not floating, for the first such
   leaf. As jmp's warn_if_not_floating. Stack 1850 bytes. */
MPX_API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_error *err);
#if !MPX_NO_STATS
/* What would casting every floating leaf to `to` lose? One report for each leaf that would change,
   the worst first: by the share of values that overflow, or are NaN or Inf where `to` has none;
   then by the share that become zero; then by SQNR; then in the order of leaves. Nothing else is
   written. reports has room for capacity; if there are more leaves, the worst are kept.
   *count     reports written; untouched after an error, unlike reports
   Returns    MPX_ERR_DTYPE as mpx_tree_measure (MPX_NONE: MPX_OK, and no report), or a status of
              the walker.
   Time       one pass, as long as about ten casts. Stack 6300 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                    size_t capacity, size_t *count, mpx_error *err);
/* "conv1/kernel: float32 to float16: 1000 values up to 7.00e4, 3 overflow, 12 become zero, SQNR
   71.2 dB"; with "exact" at its end if every value is kept, NaN and Inf included. Arguments and
   result as mpx_error_format; the path is printed as it is. MPX_ERROR_TEXT_SIZE is enough. */
MPX_API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size);
#endif
#endif

/* ---- threads --------------------------------------------------- */
#if !MPX_NO_PARALLEL
/* mpx_cast_with and mpx_tree_cast, cut into pieces for your threads. Bits, status and err are the
   same, whatever the pieces, their order and their threads. Errors are found before a piece is run.
   run is called on the calling thread, and not at all if there is only one piece.
   Not split  casts with statistics (sums depend on the order), casts in place between different
              widths, and split layouts of fewer than 64 blocks
   Stack      as mpx_cast_with + 384 bytes, on every thread. opt may be NULL; with MPX_NO_CAST_WITH
              it must be NULL, else MPX_ERR_ARGUMENT is returned. */
MPX_API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                     size_t n, const mpx_cast_options *opt, mpx_parallel parallel);
#if !MPX_NO_TREE
/* Only the calling thread walks the trees. It calls run for up to 48 leaves at a time, which are
   cut as if they were one, so that many small leaves share a piece. A walker of yours must leave
   the data of every leaf in place until the call returns. A leaf that uses the memory of an earlier
   one (tied weights) waits until that is written. Stack 9150 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                          mpx_error *err);
#endif
#endif

/* ---- policies -------------------------------------------------- */
#if !MPX_NO_POLICY
/* Read a policy: "p=f32,c=bf16,o=f32", "bf16", "params=float32, compute=half", "<p=f32 c=bf16>",
   "mixed_float16" (Keras' name for p=f32,c=f16,o=f16). Keys: p params param, c compute, o output
   outputs; if one is repeated, the last counts. Roles that key=value text leaves out get a default:
   param float32, compute as param, output as compute. In the printed form <...> they stay unset.
   Keras     also quantized policies: "int8_from_float32", "int4/128_from_mixed_bfloat16" (blocks of
             128), "float8_from_float32", "ternary_from_float32", "gptq/4/128_from_bfloat16" and
             "awq/4/128_from_bfloat16" (bits and group size; -1: one a channel). After "_from_" any
             policy may stand, but in Keras' own dialect only one of its plain names; there "int8"
             alone is refused. Numbers are read as Python's int() does, in ASCII, up to 2^31 - 1
   Returns   MPX_ERR_DTYPE, _KEY, _MISSING_EQUALS, _EXTRA_EQUALS, _EMPTY, _SYNTAX, _PAIR, _MODE,
             _NUMBER, _RANGE, _UNSUPPORTED; _ARGUMENT for an unknown dialect. *out then is untouched
             and err (may be NULL) has the place. Reads to the NUL, or len bytes; linear time, no
             recursion. Stack 512 bytes. */
MPX_API mpx_status mpx_policy_parse(const char *text, mpx_policy *out, mpx_error *err);
MPX_API mpx_status mpx_policy_parse_with(const char *text, mpx_parse_options opt, mpx_policy *out,
                                         mpx_error *err);
MPX_API mpx_status mpx_policy_parse_n(const char *text, size_t len, mpx_parse_options opt,
                                      mpx_policy *out, mpx_error *err);
/* Print a policy so that it parses back to the same value: "p=f32,c=bf16,o=f32"; if roles are
   unset, Axon's short form "<c=bf16>", "<>"; if it is quantized, Keras' canonical name
   "int4/128_from_float32", and "float8/16_from_float32" if the history is not Keras' 1024. buf,
   size and the result as snprintf: the length needed, always NUL-terminated if size > 0. 0 and an
   empty text for values that no text gives: an invalid dtype, int8 with 4 bits. */
MPX_API size_t mpx_policy_format(mpx_policy p, char *buf, size_t size);
/* As one system prints it: jmp "p=full,c=bf16,o=f16", Axon "#Axon.MixedPrecision.Policy<c=bf16>",
   Keras "mixed_bfloat16". 0, and an empty text, if the system has no text for it. */
MPX_API size_t mpx_policy_format_with(mpx_policy p, mpx_dialect dialect, char *buf, size_t size);
/* A policy of three roles as a value; and 1 if two policies are the same, else 0. */
MPX_API mpx_policy mpx_policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output);
MPX_API int mpx_policy_equal(mpx_policy a, mpx_policy b);

#if !MPX_NO_KERAS
/* The policy, but with quantized weights: "int8" of mixed_bfloat16 is "int8_from_mixed_bfloat16".
   As Keras' layer.quantize(mode) and its classes, which take gptq and awq without numbers.
   mode      "int8", "int4", "int4/128", "float8", "float8/16", "ternary", "gptq/4/128",
             "awq/4/128"; err has the place in it
   Returns   MPX_ERR_MODE, _NUMBER, _RANGE; MPX_ERR_UNSUPPORTED if the source is already quantized,
             or computes in float16 and the mode is int8; *out then is untouched. */
MPX_API mpx_status mpx_policy_quantize(mpx_policy source, const char *mode, mpx_policy *out,
                                       mpx_error *err);
MPX_API mpx_status mpx_policy_quantize_n(mpx_policy source, const char *mode, size_t len,
                                         mpx_parse_options opt, mpx_policy *out, mpx_error *err);
#endif

#if !MPX_NO_DEFAULT_POLICY
/* The default policy, as Keras' set_dtype_policy: float32 for every role until it is set. Each
   thread has its own (with tcc: one for the whole program). For a scope: get it, set another, then
   set the first again. */
MPX_API mpx_policy mpx_default_policy_get(void);
MPX_API void mpx_default_policy_set(mpx_policy p);
/* p, or the default policy if p is unset (no role, no quantization). */
MPX_API mpx_policy mpx_policy_or_default(mpx_policy p);
#endif
#endif

/* ---- policies by path, and by op ------------------------------- */
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
/* An empty map over the caller's array of entries. Keys are paths or globs. fallback: the policy of
   paths that no key matches. Fields may be set: map.patterns = MPX_PATTERNS_EXACT. */
MPX_API mpx_policy_map mpx_policy_map_of(mpx_map_entry *entries, size_t capacity,
                                         mpx_policy fallback);
#if !MPX_NO_REGEX
/* The same as Keras' DTypePolicyMap has it: keys are paths or regular expressions. Keras'
   fallback is mpx_default_policy_get() when the map is built. */
MPX_API mpx_policy_map mpx_policy_map_keras(mpx_map_entry *entries, size_t capacity,
                                            mpx_policy fallback);
#endif
/* Add an entry. The key must live as long as the map, or map->keys must be an arena to copy it
   into. A key without wildcards is a path. A key with wildcards also matches the path that is equal
   to it.
   Returns   MPX_ERR_EXISTS, and the entry stays as it was (delete it first); MPX_ERR_SPACE if
             entries or map->keys are full; MPX_ERR_PATTERN for patterns that are not valid or need
             more than MPX_PATTERN_STEPS, with the place in the key in err (may be NULL);
             MPX_ERR_ARGUMENT for an unknown map->patterns. After an error nothing is taken from the
             arena. Stack 2600 bytes. */
MPX_API mpx_status mpx_policy_map_set(mpx_policy_map *map, const char *key, mpx_policy policy,
                                      mpx_error *err);
MPX_API mpx_status mpx_policy_map_set_n(mpx_policy_map *map, const char *key, size_t len,
                                        mpx_policy policy, mpx_error *err);
/* Remove the entry with exactly this key; others keep their order. MPX_ERR_MISSING: none has it. */
MPX_API mpx_status mpx_policy_map_delete(mpx_policy_map *map, const char *key);
/* 1 if there is an entry with exactly this key. */
MPX_API int mpx_policy_map_contains(const mpx_policy_map *map, const char *key);

/* The policy of a path: that of the entry whose key equals the path, else of the pattern that
   matches it, else the fallback. An entry that quantizes has {0}: see mpx_map_entry.quant.
   Returns   MPX_ERR_AMBIGUOUS if two patterns match and map->first_wins is 0; what map->match
             returned, if negative. *out then is untouched.
   Time      entries * (path + pattern), but most entries are skipped at once, because the path
             lacks their plain text. No pattern takes longer than its steps * path. Stack 3100
             bytes.
   Source    Keras 3.15 DTypePolicyMap.__getitem__. */
MPX_API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path, mpx_policy *out);
/* The index of the entry that decides; MPX_MAP_DEFAULT if none does. Stack 3100 bytes. */
MPX_API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index);
MPX_API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                         size_t *index);
/* The same as a sentence: "'ln1.w': 'ln*' decides: p=f32,c=f32,o=f32", "'wte': no key matches:
   ...", "'ln1.w': both 'ln*' and '*.w' match". buf, size and result as snprintf. Stack 3100
   bytes. */
MPX_API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
                                      size_t size);

/* Read a map from text and add it to *map. Keys are not copied: the text must live as long as the
   map, or map->keys must be an arena to copy them into.

       # a comment, to the end of the line
       default = p=f32,c=bf16,o=f32     the fallback
       patterns = glob                  or regex, search, hook, exact
       first_wins = 0                   or 1
       encoder/layer?.w = f16 saturate  path or pattern = policy; casts saturate if it says so
       "a path = so" = bf16             in quotes " ' or `: with = # and line ends; still a pattern
       lstm.* = int8/channel            a quantization, for mpx_weights_cast; none: the leaf stays

   A value is read by mpx_quant_parse if it is not a policy, or is a policy with integer parameters:
   int8 quantizes, bf16 and f8e4m3fn cast. The policy of such an entry is what it reads as, or {0};
   functions that only cast parameters return MPX_ERR_DTYPE for its leaves.

   The three settings, in lower case and without quotes, stand before all entries, also those that
   the map already has. A setting that is not given stays as it is.
   opt        grammar of the policies
   Returns    also what mpx_policy_map_set, mpx_policy_parse and mpx_quant_parse return;
              MPX_ERR_MISSING_EQUALS; MPX_ERR_EMPTY for a missing policy or key; MPX_ERR_QUOTE;
              MPX_ERR_ORDER for a setting after an entry, MPX_ERR_EXISTS for a second one;
              MPX_ERR_ARGUMENT for unknown map->patterns. The map then is as it was, but entries
              behind map->count may have changed. err (may be NULL) has the place in the text.
              Stack 2950 bytes. */
MPX_API mpx_status mpx_policy_map_parse(mpx_policy_map *map, const char *text, mpx_error *err);
MPX_API mpx_status mpx_policy_map_parse_n(mpx_policy_map *map, const char *text, size_t len,
                                          mpx_parse_options opt, mpx_error *err);
/* Print a map so that it reads back as the same, except that the policy of an entry with a
   quantization is not printed. buf, size and the result as snprintf. 0, and an empty text, if a key
   has all three quotes, a value has no text, or map->patterns is unknown. Stack 1000 bytes. */
MPX_API size_t mpx_policy_map_format(const mpx_policy_map *map, char *buf, size_t size);
/* The number of the line, from 1, of the place in err; text is what was parsed. */
MPX_API size_t mpx_error_line(const mpx_error *err, const char *text);

/* Add one entry for each layer: its path and its policy. Errors as mpx_policy_map_set, with the
   layer in err; the map then is as it was. Stack 2700 bytes. */
MPX_API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                             size_t count, mpx_error *err);
/* Give each layer the policy of its path. Errors as mpx_policy_map_get; err (may be NULL) then has
   the first layer with an error, and no layer is changed. Stack 3200 bytes. */
MPX_API mpx_status mpx_policy_map_apply(mpx_layer *layers, size_t count, const mpx_policy_map *map,
                                        mpx_error *err);
/* 1 if the filter takes the layer, else 0; MPX_ERR_ARGUMENT if the filter has more than one rule;
   what filter->select returned, if negative. NULL takes all. Source: Axon's apply_policy. */
MPX_API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer);
/* Replace the policy of all layers that the filter takes. Errors as above; no layer is changed then
   (the filter is asked twice). */
MPX_API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                           const mpx_layer_filter *filter);
#if !MPX_NO_TREE
/* One entry for each floating leaf: its path, and its dtype for all three roles. The paths must
   outlive the map, unless map->keys is an arena to copy them into. Paths that the struct walker
   builds do not last (MPX_ERR_ARGUMENT); mpx_tree_cast_into with MPX_NONE makes a tree whose paths
   do. Other errors as mpx_policy_map_set; the map stays as it was. Stack 3400 bytes. */
MPX_API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                           mpx_error *err);
/* Set `leaves` of each entry: how many floating leaves it decides. 0: the key is misspelt, or not
   for this tree. After an error they are unchanged. Stack 3600 bytes. */
MPX_API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                               mpx_error *err);
/* mpx_tree_measure, mpx_tree_cast_into and mpx_tree_cast_in_place with a map: each floating leaf
   gets the dtype that the policy of its path has for the role (MPX_ROLE_...), or stays as it is if
   that is unset. Refresh a copy with mpx_tree_cast.
   Returns   also MPX_ERR_AMBIGUOUS, or what map->match returned, with the leaf in err;
             MPX_ERR_ARGUMENT for an unknown role. Stack 4250 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                          mpx_tree_size *size, mpx_error *err);
MPX_API mpx_status mpx_policy_map_cast_into(mpx_tree *out, mpx_tree src, const mpx_policy_map *map,
                                            mpx_role role, mpx_arena *arena, mpx_error *err);
MPX_API mpx_status mpx_policy_map_cast_in_place(mpx_tree tree, const mpx_policy_map *map,
                                                mpx_role role, mpx_error *err);
#if !MPX_NO_STATS
/* What mpx_policy_map_cast_into would lose: see mpx_tree_dry_run. An Inf that saturates counts as
   overflowed if the dtype has Inf. Returns also as above. Stack 6300 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                          mpx_cast_report *reports, size_t capacity, size_t *count,
                                          mpx_error *err);
#endif
#endif
#endif

#if !MPX_NO_WEIGHTS
/* Cast all weights by one text: parse it, find the dtype of each leaf, ask for memory, cast.
   text       a policy or a quantization for all leaves ("bf16", "q8_0"), or a map ("lstm.* =
              f8e4m3fn saturate"); it must live as long as out->map. What can be read as both, such
              as "output = f16", is a policy
   src        is not changed; leaves that are not cast are not copied. Leaves with the same memory,
              count and dtype (tied weights) get one cast, if their policies agree
   Quantized  if opt->role is MPX_ROLE_PARAM: floats of 8 bits and more, as a matrix with rows of
              opt->cols[i] elements. The leaf of out->tree has dtype MPX_U8 and count bytes:
              mpx_dequantize(to, MPX_F32, leaf.data, weight.quant, weight.rows, weight.cols). A
              value more than half a step beyond the codes of its group counts as overflowed and
              saturated
   opt->grow  is called up to three times, with more or fewer bytes; without it, opt->block must
              hold all of them at once
   *out       is always written: call free(out->memory) after errors, too. It then has no leaves
   Threads    opt->parallel runs one task a leaf; bits and counts stay the same. It is called once,
              after all walks, if there is more than one leaf
   Returns    MPX_WARN_OVERFLOW, a warning: all is done, but finite values became Inf or NaN, in a
              leaf that does not saturate; err has the first such leaf and how many (`have`).
              MPX_ERR_SPACE: err->need is the bytes that it takes, as far as known. MPX_ERR_SHAPE: a
              leaf is not whole rows, or its rows are not whole blocks. Errors of mpx_policy_parse,
              mpx_policy_map_parse, mpx_policy_map_cast_into, mpx_quantize: no cast is made. Time:
              linear, and patterns * leaves. Stack 14450 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_weights_cast(mpx_weights *out, mpx_tree src, const char *text,
                                    const mpx_weights_options *opt, mpx_error *err);
/* Which leaves can stay at 16 bits if a model must fit in 4 MB? Given several casts of one tree,
   such as by "bf16", "q8_0" and "q4_0", choose one for each leaf, so that all take at most `budget`
   bytes. Every leaf begins with the first cast that made no finite value Inf or NaN; if all casts
   did, it stays at the last. Then, one at a time, the leaf moves on whose squared error grows least
   for each byte saved, but never to a cast that made Inf or NaN. Last, as long as the budget allows
   it, the leaf moves to an equal or larger cast whose squared error falls most for each byte.
   chosen     for each leaf i: use casts[chosen[i]].leaves[i]
   casts      by mpx_weights_cast with opt.sums, and opt.leave for formats that not all leaves can
              have. Tied weights share memory in all casts or in none, and get the same cast
   Returns    MPX_ERR_SPACE if the budget is too small: err->need is the least that is possible, and
              `chosen` says how; MPX_ERR_STRUCTURE if the casts differ in their number of leaves.
              Time: 64 * leaves * count^2, and leaves * count for each last move. Stack 400 bytes. */
MPX_API mpx_status mpx_weights_fit(size_t *chosen, const mpx_weights *casts, size_t count,
                                   size_t budget, mpx_error *err);
#endif

/* ---- loss scales ----------------------------------------------- */
#if !MPX_NO_LOSS_SCALE
/* float16 gradients below 2^-25 become zero. Multiplying the loss by a scale makes all gradients
   larger; they are divided by the scale before the update. A step: loss = scale(loss); backward;
   unscale, which says finite; if finite, update; s = adjust(s, finite). Ranks of a parallel run
   first combine the flag (and), so that their scales stay equal. */

/* No scaling: the scale is always 1. And a scale that never changes. */
MPX_API mpx_loss_scale mpx_loss_scale_noop(void);
MPX_API mpx_loss_scale mpx_loss_scale_static(float scale);
/* A scale that grows and shrinks, with jmp's defaults: period 2000, factor 2, min_scale 1 (0: no
   floor). Fields may be set: s.period = 200. */
MPX_API mpx_loss_scale mpx_loss_scale_dynamic(float initial_scale);
/* Axon's: the same rule, but unscale multiplies by the rounded reciprocal, and gradients count as
   finite unless one of them, still scaled, is Inf: NaN passes. */
MPX_API mpx_loss_scale mpx_loss_scale_axon(float initial_scale);
/* jaxamp's scaler, without limits, and that of Keras' optimizer. Both: period 2000, factor 2. */
MPX_API mpx_loss_scale mpx_loss_scale_jaxamp(float initial_scale);
MPX_API mpx_loss_scale mpx_loss_scale_keras(float initial_scale);
/* MPX_ERR_ARGUMENT for an unknown dialect, and for a configuration that cannot work: scale not
   positive and finite, period < 1, factor <= 1 or not finite, DYNAMIC's min_scale above scale or
   negative, max_scale below scale or not finite, hysteresis negative, misses not within it, a wrong
   state dtype. All numbers are first rounded to the state's dtype. The other functions accept any
   numbers and follow their formulas. */
MPX_API mpx_status mpx_loss_scale_check(mpx_loss_scale s);
/* The scale as a number: 1 for NoOp. */
MPX_API float mpx_loss_scale_value(mpx_loss_scale s);
/* One value: x * scale, x / scale, rounded once. */
MPX_API float mpx_loss_scale_scale(mpx_loss_scale s, float x);
MPX_API float mpx_loss_scale_unscale(mpx_loss_scale s, float x);
/* The state for the next step. grads_finite: 1 if all gradients of this step were finite, over all
   ranks. Same bits on every machine (IEEE products and quotients, computed with integers). DYNAMIC,
   finite: if counter == period - 1 and scale * factor is finite, scale *= factor; counter =
   (counter + 1) mod period. Not finite: scale = max(min_scale, scale / factor); counter = 0. A
   float16 scale ends at 32768, since twice that is not finite. Source: jmp 0.0.4. For every rule:
   the scale does not grow beyond max_scale; with a hysteresis of h, the first h - 1 non-finite
   steps since the last full period of finite steps leave the scale as it is, even if they do not
   follow each other. Source: Megatron-LM's DynamicGradScaler. */
MPX_API mpx_loss_scale mpx_loss_scale_adjust(mpx_loss_scale s, int grads_finite);
/* 1 if a non-finite step cannot lower the scale any more (at min_scale, zero, Inf or NaN): then the
   run diverges for another reason than overflow. Always 0 for NoOp and STATIC. */
MPX_API int mpx_loss_scale_is_stuck(mpx_loss_scale s);
/* Save the state as MPX_LOSS_SCALE_BYTES bytes for a checkpoint, and load it bit for bit:
   little-endian, the same on every machine.
   Returns   save: MPX_ERR_ARGUMENT, the bytes untouched, for an invalid kind, dialect or state;
             numbers may be any. load: MPX_ERR_STATE, *out untouched, unless the bytes are exactly
             what save wrote, or the 40 or 52 that older versions wrote. */
MPX_API mpx_status mpx_loss_scale_save(mpx_loss_scale s, void *bytes);
MPX_API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out);
/* mpx_scale and mpx_unscale by the loss scale; s.dialect may change the division.
   Stack 4250 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_loss_scale_scale_n(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                          size_t n, mpx_loss_scale s);
MPX_API mpx_status mpx_loss_scale_unscale_n(void *dst, mpx_dtype to, const void *src,
                                            mpx_dtype from, size_t n, mpx_loss_scale s,
                                            int *finite);
#if !MPX_NO_TREE
/* mpx_tree_scale and mpx_tree_unscale by the loss scale; s.dialect may change the division. NoOp
   copies, and checks. Stack 5550 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_loss_scale_scale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                             mpx_error *err);
MPX_API mpx_status mpx_loss_scale_unscale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                               int *finite, mpx_error *err);
/* Do a step: call->evaluate with *scale; unscale the gradients by the same scale; adjust the scale
   by whether the gradients, the auxiliary values and, with check_loss, the loss are all finite. If
   they are not, repeat with the adjusted scale, at most redo_on_nan times. So a success after k
   failures leaves scale / factor^k, but for hysteresis and min_scale. The last result stays, finite
   or not.
   result    may be NULL. If leaves have no gradient, give trees that mpx_tree_where has filtered
   Returns   what evaluate or mpx_loss_scale_unscale_tree returned; *scale and *result then are
             untouched, but gradients may be written. Stack 5900 bytes + MPX_TILE * 12.
   Source    jaxamp 0.0.4, dynamic_scale_grad and dynamic_scale_value_and_grad. */
MPX_API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                       mpx_grad_result *result, mpx_error *err);
#endif
#endif

/* ---- other systems --------------------------------------------- */
#if !MPX_NO_INTEROP
/* The number that a system uses for a dtype, in its files and structs.
   Returns   MPX_ERR_DTYPE, *code untouched, if there is none (safetensors, NumPy, JAX, Keras, MLIR,
             WebNN, WGSL and MPI have only names); MPX_ERR_ARGUMENT for an unknown `system`.
   Source    each system's own header or schema, named in the table of the room interop. */
MPX_API mpx_status mpx_interop_code(mpx_system system, mpx_dtype type, int64_t *code);
/* The dtype that a system means by a number. IREE's integers without a sign (0x10......), which its
   tools write, are read as signed ones. Results as above. */
MPX_API mpx_status mpx_interop_dtype(mpx_system system, int64_t code, mpx_dtype *out);
/* The name that a system uses for a dtype; "" if there is none (both TFLites, PyTorch's exporter,
   IREE and Vulkan have only numbers). It lives as long as the program. */
MPX_API const char *mpx_interop_name(mpx_system system, mpx_dtype type);
/* The dtype that a system means by a name. Names are exact, with their case: those of
   mpx_interop_name, and MLIR's si8 (its i8) and CUDA_R_8F_UE4M3. NumPy's "<V1" and "<V2" are
   refused, because they do not say which dtype their bytes have. err may be NULL.
   Returns   MPX_ERR_DTYPE, *out untouched and the whole name in err; MPX_ERR_EMPTY;
             MPX_ERR_ARGUMENT for an unknown `system`. */
MPX_API mpx_status mpx_interop_parse(mpx_system system, const char *name, mpx_dtype *out,
                                     mpx_error *err);
MPX_API mpx_status mpx_interop_parse_n(mpx_system system, const char *name, size_t len,
                                       mpx_dtype *out, mpx_error *err);
/* The same for DLPack, which needs bits and lanes beside its number. To DLPack: one lane, packed
   below 8 bits. From DLPack: one lane, or PyTorch's pair of 4-bit floats (17, 4, lanes 2), which
   counts as two elements. MPX_ERR_DTYPE for all else. Source: dlpack.h 1.1. */
MPX_API mpx_status mpx_interop_dlpack(mpx_dtype type, mpx_dlpack *out);
MPX_API mpx_status mpx_interop_dlpack_dtype(mpx_dlpack format, mpx_dtype *out);
/* The dtype that a misspelt word of len bytes probably means: that of the nearest name, among all
   names and aliases here and in other systems. A name is near if it is one edit away (words of 3
   and 4 bytes) or two (5 to 24 bytes). An edit adds, drops or changes a letter, or swaps two; case
   is ignored. MPX_NONE if no name is near, if two dtypes are equally near, if the word is ambiguous
   (mpx_dtype_parse), or if it begins with one of NumPy's byte-order marks < > | =. Stack 320
   bytes. */
MPX_API mpx_dtype mpx_dtype_suggest(const char *word, size_t len);
#endif

#if !MPX_NO_PROMOTE
/* The dtype of the result of an operation on these dtypes, to which its operands are promoted: f16
   and bf16 give f32, i32 and bf16 give bf16. All operands, in any order, are promoted at once: u64,
   i8 and f16 give f16, though u64 and i8 alone give f64. MPX_WEAK_INT, _FLOAT and _COMPLEX are
   literal constants: they take the width of the other operands, so bf16 with a weak float gives
   bf16.
   dialect   MPX_DIALECT_ANY, _JMP, _EFORMER, _EFORMER_PUT: JAX's lattice with x64 enabled; if only
             weak operands or integers give a float (u64 with i64, i8 with a weak float) it is f64.
             MPX_DIALECT_KERAS, _KERAS_CLASS: results of 64 bits become 32, complex128 complex64;
             MPX_NONE and n = 0 are float32; fp8 and dtypes of fewer than 8 bits are refused.
   Returns   MPX_ERR_DTYPE, *out untouched, if there is no such dtype (fp8, fp6, fp4 with another
             float; integers below 8 bits with another integer or a float) or an operand is no
             dtype; MPX_ERR_ARGUMENT if n = 0 (not in Keras), or for MPX_DIALECT_AXON, whose rules
             differ.
   Source    jax/_src/dtypes.py _type_promotion_lattice, keras/src/backend/common/dtypes.py. */
MPX_API mpx_status mpx_dtype_promote(const mpx_dtype *types, size_t n, mpx_dialect dialect,
                                     mpx_dtype *out);
#endif

/* ---- precision by operation (AMP) ------------------------------ */
#if !MPX_NO_AMP
/* AMP decides what to cast for an operation, by its name and by the scopes that it runs in. The
   first of these that has a rule decides: every scope from the outermost to the innermost, the
   operation, amp_default. Without a rule it is as by `original`. amp_stop is a scope as any
   other. The header decides for single operations (mpx_amp_ask, mpx_amp_eager_...) or plans a whole
   graph (mpx_amp_plan_graph). It runs no operations, except in mpx_amp_run with MPX_COMPUTE.
   Source: jaxamp 0.0.4 _amp.py. Unlike there, integers and complex are never cast (without
   MPX_AMP_JAXAMP). */

/* jaxamp's default table. add, sub, dot_general, conv_general_dilated: compute; exp, log, mul, div:
   float32; amp_stop and amp_default: original. *count (may be NULL): how many rules. */
MPX_API const mpx_amp_rule *mpx_amp_default_rules(size_t *count);
/* Read rules: "matmul=compute, softmax=f32, scope:head=original". Rules end at , ; or the line's
   end; # begins a comment; empty rules are skipped.
   key       the operation; or scope:name; amp_stop, amp_default and default are scopes; op:name
             makes any word an operation. Case counts
   value     compute, original (orig), widest, or a floating dtype; then, if sums need another
             dtype, acc and that dtype: "matmul=bf16 acc f32"
   default   alone: the default table, followed by your changes
   !key      alone: no rule for this key, whatever stands before
   rules     room for capacity; keys point into text, which must live as long
   *count    rules written; the default table counts all of its rules
   Returns   MPX_ERR_RULE, _PRECISION, _MISSING_EQUALS, _EXTRA_EQUALS, _SPACE (at the rule that does
             not fit); rules and *count then are untouched and err (may be NULL) has the place.
             Stack 640 bytes. */
MPX_API mpx_status mpx_amp_rules_parse(const char *text, mpx_amp_rule *rules, size_t capacity,
                                       size_t *count, mpx_error *err);
MPX_API mpx_status mpx_amp_rules_parse_n(const char *text, size_t len, mpx_amp_rule *rules,
                                         size_t capacity, size_t *count, mpx_error *err);
/* Print rules as text that reads back, except custom rules, which print as key=custom. buf, size
   and the result as snprintf. 0, and an empty text, if a key is empty, has blanks around it or
   contains , ; # = or a line's end, or if a dtype is not floating. */
MPX_API size_t mpx_amp_rules_format(const mpx_amp_rule *rules, size_t count, char *buf,
                                    size_t size);
/* Find the casts that one operation needs: operands[i].to, and *answer (may be NULL).
   op        its name; NULL: none
   scope     "encoder/attention", outermost first (amp->separator); NULL or "": none
   Returns   MPX_ERR_DTYPE for invalid dtypes of operands and for rules or a compute dtype that are
             not floating; what a custom rule returned; MPX_ERR_ARGUMENT with MPX_AMP_JAXAMP for the
             widest of no operands. Then *answer is untouched and every operands[i].to is
             operands[i].dtype. Time: names * rules. Stack 1500 bytes. */
MPX_API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                               mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer);

/* Enter a scope, or leave the innermost. The name must live until then. It is one name, even if it
   contains the separator: "a/b". MPX_ERR_SPACE if the array is full, MPX_ERR_SCOPE if there is no
   scope to leave; nothing changes then. */
MPX_API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope);
MPX_API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run);
/* mpx_amp_ask in the active scopes. Stack 1500 bytes. */
MPX_API mpx_status mpx_amp_eager_ask(const mpx_amp_eager *run, const char *op,
                                     mpx_amp_operand *operands, size_t count,
                                     mpx_amp_answer *answer);
/* The same, and cast: operands[i].data and .dtype become what the operation takes, and .plain keeps
   the earlier dtype. Operands that need no cast are not copied. A cast lives until the next call,
   whose operand it may be. Operands with keep = 1, such as weights, are cast once and later found
   by data, count and dtypes, until mpx_amp_eager_forget.
   Returns   also MPX_ERR_SPACE if the arena or run->kept is full, MPX_ERR_DTYPE for a cast that
             mpx_cast does not do; run, *answer, data and dtypes then are as before. Time: also
             operands to keep * (kept + operands). Stack as mpx_cast_strided + 448. */
MPX_API mpx_status mpx_amp_eager_cast(mpx_amp_eager *run, const char *op, mpx_amp_operand *operands,
                                      size_t count, mpx_amp_answer *answer);
/* Call it when weights have changed: it drops all kept casts and frees their storage. */
MPX_API void mpx_amp_eager_forget(mpx_amp_eager *run);

/* The graph of count nodes in an array. */
MPX_API mpx_amp_graph mpx_amp_graph_of_nodes(const mpx_amp_node *nodes, size_t count);
/* *size = the bytes of memory that planning this graph takes.
   Returns   MPX_ERR_CYCLE for a node that reads one that does not come before it, MPX_ERR_DTYPE for
             a node with an invalid dtype, MPX_ERR_ARGUMENT for MPX_AMP_NODE_CAST without exactly
             one input and for inputs that are NULL, MPX_ERR_SPACE if size_t overflows, or what the
             callback returned; err (may be NULL) names the node, *size is untouched. Stack 1750
             bytes. */
MPX_API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_error *err);
/* Plan where casts go, and what that saves. A value is cast to a dtype once, before the first node
   that needs it; later nodes share that cast. If the graph itself has a lossless cast (f16 to f32),
   nodes that need another dtype use its source, and the cast is removed once nothing reads it. A
   result whose dtype was that of the operands without AMP gets the dtype that they now have (f16
   and bf16: f32); other results keep their dtype.
   memory    size bytes, from mpx_amp_plan_size, any alignment; the plan lives there
   graph     read, like amp, only here and by mpx_amp_explain; rules must live as long as the plan
   Returns   as mpx_amp_plan_size and mpx_amp_ask, and MPX_ERR_STRUCTURE if the callback gives more
             inputs than before; *plan is untouched. Time is linear, except for the rules
             (mpx_amp_ask). Stack 1900 bytes and the callback's. */
MPX_API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                      size_t size, mpx_amp_plan *plan, mpx_error *err);
/* Print the plan as a table: for each node a line with its operation, scope, deciding rule,
   operands (f32>f16: cast) and result; then the bytes that are moved. buf, size and the result as
   snprintf. _node: the line of one node, without its end; an empty text if there is no such node. A
   node that the graph now lacks or refuses, or with another number of inputs, is printed as ?.
   Stack 1600 bytes. */
MPX_API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
                               size_t size);
MPX_API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                    char *buf, size_t size);
#endif

#if MPX_COMPUTE
/* ---- compute, with MPX_COMPUTE --------------------------------- */

/* The last bits of compute depend on the instruction set and -ffast-math. Without float vectors its
   error bounds are those of rounding to nearest with subnormals; other modes exceed them.
   Products are added in f32, in several partial sums at once. Their number depends on the
   instruction set and, as four rows are read at a time, on the number of rows; so do the last bits.
   Error bound, underflow aside: n * 2^-24 * the sum of |a[i] * b[i]|; of Q4_1, Q5_1, Q4_K and Q5_K,
   twice the minimum of its group is added to |a[i]|.
   i8 weights, and quantized weights whose codes are multiplied as integers: x is first rounded to
   16 bits, no finer than 2^-126, which adds 2^-15 * the sum of |w[i]| * the largest |x| of 1536
   elements; an Inf or NaN in x then gives NaN. Scales from 2^101 on can give Inf or NaN, and so can
   x from 2^90 on that small scales would bring back into range. The caller's floating-point modes
   change nothing, except in plain C and, but for mpx_matmul, with x87. Data may have any dtype of 8
   bits and more that is not complex; f64 and integers of 32 bits and more are rounded to f32
   first. */

/* The dot product: the sum of a[i] * b[i]. NaN for any other dtype. Stack 27450 bytes. */
MPX_API float mpx_dot(const void *a, mpx_dtype a_type, const void *b, mpx_dtype b_type, size_t n);
/* y = w * x: y[r] is the dot product of row r of w with x.
   y        rows elements of y_type, a float; must not overlap w and x
   w        rows * cols elements; x: cols elements
   Returns  MPX_ERR_DTYPE for any other dtype; MPX_ERR_SPACE if size_t overflows. Nothing is written
            then. Stack 27450 bytes. */
MPX_API mpx_status mpx_matvec(void *y, mpx_dtype y_type, const void *w, mpx_dtype w_type,
                              const void *x, mpx_dtype x_type, size_t rows, size_t cols);
/* The same with quantized weights, a stride, a bias, an activation and threads.
   opt      may be NULL
   Fast     weights that are read as they are: f32, f16, bf16, f8e4m3fn, f8e5m2, i8; with one scale,
            one a row, or one for 32, 64, 128 ... elements of a row: i8, i4, floats of 8 bits, and
            i8, u8, i4, u4 with zero points (Keras' formats, too); MXFP8, MXFP4, NVFP4; GGUF's blocks
            but GGML_NVFP4. All others are first cast to f32, as are with SSE2 weights of 4 bits but
            Q4_0, Q4_1 and Q4_K, and without float vectors (plain C, ARMv7, RVV) all but f32
   Returns  what mpx_matvec and mpx_quant_layout_of return, MPX_ERR_ARGUMENT for an unknown
            activation or a wrong stride, MPX_ERR_UNSUPPORTED for a quantized w under MPX_NO_QUANT.
            Stack 27200 bytes. */
MPX_API mpx_status mpx_matvec_with(void *y, mpx_dtype y_type, mpx_matrix w, const void *x,
                                   mpx_dtype x_type, const mpx_matvec_options *opt);
/* c = a * b: a has m rows and k columns, b has k rows and n columns; with a bias, an activation and
   transposed operands. Sums are in f32 for every dtype, and are rounded once to c.
   c        m rows of n elements of c_type, a float; must not overlap a and b
   a, b     any matrices, also quantized; b is dequantized as it is packed
   opt      has the workspace, so it may not be NULL
   Packed   pack a b that is used often, such as weights, once: dst has mpx_matmul_packed_bytes,
            about 4 an element, at a multiple of 4. Its format depends on the instruction set
   Pairs    with MPX_BF16_DOTS (0 or 1; 1 for AArch64 with BF16, -march=znver4 or later, AMX and
            MPX_DISPATCH) and an instruction for it, two matrices of bf16, or of 8 bits and not
            quantized, are multiplied in pairs: the error bound is twice that of mpx_dot, and
            subnormal bf16 and sums count as zero. A packed b needs packed_for for this; it then has
            about 2 bytes an element, and any other a gives MPX_ERR_DTYPE
   AMX      on x86-64 Linux, with -mamx-bf16 and -mavx512bf16, or MPX_DISPATCH: each call asks the
            system for it, by arch_prctl. If that is refused, products are of f32 or, for a b that
            is packed in pairs, by the instruction of AVX-512. Fastest with a and a packed b at
            multiples of 64 bytes
   Dispatch gcc and clang from 12 on multiply in pairs with AMX, or on a Zen 4 and later
   Threads  pieces are slabs of 256 columns; with a packed b, up to 144 rows of a slab. So up to 256
            columns of a b that is not packed are one piece. The grain is ignored. Bits stay the
            same
   Returns  MPX_ERR_SHAPE if a and b do not fit each other, MPX_ERR_SPACE for too small a workspace
            (its size is never 0, unless b is refused), and what mpx_matvec_with returns. Stack
            16700 bytes. */
MPX_API mpx_status mpx_matmul(void *c, mpx_dtype c_type, mpx_matrix a, mpx_matrix b,
                              const mpx_matmul_options *opt);
MPX_API size_t mpx_matmul_workspace(mpx_matrix b, const mpx_matmul_options *opt);
MPX_API size_t mpx_matmul_packed_bytes(mpx_matrix b, const mpx_matmul_options *opt);
MPX_API mpx_status mpx_matmul_pack(void *dst, mpx_matrix b, const mpx_matmul_options *opt);

/* dst[i] = act(src[i]), computed in f32 and rounded once more if dst is not f32; NaN stays NaN. And
   the gradient, dx[i] = dy[i] * act'(x[i]), where act' of relu is 0 at 0. MPX_ACT_NONE: mpx_cast.
   dst      n elements of dst_type; may be src, and dx may be x or dy, if both have equally many
            bits
   Error    in units of the last place of f32: exp 1.1, tanh 1.4, sigmoid and silu 3, gelu_erf 7,
            gelu 7 from -2 on and 300 below. Derivatives: exp 1.1, tanh and sigmoid 5, the others 4,
            or 4 * 2^-24 if they are below 1 / 2. Every bf16 or f16 input gives the nearest result
            or, rarely, its neighbour (bf16: one input of silu' and one of gelu', f16: at most 13)
   SLEEF    with MPX_USE_SLEEF: log, sin, cos, erf, expm1 and their derivatives. The log of a
            negative number, and sin and cos of Inf, are NaN. Error 1.0; erf below 2^-120 2.1, its
            derivative 2.5. f16: at most 4 inputs give the neighbour of the nearest result
   Returns  MPX_ERR_DTYPE for dtypes that are no floats of 8 bits and more, MPX_ERR_ARGUMENT for an
            unknown activation or one that this build lacks. Stack 8900 bytes, and SLEEF's. */
MPX_API mpx_status mpx_activate(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n, mpx_activation act);
MPX_API mpx_status mpx_activate_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                     const void *x, mpx_dtype x_type, size_t n, mpx_activation act);
#if MPX_USE_SLEEF
/* dst[i] = x[i] to the power y[i], with MPX_USE_SLEEF. Special values are those of C's pow: 1 to
   any power and anything to the power 0 are 1, even with NaN; a negative x gives NaN unless y is
   whole.
   dst      n elements of dst_type; may be x or y, if both have equally many bits
   Error    1.0 units of the last place
   Returns  MPX_ERR_DTYPE for dtypes that are no floats of 8 bits and more. Stack as mpx_activate,
            and SLEEF's. */
MPX_API mpx_status mpx_pow(void *dst, mpx_dtype dst_type, const void *x, mpx_dtype x_type,
                           const void *y, mpx_dtype y_type, size_t n);
#endif

/* Functions of each row of a matrix, stored row after row. softmax: e^x / sum(e^x); log_softmax:
   its logarithm; layer_norm: (x - mean) / sqrt(variance + eps) * weight + bias; rms_norm: x /
   sqrt(mean(x * x) + eps) * weight + bias. Computed in f32; partial sums of at most 256 elements
   are added in f64. A row with a NaN becomes NaN; with softmax and log_softmax, so does a row whose
   largest element is Inf or -Inf.
   Error    underflow aside, 6 * 2^-24 (layer_norm 7), without vectors 12, of the result times 1 +
            (largest - x) / 4 (softmax), of 1 + largest - x + log(sum(e^(x - largest)))
            (log_softmax), or of the sum of the magnitudes of its terms; gradients: 8 (rms_norm 9)
            and 16. A norm gives 0 if a partial sum of squares (layer_norm: of x - mean) is beyond
            f32, which can be from 2^59 on, NaN of Inf; layer_norm gives NaN if one of x is, which
            can be from 2^119 on. Gradients of norms give Inf or NaN if a partial sum of dy *
            weight, or of that * (x - mean), or the mean of the latter / root^3 is beyond f32, and
            lose digits where that is below 2^-126
   dst      rows * cols elements of dst_type; may be src if both have equally many bits
   opt      may be NULL
   Returns  MPX_ERR_DTYPE for dtypes that are no floats of 8 bits and more; MPX_ERR_SPACE if size_t
            overflows. Nothing is written then. Stack 13200 bytes. */
MPX_API mpx_status mpx_softmax(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                               size_t rows, size_t cols);
MPX_API mpx_status mpx_log_softmax(void *dst, mpx_dtype dst_type, const void *src,
                                   mpx_dtype src_type, size_t rows, size_t cols);
MPX_API mpx_status mpx_layer_norm(void *dst, mpx_dtype dst_type, const void *src,
                                  mpx_dtype src_type, size_t rows, size_t cols,
                                  const mpx_norm_options *opt);
MPX_API mpx_status mpx_rms_norm(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols, const mpx_norm_options *opt);
/* The gradients of these functions: dx from dy, and from y = softmax(x) or the x of a norm.
   log_softmax has none: mpx_cross_entropy.
   dx       rows * cols elements of dx_type; may be dy, y or x if both have equally many bits
   opt      weight and eps as they were. The sums over rows of dy * (the factor of the weight) are
            added to opt->dweight, those of dy to opt->dbias, in f32: each row adds 2^-24 to their
            error
   Returns  the same. Stack 13200 bytes. */
MPX_API mpx_status mpx_softmax_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                    const void *y, mpx_dtype y_type, size_t rows, size_t cols);
MPX_API mpx_status mpx_layer_norm_grad(void *dx, mpx_dtype dx_type, const void *dy,
                                       mpx_dtype dy_type, const void *x, mpx_dtype x_type,
                                       size_t rows, size_t cols, const mpx_norm_options *opt);
MPX_API mpx_status mpx_rms_norm_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                     const void *x, mpx_dtype x_type, size_t rows, size_t cols,
                                     const mpx_norm_options *opt);
/* The cross-entropy of softmax(x) with labels: loss[r] = -log(softmax(x)[r][labels[r]]), and its
   gradient dx = (softmax(x) - 1 at the label) * scale.
   loss     rows floats, or NULL; dx: rows * cols elements of dx_type, or NULL, with any dx_type;
            may be x if both have equally many bits
   labels   rows column numbers. Negative: its loss and gradient are 0
   scale    the loss scale; if losses are averaged, divided by the number of rows with a label
   Error    of a loss 2 * 2^-24 of |largest| + |x at the label| + log(sum(e^(x - largest))) + 3; of
            dx as of softmax, and 1 at the label, times scale
   Returns  also MPX_ERR_ARGUMENT for a label that is not below cols. Stack 14200 bytes. */
MPX_API mpx_status mpx_cross_entropy(float *loss, void *dx, mpx_dtype dx_type, const void *x,
                                     mpx_dtype x_type, const int32_t *labels, size_t rows,
                                     size_t cols, float scale);
/* Rotary position embedding: each pair (a, b) of elements of a head is rotated by an angle, to (a *
   cos - b * sin, b * cos + a * sin).
   dst      rows * heads * dim elements of dst_type; may be src if both have equally many bits
   table    for each row, which is a position, dim / 2 cosines and then dim / 2 sines
   inverse  1: rotate back, with -sin; for gradients
   Part     where only the first elements of each head are rotated (Phi, GPT-J), call it for each head
            of a row, with rows and heads 1
   Error    2 * 2^-24 * (|a| + |b|)
   Returns  also MPX_ERR_ARGUMENT for an odd dim and unknown pairs. Stack 9300 bytes. */
MPX_API mpx_status mpx_rotary(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                              const float *table, size_t rows, size_t heads, size_t dim,
                              mpx_rotary_pairs pairs, int inverse);
/* Fill such a table for the positions first, first + 1, ... with the angles position * theta^(-2 *
   i / dim).
   table    rows * dim floats; theta, often 10000, from 1 to 1e30
   Error    at positions below 2^20: 0.51 * 2^-24 for dim up to 256, 0.55 up to 1024; 0.7 and 1.3
            for theta below 1000
   Returns  MPX_ERR_ARGUMENT for an odd dim or another theta. Stack 400 bytes. */
MPX_API mpx_status mpx_rotary_table(float *table, size_t first, size_t rows, size_t dim,
                                    double theta);

/* One step of an optimizer, in one pass over memory: read the gradients, divide them by the loss
   scale and clip them; update m, v and the masters; write the copies. The formulas are those of
   PyTorch's SGD (dampening 0), Adam and AdamW.
   arrays    count of them, which do not overlap. Parameters and gradients are floats of 8 to 32
             bits; copies of masters are rounded to nearest, as by mpx_cast
   opt       opt->step counts up. With MPX_NO_REDUCE there is no max_norm, with MPX_NO_CAST_WITH
             only MPX_ROUND_NEAREST
   finite    for mpx_loss_scale_adjust; may be NULL. 0: a gradient, divided by the loss scale, is
             Inf or NaN, or becomes so in f32; then nothing is written and no step counted. Else 1
   Error     with u = 2^-24, of results in f32 against exact arithmetic: m within 8 u of the sum of
             the magnitudes of its terms, v within 12 u; parameters within 4 u of their magnitude
             and 24 u of that of the step made from those magnitudes. Errors are larger if the decay
             of ADAM cancels a gradient, so that v loses digits, and below 2^-126, where m becomes 0,
             and v if eps is 1e-12 or more; v overflows with gradients from 2^64 on, and then steps
             are 0. The last bits depend on the instruction set and -ffast-math, but not on pieces
             and addresses; on modes only without float vectors, where the bounds are those of
             rounding to nearest with subnormals, and with x87
   Returns   MPX_ERR_ARGUMENT for an invalid optimizer (numbers negative, -0 or NaN, doubles from
             2^64 on, a step from 2^62 on, a loss scale of Inf, betas and momentum from 1 on, eps
             below 2^-126) and for arrays that lack an m or v; MPX_ERR_DTYPE, _SPACE. Nothing is
             changed then, nor is *finite; err (may be NULL) has the index and, in `what`, the option
             or the array.
   Stack     12100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_optimizer_step(mpx_optimizer *opt, const mpx_optimizer_arrays *arrays,
                                      size_t count, int *finite, mpx_error *err);
#if !MPX_NO_TREE
/* The same for trees. Returns also MPX_ERR_STRUCTURE if the trees differ, and what walkers return.
   Stack 12100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_optimizer_step_tree(mpx_optimizer *opt, const mpx_optimizer_trees *trees,
                                           int *finite, mpx_error *err);
#endif

#if !MPX_NO_AMP
/* Run a planned graph: every node and cast in order, in one call. Operations:

       matmul dot_general       mpx_matmul. The second input has as many matrices as the first, or
                                one for all; MPX_AMP_NODE_TRANSPOSE_A, _B. Sums are always f32,
                                whatever `acc` says
       softmax log_softmax      of rows
       layer_norm rms_norm      of rows, eps 1e-5; a weight and a bias as second and third input, of
                                one dtype
       exp tanh logistic sigmoid relu silu gelu gelu_erf   mpx_activate
       add sub mul div          the second input has the shape of the first, or one row for all, or
                                one element a row, or one element. Computed in f32, then rounded
       cast convert_element_type copy reshape              mpx_cast; nodes that are MPX_AMP_NODE_CAST

   The result has the dtype that the plan gives it and (except reshape) the shape that follows from
   the inputs. All floats of 8 bits and more; f64 is computed in f32.
   program   values[i] is node i's, values[node_count + k] cast k's. Inputs and weights have data.
             So must what you read after the run: values[plan->nodes[i].output]. Data that it has
             already stay: it may be an input, or the output of two nodes
   memory    size bytes, from mpx_amp_run_size, any alignment: for intermediate results, which share
             places when nothing reads them any more, and for the workspace of the largest matmul.
             The time to lay it out grows with the square (at worst the cube) of their number
   Threads   program->parallel splits products, no other operation: one more piece for each further
             mpx_matmul_workspace of its second input that memory has. Bits stay the same
   Returns   MPX_ERR_OPERATION for an operation that neither ops nor this list has; MPX_ERR_ARGUMENT
             for a wrong number of inputs, or for inputs and weights without data; MPX_ERR_SHAPE,
             MPX_ERR_DTYPE; MPX_ERR_STRUCTURE for a graph that is not the plan's; MPX_ERR_SPACE;
             what the graph's callback returns. Nothing is computed then, and err, which may be
             NULL, names the node (for a cast: the node before which it runs). What your operation
             returns other than MPX_OK ends the run. Stack as mpx_matmul + 1400 bytes, and the
             callbacks'. */
MPX_API mpx_status mpx_amp_run(const mpx_amp_program *program, void *memory, size_t size,
                               mpx_error *err);
/* *size = bytes for it. Also checks, and sets dtypes and shapes of values. Stack as mpx_amp_run. */
MPX_API mpx_status mpx_amp_run_size(const mpx_amp_program *program, size_t *size, mpx_error *err);
#endif
#endif /* MPX_COMPUTE */

#if MPX_FILES
/* ---- files ----------------------------------------------------- */

/* Read the header of a file whose bytes are all in memory, and check it: lengths, names, sizes, and
   that no two tensors overlap or have one name. The content tells the format. Data stay where they
   are, and are not read.
   bytes    any alignment; must live as long as *file is used
   memory   memory_size bytes for what *file points to; must live as long. If they are too few, also
            NULL and 0, MPX_ERR_SPACE has the number in err->need: about 200 a tensor
   Names    are UTF-8 without NUL. safetensors: escapes are decoded; a tensor has exactly the three
            keys; data cover the file without holes. GGUF: blocks are whole in the last dimension;
            arrays of arrays in metadata are refused. .npz: members are stored, not compressed, and
            "x.npy" is named "x"; checksums are not checked
   Types    a tensor of an unknown dtype is listed, with its bytes: see mpx_file_tensor. GGUF types
            that ggml does not have, and .npy's objects and structs, are MPX_ERR_FORMAT
   Returns  MPX_ERR_FILE, _FORMAT, _EXISTS with the byte's offset and a reason; MPX_ERR_SPACE. *file
            then is untouched; err may be NULL. Time n log n in tensors. Stack 1400 bytes.
   Source   safetensors 0.8, tensor.rs; ggml's gguf.md; NumPy's format.py; PKWARE APPNOTE 6.3.10 */
MPX_API mpx_status mpx_file_open(mpx_file *file, const void *bytes, size_t size, void *memory,
                                 size_t memory_size, mpx_error *err);
/* A tensor, or an entry of the metadata, by name; NULL if there is none. */
MPX_API const mpx_file_tensor *mpx_file_find(const mpx_file *file, const char *name);
MPX_API const mpx_file_meta *mpx_file_find_meta(const mpx_file *file, const char *key);
/* *dst = number i of an entry of the metadata, cast to `type` as by mpx_cast.
   Returns  MPX_ERR_DTYPE if the entry is text, or for a dtype without casts; MPX_ERR_ARGUMENT if
            there is no number i. */
MPX_API mpx_status mpx_file_number(void *dst, mpx_dtype type, const mpx_file_meta *meta, size_t i);
/* The next text of an entry, and its length in bytes; a NUL need not follow. NULL after the last
   text, and for numbers.
   at       0 at first */
MPX_API const char *mpx_file_text(const mpx_file_meta *meta, size_t *at, size_t *length);
#if !MPX_NO_TREE
/* The tensors as a tree. Blocks, and other data without a dtype here, are leaves of MPX_U8. */
MPX_API mpx_tree mpx_tree_of_file(const mpx_file *file);
#endif

/* The number of bytes of a file. Returns what mpx_file_write returns. */
MPX_API mpx_status mpx_file_size(const mpx_file *file, size_t *size, mpx_error *err);
/* Write a file from first byte to last, tensors and metadata in their order. The same arguments
   give the same bytes on every machine: those of the packages safetensors, gguf and numpy, if the
   order is theirs (safetensors sorts tensors by dtype and name, and metadata at random). Its files
   have no gaps: if elements would begin at no multiple of their size, where they cannot be read in
   place, the data of wider ones are written first. The header keeps the order.
   tensors  of dtypes that the format has. GGUF: also blocks. The bytes of `swapped` tensors are
            swapped. .npz: each tensor has data. NumPy: bf16 and most fp8 lose their names
   metas    GGUF: all; general.alignment is followed. safetensors: texts. .npy, .npz: none
   Returns  MPX_ERR_DTYPE, _SHAPE, _FORMAT for a tensor or an entry that the format does not have,
            _EXISTS for a name that occurs twice, _FILE for one that is no UTF-8 or a bad alignment,
            _SPACE beyond size_t or the format, _ARGUMENT for no format or .npz without data: then
            nothing is written; what the callback returns. err may be NULL. Time: grows with the
            square of tensors, as names are compared without memory. Stack 3000 bytes. */
MPX_API mpx_status mpx_file_write(const mpx_file *file, mpx_file_write_fn write, void *user,
                                  mpx_error *err);
/* The same into memory: exactly mpx_file_size bytes. MPX_ERR_SPACE if dst_size is smaller;
   MPX_ERR_ARGUMENT for a tensor without data. */
MPX_API mpx_status mpx_file_save(void *dst, size_t dst_size, const mpx_file *file, mpx_error *err);
#endif /* MPX_FILES */

#ifdef __cplusplus
}
#endif
