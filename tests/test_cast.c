/* Casts, dtype facts, the finite check and scaling against tests/ref.h: every pair of dtypes, every
   code of the types of at most 16 bits, every rounding class of the wider ones, every length up to
   300 at the edge of a page. Run from the repository root (reads tests/golden).

   test_cast --quick     without what test_hashes and test_align see too; fewer scales, and fewer
                         numbers among ordinary ones
   test_cast --quick K   of the pairs a quarter, K from 0 to 3 */
#include "pages.h"
#include <limits.h>
#include "test.h"
#include "ref.h"

/* Print a code with as many digits as its type has. */
#define HEX(type, code) (ref_formats[type].bits + 3) / 4, (unsigned long long)(code)

static const char *name_of(mpx_dtype type) { return ref_formats[type].name; }

/* ---- scores: one row per kind of source, one column per kind of target ----------------------- */

enum { ROW_SMALL_FLOAT, ROW_HALF, ROW_F32, ROW_F64, ROW_SMALL_INT, ROW_INT, ROW_COUNT };
static const char *const row_names[ROW_COUNT] = {
    "f8 f6 f4: all codes", "f16 bf16: all codes",     "f32: classes",
    "f64: classes",        "bool i2..u16: all codes", "i32 u32 i64 u64: classes",
};
typedef struct score {
    unsigned long pairs, checked, failed;
} score;
static score scores[ROW_COUNT][2];

static score *score_of(mpx_dtype dst, mpx_dtype src) {
    int bits = ref_formats[src].bits, row;
    if (ref_is_float(src))
        row = bits < 16 ? ROW_SMALL_FLOAT : bits == 16 ? ROW_HALF : bits == 32 ? ROW_F32 : ROW_F64;
    else
        row = bits <= 16 ? ROW_SMALL_INT : ROW_INT;
    return &scores[row][!ref_is_float(dst)];
}

static void print_scores(const char *what) {
    int row;
    printf("%-26s %35s %35s\n", what, "to floats: pairs   checked  failed",
           "to ints: pairs   checked  failed");
    for (row = 0; row < ROW_COUNT; row++) {
        score *f = &scores[row][0], *i = &scores[row][1];
        if (f->pairs + i->pairs == 0) continue;
        printf("%-26s %16lu %9lu %7lu  %17lu %9lu %7lu%s\n", row_names[row], f->pairs, f->checked,
               f->failed, i->pairs, i->checked, i->failed, f->failed + i->failed ? "  FAILED" : "");
    }
    memset(scores, 0, sizeof scores);
}

/* ---- every pair, every class ----------------------------------------------------------------- */

enum { BATCH = 4096 };

/* Source codes on their way through one mpx_cast call. */
typedef struct batch {
    mpx_dtype dst, src;
    score *total;
    size_t count;
    uint64_t codes[BATCH];
} batch;

static unsigned char src_bytes[BATCH * 8], dst_bytes[BATCH * 8];

static void check_code(const batch *b, size_t i) {
    uint64_t got = ref_load(b->dst, dst_bytes, i), want = ref_cast(b->dst, b->src, b->codes[i]);
    b->total->checked++;
    test_checks++;
    if (got == want) return;
    b->total->failed++;
    test_fail(__FILE__, __LINE__, "%s->%s i=%lu: src 0x%0*llx got 0x%0*llx want 0x%0*llx",
              name_of(b->src), name_of(b->dst), (unsigned long)i, HEX(b->src, b->codes[i]),
              HEX(b->dst, got), HEX(b->dst, want));
}

static void flush_batch(batch *b) {
    size_t i;
    for (i = 0; i < b->count; i++)
        ref_store(b->src, src_bytes, i, b->codes[i]);
    CHECK(mpx_cast(dst_bytes, b->dst, src_bytes, b->src, b->count) == MPX_OK, "%s->%s: not MPX_OK",
          name_of(b->src), name_of(b->dst));
    for (i = 0; i < b->count; i++)
        check_code(b, i);
    b->count = 0;
}

static void take_into_batch(void *user, uint64_t code) {
    batch *b = (batch *)user;
    b->codes[b->count++] = code;
    if (b->count == BATCH) flush_batch(b);
}

static void test_pair(mpx_dtype dst, mpx_dtype src) {
    static batch b;
    b.dst = dst, b.src = src, b.total = score_of(dst, src), b.count = 0;
    b.total->pairs++;
    ref_sweep(dst, src, 10, take_into_batch, &b);
    flush_batch(&b);
}

static void test_all_pairs(void) {
    mpx_dtype dst, src;
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++)
            test_pair(dst, src);
    print_scores("mpx_cast");
}

/* A code that differs from its neighbours, of every magnitude and sign. */
static uint64_t scattered_code(mpx_dtype type, size_t i) {
    uint64_t x = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;
    return (x ^ x >> 29) & ref_low_mask(ref_formats[type].bits);
}

/* ---- one among ordinary numbers -------------------------------------------------------------- */

/* Rows cast or scale a block of ordinary numbers in one way and a block with anything else in
   another. So: ordinary numbers, and among them one code of each class, at all places of a block by
   turns. */
enum { GROUP = 64, GROUPS = BATCH / GROUP }; /* a group: one block of the largest, or several */

static size_t every_code = 1; /* --quick: of the codes, one in so many */
static int quarter = -1;      /* of the pairs; all if negative */

static int has_pair(mpx_dtype dst, mpx_dtype src) {
    return quarter < 0 || (dst + 2 * src + src / 2) % 4 == quarter;
}

enum { CAST, SCALE, UNSCALE };
typedef struct company {
    mpx_dtype dst, src;
    int operation;
    uint32_t by; /* scaled or unscaled by */
    size_t seen, turn, count, places[GROUPS];
    uint64_t ordinary[BATCH], becomes[BATCH];
    unsigned char want[BATCH * 8];
} company;

/* Neither ties nor ends of a range, as a rule: of 53 random bits, from 2^-6 to 2^6. */
static uint64_t ordinary_code(mpx_dtype type, size_t i) {
    uint64_t x = scattered_code(MPX_U64, i);
    ref_real real = ref_make(REF_FINITE, (int)(x & 1), x >> 11 | (uint64_t)1 << 52,
                             (int)(x >> 1 & 0xff) % 13 - 58);
    return ref_encode(type, &real);
}

static void company_place(company *c, size_t at, uint64_t code, uint64_t want) {
    ref_store(c->src, src_bytes, at, code);
    ref_store(c->dst, c->want, at, want);
}

static uint64_t company_result(const company *c, uint64_t code) {
    ref_real x = ref_decode(c->src, code), by = ref_decode(MPX_F32, c->by);
    if (c->operation == CAST) return ref_cast(c->dst, c->src, code);
    x = c->operation == SCALE ? ref_product(x, by) : ref_quotient(x, by);
    return ref_encode(c->dst, &x);
}

static mpx_status company_run(const company *c, int *finite) {
    float by = ref_float(c->by);
    if (c->operation == SCALE) return mpx_scale(dst_bytes, c->dst, src_bytes, c->src, BATCH, by);
    if (c->operation == UNSCALE)
        return mpx_unscale(dst_bytes, c->dst, src_bytes, c->src, BATCH, by, finite);
    return mpx_cast(dst_bytes, c->dst, src_bytes, c->src, BATCH);
}

static void company_check(company *c) {
    size_t i, n;
    int finite = -1, want_finite = 1;
    CHECK(company_run(c, &finite) == MPX_OK, "%s->%s: not MPX_OK", name_of(c->src),
          name_of(c->dst));
    for (i = 0; i < BATCH && c->operation == UNSCALE; i++)
        want_finite &= ref_is_finite(c->dst, ref_load(c->dst, c->want, i));
    CHECK(c->operation != UNSCALE || finite == want_finite,
          "%s->%s / 0x%08lx among ordinary numbers: *finite %d, want %d", name_of(c->src),
          name_of(c->dst), (unsigned long)c->by, finite, want_finite);
    test_checks += c->count;
    n = memcmp(dst_bytes, c->want, ref_bytes(c->dst, BATCH)) != 0 ? BATCH : 0;
    for (i = 0; i < n; i++) { /* which are wrong */
        uint64_t got = ref_load(c->dst, dst_bytes, i), want = ref_load(c->dst, c->want, i);
        CHECK(got == want,
              "%s->%s%s i=%lu among ordinary numbers: src 0x%0*llx got 0x%0*llx want 0x%0*llx",
              name_of(c->src), name_of(c->dst), c->operation != CAST ? " scaled" : "",
              (unsigned long)i,
              HEX(c->src, ref_load(c->src, src_bytes, i)), HEX(c->dst, got), HEX(c->dst, want));
    }
    for (; c->count != 0; c->count--) {
        size_t at = c->places[c->count - 1];
        company_place(c, at, c->ordinary[at], c->becomes[at]);
    }
}

static void take_into_company(void *user, uint64_t code) {
    company *c = (company *)user;
    size_t at = c->count * GROUP + (c->turn + c->turn / GROUP) % GROUP;
    if (c->seen++ % every_code != 0) return;
    c->turn++;
    c->places[c->count++] = at;
    company_place(c, at, code, company_result(c, code));
    if (c->count == GROUPS) company_check(c);
}

/* Rows cast f64 through f32, so the neighbours of ties there count as well. */
static void take_f32_into_company(void *user, uint64_t code) {
    take_into_company(user, ref_cast(MPX_F64, MPX_F32, code));
}

static void company_gather(company *c, mpx_dtype dst, mpx_dtype src, int operation, uint32_t by) {
    size_t i;
    c->dst = dst, c->src = src, c->operation = operation, c->by = by;
    c->seen = c->turn = c->count = 0;
    for (i = 0; i < BATCH; i++) {
        c->ordinary[i] = ordinary_code(src, i);
        c->becomes[i] = company_result(c, c->ordinary[i]);
        company_place(c, i, c->ordinary[i], c->becomes[i]);
    }
    company_check(c);
}

static void test_company(mpx_dtype dst, mpx_dtype src) {
    static company c;
    company_gather(&c, dst, src, CAST, 0);
    ref_sweep(dst, src, 10, take_into_company, &c);
    if (src == MPX_F64) ref_sweep(dst, MPX_F32, 10, take_f32_into_company, &c);
    company_check(&c);
}

static void test_all_company(void) {
    unsigned long before = test_checks;
    mpx_dtype dst, src;
    for (src = REF_FIRST; src <= REF_LAST_FLOAT; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++)
            if (has_pair(dst, src)) test_company(dst, src);
    printf("one among ordinary numbers: %lu checks\n", test_checks - before);
}

