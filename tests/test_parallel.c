/* mpx_cast_parallel and mpx_tree_cast_parallel: whatever runs the pieces - the caller alone,
   forward or backward, or threads - bits, statuses and errors are those of mpx_cast, mpx_cast_with
   and mpx_tree_cast. Those have their own tests against an oracle. */
#include "test.h"
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define HAVE_THREADS 1
#else
#define HAVE_THREADS 0
#endif

enum { LEAST = 4096 }; /* bytes: the least grain */

/* ---- who runs the pieces --------------------------------------------------------------------- */

static unsigned long run_calls, run_pieces; /* since they were last set to 0 */

static void run_forward(size_t count, mpx_task_fn task, void *arg, void *user) {
    size_t i;
    (void)user;
    run_calls++, run_pieces += count;
    for (i = 0; i < count; i++)
        task(arg, i);
}

static void run_backward(size_t count, mpx_task_fn task, void *arg, void *user) {
    run_calls++, run_pieces += count;
    CHECK(user == &run_calls, "user is handed through");
    while (count-- > 0)
        task(arg, count);
}

#if HAVE_THREADS
enum { THREADS = 3 };

typedef struct share {
    size_t first, count;
    mpx_task_fn task;
    void *arg;
} share;

/* Every THREADS-th piece. */
static void *run_share(void *arg) {
    const share *mine = (const share *)arg;
    size_t i;
    for (i = mine->first; i < mine->count; i += THREADS)
        mine->task(mine->arg, i);
    return NULL;
}

