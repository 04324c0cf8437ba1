/* mpx_weights_cast, from a text to cast weights: values against mpx_cast and the integer reference,
   counts against counts made here, memory from an allocator that moves all and poisons what was. */
#include "test.h"
#include "ref.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* grow moves the block on every call, so that nothing may point into the old one. */
typedef struct memory {
    unsigned char *block;
    size_t size;
    int calls, fail_at;
} memory;
static void *grow(void *old, size_t size, void *user) {
    memory *m = (memory *)user;
    unsigned char *block;
    CHECK(old == m->block && size != 0, "grow from its own block, to %lu bytes", (unsigned long)size);
    if (++m->calls == m->fail_at) return NULL;
    block = (unsigned char *)malloc(size);
    memset(block, 0xa5, size);
    if (old != NULL) {
        memcpy(block, old, m->size < size ? m->size : size);
        memset(old, 0x5a, m->size);
        free(old);
    }
    m->block = block, m->size = size;
    return block;
}
/* All cases run twice: on one thread, and with tasks, the last one first. */
static int in_tasks;
static size_t tasks;
static void run_backward(size_t count, mpx_task_fn task, void *arg, void *user) {
    *(size_t *)user = count;
    while (count-- != 0)
        task(arg, count);
}
static mpx_weights_options options_of(memory *m) {
    mpx_weights_options opt;
    memset(&opt, 0, sizeof opt);
    memset(m, 0, sizeof *m);
    opt.grow = grow, opt.user = m;
    opt.parallel.run = in_tasks ? run_backward : NULL;
    opt.parallel.user = &tasks;
    return opt;
}

/* ---- a model --------------------------------------------------------------------------------- */

enum { LONG = 1000 };
typedef struct model {
    float embed[LONG], lstm[LONG], bias[3];
    int32_t steps[5];
    uint16_t half[LONG];
} model;
static model the_model;
static const mpx_field fields[] = {
    MPX_LEAF(model, embed, float, MPX_F32), MPX_LEAF(model, lstm, float, MPX_F32),
    MPX_LEAF(model, bias, float, MPX_F32), MPX_LEAF(model, steps, int32_t, MPX_I32),
    MPX_LEAF(model, half, uint16_t, MPX_BF16)
};
static mpx_tree model_tree(void) {
    model *m = &the_model;
    int i;
    for (i = 0; i < LONG; i++) {
        m->embed[i] = (float)(i - 500) / 64.0f;
        m->lstm[i] = (float)(i - 500) * 1e-3f;
        m->half[i] = (uint16_t)(0x3f80 + i);
    }
    m->bias[0] = 1000, m->bias[1] = -1e-9f, m->bias[2] = 0;
    m->steps[0] = 7;
    return MPX_TREE_OF_STRUCT(m, fields);
}

/* Leaf i of w has the dtype, and the values that mpx_cast_with makes of the source. */
static void check_leaf(const mpx_weights *w, size_t i, const void *src, mpx_dtype from, mpx_dtype to,
                       size_t n, int saturate) {
    unsigned char want[8 * LONG];
    mpx_cast_options opt;
    memset(&opt, 0, sizeof opt);
    opt.saturate = saturate;
    (void)mpx_cast_with(want, to, src, from, n, &opt);
    CHECK(w->leaves[i].dtype == to && w->leaves[i].count == n && w->weights[i].from == from &&
              w->weights[i].to == to,
          "leaf %lu is %s", (unsigned long)i, mpx_dtype_name(w->leaves[i].dtype));
    CHECK(memcmp(w->leaves[i].data, want, mpx_dtype_bytes(to, n)) == 0, "leaf %lu: values",
          (unsigned long)i);
    CHECK((unsigned char *)w->memory + w->weights[i].offset == w->leaves[i].data, "leaf %lu is elsewhere", (unsigned long)i);
}

