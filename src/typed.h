/*==================================================================*
 * MARK: typed - mpx_cast of the common pairs, by name
 *   The compiler checks the types of the pointers. Casts to int8 are plain casts: truncated toward
 *   zero, saturated, without a scale. Each function returns what mpx_cast returns.
 *==================================================================*/

#define MPX__TYPED(name, from, S, to, D) \
    MPX__INLINE mpx_status name(D *dst, const S *src, size_t n) { \
        return mpx_cast(dst, to, src, from, n); \
    }
MPX__TYPED(mpx_cast_f32_to_f16, MPX_F32, float, MPX_F16, uint16_t)
MPX__TYPED(mpx_cast_f16_to_f32, MPX_F16, uint16_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_bf16, MPX_F32, float, MPX_BF16, uint16_t)
MPX__TYPED(mpx_cast_bf16_to_f32, MPX_BF16, uint16_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_f8e4m3fn, MPX_F32, float, MPX_F8E4M3FN, uint8_t)
MPX__TYPED(mpx_cast_f8e4m3fn_to_f32, MPX_F8E4M3FN, uint8_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_f8e5m2, MPX_F32, float, MPX_F8E5M2, uint8_t)
MPX__TYPED(mpx_cast_f8e5m2_to_f32, MPX_F8E5M2, uint8_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_i8, MPX_F32, float, MPX_I8, int8_t)
MPX__TYPED(mpx_cast_i8_to_f32, MPX_I8, int8_t, MPX_F32, float)
#undef MPX__TYPED
