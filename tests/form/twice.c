/* Included twice, the bodies later in the same file and asked for twice; use.c includes it a fifth time. */
#include "mpx.h"
#include "mpx.h"
int twice_between(mpx_policy p);
int twice_between(mpx_policy p) { return p.compute == MPX_F16; }
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include "mpx.h"
#include "use.c"
