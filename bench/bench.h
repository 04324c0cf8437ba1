/* What the files of the bench share: a row of the table, kernels, buffers, samples. */
#ifndef BENCH_H
#define BENCH_H
#include "mpx.h"
#include <stddef.h>
#include <stdint.h>

enum { BENCH_CAST, BENCH_UNSCALE, BENCH_FINITE, BENCH_AMAX };
enum { BENCH_SIZES = 4 };

/* One line of the table. marks: largest ratio to the limit at 16 KiB, 512 KiB, 64 MiB. */
typedef struct bench_row {
    const char *name;
    int op;
    mpx_dtype dst, src;
    int saturate, bytes, stochastic; /* cast options; bytes: MPX_LAYOUT_BYTES */
    float by;                        /* unscale */
    int chain;       /* in place, data change: calls until they are restored; 0: dst is not src */
    int alternates;  /* in place: every second call divides by 1 / by, so data need no restoring */
    float magnitude; /* of the data: a normal distribution times this */
    double marks[3];
} bench_row;

/* Every contender has this form; n counts elements. */
typedef void bench_fn(const bench_row *row, void *dst, const void *src, size_t n);
typedef struct bench_kernel {
    const char *name; /* the row's; NULL ends a table */
    bench_fn *fn;
} bench_kernel;

/* Set by the kernels that report whether all was finite, or the largest magnitude. */
typedef union bench_result {
    int flag;
    float amax;
} bench_result;
extern bench_result bench_out;
/* The scale of the next call in an in-place row. */
float bench_next_by(const bench_row *row);
void bench_reset_by(void);

/* rows.c: the table, and mpx.h's kernel of each row */
extern const bench_row bench_rows[];
extern const int bench_row_count;
const bench_row *bench_row_at(int i);
bench_fn *bench_ours(const bench_row *row);
const char *bench_compiler(void);
const char *bench_flags(void);
size_t bench_src_bytes(const bench_row *row, size_t n);
size_t bench_dst_bytes(const bench_row *row, size_t n);
/* Elements of a size class: bytes of source, but no more than BENCH_DST_MAX bytes of target. */
size_t bench_count(const bench_row *row, size_t bytes);
#define BENCH_DST_MAX ((size_t)256 << 20)

/* plain.c, compiled once or twice: plain C loops */
extern const bench_kernel bench_plain_cc[];
#ifdef BENCH_HAVE_CLANG
extern const bench_kernel bench_plain_clang[];
#endif
bench_fn *bench_find(const bench_kernel *table, const char *name);

/* limits.c: streams that move the same bytes in the same ratio, of four kinds. NULL: there is none
   of the kind. */
enum { BENCH_NONTEMPORAL = 1, BENCH_SHORT = 2, BENCH_STREAMS = 4 };
bench_fn *bench_stream(const bench_row *row, int kind);
bench_fn bench_memcpy; /* of half of all bytes read and written, so that it moves as many */
const char *bench_stream_name(void);

/* data.c: buffers on huge pages, and what is in them */
typedef struct bench_buffers {
    char *src, *dst;
    size_t src_size, dst_size;
    void *maps[2];
    size_t map_sizes[2];
    const bench_row *filled; /* whose data src holds, n of them */
    size_t filled_count;
    int age; /* calls since dst was restored, in rows in place */
} bench_buffers;
int bench_open(bench_buffers *b, size_t src_size, size_t dst_size);
void bench_close(bench_buffers *b);
void bench_fill(bench_buffers *b, const bench_row *row, size_t n);
/* 1 if src already holds at least n elements of this row's data. */
int bench_is_filled(const bench_buffers *b, const bench_row *row, size_t n);
/* Copies the first block_bytes of p again and again until all bytes of p are written. */
void bench_repeat(char *p, size_t block_bytes, size_t bytes);
/* Special values instead: NaN, subnormals, ties, overflow; returns how many elements. At most
   BENCH_CHECK_MAX bytes. */
size_t bench_fill_special(bench_buffers *b, const bench_row *row);
#define BENCH_CHECK_MAX ((size_t)24 << 20)
void bench_restore(bench_buffers *b, const bench_row *row, size_t n);

/* race.c: time */
double bench_now(void); /* ns */
/* ns per call, over reps calls; in-place rows are restored outside the time. */
double bench_sample(bench_fn *fn, const bench_row *row, bench_buffers *b, size_t n, int reps);
/* Elements of dst that differ between two contenders; the flag counts as one. */
size_t bench_compare(bench_fn *f, bench_fn *g, const bench_row *row, bench_buffers *b, size_t n);
typedef struct bench_contender {
    const char *name;
    bench_fn *fn;
    double best, spent; /* ns per call, ns */
    int reps, rounds;
} bench_contender;
/* Rounds in which each contender gets a sample, until each has had its part of budget (ns). */
void bench_race(bench_contender *c, int count, const bench_row *row, bench_buffers *b, size_t n,
                double budget);

/* machine.c */
/* Pins the process to core cpu, or to the last core it may use if cpu is negative. Returns the
   number of the core, or -1 if the process is not pinned. */
int bench_pin(int cpu);
void bench_cpu_name(char *text, size_t size);

/* plain.c: ns per call of an inlined loop over 64 elements; 0 where the row has none */
double bench_latency_plain(const bench_row *row, void *dst, const void *src, int reps);
#endif
