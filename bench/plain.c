/* One plain C loop per row: what a careful programmer writes without intrinsics, for the compiler
   to vectorise. Every loop is right for every input: NaN, subnormals, ties and overflow too.
   Compiled with -O3, once by each compiler; PLAIN_TABLE is the name of its table. */
#include "bench.h"
#include <string.h>
#ifndef PLAIN_TABLE
#define PLAIN_TABLE bench_plain_cc
#define PLAIN_LATENCY bench_latency_plain
#endif
#if defined(__clang__) && (defined(__F16C__) || defined(__aarch64__))
#define HAVE_HALF 1 /* gcc 12 has the type, but converts one by one; slower than integers */
typedef _Float16 half;
#else
#define HAVE_HALF 0
#endif
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define RESTRICT __restrict
#define NO_ALIAS_MEMORY() __asm__ volatile("" ::: "memory")
#else
#define ALWAYS_INLINE static inline
#define RESTRICT restrict
#define NO_ALIAS_MEMORY() ((void)0)
#endif

ALWAYS_INLINE uint32_t bits_of(float x) {
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
ALWAYS_INLINE float float_of(uint32_t u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}
ALWAYS_INLINE uint64_t bits_of64(double x) {
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}
ALWAYS_INLINE double double_of(uint64_t u) {
    double x;
    memcpy(&x, &u, 8);
    return x;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* largest: code of the largest value; over: what overflow becomes; nan: the code of NaN, and which
   payload bits it keeps. sign: place of the sign bit. fnuz: the one NaN is the code of -0. */
typedef struct format {
    int man_bits, bias, sign;
    uint32_t largest, over, nan, payload;
    int fnuz;
} format;
static const format f16 = { 10, 15, 15, 0x7bff, 0x7c00, 0x7e00, 0x1ff, 0 };
static const format bf16 = { 7, 127, 15, 0x7f7f, 0x7f80, 0x7fc0, 0x3f, 0 };
static const format e4m3fn = { 3, 7, 7, 0x7e, 0x7f, 0x7f, 0, 0 };
static const format e5m2 = { 2, 15, 7, 0x7b, 0x7c, 0x7e, 1, 0 };
static const format e4m3fnuz = { 3, 8, 7, 0x7f, 0x80, 0x80, 0, 1 };
static const format e5m2fnuz = { 2, 16, 7, 0x7f, 0x80, 0x80, 0, 1 };
static const format e4m3b11fnuz = { 3, 11, 7, 0x7f, 0x80, 0x80, 0, 1 };
static const format e4m3 = { 3, 7, 7, 0x77, 0x78, 0x7c, 3, 0 };
static const format e3m4 = { 4, 3, 7, 0x6f, 0x70, 0x78, 7, 0 };
static const format e2m3fn = { 3, 1, 5, 0x1f, 0x1f, 0x20, 0, 0 }; /* NaN: zero, sign flipped */
static const format e3m2fn = { 2, 3, 5, 0x1f, 0x1f, 0x20, 0, 0 };
static const format e2m1fn = { 1, 1, 3, 7, 7, 8, 0, 0 };

/* r is the rounded code without sign; what remains are overflow, NaN and the sign. */
ALWAYS_INLINE uint32_t finish(uint32_t r, uint32_t sign, int is_nan, uint32_t payload, format f,
                              int saturate) {
    uint32_t special = is_nan ? f.nan | payload : saturate ? f.largest : f.over;
    sign <<= f.sign;
    if (f.fnuz) {
        uint32_t code = r > f.largest ? special : r, plain = code != 0x80;
        return code | (sign & (0u - (plain & (code != 0))));
    }
    return (r > f.largest ? special : r) ^ sign;
}

/* Normal results: add half a unit of the last place, and ties to even. Subnormal ones: adding a
   power of two whose unit is the smallest subnormal rounds, and leaves the code in the low bits. */
ALWAYS_INLINE uint32_t encode(float x, format f, int saturate) {
    uint32_t u = bits_of(x), a = u & 0x7fffffffu, drop = (uint32_t)(23 - f.man_bits);
    uint32_t magic = (uint32_t)(151 - f.bias - f.man_bits) << 23;
    uint32_t normal = (a - ((uint32_t)(127 - f.bias) << 23) + (1u << (drop - 1)) - 1 +
                       (a >> drop & 1)) >> drop;
    uint32_t small = bits_of(float_of(a) + float_of(magic)) - magic;
    uint32_t r = a < (uint32_t)(128 - f.bias) << 23 ? small : normal;
    return finish(r, u >> 31, a > 0x7f800000u, a >> drop & f.payload, f, saturate);
}

/* The same from double: one rounding, not two. */
ALWAYS_INLINE uint32_t encode64(double x, format f, int saturate) {
    uint64_t u = bits_of64(x), a = u & 0x7fffffffffffffffu;
    unsigned drop = (unsigned)(52 - f.man_bits);
    uint64_t magic = (uint64_t)(1076 - f.bias - f.man_bits) << 52;
    uint64_t normal = (a - ((uint64_t)(1023 - f.bias) << 52) + ((uint64_t)1 << (drop - 1)) - 1 +
                       (a >> drop & 1)) >> drop;
    uint64_t small = bits_of64(double_of(a) + double_of(magic)) - magic;
    uint64_t r = a < (uint64_t)(1024 - f.bias) << 52 ? small : normal;
    uint32_t code = r > f.largest ? f.largest + 1 : (uint32_t)r;
    int is_nan = a > (uint64_t)0x7ff << 52;
    return finish(code, (uint32_t)(u >> 63), is_nan, (uint32_t)(a >> drop) & f.payload, f,
                  saturate);
}

/* f32 bits of a code: normals get the other bias, subnormals are small integers times a power of
   two; top is the first code that is Inf or NaN. */
ALWAYS_INLINE uint32_t decode(uint32_t code, format f, uint32_t top) {
    uint32_t a = code & ((1u << f.sign) - 1), shift = (uint32_t)(23 - f.man_bits);
    uint32_t normal = (a << shift) + ((uint32_t)(127 - f.bias) << 23);
    uint32_t unit = (uint32_t)(128 - f.bias - f.man_bits) << 23;
    uint32_t small = bits_of((float)(int32_t)a * float_of(unit));
    uint32_t inf = f.over > f.largest && f.over != f.nan ? f.over : 0xffffffffu;
    uint32_t nan = 0x7fc00000u | (a & f.payload) << shift;
    uint32_t r = a < 1u << f.man_bits ? small : normal;
    r = a >= top ? (a == inf ? 0x7f800000u : nan) : r;
    return r | (code >> f.sign & 1) << 31;
}

#if HAVE_HALF
ALWAYS_INLINE float from_f16(uint16_t h) {
    half x;
    memcpy(&x, &h, 2);
    return (float)x;
}
ALWAYS_INLINE uint16_t to_f16(float x) {
    half h = (half)x;
    uint16_t u;
    memcpy(&u, &h, 2);
    return u;
}
#else
ALWAYS_INLINE float from_f16(uint16_t h) { return float_of(decode(h, f16, 0x7c00)); }
ALWAYS_INLINE uint16_t to_f16(float x) { return (uint16_t)encode(x, f16, 0); }
#endif
ALWAYS_INLINE float from_bf16(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    return float_of((u & 0x7fffffffu) > 0x7f800000u ? u | 0x400000u : u);
}
ALWAYS_INLINE uint16_t to_bf16(float x) {
    uint32_t u = bits_of(x), rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : rounded);
}
ALWAYS_INLINE float from_e4m3fn(uint8_t c) { return float_of(decode(c, e4m3fn, 0x7f)); }
ALWAYS_INLINE float from_e5m2(uint8_t c) { return float_of(decode(c, e5m2, 0x7c)); }
/* e5m2 is the upper half of f16: a NaN has to become quiet. */
ALWAYS_INLINE uint16_t f16_from_e5m2(uint8_t c) {
    return (uint16_t)(c << 8 | ((c & 0x7fu) > 0x7cu ? 0x200 : 0));
}
ALWAYS_INLINE float from_e2m1fn(uint32_t c) { return float_of(decode(c, e2m1fn, 16)); }
ALWAYS_INLINE int32_t to_integer(float x, float least, float largest) {
    x = x == x ? x : 0.0f;
    x = x < least ? least : x;
    return (int32_t)(x > largest ? largest : x);
}
ALWAYS_INLINE int32_t to_i32(float x) {
    return x >= 0x1p31f ? INT32_MAX : to_integer(x, -0x1p31f, 0x1.fffffep30f);
}
ALWAYS_INLINE int32_t f64_to_i32(double x) {
    x = x == x ? x : 0;
    x = x > -0x1p31 ? x : -0x1p31;
    return (int32_t)(x < 2147483647.0 ? x : 2147483647.0);
}
ALWAYS_INLINE int64_t f64_to_i64(double x) {
    x = x == x ? x : 0;
    x = x > -0x1p63 ? x : -0x1p63;
    return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}
ALWAYS_INLINE int64_t between(int64_t x, int64_t least, int64_t largest) {
    return x < least ? least : x > largest ? largest : x;
}

/* ---- loops, one element each ----------------------------------------------------------------- */

#define LOOP(name, D, S, value)                                                      \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {   \
        D *RESTRICT d = (D *)dst;                                                    \
        const S *RESTRICT s = (const S *)src;                                        \
        size_t i;                                                                    \
        (void)row;                                                                   \
        for (i = 0; i < n; i++)                                                      \
            d[i] = value;                                                            \
    }
