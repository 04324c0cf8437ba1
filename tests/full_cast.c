/* make test-full: every one of the 2^32 float32 inputs, to every float type, bool, i8 and u8,
   through mpx_cast and the inline helpers, and to every float type through mpx_cast_with toward
   zero, against tests/ref.h.

   The oracle's search is too slow to be asked 2^32 times a type. But within one sign and kind
   (numbers up to Inf, signalling NaN, quiet NaN) equal codes stand side by side, so a table of runs
   - the first input of each code, found with the oracle by bisection - holds all answers. To f64
   and f32 every input has its own code: there a run is a binade, in which codes go up by a constant
   step; the oracle gives both its ends.

   The saturating modes of mpx_cast_with differ from these in overflow alone, and so do all modes to
   f32 and f64: there every chunk in which a run starts is taken, and of the rest one in 8; but all
   for f16 and the OCP formats f8e4m3fn and f8e5m2 to nearest, saturating.

   full_cast [TYPE...]    all types, or those named ("f16"); FULL_JOBS processes, 2 unless set;
                            progress on stderr
   full_cast --quick      f16, bf16 and f8e4m3fn through mpx_cast alone
   full_cast --every      no chunk is left out in any mode */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#include "test.h"
#include "ref.h"
#if defined(__unix__) || defined(__APPLE__)
#define HAVE_FORK 1
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#else
#define HAVE_FORK 0
#endif

/* From start on the code is code + (u - start) * step, until the next run starts. */
typedef struct run {
    uint64_t code, step;
    uint32_t start;
} run;

enum { MAX_RUNS = 1 << 18, CHUNK = 1 << 16 };
static run runs[MAX_RUNS + 1];
static size_t run_count;

static void add_run(uint32_t start, uint64_t code, uint64_t step) {
    if (run_count == MAX_RUNS) printf("full_cast: too many runs\n"), exit(1);
    runs[run_count].start = start;
    runs[run_count].code = code;
    runs[run_count].step = step;
    run_count++;
}

/* ---- tables from the oracle ------------------------------------------------------------------ */

/* The modes of mpx_cast_with; mpx_cast is the first. */
enum { MODES = 4 };
static const ref_mode modes[MODES] = { { MPX_ROUND_NEAREST, 0, 0 },
                                       { MPX_ROUND_NEAREST, 1, 0 },
                                       { MPX_ROUND_TOWARD_ZERO, 0, 0 },
                                       { MPX_ROUND_TOWARD_ZERO, 1, 0 } };
static const char *const mode_names[MODES] = { "nearest", "nearest, saturating", "toward zero",
                                               "toward zero, saturating" };
static int mode; /* of the table of runs */

static uint64_t oracle(mpx_dtype dst, uint32_t bits) {
    if (mode == 0) return ref_cast(dst, MPX_F32, bits);
    return ref_cast_with(dst, MPX_F32, bits, &modes[mode]);
}

/* The last input in [start, last] that has the code of start: a distance that doubles, then
   bisection. */
static uint32_t end_of_run(mpx_dtype dst, uint32_t start, uint32_t last) {
    uint64_t code = oracle(dst, start);
    uint32_t same = start, reach = 1, other;
    while (reach <= last - same && oracle(dst, same + reach) == code)
        same += reach, reach *= 2;
    other = reach <= last - same ? same + reach
                                 : last + 1; /* last + 1 may be 2^32 = 0: only differences matter */
    while (other - same > 1) {
        uint32_t middle = same + (other - same) / 2;
        if (oracle(dst, middle) == code)
            same = middle;
        else
            other = middle;
    }
    return same;
}

/* Runs of one code each over [first, last]. */
static void add_steps(mpx_dtype dst, uint32_t first, uint32_t last) {
    for (;;) {
        add_run(first, oracle(dst, first), 0);
        first = end_of_run(dst, first, last);
        if (first == last) return;
        first++;
    }
}

/* One run over [first, last], the codes of which go up evenly. */
static void add_slope(mpx_dtype dst, uint32_t first, uint32_t last) {
    uint64_t low = oracle(dst, first), rise = oracle(dst, last) - low, count = last - first;
    CHECK(count == 0 || rise % count == 0, "f32->%s: no even step from 0x%08lx to 0x%08lx",
          ref_formats[dst].name, (unsigned long)first, (unsigned long)last);
    add_run(first, low, count == 0 ? 0 : rise / count);
}

