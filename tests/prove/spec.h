/* What the proofs prove against: rounding defined by exact comparisons of integers.

   A code c (without its sign) of a binary format stands for sig(c) * 2^exp(c). Halfway between it
   and the next code lies (2 sig(c) + 1) * 2^(exp(c) - 1), also where c + 1 begins a binade and
   where c is the largest finite code and the next would be the first too large. x rounds to c if

       halfway(c - 1) <= x <= halfway(c), with equality only where c is even.

   Nothing here shifts out bits or adds to round: no algorithm is shared with the library, nor with
   ref.h, which searches. */
#ifndef SPEC_H
#define SPEC_H
/* The exact codec is all that is needed, for the dtypes that prove.py names in MPX_DTYPES. */
#define MPX_IMPLEMENTATION
#define MPX_ISA MPX_ISA_SCALAR
#define MPX_NO_TREE 1
#define MPX_NO_POLICY 1
#define MPX_NO_POLICY_MAP 1
#define MPX_NO_KERAS 1
#define MPX_NO_LOSS_SCALE 1
#define MPX_NO_INTEROP 1
#define MPX_NO_PROMOTE 1
#define MPX_NO_AMP 1
#define MPX_NO_STATS 1
#define MPX_NO_PARALLEL 1
#define MPX_NO_CAST_WITH 1
#define MPX_NO_VERTEX 1
#define MPX_NO_REDUCE 1
#define MPX_NO_DIALECTS 1
#define MPX_NO_DEFAULT_POLICY 1
#include "mpx.h"

/* ESBMC's: any value; a claim. */
unsigned nondet_uint(void);
unsigned long nondet_ulong(void);
void __ESBMC_assert(_Bool claim, const char *text);
#define PROVE(claim) __ESBMC_assert(claim, #claim)

/* An exact magnitude sig * 2^exp. */
typedef struct spec_mag {
    uint64_t sig;
    int exp;
} spec_mag;

/* -1, 0, 1: x * 2^by is less than, equal to, greater than y; by >= 0. */
static int spec_compare_scaled(uint64_t x, int by, uint64_t y) {
    uint64_t whole;
    if (x == 0) return y == 0 ? 0 : -1;
    if (by > 63) return 1;
    whole = y >> by;
    if (x != whole) return x < whole ? -1 : 1;
    return whole << by == y ? 0 : -1;
}

static int spec_compare(spec_mag x, spec_mag y) {
    if (x.exp >= y.exp) return spec_compare_scaled(x.sig, x.exp - y.exp, y.sig);
    return -spec_compare_scaled(y.sig, y.exp - x.exp, x.sig);
}

/* The value of a finite code by the definition of its format. */
static spec_mag spec_value(uint64_t code, int man_bits, int bias) {
    uint64_t field = code >> man_bits, hidden = (uint64_t)1 << man_bits;
    spec_mag v;
    v.sig = (code & (hidden - 1u)) + (field != 0 ? hidden : 0);
    v.exp = (field != 0 ? (int)field : 1) - bias - man_bits;
    return v;
}

static spec_mag spec_halfway(uint64_t code, int man_bits, int bias) {
    spec_mag v = spec_value(code, man_bits, bias);
    v.sig = 2 * v.sig + 1;
    v.exp--;
    return v;
}

/* ---- what is converted ----------------------------------------------------------------------- */

/* A number of any source format; fraction: of a NaN, its first bit at bit 63. */
typedef struct spec_number {
    int sign, inf, nan;
    spec_mag mag;
    uint64_t fraction;
} spec_number;

static spec_number spec_integer(int sign, uint64_t magnitude) {
    spec_number x = { 0 };
    x.sign = sign;
    x.mag.sig = magnitude;
    return x;
}

static spec_number spec_ieee(uint64_t code, int exp_bits, int man_bits, int bias) {
    uint64_t sign_bit = (uint64_t)1 << (exp_bits + man_bits), a = code & (sign_bit - 1u);
    uint64_t inf = sign_bit - ((uint64_t)1 << man_bits);
    spec_number x = { 0 };
    x.sign = (code & sign_bit) != 0;
    x.inf = a == inf;
    x.nan = a > inf;
    x.mag = spec_value(a, man_bits, bias);
    x.fraction = a << (64 - man_bits);
    return x;
}

static spec_number spec_f32(uint32_t code) { return spec_ieee(code, 8, 23, 127); }
static spec_number spec_f64(uint64_t code) { return spec_ieee(code, 11, 52, 1023); }

/* ---- what it must become --------------------------------------------------------------------- */

/* IEEE: the topmost binade is Inf and NaNs. FN: all ones of either sign is NaN. FNUZ: the code of
   -0 is the one NaN. ONLY_FINITE: none of these. */
enum { IEEE, FN, FNUZ, ONLY_FINITE };

/* As the format's standard has it. */
typedef struct spec_format {
    int exp_bits, man_bits, bias, family;
} spec_format;

static uint64_t spec_sign_bit(spec_format f) { return (uint64_t)1 << (f.exp_bits + f.man_bits); }
static uint64_t spec_inf(spec_format f) { return spec_sign_bit(f) - ((uint64_t)1 << f.man_bits); }

/* The largest finite code. */
static uint64_t spec_top(spec_format f) {
    if (f.family == IEEE) return spec_inf(f) - 1u;
    return spec_sign_bit(f) - (f.family == FN ? 2u : 1u);
}