/* The tree of the result is its leaves. */
static void check_tree(const mpx_weights *w) {
    mpx_cursor at;
    mpx_leaf leaf;
    size_t n = 0;
    memset(&at, 0, sizeof at);
    while (mpx_tree_next(&w->tree, &at, &leaf) == 1 && n < w->count) {
        const mpx_leaf *want = &w->leaves[n++];
        CHECK(leaf.data == want->data && leaf.count == want->count && leaf.dtype == want->dtype && leaf.path == want->path,
              "leaf %lu of the tree is another", (unsigned long)(n - 1));
    }
    CHECK(n == w->count && leaf.data == NULL, "%lu leaves in the tree, not %lu", (unsigned long)n, (unsigned long)w->count);
}

static void case_one_policy(void) {
    mpx_weights w;
    memory m;
    mpx_error err;
    mpx_weights_options opt = options_of(&m);
    mpx_tree tree = model_tree();
    mpx_status status = mpx_weights_cast(&w, tree, "p=bf16,c=f32", &opt, &err);
    CHECK(status == MPX_OK && w.count == 5 && m.block == w.memory, "status %d", status);
    CHECK(tasks == (in_tasks ? 5 : 0), "%lu tasks", (unsigned long)tasks);
    check_leaf(&w, 0, the_model.embed, MPX_F32, MPX_BF16, LONG, 0);
    check_leaf(&w, 1, the_model.lstm, MPX_F32, MPX_BF16, LONG, 0);
    check_leaf(&w, 2, the_model.bias, MPX_F32, MPX_BF16, 3, 0);
    CHECK(w.leaves[3].data == the_model.steps && w.leaves[4].data == the_model.half,
          "leaves that are not cast are the source's");
    CHECK(strcmp(w.leaves[1].path, "lstm") == 0, "path %s", w.leaves[1].path);
    check_tree(&w);
    CHECK(w.bytes == 2 * LONG * 2 + 6 + 20 + 2 * LONG && w.unmatched == 0 && w.map.count == 0,
          "%lu bytes", (unsigned long)w.bytes);
    free(w.memory);
    opt = options_of(&m);
    opt.role = MPX_ROLE_COMPUTE;
    status = mpx_weights_cast(&w, tree, "p=bf16,c=f16", &opt, &err);
    CHECK(status == MPX_OK, "status %d", status);
    check_leaf(&w, 1, the_model.lstm, MPX_F32, MPX_F16, LONG, 0);
    check_leaf(&w, 4, the_model.half, MPX_BF16, MPX_F16, LONG, 0);
    free(w.memory);
    opt.role = (mpx_role)3;
    m.block = NULL;
    status = mpx_weights_cast(&w, tree, "bf16", &opt, NULL);
    CHECK(status == MPX_ERR_ARGUMENT, "role 3: %d", status);
    free(w.memory);
}

