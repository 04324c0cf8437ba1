/* Reads tests/golden/NAME.tsv, the recorded behaviour of the real systems.

   Format: tab-separated, ASCII, LF. Line 1 is "# " and the column names. A cell that is "-" has
   no value. Escapes in the others: \e is the empty text, \t \n \r \\, and \xHH one byte. A
   broken file ends the test program at once: it is no finding about the library. Tests run from
   the root of the repository. */
#ifndef GOLDEN_H
#define GOLDEN_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_COLUMNS 20

typedef struct golden_file {
    char path[256];
    char *text;  /* the whole file; tabs and line ends become NUL as rows are read      */
    char *plain; /* the cells of one row without their escapes                          */
    char *at;    /* the next line                                                       */
    long row;    /* number of the row last read, from 1                                 */
    int columns;
    const char *column[GOLDEN_COLUMNS];
    const char *raw[GOLDEN_COLUMNS];  /* as the file has it                              */
    const char *cell[GOLDEN_COLUMNS]; /* without escapes, NUL-terminated; NULL for "-"   */
    size_t length[GOLDEN_COLUMNS];    /* of cell, which may hold NUL bytes               */
} golden_file;

#if defined(__GNUC__)
#define GOLDEN_UNUSED __attribute__((unused))
#else
#define GOLDEN_UNUSED
#endif

static void golden_broken(const golden_file *g, const char *what) {
    printf("%s, row %ld: %s\n", g->path, g->row, what);
    exit(2);
}

/* Read the whole file into g->text, and make room for the cells of its longest row. */
static void golden_load(golden_file *g) {
    FILE *file = fopen(g->path, "rb");
    size_t size = 0, room = 1 << 16, got;
    if (file == NULL) golden_broken(g, "cannot open (run tests from the root of the repository)");
    g->text = (char *)malloc(room + 1);
    while (g->text != NULL && (got = fread(g->text + size, 1, room - size, file)) > 0) {
        size += got;
        if (size == room) g->text = (char *)realloc(g->text, (room *= 2) + 1);
    }
    g->plain = (char *)malloc(room);
    fclose(file);
    if (g->text == NULL || g->plain == NULL) golden_broken(g, "no memory");
    if (size == 0 || g->text[size - 1] != '\n') golden_broken(g, "does not end with a line end");
    g->text[size] = '\0';
}

/* Cut the next line into cells. Returns their number, 0 at the end of the file. */
static int golden_cut(golden_file *g, const char **cells) {
    int n = 0;
    if (*g->at == '\0') return 0;
    for (;;) {
        if (n == GOLDEN_COLUMNS) golden_broken(g, "too many columns");
        cells[n++] = g->at;
        g->at += strcspn(g->at, "\t\n");
        if (*g->at == '\n') break;
        if (*g->at == '\0') golden_broken(g, "a line without its end, or a NUL byte");
        *g->at++ = '\0';
    }
    *g->at++ = '\0';
    return n;
}

static int golden_hex_digit(const golden_file *g, char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    golden_broken(g, "not a hexadecimal digit");
    return 0;
}

/* Write the bytes that raw stands for to out, with a NUL after them. Returns their number. */
static size_t golden_unescape(const golden_file *g, const char *raw, char *out) {
    size_t n = 0;
    while (*raw != '\0') {
        if (*raw != '\\') {
            out[n++] = *raw++;
            continue;
        }
        switch (raw[1]) {
        case 'e': break;
        case 't': out[n++] = '\t'; break;
        case 'n': out[n++] = '\n'; break;
        case 'r': out[n++] = '\r'; break;
        case '\\': out[n++] = '\\'; break;
        case 'x':
            out[n] = (char)(golden_hex_digit(g, raw[2]) * 16);
            out[n] = (char)(out[n] + golden_hex_digit(g, raw[3]));
            n++, raw += 2;
            break;
        default: golden_broken(g, "unknown escape");
        }
        raw += 2;
    }
    out[n] = '\0';
    return n;
}

/* Open tests/golden/<name>.tsv and read its column names. */
static void golden_open(golden_file *g, const char *name) {
    memset(g, 0, sizeof *g);
    sprintf(g->path, "tests/golden/%.200s.tsv", name);
    golden_load(g);
    g->at = g->text;
    if (strncmp(g->text, "# ", 2) != 0) golden_broken(g, "line 1 is not '# ' and column names");
    g->at += 2;
    g->columns = golden_cut(g, g->column);
}

static void golden_close(golden_file *g) {
    free(g->text);
    free(g->plain);
    memset(g, 0, sizeof *g);
}

/* Read the next row. Returns 0 at the end. */
static int golden_next(golden_file *g) {
    char *plain = g->plain;
    int i, n = golden_cut(g, g->raw);
    if (n == 0) return 0;
    g->row++;
    if (n != g->columns) golden_broken(g, "wrong number of columns");
    for (i = 0; i < n; i++) {
        if (g->raw[i][0] == '\0') golden_broken(g, "an empty cell");
        g->length[i] = golden_unescape(g, g->raw[i], plain);
        g->cell[i] = strcmp(g->raw[i], "-") == 0 ? NULL : plain;
        plain += g->length[i] + 1;
    }
    return 1;
}

static int golden_column(const golden_file *g, const char *name) {
    int i;
    for (i = 0; i < g->columns; i++)
        if (strcmp(g->column[i], name) == 0) return i;
    golden_broken(g, name);
    return -1;
}

/* The cell of this row in the column; NULL for "-". */
GOLDEN_UNUSED static const char *golden_text(const golden_file *g, const char *column) {
    return g->cell[golden_column(g, column)];
}

/* Its bytes, for cells that may hold NUL. */
GOLDEN_UNUSED static size_t golden_length(const golden_file *g, const char *column) {
    return g->length[golden_column(g, column)];
}

/* The cell as the file has it. */
GOLDEN_UNUSED static const char *golden_raw(const golden_file *g, const char *column) {
    return g->raw[golden_column(g, column)];
}

/* 1 if the cell is this text. */
GOLDEN_UNUSED static int golden_is(const golden_file *g, const char *column, const char *text) {
    const char *cell = golden_text(g, column);
    return cell != NULL && strcmp(cell, text) == 0;
}
#endif
