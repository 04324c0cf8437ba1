/* The first file to see mpx.h sees it through another header; the bodies come after. */
#include "inside.h"
static const inside_engine inside_default = { MPX_POLICY(MPX_F32, MPX_BF16, MPX_F32), MPX_BF16 };
#define MPX_IMPLEMENTATION
#include "inside.h"
#include "mpx.h"
#include "use.c"
int inside_half(void);
int inside_half(void) { return inside_default.policy.compute == inside_default.storage; }
