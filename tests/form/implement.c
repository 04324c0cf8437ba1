/* Both halves and nothing else: the one file of a program that holds the bodies. */
#define MPX_IMPLEMENTATION
#include "mpx.h"