/* Zero, the binades of the subnormals, those of the normals, Inf, signalling and quiet NaN. */
static void add_binades(mpx_dtype dst, uint32_t sign) {
    uint32_t bit, exponent;
    add_slope(dst, sign, sign);
    for (bit = 0; bit < 23; bit++)
        add_slope(dst, sign | 1u << bit, sign | ((2u << bit) - 1));
    for (exponent = 1; exponent < 255; exponent++)
        add_slope(dst, sign | exponent << 23, sign | exponent << 23 | 0x7fffffu);
    add_slope(dst, sign | 0x7f800000u, sign | 0x7f800000u);
    add_slope(dst, sign | 0x7f800001u, sign | 0x7fbfffffu);
    add_slope(dst, sign | 0x7fc00000u, sign | 0x7fffffffu);
}

static void build_runs(mpx_dtype dst) {
    uint32_t sign;
    int i;
    run_count = 0;
    for (i = 0; i < 2; i++) {
        sign = (uint32_t)i << 31;
        if (ref_formats[dst].bits >= 32) {
            add_binades(dst, sign);
            continue;
        }
        add_steps(dst, sign, sign | 0x7f800000u);
        add_steps(dst, sign | 0x7f800001u, sign | 0x7fbfffffu);
        add_steps(dst, sign | 0x7fc00000u, sign | 0x7fffffffu);
    }
}

