/*==========================================================================*
 * MARK: api - every public function, by topic                               *
 *   The order of arguments: what is written, what is read, options, then    *
 *   err; a function that reads a text or answers a question gives the       *
 *   answer through pointers behind its arguments, before err.               *
 *   For all of them: no allocation, no I/O, no errno, no locale, no mutable *
 *   static data but the default policy, which is one per thread; any number *
 *   of threads at once. Pointers may be NULL where the comment says so or   *
 *   where n = 0; other NULLs are the caller's mistake (MPX_ASSERT).         *
 *   Stack figures: gcc 12 -O2, x86-64 without AVX, rounded up, callbacks    *
 *   apart; with AVX2 up to 0.7, with AVX-512 up to 1.9 KiB more. Without a  *
 *   figure: below 512 bytes.                                                *
 *==========================================================================*/
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the library ------------------------------------------------------- */

/* MPX_VERSION of the implementation: compare with the macro to catch a header that does not fit
   it. */
MPX_API int mpx_version(void);
/* The instruction set this implementation was built for, or MPX_DISPATCH has chosen: "scalar". */
MPX_API const char *mpx_isa(void);
#if MPX_DISPATCH
/* With MPX_DISPATCH, for tests: "sse2", "avx2" or "avx512" from the next call on, NULL for the best
   that there is. MPX_ERR_ARGUMENT if it has another name or cannot run here: nothing changes. Not
   while other threads cast. */
MPX_API mpx_status mpx_isa_set(const char *isa);
#endif
/* The status in words: "unknown key". Never NULL; "unknown status" for numbers that are none. */
MPX_API const char *mpx_status_string(mpx_status status);
/* The sentence for an error: "unknown dtype 'float61' at 2; expected a dtype such as f32, ...",
   "structures differ at leaf 3 'decoder/bias'", "not enough space; 12 bytes where 48 are needed".
   text   what was parsed, from its start (nothing behind the offending word is read); NULL leaves
          the word out, as for errors that are not of a text
   buf    size bytes, always NUL-terminated if size > 0; NULL if size = 0. Bytes outside ASCII print
          as \xHH.
   Returns the length of the whole sentence, as snprintf does. Stack 400 bytes. */
MPX_API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size);

/* ---- dtypes ------------------------------------------------------------ */

/* The dtype a word names. Knows ml_dtypes' names ("bfloat16", "float8_e4m3fn"), the short names
   ("bf16", "f8e4m3fn"), those of jmp, eformer, Keras and Nx, and NumPy's typestrings with their
   byte-order mark ("<f4"); ASCII case does not count, blanks do. `half` is f16. Words that mean
   different things elsewhere are refused: f8 fp8 float long e4m3 i.a.
   Returns   MPX_ERR_DTYPE, *out untouched; MPX_ERR_EMPTY for an empty word (MPX_ERR_DTYPE in the
             dialect of one system).
   Source    the name tables of the five systems; eformer's and safetensors' f8_e4m3 is e4m3fn,
             float8_e4m3 is not. */
MPX_API mpx_status mpx_dtype_parse(const char *name, mpx_dtype *out);
/* The same for len bytes that need no NUL, and with the exact table of one system: case and aliases
   then are that system's. MPX_DIALECT_EFORMER_PUT reads an empty word as MPX_NONE, MPX_OK.
   MPX_ERR_ARGUMENT for a dialect that is none. err may be NULL. */
MPX_API mpx_status mpx_dtype_parse_n(const char *name, size_t len, mpx_parse_options opt,
                                     mpx_dtype *out, mpx_error *err);
/* "bfloat16": ml_dtypes' spelling, to be stored. "" for MPX_NONE and numbers that are no dtype. */
MPX_API const char *mpx_dtype_name(mpx_dtype type);
/* "bf16": as policies print it. "" as above. */
MPX_API const char *mpx_dtype_short_name(mpx_dtype type);
/* finfo and iinfo in one: limits, bits, bias. All zero, names "", for numbers that are no dtype.
   Stack 128 bytes. */
MPX_API mpx_dtype_facts mpx_dtype_info(mpx_dtype type);
/* 1 for the fifteen float formats, fp8, fp6 and fp4 included; else 0. */
MPX_API int mpx_dtype_is_floating(mpx_dtype type);
/* Bits per element, 2 to 128; 0 for numbers that are no dtype. */
MPX_API int mpx_dtype_bits(mpx_dtype type);
/* Bytes of n elements, sub-byte dtypes packed; SIZE_MAX where size_t cannot hold it. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n);
/* Where element i begins, in bytes from the array's start. Below a byte, packed: the byte that has
   its lowest bit, which is bit i * bits % 8 there; elements of 4 bits share it by two, those of 6
   bits may go on in the next. i a multiple of 8 begins a byte, from which casts can start. SIZE_MAX
   where size_t cannot hold it. */
MPX_API size_t mpx_dtype_offset(mpx_dtype type, size_t i);

/* ---- casts ------------------------------------------------------------- */

/* Cast n elements of src to dst: the correctly rounded value, rounded once, to nearest, ties to
   even; the same bits on every machine, whatever -ffast-math, flush-to-zero or rounding mode say.
   dst, src   n elements of `to` / `from`; any alignment; may be equal where `to` is no
              wider than `from`, else must not overlap
   Floats     NaN keeps its sign, becomes quiet and keeps the leading payload bits that fit;
              overflow gives Inf, or NaN in formats without Inf (e4m3fn, fnuz, e8m0), or the largest
              value in formats with neither (f6, f4), where +NaN gives -0 and -NaN +0. Subnormals
              are kept. fnuz has no -0. e8m0: nearest power of two, ties up; zero and negatives give
              NaN, as in ml_dtypes. If mpx_cast_with saturates, they and -Inf give 2^-127, so that
              a block of zeros has a scale.
   Integers   float to int truncates toward zero, saturates, NaN gives 0; int to int saturates; to
              bool is x != 0 (NaN is true). The same dtype on both sides copies bits.
   Returns    MPX_ERR_DTYPE if either is no dtype, or if one is complex and the other is not the
              same.
   Modes      the caller's floating-point modes stay, and the flags, but for MPX_KEEP_FLAGS; here
              and wherever elements are cast or scaled
   Stack      3400 bytes + MPX_TILE * 8
   Source     IEEE 754-2019 4.3.1, OCP OFP8 1.0 table 1, ml_dtypes for fnuz, f6 and f4. Where
              ml_dtypes rounds twice (f64 and integers to bf16 and fp8), this does not. */
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n);

#if !MPX_NO_CAST_WITH
/* The same with options: rounding modes, saturation, layouts of sub-byte dtypes, statistics.
   opt        NULL: as mpx_cast. Rounding and saturation concern float targets, int_rounding casts
              from floats to integers (by the exact codec, if it is not 0); the same dtype on both
              sides copies bits, whatever they say
   dst == src needs both layouts packed; with statistics one dtype then is counted, not written
   Random     element i of the tensor uses 16 bits of a counter-based generator (opt->random_seed,
              opt->offset + i) and nothing else: the same bits for any split, thread or instruction
              set. For targets below f32, f64 and integers of 32 bits and more are cut to f32
              first: the probability is that of what is left
   Returns    also MPX_ERR_ARGUMENT for an unknown mode or layout, n that is no multiple of an even
              split block, or a split layout of elements of 2 or 6 bits. Stack as mpx_cast
              + 2.5 KiB with statistics. */
MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                                 const mpx_cast_options *opt);
/* Cast between interleaved arrays: n items of `components` elements; from one item to the next it
   is dst_stride and src_stride bytes. Same bits as one mpx_cast of all elements.
   strides    at least components * element bytes, unless n < 2; components 1 and up. What stands
              between items is neither read nor written
   dst, src   may be equal where the strides are and `to` is no wider than `from`, else must not
              overlap
   Returns    also MPX_ERR_ARGUMENT for a stride too small or components = 0, MPX_ERR_DTYPE for
              dtypes below a byte. opt may be NULL; element k of item i counts as i * components +
              k. Stack as mpx_cast_with + MPX_TILE * 9. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype to, size_t dst_stride, const void *src,
                                    mpx_dtype from, size_t src_stride, size_t n, size_t components,
                                    const mpx_cast_options *opt);
#if !MPX_NO_VERTEX
/* Pack n vertices of floats (32 bits) for a graphics card, and unpack them: all attributes in one
   pass over memory, by one table for both directions. An array of normalised integers is a vertex
   with one attribute.
   strides    bytes from one vertex to the next. What no attribute covers is neither read nor
              written; where attributes overlap, the later one is written last
   dst, src   any alignment; must not overlap
   Pack       rounds once, to nearest, ties to even. UNORM, SNORM: clamped first; NaN gives 0.
              UFLOAT11_11_10: negatives give 0, NaN NaN, Inf Inf; too large finite values give the
              largest. RGB9E5: clamped to 0 ... 65408; NaN gives 0; ties go up. The fourth field of
              UNORM10_10_10_2 and its like is 0 for three components. PLAIN: as mpx_cast
   Unpack     to the nearest float
   Returns    MPX_ERR_DTYPE for a dtype that is none, complex or below a byte, or for one beside
              another format than PLAIN; MPX_ERR_ARGUMENT for a format that is none, a number of
              components that it does not have, or an attribute that does not end within its stride,
              unless n < 2. Nothing then is written. Stack as mpx_cast_strided + 256 bytes.
   Source     Vulkan 1.3; EXT_texture_shared_exponent. D3D11 allows the same results. */
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
/* fp8 between the OCP and the fnuz formats without rounding: the codes stay, so every value is
   halved on the way to fnuz and doubled on the way back: multiply (divide) the tensor's scale by 2.
   MPX_F8E4M3FN <-> MPX_F8E4M3FNUZ, MPX_F8E5M2 <-> MPX_F8E5M2FNUZ. NaN becomes NaN, -0 becomes 0;
   Inf becomes NaN; what the OCP format cannot hold (the topmost fnuz codes) becomes its largest
   value.
   Returns    MPX_ERR_DTYPE for any other pair. dst may be src. */
MPX_API mpx_status mpx_f8_rebias(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                 size_t n);
#endif

#if !MPX_NO_STATS
/* Root of the mean squared error (over all elements; one without a finite source or result counts
   as 0), and the signal-to-quantization-noise ratio in dB (10 log10 of
   sum_squares / sum_error_squares; 999 where there is no error; 0 where there is one but no
   signal). A sum that double cannot hold, 0 or Inf, counts as max_error^2 or max_abs^2. */
