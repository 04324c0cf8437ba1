/* Checkpoint files. What is in those of tests/files/, which the packages safetensors, gguf and numpy have written, says
   tests/golden/files.tsv, which they have written too (tests/oracle/files.py). Then files that are cut, that have a bit
   changed, or that lie; what is refused, where and in which words; and files that are written. */
#define MPX_FILES 1
#include "test.h"
#include "golden.h"

#define ROOM (1u << 16)

typedef struct opened {
    unsigned char *bytes, *memory; /* of exactly their sizes */
    size_t size;
    mpx_file file;
} opened;

static unsigned char *room_of(const void *data, size_t size) {
    unsigned char *room = (unsigned char *)malloc(size != 0 ? size : 1);
    if (room == NULL) exit(2);
    if (data != NULL && size != 0) memcpy(room, data, size);
    return room;
}
/* Open a copy of the bytes; err may be NULL. */
static mpx_status open_bytes(opened *o, const void *bytes, size_t size, mpx_error *err) {
    mpx_error own = test_any_error();
    mpx_status status;
    memset(o, 0, sizeof *o);
    o->bytes = room_of(bytes, size);
    o->size = size;
    status = mpx_file_open(&o->file, o->bytes, size, NULL, 0, &own);
    if (status == MPX_ERR_SPACE) {
        const size_t need = own.need;
        o->memory = room_of(NULL, need);
        if (mpx_file_open(&o->file, o->bytes, size, o->memory, need - 1, NULL) != MPX_ERR_SPACE) printf("need\n"), exit(2);
        status = mpx_file_open(&o->file, o->bytes, size, o->memory, need, &own);
    }
    if (status != own.status) printf("err says %d, not %d\n", own.status, status), exit(2);
    if (status == MPX_OK) {
        mpx_error zero;
        memset(&zero, 0, sizeof zero);
        CHECK(memcmp(&own, &zero, sizeof zero) == 0, "there is an error in a file that opens");
    }
    if (err != NULL) *err = own;
    return status;
}
static void close_file(opened *o) {
    free(o->bytes);
    free(o->memory);
}
static size_t read_file(const char *name, unsigned char *out) {
    char path[300];
    FILE *file;
    size_t size;
    sprintf(path, "tests/files/%.200s", name);
    file = fopen(path, "rb");
    size = file != NULL ? fread(out, 1, ROOM, file) : 0;
    if (file != NULL) fclose(file);
    if (size == 0) printf("%s: cannot read\n", path), exit(2);
    return size;
}
static void open_file(opened *o, const char *name) {
    static unsigned char bytes[ROOM];
    if (open_bytes(o, bytes, read_file(name, bytes), NULL) != MPX_OK) printf("%s does not open\n", name), exit(2);
}

/* ---- what the packages say ------------------------------------------------------------------- */

static int is_big_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}
static int has_hex(const char *hex, const void *data, size_t size) {
    const unsigned char *s = (const unsigned char *)data;
    size_t i;
    char two[3];
    if (strlen(hex) != 2 * size) return 0;
    for (i = 0; i < size; i++) {
        sprintf(two, "%02x", s[i]);
        if (memcmp(two, hex + 2 * i, 2) != 0) return 0;
    }
    return 1;
}
static const char *text_or(const golden_file *g, const char *column, const char *other) {
    return golden_text(g, column) != NULL ? golden_text(g, column) : other;
}
static void print_shape(char *out, const mpx_file_tensor *t) {
    size_t i;
    *out = '\0';
    for (i = 0; i < t->rank; i++) out += sprintf(out, "%s%lu", i != 0 ? "," : "", (unsigned long)t->shape[i]);
}
static void check_tensor(const golden_file *g, const opened *o, const mpx_file_tensor *t) {
    const char *flags = text_or(g, "flags", ""), *file = golden_text(g, "file"), *dtype = text_or(g, "dtype", "");
    const size_t bytes = mpx_dtype_bytes(t->leaf.dtype, t->leaf.count);
    const int swapped = (strchr(flags, 's') != NULL) != is_big_endian() && dtype[0] != '\0' &&
                        mpx_dtype_bits(t->dtype) > 8;
    char shape[200], quant[40] = "";
    print_shape(shape, t);
#if !MPX_NO_QUANT
    mpx_quant_format(t->quant, quant, sizeof quant);
#endif
    CHECK(o->file.memory == o->memory, "%s: memory", file);
    CHECK(strcmp(t->type, golden_text(g, "type")) == 0, "%s: type %s", file, t->type);
    CHECK(strcmp(mpx_dtype_short_name(t->dtype), dtype) == 0, "%s %s: %s", file, t->leaf.path, mpx_dtype_name(t->dtype));
    CHECK(strcmp(t->quant.scheme != MPX_SCHEME_NONE ? quant : "", text_or(g, "quant", "")) == 0, "%s %s: %s", file,
          t->leaf.path, quant);
    CHECK(strcmp(shape, text_or(g, "shape", "")) == 0, "%s %s: shape %s", file, t->leaf.path, shape);
    CHECK(t->swapped == swapped && t->fortran == (strchr(flags, 'f') != NULL), "%s %s: %d %d", file, t->leaf.path,
          t->swapped, t->fortran);
    CHECK(t->leaf.dtype == (swapped || t->dtype == MPX_NONE ? MPX_U8 : t->dtype), "%s: leaf", file);
    CHECK(has_hex(golden_text(g, "data"), t->leaf.data, bytes), "%s %s: %lu bytes", file, t->leaf.path,
          (unsigned long)bytes);
    CHECK((unsigned char *)t->leaf.data >= o->bytes && (unsigned char *)t->leaf.data + bytes <= o->bytes + o->size,
          "%s: outside", file);
    CHECK(o->file.cols[t - o->file.tensors] == (t->rank != 0 ? t->shape[t->rank - 1] : 1), "%s: cols", file);
}
/* Numbers one by one, texts one by one, and all bytes. */
static void check_meta(const golden_file *g, const mpx_file_meta *meta) {
    const char *file = golden_text(g, "file"), *dtype = text_or(g, "dtype", ""), *text;
    const int is_array = golden_is(g, "flags", "a");
    const size_t bytes = (size_t)mpx_dtype_bits(meta->dtype) / 8;
    size_t i, at = 0, length, texts = 0, sum = 0;
    unsigned char element[16], turned[16];
    CHECK(strcmp(mpx_dtype_short_name(meta->dtype), dtype) == 0 && meta->is_array == is_array, "%s %s: %s", file,
          meta->key, mpx_dtype_name(meta->dtype));
    CHECK(has_hex(golden_text(g, "data"), meta->data, meta->size), "%s %s: %lu bytes", file, meta->key,
          (unsigned long)meta->size);
    if (is_array) CHECK(meta->count == (size_t)atoi(golden_text(g, "shape")), "%s %s", file, meta->key);
    for (i = 0; i < meta->count && bytes != 0; i++) {
        size_t j;
        CHECK(mpx_file_number(element, meta->dtype, meta, i) == MPX_OK, "%s %s", file, meta->key);
        for (j = 0; j < bytes; j++) turned[j] = element[is_big_endian() ? bytes - 1 - j : j];
        CHECK(memcmp(turned, (const unsigned char *)meta->data + i * bytes, bytes) == 0, "%s %s", file, meta->key);
    }
    CHECK(mpx_file_number(element, MPX_F64, meta, meta->count) == (bytes != 0 ? MPX_ERR_ARGUMENT : MPX_ERR_DTYPE),
          "%s %s: a number behind the last", file, meta->key);
    while ((text = mpx_file_text(meta, &at, &length)) != NULL) {
        CHECK(is_array ? (const char *)meta->data + sum + 8 == text : meta->data == text, "%s %s", file, meta->key);
        sum += length + (is_array ? 8 : 0);
        texts++;
    }
    CHECK(bytes != 0 ? texts == 0 : texts == (is_array ? meta->count : 1) && sum == meta->size, "%s %s: %lu texts", file,
          meta->key, (unsigned long)texts);
}
static void check_values(const golden_file *g, const mpx_file_tensor *t) {
    float values[512];
    const size_t cols = t->rank != 0 ? t->shape[t->rank - 1] : 1;
    size_t i;
    CHECK(cols <= 512 && mpx_dequantize(values, MPX_F32, t->leaf.data, t->quant, 1, cols) == MPX_OK, "%s", t->leaf.path);
    for (i = 0; i < cols && is_big_endian(); i++) {
        unsigned char *p = (unsigned char *)&values[i], swap[4];
        memcpy(swap, p, 4);
        p[0] = swap[3], p[1] = swap[2], p[2] = swap[1], p[3] = swap[0];
    }
    CHECK(has_hex(golden_text(g, "data"), values, cols * 4), "%s: values", t->leaf.path);
}
/* What was read is written: bit for bit the file, also of tensors that say no more than they must. */
static void check_same(const char *name, opened *o) {
    unsigned char *out = room_of(NULL, o->size);
    size_t size = 0, i;
    int round;
    for (round = 0; round < 2; round++) {
        CHECK(mpx_file_size(&o->file, &size, NULL) == MPX_OK && size == o->size, "%s: %lu bytes of %lu", name,
              (unsigned long)size, (unsigned long)o->size);
        memset(out, 77, o->size);
        CHECK(mpx_file_save(out, o->size, &o->file, NULL) == MPX_OK, "%s is not written", name);
        CHECK(memcmp(out, o->bytes, o->size) == 0, "%s is written otherwise", name);
        for (i = 0; i < o->file.count; i++) {
            mpx_file_tensor *t = &o->file.tensors[i];
            if (t->dtype != MPX_NONE && !t->swapped) t->dtype = MPX_NONE, t->type = NULL;
            if (t->quant.scheme != MPX_SCHEME_NONE) t->type = NULL;
        }
        o->file.version = 0;
    }
    free(out);
}
static void check_golden(void) {
    golden_file g;
    opened o, broken;
    char open_now[100] = "";
    size_t tensors = 0, metas = 0;
    mpx_error err;
    golden_open(&g, "files");
    memset(&o, 0, sizeof o);
    while (golden_next(&g)) {
        const char *file = golden_text(&g, "file"), *name = golden_text(&g, "name");
        static unsigned char bytes[ROOM];
        if (golden_is(&g, "entry", "refused")) {
            const mpx_status status = open_bytes(&broken, bytes, read_file(file, bytes), &err);
            CHECK(status == MPX_ERR_FORMAT && err.subject == MPX_SUBJECT_FILE && err.what != NULL, "%s: %d", file, status);
            close_file(&broken);
            continue;
        }
        if (strcmp(open_now, file) != 0) {
            CHECK(tensors == o.file.count && metas == o.file.meta_count, "%s: %lu tensors, %lu entries", open_now,
                  (unsigned long)o.file.count, (unsigned long)o.file.meta_count);
            close_file(&o);
            open_file(&o, file);
            strcpy(open_now, file);
            tensors = metas = 0;
        }
        if (golden_is(&g, "entry", "same")) {
            check_same(file, &o);
        } else if (golden_is(&g, "entry", "meta")) {
            const mpx_file_meta *meta = mpx_file_find_meta(&o.file, name);
            CHECK(meta != NULL, "%s: no entry %s", file, name);
            if (meta != NULL) check_meta(&g, meta);
            metas++;
        } else {
            const mpx_file_tensor *t = mpx_file_find(&o.file, name);
            CHECK(t != NULL, "%s: no tensor %s", file, name);
            if (t != NULL && golden_is(&g, "entry", "values")) check_values(&g, t);
            if (t == NULL || golden_is(&g, "entry", "values")) continue;
            check_tensor(&g, &o, t);
            tensors++;
        }
    }
    CHECK(g.row > 100, "%ld rows", g.row);
    close_file(&o);
    golden_close(&g);
}

/* ---- cut, changed ---------------------------------------------------------------------------- */

/* 1 if it opens. Then all is inside; else the error has a place inside and a sentence. */
static int open_broken(const char *name, const unsigned char *bytes, size_t size) {
    opened o;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    size_t i;
    const mpx_status status = open_bytes(&o, bytes, size, &err);
    if (status != MPX_OK) {
        mpx_file zero;
        memset(&zero, 0, sizeof zero);
        CHECK(err.subject == MPX_SUBJECT_FILE && err.offset <= size && err.what != NULL, "%s: %d at %lu", name, status,
              (unsigned long)err.offset);
        CHECK(mpx_error_format(&err, NULL, text, sizeof text) < sizeof text, "%s", name);
        CHECK(memcmp(&o.file, &zero, sizeof zero) == 0, "%s: *file is touched", name);
    }
    for (i = 0; i < o.file.count && status == MPX_OK; i++) {
        const mpx_leaf *leaf = &o.file.tensors[i].leaf;
        const unsigned char *data = (const unsigned char *)leaf->data;
        CHECK(data >= o.bytes && mpx_dtype_bytes(leaf->dtype, leaf->count) <= size - (size_t)(data - o.bytes),
              "%s: data outside", name);
    }
    close_file(&o);
    return status == MPX_OK;
}
static void check_broken(const char *name) {
    static unsigned char bytes[ROOM];
    const size_t size = read_file(name, bytes);
    size_t i, opens = 0;
    /* what a file may lack: the padding at the end of GGUF */
    const size_t spare = strstr(name, ".gguf") != NULL ? 63 : 0;
    for (i = 0; i < size; i++)
        if (open_broken(name, bytes, i)) {
            opens++;
            CHECK(i + spare >= size, "%s opens if cut at %lu of %lu", name, (unsigned long)i, (unsigned long)size);
        }
    CHECK(opens <= spare, "%s", name);
    for (i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
        (void)open_broken(name, bytes, size);
        bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    }
    for (i = 0; i < size; i++) { /* the largest, the least */
        const unsigned char was = bytes[i];
        bytes[i] = 255;
        (void)open_broken(name, bytes, size);
        bytes[i] = 0;
        (void)open_broken(name, bytes, size);
        bytes[i] = was;
    }
}

/* ---- lies ------------------------------------------------------------------------------------ */

/* A header of safetensors, with a @ before the byte that is wrong; without one the place is at the end of the header and
   `offset` bytes of data. How many bytes follow it; what is said. */
