/* The declaration half and nothing else. */
#include "mpx.h"
