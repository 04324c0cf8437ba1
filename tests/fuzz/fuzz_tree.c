/* Trees. Honest ones, arrays of random leaves: what fails changes nothing, what succeeds gives what
   casts leaf by leaf give. Hostile ones, whose walker makes up another leaf at every call, so that
   no two walks agree: every leaf it hands out is real memory, and the sanitizer sees a write
   anywhere else. Input: operation, dtype and so on, then the walkers' choices. */
#include "fuzz.h"

enum { LEAVES = 6, BYTES = 64, CALLS = 40 };

static const char *const paths[4] = { NULL, "", "a/b", "encoder/0/kernel" };

static mpx_dtype choose_dtype(fuzz_input *in) {
    unsigned x = fuzz_byte(in);
    return x < 4 ? (int)x * 50 - 50 : (int)(x % MPX_DTYPE_COUNT);
}

/* Elements of a dtype in BYTES bytes at most. */
static size_t choose_elements(fuzz_input *in, mpx_dtype type) {
    int bits = mpx_dtype_bits(type);
    size_t most = bits > 0 ? BYTES * 8u / (size_t)bits : 0;
    return most != 0 ? fuzz_byte(in) % (most + 1) : 0;
}

static void check_status(mpx_status status, const mpx_error *err, unsigned size) {
    char *buf = (char *)fuzz_room(size);
    CLAIM(status <= 0 && strcmp(mpx_status_string(status), "unknown status") != 0);
    CLAIM(err->status == status);
    CLAIM(memchr(err->path, 0, sizeof err->path) != NULL);
    CLAIM(mpx_error_format(err, NULL, buf, size) != 0);
    if (size != 0) CLAIM(memchr(buf, 0, size) != NULL);
    free(buf);
}

/* ---- the hostile walker ---------------------------------------------------------------------- */

/* A walker's memory, one block a leaf, and where it takes its choices from. */
typedef struct liar {
    fuzz_input *in;
    uint8_t *block[LEAVES];
    unsigned calls;
} liar;

static void lie_path(liar *self, mpx_cursor *at, mpx_leaf *leaf) {
    unsigned choice = fuzz_below(self->in, 8);
    size_t length = fuzz_below(self->in, MPX_PATH_SIZE);
    leaf->path = paths[choice % 4];
    if (choice != 7) return;
    memset(at->path, 'x', length);
    at->path[length] = '\0';
    leaf->path = at->path;
}

static int lie_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    liar *self = (liar *)tree->user;
    unsigned choice = fuzz_byte(self->in);
    if (choice < 30 || self->calls++ >= CALLS || at->index[0] >= LEAVES) return 0;
    if (choice < 35) return -(int)(choice - 30) - 1;
    lie_path(self, at, leaf);
    leaf->dtype = choice < 200 ? MPX_F32 : choose_dtype(self->in);
    leaf->data = self->block[at->index[0]++];
    leaf->count = choice < 100 ? 4 : choose_elements(self->in, leaf->dtype);
    if (choice == 255) leaf->data = NULL;
    if (choice == 254) leaf->data = NULL, leaf->count = (size_t)-1 / 2;
    return 1;
}

static mpx_status lie_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    (void)at, (void)dtype;
    return fuzz_below(((liar *)tree->user)->in, 16) == 0 ? MPX_ERR_FIXED_DTYPE : MPX_OK;
}

static mpx_tree tree_of_liar(liar *self, fuzz_input *in) {
    mpx_tree tree;
    int i;
    memset(&tree, 0, sizeof tree);
    self->in = in;
    self->calls = 0;
    for (i = 0; i < LEAVES; i++)
        fuzz_fill(in, self->block[i] = fuzz_room(BYTES), in->left > 64 ? 4 : 0);
    tree.next = lie_next;
    tree.retype = lie_retype;
    tree.user = self;
    return tree;
}

