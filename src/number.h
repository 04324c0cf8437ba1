/*==================================================================*
 * MARK: number - the exact codec: one element of any dtype
 *   This room defines the result of every cast. The codec loads a code of any dtype as sign,
 *   significand and exponent, and stores it with one rounding. It computes with integers only, so
 *   no floating-point mode and no compiler flag changes a result. Kernels give the same bits
 *   faster; what has no kernel is done here.
 *==================================================================*/

enum { MPX__ZERO_OR_FINITE = 0, MPX__INF, MPX__NAN };

/* 64 bits of significand where the build has a dtype that needs more than 32. */
#if MPX__HAS_64
typedef uint64_t mpx__sig;
enum { MPX__SIG_BITS = 64 };
#else
typedef uint32_t mpx__sig;
enum { MPX__SIG_BITS = 32 };
#endif

/* (-1)^sign * sig * 2^exp. The payload of a NaN stands at the top of sig. */
typedef struct mpx__number {
    mpx__sig sig;
    int32_t exp;
    unsigned sign;
    int kind;
} mpx__number;

MPX__INLINE void mpx__number_set(mpx__number *x, unsigned sign, int kind, mpx__sig sig,
                                 int32_t exp) {
    x->sig = sig;
    x->exp = exp;
    x->sign = sign;
    x->kind = kind;
}

/* ---- codes in memory ------------------------------------------- */

/* Elements of 8 to 64 bits in the machine's byte order. Codes of fewer than 8 bits are here one in
   a byte, whose other bits may be anything. */
MPX__INLINE mpx__sig mpx__read_code(const void *p, unsigned bits) {
    if (MPX__HAS_BYTES && bits <= 8) return *(const unsigned char *)p & ((1u << bits) - 1u);
    if (bits == 16) return mpx__read16(p);
#if MPX__HAS_64
    if (bits == 64) return mpx__read64(p);
#endif
    return mpx__read32(p);
}
MPX__INLINE void mpx__write_code(void *p, unsigned bits, mpx__sig code) {
    if (MPX__HAS_BYTES && bits <= 8)
        *(unsigned char *)p = (unsigned char)(code & ((1u << bits) - 1u));
    else if (bits == 16)
        mpx__write16(p, (uint16_t)(code & 0xffffu));
#if MPX__HAS_64
    else if (bits == 64)
        mpx__write64(p, code);
#endif
    else
        mpx__write32(p, (uint32_t)code);
}

/* ---- loading --------------------------------------------------- */

/* The fields of a float:   s eeee mmm   exponent_bits, mantissa_bits, bias and family of the row */
MPX__PRIVATE void mpx__load_float(mpx__number *x, mpx__sig code, const mpx__row *row) {
    const int family = mpx__family_of(row), m = row->mantissa_bits,
              ones = (1 << row->exponent_bits) - 1;
    const unsigned sign = family == MPX__E8M0 ? 0 : (unsigned)(code >> (row->bits - 1u));
    const mpx__sig hidden = (mpx__sig)1 << m, fraction = code & (hidden - 1u);
    const int exponent = (int)(code >> m) & ones;
    int kind = MPX__ZERO_OR_FINITE;
    if (exponent == ones && family == MPX__IEEE) kind = fraction != 0 ? MPX__NAN : MPX__INF;
    if (exponent == ones && family == MPX__FN && fraction == hidden - 1u) kind = MPX__NAN;
    if (family == MPX__FNUZ && code == (mpx__sig)1 << (row->bits - 1u)) kind = MPX__NAN;
    if (family == MPX__E8M0)
        mpx__number_set(x, 0, exponent == ones ? MPX__NAN : kind, exponent != ones,
                        exponent - row->bias);
    else if (kind != MPX__ZERO_OR_FINITE)
        mpx__number_set(x, sign, kind,
                        family == MPX__IEEE ? fraction << (MPX__SIG_BITS - m) : 0, 0);
    else
        mpx__number_set(x, sign, kind, exponent != 0 ? fraction | hidden : fraction,
                        exponent + (exponent == 0) - row->bias - m);
}

#if MPX__HAS_INT
/* Integers are magnitudes with a sign; bool is 0 or 1. */
MPX__INLINE void mpx__load_integer(mpx__number *x, mpx__sig code, const mpx__row *row) {
    const mpx__sig top = (mpx__sig)1 << (row->bits - 1u);
    const int negative = row->kind == MPX_KIND_INT && (code & top) != 0;
    if (negative) code = (top - (code & (top - 1u)));
    if (row->kind == MPX_KIND_BOOL) code = code != 0;
    mpx__number_set(x, (unsigned)negative, MPX__ZERO_OR_FINITE, code, 0);
}
#endif

