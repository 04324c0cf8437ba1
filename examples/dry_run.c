/* Which layer overflows in f16? The tensors of a safetensors file (by default a small classifier,
   examples/data) become a tree where they lie; a dry run to each dtype reports them, worst first.
   Casts take any address, so the tensors need not be aligned.

       cc -O2 -I. examples/dry_run.c -o dry_run

   prints

       sums.gram: float32 to float16: 289 values up to 9.60e4, 44 overflow, SQNR 75.2 dB
       weight: float32 to float16: 160 values up to 0.082, 1 subnormal, SQNR 73.3 dB
       sums.targets: float32 to float16: 170 values up to 1207, SQNR 74.0 dB
       bias: float32 to float16: 10 values up to 0.339, SQNR 77.1 dB
       sums.gram: float32 to float8_e4m3fn: 289 values up to 9.60e4, 264 overflow, SQNR 30.5 dB
       sums.targets: float32 to float8_e4m3fn: 170 values up to 1207, 69 overflow, SQNR 32.6 dB
       weight: float32 to float8_e4m3fn: 160 values up to 0.082, 8 become zero, 62 subnormal, SQNR 30.6 dB
       bias: float32 to float8_e4m3fn: 10 values up to 0.339, SQNR 36.5 dB
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 21, TENSORS_MAX = 64 };
static char file[FILE_MAX + 1];
static mpx_leaf leaves[TENSORS_MAX];
static mpx_cast_report reports[TENSORS_MAX];

static char *value_of(char *at, const char *key, const char *end) {
    char *found = strstr(at, key);
    return found != NULL && found < end ? found + strlen(key) : NULL;
}

/* {"conv1.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},...}, as the usual writers
   have it: no blanks between the words, no escapes in names. Names get a NUL and become the paths.
   Returns how many tensors there are, or -1 if the header is not like that. */
static int read_header(char *at, char *data, size_t size) {
    int count = 0;
    if (*at++ != '{') return -1;
    for (; *at == '"' || *at == ','; at++) {
        mpx_leaf *leaf = &leaves[count];
        char *name = at + (*at == ',') + 1, *quote = strchr(name, '"'), *dtype, *offsets;
        unsigned long begin, end;
        if (quote == NULL || quote[1] != ':' || (at = strchr(quote, '}')) == NULL) return -1;
        *quote = '\0';
        if (strcmp(name, "__metadata__") == 0) continue;
        dtype = value_of(quote + 1, "\"dtype\":\"", at);
        offsets = value_of(quote + 1, "\"data_offsets\":[", at);
        if (dtype == NULL || offsets == NULL || count == TENSORS_MAX) return -1;
        begin = strtoul(offsets, &offsets, 10);
        end = *offsets == ',' ? strtoul(offsets + 1, NULL, 10) : 0;
        if (begin > end || end > size) return -1;
        if (mpx_interop_parse_n(MPX_SYSTEM_SAFETENSORS, dtype, strcspn(dtype, "\""), &leaf->dtype,
                                NULL) != MPX_OK) return -1;
        leaf->path = name;
        leaf->data = data + begin;
        leaf->count = (end - begin) * 8 / (size_t)mpx_dtype_bits(leaf->dtype);
        count++;
    }
    return *at == '}' ? count : -1;
}

static int dry_run(mpx_tree tree, const char *dtype) {
    char line[MPX_ERROR_TEXT_SIZE];
    size_t i, count;
    mpx_dtype to;
    if (mpx_dtype_parse(dtype, &to) != MPX_OK) return (void)fprintf(stderr, "no dtype: %s\n", dtype), 0;
    if (mpx_tree_dry_run(tree, to, reports, TENSORS_MAX, &count, NULL) != MPX_OK) return 0;
    for (i = 0; i < count; i++) {
        mpx_cast_report_format(&reports[i], line, sizeof line);
        printf("%s\n", line);
    }
    return 1;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/data/small.safetensors";
    FILE *in = fopen(path, "rb");
    size_t size = in != NULL ? fread(file, 1, FILE_MAX, in) : 0, header = 0;
    int i, count = -1, good = 1;
    mpx_tree tree;
    if (in == NULL) return perror(path), 1;
    fclose(in);
    for (i = 7; i >= 0; i--) header = header << 8 | (unsigned char)file[i];
    if (size >= 8 && header <= size - 8)
        count = read_header(file + 8, file + 8 + header, size - 8 - header);
    if (count < 0) return (void)fprintf(stderr, "%s: no safetensors file that fits\n", path), 1;
    tree = mpx_tree_of_leaves(leaves, (size_t)count);
    if (argc <= 2) return dry_run(tree, "f16") && dry_run(tree, "f8e4m3fn") ? 0 : 1;
    for (i = 2; good && i < argc; i++) good = dry_run(tree, argv[i]);
    return good ? 0 : 1;
}
