/* The middle of a unity build: system headers with their real macros and a neighbour stand before mpx.h in the file. */
#ifdef __cplusplus
#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>
using namespace std;
static size_t unity_words(const vector<string> &words) { return max<size_t>(words.size(), 1); }
#else
#include <complex.h>
#include <stdbool.h>
static double unity_words(double complex z) { return cimag(z); }
#endif
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <iso646.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__unix__) || defined(__APPLE__)
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>
#endif
#define MPX_COMPUTE
#define MPX_FILES
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include "use.c"
int unity_after(void);
int unity_after(void) {
#ifdef __cplusplus
    return unity_words(vector<string>(3)) == 3;
#else
    return unity_words(1.0) < 0.5;
#endif
}