static void run_threads(size_t count, mpx_task_fn task, void *arg, void *user) {
    pthread_t threads[THREADS];
    share shares[THREADS];
    size_t t;
    (void)user;
    run_calls++, run_pieces += count;
    for (t = 0; t < THREADS; t++) {
        shares[t].first = t, shares[t].count = count, shares[t].task = task, shares[t].arg = arg;
        if (pthread_create(&threads[t], NULL, run_share, &shares[t]) != 0) abort();
    }
    for (t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}
#endif

static mpx_parallel parallel_of(mpx_run_fn run, size_t grain) {
    mpx_parallel parallel;
    parallel.run = run;
    parallel.user = &run_calls;
    parallel.grain = grain;
    run_calls = run_pieces = 0;
    return parallel;
}

static const mpx_run_fn runners[] = {
    NULL,
    run_forward,
    run_backward,
#if HAVE_THREADS
    run_threads,
#endif
};
enum { RUNNERS = sizeof runners / sizeof runners[0] };
static const char *const runner_names[] = { "serial", "forward", "backward", "threads" };

/* ---- buffers --------------------------------------------------------------------------------- */

/* On the heap, of the exact size, so that a sanitizer sees a byte beyond. */
static unsigned char *new_bytes(size_t size) {
    unsigned char *p = (unsigned char *)malloc(size != 0 ? size : 1);
    if (p == NULL) abort();
    return p;
}

/* Any bits will do for any dtype. */
static void scatter(unsigned char *p, size_t size, uint32_t seed) {
    size_t i;
    for (i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        p[i] = (unsigned char)(seed >> 24);
    }
}

static mpx_cast_options options_of(int rounding) {
    mpx_cast_options opt;
    memset(&opt, 0, sizeof opt);
    opt.rounding = rounding;
    opt.random_seed = 7;
    opt.offset = 1001; /* odd: two elements share a random word */
    return opt;
}

/* Bytes of n elements in a layout. */
static size_t size_of(mpx_dtype type, int layout, size_t n) {
    return mpx_dtype_bytes(layout == MPX_LAYOUT_BYTES && mpx_dtype_bits(type) < 8 ? MPX_U8 : type,
                           n);
}

/* Where the first difference is, or SIZE_MAX. */
static size_t difference(const unsigned char *a, const unsigned char *b, size_t size) {
    size_t i;
    for (i = 0; i < size; i++)
        if (a[i] != b[i]) return i;
    return (size_t)-1;
}

/* The cast by every runner, against mpx_cast_with. cut: it must have been split. */
static void check_cast(mpx_dtype to, mpx_dtype from, size_t n, const mpx_cast_options *opt,
                       size_t grain, int cut) {
    size_t src_size = size_of(from, opt != NULL ? opt->src_layout : 0, n), r;
    size_t dst_size = size_of(to, opt != NULL ? opt->dst_layout : 0, n);
    unsigned char *src = new_bytes(src_size), *want = new_bytes(dst_size),
                  *got = new_bytes(dst_size);
    mpx_status status;
    scatter(src, src_size, (uint32_t)n);
    memset(want, 0xaa, dst_size);
    status = mpx_cast_with(want, to, src, from, n, opt);
    for (r = 0; r < RUNNERS; r++) {
        mpx_parallel parallel = parallel_of(runners[r], grain);
        mpx_status again;
        size_t at;
        memset(got, 0xaa, dst_size);
        again = mpx_cast_parallel(got, to, src, from, n, opt, parallel);
        at = difference(got, want, dst_size);
        CHECK(again == status, "%s to %s, n %lu, %s: status %d, not %d", mpx_dtype_short_name(from),
              mpx_dtype_short_name(to), (unsigned long)n, runner_names[r], again, status);
        CHECK(at == (size_t)-1, "%s to %s, n %lu, rounding %d, %s: byte %lu differs",
              mpx_dtype_short_name(from), mpx_dtype_short_name(to), (unsigned long)n,
              opt != NULL ? opt->rounding : 0, runner_names[r], (unsigned long)at);
        CHECK(runners[r] == NULL || (run_calls != 0) == cut, "%s to %s, n %lu: %lu calls of run",
              mpx_dtype_short_name(from), mpx_dtype_short_name(to), (unsigned long)n, run_calls);
    }
    free(src), free(want), free(got);
}

/* ---- buffers cast in pieces ------------------------------------------------------------------ */

/* Elements that fill a piece of the least grain. */
static size_t elements_of_piece(mpx_dtype to, mpx_dtype from) {
    return (size_t)LEAST * 8 / (size_t)(mpx_dtype_bits(to) + mpx_dtype_bits(from));
}

/* Is there more than one piece? */
static int is_cut(mpx_dtype to, mpx_dtype from, size_t n) {
    return mpx_dtype_bytes(to, n) + mpx_dtype_bytes(from, n) > LEAST;
}

static void test_pairs(void) {
    static const size_t around[] = { 0, 1, 2, 127, 128, 129 };
    mpx_dtype to, from;
    size_t i;
    for (to = MPX_F64; to < MPX_DTYPE_COUNT; to++)
        for (from = MPX_F64; from < MPX_DTYPE_COUNT; from++) {
            size_t piece = elements_of_piece(to, from);
            int fine = mpx_cast(NULL, to, NULL, from, 0) == MPX_OK;
            check_cast(to, from, 0, NULL, 1, 0);
            check_cast(to, from, piece, NULL, 1, fine && is_cut(to, from, piece));
            for (i = 0; i < sizeof around / sizeof around[0]; i++) {
                check_cast(to, from, piece + around[i], NULL, 1,
                           fine && is_cut(to, from, piece + around[i]));
                check_cast(to, from, 3 * piece - around[i], NULL, LEAST, fine);
            }
        }
}

/* Every count around the second border. */
static void test_borders(void) {
    static const mpx_dtype types[] = { MPX_I2, MPX_F4E2M1FN, MPX_F6E2M3FN, MPX_F8E5M2, MPX_C128 };
    size_t i, n;
    for (i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t piece = elements_of_piece(types[i], types[i]);
        for (n = 2 * piece - 140; n < 2 * piece + 140; n++)
            check_cast(types[i], types[i], n, NULL, LEAST, is_cut(types[i], types[i], n));
    }
    for (n = 1300; n < 1500; n++)
        check_cast(MPX_F6E3M2FN, MPX_F32, n, NULL, LEAST, is_cut(MPX_F6E3M2FN, MPX_F32, n));
}

/* How many pieces there are, and that a strange grain does no harm. */
static void test_grain(void) {
    enum { N = 1 << 19 };
    static float src[N];
    static uint16_t dst[N];
    static const struct {
        size_t n, grain;
        unsigned long pieces; /* 0: run is not called */
    } rows[] = {
        { N, 0, 3 },         { N / 2, 0, 2 },      { (1 << 20) / 6, 0, 0 }, { N, 6 * N, 0 },
        { N, 6 * N - 1, 2 }, { N, (size_t)-1, 0 }, { N, 1, 6 * N / 4096 },  { 4096, 4096, 6 },
        { 4097, 4096, 7 },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_parallel parallel = parallel_of(run_forward, rows[i].grain);
        mpx_status status =
            mpx_cast_parallel(dst, MPX_F16, src, MPX_F32, rows[i].n, NULL, parallel);
        CHECK(status == MPX_OK && run_pieces == rows[i].pieces,
              "row %lu: status %d, %lu pieces, not %lu", (unsigned long)i, status, run_pieces,
              rows[i].pieces);
    }
}

static void test_rounding(void) {
    static const mpx_dtype sources[] = {
        MPX_F64, MPX_F32, MPX_BF16, MPX_F6E2M3FN, MPX_I32, MPX_U2
    };
    mpx_dtype to;
    size_t i;
    int mode;
    for (to = MPX_F64; to < MPX_C64; to++)
        for (i = 0; i < sizeof sources / sizeof sources[0]; i++)
            for (mode = 0; mode < 6; mode++) {
                mpx_cast_options opt = options_of(mode % 3);
                opt.saturate = mode / 3;
                check_cast(to, sources[i], 2 * elements_of_piece(to, sources[i]) + 77, &opt, LEAST,
                           1);
            }
}

/* One element per byte, on either side and on both. */
static void test_bytes(void) {
    static const mpx_dtype types[] = { MPX_F4E2M1FN, MPX_F6E3M2FN, MPX_I2, MPX_U4, MPX_F32 };
    size_t i, k;
    int side;
    for (i = 0; i < 5; i++)
        for (k = 0; k < 5; k++)
            for (side = 1; side < 4; side++) {
                mpx_cast_options opt = options_of(MPX_ROUND_STOCHASTIC);
                opt.dst_layout = side & 1 ? MPX_LAYOUT_BYTES : MPX_LAYOUT_PACKED;
                opt.src_layout = side & 2 ? MPX_LAYOUT_BYTES : MPX_LAYOUT_PACKED;
                check_cast(types[i], types[k], 32773, &opt, LEAST, 1);
            }
}

/* Cut at multiples of 64 blocks, not at all where there are fewer; refused where mpx_cast_with
   refuses. */
static void test_split(void) {
    static const struct {
        size_t n, block;
        int cut;
    } rows[] = {
        { 65536, 32, 1 },   { 65536, 2, 1 },    { 66000, 22, 1 },
        { 65536, 1024, 1 }, { 65536, 2048, 0 }, { 65536, 0, 0 },
        { 65537, 32, 0 },   { 65536, 31, 0 },   { 32 * 2051, 32, 1 },
    };
    static const mpx_dtype types[] = { MPX_F4E2M1FN, MPX_I4, MPX_F16, MPX_F6E2M3FN };
    size_t i, k;
    int mode;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (k = 0; k < 4; k++)
            for (mode = 0; mode < 3; mode++) {
                mpx_cast_options opt = options_of(mode);
                opt.split_block = rows[i].block;
                opt.dst_layout = MPX_LAYOUT_SPLIT;
                check_cast(MPX_U4, types[k], rows[i].n, &opt, LEAST, rows[i].cut);
                if (k != 3) opt.src_layout = MPX_LAYOUT_SPLIT;
                check_cast(MPX_F4E2M1FN, types[k], rows[i].n, &opt, LEAST, rows[i].cut);
                opt.dst_layout = MPX_LAYOUT_PACKED;
                if (mpx_dtype_bits(types[k]) == 4)
                    check_cast(MPX_F8E4M3FN, types[k], rows[i].n, &opt, LEAST, rows[i].cut);
            }
    {
        mpx_cast_options opt = options_of(0); /* six bits cannot be split; wide dtypes never are */
        opt.dst_layout = opt.src_layout = MPX_LAYOUT_SPLIT;
        check_cast(MPX_F6E2M3FN, MPX_F32, 65536, &opt, LEAST, 0);
        check_cast(MPX_F16, MPX_F32, 65537, &opt, LEAST, 1);
    }
}

static void test_stats(void) {
#if !MPX_NO_STATS
    enum { N = 5000 };
    static unsigned char src[N * 4];
    static uint16_t dst[N];
    mpx_cast_stats want, got;
    mpx_cast_options opt = options_of(MPX_ROUND_STOCHASTIC);
    scatter(src, sizeof src, 3);
    memset(&want, 0, sizeof want);
    memset(&got, 0, sizeof got);
    opt.stats = &want;
    CHECK(mpx_cast_with(dst, MPX_F16, src, MPX_F32, N, &opt) == MPX_OK, "serial");
    opt.stats = &got;
    CHECK(mpx_cast_parallel(dst, MPX_F16, src, MPX_F32, N, &opt,
                            parallel_of(run_backward, LEAST)) == MPX_OK,
          "parallel");
    CHECK(run_calls == 0, "statistics stay on one thread");
    CHECK(memcmp(&want, &got, sizeof want) == 0, "%lu counted, not %lu", (unsigned long)got.count,
          (unsigned long)want.count);
#endif
}

/* dst == src: in pieces where each element is written where it was read, else whole. */
static void test_in_place(void) {
    enum { N = 20000 };
    static unsigned char before[N * 16], want[N * 16], got[N * 16];
    mpx_dtype to, from;
    size_t r;
    scatter(before, sizeof before, 5);
    for (to = MPX_F64; to < MPX_DTYPE_COUNT; to++)
        for (from = MPX_F64; from < MPX_DTYPE_COUNT; from++) {
            int narrower = mpx_dtype_bits(to) < mpx_dtype_bits(from);
            if (mpx_dtype_bits(to) > mpx_dtype_bits(from)) continue;
            memcpy(want, before, sizeof want);
            if (mpx_cast(want, to, want, from, N - 1) != MPX_OK) continue;
            for (r = 0; r < RUNNERS; r++) {
                mpx_parallel parallel = parallel_of(runners[r], LEAST);
                memcpy(got, before, sizeof got);
                CHECK(mpx_cast_parallel(got, to, got, from, N - 1, NULL, parallel) == MPX_OK,
                      "in place");
                CHECK(memcmp(got, want, sizeof got) == 0, "%s to %s in place, %s: other bits",
                      mpx_dtype_short_name(from), mpx_dtype_short_name(to), runner_names[r]);
                CHECK(runners[r] == NULL || (run_calls == 0) == narrower,
                      "%s to %s in place: %lu calls of run", mpx_dtype_short_name(from),
                      mpx_dtype_short_name(to), run_calls);
            }
        }
}

/* The status of the serial call, dst untouched, no piece run. */
static void test_errors(void) {
    enum { N = 4096 };
    static float src[N];
    static unsigned char dst[N * 8], untouched[N * 8];
    static const struct {
        mpx_dtype to, from;
        int rounding, dst_layout, src_layout;
        size_t n, block;
    } rows[] = {
        { MPX_NONE, MPX_F32, 0, 0, 0, N, 0 },        { MPX_F32, MPX_NONE, 0, 0, 0, N, 0 },
        { MPX_DTYPE_COUNT, MPX_F32, 0, 0, 0, N, 0 }, { MPX_F32, -1, 0, 0, 0, N, 0 },
        { MPX_C64, MPX_F32, 0, 0, 0, N, 0 },         { MPX_F16, MPX_F32, 3, 0, 0, N, 0 },
        { MPX_F16, MPX_F32, -1, 0, 0, N, 0 },        { MPX_F16, MPX_F32, 0, 3, 0, N, 0 },
        { MPX_F16, MPX_F32, 0, 0, -1, N, 0 },        { MPX_I4, MPX_F32, 0, 2, 0, N, 48 },
        { MPX_I4, MPX_F32, 0, 2, 0, N, 1 },          { MPX_I2, MPX_F32, 0, 2, 0, N, 2 },
        { MPX_F32, MPX_I4, 0, 0, 2, N, 48 },         { MPX_I4, MPX_F32, 0, 2, 0, N - 1, 32 },
        { MPX_NONE, MPX_F32, 0, 0, 0, 0, 0 },        { MPX_F16, MPX_F32, 3, 0, 0, 0, 0 },
    };
    size_t i;
    memset(dst, 0x55, sizeof dst);
    memset(untouched, 0x55, sizeof dst);
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_cast_options opt = options_of(rows[i].rounding);
        mpx_status want, got;
        opt.dst_layout = rows[i].dst_layout;
        opt.src_layout = rows[i].src_layout;
        opt.split_block = rows[i].block;
        want = mpx_cast_with(dst, rows[i].to, src, rows[i].from, rows[i].n, &opt);
        got = mpx_cast_parallel(dst, rows[i].to, src, rows[i].from, rows[i].n, &opt,
                                parallel_of(run_forward, 1));
        CHECK(want != MPX_OK && got == want, "row %lu: status %d, not %d", (unsigned long)i, got,
              want);
        CHECK(run_calls == 0 && memcmp(dst, untouched, sizeof dst) == 0, "row %lu: work was done",
              (unsigned long)i);
    }
    CHECK(mpx_cast_parallel(NULL, MPX_F16, NULL, MPX_F32, 0, NULL, parallel_of(run_forward, 1)) ==
              MPX_OK,
          "no elements, no data");
}

