/* Trees: the two walkers that ship and walkers of our own, what casts touch and what they leave
   alone, and that an error - wherever the walk meets it - leaves everything as it was. */
#include "test.h"

/* ---- leaves and what they look like ---------------------------------------------------------- */

static mpx_leaf leaf_of(const char *path, void *data, size_t count, mpx_dtype dtype) {
    mpx_leaf leaf;
    leaf.path = path;
    leaf.data = data;
    leaf.count = count;
    leaf.dtype = dtype;
    return leaf;
}

/* Bytes that a leaf of n bytes takes from an arena. */
static size_t room_for(size_t n) { return (n + 15) / 16 * 16; }

static mpx_tree empty_tree(void) {
    mpx_tree tree;
    memset(&tree, 0, sizeof tree);
    return tree;
}

/* The leaf at an index; returns what the walker said there. The path is good until the next
   call. */
static int leaf_at(mpx_tree tree, size_t index, mpx_leaf *leaf) {
    static mpx_cursor at;
    size_t i;
    int more = 1;
    memset(&at, 0, sizeof at);
    memset(leaf, 0, sizeof *leaf);
    for (i = 0; i <= index && more == 1; i++)
        more = tree.next != NULL ? tree.next(&at, leaf, &tree) : 0;
    return more;
}

static size_t count_leaves(mpx_tree tree) {
    mpx_leaf leaf;
    size_t n = 0;
    while (leaf_at(tree, n, &leaf) == 1)
        n++;
    return n;
}

static void check_leaf(mpx_tree tree, size_t index, const char *path, mpx_dtype dtype,
                       size_t count) {
    mpx_leaf leaf;
    CHECK(leaf_at(tree, index, &leaf) == 1, "no leaf %lu", (unsigned long)index);
    if (leaf.path == NULL) return;
    CHECK(strcmp(leaf.path, path) == 0, "leaf %lu is '%s', not '%s'", (unsigned long)index,
          leaf.path, path);
    CHECK(leaf.dtype == dtype && leaf.count == count, "leaf '%s' has %lu of dtype %d", path,
          (unsigned long)leaf.count, leaf.dtype);
}

/* The error: which leaf, and what about its dtype. */
static void check_error(const mpx_error *err, mpx_status status, size_t index,
                        const char *path) {
    CHECK(err->status == status, "error status %d, not %d (%s)", err->status, status, path);
    CHECK(err->index == index, "error at leaf %lu, not %lu (%s)", (unsigned long)err->index,
          (unsigned long)index, path);
    CHECK(strcmp(err->path, path) == 0, "error path '%s', not '%s'", err->path, path);
}

static void check_dtypes(const mpx_error *err, mpx_dtype found, mpx_dtype expected) {
    CHECK(err->found == found, "found dtype %d, not %d", err->found, found);
    CHECK(err->expected == expected, "expected dtype %d, not %d", err->expected, expected);
}

/* ---- the struct walker ----------------------------------------------------------------------- */

typedef struct layer {
    float weight[2][3];
    uint16_t bias[3];
    int32_t steps;
} layer;
static const mpx_field layer_fields[] = {
    MPX_LEAF(layer, weight, float, MPX_F32),
    MPX_LEAF(layer, bias, uint16_t, MPX_F16),
    MPX_LEAF(layer, steps, int32_t, MPX_I32),
};

typedef struct model {
    layer encoder;
    layer layers[4];
    layer *more;
    size_t more_count;
    float *table;
    void *head;
    size_t head_count;
    mpx_dtype head_dtype;
} model;
static const mpx_field model_fields[] = {
    MPX_NODE(model, encoder, layer_fields),
    MPX_NODE_ARRAY(model, layers, layer, layer_fields),
    MPX_NODE_POINTER(model, more, more_count, layer, layer_fields),
    MPX_LEAF_POINTER(model, table, 5, MPX_F32),
    MPX_LEAF_TYPED(model, head, head_count, head_dtype),
};

static void test_struct_walker(void) {
    static model m;
    static layer more[2];
    static float table[5];
    static float head[7];
    mpx_tree tree;
    mpx_leaf leaf;
    m.more = more, m.more_count = 2, m.table = table, m.head = head, m.head_count = 7,
    m.head_dtype = MPX_F32;
    tree = MPX_TREE_OF_STRUCT(&m, model_fields);
    CHECK(count_leaves(tree) == 3 + 4 * 3 + 2 * 3 + 2, "%lu leaves",
          (unsigned long)count_leaves(tree));
    check_leaf(tree, 0, "encoder/weight", MPX_F32, 6);
    check_leaf(tree, 1, "encoder/bias", MPX_F16, 3);
    check_leaf(tree, 2, "encoder/steps", MPX_I32, 1);
    check_leaf(tree, 3, "layers/0/weight", MPX_F32, 6);
    check_leaf(tree, 13, "layers/3/bias", MPX_F16, 3);
    check_leaf(tree, 15, "more/0/weight", MPX_F32, 6);
    check_leaf(tree, 20, "more/1/steps", MPX_I32, 1);
    check_leaf(tree, 21, "table", MPX_F32, 5);
    check_leaf(tree, 22, "head", MPX_F32, 7);
    CHECK(leaf_at(tree, 13, &leaf) == 1 && leaf.data == m.layers[3].bias, "the data is the member");
    CHECK(leaf_at(tree, 20, &leaf) == 1 && leaf.data == &more[1].steps,
          "the data is behind the pointer");
    CHECK(leaf_at(tree, 22, &leaf) == 1 && leaf.data == head, "the data is behind the pointer");
    m.more = NULL, m.table = NULL, m.head_count = 0;
    CHECK(leaf_at(tree, 15, &leaf) == 1 && strcmp(leaf.path, "table") == 0,
          "a NULL pointer to structs: no leaves");
    CHECK(leaf.count == 0, "a NULL pointer to data: no elements");
    check_leaf(tree, 16, "head", MPX_F32, 0);
    CHECK(count_leaves(tree) == 17, "%lu leaves", (unsigned long)count_leaves(tree));
    m.more = more, m.more_count = 0;
    CHECK(count_leaves(tree) == 17, "no structs: no leaves");
    CHECK(count_leaves(mpx_tree_of_struct(&m, model_fields, 0)) == 0, "no fields: no leaves");
}

/* A struct without alignment, as __attribute__((packed)) gives it: a byte, then a typed leaf. */
static void case_packed_struct(void) {
    enum { DATA = 1, COUNT = DATA + sizeof(void *), DTYPE = COUNT + sizeof(size_t) };
    static const mpx_field fields[] = {
        { "w", DATA, 0, COUNT, DTYPE, 0, NULL, 0, MPX_NONE,
          (unsigned)(MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_TYPED) }
    };
    unsigned char object[DTYPE + sizeof(mpx_dtype)];
    float x[2] = { 1, 2 };
    void *data = x;
    size_t count = 2;
    mpx_dtype dtype = MPX_F32;
    mpx_tree tree = MPX_TREE_OF_STRUCT(object, fields);
    memset(object, 0, sizeof object);
    memcpy(object + DATA, &data, sizeof data);
    memcpy(object + COUNT, &count, sizeof count);
    memcpy(object + DTYPE, &dtype, sizeof dtype);
    check_leaf(tree, 0, "w", MPX_F32, 2);
    CHECK(mpx_tree_cast_in_place(tree, MPX_BF16, NULL) == MPX_OK, "cast in place");
    check_leaf(tree, 0, "w", MPX_BF16, 2);
    CHECK(count_leaves(tree) == 1 && object[0] == 0, "the byte before");
}

static const mpx_field no_fields[1] = { { "never", 0, 1, 0, 0, 0, NULL, 0, MPX_F32, 0u } };

/* Empty nodes before, between and after leaves, also nested. */
static void test_empty_nodes(void) {
    static float x[2];
    mpx_field inner[3], fields[5];
    mpx_tree tree;
    size_t i;
    memset(fields, 0, sizeof fields);
    memset(inner, 0, sizeof inner);
    for (i = 0; i < 3; i++)
        inner[i].name = "inner", inner[i].count = 1, inner[i].fields = no_fields;
    for (i = 0; i < 5; i++)
        fields[i].name = "node", fields[i].count = 1, fields[i].fields = inner;
    fields[0].field_count = 3; /* a node of three empty nodes */
    fields[1].fields = NULL, fields[1].name = "a", fields[1].dtype = MPX_F32;
    fields[2].count = 0, fields[2].field_count = 3; /* no structs */
    fields[3].fields = NULL, fields[3].name = "b", fields[3].dtype = MPX_F32;
    tree = mpx_tree_of_struct(x, fields, 5);
    CHECK(count_leaves(tree) == 2, "%lu leaves", (unsigned long)count_leaves(tree));
    check_leaf(tree, 0, "a", MPX_F32, 1);
    check_leaf(tree, 1, "b", MPX_F32, 1);
}

/* A chain of nodes: link[i] holds link[i + 1], the last one a leaf. */
#define LINKS (MPX_TREE_DEPTH + 2)
static mpx_tree chain(mpx_field *link, size_t nodes, float *data, const char *name) {
    size_t i;
    memset(link, 0, LINKS * sizeof *link);
    for (i = 0; i <= nodes; i++) {
        link[i].name = name;
        link[i].count = 1;
        if (i < nodes)
            link[i].fields = &link[i + 1], link[i].field_count = 1;
        else
            link[i].dtype = MPX_F32;
    }
    return mpx_tree_of_struct(data, link, 1);
}

static void test_depth(void) {
    mpx_field link[LINKS];
    float x = 1;
    int finite = 5;
    mpx_error err;
    mpx_leaf leaf;
    mpx_tree tree = chain(link, MPX_TREE_DEPTH, &x, "d");
    CHECK(count_leaves(tree) == 1, "MPX_TREE_DEPTH nodes are followed");
    check_leaf(tree, 0, "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d", MPX_F32, 1);
    tree = chain(link, MPX_TREE_DEPTH + 1, &x, "d");
    CHECK(leaf_at(tree, 0, &leaf) == MPX_ERR_DEPTH, "one more is not");
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_ERR_DEPTH && finite == 5,
          "reported, nothing written");
    CHECK(err.status == MPX_ERR_DEPTH, "err has it");
    link[0].fields = link; /* a description that holds itself */
    CHECK(leaf_at(tree, 0, &leaf) == MPX_ERR_DEPTH, "a field that holds itself");
    CHECK(mpx_tree_cast_in_place(tree, MPX_F16, NULL) == MPX_ERR_DEPTH && x == 1,
          "reported, nothing written");
}

/* Paths of MPX_PATH_SIZE - 1 bytes fit, one more does not. */
static void test_long_paths(void) {
    mpx_field link[LINKS];
    char name[MPX_PATH_SIZE + 2];
    float x = 1;
    mpx_leaf leaf;
    mpx_tree tree;
    mpx_tree_size size;
    mpx_error err;
    memset(name, 'n', sizeof name);
    name[MPX_PATH_SIZE / 2] = '\0'; /* 64 bytes, so "n64/n64" has 129: too long */
    tree = chain(link, 1, &x, name);
    CHECK(leaf_at(tree, 0, &leaf) == MPX_ERR_SPACE, "a path of %d bytes", MPX_PATH_SIZE + 1);
    CHECK(mpx_tree_measure(tree, MPX_NONE, &size, &err) == MPX_ERR_SPACE &&
              err.status == MPX_ERR_SPACE,
          "reported");
    link[1].name = name + 2; /* 64 + 1 + 62: the longest that fits */
    CHECK(leaf_at(tree, 0, &leaf) == 1 && strlen(leaf.path) == MPX_PATH_SIZE - 1,
          "a path of %d bytes", MPX_PATH_SIZE - 1);
    link[1].name = name + 1; /* one more: no room for the NUL */
    CHECK(leaf_at(tree, 0, &leaf) == MPX_ERR_SPACE, "a path of %d bytes", MPX_PATH_SIZE);
    link[0].name = name + 2, link[1].name = name;
    link[0].flags = MPX_FIELD_INDEXED; /* the index takes two bytes more: 62 + 2 + 1 + 64 */
    CHECK(leaf_at(tree, 0, &leaf) == MPX_ERR_SPACE, "an index that does not fit");
    link[0].name = name + 4;
    CHECK(leaf_at(tree, 0, &leaf) == 1 && leaf.path[61] == '0', "an index that fits");
}

/* An index of several digits, and the path after a shorter one. */
static void test_indices(void) {
    static layer many[123];
    struct {
        layer *many;
        size_t n;
    } owner;
    mpx_field field = { "many", 0, 0, 0, 0, sizeof(layer), layer_fields, 3, MPX_NONE, 0u };
    owner.many = many, owner.n = 123;
    field.flags = MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_INDEXED;
    field.count_offset = (size_t)((char *)&owner.n - (char *)&owner);
    check_leaf(mpx_tree_of_struct(&owner, &field, 1), 27, "many/9/weight", MPX_F32, 6);
    check_leaf(mpx_tree_of_struct(&owner, &field, 1), 30, "many/10/weight", MPX_F32, 6);
    check_leaf(mpx_tree_of_struct(&owner, &field, 1), 368, "many/122/steps", MPX_I32, 1);
}

/* Tensors in one block: leaves with the names, each where its offset says; below a byte too. */
static void test_tensors(void) {
    static const mpx_tensor tensors[] = { { "w", 0, 24 }, { "none", 24, 0 }, { "b", 24, 8 } };
    static unsigned char memory[32 * 16];
    mpx_leaf leaves[4];
    mpx_dtype t;
    size_t i;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        leaves[3] = leaf_of("beyond", NULL, 12345, MPX_NONE);
        mpx_leaves_of_tensors(leaves, tensors, 3, memory, t);
        for (i = 0; i < 3; i++) {
            check_leaf(mpx_tree_of_leaves(leaves, 3), i, tensors[i].name, t, tensors[i].count);
            CHECK(leaves[i].data == memory + tensors[i].offset * (size_t)mpx_dtype_bits(t) / 8,
                  "%s: '%s' is elsewhere", mpx_dtype_name(t), tensors[i].name);
        }
        CHECK(leaves[3].count == 12345, "three leaves only");
    }
    mpx_leaves_of_tensors(leaves, tensors, 0, NULL, MPX_F32);
    leaves[0].count = 1;
    {
        const mpx_tensor none = { "none", 0, 0 };
        mpx_leaves_of_tensors(leaves, &none, 1, NULL, MPX_F32); /* UBSan looks on */
        CHECK(leaves[0].data == NULL && leaves[0].count == 0, "no memory, no elements");
    }
}

/* Visiting by hand: the same leaves, then 0 for good; a leaf that is not valid is a status. */
static void test_tree_next(void) {
    float x[2] = { 1, 2 };
    mpx_leaf leaves[2], leaf;
    mpx_cursor at;
    mpx_tree tree = mpx_tree_of_leaves(leaves, 2), none = empty_tree();
    leaves[0] = leaf_of("a", x, 2, MPX_F32), leaves[1] = leaf_of("b", x, 1, MPX_F32);
    memset(&at, 0, sizeof at);
    CHECK(mpx_tree_next(&tree, &at, &leaf) == 1 && strcmp(leaf.path, "a") == 0, "a");
    CHECK(mpx_tree_next(&tree, &at, &leaf) == 1 && strcmp(leaf.path, "b") == 0, "b");
    CHECK(mpx_tree_next(&tree, &at, &leaf) == 0, "the end");
    CHECK(mpx_tree_next(&tree, &at, &leaf) == 0, "still the end");
    CHECK(mpx_tree_next(&none, &at, &leaf) == 0, "the empty tree");
    leaves[0].data = NULL, leaves[1].dtype = 99;
    memset(&at, 0, sizeof at);
    CHECK(mpx_tree_next(&tree, &at, &leaf) == MPX_ERR_ARGUMENT, "elements without data");
    CHECK(mpx_tree_next(&tree, &at, &leaf) == MPX_ERR_DTYPE, "no dtype");
    leaves[0] = leaf_of("a", x, SIZE_MAX, MPX_F32);
    memset(&at, 0, sizeof at);
    CHECK(mpx_tree_next(&tree, &at, &leaf) == MPX_ERR_SPACE, "bytes beyond size_t");
}

