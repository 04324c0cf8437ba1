/*==================================================================*
 * MARK: outro - no private macro stays defined
 *==================================================================*/
#undef MPX__ALIGNMENT
#undef MPX__ALIGN_LOOP
#undef MPX__API
#undef MPX__AVX512_NAMES
#undef MPX__BARRIER
#undef MPX__BLOCK
#undef MPX__CHUNK
#undef MPX__COLD
#undef MPX__COMPACT
#undef MPX__COMPLEX_BITS
#undef MPX__DISPATCH_PAIRS
#undef MPX__DTYPE_BITS
#undef MPX__ENGINE_FN
#undef MPX__EXACT
#undef MPX__F32_INF
#undef MPX__F32_ONE
#undef MPX__FLOATS
#undef MPX__FORCE_INLINE
#undef MPX__FP_BARRIER
#undef MPX__GRAIN
#undef MPX__HAS_64
#undef MPX__HAS_AVX2
#undef MPX__HAS_AVX512
#undef MPX__HAS_BF16
#undef MPX__HALVES_BY
#undef MPX__HAS_BYTES
#undef MPX__HAS_COMPLEX
#undef MPX__HAS_DIVIDER
#undef MPX__HAS_F16
#undef MPX__HAS_F64
#undef MPX__HAS_FLOAT
#undef MPX__HAS_INT
#undef MPX__HAS_NEON
#undef MPX__HAS_PACKED
#undef MPX__HAS_RVV
#undef MPX__HAS_SMALL
#undef MPX__HAS_SSE2
#undef MPX__HAS_WASM
#undef MPX__HERE
#undef MPX__INLINE
#undef MPX__INTEGER_BITS
#undef MPX__IN_IMPLEMENTATION
#undef MPX__KEEP_POINTER
#undef MPX__KEEP_VALUE
#undef MPX__KEPT
#undef MPX__LEAST_GRAIN
#undef MPX__LEAST_LIMIT
#undef MPX__LEAVES_UPPER
#undef MPX__LONG_WAY
#undef MPX__LOOP
#undef MPX__NOINLINE
#undef MPX__NOINLINE_PAIRS
#undef MPX__NOWHERE
#undef MPX__NO_CHAR
#undef MPX__NO_UNICODE
#undef MPX__ONCE
#undef MPX__PAIR
#undef MPX__PARTS
#undef MPX__PASTE
#undef MPX__PASTE_
#undef MPX__PIECE_UNIT
#undef MPX__PREFETCH
#undef MPX__PRIVATE
#undef MPX__RARELY
#undef MPX__READ_HERE
#undef MPX__ROW_STEP
#undef MPX__SELDOM
#undef MPX__SMALL_BITS
#undef MPX__STATS_TILE
#undef MPX__STEP_AHEAD
#undef MPX__SUM_VECTORS
#undef MPX__TARGET
#undef MPX__THREAD_LOCAL
#undef MPX__TILE_COLUMNS
#undef MPX__TILE_ROWS_HERE
#undef MPX__TWICE_E2M1
#undef MPX__UNROLL
#undef MPX__UNUSED
#undef MPX__VECTOR
#if defined(_MSC_VER) && !defined(__clang__)
#pragma warning(pop)
#endif
#if defined(__GNUC__) && defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