static const struct lie {
    const char *json;
    size_t data, offset;
    mpx_status status;
    const char *sentence;
} lies[] = {
#define W "{\"w\":{\"dtype\":\"F32\",\"shape\":"
#define WRONG_W "{@\"w\":{\"dtype\":\"F32\",\"shape\":"
    { W "[2],\"data_offsets\":[0,8]}}", 8, 0, MPX_OK, "" },
    { W "[2],\"data_offsets\":[0,8]} } \n\t\r ", 8, 0, MPX_OK, "" },
    { "{ \"w\" :\t{ \"dtype\" :\r\"F32\" , \"shape\" : [ 1 , 2 ] ,\n\"data_offsets\" : [ 0 , 8 ] } }", 8, 0, MPX_OK, "" },
    { "{\"w\":{\"data_offsets\":[0,8],\"shape\":[2],\"dtype\":\"F32\"}}", 8, 0, MPX_OK, "" },
    { WRONG_W "[2],\"data_offsets\":[0,8]}}", 7, 0, MPX_ERR_FILE, "data_offsets are not in the file; found 8, expected 7" },
    { W "[2],\"data_offsets\":[0,8]}}", 9, 8, MPX_ERR_FILE, "no tensor has the last bytes; found 71, expected 70" },
    { W "[2],\"data_offsets\":[1,9]}}", 9, 1, MPX_ERR_FILE, "'w': no tensor has the bytes before; found 63, expected 62" },
    { WRONG_W "[2],\"data_offsets\":[8,0]}}", 8, 0, MPX_ERR_FILE, "data_offsets end before they begin; found 0, expected 8" },
    { WRONG_W "[3],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "data do not fit type and shape; found 8, expected 12" },
    { WRONG_W "[9223372036854775808],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "a dimension is too large" },
    { W "[@18446744073709551616],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "a number is too large" },
    { WRONG_W "[4294967296,4294967296],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "too " },
    { WRONG_W "[2305843009213693952],\"data_offsets\":[0,0]}}", 0, 0, MPX_ERR_FILE, "" },
    { WRONG_W "[2],\"data_offsets\":[18446744073709551600,8]}}", 8, 0, MPX_ERR_FILE, "data_offsets end before they begin; found 8" },
    { W "[@-2],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "expected a whole number" },
    { W "[@02],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "expected a whole number" },
    { W "[2@.0],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "expected ',' or the end of a shape" },
    { W "[2,@],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "expected a whole number" },
    { WRONG_W "[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FORMAT, "more than eight dimensions" },
    { W "[2],\"data_offsets\":[0,8@,8]}}", 8, 0, MPX_ERR_FILE, "expected ']'" },
    { W "[2],\"data_offsets\":[0,8]},@}", 8, 0, MPX_ERR_FILE, "expected a string" },
    { W "[2],\"data_offsets\":[0,8]}", 8, 0, MPX_ERR_FILE, "expected ',' or '}'" },
    { W "[2],\"data_offsets\":[0,8]}}@}", 8, 0, MPX_ERR_FILE, "text behind the header" },
    { W "[2]}@}", 0, 0, MPX_ERR_FILE, "one of three keys is missing" },
    { W "[2],@\"shape\":[2],\"data_offsets\":[0,8]}}", 8, 0, MPX_ERR_FILE, "expected one of three keys, each once" },
    { W "[2],@\"more\":[[[[[[[[[[[[[[", 0, 0, MPX_ERR_FILE, "'w': expected one of three keys, each once" },
    { W "[@[[[[[[[[[[[[[[[[[[[[[", 0, 0, MPX_ERR_FILE, "expected a whole number" },
    { "{@{{{{{{{{{{{{{{{", 0, 0, MPX_ERR_FILE, "expected a string" },
    { W "[2],\"data_offsets\":[0,8]},@\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[8,8]}}", 8, 0, MPX_ERR_EXISTS,
      "'w': a tensor before has this name" },
    { W "[2],\"data_offsets\":[0,8]},@\"\\u0077\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[8,8]}}", 8, 0,
      MPX_ERR_EXISTS, "a tensor before has this name" },
    { W "[2],\"data_offsets\":[0,8]},\"v\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}", 8, 4, MPX_ERR_FILE,
      "'v': data overlap others" },
    { W "[2],\"data_offsets\":[0,8]},\"v\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[4,4]}}", 8, 4, MPX_ERR_FILE,
      "'v': data overlap others" }, /* an empty one, too */
    { "{\"__metadata__\":{\"a\":\"1\",@\"a\":\"2\"}}", 0, 0, MPX_ERR_EXISTS, "'a': an entry before has this key" },
    { "{\"__metadata__\":{},@\"__metadata__\":{}}", 0, 0, MPX_ERR_FILE, "__metadata__ is there twice" },
    { "{\"__metadata__\": null }", 0, 0, MPX_OK, "" },
    { "{\"__metadata__\":null,\"w\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2, 0, MPX_OK, "" },
    { "{\"__metadata__\":null,@\"__metadata__\":{}}", 0, 0, MPX_ERR_FILE, "__metadata__ is there twice" },
    { "{\"__metadata__\":@nul}", 0, 0, MPX_ERR_FILE, "expected '{'" },
    { "{\"__metadata__\":@nul", 0, 0, MPX_ERR_FILE, "expected '{'" },
    { "{\"__metadata__\":@Null}", 0, 0, MPX_ERR_FILE, "expected '{'" },
    { "{\"__metadata__\":null@s}", 0, 0, MPX_ERR_FILE, "expected ',' or '}'" },
    { "{\"__metadata__\":{\"a\":@null}}", 0, 0, MPX_ERR_FILE, "expected a string" },
    { "{\"__metadata__\":{\"a\":@1}}", 0, 0, MPX_ERR_FILE, "expected a string" },
    { "{\"__metadata__\":{\"a\":\"@\xc3\"}}", 0, 0, MPX_ERR_FILE, "no UTF-8" },
    { "{\"@\xed\xa0\x80\":{}}", 0, 0, MPX_ERR_FILE, "no UTF-8" },
    { "{\"@\xf4\x90\x80\x80\":{}}", 0, 0, MPX_ERR_FILE, "no UTF-8" },
    { "{@\"a\\u0000\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, 0, MPX_ERR_FILE, "a NUL in a name" },
    { "{@\"a\":{\"dtype\":\"U8\\u0000\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, 0, MPX_ERR_FILE, "a NUL in a dtype" },
    { "{\"a\\ud800@\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\ud800\\ud800@\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\udc00@\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\@x\":{}}", 0, 0, MPX_ERR_FILE, "there is no such escape" },
    { "{\"a\\u00@g0\":{}}", 0, 0, MPX_ERR_FILE, "expected \\uXXXX" },
    { "{\"a@\n\":{}}", 0, 0, MPX_ERR_FILE, "this character cannot be in a string" },
    { "{\"a@\x1f\":{}}", 0, 0, MPX_ERR_FILE, "this character cannot be in a string" },
    { "{\"a\\ud800\\udbff@\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\udbff\\ue000@\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\udfff@\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\udc00@\\udc00\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"__METADATA__\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, 0, MPX_OK, "" },
    { "{\"w\":{@\"DTYPE\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, 0, MPX_ERR_FILE, "expected one of three keys" },
    { "{\"a\\ud800@udc00\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\ud800@\\ndc00\":{}}", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\ud800", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { "{\"a\\ud800\\u@x", 0, 0, MPX_ERR_FILE, "expected \\uXXXX" },
    { "{\"a\\ud800@\\u", 0, 0, MPX_ERR_FILE, "half of a surrogate pair" },
    { W "[2],\"data_offsets\":[0,8]},\"v\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", 8, 0, MPX_OK, "" },
    { "{\"v\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
      "[0,8]}}", 8, 0, MPX_OK, "" },
    { "{@'a':{}}", 0, 0, MPX_ERR_FILE, "expected a string" },
    { "{\"a", 0, 0, MPX_ERR_FILE, "the end of a string is missing" },
    { "{\"a\":@\v{}}", 0, 0, MPX_ERR_FILE, "expected '{'" },
    { "{@\"w\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, 0, MPX_ERR_FILE, "no whole blocks" },
    { "{\"w\":{\"dtype\":\"NEW\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, 0, MPX_OK, "" },
    { "{\"\\u00e9\\ud83d\\ude00\\/\\b\":{\"dtype\":\"NEW\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, 0, MPX_OK, "" },
#undef W
#undef WRONG_W
};
/* Returns the size; *wrong: where the @ was. */
static size_t safetensors_of(unsigned char *out, const struct lie *lie, size_t *wrong) {
    const char *mark = strchr(lie->json, '@');
    const size_t before = mark != NULL ? (size_t)(mark - lie->json) : strlen(lie->json),
                 n = strlen(lie->json) - (mark != NULL);
    size_t i;
    for (i = 0; i < 8; i++) out[i] = (unsigned char)(i < sizeof n ? n >> 8 * i & 255u : 0);
    memcpy(out + 8, lie->json, before);
    memcpy(out + 8 + before, lie->json + before + (mark != NULL), n - before);
    memset(out + 8 + n, 7, lie->data);
    *wrong = 8 + before + lie->offset;
    return 8 + n + lie->data;
}
static void check_sentence(const char *what, mpx_status status, const mpx_error *err, mpx_status wanted, size_t offset,
                           const char *sentence) {
    char text[MPX_ERROR_TEXT_SIZE] = "", place[40];
    CHECK(status == wanted, "%s: %d, not %d", what, status, wanted);
    if (status == MPX_OK || status != wanted) return;
    mpx_error_format(err, NULL, text, sizeof text);
    CHECK(err->offset == offset, "%s: at %lu, not %lu: %s", what, (unsigned long)err->offset, (unsigned long)offset, text);
    CHECK(strstr(text, sentence) != NULL, "%s: %s", what, text);
    sprintf(place, " at byte %lu", (unsigned long)offset);
    CHECK(strstr(text, place) != NULL, "%s: %s", what, text);
}
static void check_lies(void) {
    static unsigned char bytes[ROOM];
    size_t i;
    for (i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        opened o;
        mpx_error err;
        size_t wrong;
        const size_t size = safetensors_of(bytes, &lies[i], &wrong);
        const mpx_status status = open_bytes(&o, bytes, size, &err);
        check_sentence(lies[i].json, status, &err, lies[i].status, wrong, lies[i].sentence);
        close_file(&o);
    }
}
/* Numbers of `width` bytes in a file that the packages have made, changed. */
static const struct change {
    const char *file;
    size_t at, width;
    uint64_t x;
    mpx_status status;
    size_t offset;
    const char *sentence;
} changes[] = {
    { "names.safetensors", 0, 8, (uint64_t)1 << 63, MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { "names.safetensors", 0, 8, 100000000, MPX_ERR_FILE, 8, "too few bytes; found 350, expected 100000000" },
    { "names.safetensors", 0, 8, 100000001, MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { "names.safetensors", 343, 1, 0, MPX_ERR_FILE, 343, "text behind the header" },
    { "empty.gguf", 3, 1, 'X', MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { "fortran.npy", 5, 1, 'X', MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { "plain.npz", 3, 1, 5, MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { "empty.npz", 3, 1, 5, MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { "empty.gguf", 4, 4, 1, MPX_ERR_FORMAT, 4, "versions 2 and 3, little-endian" },
    { "empty.gguf", 4, 4, 2, MPX_OK, 0, "" },
    { "empty.gguf", 4, 4, 0x03000000, MPX_ERR_FORMAT, 4, "versions 2 and 3, little-endian" },
    { "empty.gguf", 8, 8, (uint64_t)1 << 63, MPX_ERR_FILE, 92, "too few bytes" },
    { "empty.gguf", 16, 8, (uint64_t)1 << 63, MPX_ERR_FILE, 94, "too few bytes" },
    { "empty.gguf", 24, 8, (uint64_t)1 << 63, MPX_ERR_FILE, 32, "too few bytes" },
    { "empty.gguf", 52, 4, 13, MPX_ERR_FORMAT, 24, "no type of metadata, or arrays of arrays" },
    { "dtypes.gguf", 425, 4, 9, MPX_ERR_FORMAT, 404, "'array.int': no type of metadata, or arrays of arrays" },
    { "dtypes.gguf", 526, 8, (uint64_t)1 << 63, MPX_ERR_FILE, 534, "'array.text': too few bytes" }, /* the first of three */
    { NULL, 0, 0, 0, MPX_OK, 0, NULL },
};
static void check_changes(void) {
    static unsigned char bytes[ROOM];
    size_t i, j;
    for (i = 0; changes[i].file != NULL; i++) {
        const struct change *c = &changes[i];
        const size_t size = read_file(c->file, bytes);
        opened o;
        mpx_error err;
        mpx_status status;
        char what[200];
        for (j = 0; j < c->width; j++) bytes[c->at + j] = (unsigned char)(c->x >> 8 * j & 255u);
        sprintf(what, "%s, %lu at %lu", c->file, (unsigned long)c->x, (unsigned long)c->at);
        status = open_bytes(&o, bytes, size, &err);
        check_sentence(what, status, &err, c->status, c->offset, c->sentence);
        if (status != MPX_OK) CHECK(mpx_file_open(&o.file, bytes, size, NULL, 0, NULL) == status, "%s, without an error", what);
        close_file(&o);
    }
}

/* One tensor of GGUF behind a number of its own choice for alignment. */
static const struct {
    uint32_t alignment, rank;
    uint64_t dims[2];
    uint32_t type;
    uint64_t begin;
    size_t data;
    mpx_status status;
    const char *sentence;
} gguf_lies[] = {
    { 32, 2, { 3, 5 }, 0, 0, 60, MPX_OK, "" },
    { 32, 2, { 3, 5 }, 0, 32, 92, MPX_OK, "" },
    { 8, 2, { 3, 5 }, 0, 8, 68, MPX_OK, "" },
    { 1, 2, { 3, 5 }, 0, 1, 61, MPX_OK, "" },
    { 32, 8, { 3, 5 }, 0, 0, 60, MPX_OK, "" },
    { 32, 2, { 3, 5 }, 0, 0, 59, MPX_ERR_FILE, "'w': data end beyond the file; found 188, expected 187" },
    { 32, 2, { 3, 5 }, 0, 64, 60, MPX_ERR_FILE, "'w': data end beyond the file" },
    { 32, 2, { 3, 5 }, 0, (uint64_t)1 << 63, 60, MPX_ERR_FILE, "'w': data end beyond the file" },
    { 32, 2, { 3, 5 }, 0, (uint64_t)-32, 60, MPX_ERR_FILE, "'w': data end beyond the file; found more, expected 188" },
    { 32, 2, { 3, 5 }, 0, 8, 80, MPX_ERR_FILE, "'w': data are not aligned; found 8, expected 32" },
    { 0, 2, { 3, 5 }, 0, 0, 60, MPX_ERR_FILE, "the alignment is no power of two in 32 bits" },
    { 24, 2, { 3, 5 }, 0, 0, 60, MPX_ERR_FILE, "the alignment is no power of two in 32 bits" },
    { 0x80000000u, 2, { 3, 5 }, 0, 0, 60, MPX_ERR_FILE, "data end beyond the file" },
    { 32, 2, { (uint64_t)1 << 63, 2 }, 0, 0, 60, MPX_ERR_FILE, "a dimension is too large" },
    { 32, 2, { (uint64_t)1 << 62, 8 }, 0, 0, 60, MPX_ERR_FILE, "too " },
    { 32, 1, { (uint64_t)1 << 61, 0 }, 0, 0, 60, MPX_ERR_FILE, "" },
    { 32, 2, { 0, 5 }, 0, 0, 0, MPX_OK, "" },
    { 32, 9, { 1, 1 }, 0, 0, 60, MPX_ERR_FORMAT, "more than eight dimensions" },
    { 32, 0xffffffffu, { 1, 1 }, 0, 0, 60, MPX_ERR_FORMAT, "more than eight dimensions" },
    { 32, 2, { 3, 5 }, 4, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 5, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 31, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 32, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 33, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 36, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 37, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 38, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 43, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 3, 5 }, 0xffffffffu, 0, 60, MPX_ERR_FORMAT, "'w': ggml has no such type" },
    { 32, 2, { 32, 1 }, 8, 0, 34, MPX_OK, "" },
    { 32, 2, { 32, 2 }, 8, 0, 67, MPX_ERR_FILE, "data end beyond the file" },
    { 32, 2, { 16, 2 }, 8, 0, 34, MPX_ERR_FILE, "too many elements, or no whole blocks" },
    { 32, 0, { 0, 0 }, 8, 0, 34, MPX_ERR_FILE, "too many elements, or no whole blocks" },
    { 32, 0, { 0, 0 }, 0, 0, 4, MPX_OK, "" },
};
static unsigned char *put(unsigned char *at, uint64_t x, size_t n) {
    for (; n != 0; n--, x >>= 8) *at++ = (unsigned char)(x & 255u);
    return at;
}
static unsigned char *put_text(unsigned char *at, const char *text) {
    const size_t n = strlen(text);
    at = put(at, n, 8);
    memcpy(at, text, n);
    return at + n;
}
/* What is wrong behind a tensor or an entry does not have its name. */
static void check_gguf_ends_early(void) {
    int meta;
    for (meta = 0; meta < 2; meta++) {
        unsigned char bytes[100], *at = bytes;
        opened o;
        mpx_error err;
        char text[MPX_ERROR_TEXT_SIZE], want[100];
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, "GGUF\3", 5);
        at = put_text(put(put(at + 8, meta ? 0 : 2, 8), meta ? 2 : 0, 8), "word"); /* the first of two */
        at = put(at, 0, meta ? 5 : 16); /* a byte; a float at 0 */
        CHECK(open_bytes(&o, bytes, (size_t)(at - bytes), &err) == MPX_ERR_FILE, "a file that ends early");
        mpx_error_format(&err, NULL, text, sizeof text);
        sprintf(want, "malformed file at byte %lu: too few bytes; found 0, expected 8", (unsigned long)(at - bytes));
        CHECK(strcmp(text, want) == 0, "%s", text);
        close_file(&o);
    }
}
/* A name of three bytes, of a tensor or of an entry; the second is a NUL. */
static void check_nul(void) {
    int meta, nul;
    for (meta = 0; meta < 2; meta++)
        for (nul = 0; nul < 2; nul++) {
            unsigned char bytes[68] = "GGUF\3", *at = put(put(bytes + 8, !meta, 8), (uint64_t)meta, 8);
            opened o;
            mpx_error err;
            const mpx_status status = nul ? MPX_ERR_FILE : MPX_OK;
            (void)put_text(at, "abc");
            if (nul) at[9] = 0;
            CHECK(open_bytes(&o, bytes, sizeof bytes, &err) == status && err.offset == (nul ? 24u : 0u), "%d: %d", meta, nul);
            CHECK(!nul || (err.what != NULL && strcmp(err.what, "a NUL in a name") == 0), "%d", meta);
            close_file(&o);
        }
}
/* The largest dimension that may be, and one more. */
static void check_largest_dimension(void) {
    size_t more;
    for (more = 0; more < 2; more++) {
        static unsigned char bytes[ROOM];
        char json[200];
        struct lie lie = { NULL, 0, 0, MPX_OK, "" };
        opened o;
        mpx_error err;
        size_t wrong, size;
        sprintf(json, "{@\"w\":{\"dtype\":\"F32\",\"shape\":[0,%llu],\"data_offsets\":[0,0]}}",
                (unsigned long long)((size_t)-1 >> 1) + more);
        lie.json = json;
        if (more != 0) lie.status = MPX_ERR_FILE, lie.sentence = "a dimension is too large";
        size = safetensors_of(bytes, &lie, &wrong);
        check_sentence(json, open_bytes(&o, bytes, size, &err), &err, lie.status, wrong, lie.sentence);
        CHECK(more == 0 || err.need == (size_t)-1, "%lu are expected", (unsigned long)err.need);
        close_file(&o);
    }
}
static void check_gguf_lies(void) {
    static unsigned char bytes[ROOM];
    size_t i, j;
    for (i = 0; i < sizeof gguf_lies / sizeof gguf_lies[0]; i++) {
        unsigned char *at = bytes, *tensor;
        opened o;
        mpx_error err;
        mpx_status status;
        char what[40];
        sprintf(what, "line %lu of gguf_lies", (unsigned long)i + 1);
        memset(bytes, 0, 1000);
        memcpy(at, "GGUF\3", 5);
        at = put(put(at + 8, 1, 8), 1, 8);
        at = put(put(put_text(at, "general.alignment"), 4, 4), gguf_lies[i].alignment, 4);
        tensor = at;
        at = put(put_text(at, "w"), gguf_lies[i].rank, 4);
        for (j = 0; j < gguf_lies[i].rank && j < 9; j++) at = put(at, j < 2 ? gguf_lies[i].dims[j] : 1, 8);
        at = put(put(at, gguf_lies[i].type, 4), gguf_lies[i].begin, 8);
        while (gguf_lies[i].alignment < 64 && (at - bytes) % (gguf_lies[i].alignment | 1 << 5) != 0) at++;
        status = open_bytes(&o, bytes, (size_t)(at - bytes) + gguf_lies[i].data, &err);
        if (strncmp(gguf_lies[i].sentence, "the alignment", 13) == 0) tensor = bytes + 24;
        check_sentence(what, status, &err, gguf_lies[i].status, (size_t)(tensor - bytes), gguf_lies[i].sentence);
        if (strstr(gguf_lies[i].sentence, "beyond the file") != NULL) {
            const uint64_t width = gguf_lies[i].alignment, base = ((uint64_t)(at - bytes) + width - 1) / width * width,
                           begin = base + gguf_lies[i].begin;
            const int fits = begin >= base && begin < (size_t)-1 - 100; /* else the largest number is told */
            CHECK(err.need == o.size && err.have > err.need && (fits ? err.have - begin < 100 : err.have == (size_t)-1),
                  "%s: found %lu, expected %lu", what, (unsigned long)err.have, (unsigned long)err.need);
        }
        close_file(&o);
    }
}
/* Two tensors of GGUF, of 8 floats and of some at `begin`: where they overlap. Empty ones may lie anywhere. */
static void check_overlap(void) {
    static const struct {
        size_t begin, count;
        mpx_status status;
    } cases[] = { { 32, 4, MPX_OK }, { 0, 4, MPX_ERR_FILE }, { 0, 0, MPX_OK }, { 16, 0, MPX_OK }, { 16, 1, MPX_ERR_FILE },
                  { 24, 3, MPX_ERR_FILE }, { 48, 1, MPX_OK } };
    static unsigned char bytes[ROOM];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char *at = bytes;
        opened o;
        mpx_error err;
        mpx_status status;
        memset(bytes, 0, 1000);
        memcpy(at, "GGUF\3", 5);
        at = put(put(at + 8, 2, 8), 1, 8);
        at = put(put(put_text(at, "general.alignment"), 4, 4), 8, 4);
        at = put(put(put(put(put_text(at, "v"), 1, 4), 8, 8), 0, 4), 0, 8);
        at = put(put(put(put(put_text(at, "w"), 1, 4), cases[i].count, 8), 0, 4), cases[i].begin, 8);
        while ((at - bytes) % 8 != 0) at++;
        status = open_bytes(&o, bytes, (size_t)(at - bytes) + 64, &err);
        CHECK(status == cases[i].status && (status == MPX_OK || strcmp(err.what, "data overlap others") == 0), "case %lu: %d",
              (unsigned long)i, status);
        close_file(&o);
    }
}
/* Headers of .npy, and how many bytes follow them; a @ as above. */
static const struct lie npy_lies[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24, 0, MPX_OK, "" },
    { "{\"shape\":(2L,3L),\"descr\":\"<f4\",\"fortran_order\":True}\n \n", 24, 0, MPX_OK, "" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_OK, "" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23, 0, MPX_ERR_FILE, "found 23, expected 24" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 25, 0, MPX_ERR_FILE, "found 25, expected 24" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (6@)}", 24, 0, MPX_ERR_FILE, "expected ','" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': @6}", 24, 0, MPX_ERR_FILE, "expected a shape" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (@-6,)}", 24, 0, MPX_ERR_FILE, "expected a whole number" },
    { "{'descr': '<f4', 'fortran_order': @0, 'shape': (6,)}", 24, 0, MPX_ERR_FILE, "expected True or False" },
    { "{'descr': '<f4', 'fortran_order': @Truth, 'shape': (6,)}", 24, 0, MPX_ERR_FILE, "expected True or False" },
    { "{'descr': '<f4', 'fortran_order': False@}", 24, 0, MPX_ERR_FILE, "" },
    { "{'descr': '<f4', 'shape': (2, 3), 'fortran_order': True}", 24, 0, MPX_OK, "" },
    { "{'descr': '<f4', 'shape': (2, 3), 'fortran_order': @True", 24, 0, MPX_ERR_FILE, "expected True or False" },
    { "{'descr': '<f4', @'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FILE, "each once" },
    { "{'descr': @'<f', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'f4', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'|O', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'=f4', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'<O4', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'<f/', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'<f:', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': '|S0000004', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_OK, "" },
    { "{'descr': @'|S00000004', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': '|S9', 'fortran_order': False, 'shape': (3,)}", 27, 0, MPX_OK, "" },
    { "{'descr': '<f4', 'fortran_order': @Falsy, 'shape': (6,)}", 24, 0, MPX_ERR_FILE, "expected True or False" },
    { "{'descr': @'<M8[ns]', 'fortran_order': False, 'shape': (3,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @'|V0', 'fortran_order': False, 'shape': (3,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': @[('a', '<f4')], 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FORMAT, "expected a dtype such as <f4 or |S5" },
    { "{'descr': '@\\x3cf4', 'fortran_order': False, 'shape': (6,)}", 24, 0, MPX_ERR_FILE, "cannot be in a string" },
    { "@['descr', '<f4']", 24, 0, MPX_ERR_FILE, "expected '{'" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} @x", 24, 0, MPX_ERR_FILE, "text behind the header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} @", 24, 0, MPX_OK, "" },
};
static void check_npy_lies(void) {
    static unsigned char bytes[ROOM], made[ROOM];
    size_t i;
    for (i = 0; i < sizeof npy_lies / sizeof npy_lies[0]; i++) {
        size_t wrong, size = safetensors_of(made, &npy_lies[i], &wrong) - 8;
        opened o;
        mpx_error err;
        mpx_status status;
        memcpy(bytes, "\x93NUMPY\1", 8);
        put(bytes + 8, size - npy_lies[i].data, 2);
        memcpy(bytes + 10, made + 8, size);
        status = open_bytes(&o, bytes, size + 10, &err);
        if (strncmp(npy_lies[i].sentence, "found", 5) == 0) wrong = 0 - (size_t)2; /* of the whole array */
        if (npy_lies[i].sentence[0] == '\0') wrong = (size_t)(err.offset - 2); /* said by its status alone */
        check_sentence(npy_lies[i].json, status, &err, npy_lies[i].status, wrong + 2, npy_lies[i].sentence);
        close_file(&o);
    }
}
/* Numbers of plain.npz, from the n-th signature of a kind on. */
static const struct {
    unsigned char signature;
    int n;
    size_t at, width;
    uint64_t x;
    mpx_status status;
    size_t offset;
    const char *sentence;
} zip_lies[] = {
    { 2, 0, 0, 1, 'p', MPX_ERR_FILE, 596, "expected an entry of the directory" },
    { 2, 0, 8, 2, 1, MPX_ERR_FORMAT, 596, "'w.npy': the member is encrypted" },
    { 2, 1, 10, 2, 8, MPX_ERR_FORMAT, 647, "'layer/b.x.npy': the member is compressed" },
    { 2, 0, 20, 4, 1, MPX_ERR_FILE, 596, "'w.npy': two sizes of a stored member; found 152, expected 1" },
    { 2, 0, 24, 4, 0xffffffffu, MPX_ERR_FILE, 596, "'w.npy': two sizes of a stored member" },
    { 2, 0, 28, 2, 4, MPX_ERR_FORMAT, 596, "the member is no .npy" },
    { 2, 0, 28, 2, 0xffff, MPX_ERR_FILE, 642, "too few bytes" },
    { 2, 0, 30, 2, 0xffff, MPX_ERR_FILE, 647, "too few bytes" },
    { 2, 0, 42, 4, 0xfffffff0u, MPX_ERR_FILE, 596, "'w.npy': the member is not in the file; found 4294967280, expected 596" },
    { 2, 0, 42, 4, 1, MPX_ERR_FILE, 1, "'w.npy': the member's header and the directory do not agree" },
    { 2, 0, 46, 1, 'x', MPX_ERR_FILE, 0, "'x.npy': the member's header and the directory do not agree" },
    { 2, 0, 50, 1, 'z', MPX_ERR_FORMAT, 596, "'w.npz': the member is no .npy" },
    { 2, 0, 46, 1, 0, MPX_ERR_FILE, 0, "the member's header and the directory do not agree" },
    { 4, 0, 0, 1, 'p', MPX_ERR_FORMAT, 0, "neither safetensors nor GGUF" },
    { 4, 1, 0, 1, 'p', MPX_ERR_FILE, 207, "the member's header and the directory do not agree" },
    { 4, 0, 8, 2, 8, MPX_ERR_FILE, 0, "the member's header and the directory do not agree" },
    { 4, 0, 18, 4, 7, MPX_ERR_FILE, 0, "the member's header and the directory do not agree" },
    { 4, 0, 22, 4, 7, MPX_ERR_FILE, 0, "the member's header and the directory do not agree" },
    { 4, 0, 26, 2, 6, MPX_ERR_FILE, 0, "the member's header and the directory do not agree" },
    { 4, 0, 39, 8, (uint64_t)1 << 63, MPX_ERR_FILE, 0, "the member's header and the directory do not agree" },
    { 4, 0, 55, 1, 'x', MPX_ERR_FORMAT, 55, "'w': no array of NumPy, versions 1 to 3" },
    { 4, 0, 60, 1, 'X', MPX_ERR_FORMAT, 55, "'w': no array of NumPy, versions 1 to 3" },
    { 4, 0, 61, 1, 4, MPX_ERR_FORMAT, 55, "'w': no array of NumPy, versions 1 to 3" },
    { 4, 0, 63, 2, 9999, MPX_ERR_FILE, 65, "'w': too few bytes" },
    { 4, 0, 63, 2, 10001, MPX_ERR_FORMAT, 55, "'w': a header of more than 10000 bytes" },
    { 6, 0, 10, 2, 4, MPX_ERR_FILE, 758, "too few bytes" },
    { 6, 0, 10, 2, 2, MPX_ERR_FILE, 706, "the directory has more entries than it says" },
    { 6, 0, 12, 4, 1, MPX_ERR_FILE, 758, "the directory does not end here; found 596, expected 757" },
    { 6, 0, 16, 4, 0xffffffffu, MPX_ERR_FILE, 758, "the directory does not end here" },
    { 6, 0, 20, 2, 1, MPX_ERR_FILE, 780, "the archive has no end" },
};
static void check_zip_lies(void) {
    static unsigned char bytes[ROOM];
    size_t i;
    for (i = 0; i < sizeof zip_lies / sizeof zip_lies[0]; i++) {
        const size_t size = read_file("plain.npz", bytes);
        opened o;
        mpx_error err;
        mpx_status status;
        char what[40];
        size_t at = 0;
        int n;
        for (n = 0; at + 4 < size; at++)
            if (memcmp(bytes + at, "PK", 2) == 0 && bytes[at + 3] == zip_lies[i].signature && n++ == zip_lies[i].n) break;
        put(bytes + at + zip_lies[i].at, zip_lies[i].x, zip_lies[i].width);
        sprintf(what, "line %lu of zip_lies", (unsigned long)i + 1);
        status = open_bytes(&o, bytes, size, &err);
        check_sentence(what, status, &err, zip_lies[i].status, zip_lies[i].offset, zip_lies[i].sentence);
        close_file(&o);
    }
}
/* An archive of one member with no bytes between its header, its entry and the end: the name that its header should have,
   or 5 bytes of an array. */
static void check_zip_short(void) {
    size_t i;
    for (i = 0; i < 2; i++) {
        static const char *const wanted[2] = { "malformed file at byte 30 in 'a.npy': too few bytes; found 0, expected 5",
                                               "malformed file at byte 35 in 'a': too few bytes; found 5, expected 6" };
        const size_t size = i != 0 ? 5 : 0;
        size_t n;
        unsigned char bytes[200], *at = put(put(put(put(bytes, 0x04034b50, 4), 0, 14), size, 4), size, 4), *directory;
        opened o;
        mpx_error err;
        char text[MPX_ERROR_TEXT_SIZE];
        at = put(put(at, 5, 2), 0, 2);
        if (i != 0) at = (unsigned char *)memcpy(at, "a.npy\x93NUMP", 10) + 10;
        directory = at;
        at = put(put(put(put(put(put(at, 0x02014b50, 4), 0, 16), size, 4), size, 4), 5, 2), 0, 16);
        at = (unsigned char *)memcpy(at, "a.npy", 5) + 5;
        n = (size_t)(at - directory);
        at = put(put(put(put(put(put(at, 0x06054b50, 4), 0, 4), 1, 2), 1, 2), n, 4), (size_t)(directory - bytes), 4);
        at = put(at, 0, 2);
        CHECK(open_bytes(&o, bytes, (size_t)(at - bytes), &err) == MPX_ERR_FILE, "%d", err.status);
        mpx_error_format(&err, NULL, text, sizeof text);
        CHECK(strcmp(text, wanted[i]) == 0, "%s", text);
        close_file(&o);
    }
}
/* Entries of a directory that all name one member: each of them is read, so a small file could take hours. */
static void check_zip_overlap(void) {
    static const char header[] = "\x93NUMPY\1\0\72\0{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}  \n7";
    const size_t size = sizeof header - 1, extra = 500;
    size_t entries;
    for (entries = 1; entries < 4; entries++) {
        unsigned char bytes[1000], *at = put(put(put(put(bytes, 0x04034b50, 4), 0, 14), size, 4), size, 4), *directory;
        opened o;
        mpx_error err;
        size_t i;
        at = put(put(at, 5, 2), extra, 2);
        at = put((unsigned char *)memcpy(at, "a.npy", 5) + 5, 0, 8);
        memset(at, 0, extra - 8);
        at = (unsigned char *)memcpy(at + extra - 8, header, size) + size;
        for (directory = at, i = 0; i < entries; i++) {
            at = put(put(put(put(put(put(at, 0x02014b50, 4), 0, 16), size, 4), size, 4), 5, 2), 0, 16);
            at = (unsigned char *)memcpy(at, "a.npy", 5) + 5;
        }
        i = (size_t)(at - directory);
        at = put(put(put(put(put(put(at, 0x06054b50, 4), 0, 4), entries, 2), entries, 2), i, 4),
                 (size_t)(directory - bytes), 4);
        at = put(at, 0, 2);
        CHECK(open_bytes(&o, bytes, (size_t)(at - bytes), &err) == (entries == 1 ? MPX_OK : MPX_ERR_FILE), "%d", err.status);
        CHECK(entries == 1 || strcmp(err.what, "members overlap") == 0, "%s", err.what);
        close_file(&o);
    }
}

/* ---- what is written ------------------------------------------------------------------------- */

typedef struct sink {
    unsigned char *bytes;
    size_t size, calls, fails_at; /* the call that fails, from 1; 0: none */
    size_t tensors;               /* calls with the data of one */
    const void *data;             /* for tensors without */
} sink;
static mpx_status take(const void *data, size_t size, const mpx_file_tensor *tensor, void *user) {
    sink *s = (sink *)user;
    if (++s->calls == s->fails_at) return MPX_ERR_CALLBACK;
    s->tensors += tensor != NULL;
    if (data == NULL && (tensor == NULL || s->data == NULL)) return MPX_ERR_STATE;
    memcpy(s->bytes + s->size, data != NULL ? data : s->data, size);
    s->size += size;
    return MPX_OK;
}
static mpx_file_tensor tensor_of(const char *name, const void *data, size_t count, mpx_dtype type) {
    mpx_file_tensor t;
    memset(&t, 0, sizeof t);
    t.leaf = mpx_leaf_of(name, data, count, type);
    t.rank = 1;
    t.shape[0] = count;
    return t;
}
static void check_writer(void) {
    static unsigned char bytes[ROOM], whole[ROOM];
    float w[6] = { 1, 2, 3, 4, 5, 6 };
    mpx_file_tensor tensors[2];
    mpx_file file;
    mpx_error err, none;
    size_t size = 0, calls;
    char text[100], said[MPX_ERROR_TEXT_SIZE];
    int format;
    memset(&none, 0, sizeof none);
    tensors[0] = tensor_of("a", w, 6, MPX_F32);
    tensors[1] = tensor_of("b", w, 2, MPX_F32);
    memset(&file, 0, sizeof file);
    file.tensors = tensors;
    for (format = MPX_FORMAT_SAFETENSORS; format <= MPX_FORMAT_NPZ; format++) {
        sink s;
        memset(&s, 0, sizeof s);
        file.format = (mpx_file_format)format;
        file.count = format == MPX_FORMAT_NPY ? 1 : 2;
        err = test_any_error();
        CHECK(mpx_file_size(&file, &size, &err) == MPX_OK && memcmp(&err, &none, sizeof err) == 0, "%d", format);
        CHECK(mpx_file_save(whole, size, &file, NULL) == MPX_OK, "%d", format);
        memset(bytes, 0xee, size);
        CHECK(mpx_file_save(bytes, size - 1, &file, &err) == MPX_ERR_SPACE, "%d: a byte short", format);
        CHECK(err.have == size - 1 && err.need == size, "%d: a byte short", format);
        sprintf(text, "not enough space; %lu bytes where %lu are needed", (unsigned long)size - 1, (unsigned long)size);
        mpx_error_format(&err, NULL, said, sizeof said);
        CHECK(strcmp(said, text) == 0, "%d: %s", format, said);
        CHECK(bytes[0] == 0xee && memcmp(bytes, bytes + 1, size - 1) == 0, "%d: something was written", format);
        s.bytes = bytes;
        CHECK(mpx_file_write(&file, take, &s, NULL) == MPX_OK && s.size == size && memcmp(bytes, whole, size) == 0, "%d",
              format);
        CHECK(s.tensors == file.count || is_big_endian(), "%d: %lu tensors", format, (unsigned long)s.tensors);
        for (calls = s.calls, s.fails_at = 1; s.fails_at <= calls; s.fails_at++) {
            s.size = s.calls = 0;
            CHECK(mpx_file_write(&file, take, &s, NULL) == MPX_ERR_CALLBACK && s.calls == s.fails_at, "%d: call %lu", format,
                  (unsigned long)s.fails_at);
            CHECK(memcmp(bytes, whole, s.size) == 0, "%d", format);
            s.size = s.calls = 0;
            err = test_any_error();
            CHECK(mpx_file_write(&file, take, &s, &err) == err.status && err.status == MPX_ERR_CALLBACK, "%d: err says %d",
                  format, err.status);
        }
        /* data that only the callback has */
        s.size = s.calls = s.fails_at = 0;
        s.data = w;
        tensors[0].leaf.data = NULL;
        CHECK(mpx_file_write(&file, take, &s, NULL) == (format == MPX_FORMAT_NPZ ? MPX_ERR_ARGUMENT : MPX_OK), "%d", format);
        CHECK(s.size == (format == MPX_FORMAT_NPZ ? 0 : size), "%d", format);
        CHECK(is_big_endian() || memcmp(bytes, whole, s.size) == 0, "%d", format); /* they go out as they are */
        err = test_any_error();
        memset(bytes, 0xee, size);
        CHECK(mpx_file_save(bytes, size, &file, &err) == MPX_ERR_ARGUMENT, "%d", format);
        CHECK(bytes[0] == 0xee && memcmp(bytes, bytes + 1, size - 1) == 0, "%d: something was written", format);
        CHECK(err.what != NULL && strcmp(err.what, "no data") == 0, "%d: %s", format, err.what);
        CHECK(err.status == MPX_ERR_ARGUMENT && err.index == 0 && strcmp(err.path, "a") == 0, "%d: err says %d at %lu in '%s'",
              format, err.status, (unsigned long)err.index, err.path);
        tensors[0].leaf.data = w;
    }
    for (format = MPX_FORMAT_SAFETENSORS; format <= MPX_FORMAT_NPZ; format++) { /* the fourth does not fit */
        mpx_file_tensor many[5];
        size_t i;
        if (format == MPX_FORMAT_NPY) continue;
        for (i = 0; i < 5; i++) many[i] = tensor_of(&"m0\0m1\0m2\0m3\0m4"[3 * i], w, i < 4 ? (size_t)-1 / 8 : 1, MPX_I8);
        file.format = (mpx_file_format)format;
        file.tensors = many;
        file.count = 5;
        err = test_any_error();
        CHECK(mpx_file_size(&file, &size, &err) == MPX_ERR_SPACE && err.index == 3 && strcmp(err.path, "m3") == 0,
              "%d: %d at %lu in '%s'", format, err.status, (unsigned long)err.index, err.path);
        if (format != MPX_FORMAT_GGUF) continue;
        many[0] = tensor_of("m0", w, (size_t)-1 / 3 / 128 * 18, MPX_U8);
        many[0].shape[0] = (size_t)-1 / 3 / 128 * 128;
        many[0].type = "Q1_0";
        file.count = 1;
        CHECK(mpx_file_size(&file, &size, &err) == MPX_OK && size > many[0].leaf.count, "many elements: %s", err.what);
    }
}
/* Elements of the other byte order are turned on the way, each part of a complex number by itself. */
static void check_swapped(void) {
    unsigned char data[600], out[800], want[800];
    static const mpx_dtype types[4] = { MPX_F16, MPX_F32, MPX_I64, MPX_C64 };
    static const size_t widths[4] = { 2, 4, 8, 4 };
    size_t k, i, size = 0, plain = 0;
    mpx_file_tensor t;
    mpx_file file;
    sink s;
    for (k = 0; k < 4; k++) {
        t = tensor_of("", data, 600, MPX_U8);
        for (i = 0; i < 600; i++) data[i] = (unsigned char)(i % 251);
        memset(&file, 0, sizeof file);
        file.format = MPX_FORMAT_NPY;
        file.tensors = &t;
        file.count = 1;
        t.dtype = types[k];
        t.shape[0] = 600 / ((size_t)mpx_dtype_bits(types[k]) / 8);
        t.swapped = 1;
        out[728] = 77;
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && mpx_file_save(out, 800, &file, NULL) == MPX_OK, "%d", types[k]);
        CHECK(size == 728 && out[728] == 77, "%d: written behind the end", types[k]);
        t = tensor_of("", data, t.shape[0], types[k]);
        for (i = 0; i < 600; i++) data[i] = (unsigned char)((i / widths[k] * widths[k] + widths[k] - 1 - i % widths[k]) % 251);
        CHECK(mpx_file_size(&file, &plain, NULL) == MPX_OK && mpx_file_save(want, 800, &file, NULL) == MPX_OK, "%d", types[k]);
        CHECK(size == plain && memcmp(out, want, size) == 0, "%d", types[k]);
        /* without data they are the callback's, who has them little-endian; no name is an empty one */
        memset(&s, 0, sizeof s);
        s.bytes = out;
        s.data = data;
        t = tensor_of(NULL, NULL, 600, MPX_U8);
        t.dtype = types[k];
        t.shape[0] = 600 / ((size_t)mpx_dtype_bits(types[k]) / 8);
        t.swapped = !is_big_endian();
        CHECK(mpx_file_write(&file, take, &s, NULL) == MPX_OK && s.tensors == 1 && s.size == size, "%d", types[k]);
        CHECK(is_big_endian() || memcmp(out, want, size) == 0, "%d", types[k]);
    }
    CHECK(mpx_file_find(&file, "") == &t && mpx_file_find(&file, "a") == NULL, "a tensor without a name");
}
/* A tensor that was read and then cast: the leaf says what its data are, not what they were in the file. */
static void check_recast(void) {
    unsigned char data[64], out[800], want[800];
    size_t i, size = 0, plain = 0;
    int format;
    for (i = 0; i < sizeof data; i++) data[i] = (unsigned char)i;
    for (format = MPX_FORMAT_SAFETENSORS; format <= MPX_FORMAT_NPZ; format++) {
        mpx_file_tensor t = tensor_of(format == MPX_FORMAT_NPY ? "" : "a", data, 32, MPX_F16);
        mpx_file file;
        memset(&file, 0, sizeof file);
        file.format = (mpx_file_format)format;
        file.tensors = &t;
        file.count = 1;
        CHECK(mpx_file_size(&file, &plain, NULL) == MPX_OK && mpx_file_save(want, 800, &file, NULL) == MPX_OK, "%d", format);
        t.dtype = format % 2 != 0 ? MPX_I16 : MPX_F32; /* as wide, and wider */
        t.type = "F32";
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && mpx_file_save(out, 800, &file, NULL) == MPX_OK, "%d", format);
        CHECK(size == plain && memcmp(out, want, size) == 0, "%d", format);
    }
}
/* safetensors without gaps: where elements would begin at no multiple of their size, the data of wider ones go first; the
   header keeps the order. Else the data do, too. */
static void check_turns(void) {
    static const mpx_dtype types[] = { MPX_U8,   MPX_F16,      MPX_F32, MPX_BOOL,    MPX_C64,
                                       MPX_BF16, MPX_F4E2M1FN, MPX_F64, MPX_F8E4M3FN },
                           even[] = { MPX_F16, MPX_BF16, MPX_F32, MPX_U8, MPX_I8, MPX_F4E2M1FN },
                           two[] = { MPX_U8, MPX_F16 };
    enum { COUNT = sizeof types / sizeof types[0] };
    static const char *const names[COUNT] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
    unsigned char data[COUNT][48], out[2000], memory[4096];
    mpx_file_tensor tensors[COUNT];
    size_t round, i, j, size;
    mpx_file file, read;
    for (round = 0; round < 3; round++) {
        const mpx_dtype *list = round == 0 ? types : round == 1 ? even : two;
        const size_t count = (round == 0 ? sizeof types : round == 1 ? sizeof even : sizeof two) / sizeof types[0];
        for (i = 0; i < count; i++) {
            memset(data[i], (int)i + 1, sizeof data[i]);
            tensors[i] = tensor_of(names[i], data[i], round != 1 ? 3 + i % 2 * 2 : 4, list[i]);
            if (list[i] == MPX_F4E2M1FN) tensors[i] = tensor_of(names[i], data[i], 6, list[i]);
        }
        memset(&file, 0, sizeof file);
        file.format = MPX_FORMAT_SAFETENSORS;
        file.tensors = tensors;
        file.count = count;
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size < sizeof out, "%lu", (unsigned long)round);
        CHECK(mpx_file_save(out, size, &file, NULL) == MPX_OK, "%lu", (unsigned long)round);
        CHECK(mpx_file_open(&read, out, size, memory, sizeof memory, NULL) == MPX_OK && read.count == count, "no holes");
        for (i = 0; i < read.count; i++) {
            const mpx_file_tensor *t = &read.tensors[i];
            const unsigned char *at = (const unsigned char *)t->leaf.data;
            const size_t bits = (size_t)mpx_dtype_bits(list[i]), bytes = mpx_dtype_bytes(list[i], tensors[i].leaf.count);
            CHECK(strcmp(t->leaf.path, names[i]) == 0 && t->dtype == list[i], "%lu: the header's order", (unsigned long)i);
            CHECK(bits <= 8 || (size_t)(at - out) % (bits / 8) == 0, "%s begins at byte %lu", mpx_dtype_name(list[i]),
                  (unsigned long)(at - out));
            CHECK(memcmp(at, data[i], bytes) == 0, "%lu: other data", (unsigned long)i);
            for (j = 0; j < i; j++) {
                const int wider = round != 1 && bits > 8 && mpx_dtype_bits(list[j]) < (int)bits;
                CHECK(((const unsigned char *)read.tensors[j].leaf.data > at) == wider, "%s, %s", names[j], names[i]);
            }
        }
    }
}
/* What is asked for a file: a tensor, its column, and what is kept of its texts with a byte behind each; the rest aligns. */
static void check_need(void) {
    static const char header[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    unsigned char bytes[200], *at = put(bytes, sizeof header - 1, 8);
    mpx_file file;
    mpx_error err;
    memcpy(at, header, sizeof header - 1);
    CHECK(mpx_file_open(&file, bytes, 8 + sizeof header - 1 + 8, NULL, 0, &err) == MPX_ERR_SPACE &&
              err.need == sizeof(mpx_file_tensor) + sizeof(size_t) + 2 + 4 + 15, "%lu bytes", (unsigned long)err.need);
}
/* What a format does not take. */
static void check_refusals(void) {
    static unsigned char data[4096];
    static const struct {
        mpx_file_format format;
        mpx_status status;
        const char *sentence;
    } wanted[] = {
        { MPX_FORMAT_NONE, MPX_ERR_ARGUMENT, "no such format" },
        { (mpx_file_format)9, MPX_ERR_ARGUMENT, "no such format" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_EXISTS, "at entry 1 in 'a': one before has this name" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_DTYPE, "at entry 0 in 'a': safetensors have no such dtype" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_EXISTS, "'__metadata__': safetensors have this name for metadata" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_SHAPE, "'a': type and shape need other bytes than the leaf has" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_SHAPE, "'a': more than eight dimensions" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_FORMAT, "'a': order of Fortran is NumPy's alone" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_FILE, "no UTF-8" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_FORMAT, "'k': metadata of safetensors are texts" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_EXISTS, "'k': one before has this name" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_FILE, "'k': no UTF-8" },
        { MPX_FORMAT_GGUF, MPX_ERR_DTYPE, "'a': GGUF has no such type" },
        { MPX_FORMAT_GGUF, MPX_ERR_DTYPE, "'a': GGUF has no such type" },
        { MPX_FORMAT_GGUF, MPX_ERR_SHAPE, "'a': ggml has at most four dimensions" },
        { MPX_FORMAT_GGUF, MPX_ERR_SHAPE, "'a': type and shape need other bytes than the leaf has" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "'general.alignment': no power of two in 32 bits" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "'k': count and size do not agree" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "'k': count and size do not agree" },
        { MPX_FORMAT_GGUF, MPX_ERR_DTYPE, "'k': GGUF has no such dtype" },
        { MPX_FORMAT_NPY, MPX_ERR_FORMAT, "a .npy file is one tensor" },
        { MPX_FORMAT_NPZ, MPX_ERR_FORMAT, "files of NumPy have no metadata" },
        { MPX_FORMAT_NPZ, MPX_ERR_DTYPE, "'a': NumPy has no such dtype" },
        { MPX_FORMAT_GGUF, MPX_ERR_SPACE, "the file is too large" },
        { MPX_FORMAT_NPY, MPX_ERR_FORMAT, "files of NumPy have no metadata" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "'general.alignment': no power of two in 32 bits" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "'k': count and size do not agree" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "'general.alignment': no power of two in 32 bits" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "at entry 0 in 'k': count and size do not agree" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "at entry 0 in 'k': count and size do not agree" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_DTYPE, "'a': safetensors have no such dtype" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_SHAPE, "'a': type and shape need other bytes than the leaf has" },
        { MPX_FORMAT_GGUF, MPX_ERR_SHAPE, "'a': type and shape need other bytes than the leaf has" },
        { MPX_FORMAT_NPZ, MPX_ERR_SHAPE, "'a': type and shape need other bytes than the leaf has" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "at entry 0 in 'general.alignment': no power of two in 32 bits" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "at entry 1 in 'general.alignment': no power of two in 32 bits" },
        { MPX_FORMAT_GGUF, MPX_ERR_DTYPE, "at entry 0 in 'k': GGUF has no such dtype" },
        { MPX_FORMAT_GGUF, MPX_ERR_FILE, "at entry 0 in 'k': count and size do not agree" },
        { MPX_FORMAT_GGUF, MPX_ERR_DTYPE, "'a': GGUF has no such type" },
        { MPX_FORMAT_GGUF, MPX_ERR_DTYPE, "'a': GGUF has no such type" },
        { MPX_FORMAT_NPZ, MPX_ERR_DTYPE, "'a': NumPy has no such dtype" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_FORMAT, "'k': metadata of safetensors are texts" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_DTYPE, "'a': safetensors have no such dtype" },
        { MPX_FORMAT_SAFETENSORS, MPX_ERR_DTYPE, "'a': safetensors have no such dtype" },
        { MPX_FORMAT_NPZ, MPX_ERR_DTYPE, "'a': NumPy has no such dtype" },
        { MPX_FORMAT_NPZ, MPX_ERR_DTYPE, "'a': NumPy has no such dtype" },
    };
    size_t i;
    for (i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        mpx_file_tensor tensors[5];
        mpx_file_meta metas[2];
        mpx_file file;
        mpx_error err;
        mpx_status status;
        size_t size = 77;
        char text[MPX_ERROR_TEXT_SIZE] = "", what[40];
        memset(&file, 0, sizeof file);
        memset(metas, 0, sizeof metas);
        tensors[0] = tensor_of("a", data, 32, MPX_F32);
        tensors[1] = tensor_of("b", data, 32, MPX_F32);
        metas[0].key = "k";
        metas[0].data = data;
        metas[1] = metas[0];
        file.format = wanted[i].format;
        file.tensors = tensors;
        file.count = 2;
        file.metas = metas;
        switch (i) {
        case 2: tensors[1].leaf.path = "a"; break;
        case 3: tensors[0].leaf.dtype = MPX_I4; break;
        case 4: tensors[0].leaf.path = "__metadata__"; break;
        case 5: tensors[0].leaf.count = 31; break;
        case 6: tensors[0].rank = 9; break;
        case 7: tensors[0].fortran = 1; break;
        case 8: tensors[0].leaf.path = "\xff"; break;
        case 9: file.meta_count = 1; metas[0].dtype = MPX_F32; metas[0].count = 1; metas[0].size = 4; break;
        case 10: file.meta_count = 2; break;
        case 11: file.meta_count = 1; metas[0].data = "\xc3"; metas[0].count = metas[0].size = 1; break;
        case 12: tensors[0] = tensor_of("a", data, 32, MPX_U32); break;
        case 13: tensors[0].quant.scheme = MPX_SCHEME_MX; break;
        case 14: tensors[0].rank = 5; tensors[0].shape[1] = tensors[0].shape[2] = tensors[0].shape[3] = 1;
                 tensors[0].shape[4] = 1; break;
        case 15: tensors[0].quant.scheme = MPX_SCHEME_Q8_0; break;
        case 16: file.meta_count = 1; metas[0].key = "general.alignment"; metas[0].dtype = MPX_U32; metas[0].count = 1;
                 metas[0].size = 4; metas[0].data = "\3\0\0"; break;
        case 25: file.meta_count = 1; metas[0].key = "general.alignment"; metas[0].dtype = MPX_I32; metas[0].count = 1;
                 metas[0].size = 4; metas[0].data = "\40\0\0"; break;
        case 26: file.meta_count = 1; metas[0].is_array = 1; metas[0].count = 1; metas[0].size = 12;
                 metas[0].data = "\5\0\0\0\0\0\0\0abcd"; break; /* a text of 5 bytes where there are 4 */
        case 27: file.meta_count = 1; metas[0].key = "general.alignment"; metas[0].dtype = MPX_U32; metas[0].count = 1;
                 metas[0].is_array = 1; metas[0].size = 4; metas[0].data = "\40\0\0"; break; /* an array of one */
        case 28: file.meta_count = 1; metas[0].dtype = MPX_F32; metas[0].count = 1; metas[0].size = 5; break; /* a byte more */
        case 29: file.meta_count = 1; metas[0].dtype = MPX_U32; metas[0].count = 2; metas[0].size = 11; metas[0].is_array = 1; break;
        case 30: tensors[0] = tensor_of("a", data, 160, MPX_U8); tensors[0].type = "|S5"; tensors[0].shape[0] = 32; break;
        case 31: case 32: case 33: /* no elements, of which one dimension has more than can be read */
            tensors[0].leaf.count = 0;
            tensors[0].rank = 2;
            tensors[0].shape[0] = 0;
            tensors[0].shape[1] = (size_t)-1;
            break;
        case 17: file.meta_count = 1; metas[0].is_array = 1; metas[0].count = 2; metas[0].size = 8; break;
        case 18: file.meta_count = 1; metas[0].dtype = MPX_F32; metas[0].count = 2; metas[0].size = 8; break;
        case 19: file.meta_count = 1; metas[0].dtype = MPX_F16; metas[0].count = 1; metas[0].size = 2; break;
        case 21: file.meta_count = 1; break;
        case 24: file.meta_count = file.count = 1; break;
        case 34: case 35: /* of eight bytes; 24, behind another entry */
            file.meta_count = i - 33;
            metas[i - 34].key = "general.alignment";
            metas[i - 34].dtype = MPX_U32;
            metas[i - 34].count = 1;
            metas[i - 34].size = i == 34 ? 8 : 4;
            metas[i - 34].data = i == 34 ? "\40\0\0\0\0\0\0" : "\30\0\0";
            break;
        case 36: file.meta_count = 2; metas[1].key = "l"; metas[0].dtype = MPX_BF16; metas[0].count = 1; metas[0].size = 2; break;
        case 37: file.meta_count = 1; metas[0].is_array = 1; metas[0].count = 1; metas[0].size = 11;
                 metas[0].data = "\2\0\0\0\0\0\0\0abc"; break; /* a byte behind the text */
        case 38: tensors[0] = tensor_of("a", data, 128, MPX_U8); tensors[0].type = ""; break;
        case 39: tensors[0].quant.scheme = (mpx_scheme)(MPX_SCHEME_GGML_NVFP4 + 1); break;
        case 40: tensors[0] = tensor_of("a", data, 34, MPX_U8); tensors[0].shape[0] = 32;
                 tensors[0].quant.scheme = MPX_SCHEME_Q8_0; break;
        case 41: file.meta_count = 1; metas[0].is_array = 1; metas[0].count = 1; metas[0].size = 8; break;
        case 42: tensors[0] = tensor_of("a", data, 0, MPX_NONE); break;
        case 43: tensors[0] = tensor_of("a", data, 12, MPX_U8); tensors[0].type = "<U3"; tensors[0].shape[0] = 1; break;
        case 44: case 45: /* what was read as "<f4" are blocks now, or none */
            tensors[0] = tensor_of("a", data, i == 44 ? 34 : 0, MPX_U8);
            tensors[0].shape[0] = i == 44 ? 32 : 0;
            tensors[0].type = "<f4";
            tensors[0].quant.scheme = MPX_SCHEME_Q8_0;
            break;
        case 22: tensors[0].leaf.dtype = MPX_I4; break;
        case 23:
            for (file.count = 0; file.count < 5; file.count++) {
                static const char *const names[5] = { "a", "b", "c", "d", "e" };
                tensors[file.count] = tensor_of(names[file.count], NULL, (size_t)-1 >> 3, MPX_I8);
            }
            break;
        default: break;
        }
        status = mpx_file_size(&file, &size, &err);
        sprintf(what, "line %lu of wanted", (unsigned long)i + 1);
        mpx_error_format(&err, NULL, text, sizeof text);
        CHECK(status == wanted[i].status && err.status == status && strstr(text, wanted[i].sentence) != NULL, "%s: %s", what,
              text);
        CHECK(size == 77 && mpx_file_size(&file, &size, NULL) == status, "%s", what);
        CHECK(strstr(text, " at byte ") == NULL, "%s: nothing is read: %s", what, text);
    }
}
/* More tensors than 16 bits count, more than a writer compares at once: .npz has to end in 64 bits. */
static void check_many(void) {
    enum { MANY = 66000 };
    mpx_file_tensor *tensors = (mpx_file_tensor *)malloc(MANY * sizeof *tensors);
    char(*names)[12] = (char(*)[12])malloc(MANY * sizeof *names);
    unsigned char *bytes;
    mpx_file file;
    size_t size = 0, i;
    opened o;
    mpx_error err;
    if (tensors == NULL || names == NULL) exit(2);
    memset(&file, 0, sizeof file);
    for (i = 0; i < MANY; i++) {
        sprintf(names[i], "t%lu", (unsigned long)(i * 7919 % MANY));
        tensors[i] = tensor_of(names[i], names[i], 1, MPX_I8);
    }
    file.tensors = tensors;
    for (i = MPX_FORMAT_SAFETENSORS; i <= MPX_FORMAT_NPZ; i++) {
        size_t j, wrong = 0;
        file.format = (mpx_file_format)i;
        file.count = i == MPX_FORMAT_NPZ ? MANY : i == MPX_FORMAT_NPY ? 1 : 3000;
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK, "format %lu", (unsigned long)i);
        bytes = room_of(NULL, size);
        CHECK(mpx_file_save(bytes, size, &file, NULL) == MPX_OK, "format %lu", (unsigned long)i);
        CHECK(open_bytes(&o, bytes, size, NULL) == MPX_OK && o.file.count == file.count, "format %lu", (unsigned long)i);
        for (j = 0; j < o.file.count && i != MPX_FORMAT_NPY; j++)
            wrong += strcmp(o.file.tensors[j].leaf.path, names[j]) != 0 || *(char *)o.file.tensors[j].leaf.data != 't';
        CHECK(wrong == 0, "format %lu: %lu wrong", (unsigned long)i, (unsigned long)wrong);
        if (i == MPX_FORMAT_NPZ) {
            unsigned char end[98], *to = put(put(end, 0x06064b50, 4), 44, 8);
            size_t directory = 0;
            for (j = 0; j < MANY; j++) directory += 46 + strlen(names[j]) + 4;
            to = put(put(put(put(put(to, 45 | 45 << 16, 4), 0, 8), MANY, 8), MANY, 8), directory, 8);
            to = put(put(put(put(put(to, size - 98 - directory, 8), 0x07064b50, 4), 0, 4), size - 98, 8), 1, 4);
            to = put(put(put(put(to, 0x06054b50, 4), 0, 4), 0xffffffffu, 4), directory, 4);
            put(put(to, size - 98 - directory, 4), 0, 2);
            CHECK(memcmp(bytes + size - 98, end, 98) == 0, "the end of the archive");
        }
        close_file(&o);
        free(bytes);
    }
    file.format = MPX_FORMAT_GGUF;
    file.count = 3000;
    tensors[2999].leaf.path = names[130];
    CHECK(mpx_file_size(&file, &size, &err) == MPX_ERR_EXISTS && err.index == 2999, "%lu", (unsigned long)err.index);
    free(names);
    free(tensors);
}
/* Members from 2 GiB on, and behind them, have sizes and places in 64 bits, as Python's zipfile has it. Only counted. */
static void check_large(void) {
    const size_t three_gib = sizeof(size_t) > 4 ? (size_t)3 << 15 << 15 : 1000;
    mpx_file_tensor tensors[2];
    mpx_file file;
    size_t size = 0, header = 30 + 5 + 20 + 128, entry = 46 + 5;
    const size_t wide = sizeof(size_t) > 4 ? (4 + 16) + (4 + 8) + 56 + 20 : 0;
    tensors[0] = tensor_of("a", "", three_gib, MPX_U8);
    tensors[1] = tensor_of("b", "", 1, MPX_U8);
    memset(&file, 0, sizeof file);
    file.format = MPX_FORMAT_NPZ;
    file.tensors = tensors;
    file.count = 2;
    CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK, "large");
    CHECK(size == three_gib + 1 + 2 * header + 2 * entry + wide + 22, "%lu bytes", (unsigned long)size);
}
/* A type that is not known goes to files of its own format alone, under its name. */
static void check_unknown(void) {
    static unsigned char bytes[ROOM], again[ROOM];
    static const struct lie lie = { "{\"w\":{\"dtype\":\"NEW\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, 0, MPX_OK, "" };
    size_t wrong, size = 0, i;
    opened o, back;
    CHECK(open_bytes(&o, bytes, safetensors_of(bytes, &lie, &wrong), NULL) == MPX_OK, "NEW");
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_OK && size < ROOM, "NEW");
    CHECK(mpx_file_save(again, size, &o.file, NULL) == MPX_OK && open_bytes(&back, again, size, NULL) == MPX_OK, "NEW");
    CHECK(strcmp(back.file.tensors[0].type, "NEW") == 0 && back.file.tensors[0].leaf.count == 2, "NEW");
    close_file(&back);
    o.file.format = MPX_FORMAT_GGUF;
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_ERR_DTYPE, "NEW in GGUF");
    o.file.format = MPX_FORMAT_NPY;
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_ERR_DTYPE, "NEW in .npy");
    close_file(&o);
    open_file(&o, "names.safetensors");
    o.file.format = MPX_FORMAT_NPZ;
    o.file.meta_count = 0;
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_OK, "types of safetensors in .npz");
    close_file(&o);
    open_file(&o, "blocks.gguf");
    while (o.file.count > 1 && strcmp(o.file.tensors->type, "IQ4_NL") != 0) o.file.tensors++, o.file.count--;
    o.file.count = 1;
    o.file.meta_count = 0;
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_OK, "IQ4_NL");
    o.file.format = MPX_FORMAT_SAFETENSORS;
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_ERR_DTYPE, "IQ4_NL in safetensors");
    o.file.format = MPX_FORMAT_NPZ;
    CHECK(mpx_file_size(&o.file, &size, NULL) == MPX_ERR_DTYPE, "IQ4_NL in .npz");
    close_file(&o);
    open_file(&o, "names.safetensors"); /* quantized since: the type that it had is not written */
    for (i = 0; i < o.file.count; i++) {
        mpx_file one = o.file;
        one.tensors += i, one.count = 1, one.meta_count = 0;
        one.tensors->dtype = MPX_NONE, one.tensors->quant.scheme = MPX_SCHEME_Q8_0, one.tensors->leaf.dtype = MPX_U8;
        CHECK(mpx_file_size(&one, &size, NULL) == MPX_ERR_DTYPE, "q8_0, once %s", one.tensors->type);
    }
    close_file(&o);
}
/* What is looked for by name is among those that are counted. */
static void check_find(void) {
    opened o;
    size_t n, metas;
    open_file(&o, "dtypes.gguf");
    for (n = o.file.count; n > 0; n--) {
        const mpx_file_tensor *last = &o.file.tensors[n - 1];
        o.file.count = n;
        CHECK(mpx_file_find(&o.file, last->leaf.path) == last, "%s", last->leaf.path);
        o.file.count = n - 1;
        CHECK(mpx_file_find(&o.file, last->leaf.path) == NULL, "%s", last->leaf.path);
    }
    close_file(&o);
    open_file(&o, "types.gguf");
    for (metas = o.file.meta_count; metas > 0; metas--) {
        const mpx_file_meta *last = &o.file.metas[metas - 1];
        o.file.meta_count = metas;
        CHECK(mpx_file_find_meta(&o.file, last->key) == last, "%s", last->key);
        o.file.meta_count = metas - 1;
        CHECK(mpx_file_find_meta(&o.file, last->key) == NULL, "%s", last->key);
    }
    close_file(&o);
}
/* A file is a tree: it is cast like any other; blocks stay as they are. */
static void check_tree(void) {
    opened o;
    mpx_weights_options opt;
    mpx_weights weights;
    static uint64_t block[4096];
    mpx_tree_size tree_size;
    mpx_error err;
    size_t i, f16 = 0;
    memset(&opt, 0, sizeof opt);
    open_file(&o, "blocks.gguf");
    CHECK(mpx_tree_measure(mpx_tree_of_file(&o.file), MPX_F16, &tree_size, NULL) == MPX_OK && tree_size.leaves == o.file.count, "%lu",
          (unsigned long)tree_size.leaves);
    close_file(&o);
    open_file(&o, "dtypes.gguf");
    opt.block = block;
    opt.size = sizeof block;
    opt.cols = o.file.cols;
    opt.leave = 1;
    CHECK(is_big_endian() || mpx_weights_cast(&weights, mpx_tree_of_file(&o.file), "default = f16", &opt, &err) >= 0, "%d",
          err.status);
    for (i = 0; !is_big_endian() && i < weights.count; i++) f16 += weights.leaves[i].dtype == MPX_F16;
    CHECK(is_big_endian() || f16 == 5, "%lu floats", (unsigned long)f16);
    close_file(&o);
}

/* ---- bounds that the packages' files do not come to ------------------------------------------ */

/* Escapes become UTF-8, at both ends of each length; what JSON must escape comes back from a file that is written. */
static void check_escapes(void) {
    static const struct lie lie = {
        "{\"__metadata__\":{\"k\":\"\\u0001\\u007f|\\u0080\\u07ff|\\u0800\\ud7ff\\ue000\\uffff|\\ud800\\udc00\\uDBFF\\uDFFF|"
        "\\ud83e\\udd84\"}}", 0, 0, MPX_OK, "" };
    static const struct lie word = {
        "{\"\\u005f_meta\\u0064ata__\":{\"k\":\"v\"},\"w\":{\"d\\u0074ype\":\"F\\u00316\",\"shape\":[2],\"dat\\u0061_offsets\":"
        "[0,4]}}", 4, 0, MPX_OK, "" };
    static const char text[] = "\1\x7f|\xc2\x80\xdf\xbf|\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf|"
                               "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf|\xf0\x9f\xa6\x84";
    static unsigned char bytes[ROOM], out[ROOM];
    char name[0x80] = "";
    size_t wrong, size = 0, i;
    opened o;
    mpx_file_tensor t = tensor_of(name, bytes, 1, MPX_U8);
    mpx_file file;
    CHECK(open_bytes(&o, bytes, safetensors_of(bytes, &lie, &wrong), NULL) == MPX_OK, "escapes");
    CHECK(o.file.meta_count == 1 && o.file.metas[0].size == sizeof text - 1 &&
              memcmp(o.file.metas[0].data, text, sizeof text) == 0, "escapes");
    close_file(&o);
    CHECK(open_bytes(&o, bytes, safetensors_of(bytes, &word, &wrong), NULL) == MPX_OK, "escapes");
    CHECK(o.file.tensors[0].dtype == MPX_F16 && (is_big_endian() || o.file.tensors[0].leaf.count == 2) &&
              strcmp(o.file.tensors[0].type, "F16") == 0 && o.file.meta_count == 1, "escapes in keys and in a dtype");
    close_file(&o);
    for (i = 0; i < 0x7f; i++) name[i] = (char)(i + 1);
    name[0x7f] = '\0';
    memset(&file, 0, sizeof file);
    file.format = MPX_FORMAT_SAFETENSORS;
    file.tensors = &t;
    file.count = 1;
    CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && mpx_file_save(out, ROOM, &file, NULL) == MPX_OK, "a name");
    CHECK(open_bytes(&o, out, size, NULL) == MPX_OK && strcmp(o.file.tensors[0].leaf.path, name) == 0, "a name");
    close_file(&o);
}
/* Where data of GGUF begin, for names and data of many lengths, as it is written and as it is read. */
static void check_gguf_padding(void) {
    static unsigned char data[80], out[2000];
    char name[40];
    size_t n, size = 0, k;
    for (n = 0; n < sizeof data; n++) data[n] = (unsigned char)(n + 1);
    for (n = 0; n <= 66; n++) {
        mpx_file_tensor tensors[2];
        const size_t length = 1 + n % 33, header = 24 + (8 + length + 4 + 8 + 4 + 8) + (8 + 1 + 4 + 8 + 4 + 8),
                     base = (header + 31) / 32 * 32, next = (n + 31) / 32 * 32;
        mpx_file file;
        opened o;
        memset(name, 'n', length);
        name[length] = '\0';
        tensors[0] = tensor_of(name, data, n, MPX_I8);
        tensors[1] = tensor_of("b", data, 3, MPX_I8);
        memset(&file, 0, sizeof file);
        file.format = MPX_FORMAT_GGUF;
        file.tensors = tensors;
        file.count = 2;
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size == base + next + 32, "%lu: %lu bytes", (unsigned long)n,
              (unsigned long)size);
        CHECK(mpx_file_save(out, sizeof out, &file, NULL) == MPX_OK && out[header - 8] == next, "%lu", (unsigned long)n);
        CHECK(memcmp(out + base, data, n) == 0 && memcmp(out + base + next, data, 3) == 0, "%lu", (unsigned long)n);
        CHECK(open_bytes(&o, out, size, NULL) == MPX_OK, "%lu", (unsigned long)n);
        for (k = 0; k < o.file.count; k++)
            CHECK((unsigned char *)o.file.tensors[k].leaf.data == o.bytes + base + k * next, "%lu", (unsigned long)n);
        close_file(&o);
    }
}
/* Files that are no longer than what their format is known by. */
static void check_short(void) {
    static const struct {
        const char *bytes;
        size_t size;
        const char *what;
    } shorts[] = {
        { "GGU", 3, "neither safetensors nor GGUF, .npy or .npz" }, { "GGUF", 4, "too few bytes" },
        { "\x93NUMP", 5, "neither safetensors nor GGUF, .npy or .npz" }, { "\x93NUMPY", 6, "too few bytes" },
        { "PK\3", 3, "neither safetensors nor GGUF, .npy or .npz" }, { "PK\3\4", 4, "the archive has no end" },
        { "PK\5\6", 4, "the archive has no end" }, { "\2\0\0\0\0\0\0\0{", 9, "too few bytes" },
        { "\2\0\0\0\0\0\0\0", 8, "neither safetensors nor GGUF, .npy or .npz" },
    };
    size_t i;
    for (i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
        opened o;
        mpx_error err;
        CHECK(open_bytes(&o, shorts[i].bytes, shorts[i].size, &err) != MPX_OK && strcmp(err.what, shorts[i].what) == 0, "%lu: %s",
              (unsigned long)i, err.what);
        close_file(&o);
    }
}
/* Metadata that no reader made: short texts, counts that do not fit the size. */
static void check_metas(void) {
    mpx_file_meta meta;
    size_t n, at, length = 0;
    float x;
    for (n = 0; n < 3; n++) {
        memset(&meta, 0, sizeof meta);
        meta.key = "k";
        meta.data = "ab";
        meta.count = meta.size = n;
        at = 0;
        CHECK(mpx_file_text(&meta, &at, &length) == meta.data && length == n, "a text of %lu", (unsigned long)n);
        CHECK(mpx_file_text(&meta, &at, &length) == NULL, "a text of %lu", (unsigned long)n);
    }
    for (n = 0; n < 32; n++) { /* a text of two bytes and one of none, with fewer or more bytes than they take */
        int texts = 0;
        memset(&meta, 0, sizeof meta);
        meta.data = "\2\0\0\0\0\0\0\0ab\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0";
        meta.is_array = 1;
        meta.size = n < 26 ? n : 26;
        for (at = 0; mpx_file_text(&meta, &at, &length) != NULL; texts++)
            CHECK(length == (texts == 0 ? 2 : 0), "text %d of %lu bytes", texts, (unsigned long)length);
        CHECK(texts == (n < 10 ? 0 : n < 18 ? 1 : 2), "%d texts in %lu bytes", texts, (unsigned long)n);
        at = n; /* behind the last, whatever is there */
        meta.size = 0;
        CHECK(mpx_file_text(&meta, &at, &length) == NULL, "%lu bytes behind", (unsigned long)n);
    }
    meta.data = "\0\0\0\0\0\0\200\77"; /* 0 and 1 */
    meta.dtype = MPX_F32;
    meta.is_array = 1;
    meta.size = 8;
    for (meta.count = 0; meta.count < 4; meta.count++)
        for (n = 0; n < 4; n++)
            CHECK(mpx_file_number(&x, MPX_F32, &meta, n) == (n < meta.count && n < 2 ? MPX_OK : MPX_ERR_ARGUMENT), "%lu of %lu",
                  (unsigned long)n, (unsigned long)meta.count);
}
/* An error that did not come from here whole: without a reason, the place. */
static void check_no_reason(void) {
    static const char want[] = "malformed file at byte 5";
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    memset(&err, 0, sizeof err);
    err.status = MPX_ERR_FILE;
    err.subject = MPX_SUBJECT_FILE;
    err.offset = 5;
    err.index = (size_t)-1;
    (void)mpx_error_format(&err, NULL, text, sizeof text);
    CHECK(strncmp(text, want, sizeof want - 1) == 0, "%s", text);
}
/* Two texts, in a file without tensors. */
static void check_two_texts(void) {
    static const char want[] = "\50\0\0\0\0\0\0\0{\"__metadata__\":{\"k\":\"a,\",\"l\":\"\"}}      ";
    mpx_file_meta metas[2];
    mpx_file file;
    char out[sizeof want] = "";
    memset(metas, 0, sizeof metas);
    memset(&file, 0, sizeof file);
    metas[0].key = "k", metas[0].data = "a,", metas[0].count = metas[0].size = 2;
    metas[1].key = "l", metas[1].data = "";
    file.format = MPX_FORMAT_SAFETENSORS;
    file.metas = metas;
    file.meta_count = 2;
    CHECK(mpx_file_save(out, sizeof want - 1, &file, NULL) == MPX_OK && memcmp(out, want, sizeof want) == 0, "%s", out + 8);
}
/* general.alignment of another type; files of version 2, which stay such. */
static void check_gguf_others(void) {
    static unsigned char bytes[ROOM], out[ROOM];
    static const struct {
        uint32_t type;
        mpx_status status;
    } types[] = { { 4, MPX_OK }, { 5, MPX_ERR_FILE }, { 6, MPX_ERR_FILE }, { 9, MPX_ERR_FILE } };
    size_t i, size;
    opened o;
    mpx_error err;
    for (i = 0; i < sizeof types / sizeof types[0]; i++) {
        unsigned char *at = put(put((unsigned char *)memcpy(bytes, "GGUF\3\0\0", 8) + 8, 0, 8), 1, 8);
        at = put(put_text(at, "general.alignment"), types[i].type, 4);
        if (types[i].type == 9) at = put(put(at, 4, 4), 1, 8);
        at = put(at, 32, 4);
        CHECK(open_bytes(&o, bytes, (size_t)(at - bytes), &err) == types[i].status, "type %lu", (unsigned long)types[i].type);
        CHECK(err.status == MPX_OK || strcmp(err.what, "the alignment is no power of two in 32 bits") == 0, "%s", err.what);
        close_file(&o);
    }
    size = read_file("dtypes.gguf", bytes);
    bytes[4] = 2;
    CHECK(open_bytes(&o, bytes, size, NULL) == MPX_OK && o.file.version == 2, "version 2");
    CHECK(mpx_file_save(out, size, &o.file, NULL) == MPX_OK && memcmp(out, bytes, size) == 0, "version 2");
    close_file(&o);
}
/* Headers of .npy as NumPy's write_array makes them: room for 21 digits of the dimension that may grow, spaces up to 64. */
static void check_npy_headers(void) {
    static const size_t dims[] = { 1, 7, 10, 123, 4567, 100000, 1234567 };
    static unsigned char out[ROOM];
    size_t i, k, zeros, size = 0;
    for (i = 0; i < 848; i++) { /* from 800 on: of every length around a multiple of 64 */
        const size_t rank = i < 800 ? i / 2 % 8 + 1 : 8;
        const int fortran = i < 800 ? i % 3 == 0 && rank > 1 : 1, is_f32 = i % 2 != 0 || i >= 800;
        char dict[400], last[24];
        mpx_file_tensor t = tensor_of("", NULL, 0, is_f32 ? MPX_F32 : MPX_C128);
        mpx_file file;
        opened o;
        size_t count = 1;
        int n = sprintf(dict, "{'descr': '%s', 'fortran_order': %s, 'shape': (", is_f32 ? "<f4" : "<c16",
                        fortran ? "True" : "False");
        for (t.rank = rank, k = 0; k < rank; k++) {
            t.shape[k] = dims[(i / 16 + k * (i / 7)) % 7];
            if (count > ((size_t)-1 >> 9) / t.shape[k]) t.shape[k] = 1;
            if (i >= 800) /* a 1 and up to eight zeros; the dimension before has all of them first */
                for (t.shape[k] = 1, zeros = 8 * k; zeros < 8 * k + 8 && zeros < i - 792; zeros++) t.shape[k] *= 10;
            if (k == (fortran ? 0 : rank - 1)) t.shape[k] = 0;
            count *= t.shape[k] != 0 ? t.shape[k] : 1;
            n += sprintf(dict + n, "%lu%s", (unsigned long)t.shape[k], rank == 1 ? "," : k + 1 < rank ? ", " : "");
        }
        sprintf(last, "%lu", (unsigned long)t.shape[fortran ? rank - 1 : 0]);
        n += sprintf(dict + n, "), }%*s", 21 - (int)strlen(last), "");
        n += sprintf(dict + n, "%*s", 64 - (10 + n + 1) % 64, "");
        dict[n++] = '\n';
        dict[n] = '\0';
        t.fortran = fortran;
        memset(&file, 0, sizeof file);
        file.format = MPX_FORMAT_NPY;
        file.tensors = &t;
        file.count = 1;
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size == (size_t)n + 10, "%s: %lu bytes", dict, (unsigned long)size);
        CHECK(mpx_file_save(out, ROOM, &file, NULL) == MPX_OK && memcmp(out + 10, dict, (size_t)n) == 0, "%s", dict);
        CHECK(out[8] + 256 * out[9] == n, "%s", dict);
        CHECK(open_bytes(&o, out, size, NULL) == MPX_OK && o.file.tensors[0].fortran == fortran, "%s", dict);
        close_file(&o);
    }
}
/* A header of 10000 bytes is the longest; one of a row in order of Fortran is in both orders. */
static void check_npy_bounds(void) {
    static unsigned char bytes[ROOM];
    static const char dict[] = "{'descr': '|u1', 'fortran_order': True, 'shape': (3,)}";
    size_t n;
    for (n = 10000; n <= 10001; n++) {
        opened o;
        put((unsigned char *)memcpy(bytes, "\x93NUMPY\1", 8) + 8, n, 2);
        memset(bytes + 10, ' ', n + 3);
        memcpy(bytes + 10, dict, sizeof dict - 1);
        CHECK(open_bytes(&o, bytes, 10 + n + 3, NULL) == (n == 10000 ? MPX_OK : MPX_ERR_FORMAT), "%lu", (unsigned long)n);
        CHECK(n != 10000 || !o.file.tensors[0].fortran, "one dimension, in order of Fortran");
        close_file(&o);
    }
}
/* Archives with a comment, with an end of 64 bits, with a place in an extra field. */
static void check_zip_ends(void) {
    static unsigned char plain[ROOM], bytes[3 * ROOM];
    static const struct {
        uint64_t count, size, offset; /* in the end of 32 bits; 1: as it is */
        uint64_t locator, end, at;    /* signatures, and what is added to the place of the end of 64 bits */
        mpx_status status;
    } ends[] = {
        { 0xffff, 1, 1, 0x07064b50, 0x06064b50, 0, MPX_OK },
        { 1, 0xffffffff, 1, 0x07064b50, 0x06064b50, 0, MPX_OK },
        { 1, 1, 0xffffffff, 0x07064b50, 0x06064b50, 0, MPX_OK },
        { 0xffff, 0xffffffff, 0xffffffff, 0x07064b50, 0x06064b50, 0, MPX_OK },
        { 1, 1, 1, 0x07064b50, 0x06064b50, 0, MPX_OK }, /* as Python writes it for 2 to 4 GiB: one of 32 bits would do */
        { 7, 7, 7, 0x07064b50, 0x06064b50, 0, MPX_OK },
        { 1, 1, 1, 0x07064b51, 0x06064b50, 0, MPX_ERR_FILE },
        { 1, 1, 0xffffffff, 0x07064b51, 0x06064b50, 0, MPX_ERR_FILE },
        { 1, 1, 0xffffffff, 0x07064b50, 0x06064b51, 0, MPX_ERR_FILE },
        { 1, 1, 0xffffffff, 0x07064b50, 0x06064b50, 1, MPX_ERR_FILE },
        { 1, 1, 0xffffffff, 0x07064b50, 0x06064b50, 76, MPX_ERR_FILE },
        { 1, 1, 0xffffffff, 0x07064b50, 0x06064b50, (uint64_t)1 << 63, MPX_ERR_FILE },
    };
    static const size_t comments[] = { 0, 1, 0xfffe, 0xffff, 0x10000 };
    const size_t size = read_file("plain.npz", plain), at = size - 22, directory_size = plain[at + 12] + 256u * plain[at + 13];
    size_t i, extra, entry = 0;
    opened o;
    mpx_error err;
    memcpy(bytes, plain, size);
    memset(bytes + size, 'c', 0x10001);
    for (i = 0; i < sizeof comments / sizeof comments[0]; i++) {
        put(bytes + at + 20, comments[i] & 0xffff, 2);
        CHECK(open_bytes(&o, bytes, size + comments[i], NULL) == (comments[i] < 0x10000 ? MPX_OK : MPX_ERR_FILE), "comment %lu",
              (unsigned long)comments[i]);
        close_file(&o);
        CHECK(open_bytes(&o, bytes, size + comments[i] + 1, NULL) == MPX_ERR_FILE, "comment %lu", (unsigned long)comments[i]);
        close_file(&o);
    }
    for (i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        unsigned char *end = put(put(put(bytes + at, ends[i].end, 4), 44, 8), 45 | 45 << 16, 4);
        end = put(put(put(put(put(end, 0, 8), 3, 8), 3, 8), directory_size, 8), at - directory_size, 8);
        end = put(put(put(put(end, ends[i].locator, 4), 0, 4), at + ends[i].at, 8), 1, 4);
        memcpy(end, plain + at, 22);
        if (ends[i].count != 1) put(end + 10, ends[i].count, 2);
        if (ends[i].size != 1) put(end + 12, ends[i].size, 4);
        if (ends[i].offset != 1) put(end + 16, ends[i].offset, 4);
        CHECK(open_bytes(&o, bytes, (size_t)(end + 22 - bytes), &err) == ends[i].status, "line %lu of ends", (unsigned long)i + 1);
        CHECK(ends[i].at < 76 || err.offset == at + 56 + 8, "line %lu of ends: %lu", (unsigned long)i + 1, (unsigned long)err.offset);
        CHECK(ends[i].status != MPX_OK || o.file.count == 3, "line %lu of ends", (unsigned long)i + 1);
        close_file(&o);
    }
    for (i = 1; i < 3; i++) { /* a directory of 64 bits that would begin before the file; 1: it is there */
        unsigned char *end = put(put(put(bytes + at, 0x06064b50, 4), 44, 8), 45 | 45 << 16, 4);
        end = put(put(put(put(end, 0, 8), 3, 8), 3, 8), i == 1 ? directory_size : at + 10, 8);
        end = put(end, at - (i == 1 ? directory_size : at + 10), 8);
        end = put(put(put(put(end, 0x07064b50, 4), 0, 4), at, 8), 1, 4);
        memcpy(end, plain + at, 22);
        CHECK(open_bytes(&o, bytes, (size_t)(end + 22 - bytes), &err) == (i == 1 ? MPX_OK : MPX_ERR_FILE), "%lu", (unsigned long)i);
        CHECK(i == 1 || (err.what != NULL && strcmp(err.what, "the directory does not end here") == 0), "%lu", (unsigned long)i);
        close_file(&o);
    }
    /* the last entry: between other extra fields; 7 bytes are too few for a place */
    for (i = 0; i < at; i++)
        if (memcmp(plain + i, "PK\1\2", 4) == 0) entry = i;
    for (extra = 8; extra >= 7; extra--) {
        const size_t name = entry + 46 + plain[entry + 28], n = 4 + 3 + 4 + extra + 4 + 5;
        unsigned char *end = bytes + name;
        memcpy(bytes, plain, name);
        put(put(bytes + entry + 30, n - 5, 2), 5, 2);
        put(bytes + entry + 42, 0xffffffff, 4);
        end = put(put(put(put(end, 0x7075, 2), 3, 2), 0, 3), 1, 2);
        end = put(put(end, extra, 2), plain[entry + 42] + 256u * plain[entry + 43], extra);
        end = put(end, 0x7500, 4); /* a third extra field, which begins with a zero */
        end = put(end, 0, 5);      /* a comment */
        memcpy(end, plain + name, size - name);
        put(bytes + n + at + 12, directory_size + n, 4);
        CHECK(open_bytes(&o, bytes, size + n, NULL) == (extra == 8 ? MPX_OK : MPX_ERR_FILE), "%lu bytes", (unsigned long)extra);
        close_file(&o);
    }
}
/* The checksum of a member, of its header and of its data, which are handed over apart: bit by bit from the definition. */
static uint32_t crc_of(const unsigned char *s, size_t n) {
    uint32_t crc = 0xffffffffu;
    int bit;
    for (; n != 0; n--)
        for (crc ^= *s++, bit = 0; bit < 8; bit++)
            crc = (crc & 1) != 0 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    return ~crc;
}
static void check_crc(void) {
    static const size_t sizes[] = { 0, 1, 1023, 1024, 1025, 1031, 1032, 5000 };
    static unsigned char data[5003], bytes[6000];
    mpx_file_tensor tensor;
    mpx_file file;
    size_t i, size = 0, wrong = 0;
    for (i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i * 31 >> 3 ^ i >> 5);
    memset(&file, 0, sizeof file);
    file.format = MPX_FORMAT_NPZ;
    file.tensors = &tensor;
    file.count = 1;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t n = sizes[i];
        const unsigned char *member;
        tensor = tensor_of("a", data + i % 4, n, MPX_U8);
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size <= sizeof bytes, "%lu bytes", (unsigned long)n);
        CHECK(mpx_file_save(bytes, size, &file, NULL) == MPX_OK, "%lu bytes", (unsigned long)n);
        member = bytes + 30 + bytes[26] + 256u * bytes[27] + bytes[28] + 256u * bytes[29];
        CHECK(memcmp(member + 128, data + i % 4, n) == 0, "%lu bytes are elsewhere", (unsigned long)n);
        put(bytes + size, crc_of(member, 128 + n), 4);
        wrong += memcmp(bytes + 14, bytes + size, 4) != 0;
    }
    CHECK(wrong == 0, "%lu checksums of %lu are wrong", (unsigned long)wrong, (unsigned long)i);
    file.format = MPX_FORMAT_NPY; /* neither a dtype nor a name of one */
    tensor.dtype = tensor.leaf.dtype = MPX_NONE;
    CHECK(mpx_file_size(&file, &size, NULL) == MPX_ERR_DTYPE, "no dtype");
}
/* Where .npz changes to numbers of 64 bits (Python's zipfile: behind 2^31 - 1), and the longest name. */
static void check_npz_bounds(void) {
    static const size_t sizes[][2] = { /* how many bytes below 2^31 - 1 a tensor has; bytes for numbers of 64 bits */
        { 367, 0 }, { 366, 76 }, { 183, 76 }, { 182, 76 + 12 }, { 128, 76 + 12 }, { 127, 76 + 12 + 20 } };
    static unsigned char out[400];
    char *const name = (char *)room_of(NULL, 0x10000);
    opened o;
    mpx_file_tensor tensors[2];
    mpx_file file;
    size_t i, size = 0;
    memset(&file, 0, sizeof file);
    file.format = MPX_FORMAT_NPZ;
    file.tensors = tensors;
    file.count = 2;
    tensors[1] = tensor_of("b", "", 1, MPX_U8);
    for (i = 0; i < sizeof sizes / sizeof sizes[0] && sizeof(size_t) > 4; i++) {
        const size_t bytes = 0x7fffffff - sizes[i][0], heads = 30 + 5 + 20 + 128 + 46 + 5;
        tensors[0] = tensor_of("a", "", bytes, MPX_U8);
        CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size == bytes + 1 + 2 * heads + 22 + sizes[i][1], "line %lu: %lu",
              (unsigned long)i + 1, (unsigned long)(size - bytes));
    }
    memset(name, 'n', 0x10000);
    file.count = 1;
    tensors[0] = tensor_of(name, "", 1, MPX_U8);
    for (i = 0xffff - 4; i <= 0xffff - 3; i++) {
        name[i] = '\0';
        CHECK(mpx_file_size(&file, &size, NULL) == (i == 0xffff - 4 ? MPX_OK : MPX_ERR_SPACE), "a name of %lu", (unsigned long)i);
        name[i] = 'n';
    }
    name[0] = '\0';
    tensors[0] = tensor_of(name, NULL, 0, MPX_U8);
    CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size < 400, "no name and no data");
    CHECK(mpx_file_save(out, sizeof out, &file, NULL) == MPX_OK && open_bytes(&o, out, size, NULL) == MPX_OK, "no name");
    CHECK(o.file.count == 1 && o.file.tensors[0].leaf.path[0] == '\0', "no name");
    close_file(&o);
    tensors[0] = tensor_of(name, NULL, 1, MPX_U8);
    CHECK(mpx_file_size(&file, &size, NULL) == MPX_ERR_ARGUMENT, "no data");
    free(name);
}
/* Names of up to four bytes are UTF-8 as table 3-7 of Unicode has it, or are refused. */
static int is_utf8(const unsigned char *s, size_t n) {
    static const unsigned char ranges[][5] = { /* the first byte, the second one, how many there are */
        { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
        { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 } };
    size_t i, k;
    if (n == 0) return 1;
    if (s[0] < 0x80) return is_utf8(s + 1, n - 1);
    for (k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
        const unsigned char *r = ranges[k];
        if (s[0] < r[0] || s[0] > r[1] || n < r[4] || s[1] < r[2] || s[1] > r[3]) continue;
        for (i = 2; i < r[4]; i++)
            if (s[i] < 0x80 || s[i] > 0xbf) return 0;
        return is_utf8(s + r[4], n - r[4]);
    }
    return 0;
}
static void check_utf8(void) {
    static const unsigned char seconds[] = { 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0 }, others[] = { 0x7f, 0x80, 0xbf, 0xc0 };
    unsigned char name[5] = { 0 };
    size_t n, i, size = 0;
    mpx_file_tensor t = tensor_of((const char *)name, "", 1, MPX_I8);
    mpx_file file;
    memset(&file, 0, sizeof file);
    file.format = MPX_FORMAT_GGUF;
    file.tensors = &t;
    file.count = 1;
    for (n = 1; n <= 4; n++)
        for (i = 0; i < 128u * 8 * 4 * 4; i++) {
            const unsigned char bytes[4] = { (unsigned char)(128 + i / 128), seconds[i / 16 % 8], others[i / 4 % 4], others[i % 4] };
            memset(name, 0, sizeof name);
            memcpy(name, bytes, n);
            CHECK(mpx_file_size(&file, &size, NULL) == (is_utf8(name, n) ? MPX_OK : MPX_ERR_FILE), "%02x %02x %02x %02x", name[0],
                  name[1], name[2], name[3]);
        }
}
/* Memory of any alignment, and not a byte more than err->need. */
static void check_memory(void) {
    static unsigned char bytes[ROOM];
    const size_t size = read_file("dtypes.gguf", bytes);
    size_t i;
    for (i = 0; i < 32; i++) {
        mpx_error err = test_any_error();
        mpx_file file;
        unsigned char *memory;
        size_t need;
        (void)mpx_file_open(&file, bytes, size, NULL, 0, &err);
        need = err.need;
        memory = room_of(NULL, need + 64);
        memset(memory, 77, need + 64);
        CHECK(mpx_file_open(&file, bytes, size, memory + i, need, &err) == MPX_OK && file.memory == memory + i, "%lu",
              (unsigned long)i);
        CHECK((uintptr_t)file.tensors % 16 == 0 && memory[i + need] == 77 && (i == 0 || memory[i - 1] == 77), "%lu",
              (unsigned long)i);
        free(memory);
    }
}
/* Names that are there twice, near and far: the second is told, by readers and writers. */
static void check_twice(void) {
    enum { ALL = 600 };
    static const size_t pairs[][2] = { { 0, 1 }, { 0, 255 }, { 0, 256 }, { 254, 255 }, { 255, 256 }, { 256, 257 }, { 255, 511 },
                                       { 511, 512 }, { 300, 599 }, { 598, 599 } };
    static char names[ALL][8];
    static mpx_file_tensor tensors[ALL];
    static unsigned char out[ROOM];
    mpx_file file;
    mpx_error err;
    size_t i, k, size = 0;
    memset(&file, 0, sizeof file);
    file.format = MPX_FORMAT_SAFETENSORS;
    file.tensors = tensors;
    file.count = ALL;
    for (i = 0; i < ALL; i++) {
        sprintf(names[i], "t%03lu", (unsigned long)i * 7 % ALL);
        tensors[i] = tensor_of(names[i], "", 0, MPX_U8);
    }
    CHECK(mpx_file_size(&file, &size, NULL) == MPX_OK && size < ROOM, "no name is there twice");
    for (k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        const char *first = names[pairs[k][0]];
        char *second;
        opened o;
        CHECK(mpx_file_save(out, ROOM, &file, NULL) == MPX_OK, "%lu", (unsigned long)k);
        second = strstr((char *)out + 8, names[pairs[k][1]]);
        memcpy(second, first, 4);
        CHECK(open_bytes(&o, out, size, &err) == MPX_ERR_EXISTS && err.offset + 1 == (size_t)(second - (char *)out), "%s: at %lu",
              first, (unsigned long)err.offset);
        close_file(&o);
        tensors[pairs[k][1]].leaf.path = first;
        CHECK(mpx_file_size(&file, &size, &err) == MPX_ERR_EXISTS && err.index == pairs[k][1], "%s: %lu", first,
              (unsigned long)err.index);
        tensors[pairs[k][1]].leaf.path = names[pairs[k][1]];
    }
}

int main(void) {
    static const char *const broken[] = { "names.safetensors", "meta.safetensors", "empty.gguf", "blocks.gguf",
                                          "fortran.npy", "text.npy", "plain.npz", "stream.npz", "empty.npz" };
    size_t i;
    check_golden();
    for (i = 0; i < sizeof broken / sizeof broken[0]; i++) check_broken(broken[i]);
    check_lies();
    check_changes();
    check_gguf_lies();
    check_gguf_ends_early();
    check_nul();
    check_largest_dimension();
    check_npy_lies();
    check_overlap();
    check_zip_lies();
    check_zip_short();
    check_zip_overlap();
    check_large();
    check_unknown();
    check_writer();
    check_swapped();
    check_recast();
    check_turns();
    check_need();
    check_refusals();
    check_many();
    check_escapes();
    check_gguf_padding();
    check_short();
    check_metas();
    check_no_reason();
    check_two_texts();
    check_gguf_others();
    check_npy_headers();
    check_npy_bounds();
    check_zip_ends();
    check_npz_bounds();
    check_crc();
    check_utf8();
    check_memory();
    check_twice();
    check_find();
    check_tree();
    return test_done("files");
}
