/* Time: samples, and races in which the contenders take turns. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L /* clock_gettime under -std=c99 */
#endif
#include "bench.h"
#include <string.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What two calls of bench_now cost at least. */
static double clock_cost(void) {
    static double cost = -1;
    int i;
    for (i = 0; i < 1000 && (cost < 0 || i > 0); i++) {
        double start = bench_now(), passed = bench_now() - start;
        if (cost < 0 || passed < cost) cost = passed;
    }
    return cost;
}

/* In place: as many calls as the data bear, then they are restored, outside the time. */
static double sample_in_place(bench_fn *fn, const bench_row *row, bench_buffers *b, size_t n,
                              int reps) {
    double total = 0;
    int done = 0;
    while (done < reps) {
        double start;
        int i, calls;
        if (b->age >= row->chain) bench_restore(b, row, n);
        calls = row->chain - b->age < reps - done ? row->chain - b->age : reps - done;
        start = bench_now();
        for (i = 0; i < calls; i++)
            fn(row, b->dst, b->dst, n);
        total += bench_now() - start - clock_cost();
        b->age += calls;
        done += calls;
    }
    return total / reps;
}

double bench_sample(bench_fn *fn, const bench_row *row, bench_buffers *b, size_t n, int reps) {
    double start;
    int i;
    if (row->chain != 0) return sample_in_place(fn, row, b, n, reps);
    start = bench_now();
    for (i = 0; i < reps; i++)
        fn(row, b->dst, b->src, n);
    return (bench_now() - start - clock_cost()) / reps;
}

/* ---- races ----------------------------------------------------------------------------------- */

#define SAMPLE_TIME 5e4   /* ns that a sample should take */
#define SLOW_SAMPLE 1.5e8 /* a longer one is taken only once in a race */
#define MAX_ROUNDS 2000

/* The first call is for caches and pages, and says how many make a sample. */
static void warm_up(bench_contender *c, const bench_row *row, bench_buffers *b, size_t n) {
    double t = bench_sample(c->fn, row, b, n, 1), reps;
    if (t < 1e6) t = bench_sample(c->fn, row, b, n, 4);
    reps = SAMPLE_TIME / (t > 1 ? t : 1) + 1;
    c->reps = reps > 2e4 ? 20000 : (int)reps;
    c->rounds = 0;
    c->spent = 0;
    if (t > SLOW_SAMPLE) {
        c->rounds = 2;
        c->spent = t;
        if (t < c->best) c->best = t;
    }
}

void bench_race(bench_contender *c, int count, const bench_row *row, bench_buffers *b, size_t n,
                double budget) {
    double part = budget / count;
    int i, running = 1;
    for (i = 0; i < count; i++)
        warm_up(&c[i], row, b, n);
    while (running) {
        running = 0;
        for (i = 0; i < count; i++) {
            double t;
            if (c[i].rounds >= 2 && c[i].spent >= part) continue;
            if (c[i].rounds >= MAX_ROUNDS) continue;
            if (c[i].reps > 1) (void)bench_sample(c[i].fn, row, b, n, 1);
            t = bench_sample(c[i].fn, row, b, n, c[i].reps);
            if (t > 0 && t < c[i].best) c[i].best = t;
            c[i].spent += t * c[i].reps;
            c[i].rounds++;
            running = 1;
        }
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static void run_once(bench_fn *fn, const bench_row *row, bench_buffers *b, size_t n) {
    bench_out.flag = -1;
    bench_reset_by();
    if (row->chain != 0) bench_restore(b, row, n);
    fn(row, b->dst, row->chain != 0 ? b->dst : b->src, n);
    b->age = row->chain;
}

size_t bench_compare(bench_fn *f, bench_fn *g, const bench_row *row, bench_buffers *b, size_t n) {
    size_t bytes = bench_dst_bytes(row, n), width = (size_t)mpx_dtype_bits(row->dst) / 8, i;
    size_t wrong = 0;
    char *other = b->dst + b->dst_size / 2;
    int flag;
    memset(b->dst, 0xa5, bytes);
    run_once(f, row, b, n);
    flag = bench_out.flag;
    memcpy(other, b->dst, bytes);
    memset(b->dst, 0x5a, bytes);
    run_once(g, row, b, n);
    if (memcmp(b->dst, other, bytes) == 0) return flag != bench_out.flag;
    if (width == 0 || row->bytes) width = 1;
    for (i = 0; i + width <= bytes; i += width)
        wrong += memcmp(b->dst + i, other + i, width) != 0;
    return wrong + (flag != bench_out.flag);
}
