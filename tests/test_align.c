/* Where buffers lie: every length from 0 to 300 at all 64 offsets of source and destination, between
   pages that must not be touched, from a source that must not be written, and in place; a single
   Inf or NaN at every position; buffers too large for the caches. What the elements become is
   tests/ref.h's word; which values are worth a test is test_cast's business.

   test_align --small     without the large buffers
   test_align --quick     and no pair at every length
   test_align --quick K   of the pairs a quarter, K from 0 to 3 */
#include "pages.h"
#include "test.h"
#include "ref.h"
#include "model.h"
#if HAVE_PAGES
#include <signal.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif
#ifndef HAVE_ASAN
#define HAVE_ASAN 0
#endif
#if HAVE_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

static int quick, quarter = -1; /* of the pairs; all if negative */
enum { LONGEST = 300, OFFSETS = 64, MARGIN = 64, CANARY = 0xa5, ELSEWHERE = -1 };

static const char *name_of(mpx_dtype type) { return ref_formats[type].name; }

/* ---- operations ------------------------------------------------------------------------------ */

enum { CAST, SATURATE, TOWARD_ZERO, STOCHASTIC, SCALE, UNSCALE, OPERATIONS };
static const char *const operation_names[OPERATIONS] = { "cast",       "saturate", "toward zero",
                                                         "stochastic", "scale",    "unscale" };
static const uint32_t factor = 0x44800000u; /* 1024, of scale and unscale */

static mpx_cast_options options_of(int operation) {
    mpx_cast_options opt;
    memset(&opt, 0, sizeof opt);
    opt.saturate = operation == SATURATE;
    opt.random_seed = 1;
    if (operation == TOWARD_ZERO) opt.rounding = MPX_ROUND_TOWARD_ZERO;
    if (operation == STOCHASTIC) opt.rounding = MPX_ROUND_STOCHASTIC;
    return opt;
}

/* What element i becomes. */
static uint64_t wanted(int operation, mpx_dtype dst, mpx_dtype src, uint64_t code, size_t i) {
    mpx_cast_options opt = options_of(operation);
    ref_real x = ref_decode(src, code), by = ref_decode(MPX_F32, factor);
    ref_mode mode;
    if (operation == CAST) return ref_cast(dst, src, code);
    mode.rounding = opt.rounding, mode.saturate = opt.saturate, mode.random = model_random(1, i);
    if (operation < SCALE) return ref_cast_with(dst, src, code, &mode);
    x = operation == SCALE ? ref_product(x, by) : ref_quotient(x, by);
    return ref_encode(dst, &x);
}

