/* A transformer block is planned under rules and run by one call, in float32 and in bfloat16. The
   header's kernels do matmul, softmax, norms, gelu, mul and add; splitting and joining heads are
   operations of the program. Weights are stored as the plan says, so that no run casts them.

       cc -O2 -I. examples/amp_run.c -o amp_run

   prints

       rules                          casts  weights  memory of a run  farthest from f32
       -                                  0  768 KiB         2977 KiB                  0
       amp_default=compute, add=f32      12  384 KiB         1761 KiB         below 2^-6
*/
#define MPX_IMPLEMENTATION
#define MPX_COMPUTE 1
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 256, WIDTH = 128, HEADS = 4, DIM = WIDTH / HEADS, X = TOKENS * WIDTH };

/* An operation of the program: rows of `outer` x `inner` groups of DIM elements, to groups in the
   other order: tokens x heads to heads x tokens, and back. */
static mpx_status swap(const mpx_amp_call *call, void *user) {
    const mpx_amp_value *x = &call->values[call->inputs[0]], *y = call->result;
    const size_t to_heads = *(const size_t *)user, size = mpx_dtype_bytes(x->dtype, DIM);
    const size_t outer = to_heads ? TOKENS : HEADS, inner = to_heads ? HEADS : TOKENS;
    size_t i, j;
    for (i = 0; i < outer; i++)
        for (j = 0; j < inner; j++)
            memcpy((char *)y->at + (j * outer + i) * size, (const char *)x->at + (i * inner + j) * size, size);
    return MPX_OK;
}
static size_t yes = 1, no = 0;
static const mpx_amp_op own[] = { { "split_heads", swap, &yes }, { "join_heads", swap, &no } };

