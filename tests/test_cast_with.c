/* mpx_cast_with and what belongs to it, against tests/ref.h and models that stand here: rounding
   modes, saturation, stochastic rounding, layouts below a byte, statistics, strided casts,
   mpx_round_to, mpx_f8_rebias, mpx_tree_dry_run and its report.

   test_cast_with [--quick]   without what test_hashes sees too; fewer codes for statistics */
#include "pages.h"
#include "test.h"
#include "ref.h"
#include "model.h"
#include "fpmode.h"
#include <float.h>
#include <math.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* Print a code with as many digits as its type has. */
#define HEX(type, code) (ref_formats[type].bits + 3) / 4, (unsigned long long)(code)

static const char *name_of(mpx_dtype type) { return ref_formats[type].name; }

static mpx_cast_options options_of(int rounding, int saturate) {
    mpx_cast_options opt;
    memset(&opt, 0, sizeof opt);
    opt.rounding = rounding;
    opt.saturate = saturate;
    return opt;
}

/* A code that differs from its neighbours, of every magnitude and sign. */
static uint64_t scattered_code(mpx_dtype type, size_t i) {
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    return (x ^ x >> 29) & ref_low_mask(ref_formats[type].bits);
}

enum { BATCH = 4096 };
static unsigned char src_bytes[BATCH * 8], dst_bytes[BATCH * 8];

/* ---- every pair, every mode ------------------------------------------------------------------ */

enum { ROW_SMALL_FLOAT, ROW_HALF, ROW_F32, ROW_F64, ROW_SMALL_INT, ROW_INT, ROW_COUNT, MODES = 4 };
static const char *const row_names[ROW_COUNT] = {
    "f8 f6 f4: all codes", "f16 bf16: all codes",     "f32: classes",
    "f64: classes",        "bool i2..u16: all codes", "i32 u32 i64 u64: classes",
};
static const char *const mode_names[MODES] = { "nearest", "nearest, saturating", "toward zero",
                                               "toward zero, saturating" };

typedef struct score {
    unsigned long pairs, checked[MODES], failed[MODES];
} score;
static score scores[ROW_COUNT];

static score *score_of(mpx_dtype src) {
    int bits = ref_formats[src].bits, row;
    if (ref_is_float(src))
        row = bits < 16 ? ROW_SMALL_FLOAT : bits == 16 ? ROW_HALF : bits == 32 ? ROW_F32 : ROW_F64;
    else
        row = bits <= 16 ? ROW_SMALL_INT : ROW_INT;
    return &scores[row];
}

static void print_scores(void) {
    int row, m;
    printf("%-25s %5s", "checked (failed)", "pairs");
    for (m = 0; m < MODES; m++)
        printf("  %23s", mode_names[m]);
    printf("\n");
    for (row = 0; row < ROW_COUNT; row++) {
        printf("%-25s %5lu", row_names[row], scores[row].pairs);
        for (m = 0; m < MODES; m++)
            printf("  %14lu (%6lu)", scores[row].checked[m], scores[row].failed[m]);
        printf("\n");
    }
}

/* Source codes on their way through the four modes. */
typedef struct batch {
    mpx_dtype dst, src;
    size_t count;
    uint64_t codes[BATCH];
} batch;

static ref_mode mode_of(int m) {
    ref_mode mode;
    mode.rounding = m / 2 == 0 ? MPX_ROUND_NEAREST : MPX_ROUND_TOWARD_ZERO;
    mode.saturate = m % 2;
    mode.random = 0;
    return mode;
}

/* What each code becomes in each mode; the search is done once for all. */
static uint64_t wanted[MODES][BATCH];

static void want_codes(const batch *b) {
    const ref_format *f = &ref_formats[b->dst];
    size_t i;
    int m;
    for (i = 0; i < b->count; i++) {
        ref_real x = ref_decode(b->src, b->codes[i]);
        int is_float = ref_is_float(b->dst);
        uint64_t low = is_float && x.kind == REF_FINITE ? ref_floor(f, &x) : 0;
        for (m = 0; m < MODES; m++) {
            ref_mode mode = mode_of(m);
            wanted[m][i] = b->dst == b->src ? b->codes[i]
                           : is_float       ? ref_encode_at(f, &x, low, &mode)
                                            : ref_encode(b->dst, &x);
        }
    }
}

static void check_mode(const batch *b, int m) {
    ref_mode mode = mode_of(m);
    mpx_cast_options opt = options_of(mode.rounding, mode.saturate);
    score *total = score_of(b->src);
    size_t i;
    CHECK(mpx_cast_with(dst_bytes, b->dst, src_bytes, b->src, b->count, &opt) == MPX_OK,
          "%s->%s: not MPX_OK", name_of(b->src), name_of(b->dst));
    for (i = 0; i < b->count; i++) {
        uint64_t got = ref_load(b->dst, dst_bytes, i), want = wanted[m][i];
        total->checked[m]++;
        test_checks++;
        if (got == want) continue;
        total->failed[m]++;
        test_fail(__FILE__, __LINE__, "%s->%s %s: src 0x%0*llx got 0x%0*llx want 0x%0*llx",
                  name_of(b->src), name_of(b->dst), mode_names[m], HEX(b->src, b->codes[i]),
                  HEX(b->dst, got), HEX(b->dst, want));
    }
}

static void flush_batch(batch *b) {
    size_t i;
    int m;
    for (i = 0; i < b->count; i++)
        ref_store(b->src, src_bytes, i, b->codes[i]);
    want_codes(b);
    for (m = 0; m < MODES; m++)
        check_mode(b, m);
    b->count = 0;
}

static void take_into_batch(void *user, uint64_t code) {
    batch *b = (batch *)user;
    b->codes[b->count++] = code;
    if (b->count == BATCH) flush_batch(b);
}

static void test_all_pairs(void) {
    static batch b;
    for (b.src = REF_FIRST; b.src <= REF_LAST; b.src++)
        for (b.dst = REF_FIRST; b.dst <= REF_LAST; b.dst++) {
            score_of(b.src)->pairs++;
            ref_sweep(b.dst, b.src, ref_is_float(b.dst) ? 7 : 5, take_into_batch, &b);
            flush_batch(&b);
        }
    print_scores();
}

/* One code in one mode, against a constant that stands here; the oracle against it too. */
static void check_one(mpx_dtype dst, mpx_dtype src, uint64_t code, int m, uint64_t want) {
    unsigned char in[8] = { 0 }, out[8] = { 0 };
    ref_mode mode = mode_of(m);
    mpx_cast_options opt = options_of(mode.rounding, mode.saturate);
    uint64_t got;
    ref_store(src, in, 0, code);
    CHECK(mpx_cast_with(out, dst, in, src, 1, &opt) == MPX_OK, "%s->%s: not MPX_OK", name_of(src),
          name_of(dst));
    got = ref_load(dst, out, 0);
    CHECK(got == want, "%s->%s %s: src 0x%0*llx got 0x%0*llx want 0x%0*llx", name_of(src),
          name_of(dst), mode_names[m], HEX(src, code), HEX(dst, got), HEX(dst, want));
    got = ref_cast_with(dst, src, code, &mode);
    CHECK(got == want, "oracle %s->%s %s: src 0x%0*llx got 0x%0*llx want 0x%0*llx", name_of(src),
          name_of(dst), mode_names[m], HEX(src, code), HEX(dst, got), HEX(dst, want));
}

/* The same source in all four modes, in the order of mode_names. */
static void check_modes(mpx_dtype dst, mpx_dtype src, uint64_t code, uint64_t nearest,
                        uint64_t saturated, uint64_t zero, uint64_t zero_saturated) {
    check_one(dst, src, code, 0, nearest);
    check_one(dst, src, code, 1, saturated);
    check_one(dst, src, code, 2, zero);
    check_one(dst, src, code, 3, zero_saturated);
}

static void test_named_cases(void) {
    check_modes(MPX_F8E4M3FN, MPX_F32, 0x43e80000u, 0x7e, 0x7e, 0x7e, 0x7e); /* 464: tie */
    check_modes(MPX_F8E4M3FN, MPX_F32, 0x43e80001u, 0x7f, 0x7e, 0x7e, 0x7e);
    check_modes(MPX_F8E4M3FN, MPX_F32, 0xff800000u, 0xff, 0xfe, 0xff, 0xfe); /* -Inf */
    check_modes(MPX_F8E4M3FN, MPX_F32, 0xffc00000u, 0xff, 0xff, 0xff, 0xff); /* -NaN */
    check_modes(MPX_F8E5M2, MPX_F32, 0x47700000u, 0x7c, 0x7b, 0x7b, 0x7b);   /* 61440 */
    check_modes(MPX_F8E5M2, MPX_F32, 0x7f800000u, 0x7c, 0x7b, 0x7c, 0x7b);
    check_modes(MPX_F8E4M3FNUZ, MPX_F32, 0xc3780000u, 0x80, 0xff, 0xff, 0xff); /* -248 */
    check_modes(MPX_F8E5M2FNUZ, MPX_F32, 0x7f800000u, 0x80, 0x7f, 0x80, 0x7f);
    check_modes(MPX_F8E4M3FNUZ, MPX_F32, 0x80000001u, 0, 0, 0, 0);
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0x3fffffffu, 0x80, 0x80, 0x7f, 0x7f); /* below 2 */
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0x7f400000u, 0xff, 0xfe, 0xfe, 0xfe); /* 1.5 * 2^127 */
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0x7f800000u, 0xff, 0xfe, 0xff, 0xfe);
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0x00600000u, 1, 1, 0, 0); /* 1.5 * 2^-127 */
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0x005fffffu, 0, 0, 0, 0);
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0, 0xff, 0, 0xff, 0);
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0x80000000u, 0xff, 0, 0xff, 0);
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0xbf800000u, 0xff, 0, 0xff, 0);
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0xff800000u, 0xff, 0, 0xff, 0); /* -Inf */
    check_modes(MPX_F8E8M0FNU, MPX_F32, 0xffc00000u, 0xff, 0xff, 0xff, 0xff); /* -NaN */
    check_modes(MPX_F8E8M0FNU, MPX_F32, 1, 0, 0, 0, 0); /* 2^-149 */
    check_modes(MPX_F16, MPX_F32, 0x477fefffu, 0x7bff, 0x7bff, 0x7bff, 0x7bff);
    check_modes(MPX_F16, MPX_F32, 0xc77ff000u, 0xfc00, 0xfbff, 0xfbff, 0xfbff); /* -65520 */
    check_modes(MPX_F16, MPX_F32, 0x33000001u, 1, 1, 0, 0); /* just above 2^-25 */
    check_modes(MPX_F32, MPX_F64, ref_double_bits(1e300), 0x7f800000u, 0x7f7fffffu, 0x7f7fffffu,
                0x7f7fffffu);
    check_modes(MPX_BF16, MPX_F64, ref_double_bits(-1e300), 0xff80, 0xff7f, 0xff7f, 0xff7f);
    check_modes(MPX_F64, MPX_U64, ~(uint64_t)0, 0x43f0000000000000u, 0x43f0000000000000u,
                0x43efffffffffffffu, 0x43efffffffffffffu);
    check_modes(MPX_F4E2M1FN, MPX_F32, 0x40b00000u, 7, 7, 6, 6); /* 5.5 */
    check_modes(MPX_F32, MPX_F32, 0x7f800000u, 0x7f800000u, 0x7f800000u, 0x7f800000u, 0x7f800000u);
    check_modes(MPX_F32, MPX_F64, 0x7ff0000000000000u, 0x7f800000u, 0x7f7fffffu, 0x7f800000u,
                0x7f7fffffu);
    check_modes(MPX_I8, MPX_F32, 0xc03f0000u, 0xfe, 0xfe, 0xfe, 0xfe); /* -2.98 */
}

/* ---- stochastic: the generator --------------------------------------------------------------- */

static const uint64_t seeds[] = { 0, 1, 42, 0x123456789abcdef0u, ~(uint64_t)0 };
enum { SEEDS = sizeof seeds / sizeof seeds[0], WORDS = 1 << 16, MANY = 1 << 20 };

static mpx_cast_options stochastic(uint64_t seed, uint64_t offset) {
    mpx_cast_options opt = options_of(MPX_ROUND_STOCHASTIC, 0);
    opt.random_seed = seed;
    opt.offset = offset;
    return opt;
}

/* The 16 bits of elements offset .. offset + count as a caller can find them out: 1 + d * 2^-23
   becomes the bf16 above 1 if d + random reaches 2^16; by bisection over d. */
static void find_words(uint16_t *words, size_t count, uint64_t seed, uint64_t offset) {
    static uint32_t in[WORDS];
    static uint16_t out[WORDS];
    mpx_cast_options opt = stochastic(seed, offset);
    size_t i;
    int bit;
    memset(words, 0, count * sizeof *words);
    for (bit = 15; bit >= 0; bit--) { /* is random at least words + 2^bit? */
        for (i = 0; i < count; i++)
            in[i] = 0x3f800000u + 65536u - (words[i] + (1u << bit));
        (void)mpx_cast_with(out, MPX_BF16, in, MPX_F32, count, &opt);
        for (i = 0; i < count; i++)
            if (out[i] == 0x3f81) words[i] = (uint16_t)(words[i] + (1u << bit));
    }
}

static void check_words(uint64_t seed, uint64_t offset, size_t count) {
    static uint16_t words[WORDS];
    size_t i;
    find_words(words, count, seed, offset);
    for (i = 0; i < count; i++)
        CHECK(words[i] == model_random(seed, offset + i),
              "seed %llx, index %llx: the library's word is %04x, the model's %04x",
              (unsigned long long)seed, (unsigned long long)(offset + i), words[i],
              (unsigned)model_random(seed, offset + i));
}

/* FNV-1a of the first 4096 words of a seed: recorded when the generator was written down; a change
   changes what users get from the same seed. */
static void check_hash(uint64_t seed, uint64_t want) {
    static uint16_t words[4096];
    uint64_t hash = 0xcbf29ce484222325u;
    size_t i;
    find_words(words, 4096, seed, 0);
    for (i = 0; i < 4096; i++) {
        hash = (hash ^ (words[i] & 0xffu)) * 0x100000001b3u;
        hash = (hash ^ (words[i] >> 8)) * 0x100000001b3u;
    }
    CHECK(hash == want, "seed %llx: the first 4096 words have hash %016llx, recorded %016llx",
          (unsigned long long)seed, (unsigned long long)hash, (unsigned long long)want);
}

static void test_words(void) {
    static const uint64_t offsets[] = { 0, 1, 77, 0xfffffff0u, 0x1fffffce0u, 0x1fffffff0u, ~(uint64_t)0 - 300 };
    size_t s, o;
    for (s = 0; s < SEEDS; s++) {
        check_words(seeds[s], 0, WORDS);
        for (o = 0; o < sizeof offsets / sizeof offsets[0]; o++)
            check_words(seeds[s], offsets[o], 1000); /* the last one wraps */
    }
    check_hash(0, 0x2e2eb5de141d64a3u);
    check_hash(1, 0x6afd98b50f1f91cfu);
    check_hash(0x123456789abcdef0u, 0xec2b89fa8092bc8au);
}

/* Chi-square of count words over bins of `bits` bits taken at `shift`, in standard deviations. */
static double chi_square(uint64_t seed, uint64_t stride, int shift, int bits) {
    static uint32_t bins[1 << 16];
    size_t i, size = (size_t)1 << bits;
    double expected = (double)MANY / (double)size, sum = 0, d;
    memset(bins, 0, sizeof bins);
    for (i = 0; i < MANY; i++)
        bins[(model_random(seed, i * stride) >> shift) & (size - 1)]++;
    for (i = 0; i < size; i++)
        d = (double)bins[i] - expected, sum += d * d / expected;
    return (sum - (double)(size - 1)) / sqrt(2.0 * (double)(size - 1));
}

static double correlation(uint64_t seed, uint64_t other, uint64_t lag) {
    double xy = 0, x, y;
    size_t i;
    for (i = 0; i < MANY; i++) {
        x = (double)model_random(seed, i) - 32767.5;
        y = (double)model_random(other, i + lag) - 32767.5;
        xy += x * y;
    }
    return xy / (double)MANY / (65536.0 * 65536.0 / 12.0) * sqrt((double)MANY); /* in deviations */
}

