/* The steps that the codecs are made of, each over all the inputs its comment allows. */
#include "spec.h"

/* Integers below 2^24 are exact floats. */
static void prove_u24(uint32_t x) {
    spec_number value = spec_f32(mpx__f32_of_u24(x));
    PROVE(!value.sign && !value.inf && !value.nan);
    PROVE(spec_compare(value.mag, spec_integer(0, x).mag) == 0);
}

/* Dropping n bits of m gives m / 2^n, to nearest, ties to even. */
static void prove_round_shift(uint32_t m, uint32_t n) {
    uint64_t q = mpx__round_shift(m, n);
    spec_mag x = { m, 0 }, below = { 2 * q - 1u, (int)n - 1 }, above = { 2 * q + 1u, (int)n - 1 };
    int odd = (int)(q & 1u);
    PROVE(q == 0 || spec_compare(x, below) >= odd);
    PROVE(spec_compare(x, above) <= -odd);
}

/* The whole part of |x|, at most limit; NaN gives 0. */
static void prove_truncate(uint32_t a, uint32_t limit) {
    PROVE(spec_is_whole(spec_f32(a), mpx__truncate(a, limit), limit));
}

int main(void) {
    uint32_t n = nondet_uint(), limit = nondet_uint();
    prove_u24(nondet_uint() & 0xffffffu);
    if (n >= 1 && n <= 25) prove_round_shift(nondet_uint() & 0x1ffffffu, n);
    if (limit < 0x800000u) prove_truncate(nondet_uint() & 0x7fffffffu, limit);
    return 0;
}
