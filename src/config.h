/*==========================================================================*
 * MARK: config - every option, its default, its effect                      *
 *   Nothing else is configurable. No option changes a public struct or a    *
 *   signature, so files that include mpx.h need not agree on them, except   *
 *   on names and linkage: MPX_NAMESPACE and MPX_STATIC.                     *
 *==========================================================================*/
#include <stddef.h>
#include <stdint.h>

#define MPX_VERSION_MAJOR 0
#define MPX_VERSION_MINOR 1
#define MPX_VERSION_PATCH 0
#define MPX_VERSION (MPX_VERSION_MAJOR * 10000 + MPX_VERSION_MINOR * 100 + MPX_VERSION_PATCH)

/* 1: every function is static, a private copy in this file; unused ones cost nothing and warn
   nowhere. */
#ifndef MPX_STATIC
#define MPX_STATIC 0
#endif

/* Linkage of the public functions: redefine for an export attribute. */
#ifndef MPX_API
#if MPX_STATIC && (defined(__GNUC__) || defined(__clang__))
#define MPX_API static __attribute__((unused))
#elif MPX_STATIC
#define MPX_API static
#else
#define MPX_API extern
#endif
#endif

/* Rooms to leave out: 1 drops the room's declarations and bodies. */
#ifndef MPX_NO_TREE
#define MPX_NO_TREE 0
#endif
#ifndef MPX_NO_POLICY
#define MPX_NO_POLICY 0
#endif
#ifndef MPX_NO_POLICY_MAP
#define MPX_NO_POLICY_MAP 0 /* needs policies; layers and their filters are in it */
#endif
#ifndef MPX_NO_REGEX
#define MPX_NO_REGEX 0 /* 1: the patterns of policy maps are globs alone, or the caller's */
#endif
#ifndef MPX_NO_KERAS
#define MPX_NO_KERAS 0 /* 1: no quantized policies; Cortex-M0+ -Os: 1.7 KB less */
#endif
/* 1: no default policy, the one object of the header that changes. Freestanding programs have none,
   unless this is defined as 0. */
#ifndef MPX_NO_DEFAULT_POLICY
#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#define MPX_NO_DEFAULT_POLICY 1
#else
#define MPX_NO_DEFAULT_POLICY 0
#endif
#endif
#ifndef MPX_NO_LOSS_SCALE
#define MPX_NO_LOSS_SCALE 0
#endif
#ifndef MPX_NO_INTEROP
#define MPX_NO_INTEROP 0 /* 1 also leaves out mpx_dtype_suggest and "did you mean" */
#endif
#ifndef MPX_NO_PROMOTE
#define MPX_NO_PROMOTE 0
#endif
#ifndef MPX_NO_AMP
#define MPX_NO_AMP 0
#endif
#ifndef MPX_NO_PARALLEL
#define MPX_NO_PARALLEL 0
#endif

/* 1: no statistics of casts (they compute in double); mpx_cast_options.stats is ignored. */
#ifndef MPX_NO_STATS
#define MPX_NO_STATS 0
#endif

/* Floats of stack used by a cast that takes two steps (through float32): at least 16, a multiple of
   16. */
#ifndef MPX_TILE
#define MPX_TILE 256
#endif

/* Casts of at least so many bytes, source and destination together, write past the caches
   (nontemporal stores) and fetch ahead: 1.2 to 1.3 times as fast when the result would not fit
   there anyway, 2 to 7 times as slow when it would. 0: never. */
#ifndef MPX_STREAM_BYTES
#define MPX_STREAM_BYTES ((size_t)32 << 20)
#endif

/* Hooks. Caller mistakes (NULL with n > 0) go to MPX_ASSERT; the other two default to own loops, so
   that the header needs no symbol from outside. Define all three as libc's where that is wanted. */
#ifndef MPX_ASSERT
#define MPX_ASSERT(x) ((void)0)
#endif

#define MPX__INLINE static inline