/* ---- a walker of our own: ten lines, a linked list ------------------------------------------- */

typedef struct item {
    struct item *next;
    const char *name;
    float value[2];
} item;

static int next_item(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    item *it = at->index[0]++ == 0 ? (item *)tree->user : ((item *)at->node)->next;
    at->node = it;
    if (it == NULL) return 0;
    leaf->path = it->name;
    leaf->data = it->value;
    leaf->count = 2;
    leaf->dtype = MPX_F32;
    return 1;
}

static void test_own_walker(void) {
    item b = { NULL, "b", { 3, 4 } }, a = { NULL, "a", { 1, 2 } };
    float x[2] = { 0, 0 }, y[2] = { 0, 0 };
    mpx_leaf leaves[2];
    mpx_tree list = empty_tree();
    mpx_error err;
    a.next = &b;
    list.next = next_item;
    list.user = &a;
    leaves[0] = leaf_of("a", x, 2, MPX_F32);
    leaves[1] = leaf_of("b", y, 2, MPX_F32);
    CHECK(count_leaves(list) == 2, "two items");
    CHECK(mpx_tree_copy(mpx_tree_of_leaves(leaves, 2), list, &err) == MPX_OK, "copy from the list");
    CHECK(x[0] == 1 && x[1] == 2 && y[0] == 3 && y[1] == 4, "copied");
    CHECK(err.status == MPX_OK, "no error: status %d", err.status);
    x[0] = 9;
    CHECK(mpx_tree_copy(list, mpx_tree_of_leaves(leaves, 2), NULL) == MPX_OK && a.value[0] == 9,
          "copy to the list");
    CHECK(mpx_tree_cast_in_place(list, MPX_F16, &err) == MPX_ERR_FIXED_DTYPE,
          "no retype: dtypes are fixed");
    check_error(&err, MPX_ERR_FIXED_DTYPE, 0, "a");
    CHECK(mpx_tree_cast_in_place(list, MPX_F32, NULL) == MPX_OK,
          "nothing to change: nothing refused");
    CHECK(a.value[0] == 9 && b.value[1] == 4, "nothing written");
}

/* ---- empty trees and leaves ------------------------------------------------------------------ */

/* Every function takes the tree, with these results. */
static void check_all_take(mpx_tree tree, size_t leaves) {
    mpx_leaf room[8];
    mpx_arena arena = mpx_arena_of(NULL, 0, room, 8);
    mpx_tree_size size;
    mpx_tree out = empty_tree();
    mpx_error err = test_any_error();
    int finite = 7;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_OK && size.leaves == leaves &&
              size.elements == 0 && size.bytes == 0 && size.storage == 0 && err.status == MPX_OK &&
              err.offset == 0 && err.length == 0,
          "measure");
    CHECK(mpx_tree_cast_in_place(tree, MPX_NONE, &err) == MPX_OK, "cast in place");
    CHECK(mpx_tree_cast_into(&out, tree, MPX_BF16, &arena, &err) == MPX_OK &&
              count_leaves(out) == leaves,
          "cast into");
    CHECK(arena.used == 0, "cast into took %lu bytes", (unsigned long)arena.used);
    CHECK(mpx_tree_cast_into(&out, tree, MPX_F32, &arena, &err) == MPX_OK, "cast to full");
    CHECK(mpx_tree_cast_into(&out, tree, MPX_NONE, &arena, &err) == MPX_OK, "cast to half");
    CHECK(mpx_tree_cast(tree, tree, &err) == MPX_OK, "cast");
    CHECK(mpx_tree_copy(tree, tree, &err) == MPX_OK, "copy");
    CHECK(mpx_tree_select(tree, tree, tree, 1, &err) == MPX_OK, "select");
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_OK && finite == 1, "all finite");
    finite = 7;
    CHECK(mpx_tree_scale(tree, tree, 2, &err) == MPX_OK, "scale");
    CHECK(mpx_tree_unscale(tree, tree, 2, &finite, &err) == MPX_OK && finite == 1, "unscale");
    CHECK(mpx_tree_check_floating(tree, &err) == MPX_OK, "check floating");
}

/* The same bits. */
static int is_double(double got, double want) { return memcmp(&got, &want, sizeof got) == 0; }

static void test_empty(void) {
    mpx_leaf none[2];
    static const mpx_field fields[] = { { "a", 0, 1, 0, 0, 0, no_fields, 0, MPX_NONE, 0u } };
    float x;
    int finite = 7;
    double sum = 7;
    mpx_arena no_arena = mpx_arena_of(NULL, 0, NULL, 0);
    mpx_tree out;
    check_all_take(empty_tree(), 0);
    check_all_take(mpx_tree_of_leaves(NULL, 0), 0);
    check_all_take(mpx_tree_of_struct(&x, fields, 0), 0);
    check_all_take(mpx_tree_of_struct(&x, fields, 1), 0);
    none[0] = leaf_of("a", NULL, 0, MPX_F32);
    none[1] = leaf_of("b", NULL, 0, MPX_F16);
    check_all_take(mpx_tree_of_leaves(none, 2), 2);
    CHECK(mpx_tree_all_finite(empty_tree(), &finite, NULL) == MPX_OK && finite == 1,
          "err may be NULL");
    CHECK(mpx_tree_sum_squares(empty_tree(), &sum, NULL) == MPX_OK && is_double(sum, 0),
          "the sum of nothing is 0, not %g", sum);
    CHECK(mpx_tree_cast_into(&out, empty_tree(), MPX_F16, &no_arena, NULL) == MPX_OK,
          "no leaves need no arena");
    CHECK(mpx_tree_cast_in_place(mpx_tree_of_leaves(none, 2), MPX_F16, NULL) == MPX_OK &&
              none[0].dtype == MPX_F16,
          "a leaf without elements is cast by name");
}

static void check_empty_typed(mpx_tree tree, size_t leaves) {
    mpx_leaf room[2];
    char paths[16];
    mpx_arena arena = mpx_arena_of(paths, sizeof paths, room, 2);
    mpx_tree_size size;
    mpx_tree out = empty_tree();
    mpx_error err;
    int finite = 7, infinite = 7;
    double sum = 7;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_OK && size.leaves == leaves &&
              size.elements == 0 && size.bytes == 0,
          "measure");
    CHECK(mpx_tree_cast_into(&out, tree, MPX_F16, &arena, &err) == MPX_OK &&
              count_leaves(out) == leaves && room[0].dtype == MPX_NONE,
          "cast into");
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_OK && finite == 1, "all finite");
    CHECK(mpx_tree_any_infinite(tree, &infinite, &err) == MPX_OK && infinite == 0, "any infinite");
    CHECK(mpx_tree_check_floating(tree, &err) == MPX_OK, "check floating");
    CHECK(mpx_tree_scale(tree, tree, 2.0f, &err) == MPX_OK, "scale");
    CHECK(mpx_tree_sum_squares(tree, &sum, &err) == MPX_OK && is_double(sum, 0), "sum of squares");
    sum = 7, finite = 7;
    CHECK(mpx_tree_unscale_squares(tree, tree, 2.0f, &finite, &sum, &err) == MPX_OK &&
              is_double(sum, 0) && finite == 1,
          "unscale and sum of squares");
}

/* A struct of zeros is a tree whose typed leaves have no elements, and no dtype yet. */
static void case_zeroed_typed_leaf(void) {
    typedef struct state {
        void *a, *b;
        size_t a_count, b_count;
        mpx_dtype a_dtype, b_dtype;
    } state;
    static const mpx_field fields[] = {
        MPX_LEAF_TYPED(state, a, a_count, a_dtype),
        MPX_LEAF_TYPED(state, b, b_count, b_dtype),
    };
    state s, zeros;
    mpx_tree tree = MPX_TREE_OF_STRUCT(&s, fields);
    mpx_error err;
    float x[2] = { 1, 2 };
    memset(&s, 0, sizeof s), memset(&zeros, 0, sizeof zeros);
    CHECK(mpx_tree_cast(tree, MPX_TREE_OF_STRUCT(&zeros, fields), &err) == MPX_OK, "cast");
    CHECK(mpx_tree_cast_in_place(tree, MPX_F16, &err) == MPX_OK && s.a_dtype == MPX_NONE,
          "there is nothing to cast: dtype %d", s.a_dtype);
    check_empty_typed(tree, 2);
    s.a_count = 1;
    check_empty_typed(tree, 2); /* NULL: no elements */
    s.a = x;
    CHECK(mpx_tree_check_floating(tree, &err) == MPX_ERR_DTYPE, "elements of no dtype");
    check_error(&err, MPX_ERR_DTYPE, 0, "a");
    s.a_dtype = MPX_F32;
    CHECK(mpx_tree_check_floating(tree, &err) == MPX_OK, "one is set, one is not");
}

/* ---- casts in place -------------------------------------------------------------------------- */

static void test_cast_in_place(void) {
    float x[3] = { 1, 2, 3 };
    uint16_t h[2] = { 0x3c00, 0x4000 }, got[3];
    int32_t n[2] = { 7, 8 };
    mpx_leaf leaves[3];
    mpx_tree tree = mpx_tree_of_leaves(leaves, 3);
    mpx_error err;
    leaves[0] = leaf_of("x", x, 3, MPX_F32);
    leaves[1] = leaf_of("n", n, 2, MPX_I32);
    leaves[2] = leaf_of("h", h, 2, MPX_F16);
    CHECK(mpx_tree_cast_in_place(tree, MPX_F32, &err) == MPX_ERR_SPACE,
          "f16 leaves do not hold f32");
    check_error(&err, MPX_ERR_SPACE, 2, "h");
    check_dtypes(&err, MPX_F16, MPX_F32);
    CHECK(mpx_tree_cast_in_place(tree, MPX_I8, &err) == MPX_ERR_DTYPE, "i8 is no floating dtype");
    CHECK(mpx_tree_cast_in_place(tree, MPX_C64, NULL) == MPX_ERR_DTYPE, "nor is c64");
    CHECK(mpx_tree_cast_in_place(tree, 99, NULL) == MPX_ERR_DTYPE, "nor is 99");
    CHECK(mpx_tree_cast_in_place(tree, MPX_NONE, NULL) == MPX_OK, "NONE does nothing");
    CHECK(x[0] == 1 && x[2] == 3 && h[1] == 0x4000 && leaves[0].dtype == MPX_F32,
          "nothing changed");
    CHECK(mpx_tree_cast_in_place(tree, MPX_BF16, &err) == MPX_OK && err.status == MPX_OK,
          "to bf16");
    memcpy(got, x, sizeof got);
    CHECK(got[0] == 0x3f80 && got[1] == 0x4000 && got[2] == 0x4040, "x as bf16: %04x %04x %04x",
          got[0], got[1], got[2]);
    CHECK(h[0] == 0x3f80 && h[1] == 0x4000, "h as bf16: %04x %04x", h[0], h[1]);
    CHECK(n[0] == 7 && n[1] == 8 && leaves[1].dtype == MPX_I32, "integers are left alone");
    CHECK(leaves[0].dtype == MPX_BF16 && leaves[2].dtype == MPX_BF16, "the leaves know");
    CHECK(leaves[0].count == 3 && leaves[0].data == x, "count and place stay");
}

/* A struct: its typed leaf can be cast, one whose dtype the C type fixes cannot. */
static void test_cast_struct_in_place(void) {
    static model m;
    static float head[4] = { 1, 2, 3, 4 };
    mpx_tree tree = mpx_tree_of_struct(&m, &model_fields[4], 1);
    mpx_error err;
    uint16_t got[4];
    m.head = head, m.head_count = 4, m.head_dtype = MPX_F32;
    CHECK(mpx_tree_cast_in_place(tree, MPX_F16, &err) == MPX_OK && m.head_dtype == MPX_F16,
          "typed: dtype %d", m.head_dtype);
    memcpy(got, head, sizeof got);
    CHECK(got[0] == 0x3c00 && got[3] == 0x4400, "typed: %04x %04x", got[0], got[3]);
    CHECK(mpx_tree_cast_in_place(tree, MPX_F32, &err) == MPX_ERR_SPACE && m.head_dtype == MPX_F16,
          "typed: no way back");
    tree = MPX_TREE_OF_STRUCT(&m, model_fields);
    CHECK(mpx_tree_cast_in_place(tree, MPX_F16, &err) == MPX_ERR_FIXED_DTYPE,
          "float weight[] stays float");
    check_error(&err, MPX_ERR_FIXED_DTYPE, 0, "encoder/weight");
    check_dtypes(&err, MPX_F32, MPX_F16);
    m.head_dtype =
        MPX_F64; /* the two of them: fixed leaves are right already, the typed one changes */
    m.head_count = 0;
    tree = mpx_tree_of_struct(&m, &model_fields[3], 2);
    CHECK(mpx_tree_cast_in_place(tree, MPX_F32, &err) == MPX_OK && m.head_dtype == MPX_F32,
          "what fits needs no change");
}

/* In place through every pair of floating dtypes: done where it fits, refused where not. */
static void test_cast_in_place_pairs(void) {
    mpx_dtype from, to;
    for (from = 1; from < MPX_DTYPE_COUNT; from++)
        for (to = 1; to < MPX_DTYPE_COUNT; to++) {
            unsigned char data[16 * 16], before[16 * 16], want[16 * 16];
            mpx_leaf leaf = leaf_of("x", data, 16, from);
            int casts = mpx_dtype_is_floating(from) && from != to,
                fits = mpx_dtype_bits(to) <= mpx_dtype_bits(from);
            mpx_status status, expected = MPX_OK;
            size_t size = mpx_dtype_bytes(from, 16), i;
            for (i = 0; i < sizeof data; i++)
                data[i] = (unsigned char)(i * 37);
            memcpy(before, data, sizeof data);
            memcpy(want, data, sizeof data);
            if (!mpx_dtype_is_floating(to))
                expected = mpx_dtype_is_floating(from) ? MPX_ERR_DTYPE : MPX_OK;
            else if (casts && !fits)
                expected = MPX_ERR_SPACE;
            else if (casts)
                mpx_cast(want, to, before, from, 16), size = mpx_dtype_bytes(to, 16);
            status = mpx_tree_cast_in_place(mpx_tree_of_leaves(&leaf, 1), to, NULL);
            CHECK(status == expected, "%s to %s: status %d, not %d", mpx_dtype_name(from),
                  mpx_dtype_name(to), status, expected);
            CHECK(leaf.dtype == (expected == MPX_OK && casts ? to : from), "%s to %s: dtype %d",
                  mpx_dtype_name(from), mpx_dtype_name(to), leaf.dtype);
            CHECK(memcmp(data, want, size) == 0, "%s to %s: wrong bytes", mpx_dtype_name(from),
                  mpx_dtype_name(to));
            CHECK(memcmp(data + mpx_dtype_bytes(from, 16), before + mpx_dtype_bytes(from, 16),
                         sizeof data - mpx_dtype_bytes(from, 16)) == 0,
                  "beyond the leaf");
        }
}

/* ---- casts into an arena --------------------------------------------------------------------- */

typedef struct sample_tree {
    float x[3];
    uint16_t h[40];
    int32_t n[2];
    uint8_t flag[1];
    double d[20];
    mpx_leaf leaves[6];
    mpx_tree tree;
} sample_tree;

