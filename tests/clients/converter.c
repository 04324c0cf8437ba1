/* A converter's loop: tensors of a file, each to what a map says of its name; what saturates or
   becomes zero is told, a misspelt key too. The numbers are written to the target at once. */
#include "client.h"

enum { N = 1000, TENSORS = 3 };
static float source[TENSORS][N];
static unsigned char target[TENSORS * N * 4];

int main(void) {
    static const char *const names[TENSORS] = { "lstm.w", "lstm.b", "head.w" };
    static const char text[] = "default = f16\nlstm.w = f8e4m3fn saturate\nhaed.* = bf16\n";
    mpx_leaf leaves[TENSORS];
    mpx_weights_options opt = MPX_ZERO;
    static uint64_t block[1024];
    mpx_weights w;
    mpx_error err;
    char line[200];
    size_t i, at = 0;
    for (i = 0; i < TENSORS; i++) leaves[i] = mpx_leaf_of(names[i], source[i], N, MPX_F32);
    source[0][1] = 1e4f, source[0][2] = 1e-9f, source[2][5] = 1e6f;
    opt.block = block, opt.size = sizeof block;
    if (mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, TENSORS), text, &opt, &err) < MPX_OK) return 1;
    mpx_error_format(&err, text, line, sizeof line);
    printf("warning: %s\n", line);
    for (i = 0; i < w.count; at += w.weights[i++].bytes) {
        memcpy(target + at, w.leaves[i].data, w.weights[i].bytes);
        printf("%s: %s, %d saturate, %d overflow, %d become zero\n", w.leaves[i].path,
               mpx_dtype_name(w.weights[i].to), (int)w.weights[i].saturated,
               (int)w.weights[i].overflowed, (int)w.weights[i].zeroed);
    }
    for (i = 0; i < w.map.count; i++)
        if (w.map.entries[i].leaves == 0) printf("no tensor matches key %d\n", (int)i + 1);
    expect(w.weights[0].saturated == 1 && w.weights[0].zeroed == 1 && w.weights[2].overflowed == 1);
    expect(strcmp(line, "values overflow at leaf 2 'head.w': 1 of float32 are no finite float16") == 0);
    expect(at == N + 2 * N + 2 * N && w.unmatched == 1 && target[1] == 0x7e);
    return 0;
}
