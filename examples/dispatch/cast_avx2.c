/* Compiled with -mavx2 -mf16c -mfma: run only where casts_list says so. */
#define MPX_NAMESPACE avx2_
#define MPX_IMPLEMENTATION
#include "casts.h"

const casts casts_avx2 = { mpx_isa, mpx_cast, mpx_tree_cast };