static void make_sample(sample_tree *s) {
    size_t i;
    memset(s, 0, sizeof *s);
    for (i = 0; i < 3; i++)
        s->x[i] = (float)i + 1;
    for (i = 0; i < 40; i++)
        s->h[i] = (uint16_t)(0x3c00 + i);
    for (i = 0; i < 20; i++)
        s->d[i] = (double)i - 7;
    s->n[0] = 5, s->n[1] = -6, s->flag[0] = 1;
    s->leaves[0] = leaf_of("x", s->x, 3, MPX_F32);
    s->leaves[1] = leaf_of("h", s->h, 40, MPX_F16);
    s->leaves[2] = leaf_of("n", s->n, 2, MPX_I32);
    s->leaves[3] = leaf_of("flag", s->flag, 1, MPX_BOOL);
    s->leaves[4] = leaf_of("none", NULL, 0, MPX_F32);
    s->leaves[5] = leaf_of("d", s->d, 20, MPX_F64);
    s->tree = mpx_tree_of_leaves(s->leaves, 6);
}

/* Into f16: x takes 6 bytes, d 40, each rounded up to 16: 64; h is shared. */
static void test_cast_into(void) {
    sample_tree s;
    static unsigned char data[256];
    mpx_leaf room[6];
    mpx_arena arena = mpx_arena_of(data, 64, room, 6);
    mpx_tree_size size;
    mpx_tree out = empty_tree();
    mpx_error err;
    uint16_t got[20];
    make_sample(&s);
    memset(data, 0xcd, sizeof data);
    CHECK(mpx_tree_measure(s.tree, MPX_F16, &size, &err) == MPX_OK && size.leaves == 6 &&
              size.elements == 66 && size.bytes == 12 + 80 + 8 + 1 + 160 && size.storage == 64,
          "measure: %lu leaves %lu elements %lu bytes %lu", (unsigned long)size.leaves,
          (unsigned long)size.elements, (unsigned long)size.bytes, (unsigned long)size.storage);
    CHECK(mpx_tree_cast_into(&out, s.tree, MPX_F16, &arena, &err) == MPX_OK && err.status == MPX_OK,
          "cast into f16");
    CHECK(arena.used == size.storage && arena.leaves_used == 6, "took %lu bytes, %lu leaves",
          (unsigned long)arena.used, (unsigned long)arena.leaves_used);
    CHECK(count_leaves(out) == 6, "six leaves");
    check_leaf(out, 0, "x", MPX_F16, 3);
    check_leaf(out, 1, "h", MPX_F16, 40);
    check_leaf(out, 2, "n", MPX_I32, 2);
    check_leaf(out, 3, "flag", MPX_BOOL, 1);
    check_leaf(out, 4, "none", MPX_F16, 0);
    check_leaf(out, 5, "d", MPX_F16, 20);
    CHECK(room[0].data == data && room[5].data == data + 16, "cast leaves lie in the arena");
    CHECK(room[1].data == s.h && room[2].data == s.n && room[3].data == s.flag,
          "the others are shared");
    memcpy(got, room[0].data, 6);
    CHECK(got[0] == 0x3c00 && got[1] == 0x4000 && got[2] == 0x4200, "x: %04x %04x %04x", got[0],
          got[1], got[2]);
    memcpy(got, room[5].data, 40);
    CHECK(got[0] == 0xc700 && got[7] == 0 && got[19] == 0x4a00, "d: %04x %04x %04x", got[0], got[7],
          got[19]);
    CHECK(data[64] == 0xcd, "wrote beyond the arena");
    CHECK(s.x[0] == 1 && s.d[0] == -7 && s.leaves[0].dtype == MPX_F32, "the source stays");
}

/* Too little of anything: nothing written, nothing taken, out untouched. */
static void check_no_room(mpx_arena arena, const char *what) {
    sample_tree s;
    mpx_arena before = arena;
    mpx_tree out, out_before;
    mpx_error err;
    unsigned char *data = (unsigned char *)arena.data;
    size_t i;
    make_sample(&s);
    memset(&out, 0x5a, sizeof out);
    memset(&out_before, 0x5a, sizeof out_before);
    for (i = 0; i < arena.size; i++)
        data[i] = 0xcd;
    CHECK(mpx_tree_cast_into(&out, s.tree, MPX_F16, &arena, &err) == MPX_ERR_SPACE, "%s", what);
    CHECK(err.status == MPX_ERR_SPACE, "%s: err has status %d", what, err.status);
    CHECK(arena.used == before.used && arena.leaves_used == before.leaves_used,
          "%s: the arena moved", what);
    CHECK(memcmp(&out, &out_before, sizeof out) == 0, "%s: out was written", what);
    for (i = 0; i < arena.size; i++)
        CHECK(data[i] == 0xcd, "%s: byte %lu was written", what, (unsigned long)i);
    for (i = 0; i < arena.leaf_capacity; i++)
        CHECK(arena.leaves[i].count == 12345, "%s: a leaf was written", what);
}

static void test_no_room(void) {
    static unsigned char data[256];
    mpx_leaf room[12];
    mpx_arena arena;
    size_t i;
    for (i = 0; i < 12; i++)
        room[i] = leaf_of("old", NULL, 12345, MPX_F32);
    check_no_room(mpx_arena_of(data, 63, room, 6), "one byte short");
    check_no_room(mpx_arena_of(data, 0, room, 6), "no bytes");
    check_no_room(mpx_arena_of(data, 64, room, 5), "one leaf short");
    check_no_room(mpx_arena_of(data, 64, room, 0), "no leaves");
    arena = mpx_arena_of(data, 256, room, 12);
    arena.used = 193;
    check_no_room(arena, "used up but for 63 bytes");
    arena.used = 192, arena.leaves_used = 7;
    check_no_room(arena, "used up but for five leaves");
    arena.used = 257, arena.leaves_used = 0;
    check_no_room(arena, "more used than there is");
    arena.used = 0, arena.leaves_used = 13;
    check_no_room(arena, "more leaves used than there are");
}

/* Two casts share an arena; a cast that changes nothing takes leaves only. */
static void test_arena_goes_on(void) {
    sample_tree s;
    static unsigned char data[1024];
    mpx_leaf room[24];
    mpx_arena arena = mpx_arena_of(data, sizeof data, room, 24);
    mpx_tree half = empty_tree(), full = empty_tree(), same = empty_tree(), none = empty_tree();
    mpx_tree_size size;
    make_sample(&s);
    CHECK(mpx_tree_cast_into(&half, s.tree, MPX_BF16, &arena, NULL) == MPX_OK, "to half");
    CHECK(arena.used == 16 + 80 + 48 && arena.leaves_used == 6, "x, h and d: %lu bytes",
          (unsigned long)arena.used);
    check_leaf(half, 1, "h", MPX_BF16, 40);
    CHECK(mpx_tree_cast_into(&full, half, MPX_F32, &arena, NULL) == MPX_OK, "to full");
    CHECK(arena.used == 144 + 16 + 160 + 80 && arena.leaves_used == 12, "%lu bytes",
          (unsigned long)arena.used);
    check_leaf(full, 5, "d", MPX_F32, 20);
    check_leaf(half, 5, "d", MPX_BF16, 20);
    CHECK(mpx_tree_cast_into(&same, full, MPX_F32, &arena, NULL) == MPX_OK && arena.used == 400,
          "nothing to cast");
    CHECK(room[12].data == room[6].data, "shared");
    CHECK(mpx_tree_cast_into(&none, s.tree, MPX_NONE, &arena, NULL) == MPX_OK && arena.used == 400,
          "NONE shares all");
    CHECK(room[18].data == s.x && room[18].dtype == MPX_F32 && arena.leaves_used == 24,
          "NONE shares all");
    CHECK(mpx_tree_measure(s.tree, MPX_NONE, &size, NULL) == MPX_OK && size.storage == 0,
          "NONE needs no storage");
    CHECK(mpx_tree_cast_into(&none, s.tree, MPX_I8, &arena, NULL) == MPX_ERR_DTYPE,
          "i8 is no floating dtype");
    CHECK(mpx_tree_cast_into(&none, s.tree, MPX_C128, &arena, NULL) == MPX_ERR_DTYPE,
          "nor is c128");
    CHECK(mpx_tree_cast_into(&none, s.tree, -1, &arena, NULL) == MPX_ERR_DTYPE, "nor is -1");
    arena.used = arena.leaves_used = 0;
    CHECK(mpx_tree_cast_into(&half, s.tree, MPX_F16, &arena, NULL) == MPX_OK && arena.used == 64,
          "f16");
    check_leaf(half, 0, "x", MPX_F16, 3);
    CHECK(mpx_tree_cast_into(&half, s.tree, MPX_I16, &arena, NULL) == MPX_ERR_DTYPE,
          "half of i16");
}

/* The three roles of a policy; an unset role shares every leaf. */
static void test_policy_verbs(void) {
    sample_tree s;
    static unsigned char data[1024];
    mpx_leaf room[18];
    mpx_arena arena = mpx_arena_of(data, sizeof data, room, 18);
    mpx_tree out = empty_tree();
    mpx_policy p;
    make_sample(&s);
    p.param = MPX_F64, p.compute = MPX_BF16, p.output = MPX_NONE;
    CHECK(mpx_tree_cast_into(&out, s.tree, p.param, &arena, NULL) == MPX_OK, "param");
    check_leaf(out, 0, "x", MPX_F64, 3);
    CHECK(mpx_tree_cast_into(&out, s.tree, p.compute, &arena, NULL) == MPX_OK, "compute");
    check_leaf(out, 0, "x", MPX_BF16, 3);
    check_leaf(out, 2, "n", MPX_I32, 2);
    CHECK(mpx_tree_cast_into(&out, s.tree, p.output, &arena, NULL) == MPX_OK, "output");
    check_leaf(out, 0, "x", MPX_F32, 3);
    CHECK(room[12].data == s.x, "an unset role shares");
    CHECK(mpx_tree_cast_into(&out, s.tree, p.param, &arena, NULL) == MPX_ERR_SPACE,
          "no leaves left");
    p.output = MPX_I32;
    CHECK(mpx_tree_cast_into(&out, s.tree, p.output, &arena, NULL) == MPX_ERR_DTYPE,
          "an integer role");
}

/* A role that is no float is an error of the first leaf that it concerns: where there is none, it is
   none. Numbers that are no dtype are always refused. */
static void test_integer_role(void) {
    static const mpx_dtype roles[] = { MPX_I8, MPX_BOOL, MPX_C64, MPX_U4, 99, -1 };
    int32_t n[2] = { 7, 8 };
    float c[4] = { 1, 2, 3, 4 }, x[1] = { 5 };
    mpx_leaf leaves[4], room[4];
    mpx_cast_report report;
    mpx_error err;
    size_t i, floats, count;
    leaves[0] = leaf_of("n", n, 2, MPX_I32);
    leaves[1] = leaf_of("unset", NULL, 0, MPX_NONE);
    leaves[2] = leaf_of("c", c, 2, MPX_C64);
    leaves[3] = leaf_of("x", x, 1, MPX_F32);
    for (i = 0; i < sizeof roles / sizeof roles[0]; i++)
        for (floats = 0; floats < 2; floats++) {
            mpx_status want = floats == 0 && i < 4 ? MPX_OK : MPX_ERR_DTYPE, got[5];
            mpx_tree tree = mpx_tree_of_leaves(leaves, 3 + floats), out = empty_tree();
            mpx_arena arena = mpx_arena_of(NULL, 0, room, 4);
            mpx_map_entry entry;
            mpx_policy_map map =
                mpx_policy_map_of(&entry, 1, mpx_policy_of(roles[i], MPX_F32, MPX_F32));
            mpx_tree_size size;
            size_t k;
            count = 7;
            got[0] = mpx_tree_measure(tree, roles[i], &size, NULL);
            got[1] = mpx_tree_cast_in_place(tree, roles[i], NULL);
            got[2] = mpx_tree_dry_run(tree, roles[i], &report, 1, &count, NULL);
            got[3] = mpx_policy_map_measure(&map, MPX_ROLE_PARAM, tree, &size, NULL);
            got[4] = mpx_tree_cast_into(&out, tree, roles[i], &arena, &err);
            for (k = 0; k < 5; k++) /* a map is asked for floating leaves alone */
                CHECK(got[k] == (k == 3 && floats == 0 ? MPX_OK : want),
                      "role %d, %lu floats, function %lu: %d", roles[i], (unsigned long)floats,
                      (unsigned long)k, got[k]);
            CHECK(count == (want == MPX_OK ? 0 : 7), "reports: %lu", (unsigned long)count);
            if (want == MPX_OK) check_leaf(out, 2, "c", MPX_C64, 2);
            if (want != MPX_OK)
                check_error(&err, MPX_ERR_DTYPE, i < 4 ? 3 : SIZE_MAX, i < 4 ? "x" : "");
        }
    CHECK(leaves[0].dtype == MPX_I32 && leaves[3].dtype == MPX_F32 && n[1] == 8, "changed");
}

/* A leaf of every dtype, cast to every floating dtype: floats change, everything else is shared. */
static void test_what_is_cast(void) {
    static unsigned char src[MPX_DTYPE_COUNT][16 * 8], data[64 * MPX_DTYPE_COUNT * 2];
    mpx_leaf leaves[MPX_DTYPE_COUNT], room[MPX_DTYPE_COUNT];
    mpx_dtype t, to;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        memset(src[t], 0x12, sizeof src[t]);
        leaves[t - 1] = leaf_of(mpx_dtype_name(t), src[t], 8, t);
    }
    for (to = 1; to < MPX_DTYPE_COUNT; to++) {
        mpx_arena arena = mpx_arena_of(data, sizeof data, room, MPX_DTYPE_COUNT);
        mpx_tree out;
        mpx_status status = mpx_tree_cast_into(&out, mpx_tree_of_leaves(leaves, MPX_DTYPE_COUNT - 1), to, &arena, NULL);
        CHECK(status == (mpx_dtype_is_floating(to) ? MPX_OK : MPX_ERR_DTYPE), "to %s: %d",
              mpx_dtype_name(to), status);
        if (status != MPX_OK) continue;
        for (t = 1; t < MPX_DTYPE_COUNT; t++) {
            int cast = mpx_dtype_is_floating(t) && t != to;
            unsigned char want[8 * 8];
            CHECK(room[t - 1].dtype == (cast ? to : t), "%s to %s is %d", mpx_dtype_name(t),
                  mpx_dtype_name(to), room[t - 1].dtype);
            CHECK((room[t - 1].data == src[t]) == !cast, "%s to %s: shared?", mpx_dtype_name(t),
                  mpx_dtype_name(to));
            if (cast) mpx_cast(want, to, src[t], t, 8);
            if (cast)
                CHECK(memcmp(want, room[t - 1].data, mpx_dtype_bytes(to, 8)) == 0,
                      "%s to %s: bytes", mpx_dtype_name(t), mpx_dtype_name(to));
        }
    }
}

/* ---- leaf to leaf ---------------------------------------------------------------------------- */

enum { CAST, CAST_WITH, COPY, SELECT_A, SELECT_B, SCALE, UNSCALE, UNSCALE_SQUARES, VERBS };

/* One of the functions that write leaf by leaf; select gets src as both, or as the one it picks. */
static mpx_status apply(int verb, mpx_tree dst, mpx_tree src, mpx_tree other, mpx_error *err) {
    int finite;
    double sum;
    mpx_cast_options opt;
    memset(&opt, 0, sizeof opt);
    opt.rounding = MPX_ROUND_TOWARD_ZERO;
    opt.saturate = 1;
    switch (verb) {
    case CAST: return mpx_tree_cast(dst, src, err);
    case CAST_WITH: return mpx_tree_cast_with(dst, src, &opt, err);
    case COPY: return mpx_tree_copy(dst, src, err);
    case SELECT_A: return mpx_tree_select(dst, src, other, 1, err);
    case SELECT_B: return mpx_tree_select(dst, other, src, 0, err);
    case SCALE: return mpx_tree_scale(dst, src, 4, err);
    case UNSCALE_SQUARES: return mpx_tree_unscale_squares(dst, src, 4, &finite, &sum, err);
    default: return mpx_tree_unscale(dst, src, 4, &finite, err);
    }
}

