/* The functions of mpx.h that this program uses, as a table: one per build of the header. */
#ifndef CASTS_H
#define CASTS_H
#include "mpx.h"

typedef struct casts {
    const char *(*isa)(void);
    mpx_status (*cast)(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n);
    mpx_status (*tree_cast)(mpx_tree dst, mpx_tree src, mpx_tree_error *err);
} casts;

#ifdef __cplusplus
extern "C" {
#endif
extern const casts casts_base, casts_avx2, casts_avx512;

/* The builds that this CPU can run, the best first; room for three. Returns how many: 1 or more. */
size_t casts_list(const casts **list);
#ifdef __cplusplus
}
#endif
#endif