/* A call for one element goes another way than a call for many. */
typedef struct pair_of_dtypes {
    mpx_dtype dst, src;
    size_t seen;
} pair_of_dtypes;

static void take_alone(void *user, uint64_t code) {
    pair_of_dtypes *pair = (pair_of_dtypes *)user;
    unsigned char in[8] = { 0 }, out[8] = { 0 };
    uint64_t got, want = ref_cast(pair->dst, pair->src, code);
    if (pair->seen++ % (every_code * every_code) != 0) return;
    ref_store(pair->src, in, 0, code);
    CHECK(mpx_cast(out, pair->dst, in, pair->src, 1) == MPX_OK, "%s->%s: not MPX_OK",
          name_of(pair->src), name_of(pair->dst));
    got = ref_load(pair->dst, out, 0);
    CHECK(got == want, "%s->%s alone: src 0x%0*llx got 0x%0*llx want 0x%0*llx", name_of(pair->src),
          name_of(pair->dst), HEX(pair->src, code), HEX(pair->dst, got), HEX(pair->dst, want));
}

static void test_all_alone(void) {
    unsigned long before = test_checks;
    mpx_dtype dst, src;
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            pair_of_dtypes pair;
            pair.dst = dst, pair.src = src, pair.seen = 0;
            ref_sweep(dst, src, 10, take_alone, &pair);
        }
    printf("one alone: %lu checks\n", test_checks - before);
}

/* All codes of 16 bits times powers of two, and divided by them. By the first of these, ordinary
   numbers stay in the range of f16. */
static void test_scaled_company(void) {
    static const int exponents[] = { 0,  1,   -1, 7,   -7,  14,   -14, 16,  -16,
                                     30, -30, 70, -70, 100, -100, 126, -126 };
    static company c;
    unsigned long before = test_checks;
    size_t i;
    uint64_t code;
    for (i = 0; i < 4 * (sizeof exponents / sizeof *exponents); i++) {
        mpx_dtype type = i % 2 ? MPX_F16 : MPX_BF16;
        uint32_t by = (uint32_t)(127 + exponents[i / 4]) << 23;
        if (quarter >= 0 && (int)(i / 4 % 4) != quarter) continue;
        company_gather(&c, type, type, i / 2 % 2 ? SCALE : UNSCALE, by);
        c.turn = i * 5; /* each code at another place */
        for (code = i % every_code; code < 0x10000u; code++)
            take_into_company(&c, code);
        company_check(&c);
    }
    printf("one among ordinary numbers, scaled: %lu checks\n", test_checks - before);
}

/* ---- named cases ----------------------------------------------------------------------------- */

/* One code through mpx_cast, compared with a constant that stands here in the text, and the oracle
   with it too. */
static void check_one(mpx_dtype dst, mpx_dtype src, uint64_t code, uint64_t want) {
    unsigned char in[8] = { 0 }, out[8] = { 0 };
    uint64_t got;
    ref_store(src, in, 0, code);
    CHECK(mpx_cast(out, dst, in, src, 1) == MPX_OK, "%s->%s: not MPX_OK", name_of(src),
          name_of(dst));
    got = ref_load(dst, out, 0);
    CHECK(got == want, "%s->%s i=0: src 0x%0*llx got 0x%0*llx want 0x%0*llx", name_of(src),
          name_of(dst), HEX(src, code), HEX(dst, got), HEX(dst, want));
    got = ref_cast(dst, src, code);
    CHECK(got == want, "oracle %s->%s: src 0x%0*llx got 0x%0*llx want 0x%0*llx", name_of(src),
          name_of(dst), HEX(src, code), HEX(dst, got), HEX(dst, want));
}

/* Values just beside a tie of the target, so close that f32 holds the tie: through f32 they would
   round twice. f64 -431.99999999999994 is below the tie of 416 and 448; the others are just above 1
   + half an ulp. */
static void case_f64_rounds_once(void) {
    check_one(MPX_F8E4M3FN, MPX_F64, ref_double_bits(-431.99999999999994), 0xfd); /* -416 */
    check_one(MPX_F8E4M3FN, MPX_F64, ref_double_bits(-432.0),
              0xfe);                                           /* the tie itself: -448 is even */
    check_one(MPX_BF16, MPX_F64, 0x3ff0100000001000u, 0x3f81); /* 1 + 2^-8 + 2^-40: 1.0078125 */
    check_one(MPX_BF16, MPX_F64, 0x3ff0100000000000u, 0x3f80); /* 1 + 2^-8: tie */
    check_one(MPX_F16, MPX_F64, 0x3ff0020000001000u, 0x3c01);  /* 1 + 2^-11 + 2^-40 */
    check_one(MPX_F16, MPX_F64, 0x3ff0020000000000u, 0x3c00);  /* 1 + 2^-11: tie */
}

/* Integers wider than the 24 bits of f32 step through it just as badly. */
static void case_int_rounds_once(void) {
    check_one(MPX_BF16, MPX_I32, 0x40400001u, 0x4e81);         /* 2^30 + 2^22 + 1: above the tie */
    check_one(MPX_BF16, MPX_I32, 0x40400000u, 0x4e80);         /* the tie */
    check_one(MPX_BF16, MPX_U64, 0x8080000000000001u, 0x5f01); /* 2^63 + 2^55 + 1 */
    check_one(MPX_F16, MPX_I64, 65519, 0x7bff); /* below the overflow threshold 65520 */
    check_one(MPX_F16, MPX_I64, 65520, 0x7c00);
    check_one(MPX_F32, MPX_I64, 0x4000004000000001, 0x5e800001); /* 2^62 + 2^38 + 1 */
    check_one(MPX_F64, MPX_U64, ~(uint64_t)0, 0x43f0000000000000u);
}

/* f16 ties below its smallest subnormal: 2^-25 is half of it and goes to zero, anything above to
   2^-24. */
static void case_f16_tie_below_min_subnormal(void) {
    check_one(MPX_F16, MPX_F32, 0x33000000u, 0x0000);
    check_one(MPX_F16, MPX_F32, 0x33000001u, 0x0001);
    check_one(MPX_F16, MPX_F32, 0xb3000000u, 0x8000);
    check_one(MPX_F16, MPX_F64, 0x3e60000000000001u, 0x0001);
}

/* Half an ulp above the largest value: to the even code, which in e4m3fn is the largest value
   itself. */
static void case_overflow_ties(void) {
    check_one(MPX_F8E4M3FN, MPX_F32, 0x43e80000u, 0x7e); /* 464 */
    check_one(MPX_F8E4M3FN, MPX_F32, 0x43e80001u, 0x7f);
    check_one(MPX_F8E4M3FN, MPX_F32, 0x7f800000u, 0x7f); /* Inf: NaN */
    check_one(MPX_F8E4M3FN, MPX_F32, 0xff800000u, 0xff);
    check_one(MPX_F8E5M2, MPX_F32, 0x47700000u, 0x7c); /* 61440 */
    check_one(MPX_F8E4M3, MPX_F32, 0x43780000u, 0x78); /* 248 */
    check_one(MPX_F8E4M3FNUZ, MPX_F32, 0x43780000u, 0x80);
    check_one(MPX_F8E5M2FNUZ, MPX_F32, 0x47700000u, 0x80);
    check_one(MPX_F8E4M3B11FNUZ, MPX_F32, 0x41f80000u, 0x80); /* 31 */
    check_one(MPX_F8E3M4, MPX_F32, 0x417c0000u, 0x70);        /* 15.75 */
    check_one(MPX_F16, MPX_F32, 0x477fefffu, 0x7bff);         /* below 65520 */
    check_one(MPX_F16, MPX_F32, 0x477ff000u, 0x7c00);         /* 65520 */
    check_one(MPX_F6E2M3FN, MPX_F32, 0xff800000u, 0x3f);      /* f6 and f4 saturate */
    check_one(MPX_F6E3M2FN, MPX_F32, 0x7149f2cau, 0x1f);
    check_one(MPX_F4E2M1FN, MPX_F32, 0x40e00000u, 0x7);
}

/* e8m0 has nothing below 2^-127. Up to the midpoint 1.5 * 2^-127 that is the nearest, from there on
   2^-126: not as ml_dtypes 0.6.0, which gives 2^-126 for all of (2^-127, 2^-126). */
static void case_e8m0_tiny_is_nearest(void) {
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x00000001u, 0x00);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x00400000u, 0x00); /* 2^-127 */
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x00400001u, 0x00);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x005fffffu, 0x00);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x00600000u, 0x01); /* 1.5 * 2^-127 */
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x007fffffu, 0x01);
    check_one(MPX_F8E8M0FNU, MPX_F64, 1, 0x00);
    check_one(MPX_F8E8M0FNU, MPX_F64, 0x3807ffffffffffffu, 0x00);
    check_one(MPX_F8E8M0FNU, MPX_F64, 0x3808000000000000u, 0x01);
}

static void case_e8m0_ties_up_and_refuses(void) {
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x3f8ccccdu, 0x7f); /* 1.1 */
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x3fbfffffu, 0x7f);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x3fc00000u, 0x80); /* 1.5 */
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x40400000u, 0x81); /* 3 */
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x7f3fffffu, 0xfe);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x7f400000u, 0xff); /* 1.5 * 2^127 */
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x00000000u, 0xff);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0xbf800000u, 0xff);
    check_one(MPX_F8E8M0FNU, MPX_F32, 0x7f800000u, 0xff);
    check_one(MPX_F8E8M0FNU, MPX_BOOL, 0, 0xff);
    check_one(MPX_F8E8M0FNU, MPX_I2, 3, 0xff);
    check_one(MPX_BOOL, MPX_F8E8M0FNU, 0x00, 1);
}

