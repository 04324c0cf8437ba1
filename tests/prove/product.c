/* x * y as mpx_scale multiplies: all finite floats x, and all y that are a normal power of two or
   the negative of one, rounded once. */
#include "spec.h"

int main(void) {
    spec_format f32 = { 8, 23, 127, IEEE };
    uint32_t a = nondet_uint(), b = nondet_uint() & 0xff800000u;
    spec_number x = spec_f32(a), y = spec_f32(b), product = { 0 };
    if (x.nan || y.nan || x.inf || y.inf || (b & 0x7f800000u) == 0) return 0;
    product.sign = x.sign ^ y.sign;
    product.mag.sig = x.mag.sig;
    product.mag.exp = x.mag.exp + y.mag.exp + 23;
    PROVE(spec_is_code(product, mpx__multiply(a, b), f32));
    return 0;
}
