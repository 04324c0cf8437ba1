/* Ranks that learn together: data-parallel training of a network on handwritten digits, by MPI. Each
   rank computes the gradients of its part of every batch, in f32, bf16 or f16; all ranks add them
   up, and all make the same step. README.md in this folder says what is printed and how it grows.

       mpicc -O2 -march=native -I. examples/mpi/digits.c -o build/mpi-digits -lm
       mpirun -n 2 build/mpi-digits

   Run it from the root of the repository: it reads demo/digits.csv. Read train_step first.
   --broken: rank 0 takes a step that the others skip, to see that this is found.
   Exit status 1: the weights or the loss scales of two ranks differ after a step, an overflow is
   not skipped, a second training gives other bits than the first, fewer than 94 % of the test's
   answers are right, or a policy is 1.5 points away from float32. */
#define MPX_IMPLEMENTATION
#define MPX_COMPUTE 1
#include "mpx.h"
#include "../../demo/data.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is trained -------------------------------------------------------------------------- */

enum { WIDTH = 512, LAYERS = 3, BATCH = 128, EPOCHS = 12, PLANTED = 40, SCALE_PERIOD = 30 };
static const double learning_rate = 1e-3;
static const double accuracy_floor = 94, accuracy_apart = 1.5; /* percent, points */
static const char *const policies[] = { "float32", "mixed_bfloat16", "mixed_float16" };
enum { POLICIES = sizeof policies / sizeof policies[0] };

/* The weights of all layers, inputs x outputs, lie in one array: one message has all gradients. */
static const struct layer { size_t in, out, first; } layers[LAYERS] = {
    { PIXELS, WIDTH, 0 },
    { WIDTH, WIDTH, PIXELS * WIDTH },
    { WIDTH, CLASSES, (PIXELS + WIDTH) * WIDTH },
};
enum { WEIGHTS = (PIXELS + WIDTH + CLASSES) * WIDTH };

/* Arrays of `type` are declared as f32, which is room enough. */
typedef struct model {
    const char *name;
    mpx_dtype type;                                      /* what the policy computes in             */
    float master[WEIGHTS], m[WEIGHTS], v[WEIGHTS];       /* f32: the weights, and Adam's averages   */
    float copy[WEIGHTS], grads[WEIGHTS];                 /* of `type`; no copy where that is f32    */
    float x[LAYERS][BATCH * WIDTH], dy[LAYERS][BATCH * WIDTH]; /* of `type`: what a layer gets, and */
    float logits[BATCH * CLASSES];                             /* gradients by what it gives        */
    int32_t labels[BATCH];
    size_t rows;                                         /* of these arrays: its part of a batch    */
    mpx_loss_scale scale;
    mpx_optimizer adam;
    int steps, skipped;
    double seconds, sum_seconds, accuracy;
    uint64_t hash;                                       /* of master, after the last step          */
} model;

static int rank, ranks, broken;
static dataset train, test;
static int order[IMAGES]; /* of the images in this epoch, for all ranks */

/* ---- how it ends ------------------------------------------------------------------------------ */

/* All ranks know of the failure, and come here together. */
static void fail(const model *net, const char *what) {
    if (rank == 0) printf("FAILED: %s, step %d: %s\n", net->name, net->steps, what);
    MPI_Finalize();
    exit(1);
}
/* One rank has a problem of its own. */
static void must(mpx_status status) {
    if (status == MPX_OK) return;
    fprintf(stderr, "mpi-digits: %s\n", mpx_status_string(status));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- MPI learns 16-bit floats ----------------------------------------------------------------- */

static MPI_Datatype half_type;
static MPI_Op add_bf16_op, add_f16_op;

/* Each sum of two is exact, then rounded once. */
static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    must(mpx_add(inout, in, (size_t)*count, MPX_BF16));
}
static void add_f16(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    must(mpx_add(inout, in, (size_t)*count, MPX_F16));
}
static void make_operations(void) {
    MPI_Type_contiguous(2, MPI_BYTE, &half_type);
    MPI_Type_commit(&half_type);
    MPI_Op_create(add_bf16, 1, &add_bf16_op);
    MPI_Op_create(add_f16, 1, &add_f16_op);
}
static void sum_over_ranks(void *grads, mpx_dtype type, int count) {
    MPI_Datatype mpi_type = type == MPX_F32 ? MPI_FLOAT : half_type;
    MPI_Op op = type == MPX_F32 ? MPI_SUM : type == MPX_BF16 ? add_bf16_op : add_f16_op;
    MPI_Allreduce(MPI_IN_PLACE, grads, count, mpi_type, op, MPI_COMM_WORLD);
}

