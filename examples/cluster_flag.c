/* Four ranks (here: rows of arrays) each check their bf16 gradients, and all decide alike: flags are
   combined with a logical and before any rank sums in f32, updates, or adjusts.

       cc -O2 -I. examples/cluster_flag.c -o cluster_flag

   prints

       step 1  finite 1 1 1 1  all 1  1.25 2.5 3.75 5 6.25
       step 2  finite 1 0 1 1  all 0  skipped
       step 3  finite 1 1 1 1  all 1  1.25 2.5 3.75 5 6.25
       rank 0  scale 512
       rank 1  scale 512
       rank 2  scale 512
       rank 3  scale 512
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

enum { RANKS = 4, N = 5, CHUNK = 64 };

/* inout += in for bf16, added in f32, rounded once. Hand it to MPI_Op_create: an MPI_User_function,
   whose last parameter is an MPI_Datatype *. */
static void sum_bf16(void *in, void *inout, int *len, void *type) {
    const uint16_t *a = (const uint16_t *)in;
    uint16_t *b = (uint16_t *)inout;
    float x[CHUNK], y[CHUNK];
    int left = *len, i, n;
    (void)type;
    for (; left > 0; left -= n, a += n, b += n) {
        n = left < CHUNK ? left : CHUNK;
        (void)mpx_cast(x, MPX_F32, a, MPX_BF16, (size_t)n);
        (void)mpx_cast(y, MPX_F32, b, MPX_BF16, (size_t)n);
        for (i = 0; i < n; i++) y[i] += x[i];
        (void)mpx_cast(b, MPX_BF16, y, MPX_F32, (size_t)n);
    }
}

/* MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_LAND, comm) */
static int all_of(const int *flag) {
    int rank, all = 1;
    for (rank = 0; rank < RANKS; rank++) all = all && flag[rank];
    return all;
}

int main(void) {
    uint16_t grads[RANKS][N], sum[N];
    mpx_loss_scale scale[RANKS];
    int finite[RANKS], step, rank, i, len = N, all;
    for (rank = 0; rank < RANKS; rank++) scale[rank] = mpx_loss_scale_dynamic(1024.0f);

    for (step = 1; step <= 3; step++) {
        for (rank = 0; rank < RANKS; rank++) {
            for (i = 0; i < N; i++)
                grads[rank][i] = mpx_bf16_from_f32((float)((rank + 1) * (i + 1)) / 8.0f);
            if (step == 2 && rank == 1) grads[rank][3] = 0x7f80; /* +Inf */
            finite[rank] = mpx_all_finite(grads[rank], MPX_BF16, N);
        }
        all = all_of(finite);
        printf("step %d  finite", step);
        for (rank = 0; rank < RANKS; rank++) printf(" %d", finite[rank]);
        printf("  all %d ", all);
        if (all) {
            for (i = 0; i < N; i++) sum[i] = grads[0][i];
            for (rank = 1; rank < RANKS; rank++) sum_bf16(grads[rank], sum, &len, NULL);
            for (i = 0; i < N; i++) printf(" %g", (double)mpx_bf16_to_f32(sum[i]));
        }
        printf(all ? "\n" : " skipped\n");
        for (rank = 0; rank < RANKS; rank++) scale[rank] = mpx_loss_scale_adjust(scale[rank], all);
    }
    for (rank = 0; rank < RANKS; rank++)
        printf("rank %d  scale %g\n", rank, (double)mpx_loss_scale_value(scale[rank]));
    return 0;
}