/* Two leaves a and b of two floats; dst is changed by the caller before the verbs are tried on
   it. */
typedef struct pair {
    float a[2], b[2];
    mpx_leaf leaves[3];
} pair;

static void make_pair(pair *p, float value) {
    p->a[0] = p->a[1] = p->b[0] = p->b[1] = value;
    p->leaves[0] = leaf_of("in/a", p->a, 2, MPX_F32);
    p->leaves[1] = leaf_of("in/b", p->b, 2, MPX_F32);
    p->leaves[2] = leaf_of("in/c", NULL, 0, MPX_F32);
}

/* Every verb refuses the pair (dst with n leaves) against a good source of two, and writes
   nothing. */
static void check_mismatch(pair *dst, size_t n, mpx_status status, size_t index, const char *path,
                           const char *what) {
    int verb;
    for (verb = 0; verb < VERBS; verb++) {
        pair src;
        mpx_error err;
        mpx_tree good;
        make_pair(&src, 5);
        good = mpx_tree_of_leaves(src.leaves, 2);
        CHECK(apply(verb, mpx_tree_of_leaves(dst->leaves, n), good, good, &err) == status,
              "%s, verb %d", what, verb);
        check_error(&err, status, index, path);
        CHECK(dst->a[0] == 1 && dst->b[1] == 1, "%s, verb %d: something was written", what, verb);
        CHECK(apply(verb, mpx_tree_of_leaves(dst->leaves, n), good, good, NULL) == status,
              "%s: err may be NULL", what);
        CHECK(apply(verb, good, mpx_tree_of_leaves(dst->leaves, n), good, NULL) == status,
              "%s, other way", what);
        CHECK(src.a[0] == 5 && src.b[1] == 5, "%s, verb %d: something was written", what, verb);
        if (verb == SELECT_A || verb == SELECT_B)
            CHECK(apply(verb, good, good, mpx_tree_of_leaves(dst->leaves, n), NULL) == status,
                  "%s, not picked", what);
    }
}

static void test_structure(void) {
    pair dst;
    make_pair(&dst, 1);
    dst.leaves[1].count = 1;
    check_mismatch(&dst, 2, MPX_ERR_STRUCTURE, 1, "in/b", "another count");
    make_pair(&dst, 1);
    dst.leaves[1].path = "in/bb";
    check_mismatch(&dst, 2, MPX_ERR_STRUCTURE, 1, "in/bb", "another path");
    make_pair(&dst, 1);
    dst.leaves[0].path = "in/";
    check_mismatch(&dst, 2, MPX_ERR_STRUCTURE, 0, "in/", "another path");
    make_pair(&dst, 1);
    check_mismatch(&dst, 1, MPX_ERR_STRUCTURE, 1, "in/b", "a leaf too few");
    check_mismatch(&dst, 3, MPX_ERR_STRUCTURE, 2, "in/c", "a leaf too many");
    check_mismatch(&dst, 0, MPX_ERR_STRUCTURE, 0, "in/a", "no leaves");
    make_pair(&dst, 1);
    dst.leaves[1].dtype = MPX_I32;
    check_mismatch(&dst, 2, MPX_ERR_DTYPE, 1, "in/b", "an integer leaf");
    dst.leaves[1].dtype = MPX_C64, dst.leaves[1].count = 2;
    make_pair(&dst, 1);
    dst.leaves[0].dtype = 99;
    check_mismatch(&dst, 2, MPX_ERR_DTYPE, 0, "in/a", "no dtype");
}

/* Where floating dtypes differ: cast, scale and unscale go from one to the other, copy and
   select refuse. */
static void test_dtypes_differ(void) {
    float x[2] = { 1, 3 }, y[2] = { 9, 9 };
    uint16_t h[2] = { 7, 7 };
    mpx_leaf from = leaf_of("w", x, 2, MPX_F32), to = leaf_of("w", h, 2, MPX_F16),
             back = leaf_of("w", y, 2, MPX_F32);
    mpx_tree src = mpx_tree_of_leaves(&from, 1), dst = mpx_tree_of_leaves(&to, 1),
             wide = mpx_tree_of_leaves(&back, 1);
    mpx_error err;
    int finite = -1;
    CHECK(mpx_tree_copy(dst, src, &err) == MPX_ERR_DTYPE, "copy");
    check_error(&err, MPX_ERR_DTYPE, 0, "w");
    check_dtypes(&err, MPX_F16, MPX_F32);
    CHECK(mpx_tree_select(dst, src, src, 1, &err) == MPX_ERR_DTYPE, "select");
    CHECK(mpx_tree_select(src, src, dst, 0, &err) == MPX_ERR_DTYPE, "select");
    CHECK(h[0] == 7 && h[1] == 7 && x[0] == 1, "nothing written");
    CHECK(mpx_tree_cast(dst, src, &err) == MPX_OK && h[0] == 0x3c00 && h[1] == 0x4200,
          "cast: %04x %04x", h[0], h[1]);
    CHECK(mpx_tree_cast(wide, dst, &err) == MPX_ERR_WIDER, "back, as if the trees were swapped");
    check_error(&err, MPX_ERR_WIDER, 0, "w");
    check_dtypes(&err, MPX_F32, MPX_F16);
    CHECK(mpx_tree_widen(dst, src, &err) == MPX_OK, "widen takes any width");
    CHECK(mpx_tree_widen(wide, dst, &err) == MPX_OK && y[0] == 1 && y[1] == 3 &&
              err.status == MPX_OK,
          "and back");
    CHECK(mpx_tree_scale(dst, src, 2, &err) == MPX_OK && h[0] == 0x4000 && h[1] == 0x4600,
          "scale: %04x %04x", h[0], h[1]);
    CHECK(mpx_tree_scale(dst, src, 65536, &err) == MPX_OK && h[0] == 0x7c00,
          "scale beyond f16: %04x", h[0]);
    CHECK(mpx_tree_unscale(wide, dst, 65536, &finite, &err) == MPX_OK && finite == 0,
          "unscale sees Inf");
    CHECK(mpx_tree_unscale(wide, src, 2, &finite, &err) == MPX_OK && finite == 1 && y[0] == 0.5f &&
              y[1] == 1.5f,
          "unscale");
    x[0] = 1e30f; /* the quotient is finite, but f16 cannot hold it */
    CHECK(mpx_tree_unscale(dst, src, 2, &finite, &err) == MPX_OK && finite == 0 && h[0] == 0x7c00,
          "the flag is about what is written: finite %d, %04x", finite, h[0]);
    CHECK(mpx_tree_unscale(src, src, 2, NULL, &err) == MPX_OK && x[1] == 1.5f,
          "in place, without a flag");
    CHECK(mpx_tree_scale(src, src, 2, &err) == MPX_OK && x[1] == 3, "in place");
}

/* One leaf narrower and one wider, in either order: such trees are not swapped. */
static void test_mixed_widths(void) {
    float x[2] = { 1, 3 }, y[2] = { 9, 9 };
    uint16_t h[2] = { 0x3c00, 0x4200 }, low[2] = { 7, 7 };
    mpx_leaf from[3], to[3];
    mpx_error err;
    size_t i;
    from[0] = from[2] = leaf_of("x", x, 2, MPX_F32), from[1] = leaf_of("h", h, 2, MPX_F16);
    to[0] = to[2] = leaf_of("x", low, 2, MPX_F16), to[1] = leaf_of("h", y, 2, MPX_F32);
    for (i = 0; i < 2; i++) {
        low[0] = 7, y[1] = 9;
        err = test_any_error();
        CHECK(mpx_tree_cast(mpx_tree_of_leaves(to + i, 2), mpx_tree_of_leaves(from + i, 2), &err) == MPX_OK &&
                  test_is_no_error(&err) && low[0] == 0x3c00 && y[1] == 3,
              "order %lu: %04x %g", (unsigned long)i, low[0], (double)y[1]);
    }
}

/* A tree cast with options: each leaf as mpx_cast_with has it, all of them as one tensor; what is not
   floating is copied, and not counted. */
enum { WITH_LEAVES = 5, WITH_COUNT = 67 };
static void test_cast_with(void) {
    static const mpx_dtype from[] = { MPX_F32, MPX_I4, MPX_F64, MPX_F32, MPX_NONE },
                           to[] = { MPX_F8E4M3FN, MPX_I4, MPX_BF16, MPX_F4E2M1FN, MPX_NONE };
    static double numbers[WITH_COUNT];
    static unsigned char src[WITH_LEAVES][WITH_COUNT * 8], dst[WITH_LEAVES][WITH_COUNT * 8],
        want[WITH_COUNT * 8];
    mpx_leaf a[WITH_LEAVES], b[WITH_LEAVES];
    mpx_cast_stats stats, all;
    mpx_cast_options opt;
    mpx_error err;
    mpx_status status;
    size_t i, k;
    int rounding, saturate, layout;
    for (i = 0; i < WITH_COUNT; i++)
        numbers[i] = ((double)(i * 7919 % 1000) - 500) * 1.37;
    for (k = 0; k < WITH_LEAVES; k++) {
        size_t n = from[k] == MPX_NONE ? 0 : WITH_COUNT - k;
        a[k] = leaf_of("w", src[k], n, from[k]);
        b[k] = leaf_of("w", dst[k], n, to[k]);
        if (n != 0) mpx_cast(src[k], from[k], numbers, MPX_F64, n);
    }
    for (rounding = MPX_ROUND_NEAREST; rounding <= MPX_ROUND_STOCHASTIC; rounding++)
        for (saturate = 0; saturate < 2; saturate++)
            for (layout = MPX_LAYOUT_PACKED; layout <= MPX_LAYOUT_BYTES; layout++) {
                memset(&opt, 0, sizeof opt);
                memset(&stats, 0, sizeof stats);
                memset(&all, 0, sizeof all);
                memset(dst, 0xcd, sizeof dst);
                opt.rounding = rounding;
                opt.saturate = saturate;
                opt.dst_layout = layout;
                opt.random_seed = 17;
                opt.offset = 5;
                opt.stats = &stats;
                CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(b, WITH_LEAVES),
                                         mpx_tree_of_leaves(a, WITH_LEAVES), &opt, &err) == MPX_OK,
                      "rounding %d", rounding);
                for (k = 0; k < WITH_LEAVES; k++) {
                    opt.stats = &all;
                    memset(want, 0xcd, sizeof want);
                    if (a[k].count != 0)
                        mpx_cast_with(want, to[k], src[k], from[k], a[k].count,
                                      k == 1 ? NULL : &opt);
                    opt.offset += a[k].count;
                    CHECK(memcmp(want, dst[k], sizeof want) == 0,
                          "leaf %lu, rounding %d, saturate %d, layout %d", (unsigned long)k,
                          rounding, saturate, layout);
                }
                CHECK(memcmp(&stats, &all, sizeof all) == 0, "other statistics");
            }
    memset(dst, 0xcd, sizeof dst);
    opt.offset = 0;
    opt.rounding = MPX_ROUND_STOCHASTIC + 1;
    status = mpx_tree_cast_with(mpx_tree_of_leaves(b, WITH_LEAVES),
                                mpx_tree_of_leaves(a, WITH_LEAVES), &opt, &err);
    CHECK(status == MPX_ERR_ARGUMENT, "unknown rounding: %d", status);
    check_error(&err, MPX_ERR_ARGUMENT, 0, "w");
    opt.rounding = MPX_ROUND_NEAREST;
    opt.dst_layout = MPX_LAYOUT_SPLIT; /* i4 is copied; of fp4 there are 64 */
    opt.split_block = 48;
    status = mpx_tree_cast_with(mpx_tree_of_leaves(b, WITH_LEAVES),
                                mpx_tree_of_leaves(a, WITH_LEAVES), &opt, &err);
    CHECK(status == MPX_ERR_ARGUMENT, "blocks of 48 in 64: %d", status);
    check_error(&err, MPX_ERR_ARGUMENT, 3, "w");
    memset(want, 0xcd, sizeof want);
    for (k = 0; k < WITH_LEAVES; k++)
        CHECK(memcmp(dst[k], want, sizeof want) == 0, "leaf %lu was written", (unsigned long)k);
    CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(b, WITH_LEAVES), mpx_tree_of_leaves(a, WITH_LEAVES),
                             NULL, &err) == MPX_OK,
          "without options");
    mpx_cast(want, to[0], src[0], from[0], a[0].count);
    CHECK(memcmp(dst[0], want, a[0].count) == 0, "without options: as mpx_tree_cast");
}

/* A leaf that is cast where it is: not where codes would be spread over bytes, or packed. */
static void test_cast_with_in_place(void) {
    static const struct {
        mpx_dtype to, from;
        int to_layout, from_layout;
        mpx_status status;
    } rows[] = {
        { MPX_F8E5M2, MPX_F32, MPX_LAYOUT_PACKED, MPX_LAYOUT_PACKED, MPX_OK },
        { MPX_F8E5M2, MPX_F32, MPX_LAYOUT_BYTES, MPX_LAYOUT_SPLIT, MPX_OK },
        { MPX_F4E2M1FN, MPX_F6E2M3FN, MPX_LAYOUT_PACKED, MPX_LAYOUT_PACKED, MPX_OK },
        { MPX_F4E2M1FN, MPX_F6E2M3FN, MPX_LAYOUT_BYTES, MPX_LAYOUT_PACKED, MPX_ERR_ARGUMENT },
        { MPX_F4E2M1FN, MPX_F6E2M3FN, MPX_LAYOUT_BYTES, MPX_LAYOUT_BYTES, MPX_ERR_ARGUMENT },
        { MPX_F4E2M1FN, MPX_F32, MPX_LAYOUT_SPLIT, MPX_LAYOUT_PACKED, MPX_ERR_ARGUMENT },
        { MPX_F4E2M1FN, MPX_F4E2M1FN, MPX_LAYOUT_BYTES, MPX_LAYOUT_BYTES, MPX_OK },
        { MPX_F4E2M1FN, MPX_F4E2M1FN, MPX_LAYOUT_PACKED, MPX_LAYOUT_SPLIT, MPX_ERR_ARGUMENT },
        { MPX_I4, MPX_I4, MPX_LAYOUT_PACKED, MPX_LAYOUT_SPLIT, MPX_OK },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char data[64 * 4 + 1];
        mpx_leaf a = leaf_of("w", data, 64, rows[i].from), b = leaf_of("w", data, 64, rows[i].to);
        mpx_cast_options opt;
        mpx_status status;
        memset(data, 0, sizeof data);
        memset(&opt, 0, sizeof opt);
        data[sizeof data - 1] = 0xcd;
        opt.dst_layout = rows[i].to_layout;
        opt.src_layout = rows[i].from_layout;
        status = mpx_tree_cast_with(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), &opt, NULL);
        CHECK(status == rows[i].status && data[sizeof data - 1] == 0xcd, "row %lu: %d",
              (unsigned long)i, status);
        a.count = b.count = 0;
        CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), &opt,
                                 NULL) == MPX_OK,
              "row %lu: no elements", (unsigned long)i);
    }
}

