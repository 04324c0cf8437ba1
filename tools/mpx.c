/* mpx - look into checkpoints, convert them, compare them; numbers in the bits of narrow formats
   cc -O2 -I. tools/mpx.c -lm -lpthread -o mpx        (POSIX; C99; or make tool)

   Files are mapped and converted in pieces, by threads. The output is written beside its name and renamed when all of
   it is there. Exit codes: 0 it is done; 1 files differ, or a limit is passed; 2 wrong usage; 3 an error. */
#if !defined(__APPLE__) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64 /* files from 2 GiB on, on machines of 32 bits */
#endif
#if defined(__x86_64__) && !defined(MPX_DISPATCH) && !defined(__TINYC__)
#define MPX_DISPATCH 1
#endif
#ifndef MPX_LINKED /* make test: with the library that is there */
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#endif
#define MPX_FILES 1
#include "mpx.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PASSED = 0, DIFFERENT = 1, USAGE = 2, FAILED = 3 };
enum { PIECE = 1 << 18, TILE = 2048, MOST_THREADS = 16 }; /* elements; a piece of floats is 1 MiB */

typedef struct options {
    const char *map, *format, *in;
    int json, verify, sync, saturate, stochastic, threads;
    uint64_t seed;
    int has_sqnr;
    double min_sqnr;
    struct limit { int is_set, is_share; double most; } overflow, zeroed;
} options;

static char temporary[PATH_MAX]; /* "": there is none. Read by the handler of signals */
static volatile sig_atomic_t has_temporary;

static void remove_temporary(void) {
    if (has_temporary) (void)unlink(temporary);
    has_temporary = 0;
}
static void show_progress(int is_end);
/* Names in a file may hold what a terminal takes for commands. */
static void drop_controls(char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) *text = ' ';
        if ((unsigned char)*text == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0)
            *text = text[1] = ' '; /* U+0080 to U+009F in UTF-8 */
    }
}
#if defined(__GNUC__)
__attribute__((format(printf, 1, 0)))
#endif
static void tell(const char *format, va_list arguments) {
    char some[2 * PATH_MAX], *text = some, *all = NULL;
    va_list again;
    int n;
    va_copy(again, arguments);
    n = vsnprintf(some, sizeof some, format, arguments);
    if (n >= (int)sizeof some) all = (char *)malloc((size_t)n + 1); /* a name may have any length */
    if (all != NULL && vsnprintf(all, (size_t)n + 1, format, again) == n) text = all;
    va_end(again);
    drop_controls(text);
    show_progress(1); /* the line of the bar is free */
    fprintf(stderr, "mpx: %s\n", text);
    free(all);
}
#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 2, 3)))
#endif
static void die(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
    remove_temporary();
    exit(code);
}
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
}
static void *room(size_t size) {
    void *p = calloc(1, size != 0 ? size : 1);
    if (p == NULL) die(FAILED, "out of memory");
    return p;
}
static void die_of(const char *name, const mpx_error *err) {
    char text[MPX_ERROR_TEXT_SIZE];
    mpx_error_format(err, NULL, text, sizeof text);
    die(FAILED, "%s: %s", name, text);
}

/* ---- tables, and the same as JSON ------------------------------------------------------------ */

typedef struct table {
    int json, rows, cells, name_width, type_width;
    char titles[512], *line; /* the line has `size` bytes: a name may have any length */
    size_t titles_used, used, size;
} table;

