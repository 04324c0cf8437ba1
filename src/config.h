/*==================================================================*
 * MARK: config - every option, its default, its effect
 *   Nothing else is configurable. No option changes a public struct or a signature, so files that
 *   include mpx.h may differ in their options, except in MPX_NAMESPACE and MPX_STATIC.
 *==================================================================*/
#include <stddef.h>
#include <stdint.h>

#if defined(__SIZEOF_INT__) && __SIZEOF_INT__ < 4 /* shifts of 32 bits are written in unsigned */
#error "mpx.h: int needs 32 bits"
#endif

#define MPX_VERSION_MAJOR 0
#define MPX_VERSION_MINOR 2
#define MPX_VERSION_PATCH 0
#define MPX_VERSION (MPX_VERSION_MAJOR * 10000 + MPX_VERSION_MINOR * 100 + MPX_VERSION_PATCH)

/* 1: every function is static, so each file that defines MPX_IMPLEMENTATION has its own copy.
   Unused functions cost nothing and cause no warning. */
#ifndef MPX_STATIC
#define MPX_STATIC 0
#elif 0 - MPX_STATIC - 1 == 1 /* "#define MPX_STATIC" alone means 1, as for all switches */
#undef MPX_STATIC
#define MPX_STATIC 1
#endif

/* Linkage of the public functions. Define it, for example, as an export attribute. */
#ifndef MPX_API
#if MPX_STATIC && (defined(__GNUC__) || defined(__clang__))
#define MPX_API static __attribute__((unused))
#elif MPX_STATIC
#define MPX_API static
#else
#define MPX_API extern
#endif
#endif

/* Parts to leave out: 1 drops the declarations and the functions of a part. Every combination
   compiles. If a function needs two parts, either switch leaves it out:

       MPX_NO_TREE         also policies, policy maps and loss scales on trees, and dry runs
       MPX_NO_STATS        also dry runs
       MPX_NO_WEIGHTS      mpx_weights_cast; so do _TREE, _POLICY_MAP, _STATS, _CAST_WITH, _REDUCE
       MPX_NO_CAST_WITH    also mpx_tree_cast_with, vertices, quantization, options of _parallel
       MPX_NO_REDUCE       also mpx_tree_sum_squares and mpx_tree_unscale_squares
       MPX_NO_POLICY       also policy maps, quantized policies and the default policy
       MPX_NO_POLICY_MAP   also layers and their filters
       MPX_NO_DIALECTS     also quantized policies, unless MPX_NO_KERAS is defined as 0 */

/* 1: no mpx_cast_with (rounding modes, saturation, layouts, statistics of a cast), no
   mpx_cast_strided, no mpx_round_to, no mpx_f8_rebias. mpx_cast_parallel returns MPX_ERR_ARGUMENT
   if it is given options. */
#ifndef MPX_NO_CAST_WITH
#define MPX_NO_CAST_WITH 0
#elif 0 - MPX_NO_CAST_WITH - 1 == 1
#undef MPX_NO_CAST_WITH
#define MPX_NO_CAST_WITH 1
#endif
#ifndef MPX_NO_VERTEX
#define MPX_NO_VERTEX 0 /* 1: no packed vertices */
#elif 0 - MPX_NO_VERTEX - 1 == 1
#undef MPX_NO_VERTEX
#define MPX_NO_VERTEX 1
#endif
#ifndef MPX_NO_QUANT
#define MPX_NO_QUANT MPX_NO_CAST_WITH /* 1: no quantization; it needs mpx_cast_with */
#elif 0 - MPX_NO_QUANT - 1 == 1 || MPX_NO_CAST_WITH
#undef MPX_NO_QUANT
#define MPX_NO_QUANT 1
#endif
#if MPX_NO_CAST_WITH
#undef MPX_NO_VERTEX
#define MPX_NO_VERTEX 1
#endif
/* 1: no mpx_amax, no mpx_add and no sums of squares: no mpx_sum_squares, no mpx_unscale_squares,
   not their functions for trees, and no mpx_tree_clip. */
