/* What every client has besides its own lines. */
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define MPX_ZERO {}
#else
#define MPX_ZERO { 0 }
#endif
#define expect(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: " #condition "\n", __FILE__, __LINE__), exit(1)))
