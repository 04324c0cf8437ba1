/* Vertices: every code of every format unpacked, against quotients rounded by long division; packed
   values on and beside all borders between two codes, against a search or the definition in double,
   where every step is exact; all codes there and back; several attributes, gaps, misaligned
   vertices, n from 0 to 100, floating-point modes and flags, errors. */
#include "test.h"
#include "fpmode.h"
#include <math.h>

static uint32_t bits_of(float x) {
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
static float float_of(uint32_t u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}
static int is_nan(uint32_t u) { return (u & 0x7fffffffu) > 0x7f800000u; }

/* One vertex with one attribute. */
static mpx_attribute one_of(int format, size_t components) {
    mpx_attribute a;
    memset(&a, 0, sizeof a);
    a.format = (mpx_vertex_format)format;
    a.components = components;
    return a;
}
static void pack_one(void *packed, const float *x, int format, size_t components) {
    const mpx_attribute a = one_of(format, components);
    CHECK(mpx_vertices_pack(packed, 0, x, 0, 1, &a, 1) == MPX_OK, "format %d: refused", format);
}
static void unpack_one(float *x, const void *packed, int format, size_t components) {
    const mpx_attribute a = one_of(format, components);
    CHECK(mpx_vertices_unpack(x, 0, packed, 0, 1, &a, 1) == MPX_OK, "format %d: refused", format);
}

/* ---- normalised integers --------------------------------------------------------------------- */

/* A field of a format: a whole element of 8 or 16 bits, or bits of a word. */
typedef struct norm {
    int format, bits, is_signed, field;
} norm;
static const norm norms[] = {
    { MPX_VERTEX_UNORM8, 8, 0, 0 },           { MPX_VERTEX_SNORM8, 8, 1, 0 },
    { MPX_VERTEX_UNORM16, 16, 0, 0 },         { MPX_VERTEX_SNORM16, 16, 1, 0 },
    { MPX_VERTEX_UNORM10_10_10_2, 10, 0, 0 }, { MPX_VERTEX_SNORM10_10_10_2, 10, 1, 0 },
    { MPX_VERTEX_UNORM10_10_10_2, 10, 0, 1 }, { MPX_VERTEX_SNORM10_10_10_2, 10, 1, 1 },
    { MPX_VERTEX_UNORM10_10_10_2, 10, 0, 2 }, { MPX_VERTEX_SNORM10_10_10_2, 10, 1, 2 },
    { MPX_VERTEX_UNORM10_10_10_2, 2, 0, 3 },  { MPX_VERTEX_SNORM10_10_10_2, 2, 1, 3 },
};
enum { NORMS = sizeof norms / sizeof norms[0] };

static uint32_t packed_norm(const norm *f, float x) {
    float v[4] = { 0, 0, 0, 0 };
    uint32_t word = 0;
    uint16_t code16 = 0;
    uint8_t code8 = 0;
    v[f->field] = x;
    if (f->bits == 8) return pack_one(&code8, v, f->format, 1), code8;
    if (f->bits == 16) return pack_one(&code16, v, f->format, 1), code16;
    pack_one(&word, v, f->format, 4);
    CHECK((word & ~(((1u << f->bits) - 1u) << 10 * f->field)) == 0, "format %d: other fields",
          f->format);
    return word >> 10 * f->field;
}
static uint32_t unpacked_norm(const norm *f, uint32_t code) {
    float v[4] = { -5, -5, -5, -5 };
    const uint32_t word = code << 10 * f->field;
    const uint16_t code16 = (uint16_t)code;
    const uint8_t code8 = (uint8_t)code;
    int k;
    if (f->bits == 8) return unpack_one(v, &code8, f->format, 1), bits_of(v[0]);
    if (f->bits == 16) return unpack_one(v, &code16, f->format, 1), bits_of(v[0]);
    unpack_one(v, &word, f->format, 4);
    for (k = 0; k < 4; k++)
        CHECK(k == f->field || bits_of(v[k]) == 0, "format %d: field %d is not 0", f->format, k);
    return bits_of(v[f->field]);
}

/* x / most to the nearest float: a quotient of 24 bits and its remainder. */
static uint32_t quotient(uint32_t x, uint32_t most) {
    uint64_t q = 0, rest = 0;
    int k;
    if (x == 0) return 0;
    for (k = 0; k <= 48; k++) {
        q = ((uint64_t)x << k) / most;
        rest = ((uint64_t)x << k) % most;
        if (q >> 23 != 0) break;
    }
    if (2 * rest >= most) q++; /* never a tie: most is odd */
    return bits_of((float)ldexp((double)q, -k));
}
static uint32_t want_unpacked(const norm *f, uint32_t code) {
    const uint32_t top = 1u << (f->bits - 1), most = f->is_signed ? top - 1 : 2 * top - 1;
    uint32_t magnitude = code;
    if (!f->is_signed || code < top) return quotient(code, most);
    magnitude = 2 * top - code;
    return 0x80000000u | quotient(magnitude > most ? most : magnitude, most);
}
/* The definition in double: the product of 24 and 16 bits is exact, and so is what follows. */
static uint32_t want_packed(const norm *f, float x) {
    const double most = (double)((1u << (f->bits - f->is_signed)) - 1u);
    double y, whole;
    int32_t code;
    if (is_nan(bits_of(x))) return 0;
    y = (double)x < (f->is_signed ? -1 : 0) ? (f->is_signed ? -1 : 0) : x > 1 ? 1 : (double)x;
    y *= most;
    whole = floor(y);
    code = (int32_t)whole;
    if (y - whole > 0.5 || (!(y - whole < 0.5) && (code & 1) != 0)) code++;
    return (uint32_t)code & ((1u << f->bits) - 1u);
}

static void check_packed(const norm *f, float x) {
    const uint32_t got = packed_norm(f, x), want = want_packed(f, x);
    CHECK(got == want, "format %d, %d bits: %08x (%.9g) packed as %x, not %x", f->format, f->bits,
          (unsigned)bits_of(x), (double)x, (unsigned)got, (unsigned)want);
}
/* And the floats next to it, and all of them negative. */
static void check_around(const norm *f, double x, int by) {
    const uint32_t u = bits_of((float)x);
    int i;
    for (i = -by; i <= by; i++) {
        check_packed(f, float_of(u + (uint32_t)i));
        check_packed(f, float_of((u + (uint32_t)i) ^ 0x80000000u));
    }
}

static const uint32_t specials[] = {
    0x00000000u, 0x80000000u, 0x00000001u, 0x80000001u, 0x007fffffu, 0x807fffffu, 0x00800000u,
    0x80800000u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0xbf7fffffu, 0xbf800000u, 0xbf800001u,
    0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7f800001u, 0xff800001u, 0x7fc00000u,
    0xffc00000u, 0x7fffffffu, 0xffffffffu, 0x4f000000u, 0xcf000000u, 0x35800000u, 0x357fffffu,
};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

static uint32_t random_state = 1;
static uint32_t random_u32(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state ^ random_state >> 15;
}

static void test_norm(const norm *f) {
    const uint32_t most = (1u << (f->bits - f->is_signed)) - 1u;
    uint32_t code, got, want;
    int i;
    for (code = 0; code < 1u << f->bits; code++) {
        got = unpacked_norm(f, code);
        want = want_unpacked(f, code);
        CHECK(got == want, "format %d, %d bits: %x unpacked as %08x, not %08x", f->format, f->bits,
              (unsigned)code, (unsigned)got, (unsigned)want);
        want = f->is_signed && code == most + 1 ? code + 1 : code; /* two codes are -1 */
        got = packed_norm(f, float_of(got));
        CHECK(got == want, "format %d, %d bits: %x there and back is %x", f->format, f->bits,
              (unsigned)code, (unsigned)got);
    }
    for (code = 0; code <= most; code++) {
        check_around(f, ((double)code + 0.5) / (double)most, 2);
        check_around(f, (double)code / (double)most, 1);
    }
    for (i = 0; i < SPECIALS; i++)
        check_packed(f, float_of(specials[i]));
    for (i = 0; i < 20000; i++) {
        check_packed(f, float_of(random_u32()));
        check_packed(f, float_of(0x30000000u + (random_u32() & 0x8fffffffu))); /* below 2 */
    }
    check_around(f, 0.5, 4);
}

/* The values of the specifications that one can write down. */
static void test_known(void) {
    static const float x[4] = { 0.0f, 0.5f, 1.0f, -1.0f };
    uint8_t u8[4], s8[4];
    uint16_t u16[4], s16[4];
    uint32_t u10, s10;
    pack_one(u8, x, MPX_VERTEX_UNORM8, 4);
    pack_one(s8, x, MPX_VERTEX_SNORM8, 4);
    pack_one(u16, x, MPX_VERTEX_UNORM16, 4);
    pack_one(s16, x, MPX_VERTEX_SNORM16, 4);
    pack_one(&u10, x, MPX_VERTEX_UNORM10_10_10_2, 4);
    pack_one(&s10, x, MPX_VERTEX_SNORM10_10_10_2, 4);
    CHECK(u8[0] == 0 && u8[1] == 128 && u8[2] == 255 && u8[3] == 0, "unorm8");
    CHECK(s8[0] == 0 && s8[1] == 64 && s8[2] == 127 && s8[3] == 0x81, "snorm8");
    CHECK(u16[0] == 0 && u16[1] == 32768 && u16[2] == 65535 && u16[3] == 0, "unorm16");
    CHECK(s16[0] == 0 && s16[1] == 16384 && s16[2] == 32767 && s16[3] == 0x8001, "snorm16");
    CHECK(u10 == (1023u << 20 | 512u << 10), "unorm10: %08x", (unsigned)u10);
    CHECK(s10 == (3u << 30 | 511u << 20 | 256u << 10), "snorm10: %08x", (unsigned)s10);
    pack_one(&u10, x, MPX_VERTEX_UNORM10_10_10_2, 3);
    CHECK(u10 == (1023u << 20 | 512u << 10), "unorm10 of three components: %08x", (unsigned)u10);
}

/* ---- small unsigned floats ------------------------------------------------------------------- */

static double ufloat_value(uint32_t code, int m) {
    const uint32_t fraction = code & ((1u << m) - 1u), exponent = code >> m;
    return exponent == 0 ? ldexp((double)fraction, -14 - m)
                         : ldexp((double)(fraction + (1u << m)), (int)exponent - 15 - m);
}
/* Of all finite codes the nearest; of two the even one. */
static uint32_t want_ufloat(float x, int m) {
    const uint32_t inf = 31u << m, u = bits_of(x);
    uint32_t low = 0, high = inf - 1u;
    if (u == 0x7f800000u) return inf;
    if (u >> 31 != 0) return 0;
    if ((double)x >= ufloat_value(high, m)) return high;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (ufloat_value(middle, m) <= (double)x)
            low = middle;
        else
            high = middle;
    }
    if ((double)x - ufloat_value(low, m) < ufloat_value(high, m) - (double)x) return low;
    if ((double)x - ufloat_value(low, m) > ufloat_value(high, m) - (double)x) return high;
    return low % 2 == 0 ? low : high;
}
static void check_ufloat(float x, int field) {
    const int m = field == 2 ? 5 : 6;
    float v[3] = { 0, 0, 0 };
    uint32_t word, code;
    v[field] = x;
    pack_one(&word, v, MPX_VERTEX_UFLOAT11_11_10, 3);
    code = word >> 11 * field;
    CHECK((code << 11 * field) == word && code < 1u << (5 + m), "ufloat %d: other fields", field);
    if (is_nan(bits_of(x)))
        CHECK(code > 31u << m, "ufloat %d: NaN %08x is %x", field, (unsigned)bits_of(x),
              (unsigned)code);
    else
        CHECK(code == want_ufloat(x, m), "ufloat %d: %08x (%.9g) is %x, not %x", field,
              (unsigned)bits_of(x), (double)x, (unsigned)code, (unsigned)want_ufloat(x, m));
}
static void check_ufloat_code(uint32_t code, int field) {
    const int m = field == 2 ? 5 : 6;
    const uint32_t inf = 31u << m, word = code << 11 * field;
    float v[3] = { -5, -5, -5 };
    uint32_t back;
    unpack_one(v, &word, MPX_VERTEX_UFLOAT11_11_10, 3);
    if (code > inf)
        CHECK(is_nan(bits_of(v[field])) && bits_of(v[field]) >> 22 == 0x1ff, "ufloat: no NaN");
    else
        CHECK(bits_of(v[field]) == (code == inf ? 0x7f800000u
                                                : bits_of((float)ufloat_value(code, m))),
              "ufloat %d: %x unpacked as %08x", field, (unsigned)code, (unsigned)bits_of(v[field]));
    CHECK(bits_of(v[(field + 1) % 3]) == 0 && bits_of(v[(field + 2) % 3]) == 0, "ufloat: others");
    pack_one(&back, v, MPX_VERTEX_UFLOAT11_11_10, 3);
    CHECK(code > inf ? back >> 11 * field > inf : back == word, "ufloat %d: %x there and back is %x",
          field, (unsigned)code, (unsigned)back >> 11 * field);
}
static void test_ufloat(void) {
    uint32_t code;
    int field, i;
    for (field = 0; field < 3; field++) {
        const int m = field == 2 ? 5 : 6;
        for (code = 0; code < 1u << (5 + m); code++)
            check_ufloat_code(code, field);
        for (code = 0; code < 31u << m; code++) {
            const double half = (ufloat_value(code, m) + ufloat_value(code + 1, m)) / 2;
            for (i = -2; i <= 2; i++) {
                check_ufloat(float_of(bits_of((float)half) + (uint32_t)i), field);
                check_ufloat(float_of(bits_of((float)ufloat_value(code, m)) + (uint32_t)i), field);
            }
        }
        for (i = 0; i < SPECIALS; i++)
            check_ufloat(float_of(specials[i]), field);
        for (i = 0; i < 50000; i++)
            check_ufloat(float_of(random_u32()), field);
        check_ufloat(1e9f, field);
    }
    CHECK(want_ufloat(1e9f, 6) == 0x7bf && want_ufloat(1e9f, 5) == 0x3df, "65024 and 64512");
}