static void case_map(void) {
    static const char text[] = "default = bf16\n"
                               "embed = f8e4m3fn saturate\n"
                               "b* = f8e4m3fn\n"
                               "nobody = f16\n";
    mpx_weights w;
    memory m;
    mpx_error err;
    char line[200];
    mpx_weights_options opt = options_of(&m);
    mpx_tree tree = model_tree();
    mpx_status status;
    the_model.embed[3] = 1e6f;
    the_model.embed[4] = ref_float(0x7f800000);
    the_model.embed[5] = 1e-8f;
    status = mpx_weights_cast(&w, tree, text, &opt, &err);
    CHECK(status == MPX_WARN_OVERFLOW, "status %d", status);
    check_leaf(&w, 0, the_model.embed, MPX_F32, MPX_F8E4M3FN, LONG, 1);
    check_leaf(&w, 1, the_model.lstm, MPX_F32, MPX_BF16, LONG, 0);
    check_leaf(&w, 2, the_model.bias, MPX_F32, MPX_F8E4M3FN, 3, 0);
    CHECK(w.weights[0].overflowed == 1 && w.weights[0].saturated == 2 && w.weights[0].zeroed == 1 &&
              w.weights[0].saturates == 1,
          "embed: %lu %lu %lu", (unsigned long)w.weights[0].overflowed,
          (unsigned long)w.weights[0].saturated, (unsigned long)w.weights[0].zeroed);
    CHECK(w.weights[2].overflowed == 1 && w.weights[2].saturated == 0 && w.weights[2].zeroed == 1,
          "bias: %lu", (unsigned long)w.weights[2].overflowed);
    CHECK(w.overflowed == 2 && w.saturated == 2 && w.zeroed == 2, "totals");
    check_tree(&w);
    CHECK(w.unmatched == 1 && w.map.count == 3 && w.map.entries[2].leaves == 0 &&
              strncmp(w.map.entries[2].key, "nobody", 6) == 0,
          "%lu unmatched", (unsigned long)w.unmatched);
    (void)mpx_error_format(&err, text, line, sizeof line);
    CHECK(strcmp(line, "values overflow at leaf 2 'bias': 1 of float32 are no finite "
                       "float8_e4m3fn") == 0,
          "%s", line);
    free(w.memory);
    opt = options_of(&m);
    opt.saturate = 1;
    status = mpx_weights_cast(&w, tree, text, &opt, &err);
    CHECK(status == MPX_OK && w.overflowed == 2 && w.saturated == 3, "all saturate: %d", status);
    check_leaf(&w, 2, the_model.bias, MPX_F32, MPX_F8E4M3FN, 3, 1);
    free(w.memory);
    opt = options_of(&m);
    status = mpx_weights_cast(&w, tree, "nobody = f16\nnone = bf16", &opt, &err);
    CHECK(status == MPX_OK && w.unmatched == 2, "%lu of two unmatched", (unsigned long)w.unmatched);
    free(w.memory);
}

/* A text that is neither a policy nor a map: the sentence about the one that it looks like. */
static void case_sentences(void) {
    static const struct { const char *text, *sentence; } rows[] = {
        { "bf61", "unknown dtype 'bf61' at 0;" },
        { "p=f32,c=bf61,o=f32", "unknown dtype 'bf61' at 8;" },
        { "norm = bf61", "unknown dtype 'bf61' at 7;" },
        { "p=bf61,c=f32,o=f32", "unknown dtype 'bf61' at 2; expected a dtype such as f32, bf16, f16, f8e4m3fn, "
                                "f8e5m2, or full, half; did you mean" },
        { "h = q8_1", "unknown dtype 'q8_1' at 4; expected a dtype such as f32, bf16, f16, f8e4m3fn, f8e5m2, "
                      "or full, half, or a quantization such as int8/row, q8_0" },
        { "patterns = foo", "bad argument 'foo' at 11; expected glob" },
        { "q8_0\nnorm f32", "missing '=' in 'q8_0' at 0;" },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memory m;
        mpx_weights w;
        mpx_error err;
        char line[MPX_ERROR_TEXT_SIZE];
        mpx_weights_options opt = options_of(&m);
        CHECK(mpx_weights_cast(&w, model_tree(), rows[i].text, &opt, &err) < 0, "%s", rows[i].text);
        (void)mpx_error_format(&err, rows[i].text, line, sizeof line);
        CHECK(strncmp(line, rows[i].sentence, strlen(rows[i].sentence)) == 0, "%s: %s", rows[i].text, line);
        free(w.memory);
    }
}