/* ---- trees ----------------------------------------------------------------------------------- */

enum { LEAVES = 130, MEMORY = 5 << 18 };
static unsigned char src_memory[MEMORY], want_memory[MEMORY], got_memory[MEMORY];

/* Two trees, leaf by leaf, over one block of memory. */
typedef struct pair {
    mpx_leaf dst[LEAVES], src[LEAVES];
    size_t count;
} pair;

static void add_leaf(pair *p, void *dst, mpx_dtype to, void *src, mpx_dtype from, size_t n) {
    mpx_leaf *d = &p->dst[p->count], *s = &p->src[p->count];
    d->path = s->path = "leaf";
    d->data = dst, d->dtype = to;
    s->data = src, s->dtype = from;
    d->count = s->count = n;
    p->count++;
}

/* A walker whose `fail_at`-th leaf, counted over all walks from 0, fails. user: a failing. */
typedef struct failing {
    mpx_tree inner;
    size_t handed, fail_at;
} failing;

static int failing_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    failing *f = (failing *)tree->user;
    if (f->handed++ == f->fail_at) return MPX_ERR_CALLBACK;
    return f->inner.next(at, leaf, &f->inner);
}

static mpx_tree failing_tree(failing *f, mpx_tree inner, size_t fail_at) {
    mpx_tree tree;
    memset(&tree, 0, sizeof tree);
    f->inner = inner, f->handed = 0, f->fail_at = fail_at;
    tree.next = failing_next;
    tree.user = f;
    return tree;
}

