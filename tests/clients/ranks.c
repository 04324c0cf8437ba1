/* A cluster: each rank checks its bf16 gradients, all take the same decision, gradients are summed
   in f32. Ranks are rows here; the comments say what MPI is called with. */
#include "client.h"

enum { RANKS = 4, N = 100 };

int main(void) {
    static uint16_t grads[RANKS][N];
    float sum[N];
    mpx_loss_scale scale = mpx_loss_scale_dynamic(256);
    int rank, i, finite = 1;
    for (rank = 0; rank < RANKS; rank++)
        for (i = 0; i < N; i++) grads[rank][i] = mpx_bf16_from_f32(mpx_loss_scale_scale(scale, 0.5f));
    for (rank = 0; rank < RANKS; rank++) /* MPI_Allreduce(&finite, MPI_LAND) */
        finite = finite && mpx_all_finite(grads[rank], MPX_BF16, N);
    for (rank = 1; rank < RANKS; rank++) /* MPI_Allreduce by MPI_Op_create's operation with this body */
        if (mpx_add(grads[0], grads[rank], N, MPX_BF16) != MPX_OK) return 1;
    if (mpx_loss_scale_unscale_n(sum, MPX_F32, grads[0], MPX_BF16, N, scale, &i) != MPX_OK) return 1;
    scale = mpx_loss_scale_adjust(scale, finite && i);
    printf("sum %g, finite %d\n", (double)sum[0], finite);
    expect(finite && i && sum[N - 1] >= 2 && sum[N - 1] <= 2 && scale.counter == 1);
    return 0;
}
