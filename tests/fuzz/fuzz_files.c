/* Checkpoint files from raw bytes. What opens has names, shapes and data inside the map, and is written again to every
   format that takes it; what was written opens, with the same tensors. What does not open leaves *file alone and has a
   place in the map. The map and the memory are rooms of exactly their size. */
#define MPX_FILES 1
#include "fuzz.h"

static void read_all(const mpx_file *file, const uint8_t *map, size_t size) {
    static volatile uint8_t sum;
    size_t i, j;
    for (i = 0; i < file->count; i++) {
        const mpx_file_tensor *t = &file->tensors[i];
        const uint8_t *data = (const uint8_t *)t->leaf.data;
        const size_t bytes = mpx_dtype_bytes(t->leaf.dtype, t->leaf.count);
        CLAIM(data >= map && data <= map + size && bytes <= size - (size_t)(data - map));
        CLAIM(t->rank <= MPX_FILE_RANK && t->type != NULL && strlen(t->leaf.path) <= size);
        CLAIM(file->cols[i] == (t->rank != 0 ? t->shape[t->rank - 1] : 1));
        CLAIM(mpx_file_find(file, t->leaf.path) == t);
        if (bytes != 0) sum = (uint8_t)(sum + data[0] + data[bytes - 1]);
    }
    for (i = 0; i < file->meta_count; i++) {
        const mpx_file_meta *meta = &file->metas[i];
        const char *text;
        size_t at = 0, length, texts = 0;
        double x;
        CLAIM(strlen(meta->key) <= size && mpx_file_find_meta(file, meta->key) == meta);
        for (j = 0; j < meta->count && j < 10 && meta->dtype != MPX_NONE; j++)
            CLAIM(mpx_file_number(&x, MPX_F64, meta, j) == MPX_OK);
        CLAIM(mpx_file_number(&x, MPX_F64, meta, meta->count) != MPX_OK);
        for (; (text = mpx_file_text(meta, &at, &length)) != NULL; texts++)
            if (length != 0) sum = (uint8_t)(sum + text[0] + text[length - 1]);
        CLAIM(texts == (meta->dtype != MPX_NONE ? 0 : meta->is_array ? meta->count : 1));
    }
}
static mpx_status refuse(const void *data, size_t size, const mpx_file_tensor *tensor, void *user) {
    (void)data, (void)tensor;
    *(size_t *)user += size;
    return MPX_OK;
}
static void again(const mpx_file *file, mpx_file_format format) {
    mpx_file copy = *file, back;
    size_t size = 0, written = 0, i;
    uint8_t *bytes, *memory;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    mpx_status status;
    copy.format = format;
    if (format >= MPX_FORMAT_NPY) copy.meta_count = 0;
    status = mpx_file_size(&copy, &size, &err);
    if (status != MPX_OK) {
        CLAIM(err.status == status && mpx_error_format(&err, NULL, text, sizeof text) < sizeof text);
        CLAIM(mpx_file_write(&copy, refuse, &written, NULL) == status && written == 0);
        return;
    }
    if (size > 1 << 20) return; /* an alignment of 2^20 */
    bytes = fuzz_room(size);
    CLAIM(mpx_file_save(bytes, size, &copy, &err) == MPX_OK);
    CLAIM(mpx_file_write(&copy, refuse, &written, NULL) == MPX_OK && written == size);
    CLAIM(mpx_file_open(&back, bytes, size, NULL, 0, &err) == MPX_ERR_SPACE);
    memory = fuzz_room(err.need);
    CLAIM(mpx_file_open(&back, bytes, size, memory, err.need, &err) == MPX_OK);
    CLAIM(back.format == format && back.count == copy.count && back.meta_count == copy.meta_count);
    for (i = 0; i < copy.count; i++) {
        const mpx_file_tensor *a = &copy.tensors[i], *b = &back.tensors[i];
        const size_t n = mpx_dtype_bytes(a->leaf.dtype, a->leaf.count);
        CLAIM(n == mpx_dtype_bytes(b->leaf.dtype, b->leaf.count) && a->rank == b->rank);
        CLAIM(memcmp(a->shape, b->shape, sizeof a->shape) == 0);
        CLAIM(a->swapped || n == 0 || memcmp(a->leaf.data, b->leaf.data, n) == 0);
        CLAIM(format == MPX_FORMAT_NPY || strcmp(a->leaf.path, b->leaf.path) == 0);
    }
    free(memory);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *map = fuzz_room(size), *memory;
    mpx_file file, untouched;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    mpx_status status;
    size_t need;
    int format;
    if (size != 0) memcpy(map, data, size);
    memset(&file, 77, sizeof file);
    untouched = file;
    status = mpx_file_open(&file, map, size, NULL, 0, &err);
    CLAIM(status != MPX_OK && err.status == status);
    need = status == MPX_ERR_SPACE ? err.need : 0;
    memory = fuzz_room(need);
    if (need != 0) status = mpx_file_open(&file, map, size, memory, need, &err);
    if (status != MPX_OK) {
        CLAIM(memcmp(&file, &untouched, sizeof file) == 0 && err.status == status);
        CLAIM(err.subject == MPX_SUBJECT_FILE && err.offset <= size && err.what != NULL);
        CLAIM(mpx_error_format(&err, NULL, text, sizeof text) < sizeof text);
    } else {
        read_all(&file, map, size);
        for (format = MPX_FORMAT_SAFETENSORS; format <= MPX_FORMAT_NPZ; format++)
            again(&file, (mpx_file_format)format);
        CLAIM(mpx_file_open(&file, map, size, memory, need - 1, &err) == MPX_ERR_SPACE && err.need == need);
    }
    free(memory);
    free(map);
    return 0;
}
