/* make bench-against: mpx.h of the working tree ("now") beside mpx.h of another commit ("base").
   build/against/bench-ISA [--quick] [--row SUBSTRING] [--size n=1|n=64|1K|16K|512K|64M] [--pairs]
                           [--runs N] [--cpu N] [--tsv FILE] [--base NAME] [--list]
   Both versions stand in this program, compiled with the same flags. They take turns on the same
   buffers, and the least time of all rounds and runs counts. Before a row is timed, the results of
   both versions are compared; a difference makes the exit status 1. Time never does: a ratio above
   its mark is marked with '!' and counted. */
#include "against_shim.h"
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER 1e300
#define MAX_RACES_AGAIN 3 /* for a cell above its mark */
#define MEDIAN_MARK 1.005 /* a median of 1.00 as it is printed */

/* ---- sizes and marks ------------------------------------------------------------------------- */

/* In n=1, n=15 and n=64 the indirect calls take about 2 ns of each version's time. */
typedef struct column {
    const char *name;
    size_t bytes, count; /* bytes of source, or the number of elements */
    double budget;       /* ns for a race */
    int runs;
} column;
enum { CALL_1, CALL_15, CALL_64, KB_1, KB_16, KB_512, MB_64, COLUMNS };
static const column columns[COLUMNS] = {
    { "n=1", 0, 1, 1e6, 12 },
    { "n=15", 0, 15, 1e6, 12 },
    { "n=64", 0, 64, 1e6, 12 },
    { "1K", (size_t)1 << 10, 0, 2e6, 12 },
    { "16K", (size_t)16 << 10, 0, 6e6, 8 },
    { "512K", (size_t)512 << 10, 0, 1e7, 8 },
    { "64M", (size_t)64 << 20, 0, 1.5e8, 4 },
};
#define QUICK 0.25 /* of each budget, in one run */

enum { COMMON, OTHER, PAIR, KINDS };
static const char *const kind_names[KINDS] = { "common rows", "other rows", "pairs" };
/* The largest ratio now / base that is not marked. 0: the column is not measured. */
static const double marks[KINDS][COLUMNS] = {
    { 1.3, 1.3, 1.3, 1.3, 1.1, 1.1, 1.1 },
    { 0, 0, 0, 0, 1.25, 1.25, 1.25 },
    { 0, 0, 0, 0, 2, 0, 1.25 },
};

static const char *const common_rows[] = {
    "f32->f16", "f16->f32", "f32->bf16", "bf16->f32", "f32->f8e4m3fn", "f8e4m3fn->f32",
    "f32->f8e5m2", "f8e5m2->f32", "f32->i8", "i8->f32", "f32->u8", "u8->f32", "f32->i16",
    "i16->f32", "f32->i32", "i32->f32", "f32->f64", "f64->f32", "f16->bf16", "bf16->f16",
    "f8e4m3fn->f16", "f16->f8e4m3fn", "f8e4m3fn->bf16", "bf16->f8e4m3fn", "f8e5m2->f16",
    "f16->f8e5m2", "f8e5m2->bf16", "bf16->f8e5m2", "f64->bf16", "f4e2m1fn->f32", "f32->f4e2m1fn",
    "unscale f32", "unscale bf16", "unscale f16", "unscale f16->f32", "unscale bf16->f32",
    "all_finite f32", "all_finite bf16", "amax f32", "amax bf16",
};
enum { COMMON_ROWS = sizeof common_rows / sizeof *common_rows };

/* ---- entries: the rows of bench/rows.c, then the pairs of dtypes ----------------------------- */

typedef struct entry {
    bench_row row;
    int kind;
    char name[40];                      /* row.name points here */
    double base[COLUMNS], now[COLUMNS]; /* ns per call; NEVER: not raced yet */
    char difference[200];               /* between the results; "": none */
} entry;
enum { MAX_ENTRIES = 1024 };
static entry entries[MAX_ENTRIES];
static int entry_count;

typedef struct options {
    int quick, pairs, runs, cpu, list; /* runs: 0 for as many as the columns say */
    const char *row, *size, *tsv, *base;
} options;

