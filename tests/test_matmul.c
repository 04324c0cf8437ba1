/* mpx_matmul against sums in double: shapes around tiles, panels, blocks and slabs, transposed
   operands, strides, dtypes, quantized matrices, packed ones, threads, a bias, c += a * b, Inf and
   NaN. Small integers must be exact; packing and threads change no bit. With MPX_DISPATCH all of it by each way to
   multiply bf16, and each is the one that was asked for.

   test_matmul [--quick]   fewer shapes */
#define MPX_COMPUTE 1
#include "pages.h"
#include "test.h"
#include "fpmode.h"
#include <math.h>
#include <signal.h>
#if MPX_DISPATCH && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { MAX = 330 * 330 };
#define COUNT(a) (sizeof (a) / sizeof (a)[0])
static float f[MAX];
static double a64[MAX], b64[MAX], c64[MAX];
static unsigned char a[MAX * 8], b[MAX * 8], c[MAX * 8], before[MAX * 8], again[MAX * 8], *packed, *workspace;
static uint32_t state = 1;
static uint32_t draw(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

typedef struct shape { size_t m, n, k; } shape;
typedef struct setting { mpx_dtype a, b, c; int turn_a, turn_b, accumulate, bias, relu, exact; size_t more; } setting;

/* Random elements in a dtype, and what they are in double. */
static void fill(unsigned char *d, double *x, mpx_dtype type, size_t n, int exact) {
    size_t i;
    for (i = 0; i < n; i++)
        f[i] = exact || mpx_dtype_info(type).kind != MPX_KIND_FLOAT ? (float)((int)(draw() % 9) - 4)
                                                                     : (float)((int)(draw() % 20001) - 10000) / 8192;
    (void)mpx_cast(d, type, f, MPX_F32, n);
    (void)mpx_cast(x, MPX_F64, d, type, n);
}
static mpx_matrix matrix_of(const void *data, mpx_dtype type, size_t rows, size_t cols, int turned, size_t more) {
    mpx_matrix m;
    memset(&m, 0, sizeof m);
    m.data = data;
    m.type = type;
    m.rows = turned ? cols : rows;
    m.cols = turned ? rows : cols;
    m.stride = m.cols + more;
    return m;
}
static double at(const double *x, const mpx_matrix *m, int turned, size_t row, size_t col) {
    return turned ? x[col * m->stride + row] : x[row * m->stride + col];
}
static void run_backward(size_t count, mpx_task_fn task, void *arg, void *user) {
    *(size_t *)user += count;
    while (count-- != 0)
        task(arg, count);
}
/* |got - want| at most k * 2^-23 * the sum of magnitudes, and half a unit of c's dtype. */
static void check_sum(const setting *s, const shape *z, const mpx_matrix *ma, const mpx_matrix *mb, size_t i, size_t j,
                      float got, double start) {
    double sum = start, magnitude = fabs(start), bound;
    size_t k;
    for (k = 0; k < z->k; k++) {
        const double product = at(a64, ma, s->turn_a, i, k) * at(b64, mb, s->turn_b, k, j);
        sum += product;
        magnitude += fabs(product);
    }
    if (s->relu && sum < 0) sum = 0;
    bound = s->exact ? 0 : (double)(z->k + 2) * ldexp(magnitude, -23) + (s->c == MPX_BF16 ? fabs(sum) / 256 : 0);
    CHECK(fabs((double)got - sum) <= bound, "%zu x %zu x %zu, %s %s %s, row %zu, column %zu: %.9g, not %.9g", z->m, z->n,
          z->k, mpx_dtype_short_name(s->a), mpx_dtype_short_name(s->b), mpx_dtype_short_name(s->c), i, j, (double)got, sum);
}
static void check(const setting *s, shape z) {
    const size_t stride = z.n + s->more, size = (size_t)mpx_dtype_bits(s->c) / 8;
    mpx_matrix ma = matrix_of(a, s->a, z.m, z.k, s->turn_a, s->more), mb = matrix_of(b, s->b, z.k, z.n, s->turn_b, s->more);
    mpx_matmul_options opt;
    float bias[512];
    size_t i, j, tasks = 0;
    fill(a, a64, s->a, ma.rows * ma.stride, s->exact);
    fill(b, b64, s->b, mb.rows * mb.stride, s->exact);
    fill(c, c64, s->c, z.m * stride, s->exact);
    memcpy(before, c, sizeof before);
    for (j = 0; j < z.n; j++)
        bias[j] = (float)((int)(draw() % 9) - 4);
    memset(&opt, 0, sizeof opt);
    opt.transpose_a = s->turn_a;
    opt.transpose_b = s->turn_b;
    opt.accumulate = s->accumulate;
    opt.bias = s->bias ? bias : NULL;
    opt.bias_type = MPX_F32;
    opt.activation = s->relu ? MPX_ACT_RELU : MPX_ACT_NONE;
    opt.c_stride = stride;
    opt.workspace = workspace + 1;
    opt.workspace_size = mpx_matmul_workspace(mb, &opt);
    CHECK(opt.workspace_size <= 16u << 20, "workspace");
    workspace[1 + opt.workspace_size] = 0x77;
    CHECK(mpx_matmul(c, s->c, ma, mb, &opt) == MPX_OK, "%zu x %zu x %zu", z.m, z.n, z.k);
    CHECK(workspace[1 + opt.workspace_size] == 0x77, "beyond the workspace");
    for (i = 0; i < z.m; i++)
        for (j = 0; j < stride; j++) {
            float got;
            (void)mpx_cast(&got, MPX_F32, c + (i * stride + j) * size, s->c, 1);
            if (j < z.n)
                check_sum(s, &z, &ma, &mb, i, j, got, (s->accumulate ? c64[i * stride + j] : 0) +
                                                          (s->bias ? (double)bias[j] : 0));
            else
                CHECK(memcmp(c + (i * stride + j) * size, before + (i * stride + j) * size, size) == 0, "between rows");
        }
    if (s->bias && z.n > 256) { /* a wide bias of the same numbers, for more than a slab */
        double wide[512];
        (void)mpx_cast(wide, MPX_F64, bias, MPX_F32, z.n);
        opt.bias = wide, opt.bias_type = MPX_F64;
        memcpy(again, before, sizeof again);
        CHECK(mpx_matmul(again, s->c, ma, mb, &opt) == MPX_OK && memcmp(again, c, sizeof c) == 0, "a bias of f64");
        opt.bias = bias, opt.bias_type = MPX_F32;
    }
    /* in pieces, from the last one on; then packed, in pieces */
    opt.parallel.run = run_backward;
    opt.parallel.user = &tasks;
    opt.workspace_size *= 3;
    memcpy(again, before, sizeof again);
    CHECK(mpx_matmul(again, s->c, ma, mb, &opt) == MPX_OK && memcmp(again, c, sizeof c) == 0, "pieces");
    opt.packed_for = s->a;
    CHECK(mpx_matmul_packed_bytes(mb, &opt) <= 4u << 20, "packed bytes");
    memset(packed, 0xff, mpx_matmul_packed_bytes(mb, &opt));
    CHECK(mpx_matmul_pack(packed, mb, &opt) == MPX_OK, "pack");
    if (mpx_matmul_packed_bytes(mb, &opt) <= sizeof again) { /* whatever was there before */
        CHECK(mpx_matmul_pack(again, mb, &opt) == MPX_OK &&
                  memcmp(again, packed, mpx_matmul_packed_bytes(mb, &opt)) == 0, "packed bytes");
    }
    opt.packed = packed;
    mb.data = NULL;
    opt.workspace_size = 2 * mpx_matmul_workspace(mb, &opt);
    memcpy(again, before, sizeof again);
    CHECK(mpx_matmul(again, s->c, ma, mb, &opt) == MPX_OK && memcmp(again, c, sizeof c) == 0, "packed");
    { /* of three pieces, then of two: as many as have work; one is no task. Bands of a packed b have up to 144 rows */
        const size_t slabs = (z.n + 255) / 256, first = slabs < 2 ? 0 : slabs < 3 ? slabs : 3;
        CHECK(z.m * z.n == 0 || tasks == first + (slabs > 1 || z.m > 144 ? 2 : 0), "%zu tasks", tasks);
    }
}

static void check_shapes(int quick) {
    static const setting settings[] = {
        { MPX_F32, MPX_F32, MPX_F32, 0, 0, 0, 0, 0, 1, 0 }, { MPX_F32, MPX_F32, MPX_F32, 1, 0, 1, 0, 0, 0, 3 },
        { MPX_F32, MPX_F32, MPX_F32, 0, 0, 0, 1, 0, 0, 0 }, { MPX_F32, MPX_F32, MPX_F32, 0, 0, 0, 0, 1, 0, 0 },
        { MPX_F32, MPX_F32, MPX_F32, 0, 1, 0, 0, 0, 0, 2 },
        { MPX_BF16, MPX_F32, MPX_BF16, 0, 1, 0, 1, 1, 0, 1 }, { MPX_F16, MPX_F8E4M3FN, MPX_F32, 1, 1, 1, 1, 0, 1, 0 },
        { MPX_F32, MPX_I8, MPX_F16, 0, 0, 0, 1, 1, 1, 2 }, { MPX_F64, MPX_BF16, MPX_F64, 0, 1, 0, 0, 1, 1, 0 },
        /* multiplied in pairs where the machine does that */
        { MPX_BF16, MPX_BF16, MPX_F32, 0, 0, 0, 0, 0, 0, 0 }, { MPX_BF16, MPX_BF16, MPX_BF16, 1, 1, 1, 1, 1, 0, 2 },
        { MPX_F8E5M2, MPX_BF16, MPX_F32, 1, 0, 0, 0, 0, 1, 1 }, { MPX_BF16, MPX_I8, MPX_F32, 0, 1, 0, 0, 0, 1, 0 },
        { MPX_F8E4M3FN, MPX_F8E4M3FN, MPX_F32, 0, 0, 0, 0, 0, 1, 0 },
    };
    static const shape larger[] = {
        { 33, 64, 65 }, { 64, 257, 33 }, { 73, 300, 257 }, { 145, 17, 300 }, { 1, 300, 300 }, { 300, 1, 7 },
        { 144, 256, 256 }, { 2, 255, 5 }, { 5, 5, 320 }, { 320, 320, 5 }, { 72, 3, 512 }, { 40, 36, 1101 }, { 33, 32, 64 },
    };
    const size_t step = quick ? 3 : 1;
    size_t i, m, n, k;
    for (i = 0; i < COUNT(settings); i++) {
        for (m = 0; m <= 20; m += 1 + draw() % step)
            for (n = 0; n <= 20; n += 1 + draw() % (2 * step))
                for (k = 0; k <= 20; k += 1 + draw() % (2 * step)) {
                    shape z;
                    z.m = m;
                    z.n = n;
                    z.k = k;
                    check(&settings[i], z);
                }
        for (m = 0; m < COUNT(larger); m++)
            check(&settings[i], larger[m]);
    }
}
static void check_quantized(const char *format, int turned) {
    enum { M = 7, N = 64, K = 576 }; /* more than a block of rows */
    mpx_matrix ma, mb;
    mpx_matmul_options opt;
    setting s;
    shape z;
    size_t i, j;
    float out[M * N];
    memset(&s, 0, sizeof s);
    memset(&opt, 0, sizeof opt);
    s.a = s.b = s.c = MPX_F32;
    s.turn_b = opt.transpose_b = turned;
    z.m = M;
    z.n = N;
    z.k = K;
    ma = matrix_of(a, MPX_F32, M, K, 0, 0);
    mb = matrix_of(b, MPX_F32, K, N, turned, 0);
    fill(a, a64, MPX_F32, M * K, 0);
    fill(again, b64, MPX_F32, N * K, 0);
    CHECK(mpx_quant_parse(format, &mb.quant, NULL) == MPX_OK, "no %s", format);
    CHECK(mpx_quantize(b, mb.quant, again, MPX_F32, mb.rows, mb.cols) == MPX_OK, "%s", format);
    (void)mpx_dequantize(b64, MPX_F64, b, mb.quant, mb.rows, mb.cols);
    opt.workspace = workspace;
    opt.workspace_size = mpx_matmul_workspace(mb, &opt);
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK, "%s", format);
    /* packed: in any floating-point mode, and used without what it was made of */
    CHECK(mpx_matmul_pack(packed, mb, &opt) == MPX_OK, "pack %s", format);
    for (i = 0; i < COUNT(fpmodes); i++) {
        mpx_status status;
        if (!has_float_lanes() || !fpmode_enter(&fpmodes[i])) continue;
        status = mpx_matmul_pack(again, mb, &opt);
        fpmode_leave();
        CHECK(status == MPX_OK && memcmp(again, packed, mpx_matmul_packed_bytes(mb, &opt)) == 0, "pack %s, %s",
              format, fpmodes[i].name);
    }
    opt.packed = packed;
    mb.data = (const void *)(uintptr_t)64; /* nothing is there, and nothing is read */
    CHECK(mpx_matmul_workspace(mb, &opt) != 0, "a workspace for packed %s", format);
    CHECK(mpx_matmul(again, MPX_F32, ma, mb, &opt) == MPX_OK && memcmp(again, out, sizeof out) == 0, "packed %s", format);
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++)
            check_sum(&s, &z, &ma, &mb, i, j, out[i * N + j], 0);
}
/* Columns of a quantized matrix as rows of a: pieces of them begin within blocks, and within bytes. */
static void check_quantized_a(const char *format) {
    enum { M = 512, N = 3, K = 5 }; /* of 144 rows from 144 on, the last are in a second block */
    const setting s = { MPX_F32, MPX_F32, MPX_F32, 1, 0, 0, 0, 0, 0, 0 };
    const shape z = { M, N, K };
    mpx_matrix ma = matrix_of(a, MPX_F32, M, K, 1, 0), mb = matrix_of(b, MPX_F32, K, N, 0, 0);
    mpx_matmul_options opt;
    float out[M * N];
    size_t i, j;
    memset(&opt, 0, sizeof opt);
    opt.transpose_a = 1;
    opt.workspace = workspace;
    opt.workspace_size = mpx_matmul_workspace(mb, &opt);
    fill(again, a64, MPX_F32, M * K, 0);
    fill(b, b64, MPX_F32, K * N, 0);
    CHECK(mpx_quant_parse(format, &ma.quant, NULL) == MPX_OK, "no %s", format);
    if (mpx_quantize(a, ma.quant, again, MPX_F32, K, M) != MPX_OK) /* is only read */
        for (i = 0; i < mpx_quant_bytes(ma.quant, K, M); i++)
            a[i] = (unsigned char)(draw() % 64);
    (void)mpx_dequantize(a64, MPX_F64, a, ma.quant, K, M);
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK, "%s", format);
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++)
            check_sum(&s, &z, &ma, &mb, i, j, out[i * N + j], 0);
}
static void check_special(void) {
    enum { N = 20 };
    mpx_matrix m = matrix_of(a, MPX_F32, N, N, 0, 0), one = matrix_of(b, MPX_F32, N, N, 0, 0);
    mpx_matmul_options opt;
    float x[N * N], y[N * N], out[N * N];
    size_t i, j, tasks;
    memset(&opt, 0, sizeof opt);
    opt.workspace = workspace;
    opt.workspace_size = mpx_matmul_workspace(one, &opt);
    for (i = 0; i < N * N; i++)
        x[i] = 1, y[i] = i % (N + 1) == 0;
    x[3 * N + 5] = (float)NAN;
    x[7 * N + 2] = (float)INFINITY;
    m.data = x;
    one.data = y;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_OK, "special");
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) /* 0 * Inf is NaN */
            CHECK(i == 3 || (i == 7 && j != 2) ? isnan(out[i * N + j]) : i == 7 ? out[i * N + j] > 1e38f : out[i * N + j] == 1,
                  "row %zu, column %zu: %g", i, j, (double)out[i * N + j]);
    m.cols = N - 1;
    memset(out, 77, sizeof out);
    memcpy(again, out, sizeof out);
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_SHAPE, "shapes");
    m.cols = N;
    m.type = MPX_C64;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_DTYPE, "complex A");
    m.type = MPX_F32;
    opt.activation = (mpx_activation)1000;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_ARGUMENT, "no activation");
    opt.activation = MPX_ACT_NONE;
    opt.bias = x;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_DTYPE, "a bias of no dtype");
    opt.bias_type = MPX_I4;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_DTYPE, "a bias of i4");
    opt.bias = NULL;
    CHECK(mpx_matmul(out, MPX_F32, m, one, NULL) == MPX_ERR_SPACE, "no workspace");
    CHECK(mpx_matmul_workspace(one, NULL) == opt.workspace_size, "the workspace without options");
    opt.parallel.run = run_backward, opt.parallel.user = &tasks;
    for (i = 0; i < 2; i++) { /* two pieces, and one byte that they lack; 63 to align are there once */
        static float wide[N * 300], product[N * 300];
        const mpx_matrix two = matrix_of(wide, MPX_F32, N, 300, 0, 0);
        opt.workspace_size = 2 * mpx_matmul_workspace(two, NULL) - 63 - i;
        tasks = 0;
        CHECK(mpx_matmul(product, MPX_F32, m, two, &opt) == MPX_OK && tasks == (i == 0 ? 2 : 0), "%zu pieces", tasks);
    }
    opt.workspace_size = 3 * mpx_matmul_workspace(one, NULL);
    tasks = 0;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_OK && tasks == 0, "%zu pieces, but work for one", tasks);
    opt.parallel.run = NULL;
    opt.workspace_size = mpx_matmul_workspace(one, NULL);
    memset(out, 77, sizeof out);
    m.rows = 0;
    CHECK(mpx_matmul(out, MPX_F32, m, one, NULL) == MPX_OK, "no rows need no workspace");
    m.rows = N;
    opt.workspace_size--;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_SPACE, "a small workspace");
    opt.workspace_size++;
    CHECK(mpx_matmul(out, MPX_I8, m, one, &opt) == MPX_ERR_DTYPE, "to integers");
    opt.c_stride = N - 1;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_ARGUMENT, "a stride");
    opt.c_stride = (size_t)1 << (8 * sizeof opt.c_stride - 2); /* four times that wraps to 0 */
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_SPACE, "a stride beyond size_t");
    opt.c_stride = 0;
    CHECK(mpx_quant_parse("int8", &m.quant, NULL) == MPX_OK, "int8");
    m.stride = m.cols + 1;
    CHECK(mpx_matmul(out, MPX_F32, m, one, &opt) == MPX_ERR_ARGUMENT, "a stride of a quantized matrix");
    one.type = MPX_C64;
    CHECK(mpx_matmul_workspace(one, &opt) == 0 && mpx_matmul_packed_bytes(one, &opt) == 0 &&
              mpx_matmul_pack(out, one, &opt) == MPX_ERR_DTYPE, "complex");
    one.type = MPX_F32;
    one.rows = (size_t)1 << (4 * sizeof one.rows - 2);
    one.cols = one.rows;
    one.stride = 0;
    CHECK(mpx_matmul_pack(out, one, &opt) == MPX_ERR_SPACE, "too large");
    one.rows = one.cols = one.rows / 2;
    CHECK(mpx_matmul_workspace(one, &opt) != 0 && mpx_matmul_packed_bytes(one, &opt) == one.rows * one.cols * 4,
          "not too large: of 32-bit machines 8192 rows and columns");
    one.rows *= one.rows; /* which a size_t still counts in bytes */
    one.cols = 1;
    CHECK(mpx_matmul_pack(out, one, &opt) == MPX_ERR_SPACE && mpx_matmul_workspace(one, &opt) == 0,
          "too large when packed");
    one.rows = 0;
    one.cols = (size_t)-256; /* 256 more are no size_t */
    CHECK(mpx_matmul_workspace(one, &opt) == 0 && mpx_matmul_pack(out, one, &opt) == MPX_ERR_SPACE,
          "too many columns of nothing");
    CHECK(memcmp(out, again, sizeof out) == 0, "written in spite of an error");
    one.rows = 0; /* clang's sanitizer refuses NULL + 0 */
    one.cols = N;
    CHECK(mpx_matmul_packed_bytes(one, &opt) == 0 && mpx_matmul_pack(NULL, one, &opt) == MPX_OK, "no rows to pack");
}