static mpx_status run(int operation, void *to, mpx_dtype dst, const void *from, mpx_dtype src,
                      size_t n) {
    mpx_cast_options opt = options_of(operation);
    float by = ref_float(factor);
    if (operation == CAST) return mpx_cast(to, dst, from, src, n);
    if (operation == SCALE) return mpx_scale(to, dst, from, src, n, by);
    if (operation == UNSCALE) return mpx_unscale(to, dst, from, src, n, by, NULL);
    return mpx_cast_with(to, dst, from, src, n, &opt);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* A code that differs from its neighbours, of every magnitude and sign. */
static uint64_t scattered_code(mpx_dtype type, size_t i) {
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    return (x ^ x >> 29) & ref_low_mask(ref_formats[type].bits);
}

/* Stretches of values that the target has, or nearly, of values of every kind, and of both in turn:
   a kernel may treat a vector without anything special apart. */
static uint64_t sample_code(mpx_dtype dst, mpx_dtype src, size_t i) {
    uint64_t near = ref_cast(src, dst, scattered_code(dst, i)) + (uint64_t)(i % 5) - 2;
    size_t stretch = i / 40 % 3;
    if (stretch == 1 || (stretch == 2 && i % 2 != 0)) return scattered_code(src, i);
    return near & ref_low_mask(ref_formats[src].bits);
}

/* LONGEST elements and what they become. */
typedef struct sample {
    int operation;
    mpx_dtype dst, src;
    unsigned char from[LONGEST * 8], to[LONGEST * 8];
} sample;

static void sample_fill(sample *s, int operation, mpx_dtype dst, mpx_dtype src) {
    size_t i;
    uint64_t code;
    memset(s, 0, sizeof *s);
    s->operation = operation, s->dst = dst, s->src = src;
    for (i = 0; i < LONGEST; i++) {
        code = sample_code(dst, src, i);
        if (operation >= SCALE && ref_is_nan(src, code)) code = 1; /* its sign is open */
        ref_store(src, s->from, i, code);
        ref_store(dst, s->to, i, wanted(operation, dst, src, code, i));
    }
}

/* got holds the first n elements: equal bytes, and zeros in the unused bits of the last one. */
static int same_elements(const sample *s, const unsigned char *got, size_t n) {
    size_t bits = n * (size_t)ref_formats[s->dst].bits, whole = bits / 8;
    if (memcmp(got, s->to, whole) != 0) return 0;
    return bits % 8 == 0 || got[whole] == (s->to[whole] & ((1u << bits % 8) - 1u));
}

/* ---- what is being done, for messages and for a crash ---------------------------------------- */

/* Offsets are bytes after the lower forbidden page; ELSEWHERE: ends at the upper one. */
static struct {
    const char *what, *place;
    mpx_dtype dst, src;
    size_t n;
    int from, to;
} now = { "start", "", MPX_NONE, MPX_NONE, 0, 0, 0 };

static const char *now_text(void) {
    static char text[200], from[20] = "end", to[20] = "end";
    strcpy(from, "end"), strcpy(to, "end");
    if (now.from != ELSEWHERE) sprintf(from, "+%d", now.from);
    if (now.to != ELSEWHERE) sprintf(to, "+%d", now.to);
    sprintf(text, "%s->%s %s n=%lu from %s to %s%s", name_of(now.src), name_of(now.dst), now.what,
            (unsigned long)now.n, from, to, now.place);
    return text;
}

/* The first element that differs, after the words about where. */
static void fail_elements(const sample *s, const unsigned char *got, const unsigned char *from) {
    size_t i, n = now.n;
    for (i = 0; i < n && ref_load(s->dst, got, i) == ref_load(s->dst, s->to, i);)
        i++;
    test_checks++;
    if (i == n) {
        test_fail(__FILE__, __LINE__, "%s: unused bits of the last byte", now_text());
        return;
    }
    test_fail(__FILE__, __LINE__, "%s: element %lu: src 0x%llx got 0x%llx want 0x%llx", now_text(),
              (unsigned long)i, (unsigned long long)ref_load(s->src, from, i),
              (unsigned long long)ref_load(s->dst, got, i),
              (unsigned long long)ref_load(s->dst, s->to, i));
}

#if HAVE_PAGES
static void on_fault(int number) {
    (void)number;
    printf("%s: read or wrote outside, or wrote into its source\n", now_text());
    fflush(stdout);
    _exit(1);
}
#endif

static void catch_faults(void) {
#if HAVE_PAGES
    if (HAVE_ASAN) return; /* it says more */
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
#else
    printf("SKIP forbidden pages: no mmap here; canary bytes only\n");
#endif
}

/* ---- memory between two forbidden pages ------------------------------------------------------ */

typedef struct area {
    unsigned char *bytes;
    size_t size;
} area;

static area area_make(size_t size) {
    area a;
    a.size = size;
    a.bytes = fenced_pages(&a.size);
    return a;
}

static void area_free(area a) {
#if HAVE_PAGES
    size_t page = page_size();
    munmap(a.bytes - page, a.size + 2 * page);
#else
    free(a.bytes);
#endif
}

/* Forbid writing into the area, or allow it again. */
static void area_lock(const area *a, int locked) {
#if HAVE_PAGES
    mprotect(a->bytes, a->size, locked ? PROT_READ : PROT_READ | PROT_WRITE);
#else
    (void)a, (void)locked;
#endif
}

static unsigned char *area_place(const area *a, size_t size, int offset) {
    return offset == ELSEWHERE ? a->bytes + a->size - size : a->bytes + offset;
}

static size_t at_most(size_t size, size_t limit) { return size < limit ? size : limit; }

/* The bytes beside [at, at + size), as far as MARGIN and the area go, still are the canary. */
static int canaries_live(const area *a, const unsigned char *at, size_t size) {
    static unsigned char canaries[MARGIN];
    size_t before = (size_t)(at - a->bytes), after = a->size - before - size;
    if (canaries[0] != CANARY) memset(canaries, CANARY, MARGIN);
    before = at_most(before, MARGIN), after = at_most(after, MARGIN);
    return memcmp(at - before, canaries, before) == 0 && memcmp(at + size, canaries, after) == 0;
}

/* Under ASan the bytes beside a buffer are forbidden too, wherever it ends. */
static void fence(const area *a, const unsigned char *at, size_t size) {
    size_t before = (size_t)(at - a->bytes);
    if (!HAVE_ASAN) return;
    ASAN_POISON_MEMORY_REGION(a->bytes, before);
    ASAN_POISON_MEMORY_REGION(at + size, at_most(a->size - before - size, MARGIN));
}
static void unfence(const area *a) { ASAN_UNPOISON_MEMORY_REGION(a->bytes, a->size); }

/* ---- every length at every offset ------------------------------------------------------------ */

/* One run; from holds the sample, `out` nothing but canaries before and after. */
static void check_at(const sample *s, const area *in, const unsigned char *from, const area *out,
                     size_t n, int from_offset, int to_offset) {
    size_t size = ref_bytes(s->dst, n);
    unsigned char *to = area_place(out, size, to_offset);
    mpx_status status;
    now.n = n, now.from = from_offset, now.to = to_offset;
    fence(in, from, ref_bytes(s->src, n)), fence(out, to, size);
    status = run(s->operation, to, s->dst, from, s->src, n);
    unfence(in), unfence(out);
    test_checks++;
    if (status != MPX_OK) test_fail(__FILE__, __LINE__, "%s: not MPX_OK", now_text());
    if (!same_elements(s, to, n)) fail_elements(s, to, from);
    CHECK(canaries_live(out, to, size), "%s: wrote outside", now_text());
    memset(to, CANARY, size);
}

/* Every source offset, with every length (step = 1) or every step-th; so that every pair of offsets
   is met. */
static void check_offsets(const sample *s, const area *in, const area *out, size_t step) {
    int offset;
    size_t n;
    for (offset = 0; offset < OFFSETS; offset++) {
        unsigned char *from = area_place(in, 0, offset);
        memcpy(from, s->from, ref_bytes(s->src, LONGEST));
        area_lock(in, 1);
        for (n = (size_t)offset % step; n <= LONGEST; n += step)
            check_at(s, in, from, out, n, offset, (int)(5 * (size_t)offset + 7 * (n / step)) & 63);
        area_lock(in, 0);
    }
}

/* Up to the upper page: one, the other, both. Every length, or one in 5. */
static size_t end_step(size_t step) { return step == 1 ? 1 : 5; }

static void check_ends(const sample *s, const area *in, const area *out, size_t step) {
    size_t n, size;
    unsigned char *from;
    for (n = (size_t)(s->dst + s->src) % end_step(step); n <= LONGEST; n += end_step(step)) {
        size = ref_bytes(s->src, n);
        from = area_place(in, size, ELSEWHERE);
        memcpy(from, s->from, size);
        check_at(s, in, from, out, n, ELSEWHERE, ELSEWHERE);
        check_at(s, in, from, out, n, ELSEWHERE, (int)(n * 11 % OFFSETS));
        from = area_place(in, size, (int)(n * 13 % OFFSETS));
        memcpy(from, s->from, size);
        check_at(s, in, from, out, n, (int)(n * 13 % OFFSETS), ELSEWHERE);
    }
}

/* dst == src. The bytes of src after the result stay as they were. */
static void check_in_place(const sample *s, const area *out, size_t n, int offset) {
    size_t in_size = ref_bytes(s->src, n), out_size = ref_bytes(s->dst, n);
    unsigned char *at = area_place(out, in_size, offset);
    mpx_status status;
    now.n = n, now.from = now.to = offset, now.place = " in place";
    memcpy(at, s->from, in_size);
    fence(out, at, in_size);
    status = run(s->operation, at, s->dst, at, s->src, n);
    unfence(out);
    test_checks++;
    if (status != MPX_OK) test_fail(__FILE__, __LINE__, "%s: not MPX_OK", now_text());
    if (!same_elements(s, at, n)) fail_elements(s, at, s->from);
    CHECK(memcmp(at + out_size, s->from + out_size, in_size - out_size) == 0 &&
              canaries_live(out, at, in_size),
          "%s: wrote outside", now_text());
    memset(at, CANARY, in_size);
    now.place = "";
}

static void check_all_in_place(const sample *s, const area *out, size_t step) {
    int offset;
    size_t n;
    for (n = (size_t)s->dst % end_step(step); n <= LONGEST; n += end_step(step))
        check_in_place(s, out, n, ELSEWHERE);
    for (offset = 0; offset < OFFSETS; offset++)
        for (n = (size_t)offset % step; n <= LONGEST; n += step)
            check_in_place(s, out, n, offset);
}

static void test_pair(int operation, mpx_dtype dst, mpx_dtype src, size_t step) {
    static sample s;
    static area in, out;
    if (quarter >= 0 && (operation + dst + 2 * src + src / 2) % 4 != quarter) return;
    if (in.bytes == NULL) in = area_make(8192), out = area_make(8192);
    memset(out.bytes, CANARY, out.size);
    sample_fill(&s, operation, dst, src);
    now.what = operation_names[operation], now.dst = dst, now.src = src;
    check_offsets(&s, &in, &out, step);
    check_ends(&s, &in, &out, step);
    if (ref_formats[dst].bits <= ref_formats[src].bits) check_all_in_place(&s, &out, 4 * step);
}

/* The pairs that have, or may get, loops of their own: with f32, and among the common formats. */
static int is_common(mpx_dtype type) { return type >= MPX_F64 && type <= MPX_F8E5M2; }
static int has_own_loop(mpx_dtype dst, mpx_dtype src) {
    if (!ref_is_float(dst) || !ref_is_float(src)) return 0;
    return dst == MPX_F32 || src == MPX_F32 || (is_common(dst) && is_common(src));
}

/* Their casts at every length and offset; all others, and the other operations, which share loops,
   at every offset with one length in 16 each; --quick: all with one in 48. */
static void test_layout(void) {
    unsigned long before = test_checks;
    size_t step = quick ? 48 : 16;
    int operation;
    mpx_dtype dst, src;
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++)
            test_pair(CAST, dst, src, !quick && has_own_loop(dst, src) ? 1 : step);
    for (operation = SATURATE; operation < OPERATIONS; operation++)
        for (src = REF_FIRST; src <= REF_LAST_FLOAT; src++)
            for (dst = REF_FIRST; dst <= REF_LAST_FLOAT; dst++)
                test_pair(operation, dst, src, step);
    printf("n 0..%d x %d x %d offsets, forbidden pages, in place: %lu checks\n", LONGEST, OFFSETS,
           OFFSETS, test_checks - before);
}

