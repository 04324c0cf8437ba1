/* The rows of the table, and the call of mpx.h that each one measures. */
#include "bench.h"
#include <string.h>

#define WIDEN { 1.5, 1.15, 1.05 }
#define NARROW { 1.8, 1.1, 1.1 }
#define DECODE { 1.3, 1.1, 1.05 }
#define HALF { 2.2, 1.2, 1.05 }
#define ENCODE { 5, 2.3, 1.05 }
#define FROM_BF16 { 6.5, 2.8, 1.1 }
#define F64_TO_16 { 3.7, 1.6, 1.1 }
#define F64_TO_8 { 7, 2.9, 1.2 }
#define FINITE { 1.5, 1.15, 1.1 }
#define UNMARKED { 0, 0, 0 }

/* name, target, source, magnitude of the data, marks; saturating; one code a byte */
#define CAST(name, dst, src, scale, ...) \
    { name, BENCH_CAST, dst, src, 0, 0, 0, 0, 0, 0, scale, __VA_ARGS__ }
#define SAT(name, dst, src, ...) \
    { name " sat", BENCH_CAST, dst, src, 1, 0, 0, 0, 0, 0, 1, __VA_ARGS__ }
#define BYTES(name, dst, src, ...) \
    { name " bytes", BENCH_CAST, dst, src, 0, 1, 0, 0, 0, 0, 1, __VA_ARGS__ }
#define CHECK(name, op, type, ...) \
    { name, op, type, type, 0, 0, 0, 0, 0, 0, 1, __VA_ARGS__ }
/* In place the data shrink with every call: f32 and bf16 start high and are restored after 16
   calls; f16 has no room for that, and its scale alternates. */
#define HIGH 0x1p115f
#define UNSCALE(name, type, by, chain, alternates, scale, ...) \
    { name, BENCH_UNSCALE, type, type, 0, 0, 0, by, chain, alternates, scale, __VA_ARGS__ }
#define UNSCALE_TO(name, dst, src, by, scale, ...) \
    { name, BENCH_UNSCALE, dst, src, 0, 0, 0, by, 0, 0, scale, __VA_ARGS__ }