/* The model equals the library (test_words), so it is what statistics are taken of. 5 sigma. */
static void test_randomness(void) {
    static const uint64_t lags[] = { 1, 2, 3, 16, 32, 256 };
    size_t s, i;
    for (s = 0; s < SEEDS; s++) {
        uint64_t seed = seeds[s];
        double worst = 0, r;
        for (i = 0; i < sizeof lags / sizeof lags[0]; i++) {
            r = fabs(correlation(seed, seed, lags[i]));
            worst = r > worst ? r : worst;
            CHECK(r < 5, "seed %llx: correlation at lag %llu is %.1f sigma",
                  (unsigned long long)seed, (unsigned long long)lags[i], r);
        }
        for (i = 0; i < SEEDS; i++) {
            r = i == s ? 0 : fabs(correlation(seed, seeds[i], 0));
            CHECK(r < 5, "seeds %llx and %llx: correlation is %.1f sigma", (unsigned long long)seed,
                  (unsigned long long)seeds[i], r);
        }
        CHECK(fabs(chi_square(seed, 1, 0, 16)) < 5, "seed %llx: words not uniform: %.1f sigma",
              (unsigned long long)seed, chi_square(seed, 1, 0, 16));
        CHECK(fabs(chi_square(seed, 2, 8, 8)) < 5 && fabs(chi_square(seed, 32, 0, 8)) < 5,
              "seed %llx: bytes not uniform: %.1f, %.1f sigma", (unsigned long long)seed,
              chi_square(seed, 2, 8, 8), chi_square(seed, 32, 0, 8));
    }
}

/* ---- stochastic: the casts ------------------------------------------------------------------- */

/* Sources and their wanted results under one stochastic call. */
typedef struct draw {
    batch b;
    uint64_t seed, offset;
    int saturate;
    unsigned long checked;
} draw;

static void check_draw(const draw *d, size_t i, uint64_t got, uint64_t seed, uint64_t index) {
    ref_mode mode;
    uint64_t want;
    mode.rounding = MPX_ROUND_STOCHASTIC;
    mode.saturate = d->saturate;
    mode.random = model_random(seed, index);
    want = ref_cast_with(d->b.dst, d->b.src, d->b.codes[i], &mode);
    test_checks++;
    if (got != want)
        test_fail(__FILE__, __LINE__,
                  "%s->%s stochastic%s, random %04x: src 0x%0*llx got 0x%0*llx want 0x%0*llx",
                  name_of(d->b.src), name_of(d->b.dst), d->saturate ? ", saturating" : "",
                  (unsigned)mode.random, HEX(d->b.src, d->b.codes[i]), HEX(d->b.dst, got),
                  HEX(d->b.dst, want));
}

/* Indices of seed 42 whose words are the extremes and the middle. */
static const uint32_t special_words[] = { 0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff };
enum { SPECIALS = sizeof special_words / sizeof special_words[0] };
static uint64_t special_indices[SPECIALS];

static void find_specials(void) {
    uint64_t i;
    size_t s;
    for (s = 0; s < SPECIALS; s++) {
        for (i = 0; model_random(42, i) != special_words[s];)
            i++;
        special_indices[s] = i;
    }
}

/* One source alone, at an index whose word is special. */
static void check_special(const draw *d, size_t i) {
    size_t s = (i / 3 + i / 1000) % SPECIALS;
    mpx_cast_options opt = stochastic(42, special_indices[s]);
    unsigned char out[8] = { 0 }, in[8] = { 0 };
    opt.saturate = d->saturate;
    ref_store(d->b.src, in, 0, d->b.codes[i]);
    (void)mpx_cast_with(out, d->b.dst, in, d->b.src, 1, &opt);
    check_draw(d, i, ref_load(d->b.dst, out, 0), 42, special_indices[s]);
}

static void flush_draw(draw *d) {
    mpx_cast_options opt = stochastic(d->seed, d->offset);
    size_t i;
    opt.saturate = d->saturate;
    for (i = 0; i < d->b.count; i++)
        ref_store(d->b.src, src_bytes, i, d->b.codes[i]);
    CHECK(mpx_cast_with(dst_bytes, d->b.dst, src_bytes, d->b.src, d->b.count, &opt) == MPX_OK,
          "%s->%s stochastic: not MPX_OK", name_of(d->b.src), name_of(d->b.dst));
    for (i = 0; i < d->b.count; i++)
        check_draw(d, i, ref_load(d->b.dst, dst_bytes, i), d->seed, d->offset + i);
    for (i = 0; i < d->b.count; i += 3)
        check_special(d, i);
    d->checked += d->b.count + d->b.count / 3;
    if (d->saturate) d->offset = d->offset * 5 + 0x100000001u; /* odd and even, with both */
    d->saturate = !d->saturate;
    d->b.count = 0;
}

static void take_into_draw(void *user, uint64_t code) {
    draw *d = (draw *)user;
    d->b.codes[d->b.count++] = code;
    if (d->b.count == BATCH) flush_draw(d);
}

/* Every float target from every source; the saturating and plain batches alternate. */
static void test_stochastic_pairs(void) {
    static draw d;
    unsigned long pairs = 0;
    d.seed = 0x5eed;
    for (d.b.src = REF_FIRST; d.b.src <= REF_LAST; d.b.src++)
        for (d.b.dst = REF_FIRST; d.b.dst <= REF_LAST_FLOAT; d.b.dst++) {
            pairs++;
            ref_sweep(d.b.dst, d.b.src, 5, take_into_draw, &d);
            flush_draw(&d);
        }
    printf("stochastic: %lu pairs, %lu draws equal to the model, or listed above\n", pairs,
           d.checked);
}