/* The word saturate of a map, in every other thing that casts by maps. */
static void case_saturating_map(void) {
    static const char text[] = "default = f8e4m3fn saturate\n"
                               "patterns = glob\nfirst_wins = 0\n"
                               "a = f8e4m3fn\nb = f16 saturate\n";
    mpx_map_entry entries[4], again_entries[4];
    mpx_policy_map map, again;
    const mpx_policy none = mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE);
    float a[2] = { 1000, 1 }, b[2] = { 1e6f, -1e6f }, c[2] = { 1000, -ref_float(0x7f800000) };
    mpx_leaf leaves[4], out_leaves[4];
    mpx_tree tree, out;
    uint64_t storage[16];
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, out_leaves, 4);
    mpx_cast_report reports[3];
    char printed[300];
    size_t count;
    leaves[0] = mpx_leaf_of("a", a, 2, MPX_F32);
    leaves[1] = mpx_leaf_of("b", b, 2, MPX_F32);
    leaves[2] = mpx_leaf_of("c", c, 2, MPX_F32);
    leaves[3] = mpx_leaf_of("d", NULL, 0, MPX_F32);
    tree = mpx_tree_of_leaves(leaves, 4);
    map = mpx_policy_map_of(entries, 4, none);
    CHECK(mpx_policy_map_parse(&map, text, NULL) == MPX_OK && map.saturate == 1 &&
              entries[0].saturate == 0 && entries[1].saturate == 1,
          "saturate is read");
    count = mpx_policy_map_format(&map, printed, sizeof printed);
    again = mpx_policy_map_of(again_entries, 4, none);
    CHECK(count != 0 && mpx_policy_map_parse(&again, printed, NULL) == MPX_OK &&
              again.saturate == 1 && again_entries[0].saturate == 0 &&
              again_entries[1].saturate == 1,
          "what is printed: %s", printed);
    CHECK(mpx_policy_map_cast_into(&out, tree, &map, MPX_ROLE_PARAM, &arena, NULL) == MPX_OK &&
              ((unsigned char *)out_leaves[0].data)[0] == 0x7f &&
              ref_load(MPX_F16, out_leaves[1].data, 1) == 0xfbff &&
              ((unsigned char *)out_leaves[2].data)[0] == 0x7e &&
              ((unsigned char *)out_leaves[2].data)[1] == 0xfe,
          "cast_into");
    CHECK(mpx_policy_map_dry_run(&map, MPX_ROLE_PARAM, tree, reports, 3, &count, NULL) == MPX_OK &&
              count == 3 && reports[0].stats.overflowed != 0,
          "dry run");
    CHECK(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_PARAM, NULL) == MPX_OK &&
              ((unsigned char *)(void *)a)[0] == 0x7f && ref_load(MPX_F16, b, 0) == 0x7bff &&
              ((unsigned char *)(void *)c)[1] == 0xfe,
          "cast_in_place");
    CHECK(mpx_policy_map_parse(&again, "x = saturate", NULL) == MPX_ERR_DTYPE, "no policy");
    CHECK(mpx_policy_map_parse(&again, "x = f16saturate", NULL) == MPX_ERR_DTYPE, "no blank");
}

static void case_tied(void) {
    mpx_leaf leaves[8];
    mpx_weights w;
    memory m;
    mpx_weights_options opt = options_of(&m);
    float shared[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    mpx_status status;
    leaves[0] = mpx_leaf_of("embed", shared, 8, MPX_F32);
    leaves[1] = mpx_leaf_of("head", shared, 8, MPX_F32);
    leaves[2] = mpx_leaf_of("other", shared, 8, MPX_F32); /* another dtype */
    leaves[3] = mpx_leaf_of("part", shared, 4, MPX_F32);  /* another count */
    leaves[4] = mpx_leaf_of("empty", shared, 0, MPX_F32);
    leaves[5] = mpx_leaf_of("tail", shared, 8, MPX_F32);
    leaves[6] = mpx_leaf_of("view", shared, 8, MPX_F16);      /* read as another dtype */
    leaves[7] = mpx_leaf_of("limited", shared, 8, MPX_F32);   /* saturates */
    status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, 8),
                              "default = bf16\nother = f16\nlimited = bf16 saturate", &opt, NULL);
    CHECK(status == MPX_OK && w.leaves[0].data == w.leaves[1].data &&
              w.leaves[5].data == w.leaves[0].data && w.leaves[2].data != w.leaves[0].data &&
              w.leaves[3].data != w.leaves[0].data,
          "tied weights share their cast");
    CHECK(w.weights[1].shares == 0 && w.weights[1].bytes == 0 && w.weights[0].shares == 0 &&
              w.weights[0].bytes == 16 && w.weights[5].shares == 0 && w.weights[2].shares == 2 &&
              w.weights[6].shares == 6 && w.weights[7].shares == 7 && w.bytes == 16 + 16 + 8 + 16 + 16,
          "%lu bytes", (unsigned long)w.bytes);
    check_leaf(&w, 1, shared, MPX_F32, MPX_BF16, 8, 0);
    check_leaf(&w, 2, shared, MPX_F32, MPX_F16, 8, 0);
    check_leaf(&w, 3, shared, MPX_F32, MPX_BF16, 4, 0);
    free(w.memory);
    m.block = NULL; /* leaves that stay are counted once too */
    status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, 2), "f32", &opt, NULL);
    CHECK(status == MPX_OK && w.leaves[1].data == shared && w.bytes == 32 &&
              w.weights[1].shares == 0 && w.weights[1].bytes == 0 && w.weights[0].bytes == 32,
          "%lu bytes", (unsigned long)w.bytes);
    free(w.memory);
    m.block = NULL; /* and those that stay because they cannot be quantized, whatever saturates */
    opt.leave = 1;
    status = mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, 2), "embed = q8_0\nhead = q8_0 saturate", &opt, NULL);
    CHECK(status == MPX_OK && w.bytes == 32 && w.weights[1].shares == 0 && !w.weights[1].saturates,
          "%lu bytes", (unsigned long)w.bytes);
    free(w.memory);
}

