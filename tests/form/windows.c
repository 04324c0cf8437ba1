/* After the real <windows.h>, with its min and max, near and far, and all else that it defines. */
#include <windows.h>
#if !defined(min) && !defined(__cplusplus)
#error "windows.h brought no min: this test tests nothing"
#endif
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include "use.c"