static void test_select(void) {
    float a[2] = { 1, 2 }, b[2] = { 3, 4 }, d[2] = { 0, 0 };
    mpx_leaf la = leaf_of("w", a, 2, MPX_F32), lb = leaf_of("w", b, 2, MPX_F32),
             ld = leaf_of("w", d, 2, MPX_F32);
    mpx_tree ta = mpx_tree_of_leaves(&la, 1), tb = mpx_tree_of_leaves(&lb, 1),
             td = mpx_tree_of_leaves(&ld, 1);
    CHECK(mpx_tree_select(td, ta, tb, 1, NULL) == MPX_OK && d[0] == 1 && d[1] == 2, "a");
    CHECK(mpx_tree_select(td, ta, tb, 0, NULL) == MPX_OK && d[0] == 3 && d[1] == 4, "b");
    CHECK(mpx_tree_select(td, ta, tb, -7, NULL) == MPX_OK && d[0] == 1, "any number but 0 picks a");
    CHECK(mpx_tree_select(ta, ta, tb, 1, NULL) == MPX_OK && a[0] == 1,
          "dst is a, a picked: nothing to do");
    CHECK(mpx_tree_select(ta, ta, tb, 0, NULL) == MPX_OK && a[0] == 3 && a[1] == 4,
          "dst is a, b picked");
}

/* Leaves of every dtype: copy and select move all bits; scale copies what is neither floating nor
   complex. */
static void test_every_dtype(void) {
    mpx_dtype t;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        unsigned char src[9 * 16], dst[9 * 16 + 1];
        size_t size = mpx_dtype_bytes(t, 9), i;
        mpx_leaf from = leaf_of("w", src, 9, t), to = leaf_of("w", dst, 9, t);
        mpx_tree a = mpx_tree_of_leaves(&from, 1), b = mpx_tree_of_leaves(&to, 1);
        int verb;
        for (i = 0; i < sizeof src; i++)
            src[i] = (unsigned char)(i * 37 + 1);
        if (mpx_dtype_bits(t) < 8)
            src[size - 1] = (unsigned char)(src[size - 1] & 1u); /* unused bits are zero */
        for (verb = 0; verb < VERBS; verb++) {
            if (verb >= SCALE && (mpx_dtype_is_floating(t) || t >= MPX_C64)) continue;
            memset(dst, 0xcd, sizeof dst);
            CHECK(apply(verb, b, a, a, NULL) == MPX_OK, "%s, verb %d", mpx_dtype_name(t), verb);
            CHECK(memcmp(dst, src, size) == 0 && dst[size] == 0xcd, "%s, verb %d: wrong bytes",
                  mpx_dtype_name(t), verb);
        }
    }
}

/* Cast skips leaves that are shared, so const data that both trees point to is not written. */
static void test_shared(void) {
    float x[2] = { 1, 2 }, y[2] = { 3, 4 };
    mpx_leaf a[2], b[2];
    mpx_cast_stats stats;
    mpx_cast_options opt;
    a[0] = b[0] = leaf_of("x", x, 2, MPX_F32);
    a[1] = leaf_of("y", y, 2, MPX_F32), b[1] = leaf_of("y", y, 2, MPX_F32);
    CHECK(mpx_tree_cast(mpx_tree_of_leaves(a, 2), mpx_tree_of_leaves(b, 2), NULL) == MPX_OK,
          "cast onto itself");
    CHECK(mpx_tree_copy(mpx_tree_of_leaves(a, 2), mpx_tree_of_leaves(b, 2), NULL) == MPX_OK,
          "copy onto itself");
    CHECK(x[0] == 1 && y[1] == 4, "unchanged");
    memset(&stats, 0, sizeof stats);
    memset(&opt, 0, sizeof opt);
    opt.stats = &stats;
    CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(a, 2), mpx_tree_of_leaves(b, 2), &opt, NULL) ==
                  MPX_OK &&
              stats.count == 4 && is_double(stats.max_abs, 4) && is_double(stats.sum_squares, 30),
          "cast onto itself, with options: %g", stats.sum_squares);
}

/* Statistics count leaves that stay where they are, as casts to other memory do, and write nothing
   there: these are constant. Leaves cast in place count too. */
static void test_shared_stats(void) {
    static const float x[5] = { 1, -3, 0.5f, 0, 1e30f };
    static const double d[2] = { 7, -1e-310 };
    static const uint8_t f4[19] = { 0x21, 0x43, 0x65, 0x77, 0, 1, 2, 3, 4, 5, 6, 7 };
    static const int32_t n[2] = { 1000, 2000 };
    float cast[37];
    uint16_t half[4] = { 0x3c00, 0x7c00, 0x0001, 0xc000 };
    unsigned char copies[5][160];
    mpx_leaf src[5], dst[5], other[5];
    mpx_cast_stats stats, want;
    mpx_cast_options opt;
    size_t i;
    for (i = 0; i < 37; i++)
        cast[i] = (float)i * 0.37f;
    src[0] = mpx_leaf_of("x", x, 5, MPX_F32);
    src[1] = mpx_leaf_of("n", n, 2, MPX_I32);
    src[2] = mpx_leaf_of("f4", f4, 37, MPX_F4E2M1FN);
    src[3] = mpx_leaf_of("d", d, 2, MPX_F64);
    src[4] = mpx_leaf_of("half", half, 4, MPX_F16);
    for (i = 0; i < 5; i++) {
        dst[i] = other[i] = src[i];
        other[i].data = copies[i];
    }
    memset(&opt, 0, sizeof opt);
    memset(&stats, 0, sizeof stats);
    memset(&want, 0, sizeof want);
    opt.stats = &want;
    CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(other, 5), mpx_tree_of_leaves(src, 5), &opt, NULL) ==
              MPX_OK,
          "copied");
    opt.stats = &stats;
    CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(dst, 5), mpx_tree_of_leaves(src, 5), &opt, NULL) ==
                  MPX_OK &&
              memcmp(&stats, &want, sizeof want) == 0 && stats.count == 48 && stats.infinite == 1,
          "%lu counted, %lu if copied", (unsigned long)stats.count, (unsigned long)want.count);
    src[0] = leaf_of("cast", cast, 37, MPX_F32);
    dst[0] = leaf_of("cast", cast, 37, MPX_F8E4M3FN);
    other[0] = leaf_of("cast", copies[0], 37, MPX_F8E4M3FN);
    memset(&stats, 0, sizeof stats);
    memset(&want, 0, sizeof want);
    opt.stats = &want;
    (void)mpx_tree_cast_with(mpx_tree_of_leaves(other, 1), mpx_tree_of_leaves(src, 1), &opt, NULL);
    opt.stats = &stats;
    (void)mpx_tree_cast_with(mpx_tree_of_leaves(dst, 1), mpx_tree_of_leaves(src, 1), &opt, NULL);
    CHECK(stats.count == 37 && memcmp(&stats, &want, sizeof want) == 0 && stats.max_error > 0,
          "cast in place");
}

/* ---- walkers that fail ----------------------------------------------------------------------- */

/* An array of leaves whose walker fails at the n-th call, counted over all walks. */
typedef struct fuse {
    mpx_leaf leaves[3];
    size_t calls, fails_at; /* from 1; 0: never                                            */
    size_t grows_at;        /* from this call on, leaves are larger, f64 ones narrower; 0: never */
    size_t turns_at;        /* this call: see next_turning                                 */
    size_t fixed;           /* leaf, from 1, whose dtype cannot change; 0: none            */
    int builds;             /* paths are built in the cursor, from grows_at on longer ones */
} fuse;

static int next_fused(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    fuse *f = (fuse *)tree->user;
    int grown = ++f->calls >= f->grows_at && f->grows_at != 0;
    if (f->calls == f->fails_at) return MPX_ERR_CALLBACK;
    if (at->index[0] == 3) return 0;
    *leaf = f->leaves[at->index[0]++];
    if (f->builds) {
        memset(at->path, 0, sizeof at->path);
        memset(at->path, 'p', grown ? 100 : 10);
        leaf->path = at->path;
    } else if (grown && leaf->dtype == MPX_F64) {
        leaf->dtype = MPX_F16;
    } else if (grown) {
        leaf->count *= 2;
    }
    return 1;
}

static mpx_status retype_fused(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    fuse *f = (fuse *)tree->user;
    if (at->index[0] == f->fixed) return MPX_ERR_FIXED_DTYPE;
    f->leaves[at->index[0] - 1].dtype = dtype;
    return MPX_OK;
}

static mpx_tree make_fuse(fuse *f, float *data, size_t fails_at) {
    mpx_tree tree = empty_tree();
    static const char *const paths[3] = { "a", "b", "c" };
    size_t i;
    memset(f, 0, sizeof *f);
    for (i = 0; i < 3; i++)
        f->leaves[i] = leaf_of(paths[i], data + 4 * i, 4, MPX_F32);
    for (i = 0; i < 24; i++)
        data[i] = 1;
    f->fails_at = fails_at;
    tree.next = next_fused;
    tree.retype = retype_fused;
    tree.user = f;
    return tree;
}

static int all_are(const float *data, size_t n, float value) {
    size_t i;
    for (i = 0; i < n; i++)
        if (data[i] != value) return 0;
    return 1;
}

/* Calls of a whole walk of three leaves: three, and the one that says it is over. */
#define WALK 4

/* Which of two trees fails, at which call: in the first walk nothing may be written. Returns 1
   if the verb failed. */
static int check_fused_verb(int verb, int which, size_t fails_at) {
    static float dst_data[24], src_data[24], other_data[24];
    fuse dst, src, other;
    mpx_tree a = make_fuse(&dst, dst_data, which == 0 ? fails_at : 0),
             b = make_fuse(&src, src_data, which == 1 ? fails_at : 0);
    mpx_tree c = make_fuse(&other, other_data, which == 2 ? fails_at : 0);
    mpx_error err;
    mpx_status status;
    size_t i;
    for (i = 0; i < 24; i++)
        src_data[i] = 5;
    status = apply(verb, a, b, c, &err);
    CHECK(status == MPX_OK || status == MPX_ERR_CALLBACK, "verb %d: status %d", verb, status);
    CHECK(err.status == status, "verb %d: err has %d, not %d", verb, err.status, status);
    if (fails_at <= WALK) {
        CHECK(status == MPX_ERR_CALLBACK, "verb %d: call %lu failed and nobody noticed", verb,
              (unsigned long)fails_at);
        CHECK(all_are(dst_data, 24, 1), "verb %d, failing call %lu: something was written", verb,
              (unsigned long)fails_at);
        CHECK(err.index == fails_at - 1, "verb %d: failed at leaf %lu, not %lu", verb,
              (unsigned long)err.index, (unsigned long)fails_at - 1);
    }
    return status != MPX_OK;
}

static void test_failing_verbs(void) {
    int verb, which;
    size_t fails_at;
    for (verb = 0; verb < VERBS; verb++)
        for (which = 0; which < 3; which++) {
            if (which == 2 && verb != SELECT_A && verb != SELECT_B) continue;
            for (fails_at = 1; fails_at <= 3 * WALK; fails_at++)
                if (!check_fused_verb(verb, which, fails_at)) break;
            CHECK(fails_at >= WALK + 1, "verb %d walks tree %d once at least", verb, which);
            CHECK(which == 2 || fails_at >= 2 * WALK,
                  "verb %d walks tree %d twice, each call counts: %lu", verb, which,
                  (unsigned long)fails_at);
        }
}

/* The functions that read: the walker's status comes back, results are untouched. */
static void test_failing_readers(void) {
    static float data[24];
    fuse f;
    size_t at;
    for (at = 1; at <= WALK; at++) {
        mpx_tree tree = make_fuse(&f, data, at);
        mpx_tree_size size;
        mpx_error err;
        int finite = 7;
        double sum = 7;
        memset(&size, 0x5a, sizeof size);
        CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_ERR_CALLBACK && finite == 7,
              "all_finite, call %lu", (unsigned long)at);
        CHECK(err.status == MPX_ERR_CALLBACK && err.index == at - 1, "all_finite: leaf %lu",
              (unsigned long)err.index);
        tree = make_fuse(&f, data, at);
        CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_CALLBACK &&
                  err.index == at - 1,
              "measure");
        CHECK(((unsigned char *)&size)[0] == 0x5a, "measure wrote its result");
        tree = make_fuse(&f, data, at);
        CHECK(mpx_tree_check_floating(tree, &err) == MPX_ERR_CALLBACK && err.index == at - 1,
              "check_floating");
        tree = make_fuse(&f, data, at);
        CHECK(mpx_tree_sum_squares(tree, &sum, &err) == MPX_ERR_CALLBACK && err.index == at - 1 &&
                  sum > 6.9 && sum < 7.1,
              "sum_squares");
    }
}

/* A walker that fails by a status of its own: no data is to blame, and no dtype. It may have filled in a leaf. */
typedef struct refusal { mpx_status status; const mpx_leaf *leaf; } refusal;
static int next_refused(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    const refusal *r = (const refusal *)tree->user;
    (void)at;
    if (r->leaf != NULL) *leaf = *r->leaf;
    return r->status;
}
static void test_bad_walker(void) {
    float x[2] = { 1, 2 };
    mpx_leaf leaf = leaf_of("a", x, 2, MPX_F32);
    refusal why = { MPX_ERR_ARGUMENT, NULL };
    mpx_tree tree;
    mpx_tree_size size;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    memset(&tree, 0, sizeof tree);
    tree.next = next_refused;
    tree.user = &why;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_ARGUMENT && err.found == MPX_NONE, "a bad walker");
    (void)mpx_error_format(&err, NULL, text, sizeof text);
    CHECK(strcmp(text, "bad argument at leaf 0") == 0, "%s", text);
    why.leaf = &leaf;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_ARGUMENT && err.found == MPX_NONE, "beside data");
    leaf.data = NULL;
    why.status = MPX_ERR_CALLBACK;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_CALLBACK && err.found == MPX_NONE, "without data");
}

/* unscale's flag is not touched where the walk fails. */
static void test_failing_unscale(void) {
    static float data[24], other[24];
    fuse dst, src;
    size_t at;
    for (at = 1; at < 2 * WALK; at++) {
        mpx_tree a = make_fuse(&dst, data, 0), b = make_fuse(&src, other, at);
        int finite = 7;
        double sum = 7;
        CHECK(mpx_tree_unscale(a, b, 2, &finite, NULL) == MPX_ERR_CALLBACK && finite == 7,
              "call %lu: finite %d", (unsigned long)at, finite);
        a = make_fuse(&dst, data, 0), b = make_fuse(&src, other, at);
        CHECK(mpx_tree_unscale_squares(a, b, 2, &finite, &sum, NULL) == MPX_ERR_CALLBACK &&
                  finite == 7 && sum > 6.9 && sum < 7.1,
              "call %lu: finite %d, sum %g", (unsigned long)at, finite, sum);
        a = make_fuse(&dst, data, 0), b = make_fuse(&src, other, at);
        CHECK(mpx_tree_clip(a, b, 1, &sum, NULL) == MPX_ERR_CALLBACK && sum > 6.9 && sum < 7.1,
              "call %lu: norm %g", (unsigned long)at, sum);
    }
}

static void test_failing_cast_in_place(void) {
    static float data[24];
    fuse f;
    size_t at;
    mpx_status status = MPX_ERR_CALLBACK;
    for (at = 1; status != MPX_OK && at < 100; at++) {
        mpx_tree tree = make_fuse(&f, data, at);
        mpx_error err;
        status = mpx_tree_cast_in_place(tree, MPX_F16, &err);
        CHECK(status == MPX_ERR_CALLBACK || (status == MPX_OK && at > WALK), "call %lu: %d",
              (unsigned long)at, status);
        CHECK(err.status == status, "err has %d, not %d", err.status, status);
        if (at > WALK) continue;
        CHECK(all_are(data, 24, 1) && f.leaves[0].dtype == MPX_F32,
              "call %lu: something was written", (unsigned long)at);
    }
    CHECK(at > 2 * WALK && f.leaves[2].dtype == MPX_F16, "cast when nothing fails");
}

