/* A user's mistake after mpx.h, number MISTAKE: the compiler must still report it (no diagnostic state is left behind). */
#define MPX_IMPLEMENTATION
#include "mpx.h"
#if MISTAKE == 1
signed char quiet_mistake(long x);
signed char quiet_mistake(long x) { return x; }
#elif MISTAKE == 2
static int quiet_mistake(void) { return 1; }
#elif MISTAKE == 3
int quiet_mistake(int x);
int quiet_mistake(int x) {
    if (x > 0) { int x = 1; return x; }
    return x;
}
#endif