static int is_common(const char *name) {
    int i;
    for (i = 0; i < COMMON_ROWS; i++)
        if (strcmp(common_rows[i], name) == 0) return 1;
    return 0;
}

/* 1 if the table of rows still has all common rows. */
static int has_common_rows(void) {
    int i, found = 0;
    for (i = 0; i < bench_row_count; i++)
        found += is_common(bench_rows[i].name);
    if (found != COMMON_ROWS)
        fprintf(stderr, "bench-against: bench/rows.c has %d of the %d common rows\n", found,
                COMMON_ROWS);
    return found == COMMON_ROWS;
}

static void add_entry(const options *o, const bench_row *row, int kind) {
    entry *e = &entries[entry_count];
    int k;
    if (o->row != NULL && strstr(row->name, o->row) == NULL) return;
    if (entry_count == MAX_ENTRIES) fputs("bench-against: too many rows\n", stderr), exit(2);
    e->row = *row;
    e->kind = kind;
    snprintf(e->name, sizeof e->name, "%s", row->name);
    e->row.name = e->name;
    for (k = 0; k < COLUMNS; k++)
        e->base[k] = e->now[k] = NEVER;
    entry_count++;
}

/* A magnitude for which the data use most of the range of a dtype and do not leave it; at most
   2^40. Data go up to 3.47 times their magnitude. */
static double reach_of(mpx_dtype type) {
    mpx_dtype_facts facts = mpx_dtype_info(type);
    double reach = facts.kind == MPX_KIND_FLOAT ? facts.max : (double)facts.int_max;
    reach = reach / 4 + 0.5;
    return facts.kind == MPX_KIND_BOOL ? 1 : reach < 0x1p40 ? reach : 0x1p40;
}

/* 1 between float dtypes. With integers, values that both dtypes can hold. */
static float pair_magnitude(mpx_dtype dst, mpx_dtype src) {
    double a = reach_of(dst), b = reach_of(src);
    if (mpx_dtype_is_floating(dst) && mpx_dtype_is_floating(src)) return 1;
    return (float)(a < b ? a : b);
}

static void add_pair(const options *o, mpx_dtype dst, mpx_dtype src) {
    bench_row row;
    char name[40];
    memset(&row, 0, sizeof row);
    snprintf(name, sizeof name, "%s->%s", mpx_dtype_short_name(src), mpx_dtype_short_name(dst));
    row.name = name;
    row.op = BENCH_CAST;
    row.dst = dst;
    row.src = src;
    row.magnitude = pair_magnitude(dst, src);
    add_entry(o, &row, PAIR);
}

static void add_entries(const options *o) {
    int i, src, dst;
    for (i = 0; i < bench_row_count; i++)
        add_entry(o, &bench_rows[i], is_common(bench_rows[i].name) ? COMMON : OTHER);
    for (src = MPX_F64; o->pairs && src <= MPX_U64; src++)
        for (dst = MPX_F64; dst <= MPX_U64; dst++)
            if (src != dst) add_pair(o, (mpx_dtype)dst, (mpx_dtype)src);
}

static double mark_of(const entry *e, int k) {
    int is_call = columns[k].count != 0;
    return is_call && e->row.op != BENCH_CAST ? 0 : marks[e->kind][k];
}

static int is_wanted(const options *o, const entry *e, int k) {
    if (o->size != NULL && strcmp(o->size, columns[k].name) != 0) return 0;
    return mark_of(e, k) > 0;
}

static int runs_of(const options *o, const entry *e, int k) {
    if (o->runs > 0) return o->runs;
    return o->quick || e->kind == PAIR ? 1 : columns[k].runs;
}

static int is_raced(const options *o, const entry *e, int k, int run) {
    return is_wanted(o, e, k) && run < runs_of(o, e, k);
}

static size_t count_of(const entry *e, int k) {
    return columns[k].count != 0 ? columns[k].count : bench_count(&e->row, columns[k].bytes);
}

/* ns per element, or per call in the columns of calls; ns: e->base or e->now */
static double ns_of(const entry *e, int k, const double *ns) {
    return columns[k].count != 0 ? ns[k] : ns[k] / (double)count_of(e, k);
}

