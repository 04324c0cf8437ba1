/* e8m0, all 2^32 floats: the nearest power of two from 2^-127 to 2^127, ties up. Every code has its
   value, and encodes to itself. */
#include "spec.h"

int main(void) {
    uint32_t u = nondet_uint(), code = nondet_uint() & 255u, value = spec_decode(code);
    spec_mag power = { 1, (int)code - 127 };
    PROVE(spec_is_power(spec_f32(u), spec_cast(u)));
    if (code == 255)
        PROVE(value == 0x7fc00000u);
    else
        PROVE(value < 0x7f800000u && spec_compare(spec_f32(value).mag, power) == 0);
    PROVE(spec_cast(value) == code);
    return 0;
}