/* Where bf16 is multiplied in pairs: matrices packed for others, subnormals, Inf and NaN. */
static void check_pairs(void) {
    enum { M = 8, N = 40, K = 33 };
    const setting s = { MPX_BF16, MPX_BF16, MPX_F32, 0, 0, 0, 0, 0, 0, 0 };
    const shape z = { M, N, K };
    mpx_matrix ma = matrix_of(a, MPX_BF16, M, K, 0, 0), mb = matrix_of(b, MPX_BF16, K, N, 0, 0), wide = ma;
    mpx_matmul_options opt;
    const uint16_t inf = 0x7f80;
    uint16_t x[M * K];
    float out[M * N], same[M * N];
    size_t i, j, in_f32, in_pairs;
    memset(&opt, 0, sizeof opt);
    opt.workspace = workspace;
    opt.workspace_size = mpx_matmul_workspace(mb, &opt);
    fill(a, a64, MPX_BF16, M * K, 0);
    fill(b, b64, MPX_BF16, K * N, 0);
    in_f32 = mpx_matmul_packed_bytes(mb, &opt);
    CHECK(mpx_matmul_pack(packed, mb, &opt) == MPX_OK, "for any");
    opt.packed = packed;
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK, "packed for any");
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++)
            check_sum(&s, &z, &ma, &mb, i, j, out[i * N + j], 0);
    opt.packed_for = MPX_F32;
    memset(same, 0, sizeof same);
    CHECK(mpx_matmul(same, MPX_F32, ma, mb, &opt) == MPX_OK && memcmp(same, out, sizeof out) == 0, "packed for f32");
    opt.packed_for = MPX_BF16;
    in_pairs = mpx_matmul_packed_bytes(mb, &opt);
    CHECK(in_pairs == in_f32 || (in_pairs > in_f32 / 2 && in_pairs < in_f32 * 17 / 32), "bytes %zu, %zu", in_pairs, in_f32);
    CHECK(mpx_matmul_pack(packed, mb, &opt) == MPX_OK, "for bf16");
    wide.type = MPX_F32;
    wide.data = f;
    CHECK(mpx_matmul(same, MPX_F32, wide, mb, &opt) == (in_pairs == in_f32 ? MPX_OK : MPX_ERR_DTYPE), "packed for bf16");
    opt.packed = NULL;
    memcpy(a + K * 2, &inf, 2); /* begins row 1; row 0 has an odd number of elements */
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK && isfinite(out[0]) && !isfinite(out[N]), "beyond a row");
    for (i = 0; i < M * K; i++)
        x[i] = (uint16_t)(i % 2 == 0 ? 0x0040 : 0x3f80); /* 2^-127 and 1 */
    for (i = 0; i < K * N; i++)
        f[i] = i / N % 2 == 0 ? 1.0f : 0.5f;
    (void)mpx_cast(b, MPX_BF16, f, MPX_F32, K * N);
    ma.data = x;
    ma.cols = mb.rows = 2;
    ma.stride = K;
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK && (double)out[0] == 0.5 && (double)out[N] == 1 &&
              (double)out[2 * N] == 0.5, "%g %g", (double)out[0], (double)out[N]);
    ma.cols = mb.rows = 1;
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK, "subnormal");
    CHECK((double)out[0] == ldexp(1, -127) || (in_pairs != in_f32 && out[0] < ldexpf(1, -140)), "subnormal: %g", (double)out[0]);
    x[0] = 0x7f80;
    x[K] = 0x7fc1;
    CHECK(mpx_matmul(out, MPX_F32, ma, mb, &opt) == MPX_OK && isinf(out[0]) && isnan(out[N]) && out[2 * N] < 1, "Inf, NaN");
}