/* ---- a single Inf or NaN at every position --------------------------------------------------- */

/* Finite elements of every kind but one, which ends at the upper page (odd n) or lies anywhere. */
static void check_one_bad(mpx_dtype type, unsigned char *at, size_t n, size_t position,
                          uint64_t bad) {
    static unsigned char result[LONGEST * 4];
    uint64_t good = ref_load(type, at, position);
    int flag = 2, finite;
    ref_store(type, at, position, bad);
    finite = mpx_all_finite(at, type, n);
    (void)mpx_unscale(result, MPX_F32, at, type, n, ref_float(factor), &flag);
    ref_store(type, at, position, good);
    CHECK(finite == 0, "mpx_all_finite %s n=%lu: 0x%llx at %lu: got %d", name_of(type),
          (unsigned long)n, (unsigned long long)bad, (unsigned long)position, finite);
    CHECK(flag == 0, "mpx_unscale %s->f32 n=%lu: 0x%llx at %lu: *finite %d", name_of(type),
          (unsigned long)n, (unsigned long long)bad, (unsigned long)position, flag);
}

static void check_none_bad(mpx_dtype type, const unsigned char *at, size_t n) {
    static unsigned char result[LONGEST * 8];
    int flag = 2, finite = mpx_all_finite(at, type, n);
    (void)mpx_unscale(result, type, at, type, n, ref_float(factor), &flag);
    CHECK(finite == 1 && flag == 1, "%s n=%lu: all are finite; mpx_all_finite %d, *finite %d",
          name_of(type), (unsigned long)n, finite, flag);
}

