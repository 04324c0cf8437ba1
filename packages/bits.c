/* What the packages are tested with: prints three numbers in bfloat16, 3f80 3dcd 4789, and the dtype of a path in a
   policy map. With HEADER_ONLY this file has the implementation; without, a library has it. */
#ifdef HEADER_ONLY
#define MPX_IMPLEMENTATION
#endif
#include "mpx.h"
#include <stdio.h>

int main(void) {
    const float master[3] = { 1.0f, 0.1f, 70000.0f };
    uint16_t working[3];
    mpx_map_entry entries[2];
    mpx_policy_map map = mpx_policy_map_of(entries, 2, mpx_policy_of(MPX_NONE, MPX_NONE, MPX_NONE));
    mpx_policy p;
    if (mpx_version() != MPX_VERSION) return 1;
    if (mpx_policy_map_parse(&map, "head.* = p=f32,c=f32,o=f32\n** = p=f32,c=bf16,o=f32", NULL) != MPX_OK) return 1;
    map.first_wins = 1;
    if (mpx_policy_map_get(&map, "layers.0.weight", &p) != MPX_OK) return 1;
    if (mpx_cast(working, p.compute, master, p.param, 3) != MPX_OK) return 1;
    printf("%04x %04x %04x %s", working[0], working[1], working[2], mpx_dtype_name(p.compute));
#if MPX_COMPUTE
    printf(" dot %g", (double)mpx_dot(master, MPX_F32, master, MPX_F32, 2));
#endif
#if MPX_FILES
    printf(" files");
#endif
    return printf("\n") < 0;
}
