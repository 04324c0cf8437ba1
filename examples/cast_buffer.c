/* A texture row goes to f16, bf16, fp8 and fp4 and back, one call per buffer; the texture
   coordinates of interleaved vertices go to f16 one value at a time, by the inline helpers.

       cc -O2 -I. examples/cast_buffer.c -o cast_buffer

   prints

       float16                  1 0.0999755859         -2.5            6          448          inf
        3c00 2e66 c100 4600 5f00 7c00
       bfloat16                 1  0.100097656         -2.5            6          448        70144
        3f80 3dcd c020 40c0 43e0 4789
       float8_e4m3fn            1    0.1015625         -2.5            6          448          nan
        38 1d c2 4c 7e 7f
       float4_e2m1fn            1            0           -2            6            6            6
        02 7c 77
       vertex 0: v 1, uv 3400 3c00
       vertex 1: v 0.0999755859, uv 3a00 2e66
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

enum { N = 6, VERTICES = 2 };

typedef struct vertex { float pos[3], uv[2]; } vertex;
typedef struct packed_vertex { float pos[3]; uint16_t uv[2]; } packed_vertex;

static const float row[N] = { 1.0f, 0.1f, -2.5f, 6.0f, 448.0f, 70000.0f };
static const vertex mesh[VERTICES] = { { { 0, 0, 0 }, { 0.25f, 1.0f } },
                                       { { 1, 0, 0 }, { 0.75f, 0.1f } } };

/* Encode the row, decode it again, print what is left. 0 if that is not possible. */
static int encode_row(void *codes, mpx_dtype type) {
    float back[N];
    int i;
    if (mpx_cast(codes, type, row, MPX_F32, N) != MPX_OK) return 0;
    if (mpx_cast(back, MPX_F32, codes, type, N) != MPX_OK) return 0;
    printf("%-13s", mpx_dtype_name(type));
    for (i = 0; i < N; i++) printf(" %12.9g", (double)back[i]);
    printf("\n");
    return 1;
}

static void print_u16(const uint16_t *code, int n) {
    int i;
    for (i = 0; i < n; i++) printf(" %04x", (unsigned)code[i]);
    printf("\n");
}

static void print_u8(const uint8_t *code, int n) {
    int i;
    for (i = 0; i < n; i++) printf(" %02x", (unsigned)code[i]);
    printf("\n");
}

int main(void) {
    packed_vertex out[VERTICES];
    uint16_t half[N], brain[N];
    uint8_t e4m3[N], e2m1[N / 2]; /* two e2m1 share a byte, the first in the low bits */
    int v, i;

    if (!encode_row(half, MPX_F16)) return 1;
    print_u16(half, N);
    if (!encode_row(brain, MPX_BF16)) return 1;
    print_u16(brain, N);
    if (!encode_row(e4m3, MPX_F8E4M3FN)) return 1;
    print_u8(e4m3, N);
    if (!encode_row(e2m1, MPX_F4E2M1FN)) return 1;
    print_u8(e2m1, N / 2);

    for (v = 0; v < VERTICES; v++) {
        for (i = 0; i < 3; i++) out[v].pos[i] = mesh[v].pos[i];
        for (i = 0; i < 2; i++) out[v].uv[i] = mpx_f16_from_f32(mesh[v].uv[i]);
        printf("vertex %d: v %.9g, uv", v, (double)mpx_f16_to_f32(out[v].uv[1]));
        print_u16(out[v].uv, 2);
    }
    return 0;
}