LOOP(f16_f32, float, uint16_t, from_f16(s[i]))
LOOP(bf16_f32, float, uint16_t, from_bf16(s[i]))
LOOP(f32_f16, uint16_t, float, to_f16(s[i]))
LOOP(f32_bf16, uint16_t, float, to_bf16(s[i]))
LOOP(i8_f32, float, int8_t, (float)s[i])
LOOP(i32_f32, float, int32_t, (float)s[i])
LOOP(u8_f32, float, uint8_t, (float)s[i])
LOOP(i16_f32, float, int16_t, (float)s[i])
LOOP(f64_f32, float, double, (float)s[i])
LOOP(f32_i8, int8_t, float, (int8_t)to_integer(s[i], -128.0f, 127.0f))
LOOP(f32_f64, double, float, (double)s[i])
LOOP(f32_i32, int32_t, float, to_i32(s[i]))
LOOP(f32_i16, int16_t, float, (int16_t)to_integer(s[i], -32768.0f, 32767.0f))
LOOP(f32_u8, uint8_t, float, (uint8_t)to_integer(s[i], 0.0f, 255.0f))
LOOP(f32_u16, uint16_t, float, (uint16_t)to_integer(s[i], 0.0f, 65535.0f))
LOOP(f64_i32, int32_t, double, f64_to_i32(s[i]))
LOOP(i32_f64, double, int32_t, (double)s[i])
LOOP(i64_f64, double, int64_t, (double)s[i])
LOOP(u32_f32, float, uint32_t, (float)s[i])
LOOP(i64_f32, float, int64_t, (float)s[i])
LOOP(f64_i64, int64_t, double, f64_to_i64(s[i]))
LOOP(i16_u8, uint8_t, int16_t, (uint8_t)between(s[i], 0, 255))
LOOP(i64_i32, int32_t, int64_t, (int32_t)between(s[i], INT32_MIN, INT32_MAX))
LOOP(i32_i8, int8_t, int32_t, (int8_t)(s[i] < -128 ? -128 : s[i] > 127 ? 127 : s[i]))
LOOP(u8_i16, int16_t, uint8_t, (int16_t)s[i])
LOOP(e4m3fn_f32, float, uint8_t, from_e4m3fn(s[i]))
LOOP(e4m3fn_f16, uint16_t, uint8_t, to_f16(from_e4m3fn(s[i])))
LOOP(e4m3fn_bf16, uint16_t, uint8_t, (uint16_t)(bits_of(from_e4m3fn(s[i])) >> 16))
LOOP(e5m2_f32, float, uint8_t, from_e5m2(s[i]))
LOOP(e5m2_f16, uint16_t, uint8_t, f16_from_e5m2(s[i]))
LOOP(e5m2_bf16, uint16_t, uint8_t, (uint16_t)(bits_of(from_e5m2(s[i])) >> 16))
LOOP(f16_bf16, uint16_t, uint16_t, to_bf16(from_f16(s[i])))
LOOP(bf16_f16, uint16_t, uint16_t, to_f16(from_bf16(s[i])))
LOOP(f32_e4m3fn, uint8_t, float, (uint8_t)encode(s[i], e4m3fn, 0))
LOOP(f32_e5m2, uint8_t, float, (uint8_t)encode(s[i], e5m2, 0))
LOOP(f32_e4m3fnuz, uint8_t, float, (uint8_t)encode(s[i], e4m3fnuz, 0))
LOOP(f32_e5m2fnuz, uint8_t, float, (uint8_t)encode(s[i], e5m2fnuz, 0))
LOOP(f32_e4m3b11fnuz, uint8_t, float, (uint8_t)encode(s[i], e4m3b11fnuz, 0))
LOOP(f32_e4m3, uint8_t, float, (uint8_t)encode(s[i], e4m3, 0))
LOOP(f32_e3m4, uint8_t, float, (uint8_t)encode(s[i], e3m4, 0))
LOOP(f32_e4m3fn_sat, uint8_t, float, (uint8_t)encode(s[i], e4m3fn, 1))
LOOP(f32_e5m2_sat, uint8_t, float, (uint8_t)encode(s[i], e5m2, 1))
LOOP(f32_e4m3fnuz_sat, uint8_t, float, (uint8_t)encode(s[i], e4m3fnuz, 1))
LOOP(f32_e5m2fnuz_sat, uint8_t, float, (uint8_t)encode(s[i], e5m2fnuz, 1))
LOOP(f32_e4m3b11fnuz_sat, uint8_t, float, (uint8_t)encode(s[i], e4m3b11fnuz, 1))
LOOP(f32_e4m3_sat, uint8_t, float, (uint8_t)encode(s[i], e4m3, 1))
LOOP(f32_e3m4_sat, uint8_t, float, (uint8_t)encode(s[i], e3m4, 1))
LOOP(f32_e2m3fn_bytes, uint8_t, float, (uint8_t)encode(s[i], e2m3fn, 0))
LOOP(f32_e3m2fn_bytes, uint8_t, float, (uint8_t)encode(s[i], e3m2fn, 0))
LOOP(bf16_e4m3fn, uint8_t, uint16_t, (uint8_t)encode(from_bf16(s[i]), e4m3fn, 0))
LOOP(bf16_e5m2, uint8_t, uint16_t, (uint8_t)encode(from_bf16(s[i]), e5m2, 0))
LOOP(bf16_e4m3fn_sat, uint8_t, uint16_t, (uint8_t)encode(from_bf16(s[i]), e4m3fn, 1))
LOOP(bf16_e5m2_sat, uint8_t, uint16_t, (uint8_t)encode(from_bf16(s[i]), e5m2, 1))
LOOP(f16_e4m3fn, uint8_t, uint16_t, (uint8_t)encode(from_f16(s[i]), e4m3fn, 0))
LOOP(f16_e5m2, uint8_t, uint16_t, (uint8_t)encode(from_f16(s[i]), e5m2, 0))
LOOP(f16_e4m3fn_sat, uint8_t, uint16_t, (uint8_t)encode(from_f16(s[i]), e4m3fn, 1))
LOOP(f16_e5m2_sat, uint8_t, uint16_t, (uint8_t)encode(from_f16(s[i]), e5m2, 1))
LOOP(f64_f16, uint16_t, double, (uint16_t)encode64(s[i], f16, 0))
LOOP(f64_bf16, uint16_t, double, (uint16_t)encode64(s[i], bf16, 0))
LOOP(f64_e4m3fn, uint8_t, double, (uint8_t)encode64(s[i], e4m3fn, 0))
LOOP(f64_e5m2, uint8_t, double, (uint8_t)encode64(s[i], e5m2, 0))

