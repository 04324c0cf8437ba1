/* A game's vertices: floats from the artists' tool, packed for the graphics card in one pass, from
   40 bytes to 20. */
#include "client.h"

enum { N = 1000 };
typedef struct vertex { float position[3], normal[3], uv[2], color[2]; } vertex;
typedef struct packed { uint16_t position[4]; uint32_t normal; uint16_t uv[2]; uint8_t color[4]; } packed;

int main(void) {
    static const mpx_attribute layout[] = {
        { MPX_VERTEX_PLAIN, MPX_F16, 3, offsetof(packed, position), offsetof(vertex, position) },
        { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 3, offsetof(packed, normal), offsetof(vertex, normal) },
        { MPX_VERTEX_UNORM16, MPX_NONE, 2, offsetof(packed, uv), offsetof(vertex, uv) },
        { MPX_VERTEX_UNORM8, MPX_NONE, 2, offsetof(packed, color), offsetof(vertex, color) },
    };
    static vertex in[N], back[N];
    static packed out[N];
    int i;
    for (i = 0; i < N; i++) {
        vertex v = { { (float)i, -1.5f, 0.25f }, { 0, 1, -1 }, { 0.5f, 1 }, { 2, (float)i / (float)N } };
        in[i] = v;
    }
    if (mpx_vertices_pack(out, sizeof *out, in, sizeof *in, N, layout, 4) != MPX_OK) return 1;
    if (mpx_vertices_unpack(back, sizeof *back, out, sizeof *out, N, layout, 4) != MPX_OK) return 1;
    printf("%d bytes, not %d\n", (int)sizeof *out, (int)sizeof *in);
    expect(out[3].position[0] == 0x4200 && out[3].position[1] == 0xbe00);
    expect(out[3].normal == (0x1ffu << 10 | 0x201u << 20) && out[3].uv[1] == 65535);
    expect(out[3].color[0] == 255 && memcmp(back[3].position, in[3].position, 12) == 0);
    return 0;
}
