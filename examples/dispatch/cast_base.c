/* What every CPU of the target has: SSE2 on x86-64. */
#define MPX_NAMESPACE base_
#define MPX_IMPLEMENTATION
#include "casts.h"

const casts casts_base = { mpx_isa, mpx_cast, mpx_tree_cast };
