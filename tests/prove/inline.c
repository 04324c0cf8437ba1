/* The inline helpers give what the exact codec gives, for all floats and all codes. */
#include "spec.h"

int main(void) {
    uint32_t u = nondet_uint();
    TO_CODE code = (TO_CODE)nondet_uint();
    PROVE(NAME3(mpx_, HELPER, _from_bits)(u) == spec_cast(u));
    PROVE(NAME3(mpx_, HELPER, _to_bits)(code) == spec_decode(code));
    return 0;
}