static double ratio_of(const entry *e, int k) { return e->now[k] / e->base[k]; }

static int is_above(const entry *e, int k) { return ratio_of(e, k) > mark_of(e, k); }

/* ---- the two versions ------------------------------------------------------------------------ */

/* The status of a cast goes to bench_out.flag, so that bench_compare compares it. */
static void base_cast(const bench_row *row, void *dst, const void *src, size_t n) {
    bench_out.flag = against_base.cast(dst, (int)row->dst, src, (int)row->src, n);
}

static void now_cast(const bench_row *row, void *dst, const void *src, size_t n) {
    bench_out.flag = against_now.cast(dst, (int)row->dst, src, (int)row->src, n);
}

static void call(const against_shim *shim, const bench_row *row, void *dst, const void *src,
                 size_t n) {
    int to = (int)row->dst, from = (int)row->src;
    if (row->op == BENCH_UNSCALE)
        (void)shim->unscale(dst, to, src, from, n, bench_next_by(row), &bench_out.flag);
    else if (row->op == BENCH_FINITE)
        bench_out.flag = shim->all_finite(src, from, n);
    else if (row->op == BENCH_AMAX)
        (void)shim->amax(src, from, n, &bench_out.amax);
    else
        bench_out.flag = shim->cast_with(dst, to, src, from, n, row->saturate, row->bytes,
                                         row->stochastic);
}

static void base_other(const bench_row *row, void *dst, const void *src, size_t n) {
    call(&against_base, row, dst, src, n);
}

static void now_other(const bench_row *row, void *dst, const void *src, size_t n) {
    call(&against_now, row, dst, src, n);
}

static int is_plain_cast(const bench_row *row) {
    return row->op == BENCH_CAST && !row->saturate && !row->bytes && !row->stochastic;
}

static bench_fn *base_of(const bench_row *row) {
    return is_plain_cast(row) ? base_cast : base_other;
}

static bench_fn *now_of(const bench_row *row) { return is_plain_cast(row) ? now_cast : now_other; }

/* A dtype must have the same number in both versions: the table of rows is compiled once. */
static int same_numbers(void) {
    int type;
    for (type = MPX_F64; type <= MPX_U64; type++) {
        const char *base = against_base.dtype_name(type), *now = against_now.dtype_name(type);
        if (strcmp(base, now) == 0 && against_base.dtype_bits(type) == against_now.dtype_bits(type))
            continue;
        fprintf(stderr, "bench-against: dtype %d is '%s' in the base, '%s' now\n", type, base, now);
        return 0;
    }
    return 1;
}

/* ---- data ------------------------------------------------------------------------------------ */

enum { PAIR_BLOCK = 1 << 16 }; /* elements that are made; the rest are copies */

/* Dtypes without a sign get magnitudes, and bool gets zeros for one half. */
static void drop_signs(double *x, mpx_dtype type) {
    int kind = (int)mpx_dtype_info(type).kind, i;
    if (kind != MPX_KIND_BOOL && kind != MPX_KIND_UINT && type != MPX_F8E8M0FNU) return;
    for (i = 0; i < PAIR_BLOCK; i++)
        if (x[i] < 0) x[i] = kind == MPX_KIND_BOOL ? 0 : -x[i];
}

/* Normally distributed f64, cast to the source dtype by the base version. */
static void fill_pair(bench_buffers *b, const bench_row *row, size_t n) {
    size_t block = bench_src_bytes(row, PAIR_BLOCK), bytes = bench_src_bytes(row, n);
    bench_row wide = *row;
    if (!bench_is_filled(b, row, n)) {
        wide.src = MPX_F64;
        b->filled = NULL;
        bench_fill(b, &wide, PAIR_BLOCK);
        drop_signs((double *)(void *)b->src, row->src);
        (void)against_base.cast(b->dst, (int)row->src, b->src, MPX_F64, PAIR_BLOCK);
        memcpy(b->src, b->dst, block);
        bench_repeat(b->src, block, bytes);
        b->filled_count = n < PAIR_BLOCK ? PAIR_BLOCK : n;
    }
    b->filled = row;
    b->age = row->chain;
}

