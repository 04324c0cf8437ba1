/* mpx_dot and mpx_matvec against sums in double: every dtype and many formats, shapes around the
   blocks of every instruction set, rows in fours, strides, biases, threads, floating-point modes, Inf and NaN at
   every place, arrays that end where a page does. Small integers must be exact everywhere.

   test_dot [--quick]   fewer shapes */
#define MPX_COMPUTE 1
#include "pages.h"
#include "test.h"
#include "fpmode.h"
#include <math.h>

enum { MAX_ROWS = 131, MAX_COLS = 8300, MAX = MAX_ROWS * 4100 };
static float w32[MAX], x32[MAX_COLS], y32[MAX_ROWS];
static double w64[MAX], x64[MAX_COLS];
static unsigned char *w, *x; /* end at a page that must not be touched */
static size_t w_size = (size_t)MAX * 8, x_size = (size_t)MAX_COLS * 8;

static uint32_t state = 1;
static uint32_t draw(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
static float draw_float(int integers) {
    return integers ? (float)((int)(draw() % 17) - 8) : (float)((int)(draw() % 20001) - 10000) / 8192;
}
static unsigned char *w_at(size_t bytes) { return w + w_size - bytes; }
static unsigned char *x_at(size_t bytes) { return x + x_size - bytes; }

static int computes(mpx_dtype t) {
    const int kind = (int)mpx_dtype_info(t).kind;
    return mpx_dtype_bits(t) >= 8 && kind != MPX_KIND_NONE && kind != MPX_KIND_COMPLEX;
}
/* Random weights and x in their dtypes, and what they are in double. */
static void fill(mpx_dtype w_type, mpx_dtype x_type, size_t rows, size_t cols, int integers) {
    const size_t n = rows * cols;
    size_t i;
    for (i = 0; i < n; i++)
        w32[i] = draw_float(integers || mpx_dtype_info(w_type).kind != MPX_KIND_FLOAT);
    for (i = 0; i < cols; i++)
        x32[i] = draw_float(integers || mpx_dtype_info(x_type).kind != MPX_KIND_FLOAT);
    (void)mpx_cast(w_at(mpx_dtype_bytes(w_type, n)), w_type, w32, MPX_F32, n);
    (void)mpx_cast(x_at(mpx_dtype_bytes(x_type, cols)), x_type, x32, MPX_F32, cols);
    (void)mpx_cast(w64, MPX_F64, w_at(mpx_dtype_bytes(w_type, n)), w_type, n);
    (void)mpx_cast(x64, MPX_F64, x_at(mpx_dtype_bytes(x_type, cols)), x_type, cols);
}
static double minima[MAX]; /* of Q4_1, Q5_1, Q4_K and Q5_K, what is added or subtracted for each weight */
/* |got - the sum| at most cols * 2^-24 * the sum of magnitudes, and for codes of 8 bits, whose x is
   rounded to 15 bits, 2^-15 * the largest x * the sum of |w|; 0 where all are integers. */
static void check_row(const char *what, size_t row, size_t cols, size_t stride, float got, int exact,
                      int codes) {
    double sum = 0, magnitude = 0, w_sum = 0, largest = 0, bound;
    size_t i;
    for (i = 0; i < cols; i++) {
        const double a = w64[row * stride + i];
        sum += a * x64[i];
        magnitude += (fabs(a) + 2 * minima[row * stride + i]) * fabs(x64[i]);
        w_sum += fabs(a);
        largest = fabs(x64[i]) > largest ? fabs(x64[i]) : largest;
    }
    bound = exact ? 0 : (double)cols * ldexp(magnitude, -24) + (codes ? ldexp(largest * w_sum, -15) : 0);
    CHECK(fabs((double)got - sum) <= bound, "%s, row %zu of %zu columns: %.9g, not %.9g", what, row,
          cols, (double)got, sum);
}
/* What a function leaves on the stack is no part of a sum: here, NaN. */
static void paint_stack(void) {
    volatile unsigned char deep[12000];
    size_t i;
    for (i = 0; i < sizeof deep; i++)
        deep[i] = 0xff;
}
static const size_t row_counts[] = { 0, 1, 2, 3, 63, 64, 65, 128, 130 };
static const size_t col_counts[] = { 0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 127,
                                     128, 129, 511, 512, 513, 544, 1000, 1056 };
#define COUNT(a) (sizeof (a) / sizeof (a)[0])

static void check_dtypes(mpx_dtype w_type, mpx_dtype x_type, size_t rows, size_t cols, int integers) {
    char what[100];
    size_t r;
    fill(w_type, x_type, rows, cols, integers);
    snprintf(what, sizeof what, "%s times %s", mpx_dtype_short_name(w_type), mpx_dtype_short_name(x_type));
    memset(y32, 77, sizeof y32);
    paint_stack();
    CHECK(mpx_matvec(y32, MPX_F32, w_at(mpx_dtype_bytes(w_type, rows * cols)), w_type,
                     x_at(mpx_dtype_bytes(x_type, cols)), x_type, rows, cols) == MPX_OK, "%s", what);
    for (r = 0; r < rows; r++)
        check_row(what, r, cols, cols, y32[r], integers, w_type == MPX_I8);
    if (rows == 0 || (rows > 3 && !integers)) return; /* four rows together are added in another order */
    CHECK(mpx_dot(w_at(mpx_dtype_bytes(w_type, rows * cols)), w_type, x_at(mpx_dtype_bytes(x_type, cols)),
                  x_type, cols) == y32[0], "%s: mpx_dot differs", what);
}
static size_t step = 1; /* of shapes */
static void check_all_dtypes(void) {
    static const mpx_dtype x_types[] = { MPX_F32, MPX_BF16, MPX_F16, MPX_I8, MPX_F64, MPX_F8E4M3FN };
    size_t i, r, c;
    int t;
    for (t = MPX_F64; t <= MPX_U64; t++) {
        const mpx_dtype type = (mpx_dtype)t;
        /* formats without 8 or without negative numbers are not exact */
        const int few = type == MPX_F8E8M0FNU || type == MPX_BOOL || type == MPX_U8 || type == MPX_U16 ||
                        type == MPX_U32 || type == MPX_U64;
        if (!computes(type)) continue;
        for (c = draw() % step; c < COUNT(col_counts); c += step) {
            for (r = 0; r < COUNT(row_counts); r++) {
                if (type == MPX_F8E8M0FNU) continue;
                check_dtypes(type, MPX_F32, row_counts[r], col_counts[c], 1);
            }
            for (i = 0; i < COUNT(x_types); i++)
                if (!few) check_dtypes(type, x_types[i], 3, col_counts[c], i & 1);
        }
    }
}

static void run_backward(size_t count, mpx_task_fn task, void *arg, void *user) {
    *(size_t *)user += count;
    while (count-- != 0)
        task(arg, count);
}
/* Rows that are read four at a time, and those that are left. In a matrix one row of which has Inf, all others
   are as they were. */
static void check_fours(void) {
    static const mpx_dtype types[] = { MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN };
    static const size_t rows[] = { 4, 6, 9, 66 }, cols[] = { 16, 100, 1024, 2049, 4099, 8230 };
    size_t i, r, c, k, tasks = 0;
    mpx_matvec_options opt;
    mpx_matrix m;
    float split[130];
    for (i = 0; i < COUNT(types); i++) {
        for (r = 0; r < COUNT(rows); r++) {
            for (c = 0; c < COUNT(cols); c++) {
                if (rows[r] * cols[c] > MAX) continue;
                for (k = 0; k < 3; k++)
                    check_dtypes(types[i], k == 2 ? MPX_BF16 : MPX_F32, rows[r], cols[c], k != 1);
            }
        }
    }
    fill(MPX_BF16, MPX_F32, 9, 2049, 0);
    for (r = 0; r < 9; r++) {
        unsigned char *at = w_at(mpx_dtype_bytes(MPX_BF16, 9 * 2049)), was[2], *one;
        float y[9];
        const uint16_t bits = 0x7f80;
        one = at + (r * 2049 + 1000) * 2;
        CHECK(mpx_matvec(y32, MPX_F32, at, MPX_BF16, x_at(2049 * 4), MPX_F32, 9, 2049) == MPX_OK, "rows");
        memcpy(was, one, 2);
        memcpy(one, &bits, 2);
        CHECK(mpx_matvec(y, MPX_F32, at, MPX_BF16, x_at(2049 * 4), MPX_F32, 9, 2049) == MPX_OK, "rows");
        memcpy(one, was, 2);
        for (k = 0; k < 9; k++)
            CHECK(k == r ? !isfinite(y[k]) : memcmp(y + k, y32 + k, 4) == 0, "Inf in row %zu: row %zu", r, k);
    }
    fill(MPX_F32, MPX_F32, 130, 100, 0); /* the bits do not depend on tasks */
    memset(&opt, 0, sizeof opt);
    memset(&m, 0, sizeof m);
    m.data = w_at((size_t)130 * 100 * 4);
    m.type = MPX_F32;
    m.rows = 130;
    m.cols = 100;
    opt.parallel.run = run_backward;
    opt.parallel.grain = 1;
    opt.parallel.user = &tasks;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x_at(400), MPX_F32, NULL) == MPX_OK, "one task");
    CHECK(mpx_matvec_with(split, MPX_F32, m, x_at(400), MPX_F32, &opt) == MPX_OK && tasks == 3, "three tasks");
    CHECK(memcmp(split, y32, sizeof split) == 0, "tasks change bits");
}