/* ---- the ranks agree -------------------------------------------------------------------------- */

/* FNV-1a, a word at a time. */
static uint64_t hash_of(const float *values, size_t n) {
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t word;
    for (; n > 0; n--, values++) {
        memcpy(&word, values, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

/* One reduction of 40 bytes: are all gradients finite, and have all ranks the same loss scale and the
   same weights? They have if the least x and the least ~x are complements. */
static int agree(const model *net, int finite) {
    float scale = mpx_loss_scale_value(net->scale);
    uint64_t vote[5] = { 0, 0, 0, net->hash, ~net->hash };
    vote[0] = (uint64_t)finite;
    vote[1] = hash_of(&scale, 1);
    vote[2] = ~vote[1];
    MPI_Allreduce(MPI_IN_PLACE, vote, 5, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (vote[1] != ~vote[2]) fail(net, "the ranks have different loss scales");
    if (vote[3] != ~vote[4]) fail(net, "the ranks have different weights");
    return vote[0] != 0;
}

/* ---- the network ------------------------------------------------------------------------------ */

static mpx_matrix matrix(const void *data, mpx_dtype type, size_t rows, size_t cols) {
    mpx_matrix a;
    memset(&a, 0, sizeof a);
    a.data = data, a.type = type, a.rows = rows, a.cols = cols;
    return a;
}
static mpx_matrix weights_of(const model *net, const struct layer *l) {
    const void *all = net->type == MPX_F32 ? net->master : net->copy;
    return matrix((const char *)all + mpx_dtype_bytes(net->type, l->first), net->type, l->in, l->out);
}
static void product(void *c, mpx_dtype c_type, mpx_matrix a, mpx_matrix b, mpx_matmul_options opt) {
    static float workspace[1 << 20];
    opt.workspace = workspace;
    opt.workspace_size = sizeof workspace;
    must(mpx_matmul(c, c_type, a, b, &opt));
}

/* The logits of the rows of x[0]. */
static void forward(model *net) {
    mpx_matmul_options opt;
    size_t i;
    memset(&opt, 0, sizeof opt);
    for (i = 0; i < LAYERS; i++) {
        const int last = i + 1 == LAYERS;
        opt.activation = last ? MPX_ACT_NONE : MPX_ACT_RELU;
        product(last ? net->logits : net->x[i + 1], last ? MPX_F32 : net->type,
                matrix(net->x[i], net->type, net->rows, layers[i].in), weights_of(net, &layers[i]), opt);
    }
}

/* From dy of the last layer to the gradients by all weights. */
static void backward(model *net) {
    mpx_matmul_options turn_a, turn_b;
    size_t i;
    memset(&turn_a, 0, sizeof turn_a);
    turn_b = turn_a;
    turn_a.transpose_a = turn_b.transpose_b = 1;
    for (i = LAYERS; i-- > 0;) {
        const struct layer *l = &layers[i];
        mpx_matrix dy = matrix(net->dy[i], net->type, net->rows, l->out);
        product((char *)net->grads + mpx_dtype_bytes(net->type, l->first), net->type,
                matrix(net->x[i], net->type, net->rows, l->in), dy, turn_a);
        if (i == 0) return;
        product(net->dy[i - 1], net->type, dy, weights_of(net, l), turn_b);
        must(mpx_activate_grad(net->dy[i - 1], net->type, net->dy[i - 1], net->type, net->x[i],
                               net->type, net->rows * l->in, MPX_ACT_RELU));
    }
}

/* ---- a step ----------------------------------------------------------------------------------- */

/* This rank's rows of a batch: `count` images from `first` on, in the epoch's order or, without
   `shuffled`, as they lie in the set. Rows beyond them are padding: with label -1 they have no
   gradient. So a batch of any size goes to any number of ranks. */
static void take_rows(model *net, const dataset *set, size_t first, size_t count, int shuffled) {
    const size_t bytes = mpx_dtype_bytes(net->type, PIXELS);
    size_t i;
    for (i = 0; i < net->rows; i++) {
        char *pixels = (char *)net->x[0] + i * bytes;
        const size_t at = (size_t)rank * net->rows + i;
        if (at < count) {
            const size_t image = shuffled ? (size_t)order[first + at] : first + at;
            net->labels[i] = set->labels[image];
            must(mpx_cast(pixels, net->type, set->pixels + image * PIXELS, MPX_F32, PIXELS));
        } else {
            net->labels[i] = -1;
            memset(pixels, 0, bytes);
        }
    }
}

static void train_step(model *net, size_t first, size_t count) {
    static const uint32_t inf = 0x7f800000;
    const float scale = mpx_loss_scale_value(net->scale);
    const double start = MPI_Wtime();
    double before_sum;
    mpx_optimizer_arrays all;
    int finite, agreed;
    memset(&all, 0, sizeof all);
    all.master = net->master, all.m = net->m, all.v = net->v;
    all.param = net->type == MPX_F32 ? NULL : net->copy;
    all.grad = net->grads;
    all.param_type = all.grad_type = net->type, all.n = WEIGHTS;
    net->steps++;

    /* 1. Gradients of this rank's rows. Their sum over all ranks is that of the batch's mean loss. */
    take_rows(net, &train, first, count, 1);
    forward(net);
    must(mpx_cross_entropy(NULL, net->dy[LAYERS - 1], net->type, net->logits, MPX_F32, net->labels,
                           net->rows, CLASSES, scale / (float)count));
    backward(net);
    if (net->steps == PLANTED && rank == ranks - 1) must(mpx_cast(net->grads, net->type, &inf, MPX_F32, 1));

    /* 2. If one rank has an overflow, all skip the step. */
    finite = agreed = agree(net, mpx_all_finite(net->grads, net->type, WEIGHTS));

    /* 3. All ranks get the same sum: they make the same step, or see the same overflow of the sum. */
    before_sum = MPI_Wtime();
    if (agreed) sum_over_ranks(net->grads, net->type, WEIGHTS);
    net->sum_seconds += MPI_Wtime() - before_sum;
    net->adam.loss_scale = scale;
    if (agreed || (broken && rank == 0)) must(mpx_optimizer_step(&net->adam, &all, 1, &finite, NULL));

    /* 4. The next loss scale follows from this one and from what all ranks know. */
    net->scale = mpx_loss_scale_adjust(net->scale, finite);
    net->skipped += !finite;
    if (net->steps == PLANTED && finite && !broken) fail(net, "an overflow was not skipped");
    net->seconds += MPI_Wtime() - start;
    net->hash = hash_of(net->master, WEIGHTS);
}

/* ---- a training ------------------------------------------------------------------------------- */

static uint32_t random_bits(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
static void shuffle(size_t count, uint32_t *state) {
    size_t i;
    for (i = count; i-- > 1;) {
        const size_t j = random_bits(state) % (i + 1);
        const int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

/* Every rank makes the same weights, from the same seed. */
static void model_init(model *net, const char *name, uint32_t *state) {
    mpx_policy policy;
    size_t i, j;
    must(mpx_policy_parse(name, &policy, NULL));
    memset(net, 0, sizeof *net);
    net->name = name;
    net->type = policy.compute;
    net->rows = ((size_t)BATCH + (size_t)ranks - 1) / (size_t)ranks;
    net->scale = net->type == MPX_F16 ? mpx_loss_scale_dynamic(65536) : mpx_loss_scale_noop();
    net->scale.period = SCALE_PERIOD;
    net->adam.lr = learning_rate;
    for (i = 0; i < LAYERS; i++) {
        const double bound = sqrt(6.0 / (double)layers[i].in);
        for (j = 0; j < layers[i].in * layers[i].out; j++)
            net->master[layers[i].first + j] = (float)(bound * ((double)random_bits(state) / 8388608.0 - 1));
    }
    must(mpx_cast(net->copy, net->type, net->master, MPX_F32, WEIGHTS));
    net->hash = hash_of(net->master, WEIGHTS);
}

/* Percent of right answers in the test, of which every rank takes a part. */
static double accuracy_of(model *net) {
    size_t first, i, j;
    int right = 0;
    for (first = 0; first < test.count; first += net->rows * (size_t)ranks) {
        take_rows(net, &test, first, test.count - first, 0);
        forward(net);
        for (i = 0; i < net->rows; i++) {
            const float *logits = net->logits + i * CLASSES;
            size_t best = 0;
            for (j = 1; j < CLASSES; j++) best = logits[j] > logits[best] ? j : best;
            right += net->labels[i] == (int32_t)best;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return 100.0 * right / (double)test.count;
}

static void run(model *net, const char *name) {
    uint32_t state = 1;
    size_t first, i;
    int epoch;
    model_init(net, name, &state);
    for (i = 0; i < train.count; i++) order[i] = (int)i;
    for (epoch = 0; epoch < EPOCHS; epoch++) {
        shuffle(train.count, &state);
        for (first = 0; first < train.count; first += BATCH)
            train_step(net, first, train.count - first < BATCH ? train.count - first : BATCH);
    }
    (void)agree(net, 1); /* the last step's weights too */
    net->accuracy = accuracy_of(net);
}

/* A ring sends every gradient 2 (ranks - 1) / ranks times: to be added, and to be known to all. */
static void report(const model *net, const model *f32) {
    const double bytes = 2.0 * (ranks - 1) / ranks * (double)mpx_dtype_bytes(net->type, WEIGHTS);
    if (rank == 0)
        printf("%5d  %-14s  %6.2f %%  %7d  2^%-3.0f  %9.1f  %9.2f  %11.2f  %5.2f  %016llx\n", ranks, net->name,
               net->accuracy, net->skipped, log2((double)mpx_loss_scale_value(net->scale)), bytes / 1000,
               1000 * net->seconds / net->steps, 1000 * net->sum_seconds / net->steps,
               f32->seconds / net->seconds, (unsigned long long)net->hash);
    if (net->accuracy < accuracy_floor) fail(net, "too few right answers");
    if (fabs(net->accuracy - f32->accuracy) > accuracy_apart) fail(net, "too far from float32");
}

/* Each policy is trained twice, in turns: the bits must be equal, and the faster one is printed. */
int main(int argc, char **argv) {
    static model nets[POLICIES], again;
    int i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    broken = argc > 1 && strcmp(argv[1], "--broken") == 0;
    if (!read_digits("demo/digits.csv", &train, &test)) {
        fprintf(stderr, "mpi-digits: cannot read demo/digits.csv: run it from the root of the repository\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    standardise(&train, &test);
    make_operations();
    for (i = 0; i < POLICIES; i++) run(&nets[i], policies[i]);
    for (i = 0; i < POLICIES; i++) {
        run(&again, policies[i]);
        if (again.hash != nets[i].hash) fail(&again, "a second training gave other bits");
        if (again.seconds < nets[i].seconds) nets[i] = again;
    }
    if (rank == 0)
        printf("ranks  policy          accuracy  skipped  scale   KB a step  ms a step  of them sum  speed  weights\n");
    for (i = 0; i < POLICIES; i++) report(&nets[i], &nets[0]);
    if (rank == 0) printf("%d steps of %d images, the faster of 2 trainings\n", nets[0].steps, BATCH);
    MPI_Op_free(&add_bf16_op);
    MPI_Op_free(&add_f16_op);
    MPI_Type_free(&half_type);
    MPI_Finalize();
    return 0;
}
