/* Quantization: every row of golden/quant_int8.tsv and quant_int4.tsv; MX, NVFP4, GGUF's blocks and
   LINEAR against references that stand here, in integers or in double and rounded to f32 once a
   step, which for + - * / of f32 gives the same as f32. All goes from and to odd addresses, between
   bytes that must stay as they are. Then every format in every floating-point mode and from every
   dtype of floats; texts of formats. test_quant [--quick]: fewer kinds of data. Sources:
   OCP MX 1.0 5 and 6.3; torchao 0.18.0, nvfp4_tensor.py; gguf 0.19.0, quants.py; ONNX
   QuantizeLinear, DynamicQuantizeLinear. */
#include "test.h"
#include "ref.h"
#include "golden.h"
#include "fpmode.h"
#include <float.h>
#include <math.h>

enum { ROOM = 1 << 16, GUARD = 64, CANARY = 0xa5 };
static float values[ROOM], back[ROOM];
static unsigned char coded[ROOM * 4 + GUARD * 2], moved[ROOM * 4 + 16];
static unsigned char *out; /* what was written last, somewhere in coded */
static mpx_quant_layout at;
static int quick;

static uint32_t bits_of(float x) {
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
static int same(float a, float b) { return bits_of(a) == bits_of(b) || (a != a && b != b); }
static uint32_t random_bits(void) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}
static float f32(double x) {
    volatile float y = (float)x;
    return y;
}
static double over(double a, double b) { return (double)f32(a / b); }
static double times(double a, double b) { return (double)f32(a * b); }
static double plus(double a, double b) { return (double)f32(a + b); }
/* To the nearest integer, ties to even. */
static double even(double x) {
    const double below = floor(x), part = x - below;
    return part > 0.5 || (part == 0.5 && fmod(below, 2.0) != 0.0) ? below + 1.0 : below;
}
static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static mpx_quant quant_of(mpx_scheme scheme, mpx_dtype element) {
    mpx_quant q;
    memset(&q, 0, sizeof q);
    q.scheme = scheme;
    q.element = element;
    return q;
}
/* out and at of q, among canaries; scales and zero points that are given are put there by the
   caller between start and run. */
static int start(mpx_quant q, size_t rows, size_t cols) {
    mpx_error err;
    const mpx_status status = mpx_quant_layout_of(q, rows, cols, &at, &err);
    CHECK(status == MPX_OK, "scheme %d: %d x %d: status %d", (int)q.scheme, (int)rows, (int)cols,
          (int)status);
    CHECK(at.bytes == mpx_quant_bytes(q, rows, cols), "two sizes");
    out = coded + GUARD + random_bits() % 16;
    memset(coded, CANARY, sizeof coded);
    return status == MPX_OK && at.bytes <= ROOM * 4;
}
static void guard(const char *what) {
    size_t i, wrong = 0;
    for (i = 0; coded + i < out; i++)
        wrong += coded[i] != CANARY;
    for (i = 0; i < GUARD; i++)
        wrong += out[at.bytes + i] != CANARY;
    CHECK(wrong == 0, "%s: %d bytes outside were written", what, (int)wrong);
}
static void all_zero(size_t from, size_t end, const char *what) {
    for (; from < end; from++)
        CHECK(out[from] == 0, "byte %d, %s, is 0x%02x", (int)from, what, out[from]);
}
static void run(mpx_quant q, const void *src, mpx_dtype type, size_t rows, size_t cols) {
    unsigned char *from = moved + random_bits() % 16;
    mpx_status status;
    memcpy(from, src, mpx_dtype_bytes(type, rows * cols));
    status = mpx_quantize(out, q, from, type, rows, cols);
    CHECK(status == MPX_OK, "scheme %d, element %d: status %d", (int)q.scheme, (int)q.element,
          (int)status);
    guard("quantize");
    if (at.scale_type == MPX_NONE || rows * cols == 0) return; /* gaps, if there are any */
    all_zero(mpx_dtype_bytes(q.element, rows * cols), at.scales, "after the codes");
    all_zero(at.scales + mpx_dtype_bytes(at.scale_type, at.scale_count),
             at.zeros < at.tensor_scale ? at.zeros : at.tensor_scale, "after the scales");
}
static int quantize(mpx_quant q, const void *src, mpx_dtype type, size_t rows, size_t cols) {
    if (!start(q, rows, cols)) return 0;
    run(q, src, type, rows, cols);
    return 1;
}
/* out, as f32, into back. */
static void dequantize(mpx_quant q, size_t rows, size_t cols) {
    unsigned char *to = moved + random_bits() % 16;
    CHECK(mpx_dequantize(to, MPX_F32, out, q, rows, cols) == MPX_OK, "dequantize: refused");
    memcpy(back, to, rows * cols * 4);
    guard("dequantize");
}
static uint32_t code_at(mpx_dtype type, size_t i) {
    return (uint32_t)ref_load_packed(ref_formats[type].bits, out + at.codes, i);
}
static int int_at(mpx_dtype type, size_t i) {
    const int bits = ref_formats[type].bits, code = (int)code_at(type, i);
    return ref_formats[type].rule == REF_INT && code >> (bits - 1) ? code - (1 << bits) : code;
}
static float f32_at(size_t offset, size_t i) {
    float x;
    memcpy(&x, out + offset + i * 4, 4);
    return x;
}
static int zero_at(mpx_dtype type, size_t i) {
    const int bits = ref_formats[type].bits, code = out[at.zeros + i] & ((1 << bits) - 1);
    return ref_formats[type].rule == REF_INT && code >> (bits - 1) ? code - (1 << bits) : code;
}
/* Bits behind the last element are zero. */
static void check_tail(mpx_dtype type, size_t n) {
    const size_t bits = n * (size_t)ref_formats[type].bits;
    if (bits % 8 != 0)
        CHECK(out[at.codes + bits / 8] >> bits % 8 == 0, "%s: bits of the last byte",
              ref_formats[type].name);
}

/* ---- golden rows ----------------------------------------------------------------------------- */

static uint32_t words[ROOM];
static size_t read_list(const char *text, int base) {
    size_t n = 0;
    char *end;
    while (text != NULL && n < ROOM) {
        words[n++] = base == 16 ? (uint32_t)strtoul(text, &end, 16) : (uint32_t)strtol(text, &end, 10);
        text = *end == ',' ? end + 1 : NULL;
    }
    return n;
}
static mpx_dtype type_of(const char *name) {
    mpx_dtype type = MPX_NONE;
    CHECK(mpx_dtype_parse(name, &type) == MPX_OK, "%s", name);
    return type;
}
static size_t read_floats(const char *text, mpx_dtype type, void *to) {
    const size_t n = read_list(text, 16);
    size_t i;
    for (i = 0; i < n; i++)
        ref_store(type, to, i, words[i]);
    return n;
}
/* A code of a dtype as f32; any NaN is one. */
static uint32_t as_f32(mpx_dtype type, uint32_t code) {
    return ref_is_nan(type, code) ? 0x7fc00000u : (uint32_t)ref_cast(MPX_F32, type, code);
}
static uint32_t any_nan(uint32_t u) { return ref_is_nan(MPX_F32, u) ? 0x7fc00000u : u; }

static void golden_int8_row(const golden_file *g) {
    const mpx_dtype type = type_of(golden_text(g, "dtype"));
    const size_t rows = (size_t)atoi(golden_text(g, "rows")), cols = (size_t)atoi(golden_text(g, "cols"));
    const char *name = golden_text(g, "case");
    mpx_quant q = quant_of(MPX_SCHEME_KERAS, MPX_I8);
    unsigned char to[ROOM / 4];
    size_t n, i;
    q.scope = golden_is(g, "axis", "all") ? MPX_SCOPE_TENSOR
              : golden_is(g, "axis", "0") ? MPX_SCOPE_COLUMN : MPX_SCOPE_ROW;
    q.low = (int32_t)atoi(golden_text(g, "lo"));
    q.high = (int32_t)atoi(golden_text(g, "hi"));
    q.epsilon = (float)atof(golden_text(g, "epsilon"));
    if (!(q.epsilon > 0)) q.epsilon = -1;
    n = read_floats(golden_text(g, "input"), type, values);
    CHECK(n == rows * cols, "%s: %d values", name, (int)n);
    if (!quantize(q, values, type, rows, cols)) return;
    read_list(golden_text(g, "q"), 10);
    for (i = 0; i < n; i++)
        CHECK(int_at(MPX_I8, i) == (int)words[i], "%s: code %d is %d, not %d", name, (int)i,
              int_at(MPX_I8, i), (int)words[i]);
    n = read_list(golden_text(g, "scale"), 16);
    CHECK(n == at.scale_count && at.scale_type == MPX_F32, "%s: %d scales", name, (int)n);
    for (i = 0; i < n; i++)
        CHECK(any_nan(bits_of(f32_at(at.scales, i))) == as_f32(type, words[i]),
              "%s: scale %d is %08x, not %x", name, (int)i, bits_of(f32_at(at.scales, i)), words[i]);
    CHECK(mpx_dequantize(to, type, out, q, rows, cols) == MPX_OK, "%s: refused", name);
    n = read_list(golden_text(g, "dequant"), 16);
    for (i = 0; i < n; i++)
        CHECK(as_f32(type, (uint32_t)ref_load(type, to, i)) == as_f32(type, words[i]),
              "%s: value %d is %x, not %x", name, (int)i, (unsigned)ref_load(type, to, i), words[i]);
}

/* Groups of rows as they are, or of the transposed matrix along its rows. */
static void golden_grouped_row(const golden_file *g, int across) {
    const size_t rows = (size_t)atoi(golden_text(g, "rows")), cols = (size_t)atoi(golden_text(g, "cols"));
    const char *name = golden_text(g, "case");
    const int grouped = golden_is(g, "op", "grouped");
    mpx_quant q = quant_of(MPX_SCHEME_KERAS, MPX_I4);
    const size_t n = read_list(golden_text(g, "input"), 16);
    size_t i, groups;
    q.scope = !grouped ? across ? MPX_SCOPE_ROW : MPX_SCOPE_COLUMN
              : across ? MPX_SCOPE_BLOCK : MPX_SCOPE_BLOCK_DOWN;
    q.zero_point = grouped;
    if (grouped) q.block = (size_t)atoi(golden_text(g, "block"));
    for (i = 0; i < n; i++)
        values[across ? i % cols * rows + i / cols : i] = ref_float(words[i]);
    if (!quantize(q, values, MPX_F32, across ? cols : rows, across ? rows : cols)) return;
    read_list(golden_text(g, "q"), 10);
    for (i = 0; i < n; i++) {
        const int got = int_at(MPX_I4, across ? i % cols * rows + i / cols : i);
        CHECK(got == (int)words[i], "%s%s: code %d is %d, not %d", name, across ? ", across" : "",
              (int)i, got, (int)words[i]);
    }
    check_tail(MPX_I4, n);

    groups = read_list(golden_text(g, "scale"), 16);
    CHECK(groups == at.scale_count, "%s: %d scales", name, (int)groups);
    for (i = 0; i < groups; i++) {
        const size_t k = across ? i % cols * (groups / cols) + i / cols : i;
        CHECK(bits_of(f32_at(at.scales, k)) == words[i], "%s%s: scale %d is %08x, not %08x", name,
              across ? ", across" : "", (int)i, bits_of(f32_at(at.scales, k)), words[i]);
    }
    if (!grouped) return;
    read_list(golden_text(g, "zero"), 10);
    for (i = 0; i < groups; i++) {
        const int got = zero_at(MPX_I4, across ? i % cols * (groups / cols) + i / cols : i);
        CHECK(got == (int)words[i], "%s%s: zero %d is %d, not %d", name, across ? ", across" : "",
              (int)i, got, (int)words[i]);
    }
}

