/* Lane codecs of the integers of 2 to 16 bits, all 2^32 floats: cut toward zero, saturated, NaN is
   0; every code is exact in f32 and encodes to itself. */
#include "spec.h"

static spec_number value_of(uint32_t code) {
    int negative = IS_SIGNED && (code >> (INTEGER_BITS - 1) & 1u) != 0;
    return spec_integer(negative, negative ? CODE_MASK + 1u - code : code);
}

int main(void) {
    uint32_t u = nondet_uint(), code = nondet_uint() & CODE_MASK, value;
    PROVE(spec_is_integer(spec_f32(u), spec_lane_encode(u), INTEGER_BITS, IS_SIGNED));
    value = NAME2(mpx__dec_, DECODE)(&(spec_code){ (spec_code)code });
    PROVE(spec_f32(value).sign == value_of(code).sign && !spec_f32(value).inf);
    PROVE(spec_compare(spec_f32(value).mag, value_of(code).mag) == 0);
    PROVE(spec_lane_encode(value) == code);
    return 0;
}