/* ---- packed ---------------------------------------------------------------------------------- */

#define UNPACK(name, D, value)                                                       \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {   \
        D *RESTRICT d = (D *)dst;                                                    \
        const uint8_t *RESTRICT s = (const uint8_t *)src;                            \
        size_t i;                                                                    \
        uint32_t c;                                                                  \
        (void)row;                                                                   \
        for (i = 0; i < n / 2; i++) {                                                \
            c = s[i] & 15u;                                                          \
            d[2 * i] = value;                                                        \
            c = s[i] >> 4;                                                           \
            d[2 * i + 1] = value;                                                    \
        }                                                                            \
        c = n % 2 != 0 ? s[i] & 15u : 0;                                             \
        if (n % 2 != 0) d[2 * i] = value;                                            \
    }
UNPACK(e2m1fn_f32, float, from_e2m1fn(c))
UNPACK(e2m1fn_f16, uint16_t, to_f16(from_e2m1fn(c)))
UNPACK(e2m1fn_bf16, uint16_t, (uint16_t)(bits_of(from_e2m1fn(c)) >> 16))

static void f32_e2m1fn(const bench_row *row, void *dst, const void *src, size_t n) {
    uint8_t *RESTRICT d = (uint8_t *)dst;
    const float *RESTRICT s = (const float *)src;
    size_t i;
    (void)row;
    for (i = 0; i < n / 2; i++)
        d[i] = (uint8_t)(encode(s[2 * i], e2m1fn, 0) | encode(s[2 * i + 1], e2m1fn, 0) << 4);
    if (n % 2 != 0) d[i] = (uint8_t)encode(s[2 * i], e2m1fn, 0);
}

