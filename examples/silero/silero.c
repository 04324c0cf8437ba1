/* Is someone speaking? The silero speech model, its weights in one format after another, beside what
   onnxruntime makes of the same minute of speech. README.md in this folder says where the files come
   from and what is printed; make silero does it all.

       cc -O2 -march=native -I. examples/silero/silero.c -o silero -lm

       silero WEIGHTS WAV REFERENCE [SVG [MAP...]]

   A MAP is what mpx_weights_cast takes, such as "bf16", or with an entry for each layer:
   $'default = f16\n lstm_cell.weight_* = int8/channel'. Weights have few bits, all else is f32.
   Exit status 1: a file is not as it must be, or a format is farther from the reference than its
   bound, see below. Machines must be little-endian, as the files are. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#define MPX_IMPLEMENTATION
#define MPX_COMPUTE 1
#include "mpx.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the formats ------------------------------------------------------------------------------ */

typedef struct format {
    const char *name, *map;
    double bound; /* of the largest difference of a probability to the reference, about twice what was
                     measured, ten times for f32; 0: none */
    int packed;   /* 1: the frames of a chunk are multiplied together, by weights packed as f32 */
} format;
#define BUT_BIASES "\n*bias* = none"
static const format formats[] = {
    { "f32", "f32", 1e-5, 0 },
    { "f32, packed", "f32", 1e-5, 1 },
    { "bf16", "bf16", 2e-2, 0 },
    { "f16", "f16", 3e-3, 0 },
    { "int8/channel", "default = int8/channel/linear" BUT_BIASES, 1e-1, 0 },
    { "int8/64", "default = int8/64/linear" BUT_BIASES, 1e-1, 0 },
    { "q8_0", "default = q8_0" BUT_BIASES, 1e-1, 0 },
    { "int8/tensor", "default = int8/tensor/linear" BUT_BIASES, 0, 0 },
    { "f8e4m3fn", "default = f8e4m3fn" BUT_BIASES, 0, 0 },
    { "f8e4m3fn/tensor", "default = f8e4m3fn/tensor" BUT_BIASES, 0, 0 },
    { "f8e4m3fn/channel", "default = f8e4m3fn/channel" BUT_BIASES, 0, 0 },
    { "and stft in bf16", "default = f8e4m3fn/channel\nstft_conv.weight = bf16" BUT_BIASES, 0, 0 },
    { "f8e5m2", "default = f8e5m2" BUT_BIASES, 0, 0 },
    { "q4_0", "default = q4_0" BUT_BIASES, 0, 0 },
};
enum { OWN = sizeof formats / sizeof formats[0], INT8 = 4, FP8 = 8, FORMATS_MAX = 64, PASSES = 5, TIMED = 25 };

/* ---- files ------------------------------------------------------------------------------------ */

static void fail(const char *what, const char *of) {
    printf("silero: %s: %s\n", of, what);
    exit(1);
}
static void *get(size_t size) {
    void *p = malloc(size);
    if (p == NULL) fail("no memory", "malloc");
    return p;
}
static void *grow(void *old, size_t size, void *user) {
    (void)user;
    return realloc(old, size);
}
/* A whole file, with a NUL behind it. */
static char *read_file(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    char *data;
    long end = 0;
    if (in == NULL || fseek(in, 0, SEEK_END) != 0 || (end = ftell(in)) < 0) fail("cannot be read", path);
    rewind(in);
    data = (char *)get((size_t)end + 1);
    data[*size = fread(data, 1, (size_t)end, in)] = '\0';
    fclose(in);
    return data;
}
/* The samples of a WAV file of 16 bits, one channel, 16 kHz, from -1 to 1: those behind "data". */
static float *read_wav(const char *path, size_t *count) {
    static const char head[] = "WAVEfmt \20\0\0\0\1\0\1\0\200\76\0\0\0\175\0\0\2\0\20\0data";
    size_t size;
    char *file = read_file(path, &size);
    float *samples;
    if (size < 44 || memcmp(file + 8, head, sizeof head - 1) != 0) fail("no WAV file of 16 bits, 16 kHz, mono", path);
    *count = (size - 44) / 2;
    samples = (float *)get(*count * 4 + 4);
    (void)mpx_cast(samples, MPX_F32, file + 44, MPX_I16, *count);
    (void)mpx_scale(samples, MPX_F32, samples, MPX_F32, *count, 1.0f / 32768);
    free(file);
    return samples;
}