/* One that overflows, or does not quite, among ordinary numbers: rows ask for such ones. */
static void test_stochastic_among(void) {
    static const uint32_t edges[] = { 0x7f7effff, 0x7f7f0000, 0x7f7f0001, 0x7f7fffff, 0x7f800000,
                                      0x7f800001, 0x7fc00000, 0x477fefff, 0x477fffff, 0x43e7ffff };
    static const mpx_dtype types[] = { MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    static draw d;
    size_t t, e, at, i, k;
    d.b.src = MPX_F32;
    for (t = 0; t < sizeof types / sizeof types[0]; t++)
        for (e = 0; e < 2 * sizeof edges / sizeof edges[0]; e++)
            for (at = 0; at < 150; at += 7)
                for (k = 0; k < 4; k++) { /* odd and even offsets, saturating and not */
                    d.b.dst = types[t];
                    for (i = 0; i < 150; i++)
                        d.b.codes[i] = 0x3f812345u + 0x10101u * (uint32_t)i;
                    d.b.codes[at] = edges[e / 2] | (uint32_t)(e & 1) << 31;
                    d.b.count = 150;
                    flush_draw(&d);
                }
}

/* A subnormal f16 whose 16 lost bits are 0xfffe: of all random bits, 1 alone leaves it next to a carry. */
static void test_stochastic_carry(void) {
    static draw d;
    unsigned long i;
    d.b.dst = MPX_F16;
    d.b.src = MPX_F32;
    for (i = 0; i < 1ul << 19; i++)
        take_into_draw(&d, 0x3700fffeu);
    flush_draw(&d);
}
/* Of an f64 far below f32, 16 zeros and 53 ones are lost: the largest random word just does not carry. */
static void test_stochastic_below(void) {
    static draw d;
    int i;
    d.b.dst = MPX_F32;
    d.b.src = MPX_F64;
    for (i = 0; i < 36; i++)
        take_into_draw(&d, ((uint64_t)(1023 - 166 + 1) << 52) - 1);
    flush_draw(&d);
}

/* Codes of each float type, through the widest ones and back, never change: what is exact draws
   nothing. */
static void test_stochastic_exact(void) {
    mpx_cast_options opt = stochastic(7, 99);
    mpx_dtype type, via;
    size_t i;
    for (type = MPX_F16; type <= REF_LAST_FLOAT; type++)
        for (via = MPX_F64; via <= MPX_F32; via++) {
            static unsigned char codes[BATCH * 2], wide[BATCH * 8], back[BATCH * 2];
            size_t n = ref_formats[type].bits == 16 ? BATCH : (size_t)1 << ref_formats[type].bits;
            for (i = 0; i < n; i++)
                ref_store(type, codes, i, scattered_code(type, i));
            (void)mpx_cast(wide, via, codes, type, n);
            (void)mpx_cast_with(back, type, wide, via, n, &opt);
            for (i = 0; i < n; i++) {
                uint64_t code = ref_load(type, codes, i), got = ref_load(type, back, i);
                CHECK(got == code || ref_is_nan(type, code), "%s via %s: 0x%0*llx became 0x%0*llx",
                      name_of(type), name_of(via), HEX(type, code), HEX(type, got));
            }
        }
}

/* Any split, at any offset, gives the bits of the one call. */
static void test_stochastic_split(void) {
    static const mpx_dtype types[] = { MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F4E2M1FN,
                                       MPX_F6E3M2FN, MPX_F32, MPX_F64 };
    static unsigned char in[2000 * 8], whole[2000 * 8], part[2000 * 8];
    size_t t, i, n, step;
    for (t = 0; t < sizeof types / sizeof types[0]; t++) {
        mpx_dtype src = types[t] == MPX_F32 ? MPX_F64 : types[t] == MPX_F64 ? MPX_U64 : MPX_F32;
        mpx_cast_options opt = stochastic(3, 0xfffffffeu);
        for (i = 0; i < 2000; i++)
            ref_store(src, in, i, scattered_code(src, i));
        (void)mpx_cast_with(whole, types[t], in, src, 2000, &opt);
        for (step = 8; step <= 1000; step += step < 100 ? 8 : 296) {
            for (i = 0; i < 2000; i += n) {
                n = 2000 - i < step ? 2000 - i : step;
                opt.offset = (uint64_t)0xfffffffeu + i;
                (void)mpx_cast_with(part + ref_bytes(types[t], i), types[t],
                                    in + ref_bytes(src, i), src, n, &opt);
            }
            CHECK(memcmp(part, whole, ref_bytes(types[t], 2000)) == 0,
                  "%s->%s: pieces of %lu differ from one call", name_of(src), name_of(types[t]),
                  (unsigned long)step);
        }
        for (i = 0; ref_formats[types[t]].bits >= 8 && i < 2000; i++) { /* element by element */
            opt.offset = (uint64_t)0xfffffffeu + i;
            (void)mpx_cast_with(part, types[t], in + ref_bytes(src, i), src, 1, &opt);
            CHECK(memcmp(part, whole + ref_bytes(types[t], i), ref_bytes(types[t], 1)) == 0,
                  "%s->%s: element %lu alone differs", name_of(src), name_of(types[t]),
                  (unsigned long)i);
        }
    }
}

/* The share of MANY draws of one f32 that goes to code `up` instead of `down`, against `share`. */
static void check_mean(mpx_dtype dst, uint32_t bits, uint64_t down, uint64_t up, double share) {
    static uint32_t in[WORDS];
    static unsigned char out[WORDS * 2];
    double ups = 0, sigma = sqrt((double)MANY * share * (1 - share));
    size_t i, done;
    for (i = 0; i < WORDS; i++)
        in[i] = bits;
    for (done = 0; done < MANY; done += WORDS) {
        mpx_cast_options opt = stochastic(2024, done);
        (void)mpx_cast_with(out, dst, in, MPX_F32, WORDS, &opt);
        for (i = 0; i < WORDS; i++) {
            uint64_t code = ref_load(dst, out, i);
            CHECK(code == up || code == down, "f32->%s 0x%08lx drew 0x%0*llx", name_of(dst),
                  (unsigned long)bits, HEX(dst, code));
            ups += code == up;
        }
    }
    CHECK(fabs(ups - (double)MANY * share) <= 5 * sigma,
          "f32->%s 0x%08lx: %.0f of %d draws went up, %.0f +- %.0f expected", name_of(dst),
          (unsigned long)bits, ups, MANY, (double)MANY * share, sigma);
}

static void test_means(void) {
    check_mean(MPX_BF16, 0x3f800001u, 0x3f80, 0x3f81, 1 / 65536.0);
    check_mean(MPX_BF16, 0x3f801234u, 0x3f80, 0x3f81, 0x1234 / 65536.0);
    check_mean(MPX_BF16, 0x3f808000u, 0x3f80, 0x3f81, 0.5);
    check_mean(MPX_BF16, 0xbf80fedcu, 0xbf80, 0xbf81, 0xfedc / 65536.0);
    check_mean(MPX_BF16, 0x00004000u, 0x0000, 0x0001, 0.25); /* subnormal */
    check_mean(MPX_F16, 0x3f800400u, 0x3c00, 0x3c01, 0.125);
    check_mean(MPX_F16, 0x33400000u, 0x0000, 0x0001, 0.75);       /* 0.75 * 2^-24 */
    check_mean(MPX_F16, 0x477ff000u, 0x7bff, 0x7c00, 0.5);        /* 65520: or Inf */
    check_mean(MPX_F16, 0x30800000u, 0x0000, 0x0001, 1 / 64.0);   /* 2^-30 */
    check_mean(MPX_F16, 0x2f800000u, 0x0000, 0x0001, 1 / 256.0);  /* 2^-32 */
    check_mean(MPX_F16, 0x2f000000u, 0x0000, 0x0001, 1 / 512.0);  /* 2^-33 */
    check_mean(MPX_F16, 0x2c000000u, 0x0000, 0x0001, 1 / 32768.0); /* 2^-39 */
    check_mean(MPX_F8E4M3FN, 0x3f840000u, 0x38, 0x39, 0.25);
    check_mean(MPX_F8E4M3FN, 0x36000000u, 0x00, 0x01, 1 / 1024.0); /* 2^-19 */
    check_mean(MPX_F8E5M2, 0xbf980000u, 0xbc, 0xbd, 0.75);
    check_mean(MPX_F8E8M0FNU, 0x3fc00000u, 0x7f, 0x80, 0.5);
    check_mean(MPX_F8E8M0FNU, 0x00500000u, 0x00, 0x01, 0.25); /* 1.25 * 2^-127 */
    check_mean(MPX_F6E2M3FN, 0x3d000000u, 0, 1, 0.25);  /* 0.25 * 0.125 */
    check_mean(MPX_F4E2M1FN, 0x40b00000u, 6, 7, 0.75);  /* 5.5 */
    check_mean(MPX_F4E2M1FN, 0x3b000000u, 0, 1, 1 / 256.0); /* 2^-9 */
    check_mean(MPX_F4E2M1FN, 0x3a000000u, 0, 1, 1 / 1024.0); /* 2^-11 */
}

/* ---- layouts --------------------------------------------------------------------------------- */

static const mpx_dtype sub_bytes[] = { MPX_F6E2M3FN, MPX_F6E3M2FN, MPX_F4E2M1FN, MPX_I2,
                                       MPX_U2,       MPX_I4,       MPX_U4 };
enum { SUB_BYTES = sizeof sub_bytes / sizeof sub_bytes[0], LAYOUT_MAX = 640, CANARY = 0xa5 };

/* How one array lies: block 0 is n. */
typedef struct layout {
    mpx_dtype type;
    int kind;
    size_t block, n;
} layout;

static size_t layout_bytes(const layout *at) {
    if (ref_formats[at->type].bits >= 8 || at->kind == MPX_LAYOUT_PACKED)
        return ref_bytes(at->type, at->n);
    return at->kind == MPX_LAYOUT_BYTES ? at->n : at->n / 2;
}

/* Split: block k begins at byte k * block / 2; its first half is in the low halves of its bytes. */
static uint64_t layout_load(const layout *at, const unsigned char *data, size_t i) {
    size_t block = at->block != 0 ? at->block : at->n, half = block / 2, j = i % block;
    if (ref_formats[at->type].bits >= 8 || at->kind == MPX_LAYOUT_PACKED)
        return ref_load(at->type, data, i);
    if (at->kind == MPX_LAYOUT_BYTES) return data[i] & ref_low_mask(ref_formats[at->type].bits);
    data += i / block * half;
    return j < half ? data[j] & 15u : (unsigned)data[j - half] >> 4;
}

/* `junk` goes to the bits beside a byte's element, which do not count. */
static void layout_store(const layout *at, unsigned char *data, size_t i, uint64_t code,
                         unsigned junk) {
    size_t block = at->block != 0 ? at->block : at->n, half = block / 2, j = i % block;
    int bits = ref_formats[at->type].bits;
    if (bits >= 8 || at->kind == MPX_LAYOUT_PACKED) {
        ref_store(at->type, data, i, code);
    } else if (at->kind == MPX_LAYOUT_BYTES) {
        data[i] = (unsigned char)(code | (uint64_t)(junk << bits));
    } else {
        data += i / block * half;
        if (j < half)
            data[j] = (unsigned char)((data[j] & 0xf0u) | code);
        else
            data[j - half] = (unsigned char)((data[j - half] & 15u) | code << 4);
    }
}

static void check_layouts(const layout *to, const layout *from, const mpx_cast_options *mode) {
    static unsigned char in[LAYOUT_MAX * 8], out[LAYOUT_MAX * 8 + 16], before[LAYOUT_MAX * 8];
    mpx_cast_options opt = *mode;
    ref_mode ref = { 0, 0, 0 };
    size_t i, size = layout_bytes(to), wrong = 0;
    opt.dst_layout = to->kind, opt.src_layout = from->kind;
    opt.split_block = to->block != 0 ? to->block : from->block;
    memset(in, CANARY, sizeof in);
    memset(out, CANARY, sizeof out);
    for (i = 0; i < from->n; i++)
        layout_store(from, in, i, scattered_code(from->type, i), (unsigned)i * 37u);
    memcpy(before, in, sizeof in);
    CHECK(mpx_cast_with(out + 8, to->type, in, from->type, to->n, &opt) == MPX_OK,
          "%s layout %d -> %s layout %d, n=%lu, block %lu: refused", name_of(from->type),
          from->kind, name_of(to->type), to->kind, (unsigned long)to->n,
          (unsigned long)opt.split_block);
    ref.rounding = opt.rounding, ref.saturate = opt.saturate;
    for (i = 0; i < to->n; i++) {
        ref.random = model_random(opt.random_seed, opt.offset + i);
        wrong += layout_load(to, out + 8, i) !=
                 ref_cast_with(to->type, from->type, scattered_code(from->type, i), &ref);
    }
    for (i = 0; to->kind == MPX_LAYOUT_BYTES && i < size && ref_formats[to->type].bits < 8; i++)
        wrong += (unsigned)out[8 + i] >> ref_formats[to->type].bits != 0; /* high bits are zero */
    for (i = 0; i < 8; i++)
        wrong += out[i] != CANARY || out[8 + size + i] != CANARY;
    CHECK(wrong == 0 && memcmp(in, before, sizeof in) == 0,
          "%s layout %d -> %s layout %d, n=%lu, block %lu: %lu wrong", name_of(from->type),
          from->kind, name_of(to->type), to->kind, (unsigned long)to->n,
          (unsigned long)opt.split_block, (unsigned long)wrong);
}

/* One pair in all layouts both have, at lengths that end anywhere in a tile. */
static void test_layout_pair(mpx_dtype dst, mpx_dtype src, const mpx_cast_options *mode) {
    static const size_t lengths[] = { 0,  1,  2,  3,   5,   7,   8,   9,   15,  16,  17, 31,
                                      32, 33, 64, 100, 255, 256, 257, 511, 513, 600, 640 };
    static const size_t blocks[] = { 0, 2, 6, 16, 32, 40, 320 };
    size_t l, b;
    layout to, from;
    to.type = dst, from.type = src;
    for (l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (to.kind = MPX_LAYOUT_PACKED; to.kind <= MPX_LAYOUT_SPLIT; to.kind++)
            for (from.kind = MPX_LAYOUT_PACKED; from.kind <= MPX_LAYOUT_SPLIT; from.kind++)
                for (b = 0; b < sizeof blocks / sizeof blocks[0]; b++) {
                    size_t n = lengths[l], block = blocks[b] != 0 ? blocks[b] : n;
                    int to_split = to.kind == MPX_LAYOUT_SPLIT && ref_formats[dst].bits < 8;
                    int from_split = from.kind == MPX_LAYOUT_SPLIT && ref_formats[src].bits < 8;
                    if (b > 0 && !to_split && !from_split) continue; /* block says nothing */
                    if (to_split && ref_formats[dst].bits != 4) continue;
                    if (from_split && ref_formats[src].bits != 4) continue;
                    if ((to_split || from_split) && n != 0 && (n % block != 0 || block % 2 != 0))
                        continue;
                    to.n = n, from.n = n;
                    to.block = from.block = blocks[b];
                    check_layouts(&to, &from, mode);
                }
}

static void test_layouts(void) {
    static const mpx_dtype others[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F8E4M3FN,
                                        MPX_U8,  MPX_I32, MPX_I64,  MPX_BOOL };
    mpx_cast_options plain = options_of(MPX_ROUND_NEAREST, 0), random = stochastic(11, 5);
    size_t s, o;
    for (s = 0; s < SUB_BYTES; s++) {
        for (o = 0; o < SUB_BYTES; o++)
            test_layout_pair(sub_bytes[s], sub_bytes[o], &plain);
        for (o = 0; o < sizeof others / sizeof others[0]; o++) {
            test_layout_pair(sub_bytes[s], others[o], &plain);
            test_layout_pair(others[o], sub_bytes[s], &plain);
            test_layout_pair(sub_bytes[s], others[o], &random);
        }
    }
}

/* A GGUF Q4_0 block by hand: byte j holds elements j and j + 16. */
static void test_gguf_order(void) {
    static const unsigned char block[16] = { 0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87,
                                             0x78, 0x69, 0x5a, 0x4b, 0x3c, 0x2d, 0x1e, 0x0f };
    static const unsigned char want[32] = { 0,  1,  2,  3,  4,  5,  6,  7,  8, 9, 10,
                                            11, 12, 13, 14, 15, 15, 14, 13, 12, 11, 10,
                                            9,  8,  7,  6,  5,  4,  3,  2,  1,  0 };
    static const unsigned char packed[16] = { 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
                                              0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01 };
    unsigned char two[32], out[64], back[32];
    mpx_cast_options opt = options_of(0, 0);
    int b;
    memcpy(two, block, 16), memcpy(two + 16, block, 16);
    opt.src_layout = MPX_LAYOUT_SPLIT, opt.split_block = 32;
    CHECK(mpx_cast_with(out, MPX_U8, two, MPX_U4, 64, &opt) == MPX_OK, "GGUF blocks refused");
    for (b = 0; b < 2; b++)
        CHECK(memcmp(out + 32 * b, want, 32) == 0, "GGUF block %d: wrong order", b);
    CHECK(mpx_cast_with(back, MPX_U4, two, MPX_U4, 32, &opt) == MPX_OK &&
              memcmp(back, packed, 16) == 0,
          "a GGUF block to packed: wrong order");
    opt.src_layout = MPX_LAYOUT_PACKED, opt.dst_layout = MPX_LAYOUT_SPLIT;
    CHECK(mpx_cast_with(back, MPX_U4, out, MPX_U8, 64, &opt) == MPX_OK &&
              memcmp(back, two, 32) == 0,
          "two GGUF blocks back: wrong order");
}

static mpx_status try_layout(mpx_dtype dst, int dst_layout, mpx_dtype src, int src_layout, size_t n,
                             size_t block) {
    unsigned char in[64 * 8] = { 0 }, out[64 * 8];
    mpx_cast_options opt = options_of(0, 0);
    mpx_status status;
    size_t i;
    opt.dst_layout = dst_layout, opt.src_layout = src_layout, opt.split_block = block;
    memset(out, CANARY, sizeof out);
    status = mpx_cast_with(out, dst, in, src, n, &opt);
    for (i = 0; status != MPX_OK && i < sizeof out; i++)
        CHECK(out[i] == CANARY, "a refused cast wrote");
    return status;
}

static void test_cast_with_errors(void) {
    enum { P = MPX_LAYOUT_PACKED, B = MPX_LAYOUT_BYTES, S = MPX_LAYOUT_SPLIT };
    static const int bad[] = { -1, 3, 100 };
    unsigned char x[16] = { 0 };
    mpx_cast_options opt;
    size_t i;
    mpx_dtype type;
    for (i = 0; i < 3; i++) {
        CHECK(try_layout(MPX_F4E2M1FN, bad[i], MPX_F32, P, 8, 0) == MPX_ERR_ARGUMENT &&
                  try_layout(MPX_F32, P, MPX_F4E2M1FN, bad[i], 8, 0) == MPX_ERR_ARGUMENT &&
                  try_layout(MPX_F32, bad[i], MPX_F64, P, 8, 0) == MPX_ERR_ARGUMENT &&
                  try_layout(MPX_F32, P, MPX_F64, bad[i], 0, 0) == MPX_ERR_ARGUMENT,
              "layout %d taken", bad[i]);
        opt = options_of(bad[i], 0);
        CHECK(mpx_cast_with(x, MPX_F16, x, MPX_F32, 1, &opt) == MPX_ERR_ARGUMENT &&
                  mpx_cast_with(x, MPX_I8, x, MPX_F32, 0, &opt) == MPX_ERR_ARGUMENT &&
                  mpx_cast_with(x, MPX_F32, x, MPX_F32, 1, &opt) == MPX_ERR_ARGUMENT,
              "rounding %d taken", bad[i]);
    }
    opt = options_of(MPX_ROUND_NEAREST, 0), opt.int_rounding = (mpx_int_rounding)-1;
    CHECK(mpx_cast_with(x, MPX_I8, x, MPX_F32, 1, &opt) == MPX_ERR_ARGUMENT, "rounding of integers -1");
    for (i = 0; i < SUB_BYTES; i++) {
        int is_four = ref_formats[sub_bytes[i]].bits == 4;
        CHECK((try_layout(sub_bytes[i], S, MPX_F32, P, 32, 0) == MPX_OK) == is_four &&
                  (try_layout(MPX_F32, P, sub_bytes[i], S, 32, 0) == MPX_OK) == is_four,
              "%s split", name_of(sub_bytes[i]));
    }
    CHECK(try_layout(MPX_U4, S, MPX_U8, P, 7, 0) == MPX_ERR_ARGUMENT, "odd n as one block");
    CHECK(try_layout(MPX_U4, S, MPX_U8, P, 48, 32) == MPX_ERR_ARGUMENT, "a block and a half");
    CHECK(try_layout(MPX_U4, S, MPX_U8, P, 16, 32) == MPX_ERR_ARGUMENT, "half a block");
    CHECK(try_layout(MPX_U4, S, MPX_U8, P, 30, 15) == MPX_ERR_ARGUMENT, "an odd block");
    CHECK(try_layout(MPX_U8, P, MPX_U4, S, 7, 0) == MPX_ERR_ARGUMENT, "odd n as one block, from");
    CHECK(try_layout(MPX_U8, P, MPX_U4, S, 48, 32) == MPX_ERR_ARGUMENT, "1.5 blocks, from");
    CHECK(try_layout(MPX_U4, S, MPX_U8, P, 64, 32) == MPX_OK, "two blocks refused");
    CHECK(try_layout(MPX_U4, B, MPX_U8, P, 7, 15) == MPX_OK, "bytes need no block");
    CHECK(try_layout(MPX_F32, S, MPX_F64, S, 7, 15) == MPX_OK, "whole bytes have one layout only");
    CHECK(try_layout(MPX_U4, S, MPX_U8, P, 0, 15) == MPX_OK, "nothing to split");
    opt = options_of(0, 0);
    for (type = -1; type <= MPX_DTYPE_COUNT; type++)
        if (type <= MPX_NONE || type >= MPX_C64)
            CHECK(mpx_cast_with(x, type, x, MPX_F32, 1, &opt) == MPX_ERR_DTYPE &&
                      mpx_cast_with(x, MPX_F32, x, type, 1, &opt) == MPX_ERR_DTYPE &&
                      mpx_cast_with(x, type, x, MPX_F32, 1, NULL) == MPX_ERR_DTYPE,
                  "dtype %d taken", type);
    CHECK(mpx_cast_with(NULL, MPX_F16, NULL, MPX_F32, 0, &opt) == MPX_OK &&
              mpx_cast_with(NULL, MPX_F16, NULL, MPX_F32, 0, NULL) == MPX_OK,
          "n = 0 with NULL refused");
}

/* opt NULL and {0} are mpx_cast; complex is copied whatever the options. */
static void test_plain_and_complex(void) {
    static unsigned char in[300 * 16], plain[300 * 16], with[300 * 16];
    mpx_cast_options opt = options_of(0, 0), odd = options_of(MPX_ROUND_STOCHASTIC, 1);
    mpx_dtype dst, src;
    size_t i;
    for (i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 0x9d ^ i >> 3);
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            size_t size = ref_bytes(dst, 300);
            (void)mpx_cast(plain, dst, in, src, 300);
            memset(with, 0, sizeof with);
            CHECK(mpx_cast_with(with, dst, in, src, 300, NULL) == MPX_OK &&
                      memcmp(plain, with, size) == 0,
                  "%s->%s: options NULL differ from mpx_cast", name_of(src), name_of(dst));
            memset(with, 0, sizeof with);
            CHECK(mpx_cast_with(with, dst, in, src, 300, &opt) == MPX_OK &&
                      memcmp(plain, with, size) == 0,
                  "%s->%s: options {0} differ from mpx_cast", name_of(src), name_of(dst));
        }
    for (src = MPX_C64; src <= MPX_C128; src++) {
        memset(with, 0, sizeof with);
        CHECK(mpx_cast_with(with, src, in, src, 299, &odd) == MPX_OK &&
                  memcmp(in, with, ref_bytes(src, 299)) == 0 && with[ref_bytes(src, 299)] == 0,
              "%s: not copied", name_of(src));
    }
}

/* ---- mpx_round_to ---------------------------------------------------------------------------- */

/* At any address. */
static mpx_status round_bytes(void *dst, const void *src, size_t n, mpx_dtype type,
                              const mpx_cast_options *opt) {
    return opt != NULL ? mpx_round_to_with((float *)dst, (const float *)src, n, type, opt)
                       : mpx_round_to((float *)dst, (const float *)src, n, type);
}


/* What a code of `type` is as an f32; of narrow types from a table. */
static mpx_dtype backs_type;
static uint32_t backs[65536];
static uint32_t back_of(mpx_dtype type, uint64_t code) {
    uint64_t i;
    if (ref_formats[type].bits > 16) return (uint32_t)ref_cast(MPX_F32, type, code);
    if (backs_type != type)
        for (i = 0; i <= ref_low_mask(ref_formats[type].bits); i++)
            backs[i] = (uint32_t)ref_cast(MPX_F32, type, i);
    backs_type = type;
    return backs[code];
}

static void check_rounded(const batch *b, size_t i, uint64_t code, const char *mode) {
    uint32_t got = (uint32_t)ref_load(MPX_F32, dst_bytes, i), want = back_of(b->dst, code);
    test_checks++;
    if (got != want)
        test_fail(__FILE__, __LINE__, "round_to %s, %s: 0x%08x became 0x%08x, not 0x%08x",
                  name_of(b->dst), mode, (unsigned)b->codes[i], (unsigned)got, (unsigned)want);
}

/* In the five modes, apart and in place. */
static void flush_rounded(batch *b) {
    const uint64_t offset = 0xfffffffbu;
    mpx_cast_options opt;
    ref_mode mode;
    size_t i;
    int m;
    for (i = 0; i < b->count; i++)
        ref_store(MPX_F32, src_bytes, i, b->codes[i]);
    want_codes(b);
    for (m = 0; m < MODES; m++) {
        mode = mode_of(m);
        opt = options_of(mode.rounding, mode.saturate);
        CHECK(round_bytes(dst_bytes, src_bytes, b->count, b->dst, &opt) == MPX_OK,
              "round_to %s: not MPX_OK", name_of(b->dst));
        for (i = 0; i < b->count; i++)
            check_rounded(b, i, wanted[m][i], mode_names[m]);
    }
    memcpy(dst_bytes, src_bytes, b->count * 4);
    CHECK(round_bytes(dst_bytes, dst_bytes, b->count, b->dst, NULL) == MPX_OK,
          "round_to %s in place: not MPX_OK", name_of(b->dst));
    for (i = 0; i < b->count; i++)
        check_rounded(b, i, wanted[0][i], "in place");
    opt = stochastic(42, offset);
    CHECK(round_bytes(dst_bytes, src_bytes, b->count, b->dst, &opt) == MPX_OK,
          "round_to %s at random: not MPX_OK", name_of(b->dst));
    mode.rounding = MPX_ROUND_STOCHASTIC;
    mode.saturate = 0;
    for (i = 0; i < b->count; i += 3) {
        mode.random = model_random(42, offset + i);
        check_rounded(b, i, ref_cast_with(b->dst, MPX_F32, b->codes[i], &mode), "stochastic");
    }
    b->count = 0;
}

static unsigned long every_rounded_code = 1, rounded_codes;
static void take_to_round(void *user, uint64_t code) {
    batch *b = (batch *)user;
    if (rounded_codes++ % every_rounded_code != 0) return;
    b->codes[b->count++] = code;
    if (b->count == BATCH) flush_rounded(b);
}

/* Every class of f32 for every dtype. */
static void test_round_to_all(void) {
    static batch b;
    b.src = MPX_F32;
    for (b.dst = REF_FIRST; b.dst <= REF_LAST; b.dst++) {
        ref_sweep(b.dst, MPX_F32, 5, take_to_round, &b);
        flush_rounded(&b);
    }
}

/* A cast there and one back, of every dtype: all upper halves of an f32, with the lower halves that
   round differently. */
static void test_round_to_is_two_casts(void) {
    static const unsigned lower[] = { 0, 1, 0x7fff, 0x8000, 0x8001, 0xffff };
    static unsigned char in[65536 * 4], codes[65536 * 8], want[65536 * 4], got[65536 * 4];
    mpx_dtype type;
    uint32_t i;
    size_t k;
    for (k = 0; k < sizeof lower / sizeof lower[0]; k++) {
        for (i = 0; i < 65536; i++)
            ref_store(MPX_F32, in, i, i << 16 | lower[k]);
        for (type = REF_FIRST; type <= REF_LAST; type++) {
            CHECK(mpx_cast(codes, type, in, MPX_F32, 65536) == MPX_OK &&
                      mpx_cast(want, MPX_F32, codes, type, 65536) == MPX_OK &&
                      round_bytes(got, in, 65536, type, NULL) == MPX_OK,
                  "%s: not MPX_OK", name_of(type));
            for (i = 0; i < 65536 && memcmp(got + 4 * i, want + 4 * i, 4) == 0;)
                i++;
            CHECK(i == 65536, "round_to %s: 0x%08x became 0x%08x, but two casts make 0x%08x",
                  name_of(type), (unsigned)ref_load(MPX_F32, in, i % 65536),
                  (unsigned)ref_load(MPX_F32, got, i % 65536),
                  (unsigned)ref_load(MPX_F32, want, i % 65536));
        }
    }
}

/* Any n at any address, apart and in place; nothing beside the n floats is written. */
static void check_rounded_length(mpx_dtype type, size_t n, size_t at, const mpx_cast_options *opt) {
    enum { MOST = 300, LONG = 3 * 2048 + 5, ROOM = LONG * 4 + 64 };
    static unsigned char in[ROOM], out[ROOM], one[ROOM];
    mpx_cast_options single;
    size_t i, wrong = 0, step = n <= MOST ? 1 : 37;
    memset(&single, 0, sizeof single);
    if (opt != NULL) single = *opt;
    memset(out, CANARY, sizeof out);
    for (i = 0; i < n; i++) /* around one, so that all dtypes have something of them */
        ref_store(MPX_F32, in + at, i, 0x3f000000u + (scattered_code(MPX_F32, i) & 0x807fffffu) +
                                           (uint32_t)(i % 11 << 23));
    CHECK(round_bytes(out + 4 - at, in + at, n, type, opt) == MPX_OK, "%s: not MPX_OK",
          name_of(type));
    for (i = 0; i < sizeof out; i++)
        wrong += (i < 4 - at || i >= 4 - at + 4 * n) && out[i] != CANARY;
    CHECK(wrong == 0, "round_to %s n=%lu: wrote outside", name_of(type), (unsigned long)n);
    for (i = 0; i < n; i += step) {
        single.offset = (opt != NULL ? opt->offset : 0) + i;
        (void)round_bytes(one, in + at + 4 * i, 1, type, &single);
        wrong += memcmp(one, out + 4 - at + 4 * i, 4) != 0;
    }
    CHECK(wrong == 0, "round_to %s n=%lu: %lu elements differ from themselves alone", name_of(type),
          (unsigned long)n, (unsigned long)wrong);
    CHECK(round_bytes(in + at, in + at, n, type, opt) == MPX_OK &&
              memcmp(in + at, out + 4 - at, 4 * n) == 0,
          "round_to %s n=%lu in place differs", name_of(type), (unsigned long)n);
}

static void test_round_to_lengths(void) {
    mpx_cast_options opt = stochastic(9, 7);
    mpx_dtype type;
    size_t n;
    for (type = REF_FIRST; type <= REF_LAST; type++) {
        for (n = 0; n <= 300; n++) {
            check_rounded_length(type, n, n % 4, NULL);
            if (n % 5 == 0) check_rounded_length(type, n, n % 4, &opt);
        }
        check_rounded_length(type, 3 * 2048 + 5, 1, NULL);
        check_rounded_length(type, 3 * 2048 + 5, 1, &opt);
    }
}

/* Layouts and statistics are passed over; what a cast refuses is refused. */
static void test_round_to_options(void) {
    static const int bad[] = { -1, 3, 100 };
    float x[2], y[2];
    mpx_cast_options opt = options_of(0, 0);
    mpx_cast_stats stats;
    mpx_dtype type;
    size_t i;
    memset(&stats, 0, sizeof stats);
    x[0] = 1.5f, x[1] = 2.7f;
    opt.dst_layout = opt.src_layout = 77;
    opt.split_block = 1;
    opt.stats = &stats;
    CHECK(mpx_round_to_with(y, x, 2, MPX_F4E2M1FN, &opt) == MPX_OK && y[0] > 1.4f && y[0] < 1.6f &&
              y[1] > 2.9f && y[1] < 3.1f && stats.count == 0,
          "%g %g, %lu counted", (double)y[0], (double)y[1], (unsigned long)stats.count);
    memset(y, CANARY, sizeof y);
    for (i = 0; i < 3; i++) {
        opt = options_of(bad[i], 0);
        CHECK(mpx_round_to_with(y, x, 2, MPX_F16, &opt) == MPX_ERR_ARGUMENT &&
                  mpx_round_to_with(y, x, 2, MPX_F32, &opt) == MPX_ERR_ARGUMENT &&
                  mpx_round_to_with(y, x, 0, MPX_I8, &opt) == MPX_ERR_ARGUMENT,
              "rounding %d taken", bad[i]);
    }
    for (type = -1; type <= MPX_DTYPE_COUNT; type++) {
        mpx_status want = type > MPX_NONE && type < MPX_C64 ? MPX_OK : MPX_ERR_DTYPE;
        CHECK(mpx_round_to(NULL, NULL, 0, type) == want, "dtype %d, n = 0", type);
        if (want != MPX_OK)
            CHECK(mpx_round_to(y, x, 2, type) == want, "dtype %d taken", type);
    }
    for (i = 0; i < sizeof y; i++)
        CHECK(((unsigned char *)y)[i] == CANARY, "a refused mpx_round_to wrote");
}

/* ---- strides --------------------------------------------------------------------------------- */

typedef struct strided {
    mpx_dtype dst, src;
    size_t n, components, dst_gap, src_gap, dst_align, src_align;
} strided;

enum { STRIDED_ROOM = 1 << 16 };
static unsigned char strided_in[STRIDED_ROOM], strided_out[STRIDED_ROOM];
static unsigned char dense_in[STRIDED_ROOM], dense_out[STRIDED_ROOM];

/* Items that are not `want`, and bytes beside them that are no canary; then it is all canaries. */
static size_t strided_wrong(unsigned char *out, size_t stride, const unsigned char *want,
                            size_t size, size_t n) {
    size_t i, wrong = 0;
    for (i = 0; i < n; i++) {
        wrong += memcmp(out + i * stride, want + i * size, size) != 0;
        memset(out + i * stride, CANARY, size);
    }
    for (i = 0; i < sizeof strided_out; i++)
        wrong += strided_out[i] != CANARY;
    return wrong;
}

/* The same elements dense, by one call; then every item, every gap, without statistics and with;
   then in place. */
static void check_strided(const strided *s, const mpx_cast_options *opt) {
    size_t in_item = ref_bytes(s->src, s->components), out_item = ref_bytes(s->dst, s->components);
    size_t in_stride = in_item + s->src_gap, out_stride = out_item + s->dst_gap, i, wrong;
    mpx_cast_options piece = opt != NULL ? *opt : options_of(0, 0);
    mpx_cast_stats one, many;
    unsigned char *out = strided_out + 16 + s->dst_align, *in = strided_in + 16 + s->src_align;
    memset(strided_in, CANARY, sizeof strided_in);
    memset(strided_out, CANARY, sizeof strided_out);
    for (i = 0; i < s->n * s->components; i++)
        ref_store(s->src, dense_in, i, scattered_code(s->src, i));
    for (i = 0; i < s->n; i++)
        memcpy(in + i * in_stride, dense_in + i * in_item, in_item);
    memset(&one, 0, sizeof one), memset(&many, 0, sizeof many);
    piece.stats = &one;
    (void)mpx_cast_with(dense_out, s->dst, dense_in, s->src, s->n * s->components, &piece);
    piece.stats = &many;
    CHECK(mpx_cast_strided(out, s->dst, out_stride, in, s->src, in_stride, s->n, s->components,
                           opt) == MPX_OK, "%s->%s strided: refused", name_of(s->src),
          name_of(s->dst));
    wrong = strided_wrong(out, out_stride, dense_out, out_item, s->n);
    CHECK(mpx_cast_strided(out, s->dst, out_stride, in, s->src, in_stride, s->n, s->components,
                           &piece) == MPX_OK, "%s->%s strided, statistics: refused",
          name_of(s->src), name_of(s->dst));
    wrong += strided_wrong(out, out_stride, dense_out, out_item, s->n);
    CHECK(wrong == 0, "%s->%s, %lu x %lu, gaps %lu and %lu, at %lu and %lu: %lu wrong",
          name_of(s->src), name_of(s->dst), (unsigned long)s->n, (unsigned long)s->components,
          (unsigned long)s->dst_gap, (unsigned long)s->src_gap, (unsigned long)s->dst_align,
          (unsigned long)s->src_align, (unsigned long)wrong);
    CHECK(memcmp(&one, &many, sizeof one) == 0, "%s->%s strided: other statistics",
          name_of(s->src), name_of(s->dst));
    if (out_item > in_item) return;
    CHECK(mpx_cast_strided(in, s->dst, in_stride, in, s->src, in_stride, s->n, s->components,
                           opt) == MPX_OK, "%s->%s in place: refused", name_of(s->src),
          name_of(s->dst));
    for (i = 0; i < s->n; i++) {
        wrong += memcmp(in + i * in_stride, dense_out + i * out_item, out_item) != 0;
        memset(in + i * in_stride, CANARY, in_item);
    }
    for (i = 0; i < sizeof strided_in; i++)
        wrong += strided_in[i] != CANARY;
    CHECK(wrong == 0, "%s->%s in place: %lu items or bytes between wrong", name_of(s->src),
          name_of(s->dst), (unsigned long)wrong);
}

static void test_strided(void) {
    static const size_t components[] = { 1, 2, 3, 4, 5, 63, 64, 65, 100, 300 };
    static const mpx_dtype types[] = { MPX_F64,      MPX_F32, MPX_F16, MPX_BF16,
                                       MPX_F8E4M3FN, MPX_U8,  MPX_I64 };
    mpx_cast_options zero = options_of(MPX_ROUND_TOWARD_ZERO, 1), random = stochastic(5, 1000),
                     clamp = options_of(MPX_ROUND_NEAREST, 1),
                     cut = options_of(MPX_ROUND_TOWARD_ZERO, 0);
    strided s;
    size_t c, d, f, k;
    memset(&s, 0, sizeof s);
    for (d = 0; d < 7; d++)
        for (f = 0; f < 7; f++)
            for (c = 0; c < sizeof components / sizeof components[0]; c++)
                for (k = 0; k < 9; k++) {
                    s.dst = types[d], s.src = types[f], s.components = components[c];
                    s.n = components[c] < 10 ? 20 + 47 * (k % 3) + (k > 4 ? 500 : 0) : k % 5;
                    s.dst_gap = k * 5 % 7, s.src_gap = k * 3 % 5;
                    s.dst_align = k % 8, s.src_align = k * 3 % 8;
                    check_strided(&s, k == 3       ? &clamp
                                      : k == 4     ? &cut
                                      : k % 3 == 0 ? NULL
                                      : k % 3 == 1 ? &zero
                                                   : &random);
                }
}

/* Items gathered and scattered again, in buffers of exactly that size. */
static void check_moved(mpx_dtype type, size_t components, size_t gap, size_t n) {
    size_t item = mpx_dtype_bytes(type, components), stride = item + gap, i, wrong = 0;
    size_t size = (n - 1) * stride + item;
    unsigned char *in = (unsigned char *)malloc(size), *out = (unsigned char *)malloc(n * item),
                  *back = (unsigned char *)malloc(size);
    for (i = 0; i < size; i++)
        in[i] = (unsigned char)(i * 0x9d ^ i >> 3), back[i] = CANARY;
    (void)mpx_cast_strided(out, type, item, in, type, stride, n, components, NULL);
    (void)mpx_cast_strided(back, type, stride, out, type, item, n, components, NULL);
    for (i = 0; i < size; i++)
        wrong += back[i] != (i % stride < item ? in[i] : CANARY);
    CHECK(wrong == 0, "dtype %d, %lu x %lu, %lu bytes between: %lu wrong", type, (unsigned long)n,
          (unsigned long)components, (unsigned long)gap, (unsigned long)wrong);
    free(in), free(out), free(back);
}

static void test_moved(void) {
    static const mpx_dtype types[] = { MPX_U8, MPX_BF16, MPX_F32, MPX_F64, MPX_C64, MPX_C128 };
    static const size_t lengths[] = { 1, 2, 7, 8, 9, 16, 17, 33, 64, 65, 300, 1030 };
    size_t t, l, components, gap;
    for (t = 0; t < sizeof types / sizeof types[0]; t++)
        for (l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (components = 1; components < 6; components++)
                for (gap = 0; gap < 18; gap++)
                    check_moved(types[t], components, gap, lengths[l]);
}

#if HAVE_PAGES
enum { ISLANDS = 6 };

/* Pages that may be touched, one before each that may not. */
static unsigned char *islands(size_t page) {
    unsigned char *all = pages_of(2 * ISLANDS * page);
    size_t i;
    for (i = 0; i < ISLANDS; i++)
        mprotect(all + (2 * i + 1) * page, page, PROT_NONE);
    return all;
}

/* Items at the ends of pages or at their starts to others there: what is between is not touched. */
static void check_islands(mpx_dtype dst, mpx_dtype src, size_t components, int at_end) {
    size_t page = page_size(), stride = 2 * page, i, wrong = 0;
    size_t in_item = ref_bytes(src, components), out_item = ref_bytes(dst, components);
    unsigned char *from = islands(page), *to = islands(page);
    unsigned char *in = from + (at_end ? page - in_item : 0);
    unsigned char *out = to + (at_end ? page - out_item : 0);
    for (i = 0; i < ISLANDS * in_item; i++)
        dense_in[i] = (unsigned char)(i * 0x9d ^ i >> 3);
    for (i = 0; i < ISLANDS; i++)
        memcpy(in + i * stride, dense_in + i * in_item, in_item);
    (void)mpx_cast(dense_out, dst, dense_in, src, ISLANDS * components);
    (void)mpx_cast_strided(out, dst, stride, in, src, stride, ISLANDS, components, NULL);
    for (i = 0; i < ISLANDS; i++)
        wrong += memcmp(out + i * stride, dense_out + i * out_item, out_item) != 0;
    CHECK(wrong == 0, "%s->%s between pages, %lu components: %lu items wrong", name_of(src),
          name_of(dst), (unsigned long)components, (unsigned long)wrong);
    munmap(from, ISLANDS * stride), munmap(to, ISLANDS * stride);
}

static void test_islands(void) {
    static const mpx_dtype types[] = { MPX_U8, MPX_BF16, MPX_F32, MPX_F64 };
    static const size_t components[] = { 1, 2, 3, 4, 5, 33, 300 };
    size_t s, d, c;
    for (s = 0; s < 4; s++)
        for (d = 0; d < 4; d++)
            for (c = 0; c < sizeof components / sizeof components[0]; c++) {
                check_islands(types[d], types[s], components[c], 1);
                check_islands(types[d], types[s], components[c], 0);
            }
}
#else
static void test_islands(void) {
    printf("SKIP items between forbidden pages: no mmap here\n");
}
#endif

/* Statistics of constant items: a write to them ends the program. */
static void test_strided_constant(void) {
    static const float items[8] = { 1, -7, 2, -7, INFINITY, -7, 4, -7 };
    mpx_cast_stats stats;
    mpx_cast_options opt = options_of(0, 0);
    size_t stride;
    for (stride = 4; stride <= 8; stride += 4) {
        memset(&stats, 0, sizeof stats);
        opt.stats = &stats;
        CHECK(mpx_cast_strided((void *)(uintptr_t)items, MPX_F32, stride, items, MPX_F32, stride, 4, 1, &opt) ==
                  MPX_OK,
              "strided in place, stride %lu", (unsigned long)stride);
        CHECK(stats.count == 4 && stats.infinite == (stride == 8) && stats.max_abs == (stride == 8 ? 4.0 : 7.0),
              "strided statistics, stride %lu", (unsigned long)stride);
    }
}

static void test_strided_errors(void) {
    static unsigned char in[256], out[256];
    mpx_cast_options bad = options_of(9, 0), good = options_of(0, 0), layout_bad = good;
    size_t i;
    layout_bad.dst_layout = 7;
    memset(out, CANARY, sizeof out);
    CHECK(mpx_cast_strided(out, MPX_F16, 5, in, MPX_F32, 12, 2, 3, &good) == MPX_ERR_ARGUMENT &&
              mpx_cast_strided(out, MPX_F16, 6, in, MPX_F32, 11, 2, 3, NULL) == MPX_ERR_ARGUMENT,
          "a stride too small taken");
    CHECK(mpx_cast_strided(out, MPX_F16, 6, in, MPX_F32, 12, 2, 0, NULL) == MPX_ERR_ARGUMENT,
          "no components taken");
    CHECK(mpx_cast_strided(out, MPX_F16, 6, in, MPX_F32, 12, 2, 3, &bad) == MPX_ERR_ARGUMENT &&
              mpx_cast_strided(out, MPX_F16, 6, in, MPX_F32, 12, 2, 3, &layout_bad) ==
                  MPX_ERR_ARGUMENT,
          "bad options taken");
    for (i = 0; i < SUB_BYTES; i++)
        CHECK(mpx_cast_strided(out, sub_bytes[i], 6, in, MPX_F32, 12, 2, 3, NULL) ==
                      MPX_ERR_DTYPE &&
                  mpx_cast_strided(out, MPX_F32, 12, in, sub_bytes[i], 6, 2, 3, &good) ==
                      MPX_ERR_DTYPE,
              "strided %s taken", name_of(sub_bytes[i]));
    CHECK(mpx_cast_strided(out, MPX_NONE, 6, in, MPX_F32, 12, 2, 3, NULL) == MPX_ERR_DTYPE &&
              mpx_cast_strided(out, MPX_C64, 24, in, MPX_F32, 12, 2, 3, NULL) == MPX_ERR_DTYPE &&
              mpx_cast_strided(out, MPX_F32, 12, in, MPX_DTYPE_COUNT, 12, 2, 3, NULL) ==
                  MPX_ERR_DTYPE,
          "strided: a dtype taken");
    for (i = 0; i < sizeof out; i++)
        CHECK(out[i] == CANARY, "a refused strided cast wrote");
    CHECK(mpx_cast_strided(out, MPX_F16, 0, in, MPX_F32, 0, 1, 3, NULL) == MPX_OK && out[5] == 0 &&
              out[6] == CANARY,
          "strides of a single item do not count");
    CHECK(mpx_cast_strided(NULL, MPX_F16, 0, NULL, MPX_F32, 0, 0, 3, NULL) == MPX_OK,
          "no items refused");
}

/* ---- fp8 between OCP and fnuz ---------------------------------------------------------------- */

/* Twice the fnuz value is the OCP value, code by code; else the documented exception. */
static uint64_t rebias_want(mpx_dtype dst, mpx_dtype src, uint64_t code) {
    int to_fnuz = ref_formats[dst].rule == REF_FNUZ;
    const ref_format *f = &ref_formats[dst];
    ref_real x = ref_decode(src, code);
    ref_mode toward_zero = { MPX_ROUND_TOWARD_ZERO, 1, 0 };
    if (x.kind != REF_FINITE) return to_fnuz ? 0x80 : 0x7f;
    x.exp += to_fnuz ? -1 : 1;
    return ref_encode_at(f, &x, ref_floor(f, &x), &toward_zero);
}

static void test_rebias_pair(mpx_dtype dst, mpx_dtype src) {
    unsigned char in[256], out[257], got[2];
    size_t i;
    unsigned exact = 0;
    for (i = 0; i < 256; i++)
        in[i] = (unsigned char)i;
    out[256] = CANARY;
    CHECK(mpx_f8_rebias(out, dst, in, src, 256) == MPX_OK && out[256] == CANARY, "%s->%s: refused",
          name_of(src), name_of(dst));
    for (i = 0; i < 256; i++) {
        uint64_t want = rebias_want(dst, src, i);
        CHECK(out[i] == want || (ref_is_nan(dst, want) && ref_is_nan(dst, out[i])),
              "rebias %s->%s: 0x%02x gave 0x%02x, want 0x%02x", name_of(src), name_of(dst),
              (unsigned)i, out[i], (unsigned)want);
        exact += out[i] == i;
    }
    CHECK(exact >= 240, "rebias %s->%s: only %u codes stay", name_of(src), name_of(dst), exact);
    CHECK(mpx_f8_rebias(in, dst, in, src, 256) == MPX_OK && memcmp(in, out, 256) == 0,
          "rebias %s->%s in place", name_of(src), name_of(dst));
    got[0] = got[1] = CANARY;
    CHECK(mpx_f8_rebias(got, dst, out, src, 0) == MPX_OK && got[0] == CANARY, "n = 0 wrote");
    CHECK(mpx_f8_rebias(NULL, dst, NULL, src, 0) == MPX_OK, "n = 0 with NULL refused");
}

/* Every length and address, in a buffer of exactly that size. */
static void test_rebias_lengths(mpx_dtype dst, mpx_dtype src) {
    unsigned char all[256], want[256];
    size_t n, i, from;
    for (i = 0; i < 256; i++)
        all[i] = (unsigned char)(i * 0x9d);
    (void)mpx_f8_rebias(want, dst, all, src, 256);
    for (n = 1; n < 200; n++)
        for (from = 0; from < 5; from++) {
            unsigned char *in = (unsigned char *)malloc(from + n);
            unsigned char *out = (unsigned char *)malloc(n);
            memcpy(in + from, all + from, n);
            (void)mpx_f8_rebias(out, dst, in + from, src, n);
            CHECK(memcmp(out, want + from, n) == 0, "rebias %s->%s of %lu from %lu", name_of(src),
                  name_of(dst), (unsigned long)n, (unsigned long)from);
            free(in), free(out);
        }
}

static void test_rebias(void) {
    static const mpx_dtype pairs[4][2] = { { MPX_F8E4M3FN, MPX_F8E4M3FNUZ },
                                           { MPX_F8E4M3FNUZ, MPX_F8E4M3FN },
                                           { MPX_F8E5M2, MPX_F8E5M2FNUZ },
                                           { MPX_F8E5M2FNUZ, MPX_F8E5M2 } };
    static const unsigned char nan_in[] = { 0x7f, 0xff, 0x80, 0x00, 0x7e, 0xfe };
    static const unsigned char to_fnuz[] = { 0x80, 0x80, 0, 0, 0x7e, 0xfe };
    static const unsigned char from_fnuz[] = { 0x7e, 0xfe, 0x7f, 0, 0x7e, 0xfe };
    unsigned char out[6] = { 0 };
    mpx_dtype dst, src;
    int i, refused;
    for (i = 0; i < 4; i++)
        test_rebias_pair(pairs[i][0], pairs[i][1]), test_rebias_lengths(pairs[i][0], pairs[i][1]);
    (void)mpx_f8_rebias(out, MPX_F8E4M3FNUZ, nan_in, MPX_F8E4M3FN, 6);
    CHECK(memcmp(out, to_fnuz, 6) == 0, "rebias e4m3fn to fnuz by hand");
    (void)mpx_f8_rebias(out, MPX_F8E4M3FN, nan_in, MPX_F8E4M3FNUZ, 6);
    CHECK(memcmp(out, from_fnuz, 6) == 0, "rebias fnuz to e4m3fn by hand");
    for (src = -1; src <= MPX_DTYPE_COUNT; src++)
        for (dst = -1; dst <= MPX_DTYPE_COUNT; dst++) {
            for (refused = 1, i = 0; i < 4; i++)
                if (pairs[i][0] == dst && pairs[i][1] == src) refused = 0;
            if (refused)
                CHECK(mpx_f8_rebias(out, dst, nan_in, src, 1) == MPX_ERR_DTYPE &&
                          mpx_f8_rebias(NULL, dst, NULL, src, 0) == MPX_ERR_DTYPE,
                      "rebias %d->%d taken", src, dst);
        }
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* The value of a finite code; 64-bit integers cut to double, toward zero. */
static double value_of(mpx_dtype type, uint64_t code) {
    ref_real x = ref_decode(type, code);
    uint64_t lost = 1;
    double size;
    while (x.lo / lost >> 53 != 0)
        lost *= 2;
    size = ldexp((double)(x.lo - x.lo % lost), x.exp);
    return x.sign ? -size : size;
}

/* Beyond the range: would round to nearest past the largest value; truncates to what the integer
   cannot hold (a bool as if it truncated). */
static int is_beyond(mpx_dtype dst, const ref_real *x) {
    const ref_format *f = &ref_formats[dst];
    uint64_t size = ref_truncate(x), limit;
    if (f->rule == REF_E8M0 && (x->sign || ref_is_zero(x))) return 1;
    if (ref_is_float(dst)) return ref_nearest(f, x) > ref_max_code(f);
    limit = dst == MPX_BOOL ? 1 : ref_low_mask(f->rule == REF_INT ? f->bits - 1 : f->bits);
    if (x->sign) limit = f->rule == REF_INT ? limit + 1 : 0;
    return size > limit || (x->exp > 0 && ldexp((double)x->lo, x->exp) >= 0x1p64);
}

/* What one element adds. */
static void model_stats(mpx_cast_stats *stats, mpx_dtype dst, uint64_t result, mpx_dtype src,
                        uint64_t code) {
    ref_real x = ref_decode(src, code), y = ref_decode(dst, result);
    const ref_format *f = &ref_formats[dst];
    double from, to, error;
    stats->count++;
    stats->nan += x.kind == REF_NAN;
    stats->infinite += x.kind == REF_INF;
    if (x.kind != REF_FINITE) return;
    from = value_of(src, code);
    stats->max_abs = fmax(stats->max_abs, fabs(from));
    stats->overflowed += y.kind != REF_FINITE || is_beyond(dst, &x);
    if (y.kind != REF_FINITE) return;
    to = value_of(dst, result);
    stats->zeroed += !ref_is_zero(&x) && ref_is_zero(&y);
    stats->subnormal += ref_is_float(dst) && f->rule != REF_E8M0 && !ref_is_zero(&y) &&
                        fabs(to) < ldexp(1, 1 - f->bias);
    error = fabs(from - to);
    stats->max_error = fmax(stats->max_error, error);
    stats->sum_squares += from * from;
    stats->sum_error_squares += error * error;
}

static int is_close(double got, double want) {
    return got == want || fabs(got - want) <= 1e-12 * fabs(want);
}

static void check_stats(const mpx_cast_stats *got, const mpx_cast_stats *want, const char *what) {
    CHECK(got->count == want->count && got->nan == want->nan && got->infinite == want->infinite,
          "%s: count %lu nan %lu inf %lu, want %lu %lu %lu", what, (unsigned long)got->count,
          (unsigned long)got->nan, (unsigned long)got->infinite, (unsigned long)want->count,
          (unsigned long)want->nan, (unsigned long)want->infinite);
    CHECK(got->overflowed == want->overflowed && got->zeroed == want->zeroed &&
              got->subnormal == want->subnormal,
          "%s: overflowed %lu zeroed %lu subnormal %lu, want %lu %lu %lu", what,
          (unsigned long)got->overflowed, (unsigned long)got->zeroed,
          (unsigned long)got->subnormal, (unsigned long)want->overflowed,
          (unsigned long)want->zeroed, (unsigned long)want->subnormal);
    CHECK(got->max_abs == want->max_abs && got->max_error == want->max_error,
          "%s: max_abs %.17g max_error %.17g, want %.17g %.17g", what, got->max_abs,
          got->max_error, want->max_abs, want->max_error);
    CHECK(is_close(got->sum_squares, want->sum_squares) &&
              is_close(got->sum_error_squares, want->sum_error_squares),
          "%s: sums %.17g %.17g, want %.17g %.17g", what, got->sum_squares,
          got->sum_error_squares, want->sum_squares, want->sum_error_squares);
}

/* Both sides of a pair, batch after batch into the same statistics. */
typedef struct tally {
    batch b;
    unsigned long seen;
    mpx_cast_options opt;
    mpx_cast_stats got, want, in_place;
} tally;

static void flush_tally(tally *t) {
    static unsigned char plain[BATCH * 8];
    size_t i, size = ref_bytes(t->b.dst, t->b.count);
    mpx_cast_options opt = t->opt;
    memset(src_bytes, 0, sizeof src_bytes);
    for (i = 0; i < t->b.count; i++)
        ref_store(t->b.src, src_bytes, i, t->b.codes[i]);
    memset(plain, 0, sizeof plain), memset(dst_bytes, 0, sizeof dst_bytes);
    (void)mpx_cast_with(plain, t->b.dst, src_bytes, t->b.src, t->b.count, &opt);
    opt.stats = &t->got;
    (void)mpx_cast_with(dst_bytes, t->b.dst, src_bytes, t->b.src, t->b.count, &opt);
    CHECK(memcmp(dst_bytes, plain, size) == 0, "%s->%s: statistics change the results",
          name_of(t->b.src), name_of(t->b.dst));
    for (i = 0; i < t->b.count; i++)
        model_stats(&t->want, t->b.dst, ref_load(t->b.dst, dst_bytes, i), t->b.src, t->b.codes[i]);
    if (ref_formats[t->b.dst].bits <= ref_formats[t->b.src].bits) {
        opt.stats = &t->in_place;
        (void)mpx_cast_with(src_bytes, t->b.dst, src_bytes, t->b.src, t->b.count, &opt);
        CHECK(memcmp(src_bytes, plain, size) == 0, "%s->%s: in place differs", name_of(t->b.src),
              name_of(t->b.dst));
    }
    t->b.count = 0;
}

static unsigned long every_narrow_code = 1, every_wide_code = 3; /* of the codes, one in so many */

/* Batches end at odd places. */
static void take_into_tally(void *user, uint64_t code) {
    tally *t = (tally *)user;
    int wide = ref_formats[t->b.src].bits > 16;
    if (t->seen++ % (wide ? every_wide_code : every_narrow_code) != 0) return;
    t->b.codes[t->b.count++] = code;
    if (t->b.count == BATCH - 5) flush_tally(t);
}

static void test_stats_pair(mpx_dtype dst, mpx_dtype src, int rounding, int saturate) {
    static tally t;
    char what[80];
    memset(&t, 0, sizeof t);
    t.b.dst = dst, t.b.src = src;
    t.opt = options_of(rounding, saturate);
    t.opt.random_seed = 9;
    ref_sweep(dst, src, 5, take_into_tally, &t);
    flush_tally(&t);
    sprintf(what, "statistics of %s->%s, rounding %d, saturate %d", name_of(src), name_of(dst),
            rounding, saturate);
    check_stats(&t.got, &t.want, what);
    if (t.in_place.count != 0)
        CHECK(memcmp(&t.in_place, &t.got, sizeof t.got) == 0, "%s: others in place", what);
}

static void test_stats_pairs(void) {
    static const mpx_dtype sources[] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F8E4M3FN, MPX_F4E2M1FN,
                                         MPX_I32, MPX_U64, MPX_I64,  MPX_I8,       MPX_F8E8M0FNU };
    mpx_dtype dst;
    size_t s;
    for (s = 0; s < sizeof sources / sizeof sources[0]; s++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            test_stats_pair(dst, sources[s], MPX_ROUND_NEAREST, 0);
            if (ref_formats[sources[s]].bits > 32) continue;
            test_stats_pair(dst, sources[s], MPX_ROUND_TOWARD_ZERO, 0);
            test_stats_pair(dst, sources[s], MPX_ROUND_STOCHASTIC, 1);
        }
}

/* One f64 through a cast with statistics. */
static mpx_cast_stats stats_of(mpx_dtype dst, double x, int saturate) {
    unsigned char out[16];
    mpx_cast_stats stats;
    mpx_cast_options opt = options_of(MPX_ROUND_NEAREST, saturate);
    memset(&stats, 0, sizeof stats);
    opt.stats = &stats;
    (void)mpx_cast_with(out, dst, &x, MPX_F64, 1, &opt);
    return stats;
}

/* The last double in range and the first beyond, where that is not the tie itself. */
static void check_range(mpx_dtype dst, double in, double out) {
    int saturate;
    for (saturate = 0; saturate <= 1; saturate++) {
        CHECK(stats_of(dst, in, saturate).overflowed == 0 &&
                  stats_of(dst, -in, saturate).overflowed == (dst == MPX_F8E8M0FNU),
              "%s: %.17g counts as overflow", name_of(dst), in);
        CHECK(stats_of(dst, out, saturate).overflowed == 1 &&
                  stats_of(dst, -out, saturate).overflowed == 1,
              "%s: %.17g does not count as overflow", name_of(dst), out);
    }
}

static void test_ranges(void) {
    check_range(MPX_F8E4M3FN, 464, 464.00000000000006);
    check_range(MPX_F8E5M2, 61439.999999999993, 61440);
    check_range(MPX_F8E4M3, 247.99999999999997, 248);
    check_range(MPX_F8E4M3FNUZ, 247.99999999999997, 248);
    check_range(MPX_F8E5M2FNUZ, 61439.999999999993, 61440);
    check_range(MPX_F8E4M3B11FNUZ, 30.999999999999996, 31);
    check_range(MPX_F8E3M4, 15.749999999999998, 15.75);
    check_range(MPX_F6E2M3FN, 7.7499999999999991, 7.75);
    check_range(MPX_F6E3M2FN, 29.999999999999996, 30);
    check_range(MPX_F4E2M1FN, 6.9999999999999991, 7);
    check_range(MPX_F16, 65519.999999999993, 65520);
    check_range(MPX_F32, ref_double(0x47efffffefffffffu), ref_double(0x47effffff0000000u));
    check_range(MPX_BF16, ref_double(0x47efefffffffffffu), ref_double(0x47eff00000000000u));
    check_range(MPX_F8E8M0FNU, ref_double(0x47e7ffffffffffffu), ref_double(0x47e8000000000000u));
    check_range(MPX_I8, 127.99999999999999, 129);
    check_range(MPX_I4, 7.9999999999999991, 9);
    check_range(MPX_I32, 2147483647.9999998, 2147483649.0);
    CHECK(stats_of(MPX_F8E8M0FNU, 0, 1).overflowed == 1, "e8m0: zero is out of range");
    CHECK(stats_of(MPX_F16, 0x1p-25, 0).zeroed == 1 && stats_of(MPX_F16, 0x1p-24, 0).zeroed == 0 &&
              stats_of(MPX_F16, 0, 0).zeroed == 0 && stats_of(MPX_I8, -0.5, 0).zeroed == 1,
          "zeroed");
    CHECK(stats_of(MPX_F16, 0x1p-24, 0).subnormal == 1 &&
              stats_of(MPX_F16, 0x1p-14, 0).subnormal == 0 &&
              stats_of(MPX_F16, 0x1p-25, 0).subnormal == 0 &&
              stats_of(MPX_F4E2M1FN, 0.5, 0).subnormal == 1 &&
              stats_of(MPX_F8E8M0FNU, 0x1p-127, 0).subnormal == 0,
          "subnormal");
}

/* One 64-bit integer through a cast with statistics: does it overflow? */
static int int64_overflows(mpx_dtype dst, mpx_dtype src, uint64_t x) {
    unsigned char out[8];
    mpx_cast_stats stats;
    mpx_cast_options opt = options_of(0, 0);
    memset(&stats, 0, sizeof stats);
    opt.stats = &stats;
    (void)mpx_cast_with(out, dst, &x, src, 1, &opt);
    return stats.overflowed == 1;
}

/* Beyond the range by so little that the result reads as the same double; in range, but rounded to
   a double that is beyond. */
static void case_int64_overflow(void) {
    const uint64_t limit = (uint64_t)1 << 63, most = UINT64_MAX;
    CHECK(int64_overflows(MPX_I64, MPX_U64, limit), "u64 2^63 -> i64 is no overflow");
    CHECK(!int64_overflows(MPX_I64, MPX_U64, limit - 1), "u64 2^63 - 1 -> i64 is an overflow");
    CHECK(!int64_overflows(MPX_I64, MPX_I64, limit - 1), "i64 2^63 - 1 -> i64 is an overflow");
    CHECK(!int64_overflows(MPX_I64, MPX_I64, limit), "i64 -2^63 -> i64 is an overflow");
    CHECK(!int64_overflows(MPX_U64, MPX_U64, most), "u64 2^64 - 1 -> u64 is an overflow");
    CHECK(int64_overflows(MPX_U64, MPX_I64, most), "i64 -1 -> u64 is no overflow");
    CHECK(stats_of(MPX_I64, 0x1p63, 0).overflowed == 1, "f64 2^63 -> i64 is no overflow");
    CHECK(stats_of(MPX_U64, 0x1p64, 0).overflowed == 1, "f64 2^64 -> u64 is no overflow");
    CHECK(stats_of(MPX_I64, -0x1p63, 0).overflowed == 0, "f64 -2^63 -> i64 is an overflow");
    CHECK(stats_of(MPX_I64, 0x1.8p63, 0).overflowed == 1, "f64 1.5 * 2^63 -> i64 is no overflow");
}

/* The sign alone is lost, which is an error of 2; a tiny number becomes 1, which is in range; the
   largest number of the widest dtype is in range. */
static void case_bool_and_f64_max(void) {
    mpx_cast_stats stats = stats_of(MPX_BOOL, -1, 0);
    CHECK(stats.overflowed == 1 && stats.max_error == 2, "f64 -1 -> bool: %lu overflow, error %g",
          (unsigned long)stats.overflowed, stats.max_error);
    stats = stats_of(MPX_BOOL, 0x1p-60, 0);
    CHECK(stats.overflowed == 0 && stats.max_error == 1, "f64 2^-60 -> bool: %lu overflow",
          (unsigned long)stats.overflowed);
    stats = stats_of(MPX_F64, DBL_MAX, 0);
    CHECK(stats.overflowed == 0 && stats.max_error == 0, "f64 largest -> f64: %lu overflow",
          (unsigned long)stats.overflowed);
}

/* Where denormals are zero, the bits in which source and result differ are no number to compare:
   1 + 2^-30 loses 2^-30 in f32, whatever the processor does to denormals. */
static void case_stats_with_daz(void) {
#if defined(__SSE2__)
    unsigned state = _mm_getcsr();
    mpx_cast_stats stats;
    _mm_setcsr(state | 0x8040u); /* FTZ, DAZ */
    stats = stats_of(MPX_F32, 1 + 0x1p-30, 0);
    _mm_setcsr(state);
    CHECK(stats.max_error == 0x1p-30, "f64->f32 under DAZ: largest error %g", stats.max_error);
#endif
}

/* Complex is copied: counted, nothing lost. */
static void case_complex_stats(void) {
    static double x[80];
    static unsigned char out[sizeof x];
    mpx_cast_stats stats;
    mpx_cast_options opt = options_of(0, 0);
    mpx_dtype type;
    size_t i;
    for (i = 0; i < 80; i++)
        x[i] = (double)i;
    for (type = MPX_C64; type <= MPX_C128; type++) {
        memset(&stats, 0, sizeof stats);
        opt.stats = &stats;
        (void)mpx_cast_with(out, type, x, type, 40, &opt);
        CHECK(stats.count == 40 && stats.overflowed == 0 && stats.zeroed == 0 &&
                  stats.max_error == 0 && stats.nan == 0 && stats.infinite == 0,
              "%s: statistics of a copy: %lu overflow, %lu NaN, largest %g", name_of(type),
              (unsigned long)stats.overflowed, (unsigned long)stats.nan, stats.max_abs);
    }
}

/* The two functions against libm, over magnitudes and mantissas. */
static void test_rms_and_sqnr(void) {
    static const double edges[] = { 0, 1, 2, 0.5, 1.5, 3, 10, 1e-200, 1e200, 4, 9, 100 };
    enum { EDGES = sizeof edges / sizeof edges[0] };
    mpx_cast_stats stats;
    int i;
    memset(&stats, 0, sizeof stats);
    CHECK(mpx_cast_stats_rms_error(&stats) == 0 && mpx_cast_stats_sqnr(&stats) == 999,
          "no values");
    for (i = 0; i < 20000; i++) {
        double a = i < EDGES * EDGES ? edges[i / EDGES]
                                     : ldexp(1 + (i % 991) / 991.0, i * 37 % 1900 - 950);
        double b = i < EDGES * EDGES ? edges[i % EDGES]
                                     : ldexp(1 + (i % 787) / 787.0, i * 53 % 1900 - 950);
        double rms, sqnr, want, size;
        stats.count = (uint64_t)i * 977 + 1;
        stats.sum_squares = a, stats.sum_error_squares = b;
        rms = mpx_cast_stats_rms_error(&stats), sqnr = mpx_cast_stats_sqnr(&stats);
        CHECK(is_close(rms, sqrt(b / (double)stats.count)), "rms of %.17g: %.17g", b, rms);
        if (a == 0 || b == 0) {
            CHECK(sqnr == (b == 0 ? 999 : 0), "SQNR of %g and %g: %g", a, b, sqnr);
            continue;
        }
        want = 10 * (log10(a) - log10(b));
        size = 10 * fmax(fabs(log10(a)), fabs(log10(b)));
        CHECK(fabs(sqnr - want) <= 1e-12 * fmax(fabs(want), size / 10),
              "SQNR of %.17g and %.17g: %.17g, want %.17g", a, b, sqnr, want);
    }
}

/* Sums that double does not hold: subnormal ones with the precision they have; 0 and Inf count as
   the largest term. */
static void test_sums_out_of_range(void) {
    static const struct {
        double count, max_abs, max_error, sum_squares, sum_error_squares, rms, sqnr;
    } rows[] = {
        { 2, 3e-160, 3e-160, 1e-319, 1e-319, 2.2360679774997896e-160, 0 },
        { 4, 1, 1e-160, 1, 1e-322, 5e-162, 3220 },
        { 1, 1e-300, 1e-300, 0, 0, 1e-300, 0 },
        { 4, 1, 1e-300, 1, 0, 5e-301, 6000 },
        { 1, 1e-310, 1e-310, 0, 0, 1e-310, 0 },
        { 1, 1, 1e-310, 1, 0, 1e-310, 6200 },
        { 1, 1e200, 1e200, -1, -1, 1e200, 0 }, /* -1: Inf */
        { 4, 1e200, 1e100, -1, 1e200, 5e99, 2000 },
    };
    const double inf = ref_double(0x7ff0000000000000u);
    mpx_cast_stats stats;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double rms, sqnr;
        memset(&stats, 0, sizeof stats);
        stats.count = (uint64_t)rows[i].count;
        stats.max_abs = rows[i].max_abs, stats.max_error = rows[i].max_error;
        stats.sum_squares = rows[i].sum_squares < 0 ? inf : rows[i].sum_squares;
        stats.sum_error_squares = rows[i].sum_error_squares < 0 ? inf : rows[i].sum_error_squares;
        rms = mpx_cast_stats_rms_error(&stats), sqnr = mpx_cast_stats_sqnr(&stats);
        CHECK(fabs(rms - rows[i].rms) <= 1e-2 * rows[i].rms, "row %lu: rms %g", (unsigned long)i, rms);
        CHECK(fabs(sqnr - rows[i].sqnr) <= 0.1, "row %lu: SQNR %g", (unsigned long)i, sqnr);
    }
}

/* The same from casts. Where denormals are zero the squares of the first row are, and the rms is that
   of the largest error alone. */
static void case_errors_out_of_range(void) {
    static const struct {
        mpx_dtype dst;
        int saturate;
        double x[2], rms;
    } rows[] = {
        { MPX_F32, 0, { 1e-160, 3e-160 }, 2.236e-160 },
        { MPX_F32, 0, { 1e-300, 0 }, 0.7071e-300 },
        { MPX_I32, 0, { 1e200, 0 }, 0.7071e200 },
        { MPX_F32, 1, { 1e200, 0 }, 0.7071e200 },
    };
    unsigned char out[8];
    mpx_cast_stats stats;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_cast_options opt = options_of(MPX_ROUND_NEAREST, rows[i].saturate);
        double rms, sqnr;
        memset(&stats, 0, sizeof stats);
        opt.stats = &stats;
        (void)mpx_cast_with(out, rows[i].dst, rows[i].x, MPX_F64, 2, &opt);
        rms = mpx_cast_stats_rms_error(&stats), sqnr = mpx_cast_stats_sqnr(&stats);
        CHECK(fabs(rms - rows[i].rms) <= 0.06 * rows[i].rms, "row %lu: rms %g", (unsigned long)i,
              rms);
        CHECK(fabs(sqnr) <= 0.01, "row %lu: SQNR %g", (unsigned long)i, sqnr);
    }
}