/* Four codes of six bits are three bytes. */
ALWAYS_INLINE void pack6(uint8_t *RESTRICT d, const float *RESTRICT s, size_t n, format f) {
    size_t i, k;
    uint32_t w = 0;
    for (i = 0; i < n / 4; i++) {
        w = encode(s[4 * i], f, 0) | encode(s[4 * i + 1], f, 0) << 6 |
            encode(s[4 * i + 2], f, 0) << 12 | encode(s[4 * i + 3], f, 0) << 18;
        d[3 * i] = (uint8_t)w;
        d[3 * i + 1] = (uint8_t)(w >> 8);
        d[3 * i + 2] = (uint8_t)(w >> 16);
    }
    for (w = 0, k = 0; k < n % 4; k++)
        w |= encode(s[4 * i + k], f, 0) << 6 * k;
    for (k = 0; k < (n % 4 * 6 + 7) / 8; k++)
        d[3 * i + k] = (uint8_t)(w >> 8 * k);
}
static void f32_e2m3fn(const bench_row *row, void *dst, const void *src, size_t n) {
    (void)row;
    pack6((uint8_t *)dst, (const float *)src, n, e2m3fn);
}
static void f32_e3m2fn(const bench_row *row, void *dst, const void *src, size_t n) {
    (void)row;
    pack6((uint8_t *)dst, (const float *)src, n, e3m2fn);
}

