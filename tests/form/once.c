/* A private copy in which one call of a function is all that is used: gcc inlines what it calls, and then warns of what
   a small part may leave unset. -DONCE=1, 2. */
#define MPX_STATIC 1
#define MPX_IMPLEMENTATION
#include "mpx.h"
#if ONCE == 1
mpx_status once(mpx_weights *out, mpx_tree tree, const mpx_weights_options *opt);
mpx_status once(mpx_weights *out, mpx_tree tree, const mpx_weights_options *opt) {
    return mpx_weights_cast(out, tree, "bf16", opt, NULL);
}
#else
mpx_status once(mpx_tree *out, mpx_tree tree, mpx_arena *arena);
mpx_status once(mpx_tree *out, mpx_tree tree, mpx_arena *arena) { return mpx_tree_cast_into(out, tree, MPX_BF16, arena, NULL); }
#endif