MPX__INLINE void mpx__number_load(mpx__number *x, const void *p, const mpx__row *row) {
    const mpx__sig code = mpx__read_code(p, row->bits);
#if MPX__HAS_INT
    if (row->kind != MPX_KIND_FLOAT) {
        mpx__load_integer(x, code, row);
        return;
    }
#endif
    mpx__load_float(x, code, row);
}

/* ---- rounding -------------------------------------------------- */

/* The public modes, and rounding to odd: truncate, and set the lowest bit if anything was cut off.
   Rounding such an f32 again gives the result of rounding the number itself, because f32 has at
   least two bits more than any narrower float (Boldo and Melquiond, When double rounding is odd,
   2005). */
enum { MPX__TO_ODD = MPX_ROUND_STOCHASTIC + 1 };
/* The modes of integer targets: MPX__TO_WHOLE + MPX_INT_NEAREST and its like; others truncate. */
enum { MPX__TO_WHOLE = MPX__TO_ODD };
MPX__INLINE int mpx__to_whole(mpx_int_rounding rounding) { return MPX__TO_WHOLE + (int)rounding; }

/* How an element is rounded. random: 16 bits, for the stochastic mode. */
typedef struct mpx__rounding {
    uint32_t random;
    int mode, saturate;
} mpx__rounding;
static const mpx__rounding mpx__to_nearest = { 0, MPX_ROUND_NEAREST, 0 };

/* Shift the leading one to the highest bit; sig is not zero. */
MPX__INLINE void mpx__normalize(mpx__number *x) {
#if defined(__GNUC__) && \
    ((!MPX__COMPACT && MPX__HAS_64) || defined(__wasm__) || defined(__ARM_FEATURE_CLZ))
    const int n = MPX__HAS_64 ? __builtin_clzll(x->sig) : __builtin_clz((unsigned)x->sig);
    x->sig <<= n;
    x->exp -= n;
#else
    int step;
    for (step = MPX__SIG_BITS / 2; step != 0; step >>= 1) {
        if (x->sig >> (MPX__SIG_BITS - step) == 0) {
            x->sig <<= step;
            x->exp -= step;
        }
    }
#endif
}

/* Whether dropping `rest`, whose leading bit is the highest, rounds up to the code after q.
   Stochastic: the random bits are added at the top of rest and may carry out of it. Ties of E8M0 go
   up, because its q is only the hidden bit, which is odd. */
MPX__INLINE int mpx__rounds_up(mpx__sig q, mpx__sig rest, const mpx__rounding *how) {
    const mpx__sig half = (mpx__sig)1 << (MPX__SIG_BITS - 1);
    if (how->mode == MPX_ROUND_NEAREST)
        return rest > half || (rest == half && (q & 1u) != 0);
    if (how->mode == MPX_ROUND_STOCHASTIC)
        return rest > (mpx__sig)-1 - ((mpx__sig)how->random << (MPX__SIG_BITS - 16));
    return 0;
}

/* The code of a finite magnitude as if the exponent field had no end.
     sig      1xxxxxxxxxxxxxx yyyyyyyyyyyyy    value = sig * 2^exp, leading one: exponent exp + top
              kept (q)        dropped (rest)   drop = top - m, more for subnormal results
   q holds the hidden bit, so (biased exponent - 1) is what it is added to; a carry moves into the
   exponent. E8M0 has an exponent and nothing else, from 2^-127 on. */
MPX__PRIVATE mpx__sig mpx__round_finite(const mpx__number *number, const mpx__row *row,
                                        const mpx__rounding *how) {
    const int top = MPX__SIG_BITS - 1, e8m0 = mpx__family_of(row) == MPX__E8M0;
    mpx__sig q, rest, code;
    int32_t biased, drop = top - row->mantissa_bits;
    mpx__number x;
    mpx__number_set(&x, 0, 0, number->sig, number->exp);
    if (x.sig == 0) return 0;
    mpx__normalize(&x);
    biased = x.exp + top + row->bias;
    if (e8m0 && biased < 0) return 0;
    if (biased < 1 && !e8m0) {
        drop += 1 - biased;
        biased = 1;
    }
    q = 0;
    rest = drop == top + 1 ? x.sig : 1;
    if (drop <= top) {
        q = x.sig >> drop;
        rest = x.sig << (top + 1 - drop);
    }
    if (how->mode == MPX_ROUND_STOCHASTIC && drop > top + 1 && drop <= 2 * top + 1)
        rest |= x.sig >> (drop - top - 1);
    code = ((mpx__sig)(biased - 1) << row->mantissa_bits) + q;
    if (how->mode == MPX__TO_ODD) return code | (rest != 0);
    return code + (unsigned)mpx__rounds_up(q, rest, how);
}