/* ---- the model -------------------------------------------------------------------------------- */

enum { STFT, CONV1, BIAS1, CONV2, BIAS2, CONV3, BIAS3, CONV4, BIAS4, IH, BIAS_IH, HH, BIAS_HH, LAST, BIAS_LAST,
       TENSORS };
enum { CHUNK = 512, CONTEXT = 64, WINDOW = 256, HOP = 128, FRAMES = 4, BINS = 129, KERNEL = 3, COLS_MAX = 448,
       LSTM = 128 };

/* A weight is a matrix: a row makes one output channel of all values that it sees. */
static const struct { const char *name; size_t rows, cols; } tensors[TENSORS] = {
    { "stft_conv.weight", BINS * 2, WINDOW }, /* cosines, then sines */
    { "conv1.weight", 128, BINS * KERNEL },   { "conv1.bias", 1, 128 },
    { "conv2.weight", 64, 128 * KERNEL },     { "conv2.bias", 1, 64 },
    { "conv3.weight", 64, 64 * KERNEL },      { "conv3.bias", 1, 64 },
    { "conv4.weight", 128, 64 * KERNEL },     { "conv4.bias", 1, 128 },
    { "lstm_cell.weight_ih", LSTM * 4, 128 }, { "lstm_cell.bias_ih", 1, LSTM * 4 },
    { "lstm_cell.weight_hh", LSTM * 4, LSTM }, { "lstm_cell.bias_hh", 1, LSTM * 4 },
    { "final_conv.weight", 1, LSTM },         { "final_conv.bias", 1, 1 },
};
/* Rows of weights are padded to whole blocks of 64, which is 387 to 448 for conv1: other lengths are
   slow, and formats with blocks refuse them. */
static size_t stored_cols(size_t i) {
    return tensors[i].rows > 1 ? (tensors[i].cols + 63) / 64 * 64 : tensors[i].cols;
}
/* The tensors of a safetensors file. */
static void read_weights(const char *path, mpx_leaf *leaves) {
    size_t size, i, r, header, begin, end;
    char *file = read_file(path, &size), *data, *at, *rows, key[64];
    for (i = 8, header = 0; size > 8 && i-- > 0;)
        header = header << 8 | (unsigned char)file[i];
    if (size <= 8 || header > size - 8) fail("no safetensors file", path);
    data = file + 8 + header;
    for (i = 0; i < TENSORS; i++) {
        const size_t row = tensors[i].cols * 4, stored = stored_cols(i) * 4;
        snprintf(key, sizeof key, "\"%s\":{\"dtype\":\"F32\"", tensors[i].name);
        at = strstr(file + 8, key);
        at = at != NULL ? strstr(at, "\"data_offsets\":[") : NULL;
        if (at == NULL || at > data) fail("not there, or no F32", tensors[i].name);
        begin = strtoul(at + 16, &at, 10);
        end = strtoul(at + 1, NULL, 10);
        if (end < begin || end > size - 8 - header || end - begin != tensors[i].rows * row)
            fail("another size", tensors[i].name);
        rows = (char *)get(tensors[i].rows * stored);
        memset(rows, 0, tensors[i].rows * stored);
        for (r = 0; r < tensors[i].rows; r++)
            memcpy(rows + r * stored, data + begin + r * row, row);
        leaves[i] = mpx_leaf_of(tensors[i].name, rows, tensors[i].rows * stored_cols(i), MPX_F32);
    }
    free(file);
}

typedef struct model {
    mpx_weights weights;
    mpx_matrix w[TENSORS]; /* in the memory of the weights */
    void *packed[TENSORS]; /* NULL: w is multiplied as it is */
    size_t bytes;
} model;

