/* Where size_t has 32 bits: an array of more than 2^32 bits is cast to its end, by kernels that do not stream. */
#define MPX_STREAM_BYTES 0
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdlib.h>

int main(void) {
    const size_t n = ((size_t)1 << 27) + 65;
    float *x = (float *)calloc(n, sizeof *x); /* pages that are only read take no memory */
    int8_t *y = (int8_t *)malloc(n);
    int wrong = 2;
    if (x != NULL && y != NULL) {
        x[0] = x[n - 1] = 5;
        x[n - 2] = -3;
        wrong = mpx_cast(y, MPX_I8, x, MPX_F32, n) != MPX_OK || y[0] != 5 || y[1] != 0 || y[n - 2] != -3 || y[n - 1] != 5;
    }
    free(x);
    free(y);
    return wrong;
}