/* ---- storing --------------------------------------------------- */

/* The largest finite magnitude of a float dtype, as its code. */
MPX__INLINE mpx__sig mpx__largest_code(const mpx__row *row) {
    const int family = mpx__family_of(row);
    const mpx__sig ones = ((mpx__sig)1 << (row->exponent_bits + row->mantissa_bits)) - 1u;
    if (family == MPX__IEEE) return ones - ((mpx__sig)1 << row->mantissa_bits);
    return family == MPX__FN || family == MPX__E8M0 ? ones - 1u : ones;
}

/* Overflow gives Inf; in formats without Inf the NaN, which is the next code (FNUZ: only the sign
   bit); in formats with neither, the largest value. */
MPX__PRIVATE mpx__sig mpx__float_code(const mpx__number *x, const mpx__row *row,
                                      const mpx__rounding *how) {
    const mpx__sig largest = mpx__largest_code(row), sign_bit = (mpx__sig)1 << (row->bits - 1u),
                   sign = x->sign != 0 ? sign_bit : 0;
    const int family = mpx__family_of(row),
              stops = how->mode == MPX_ROUND_TOWARD_ZERO || how->mode == MPX__TO_ODD;
    mpx__sig code = largest + 1u;
    if (family == MPX__FINITE && x->kind == MPX__NAN) return sign ^ sign_bit;
    if (family == MPX__E8M0) {
        if (x->kind == MPX__NAN) return 255;
        if (x->sign != 0 || (x->kind != MPX__INF && x->sig == 0)) return how->saturate ? 0 : 255;
    } else if (x->kind == MPX__NAN) {
        if (family == MPX__FNUZ) return sign_bit;
        if (family == MPX__IEEE)
            code |= (mpx__sig)1 << (row->mantissa_bits - 1) |
                    x->sig >> (MPX__SIG_BITS - row->mantissa_bits);
        return sign | code;
    }
    if (x->kind != MPX__INF) {
        const mpx__sig most = stops ? largest : largest + 1u;
        code = mpx__round_finite(x, row, how);
        if (code > most) code = most;
    }
    if (code > largest && (how->saturate || family == MPX__FINITE)) code = largest;
    if (family == MPX__FNUZ && (code == 0 || code > largest)) return code == 0 ? 0 : sign_bit;
    return family == MPX__E8M0 ? code : sign | code;
}

#if MPX__HAS_INT
/* Whether a magnitude with this integer part and this fraction (its leading bit the highest) rounds
   up to the next integer. */
MPX__INLINE int mpx__is_raised(const mpx__number *x, mpx__sig part, mpx__sig rest, int mode) {
    const mpx__sig half = (mpx__sig)1 << (MPX__SIG_BITS - 1);
    if (mode == mpx__to_whole(MPX_INT_NEAREST))
        return rest > half || (rest == half && (part & 1u) != 0);
    return rest != 0 && mode == mpx__to_whole(x->sign ? MPX_INT_DOWN : MPX_INT_UP);
}
/* The magnitude as an integer, at most limit; NaN gives 0. The significand of a float is shorter
   than a mpx__sig, so bits that are all shifted out of it are below one half. */
