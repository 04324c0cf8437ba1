/* The bench as a shared object for bench/peers.py: rows by number, one pair of buffers. */
#include "../bench.h"
#include <string.h>

static bench_buffers buffers;

int peers_open(size_t src_size, size_t dst_size) {
    if (buffers.src != NULL) bench_close(&buffers);
    return bench_open(&buffers, src_size, dst_size);
}
char *peers_src(int i) { return bench_rows[i].chain != 0 ? buffers.dst : buffers.src; }
char *peers_dst(int i) {
    (void)i;
    return buffers.dst;
}

const char *peers_name(int i) { return i < bench_row_count ? bench_rows[i].name : NULL; }
const char *peers_src_dtype(int i) { return mpx_dtype_name(bench_rows[i].src); }
const char *peers_dst_dtype(int i) { return mpx_dtype_name(bench_rows[i].dst); }
int peers_op(int i) { return bench_rows[i].op; }
int peers_in_place(int i) { return bench_rows[i].chain; }
int peers_alternates(int i) { return bench_rows[i].alternates; }
int peers_src_packed(int i) { return mpx_dtype_bits(bench_rows[i].src) < 8; }
int peers_dst_packed(int i) {
    return !bench_rows[i].bytes && mpx_dtype_bits(bench_rows[i].dst) < 8;
}
double peers_by(int i) { return (double)bench_rows[i].by; }
/* k: 0 for 16 KiB, 1 for 512 KiB, 2 for 64 MiB */
double peers_mark(int i, int k) { return bench_rows[i].marks[k]; }

size_t peers_count(int i, size_t bytes) { return bench_count(&bench_rows[i], bytes); }
size_t peers_src_bytes(int i, size_t n) { return bench_src_bytes(&bench_rows[i], n); }
size_t peers_dst_bytes(int i, size_t n) { return bench_dst_bytes(&bench_rows[i], n); }

void peers_fill(int i, size_t n) { bench_fill(&buffers, &bench_rows[i], n); }
size_t peers_fill_special(int i) { return bench_fill_special(&buffers, &bench_rows[i]); }
void peers_restore(int i, size_t n) { bench_restore(&buffers, &bench_rows[i], n); }
/* Someone else has called a kernel in place so many times. */
void peers_aged(int calls) { buffers.age += calls; }
int peers_age(void) { return buffers.age; }

bench_fn *peers_ours(int i) { return bench_ours(&bench_rows[i]); }
bench_fn *peers_stream(int i, int kind) { return bench_stream(&bench_rows[i], kind); }
bench_fn *peers_plain(int i) { return bench_find(bench_plain_cc, bench_rows[i].name); }
bench_fn *peers_plain_clang(int i) {
#ifdef BENCH_HAVE_CLANG
    return bench_find(bench_plain_clang, bench_rows[i].name);
#else
    (void)i;
    return NULL;
#endif
}

double peers_sample(bench_fn *fn, int i, size_t n, int reps) {
    return bench_sample(fn, &bench_rows[i], &buffers, n, reps);
}
/* One call; returns the flag that unscale and all_finite leave. */
int peers_call(bench_fn *fn, int i, size_t n) {
    bench_out.flag = -1;
    fn(&bench_rows[i], peers_dst(i), peers_src(i), n);
    return bench_out.flag;
}