static void case_nan(void) {
    check_one(MPX_BF16, MPX_F32, 0x7f800001u, 0x7fc0); /* signalling: quiet */
    check_one(MPX_BF16, MPX_F32, 0xffc12345u, 0xffc1); /* leading payload bits stay */
    check_one(MPX_F16, MPX_F32, 0x7fa12345u, 0x7f09);
    check_one(MPX_F32, MPX_F64, 0xfff0000000000001u, 0xffc00000u);
    check_one(MPX_F64, MPX_F32, 0x7f800001u, 0x7ff8000020000000u);
    check_one(MPX_F32, MPX_F16, 0x7d01, 0x7fe02000u);
    check_one(MPX_F32, MPX_F8E4M3FNUZ, 0x80, 0xffc00000u);
    check_one(MPX_F32, MPX_F8E4M3FN, 0x7f, 0x7fc00000u);
    check_one(MPX_F32, MPX_F8E4M3FN, 0xff, 0xffc00000u);
    check_one(MPX_F32, MPX_F8E8M0FNU, 0xff, 0x7fc00000u);
    check_one(MPX_F8E4M3FN, MPX_F32, 0xffc00000u, 0xff);
    check_one(MPX_F8E5M2FNUZ, MPX_F32, 0x7fc00000u, 0x80);
    check_one(MPX_F6E2M3FN, MPX_F32, 0x7fc00000u, 0x20); /* no NaN: +NaN gives -0, -NaN +0 */
    check_one(MPX_F6E3M2FN, MPX_F32, 0xffc00000u, 0x00);
    check_one(MPX_F4E2M1FN, MPX_F32, 0x7fc00000u, 0x8);
}

static void case_fnuz_has_no_negative_zero(void) {
    check_one(MPX_F8E4M3FNUZ, MPX_F32, 0x80000000u, 0x00);
    check_one(MPX_F8E5M2FNUZ, MPX_F32, 0x80000001u, 0x00);
    check_one(MPX_F8E4M3B11FNUZ, MPX_F64, 0x8000000000000001u, 0x00);
}

static void case_float_to_int(void) {
    check_one(MPX_I8, MPX_F32, 0xc3004000u, 0x80); /* -128.25 truncates */
    check_one(MPX_I8, MPX_F32, 0x43000000u, 0x7f); /* 128 saturates */
    check_one(MPX_U8, MPX_F32, 0xbf7fffffu, 0x00); /* -0.99 truncates to 0 */
    check_one(MPX_U8, MPX_F32, 0xff800000u, 0x00);
    check_one(MPX_I4, MPX_F32, 0x43960000u, 0x7);                          /* 300 */
    check_one(MPX_I64, MPX_F64, 0x43e0000000000000u, 0x7fffffffffffffffu); /* 2^63 */
    check_one(MPX_U64, MPX_F64, 0x43efffffffffffffu, 0xfffffffffffff800u);
    check_one(MPX_U64, MPX_F32, 0x7f800000u, ~(uint64_t)0);
    check_one(MPX_I32, MPX_F32, 0x7fc00000u, 0);
    check_one(MPX_BOOL, MPX_F32, 0x7fc00000u, 1); /* NaN is true */
    check_one(MPX_BOOL, MPX_F32, 0x80000000u, 0);
    check_one(MPX_BOOL, MPX_F64, 1, 1);
    check_one(MPX_I8, MPX_BOOL, 7, 1);
    check_one(MPX_U2, MPX_I64, ~(uint64_t)0, 0);
    check_one(MPX_I2, MPX_U64, ~(uint64_t)0, 1);
}

static void case_same_dtype_copies_bits(void) {
    check_one(MPX_F32, MPX_F32, 0x7f800001u, 0x7f800001u); /* a signalling NaN survives */
    check_one(MPX_F64, MPX_F64, 0xfff0000000000001u, 0xfff0000000000001u);
    check_one(MPX_F16, MPX_F16, 0x7c01, 0x7c01);
    check_one(MPX_BF16, MPX_BF16, 0xff81, 0xff81);
    check_one(MPX_F8E5M2, MPX_F8E5M2, 0x7d, 0x7d);
    check_one(MPX_BOOL, MPX_BOOL, 7, 7);
}

static void test_named_cases(void) {
    case_f64_rounds_once();
    case_int_rounds_once();
    case_f16_tie_below_min_subnormal();
    case_overflow_ties();
    case_e8m0_tiny_is_nearest();
    case_e8m0_ties_up_and_refuses();
    case_nan();
    case_fnuz_has_no_negative_zero();
    case_float_to_int();
    case_same_dtype_copies_bits();
}

/* ---- buffers at the edge of a page ----------------------------------------------------------- */

enum { LONGEST = 300, CANARY = 0xa5 };
static const size_t margin = 64; /* bytes beside a buffer that are watched */

/* size bytes between two pages that must not be touched. */
typedef struct fenced {
    unsigned char *bytes;
    size_t size;
} fenced;

static fenced fenced_make(void) {
    fenced area;
    area.size = 8192;
    area.bytes = fenced_pages(&area.size);
    memset(area.bytes, CANARY, area.size);
    return area;
}

/* size bytes at the end of the area if offset < 0, else offset bytes after its start. */
static unsigned char *fenced_place(const fenced *area, size_t size, int offset) {
    return offset < 0 ? area->bytes + area->size - size : area->bytes + offset;
}

/* The bytes beside [at, at + size), as far as margin and the area go, still are the canary. */
static int canaries_live(const fenced *area, const unsigned char *at, size_t size) {
    size_t before = (size_t)(at - area->bytes), after = area->size - before - size, i;
    for (i = 1; i <= before && i <= margin; i++)
        if (*(at - i) != CANARY) return 0;
    for (i = 0; i < after && i < margin; i++)
        if (at[size + i] != CANARY) return 0;
    return 1;
}

static void paint(const fenced *area, unsigned char *at, size_t size) {
    size_t before = (size_t)(at - area->bytes), left = before < margin ? before : margin;
    size_t after = area->size - before - size, right = after < margin ? after : margin;
    memset(at - left, CANARY, left + size + right);
}

/* LONGEST source elements of one type and what they become. */
typedef struct sample {
    mpx_dtype dst, src;
    unsigned char from[LONGEST * 8], to[LONGEST * 8];
} sample;

static void sample_fill(sample *s, mpx_dtype dst, mpx_dtype src) {
    size_t i;
    memset(s, 0, sizeof *s);
    s->dst = dst, s->src = src;
    for (i = 0; i < LONGEST; i++) {
        ref_store(src, s->from, i, scattered_code(src, i));
        ref_store(dst, s->to, i, ref_cast(dst, src, scattered_code(src, i)));
    }
}

/* got holds the first n elements: equal bytes, and zeros in the unused bits of the last one. */
static int same_elements(const sample *s, const unsigned char *got, size_t n) {
    size_t bits = n * (size_t)ref_formats[s->dst].bits, whole = bits / 8;
    if (memcmp(got, s->to, whole) != 0) return 0;
    return bits % 8 == 0 || got[whole] == (s->to[whole] & ((1u << bits % 8) - 1u));
}

static void check_layout(const sample *s, const fenced *in, const fenced *out, size_t n,
                         int in_offset, int out_offset) {
    size_t in_size = ref_bytes(s->src, n), out_size = ref_bytes(s->dst, n);
    unsigned char *from = fenced_place(in, in_size, in_offset),
                  *to = fenced_place(out, out_size, out_offset);
    mpx_status status;
    memcpy(from, s->from, in_size);
    paint(out, to, out_size);
    status = mpx_cast(to, s->dst, from, s->src, n);
    CHECK(status == MPX_OK && same_elements(s, to, n), "%s->%s n=%lu at +%d -> +%d: wrong",
          name_of(s->src), name_of(s->dst), (unsigned long)n, in_offset, out_offset);
    CHECK(canaries_live(out, to, out_size), "%s->%s n=%lu at +%d -> +%d: wrote outside",
          name_of(s->src), name_of(s->dst), (unsigned long)n, in_offset, out_offset);
}

/* dst == src where dst is no wider. The bytes of src after the result stay as they were. */
static void check_in_place(const sample *s, const fenced *area, size_t n, int offset) {
    size_t in_size = ref_bytes(s->src, n), out_size = ref_bytes(s->dst, n);
    unsigned char *at = fenced_place(area, in_size, offset);
    paint(area, at, in_size);
    memcpy(at, s->from, in_size);
    CHECK(mpx_cast(at, s->dst, at, s->src, n) == MPX_OK && same_elements(s, at, n),
          "%s->%s n=%lu in place: wrong", name_of(s->src), name_of(s->dst), (unsigned long)n);
    CHECK(memcmp(at + out_size, s->from + out_size, in_size - out_size) == 0 &&
              canaries_live(area, at, in_size),
          "%s->%s n=%lu in place: wrote outside", name_of(s->src), name_of(s->dst),
          (unsigned long)n);
}

static void test_layout_of(const sample *s, const fenced *in, const fenced *out) {
    size_t n;
    int narrower = ref_formats[s->dst].bits <= ref_formats[s->src].bits;
    for (n = 0; n <= LONGEST; n++) {
        check_layout(s, in, out, n, -1, -1);
        check_layout(s, in, out, n, (int)(n % 8), (int)(n / 8 % 8));
        check_layout(s, in, out, n, (int)((n + 3) % 8), (int)((n / 8 + 1) % 8));
        if (narrower) check_in_place(s, in, n, n % 2 ? -1 : (int)(n / 2 % 8));
    }
}

static void test_layout(const fenced *in, const fenced *out) {
    static sample s;
    unsigned long before = test_checks;
    mpx_dtype dst, src;
    if (!HAVE_PAGES) printf("SKIP guard pages: no mmap here; canary bytes only\n");
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            sample_fill(&s, dst, src);
            test_layout_of(&s, in, out);
        }
    printf("layout: n 0..%d, guard pages %s, misaligned, in place: %lu checks\n", LONGEST,
           HAVE_PAGES ? "on both sides" : "not here", test_checks - before);
}

/* ---- the inline helpers ---------------------------------------------------------------------- */

/* The four types with inline helpers, behind one signature. The float forms go through memory and
   back. */
