/* Names of dtypes from raw bytes: in every dialect, of every system, and suggestions. What is read
   has a name that reads back as itself; errors have their place inside the text. Input: dialect,
   half, system, size of a buffer, then the name. */
#include "fuzz.h"

static void check_result(mpx_status status, mpx_dtype type, const mpx_error *err, size_t len) {
    CLAIM(err->status == status);
    if (status == MPX_OK) {
        CLAIM(type >= 0 && type < MPX_DTYPE_COUNT);
    } else {
        CLAIM(type == -7);
        CLAIM(err->offset <= len && err->length <= len - err->offset);
    }
}

static void check_dialect(const char *name, size_t len, mpx_parse_options opt, size_t size) {
    mpx_dtype type = -7, again = -7;
    mpx_error err;
    char *buf = (char *)fuzz_room(size);
    mpx_status status;
    memset(&err, 0x5a, sizeof err);
    status = mpx_dtype_parse_n(name, len, opt, &type, &err);
    check_result(status, type, &err, len);
    if (status == MPX_OK && type != MPX_NONE) {
        CLAIM(mpx_dtype_parse(mpx_dtype_name(type), &again) == MPX_OK && again == type);
        CLAIM(mpx_dtype_parse(mpx_dtype_short_name(type), &again) == MPX_OK && again == type);
    }
    if (mpx_error_format(&err, name, buf, size) != 0 && size != 0)
        CLAIM(memchr(buf, 0, size) != NULL);
    free(buf);
}

/* A name of a system; and a number that it may have. */
static void check_system(mpx_system system, const char *name, size_t len, int64_t code) {
    mpx_dtype type = -7, again = -7;
    int64_t back = 0;
    mpx_error err;
    mpx_status status;
    memset(&err, 0x5a, sizeof err);
    status = mpx_interop_parse_n(system, name, len, &type, &err);
    check_result(status, type, &err, len);
    if (status == MPX_OK) {
        const char *own = mpx_interop_name(system, type);
        CLAIM(own[0] != '\0');
        CLAIM(mpx_interop_parse(system, own, &again, NULL) == MPX_OK && again == type);
    }
    if (mpx_interop_dtype(system, code, &type) == MPX_OK)
        CLAIM(mpx_interop_code(system, type, &back) == MPX_OK &&
              mpx_interop_dtype(system, back, &again) == MPX_OK && again == type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    mpx_parse_options opt;
    mpx_system system;
    mpx_dtype near_by;
    size_t small_size, len, i;
    int64_t code = 0;
    char *name;
    opt.dialect = (int)fuzz_below(&in, MPX_DIALECT_EFORMER_PUT + 2) - 1;
    opt.half = (int)fuzz_below(&in, MPX_DTYPE_COUNT);
    system = (int)fuzz_below(&in, MPX_SYSTEM_COUNT + 2) - 1;
    small_size = fuzz_byte(&in);
    len = in.left;
    name = (char *)fuzz_room(len);
    if (len != 0) memcpy(name, in.at, len);
    for (i = 0; i < 8 && i < len; i++)
        code |= (int64_t)((uint64_t)(uint8_t)name[i] << (8 * i));
    check_dialect(name, len, opt, small_size);
    check_system(system, name, len, code);
    near_by = mpx_dtype_suggest(name, len);
    CLAIM(near_by >= MPX_NONE && near_by < MPX_DTYPE_COUNT);
    free(name);
    return 0;
}