MPX_API double mpx_cast_stats_rms_error(const mpx_cast_stats *stats);
MPX_API double mpx_cast_stats_sqnr(const mpx_cast_stats *stats);
#endif

/* 1 if none of n elements is Inf or NaN in its own format (both parts of complex); integers and
   bool always are finite, and so is n = 0. 0 for numbers that are no dtype. Decided on bits: right
   under -ffast-math. Stack as mpx_any_infinite. */
MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n);

/* 1 if one of n elements is Inf, whether or not others are NaN; else 0, also for numbers that are
   no dtype. The finite test of Axon's loss scale, which lets NaN pass.
   Stack 3700 bytes + MPX_TILE * 12 */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n);

#if !MPX_NO_REDUCE
/* *amax = the largest magnitude of n elements of a floating dtype, from which scales for narrow
   dtypes are computed; 0 for n = 0; Inf if one is Inf, NaN (0x7fc00000) if one is NaN. f64 is
   rounded to the nearest float.
   Returns   MPX_ERR_DTYPE if the dtype is not floating (complex: the magnitude would need a root);
             *amax then is untouched. Stack as mpx_any_infinite. */
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax);
/* *sum = the sum of the squares of n elements of a floating dtype, of complex ones both parts, in
   double; 0 for n = 0. The root of it is the norm by which gradients are clipped.
   Order     sixteen sums, element i is added to number i mod 16; then sums 8 apart are added, 4
             apart, 2 and 1. Each addition rounds once, to nearest, so the bits are the same on every
             machine. f32 and narrower: squares are exact. One NaN gives NaN, else one Inf gives Inf
   Returns   MPX_ERR_DTYPE if the dtype is neither; *sum then is untouched. Stack as
             mpx_any_infinite. */
MPX_API mpx_status mpx_sum_squares(const void *data, mpx_dtype type, size_t n, double *sum);
#endif

/* dst = src * by, each product rounded once to `to` (both types must be floating, or both complex,
   which count as twice as many floats; NaN becomes what mpx_cast makes of it). Overflow as in
   mpx_cast: NaN in e4m3fn; to saturate, scale into float32 and use mpx_cast_with.
   dst, src   as for mpx_cast
   Returns    MPX_ERR_DTYPE for any other pair. Stack 4100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_scale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                             float by);
/* dst = src / by, a true division rounded once to `to`, overflow as there, and in the same pass:
   *finite becomes 0 if a quotient is Inf or NaN, or became so by being rounded to `to`, else 1.
   finite     may be NULL. By a power of two nothing but exponents move; else a division, which is
              slow in plain C and from f64 to 16 bits. Stack 4100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                               float by, int *finite);
#if !MPX_NO_REDUCE
/* The same, and *sum = mpx_sum_squares of what stands in dst then, while it is in the caches. */
MPX_API mpx_status mpx_unscale_squares(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, float by, int *finite, double *sum);
/* dst += src for n elements of a floating or complex dtype: the exact sum, rounded once to nearest
   even, whatever the caller's modes and -ffast-math say. Overflow as in mpx_cast; subnormals are
   kept. A NaN stays, made quiet, that of dst if both are; Inf - Inf gives +NaN; x - x gives +0.
   dst, src   any alignment; may be equal, else must not overlap
   MPI        has no bf16 and f16; this is the body of such an operation:

       static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type) {
           mpx_add(inout, in, (size_t)*count, MPX_BF16);
       }
       MPI_Op_create(add_bf16, 1, &op);

   Returns    MPX_ERR_DTYPE for any other dtype. Stack 3700 bytes + MPX_TILE * 16 */
MPX_API mpx_status mpx_add(void *dst, const void *src, size_t n, mpx_dtype type);
#endif

/* ---- quantization ------------------------------------------------------ */
#if !MPX_NO_QUANT

/* How numbers are quantized, as a value, from a text: a format, then words and a number after
   slashes, in any order.
       int8 int4 int2             KERAS; uint8 uint4 uint2: LINEAR with zero points; a float dtype of
                                  8 bits, such as f8e4m3fn: LINEAR; float8: f8e4m3fn
         /tensor /row /column     what shares a scale; /channel is /row; default /tensor
         /128 /128/down           blocks of 128 in a row, in a column. Of int4 and int2, blocks have
                                  zero points, as Keras' int4/128 has them
         /linear /zero            LINEAR in place of KERAS; with zero points
       mxfp8_e4m3 mxfp8_e5m2 mxfp6_e2m3 mxfp6_e3m2 mxfp4 mxint8
         /floor /even /ceil /rceil   the rule of scales; default /floor
       nvfp4                      /single: without a tensor scale
         /swizzled                of mx... too: scales as cuBLAS wants them
       q4_0 q4_1 q5_0 q5_1 q8_0 q4_k q6_k ggml_mxfp4 ggml_nvfp4   blocks of GGUF files
       none                       not quantized
   Case does not count.
   Returns   MPX_OK; else a status whose sentence mpx_error_format makes, with *out untouched:
             MPX_ERR_SCHEME (a word that is unknown, or that the format does not take), _DTYPE (the
             build lacks the dtype of the codes) */
MPX_API mpx_status mpx_quant_parse(const char *name, mpx_quant *out, mpx_error *err);
MPX_API mpx_status mpx_quant_parse_n(const char *name, size_t len, mpx_quant *out, mpx_error *err);
/* Print it so that it parses back to the same value. buf, size and the result as snprintf. 0 and an
   empty text for values that no text gives (given, low, high and epsilon have none). */
MPX_API size_t mpx_quant_format(mpx_quant q, char *buf, size_t size);
#if !MPX_NO_POLICY
/* How Keras quantizes the kernels of layers with this policy, matrices of inputs x outputs: int8,
   int4: KERAS, a scale per column; int4/128: in blocks of 128 down a column; float8: LINEAR,
   F8E4M3FN. gptq, awq, ternary, and none: {0}. */
MPX_API mpx_quant mpx_quant_of_policy(mpx_policy p);
#endif
/* Where everything lies in a quantized matrix of rows x cols numbers, row after row, as MPX_F32 and
   the like have them; its size alone. A tensor of more axes is a matrix too: with a scale for each
   index of the first axis, rows = that axis, cols = all others, SCOPE_ROW; of the last, cols = that
   axis, SCOPE_COLUMN. For an axis between, rows = the axes up to it: one scale more for each index
   of those before it.
   Codes      element i of the matrix is element i of them, packed below a byte
   Scales     MPX_F32, or MPX_F8E8M0FNU, MPX_F8E4M3FN; in the order of the blocks, row after row
   Zeros      zero points, of the element's dtype, one in a byte
   Swizzled   the scales of a matrix of blocks, padded to multiples of 128 rows and of 4 columns
              with zeros: that of (row, block) is at tile * 512 + row % 32 * 16 + row % 128 / 32 * 4
              + block % 4, tiles of 128 rows and 4 blocks counted row after row (cuBLAS, "1D block
              scaling factors layout")
   Returns    MPX_ERR_SHAPE where blocks do not divide a row, or where what shares a scale has no
              elements; MPX_ERR_ARGUMENT, _DTYPE for a q that is none; MPX_ERR_SPACE beyond size_t.
              err (may be NULL) says what was found and what is needed. mpx_quant_bytes: 0 then */
MPX_API mpx_status mpx_quant_layout_of(mpx_quant q, size_t rows, size_t cols, mpx_quant_layout *out,
                                       mpx_error *err);
MPX_API size_t mpx_quant_bytes(mpx_quant q, size_t rows, size_t cols);
/* Quantize a matrix, and back: any rows x cols floats, in the layout that mpx_quant_layout_of says.
   dst, src   any alignment; must not overlap; dst has mpx_quant_bytes(q, rows, cols)
   src_type   a float dtype; f64 is rounded to f32 first. KERAS without zero points, from f16 and
              bf16: every step is rounded to that dtype, as Keras has it
   dst_type   a float dtype; values are computed in f32 and rounded once more
   NaN, Inf   KERAS, LINEAR to integers: NaN gives 0 before the zero point is added, a scale over
              NaN is NaN, codes saturate. MX: the scale of such a block is NaN. NVFP4: as LINEAR.
              GGUF: the scale is NaN or Inf
   Zeros      a block of zeros has a finite scale, and gives zeros
   Subnormals kept, in and out; no floating-point mode changes a bit
   Returns    what mpx_quant_layout_of does, MPX_ERR_DTYPE for other dtypes, MPX_ERR_UNSUPPORTED to
              quantize to Q4_K, Q6_K, GGML_NVFP4; nothing is written then. Stack 12800 bytes. */
MPX_API mpx_status mpx_quantize(void *dst, mpx_quant q, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols);
MPX_API mpx_status mpx_dequantize(void *dst, mpx_dtype dst_type, const void *src, mpx_quant q,
                                  size_t rows, size_t cols);
/* Floats of 8 bits with delayed scaling, as Keras' float8 layers train: a tensor is rounded with
   the scale that the steps before it have left, and its largest magnitude serves the steps to come.
   Keep a state for each input, kernel and gradient.

       float history[1024] = { 0 };
       mpx_float8_scale state = { MPX_F8E4M3FN, 1.0f, 0, history, 1024 };
       ... in every step, instead of mpx_float8_round:
       mpx_float8_step(x, x, n, MPX_BF16, &state);

   Codes instead of values: mpx_quantize with `given` and this scale (of f32: the same codes). From
   the OCP to the fnuz format without rounding: mpx_f8_rebias, and twice the scale. */

/* dst = src rounded to what codes of the state can hold: src / scale, clipped to the largest finite
   value, rounded to state->dtype, times scale.
   dst, src   n elements of type; any alignment; may be equal, else must not overlap
   type       F32, F16 or BF16: the scale, and every step, is rounded to it first, as in Keras
   NaN, Inf   NaN stays; Inf becomes the largest value. A scale that is 0 in `type` divides all the
              same, as in Keras: 0 becomes NaN
   Returns    MPX_ERR_DTYPE, MPX_ERR_ARGUMENT (margin), nothing written; history is not looked at.
              Stack 4500 bytes + MPX_TILE * 20 */
MPX_API mpx_status mpx_float8_round(void *dst, const void *src, size_t n, mpx_dtype type,
                                    const mpx_float8_scale *state);