typedef struct helper {
    mpx_dtype type;
    uint32_t (*from_bits)(uint32_t bits), (*from_f32)(uint32_t bits), (*to_bits)(uint32_t code),
        (*to_f32)(uint32_t code);
} helper;

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t f16_from_bits(uint32_t u) { return mpx_f16_from_bits(u); }
static uint32_t f16_from_f32(uint32_t u) { return mpx_f16_from_f32(ref_float(u)); }
static uint32_t f16_to_bits(uint32_t c) { return mpx_f16_to_bits((uint16_t)c); }
static uint32_t f16_to_f32(uint32_t c) { return bits_of(mpx_f16_to_f32((uint16_t)c)); }
static uint32_t bf16_from_bits(uint32_t u) { return mpx_bf16_from_bits(u); }
static uint32_t bf16_from_f32(uint32_t u) { return mpx_bf16_from_f32(ref_float(u)); }
static uint32_t bf16_to_bits(uint32_t c) { return mpx_bf16_to_bits((uint16_t)c); }
static uint32_t bf16_to_f32(uint32_t c) { return bits_of(mpx_bf16_to_f32((uint16_t)c)); }
static uint32_t e4m3fn_from_bits(uint32_t u) { return mpx_f8e4m3fn_from_bits(u); }
static uint32_t e4m3fn_from_f32(uint32_t u) { return mpx_f8e4m3fn_from_f32(ref_float(u)); }
static uint32_t e4m3fn_to_bits(uint32_t c) { return mpx_f8e4m3fn_to_bits((uint8_t)c); }
static uint32_t e4m3fn_to_f32(uint32_t c) { return bits_of(mpx_f8e4m3fn_to_f32((uint8_t)c)); }
static uint32_t e5m2_from_bits(uint32_t u) { return mpx_f8e5m2_from_bits(u); }
static uint32_t e5m2_from_f32(uint32_t u) { return mpx_f8e5m2_from_f32(ref_float(u)); }
static uint32_t e5m2_to_bits(uint32_t c) { return mpx_f8e5m2_to_bits((uint8_t)c); }
static uint32_t e5m2_to_f32(uint32_t c) { return bits_of(mpx_f8e5m2_to_f32((uint8_t)c)); }

static const helper helpers[] = {
    { MPX_F16, f16_from_bits, f16_from_f32, f16_to_bits, f16_to_f32 },
    { MPX_BF16, bf16_from_bits, bf16_from_f32, bf16_to_bits, bf16_to_f32 },
    { MPX_F8E4M3FN, e4m3fn_from_bits, e4m3fn_from_f32, e4m3fn_to_bits, e4m3fn_to_f32 },
    { MPX_F8E5M2, e5m2_from_bits, e5m2_from_f32, e5m2_to_bits, e5m2_to_f32 },
};

static void take_helper_source(void *user, uint64_t code) {
    const helper *h = (const helper *)user;
    uint64_t want = ref_cast(h->type, MPX_F32, code);
    uint32_t by_bits = h->from_bits((uint32_t)code), by_value = h->from_f32((uint32_t)code);
    CHECK(by_bits == want, "%s_from_bits: src 0x%08llx got 0x%0*llx want 0x%0*llx",
          name_of(h->type), (unsigned long long)code, HEX(h->type, by_bits), HEX(h->type, want));
    CHECK(by_value == want, "%s_from_f32: src 0x%08llx got 0x%0*llx want 0x%0*llx",
          name_of(h->type), (unsigned long long)code, HEX(h->type, by_value), HEX(h->type, want));
}

static void check_widened(const helper *h, const char *function, uint32_t code, uint32_t got) {
    uint64_t want = ref_cast(MPX_F32, h->type, code);
    CHECK(got == want, "%s%s: src 0x%0*llx got 0x%08lx want 0x%08lx", name_of(h->type), function,
          HEX(h->type, code), (unsigned long)got, (unsigned long)want);
}

static void test_helper(helper h) {
    uint32_t code, last = (uint32_t)ref_low_mask(ref_formats[h.type].bits);
    ref_sweep(h.type, MPX_F32, 10, take_helper_source, &h);
    for (code = 0; code <= last; code++) {
        check_widened(&h, "_to_bits", code, h.to_bits(code));
        check_widened(&h, "_to_f32", code, h.to_f32(code));
    }
}

static void test_helpers(void) {
    unsigned long before = test_checks;
    size_t i;
    for (i = 0; i < sizeof helpers / sizeof helpers[0]; i++)
        test_helper(helpers[i]);
    printf("inline helpers: 4 types, both ways: %lu checks\n", test_checks - before);
}

/* ---- facts about dtypes ---------------------------------------------------------------------- */

/* INTEROP section 5. Powers of two by their exponent; e8m0's "subnormal" is its minimum. */
typedef struct float_row {
    mpx_dtype type;
    int bits, exp, man, bias;
    double max;
    int min_normal, min_subnormal, eps, has_inf, has_nan, has_negative_zero;
} float_row;
static const float_row float_rows[] = {
    { MPX_F64, 64, 11, 52, 1023, 1.7976931348623157e308, -1022, -1074, -52, 1, 1, 1 },
    { MPX_F32, 32, 8, 23, 127, 3.4028234663852886e38, -126, -149, -23, 1, 1, 1 },
    { MPX_F16, 16, 5, 10, 15, 65504, -14, -24, -10, 1, 1, 1 },
    { MPX_BF16, 16, 8, 7, 127, 3.3895313892515355e38, -126, -133, -7, 1, 1, 1 },
    { MPX_F8E4M3, 8, 4, 3, 7, 240, -6, -9, -3, 1, 1, 1 },
    { MPX_F8E4M3FN, 8, 4, 3, 7, 448, -6, -9, -3, 0, 1, 1 },
    { MPX_F8E4M3FNUZ, 8, 4, 3, 8, 240, -7, -10, -3, 0, 1, 0 },
    { MPX_F8E4M3B11FNUZ, 8, 4, 3, 11, 30, -10, -13, -3, 0, 1, 0 },
    { MPX_F8E5M2, 8, 5, 2, 15, 57344, -14, -16, -2, 1, 1, 1 },
    { MPX_F8E5M2FNUZ, 8, 5, 2, 16, 57344, -15, -17, -2, 0, 1, 0 },
    { MPX_F8E3M4, 8, 3, 4, 3, 15.5, -2, -6, -4, 1, 1, 1 },
    { MPX_F8E8M0FNU, 8, 8, 0, 127, 1.7014118346046923e38, -127, -127, 0, 0, 1, 0 },
    { MPX_F6E2M3FN, 6, 2, 3, 1, 7.5, 0, -3, -3, 0, 0, 1 },
    { MPX_F6E3M2FN, 6, 3, 2, 3, 28, -2, -4, -2, 0, 0, 1 },
    { MPX_F4E2M1FN, 4, 2, 1, 1, 6, 0, -1, -1, 0, 0, 1 },
};

static double power_of_two(int exponent) {
    uint64_t normal = (uint64_t)(exponent + 1023) << 52;
    return ref_double(exponent >= -1022 ? normal : (uint64_t)1 << (exponent + 1074));
}

/* Doubles by their bits: -0 is not 0, and no comparison depends on a flush-to-zero mode. */
static void check_double(const char *type, const char *what, double got, double want) {
    CHECK(ref_double_bits(got) == ref_double_bits(want),
          "%s %s: got 0x%016llx (%.17g) want 0x%016llx (%.17g)", type, what,
          (unsigned long long)ref_double_bits(got), got, (unsigned long long)ref_double_bits(want),
          want);
}

static void check_long(const char *type, const char *what, long long got, long long want) {
    CHECK(got == want, "%s %s: got %lld want %lld", type, what, got, want);
}

static void test_float_facts(const float_row *row) {
    mpx_dtype_facts f = mpx_dtype_info(row->type);
    const char *name = name_of(row->type);
    double min = row->type == MPX_F8E8M0FNU ? power_of_two(-127) : -row->max;
    check_long(name, "kind", f.kind, MPX_KIND_FLOAT);
    check_long(name, "bits", f.bits, row->bits);
    check_long(name, "exponent_bits", f.exponent_bits, row->exp);
    check_long(name, "mantissa_bits", f.mantissa_bits, row->man);
    check_long(name, "bias", f.bias, row->bias);
    check_long(name, "has_inf", f.has_inf, row->has_inf);
    check_long(name, "has_nan", f.has_nan, row->has_nan);
    check_long(name, "has_negative_zero", f.has_negative_zero, row->has_negative_zero);
    check_double(name, "max", f.max, row->max);
    check_double(name, "min", f.min, min);
    check_double(name, "smallest_normal", f.smallest_normal, power_of_two(row->min_normal));
    check_double(name, "smallest_subnormal", f.smallest_subnormal,
                 power_of_two(row->min_subnormal));
    check_double(name, "epsilon", f.epsilon, power_of_two(row->eps));
    check_long(name, "mpx_dtype_is_floating", mpx_dtype_is_floating(row->type), 1);
}

static void test_int_facts(mpx_dtype type) {
    mpx_dtype_facts f = mpx_dtype_info(type);
    const ref_format *r = &ref_formats[type];
    int is_int = r->rule == REF_INT;
    uint64_t max = ref_low_mask(r->bits - is_int);
    check_long(r->name, "kind", f.kind, is_int ? MPX_KIND_INT : MPX_KIND_UINT);
    check_long(r->name, "int_min", f.int_min, is_int ? -(long long)max - 1 : 0);
    CHECK(f.int_max == max, "%s int_max: got %llu", r->name, (unsigned long long)f.int_max);
    CHECK(f.exponent_bits == 0 && f.mantissa_bits == 0 && f.bias == 0 && !f.has_inf && !f.has_nan && !f.has_negative_zero &&
              f.max == 0 && f.min == 0 && f.epsilon == 0 && f.smallest_normal == 0 && f.smallest_subnormal == 0,
          "%s has the facts of a float", r->name);
    check_long(r->name, "mpx_dtype_is_floating", mpx_dtype_is_floating(type), 0);
}

static void test_no_dtype(mpx_dtype type) {
    mpx_dtype_facts f = mpx_dtype_info(type);
    CHECK(f.bits == 0 && f.kind == MPX_KIND_NONE && f.max == 0 && f.int_max == 0,
          "dtype %d: facts not zero", type);
    CHECK(strcmp(f.name, "") == 0 && strcmp(f.short_name, "") == 0, "dtype %d: facts have a name",
          type);
    CHECK(mpx_dtype_name(type)[0] == 0 && mpx_dtype_short_name(type)[0] == 0, "dtype %d has a name",
          type);
    CHECK(mpx_dtype_bits(type) == 0 && !mpx_dtype_is_floating(type), "dtype %d has bits", type);
}

static const mpx_dtype no_dtypes[] = { MPX_NONE, -1,  MPX_DTYPE_COUNT, MPX_DTYPE_COUNT + 1, 255,
                                       256,      257, 0x7fffffff,      -0x7fffffff - 1 };
enum { NO_DTYPES = sizeof no_dtypes / sizeof no_dtypes[0] };