/* The bias of a weight is the next tensor; only the Fourier transform has none. */
static mpx_matmul_options options_of(const model *m, int weight, mpx_activation activation) {
    static char workspace[1 << 21];
    mpx_matmul_options opt;
    memset(&opt, 0, sizeof opt);
    opt.transpose_b = 1;
    opt.bias = weight == STFT ? NULL : m->w[weight + 1].data;
    opt.bias_type = m->w[weight + 1].type;
    opt.activation = activation;
    opt.workspace = workspace;
    opt.workspace_size = sizeof workspace;
    opt.packed = m->packed[weight];
    return opt;
}
/* The weights that meet several frames at once. */
static void pack(model *m) {
    static const int packed[] = { STFT, CONV1, CONV2 };
    size_t i;
    for (i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        const int w = packed[i];
        const mpx_matmul_options opt = options_of(m, w, MPX_ACT_NONE);
        const size_t size = mpx_matmul_packed_bytes(m->w[w], &opt);
        void *to = get(size);
        if (mpx_matmul_pack(to, m->w[w], &opt) != MPX_OK) fail("cannot be packed", tensors[w].name);
        m->bytes += size - m->weights.weights[w].bytes;
        m->packed[w] = to;
    }
}
/* The weights as a map wants them. */
static void cast_weights(model *m, mpx_leaf *leaves, const char *map) {
    char line[MPX_ERROR_TEXT_SIZE];
    size_t cols[TENSORS], i;
    mpx_weights_options opt;
    mpx_error err;
    memset(m, 0, sizeof *m);
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < TENSORS; i++)
        cols[i] = stored_cols(i);
    opt.grow = grow;
    opt.cols = cols;
    if (mpx_weights_cast(&m->weights, mpx_tree_of_leaves(leaves, TENSORS), map, &opt, &err) < 0) {
        (void)mpx_error_format(&err, map, line, sizeof line);
        fail(line, map);
    }
    m->bytes = m->weights.bytes;
    for (i = 0; i < TENSORS; i++) {
        m->w[i].data = m->weights.leaves[i].data;
        m->w[i].type = m->weights.leaves[i].dtype;
        m->w[i].rows = tensors[i].rows;
        m->w[i].cols = stored_cols(i);
        m->w[i].quant = m->weights.weights[i].quant;
        if (tensors[i].rows == 1 && i != LAST && m->w[i].quant.scheme != MPX_SCHEME_NONE)
            fail("a bias cannot be quantized", map);
    }
}

/* y = activation(weight * x + bias), for each of some frames. */
static void times(const model *m, float *y, int weight, const float *x, size_t frames, mpx_activation activation) {
    const mpx_matrix w = m->w[weight];
    const mpx_matmul_options opt = options_of(m, weight, activation);
    mpx_matvec_options one;
    mpx_status status = MPX_OK;
    mpx_matrix all;
    size_t t;
    memset(&one, 0, sizeof one);
    one.bias = opt.bias;
    one.bias_type = opt.bias_type;
    one.activation = activation;
    memset(&all, 0, sizeof all);
    all.data = x;
    all.type = MPX_F32;
    all.rows = frames;
    all.cols = w.cols;
    if (opt.packed != NULL) status = mpx_matmul(y, MPX_F32, all, w, &opt);
    for (t = 0; opt.packed == NULL && t < frames && status == MPX_OK; t++)
        status = mpx_matvec_with(y + t * w.rows, MPX_F32, w, x + t * w.cols, MPX_F32, &one);
    if (status != MPX_OK) fail("cannot be multiplied", tensors[weight].name);
}
/* A convolution in time, of three frames each, with zeros around them, then ReLU. x: frames, each of
   all channels. Returns how many frames of y there are: every step-th. */
