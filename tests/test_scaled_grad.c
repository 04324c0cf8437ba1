/* Steps under a loss scale: the order of what happens, what the finite test looks at, when a step is
   done again, and that a failing callback or tree leaves the state as it was. Filtered trees. */
#include "test.h"

static uint32_t bits_of(const float *x) {
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}
static float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#define INF of_bits(0x7f800000u)
#define NOT_A_NUMBER of_bits(0x7fc00000u)

/* ---- a little model -------------------------------------------------------------------------- */

/* Two gradients in f16 that become f32, one leaf of integers, a metric; what overflows in f16 is
   Inf. fails: the evaluation that returns a status of its own. */
typedef struct step {
    uint16_t low[2];
    float grads[2], metric, loss, grad;
    int32_t number;
    int evaluations, fails;
    float seen[16];
} step;

static mpx_status evaluate(mpx_loss_scale scale, float *loss, void *user) {
    step *s = (step *)user;
    float scaled[2];
    CHECK(bits_of(loss) == 0, "the loss is 0 before");
    s->seen[s->evaluations++] = mpx_loss_scale_value(scale);
    if (s->evaluations == s->fails) return -777;
    *loss = mpx_loss_scale_scale(scale, s->loss);
    scaled[0] = mpx_loss_scale_scale(scale, s->grad);
    scaled[1] = mpx_loss_scale_scale(scale, 0.5f);
    return mpx_cast(s->low, MPX_F16, scaled, MPX_F32, 2);
}

typedef struct trees {
    mpx_leaf low[2], grads[2], aux;
    mpx_grad_call call;
} trees;

static mpx_leaf leaf_of(const char *path, void *data, size_t count, mpx_dtype dtype) {
    mpx_leaf leaf;
    leaf.path = path, leaf.data = data, leaf.count = count, leaf.dtype = dtype;
    return leaf;
}

