/* Which format for which layer? The tensors of a safetensors file (by default a part of a voice
   detector, examples/data) are quantized by a map; then all of them in one format after another;
   then each in the format that a budget of bytes leaves it. With a last argument the errors of all
   formats are drawn against their sizes.

       cc -O2 -I. examples/quantize_model.c -o quantize_model -lm

       quantize_model [FILE [BUDGET [SVG]]]

   prints

       by a map               format          bytes  SQNR dB  clipped  zeroed
       conv2.bias             f32               256    exact        0       0
       conv3.weight           q8_0            13056     39.2        0     814
       conv3.bias             f32               256    exact        0       0
       lstm_cell.weight_ih    int8/channel    16896     41.8        0     228
       lstm_cell.weight_hh    int8/channel    16896     42.3        0     188
       lstm_cell.bias_ih      f32               512    exact        0       0
       lstm_cell.bias_hh      f32               512    exact        0       0
       final_conv.weight      bf16              256     55.4        0       0
       final_conv.bias        f32                 4    exact        0       0
       all                                    48644     41.3        0    1230

       all in one format      format          bytes  SQNR dB  clipped  zeroed
                              bf16            91138     55.9        0       0
                              int8/channel    46888     37.5        0    1820
                              mxint8          46996     38.4        4    1564
                              q8_0            48420     41.5        0    1123
                              mxfp8_e4m3      46996     29.5      241       1
                              mxfp6_e2m3      35604     29.8       58    2771
                              q5_1            34180     27.5        0       0
                              q5_0            31332     26.4       68    6311
                              q4_1            28484     20.0        0      14
                              nvfp4           25716     22.0        0    6633
                              q4_0            25636     21.5      156   10207
                              mxfp4           24212     17.3      356    8138
                              int4/32         29953     22.6        0    9363

       at most 40000 bytes
       by the budget          format          bytes  SQNR dB  clipped  zeroed
       conv2.bias             bf16              128     54.2        0       0
       conv3.weight           q8_0            13056     39.2        0     814
       conv3.bias             bf16              128     54.7        0       0
       lstm_cell.weight_ih    mxfp6_e2m3      12800     30.6       22     453
       lstm_cell.weight_hh    mxfp6_e2m3      12800     30.8       19     410
       lstm_cell.bias_ih      bf16              256     55.3        0       0
       lstm_cell.bias_hh      bf16              256     56.4        0       0
       final_conv.weight      bf16              256     55.4        0       0
       final_conv.bias        f32                 4    exact        0       0
       all                                    39684     34.4       41    1677
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include "demo/plot.h"
#include <stdlib.h>
#include <string.h>

static const char map_text[] = "default = bf16\n"
                               "lstm_cell.weight_* = int8/channel\n"
                               "conv*.weight = q8_0\n"
                               "*bias* = none\n";
/* From the best to the smallest. */
static const char *const formats[] = { "bf16",       "int8/channel", "mxint8", "q8_0", "mxfp8_e4m3",
                                       "mxfp6_e2m3", "q5_1",         "q5_0",   "q4_1", "nvfp4",
                                       "q4_0",       "mxfp4",        "int4/32" };

enum { FILE_MAX = 1 << 21, TENSORS_MAX = 64, FORMATS = sizeof formats / sizeof formats[0] };
static char file[FILE_MAX + 1];
static mpx_leaf leaves[TENSORS_MAX];
static size_t cols[TENSORS_MAX];

/* ---- the file -------------------------------------------------------------------------------- */

static char *value_of(char *at, const char *key, const char *end) {
    char *found = strstr(at, key);
    return found != NULL && found < end ? found + strlen(key) : NULL;
}