const bench_row bench_rows[] = {
    CAST("f16->f32", MPX_F32, MPX_F16, 1, WIDEN),
    CAST("bf16->f32", MPX_F32, MPX_BF16, 1, WIDEN),
    CAST("f32->f16", MPX_F16, MPX_F32, 1, WIDEN),
    CAST("f32->bf16", MPX_BF16, MPX_F32, 1, WIDEN),
    CAST("i8->f32", MPX_F32, MPX_I8, 40, WIDEN),
    CAST("i32->f32", MPX_F32, MPX_I32, 0x1p28f, WIDEN),
    CAST("u8->f32", MPX_F32, MPX_U8, 40, WIDEN),
    CAST("i16->f32", MPX_F32, MPX_I16, 8000, WIDEN),
    CAST("f64->f32", MPX_F32, MPX_F64, 1, NARROW),
    CAST("f32->i8", MPX_I8, MPX_F32, 40, NARROW),
    CAST("f32->f64", MPX_F64, MPX_F32, 1, UNMARKED),
    CAST("f32->i32", MPX_I32, MPX_F32, 0x1p28f, UNMARKED),
    CAST("f32->i16", MPX_I16, MPX_F32, 8000, UNMARKED),
    CAST("f32->u8", MPX_U8, MPX_F32, 40, UNMARKED),
    CAST("f32->u16", MPX_U16, MPX_F32, 8000, UNMARKED),
    CAST("f64->i32", MPX_I32, MPX_F64, 0x1p28f, UNMARKED),
    CAST("i32->f64", MPX_F64, MPX_I32, 0x1p28f, UNMARKED),
    CAST("i64->f64", MPX_F64, MPX_I64, 0x1p28f, UNMARKED),
    CAST("u32->f32", MPX_F32, MPX_U32, 0x1p28f, UNMARKED),
    CAST("i64->i32", MPX_I32, MPX_I64, 0x1p28f, UNMARKED),
    CAST("i32->i8", MPX_I8, MPX_I32, 40, UNMARKED),
    CAST("u8->i16", MPX_I16, MPX_U8, 40, UNMARKED),
    CAST("i16->u8", MPX_U8, MPX_I16, 40, UNMARKED),
    CAST("i64->f32", MPX_F32, MPX_I64, 0x1p28f, UNMARKED),
    CAST("f64->i64", MPX_I64, MPX_F64, 0x1p28f, UNMARKED),
    CAST("f32->i8 clipped", MPX_I8, MPX_F32, 400, UNMARKED),
    CAST("f8e4m3fn->f32", MPX_F32, MPX_F8E4M3FN, 1, DECODE),
    CAST("f8e4m3fn->f16", MPX_F16, MPX_F8E4M3FN, 1, DECODE),
    CAST("f8e4m3fn->bf16", MPX_BF16, MPX_F8E4M3FN, 1, DECODE),
    CAST("f8e5m2->f32", MPX_F32, MPX_F8E5M2, 1, DECODE),
    CAST("f8e5m2->f16", MPX_F16, MPX_F8E5M2, 1, DECODE),
    CAST("f8e5m2->bf16", MPX_BF16, MPX_F8E5M2, 1, DECODE),
    CAST("f4e2m1fn->f32", MPX_F32, MPX_F4E2M1FN, 2, DECODE),
    CAST("f4e2m1fn->f16", MPX_F16, MPX_F4E2M1FN, 2, DECODE),
    CAST("f4e2m1fn->bf16", MPX_BF16, MPX_F4E2M1FN, 2, DECODE),
    CAST("f16->bf16", MPX_BF16, MPX_F16, 1, HALF),
    CAST("bf16->f16", MPX_F16, MPX_BF16, 1, HALF),
    CAST("f32->f8e4m3fn", MPX_F8E4M3FN, MPX_F32, 1, { 4.3, 1.9, 1.05 }),
    CAST("f32->f8e5m2", MPX_F8E5M2, MPX_F32, 1, ENCODE),
    CAST("f32->f8e4m3fnuz", MPX_F8E4M3FNUZ, MPX_F32, 1, ENCODE),
    CAST("f32->f8e5m2fnuz", MPX_F8E5M2FNUZ, MPX_F32, 1, ENCODE),
    CAST("f32->f8e4m3b11fnuz", MPX_F8E4M3B11FNUZ, MPX_F32, 1, ENCODE),
    CAST("f32->f8e4m3", MPX_F8E4M3, MPX_F32, 1, ENCODE),
    CAST("f32->f8e3m4", MPX_F8E3M4, MPX_F32, 1, ENCODE),
    SAT("f32->f8e4m3fn", MPX_F8E4M3FN, MPX_F32, ENCODE),
    SAT("f32->f8e5m2", MPX_F8E5M2, MPX_F32, ENCODE),
    SAT("f32->f8e4m3fnuz", MPX_F8E4M3FNUZ, MPX_F32, ENCODE),
    SAT("f32->f8e5m2fnuz", MPX_F8E5M2FNUZ, MPX_F32, ENCODE),
    SAT("f32->f8e4m3b11fnuz", MPX_F8E4M3B11FNUZ, MPX_F32, ENCODE),
    SAT("f32->f8e4m3", MPX_F8E4M3, MPX_F32, ENCODE),
    SAT("f32->f8e3m4", MPX_F8E3M4, MPX_F32, ENCODE),
    CAST("f32->f6e2m3fn", MPX_F6E2M3FN, MPX_F32, 1, ENCODE),
    BYTES("f32->f6e2m3fn", MPX_F6E2M3FN, MPX_F32, ENCODE),
    CAST("f32->f6e3m2fn", MPX_F6E3M2FN, MPX_F32, 1, ENCODE),
    BYTES("f32->f6e3m2fn", MPX_F6E3M2FN, MPX_F32, ENCODE),
    CAST("f32->f4e2m1fn", MPX_F4E2M1FN, MPX_F32, 1, { 6, 2.5, 1.2 }),
    CAST("bf16->f8e4m3fn", MPX_F8E4M3FN, MPX_BF16, 1, { 5.3, 2.3, 1.1 }),
    CAST("bf16->f8e5m2", MPX_F8E5M2, MPX_BF16, 1, FROM_BF16),
    SAT("bf16->f8e4m3fn", MPX_F8E4M3FN, MPX_BF16, FROM_BF16),
    SAT("bf16->f8e5m2", MPX_F8E5M2, MPX_BF16, FROM_BF16),
    CAST("f16->f8e4m3fn", MPX_F8E4M3FN, MPX_F16, 1, { 4.5, 1.8, 1.1 }),
    CAST("f16->f8e5m2", MPX_F8E5M2, MPX_F16, 1, { 3.5, 1.5, 1.1 }),
    SAT("f16->f8e4m3fn", MPX_F8E4M3FN, MPX_F16, FROM_BF16),
    SAT("f16->f8e5m2", MPX_F8E5M2, MPX_F16, FROM_BF16),
    CAST("f64->f16", MPX_F16, MPX_F64, 1, F64_TO_16),
    CAST("f64->bf16", MPX_BF16, MPX_F64, 1, F64_TO_16),
    CAST("f64->f8e4m3fn", MPX_F8E4M3FN, MPX_F64, 1, F64_TO_8),
    CAST("f64->f8e5m2", MPX_F8E5M2, MPX_F64, 1, F64_TO_8),
    UNSCALE("unscale f32", MPX_F32, 1024, 16, 0, HIGH, { 1.5, 1.3, 1.1 }),
    UNSCALE("unscale bf16", MPX_BF16, 1024, 16, 0, HIGH, { 1.7, 1.5, 1.1 }),
    UNSCALE("unscale f16", MPX_F16, 1024, 16, 1, 1024, { 3.1, 2.7, 1.1 }),
    UNSCALE_TO("unscale f16->f32", MPX_F32, MPX_F16, 1024, 1024, { 1.6, 1.15, 1.1 }),
    UNSCALE_TO("unscale bf16->f32", MPX_F32, MPX_BF16, 1024, 1024, UNMARKED),
    UNSCALE("unscale f32 by 1000", MPX_F32, 1000, 16, 0, HIGH, { 2, 1.9, 1.1 }),
    UNSCALE("unscale f64 by 1000", MPX_F64, 1000, 16, 0, HIGH, UNMARKED),
    UNSCALE_TO("unscale f64->f32 by 1000", MPX_F32, MPX_F64, 1000, 1024, UNMARKED),
    UNSCALE_TO("unscale f8e4m3fn->f32 by 1000", MPX_F32, MPX_F8E4M3FN, 1000, 1, UNMARKED),
    CHECK("all_finite f32", BENCH_FINITE, MPX_F32, FINITE),
    CHECK("all_finite f16", BENCH_FINITE, MPX_F16, FINITE),
    CHECK("all_finite bf16", BENCH_FINITE, MPX_BF16, FINITE),
    CHECK("amax f32", BENCH_AMAX, MPX_F32, FINITE),
    CHECK("amax bf16", BENCH_AMAX, MPX_BF16, FINITE),
    { "f32->bf16 stochastic", BENCH_CAST, MPX_BF16, MPX_F32, 0, 0, 1, 0, 0, 0, 1,
      { 5.2, 2.1, 1.2 } },
};
const int bench_row_count = (int)(sizeof bench_rows / sizeof *bench_rows);