/* Keras packs pairs along an axis, each line apart. */
static void golden_pack_row(const golden_file *g, int packs) {
    const size_t rows = (size_t)atoi(golden_text(g, "rows")), cols = (size_t)atoi(golden_text(g, "cols"));
    const int down = golden_is(g, "axis", "0");
    const size_t lines = down ? cols : rows, n = down ? rows : cols, half = (n + 1) / 2;
    static uint32_t input[ROOM];
    signed char line[256], packed[128];
    size_t i, j, count = read_list(golden_text(g, "input"), 10);
    memcpy(input, words, count * 4);
    CHECK(n < 256 && count == lines * (packs ? n : half), "%s: count", golden_text(g, "case"));
    read_list(golden_text(g, "q"), 10);
    for (i = 0; i < lines; i++) {
        const size_t from = packs ? n : half, to = packs ? half : n;
        for (j = 0; j < from; j++)
            (packs ? line : packed)[j] = (signed char)(int32_t)input[down ? j * lines + i : i * from + j];
        for (j = 0; packs && j < n; j++) /* Keras keeps the low four bits, a cast saturates */
            line[j] = (signed char)(((line[j] & 15) ^ 8) - 8);
        if (packs)
            mpx_cast(packed, MPX_I4, line, MPX_I8, n);
        else
            mpx_cast(line, MPX_I8, packed, MPX_I4, n);
        for (j = 0; j < to; j++) {
            const int want = (int)words[down ? j * lines + i : i * to + j],
                      got = (packs ? packed : line)[j];
            CHECK(got == want, "%s: line %d, %d is %d, not %d", golden_text(g, "case"), (int)i, (int)j,
                  got, want);
        }
    }
}

static void test_golden(void) {
    golden_file g;
    long np = 0;
    golden_open(&g, "quant_int8");
    while (golden_next(&g))
        golden_int8_row(&g);
    CHECK(g.row == 144, "int8: %ld rows", g.row);
    golden_close(&g);
    golden_open(&g, "quant_int4");
    while (golden_next(&g)) {
        if (golden_is(&g, "op", "pack") || golden_is(&g, "op", "unpack")) {
            golden_pack_row(&g, golden_is(&g, "op", "pack"));
        } else if (golden_is(&g, "op", "grouped_np")) {
            np++; /* Keras' other path: it disagrees with itself, and this one is not followed */
        } else {
            golden_grouped_row(&g, 0);
            golden_grouped_row(&g, 1);
        }
    }
    CHECK(g.row == 108 && np == 19, "int4: %ld rows, %ld of NumPy's path", g.row, np);
    golden_close(&g);
}

/* ---- data ------------------------------------------------------------------------------------ */

enum { PLAIN, WIDE, SUBNORMAL, ZEROS, LARGE, TINY, BORDERS, DATA };
static double value_of(const ref_format *f, uint64_t code) {
    const ref_mag m = ref_magnitude(f, code);
    return ldexp((double)m.sig, m.exp);
}
static float with_random_sign(uint32_t u) { return ref_float((u & 0x7fffffffu) | random_bits() << 31); }
/* On and beside a border between two codes, times a power of two. */
static float border(mpx_dtype element, int e) {
    const ref_format *f = &ref_formats[element];
    double x;
    if (ref_is_float(element)) {
        const uint64_t code = random_bits() % ref_max_code(f);
        x = (value_of(f, code) + value_of(f, code + 1)) / 2;
    } else {
        x = ((double)(random_bits() % 256) / 2) / 64;
    }
    return with_random_sign(bits_of(f32(ldexp(x, e))) + random_bits() % (x == 0 ? 2u : 3u) - (x != 0));
}
static void fill(int kind, mpx_dtype element, size_t n) {
    size_t i;
    int e = 0;
    for (i = 0; i < n; i++) {
        uint32_t u = random_bits();
        switch (kind) {
        case PLAIN: values[i] = with_random_sign(0x3f800000u - (u & 0x1ffffffu)); break;
        case WIDE: values[i] = ref_float((u & 0x7f800000u) == 0x7f800000u ? u ^ 0x40000000u : u); break;
        case SUBNORMAL: values[i] = with_random_sign((u & 0x7fffffu) >> random_bits() % 23); break;
        case ZEROS: values[i] = with_random_sign(0); break;
        case LARGE: values[i] = with_random_sign(0x7f7fffffu - (u & (0x1ffffffu >> u % 25))); break;
        case TINY: values[i] = with_random_sign(u & 0x1ffffffu); break;
        default:
            if (i % 32 == 0) e = (int)(u % 40) - 20;
            values[i] = border(element, e);
            if (i % 32 == 0 && ref_is_float(element))
                values[i] = f32(ldexp(value_of(&ref_formats[element],
                                               ref_max_code(&ref_formats[element])), e));
        }
    }
    if (kind == PLAIN && n > 100) values[99] = 0, values[40] = ref_float(0x80000000u);
}
static double largest(size_t i, size_t n) {
    double most = 0;
    for (n += i; i < n; i++)
        if (fabs((double)values[i]) > most) most = fabs((double)values[i]);
    return most;
}

/* ---- MX -------------------------------------------------------------------------------------- */

static const mpx_dtype mx_elements[] = { MPX_F8E4M3FN, MPX_F8E5M2,   MPX_F6E2M3FN,
                                         MPX_F6E3M2FN, MPX_F4E2M1FN, MPX_I8 };
static int mx_exponent(mpx_dtype element, int rule, double amax) {
    const ref_format *f = &ref_formats[element];
    const int is_float = ref_is_float(element), m = is_float ? f->man_bits : 6;
    const double max = is_float ? value_of(f, ref_max_code(f)) : 127.0 / 64;
    int emax, e;
    double part;
    if (amax == 0) return -127;
    frexp(max, &emax);
    part = frexp(amax, &e); /* amax = part * 2^e, 0.5 <= part < 1 */
    e -= emax;
    if (rule == MPX_SCALE_EVEN) e += floor(ldexp(part, m + 1) + 0.5) >= ldexp(1.0, m + 1);
    if (rule == MPX_SCALE_CEIL) e += part != 0.5;
    if (rule == MPX_SCALE_RCEIL) e += amax > ldexp(max, e);
    return e < -127 ? -127 : e > 127 ? 127 : e;
}
static uint32_t mx_code(mpx_dtype element, float x, int e) {
    const ref_format *f = &ref_formats[element];
    ref_real real = ref_decode(MPX_F32, bits_of(x));
    uint64_t code;
    if (!ref_is_float(element))
        return (uint32_t)(int)clamp(even(ldexp((double)x, 6 - e)), -127, 127) & 255u;
    real.exp -= e;
    code = ref_encode(element, &real);
    if (!ref_is_finite(element, code)) code = ref_max_code(f) | (code & ref_sign_bit(f));
    return (uint32_t)code;
}
static double element_value(mpx_dtype element, uint32_t code) {
    const ref_format *f = &ref_formats[element];
    const uint64_t sign = ref_sign_bit(f);
    if (!ref_is_float(element)) return (double)(signed char)code / 64;
    return value_of(f, code & ~sign) * ((code & sign) != 0 ? -1 : 1);
}
/* Where the scale of a block is. */
static size_t scale_place(int swizzled, size_t row, size_t block, size_t across) {
    const size_t wide = (across + 3) / 4 * 4, tile = row / 128 * (wide / 4) + block / 4;
    if (!swizzled) return row * across + block;
    return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}
static void check_mx(mpx_quant q, int kind, size_t rows, size_t cols) {
    const size_t across = cols / 32, n = rows * cols;
    const char *name = ref_formats[q.element].name;
    size_t i, b, used = 0;
    fill(kind, q.element, n);
    if (!quantize(q, values, MPX_F32, rows, cols)) return;
    CHECK(at.scale_type == MPX_F8E8M0FNU && at.block == 32, "%s: layout", name);
    for (b = 0; b < rows * across; b++) {
        const unsigned char *scale =
            out + at.scales + scale_place(q.swizzled, b / across, b % across, across);
        const int e = mx_exponent(q.element, q.rule, largest(b * 32, 32));
        CHECK(*scale == e + 127, "%s, rule %d, data %d: scale %d, not %d (amax %a)", name, (int)q.rule,
              kind, *scale, e + 127, largest(b * 32, 32));
        used += *scale != 0;
        for (i = b * 32; i < b * 32 + 32; i++) {
            const uint32_t want = mx_code(q.element, values[i], e), got = code_at(q.element, i);
            CHECK(got == want, "%s, rule %d, data %d: %a at scale 2^%d gives %x, not %x", name,
                  (int)q.rule, kind, (double)values[i], e, got, want);
        }
    }
    for (i = 0; i < at.scale_count; i++)
        used -= out[at.scales + i] != 0;
    CHECK(used == 0, "%s: padding of scales is not zero", name);
    dequantize(q, rows, cols);
    for (i = 0; i < n; i++) {
        const int e = out[at.scales + scale_place(q.swizzled, i / cols, i % cols / 32, across)] - 127;
        const float want = f32(ldexp(element_value(q.element, code_at(q.element, i)), e));
        CHECK(bits_of(back[i]) == bits_of(want), "%s: code %x at 2^%d gives %a, not %a", name,
              code_at(q.element, i), e, (double)back[i], (double)want);
    }
}
/* One NaN or Inf: the scale is NaN, and so are all values; the block beside it is not touched. */
static void check_mx_special(mpx_quant q, uint32_t bits) {
    size_t i;
    int e;
    fill(PLAIN, q.element, 64);
    values[random_bits() % 32] = ref_float(bits);
    if (!quantize(q, values, MPX_F32, 1, 64)) return;
    CHECK(out[at.scales] == 255 && out[at.scales + 1] != 255, "%08x: scales %d %d", bits,
          out[at.scales], out[at.scales + 1]);
    e = mx_exponent(q.element, q.rule, largest(32, 32));
    for (i = 32; i < 64; i++)
        CHECK(code_at(q.element, i) == mx_code(q.element, values[i], e), "%08x: code %d is %x, not %x", bits, (int)i,
              (unsigned)code_at(q.element, i), (unsigned)mx_code(q.element, values[i], e));
    dequantize(q, 1, 64);
    for (i = 0; i < 64; i++)
        CHECK((back[i] != back[i]) == (i < 32), "%08x: value %d is %a", bits, (int)i, (double)back[i]);
}
/* All codes, at all scales. */
static void check_mx_codes(mpx_quant q) {
    const int bits = ref_formats[q.element].bits;
    size_t i, n = 256;
    int scale;
    for (scale = 0; scale < 256; scale++) {
        if (!start(q, 1, n)) return;
        memset(out + at.codes, 0, n * (size_t)bits / 8);
        for (i = 0; i < n; i++)
            ref_store_packed(bits, out + at.codes, i, i & ref_low_mask(bits));
        memset(out + at.scales, scale, at.scale_count);
        dequantize(q, 1, n);
        for (i = 0; i < n; i++) {
            const uint32_t code = code_at(q.element, i);
            const int finite = scale != 255 && (!ref_is_float(q.element) || ref_is_finite(q.element, code));
            const float want = finite ? f32(ldexp(element_value(q.element, code), scale - 127)) : 0;
            if (finite)
                CHECK(bits_of(back[i]) == bits_of(want), "%s: code %x, scale %d: %a, not %a",
                      ref_formats[q.element].name, code, scale, (double)back[i], (double)want);
            else if (scale == 255 || ref_is_nan(q.element, code))
                CHECK(back[i] != back[i], "%s: code %x, scale %d: %a, not NaN",
                      ref_formats[q.element].name, code, scale, (double)back[i]);
            else
                CHECK(isinf(back[i]), "%s: code %x, scale %d: %a, not Inf",
                      ref_formats[q.element].name, code, scale, (double)back[i]);
        }
    }
}
static const size_t shapes[][2] = { { 1, 1 },  { 1, 2 },  { 3, 1 }, { 2, 5 },  { 7, 16 },
                                    { 1, 65 }, { 33, 3 }, { 5, 17 }, { 130, 5 } };
enum { SHAPES = sizeof shapes / sizeof shapes[0] };
static void test_mx(void) {
    static const uint32_t specials[] = { 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00001u, 0x7f800001u };
    size_t i, s;
    int rule, kind;
    for (i = 0; i < sizeof mx_elements / sizeof mx_elements[0]; i++) {
        mpx_quant q = quant_of(MPX_SCHEME_MX, mx_elements[i]);
        for (rule = 0; rule < 4; rule++) {
            q.rule = (mpx_scale_rule)rule;
            for (kind = (int)(i + (size_t)rule) % 2 * quick; kind < DATA; kind += 1 + quick) {
                q.swizzled = 0;
                for (s = 0; s < SHAPES; s++)
                    check_mx(q, kind, shapes[s][0], shapes[s][1] * 32);
                q.swizzled = 1;
                check_mx(q, kind, 131, 5 * 32);
                check_mx(q, kind, 2, 32);
            }
            q.swizzled = 0;
            for (s = 0; s < sizeof specials / sizeof specials[0]; s++)
                check_mx_special(q, specials[s]);
        }
        check_mx_codes(q);
    }
}

/* ---- NVFP4 ----------------------------------------------------------------------------------- */

