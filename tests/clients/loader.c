/* An inference program in the way of llama2.c: f32 weights in one block, a table of its tensors, a
   map in a text. One call; the attention norms stay f32, tied weights are stored once. */
#include "client.h"

enum { DIM = 64, VOCAB = 96, WEIGHTS = VOCAB * DIM + DIM + 4 * DIM * DIM };
static float checkpoint[WEIGHTS];

static void *grow(void *old, size_t size, void *user) { return (void)user, realloc(old, size); }

int main(void) {
    static const mpx_tensor table[4] = { { "embed", 0, VOCAB * DIM },
                                         { "head", 0, VOCAB * DIM },
                                         { "norm", VOCAB * DIM, DIM },
                                         { "layers.0.w", VOCAB * DIM + DIM, 4 * DIM * DIM } };
    mpx_leaf leaves[4];
    mpx_weights_options opt = MPX_ZERO;
    mpx_weights w;
    mpx_error err;
    char line[200];
    size_t i;
    for (i = 0; i < WEIGHTS; i++) checkpoint[i] = (float)(i % 251) / 16 - 7;
    mpx_leaves_of_tensors(leaves, table, 4, checkpoint, MPX_F32);
    opt.grow = grow;
    if (mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, 4), "default = bf16\nnorm = f32\n"
                         "layers.* = f8e4m3fn saturate", &opt, &err) != MPX_OK) {
        mpx_error_format(&err, NULL, line, sizeof line);
        fprintf(stderr, "%s\n", line);
        return free(w.memory), 1;
    }
    for (i = 0; i < w.count; i++)
        printf("%-11s %-14s %6zu bytes\n", w.leaves[i].path, mpx_dtype_name(w.weights[i].to),
               w.weights[i].bytes);
    expect(w.leaves[1].data == w.leaves[0].data && w.leaves[2].data == checkpoint + VOCAB * DIM);
    expect(w.bytes == VOCAB * DIM * 2 + DIM * 4 + 4 * DIM * DIM && w.unmatched == 0);
    free(w.memory);
    return 0;
}
