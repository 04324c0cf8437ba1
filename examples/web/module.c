/* mpx.h for JavaScript: numbers and pointers in, numbers and pointers out. The modules import nothing.

   Memory      room() is where a caller puts its arrays and texts; every pointer below is into it. A text that goes in
               has its length beside it; one that comes out ends with a zero byte
   Statuses    0, or negative: then error_text, error_offset and error_length say what was wrong and where
   Numbers     dtypes and dialects are those of mpx_dtype and mpx_dialect; dtype("f16", 3) is the dtype of a name
   State       the last error, the last rules, the last quantization that were read

   `make web` makes it three times: as it is, and with -DWEB_CASTS, which leaves only what times casts, with -msimd128
   and without. Results are the same. */
#ifndef WEB_CASTS
#define WEB_CASTS 0
#endif
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#if WEB_CASTS
#define MPX_DTYPES 0xfffe /* the floats */
#define MPX_NO_CAST_WITH 1
#define MPX_NO_POLICY 1
#define MPX_NO_INTEROP 1
#endif
#define MPX_NO_VERTEX 1
#define MPX_NO_REDUCE 1
#define MPX_NO_TREE 1
#define MPX_NO_DEFAULT_POLICY 1
#define MPX_NO_LOSS_SCALE 1
#define MPX_NO_PROMOTE 1
#define MPX_NO_AMP 1
#define MPX_NO_PARALLEL 1
#include "mpx.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(name)))
#else
#define EXPORT(name)
#endif

static unsigned char room[WEB_CASTS ? 16u << 20 : 2u << 20];
EXPORT("room") unsigned char *web_room(void) { return room; }
EXPORT("room_size") size_t web_room_size(void) { return sizeof room; }
EXPORT("isa") const char *web_isa(void) { return mpx_isa(); }

/* n elements of src, of dtype `from`, to dst: rounded to nearest even. */
EXPORT("cast")
mpx_status web_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n) {
    return mpx_cast(dst, to, src, from, n);
}

#if !WEB_CASTS
static mpx_error error;
static mpx_status fail(const mpx_error *err) {
    error = *err;
    return err->status;
}
/* The sentence for the last status that was not 0; text is what was read, or NULL. */
EXPORT("error_text")
void web_error_text(const char *text, char *out, size_t size) { (void)mpx_error_format(&error, text, out, size); }
EXPORT("error_offset") size_t web_error_offset(void) { return error.offset; }
EXPORT("error_length") size_t web_error_length(void) { return error.length; }

/* ---- dtypes and casts -------------------------------------------------------------------------------------------- */

EXPORT("dtype_name") const char *web_dtype_name(mpx_dtype type) { return mpx_dtype_name(type); }
EXPORT("dtype_short_name") const char *web_dtype_short_name(mpx_dtype type) { return mpx_dtype_short_name(type); }

/* The dtype of a name, or a negative status. */
EXPORT("dtype")
int web_dtype(const char *name, size_t len) {
    const mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type = MPX_NONE;
    return mpx_dtype_parse_n(name, len, any, &type, &error) == MPX_OK ? (int)type : (int)error.status;
}

/* Kind (1: a float), bits, bits of the exponent and of the mantissa, bias; whether it has Inf, NaN, -0; largest and
   most negative value, epsilon, smallest normal, smallest subnormal. All are 0 for numbers that are no dtype. */
EXPORT("dtype_facts")
void web_dtype_facts(double out[13], mpx_dtype type) {
    const mpx_dtype_facts f = mpx_dtype_info(type);
    const double all[13] = { f.kind, f.bits, f.exponent_bits, f.mantissa_bits, f.bias, f.has_inf, f.has_nan,
                             f.has_negative_zero, f.max, f.min, f.epsilon, f.smallest_normal, f.smallest_subnormal };
    size_t i;
    for (i = 0; i < 13; i++) out[i] = all[i];
}

/* As cast; rounding: 0 to nearest even, 1 toward zero, 2 stochastic, by seed. */
EXPORT("cast_with")
mpx_status web_cast_with(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n, mpx_rounding rounding,
                         int saturate, uint32_t seed) {
    mpx_cast_options opt = { MPX_ROUND_NEAREST, 0, MPX_LAYOUT_PACKED, MPX_LAYOUT_PACKED, 0, 0, 0, NULL,
                             MPX_INT_TRUNCATE };
    opt.rounding = rounding;
    opt.saturate = saturate;
    opt.random_seed = seed;
    return mpx_cast_with(dst, to, src, from, n, &opt);
}

