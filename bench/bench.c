/* make bench: mpx.h beside the limit of the machine, memcpy, and plain C loops.
   build/bench [--quick] [--check] [--row SUBSTRING] [--size 16K] [--tsv FILE] [--runs N] [--cpu N]
               [--list]                --check: no times, whether results are the plain loops'
   One process, one core; the contenders take turns, and the least time of all rounds and runs
   counts. A neighbour on the machine may slow it down for a second or so: what takes little time is
   raced in more runs. Time is never a failure; results that differ from the plain loops' are. */
#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OURS, MEMCPY, PLAIN, PLAIN_CLANG, STREAM, CONTENDERS = STREAM + BENCH_STREAMS };
#define NEVER 1e300
#define NOISE 1.1 /* a ratio is marked when it is this much above its mark */

typedef struct size_class {
    const char *name;
    size_t bytes;
    double budget; /* ns for a race */
    int runs;
} size_class;
static const size_class full_sizes[BENCH_SIZES] = { { "1K", (size_t)1 << 10, 2e7, 12 },
                                                    { "16K", (size_t)16 << 10, 3e7, 12 },
                                                    { "512K", (size_t)512 << 10, 4e7, 12 },
                                                    { "64M", (size_t)64 << 20, 6e8, 4 } };
static const size_class quick_sizes[BENCH_SIZES] = { { "1K", (size_t)1 << 10, 2e6, 1 },
                                                     { "16K", (size_t)16 << 10, 4e6, 1 },
                                                     { "512K", (size_t)512 << 10, 1e7, 1 },
                                                     { "4M", (size_t)4 << 20, 3e7, 1 } };

typedef struct options {
    int quick, check, runs, cpu, list; /* check: results alone; runs: 0 for as many as the sizes say */
    const char *row, *size, *tsv;
    const size_class *sizes;
} options;

typedef struct result {
    double ns[CONTENDERS]; /* NEVER: not there */
} result;
static result results[128][BENCH_SIZES];

/* ---- results against the plain loops --------------------------------------------------------- */

static int check_rows(const options *o, bench_buffers *b) {
    int i, wrong_rows = 0, checked = 0;
    for (i = 0; i < bench_row_count; i++) {
        const bench_row *row = &bench_rows[i];
        bench_fn *ours = bench_ours(row), *plain = bench_find(bench_plain_cc, row->name);
        size_t n, wrong, special;
        if (o->row != NULL && strstr(row->name, o->row) == NULL) continue;
        if (plain == NULL) continue;
        n = bench_fill_special(b, row);
        special = bench_compare(ours, plain, row, b, n);
        n = bench_count(row, (size_t)512 << 10) - 8;
        bench_fill(b, row, n);
        wrong = bench_compare(ours, plain, row, b, n);
#ifdef BENCH_HAVE_CLANG
        wrong += bench_compare(ours, bench_find(bench_plain_clang, row->name), row, b, n);
#endif
        checked++;
        if (wrong + special == 0) continue;
        wrong_rows++;
        printf("MISMATCH %s: %lu elements of the data, %lu of the special values differ from the "
               "plain loop\n", row->name, (unsigned long)wrong, (unsigned long)special);
    }
    printf("results equal to the plain loops', special values too: %d of %d rows\n",
           checked - wrong_rows, checked);
    return wrong_rows;
}

/* ---- the races ------------------------------------------------------------------------------- */

static double least(double a, double b) { return a < b ? a : b; }

static void add(bench_contender *c, int *count, int *ids, int id, bench_fn *fn) {
    if (fn == NULL) return;
    ids[*count] = id;
    c[*count].fn = fn;
    c[*count].best = NEVER;
    ++*count;
}

static void race(const bench_row *row, const size_class *size, bench_buffers *b, result *r) {
    bench_contender c[CONTENDERS];
    int ids[CONTENDERS], count = 0, i;
    size_t n = bench_count(row, size->bytes);
    bench_fill(b, row, n);
    memset(c, 0, sizeof c);
    add(c, &count, ids, OURS, bench_ours(row));
    for (i = 0; i < BENCH_STREAMS; i++)
        if (!(i & BENCH_NONTEMPORAL) || size->bytes >= (size_t)1 << 20)
            add(c, &count, ids, STREAM + i, bench_stream(row, i));
    if (row->op < BENCH_FINITE) add(c, &count, ids, MEMCPY, bench_memcpy);
    add(c, &count, ids, PLAIN, bench_find(bench_plain_cc, row->name));
#ifdef BENCH_HAVE_CLANG
    add(c, &count, ids, PLAIN_CLANG, bench_find(bench_plain_clang, row->name));
#endif
    bench_race(c, count, row, b, n, size->budget);
    for (i = 0; i < count; i++)
        if (c[i].best < r->ns[ids[i]]) r->ns[ids[i]] = c[i].best;
}

