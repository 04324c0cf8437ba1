/* f64 to f32 in integers is the machine's own cast to nearest, for all doubles but NaN (whose bits
   IEEE leaves open), by ESBMC's IEEE semantics. */
#include "spec.h"

int main(void) {
    union {
        uint64_t u;
        double x;
    } in;
    union {
        uint32_t u;
        float x;
    } out;
    in.u = nondet_ulong();
    out.x = (float)in.x;
    if (!spec_f64(in.u).nan) PROVE(spec_cast(in.u) == out.u);
    return 0;
}
