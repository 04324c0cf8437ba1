/* The tables of docs/which-dtype.md, as Markdown: the float formats, from mpx_dtype_info; and what casts and quantized
   formats keep of normally distributed weights. `make docs` writes them there, and tests/test_docs.py compares. */
#include "mpx.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 128, COLS = 1024, N = ROWS * COLS };
static float weights[N], back[N];
static unsigned char codes[4 * N + 65536];

static const struct {
    mpx_dtype dtype;
    const char *use;
} floats[] = {
    { MPX_F64, "sums and statistics" },
    { MPX_F32, "master weights, outputs, everything by default" },
    { MPX_F16, "training with a loss scale, inference, vertices, files" },
    { MPX_BF16, "training without a loss scale, inference, files" },
    { MPX_F8E4M3FN, "weights and activations in 8 bits (OCP)" },
    { MPX_F8E5M2, "gradients in 8 bits (OCP)" },
    { MPX_F8E4M3, "IEEE-like, hardware that has it" },
    { MPX_F8E3M4, "IEEE-like, hardware that has it" },
    { MPX_F8E4M3FNUZ, "as e4m3fn, on AMD MI300 and the like" },
    { MPX_F8E5M2FNUZ, "as e5m2, on AMD MI300 and the like" },
    { MPX_F8E4M3B11FNUZ, "small values, some accelerators" },
    { MPX_F8E8M0FNU, "scales of MX blocks: powers of two" },
    { MPX_F6E2M3FN, "elements of MXFP6 blocks" },
    { MPX_F6E3M2FN, "elements of MXFP6 blocks" },
    { MPX_F4E2M1FN, "elements of MXFP4 and NVFP4 blocks" },
};

static const char *formats[] = {
    "int8", "int8/row", "int8/128", "int8/32", "int4", "int4/row", "int4/128", "int4/32", "int2/32", "uint8", "f8e4m3fn",
    "f8e5m2", "f8e4m3fn/128", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxint8", "nvfp4",
    "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "ggml_mxfp4",
};

/* Two normally distributed numbers (Box and Muller) of a generator that is the same everywhere. */
static void fill(void) {
    uint64_t state = 1;
    double u[2];
    int i, j;
    for (i = 0; i < N; i += 2) {
        for (j = 0; j < 2; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            u[j] = ((double)(state >> 11) + 1) / 9007199254740994.0;
        }
        weights[i] = (float)(sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]));
        weights[i + 1] = (float)(sqrt(-2 * log(u[0])) * sin(6.283185307179586 * u[1]));
    }
}

static double sqnr(void) {
    double signal = 0, noise = 0;
    int i;
    for (i = 0; i < N; i++) {
        signal += (double)weights[i] * (double)weights[i];
        noise += ((double)weights[i] - (double)back[i]) * ((double)weights[i] - (double)back[i]);
    }
    return 10 * log10(signal / noise);
}

typedef struct row {
    const char *format;
    double bits, sqnr;
} row;

static int wider(const void *a, const void *b) {
    const row *x = (const row *)a, *y = (const row *)b;
    if (x->bits != y->bits) return x->bits > y->bits ? -1 : 1;
    return x->sqnr > y->sqnr ? -1 : 1;
}

int main(void) {
    row rows[sizeof formats / sizeof *formats + 2];
    size_t i, count = 0;
    printf("| dtype | bits | largest | least normal | least subnormal | epsilon | digits | Inf | NaN | for |\n"
           "|---|---:|---:|---:|---:|---:|---:|---|---|---|\n");
    for (i = 0; i < sizeof floats / sizeof *floats; i++) {
        const mpx_dtype_facts f = mpx_dtype_info(floats[i].dtype);
        printf("| %s (%s) | %d | %.7g | %.7g | %.7g | %.7g | %.1f | %s | %s | %s |\n", f.name, f.short_name, f.bits, f.max,
               f.smallest_normal, f.smallest_subnormal, f.epsilon, (f.mantissa_bits + 1) * log10(2.0),
               f.has_inf ? "yes" : "no", f.has_nan ? "yes" : "no", floats[i].use);
    }
    printf("<!-- /floats -->\n");
    fill();
    for (i = 0; i < 2; i++) {
        if (mpx_round_to(back, weights, N, i ? MPX_BF16 : MPX_F16) != MPX_OK) return 1;
        rows[count].format = i ? "bf16 (a cast)" : "f16 (a cast)";
        rows[count].bits = 16;
        rows[count++].sqnr = sqnr();
    }
    for (i = 0; i < sizeof formats / sizeof *formats; i++) {
        mpx_quant q;
        const char *name = formats[i];
        if (mpx_quant_parse(name, &q, NULL) != MPX_OK || mpx_quant_bytes(q, ROWS, COLS) > sizeof codes) return 1;
        if (mpx_quantize(codes, q, weights, MPX_F32, ROWS, COLS) != MPX_OK) return 1;
        if (mpx_dequantize(back, MPX_F32, codes, q, ROWS, COLS) != MPX_OK) return 1;
        rows[count].format = name;
        rows[count].bits = 8.0 * (double)mpx_quant_bytes(q, ROWS, COLS) / (double)N;
        rows[count++].sqnr = sqnr();
    }
    qsort(rows, count, sizeof *rows, wider);
    printf("| format | bits per weight | SQNR, dB |\n|---|---:|---:|\n");
    for (i = 0; i < count; i++) printf("| `%s` | %.2f | %.1f |\n", rows[i].format, rows[i].bits, rows[i].sqnr);
    return printf("<!-- /formats -->\n") < 0;
}