/* ---- shared exponents ------------------------------------------------------------------------ */

/* As the extension has it, with N = 9, B = 15; in double all of it is exact. */
static double clamped9(float x) {
    if (!((double)x > 0) || is_nan(bits_of(x))) return 0;
    return (double)x > 65408 ? 65408 : (double)x;
}
static uint32_t want_rgb9e5(const float *rgb) {
    double c[3], most = 0;
    int exponent, k, shared = 0;
    uint32_t word = 0;
    for (k = 0; k < 3; k++) {
        c[k] = clamped9(rgb[k]);
        if (c[k] > most) most = c[k];
    }
    if (most > 0) {
        (void)frexp(most, &exponent); /* floor(log2(most)) is one less */
        shared = (exponent - 1 > -16 ? exponent - 1 : -16) + 1 + 15;
    }
    if (floor(ldexp(most, 24 - shared) + 0.5) > 511) shared++;
    for (k = 0; k < 3; k++)
        word |= (uint32_t)floor(ldexp(c[k], 24 - shared) + 0.5) << 9 * k;
    return word | (uint32_t)shared << 27;
}
static void check_rgb9e5(float r, float g, float b) {
    float v[3];
    uint32_t word, want;
    v[0] = r, v[1] = g, v[2] = b;
    pack_one(&word, v, MPX_VERTEX_RGB9E5, 3);
    want = want_rgb9e5(v);
    CHECK(word == want, "rgb9e5: %.9g %.9g %.9g is %08x, not %08x", (double)r, (double)g, (double)b,
          (unsigned)word, (unsigned)want);
}
static void test_rgb9e5(void) {
    uint32_t word, back;
    float v[3];
    int e, field, i, k;
    for (e = 0; e < 32; e++)
        for (i = 0; i < 512; i++) {
            word = (uint32_t)e << 27 | (uint32_t)i | (uint32_t)(511 - i) << 9 |
                   (uint32_t)(i ^ 85) << 18;
            unpack_one(v, &word, MPX_VERTEX_RGB9E5, 3);
            for (k = 0; k < 3; k++)
                CHECK(bits_of(v[k]) ==
                          bits_of((float)ldexp((double)(word >> 9 * k & 511u), e - 24)),
                      "rgb9e5: %08x, component %d, is %08x", (unsigned)word, k,
                      (unsigned)bits_of(v[k]));
            pack_one(&back, v, MPX_VERTEX_RGB9E5, 3);
            CHECK(back == want_rgb9e5(v), "rgb9e5: %08x there and back", (unsigned)word);
            CHECK((word & 0x04020100u) == 0 || back == word, "rgb9e5: %08x is %08x", (unsigned)word,
                  (unsigned)back);
            for (k = -2; k <= 2; k++) { /* around ties, alone and below another */
                const double half = ldexp(i + 0.5, e - 24);
                const float x = float_of(bits_of((float)half) + (uint32_t)k);
                for (field = 0; field < 3; field++)
                    check_rgb9e5(field == 0 ? x : 0, field == 1 ? x : 0, field == 2 ? x : 0);
                check_rgb9e5(x, 3 * x, x / 7);
                check_rgb9e5((float)ldexp(1.0, e - 15), x, float_of(0x80000000u | bits_of(x)));
            }
        }
    for (i = 0; i < SPECIALS; i++)
        for (k = 0; k < SPECIALS; k++) {
            check_rgb9e5(float_of(specials[i]), float_of(specials[k]), 0.25f);
            check_rgb9e5(1e-6f, float_of(specials[i]), float_of(specials[k]));
        }
    for (i = 0; i < 200000; i++)
        check_rgb9e5(float_of(random_u32()), float_of(random_u32() >> 1), float_of(random_u32()));
    check_rgb9e5(65407.99f, 65408.0f, 65440.0f);
    pack_one(&word, (v[0] = 1, v[1] = 0.5f, v[2] = 0, v), MPX_VERTEX_RGB9E5, 3);
    CHECK(word == (16u << 27 | 128u << 9 | 256u), "rgb9e5: 1, 0.5, 0 is %08x", (unsigned)word);
}