/* The index of the run that holds u. */
static size_t find_run(uint32_t u) {
    size_t low = 0, high = run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (runs[middle].start <= u)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- one chunk ------------------------------------------------------------------------------- */

static uint32_t src[CHUNK];
static uint64_t codes[CHUNK];
static unsigned char got[CHUNK * 8], want[CHUNK * 8];

static void fill_codes(uint32_t first) {
    size_t at = find_run(first), i, r;
    uint64_t code = runs[at].code + (first - runs[at].start) * runs[at].step;
    for (i = 0; i < CHUNK; i++) {
        r = at + 1;
        if (r < run_count && runs[r].start == first + (uint32_t)i) at = r, code = runs[at].code;
        src[i] = first + (uint32_t)i;
        codes[i] = code;
        code += runs[at].step;
    }
}

/* The loops stand apart by width so that each is a plain copy. */
static void fill_want(mpx_dtype dst) {
    size_t i;
    if (ref_formats[dst].bits == 8)
        for (i = 0; i < CHUNK; i++)
            want[i] = (unsigned char)codes[i];
    else
        for (i = 0; i < CHUNK; i++)
            ref_store(dst, want, i, codes[i]);
}

static void check_cast(mpx_dtype dst) {
    size_t i;
    CHECK(mpx_cast(got, dst, src, MPX_F32, CHUNK) == MPX_OK, "f32->%s: not MPX_OK",
          ref_formats[dst].name);
    if (memcmp(got, want, ref_bytes(dst, CHUNK)) == 0) return;
    for (i = 0; i < CHUNK; i++)
        CHECK(ref_load(dst, got, i) == codes[i], "f32->%s: src 0x%08lx got 0x%llx want 0x%llx",
              ref_formats[dst].name, (unsigned long)src[i],
              (unsigned long long)ref_load(dst, got, i), (unsigned long long)codes[i]);
}

/* Every helper in a loop of its own, as a caller would write it; the float form too. */
static void run_helper(mpx_dtype dst, uint16_t *by_bits, uint16_t *by_value) {
    size_t i;
    if (dst == MPX_F16) {
        for (i = 0; i < CHUNK; i++)
            by_bits[i] = mpx_f16_from_bits(src[i]);
        for (i = 0; i < CHUNK; i++)
            by_value[i] = mpx_f16_from_f32(ref_float(src[i]));
    } else if (dst == MPX_BF16) {
        for (i = 0; i < CHUNK; i++)
            by_bits[i] = mpx_bf16_from_bits(src[i]);
        for (i = 0; i < CHUNK; i++)
            by_value[i] = mpx_bf16_from_f32(ref_float(src[i]));
    } else if (dst == MPX_F8E4M3FN) {
        for (i = 0; i < CHUNK; i++)
            by_bits[i] = mpx_f8e4m3fn_from_bits(src[i]);
        for (i = 0; i < CHUNK; i++)
            by_value[i] = mpx_f8e4m3fn_from_f32(ref_float(src[i]));
    } else {
        for (i = 0; i < CHUNK; i++)
            by_bits[i] = mpx_f8e5m2_from_bits(src[i]);
        for (i = 0; i < CHUNK; i++)
            by_value[i] = mpx_f8e5m2_from_f32(ref_float(src[i]));
    }
}

static int has_helper(mpx_dtype dst) {
    return dst == MPX_F16 || dst == MPX_BF16 || dst == MPX_F8E4M3FN || dst == MPX_F8E5M2;
}

static void check_helper(mpx_dtype dst) {
    static uint16_t by_bits[CHUNK], by_value[CHUNK];
    unsigned wrong = 0;
    size_t i;
    run_helper(dst, by_bits, by_value);
    for (i = 0; i < CHUNK; i++)
        wrong |= (by_bits[i] ^ (unsigned)codes[i]) | (by_value[i] ^ (unsigned)codes[i]);
    for (i = 0; wrong != 0 && i < CHUNK; i++) {
        CHECK(by_bits[i] == codes[i], "%s_from_bits: src 0x%08lx got 0x%x want 0x%llx",
              ref_formats[dst].name, (unsigned long)src[i], by_bits[i],
              (unsigned long long)codes[i]);
        CHECK(by_value[i] == codes[i], "%s_from_f32: src 0x%08lx got 0x%x want 0x%llx",
              ref_formats[dst].name, (unsigned long)src[i], by_value[i],
              (unsigned long long)codes[i]);
    }
}

/* ---- one chunk through mpx_cast_with --------------------------------------------------------- */

/* Results of at most 16 bits, run by run: below a byte they lie one per byte. */
static void fill_want_by_runs(mpx_dtype dst, uint32_t first) {
    size_t at = find_run(first), i = 0, end;
    uint16_t code;
    for (; i < CHUNK; i = end, at++) {
        end = CHUNK;
        if (at + 1 < run_count && runs[at + 1].start - first < CHUNK)
            end = runs[at + 1].start - first;
        code = (uint16_t)runs[at].code;
        if (ref_formats[dst].bits <= 8)
            memset(want + i, code, end - i);
        else
            for (; i < end; i++)
                memcpy(want + 2 * i, &code, 2);
    }
}

static void check_cast_with(mpx_dtype dst, uint32_t first) {
    mpx_cast_options opt;
    size_t i, size = (size_t)(ref_formats[dst].bits + 7) / 8;
    memset(&opt, 0, sizeof opt);
    opt.rounding = modes[mode].rounding;
    opt.saturate = modes[mode].saturate;
    opt.dst_layout = MPX_LAYOUT_BYTES;
    if (size <= 2) {
        for (i = 0; i < CHUNK; i++)
            src[i] = first + (uint32_t)i;
        fill_want_by_runs(dst, first);
    } else {
        fill_codes(first);
        fill_want(dst);
    }
    CHECK(mpx_cast_with(got, dst, src, MPX_F32, CHUNK, &opt) == MPX_OK, "f32->%s: not MPX_OK",
          ref_formats[dst].name);
    if (memcmp(got, want, size * CHUNK) == 0) return;
    for (i = 0; i < CHUNK; i++)
        CHECK(memcmp(got + i * size, want + i * size, size) == 0,
              "f32->%s %s: src 0x%08lx is wrong, want 0x%llx", ref_formats[dst].name,
              mode_names[mode], (unsigned long)src[i],
              (unsigned long long)oracle(dst, src[i]));
}

/* Thinned: chunks in which a run starts, and one in 8 of the others. */
static int every_chunk;

static int is_thinned(mpx_dtype dst) {
    int saturates_often = dst == MPX_F16 || dst == MPX_F8E4M3FN || dst == MPX_F8E5M2;
    if (every_chunk) return 0;
    if (mode == 2) return 0; /* toward zero: every input of every target */
    return mode != 1 || ref_formats[dst].bits >= 32 || !saturates_often;
}

static int is_left_out(mpx_dtype dst, uint32_t chunk) {
    uint32_t first = chunk << 16;
    size_t at = find_run(first);
    if (!is_thinned(dst) || chunk % 8 == 0 || runs[at].start == first) return 0;
    return at + 1 >= run_count || runs[at + 1].start - first >= CHUNK;
}

/* ---- all chunks, over several processes ------------------------------------------------------ */

/* What is asked of every chunk: mpx_cast and the helpers, or mpx_cast_with. */
static int with_options, quick;

static void sweep(mpx_dtype dst, unsigned worker, unsigned jobs) {
    uint32_t chunk, chunks = (uint32_t)((uint64_t)1 << 32 >> 16);
    memset(want, 0, sizeof want);
    for (chunk = worker; chunk < chunks; chunk += jobs) {
        if (worker == 0 && chunk % (chunks / 8) < jobs)
            fprintf(stderr, "f32->%s %s %u/8    \r", ref_formats[dst].name, mode_names[mode],
                    (unsigned)(chunk / (chunks / 8)));
        if (with_options) {
            if (!is_left_out(dst, chunk)) check_cast_with(dst, chunk << 16);
            continue;
        }
        fill_codes(chunk << 16);
        fill_want(dst);
        check_cast(dst);
        if (has_helper(dst) && !quick) check_helper(dst);
    }
}

#if HAVE_FORK
static pid_t start_worker(mpx_dtype dst, unsigned worker, unsigned jobs) {
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child < 0) printf("full_cast: fork failed\n"), exit(1);
    if (child > 0) return child;
    sweep(dst, worker, jobs);
    if (test_failures > 0)
        printf("f32->%s: %lu failures in worker %u\n", ref_formats[dst].name, test_failures,
               worker);
    fflush(stdout);
    _exit(test_failures != 0);
}