/* ---- strides, outputs, biases, threads ------------------------------------------------------- */

static void check_options(void) {
    static const mpx_dtype outputs[] = { MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F64 };
    static unsigned char got[MAX_ROWS * 8], want[MAX_ROWS * 8];
    enum { ROWS = 130, COLS = 100, STRIDE = 103 };
    float bias[ROWS];
    uint16_t bias16[ROWS];
    mpx_matvec_options opt;
    mpx_matrix m;
    size_t r, i, tasks = 0;
    fill(MPX_BF16, MPX_F32, ROWS, STRIDE, 1);
    for (r = 0; r < ROWS; r++)
        bias[r] = draw_float(1);
    (void)mpx_cast(bias16, MPX_BF16, bias, MPX_F32, ROWS);
    memset(&m, 0, sizeof m);
    memset(&opt, 0, sizeof opt);
    m.data = w_at((size_t)ROWS * STRIDE * 2);
    m.type = MPX_BF16;
    m.rows = ROWS;
    m.cols = COLS;
    m.stride = STRIDE;
    memcpy(x, x_at(STRIDE * 4), COLS * 4);
    opt.bias = bias16;
    opt.bias_type = MPX_BF16;
    opt.activation = MPX_ACT_RELU;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, NULL) == MPX_OK, "strided");
    for (r = 0; r < ROWS; r++)
        check_row("strided", r, COLS, STRIDE, y32[r], 1, 0);
    for (r = 0; r < ROWS; r++) {
        y32[r] += bias[r];
        y32[r] = y32[r] > 0 ? y32[r] : 0;
    }
    for (i = 0; i < COUNT(outputs); i++) {
        const size_t bytes = mpx_dtype_bytes(outputs[i], ROWS);
        (void)mpx_cast(want, outputs[i], y32, MPX_F32, ROWS);
        memset(got, 0x5a, sizeof got);
        CHECK(mpx_matvec_with(got, outputs[i], m, x, MPX_F32, &opt) == MPX_OK, "bias");
        CHECK(memcmp(got, want, bytes) == 0 && got[bytes] == 0x5a, "bias and relu to %s",
              mpx_dtype_short_name(outputs[i]));
        memset(got, 0x5a, sizeof got);
        opt.parallel.run = run_backward;
        opt.parallel.user = &tasks;
        opt.parallel.grain = 1;
        CHECK(mpx_matvec_with(got, outputs[i], m, x, MPX_F32, &opt) == MPX_OK, "threads");
        CHECK(memcmp(got, want, bytes) == 0 && got[bytes] == 0x5a, "threads to %s",
              mpx_dtype_short_name(outputs[i]));
        opt.parallel.run = NULL;
    }
    CHECK(tasks == 3 * COUNT(outputs), "%zu tasks", tasks);
    opt.parallel.run = run_backward; /* of the usual grain: too little for a task */
    opt.parallel.grain = 0;
    (void)mpx_cast(want, MPX_F32, y32, MPX_F32, ROWS);
    CHECK(mpx_matvec_with(got, MPX_F32, m, x, MPX_F32, &opt) == MPX_OK && memcmp(got, want, ROWS * 4) == 0 &&
              tasks == 3 * COUNT(outputs), "one task");
    m.cols = 0; /* the largest grain: one task, too */
    opt.parallel.grain = (size_t)-1;
    opt.bias = NULL;
    CHECK(mpx_matvec_with(got, MPX_F32, m, NULL, MPX_F32, &opt) == MPX_OK && tasks == 3 * COUNT(outputs), "no columns");
    m.cols = COLS;
    opt.bias = bias16;
    opt.parallel.run = NULL;
    /* every activation, as mpx_activate has it */
    opt.activation = MPX_ACT_NONE;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, &opt) == MPX_OK, "bias alone");
    for (i = MPX_ACT_NONE; i <= MPX_ACT_GELU_ERF; i++) {
        opt.activation = (mpx_activation)i;
        CHECK(mpx_activate(want, MPX_F32, y32, MPX_F32, ROWS, opt.activation) == MPX_OK, "activation %zu", i);
        CHECK(mpx_matvec_with(got, MPX_F32, m, x, MPX_F32, &opt) == MPX_OK && memcmp(got, want, ROWS * 4) == 0,
              "activation %zu after a product", i);
    }
    memset(y32, 77, sizeof y32);
    memset(want, 77, sizeof want);
    CHECK(mpx_matvec_with(y32, MPX_I8, m, x, MPX_F32, NULL) == MPX_ERR_DTYPE, "to integers");
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_I4, NULL) == MPX_ERR_DTYPE, "x of i4");
    m.stride = 99;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, NULL) == MPX_ERR_ARGUMENT, "a stride too small");
    m.stride = 0;
    opt.bias_type = MPX_U4;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, &opt) == MPX_ERR_DTYPE, "a bias of u4");
    opt.bias_type = MPX_BF16;
    opt.activation = (mpx_activation)1000;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, &opt) == MPX_ERR_ARGUMENT, "no activation");
    m.type = MPX_C64;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, NULL) == MPX_ERR_DTYPE, "complex weights");
    m.type = MPX_F32;
    m.rows = m.cols = (size_t)-1;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, NULL) == MPX_ERR_SPACE, "too large");
    m.cols = 7; /* from how many elements on; the dtype of y is looked at after that */
    m.rows = ((size_t)-1 >> 4) / m.cols + 1;
    CHECK(mpx_matvec_with(y32, MPX_I8, m, x, MPX_F32, NULL) == MPX_ERR_SPACE, "one row too large");
    m.rows--;
    CHECK(mpx_matvec_with(y32, MPX_I8, m, x, MPX_F32, NULL) == MPX_ERR_DTYPE, "not too large");
    m.rows = ((size_t)-1 >> 4) + 1; /* no elements, but as many results */
    m.cols = 0;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x, MPX_F32, NULL) == MPX_ERR_SPACE, "too many results");
    CHECK(memcmp(y32, want, sizeof y32) == 0, "written in spite of an error");
    CHECK(isnan(mpx_dot(w32, MPX_I2, x32, MPX_F32, 4)), "mpx_dot of i2");
}