static double value_of(uint64_t code, mpx_dtype type) {
    double x = 0;
    (void)mpx_cast(&x, MPX_F64, &code, type, 1);
    return x;
}
/* Change *code, 8 bytes, to the next value of a float dtype above or below; 0: there is none. */
EXPORT("step")
int web_step(uint64_t *code, mpx_dtype type, int up) {
    const mpx_dtype_facts f = mpx_dtype_info(type);
    const uint64_t all = (uint64_t)-1 >> (64 - f.bits), sign = f.min < 0 ? (all >> 1) + 1 : 0, size = *code & ~sign;
    const double x = value_of(*code, type);
    uint64_t next;
    double y;
    if (sign == 0)
        next = (up ? *code + 1 : *code - 1) & all;
    else if (size == 0)
        next = up ? 1 : sign | 1;
    else if (((*code & sign) == 0) == (up != 0))
        next = *code + 1;
    else
        next = size == 1 ? 0 : *code - 1;
    y = value_of(next, type);
    if (up ? !(y > x) : !(y < x)) return 0;
    *code = next;
    return 1;
}

/* ---- policies, quantizations, maps ------------------------------------------------------------------------------- */

static char rules_text[8192]; /* keys of the map point into it */
static mpx_map_entry rules_entries[256];
static mpx_policy_map rules;

/* Read rules: 1, a policy or a quantization for everything; 2, a map; a negative status, and then there are none. What
   has several lines was meant as a map; of other errors the one that lies further back says more, or that of the map
   if the text ends with its line. */
EXPORT("rules")
int web_rules(const char *text, size_t len, mpx_dialect dialect) {
    const mpx_policy unset = MPX_POLICY(MPX_NONE, MPX_NONE, MPX_NONE);
    const mpx_parse_options opt = { dialect, MPX_NONE };
    const mpx_error none = { MPX_ERR_SPACE, MPX_SUBJECT_TEXT, 0, 0, SIZE_MAX, SIZE_MAX, MPX_NONE, MPX_NONE, "bytes",
                             sizeof rules_text, len, "" };
    mpx_error one = none, two = none, three = none;
    mpx_status status;
    size_t i;
    int is_lines = 0, is_line = 0;
    rules = mpx_policy_map_of(rules_entries, sizeof rules_entries / sizeof rules_entries[0], unset);
    if (len > sizeof rules_text) return fail(&none);
    for (i = 0; i < len; i++) {
        rules_text[i] = text[i];
        if (is_line && text[i] != '\n' && text[i] != '\r' && text[i] != ' ' && text[i] != '\t') is_lines = 1;
        if (text[i] == '\n') is_line = 1;
    }
    status = mpx_policy_parse_n(rules_text, len, opt, &rules.fallback, &one);
    if (status == MPX_OK && mpx_dtype_info(rules.fallback.param).kind <= MPX_KIND_FLOAT) return 1;
    if (mpx_quant_parse_n(rules_text, len, &rules.fallback_quant, &two) == MPX_OK) {
        rules.fallback = unset;
        return 1;
    }
    if (status == MPX_OK) return 1;
    if (mpx_policy_map_parse_n(&rules, rules_text, len, opt, &three) == MPX_OK) return 2;
    if (two.offset > one.offset) one = two;
    if (is_lines || three.offset > one.offset || (is_line && three.offset == one.offset)) one = three;
    return fail(&one);
}

/* Rules 0 to rule_count() - 1 are the lines of a map; rule_count() is its default, or what is for everything. */
EXPORT("rule_count") size_t web_rule_count(void) { return rules.count; }
static mpx_policy policy_of(size_t i) { return i < rules.count ? rules_entries[i].policy : rules.fallback; }
static mpx_quant quant_of(size_t i) { return i < rules.count ? rules_entries[i].quant : rules.fallback_quant; }

/* Where the key is in the text, and its length; the dtypes of parameters, compute, outputs; mpx_quantization, weight
   bits, group size; 1 if casts saturate; 1 if it is a format of mpx_quantize and no policy. */