static void test_facts(void) {
    size_t i;
    mpx_dtype type;
    for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++) {
        CHECK(strcmp(mpx_dtype_short_name(type), name_of(type)) == 0,
              "dtype %d: short name %s, not %s", type, mpx_dtype_short_name(type), name_of(type));
        CHECK(strcmp(mpx_dtype_info(type).short_name, name_of(type)) == 0, "%s: facts say %s",
              name_of(type), mpx_dtype_info(type).short_name);
        CHECK(strcmp(mpx_dtype_info(type).name, mpx_dtype_name(type)) == 0, "%s: two names",
              name_of(type));
        check_long(name_of(type), "mpx_dtype_bits", mpx_dtype_bits(type), ref_formats[type].bits);
        check_long(name_of(type), "info.bits", mpx_dtype_info(type).bits, ref_formats[type].bits);
    }
    for (i = 0; i < sizeof float_rows / sizeof float_rows[0]; i++)
        test_float_facts(&float_rows[i]);
    for (type = MPX_I2; type <= MPX_U64; type++)
        test_int_facts(type);
    check_long("bool", "kind", mpx_dtype_info(MPX_BOOL).kind, MPX_KIND_BOOL);
    check_long("c64", "kind", mpx_dtype_info(MPX_C64).kind, MPX_KIND_COMPLEX);
    check_long("c128", "kind", mpx_dtype_info(MPX_C128).kind, MPX_KIND_COMPLEX);
    for (i = 0; i < NO_DTYPES; i++)
        test_no_dtype(no_dtypes[i]);
}

/* Bytes of n elements, computed without a product that could overflow. */
static size_t bytes_of(int bits, size_t n) {
    size_t whole = n / 8, rest = (n % 8 * (size_t)bits + 7) / 8;
    return whole > (SIZE_MAX - rest) / (size_t)bits ? SIZE_MAX : whole * (size_t)bits + rest;
}

static void test_bytes(void) {
    mpx_dtype type;
    size_t n, i;
    for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++) {
        int bits = ref_formats[type].bits;
        size_t limit = bits >= 8 ? SIZE_MAX / ((size_t)bits / 8) : SIZE_MAX;
        size_t edges[6] = {
            SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1, limit, limit - 7
        };
        for (n = 0; n <= LONGEST; n++)
            CHECK(mpx_dtype_offset(type, n) == n * (size_t)bits / 8, "mpx_dtype_offset(%s, %lu) = %lu",
                  name_of(type), (unsigned long)n, (unsigned long)mpx_dtype_offset(type, n));
        for (n = 0; n <= LONGEST; n++)
            CHECK(mpx_dtype_bytes(type, n) == bytes_of(bits, n), "mpx_dtype_bytes(%s, %lu) = %lu",
                  name_of(type), (unsigned long)n, (unsigned long)mpx_dtype_bytes(type, n));
        for (i = 0; i < 6; i++)
            for (n = edges[i] - 1; n != edges[i] + 2 && n >= edges[i] - 1; n++) {
                CHECK(mpx_dtype_offset(type, n) == bytes_of(bits, n) - (n % 8 * (size_t)bits % 8 != 0),
                      "mpx_dtype_offset(%s, %lu) = %lu", name_of(type), (unsigned long)n,
                      (unsigned long)mpx_dtype_offset(type, n));
                CHECK(mpx_dtype_bytes(type, n) == bytes_of(bits, n),
                      "mpx_dtype_bytes(%s, %lu) = %lu, not %lu", name_of(type), (unsigned long)n,
                      (unsigned long)mpx_dtype_bytes(type, n), (unsigned long)bytes_of(bits, n));
            }
    }
    CHECK(mpx_dtype_offset(MPX_NONE, 5) == 0, "of no dtype");
}

/* ---- golden files ---------------------------------------------------------------------------- */

enum { MAX_FIELDS = 16 };

/* Cut a line of tab-separated fields in place; returns how many. */
static int split_fields(char *line, char *fields[MAX_FIELDS]) {
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    while (count < MAX_FIELDS) {
        char *tab = strchr(line, '\t');
        fields[count++] = line;
        if (tab == NULL) break;
        *tab = 0;
        line = tab + 1;
    }
    return count;
}

static mpx_dtype type_named(const char *name) {
    mpx_dtype type;
    for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++)
        if (strcmp(mpx_dtype_name(type), name) == 0) return type;
    return MPX_NONE;
}

/* How many codes of a type of at most 16 bits decode to this kind, by the oracle. */
static long count_codes(mpx_dtype type, int kind) {
    uint64_t code;
    long count = 0;
    for (code = 0; code <= ref_low_mask(ref_formats[type].bits); code++)
        count += ref_decode(type, code).kind == kind;
    return count;
}

/* dtype kind bits exp_bits mant_bits max min smallest_normal smallest_subnormal eps codes nan_codes
   inf_codes negzero */
static void check_info_row(char **f) {
    mpx_dtype type = type_named(f[0]);
    mpx_dtype_facts facts = mpx_dtype_info(type);
    CHECK(type != MPX_NONE, "dtype_info: unknown %s", f[0]);
    check_long(f[0], "bits", facts.bits, atol(f[2]));
    if (strcmp(f[1], "int") == 0) {
        CHECK(facts.int_max == strtoull(f[5], NULL, 10), "%s int_max: got %llu", f[0],
              (unsigned long long)facts.int_max);
        check_long(f[0], "int_min", facts.int_min, strtoll(f[6], NULL, 10));
        return;
    }
    check_long(f[0], "exponent_bits", facts.exponent_bits, atol(f[3]));
    check_long(f[0], "mantissa_bits", facts.mantissa_bits, atol(f[4]));
    check_double(f[0], "max", facts.max, strtod(f[5], NULL));
    check_double(f[0], "min", facts.min, strtod(f[6], NULL));
    check_double(f[0], "smallest_normal", facts.smallest_normal, strtod(f[7], NULL));
    check_double(f[0], "smallest_subnormal", facts.smallest_subnormal, strtod(f[8], NULL));
    check_double(f[0], "epsilon", facts.epsilon, strtod(f[9], NULL));
    check_long(f[0], "has_negative_zero", facts.has_negative_zero, atol(f[13]));
    if (f[10][0] == '-') return;
    check_long(f[0], "NaN codes of the oracle", count_codes(type, REF_NAN), atol(f[11]));
    check_long(f[0], "Inf codes of the oracle", count_codes(type, REF_INF), atol(f[12]));
    check_long(f[0], "has_nan", facts.has_nan, atol(f[11]) != 0);
    check_long(f[0], "has_inf", facts.has_inf, atol(f[12]) != 0);
}

/* dtype, code, bits of the float32 or "nan"; any NaN equals any NaN. */
static void check_code_row(char **f) {
    mpx_dtype type = type_named(f[0]);
    uint64_t code = strtoull(f[1], NULL, 16), want = strtoull(f[2], NULL, 16), got;
    unsigned char in[8] = { 0 }, out[4];
    CHECK(type != MPX_NONE, "dtype_codes: unknown %s", f[0]);
    if (type == MPX_NONE) return;
    ref_store(type, in, 0, code);
    CHECK(mpx_cast(out, MPX_F32, in, type, 1) == MPX_OK, "%s->f32: not MPX_OK", f[0]);
    got = ref_load(MPX_F32, out, 0);
    CHECK(strcmp(f[2], "nan") == 0 ? ref_is_nan(MPX_F32, got) : got == want,
          "%s->f32 (golden): src 0x%s got 0x%0*llx want 0x%s", f[0], f[1], HEX(MPX_F32, got), f[2]);
}

static void test_golden(const char *path, int field_count, void (*check_row)(char **fields)) {
    char line[512], *fields[MAX_FIELDS];
    unsigned long rows = 0;
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "cannot read %s: run from the repository root", path);
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        int count = split_fields(line, fields);
        if (line[0] == '#') continue;
        CHECK(count == field_count, "%s: row with %d fields", path, count);
        if (count == field_count) check_row(fields), rows++;
    }
    fclose(file);
    CHECK(rows > 0, "%s: no rows", path);
    printf("%s: %lu rows\n", path, rows);
}

/* ---- errors and complex ---------------------------------------------------------------------- */

static void check_refused(mpx_dtype dst, mpx_dtype src) {
    unsigned char in[16], out[16], before[16];
    memset(in, 1, sizeof in);
    memset(out, CANARY, sizeof out);
    memset(before, CANARY, sizeof before);
    CHECK(mpx_cast(out, dst, in, src, 1) == MPX_ERR_DTYPE, "mpx_cast %d -> %d: not MPX_ERR_DTYPE",
          src, dst);
    CHECK(memcmp(out, before, sizeof out) == 0, "mpx_cast %d -> %d: refused, but wrote", src, dst);
    CHECK(mpx_cast(NULL, dst, NULL, src, 0) == MPX_ERR_DTYPE,
          "mpx_cast %d -> %d, n=0: not MPX_ERR_DTYPE", src, dst);
}

/* Numbers around the dtypes and at the ends of int, and as many elements as shortcuts begin with: a
   pair must not be taken for another. */
static void test_no_dtypes_of_many(void) {
    static const mpx_dtype extremes[] = { INT_MIN, INT_MIN + MPX_F32, INT_MAX };
    static unsigned char in[2048], out[2048], before[2048];
    mpx_dtype dst, src, low = -200, high = 300;
    size_t i;
    memset(in, 1, sizeof in);
    memset(out, CANARY, sizeof out);
    memset(before, CANARY, sizeof before);
    for (dst = low; dst < high; dst++)
        for (src = low; src < high; src++)
            if (!(dst > MPX_NONE && dst < MPX_DTYPE_COUNT && src > MPX_NONE && src < MPX_DTYPE_COUNT))
                CHECK(mpx_cast(out, dst, in, src, 256) == MPX_ERR_DTYPE,
                      "mpx_cast %d -> %d, n=256: not MPX_ERR_DTYPE", src, dst);
    for (i = 0; i < sizeof extremes / sizeof extremes[0]; i++)
        for (src = low; src < high; src++) {
            CHECK(mpx_cast(out, extremes[i], in, src, 256) == MPX_ERR_DTYPE, "to %d", extremes[i]);
            CHECK(mpx_cast(out, src, in, extremes[i], 256) == MPX_ERR_DTYPE, "from %d", extremes[i]);
        }
    CHECK(memcmp(out, before, sizeof out) == 0, "mpx_cast: refused, but wrote");
}