/* Parts of one array, each of another length: no two share a cast. */
static void case_parts(void) {
    enum { PARTS = 16, STEP = 32 }; /* whose keys meet in a table of 32 */
    mpx_leaf leaves[PARTS];
    float values[PARTS * STEP];
    mpx_weights w;
    memory m;
    mpx_weights_options opt = options_of(&m);
    size_t i;
    for (i = 0; i < PARTS * STEP; i++) values[i] = (float)i;
    for (i = 0; i < PARTS; i++) leaves[i] = mpx_leaf_of("part", values, STEP * (i + 1), MPX_F32);
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, PARTS), "bf16", &opt, NULL) == MPX_OK, "parts");
    for (i = 0; i < w.count; i++) {
        CHECK(w.weights[i].shares == i && w.weights[i].bytes == 2 * STEP * (i + 1), "part %lu shares that of %lu",
              (unsigned long)i, (unsigned long)w.weights[i].shares);
        check_leaf(&w, i, values, MPX_F32, MPX_BF16, STEP * (i + 1), 0);
    }
    CHECK(w.count == PARTS, "%lu parts", (unsigned long)w.count);
    free(w.memory);
}

/* Many leaves, tied in pairs: linear, and each finds its own. */
static void case_many(void) {
    enum { MANY = 20000 };
    static mpx_leaf leaves[MANY];
    static float values[MANY];
    mpx_weights w;
    memory m;
    size_t i;
    mpx_weights_options opt = options_of(&m);
    for (i = 0; i < MANY; i++) {
        values[i] = (float)i;
        leaves[i] = mpx_leaf_of("x", &values[i / 2], 1, MPX_F32);
    }
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, MANY), "bf16", &opt, NULL) == MPX_OK &&
              w.bytes == MANY,
          "%lu bytes", (unsigned long)w.bytes);
    for (i = 0; i < MANY; i++)
        CHECK(w.weights[i].shares == i / 2 * 2, "leaf %lu", (unsigned long)i);
    free(w.memory);
}

/* Leaves of one array that differ in their count alone, in pairs. */
static void case_many_counts(void) {
    enum { MANY = 600 };
    static mpx_leaf leaves[MANY];
    mpx_weights w;
    memory m;
    size_t i;
    mpx_weights_options opt = options_of(&m);
    for (i = 0; i < MANY; i++)
        leaves[i] = mpx_leaf_of("x", the_model.embed, i / 2 + 1, MPX_F32);
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(leaves, MANY), "bf16", &opt, NULL) == MPX_OK, "many counts");
    for (i = 0; i < MANY; i++)
        CHECK(w.weights[i].shares == i / 2 * 2, "leaf %lu", (unsigned long)i);
    free(w.memory);
}

/* The caller's block: too small says how much it takes, in the end all of it; nothing beyond it is
   touched. */
