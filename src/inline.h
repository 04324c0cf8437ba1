/*==========================================================================*
 * MARK: inline - single values: f16, bf16, e4m3fn, e5m2                     *
 *   For code that touches one value; whole buffers go through mpx_cast.     *
 *   Integers only, no branches: a loop over these is vectorised by the      *
 *   compiler, and no floating-point mode matters. Results are mpx_cast's.   *
 *==========================================================================*/

/* Bits of a float that came by value. Under -ffinite-math-only clang folds every test of such bits
   against Inf and NaN (even through memcpy), so there they pass through an empty asm, which the
   optimiser cannot see through. */
MPX__INLINE uint32_t mpx__bits(float x) {
    union { float f; uint32_t u; } pun;
    pun.f = x;
#if defined(__clang__) && defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
    __asm__("" : "+r"(pun.u));
#endif
    return pun.u;
}

MPX__INLINE float mpx__float(uint32_t u) {
    union { uint32_t u; float f; } pun;
    pun.u = u;
    return pun.f;
}

/* The f32 bits u rounded to a format of e exponent and m mantissa bits with IEEE's bias 2^(e-1) -
   1; the code stands in the low bits.

     f32      s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      bias 127
     target   s eeeee    mmmmmmmmmm                   the lowest drop = 23 - m bits go

   1. Normal: lower the exponent field by 127 - bias, add half an ulp less one and the lowest kept
      bit (ties to even), shift. A carry out of the mantissa raises the exponent, as it should.
   2. Subnormal: the mantissa with its hidden bit is shifted by one more for each exponent below the
      smallest normal. From 25 on every bit lies below half an ulp: zero.
   3. What exceeds the largest code becomes Inf or, where the format has none (e4m3fn), the NaN of
      all ones.
   4. NaN keeps its sign and leading payload bits and gets the quiet bit. */
MPX__INLINE uint32_t mpx__round(uint32_t u, uint32_t e, uint32_t m, int has_inf) {
    uint32_t drop = 23u - m, rebias = (127u - ((1u << (e - 1)) - 1u)) << 23;
    uint32_t ones = (1u << (e + m)) - 1u, inf = ones & ~((1u << m) - 1u);
    uint32_t top = has_inf ? inf : ones, a = u & 0x7fffffffu;
    uint32_t fraction = a & 0x7fffffu, hidden = fraction | 0x800000u;
    uint32_t normal = (a - rebias + (1u << (drop - 1u)) - 1u + ((a >> drop) & 1u)) >> drop;
    uint32_t more = drop + 1u + (rebias >> 23) - (a >> 23), s = more - 1u > 24u ? 25u : more;
    uint32_t low = (hidden + (1u << (s - 1u)) - 1u + ((hidden >> s) & 1u)) >> s;
    uint32_t code = rebias != 0 && a < rebias + 0x800000u ? low : normal;
    uint32_t nan = has_inf ? inf | 1u << (m - 1) | fraction >> drop : ones;
    return u >> 31 << (e + m) | (a > 0x7f800000u ? nan : code > top ? top : code);
}

/* The f32 bits of a code; always exact. A subnormal code is shifted left (8, 4, 2, 1 places as far
   as it fits) until its leading bit stands where the hidden bit of a normal would, and the exponent
   is lowered by as much. */
MPX__INLINE uint32_t mpx__value(uint32_t code, uint32_t e, uint32_t m, int has_inf) {
    uint32_t drop = 23u - m, exponent = 127u - ((1u << (e - 1)) - 1u), step, u;
    uint32_t ones = (1u << (e + m)) - 1u, inf = ones & ~((1u << m) - 1u), a = code & ones, x = a;
    for (step = 8u; step != 0u; step >>= 1) {
        uint32_t by = x << step >> (m + 1) ? 0u : step;
        x <<= by;
        exponent -= by;
    }
    u = a == 0u ? 0u : (x << drop) + (exponent << 23);
    if (!has_inf) u = a == ones ? 0x7fc00000u : u;
    else if (a >= inf) u = 0x7f800000u | (a > inf ? 0x400000u : 0u) | (a & ~inf) << drop;
    return code >> (e + m) << 31 | u;
}

/* x rounded to the format. `float` by value may lose a signalling NaN's bits (i386); _from_bits
   takes the bits of the float. */
MPX__INLINE uint16_t mpx_f16_from_bits(uint32_t u) { return mpx__round(u, 5, 10, 1) & 0xffffu; }
MPX__INLINE uint16_t mpx_bf16_from_bits(uint32_t u) { return mpx__round(u, 8, 7, 1) & 0xffffu; }
MPX__INLINE uint8_t mpx_f8e4m3fn_from_bits(uint32_t u) { return mpx__round(u, 4, 3, 0) & 0xffu; }
MPX__INLINE uint8_t mpx_f8e5m2_from_bits(uint32_t u) { return mpx__round(u, 5, 2, 1) & 0xffu; }
MPX__INLINE uint16_t mpx_f16_from_f32(float x) { return mpx_f16_from_bits(mpx__bits(x)); }
MPX__INLINE uint16_t mpx_bf16_from_f32(float x) { return mpx_bf16_from_bits(mpx__bits(x)); }
MPX__INLINE uint8_t mpx_f8e4m3fn_from_f32(float x) { return mpx_f8e4m3fn_from_bits(mpx__bits(x)); }
MPX__INLINE uint8_t mpx_f8e5m2_from_f32(float x) { return mpx_f8e5m2_from_bits(mpx__bits(x)); }

/* The value of a code; always exact. _to_bits gives the bits of the float. bf16 is the upper half
   of a float32; only a signalling NaN changes: it becomes quiet. */
MPX__INLINE uint32_t mpx_f16_to_bits(uint16_t code) { return mpx__value(code, 5, 10, 1); }
MPX__INLINE uint32_t mpx_bf16_to_bits(uint16_t code) {
    uint32_t u = code;
    return ((u & 0x7fffu) > 0x7f80u ? u | 0x40u : u) << 16;
}
MPX__INLINE uint32_t mpx_f8e4m3fn_to_bits(uint8_t code) { return mpx__value(code, 4, 3, 0); }
MPX__INLINE uint32_t mpx_f8e5m2_to_bits(uint8_t code) { return mpx__value(code, 5, 2, 1); }
MPX__INLINE float mpx_f16_to_f32(uint16_t c) { return mpx__float(mpx_f16_to_bits(c)); }
MPX__INLINE float mpx_bf16_to_f32(uint16_t c) { return mpx__float(mpx_bf16_to_bits(c)); }
MPX__INLINE float mpx_f8e5m2_to_f32(uint8_t c) { return mpx__float(mpx_f8e5m2_to_bits(c)); }
MPX__INLINE float mpx_f8e4m3fn_to_f32(uint8_t c) { return mpx__float(mpx_f8e4m3fn_to_bits(c)); }
#undef MPX__INLINE