MPX__INLINE mpx__sig mpx__integer_part(const mpx__number *x, mpx__sig limit, int mode) {
    mpx__sig part;
    if (x->kind != MPX__ZERO_OR_FINITE) return x->kind == MPX__INF ? limit : 0;
    if (x->sig == 0) return 0;
    if (x->exp <= -MPX__SIG_BITS) return (mpx__sig)mpx__is_raised(x, 0, 1, mode);
    if (x->exp < 0) {
        part = x->sig >> -x->exp;
        part += (mpx__sig)mpx__is_raised(x, part, x->sig << (MPX__SIG_BITS + x->exp), mode);
    } else if (x->exp >= MPX__SIG_BITS || x->sig > limit >> x->exp)
        return limit;
    else
        part = x->sig << x->exp;
    return part < limit ? part : limit;
}
MPX__EXACT mpx__sig mpx__integer_code(const mpx__number *x, const mpx__row *row, int mode) {
    const mpx__sig half = (mpx__sig)1 << (row->bits - 1u);
    if (row->kind == MPX_KIND_BOOL) return x->kind != MPX__ZERO_OR_FINITE || x->sig != 0;
    if (row->kind == MPX_KIND_UINT)
        return x->sign != 0 ? 0 : mpx__integer_part(x, half | (half - 1u), mode);
    return x->sign != 0 ? 0u - mpx__integer_part(x, half, mode)
                        : mpx__integer_part(x, half - 1u, mode);
}
#endif

MPX__INLINE void mpx__number_store(void *p, const mpx__row *row, const mpx__number *x,
                                   const mpx__rounding *how) {
    const mpx__sig code =
#if MPX__HAS_INT
        row->kind != MPX_KIND_FLOAT ? mpx__integer_code(x, row, how->mode) :
#endif
        mpx__float_code(x, row, how);
    mpx__write_code(p, row->bits, code);
}

/* ---- products, quotients and sums ------------------------------ */

/* A product or quotient of two significands with the leading one at the highest bit, or one below
   it. The lowest bit is set if anything was cut off, which is enough for one rounding. Of b at most
   32 bits are used, or 24 if a significand has 32. */
#if MPX__HAS_64
MPX__INLINE void mpx__long_product(mpx__number *a, const mpx__number *b) {
    const uint64_t by = b->sig >> 32, low = (a->sig & 0xffffffffu) * by,
                   high = (a->sig >> 32) * by + (low >> 32);
    a->sig = high | ((low & 0xffffffffu) != 0);
    a->exp += b->exp + 64;
}
#else
MPX__INLINE void mpx__long_product(mpx__number *a, const mpx__number *b) {
    const uint32_t m = a->sig >> 8, n = b->sig >> 8, x = m >> 16, y = n >> 16,
                   low = (m & 0xffffu) * (n & 0xffffu),
                   high = (x * y << 16) + x * (n & 0xffffu) + y * (m & 0xffffu) + (low >> 16);
    a->sig = high | ((low & 0xffffu) != 0);
    a->exp += b->exp + 32;
}
#endif
/* Halving both leaves room to double the remainder. */
MPX__INLINE void mpx__long_quotient(mpx__number *a, const mpx__number *b) {
    enum { bits = MPX__SIG_BITS == 64 ? 57 : 28 };
    const mpx__sig divisor = b->sig >> 1;
    mpx__sig rest = a->sig >> 1, q = 0;
    int i;
    for (i = 0; i < bits; i++) {
        const mpx__sig fits = rest >= divisor;
        q = q << 1 | fits;
        rest = (rest - (fits != 0 ? divisor : 0)) << 1;
    }
    a->sig = q | (rest != 0);
    a->exp -= b->exp + bits - 1;
}

/* a = a * by, or a / by: by, which is normalised, comes from an f32. To divide by Inf is to multiply
   by zero, and the other way round; where both come together, NaN with the sign of `by`. */
MPX__PRIVATE void mpx__number_scale(mpx__number *a, mpx__number *by, int divide) {
    const unsigned sign = a->sign ^ by->sign;
    const int by_inf = by->kind == MPX__INF, by_zero = !by_inf && by->sig == 0,
              makes_zero = divide ? by_inf : by_zero, makes_inf = divide ? by_zero : by_inf,
              is_zero = a->kind == MPX__ZERO_OR_FINITE && a->sig == 0;
    if (a->kind == MPX__NAN) return;
    if (by->kind == MPX__NAN || (a->kind == MPX__INF && makes_zero) || (is_zero && makes_inf)) {
        mpx__number_set(a, by->sign, MPX__NAN, by->kind == MPX__NAN ? by->sig : 0, 0);
    } else if (a->kind == MPX__INF || makes_inf) {
        mpx__number_set(a, sign, MPX__INF, 0, 0);
    } else if (is_zero || makes_zero) {
        mpx__number_set(a, sign, MPX__ZERO_OR_FINITE, 0, 0);
    } else {
        mpx__normalize(a);
        mpx__normalize(by);
        if (divide)
            mpx__long_quotient(a, by);
        else
            mpx__long_product(a, by);
        a->sign = sign;
    }
}