#ifndef MPX_NO_REDUCE
#define MPX_NO_REDUCE 0
#elif 0 - MPX_NO_REDUCE - 1 == 1
#undef MPX_NO_REDUCE
#define MPX_NO_REDUCE 1
#endif
#ifndef MPX_NO_TREE
#define MPX_NO_TREE 0 /* 1: no trees */
#elif 0 - MPX_NO_TREE - 1 == 1
#undef MPX_NO_TREE
#define MPX_NO_TREE 1
#endif
#ifndef MPX_NO_POLICY
#define MPX_NO_POLICY 0 /* 1: no policies */
#elif 0 - MPX_NO_POLICY - 1 == 1
#undef MPX_NO_POLICY
#define MPX_NO_POLICY 1
#endif
#ifndef MPX_NO_POLICY_MAP
#define MPX_NO_POLICY_MAP 0 /* 1: no policy maps, no layers and their filters; needs policies */
#elif 0 - MPX_NO_POLICY_MAP - 1 == 1
#undef MPX_NO_POLICY_MAP
#define MPX_NO_POLICY_MAP 1
#endif
#ifndef MPX_NO_REGEX
#define MPX_NO_REGEX 0 /* 1: policy maps have only globs, and the caller's patterns */
#elif 0 - MPX_NO_REGEX - 1 == 1
#undef MPX_NO_REGEX
#define MPX_NO_REGEX 1
#endif
/* 1: no default policy. Freestanding: 1, unless defined as 0. */
#ifndef MPX_NO_DEFAULT_POLICY
#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#define MPX_NO_DEFAULT_POLICY 1
#else
#define MPX_NO_DEFAULT_POLICY 0
#endif
#elif 0 - MPX_NO_DEFAULT_POLICY - 1 == 1
#undef MPX_NO_DEFAULT_POLICY
#define MPX_NO_DEFAULT_POLICY 1
#endif
#ifndef MPX_NO_LOSS_SCALE
#define MPX_NO_LOSS_SCALE 0 /* 1: no loss scales */
#elif 0 - MPX_NO_LOSS_SCALE - 1 == 1
#undef MPX_NO_LOSS_SCALE
#define MPX_NO_LOSS_SCALE 1
#endif
/* 1: words that only other systems have (mixed_float16) are unknown, and dialects of texts
   MPX_ERR_ARGUMENT. */
#ifndef MPX_NO_DIALECTS
#define MPX_NO_DIALECTS 0
#elif 0 - MPX_NO_DIALECTS - 1 == 1
#undef MPX_NO_DIALECTS
#define MPX_NO_DIALECTS 1
#endif
#ifndef MPX_NO_KERAS
#if MPX_NO_DIALECTS
#define MPX_NO_KERAS 1
#else
#define MPX_NO_KERAS 0 /* 1: no quantized policies; Cortex-M0+ -Os: 2.1 KB less */
#endif
#elif 0 - MPX_NO_KERAS - 1 == 1
#undef MPX_NO_KERAS
#define MPX_NO_KERAS 1
#endif
#ifndef MPX_NO_INTEROP
#define MPX_NO_INTEROP 0 /* 1: no names of other systems, mpx_dtype_suggest and "did you mean" */
#elif 0 - MPX_NO_INTEROP - 1 == 1
#undef MPX_NO_INTEROP
#define MPX_NO_INTEROP 1
#endif
#ifndef MPX_NO_PROMOTE
#define MPX_NO_PROMOTE 0 /* 1: no mpx_dtype_promote */
#elif 0 - MPX_NO_PROMOTE - 1 == 1
#undef MPX_NO_PROMOTE
#define MPX_NO_PROMOTE 1
#endif
#ifndef MPX_NO_AMP
#define MPX_NO_AMP 0 /* 1: no precision by operation */
#elif 0 - MPX_NO_AMP - 1 == 1
#undef MPX_NO_AMP
#define MPX_NO_AMP 1
#endif
#ifndef MPX_COMPUTE
#define MPX_COMPUTE 0 /* 1: products (MPX_BF16_DOTS: mpx_matmul), functions of rows, optimizers */
#elif 0 - MPX_COMPUTE - 1 == 1
#undef MPX_COMPUTE
#define MPX_COMPUTE 1
#endif
/* 1, with MPX_COMPUTE: adds log, sin, cos, erf and expm1 to mpx_activate, and mpx_pow. These are
   SLEEF's functions: from its library (<sleef.h>, -lsleef), or from this file, if
   tools/amalgamate.py --with-sleef made it. All other functions stay this header's own, with the
   same results: SLEEF's exp takes as long, its tanh two to three times as long. */
#ifndef MPX_USE_SLEEF
#define MPX_USE_SLEEF 0
#elif 0 - MPX_USE_SLEEF - 1 == 1
#undef MPX_USE_SLEEF
#define MPX_USE_SLEEF 1
#endif
#ifndef MPX_FILES
#define MPX_FILES 0 /* 1: adds safetensors, GGUF, .npy, .npz; not with MPX_NO_INTEROP */
#elif 0 - MPX_FILES - 1 == 1
#undef MPX_FILES
#define MPX_FILES 1
#endif
#ifndef MPX_NO_PARALLEL
#define MPX_NO_PARALLEL 0 /* 1: no casts in pieces for threads */
#elif 0 - MPX_NO_PARALLEL - 1 == 1
#undef MPX_NO_PARALLEL
#define MPX_NO_PARALLEL 1
#endif

/* The dtypes that a build carries, in addition to MPX_F32:

       #define MPX_DTYPES (MPX_WITH_F16 | MPX_WITH_BF16)

   The code, names and aliases of all others are left out. Parsers and casts then return
   MPX_ERR_DTYPE for them; mpx_dtype_name gives "" and mpx_dtype_bits 0. Bit n belongs to dtype
   n. */