/* ---- dry run --------------------------------------------------------------------------------- */

enum { VALUES = 8, LEAVES = 9 };
static float leaf_values[LEAVES][VALUES] = {
    { 1, 2, 3, 4, 5, 6, 7, 8 },                       /* exact: SQNR 999 */
    { 1, 70000, 1, 1, 1, 1, 1, 1 },                   /* 1 of 8 overflows */
    { 70000, 70000, 1, 1, 1, 1, 1, 1 },               /* 2 of 8 */
    { 1, 1e-9f, 1, 1, 1, 1, 1, 1 },                   /* 1 of 8 becomes zero */
    { 1, 1e-9f, 1e-9f, 1, 1, 1, 1, 1 },               /* 2 of 8 */
    { 1.0001f, 1.0001f, 1, 1, 1, 1, 1, 1 },           /* some loss */
    { 1.0004f, 1.0004f, 1.0004f, 1, 1, 1, 1, 1 },     /* more loss */
    { 1e-9f, -70000, 1, 1, 1, 1, 1, 1 },              /* 1 of 8 overflows, 1 becomes zero */
    { 2.0f, 3.5f, 0, 0, 0, 0, 0, 0 },                 /* exact too */
};
static const char *const leaf_names[LEAVES] = { "exact", "over1", "over2",     "zero1", "zero2",
                                                "loss1", "loss2", "over1zero", "exact2" };
