/* A model as nested C structs, described field by field: an array of layers, and heads behind a
   pointer with a count. Its floating arrays are copied to bf16; the integers stay shared.

       cc -O2 -I. examples/tree_struct.c -o tree_struct

   prints

       7 leaves, 17 elements, 68 bytes; as bf16 208 bytes of storage
       vocabulary       int32    x 3  5 ...  (shared)
       layers/0/kernel  bfloat16 x 4  1 ...
       layers/0/bias    bfloat16 x 2  0.5 ...
       layers/1/kernel  bfloat16 x 4  0.30078125 ...
       layers/1/bias    bfloat16 x 2  0 ...
       heads/0/scale    bfloat16 x 1  0.100097656 ...
       heads/1/scale    bfloat16 x 1  10 ...
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

typedef struct layer { float kernel[4], bias[2]; } layer;
typedef struct head { float scale; } head;
typedef struct model {
    int32_t vocabulary[3];
    layer layers[2];
    head *heads;
    size_t head_count;
} model;

static const mpx_field layer_fields[] = {
    MPX_LEAF(layer, kernel, float, MPX_F32),
    MPX_LEAF(layer, bias, float, MPX_F32),
};
static const mpx_field head_fields[] = { MPX_LEAF(head, scale, float, MPX_F32) };
static const mpx_field model_fields[] = {
    MPX_LEAF(model, vocabulary, int32_t, MPX_I32),
    MPX_NODE_ARRAY(model, layers, layer, layer_fields),
    MPX_NODE_POINTER(model, heads, head_count, head, head_fields),
};

static int fail(const mpx_error *err) {
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_error_format(err, NULL, sentence, sizeof sentence);
    fprintf(stderr, "tree_struct: %s\n", sentence);
    return 1;
}

int main(void) {
    head heads[2] = { { 0.1f }, { 10.0f } };
    model m = { { 5, 7, 11 },
                { { { 1.0f, 2.0f, 3.0f, 4.0f }, { 0.5f, -0.5f } },
                  { { 0.3f, 0.0f, 0.0f, 0.3f }, { 0.0f, 1.0f } } },
                heads,
                2 };
    mpx_tree tree = MPX_TREE_OF_STRUCT(&m, model_fields);
    mpx_tree copy;
    uint64_t storage[128];
    mpx_leaf leaves[16];
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, leaves, 16);
    mpx_tree_size size;
    mpx_error err;
    size_t i;

    if (mpx_tree_measure(tree, MPX_BF16, &size, &err) != MPX_OK) return fail(&err);
    printf("%u leaves, %u elements, %u bytes; as bf16 %u bytes of storage\n", (unsigned)size.leaves,
           (unsigned)size.elements, (unsigned)size.bytes, (unsigned)size.storage);
    if (mpx_tree_cast_into(&copy, tree, MPX_BF16, &arena, &err) != MPX_OK) return fail(&err);

    for (i = 0; i < arena.leaves_used; i++) {
        const mpx_leaf *leaf = &leaves[i];
        double first;
        if (mpx_cast(&first, MPX_F64, leaf->data, leaf->dtype, 1) != MPX_OK) return 1;
        printf("%-16s %-8s x %u  %.9g ...%s\n", leaf->path, mpx_dtype_name(leaf->dtype),
               (unsigned)leaf->count, first, leaf->data == m.vocabulary ? "  (shared)" : "");
    }
    return 0;
}
