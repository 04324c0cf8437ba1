/* mlp.h - a perceptron with two hidden layers, trained in mixed precision by mpx.h.

   What is stored in which dtype:
       policy.param     the master weights
       policy.compute   the working copy of the weights, the activations, and every gradient
       policy.output    the logits that the loss is computed from
   The policy is that of the parameter's path in a policy map (one without keys: the same for all).
   A layer's activations, and the gradients by them, follow its weight; the logits the last weight.
   AMP rules may decide otherwise for the operation `matmul` in the scopes forward/hidden1 to
   forward/output and backward/hidden1 to backward/output: in what its operands are, and what it
   gives: activations forward, gradients backward.

   The network is the textbook's: sigmoid units, squared error, the whole training set as a batch.
   Its gradients are small: the mean over 899 images and 10 classes divides them by 8,990, and each
   sigmoid on the way down by four or more. float16 holds nothing below 2^-25, about 3e-8.

   Read train_step first, near the end. */
#ifndef DEMO_MLP_H
#define DEMO_MLP_H

#include "tensor.h"

/* ---- the network ----------------------------------------------------------------------------- */

enum { INPUTS = 64, HIDDEN = 56, OUTPUTS = 10, WIDEST = 64, LAYERS = 3, LEAVES = 2 * LAYERS };

static const struct layer_shape {
    const char *weight, *bias, *forward, *backward;
    size_t in, out;
} layers[LAYERS] = {
    { "hidden1/weight", "hidden1/bias", "forward/hidden1", "backward/hidden1", INPUTS, HIDDEN },
    { "hidden2/weight", "hidden2/bias", "forward/hidden2", "backward/hidden2", HIDDEN, HIDDEN },
    { "output/weight", "output/bias", "forward/output", "backward/output", HIDDEN, OUTPUTS },
};

/* The path of a parameter: leaf i of every tree here. */
static const char *parameter_path(size_t i) {
    return i % 2 == 0 ? layers[i / 2].weight : layers[i / 2].bias;
}

/* Weights are in x out. Leaf 2 * layer of a tree is the weight of a layer, the next its bias. */
typedef struct network {
    pool memory;
    mpx_policy policies[LEAVES];      /* of each parameter, by the map                 */
    mpx_dtype forward[LAYERS];        /* of each layer's matmul, by rules or policy    */
    mpx_dtype backward[LEAVES];       /* of what gives each parameter's gradient       */
    size_t batch;                     /* rows of every activation and delta            */
    mpx_leaf master[LEAVES];          /* the weights, in param dtype                   */
    mpx_leaf scaled_grads[LEAVES];    /* by the weights, times the loss scale          */
    mpx_leaf grads[LEAVES];           /* the same unscaled, in f32                     */
    mpx_leaf activations[LAYERS + 1]; /* 0: the input; LAYERS: the logits              */
    mpx_leaf deltas[LAYERS + 1];      /* gradients by each layer's sums; 0: none       */
    mpx_leaf outputs;                 /* the logits, in output dtype                   */
    mpx_arena arena;                  /* the working copy; its leaves are arena.leaves */
    mpx_tree working;
    float *x, *y, *dx, *w, *wt;       /* what is computed with now, in f32: rows and weights */
    gradient_count nonzero;
} network;

typedef struct trainer {
    network net;
    mpx_loss_scale loss_scale;
    int updates, skipped;                 /* steps                           */
    float *mean[LEAVES], *square[LEAVES]; /* Adam's moments of the gradients */
} trainer;

/* Tree calls fail only where this program is wrong. */
static void must(mpx_status status, const mpx_error *err) {
    char text[256];
    if (status == MPX_OK) return;
    if (err != NULL) mpx_error_format(err, NULL, text, sizeof text);
    fprintf(stderr, "digits: %s\n", err != NULL ? text : mpx_status_string(status));
    exit(1);
}

/* ---- forward --------------------------------------------------------------------------------- */