static size_t convolve(const model *m, float *y, int weight, const float *x, size_t frames, size_t step) {
    const size_t channels = tensors[weight].cols / KERNEL, cols = m->w[weight].cols;
    float seen[FRAMES * COLS_MAX];
    size_t t, k, c, count = 0;
    for (t = 0; t < frames; t += step, count++) {
        float *row = seen + count * cols;
        for (k = 0; k < KERNEL; k++)
            for (c = 0; c < channels; c++)
                row[c * KERNEL + k] = t + k < 1 || t + k > frames ? 0.0f : x[(t + k - 1) * channels + c];
        memset(row + channels * KERNEL, 0, (cols - channels * KERNEL) * 4);
    }
    times(m, y, weight, seen, count, MPX_ACT_RELU);
    return count;
}
static void activate(float *x, size_t n, mpx_activation activation) {
    if (mpx_activate(x, MPX_F32, x, MPX_F32, n, activation) != MPX_OK) fail("no activation", "lstm_cell");
}
typedef struct state { float context[CONTEXT], h[LSTM], c[LSTM]; } state;
static void lstm(const model *m, state *s, const float *x) {
    float gates[LSTM * 4], more[LSTM * 4];
    size_t i;
    times(m, gates, IH, x, 1, MPX_ACT_NONE);
    times(m, more, HH, s->h, 1, MPX_ACT_NONE);
    for (i = 0; i < LSTM * 4; i++)
        gates[i] += more[i];
    activate(gates, LSTM * 2, MPX_ACT_SIGMOID); /* in, forget */
    activate(gates + LSTM * 2, LSTM, MPX_ACT_TANH);
    activate(gates + LSTM * 3, LSTM, MPX_ACT_SIGMOID); /* out */
    for (i = 0; i < LSTM; i++)
        s->h[i] = s->c[i] = gates[LSTM + i] * s->c[i] + gates[i] * gates[LSTM * 2 + i];
    activate(s->h, LSTM, MPX_ACT_TANH);
    for (i = 0; i < LSTM; i++)
        s->h[i] *= gates[LSTM * 3 + i];
}
/* The probability that there is speech in the next 512 samples. */
static float listen(const model *m, state *s, const float *samples) {
    float sound[CONTEXT + CHUNK + CONTEXT], seen[FRAMES * WINDOW], waves[FRAMES * BINS * 2];
    float a[FRAMES * BINS], b[FRAMES * 128], speech;
    size_t i, t, frames = FRAMES;
    memcpy(sound, s->context, sizeof s->context);
    memcpy(sound + CONTEXT, samples, CHUNK * 4);
    memcpy(s->context, samples + CHUNK - CONTEXT, sizeof s->context);
    for (i = 0; i < CONTEXT; i++) /* mirrored at the end */
        sound[CONTEXT + CHUNK + i] = sound[CONTEXT + CHUNK - 2 - i];
    for (t = 0; t < FRAMES; t++)
        memcpy(seen + t * WINDOW, sound + t * HOP, WINDOW * 4);
    times(m, waves, STFT, seen, FRAMES, MPX_ACT_NONE);
    for (t = 0; t < FRAMES; t++)
        for (i = 0; i < BINS; i++) {
            const float re = waves[t * BINS * 2 + i], im = waves[t * BINS * 2 + BINS + i];
            a[t * BINS + i] = sqrtf(re * re + im * im);
        }
    frames = convolve(m, b, CONV1, a, frames, 1);
    frames = convolve(m, a, CONV2, b, frames, 2);
    frames = convolve(m, b, CONV3, a, frames, 2);
    (void)convolve(m, a, CONV4, b, frames, 1);
    lstm(m, s, a);
    for (i = 0; i < LSTM; i++)
        a[i] = s->h[i] > 0 ? s->h[i] : 0;
    times(m, &speech, LAST, a, 1, MPX_ACT_SIGMOID);
    return speech;
}
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* All chunks, from silence on. Returns seconds for one, of the fastest TIMED of them. */
static double run(const model *m, float *speech, const float *samples, size_t chunks) {
    double best = 1e30, start = seconds();
    state s = { { 0 }, { 0 }, { 0 } };
    size_t i;
    for (i = 0; i < chunks; i++) {
        speech[i] = listen(m, &s, samples + i * CHUNK);
        if ((i + 1) % TIMED == 0) {
            const double now = seconds();
            if (now - start < best) best = now - start;
            start = now;
        }
    }
    return best / (double)TIMED;
}

typedef struct result {
    float *speech;
    double seconds, largest, mean;
    unsigned long other; /* decisions */
} result;

