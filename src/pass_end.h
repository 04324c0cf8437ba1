/*==========================================================================*
 * MARK: pass_end - the macros of the engine's rooms end here                *
 *   Generated from the rooms of the engine by tools/amalgamate.py --names.  *
 *==========================================================================*/
#undef MPX__LANES
#undef MPX__ISA_NAME
#undef MPX__HAS_MXCSR
#undef MPX__HAS_STREAM
#undef MPX__HAS_LOOKUP
#undef MPX__HAS_JOIN
#undef MPX__NATIVE_F16
#undef MPX__OWN_GT
#undef MPX__OWN_MAX_MAGNITUDE
#undef MPX__OWN_LARGEST_LANE
#undef MPX__OWN_AT_MOST_I32
#undef MPX__OWN_VF_OF_U32
#undef MPX__F16_ENV
#undef MPX__TO_F16_ENV
#undef MPX__OWN_AT_LEAST_0
#undef MPX__OWN_WHERE_ABOVE_0
#undef MPX__OWN_AT_LEAST_0_8
#undef MPX__OWN_PACK32
#undef MPX__OWN_LOAD_SIGNED16
#undef MPX__OWN_LOAD_UNSIGNED8
#undef MPX__OWN_HALVES
#undef MPX__OWN_TRUNCATE
#undef MPX__OWN_BYTES_AS_F16
#undef MPX__OWN_UPPER_WORDS
#undef MPX__OWN_WORDS_AT
#undef MPX__OWN_BF16_PAIR
#undef MPX__F8_ENV
#undef MPX__OWN_JOIN_UPPER16
#undef MPX__OWN_ENTRIES_128
#undef MPX__NEAREST
#undef MPX__OWN_ENV
#undef MPX__OWN_NAN_IN_BLOCK
#undef MPX__OWN_F64_OF_64
#undef MPX__OWN_F32_OF_64
#undef MPX__OWN_64_OF_F64
#undef MPX__OWN_BF16_BLOCK
#undef MPX__BF16_ENV
#undef MPX__OWN_SIGNS
#undef MPX__OWN_ODD
#undef MPX__NATIVE_BF16
#undef MPX__LOSES_NAN
#undef MPX__OWN_PRODUCT
#undef MPX__SPREAD
#undef MPX__LOADER
#undef MPX__STORER
#undef MPX__KERNEL
#undef MPX__KERNEL_WITH
#undef MPX__KERNEL_BY_TWO
#undef MPX__SCALE_KERNEL
#undef MPX__CHUNK_FN
#undef MPX__SMALLS
#undef MPX__ENTRY
#undef MPX__ROUND_TILE
#undef MPX__AT_RANDOM
#undef MPX__SUMS_OF
#undef MPX__NORMS
#if MPX_DISPATCH
#undef MPX__HAS_FLOAT
#else
#undef MPX__PASS
#endif