static void case_block(void) {
    static uint64_t block[2000];
    mpx_weights_options opt;
    mpx_weights w;
    mpx_error err;
    mpx_tree tree = model_tree();
    mpx_status status;
    int tries;
    memset(&opt, 0, sizeof opt);
    opt.block = block;
    for (tries = 0; tries < 4; tries++) {
        memset(block, 0xcc, sizeof block);
        status = mpx_weights_cast(&w, tree, "default = f8e4m3fn\n*b* = bf16", &opt, &err);
        if (status != MPX_ERR_SPACE) break;
        CHECK(err.have == opt.size && err.need > opt.size && err.need <= sizeof block &&
                  strcmp(err.what, "bytes") == 0,
              "%lu of %lu", (unsigned long)err.have, (unsigned long)err.need);
        opt.size = err.need;
    }
    CHECK(status == MPX_OK && tries == 3 && w.memory == block, "status %d, %d tries", status, tries);
    CHECK(((unsigned char *)block)[opt.size] == 0xcc, "beyond the block");
    check_leaf(&w, 1, the_model.lstm, MPX_F32, MPX_F8E4M3FN, LONG, 0);
    check_leaf(&w, 0, the_model.embed, MPX_F32, MPX_BF16, LONG, 0);
    opt.block = NULL, opt.size = 0;
    CHECK(mpx_weights_cast(&w, tree, "bf16", &opt, NULL) == MPX_ERR_SPACE && w.memory == NULL,
          "no memory at all");
    opt.size = sizeof block;
    CHECK(mpx_weights_cast(&w, tree, "bf16", &opt, &err) == MPX_ERR_SPACE && err.have == 0 && err.need != 0,
          "a size without a block");
}

static void case_allocator_fails(void) {
    mpx_tree tree = model_tree();
    int k;
    for (k = 1; k <= 4; k++) {
        mpx_weights w;
        memory m;
        mpx_error err;
        mpx_weights_options opt = options_of(&m);
        mpx_status status;
        m.fail_at = k;
        status = mpx_weights_cast(&w, tree, "default = bf16\nlstm = f16", &opt, &err);
        CHECK(k <= 3 ? status == MPX_ERR_SPACE && err.have == 0 && err.need != 0
                     : status == MPX_OK && m.calls == 3,
              "call %d of grow fails: %d", k, status);
        CHECK(w.memory == m.block, "what there is can be freed");
        free(w.memory);
    }
}

/* Of a text that is neither, the error that lies further back; of several lines that of the map. */
static void case_text_errors(void) {
    static const struct {
        const char *text;
        mpx_status status;
        size_t offset;
    } rows[] = {
        { "bf17", MPX_ERR_DTYPE, 0 },
        { "p=bf16,c=f17", MPX_ERR_DTYPE, 9 },
        { "lstm.* = bf17", MPX_ERR_DTYPE, 9 },
        { "default = bf16\nlstm", MPX_ERR_MISSING_EQUALS, 15 },
        { "default = bf16\nlstm = f16 saturates", MPX_ERR_DTYPE, 22 },
        { "*.w = f16\ndefault = f32", MPX_ERR_ORDER, 10 },
        { "a b\nc", MPX_ERR_MISSING_EQUALS, 0 },
        { "bf17\n", MPX_ERR_DTYPE, 0 },
        { "\nbf17", MPX_ERR_MISSING_EQUALS, 1 }, /* two lines */
        { "lstm = i8", MPX_ERR_DTYPE, 0 }, /* of the leaf */
        { "x[b = f32", MPX_ERR_PATTERN, 1 },
    };
    mpx_tree tree = model_tree();
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_weights w;
        memory m;
        mpx_error err;
        mpx_weights_options opt = options_of(&m);
        mpx_status status = mpx_weights_cast(&w, tree, rows[i].text, &opt, &err);
        CHECK(status == rows[i].status && err.status == status &&
                  (err.subject == MPX_SUBJECT_LEAF || err.offset == rows[i].offset),
              "'%s': %d at %lu", rows[i].text, status, (unsigned long)err.offset);
        CHECK(w.count == 0 && w.tree.count == 0, "'%s': leaves after an error", rows[i].text);
        free(w.memory);
        m.block = NULL;
        CHECK(mpx_weights_cast(&w, tree, rows[i].text, &opt, NULL) == status, "without err");
        free(w.memory);
    }
}