/* The new scale, from the history as it is; then amax, also NaN or Inf, becomes its newest entry,
   and the oldest is dropped. scale = 1 / ((max / m) / 2^margin), where m is the largest of the
   history, each step rounded to f32; 1 / (1 / scale) unless m is finite and above 0. It is the
   reciprocal of Transformer Engine's.
   Zero       the scale of an m so small that max / m is Inf: as Keras has it, but then reads as 1
   Returns    MPX_ERR_DTYPE; MPX_ERR_ARGUMENT for a history of NULL or 0 entries, and for a margin
              out of range; *state then is untouched */
MPX_API mpx_status mpx_float8_update(mpx_float8_scale *state, float amax);
/* Both, in the order of a training step: mpx_float8_round with the old scale, mpx_float8_update
   with the largest magnitude of src (mpx_amax), in one pass; 0 for n = 0. Returns as they do,
   nothing written. Stack as mpx_float8_round */
MPX_API mpx_status mpx_float8_step(void *dst, const void *src, size_t n, mpx_dtype type,
                                   mpx_float8_scale *state);
/* The state with its history as bytes for a checkpoint: little-endian, the same on every machine.
   bytes     mpx_float8_bytes(state->length) of them; 0 for a length of 0, or of 2^32 and more
   load      out->history has room for out->length entries, as many as were saved
   Returns   save: as mpx_float8_update, the bytes untouched. load: MPX_ERR_STATE, *out and its
             history untouched, unless all of the bytes are what save wrote, size their number;
             MPX_ERR_ARGUMENT if out has no history. Scale and magnitudes may be any. */
MPX_API size_t mpx_float8_bytes(size_t length);
MPX_API mpx_status mpx_float8_save(void *bytes, const mpx_float8_scale *state);
MPX_API mpx_status mpx_float8_load(mpx_float8_scale *out, const void *bytes, size_t size);
/* dst = src rounded to 2^bits levels from min to max, one of which is 0: what training sees of a
   quantized tensor. TensorFlow's fake_quant_with_min_max_vars, as Keras has it: the range is moved
   so that 0 is a level; values outside become its ends; each step is rounded to f32.
   dst, src   n floats; may be equal, else must not overlap. NaN stays
   bits       2 to 16; narrow: 1: one level less, the lowest
   Returns    MPX_ERR_ARGUMENT for other bits, and unless min < max, max - min, levels per unit,
              2^bits / (max - min), and the moved min are finite. Stack 1000 bytes + MPX_TILE * 4 */
MPX_API mpx_status mpx_fake_quant(float *dst, const float *src, size_t n, float min, float max,
                                  int bits, int narrow);
#endif

/* ---- trees ------------------------------------------------------------- */
#if !MPX_NO_TREE
/* For all of them: only floating leaves are cast or scaled, complex ones scaled part by part; all
   others pass through unchanged. err may be NULL. Functions that write walk the tree once to check
   and once to work, so that an error found by the check, or a walker that fails in the first walk,
   leaves everything as it was. Stack: a cursor (36 words and a path) per tree is in the figures. */

/* A leaf of data that may be constant: then its tree must be a source only. */
MPX_API mpx_leaf mpx_leaf_of(const char *path, const void *data, size_t count, mpx_dtype type);
/* The tree of count leaves in an array. Casts in place change leaves[i].dtype. */
MPX_API mpx_tree mpx_tree_of_leaves(mpx_leaf *leaves, size_t count);
/* The tree of a C struct described field by field; paths are built in the cursor and live until the
   next leaf. MPX_TREE_OF_STRUCT(&model, model_fields) counts the fields. */
MPX_API mpx_tree mpx_tree_of_struct(void *object, const mpx_field *fields, size_t field_count);

/* Leaves for count tensors that lie in one block of memory of one dtype (below a byte: offsets must
   be multiples of 8). leaves has room for count. */
MPX_API void mpx_leaves_of_tensors(mpx_leaf *leaves, const mpx_tensor *tensors, size_t count,
                                   void *memory, mpx_dtype type);
/* The tree of the leaves that filter->keep keeps; *filter must outlive it. The test is asked on
   every walk and must answer the same. */
MPX_API mpx_tree mpx_tree_where(const mpx_tree_filter *filter);
/* An arena over a caller's storage, nothing used yet. */
MPX_API mpx_arena mpx_arena_of(void *data, size_t size, mpx_leaf *leaves, size_t leaf_capacity);
/* Visit leaves one by one: begin with a cursor of {0}. Returns 1: *leaf is the next; 0: the end; a
   negative mpx_status: the walker failed, or the leaf is not valid. leaf->path lives until the next
   call where the struct walker built it. */
MPX_API int mpx_tree_next(const mpx_tree *tree, mpx_cursor *at, mpx_leaf *leaf);

/* Count leaves, elements and bytes, and the storage that casting the floating leaves to `to` would
   take (MPX_NONE: no leaf changes; paths that the struct walker builds still need room).
   Returns   MPX_ERR_DTYPE if `to` is no dtype, or is not floating and a leaf is, as in all casts;
             MPX_ERR_SPACE where size_t overflows, or what the walker returned; *size then is
             untouched. Stack 3600 bytes. */
MPX_API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                    mpx_error *err);

/* Cast every floating leaf in place. to = MPX_NONE does nothing. Leaves must not share memory: tied
   weights would be cast twice (as would be scaled in place); mpx_tree_where leaves one out.
   Returns   MPX_ERR_DTYPE as above; MPX_ERR_SPACE if a leaf is narrower than `to`;
             MPX_ERR_FIXED_DTYPE if the walker cannot change a leaf's dtype.
             Stack 4000 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_error *err);
/* *out = a new tree with every floating leaf in dtype `to`, such as policy.compute: what changes is
   cast into the arena, what needs no cast is shared with src, not copied. Paths too are shared, but
   those that the struct walker builds are copied into the arena.
   arena     measure first: mpx_tree_size.storage bytes and .leaves leaves. Its used counters
             advance; the new leaves are arena->leaves[old leaves_used ...], in the order of the
             walk
   Returns   MPX_ERR_SPACE if the arena is too small, nothing written.
   Stack 4150 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_cast_into(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                      mpx_error *err);
/* The same as eformer's put_dtype has it: leaves of 8 bits and fewer stay as they are. */
MPX_API mpx_status mpx_tree_put_dtype(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                      mpx_error *err);

/* Leaf to leaf between two trees of one structure (same paths, same counts): each dst leaf gets the
   src leaf in the dtype dst has: refreshing a bf16 working copy is this call. Leaves that are not
   floating must have equal dtypes.
   widen     as cast, for copies that may be wider: bf16 back into float32
   Returns   MPX_ERR_WIDER (not widen) if leaves of dst are wider than those of src and none is
             narrower: the trees are swapped; MPX_ERR_STRUCTURE; MPX_ERR_DTYPE; MPX_ERR_SPACE where
             a dst leaf is the src leaf's memory, but wider. Shared leaves (same data, same dtype)
             are skipped. Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_error *err);
MPX_API mpx_status mpx_tree_widen(mpx_tree dst, mpx_tree src, mpx_error *err);
#if !MPX_NO_CAST_WITH
/* The same as mpx_cast_with casts. Leaves that are not floating are copied as they are, whatever
   the layouts, and not counted in opt->stats; shared leaves are counted, and not written. Random
   bits and offset go on from leaf to leaf, as if the tree were one tensor.
   opt       NULL: as mpx_tree_cast. For saturating casts of a whole tree: mpx_tree_cast_into, or
             mpx_policy_map_cast_into, and then this.
   Returns   also MPX_ERR_ARGUMENT, with the leaf in err, and where a dst leaf is the src leaf's
             memory and a layout is not packed; no leaf is changed then
   Stack     5600 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                      mpx_error *err);
#endif
/* As mpx_tree_cast, but all dtypes must be equal: bits are copied.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_error *err);
/* dst = pick_a ? a : b, for three trees of one structure and equal dtypes. dst may be a or b. jmp's
   select_tree. Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_select(mpx_tree dst, mpx_tree a, mpx_tree b, int pick_a,
                                   mpx_error *err);

/* *finite = 1 if every leaf is finite (mpx_all_finite), 1 for an empty tree, else 0.
   Stack 4000 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_error *err);
/* *infinite = 1 if a leaf has an Inf (mpx_any_infinite), else 0.
   Stack 4200 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_error *err);
/* dst = src * by / dst = src / by for floating and complex leaves, each rounded once to the dtype
   dst has; other leaves are copied. dst may be src. unscale is the fused pass: *finite = 1 if every
   quotient is finite, else 0; may be NULL. Returns as mpx_tree_widen.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_error *err);
MPX_API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                    mpx_error *err);
#if !MPX_NO_REDUCE
/* The sum of squares of all floating and complex leaves, mpx_sum_squares of each added in the order
   of the walk, rounded each time; of the unscaled leaves, in the same pass.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_sum_squares(mpx_tree tree, double *sum, mpx_error *err);
MPX_API mpx_status mpx_tree_unscale_squares(mpx_tree dst, mpx_tree src, float by, int *finite,
                                            double *sum, mpx_error *err);
/* dst = src scaled by max_norm / norm if that is below 1, else as mpx_tree_widen; *norm, which may
   be NULL, is the norm of src: the root of mpx_tree_sum_squares, rounded to nearest. dst may be src.
   Factor    a float; of norm 24 bits count. No epsilon is added to norm, as in optax and TensorFlow:
             a factor below 1 divides by more than 0. (PyTorch adds 1e-6.) Leaves are rounded, so the
             norm of dst may be above max_norm by as much
   NaN, Inf  where norm is one (float64 leaves: also where squares overflow) nothing is
             scaled, and *norm says so: skip the step. PyTorch would make all leaves NaN or 0
   max_norm  0 and up. With Inf and dst = src nothing is written, and *norm is the answer
   Returns   MPX_ERR_ARGUMENT for a negative or NaN max_norm; else as mpx_tree_widen.
   Stack 5600 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_clip(mpx_tree dst, mpx_tree src, float max_norm, double *norm,
                                 mpx_error *err);
#endif

/* MPX_ERR_NOT_FLOATING, with path and dtype in err, for the first leaf that is not floating. jmp's
   warn_if_not_floating. Stack 1800 bytes. */
