/* Loops over the inline helpers, which compilers vectorise: the bits of tests/ref.h in every mode of
   the floating-point environment. All codes to f32; of the floats every rounding class, ties and
   their neighbours. The Makefile compiles it with several compilers and flags. */
#include "test.h"
#include "ref.h"
#include "fpmode.h"

#if defined(__GNUC__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif

/* The loops do not know how many; the last elements do not fill a vector. */
enum { BATCH = 4096 + 7, CLASS_BITS = 10 };

#define LOOP(name, D, S, helper) \
    NOINLINE static void name(void *to, const void *from, size_t n) { \
        D *d = (D *)to; \
        const S *s = (const S *)from; \
        size_t i; \
        for (i = 0; i < n; i++) d[i] = helper(s[i]); \
    }
LOOP(f16_to_f32, float, uint16_t, mpx_f16_to_f32)
LOOP(bf16_to_f32, float, uint16_t, mpx_bf16_to_f32)
LOOP(e4m3fn_to_f32, float, uint8_t, mpx_f8e4m3fn_to_f32)
LOOP(e5m2_to_f32, float, uint8_t, mpx_f8e5m2_to_f32)
LOOP(f32_to_f16, uint16_t, float, mpx_f16_from_f32)
LOOP(f32_to_bf16, uint16_t, float, mpx_bf16_from_f32)
LOOP(f32_to_e4m3fn, uint8_t, float, mpx_f8e4m3fn_from_f32)
LOOP(f32_to_e5m2, uint8_t, float, mpx_f8e5m2_from_f32)

typedef struct loop {
    mpx_dtype dst, src;
    void (*run)(void *to, const void *from, size_t n);
} loop;
static const loop loops[] = {
    { MPX_F32, MPX_F16, f16_to_f32 },       { MPX_F32, MPX_BF16, bf16_to_f32 },
    { MPX_F32, MPX_F8E4M3FN, e4m3fn_to_f32 }, { MPX_F32, MPX_F8E5M2, e5m2_to_f32 },
    { MPX_F16, MPX_F32, f32_to_f16 },       { MPX_BF16, MPX_F32, f32_to_bf16 },
    { MPX_F8E4M3FN, MPX_F32, f32_to_e4m3fn }, { MPX_F8E5M2, MPX_F32, f32_to_e5m2 },
};

typedef struct batch {
    const loop *of;
    size_t count;
    uint32_t from[BATCH], want[BATCH]; /* codes as they lie in memory */
    uint64_t codes[BATCH];
} batch;

static void check_mode(const batch *b, const fpmode *mode) {
    static uint32_t got[BATCH];
    size_t i;
    if (!fpmode_enter(mode)) return;
    b->of->run(got, b->from, b->count);
    fpmode_leave();
    for (i = 0; i < b->count; i++)
        CHECK(ref_load(b->of->dst, got, i) == ref_load(b->of->dst, b->want, i),
              "%s->%s, %s: of 0x%llx got 0x%llx want 0x%llx", ref_formats[b->of->src].name,
              ref_formats[b->of->dst].name, mode->name, (unsigned long long)b->codes[i],
              (unsigned long long)ref_load(b->of->dst, got, i),
              (unsigned long long)ref_load(b->of->dst, b->want, i));
}

static void check_batch(batch *b) {
    int mode;
    for (mode = 0; mode < FPMODES; mode++) check_mode(b, &fpmodes[mode]);
    b->count = 0;
}

static void take(void *user, uint64_t code) {
    batch *b = (batch *)user;
    size_t i = b->count++;
    b->codes[i] = code;
    ref_store(b->of->src, b->from, i, code);
    ref_store(b->of->dst, b->want, i, ref_cast(b->of->dst, b->of->src, code));
    if (b->count == BATCH) check_batch(b);
}

int main(void) {
    static batch b;
    uint64_t code;
    size_t i;
    for (i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        b.of = &loops[i];
        if (b.of->src == MPX_F32) ref_sweep(b.of->dst, MPX_F32, CLASS_BITS, take, &b);
        else
            for (code = 0; code <= ref_low_mask(ref_formats[b.of->src].bits); code++)
                take(&b, code);
        check_batch(&b);
    }
    return test_done("test_inline");
}