/* Of f32 -> f16, worst first; equals stay in the order of the tree. */
static const size_t leaf_order[LEAVES] = { 2, 7, 1, 4, 3, 6, 5, 0, 8 };

static mpx_leaf leaf_of(const char *path, void *data, size_t count, mpx_dtype dtype) {
    mpx_leaf leaf;
    leaf.path = path, leaf.data = data, leaf.count = count, leaf.dtype = dtype;
    return leaf;
}

/* The float leaves, with others between that are skipped: their indices are those of the tree. */
static size_t make_leaves(mpx_leaf *leaves, size_t *indices) {
    static int32_t ints[4] = { 1, 2, 3, 4 };
    static uint16_t halves[4];
    static double pairs[4];
    size_t i, n = 0;
    for (i = 0; i < LEAVES; i++) {
        if (i == 1) leaves[n++] = leaf_of("ints", ints, 4, MPX_I32);
        if (i == 2) leaves[n++] = leaf_of("halves", halves, 4, MPX_F16);
        if (i == 3) leaves[n++] = leaf_of("pairs", pairs, 2, MPX_C128);
        indices[i] = n;
        leaves[n++] = leaf_of(leaf_names[i], leaf_values[i], VALUES, MPX_F32);
    }
    return n;
}

static void check_report(const mpx_cast_report *report, size_t leaf, size_t index, size_t place) {
    unsigned char out[VALUES * 2];
    mpx_cast_stats want;
    mpx_cast_options opt = options_of(0, 0);
    memset(&want, 0, sizeof want);
    opt.stats = &want;
    (void)mpx_cast_with(out, MPX_F16, leaf_values[leaf], MPX_F32, VALUES, &opt);
    CHECK(strcmp(report->path, leaf_names[leaf]) == 0 && report->index == index &&
              report->from == MPX_F32 && report->to == MPX_F16,
          "report %lu: '%s', leaf %lu, %d to %d, want '%s', leaf %lu", (unsigned long)place,
          report->path, (unsigned long)report->index, report->from, report->to, leaf_names[leaf],
          (unsigned long)index);
    CHECK(memcmp(&report->stats, &want, sizeof want) == 0, "'%s': other statistics than the cast",
          report->path);
}

