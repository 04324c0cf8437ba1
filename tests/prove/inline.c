/* The inline helpers give what the lane codecs give, for all floats and all codes. */
#include "spec.h"

int main(void) {
    uint32_t u = nondet_uint(), code = nondet_uint() & CODE_MASK;
    PROVE(NAME3(mpx_, TYPE, _from_bits)(u) == spec_lane_encode(u));
    PROVE(NAME3(mpx_, TYPE, _to_bits)((spec_code)code) == spec_lane_decode(code));
    return 0;
}
