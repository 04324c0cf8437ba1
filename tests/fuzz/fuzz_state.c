/* A loss scale's saved state from raw bytes: refused with nothing written, or a state that saves as
   the same bytes (but for the version, if it is an old one) and survives a few steps. Input: the
   state. */
#include "fuzz.h"

/* The state is any numbers: its formulas must hold without undefined behaviour. */
static void step(mpx_loss_scale s) {
    float x = 1.5f;
    int i, finite = 1, infinite;
    (void)mpx_loss_scale_check(s);
    (void)mpx_loss_scale_is_stuck(s);
    for (i = 0; i < 6; i++) {
        s = mpx_loss_scale_adjust(s, i % 3 != 2);
        CLAIM(mpx_loss_scale_scale_n(&x, MPX_F32, &x, MPX_F32, 1, s) == MPX_OK);
        infinite = mpx_any_infinite(&x, MPX_F32, 1);
        CLAIM(mpx_loss_scale_unscale_n(&x, MPX_F32, &x, MPX_F32, 1, s, &finite) == MPX_OK);
        CLAIM(finite ==
              (s.dialect == MPX_DIALECT_AXON ? !infinite : mpx_all_finite(&x, MPX_F32, 1)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = fuzz_room(size), *saved = fuzz_room(MPX_LOSS_SCALE_BYTES);
    mpx_loss_scale s, untouched;
    if (size != 0) memcpy(bytes, data, size);
    memset(&s, 0x5a, sizeof s);
    memset(&untouched, 0x5a, sizeof untouched);
    if (mpx_loss_scale_load(bytes, size, &s) == MPX_OK) {
        CLAIM(size == MPX_LOSS_SCALE_BYTES || size == 40 || size == 52);
        CLAIM(mpx_loss_scale_save(s, saved) == MPX_OK);
        CLAIM(memcmp(saved + 8, bytes + 8, size - 8) == 0);
        CLAIM(size != MPX_LOSS_SCALE_BYTES ? saved[4] == 3 && bytes[4] == (size == 40 ? 1 : 2)
                                           : memcmp(saved, bytes, size) == 0);
        step(s);
    } else {
        CLAIM(memcmp(&s, &untouched, sizeof s) == 0);
    }
    free(saved);
    free(bytes);
    return 0;
}