static void test_dry_run_order(void) {
    static float copy[LEAVES][VALUES];
    mpx_leaf leaves[2 * LEAVES], before[2 * LEAVES];
    mpx_cast_report reports[LEAVES + 2], untouched;
    size_t indices[LEAVES], capacity, i, count, n = make_leaves(leaves, indices);
    mpx_error err;
    memcpy(copy, leaf_values, sizeof copy);
    memcpy(before, leaves, n * sizeof *leaves);
    memset(&untouched, CANARY, sizeof untouched);
    for (capacity = 0; capacity <= LEAVES + 1; capacity++) {
        size_t kept = capacity < LEAVES ? capacity : LEAVES;
        memset(reports, CANARY, sizeof reports);
        memset(&err, 0, sizeof err);
        count = 99;
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, n), MPX_F16, reports, capacity, &count,
                               &err) == MPX_OK &&
                  count == kept && err.status == MPX_OK,
              "capacity %lu: %lu reports", (unsigned long)capacity, (unsigned long)count);
        for (i = 0; i < kept; i++)
            check_report(&reports[i], leaf_order[i], indices[leaf_order[i]], i);
        for (; i < LEAVES + 2; i++)
            CHECK(memcmp(&reports[i], &untouched, sizeof untouched) == 0,
                  "capacity %lu: wrote report %lu", (unsigned long)capacity, (unsigned long)i);
    }
    CHECK(memcmp(copy, leaf_values, sizeof copy) == 0 &&
              memcmp(before, leaves, n * sizeof *leaves) == 0,
          "the tree was written to");
    CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, n), MPX_F16, NULL, 0, &count, NULL) ==
                  MPX_OK &&
              count == 0,
          "no reports wanted, none given");
    CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, n), MPX_NONE, reports, 3, &count, NULL) ==
                  MPX_OK &&
              count == 0,
          "to MPX_NONE nothing changes");
    CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, 0), MPX_F16, reports, 3, &count, NULL) ==
                  MPX_OK &&
              count == 0,
          "an empty tree");
}

