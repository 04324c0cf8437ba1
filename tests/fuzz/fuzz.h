/* What the fuzz targets share: bytes of the input handed out one by one, and a claim that stops. */
#ifndef FUZZ_H
#define FUZZ_H
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer keeps the input that got here. */
#define CLAIM(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } while (0)

/* The input as a stream of choices; zeros once it is used up. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

static inline fuzz_input fuzz_begin(const uint8_t *data, size_t size) {
    fuzz_input in;
    in.at = data;
    in.left = size;
    return in;
}

static inline unsigned fuzz_byte(fuzz_input *in) {
    if (in->left == 0) return 0;
    in->left--;
    return *in->at++;
}

static inline unsigned fuzz_below(fuzz_input *in, unsigned end) { return fuzz_byte(in) % end; }

static inline uint64_t fuzz_u64(fuzz_input *in) {
    uint64_t x = 0;
    int i;
    for (i = 0; i < 8; i++)
        x = x << 8 | fuzz_byte(in);
    return x;
}

/* Fill from the input; what it lacks is made from the last bytes, so that long buffers are not
   mostly zero. */
static inline void fuzz_fill(fuzz_input *in, uint8_t *out, size_t size) {
    uint32_t x = 0x9e3779b9u;
    size_t i;
    for (i = 0; i < size; i++) {
        int fresh = in->left != 0;
        if (fresh)
            x = x * 31u + fuzz_byte(in);
        else
            x = x * 1664525u + 1013904223u;
        out[i] = fresh ? in->at[-1] : (uint8_t)(x >> 24);
    }
}

/* A buffer of exactly size bytes, so that the address sanitizer sees one too many; never NULL. */
static inline uint8_t *fuzz_room(size_t size) {
    uint8_t *room = (uint8_t *)malloc(size != 0 ? size : 1);
    if (room == NULL) exit(1);
    memset(room, 0xa5, size != 0 ? size : 1);
    return room;
}
#endif