/* ---- unscale, all_finite --------------------------------------------------------------------- */

/* f32: a product with the exact reciprocal where there is one, else a division. */
static void unscale_f32(const bench_row *row, void *dst, const void *src, size_t n) {
    float *d = (float *)dst, by = bench_next_by(row);
    uint32_t bad = 0;
    size_t i;
    int exact = (bits_of(by) & 0x7fffffu) == 0;
    (void)src;
    if (exact) {
        float inverse = 1.0f / by;
        for (i = 0; i < n; i++) {
            d[i] *= inverse;
            bad |= (bits_of(d[i]) & 0x7f800000u) == 0x7f800000u;
        }
    } else {
        for (i = 0; i < n; i++) {
            d[i] /= by;
            bad |= (bits_of(d[i]) & 0x7f800000u) == 0x7f800000u;
        }
    }
    bench_out.flag = !bad;
}

#define UNSCALE16(name, from, to, inf)                                               \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {   \
        uint16_t *d = (uint16_t *)dst, bad = 0;                                      \
        float inverse = 1.0f / bench_next_by(row);                                   \
        size_t i;                                                                    \
        (void)src;                                                                   \
        for (i = 0; i < n; i++) {                                                    \
            d[i] = to(from(d[i]) * inverse);                                         \
            bad |= (d[i] & (inf)) == (inf);                                          \
        }                                                                            \
        bench_out.flag = !bad;                                                       \
    }
