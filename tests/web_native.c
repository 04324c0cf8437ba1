/* What tests/test_web.py compares the page with: the library as it is compiled for this machine.

       web_native casts            lines of dtype, rounding, saturate, seed, bits of a float64 in hex: the code in hex
       web_native quant FILE ROWS COLS NAME...   of float32 in a file: bytes, SQNR, root mean square and largest error
       web_native policy|map|quantization FILE DIALECT [PATH...]   of a text in a file: "ok" and what it prints, or the
                                   place and the sentence; then what decides each path */
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 20], out[4096];

static size_t read_file(const char *path, void *to, size_t size) {
    FILE *file = fopen(path, "rb");
    size_t n = 0;
    if (file == NULL) exit(2);
    n = fread(to, 1, size, file);
    fclose(file);
    return n;
}

static int casts(void) {
    char name[40];
    int rounding, saturate;
    unsigned seed;
    unsigned long long bits;
    while (scanf("%39s %d %d %u %llx", name, &rounding, &saturate, &seed, &bits) == 5) {
        const uint64_t from = bits;
        uint64_t to = 0;
        mpx_dtype type = MPX_NONE;
        mpx_cast_options opt;
        memset(&opt, 0, sizeof opt);
        opt.rounding = (mpx_rounding)rounding;
        opt.saturate = saturate;
        opt.random_seed = seed;
        if (mpx_dtype_parse(name, &type) != MPX_OK) return 2;
        if (mpx_cast_with(&to, type, &from, MPX_F64, 1, &opt) != MPX_OK) return 2;
        printf("%llx\n", (unsigned long long)to); /* little-endian, as the page is */
    }
    return 0;
}

static int quant(char **argv) {
    static float before[1 << 16], after[1 << 16];
    static unsigned char codes[1 << 19];
    const size_t rows = (size_t)atoi(argv[1]), cols = (size_t)atoi(argv[2]);
    if (read_file(argv[0], before, sizeof before) != rows * cols * sizeof(float)) return 2;
    for (argv += 3; *argv != NULL; argv++) {
        mpx_quant q;
        mpx_cast_stats stats;
        size_t i;
        if (mpx_quant_parse(*argv, &q, NULL) != MPX_OK) return 2;
        if (mpx_quant_bytes(q, rows, cols) > sizeof codes) return 2;
        if (mpx_quantize(codes, q, before, MPX_F32, rows, cols) != MPX_OK) return 2;
        if (mpx_dequantize(after, MPX_F32, codes, q, rows, cols) != MPX_OK) return 2;
        memset(&stats, 0, sizeof stats);
        for (i = 0; i < rows * cols; i++) {
            const double x = (double)before[i], y = (double)after[i];
            stats.sum_squares += x * x;
            stats.sum_error_squares += (y - x) * (y - x);
            if (y - x > stats.max_error) stats.max_error = y - x;
            if (x - y > stats.max_error) stats.max_error = x - y;
        }
        stats.count = rows * cols;
        printf("%s %lu %.17g %.17g %.17g\n", *argv, (unsigned long)mpx_quant_bytes(q, rows, cols),
               mpx_cast_stats_sqnr(&stats), mpx_cast_stats_rms_error(&stats), stats.max_error);
    }
    return 0;
}

static int rules(const char *kind, char **argv) {
    static mpx_map_entry entries[256];
    const mpx_policy unset = MPX_POLICY(MPX_NONE, MPX_NONE, MPX_NONE);
    const size_t length = read_file(argv[0], text, sizeof text);
    mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_policy_map map = mpx_policy_map_of(entries, 256, unset);
    mpx_status status;
    mpx_error err;
    opt.dialect = (mpx_dialect)atoi(argv[1]);
    if (kind[0] == 'p') {
        status = mpx_policy_parse_n(text, length, opt, &map.fallback, &err);
        mpx_policy_format(map.fallback, out, sizeof out);
    } else if (kind[0] == 'q') {
        status = mpx_quant_parse_n(text, length, &map.fallback_quant, &err);
        mpx_quant_format(map.fallback_quant, out, sizeof out);
    } else {
        status = mpx_policy_map_parse_n(&map, text, length, opt, &err);
        mpx_policy_map_format(&map, out, sizeof out);
    }
    if (status != MPX_OK) {
        mpx_error_format(&err, text, out, sizeof out);
        return printf("%lu %lu %s\n", (unsigned long)err.offset, (unsigned long)err.length, out) < 0;
    }
    printf("ok %s\n", out);
    for (argv += 2; *argv != NULL; argv++) {
        mpx_policy_map_explain(&map, *argv, out, sizeof out);
        printf("%s\n", out);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "casts") == 0) return casts();
    if (argc > 5 && strcmp(argv[1], "quant") == 0) return quant(argv + 2);
    return argc > 3 ? rules(argv[1], argv + 2) : 2;
}