static void plant(trees *t, step *s, float loss, float grad, int redo) {
    memset(s, 0, sizeof *s);
    memset(t, 0, sizeof *t);
    s->loss = loss, s->grad = grad, s->number = 7;
    t->low[0] = leaf_of("w", s->low, 2, MPX_F16);
    t->grads[0] = leaf_of("w", s->grads, 2, MPX_F32);
    t->low[1] = t->grads[1] = leaf_of("n", &s->number, 1, MPX_I32);
    t->aux = leaf_of("metric", &s->metric, 1, MPX_F32);
    t->call.evaluate = evaluate, t->call.user = s;
    t->call.grads = mpx_tree_of_leaves(t->grads, 2);
    t->call.scaled_grads = mpx_tree_of_leaves(t->low, 2);
    t->call.aux = mpx_tree_of_leaves(&t->aux, 1);
    t->call.redo_on_nan = redo;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* 2^15 overflows f16 with a gradient of 8, 2^12 does not. */
static void test_redo(void) {
    int redo;
    for (redo = -1; redo <= 5; redo++) {
        trees t;
        step s;
        mpx_loss_scale scale = mpx_loss_scale_jaxamp(32768);
        mpx_grad_result result;
        int want = redo < 0 ? 1 : redo + 1 < 4 ? redo + 1 : 4, fine = want == 4, k;
        float lowered = 32768;
        plant(&t, &s, 3, 8, redo);
        t.call.check_loss = 1;
        CHECK(mpx_loss_scale_grad(&scale, &t.call, &result, NULL) == MPX_OK, "status");
        CHECK(result.evaluations == want && s.evaluations == want && result.finite == fine,
              "redo %d: %d evaluations, finite %d", redo, result.evaluations, result.finite);
        for (k = 0; k < want; k++, lowered /= 2)
            CHECK(bits_of(&s.seen[k]) == bits_of(&lowered), "evaluation %d has scale %g", k,
                  (double)s.seen[k]);
        if (fine) lowered *= 2; /* the success lowers nothing */
        CHECK(bits_of(&scale.scale) == bits_of(&lowered) && scale.counter == fine &&
                  scale.resets == want - fine,
              "redo %d: scale %g, counter %ld, resets %ld", redo, (double)scale.scale,
              (long)scale.counter, (long)scale.resets);
        CHECK(result.loss == 3 && s.grads[1] == 0.5f && (!fine || s.grads[0] == 8),
              "unscaled by the scale of their own evaluation");
        CHECK(s.number == 7, "integers stay");
    }
}

/* Which parts of a result count. */
static void check_finite(float loss, float metric, float grad, int in_grad, int in_value,
                         mpx_loss_scale scale) {
    int value;
    for (value = 0; value < 2; value++) {
        trees t;
        step s;
        mpx_loss_scale after = scale, want;
        mpx_grad_result result;
        mpx_status status;
        plant(&t, &s, loss, grad, 0);
        s.metric = metric;
        t.call.check_loss = value;
        status = mpx_loss_scale_grad(&after, &t.call, &result, NULL);
        CHECK(status == MPX_OK && result.finite == (value ? in_value : in_grad),
              "loss %08lx, metric %08lx, grad %08lx, value %d: finite %d",
              (unsigned long)bits_of(&loss), (unsigned long)bits_of(&metric),
              (unsigned long)bits_of(&grad), value, result.finite);
        want = mpx_loss_scale_adjust(scale, value ? in_value : in_grad);
        CHECK(bits_of(&after.scale) == bits_of(&want.scale) && after.counter == want.counter,
              "adjusted by it");
        CHECK(bits_of(&s.metric) == bits_of(&metric), "aux is only looked at");
    }
}

static void test_what_counts(void) {
    mpx_loss_scale j = mpx_loss_scale_jaxamp(1024), axon = mpx_loss_scale_axon(1024);
    check_finite(3, 1, 1, 1, 1, j);
    check_finite(INF, 1, 1, 1, 0, j); /* the loss counts where it is asked for */
    check_finite(NOT_A_NUMBER, 1, 1, 1, 0, j);
    check_finite(3, NOT_A_NUMBER, 1, 0, 0, j);
    check_finite(3, INF, 1, 0, 0, j);
    check_finite(3, 1, NOT_A_NUMBER, 0, 0, j);
    check_finite(3, 1, INF, 0, 0, j);
    check_finite(NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER, 1, 1, axon);
    check_finite(-INF, 1, 1, 1, 0, axon);
    check_finite(3, INF, 1, 0, 0, axon);
    check_finite(3, 1, -INF, 0, 0, axon);
    check_finite(3, 1, INF, 0, 0, mpx_loss_scale_noop());
}

/* No result wanted, no aux, gradients unscaled in place. */
static void test_bare(void) {
    trees t;
    step s;
    mpx_loss_scale scale = mpx_loss_scale_dynamic(1024);
    plant(&t, &s, 3, 1, MPX_REDO_ON_NAN);
    memset(&t.call.aux, 0, sizeof t.call.aux);
    t.call.grads = t.call.scaled_grads;
    CHECK(mpx_loss_scale_grad(&scale, &t.call, NULL, NULL) == MPX_OK && s.evaluations == 1 &&
              s.low[0] == 0x3c00 && s.low[1] == 0x3800 && scale.counter == 1,
          "in place");
}

static void test_failing(void) {
    trees t;
    step s;
    mpx_loss_scale scale = mpx_loss_scale_jaxamp(32768), before = scale;
    mpx_grad_result result;
    mpx_error err;
    int fails;
    for (fails = 1; fails <= 3; fails++) { /* the third after two that were not finite */
        plant(&t, &s, 3, 8, 10);
        s.fails = fails;
        memset(&result, 0x5a, sizeof result);
        memset(&err, 0x5a, sizeof err);
        CHECK(mpx_loss_scale_grad(&scale, &t.call, &result, &err) == -777 &&
                  s.evaluations == fails,
              "the callback's own status");
        CHECK(err.status == -777 && err.index == (size_t)-1 && err.path[0] == '\0', "of no leaf");
        CHECK(memcmp(&scale, &before, sizeof scale) == 0 && result.evaluations == 0x5a5a5a5a,
              "state and result stay");
        CHECK(mpx_loss_scale_grad(&scale, &t.call, NULL, NULL) != 0 ||
                  fails < s.evaluations,
              "NULL");
        scale = before;
    }
    plant(&t, &s, 3, 8, 10);
    t.grads[0].count = 1;
    CHECK(mpx_loss_scale_grad(&scale, &t.call, &result, &err) == MPX_ERR_STRUCTURE &&
              err.index == 0 && s.evaluations == 1 && bits_of(&s.grads[0]) == 0,
          "trees that differ");
    plant(&t, &s, 3, 8, 10);
    t.aux.dtype = 99;
    CHECK(mpx_loss_scale_grad(&scale, &t.call, &result, &err) == MPX_ERR_DTYPE, "a bad aux tree");
    CHECK(memcmp(&scale, &before, sizeof scale) == 0, "the state stays");
}

/* ---- filtered trees -------------------------------------------------------------------------- */

static int keeps_name(const mpx_leaf *leaf, void *user) {
    return strcmp(leaf->path, (const char *)user) != 0;
}

typedef struct node {
    float w[2];
    void *typed;
    size_t typed_count;
    mpx_dtype typed_dtype;
} node;
static const mpx_field node_fields[] = {
    MPX_LEAF(node, w, float, MPX_F32),
    MPX_LEAF_TYPED(node, typed, typed_count, typed_dtype),
};

/* A leaf that is frozen has no gradient: neither looked at nor written. */
static void test_frozen(void) {
    char frozen[] = "w";
    trees t;
    step s;
    mpx_tree_filter grads, low;
    mpx_loss_scale scale = mpx_loss_scale_jaxamp(32768);
    mpx_grad_result result;
    plant(&t, &s, 3, 8, 0);
    grads.tree = t.call.grads, grads.keep = keeps_name, grads.user = frozen;
    low = grads, low.tree = t.call.scaled_grads;
    t.call.grads = mpx_tree_where(&grads), t.call.scaled_grads = mpx_tree_where(&low);
    CHECK(mpx_loss_scale_grad(&scale, &t.call, &result, NULL) == MPX_OK && result.finite,
          "the Inf of a frozen leaf");
    CHECK(s.low[0] == 0x7c00 && bits_of(&s.grads[0]) == 0, "not written");
}

/* A leaf, and then an error. */
static int next_fails(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    if (at->index[0]++ != 0) return MPX_ERR_CALLBACK;
    *leaf = mpx_leaf_of("w", tree, 1, MPX_U8);
    return 1;
}

static void test_filters(void) {
    char w[] = "w", typed[] = "typed";
    float data[3] = { 1, 2, 70000 };
    node object;
    mpx_tree_filter one, two;
    mpx_tree tree;
    mpx_tree_size size;
    mpx_cursor at;
    mpx_leaf leaf;
    mpx_error err;
    object.typed = data, object.typed_count = 3, object.typed_dtype = MPX_F32;
    object.w[0] = object.w[1] = 1;
    one.tree = MPX_TREE_OF_STRUCT(&object, node_fields);
    one.keep = NULL, one.user = NULL;
    CHECK(mpx_tree_measure(mpx_tree_where(&one), 0, &size, NULL) == MPX_OK && size.leaves == 2,
          "no test keeps all");
    one.keep = keeps_name, one.user = w;
    tree = mpx_tree_where(&one);
    memset(&at, 0, sizeof at);
    CHECK(mpx_tree_next(&tree, &at, &leaf) == 1 && strcmp(leaf.path, "typed") == 0 &&
              mpx_tree_next(&tree, &at, &leaf) == 0,
          "one leaf is left");
    CHECK(mpx_tree_cast_in_place(tree, MPX_F16, NULL) == MPX_OK && object.typed_dtype == MPX_F16 &&
              ((uint16_t *)(void *)data)[2] == 0x7c00,
          "cast in place through the filter");
    two.tree = tree, two.keep = keeps_name, two.user = typed;
    CHECK(mpx_tree_measure(mpx_tree_where(&two), 0, &size, NULL) == MPX_OK && size.leaves == 0,
          "a filter of a filter");
    memset(&one, 0, sizeof one);
    tree = mpx_tree_where(&one);
    CHECK(tree.retype == NULL && mpx_tree_measure(tree, 0, &size, NULL) == MPX_OK &&
              size.leaves == 0,
          "{0} is the empty tree");
    one.tree.next = next_fails, one.keep = keeps_name, one.user = w;
    CHECK(mpx_tree_measure(mpx_tree_where(&one), 0, &size, &err) == MPX_ERR_CALLBACK && err.index == 0 &&
              err.path[0] == '\0',
          "the error is not of the leaf that is left out: '%s'", err.path);
}

/* ---- Inf alone ------------------------------------------------------------------------------- */

/* Every code of formats of 8 and 16 bits among NaN: first and last, an Inf at every place. */
static void check_codes(mpx_dtype type) {
    static unsigned char data[600];
    mpx_dtype_facts facts = mpx_dtype_info(type);
    unsigned top = ((1u << facts.exponent_bits) - 1u) << facts.mantissa_bits, code, k;
    for (code = 0; code < 1u << facts.bits; code++) {
        int want = facts.has_inf && (code & ((1u << (facts.bits - 1)) - 1)) == top;
        uint16_t wide = (uint16_t)code;
        uint8_t narrow = (uint8_t)code;
        for (k = 0; k < 290; k += want ? 1 : 289) {
            memset(data, 0xff, sizeof data);
            if (facts.bits == 16) memcpy(data + 2 * k, &wide, 2);
            if (facts.bits == 8) data[k] = narrow;
            CHECK(mpx_any_infinite(data, type, 290) == want, "%s: %x at %u", facts.name, code, k);
        }
    }
}

static void test_any_infinite(void) {
    static const mpx_dtype types[] = { MPX_F16,    MPX_BF16,       MPX_F8E5M2,   MPX_F8E4M3FN,
                                       MPX_F8E4M3, MPX_F8E5M2FNUZ, MPX_F8E8M0FNU };
    size_t i;
    for (i = 0; i < sizeof types / sizeof types[0]; i++)
        check_codes(types[i]);
}

static void test_wide_infinite(void) {
    uint64_t f64[4] = { 0x7ff8000000000000u, 0x7fefffffffffffffu, 0, 0 };
    float f32[4] = { 0, 0, 0, 0 };
    uint32_t ints[2] = { 0x7f800000u, 0xffffffffu };
    int infinite = -1;
    mpx_leaf leaves[2];
    CHECK(!mpx_any_infinite(f64, MPX_F64, 4) && !mpx_any_infinite(f64, MPX_C128, 2), "f64");
    f64[3] = 0xfff0000000000000u;
    CHECK(mpx_any_infinite(f64, MPX_F64, 4) && !mpx_any_infinite(f64, MPX_F64, 3) &&
              mpx_any_infinite(f64, MPX_C128, 2) && !mpx_any_infinite(f64, MPX_C128, 1),
          "-Inf in f64, after NaN");
    f32[0] = NOT_A_NUMBER;
    CHECK(!mpx_any_infinite(f32, MPX_F32, 4) && !mpx_any_infinite(f32, MPX_C64, 2), "f32");
    f32[3] = -INF;
    CHECK(mpx_any_infinite(f32, MPX_F32, 4) && mpx_any_infinite(f32, MPX_C64, 2) &&
              !mpx_any_infinite(f32, MPX_C64, 1),
          "-Inf in f32");
    CHECK(!mpx_any_infinite(ints, MPX_I32, 2) && !mpx_any_infinite(ints, 99, 2) &&
              !mpx_any_infinite(NULL, MPX_F32, 0),
          "nothing that could be Inf");
    leaves[0] = leaf_of("a", ints, 2, MPX_I32), leaves[1] = leaf_of("b", f32, 4, MPX_F32);
    CHECK(mpx_tree_any_infinite(mpx_tree_of_leaves(leaves, 2), &infinite, NULL) == MPX_OK &&
              infinite == 1,
          "a tree");
    CHECK(mpx_tree_any_infinite(mpx_tree_of_leaves(leaves, 1), &infinite, NULL) == MPX_OK &&
              infinite == 0,
          "a tree of integers");
    leaves[1].dtype = 99, infinite = 5;
    CHECK(mpx_tree_any_infinite(mpx_tree_of_leaves(leaves, 2), &infinite, NULL) == MPX_ERR_DTYPE &&
              infinite == 5,
          "a bad leaf");
}

/* The loss is unscaled where it is not looked at, too. */
static mpx_status eight(mpx_loss_scale s, float *loss, void *user) {
    (void)user;
    *loss = 8 * s.scale;
    return MPX_OK;
}

static void test_loss_of_grad(void) {
    mpx_loss_scale s = mpx_loss_scale_dynamic(1024);
    mpx_grad_call call;
    mpx_grad_result result;
    memset(&call, 0, sizeof call);
    call.evaluate = eight;
    CHECK(mpx_loss_scale_grad(&s, &call, &result, NULL) == MPX_OK && result.loss == 8, "%g",
          (double)result.loss);
}

/* The sentence for a status of the callback's says no more than the status: it is of no leaf. */
static mpx_status answers(mpx_loss_scale s, float *loss, void *user) {
    (void)s;
    (void)loss;
    return (mpx_status)*(const int *)user;
}

static void test_sentences(void) {
    mpx_loss_scale s = mpx_loss_scale_noop();
    mpx_grad_call call;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    int status;
    memset(&call, 0, sizeof call);
    call.evaluate = answers;
    call.user = &status;
    for (status = MPX_ERR_FORMAT; status <= MPX_WARN_OVERFLOW; status++) {
        if (status == MPX_OK) continue;
        CHECK(mpx_loss_scale_grad(&s, &call, NULL, &err) == status, "status %d", status);
        (void)mpx_error_format(&err, NULL, text, sizeof text);
        CHECK(strcmp(text, mpx_status_string((mpx_status)status)) == 0, "%d: %s", status, text);
    }
}

/* Auxiliary values of a dtype that is none are an error under Axon's finite test too. */
static void test_bad_aux(void) {
    static float x;
    mpx_leaf bad = leaf_of("aux", &x, 1, (mpx_dtype)99);
    mpx_loss_scale s = mpx_loss_scale_axon(2);
    mpx_grad_call call;
    memset(&call, 0, sizeof call);
    call.evaluate = eight;
    call.aux = mpx_tree_of_leaves(&bad, 1);
    CHECK(mpx_loss_scale_grad(&s, &call, NULL, NULL) == MPX_ERR_DTYPE, "a bad leaf");
}

int main(void) {
    test_bad_aux();
    test_sentences();
    test_redo();
    test_what_counts();
    test_bare();
    test_failing();
    test_frozen();
    test_filters();
    test_any_infinite();
    test_wide_infinite();
    test_loss_of_grad();
    return test_done("test_scaled_grad");
}