/* Rows of no bytes, one and two in tasks. */
static void check_narrow(void) {
    enum { ROWS = 130 };
    static signed char codes[ROWS * 2];
    float out[ROWS];
    mpx_matvec_options opt;
    mpx_matrix m;
    size_t r, tasks = 0;
    memset(codes, 3, sizeof codes);
    memset(&m, 0, sizeof m);
    memset(&opt, 0, sizeof opt);
    m.data = codes;
    m.type = MPX_I8;
    m.rows = ROWS;
    opt.parallel.run = run_backward;
    opt.parallel.user = &tasks;
    opt.parallel.grain = 1;
    x32[0] = x32[1] = 2;
    for (m.cols = 0; m.cols < 3; m.cols++) {
        CHECK(mpx_matvec_with(out, MPX_F32, m, x32, MPX_F32, &opt) == MPX_OK, "%zu columns", m.cols);
        for (r = 0; r < ROWS; r++)
            CHECK(out[r] == (float)m.cols * 6, "row %zu of %zu columns: %g", r, m.cols, (double)out[r]);
    }
    CHECK(tasks == 3 * 3, "%zu tasks", tasks);
}

/* Blocks of small f16, whose scale is Inf in Keras and for whatever follows it: all products are 0. */
static void check_endless_scales(void) {
    enum { ROWS = 3, BLOCKS = 9 };
    static uint16_t tiny[ROWS * BLOCKS * 32];
    static unsigned char codes[ROWS * BLOCKS * 40];
    float out[ROWS];
    mpx_quant q;
    size_t i, rows, blocks;
    memset(&q, 0, sizeof q);
    CHECK(mpx_quant_parse("int8/32", &q, NULL) == MPX_OK, "int8/32");
    for (i = 0; i < COUNT(tiny); i++) tiny[i] = mpx_f16_from_f32(0.0005f * (float)((int)(i % 7) - 3));
    for (i = 0; i < BLOCKS * 32; i++) x32[i] = (float)(1 + i % 5);
    for (rows = 1; rows <= ROWS; rows++)
        for (blocks = 1; blocks <= BLOCKS; blocks++) {
            mpx_matrix m;
            memset(&m, 0, sizeof m);
            m.data = codes;
            m.quant = q;
            m.rows = rows;
            m.cols = blocks * 32;
            CHECK(mpx_quant_bytes(q, rows, m.cols) <= sizeof codes, "space");
            CHECK(mpx_quantize(codes, q, tiny, MPX_F16, rows, m.cols) == MPX_OK, "%zu blocks", blocks);
            CHECK(mpx_matvec_with(out, MPX_F32, m, x32, MPX_F32, NULL) == MPX_OK, "%zu blocks", blocks);
            for (i = 0; i < rows; i++) CHECK(out[i] == 0, "row %zu of %zu blocks: %g", i, blocks, (double)out[i]);
        }
}

