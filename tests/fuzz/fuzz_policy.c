/* Policies from raw bytes, in every dialect: a value, or an error with its place in the text and
   nothing written; a value prints as text that reads back as the same value; the text as a mode
   quantizes a policy, or not; sentences fit any buffer. Input: dialect, half, size of the buffer, then the text. */
#include "fuzz.h"

static void check_error_format(const mpx_error *err, const char *text, size_t size) {
    char *buf = (char *)fuzz_room(size);
    size_t length = mpx_error_format(err, text, size != 0 ? buf : NULL, size);
    CLAIM(length != 0);
    if (size != 0) CLAIM(strlen(buf) == (length < size ? length : size - 1));
    free(buf);
}

/* Print in a dialect, in a buffer of just that size and in a small one, and read again. */
static void check_format(mpx_policy p, mpx_dialect dialect, size_t small_size) {
    mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_NONE };
    size_t length = mpx_policy_format_with(p, dialect, NULL, 0);
    char *buf = (char *)fuzz_room(length + 1), *small = (char *)fuzz_room(small_size);
    mpx_policy again;
    memset(&again, 0x5a, sizeof again);
    opt.dialect = dialect;
    CLAIM(mpx_policy_format_with(p, dialect, buf, length + 1) == length);
    CLAIM(strlen(buf) == length);
    CLAIM(mpx_policy_format_with(p, dialect, small, small_size) == length);
    if (length != 0 && small_size != 0)
        CLAIM(memchr(small, 0, small_size) != NULL && strncmp(small, buf, small_size - 1) == 0);
    if (length != 0) {
        CLAIM(mpx_policy_parse_n(buf, length, opt, &again, NULL) == MPX_OK);
        CLAIM(mpx_policy_equal(p, again));
    }
    if (dialect == MPX_DIALECT_ANY) CLAIM(length != 0);
    free(small);
    free(buf);
}

/* The text as a mode: a policy that prints and reads back, or an error and nothing written. */
static void check_mode(const char *text, size_t len, mpx_parse_options opt) {
    mpx_policy source, p, untouched;
    mpx_error err;
    mpx_status status;
    memset(&source, 0, sizeof source);
    memset(&untouched, 0x5a, sizeof untouched);
    source.compute = len % 2 != 0 ? MPX_F16 : MPX_BF16;
    p = untouched;
    status = mpx_policy_quantize_n(source, text, len, opt, &p, &err);
    CLAIM(err.status == status && err.offset <= len && err.length <= len - err.offset);
    if (status != MPX_OK)
        CLAIM(mpx_policy_equal(p, untouched));
    else
        check_format(p, MPX_DIALECT_ANY, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    mpx_parse_options opt;
    mpx_policy p, untouched;
    mpx_error err;
    mpx_status status;
    mpx_dialect dialect;
    size_t small_size, len;
    char *text;
    memset(&untouched, 0x5a, sizeof untouched);
    p = untouched;
    opt.dialect = (int)fuzz_below(&in, MPX_DIALECT_KERAS_CLASS + 1);
    opt.half = (int)fuzz_below(&in, MPX_DTYPE_COUNT);
    small_size = fuzz_byte(&in);
    len = in.left;
    text = (char *)fuzz_room(len);
    if (len != 0) memcpy(text, in.at, len);
    memset(&err, 0x5a, sizeof err);
    status = mpx_policy_parse_n(text, len, opt, &p, &err);
    CLAIM(err.status == status);
    if (status == MPX_OK) {
        CLAIM(p.param >= 0 && p.param < MPX_DTYPE_COUNT && p.compute >= 0 &&
              p.compute < MPX_DTYPE_COUNT && p.output >= 0 && p.output < MPX_DTYPE_COUNT &&
              p.quantization >= 0 && p.quantization <= MPX_QUANT_TERNARY);
        for (dialect = 0; dialect <= MPX_DIALECT_KERAS_CLASS; dialect++)
            check_format(p, dialect, small_size);
    } else {
        CLAIM(mpx_policy_equal(p, untouched));
        CLAIM(err.offset <= len && err.length <= len - err.offset);
        CLAIM(mpx_policy_parse_n(text, len, opt, &p, NULL) == status);
    }
    check_error_format(&err, text, small_size);
    check_error_format(&err, NULL, small_size);
    check_mode(text, len, opt);
    free(text);
    return 0;
}