static void test_cast_errors(void) {
    mpx_dtype type;
    size_t i;
    test_no_dtypes_of_many();
    for (i = 0; i < NO_DTYPES; i++) {
        check_refused(no_dtypes[i], no_dtypes[i]);
        for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++) {
            check_refused(no_dtypes[i], type);
            check_refused(type, no_dtypes[i]);
        }
    }
    for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++) {
        if (type != MPX_C64) check_refused(MPX_C64, type), check_refused(type, MPX_C64);
        if (type != MPX_C128) check_refused(MPX_C128, type), check_refused(type, MPX_C128);
        CHECK(mpx_cast(NULL, type, NULL, type, 0) == MPX_OK, "%s: n=0 with NULL", name_of(type));
    }
    for (type = REF_FIRST; type <= REF_LAST; type++)
        CHECK(mpx_cast(NULL, MPX_F32, NULL, type, 0) == MPX_OK &&
                  mpx_cast(NULL, type, NULL, MPX_F64, 0) == MPX_OK,
              "%s: n=0 with NULL", name_of(type));
}

/* A complex type to itself copies its bytes, to itself in place too. */
static void test_complex_copy(const fenced *in, const fenced *out) {
    mpx_dtype type;
    size_t n, i;
    for (type = MPX_C64; type <= MPX_C128; type++)
        for (n = 0; n <= LONGEST; n++) {
            size_t size = n * (type == MPX_C64 ? 8u : 16u);
            unsigned char *from = fenced_place(in, size, (int)(n % 8)),
                          *to = fenced_place(out, size, -1);
            for (i = 0; i < size; i++)
                from[i] = (unsigned char)scattered_code(MPX_U8, i);
            paint(out, to, size);
            CHECK(mpx_cast(to, type, from, type, n) == MPX_OK, "%s->%s: not MPX_OK", name_of(type),
                  name_of(type));
            CHECK(memcmp(from, to, size) == 0 && canaries_live(out, to, size),
                  "%s n=%lu: copy is wrong", name_of(type), (unsigned long)n);
            CHECK(mpx_cast(to, type, to, type, n) == MPX_OK && memcmp(from, to, size) == 0,
                  "%s in place: wrong", name_of(type));
        }
}

/* ---- the finite check ------------------------------------------------------------------------ */

static void take_for_finite(void *user, uint64_t code) {
    mpx_dtype type = *(const mpx_dtype *)user;
    unsigned char one[8] = { 0 };
    ref_store(type, one, 0, code);
    CHECK(mpx_all_finite(one, type, 1) == ref_is_finite(type, code),
          "mpx_all_finite %s: src 0x%0*llx got %d", name_of(type), HEX(type, code),
          mpx_all_finite(one, type, 1));
}

/* The codes worth putting at every position: all that are not finite in a narrow type, the classes
   of the others (Inf, NaN with the first, the last and all payload bits, both signs), and their
   finite neighbours. */
static size_t edge_codes(mpx_dtype type, uint64_t codes[32]) {
    const ref_format *f = &ref_formats[type];
    uint64_t sign = ref_sign_bit(f), max = ref_max_code(f), all = ref_low_mask(f->bits), step;
    size_t count = 0;
    codes[count++] = max, codes[count++] = max | sign, codes[count++] = sign;
    codes[count++] = (max + 1) & all, codes[count++] = ((max + 1) | sign) & all,
    codes[count++] = all;
    codes[count++] = all & ~sign;
    if (f->rule != REF_IEEE) return count;
    for (step = 1; step != 0 && step < (uint64_t)1 << f->man_bits;
         step <<= (f->man_bits > 8 ? 7 : 1)) {
        codes[count++] = (max + 1) | step;
        codes[count++] = (max + 1) | step | sign;
    }
    return count;
}

/* n elements, all finite but that at position; ends at the guard page. */
static void check_finite_at(mpx_dtype type, const fenced *area, size_t n, size_t position,
                            uint64_t code) {
    size_t size = ref_bytes(type, n);
    unsigned char *at = fenced_place(area, size, -1);
    uint64_t filler = ref_max_code(&ref_formats[type]);
    int got, want = ref_is_finite(type, code);
    size_t i;
    memset(at, 0xff, size); /* unused bits are set: they must not count */
    for (i = 0; i < n; i++)
        ref_store(type, at, i, i == position ? code : filler);
    got = mpx_all_finite(at, type, n);
    CHECK(got == want, "mpx_all_finite %s n=%lu: 0x%0*llx at %lu: got %d", name_of(type),
          (unsigned long)n, HEX(type, code), (unsigned long)position, got);
}

static void test_finite_positions(mpx_dtype type, const fenced *area) {
    uint64_t codes[32];
    size_t count = edge_codes(type, codes), n, position, i;
    for (n = 1; n <= 70; n++)
        for (position = 0; position < n; position++)
            for (i = (n + position) % 3; i < count; i += n < 20 ? 1 : 3)
                check_finite_at(type, area, n, position, codes[i]);
    for (position = 0; position < LONGEST; position++)
        check_finite_at(type, area, LONGEST, position, codes[3]);
}

static void test_finite_complex(void) {
    static const uint64_t f32_codes[4] = { 0x7f7fffffu, 0x7f800000u, 0xff800000u, 0x7f800001u };
    static const uint64_t f64_codes[4] = { 0x7fefffffffffffffu, 0x7ff0000000000000u,
                                           0xfff0000000000000u, 0x7ff0000000000001u };
    unsigned char data[32 * 16];
    size_t n, at, i;
    for (n = 1; n <= 32; n++)
        for (at = 0; at < 2 * n; at++)
            for (i = 0; i < 4; i++) {
                memset(data, 0, sizeof data);
                ref_store(MPX_F32, data, at, f32_codes[i]);
                CHECK(mpx_all_finite(data, MPX_C64, n) == (i == 0), "mpx_all_finite c64 n=%lu",
                      (unsigned long)n);
                memset(data, 0, sizeof data);
                ref_store(MPX_F64, data, at, f64_codes[i]);
                CHECK(mpx_all_finite(data, MPX_C128, n) == (i == 0), "mpx_all_finite c128 n=%lu",
                      (unsigned long)n);
            }
}

static void test_finite(const fenced *area) {
    unsigned char ones[64];
    unsigned long before = test_checks;
    mpx_dtype type;
    size_t i;
    memset(ones, 0xff, sizeof ones);
    for (type = REF_FIRST; type <= REF_LAST_FLOAT; type++) {
        ref_sweep(type, type, 8, take_for_finite, &type);
        test_finite_positions(type, area);
    }
    for (type = MPX_BOOL; type <= MPX_U64; type++)
        for (i = 0; i <= 8; i++)
            CHECK(mpx_all_finite(ones, type, i) == 1, "mpx_all_finite %s", name_of(type));
    for (type = REF_FIRST; type < MPX_DTYPE_COUNT; type++)
        CHECK(mpx_all_finite(NULL, type, 0) == 1, "mpx_all_finite %s n=0", name_of(type));
    for (i = 0; i < NO_DTYPES; i++)
        CHECK(mpx_all_finite(ones, no_dtypes[i], 1) == 0, "mpx_all_finite of dtype %d",
              no_dtypes[i]);
    test_finite_complex();
    printf("mpx_all_finite: 15 formats: all codes, every position: %lu checks\n",
           test_checks - before);
}

/* ---- scale and unscale ----------------------------------------------------------------------- */

/* Powers of two, then scales that round, then those of other kinds. */
static const uint32_t scale_bits[] = {
    0x3f800000u, 0x40000000u, 0x3f000000u, 0x44800000u,
    0x47800000u, 0x47000000u, 0x38000000u, /* 1 2 .5 2^10 16 15 -15 */
    0x71800000u, 0x0d800000u, 0x7f000000u, 0x00800000u,
    0x00400000u, 0x00000001u, /* 2^100 -100 127 -126 -127 -149 */
    0x40400000u, 0x40e00000u, 0x3dcccccdu, 0x49742400u,
    0x477ff000u, 0x7f7fffffu, /* 3 7 .1 1e6 65520 FLT_MAX */
    0x3f800001u, 0x3f7fffffu, 0x00345678u, 0x00000003u,
    0x007fffffu, 0xc0000000u, 0xc0400000u, /* ... -2 -3 */
    0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u,
    0x7fc00000u, 0x7f800001u, /* 0 -0 Inf -Inf NaN NaN */
};
enum { SCALES = sizeof scale_bits / sizeof scale_bits[0] };
static size_t every_scale = 1; /* one in so many of them for each pair */

/* One (dst, src, by, direction) on its way. */
typedef struct scaling {
    batch b;
    uint32_t by;
    int divides;
} scaling;

static ref_real scaled(const scaling *s, uint64_t code) {
    ref_real x = ref_decode(s->b.src, code), by = ref_decode(MPX_F32, s->by);
    return s->divides ? ref_quotient(x, by) : ref_product(x, by);
}

/* Any NaN, where the operation made it or passed it on; +0 or -0 in formats that have none. */
static int same_result(mpx_dtype type, const ref_real *x, uint64_t got, uint64_t want) {
    if (x->kind != REF_NAN || !x->made) return got == want;
    if (ref_formats[type].rule == REF_ONLY_FINITE)
        return (got & ~ref_sign_bit(&ref_formats[type])) == 0;
    return ref_is_nan(type, got);
}

static void check_scaled(const scaling *s, size_t i) {
    const batch *b = &s->b;
    ref_real x = scaled(s, b->codes[i]);
    uint64_t got = ref_load(b->dst, dst_bytes, i), want = ref_encode(b->dst, &x);
    b->total->checked++;
    test_checks++;
    if (same_result(b->dst, &x, got, want)) return;
    b->total->failed++;
    test_fail(__FILE__, __LINE__,
              "%s->%s %s 0x%08lx i=%lu: src 0x%0*llx got 0x%0*llx want 0x%0*llx", name_of(b->src),
              name_of(b->dst), s->divides ? "/" : "*", (unsigned long)s->by, (unsigned long)i,
              HEX(b->src, b->codes[i]), HEX(b->dst, got), HEX(b->dst, want));
}

/* *finite says whether every quotient is finite and stays so when it is rounded to dst, whatever it
   said before. */
static void check_flag(const scaling *s, size_t n, int start) {
    const batch *b = &s->b;
    int finite = start, want = 1;
    size_t i;
    for (i = 0; i < n; i++) {
        ref_real x = scaled(s, b->codes[i]);
        want &= x.kind == REF_FINITE && ref_is_finite(b->dst, ref_encode(b->dst, &x));
    }
    CHECK(mpx_unscale(dst_bytes, b->dst, src_bytes, b->src, n, ref_float(s->by), &finite) == MPX_OK,
          "not MPX_OK");
    CHECK(finite == want,
          "mpx_unscale %s->%s / 0x%08lx n=%lu: first src 0x%0*llx: *finite %d -> %d, want %d",
          name_of(b->src), name_of(b->dst), (unsigned long)s->by, (unsigned long)n,
          HEX(b->src, b->codes[0]), start, finite, want);
}