static void case_empty(void) {
    mpx_weights w;
    memory m;
    mpx_weights_options opt = options_of(&m);
    CHECK(mpx_weights_cast(&w, mpx_tree_of_leaves(NULL, 0), "bf16", &opt, NULL) == MPX_OK &&
              w.count == 0 && w.bytes == 0 && w.tree.count == 0,
          "no leaves");
    free(w.memory);
    m.block = NULL;
    CHECK(mpx_weights_cast(&w, model_tree(), "", &opt, NULL) == MPX_OK &&
              w.leaves[0].data == the_model.embed,
          "an empty map casts nothing");
    free(w.memory);
}

/* A tree that changes between its walks: a leaf more, or another count, dtype or place of the second; or whose walker
   fails once, at the second leaf; or whose path gets longer; or a leaf fewer. */
typedef struct changing {
    mpx_leaf leaves[3];
    int walks, from, what;
} changing;
static int next_changing(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    changing *c = (changing *)tree->user;
    const size_t i = at->index[0]++;
    int what;
    if (i == 0) c->walks++;
    what = c->walks >= c->from ? c->what : -1;
    if (i == 1 && what == 4 && c->walks == c->from) return MPX_ERR_CALLBACK;
    if (i == (what == 0 ? 3u : what == 6 ? 1u : 2u)) return 0;
    *leaf = c->leaves[i];
    if (c->what == 5 && i == 1) {
        memcpy(at->path, what == 5 ? "more than half of it" : "half", what == 5 ? 21 : 5);
        leaf->path = at->path;
    }
    if (i == 1 && what == 1) leaf->count--;
    if (i == 1 && what == 2) leaf->dtype = MPX_BF16;
    if (i == 1 && what == 3) leaf->data = the_model.embed;
    return 1;
}
static void case_changing_tree(void) {
    enum { WALKS = 5 }; /* its size, what becomes of each leaf, what matches (two), the cast */
    static const char *const words[] = { "a leaf more", "another count", "another dtype", "another place", "a failure",
                                         "a longer path", "a leaf fewer" };
    static const int first[] = { 2, WALKS, WALKS, WALKS, 1, WALKS, 2 };
    changing c;
    int what, from;
    for (what = 0; what < 7; what++)
        for (from = first[what]; from <= WALKS + 1; from++) {
            const mpx_status wrong = what == 4 ? MPX_ERR_CALLBACK : MPX_ERR_STRUCTURE;
            mpx_weights w;
            memory m;
            mpx_error err;
            mpx_weights_options opt = options_of(&m);
            mpx_tree tree;
            mpx_status status;
            memset(&tree, 0, sizeof tree);
            memset(&c, 0, sizeof c);
            c.leaves[0] = mpx_leaf_of("bias", the_model.bias, 3, MPX_F32);
            c.leaves[1] = c.leaves[2] = mpx_leaf_of("half", the_model.half, 5, MPX_F16);
            c.from = from, c.what = what;
            tree.next = next_changing, tree.user = &c;
            status = mpx_weights_cast(&w, tree, "f8e5m2", &opt, &err);
            CHECK(status == (from <= WALKS ? wrong : MPX_OK), "%s in walk %d: %d", words[what], from, status);
            CHECK(from > WALKS || err.status == wrong, "%s in walk %d: the error", words[what], from);
            CHECK(from > WALKS || (w.count == 0 && w.tree.count == 0), "%s in walk %d: leaves", words[what], from);
            free(w.memory);
        }
}