/* Both casts of trees that `make` builds over a block of memory that begins as src_memory; the
   walker of dst fails at its fail_at-th leaf. All of the block must be the same afterwards. Returns
   the calls of run. */
typedef void (*make_fn)(pair *p, unsigned char *memory);

static unsigned long check_tree(const char *name, make_fn make, mpx_run_fn run, size_t grain,
                                size_t fail_at) {
    static pair want, got;
    failing want_walk, got_walk;
    mpx_error want_err, got_err;
    mpx_status want_status, got_status;
    mpx_parallel parallel = parallel_of(run, grain);
    size_t at;
    memcpy(want_memory, src_memory, MEMORY);
    memcpy(got_memory, src_memory, MEMORY);
    want.count = got.count = 0;
    make(&want, want_memory);
    make(&got, got_memory);
    want_status =
        mpx_tree_cast(failing_tree(&want_walk, mpx_tree_of_leaves(want.dst, want.count), fail_at),
                      mpx_tree_of_leaves(want.src, want.count), &want_err);
    got_status = mpx_tree_cast_parallel(
        failing_tree(&got_walk, mpx_tree_of_leaves(got.dst, got.count), fail_at),
        mpx_tree_of_leaves(got.src, got.count), parallel, &got_err);
    at = difference(got_memory, want_memory, MEMORY);
    CHECK(got_status == want_status, "%s: status %d, not %d", name, got_status, want_status);
    CHECK(memcmp(&got_err, &want_err, sizeof got_err) == 0, "%s: leaf %lu, not %lu in err", name,
          (unsigned long)got_err.index, (unsigned long)want_err.index);
    CHECK(at == (size_t)-1, "%s: byte %lu differs", name, (unsigned long)at);
    CHECK(got_walk.handed == want_walk.handed, "%s: %lu calls of the walker, not %lu", name,
          (unsigned long)got_walk.handed, (unsigned long)want_walk.handed);
    return run_calls;
}