static int runs_of(const options *o, int k) { return o->runs > 0 ? o->runs : o->sizes[k].runs; }

static int wanted(const options *o, int i, int k) {
    if (o->row != NULL && strstr(bench_rows[i].name, o->row) == NULL) return 0;
    return o->size == NULL || strcmp(o->sizes[k].name, o->size) == 0;
}

static int is_raced(const options *o, int i, int k, int run) {
    return wanted(o, i, k) && run < runs_of(o, k);
}

/* ---- latency --------------------------------------------------------------------------------- */

static const char *const latency_rows[] = { "f32->bf16", "f32->f16", "f16->f32", "f32->f8e4m3fn",
                                            "bf16->f32" };
enum { LATENCY_ROWS = sizeof latency_rows / sizeof *latency_rows };
static double latencies[LATENCY_ROWS][3]; /* ns: one element, 64, a loop of 64 */

static const bench_row *row_named(const char *name) {
    int i;
    for (i = 0; i < bench_row_count; i++)
        if (strcmp(bench_rows[i].name, name) == 0) return &bench_rows[i];
    return NULL;
}

/* A few samples between the races, again and again: a neighbour on the machine slows calls down for
   a second or so. */
static void measure_latency(const options *o, bench_buffers *b) {
    int i, k;
    for (i = 0; i < LATENCY_ROWS; i++) {
        const bench_row *row = row_named(latency_rows[i]);
        double *ns = latencies[i];
        if (o->row != NULL && strstr(row->name, o->row) == NULL) continue;
        bench_fill(b, row, 64);
        for (k = 0; k < 20; k++) {
            ns[0] = least(ns[0], bench_sample(bench_ours(row), row, b, 1, 1000));
            ns[1] = least(ns[1], bench_sample(bench_ours(row), row, b, 64, 300));
            ns[2] = least(ns[2], bench_latency_plain(row, b->dst, b->src, 300));
        }
    }
}

