/*==================================================================*
 * MARK: kernels - which kernel, from one form to another
 *   Each kernel has one line: target, source, function, and the floating-point environment that it
 *   needs. Pairs without a kernel are cast through other forms, which plan.h chooses.
 *==================================================================*/
#if !MPX__COMPACT

#define MPX__ENTRY(to, from, kernel, env) \
    case MPX__PAIR(to, from): return mpx__kernel_of(kernel, env);

MPX__PRIVATE mpx__kernel mpx__find_kernel(int to, int from) {
    switch (MPX__PAIR(to, from)) {
#if MPX__HAS_F16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F16, mpx__f16_to_f32, MPX__F16_ENV)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F32, mpx__f32_to_f16, MPX__TO_F16_ENV)
#endif
#if MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_BF16, mpx__bf16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F32, mpx__f32_to_bf16, MPX__BF16_ENV)
#endif
#if MPX__HAS_FLOAT
#if MPX__HAS_F16 && MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_BF16, mpx__bf16_to_f16, MPX__TO_F16_ENV)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F16, mpx__f16_to_bf16, MPX__F16_ENV)
#endif
#if MPX__HAS_F64
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_F32, mpx__f32_to_f64, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F64, mpx__f64_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32_ODD, MPX__FORM_F64, mpx__f64_to_odd, MPX__ENV_ALL)
#endif
#if MPX__HAS_F64 && MPX__HAS_F16
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F64, mpx__f64_to_f16, MPX__ENV_ALL)
#endif
#if MPX__HAS_F64 && MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F64, mpx__f64_to_bf16, MPX__ENV_ALL)
#endif

#if MPX__HAS_SMALL
#ifdef MPX__OWN_BYTES_AS_F16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E4M3FN, mpx__f8_to_f32_as_f16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8, mpx__f8_to_f32_as_f16, MPX__ENV_ANY)
#else
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E4M3FN, mpx__f8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8, mpx__f8_to_f32, MPX__ENV_ANY)
#endif
#if MPX__F16_BY_SUMS
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E5M2, mpx__f8_to_f32, MPX__ENV_ANY)
#else
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E5M2, mpx__e5m2_to_f32, MPX__F16_ENV)
#endif
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8_OTHER, mpx__f8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E8M0, mpx__e8m0_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F6, mpx__f8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F4, mpx__f4_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F32, mpx__f32_to_e4m3fn, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8_OTHER, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E8M0, MPX__FORM_F32, mpx__f32_to_e8m0, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
#if MPX__HAS_F16
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_E4M3FN, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_E5M2, mpx__e5m2_to_f16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F8, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F6, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F4, mpx__f4_to_words, MPX__ENV_ANY)
#ifdef MPX__OWN_ENTRIES_64
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F16, mpx__16_to_e4m3fn, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F16, mpx__16_to_f8, MPX__ENV_ANY)
#else
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F16, mpx__f16_to_e4m3fn, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
#endif
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_F16, mpx__f16_to_e5m2, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F8_OTHER, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
#endif
#if MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_E4M3FN, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_E5M2, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F8, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F8_OTHER, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F6, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F4, mpx__f4_to_words, MPX__ENV_ANY)
#ifdef MPX__OWN_ENTRIES_64
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_BF16, mpx__16_to_e4m3fn, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_BF16, mpx__16_to_f8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_BF16, mpx__16_to_f8, MPX__ENV_ANY)
#else
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_BF16, mpx__bf16_to_e4m3fn, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
#endif
        MPX__ENTRY(MPX__FORM_F8_OTHER, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
#endif
#if MPX__HAS_F64
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F8_OTHER, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
#endif
#if MPX__HAS_JOIN
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_PACKED_F4, mpx__packed_f4_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_PACKED_F4, mpx__packed_f4_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_PACKED_F4, mpx__packed_f4_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_PACKED_F4, MPX__FORM_F32, mpx__f32_to_packed_f4, MPX__F8_ENV)
#endif
#endif /* MPX__HAS_SMALL */

