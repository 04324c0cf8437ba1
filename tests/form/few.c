/* Products of quantized weights in a library of few dtypes, against their dequantized numbers: the kernels of codes do not
   need the dtype whose place they take. Returns 0 if all are right, else the number of the one that is not. */
#define MPX_COMPUTE 1
#define MPX_IMPLEMENTATION
#include "mpx.h"

enum { FEW_ROWS = 3, FEW_COLS = 256, FEW_COUNT = FEW_ROWS * FEW_COLS };
static float w[FEW_COUNT], x[FEW_COLS], floats[FEW_COUNT], y[FEW_ROWS];
static unsigned char codes[FEW_COUNT * 4];

static int is_wrong(const char *text) {
    mpx_quant q;
    mpx_matrix m;
    unsigned char *bytes = (unsigned char *)&m;
    size_t i, r;
    if (mpx_quant_parse(text, &q, NULL) != MPX_OK) return 0; /* of a dtype that this build lacks */
    for (i = 0; i < sizeof m; i++) bytes[i] = 0;
    m.data = codes;
    m.quant = q;
    m.rows = FEW_ROWS;
    m.cols = FEW_COLS;
    if (mpx_quantize(codes, q, w, MPX_F32, FEW_ROWS, FEW_COLS) != MPX_OK) return 1;
    if (mpx_dequantize(floats, MPX_F32, codes, q, FEW_ROWS, FEW_COLS) != MPX_OK) return 1;
    if (mpx_matvec_with(y, MPX_F32, m, x, MPX_F32, NULL) != MPX_OK) return 1;
    for (r = 0; r < FEW_ROWS; r++) {
        float sum = 0;
        for (i = 0; i < FEW_COLS; i++) sum += floats[r * FEW_COLS + i] * x[i];
        if (!(y[r] > sum - 1 && y[r] < sum + 1)) return 1;
    }
    return 0;
}

int main(void) {
    static const char *const texts[] = { "uint8", "uint8/row", "uint8/32", "int8/32", "int4", "int4/64", "uint4/32", "mxfp4",
                                         "nvfp4" };
    int i;
    for (i = 0; i < FEW_COUNT; i++) w[i] = (float)(i * 37 % 101 - 40) / 32;
    for (i = 0; i < FEW_COLS; i++) x[i] = (float)(i * 53 % 97 - 30) / 16;
    for (i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++)
        if (is_wrong(texts[i])) return i + 1;
    return 0;
}
