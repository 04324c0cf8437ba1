/* Steps of optimizers against the formulas in double, against PyTorch's results, and against
   themselves: in pieces, as trees, in other floating-point modes, at other places. What is written
   where, what is skipped, what is refused; how parameters without a master are rounded. */
#define MPX_COMPUTE 1
#include "test.h"
#include "fpmode.h"
#include <float.h>
#include <math.h>

enum { MOST = 1100, ROOM = 4 * MOST + 64, CANARY = 0xa5 };
static const double unit = 1.0 / 16777216; /* 2^-24 */

static float of_bits(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static uint32_t state = 1;
static uint32_t next_random(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
/* Of both signs, over some powers of two, sometimes zero. */
static float any_float(int lowest, int highest) {
    const int e = lowest + (int)(next_random() % (uint32_t)(highest - lowest + 1));
    const float x = (float)ldexp(1.0 + next_random() / 16777216.0, e);
    return next_random() % 16 == 0 ? 0 : next_random() % 2 != 0 ? x : -x;
}

/* ---- arrays, each in a buffer of bytes with room around it ----------------------------------- */

typedef struct model {
    unsigned char param[ROOM], master[ROOM], m[ROOM], v[ROOM], grad[ROOM];
    float gs[MOST], ps[MOST]; /* gradients and parameters before, as f32 */
    mpx_optimizer_arrays a;
} model;
static model one, other, before;

static size_t size_of(mpx_dtype type) { return (size_t)mpx_dtype_bits(type) / 8; }
/* A pointer `shift` bytes past the start and a canary of 16. */
static void *place(unsigned char *room, size_t shift) { return room + 16 + shift; }

/* param_type MPX_NONE: a master alone. */
static void plant(model *x, size_t n, size_t shift, mpx_dtype param_type, int has_master,
                  mpx_dtype grad_type, float scale) {
    float ms[MOST], vs[MOST];
    size_t i;
    memset(x, CANARY, sizeof *x);
    memset(&x->a, 0, sizeof x->a);
    x->a.n = n;
    x->a.param_type = param_type;
    x->a.grad_type = grad_type;
    x->a.param = param_type != MPX_NONE ? place(x->param, shift) : NULL;
    x->a.master = has_master ? (float *)place(x->master, shift) : NULL;
    x->a.m = (float *)place(x->m, shift);
    x->a.v = (float *)place(x->v, shift);
    x->a.grad = place(x->grad, shift);
    for (i = 0; i < n; i++) {
        x->gs[i] = any_float(-6, 1) * scale;
        x->ps[i] = any_float(-8, 3);
        ms[i] = any_float(-8, 0);
        vs[i] = (float)fabs((double)any_float(-16, 0));
    }
    (void)mpx_cast(place(x->grad, shift), grad_type, x->gs, MPX_F32, n);
    (void)mpx_cast(x->gs, MPX_F32, x->a.grad, grad_type, n);
    if (param_type != MPX_NONE) (void)mpx_cast(x->a.param, param_type, x->ps, MPX_F32, n);
    if (!has_master) (void)mpx_cast(x->ps, MPX_F32, x->a.param, param_type, n);
    if (has_master) memcpy(place(x->master, shift), x->ps, n * 4);
    memcpy(place(x->m, shift), ms, n * 4);
    memcpy(place(x->v, shift), vs, n * 4);
}
/* With a copy's own pointers. */
static void copy_model(model *to, const model *from) {
    const size_t shift = (size_t)((const unsigned char *)from->a.m - from->m) - 16;
    memcpy(to, from, sizeof *to);
    if (to->a.param != NULL) to->a.param = place(to->param, shift);
    if (to->a.master != NULL) to->a.master = (float *)place(to->master, shift);
    to->a.m = (float *)place(to->m, shift);
    to->a.v = (float *)place(to->v, shift);
    to->a.grad = place(to->grad, shift);
}
static int same_models(const model *x, const model *y) {
    return memcmp(x->param, y->param, ROOM) == 0 && memcmp(x->master, y->master, ROOM) == 0 &&
           memcmp(x->m, y->m, ROOM) == 0 && memcmp(x->v, y->v, ROOM) == 0 &&
           memcmp(x->grad, y->grad, ROOM) == 0;
}
static float float_at(const void *p, size_t i) {
    float x;
    memcpy(&x, (const unsigned char *)p + 4 * i, sizeof x);
    return x;
}

/* ---- the formulas in double ------------------------------------------------------------------ */

typedef struct numbers {
    double m, v, p, m_sum, p_step; /* results, and the sums of magnitudes that bounds are made of */
} numbers;

static double usual(double x, double otherwise) { return x == 0 ? otherwise : x; }
/* clip: the factor. opt->step: steps before this one. */
static numbers want(const mpx_optimizer *opt, double g, double p, double m, double v, double clip,
                    int no_decay) {
    const double decay = no_decay ? 0 : opt->weight_decay, t = (double)opt->step + 1,
                 beta1 = usual(opt->beta1, 0.9), beta2 = usual(opt->beta2, 0.999),
                 size = opt->lr / (1 - pow(beta1, t)), eps = usual(opt->eps, 1e-8);
    double g_sum, below;
    numbers w;
    g = g / usual((double)opt->loss_scale, 1) * clip;
    g_sum = fabs(g);
    if (opt->kind != MPX_OPTIMIZER_ADAMW) {
        g += decay * p;
        g_sum += fabs(decay * p);
    }
    if (opt->kind == MPX_OPTIMIZER_SGD) {
        w.m = opt->momentum * m + g;
        w.v = v;
        w.m_sum = opt->momentum * fabs(m) + g_sum;
        w.p = p - opt->lr * (opt->nesterov ? g + opt->momentum * w.m : w.m);
        w.p_step = opt->lr * (opt->nesterov ? g_sum + opt->momentum * w.m_sum : w.m_sum);
        if (opt->momentum == 0) w.m = m;
        return w;
    }
    w.m = beta1 * m + (1 - beta1) * g;
    w.m_sum = beta1 * fabs(m) + (1 - beta1) * g_sum;
    w.v = beta2 * v + (1 - beta2) * g * g;
    below = sqrt(w.v) / sqrt(1 - pow(beta2, t)) + eps;
    if (opt->kind == MPX_OPTIMIZER_ADAMW) p *= 1 - opt->lr * decay;
    w.p = p - size * w.m / below;
    w.p_step = size * w.m_sum / below;
    return w;
}
/* v is made of g * g: where ADAM's weight decay cancels g, of more than it is. */
static double v_slack(const mpx_optimizer *opt, const numbers *w, double m) {
    const double beta1 = usual(opt->beta1, 0.9),
                 g_sum = (w->m_sum - beta1 * fabs(m)) / (1 - beta1);
    return opt->kind == MPX_OPTIMIZER_ADAM
               ? (1 - usual(opt->beta2, 0.999)) * g_sum * g_sum
               : 0;
}

/* One step of `one` against the formulas; the bounds are those of api.h. clip: the factor. */
static double worst_m, worst_v, worst_p;
static void check_step(mpx_optimizer *opt, double clip, const char *what) {
    mpx_optimizer was = *opt;
    const mpx_optimizer_arrays *a = &one.a;
    unsigned char low[ROOM];
    int finite = 7;
    size_t i;
    mpx_status status;
    copy_model(&before, &one);
    status = mpx_optimizer_step(opt, a, 1, &finite, NULL);
    CHECK(status == MPX_OK && finite == 1 && opt->step == was.step + 1, "%s: %d, finite %d", what,
          (int)status, finite);
    for (i = 0; i < a->n; i++) {
        const double m = (double)float_at(before.a.m, i), v = (double)float_at(before.a.v, i);
        const numbers w = want(&was, (double)one.gs[i], (double)one.ps[i], m, v, clip, a->no_decay);
        const double v_sum = w.v + v_slack(&was, &w, m);
        double error;
        if (was.kind != MPX_OPTIMIZER_SGD || was.momentum != 0) {
            error = fabs((double)float_at(a->m, i) - w.m) / unit / (w.m_sum + 1e-30);
            if (error > worst_m) worst_m = error;
            CHECK(error <= 8, "%s: m[%d] of %d is %g, %g wanted: %g u", what, (int)i, (int)a->n,
                  (double)float_at(a->m, i), w.m, error);
        }
        if (was.kind != MPX_OPTIMIZER_SGD) {
            error = fabs((double)float_at(a->v, i) - w.v) / unit / (v_sum + 1e-30);
            if (error > worst_v) worst_v = error;
            CHECK(error <= 12, "%s: v[%d] of %d is %g, %g wanted: %g u", what, (int)i, (int)a->n,
                  (double)float_at(a->v, i), w.v, error);
        }
        if (a->master != NULL || a->param_type == MPX_F32) {
            const float p = float_at(a->master != NULL ? (void *)a->master : a->param, i);
            error = fabs((double)p - w.p) / unit /
                    (4 * fabs((double)one.ps[i]) +
                     24 * w.p_step * (w.v > 0 ? v_sum / w.v : 1) + 1e-30);
            if (error > worst_p) worst_p = error;
            CHECK(error <= 1, "%s: p[%d] of %d is %.9g, %.9g wanted: %g of the bound", what, (int)i,
                  (int)a->n, (double)p, w.p, error);
        }
    }
    if (a->master != NULL && a->param != NULL) {
        (void)mpx_cast(low, a->param_type, a->master, MPX_F32, a->n);
        CHECK(memcmp(low, a->param, a->n * size_of(a->param_type)) == 0, "%s: the copy", what);
    }
    /* Nothing else has changed. */
    {
        const size_t shift = (size_t)((unsigned char *)a->m - one.m);
        if (was.kind != MPX_OPTIMIZER_SGD || was.momentum != 0)
            memcpy(before.m + shift, one.m + shift, a->n * 4);
        if (was.kind != MPX_OPTIMIZER_SGD) memcpy(before.v + shift, one.v + shift, a->n * 4);
        if (a->master != NULL) memcpy(before.master + shift, one.master + shift, a->n * 4);
        if (a->param != NULL)
            memcpy(before.param + shift, one.param + shift, a->n * size_of(a->param_type));
    }
    CHECK(same_models(&one, &before), "%s: bytes around the arrays, n %d", what, (int)a->n);
}

static mpx_optimizer optimizer_of(int i) {
    mpx_optimizer opt;
    memset(&opt, 0, sizeof opt);
    opt.lr = 0.0123;
    switch (i) {
    case 0: break;
    case 1: opt.weight_decay = 0.1, opt.step = 3; break;
    case 2: opt.kind = MPX_OPTIMIZER_ADAM, opt.weight_decay = 0.05, opt.step = 1000; break;
    case 3: opt.kind = MPX_OPTIMIZER_ADAM, opt.beta1 = 0.8, opt.beta2 = 0.95, opt.eps = 1e-3; break;
    case 4: opt.kind = MPX_OPTIMIZER_SGD, opt.weight_decay = 0.01; break;
    case 5: opt.kind = MPX_OPTIMIZER_SGD, opt.momentum = 0.9; break;
    case 6: opt.kind = MPX_OPTIMIZER_SGD, opt.momentum = 0.7, opt.nesterov = 1,
            opt.weight_decay = 0.3; break;
    default: opt.kind = MPX_OPTIMIZER_SGD, opt.nesterov = 1; break;
    }
    return opt;
}
enum { OPTIMIZERS = 8 };
static const mpx_dtype grad_types[] = { MPX_F32, MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
static const mpx_dtype param_types[] = { MPX_BF16, MPX_F16, MPX_F32, MPX_F8E4M3FN, MPX_NONE };

static void test_formulas(void) {
    static const size_t sizes[] = { 0, 1, 7, 15, 16, 17, 31, 33, 64, 65, 127, 511, 512, 513, 1000 };
    size_t s, g, p;
    int i;
    for (i = 0; i < OPTIMIZERS; i++)
        for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (g = 0; g < 5; g++)
                for (p = 0; p < 5; p++) {
                    mpx_optimizer opt = optimizer_of(i);
                    char what[64];
                    if ((s + g + p) % 3 != 0 && sizes[s] > 64) continue;
                    sprintf(what, "optimizer %d, grad %d, param %d", i, (int)g, (int)p);
                    opt.loss_scale = g % 2 != 0 ? 8.0f : g == 2 ? 3.0f : 0;
                    plant(&one, sizes[s], (s + p) % 5, param_types[p], 1, grad_types[g],
                          opt.loss_scale != 0 ? opt.loss_scale : 1);
                    one.a.no_decay = (s + p) % 4 == 1;
                    opt.rounding = MPX_ROUND_STOCHASTIC; /* copies of masters are to nearest */
                    check_step(&opt, 1, what);
                    memcpy(one.ps, (const unsigned char *)(const void *)one.a.master, one.a.n * 4);
                    check_step(&opt, 1, what); /* one more */
                }
    /* f32 without a master, and with no copy. */
    for (i = 0; i < OPTIMIZERS; i++) {
        mpx_optimizer opt = optimizer_of(i);
        plant(&one, 333, 3, MPX_F32, 0, MPX_BF16, 1);
        check_step(&opt, 1, "f32 without a master");
    }
    if (getenv("SHOW") != NULL) printf("worst: m %g u, v %g u, p %g\n", worst_m, worst_v, worst_p);
}

/* Ten steps of torch.optim, PyTorch 2.13, in f32; the last after clip_grad_norm_ to 0.5. */
static void test_pytorch(void) {
    static const uint32_t wanted[][6] = {
        { 0xbf1accceu, 0xbe9d999au, 0x3db66666u, 0x3ec59999u, 0x3f486664u, 0x3f970001u },
        { 0xbefed290u, 0xbe92a58eu, 0x3df450f4u, 0x3eb839b0u, 0x3f4aaeaeu, 0x3f8d8779u },
        { 0xbf05c57du, 0xbe91fabfu, 0x3ddd8241u, 0x3eb75944u, 0x3f42dcffu, 0x3f8debe4u },
        { 0xbf2309edu, 0xbe9ca8c0u, 0x3d9cf839u, 0x3ece258du, 0x3f4b8e44u, 0x3f91fb5fu },
        { 0xbf1d669du, 0xbea37e19u, 0x3dc2aa7du, 0x3ec8a89du, 0x3f52a324u, 0x3f9332f7u },
        { 0xbf2d8c65u, 0xbea07f61u, 0x3d89443au, 0x3edcf406u, 0x3f505a7cu, 0x3f9765a6u },
        { 0xbf1bdeacu, 0xbe9b175bu, 0x3da4d9c5u, 0x3ecad32du, 0x3f4c5b5cu, 0x3f90f555u },
    };
    size_t row, i, t;
    for (row = 0; row < sizeof wanted / sizeof wanted[0]; row++) {
        float p[6], g[6], m[6] = { 0 }, v[6] = { 0 };
        mpx_optimizer_arrays a;
        mpx_optimizer opt;
        memset(&a, 0, sizeof a);
        memset(&opt, 0, sizeof opt);
        a.param = p, a.param_type = MPX_F32, a.m = m, a.v = v, a.n = 6;
        a.grad = g, a.grad_type = MPX_F32;
        if (row < 3) opt.kind = MPX_OPTIMIZER_SGD;
        if (row == 0) opt.lr = 0.1;
        if (row == 1) opt.lr = 0.05, opt.momentum = 0.9, opt.weight_decay = 0.01;
        if (row == 2)
            opt.lr = 0.05, opt.momentum = 0.8, opt.weight_decay = 0.02, opt.nesterov = 1;
        if (row == 3) opt.kind = MPX_OPTIMIZER_ADAM, opt.lr = 0.01, opt.weight_decay = 0.1;
        if (row == 4) opt.lr = 0.02, opt.weight_decay = 0.01;
        if (row == 5) opt.lr = 0.003, opt.beta1 = 0.8, opt.beta2 = 0.95, opt.eps = 1e-4;
        if (row == 6) opt.lr = 0.02, opt.weight_decay = 0.1, opt.max_norm = 0.5f;
        for (i = 0; i < 6; i++) p[i] = ((float)i - 2) * 0.375f + 0.0625f;
        for (t = 0; t < 10; t++) {
            for (i = 0; i < 6; i++) g[i] = (float)((int)((t * 37 + i * 101) % 64) - 31) / 64.0f;
            (void)mpx_optimizer_step(&opt, &a, 1, NULL, NULL);
        }
        for (i = 0; i < 6; i++) {
            const double got = (double)p[i], wish = (double)of_bits(wanted[row][i]),
                         /* PyTorch's clipping adds 1e-6 to the norm */
                         slack = row == 6 ? 1e-6 : 10 * unit;
            CHECK(fabs(got - wish) <= slack, "row %d: p[%d] is %.9g, PyTorch has %.9g", (int)row,
                  (int)i, got, wish);
        }
        CHECK(opt.step == 10, "steps");
    }
}

/* ---- unscaling and clipping ------------------------------------------------------------------ */

/* A loss scale that is a power of two changes no bit. */
static void test_powers_of_two(void) {
    static const int powers[] = { -100, -20, 1, 16, 100, 126, 127 };
    size_t k;
    int i;
    for (k = 0; k < sizeof powers / sizeof powers[0]; k++)
        for (i = 0; i < OPTIMIZERS; i++) {
            mpx_optimizer opt = optimizer_of(i), plain = opt;
            const float scale = (float)ldexp(1, powers[k]);
            float gs[MOST];
            size_t j;
            plant(&one, 100, 0, MPX_BF16, 1, MPX_F32, 0.25f);
            for (j = 0; j < 100; j++) /* in range with the scale */
                one.gs[j] = powers[k] > 100 ? (float)ldexp((double)one.gs[j], -24) : one.gs[j];
            memcpy(place(one.grad, 0), one.gs, 400);
            copy_model(&other, &one);
            for (j = 0; j < 100; j++) gs[j] = one.gs[j] * scale;
            memcpy(place(one.grad, 0), gs, 400);
            opt.loss_scale = scale;
            (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL);
            (void)mpx_optimizer_step(&plain, &other.a, 1, NULL, NULL);
            memcpy(one.grad, other.grad, ROOM);
            CHECK(same_models(&one, &other), "loss scale 2^%d, optimizer %d", powers[k], i);
        }
}
/* By others it divides: SGD from 0 with a rate of 1 shows the quotients. */
static void test_quotients(void) {
    const float scales[] = { 3, of_bits(0x3f800001u) };
    size_t i, k;
    for (k = 0; k < sizeof scales / sizeof scales[0]; k++) {
        mpx_optimizer opt;
        mpx_error err = test_any_error(), none;
        memset(&none, 0, sizeof none);
        memset(&opt, 0, sizeof opt);
        opt.kind = MPX_OPTIMIZER_SGD, opt.lr = 1, opt.loss_scale = scales[k];
        plant(&one, 1000, 0, MPX_NONE, 1, MPX_F32, 1);
        memset(one.a.master, 0, 4000);
        one.gs[0] = 1.5f; /* times the reciprocal of the second, it is halfway between two floats */
        memcpy(place(one.grad, 0), one.gs, 4);
        (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, &err);
        CHECK(memcmp(&err, &none, sizeof err) == 0, "an error where there is none");
        for (i = 0; i < 1000; i++) {
            const float wish = (float)-((double)one.gs[i] / (double)scales[k]), got = float_at(one.a.master, i);
            CHECK(got == wish, "%g / %.8g: %.9g", (double)one.gs[i], (double)scales[k], (double)got);
        }
    }
}
static void test_clip(void) {
    static const float scales[] = { 0, 1024, 3, 0.375f };
    size_t s, g;
    int i, most;
    for (i = 0; i < OPTIMIZERS; i++)
        for (s = 0; s < 4; s++)
            for (g = 0; g < 5; g++)
                for (most = 0; most < 3; most++) {
                    mpx_optimizer opt = optimizer_of(i);
                    const double scale = usual((double)scales[s], 1);
                    double sum = 0, norm, factor;
                    size_t j;
                    if (grad_types[g] == MPX_F8E4M3FN && s == 1) continue;
                    opt.loss_scale = scales[s];
                    opt.max_norm = most == 0 ? 0.5f : most == 1 ? 1e6f : of_bits(0x7f800000u);
                    plant(&one, 500 + s, 1, MPX_BF16, 1, grad_types[g], (float)scale);
                    for (j = 0; j < one.a.n; j++)
                        sum += (double)one.gs[j] * (double)one.gs[j];
                    norm = sqrt(sum) / scale;
                    factor = norm > (double)opt.max_norm ? (double)opt.max_norm / norm : 1;
                    check_step(&opt, factor, "clipped");
                    CHECK(fabs(opt.norm - norm) <= 1e-13 * norm, "norm %g, %g wanted", opt.norm, norm);
                    CHECK((factor < 1) == (most == 0), "the test clips");
                }
}
/* The norm is that of all arrays. */
static void test_clip_all(void) {
    mpx_optimizer_arrays both[2];
    mpx_optimizer opt = optimizer_of(0);
    double sum, more;
    plant(&one, 300, 0, MPX_BF16, 1, MPX_BF16, 1);
    plant(&other, 77, 0, MPX_F16, 1, MPX_F32, 1);
    both[0] = one.a, both[1] = other.a;
    opt.max_norm = 1;
    (void)mpx_sum_squares(one.a.grad, MPX_BF16, 300, &sum);
    (void)mpx_sum_squares(other.a.grad, MPX_F32, 77, &more);
    (void)mpx_optimizer_step(&opt, both, 2, NULL, NULL);
    CHECK(fabs(opt.norm - sqrt(sum + more)) <= 1e-13 * opt.norm, "norm of two: %g", opt.norm);
}
/* Gradients so large that the factor times the rate is no float: the step is still lr * max_norm / norm of each. */
static void test_clip_much(void) {
    static const float grads[] = { 0x1p123f, -0x1p122f, 0x1.8p121f, 0 };
    int i;
    for (i = 4; i < OPTIMIZERS; i++) {
        mpx_optimizer opt = optimizer_of(i);
        float p[4] = { 0, 0, 0, 0 }, m[4] = { 0, 0, 0, 0 };
        mpx_optimizer_arrays a = { p, NULL, m, NULL, grads, 4, MPX_F32, MPX_F32, 0 };
        size_t k;
        opt.lr = 0x1p-30, opt.max_norm = 1;
        (void)mpx_optimizer_step(&opt, &a, 1, NULL, NULL);
        for (k = 0; k < 4; k++) {
            const double g = (double)grads[k] / opt.norm, by = opt.nesterov ? 1 + opt.momentum : 1;
            CHECK(fabs((double)p[k] + opt.lr * by * g) <= 24 * unit * opt.lr * by * fabs(g), "optimizer %d: p[%d] is %g",
                  i, (int)k, (double)p[k]);
        }
    }
}
/* Unscaled by a power of two, clipped by mpx_tree_clip and stepped gives the bits of one step. */
static void test_clip_first(void) {
    static float gs[MOST];
    int i, k;
    for (i = 0; i < OPTIMIZERS; i++)
        for (k = 0; k < 40; k++) {
            mpx_optimizer opt = optimizer_of(i), plain = opt;
            const mpx_dtype type = k % 2 ? MPX_BF16 : MPX_F16;
            mpx_leaf leaf;
            mpx_tree tree;
            double norm;
            opt.loss_scale = 64, opt.max_norm = 0.7f + 0.01f * (float)k;
            plant(&one, (size_t)(100 + 7 * k), 0, MPX_BF16, 1, type, 64);
            copy_model(&other, &one);
            leaf = mpx_leaf_of("", gs, one.a.n, MPX_F32), tree = mpx_tree_of_leaves(&leaf, 1);
            (void)mpx_unscale(gs, MPX_F32, one.a.grad, type, one.a.n, 64, NULL);
            (void)mpx_tree_clip(tree, tree, opt.max_norm, &norm, NULL);
            other.a.grad = gs, other.a.grad_type = MPX_F32;
            (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL);
            (void)mpx_optimizer_step(&plain, &other.a, 1, NULL, NULL);
            CHECK(opt.norm == norm && norm > (double)opt.max_norm, "the norm, %.17g", norm);
            CHECK(same_models(&one, &other), "clipped first, optimizer %d, %d", i, k);
        }
}

/* ---- steps that are skipped ------------------------------------------------------------------ */

static void check_skipped(mpx_optimizer *opt, const mpx_optimizer_arrays *arrays, size_t count,
                          const char *what) {
    const mpx_optimizer was = *opt;
    int finite = 7;
    mpx_status status;
    copy_model(&before, &one);
    status = mpx_optimizer_step(opt, arrays, count, &finite, NULL);
    CHECK(status == MPX_OK && finite == 0, "%s: %d, finite %d", what, (int)status, finite);
    CHECK(memcmp(&was, opt, sizeof was) == 0, "%s: the optimizer stays", what);
    CHECK(same_models(&one, &before), "%s: nothing is written", what);
}
static void test_skip(void) {
    static const uint32_t specials[] = { 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffa00000u };
    static const size_t places[] = { 0, 1, 15, 16, 63, 255, 256, 511, 512, 998, 999 };
    size_t g, s, k;
    int clips;
    for (g = 0; g < 5; g++)
        for (s = 0; s < 4; s++)
            for (k = 0; k < sizeof places / sizeof places[0]; k++)
                for (clips = 0; clips < 2; clips++) {
                    mpx_optimizer opt = optimizer_of((int)(k % OPTIMIZERS));
                    mpx_optimizer_arrays both[2];
                    const size_t size = size_of(grad_types[g]);
                    float special = of_bits(specials[s]);
                    if (clips) opt.max_norm = 1;
                    plant(&one, 1000, k % 3, MPX_BF16, 1, grad_types[g], 1);
                    (void)mpx_cast((unsigned char *)place(one.grad, k % 3) + places[k] * size,
                                   grad_types[g], &special, MPX_F32, 1);
                    plant(&other, 20, 0, MPX_BF16, 1, MPX_F32, 1);
                    both[0] = other.a, both[1] = one.a; /* the first is fine */
                    check_skipped(&opt, both, 2, "skipped");
                }
    { /* a quotient that overflows */
        mpx_optimizer opt = optimizer_of(0);
        float large = 3e38f;
        plant(&one, 40, 0, MPX_BF16, 1, MPX_F32, 1);
        memcpy((unsigned char *)place(one.grad, 0) + 4 * 39, &large, 4);
        opt.loss_scale = 0.5f;
        check_skipped(&opt, &one.a, 1, "overflow");
        opt.max_norm = 1;
        check_skipped(&opt, &one.a, 1, "overflow, clipped");
    }
    { /* the largest finite number is finite */
        mpx_optimizer opt = optimizer_of(4);
        const float large = of_bits(0x7f7fffffu);
        int finite = 7;
        plant(&one, 40, 0, MPX_BF16, 1, MPX_F32, 1);
        memcpy((unsigned char *)place(one.grad, 0) + 4 * 39, &large, 4);
        CHECK(mpx_optimizer_step(&opt, &one.a, 1, &finite, NULL) == MPX_OK && finite == 1 && opt.step == 1, "the largest");
    }
}
/* What is special among parameters and averages stays with its element. */
static void test_specials(void) {
    int i;
    for (i = 0; i < OPTIMIZERS; i++) {
        mpx_optimizer opt = optimizer_of(i), again = opt;
        const float inf = of_bits(0x7f800000u), nan = of_bits(0x7fc00000u), zero = 0;
        size_t j;
        plant(&one, 64, 0, MPX_BF16, 1, MPX_F32, 1);
        memset(place(one.grad, 0), 0, 8), memset(place(one.m, 0), 0, 8);
        memset(place(one.v, 0), 0, 8), one.gs[0] = one.gs[1] = 0;
        memcpy(one.a.master, &zero, 4), one.ps[0] = 0;
        copy_model(&other, &one);
        check_step(&opt, 1, "zeros");
        memcpy((unsigned char *)other.a.master + 12, &inf, 4);
        memcpy((unsigned char *)other.a.master + 40, &nan, 4);
        (void)mpx_optimizer_step(&again, &other.a, 1, NULL, NULL);
        CHECK(isinf(float_at(other.a.master, 3)) || isnan(float_at(other.a.master, 3)), "inf");
        CHECK(isnan(float_at(other.a.master, 10)), "nan");
        for (j = 0; j < 64; j++)
            CHECK(j == 3 || j == 10 ||
                      memcmp((unsigned char *)other.a.master + 4 * j,
                             (unsigned char *)one.a.master + 4 * j, 4) == 0,
                  "element %d", (int)j);
    }
    for (i = 0; i < 2 * OPTIMIZERS; i++) { /* Inf stays if no weight decay is added to its gradient: masks are so */
        mpx_optimizer opt = optimizer_of(i / 2);
        const float inf = of_bits(0x7f800000u), grads[] = { 0, 3, -2, 3 };
        float p[4] = { 0, 0, 0, 1 }, m[4] = { 0, 1, 2, 1 }, v[4] = { 0, 1, 2, 1 };
        mpx_optimizer_arrays a = { p, NULL, m, v, grads, 4, MPX_F32, MPX_F32, 0 };
        a.no_decay = opt.kind != MPX_OPTIMIZER_ADAMW || i % 2 != 0;
        p[0] = p[1] = inf, p[2] = -inf;
        CHECK(mpx_optimizer_step(&opt, &a, 1, NULL, NULL) == MPX_OK, "Inf");
        CHECK(p[0] == inf && p[1] == inf && p[2] == -inf, "optimizer %d: Inf is %g, %g, -Inf %g", i / 2, (double)p[0],
              (double)p[1], (double)p[2]);
        CHECK(m[0] == 0 && m[1] == m[3] && v[0] == 0 && v[1] == v[3], "optimizer %d: m and v of Inf: %g, %g", i / 2,
              (double)m[1], (double)v[1]);
    }
    for (i = 0; i < OPTIMIZERS; i++) { /* v becomes Inf, or has lost digits: a step of 0, or a usual one */
        mpx_optimizer opt = optimizer_of(i);
        const float grads[] = { 0x1p80f, 0x1p-62f };
        float p[2] = { 1, 1 }, m[2] = { 0, 0 }, v[2] = { 0, 0 };
        mpx_optimizer_arrays a = { p, NULL, m, v, grads, 2, MPX_F32, MPX_F32, 1 };
        if (opt.kind == MPX_OPTIMIZER_SGD) continue;
        opt.loss_scale = opt.max_norm = 0;
        opt.eps = 0x1p-80;
        CHECK(mpx_optimizer_step(&opt, &a, 1, NULL, NULL) == MPX_OK && isinf(v[0]), "v is Inf");
        CHECK(p[0] == 1, "optimizer %d: v is Inf: %g", i, (double)p[0]);
        CHECK(fabs(1 - (double)p[1]) < 4 * opt.lr, "optimizer %d: v is subnormal: %g", i, (double)p[1]);
    }
}

/* Without gradients m, and v beside a usual eps, become 0 below 2^-126, and nothing else does. */
static void test_fading(void) {
    static const float ms[] = { 0x1.0p-126f, -0x1.0p-126f, 0x1.2p-126f, -0x1.2p-126f, 0x1p-149f, 0x1p-125f, 0 };
    static const float vs[] = { 0x1.0p-126f, 0x1.02p-126f, 0x1p-140f, 0x1p-125f, 0, 0x1.008p-126f, 1 };
    enum { N = 7 };
    int i, small;
    for (i = 0; i < 2 * OPTIMIZERS; i++) {
        mpx_optimizer opt = optimizer_of(i / 2);
        const float nan = of_bits(0xffc00000u);
        float p[N + 1] = { 0 }, m[N + 1], v[N + 1], g[N + 1] = { 0 };
        mpx_optimizer_arrays a = { p, NULL, m, v, g, N + 1, MPX_F32, MPX_F32, 1 };
        size_t j;
        small = i % 2;
        opt.loss_scale = opt.max_norm = 0, opt.weight_decay = 0;
        opt.eps = small ? 0x1p-60 : 0;
        if (opt.momentum > 0) opt.momentum = 0.5; /* from 2^-125 to 2^-126, which stays */
        memcpy(m, ms, sizeof ms), memcpy(v, vs, sizeof vs), m[N] = v[N] = nan;
        CHECK(mpx_optimizer_step(&opt, &a, 1, NULL, NULL) == MPX_OK, "status");
        if (opt.kind != MPX_OPTIMIZER_SGD || opt.momentum > 0)
            CHECK(isnan(m[N]), "a NaN in m: %g", (double)m[N]);
        for (j = 0; j < N; j++) {
            const double beta1 = opt.kind == MPX_OPTIMIZER_SGD ? opt.momentum : opt.beta1 != 0 ? opt.beta1 : 0.9;
            const double beta2 = opt.beta2 != 0 ? opt.beta2 : 0.999;
            const double m1 = beta1 * (double)ms[j], v1 = beta2 * (double)vs[j];
            if (beta1 > 0)
                CHECK(fabs(m1) < 0x1p-126 ? m[j] == 0 : fabs((double)m[j] - m1) < 0x1p-148, "%d: m %a", i, (double)m[j]);
            if (opt.kind == MPX_OPTIMIZER_SGD) continue;
            CHECK(isnan(v[N]), "a NaN in v: %g", (double)v[N]);
            CHECK(v1 < 0x1p-126 && !small ? v[j] == 0 : fabs((double)v[j] - v1) <= v1 * 0x1p-22 + 0x1p-149,
                  "%d: v %a", i, (double)v[j]);
        }
    }
}

/* ---- parameters without a master ------------------------------------------------------------- */

static void test_no_master(void) {
    static const mpx_dtype types[] = { MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    size_t k, n;
    int rounding;
    for (k = 0; k < 4; k++)
        for (n = 1; n <= 1000; n = n * 3 + 1)
            for (rounding = MPX_ROUND_NEAREST; rounding <= MPX_ROUND_STOCHASTIC; rounding++) {
                mpx_optimizer opt = optimizer_of((int)(n % OPTIMIZERS)), same = opt;
                unsigned char low[ROOM];
                mpx_cast_options how;
                plant(&one, n, n % 3, types[k], 0, MPX_BF16, 1);
                copy_model(&other, &one);
                other.a.master = (float *)place(other.master, 0); /* the same in f32 */
                other.a.param = NULL;
                memcpy(other.a.master, one.ps, n * 4);
                opt.rounding = (mpx_rounding)rounding;
                opt.seed = 5;
                (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL);
                (void)mpx_optimizer_step(&same, &other.a, 1, NULL, NULL);
                memset(&how, 0, sizeof how);
                how.rounding = (mpx_rounding)rounding;
                how.random_seed = 5 + (uint64_t)same.step * 0x9e3779b97f4a7c15u -
                                  0x9e3779b97f4a7c15u;
                (void)mpx_cast_with(low, types[k], other.a.master, MPX_F32, n, &how);
                CHECK(memcmp(low, one.a.param, n * size_of(types[k])) == 0,
                      "type %d, n %d, rounding %d", (int)k, (int)n, rounding);
                CHECK(memcmp(one.m, other.m, ROOM) == 0 && memcmp(one.v, other.v, ROOM) == 0, "m, v");
            }
}
/* 200 steps of a sixteenth of a unit in the last place: to nearest nothing moves, at random the
   mean does. Of both arrays, which have random bits of their own. */
static void test_stochastic(void) {
    enum { N = 512, STEPS = 200 };
    static uint16_t p[2][N], q[N];
    static float g[N], mean;
    int rounding, t;
    size_t i;
    for (i = 0; i < N; i++) g[i] = 1;
    for (rounding = 0; rounding < 2; rounding++) {
        mpx_optimizer_arrays a[2];
        mpx_optimizer opt;
        double sum = 0;
        memset(&opt, 0, sizeof opt);
        memset(a, 0, sizeof a);
        opt.kind = MPX_OPTIMIZER_SGD, opt.lr = 1.0 / 4096; /* of bf16 from 2 to 4: 2^-6 */
        opt.rounding = rounding ? MPX_ROUND_STOCHASTIC : MPX_ROUND_NEAREST;
        for (i = 0; i < N; i++) p[0][i] = p[1][i] = 0x4060; /* 3.5 */
        for (i = 0; i < 2; i++) {
            a[i].param = p[i], a[i].param_type = MPX_BF16, a[i].n = N;
            a[i].grad = g, a[i].grad_type = MPX_F32;
        }
        for (t = 0; t < STEPS; t++) {
            memcpy(q, p[0], sizeof q);
            (void)mpx_optimizer_step(&opt, a, 2, NULL, NULL);
            if (rounding)
                CHECK(t < 3 || memcmp(q, p[0], sizeof q) != 0, "step %d has bits of its own", t);
        }
        for (i = 0; i < N; i++) (void)mpx_cast(&mean, MPX_F32, &p[0][i], MPX_BF16, 1), sum += (double)mean;
        sum /= (double)N;
        if (!rounding) CHECK(sum == 3.5, "to nearest: %g", sum);
        if (rounding) {
            /* standard deviation of one: 2^-6 * sqrt(200 / 16 * 15 / 16), of the mean that / 22 */
            CHECK(fabs(sum - (3.5 - (double)STEPS / 4096)) < 5 * 0.0156 * 3.4 / 22, "at random: %g", sum);
            CHECK(memcmp(p[0], p[1], sizeof p[0]) != 0, "two arrays");
        }
    }
}

/* ---- pieces, modes, trees -------------------------------------------------------------------- */

static size_t pieces;
static void backwards(size_t count, mpx_task_fn task, void *arg, void *user) {
    (void)user;
    pieces += count;
    while (count-- != 0) task(arg, count);
}
static void test_pieces(void) {
    int i, how;
    for (i = 0; i < OPTIMIZERS; i++)
        for (how = 0; how < 4; how++) { /* the last piece is long, or one element */
            const int no_master = how % 2;
            mpx_optimizer opt = optimizer_of(i), cut = opt;
            plant(&one, how < 2 ? 1099 : 769, 1, MPX_BF16, !no_master, MPX_BF16, 1);
            copy_model(&other, &one);
            opt.max_norm = cut.max_norm = 1;
            opt.rounding = cut.rounding = MPX_ROUND_STOCHASTIC;
            cut.parallel.run = backwards;
            cut.parallel.grain = 4096;
            pieces = 0;
            (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL);
            (void)mpx_optimizer_step(&cut, &other.a, 1, NULL, NULL);
            CHECK(pieces == 3, "%d pieces", (int)pieces);
            CHECK(same_models(&one, &other), "in pieces, optimizer %d", i);
            cut.parallel.grain = 0; /* one piece: not worth a task */
            pieces = 0;
            (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL);
            (void)mpx_optimizer_step(&cut, &other.a, 1, NULL, NULL);
            CHECK(pieces == 0 && same_models(&one, &other), "%d pieces, optimizer %d", (int)pieces, i);
        }
}
static void test_modes(void) {
    int i, mode;
    for (mode = 0; mode < FPMODES; mode++)
        for (i = 0; i < OPTIMIZERS; i++) {
            mpx_optimizer opt = optimizer_of(i), again = opt;
            opt.max_norm = again.max_norm = 1, opt.loss_scale = again.loss_scale = 3;
            plant(&one, 200, 1, MPX_BF16, 1, MPX_F16, 1e-6f);
            copy_model(&other, &one);
            (void)mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL);
            if (!fpmode_enter(&fpmodes[mode])) continue;
            (void)mpx_optimizer_step(&again, &other.a, 1, NULL, NULL);
            CHECK(fpmode_holds(&fpmodes[mode]), "%s: the mode holds", fpmodes[mode].name);
            fpmode_leave();
            if (!has_float_lanes() || FLT_EVAL_METHOD == 2) continue; /* x87 */
            CHECK(same_models(&one, &other), "%s, optimizer %d", fpmodes[mode].name, i);
            CHECK(memcmp(&opt, &again, sizeof opt) == 0, "%s: norm", fpmodes[mode].name);
        }
}

static int decays_but_b(const mpx_leaf *leaf, void *user) {
    return (void)user, strcmp(leaf->path, "b") != 0;
}
typedef struct leaves {
    mpx_leaf params[4], masters[4], m[4], v[4], grads[4];
    mpx_optimizer_trees trees;
} leaves;
static int32_t number = 7;
/* w of `one`, an integer, b of `other`, and a leaf of nothing. */
static void plant_trees(leaves *l, int has_masters) {
    const mpx_optimizer_arrays *a[2];
    size_t i;
    memset(l, 0, sizeof *l);
    a[0] = &one.a, a[1] = &other.a;
    for (i = 0; i < 4; i += 2) {
        const mpx_optimizer_arrays *x = a[i / 2];
        const char *path = i == 0 ? "w" : "b";
        l->params[i] = mpx_leaf_of(path, x->param, x->n, x->param_type);
        l->masters[i] = mpx_leaf_of(path, x->master, x->n, MPX_F32);
        l->m[i] = mpx_leaf_of(path, x->m, x->n, MPX_F32);
        l->v[i] = mpx_leaf_of(path, x->v, x->n, MPX_F32);
        l->grads[i] = mpx_leaf_of(path, x->grad, x->n, x->grad_type);
    }
    l->params[1] = l->masters[1] = l->m[1] = l->v[1] = l->grads[1] =
        mpx_leaf_of("n", &number, 1, MPX_I32);
    l->trees.params = mpx_tree_of_leaves(l->params, 4);
    if (has_masters) l->trees.masters = mpx_tree_of_leaves(l->masters, 4);
    l->trees.m = mpx_tree_of_leaves(l->m, 4);
    l->trees.v = mpx_tree_of_leaves(l->v, 4);
    l->trees.grads = mpx_tree_of_leaves(l->grads, 4);
    l->trees.decays = decays_but_b;
}
static void plant_two(int has_masters) {
    plant(&one, 600, 0, MPX_BF16, has_masters, MPX_BF16, 1);
    plant(&other, 33, 2, MPX_F16, has_masters, MPX_F32, 1);
}
static void test_trees(void) {
    static model as_array[2];
    int i, has_masters;
    for (i = 0; i < OPTIMIZERS; i++)
        for (has_masters = 0; has_masters < 2; has_masters++) {
            mpx_optimizer opt = optimizer_of(i), same;
            mpx_optimizer_arrays both[2];
            int finite = 7;
            mpx_status status;
            leaves l;
            plant_two(has_masters);
            copy_model(&as_array[0], &one), copy_model(&as_array[1], &other);
            plant_trees(&l, has_masters);
            if (i % 4 == 2) l.trees.decays = NULL; /* then all leaves decay */
            as_array[1].a.no_decay = l.trees.decays != NULL;
            both[0] = as_array[0].a, both[1] = as_array[1].a;
            opt.max_norm = 2, opt.rounding = MPX_ROUND_STOCHASTIC;
            same = opt;
            if (opt.kind == MPX_OPTIMIZER_SGD) memset(&l.trees.v, 0, sizeof l.trees.v);
            if (i % 2 == 1) l.masters[1] = l.m[1] = l.v[1] = l.grads[1] = mpx_leaf_of("n", NULL, 0, MPX_NONE);
            status = mpx_optimizer_step_tree(&opt, &l.trees, &finite, NULL);
            CHECK(status == MPX_OK && finite == 1, "tree: %d", (int)status);
            (void)mpx_optimizer_step(&same, both, 2, NULL, NULL);
            CHECK(same_models(&one, &as_array[0]) && same_models(&other, &as_array[1]),
                  "tree and arrays, optimizer %d", i);
            CHECK(memcmp(&opt, &same, sizeof opt) == 0, "the optimizer");
            CHECK(number == 7, "integers stay");
        }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static char sentence[MPX_ERROR_TEXT_SIZE];
static void check_tree_error(const leaves *l, mpx_status wanted, const char *path, const char *what) {
    mpx_optimizer opt = optimizer_of(0);
    mpx_error err = test_any_error();
    int finite = 7;
    const mpx_status status = mpx_optimizer_step_tree(&opt, &l->trees, &finite, &err);
    CHECK(status == wanted && err.status == wanted, "%s: %d", what, (int)status);
    CHECK(strcmp(err.path, path) == 0, "%s: path %s", what, err.path);
    (void)mpx_error_format(&err, NULL, sentence, sizeof sentence);
    CHECK(finite == 7 && opt.step == 0, "%s: untouched", what);
    CHECK(same_models(&one, &before), "%s: nothing is written", what);
}
static void test_tree_errors(void) {
    leaves l;
    plant_two(1);
    copy_model(&before, &one);
    plant_trees(&l, 1), l.m[2].count--;
    check_tree_error(&l, MPX_ERR_STRUCTURE, "b", "a count");
    CHECK(strcmp(sentence, "structures differ at leaf 2 'b'; in m") == 0, "%s", sentence);
    plant_trees(&l, 1), l.grads[2].path = "c";
    check_tree_error(&l, MPX_ERR_STRUCTURE, "c", "a path");
    plant_trees(&l, 1), l.trees.grads = mpx_tree_of_leaves(l.grads, 2);
    check_tree_error(&l, MPX_ERR_STRUCTURE, "b", "too few");
    plant_trees(&l, 1), l.trees.params = mpx_tree_of_leaves(l.params, 2);
    check_tree_error(&l, MPX_ERR_STRUCTURE, "b", "too many");
    plant_trees(&l, 1), l.v[2].dtype = MPX_BF16;
    check_tree_error(&l, MPX_ERR_DTYPE, "b", "v in bf16");
    CHECK(strcmp(sentence, "unknown or unusable dtype at leaf 2 'b': found bfloat16, expected float32; in v") == 0, "%s",
          sentence);
    plant_trees(&l, 1), l.grads[2].dtype = MPX_I32;
    check_tree_error(&l, MPX_ERR_DTYPE, "b", "an integer gradient");
    CHECK(strcmp(sentence, "unknown or unusable dtype at leaf 2 'b': found int32, expected a floating dtype; in grads")
          == 0, "%s", sentence);
    plant_trees(&l, 1), memset(&l.trees.v, 0, sizeof l.trees.v);
    check_tree_error(&l, MPX_ERR_ARGUMENT, "w", "no v");
    CHECK(strcmp(sentence, "bad argument at leaf 0 'w'; in v") == 0, "%s", sentence);
    plant_trees(&l, 1), l.params[2].dtype = MPX_F4E2M1FN;
    check_tree_error(&l, MPX_ERR_DTYPE, "b", "parameters of four bits");
    CHECK(strcmp(sentence, "unknown or unusable dtype at leaf 2 'b': found float4_e2m1fn; in params") == 0, "%s", sentence);
    plant_trees(&l, 1), memset(&l.trees.grads, 0, sizeof l.trees.grads);
    check_tree_error(&l, MPX_ERR_ARGUMENT, "w", "no gradients");
    CHECK(strcmp(sentence, "bad argument at leaf 0 'w'; in grads") == 0, "%s", sentence);
}
/* A walker that fails at its third call of the first walk, or of the second. */
static int calls_left;
static int next_failing(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    const leaves *l = (const leaves *)tree->user;
    const size_t i = at->index[0]++;
    if (calls_left-- == 0) return MPX_ERR_CALLBACK;
    if (i == 4) return 0;
    *leaf = l->params[i];
    return 1;
}
static void test_failing_walker(void) {
    int second;
    for (second = 0; second < 2; second++) {
        leaves l;
        plant_two(1);
        copy_model(&before, &one);
        plant_trees(&l, 1), memset(&l.trees.params, 0, sizeof l.trees.params);
        l.trees.params.next = next_failing, l.trees.params.user = &l;
        calls_left = second ? 7 : 2;
        if (!second) {
            check_tree_error(&l, MPX_ERR_CALLBACK, "", "a walker that fails");
        } else {
            mpx_optimizer opt = optimizer_of(0);
            CHECK(mpx_optimizer_step_tree(&opt, &l.trees, NULL, NULL) == MPX_ERR_CALLBACK && opt.step == 0,
                  "a walker that fails when steps are made");
        }
    }
}
static void check_refused(mpx_optimizer opt, const mpx_optimizer_arrays *a, mpx_status wanted,
                          size_t index, const char *what) {
    mpx_error err = test_any_error();
    mpx_optimizer_arrays both[2];
    int finite = 7;
    mpx_status status;
    plant(&other, 5, 0, MPX_BF16, 1, MPX_BF16, 1);
    both[0] = other.a, both[1] = *a;
    copy_model(&before, &one);
    status = mpx_optimizer_step(&opt, both, 2, &finite, &err);
    CHECK(status == wanted && err.status == wanted && err.index == index, "%s: %d at %d", what,
          (int)status, (int)err.index);
    CHECK(finite == 7 && opt.step == 0 && same_models(&one, &before), "%s: untouched", what);
    (void)mpx_error_format(&err, NULL, sentence, sizeof sentence);
    if (index == 1)
        CHECK(strcmp(err.what, what) == 0 && strstr(sentence, " at leaf 1") != NULL && strstr(sentence, "; in ") != NULL,
              "%s: %s", what, sentence);
    if (index == 1) return;
    CHECK(strncmp(sentence, "bad argument: ", 14) == 0 && strcmp(sentence + 14, what) == 0, "%s: %s", what, sentence);
}
static void test_refused(void) {
    const double nan = (double)of_bits(0x7fc00000u), inf = (double)of_bits(0x7f800000u);
    const double bad[] = { -1e-9, nan, inf, 18446744073709551616.0, -0.0 };
    mpx_optimizer opt = optimizer_of(0);
    mpx_optimizer_arrays a;
    size_t i;
    plant(&one, 9, 0, MPX_BF16, 1, MPX_BF16, 1);
    opt = optimizer_of(0), opt.max_norm = of_bits(0x7f800001u);
    check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "max_norm");
    for (i = 0; i < 5; i++) {
        opt = optimizer_of(0), opt.lr = bad[i], check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "lr");
        opt = optimizer_of(0), opt.beta1 = bad[i], check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "beta1");
        opt = optimizer_of(0), opt.beta2 = bad[i], check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "beta2");
        opt = optimizer_of(0), opt.eps = bad[i], check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "eps");
        opt = optimizer_of(0), opt.momentum = bad[i], check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "momentum");
        opt = optimizer_of(0), opt.weight_decay = bad[i];
        check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "weight_decay");
        if (i == 3) continue;
        opt = optimizer_of(0), opt.loss_scale = (float)bad[i];
        check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "loss_scale");
        if (i == 2) continue;
        opt = optimizer_of(0), opt.max_norm = (float)bad[i];
        check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "max_norm");
    }
    opt = optimizer_of(0), opt.lr = 18446744073709549568.0; /* the next one below */
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_OK, "large lr");
    opt = optimizer_of(0), opt.loss_scale = of_bits(0x7f7fffffu);
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_OK, "the largest loss scale");
    plant(&one, 9, 0, MPX_BF16, 1, MPX_BF16, 1);
    opt = optimizer_of(0), opt.beta2 = 1, check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "beta2");
    opt = optimizer_of(0), opt.eps = 1e-40, check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "eps");
    opt = optimizer_of(0), opt.eps = ldexp(1 - ldexp(1, -53), -126);
    check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "eps");
    opt = optimizer_of(0), opt.eps = ldexp(1, -126);
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_OK, "the least eps");
    opt = optimizer_of(0), opt.kind = (mpx_optimizer_kind)3;
    check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "kind");
    opt = optimizer_of(0), opt.rounding = (mpx_rounding)3;
    check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "rounding");
    opt = optimizer_of(0), opt.rounding = (mpx_rounding)-1;
    check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "rounding");
    opt = optimizer_of(0), opt.kind = (mpx_optimizer_kind)-1;
    check_refused(opt, &one.a, MPX_ERR_ARGUMENT, 0, "kind");
    opt = optimizer_of(0);
    a = one.a, a.grad_type = MPX_F64, check_refused(opt, &a, MPX_ERR_DTYPE, 1, "grads");
    a = one.a, a.grad_type = MPX_NONE, check_refused(opt, &a, MPX_ERR_DTYPE, 1, "grads");
    a = one.a, a.param_type = MPX_I8, check_refused(opt, &a, MPX_ERR_DTYPE, 1, "params");
    a = one.a, a.param_type = MPX_F4E2M1FN, check_refused(opt, &a, MPX_ERR_DTYPE, 1, "params");
    a = one.a, a.v = NULL, check_refused(opt, &a, MPX_ERR_ARGUMENT, 1, "v");
    a = one.a, a.m = NULL, check_refused(opt, &a, MPX_ERR_ARGUMENT, 1, "m");
    a = one.a, a.grad = NULL, check_refused(opt, &a, MPX_ERR_ARGUMENT, 1, "grads");
    a = one.a, a.n = (size_t)-1 / 4 + 1, check_refused(opt, &a, MPX_ERR_SPACE, 1, "params");
    a = one.a, a.master = NULL, a.param = NULL;
    check_refused(opt, &a, MPX_ERR_ARGUMENT, 1, "params");
    opt.step = -1;
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_ERR_ARGUMENT && opt.step == -1, "step -1");
    opt.step = INT64_MAX;
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_ERR_ARGUMENT && opt.step == INT64_MAX,
          "a step too many");
    opt.step = INT64_MAX / 2;
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_OK && opt.step == INT64_MAX / 2 + 1, "the last step");
    CHECK(mpx_optimizer_step(&opt, &one.a, 1, NULL, NULL) == MPX_ERR_ARGUMENT, "and no other");
    opt.step = 0;
    { /* SGD needs neither v nor, without momentum, m; no arrays at all are a step too */
        mpx_optimizer sgd = optimizer_of(4);
        a = one.a, a.m = a.v = NULL;
        CHECK(mpx_optimizer_step(&sgd, &a, 1, NULL, NULL) == MPX_OK, "SGD alone");
        sgd.momentum = 0.5;
        CHECK(mpx_optimizer_step(&sgd, &a, 1, NULL, NULL) == MPX_ERR_ARGUMENT, "SGD without m");
        CHECK(mpx_optimizer_step(&opt, NULL, 0, NULL, NULL) == MPX_OK && opt.step == 1, "nothing");
    }
    { /* a learning rate of 0 moves the averages alone */
        mpx_optimizer still = optimizer_of(1);
        still.lr = 0;
        plant(&one, 50, 0, MPX_BF16, 1, MPX_BF16, 1);
        check_step(&still, 1, "lr 0");
        CHECK(memcmp(one.a.master, one.ps, 200) == 0, "lr 0 moves nothing");
    }
    { /* a beta of 0 is its default; one that is no float is as good as 0: m becomes the gradient. Skipped steps keep norm */
        mpx_optimizer none = optimizer_of(0);
        float g[50];
        double norm;
        none.beta1 = 1e-300, none.max_norm = 1e30f, none.loss_scale = 1;
        plant(&one, 50, 0, MPX_BF16, 1, MPX_BF16, 1);
        (void)mpx_cast(g, MPX_F32, one.a.grad, MPX_BF16, 50);
        CHECK(mpx_optimizer_step(&none, &one.a, 1, NULL, NULL) == MPX_OK && memcmp(one.a.m, g, sizeof g) == 0, "beta1 1e-300");
        norm = none.norm, g[0] = of_bits(0x7f800000u);
        (void)mpx_cast((void *)(uintptr_t)one.a.grad, MPX_BF16, g, MPX_F32, 1);
        CHECK(mpx_optimizer_step(&none, &one.a, 1, NULL, NULL) == MPX_OK && none.step == 1 && norm > 0 && !(none.norm < norm) &&
                  !(none.norm > norm), "a skipped step keeps the norm");
    }
}

int main(void) {
    test_formulas();
    test_pytorch();
    test_powers_of_two();
    test_quotients();
    test_clip();
    test_clip_all();
    test_clip_much();
    test_clip_first();
    test_skip();
    test_specials();
    test_fading();
    test_no_master();
    test_stochastic();
    test_pieces();
    test_modes();
    test_trees();
    test_tree_errors();
    test_failing_walker();
    test_refused();
    return test_done("test_optimizer");
}