/* Linux does not give Intel's matrix unit to a process whose stack for signals is small. The other instruction for pairs
   then serves. This must come first, since nothing takes the unit away again. */
static void check_without_unit(void) {
#if defined(__linux__) && defined(__x86_64__)
    static const setting s = { MPX_BF16, MPX_BF16, MPX_F32, 0, 0, 0, 0, 0, 1, 0 };
    static const shape z = { 40, 36, 301 };
    static char small[4096];
    stack_t on, off;
    memset(&on, 0, sizeof on);
    on.ss_sp = small;
    on.ss_size = sizeof small;
    if (sigaltstack(&on, &off) != 0) return;
    check(&s, z);
    CHECK(sigaltstack(&off, NULL) == 0, "the stack of before");
#endif
}

static void check_all(int quick) {
    static const char *const formats[] = { "int8", "int8/row", "int4/32", "int8/48", "q8_0", "q4_1", "mxfp4", "nvfp4" };
    static const char *const formats_a[] = { "int4/48", "mxfp4", "mxfp8_e4m3", "nvfp4/swizzled", "q8_0", "q5_1", "q4_k",
                                             "q5_k", "q6_k", "ggml_nvfp4" };
    size_t i;
    check_without_unit();
    check_shapes(quick);
    for (i = 0; i < COUNT(formats); i++)
        check_quantized(formats[i], 0), check_quantized(formats[i], 1);
    for (i = 0; i < COUNT(formats_a); i++)
        check_quantized_a(formats_a[i]);
    check_special();
    check_pairs();
}