/* ---- whole vertices -------------------------------------------------------------------------- */

enum { MOST = 100, FETCHED = 4096 + 64 + 5, PACKED = 40, FLOATS = 72, CANARY = 0xa5 };
/* Gaps before, between and after the attributes, odd offsets too. */
static const mpx_attribute table[] = {
    { MPX_VERTEX_PLAIN, MPX_F16, 3, 1, 0 },
    { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 3, 8, 13 },
    { MPX_VERTEX_UNORM16, MPX_NONE, 2, 13, 28 },
    { MPX_VERTEX_UNORM8, MPX_NONE, 4, 18, 36 },
    { MPX_VERTEX_PLAIN, MPX_U8, 1, 23, 53 },
    { MPX_VERTEX_UFLOAT11_11_10, MPX_NONE, 3, 24, 57 },
};
enum { ATTRIBUTES = sizeof table / sizeof table[0] };
static const size_t packed_sizes[ATTRIBUTES] = { 6, 4, 4, 4, 1, 4 };

/* The same by one vertex and one attribute at a time. */
static void check_vertices(size_t n, size_t d_shift, size_t s_shift, size_t d_more, size_t s_more) {
    enum { ROOM = FETCHED * 256 + 64 };
    static unsigned char floats[ROOM], packed[ROOM], want[ROOM], back[ROOM];
    const size_t d_step = PACKED + d_more, s_step = FLOATS + s_more;
    const size_t room = n * (d_step > s_step ? d_step : s_step) + 64;
    size_t i, k;
    for (i = 0; i < room; i++)
        floats[i] = CANARY;
    for (i = 0; i < n; i++)
        for (k = 0; k < 18; k++) {
            const float x = (float)(int32_t)(random_u32() >> 8) / 8388608 - 0.5f;
            memcpy(floats + s_shift + i * s_step + 4 * k, &x, 4);
        }
    memset(packed, CANARY, room);
    memset(want, CANARY, room);
    CHECK(mpx_vertices_pack(packed + d_shift, d_step, floats + s_shift, s_step, n, table,
                            ATTRIBUTES) == MPX_OK, "vertices refused");
    for (i = 0; i < n; i++)
        for (k = 0; k < ATTRIBUTES; k++) {
            mpx_attribute a = table[k];
            unsigned char code[8];
            float x[4];
            a.packed_offset = a.float_offset = 0;
            memcpy(x, floats + s_shift + i * s_step + table[k].float_offset, 4 * a.components);
            CHECK(mpx_vertices_pack(code, 0, x, 0, 1, &a, 1) == MPX_OK, "attribute refused");
            memcpy(want + d_shift + i * d_step + table[k].packed_offset, code, packed_sizes[k]);
        }
    CHECK(memcmp(packed, want, room) == 0, "%d vertices packed otherwise, or gaps written", (int)n);
    memset(back, CANARY, room);
    memset(want, CANARY, room);
    CHECK(mpx_vertices_unpack(back + s_shift, s_step, packed + d_shift, d_step, n, table,
                              ATTRIBUTES) == MPX_OK, "vertices refused");
    for (i = 0; i < n; i++)
        for (k = 0; k < ATTRIBUTES; k++) {
            mpx_attribute a = table[k];
            float x[4];
            a.packed_offset = a.float_offset = 0;
            CHECK(mpx_vertices_unpack(x, 0, packed + d_shift + i * d_step + table[k].packed_offset,
                                      0, 1, &a, 1) == MPX_OK, "attribute refused");
            memcpy(want + s_shift + i * s_step + table[k].float_offset, x, 4 * a.components);
        }
    CHECK(memcmp(back, want, room) == 0, "%d vertices unpacked otherwise, or gaps written", (int)n);
}
static void test_vertices(void) {
    size_t n;
    for (n = 0; n <= MOST; n++)
        check_vertices(n, n % 4, n / 3 % 4, 0, 0);
    for (n = 62; n < 67; n++)
        check_vertices(n, 3, 1, 5, 3);
    check_vertices(30, 0, 0, 60, 128);
    check_vertices(FETCHED, 1, 2, 0, 0); /* so many that tiles are fetched ahead */
    check_vertices(FETCHED, 0, 0, 256 - PACKED, 0); /* but not of vertices so large */
}