static void fill(bench_buffers *b, const entry *e, size_t n) {
    if (e->kind == PAIR)
        fill_pair(b, &e->row, n);
    else
        bench_fill(b, &e->row, n);
}

/* Fills for the largest column of a run, so that the other columns need not fill again. */
static void fill_largest(const options *o, bench_buffers *b, const entry *e, int run) {
    int k;
    for (k = COLUMNS - 1; k >= 0; k--) {
        if (!is_raced(o, e, k, run)) continue;
        fill(b, e, count_of(e, k));
        return;
    }
}

/* ---- equal results --------------------------------------------------------------------------- */

static void print_code(char *text, size_t size, const char *p, size_t width) {
    size_t i, used = 0;
    for (i = 0; i < width && used + 3 < size; i++, used += 2) /* as a little-endian number */
        snprintf(text + used, size - used, "%02x", (unsigned char)p[width - 1 - i]);
}

/* What bench_compare left behind: the results of the base lie in the second half of dst. */
static void describe_difference(entry *e, const bench_buffers *b, const char *data, size_t n,
                                size_t wrong) {
    const bench_row *row = &e->row;
    const char *now = b->dst, *base = b->dst + b->dst_size / 2;
    size_t bytes = bench_dst_bytes(row, n), src_bits = (size_t)mpx_dtype_bits(row->src);
    size_t bits = row->bytes ? 8 : (size_t)mpx_dtype_bits(row->dst);
    size_t width = bits < 8 ? 1 : bits / 8, at = 0, i;
    char codes[3][20] = { "", "", "" };
    while (at < bytes && now[at] == base[at])
        at++;
    if (at == bytes) {
        snprintf(e->difference, sizeof e->difference,
                 "%s, n = %lu: the status, the flag or the largest magnitude", data,
                 (unsigned long)n);
        return;
    }
    at -= at % width;
    i = at * 8 / bits;
    print_code(codes[0], sizeof codes[0], base + at, width);
    print_code(codes[1], sizeof codes[1], now + at, width);
    if (src_bits >= 8 && row->chain == 0)
        print_code(codes[2], sizeof codes[2], b->src + i * src_bits / 8, src_bits / 8);
    snprintf(e->difference, sizeof e->difference,
             "%s, n = %lu: %lu elements, the first at %lu: source %s, base %s, now %s", data,
             (unsigned long)n, (unsigned long)wrong, (unsigned long)i,
             codes[2][0] != '\0' ? codes[2] : "-", codes[0], codes[1]);
}

static void compare(entry *e, bench_buffers *b, const char *data, size_t n) {
    size_t wrong;
    if (e->difference[0] != '\0') return;
    wrong = bench_compare(base_of(&e->row), now_of(&e->row), &e->row, b, n);
    if (wrong != 0)
        describe_difference(e, b, data, n, wrong);
    else if (e->row.op == BENCH_CAST && bench_out.flag != 0)
        snprintf(e->difference, sizeof e->difference, "both casts fail with status %d",
                 bench_out.flag);
}

/* On special values, and on the data of every column, less a few elements so that there is a
   tail. */
static void check(const options *o, entry *e, bench_buffers *b) {
    int k;
    compare(e, b, "special values", bench_fill_special(b, &e->row));
    fill_largest(o, b, e, 0);
    for (k = 0; k < COLUMNS; k++) {
        size_t n = count_of(e, k);
        if (!is_wanted(o, e, k)) continue;
        compare(e, b, "data", n > 64 ? n - 5 : n);
    }
}

/* ---- the races ------------------------------------------------------------------------------- */

static void race(const options *o, entry *e, int k, bench_buffers *b, int run) {
    bench_contender c[2];
    int base = run % 2, now = 1 - base;
    size_t n = count_of(e, k);
    fill(b, e, n);
    memset(c, 0, sizeof c);
    c[base].fn = base_of(&e->row);
    c[base].best = e->base[k];
    c[now].fn = now_of(&e->row);
    c[now].best = e->now[k];
    bench_race(c, 2, &e->row, b, n, columns[k].budget * (o->quick ? QUICK : 1));
    e->base[k] = c[base].best;
    e->now[k] = c[now].best;
}