/* A walker whose dtypes can change but for one: refused before anything is written. */
static void test_one_fixed_dtype(void) {
    static float data[24];
    fuse f;
    size_t fixed;
    for (fixed = 1; fixed <= 3; fixed++) {
        mpx_tree tree = make_fuse(&f, data, 0);
        mpx_error err;
        f.fixed = fixed;
        CHECK(mpx_tree_cast_in_place(tree, MPX_F16, &err) == MPX_ERR_FIXED_DTYPE,
              "leaf %lu is fixed", (unsigned long)fixed);
        check_error(&err, MPX_ERR_FIXED_DTYPE, fixed - 1, f.leaves[fixed - 1].path);
        CHECK(all_are(data, 24, 1) && f.leaves[0].dtype == MPX_F32, "something was written");
        f.leaves[fixed - 1].dtype = MPX_I32;
        CHECK(mpx_tree_cast_in_place(tree, MPX_F16, &err) == MPX_OK,
              "a fixed integer leaf is in nobody's way");
    }
}

static void test_failing_cast_into(void) {
    static float data[24];
    static unsigned char room[256];
    mpx_leaf leaves[3];
    fuse f;
    size_t at;
    mpx_status status = MPX_ERR_CALLBACK;
    for (at = 1; status != MPX_OK && at < 100; at++) {
        mpx_arena arena = mpx_arena_of(room, sizeof room, leaves, 3);
        mpx_tree out, before;
        mpx_error err;
        memset(&out, 0x5a, sizeof out);
        memset(&before, 0x5a, sizeof before);
        memset(room, 0xcd, sizeof room);
        status = mpx_tree_cast_into(&out, make_fuse(&f, data, at), MPX_F16, &arena, &err);
        CHECK(status == MPX_ERR_CALLBACK || (status == MPX_OK && at > WALK), "call %lu: %d",
              (unsigned long)at, status);
        CHECK(all_are(data, 24, 1), "call %lu: the source was written", (unsigned long)at);
        if (status == MPX_OK) continue;
        CHECK(memcmp(&out, &before, sizeof out) == 0, "call %lu: out was written",
              (unsigned long)at);
        CHECK(arena.used == 0 && arena.leaves_used == 0, "call %lu: the arena moved",
              (unsigned long)at);
        if (at <= WALK)
            CHECK(room[0] == 0xcd, "call %lu: the arena was written", (unsigned long)at);
    }
    CHECK(at > WALK + 3, "cast when nothing fails");
}

/* A walker that breaks its promise and gives larger leaves or longer paths in the second walk must
   not make us write beyond the arena: f16 to f64 is 96 bytes a leaf, then 192; three paths are 33
   bytes, then up to 303. */
static void check_growing_walker(size_t grows_at, int builds, size_t storage) {
    static float data[24];
    static unsigned char room[1024];
    mpx_leaf leaves[3];
    mpx_arena arena = mpx_arena_of(room, storage, leaves, 3);
    fuse f;
    mpx_tree tree = make_fuse(&f, data, 0), out;
    size_t i;
    f.grows_at = grows_at;
    f.builds = builds;
    for (i = 0; i < 3; i++)
        f.leaves[i] = leaf_of("w", data, 12, MPX_F16);
    memset(room, 0xcd, sizeof room);
    CHECK(mpx_tree_cast_into(&out, tree, MPX_F64, &arena, NULL) != MPX_OK,
          "call %lu grows, and nobody notices", (unsigned long)grows_at);
    for (i = storage; i < sizeof room; i++)
        CHECK(room[i] == 0xcd, "call %lu grows: written beyond the arena", (unsigned long)grows_at);
}

static void test_growing_walker(void) {
    size_t at;
    for (at = WALK + 1; at < 2 * WALK; at++) {
        check_growing_walker(at, 0, 3 * 96);
        check_growing_walker(at, 1, 3 * 96 + 48);
    }
}

/* Nor may a leaf that has become narrower be cast in place beyond itself: f64 to f32, then f16. */
static void test_narrowing_walker(void) {
    static float data[24];
    fuse f;
    size_t at, i;
    for (at = WALK + 1; at < 2 * WALK; at++) {
        mpx_tree tree = make_fuse(&f, data, 0);
        f.grows_at = at;
        for (i = 0; i < 3; i++)
            f.leaves[i].dtype = MPX_F64, f.leaves[i].count = 2;
        CHECK(mpx_tree_cast_in_place(tree, MPX_F32, NULL) == MPX_ERR_SPACE,
              "call %lu is narrower, and nobody notices", (unsigned long)at);
    }
}

/* An integer leaf, which no cast to integers touches, that has become a float: such a cast is refused. */
static int next_turning(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    fuse *f = (fuse *)tree->user;
    if (next_fused(at, leaf, tree) == 0) return 0;
    leaf->dtype = f->calls == f->turns_at ? MPX_F32 : MPX_I32;
    return 1;
}
static void test_turning_walker(void) {
    static float data[24], room[24];
    fuse f;
    size_t at;
    for (at = WALK + 1; at < 2 * WALK; at++) {
        mpx_tree tree = make_fuse(&f, data, 0), out = empty_tree();
        mpx_leaf leaves[3];
        mpx_arena arena = mpx_arena_of(room, sizeof room, leaves, 3);
        mpx_error err;
        tree.next = next_turning;
        f.turns_at = at;
        CHECK(mpx_tree_cast_into(&out, tree, MPX_I8, &arena, &err) == MPX_ERR_DTYPE, "call %lu: a float",
              (unsigned long)at);
        check_error(&err, MPX_ERR_DTYPE, at - WALK - 1, f.leaves[at - WALK - 1].path);
        check_dtypes(&err, MPX_I8, MPX_NONE);
        CHECK(arena.used == 0 && arena.leaves_used == 0 && out.next == NULL, "call %lu: something is left",
              (unsigned long)at);
    }
}

/* The same for a cast from leaf to leaf: the second walk checks again. */
static void test_growing_pair(void) {
    static float dst_data[24], src_data[24];
    fuse dst, src;
    size_t at;
    for (at = WALK + 1; at < 2 * WALK; at++) {
        mpx_tree a = make_fuse(&dst, dst_data, 0), b = make_fuse(&src, src_data, 0);
        src.grows_at = at;
        src_data[12] = src_data[13] = 5;
        CHECK(mpx_tree_cast(a, b, NULL) == MPX_ERR_STRUCTURE, "call %lu: noticed",
              (unsigned long)at);
        CHECK(all_are(dst_data + 12, 12, 1), "call %lu: beyond the leaves", (unsigned long)at);
    }
}

/* A walker that breaks its promise and gives more or fewer leaves in the second walk. */
typedef struct recount {
    mpx_leaf leaf;
    size_t walks, first, later;
} recount;

static int next_recounted(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    recount *r = (recount *)tree->user;
    if (at->index[0] == 0) r->walks++;
    if (at->index[0]++ >= (r->walks == 1 ? r->first : r->later)) return 0;
    *leaf = r->leaf;
    return 1;
}

static void test_another_count(void) {
    float x = 1;
    size_t later;
    for (later = 0; later < 4; later++) {
        unsigned char room[64];
        mpx_leaf leaves[4];
        mpx_arena arena = mpx_arena_of(room, sizeof room, leaves, 2);
        mpx_tree tree = empty_tree(), out;
        mpx_error err;
        recount r;
        mpx_status status;
        r.leaf = leaf_of("w", &x, 1, MPX_F32), r.walks = 0, r.first = 2, r.later = later;
        leaves[2].dtype = 77;
        tree.next = next_recounted;
        tree.user = &r;
        status = mpx_tree_cast_into(&out, tree, MPX_NONE, &arena, &err);
        CHECK(status == (later == 2 ? MPX_OK : MPX_ERR_STRUCTURE) && leaves[2].dtype == 77,
              "2 leaves, then %lu: %d", (unsigned long)later, status);
        CHECK(arena.leaves_used == (later == 2 ? 2u : 0u), "%lu: the arena moved",
              (unsigned long)later);
    }
}

/* Leaves of 8 bits and fewer stay where they are, as they are. */
static void test_put_dtype(void) {
    uint16_t h[2] = { 0x3c00, 0x4000 };
    uint8_t e5m2[2] = { 0x3c, 0x40 }, f4[1] = { 0x42 }, out_bytes[64];
    mpx_leaf leaves[3], made[3];
    mpx_arena arena = mpx_arena_of(out_bytes, sizeof out_bytes, made, 3);
    mpx_tree out;
    leaves[0] = leaf_of("h", h, 2, MPX_F16);
    leaves[1] = leaf_of("e5m2", e5m2, 2, MPX_F8E5M2);
    leaves[2] = leaf_of("f4", f4, 2, MPX_F4E2M1FN);
    CHECK(mpx_tree_put_dtype(&out, mpx_tree_of_leaves(leaves, 3), MPX_F32, &arena, NULL) == MPX_OK &&
              made[0].dtype == MPX_F32 && made[1].dtype == MPX_F8E5M2 && made[1].data == e5m2 &&
              made[2].dtype == MPX_F4E2M1FN && made[2].data == f4,
          "dtypes %d %d %d", made[0].dtype, made[1].dtype, made[2].dtype);
}

/* Paths are compared letter by letter, to the end of both; no path is the empty one. */
static void test_paths_of_pairs(void) {
    static const char *const paths[] = { "", "w", "wte", "wtf", "wt", "xte" };
    char copy[8];
    float x = 1, y = 2;
    size_t i, k;
    for (i = 0; i < 6; i++)
        for (k = 0; k < 6; k++) {
            mpx_leaf a = leaf_of(copy, &x, 1, MPX_F32), b = leaf_of(k == 0 ? NULL : paths[k], &y, 1, MPX_F32);
            strcpy(copy, paths[i]);
            CHECK(mpx_tree_copy(mpx_tree_of_leaves(&a, 1), mpx_tree_of_leaves(&b, 1), NULL) ==
                      (i == k ? MPX_OK : MPX_ERR_STRUCTURE),
                  "'%s' and '%s'", copy, paths[k]);
        }
}

/* Two trees over the same memory: narrower is in place, wider is refused. */
static void test_pair_in_place(void) {
    uint16_t h[4] = { 0x3c00, 0x4200, 7, 7 };
    float x[2] = { 1, 3 };
    unsigned char codes[4] = { 0x3c, 0x40, 0xc2, 0 }; /* 1, 2, -3, 0 */
    mpx_leaf wide = leaf_of("w", x, 2, MPX_F32), half = leaf_of("w", x, 2, MPX_F16);
    mpx_cast_options opt;
    mpx_error err;
    int finite = 7;
    memset(&opt, 0, sizeof opt);
    CHECK(mpx_tree_cast(mpx_tree_of_leaves(&half, 1), mpx_tree_of_leaves(&wide, 1), &err) == MPX_OK,
          "narrower");
    CHECK(memcmp(x, h, 4) == 0, "cast in place");
    CHECK(mpx_tree_widen(mpx_tree_of_leaves(&wide, 1), mpx_tree_of_leaves(&half, 1), &err) ==
              MPX_ERR_SPACE,
          "wider");
    check_error(&err, MPX_ERR_SPACE, 0, "w");
    check_dtypes(&err, MPX_F32, MPX_F16);
    CHECK(mpx_tree_unscale(mpx_tree_of_leaves(&wide, 1), mpx_tree_of_leaves(&half, 1), 2, &finite,
                           &err) == MPX_ERR_SPACE &&
              finite == 7 && memcmp(x, h, 4) == 0,
          "unscale to a wider dtype in place");
    wide = leaf_of("w", codes, 4, MPX_F8E5M2), half = leaf_of("w", codes, 4, MPX_F8E4M3FN);
    opt.src_layout = MPX_LAYOUT_BYTES;
    CHECK(mpx_tree_cast_with(mpx_tree_of_leaves(&half, 1), mpx_tree_of_leaves(&wide, 1), &opt, NULL) == MPX_OK &&
              memcmp(codes, "\x38\x40\xc4", 4) == 0,
          "a layout is nothing to elements of a byte");
    wide.data = half.data = NULL, wide.count = half.count = 0;
    CHECK(mpx_tree_widen(mpx_tree_of_leaves(&wide, 1), mpx_tree_of_leaves(&half, 1), &err) ==
              MPX_OK,
          "no elements: no memory to share");
}

/* What is needed and what is used may be more than size_t together. */
static void test_arena_wraps(void) {
    float x = 1;
    unsigned char room[64];
    mpx_leaf leaf = leaf_of("w", &x, (size_t)-1 / 8 - 2, MPX_F16), leaves[1];
    mpx_arena arena = mpx_arena_of(room, sizeof room, leaves, 1);
    mpx_tree out;
    arena.used = 32;
    CHECK(mpx_tree_cast_into(&out, mpx_tree_of_leaves(&leaf, 1), MPX_F64, &arena, NULL) ==
              MPX_ERR_SPACE,
          "more than there is");
}

/* ---- questions ------------------------------------------------------------------------------- */

static void test_all_finite(void) {
    uint32_t x[3] = { 0x3f800000u, 0x7f7fffffu, 0x00000001u };
    int32_t n[2] = { 0x7f800000, -1 };
    uint8_t e4m3[2] = { 0x7e, 0x78 };
    mpx_leaf leaves[3];
    mpx_tree tree = mpx_tree_of_leaves(leaves, 3);
    mpx_error err;
    int finite = 7;
    leaves[0] = leaf_of("x", x, 3, MPX_F32);
    leaves[1] = leaf_of("n", n, 2, MPX_I32);
    leaves[2] = leaf_of("e4m3", e4m3, 2, MPX_F8E4M3FN);
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_OK && finite == 1, "all are");
    e4m3[1] = 0x7f;
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_OK && finite == 0,
          "NaN in the last leaf");
    e4m3[1] = 0, x[1] = 0x7f800000u;
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_OK && finite == 0,
          "Inf in the first leaf");
    x[1] = 0, leaves[1].dtype = 99, finite = 7;
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_ERR_DTYPE && finite == 7,
          "a leaf of no dtype");
    check_error(&err, MPX_ERR_DTYPE, 1, "n");
    check_dtypes(&err, 99, MPX_NONE);
}

/* unscale's flag is that of all leaves, wherever the bad one stands. */
static void test_unscale_flag_of_leaves(void) {
    float x[3];
    mpx_leaf leaves[3];
    int finite, bad, k;
    for (bad = 0; bad < 4; bad++) {
        uint32_t inf = 0x7f800000u;
        for (k = 0; k < 3; k++) {
            x[k] = 1;
            leaves[k] = leaf_of("x", &x[k], 1, MPX_F32);
        }
        if (bad < 3) memcpy(&x[bad], &inf, 4);
        finite = 7;
        CHECK(mpx_tree_unscale(mpx_tree_of_leaves(leaves, 3), mpx_tree_of_leaves(leaves, 3), 2,
                               &finite, NULL) == MPX_OK &&
                  finite == (bad == 3),
              "Inf in leaf %d: finite %d", bad, finite);
    }
}

/* unscale's flag: NaN and Inf anywhere, whatever the tail; and it starts from 1 on every call. */
static void test_unscale_flag(void) {
    static uint32_t x[300];
    mpx_leaf leaf = leaf_of("x", x, 300, MPX_F32);
    mpx_tree tree = mpx_tree_of_leaves(&leaf, 1);
    static const uint32_t bad[] = { 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffffffffu };
    size_t i, n;
    int finite = 0;
    for (n = 1; n <= 300; n += n < 40 ? 1 : 37)
        for (i = 0; i < n; i++) {
            leaf.count = n;
            x[i] = bad[i % 4];
            finite = 7;
            mpx_tree_unscale(tree, tree, 3, &finite, NULL);
            CHECK(finite == 0, "element %lu of %lu", (unsigned long)i, (unsigned long)n);
            x[i] = 0;
            mpx_tree_unscale(tree, tree, 3, &finite, NULL);
            CHECK(finite == 1, "%lu elements", (unsigned long)n);
        }
    x[0] = 0x3f800000u;
    leaf.count = 1;
    CHECK(mpx_tree_unscale(tree, tree, 0, &finite, NULL) == MPX_OK && finite == 0,
          "1 / 0 is not finite");
}