/* As examples/dry_run.c reads it; the axes behind the first make a row. */
static int read_header(char *at, char *data, size_t size) {
    int count = 0;
    if (*at++ != '{') return -1;
    for (; *at == '"' || *at == ','; at++) {
        mpx_leaf *leaf = &leaves[count];
        char *name = at + (*at == ',') + 1, *quote = strchr(name, '"'), *dtype, *shape, *offsets;
        unsigned long begin, end, axes, row = 1;
        if (quote == NULL || quote[1] != ':' || (at = strchr(quote, '}')) == NULL) return -1;
        *quote = '\0';
        if (strcmp(name, "__metadata__") == 0) continue;
        dtype = value_of(quote + 1, "\"dtype\":\"", at);
        shape = value_of(quote + 1, "\"shape\":[", at);
        offsets = value_of(quote + 1, "\"data_offsets\":[", at);
        if (dtype == NULL || shape == NULL || offsets == NULL || count == TENSORS_MAX) return -1;
        begin = strtoul(offsets, &offsets, 10);
        end = *offsets == ',' ? strtoul(offsets + 1, NULL, 10) : 0;
        if (begin > end || end > size) return -1;
        if (mpx_interop_parse_n(MPX_SYSTEM_SAFETENSORS, dtype, strcspn(dtype, "\""), &leaf->dtype,
                                NULL) != MPX_OK) return -1;
        (void)strtoul(shape, &shape, 10);
        for (axes = 1; *shape == ','; axes++)
            row *= strtoul(shape + 1, &shape, 10);
        *leaf = mpx_leaf_of(name, data + begin,
                            (end - begin) * 8 / (size_t)mpx_dtype_bits(leaf->dtype), leaf->dtype);
        cols[count++] = axes > 1 ? row : 0;
    }
    return *at == '}' ? count : -1;
}

