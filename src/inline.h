/*==================================================================*
 * MARK: inline - single values: f16, bf16, e4m3fn, e5m2
 *   For code that converts one value; for whole buffers use mpx_cast. The results are those of
 *   mpx_cast, and no floating-point mode changes them. gcc -O3 and clang -O2 vectorise loops over
 *   these functions. Measured with AVX2, ns an element (make bench has the rows): to f32 0.1 to
 *   0.4, from f32 0.2 to 0.7, mpx_cast 0.05 to 0.2. gcc -O2 leaves the loops scalar: 0.8 to 3.
 *==================================================================*/

/* Bits of a float that came by value. */
MPX__INLINE uint32_t mpx__bits(float x) {
    union { float f; uint32_t u; } pun;
    pun.f = x;
    return pun.u;
}

MPX__INLINE float mpx__float(uint32_t u) {
    union { uint32_t u; float f; } pun;
    pun.u = u;
    return pun.f;
}

/* All ones if x > y, both below 2^31, else zero. By arithmetic, because clang 19 removes some tests
   of a float's bits for Inf under -ffinite-math-only, and may come to remove others. */
MPX__INLINE uint32_t mpx__above(uint32_t x, uint32_t y) { return 0u - ((y - x) >> 31); }

/* The f32 bits u rounded to a format of e < 8 exponent and m mantissa bits with IEEE's bias
   2^(e-1) - 1; the code stands in the low bits.

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
    uint32_t more = drop + 1u + (rebias >> 23) - (a >> 23), s = more > 25u ? 25u : more;
    uint32_t low = (hidden + (1u << s >> 1) - 1u + ((hidden >> s) & 1u)) >> s;
    uint32_t code = a < rebias + 0x800000u ? low : normal > top ? top : normal;
    uint32_t quiet = has_inf ? 1u << (m - 1) | fraction >> drop : 0u;
    return u >> 31 << (e + m) | code | (quiet & mpx__above(a, 0x7f800000u));
}

/* The f32 bits of a code; always exact. Sign, exponent and mantissa are moved to the fields of an
   f32, and the exponent is raised by 127 - bias. That is all for a normal code. A subnormal code
   then gives some x below the smallest normal value, with a leading 1 and half its scale: the right
   value is 2x - smallest. So the minimum of value and smallest is replaced in this way (smallest by
   itself), and the rest is added again. The subtraction is exact, with normal operands and a normal
   or zero result, so no floating-point mode matters. Where it would be a call, the fraction is
   shifted (by 16, 8, 4, 2, 1 as far as it fits) until its leading bit is in the place of that 1. */
#if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
MPX__INLINE uint32_t mpx__mend_subnormal(uint32_t value, uint32_t smallest) {
    uint32_t step, bits = smallest - 0x800000u, u = value - bits;
    if (value >= smallest) return value;
    for (step = 16u; step != 0u; step >>= 1)
        if (u >> (24u - step) == 0u) {
            u <<= step;
            bits -= step << 23;
        }
    return u == 0u ? 0u : bits + u;
}
#else
MPX__INLINE uint32_t mpx__mend_subnormal(uint32_t value, uint32_t smallest) {
    uint32_t least = value < smallest ? value : smallest;
    float x = mpx__float(least + 0x800000u) - mpx__float(smallest); /* -0 when rounding down */
    return (mpx__bits(x) & 0x7fffffffu) + (value - least);
}
#endif
MPX__INLINE uint32_t mpx__value(uint32_t code, uint32_t e, uint32_t m, int has_inf) {
    uint32_t rebias = (128u - (1u << (e - 1))) << 23, inf = ((1u << e) - 1u) << 23;
    uint32_t u = code << (31u - e - m), a = (u & 0x7fffffffu) >> (8u - e);
    uint32_t value = mpx__mend_subnormal(a + rebias, rebias + 0x800000u);
    uint32_t nan = ((1u << (e + m)) - 1u) << (23u - m); /* where there is no Inf */
    if (!has_inf) value += (0x7fc00000u - rebias - nan) & mpx__above(a, nan - 1u);
    else
        value = (value + (rebias & mpx__above(a, inf - 1u))) | (0x400000u & mpx__above(a, inf));
    return (u & 0x80000000u) | value;
}

/* x rounded to the format. Passing a `float` by value may change a signalling NaN (i386);
   _from_bits takes the bits of the float. */
MPX__INLINE uint16_t mpx_f16_from_bits(uint32_t u) { return mpx__round(u, 5, 10, 1) & 0xffffu; }
MPX__INLINE uint16_t mpx_bf16_from_bits(uint32_t u) {
    uint32_t nan = mpx__above(u & 0x7fffffffu, 0x7f800000u), up = 0x7fffu + (u >> 16 & 1u);
    return ((u + (up & ~nan)) >> 16 | (0x40u & nan)) & 0xffffu;
}
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
