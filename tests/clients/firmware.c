/* A microcontroller that trains 64 weights: a policy from a page of flash, f16 gradients under a
   dynamic scale. No heap, no libc in what it needs. */
#define MPX_STATIC 1
#define MPX_NO_TREE 1
#define MPX_DTYPES (MPX_WITH_F16 | MPX_WITH_BF16)
#define MPX_IMPLEMENTATION
#include "client.h"

enum { TAPS = 64 };

int main(void) {
    static const char page[] = "p=f32,c=f16,o=f32";
    float weight[TAPS] = { 0 }, grad[TAPS], output = 0;
    uint16_t low[TAPS];
    mpx_loss_scale scale = mpx_loss_scale_dynamic(65536);
    mpx_policy p;
    int step, i, finite, skipped = 0;
    if (mpx_policy_parse(page, &p, NULL) != MPX_OK) return 1;
    for (step = 0; step < 30; step++) {
        for (output = 0, i = 0; i < TAPS; i++) output += weight[i];
        for (i = 0; i < TAPS; i++) grad[i] = mpx_loss_scale_scale(scale, output - 8);
        if (mpx_cast(low, p.compute, grad, p.param, TAPS) != MPX_OK) return 1;
        if (mpx_loss_scale_unscale_n(grad, p.param, low, p.compute, TAPS, scale, &finite) != MPX_OK)
            return 1;
        for (i = 0; finite && i < TAPS; i++) weight[i] -= grad[i] / 128;
        skipped += !finite;
        scale = mpx_loss_scale_adjust(scale, finite);
    }
    printf("output %.3f, %d steps skipped\n", (double)output, skipped);
    expect(output > 7.9f && output < 8.1f && skipped == 4);
    return 0;
}