MPX_API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_error *err);
#if !MPX_NO_STATS
/* Will it hurt? What casting every floating leaf to `to` would do, one report a leaf that would
   change, worst first: by the share that overflows, or is NaN or Inf where `to` has none, then the
   share that becomes zero, then the SQNR, then the order of the leaves. Nothing else is written.
   reports has room for capacity; where there are more leaves the worst are kept.
   *count     reports written
   Returns    MPX_ERR_DTYPE as mpx_tree_measure (MPX_NONE: MPX_OK, and no report), or what the
              walker returned.
   Time       one pass, about ten casts' worth. Stack 5450 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                    size_t capacity, size_t *count, mpx_error *err);
/* "conv1/kernel: float32 to float16: 1000 values up to 7.00e4, 3 overflow, 12 become zero, SQNR
   71.2 dB"; "exact" at its end if every value is kept, as NaN and Inf are where there are codes for
   them. Arguments and result as mpx_error_format, the path as it is; MPX_ERROR_TEXT_SIZE is room
   enough. */
MPX_API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size);
#endif
#endif

/* ---- threads ----------------------------------------------------------- */
#if !MPX_NO_PARALLEL
/* mpx_cast_with and mpx_tree_cast, cut into pieces for threads of the caller's: the same bits,
   status and err as theirs, whatever the pieces, their order and their threads. Errors are found
   before a piece is run; run is called on the calling thread, and not at all if there is one piece
   only.
   Not split  casts with statistics (sums depend on the order), casts in place between different
              widths, and split layouts of fewer than 64 blocks
   Stack      as mpx_cast_with + 384 bytes, on every thread. opt may be NULL; it must be NULL under
              MPX_NO_CAST_WITH, else MPX_ERR_ARGUMENT is returned. */
MPX_API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                     size_t n, const mpx_cast_options *opt, mpx_parallel parallel);
#if !MPX_NO_TREE
/* Only the calling thread walks the trees. It calls run for up to 48 leaves at a time, which are
   cut as if they were one: many small ones share a piece. A leaf in memory that one before it
   writes (tied weights) waits until that is done. Stack 9100 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                          mpx_error *err);
#endif
#endif

/* ---- policies ---------------------------------------------------------- */
#if !MPX_NO_POLICY
/* Read a policy: "p=f32,c=bf16,o=f32", "bf16", "params=float32, compute=half", "<c=bf16>",
   "mixed_float16" (as Keras has it: p=f32,c=f16,o=f16). Keys: p params param, c compute, o output
   outputs. Roles that key=value text leaves out follow: param float32, compute as param, output as
   compute; in the printed form <...> they stay unset. Repeated keys: the last wins.
   Keras     quantized policies too: "int8_from_float32", "int4/128_from_mixed_bfloat16" (blocks of
             128), "float8_from_float32", "gptq/4/128_from_bfloat16", "awq/4/128_from_bfloat16"
             (bits and groups; -1: one per channel). After "_from_" any policy may stand, in Keras'
             own dialect one of its plain names. There "int8" alone is no policy: Keras refuses it.
             Numbers as Python's int() reads them, in ASCII, up to 2^31 - 1
   Returns   MPX_ERR_DTYPE, _KEY, _MISSING_EQUALS, _EXTRA_EQUALS, _EMPTY, _SYNTAX, _PAIR, _MODE,
             _NUMBER, _RANGE, _UNSUPPORTED, for a dialect that is none _ARGUMENT; *out then is
             untouched and err (may be NULL) has the place. Reads to the NUL, or len bytes; linear
             time, no recursion. Stack 512 bytes. */
MPX_API mpx_status mpx_policy_parse(const char *text, mpx_policy *out, mpx_error *err);
MPX_API mpx_status mpx_policy_parse_with(const char *text, mpx_parse_options opt, mpx_policy *out,
                                         mpx_error *err);
MPX_API mpx_status mpx_policy_parse_n(const char *text, size_t len, mpx_parse_options opt,
                                      mpx_policy *out, mpx_error *err);
/* Print a policy so that it parses back to the same value: "p=f32,c=bf16,o=f32"; with roles unset
   Axon's short form "<c=bf16>", "<>"; quantized, Keras' canonical name "int4/128_from_float32", and
   "float8/16_from_float32" where the history is not Keras' 1024. buf, size and the result as
   snprintf: the length needed, always NUL-terminated if size > 0. 0 and an empty text for values
   that no text gives: a dtype that is none, int8 with 4 bits. */
MPX_API size_t mpx_policy_format(mpx_policy p, char *buf, size_t size);
/* As that system prints it: jmp "p=full,c=bf16,o=f16", Axon "#Axon.MixedPrecision.Policy<c=bf16>",
   Keras "mixed_bfloat16". 0, and an empty text, where the system has no words for it. */
MPX_API size_t mpx_policy_format_with(mpx_policy p, mpx_dialect dialect, char *buf, size_t size);
/* MPX_POLICY as a value, and whether two are the same. */
MPX_API mpx_policy mpx_policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output);
MPX_API int mpx_policy_equal(mpx_policy a, mpx_policy b);

#if !MPX_NO_KERAS
/* The policy with weights quantized: "int8" of mixed_bfloat16 is "int8_from_mixed_bfloat16". As
   Keras' layer.quantize(mode), and as its classes, which take gptq and awq without numbers.
   mode      "int8", "int4", "int4/128", "float8", "float8/16", "gptq/4/128", "awq/4/128"; err
             has the place in it
   Returns   MPX_ERR_MODE, _NUMBER, _RANGE, *out untouched; MPX_ERR_UNSUPPORTED if the source is
             quantized already, or computes in float16 and the mode is int8. */
MPX_API mpx_status mpx_policy_quantize(mpx_policy source, const char *mode, mpx_policy *out,
                                       mpx_error *err);
MPX_API mpx_status mpx_policy_quantize_n(mpx_policy source, const char *mode, size_t len,
                                         mpx_parse_options opt, mpx_policy *out, mpx_error *err);
#endif

#if !MPX_NO_DEFAULT_POLICY
/* The default policy, as Keras' set_dtype_policy: float32 for every role until it is set. Each
   thread has its own (tcc: one for the whole program); it is the only thing in this header that
   outlives a call. For a scope: get it, set another, set the one that was there. */
MPX_API mpx_policy mpx_default_policy_get(void);
MPX_API void mpx_default_policy_set(mpx_policy p);
/* p, or the default if p is unset (no role, no quantization): a layer's own policy comes first. */
MPX_API mpx_policy mpx_policy_or_default(mpx_policy p);
#endif
#endif

/* ---- policies by path, and by op --------------------------------------- */
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
/* An empty map over the caller's array of entries. Keys are paths or globs; fallback: the policy of
   paths that no key meets. Fields are open: map.patterns = MPX_PATTERNS_EXACT. */
MPX_API mpx_policy_map mpx_policy_map_of(mpx_map_entry *entries, size_t capacity,
                                         mpx_policy fallback);
#if !MPX_NO_REGEX
/* The same as Keras' DTypePolicyMap has it: keys are paths or regular expressions; its default is
   mpx_default_policy_get() when the map is built. */
MPX_API mpx_policy_map mpx_policy_map_keras(mpx_map_entry *entries, size_t capacity,
                                            mpx_policy fallback);
#endif
/* Add an entry. The key must live as long as the map, or map->keys is an arena to copy it into. A
   key without wildcards is a path; one with wildcards still meets the path that reads the same.
   Returns   MPX_ERR_EXISTS, the entry is as it was (delete it first); MPX_ERR_SPACE, of entries or
             of map->keys; nothing is taken from the arena after an error; for patterns
             that cannot be read or need more than MPX_PATTERN_STEPS, MPX_ERR_PATTERN, and err (may
             be NULL) has the place in the key; MPX_ERR_ARGUMENT if map->patterns is none of the
             kinds here. Stack 2600 bytes. */
MPX_API mpx_status mpx_policy_map_set(mpx_policy_map *map, const char *key, mpx_policy policy,
                                      mpx_error *err);
MPX_API mpx_status mpx_policy_map_set_n(mpx_policy_map *map, const char *key, size_t len,
                                        mpx_policy policy, mpx_error *err);
/* Remove the entry with this very key; the others keep their order. MPX_ERR_MISSING if none has
   it. */
MPX_API mpx_status mpx_policy_map_delete(mpx_policy_map *map, const char *key);
/* 1 if there is an entry with this very key. */
MPX_API int mpx_policy_map_contains(const mpx_policy_map *map, const char *key);

/* The policy of a path: that of the entry with this very key, else of the pattern that matches it,
   else the fallback.
   Returns   MPX_ERR_AMBIGUOUS if two patterns match it and map->first_wins is 0; what map->match
             returned, if negative. *out then is untouched.
   Time      entries * (path + pattern), most entries at a glance: their plain text is not in the
             path. No pattern takes longer than its steps * path. Stack 3100 bytes.
   Source    Keras 3.15 DTypePolicyMap.__getitem__. */
MPX_API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path, mpx_policy *out);
/* The same: which entry decides, MPX_MAP_DEFAULT if none does. */
MPX_API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index);
MPX_API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                         size_t *index);
/* The same as a sentence: "'ln1.w': 'ln*' decides: p=f32,c=f32,o=f32", "'wte': no key matches:
   ...", "'ln1.w': both 'ln*' and '*.w' match". buf, size and the result as snprintf. Stack 3100
   bytes. */
MPX_API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
                                      size_t size);

/* Read a map from text and add it to what is there. Keys stay where they are: the text must live as
   long as the map, or map->keys is an arena to copy them into.

       # a comment, to the end of the line
       default = p=f32,c=bf16,o=f32     the fallback
       patterns = glob                  or regex, search, hook, exact
       first_wins = 0                   or 1
       encoder/layer?.w = f16           path or pattern = policy
       "a path = so" = bf16             in quotes " ' or `: as it stands, line ends too
       lstm.* = int8/channel            a quantization, for mpx_weights_cast; none: the leaf stays

   A value is what mpx_quant_parse reads where it is no policy, or one whose parameters are integers:
   int8 quantizes, bf16 and f8e4m3fn cast. The policy of such an entry is what it reads as, or {0};
   functions that only cast parameters return MPX_ERR_DTYPE for its leaves.

   The three settings, in lower case and without quotes, stand before all entries, those that the
   map has already included; what is not set stays as it is.
   opt        grammar of the policies
   Returns    also what mpx_policy_map_set, mpx_policy_parse and mpx_quant_parse return;
              MPX_ERR_MISSING_EQUALS; MPX_ERR_EMPTY for a policy or a key that is not there;
              MPX_ERR_QUOTE; MPX_ERR_ORDER for a setting after an entry; MPX_ERR_ARGUMENT for an
              unknown kind of patterns. The map then is as it was; entries behind map->count may
              have changed. err (may be NULL) has the place in the text. Stack 2950 bytes. */