static double tree_sum(mpx_tree tree) {
    double sum = -1;
    mpx_error err;
    CHECK(mpx_tree_sum_squares(tree, &sum, &err) == MPX_OK, "not MPX_OK");
    return sum;
}

/* Both parts of a complex leaf are scaled, and NaN or Inf in either is seen. */
static void test_complex_leaves(void) {
    static const uint64_t bad[] = { 0x7ff8000000000000u, 0x7ff0000000000000u };
    float c64[4] = { 8, -24, 0.5f, 3 };
    double c128[4] = { 2, 4, -6, 1e300 }, sum = -1;
    mpx_leaf leaves[2];
    mpx_tree tree = mpx_tree_of_leaves(leaves, 2);
    mpx_loss_scale s = mpx_loss_scale_static(8);
    int finite = 7, infinite = 7;
    size_t i, k;
    leaves[0] = leaf_of("c64", c64, 2, MPX_C64);
    leaves[1] = leaf_of("c128", c128, 2, MPX_C128);
    CHECK(mpx_tree_scale(tree, tree, 0.5f, NULL) == MPX_OK && is_double((double)c64[0], 4) &&
              is_double((double)c64[1], -12) && is_double((double)c64[3], 1.5) && is_double(c128[2], -3),
          "both parts are scaled");
    CHECK(mpx_tree_unscale(tree, tree, 0.5f, &finite, NULL) == MPX_OK && finite == 1 &&
              is_double((double)c64[1], -24) && is_double(c128[1], 4),
          "both parts are unscaled");
    CHECK(mpx_loss_scale_scale_tree(tree, tree, s, NULL) == MPX_OK && is_double((double)c64[1], -192) &&
              mpx_loss_scale_unscale_tree(tree, tree, s, &finite, NULL) == MPX_OK &&
              is_double((double)c64[1], -24) && is_double(c128[1], 4) && finite == 1,
          "by a loss scale");
    c128[3] = 0;
    CHECK(mpx_tree_unscale_squares(tree, tree, 2, &finite, &sum, NULL) == MPX_OK && finite == 1 &&
              is_double(sum, 16 + 144 + 0.0625 + 2.25 + 1 + 4 + 9) && is_double(tree_sum(tree), sum),
          "the sum has both parts: %g", sum);
    for (i = 0; i < 4; i++)
        for (k = 0; k < 2; k++) {
            double good = c128[i];
            memcpy(&c128[i], &bad[k], 8);
            CHECK(mpx_tree_all_finite(tree, &finite, NULL) == MPX_OK && finite == 0 &&
                      mpx_tree_any_infinite(tree, &infinite, NULL) == MPX_OK &&
                      infinite == (k == 1),
                  "part %lu", (unsigned long)i);
            finite = 7;
            CHECK(mpx_tree_unscale(tree, tree, 1, &finite, NULL) == MPX_OK && finite == 0,
                  "part %lu, unscaled: finite %d", (unsigned long)i, finite);
            finite = 7;
            CHECK(mpx_loss_scale_unscale_tree(tree, tree, s, &finite, NULL) == MPX_OK && finite == 0,
                  "part %lu, by a loss scale: finite %d", (unsigned long)i, finite);
            c128[i] = good;
        }
    leaves[0] = leaf_of("z", c64, 1, MPX_C64);
    leaves[1] = leaf_of("z", c128, 1, MPX_C128);
    CHECK(mpx_tree_scale(mpx_tree_of_leaves(leaves, 1), mpx_tree_of_leaves(leaves + 1, 1), 2, NULL) == MPX_ERR_DTYPE &&
              mpx_tree_unscale(mpx_tree_of_leaves(leaves + 1, 1), mpx_tree_of_leaves(leaves, 1), 2, &finite, NULL) ==
                  MPX_ERR_DTYPE, "complex leaves keep their dtype");
}

/* ---- sums of squares ------------------------------------------------------------------------- */

/* Floating leaves of any dtype count, complex ones by both parts, all others do not; what the sum is, leaf by leaf. */
static void test_sum_squares(void) {
    static float x[100];
    uint16_t h[2] = { 0x4200, 0xc400 }; /* 3, -4 */
    uint8_t e4m3[3] = { 0x38, 0xb8, 0x40 }, f4[2] = { 0x42, 0x07 }; /* 1 -1 2; 1 2 6 */
    double d[2] = { 0.5, -10 }, sum, one;
    int32_t n[1] = { 1000 };
    float c[2] = { 50, 60 };
    uint8_t b[1] = { 1 };
    mpx_leaf leaves[10];
    mpx_error err;
    size_t i;
    for (i = 0; i < 100; i++)
        x[i] = (float)i;
    leaves[0] = leaf_of("x", x, 100, MPX_F32); /* 99 * 100 * 199 / 6 = 328350 */
    leaves[1] = leaf_of("n", n, 1, MPX_I32);
    leaves[2] = leaf_of("h", h, 2, MPX_F16); /* 25 */
    leaves[3] = leaf_of("c", c, 1, MPX_C64);
    leaves[4] = leaf_of("e4m3", e4m3, 3, MPX_F8E4M3FN); /* 6 */
    leaves[5] = leaf_of("b", b, 1, MPX_BOOL);
    leaves[6] = leaf_of("none", NULL, 0, MPX_BF16);
    leaves[7] = leaf_of("f4", f4, 3, MPX_F4E2M1FN); /* 41 */
    leaves[8] = leaf_of("unset", NULL, 0, MPX_NONE);
    leaves[9] = leaf_of("d", d, 2, MPX_F64); /* 100.25 */
    sum = tree_sum(mpx_tree_of_leaves(leaves, 10));
    CHECK(is_double(sum, 328350 + 25 + 6100 + 6 + 41 + 100.25), "%.17g", sum);
    for (i = 0; i < 10; i++) { /* each alone is mpx_sum_squares */
        sum = tree_sum(mpx_tree_of_leaves(leaves + i, 1));
        one = 0;
        (void)mpx_sum_squares(leaves[i].data, leaves[i].dtype, leaves[i].count, &one);
        CHECK(is_double(sum, one), "%s: %g, not %g", leaves[i].path, sum, one);
    }
    leaves[4].dtype = 99, sum = 7;
    CHECK(mpx_tree_sum_squares(mpx_tree_of_leaves(leaves, 10), &sum, &err) == MPX_ERR_DTYPE &&
              is_double(sum, 7),
          "a leaf of no dtype: %g", sum);
    check_error(&err, MPX_ERR_DTYPE, 4, "e4m3");
}

/* 2^54 and 2 and 2: rounded after each leaf, in the order of the walk. Between 2^54 and 2^55
   doubles are 4 apart, and halfway goes to the even one. */
static void test_sum_order(void) {
    static const double large = 18014398509481984.0;
    float two[2] = { 1, 1 }, more[2] = { 1, 1 }, power = 134217728;
    mpx_leaf leaves[3], to[3];
    mpx_tree tree = mpx_tree_of_leaves(leaves, 3);
    double sum = -1;
    int finite = 7, place, i;
    for (place = 0; place < 3; place++) {
        double want = place == 2 ? large + 4 : large;
        leaves[place] = leaf_of("a", &power, 1, MPX_F32);
        leaves[(place + 1) % 3] = leaf_of("b", two, 2, MPX_F32);
        leaves[(place + 2) % 3] = leaf_of("c", more, 2, MPX_F32);
        for (i = 0; i < 3; i++)
            to[i] = leaves[i];
        CHECK(is_double(tree_sum(tree), want), "2^54 in leaf %d: %.17g", place, tree_sum(tree));
        CHECK(mpx_tree_unscale_squares(mpx_tree_of_leaves(to, 3), tree, 1, &finite, &sum, NULL) ==
                      MPX_OK &&
                  is_double(sum, want) && finite == 1,
              "unscaled, 2^54 in leaf %d: %.17g", place, sum);
    }
}

/* The leaves are mpx_tree_unscale's, the flag too, and the sum is that of the result. */
static void test_unscale_squares(void) {
    enum { N = 5000 };
    static float x[N], want_x[N];
    static uint16_t h[N], want_h[N];
    static double d[N];
    int32_t n = 77, got_n = 0, want_n = 0;
    mpx_leaf from[3], to[3], want[3];
    float by[] = { 1, 8, 3, 0.1f };
    int k, bad;
    size_t i;
    from[0] = leaf_of("x", x, N, MPX_F32), to[0] = leaf_of("x", h, N, MPX_F16);
    from[1] = leaf_of("n", &n, 1, MPX_I32), to[1] = leaf_of("n", &got_n, 1, MPX_I32);
    from[2] = leaf_of("d", d, N, MPX_F64), to[2] = leaf_of("d", x, N, MPX_F32);
    for (k = 0; k < 4; k++)
        for (bad = 0; bad < 3; bad++) { /* no Inf; one in the first leaf; in the last */
            uint32_t inf = 0x7f800000u;
            double sum = -1, again;
            int finite = 7, want_finite = 8;
            for (i = 0; i < N; i++) {
                x[i] = (float)((int)(i * 37 % 2001) - 1000) / 7.0f;
                d[i] = (double)((int)(i * 91 % 3001) - 1500) / 11.0;
            }
            if (bad == 1) memcpy(&x[N - 3], &inf, 4);
            if (bad == 2) d[1] = 1e300;
            for (i = 0; i < 3; i++)
                want[i] = to[i];
            want[0].data = want_h, want[1].data = &want_n, want[2].data = want_x;
            CHECK(mpx_tree_unscale(mpx_tree_of_leaves(want, 3), mpx_tree_of_leaves(from, 3), by[k],
                                   &want_finite, NULL) == MPX_OK,
                  "unscale");
            CHECK(mpx_tree_unscale_squares(mpx_tree_of_leaves(to, 3), mpx_tree_of_leaves(from, 3),
                                           by[k], k % 2 != 0 ? NULL : &finite, &sum, NULL) == MPX_OK,
                  "unscale_squares");
            if (k % 2 != 0) finite = want_finite;
            again = tree_sum(mpx_tree_of_leaves(to, 3));
            CHECK(memcmp(h, want_h, sizeof h) == 0 && memcmp(x, want_x, sizeof x) == 0 &&
                      got_n == n && finite == want_finite && finite == (bad == 0),
                  "by %g, %d: not what mpx_tree_unscale makes; finite %d", (double)by[k], bad, finite);
            CHECK(is_double(sum, again), "by %g, %d: sum %.17g, not %.17g", (double)by[k], bad, sum,
                  again);
        }
}

static void test_check_floating(void) {
    mpx_dtype t;
    float x[4];
    mpx_leaf leaves[2];
    mpx_error err;
    leaves[0] = leaf_of("a", x, 1, MPX_F32);
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        mpx_status status;
        leaves[1] = leaf_of("b", x, 1, t);
        status = mpx_tree_check_floating(mpx_tree_of_leaves(leaves, 2), &err);
        CHECK(status == (mpx_dtype_is_floating(t) ? MPX_OK : MPX_ERR_NOT_FLOATING), "%s: %d",
              mpx_dtype_name(t), status);
        if (status != MPX_OK) check_error(&err, MPX_ERR_NOT_FLOATING, 1, "b");
        if (status != MPX_OK) CHECK(err.found == t, "found %d, not %d", err.found, t);
    }
}

/* Sizes beyond size_t are an error, the largest below is not. */
static void check_overflow(size_t count_a, mpx_dtype a, size_t count_b, mpx_dtype b, mpx_dtype to,
                           mpx_status want) {
    mpx_leaf leaves[2];
    mpx_tree_size size, before;
    mpx_status status;
    mpx_error err;
    leaves[0] = leaf_of("a", &leaves, count_a, a); /* nothing reads the data */
    leaves[1] = leaf_of("b", &leaves, count_b, b);
    memset(&size, 0x5a, sizeof size);
    before = size;
    status = mpx_tree_measure(mpx_tree_of_leaves(leaves, 2), to, &size, &err);
    CHECK(status == want, "%lu of %d and %lu of %d to %d: status %d, not %d",
          (unsigned long)count_a, a, (unsigned long)count_b, b, to, status, want);
    CHECK(err.status == status, "err has %d", err.status);
    CHECK(status == MPX_OK || memcmp(&size, &before, sizeof size) == 0, "the result was written");
}

