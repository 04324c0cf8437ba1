/* transformer - a small transformer learns to continue Shakespeare, character by character, in
   three precisions. In all of them the masters of the weights, and Adam's averages, are float32, and
   sums are made in float32. What the policy's compute dtype says: the weights that are multiplied,
   the activations, and their gradients.

   Usage: see --help. Without arguments: 250 steps under each policy, in about half a minute;
   prints a table and writes build/demo/transformer.svg. demo/README.md explains the setting.

   The model is a Llama in miniature: rotary positions, RMS norms, no biases. x is what the layers
   add to, a row for each character:

       x = embedding[characters]
       in each layer   x += attention(norm(x) Wq, norm(x) Wk, norm(x) Wv) Wo
                       x += gelu(norm(x) W1) W2
       loss = cross-entropy(norm(x) Whead, next characters)

   Everything that costs time is a call of mpx.h. */
#define MPX_COMPUTE 1
#include "mpx.h"
#include "plot.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONTEXT = 64, BATCH = 8, WIDTH = 128, HEADS = 2, HIDDEN = 4 * WIDTH, LAYERS = 2 };
enum { DIM = WIDTH / HEADS, ROWS = BATCH * CONTEXT, LETTERS = 64 };
enum { STEPS = 250, WARM_UP = 20, LAST = 10 }; /* LAST: steps whose mean loss is printed */
static const double learning_rate = 2e-3;

static const char text_path[] = "demo/coriolanus.txt";
static const char svg_path[] = "build/demo/transformer.svg";
static const char *const policies[] = { "float32", "mixed_bfloat16", "mixed_float16" };
enum { POLICIES = sizeof policies / sizeof policies[0] };