MPX_API mpx_status mpx_policy_map_parse(mpx_policy_map *map, const char *text, mpx_error *err);
MPX_API mpx_status mpx_policy_map_parse_n(mpx_policy_map *map, const char *text, size_t len,
                                          mpx_parse_options opt, mpx_error *err);
/* Print a map so that it reads back as the same. A policy that a program set beside a quantization
   is left out. buf, size and the result as snprintf; 0, and an empty text, where a key has all three
   quotes in it, a policy has no text, or map->patterns is none of the kinds. */
MPX_API size_t mpx_policy_map_format(const mpx_policy_map *map, char *buf, size_t size);
/* The line of the place in err, from 1; text is what was parsed. */
MPX_API size_t mpx_error_line(const mpx_error *err, const char *text);

/* One entry for each layer: its path, its policy. Errors as mpx_policy_map_set; the map then is as
   it was. Stack 2700 bytes. */
MPX_API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                             size_t count, mpx_error *err);
/* Give each layer the policy of its path. Errors as mpx_policy_map_get; err (may be NULL) has the
   first layer that has one, and no layer is changed. Stack 3200 bytes. */
MPX_API mpx_status mpx_policy_map_apply(mpx_layer *layers, size_t count, const mpx_policy_map *map,
                                        mpx_error *err);
/* 1 if the filter takes the layer, 0 if not; MPX_ERR_ARGUMENT if the filter has more than one rule;
   what filter->select returned, if negative. NULL takes all. Source: Axon's apply_policy. */
MPX_API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer);
/* Give the policy to all layers that the filter takes, in place of their own. Errors as above; no
   layer is changed then (the filter is asked twice). */
MPX_API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                           const mpx_layer_filter *filter);
#if !MPX_NO_TREE
/* One entry for each floating leaf: its path, and its dtype for all three roles. Paths must outlive
   the walk, or map->keys is an arena to copy them into: those that the struct walker builds do not
   (MPX_ERR_ARGUMENT; mpx_tree_cast_into with MPX_NONE makes a tree whose paths do). Other errors as
   mpx_policy_map_set; the map then is as it was. Stack 3400 bytes. */
MPX_API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                           mpx_error *err);
/* Set `leaves` of all entries: how many floating leaves each decides. 0: the key is misspelt, or
   not for this tree. After an error they are what they were. Stack 3600 bytes. */
MPX_API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                               mpx_error *err);
/* mpx_tree_measure, mpx_tree_cast_into and mpx_tree_cast_in_place, each floating leaf to the dtype
   that the policy of its path has for the role (MPX_ROLE_...); unset roles leave it as it is.
   Refresh a copy with mpx_tree_cast.
   Returns   also MPX_ERR_AMBIGUOUS, or what map->match returned, with the leaf in err;
             MPX_ERR_ARGUMENT for a role that is none. Stack 4150 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                          mpx_tree_size *size, mpx_error *err);
MPX_API mpx_status mpx_policy_map_cast_into(mpx_tree *out, mpx_tree src, const mpx_policy_map *map,
                                            mpx_role role, mpx_arena *arena, mpx_error *err);
MPX_API mpx_status mpx_policy_map_cast_in_place(mpx_tree tree, const mpx_policy_map *map,
                                                mpx_role role, mpx_error *err);
#if !MPX_NO_STATS
/* mpx_tree_dry_run of mpx_policy_map_cast_into. Returns also as above.
   Stack 5450 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                          mpx_cast_report *reports, size_t capacity, size_t *count,
                                          mpx_error *err);
#endif
#endif
#endif

#if !MPX_NO_WEIGHTS
/* From a text to cast weights: parse it, find out what each leaf becomes, ask for memory, cast.
   text       a policy or a quantization ("bf16", "q8_0", for all leaves) or a map ("lstm.* =
              f8e4m3fn saturate"); it must live as long as out->map
   src        stays as it is; leaves that are not cast are not copied. Leaves of the same memory,
              count and dtype (tied weights) get one cast, if their policies agree
   Quantized  where opt->role is MPX_ROLE_PARAM: floats of 8 bits and more, as a matrix of rows of
              opt->cols[i] elements. The leaf of out->tree has dtype MPX_U8 and count bytes:
              mpx_dequantize(to, MPX_F32, leaf.data, weight.quant, weight.rows, weight.cols). What
              is more than half a step beyond the codes of its group overflows and saturates
   opt->grow  is called up to three times, each time with more bytes or fewer; without it the
              block must hold all of them at once
   *out       is written in any case: free(out->memory) is right after errors, too
   Returns    MPX_WARN_OVERFLOW, a warning: all is done, and finite values became Inf or NaN, in a
              leaf that does not saturate; err has the first such leaf and how many (`have`).
              MPX_ERR_SPACE: err->need is how many bytes it takes, as far as is known. MPX_ERR_SHAPE:
              a leaf is no whole rows, or its rows no whole blocks. Errors of mpx_policy_parse,
              mpx_policy_map_parse, mpx_policy_map_cast_into, mpx_quantize: no cast is made.
              Time: linear, and patterns * leaves. Stack 13700 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_weights_cast(mpx_weights *out, mpx_tree src, const char *text,
                                    const mpx_weights_options *opt, mpx_error *err);
/* Which leaves stay at 16 bits if all must fit in 4 MB? Of several casts of one tree, such as by
   "bf16", "q8_0" and "q4_0", one for each leaf, so that these leaves take at most `budget` bytes.
   Every leaf begins with the first cast; then, again and again, the leaf moves on whose squared
   error grows least for each byte less. No leaf takes a cast that made finite values Inf or NaN,
   unless all did.
   chosen     for each leaf i: casts[chosen[i]].leaves[i] is to be used
   casts      by mpx_weights_cast with opt.sums, and opt.leave for formats that not all leaves can
              have; of tied weights all or none share, and they get the same cast
   Returns    MPX_ERR_SPACE if that is too little: err->need is the least that could be, and
              `chosen` says how; MPX_ERR_STRUCTURE where the casts have not equally many leaves.
              Time: 64 * leaves * count^2. Stack 400 bytes. */
MPX_API mpx_status mpx_weights_fit(size_t *chosen, const mpx_weights *casts, size_t count,
                                   size_t budget, mpx_error *err);
#endif

/* ---- loss scales ------------------------------------------------------- */
#if !MPX_NO_LOSS_SCALE
/* float16 gradients below 2^-25 become zero; a loss times the scale lifts them, and they are
   divided by it before the update. A step: loss = scale(loss); backward; unscale, which says finite;
   if finite, update; s = adjust(s, finite). Ranks combine the flag first (and), to stay equal. */

/* No scaling: the state reads as scale 1. And a scale that never moves. */
MPX_API mpx_loss_scale mpx_loss_scale_noop(void);
MPX_API mpx_loss_scale mpx_loss_scale_static(float scale);
/* jmp's defaults: period 2000, factor 2, min_scale 1 (set 0 for no floor). Fields are open:
   s.period = 200. */
MPX_API mpx_loss_scale mpx_loss_scale_dynamic(float initial_scale);
/* Axon's: the same rule, but unscale multiplies by the rounded reciprocal and finds gradients
   finite unless one that it is given, still scaled, is Inf: NaN passes. */
MPX_API mpx_loss_scale mpx_loss_scale_axon(float initial_scale);
/* jaxamp's scaler: patience 2000, factor 2, no clamp; Keras' optimizer: steps 2000, factor 2. */
MPX_API mpx_loss_scale mpx_loss_scale_jaxamp(float initial_scale);
MPX_API mpx_loss_scale mpx_loss_scale_keras(float initial_scale);
/* MPX_ERR_ARGUMENT for a dialect that is none, and for a configuration that cannot work: scale not
   positive and finite, period < 1, factor <= 1 or not finite, DYNAMIC's min_scale above scale or
   negative, max_scale below scale or not finite, hysteresis negative, misses not within it, a state
   that is no dtype for it. All numbers as they are once rounded to the state's dtype. The other
   functions accept any numbers and follow their formulas. */
MPX_API mpx_status mpx_loss_scale_check(mpx_loss_scale s);
/* The scale as a number: 1 for NoOp. */
MPX_API float mpx_loss_scale_value(mpx_loss_scale s);
/* One value: x * scale, x / scale, rounded once. */
MPX_API float mpx_loss_scale_scale(mpx_loss_scale s, float x);
MPX_API float mpx_loss_scale_unscale(mpx_loss_scale s, float x);
/* The next state. grads_finite: of this step, over all ranks. Same bits on every machine (IEEE
   products and quotients in integers). DYNAMIC: finite: if counter == period - 1 and scale * factor
   is finite, scale *= factor; counter = (counter + 1) mod period. Not finite: scale =
   max(min_scale, scale / factor); counter = 0. A float16 scale ends at 32768, where twice as much
   is not finite. Source: jmp 0.0.4. Beyond that, for every rule:
   with a maximum the scale grows to it and no further; with a hysteresis of h the scale stays on
   the first h - 1 non-finite steps, counted from the last full period of finite ones, which need
   not follow each other. Source: Megatron-LM's DynamicGradScaler. */
MPX_API mpx_loss_scale mpx_loss_scale_adjust(mpx_loss_scale s, int grads_finite);
/* 1 if a non-finite step cannot lower the scale any more (at min_scale, at zero, Inf or NaN): the
   run diverges for another reason than overflow. Always 0 for NoOp and STATIC. */
MPX_API int mpx_loss_scale_is_stuck(mpx_loss_scale s);
/* The state as MPX_LOSS_SCALE_BYTES for a checkpoint: little-endian, the same on every machine. What
   save wrote, load reads back bit for bit.
   Returns   save: MPX_ERR_ARGUMENT, the bytes untouched, if kind, dialect or state is none; its
             numbers may be any. load: MPX_ERR_STATE, *out untouched, unless all of the bytes are
             what save wrote, or the 40 or 52 that older versions wrote. */
