/* Precision by operation while the program runs: scopes are entered and left, operands cast as the
   rules say. The weight is used in every one of ten positions and cast once; after the update the
   program says that weights have changed.

       cc -O2 -I. examples/amp_eager.c -o amp_eager

   prints

       step 1: matmul in bf16, sums in f32; softmax in f32; 1 weight cast; head in f32
       step 2: matmul in bf16, sums in f32; softmax in f32; 1 weight cast; head in f32
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>
#include <string.h>

enum { WIDTH = 16, POSITIONS = 10 };

static mpx_amp_operand operand(const void *data, size_t count, mpx_dtype dtype, int is_weight) {
    mpx_amp_operand x = { data, count, dtype, MPX_NONE, MPX_NONE, is_weight };
    return x;
}

/* What your kernels are: here they only see that all operands have one dtype. */
static mpx_dtype kernel(const mpx_amp_operand *in, size_t count) {
    while (count-- > 1)
        if (in[count].dtype != in[0].dtype) return MPX_NONE;
    return in[0].dtype;
}

int main(void) {
    static float x[WIDTH], weight[WIDTH * WIDTH];
    static unsigned char storage[4096];
    static mpx_amp_kept kept[4];
    const char *scopes[8], *wish = "matmul=compute acc f32, softmax=f32, scope:head=original";
    mpx_amp_rule rules[8];
    mpx_amp_eager run;
    mpx_amp_answer answer;
    int step, i;
    memset(&run, 0, sizeof run);
    run.amp.rules = rules;
    run.amp.compute = MPX_BF16;
    run.scopes = scopes, run.scope_capacity = 8;
    run.kept = kept, run.kept_capacity = 4;
    run.arena.data = storage, run.arena.size = sizeof storage;
    if (mpx_amp_rules_parse(wish, rules, 8, &run.amp.rule_count, NULL) != MPX_OK) return 1;
    for (step = 1; step <= 2; step++) {
        mpx_dtype low = MPX_NONE, full = MPX_NONE, head = MPX_NONE;
        mpx_dtype sums = MPX_NONE;
        for (i = 0; i < POSITIONS; i++) {
            mpx_amp_operand in[2];
            in[0] = operand(x, WIDTH, MPX_F32, 0);
            in[1] = operand(weight, WIDTH * WIDTH, MPX_F32, 1);
            if (mpx_amp_eager_cast(&run, "matmul", in, 2, &answer) != MPX_OK) return 1;
            low = kernel(in, 2);
            sums = answer.accumulate;
            if (mpx_amp_eager_cast(&run, "softmax", in, 1, NULL) != MPX_OK) return 1;
            full = kernel(in, 1);
            if (mpx_amp_eager_push(&run, "head") != MPX_OK) return 1;
            in[0] = operand(x, WIDTH, MPX_F32, 0);
            if (mpx_amp_eager_cast(&run, "matmul", in, 1, NULL) != MPX_OK) return 1;
            head = kernel(in, 1);
            if (mpx_amp_eager_pop(&run) != MPX_OK) return 1;
        }
        printf("step %d: matmul in %s, sums in %s; softmax in %s; %d weight cast; head in %s\n",
               step, mpx_dtype_short_name(low), mpx_dtype_short_name(sums),
               mpx_dtype_short_name(full), (int)run.kept_count, mpx_dtype_short_name(head));
        weight[0] += 1; /* the optimizer */
        mpx_amp_eager_forget(&run);
    }
    return 0;
}
