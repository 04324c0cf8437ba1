/* The oracle: what every conversion must give, from the standards, in integers only.

   It shares no algorithm with the library. A number is an exact real (sign, 128-bit integer, power
   of two, divisor). A code is decoded by the definition of its format. Encoding searches: the
   non-negative finite codes of a format are ordered by value, so a binary search finds the code c
   with value(c) <= |x| < value(c + 1), and an exact comparison of |x| with the midpoint of the two
   decides. No shift rounds anything here, and no float is touched.

   Sources: IEEE 754-2019 3.4, 3.6, 4.3.1, 6.2; OCP OFP8 1.0 tables 1 and 2; OCP MX 1.0 5.3;
   ml_dtypes 0.6.0 for the fnuz formats, for NaN in f6 and f4 and for e8m0, but for its (2^-127,
   2^-126), which it does not round to nearest. */
#ifndef REF_H
#define REF_H
#include "mpx.h"
#include <string.h>

/* ---- formats --------------------------------------------------------------------------------- */

/* What the codes beyond the finite ones mean. */
enum {
    REF_NO_TYPE = 0,
    REF_IEEE, /* all-ones exponent: Inf, then NaN                      */
    REF_FN,   /* the all-ones code of each sign is NaN, no Inf         */
    REF_FNUZ, /* the code of -0 is the one NaN, no Inf                 */
    REF_E8M0, /* powers of two; all ones is NaN; no sign, no zero      */
    REF_ONLY_FINITE,
    REF_BOOL,
    REF_INT,
    REF_UINT
};

typedef struct ref_format {
    const char *name;
    int rule, bits, exp_bits, man_bits, bias;
} ref_format;

/* In the order of the enumerators in types.h; test_cast.c compares the names. */
static const ref_format ref_formats[MPX_DTYPE_COUNT] = {
    { "", REF_NO_TYPE, 0, 0, 0, 0 },
    { "f64", REF_IEEE, 64, 11, 52, 1023 },
    { "f32", REF_IEEE, 32, 8, 23, 127 },
    { "f16", REF_IEEE, 16, 5, 10, 15 },
    { "bf16", REF_IEEE, 16, 8, 7, 127 },
    { "f8e4m3fn", REF_FN, 8, 4, 3, 7 },
    { "f8e5m2", REF_IEEE, 8, 5, 2, 15 },
    { "f8e4m3fnuz", REF_FNUZ, 8, 4, 3, 8 },
    { "f8e5m2fnuz", REF_FNUZ, 8, 5, 2, 16 },
    { "f8e4m3b11fnuz", REF_FNUZ, 8, 4, 3, 11 },
    { "f8e4m3", REF_IEEE, 8, 4, 3, 7 },
    { "f8e3m4", REF_IEEE, 8, 3, 4, 3 },
    { "f8e8m0fnu", REF_E8M0, 8, 8, 0, 127 },
    { "f6e2m3fn", REF_ONLY_FINITE, 6, 2, 3, 1 },
    { "f6e3m2fn", REF_ONLY_FINITE, 6, 3, 2, 3 },
    { "f4e2m1fn", REF_ONLY_FINITE, 4, 2, 1, 1 },
    { "bool", REF_BOOL, 8, 0, 0, 0 },
    { "i2", REF_INT, 2, 0, 0, 0 },
    { "u2", REF_UINT, 2, 0, 0, 0 },
    { "i4", REF_INT, 4, 0, 0, 0 },
    { "u4", REF_UINT, 4, 0, 0, 0 },
    { "i8", REF_INT, 8, 0, 0, 0 },
    { "u8", REF_UINT, 8, 0, 0, 0 },
    { "i16", REF_INT, 16, 0, 0, 0 },
    { "u16", REF_UINT, 16, 0, 0, 0 },
    { "i32", REF_INT, 32, 0, 0, 0 },
    { "u32", REF_UINT, 32, 0, 0, 0 },
    { "i64", REF_INT, 64, 0, 0, 0 },
    { "u64", REF_UINT, 64, 0, 0, 0 },
    { "c64", REF_NO_TYPE, 64, 0, 0, 0 },
    { "c128", REF_NO_TYPE, 128, 0, 0, 0 },
};
#define REF_FIRST MPX_F64
#define REF_LAST_FLOAT MPX_F4E2M1FN
#define REF_LAST MPX_U64

static inline int ref_is_float(mpx_dtype type) {
    return type >= REF_FIRST && type <= REF_LAST_FLOAT;
}

