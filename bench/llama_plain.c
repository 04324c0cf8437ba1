/* What llama2.c (run.c, matmul) does: each row's products in one sum. Compiled with its own flags,
   -Ofast -march=native, so that the compiler makes vectors of it. */
void plain_matvec(float *y, const float *w, const float *x, int rows, int cols);
void plain_matvec(float *y, const float *w, const float *x, int rows, int cols) {
    int r, i;
    for (r = 0; r < rows; r++) {
        float sum = 0;
        for (i = 0; i < cols; i++)
            sum += w[r * cols + i] * x[i];
        y[r] = sum;
    }
}
