/* Floats of 8 bits with delayed scales: golden/quant_fp8.tsv, which Keras wrote, in every
   floating-point mode; all dtypes and lengths against the exact numbers of ref.h; the state as bytes,
   whole and damaged. Fake quantization: golden/quant_fake.tsv. */
#include "test.h"
#include "fpmode.h"
#include "golden.h"
#include "ref.h"

enum { MAX_CELL = 64, MAX_N = 6000 };

/* ---- numbers --------------------------------------------------------------------------------- */

static uint32_t bits_of(const float *x) {
    uint32_t u;
    memcpy(&u, x, 4);
    return u;
}
static void set_bits(float *x, uint32_t u) { memcpy(x, &u, 4); }
static int same_f32(uint32_t a, uint32_t b) {
    return a == b || (ref_is_nan(MPX_F32, a) && ref_is_nan(MPX_F32, b));
}

/* The codes of a cell, "3f80,bf80"; end: where it stops, at '|' or the end of the text. */
static size_t codes_of(const char *text, mpx_dtype type, void *codes, const char **end) {
    size_t n = 0;
    char *stop = NULL;
    for (;;) {
        if (n == MAX_CELL) exit(2);
        ref_store(type, codes, n++, strtoul(text, &stop, 16));
        if (stop == text) exit(2);
        if (*stop != ',') break;
        text = stop + 1;
    }
    *end = stop;
    return n;
}

static uint32_t random_state = 1;
static uint32_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* ---- as Keras has it ------------------------------------------------------------------------- */

static int same_codes(const char *where, const char *mode, mpx_dtype type, const void *got,
                      const void *want, size_t n) {
    size_t i;
    int all = 1;
    for (i = 0; i < n; i++) {
        uint64_t a = ref_load(type, got, i), b = ref_load(type, want, i);
        int same = a == b || (ref_is_nan(type, a) && ref_is_nan(type, b));
        CHECK(same, "%s (%s): element %lu is %lx, not %lx", where, mode, (unsigned long)i,
              (unsigned long)a, (unsigned long)b);
        all &= same;
    }
    return all;
}

typedef struct keras_row {
    const char *name, *op, *mode;
    mpx_dtype type;                  /* compute dtype */
    unsigned char input[MAX_CELL * 4];
    size_t n;
    float history[MAX_CELL];
    mpx_float8_scale state;
} keras_row;

static int is_op(const keras_row *r, const char *op) { return strcmp(r->op, op) == 0; }

static void read_row(const golden_file *g, const char *mode, keras_row *r) {
    const char *end, *scale = golden_text(g, "scale"), *margin = golden_text(g, "margin"),
                     *history = golden_text(g, "history"), *fp8 = golden_text(g, "fp8"),
                     *compute = golden_text(g, "compute");
    memset(r, 0, sizeof *r);
    r->name = golden_text(g, "case"), r->op = golden_text(g, "op"), r->mode = mode;
    r->state.dtype = MPX_F8E4M3FN; /* where only the history counts */
    if (mpx_dtype_parse(compute, &r->type) != MPX_OK) exit(2);
    if (fp8 != NULL && mpx_dtype_parse(fp8, &r->state.dtype) != MPX_OK) exit(2);
    r->n = codes_of(golden_text(g, "input"), r->type, r->input, &end);
    r->state.history = r->history;
    if (history != NULL) r->state.length = codes_of(history, MPX_F32, r->history, &end);
    if (is_op(r, "scale")) { /* a history of this one entry */
        memcpy(r->history, r->input, 4);
        r->state.length = 1;
    }
    if (scale != NULL) set_bits(&r->state.scale, (uint32_t)strtoul(scale, NULL, 16));
    if (margin != NULL) r->state.margin = (int32_t)strtol(margin, NULL, 10);
}