static void fill_finite(mpx_dtype type, unsigned char *at, size_t n) {
    const ref_format *f = &ref_formats[type];
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t code = scattered_code(type, i);
        ref_store(type, at, i, ref_is_finite(type, code) ? code : ref_max_code(f) - i % 2);
    }
}

static void test_finite_of(mpx_dtype type, const area *a) {
    const ref_format *f = &ref_formats[type];
    uint64_t sign = ref_sign_bit(f), end = ref_max_code(f) + 1, bad[4];
    size_t n, position;
    bad[0] = end, bad[1] = end | sign, bad[2] = end | 1, bad[3] = end | 1 | sign;
    if (f->rule == REF_FN) bad[0] = bad[2] = end, bad[1] = bad[3] = end | sign;
    for (n = 0; n <= LONGEST; n += quick && n > 40 ? 19 : 1) {
        size_t size = ref_bytes(type, n);
        unsigned char *at = area_place(a, size, n % 2 ? ELSEWHERE : (int)(n / 2 % OFFSETS));
        now.what = "finite", now.dst = now.src = type, now.n = n;
        fill_finite(type, at, n);
        fence(a, at, size);
        check_none_bad(type, at, n);
        for (position = 0; position < n; position++)
            check_one_bad(type, at, n, position, bad[(n + position) % 4]);
        unfence(a);
    }
}