/* Leaves of all sizes: more than are cut together, some large, some empty, some no floats. */
static void make_mixed(pair *p, unsigned char *memory) {
    static const mpx_dtype types[] = { MPX_F16,  MPX_F32,      MPX_I32, MPX_F4E2M1FN,
                                       MPX_BF16, MPX_F6E3M2FN, MPX_BOOL };
    unsigned char *at = memory;
    size_t i;
    for (i = 0; i < LEAVES - 1; i++) {
        mpx_dtype from = types[i % 7], to = types[(i * 3 + 1) % 7];
        size_t n = i % 11 == 3 ? 20011 : i % 17 == 5 ? 0 : i * 7 + 1, src_size;
        if (!mpx_dtype_is_floating(from) || !mpx_dtype_is_floating(to)) to = from;
        src_size = mpx_dtype_bytes(from, n);
        add_leaf(p, at + src_size, to, at, from, n);
        at += src_size + mpx_dtype_bytes(to, n);
    }
    add_leaf(p, NULL, MPX_F16, NULL, MPX_F32, 0);
    CHECK((size_t)(at - memory) <= MEMORY, "%lu bytes of memory", (unsigned long)(at - memory));
}

/* Tied weights: leaves that share their memory; and leaves that read what others wrote. */
static void make_tied(pair *p, unsigned char *memory) {
    enum { N = 3000 };
    unsigned char *a = memory, *b = a + 4 * N, *c = b + 4 * N, *d = c + 4 * N;
    add_leaf(p, b, MPX_F16, a, MPX_F32, N);
    add_leaf(p, b, MPX_F16, a, MPX_F32, N);
    add_leaf(p, c, MPX_BF16, b, MPX_F16, N);
    add_leaf(p, c + 2 * N, MPX_BF16, b, MPX_F16, N);
    add_leaf(p, d, MPX_F32, a, MPX_F32, N);
    add_leaf(p, a, MPX_F32, c, MPX_BF16, 2 * N); /* wider than what a held */
    add_leaf(p, b + 1, MPX_F8E4M3FN, d, MPX_F32, N);
}