/* What this program knows of its layers. */
static const struct { const char *op; size_t inputs[3], input_count, batch, rows, cols; unsigned flags; } layers[] = {
    /* 0 */ { "input", { 0 }, 0, 1, TOKENS, WIDTH, 0 },
    /* 1 */ { "weight", { 0 }, 0, 1, 1, WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 2 */ { "weight", { 0 }, 0, 1, WIDTH, WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 3 */ { "weight", { 0 }, 0, 1, WIDTH, WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 4 */ { "weight", { 0 }, 0, 1, WIDTH, WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 5 */ { "weight", { 0 }, 0, 1, WIDTH, WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 6 */ { "weight", { 0 }, 0, 1, 1, 1, MPX_AMP_NODE_CONSTANT }, /* 1 / sqrt(DIM) */
    /* 7 */ { "weight", { 0 }, 0, 1, WIDTH, 4 * WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 8 */ { "weight", { 0 }, 0, 1, 4 * WIDTH, WIDTH, MPX_AMP_NODE_CONSTANT },
    /* 9 */ { "rms_norm", { 0, 1 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 10 */ { "matmul", { 9, 2 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 11 */ { "matmul", { 9, 3 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 12 */ { "matmul", { 9, 4 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 13 */ { "split_heads", { 10 }, 1, HEADS, TOKENS, DIM, 0 },
    /* 14 */ { "split_heads", { 11 }, 1, HEADS, TOKENS, DIM, 0 },
    /* 15 */ { "split_heads", { 12 }, 1, HEADS, TOKENS, DIM, 0 },
    /* 16 */ { "matmul", { 13, 14 }, 2, HEADS, TOKENS, TOKENS, MPX_AMP_NODE_TRANSPOSE_B },
    /* 17 */ { "mul", { 16, 6 }, 2, HEADS, TOKENS, TOKENS, 0 },
    /* 18 */ { "softmax", { 17 }, 1, HEADS, TOKENS, TOKENS, 0 },
    /* 19 */ { "matmul", { 18, 15 }, 2, HEADS, TOKENS, DIM, 0 },
    /* 20 */ { "join_heads", { 19 }, 1, 1, TOKENS, WIDTH, 0 },
    /* 21 */ { "matmul", { 20, 5 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 22 */ { "add", { 0, 21 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 23 */ { "rms_norm", { 22 }, 1, 1, TOKENS, WIDTH, 0 },
    /* 24 */ { "matmul", { 23, 7 }, 2, 1, TOKENS, 4 * WIDTH, 0 },
    /* 25 */ { "gelu", { 24 }, 1, 1, TOKENS, 4 * WIDTH, 0 },
    /* 26 */ { "matmul", { 25, 8 }, 2, 1, TOKENS, WIDTH, 0 },
    /* 27 */ { "add", { 22, 26 }, 2, 1, TOKENS, WIDTH, 0 },
};
enum { LAYERS = sizeof layers / sizeof layers[0] };

static mpx_status layer(size_t i, mpx_amp_node *node, void *user) {
    (void)user;
    node->op = layers[i].op;
    node->inputs = layers[i].inputs;
    node->input_count = layers[i].input_count;
    node->dtype = MPX_F32;
    node->count = layers[i].batch * layers[i].rows * layers[i].cols;
    node->flags = layers[i].flags;
    return MPX_OK;
}
/* One run under these rules: the block's result in float32. */
static void run(const char *wish, float *result) {
    static float x[4 * WIDTH * WIDTH], stored[LAYERS][4 * WIDTH * WIDTH], planned[8192], memory[1 << 20];
    static mpx_amp_value values[2 * LAYERS];
    mpx_amp_rule rules[4];
    mpx_amp amp = { rules, 0, MPX_BF16, MPX_AMP_RESTORE, '/' };
    mpx_amp_plan plan;
    mpx_amp_program program = { &plan, { layer, NULL, LAYERS }, values, own, 2, { NULL, NULL, 0 } };
    mpx_error err;
    size_t size, i, k, weights = 0;
    uint32_t seed = 1;
    char text[MPX_ERROR_TEXT_SIZE];
    if (mpx_amp_rules_parse(wish, rules, 4, &amp.rule_count, &err) != MPX_OK ||
        mpx_amp_plan_graph(&amp, program.graph, planned, sizeof planned, &plan, &err) != MPX_OK) exit(1);
    memset(values, 0, sizeof values);
    for (i = 0; i < LAYERS; i++) {
        const size_t count = layers[i].batch * layers[i].rows * layers[i].cols;
        values[i].batch = layers[i].batch, values[i].rows = layers[i].rows, values[i].cols = layers[i].cols;
        if (layers[i].input_count != 0) continue;
        for (k = 0; k < count; k++) { /* random numbers for weights */
            seed = seed * 1664525u + 1013904223u;
            x[k] = ((float)(seed >> 8) / 8388608.0f - 1) * (i < 2 ? 1.0f : 0.1f);
        }
        values[i].data = stored[i];
        values[i].dtype = plan.nodes[i].store; /* weights are cast once, before the run */
        (void)mpx_cast(stored[i], plan.nodes[i].store, x, MPX_F32, count);
        if (i != 0) weights += mpx_dtype_bytes(plan.nodes[i].store, count);
    }
    values[plan.nodes[LAYERS - 1].output].data = result;
    if (mpx_amp_run_size(&program, &size, &err) != MPX_OK ||
        mpx_amp_run(&program, memory, sizeof memory, &err) != MPX_OK) {
        mpx_error_format(&err, NULL, text, sizeof text); /* "unknown operation: node 13 'split_heads'; ..." */
        puts(text), exit(1);
    }
    printf("%-29s %6zu %4zu KiB %12zu KiB", wish[0] != '\0' ? wish : "-", plan.cast_count, weights >> 10, size >> 10);
}

int main(void) {
    static float full[X], low[X];
    float farthest = 0;
    int i, power = 0;
    puts("rules                          casts  weights  memory of a run  farthest from f32");
    run("", full);
    puts("                  0");
    run("amp_default=compute, add=f32", low);
    for (i = 0; i < X; i++) {
        const float gap = low[i] > full[i] ? low[i] - full[i] : full[i] - low[i];
        if (gap > farthest) farthest = gap;
    }
    for (; farthest != 0 && farthest < 1; power--)
        farthest *= 2;
    printf("         below 2^%d\n", power + 1);
    return 0;
}
