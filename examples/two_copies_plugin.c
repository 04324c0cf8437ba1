/* The plug-in of two_copies.c: casts only, under names of its own. Its host never sees mpx.h. */
#define MPX_NAMESPACE plugin_
#define MPX_NO_TREE 1
#define MPX_NO_POLICY 1
#define MPX_NO_LOSS_SCALE 1
#define MPX_IMPLEMENTATION
#include "mpx.h"

#ifdef __cplusplus
extern "C"
#endif
int plugin_encode(const float *samples, unsigned char *codes, int n);

int plugin_encode(const float *samples, unsigned char *codes, int n) {
    return mpx_cast(codes, MPX_F8E4M3FN, samples, MPX_F32, (size_t)n) == MPX_OK;
}