static void test_finite(void) {
    static const mpx_dtype types[] = { MPX_F32, MPX_F16, MPX_BF16, MPX_F64, MPX_F8E4M3FN };
    unsigned long before = test_checks;
    area a = area_make(8192);
    size_t i;
    for (i = 0; i < sizeof types / sizeof types[0]; i++)
        test_finite_of(types[i], &a);
    area_free(a);
    printf("one Inf or NaN at every position of n 1..%d: %lu checks\n", LONGEST,
           test_checks - before);
}

/* ---- large buffers --------------------------------------------------------------------------- */

/* The source repeats after PERIOD elements, which no power of two divides: so does the result. */
enum { PERIOD = 4099 };

static size_t bytes_of(mpx_dtype type) { return (size_t)ref_formats[type].bits / 8; }

/* size bytes, the first `period` of which are given, repeat. */
static void repeat(unsigned char *at, size_t period, size_t size) {
    size_t done = at_most(period, size), next;
    for (; done < size; done += next) {
        next = at_most(done, size - done);
        memcpy(at + done, at, next);
    }
}

static int repeats(const unsigned char *at, size_t period, size_t size) {
    return size <= period || memcmp(at + period, at, size - period) == 0;
}

/* One pair: PERIOD elements of both sides, and where they go. */
typedef struct large {
    mpx_dtype dst, src;
    unsigned char from[PERIOD * 8], to[PERIOD * 8];
    area in, out;
} large;

static void large_fill(large *l, mpx_dtype dst, mpx_dtype src) {
    size_t i;
    l->dst = dst, l->src = src;
    now.what = "cast", now.dst = dst, now.src = src;
    for (i = 0; i < PERIOD; i++) {
        uint64_t code = sample_code(dst, src, i);
        ref_store(src, l->from, i, code);
        ref_store(dst, l->to, i, ref_cast(dst, src, code));
    }
}

/* The first n elements at `at` with canaries on both sides. */
static void large_paint(const large *l, const area *a, unsigned char *at, size_t n) {
    size_t period = PERIOD * bytes_of(l->src), size = n * bytes_of(l->src);
    size_t before = (size_t)(at - a->bytes), after = a->size - before - size;
    memset(at - at_most(before, MARGIN), CANARY, at_most(before, MARGIN));
    memset(at + size, CANARY, at_most(after, MARGIN));
    memcpy(at, l->from, at_most(period, size));
    repeat(at, period, size);
}

static void large_check(const large *l, const unsigned char *to, size_t n) {
    size_t period = PERIOD * bytes_of(l->dst), size = n * bytes_of(l->dst);
    CHECK(memcmp(to, l->to, at_most(period, size)) == 0 && repeats(to, period, size), "%s: wrong",
          now_text());
}