UNSCALE16(unscale_bf16, from_bf16, to_bf16, 0x7f80)
UNSCALE16(unscale_f16, from_f16, to_f16, 0x7c00)

/* To f32 from another: a product by the exact reciprocal, or a quotient. */
#define UNSCALE_TO(name, S, value)                                                   \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {   \
        float *RESTRICT d = (float *)dst;                                            \
        const S *RESTRICT s = (const S *)src;                                        \
        float by = bench_next_by(row), inverse = 1.0f / by;                          \
        uint32_t bad = 0;                                                            \
        size_t i;                                                                    \
        (void)inverse;                                                               \
        for (i = 0; i < n; i++) {                                                    \
            d[i] = value;                                                            \
            bad |= (bits_of(d[i]) & 0x7f800000u) == 0x7f800000u;                     \
        }                                                                            \
        bench_out.flag = !bad;                                                       \
    }
UNSCALE_TO(unscale_f16_f32, uint16_t, from_f16(s[i]) * inverse)
UNSCALE_TO(unscale_bf16_f32, uint16_t, from_bf16(s[i]) * inverse)
UNSCALE_TO(unscale_f64_f32, double, (float)(s[i] / (double)by))
UNSCALE_TO(unscale_e4m3fn_f32, uint8_t, from_e4m3fn(s[i]) / by)

static void unscale_f64(const bench_row *row, void *dst, const void *src, size_t n) {
    double *d = (double *)dst, by = (double)bench_next_by(row);
    uint32_t bad = 0;
    size_t i;
    (void)src;
    for (i = 0; i < n; i++) {
        d[i] /= by;
        bad |= (bits_of64(d[i]) >> 52 & 0x7ff) == 0x7ff;
    }
    bench_out.flag = !bad;
}

#define ALL_FINITE(name, U, inf)                                                     \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {   \
        const U *s = (const U *)src;                                                 \
        U bad = 0;                                                                   \
        size_t i;                                                                    \
        (void)row;                                                                   \
        (void)dst;                                                                   \
        for (i = 0; i < n; i++)                                                      \
            bad |= (s[i] & (inf)) == (inf);                                          \
        bench_out.flag = !bad;                                                       \
    }
ALL_FINITE(finite_f32, uint32_t, 0x7f800000u)
ALL_FINITE(finite_f16, uint16_t, 0x7c00)
ALL_FINITE(finite_bf16, uint16_t, 0x7f80)

#define AMAX(name, U, to_bits)                                                       \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {   \
        const U *s = (const U *)src;                                                 \
        U largest = 0;                                                               \
        size_t i;                                                                    \
        (void)row;                                                                   \
        (void)dst;                                                                   \
        for (i = 0; i < n; i++) {                                                    \
            U a = (U)(s[i] & (U)((U)-1 >> 1));                                       \
            largest = a > largest ? a : largest;                                     \
        }                                                                            \
        bench_out.flag = (int)(to_bits);                                             \
    }