/* One line on stderr, written anew at most four times a second. */
static void print_progress(const char *what, int round, int rounds, int done) {
    static double last;
    if (bench_now() - last < 2.5e8) return;
    last = bench_now();
    fprintf(stderr, "\r%s %d of %d: %d of %d   ", what, round + 1, rounds, done, entry_count);
}

static void measure(const options *o, bench_buffers *b, int run, int runs) {
    int i, k;
    for (i = 0; i < entry_count; i++) {
        print_progress("run", run, runs, i);
        if (run == 0) check(o, &entries[i], b);
        fill_largest(o, b, &entries[i], run);
        for (k = 0; k < COLUMNS; k++)
            if (is_raced(o, &entries[i], k, run)) race(o, &entries[i], k, b, run);
    }
}

/* A neighbour on the machine may have slowed one version down: cells above their marks are raced
   again, and the best time of each version is kept. */
static void measure_again(const options *o, bench_buffers *b) {
    int again, i, k;
    fprintf(stderr, "\n");
    for (again = 0; again < MAX_RACES_AGAIN; again++)
        for (i = 0; i < entry_count; i++) {
            print_progress("cells above their marks: race", again, MAX_RACES_AGAIN, i);
            for (k = 0; k < COLUMNS; k++)
                if (is_wanted(o, &entries[i], k) && is_above(&entries[i], k))
                    race(o, &entries[i], k, b, again);
        }
    fprintf(stderr, "\n");
}