MPX_API mpx_status mpx_loss_scale_save(mpx_loss_scale s, void *bytes);
MPX_API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out);
/* mpx_scale and mpx_unscale by the scale; jmp's dialect as its field says.
   Stack 4200 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_loss_scale_scale_n(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                          size_t n, mpx_loss_scale s);
MPX_API mpx_status mpx_loss_scale_unscale_n(void *dst, mpx_dtype to, const void *src,
                                            mpx_dtype from, size_t n, mpx_loss_scale s,
                                            int *finite);
#if !MPX_NO_TREE
/* mpx_tree_scale and mpx_tree_unscale by the scale; jmp's dialect as its field says. NoOp copies,
   and checks. Stack 5500 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_loss_scale_scale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                             mpx_error *err);
MPX_API mpx_status mpx_loss_scale_unscale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                               int *finite, mpx_error *err);
/* A step: call->evaluate with *scale; unscale the gradients by that same scale; adjust it by
   whether the whole result is finite: gradients, auxiliary values and, with check_loss, the loss;
   as long as it is not, again with the adjusted scale, redo_on_nan times at most. So a success
   after k failures leaves scale / factor^k; the last result stands, finite or not.
   result    may be NULL. Leaves without a gradient: give trees that mpx_tree_where has filtered
   Returns   what evaluate returned, or mpx_loss_scale_unscale_tree; *scale and *result then are
             untouched, the gradients may be written. Stack 5800 bytes + MPX_TILE * 12.
   Source    jaxamp 0.0.4, dynamic_scale_grad and dynamic_scale_value_and_grad. */
MPX_API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                       mpx_grad_result *result, mpx_error *err);
#endif
#endif

/* ---- other systems ----------------------------------------------------- */
#if !MPX_NO_INTEROP
/* The number that a system has for a dtype: what stands in its files and structs.
   Returns   MPX_ERR_DTYPE, *code untouched, if it has none (or has names only: safetensors, NumPy,
             JAX, Keras, MLIR, WebNN, WGSL, MPI); MPX_ERR_ARGUMENT if `system` is none.
   Source    each system's own header or schema, named in the table of the room interop. */
MPX_API mpx_status mpx_interop_code(mpx_system system, mpx_dtype type, int64_t *code);
/* The dtype a system means by its number. Takes IREE's integers without a sign (0x10......), which
   its tools write, for signed ones. Results as above. */
MPX_API mpx_status mpx_interop_dtype(mpx_system system, int64_t code, mpx_dtype *out);
/* The name a system has for a dtype, "" if none (or if it has numbers only: both of TFLite,
   PyTorch's exporter, IREE, Vulkan). Lives as long as the program. */
MPX_API const char *mpx_interop_name(mpx_system system, mpx_dtype type);
/* The dtype a system means by a name: exactly its names, case and all. Beside those that
   mpx_interop_name gives: MLIR's si8 (its i8), CUDA_R_8F_UE4M3. NumPy's "<V1" and "<V2" are
   refused: bytes of which the dtype is lost. err may be NULL.
   Returns   MPX_ERR_DTYPE, *out untouched and the whole name in err; MPX_ERR_EMPTY;
             MPX_ERR_ARGUMENT if `system` is none. */
MPX_API mpx_status mpx_interop_parse(mpx_system system, const char *name, mpx_dtype *out,
                                     mpx_error *err);
MPX_API mpx_status mpx_interop_parse_n(mpx_system system, const char *name, size_t len,
                                       mpx_dtype *out, mpx_error *err);
/* The same for DLPack, whose number alone says nothing without bits and lanes. To DLPack: one lane,
   packed below a byte. From DLPack: one lane; PyTorch's pairs of 4-bit floats (17, 4, lanes 2) too,
   of which each counts for two elements. MPX_ERR_DTYPE for all else. Source: dlpack.h 1.1. */
MPX_API mpx_status mpx_interop_dlpack(mpx_dtype type, mpx_dlpack *out);
MPX_API mpx_status mpx_interop_dlpack_dtype(mpx_dlpack format, mpx_dtype *out);
/* The dtype that a misspelt word of len bytes was probably meant to be: of all names here, aliases
   and other systems' too, the nearest by one edit in words of 3 and 4 bytes, two from 5 to 24: a
   letter more, less, changed, or two swapped; case does not count. MPX_NONE if none is near, if two
   dtypes are equally near, if the word is ambiguous (mpx_dtype_parse), or if it begins with a
   byte-order mark of NumPy's: < > | =. Stack 320 bytes. */
MPX_API mpx_dtype mpx_dtype_suggest(const char *word, size_t len);
#endif

#if !MPX_NO_PROMOTE
/* The dtype that operands of these dtypes meet in: f16 and bf16 in f32, i32 and bf16 in bf16. Any
   number of operands, in any order, all at once: u64, i8 and f16 meet in f16, though the first two
   alone meet in f64. Numbers of the program's text are MPX_WEAK_INT, _FLOAT, _COMPLEX and take the
   width of what they meet: bf16 with a weak float is bf16.
   dialect   MPX_DIALECT_ANY, _JMP, _EFORMER: JAX's lattice with x64 enabled; where only weak
             numbers or integers meet in a float (u64 with i64, i8 with a weak float) it is f64.
             MPX_DIALECT_KERAS: results of 64 bits become 32, complex128 complex64; MPX_NONE and
             n = 0 are float32; fp8 and what is below a byte is refused. MPX_DIALECT_EFORMER_PUT:
             as _EFORMER.
   Returns   MPX_ERR_DTYPE, *out untouched, if there is no such dtype (fp8, fp6, fp4 with another
             float; integers below 8 bits with another integer or a float) or an operand is none;
             MPX_ERR_ARGUMENT if n = 0, but in Keras, or for MPX_DIALECT_AXON, whose rules differ.
   Source    jax/_src/dtypes.py _type_promotion_lattice, keras/src/backend/common/dtypes.py. */
MPX_API mpx_status mpx_dtype_promote(const mpx_dtype *types, size_t n, mpx_dialect dialect,
                                     mpx_dtype *out);
#endif

/* ---- precision by operation (AMP) -------------------------------------- */
#if !MPX_NO_AMP
/* What to cast for an operation, by its name and by the scopes it runs in. The first of these that
   has a rule decides: every scope from the outermost in, the operation, amp_default; if none has,
   all is as in the program without AMP. A scope called amp_stop is one like others. The header
   answers operation by operation (mpx_amp_ask, mpx_amp_eager_...) or plans a whole graph
   (mpx_amp_plan_graph); it computes nothing, but in mpx_amp_run, with MPX_COMPUTE.
   Source: jaxamp 0.0.4 _amp.py, whose scopes stay names; here integers and complex stay as they are
   (MPX_AMP_JAXAMP: as there). */

/* jaxamp's default table: add, sub, dot_general, conv_general_dilated: compute; exp, log, mul, div:
   float32; amp_stop and amp_default: original. *count: how many; may be NULL. */
MPX_API const mpx_amp_rule *mpx_amp_default_rules(size_t *count);
/* Read rules: "matmul=compute, softmax=f32, scope:head=original". Parts end at , ; or the line's
   end; # begins a comment, empty parts are skipped.
   key       the operation; scope:name; amp_stop and amp_default, or default, are scopes; op:name
             takes any word for an operation. Case counts
   value     compute, original (orig), widest, or a floating dtype; then, where sums are to be kept
             in another, acc and a dtype: "matmul=bf16 acc f32"
   default   alone: the default table, to be followed by what is different
   !key      alone: no rule for this key, whatever stands before
   rules     room for capacity; keys point into text, which must live as long
   *count    rules written: one a part, the default table's for default
   Returns   MPX_ERR_RULE, _PRECISION, _MISSING_EQUALS, _EXTRA_EQUALS, _SPACE (at the part that does
             not fit); rules and *count then are untouched and err (may be NULL) has the place.
             Stack 640 bytes. */
MPX_API mpx_status mpx_amp_rules_parse(const char *text, mpx_amp_rule *rules, size_t capacity,
                                       size_t *count, mpx_error *err);
MPX_API mpx_status mpx_amp_rules_parse_n(const char *text, size_t len, mpx_amp_rule *rules,
                                         size_t capacity, size_t *count, mpx_error *err);
/* Print rules as text that reads back, custom ones as key=custom, which does not. buf, size and the
   result as snprintf; 0, and an empty text, where a key is empty, has blanks around it or one of
   , ; # = or a line's end in it, or a dtype is not floating. */
MPX_API size_t mpx_amp_rules_format(const mpx_amp_rule *rules, size_t count, char *buf,
                                    size_t size);
/* What one operation needs: operands[i].to, and *answer (may be NULL).
   op        its name; NULL: none
   scope     "encoder/attention", outermost first (amp->separator); NULL or "": none
   Returns   MPX_ERR_DTYPE for operands, rules or a compute dtype that are none or not floating, or
             what a custom rule returned; MPX_ERR_ARGUMENT with MPX_AMP_JAXAMP for the widest of
             no operands; *answer is untouched and every operands[i].to is operands[i].dtype. Time:
             names * rules. Stack 1500 bytes. */
MPX_API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                               mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer);

/* Enter a scope, leave the innermost. The name must live until then. Here a name is whole: "a/b" is
   one. MPX_ERR_SPACE if the array is full, MPX_ERR_SCOPE if there is none to leave; nothing then
   has changed. */
MPX_API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope);
MPX_API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run);
/* mpx_amp_ask in the active scopes. Stack 1500 bytes. */
MPX_API mpx_status mpx_amp_eager_ask(const mpx_amp_eager *run, const char *op,
                                     mpx_amp_operand *operands, size_t count,
                                     mpx_amp_answer *answer);
/* The same, and cast: operands[i].data and .dtype become what the operation takes, and .plain keeps
   the dtype it had. A cast lives until the next call, whose operand it may be. Operands with keep
   = 1 are cast once and then found again by data, count and dtypes, until mpx_amp_eager_forget: for
   weights. What needs no cast stays where it is.
   Returns   also MPX_ERR_SPACE if the arena or run->kept is full, MPX_ERR_DTYPE for a cast that
             mpx_cast does not do; run, *answer, data and dtypes then are as before. Time: also
             operands to keep * (kept + operands). Stack as mpx_cast_strided + 448. */
MPX_API mpx_status mpx_amp_eager_cast(mpx_amp_eager *run, const char *op, mpx_amp_operand *operands,
                                      size_t count, mpx_amp_answer *answer);
/* The weights have changed: all kept casts are dropped, and their storage is free again. */
MPX_API void mpx_amp_eager_forget(mpx_amp_eager *run);

/* The graph of count nodes in an array. */
MPX_API mpx_amp_graph mpx_amp_graph_of_nodes(const mpx_amp_node *nodes, size_t count);
/* Bytes of memory that planning this graph takes, in *size.
   Returns   MPX_ERR_CYCLE for a node that reads one that does not come before it, MPX_ERR_DTYPE for
             one whose dtype is none, MPX_ERR_ARGUMENT for MPX_AMP_NODE_CAST without exactly one
             input or inputs that are NULL, MPX_ERR_SPACE where size_t overflows, or what the
             callback returned; err (may be NULL) names the node, *size is untouched.
             Stack 1700 bytes. */