#define MPX_WITH_F64 0x2
#define MPX_WITH_F32 0x4
#define MPX_WITH_F16 0x8
#define MPX_WITH_BF16 0x10
#define MPX_WITH_F8E4M3FN 0x20
#define MPX_WITH_F8E5M2 0x40
#define MPX_WITH_F8E4M3FNUZ 0x80
#define MPX_WITH_F8E5M2FNUZ 0x100
#define MPX_WITH_F8E4M3B11FNUZ 0x200
#define MPX_WITH_F8E4M3 0x400
#define MPX_WITH_F8E3M4 0x800
#define MPX_WITH_F8E8M0FNU 0x1000
#define MPX_WITH_F6E2M3FN 0x2000
#define MPX_WITH_F6E3M2FN 0x4000
#define MPX_WITH_F4E2M1FN 0x8000
#define MPX_WITH_BOOL 0x10000
#define MPX_WITH_I2 0x20000
#define MPX_WITH_U2 0x40000
#define MPX_WITH_I4 0x80000
#define MPX_WITH_U4 0x100000
#define MPX_WITH_I8 0x200000
#define MPX_WITH_U8 0x400000
#define MPX_WITH_I16 0x800000
#define MPX_WITH_U16 0x1000000
#define MPX_WITH_I32 0x2000000
#define MPX_WITH_U32 0x4000000
#define MPX_WITH_I64 0x8000000
#define MPX_WITH_U64 0x10000000
#define MPX_WITH_C64 0x20000000
#define MPX_WITH_C128 0x40000000
#define MPX_WITH_ALL 0x7ffffffe
#ifndef MPX_DTYPES
#define MPX_DTYPES MPX_WITH_ALL
#endif

/* 1: no statistics of casts (they use double); mpx_cast_options.stats is ignored. */
#ifndef MPX_NO_STATS
#if (MPX_DTYPES) & MPX_WITH_F64
#define MPX_NO_STATS 0
#else
#define MPX_NO_STATS 1
#endif
#elif 0 - MPX_NO_STATS - 1 == 1
#undef MPX_NO_STATS
#define MPX_NO_STATS 1
#endif

#ifndef MPX_NO_WEIGHTS
#define MPX_NO_WEIGHTS 0 /* 1: no mpx_weights_cast, no mpx_weights_fit */
#elif 0 - MPX_NO_WEIGHTS - 1 == 1
#undef MPX_NO_WEIGHTS
#define MPX_NO_WEIGHTS 1
#endif
#if MPX_NO_TREE || MPX_NO_POLICY || MPX_NO_POLICY_MAP || MPX_NO_STATS || MPX_NO_CAST_WITH || \
    MPX_NO_REDUCE
#undef MPX_NO_WEIGHTS
#define MPX_NO_WEIGHTS 1
#endif

/* Floats of stack for a cast in two steps (through float32): a multiple of 16, at least 16. */
#ifndef MPX_TILE
#define MPX_TILE 256
#endif

/* Casts of at least so many bytes, source and destination together, write past the caches and
   prefetch. That is 1.2 to 1.3 times as fast if the result does not fit into the caches, else 2 to
   7 times as slow. 0: never. */
#ifndef MPX_STREAM_BYTES
#define MPX_STREAM_BYTES ((size_t)32 << 20)
#endif

/* 1: no floating-point flags and no traps on x86 before AVX-512, either, for 2 to 7 ns more a call.
   0: there, casts that are one float operation per element, and products and quotients of floats,
   may raise the flags of C's own operation and, whatever the values, "inexact", "denormal" and
   "underflow", and may trap if one of these is unmasked. Such casts: float64 and integers of 32 and
   64 bits to float32; float32, dtypes that it holds, and integers of 64 bits to float64; float16 by
   F16C. No mode of the caller changes a result. Statistics (mpx_cast_stats) may raise flags; compute
   may raise them and trap, but not with 1 in vectors. */
#ifndef MPX_KEEP_FLAGS
#define MPX_KEEP_FLAGS 0
#elif 0 - MPX_KEEP_FLAGS - 1 == 1
#undef MPX_KEEP_FLAGS
#define MPX_KEEP_FLAGS 1
#endif

/* 1: one object file for every x86-64, with gcc or clang and no -m flags. The casts are compiled
   for SSE2, AVX2 and AVX-512. The first call of a function that casts asks the CPU and the
   operating system which of them can run, and stores the answer in one byte. See mpx_isa_set, and
   mpx_matmul for what else it chooses. */
#ifndef MPX_DISPATCH
#define MPX_DISPATCH 0
#elif 0 - MPX_DISPATCH - 1 == 1
#undef MPX_DISPATCH
#define MPX_DISPATCH 1
#endif
#ifndef MPX_FILE /* the name of this file, which then includes itself */
#define MPX_FILE "mpx.h"
#endif

/* Hooks. MPX_ASSERT checks for the caller's mistakes (NULL with n > 0). MPX_MEMCPY and MPX_MEMSET
   are own loops by default: the header calls no library function. You may define all three as
   libc's. */
#ifndef MPX_ASSERT
#define MPX_ASSERT(x) ((void)0)
#endif

#define MPX__INLINE static inline