AMAX(amax_f32, uint32_t, largest > 0x7f800000u ? 0x7fc00000u : largest)
AMAX(amax_bf16, uint16_t, largest > 0x7f80u ? 0x7fc00000u : (uint32_t)largest << 16)

/* ---- stochastic ------------------------------------------------------------------------------ */

/* mpx.h's generator for seed 0, offset 0: 16 bits of a word per two elements. */
ALWAYS_INLINE uint32_t mix32(uint32_t x, uint32_t key) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15 ^ key) * 0x846ca68bu;
    return x ^ x >> 16;
}
ALWAYS_INLINE uint16_t dither(float x, uint32_t random) {
    uint32_t u = bits_of(x), a = u & 0x7fffffffu;
    uint32_t special = u >> 16 | (a > 0x7f800000u ? 0x40u : 0);
    return (uint16_t)(a >= 0x7f800000u ? special : (u + random) >> 16);
}
static void f32_bf16_stochastic(const bench_row *row, void *dst, const void *src, size_t n) {
    uint16_t *RESTRICT d = (uint16_t *)dst;
    const float *RESTRICT s = (const float *)src;
    uint32_t key0 = mix32(0x9e3779b9u, 0), key1 = mix32(0x85ebca6bu, 0), key = mix32(key1, key0);
    size_t i;
    (void)row;
    for (i = 0; i < n / 2; i++) {
        uint32_t word = mix32((uint32_t)i ^ key0, key1 ^ key);
        d[2 * i] = dither(s[2 * i], word & 0xffffu);
        d[2 * i + 1] = dither(s[2 * i + 1], word >> 16);
    }
    if (n % 2 != 0) d[2 * i] = dither(s[2 * i], mix32((uint32_t)i ^ key0, key1 ^ key) & 0xffffu);
}

/* ---- the table ------------------------------------------------------------------------------- */