static void check_values(keras_row *r, const char **want) {
    unsigned char expected[MAX_CELL * 4], got[MAX_CELL * 4 + 1];
    mpx_status status;
    if (codes_of(*want, r->type, expected, want) != r->n) exit(2);
    status = mpx_float8_round(got + 1, r->input, r->n, r->type, &r->state);
    CHECK(status == MPX_OK, "%s: status %d", r->name, (int)status);
    (void)same_codes(r->name, r->mode, r->type, got + 1, expected, r->n);
}
static void check_scale(const keras_row *r, const char **want) {
    uint32_t expected;
    if (codes_of(*want, MPX_F32, &expected, want) != 1) exit(2);
    CHECK(same_f32(bits_of(&r->state.scale), expected), "%s (%s): scale %08lx, not %08lx", r->name,
          r->mode, (unsigned long)bits_of(&r->state.scale), (unsigned long)expected);
}
static void check_history(const keras_row *r, const char **want) {
    unsigned char expected[MAX_CELL * 4];
    if (codes_of(*want, MPX_F32, expected, want) != r->state.length) exit(2);
    (void)same_codes(r->name, r->mode, MPX_F32, r->history, expected, r->state.length);
}

static void keras_case(const golden_file *g, const char *mode, int *counts) {
    const char *want = golden_text(g, "output");
    float amax = 0;
    mpx_status status = MPX_OK;
    keras_row r;
    read_row(g, mode, &r);
    if (is_op(&r, "qdq") || is_op(&r, "step")) check_values(&r, &want), counts[0]++;
    if (is_op(&r, "qdq")) return;
    if (is_op(&r, "step") || is_op(&r, "history"))
        status = mpx_float8_step(r.input, r.input, r.n, r.type, &r.state);
    else
        status = mpx_float8_update(&r.state, amax);
    CHECK(status == MPX_OK, "%s: status %d", r.name, (int)status);
    if (is_op(&r, "step")) {
        const char *values = golden_text(g, "output");
        unsigned char expected[MAX_CELL * 4];
        (void)codes_of(values, r.type, expected, &values);
        (void)same_codes(r.name, mode, r.type, r.input, expected, r.n);
    }
    if (*want == '|') want++;
    if (!is_op(&r, "history")) check_scale(&r, &want), counts[1]++;
    if (*want == '|') want++;
    if (!is_op(&r, "scale")) check_history(&r, &want), counts[2]++;
}

static void test_keras(void) {
    int i;
    for (i = 0; i < FPMODES; i++) {
        int counts[3] = { 0, 0, 0 };
        golden_file g;
        if (!fpmode_enter(&fpmodes[i])) continue;
        golden_open(&g, "quant_fp8");
        while (golden_next(&g)) keras_case(&g, fpmodes[i].name, counts);
        golden_close(&g);
        CHECK(fpmode_holds(&fpmodes[i]), "%s: the mode was changed", fpmodes[i].name);
        fpmode_leave();
        CHECK(counts[0] == 165 && counts[1] == 107 && counts[2] == 81,
              "%d values, %d scales, %d histories", counts[0], counts[1], counts[2]);
    }
}

/* ---- as exact numbers have it ---------------------------------------------------------------- */

static const mpx_dtype types[] = { MPX_F32, MPX_F16, MPX_BF16 };
static const mpx_dtype smalls[] = { MPX_F8E4M3FN,       MPX_F8E5M2, MPX_F8E4M3FNUZ, MPX_F8E5M2FNUZ,
                                    MPX_F8E4M3B11FNUZ, MPX_F8E4M3, MPX_F8E3M4 };
enum { TYPES = 3, SMALLS = 7 };

/* The scale already is of the type. */
static uint64_t rounded(mpx_dtype type, mpx_dtype small, uint64_t scale, uint64_t x) {
    const ref_format *f = &ref_formats[small];
    const ref_real by = ref_decode(type, scale), exact = ref_quotient(ref_decode(type, x), by),
                   quotient = ref_decode(type, ref_encode(type, &exact));
    uint64_t code = ref_encode(small, &quotient);
    ref_real product;
    if (quotient.kind != REF_NAN && !ref_is_finite(small, code))
        code = ref_max_code(f) | (quotient.sign ? ref_sign_bit(f) : 0);
    product = ref_product(ref_decode(small, code), by);
    return ref_encode(type, &product);
}

