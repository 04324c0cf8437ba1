/* A game and a plug-in bring a copy of mpx.h each, with other options or of another version.
   MPX_NAMESPACE keeps them apart: what both write as mpx_cast is game_mpx_cast here and
   plugin_mpx_cast there.

       cc -O2 -I. examples/two_copies.c examples/two_copies_plugin.c -o two_copies

   prints

        1.000  game 38  plug-in 38
       -0.300  game aa  plug-in aa
        0.004  game 02  plug-in 02
        0.750  game 34  plug-in 34
       the same bits
*/
#define MPX_NAMESPACE game_
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
int plugin_encode(const float *samples, unsigned char *codes, int n);

int main(void) {
    static const float samples[4] = { 1.0f, -0.3f, 0.004f, 0.75f };
    unsigned char from_plugin[4], own[4];
    int i, same = 1;

    if (!plugin_encode(samples, from_plugin, 4)) return 1;
    if (mpx_cast(own, MPX_F8E4M3FN, samples, MPX_F32, 4) != MPX_OK) return 1;
    for (i = 0; i < 4; i++) {
        printf("%6.3f  game %02x  plug-in %02x\n", (double)samples[i], (unsigned)own[i],
               (unsigned)from_plugin[i]);
        same = same && own[i] == from_plugin[i];
    }
    printf("%s\n", same ? "the same bits" : "different bits");
    return !same;
}