const bench_kernel PLAIN_TABLE[] = {
    { "f16->f32", f16_f32 },
    { "bf16->f32", bf16_f32 },
    { "f32->f16", f32_f16 },
    { "f32->bf16", f32_bf16 },
    { "i8->f32", i8_f32 },
    { "i32->f32", i32_f32 },
    { "u8->f32", u8_f32 },
    { "i16->f32", i16_f32 },
    { "f64->f32", f64_f32 },
    { "f32->i8", f32_i8 },
    { "f32->f64", f32_f64 },
    { "f32->i32", f32_i32 },
    { "f32->i16", f32_i16 },
    { "f32->u8", f32_u8 },
    { "f32->u16", f32_u16 },
    { "f64->i32", f64_i32 },
    { "i32->f64", i32_f64 },
    { "i64->f64", i64_f64 },
    { "u32->f32", u32_f32 },
    { "i64->i32", i64_i32 },
    { "i32->i8", i32_i8 },
    { "u8->i16", u8_i16 },
    { "i16->u8", i16_u8 },
    { "i64->f32", i64_f32 },
    { "f64->i64", f64_i64 },
    { "f32->i8 clipped", f32_i8 },
    { "f8e4m3fn->f32", e4m3fn_f32 },
    { "f8e4m3fn->f16", e4m3fn_f16 },
    { "f8e4m3fn->bf16", e4m3fn_bf16 },
    { "f8e5m2->f32", e5m2_f32 },
    { "f8e5m2->f16", e5m2_f16 },
    { "f8e5m2->bf16", e5m2_bf16 },
    { "f4e2m1fn->f32", e2m1fn_f32 },
    { "f4e2m1fn->f16", e2m1fn_f16 },
    { "f4e2m1fn->bf16", e2m1fn_bf16 },
    { "f16->bf16", f16_bf16 },
    { "bf16->f16", bf16_f16 },
    { "f32->f8e4m3fn", f32_e4m3fn },
    { "f32->f8e5m2", f32_e5m2 },
    { "f32->f8e4m3fnuz", f32_e4m3fnuz },
    { "f32->f8e5m2fnuz", f32_e5m2fnuz },
    { "f32->f8e4m3b11fnuz", f32_e4m3b11fnuz },
    { "f32->f8e4m3", f32_e4m3 },
    { "f32->f8e3m4", f32_e3m4 },
    { "f32->f8e4m3fn sat", f32_e4m3fn_sat },
    { "f32->f8e5m2 sat", f32_e5m2_sat },
    { "f32->f8e4m3fnuz sat", f32_e4m3fnuz_sat },
    { "f32->f8e5m2fnuz sat", f32_e5m2fnuz_sat },
    { "f32->f8e4m3b11fnuz sat", f32_e4m3b11fnuz_sat },
    { "f32->f8e4m3 sat", f32_e4m3_sat },
    { "f32->f8e3m4 sat", f32_e3m4_sat },
    { "f32->f6e2m3fn", f32_e2m3fn },
    { "f32->f6e2m3fn bytes", f32_e2m3fn_bytes },
    { "f32->f6e3m2fn", f32_e3m2fn },
    { "f32->f6e3m2fn bytes", f32_e3m2fn_bytes },
    { "f32->f4e2m1fn", f32_e2m1fn },
    { "bf16->f8e4m3fn", bf16_e4m3fn },
    { "bf16->f8e5m2", bf16_e5m2 },
    { "bf16->f8e4m3fn sat", bf16_e4m3fn_sat },
    { "bf16->f8e5m2 sat", bf16_e5m2_sat },
    { "f16->f8e4m3fn", f16_e4m3fn },
    { "f16->f8e5m2", f16_e5m2 },
    { "f16->f8e4m3fn sat", f16_e4m3fn_sat },
    { "f16->f8e5m2 sat", f16_e5m2_sat },
    { "f64->f16", f64_f16 },
    { "f64->bf16", f64_bf16 },
    { "f64->f8e4m3fn", f64_e4m3fn },
    { "f64->f8e5m2", f64_e5m2 },
    { "unscale f32", unscale_f32 },
    { "unscale bf16", unscale_bf16 },
    { "unscale f16", unscale_f16 },
    { "unscale f16->f32", unscale_f16_f32 },
    { "unscale bf16->f32", unscale_bf16_f32 },
    { "unscale f32 by 1000", unscale_f32 },
    { "unscale f64 by 1000", unscale_f64 },
    { "unscale f64->f32 by 1000", unscale_f64_f32 },
    { "unscale f8e4m3fn->f32 by 1000", unscale_e4m3fn_f32 },
    { "all_finite f32", finite_f32 },
    { "all_finite f16", finite_f16 },
    { "all_finite bf16", finite_bf16 },
    { "amax f32", amax_f32 },
    { "amax bf16", amax_bf16 },
    { "f32->bf16 stochastic", f32_bf16_stochastic },
    { NULL, NULL },
};

/* ---- latency: the loop inlined into its caller ----------------------------------------------- */

#ifdef PLAIN_LATENCY
#define REPEAT(loop)                              \
    do {                                          \
        double start = bench_now();               \
        for (i = 0; i < reps; i++) {              \
            loop(row, dst, src, 64);              \
            NO_ALIAS_MEMORY();                    \
        }                                         \
        return (bench_now() - start) / reps;      \
    } while (0)

double PLAIN_LATENCY(const bench_row *row, void *dst, const void *src, int reps) {
    int i;
    if (strcmp(row->name, "f32->bf16") == 0) REPEAT(f32_bf16);
    if (strcmp(row->name, "f32->f16") == 0) REPEAT(f32_f16);
    if (strcmp(row->name, "f16->f32") == 0) REPEAT(f16_f32);
    if (strcmp(row->name, "bf16->f32") == 0) REPEAT(bf16_f32);
    if (strcmp(row->name, "f32->f8e4m3fn") == 0) REPEAT(f32_e4m3fn);
    return 0;
}
#endif