static void large_cast(const large *l, size_t n, int from_offset, int to_offset) {
    size_t size = n * bytes_of(l->dst);
    unsigned char *from = area_place(&l->in, n * bytes_of(l->src), from_offset);
    unsigned char *to = area_place(&l->out, size, to_offset);
    now.n = n, now.from = from_offset, now.to = to_offset;
    large_paint(l, &l->in, from, n);
    memset(l->out.bytes, CANARY, OFFSETS);
    memset(to - at_most((size_t)(to - l->out.bytes), MARGIN), CANARY, MARGIN);
    memset(to + size, CANARY, to_offset == ELSEWHERE ? 0 : MARGIN);
    area_lock(&l->in, 1);
    CHECK(mpx_cast(to, l->dst, from, l->src, n) == MPX_OK, "%s: not MPX_OK", now_text());
    area_lock(&l->in, 0);
    large_check(l, to, n);
    CHECK(canaries_live(&l->out, to, size), "%s: wrote outside", now_text());
}

/* The source after the result stays as it was: PERIOD and the widths being what they are, the same
   phase comes back after the bytes of all elements. */
static void large_cast_in_place(const large *l, size_t n, int offset) {
    size_t out_size = n * bytes_of(l->dst), in_size = n * bytes_of(l->src);
    unsigned char *at = area_place(&l->out, in_size, offset);
    unsigned char *from = area_place(&l->in, in_size, offset);
    now.n = n, now.from = now.to = offset, now.place = " in place";
    large_paint(l, &l->in, from, n);
    large_paint(l, &l->out, at, n);
    CHECK(mpx_cast(at, l->dst, at, l->src, n) == MPX_OK, "%s: not MPX_OK", now_text());
    large_check(l, at, n);
    CHECK(memcmp(at + out_size, from + out_size, in_size - out_size) == 0 &&
              canaries_live(&l->out, at, in_size),
          "%s: wrote outside", now_text());
    now.place = "";
}

/* Results of 1, 5 and 40 MiB: in the caches, beside them, past the size from which a kernel may
   store around them. */
static void test_large_pair(large *l, mpx_dtype dst, mpx_dtype src) {
    const size_t mib = ((size_t)1 << 20) / bytes_of(dst);
    large_fill(l, dst, src);
    large_cast(l, mib, 0, 0);
    large_cast(l, mib + 13, 1, 3);
    large_cast(l, mib + 7, ELSEWHERE, ELSEWHERE);
    large_cast(l, 5 * mib + 13, 3, 1);
    large_cast(l, 5 * mib - 1, ELSEWHERE, 18);
    large_cast(l, 40 * mib + 31, 5, 7);
    if (bytes_of(dst) > bytes_of(src)) return;
    large_cast_in_place(l, 5 * mib + 13, 3);
    if (bytes_of(dst) > 1) large_cast_in_place(l, 40 * mib + 31, ELSEWHERE);
}

static void test_large(void) {
    static large l;
    unsigned long before = test_checks;
    l.in = area_make((size_t)161 << 20);
    l.out = area_make((size_t)81 << 20);
    test_large_pair(&l, MPX_F16, MPX_F32);
    test_large_pair(&l, MPX_BF16, MPX_F32);
    test_large_pair(&l, MPX_F32, MPX_F16);
    test_large_pair(&l, MPX_F32, MPX_BF16);
    test_large_pair(&l, MPX_BF16, MPX_F16);
    test_large_pair(&l, MPX_F8E4M3FN, MPX_F32);
    test_large_pair(&l, MPX_F32, MPX_F8E5M2);
    test_large_pair(&l, MPX_F32, MPX_F64);
    test_large_pair(&l, MPX_F64, MPX_F32);
    test_large_pair(&l, MPX_F32, MPX_F32);
    area_free(l.in), area_free(l.out);
    printf("results of 1, 5 and 40 MiB: %lu checks\n", test_checks - before);
}

int main(int argc, char **argv) {
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (quick && argc > 2) quarter = atoi(argv[2]);
    catch_faults();
    test_layout();
    test_finite();
    if (!quick && (argc < 2 || strcmp(argv[1], "--small") != 0)) test_large();
    return test_done("test_align");
}
