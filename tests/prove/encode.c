/* The float formats: all 2^32 floats are rounded as the specification says; every code has its
   value, and encodes to itself again. */
#include "spec.h"

static const spec_format format = { FIELDS };

/* The code that encode gives for the same value: signalling NaNs become quiet. */
static uint64_t canonical(uint64_t code) {
    int nan = format.family == IEEE && (code & ~spec_sign_bit(format)) > spec_inf(format);
    return nan ? code | (uint64_t)1 << (format.man_bits - 1) : code;
}

static int is_finite(uint64_t code) {
    if (format.family == FNUZ && code == spec_sign_bit(format)) return 0;
    return (code & ~spec_sign_bit(format)) <= spec_top(format);
}

int main(void) {
    uint32_t u = nondet_uint(), memory = nondet_uint(), value = spec_decode(memory);
    uint64_t code = memory & CODE_MASK;
    spec_number x = spec_f32(value);
    PROVE(spec_is_code(spec_f32(u), spec_cast(u), format));
    PROVE(spec_cast(value) == canonical(code));
    PROVE(is_finite(code) == (!x.inf && !x.nan));
    if (is_finite(code)) {
        spec_mag exact = spec_value(code & ~spec_sign_bit(format), format.man_bits, format.bias);
        PROVE(spec_compare(x.mag, exact) == 0);
        PROVE(x.sign == ((code & spec_sign_bit(format)) != 0));
    }
    return 0;
}
