/* The header starts no threads: a pool of the program's own runs the pieces of a cast. The pool
   below is forty lines of pthreads; with libdispatch it is one:
   dispatch_apply_f(count, queue, arg, task).

       cc -O2 -I. examples/threads.c -lpthread -o threads

   prints

       16777216 floats to bf16: 96 pieces, the bits of mpx_cast: yes
       3 leaves: 8 pieces, the bits of mpx_tree_cast: yes
       quantized: 3 pieces, the bits of one thread: yes
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 }; /* and the caller */

typedef struct pool {
    pthread_t threads[THREADS];
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    mpx_task_fn task;
    void *arg;
    size_t next, count, running; /* pieces: the next, all, those at work */
    size_t total;                /* pieces run so far */
    int stop;
} pool;

/* Take pieces while there are any. The lock is held before and after. */
static void take_pieces(pool *p) {
    while (p->next < p->count) {
        size_t i = p->next++;
        p->running++;
        pthread_mutex_unlock(&p->lock);
        p->task(p->arg, i);
        pthread_mutex_lock(&p->lock);
        p->total++;
        if (--p->running == 0 && p->next == p->count) pthread_cond_signal(&p->done);
    }
}

static void *worker(void *arg) {
    pool *p = (pool *)arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        take_pieces(p);
        if (!p->stop) pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* What mpx.h asks for: all pieces, on all threads. */
static void run(size_t count, mpx_task_fn task, void *arg, void *user) {
    pool *p = (pool *)user;
    pthread_mutex_lock(&p->lock);
    p->task = task, p->arg = arg, p->next = 0, p->count = count;
    pthread_cond_broadcast(&p->work);
    take_pieces(p);
    while (p->running != 0) pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static int pool_start(pool *p) {
    int i, failed = pthread_mutex_init(&p->lock, NULL) || pthread_cond_init(&p->work, NULL) ||
                    pthread_cond_init(&p->done, NULL);
    for (i = 0; i < THREADS && !failed; i++)
        failed = pthread_create(&p->threads[i], NULL, worker, p);
    return !failed;
}

static void pool_stop(pool *p) {
    int i;
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (i = 0; i < THREADS; i++) pthread_join(p->threads[i], NULL);
}

/* The leaves in blocks of 8 bits, but the one that has no whole blocks. */
static int quantize(mpx_weights *out, mpx_tree tree, mpx_parallel parallel, void *block) {
    mpx_weights_options opt;
    memset(&opt, 0, sizeof opt);
    opt.parallel = parallel;
    opt.leave = 1;
    opt.block = block, opt.size = 4 << 20;
    return mpx_weights_cast(out, tree, "q8_0", &opt, NULL) == MPX_OK;
}

enum { N = 16 << 20, A = 1 << 20, B = 100, C = 200000 };
static pool workers;

int main(void) {
    float *weights = (float *)malloc(sizeof(float) * N); /* 64 MiB */
    uint16_t *once = (uint16_t *)malloc(2 * N), *pieces = (uint16_t *)malloc(2 * N);
    mpx_leaf master[3] = { { "a", weights, A, MPX_F32 },
                           { "b", weights + A, B, MPX_F32 },
                           { "c", weights + A + B, C, MPX_F32 } };
    mpx_leaf low[3] = { { "a", once, A, MPX_F16 },
                        { "b", once + A, B, MPX_F16 },
                        { "c", once + A + B, C, MPX_F16 } };
    mpx_tree from = mpx_tree_of_leaves(master, 3), to = mpx_tree_of_leaves(low, 3);
    mpx_parallel parallel = { run, &workers, 0 };
    mpx_parallel serial = { NULL, NULL, 0 };
    mpx_weights one, all;
    int i, same;

    if (weights == NULL || once == NULL || pieces == NULL || !pool_start(&workers)) return 1;
    for (i = 0; i < N; i++) weights[i] = (float)(i - N / 2) / 777.0f;

    if (mpx_cast(once, MPX_BF16, weights, MPX_F32, N) != MPX_OK) return 1;
    if (mpx_cast_parallel(pieces, MPX_BF16, weights, MPX_F32, N, NULL, parallel) != MPX_OK)
        return 1;
    same = memcmp(once, pieces, 2 * N) == 0;
    printf("%d floats to bf16: %lu pieces, the bits of mpx_cast: %s\n", (int)N,
           (unsigned long)workers.total, same ? "yes" : "no");

    workers.total = 0;
    if (mpx_tree_cast(to, from, NULL) != MPX_OK) return 1;
    for (i = 0; i < 3; i++) low[i].data = pieces + ((uint16_t *)low[i].data - once);
    if (mpx_tree_cast_parallel(to, from, parallel, NULL) != MPX_OK) return 1;
    same = same && memcmp(once, pieces, 2 * (A + B + C)) == 0;
    printf("3 leaves: %lu pieces, the bits of mpx_tree_cast: %s\n", (unsigned long)workers.total,
           same ? "yes" : "no");

    workers.total = 0;
    if (!quantize(&one, from, serial, once) || !quantize(&all, from, parallel, pieces)) return 1;
    for (i = 0; i < 3; i++)
        same = same && all.leaves[i].count == one.leaves[i].count &&
               memcmp(all.leaves[i].data, one.leaves[i].data, all.weights[i].bytes) == 0;
    printf("quantized: %lu pieces, the bits of one thread: %s\n", (unsigned long)workers.total,
           same ? "yes" : "no");

    pool_stop(&workers);
    free(weights), free(once), free(pieces);
    return !same;
}