/* Counts of every pair of float dtypes, in pieces that fit and in pieces that do not. */
static void check_counts(mpx_dtype to, mpx_dtype from, int saturate) {
    const size_t size = ref_bytes(from, LONG); /* no byte more, so that a sanitizer sees reads behind the end */
    unsigned char *codes = (unsigned char *)malloc(size);
    uint64_t overflowed = 0, zeroed = 0, saturated = 0;
    mpx_leaf leaf;
    mpx_weights w;
    memory m;
    mpx_weights_options opt = options_of(&m);
    const int has_nan = mpx_dtype_info(to).has_nan;
    char text[40];
    size_t i;
    ref_mode mode = { MPX_ROUND_NEAREST, 0, 0 };
    mode.saturate = saturate;
    if (codes == NULL) exit(1);
    memset(codes, 0, size);
    for (i = 0; i < LONG; i++) {
        uint64_t code = ((i + 1) * 0x9e3779b97f4a7c15u >> 3) & ref_low_mask(ref_formats[from].bits);
        uint64_t plain, out;
        if (i % 600 < 300) { /* near one: in range */
            ref_real one = ref_make(REF_FINITE, 0, (uint64_t)(64 + i % 64) << 57, -63);
            code = ref_encode(from, &one);
        }
        ref_store(from, codes, i, code);
        plain = ref_cast(to, from, code), out = ref_cast_with(to, from, code, &mode);
        if (ref_is_nan(from, code)) continue;
        if (ref_is_finite(from, code)) {
            ref_real x = ref_decode(from, code), y = ref_decode(to, out);
            zeroed += !ref_is_zero(&x) && ref_is_zero(&y);
            overflowed += !ref_is_finite(to, plain);
        }
        saturated += plain != out;
    }
    leaf = mpx_leaf_of("x", codes, LONG, from);
    sprintf(text, "%s", mpx_dtype_name(to));
    opt.saturate = saturate;
    (void)mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), text, &opt, NULL);
    CHECK(w.weights[0].zeroed == zeroed, "%s->%s: %lu zeroed, not %lu", mpx_dtype_name(from), text,
          (unsigned long)w.weights[0].zeroed, (unsigned long)zeroed);
    if (has_nan && to != MPX_F8E8M0FNU) {
        CHECK(w.weights[0].overflowed == overflowed, "%s->%s: %lu overflow, not %lu",
              mpx_dtype_name(from), text, (unsigned long)w.weights[0].overflowed,
              (unsigned long)overflowed);
        CHECK(w.weights[0].saturated == saturated, "%s->%s: %lu saturate, not %lu",
              mpx_dtype_name(from), text, (unsigned long)w.weights[0].saturated,
              (unsigned long)saturated);
    }
    free(w.memory);
    memset(codes, 0, size); /* all are zero, or the least code of e8m0 */
    opt = options_of(&m);
    opt.saturate = saturate;
    (void)mpx_weights_cast(&w, mpx_tree_of_leaves(&leaf, 1), text, &opt, NULL);
    CHECK(from == MPX_F8E8M0FNU || w.weights[0].zeroed == 0, "%s->%s: %lu zeros become zero", mpx_dtype_name(from),
          text, (unsigned long)w.weights[0].zeroed);
    free(w.memory);
    free(codes);
}
static void case_counts(void) {
    int to, from, saturate;
    for (to = MPX_F64; to < MPX_DTYPE_COUNT; to++)
        for (from = MPX_F64; from < MPX_DTYPE_COUNT; from++)
            for (saturate = 0; saturate < 2; saturate++)
                if (to != from && ref_is_float((mpx_dtype)to) && ref_is_float((mpx_dtype)from))
                    check_counts((mpx_dtype)to, (mpx_dtype)from, saturate);
}

static void all_cases(void) {
    case_changing_tree();
    case_one_policy();
    case_map();
    case_sentences();
    case_saturating_map();
    case_tied();
    case_parts();
    case_many();
    case_many_counts();
    case_block();
    case_allocator_fails();
    case_text_errors();
    case_empty();
    case_counts();
}

int main(void) {
    all_cases();
    in_tasks = 1;
    all_cases();
    return test_done("test_weights");
}
