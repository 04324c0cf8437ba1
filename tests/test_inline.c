/* Loops over the inline helpers, which compilers vectorise: the bits of tests/ref.h in every mode of
   the floating-point environment. All codes to f32; of the floats every rounding class, ties and
   their neighbours. The Makefile compiles it with several compilers and flags. */
#include "test.h"
#include "ref.h"
#include "fpmode.h"
#include "inline_loops.h"

/* The last elements do not fill a vector. */
enum { BATCH = 4096 + 7, CLASS_BITS = 10 };

typedef struct batch {
    const inline_loop *of;
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
    for (i = 0; i < INLINE_LOOPS; i++) {
        b.of = &inline_loops[i];
        if (b.of->src == MPX_F32) ref_sweep(b.of->dst, MPX_F32, CLASS_BITS, take, &b);
        else
            for (code = 0; code <= ref_low_mask(ref_formats[b.of->src].bits); code++)
                take(&b, code);
        check_batch(&b);
    }
    return test_done("test_inline");
}