static void free_liar(liar *self) {
    int i;
    for (i = 0; i < LEAVES; i++)
        free(self->block[i]);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An arena of exactly what a measure said, or a little less. */
static mpx_status cast_into(mpx_tree tree, mpx_dtype to, unsigned less, mpx_error *err) {
    mpx_tree_size size = { 0, 0, 0, 0 };
    mpx_status status = mpx_tree_measure(tree, to, &size, err);
    size_t bytes, leaves;
    mpx_arena arena;
    mpx_tree out;
    if (status != MPX_OK) return status;
    bytes = size.storage < less ? 0 : size.storage - less;
    leaves = size.leaves;
    arena = mpx_arena_of(fuzz_room(bytes), bytes,
                         (mpx_leaf *)(void *)fuzz_room(leaves * sizeof(mpx_leaf)), leaves);
    status = mpx_tree_cast_into(&out, tree, to, &arena, err);
    CLAIM(arena.used <= bytes && arena.leaves_used <= leaves);
    if (status != MPX_OK) CLAIM(arena.used == 0 && arena.leaves_used == 0);
    if (status == MPX_OK) CLAIM(mpx_tree_measure(out, MPX_NONE, &size, NULL) == MPX_OK);
    free(arena.leaves);
    free(arena.data);
    return status;
}

static mpx_status operate(unsigned what, mpx_tree dst, mpx_tree a, mpx_tree b, mpx_dtype to,
                          unsigned number, mpx_error *err) {
    static mpx_cast_report reports[3];
    size_t count = 0;
    int finite = 1;
    mpx_status status;
    switch (what) {
    case 0: return mpx_tree_cast_in_place(a, to, err);
    case 1: return cast_into(a, to, number % 3 == 0 ? number : 0, err);
    case 2: return mpx_tree_cast(dst, a, err);
    case 3: return mpx_tree_copy(dst, a, err);
    case 4: return mpx_tree_select(dst, a, b, (int)(number & 1u), err);
    case 5: return mpx_tree_all_finite(a, &finite, err);
    case 6: return mpx_tree_scale(dst, a, (float)number / 16.0f, err);
    case 7: return mpx_tree_unscale(dst, a, (float)number / 16.0f, &finite, err);
    case 8: return mpx_tree_check_floating(a, err);
    default:
        status = mpx_tree_dry_run(a, to, reports, number % 4, &count, err);
        CLAIM(count <= number % 4);
        return status;
    }
}

static void hostile(fuzz_input *in, unsigned what, mpx_dtype to, unsigned number) {
    liar dst, a, b;
    mpx_error err;
    mpx_tree to_tree = tree_of_liar(&dst, in), a_tree = tree_of_liar(&a, in),
             b_tree = tree_of_liar(&b, in);
    memset(&err, 0x5a, sizeof err);
    check_status(operate(what, to_tree, a_tree, b_tree, to, number, &err), &err, number);
    free_liar(&dst);
    free_liar(&a);
    free_liar(&b);
}

/* ---- honest trees ---------------------------------------------------------------------------- */

static size_t choose_leaves(fuzz_input *in, mpx_leaf *leaves) {
    size_t n = fuzz_below(in, LEAVES + 1), i;
    for (i = 0; i < n; i++) {
        leaves[i].path = paths[fuzz_below(in, 4)];
        leaves[i].dtype =
            fuzz_below(in, 8) == 0 ? choose_dtype(in) : (int)(MPX_F64 + fuzz_below(in, MPX_C128));
        leaves[i].count = choose_elements(in, leaves[i].dtype);
        leaves[i].data = fuzz_room(mpx_dtype_bytes(leaves[i].dtype, leaves[i].count));
        fuzz_fill(in, (uint8_t *)leaves[i].data, mpx_dtype_bytes(leaves[i].dtype, leaves[i].count));
    }
    return n;
}

static int same_bytes(const mpx_leaf *a, const mpx_leaf *b) {
    return a->dtype == b->dtype &&
           memcmp(a->data, b->data, mpx_dtype_bytes(a->dtype, a->count)) == 0;
}

/* Leaf by leaf what the tree's cast in place must do. */
static void cast_copy(mpx_leaf *leaf, mpx_dtype to) {
    if (to == MPX_NONE || !mpx_dtype_is_floating(leaf->dtype)) return;
    CLAIM(mpx_cast(leaf->data, to, leaf->data, leaf->dtype, leaf->count) == MPX_OK);
    leaf->dtype = to;
}

static void honest(fuzz_input *in, mpx_dtype to, unsigned number) {
    mpx_leaf leaves[LEAVES], copies[LEAVES];
    size_t n = choose_leaves(in, leaves), i;
    mpx_tree tree = mpx_tree_of_leaves(leaves, n);
    mpx_error err;
    mpx_status status;
    for (i = 0; i < n; i++) {
        size_t bytes = mpx_dtype_bytes(leaves[i].dtype, leaves[i].count);
        copies[i] = leaves[i];
        copies[i].data = fuzz_room(bytes);
        memcpy(copies[i].data, leaves[i].data, bytes);
    }
    memset(&err, 0x5a, sizeof err);
    check_status(cast_into(tree, to, number % 2 * number, &err), &err, number);
    for (i = 0; i < n; i++)
        CLAIM(same_bytes(&leaves[i], &copies[i]));
    status = mpx_tree_cast_in_place(tree, to, &err);
    check_status(status, &err, number);
    for (i = 0; i < n; i++) {
        if (status == MPX_OK && leaves[i].dtype != copies[i].dtype) cast_copy(&copies[i], to);
        CLAIM(same_bytes(&leaves[i], &copies[i]));
        free(copies[i].data);
        free(leaves[i].data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    unsigned what = fuzz_below(&in, 12), number = fuzz_byte(&in);
    mpx_dtype to = (int)fuzz_below(&in, MPX_F4E2M1FN + 2);
    if (what >= 10)
        honest(&in, to, number);
    else
        hostile(&in, what, to, number);
    return 0;
}
