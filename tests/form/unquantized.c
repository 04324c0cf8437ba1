/* A library without quantization, and a matrix that is quantized: it must be refused, not read as its dtype says, by a
   status that has words. */
#define MPX_COMPUTE 1
#define MPX_NO_QUANT 1
#define MPX_NO_KERAS 1
#define MPX_IMPLEMENTATION
#include "mpx.h"

int main(void) {
    float x[4], y[1];
    mpx_matrix w;
    unsigned char *bytes = (unsigned char *)&w;
    size_t i;
    for (i = 0; i < sizeof w; i++) bytes[i] = 0;
    for (i = 0; i < 4; i++) x[i] = 1;
    y[0] = 7;
    w.data = x;
    w.type = MPX_F32;
    w.rows = 1;
    w.cols = 4;
    if (mpx_matvec_with(y, MPX_F32, w, x, MPX_F32, NULL) != MPX_OK || y[0] < 4 || y[0] > 4) return 1;
    w.quant.scheme = MPX_SCHEME_Q8_0;
    y[0] = 7;
    if (mpx_status_string(MPX_ERR_UNSUPPORTED)[2] != 's') return 1; /* not "unknown status" */
    return mpx_matvec_with(y, MPX_F32, w, x, MPX_F32, NULL) != MPX_ERR_UNSUPPORTED || y[0] < 7 || y[0] > 7;
}
