/* The module that mpx.mjs loads: arrays and texts lie behind __heap_base, where the script puts them. Functions that
   can fail return a status; after one that calls `end`, message() is the sentence, error_offset() the place in a text.
*/
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#include "mpx.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum { MAP_ENTRIES = 1024 };
static mpx_map_entry entries[MAP_ENTRIES];
static mpx_error err;
static int in_text;
static char sentence[MPX_ERROR_TEXT_SIZE];

static mpx_status end(mpx_status status, const char *text) {
    err.status = status;
    in_text = text != NULL;
    (void)mpx_error_format(&err, text, sentence, sizeof sentence);
    return status;
}

EXPORT(version) int version(void) { return mpx_version(); }
EXPORT(isa) const char *isa(void) { return mpx_isa(); }
EXPORT(status_string) const char *status_string(mpx_status status) { return mpx_status_string(status); }
EXPORT(message) const char *message(void) { return sentence; }
EXPORT(error_in_text) int error_in_text(void) { return in_text; }
EXPORT(error_offset) size_t error_offset(void) { return err.offset; }
EXPORT(error_length) size_t error_length(void) { return err.length; }

EXPORT(dtype) mpx_status dtype(mpx_dtype *out, const char *name, size_t length) {
    const mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_F16 };
    return end(mpx_dtype_parse_n(name, length, opt, out, &err), name);
}
EXPORT(dtype_name) const char *dtype_name(mpx_dtype type) { return mpx_dtype_name(type); }
EXPORT(dtype_short_name) const char *dtype_short_name(mpx_dtype type) { return mpx_dtype_short_name(type); }
/* Thirteen numbers: kind to smallest_subnormal of mpx_dtype_facts; of integers, max and min are theirs. */
EXPORT(dtype_info) void dtype_info(double *out, mpx_dtype type) {
    const mpx_dtype_facts f = mpx_dtype_info(type);
    const int is_integer = f.kind == MPX_KIND_INT || f.kind == MPX_KIND_UINT || f.kind == MPX_KIND_BOOL;
    const double numbers[13] = { (int)f.kind, f.bits, f.exponent_bits, f.mantissa_bits, f.bias, f.has_inf, f.has_nan,
        f.has_negative_zero, is_integer ? (double)f.int_max : f.max, is_integer ? (double)f.int_min : f.min, f.epsilon,
        f.smallest_normal, f.smallest_subnormal };
    for (int i = 0; i < 13; i++) out[i] = numbers[i];
}

EXPORT(cast) mpx_status cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n, mpx_rounding rounding,
                             int saturate, uint32_t seed) {
    mpx_cast_options opt = { 0 };
    opt.rounding = rounding;
    opt.saturate = saturate;
    opt.random_seed = seed;
    return mpx_cast_with(dst, to, src, from, n, &opt);
}

static void roles_of(mpx_dtype roles[3], mpx_policy p) {
    roles[0] = p.param;
    roles[1] = p.compute;
    roles[2] = p.output;
}
/* The dtypes of the roles, then the policy as it is printed. */
EXPORT(policy) mpx_status policy(mpx_dtype roles[3], char *printed, const char *text, size_t length) {
    const mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_F16 };
    mpx_policy p;
    const mpx_status status = end(mpx_policy_parse_n(text, length, opt, &p, &err), text);
    if (status != MPX_OK) return status;
    roles_of(roles, p);
    (void)mpx_policy_format(p, printed, MPX_POLICY_TEXT_SIZE);
    return status;
}
/* The policy that a map has for a path, which ends with NUL; then the quantization as it is printed, or "". */
EXPORT(policy_for) mpx_status policy_for(mpx_dtype roles[3], char *printed, const char *path, const char *text,
                                         size_t length) {
    const mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_F16 };
    mpx_policy_map map = mpx_policy_map_of(entries, MAP_ENTRIES, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
    mpx_policy p;
    size_t index = 0;
    mpx_status status = end(mpx_policy_map_parse_n(&map, text, length, opt, &err), text);
    if (status != MPX_OK) return status;
    status = mpx_policy_map_get(&map, path, &p);
    if (status == MPX_OK) status = mpx_policy_map_find(&map, path, &index);
    if (status == MPX_OK) {
        const mpx_quant q = index == MPX_MAP_DEFAULT ? map.fallback_quant : map.entries[index].quant;
        roles_of(roles, p);
        printed[0] = '\0';
        if (q.scheme != MPX_SCHEME_NONE) (void)mpx_quant_format(q, printed, MPX_POLICY_TEXT_SIZE);
    } else {
        err = (mpx_error){ 0 };
        (void)end(status, NULL);
    }
    return status;
}

EXPORT(quant) mpx_status quant(mpx_quant *out, const char *text, size_t length) {
    return end(mpx_quant_parse_n(text, length, out, &err), text);
}
EXPORT(quant_size) size_t quant_size(void) { return sizeof(mpx_quant); }
EXPORT(quant_bytes) mpx_status quant_bytes(size_t *out, const mpx_quant *q, size_t rows, size_t cols) {
    mpx_quant_layout layout;
    const mpx_status status = end(mpx_quant_layout_of(*q, rows, cols, &layout, &err), NULL);
    if (status == MPX_OK) *out = layout.bytes;
    return status;
}
EXPORT(quantize) mpx_status quantize(void *dst, const mpx_quant *q, const float *src, size_t rows, size_t cols) {
    return mpx_quantize(dst, *q, src, MPX_F32, rows, cols);
}
EXPORT(dequantize) mpx_status dequantize(float *dst, const void *src, const mpx_quant *q, size_t rows, size_t cols) {
    return mpx_dequantize(dst, MPX_F32, src, *q, rows, cols);
}
