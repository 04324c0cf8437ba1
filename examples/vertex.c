/* Vertices of 48 bytes of floats are packed into 20 for a graphics card, all attributes in one
   call: positions as float16, normals as 10-10-10-2, texture coordinates as normalised integers of
   16 bits, colours of 8. The same table unpacks them.

       cc -O2 -I. examples/vertex.c -o vertex

   prints

       48 bytes: 0000803f 000000bf 0000403e 00000000 9a99193f cdcc4c3f 0000803e 0000803f 0000803f 0000003f 00000000 0000803f
       20 bytes: 003c00b8 0032005a 00cc9419 0040ffff ff8000ff
       unpacked: position 1 -0.5 0.1875, normal 0 0.600782752 0.800391376
                 uv 0.250003815 1, colour 1 0.501960814 0 1
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stddef.h>
#include <stdio.h>

typedef struct vertex { float position[3], normal[3], uv[2], colour[4]; } vertex;
typedef struct gpu_vertex {
    uint16_t position[4]; /* the fourth is not written */
    uint32_t normal;
    uint16_t uv[2];
    uint8_t colour[4];
} gpu_vertex;

static const mpx_attribute attributes[] = {
    { MPX_VERTEX_PLAIN, MPX_F16, 3, offsetof(gpu_vertex, position), offsetof(vertex, position) },
    { MPX_VERTEX_SNORM10_10_10_2, MPX_NONE, 3, offsetof(gpu_vertex, normal),
      offsetof(vertex, normal) },
    { MPX_VERTEX_UNORM16, MPX_NONE, 2, offsetof(gpu_vertex, uv), offsetof(vertex, uv) },
    { MPX_VERTEX_UNORM8, MPX_NONE, 4, offsetof(gpu_vertex, colour), offsetof(vertex, colour) },
};
enum { ATTRIBUTES = sizeof attributes / sizeof attributes[0] };

static void print_bytes(const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    size_t i;
    printf("%u bytes:", (unsigned)size);
    for (i = 0; i < size; i++) printf("%s%02x", i % 4 == 0 ? " " : "", byte[i]);
    printf("\n");
}

int main(void) {
    const vertex mesh[2] = {
        { { 1, -0.5f, 0.1875f }, { 0, 0.6f, 0.8f }, { 0.25f, 1 }, { 1, 0.5f, 0, 1 } },
        { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0 }, { 1, 1, 1, 1 } },
    };
    gpu_vertex packed[2];
    vertex back[2];
    const vertex *v = &back[0];
    packed[0].position[3] = packed[1].position[3] = 0x5a00;
    if (mpx_vertices_pack(packed, sizeof *packed, mesh, sizeof *mesh, 2, attributes,
                          ATTRIBUTES) != MPX_OK) return 1;
    if (mpx_vertices_unpack(back, sizeof *back, packed, sizeof *packed, 2, attributes,
                            ATTRIBUTES) != MPX_OK) return 1;
    print_bytes(&mesh[0], sizeof mesh[0]);
    print_bytes(&packed[0], sizeof packed[0]);
    printf("unpacked: position %.9g %.9g %.9g, normal %.9g %.9g %.9g\n", (double)v->position[0],
           (double)v->position[1], (double)v->position[2], (double)v->normal[0],
           (double)v->normal[1], (double)v->normal[2]);
    printf("          uv %.9g %.9g, colour %.9g %.9g %.9g %.9g\n", (double)v->uv[0],
           (double)v->uv[1], (double)v->colour[0], (double)v->colour[1], (double)v->colour[2],
           (double)v->colour[3]);
    return 0;
}