static void *grow(void *old, size_t size, void *user) {
    (void)user;
    return realloc(old, size);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static double decibels(double sum_squares, double sum_error_squares) {
    mpx_cast_stats stats;
    memset(&stats, 0, sizeof stats);
    stats.sum_squares = sum_squares;
    stats.sum_error_squares = sum_error_squares;
    return mpx_cast_stats_sqnr(&stats);
}

/* One row of a table, of a leaf or of all. */
typedef struct result {
    size_t bytes;
    double squares, errors;
    unsigned long clipped, zeroed;
} result;

static void print_head(const char *title) {
    printf("%-22s %-13s %7s %8s %8s %7s\n", title, "format", "bytes", "SQNR dB", "clipped", "zeroed");
}
static void print_row(const char *name, const char *format, const result *r) {
    printf("%-22s %-13s %7lu ", name, format, (unsigned long)r->bytes);
    if (r->errors > 0) printf("%8.1f", decibels(r->squares, r->errors));
    else printf("%8s", "exact");
    printf(" %8lu %7lu\n", r->clipped, r->zeroed);
}
static const char *format_of(const mpx_weight *weight) {
    static char text[32];
    if (weight->quant.scheme == MPX_SCHEME_NONE) return mpx_dtype_short_name(weight->to);
    (void)mpx_quant_format(weight->quant, text, sizeof text);
    return text;
}
static void add_leaf(result *sum, const mpx_weight *weight, double squares) {
    sum->bytes += weight->bytes;
    sum->squares += squares;
    sum->errors += weight->sum_error_squares;
    sum->clipped += (unsigned long)weight->saturated;
    sum->zeroed += (unsigned long)weight->zeroed;
}

/* ---- casts ----------------------------------------------------------------------------------- */

static mpx_weights casts[FORMATS];
static result totals[FORMATS];
static size_t chosen[TENSORS_MAX];

static int cast(mpx_weights *out, size_t count, const char *text) {
    char line[MPX_ERROR_TEXT_SIZE];
    mpx_weights_options opt;
    mpx_error err;
    mpx_status status;
    memset(&opt, 0, sizeof opt);
    opt.grow = grow;
    opt.cols = cols;
    opt.leave = opt.sums = 1; /* blocks that do not divide its rows: the leaf stays as it is */
    status = mpx_weights_cast(out, mpx_tree_of_leaves(leaves, count), text, &opt, &err);
    if (status < 0) {
        (void)mpx_error_format(&err, text, line, sizeof line);
        printf("%s\n", line);
    }
    return status >= 0;
}

/* The first cast leaves no float as it is, so that it knows the squares of all. */
static void print_leaves(const char *title, const mpx_weights *const *of, size_t count) {
    result all;
    size_t i;
    memset(&all, 0, sizeof all);
    print_head(title);
    for (i = 0; i < count; i++) {
        const mpx_weight *weight = &of[i]->weights[i];
        result one;
        memset(&one, 0, sizeof one);
        add_leaf(&one, weight, casts[0].weights[i].sum_squares);
        add_leaf(&all, weight, casts[0].weights[i].sum_squares);
        print_row(leaves[i].path, format_of(weight), &one);
    }
    print_row("all", "", &all);
}

/* Relative errors on a logarithmic axis. */
static int draw(const char *path) {
    panel p;
    int k;
    memset(&p, 0, sizeof p);
    p.svg = fopen(path, "w");
    if (p.svg == NULL) return 0;
    p.left = 60, p.base = 10;
    for (k = 0; k < FORMATS; k++) {
        const double error = sqrt(totals[k].errors / totals[k].squares),
                     kilobytes = (double)totals[k].bytes / 1000;
        panel_fit(&p, &error, 1);
        if (kilobytes > p.x_max) p.x_max = kilobytes;
    }
    p.x_max *= 1.25; /* room for a name */
    svg_begin(p.svg);
    panel_frame(&p, "Error of all weights, relative", "kilobytes");
    for (k = 0; k < FORMATS; k++) {
        const double error = sqrt(totals[k].errors / totals[k].squares),
                     kilobytes = (double)totals[k].bytes / 1000;
        panel_cross(&p, kilobytes, error);
        panel_text(&p, panel_x(&p, kilobytes) + 8, panel_y(&p, error) + 4, "font-size=\"11\"",
                   formats[k]);
    }
    svg_end(p.svg);
    return 1;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/data/silero_part.safetensors";
    FILE *in = fopen(path, "rb");
    const size_t size = in != NULL ? fread(file, 1, FILE_MAX, in) : 0,
                 budget = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 40000;
    const mpx_weights *of[TENSORS_MAX];
    size_t header = 0, count, i;
    mpx_weights by_map;
    mpx_error err;
    int k, found = -1;
    if (in == NULL) return perror(path), 1;
    fclose(in);
    for (k = 7; k >= 0; k--) header = header << 8 | (unsigned char)file[k];
    if (size >= 8 && header <= size - 8)
        found = read_header(file + 8, file + 8 + header, size - 8 - header);
    if (found < 0) return (void)fprintf(stderr, "%s: no safetensors file that fits\n", path), 1;
    count = (size_t)found;
    for (k = 0; k < FORMATS; k++) {
        if (!cast(&casts[k], count, formats[k])) return 1;
        for (i = 0; i < count; i++)
            add_leaf(&totals[k], &casts[k].weights[i], casts[0].weights[i].sum_squares);
    }
    if (!cast(&by_map, count, map_text)) return 1;
    for (i = 0; i < count; i++) of[i] = &by_map;
    print_leaves("by a map", of, count);
    printf("\n");
    print_head("all in one format");
    for (k = 0; k < FORMATS; k++) print_row("", formats[k], &totals[k]);
    if (mpx_weights_fit(chosen, casts, FORMATS, budget, &err) != MPX_OK) {
        printf("\nno choice fits into %lu bytes, the least is %lu\n", (unsigned long)budget,
               (unsigned long)err.need);
    } else {
        printf("\nat most %lu bytes\n", (unsigned long)budget);
        for (i = 0; i < count; i++) of[i] = &casts[chosen[i]];
        print_leaves("by the budget", of, count);
    }
    if (argc > 3 && !draw(argv[3])) return (void)fprintf(stderr, "cannot write %s\n", argv[3]), 1;
    free(by_map.memory);
    for (k = 0; k < FORMATS; k++) free(casts[k].memory);
    return 0;
}