static int most_runs(const options *o) {
    int i, k, runs = 0;
    for (i = 0; i < entry_count; i++)
        for (k = 0; k < COLUMNS; k++)
            if (is_wanted(o, &entries[i], k) && runs_of(o, &entries[i], k) > runs)
                runs = runs_of(o, &entries[i], k);
    return runs;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* dst has room for the results of both versions. */
static int open_buffers(const options *o, bench_buffers *b) {
    size_t src = 0, dst = 0;
    int i, k;
    for (i = 0; i < entry_count; i++)
        for (k = 0; k < COLUMNS; k++) {
            size_t n = count_of(&entries[i], k);
            if (!is_wanted(o, &entries[i], k)) continue;
            src = larger(src, bench_src_bytes(&entries[i].row, n));
            dst = larger(dst, bench_dst_bytes(&entries[i].row, n));
        }
    if (bench_open(b, src, 2 * dst)) return 1;
    fprintf(stderr, "bench-against: no memory for %lu MiB\n",
            (unsigned long)((src + 2 * dst) >> 20));
    return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* pairs: 1 for the table of the pairs, 0 for that of the rows */
static int has_column(const options *o, int pairs, int k) {
    int i;
    for (i = 0; i < entry_count; i++)
        if ((entries[i].kind == PAIR) == pairs && is_wanted(o, &entries[i], k)) return 1;
    return 0;
}

static void print_cell(const options *o, const entry *e, int k) {
    if (is_wanted(o, e, k))
        printf("  %8.*f %5.2f%c", columns[k].count != 0 ? 1 : 4, ns_of(e, k, e->now),
               ratio_of(e, k), is_above(e, k) ? '!' : ' ');
    else
        printf("  %15s", "");
}

static void print_table(const options *o, int pairs) {
    int i, k, any = 0;
    for (k = 0; k < COLUMNS; k++)
        any += has_column(o, pairs, k);
    if (any == 0) return;
    printf("\n%-30s", pairs ? "pair" : "row (* common)");
    for (k = 0; k < COLUMNS; k++)
        if (has_column(o, pairs, k)) printf("  %8s %5s ", columns[k].name, "ratio");
    printf("\n");
    for (i = 0; i < entry_count; i++) {
        const entry *e = &entries[i];
        if ((e->kind == PAIR) != pairs) continue;
        printf("%c %-28s", e->kind == COMMON ? '*' : ' ', e->name);
        for (k = 0; k < COLUMNS; k++)
            if (has_column(o, pairs, k)) print_cell(o, e, k);
        printf("\n");
    }
}

typedef struct cell {
    const entry *e;
    int k;
    double ratio, score; /* score: what cells are sorted by */
} cell;
static cell cells[MAX_ENTRIES * COLUMNS];

static int higher_score_first(const void *a, const void *b) {
    double x = ((const cell *)a)->score, y = ((const cell *)b)->score;
    return (x < y) - (x > y);
}

/* The wanted cells of a kind and a column, sorted by ratio, the largest first; -1: of all. */
static int collect(const options *o, int kind, int column_of) {
    int i, k, count = 0;
    for (i = 0; i < entry_count; i++)
        for (k = 0; k < COLUMNS; k++) {
            cell *c = &cells[count];
            if (kind >= 0 && (entries[i].kind != kind || k != column_of)) continue;
            if (!is_wanted(o, &entries[i], k)) continue;
            c->e = &entries[i];
            c->k = k;
            c->ratio = ratio_of(c->e, k);
            c->score = kind >= 0 ? c->ratio : c->ratio / mark_of(c->e, k);
            count++;
        }
    qsort(cells, (size_t)count, sizeof *cells, higher_score_first);
    return count;
}

static double median(int count) {
    return (cells[(count - 1) / 2].ratio + cells[count / 2].ratio) / 2;
}

static void print_summary(const options *o) {
    int kind, k, i, count, above, all_above = 0, all = 0;
    printf("\n%-11s %4s %6s %7s %7s %7s %5s %6s\n", "ratios", "size", "cells", "median", "least",
           "largest", "mark", "above");
    for (kind = 0; kind < KINDS; kind++)
        for (k = 0; k < COLUMNS; k++) {
            if ((count = collect(o, kind, k)) == 0) continue;
            for (i = above = 0; i < count; i++)
                above += is_above(cells[i].e, k);
            printf("%-11s %4s %6d %6.3f%c %7.2f %7.2f %5.2f %5d%c  %s\n", kind_names[kind],
                   columns[k].name, count, median(count),
                   kind == COMMON && k >= KB_16 && median(count) > MEDIAN_MARK ? '!' : ' ',
                   cells[count - 1].ratio, cells[0].ratio, marks[kind][k], above,
                   above != 0 ? '!' : ' ', cells[0].e->name);
            all += count;
            all_above += above;
        }
    printf("%d of %d cells are above their marks.\n", all_above, all);
}

static void print_worst(const options *o) {
    int i, count = collect(o, -1, 0);
    printf("\nThe worst ten cells, by ratio over mark:\n");
    for (i = 0; i < count && i < 10; i++) {
        const entry *e = cells[i].e;
        int k = cells[i].k;
        printf("  %-28s %4s  ratio %5.2f, mark %4.2f; %s base %.4f, now %.4f\n", e->name,
               columns[k].name, cells[i].ratio, mark_of(e, k),
               columns[k].count != 0 ? "ns per call:" : "ns/element:", ns_of(e, k, e->base),
               ns_of(e, k, e->now));
    }
}

static int print_differences(void) {
    int i, different = 0;
    printf("\n");
    for (i = 0; i < entry_count; i++) {
        if (entries[i].difference[0] == '\0') continue;
        printf("DIFFERENT %s: %s\n", entries[i].name, entries[i].difference);
        different++;
    }
    if (different == 0)
        printf("Both versions gave the same results in all %d rows and pairs.\n", entry_count);
    else
        printf("The results differ in %d of %d rows and pairs.\n", different, entry_count);
    return different;
}

static void write_tsv(const options *o, FILE *f) {
    int i, k;
    fprintf(f, "kind\trow\tsize\tn\tbase_ns\tnow_ns\tns_per_element\tratio\tmark\tdifferent\n");
    for (i = 0; i < entry_count; i++)
        for (k = 0; k < COLUMNS; k++) {
            const entry *e = &entries[i];
            size_t n = count_of(e, k);
            if (!is_wanted(o, e, k)) continue;
            fprintf(f, "%s\t%s\t%s\t%lu\t%.2f\t%.2f\t%.5f\t%.4f\t%g\t%d\n", kind_names[e->kind],
                    e->name, columns[k].name, (unsigned long)n, e->base[k], e->now[k],
                    e->now[k] / (double)n, ratio_of(e, k), mark_of(e, k), e->difference[0] != '\0');
        }
}

/* ---- main ------------------------------------------------------------------------------------ */

static int usage(void) {
    fprintf(stderr, "usage: bench-ISA [--quick] [--row SUBSTRING] "
                    "[--size n=1|n=64|1K|16K|512K|64M] [--pairs]\n"
                    "                 [--runs N] [--cpu N] [--tsv FILE] [--base NAME] [--list]\n");
    return 2;
}

static int parse_switch(const char *word, options *o) {
    if (strcmp(word, "--quick") == 0) return o->quick = 1;
    if (strcmp(word, "--pairs") == 0) return o->pairs = 1;
    if (strcmp(word, "--list") == 0) return o->list = 1;
    return 0;
}

static int is_size(const char *name) {
    int k;
    for (k = 0; k < COLUMNS; k++)
        if (strcmp(columns[k].name, name) == 0) return 1;
    return 0;
}

static int parse(int argc, char **argv, options *o) {
    int i;
    memset(o, 0, sizeof *o);
    o->cpu = -1;
    o->base = "?";
    for (i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (parse_switch(argv[i], o)) continue;
        if (value == NULL) return 0;
        if (strcmp(argv[i], "--row") == 0) o->row = value;
        else if (strcmp(argv[i], "--size") == 0) o->size = value;
        else if (strcmp(argv[i], "--tsv") == 0) o->tsv = value;
        else if (strcmp(argv[i], "--base") == 0) o->base = value;
        else if (strcmp(argv[i], "--runs") == 0) o->runs = atoi(value);
        else if (strcmp(argv[i], "--cpu") == 0) o->cpu = atoi(value);
        else return 0;
        i++;
    }
    return o->size == NULL || is_size(o->size);
}

static void describe(const options *o, int runs) {
    char name[128], core[24];
    int cpu = bench_pin(o->cpu);
    bench_cpu_name(name, sizeof name);
    snprintf(core, sizeof core, cpu < 0 ? "not pinned" : "core %d", cpu);
    printf("mpx.h now (%s) beside %s (%s) on %s, %s; %s, %s; up to %d run%s\n", against_now.isa(),
           o->base, against_base.isa(), name, core, bench_compiler(), bench_flags(), runs,
           runs == 1 ? "" : "s");
    printf("Numbers are ns per element, or per call for n=1 and n=64; ratio: now / base. "
           "!: above its mark\n");
    fflush(stdout);
}

static int run_all(const options *o) {
    bench_buffers b;
    int run, runs = most_runs(o);
    describe(o, runs);
    for (run = 0; run < runs; run++) { /* each with pages of its own */
        if (!open_buffers(o, &b)) return 2;
        measure(o, &b, run, runs);
        if (run < runs - 1) bench_close(&b);
    }
    measure_again(o, &b);
    bench_close(&b);
    print_table(o, 0);
    print_table(o, 1);
    print_summary(o);
    print_worst(o);
    return print_differences() != 0;
}

int main(int argc, char **argv) {
    options o;
    FILE *tsv = NULL;
    int status, i;
    if (!parse(argc, argv, &o)) return usage();
    if (!has_common_rows() || !same_numbers()) return 1;
    add_entries(&o);
    for (i = 0; o.list && i < entry_count; i++)
        puts(entries[i].name);
    if (o.list) return 0;
    if (most_runs(&o) == 0) return fputs("bench-against: no such row and size\n", stderr), 2;
    if (o.tsv != NULL && (tsv = fopen(o.tsv, "w")) == NULL) return perror(o.tsv), 2;
    status = run_all(&o);
    if (tsv != NULL) write_tsv(&o, tsv);
    if (tsv != NULL && fclose(tsv) != 0) return perror(o.tsv), 2;
    return status;
}
