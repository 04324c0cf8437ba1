/* Casts through the wide number, all 2^64 inputs: SOURCE (f32, f64, i32, u32, i64, u64) to TO. The
   small formats are reached by round-to-odd and then their codec: two roundings in the code, one in
   the result. TO_BITS: of a wide target. Three kinds: FIELDS, a float format; POWER, e8m0;
   INTEGER_BITS and IS_SIGNED. */
#include "spec.h"

#define SPEC_f32(x) spec_f32((uint32_t)(x))
#define SPEC_f64(x) spec_f64(x)
#define SPEC_i32(x) SPEC_i64((uint64_t)(int64_t)(int32_t)(x))
#define SPEC_u32(x) spec_integer(0, (uint32_t)(x))
#define SPEC_i64(x) spec_integer((x) >> 63 != 0, (x) >> 63 != 0 ? 0u - (x) : (x))
#define SPEC_u64(x) spec_integer(0, x)

/* What the casts do: one store where the target is wide or f32, else round-to-odd, then encode. */
static uint64_t cast(uint64_t x) {
    NAME3(uint, SOURCE_BITS, _t) in = (NAME3(uint, SOURCE_BITS, _t))x;
    mpx__wide w;
    NAME2(mpx__wide_load_, SOURCE)(&w, &in);
#ifdef TYPE
    return spec_lane_encode(mpx__wide_to_f32_odd(&w));
#else
    NAME3(uint, TO_BITS, _t) out = 0;
    NAME2(mpx__wide_store_, TO)(&out, &w);
    return out;
#endif
}

int main(void) {
    uint64_t x = nondet_ulong();
    spec_number number = NAME2(SPEC_, SOURCE)(x);
#ifdef FIELDS
    spec_format format = { FIELDS };
    PROVE(spec_is_code(number, cast(x), format));
#elif defined(POWER)
    PROVE(spec_is_power(number, cast(x)));
#else
    PROVE(spec_is_integer(number, cast(x), INTEGER_BITS, IS_SIGNED));
#endif
    return 0;
}