static void forward_layer(network *net, size_t layer, size_t rows) {
    const mpx_leaf *weight = &net->arena.leaves[2 * layer], *bias = weight + 1;
    size_t i, in = layers[layer].in, out = layers[layer].out;
    tensor_read(net->x, net->activations[layer], rows * in);
    tensor_read(net->w, *weight, weight->count);
    round_to(net->x, net->forward[layer], rows * in);
    round_to(net->w, net->forward[layer], weight->count);
    matmul(net->y, net->x, in, 1, net->w, rows, in, out);
    tensor_read(net->w, *bias, bias->count);
    add_to_rows(net->y, net->w, rows, out);
    if (layer + 1 < LAYERS) {
        for (i = 0; i < rows * out; i++) net->y[i] = sigmoid(net->y[i]);
    }
    tensor_write(net->activations[layer + 1], net->y, rows * out);
}

static void load_images(network *net, const float *pixels, size_t rows) {
    tensor_write(net->activations[0], pixels, rows * INPUTS);
}

/* The logits of the loaded images: all of the batch, or the first rows. */
static void forward(network *net, size_t rows) {
    const mpx_leaf *logits = &net->activations[LAYERS];
    size_t layer;
    for (layer = 0; layer < LAYERS; layer++) forward_layer(net, layer, rows);
    mpx_cast(net->outputs.data, net->outputs.dtype, logits->data, logits->dtype, rows * OUTPUTS);
}

/* ---- loss and backward ----------------------------------------------------------------------- */

/* The squared error, mean over images and classes, and the gradient of scale * error. */
static float squared_error(network *net, const int *labels, float scale) {
    size_t i, count = net->batch * OUTPUTS;
    double sum = 0;
    tensor_read(net->y, net->outputs, count);
    for (i = 0; i < count; i++) {
        float target = labels[i / OUTPUTS] == (int)(i % OUTPUTS) ? 1.0f : 0.0f;
        float p = sigmoid(net->y[i]), error = p - target;
        sum += (double)error * (double)error;
        net->y[i] = scale * (2.0f / (float)count) * error * p * (1.0f - p);
    }
    gradient_write(net->deltas[LAYERS], net->y, &net->nonzero);
    return (float)(sum / (double)count);
}

/* From the gradient by a layer's sums to those by its weight and bias, ... */
static void backward_weights(network *net, size_t layer) {
    size_t in = layers[layer].in, out = layers[layer].out;
    matmul(net->w, net->x, 1, in, net->y, in, net->batch, out);
    gradient_write(net->scaled_grads[2 * layer], net->w, &net->nonzero);
    sum_of_rows(net->w, net->y, net->batch, out);
    gradient_write(net->scaled_grads[2 * layer + 1], net->w, &net->nonzero);
}

/* ... and to that by the sums of the layer below. Its activations x are sigmoids: their slope is
   x (1 - x), a quarter at most. */
static void backward_below(network *net, size_t layer) {
    const mpx_leaf *weight = &net->arena.leaves[2 * layer];
    size_t i, in = layers[layer].in, out = layers[layer].out;
    tensor_read(net->w, *weight, weight->count);
    round_to(net->w, net->backward[2 * layer], weight->count);
    transpose(net->wt, net->w, in, out);
    matmul(net->dx, net->y, out, 1, net->wt, net->batch, out, in);
    for (i = 0; i < net->batch * in; i++) net->dx[i] *= net->x[i] * (1.0f - net->x[i]);
    gradient_write(net->deltas[layer], net->dx, &net->nonzero);
}

static void backward(network *net) {
    size_t layer, i;
    for (layer = LAYERS; layer-- > 0;) {
        tensor_read(net->x, net->activations[layer], net->activations[layer].count);
        gradient_read(net->y, net->deltas[layer + 1], &net->nonzero);
        round_to(net->x, net->backward[2 * layer], net->activations[layer].count);
        backward_weights(net, layer);
        if (layer > 0) backward_below(net, layer);
    }
    for (i = 0; i < LEAVES; i++) { /* only to count */
        gradient_read(net->w, net->scaled_grads[i], &net->nonzero);
    }
}

/* ---- update: Adam on the master weights ------------------------------------------------------ */