/* Four MiB of weights are four tasks if nothing else is asked for. */
static void check_usual_grain(void) {
    enum { ROWS = 512, COLS = MAX_COLS };
    static float out[ROWS];
    mpx_matvec_options opt;
    mpx_matrix m;
    size_t i, tasks = 0;
    memset(&m, 0, sizeof m);
    memset(&opt, 0, sizeof opt);
    m.data = memset(w, 1, (size_t)ROWS * COLS);
    m.type = MPX_I8;
    m.rows = ROWS;
    m.cols = COLS;
    opt.parallel.run = run_backward;
    opt.parallel.user = &tasks;
    for (i = 0; i < COLS; i++)
        x32[i] = 1;
    CHECK(mpx_matvec_with(out, MPX_F32, m, x32, MPX_F32, &opt) == MPX_OK && tasks == 4, "%zu tasks", tasks);
    for (i = 0; i < ROWS; i++)
        CHECK(out[i] == (float)COLS, "row %zu: %g", i, (double)out[i]);
}

/* ---- Inf and NaN, floating-point modes ------------------------------------------------------- */

static void check_special(mpx_dtype type) {
    enum { COLS = 70 };
    const size_t size = (size_t)mpx_dtype_bits(type) / 8;
    unsigned char codes[COLS * 8];
    float nan = (float)NAN, inf = (float)INFINITY, y;
    size_t i;
    for (i = 0; i < COLS; i++)
        w32[i] = x32[i] = 1;
    for (i = 0; i < COLS; i++) {
        (void)mpx_cast(codes, type, w32, MPX_F32, COLS);
        (void)mpx_cast(codes + i * size, type, &nan, MPX_F32, 1);
        y = mpx_dot(codes, type, x32, MPX_F32, COLS);
        CHECK(isnan(y), "NaN at %zu of %s: %g", i, mpx_dtype_short_name(type), (double)y);
        (void)mpx_cast(codes + i * size, type, &inf, MPX_F32, 1);
        y = mpx_dot(codes, type, x32, MPX_F32, COLS);
        CHECK(mpx_all_finite(codes, type, COLS) ? y == COLS - 1 + (float)448 : !(y < inf),
              "Inf at %zu of %s: %g", i, mpx_dtype_short_name(type), (double)y);
    }
}
/* A code that is Inf makes Inf, wherever it is, also if its scale serves the whole row. */
static void check_special_code(mpx_dtype type, mpx_scope scope) {
    enum { COLS = 320 };
    static const float inf = (float)INFINITY;
    unsigned char data[2 * COLS];
    mpx_matrix m;
    mpx_quant_layout layout;
    float y = 0;
    size_t i;
    memset(&m, 0, sizeof m);
    m.data = data;
    m.rows = 1;
    m.cols = COLS;
    m.quant.scheme = MPX_SCHEME_LINEAR;
    m.quant.element = type;
    m.quant.scope = scope;
    for (i = 0; i < COLS; i++)
        w32[i] = x32[i] = 1;
    CHECK(mpx_quant_layout_of(m.quant, 1, COLS, &layout, NULL) == MPX_OK && layout.bytes <= sizeof data, "layout");
    for (i = 0; i < COLS; i += 9) {
        CHECK(mpx_quantize(data, m.quant, w32, MPX_F32, 1, COLS) == MPX_OK, "quantize");
        (void)mpx_cast(data + layout.codes + i, type, &inf, MPX_F32, 1);
        CHECK(mpx_matvec_with(&y, MPX_F32, m, x32, MPX_F32, NULL) == MPX_OK && y == inf,
              "Inf at %zu of %s with one scale: %g", i, mpx_dtype_short_name(type), (double)y);
    }
}
/* Codes of 8 bits, whose x becomes integers: Inf and NaN in x make NaN, wherever they are. */
static void check_special_x(void) {
    static const float special[] = { (float)NAN, (float)INFINITY, -(float)INFINITY };
    enum { COLS = 1700 };
    static signed char codes[COLS];
    static float xs[COLS];
    size_t i, k;
    memset(codes, 1, sizeof codes);
    for (i = 0; i < COLS; i++)
        xs[i] = 1;
    CHECK(mpx_dot(codes, MPX_I8, xs, MPX_F32, COLS) == (float)COLS, "ones");
    for (i = 0; i < COLS; i++)
        xs[i] = 1.3e-38f; /* a normal number, of which 16 bits keep a multiple of 2^-126 */
    CHECK(fabs((double)mpx_dot(codes, MPX_I8, xs, MPX_F32, COLS) - ldexp(COLS, 0) * (double)xs[0]) <= ldexp(COLS, -127),
          "of tiny x");
    for (i = 0; i < COLS; i++)
        xs[i] = 1;
    for (k = 0; k < COUNT(special); k++)
        for (i = 0; i < COLS - COLS % 64; i += 37) {
            xs[i] = special[k];
            CHECK(isnan(mpx_dot(codes, MPX_I8, xs, MPX_F32, COLS)), "%g at %zu of x", (double)special[k], i);
            xs[i] = 1;
        }
}
/* Codes of 8 bits: x of 15 bits and a sign are taken as they are, at every magnitude. */
static void check_steps(void) {
    static const int largest[] = { 16383, 16384, 16385, 32766, 32767 }, exponents[] = { -126, -125, -14, 0, 1, 90 };
    enum { COLS = 100 };
    signed char codes[COLS];
    float xs[COLS];
    size_t i, k, e;
    for (e = 0; e < COUNT(exponents); e++)
        for (k = 0; k < COUNT(largest); k++) {
            int sum = 0;
            float y;
            for (i = 0; i < COLS; i++) {
                const int n = i == k * 20 ? -largest[k] : (int)(draw() % (unsigned)largest[k]) * (i & 1 ? -1 : 1);
                codes[i] = (signed char)((int)(draw() % 7) - 3);
                xs[i] = ldexpf((float)n, exponents[e]);
                sum += codes[i] * n;
            }
            y = mpx_dot(codes, MPX_I8, xs, MPX_F32, COLS);
            CHECK(y == ldexpf((float)sum, exponents[e]), "steps of 2^%d up to %d: %.9g, not %d", exponents[e], largest[k],
                  (double)ldexpf(y, -exponents[e]), sum);
        }
}
static void check_modes(mpx_dtype type) {
    enum { ROWS = 3, COLS = 1000 };
    const void *at;
    size_t k;
    fill(type, MPX_BF16, ROWS, COLS, 0);
    at = w_at(mpx_dtype_bytes(type, ROWS * COLS));
    (void)mpx_matvec(y32, MPX_BF16, at, type, x_at(COLS * 2), MPX_BF16, ROWS, COLS);
    for (k = 0; k < COUNT(fpmodes); k++) {
        float got[ROWS];
        int holds;
        if (!fpmode_enter(&fpmodes[k])) continue;
        (void)mpx_matvec(got, MPX_BF16, at, type, x_at(COLS * 2), MPX_BF16, ROWS, COLS);
        holds = fpmode_holds(&fpmodes[k]);
        fpmode_leave();
        CHECK(memcmp(got, y32, ROWS * 2) == 0 && holds, "%s, %s%s", mpx_dtype_short_name(type),
              fpmodes[k].name, holds ? "" : ": the mode has changed");
    }
}