#if MPX__HAS_INT
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I8, mpx__i8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U8, mpx__u8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I16, mpx__i16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U16, mpx__u16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I32, mpx__i32_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U32, mpx__u32_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_BOOL, MPX__FORM_F32, mpx__f32_to_bool, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_F32, mpx__f32_to_i8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_F32, mpx__f32_to_u8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_F32, mpx__f32_to_i16, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_F32, mpx__f32_to_u16, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_F32, mpx__f32_to_i32, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_F32, mpx__f32_to_u32, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_BOOL, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_BOOL, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BOOL, MPX__FORM_U8, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BOOL, MPX__FORM_I8, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_I4, mpx__i4_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_U4, mpx__u4_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I4, MPX__FORM_I8, mpx__i8_to_i4, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U4, MPX__FORM_U8, mpx__u8_to_u4, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_I8, mpx__i8_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_I8, mpx__i8_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_I8, mpx__i8_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_I8, mpx__i8_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_U8, mpx__u8_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_U8, mpx__u8_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_U8, mpx__u8_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U8, mpx__u8_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_U8, mpx__u8_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_I16, mpx__i16_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_I16, mpx__i16_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_I16, mpx__i16_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_I16, mpx__i16_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_U16, mpx__u16_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_U16, mpx__u16_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_U16, mpx__u16_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U16, mpx__u16_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_U16, mpx__u16_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_I32, mpx__i32_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_I32, mpx__i32_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_I32, mpx__i32_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_I32, mpx__i32_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I32, mpx__i32_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_I32, mpx__i32_to_i64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_I32, mpx__i32_to_u64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I8, mpx__i8_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I16, mpx__i16_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_U32, mpx__u32_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_U32, mpx__u32_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_U32, mpx__u32_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_U32, mpx__u32_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U32, mpx__u32_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_U32, mpx__u32_to_64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_U32, mpx__u32_to_64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_I64, mpx__i64_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I64, mpx__i64_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_I64, mpx__i64_to_u64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U64, mpx__u64_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_U64, mpx__u64_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_U64, mpx__u64_to_i64, MPX__ENV_ANY)
#if MPX__HAS_F64
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_I32, mpx__i32_to_f64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_U32, mpx__u32_to_f64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_I64, mpx__i64_to_f64, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_U64, mpx__u64_to_f64, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F64_ODD, MPX__FORM_I64, mpx__64_to_odd, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F64_ODD, MPX__FORM_U64, mpx__64_to_odd, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I64, mpx__i64_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U64, mpx__u64_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_F64, mpx__f64_to_i32, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_F64, mpx__f64_to_64, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_F64, mpx__f64_to_64, MPX__ENV_ALL)
#endif
#endif /* MPX__HAS_INT */

#else /* integer lanes only */
#if MPX__HAS_SMALL
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E4M3FN, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E5M2, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8_OTHER, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E8M0, mpx__e8m0_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F6, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F4, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
#endif
#if MPX__HAS_INT
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I8, mpx__i8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U8, mpx__u8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I16, mpx__i16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U16, mpx__u16_to_f32, MPX__ENV_ANY)
#endif
#endif /* MPX__HAS_FLOAT */
    default: return mpx__kernel_of(NULL, MPX__ENV_ANY);
    }
}
#undef MPX__ENTRY

#if MPX_NO_CAST_WITH
#define MPX__ROUND_TILE NULL
#else
#define MPX__ROUND_TILE mpx__round_tile
#endif
#if MPX__HAS_FLOAT && MPX__HAS_BF16 && !MPX_NO_CAST_WITH
#define MPX__AT_RANDOM mpx__f32_to_bf16_at_random
#else
#define MPX__AT_RANDOM NULL
#endif
#if !MPX__HAS_FLOAT || MPX_NO_REDUCE
#define MPX__SUMS_OF NULL, NULL, NULL, NULL
#elif MPX__HAS_F64
#define MPX__SUMS_OF mpx__squares_of_f32, mpx__squares_of_f64, mpx__add_f32, mpx__add_f64
#else
#define MPX__SUMS_OF mpx__squares_of_f32, NULL, mpx__add_f32, NULL
#endif
#if MPX_NO_VERTEX
#define MPX__NORMS NULL
#else
#define MPX__NORMS mpx__norms_here
#endif
static const mpx__engine mpx__engine_here = {
    MPX__ISA_NAME,
    MPX__BLOCK < 8 ? 8 : MPX__BLOCK, /* a block has whole bytes, whatever the dtype */
    mpx__find_kernel,
    mpx__find_scaling,
    MPX__ROUND_TILE,
    MPX__AT_RANDOM,
    mpx__first_bytes,
    mpx__largest16,
    mpx__largest32,
    mpx__largest_upper32,
    MPX__SUMS_OF,
#if MPX__HAS_PACKED
    mpx__unpack_vectors,
    mpx__pack_vectors,
#endif
    MPX__NORMS,
#if !MPX_NO_QUANT
    mpx__arith_here,
    mpx__largest_here,
    mpx__codes_here,
    mpx__values_here,
    MPX__SMALLS,
#endif
#if MPX_COMPUTE
    mpx__find_dots,
    MPX__X_TO_WORDS,
    MPX__UNBLOCKS,
    mpx__tile_here,
    mpx__panels_here,
    MPX__TILE_COLUMNS,
    MPX__TILE_ROWS_HERE,
    MPX__PAIRS,
    MPX__UNIT,
    MPX__OWN_TURN,
    mpx__step_here,
    &mpx__row_kernels_here,
#endif
    mpx__env_serves,
    mpx__env_enter,
    mpx__env_leave,
    mpx__fence,
};

#endif /* !MPX__COMPACT */
