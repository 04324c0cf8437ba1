/* Quantized matrices from raw bytes: any format that a text gives, or none that there is, of any
   shape. What is refused leaves its target alone; codes decode to numbers inside their room, and
   those, quantized again, stay inside theirs. States of delayed scaling likewise. Input:
   rows, columns, a byte of switches, the length of the text, the text, then the codes. */
#include "fuzz.h"

static void decode(mpx_quant q, size_t rows, size_t cols, const uint8_t *data, size_t size,
                   size_t switches) {
    static const mpx_dtype types[4] = { MPX_F32, MPX_F16, MPX_BF16, MPX_F64 };
    const mpx_dtype type = types[switches & 3];
    const size_t bytes = mpx_quant_bytes(q, rows, cols), out = mpx_dtype_bytes(type, rows * cols);
    uint8_t *codes = fuzz_room(bytes), *floats = fuzz_room(out);
    mpx_quant_layout at;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    const mpx_status status = mpx_quant_layout_of(q, rows, cols, &at, &err);
    CLAIM((status == MPX_OK) == (err.status == MPX_OK));
    if (status != MPX_OK) {
        CLAIM(bytes == 0 && mpx_error_format(&err, NULL, text, sizeof text) != 0);
        CLAIM(mpx_dequantize(NULL, type, NULL, q, rows, cols) == status);
        CLAIM(mpx_quantize(NULL, q, NULL, type, rows, cols) == status);
    } else if (bytes != 0 && out != 0) {
        size_t i;
        CLAIM(at.bytes == bytes && at.scales <= bytes && at.zeros <= bytes && at.tensor_scale <= bytes);
        for (i = 0; i < bytes; i++) codes[i] = size != 0 ? data[i % size] : 0;
        CLAIM(mpx_dequantize(floats, type, codes, q, rows, cols) == MPX_OK);
        q.given = (switches & 4) != 0;
        (void)mpx_quantize(codes, q, floats, type, rows, cols);
        CLAIM(mpx_dequantize(floats, type, codes, q, rows, cols) == MPX_OK);
    }
    free(floats);
    free(codes);
}
static void load_state(const uint8_t *data, size_t size) {
    float history[16];
    uint8_t *bytes = fuzz_room(size);
    mpx_float8_scale state, untouched;
    memset(&state, 0, sizeof state);
    state.history = history;
    state.length = size % 17;
    untouched = state;
    if (size != 0) memcpy(bytes, data, size);
    if (mpx_float8_load(&state, bytes, size) == MPX_OK) {
        CLAIM(mpx_float8_bytes(state.length) == size);
        (void)mpx_float8_update(&state, 1.5f);
    } else {
        CLAIM(memcmp(&state, &untouched, sizeof state) == 0);
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    const size_t rows = fuzz_byte(&in), cols = fuzz_byte(&in) * (1 + (rows & 1) * 31),
                 switches = fuzz_byte(&in), wanted = fuzz_below(&in, 32),
                 length = wanted < in.left ? wanted : in.left;
    char *text = (char *)fuzz_room(length);
    mpx_quant q, back;
    mpx_error err;
    char sentence[MPX_ERROR_TEXT_SIZE];
    data = in.at;
    size = in.left;
    memset(&q, 0, sizeof q);
    if (length != 0) memcpy(text, data, length);
    if (mpx_quant_parse_n(text, length, &q, &err) == MPX_OK) {
        CLAIM(mpx_quant_format(q, sentence, sizeof sentence) != 0 || q.scheme == MPX_SCHEME_NONE);
        CLAIM(mpx_quant_parse(sentence, &back, NULL) == MPX_OK && memcmp(&back, &q, sizeof q) == 0);
    } else {
        CLAIM(q.scheme == MPX_SCHEME_NONE && err.offset + err.length <= length);
        CLAIM(mpx_error_format(&err, text, sentence, sizeof sentence) < sizeof sentence);
        if (size >= sizeof q) memcpy(&q, data, sizeof q);
    }
    decode(q, rows % 80, cols % 600, data, size, switches);
    load_state(data, size);
    free(text);
    return 0;
}