#if MPX_DISPATCH
/* Has this process Intel's matrix unit? And could it have it? */
#if defined(__linux__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 12)
static int has_unit(void) {
    unsigned long long kept = 0;
    return syscall(SYS_arch_prctl, 0x1022 /* ARCH_GET_XCOMP_PERM */, &kept) == 0 && (kept >> 18 & 1) != 0;
}
static int may_have_unit(void) { return syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18) == 0; }
#else
static int has_unit(void) { return 0; }
static int may_have_unit(void) { return 0; }
#endif
/* One library with all instruction sets: AMX last, since a process never gives it back. */
static void check_dispatch(int quick) {
    static const char *const isas[] = { "sse2", "avx2", "avx512", "avx512bf16", "amx" };
    mpx_matrix m = { 0 };
    mpx_matmul_options opt = { 0 };
    size_t i;
    int given;
    m.type = opt.packed_for = MPX_BF16;
    m.rows = m.cols = 512;
    for (i = 0; i < COUNT(isas); i++) {
        if (mpx_isa_set(isas[i]) != MPX_OK) {
            printf("SKIP %s: this CPU cannot run it\n", isas[i]);
            continue;
        }
        CHECK(!has_unit(), "AMX before %s", isas[i]);
        if (i < 3) /* other builds test these at length */
            check_pairs();
        else
            check_all(quick);
        CHECK(mpx_matmul_packed_bytes(m, &opt) == 512u * 512u * (i < 3 ? 4 : 2), "%s: pairs", isas[i]);
    }
    given = has_unit();
    CHECK(given == may_have_unit(), "AMX: %d", given);
}
#endif

int main(int argc, char **argv) {
    const int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    packed = (unsigned char *)malloc(4u << 20);
    workspace = (unsigned char *)malloc(48u << 20);
#if MPX_DISPATCH
    check_dispatch(quick);
#else
    check_all(quick);
#endif
    return test_done("test_matmul");
}