/* a = a + b, b destroyed; two bits below the last that counts, of which the lowest stands for all
   that is cut off, are enough for one rounding. The first NaN stays; Inf - Inf is a NaN without a
   sign; a sum that is zero is +0 but for -0 - 0. */
MPX__PRIVATE void mpx__number_add(mpx__number *a, mpx__number *b) {
    const mpx__number *more = a, *less = b;
    mpx__sig x, y;
    int32_t drop;
    if (a->kind != MPX__ZERO_OR_FINITE || b->kind != MPX__ZERO_OR_FINITE) {
        if (a->kind == MPX__INF && b->kind == MPX__INF && a->sign != b->sign)
            mpx__number_set(a, 0, MPX__NAN, 0, 0);
        else if (b->kind > a->kind)
            mpx__number_set(a, b->sign, b->kind, b->sig, 0);
        return;
    }
    if (a->sig == 0 && b->sig == 0) a->sign &= b->sign;
    if (b->sig == 0) return;
    if (a->sig == 0) {
        mpx__number_set(a, b->sign, b->kind, b->sig, b->exp);
        return;
    }
    mpx__normalize(a);
    mpx__normalize(b);
    if (a->exp < b->exp || (a->exp == b->exp && a->sig < b->sig)) {
        more = b;
        less = a;
    }
    drop = more->exp - less->exp;
    x = more->sig >> 1;
    y = less->sig >> 1;
    if (drop >= MPX__SIG_BITS)
        y = 1;
    else if (drop != 0)
        y = y >> drop | (y << (MPX__SIG_BITS - drop) != 0);
    x = more->sign == less->sign ? x + y : x - y;
    mpx__number_set(a, x != 0 ? more->sign : 0, MPX__ZERO_OR_FINITE, x, more->exp + 1);
}

/* f32 bits: a * b or a / b, rounded once, to nearest. WebAssembly's instructions have no modes;
   they are in assembly, because -ffast-math may change C. */
#if defined(__wasm__) && defined(__GNUC__)
MPX__PRIVATE uint32_t mpx__f32_scaled(uint32_t a, uint32_t b, int divide) {
    const uint32_t inf = 0x7f800000u;
    const float x = mpx__float(a), y = mpx__float(b);
    float z;
    if (divide)
        __asm__("local.get %1\nlocal.get %2\nf32.div\nlocal.set %0" : "=r"(z) : "r"(x), "r"(y));
    else
        __asm__("local.get %1\nlocal.get %2\nf32.mul\nlocal.set %0" : "=r"(z) : "r"(x), "r"(y));
    if (mpx__opaque_bits(z) << 1 <= inf << 1) return mpx__opaque_bits(z);
    if (b << 1 <= inf << 1) b = (b & 0x80000000u) | inf;
    return (a << 1 > inf << 1 ? a : b) | 0x400000u;
}
#else
MPX__PRIVATE uint32_t mpx__f32_scaled(uint32_t a, uint32_t b, int divide) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__number x, by;
    mpx__load_float(&x, a, f32_row);
    mpx__load_float(&by, b, f32_row);
    mpx__number_scale(&x, &by, divide);
    return (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest);
}
#endif
#if !MPX_NO_QUANT
MPX__PRIVATE uint32_t mpx__sum_of(uint32_t a, uint32_t b) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__number x, y;
    mpx__load_float(&x, a, f32_row);
    mpx__load_float(&y, b, f32_row);
    mpx__number_add(&x, &y);
    return (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest);
}
#endif
MPX__INLINE uint32_t mpx__multiply(uint32_t a, uint32_t b) { return mpx__f32_scaled(a, b, 0); }
MPX__INLINE uint32_t mpx__divide(uint32_t a, uint32_t b) { return mpx__f32_scaled(a, b, 1); }

#if !MPX_NO_QUANT
/* An integer of at most 24 bits as f32. */
MPX__PRIVATE uint32_t mpx__f32_of_int(int32_t x) {
    uint32_t u = x < 0 ? 0u - (uint32_t)x : (uint32_t)x, e = 150;
    if (u < 0x100u) {
        u <<= 16;
        e -= 16;
    }
    for (; u != 0 && u < 0x800000u; e--)
        u <<= 1;
    return u == 0 ? 0 : (u & 0x7fffffu) | e << 23 | (x < 0 ? 0x80000000u : 0);
}
#endif
