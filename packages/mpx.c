/* The implementation of mpx.h, for build systems that make a library of it. */
#define MPX_IMPLEMENTATION
#include "mpx.h"