static void stop(const char *problem) {
    fprintf(stderr, "transformer: %s\n", problem);
    exit(1);
}
static void must(mpx_status status) {
    if (status != MPX_OK) stop(mpx_status_string(status));
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* A matrix, row after row; stride: elements from row to row. */
typedef struct tensor {
    void *data;
    mpx_dtype type;
    size_t rows, cols, stride;
} tensor;

static size_t size_of(tensor t) { return t.rows * t.cols; }
static size_t bytes_of(tensor t) { return mpx_dtype_bytes(t.type, size_of(t)); }

/* What is allocated in a run is freed all at once. */
static void *blocks[512];
static size_t block_count;

static void *allocate(size_t size) {
    void *p = calloc(size, 1);
    if (p == NULL || block_count == sizeof blocks / sizeof blocks[0]) stop("out of memory");
    return blocks[block_count++] = p;
}
static void free_from(size_t count) {
    while (block_count > count) free(blocks[--block_count]);
}
static tensor tensor_new(mpx_dtype type, size_t rows, size_t cols) {
    tensor t = { NULL, type, rows, cols, cols };
    t.data = allocate(bytes_of(t));
    return t;
}
/* rows x cols elements of a tensor, from there on. */
static tensor part(tensor t, size_t row, size_t col, size_t rows, size_t cols) {
    t.data = (char *)t.data + mpx_dtype_bytes(t.type, row * t.stride + col);
    t.rows = rows;
    t.cols = cols;
    return t;
}
/* What sequence b has in head h. */
static tensor head(tensor t, size_t b, size_t h) { return part(t, b * CONTEXT, h * DIM, CONTEXT, DIM); }

enum { PLAIN = 0, TURN_A = 1, TURN_B = 2, ADD = 4 };
/* c = a b, or c += a b; a and b may be meant transposed. */
static void product(tensor c, tensor a, tensor b, int how) {
    static float workspace[300000]; /* mpx_matmul_workspace says how many the largest one takes */
    mpx_matrix x, w;
    mpx_matmul_options opt;
    memset(&x, 0, sizeof x);
    memset(&w, 0, sizeof w);
    memset(&opt, 0, sizeof opt);
    x.data = a.data, x.type = a.type, x.rows = a.rows, x.cols = a.cols, x.stride = a.stride;
    w.data = b.data, w.type = b.type, w.rows = b.rows, w.cols = b.cols, w.stride = b.stride;
    opt.transpose_a = (how & TURN_A) != 0;
    opt.transpose_b = (how & TURN_B) != 0;
    opt.accumulate = (how & ADD) != 0;
    opt.c_stride = c.stride;
    opt.workspace = workspace;
    opt.workspace_size = sizeof workspace;
    must(mpx_matmul(c.data, c.type, x, w, &opt));
}
static void copy(tensor to, tensor from) { memcpy(to.data, from.data, bytes_of(to)); }
static void add(tensor to, tensor from) { must(mpx_add(to.data, from.data, size_of(to), to.type)); }

/* ---- parameters ------------------------------------------------------------------------------ */

enum { NORM1, WQ, WK, WV, WO, NORM2, W1, W2, PER_LAYER };
enum { EMBEDDING = LAYERS * PER_LAYER, NORM, HEAD, PARAMETERS };

/* weight: what is multiplied, of the compute dtype; where that is not float32 the master is it. */
typedef struct parameter {
    const char *name;
    tensor weight, master, m, v, gradient;
} parameter;

static uint32_t random_bits(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
/* amplitude: weights begin between -amplitude and amplitude; 0: at 1. Gradients of the compute dtype
   are products; others are sums over rows, which the header and this program keep in float32. */
static void parameter_new(parameter *p, const char *name, mpx_dtype type, size_t rows, size_t cols,
                          double amplitude, int is_product, uint32_t *state) {
    float *master;
    size_t i;
    p->name = name;
    p->weight = tensor_new(type, rows, cols);
    p->master = type == MPX_F32 ? p->weight : tensor_new(MPX_F32, rows, cols);
    p->m = tensor_new(MPX_F32, rows, cols);
    p->v = tensor_new(MPX_F32, rows, cols);
    p->gradient = tensor_new(is_product ? type : MPX_F32, rows, cols);
    master = (float *)p->master.data;
    for (i = 0; i < rows * cols; i++) {
        double x = (double)random_bits(state) / 8388608.0 - 1;
        master[i] = amplitude == 0 ? 1 : (float)(amplitude * x);
    }
    must(mpx_cast(p->weight.data, type, master, MPX_F32, rows * cols));
}

/* ---- the model ------------------------------------------------------------------------------- */

/* What a layer leaves for its gradients. */
typedef struct layer {
    tensor x, norm1, q, k, v, weights, mixed, middle, norm2, hidden, active;
} layer;

typedef struct model {
    mpx_dtype type; /* of the policy: compute */
    parameter p[PARAMETERS];
    layer layers[LAYERS];
    tensor x, norm, logits; /* after the last layer */
    tensor dx, dnorm, dmixed, dq, dk, dv, dhidden, dweights; /* gradients, used again */
    float turn_q[CONTEXT * DIM], turn_k[CONTEXT * DIM]; /* of q times 1 / sqrt(DIM) */
    unsigned char minus_infinity[CONTEXT * 4];
    size_t activation_bytes;
} model;

static tensor activation_new(model *m, mpx_dtype type, size_t rows, size_t cols) {
    const tensor t = tensor_new(type, rows, cols);
    m->activation_bytes += bytes_of(t);
    return t;
}

static void parameters_new(model *m) {
    const double in_width = sqrt(3.0 / (double)WIDTH), in_hidden = sqrt(3.0 / (double)HIDDEN),
                 deep = 1 / sqrt(2.0 * (double)LAYERS);
    uint32_t state = 1;
    size_t i;
    for (i = 0; i < LAYERS; i++) {
        parameter *p = &m->p[i * PER_LAYER];
        parameter_new(&p[NORM1], "norm1", m->type, 1, WIDTH, 0, 0, &state);
        parameter_new(&p[WQ], "wq", m->type, WIDTH, WIDTH, in_width, 1, &state);
        parameter_new(&p[WK], "wk", m->type, WIDTH, WIDTH, in_width, 1, &state);
        parameter_new(&p[WV], "wv", m->type, WIDTH, WIDTH, in_width, 1, &state);
        parameter_new(&p[WO], "wo", m->type, WIDTH, WIDTH, in_width * deep, 1, &state);
        parameter_new(&p[NORM2], "norm2", m->type, 1, WIDTH, 0, 0, &state);
        parameter_new(&p[W1], "w1", m->type, WIDTH, HIDDEN, in_width, 1, &state);
        parameter_new(&p[W2], "w2", m->type, HIDDEN, WIDTH, in_hidden * deep, 1, &state);
    }
    parameter_new(&m->p[EMBEDDING], "embedding", m->type, LETTERS, WIDTH, 1, 0, &state);
    parameter_new(&m->p[NORM], "norm", m->type, 1, WIDTH, 0, 0, &state);
    parameter_new(&m->p[HEAD], "head", m->type, WIDTH, LETTERS, 0.1, 1, &state);
}

static model *model_new(mpx_dtype type) {
    static const float infinity = -INFINITY;
    model *m = (model *)allocate(sizeof *m);
    size_t i;
    m->type = type;
    parameters_new(m);
    for (i = 0; i < LAYERS; i++) {
        layer *l = &m->layers[i];
        tensor *wide[] = { &l->x, &l->norm1, &l->q, &l->k, &l->v, &l->mixed, &l->middle, &l->norm2 };
        size_t k;
        for (k = 0; k < sizeof wide / sizeof wide[0]; k++)
            *wide[k] = activation_new(m, type, ROWS, WIDTH);
        l->weights = activation_new(m, type, ROWS * HEADS, CONTEXT);
        l->hidden = activation_new(m, type, ROWS, HIDDEN);
        l->active = activation_new(m, type, ROWS, HIDDEN);
    }
    m->x = activation_new(m, type, ROWS, WIDTH);
    m->norm = activation_new(m, type, ROWS, WIDTH);
    m->logits = activation_new(m, MPX_F32, ROWS, LETTERS); /* always, as Keras advises */
    m->dx = tensor_new(type, ROWS, WIDTH);
    m->dnorm = tensor_new(type, ROWS, WIDTH);
    m->dmixed = tensor_new(type, ROWS, WIDTH);
    m->dq = tensor_new(type, ROWS, WIDTH);
    m->dk = tensor_new(type, ROWS, WIDTH);
    m->dv = tensor_new(type, ROWS, WIDTH);
    m->dhidden = tensor_new(type, ROWS, HIDDEN);
    m->dweights = tensor_new(type, CONTEXT, CONTEXT);
    must(mpx_rotary_table(m->turn_k, 0, CONTEXT, DIM, 10000));
    for (i = 0; i < CONTEXT * DIM; i++)
        m->turn_q[i] = m->turn_k[i] / sqrtf((float)DIM);
    for (i = 0; i < CONTEXT; i++)
        must(mpx_cast(m->minus_infinity + mpx_dtype_bytes(type, i), type, &infinity, MPX_F32, 1));
    return m;
}

/* ---- layers, forward ------------------------------------------------------------------------- */

static mpx_norm_options norm_options(const parameter *p) {
    mpx_norm_options opt;
    memset(&opt, 0, sizeof opt);
    opt.weight = p->weight.data;
    opt.type = p->weight.type;
    opt.dweight = (float *)p->gradient.data; /* read by gradients only */
    return opt;
}
static void norm(tensor y, tensor x, const parameter *p) {
    const mpx_norm_options opt = norm_options(p);
    must(mpx_rms_norm(y.data, y.type, x.data, x.type, x.rows, x.cols, &opt));
}
/* Turn what q and k have at each position by its angle, in place; inverse: their gradients. */
static void turn(tensor t, const float *table, int inverse) {
    size_t b;
    for (b = 0; b < BATCH; b++) {
        tensor x = part(t, b * CONTEXT, 0, CONTEXT, WIDTH);
        must(mpx_rotary(x.data, x.type, x.data, x.type, table, CONTEXT, HEADS, DIM, MPX_ROTARY_HALVES, inverse));
    }
}
/* Each position looks at those up to itself: the others get minus infinity, which softmax makes 0. */
static void attention(const model *m, layer *l) {
    size_t b, h, i;
    for (b = 0; b < BATCH; b++)
        for (h = 0; h < HEADS; h++) {
            tensor w = part(l->weights, (b * HEADS + h) * CONTEXT, 0, CONTEXT, CONTEXT);
            product(w, head(l->q, b, h), head(l->k, b, h), TURN_B);
            for (i = 0; i + 1 < CONTEXT; i++) {
                tensor later = part(w, i, i + 1, 1, CONTEXT - i - 1);
                memcpy(later.data, m->minus_infinity, bytes_of(later));
            }
            must(mpx_softmax(w.data, w.type, w.data, w.type, CONTEXT, CONTEXT));
            product(head(l->mixed, b, h), w, head(l->v, b, h), PLAIN);
        }
}
static void layer_forward(const model *m, layer *l, const parameter *p, tensor out) {
    norm(l->norm1, l->x, &p[NORM1]);
    product(l->q, l->norm1, p[WQ].weight, PLAIN);
    product(l->k, l->norm1, p[WK].weight, PLAIN);
    product(l->v, l->norm1, p[WV].weight, PLAIN);
    turn(l->q, m->turn_q, 0);
    turn(l->k, m->turn_k, 0);
    attention(m, l);
    copy(l->middle, l->x);
    product(l->middle, l->mixed, p[WO].weight, ADD);
    norm(l->norm2, l->middle, &p[NORM2]);
    product(l->hidden, l->norm2, p[W1].weight, PLAIN);
    must(mpx_activate(l->active.data, m->type, l->hidden.data, m->type, size_of(l->hidden), MPX_ACT_GELU));
    copy(out, l->middle);
    product(out, l->active, p[W2].weight, ADD);
}
/* The logits of the characters that follow. */
static void predict(model *m, const int32_t *letters) {
    size_t i;
    for (i = 0; i < ROWS; i++)
        copy(part(m->layers[0].x, i, 0, 1, WIDTH), part(m->p[EMBEDDING].weight, (size_t)letters[i], 0, 1, WIDTH));
    for (i = 0; i < LAYERS; i++)
        layer_forward(m, &m->layers[i], &m->p[i * PER_LAYER], i + 1 < LAYERS ? m->layers[i + 1].x : m->x);
    norm(m->norm, m->x, &m->p[NORM]);
    product(m->logits, m->norm, m->p[HEAD].weight, PLAIN);
}
/* The mean loss; logits become its gradients, times the scale. */
static double forward(model *m, const int32_t *letters, const int32_t *next, float scale) {
    static float losses[ROWS];
    double sum = 0;
    size_t i;
    predict(m, letters);
    must(mpx_cross_entropy(losses, m->logits.data, MPX_F32, m->logits.data, MPX_F32, next, ROWS, LETTERS,
                           scale / (float)ROWS));
    for (i = 0; i < ROWS; i++)
        sum += (double)losses[i];
    return sum / (double)ROWS;
}

/* ---- layers, backward ------------------------------------------------------------------------ */

/* From dy: dx = dy W^T and dW = x^T dy; how: ADD to dx. */
static void product_gradient(tensor dx, tensor dy, tensor x, parameter *w, int how) {
    product(w->gradient, x, dy, TURN_A);
    product(dx, dy, w->weight, TURN_B | how);
}
/* dx, in place of dy, and the sums for the weight. */
static void norm_gradient(tensor dy, tensor x, parameter *p) {
    const mpx_norm_options opt = norm_options(p);
    memset(p->gradient.data, 0, bytes_of(p->gradient));
    must(mpx_rms_norm_grad(dy.data, dy.type, dy.data, dy.type, x.data, x.type, x.rows, x.cols, &opt));
}
/* From dmixed: dq, dk, dv. */
static void attention_gradient(model *m, const layer *l) {
    const tensor dw = m->dweights;
    size_t b, h;
    for (b = 0; b < BATCH; b++)
        for (h = 0; h < HEADS; h++) {
            const tensor w = part(l->weights, (b * HEADS + h) * CONTEXT, 0, CONTEXT, CONTEXT);
            const tensor dy = head(m->dmixed, b, h);
            product(head(m->dv, b, h), w, dy, TURN_A);
            product(dw, dy, head(l->v, b, h), TURN_B);
            must(mpx_softmax_grad(dw.data, dw.type, dw.data, dw.type, w.data, w.type, CONTEXT, CONTEXT));
            product(head(m->dq, b, h), dw, head(l->k, b, h), PLAIN);
            product(head(m->dk, b, h), dw, head(l->q, b, h), TURN_A);
        }
}
/* m->dx: from what the layer gave to what it got. */
static void layer_backward(model *m, const layer *l, parameter *p) {
    product_gradient(m->dhidden, m->dx, l->active, &p[W2], PLAIN);
    must(mpx_activate_grad(m->dhidden.data, m->type, m->dhidden.data, m->type, l->hidden.data, m->type,
                           size_of(l->hidden), MPX_ACT_GELU));
    product_gradient(m->dnorm, m->dhidden, l->norm2, &p[W1], PLAIN);
    norm_gradient(m->dnorm, l->middle, &p[NORM2]);
    add(m->dx, m->dnorm); /* now that of the middle */
    product_gradient(m->dmixed, m->dx, l->mixed, &p[WO], PLAIN);
    attention_gradient(m, l);
    turn(m->dq, m->turn_q, 1);
    turn(m->dk, m->turn_k, 1);
    product_gradient(m->dnorm, m->dq, l->norm1, &p[WQ], PLAIN);
    product_gradient(m->dnorm, m->dk, l->norm1, &p[WK], ADD);
    product_gradient(m->dnorm, m->dv, l->norm1, &p[WV], ADD);
    norm_gradient(m->dnorm, l->x, &p[NORM1]);
    add(m->dx, m->dnorm);
}
/* After forward. */
static void backward(model *m, const int32_t *letters) {
    parameter *embedding = &m->p[EMBEDDING];
    float *sums = (float *)embedding->gradient.data, row[WIDTH];
    size_t i, k;
    product_gradient(m->dx, m->logits, m->norm, &m->p[HEAD], PLAIN);
    norm_gradient(m->dx, m->x, &m->p[NORM]);
    for (i = LAYERS; i-- > 0;)
        layer_backward(m, &m->layers[i], &m->p[i * PER_LAYER]);
    memset(sums, 0, bytes_of(embedding->gradient));
    for (i = 0; i < ROWS; i++) {
        must(mpx_cast(row, MPX_F32, part(m->dx, i, 0, 1, WIDTH).data, m->type, WIDTH));
        for (k = 0; k < WIDTH; k++)
            sums[(size_t)letters[i] * WIDTH + k] += row[k];
    }
}

/* ---- training -------------------------------------------------------------------------------- */

/* The text as numbers from 0 on, one for each of its characters, in the order of their codes. */
typedef struct text {
    int32_t *letters;
    size_t count;
    int32_t kinds;
    int alphabet[LETTERS];
} text;

static text text_read(const char *path) {
    FILE *file = fopen(path, "rb");
    text t = { NULL, 0, 0, { 0 } };
    int number[256] = { 0 }, c;
    size_t i;
    if (file == NULL) stop("cannot read demo/coriolanus.txt: run from the repository root");
    t.letters = (int32_t *)allocate(sizeof *t.letters << 17);
    while ((c = fgetc(file)) != EOF && t.count < (size_t)1 << 17) {
        number[c] = 1;
        t.letters[t.count++] = c;
    }
    fclose(file);
    if (t.count < 2 * CONTEXT) stop("the text is too short");
    for (c = 0; c < 256; c++) {
        if (!number[c]) continue;
        if (t.kinds == LETTERS) stop("too many different characters");
        t.alphabet[t.kinds] = c;
        number[c] = t.kinds++;
    }
    for (i = 0; i < t.count; i++)
        t.letters[i] = number[t.letters[i]];
    return t;
}
/* Pieces of the text that begin anywhere, and the same one character further. */
static void batch_take(const text *t, uint32_t *state, int32_t *letters, int32_t *next) {
    size_t b, i;
    for (b = 0; b < BATCH; b++) {
        const size_t start = random_bits(state) % (t->count - CONTEXT - 1);
        for (i = 0; i < CONTEXT; i++) {
            letters[b * CONTEXT + i] = t->letters[start + i];
            next[b * CONTEXT + i] = t->letters[start + i + 1];
        }
    }
}
static void update(model *m, mpx_optimizer *opt, mpx_loss_scale *scale, int *finite) {
    mpx_optimizer_arrays arrays[PARAMETERS];
    size_t i;
    memset(arrays, 0, sizeof arrays);
    for (i = 0; i < PARAMETERS; i++) {
        const parameter *p = &m->p[i];
        mpx_optimizer_arrays *a = &arrays[i];
        a->param = p->weight.data;
        a->param_type = p->weight.type;
        a->master = p->weight.type == MPX_F32 ? NULL : (float *)p->master.data;
        a->m = (float *)p->m.data;
        a->v = (float *)p->v.data;
        a->grad = p->gradient.data;
        a->grad_type = p->gradient.type;
        a->n = size_of(p->weight);
        a->no_decay = p->weight.rows == 1; /* norms */
    }
    opt->loss_scale = mpx_loss_scale_value(*scale);
    must(mpx_optimizer_step(opt, arrays, PARAMETERS, finite, NULL));
    *scale = mpx_loss_scale_adjust(*scale, *finite);
}

typedef struct run {
    double *losses, *gaps; /* of each step; and how far they are from those of the first policy */
    double first, last, seconds; /* losses; of a step */
    size_t weight_bytes, activation_bytes;
    int skipped;
} run;

/* The text's first characters, and how the model goes on: each next one is drawn by its chance. */
static void write_sample(model *m, const text *t, size_t count) {
    static int32_t letters[ROWS];
    float *chances = (float *)m->logits.data + (CONTEXT - 1) * LETTERS; /* of the first sequence */
    uint32_t state = 1;
    size_t i;
    memcpy(letters, t->letters, CONTEXT * sizeof *letters);
    for (i = 0; i < CONTEXT; i++)
        putchar(t->alphabet[letters[i]]);
    for (; count > 0; count--) {
        double left = random_bits(&state) / 16777216.0;
        int32_t c = 0;
        predict(m, letters);
        must(mpx_scale(chances, MPX_F32, chances, MPX_F32, LETTERS, 1.5f)); /* a temperature of 2 / 3 */
        must(mpx_softmax(chances, MPX_F32, chances, MPX_F32, 1, LETTERS));
        while (c < t->kinds - 1 && (left -= (double)chances[c]) >= 0)
            c++;
        memmove(letters, letters + 1, (CONTEXT - 1) * sizeof *letters);
        letters[CONTEXT - 1] = c;
        putchar(t->alphabet[c]);
    }
    printf("\n\n");
}

static run train(const text *t, const char *policy_text, int steps, int sample) {
    static int32_t letters[ROWS], next[ROWS];
    run r = { NULL, NULL, 0, 0, 0, 0, 0, 0 };
    mpx_policy policy;
    mpx_optimizer opt;
    mpx_loss_scale scale = mpx_loss_scale_noop();
    uint32_t state = 1;
    const int last = steps < LAST ? steps : LAST;
    size_t before, i;
    model *m;
    clock_t start;
    int step, finite;
    r.losses = (double *)allocate((size_t)steps * sizeof(double));
    r.gaps = (double *)allocate((size_t)steps * sizeof(double));
    before = block_count;
    must(mpx_policy_parse(policy_text, &policy, NULL));
    m = model_new(policy.compute);
    if (policy.compute == MPX_F16) {
        scale = mpx_loss_scale_dynamic(65536);
        scale.period = 50; /* steps after which it doubles: the default is 2000, a run has 250 */
    }
    memset(&opt, 0, sizeof opt); /* AdamW */
    opt.weight_decay = 0.1;
    opt.max_norm = 1;
    start = clock();
    for (step = 0; step < steps; step++) {
        opt.lr = learning_rate * (step < WARM_UP ? (step + 1.0) / (double)WARM_UP : 1);
        batch_take(t, &state, letters, next);
        r.losses[step] = forward(m, letters, next, mpx_loss_scale_value(scale));
        backward(m, letters);
        update(m, &opt, &scale, &finite);
        r.skipped += !finite;
        if (step >= steps - last) r.last += r.losses[step] / last;
    }
    r.seconds = (double)(clock() - start) / CLOCKS_PER_SEC / steps;
    r.first = r.losses[0];
    for (i = 0; i < PARAMETERS; i++)
        r.weight_bytes += bytes_of(m->p[i].weight);
    r.activation_bytes = m->activation_bytes;
    if (sample > 0) {
        printf("---- %s goes on after %d characters:\n", policy_text, CONTEXT);
        write_sample(m, t, (size_t)sample);
    }
    free_from(before);
    return r;
}

/* ---- the check ------------------------------------------------------------------------------- */

/* How far the gradient of a parameter is from what finite differences give along a random
   direction, in units of what is to be expected there: the gradient's length, if entries are +-1. */
static double difference_along(model *m, parameter *p, const int32_t *letters, const int32_t *next,
                               uint32_t *state) {
    const size_t n = size_of(p->weight), before = block_count;
    float *w = (float *)p->weight.data, *g = (float *)p->gradient.data;
    float *old = (float *)allocate(n * sizeof *old), *direction = (float *)allocate(n * sizeof *old);
    double along = 0, length = 0, step, loss[2];
    size_t i, k;
    memcpy(old, w, n * sizeof *old);
    for (i = 0; i < n; i++) {
        direction[i] = random_bits(state) % 2 == 0 ? 1 : -1;
        along += (double)g[i] * (double)direction[i];
        length += (double)g[i] * (double)g[i];
    }
    length = sqrt(length);
    step = 2e-3 / sqrt((double)n) / (length > 0.1 ? length : 0.1);
    for (k = 0; k < 2; k++) {
        for (i = 0; i < n; i++)
            w[i] = old[i] + (float)(k == 0 ? step : -step) * direction[i];
        loss[k] = forward(m, letters, next, 1);
    }
    memcpy(w, old, n * sizeof *old);
    free_from(before);
    return fabs((loss[0] - loss[1]) / (2 * step) - along) / length;
}
/* The cosine of the angle between gradients of two models. */
static double cosine(const parameter *p, const parameter *q) {
    const size_t n = size_of(p->weight), before = block_count;
    float *a = (float *)allocate(n * sizeof *a), *b = (float *)allocate(n * sizeof *b);
    double aa = 0, ab = 0, bb = 0;
    size_t i;
    must(mpx_cast(a, MPX_F32, p->gradient.data, p->gradient.type, n));
    must(mpx_cast(b, MPX_F32, q->gradient.data, q->gradient.type, n));
    for (i = 0; i < n; i++) {
        aa += (double)a[i] * (double)a[i];
        ab += (double)a[i] * (double)b[i];
        bb += (double)b[i] * (double)b[i];
    }
    free_from(before);
    return ab / sqrt(aa * bb);
}
static int check(const text *t) {
    static int32_t letters[ROWS], next[ROWS];
    static const mpx_dtype types[] = { MPX_F32, MPX_BF16, MPX_F16 };
    model *m[3];
    uint32_t state = 1;
    int failed = 0, i, k;
    batch_take(t, &state, letters, next);
    for (i = 0; i < 3; i++) {
        m[i] = model_new(types[i]);
        (void)forward(m[i], letters, next, types[i] == MPX_F16 ? 16384.0f : 1.0f);
        backward(m[i], letters);
    }
    printf("parameter    finite differences   angle of bf16   of f16\n");
    for (i = 0; i < PARAMETERS; i++) {
        double off = 0, angles[2];
        for (k = 0; k < 4; k++)
            off = fmax(off, difference_along(m[0], &m[0]->p[i], letters, next, &state));
        for (k = 0; k < 2; k++)
            angles[k] = acos(cosine(&m[0]->p[i], &m[k + 1]->p[i]));
        printf("%-10s   %18.5f   %13.4f   %6.4f\n", m[0]->p[i].name, off, angles[0], angles[1]);
        failed |= !(off < 0.01) || !(angles[0] < 0.03) || !(angles[1] < 0.004);
    }
    puts(failed ? "transformer: gradients are wrong" : "transformer: gradients are right");
    return failed;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void write_svg(const char *path, const run *runs, int steps) {
    panel p = { 0 };
    int i, step;
    p.svg = fopen(path, "w");
    if (p.svg == NULL) stop("cannot write build/demo/transformer.svg: run `make demo` from the repository root");
    svg_begin(p.svg);
    p.x_max = steps;
    p.left = 60;
    p.base = 2;
    for (i = 0; i < POLICIES; i++)
        panel_fit(&p, runs[i].losses, steps);
    panel_frame(&p, "Training loss", "step");
    for (i = 0; i < POLICIES; i++)
        panel_line(&p, runs[i].losses, steps, i);
    p.left = 560;
    p.base = 10;
    p.low = p.high = 0;
    for (i = 1; i < POLICIES; i++) {
        for (step = 0; step < steps; step++)
            runs[i].gaps[step] = fabs(runs[i].losses[step] - runs[0].losses[step]);
        panel_fit(&p, runs[i].gaps, steps);
    }
    panel_frame(&p, "Distance from the loss of float32", "step");
    for (i = 1; i < POLICIES; i++)
        panel_line(&p, runs[i].gaps, steps, i);
    for (i = 0; i < POLICIES; i++)
        svg_legend(p.svg, i, policies[i]);
    svg_end(p.svg);
}

static const char usage[] =
    "usage: transformer [--steps N] [--sample N] [--check]\n"
    "  --steps N   training steps under each policy (250)\n"
    "  --sample N  characters that each model writes after its training (0)\n"
    "  --check     compare gradients with finite differences, and those of 16 bits with float32\n"
    "Run it from the repository root: it reads demo/coriolanus.txt and writes\n"
    "build/demo/transformer.svg.\n";

int main(int argc, char **argv) {
    const text t = text_read(text_path);
    run runs[POLICIES];
    int steps = STEPS, sample = 0, i;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0) return check(&t);
        if (i + 1 < argc && strcmp(argv[i], "--steps") == 0) steps = atoi(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--sample") == 0) sample = atoi(argv[++i]);
        else return fputs(usage, stderr), 2;
    }
    if (steps < 1 || steps > 100000) stop("--steps: expected a number from 1 to 100000");
    for (i = 0; i < POLICIES; i++) {
        runs[i] = train(&t, policies[i], steps, sample);
        fprintf(stderr, "%-14s  loss %.3f to %.3f, %.1f s\n", policies[i], runs[i].first, runs[i].last,
                runs[i].seconds * steps);
    }
    printf("\n"
           "                seconds  weights  activations   loss at    of the   skipped\n"
           "policy           a step      KiB          KiB  the start  last %2d    steps\n", LAST);
    for (i = 0; i < POLICIES; i++)
        printf("%-14s  %7.4f  %7.1f  %11.1f  %9.3f  %7.3f  %7d\n", policies[i], runs[i].seconds,
               (double)runs[i].weight_bytes / 1024, (double)runs[i].activation_bytes / 1024, runs[i].first,
               runs[i].last, runs[i].skipped);
    printf("%d steps of %d characters; instructions: %s. Curves: %s\n", steps, ROWS, mpx_isa(), svg_path);
    write_svg(svg_path, runs, steps);
    return 0;
}