static void check_nvfp4(mpx_quant q, int kind, size_t rows, size_t cols) {
    const size_t across = cols / 16, n = rows * cols;
    double whole = 1;
    size_t i, b;
    fill(kind, q.element, n);
    if (!quantize(q, values, MPX_F32, rows, cols)) return;
    if (!q.single) {
        whole = over(largest(0, n), 448 * 6);
        if (whole == 0) whole = 1;
        CHECK(same(f32_at(at.tensor_scale, 0), f32(whole)), "tensor scale %a, not %a",
              (double)f32_at(at.tensor_scale, 0), whole);
    }
    for (b = 0; b < rows * across; b++) {
        const unsigned code = out[at.scales + scale_place(q.swizzled, b / across, b % across, across)];
        const double x = clamp(over(over(largest(b * 16, 16), 6), whole), 0.015625, 448);
        const uint32_t want = (uint32_t)ref_cast(MPX_F8E4M3FN, MPX_F32, bits_of(f32(x)));
        const double by = over(over(1, whole), value_of(&ref_formats[MPX_F8E4M3FN], want));
        CHECK(code == want, "data %d: block scale %x, not %x", kind, code, want);
        for (i = b * 16; i < b * 16 + 16; i++) {
            const double y = times((double)values[i], by);
            const uint32_t c = (uint32_t)ref_cast(MPX_F4E2M1FN, MPX_F32, bits_of(f32(clamp(y, -6, 6))));
            if (y == y)
                CHECK(code_at(q.element, i) == c, "single %d, data %d: %a times %a gives %x, not %x",
                      q.single, kind, (double)values[i], by, code_at(q.element, i), c);
        }
    }
    dequantize(q, rows, cols);
    for (i = 0; i < n; i++) {
        const unsigned code = out[at.scales + scale_place(q.swizzled, i / cols, i % cols / 16, across)];
        const double by = times(value_of(&ref_formats[MPX_F8E4M3FN], code), whole);
        const float want = f32(element_value(q.element, code_at(q.element, i)) * by);
        CHECK(same(back[i], want), "single %d, data %d: value %a, not %a", q.single, kind,
              (double)back[i], (double)want);
    }
}
static void test_nvfp4(void) {
    mpx_quant q = quant_of(MPX_SCHEME_NVFP4, MPX_F4E2M1FN);
    size_t s;
    int kind;
    for (q.single = 0; q.single < 2; q.single++)
        for (q.swizzled = 0; q.swizzled < 2; q.swizzled++)
            for (kind = 0; kind < DATA; kind++)
                for (s = 0; s < SHAPES; s++)
                    check_nvfp4(q, kind, shapes[s][0], shapes[s][1] * 16);
}

/* ---- GGUF ------------------------------------------------------------------------------------ */