/* The scale times what lies between two codes, or next to it: quotients round to ties, or do not. */
static uint64_t random_tie(mpx_dtype type, mpx_dtype small, uint64_t scale) {
    const int digits = ref_formats[small].man_bits + 1;
    const uint64_t odd = ((uint64_t)1 << digits) + (random_bits() % (1u << digits) | 1u);
    ref_real x = ref_product(ref_make(REF_FINITE, 0, odd, (int)(random_bits() % 8) - 6),
                             ref_decode(type, scale));
    uint64_t code;
    x.sign = (int)(random_bits() % 2);
    code = ref_encode(type, &x);
    return code + random_bits() % 3 - 1;
}
/* Values about as large as the scale, now and then any code. */
static uint64_t random_code(mpx_dtype type, mpx_dtype small, uint64_t scale) {
    const uint64_t any = random_bits() >> (32 - ref_formats[type].bits);
    const uint64_t one = (uint64_t)1 << ref_formats[type].man_bits;
    uint64_t near = scale + (random_bits() % 24) * one - 8 * one + (any & (one - 1));
    if (random_bits() % 2 == 0) return random_tie(type, small, scale);
    near = (near & ~ref_sign_bit(&ref_formats[type])) | (any & ref_sign_bit(&ref_formats[type]));
    return random_bits() % 16 == 0 ? any : near;
}

static void check_buffer(mpx_dtype type, mpx_dtype small, float scale, size_t n, size_t shift) {
    static unsigned char src[MAX_N * 4], want[MAX_N * 4], block[MAX_N * 4 + 16];
    const size_t bytes = ref_bytes(type, n);
    const uint64_t by = ref_cast(type, MPX_F32, bits_of(&scale));
    unsigned char *got = block + shift;
    mpx_float8_scale state;
    char what[80];
    size_t i;
    memset(&state, 0, sizeof state);
    state.dtype = small, state.scale = scale;
    for (i = 0; i < n; i++) {
        ref_store(type, src, i, random_code(type, small, by));
        ref_store(type, want, i, rounded(type, small, by, ref_load(type, src, i)));
    }
    sprintf(what, "%s in %s, scale %g, n = %lu", mpx_dtype_name(small), mpx_dtype_name(type),
            (double)scale, (unsigned long)n);
    memset(block, 0x5a, sizeof block);
    CHECK(mpx_float8_round(got, src, n, type, &state) == MPX_OK, "%s: refused", what);
    (void)same_codes(what, "apart", type, got, want, n);
    CHECK(got[bytes] == 0x5a && (shift == 0 || got[-1] == 0x5a), "%s: wrote outside", what);
    memcpy(got, src, bytes);
    CHECK(mpx_float8_round(got, got, n, type, &state) == MPX_OK, "%s: refused", what);
    (void)same_codes(what, "in place", type, got, want, n);
}

