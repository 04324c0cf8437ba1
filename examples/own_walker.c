/* An inference engine keeps its blobs in a linked list. A walker of a few lines makes the list a
   tree: its weights are checked, then cast to f16 where they lie, and the list notes the new dtype.

       cc -O2 -I. examples/own_walker.c -o own_walker

   prints

       conv1/kernel float32  16 bytes, 0.100000001 ...
       conv1/shape  int32    12 bytes, 2 ...
       conv1/bias   float32   8 bytes, 9.99999997e-07 ...
       all finite: yes
       conv1/kernel float16   8 bytes, 0.0999755859 ...
       conv1/shape  int32    12 bytes, 2 ...
       conv1/bias   float16   4 bytes, 1.01327896e-06 ...
       refused: not enough space at leaf 0 'conv1/kernel': found float16, expected float32
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

typedef struct blob {
    struct blob *next;
    const char *name;
    void *data;
    size_t count;
    mpx_dtype dtype;
} blob;

static int next_blob(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    blob *b = at->node == NULL ? (blob *)tree->user : ((blob *)at->node)->next;
    if (b == NULL) return 0;
    at->node = b;
    leaf->path = b->name;
    leaf->data = b->data;
    leaf->count = b->count;
    leaf->dtype = b->dtype;
    return 1;
}

static mpx_status retype_blob(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    (void)tree;
    ((blob *)at->node)->dtype = dtype;
    return MPX_OK;
}

static void print_list(const blob *b) {
    for (; b != NULL; b = b->next) {
        double first;
        if (mpx_cast(&first, MPX_F64, b->data, b->dtype, 1) != MPX_OK) return;
        printf("%-12s %-8s %2u bytes, %.9g ...\n", b->name, mpx_dtype_name(b->dtype),
               (unsigned)mpx_dtype_bytes(b->dtype, b->count), first);
    }
}

static int fail(const mpx_error *err) {
    char sentence[256];
    mpx_error_format(err, NULL, sentence, sizeof sentence);
    printf("refused: %s\n", sentence);
    return 1;
}

int main(void) {
    float kernel[4] = { 0.1f, -0.5f, 0.25f, 1.0f }, bias[2] = { 1e-6f, 3.0f };
    int32_t shape[3] = { 2, 2, 1 };
    blob third = { NULL, "conv1/bias", bias, 2, MPX_F32 };
    blob second = { &third, "conv1/shape", shape, 3, MPX_I32 };
    blob first = { &second, "conv1/kernel", kernel, 4, MPX_F32 };
    mpx_tree tree = { next_blob, retype_blob, &first, NULL, 0 };
    mpx_error err;
    int finite;

    print_list(&first);
    if (mpx_tree_all_finite(tree, &finite, &err) != MPX_OK) return fail(&err);
    printf("all finite: %s\n", finite ? "yes" : "no");
    if (mpx_tree_cast_in_place(tree, MPX_F16, &err) != MPX_OK) return fail(&err);
    print_list(&first);
    if (mpx_tree_cast_in_place(tree, MPX_F32, &err) == MPX_OK) return 1; /* there is no room */
    fail(&err);
    return 0;
}