static const float learning_rate = 0.01f, mean_decay = 0.9f, square_decay = 0.999f, epsilon = 1e-8f;

static void adam(float *weights, const float *grads, float *mean, float *square, size_t count,
                 int step) {
    float mean_bias = 1.0f - powf(mean_decay, (float)step);
    float square_bias = 1.0f - powf(square_decay, (float)step);
    size_t i;
    for (i = 0; i < count; i++) {
        mean[i] += (1.0f - mean_decay) * (grads[i] - mean[i]);
        square[i] += (1.0f - square_decay) * (grads[i] * grads[i] - square[i]);
        weights[i] -= learning_rate * (mean[i] / mean_bias) /
                      (sqrtf(square[i] / square_bias) + epsilon);
    }
}

static void update(trainer *t) {
    network *net = &t->net;
    size_t i;
    t->updates++;
    for (i = 0; i < LEAVES; i++) {
        mpx_leaf weights = net->master[i];
        tensor_read(net->w, weights, weights.count);
        adam(net->w, (const float *)net->grads[i].data, t->mean[i], t->square[i], weights.count,
             t->updates);
        tensor_write(weights, net->w, weights.count);
    }
}

/* ---- a step, and the test -------------------------------------------------------------------- */

/* Refresh the working copy from the master weights. */
static void cast_to_compute(network *net) {
    mpx_error err;
    must(mpx_tree_widen(net->working, mpx_tree_of_leaves(net->master, LEAVES), &err), &err);
}

/* Divide the scaled gradients by the scale, into f32. Returns 1 if all are finite. */
static int unscale(network *net, mpx_loss_scale scale) {
    mpx_tree grads = mpx_tree_of_leaves(net->grads, LEAVES);
    mpx_tree scaled = mpx_tree_of_leaves(net->scaled_grads, LEAVES);
    mpx_error err;
    int finite;
    must(mpx_loss_scale_unscale_tree(grads, scaled, scale, &finite, &err), &err);
    return finite;
}

/* One step on the whole training set. Returns the loss before it, without the scale. */
static float train_step(trainer *t, const int *labels) {
    network *net = &t->net;
    float loss;
    int finite;
    cast_to_compute(net);
    forward(net, net->batch);
    loss = squared_error(net, labels, mpx_loss_scale_value(t->loss_scale));
    backward(net);
    finite = unscale(net, t->loss_scale);
    t->loss_scale = mpx_loss_scale_adjust(t->loss_scale, finite);
    if (finite) update(t);
    else t->skipped++;
    return loss;
}

/* Percent of the images whose largest logit is the right one's. */
static double accuracy(network *net, const float *pixels, const int *labels, size_t rows) {
    size_t i, j, right = 0;
    cast_to_compute(net);
    load_images(net, pixels, rows);
    forward(net, rows);
    tensor_read(net->y, net->outputs, rows * OUTPUTS);
    for (i = 0; i < rows; i++) {
        const float *logits = net->y + i * OUTPUTS;
        size_t best = 0;
        for (j = 1; j < OUTPUTS; j++) best = logits[j] > logits[best] ? j : best;
        right += (int)best == labels[i] ? 1 : 0;
    }
    return 100.0 * (double)right / (double)rows;
}

/* ---- making and freeing a trainer ------------------------------------------------------------ */

static void make_weights(network *net) {
    size_t i;
    for (i = 0; i < LEAVES; i++) {
        const struct layer_shape *shape = &layers[i / 2];
        const char *path = parameter_path(i);
        size_t count = i % 2 == 0 ? shape->in * shape->out : shape->out;
        net->master[i] = tensor_new(&net->memory, path, net->policies[i].param, count);
        net->scaled_grads[i] = tensor_new(&net->memory, path, net->backward[i], count);
        net->grads[i] = tensor_new(&net->memory, path, MPX_F32, count);
    }
}

