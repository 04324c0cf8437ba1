/* Compiled with -mavx512f and its like: run only where casts_list says so. */
#define MPX_NAMESPACE avx512_
#define MPX_IMPLEMENTATION
#include "casts.h"

const casts casts_avx512 = { mpx_isa, mpx_cast, mpx_tree_cast };