/* ---- quantized weights ----------------------------------------------------------------------- */

static const char *const formats[] = {
    "int8", "int8/row", "int8/column", "int4", "int4/128", "int8/32", "int8/64", "int8/128", "int8/48", "int4/96",
    "int8/33", "uint8/128", "uint8", "uint8/row", "uint4/64", "uint4/row", "uint4/512", "int8/zero",
    "int8/row/linear/zero", "int8/64/linear/zero", "int4/row/linear/zero", "int8/16", "int8/512", "int8/1024",
    "int8/4096", "int4/row", "int4/512", "float8", "float8/row", "f8e5m2/128", "f8e4m3fn/64", "f8e4m3fn/512",
    "f8e4m3fn/2048", "f8e4m3fn/16", "f8e4m3fn/48", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4",
    "mxint8", "nvfp4", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "ggml_mxfp4", "mxfp4/swizzled", "mxfp8_e4m3/swizzled",
    "nvfp4/swizzled", "q4_k", "q5_k", "q6_k", "ggml_nvfp4",
};
/* Blocks that can only be read: any bytes, with scales of f16 that are not large. */
static void draw_blocks(const mpx_quant *q, unsigned char *d, size_t bytes) {
    const int least_too = q->scheme == MPX_SCHEME_Q4_K || q->scheme == MPX_SCHEME_Q5_K;
    const size_t block = q->scheme == MPX_SCHEME_Q4_K   ? 144
                         : q->scheme == MPX_SCHEME_Q5_K ? 176
                         : q->scheme == MPX_SCHEME_Q6_K ? 210 : 36;
    size_t i, j;
    for (i = 0; i < bytes; i++)
        d[i] = (unsigned char)(draw() & 255);
    for (i = 0; i < bytes && block != 36; i += block) {
        d[i + (least_too ? 1 : 209)] = (unsigned char)(0x20 + draw() % 24 + (draw() & 128));
        d[i + 3] = least_too ? (unsigned char)(0x20 + draw() % 24 + (draw() & 128)) : d[i + 3];
        for (j = 0; j < 256 && least_too; j++) {
            const unsigned char *low = d + i + 4;
            const size_t g = j / 32;
            const int least = g < 4 ? low[g + 4] & 63 : low[g + 4] >> 4 | low[g] >> 6 << 4;
            minima[i / block * 256 + j] = fabs((double)mpx_f16_to_f32((uint16_t)(d[i + 2] | d[i + 3] << 8)) * least);
        }
    }
}
static void check_quantized(const mpx_quant *q, const char *name, size_t rows, size_t cols, mpx_dtype type) {
    static float scratch[MAX];
    const size_t bytes = mpx_quant_bytes(*q, rows, cols);
    mpx_matvec_options opt;
    mpx_matrix m;
    const int codes = q->element == MPX_I8 || q->element == MPX_I4 || q->element == MPX_U8 || q->element == MPX_U4 ||
                       (q->scheme >= MPX_SCHEME_NVFP4 && q->scheme <= MPX_SCHEME_GGML_MXFP4) ||
                       (q->scheme == MPX_SCHEME_MX && q->element == MPX_F4E2M1FN);
    size_t r, i, tasks = 0;
    if (bytes == 0) return; /* no whole blocks */
    for (i = 0; i < rows * cols; i++)
        w32[i] = ldexpf(draw_float(0), (int)(i / 256 * 5 % 9) - (int)(i / 2048 % 3 * 2)); /* scales that differ */
    for (i = 0; i < cols; i++)
        x32[i] = draw_float(0);
    (void)mpx_cast(x_at(mpx_dtype_bytes(type, cols)), type, x32, MPX_F32, cols);
    (void)mpx_cast(x64, MPX_F64, x_at(mpx_dtype_bytes(type, cols)), type, cols);
    if ((q->scheme >= MPX_SCHEME_Q4_K && q->scheme <= MPX_SCHEME_Q6_K) || q->scheme == MPX_SCHEME_GGML_NVFP4)
        draw_blocks(q, w_at(bytes), bytes);
    else
        CHECK(mpx_quantize(w_at(bytes), *q, w32, MPX_F32, rows, cols) == MPX_OK, "%s", name);
    for (i = 0; i < rows * cols && (q->scheme == MPX_SCHEME_Q4_1 || q->scheme == MPX_SCHEME_Q5_1); i++) {
        const unsigned char *block = w_at(bytes) + i / 32 * (bytes / (rows * cols / 32));
        minima[i] = fabs((double)mpx_f16_to_f32((uint16_t)(block[2] | block[3] << 8)));
    }
    if (q->zero_point && (q->element == MPX_I4 || q->element == MPX_U4)) { /* bits that are not the zero point's */
        mpx_quant_layout at;
        (void)mpx_quant_layout_of(*q, rows, cols, &at, NULL);
        for (i = at.zeros; i < at.tensor_scale; i++) w_at(bytes)[i] ^= (unsigned char)(i * 16 & 240);
    }
    (void)mpx_dequantize(scratch, MPX_F32, w_at(bytes), *q, rows, cols);
    for (i = 0; i < rows * cols; i++)
        w64[i] = (double)scratch[i];
    memset(&m, 0, sizeof m);
    m.data = w_at(bytes);
    m.rows = rows;
    m.cols = cols;
    m.quant = *q;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x_at(mpx_dtype_bytes(type, cols)), type, NULL) == MPX_OK, "%s", name);
    for (r = 0; r < rows; r++)
        check_row(name, r, cols, cols, y32[r], 0, codes);
    if (q->scheme >= MPX_SCHEME_Q4_1 && q->scheme <= MPX_SCHEME_Q5_K) memset(minima, 0, sizeof minima);
    memset(&opt, 0, sizeof opt);
    opt.parallel.run = run_backward;
    opt.parallel.user = &tasks;
    opt.parallel.grain = cols * 40; /* less than 64 rows, of whatever format */
    CHECK(mpx_matvec_with(scratch, MPX_F32, m, x_at(mpx_dtype_bytes(type, cols)), type, &opt) == MPX_OK &&
              memcmp(scratch, y32, rows * 4) == 0, "%s: threads", name);
    CHECK(tasks == (rows > 64 ? (rows + 63) / 64 : 0), "%s: %zu tasks of %zu rows", name, tasks, rows);
    m.stride = cols;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x_at(mpx_dtype_bytes(type, cols)), type, NULL) == MPX_OK &&
              memcmp(scratch, y32, rows * 4) == 0, "%s: a stride of whole rows", name);
    m.stride = cols + 32;
    CHECK(mpx_matvec_with(y32, MPX_F32, m, x_at(mpx_dtype_bytes(type, cols)), type, NULL) == MPX_ERR_ARGUMENT &&
              memcmp(scratch, y32, rows * 4) == 0, "%s: a stride", name);
}
/* No rows: nothing is read, not even the scale of a tensor. */
static void check_empty(const mpx_quant *q, const char *name) {
    mpx_quant_layout layout;
    mpx_matrix m;
    memset(&m, 0, sizeof m);
    m.quant = *q;
    m.cols = 64;
    CHECK(mpx_matvec_with(NULL, MPX_F32, m, x32, MPX_F32, NULL) == mpx_quant_layout_of(*q, 0, 64, &layout, NULL),
          "%s of no rows", name);
}
/* Every code of an e8m0 scale, and of an f8e4m3fn of NVFP4, NaN and those of subnormal scales too; x is such that products are normal. */
static void check_scales(const char *name, size_t row) {
    const size_t group = strcmp(name, "nvfp4") == 0 ? 16 : 32;
    mpx_quant_layout layout;
    mpx_matrix m;
    float values[512];
    size_t i, bytes, at, apart;
    int code;
    memset(&m, 0, sizeof m);
    CHECK(mpx_quant_parse(name, &m.quant, NULL) == MPX_OK, "no %s", name);
    CHECK(mpx_quant_layout_of(m.quant, 1, row, &layout, NULL) == MPX_OK, "%s", name);
    bytes = mpx_quant_bytes(m.quant, 1, row);
    at = m.quant.scheme == MPX_SCHEME_GGML_MXFP4 ? 0 : layout.scales;
    apart = m.quant.scheme == MPX_SCHEME_GGML_MXFP4 ? layout.block_bytes : 1;
    for (i = 0; i < row; i++) w32[i] = (float)((int)(i * 7 % 13) - 6);
    (void)mpx_quantize(w_at(bytes), m.quant, w32, MPX_F32, 1, row);
    m.data = w_at(bytes);
    m.rows = 1;
    m.cols = row;
    for (code = 0; code < 256; code++) {
        double sum = 0, magnitude = 0;
        float y;
        if (code > 227 && code != 255 && group == 32) continue; /* api.h: may give Inf or NaN */
        for (i = 0; i < row / group; i++) w_at(bytes)[at + i * apart] = (unsigned char)code;
        for (i = 0; i < row; i++) x32[i] = ldexpf((float)((int)(i % 5) + 1), code < 128 ? 20 : -20);
        (void)mpx_dequantize(values, MPX_F32, w_at(bytes), m.quant, 1, row);
        for (i = 0; i < row; i++) {
            sum += (double)values[i] * (double)x32[i];
            magnitude += fabs((double)values[i] * (double)x32[i]);
        }
        CHECK(mpx_matvec_with(&y, MPX_F32, m, x32, MPX_F32, NULL) == MPX_OK, "%s", name);
        CHECK(isnan(sum) ? isnan(y) : fabs((double)y - sum) <= ldexp(magnitude, -14), "%s: scale 0x%02x: %g, not %g",
              name, (unsigned)code, (double)y, sum);
    }
}
static void check_formats(void) {
    static const size_t cols[] = { 1, 2, 3, 32, 35, 48, 56, 64, 96, 128, 512, 640, 1056, 40, 41, 130, 256, 768, 62, 97 };
    size_t i, r, c;
    for (i = 64; i <= 512; i *= 8) { /* few scales, and whole vectors of them */
        check_scales("mxfp4", i);
        check_scales("ggml_mxfp4", i);
        check_scales("mxfp8_e4m3", i);
        check_scales("nvfp4", i);
    }
    for (i = 0; i < 2; i++) { /* groups that are almost a power of two */
        mpx_quant q;
        CHECK(mpx_quant_parse(i == 0 ? "int8/63" : "f8e4m3fn/63", &q, NULL) == MPX_OK, "groups of 63");
        check_quantized(&q, "groups of 63", 65, 126, MPX_F32);
    }
    for (i = 0; i < COUNT(formats); i++) {
        mpx_quant q;
        CHECK(mpx_quant_parse(formats[i], &q, NULL) == MPX_OK, "no %s", formats[i]);
        check_empty(&q, formats[i]);
        for (c = draw() % step; c < COUNT(cols); c += step)
            for (r = 0; r < COUNT(row_counts); r++)
                check_quantized(&q, formats[i], row_counts[r], cols[c], MPX_F32);
        check_quantized(&q, formats[i], 3, 8192, MPX_F32); /* more than is read together, larger groups */
        check_quantized(&q, formats[i], 3, 4096, MPX_BF16);
        if (q.scheme == MPX_SCHEME_KERAS) { /* the same with scales that multiply codes */
            q.scheme = MPX_SCHEME_LINEAR;
            for (c = 0; c < COUNT(cols); c++)
                check_quantized(&q, "linear", 65, cols[c], MPX_F32);
            check_quantized(&q, "linear", 3, 8192, MPX_F32);
            check_quantized(&q, "linear", 3, 4096, MPX_BF16);
            if (!q.zero_point) continue;
            q.zero_point = 0; /* which no text gives int4 in groups */
            for (c = 0; c < COUNT(cols); c++)
                check_quantized(&q, "linear, symmetric", 5, cols[c], MPX_F32);
            check_quantized(&q, "linear, symmetric", 3, 4096, MPX_BF16);
            q.scheme = MPX_SCHEME_KERAS;
            for (c = 0; c < COUNT(cols); c++)
                check_quantized(&q, "keras, symmetric", 5, cols[c], MPX_F32);
            check_quantized(&q, "keras, symmetric", 3, 4096, MPX_BF16);
        }
    }
}

int main(int argc, char **argv) {
    static const mpx_dtype read[] = { MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2, MPX_F8E4M3,
                                      MPX_F8E3M4, MPX_F8E4M3FNUZ, MPX_F8E5M2FNUZ };
    size_t i;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) step = 4;
    w = fenced_pages(&w_size);
    x = fenced_pages(&x_size);
    check_all_dtypes();
    check_fours();
    check_options();
    for (i = 0; i < COUNT(read); i++) {
        check_special(read[i]);
        if (has_float_lanes()) check_modes(read[i]);
    }
    check_special_code(MPX_F8E5M2, MPX_SCOPE_ROW);
    check_special_code(MPX_F8E4M3, MPX_SCOPE_TENSOR);
    if (has_float_lanes()) check_special_x(); /* there x stays f32 */
    check_steps();
    check_narrow();
    check_endless_scales();
    check_usual_grain();
    check_formats();
    return test_done("test_dot");
}
