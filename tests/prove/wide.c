/* Casts from FROM (f32, f64, i32, u32, i64, u64), all of its codes, are rounded once. */
#include "spec.h"

#define SPEC_f32(x) spec_f32((uint32_t)(x))
#define SPEC_f64(x) spec_f64(x)
#define SPEC_i32(x) SPEC_i64((uint64_t)(int64_t)(int32_t)(x))
#define SPEC_u32(x) spec_integer(0, (uint32_t)(x))
#define SPEC_i64(x) spec_integer((x) >> 63 != 0, (x) >> 63 != 0 ? 0u - (x) : (x))
#define SPEC_u64(x) spec_integer(0, x)

int main(void) {
    uint64_t x = nondet_ulong(), code = spec_cast(x);
    spec_number number = NAME2(SPEC_, SOURCE)(x);
#ifdef FIELDS
    spec_format format = { FIELDS };
    PROVE(spec_is_code(number, code, format));
#elif defined(POWER)
    PROVE(spec_is_power(number, code));
#else
    PROVE(spec_is_integer(number, code, TO_BITS, IS_SIGNED));
#endif
    return 0;
}
