/* Integers of 2 to 16 bits, all 2^32 floats: cut toward zero, saturated, NaN is 0; every code is
   exact in f32 and encodes to itself. */
#include "spec.h"

static spec_number value_of(uint64_t code) {
    int negative = IS_SIGNED && (code >> (TO_BITS - 1) & 1u) != 0;
    return spec_integer(negative, negative ? CODE_MASK + 1u - code : code);
}

int main(void) {
    uint32_t u = nondet_uint(), memory = nondet_uint(), value = spec_decode(memory);
    uint64_t code = memory & CODE_MASK;
    PROVE(spec_is_integer(spec_f32(u), spec_cast(u), TO_BITS, IS_SIGNED));
    PROVE(spec_f32(value).sign == value_of(code).sign && !spec_f32(value).inf);
    PROVE(spec_compare(spec_f32(value).mag, value_of(code).mag) == 0);
    PROVE(spec_cast(value) == code);
    return 0;
}