static void put_f16(unsigned char *d, double x) {
    const uint64_t code = ref_cast(MPX_F16, MPX_F32, bits_of(f32(x)));
    d[0] = (unsigned char)(code & 255);
    d[1] = (unsigned char)(code >> 8);
}
static double get_f16(const unsigned char *s) {
    return (double)ref_float((uint32_t)ref_cast(MPX_F32, MPX_F16, (uint64_t)s[0] | (uint64_t)s[1] << 8));
}
typedef struct block_format {
    mpx_scheme scheme;
    int bits, minimum, bytes, elements;
} block_format;
static const block_format blocks[] = {
    { MPX_SCHEME_Q4_0, 4, 0, 18, 32 },       { MPX_SCHEME_Q4_1, 4, 1, 20, 32 },
    { MPX_SCHEME_Q5_0, 5, 0, 22, 32 },       { MPX_SCHEME_Q5_1, 5, 1, 24, 32 },
    { MPX_SCHEME_Q8_0, 8, 0, 34, 32 },       { MPX_SCHEME_Q4_K, 4, 1, 144, 256 },
    { MPX_SCHEME_Q5_K, 5, 1, 176, 256 },     { MPX_SCHEME_Q6_K, 6, 0, 210, 256 },
    { MPX_SCHEME_GGML_MXFP4, 4, 0, 17, 32 }, { MPX_SCHEME_GGML_NVFP4, 4, 0, 36, 64 },
};
enum { SIMPLE_BLOCKS = 5, BLOCKS = sizeof blocks / sizeof blocks[0] };
/* The 32 values at x. Returns 0 where NumPy's casts to integers are not defined. */
static int gguf_block(const block_format *f, const float *x, unsigned char *d) {
    double most = (double)x[0], high = (double)x[0], low = (double)x[0], scale, by, offset = 0;
    int codes[32], i;
    for (i = 0; i < 32; i++) {
        if (fabs((double)x[i]) > fabs(most)) most = (double)x[i];
        if ((double)x[i] > high) high = (double)x[i];
        if ((double)x[i] < low) low = (double)x[i]; /* of zeros the first, as in ggml */
    }
    scale = f->bits == 8 ? over(fabs(most), 127) : f->minimum ? over(plus(high, -low), (1 << f->bits) - 1)
                                                  : over(most, -(1 << (f->bits - 1)));
    by = scale == 0 ? 0 : over(1, scale);
    if (isinf(by) || isinf(scale)) return 0;
    if (f->bits != 8) offset = f->minimum ? 0.5 : (1 << (f->bits - 1)) + 0.5;
    for (i = 0; i < 32; i++) {
        const double y = times(f->minimum ? plus((double)x[i], -low) : (double)x[i], by);
        if (f->bits == 8)
            codes[i] = (int)(y < 0 ? -floor(0.5 - y) : floor(y + 0.5));
        else
            codes[i] = (int)clamp(trunc(plus(y, offset)), 0, (1 << f->bits) - 1);
    }
    memset(d, 0, (size_t)f->bytes);
    put_f16(d, scale);
    d += 2;
    if (f->minimum) put_f16(d, low), d += 2;
    if (f->bits == 5)
        for (i = 0; i < 32; i++)
            d[i / 8] = (unsigned char)(d[i / 8] | codes[i] >> 4 << i % 8);
    if (f->bits == 5) d += 4;
    for (i = 0; i < 32; i++) {
        if (f->bits == 8)
            d[i] = (unsigned char)codes[i];
        else
            d[i % 16] = (unsigned char)(d[i % 16] | (codes[i] & 15) << (i < 16 ? 0 : 4));
    }
    return 1;
}
/* ggml's table of values has no -0. */
static double e2m1(unsigned code) { return code == 8 ? 0 : element_value(MPX_F4E2M1FN, code); }
static double nibble(const unsigned char *s, size_t i, size_t half) {
    return (double)(i < half ? s[i] & 15 : s[i - half] >> 4);
}
/* Element i of a block. */
static double gguf_value(const block_format *f, const unsigned char *s, size_t i) {
    const size_t g = i / 32;
    unsigned code, scale, low;
    switch (f->scheme) {
    case MPX_SCHEME_Q4_0: return times(nibble(s + 2, i, 16) - 8, get_f16(s));
    case MPX_SCHEME_Q4_1: return plus(times(nibble(s + 4, i, 16), get_f16(s)), get_f16(s + 2));
    case MPX_SCHEME_Q5_0:
        return times(nibble(s + 6, i, 16) + (s[2 + i / 8] >> i % 8 & 1) * 16 - 16, get_f16(s));
    case MPX_SCHEME_Q5_1:
        return plus(times(nibble(s + 8, i, 16) + (s[4 + i / 8] >> i % 8 & 1) * 16, get_f16(s)),
                    get_f16(s + 2));
    case MPX_SCHEME_Q8_0: return times((double)(signed char)s[2 + i], get_f16(s));
    case MPX_SCHEME_GGML_MXFP4: return times(e2m1((unsigned)nibble(s + 1, i, 16)), ldexp(1, s[0] - 127));
    case MPX_SCHEME_GGML_NVFP4:
        scale = s[i / 16];
        code = (unsigned)nibble(s + 4 + i / 16 * 8, i % 16, 8);
        return times(e2m1(code), scale == 127 ? 0 : scale == 255 ? 480 /* without its sign: no NaN */
                                 : value_of(&ref_formats[MPX_F8E4M3FN], scale & 127));
    case MPX_SCHEME_Q6_K:
        code = s[i / 128 * 64 + i % 64] >> (i % 128 / 64 * 4) & 15u;
        code |= (s[128 + i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3u) << 4;
        return times(times(get_f16(s + 208), (double)(signed char)s[192 + i / 16]), (double)code - 32);
    default: /* Q4_K, Q5_K */
        s += 4;
        scale = g < 4 ? s[g] & 63u : (s[g + 4] & 15u) | (unsigned)s[g - 4] >> 6 << 4;
        low = g < 4 ? s[g + 4] & 63u : (unsigned)s[g + 4] >> 4 | (unsigned)s[g] >> 6 << 4;
        code = (unsigned)s[f->bytes - 132 + (int)(i / 64 * 32 + i % 32)] >> (i % 64 / 32 * 4) & 15u;
        if (f->bits == 5) code |= (s[12 + i % 32] >> g & 1u) << 4;
        return plus(times(times(get_f16(s - 4), scale), code), -times(get_f16(s - 2), low));
    }
}
static void check_gguf_values(const block_format *f, mpx_quant q, size_t rows, size_t cols) {
    size_t i;
    dequantize(q, rows, cols);
    for (i = 0; i < rows * cols; i++) {
        const size_t size = (size_t)f->elements;
        const unsigned char *s = out + i / size * (size_t)f->bytes;
        const float want = f32(gguf_value(f, s, i % size));
        CHECK(same(back[i], want), "scheme %d: value %d is %a, not %a", (int)f->scheme,
              (int)(i % size), (double)back[i], (double)want);
    }
}
/* Blocks whose scale is halfway between two f16; then values halfway between two codes, or next to it. */
static void check_gguf_ties(const block_format *f, mpx_quant q) {
    const int most = f->bits == 8 ? 127 : f->minimum ? (1 << f->bits) - 1 : 1 << (f->bits - 1);
    unsigned char want[34];
    int k, i;
    for (k = 0; k < 35; k++) {
        values[0] = (float)(most * (2049 + 2 * (k / 2))) / (k % 2 != 0 && !f->minimum ? -2048.0f : 2048.0f);
        if (k >= 32) values[0] = (float)most; /* the scale is 1 or -1 */
        for (i = 1; i < 32; i++)
            values[i] = values[0] * (float)(f->minimum ? i % 8 : i % 15 - 7) / 8;
        for (i = 1; k >= 32 && i < 30; i++)
            values[i] = (f->minimum || i % 3 != 0 ? 0.5f : -0.5f) * (float)(i % most * 2 + 1) +
                        ldexpf((float)(k - 33), f->bits - 24);
        if (k >= 32) values[29] = 0, values[30] = 0.5f - ldexpf(1, -24), values[31] = 0.5f - ldexpf(1, -25);
        if (quantize(q, values, MPX_F32, 1, 32) && gguf_block(f, values, want))
            CHECK(memcmp(want, out, (size_t)f->bytes) == 0, "scheme %d: tie %d", (int)f->scheme, k);
    }
}
static void test_gguf(void) {
    size_t i, s, b;
    int kind;
    for (i = 0; i < BLOCKS; i++) {
        const block_format *f = &blocks[i];
        const size_t size = (size_t)f->elements, bytes = (size_t)f->bytes;
        const mpx_quant q = quant_of(f->scheme, MPX_NONE);
        unsigned char want[34];
        if (i < SIMPLE_BLOCKS) check_gguf_ties(f, q);
        for (s = 0; s < SHAPES; s++) {
            const size_t rows = shapes[s][0] % 40, cols = shapes[s][1] * size;
            CHECK(mpx_quant_bytes(q, rows, cols) == rows * shapes[s][1] * bytes, "scheme %d: bytes",
                  (int)f->scheme);
            CHECK(mpx_quant_bytes(q, rows, cols + 1) == 0, "scheme %d: bytes", (int)f->scheme);
            if (!start(q, rows, cols)) continue;
            for (b = 0; b < at.bytes; b++)
                out[b] = (unsigned char)random_bits();
            check_gguf_values(f, q, rows, cols);
            for (kind = 0; i < SIMPLE_BLOCKS && kind < DATA; kind++) {
                fill(kind, kind % 2 ? MPX_I8 : MPX_F4E2M1FN, rows * cols);
                if (!quantize(q, values, MPX_F32, rows, cols)) continue;
                for (b = 0; b < rows * cols / 32; b++)
                    if (gguf_block(f, values + b * 32, want))
                        CHECK(memcmp(want, out + b * bytes, bytes) == 0,
                              "scheme %d, data %d: block %d differs", (int)f->scheme, kind, (int)b);
                check_gguf_values(f, q, rows, cols);
            }
        }
    }
}

/* ---- LINEAR and KERAS ------------------------------------------------------------------------ */

static size_t group_of(mpx_quant q, size_t row, size_t col, size_t cols) {
    switch (q.scope) {
    case MPX_SCOPE_ROW: return row;
    case MPX_SCOPE_COLUMN: return col;
    case MPX_SCOPE_BLOCK: return row * ((cols + q.block - 1) / q.block) + col / q.block;
    case MPX_SCOPE_BLOCK_DOWN: return row / q.block * cols + col;
    default: return 0;
    }
}
/* Of the numbers that share a scale. */
typedef struct group {
    double high, low, scale;
    int zero, count;
} group;
static group groups[ROOM];
static void find_groups(mpx_quant q, size_t rows, size_t cols) {
    size_t i;
    for (i = 0; i < at.scale_count; i++)
        memset(&groups[i], 0, sizeof groups[i]);
    for (i = 0; i < rows * cols; i++) {
        group *g = &groups[group_of(q, i / cols, i % cols, cols)];
        const double x = (double)values[i];
        if (g->count++ == 0 && q.scheme == MPX_SCHEME_KERAS) g->high = g->low = x;
        if (x > g->high) g->high = x;
        if (x < g->low) g->low = x;
    }
}
static void check_affine_codes(mpx_quant q, size_t rows, size_t cols, double low, double high) {
    const ref_format *f = &ref_formats[q.element];
    const int multiplies = q.scheme == MPX_SCHEME_KERAS && !q.zero_point;
    size_t i;
    for (i = 0; i < rows * cols; i++) {
        const group *g = &groups[group_of(q, i / cols, i % cols, cols)];
        const double x = (double)values[i], y = multiplies ? times(x, g->scale) : over(x, g->scale);
        if (ref_is_float(q.element)) {
            uint64_t want = ref_cast(q.element, MPX_F32, bits_of(f32(y)));
            if (!ref_is_finite(q.element, want)) want = ref_max_code(f) | (want & ref_sign_bit(f));
            if (y != y)
                CHECK(ref_is_nan(q.element, code_at(q.element, i)), "%s: NaN gives %x", f->name,
                      code_at(q.element, i));
            else
                CHECK(code_at(q.element, i) == want, "%s: %a over %a gives %x, not %x", f->name, x,
                      g->scale, code_at(q.element, i), (unsigned)want);
        } else {
            const int want = (int)clamp(y == y ? even(y) + g->zero : g->zero, low, high);
            CHECK(int_at(q.element, i) == want,
                  "%s, scheme %d, scope %d, block %d, zeros %d, %dx%d: element %d, %a by %a + %d "
                  "gives %d, not %d", f->name, (int)q.scheme, (int)q.scope, (int)q.block, q.zero_point,
                  (int)rows, (int)cols, (int)i, x, g->scale, g->zero, int_at(q.element, i), want);
        }
    }
    check_tail(q.element, rows * cols);
    dequantize(q, rows, cols);
    for (i = 0; i < rows * cols; i++) {
        const group *g = &groups[group_of(q, i / cols, i % cols, cols)];
        const double code = ref_is_float(q.element) ? element_value(q.element, code_at(q.element, i))
                                                    : int_at(q.element, i) - g->zero;
        const float want = f32(multiplies ? code / g->scale : code * g->scale);
        if (ref_is_float(q.element) && ref_is_nan(q.element, code_at(q.element, i)))
            CHECK(back[i] != back[i], "%s: NaN gives %a", f->name, (double)back[i]);
        else
            CHECK(same(back[i], want), "%s: value %a, not %a", f->name, (double)back[i], (double)want);
    }
}
static void check_affine(mpx_quant q, int kind, size_t rows, size_t cols) {
    const ref_format *f = &ref_formats[q.element];
    const int is_float = ref_is_float(q.element), is_signed = f->rule == REF_INT;
    double high = is_float ? value_of(f, ref_max_code(f))
                           : (double)(((int)1 << (f->bits - is_signed)) - 1),
           low = is_signed ? -high - 1 : 0;
    const int keras = q.scheme == MPX_SCHEME_KERAS;
    const double eps = keras ? (double)ref_float(0x33d6bf95u) : 0; /* 1e-7f, where floats are computed in double too */
    size_t i;
    if (keras && !q.zero_point && q.element == MPX_I8) low = -127;
    fill(kind, kind % 2 ? MPX_I8 : MPX_F4E2M1FN, rows * cols);
    if (q.given) {
        static const uint32_t special[] = { 0x7fc00000u, 0x7f800000u, 0xff800000u, 0xffffffffu };
        for (i = 3; i < rows * cols; i += 11)
            values[i] = ref_float(special[i % 4]);
        if (!start(q, rows, cols)) return;
        for (i = 0; i < at.scale_count; i++) {
            const float scale = ref_float(0x3c000000u + (random_bits() & 0x3ffffffu));
            memset(&groups[i], 0, sizeof groups[i]);
            groups[i].scale = (double)scale;
            groups[i].zero = q.zero_point ? (int)low + (int)(random_bits() & ((1u << f->bits) - 1)) : 0;
            memcpy(out + at.scales + i * 4, &scale, 4);
            if (q.zero_point) out[at.zeros + i] = (unsigned char)(groups[i].zero & ((1 << f->bits) - 1));
        }
        run(q, values, MPX_F32, rows, cols);
    } else {
        if (!quantize(q, values, MPX_F32, rows, cols)) return;
        find_groups(q, rows, cols);
    }
    for (i = 0; i < at.scale_count && !q.given; i++) {
        group *g = &groups[i];
        const double amax = g->high > -g->low ? g->high : -g->low;
        if (q.zero_point) {
            g->scale = over(plus(plus(g->high, -g->low), eps), high - low);
            if (g->scale == 0) g->scale = 1;
            /* With low = 0, where ONNX has it, this is ONNX; else PyTorch's observers, and Keras. */
            g->zero = (int)clamp(even(over(-g->low, g->scale)) + low, low, high);
        } else {
            g->scale = keras ? over(high, plus(amax, eps)) : over(amax, high);
            if (!keras && g->scale == 0) g->scale = (double)f32_at(at.scales, i);
        }
        CHECK(same(f32_at(at.scales, i), f32(g->scale)), "%s, scheme %d, data %d: scale %a, not %a",
              f->name, (int)q.scheme, kind, (double)f32_at(at.scales, i), g->scale);
        CHECK(isfinite(f32_at(at.scales, i)) || g->high > 1e30 || g->low < -1e30, "scale is not finite");
        if (q.zero_point && isfinite(g->scale))
            CHECK(zero_at(q.element, i) == g->zero, "%s, scheme %d, data %d: zero %d, not %d", f->name,
                  (int)q.scheme, kind, zero_at(q.element, i), g->zero);
        if (!isfinite(g->scale)) return;
    }
    check_affine_codes(q, rows, cols, low, high);
}
static const size_t matrices[][2] = { { 1, 1 },   { 1, 7 },   { 5, 1 },  { 3, 5 },   { 4, 64 }, { 2, 63 },
                                      { 7, 67 },  { 9, 129 }, { 31, 2 }, { 3, 1001 }, { 66, 33 } };
enum { MATRICES = sizeof matrices / sizeof matrices[0] };
static void test_affine(void) {
    static const mpx_dtype elements[] = { MPX_I8, MPX_U8, MPX_I4, MPX_U4, MPX_I2, MPX_U2, MPX_F8E4M3FN,
                                          MPX_F8E5M2 };
    static const size_t sizes[] = { 1, 3, 16, 32, 40, 128, 700 };
    size_t e, s, m, b;
    int variant, kind;
    for (e = 0; e < sizeof elements / sizeof elements[0]; e++)
        for (variant = 0; variant < 5; variant++) { /* LINEAR, given, both with zeros; KERAS */
            mpx_quant q = quant_of(variant == 4 ? MPX_SCHEME_KERAS : MPX_SCHEME_LINEAR, elements[e]);
            q.zero_point = variant & 1;
            q.given = variant == 2 || variant == 3;
            if (ref_is_float(q.element) && (q.zero_point || variant == 4)) continue;
            if (!q.zero_point && ref_formats[q.element].rule == REF_UINT) continue;
            for (s = 0; s <= MPX_SCOPE_BLOCK_DOWN; s++)
                for (m = 0; m < MATRICES; m++)
                    for (b = 0; b < (s < MPX_SCOPE_BLOCK ? 1 : sizeof sizes / sizeof sizes[0]); b++)
                        for (kind = (int)(m + s) % 4 * quick; kind < DATA; kind += 1 + (m > 4) * 2 + 3 * quick) {
                            q.scope = (mpx_scope)s;
                            q.block = s < MPX_SCOPE_BLOCK ? 0 : sizes[b];
                            check_affine(q, kind, matrices[m][0], matrices[m][1]);
                        }
        }
}

/* ---- modes and dtypes ------------------------------------------------------------------------ */

static const char *const formats[] = {
    "int8",       "int8/row",   "int8/column",      "int4/32",      "int4/16/down",  "int8/linear/32",
    "uint8/row",  "uint4/32",   "int2/linear",      "float8/row",   "f8e5m2/32",     "mxfp8_e4m3",
    "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2/even",  "mxfp4/ceil",   "mxfp4/rceil",   "mxint8",
    "nvfp4",      "nvfp4/single", "mxfp4/swizzled", "q4_0",         "q4_1",          "q5_0",
    "q5_1",       "q8_0",       "ggml_mxfp4",
};
static unsigned char first[ROOM], second[ROOM], numbers[ROOM], again[ROOM];
/* Quantized and read back in a mode, the same bytes as in the usual one. */
static void check_mode(mpx_quant q, const char *text, mpx_dtype type, const fpmode *mode, size_t bytes) {
    const size_t rows = 33, cols = 64, size = mpx_dtype_bytes(type, rows * cols);
    int holds;
    memset(second, CANARY, bytes);
    if (!fpmode_enter(mode)) return;
    mpx_quantize(second, q, moved, type, rows, cols);
    mpx_dequantize(again, type, first, q, rows, cols);
    holds = fpmode_holds(mode);
    fpmode_leave();
    CHECK(holds, "%s: does not leave the mode %s", text, mode->name);
    CHECK(memcmp(first, second, bytes) == 0, "%s of %s: other bytes %s", text, ref_formats[type].name,
          mode->name);
    CHECK(memcmp(numbers, again, size) == 0, "%s to %s: other values %s", text, ref_formats[type].name,
          mode->name);
}
static void check_format(const char *text, mpx_dtype type, int kind) {
    const size_t rows = 33, cols = 64, n = rows * cols;
    mpx_quant q;
    size_t bytes, i;
    int m;
    CHECK(mpx_quant_parse(text, &q, NULL) == MPX_OK, "%s: not read", text);
    bytes = mpx_quant_bytes(q, rows, cols);
    fill(kind, MPX_F4E2M1FN, n);
    mpx_cast(moved, type, values, MPX_F32, n);
    memset(first, CANARY, bytes);
    CHECK(bytes <= ROOM && mpx_quantize(first, q, moved, type, rows, cols) == MPX_OK, "%s: refused", text);
    CHECK(mpx_dequantize(numbers, type, first, q, rows, cols) == MPX_OK, "%s: refused", text);
    for (m = 0; m < FPMODES; m++)
        check_mode(q, text, type, &fpmodes[m], bytes);
    /* Read back as f32, then rounded once more: that is what another dtype gets. */
    CHECK(mpx_dequantize(back, MPX_F32, first, q, rows, cols) == MPX_OK, "%s: refused", text);
    for (i = 0; i < n; i++)
        CHECK(ref_load(type, numbers, i) == ref_cast(type, MPX_F32, bits_of(back[i])), "%s to %s: %a is %x",
              text, ref_formats[type].name, (double)back[i], (unsigned)ref_load(type, numbers, i));
    if (q.scheme == MPX_SCHEME_KERAS && ref_formats[type].bits == 16) return; /* rounds every step */
    mpx_cast(values, MPX_F32, moved, type, n);
    memset(second, CANARY, bytes);
    CHECK(mpx_quantize(second, q, values, MPX_F32, rows, cols) == MPX_OK, "%s: refused", text);
    CHECK(memcmp(first, second, bytes) == 0, "%s of %s is not that of f32", text, ref_formats[type].name);
}
static void test_modes(void) {
    static const mpx_dtype types[] = { MPX_F32, MPX_F16, MPX_BF16, MPX_F64, MPX_F8E5M2 };
    size_t f, t;
    int kind;
    for (f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (t = 0; t < sizeof types / sizeof types[0]; t++)
            for (kind = (int)(f + t) % 3 * quick; kind < DATA; kind += 1 + 2 * quick)
                check_format(formats[f], types[t], kind);
}

/* ---- NaN ------------------------------------------------------------------------------------- */

static float float_of(uint32_t u) {
    float x;
    memcpy(&x, &u, 4);
    return x;
}
/* All of a matrix quantized with one odd value in it, or a row of nothing else: what becomes NaN has one sign and no
   payload, whatever the instruction set makes of it. */
static void check_nans(const char *text, uint32_t odd, size_t odds) {
    const size_t rows = 2, cols = 256, n = rows * cols;
    mpx_quant q;
    size_t i, wrong = 0, others = 0;
    CHECK(mpx_quant_parse(text, &q, NULL) == MPX_OK, "%s", text);
    for (i = 0; i < n; i++) values[i] = ((float)(i % 37) - 18.0f) * 0.25f;
    for (i = 0; i < odds; i++) values[odds > 1 ? i : 5] = float_of(odd);
    if (!start(q, rows, cols)) return;
    CHECK(mpx_quantize(out, q, values, MPX_F32, rows, cols) == MPX_OK, "%s", text);
    CHECK(mpx_dequantize(back, MPX_F32, out, q, rows, cols) == MPX_OK, "%s", text);
    for (i = 0; i < n; i++) wrong += back[i] != back[i] && bits_of(back[i]) != 0x7fc00000u;
    CHECK(wrong == 0, "%s, %08x: %d NaN have other bits", text, (unsigned)odd, (int)wrong);
    for (i = 0, wrong = 0; odds > 1 && (odd & 0x7fffffffu) > 0x7f800000u && at.scale_type == MPX_F32 && i < odds; i++)
        wrong += back[i] == back[i];
    CHECK(wrong == 0, "%s, %08x: %d of NaN alone are numbers", text, (unsigned)odd, (int)wrong);
    if (at.scale_type == MPX_F32)
        for (i = 0; i < at.scale_count; i++) {
            uint32_t u;
            memcpy(&u, out + at.scales + i * 4, 4);
            others += (u & 0x7fffffffu) > 0x7f800000u && u != 0x7fc00000u;
        }
    for (i = 0; at.scale_type == MPX_F8E4M3FN && i < at.scale_count; i++) others += out[at.scales + i] == 255;
    if (at.tensor_scale != at.bytes) {
        const uint32_t u = bits_of(f32_at(at.tensor_scale, 0));
        others += (u & 0x7fffffffu) > 0x7f800000u && u != 0x7fc00000u;
    }
    if (q.scheme >= MPX_SCHEME_Q4_0 && q.scheme <= MPX_SCHEME_Q8_0) {
        const unsigned d = out[0] | (unsigned)out[1] << 8;
        others += (d & 0x7fffu) > 0x7c00u && d != 0x7e00u;
    }
    CHECK(others == 0, "%s, %08x: %d scales are other NaN", text, (unsigned)odd, (int)others);
    /* one scale for all, and that is NaN: so are all values, whose code is that of a NaN without a sign */
    if (odd == 0xffc12345u && (q.scheme == MPX_SCHEME_NVFP4 || q.element == MPX_F8E4M3FN) && !q.single &&
        q.scheme != MPX_SCHEME_MX && q.scope == MPX_SCOPE_TENSOR) {
        const unsigned nan = (unsigned)ref_cast(q.element, MPX_F32, 0x7fc00000u),
                       byte = q.element == MPX_F4E2M1FN ? nan * 17u : nan;
        for (i = 0, wrong = 0; i < mpx_dtype_bytes(q.element, n); i++) wrong += out[i] != byte;
        CHECK(wrong == 0, "%s: %d bytes of codes are not %02x", text, (int)wrong, byte);
    }
}
static void test_nans(void) {
    static const uint32_t odd[] = { 0x7fc00000u, 0xffc12345u, 0x7f800000u, 0xff800000u };
    size_t f, i;
    for (f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (i = 0; i < 2 * sizeof odd / sizeof odd[0]; i++) check_nans(formats[f], odd[i / 2], i % 2 != 0 ? 256 : 1);
    for (i = 0; i < 2 * sizeof odd / sizeof odd[0]; i++) check_nans("float8", odd[i / 2], i % 2 != 0 ? 256 : 1);
}

/* ---- GGUF's MXFP4 ---------------------------------------------------------------------------- */

/* The scale by the floor rule, at least 2^-127; of the values 0, .5, 1, 1.5, 2, 3, 4 and 6 the nearest, of two that
   are equally near the smaller; never -0. */
static unsigned mxfp4_code(double x) {
    static const double level[8] = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 };
    unsigned k = 0;
    while (k < 7 && fabs(fabs(x) - level[k + 1]) < fabs(fabs(x) - level[k])) k++;
    return k != 0 && x < 0 ? k | 8u : k;
}
static void test_ggml_mxfp4(void) {
    const mpx_quant q = quant_of(MPX_SCHEME_GGML_MXFP4, MPX_NONE);
    size_t block, i;
    int kind;
    for (kind = 0; kind < DATA; kind++) {
        fill(kind, MPX_F4E2M1FN, 4096);
        for (i = 0; i < 2048; i += 32) /* every quarter: all ties; the first 6 sets the scale */
            for (block = 0; block < 32; block++)
                values[i + block] = (block == 0 ? 6.0f : ((float)block - 16.0f) * 0.25f) * (float)(1 + i / 32 % 2);
        if (!start(q, 1, 4096)) return;
        for (i = 0; i < 4096; i++)
            if ((bits_of(values[i]) & 0x7fffffffu) >= 0x7f800000u) values[i] = 1.0f;
        CHECK(mpx_quantize(out, q, values, MPX_F32, 1, 4096) == MPX_OK, "refused");
        guard("MXFP4");
        for (block = 0; block < 128; block++) {
            const unsigned char *got = out + block * 17;
            double most = 0;
            int e, exponent;
            for (i = 0; i < 32; i++)
                if (fabs((double)values[block * 32 + i]) > most) most = fabs((double)values[block * 32 + i]);
            (void)frexp(most, &exponent);
            e = most == 0.0 || exponent - 3 < -127 ? 0 : exponent - 3 + 127;
            CHECK(got[0] == e, "data %d: scale %d, not %d", kind, got[0], e);
            for (i = 0; i < 32; i++) {
                const unsigned code = i < 16 ? got[1 + i] & 15u : got[1 + i - 16] >> 4,
                               want = mxfp4_code(ldexp((double)values[block * 32 + i], 127 - e));
                CHECK(code == want, "data %d: %a at 2^%d is %x, not %x", kind, (double)values[block * 32 + i], e - 127,
                      code, want);
            }
        }
    }
    for (i = 0; i < 32; i++) values[i] = (float)i;
    values[3] = -(float)INFINITY;
    values[20] = (float)NAN;
    if (!start(q, 1, 32)) return;
    CHECK(mpx_quantize(out, q, values, MPX_F32, 1, 32) == MPX_OK && out[0] == 253, "Inf: scale %d", out[0]);
    dequantize(q, 1, 32);
    for (i = 0; i < 32; i++) CHECK(i == 3 ? back[i] < -FLT_MAX : back[i] == 0, "Inf: %d gives %a", (int)i, (double)back[i]);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A text, and how it prints; NULL: as it stands. */
static void read_text(const char *text, const char *want) {
    char name[64], small[4];
    mpx_quant q, again_read;
    mpx_error err = test_any_error();
    memset(&q, CANARY, sizeof q);
    CHECK(mpx_quant_parse(text, &q, &err) == MPX_OK && err.status == MPX_OK, "%s: not read", text);
    if (want == NULL) want = text;
    CHECK(mpx_quant_format(q, name, sizeof name) == strlen(want), "%s: length", text);
    CHECK(strcmp(name, want) == 0, "%s: printed %s", text, name);
    CHECK(mpx_quant_format(q, small, sizeof small) == strlen(want) && strncmp(small, want, 3) == 0 &&
              small[3] == '\0',
          "%s: cut", text);
    CHECK(mpx_quant_parse(name, &again_read, NULL) == MPX_OK && memcmp(&q, &again_read, sizeof q) == 0,
          "%s: another value", name);
}
static void refuse_text(const char *text, const char *want) {
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_quant q = quant_of(MPX_SCHEME_MX, MPX_I8);
    mpx_error err = test_any_error();
    CHECK(mpx_quant_parse(text, &q, &err) == MPX_ERR_SCHEME && err.status == MPX_ERR_SCHEME, "%s", text);
    CHECK(q.scheme == MPX_SCHEME_MX && q.element == MPX_I8, "%s: the value was touched", text);
    (void)mpx_error_format(&err, text, sentence, sizeof sentence);
    CHECK(strncmp(sentence, want, strlen(want)) == 0, "%s: %s", text, sentence);
}
static void check_policy(const char *text, const char *want) {
    char name[64];
    mpx_policy p;
    CHECK(mpx_policy_parse(text, &p, NULL) == MPX_OK, "%s", text);
    (void)mpx_quant_format(mpx_quant_of_policy(p), name, sizeof name);
    CHECK(strcmp(name, want) == 0, "%s: %s", text, name);
}
static void test_texts(void) {
    static const char *const plain[] = {
        "none", "int8", "int4", "int2", "uint8", "uint4", "uint2", "int8/channel", "int4/column", "int8/128",
        "int4/128", "int4/128/down", "int2/5", "int8/linear", "int8/channel/linear/zero", "int8/zero",
        "uint4/32/down", "float8", "float8/channel", "f8e5m2/128", "f8e4m3fnuz", "mxfp8_e4m3", "mxfp8_e5m2/even",
        "mxfp6_e2m3/ceil", "mxfp6_e3m2/rceil", "mxfp4/even/swizzled", "mxint8", "nvfp4", "nvfp4/single/swizzled",
        "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q5_k", "q6_k", "ggml_mxfp4", "ggml_nvfp4",
    };
    static const char format[] = "; expected none, ", later[] = "; expected row, ";
    char text[64], want[160];
    mpx_quant q;
    size_t i;
    for (i = 0; i < sizeof plain / sizeof plain[0]; i++) read_text(plain[i], NULL);
    read_text(" INT8/Row ", "int8/channel");
    read_text("int8/tensor", "int8");
    read_text("int4/down/64", "int4/64/down");
    read_text("mxfp4/swizzled/floor", "mxfp4/swizzled");
    read_text("f8e4m3fn/channel", "float8/channel");
    read_text("float8_e5m2", "f8e5m2");
    read_text("int8/2147483647", NULL);
    for (i = 0; i < 4; i++) {
        static const char *const zeros[4] = { "uint8", "uint4", "uint2", "int8/zero" };
        CHECK(mpx_quant_parse(zeros[i], &q, NULL) == MPX_OK && q.zero_point == 1, "%s: a zero point", zeros[i]);
    }
    refuse_text("", "missing word at 0; expected none, ");
    sprintf(want, "unknown or unusable 'int9' at 1%s", format);
    refuse_text(" int9", want);
    sprintf(want, "unknown or unusable 'f16' at 0%s", format);
    refuse_text("f16", want);
    for (i = 0; i < 11; i++) {
        static const char *const wrong[11] = { "chanel", "0", "3000000000", "row/column", "down", "floor",
                                               "single", "swizzled", "128x", "1:", "2147483648" };
        const char *last = strrchr(wrong[i], '/');
        sprintf(text, "int8/%s", wrong[i]);
        sprintf(want, "unknown or unusable '%s' at %d%s", last != NULL ? last + 1 : wrong[i],
                last != NULL ? 6 + (int)(last - wrong[i]) : 5, later);
        refuse_text(text, want);
    }
    refuse_text("int8/", "missing word at 5; expected row, ");
    refuse_text("int8/-3", "unknown or unusable '-3' at 5; expected row, ");
    refuse_text("mxfp4/row", "unknown or unusable 'row' at 6; expected row, ");
    refuse_text("q8_0/32", "unknown or unusable '32' at 5; expected row, ");
    refuse_text("nvfp4/even", "unknown or unusable 'even' at 6; expected row, ");
    refuse_text("uint8/zero", "unknown or unusable 'zero' at 6; expected row, ");
    q = quant_of(MPX_SCHEME_KERAS, MPX_I8);
    q.given = 1;
    CHECK(mpx_quant_format(q, text, sizeof text) == 0 && text[0] == '\0', "given has no text");
    for (i = 0; i < 8; i++) {
        static const float epsilons[] = { 0, 0, 1, 2, -1, -2, 1e-40f, 0 };
        q = quant_of(MPX_SCHEME_KERAS, MPX_I8);
        q.low = i == 0 ? -5 : 0, q.high = i == 1 ? 5 : 0, q.epsilon = epsilons[i];
        CHECK((mpx_quant_format(q, text, sizeof text) == 0) == (i < 7), "low, high and epsilon have none: %s", text);
    }
    check_policy("int8_from_mixed_bfloat16", "int8/column");
    check_policy("int4/128_from_float32", "int4/128/down");
    check_policy("int4/-1_from_float32", "int4/column");
    check_policy("float8_from_float32", "float8");
    check_policy("gptq/4/128_from_float32", "none");
    check_policy("bf16", "none");
}
/* A tensor scale that is given is used and kept. */
static void test_given_tensor_scale(void) {
    mpx_quant q = quant_of(MPX_SCHEME_NVFP4, MPX_F4E2M1FN);
    static const float largest[4] = { 20.5f, 10.5f, 26.5f, 42.5f }; /* of each block */
    const float scale = 0.75f;
    size_t i, far = 0;
    for (i = 0; i < 64; i++) values[i] = (float)i - 20.5f;
    q.given = 1;
    if (!start(q, 1, 64)) return;
    memcpy(out + at.tensor_scale, &scale, 4);
    CHECK(mpx_quantize(out, q, values, MPX_F32, 1, 64) == MPX_OK, "refused");
    CHECK(memcmp(out + at.tensor_scale, &scale, 4) == 0, "the scale was touched");
    for (i = 0; i < 4; i++) { /* over 6 and over the scale, to f8e4m3fn */
        const uint8_t want = mpx_f8e4m3fn_from_f32(f32(over(over((double)largest[i], 6), (double)scale)));
        CHECK(out[at.scales + i] == want, "scale %d: %02x, not %02x", (int)i, out[at.scales + i], want);
    }
    CHECK(mpx_dequantize(back, MPX_F32, out, q, 1, 64) == MPX_OK, "refused");
    for (i = 0; i < 64; i++) /* half of the largest step, 1 of 6, and what the scale lost, 1/16 */
        far += fabs((double)back[i] - (double)values[i]) > (double)largest[i / 16] * (1 / 6.0 + 1 / 16.0);
    CHECK(far == 0, "%d values are far away", (int)far);
    all_zero(at.scales + at.scale_count, at.tensor_scale, "before a given scale");
    guard("NVFP4, given");
    q.swizzled = 1; /* the padding is zeros, whatever was there */
    if (!start(q, 1, 64)) return;
    memcpy(out + at.tensor_scale, &scale, 4);
    CHECK(mpx_quantize(out, q, values, MPX_F32, 1, 64) == MPX_OK, "refused");
    for (i = far = 0; i < at.scale_count; i++) far += out[at.scales + i] != 0;
    CHECK(at.scale_count == 512 && far == 4 && out[at.scales + 3] != 0, "%d scales in the padding", (int)far - 4);
    guard("NVFP4, given, swizzled");
}

/* KERAS, values close together and far from zero: the zero point lies millions of steps away, and is cut. */
static void test_far_zero(void) {
    mpx_quant q = quant_of(MPX_SCHEME_KERAS, MPX_I4);
    int sign;
    size_t i;
    q.zero_point = 1, q.scope = MPX_SCOPE_BLOCK, q.block = 16;
    for (sign = -1; sign <= 1; sign += 2) {
        for (i = 0; i < 16; i++) values[i] = ref_float(0x447a0000u + (i == 5)) * (float)sign; /* 1000, and the next */
        if (!quantize(q, values, MPX_F32, 1, 16)) return;
        CHECK(zero_at(MPX_I4, 0) == (sign > 0 ? -8 : 7), "zero point %d", zero_at(MPX_I4, 0));
    }
}

/* Blocks of equal numbers, as docs/limits.md has them. */
static void test_equal_numbers(void) {
    static const struct { const char *text; float x, back, scale; } equal[] = {
        { "int4/64", 0.02f, 0, 2.0f / 15 }, { "int4/64", 5, 2, 2.0f / 15 }, { "int2/64", 0.02f, 0, 2.0f / 3 },
        { "int2/64", 5, 2, 2.0f / 3 }, { "int4/64/linear/zero", 0.02f, 0.02f, 0.02f / 15 },
        { "int4/64/linear/zero", 5, 5, 5.0f / 15 },
    };
    size_t k, i;
    for (k = 0; k < sizeof equal / sizeof equal[0]; k++) {
        mpx_quant q;
        float scale;
        CHECK(mpx_quant_parse(equal[k].text, &q, NULL) == MPX_OK, "%s", equal[k].text);
        for (i = 0; i < 64; i++) values[i] = equal[k].x;
        if (!quantize(q, values, MPX_F32, 1, 64)) return;
        dequantize(q, 1, 64);
        memcpy(&scale, out + at.scales, 4);
        CHECK(fabsf(scale - equal[k].scale) < 1e-6f, "%s: scale %g", equal[k].text, (double)scale);
        for (i = 0; i < 64; i++)
            CHECK(fabsf(back[i] - equal[k].back) < 1e-6f, "%s of %g: %g", equal[k].text, (double)equal[k].x, (double)back[i]);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refuse(mpx_quant q, size_t rows, size_t cols, mpx_status want) {
    unsigned char codes[256];
    mpx_error err = test_any_error();
    mpx_quant_layout layout;
    float x[4] = { 1, 2, 3, 4 };
    size_t i, wrong = 0;
    memset(codes, CANARY, sizeof codes);
    memset(&layout, CANARY, sizeof layout);
    CHECK(mpx_quant_layout_of(q, rows, cols, &layout, &err) == want && err.status == want,
          "scheme %d, %ux%u: status %d, not %d", (int)q.scheme, (unsigned)rows, (unsigned)cols,
          (int)mpx_quant_layout_of(q, rows, cols, &layout, NULL), (int)want);
    CHECK(((unsigned char *)&layout)[0] == CANARY, "the layout was touched");
    CHECK(mpx_quant_bytes(q, rows, cols) == 0, "scheme %d: bytes", (int)q.scheme);
    CHECK(mpx_quantize(codes, q, x, MPX_F32, rows, cols) == want, "scheme %d: quantize", (int)q.scheme);
    CHECK(mpx_dequantize(codes, MPX_F32, codes, q, rows, cols) == want, "scheme %d", (int)q.scheme);
    for (i = 0; i < sizeof codes; i++)
        wrong += codes[i] != CANARY;
    CHECK(wrong == 0, "scheme %d: written all the same", (int)q.scheme);
}
static void test_refusals(void) {
    static const struct { mpx_dtype element; int32_t low, high; } no_ranges[] = {
        { MPX_I8, -129, 127 }, { MPX_I8, -128, 128 }, { MPX_I4, -9, 7 }, { MPX_U4, -1, 15 }, { MPX_U8, 0, 256 },
        { MPX_I8, INT32_MIN, INT32_MAX }, { MPX_I2, 1, -1 },
        { MPX_I8, -100, 0 }, { MPX_I8, -100, -1 }, /* these without zero points: no scale makes a positive code */
        { MPX_I8, 5, 5 }, { MPX_U4, 15, 15 }, /* with zero points, of one code: a step would be a range over 0 */
    };
    const size_t huge = (size_t)-1;
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_error err;
    mpx_quant q;
    size_t i;
    for (i = 0; i < sizeof mx_elements / sizeof mx_elements[0]; i++) {
        q = quant_of(MPX_SCHEME_MX, mx_elements[i]);
        refuse(q, 1, 31, MPX_ERR_SHAPE);
        refuse(q, 32, 33, MPX_ERR_SHAPE);
        refuse(q, huge / 32, 64, MPX_ERR_SPACE);
        CHECK(mpx_quantize(coded, q, values, MPX_F32, 0, 32) == MPX_OK, "no rows");
        CHECK(mpx_quantize(coded, q, values, MPX_F32, 3, 0) == MPX_OK, "no columns");
        CHECK(mpx_quantize(coded, q, values, MPX_I32, 1, 32) == MPX_ERR_DTYPE, "integers");
    }
    q = quant_of(MPX_SCHEME_NVFP4, MPX_F4E2M1FN);
    CHECK(mpx_quant_layout_of(q, 2, 33, &at, &err) == MPX_ERR_SHAPE, "33 columns");
    mpx_error_format(&err, NULL, sentence, sizeof sentence);
    CHECK(strcmp(sentence, "unusable shape; 1 columns in the last block where 16 are needed") == 0, "%s", sentence);
    q = quant_of(MPX_SCHEME_LINEAR, MPX_I8);
    q.scope = MPX_SCOPE_COLUMN; /* 33 scales, of no rows */
    CHECK(mpx_quant_layout_of(q, 0, 33, &at, &err) == MPX_ERR_SHAPE, "no rows");
    mpx_error_format(&err, NULL, sentence, sizeof sentence);
    CHECK(strcmp(sentence, "unusable shape; 0 elements of a scale where 1 are needed") == 0, "%s", sentence);
    q = quant_of(MPX_SCHEME_NVFP4, MPX_F4E2M1FN);
    refuse(q, 1, 15, MPX_ERR_SHAPE);
    refuse(q, huge, huge / 16 * 16, MPX_ERR_SPACE);
    q = quant_of(MPX_SCHEME_MX, MPX_F4E2M1FN);
    q.swizzled = 1; /* rows are padded to 128 */
    CHECK(mpx_quant_layout_of(q, 1, huge / 128 + 1, &at, NULL) == MPX_OK && at.scale_count == huge / 32 + 1,
          "many scales");
    refuse(quant_of(MPX_SCHEME_NVFP4, MPX_I8), 1, 16, MPX_ERR_DTYPE);
    refuse(quant_of(MPX_SCHEME_MX, MPX_F16), 1, 32, MPX_ERR_DTYPE);
    refuse(quant_of(MPX_SCHEME_MX, MPX_F8E8M0FNU), 1, 32, MPX_ERR_DTYPE);
    refuse(quant_of(MPX_SCHEME_NONE, MPX_I8), 1, 32, MPX_ERR_ARGUMENT);
    refuse(quant_of((mpx_scheme)99, MPX_I8), 1, 32, MPX_ERR_ARGUMENT);
    for (i = 0; i < BLOCKS; i++) {
        q = quant_of(blocks[i].scheme, MPX_NONE);
        refuse(q, 1, (size_t)blocks[i].elements - 1, MPX_ERR_SHAPE);
        refuse(q, (size_t)blocks[i].elements, 1, MPX_ERR_SHAPE);
        refuse(q, huge / 4, 256, MPX_ERR_SPACE);
        if (i >= SIMPLE_BLOCKS && q.scheme != MPX_SCHEME_GGML_MXFP4)
            CHECK(mpx_quantize(coded, q, values, MPX_F32, 1, 256) == MPX_ERR_UNSUPPORTED, "scheme %d",
                  (int)q.scheme);
    }
    q = quant_of(MPX_SCHEME_LINEAR, MPX_I4);
    refuse(q, 0, 5, MPX_ERR_SHAPE);
    refuse(q, huge, huge, MPX_ERR_SPACE);
    refuse(q, huge / 2, 3, MPX_ERR_SPACE);
    refuse(q, (huge >> 4) + 1, 1, MPX_ERR_SPACE); /* 2^28, 2^60 */
    CHECK(mpx_quant_layout_of(q, 1, huge >> 4, &at, NULL) == MPX_OK && at.scales == (huge >> 5) + 1, "2^28 - 1 elements");
    q.scope = MPX_SCOPE_ROW;
    refuse(q, 5, 0, MPX_ERR_SHAPE);
    q.scope = MPX_SCOPE_COLUMN;
    refuse(q, 0, 5, MPX_ERR_SHAPE);
    q.scope = MPX_SCOPE_BLOCK;
    refuse(q, 1, 5, MPX_ERR_ARGUMENT);
    q = quant_of(MPX_SCHEME_KERAS, MPX_F8E4M3FN);
    refuse(q, 1, 5, MPX_ERR_DTYPE);
    for (i = 0; i < sizeof no_ranges / sizeof no_ranges[0]; i++) { /* of which codes are no elements */
        q = quant_of(i % 2 != 0 ? MPX_SCHEME_LINEAR : MPX_SCHEME_KERAS, no_ranges[i].element);
        q.zero_point = i > 1 && i != 7 && i != 8;
        q.low = no_ranges[i].low;
        q.high = no_ranges[i].high;
        refuse(q, 1, 4, MPX_ERR_ARGUMENT);
    }
    memset(coded, CANARY, 257);
    for (i = 0; i < MPX_DTYPE_COUNT; i++) /* blocks of GGUF have no element of their own */
        CHECK(mpx_quantize(coded, quant_of(MPX_SCHEME_Q8_0, (mpx_dtype)i), values, MPX_F32, 1, 32) == MPX_OK &&
                  mpx_quantize(coded + 64, quant_of(MPX_SCHEME_Q8_0, MPX_NONE), values, MPX_F32, 1, 32) == MPX_OK &&
                  memcmp(coded, coded + 64, 34) == 0, "q8_0 with element %d", (int)i);
    for (i = 98; i < 257; i++)
        CHECK(coded[i] == CANARY, "q8_0 wrote byte %d", (int)i);
    q = quant_of(MPX_SCHEME_KERAS, MPX_I8);
    CHECK(mpx_quantize(coded, q, values, MPX_F4E2M1FN, 1, 32) == MPX_ERR_DTYPE &&
              mpx_dequantize(values, MPX_F6E2M3FN, coded, q, 1, 32) == MPX_ERR_DTYPE, "floats below a byte");
}
/* Unsigned codes without zero points: negatives saturate, and zeros stay zeros. */
static void test_unsigned(void) {
    const mpx_quant q = quant_of(MPX_SCHEME_KERAS, MPX_U8);
    const float x[4] = { 0, -3, 2, 51 };
    float y[4];
    CHECK(mpx_quantize(coded, q, x, MPX_F32, 1, 4) == MPX_OK && mpx_dequantize(y, MPX_F32, coded, q, 1, 4) == MPX_OK, "status");
    CHECK(coded[0] == 0 && coded[1] == 0 && coded[2] == 10 && coded[3] == 255 && y[0] == 0 && y[1] == 0,
          "%d %d %d %d: %g", coded[0], coded[1], coded[2], coded[3], (double)y[0]);
}

/* What a value of any members gives for a matrix: the status, and the layout. */
static mpx_status want_layout(const mpx_quant *q, size_t rows, size_t cols, mpx_quant_layout *want) {
    const int bits = q->element > MPX_NONE && q->element < MPX_DTYPE_COUNT ? mpx_dtype_bits(q->element) : 0,
              is_float = bits != 0 && ref_is_float(q->element),
              is_int = q->element >= MPX_I2 && q->element <= MPX_U8,
              affine = q->scheme == MPX_SCHEME_KERAS || q->scheme == MPX_SCHEME_LINEAR;
    size_t whole = 1, i, scales = 0, size = 0;
    memset(want, 0, sizeof *want);
    for (i = 0; i < BLOCKS; i++)
        if (blocks[i].scheme == q->scheme) whole = (size_t)blocks[i].elements, size = (size_t)blocks[i].bytes;
    if (size == 0) {
        int is_mx = 0;
        for (i = 0; i < sizeof mx_elements / sizeof mx_elements[0]; i++)
            is_mx |= mx_elements[i] == q->element;
        if (!affine && q->scheme != MPX_SCHEME_MX && q->scheme != MPX_SCHEME_NVFP4) return MPX_ERR_ARGUMENT;
        if (bits == 0 || bits > 8 || q->element == MPX_F8E8M0FNU) return MPX_ERR_DTYPE;
        if (affine && !is_int && !(q->scheme == MPX_SCHEME_LINEAR && is_float && bits == 8)) return MPX_ERR_DTYPE;
        if (affine && ((int)q->scope < 0 || q->scope > MPX_SCOPE_BLOCK_DOWN || q->low > q->high ||
                       (q->block == 0 && q->scope >= MPX_SCOPE_BLOCK) || (is_float && q->zero_point)))
            return MPX_ERR_ARGUMENT;
        if (affine && is_int) {
            const int is_signed = q->element == MPX_I2 || q->element == MPX_I4 || q->element == MPX_I8,
                      most = (is_signed ? 1 << (bits - 1) : 1 << bits) - 1;
            if (q->low < (is_signed ? -most - 1 : 0) || q->high > most) return MPX_ERR_ARGUMENT;
        }
        if (affine && is_float && (q->low != 0 || q->high != 0)) return MPX_ERR_ARGUMENT;
        if (affine && q->low < 0 && q->high <= 0 && !q->zero_point && !q->given) return MPX_ERR_ARGUMENT;
        if (affine && q->low == q->high && q->low != 0 && q->zero_point && !q->given) return MPX_ERR_ARGUMENT;
        if (q->scheme == MPX_SCHEME_NVFP4 && q->element != MPX_F4E2M1FN) return MPX_ERR_DTYPE;
        if (q->scheme == MPX_SCHEME_MX && ((int)q->rule < 0 || q->rule > MPX_SCALE_RCEIL)) return MPX_ERR_ARGUMENT;
        if (q->scheme == MPX_SCHEME_MX && !is_mx) return MPX_ERR_DTYPE;
        if (!affine) whole = q->scheme == MPX_SCHEME_MX ? 32 : 16;
    }
    if (cols % whole != 0) return MPX_ERR_SHAPE;
    want->scales = size != 0 ? rows * cols / whole * size : (rows * cols * (size_t)bits + 7) / 8;
    if (size == 0) want->scales = (want->scales + 15) / 16 * 16;
    if (affine) {
        const size_t down = q->block == 0 ? 0 : (rows + q->block - 1) / q->block,
                     across = q->block == 0 ? 0 : (cols + q->block - 1) / q->block;
        scales = q->scope == MPX_SCOPE_TENSOR ? 1 : q->scope == MPX_SCOPE_ROW ? rows
                 : q->scope == MPX_SCOPE_COLUMN ? cols : q->scope == MPX_SCOPE_BLOCK ? rows * across : down * cols;
        if (rows * cols == 0 && (q->scope == MPX_SCOPE_TENSOR || (q->scope == MPX_SCOPE_ROW && rows != 0) ||
                                 (q->scope == MPX_SCOPE_COLUMN && cols != 0)))
            return MPX_ERR_SHAPE;
    } else if (size == 0) {
        scales = rows * (cols / whole);
        if (q->swizzled) scales = (rows + 127) / 128 * 128 * ((cols / whole + 3) / 4 * 4);
    }
    want->scale_count = scales;
    want->block = !affine ? whole : q->scope == MPX_SCOPE_TENSOR ? rows * cols : q->scope == MPX_SCOPE_ROW ? cols
                  : q->scope == MPX_SCOPE_COLUMN ? rows : q->block;
    want->block_bytes = size;
    want->bytes = want->scales + scales * (affine ? 4 : 1);
    want->zeros = want->tensor_scale = want->bytes;
    if (affine && q->zero_point) {
        want->zeros = (want->bytes + 15) / 16 * 16;
        want->tensor_scale = want->bytes = want->zeros + scales;
    } else if (q->scheme == MPX_SCHEME_NVFP4 && !q->single) {
        want->tensor_scale = (want->bytes + 15) / 16 * 16;
        want->zeros = want->bytes = want->tensor_scale + 4;
    }
    return MPX_OK;
}
/* Its text, if it has one, reads back as the same value; others have none. */
static void check_text_of(const mpx_quant *q) {
    char text[64];
    mpx_quant read;
    memset(&read, 0, sizeof read);
    if (mpx_quant_format(*q, text, sizeof text) == 0) {
        CHECK(text[0] == '\0', "no text, but %s", text);
        return;
    }
    CHECK(mpx_quant_parse(text, &read, NULL) == MPX_OK && read.scheme == q->scheme && read.element == q->element &&
              read.scope == q->scope && read.block == q->block && read.rule == q->rule && read.zero_point == q->zero_point &&
              read.single == q->single && read.swizzled == q->swizzled && !q->given && q->low == 0 && q->high == 0 &&
              q->epsilon == 0, "scheme %d, element %d, scope %d: %s", (int)q->scheme, (int)q->element, (int)q->scope, text);
}
static void test_any_members(void) {
    static const size_t sizes[] = { 0, 1, 3, 16, 32, 96, 129, 256 };
    long i;
    for (i = 0; i < 400000; i++) {
        mpx_quant q = quant_of((mpx_scheme)(random_bits() % (MPX_SCHEME_GGML_NVFP4 + 3)) - 1,
                               (mpx_dtype)(random_bits() % (MPX_DTYPE_COUNT + 2)) - 1);
        const size_t rows = sizes[random_bits() % 8], cols = sizes[random_bits() % 8];
        mpx_quant_layout got, want;
        mpx_status status, wanted;
        q.scope = (mpx_scope)((int)(random_bits() % 7) - 1);
        q.rule = (mpx_scale_rule)((int)(random_bits() % 6) - 1);
        q.block = random_bits() % 4 * 16;
        q.zero_point = random_bits() % 2;
        q.single = random_bits() % 2;
        q.swizzled = random_bits() % 2;
        q.low = -(int32_t)(random_bits() % 4);
        q.high = random_bits() % 8 == 0 ? -2 : random_bits() % 2 ? 3 : 0;
        q.given = random_bits() % 8 == 0;
        q.epsilon = random_bits() % 8 == 0 ? 0.5f : random_bits() % 2 ? 0.0f : -0.0f;
        if (random_bits() % 2) q.low = q.high = 0;
        if (random_bits() % 2) q.block = 0;
        check_text_of(&q);
        status = mpx_quant_layout_of(q, rows, cols, &got, NULL);
        wanted = want_layout(&q, rows, cols, &want);
        CHECK(status == wanted, "scheme %d, element %d, scope %d, block %d: %d x %d gives %d, not %d", (int)q.scheme,
              (int)q.element, (int)q.scope, (int)q.block, (int)rows, (int)cols, (int)status, (int)wanted);
        if (status != MPX_OK || wanted != MPX_OK) continue;
        CHECK(got.bytes == want.bytes && got.codes == 0 && got.scales == want.scales && got.zeros == want.zeros &&
                  got.tensor_scale == want.tensor_scale && got.scale_count == want.scale_count &&
                  got.block == want.block && got.block_bytes == want.block_bytes,
              "scheme %d, element %d, scope %d, block %d, swizzled %d, %d x %d: %d bytes, not %d, block %d, not %d",
              (int)q.scheme, (int)q.element, (int)q.scope, (int)q.block, q.swizzled, (int)rows, (int)cols, (int)got.bytes,
              (int)want.bytes, (int)got.block, (int)want.block);
    }
}

/* One scale and one zero point, given: every code comes back; zero is the zero point; inside the range values are
   within half a step, a rounding of the value in f32 beside it; a larger number has no smaller code. */
static void check_one_scale(mpx_quant q, float scale, int zero) {
    const int bits = ref_formats[q.element].bits, low = ref_formats[q.element].rule == REF_INT ? -(1 << (bits - 1)) : 0;
    const size_t codes = (size_t)1 << bits, n = 4000;
    const double least = ((double)low - zero) * (double)scale, step = (double)scale;
    size_t i;
    int before = low;
    if (!start(q, 1, codes)) return;
    memcpy(out + at.scales, &scale, 4);
    out[at.zeros] = (unsigned char)zero;
    memset(out + at.codes, 0, (codes * (size_t)bits + 7) / 8);
    for (i = 0; i < codes; i++)
        ref_store_packed(bits, out + at.codes, i, i);
    dequantize(q, 1, codes);
    run(q, back, MPX_F32, 1, codes);
    CHECK(same(f32_at(at.scales, 0), scale), "a scale that was given has changed");
    for (i = 0; i < codes; i++)
        CHECK(code_at(q.element, i) == i, "%s, step %g, zero %d: code %d comes back as %d", ref_formats[q.element].name,
              step, zero, (int)i, (int)code_at(q.element, i));
    if (!start(q, 1, n)) return;
    memcpy(out + at.scales, &scale, 4);
    out[at.zeros] = (unsigned char)zero;
    for (i = 0; i < n; i++)
        values[i] = f32(least + (double)(codes - 1) * step * (double)i / (double)(n - 1));
    values[n - 1] = 0;
    run(q, values, MPX_F32, 1, n);
    dequantize(q, 1, n);
    CHECK(int_at(q.element, n - 1) == zero && back[n - 1] == 0, "zero is %d", int_at(q.element, n - 1));
    for (i = 0; i < n - 1; i++) {
        CHECK(fabs((double)back[i] - (double)values[i]) <= 0.50001 * step, "%s, step %g: %g becomes %g",
              ref_formats[q.element].name, step, (double)values[i], (double)back[i]);
        CHECK(int_at(q.element, i) >= before, "%s, step %g: not monotone at %g", ref_formats[q.element].name, step,
              (double)values[i]);
        before = int_at(q.element, i);
    }
}
static void test_one_scale(void) {
    static const mpx_dtype elements[] = { MPX_I8, MPX_U8, MPX_I4, MPX_U4, MPX_I2, MPX_U2 };
    static const float scales[] = { 1.0f, 0.125f, 0.1f, 3.7e-5f, 1234.5f };
    size_t e, s;
    int z;
    for (e = 0; e < sizeof elements / sizeof elements[0]; e++)
        for (s = 0; s < sizeof scales / sizeof scales[0]; s++)
            for (z = 0; z < 3; z++) {
                mpx_quant q = quant_of(MPX_SCHEME_LINEAR, elements[e]);
                q.given = q.zero_point = 1;
                q.swizzled = z == 2; /* which means nothing here */
                check_one_scale(q, scales[s], z == 0 || ref_formats[q.element].bits > 2 ? z * 3 : 1);
            }
}

/* Codes over a scale: the quotient, rounded once, for scales of any mantissa, in the range where no division is needed
   and beyond it. */
static void test_quotients(void) {
    const mpx_quant q = quant_of(MPX_SCHEME_KERAS, MPX_I8);
    const int count = quick ? 1 << 12 : 1 << 18;
    size_t i;
    int k;
    if (!start(q, 1, 256)) return;
    for (i = 0; i < 256; i++)
        out[at.codes + i] = (unsigned char)i;
    for (k = 0; k < count; k++) {
        const uint32_t mantissa = k < 64 ? (k & 1 ? 0x7fffffu - (uint32_t)k : (uint32_t)k) : random_bits() & 0x7fffffu;
        const float scale = float_of((random_bits() & 0x80000000u) | (27 + random_bits() % 200) << 23 | mantissa);
        int bad = 0;
        memcpy(out + at.scales, &scale, 4);
        CHECK(mpx_dequantize(back, MPX_F32, out, q, 1, 256) == MPX_OK, "codes over %a: refused", (double)scale);
        for (i = 0; i < 256; i++)
            bad += !same(back[i], (float)over((double)i - (i < 128 ? 0 : 256), (double)scale));
        CHECK(bad == 0, "codes over %a: %d wrong", (double)scale, bad);
    }
}

/* Long rows: what goes to f32 in several tiles at a time equals what goes to f64 tile by tile. */
static void test_long_rows(void) {
    static const char *const row_formats[] = { "int8", "int8/row", "int8/channel", "int4", "int4/128", "uint8/128",
                                               "uint4/32", "int2/48", "float8", "f8e5m2/128", "mxfp8_e4m3", "mxfp6_e2m3",
                                               "mxfp4", "mxint8", "nvfp4", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1",
                                               "ggml_mxfp4", "q4_k", "q5_k", "q6_k", "ggml_nvfp4" };
    static const size_t columns[] = { 992, 1024, 1040, 1344, 2016, 2048, 2080, 2592, 3000, 3072 };
    static double wide[2 * 3072];
    size_t f, c, i;
    for (f = 0; f < sizeof row_formats / sizeof row_formats[0]; f++)
        for (c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            const size_t cols = columns[c], n = 2 * cols;
            mpx_quant q;
            int bad = 0;
            CHECK(mpx_quant_parse(row_formats[f], &q, NULL) == MPX_OK, "%s", row_formats[f]);
            if (mpx_quant_bytes(q, 2, cols) == 0) {
                const size_t block = q.scheme >= MPX_SCHEME_Q4_K && q.scheme <= MPX_SCHEME_Q6_K ? 256
                                     : q.scheme == MPX_SCHEME_GGML_NVFP4 ? 64 : 32;
                CHECK(cols % block != 0, "%s does not take %d columns", row_formats[f], (int)cols);
                continue;
            }
            if (!start(q, 2, cols)) continue;
            for (i = 0; i < n; i++)
                values[i] = (float)((int)(random_bits() % 2001) - 1000) / 300;
            if ((q.scheme >= MPX_SCHEME_Q4_K && q.scheme <= MPX_SCHEME_Q6_K) || q.scheme == MPX_SCHEME_GGML_NVFP4)
                for (i = 0; i < at.bytes; i++) /* only read; scales are finite */
                    out[i] = (unsigned char)(random_bits() & 0x77);
            else
                run(q, values, MPX_F32, 2, cols);
            dequantize(q, 2, cols);
            CHECK(mpx_dequantize(wide, MPX_F64, out, q, 2, cols) == MPX_OK, "%s: to f64", row_formats[f]);
            for (i = 0; i < n; i++)
                bad += back[i] != (float)wide[i];
            CHECK(bad == 0, "%s, %d columns: %d of f32 and f64 differ", row_formats[f], (int)cols, bad);
        }
}

/* A matrix of 3 MiB, which is fetched ahead, and its rows one by one: the same floats come back. */
static void test_large(void) {
    static const char *const texts[] = { "int8/row", "uint4/128", "mxfp8_e4m3", "q8_0", "q4_1" };
    const size_t rows = 12, cols = 0x10000;
    float *floats = (float *)malloc(rows * cols * 4), *all = (float *)malloc(rows * cols * 4);
    size_t i, k, r;
    for (i = 0; i < rows * cols && floats != NULL; i++)
        floats[i] = (float)(int)(i * 2654435761u % 2001u) - 1000.0f;
    for (k = 0; k < sizeof texts / sizeof texts[0] && floats != NULL && all != NULL; k++) {
        mpx_quant q;
        unsigned char *codes;
        int bad = 0;
        CHECK(mpx_quant_parse(texts[k], &q, NULL) == MPX_OK, "%s", texts[k]);
        codes = (unsigned char *)malloc(mpx_quant_bytes(q, rows, cols));
        if (codes == NULL) break;
        CHECK(mpx_quantize(codes, q, floats, MPX_F32, rows, cols) == MPX_OK &&
                  mpx_dequantize(all, MPX_F32, codes, q, rows, cols) == MPX_OK, "%s: large", texts[k]);
        for (r = 0; r < rows; r++) {
            float *row = floats + r * cols;
            CHECK(mpx_quantize(codes, q, row, MPX_F32, 1, cols) == MPX_OK &&
                      mpx_dequantize(row, MPX_F32, codes, q, 1, cols) == MPX_OK, "%s: a row", texts[k]);
            bad += memcmp(row, all + r * cols, cols * 4) != 0;
        }
        CHECK(bad == 0, "%s: %d rows differ", texts[k], bad);
        free(codes);
    }
    free(all);
    free(floats);
}

/* A code that is NaN gives the same bits, whatever the scale of another group is. */
static void test_nan_of_one_group(void) {
    static const char *const texts[] = { "float8/32", "f8e5m2/128", "mxfp8_e4m3", "mxfp8_e5m2" };
    size_t k, i;
    for (k = 0; k < 4; k++) {
        const size_t cols = 1024, at_nan = 700;
        const float bad = ref_float(0x7fc00000);
        uint32_t before;
        mpx_quant q;
        CHECK(mpx_quant_parse(texts[k], &q, NULL) == MPX_OK, "%s", texts[k]);
        for (i = 0; i < cols; i++)
            values[i] = (float)((int)(i % 17) - 8);
        if (!quantize(q, values, MPX_F32, 1, cols)) continue;
        out[at.codes + at_nan] = 0xff;
        dequantize(q, 1, cols);
        before = bits_of(back[at_nan]);
        CHECK(back[at_nan] != back[at_nan], "%s: a code of NaN gives %a", texts[k], (double)back[at_nan]);
        if (at.scale_type == MPX_F32)
            memcpy(out + at.scales, &bad, 4);
        else
            out[at.scales] = 255;
        dequantize(q, 1, cols);
        CHECK(bits_of(back[at_nan]) == before, "%s: NaN is %08x, and %08x beside a scale of NaN", texts[k],
              (unsigned)before, (unsigned)bits_of(back[at_nan]));
        for (i = 0; i < 32; i++)
            CHECK(bits_of(back[i]) == 0x7fc00000, "%s: value %d under a scale of NaN is %08x", texts[k], (int)i,
                  (unsigned)bits_of(back[i]));
    }
}
/* An epsilon of -0 is one of 0: 1e-7, which is not small beside these values. */
static void test_minus_zero_epsilon(void) {
    static unsigned char by_zero[ROOM];
    mpx_quant q;
    size_t i;
    CHECK(mpx_quant_parse("int8/row", &q, NULL) == MPX_OK, "int8/row");
    for (i = 0; i < 64; i++)
        values[i] = (float)((int)i - 30) * 1e-8f;
    if (!quantize(q, values, MPX_F32, 1, 64)) return;
    memcpy(by_zero, out, at.bytes);
    q.epsilon = -0.0f;
    if (quantize(q, values, MPX_F32, 1, 64)) CHECK(memcmp(by_zero, out, at.bytes) == 0, "an epsilon of -0");
    q.epsilon = -1;
    if (quantize(q, values, MPX_F32, 1, 64)) CHECK(memcmp(by_zero, out, at.bytes) != 0, "no epsilon");
}
/* A subnormal epsilon is none of 0 in any floating-point mode: as a float, clang -O3 would compare it. */
static void check_subnormal_epsilon(const char *text) {
    char found[64];
    size_t bytes, i;
    mpx_quant q;
    int m;
    CHECK(mpx_quant_parse(text, &q, NULL) == MPX_OK, "%s", text);
    q.epsilon = ref_float(1);
    for (i = 0; i < 64; i++)
        values[i] = (float)((int)i - 30) * 1e-9f;
    bytes = mpx_quant_bytes(q, 1, 64);
    CHECK(mpx_quantize(first, q, values, MPX_F32, 1, 64) == MPX_OK, "%s: refused", text);
    for (m = 0; m < FPMODES; m++) {
        size_t length;
        memset(second, CANARY, bytes);
        if (!fpmode_enter(&fpmodes[m])) continue;
        mpx_quantize(second, q, values, MPX_F32, 1, 64);
        length = mpx_quant_format(q, found, sizeof found);
        fpmode_leave();
        CHECK(memcmp(first, second, bytes) == 0, "%s, a subnormal epsilon: other bytes %s", text, fpmodes[m].name);
        CHECK(length == 0, "%s, a subnormal epsilon: %s has no such text %s", text, found, fpmodes[m].name);
    }
}
/* f16 as in Keras: where high / the largest magnitude is Inf, all becomes zero. LINEAR keeps such numbers. */
static void test_small_f16(void) {
    static const struct { const char *text; unsigned last; } small[] = {
        { "int8/row", 0x17f0 }, { "int4/row", 0x6fe }, { "int8/row/linear", 0 }, { "int4/row/linear", 0 },
    };
    size_t k;
    unsigned code;
    for (k = 0; k < sizeof small / sizeof small[0]; k++)
        for (code = 0x600; code < 0x1900; code++) {
            const uint16_t x[2] = { (uint16_t)(code | 0x8000u), 1 };
            mpx_quant q;
            CHECK(mpx_quant_parse(small[k].text, &q, NULL) == MPX_OK, "%s", small[k].text);
            if (!quantize(q, x, MPX_F16, 1, 2)) continue;
            dequantize(q, 1, 2);
            CHECK((back[0] == 0) == (code <= small[k].last) && (back[0] != 0 || back[1] == 0), "%s: f16 0x%x gives %g, %g",
                  small[k].text, code, (double)back[0], (double)back[1]);
        }
}
static void test_subnormal_epsilon(void) {
    check_subnormal_epsilon("int8/row");
    check_subnormal_epsilon("int8/row/zero");
}

int main(int argc, char **argv) {
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    test_golden();
    test_mx();
    test_nvfp4();
    test_gguf();
    test_affine();
    test_modes();
    test_nans();
    test_ggml_mxfp4();
    test_texts();
    test_given_tensor_scale();
    test_one_scale();
    test_quotients();
    test_long_rows();
    test_large();
    test_far_zero();
    test_equal_numbers();
    test_refusals();
    test_unsigned();
    test_any_members();
    test_nan_of_one_group();
    test_minus_zero_epsilon();
    test_subnormal_epsilon();
    test_small_f16();
    return test_done("test_quant");
}