static void compare(result *r, const float *reference, size_t chunks) {
    size_t i;
    for (i = 0; i < chunks; i++) {
        const double d = fabs((double)r->speech[i] - (double)reference[i]);
        if (d > r->largest || d != d) r->largest = d; /* NaN stays */
        r->mean += d / (double)chunks;
        r->other += (r->speech[i] > 0.5f) != (reference[i] > 0.5f);
    }
}
/* Speech over time, in three lines. */
static void draw_line(FILE *svg, const float *speech, size_t chunks, const char *name, const char *style, int x) {
    size_t i;
    for (i = 0; i < chunks; i++) {
        const size_t third = i * 3 / chunks;
        if (i == 0 || third != (i - 1) * 3 / chunks)
            fprintf(svg, "%s<polyline fill=\"none\" %s points=\"", i == 0 ? "" : "\"/>\n", style);
        fprintf(svg, "%.1f,%.1f ", 20 + 960 * ((double)i * 3 / (double)chunks - (double)third),
                (double)third * 140 + 130 - 100 * (double)speech[i]);
    }
    fprintf(svg, "\"/>\n<path %s d=\"M%d 442h30\"/><text x=\"%d\" y=\"447\">%s</text>\n", style, x, x + 36, name);
}
static void draw(const char *path, const result *results, const float *reference, size_t chunks) {
    FILE *svg = fopen(path, "w");
    if (svg == NULL) fail("cannot be written", path);
    fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 460\" width=\"1000\" height=\"460\"\n"
                 "     font-family=\"sans-serif\" font-size=\"14\" fill=\"#222222\">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
                 "<path stroke=\"#e0e0e0\" d=\"M20 80h960M20 220h960M20 360h960\"/>\n");
    draw_line(svg, reference, chunks, "onnxruntime", "stroke=\"#b8b8b8\" stroke-width=\"6\"", 20);
    draw_line(svg, results[INT8].speech, chunks, formats[INT8].name, "stroke=\"#0072b2\" stroke-width=\"1.5\"", 360);
    draw_line(svg, results[FP8].speech, chunks, formats[FP8].name, "stroke=\"#d55e00\" stroke-width=\"1.5\"", 680);
    fprintf(svg, "</svg>\n");
    fclose(svg);
}

int main(int argc, char **argv) {
    static model models[FORMATS_MAX];
    static result results[FORMATS_MAX];
    const int count = OWN + (argc > 5 ? argc - 5 : 0);
    mpx_leaf leaves[TENSORS];
    size_t chunks, size, i, spoken = 0;
    float *samples, *reference;
    const double start = seconds();
    int f, pass, bounds = 0, failed = 0; /* formats take turns, as the machine is not always as fast */
    if (argc < 4 || count > FORMATS_MAX) fail("WEIGHTS WAV REFERENCE [SVG [MAP...]]", "usage");
    read_weights(argv[1], leaves);
    samples = read_wav(argv[2], &size);
    chunks = size / CHUNK;
    reference = (float *)(void *)read_file(argv[3], &size);
    if (size != chunks * 4) fail("not one float for each chunk", argv[3]);
    for (i = 0; i < chunks; i++)
        spoken += reference[i] > 0.5f;
    if (spoken == 0 || spoken == chunks) fail("no speech, or nothing else", argv[3]);
    printf("%s, one thread; %lu chunks of 512 samples, speech in %lu\n%-17s %8s %7s %9s %9s %6s\n", mpx_isa(),
           (unsigned long)chunks, (unsigned long)spoken, "weights", "bytes", "ms", "largest", "mean", "other");
    for (f = 0; f < count; f++) {
        cast_weights(&models[f], leaves, f < OWN ? formats[f].map : argv[f - OWN + 5]);
        if (f < OWN && formats[f].packed) pack(&models[f]);
        results[f].speech = (float *)get(chunks * 4);
        results[f].seconds = 1e30;
    }
    for (pass = 0; pass < PASSES && (pass == 0 || seconds() - start < 20); pass++)
        for (f = 0; f < count; f++) {
            results[f].seconds = fmin(results[f].seconds, run(&models[f], results[f].speech, samples, chunks));
        }
    for (f = 0; f < count; f++) {
        result *r = &results[f];
        const char *name = f < OWN ? formats[f].name : argv[f - OWN + 5];
        compare(r, reference, chunks);
        printf("%-17.*s %8lu %7.4f %9.1e %9.1e %6lu\n", (int)strcspn(name, "\n"), name, (unsigned long)models[f].bytes,
               r->seconds * 1e3, r->largest, r->mean, r->other);
        if (f >= OWN || formats[f].bound == 0) continue;
        bounds++;
        if (r->largest <= formats[f].bound) continue;
        printf("FAILED %s: farther from the reference than %g\n", name, formats[f].bound);
        failed++;
    }
    printf("%d formats with a bound, %d failed\n", bounds, failed);
    if (argc > 4) draw(argv[4], results, reference, chunks);
    return failed != 0;
}