MPX_API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_error *err);
/* Where casts go, and what that saves. A value is cast to a dtype once, before the first node that
   needs it; later nodes share that cast. Of a lossless cast of the graph's own (f16 to f32), what
   needs another dtype reads or casts its source; that cast is removed once nothing reads it.
   Results have the dtype of their operands where they had it without AMP (of f16 and bf16: f32),
   else their own.
   memory    size bytes as mpx_amp_plan_size says, any alignment; the plan lives there
   graph     as amp, is read here and by mpx_amp_explain only; rules must live as long as the plan
   Returns   as mpx_amp_plan_size and mpx_amp_ask, and MPX_ERR_STRUCTURE if the callback gives
             more inputs than before; *plan is untouched. Linear time but for the rules (mpx_amp_ask).
             Stack 1900 bytes and the callback's. */
MPX_API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                      size_t size, mpx_amp_plan *plan, mpx_error *err);
/* The plan as a table: per node a line with its operation, scope, the rule that decided, operands
   (f32>f16: cast), and result; then what is moved. buf, size and the result as snprintf. _node: one
   node's line, without its end; an empty text for one that is not there. A node that the graph now
   lacks, refuses, or gives another number of inputs is printed as ?. Stack 1600 bytes. */
MPX_API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
                               size_t size);
MPX_API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                    char *buf, size_t size);
#endif

#if MPX_COMPUTE
/* ---- compute, with MPX_COMPUTE ----------------------------------------------------------------
   Products are added in f32, in several sums at once; how many depends on the instruction set, and
   so do the last bits. Error bound, underflow aside: n * 2^-24 * the sum of |a[i] * b[i]|. Weights
   of i8 and quantized ones whose codes are multiplied as integers: x is rounded to 16 bits first, no
   finer than 2^-126, so also 2^-15 * the sum of |w[i]| * the largest |x| of 1536 elements; x with
   Inf or NaN then gives NaN. Scales from 2^101 on, and x from 2^90 on that scales would make small
   again, can give Inf or NaN. The caller's floating-point modes change nothing, but in plain C.
   Storage of any dtype of 8 bits and more but complex ones; f64 and integers of 32 bits and more are
   rounded to f32 first. */

/* The sum of a[i] * b[i]; NaN where a dtype is none of these. Stack 18950 bytes. */
MPX_API float mpx_dot(const void *a, mpx_dtype a_type, const void *b, mpx_dtype b_type, size_t n);
/* y = w * x: y[r] is the dot product of row r of w with x.
   y        rows elements of y_type, a float; must not overlap w and x
   w        rows * cols elements; x: cols elements
   Returns  MPX_ERR_DTYPE for dtypes that are none of these; MPX_ERR_SPACE where size_t overflows.
            Then nothing is written. Stack 18900 bytes. */
MPX_API mpx_status mpx_matvec(void *y, mpx_dtype y_type, const void *w, mpx_dtype w_type,
                              const void *x, mpx_dtype x_type, size_t rows, size_t cols);
/* The same with quantized weights, a stride, a bias and an activation, in pieces for threads.
   opt      may be NULL
   Fast     weights that are read as they are: f32, f16, bf16, f8e4m3fn, f8e5m2, i8; i8, i4, floats of
            8 bits, and i8, u8, i4, u4 with zero points, with one scale, one a row, or one for 32, 64,
            128 ... elements of a row (Keras' formats too); MXFP8; Q8_0, Q4_0 and MXFP4. Others are
            first read to f32, 512 at a time
   Returns  what mpx_matvec and mpx_quant_layout_of return, MPX_ERR_ARGUMENT for an activation that
            there is not, MPX_ERR_UNSUPPORTED for a quantized w under MPX_NO_QUANT.
            Stack 18650 bytes. */
MPX_API mpx_status mpx_matvec_with(void *y, mpx_dtype y_type, mpx_matrix w, const void *x,
                                   mpx_dtype x_type, const mpx_matvec_options *opt);
/* c = a * b, of which a has rows m and columns k, b rows k and columns n: with an activation, a bias,
   transposed operands. All is summed in f32, whatever is stored; every sum is rounded once to c.
   c        m rows of n elements of c_type, a float; must not overlap a and b
   a, b     any matrices, quantized ones too: b is dequantized as it is packed
   opt      has the workspace, so it may not be NULL
   Packed   a b that is used often, such as weights, is packed once: dst has mpx_matmul_packed_bytes,
            about 4 an element, at a multiple of 4. It depends on the instruction set of the call
   Pairs    with MPX_BF16_DOTS (0 or 1; 1 for AArch64 with BF16 and -march=znver4 or later) and an
            instruction for it, two matrices of bf16, or of 8 bits and not quantized, are multiplied
            in pairs: twice the bound of mpx_dot, and subnormal bf16 and sums count as zero. A packed
            b needs packed_for to be so; it has about 2 bytes an element then, and serves such an a
            alone: else MPX_ERR_DTYPE
   Threads  pieces are slabs of 256 columns; of a packed b, 72 rows of them. Bits stay the same
   Returns  MPX_ERR_SHAPE where a and b do not fit each other, MPX_ERR_SPACE for a workspace that is
            too small (the size is never 0, unless b is refused), and what mpx_matvec_with returns.
            Stack 16350 bytes. */
MPX_API mpx_status mpx_matmul(void *c, mpx_dtype c_type, mpx_matrix a, mpx_matrix b,
                              const mpx_matmul_options *opt);
MPX_API size_t mpx_matmul_workspace(mpx_matrix b, const mpx_matmul_options *opt);
MPX_API size_t mpx_matmul_packed_bytes(mpx_matrix b, const mpx_matmul_options *opt);
MPX_API mpx_status mpx_matmul_pack(void *dst, mpx_matrix b, const mpx_matmul_options *opt);

/* dst[i] = act(src[i]), computed in f32 and rounded once more where dst is no f32. NaN stays NaN.
   And the gradient, dx[i] = dy[i] * act'(x[i]); of relu it is 0 at 0.
   dst      n elements of dst_type; may be src, and dx may be x or dy, where that has as many bits
   Error    in units of the last place of f32: exp 1.1, tanh 1.4, sigmoid and silu 3, gelu_erf 7,
            gelu 7 from -2 on and 300 below; of derivatives exp 1.1, tanh and sigmoid 5, the others
            4, or 4 * 2^-24 where they are below 1 / 2. All bf16 and f16 inputs give the nearest
            result or its neighbour: of bf16 one of silu' and one of gelu', of f16 at most 13
   SLEEF    with MPX_USE_SLEEF: log, sin, cos, erf, expm1 and their derivatives. NaN comes of the log
            of what is below 0, and of sin and cos of Inf. Error 1.0, of erf below 2^-120 2.1, of its
            derivative 2.5. f16 inputs: at most 4 are not the nearest result but its neighbour
   Returns  MPX_ERR_DTYPE for dtypes that are no floats of 8 bits and more, MPX_ERR_ARGUMENT for an
            activation that there is not, or not in this build. Stack 8900 bytes, and SLEEF's. */
MPX_API mpx_status mpx_activate(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n, mpx_activation act);
MPX_API mpx_status mpx_activate_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                     const void *x, mpx_dtype x_type, size_t n, mpx_activation act);
#if MPX_USE_SLEEF
/* dst[i] = x[i] to the power y[i], with MPX_USE_SLEEF. Special values are those of C's pow: 1 to the
   power NaN, and anything to the power 0, is 1; a negative x has powers of whole y alone, else NaN.
   dst      n elements of dst_type; may be x or y, where that has as many bits
   Error    1.0 units of the last place
   Returns  MPX_ERR_DTYPE for dtypes that are no floats of 8 bits and more. Stack as mpx_activate,
            and SLEEF's. */
MPX_API mpx_status mpx_pow(void *dst, mpx_dtype dst_type, const void *x, mpx_dtype x_type,
                           const void *y, mpx_dtype y_type, size_t n);
#endif

/* Functions of each row of a matrix, whose rows lie one after the other: softmax e^x / sum(e^x) and
   its logarithm; layer_norm (x - mean) / sqrt(variance + eps) * weight + bias; rms_norm
   x / sqrt(mean(x * x) + eps) * weight + bias. Computed in f32, with sums in f64 of parts of
   at most 512 elements. A row with a NaN, and one without a finite largest element (softmax),
   becomes NaN.
   Error    6 * 2^-24, without vectors 12, of the result times 1 + (largest - x) / 4 (softmax), or of
            the sum of the magnitudes that the result is made of, and of 1 (log_softmax); gradients 8
            and 16. Norms: where no square of x is beyond f32, as that of 2^64 is; then results are 0
   dst      rows * cols elements of dst_type; may be src where that has as many bits
   opt      may be NULL
   Returns  MPX_ERR_DTYPE for dtypes that are no floats of 8 bits and more; MPX_ERR_SPACE where
            size_t overflows. Then nothing is written. Stack 13100 bytes. */
MPX_API mpx_status mpx_softmax(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                               size_t rows, size_t cols);
MPX_API mpx_status mpx_log_softmax(void *dst, mpx_dtype dst_type, const void *src,
                                   mpx_dtype src_type, size_t rows, size_t cols);
MPX_API mpx_status mpx_layer_norm(void *dst, mpx_dtype dst_type, const void *src,
                                  mpx_dtype src_type, size_t rows, size_t cols,
                                  const mpx_norm_options *opt);
MPX_API mpx_status mpx_rms_norm(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols, const mpx_norm_options *opt);
/* Their gradients: dx from dy, and from y = softmax(x) or the x of a norm.
   dx       rows * cols elements of dx_type; may be dy or x where that has as many bits
   opt      weight and eps as they were; opt->dweight and opt->dbias get the sums over rows of
            dy * (what the weight was multiplied by) and of dy, in f32, added to what is there: each
            row adds 2^-24 to their error
   Returns  the same. Stack 13100 bytes. */
MPX_API mpx_status mpx_softmax_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                    const void *y, mpx_dtype y_type, size_t rows, size_t cols);
MPX_API mpx_status mpx_layer_norm_grad(void *dx, mpx_dtype dx_type, const void *dy,
                                       mpx_dtype dy_type, const void *x, mpx_dtype x_type,
                                       size_t rows, size_t cols, const mpx_norm_options *opt);
MPX_API mpx_status mpx_rms_norm_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                     const void *x, mpx_dtype x_type, size_t rows, size_t cols,
                                     const mpx_norm_options *opt);