/* A block of f32 leaves that becomes a block of f16 leaves in the same place. */
static void make_compact(pair *p, unsigned char *memory) {
    size_t i, from = 0, to = 0;
    for (i = 0; i < 60; i++) {
        size_t n = i * 13 + 900;
        add_leaf(p, memory + to, MPX_F16, memory + from, MPX_F32, n);
        from += 4 * n, to += 2 * n;
        if (i == 0) to = from; /* the second leaf lies behind the first f32 one */
    }
}

/* In place, shared, and of one width. */
static void make_in_place(pair *p, unsigned char *memory) {
    enum { N = 5000 };
    add_leaf(p, memory + 4 * N, MPX_BF16, memory, MPX_F32, N); /* before that is overwritten */
    add_leaf(p, memory, MPX_F16, memory, MPX_F32, N);
    memory += 6 * N;
    add_leaf(p, memory, MPX_F32, memory, MPX_F32, N);
    memory += 4 * N;
    add_leaf(p, memory, MPX_BF16, memory, MPX_F16, N);
    memory += 2 * N;
    add_leaf(p, memory + 4 * N, MPX_BF16, memory, MPX_F32, N);
    memory += 6 * N;
    add_leaf(p, memory, MPX_F6E2M3FN, memory, MPX_F6E3M2FN, N);
}