/* Any number of components, more than a tile holds too. */
static void test_components(void) {
    enum { n = 5, most = 600 };
    static float floats[n][most], back[n][most];
    static uint16_t packed[n][most + 1];
    static const size_t counts[] = { 1, 2, 3, 4, 5, 16, 127, 128, 255, 256, 257, 513, 600 };
    size_t c, i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < most; k++)
            floats[i][k] = (float)(int32_t)(random_u32() >> 8) / 8388608 - 0.5f;
    for (c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const mpx_attribute a = one_of(MPX_VERTEX_SNORM16, counts[c]);
        size_t wrong = 0;
        memset(packed, CANARY, sizeof packed);
        memset(back, 0, sizeof back);
        CHECK(mpx_vertices_pack(packed, sizeof packed[0], floats, sizeof floats[0], n, &a, 1) ==
                      MPX_OK &&
                  mpx_vertices_unpack(back, sizeof back[0], packed, sizeof packed[0], n, &a, 1) ==
                      MPX_OK, "%d components refused", (int)counts[c]);
        for (i = 0; i < n; i++) {
            for (k = 0; k < counts[c]; k++) {
                float x;
                uint16_t code;
                pack_one(&code, &floats[i][k], MPX_VERTEX_SNORM16, 1);
                unpack_one(&x, &code, MPX_VERTEX_SNORM16, 1);
                wrong += packed[i][k] != code || bits_of(back[i][k]) != bits_of(x);
            }
            wrong += packed[i][counts[c]] != (CANARY * 257u & 0xffffu);
        }
        CHECK(wrong == 0, "%d components: %d are wrong", (int)counts[c], (int)wrong);
    }
}