/* A delta is stored as the layer that reads it wants it. */
static void make_activations(network *net) {
    size_t i;
    for (i = 0; i <= LAYERS; i++) {
        size_t count = net->batch * (i == 0 ? (size_t)INPUTS : layers[i - 1].out);
        mpx_dtype below = i == 0 ? net->policies[0].compute : net->forward[i - 1];
        mpx_dtype above = i == 0 ? MPX_F32 : net->backward[2 * (i - 1)];
        net->activations[i] = tensor_new(&net->memory, "activation", below, count);
        net->deltas[i] = tensor_new(&net->memory, "delta", above, i == 0 ? 0 : count);
    }
    net->outputs = tensor_new(&net->memory, "outputs", net->policies[2 * (LAYERS - 1)].output,
                              net->batch * OUTPUTS);
}

/* The dtype of a matmul in this scope: without rules the policy's. */
static mpx_dtype ask_rules(mpx_amp amp, const char *scope, mpx_policy policy) {
    mpx_amp_operand x;
    if (amp.rule_count == 0) return policy.compute;
    memset(&x, 0, sizeof x);
    x.dtype = policy.compute;
    x.plain = MPX_F32;
    amp.compute = policy.compute;
    must(mpx_amp_ask(&amp, "matmul", scope, &x, 1, NULL), NULL);
    return x.to;
}

static void decide_dtypes(network *net, const mpx_policy_map *map, const mpx_amp *amp) {
    size_t i;
    for (i = 0; i < LEAVES; i++) {
        must(mpx_policy_map_get(map, parameter_path(i), &net->policies[i]), NULL);
        net->backward[i] = ask_rules(*amp, layers[i / 2].backward, net->policies[i]);
    }
    for (i = 0; i < LAYERS; i++) {
        net->forward[i] = ask_rules(*amp, layers[i].forward, net->policies[2 * i]);
    }
}

/* The initial values of torch.nn.Linear: uniform within 1 / sqrt(inputs of the layer). */
static void initialise(network *net, uint64_t seed) {
    size_t i, j;
    for (i = 0; i < LEAVES; i++) {
        mpx_leaf weights = net->master[i];
        float bound = 1.0f / sqrtf((float)layers[i / 2].in);
        for (j = 0; j < weights.count; j++) net->w[j] = bound * random_float(&seed);
        tensor_write(weights, net->w, weights.count);
    }
}

/* The working copy: measure, allocate, cast. Where compute is the param dtype, it shares. */
static void make_working_copy(network *net, const mpx_policy_map *map) {
    mpx_tree master = mpx_tree_of_leaves(net->master, LEAVES);
    mpx_arena *arena = &net->arena;
    mpx_tree_size need;
    mpx_error err;
    must(mpx_policy_map_measure(map, MPX_ROLE_COMPUTE, master, &need, &err), &err);
    arena->size = need.storage;
    arena->data = allocate(&net->memory, need.storage);
    arena->leaf_capacity = need.leaves;
    arena->leaves = (mpx_leaf *)allocate(&net->memory, need.leaves * sizeof(mpx_leaf));
    must(mpx_policy_map_cast_into(&net->working, master, map, MPX_ROLE_COMPUTE, arena, &err), &err);
}

static void trainer_init(trainer *t, const mpx_policy_map *map, const mpx_amp *amp,
                         mpx_loss_scale scale, size_t batch, uint64_t seed) {
    network *net = &t->net;
    size_t i;
    memset(t, 0, sizeof *t);
    t->loss_scale = scale;
    net->batch = batch;
    net->x = allocate_floats(&net->memory, batch * WIDEST);
    net->y = allocate_floats(&net->memory, batch * WIDEST);
    net->dx = allocate_floats(&net->memory, batch * WIDEST);
    net->w = allocate_floats(&net->memory, WIDEST * WIDEST);
    net->wt = allocate_floats(&net->memory, WIDEST * WIDEST);
    decide_dtypes(net, map, amp);
    make_weights(net);
    make_activations(net);
    initialise(net, seed);
    make_working_copy(net, map);
    for (i = 0; i < LEAVES; i++) {
        t->mean[i] = allocate_floats(&net->memory, net->master[i].count);
        t->square[i] = allocate_floats(&net->memory, net->master[i].count);
    }
}

static void trainer_free(trainer *t) { pool_free(&t->net.memory); }

#endif