/* Many leaves, some equally bad: worst first, then in the order of the tree; where there is not room
   for all of them, the first of this order. how: 0: equal values, which are rounded; 1: equal shares
   of 6 and of 12 values, which are exact. */
enum { MANY_LEAVES = 41 };
static void check_dry_run_many(int how) {
    static float values[MANY_LEAVES][16];
    static mpx_cast_report reports[MANY_LEAVES + 1];
    mpx_leaf leaves[MANY_LEAVES];
    size_t order[MANY_LEAVES], capacity, i, k, count, at = 0;
    for (i = 0; i < MANY_LEAVES; i++) {
        const size_t n = how == 0 ? 16 : i % 2 == 0 ? 6 : 12, times = n == 12 ? 2 : 1;
        for (k = 0; k < 16; k++)
            values[i][k] = k < i * i % 7 * times ? 1e6f : how == 0 ? 1.1f : 1;
        leaves[i] = leaf_of("w", values[i], n, MPX_F32);
    }
    for (k = 7; k-- > 0;)
        for (i = 0; i < MANY_LEAVES; i++)
            if (i * i % 7 == k) order[at++] = i;
    for (capacity = 0; capacity <= MANY_LEAVES + 1; capacity++) {
        size_t kept = capacity < MANY_LEAVES ? capacity : MANY_LEAVES;
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, MANY_LEAVES), MPX_F16, reports, capacity, &count,
                               NULL) == MPX_OK &&
                  count == kept,
              "capacity %lu: %lu reports", (unsigned long)capacity, (unsigned long)count);
        for (i = 0; i < kept; i++)
            CHECK(reports[i].index == order[i], "%d: capacity %lu, report %lu: leaf %lu, want %lu", how,
                  (unsigned long)capacity, (unsigned long)i, (unsigned long)reports[i].index,
                  (unsigned long)order[i]);
    }
}
static void test_dry_run_many(void) {
    check_dry_run_many(0);
    check_dry_run_many(1);
}

/* Errors larger than the signal: below 0 dB, the lower the worse. */
static void case_negative_sqnr(void) {
    static float values[3] = { 1.3f, 0x1p-140f, 0x1p-149f };
    mpx_leaf leaves[3];
    mpx_cast_report reports[3];
    size_t i, count;
    for (i = 0; i < 3; i++)
        leaves[i] = leaf_of("w", &values[i], 1, MPX_F32);
    CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, 3), MPX_F8E8M0FNU, reports, 3, &count, NULL) ==
                  MPX_OK &&
              count == 3 && mpx_cast_stats_sqnr(&reports[1].stats) < 0,
          "three reports");
    for (i = 0; i < 3; i++)
        CHECK(reports[i].index == 2 - i, "report %lu: leaf %lu", (unsigned long)i, (unsigned long)reports[i].index);
}

/* A leaf without signal (zeros, or no elements) loses nothing: it is not worse than one that does.
   */
static void case_silent_leaf(void) {
    static float zeros[4], lossy[4] = { 1.0001f, 1, 1, 1 };
    mpx_leaf leaves[3];
    mpx_cast_report reports[3];
    size_t count;
    leaves[0] = leaf_of("zeros", zeros, 4, MPX_F32);
    leaves[1] = leaf_of("none", NULL, 0, MPX_F32);
    leaves[2] = leaf_of("lossy", lossy, 4, MPX_F32);
    CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, 3), MPX_F16, reports, 3, &count, NULL) ==
                  MPX_OK &&
              count == 3 && strcmp(reports[0].path, "lossy") == 0,
          "'%s', which loses nothing, comes before 'lossy'", reports[0].path);
}

/* NaN and Inf for which the target has no code are lost: not exact, and worse than what rounds. */
static void case_lost_specials(void) {
    static const struct {
        mpx_dtype to;
        int nan_lost, inf_lost;
    } rows[] = { { MPX_F8E5M2, 0, 0 }, { MPX_F8E4M3FN, 0, 1 }, { MPX_F8E4M3FNUZ, 0, 1 },
                 { MPX_F8E8M0FNU, 0, 1 }, { MPX_F4E2M1FN, 1, 1 }, { MPX_F6E3M2FN, 1, 1 } };
    float nan[2], inf[2], lossy[2] = { 1.1f, 1 };
    size_t i, k, count;
    nan[0] = ref_float(0x7fc00000u), inf[0] = ref_float(0x7f800000u);
    nan[1] = inf[1] = 1;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (k = 0; k < 2; k++) {
            int lost = k != 0 ? rows[i].inf_lost : rows[i].nan_lost;
            mpx_leaf leaves[2];
            mpx_cast_report reports[2];
            char text[MPX_ERROR_TEXT_SIZE];
            leaves[0] = leaf_of("lossy", lossy, 2, MPX_F32);
            leaves[1] = leaf_of("special", k != 0 ? inf : nan, 2, MPX_F32);
            CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, 2), rows[i].to, reports, 2, &count,
                                   NULL) == MPX_OK &&
                      count == 2 && strcmp(reports[!lost].path, "special") == 0,
                  "%s: '%s' is worst", name_of(rows[i].to), reports[0].path);
            mpx_cast_report_format(&reports[!lost], text, sizeof text);
            CHECK((strstr(text, "exact") == NULL) == lost, "'%s'", text);
        }
    for (i = 0; i < 2; i++) { /* what has no code counts beside what overflows, in any order */
        float most[4] = { 1e6f, 1, 1, 1 }, less[4] = { 1e6f, 1, 1, 1 };
        mpx_leaf leaves[2];
        mpx_cast_report reports[2];
        most[1] = nan[0];
        leaves[i] = leaf_of("most", most, 4, MPX_F32);
        leaves[!i] = leaf_of("less", less, 4, MPX_F32);
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(leaves, 2), MPX_F4E2M1FN, reports, 2, &count, NULL) == MPX_OK &&
                  count == 2 && strcmp(reports[0].path, "most") == 0,
              "'%s' is worst", reports[0].path);
    }
}

static int failing_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    if (at->index[0]++ == 2) return MPX_ERR_CALLBACK;
    *leaf = leaf_of("x", tree->user, VALUES, MPX_F32);
    return 1;
}

static void test_dry_run_errors(void) {
    static const mpx_dtype bad[] = { MPX_I8, MPX_BOOL, MPX_C64, MPX_DTYPE_COUNT, -1, MPX_U2 };
    mpx_leaf leaf = leaf_of("w", leaf_values[1], VALUES, MPX_F32);
    mpx_cast_report reports[4], untouched;
    mpx_error err;
    mpx_tree tree;
    size_t i, count = 77;
    memset(&untouched, CANARY, sizeof untouched);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memset(reports, CANARY, sizeof reports);
        memset(&err, 0, sizeof err);
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(&leaf, 1), bad[i], reports, 4, &count, &err) ==
                      MPX_ERR_DTYPE &&
                  err.status == MPX_ERR_DTYPE && count == 77 &&
                  memcmp(&reports[0], &untouched, sizeof untouched) == 0,
              "dry run to %d: status %d, count %lu", bad[i], err.status, (unsigned long)count);
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(&leaf, 1), bad[i], reports, 4, &count, NULL) ==
                  MPX_ERR_DTYPE,
              "dry run to %d without err", bad[i]);
    }
    memset(&tree, 0, sizeof tree);
    tree.next = failing_next, tree.user = leaf_values[1];
    CHECK(mpx_tree_dry_run(tree, MPX_F16, reports, 4, &count, &err) == MPX_ERR_CALLBACK &&
              err.status == MPX_ERR_CALLBACK && count == 77,
          "a walker that fails: status %d", err.status);
}

typedef struct layer {
    float weight[4];
    int32_t steps;
    double bias[2];
} layer;
typedef struct model {
    float scale;
    layer layers[2];
} model;
static const mpx_field layer_fields[] = { MPX_LEAF(layer, weight, float, MPX_F32),
                                          MPX_LEAF(layer, steps, int32_t, MPX_I32),
                                          MPX_LEAF(layer, bias, double, MPX_F64) };
static const mpx_field model_fields[] = { MPX_LEAF(model, scale, float, MPX_F32),
                                          MPX_NODE_ARRAY(model, layers, layer, layer_fields) };

static void test_dry_run_struct(void) {
    static const char *const want[] = { "layers/1/bias", "layers/0/weight", "scale",
                                        "layers/0/bias", "layers/1/weight" };
    static const size_t index[] = { 6, 1, 0, 3, 4 };
    model m, copy;
    mpx_cast_report reports[8];
    size_t count = 0, i;
    memset(&m, 0, sizeof m);
    m.scale = 1.25f;
    for (i = 0; i < 4; i++)
        m.layers[0].weight[i] = 1.001f, m.layers[1].weight[i] = 2;
    m.layers[0].bias[0] = 1, m.layers[1].bias[1] = -1e6;
    memcpy(&copy, &m, sizeof m);
    CHECK(mpx_tree_dry_run(MPX_TREE_OF_STRUCT(&m, model_fields), MPX_F16, reports, 8, &count,
                           NULL) == MPX_OK &&
              count == 5,
          "a struct: %lu reports", (unsigned long)count);
    for (i = 0; i < count && i < 5; i++)
        CHECK(strcmp(reports[i].path, want[i]) == 0 && reports[i].index == index[i],
              "a struct, report %lu: '%s' of leaf %lu", (unsigned long)i, reports[i].path,
              (unsigned long)reports[i].index);
    CHECK(memcmp(&copy, &m, sizeof m) == 0, "the struct was written to");
    CHECK(reports[0].from == MPX_F64 && reports[1].from == MPX_F32, "a struct: dtypes");
}

/* Every dtype as a leaf, at counts around a piece; paths NULL and longer than a report holds. */
static void test_dry_run_leaves(void) {
    static unsigned char data[100 * 16], out[100 * 8];
    char path[300];
    mpx_leaf leaf;
    mpx_dtype type, to;
    size_t n, count;
    for (n = 0; n < sizeof data; n++)
        data[n] = (unsigned char)(n * 0x3b ^ n >> 2);
    for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++)
        for (to = REF_FIRST; to <= REF_LAST_FLOAT; to++)
            for (n = 0; n <= 100; n += n < 32 ? 31 : n < 34 ? 1 : 33) {
                mpx_cast_report report;
                mpx_cast_stats want;
                mpx_cast_options opt = options_of(0, 0);
                int changes = ref_is_float(type) && type != to;
                leaf = leaf_of(NULL, data, n, type);
                count = 9;
                CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(&leaf, 1), to, &report, 1, &count,
                                       NULL) == MPX_OK &&
                          count == (size_t)changes,
                      "dry run %s->%s: %lu reports", name_of(type), name_of(to),
                      (unsigned long)count);
                if (!changes) continue;
                memset(&want, 0, sizeof want);
                opt.stats = &want;
                (void)mpx_cast_with(out, to, data, type, n, &opt);
                CHECK(memcmp(&report.stats, &want, sizeof want) == 0 && report.path[0] == '\0',
                      "dry run %s->%s n=%lu: statistics differ", name_of(type), name_of(to),
                      (unsigned long)n);
            }
    memset(path, 'p', sizeof path);
    for (n = MPX_PATH_SIZE - 2; n < 299; n += n < MPX_PATH_SIZE + 1 ? 1 : 50) {
        mpx_cast_report report[2];
        size_t fits = n < MPX_PATH_SIZE - 1 ? n : MPX_PATH_SIZE - 1;
        path[n] = '\0';
        memset(report, CANARY, sizeof report);
        leaf = leaf_of(path, leaf_values[1], VALUES, MPX_F32);
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(&leaf, 1), MPX_F16, report, 1, &count, NULL) ==
                      MPX_OK &&
                  strlen(report[0].path) == fits && memcmp(report[0].path, path, fits) == 0 &&
                  report[0].index == 0 && (unsigned char)report[1].path[0] == CANARY,
              "a path of %lu bytes", (unsigned long)n);
        path[n] = 'p';
    }
}

/* ---- the report in words --------------------------------------------------------------------- */

typedef struct sentence {
    const char *path;
    mpx_dtype from, to;
    mpx_cast_stats stats;
    const char *want;
} sentence;

/* count, nan, infinite, overflowed, zeroed, subnormal, max_abs, max_error, both sums */
static const sentence sentences[] = {
    { "conv1/kernel", MPX_F32, MPX_F16, { 1000, 0, 0, 3, 12, 0, 70000, 0, 13182567.4, 1 },
      "conv1/kernel: float32 to float16: 1000 values up to 7.00e4, 3 overflow, 12 become zero, "
      "SQNR 71.2 dB" },
    { "w", MPX_F32, MPX_BF16, { 4, 0, 0, 0, 0, 0, 1.5, 0, 9, 0 },
      "w: float32 to bfloat16: 4 values up to 1.500, exact" },
    { "w", MPX_F64, MPX_F8E4M3FN, { 9, 1, 2, 3, 4, 5, 0.5, 0, 1, 0.5 },
      "w: float64 to float8_e4m3fn: 9 values up to 0.500, 1 NaN, 2 Inf, 3 overflow, 4 become "
      "zero, 5 subnormal, SQNR 3.0 dB" },
    { "w", MPX_F32, MPX_F16, { 2, 0, 0, 2, 0, 0, 1e6, 0, 0, 0 },
      "w: float32 to float16: 2 values up to 1.00e6, 2 overflow" },
    { "", MPX_F32, MPX_F16, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
      ": float32 to float16: 0 values up to 0.000, exact" },
    { "w", MPX_F16, MPX_F4E2M1FN, { 7, 0, 0, 0, 0, 0, 100.4, 0, 1, 2 },
      "w: float16 to float4_e2m1fn: 7 values up to 100, SQNR -3.0 dB" },
    { "w", MPX_F16, MPX_F8E5M2, { 7, 7, 0, 0, 0, 0, 0, 0, 0, 0 },
      "w: float16 to float8_e5m2: 7 values up to 0.000, 7 NaN, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 0.001, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 0.001, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 0.0009, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 9.00e-4, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 0.00099996, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 1.00e-3, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 99960, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 1.00e5, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 9999, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 9999, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 10000, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 1.00e4, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 99.9996, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 100.000, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 0.1, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 0.100, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 1.01, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 1.010, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 101000, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 1.01e5, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 110000, 0, 1, 0 },
      "w: float32 to float16: 1 values up to 1.10e5, exact" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 12.0625, 0, 1, 1e-30 },
      "w: float32 to float16: 1 values up to 12.063, SQNR 300.0 dB" },
    { "w", MPX_F64, MPX_F16, { 1, 0, 0, 1, 0, 0, 1.7e308, 0, 0, 0 },
      "w: float64 to float16: 1 values up to 1.70e308, 1 overflow" },
    { "w", MPX_F64, MPX_F32, { 1, 0, 0, 0, 1, 0, 4.94e-300, 0, 1, 1 },
      "w: float64 to float32: 1 values up to 4.94e-300, 1 become zero, SQNR 0.0 dB" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 1, 0, 1, 1.0116e-4 },
      "w: float32 to float16: 1 values up to 1.000, SQNR 39.9 dB" },
    { "w", MPX_F32, MPX_F16, { 1, 0, 0, 0, 0, 0, 1, 0, 1, 1.0001e-4 },
      "w: float32 to float16: 1 values up to 1.000, SQNR 40.0 dB" },
    { "w", MPX_F64, MPX_F32, { 1, 0, 0, 0, 1, 0, 1e-300, 1e-300, 0, 0 },
      "w: float64 to float32: 1 values up to 1.00e-300, 1 become zero, SQNR 0.0 dB" },
    { "w", MPX_F64, MPX_F32, { 2, 0, 0, 0, 1, 0, 1, 1e-300, 1, 0 },
      "w: float64 to float32: 2 values up to 1.000, 1 become zero, SQNR 6000.0 dB" },
    { "w", MPX_F64, MPX_F16, { 1, 0, 1, 0, 0, 0, (double)INFINITY, 0, 0, 0 },
      "w: float64 to float16: 1 values up to Inf, 1 Inf, exact" },
    { "w", MPX_F64, MPX_F16, { 1, 1, 0, 0, 0, 0, (double)NAN, 0, 0, 0 }, /* which no call leaves */
      "w: float64 to float16: 1 values up to NaN, 1 NaN, exact" },
    { "w", MPX_F64, MPX_F32, { 1, 0, 0, 0, 1, 0, 2e-310, 0, 1, 1 },
      "w: float64 to float32: 1 values up to 2.00e-310, 1 become zero, SQNR 0.0 dB" },
    { "w", MPX_F64, MPX_F32, { 1, 0, 0, 0, 1, 0, 5e-324, 0, 1, 1 },
      "w: float64 to float32: 1 values up to 4.94e-324, 1 become zero, SQNR 0.0 dB" },
    { "w", MPX_F64, MPX_F32, { 1, 0, 0, 0, 1, 0, 0, 0, 0, 0 }, /* where denormals are zero */
      "w: float64 to float32: 1 values up to 0.000, 1 become zero" },
};