/* Buffers of exactly the bytes that the attributes cover, for the sanitizers. */
static void test_bounds(void) {
    enum { n = 65, packed_end = 28, floats_end = 69 };
    const size_t packed_size = (n - 1) * PACKED + packed_end, size = (n - 1) * FLOATS + floats_end;
    unsigned char *packed = (unsigned char *)calloc(packed_size, 1),
                  *floats = (unsigned char *)calloc(size, 1);
    if (packed == NULL || floats == NULL) exit(2);
    CHECK(mpx_vertices_pack(packed, PACKED, floats, FLOATS, n, table, ATTRIBUTES) == MPX_OK &&
              mpx_vertices_unpack(floats, FLOATS, packed, PACKED, n, table, ATTRIBUTES) == MPX_OK,
          "exact buffers refused");
    free(packed);
    free(floats);
}

/* A table without plain dtypes: the same bits in every mode, and no flag is raised. */
static void test_modes(void) {
    enum { n = 200, step = 48 };
    static const mpx_attribute all[] = {
        { MPX_VERTEX_UNORM8, MPX_NONE, 4, 0, 0 },  { MPX_VERTEX_SNORM8, MPX_NONE, 4, 4, 0 },
        { MPX_VERTEX_UNORM16, MPX_NONE, 4, 8, 0 }, { MPX_VERTEX_SNORM16, MPX_NONE, 4, 16, 0 },
        { MPX_VERTEX_UNORM10_10_10_2, MPX_NONE, 4, 24, 0 },
        { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 4, 28, 0 },
        { MPX_VERTEX_UFLOAT11_11_10, MPX_NONE, 3, 32, 0 },
        { MPX_VERTEX_RGB9E5, MPX_NONE, 3, 36, 0 },
    };
    enum { count = sizeof all / sizeof all[0] };
    static uint32_t in[n * 4];
    static unsigned char packed[2][n * step], floats[2][count][n * 16];
    int mode, k;
    for (k = 0; k < n * 4; k++)
        in[k] = k < SPECIALS ? specials[k] : k % 5 == 0 ? random_u32()
                                                        : 0x30000000u + (random_u32() & 0x8fffffffu);
    for (mode = -1; mode < FPMODES; mode++) {
        const int other = mode >= 0;
        unsigned flags;
        if (other && !fpmode_enter(&fpmodes[mode])) continue;
        flags_zero();
        (void)mpx_vertices_pack(packed[other], step, in, 16, n, all, count);
        for (k = 0; k < count; k++)
            (void)mpx_vertices_unpack(floats[other][k], 16, packed[other], step, n, all + k, 1);
        flags = flags_word();
        if (other) fpmode_leave();
        CHECK(flags == 0, "mode %d: flags %x", mode, flags);
        if (!other) continue;
        CHECK(memcmp(packed[0], packed[1], sizeof packed[0]) == 0, "mode %d: packed", mode);
        CHECK(memcmp(floats[0], floats[1], sizeof floats[0]) == 0, "mode %d: unpacked", mode);
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

static mpx_status status_of(mpx_attribute a, size_t packed_step, size_t float_step, size_t n) {
    mpx_attribute both[2] = { { MPX_VERTEX_UNORM8, MPX_NONE, 1, 0, 0 },
                              { MPX_VERTEX_PLAIN, MPX_NONE, 0, 0, 0 } };
    unsigned char d[400], s[400];
    mpx_status status;
    size_t i, changed = 0;
    memset(d, CANARY, sizeof d);
    memset(s, 0, sizeof s);
    both[1] = a;
    status = mpx_vertices_pack(d, packed_step, s, float_step, n, both, 2);
    for (i = 0; i < sizeof d; i++)
        changed += d[i] != CANARY;
    CHECK(status == MPX_OK || changed == 0, "written in spite of %s", mpx_status_string(status));
    memset(d, CANARY, sizeof d);
    CHECK(mpx_vertices_unpack(d, float_step, s, packed_step, n, both, 2) == status,
          "unpack says otherwise than %s", mpx_status_string(status));
    return status;
}
static void test_errors(void) {
    mpx_attribute a = { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 3, 4, 8 };
    static const mpx_dtype refused[] = { MPX_NONE, MPX_F4E2M1FN, MPX_F6E2M3FN, MPX_I2, MPX_U4,
                                         MPX_C64, MPX_C128, MPX_DTYPE_COUNT, MPX_WEAK_FLOAT };
    size_t i;
    CHECK(status_of(a, 8, 20, 3) == MPX_OK, "ends with its strides");
    CHECK(status_of(a, 7, 20, 3) == MPX_ERR_ARGUMENT, "packed stride too small");
    CHECK(status_of(a, 8, 19, 3) == MPX_ERR_ARGUMENT, "float stride too small");
    CHECK(status_of(a, 0, 0, 1) == MPX_OK, "one vertex needs no strides");
    a.packed_offset = (size_t)-1;
    CHECK(status_of(a, 8, 20, 3) == MPX_ERR_ARGUMENT, "an offset beyond all");
    a.packed_offset = 4;
    a.components = 2;
    CHECK(status_of(a, 8, 20, 3) == MPX_ERR_ARGUMENT, "two of 10-10-10-2");
    a.components = 5;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "five of 10-10-10-2");
    a.components = 4;
    a.format = MPX_VERTEX_UFLOAT11_11_10;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "four of 11-11-10");
    a.format = MPX_VERTEX_RGB9E5;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "four of rgb9e5");
    a.components = 0;
    a.format = MPX_VERTEX_UNORM8;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "no components");
    a.components = (size_t)-1 / 2;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "components beyond all");
    a.components = 3;
    a.format = (mpx_vertex_format)(MPX_VERTEX_RGB9E5 + 1);
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "a format that is none");
    a.format = (mpx_vertex_format)-1;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_ARGUMENT, "a format that is none");
    a.format = MPX_VERTEX_UNORM8;
    a.dtype = MPX_U8;
    CHECK(status_of(a, 80, 80, 3) == MPX_ERR_DTYPE, "a dtype beside a format");
    a.format = MPX_VERTEX_PLAIN;
    CHECK(status_of(a, 80, 80, 3) == MPX_OK, "a plain dtype");
    CHECK(status_of(a, 6, 80, 3) == MPX_ERR_ARGUMENT, "a plain dtype, stride too small");
    for (i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        a.dtype = refused[i];
        CHECK(status_of(a, 80, 80, 3) == MPX_ERR_DTYPE, "dtype %d taken", (int)refused[i]);
    }
    a.dtype = MPX_F32;
    CHECK(mpx_vertices_pack(NULL, 80, NULL, 80, 0, &a, 1) == MPX_OK &&
              mpx_vertices_unpack(NULL, 80, NULL, 80, 0, &a, 1) == MPX_OK, "no vertices");
    CHECK(mpx_vertices_pack(&a, 80, &a, 80, 2, NULL, 0) == MPX_OK, "no attributes");
}

int main(void) {
    int i;
    for (i = 0; i < NORMS; i++)
        test_norm(&norms[i]);
    test_known();
    test_ufloat();
    test_rgb9e5();
    test_vertices();
    test_components();
    test_bounds();
    test_modes();
    test_errors();
    return test_done("test_vertex");
}