static void flush_scaling(scaling *s) {
    batch *b = &s->b;
    float by = ref_float(s->by);
    mpx_status status;
    size_t i;
    for (i = 0; i < b->count; i++)
        ref_store(b->src, src_bytes, i, b->codes[i]);
    if (s->divides)
        status = mpx_unscale(dst_bytes, b->dst, src_bytes, b->src, b->count, by, NULL);
    else
        status = mpx_scale(dst_bytes, b->dst, src_bytes, b->src, b->count, by);
    CHECK(status == MPX_OK, "scale %s->%s: not MPX_OK", name_of(b->src), name_of(b->dst));
    for (i = 0; i < b->count; i++)
        check_scaled(s, i);
    if (s->divides) check_flag(s, b->count, 1), check_flag(s, b->count, 0);
    b->count = 0;
}

static void take_into_scaling(void *user, uint64_t code) {
    scaling *s = (scaling *)user;
    s->b.codes[s->b.count++] = code;
    if (s->b.count == BATCH) flush_scaling(s);
}

/* Sources whose product (quotient) falls on and beside the midpoint of a code of the target and the
   next: that over (times) by, and the source codes around. */
static void give_near_tie(const scaling *s, const ref_sweep_to *to, uint64_t code) {
    const ref_format *target = &ref_formats[s->b.dst];
    ref_real by = ref_decode(MPX_F32, s->by), x;
    x = ref_real_of(ref_midpoint(ref_magnitude(target, code), ref_magnitude(target, code + 1)));
    ref_give_around(to, s->divides ? ref_product(x, by) : ref_quotient(x, by));
}

/* Of codes of all magnitudes, and of each near both ends of the subnormals. */
static void take_near_ties(const scaling *s, const ref_sweep_to *to) {
    const ref_format *target = &ref_formats[s->b.dst];
    uint64_t max = ref_max_code(target), normal = (uint64_t)1 << target->man_bits, code;
    ref_real by = ref_decode(MPX_F32, s->by);
    if (by.kind != REF_FINITE || ref_is_zero(&by)) return;
    for (code = 0; code < max; code += max / 40 + 1)
        give_near_tie(s, to, code);
    give_near_tie(s, to, max);
    for (code = 1; code < 8 && code < max; code++)
        give_near_tie(s, to, code);
    for (code = normal > 16 ? normal - 8 : 8; code < normal + 8 && code < max; code++)
        give_near_tie(s, to, code);
}

/* All codes up to 8 bits; else a coarse sweep over exponents and fractions, and the ends. */
static void take_plain_sources(scaling *s, const ref_sweep_to *to) {
    const ref_format *f = &ref_formats[s->b.src];
    uint64_t all = ref_low_mask(f->bits), step = f->bits <= 8 ? 1 : (all / 331) | 1, code;
    for (code = 0; code < all - step; code += step)
        to->take(to->user, code);
    to->take(to->user, all);
    if (f->bits <= 8) to->take(to->user, all - 1);
    ref_sweep_edges(to, f);
    if (f->rule == REF_IEEE) ref_sweep_nan(to);
}

static void test_scaling_pair(mpx_dtype dst, mpx_dtype src) {
    static scaling s;
    ref_sweep_to to;
    size_t i;
    s.b.dst = dst, s.b.src = src, s.b.total = score_of(dst, src), s.b.count = 0;
    s.b.total->pairs++;
    to.src = src, to.all_bits = 8, to.take = take_into_scaling, to.user = &s;
    for (i = (size_t)(dst + src) % every_scale; i < 2 * SCALES; i += every_scale) {
        s.by = scale_bits[i / 2], s.divides = (int)(i % 2);
        take_plain_sources(&s, &to);
        take_near_ties(&s, &to);
        flush_scaling(&s);
    }
}

/* Rows take a block with one near a tie another way, so each is alone here. */
static void test_near_ties_in_company(mpx_dtype dst, mpx_dtype src) {
    static company c;
    static scaling s;
    ref_sweep_to to;
    size_t i;
    s.b.dst = dst, s.b.src = src;
    to.src = src, to.all_bits = 8, to.take = take_into_company, to.user = &c;
    for (i = (size_t)(dst + src) % every_scale; i < 2 * SCALES; i += every_scale) {
        ref_real by = ref_decode(MPX_F32, scale_bits[i / 2]);
        if (by.kind != REF_FINITE || ref_is_zero(&by)) continue; /* makes NaN of any sign */
        s.by = scale_bits[i / 2], s.divides = (int)(i % 2);
        company_gather(&c, dst, src, s.divides ? UNSCALE : SCALE, s.by);
        take_near_ties(&s, &to);
        company_check(&c);
    }
}

/* The flag for one element, of every code or the largest: which class clears it. */
static void check_flag_of(scaling *s, uint64_t code) {
    s->b.codes[0] = code;
    ref_store(s->b.src, src_bytes, 0, code);
    check_flag(s, 1, (int)(code & 1));
}
static void test_scaling_flag(mpx_dtype src) {
    static const mpx_dtype targets[] = { MPX_F8E4M3FN, MPX_F32, MPX_F64 };
    static scaling s;
    size_t i;
    uint64_t code, all = ref_low_mask(ref_formats[src].bits), step = all < 256 ? 1 : all / 499 | 1;
    s.b.src = src, s.divides = 1;
    for (i = 0; i < 3 * SCALES; i++) {
        s.by = scale_bits[i / 3], s.b.dst = targets[i % 3];
        for (code = 0; code < all - step; code += step)
            check_flag_of(&s, i % 4 == 1 ? all - code : code);
        check_flag_of(&s, ref_max_code(&ref_formats[src]));
    }
}

/* Fill from with n elements and want with what 1/by (or by) times them is. NaN is left out: its
   sign is open. */
static void prepare_scaling(const scaling *s, unsigned char *from, unsigned char *want, size_t n) {
    size_t i;
    memset(want, 0, ref_bytes(s->b.dst, n));
    for (i = 0; i < n; i++) {
        uint64_t code = scattered_code(s->b.src, i);
        ref_real x;
        ref_store(s->b.src, from, i, ref_is_nan(s->b.src, code) ? 1 : code);
        x = scaled(s, ref_load(s->b.src, from, i));
        ref_store(s->b.dst, want, i, ref_encode(s->b.dst, &x));
    }
}

static mpx_status run_scaling(const scaling *s, void *dst, const void *src, size_t n) {
    if (s->divides) return mpx_unscale(dst, s->b.dst, src, s->b.src, n, ref_float(s->by), NULL);
    return mpx_scale(dst, s->b.dst, src, s->b.src, n, ref_float(s->by));
}

/* Lengths, page edges and in-place use of scaling. */
static void check_scaled_layout(const scaling *s, size_t n, const fenced *in, const fenced *out) {
    static unsigned char want[LONGEST * 8];
    size_t in_size = ref_bytes(s->b.src, n), out_size = ref_bytes(s->b.dst, n);
    unsigned char *from = fenced_place(in, in_size, n % 3 == 0 ? -1 : (int)(n % 8));
    unsigned char *to = fenced_place(out, out_size, n % 3 == 1 ? -1 : (int)(n / 8 % 8));
    const char *src_name = name_of(s->b.src), *dst_name = name_of(s->b.dst);
    paint(in, from, in_size);
    paint(out, to, out_size);
    prepare_scaling(s, from, want, n);
    CHECK(run_scaling(s, to, from, n) == MPX_OK && memcmp(to, want, out_size) == 0,
          "scale %s->%s n=%lu: wrong", src_name, dst_name, (unsigned long)n);
    CHECK(canaries_live(out, to, out_size), "scale %s->%s n=%lu: wrote outside", src_name, dst_name,
          (unsigned long)n);
    if (ref_formats[s->b.dst].bits > ref_formats[s->b.src].bits) return;
    CHECK(run_scaling(s, from, from, n) == MPX_OK && memcmp(from, want, out_size) == 0,
          "scale %s->%s n=%lu in place: wrong", src_name, dst_name, (unsigned long)n);
    CHECK(canaries_live(in, from, in_size), "scale %s->%s n=%lu in place: wrote outside", src_name,
          dst_name, (unsigned long)n);
}

/* 3 takes the exact path, 2^-3 that of powers of two; both directions. */
static void test_scaling_layout(mpx_dtype dst, mpx_dtype src, const fenced *in, const fenced *out) {
    static scaling s;
    size_t n;
    s.b.dst = dst, s.b.src = src;
    for (n = 0; n <= LONGEST; n += n < 70 ? 1 : 23) {
        s.by = n % 2 ? 0x40400000u : 0x3e000000u;
        s.divides = (int)(n / 2 % 2);
        check_scaled_layout(&s, n, in, out);
    }
}

/* NaN number i of a format with NaN: both signs, several payloads, signalling ones too. */
static uint64_t some_nan(mpx_dtype type, size_t i) {
    const ref_format *f = &ref_formats[type];
    ref_real nan = ref_make_nan((int)(i & 1), REF_QUIET | (uint64_t)i << 57);
    uint64_t code = ref_encode(type, &nan);
    if (f->rule != REF_IEEE || f->man_bits < 2 || i % 3 != 1) return code;
    return (code & ~((uint64_t)1 << (f->man_bits - 1))) | 1;
}

/* What a product makes of NaN is the machine's choice; here it is that of a cast, on all of them. Every fifth element
   is NaN; then, times what leaves no f16 normal, all are the NaN whose code has ones alone. */