/* The cross-entropy of softmax(x) with labels: loss[r] = -log(softmax(x)[r][labels[r]]), and
   dx = (softmax(x) - 1 at the label) * scale.
   loss     rows, or NULL; dx: rows * cols elements of dx_type, or NULL; may be x where that has as
            many bits. Without dx its dtype means nothing
   labels   rows columns. Negative: the row has loss 0 and gradient 0
   scale    the loss scale, divided by the count of rows where losses are averaged
   Error    of a loss 2 * 2^-24 of |largest| + |x at the label| + log(sum(e^(x - largest))) + 3; of
            dx as of softmax, times scale
   Returns  also MPX_ERR_ARGUMENT for a label from cols on. Stack 14100 bytes. */
MPX_API mpx_status mpx_cross_entropy(float *loss, void *dx, mpx_dtype dx_type, const void *x,
                                     mpx_dtype x_type, const int32_t *labels, size_t rows,
                                     size_t cols, float scale);
/* Rotary position embedding: pairs of elements of each head are turned as points (a, b) of a plane,
   to (a * cos - b * sin, b * cos + a * sin).
   dst      rows * heads * dim elements of dst_type; may be src where that has as many bits
   table    for each row, which is a position, dim / 2 cosines and then dim / 2 sines
   inverse  1: back, by -sin; so gradients are turned
   Error    2 * 2^-24 * (|a| + |b|)
   Returns  also MPX_ERR_ARGUMENT for an odd dim and pairs that are none. Stack 9100 bytes. */
MPX_API mpx_status mpx_rotary(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                              const float *table, size_t rows, size_t heads, size_t dim,
                              mpx_rotary_pairs pairs, int inverse);
/* Fill such a table for positions first, first + 1, ... with angles position * theta^(-2 * i / dim).
   table    rows * dim; theta, often 10000, from 1 to 1e30
   Error    at positions below 2^20: 0.51 * 2^-24 for dim up to 256, 0.55 up to 1024; 0.7 and 1.3 for
            theta below 1000
   Returns  MPX_ERR_ARGUMENT for an odd dim or another theta. Stack 400 bytes. */
MPX_API mpx_status mpx_rotary_table(float *table, size_t first, size_t rows, size_t dim,
                                    double theta);

/* One step of an optimizer, in one pass over memory: gradients are read, divided by the loss scale
   and clipped; m, v and the masters are updated; the copies are written. The formulas are those of
   PyTorch's SGD (dampening 0), Adam and AdamW.
   arrays    count of them, which do not overlap. Parameters and gradients are floats of 8 to 32
             bits; copies of masters are rounded to nearest, as by mpx_cast
   opt       opt->step counts up. With MPX_NO_REDUCE there is no max_norm, with MPX_NO_CAST_WITH
             only MPX_ROUND_NEAREST
   finite    0: a gradient, divided by the loss scale, is Inf or NaN, or is so in f32. Then nothing
             is written and no step counted. Else 1. May be NULL. For mpx_loss_scale_adjust
   Error     with u = 2^-24, of results in f32 against exact arithmetic: m within 8 u of the sum of
             the magnitudes that it is made of, v within 12 u; parameters within 4 u of their own
             magnitude and 24 u of that of the step made from those magnitudes. More where the decay
             of ADAM cancels a gradient, so that v has lost digits, and where numbers are below
             2^-126; v overflows from gradients of 2^64 on, and steps are 0 then. The last bits depend
             on the instruction set, not on pieces and places; on floating-point modes without
             instructions for floats
   Returns   MPX_ERR_ARGUMENT for an optimizer that is none (numbers negative, NaN or from 2^64 on,
             betas and momentum from 1 on, eps below 2^-126) and for arrays that lack an m or v;
             MPX_ERR_DTYPE. Nothing is changed then; err, which may be NULL, has the index.
   Stack     12100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_optimizer_step(mpx_optimizer *opt, const mpx_optimizer_arrays *arrays,
                                      size_t count, int *finite, mpx_error *err);
#if !MPX_NO_TREE
/* The same for trees. Returns also MPX_ERR_STRUCTURE where trees differ, and what walkers return.
   Stack 12100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_optimizer_step_tree(mpx_optimizer *opt, const mpx_optimizer_trees *trees,
                                           int *finite, mpx_error *err);
#endif

#if !MPX_NO_AMP
/* Execute a planned graph: every node and cast in order, by one call. Operations:

       matmul dot_general       mpx_matmul. The second input has as many matrices as the first, or
                                one for all; MPX_AMP_NODE_TRANSPOSE_A, _B. Sums are f32, whatever
                                `acc` says
       softmax log_softmax      of rows
       layer_norm rms_norm      of rows; a weight and a bias as second and third input, of one dtype
       exp tanh logistic sigmoid relu silu gelu gelu_erf   mpx_activate
       add sub mul div          the second input has the shape of the first, or one row for all, or
                                one element a row, or one. Computed in f32, then rounded
       cast convert_element_type copy reshape              mpx_cast; nodes that are MPX_AMP_NODE_CAST

   The result has the dtype that the plan gives it and, but for reshape, the shape that follows from
   the inputs. All floats of 8 bits and more; f64 is computed in f32.
   program   values[i] is node i's, values[node_count + k] cast k's. Inputs and weights have data.
             What is read after the run needs data too: values[plan->nodes[i].output]
   memory    size bytes as mpx_amp_run_size says, any alignment: intermediate results, of which each
             place is used again once nothing reads it, and the workspace of the largest matmul.
             Time to lay it out: about the square of the count of values, at worst the cube
   Returns   MPX_ERR_OPERATION for one that neither ops nor this list has; MPX_ERR_ARGUMENT for a
             number of inputs that it does not take, or inputs and weights without data;
             MPX_ERR_SHAPE, MPX_ERR_DTYPE; MPX_ERR_STRUCTURE for a graph that is not the plan's;
             MPX_ERR_SPACE; what the graph's callback returns. Nothing is computed then, and err,
             which may be NULL, names the node, of a cast that before which it runs. What an
             operation of yours returns other than MPX_OK ends the run. Stack as mpx_matmul + 1400
             bytes, and the callbacks'. */
MPX_API mpx_status mpx_amp_run(const mpx_amp_program *program, void *memory, size_t size,
                               mpx_error *err);
/* Bytes of memory that it takes, in *size. Checks the same, and sets dtypes and shapes of values. */
MPX_API mpx_status mpx_amp_run_size(const mpx_amp_program *program, size_t *size, mpx_error *err);
#endif
#endif /* MPX_COMPUTE */

#if MPX_FILES
/* ---- files ------------------------------------------------------------- */

/* Look into a file of which all bytes are in memory, and check it: lengths, names, sizes, that no
   two tensors overlap or have one name. The format is found by the content. Data stay where they
   are, and are not read.
   bytes    any alignment; must live as long as *file is used
   memory   memory_size bytes for what *file points to; as long. How many are needed says err->need
            of MPX_ERR_SPACE, for NULL and 0 too: about 200 a tensor
   Names    are UTF-8 without NUL. safetensors: escapes are decoded, keys of a tensor are the three
            that there are; data cover the file without holes. GGUF: blocks are whole in the last
            dimension; of metadata arrays of arrays are refused. .npz: members are stored, not
            compressed, and named "x.npy", of which "x" is left; their checksums are not looked at
   Types    a dtype that is not known here is listed, with its bytes: see mpx_file_tensor. GGUF: a
            type that ggml does not have, .npy: objects and structs are MPX_ERR_FORMAT
   Returns  MPX_ERR_FILE, MPX_ERR_FORMAT with the byte's offset and a reason; MPX_ERR_SPACE. *file
            then is untouched; err may be NULL. Time n log n in tensors. Stack 1400 bytes.
   Source   safetensors 0.8, tensor.rs; ggml's gguf.md; NumPy's format.py; PKWARE APPNOTE 6.3.10 */
MPX_API mpx_status mpx_file_open(mpx_file *file, const void *bytes, size_t size, void *memory,
                                 size_t memory_size, mpx_error *err);
/* A tensor, an entry of the metadata by name; NULL if there is none. */
MPX_API const mpx_file_tensor *mpx_file_find(const mpx_file *file, const char *name);
MPX_API const mpx_file_meta *mpx_file_find_meta(const mpx_file *file, const char *key);
/* Number i of an entry, cast to a dtype as by mpx_cast.
   Returns  MPX_ERR_DTYPE if the entry is text, or a dtype cannot be cast to; MPX_ERR_ARGUMENT if
            there is no number i. */
MPX_API mpx_status mpx_file_number(void *dst, mpx_dtype type, const mpx_file_meta *meta, size_t i);
/* The next text of an entry, without a NUL, and its bytes; NULL behind the last, and for numbers.
   at       0 at first */
MPX_API const char *mpx_file_text(const mpx_file_meta *meta, size_t *at, size_t *length);
#if !MPX_NO_TREE
/* The tensors as a tree. Blocks and what else is no elements here are leaves of MPX_U8. */
MPX_API mpx_tree mpx_tree_of_file(const mpx_file *file);
#endif

/* The bytes that a file needs. Returns what mpx_file_write returns. */
MPX_API mpx_status mpx_file_size(const mpx_file *file, size_t *size, mpx_error *err);
/* Write a file, first byte to last, tensors and metadata in their order: the same bytes for the
   same arguments on every machine. They are those of the packages safetensors, gguf and numpy, if
   the order is theirs: safetensors sorts tensors by dtype and name, and metadata at random.
   tensors  of dtypes that the format has. GGUF: also blocks. Data of `swapped` tensors are turned.
            .npz: none without data
   metas    GGUF: all; general.alignment is followed. safetensors: texts. .npy, .npz: none
   Returns  MPX_ERR_DTYPE, MPX_ERR_SHAPE, MPX_ERR_FORMAT for a tensor or an entry that the format
            does not have, MPX_ERR_EXISTS for a name that is there twice, MPX_ERR_FILE for one that
            is no UTF-8, MPX_ERR_SPACE beyond size_t, before anything is written; what the callback
            returns. err may be NULL. Stack 3000 bytes. */
MPX_API mpx_status mpx_file_write(const mpx_file *file, mpx_file_write_fn write, void *user,
                                  mpx_error *err);
/* The same into memory: exactly mpx_file_size bytes. MPX_ERR_SPACE if there are fewer;
   MPX_ERR_ARGUMENT for a tensor without data. */
MPX_API mpx_status mpx_file_save(void *dst, size_t dst_size, const mpx_file *file, mpx_error *err);
#endif /* MPX_FILES */

#ifdef __cplusplus
}
#endif