EXPORT("rule")
void web_rule(int32_t out[10], size_t i) {
    const int is_line = i < rules.count;
    const mpx_policy p = policy_of(i);
    const int32_t all[10] = { is_line ? (int32_t)(rules_entries[i].key - rules_text) : 0,
                              is_line ? (int32_t)rules_entries[i].length : 0, p.param, p.compute, p.output,
                              p.quantization, p.weight_bits, p.group_size,
                              is_line ? rules_entries[i].saturate : rules.saturate,
                              quant_of(i).scheme != MPX_SCHEME_NONE };
    size_t k;
    for (k = 0; k < 10; k++) out[k] = all[k];
}
/* As it is printed: by this header (dialect 0), or by another system, "" where that has no words for it. */
EXPORT("rule_text")
void web_rule_text(size_t i, mpx_dialect dialect, char *out, size_t size) {
    const mpx_quant q = quant_of(i);
    if (q.scheme != MPX_SCHEME_NONE && dialect == MPX_DIALECT_ANY)
        (void)mpx_quant_format(q, out, size);
    else if (q.scheme != MPX_SCHEME_NONE)
        out[0] = 0;
    else if (dialect == MPX_DIALECT_ANY)
        (void)mpx_policy_format(policy_of(i), out, size);
    else
        (void)mpx_policy_format_with(policy_of(i), dialect, out, size);
}
/* Bytes of a float32 matrix whose parameters a rule casts or quantizes; 0: its shape is not for that format, or it
   is quantized and has 2^28 weights or more, which is more than mpx_quant_bytes takes in 32 bits. */
EXPORT("rule_bytes")
double web_rule_bytes(size_t i, size_t rows, size_t cols) {
    const mpx_policy p = policy_of(i);
    const uint64_t bits = (uint64_t)mpx_dtype_bits(p.param == MPX_NONE ? MPX_F32 : p.param);
    mpx_quant q = quant_of(i);
    if (q.scheme == MPX_SCHEME_NONE) q = mpx_quant_of_policy(p);
    if (q.scheme != MPX_SCHEME_NONE) return (double)mpx_quant_bytes(q, rows, cols);
    return (double)((bits * rows * cols + 7) / 8);
}
/* Which rule decides a path, which ends with a zero byte; MPX_ERR_AMBIGUOUS (-23), and out says which two do. */
EXPORT("resolve")
int web_resolve(const char *path, char *out, size_t size) {
    size_t i = 0;
    const mpx_status status = mpx_policy_map_find(&rules, path, &i);
    (void)mpx_policy_map_explain(&rules, path, out, size);
    return status != MPX_OK ? (int)status : i == MPX_MAP_DEFAULT ? (int)rules.count : (int)i;
}

/* ---- quantization ------------------------------------------------------------------------------------------------ */

static mpx_quant quant;

/* Read how the functions below quantize; its text again, as it is printed. */
EXPORT("quant")
mpx_status web_quant(const char *name, size_t len) { return mpx_quant_parse_n(name, len, &quant, &error); }
EXPORT("quant_text") void web_quant_text(char *out, size_t size) { (void)mpx_quant_format(quant, out, size); }

/* Bytes of a quantized matrix; 0: not of this shape, and error_text says why. */
EXPORT("quant_bytes")
size_t web_quant_bytes(size_t rows, size_t cols) {
    mpx_quant_layout at;
    return mpx_quant_layout_of(quant, rows, cols, &at, &error) == MPX_OK ? at.bytes : 0;
}
/* rows x cols floats to quant_bytes(rows, cols) bytes, and back. */
EXPORT("quantize")
mpx_status web_quantize(void *dst, const float *src, size_t rows, size_t cols) {
    return mpx_quantize(dst, quant, src, MPX_F32, rows, cols);
}
EXPORT("dequantize")
mpx_status web_dequantize(float *dst, const void *src, size_t rows, size_t cols) {
    return mpx_dequantize(dst, MPX_F32, src, quant, rows, cols);
}
/* How far n floats are from what they were: SQNR in dB (999: equal), root of the mean squared error, largest error. */
EXPORT("errors")
void web_errors(double out[3], const float *now, const float *before, size_t n) {
    mpx_cast_stats stats = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    size_t i;
    for (i = 0; i < n; i++) {
        const double x = (double)before[i], off = (double)now[i] - x, size = off < 0 ? -off : off;
        stats.sum_squares += x * x;
        stats.sum_error_squares += off * off;
        if (size > stats.max_error) stats.max_error = size;
    }
    stats.count = n;
    out[0] = mpx_cast_stats_sqnr(&stats);
    out[1] = mpx_cast_stats_rms_error(&stats);
    out[2] = stats.max_error;
}
#endif