static inline uint64_t ref_low_mask(int bits) {
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static inline uint64_t ref_sign_bit(const ref_format *f) {
    return f->rule == REF_E8M0 ? 0 : (uint64_t)1 << (f->bits - 1);
}

/* The largest finite code of a float format, sign bit clear. */
static inline uint64_t ref_max_code(const ref_format *f) {
    uint64_t all = ref_low_mask(f->bits - 1);
    if (f->rule == REF_IEEE) return (ref_low_mask(f->exp_bits) << f->man_bits) - 1;
    if (f->rule == REF_FN) return all - 1;
    if (f->rule == REF_E8M0) return 254;
    return all;
}

/* ---- exact reals ----------------------------------------------------------------------------- */

enum { REF_FINITE = 0, REF_INF, REF_NAN };

/* Finite: (-1)^sign * (hi:lo) * 2^exp / den. NaN: payload holds the fraction field, its first bit
   (the quiet bit) in bit 63; made says that an operation made the NaN, so that its sign means
   nothing. */
typedef struct ref_real {
    int kind, sign, exp, made;
    uint64_t hi, lo, payload;
    uint32_t den;
} ref_real;

/* A magnitude sig * 2^exp: what codes and midpoints are. */
typedef struct ref_mag {
    uint64_t sig;
    int exp;
} ref_mag;

static inline ref_real ref_make(int kind, int sign, uint64_t sig, int exp) {
    ref_real x;
    memset(&x, 0, sizeof x);
    x.kind = kind;
    x.sign = sign;
    x.lo = sig;
    x.exp = exp;
    x.den = 1;
    return x;
}

static inline ref_real ref_make_nan(int sign, uint64_t payload) {
    ref_real x = ref_make(REF_NAN, sign, 0, 0);
    x.payload = payload;
    return x;
}

static inline int ref_is_zero(const ref_real *x) {
    return x->kind == REF_FINITE && x->hi == 0 && x->lo == 0;
}

/* (hi:lo) = a * b, by halves of a. */
static inline void ref_multiply(uint64_t a, uint32_t b, uint64_t *hi, uint64_t *lo) {
    uint64_t low = (a & 0xffffffffu) * b, high = (a >> 32) * b + (low >> 32);
    *lo = (low & 0xffffffffu) | high << 32;
    *hi = high >> 32;
}

static inline int ref_bit_length(uint64_t x) {
#if defined(__GNUC__)
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
#else
    int length = 0;
    for (; x != 0; x >>= 1)
        length++;
    return length;
#endif
}

/* Move the leading bit of a nonzero (hi:lo) * 2^exp to bit 127. The value stays the same. */
static inline void ref_normalise(uint64_t *hi, uint64_t *lo, int *exp) {
    int up;
    if (*hi == 0) *hi = *lo, *lo = 0, *exp -= 64;
    up = 64 - ref_bit_length(*hi);
    if (up == 0) return;
    *hi = *hi << up | *lo >> (64 - up);
    *lo <<= up;
    *exp -= up;
}

/* -1, 0, 1: |x| is less than, equal to, greater than m. Exact: compares (hi:lo) * 2^exp with m *
   den. */
static inline int ref_compare(const ref_real *x, ref_mag m) {
    uint64_t a_hi = x->hi, a_lo = x->lo, b_hi, b_lo;
    int a_exp = x->exp, b_exp = m.exp;
    ref_multiply(m.sig, x->den, &b_hi, &b_lo);
    if ((a_hi | a_lo) == 0 || (b_hi | b_lo) == 0)
        return ((a_hi | a_lo) != 0) - ((b_hi | b_lo) != 0);
    ref_normalise(&a_hi, &a_lo, &a_exp);
    ref_normalise(&b_hi, &b_lo, &b_exp);
    if (a_exp != b_exp) return a_exp < b_exp ? -1 : 1;
    if (a_hi != b_hi) return a_hi < b_hi ? -1 : 1;
    return (a_lo > b_lo) - (a_lo < b_lo);
}

/* ---- code to real ---------------------------------------------------------------------------- */

/* The value of a float code without its sign bit: fraction with or without the hidden bit, times a
   power of two. The code after the largest finite one gives the value that would come next if the
   format went on. */
static inline ref_mag ref_magnitude(const ref_format *f, uint64_t code) {
    ref_mag m;
    int exp_field = (int)(code >> f->man_bits);
    m.sig = code & ref_low_mask(f->man_bits);
    m.exp = (exp_field == 0 ? 1 : exp_field) - f->bias - f->man_bits;
    if (exp_field != 0) m.sig += (uint64_t)1 << f->man_bits;
    if (f->rule == REF_E8M0) m.sig = 1, m.exp = (int)code - 127;
    return m;
}

/* Halfway between two neighbours, exact. */
static inline ref_mag ref_midpoint(ref_mag below, ref_mag above) {
    ref_mag m;
    m.sig = below.sig + (above.sig << (above.exp - below.exp));
    m.exp = below.exp - 1;
    return m;
}

#define REF_QUIET ((uint64_t)1 << 63)

static inline ref_real ref_decode_float(const ref_format *f, uint64_t code) {
    uint64_t sign_bit = ref_sign_bit(f), magnitude = code & ~sign_bit, max = ref_max_code(f);
    int sign = (code & sign_bit) != 0;
    ref_mag m;
    if (f->rule == REF_FNUZ && code == sign_bit) return ref_make_nan(1, REF_QUIET);
    if (magnitude > max && f->rule == REF_IEEE) {
        if (magnitude == max + 1) return ref_make(REF_INF, sign, 0, 0);
        return ref_make_nan(sign, magnitude << (64 - f->man_bits));
    }
    if (magnitude > max) return ref_make_nan(sign, REF_QUIET);
    m = ref_magnitude(f, magnitude);
    return ref_make(REF_FINITE, sign, m.sig, m.exp);
}

/* The number a code stands for. A bool byte that is not 0 reads as 1. */
static inline ref_real ref_decode(mpx_dtype type, uint64_t code) {
    const ref_format *f = &ref_formats[type];
    uint64_t sign_bit = (uint64_t)1 << (f->bits - 1);
    if (f->rule == REF_BOOL) return ref_make(REF_FINITE, 0, code != 0, 0);
    if (f->rule == REF_UINT) return ref_make(REF_FINITE, 0, code, 0);
    if (f->rule != REF_INT) return ref_decode_float(f, code);
    if ((code & sign_bit) == 0) return ref_make(REF_FINITE, 0, code, 0);
    return ref_make(REF_FINITE, 1, (0 - code) & ref_low_mask(f->bits), 0);
}

static inline int ref_is_nan(mpx_dtype type, uint64_t code) {
    return ref_decode(type, code).kind == REF_NAN;
}
static inline int ref_is_finite(mpx_dtype type, uint64_t code) {
    return ref_decode(type, code).kind == REF_FINITE;
}

/* ---- real to code ---------------------------------------------------------------------------- */

/* Where to look first for the code at or below |x|. Comparisons decide: a bad guess costs time, and
   changes no result. */
static inline uint64_t ref_guess(const ref_format *f, const ref_real *x) {
    uint64_t hi = x->hi, lo = x->lo, code, max = ref_max_code(f);
    int exp = x->exp, field, drop;
    if ((hi | lo) == 0) return 0;
    ref_normalise(&hi, &lo, &exp);
    if (x->den != 1) {
        hi /= x->den;
        ref_normalise(&hi, &lo, &exp);
    }
    field = exp + 127 + (f->rule == REF_E8M0 ? 127 : f->bias);
    if (f->rule == REF_E8M0 || field > 1 << f->exp_bits)
        code = field < 0 ? 0 : f->rule == REF_E8M0 ? (uint64_t)field : max;
    else if (field > 0)
        code = ((uint64_t)(field - 1) << f->man_bits) + (hi >> (63 - f->man_bits));
    else {
        drop = 64 - f->man_bits - field;
        code = drop < 64 ? hi >> drop : 0;
    }
    return code < max ? code : max;
}

/* The code whose value is nearest to |x|, ties to the even code (e8m0: up); max + 1 where x rounds
   past the end. */
static inline uint64_t ref_nearest(const ref_format *f, const ref_real *x) {
    uint64_t low = ref_guess(f, x), high = low + 1, end = ref_max_code(f) + 1, middle;
    int side;
    if (ref_compare(x, ref_magnitude(f, low)) < 0)
        high = low, low = 0;
    else if (high < end && ref_compare(x, ref_magnitude(f, high)) >= 0)
        low = high, high = end;
    while (low + 1 < high) {
        middle = low + (high - low) / 2;
        if (ref_compare(x, ref_magnitude(f, middle)) >= 0)
            low = middle;
        else
            high = middle;
    }
    if (ref_compare(x, ref_magnitude(f, low)) < 0)
        return low; /* below 2^-127 in e8m0: no zero there */
    side = ref_compare(x, ref_midpoint(ref_magnitude(f, low), ref_magnitude(f, low + 1)));
    return side > 0 || (side == 0 && ((low & 1) != 0 || f->rule == REF_E8M0)) ? low + 1 : low;
}

/* What stands for Inf and for finite values past the end. */
static inline uint64_t ref_overflow_code(const ref_format *f, int sign) {
    uint64_t sign_bit = sign ? ref_sign_bit(f) : 0;
    if (f->rule == REF_FNUZ) return ref_sign_bit(f);
    if (f->rule == REF_ONLY_FINITE) return sign_bit | ref_max_code(f);
    return sign_bit | (ref_max_code(f) + 1); /* Inf; the NaN of e4m3fn; the NaN of e8m0 */
}

/* NaN: the sign stays, the quiet bit is set, the leading payload bits that have room stay. */
static inline uint64_t ref_nan_code(const ref_format *f, const ref_real *x) {
    uint64_t sign_bit = x->sign ? ref_sign_bit(f) : 0;
    if (f->rule == REF_ONLY_FINITE)
        return x->sign ? 0 : ref_sign_bit(f); /* ml_dtypes: +NaN -> -0, -NaN -> +0 */
    if (f->rule != REF_IEEE) return ref_overflow_code(f, x->sign);
    return sign_bit | (ref_max_code(f) + 1) | (x->payload | REF_QUIET) >> (64 - f->man_bits);
}

static inline uint64_t ref_encode_float(const ref_format *f, const ref_real *x) {
    uint64_t code;
    if (x->kind == REF_NAN) return ref_nan_code(f, x);
    if (f->rule == REF_E8M0 && (x->sign || ref_is_zero(x))) return 0xff;
    if (x->kind == REF_INF) return ref_overflow_code(f, x->sign);
    code = ref_nearest(f, x);
    if (code > ref_max_code(f)) return ref_overflow_code(f, x->sign);
    if (f->rule == REF_FNUZ && code == 0) return 0;
    return x->sign ? code | ref_sign_bit(f) : code;
}

/* |x| without its fraction, at most 2^64 - 1; for reals from one code (hi = 0, den = 1). */
static inline uint64_t ref_truncate(const ref_real *x) {
    if (x->kind == REF_INF) return ~(uint64_t)0;
    if (x->lo == 0 || x->exp <= -64) return 0;
    if (x->exp < 0) return x->lo >> -x->exp;
    if (ref_bit_length(x->lo) + x->exp > 64) return ~(uint64_t)0;
    return x->lo << x->exp;
}

/* Toward zero, then to the nearer end of the range; NaN gives 0. */
static inline uint64_t ref_encode_int(const ref_format *f, const ref_real *x) {
    uint64_t magnitude, limit;
    if (x->kind == REF_NAN) return 0;
    if (f->rule == REF_UINT)
        limit = x->sign ? 0 : ref_low_mask(f->bits);
    else
        limit = ref_low_mask(f->bits - 1) + (x->sign ? 1 : 0);
    magnitude = ref_truncate(x);
    if (magnitude > limit) magnitude = limit;
    return (x->sign ? 0 - magnitude : magnitude) & ref_low_mask(f->bits);
}

static inline uint64_t ref_encode(mpx_dtype type, const ref_real *x) {
    const ref_format *f = &ref_formats[type];
    if (f->rule == REF_BOOL) return !ref_is_zero(x);
    if (f->rule == REF_INT || f->rule == REF_UINT) return ref_encode_int(f, x);
    return ref_encode_float(f, x);
}

/* ---- operations ------------------------------------------------------------------------------ */

static inline uint64_t ref_cast(mpx_dtype dst, mpx_dtype src, uint64_t code) {
    ref_real x;
    if (dst == src) return code;
    x = ref_decode(src, code);
    return ref_encode(dst, &x);
}

static inline ref_real ref_made_nan(void) {
    ref_real x = ref_make_nan(0, REF_QUIET);
    x.made = 1;
    return x;
}

/* The first operand that is NaN; IEEE leaves open which one, and the sign. */
static inline ref_real ref_pass_nan(ref_real x, ref_real y) {
    ref_real nan = x.kind == REF_NAN ? x : y;
    nan.made = 1;
    return nan;
}

/* x * y exactly; y from a format of at most 32 significant bits. */
static inline ref_real ref_product(ref_real x, ref_real y) {
    ref_real r = ref_make(REF_FINITE, x.sign ^ y.sign, 0, x.exp + y.exp);
    if (x.kind == REF_NAN || y.kind == REF_NAN) return ref_pass_nan(x, y);
    if ((x.kind == REF_INF && ref_is_zero(&y)) || (y.kind == REF_INF && ref_is_zero(&x)))
        return ref_made_nan();
    if (x.kind == REF_INF || y.kind == REF_INF) return ref_make(REF_INF, r.sign, 0, 0);
    ref_multiply(x.lo, (uint32_t)y.lo, &r.hi, &r.lo);
    return r;
}

/* x / y exactly: as a fraction. */
static inline ref_real ref_quotient(ref_real x, ref_real y) {
    ref_real r = ref_make(REF_FINITE, x.sign ^ y.sign, x.lo, x.exp - y.exp);
    if (x.kind == REF_NAN || y.kind == REF_NAN) return ref_pass_nan(x, y);
    if (x.kind == REF_INF && y.kind == REF_INF) return ref_made_nan();
    if (ref_is_zero(&x) && ref_is_zero(&y)) return ref_made_nan();
    if (x.kind == REF_INF || ref_is_zero(&y)) return ref_make(REF_INF, r.sign, 0, 0);
    if (y.kind == REF_INF) return ref_make(REF_FINITE, r.sign, 0, 0);
    r.den = (uint32_t)y.lo;
    return r;
}

/* ---- storage --------------------------------------------------------------------------------- */

/* Bytes of n elements; n is small here. */
static inline size_t ref_bytes(mpx_dtype type, size_t n) {
    return (n * (size_t)ref_formats[type].bits + 7) / 8;
}

/* Element i below a byte is bits [i * bits, (i + 1) * bits) of the buffer, counted from the lowest
   bit of byte 0. */
static inline uint64_t ref_load_packed(int bits, const unsigned char *bytes, size_t i) {
    size_t at = i * (size_t)bits, shift = at % 8;
    unsigned window = bytes[at / 8];
    if (shift + (size_t)bits > 8) window |= (unsigned)bytes[at / 8 + 1] << 8;
    return (window >> shift) & ref_low_mask(bits);
}

static inline void ref_store_packed(int bits, unsigned char *bytes, size_t i, uint64_t code) {
    size_t at = i * (size_t)bits, shift = at % 8;
    unsigned mask = (unsigned)ref_low_mask(bits) << shift, value = (unsigned)code << shift;
    bytes[at / 8] = (unsigned char)((bytes[at / 8] & ~mask) | (value & mask));
    if (shift + (size_t)bits <= 8) return;
    mask >>= 8;
    value >>= 8;
    bytes[at / 8 + 1] = (unsigned char)((bytes[at / 8 + 1] & ~mask) | (value & mask));
}

/* Wider elements are native values: the byte order of the machine comes in by memcpy. */
static inline uint64_t ref_load(mpx_dtype type, const void *data, size_t i) {
    const unsigned char *bytes = (const unsigned char *)data;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (ref_formats[type].bits) {
    case 8: return bytes[i];
    case 16: memcpy(&u16, bytes + i * 2, 2); return u16;
    case 32: memcpy(&u32, bytes + i * 4, 4); return u32;
    case 64: memcpy(&u64, bytes + i * 8, 8); return u64;
    default: return ref_load_packed(ref_formats[type].bits, bytes, i);
    }
}

static inline void ref_store(mpx_dtype type, void *data, size_t i, uint64_t code) {
    unsigned char *bytes = (unsigned char *)data;
    uint16_t u16 = (uint16_t)code;
    uint32_t u32 = (uint32_t)code;
    switch (ref_formats[type].bits) {
    case 8: bytes[i] = (unsigned char)code; break;
    case 16: memcpy(bytes + i * 2, &u16, 2); break;
    case 32: memcpy(bytes + i * 4, &u32, 4); break;
    case 64: memcpy(bytes + i * 8, &code, 8); break;
    default: ref_store_packed(ref_formats[type].bits, bytes, i, code); break;
    }
}

/* A float whose bits are given, through memory: no arithmetic touches it. */
static inline float ref_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double ref_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t ref_double_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- inputs: the rounding-class sweep -------------------------------------------------------- */

/* Takes one source code after the other. */
typedef void (*ref_take_fn)(void *user, uint64_t code);

/* Who asks: the source type, how many bits of a pattern are enumerated in full (5 to 16), and where
   codes go. */
typedef struct ref_sweep_to {
    mpx_dtype src;
    int all_bits;
    ref_take_fn take;
    void *user;
} ref_sweep_to;

/* Patterns of `keep` bits: all of them, or where these are too many every mix of three leading
   bits, three trailing ones and a middle of zeros, ones or alternating bits. */
static inline int ref_pattern_count(int keep, int all_bits) {
    return keep <= all_bits ? 1 << keep : 256;
}

static inline uint64_t ref_pattern(int keep, int all_bits, int i) {
    static const uint64_t middles[4] = { 0, ~(uint64_t)0, 0x5555555555555555u,
                                         0xaaaaaaaaaaaaaaaau };
    uint64_t middle;
    if (keep <= all_bits) return (uint64_t)i;
    middle = (middles[i >> 6] << 3) & ref_low_mask(keep - 3);
    return (uint64_t)((i >> 3) & 7) << (keep - 3) | middle | (uint64_t)(i & 7);
}

/* prefix with the tails 0, 1, half - 1, half, half + 1, max in its low tail_bits bits, each tail
   once. */
static inline void ref_give_tails(const ref_sweep_to *to, uint64_t prefix, uint64_t sign,
                                  int tail_bits) {
    uint64_t max = ref_low_mask(tail_bits), half = (max >> 1) + 1, tails[6], last = 0;
    int i;
    tails[0] = 0, tails[1] = 1, tails[2] = half - 1, tails[3] = half, tails[4] = half + 1,
    tails[5] = max;
    for (i = 0; i < 6; i++) {
        if (i > 0 && (tails[i] <= last || tails[i] > max)) continue;
        last = tails[i];
        to->take(to->user, sign | prefix << tail_bits | last);
    }
}

/* How many fraction bits the target keeps of a number in [2^exponent, 2^(exponent + 1)); 1 where it
   is out of range. */
static inline int ref_kept_bits(const ref_format *target, int exponent) {
    int min_exponent = 1 - target->bias, keep = target->man_bits;
    if (target->rule >= REF_BOOL) return exponent < -2 || exponent > target->bits + 1 ? 1 : 8;
    if (exponent > (1 << target->exp_bits) - target->bias) return 1;
    if (exponent < min_exponent) keep -= min_exponent - exponent;
    return keep < 1 ? 1 : keep;
}

/* One sign and one exponent field: every kept pattern with its tails; below the target's normals
   also with the tails of a normal; in the subnormals of the source also every single bit and its
   neighbours. */
static inline void ref_sweep_binade(const ref_sweep_to *to, const ref_format *target, uint64_t sign,
                                    int exp_field) {
    const ref_format *f = &ref_formats[to->src];
    int keep = ref_kept_bits(target, (exp_field == 0 ? 1 : exp_field) - f->bias), i, bit;
    int whole = keep > 1 && target->man_bits <= to->all_bits && target->man_bits > keep
                    ? target->man_bits
                    : 0;
    uint64_t head = (uint64_t)exp_field;
    if (keep > f->man_bits) keep = f->man_bits;
    for (i = 0; i < ref_pattern_count(keep, to->all_bits); i++)
        ref_give_tails(to, head << keep | ref_pattern(keep, to->all_bits, i), sign,
                       f->man_bits - keep);
    for (i = 0; whole != 0 && i < 1 << whole; i++)
        ref_give_tails(to, head << whole | (uint64_t)i, sign, f->man_bits - whole);
    for (bit = 0; exp_field == 0 && bit < f->man_bits; bit++)
        for (i = -1; i <= 1; i++) {
            to->take(to->user, sign | (((uint64_t)1 << bit) + (uint64_t)(int64_t)i));
            to->take(to->user, sign | (((uint64_t)3 << bit >> 1) + (uint64_t)(int64_t)i));
        }
}

/* NaN with every single payload bit, signalling and quiet. */
static inline void ref_sweep_nan(const ref_sweep_to *to) {
    const ref_format *f = &ref_formats[to->src];
    uint64_t inf = ref_max_code(f) + 1, quiet = (uint64_t)1 << (f->man_bits - 1),
             sign = ref_sign_bit(f);
    int bit;
    for (bit = 0; bit < f->man_bits; bit++) {
        to->take(to->user, inf | (uint64_t)1 << bit);
        to->take(to->user, inf | (uint64_t)1 << bit | quiet);
        to->take(to->user, inf | (uint64_t)1 << bit | sign);
        to->take(to->user, inf | (uint64_t)1 << bit | quiet | sign);
    }
}

/* Every bit length of an integer: the kept patterns below the leading one, their tails, and the
   negatives. */
static inline void ref_sweep_int(const ref_sweep_to *to, const ref_format *target, int length) {
    uint64_t mask = ref_low_mask(ref_formats[to->src].bits), tails[3], code;
    int keep = ref_kept_bits(target, length - 1), tail_bits, i, t;
    if (keep > length - 1) keep = length - 1;
    tail_bits = length - 1 - keep;
    for (i = 0; i < ref_pattern_count(keep, to->all_bits); i++) {
        code = ((uint64_t)1 << keep | ref_pattern(keep, to->all_bits, i)) << tail_bits;
        tails[0] = 0, tails[1] = ((ref_low_mask(tail_bits) >> 1) + 1) & ref_low_mask(tail_bits);
        tails[2] = ref_low_mask(tail_bits);
        for (t = 0; t < 9; t++) { /* each of 0, half, max, less one, as it is, plus one */
            uint64_t value = code + tails[t / 3] + (uint64_t)(int64_t)(t % 3 - 1);
            to->take(to->user, value & mask);
            to->take(to->user, (0 - value) & mask);
        }
    }
}

/* The five source codes around x, and around -x. */
static inline void ref_give_around(const ref_sweep_to *to, ref_real x) {
    uint64_t mask = ref_low_mask(ref_formats[to->src].bits), code;
    int i, sign;
    for (sign = 0; sign <= 1; sign++) {
        x.sign = sign;
        code = ref_encode(to->src, &x);
        for (i = -2; i <= 2; i++)
            to->take(to->user, (code + (uint64_t)(int64_t)i) & mask);
    }
}

static inline ref_real ref_real_of(ref_mag m) { return ref_make(REF_FINITE, 0, m.sig, m.exp); }

/* Where the target's answers change: zero, the subnormal and normal ends, one, the overflow
   threshold; for integers both ends of the range. */
static inline void ref_sweep_edges(const ref_sweep_to *to, const ref_format *target) {
    uint64_t max = ref_max_code(target), normal = (uint64_t)1 << target->man_bits, codes[6];
    int i;
    ref_give_around(to, ref_make(REF_FINITE, 0, 0, 0));
    ref_give_around(to, ref_make(REF_FINITE, 0, 1, 0));
    if (target->rule >= REF_BOOL) {
        for (i = -2; i <= 1; i++)
            ref_give_around(to, ref_make(REF_FINITE, 0, 1, target->bits + i));
        for (i = 0; i <= 1; i++)
            ref_give_around(to, ref_make(REF_FINITE, 0, ref_low_mask(target->bits - i), 0));
        return;
    }
    codes[0] = 0, codes[1] = 1, codes[2] = normal - 1, codes[3] = normal, codes[4] = max - 1,
    codes[5] = max;
    for (i = 0; i < 6; i++) {
        ref_mag below = ref_magnitude(target, codes[i]),
                above = ref_magnitude(target, codes[i] + 1);
        ref_give_around(to, ref_real_of(below));
        ref_give_around(to, ref_real_of(above));
        ref_give_around(to, ref_real_of(ref_midpoint(below, above)));
    }
}

/* Every code of a type of at most 16 bits; of wider ones every class of inputs that `dst` rounds
   differently, and the edges of all targets. */
static inline void ref_sweep(mpx_dtype dst, mpx_dtype src, int all_bits, ref_take_fn take,
                             void *user) {
    const ref_format *f = &ref_formats[src], *target = &ref_formats[dst];
    ref_sweep_to to;
    uint64_t code;
    mpx_dtype edge;
    int i;
    to.src = src, to.all_bits = all_bits, to.take = take, to.user = user;
    if (f->bits <= 16) {
        for (code = 0; code <= ref_low_mask(f->bits); code++)
            take(user, code);
        return;
    }
    for (i = 1; f->rule >= REF_BOOL && i <= f->bits; i++)
        ref_sweep_int(&to, target, i);
    for (i = 0; f->rule == REF_IEEE && i < 1 << f->exp_bits; i++) {
        ref_sweep_binade(&to, target, 0, i);
        ref_sweep_binade(&to, target, ref_sign_bit(f), i);
    }
    if (f->rule == REF_IEEE) ref_sweep_nan(&to);
    for (edge = REF_FIRST; edge <= REF_LAST; edge++)
        ref_sweep_edges(&to, &ref_formats[edge]);
}

/* ---- modes: toward zero, stochastic, saturating ---------------------------------------------- */

/* How to round and what overflow gives. random: 16 bits, for the stochastic mode. */
typedef struct ref_mode {
    int rounding, saturate;
    uint32_t random;
} ref_mode;

/* The largest code whose value is at most |x|, at most the largest finite code; 0 below all. */
static inline uint64_t ref_floor(const ref_format *f, const ref_real *x) {
    uint64_t low = 0, high = ref_max_code(f) + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (ref_compare(x, ref_magnitude(f, middle)) >= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* |x| >= below + (1 - random / 2^16) * distance to the next code: then 16 random bits on top of
   what is cut off carry. Neighbours are one unit of `below` apart. For reals from one code. */
static inline int ref_carries(const ref_real *x, ref_mag below, uint32_t random) {
    ref_real limit = ref_make(REF_FINITE, 0, 0, below.exp - 16);
    ref_mag magnitude;
    uint64_t add = 65536u - (random & 0xffffu);
    ref_multiply(below.sig, 65536, &limit.hi, &limit.lo);
    limit.lo += add;
    limit.hi += limit.lo < add;
    magnitude.sig = x->lo, magnitude.exp = x->exp;
    return ref_compare(&limit, magnitude) <= 0;
}

/* Does |x|, at or above code low, go to the next code? */
static inline int ref_goes_up(const ref_format *f, const ref_real *x, uint64_t low,
                              const ref_mode *mode) {
    ref_mag below = ref_magnitude(f, low);
    int is_e8m0 = f->rule == REF_E8M0, side;
    if (ref_compare(x, below) <= 0) return 0;
    if (mode->rounding == MPX_ROUND_NEAREST) {
        side = ref_compare(x, ref_midpoint(below, ref_magnitude(f, low + 1)));
        return side > 0 || (side == 0 && (is_e8m0 || (low & 1) != 0));
    }
    return mode->rounding == MPX_ROUND_STOCHASTIC && ref_carries(x, below, mode->random);
}

/* x in a float format; low is its ref_floor, which all modes share. */
static inline uint64_t ref_encode_at(const ref_format *f, const ref_real *x, uint64_t low,
                                     const ref_mode *mode) {
    uint64_t max = ref_max_code(f), code = max;
    if (x->kind == REF_NAN) return ref_nan_code(f, x);
    if (f->rule == REF_E8M0 && (x->sign || ref_is_zero(x))) return mode->saturate ? 0 : 0xff;
    if (x->kind == REF_INF && !mode->saturate) return ref_overflow_code(f, x->sign);
    if (x->kind == REF_FINITE) code = low + (uint64_t)ref_goes_up(f, x, low, mode);
    if (code > max && !mode->saturate) return ref_overflow_code(f, x->sign);
    if (code > max) code = max;
    if (f->rule == REF_FNUZ && code == 0) return 0;
    return x->sign ? code | ref_sign_bit(f) : code;
}

/* Cut to f32 by round-to-odd: the code below, its lowest bit set if anything was cut off. */
static inline ref_real ref_cut_to_f32(const ref_real *x) {
    const ref_format *f32 = &ref_formats[MPX_F32];
    uint64_t low;
    if (x->kind != REF_FINITE) return *x;
    low = ref_floor(f32, x);
    if (ref_compare(x, ref_magnitude(f32, low)) != 0) low |= 1;
    return ref_decode_float(f32, x->sign ? low | ref_sign_bit(f32) : low);
}

/* Sources that the stochastic mode cuts to f32 before it rounds to anything narrower. */
static inline int ref_is_cut(mpx_dtype dst, mpx_dtype src) {
    int wide_source = src == MPX_F64 || (src >= MPX_I32 && src <= MPX_U64);
    return wide_source && dst != MPX_F32 && dst != MPX_F64;
}

static inline uint64_t ref_cast_with(mpx_dtype dst, mpx_dtype src, uint64_t code,
                                     const ref_mode *mode) {
    const ref_format *f = &ref_formats[dst];
    ref_real x;
    if (dst == src) return code;
    x = ref_decode(src, code);
    if (!ref_is_float(dst)) return ref_encode(dst, &x);
    if (mode->rounding == MPX_ROUND_STOCHASTIC && ref_is_cut(dst, src)) x = ref_cut_to_f32(&x);
    return ref_encode_at(f, &x, x.kind == REF_FINITE ? ref_floor(f, &x) : 0, mode);
}
#endif
