/* Another library's header that includes mpx.h, within its own extern "C". */
#ifndef INSIDE_H
#define INSIDE_H
#ifdef __cplusplus
extern "C" {
#endif
#include "mpx.h"
typedef struct inside_engine {
    mpx_policy policy;
    mpx_dtype storage;
} inside_engine;
#ifdef __cplusplus
}
#endif
#endif