static void test_report_format(void) {
    mpx_cast_report report;
    char buf[MPX_ERROR_TEXT_SIZE], cut[MPX_ERROR_TEXT_SIZE];
    size_t i, size, length;
    for (i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        const sentence *s = &sentences[i];
        memset(&report, 0, sizeof report);
        strcpy(report.path, s->path);
        report.from = s->from, report.to = s->to, report.stats = s->stats;
        length = mpx_cast_report_format(&report, buf, sizeof buf);
        CHECK(strcmp(buf, s->want) == 0 && length == strlen(s->want), "report: '%s', want '%s'",
              buf, s->want);
        CHECK(mpx_cast_report_format(&report, NULL, 0) == length, "report: length without room");
        for (size = 1; size <= length + 1; size++) {
            memset(cut, CANARY, sizeof cut);
            CHECK(mpx_cast_report_format(&report, cut, size) == length &&
                      memcmp(cut, buf, size - 1) == 0 && cut[size - 1] == '\0' &&
                      (unsigned char)cut[size] == CANARY,
                  "report cut to %lu bytes: '%.*s'", (unsigned long)size, (int)size, cut);
        }
    }
    for (i = 1; i < 2000; i++) { /* three digits after the point, as printf has them */
        char want[80];
        memset(&report, 0, sizeof report);
        report.from = MPX_F32, report.to = MPX_F16;
        report.stats.max_abs = i < 1000 ? (double)i / 1000 : (double)i / 100;
        sprintf(want, ": float32 to float16: 0 values up to %.3f, exact", report.stats.max_abs);
        mpx_cast_report_format(&report, buf, sizeof buf);
        CHECK(strcmp(buf, want) == 0, "report: '%s', want '%s'", buf, want);
    }
    for (i = 0; i < 6 * 100; i++) { /* and an exponent */
        static const double parts[] = { 1, 1.004, 4.567, 9.99, 9.994, 9.996 };
        const int e = (int)(i / 6) * 6 - (i < 6 * 50 ? 306 : 290);
        char want[80], number[40];
        memset(&report, 0, sizeof report);
        report.from = MPX_F64, report.to = MPX_F32;
        sprintf(number, "%ge%d", parts[i % 6], e);
        report.stats.max_abs = strtod(number, NULL);
        sprintf(number, "%.2e", report.stats.max_abs);
        sprintf(want, ": float64 to float32: 0 values up to %.4se%d, exact", number, atoi(number + 5));
        mpx_cast_report_format(&report, buf, sizeof buf);
        CHECK(strcmp(buf, want) == 0, "report: '%s', want '%s'", buf, want);
    }
    memset(&report, 0, sizeof report); /* a count that size_t need not hold */
    report.from = MPX_F32, report.to = MPX_F16;
    report.stats.count = report.stats.nan = ((uint64_t)1 << 32) + 7;
    mpx_cast_report_format(&report, buf, sizeof buf);
    CHECK(strcmp(buf, sizeof(size_t) > 4 ? ": float32 to float16: 4294967303 values up to 0.000, "
                                           "4294967303 NaN, exact"
                                         : ": float32 to float16: over 4294967295 values up to "
                                           "0.000, over 4294967295 NaN, exact") == 0,
          "a large count: '%s'", buf);
    memset(&report, 0, sizeof report); /* the longest there is */
    memset(report.path, 'p', sizeof report.path - 1);
    report.from = MPX_F8E4M3B11FNUZ, report.to = MPX_F8E4M3B11FNUZ;
    report.stats.count = report.stats.nan = report.stats.infinite = SIZE_MAX;
    report.stats.overflowed = report.stats.zeroed = report.stats.subnormal = SIZE_MAX;
    report.stats.max_abs = 1e-300, report.stats.sum_squares = 1e-300;
    report.stats.sum_error_squares = 1e300;
    length = mpx_cast_report_format(&report, buf, sizeof buf);
    CHECK(length < sizeof buf && strlen(buf) == length, "the longest report needs %lu bytes",
          (unsigned long)length);
}

/* Blocks in which all integers have at most so many bits, which vectors convert otherwise than larger ones. */
static void case_small_integers(void) {
    enum { N = 80 };
    static const mpx_dtype sources[] = { MPX_I64, MPX_U64, MPX_I32, MPX_U32 };
    unsigned char in[N * 8], out[N * 8];
    uint64_t state = 1;
    size_t s, i;
    int bits;
    mpx_dtype to;
    for (s = 0; s < sizeof sources / sizeof sources[0]; s++)
        for (bits = 1; bits < ref_formats[sources[s]].bits; bits += 3) {
            const uint64_t sign = sources[s] == MPX_I64 || sources[s] == MPX_I32;
            for (i = 0; i < N; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                ref_store(sources[s], in, i, (state >> 33 & sign) != 0 ? 0 - (state >> (64 - bits)) : state >> (64 - bits));
            }
            for (to = REF_FIRST; to <= REF_LAST; to++) {
                if (ref_formats[to].bits < 8) continue;
                memset(out, CANARY, sizeof out);
                CHECK(mpx_cast(out, to, in, sources[s], N) == MPX_OK, "%s", ref_formats[to].name);
                for (i = 0; i < N; i++) {
                    const uint64_t code = ref_load(sources[s], in, i), want = ref_cast(to, sources[s], code);
                    CHECK(ref_load(to, out, i) == want, "%s->%s, %d bits: %llx gives %llx, not %llx",
                          ref_formats[sources[s]].name, ref_formats[to].name, bits, (unsigned long long)code,
                          (unsigned long long)ref_load(to, out, i), (unsigned long long)want);
                }
            }
        }
}

/* The scale of a block of zeros, of every length and in every rounding mode, saturated; and others. */
static void case_e8m0_scale_of_zeros(void) {
    static const float row[4] = { 0, -0.0f, 4, -3 };
    float in[100];
    unsigned char out[100];
    size_t n, i;
    int rounding;
    for (i = 0; i < 100; i++)
        in[i] = i % 7 < 4 ? row[i % 7] : 0;
    for (rounding = 0; rounding <= MPX_ROUND_STOCHASTIC; rounding++)
        for (n = 1; n <= 100; n++) {
            mpx_cast_options opt = options_of(rounding, 1);
            memset(out, 0xaa, sizeof out);
            (void)mpx_cast_with(out, MPX_F8E8M0FNU, in, MPX_F32, n, &opt);
            for (i = 0; i < n; i++)
                CHECK(out[i] == (in[i] > 0 ? 129 : 0), "rounding %d, n %lu, element %lu: %02x",
                      rounding, (unsigned long)n, (unsigned long)i, out[i]);
        }
}

/* f64 and f32 to integers, rounded each way: ties, their neighbours, both ends, specials. */
static double whole_of(double x, mpx_int_rounding rounding) {
    double low = floor(x), rest = x - low;
    if (rounding == MPX_INT_TRUNCATE) return trunc(x);
    if (rounding == MPX_INT_UP) return ceil(x);
    if (rounding == MPX_INT_DOWN || rest < 0.5) return low;
    return rest > 0.5 || fmod(low, 2) != 0 ? low + 1 : low;
}
static void check_whole(mpx_dtype dst, double x, mpx_int_rounding rounding) {
    const double half = ldexp(1, ref_formats[dst].bits - 1);
    const int is_signed = ref_formats[dst].rule == REF_INT;
    const double most = is_signed ? half - 1 : 2 * half - 1, least = is_signed ? -half : 0;
    double want = x != x ? 0 : whole_of(x, rounding);
    const float single = (float)x;
    const int is_beyond = fabs(x) < HUGE_VAL && (want > most || want < least);
    int32_t out[2] = { 0, 0 };
    mpx_cast_options opt = options_of(MPX_ROUND_NEAREST, 0);
    mpx_cast_stats stats;
    memset(&stats, 0, sizeof stats);
    opt.int_rounding = rounding;
    opt.stats = &stats;
    want = want > most ? most : want < least ? least : want;
    CHECK(mpx_cast_with(&out[0], dst, &x, MPX_F64, 1, &opt) == MPX_OK, "not MPX_OK");
    CHECK(ref_load(dst, (unsigned char *)&out[0], 0) ==
              ((uint64_t)(int64_t)want & ref_low_mask(ref_formats[dst].bits)),
          "%.17g to %s, rounding %d: %lx", x, name_of(dst), rounding, (unsigned long)out[0]);
    CHECK((int)stats.overflowed == is_beyond, "%.17g to %s, rounding %d: %lu overflowed", x,
          name_of(dst), rounding, (unsigned long)stats.overflowed);
    opt.stats = NULL;
    if ((double)single != x) return;
    (void)mpx_cast_with(&out[1], dst, &single, MPX_F32, 1, &opt);
    CHECK(out[1] == out[0], "%.9g to %s from f32, rounding %d", x, name_of(dst), rounding);
}
static void case_int_rounding(void) {
    static const mpx_dtype types[] = { MPX_I8, MPX_U8, MPX_I16, MPX_U16, MPX_I32, MPX_U32 };
    static const double few[] = { 1e-300, 5e-324, 0x1p-64, 0x1p-30, 1e300, HUGE_VAL, (double)NAN, -0.0 };
    mpx_cast_options opt = options_of(MPX_ROUND_NEAREST, 0);
    unsigned char out[1];
    size_t t, i;
    int mode, k;
    for (t = 0; t < 6; t++)
        for (mode = MPX_INT_TRUNCATE; mode <= MPX_INT_DOWN; mode++) {
            const mpx_int_rounding rounding = (mpx_int_rounding)mode;
            /* All halves about zero and about the ends of 8 and 16 bits, some between. */
            for (k = -140000; k <= 140000; k += abs(k) < 600 || abs(abs(k) - 65536) < 9 ||
                                                 abs(abs(k) - 131072) < 9 ? 1 : 7) {
                check_whole(types[t], k / 2.0, rounding);
                check_whole(types[t], nextafter(k / 2.0, 1e9), rounding);
                check_whole(types[t], nextafter(k / 2.0, -1e9), rounding);
            }
            for (i = 0; i < 8; i++) {
                check_whole(types[t], few[i], rounding);
                check_whole(types[t], -few[i], rounding);
            }
            for (k = -9; k <= 9; k++) {
                check_whole(types[t], 2147483648.0 + k / 2.0, rounding);
                check_whole(types[t], -2147483648.0 + k / 2.0, rounding);
                check_whole(types[t], 4294967296.0 + k / 2.0, rounding);
            }
        }
    opt.int_rounding = (mpx_int_rounding)(MPX_INT_DOWN + 1);
    CHECK(mpx_cast_with(out, MPX_I8, few, MPX_F64, 1, &opt) == MPX_ERR_ARGUMENT, "mode 4");
}

/* The same for 64 bits, whose ends and their neighbours in f64 are whole: up, and down. */
static void case_int_rounding_64(void) {
    static const struct {
        mpx_dtype dst;
        double x;
        uint64_t up, down;
        int up_is_beyond, down_is_beyond;
    } rows[] = {
        { MPX_I64, 0x1p63, INT64_MAX, INT64_MAX, 1, 1 },
        { MPX_I64, 0x1.fffffffffffffp62, 0x7ffffffffffffc00u, 0x7ffffffffffffc00u, 0, 0 },
        { MPX_I64, -0x1p63, 0x8000000000000000u, 0x8000000000000000u, 0, 0 },
        { MPX_I64, -0x1.0000000000001p63, 0x8000000000000000u, 0x8000000000000000u, 1, 1 },
        { MPX_I64, 0.25, 1, 0, 0, 0 },
        { MPX_U64, 0x1p64, UINT64_MAX, UINT64_MAX, 1, 1 },
        { MPX_U64, 0x1.fffffffffffffp63, 0xfffffffffffff800u, 0xfffffffffffff800u, 0, 0 },
        { MPX_U64, -0.25, 0, 0, 0, 1 },
        { MPX_U64, -1, 0, 0, 1, 1 },
    };
    size_t i, down;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (down = 0; down < 2; down++) {
            mpx_cast_options opt = options_of(MPX_ROUND_NEAREST, 0);
            mpx_cast_stats stats;
            uint64_t out = 7;
            memset(&stats, 0, sizeof stats);
            opt.int_rounding = down ? MPX_INT_DOWN : MPX_INT_UP;
            opt.stats = &stats;
            CHECK(mpx_cast_with(&out, rows[i].dst, &rows[i].x, MPX_F64, 1, &opt) == MPX_OK &&
                      out == (down ? rows[i].down : rows[i].up),
                  "%a to %s: %lx", rows[i].x, name_of(rows[i].dst), (unsigned long)out);
            CHECK((int)stats.overflowed == (down ? rows[i].down_is_beyond : rows[i].up_is_beyond),
                  "%a to %s: %lu overflowed", rows[i].x, name_of(rows[i].dst), (unsigned long)stats.overflowed);
        }
}

/* Of codes that are moved to a byte each, on either side: the results are those without statistics. */
static void case_stats_of_layouts(void) {
    static const mpx_dtype sources[] = { MPX_F4E2M1FN, MPX_I4, MPX_F32 };
    enum { N = 140 };
    unsigned char in[N * 4], plain[N], counted[N];
    size_t i, k;
    for (i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 37u & 0x7fu);
    for (k = 0; k < 27; k++) {
        mpx_cast_options opt = options_of(MPX_ROUND_NEAREST, 0);
        mpx_cast_stats stats;
        memset(&stats, 0, sizeof stats), memset(plain, 0, N), memset(counted, 0, N);
        opt.dst_layout = (mpx_layout)(k % 3), opt.src_layout = (mpx_layout)(k / 3 % 3);
        (void)mpx_cast_with(plain, MPX_F4E2M1FN, in, sources[k / 9], N, &opt);
        opt.stats = &stats;
        (void)mpx_cast_with(counted, MPX_F4E2M1FN, in, sources[k / 9], N, &opt);
        CHECK(memcmp(counted, plain, N) == 0 && stats.count == N, "layouts %lu", (unsigned long)k);
    }
}

/* Whatever becomes of subnormals: with flush-to-zero alone, printing one did not end. */
static void case_subnormal_report(void) {
    const uint64_t before = control_get();
    const int words[4] = { 0, FLUSH_FIRST, FLUSH_SECOND, FLUSH_FIRST | FLUSH_SECOND };
    mpx_cast_report report;
    char buf[MPX_ERROR_TEXT_SIZE];
    int i;
    memset(&report, 0, sizeof report);
    report.from = MPX_F64, report.to = MPX_F32, report.stats.count = 1;
    report.stats.max_abs = 2e-310;
    for (i = 0; i < 4; i++) {
        control_set(before | (uint64_t)words[i]);
        mpx_cast_report_format(&report, buf, sizeof buf);
        control_set(before);
        CHECK(strstr(buf, "up to 2.00e-310") != NULL, "mode %d: '%s'", i, buf);
    }
}

int main(int argc, char **argv) {
    int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (quick) every_narrow_code = 7, every_wide_code = 25, every_rounded_code = 29;
    test_named_cases();
    test_ranges();
    case_int64_overflow();
    case_bool_and_f64_max();
    case_stats_with_daz();
    case_subnormal_report();
    case_small_integers();
    case_e8m0_scale_of_zeros();
    case_int_rounding();
    case_int_rounding_64();
    case_stats_of_layouts();
    case_complex_stats();
    case_silent_leaf();
    case_lost_specials();
    if (!quick) test_all_pairs();
    test_means();
    test_words();
    test_randomness();
    find_specials();
    if (!quick) test_stochastic_pairs();
    test_stochastic_among();
    if (!quick) test_stochastic_carry();
    test_stochastic_below();
    test_stochastic_exact();
    test_stochastic_split();
    test_round_to_all();
    test_round_to_is_two_casts();
    test_round_to_lengths();
    test_round_to_options();
    test_layouts();
    test_gguf_order();
    test_cast_with_errors();
    test_plain_and_complex();
    test_strided();
    test_moved();
    test_islands();
    test_strided_constant();
    test_strided_errors();
    test_rebias();
    test_stats_pairs();
    test_rms_and_sqnr();
    test_sums_out_of_range();
    case_errors_out_of_range();
    test_dry_run_order();
    test_dry_run_many();
    case_negative_sqnr();
    test_dry_run_errors();
    test_dry_run_struct();
    test_dry_run_leaves();
    test_report_format();
    return test_done("test_cast_with");
}
