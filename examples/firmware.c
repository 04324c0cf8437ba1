/* A filter of 64 weights that a microcontroller trains while it runs: its policy is in a page of
   flash, weights are f32, gradients f16 or bf16 under a dynamic scale. -DFREESTANDING: no libc.

       cc -Os -I. examples/firmware.c -o firmware

   prints

       step 1  output  0.000  skipped  next scale 2048
       step 2  output  0.000  update   next scale 2048
       step 3  output 12.000  update   next scale 2048
*/
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#define MPX_NO_TREE 1
#define MPX_TILE 16
#include "mpx.h"

enum { TAPS = 64 };

typedef struct filter {
    mpx_policy policy;
    mpx_loss_scale scale;
    float weight[TAPS];
    uint16_t low[TAPS]; /* weights, then gradients, in the dtype of the policy */
} filter;

mpx_status filter_init(filter *f, const unsigned char *page);
mpx_status filter_step(filter *f, const float *in, float wanted, float *output, int *finite);

/* The page: a byte with the length of the text, then the text; erased bytes follow. */
mpx_status filter_init(filter *f, const unsigned char *page) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_policy *p = &f->policy;
    int i;
    mpx_status status = mpx_policy_parse_n((const char *)page + 1, page[0], any, p, NULL);
    if (status != MPX_OK) return status;
    if (p->param != MPX_F32) return MPX_ERR_DTYPE;
    if (p->compute != MPX_F16 && p->compute != MPX_BF16) return MPX_ERR_DTYPE;
    f->scale = mpx_loss_scale_dynamic(4096.0f);
    f->scale.period = 100;
    for (i = 0; i < TAPS; i++) f->weight[i] = 0.0f;
    return MPX_OK;
}

/* One step towards `wanted`. *output: the filter's, before it; *finite: 0 if it was skipped. */
mpx_status filter_step(filter *f, const float *in, float wanted, float *output, int *finite) {
    float work[TAPS], seed;
    mpx_dtype low = f->policy.compute;
    mpx_status status = mpx_cast(f->low, low, f->weight, MPX_F32, TAPS);
    int i;
    if (status == MPX_OK) status = mpx_cast(work, MPX_F32, f->low, low, TAPS);
    if (status != MPX_OK) return status;
    for (*output = 0.0f, i = 0; i < TAPS; i++) *output += work[i] * in[i];
    seed = mpx_loss_scale_scale(f->scale, *output - wanted);
    status = mpx_scale(f->low, low, in, MPX_F32, TAPS, seed);
    if (status != MPX_OK) return status;
    status = mpx_loss_scale_unscale_n(work, MPX_F32, f->low, low, TAPS, f->scale, finite);
    if (status != MPX_OK) return status;
    for (i = 0; *finite && i < TAPS; i++) f->weight[i] -= work[i] / 128.0f;
    f->scale = mpx_loss_scale_adjust(f->scale, *finite);
    return MPX_OK;
}

#ifndef FREESTANDING
#include <stdio.h>
int main(void) {
    static const unsigned char page[] = "\x0bp=f32,c=f16\xff\xff\xff\xff";
    static filter f;
    float in[TAPS], output;
    int i, step, finite;
    if (filter_init(&f, page) != MPX_OK) return 1;
    for (i = 0; i < TAPS; i++) in[i] = i % 2 ? 1.0f : -1.0f;
    for (step = 1; step <= 3; step++) {
        if (filter_step(&f, in, 24.0f, &output, &finite) != MPX_OK) return 1;
        printf("step %d  output %6.3f  %s  next scale %g\n", step, (double)output,
               finite ? "update " : "skipped", (double)mpx_loss_scale_value(f.scale));
    }
    return 0;
}
#endif