static void print_latency(const options *o, FILE *tsv) {
    int i;
    printf("\nns per call         mpx_cast n=1   n=64   plain loop of 64, inlined\n");
    for (i = 0; i < LATENCY_ROWS; i++) {
        const char *name = latency_rows[i];
        const double *ns = latencies[i];
        if (o->row != NULL && strstr(name, o->row) == NULL) continue;
        printf("%-19s %12.1f %6.1f   %.1f\n", name, ns[0], ns[1], ns[2]);
        if (tsv == NULL) continue;
        fprintf(tsv, "latency\t%s\t\t1\tours\t%.2f\n", name, ns[0]);
        fprintf(tsv, "latency\t%s\t\t64\tours\t%.2f\n", name, ns[1]);
        fprintf(tsv, "latency\t%s\t\t64\tplain\t%.2f\n", name, ns[2]);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void measure(const options *o, bench_buffers *b, int run) {
    int i, k;
    for (i = 0; i < bench_row_count; i++) {
        fprintf(stderr, "\rrun %d of %d: %d of %d rows", run + 1, runs_of(o, 0), i + 1,
                bench_row_count);
        if (is_raced(o, i, BENCH_SIZES - 1, run)) /* once for all sizes */
            bench_fill(b, &bench_rows[i], bench_count(&bench_rows[i], o->sizes[3].bytes));
        for (k = 0; k < BENCH_SIZES; k++)
            if (is_raced(o, i, k, run)) race(&bench_rows[i], &o->sizes[k], b, &results[i][k]);
        measure_latency(o, b);
    }
    fprintf(stderr, "\n");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static double limit_of(const result *r) {
    double ns = NEVER;
    int i;
    for (i = 0; i < BENCH_STREAMS; i++)
        ns = least(ns, r->ns[STREAM + i]);
    return ns;
}

static double gigabytes(const bench_row *row, size_t n, double ns) {
    return (double)(bench_src_bytes(row, n) + bench_dst_bytes(row, n)) / ns;
}

/* 0: the size class has no mark; they are for AVX-512 */
static double mark_of(const bench_row *row, const options *o, int k) {
    if (k == 0 || (k == 3 && o->quick) || strcmp(mpx_isa(), "avx512") != 0) return 0;
    return row->marks[k - 1];
}

static void print_ratio(double ns, double limit) {
    if (ns < NEVER)
        printf(" %8.2f", ns / limit);
    else
        printf(" %8s", "-");
}

static int print_cell(const options *o, int i, int k) {
    const bench_row *row = &bench_rows[i];
    const result *r = &results[i][k];
    size_t n = bench_count(row, o->sizes[k].bytes);
    double limit = limit_of(r), ratio = r->ns[OURS] / limit, mark = mark_of(row, o, k);
    int over = mark > 0 && ratio > mark * NOISE;
    printf("%-25s %4s %9.4f %7.1f %8.2f", row->name, o->sizes[k].name, r->ns[OURS] / (double)n,
           gigabytes(row, n, r->ns[OURS]), ratio);
    if (mark > 0)
        printf(" %c %5.2f", over ? '!' : ' ', mark);
    else
        printf("   %5s", "");
    printf(" %8.1f", gigabytes(row, n, limit));
    print_ratio(r->ns[MEMCPY], limit);
    print_ratio(r->ns[PLAIN], limit);
    print_ratio(r->ns[PLAIN_CLANG], limit);
    printf("\n");
    return over;
}

/* Where the better plain loop is more than noise ahead: its name is printed after `before`. */
static int print_behind(const options *o, int i, int k, const char *before) {
    const double *ns = results[i][k].ns;
    double plain = ns[PLAIN] < ns[PLAIN_CLANG] ? ns[PLAIN] : ns[PLAIN_CLANG];
    int behind = ns[OURS] > plain * NOISE;
    if (behind)
        printf("%s%s %s %.2f", before, bench_rows[i].name, o->sizes[k].name, ns[OURS] / plain);
    return behind;
}

static void print_plain_ahead(const options *o) {
    int i, k, ahead = 0;
    printf("plain loops faster than ours by more than %.0f %%: ", NOISE * 100 - 100);
    for (i = 0; i < bench_row_count; i++)
        for (k = 0; k < BENCH_SIZES; k++)
            if (wanted(o, i, k)) ahead += print_behind(o, i, k, ahead != 0 ? ", " : "");
    printf("%s%d cells\n", ahead != 0 ? ": " : "", ahead);
}

static void print_table(const options *o) {
    int i, k, cells = 0, over = 0;
    printf("\n%-25s %4s %9s %7s %8s   %5s %8s %8s %8s %8s\n", "row", "size", "ns/elem", "GB/s",
           "x limit", "mark", "limit", "memcpy", "plain", "clang");
    for (i = 0; i < bench_row_count; i++)
        for (k = 0; k < BENCH_SIZES; k++) {
            if (!wanted(o, i, k)) continue;
            cells += mark_of(&bench_rows[i], o, k) > 0;
            over += print_cell(o, i, k);
        }
    printf("\nx limit, memcpy, plain, clang: time over that of the limit. limit: GB/s.\n"
           "! more than %.0f %% above its mark: %d of %d cells\n", NOISE * 100 - 100, over, cells);
    print_plain_ahead(o);
}

static void write_cells(const options *o, FILE *f, int i, int k) {
    static const char *const names[] = { "ours", "memcpy", "plain", "plain-clang", "limit" };
    const bench_row *row = &bench_rows[i];
    size_t n = bench_count(row, o->sizes[k].bytes);
    double limit = limit_of(&results[i][k]);
    int c;
    for (c = 0; c <= STREAM; c++) {
        double ns = c == STREAM ? limit : results[i][k].ns[c];
        if (ns >= NEVER) continue;
        fprintf(f, "cell\t%s\t%s\t%lu\t%s\t%.2f\t%.5f\t%.2f\t%.3f\t%g\n", row->name,
                o->sizes[k].name, (unsigned long)n, names[c], ns, ns / (double)n,
                gigabytes(row, n, ns), ns / limit, mark_of(row, o, k));
    }
}

/* ---- main ------------------------------------------------------------------------------------ */

static int usage(void) {
    fprintf(stderr, "usage: bench [--quick] [--check] [--row SUBSTRING] [--size 1K|16K|512K|64M] "
                    "[--tsv FILE] [--runs N] [--cpu N] [--list]\n");
    return 2;
}

static int parse(int argc, char **argv, options *o) {
    int i;
    memset(o, 0, sizeof *o);
    o->cpu = -1;
    for (i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--quick") == 0) {
            o->quick = 1;
            continue;
        }
        if (strcmp(argv[i], "--check") == 0) {
            o->check = 1;
            continue;
        }
        if (strcmp(argv[i], "--list") == 0) {
            o->list = 1;
            continue;
        }
        if (value == NULL) return 0;
        if (strcmp(argv[i], "--row") == 0) o->row = value;
        else if (strcmp(argv[i], "--size") == 0) o->size = value;
        else if (strcmp(argv[i], "--tsv") == 0) o->tsv = value;
        else if (strcmp(argv[i], "--runs") == 0) o->runs = atoi(value);
        else if (strcmp(argv[i], "--cpu") == 0) o->cpu = atoi(value);
        else return 0;
        i++;
    }
    o->sizes = o->quick ? quick_sizes : full_sizes;
    return 1;
}

static int open_buffers(const options *o, bench_buffers *b) {
    size_t size = o->sizes[BENCH_SIZES - 1].bytes;
    size_t dst = 8 * size < BENCH_DST_MAX ? 8 * size : BENCH_DST_MAX;
    if (bench_open(b, (size + dst) / 2, dst)) return 1;
    fprintf(stderr, "bench: no memory for %lu MiB\n", (unsigned long)((size + 3 * dst) / 2 >> 20));
    return 0;
}

/* One line of what was measured where, to the table and to the file. */
static void describe(const options *o, int cpu, FILE *tsv) {
    char name[128], core[24];
    bench_cpu_name(name, sizeof name);
    snprintf(core, sizeof core, cpu < 0 ? "not pinned" : "core %d", cpu);
    printf("mpx.h %s on %s, %s; %s, %s; limit: %s; %d run%s\n", mpx_isa(), name, core, bench_compiler(),
           bench_flags(), bench_stream_name(), runs_of(o, 0), runs_of(o, 0) == 1 ? "" : "s");
    if (tsv == NULL) return;
    fprintf(tsv, "# isa\t%s\n# cpu\t%s\n# cc\t%s\n# flags\t%s\n# limit\t%s\n# runs\t%d\n",
            mpx_isa(), name, bench_compiler(), bench_flags(), bench_stream_name(), runs_of(o, 0));
    fprintf(tsv, "kind\trow\tsize\tn\tcontender\tns\tns_per_element\tgb_per_s\tratio\tmark\n");
}

static int run_all(const options *o, FILE *tsv) {
    bench_buffers b;
    int run, i, k, c, wrong = 0;
    for (i = 0; i < bench_row_count; i++)
        for (k = 0; k < BENCH_SIZES; k++)
            for (c = 0; c < CONTENDERS; c++)
                results[i][k].ns[c] = NEVER;
    for (i = 0; i < LATENCY_ROWS; i++)
        latencies[i][0] = latencies[i][1] = latencies[i][2] = NEVER;
    describe(o, bench_pin(o->cpu), tsv);
    for (run = 0; run < runs_of(o, 0); run++) { /* each with pages of its own */
        if (!open_buffers(o, &b)) return 1;
        if (run == 0) wrong = check_rows(o, &b);
        fflush(stdout);
        if (o->check) {
            bench_close(&b);
            return wrong != 0;
        }
        measure(o, &b, run);
        if (run < runs_of(o, 0) - 1) bench_close(&b);
    }
    print_table(o);
    for (i = 0; i < bench_row_count && tsv != NULL; i++)
        for (k = 0; k < BENCH_SIZES; k++)
            if (wanted(o, i, k)) write_cells(o, tsv, i, k);
    print_latency(o, tsv);
    bench_close(&b);
    return wrong != 0;
}

int main(int argc, char **argv) {
    options o;
    FILE *tsv = NULL;
    int status, i;
    if (!parse(argc, argv, &o)) return usage();
    for (i = 0; o.list && i < bench_row_count; i++)
        puts(bench_rows[i].name);
    if (o.list) return 0;
    if (o.tsv != NULL && (tsv = fopen(o.tsv, "w")) == NULL) return perror(o.tsv), 2;
    status = run_all(&o, tsv);
    if (tsv != NULL && fclose(tsv) != 0) return perror(o.tsv), 2;
    return status;
}