const bench_row *bench_row_at(int i) {
    return i >= 0 && i < bench_row_count ? &bench_rows[i] : NULL;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

size_t bench_src_bytes(const bench_row *row, size_t n) { return mpx_dtype_bytes(row->src, n); }

size_t bench_dst_bytes(const bench_row *row, size_t n) {
    if (row->op >= BENCH_FINITE) return 0;
    return row->bytes ? n : mpx_dtype_bytes(row->dst, n);
}

size_t bench_count(const bench_row *row, size_t bytes) {
    size_t n = bytes * 8 / (size_t)mpx_dtype_bits(row->src);
    while (bench_dst_bytes(row, n) > BENCH_DST_MAX)
        n /= 2;
    return n;
}

/* ---- mpx.h's kernels ------------------------------------------------------------------------- */

bench_result bench_out = { 1 };
static int next_is_inverse;

float bench_next_by(const bench_row *row) {
    float by = next_is_inverse ? 1.0f / row->by : row->by;
    if (row->alternates) next_is_inverse = !next_is_inverse;
    return by;
}

void bench_reset_by(void) { next_is_inverse = 0; }

static void ours_cast(const bench_row *row, void *dst, const void *src, size_t n) {
    (void)mpx_cast(dst, row->dst, src, row->src, n);
}

static void ours_cast_with(const bench_row *row, void *dst, const void *src, size_t n) {
    mpx_cast_options opt = { 0 };
    opt.saturate = row->saturate;
    opt.dst_layout = row->bytes ? MPX_LAYOUT_BYTES : MPX_LAYOUT_PACKED;
    opt.rounding = row->stochastic ? MPX_ROUND_STOCHASTIC : MPX_ROUND_NEAREST;
    (void)mpx_cast_with(dst, row->dst, src, row->src, n, &opt);
}

static void ours_unscale(const bench_row *row, void *dst, const void *src, size_t n) {
    (void)mpx_unscale(dst, row->dst, src, row->src, n, bench_next_by(row), &bench_out.flag);
}

static void ours_finite(const bench_row *row, void *dst, const void *src, size_t n) {
    (void)dst;
    bench_out.flag = mpx_all_finite(src, row->src, n);
}

static void ours_amax(const bench_row *row, void *dst, const void *src, size_t n) {
    (void)dst;
    (void)mpx_amax(src, row->src, n, &bench_out.amax);
}

bench_fn *bench_ours(const bench_row *row) {
    if (row->op == BENCH_UNSCALE) return ours_unscale;
    if (row->op == BENCH_FINITE) return ours_finite;
    if (row->op == BENCH_AMAX) return ours_amax;
    return row->saturate || row->bytes || row->stochastic ? ours_cast_with : ours_cast;
}

bench_fn *bench_find(const bench_kernel *table, const char *name) {
    for (; table->name != NULL; table++)
        if (strcmp(table->name, name) == 0) return table->fn;
    return NULL;
}

/* ---- what compiled this ---------------------------------------------------------------------- */

#ifndef BENCH_FLAGS_TEXT
#define BENCH_FLAGS_TEXT "?"
#endif

#if defined(__clang__)
#define COMPILER __VERSION__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "another compiler"
#endif
const char *bench_compiler(void) { return COMPILER; }
const char *bench_flags(void) { return BENCH_FLAGS_TEXT; }