static void test_exact(void) {
    static const float scales[] = { 1.0f, 0.3f, 128.0f, 1.0f / 448, 3e-5f, 1e-7f, 1e30f, 1e-38f };
    static const size_t lengths[] = { 0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 2047, 2048, 2049, 5000 };
    size_t i, j, k;
    for (i = 0; i < TYPES; i++)
        for (j = 0; j < SMALLS; j++)
            for (k = 0; k < sizeof scales / sizeof scales[0]; k++)
                check_buffer(types[i], smalls[j], scales[k], 300, k % 3);
    for (i = 0; i < TYPES; i++)
        for (k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
            check_buffer(types[i], smalls[k % 2], 0.3f, lengths[k], k % 5);
}

/* Scales from exact quotients, rounded three times; powers of two and all dtypes. */
static void test_scales(void) {
    int i;
    for (i = 0; i < 20000; i++) {
        const mpx_dtype small = smalls[i % SMALLS];
        const uint32_t amax = 1 + random_bits() % 0x7f7fffffu;
        const int32_t margin = (int32_t)(random_bits() % 254) - 126;
        ref_real x = ref_quotient(ref_decode(small, ref_max_code(&ref_formats[small])),
                                  ref_decode(MPX_F32, amax));
        float history[3] = { 0, 0, -1 };
        mpx_float8_scale state;
        uint32_t u = (uint32_t)ref_encode(MPX_F32, &x);
        memset(&state, 0, sizeof state);
        state.dtype = small, state.margin = margin, state.history = history, state.length = 3;
        set_bits(&history[i % 2], amax);
        x = ref_quotient(ref_decode(MPX_F32, u), ref_make(REF_FINITE, 0, 1, margin));
        x = ref_decode(MPX_F32, ref_encode(MPX_F32, &x));
        x = ref_quotient(ref_make(REF_FINITE, 0, 1, 0), x);
        u = (uint32_t)ref_encode(MPX_F32, &x);
        CHECK(mpx_float8_update(&state, 2.0f) == MPX_OK && bits_of(&state.scale) == u,
              "%s, amax %08lx, margin %d: scale %08lx, not %08lx", mpx_dtype_name(small),
              (unsigned long)amax, (int)margin, (unsigned long)bits_of(&state.scale),
              (unsigned long)u);
    }
}

/* A history with a NaN of either sign, or with Inf, leaves the scale; -Inf is below all others. */
static void test_odd_histories(void) {
    static const uint32_t odd[] = { 0x7f800001u, 0xff800001u, 0xffffffffu, 0x7f800000u, 0xff800000u };
    size_t i;
    for (i = 0; i < 5; i++) {
        float history[3] = { 448, 0, 896 };
        mpx_float8_scale state = { MPX_F8E4M3FN, 4.0f, 0, NULL, 3 };
        state.history = history;
        set_bits(&history[1], odd[i]);
        CHECK(mpx_float8_update(&state, 1) == MPX_OK && state.scale == (i < 4 ? 4.0f : 2.0f),
              "%08lx in the history: scale %g", (unsigned long)odd[i], (double)state.scale);
    }
}

/* ---- one step, and what is refused ----------------------------------------------------------- */

/* Rounded with the old scale; the scale from the old history; the amax of what src was. Of several
   pieces the largest counts, NaN most of all. */
static void test_step(void) {
    static float x[MAX_N], y[MAX_N];
    int i;
    for (i = 0; i < 100; i++) {
        float history[4], old[4];
        mpx_float8_scale a = { MPX_F8E5M2, 0.25f, 1, NULL, 4 }, b;
        const size_t n = random_bits() % MAX_N;
        float amax = 0;
        size_t k;
        for (k = 0; k < 4; k++) history[k] = old[k] = (float)(random_bits() % 100);
        for (k = 0; k < n; k++) x[k] = (float)(int32_t)random_bits();
        if (n != 0 && i % 4 == 0) set_bits(&x[random_bits() % n], 0x7f800000u);
        if (n != 0 && i % 5 == 0) set_bits(&x[random_bits() % n], 0xffa00001u);
        b = a, a.history = history, b.history = old;
        CHECK(mpx_float8_round(y, x, n, MPX_F32, &b) == MPX_OK &&
                  mpx_amax(x, MPX_F32, n, &amax) == MPX_OK &&
                  mpx_float8_update(&b, amax) == MPX_OK &&
                  mpx_float8_step(x, x, n, MPX_F32, &a) == MPX_OK,
              "refused");
        CHECK(bits_of(&a.scale) == bits_of(&b.scale) && memcmp(x, y, n * 4) == 0 &&
                  memcmp(history, old, 16) == 0,
              "n = %lu: a step is not its parts", (unsigned long)n);
    }
}

/* {0} and a dtype: the scale 1, for rounding; -0 too. */
static void test_default(void) {
    float x[3] = { 1.1f, 500.0f, -3.0f }, y[3] = { 0, 0, 0 };
    mpx_float8_scale state;
    memset(&state, 0, sizeof state);
    state.dtype = MPX_F8E4M3FN;
    CHECK(mpx_float8_round(y, x, 3, MPX_F32, &state) == MPX_OK && y[0] == 1.125f &&
              y[1] == 448.0f && y[2] == -3.0f,
          "{0}: %g %g %g", (double)y[0], (double)y[1], (double)y[2]);
    set_bits(&state.scale, 0x80000000u);
    CHECK(mpx_float8_round(y, x, 3, MPX_F32, &state) == MPX_OK && y[0] == 1.125f, "-0: %g",
          (double)y[0]);
    CHECK(mpx_float8_round(y, x, 0, MPX_F32, &state) == MPX_OK, "no elements");
}

static void check_untouched(mpx_float8_scale state, mpx_dtype type, mpx_status want,
                            int needs_history, const char *what) {
    float x[4] = { 1, 2, 3, 4 }, y[4] = { 9, 9, 9, 9 };
    const float history = state.history != NULL ? state.history[0] : 0;
    mpx_float8_scale before = state;
    unsigned char bytes[64];
    mpx_status status = mpx_float8_step(y, x, 4, type, &state);
    CHECK(status == want, "%s: step gives %d", what, (int)status);
    if (!needs_history) {
        status = mpx_float8_round(y, x, 4, type, &state);
        CHECK(status == want, "%s: round gives %d", what, (int)status);
    }
    if (type == MPX_F32) {
        memset(bytes, 0x5a, sizeof bytes);
        CHECK(mpx_float8_update(&state, 1) == want, "%s: update", what);
        CHECK(mpx_float8_save(bytes, &state) == want && bytes[0] == 0x5a, "%s: save", what);
    }
    CHECK(memcmp(&state, &before, sizeof state) == 0 && y[0] == 9 &&
              (state.history == NULL || state.history[0] == history),
          "%s: something was written", what);
}

static void test_refused(void) {
    float history[2] = { 5, 6 };
    const mpx_float8_scale good = { MPX_F8E4M3FN, 2.0f, 0, history, 2 };
    mpx_float8_scale s = good;
    int type;
    s.history = NULL;
    check_untouched(s, MPX_F32, MPX_ERR_ARGUMENT, 1, "history NULL");
    s = good, s.length = 0;
    check_untouched(s, MPX_F32, MPX_ERR_ARGUMENT, 1, "length 0");
    s = good, s.margin = 128;
    check_untouched(s, MPX_F32, MPX_ERR_ARGUMENT, 0, "margin 128");
    s.margin = -127;
    check_untouched(s, MPX_F32, MPX_ERR_ARGUMENT, 0, "margin -127");
    s.margin = -0x7fffffff - 1;
    check_untouched(s, MPX_F32, MPX_ERR_ARGUMENT, 0, "least margin");
    s = good, s.length = (size_t)-1;
    CHECK(mpx_float8_save(&s, &s) == MPX_ERR_ARGUMENT && s.dtype == good.dtype, "a history that no bytes hold");
    for (type = -1; type <= MPX_DTYPE_COUNT; type++) {
        int k, is_small = 0, is_wide = type == MPX_F32 || type == MPX_F16 || type == MPX_BF16;
        for (k = 0; k < SMALLS; k++) is_small |= type == (int)smalls[k];
        s = good, s.dtype = (mpx_dtype)type;
        if (!is_small) check_untouched(s, MPX_F32, MPX_ERR_DTYPE, 0, "state's dtype");
        if (!is_wide) check_untouched(good, (mpx_dtype)type, MPX_ERR_DTYPE, 0, "type");
    }
}

/* ---- the state as bytes ---------------------------------------------------------------------- */

static void test_sizes(void) {
    CHECK(mpx_float8_bytes(0) == 0 && mpx_float8_bytes(1) == 28 && mpx_float8_bytes(1024) == 4120,
          "bytes of 1024: %lu", (unsigned long)mpx_float8_bytes(1024));
    CHECK(mpx_float8_bytes((size_t)-1) == 0 && mpx_float8_bytes((size_t)-1 / 4) == 0 &&
              mpx_float8_bytes((size_t)-1 / 4 - 5) == 0,
          "sizes beyond size_t");
    if (sizeof(size_t) > 4) {
        CHECK(mpx_float8_bytes((size_t)0xffffffffu) == ((size_t)0xffffffffu + 6) * 4 &&
                  mpx_float8_bytes((size_t)0xffffffffu + 1) == 0,
              "2^32 entries");
    }
}

static void test_round_trip(void) {
    int i, k;
    for (i = 0; i < 2000; i++) {
        unsigned char bytes[6 * 4 + 5 * 4 + 1];
        float history[5], loaded[5];
        mpx_float8_scale s = { smalls[i % SMALLS], 0, 0, NULL, 5 }, out;
        memset(&out, 0, sizeof out);
        for (k = 0; k < 5; k++) set_bits(&history[k], random_bits());
        set_bits(&s.scale, random_bits());
        s.margin = i % 254 - 126, s.history = history, s.length = 1 + (size_t)i % 5;
        out.history = loaded, out.length = s.length;
        bytes[mpx_float8_bytes(s.length)] = 0xa5;
        CHECK(mpx_float8_save(bytes, &s) == MPX_OK && bytes[mpx_float8_bytes(s.length)] == 0xa5,
              "save");
        CHECK(mpx_float8_load(&out, bytes, mpx_float8_bytes(s.length)) == MPX_OK &&
                  out.dtype == s.dtype && bits_of(&out.scale) == bits_of(&s.scale) &&
                  out.margin == s.margin && out.length == s.length && out.history == loaded &&
                  memcmp(loaded, history, s.length * 4) == 0,
              "%d does not come back", i);
    }
}

static const unsigned char recorded[32] = {
    'M', 'P', 'X', '8', 1,    0,    0,    0,    5, 0, 0,    0,    0x00, 0x00, 0x80, 0x3e,
    0xfd, 0xff, 0xff, 0xff, 2, 0,    0,    0,    0, 0, 0xc0, 0x7f, 0x00, 0x00, 0x20, 0x41,
}; /* F8E4M3FN, 0.25, margin -3, NaN and 10 */

/* Load must refuse, with everything as it was. The bytes are a block of exactly `size`. */
static void check_damaged(const unsigned char *bytes, size_t size, size_t length, mpx_status want,
                          const char *what, size_t where) {
    unsigned char *block = (unsigned char *)malloc(size + (size == 0));
    float history[3] = { 1, 2, 3 };
    mpx_float8_scale out = { MPX_F8E5M2, 4.0f, 7, NULL, 0 }, before;
    mpx_status status;
    if (block == NULL) exit(2);
    memcpy(block, bytes, size);
    out.history = history, out.length = length;
    before = out;
    status = mpx_float8_load(&out, block, size);
    CHECK(status == want, "%s %lu: load gives %d", what, (unsigned long)where, (int)status);
    CHECK(memcmp(&out, &before, sizeof out) == 0 && history[0] == 1 && history[1] == 2 &&
              history[2] == 3,
          "%s %lu: load wrote", what, (unsigned long)where);
    free(block);
}

static void test_damaged(void) {
    unsigned char bytes[40] = { 0 };
    float history[2];
    mpx_float8_scale s = { MPX_F8E4M3FN, 0.25f, -3, NULL, 2 };
    size_t i;
    unsigned flip;
    s.history = history, history[1] = 10;
    set_bits(&history[0], 0x7fc00000u);
    CHECK(mpx_float8_save(bytes, &s) == MPX_OK && memcmp(bytes, recorded, 32) == 0,
          "other bytes than recorded");
    for (i = 0; i < sizeof bytes; i++)
        if (i != 32) check_damaged(bytes, i, 2, MPX_ERR_STATE, "size", i);
    check_damaged(bytes, 28, 1, MPX_ERR_STATE, "a history cut to", 1);
    check_damaged(bytes, 36, 3, MPX_ERR_STATE, "a history of", 3);
    check_damaged(bytes, 24, 0, MPX_ERR_ARGUMENT, "a history of", 0);
    for (i = 0; i < 24; i++)
        for (flip = 1; flip < 256; flip++) {
            const unsigned dtype = recorded[8] ^ flip;
            const int32_t margin = (int32_t)(int8_t)(recorded[16] ^ flip);
            int k, is_good = i / 4 == 3 || (i == 16 && margin < 0 && margin >= -126);
            for (k = 0; k < SMALLS; k++) is_good |= i == 8 && dtype == (unsigned)smalls[k];
            if (is_good) continue; /* another scale, margin or dtype */
            bytes[i] = (unsigned char)(bytes[i] ^ flip);
            check_damaged(bytes, 32, 2, MPX_ERR_STATE, "a changed header byte", i);
            bytes[i] = (unsigned char)(bytes[i] ^ flip);
        }
    memset(bytes, 0xff, sizeof bytes);
    check_damaged(bytes, 32, 2, MPX_ERR_STATE, "ones", 0);
    s.history = NULL;
    CHECK(mpx_float8_load(&s, recorded, 32) == MPX_ERR_ARGUMENT, "history NULL");
    s.history = history, s.length = (size_t)-1; /* of which there are no bytes */
    CHECK(mpx_float8_load(&s, NULL, 0) == MPX_ERR_STATE, "a history too long to be saved");
}

/* ---- fake quantization ----------------------------------------------------------------------- */

static void fake_case(const golden_file *g, const char *mode, int *count) {
    const int bits = atoi(golden_text(g, "bits")), narrow = atoi(golden_text(g, "narrow"));
    static float src[MAX_CELL * 12], got[MAX_CELL * 12], want[MAX_CELL * 12];
    const char *end;
    float min, max;
    size_t n = codes_of(golden_text(g, "input"), MPX_F32, src, &end), i;
    if (codes_of(golden_text(g, "output"), MPX_F32, want, &end) != n) exit(2);
    (void)codes_of(golden_text(g, "min"), MPX_F32, &min, &end);
    (void)codes_of(golden_text(g, "max"), MPX_F32, &max, &end);
    for (i = n; i < n * 12; i++) src[i] = src[i - n], want[i] = want[i - n];
    for (i = 1; i < 12; i++) { /* all of the row, and of several */
        CHECK(mpx_fake_quant(got, src, n * i, min, max, bits, narrow) == MPX_OK, "refused");
        (void)same_codes(golden_text(g, "case"), mode, MPX_F32, got, want, n * i);
    }
    CHECK(mpx_fake_quant(src, src, n * 12, min, max, bits, narrow) == MPX_OK, "refused");
    (void)same_codes(golden_text(g, "case"), mode, MPX_F32, src, want, n * 12);
    *count += 1;
}

/* Elements of an array that is longer than a tile are what each is alone; nothing behind it is written. */
static void test_long_fake(void) {
    enum { N = 3 * MPX_TILE + 5 };
    static float src[N], got[N + 1];
    float one;
    size_t i;
    for (i = 0; i < N; i++)
        src[i] = ((float)(i * 7919 % 1000) - 500) / 100;
    got[N] = 77;
    CHECK(mpx_fake_quant(got, src, N, -3, 4, 5, 0) == MPX_OK && got[N] > 76 && got[N] < 78, "a long array");
    for (i = 0; i < N; i++)
        CHECK(mpx_fake_quant(&one, src + i, 1, -3, 4, 5, 0) == MPX_OK && memcmp(&one, got + i, 4) == 0,
              "element %lu: %g, not %g", (unsigned long)i, (double)got[i], (double)one);
}

/* Levels that are whole numbers, so that the result is known: what is halfway is rounded up. */
static void test_known_fake(void) {
    static const float src[] = { 0.5f, 0.49999994f, 1.5f, 2.4999998f, -0.5f, -0.0f, 254.5f, 255.5f, 0, 0 },
                       want[] = { 1, 0, 2, 2, 0, 0, 255, 255, 255, 0 };
    enum { N = sizeof want / sizeof want[0] };
    float x[N], most;
    memcpy(x, src, sizeof x);
    set_bits(&x[8], 0x7f800000u); /* Inf */
    set_bits(&x[9], 0xff800000u);
    CHECK(mpx_fake_quant(x, x, N, 0, 255, 8, 0) == MPX_OK && memcmp(x, want, sizeof x) == 0,
          "%g %g %g %g %g", (double)x[0], (double)x[1], (double)x[2], (double)x[3], (double)x[4]);
    x[0] = -0.5f;
    CHECK(mpx_fake_quant(x, x, 1, -128, 127, 8, 0) == MPX_OK && bits_of(x) == 0, "halfway below 0: %g", (double)x[0]);
    set_bits(&most, 0x7f7fffffu);
    CHECK(mpx_fake_quant(x, &most, 1, 0, most, 8, 0) == MPX_OK, "the largest range");
    CHECK(mpx_fake_quant(x, &most, 1, -most, 0, 8, 0) == MPX_OK && bits_of(x) == 0, "the largest range below 0");
}

static void test_fake(void) {
    static const float bad[][2] = { { 1, 1 }, { 2, 1 }, { -3e38f, 3e38f }, { 0, 1e-40f }, { 0, 1.4e-45f } };
    static const float odd[] = { 1, 2 };
    float y[2] = { 9, 9 }, nan;
    int i;
    for (i = 0; i < FPMODES; i++) {
        golden_file g;
        int count = 0;
        if (!fpmode_enter(&fpmodes[i])) continue;
        golden_open(&g, "quant_fake");
        while (golden_next(&g)) fake_case(&g, fpmodes[i].name, &count);
        golden_close(&g);
        fpmode_leave();
        CHECK(count == 32, "%d rows", count);
    }
    set_bits(&nan, 0x7fc00000u);
    for (i = 0; i < 5; i++)
        CHECK(mpx_fake_quant(y, odd, 2, bad[i][0], bad[i][1], 8, 0) == MPX_ERR_ARGUMENT,
              "from %g to %g", (double)bad[i][0], (double)bad[i][1]);
    CHECK(mpx_fake_quant(y, odd, 2, nan, 1, 8, 0) == MPX_ERR_ARGUMENT &&
              mpx_fake_quant(y, odd, 2, 0, 1e-35f, 16, 0) == MPX_ERR_ARGUMENT &&
              mpx_fake_quant(y, odd, 2, 0, nan, 8, 0) == MPX_ERR_ARGUMENT && /* moved by rounding, min is -Inf */
              mpx_fake_quant(y, odd, 2, -3.40282347e38f, -3, 10, 0) == MPX_ERR_ARGUMENT &&
              mpx_fake_quant(y, odd, 2, 0, 1, 1, 0) == MPX_ERR_ARGUMENT &&
              mpx_fake_quant(y, odd, 2, 0, 1, 17, 0) == MPX_ERR_ARGUMENT && y[0] == 9,
          "NaN, bits");
    CHECK(mpx_fake_quant(y, &nan, 1, 0, 1, 8, 0) == MPX_OK && ref_is_nan(MPX_F32, bits_of(y)),
          "NaN stays");
    /* two narrow steps, 4 / 8e-39 is Inf: the reciprocal of a step counts */
    CHECK(mpx_fake_quant(y, odd, 1, 0, 8e-39f, 2, 1) == MPX_OK &&
              mpx_fake_quant(y, odd, 1, 0, 8e-39f, 2, 0) == MPX_ERR_ARGUMENT, "the least range");
}

int main(void) {
    test_keras();
    test_fake();
    test_long_fake();
    test_known_fake();
    test_exact();
    test_scales();
    test_odd_histories();
    test_step();
    test_default();
    test_refused();
    test_sizes();
    test_round_trip();
    test_damaged();
    return test_done("test_float8");
}