static void sweep_all(mpx_dtype dst, unsigned jobs) {
    pid_t children[64];
    unsigned i;
    int status;
    for (i = 0; i < jobs; i++)
        children[i] = start_worker(dst, i, jobs);
    for (i = 0; i < jobs; i++) {
        waitpid(children[i], &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "f32->%s: worker %u failed",
              ref_formats[dst].name, i);
    }
}
#else
static void sweep_all(mpx_dtype dst, unsigned jobs) {
    (void)jobs;
    sweep(dst, 0, 1);
}
#endif

static void test_target(mpx_dtype dst, unsigned jobs) {
    unsigned long before = test_failures;
    mode = 0, with_options = 0;
    build_runs(dst);
    sweep_all(dst, jobs);
    printf("f32->%s: 2^32 inputs, %lu runs%s: %s\n", ref_formats[dst].name,
           (unsigned long)run_count, has_helper(dst) && !quick ? ", inline helpers too" : "",
           test_failures == before ? "ok" : "FAILED");
    fflush(stdout);
}

static void test_modes(mpx_dtype dst, unsigned jobs) {
    unsigned long before;
    uint32_t chunk;
    unsigned long taken;
    with_options = 1;
    for (mode = 0; mode < MODES; mode++) {
        before = test_failures;
        build_runs(dst);
        for (taken = 0, chunk = 0; chunk < 65536; chunk++)
            taken += !is_left_out(dst, chunk);
        sweep_all(dst, jobs);
        printf("f32->%s %s: %lu * 2^16 inputs, %lu runs: %s\n", ref_formats[dst].name,
               mode_names[mode], taken, (unsigned long)run_count,
               test_failures == before ? "ok" : "FAILED");
        fflush(stdout);
    }
}

static int is_wanted(mpx_dtype dst, int argc, char **argv) {
    int i, named = 0;
    if (quick) return dst == MPX_F16 || dst == MPX_BF16 || dst == MPX_F8E4M3FN;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], ref_formats[dst].name) == 0) return 1;
        named |= strcmp(argv[i], "--every") != 0;
    }
    return !named && (ref_is_float(dst) || dst == MPX_BOOL || dst == MPX_I8 || dst == MPX_U8);
}

int main(int argc, char **argv) {
    const char *text = getenv("FULL_JOBS");
    int jobs = text != NULL ? atoi(text) : 2, i;
    mpx_dtype dst;
    if (jobs < 1 || jobs > 64) jobs = 2;
    for (i = 1; i < argc; i++)
        every_chunk |= strcmp(argv[i], "--every") == 0, quick |= strcmp(argv[i], "--quick") == 0;
    for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
        if (!is_wanted(dst, argc, argv)) continue;
        test_target(dst, (unsigned)jobs);
        if (ref_is_float(dst) && !quick) test_modes(dst, (unsigned)jobs);
    }
    return test_done("full_cast");
}
