/*==========================================================================*
 * MARK: outro - no private macro stays defined                              *
 *==========================================================================*/
#undef MPX__INLINE
#undef MPX__FORCE_INLINE
#undef MPX__SHARED_INLINE
#undef MPX__PRIVATE
#undef MPX__KEEP_LOOP
#undef MPX__IN_NONE
#undef MPX__IN_ALL
#undef MPX__IN_PUT
#undef MPX__IN_KERAS
#undef MPX__IN_KERAS_PUT
#undef MPX__IN_KERAS_PUT_EFORMER
#undef MPX__IN_KERAS_AXON
#undef MPX__IN_AXON
#undef MPX__FORMAT_NONE
#undef MPX__FORMAT_F64
#undef MPX__FORMAT_F32
#undef MPX__FORMAT_F16
#undef MPX__FORMAT_BF16
#undef MPX__FORMAT_F8E4M3FN
#undef MPX__FORMAT_F8E5M2
#undef MPX__FORMAT_F8E4M3FNUZ
#undef MPX__FORMAT_F8E5M2FNUZ
#undef MPX__FORMAT_F8E4M3B11FNUZ
#undef MPX__FORMAT_F8E4M3
#undef MPX__FORMAT_F8E3M4
#undef MPX__FORMAT_F8E8M0FNU
#undef MPX__FORMAT_F6E2M3FN
#undef MPX__FORMAT_F6E3M2FN
#undef MPX__FORMAT_F4E2M1FN
#undef MPX__DTYPES
#undef MPX__EXPECTED_DTYPE
#undef MPX__LANES
#undef MPX__ISA_NAME
#undef MPX__DECODER
#undef MPX__ENCODER
#undef MPX__TO_F32
#undef MPX__FROM_F32
#undef MPX__STATS_TILE
#undef MPX__HAS_SSE2
#undef MPX__HAS_AVX2
#undef MPX__HAS_AVX512
#undef MPX__ALIGNMENT
#undef MPX__PARTS
#undef MPX__PIECE_UNIT
#undef MPX__GRAIN
#undef MPX__LEAST_GRAIN
#undef MPX__F32_ONE
#undef MPX__F32_INF
#if defined(_MSC_VER) && !defined(__clang__)
#pragma warning(pop)
#endif