/* Bytes of the character of UTF-8 at s, which has n bytes; 0: it is none. */
static size_t utf8_size(const char *s, size_t n) {
    const unsigned c = (unsigned char)s[0], d = n > 1 ? (unsigned char)s[1] : 0;
    const size_t size = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    size_t i;
    for (i = 1; i < size; i++)
        if (i >= n || ((unsigned char)s[i] & 0xc0) != 0x80) return 0;
    return (c == 0xe0 && d < 0xa0) || (c == 0xed && d >= 0xa0) || (c == 0xf0 && d < 0x90) || (c == 0xf4 && d >= 0x90) ?
           0 : size;
}
/* What is no UTF-8, as texts of GGUF may be, becomes U+FFFD. */
static void json_bytes(const char *s, size_t n) {
    const char *const end = s + n;
    putchar('"');
    for (; s < end; s++) {
        const unsigned char c = (unsigned char)*s;
        size_t size = utf8_size(s, (size_t)(end - s));
        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c < 0x20) printf("\\u%04x", c);
        else if (size == 0) fputs("\\ufffd", stdout);
        else for (putchar(c); --size != 0;) putchar(*++s);
    }
    putchar('"');
}
static void json_text(const char *s) {
    json_bytes(s, strlen(s));
}
static void json_key(table *t, const char *key) {
    if (t->cells++ != 0) fputs(", ", stdout);
    json_text(key);
    fputs(": ", stdout);
}
/* Bytes of a text that begin no character. */
static int bytes_inside(const char *text) {
    int n = 0;
    for (; *text != '\0'; text++) n += ((unsigned char)*text & 0xc0) == 0x80;
    return n;
}
/* Width below 0: to the left; 0: a name. The text is padded to so many characters. */
static int fit_of(const table *t, int width, const char *text) {
    const int fit = width == 0 ? -t->name_width : width;
    return fit < 0 ? fit - bytes_inside(text) : fit;
}
/* The title of a column, also of one in which the first row has nothing. */
static void cell_title(table *t, const char *key, int width) {
    if (!t->json && t->rows == 0 && t->titles_used < sizeof t->titles)
        t->titles_used += (size_t)snprintf(t->titles + t->titles_used, sizeof t->titles - t->titles_used, "%s%*s",
                                           t->titles_used != 0 ? "  " : "", fit_of(t, width, key), key);
}
static void cell_text(table *t, const char *key, int width, const char *text) {
    if (t->json) {
        json_key(t, key);
        json_text(text);
        return;
    }
    cell_title(t, key, width);
    if (t->size - t->used < strlen(text) + 256) { /* no column is so wide */
        t->size = 2 * t->size + strlen(text) + 256;
        t->line = (char *)realloc(t->line, t->size);
        if (t->line == NULL) die(FAILED, "out of memory");
    }
    t->used += (size_t)snprintf(t->line + t->used, t->size - t->used, "%s%*s", t->cells != 0 ? "  " : "",
                                fit_of(t, width, text), text);
    t->cells++;
}
/* JSON has no Inf and no NaN. */
static void cell_number(table *t, const char *key, int width, const char *format, double x) {
    char text[40];
    if (!t->json) {
        (void)snprintf(text, sizeof text, format, x);
        cell_text(t, key, width, text);
        return;
    }
    json_key(t, key);
    if (x - x == 0) printf("%.17g", x);
    else fputs("null", stdout);
}
static void cell_count(table *t, const char *key, int width, uint64_t n) {
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    if (!t->json) {
        cell_text(t, key, width, text);
        return;
    }
    json_key(t, key);
    fputs(text, stdout);
}
static void row_begin(table *t) {
    t->cells = 0;
    t->used = 0;
    if (t->json) fputs(t->rows != 0 ? ",\n  {" : "\n  {", stdout);
}
static void row_end(table *t) {
    if (t->json) {
        putchar('}');
    } else {
        if (t->rows == 0) puts(t->titles);
        drop_controls(t->line);
        puts(t->line);
    }
    t->rows++;
}
/* "key": [ of the tables that an object of JSON is made of */
static void table_begin(table *t, const options *opt, const char *key, int *first) {
    const int name_width = t->name_width, type_width = t->type_width;
    memset(t, 0, sizeof *t);
    t->json = opt->json;
    t->name_width = name_width;
    t->type_width = type_width;
    if (!opt->json) return;
    fputs(*first ? "{" : ",\n ", stdout);
    *first = 0;
    json_text(key);
    fputs(": [", stdout);
}
static void table_end(const table *t) {
    if (t->json) putchar(']');
    free(t->line);
}
static void json_end(const options *opt) {
    if (opt->json) puts("}");
}
static void shape_text(const mpx_file_tensor *t, char *out, size_t size) {
    size_t i, used = 0;
    (void)snprintf(out, size, "scalar");
    for (i = 0; i < t->rank && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lu", i != 0 ? "x" : "", (unsigned long)t->shape[i]);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct input {
    const char *name;
    void *map;
    size_t size;
    mode_t mode;
    mpx_file file;
} input;

static void open_input(input *in, const char *name) {
    struct stat about;
    mpx_error err;
    const int fd = open(name, O_RDONLY | O_NONBLOCK); /* not to wait for who writes to a pipe */
    memset(in, 0, sizeof *in);
    in->name = name;
    if (fd < 0 || fstat(fd, &about) != 0) die(FAILED, "%s: %s", name, strerror(errno));
    if (!S_ISREG(about.st_mode)) die(FAILED, "%s: not a file that can be mapped", name);
    in->size = (size_t)about.st_size;
    in->mode = about.st_mode & 0777;
    in->map = in->size != 0 ? mmap(NULL, in->size, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (in->map == MAP_FAILED) die(FAILED, "%s: %s", name, strerror(errno));
    (void)close(fd);
    if (mpx_file_open(&in->file, in->map, in->size, NULL, 0, &err) == MPX_ERR_SPACE) {
        const size_t need = err.need;
        (void)mpx_file_open(&in->file, in->map, in->size, room(need), need, &err);
    }
    if (err.status != MPX_OK) die_of(name, &err);
}
static void close_input(input *in) {
    free(in->file.memory);
    if (in->map != NULL) (void)munmap(in->map, in->size);
}
static const struct { mpx_file_format format; const char *name; } formats[] = {
    { MPX_FORMAT_SAFETENSORS, "safetensors" }, { MPX_FORMAT_GGUF, "gguf" }, { MPX_FORMAT_NPY, "npy" },
    { MPX_FORMAT_NPZ, "npz" },
};
static const char *format_name(mpx_file_format format) {
    return formats[format - MPX_FORMAT_SAFETENSORS].name;
}
static int format_of(const char *word, mpx_file_format *out) {
    size_t i;
    for (i = 0; i < 4; i++)
        if (word != NULL && strcmp(word, formats[i].name) == 0) {
            *out = formats[i].format;
            return 1;
        }
    return 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

static size_t bytes_of(const mpx_file_tensor *t) {
    return mpx_dtype_bytes(t->leaf.dtype, t->leaf.count);
}
static size_t count_of(const mpx_file_tensor *t) {
    size_t i, count = 1;
    for (i = 0; i < t->rank; i++) count *= t->shape[i];
    return count;
}
static int is_quantized(const mpx_file_tensor *t) {
    return t->dtype == MPX_NONE && t->quant.scheme != MPX_SCHEME_NONE;
}
/* Can its elements be read as numbers? */
static int is_readable(const mpx_file_tensor *t) {
    const mpx_dtype_facts facts = mpx_dtype_info(t->dtype);
    return is_quantized(t) || (facts.kind != MPX_KIND_NONE && facts.kind != MPX_KIND_COMPLEX);
}
static int is_float(const mpx_file_tensor *t) {
    return is_quantized(t) || mpx_dtype_is_floating(t->dtype);
}
static void type_text(const mpx_file_tensor *t, char *out, size_t size) {
    (void)snprintf(out, size, "%s", t->dtype != MPX_NONE ? mpx_dtype_short_name(t->dtype) : t->type != NULL ?
                   t->type : "");
    if (is_quantized(t)) mpx_quant_format(t->quant, out, size);
}
/* Where elements from `first` on are, a multiple of 256. */
static size_t place_of(const mpx_file_tensor *t, size_t first) {
    mpx_quant_layout at;
    if (!is_quantized(t)) return mpx_dtype_offset(t->dtype, first);
    if (mpx_quant_layout_of(t->quant, 1, 256, &at, NULL) != MPX_OK) return 0;
    return first / at.block * at.block_bytes;
}
static void turn(unsigned char *d, const unsigned char *s, size_t n, size_t width) {
    size_t i, j;
    for (i = 0; i < n; i += width)
        for (j = 0; j < width; j++) d[i + j] = s[i + width - 1 - j];
}
/* Bytes that are swapped with each other in the other order. */
static size_t width_of(const mpx_file_tensor *t) {
    const mpx_dtype_facts facts = mpx_dtype_info(t->dtype);
    return facts.bits <= 8 ? 1 : (size_t)facts.bits / (facts.kind == MPX_KIND_COMPLEX ? 16 : 8);
}
static int is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}
/* An array in the order of C and of this machine's bytes: a copy, never freed. */
static void to_plain(mpx_file_tensor *t) {
    const size_t count = count_of(t), size = count != 0 ? bytes_of(t) / count : 0;
    const size_t width = t->swapped ? width_of(t) : 1;
    const unsigned char *s = (const unsigned char *)t->leaf.data;
    unsigned char *d;
    size_t i, k, at, rest, step;
    if (!t->fortran && !t->swapped) return; /* elements below a byte are so */
    d = (unsigned char *)room(count * size);
    for (i = 0; i < count; i++) {
        for (at = t->fortran ? 0 : i, rest = i, step = count, k = t->fortran ? t->rank : 0; k-- > 0; rest /= t->shape[k])
            at += rest % t->shape[k] * (step /= t->shape[k]);
        turn(d + i * size, s + at * size, size, width);
    }
    if (t->swapped) t->leaf = mpx_leaf_of(t->leaf.path, d, count, t->dtype);
    t->leaf.data = d;
    t->swapped = t->fortran = 0;
}
/* n elements from `first` on that casts can read: in the file, or else in `scratch` of n * 8 bytes. */
static const void *elements(const mpx_file_tensor *t, size_t first, size_t n, void *scratch, mpx_dtype *type) {
    const unsigned char *s = (const unsigned char *)t->leaf.data + place_of(t, first);
    *type = t->dtype;
    if (is_quantized(t)) {
        *type = MPX_F32;
        (void)mpx_dequantize(scratch, MPX_F32, s, t->quant, 1, n);
        return scratch;
    }
    if (!t->swapped) return s;
    turn((unsigned char *)scratch, s, mpx_dtype_bytes(t->dtype, n), mpx_dtype_bytes(t->dtype, 1));
    return scratch;
}

/* ---- what becomes of each tensor ------------------------------------------------------------- */

typedef struct job {
    const mpx_file_tensor *from;
    mpx_file_tensor *to;      /* of the output; its leaf has no data if it is cast */
    int casts, saturates, whole; /* whole: its scales lie apart, so a dry run quantizes all of it at once */
    uint64_t random, lost;    /* index of its element 0 among all; values that became Inf or NaN */
    mpx_cast_stats stats;     /* of a dry run, of what was read back, of two tensors that are compared */
    uint64_t finite_in_b;     /* of two that are compared: numbers that are finite in the second alone */
    uint64_t unequal;         /* pieces with other bits than were to be written */
} job;

typedef struct plan {
    const options *opt;
    input in;
    mpx_file out;
    job *jobs;
    char *map_text;
    mpx_policy_map map;
    mpx_dtype computes; /* MPX_NONE, or of a policy for whose parameters nothing is to do */
} plan;

static char *read_text(const char *name) {
    FILE *file = fopen(name, "rb");
    size_t size = 0, got = 1, most = 4096;
    char *text = (char *)room(most);
    if (file == NULL) die(FAILED, "%s: %s", name, strerror(errno));
    while (got != 0) {
        if (most - size < 2) text = (char *)realloc(text, most *= 2);
        if (text == NULL) die(FAILED, "out of memory");
        size += got = fread(text + size, 1, most - size - 1, file);
    }
    if (ferror(file)) die(FAILED, "%s: %s", name, strerror(errno));
    (void)fclose(file);
    text[size] = '\0';
    if (strlen(text) != size) die(USAGE, "%s: a NUL at byte %lu; expected text", name, (unsigned long)strlen(text));
    return text;
}
/* "output = f16" is a policy, and a map with one line for a tensor of that name: which is meant? */
static void refuse_two_meanings(const plan *p, const char *text) {
    mpx_map_entry line[1];
    mpx_policy_map map = mpx_policy_map_of(line, 1, p->map.fallback);
    size_t i, entry;
    if (mpx_policy_map_parse(&map, text, NULL) != MPX_OK) return;
    for (i = 0; i < p->in.file.count; i++)
        if (mpx_policy_map_find(&map, p->in.file.tensors[i].leaf.path, &entry) == MPX_OK && entry != MPX_MAP_DEFAULT)
            die(USAGE, "--map: '%s' is a policy for all tensors, and also a line for '%s'; write 'default = f32' in a line "
                "before it if it is for that tensor", text, p->in.file.tensors[i].leaf.path);
}
/* Two words without a '=', as in "w: f16". */
static int has_two_words(const char *text) {
    static const char blanks[] = " \t\n";
    const char *second = text + strspn(text, blanks);
    second += strcspn(second, blanks);
    return second[strspn(second, blanks)] != '\0' && strchr(text, '=') == NULL;
}
/* A policy or a quantization for all, or a map. If the text is neither, several lines get the error of a map, and a
   line gets that which lies further back. */
static void read_map(plan *p) {
    static const char setting[] = "default = ";
    const char *text = p->opt->map, *line_end;
    char sentence[MPX_ERROR_TEXT_SIZE], *one;
    const mpx_policy none = { MPX_NONE, MPX_NONE, MPX_NONE, MPX_QUANT_NONE, 0, 0, 0 };
    mpx_error as_one, as_map;
    const mpx_error *said;
    size_t lines = 2, i;
    if (text[0] == '@') text = p->map_text = read_text(text + 1);
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte-order mark */
    for (i = 0; text[i] != '\0'; i++) lines += text[i] == '\n';
    p->map = mpx_policy_map_of((mpx_map_entry *)room(lines * sizeof(mpx_map_entry)), lines, none);
    one = (char *)room(i + sizeof setting); /* never freed: keys of lines behind the first point into it */
    (void)sprintf(one, "%s%s", setting, text);
    if (mpx_policy_map_parse(&p->map, one, &as_one) == MPX_OK) {
        refuse_two_meanings(p, text);
        return;
    }
    if (mpx_policy_map_parse(&p->map, text, &as_map) == MPX_OK) {
        if (p->map.count == 0 && p->map.fallback.param == MPX_NONE && p->map.fallback_quant.scheme == MPX_SCHEME_NONE)
            die(USAGE, "%s: no line says what to cast", p->map_text != NULL ? p->opt->map : "--map");
        return;
    }
    as_one.offset -= as_one.offset < sizeof setting - 1 ? as_one.offset : sizeof setting - 1;
    line_end = text + strcspn(text, "\n");
    said = line_end[strspn(line_end, "\n")] == '\0' &&
           as_one.offset + (as_map.status == MPX_ERR_MISSING_EQUALS) > as_map.offset ? &as_one : &as_map;
    mpx_error_format(said, text, sentence, sizeof sentence);
    die(USAGE, "%s line %lu: %s%s", p->map_text != NULL ? p->opt->map : "--map",
        (unsigned long)mpx_error_line(said, text), sentence,
        said == &as_one && has_two_words(text) ? "; a line of a map is KEY = f16, or KEY = f16 saturate" : "");
}
/* Texts of NumPy, "|S3" and "<U3", are no numbers; other elements that are not known may be. */
static int is_text(const plan *p, const mpx_file_tensor *t) {
    return p->in.file.format >= MPX_FORMAT_NPY && (t->type[1] == 'S' || t->type[1] == 'U');
}
static void aim(plan *p, job *j) {
    const mpx_file_tensor *from = j->from;
    mpx_file_tensor *to = j->to;
    const char *path = from->leaf.path;
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_quant quant = p->map.fallback_quant;
    mpx_policy policy = p->map.fallback;
    mpx_quant_layout at;
    mpx_status status;
    mpx_error err;
    size_t entry, rows, cols = from->rank != 0 ? from->shape[from->rank - 1] : 1;
    int stays; /* as it is, by the map */
    *to = *from;
    j->saturates = p->map.saturate || p->opt->saturate;
    if (mpx_policy_map_find(&p->map, path, &entry) != MPX_OK) {
        mpx_policy_map_explain(&p->map, path, sentence, sizeof sentence);
        die(USAGE, "--map: %s", sentence);
    }
    if (entry != MPX_MAP_DEFAULT) {
        const mpx_map_entry *e = &p->map.entries[entry];
        policy = e->policy;
        quant = e->quant;
        j->saturates = e->saturate || p->opt->saturate;
    }
    if (quant.scheme == MPX_SCHEME_NONE) quant = mpx_quant_of_policy(policy);
    stays = quant.scheme == MPX_SCHEME_NONE && policy.param == MPX_NONE;
    if (entry != MPX_MAP_DEFAULT) p->map.entries[entry].leaves += stays || is_float(from);
    if (stays) return;
    if (!is_float(from)) {
        if (from->dtype == MPX_NONE && !is_text(p, from))
            die(FAILED, "%s: '%s': elements of type %s cannot be read", p->in.name, path, from->type);
        return;
    }
    if (quant.scheme != MPX_SCHEME_NONE) {
        mpx_quant_format(quant, sentence, sizeof sentence);
        if (is_quantized(from) && from->quant.scheme == quant.scheme) return;
        if (entry == MPX_MAP_DEFAULT && from->rank < 2) return; /* biases and norms, as llama.cpp has it */
        if ((quant.scheme >= MPX_SCHEME_Q4_K && quant.scheme <= MPX_SCHEME_Q6_K) || quant.scheme == MPX_SCHEME_GGML_NVFP4)
            die(FAILED, "%s: '%s': %s can only be read", p->in.name, path, sentence);
        rows = cols != 0 ? count_of(from) / cols : 0;
        status = mpx_quant_layout_of(quant, rows, cols, &at, &err);
        if (status == MPX_ERR_SHAPE && entry == MPX_MAP_DEFAULT) return;
        if (status != MPX_OK)
            die(FAILED, "%s: '%s': %s needs rows of whole blocks of %lu: a row has %lu elements", p->in.name, path,
                sentence, (unsigned long)err.need, (unsigned long)cols);
        j->whole = at.scale_type != MPX_NONE || at.block_bytes == 0;
        if (j->whole && p->out.format != MPX_FORMAT_NONE)
            die(FAILED,
                "%s: '%s': %s has its scales apart from its codes, which no format here can hold; formats of GGUF "
                "have them together: q8_0, q4_0, ggml_mxfp4", p->in.name, path, sentence);
        if (p->out.format != MPX_FORMAT_GGUF && p->out.format != MPX_FORMAT_NONE)
            die(FAILED, "%s: '%s': only GGUF files can hold %s", p->in.name, path, sentence);
        to->dtype = MPX_NONE;
        to->quant = quant;
        to->leaf.dtype = MPX_U8;
        to->leaf.count = j->whole ? at.bytes : count_of(from) / at.block * at.block_bytes;
    } else {
        const size_t bits_left = count_of(from) % 8 * (size_t)mpx_dtype_bits(policy.param) % 8;
        if (policy.param == from->dtype) {
            if (policy.compute != policy.param) p->computes = policy.compute;
            return;
        }
        if (!mpx_dtype_is_floating(policy.param))
            die(USAGE, "--map: '%s': %s is no dtype that casts of parameters give", path, mpx_dtype_name(policy.param));
        if (p->out.format == MPX_FORMAT_SAFETENSORS && bits_left != 0)
            die(FAILED, "%s: '%s': %lu elements of %s end within a byte", p->in.name, path,
                (unsigned long)count_of(from), mpx_dtype_name(policy.param));
        memset(&to->quant, 0, sizeof to->quant);
        to->leaf.dtype = to->dtype = policy.param;
        to->leaf.count = count_of(from);
    }
    to->type = NULL;
    to->swapped = 0;
    to->leaf.data = NULL;
    j->casts = 1;
}
static void plan_all(plan *p, const char *in, mpx_file_format format, const options *opt) {
    uint64_t elements_before = 0;
    size_t i;
    memset(p, 0, sizeof *p);
    p->opt = opt;
    open_input(&p->in, in);
    p->out = p->in.file;
    p->out.format = format;
    p->out.version = 0;
    p->out.tensors = (mpx_file_tensor *)room(p->out.count * sizeof(mpx_file_tensor));
    p->jobs = (job *)room(p->out.count * sizeof(job));
    if (opt->map != NULL) read_map(p);
    for (i = 0; i < p->out.count; i++) {
        job *j = &p->jobs[i];
        if (p->in.file.tensors[i].fortran && format < MPX_FORMAT_NPY) /* a dry run too: blocks are in rows */
            to_plain(&p->in.file.tensors[i]);
        j->from = &p->in.file.tensors[i];
        j->to = &p->out.tensors[i];
        j->random = elements_before;
        elements_before += count_of(j->from);
        aim(p, j);
    }
    for (i = 0; i < p->map.count; i++)
        if (p->map.entries[i].leaves == 0)
            warn("warning: no tensor of floats matches '%.*s'", (int)p->map.entries[i].length, p->map.entries[i].key);
    for (i = 0; i < p->out.count && !p->jobs[i].casts; i++) continue;
    if (i == p->out.count && p->computes != MPX_NONE)
        warn("warning: nothing is cast: files have parameters, and the policy leaves theirs (p) as they are; to cast "
             "them write %s", mpx_dtype_short_name(p->computes));
}

/* ---- pieces, by threads ---------------------------------------------------------------------- */

enum { WRITE, TRY, READ_BACK, COMPARE };
typedef struct work {
    const options *opt;
    job *j;
    int what, fd, error;
    off_t at;                     /* in the output */
    size_t next, pieces, size;    /* size: elements of a piece, or bytes of one that is copied */
    mpx_cast_stats *each;         /* of the pieces: they are added in their order, whichever thread is first */
    pthread_mutex_t lock;
} work;
typedef struct progress {
    uint64_t done, all; /* bytes that are read */
    double shown, begun;
    int on;
} progress;
static progress bar;

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void show_progress(int is_end) {
    static const char full[] = "##############################";
    const double t = now(), part = bar.all != 0 ? (double)bar.done / (double)bar.all : 1;
    if (!bar.on || (!is_end && t - bar.shown < 0.1)) return;
    bar.shown = t;
    if (is_end)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r[%-30.*s] %3.0f %%  %.0f MB/s ", (int)(part * 30), full, part * 100,
                (double)bar.done / 1e6 / (t - bar.begun + 1e-9));
    (void)fflush(stderr);
}

/* Add what became of the numbers of one tensor in another of the same count. Returns how many are finite only in b. */
static uint64_t compare_values(mpx_cast_stats *stats, const mpx_file_tensor *a, const mpx_file_tensor *b, size_t first,
                               size_t n) {
    double x[TILE], y[TILE], scratch[TILE];
    uint64_t finite_in_b = 0;
    size_t at, m, i;
    mpx_dtype type;
    const void *s;
    for (at = first; at < first + n; at += m) {
        m = first + n - at < TILE ? first + n - at : TILE;
        s = elements(a, at, m, scratch, &type);
        (void)mpx_cast(x, MPX_F64, s, type, m);
        s = elements(b, at, m, scratch, &type);
        (void)mpx_cast(y, MPX_F64, s, type, m);
        stats->count += m;
        for (i = 0; i < m; i++) {
            const double error = fabs(x[i] - y[i]), size = fabs(x[i]);
            if (!isfinite(x[i])) {
                stats->nan += isnan(x[i]) != 0;
                stats->infinite += isinf(x[i]) != 0;
                finite_in_b += isfinite(y[i]) != 0;
                continue;
            }
            if (size > stats->max_abs) stats->max_abs = size;
            if (!isfinite(y[i])) {
                stats->overflowed++;
                continue;
            }
            stats->zeroed += size > 0 && !(fabs(y[i]) > 0);
            if (error > stats->max_error) stats->max_error = error;
            stats->sum_squares += x[i] * x[i];
            stats->sum_error_squares += error * error;
        }
    }
    return finite_in_b;
}
/* n elements of the target from `first` on, in dst. Adds to stats, if there are any. Returns how many finite values
   became Inf or NaN, if they were not to be expected. */
static uint64_t convert_piece(const work *w, size_t first, size_t n, void *dst, void *scratch, mpx_cast_stats *stats) {
    const mpx_file_tensor *to = w->j->to;
    const size_t width = mpx_dtype_bytes(to->dtype, 1);
    mpx_cast_stats counted;
    mpx_cast_options opt;
    mpx_dtype type;
    int may_lose;
    const void *s = elements(w->j->from, first, n, scratch, &type);
    memset(&opt, 0, sizeof opt);
    memset(&counted, 0, sizeof counted);
    opt.saturate = w->j->saturates;
    opt.rounding = w->opt->stochastic ? MPX_ROUND_STOCHASTIC : MPX_ROUND_NEAREST;
    opt.random_seed = w->opt->seed;
    opt.offset = w->j->random + first;
    opt.stats = stats;
    if (is_quantized(to)) {
        float most = 0;
        if (mpx_dtype_bits(type) < 8) { /* which mpx_quantize does not read */
            (void)mpx_cast(scratch, MPX_F32, s, type, n);
            s = scratch;
            type = MPX_F32;
        }
        (void)mpx_quantize(dst, to->quant, s, type, 1, n);
        (void)mpx_amax(s, type, n, &most);
        may_lose = stats == NULL && !(most <= 65504); /* the largest f16: a block's scale may have become Inf */
    } else {
        (void)mpx_cast_with(dst, to->dtype, s, type, n, &opt);
        may_lose = stats == NULL && !opt.saturate && !mpx_all_finite(dst, to->dtype, n);
    }
    if (may_lose) {
        mpx_file_tensor before = *w->j->from, after = *to;
        before.leaf = mpx_leaf_of("", s, n, type), before.dtype = type, before.swapped = before.fortran = 0;
        after.leaf.data = dst;
        (void)compare_values(&counted, &before, &after, 0, n);
    }
    if (is_big_endian() && width > 1) {
        memcpy(scratch, dst, n * width);
        turn((unsigned char *)dst, (const unsigned char *)scratch, n * width, width);
    }
    return counted.overflowed;
}
static void add_stats(mpx_cast_stats *sum, const mpx_cast_stats *s) {
    sum->count += s->count;
    sum->nan += s->nan;
    sum->infinite += s->infinite;
    sum->overflowed += s->overflowed;
    sum->zeroed += s->zeroed;
    sum->subnormal += s->subnormal;
    if (s->max_abs > sum->max_abs) sum->max_abs = s->max_abs;
    if (s->max_error > sum->max_error) sum->max_error = s->max_error;
    sum->sum_squares += s->sum_squares;
    sum->sum_error_squares += s->sum_error_squares;
}
static int write_all(int fd, const unsigned char *s, size_t n, off_t at) {
    while (n != 0) {
        const ssize_t wrote = pwrite(fd, s, n, at);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return wrote < 0 ? errno : EIO;
        s += wrote;
        n -= (size_t)wrote;
        at += wrote;
    }
    return 0;
}
/* One piece: convert it, or not; write it, or look at it. */
static int do_piece(const work *w, size_t i, unsigned char *codes, void *scratch, job *found) {
    const mpx_file_tensor *from = w->j->from, *to = w->j->to;
    const int numbers = w->j->casts || (w->what == COMPARE && is_readable(from) && is_readable(to));
    const size_t all = numbers ? count_of(from) : bytes_of(from), first = i * w->size,
                 n = all - first < w->size ? all - first : w->size, at = numbers ? place_of(to, first) : first,
                 size = !numbers ? n : (first + n < all ? place_of(to, first + n) : bytes_of(to)) - at;
    const unsigned char *s = (const unsigned char *)from->leaf.data + first, *written;
    mpx_file_tensor made = *to;
    if (w->what == COMPARE) {
        found->finite_in_b += compare_values(&found->stats, from, to, first, n);
        return 0;
    }
    if (w->j->casts) {
        const uint64_t lost = convert_piece(w, first, n, codes, scratch, w->what != WRITE && !is_quantized(to) ?
                                            &found->stats : NULL);
        if (w->what == WRITE) found->lost += lost;
        s = codes;
    }
    if (w->what == WRITE) return write_all(w->fd, s, size, w->at + (off_t)at);
    if (w->what == READ_BACK) {
        const size_t width = w->j->casts || (from->swapped != 0) == is_big_endian() ? 1 : width_of(from);
        written = (const unsigned char *)to->leaf.data + at;
        if (width > 1) turn(codes, s, size, width), s = codes;
        found->unequal += memcmp(written, s, size) != 0;
        if (is_quantized(to) && w->j->casts) (void)compare_values(&found->stats, from, to, first, n);
    } else if (is_quantized(to)) {
        mpx_file_tensor piece = *from;
        made.leaf.data = codes;
        piece.leaf.data = (unsigned char *)from->leaf.data + place_of(from, first);
        (void)compare_values(&found->stats, &piece, &made, 0, n);
    }
    return 0;
}
static void *worker(void *arg) {
    work *w = (work *)arg;
    unsigned char *codes = (unsigned char *)malloc(2 * 8 * (size_t)PIECE);
    job found;
    memset(&found, 0, sizeof found);
    for (;;) {
        size_t i;
        int error;
        (void)pthread_mutex_lock(&w->lock);
        if (codes == NULL) w->error = ENOMEM;
        i = w->error != 0 ? w->pieces : w->next++;
        if (i < w->pieces && i != 0) {
            bar.done += w->j->casts ? place_of(w->j->from, w->size) : w->size;
            show_progress(0);
        }
        (void)pthread_mutex_unlock(&w->lock);
        if (i >= w->pieces) break;
        memset(&found.stats, 0, sizeof found.stats);
        error = do_piece(w, i, codes, codes + 8 * (size_t)PIECE, &found);
        w->each[i] = found.stats;
        if (error != 0) {
            (void)pthread_mutex_lock(&w->lock);
            w->error = error;
            (void)pthread_mutex_unlock(&w->lock);
        }
    }
    free(codes);
    (void)pthread_mutex_lock(&w->lock);
    w->j->lost += found.lost;
    w->j->unequal += found.unequal;
    w->j->finite_in_b += found.finite_in_b;
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}
/* All pieces of a tensor, by as many threads as it has work for. Returns an errno, or 0. */
static int run(const options *opt, job *j, int what, int fd, off_t at) {
    pthread_t threads[MOST_THREADS];
    const int numbers = j->casts || (what == COMPARE && is_readable(j->from) && is_readable(j->to));
    const size_t all = numbers ? count_of(j->from) : bytes_of(j->from);
    size_t k;
    int i, started = 0;
    work w;
    memset(&w, 0, sizeof w);
    w.opt = opt;
    w.j = j;
    w.what = what;
    w.fd = fd;
    w.at = at;
    w.size = numbers ? PIECE : 4 * (size_t)PIECE;
    w.pieces = all / w.size + (all % w.size != 0);
    w.each = (mpx_cast_stats *)room(w.pieces * sizeof *w.each);
    (void)pthread_mutex_init(&w.lock, NULL);
    memset(&j->stats, 0, sizeof j->stats);
    for (i = 1; i < opt->threads && (size_t)i < w.pieces; i++)
        if (pthread_create(&threads[started], NULL, worker, &w) == 0) started++;
    (void)worker(&w);
    while (started > 0) (void)pthread_join(threads[--started], NULL);
    (void)pthread_mutex_destroy(&w.lock);
    for (k = 0; k < w.pieces; k++) add_stats(&j->stats, &w.each[k]);
    free(w.each);
    return w.error;
}

/* A dry run of a quantization whose scales lie apart: the matrix of all rows, there and back in memory. */
static int try_whole(const options *opt, job *j) {
    const size_t all = count_of(j->from),
                 cols = all != 0 && j->from->rank != 0 ? j->from->shape[j->from->rank - 1] : 1;
    float *x = (float *)malloc(all * sizeof *x + 1);
    unsigned char *codes = (unsigned char *)malloc(j->to->leaf.count + 1);
    mpx_file_tensor back = *j->from;
    job both;
    double scratch[TILE];
    size_t at, n;
    int error = x == NULL || codes == NULL ? ENOMEM : 0;
    memset(&both, 0, sizeof both);
    for (at = 0; at < all && error == 0; at += n) {
        mpx_dtype type;
        const void *s;
        n = all - at < TILE ? all - at : TILE;
        s = elements(j->from, at, n, scratch, &type);
        (void)mpx_cast(x + at, MPX_F32, s, type, n);
    }
    if (error == 0) {
        (void)mpx_quantize(codes, j->to->quant, x, MPX_F32, all / cols, cols);
        (void)mpx_dequantize(x, MPX_F32, codes, j->to->quant, all / cols, cols);
        back.leaf = mpx_leaf_of("", x, all, MPX_F32);
        back.dtype = MPX_F32;
        back.swapped = back.fortran = 0;
        both.from = j->from;
        both.to = &back;
        error = run(opt, &both, COMPARE, -1, 0);
        j->stats = both.stats;
    }
    free(codes);
    free(x);
    return error;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The file is mapped while it is read: one that is cut meanwhile raises SIGBUS. */
static void on_signal(int number) {
    static const char cut[] = "mpx: a file cannot be read any more: it was cut meanwhile, or the disk has failed\n";
    if (has_temporary) (void)unlink(temporary);
    if (number == SIGBUS) {
        if (write(2, cut, sizeof cut - 1) < 0) _exit(FAILED);
        _exit(FAILED);
    }
    (void)raise(number); /* the default action, once this has returned */
}
static void catch_signals(void) {
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGPIPE,
                                   SIGBUS };
    struct sigaction action, was;
    size_t i;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        action.sa_flags = numbers[i] != SIGBUS ? (int)SA_RESETHAND : 0; /* more than one thread may raise it */
        if (sigaction(numbers[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
    }
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit on sizes of files is an error of write */
}
/* A new file in the folder of `path`, under a name that is removed whatever happens. */
static int open_temporary(const char *path, mode_t mode) {
    const char *name = strrchr(path, '/');
    const int folder = name != NULL ? (int)(name - path) + 1 : 0;
    long number = (long)getpid();
    const long last = number + 1000; /* the names of one that was killed may be taken, where all have process id 1 */
    sigset_t all, before;
    int fd;
    (void)sigfillset(&all);
    do {
        if (snprintf(temporary, sizeof temporary, "%.*smpx.%ld.tmp", folder, path, number) >= (int)sizeof temporary)
            die(FAILED, "%s: the name is too long", path);
        (void)pthread_sigmask(SIG_BLOCK, &all, &before);
        fd = open(temporary, O_RDWR | O_CREAT | O_EXCL, mode);
        has_temporary = fd >= 0;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    } while (fd < 0 && errno == EEXIST && ++number < last);
    if (fd < 0) die(FAILED, "%s: no %s can be made for it: %s", path, temporary + folder, strerror(errno));
    return fd;
}
typedef struct writing {
    plan *p;
    int fd;
    off_t at;
    size_t used;
    unsigned char small[4096]; /* what is between the data is gathered */
    int error;
} writing;

static mpx_status flush_small(writing *w) {
    w->error = write_all(w->fd, w->small, w->used, w->at - (off_t)w->used);
    w->used = 0;
    return w->error != 0 ? MPX_ERR_CALLBACK : MPX_OK;
}
static mpx_status take_bytes(const void *data, size_t size, const mpx_file_tensor *tensor, void *user) {
    writing *w = (writing *)user;
    if (tensor == NULL && size <= sizeof w->small) {
        if (w->used + size > sizeof w->small && flush_small(w) != MPX_OK) return MPX_ERR_CALLBACK;
        memcpy(w->small + w->used, data, size);
        w->used += size;
        w->at += (off_t)size;
        return MPX_OK;
    }
    if (flush_small(w) != MPX_OK) return MPX_ERR_CALLBACK;
    if (tensor == NULL || (data != NULL && w->p->out.format == MPX_FORMAT_NPZ))
        w->error = write_all(w->fd, (const unsigned char *)data, size, w->at);
    else
        w->error = run(w->p->opt, &w->p->jobs[tensor - w->p->out.tensors], WRITE, w->fd, w->at);
    w->at += (off_t)size;
    return w->error != 0 ? MPX_ERR_CALLBACK : MPX_OK;
}
/* .npz has the checksums of its members before them: what is cast goes to a file without a name first. */
static void cast_aside(plan *p, const char *path) {
    off_t at = 0;
    size_t i;
    unsigned char *map;
    int fd = open_temporary(path, 0600), error;
    remove_temporary();
    for (i = 0; i < p->out.count; i++) {
        if (p->jobs[i].casts && (error = run(p->opt, &p->jobs[i], WRITE, fd, at)) != 0)
            die(FAILED, "%s: %s", path, strerror(error));
        if (p->jobs[i].casts) at += (off_t)bytes_of(&p->out.tensors[i]);
    }
    if (at == 0) return;
    map = (unsigned char *)mmap(NULL, (size_t)at, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) die(FAILED, "%s: %s", path, strerror(errno));
    (void)close(fd);
    for (i = 0; i < p->out.count; i++)
        if (p->jobs[i].casts) {
            p->out.tensors[i].leaf.data = map;
            map += bytes_of(&p->out.tensors[i]);
        }
}
/* Metadata and names that the other format does not have. */
static void fit_format(plan *p) {
    const mpx_file_format to = p->out.format, from = p->in.file.format;
    size_t i, kept = 0;
    char *name, *end;
    if (to == from) return;
    if (from == MPX_FORMAT_NPY && p->out.count == 1) {
        name = strrchr(p->in.name, '/') != NULL ? strrchr(p->in.name, '/') + 1 : (char *)(uintptr_t)p->in.name;
        name = strcpy((char *)room(strlen(name) + 1), name);
        end = strrchr(name, '.');
        if (end != NULL) *end = '\0';
        p->out.tensors[0].leaf.path = name;
    }
    for (i = 0; i < p->out.meta_count; i++) {
        const mpx_file_meta *m = &p->in.file.metas[i];
        if (to == MPX_FORMAT_GGUF || (to == MPX_FORMAT_SAFETENSORS && m->dtype == MPX_NONE && !m->is_array))
            p->out.metas[kept++] = *m;
    }
    if (kept < p->out.meta_count)
        warn("warning: %lu entries of metadata are left out: %s has no such ones",
             (unsigned long)(p->out.meta_count - kept), format_name(to));
    p->out.meta_count = kept;
}
/* NumPy's files call a dtype that it does not know "<V2", which is read as bytes without a dtype; or "<f1", which NumPy
   refuses to read. ggml refuses names of GGML_MAX_NAME, 64 bytes, and more. */
static void warn_of_names(const plan *p) {
    mpx_dtype first = MPX_NONE;
    size_t i, lost = 0, refused = 0, longer = 0;
    for (i = 0; i < p->out.count && p->out.format == MPX_FORMAT_GGUF; i++)
        longer += strlen(p->out.tensors[i].leaf.path) > 63;
    if (longer != 0)
        warn("warning: ggml cannot read %lu tensors whose names have more than 63 bytes", (unsigned long)longer);
    if (p->out.format < MPX_FORMAT_NPY) return;
    for (i = 0; i < p->out.count; i++) {
        const char *name = mpx_interop_name(MPX_SYSTEM_NUMPY_STR, p->out.tensors[i].dtype);
        if (mpx_dtype_bits(p->out.tensors[i].dtype) < 8) continue; /* refused */
        if (strncmp(name, "<V", 2) == 0 && lost++ == 0) first = p->out.tensors[i].dtype;
        refused += strcmp(name, "<f1") == 0;
    }
    if (refused != 0)
        warn("warning: NumPy cannot read %lu tensors of float8_e5m2, which %s calls <f1", (unsigned long)refused,
             format_name(p->out.format));
    if (lost != 0)
        warn("warning: %lu tensors lose their dtype: %s has no name for %s; safetensors has one", (unsigned long)lost,
             format_name(p->out.format), mpx_dtype_name(first));
}

/* ---- commands -------------------------------------------------------------------------------- */

static int name_width(const mpx_file *file) {
    size_t most = 6, i;
    for (i = 0; i < file->count; i++) {
        const char *path = file->tensors[i].leaf.path;
        const size_t n = strlen(path) - (size_t)bytes_inside(path);
        if (n > most) most = n;
    }
    return (int)(most < 60 ? most : 60);
}
/* Types are f32 and the like, but also ggml_mxfp4. */
static int type_width(const mpx_file *file) {
    size_t most = 8, i;
    char type[40];
    for (i = 0; i < file->count; i++) {
        type_text(&file->tensors[i], type, sizeof type);
        if (strlen(type) > most) most = strlen(type);
    }
    return (int)most;
}
/* Names and types of two files stand below each other. */
static void set_widths(table *t, const mpx_file *a, const mpx_file *b) {
    t->name_width = name_width(a) > name_width(b) ? name_width(a) : name_width(b);
    t->type_width = type_width(a) > type_width(b) ? type_width(a) : type_width(b);
}
static void stats_titles(table *t) {
    static const char *const keys[] = { "overflow", "zeroed", "max error", "rms error", "SQNR dB" };
    size_t i;
    for (i = 0; i < 5; i++) cell_title(t, keys[i], i < 4 ? 9 : 8);
}
static void stats_cells(table *t, const mpx_cast_stats *s) {
    cell_count(t, "overflow", 9, s->overflowed);
    cell_count(t, "zeroed", 9, s->zeroed);
    cell_number(t, "max error", 9, "%.3g", s->max_error);
    cell_number(t, "rms error", 9, "%.3g", mpx_cast_stats_rms_error(s));
    cell_number(t, "SQNR dB", 8, "%.1f", mpx_cast_stats_sqnr(s));
}
/* Is more lost than the limits say? */
static int is_past(const options *opt, const mpx_cast_stats *s) {
    const double all = s->count != 0 ? (double)s->count : 1;
    const double over = (double)s->overflowed / (opt->overflow.is_share ? all / 100 : 1),
                 zero = (double)s->zeroed / (opt->zeroed.is_share ? all / 100 : 1);
    return (opt->overflow.is_set && over > opt->overflow.most) || (opt->zeroed.is_set && zero > opt->zeroed.most) ||
           (opt->has_sqnr && mpx_cast_stats_sqnr(s) < opt->min_sqnr);
}
static int by_type(const void *a, const void *b) {
    char x[40], y[40];
    type_text(*(const mpx_file_tensor *const *)a, x, sizeof x);
    type_text(*(const mpx_file_tensor *const *)b, y, sizeof y);
    return strcmp(x, y);
}
static int by_name(const void *a, const void *b) {
    return strcmp((*(mpx_file_tensor *const *)a)->leaf.path, (*(mpx_file_tensor *const *)b)->leaf.path);
}
static mpx_file_tensor **sorted(const mpx_file *file, int (*compare)(const void *, const void *)) {
    mpx_file_tensor **order = (mpx_file_tensor **)room(file->count * sizeof *order);
    size_t i;
    for (i = 0; i < file->count; i++) order[i] = &file->tensors[i];
    qsort(order, file->count, sizeof *order, compare);
    return order;
}
static int info(const char *name, const options *opt) {
    mpx_file_tensor **order;
    input in;
    table t;
    size_t i, k;
    int first = 1;
    char shape[200], type[40], head[PATH_MAX + 80];
    open_input(&in, name);
    if (opt->json) {
        fputs("{\"format\": ", stdout);
        json_text(format_name(in.file.format));
        first = 0;
    } else {
        (void)snprintf(head, sizeof head, "%s: %s, %lu bytes, %lu tensors", name, format_name(in.file.format),
                       (unsigned long)in.size, (unsigned long)in.file.count);
        drop_controls(head);
        puts(head);
    }
    set_widths(&t, &in.file, &in.file);
    table_begin(&t, opt, "tensors", &first);
    for (i = 0; i < in.file.count; i++) {
        const mpx_file_tensor *e = &in.file.tensors[i];
        shape_text(e, shape, sizeof shape);
        type_text(e, type, sizeof type);
        row_begin(&t);
        cell_text(&t, "tensor", 0, e->leaf.path);
        cell_text(&t, "type", -t.type_width, type);
        if (t.json) {
            json_key(&t, "shape");
            for (k = 0; k < e->rank; k++) printf("%s%lu", k != 0 ? ", " : "[", (unsigned long)e->shape[k]);
            fputs(e->rank != 0 ? "]" : "[]", stdout);
        } else cell_text(&t, "shape", -16, shape);
        cell_count(&t, "offset", 12, (uint64_t)((const char *)e->leaf.data - (const char *)in.map));
        cell_count(&t, "bytes", 12, bytes_of(e));
        row_end(&t);
    }
    table_end(&t);
    t.name_width = t.type_width;
    table_begin(&t, opt, "types", &first);
    order = sorted(&in.file, by_type);
    for (i = 0; i < in.file.count; i = k) {
        uint64_t bytes = 0, count = 0;
        type_text(order[i], type, sizeof type);
        for (k = i; k < in.file.count && by_type(&order[i], &order[k]) == 0; k++) {
            count += count_of(order[k]);
            bytes += bytes_of(order[k]);
        }
        row_begin(&t);
        cell_text(&t, "type", 0, type);
        cell_count(&t, "tensors", 8, k - i);
        cell_count(&t, "elements", 14, count);
        cell_count(&t, "bytes", 14, bytes);
        row_end(&t);
    }
    table_end(&t);
    free(order);
    t.name_width = 32;
    table_begin(&t, opt, "metadata", &first);
    for (i = 0; i < in.file.meta_count; i++) {
        const mpx_file_meta *m = &in.file.metas[i];
        size_t at = 0, length = 0;
        const char *text = m->is_array ? NULL : mpx_file_text(m, &at, &length);
        char value[200] = "";
        int64_t whole;
        double x;
        row_begin(&t);
        cell_text(&t, "key", 0, m->key);
        if (text != NULL && opt->json) { /* all of it */
            json_key(&t, "value");
            json_bytes(text, length);
            row_end(&t);
            continue;
        }
        for (k = length < 160 ? length : 160; k < length && k != 0 && ((unsigned char)text[k] & 0xc0) == 0x80;) k--;
        if (text != NULL)
            (void)snprintf(value, sizeof value, "%.*s%s", (int)k, text, k < length ? "..." : "");
        else if (m->is_array)
            (void)snprintf(value, sizeof value, "%lu x %s", (unsigned long)m->count,
                           m->dtype == MPX_NONE ? "text" : mpx_dtype_short_name(m->dtype));
        else if (mpx_dtype_is_floating(m->dtype) && mpx_file_number(&x, MPX_F64, m, 0) == MPX_OK)
            (void)snprintf(value, sizeof value, m->dtype == MPX_F64 ? "%.17g" : "%.9g", x);
        else if (mpx_dtype_info(m->dtype).kind == MPX_KIND_INT && mpx_file_number(&whole, MPX_I64, m, 0) == MPX_OK)
            (void)snprintf(value, sizeof value, "%lld", (long long)whole);
        else if (mpx_file_number(&whole, MPX_U64, m, 0) == MPX_OK)
            (void)snprintf(value, sizeof value, "%llu", (unsigned long long)whole);
        cell_text(&t, "value", -1, value);
        row_end(&t);
    }
    table_end(&t);
    json_end(opt);
    close_input(&in);
    return PASSED;
}
/* One row for each tensor that is cast, or is looked at; worst first. */
static int compare_jobs(const void *a, const void *b) {
    const job *x = *(job *const *)a, *y = *(job *const *)b;
    const double all_x = (double)x->stats.count + (x->stats.count == 0), all_y =
        (double)y->stats.count + (y->stats.count == 0),
                 over = (double)y->stats.overflowed / all_y - (double)x->stats.overflowed / all_x,
                 zero = (double)y->stats.zeroed / all_y - (double)x->stats.zeroed / all_x,
                 sqnr = mpx_cast_stats_sqnr(&x->stats) - mpx_cast_stats_sqnr(&y->stats);
    if (over < 0 || over > 0) return over > 0 ? 1 : -1;
    if (zero < 0 || zero > 0) return zero > 0 ? 1 : -1;
    if (sqnr < 0 || sqnr > 0) return sqnr > 0 ? 1 : -1;
    return x < y ? -1 : x > y;
}
static void job_cells(table *t, const job *j) {
    char from[40], to[40];
    type_text(j->from, from, sizeof from);
    type_text(j->to, to, sizeof to);
    cell_text(t, "tensor", 0, j->from->leaf.path);
    cell_text(t, "from", -t->type_width, from);
    cell_text(t, "to", -t->type_width, to);
}
/* The end of a row that may be past a limit. */
static void past_cell(table *t, const options *opt, int is_past_here) {
    if (opt->json) {
        json_key(t, "past limit");
        fputs(is_past_here ? "true" : "false", stdout);
    } else if (is_past_here) {
        cell_text(t, "", -1, "past the limit");
    }
}
static int dry_run(const char *name, const options *opt) {
    plan p;
    table t;
    job **order;
    size_t i, n = 0;
    int past = 0, first = 1;
    if (opt->map == NULL) die(USAGE, "dry-run needs --map");
    plan_all(&p, name, MPX_FORMAT_NONE, opt);
    order = (job **)room(p.out.count * sizeof *order);
    for (i = 0; i < p.out.count; i++) {
        if (!p.jobs[i].casts) continue;
        if ((p.jobs[i].whole ? try_whole(opt, &p.jobs[i]) : run(opt, &p.jobs[i], TRY, -1, 0)) != 0)
            die(FAILED, "out of memory");
        order[n++] = &p.jobs[i];
    }
    qsort(order, n, sizeof *order, compare_jobs);
    set_widths(&t, &p.in.file, &p.out);
    table_begin(&t, opt, "tensors", &first);
    for (i = 0; i < n; i++) {
        const int is_past_here = is_past(opt, &order[i]->stats);
        past |= is_past_here;
        row_begin(&t);
        job_cells(&t, order[i]);
        cell_count(&t, "values", 11, order[i]->stats.count);
        cell_number(&t, "largest", 9, "%.3g", order[i]->stats.max_abs);
        stats_cells(&t, &order[i]->stats);
        past_cell(&t, opt, is_past_here);
        row_end(&t);
    }
    table_end(&t);
    json_end(opt);
    if (n == 0 && !opt->json) puts("no tensor would be cast");
    return past ? DIFFERENT : PASSED;
}
/* Is an entry of the metadata, or a tensor but for its data, what was written? .npy has no names, and NumPy's files
   lack names of some dtypes. */
static int is_same_meta(const mpx_file_meta *a, const mpx_file_meta *b) {
    return strcmp(a->key, b->key) == 0 && a->dtype == b->dtype && a->is_array == b->is_array && a->size == b->size &&
           memcmp(a->data, b->data, a->size) == 0;
}
static int is_same_header(const mpx_file_tensor *read, const mpx_file_tensor *to, mpx_file_format format) {
    const int has_type = to->dtype == MPX_NONE && to->type != NULL; /* of another name than dtypes here */
    return (format == MPX_FORMAT_NPY || strcmp(read->leaf.path, to->leaf.path) == 0) && read->rank == to->rank &&
           memcmp(read->shape, to->shape, to->rank * sizeof to->shape[0]) == 0 && read->fortran == to->fortran &&
           (read->dtype == MPX_NONE || read->dtype == to->dtype) && read->quant.scheme == to->quant.scheme &&
           (!has_type || strcmp(read->type, to->type) == 0) && bytes_of(read) == bytes_of(to);
}
/* Read the output back: it opens, its bits are those that were made, and what the casts have lost. */
static int read_back(plan *p, int *past) {
    input back;
    size_t i;
    int fine;
    open_input(&back, temporary);
    fine = back.file.count == p->out.count && back.file.meta_count == p->out.meta_count;
    for (i = 0; fine && i < p->out.meta_count; i++)
        if (!is_same_meta(&back.file.metas[i], &p->out.metas[i])) {
            warn("'%s' reads back otherwise than it was written", p->out.metas[i].key);
            fine = 0;
        }
    for (i = 0; fine && i < p->out.count; i++) {
        job *j = &p->jobs[i];
        const mpx_file_tensor *read = &back.file.tensors[i];
        j->to->leaf.data = read->leaf.data;
        if (!is_same_header(read, j->to, p->out.format) || run(p->opt, j, READ_BACK, -1, 0) != 0 || j->unequal != 0) {
            warn("'%s' reads back otherwise than it was written", j->from->leaf.path);
            fine = 0;
        }
        if (j->casts) *past |= is_past(p->opt, &j->stats);
    }
    return fine;
}
static void report(const plan *p) {
    const options *opt = p->opt;
    uint64_t before = 0, after = 0;
    size_t i;
    int first = 1;
    table t;
    set_widths(&t, &p->in.file, &p->out);
    table_begin(&t, opt, "tensors", &first);
    for (i = 0; i < p->out.count; i++) {
        const job *j = &p->jobs[i];
        row_begin(&t);
        job_cells(&t, j);
        cell_count(&t, "bytes before", 12, bytes_of(j->from));
        cell_count(&t, "after", 12, bytes_of(&p->out.tensors[i]));
        if (opt->verify && j->casts) stats_cells(&t, &j->stats);
        else if (opt->verify) stats_titles(&t);
        if (opt->verify) past_cell(&t, opt, j->casts && is_past(opt, &j->stats));
        row_end(&t);
        before += bytes_of(j->from);
        after += bytes_of(&p->out.tensors[i]);
    }
    table_end(&t);
    if (opt->json) printf(", \"bytes before\": %llu, \"bytes after\": %llu", (unsigned long long)before,
                          (unsigned long long)after);
    else printf("%llu bytes of data became %llu%s\n", (unsigned long long)before, (unsigned long long)after,
                opt->verify ? "; read back, and right" : "");
    json_end(opt);
}
/* A tensor that the format cannot hold: also of which type and shape it is. */
static void die_of_output(const plan *p, const mpx_error *err, const char *out) {
    char text[MPX_ERROR_TEXT_SIZE], type[40], shape[200];
    if ((err->status != MPX_ERR_DTYPE && err->status != MPX_ERR_SHAPE) || err->index >= p->out.count) die_of(out, err);
    mpx_error_format(err, NULL, text, sizeof text);
    type_text(&p->out.tensors[err->index], type, sizeof type);
    shape_text(&p->out.tensors[err->index], shape, sizeof shape);
    die(FAILED, "%s: %s; it is %s of the shape %s", out, text, type, shape);
}
static int convert(const char *in, const char *out, const options *opt) {
    char path[PATH_MAX], folder[PATH_MAX];
    struct stat about;
    mpx_file_format format = MPX_FORMAT_NONE;
    mpx_status status = MPX_OK;
    mpx_error err;
    writing *w = (writing *)room(sizeof *w);
    plan p;
    size_t i, size = 0;
    int past = 0, fd, is_there;
    if (snprintf(path, sizeof path, "%s", out) >= (int)sizeof path) die(USAGE, "%s: the name is too long", out);
    is_there = stat(out, &about) == 0;
    if (is_there) { /* a link stays one: what it names is replaced */
        if (!S_ISREG(about.st_mode)) die(USAGE, "%s: there is something that is not a file", out);
        if (realpath(out, path) == NULL) die(FAILED, "%s: %s", out, strerror(errno));
    } else if (lstat(out, &about) == 0) {
        die(USAGE, "%s: a link to nothing", out);
    }
    if (opt->format != NULL ? !format_of(opt->format, &format)
                            : strrchr(out, '.') == NULL || !format_of(strrchr(out, '.') + 1, &format))
        die(USAGE, "%s: which format? --format safetensors, gguf, npy or npz", out);
    plan_all(&p, in, format, opt);
    fit_format(&p);
    warn_of_names(&p);
    if (format != MPX_FORMAT_NPZ) status = mpx_file_size(&p.out, &size, &err);
    if (status != MPX_OK) die_of_output(&p, &err, out);
    memset(&bar, 0, sizeof bar);
    bar.on = isatty(2);
    bar.begun = now();
    for (i = 0; i < p.out.count; i++) bar.all += bytes_of(p.jobs[i].from) * (opt->verify ? 2u : 1u);
    if (format == MPX_FORMAT_NPZ) cast_aside(&p, path);
    w->p = &p;
    w->fd = open_temporary(path, is_there ? about.st_mode & 0777 : p.in.mode);
    if (is_there) (void)fchmod(w->fd, about.st_mode & 0777); /* else less what umask takes */
    status = mpx_file_write(&p.out, take_bytes, w, &err);
    if (status == MPX_OK) status = flush_small(w);
    if (status != MPX_OK && w->error == 0) die_of_output(&p, &err, out);
    if (w->error != 0) die(FAILED, "%s: %s", out, strerror(w->error));
    if (opt->verify && !read_back(&p, &past)) die(FAILED, "%s: not written", out);
    show_progress(1);
    if (past) {
        remove_temporary();
        report(&p);
        warn("%s: past the limit, and not written", out);
        return DIFFERENT;
    }
    if (opt->sync && fsync(w->fd) != 0) die(FAILED, "%s: %s", out, strerror(errno));
    if (close(w->fd) != 0 || rename(temporary, path) != 0) die(FAILED, "%s: %s", out, strerror(errno));
    has_temporary = 0;
    (void)strcpy(folder, path);
    if (strrchr(folder, '/') != NULL) strrchr(folder, '/')[1] = '\0';
    fd = open(strchr(folder, '/') != NULL ? folder : ".", O_RDONLY);
    if (fd >= 0 && opt->sync) (void)fsync(fd);
    if (fd >= 0) (void)close(fd);
    report(&p);
    for (i = 0; i < p.out.count; i++)
        if (p.jobs[i].lost != 0)
            warn("warning: '%s': %llu finite values became Inf or NaN", p.jobs[i].from->leaf.path,
                 (unsigned long long)p.jobs[i].lost);
    return PASSED;
}
static int diff(const char *name_a, const char *name_b, const options *opt) {
    input a, b;
    table t;
    size_t i, equal = 0;
    int differs = 0, first = 1, alone; /* two tensors, of which one has no name */
    mpx_file_tensor **order_a, **order_b;
    open_input(&a, name_a);
    open_input(&b, name_b);
    alone = a.file.count == 1 && b.file.count == 1 &&
            (a.file.format == MPX_FORMAT_NPY || b.file.format == MPX_FORMAT_NPY);
    order_a = sorted(&a.file, by_name);
    order_b = sorted(&b.file, by_name);
    set_widths(&t, &a.file, &b.file);
    table_begin(&t, opt, "tensors", &first);
    for (i = 0; i < a.file.count + b.file.count; i++) {
        const int is_of_b = i >= a.file.count;
        mpx_file_tensor *x = is_of_b ? &b.file.tensors[i - a.file.count] : &a.file.tensors[i], *y,
                        **found = (mpx_file_tensor **)bsearch(&x, is_of_b ? order_a : order_b,
                                                              is_of_b ? a.file.count : b.file.count, sizeof x, by_name);
        const char *what;
        job j;
        y = found != NULL ? *found : NULL;
        if (alone) y = is_of_b ? a.file.tensors : b.file.tensors;
        if (is_of_b && y != NULL) continue;
        memset(&j, 0, sizeof j);
        j.from = x;
        if (y != NULL && x->rank == y->rank && memcmp(x->shape, y->shape, x->rank * sizeof x->shape[0]) == 0) {
            const int is_same_type = x->dtype == y->dtype && x->quant.scheme == y->quant.scheme &&
                                     (x->dtype != MPX_NONE || strcmp(x->type, y->type) == 0);
            if (x->fortran != y->fortran || x->swapped != y->swapped) {
                to_plain(x);
                to_plain(y);
            }
            what = is_same_type && bytes_of(x) == bytes_of(y) && memcmp(x->leaf.data, y->leaf.data, bytes_of(x)) == 0 ?
                "equal" : "differs";
        } else {
            what = y != NULL ? "other shape" : is_of_b ? "only in B" : "only in A";
        }
        differs |= what[0] != 'e';
        equal += what[0] == 'e';
        row_begin(&t);
        j.to = y != NULL ? y : x;
        job_cells(&t, &j);
        cell_text(&t, "bits", -11, what);
        if (what[0] == 'd' && is_readable(x) && is_readable(y)) {
            if (run(opt, &j, COMPARE, -1, 0) != 0) die(FAILED, "out of memory");
            j.stats.count -= j.stats.nan + j.stats.infinite + j.stats.overflowed; /* errors of what is finite in both */
            cell_number(&t, "max error", 9, "%.3g", j.stats.max_error);
            cell_number(&t, "rms error", 9, "%.3g", mpx_cast_stats_rms_error(&j.stats));
            cell_number(&t, "SQNR dB", 8, "%.1f", mpx_cast_stats_sqnr(&j.stats));
            cell_count(&t, "not finite in B", 15, j.stats.overflowed);
            cell_count(&t, "not finite in A", 15, j.finite_in_b);
        } else {
            cell_title(&t, "max error", 9);
            cell_title(&t, "rms error", 9);
            cell_title(&t, "SQNR dB", 8);
            cell_title(&t, "not finite in B", 15);
            cell_title(&t, "not finite in A", 15);
        }
        row_end(&t);
    }
    table_end(&t);
    if (!opt->json) printf("%lu of %lu tensors are equal\n", (unsigned long)equal, (unsigned long)t.rows);
    json_end(opt);
    free(order_a);
    free(order_b);
    close_input(&a);
    close_input(&b);
    return differs ? DIFFERENT : PASSED;
}

/* ---- bits ------------------------------------------------------------------------------------ */

static uint64_t code_of(const void *element, size_t bits) {
    const unsigned char *s = (const unsigned char *)element;
    const size_t size = (bits + 7) / 8;
    uint64_t x = 0;
    size_t i;
    for (i = 0; i < size; i++) x |= (uint64_t)s[is_big_endian() ? size - 1 - i : i] << 8 * i;
    return x;
}
static double value_of(uint64_t code, const mpx_dtype_facts *facts, mpx_dtype type) {
    unsigned char element[8] = { 0 };
    const size_t size = ((size_t)facts->bits + 7) / 8;
    double x = 0;
    size_t i;
    for (i = 0; i < size; i++) element[is_big_endian() ? size - 1 - i : i] = (unsigned char)(code >> 8 * i & 255);
    (void)mpx_cast(&x, MPX_F64, element, type, 1);
    return x;
}
/* The value next to a code's, above it or below; NaN: there is none. */
static double neighbour(uint64_t code, int above, const mpx_dtype_facts *facts, mpx_dtype type) {
    const uint64_t all = (uint64_t)-1 >> (64 - facts->bits), sign = facts->min < 0 ? (all >> 1) + 1 : 0, size =
        code & ~sign;
    const double x = value_of(code, facts, type), none = fabs((double)NAN); /* NAN has a sign in some C libraries */
    double y;
    if (facts->kind != MPX_KIND_FLOAT || sign == 0)
        y = value_of((above ? code + 1 : code - 1) & all, facts, type);
    else if (size == 0)
        y = value_of(above ? 1 : sign | 1, facts, type);
    else if (((code & sign) == 0) == above)
        y = value_of(code + 1, facts, type);
    else
        y = size == 1 ? 0 : value_of(code - 1, facts, type);
    if (facts->kind != MPX_KIND_FLOAT && facts->bits == 64) /* beyond 2^53 doubles of neighbours may be equal */
        return (above ? y >= x : y <= x) ? y : none;
    return (above ? y > x : y < x) ? y : none;
}
static void cell_neighbour(table *t, const char *key, int width, const char *format, double x) {
    if (t->json || x == x) cell_number(t, key, width, format, x);
    else cell_text(t, key, width, "none");
}
static void binary(uint64_t code, const mpx_dtype_facts *facts, char *out) {
    int i;
    for (i = facts->bits; i-- > 0;) {
        *out++ = (char)('0' + (int)(code >> i & 1));
        if (facts->kind == MPX_KIND_FLOAT && i > 0 &&
            (i == facts->mantissa_bits || i == facts->mantissa_bits + facts->exponent_bits))
            *out++ = ' ';
    }
    *out = '\0';
}
/* "e4m3fn" is f8e4m3fn; "e4m3" alone has two meanings. The word is at `at` in the list. */
static mpx_dtype dtype_of(const char *word, const char *list, size_t at) {
    static const char *const before[] = { "", "f8", "f6", "f4" };
    char name[40], sentence[MPX_ERROR_TEXT_SIZE];
    const mpx_parse_options none = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type = MPX_NONE;
    mpx_error err;
    size_t i;
    if (word[0] == '\0') die(USAGE, "--in: a dtype is missing at %lu", (unsigned long)at);
    for (i = 0; i < 4; i++) {
        (void)snprintf(name, sizeof name, "%s%.30s", before[i], word);
        if (i > 0 && (word[0] != 'e' || strcmp(word, "e4m3") == 0)) break;
        if (mpx_dtype_parse(name, &type) == MPX_OK && mpx_dtype_info(type).kind != MPX_KIND_COMPLEX) return type;
    }
    (void)mpx_dtype_parse_n(word, strlen(word), none, &type, &err);
    err.offset += at;
    mpx_error_format(&err, list, sentence, sizeof sentence);
    die(USAGE, "--in: %s", type != MPX_NONE ? "complex numbers have no one code" : sentence);
    return MPX_NONE;
}
static int bits(const char *text, const options *opt) {
    const char *list = opt->in != NULL ? opt->in : "f32,f16,bf16,f8e4m3fn,f8e5m2";
    char *words = (char *)room(strlen(list) + 1), *word, *rest, *end, text_of[80];
    const double x = strtod(text, &end);
    table t;
    int first = 1, most = 32;
    if (end == text || *end != '\0') die(USAGE, "bits: '%s' is no number", text);
    (void)strcpy(words, list);
    t.name_width = t.type_width = 10;
    for (word = words; word != NULL; word = rest) { /* all of them, before anything is printed */
        mpx_dtype_facts facts;
        rest = strchr(word, ',');
        if (rest != NULL) *rest++ = '\0';
        facts = mpx_dtype_info(dtype_of(word, list, (size_t)(word - words)));
        if (facts.bits > most) most = facts.bits;
        if ((int)strlen(facts.short_name) > t.name_width) t.name_width = (int)strlen(facts.short_name);
    }
    (void)strcpy(words, list);
    table_begin(&t, opt, "codes", &first);
    for (word = words; word != NULL; word = rest) {
        unsigned char element[8] = { 0 };
        mpx_dtype type;
        mpx_dtype_facts facts;
        uint64_t code;
        double value, error;
        const char *digits;
        rest = strchr(word, ',');
        if (rest != NULL) *rest++ = '\0';
        type = dtype_of(word, list, 0);
        facts = mpx_dtype_info(type);
        (void)mpx_cast(element, type, &x, MPX_F64, 1);
        code = code_of(element, (size_t)facts.bits) & ((uint64_t)-1 >> (64 - facts.bits));
        value = value_of(code, &facts, type);
        digits = facts.kind == MPX_KIND_FLOAT && facts.bits <= 32 ? "%.9g" : "%.17g";
        row_begin(&t);
        cell_text(&t, "dtype", 0, facts.short_name);
        (void)snprintf(text_of, sizeof text_of, "0x%0*llx", (facts.bits + 3) / 4, (unsigned long long)code);
        cell_text(&t, "code", -2 - most / 4, text_of);
        binary(code, &facts, text_of);
        cell_text(&t, "bits", -2 - most, text_of);
        cell_number(&t, "value", -22, "%.17g", value);
        error = value == x ? 0 : value - x; /* infinities are equal */
        cell_number(&t, "error", 10, "%.3g", error);
        cell_number(&t, "relative", 10, "%.3g", x == 0 && error == 0 ? 0 : fabs(error / x));
        cell_neighbour(&t, "below", most > 32 ? -24 : -12, digits, neighbour(code, 0, &facts, type));
        cell_neighbour(&t, "above", -1, digits, neighbour(code, 1, &facts, type));
        row_end(&t);
    }
    table_end(&t);
    json_end(opt);
    free(words);
    return PASSED;
}

/* ---- the command line ------------------------------------------------------------------------ */

static const char usage[] =
    "usage: mpx info FILE\n"
    "       mpx dry-run FILE --map M [--saturate] [--stochastic SEED] [--limit overflow=N] [--limit zeroed=N%]\n"
    "                   [--min-sqnr DB]\n"
    "       mpx convert IN OUT [--map M] [--format F] [--saturate] [--stochastic SEED] [--no-sync]\n"
    "                   [--verify [--limit overflow=N] [--limit zeroed=N%] [--min-sqnr DB]]\n"
    "       mpx diff A B\n"
    "       mpx bits NUMBER [--in bf16,f16,f8e4m3fn]\n"
    "M is a policy, a quantization or a policy map, or @FILE with one: bf16, q8_0, '*.weight = f16'.\n"
    "F: safetensors, gguf, npy, npz; else the end of OUT says it. All commands: [--json] [--threads N]\n"
    "mpx --help, mpx --version: this text; the version and the instruction set.\n"
    "Exit codes: 0 done; 1 files differ, or a limit is passed; 2 wrong usage; 3 an error.\n";

static double number(const char *option, const char *text, double most) {
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end != '\0' || !(x >= -most && x <= most))
        die(USAGE, "%s: '%s' is no number up to %g", option, text, most);
    return x;
}
static double whole(const char *option, const char *text, double most) {
    const double x = number(option, text, most);
    if (x != floor(x)) die(USAGE, "%s: '%s' is no whole number", option, text);
    return x;
}
/* Whether a word is one of those in a text, which ends with a blank. */
static int is_among(const char *text, const char *word) {
    const size_t n = strcspn(word, " ");
    for (; *text != '\0'; text = strchr(text, ' ') + 1)
        if (strncmp(text, word, n) == 0 && text[n] == ' ') return word[n] == '\0';
    return 0;
}
static void set_limit(options *opt, const char *text) {
    struct limit *limit = strncmp(text, "overflow=", 9) == 0 ? &opt->overflow : strncmp(text, "zeroed=", 7) == 0 ?
        &opt->zeroed : NULL;
    char part[64];
    if (limit == NULL || strlen(text) >= sizeof part) die(USAGE, "--limit: '%s' is neither overflow=N nor zeroed=N",
                                                          text);
    (void)strcpy(part, strchr(text, '=') + 1);
    limit->is_set = 1;
    limit->is_share = part[0] != '\0' && part[strlen(part) - 1] == '%';
    if (limit->is_share) part[strlen(part) - 1] = '\0';
    limit->most = number("--limit", part, 1e300);
    if (limit->most < 0) die(USAGE, "--limit: '%s' is below 0", text);
}
/* The exit code of a command that has printed all it has to say. */
static int finish(int code) {
    if (fflush(stdout) != 0 || ferror(stdout)) die(FAILED, "standard output: %s", strerror(errno));
    return code;
}
int main(int argc, char **argv) {
    static const struct { const char *name; int files; const char *options; } commands[] = {
        { "info", 1, "" },
        { "dry-run", 1, "--map --saturate --stochastic --limit --min-sqnr " },
        { "convert", 2, "--map --format --saturate --stochastic --no-sync --verify --limit --min-sqnr " },
        { "diff", 2, "" },
        { "bits", 1, "--in " },
    };
    const char *files[2] = { "", "" };
    options opt;
    size_t command = 0;
    int i, count = 0, code = PASSED;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    memset(&opt, 0, sizeof opt);
    opt.sync = 1;
    opt.threads = cores < 1 ? 1 : cores < MOST_THREADS ? (int)cores : MOST_THREADS;
    if (argc > 1 && is_among("--help -h --version ", argv[1])) {
        if (argv[1][2] != 'v') fputs(usage, stdout);
        else printf("mpx %d.%d.%d, %s\n", MPX_VERSION_MAJOR, MPX_VERSION_MINOR, MPX_VERSION_PATCH, mpx_isa());
        return finish(PASSED);
    }
    while (command < 5 && (argc < 2 || strcmp(argv[1], commands[command].name) != 0)) command++;
    for (i = 2; i < argc && command < 5; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL, *is = strchr(word, '=');
        if (strcmp(word, "-h") == 0) word = "--help";
        if (word[0] != '-' || word[1] != '-') {
            if (count < 2) files[count] = word;
            count++;
        } else if (strcmp(word, "--help") == 0) return fputs(usage, stdout), finish(PASSED);
        else if (!is_among("--json --threads ", word) && !is_among(commands[command].options, word))
            die(USAGE, "%s has no option %s%s", commands[command].name, word,
                is != NULL ? ": the value is a word of its own, behind a blank" : "");
        else if (strcmp(word, "--json") == 0) opt.json = 1;
        else if (strcmp(word, "--verify") == 0) opt.verify = 1;
        else if (strcmp(word, "--saturate") == 0) opt.saturate = 1;
        else if (strcmp(word, "--no-sync") == 0) opt.sync = 0;
        else if (value == NULL) die(USAGE, "%s needs a value", word);
        else {
            i++;
            if (strcmp(word, "--map") == 0) opt.map = value;
            else if (strcmp(word, "--format") == 0) opt.format = value;
            else if (strcmp(word, "--in") == 0) opt.in = value;
            else if (strcmp(word, "--limit") == 0) set_limit(&opt, value);
            else if (strcmp(word, "--threads") == 0) opt.threads = (int)whole(word, value, MOST_THREADS);
            else if (strcmp(word, "--min-sqnr") == 0) {
                opt.has_sqnr = 1;
                opt.min_sqnr = number(word, value, 1e6);
            } else if (strcmp(word, "--stochastic") == 0) {
                opt.stochastic = 1;
                if (number(word, value, 9e15) < 0) die(USAGE, "--stochastic: '%s' is below 0", value);
                opt.seed = (uint64_t)whole(word, value, 9e15);
            }
        }
    }
    if (command == 5 || count != commands[command].files) {
        const int takes = command < 5 ? commands[command].files : 0;
        if (command < 5) fprintf(stderr, "mpx: %s takes %d name%s, not %d\n", argv[1], takes,
                                 takes == 1 ? "" : "s", count);
        else if (argc > 1) fprintf(stderr, "mpx: there is no command '%s'\n", argv[1]);
        fputs(usage, stderr);
        return USAGE;
    }
    if (opt.threads < 1) die(USAGE, "--threads: from 1 to %d", MOST_THREADS);
    if (command == 2 && !opt.verify && (opt.overflow.is_set || opt.zeroed.is_set || opt.has_sqnr))
        die(USAGE, "convert checks limits only with --verify");
    catch_signals();
    switch (command) {
    case 0: code = info(files[0], &opt); break;
    case 1: code = dry_run(files[0], &opt); break;
    case 2: code = convert(files[0], files[1], &opt); break;
    case 3: code = diff(files[0], files[1], &opt); break;
    default: code = bits(files[0], &opt); break;
    }
    return finish(code);
}