/* NaN: quiet with the leading bits of its fraction, the NaN of the format, or where there is none
   the zero of the other sign. */
static uint64_t spec_nan(spec_number x, spec_format f) {
    uint64_t sign = x.sign ? spec_sign_bit(f) : 0, quiet = (uint64_t)1 << 63;
    if (f.family == IEEE) return sign | spec_inf(f) | (x.fraction | quiet) >> (64 - f.man_bits);
    if (f.family == FN) return sign | (spec_sign_bit(f) - 1u);
    return f.family == FNUZ ? spec_sign_bit(f) : spec_sign_bit(f) - sign;
}

/* Is code the nearest to |x|, ties to even? top + 1 stands for all that rounds past the top. */
static int spec_is_nearest(spec_mag x, uint64_t code, spec_format f) {
    int odd = (int)(code & 1u);
    if (code > spec_top(f) + 1u) return 0;
    if (code != 0 && spec_compare(x, spec_halfway(code - 1u, f.man_bits, f.bias)) < odd) return 0;
    return code > spec_top(f) || spec_compare(x, spec_halfway(code, f.man_bits, f.bias)) <= -odd;
}

/* Is code what x must become? */
static int spec_is_code(spec_number x, uint64_t code, spec_format f) {
    uint64_t sign = x.sign ? spec_sign_bit(f) : 0, past_top = spec_top(f) + 1u;
    if (x.nan) return code == spec_nan(x, f);
    if (x.inf || spec_is_nearest(x.mag, past_top, f)) {
        if (f.family == FNUZ) return code == spec_sign_bit(f);
        return code == (sign | (f.family == ONLY_FINITE ? spec_top(f) : past_top));
    }
    if (f.family == FNUZ && code == 0) sign = 0;
    return (code & spec_sign_bit(f)) == sign && code >> 1 < spec_sign_bit(f) &&
           spec_is_nearest(x.mag, code & ~spec_sign_bit(f), f);
}

/* Is code what x becomes in e8m0? Code c is 2^(c - 127), for c up to 254; halfway to the next are
   three halves of it, and ties go up. NaN (255) is what is not positive, and what is too large. */
static int spec_is_power(spec_number x, uint64_t code) {
    spec_mag last = { 3, 254 - 128 }, below = { 3, (int)code - 129 },
             above = { 3, (int)code - 128 };
    if (x.sign || x.nan || x.inf || x.mag.sig == 0 || spec_compare(x.mag, last) >= 0)
        return code == 255;
    if (code > 254 || (code != 0 && spec_compare(x.mag, below) < 0)) return 0;
    return spec_compare(x.mag, above) < 0;
}

/* Is y the whole part of x, at most limit, and 0 for NaN? */
static int spec_is_whole(spec_number x, uint64_t y, uint64_t limit) {
    spec_mag low = { y, 0 }, end = { limit, 0 }, next = { y + 1u, 0 };
    if (x.nan) return y == 0;
    if (x.inf || spec_compare(x.mag, end) >= 0) return y == limit;
    return y < limit && spec_compare(x.mag, low) >= 0 && spec_compare(x.mag, next) < 0;
}

/* The same for an integer type: saturated at both ends, two's complement. */
static int spec_is_integer(spec_number x, uint64_t code, int bits, int is_signed) {
    uint64_t mask = (uint64_t)-1 >> (64 - bits), half = (uint64_t)1 << (bits - 1);
    if (code > mask) return 0;
    if (!x.sign) return spec_is_whole(x, code, is_signed ? half - 1u : mask);
    return is_signed ? spec_is_whole(x, (0u - code) & mask, half) : code == 0;
}

/* ---- what a proof is about: from prove.py ---------------------------------------------------- */

#define NAME2_OF(a, b) a##b
#define NAME2(a, b) NAME2_OF(a, b)
#define NAME3_OF(a, b, c) a##b##c
#define NAME3(a, b, c) NAME3_OF(a, b, c)

/* TO: the constant of a dtype (MPX_F16), TO_BITS the size of its codes, TO_CODE the type of one in
   memory; the same for FROM. Codes go through memory of exactly their size, so that a byte too many
   is found. Which values a dtype has, prove.py says in FIELDS (its spec_format), in POWER (e8m0),
   or in IS_SIGNED (integers). */
#ifdef TO
#define CODE_MASK ((uint64_t)-1 >> (64 - TO_BITS))

/* Of a code in memory, whose bits above TO_BITS may be anything, the f32. */
static uint32_t spec_decode(uint64_t memory) {
    TO_CODE in = (TO_CODE)memory;
    uint32_t out;
    mpx__number x;
    mpx__number_load(&x, &in, mpx__row_of(TO));
    mpx__number_store(&out, mpx__row_of(MPX_F32), &x, &mpx__to_nearest);
    return out;
}
#endif
#ifdef FROM
/* The code of the dtype TO for a code of the dtype FROM. */
static uint64_t spec_cast(uint64_t code) {
    FROM_CODE in = (FROM_CODE)code;
    TO_CODE out;
    mpx__number x;
    mpx__number_load(&x, &in, mpx__row_of(FROM));
    mpx__number_store(&out, mpx__row_of(TO), &x, &mpx__to_nearest);
    return out;
}
#endif
#endif