/* An error in the middle: found by the first walk. */
static void make_wrong(pair *p, unsigned char *memory) {
    make_mixed(p, memory);
    p->dst[100].count++;
    p->dst[101].dtype = MPX_I64;
}

static void test_trees(void) {
    static const struct {
        const char *name;
        make_fn make;
        unsigned long calls; /* of run, at least */
    } rows[] = {
        { "mixed", make_mixed, 3 },     { "tied", make_tied, 5 },
        { "compact", make_compact, 1 }, { "in place", make_in_place, 1 },
        { "wrong", make_wrong, 0 },
    };
    static const size_t grains[] = { 1, LEAST, 10000, 0 };
    size_t i, g, r;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (g = 0; g < 4; g++)
            for (r = 0; r < RUNNERS; r++) {
                unsigned long calls =
                    check_tree(rows[i].name, rows[i].make, runners[r], grains[g], (size_t)-1);
                CHECK(runners[r] == NULL || g > 1 || calls >= rows[i].calls, "%s: %lu calls of run",
                      rows[i].name, calls);
            }
}

/* A walker that fails in the first walk, at its end, or in the second: all before it is done. */
static void test_failing_walker(void) {
    size_t fail_at;
    for (fail_at = 0; fail_at < 2 * (LEAVES + 1) + 1; fail_at += fail_at % 9 + 1)
        check_tree("failing", make_mixed, run_backward, LEAST, fail_at);
}

/* Small leaves share pieces: 48 of 1.5 KiB are 72 KiB. */
static void test_small_leaves(void) {
    static float src[96][256];
    static uint16_t dst[96][256];
    static pair p;
    mpx_parallel parallel = parallel_of(run_forward, 24 << 10);
    mpx_tree empty;
    size_t i;
    p.count = 0;
    for (i = 0; i < 96; i++) {
        src[i][255] = (float)i;
        add_leaf(&p, dst[i], MPX_BF16, src[i], MPX_F32, 256);
    }
    CHECK(mpx_tree_cast_parallel(mpx_tree_of_leaves(p.dst, 96), mpx_tree_of_leaves(p.src, 96),
                                 parallel, NULL) == MPX_OK,
          "small leaves");
    CHECK(run_calls == 2 && run_pieces == 6, "%lu pieces in %lu calls of run", run_pieces,
          run_calls);
    for (i = 0; i < 96; i++)
        CHECK(dst[i][255] == mpx_bf16_from_f32((float)i), "leaf %lu", (unsigned long)i);
    parallel = parallel_of(run_forward, 1);
    CHECK(mpx_tree_cast_parallel(mpx_tree_of_leaves(p.src, 96), mpx_tree_of_leaves(p.src, 96),
                                 parallel, NULL) == MPX_OK &&
              run_calls == 0,
          "shared leaves are skipped");
    memset(&empty, 0, sizeof empty);
    parallel = parallel_of(run_forward, 0);
    CHECK(mpx_tree_cast_parallel(empty, empty, parallel, NULL) == MPX_OK && run_calls == 0,
          "empty trees");
}

int main(void) {
    if (!HAVE_THREADS) printf("SKIP threads: none here\n");
    test_pairs();
    test_borders();
    test_grain();
    test_rounding();
    test_bytes();
    test_split();
    test_stats();
    test_in_place();
    test_errors();
    scatter(src_memory, MEMORY, 11);
    test_trees();
    test_failing_walker();
    test_small_leaves();
    return test_done("test_parallel");
}