static void test_scaled_nan(mpx_dtype dst, mpx_dtype src) {
    static const uint32_t factors[] = { 0x40400000u, 0xc0400000u, 0x44800000u, 0x3c000000u, 0x53800000u, 0x2b800000u };
    const uint64_t ones = ref_low_mask(ref_formats[src].bits), sign = ref_sign_bit(&ref_formats[src]);
    static scaling s;
    static unsigned char from[LONGEST * 8], to[LONGEST * 8];
    ref_real one = ref_decode(MPX_F32, 0x3f800000u), x;
    size_t i, k;
    if (!ref_is_nan(src, some_nan(src, 0))) return;
    s.b.dst = dst, s.b.src = src;
    for (k = 0; k < 8; k++) {
        s.by = factors[k / 2], s.divides = (int)(k % 2);
        for (i = 0; i < LONGEST; i++)
            ref_store(src, from, i, i % 5 == 2 ? some_nan(src, i) : ref_encode(src, &one));
        CHECK(run_scaling(&s, to, from, LONGEST) == MPX_OK, "scale: not MPX_OK");
        for (i = 2; i < LONGEST; i += 5) {
            x = ref_decode(src, some_nan(src, i));
            CHECK(ref_load(dst, to, i) == ref_encode(dst, &x),
                  "scale %s->%s by 0x%08lx [%s] i=%lu: NaN 0x%lx -> 0x%lx, want 0x%lx", name_of(src),
                  name_of(dst), (unsigned long)s.by, mpx_isa(), (unsigned long)i,
                  (unsigned long)some_nan(src, i), (unsigned long)ref_load(dst, to, i),
                  (unsigned long)ref_encode(dst, &x));
        }
    }
    for (k = 8; k < 12 && ref_formats[src].rule == REF_IEEE; k++) {
        s.by = factors[k / 2], s.divides = (int)(k % 2);
        for (i = 0; i < LONGEST; i++)
            ref_store(src, from, i, i % 3 == 1 ? ones : ones ^ sign);
        CHECK(run_scaling(&s, to, from, LONGEST) == MPX_OK, "scale: not MPX_OK");
        for (i = 0; i < LONGEST; i++) {
            x = ref_decode(src, i % 3 == 1 ? ones : ones ^ sign);
            CHECK(ref_load(dst, to, i) == ref_encode(dst, &x),
                  "scale %s->%s by 0x%08lx [%s] i=%lu: NaN of ones -> 0x%lx", name_of(src), name_of(dst),
                  (unsigned long)s.by, mpx_isa(), (unsigned long)i, (unsigned long)ref_load(dst, to, i));
        }
    }
}

/* Where the operation makes a NaN it has the sign of by, whatever the machine would make. */
static void test_made_nan(mpx_dtype dst, mpx_dtype src) {
    static const uint32_t factors[] = { 0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u };
    static scaling s;
    static unsigned char from[LONGEST * 8], to[LONGEST * 8];
    size_t i, k;
    s.b.dst = dst, s.b.src = src;
    for (k = 0; k < 8; k++) {
        int by_inf = k >= 4;
        ref_real nan = ref_make_nan((int)(k / 2 % 2), REF_QUIET), other;
        s.by = factors[k / 2], s.divides = (int)(k % 2);
        other = ref_make(by_inf == s.divides ? REF_INF : REF_FINITE, 0, 0, 0);
        for (i = 0; i < LONGEST; i++) {
            other.sign = i % 3 == 1;
            ref_store(src, from, i, ref_encode(src, &other));
        }
        CHECK(run_scaling(&s, to, from, LONGEST) == MPX_OK, "scale: not MPX_OK");
        for (i = 0; i < LONGEST; i++)
            CHECK(ref_load(dst, to, i) == ref_encode(dst, &nan),
                  "scale %s->%s by 0x%08lx i=%lu: made NaN 0x%lx, want 0x%lx", name_of(src),
                  name_of(dst), (unsigned long)s.by, (unsigned long)i,
                  (unsigned long)ref_load(dst, to, i), (unsigned long)ref_encode(dst, &nan));
    }
}

static void test_scale_errors(void) {
    unsigned char in[16] = { 0 }, out[16] = { 0 };
    mpx_dtype type;
    size_t i;
    int finite = 2;
    for (type = MPX_BOOL; type < MPX_DTYPE_COUNT; type++) {
        CHECK(mpx_scale(out, MPX_F32, in, type, 1, 2) == MPX_ERR_DTYPE, "mpx_scale from %s",
              name_of(type));
        CHECK(mpx_scale(out, type, in, MPX_F32, 1, 2) == MPX_ERR_DTYPE, "mpx_scale to %s",
              name_of(type));
        CHECK(mpx_unscale(out, MPX_F32, in, type, 1, 2, &finite) == MPX_ERR_DTYPE,
              "mpx_unscale from %s", name_of(type));
        if (type >= MPX_C64) continue; /* complex numbers are scaled */
        CHECK(mpx_unscale(out, type, in, type, 1, 2, &finite) == MPX_ERR_DTYPE, "mpx_unscale of %s",
              name_of(type));
    }
    for (i = 0; i < NO_DTYPES; i++) {
        CHECK(mpx_scale(out, no_dtypes[i], in, MPX_F32, 1, 2) == MPX_ERR_DTYPE, "mpx_scale to %d",
              no_dtypes[i]);
        CHECK(mpx_unscale(out, MPX_F32, in, no_dtypes[i], 1, 2, NULL) == MPX_ERR_DTYPE,
              "mpx_unscale %d", no_dtypes[i]);
    }
    CHECK(finite == 2, "mpx_unscale that failed wrote *finite");
    for (type = REF_FIRST; type <= REF_LAST_FLOAT; type++) {
        finite = 0;
        CHECK(mpx_scale(NULL, type, NULL, MPX_F32, 0, 2) == MPX_OK &&
                  mpx_unscale(NULL, MPX_F16, NULL, type, 0, ref_float(0), &finite) == MPX_OK &&
                  finite == 1,
              "%s: scaling n=0 with NULL", name_of(type));
    }
}

/* Divided by 2^-k, the largest number that stays finite and the next power of two, among subnormals. */
static void test_largest_quotient(void) {
    int which, k, over;
    for (which = 0; which < 2; which++)
        for (k = 1; k < 14; k++)
            for (over = 0; over < 2; over++) {
                const int m = which ? 7 : 10;
                const uint16_t one = (uint16_t)(1 << m), inf = (uint16_t)(which ? 0x7f80 : 0x7c00);
                uint16_t x[128];
                int i, finite = 2;
                for (i = 0; i < 128; i++)
                    x[i] = (uint16_t)(i & 1 ? 0x8001 : 1);
                x[k] = (uint16_t)(inf - k * one - !over);
                CHECK(mpx_unscale(x, which ? MPX_BF16 : MPX_F16, x, which ? MPX_BF16 : MPX_F16, 128,
                                  1.0f / (float)(1 << k), &finite) == MPX_OK, "status");
                CHECK(finite == !over && x[k] == inf - !over, "%d: 2^%d: %04x, finite %d", which, k, x[k], finite);
            }
}

/* Significands of divisors, and a dividend for each. In the first four the quotient comes so near to
   halfway between two floats that one of two steps (fast_avx512.h) errs. */
static const uint32_t hard_quotients[][2] = {
    { 0xe09f07, 0xabb420 }, { 0xa200e3, 0x9d2c18 }, { 0xf63e16, 0xf2c6ec }, { 0xdb3546, 0xd91b15 },
    { 0xd3f047, 0x800000 }, { 0xe372ba, 0x800000 }, { 0xb29504, 0x800000 }, { 0xfa0000, 0x800000 },
    { 0xfffff8, 0xffffff }, { 0xffffff, 0xfffffe }, { 0x800001, 0xffffff }, { 0xcccccd, 0x800000 },
};

/* x / s of two significands of 24 bits, as f32. */
static uint32_t rounded_quotient(uint32_t x, uint32_t s) {
    uint64_t shifted = (uint64_t)x << (x < s ? 25 : 24), q = shifted / s, half = q & 1;
    q = (q >> 1) + (half && (shifted % s != 0 || (q >> 1 & 1)));
    return ((x < s ? 126u : 127u) << 23) + (uint32_t)(q - 0x800000u);
}

static void check_quotients(uint32_t first, uint32_t divisor) {
    uint32_t i, by = 0x3f800000u | (divisor & 0x7fffffu);
    for (i = 0; i < BATCH; i++)
        ref_store(MPX_F32, src_bytes, i, 0x3f800000u | ((first + i) & 0x7fffffu));
    CHECK(mpx_unscale(dst_bytes, MPX_F32, src_bytes, MPX_F32, BATCH, ref_float(by), NULL) == MPX_OK,
          "not MPX_OK");
    for (i = 0; i < BATCH; i++)
        CHECK(ref_load(MPX_F32, dst_bytes, i) == rounded_quotient(first + i, divisor),
              "%lx / %lx: %08lx, want %08lx", (unsigned long)(first + i), (unsigned long)divisor,
              (unsigned long)ref_load(MPX_F32, dst_bytes, i),
              (unsigned long)rounded_quotient(first + i, divisor));
}

/* All significands divided by some; quick: one batch of every 64, and the hard ones. */
static void test_quotients(int quick) {
    size_t i;
    uint32_t x;
    for (i = 0; i < sizeof hard_quotients / sizeof *hard_quotients; i++) {
        check_quotients(hard_quotients[i][1] / BATCH * BATCH, hard_quotients[i][0]);
        for (x = 0x800000u; x < 0x1000000u; x += quick ? 64 * BATCH : BATCH)
            check_quotients(x, hard_quotients[i][0]);
    }
}

static void test_scaling(const fenced *in, const fenced *out) {
    mpx_dtype dst, src;
    for (src = REF_FIRST; src <= REF_LAST_FLOAT; src++)
        for (dst = REF_FIRST; dst <= REF_LAST_FLOAT; dst++) {
            if (!has_pair(dst, src)) continue;
            test_scaling_pair(dst, src);
            test_scaling_layout(dst, src, in, out);
            test_scaled_nan(dst, src);
            if (src <= MPX_F32 && dst <= MPX_BF16) test_near_ties_in_company(dst, src);
            if (src <= MPX_BF16 && dst <= MPX_BF16) test_made_nan(dst, src);
        }
    for (src = REF_FIRST; src <= REF_LAST_FLOAT; src++)
        test_scaling_flag(src);
    test_scale_errors();
    print_scores("mpx_scale, mpx_unscale");
}

int main(int argc, char **argv) {
    fenced in = fenced_make(), out = fenced_make();
    int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (quick) {
        if (argc > 2) quarter = atoi(argv[2]);
        every_scale = 5;
        every_code = 7;
    }
    test_facts();
    test_bytes();
    test_golden("tests/golden/dtype_info.tsv", 14, check_info_row);
    test_golden("tests/golden/dtype_codes.tsv", 3, check_code_row);
    test_named_cases();
    test_cast_errors();
    test_complex_copy(&in, &out);
    test_helpers();
    if (!quick) test_all_pairs();
    test_all_company();
    test_all_alone();
    test_scaled_company();
    if (!quick) test_layout(&in, &out);
    test_finite(&in);
    test_scaling(&in, &out);
    test_largest_quotient();
    test_quotients(quick);
    return test_done("test_cast");
}