static void test_overflow(void) {
    size_t max = SIZE_MAX;
    mpx_leaf room[2], leaf = leaf_of("a", room, SIZE_MAX, MPX_F32);
    mpx_arena arena = mpx_arena_of(NULL, 0, room, 2);
    mpx_tree out;
    check_overflow(max, MPX_F32, 0, MPX_F32, MPX_NONE, MPX_ERR_SPACE);
    check_overflow(max / 4, MPX_F32, 0, MPX_F32, MPX_NONE, MPX_OK);
    check_overflow(max / 4 + 1, MPX_F32, 0, MPX_F32, MPX_NONE, MPX_ERR_SPACE);
    check_overflow(max - 1, MPX_I8, 0, MPX_F32, MPX_NONE, MPX_OK);
    check_overflow(max - 1, MPX_I8, 2, MPX_I8, MPX_NONE, MPX_ERR_SPACE);
    check_overflow(max, MPX_I4, 1, MPX_I4, MPX_NONE,
                   MPX_ERR_SPACE); /* elements overflow, bytes do not */
    check_overflow(max, MPX_C128, 0, MPX_F32, MPX_NONE, MPX_ERR_SPACE);
    check_overflow(max / 4, MPX_F32, max / 4, MPX_F32, MPX_NONE, MPX_ERR_SPACE);
    check_overflow(max / 4, MPX_F16, 0, MPX_F32, MPX_F64,
                   MPX_ERR_SPACE); /* the storage overflows */
    check_overflow(max / 8, MPX_F16, 0, MPX_F32, MPX_F64,
                   MPX_ERR_SPACE); /* rounded up to 16 it does */
    check_overflow(max / 8 - 3, MPX_F16, 0, MPX_F32, MPX_F64, MPX_OK);
    check_overflow(max / 8 - 3, MPX_F16, 4, MPX_F16, MPX_F64, MPX_ERR_SPACE); /* the sum does */
    check_overflow(1, 99, 1, MPX_F32, MPX_NONE, MPX_ERR_DTYPE);
    check_overflow(1, MPX_NONE, 1, MPX_F32, MPX_NONE, MPX_ERR_DTYPE);
    check_overflow(1, MPX_F32, 1, MPX_F32, MPX_I32, MPX_ERR_DTYPE);
    check_overflow(1, MPX_F32, 1, MPX_F32, 99, MPX_ERR_DTYPE);
    CHECK(mpx_tree_cast_into(&out, mpx_tree_of_leaves(&leaf, 1), MPX_F16, &arena, NULL) ==
              MPX_ERR_SPACE,
          "cast into");
    CHECK(mpx_tree_cast_in_place(mpx_tree_of_leaves(&leaf, 1), MPX_F64, NULL) == MPX_ERR_SPACE,
          "cast in place");
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Paths that the struct walker builds are copied into the arena, after the data, so that the new
   tree keeps them. */
static void check_built_paths(mpx_tree tree, mpx_dtype to, size_t data_size) {
    static unsigned char room[4096], short_room[4096];
    mpx_leaf leaves[24], leaf;
    mpx_arena arena = mpx_arena_of(room, 0, leaves, 24);
    mpx_tree out = empty_tree();
    mpx_tree_size size;
    char path[MPX_PATH_SIZE];
    size_t i, path_size = 0, n = count_leaves(tree);
    for (i = 0; i < n && leaf_at(tree, i, &leaf) == 1; i++)
        path_size += strlen(leaf.path) + 1;
    CHECK(mpx_tree_measure(tree, to, &size, NULL) == MPX_OK, "measure to %d", to);
    CHECK(size.storage == data_size + room_for(path_size),
          "to %d: %lu bytes of storage, %lu of data, %lu of paths", to, (unsigned long)size.storage,
          (unsigned long)data_size, (unsigned long)path_size);
    arena.size = size.storage;
    memset(room, 0xcd, sizeof room);
    CHECK(mpx_tree_cast_into(&out, tree, to, &arena, NULL) == MPX_OK, "cast to %d", to);
    CHECK(arena.used == size.storage && arena.leaves_used == n, "took %lu bytes",
          (unsigned long)arena.used);
    for (i = size.storage; i < sizeof room; i++)
        CHECK(room[i] == 0xcd, "to %d: byte %lu", to, (unsigned long)i);
    for (i = 0; i < n && leaf_at(tree, i, &leaf) == 1; i++) {
        strcpy(path, leaf.path);
        CHECK(strcmp(leaves[i].path, path) == 0, "leaf %lu is '%s', not '%s'", (unsigned long)i,
              leaves[i].path, path);
    }
    if (size.storage == 0) return;
    arena = mpx_arena_of(short_room, size.storage - 1, leaves, 24);
    CHECK(mpx_tree_cast_into(&out, tree, to, &arena, NULL) == MPX_ERR_SPACE && short_room[0] == 0,
          "a byte short");
    CHECK(arena.used == 0, "a byte short");
}

static void test_built_paths(void) {
    static model m;
    static float head[7];
    mpx_tree tree = MPX_TREE_OF_STRUCT(&m, model_fields);
    m.head = head, m.head_count = 7, m.head_dtype = MPX_F32;
    check_built_paths(tree, MPX_F32, 5 * 16); /* the five biases change */
    check_built_paths(tree, MPX_BF16, 5 * 2 * 16 + 16);
    check_built_paths(tree, MPX_NONE, 0); /* nothing changes, the paths are needed all the same */
}

/* A path may be missing; two trees without paths match. */
static void test_no_path(void) {
    float x[2] = { 1, 2 }, y[2] = { 0, 0 };
    mpx_leaf a = leaf_of(NULL, x, 2, MPX_F32), b = leaf_of(NULL, y, 2, MPX_F32),
             c = leaf_of("", y, 2, MPX_F32);
    mpx_error err;
    CHECK(mpx_tree_copy(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), &err) == MPX_OK &&
              y[1] == 2,
          "no paths");
    CHECK(mpx_tree_copy(mpx_tree_of_leaves(&c, 1), mpx_tree_of_leaves(&a, 1), &err) == MPX_OK,
          "NULL reads as empty");
    b.path = "b";
    CHECK(mpx_tree_copy(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), &err) ==
              MPX_ERR_STRUCTURE,
          "NULL and b");
    CHECK(mpx_tree_copy(mpx_tree_of_leaves(&a, 1), mpx_tree_of_leaves(&b, 1), &err) ==
              MPX_ERR_STRUCTURE,
          "b and NULL");
    check_error(&err, MPX_ERR_STRUCTURE, 0, "");
    b.path = NULL;
    b.count = 1;
    (void)mpx_tree_copy(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), &err);
    CHECK(err.what != NULL && strcmp(err.what, "elements") == 0 && err.have == 2 && err.need == 1,
          "another count: which");
    b.path = "b"; /* another leaf: its count says nothing */
    (void)mpx_tree_copy(mpx_tree_of_leaves(&b, 1), mpx_tree_of_leaves(&a, 1), &err);
    check_error(&err, MPX_ERR_STRUCTURE, 0, "b");
    CHECK(err.what == NULL, "another path and count: no count is told");
}

/* Elements without data are the caller's mistake, and told. */
static void test_no_data(void) {
    mpx_leaf leaf = leaf_of("w", NULL, 3, MPX_F32);
    mpx_tree tree = mpx_tree_of_leaves(&leaf, 1);
    mpx_error err;
    int finite = 7;
    CHECK(mpx_tree_all_finite(tree, &finite, &err) == MPX_ERR_ARGUMENT && finite == 7,
          "all_finite");
    check_error(&err, MPX_ERR_ARGUMENT, 0, "w");
    CHECK(mpx_tree_cast_in_place(tree, MPX_F16, &err) == MPX_ERR_ARGUMENT && leaf.dtype == MPX_F32,
          "cast in place");
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void check_sentence(const mpx_error *err, const char *want) {
    char buf[256], small[256];
    size_t size, len = strlen(want);
    CHECK(mpx_error_format(err, NULL, buf, sizeof buf) == len && strcmp(buf, want) == 0,
          "'%s', not '%s'", buf, want);
    for (size = 0; size <= len + 1; size++) {
        memset(small, '#', sizeof small);
        CHECK(mpx_error_format(err, NULL, size > 0 ? small : NULL, size) == len,
              "the length needed");
        CHECK(small[size] == '#', "%lu bytes are enough", (unsigned long)size);
        if (size > 0)
            CHECK(strlen(small) == size - 1 && memcmp(small, want, size - 1) == 0,
                  "cut after %lu: '%s'", (unsigned long)size, small);
    }
}

static mpx_error error_of(mpx_status status, size_t index, const char *path, mpx_dtype found,
                               mpx_dtype expected) {
    mpx_error err;
    memset(&err, 0, sizeof err);
    err.status = status;
    err.subject = MPX_SUBJECT_LEAF;
    err.index = index;
    err.found = found;
    err.expected = expected;
    strcpy(err.path, path);
    return err;
}

static void test_sentences(void) {
    mpx_error err;
    char path[MPX_PATH_SIZE];
    memset(&err, 0, sizeof err);
    check_sentence(&err, "ok");
    err = error_of(MPX_ERR_STRUCTURE, 3, "decoder/bias", 0, 0);
    check_sentence(&err, "structures differ at leaf 3 'decoder/bias'");
    if (sizeof(size_t) == 8) {
        err = error_of(MPX_ERR_STRUCTURE, (size_t)-2, "", MPX_NONE, MPX_NONE);
        check_sentence(&err, "structures differ at leaf 18446744073709551614");
    }
    err = error_of(MPX_ERR_STRUCTURE, 0, "w", 0, 0), err.what = "elements", err.have = 5, err.need = 4;
    check_sentence(&err, "structures differ at leaf 0 'w'; 5 elements where 4 are needed");
    err = error_of(MPX_ERR_DTYPE, 0, "w", MPX_F32, MPX_F16);
    check_sentence(&err,
                   "unknown or unusable dtype at leaf 0 'w': found float32, expected float16");
    err = error_of(MPX_ERR_NOT_FLOATING, 12, "n", MPX_I4, 0);
    check_sentence(&err, "not floating at leaf 12 'n': found int4");
    err = error_of(MPX_ERR_SPACE, 2, "", MPX_F16, MPX_F32);
    check_sentence(&err, "not enough space at leaf 2: found float16, expected float32");
    err = error_of(MPX_ERR_DTYPE, 1, "", 77, MPX_F16);
    check_sentence(&err, "unknown or unusable dtype at leaf 1: found dtype 77, expected float16");
    err = error_of(MPX_ERR_DTYPE, SIZE_MAX, "", 0, -3);
    check_sentence(&err, "unknown or unusable dtype: expected dtype -3");
    err = error_of(MPX_ERR_CALLBACK, 7, "", 0, 0);
    check_sentence(&err, "callback failed at leaf 7");
    err = error_of(MPX_ERR_DEPTH, 1234567, "a\tb\xc3\xa9", 0, 0);
    check_sentence(&err, "nested too deeply at leaf 1234567 'a\\x09b\\xc3\\xa9'");
    err = error_of(-99, 0, "", 0, 0);
    check_sentence(&err, "unknown status at leaf 0");
    memset(path, 'p', sizeof path);
    path[MPX_PATH_SIZE - 1] = '\0';
    err = error_of(MPX_ERR_FIXED_DTYPE, 1, path, MPX_F32, MPX_F16);
    check_sentence(
        &err, "dtype cannot be changed at leaf 1 'pppppppppppppppppppppppppppppppppppppppp...': "
              "found float32, expected float16");
}

struct test_reason {
    float *m;
};

/* Fills in a leaf that is all right, and then has a status of its own. */
static int next_full(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    (void)at;
    *leaf = *(const mpx_leaf *)tree->user;
    return MPX_ERR_SPACE;
}

/* What goes wrong before a leaf, or for no dtype's sake: the sentence says what was expected. */
static void test_reasons(void) {
    static float data[3];
    static const char name[MPX_PATH_SIZE] =
        "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp/"
        "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"; /* 127 */
    mpx_leaf leaf = leaf_of("w", data, 3, MPX_F32), out_leaf, unset, two[2];
    mpx_tree tree = mpx_tree_of_leaves(&leaf, 1), out;
    mpx_arena arena = mpx_arena_of(data, 0, &out_leaf, 1);
    mpx_field fields[1] = { MPX_LEAF_POINTER(struct test_reason, m, 1, MPX_F32) };
    mpx_tree_size size;
    mpx_error err;
    char long_name[MPX_PATH_SIZE + 1], buf[MPX_ERROR_TEXT_SIZE];
    mpx_cast_report report;
    struct test_reason object = { data };
    size_t count;
    CHECK(mpx_tree_cast_into(&out, tree, MPX_F16, &arena, &err) == MPX_ERR_SPACE, "no arena");
    check_sentence(&err, "not enough space; 0 bytes where 16 are needed");
    CHECK(err.have == 0 && err.need == 16 && strcmp(err.what, "bytes") == 0, "of what, in fields");
    for (count = 1; count < (size_t)-1 / 11; count = count * 11 + count % 7) { /* numbers of every size */
        char text[96];
        err.have = count - 1;
        err.need = (size_t)0 - count;
        (void)sprintf(text, "not enough space; %lu bytes where %lu are needed", (unsigned long)err.have,
                      (unsigned long)err.need);
        if (sizeof(long) >= sizeof(size_t)) check_sentence(&err, text);
    }
    arena = mpx_arena_of(data, sizeof data, &out_leaf, 0);
    CHECK(mpx_tree_cast_into(&out, tree, MPX_NONE, &arena, &err) == MPX_ERR_SPACE, "no leaves");
    check_sentence(&err, "not enough space; 0 leaves where 1 are needed");
    CHECK(mpx_tree_dry_run(tree, MPX_I8, &report, 1, &count, &err) == MPX_ERR_DTYPE, "int8");
    check_sentence(&err,
                   "unknown or unusable dtype at leaf 0 'w': found int8, expected a floating dtype");
    CHECK(mpx_tree_measure(tree, 77, &size, &err) == MPX_ERR_DTYPE, "77");
    check_sentence(&err, "unknown or unusable dtype: found dtype 77, expected a floating dtype");
    leaf.dtype = 77;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_DTYPE, "a leaf's 77");
    check_sentence(&err, "unknown or unusable dtype at leaf 0 'w': found dtype 77");
    leaf.dtype = MPX_F32, leaf.count = 0;
    unset = leaf_of("w", NULL, 0, MPX_NONE);
    CHECK(mpx_tree_cast(tree, mpx_tree_of_leaves(&unset, 1), &err) == MPX_ERR_DTYPE, "from unset");
    check_sentence(&err, "unknown or unusable dtype at leaf 0 'w': found float32");
    leaf.data = NULL, leaf.count = 3;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_ARGUMENT, "no data");
    check_sentence(&err, "bad argument at leaf 0 'w': found float32; its data is NULL");
    strcpy(long_name, name);
    strcat(long_name, "p");
    fields[0].name = long_name;
    CHECK(mpx_tree_measure(mpx_tree_of_struct(&object, fields, 1), MPX_F16, &size, &err) ==
              MPX_ERR_SPACE,
          "a path of 128 bytes");
    mpx_error_format(&err, NULL, buf, sizeof buf);
    CHECK(strstr(buf, "...'; expected a path of at most 127 bytes") != NULL, "%s", buf);
    leaf = leaf_of("w", data, 3, MPX_F32);
    tree.next = next_full, tree.user = &leaf;
    CHECK(mpx_tree_measure(tree, MPX_F16, &size, &err) == MPX_ERR_SPACE, "a walker's own status");
    check_sentence(&err, "not enough space at leaf 0 'w'");
    /* Too many elements, in one leaf or in two. A path of an array may be of any length. */
    tree = mpx_tree_of_leaves(two, 2);
    for (count = 0; count < 2; count++) {
        two[0] = leaf_of(name, data, count == 0 ? SIZE_MAX : SIZE_MAX / 4, MPX_F32);
        two[1] = leaf_of(long_name, data, 3, MPX_F32);
        CHECK(mpx_tree_measure(tree, MPX_NONE, &size, &err) == MPX_ERR_SPACE && err.index == count,
              "too many elements at leaf %lu", (unsigned long)err.index);
        check_dtypes(&err, MPX_F32, MPX_NONE);
        mpx_error_format(&err, NULL, buf, sizeof buf);
        CHECK(strstr(buf, "...': found float32") != NULL && strstr(buf, "expected") == NULL, "%s", buf);
    }
}

/* A path longer than err.path is cut to fit. */
static void test_cut_path(void) {
    char path[2 * MPX_PATH_SIZE];
    mpx_leaf leaf;
    mpx_error err;
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    leaf = leaf_of(path, NULL, 0, MPX_I8);
    CHECK(mpx_tree_check_floating(mpx_tree_of_leaves(&leaf, 1), &err) == MPX_ERR_NOT_FLOATING,
          "an integer leaf");
    CHECK(strlen(err.path) == MPX_PATH_SIZE - 1 && err.path[0] == 'x', "cut to %lu",
          (unsigned long)strlen(err.path));
}

int main(void) {
    test_struct_walker();
    case_packed_struct();
    test_empty_nodes();
    test_depth();
    test_long_paths();
    test_indices();
    test_tensors();
    test_tree_next();
    test_own_walker();
    test_empty();
    case_zeroed_typed_leaf();
    test_cast_in_place();
    test_cast_struct_in_place();
    test_cast_in_place_pairs();
    test_cast_into();
    test_no_room();
    test_arena_goes_on();
    test_policy_verbs();
    test_integer_role();
    test_what_is_cast();
    test_structure();
    test_dtypes_differ();
    test_mixed_widths();
    test_cast_with();
    test_cast_with_in_place();
    test_select();
    test_every_dtype();
    test_shared();
    test_shared_stats();
    test_failing_verbs();
    test_failing_readers();
    test_failing_unscale();
    test_bad_walker();
    test_failing_cast_in_place();
    test_one_fixed_dtype();
    test_failing_cast_into();
    test_growing_walker();
    test_narrowing_walker();
    test_turning_walker();
    test_growing_pair();
    test_another_count();
    test_put_dtype();
    test_paths_of_pairs();
    test_pair_in_place();
    test_arena_wraps();
    test_all_finite();
    test_unscale_flag();
    test_unscale_flag_of_leaves();
    test_complex_leaves();
    test_sum_squares();
    test_sum_order();
    test_unscale_squares();
    test_check_floating();
    test_overflow();
    test_built_paths();
    test_no_path();
    test_no_data();
    test_sentences();
    test_reasons();
    test_cut_path();
    return test_done("test_tree");
}
