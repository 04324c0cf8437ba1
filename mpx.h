/* mpx.h - v0.1.0 - mixed precision for C - MIT or Unlicense, at your choice (end of file)

   Say in one string which precision the parameters, the compute and the outputs of a program have;
   mpx.h casts whole trees of arrays by it, scales the loss, checks the gradients - exactly, with
   the same bits on every machine.

   DO THIS, in exactly one C or C++ file:

       #define MPX_IMPLEMENTATION
       #include "mpx.h"

   and a plain #include "mpx.h" in all others. C99 or C++11 and later; nothing to link, nothing to
   initialise.

   A PROGRAM

       #define MPX_IMPLEMENTATION
       #include "mpx.h"
       int main(void) {
           mpx_policy p;
           float master[3] = { 1.0f, 0.1f, 70000.0f };
           uint16_t working[3];
           if (mpx_policy_parse("p=f32,c=bf16,o=f32", &p, NULL) != MPX_OK) return 1;
           if (mpx_cast(working, p.compute, master, p.param, 3) != MPX_OK) return 1;
           return mpx_all_finite(working, p.compute, 3) ? 0 : 1;
       }

   WHAT IT DOES
       dtypes       fifteen float formats from f64 to e2m1, bool, integers of 2 to 64 bits
       casts        between any two of them, rounded once; to nearest, toward zero or at random,
                    saturating or not, strided, with statistics; single values inline
       vertices     normalised integers, 10-10-10-2, 11-11-10 and shared-exponent floats: all
                    attributes of a vertex in one pass
       policies     "p=f32,c=bf16,o=f32" as a value: parse, print, derive; Keras' quantized names
                    ("int4/128_from_mixed_bfloat16"); a default policy, one per thread
       policy maps  a policy by path, by globs or regular expressions; by op, over layers
       trees        arrays and nested structs, leaf by leaf: cast, copy, select, check, unscale;
                    a dry run that says which layer a cast would hurt
       weights      one call from a text to cast weights, with a report of each leaf
       loss scales  NoOp, static, dynamic (jmp's, Axon's, jaxamp's and Keras' rules), a maximum and
                    hysteresis, state to bytes; a whole step by callback, done again on NaN
       promotion    the dtype that operands meet in, as JAX and as Keras have it
       AMP          "matmul=bf16, softmax=f32, scope:head=original": what to cast for an operation,
                    one by one or for a whole graph at once, with the bytes that it saves
       interop      dtype numbers and names of twenty other systems, both ways: safetensors, GGUF,
                    ONNX, DLPack, Arrow, TFLite, PyTorch, XLA, CUDA, Vulkan i.a.
   WHAT IT DOES NOT DO
       allocate, start threads, read files, define a tensor type, or compute your model: you do.

   OPTIONS, defined before the #include (config.h has the list)
       MPX_IMPLEMENTATION   emit the bodies
       MPX_STATIC           1: everything static, a private copy
       MPX_API              linkage or export attribute, default extern
       MPX_NAMESPACE        a prefix for every public function: several copies in one program
       MPX_NO_CAST_WITH, _VERTEX, _REDUCE, _STATS, _TREE, _PARALLEL, _POLICY, _KERAS, _POLICY_MAP,
       _WEIGHTS, _REGEX, _LOSS_SCALE, _INTEROP, _PROMOTE, _AMP    1: leave the part out
       MPX_NO_DIALECTS      1: leave out other systems' grammars
       MPX_NO_DEFAULT_POLICY   1: leave out the one object that changes; 1 if freestanding
       MPX_DTYPES           the dtypes that the build carries, default all: MPX_WITH_F16 | ...
       MPX_TILE             floats of stack used by casts of two steps, default 256
       MPX_ISA              a lower instruction set than the compiler's flags allow
       MPX_STREAM_BYTES     source and target together, from which stores go past the caches;
                            default 32 MiB, 0: never
       MPX_KEEP_FLAGS       1: no floating-point flag is raised by SSE2 and AVX2 either
       MPX_ASSERT(x), MPX_MEMCPY(d, s, n), MPX_MEMSET(d, c, n)   default: nothing, own loops

   GUARANTEES
       Rounding     once, from every dtype to every other; f64 and integers too
       Same bits    for every compiler, optimisation level, -ffast-math and floating-point mode
       NaN          sign kept, quiet, leading payload bits kept; formats with a single NaN code
                    use that one
       Subnormals   kept, in and out
       Buffers      any alignment; dst == src where dst is no wider; nothing outside is touched
       Memory       no allocation, no mutable static data but the default policy, which is one per
                    thread; stack stated per function
       Threads      all functions but those of the default policy are re-entrant; casts can be cut
                    into pieces for threads of yours
       Symbols      only mpx_ names leave; none is needed from outside
       Errors       a status, a position, a sentence that names the word; outputs stay untouched

   INSTRUCTION SETS
       MPX_ISA_SCALAR   plain C, everywhere
       MPX_ISA_SSE2     x86-64, or -msse2
       MPX_ISA_AVX2     -mavx2 -mf16c -mfma              native: f16
       MPX_ISA_AVX512   -mavx512f -mavx512bw -mavx512vl -mavx512dq; f16
                        -mavx512bf16: bf16; -mavx512vbmi: tables of bytes
       MPX_ISA_NEON     AArch64, little-endian: f16; +bf16: bf16. ARMv7: -mfpu=neon, integers
       MPX_ISA_WASM     WebAssembly with -msimd128; -mrelaxed-simd changes nothing
       MPX_ISA_RVV      RISC-V V with clang's -mrvv-vector-bits=zvl: integer lanes only

   FUNCTIONS by topic. mpx_dtype_(name, bits) stands for mpx_dtype_name and mpx_dtype_bits.
       the library: mpx_version, mpx_isa, mpx_isa_set, mpx_status_string, mpx_error_format
       dtypes: mpx_dtype_(parse, parse_n, name, short_name, info, is_floating, bits, bytes, offset)
       casts: mpx_cast, mpx_cast_with, mpx_cast_strided, mpx_cast_stats_rms_error,
           mpx_cast_stats_sqnr, mpx_vertices_pack, mpx_vertices_unpack, mpx_round_to,
           mpx_round_to_with, mpx_f8_rebias, mpx_all_finite, mpx_any_infinite, mpx_amax,
           mpx_sum_squares, mpx_scale, mpx_unscale, mpx_unscale_squares, mpx_add
       trees: mpx_leaf_of, mpx_tree_(of_leaves, of_struct, where, next, measure, cast_in_place,
           cast_into, put_dtype, cast, widen, cast_with, copy, select, all_finite, any_infinite,
           scale, unscale, sum_squares, unscale_squares, clip, check_floating, dry_run),
           mpx_leaves_of_tensors, mpx_arena_of, mpx_cast_report_format
       threads: mpx_cast_parallel, mpx_tree_cast_parallel
       policies: mpx_policy_(parse, parse_with, parse_n, format, format_with, of, equal, quantize,
           quantize_n, or_default), mpx_default_policy_get, mpx_default_policy_set
       policies by path, and by op: mpx_policy_map_(of, keras, set, set_n, delete, contains, get,
           find, find_n, explain, parse, parse_n, format, add_layers, apply, add_tree, count_leaves,
           measure, dry_run, cast_into, cast_in_place), mpx_error_line, mpx_layer_filter_takes,
           mpx_layers_apply_policy, mpx_weights_cast
       loss scales: mpx_loss_scale_(noop, static, dynamic, axon, jaxamp, keras, check, value, scale,
           unscale, adjust, is_stuck, save, load, scale_n, unscale_n, scale_tree, unscale_tree,
           grad)
       other systems: mpx_interop_(code, dtype, name, parse, parse_n, dlpack, dlpack_dtype),
           mpx_dtype_suggest, mpx_dtype_promote
       precision by operation (AMP): mpx_amp_(default_rules, rules_parse, rules_parse_n,
           rules_format, ask, eager_push, eager_pop, eager_ask, eager_cast, eager_forget,
           graph_of_nodes, plan_size, plan_graph, explain, explain_node)
       mpx_cast of the common pairs, by name: mpx_cast_(f32_to_f16, f16_to_f32, f32_to_bf16,
           bf16_to_f32, f32_to_f8e4m3fn, f8e4m3fn_to_f32, f32_to_f8e5m2, f8e5m2_to_f32, f32_to_i8,
           i8_to_f32)
       single values: f16, bf16, e4m3fn, e5m2: mpx_f16_(from_bits, from_f32, to_bits, to_f32),
           mpx_bf16_(from_bits, from_f32, to_bits, to_f32), mpx_f8e4m3fn_(from_bits, from_f32,
           to_bits, to_f32), mpx_f8e5m2_(from_bits, from_f32, to_bits, to_f32)

   TABLE OF CONTENTS: search for "MARK: " and a name. Comments call these sections rooms.
       config, names, types, api, typed, inline     the declarations
       detect, text, dtypes, words, number, engine, exact, pass_names, passes, simd_scalar,
       simd_sse2, simd_avx2, simd_avx512, simd_neon, simd_wasm, simd_rvv, simd_generic, float_env,
       lanes, floats, small, ints, stages, scaling, reducing, packing, norms, kernels, pass_end,
       dispatch, pack, plan, cast, reduce, stats, cast_with, scale, vertex, above, tree, dry_run,
       parallel, policy_keras, policy, pattern, policy_map, weights, default_policy, loss_scale,
       scaled_grad, interop, promote, amp, amp_plan, sentences, outro
*/

#ifndef MPX_H
#define MPX_H
/*==========================================================================*
 * MARK: config - every option, its default, its effect                      *
 *   Nothing else is configurable. No option changes a public struct or a    *
 *   signature, so files that include mpx.h need not agree on them, except   *
 *   on names and linkage: MPX_NAMESPACE and MPX_STATIC.                     *
 *==========================================================================*/
#include <stddef.h>
#include <stdint.h>

/* Shifts and products of 32 bits are written in unsigned. */
#if defined(__SIZEOF_INT__) && __SIZEOF_INT__ < 4
#error "mpx.h: int needs 32 bits"
#endif

#define MPX_VERSION_MAJOR 0
#define MPX_VERSION_MINOR 1
#define MPX_VERSION_PATCH 0
#define MPX_VERSION (MPX_VERSION_MAJOR * 10000 + MPX_VERSION_MINOR * 100 + MPX_VERSION_PATCH)

/* 1: every function is static, a private copy in each file that defines MPX_IMPLEMENTATION too;
   unused ones cost nothing and warn nowhere. */
#ifndef MPX_STATIC
#define MPX_STATIC 0
#elif 0 - MPX_STATIC - 1 == 1 /* "#define MPX_STATIC", and nothing more: so with all switches */
#undef MPX_STATIC
#define MPX_STATIC 1
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

/* Parts to leave out: 1 drops the declarations and the bodies of a part. Every combination compiles.
   A function that needs two parts is left out with either of them:

       MPX_NO_TREE         also what policies, policy maps and loss scales do with trees, and dry
                           runs
       MPX_NO_STATS        also dry runs
       MPX_NO_WEIGHTS      mpx_weights_cast; so do _TREE, _POLICY_MAP, _STATS, _CAST_WITH, _REDUCE
       MPX_NO_CAST_WITH    also mpx_tree_cast_with and vertices; mpx_cast_parallel takes no options
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
#define MPX_NO_VERTEX 0
#elif 0 - MPX_NO_VERTEX - 1 == 1
#undef MPX_NO_VERTEX
#define MPX_NO_VERTEX 1
#endif
#if MPX_NO_CAST_WITH
#undef MPX_NO_VERTEX
#define MPX_NO_VERTEX 1
#endif
/* 1: no mpx_amax, no mpx_add and no sums of squares: mpx_sum_squares, mpx_unscale_squares, both of
   trees, and mpx_tree_clip. */
#ifndef MPX_NO_REDUCE
#define MPX_NO_REDUCE 0
#elif 0 - MPX_NO_REDUCE - 1 == 1
#undef MPX_NO_REDUCE
#define MPX_NO_REDUCE 1
#endif
#ifndef MPX_NO_TREE
#define MPX_NO_TREE 0
#elif 0 - MPX_NO_TREE - 1 == 1
#undef MPX_NO_TREE
#define MPX_NO_TREE 1
#endif
#ifndef MPX_NO_POLICY
#define MPX_NO_POLICY 0
#elif 0 - MPX_NO_POLICY - 1 == 1
#undef MPX_NO_POLICY
#define MPX_NO_POLICY 1
#endif
#ifndef MPX_NO_POLICY_MAP
#define MPX_NO_POLICY_MAP 0 /* needs policies; layers and their filters are in it */
#elif 0 - MPX_NO_POLICY_MAP - 1 == 1
#undef MPX_NO_POLICY_MAP
#define MPX_NO_POLICY_MAP 1
#endif
#ifndef MPX_NO_REGEX
#define MPX_NO_REGEX 0 /* 1: the patterns of policy maps are globs alone, or the caller's */
#elif 0 - MPX_NO_REGEX - 1 == 1
#undef MPX_NO_REGEX
#define MPX_NO_REGEX 1
#endif
/* 1: no default policy, the one object of the header that changes. Freestanding programs have none,
   unless this is defined as 0. */
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
#define MPX_NO_LOSS_SCALE 0
#elif 0 - MPX_NO_LOSS_SCALE - 1 == 1
#undef MPX_NO_LOSS_SCALE
#define MPX_NO_LOSS_SCALE 1
#endif
/* 1: words that only other systems use (mixed_float16, torch.float16) are unknown; parsing in their
   dialects gives MPX_ERR_ARGUMENT. */
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
#define MPX_NO_KERAS 0 /* 1: no quantized policies; Cortex-M0+ -Os: 1.7 KB less */
#endif
#elif 0 - MPX_NO_KERAS - 1 == 1
#undef MPX_NO_KERAS
#define MPX_NO_KERAS 1
#endif
#ifndef MPX_NO_INTEROP
#define MPX_NO_INTEROP 0 /* 1 also leaves out mpx_dtype_suggest and "did you mean" */
#elif 0 - MPX_NO_INTEROP - 1 == 1
#undef MPX_NO_INTEROP
#define MPX_NO_INTEROP 1
#endif
#ifndef MPX_NO_PROMOTE
#define MPX_NO_PROMOTE 0
#elif 0 - MPX_NO_PROMOTE - 1 == 1
#undef MPX_NO_PROMOTE
#define MPX_NO_PROMOTE 1
#endif
#ifndef MPX_NO_AMP
#define MPX_NO_AMP 0
#elif 0 - MPX_NO_AMP - 1 == 1
#undef MPX_NO_AMP
#define MPX_NO_AMP 1
#endif
#ifndef MPX_NO_PARALLEL
#define MPX_NO_PARALLEL 0
#elif 0 - MPX_NO_PARALLEL - 1 == 1
#undef MPX_NO_PARALLEL
#define MPX_NO_PARALLEL 1
#endif

/* The dtypes that a build carries, with MPX_F32 always:

       #define MPX_DTYPES (MPX_WITH_F16 | MPX_WITH_BF16)

   Codecs, names and aliases of the others are left out, and they are no dtypes then: unknown words
   to parsers, MPX_ERR_DTYPE to casts, "" and 0 to mpx_dtype_name and mpx_dtype_bits. Bit n belongs
   to the dtype with the number n. */
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

/* 1: no statistics of casts (they compute in double); mpx_cast_options.stats is ignored. */
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
#define MPX_NO_WEIGHTS 0
#elif 0 - MPX_NO_WEIGHTS - 1 == 1
#undef MPX_NO_WEIGHTS
#define MPX_NO_WEIGHTS 1
#endif
#if MPX_NO_TREE || MPX_NO_POLICY || MPX_NO_POLICY_MAP || MPX_NO_STATS || MPX_NO_CAST_WITH || \
    MPX_NO_REDUCE
#undef MPX_NO_WEIGHTS
#define MPX_NO_WEIGHTS 1
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

/* x86 before AVX-512: casts that are one float operation per element (float64 and integers of 32
   and 64 bits to float32, what it holds and integers of 64 bits to float64, float16 by F16C), and
   float32 and float64 times or divided by a number, may raise the flags that C's own operation
   raises, "inexact" and "denormal" at any time, and may trap where these or "underflow" are
   unmasked. 1: no flags and no traps there either, as everywhere else, for 2 to 7 ns more a call.
   Either way the caller's floating-point modes are kept and do not change results. */
#ifndef MPX_KEEP_FLAGS
#define MPX_KEEP_FLAGS 0
#elif 0 - MPX_KEEP_FLAGS - 1 == 1
#undef MPX_KEEP_FLAGS
#define MPX_KEEP_FLAGS 1
#endif

/* 1: one object file for every x86-64, with gcc or clang and no -m flags: the casts are compiled for
   SSE2, AVX2 and AVX-512, and the first call of a function that casts asks the CPU and the operating
   system which of them it can run. One byte, written once, is all that is kept. See mpx_isa_set. */
#ifndef MPX_DISPATCH
#define MPX_DISPATCH 0
#elif 0 - MPX_DISPATCH - 1 == 1
#undef MPX_DISPATCH
#define MPX_DISPATCH 1
#endif
#ifndef MPX_FILE /* the name of this file, which then includes itself */
#define MPX_FILE "mpx.h"
#endif

/* Hooks. Caller mistakes (NULL with n > 0) go to MPX_ASSERT; the other two default to own loops, so
   that the header needs no symbol from outside. Define all three as libc's where that is wanted. */
#ifndef MPX_ASSERT
#define MPX_ASSERT(x) ((void)0)
#endif

#define MPX__INLINE static inline
/*==========================================================================*
 * MARK: names - the map for MPX_NAMESPACE                                   *
 *   Generated from api.h by tools/amalgamate.py --names. With               *
 *   -DMPX_NAMESPACE=avx2_ the function mpx_cast is called avx2_mpx_cast.    *
 *==========================================================================*/
#ifdef MPX_NAMESPACE
#define MPX__JOIN_(space, name) space##name
#define MPX__JOIN(space, name) MPX__JOIN_(space, name)
#define mpx_version MPX__JOIN(MPX_NAMESPACE, mpx_version)
#define mpx_isa MPX__JOIN(MPX_NAMESPACE, mpx_isa)
#define mpx_isa_set MPX__JOIN(MPX_NAMESPACE, mpx_isa_set)
#define mpx_status_string MPX__JOIN(MPX_NAMESPACE, mpx_status_string)
#define mpx_error_format MPX__JOIN(MPX_NAMESPACE, mpx_error_format)
#define mpx_dtype_parse MPX__JOIN(MPX_NAMESPACE, mpx_dtype_parse)
#define mpx_dtype_parse_n MPX__JOIN(MPX_NAMESPACE, mpx_dtype_parse_n)
#define mpx_dtype_name MPX__JOIN(MPX_NAMESPACE, mpx_dtype_name)
#define mpx_dtype_short_name MPX__JOIN(MPX_NAMESPACE, mpx_dtype_short_name)
#define mpx_dtype_info MPX__JOIN(MPX_NAMESPACE, mpx_dtype_info)
#define mpx_dtype_is_floating MPX__JOIN(MPX_NAMESPACE, mpx_dtype_is_floating)
#define mpx_dtype_bits MPX__JOIN(MPX_NAMESPACE, mpx_dtype_bits)
#define mpx_dtype_bytes MPX__JOIN(MPX_NAMESPACE, mpx_dtype_bytes)
#define mpx_dtype_offset MPX__JOIN(MPX_NAMESPACE, mpx_dtype_offset)
#define mpx_cast MPX__JOIN(MPX_NAMESPACE, mpx_cast)
#define mpx_cast_with MPX__JOIN(MPX_NAMESPACE, mpx_cast_with)
#define mpx_cast_strided MPX__JOIN(MPX_NAMESPACE, mpx_cast_strided)
#define mpx_vertices_pack MPX__JOIN(MPX_NAMESPACE, mpx_vertices_pack)
#define mpx_vertices_unpack MPX__JOIN(MPX_NAMESPACE, mpx_vertices_unpack)
#define mpx_round_to MPX__JOIN(MPX_NAMESPACE, mpx_round_to)
#define mpx_round_to_with MPX__JOIN(MPX_NAMESPACE, mpx_round_to_with)
#define mpx_f8_rebias MPX__JOIN(MPX_NAMESPACE, mpx_f8_rebias)
#define mpx_cast_stats_rms_error MPX__JOIN(MPX_NAMESPACE, mpx_cast_stats_rms_error)
#define mpx_cast_stats_sqnr MPX__JOIN(MPX_NAMESPACE, mpx_cast_stats_sqnr)
#define mpx_all_finite MPX__JOIN(MPX_NAMESPACE, mpx_all_finite)
#define mpx_any_infinite MPX__JOIN(MPX_NAMESPACE, mpx_any_infinite)
#define mpx_amax MPX__JOIN(MPX_NAMESPACE, mpx_amax)
#define mpx_sum_squares MPX__JOIN(MPX_NAMESPACE, mpx_sum_squares)
#define mpx_scale MPX__JOIN(MPX_NAMESPACE, mpx_scale)
#define mpx_unscale MPX__JOIN(MPX_NAMESPACE, mpx_unscale)
#define mpx_unscale_squares MPX__JOIN(MPX_NAMESPACE, mpx_unscale_squares)
#define mpx_add MPX__JOIN(MPX_NAMESPACE, mpx_add)
#define mpx_leaf_of MPX__JOIN(MPX_NAMESPACE, mpx_leaf_of)
#define mpx_tree_of_leaves MPX__JOIN(MPX_NAMESPACE, mpx_tree_of_leaves)
#define mpx_tree_of_struct MPX__JOIN(MPX_NAMESPACE, mpx_tree_of_struct)
#define mpx_leaves_of_tensors MPX__JOIN(MPX_NAMESPACE, mpx_leaves_of_tensors)
#define mpx_tree_where MPX__JOIN(MPX_NAMESPACE, mpx_tree_where)
#define mpx_arena_of MPX__JOIN(MPX_NAMESPACE, mpx_arena_of)
#define mpx_tree_next MPX__JOIN(MPX_NAMESPACE, mpx_tree_next)
#define mpx_tree_measure MPX__JOIN(MPX_NAMESPACE, mpx_tree_measure)
#define mpx_tree_cast_in_place MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_in_place)
#define mpx_tree_cast_into MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_into)
#define mpx_tree_put_dtype MPX__JOIN(MPX_NAMESPACE, mpx_tree_put_dtype)
#define mpx_tree_cast MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast)
#define mpx_tree_widen MPX__JOIN(MPX_NAMESPACE, mpx_tree_widen)
#define mpx_tree_cast_with MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_with)
#define mpx_tree_copy MPX__JOIN(MPX_NAMESPACE, mpx_tree_copy)
#define mpx_tree_select MPX__JOIN(MPX_NAMESPACE, mpx_tree_select)
#define mpx_tree_all_finite MPX__JOIN(MPX_NAMESPACE, mpx_tree_all_finite)
#define mpx_tree_any_infinite MPX__JOIN(MPX_NAMESPACE, mpx_tree_any_infinite)
#define mpx_tree_scale MPX__JOIN(MPX_NAMESPACE, mpx_tree_scale)
#define mpx_tree_unscale MPX__JOIN(MPX_NAMESPACE, mpx_tree_unscale)
#define mpx_tree_sum_squares MPX__JOIN(MPX_NAMESPACE, mpx_tree_sum_squares)
#define mpx_tree_unscale_squares MPX__JOIN(MPX_NAMESPACE, mpx_tree_unscale_squares)
#define mpx_tree_clip MPX__JOIN(MPX_NAMESPACE, mpx_tree_clip)
#define mpx_tree_check_floating MPX__JOIN(MPX_NAMESPACE, mpx_tree_check_floating)
#define mpx_tree_dry_run MPX__JOIN(MPX_NAMESPACE, mpx_tree_dry_run)
#define mpx_cast_report_format MPX__JOIN(MPX_NAMESPACE, mpx_cast_report_format)
#define mpx_cast_parallel MPX__JOIN(MPX_NAMESPACE, mpx_cast_parallel)
#define mpx_tree_cast_parallel MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_parallel)
#define mpx_policy_parse MPX__JOIN(MPX_NAMESPACE, mpx_policy_parse)
#define mpx_policy_parse_with MPX__JOIN(MPX_NAMESPACE, mpx_policy_parse_with)
#define mpx_policy_parse_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_parse_n)
#define mpx_policy_format MPX__JOIN(MPX_NAMESPACE, mpx_policy_format)
#define mpx_policy_format_with MPX__JOIN(MPX_NAMESPACE, mpx_policy_format_with)
#define mpx_policy_of MPX__JOIN(MPX_NAMESPACE, mpx_policy_of)
#define mpx_policy_equal MPX__JOIN(MPX_NAMESPACE, mpx_policy_equal)
#define mpx_policy_quantize MPX__JOIN(MPX_NAMESPACE, mpx_policy_quantize)
#define mpx_policy_quantize_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_quantize_n)
#define mpx_default_policy_get MPX__JOIN(MPX_NAMESPACE, mpx_default_policy_get)
#define mpx_default_policy_set MPX__JOIN(MPX_NAMESPACE, mpx_default_policy_set)
#define mpx_policy_or_default MPX__JOIN(MPX_NAMESPACE, mpx_policy_or_default)
#define mpx_policy_map_of MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_of)
#define mpx_policy_map_keras MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_keras)
#define mpx_policy_map_set MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_set)
#define mpx_policy_map_set_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_set_n)
#define mpx_policy_map_delete MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_delete)
#define mpx_policy_map_contains MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_contains)
#define mpx_policy_map_get MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_get)
#define mpx_policy_map_find MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_find)
#define mpx_policy_map_find_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_find_n)
#define mpx_policy_map_explain MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_explain)
#define mpx_policy_map_parse MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_parse)
#define mpx_policy_map_parse_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_parse_n)
#define mpx_policy_map_format MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_format)
#define mpx_error_line MPX__JOIN(MPX_NAMESPACE, mpx_error_line)
#define mpx_policy_map_add_layers MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_add_layers)
#define mpx_policy_map_apply MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_apply)
#define mpx_layer_filter_takes MPX__JOIN(MPX_NAMESPACE, mpx_layer_filter_takes)
#define mpx_layers_apply_policy MPX__JOIN(MPX_NAMESPACE, mpx_layers_apply_policy)
#define mpx_policy_map_add_tree MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_add_tree)
#define mpx_policy_map_count_leaves MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_count_leaves)
#define mpx_policy_map_measure MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_measure)
#define mpx_policy_map_dry_run MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_dry_run)
#define mpx_policy_map_cast_into MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_cast_into)
#define mpx_policy_map_cast_in_place MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_cast_in_place)
#define mpx_weights_cast MPX__JOIN(MPX_NAMESPACE, mpx_weights_cast)
#define mpx_loss_scale_noop MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_noop)
#define mpx_loss_scale_static MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_static)
#define mpx_loss_scale_dynamic MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_dynamic)
#define mpx_loss_scale_axon MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_axon)
#define mpx_loss_scale_jaxamp MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_jaxamp)
#define mpx_loss_scale_keras MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_keras)
#define mpx_loss_scale_check MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_check)
#define mpx_loss_scale_value MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_value)
#define mpx_loss_scale_scale MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_scale)
#define mpx_loss_scale_unscale MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_unscale)
#define mpx_loss_scale_adjust MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_adjust)
#define mpx_loss_scale_is_stuck MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_is_stuck)
#define mpx_loss_scale_save MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_save)
#define mpx_loss_scale_load MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_load)
#define mpx_loss_scale_scale_n MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_scale_n)
#define mpx_loss_scale_unscale_n MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_unscale_n)
#define mpx_loss_scale_scale_tree MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_scale_tree)
#define mpx_loss_scale_unscale_tree MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_unscale_tree)
#define mpx_loss_scale_grad MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_grad)
#define mpx_interop_code MPX__JOIN(MPX_NAMESPACE, mpx_interop_code)
#define mpx_interop_dtype MPX__JOIN(MPX_NAMESPACE, mpx_interop_dtype)
#define mpx_interop_name MPX__JOIN(MPX_NAMESPACE, mpx_interop_name)
#define mpx_interop_parse MPX__JOIN(MPX_NAMESPACE, mpx_interop_parse)
#define mpx_interop_parse_n MPX__JOIN(MPX_NAMESPACE, mpx_interop_parse_n)
#define mpx_interop_dlpack MPX__JOIN(MPX_NAMESPACE, mpx_interop_dlpack)
#define mpx_interop_dlpack_dtype MPX__JOIN(MPX_NAMESPACE, mpx_interop_dlpack_dtype)
#define mpx_dtype_suggest MPX__JOIN(MPX_NAMESPACE, mpx_dtype_suggest)
#define mpx_dtype_promote MPX__JOIN(MPX_NAMESPACE, mpx_dtype_promote)
#define mpx_amp_default_rules MPX__JOIN(MPX_NAMESPACE, mpx_amp_default_rules)
#define mpx_amp_rules_parse MPX__JOIN(MPX_NAMESPACE, mpx_amp_rules_parse)
#define mpx_amp_rules_parse_n MPX__JOIN(MPX_NAMESPACE, mpx_amp_rules_parse_n)
#define mpx_amp_rules_format MPX__JOIN(MPX_NAMESPACE, mpx_amp_rules_format)
#define mpx_amp_ask MPX__JOIN(MPX_NAMESPACE, mpx_amp_ask)
#define mpx_amp_eager_push MPX__JOIN(MPX_NAMESPACE, mpx_amp_eager_push)
#define mpx_amp_eager_pop MPX__JOIN(MPX_NAMESPACE, mpx_amp_eager_pop)
#define mpx_amp_eager_ask MPX__JOIN(MPX_NAMESPACE, mpx_amp_eager_ask)
#define mpx_amp_eager_cast MPX__JOIN(MPX_NAMESPACE, mpx_amp_eager_cast)
#define mpx_amp_eager_forget MPX__JOIN(MPX_NAMESPACE, mpx_amp_eager_forget)
#define mpx_amp_graph_of_nodes MPX__JOIN(MPX_NAMESPACE, mpx_amp_graph_of_nodes)
#define mpx_amp_plan_size MPX__JOIN(MPX_NAMESPACE, mpx_amp_plan_size)
#define mpx_amp_plan_graph MPX__JOIN(MPX_NAMESPACE, mpx_amp_plan_graph)
#define mpx_amp_explain MPX__JOIN(MPX_NAMESPACE, mpx_amp_explain)
#define mpx_amp_explain_node MPX__JOIN(MPX_NAMESPACE, mpx_amp_explain_node)
#endif
/*==========================================================================*
 * MARK: types - dtypes, statuses, policies, trees, loss scales              *
 *   Zero is the default: {0} ({} in C++) of every struct of options or      *
 *   state is valid and means what its comment says. Enumerators are         *
 *   appended, never renumbered; the last of each enum, which is no value,   *
 *   makes it 32 bits wide and signed for every compiler.                    *
 *==========================================================================*/

/* Element types. The name of a constant is MPX_ + the short name in capitals; the number is not
   stable on disk: store the name (mpx_dtype_name). A dtype below a byte is packed, element 0 in the
   lowest bits; unused bits of the last byte become zero, and pieces cut by hand begin at multiples
   of 8 elements. */
typedef enum mpx_dtype {
    /* MPX_NONE: not set, leave alone. F64, F32, F16: IEEE 754. BF16: the upper half of an F32. 16
       bits are stored as uint16_t. */
    MPX_NONE = 0, MPX_F64, MPX_F32, MPX_F16, MPX_BF16,
    /* F8E4M3FN: OCP "E4M3", largest 448, no Inf, NaN are 0x7f and 0xff. F8E5M2: OCP "E5M2", has
       Inf. Stored as uint8_t. */
    MPX_F8E4M3FN, MPX_F8E5M2,
    /* FNUZ: no Inf, no -0, one NaN, the code 0x80; F8E4M3B11FNUZ has exponent bias 11 */
    MPX_F8E4M3FNUZ, MPX_F8E5M2FNUZ, MPX_F8E4M3B11FNUZ,
    /* F8E4M3, F8E3M4: IEEE-like, with Inf; largest 240 (not the OCP format) and 15.5.
       F8E8M0FNU: powers of two from 2^-127 to 2^127; NaN is 0xff; no zero, no sign. */
    MPX_F8E4M3, MPX_F8E3M4, MPX_F8E8M0FNU,
    /* Six- and four-bit floats: finite values only, packed. MPX_BOOL: one byte, 0 or 1; any other
       value reads as 1. */
    MPX_F6E2M3FN, MPX_F6E3M2FN, MPX_F4E2M1FN, MPX_BOOL,
    /* I2 to I64: two's complement; U2 to U64: unsigned; below a byte packed. C64, C128: pairs of
       f32 and f64, carried along, never cast. */
    MPX_I2, MPX_U2, MPX_I4, MPX_U4, MPX_I8, MPX_U8, MPX_I16, MPX_U16, MPX_I32, MPX_U32, MPX_I64,
    MPX_U64, MPX_C64, MPX_C128,
    MPX_DTYPE_COUNT,
    /* Weak operands: literals of the program text, for mpx_dtype_promote and AMP operands only. They
       take the dtype of what they meet and are no dtypes themselves. */
    MPX_WEAK_INT = -1, MPX_WEAK_FLOAT = -2, MPX_WEAK_COMPLEX = -3, MPX__DTYPE_WIDTH = -0x7fffffff
} mpx_dtype;

/* Kinds of dtypes, as mpx_dtype_info reports them. */
typedef enum mpx_kind {
    MPX_KIND_NONE, MPX_KIND_FLOAT, MPX_KIND_BOOL, MPX_KIND_INT, MPX_KIND_UINT, MPX_KIND_COMPLEX,
    MPX__KIND_WIDTH = -0x7fffffff
} mpx_kind;

/* What every function that can fail returns; mpx_status_string names each. */
typedef enum mpx_status {
    /* _ARGUMENT: NULL where data is needed, or a value out of its range. _DTYPE: a word that is
       unknown or ambiguous, or a dtype that cannot be used there. _SPACE: storage too small, a path
       too long, a size beyond size_t. _STATE: bytes that are not a saved state. */
    MPX_OK = 0, MPX_ERR_ARGUMENT = -1, MPX_ERR_DTYPE = -2, MPX_ERR_SPACE = -8, MPX_ERR_STATE = -14,
    /* Policies. _KEY: an unknown key. _MISSING_EQUALS, _EXTRA_EQUALS: a part without '=', or with
       two. _EMPTY: no text at all. _SYNTAX: the printed form <...> is not closed, or text follows
       it. */
    MPX_ERR_KEY = -3, MPX_ERR_MISSING_EQUALS = -4, MPX_ERR_EXTRA_EQUALS = -5, MPX_ERR_EMPTY = -6,
    MPX_ERR_SYNTAX = -7,
    /* Trees. _STRUCTURE: two differ in leaves, paths or counts. _NOT_FLOATING: a leaf is not.
       _FIXED_DTYPE: the dtype of a leaf cannot be changed in place. _WIDER: leaves of dst are wider
       than those of src, and none is narrower: swapped trees. _DEPTH: nodes nested deeper
       than MPX_TREE_DEPTH. _CALLBACK: for walkers of yours that fail. */
    MPX_ERR_STRUCTURE = -9, MPX_ERR_NOT_FLOATING = -10, MPX_ERR_FIXED_DTYPE = -11,
    MPX_ERR_DEPTH = -12, MPX_ERR_CALLBACK = -13, MPX_ERR_WIDER = -26,
    /* Quantized policies. _PAIR: not one mode and one source around "_from_". _MODE: a mode that
       is none. _NUMBER: no whole number. _RANGE, _UNSUPPORTED: a number, a source that the mode
       does not take. */
    MPX_ERR_PAIR = -15, MPX_ERR_MODE = -16, MPX_ERR_NUMBER = -17, MPX_ERR_RANGE = -18,
    MPX_ERR_UNSUPPORTED = -19,
    /* AMP. _SCOPE: a scope is left that was never entered. _CYCLE: a graph's node reads one that
       does not come before it. _RULE: not a rule. _PRECISION: not one that a rule can give. */
    MPX_ERR_SCOPE = -24, MPX_ERR_CYCLE = -25, MPX_ERR_RULE = -30, MPX_ERR_PRECISION = -31,
    /* Policy maps. _PATTERN: one that cannot be read, or is too large. _EXISTS, _MISSING: a key
       that is there already, or is not there. _AMBIGUOUS: two patterns match one path. _QUOTE: a
       quote without its end. _ORDER: a setting after an entry. */
    MPX_ERR_PATTERN = -20, MPX_ERR_EXISTS = -21, MPX_ERR_MISSING = -22, MPX_ERR_AMBIGUOUS = -23,
    MPX_ERR_QUOTE = -40, MPX_ERR_ORDER = -41,
    /* A warning, all is done. _OVERFLOW: finite values became Inf or NaN. */
    MPX_WARN_OVERFLOW = 1, MPX__STATUS_WIDTH = -0x7fffffff
} mpx_status;

/* Room for every sentence of mpx_error_format, and for every policy that mpx_policy_format_with
   prints, NUL included. */
#define MPX_ERROR_TEXT_SIZE 512
#define MPX_POLICY_TEXT_SIZE 96

#define MPX_PATH_SIZE 128 /* bytes of a path that is copied or built, NUL included */

/* What an error is about: the text that was read, a leaf of a tree, a layer, a node of a graph. */
typedef enum mpx_subject {
    MPX_SUBJECT_TEXT = 0, MPX_SUBJECT_LEAF, MPX_SUBJECT_LAYER, MPX_SUBJECT_NODE,
    MPX__SUBJECT_WIDTH = -0x7fffffff
} mpx_subject;

/* What was wrong and where, for every function that can say so. {0}: no error. mpx_error_format
   makes the sentence. */
typedef struct mpx_error {
    mpx_status status;
    mpx_subject subject;
    size_t offset, length;     /* bytes: the word text[offset .. offset + length) */
    size_t index, input;       /* of the leaf, layer or node; its input. SIZE_MAX: not of one */
    mpx_dtype found, expected; /* where dtypes are the matter */
    const char *what;          /* MPX_ERR_SPACE: of "bytes", "leaves", "entries" ... there are */
    size_t have, need;         /* so many, and so many are needed; NULL where that is not known */
    char path[MPX_PATH_SIZE];  /* of the leaf or layer, cut to fit */
} mpx_error;

/* Facts about a dtype. Float limits are exact in double. Source: IEEE 754-2019 3.6, OCP OFP8 1.0,
   OCP MX 1.0. */
typedef struct mpx_dtype_facts {
    const char *name, *short_name; /* "bfloat16", "bf16" */
    mpx_kind kind;
    int bits;                      /* per element, 2 to 128 */
    int exponent_bits, mantissa_bits, bias; /* floats; mantissa without the hidden bit */
    int has_inf, has_nan, has_negative_zero;
    double max, min, epsilon;      /* largest and most negative finite value (e8m0: smallest), and
                                      the distance from 1 to the next larger value */
    double smallest_normal, smallest_subnormal; /* e8m0 has no subnormals: both are its minimum */
    int64_t int_min;               /* integers */
    uint64_t int_max;
} mpx_dtype_facts;

/* Whose rules a text follows. ANY: all grammars together, lenient in blanks and case; the others:
   that system exactly (the README lists the differences). */
typedef enum mpx_dialect {
    /* EFORMER: Policy.from_string. JMP: get_policy, parse_dtype. KERAS: dtype_policies.get, plain,
       mixed_ and quantized names. AXON: the printed form, Nx's type names. EFORMER_PUT: its second
       name table, put_dtype. KERAS_CLASS: DTypePolicy, which takes "int8" for a dtype. */
    MPX_DIALECT_ANY = 0, MPX_DIALECT_EFORMER, MPX_DIALECT_JMP, MPX_DIALECT_KERAS, MPX_DIALECT_AXON,
    MPX_DIALECT_EFORMER_PUT, MPX_DIALECT_KERAS_CLASS, MPX__DIALECT_WIDTH = -0x7fffffff
} mpx_dialect;

/* half: what the word `half` means; MPX_NONE: MPX_F16. {0}: all grammars, `half` is float16. */
typedef struct mpx_parse_options { mpx_dialect dialect; mpx_dtype half; } mpx_parse_options;

/* Other systems and their numbers and names for dtypes. A system that numbers twice stands here
   twice. Not for storing: more are appended as they come. */
typedef enum mpx_system {
    /* The examples are bfloat16, where no other is named. NONE: MPX_ERR_ARGUMENT. SAFETENSORS:
       "BF16" (F8_E4M3 is MPX_F8E4M3FN). GGUF: ggml_type 30, "BF16" as gguf-py has it (elements, no
       blocks such as Q8_0). ONNX: TensorProto.DataType 16, "BFLOAT16". ARROW: Type::type, float16
       is 10, and the C data interface, "e" (its bool is one bit). */
    MPX_SYSTEM_NONE = 0, MPX_SYSTEM_SAFETENSORS, MPX_SYSTEM_GGUF, MPX_SYSTEM_ONNX, MPX_SYSTEM_ARROW,
    /* TFLITE: TensorType in a .tflite file, float16 is 1. TFLITE_C: TfLiteType in the C API,
       float16 is 10. NUMPY: with ml_dtypes, "bfloat16". NUMPY_STR: dtype.str, what .npy files
       keep, float16 is "<f2". */
    MPX_SYSTEM_TFLITE, MPX_SYSTEM_TFLITE_C, MPX_SYSTEM_NUMPY, MPX_SYSTEM_NUMPY_STR,
    /* TORCH: c10::ScalarType 5, "float16" (45, float4_e2m1fn_x2, is a pair). TORCH_EXPORT:
       torch.export's schema, float16 is 6. */
    MPX_SYSTEM_TORCH, MPX_SYSTEM_TORCH_EXPORT,
    /* JAX, KERAS: "bfloat16". XLA: PrimitiveType 16, "BF16" (F8E4M3 is MPX_F8E4M3). MLIR: with
       StableHLO, "bf16", "f8E4M3FN", "ui8", "complex<f32>". IREE: iree_hal_element_type_t
       0x22000010. */
    MPX_SYSTEM_JAX, MPX_SYSTEM_KERAS, MPX_SYSTEM_XLA, MPX_SYSTEM_MLIR, MPX_SYSTEM_IREE,
    /* CUDA: cudaDataType 14, "CUDA_R_16BF". VULKAN: VkComponentTypeKHR 1000141000. WEBNN:
       MLOperandDataType "float16". WGSL: "f16". MPI: "MPI_FLOAT", and MPIX_ ones that not every MPI
       has. */
    MPX_SYSTEM_CUDA, MPX_SYSTEM_VULKAN, MPX_SYSTEM_WEBNN, MPX_SYSTEM_WGSL, MPX_SYSTEM_MPI,
    MPX_SYSTEM_COUNT, MPX__SYSTEM_WIDTH = -0x7fffffff
} mpx_system;

/* DLPack's DLDataType, member for member. */
typedef struct mpx_dlpack {
    uint8_t code, bits;
    uint16_t lanes;
} mpx_dlpack;

/* How mpx_cast_with rounds floats to integers; then they saturate. Nearest: ties to even. */
typedef enum mpx_int_rounding {
    MPX_INT_TRUNCATE = 0, MPX_INT_NEAREST, MPX_INT_UP, MPX_INT_DOWN,
    MPX__INT_ROUNDING_WIDTH = -0x7fffffff
} mpx_int_rounding;

/* How a cast rounds to a float dtype; for integers see MPX_INT_TRUNCATE. Nearest: ties to
   even (e8m0: up). Toward zero: finite values do not overflow to Inf, they become the largest.
   Stochastic: up with the probability of what is cut off, to 2^-16. */
typedef enum mpx_rounding {
    MPX_ROUND_NEAREST = 0, MPX_ROUND_TOWARD_ZERO, MPX_ROUND_STOCHASTIC,
    MPX__ROUNDING_WIDTH = -0x7fffffff
} mpx_rounding;

/* How elements below a byte lie in memory. Packed: element 0 in the lowest bits (ONNX, PyTorch,
   DLPack). Bytes: one per byte, in its low bits (ml_dtypes, NumPy). Split: byte j of a block holds
   the four-bit elements j and j + half (GGUF). */
typedef enum mpx_layout {
    MPX_LAYOUT_PACKED = 0, MPX_LAYOUT_BYTES, MPX_LAYOUT_SPLIT, MPX__LAYOUT_WIDTH = -0x7fffffff
} mpx_layout;

/* What a cast did to the values, added up over calls: start from {0}. Sums are in double, in the
   order of the elements; alone among what casts give they follow the caller's rounding mode and the
   compiler's -ffp-contract, and may raise floating-point flags. Where denormals are zero, so are
   subnormal doubles here. 64-bit integers from 2^53 on count as the double next to them toward
   zero. */
typedef struct mpx_cast_stats {
    uint64_t count, nan, infinite; /* elements; NaN and Inf in the source */
    /* overflowed: finite, but beyond the target's range: became Inf, NaN or the largest; in e8m0
       also zero and negatives. zeroed: finite and not zero, but zero in the target. subnormal:
       results below the target's smallest normal, not zero. */
    uint64_t overflowed, zeroed, subnormal;
    /* max_abs: the largest finite magnitude of the source. Over finite results (so without what
       became Inf or NaN) max_error: the largest |source - result|; sum_squares and
       sum_error_squares: of source^2 and of (source - result)^2. */
    double max_abs, max_error, sum_squares, sum_error_squares;
} mpx_cast_stats;

/* How mpx_cast_with casts. {0}: as mpx_cast. */
typedef struct mpx_cast_options {
    mpx_rounding rounding;
    int saturate;       /* 1: what overflows, Inf included, becomes the largest value; in e8m0,
                           zero and negatives the least, 2^-127 */
    mpx_layout dst_layout, src_layout; /* for dtypes below a byte */
    size_t split_block; /* elements of a split block, even; 0: all n are one */
    /* Stochastic: which random bits, and the index of element 0 in the whole tensor: pieces cast
       apart get the bits that one call would have given them. */
    uint64_t random_seed, offset;
    mpx_cast_stats *stats; /* NULL: none */
    mpx_int_rounding int_rounding; /* of floats to integers */
} mpx_cast_options;

/* How an attribute of a packed vertex is stored; words are native uint32_t, component 0 in the
   lowest bits. PLAIN: components of a dtype. UNORM: 0 ... 1 as 0 ... 2^bits - 1. SNORM: -1 ... 1 as
   two's complement; the most negative code is -1 too. UNORM10_10_10_2 and its like: three or four
   components (DXGI R10G10B10A2, Vulkan A2B10G10R10). UFLOAT11_11_10, RGB9E5: three, not negative
   (R11G11B10_FLOAT, B10G11R11_UFLOAT; R9G9B9E5_SHAREDEXP). */
typedef enum mpx_vertex_format {
    MPX_VERTEX_PLAIN = 0, MPX_VERTEX_UNORM8, MPX_VERTEX_SNORM8, MPX_VERTEX_UNORM16,
    MPX_VERTEX_SNORM16, MPX_VERTEX_UNORM10_10_10_2, MPX_VERTEX_SNORM10_10_10_2,
    MPX_VERTEX_UFLOAT11_11_10, MPX_VERTEX_RGB9E5, MPX__VERTEX_WIDTH = -0x7fffffff
} mpx_vertex_format;

/* An attribute of a vertex: `components` floats at float_offset of one struct, and their packed
   form at packed_offset of another. Offsets are bytes, as offsetof has them. */
typedef struct mpx_attribute {
    mpx_vertex_format format;
    mpx_dtype dtype; /* PLAIN: of a component, 8 bits or more, not complex; else MPX_NONE */
    size_t components, packed_offset, float_offset;
} mpx_attribute;

/* How Keras' policies quantize the weights of a layer. */
typedef enum mpx_quantization {
    MPX_QUANT_NONE = 0, MPX_QUANT_INT8, MPX_QUANT_INT4, MPX_QUANT_FLOAT8, MPX_QUANT_GPTQ,
    MPX_QUANT_AWQ, MPX_QUANT_TERNARY, MPX__QUANT_WIDTH = -0x7fffffff
} mpx_quantization;

/* Which precision the parameters, the compute and the outputs have, and how weights are quantized.
   A role that is MPX_NONE is left alone. {0}: nothing is cast, nothing quantized. */
typedef struct mpx_policy {
    mpx_dtype param, compute, output;
    mpx_quantization quantization;
    int32_t weight_bits;         /* GPTQ: 2, 3, 4 or 8, AWQ: 4, else 0 */
    int32_t group_size;          /* INT4, GPTQ, AWQ: weights that share a scale; -1: one per
                                    channel; 0: not said */
    int32_t amax_history_length; /* FLOAT8: steps of history; else 0 */
} mpx_policy;
/* An initializer: mpx_policy p = MPX_POLICY(MPX_F32, MPX_BF16, MPX_F32); of roles alone. For an
   argument of a call: mpx_policy_of. */
#define MPX_POLICY(param, compute, output) { param, compute, output, MPX_QUANT_NONE, 0, 0, 0 }
#define MPX_AMAX_HISTORY_LENGTH 1024 /* where the text says none, as Keras has it */

/* One of the three roles. */
typedef enum mpx_role {
    MPX_ROLE_PARAM = 0, MPX_ROLE_COMPUTE, MPX_ROLE_OUTPUT, MPX__ROLE_WIDTH = -0x7fffffff
} mpx_role;

/* What the keys of a policy map are, besides paths to be met exactly.
     glob     * takes any characters but '/', ** any at all, ? one but '/', [a-z0] [!a-z] one of a
              class, but '/'; a backslash takes the next as it is. A ** that is a whole segment and
              not the last stands for any number of segments, none too
     regex    Python's re, as far as it needs no going back: . [a-z] [^a-z] \d \s \w, * + ? {m,n},
              a|b, (a) (?:a) (?P<name>a), ^ $ \A \Z \b \B, escapes; flags at the start, (?i) for
              letters of ASCII, (?a) (?m) (?s) (?x); then look-aheads: (?!.*norm).* is all but norm.
              Both match the whole path
     search   a regex that is met anywhere in the path, as in Keras up to 3.11; look-aheads stand
              behind ^ or \A
     hook     what the function `match` of the map says
     exact    no patterns */
typedef enum mpx_patterns {
    MPX_PATTERNS_GLOB = 0, MPX_PATTERNS_REGEX, MPX_PATTERNS_SEARCH, MPX_PATTERNS_HOOK,
    MPX_PATTERNS_EXACT, MPX__PATTERNS_WIDTH = -0x7fffffff
} mpx_patterns;
/* The most steps of a pattern: one for every character, class or wildcard, the plain text before
   the first and after the last wildcard not counted; one or two more for every | and every repeated
   group; {m,n} counts n times. Nor may there be more named groups than that, nor more than 8 classes
   of more than 64 bytes. */
#define MPX_PATTERN_STEPS 128
#define MPX_MAP_DEFAULT ((size_t)-1) /* "no entry decides" */

/* One line of a map, made by mpx_policy_map_set and its like. */
typedef struct mpx_map_entry {
    const char *key; /* the caller's text, which must live as long as the entry, or a copy */
    size_t length;   /* of key, in bytes: it needs no NUL */
    mpx_policy policy;
    int saturate;    /* 1: casts of these leaves saturate, as opt->saturate has it */
    size_t leaves;   /* that this entry decides: mpx_policy_map_count_leaves */
    size_t prefix, suffix; /* the map's own: bytes of plain text at both ends of the pattern, and */
    uint32_t needs[8];     /* what a path must have in it; how keys are found: */
    size_t next[2];
} mpx_map_entry;

/* A caller's engine for patterns. Returns 1: it matches; 0: it does not; a negative mpx_status. */
typedef int (*mpx_match_fn)(const char *pattern, size_t pattern_length, const char *path,
                            size_t path_length, void *user);

/* Policies by path: entries in the order they were set, and a policy for all other paths. {0}: no
   entries, no room, nothing is cast. */
typedef struct mpx_policy_map {
    mpx_map_entry *entries; /* the caller's array: `count` of them are set; a lower count takes the
                               last ones away */
    size_t capacity, count;
    mpx_policy fallback;    /* for paths that no key meets */
    int saturate;           /* 1: casts by the fallback saturate */
    mpx_patterns patterns;  /* to be chosen before the first key is set */
    int first_wins;         /* 1: of patterns that match one path the first decides; 0: two are
                               MPX_ERR_AMBIGUOUS */
    mpx_match_fn match;     /* MPX_PATTERNS_HOOK */
    void *user;
    struct mpx_arena *keys; /* keys are copied into it, each with a NUL, and lie in multiples of 16
                               bytes; NULL: the caller's texts are the keys */
} mpx_policy_map;

/* One layer of a model. */
typedef struct mpx_layer {
    const char *path, *op; /* "encoder/layer_norm", "layer_norm"; NULL reads as "" */
    mpx_policy policy;
} mpx_layer;

/* Which layers: all ({0}), or by one of three rules. Lists of op names end with NULL; one that is
   there and empty names none. */
typedef struct mpx_layer_filter {
    const char *const *only, *const *except;
    int (*select)(const mpx_layer *layer, void *user); /* 1: yes; 0: no; negative: a mpx_status */
    void *user;
} mpx_layer_filter;

/* A tree is anything that can hand out its leaves one by one: see mpx_tree below. */
#define MPX_TREE_DEPTH 16 /* nested nodes that the struct walker follows */

/* One array of the tree. path: "encoder/0/kernel"; NULL reads as "". data: count elements of dtype;
   where count is 0 it may be NULL, and dtype MPX_NONE: {0} is a leaf without elements. */
typedef struct mpx_leaf {
    const char *path;
    void *data;
    size_t count;
    mpx_dtype dtype;
} mpx_leaf;

/* A named piece of one block of memory, offset and count in elements: how trainers often hold their
   parameters. mpx_leaves_of_tensors makes leaves of them. */
typedef struct mpx_tensor {
    const char *name;
    size_t offset, count;
} mpx_tensor;

/* Where a walk stands. All zero before the first leaf; the rest is the walker's own to use. */
typedef struct mpx_cursor {
    size_t index[2 * (MPX_TREE_DEPTH + 1)];
    size_t depth;
    void *node;
    char path[MPX_PATH_SIZE];
} mpx_cursor;

typedef struct mpx_tree mpx_tree;

/* Write the next leaf and advance the cursor. Returns 1: a leaf; 0: the end; a negative mpx_status:
   the walk stops with it. A walk must give the same leaves every time: functions that write walk
   once to check and once to work. */
typedef int (*mpx_next_fn)(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree);
/* Note that the leaf just handed out now has this dtype (after a cast in place). Asked beforehand
   with the dtype the leaf already has. Returns MPX_OK, or MPX_ERR_FIXED_DTYPE if this leaf's dtype
   cannot change. */
typedef mpx_status (*mpx_retype_fn)(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree);

/* A tree by callback. {0} is the empty tree. The two walkers that ship: mpx_tree_of_leaves,
   mpx_tree_of_struct. */
struct mpx_tree {
    mpx_next_fn next;     /* NULL: no leaves */
    mpx_retype_fn retype; /* NULL: dtypes are fixed, casts in place are refused */
    void *user;           /* the walker's own */
    const void *layout;   /* the walker's own (the struct walker: its mpx_field[]) */
    size_t count;         /* the walker's own (length of user or layout) */
};

/* One member of a C struct, for mpx_tree_of_struct. Use the macros below; the fields are open to
   other generators. */
typedef struct mpx_field {
    const char *name;     /* the path segment */
    size_t offset, count; /* of the member; its elements (nodes: structs) */
    /* MPX_FIELD_COUNTED: offset of a size_t member that holds the count; MPX_FIELD_TYPED: offset of
       an mpx_dtype member; nodes: bytes from one struct to the next */
    size_t count_offset, dtype_offset, stride;
    const struct mpx_field *fields; /* nodes: the members of the inner struct; NULL: a leaf */
    size_t field_count;
    mpx_dtype dtype; /* leaves: of the elements */
    unsigned flags;  /* MPX_FIELD_... */
} mpx_field;
/* POINTER: the member points to the data (NULL: no elements). COUNTED: count is read from the
   struct. TYPED: so is the dtype, which may change. INDEXED: paths of nodes have the index in them,
   "layers/3/weight". */
enum { MPX_FIELD_POINTER = 1, MPX_FIELD_COUNTED = 2, MPX_FIELD_TYPED = 4, MPX_FIELD_INDEXED = 8 };
/* For the macros below: bytes of a member, and no fields of its own. */
#ifdef __cplusplus
#define MPX_MEMBER_SIZE(T, m) sizeof(static_cast<T *>(nullptr)->m)
#define MPX_FIELDS_NONE nullptr
#else
#define MPX_MEMBER_SIZE(T, m) sizeof(((T *)0)->m)
#define MPX_FIELDS_NONE NULL
#endif
/* float w[64]; or float b; ctype is the C type of one element */
#define MPX_LEAF(T, m, ctype, dtype) \
    { #m, offsetof(T, m), MPX_MEMBER_SIZE(T, m) / sizeof(ctype), 0, 0, 0, MPX_FIELDS_NONE, 0, \
      dtype, 0u }
/* float *w; of n elements */
#define MPX_LEAF_POINTER(T, m, n, dtype) \
    { #m, offsetof(T, m), n, 0, 0, 0, MPX_FIELDS_NONE, 0, dtype, 0u | MPX_FIELD_POINTER }
/* void *w; size_t n_member; mpx_dtype t_member: a leaf that can be cast in place */
#define MPX_LEAF_TYPED(T, m, n_member, t_member) \
    { #m, offsetof(T, m), 0, offsetof(T, n_member), offsetof(T, t_member), 0, MPX_FIELDS_NONE, 0, \
      MPX_NONE, 0u | MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_TYPED }
/* struct layer encoder; described by layer_fields */
#define MPX_NODE(T, m, node_fields) \
    { #m, offsetof(T, m), 1, 0, 0, MPX_MEMBER_SIZE(T, m), node_fields, \
      sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, 0u }
/* struct layer layers[4]; */
#define MPX_NODE_ARRAY(T, m, node_type, node_fields) \
    { #m, offsetof(T, m), MPX_MEMBER_SIZE(T, m) / sizeof(node_type), 0, 0, sizeof(node_type), \
      node_fields, sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, 0u | MPX_FIELD_INDEXED }
/* struct layer *layers; size_t n_member; */
#define MPX_NODE_POINTER(T, m, n_member, node_type, node_fields) \
    { #m, offsetof(T, m), 0, offsetof(T, n_member), 0, sizeof(node_type), node_fields, \
      sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, \
      0u | MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_INDEXED }

/* mpx_tree_of_struct(object, fields, how many there are) */
#define MPX_TREE_OF_STRUCT(object, object_fields) \
    mpx_tree_of_struct(object, object_fields, sizeof(object_fields) / sizeof(mpx_field))

/* Caller's storage for casts that make new leaves: bytes for the data, leaves for the new tree.
   Casts take from it and advance `used` and `leaves_used`; set both to 0 to start again. {0}: no
   storage. */
typedef struct mpx_arena {
    void *data; /* leaves begin at multiples of 16 bytes from here; any address works */
    size_t size, used;
    mpx_leaf *leaves;
    size_t leaf_capacity, leaves_used;
} mpx_arena;

/* Threads of the caller's: call task(arg, i) once for every i below count, in any order, on any
   threads, and return when all have returned. What they wrote must then be visible to the caller.
   dispatch_apply_f and pthreadpool_parallelize_1d take these very tasks. */
typedef void (*mpx_task_fn)(void *arg, size_t i);
typedef void (*mpx_run_fn)(size_t count, mpx_task_fn task, void *arg, void *user);

/* How work is split. {0}: not at all. */
typedef struct mpx_parallel {
    mpx_run_fn run; /* NULL: all on the calling thread */
    void *user;     /* handed to run */
    size_t grain;   /* bytes a piece, read and written, at least 4096; 0: 1 MiB */
} mpx_parallel;

/* The leaves of a tree that a test keeps (1; 0: left out): see mpx_tree_where. leaf->path may be
   NULL, as in the tree. */
typedef int (*mpx_keep_fn)(const mpx_leaf *leaf, void *user);
typedef struct mpx_tree_filter {
    mpx_tree tree;
    mpx_keep_fn keep; /* NULL: all */
    void *user;
} mpx_tree_filter;

/* What a tree holds, and what casting it would need. */
typedef struct mpx_tree_size {
    /* bytes of all data; storage: bytes mpx_tree_cast_into takes from an arena: the leaves that
       change, each rounded up to 16, and paths that the walker builds anew */
    size_t leaves, elements, bytes, storage;
} mpx_tree_size;

/* What a cast would do to one leaf: see mpx_tree_dry_run. */
typedef struct mpx_cast_report {
    char path[MPX_PATH_SIZE];
    size_t index; /* of the leaf in the tree */
    mpx_dtype from, to;
    mpx_cast_stats stats;
} mpx_cast_report;

/* Memory as realloc gives it: `old`, NULL at first, becomes `size` bytes long, never 0, and may move;
   aligned for any type. NULL: there is none, and `old` is as it was. */
typedef void *(*mpx_grow_fn)(void *old, size_t size, void *user);

/* How mpx_weights_cast casts. {0}: by the policies' param dtypes; there is no memory. */
typedef struct mpx_weights_options {
    mpx_role role;
    int saturate;            /* 1: all casts do; 0: those of entries that say so */
    mpx_parse_options parse; /* how policies are read */
    mpx_grow_fn grow;        /* NULL: the block is the memory, aligned as malloc would */
    void *user;              /* handed to grow */
    void *block;
    size_t size;
} mpx_weights_options;

/* What became of one leaf. */
typedef struct mpx_weight {
    mpx_dtype from, to;    /* equal: it is the source's own memory */
    size_t bytes;          /* 0 if another leaf has them: */
    size_t shares;         /* the index of the first leaf with the same memory and the same cast */
    int saturates;
    /* Finite values that overflow; those that become zero; values, Inf included, that become the
       largest. */
    uint64_t overflowed, zeroed, saturated;
} mpx_weight;

/* A tree, cast, and all that belongs to it. */
typedef struct mpx_weights {
    mpx_tree tree;
    mpx_leaf *leaves;    /* those of the tree, in its order */
    mpx_weight *weights; /* one a leaf */
    size_t count;
    mpx_policy_map map;  /* as the text says, which its keys point into */
    size_t unmatched;    /* keys that decide no leaf: map.entries[i].leaves is 0 */
    size_t bytes;        /* of all leaves; those that share memory once */
    uint64_t overflowed, zeroed, saturated;
    void *memory;        /* all of the above, to be freed once, after an error too */
} mpx_weights;

/* The rule by which a loss scale moves. */
typedef enum mpx_loss_scale_kind {
    /* NOOP: the scale is 1. STATIC: it never moves. DYNAMIC (jmp, eformer, Axon): grow on the
       period-th finite step, never beyond the finite floats; not below min_scale. JAXAMP: grow on
       finite step period + 1, no floor, no cap. KERAS: as DYNAMIC, without the floor and without
       the check on growth. */
    MPX_LOSS_SCALE_NOOP = 0, MPX_LOSS_SCALE_STATIC, MPX_LOSS_SCALE_DYNAMIC, MPX_LOSS_SCALE_JAXAMP,
    MPX_LOSS_SCALE_KERAS, MPX__LOSS_SCALE_WIDTH = -0x7fffffff
} mpx_loss_scale_kind;

/* The state of loss scaling: a value to copy, store and compare. {0} is NoOp and reads as scale
   1. */
typedef struct mpx_loss_scale {
    mpx_loss_scale_kind kind;
    float scale;             /* the loss is multiplied by it, the gradients are divided by it */
    int32_t counter, period; /* finite steps since it moved, and until it grows (patience) */
    float factor, min_scale; /* by which it moves; DYNAMIC does not shrink below min, 0: no floor */
    int32_t resets;          /* JAXAMP: non-finite steps so far */
    mpx_dialect dialect;     /* MPX_DIALECT_JMP: unscale multiplies by the rounded reciprocal;
                                _AXON: too, and only Inf is not finite; else it divides */
    float max_scale;         /* growth ends there; 0: no maximum */
    /* Hysteresis h: the first h - 1 non-finite steps leave the scale as it is; the h-th and later
       ones shrink it, until a full period of finite steps. 0 and 1: every one does. misses: such
       steps so far, at most hysteresis. */
    int32_t hysteresis, misses;
    /* MPX_F16, MPX_BF16: scale, factor, min_scale and max_scale are numbers of this dtype, to which
       every one of them and every product, quotient and reciprocal is rounded, as jmp and jaxamp
       do with a scale of 16 bits; not with MPX_NO_DIALECTS. MPX_NONE: MPX_F32. */
    mpx_dtype state;
} mpx_loss_scale;
#define MPX_LOSS_SCALE_BYTES 56 /* of a saved state; those of 40 and 52, of older programs, load
                                   too */

/* Compute the loss and the gradients of loss * scale; write the loss, scaled, to *loss and the
   gradients where the scaled_grads of the call are. A status that is not MPX_OK ends the step. */
typedef mpx_status (*mpx_grad_fn)(mpx_loss_scale scale, float *loss, void *user);

/* A step of mpx_loss_scale_grad. */
typedef struct mpx_grad_call {
    mpx_grad_fn evaluate;         /* never NULL */
    mpx_tree grads, scaled_grads; /* as dst and src of mpx_loss_scale_unscale_tree; may be equal */
    mpx_tree aux;                 /* other results, looked at for Inf and NaN; {0}: none */
    int redo_on_nan;              /* at most so many repetitions after a non-finite result, each
                                     with the adjusted scale */
    void *user;                   /* for evaluate */
    int check_loss;               /* 1: the loss too must be finite, as in value_and_grad */
} mpx_grad_call;
#define MPX_REDO_ON_NAN 10 /* jaxamp's default of value_and_grad; that of grad is 0 */

/* loss: unscaled, of the last evaluation, as the gradients are. */
typedef struct mpx_grad_result {
    float loss;
    int finite, evaluations;
} mpx_grad_result;

/* ---- precision by operation (AMP) ------------------------------------------------------------ */

/* What a rule says of an operation's floating operands: one of these, or a floating dtype that all
   of them get. Integers and bool are never touched.
   ORIGINAL: each as the program without AMP has it. COMPUTE: the compute dtype. WIDEST: the widest
   that the program without AMP has among them: the first of f64, f32, bf16, f16; if none of these is
   there, as ORIGINAL. NO_RULE: cancels an earlier rule for the same key. */
enum { MPX_AMP_ORIGINAL = 0, MPX_AMP_COMPUTE = -1, MPX_AMP_WIDEST = -2, MPX_AMP_NO_RULE = -3 };

typedef struct mpx_amp mpx_amp;

/* An operand of one operation. */
typedef struct mpx_amp_operand {
    const void *data; /* count elements of dtype: read and replaced by mpx_amp_eager_cast only */
    size_t count;
    /* dtype: which it has; MPX_WEAK_...: a number of the program's text, never cast. plain: which it
       has in the program without AMP; MPX_NONE: the same. to, the answer: which it must have; the
       same as dtype: nothing to cast. */
    mpx_dtype dtype, plain, to;
    int keep; /* mpx_amp_eager_cast: 1: a weight, cast once until mpx_amp_eager_forget */
} mpx_amp_operand;

/* A rule of your own: set operands[i].to, which all are operands[i].dtype, and *accumulate, which
   is MPX_NONE. What it returns other than MPX_OK goes to the caller. */
typedef mpx_status (*mpx_amp_fn)(const char *op, mpx_amp_operand *operands, size_t count,
                                 mpx_dtype *accumulate, const mpx_amp *amp, void *user);

/* The precision of one operation, or of all operations in a scope. {0}: no rule. */
typedef struct mpx_amp_rule {
    const char *key;      /* "matmul"; a scope's name; "amp_default", a scope: all others */
    size_t key_length;    /* 0: to the NUL */
    int is_scope;
    int precision;        /* MPX_AMP_..., or a floating dtype */
    mpx_dtype accumulate; /* in which sums are kept; MPX_NONE: in that precision too */
    mpx_amp_fn custom;    /* NULL: precision says it */
    void *user;           /* handed to custom */
} mpx_amp_rule;
/* mpx_amp_rule mine[] = { MPX_AMP_OP("softmax", MPX_F32), MPX_AMP_SCOPE("head", MPX_BF16) }; */
#define MPX_AMP_OP(name, precision) { name, 0, 0, precision, MPX_NONE, NULL, NULL }
#define MPX_AMP_SCOPE(name, precision) { name, 0, 1, precision, MPX_NONE, NULL, NULL }

/* MPX_AMP_INNERMOST_STOP: amp_stop beats the scopes around it too. MPX_AMP_RESTORE: a plan casts
   the graph's outputs back to their plain dtypes. MPX_AMP_JAXAMP: complex operands are cast too,
   which drops their imaginary parts; integers alone also get an accumulate type; any dtype will do;
   MPX_AMP_WIDEST, without the four, is the first operand's plain dtype unless that is MPX_WEAK_...;
   operations without a rule take their operands as they come. */
enum { MPX_AMP_INNERMOST_STOP = 1, MPX_AMP_RESTORE = 2, MPX_AMP_JAXAMP = 4 };

/* Rules, and what they need to be answered. {0}: every operation as the program without AMP has
   it. */
struct mpx_amp {
    const mpx_amp_rule *rules; /* of two with one key, the later counts */
    size_t rule_count;
    mpx_dtype compute;         /* a policy's compute role; MPX_NONE: MPX_AMP_COMPUTE is _ORIGINAL */
    unsigned flags;            /* MPX_AMP_... */
    char separator;            /* of scopes in "encoder/attention"; 0: '/' */
};

/* How an operation was decided. */
typedef struct mpx_amp_answer {
    const mpx_amp_rule *rule; /* that decided; NULL: none, and all stays as it was */
    size_t scope;             /* the scope it matched, 0 the outermost; SIZE_MAX: none */
    mpx_dtype accumulate;     /* for operations that sum (JAX: preferred_element_type): in which
                                 dtype; MPX_NONE: as the program without AMP has it */
} mpx_amp_answer;

/* A weight that was cast, and where the result is. */
typedef struct mpx_amp_kept {
    const void *data;
    void *cast;
    size_t count;
    mpx_dtype from, to;
} mpx_amp_kept;

/* Operation by operation. Set amp, and as far as they are used the storage: names of the active
   scopes; the arena's data and size, nobody else's; entries for kept casts. {0}: no rules, no
   storage. */
typedef struct mpx_amp_eager {
    mpx_amp amp;
    const char **scopes; /* the names must live as long as they are there */
    size_t scope_capacity, scope_count;
    mpx_arena arena;     /* casts that are kept from the front; others live behind them until the
                            next call */
    mpx_amp_kept *kept;
    size_t kept_capacity, kept_count;
} mpx_amp_eager;

/* Of a node. CONSTANT: a weight, whose casts are made once and not on every run. CAST: a cast of
   its input to its dtype, and nothing else. FIXED: its result has its dtype whatever the operands
   have. OUTPUT: its result is used outside the graph (so is that of every node that no other
   reads). ACCUMULATES: its result has the accumulate type (JAX: preferred_element_type). */
enum { MPX_AMP_NODE_CONSTANT = 1, MPX_AMP_NODE_CAST = 2, MPX_AMP_NODE_FIXED = 4,
       MPX_AMP_NODE_OUTPUT = 8, MPX_AMP_NODE_ACCUMULATES = 16 };

/* One operation of a graph. Without inputs it is one of the graph's own inputs, or a weight. */
typedef struct mpx_amp_node {
    const char *op, *scope; /* "matmul"; "encoder/attention", outermost first, NULL: none */
    const size_t *inputs;   /* the nodes whose results it reads */
    size_t input_count;
    mpx_dtype dtype;        /* of its result in the program without AMP */
    size_t count;           /* elements of its result */
    unsigned flags;         /* MPX_AMP_NODE_... */
} mpx_amp_node;

/* Fill in node `index`; strings and inputs must live until the next call. Asked in order, several
   times, with the same answers. Returns MPX_OK, or what goes to the caller. */
typedef mpx_status (*mpx_amp_node_fn)(size_t index, mpx_amp_node *node, void *user);

/* A graph: nodes in the order in which they run. {0}: empty. mpx_amp_graph_of_nodes makes one of an
   array. */
typedef struct mpx_amp_graph {
    mpx_amp_node_fn node;
    void *user;
    size_t count;
} mpx_amp_graph;

/* A cast to insert. Values are numbered: node i's result is i, cast k's is the number of nodes
   + k. */
typedef struct mpx_amp_planned_cast {
    size_t source; /* the value that is cast */
    mpx_dtype from, to;
    /* count: elements. before: the first node that needs it; the number of nodes: an output. uses:
       inputs, casts and outputs that read it. */
    size_t count, before, uses;
} mpx_amp_planned_cast;

/* What became of a node. */
typedef struct mpx_amp_planned_node {
    const size_t *inputs; /* the values it reads, as many as it has inputs */
    /* dtype: of its result. store: the one dtype in which all read it, else dtype; a constant stored
       in it needs no cast. */
    mpx_dtype dtype, store;
    int removed; /* 1: a cast that nothing reads any more */
    /* uses: inputs, casts and outputs that read its result. output: the value that is its result for
       others: itself or, with MPX_AMP_RESTORE, maybe a cast. */
    size_t uses, output;
    mpx_amp_answer answer;
    size_t input_count; /* of inputs */
} mpx_amp_planned_node;

/* A planned graph: pointers into the memory it was planned in. */
typedef struct mpx_amp_plan {
    const mpx_amp_planned_node *nodes;
    size_t node_count;
    const mpx_amp_planned_cast *casts; /* in the order in which they run */
    size_t cast_count;
    /* shared: inputs and outputs served by a cast made for another. skipped: inputs and outputs that
       read or cast the source of a lossless cast, not its result. removed: nodes. */
    size_t shared, skipped, removed;
    /* Read and written on one run. before: by all nodes without AMP. after: by nodes and casts.
       fused: by nodes that cast what they read themselves, on the way (outputs are still cast
       apart). once: by casts of constants, which are made once and not counted in the others. */
    uint64_t bytes_before, bytes_after, bytes_fused, bytes_once;
} mpx_amp_plan;
/*==========================================================================*
 * MARK: api - every public function, by topic                               *
 *   The order of arguments: what is written, what is read, options, then    *
 *   err; a function that reads a text or answers a question gives the       *
 *   answer through pointers behind its arguments, before err.               *
 *   For all of them: no allocation, no I/O, no errno, no locale, no mutable *
 *   static data but the default policy, which is one per thread; any number *
 *   of threads at once. Pointers may be NULL where the comment says so or   *
 *   where n = 0; other NULLs are the caller's mistake (MPX_ASSERT).         *
 *   Stack figures: gcc 12 -O2, x86-64 without AVX, rounded up, callbacks    *
 *   apart; with AVX2 up to 0.7, with AVX-512 up to 1.9 KiB more. Without a  *
 *   figure: below 512 bytes.                                                *
 *==========================================================================*/
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the library ----------------------------------------------------------------------------- */

/* MPX_VERSION of the implementation: compare with the macro to catch a header that does not fit
   it. */
MPX_API int mpx_version(void);
/* The instruction set this implementation was built for, or MPX_DISPATCH has chosen: "scalar". */
MPX_API const char *mpx_isa(void);
#if MPX_DISPATCH
/* With MPX_DISPATCH, for tests: "sse2", "avx2" or "avx512" from the next call on, NULL for the best
   that there is. MPX_ERR_ARGUMENT if it has another name or cannot run here: nothing changes. Not
   while other threads cast. */
MPX_API mpx_status mpx_isa_set(const char *isa);
#endif
/* The status in words: "unknown key". Never NULL; "unknown status" for numbers that are none. */
MPX_API const char *mpx_status_string(mpx_status status);
/* The sentence for an error: "unknown dtype 'float61' at 2; expected a dtype such as f32, ...",
   "structures differ at leaf 3 'decoder/bias'", "not enough space; 12 bytes where 48 are needed".
   text   what was parsed, from its start (nothing behind the offending word is read); NULL leaves
          the word out, as for errors that are not of a text
   buf    size bytes, always NUL-terminated if size > 0; NULL if size = 0. Bytes outside ASCII print
          as \xHH.
   Returns the length of the whole sentence, as snprintf does. Stack 384 bytes. */
MPX_API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size);

/* ---- dtypes ---------------------------------------------------------------------------------- */

/* The dtype a word names. Knows ml_dtypes' names ("bfloat16", "float8_e4m3fn"), the short names
   ("bf16", "f8e4m3fn"), those of jmp, eformer, Keras and Nx, and NumPy's typestrings with their
   byte-order mark ("<f4"); ASCII case does not count, blanks do. `half` is f16. Words that mean
   different things elsewhere are refused: f8 fp8 float long e4m3 i.a.
   Returns   MPX_ERR_DTYPE, *out untouched; MPX_ERR_EMPTY for an empty word (MPX_ERR_DTYPE in the
             dialect of one system).
   Source    the name tables of the five systems; eformer's and safetensors' f8_e4m3 is e4m3fn,
             float8_e4m3 is not. */
MPX_API mpx_status mpx_dtype_parse(const char *name, mpx_dtype *out);
/* The same for len bytes that need no NUL, and with the exact table of one system: case and aliases
   then are that system's. MPX_DIALECT_EFORMER_PUT reads an empty word as MPX_NONE, MPX_OK.
   MPX_ERR_ARGUMENT for a dialect that is none. err may be NULL. */
MPX_API mpx_status mpx_dtype_parse_n(const char *name, size_t len, mpx_parse_options opt,
                                     mpx_dtype *out, mpx_error *err);
/* "bfloat16": ml_dtypes' spelling, to be stored. "" for MPX_NONE and numbers that are no dtype. */
MPX_API const char *mpx_dtype_name(mpx_dtype type);
/* "bf16": as policies print it. "" as above. */
MPX_API const char *mpx_dtype_short_name(mpx_dtype type);
/* finfo and iinfo in one: limits, bits, bias. All zero, names "", for numbers that are no dtype.
   Stack 128 bytes. */
MPX_API mpx_dtype_facts mpx_dtype_info(mpx_dtype type);
/* 1 for the fifteen float formats, fp8, fp6 and fp4 included; else 0. */
MPX_API int mpx_dtype_is_floating(mpx_dtype type);
/* Bits per element, 2 to 128; 0 for numbers that are no dtype. */
MPX_API int mpx_dtype_bits(mpx_dtype type);
/* Bytes of n elements, sub-byte dtypes packed; SIZE_MAX where size_t cannot hold it. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n);
/* Where element i begins, in bytes from the array's start. Below a byte, packed: the byte that has
   its lowest bit, which is bit i * bits % 8 there; elements of 4 bits share it by two, those of 6
   bits may go on in the next. i a multiple of 8 begins a byte, from which casts can start. SIZE_MAX
   where size_t cannot hold it. */
MPX_API size_t mpx_dtype_offset(mpx_dtype type, size_t i);

/* ---- casts ----------------------------------------------------------------------------------- */

/* Cast n elements of src to dst: the correctly rounded value, rounded once, to nearest, ties to
   even; the same bits on every machine, whatever -ffast-math, flush-to-zero or rounding mode say.
   dst, src   n elements of `to` / `from`; any alignment; may be equal where `to` is no
              wider than `from`, else must not overlap
   Floats     NaN keeps its sign, becomes quiet and keeps the leading payload bits that fit;
              overflow gives Inf, or NaN in formats without Inf (e4m3fn, fnuz, e8m0), or the largest
              value in formats with neither (f6, f4), where +NaN gives -0 and -NaN +0. Subnormals
              are kept. fnuz has no -0. e8m0: nearest power of two, ties up; zero and negatives give
              NaN, as in ml_dtypes. If mpx_cast_with saturates, they and -Inf give 2^-127, so that
              a block of zeros has a scale.
   Integers   float to int truncates toward zero, saturates, NaN gives 0; int to int saturates; to
              bool is x != 0 (NaN is true). The same dtype on both sides copies bits.
   Returns    MPX_ERR_DTYPE if either is no dtype, or if one is complex and the other is not the
              same.
   Modes      the caller's floating-point modes stay, and the flags, but for MPX_KEEP_FLAGS; here
              and wherever elements are cast or scaled
   Stack      3400 bytes + MPX_TILE * 8
   Source     IEEE 754-2019 4.3.1, OCP OFP8 1.0 table 1, ml_dtypes for fnuz, f6 and f4. Where
              ml_dtypes rounds twice (f64 and integers to bf16 and fp8), this does not. */
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n);

#if !MPX_NO_CAST_WITH
/* The same with options: rounding modes, saturation, layouts of sub-byte dtypes, statistics.
   opt        NULL: as mpx_cast. Rounding and saturation concern float targets, int_rounding casts
              from floats to integers (by the exact codec, if it is not 0); the same dtype on both
              sides copies bits, whatever they say
   dst == src needs both layouts packed; with statistics one dtype then is counted, not written
   Random     element i of the tensor uses 16 bits of a counter-based generator (opt->random_seed,
              opt->offset + i) and nothing else: the same bits for any split, thread or instruction
              set. For targets below f32, f64 and integers of 32 bits and more are cut to f32
              first: the probability is that of what is left
   Returns    also MPX_ERR_ARGUMENT for an unknown mode or layout, n that is no multiple of an even
              split block, or a split layout of elements of 2 or 6 bits. Stack as mpx_cast
              + 2.5 KiB with statistics. */
MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                                 const mpx_cast_options *opt);
/* Cast between interleaved arrays: n items of `components` elements; from one item to the next it
   is dst_stride and src_stride bytes. Same bits as one mpx_cast of all elements.
   strides    at least components * element bytes, unless n < 2; components 1 and up. What stands
              between items is neither read nor written
   dst, src   may be equal where the strides are and `to` is no wider than `from`, else must not
              overlap
   Returns    also MPX_ERR_ARGUMENT for a stride too small or components = 0, MPX_ERR_DTYPE for
              dtypes below a byte. opt may be NULL; element k of item i counts as i * components +
              k. Stack as mpx_cast_with + MPX_TILE * 9. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype to, size_t dst_stride, const void *src,
                                    mpx_dtype from, size_t src_stride, size_t n, size_t components,
                                    const mpx_cast_options *opt);
#if !MPX_NO_VERTEX
/* Pack n vertices of floats (32 bits) for a graphics card, and unpack them: all attributes in one
   pass over memory, by one table for both directions. An array of normalised integers is a vertex
   with one attribute.
   strides    bytes from one vertex to the next. What no attribute covers is neither read nor
              written; where attributes overlap, the later one is written last
   dst, src   any alignment; must not overlap
   Pack       rounds once, to nearest, ties to even. UNORM, SNORM: clamped first; NaN gives 0.
              UFLOAT11_11_10: negatives give 0, NaN NaN, Inf Inf; too large finite values give the
              largest. RGB9E5: clamped to 0 ... 65408; NaN gives 0; ties go up. The fourth field of
              UNORM10_10_10_2 and its like is 0 for three components. PLAIN: as mpx_cast
   Unpack     to the nearest float
   Returns    MPX_ERR_DTYPE for a dtype that is none, complex or below a byte, or for one beside
              another format than PLAIN; MPX_ERR_ARGUMENT for a format that is none, a number of
              components that it does not have, or an attribute that does not end within its stride,
              unless n < 2. Nothing then is written. Stack as mpx_cast_strided + 256 bytes.
   Source     Vulkan 1.3; EXT_texture_shared_exponent. D3D11 allows the same results. */
MPX_API mpx_status mpx_vertices_pack(void *dst, size_t dst_stride, const void *src,
                                     size_t src_stride, size_t n, const mpx_attribute *attributes,
                                     size_t count);
MPX_API mpx_status mpx_vertices_unpack(void *dst, size_t dst_stride, const void *src,
                                       size_t src_stride, size_t n, const mpx_attribute *attributes,
                                       size_t count);
#endif
/* Round n floats to what a dtype can hold, and leave them floats: dst is src cast to `type` and
   back, without memory for the codes between.
   type       any dtype but complex; MPX_F32 copies bits
   dst, src   n floats (32 bits); may be equal; any alignment
   opt        as for mpx_cast_with, of which layouts and statistics are ignored; may be NULL
   Returns    MPX_ERR_DTYPE, MPX_ERR_ARGUMENT as mpx_cast_with. Stack as mpx_cast +
              MPX_TILE * 8 + 512 bytes */
MPX_API mpx_status mpx_round_to(float *dst, const float *src, size_t n, mpx_dtype type);
MPX_API mpx_status mpx_round_to_with(float *dst, const float *src, size_t n, mpx_dtype type,
                                     const mpx_cast_options *opt);
/* fp8 between the OCP and the fnuz formats without rounding: the codes stay, so every value is
   halved on the way to fnuz and doubled on the way back: multiply (divide) the tensor's scale by 2.
   MPX_F8E4M3FN <-> MPX_F8E4M3FNUZ, MPX_F8E5M2 <-> MPX_F8E5M2FNUZ. NaN becomes NaN, -0 becomes 0;
   Inf becomes NaN; what the OCP format cannot hold (the topmost fnuz codes) becomes its largest
   value.
   Returns    MPX_ERR_DTYPE for any other pair. dst may be src. */
MPX_API mpx_status mpx_f8_rebias(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                 size_t n);
#endif

#if !MPX_NO_STATS
/* Root of the mean squared error (over all elements; one without a finite source or result counts
   as 0), and the signal-to-quantization-noise ratio in dB (10 log10 of
   sum_squares / sum_error_squares; 999 where there is no error; 0 where there is one but no
   signal). A sum that double cannot hold, 0 or Inf, counts as max_error^2 or max_abs^2. */
MPX_API double mpx_cast_stats_rms_error(const mpx_cast_stats *stats);
MPX_API double mpx_cast_stats_sqnr(const mpx_cast_stats *stats);
#endif

/* 1 if none of n elements is Inf or NaN in its own format (both parts of complex); integers and
   bool always are finite, and so is n = 0. 0 for numbers that are no dtype. Decided on bits: right
   under -ffast-math. Stack as mpx_any_infinite. */
MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n);

/* 1 if one of n elements is Inf, whether or not others are NaN; else 0, also for numbers that are
   no dtype. The finite test of Axon's loss scale, which lets NaN pass.
   Stack 3700 bytes + MPX_TILE * 12 */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n);

#if !MPX_NO_REDUCE
/* *amax = the largest magnitude of n elements of a floating dtype, from which scales for narrow
   dtypes are computed; 0 for n = 0; Inf if one is Inf, NaN if one is NaN, as torch.amax has it. f64
   is rounded to the nearest float.
   Returns   MPX_ERR_DTYPE if the dtype is not floating (complex: the magnitude would need a root);
             *amax then is untouched. Stack as mpx_any_infinite. */
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax);
/* *sum = the sum of the squares of n elements of a floating dtype, of complex ones both parts, in
   double; 0 for n = 0. The root of it is the norm by which gradients are clipped.
   Order     sixteen sums, element i is added to number i mod 16; then sums 8 apart are added, 4
             apart, 2 and 1. Each addition rounds once, to nearest, so the bits are the same on every
             machine. f32 and narrower: squares are exact. One NaN gives NaN, else one Inf gives Inf
   Returns   MPX_ERR_DTYPE if the dtype is neither; *sum then is untouched. Stack as
             mpx_any_infinite. */
MPX_API mpx_status mpx_sum_squares(const void *data, mpx_dtype type, size_t n, double *sum);
#endif

/* dst = src * by, each product rounded once to `to` (both types must be floating, or both complex,
   which count as twice as many floats; NaN becomes what mpx_cast makes of it). Overflow as in
   mpx_cast: NaN in e4m3fn; to saturate, scale into float32 and use mpx_cast_with.
   dst, src   as for mpx_cast
   Returns    MPX_ERR_DTYPE for any other pair. Stack 4100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_scale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                             float by);
/* dst = src / by, a true division rounded once to `to`, overflow as there, and in the same pass:
   *finite becomes 0 if a quotient is Inf or NaN, or became so by being rounded to `to`, else 1.
   finite     may be NULL. By a power of two nothing but exponents move; else a division, which is
              slow in plain C and from f64 to 16 bits. Stack 4100 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                               float by, int *finite);
#if !MPX_NO_REDUCE
/* The same, and *sum = mpx_sum_squares of what stands in dst then, while it is in the caches. */
MPX_API mpx_status mpx_unscale_squares(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, float by, int *finite, double *sum);
/* dst += src for n elements of a floating or complex dtype: the exact sum, rounded once to nearest
   even, whatever the caller's modes and -ffast-math say. Overflow as in mpx_cast; subnormals are
   kept. A NaN stays, made quiet, that of dst if both are; Inf - Inf gives +NaN; x - x gives +0.
   dst, src   any alignment; may be equal, else must not overlap
   MPI        has no bf16 and f16; this is the body of such an operation:

       static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type) {
           mpx_add(inout, in, (size_t)*count, MPX_BF16);
       }
       MPI_Op_create(add_bf16, 1, &op);

   Returns    MPX_ERR_DTYPE for any other dtype. Stack 3700 bytes + MPX_TILE * 16 */
MPX_API mpx_status mpx_add(void *dst, const void *src, size_t n, mpx_dtype type);
#endif

/* ---- trees ----------------------------------------------------------------------------------- */
#if !MPX_NO_TREE
/* For all of them: only floating leaves are cast or scaled, complex ones scaled part by part; all
   others pass through unchanged. err may be NULL. Functions that write walk the tree once to check
   and once to work, so that an error found by the check, or a walker that fails in the first walk,
   leaves everything as it was. Stack: a cursor (36 words and a path) per tree is in the figures. */

/* A leaf of data that may be constant: then its tree must be a source only. */
MPX_API mpx_leaf mpx_leaf_of(const char *path, const void *data, size_t count, mpx_dtype type);
/* The tree of count leaves in an array. Casts in place change leaves[i].dtype. */
MPX_API mpx_tree mpx_tree_of_leaves(mpx_leaf *leaves, size_t count);
/* The tree of a C struct described field by field; paths are built in the cursor and live until the
   next leaf. MPX_TREE_OF_STRUCT(&model, model_fields) counts the fields. */
MPX_API mpx_tree mpx_tree_of_struct(void *object, const mpx_field *fields, size_t field_count);

/* Leaves for count tensors that lie in one block of memory of one dtype (below a byte: offsets must
   be multiples of 8). leaves has room for count. */
MPX_API void mpx_leaves_of_tensors(mpx_leaf *leaves, const mpx_tensor *tensors, size_t count,
                                   void *memory, mpx_dtype type);
/* The tree of the leaves that filter->keep keeps; *filter must outlive it. The test is asked on
   every walk and must answer the same. */
MPX_API mpx_tree mpx_tree_where(const mpx_tree_filter *filter);
/* An arena over a caller's storage, nothing used yet. */
MPX_API mpx_arena mpx_arena_of(void *data, size_t size, mpx_leaf *leaves, size_t leaf_capacity);
/* Visit leaves one by one: begin with a cursor of {0}. Returns 1: *leaf is the next; 0: the end; a
   negative mpx_status: the walker failed, or the leaf is not valid. leaf->path lives until the next
   call where the struct walker built it. */
MPX_API int mpx_tree_next(const mpx_tree *tree, mpx_cursor *at, mpx_leaf *leaf);

/* Count leaves, elements and bytes, and the storage that casting the floating leaves to `to` would
   take (MPX_NONE: no leaf changes; paths that the struct walker builds still need room).
   Returns   MPX_ERR_DTYPE if `to` is no dtype, or is not floating and a leaf is, as in all casts;
             MPX_ERR_SPACE where size_t overflows, or what the walker returned; *size then is
             untouched. Stack 3600 bytes. */
MPX_API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                    mpx_error *err);

/* Cast every floating leaf in place. to = MPX_NONE does nothing. Leaves must not share memory: tied
   weights would be cast twice (as would be scaled in place); mpx_tree_where leaves one out.
   Returns   MPX_ERR_DTYPE as above; MPX_ERR_SPACE if a leaf is narrower than `to`;
             MPX_ERR_FIXED_DTYPE if the walker cannot change a leaf's dtype.
             Stack 4000 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_error *err);
/* *out = a new tree with every floating leaf in dtype `to`, such as policy.compute: what changes is
   cast into the arena, what needs no cast is shared with src, not copied. Paths too are shared, but
   those that the struct walker builds are copied into the arena.
   arena     measure first: mpx_tree_size.storage bytes and .leaves leaves. Its used counters
             advance; the new leaves are arena->leaves[old leaves_used ...], in the order of the
             walk
   Returns   MPX_ERR_SPACE if the arena is too small, nothing written.
   Stack 4100 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_cast_into(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                      mpx_error *err);
/* The same as eformer's put_dtype has it: leaves of 8 bits and fewer stay as they are. */
MPX_API mpx_status mpx_tree_put_dtype(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                      mpx_error *err);

/* Leaf to leaf between two trees of one structure (same paths, same counts): each dst leaf gets the
   src leaf in the dtype dst has: refreshing a bf16 working copy is this call. Leaves that are not
   floating must have equal dtypes.
   widen     as cast, for copies that may be wider: bf16 back into float32
   Returns   MPX_ERR_WIDER (not widen) if leaves of dst are wider than those of src and none is
             narrower: the trees are swapped; MPX_ERR_STRUCTURE; MPX_ERR_DTYPE; MPX_ERR_SPACE where
             a dst leaf is the src leaf's memory, but wider. Shared leaves (same data, same dtype)
             are skipped. Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_error *err);
MPX_API mpx_status mpx_tree_widen(mpx_tree dst, mpx_tree src, mpx_error *err);
#if !MPX_NO_CAST_WITH
/* The same as mpx_cast_with casts. Leaves that are not floating are copied as they are, whatever
   the layouts, and not counted in opt->stats; shared leaves are counted, and not written. Random
   bits and offset go on from leaf to leaf, as if the tree were one tensor.
   opt       NULL: as mpx_tree_cast. For saturating casts of a whole tree: mpx_tree_cast_into, or
             mpx_policy_map_cast_into, and then this.
   Returns   also MPX_ERR_ARGUMENT, with the leaf in err, and where a dst leaf is the src leaf's
             memory and a layout is not packed; no leaf is changed then
   Stack     5600 bytes + MPX_TILE * 12 */
MPX_API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                      mpx_error *err);
#endif
/* As mpx_tree_cast, but all dtypes must be equal: bits are copied.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_error *err);
/* dst = pick_a ? a : b, for three trees of one structure and equal dtypes. dst may be a or b. jmp's
   select_tree. Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_select(mpx_tree dst, mpx_tree a, mpx_tree b, int pick_a,
                                   mpx_error *err);

/* *finite = 1 if every leaf is finite (mpx_all_finite), 1 for an empty tree, else 0.
   Stack 4000 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_error *err);
/* *infinite = 1 if a leaf has an Inf (mpx_any_infinite), else 0.
   Stack 4200 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_error *err);
/* dst = src * by / dst = src / by for floating and complex leaves, each rounded once to the dtype
   dst has; other leaves are copied. dst may be src. unscale is the fused pass: *finite = 1 if every
   quotient is finite, else 0; may be NULL. Returns as mpx_tree_cast.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_error *err);
MPX_API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                    mpx_error *err);
#if !MPX_NO_REDUCE
/* The sum of squares of all floating and complex leaves, mpx_sum_squares of each added in the order
   of the walk, rounded each time; of the unscaled leaves, in the same pass.
   Stack 5400 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_sum_squares(mpx_tree tree, double *sum, mpx_error *err);
MPX_API mpx_status mpx_tree_unscale_squares(mpx_tree dst, mpx_tree src, float by, int *finite,
                                            double *sum, mpx_error *err);
/* dst = src scaled by max_norm / norm if that is below 1, else as mpx_tree_widen; *norm, which may
   be NULL, is the norm of src: the root of mpx_tree_sum_squares, rounded to nearest. dst may be src.
   Factor    a float; of norm 24 bits count. No epsilon is added to norm, as in optax and TensorFlow:
             a factor below 1 divides by more than 0. (PyTorch adds 1e-6.) Leaves are rounded, so the
             norm of dst may be above max_norm by as much
   Not finite: where norm is NaN or Inf (float64 leaves: also where squares overflow) nothing is
             scaled, and *norm says so: skip the step. PyTorch would make all leaves NaN or 0
   max_norm  0 and up. With Inf and dst = src nothing is written, and *norm is the answer
   Returns   MPX_ERR_ARGUMENT for a negative or NaN max_norm; else as mpx_tree_widen.
   Stack 5600 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_clip(mpx_tree dst, mpx_tree src, float max_norm, double *norm,
                                 mpx_error *err);
#endif

/* MPX_ERR_NOT_FLOATING, with path and dtype in err, for the first leaf that is not floating. jmp's
   warn_if_not_floating. Stack 1800 bytes. */
MPX_API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_error *err);
#if !MPX_NO_STATS
/* Will it hurt? What casting every floating leaf to `to` would do, one report a leaf that would
   change, worst first: by the share that overflows, or is NaN or Inf where `to` has none, then the
   share that becomes zero, then the SQNR, then the order of the leaves. Nothing else is written.
   reports has room for capacity; where there are more leaves the worst are kept.
   *count     reports written
   Returns    MPX_ERR_DTYPE as mpx_tree_measure (MPX_NONE: MPX_OK, and no report), or what the
              walker returned.
   Time       one pass, about ten casts' worth. Stack 5200 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                    size_t capacity, size_t *count, mpx_error *err);
/* "conv1/kernel: float32 to float16: 1000 values up to 7.00e4, 3 overflow, 12 become zero, SQNR
   71.2 dB"; "exact" at its end if every value is kept, as NaN and Inf are where there are codes for
   them. Arguments and result as mpx_error_format; MPX_ERROR_TEXT_SIZE is room enough. */
MPX_API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size);
#endif
#endif

/* ---- threads --------------------------------------------------------------------------------- */
#if !MPX_NO_PARALLEL
/* mpx_cast_with and mpx_tree_cast, cut into pieces for threads of the caller's: the same bits,
   status and err as theirs, whatever the pieces, their order and their threads. Errors are found
   before a piece is run; run is called on the calling thread, and not at all if there is one piece
   only.
   Not split  casts with statistics (sums depend on the order), casts in place between different
              widths, and split layouts of fewer than 64 blocks
   Stack      as mpx_cast_with + 384 bytes, on every thread. opt may be NULL; it must be NULL under
              MPX_NO_CAST_WITH, else MPX_ERR_ARGUMENT is returned. */
MPX_API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                     size_t n, const mpx_cast_options *opt, mpx_parallel parallel);
#if !MPX_NO_TREE
/* Only the calling thread walks the trees. It calls run for up to 48 leaves at a time, which are
   cut as if they were one: many small ones share a piece. A leaf in memory that one before it
   writes (tied weights) waits until that is done. Stack 9100 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                          mpx_error *err);
#endif
#endif

/* ---- policies -------------------------------------------------------------------------------- */
#if !MPX_NO_POLICY
/* Read a policy: "p=f32,c=bf16,o=f32", "bf16", "params=float32, compute=half", "<c=bf16>",
   "mixed_float16" (as Keras has it: p=f32,c=f16,o=f16). Keys: p params param, c compute, o output
   outputs. Roles that key=value text leaves out follow: param float32, compute as param, output as
   compute; in the printed form <...> they stay unset. Repeated keys: the last wins.
   Keras     quantized policies too: "int8_from_float32", "int4/128_from_mixed_bfloat16" (blocks of
             128), "float8_from_float32", "gptq/4/128_from_bfloat16", "awq/4/128_from_bfloat16"
             (bits and groups; -1: one per channel). After "_from_" any policy may stand, in Keras'
             own dialect one of its plain names. There "int8" alone is no policy: Keras refuses it.
             Numbers as Python's int() reads them, in ASCII, up to 2^31 - 1
   Returns   MPX_ERR_DTYPE, _KEY, _MISSING_EQUALS, _EXTRA_EQUALS, _EMPTY, _SYNTAX, _PAIR, _MODE,
             _NUMBER, _RANGE, _UNSUPPORTED, for a dialect that is none _ARGUMENT; *out then is
             untouched and err (may be NULL) has the place. Reads to the NUL, or len bytes; linear
             time, no recursion. Stack 512 bytes. */
MPX_API mpx_status mpx_policy_parse(const char *text, mpx_policy *out, mpx_error *err);
MPX_API mpx_status mpx_policy_parse_with(const char *text, mpx_parse_options opt, mpx_policy *out,
                                         mpx_error *err);
MPX_API mpx_status mpx_policy_parse_n(const char *text, size_t len, mpx_parse_options opt,
                                      mpx_policy *out, mpx_error *err);
/* Print a policy so that it parses back to the same value: "p=f32,c=bf16,o=f32"; with roles unset
   Axon's short form "<c=bf16>", "<>"; quantized, Keras' canonical name "int4/128_from_float32", and
   "float8/16_from_float32" where the history is not Keras' 1024. buf, size and the result as
   snprintf: the length needed, always NUL-terminated if size > 0. 0 and an empty text for values
   that no text gives: a dtype that is none, int8 with 4 bits. */
MPX_API size_t mpx_policy_format(mpx_policy p, char *buf, size_t size);
/* As that system prints it: jmp "p=full,c=bf16,o=f16", Axon "#Axon.MixedPrecision.Policy<c=bf16>",
   Keras "mixed_bfloat16". 0, and an empty text, where the system has no words for it. */
MPX_API size_t mpx_policy_format_with(mpx_policy p, mpx_dialect dialect, char *buf, size_t size);
/* MPX_POLICY as a value, and whether two are the same. */
MPX_API mpx_policy mpx_policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output);
MPX_API int mpx_policy_equal(mpx_policy a, mpx_policy b);

#if !MPX_NO_KERAS
/* The policy with weights quantized: "int8" of mixed_bfloat16 is "int8_from_mixed_bfloat16". As
   Keras' layer.quantize(mode), and as its classes, which take gptq and awq without numbers.
   mode      "int8", "int4", "int4/128", "float8", "float8/16", "gptq/4/128", "awq/4/128"; err
             has the place in it
   Returns   MPX_ERR_MODE, _NUMBER, _RANGE, *out untouched; MPX_ERR_UNSUPPORTED if the source is
             quantized already, or computes in float16 and the mode is int8. */
MPX_API mpx_status mpx_policy_quantize(mpx_policy source, const char *mode, mpx_policy *out,
                                       mpx_error *err);
MPX_API mpx_status mpx_policy_quantize_n(mpx_policy source, const char *mode, size_t len,
                                         mpx_parse_options opt, mpx_policy *out, mpx_error *err);
#endif

#if !MPX_NO_DEFAULT_POLICY
/* The default policy, as Keras' set_dtype_policy: float32 for every role until it is set. Each
   thread has its own (tcc: one for the whole program); it is the only thing in this header that
   outlives a call. For a scope: get it, set another, set the one that was there. */
MPX_API mpx_policy mpx_default_policy_get(void);
MPX_API void mpx_default_policy_set(mpx_policy p);
/* p, or the default if p is unset (no role, no quantization): a layer's own policy comes first. */
MPX_API mpx_policy mpx_policy_or_default(mpx_policy p);
#endif
#endif

/* ---- policies by path, and by op ------------------------------------------------------------- */
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
/* An empty map over the caller's array of entries. Keys are paths or globs; fallback: the policy of
   paths that no key meets. Fields are open: map.patterns = MPX_PATTERNS_EXACT. */
MPX_API mpx_policy_map mpx_policy_map_of(mpx_map_entry *entries, size_t capacity,
                                         mpx_policy fallback);
#if !MPX_NO_REGEX
/* The same as Keras' DTypePolicyMap has it: keys are paths or regular expressions; its default is
   mpx_default_policy_get() when the map is built. */
MPX_API mpx_policy_map mpx_policy_map_keras(mpx_map_entry *entries, size_t capacity,
                                            mpx_policy fallback);
#endif
/* Add an entry. The key must live as long as the map, or map->keys is an arena to copy it into. A
   key without wildcards is a path; one with wildcards still meets the path that reads the same.
   Returns   MPX_ERR_EXISTS, the entry is as it was (delete it first); MPX_ERR_SPACE, of entries or
             of map->keys; nothing is taken from the arena after an error; for patterns
             that cannot be read or need more than MPX_PATTERN_STEPS, MPX_ERR_PATTERN, and err (may
             be NULL) has the place in the key; MPX_ERR_ARGUMENT if map->patterns is none of the
             kinds here. Stack 2600 bytes. */
MPX_API mpx_status mpx_policy_map_set(mpx_policy_map *map, const char *key, mpx_policy policy,
                                      mpx_error *err);
MPX_API mpx_status mpx_policy_map_set_n(mpx_policy_map *map, const char *key, size_t len,
                                        mpx_policy policy, mpx_error *err);
/* Remove the entry with this very key; the others keep their order. MPX_ERR_MISSING if none has
   it. */
MPX_API mpx_status mpx_policy_map_delete(mpx_policy_map *map, const char *key);
/* 1 if there is an entry with this very key. */
MPX_API int mpx_policy_map_contains(const mpx_policy_map *map, const char *key);

/* The policy of a path: that of the entry with this very key, else of the pattern that matches it,
   else the fallback.
   Returns   MPX_ERR_AMBIGUOUS if two patterns match it and map->first_wins is 0; what map->match
             returned, if negative. *out then is untouched.
   Time      entries * (path + pattern), most entries at a glance: their plain text is not in the
             path. No pattern takes longer than its steps * path. Stack 3100 bytes.
   Source    Keras 3.15 DTypePolicyMap.__getitem__. */
MPX_API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path, mpx_policy *out);
/* The same: which entry decides, MPX_MAP_DEFAULT if none does. */
MPX_API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index);
MPX_API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                         size_t *index);
/* The same as a sentence: "'ln1.w': 'ln*' decides: p=f32,c=f32,o=f32", "'wte': no key matches:
   ...", "'ln1.w': both 'ln*' and '*.w' match". buf, size and the result as snprintf. Stack 3100
   bytes. */
MPX_API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
                                      size_t size);

/* Read a map from text and add it to what is there. Keys stay where they are: the text must live as
   long as the map, or map->keys is an arena to copy them into.

       # a comment, to the end of the line
       default = p=f32,c=bf16,o=f32     the fallback
       patterns = glob                  or regex, search, hook, exact
       first_wins = 0                   or 1
       encoder/layer?.w = f16           path or pattern = policy
       "a path = so" = bf16             in quotes " ' or `: as it stands, line ends too

   The three settings, in lower case and without quotes, stand before all entries, those that the
   map has already included; what is not set stays as it is.
   opt        grammar of the policies
   Returns    also what mpx_policy_map_set and mpx_policy_parse return; MPX_ERR_MISSING_EQUALS;
              MPX_ERR_EMPTY for a policy or a key that is not there; MPX_ERR_QUOTE; MPX_ERR_ORDER
              for a setting after an entry; MPX_ERR_ARGUMENT for an unknown kind of patterns. The
              map then is as it was; entries behind map->count may have changed. err (may be NULL)
              has the place in the text. Stack 2800 bytes. */
MPX_API mpx_status mpx_policy_map_parse(mpx_policy_map *map, const char *text, mpx_error *err);
MPX_API mpx_status mpx_policy_map_parse_n(mpx_policy_map *map, const char *text, size_t len,
                                          mpx_parse_options opt, mpx_error *err);
/* Print a map so that it reads back as the same. buf, size and the result as snprintf; 0, and an
   empty text, where a key has all three quotes in it, a policy has no text, or map->patterns is
   none of the kinds. */
MPX_API size_t mpx_policy_map_format(const mpx_policy_map *map, char *buf, size_t size);
/* The line of the place in err, from 1; text is what was parsed. */
MPX_API size_t mpx_error_line(const mpx_error *err, const char *text);

/* One entry for each layer: its path, its policy. Errors as mpx_policy_map_set; the map then is as
   it was. Stack 2700 bytes. */
MPX_API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                             size_t count, mpx_error *err);
/* Give each layer the policy of its path. Errors as mpx_policy_map_get; err (may be NULL) has the
   first layer that has one, and no layer is changed. Stack 3200 bytes. */
MPX_API mpx_status mpx_policy_map_apply(mpx_layer *layers, size_t count, const mpx_policy_map *map,
                                        mpx_error *err);
/* 1 if the filter takes the layer, 0 if not; MPX_ERR_ARGUMENT if the filter has more than one rule;
   what filter->select returned, if negative. NULL takes all. Source: Axon's apply_policy. */
MPX_API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer);
/* Give the policy to all layers that the filter takes, in place of their own. Errors as above; no
   layer is changed then (the filter is asked twice). */
MPX_API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                           const mpx_layer_filter *filter);
#if !MPX_NO_TREE
/* One entry for each floating leaf: its path, and its dtype for all three roles. Paths must outlive
   the walk, or map->keys is an arena to copy them into: those that the struct walker builds do not
   (MPX_ERR_ARGUMENT; mpx_tree_cast_into with MPX_NONE makes a tree whose paths do). Other errors as
   mpx_policy_map_set; the map then is as it was. Stack 3400 bytes. */
MPX_API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                           mpx_error *err);
/* Set `leaves` of all entries: how many floating leaves each decides. 0: the key is misspelt, or
   not for this tree. After an error they are what they were. Stack 3600 bytes. */
MPX_API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                               mpx_error *err);
/* mpx_tree_measure, mpx_tree_cast_into and mpx_tree_cast_in_place, each floating leaf to the dtype
   that the policy of its path has for the role (MPX_ROLE_...); unset roles leave it as it is.
   Refresh a copy with mpx_tree_cast.
   Returns   also MPX_ERR_AMBIGUOUS, or what map->match returned, with the leaf in err;
             MPX_ERR_ARGUMENT for a role that is none. Stack 1700 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                          mpx_tree_size *size, mpx_error *err);
#if !MPX_NO_STATS
/* mpx_tree_dry_run of mpx_policy_map_cast_into. Returns also as above.
   Stack 5200 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                          mpx_cast_report *reports, size_t capacity, size_t *count,
                                          mpx_error *err);
#endif
MPX_API mpx_status mpx_policy_map_cast_into(mpx_tree *out, mpx_tree src, const mpx_policy_map *map,
                                            mpx_role role, mpx_arena *arena, mpx_error *err);
MPX_API mpx_status mpx_policy_map_cast_in_place(mpx_tree tree, const mpx_policy_map *map,
                                                mpx_role role, mpx_error *err);
#endif
#endif

#if !MPX_NO_WEIGHTS
/* From a text to cast weights: parse it, find out what each leaf becomes, ask for memory, cast.
   text       a policy ("bf16", for all leaves) or a map ("lstm.* = f8e4m3fn saturate"); it must
              live as long as out->map
   src        stays as it is; leaves that are not cast are not copied. Leaves of the same memory,
              count and dtype (tied weights) get one cast, if their policies agree
   opt->grow  is called two or three times, each time with more bytes or fewer; without it the
              block must hold all of them at once
   *out       is written in any case: free(out->memory) is right after errors, too
   Returns    MPX_WARN_OVERFLOW, a warning: all is done, and finite values became Inf or NaN, in a
              leaf that does not saturate; err has the first such leaf and how many (`have`).
              MPX_ERR_SPACE: err->need is how many bytes it takes, as far as is known. Errors of
              mpx_policy_parse, mpx_policy_map_parse, mpx_policy_map_cast_into: no cast is made.
              Time: linear, and patterns * leaves. Stack 6600 bytes + MPX_TILE * 8. */
MPX_API mpx_status mpx_weights_cast(mpx_weights *out, mpx_tree src, const char *text,
                                    const mpx_weights_options *opt, mpx_error *err);
#endif

/* ---- loss scales ----------------------------------------------------------------------------- */
#if !MPX_NO_LOSS_SCALE
/* float16 gradients below 2^-25 become zero; a loss multiplied by the scale lifts them, and the
   scale is divided out before the update. A step: loss = scale(loss); backward; unscale (says
   whether all were finite); if finite, update; s = adjust(s, finite). Ranks of a cluster combine
   the flag (logical and) before adjust, so that all stay equal. */
MPX_API mpx_loss_scale mpx_loss_scale_noop(void);
MPX_API mpx_loss_scale mpx_loss_scale_static(float scale);
/* jmp's defaults: period 2000, factor 2, min_scale 1 (set 0 for no floor). Fields are open:
   s.period = 200. */
MPX_API mpx_loss_scale mpx_loss_scale_dynamic(float initial_scale);
/* Axon's: the same rule, but unscale multiplies by the rounded reciprocal and finds gradients
   finite unless one that it is given, still scaled, is Inf: NaN passes. */
MPX_API mpx_loss_scale mpx_loss_scale_axon(float initial_scale);
/* jaxamp's scaler: patience 2000, factor 2, no clamp; Keras' optimizer: steps 2000, factor 2. */
MPX_API mpx_loss_scale mpx_loss_scale_jaxamp(float initial_scale);
MPX_API mpx_loss_scale mpx_loss_scale_keras(float initial_scale);
/* MPX_ERR_ARGUMENT for a dialect that is none, and for a configuration that cannot work: scale not
   positive and finite, period < 1, factor <= 1 or not finite, DYNAMIC's min_scale above scale or
   negative, max_scale below scale or not finite, hysteresis negative, misses not within it, a state
   that is no dtype for it. All numbers as they are once rounded to the state's dtype. The other
   functions accept any numbers and follow their formulas. */
MPX_API mpx_status mpx_loss_scale_check(mpx_loss_scale s);
/* The scale as a number: 1 for NoOp. */
MPX_API float mpx_loss_scale_value(mpx_loss_scale s);
/* One value: x * scale, x / scale, rounded once. */
MPX_API float mpx_loss_scale_scale(mpx_loss_scale s, float x);
MPX_API float mpx_loss_scale_unscale(mpx_loss_scale s, float x);
/* The next state. grads_finite: of this step, over all ranks. Same bits on every machine (IEEE
   products and quotients in integers). DYNAMIC: finite: if counter == period - 1 and scale * factor
   is finite, scale *= factor; counter = (counter + 1) mod period. Not finite: scale =
   max(min_scale, scale / factor); counter = 0. A float16 scale ends at 32768, where twice as much
   is not finite. Source: jmp 0.0.4. Beyond that, for every rule:
   with a maximum the scale grows to it and no further; with a hysteresis of h the scale stays on
   the first h - 1 non-finite steps, counted from the last full period of finite ones, which need
   not follow each other. Source: Megatron-LM's DynamicGradScaler. */
MPX_API mpx_loss_scale mpx_loss_scale_adjust(mpx_loss_scale s, int grads_finite);
/* 1 if a non-finite step cannot lower the scale any more (at min_scale, at zero, Inf or NaN): the
   run diverges for another reason than overflow. Always 0 for NoOp and STATIC. */
MPX_API int mpx_loss_scale_is_stuck(mpx_loss_scale s);
/* The state as MPX_LOSS_SCALE_BYTES for a checkpoint: little-endian, the same on every machine. What
   save wrote, load reads back bit for bit.
   Returns   save: MPX_ERR_ARGUMENT, the bytes untouched, if kind, dialect or state is none; its
             numbers may be any. load: MPX_ERR_STATE, *out untouched, unless all of the bytes are
             what save wrote, or the 40 or 52 that older versions wrote. */
MPX_API mpx_status mpx_loss_scale_save(mpx_loss_scale s, void *bytes);
MPX_API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out);
/* mpx_scale and mpx_unscale by the scale; jmp's dialect as its field says.
   Stack 4200 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_loss_scale_scale_n(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                          size_t n, mpx_loss_scale s);
MPX_API mpx_status mpx_loss_scale_unscale_n(void *dst, mpx_dtype to, const void *src,
                                            mpx_dtype from, size_t n, mpx_loss_scale s,
                                            int *finite);
#if !MPX_NO_TREE
/* mpx_tree_scale and mpx_tree_unscale by the scale; jmp's dialect as its field says. NoOp copies,
   and checks. Stack 5500 bytes + MPX_TILE * 12. */
MPX_API mpx_status mpx_loss_scale_scale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                             mpx_error *err);
MPX_API mpx_status mpx_loss_scale_unscale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                               int *finite, mpx_error *err);
/* A step: call->evaluate with *scale; unscale the gradients by that same scale; adjust it by
   whether the whole result is finite: gradients, auxiliary values and, with check_loss, the loss;
   as long as it is not, again with the adjusted scale, redo_on_nan times at most. So a success
   after k failures leaves scale / factor^k; the last result stands, finite or not.
   result    may be NULL. Leaves without a gradient: give trees that mpx_tree_where has filtered
   Returns   what evaluate returned, or mpx_loss_scale_unscale_tree; *scale and *result then are
             untouched, the gradients may be written. Stack 5800 bytes + MPX_TILE * 12.
   Source    jaxamp 0.0.4, dynamic_scale_grad and dynamic_scale_value_and_grad. */
MPX_API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                       mpx_grad_result *result, mpx_error *err);
#endif
#endif

/* ---- other systems --------------------------------------------------------------------------- */
#if !MPX_NO_INTEROP
/* The number that a system has for a dtype: what stands in its files and structs.
   Returns   MPX_ERR_DTYPE, *code untouched, if it has none (or has names only: safetensors, NumPy,
             JAX, Keras, MLIR, WebNN, WGSL, MPI); MPX_ERR_ARGUMENT if `system` is none.
   Source    each system's own header or schema, named in the table of the room interop. */
MPX_API mpx_status mpx_interop_code(mpx_system system, mpx_dtype type, int64_t *code);
/* The dtype a system means by its number. Takes IREE's integers without a sign (0x10......), which
   its tools write, for signed ones. Results as above. */
MPX_API mpx_status mpx_interop_dtype(mpx_system system, int64_t code, mpx_dtype *out);
/* The name a system has for a dtype, "" if none (or if it has numbers only: both of TFLite,
   PyTorch's exporter, IREE, Vulkan). Lives as long as the program. */
MPX_API const char *mpx_interop_name(mpx_system system, mpx_dtype type);
/* The dtype a system means by a name: exactly its names, case and all. Beside those that
   mpx_interop_name gives: MLIR's si8 (its i8), CUDA_R_8F_UE4M3. NumPy's "<V1" and "<V2" are
   refused: bytes of which the dtype is lost. err may be NULL.
   Returns   MPX_ERR_DTYPE, *out untouched and the whole name in err; MPX_ERR_EMPTY;
             MPX_ERR_ARGUMENT if `system` is none. */
MPX_API mpx_status mpx_interop_parse(mpx_system system, const char *name, mpx_dtype *out,
                                     mpx_error *err);
MPX_API mpx_status mpx_interop_parse_n(mpx_system system, const char *name, size_t len,
                                       mpx_dtype *out, mpx_error *err);
/* The same for DLPack, whose number alone says nothing without bits and lanes. To DLPack: one lane,
   packed below a byte. From DLPack: one lane; PyTorch's pairs of 4-bit floats (17, 4, lanes 2) too,
   of which each counts for two elements. MPX_ERR_DTYPE for all else. Source: dlpack.h 1.1. */
MPX_API mpx_status mpx_interop_dlpack(mpx_dtype type, mpx_dlpack *out);
MPX_API mpx_status mpx_interop_dlpack_dtype(mpx_dlpack format, mpx_dtype *out);
/* The dtype that a misspelt word of len bytes was probably meant to be: of all names here, aliases
   and other systems' too, the nearest by one edit in words of 3 and 4 bytes, two from 5 to 24: a
   letter more, less, changed, or two swapped; case does not count. MPX_NONE if none is near, if two
   dtypes are equally near, if the word is ambiguous (mpx_dtype_parse), or if it begins with a
   byte-order mark of NumPy's: < > | =. Stack 320 bytes. */
MPX_API mpx_dtype mpx_dtype_suggest(const char *word, size_t len);
#endif

#if !MPX_NO_PROMOTE
/* The dtype that operands of these dtypes meet in: f16 and bf16 in f32, i32 and bf16 in bf16. Any
   number of operands, in any order, all at once: u64, i8 and f16 meet in f16, though the first two
   alone meet in f64. Numbers of the program's text are MPX_WEAK_INT, _FLOAT, _COMPLEX and take the
   width of what they meet: bf16 with a weak float is bf16.
   dialect   MPX_DIALECT_ANY, _JMP, _EFORMER: JAX's lattice with x64 enabled; where only weak
             numbers or integers meet in a float (u64 with i64, i8 with a weak float) it is f64.
             MPX_DIALECT_KERAS: results of 64 bits become 32, complex128 complex64; MPX_NONE and
             n = 0 are float32; fp8 and what is below a byte is refused. MPX_DIALECT_EFORMER_PUT:
             as _EFORMER.
   Returns   MPX_ERR_DTYPE, *out untouched, if there is no such dtype (fp8, fp6, fp4 with another
             float; integers below 8 bits with another integer or a float) or an operand is none;
             MPX_ERR_ARGUMENT if n = 0, but in Keras, or for MPX_DIALECT_AXON, whose rules differ.
   Source    jax/_src/dtypes.py _type_promotion_lattice, keras/src/backend/common/dtypes.py. */
MPX_API mpx_status mpx_dtype_promote(const mpx_dtype *types, size_t n, mpx_dialect dialect,
                                     mpx_dtype *out);
#endif

/* ---- precision by operation (AMP) ------------------------------------------------------------ */
#if !MPX_NO_AMP
/* What to cast for an operation, by its name and by the scopes it runs in. The first of these that
   has a rule decides: every scope from the outermost in, the operation, amp_default; if none has,
   all is as in the program without AMP. A scope called amp_stop is one like others. The header
   computes nothing: it answers operation by operation (mpx_amp_ask, mpx_amp_eager_...) or plans a
   whole graph (mpx_amp_plan_graph). Source: jaxamp 0.0.4 _amp.py, whose scopes stay names; here
   integers and complex stay as they are (MPX_AMP_JAXAMP: as there). */

/* jaxamp's default table: add, sub, dot_general, conv_general_dilated: compute; exp, log, mul, div:
   float32; amp_stop and amp_default: original. *count: how many; may be NULL. */
MPX_API const mpx_amp_rule *mpx_amp_default_rules(size_t *count);
/* Read rules: "matmul=compute, softmax=f32, scope:head=original". Parts end at , ; or the line's
   end; # begins a comment, empty parts are skipped.
   key       the operation; scope:name; amp_stop and amp_default, or default, are scopes; op:name
             takes any word for an operation. Case counts
   value     compute, original (orig), widest, or a floating dtype; then, where sums are to be kept
             in another, acc and a dtype: "matmul=bf16 acc f32"
   default   alone: the default table, to be followed by what is different
   !key      alone: no rule for this key, whatever stands before
   rules     room for capacity; keys point into text, which must live as long
   *count    rules written: one a part, the default table's for default
   Returns   MPX_ERR_RULE, _PRECISION, _MISSING_EQUALS, _EXTRA_EQUALS, _SPACE (at the part that does
             not fit); rules and *count then are untouched and err (may be NULL) has the place.
             Stack 640 bytes. */
MPX_API mpx_status mpx_amp_rules_parse(const char *text, mpx_amp_rule *rules, size_t capacity,
                                       size_t *count, mpx_error *err);
MPX_API mpx_status mpx_amp_rules_parse_n(const char *text, size_t len, mpx_amp_rule *rules,
                                         size_t capacity, size_t *count, mpx_error *err);
/* Print rules as text that reads back, custom ones as key=custom, which does not. buf, size and the
   result as snprintf; 0, and an empty text, where a key is empty, has blanks around it or one of
   , ; # = or a line's end in it, or a dtype is not floating. */
MPX_API size_t mpx_amp_rules_format(const mpx_amp_rule *rules, size_t count, char *buf,
                                    size_t size);
/* What one operation needs: operands[i].to, and *answer (may be NULL).
   op        its name; NULL: none
   scope     "encoder/attention", outermost first (amp->separator); NULL or "": none
   Returns   MPX_ERR_DTYPE for operands, rules or a compute dtype that are none or not floating, or
             what a custom rule returned; MPX_ERR_ARGUMENT with MPX_AMP_JAXAMP for the widest of
             no operands; *answer is untouched and every operands[i].to is operands[i].dtype. Time:
             names * rules. Stack 1500 bytes. */
MPX_API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                               mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer);

/* Enter a scope, leave the innermost. The name must live until then. Here a name is whole: "a/b" is
   one. MPX_ERR_SPACE if the array is full, MPX_ERR_SCOPE if there is none to leave; nothing then
   has changed. */
MPX_API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope);
MPX_API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run);
/* mpx_amp_ask in the active scopes. Stack 1500 bytes. */
MPX_API mpx_status mpx_amp_eager_ask(const mpx_amp_eager *run, const char *op,
                                     mpx_amp_operand *operands, size_t count,
                                     mpx_amp_answer *answer);
/* The same, and cast: operands[i].data and .dtype become what the operation takes, and .plain keeps
   the dtype it had. A cast lives until the next call, whose operand it may be. Operands with keep
   = 1 are cast once and then found again by data, count and dtypes, until mpx_amp_eager_forget: for
   weights. What needs no cast stays where it is.
   Returns   also MPX_ERR_SPACE if the arena or run->kept is full, MPX_ERR_DTYPE for a cast that
             mpx_cast does not do; run, *answer, data and dtypes then are as before. Time: also
             operands to keep * (kept + operands). Stack as mpx_cast_strided + 448. */
MPX_API mpx_status mpx_amp_eager_cast(mpx_amp_eager *run, const char *op, mpx_amp_operand *operands,
                                      size_t count, mpx_amp_answer *answer);
/* The weights have changed: all kept casts are dropped, and their storage is free again. */
MPX_API void mpx_amp_eager_forget(mpx_amp_eager *run);

/* The graph of count nodes in an array. */
MPX_API mpx_amp_graph mpx_amp_graph_of_nodes(const mpx_amp_node *nodes, size_t count);
/* Bytes of memory that planning this graph takes, in *size.
   Returns   MPX_ERR_CYCLE for a node that reads one that does not come before it, MPX_ERR_DTYPE for
             one whose dtype is none, MPX_ERR_ARGUMENT for MPX_AMP_NODE_CAST without exactly one
             input or inputs that are NULL, MPX_ERR_SPACE where size_t overflows, or what the
             callback returned; err (may be NULL) names the node, *size is untouched.
             Stack 1700 bytes. */
MPX_API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_error *err);
/* Where casts go, and what that saves. A value is cast to a dtype once, before the first node that
   needs it; later nodes share that cast. Of a lossless cast of the graph's own (f16 to f32), what
   needs another dtype reads or casts its source; that cast is removed once nothing reads it.
   Results have the dtype of their operands where they had it without AMP (of f16 and bf16: f32),
   else their own.
   memory    size bytes as mpx_amp_plan_size says, any alignment; the plan lives there
   graph     as amp, is read here and by mpx_amp_explain only; rules must live as long as the plan
   Returns   as mpx_amp_plan_size and mpx_amp_ask, and MPX_ERR_STRUCTURE if the callback does not
             answer as before; *plan is untouched. Linear time but for the rules (mpx_amp_ask).
             Stack 1900 bytes and the callback's. */
MPX_API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                      size_t size, mpx_amp_plan *plan, mpx_error *err);
/* The plan as a table: per node a line with its operation, scope, the rule that decided, operands
   (f32>f16: cast), and result; then what is moved. buf, size and the result as snprintf. _node: one
   node's line, without its end; an empty text for one that is not there. A node that the graph now
   lacks, refuses, or gives another number of inputs is printed as ?. Stack 1600 bytes. */
MPX_API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
                               size_t size);
MPX_API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                    char *buf, size_t size);
#endif

#ifdef __cplusplus
}
#endif
/*==========================================================================*
 * MARK: typed - mpx_cast of the common pairs, by name                       *
 *   The compiler checks the pointers. int8 is the plain cast: truncated     *
 *   toward zero, saturated, without a scale. They return what mpx_cast does.*
 *==========================================================================*/

#define MPX__TYPED(name, from, S, to, D) \
    MPX__INLINE mpx_status name(D *dst, const S *src, size_t n) { \
        return mpx_cast(dst, to, src, from, n); \
    }
MPX__TYPED(mpx_cast_f32_to_f16, MPX_F32, float, MPX_F16, uint16_t)
MPX__TYPED(mpx_cast_f16_to_f32, MPX_F16, uint16_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_bf16, MPX_F32, float, MPX_BF16, uint16_t)
MPX__TYPED(mpx_cast_bf16_to_f32, MPX_BF16, uint16_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_f8e4m3fn, MPX_F32, float, MPX_F8E4M3FN, uint8_t)
MPX__TYPED(mpx_cast_f8e4m3fn_to_f32, MPX_F8E4M3FN, uint8_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_f8e5m2, MPX_F32, float, MPX_F8E5M2, uint8_t)
MPX__TYPED(mpx_cast_f8e5m2_to_f32, MPX_F8E5M2, uint8_t, MPX_F32, float)
MPX__TYPED(mpx_cast_f32_to_i8, MPX_F32, float, MPX_I8, int8_t)
MPX__TYPED(mpx_cast_i8_to_f32, MPX_I8, int8_t, MPX_F32, float)
#undef MPX__TYPED
/*==========================================================================*
 * MARK: inline - single values: f16, bf16, e4m3fn, e5m2                     *
 *   For code that touches one value; whole buffers go through mpx_cast.     *
 *   gcc -O3 and clang -O2 vectorise loops over these, and no floating-point *
 *   mode matters. Results are mpx_cast's. Measured with AVX2, ns an element *
 *   (make bench has the rows): to f32 0.1 to 0.4, from f32 0.2 to 0.7,      *
 *   mpx_cast 0.05 to 0.2; gcc -O2, which leaves the loops scalar, 0.8 to 3. *
 *==========================================================================*/

/* Bits of a float that came by value. */
MPX__INLINE uint32_t mpx__bits(float x) {
    union { float f; uint32_t u; } pun;
    pun.f = x;
    return pun.u;
}

MPX__INLINE float mpx__float(uint32_t u) {
    union { uint32_t u; float f; } pun;
    pun.u = u;
    return pun.f;
}

/* All ones where x > y, both below 2^31, else zero: by arithmetic, as clang 19 folds some tests of a
   float's bits for Inf under -ffinite-math-only, and may come to fold others. */
MPX__INLINE uint32_t mpx__above(uint32_t x, uint32_t y) { return 0u - ((y - x) >> 31); }

/* The f32 bits u rounded to a format of e < 8 exponent and m mantissa bits with IEEE's bias
   2^(e-1) - 1; the code stands in the low bits.

     f32      s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      bias 127
     target   s eeeee    mmmmmmmmmm                   the lowest drop = 23 - m bits go

   1. Normal: lower the exponent field by 127 - bias, add half an ulp less one and the lowest kept
      bit (ties to even), shift. A carry out of the mantissa raises the exponent, as it should.
   2. Subnormal: the mantissa with its hidden bit is shifted by one more for each exponent below the
      smallest normal. From 25 on every bit lies below half an ulp: zero.
   3. What exceeds the largest code becomes Inf or, where the format has none (e4m3fn), the NaN of
      all ones.
   4. NaN keeps its sign and leading payload bits and gets the quiet bit. */
MPX__INLINE uint32_t mpx__round(uint32_t u, uint32_t e, uint32_t m, int has_inf) {
    uint32_t drop = 23u - m, rebias = (127u - ((1u << (e - 1)) - 1u)) << 23;
    uint32_t ones = (1u << (e + m)) - 1u, inf = ones & ~((1u << m) - 1u);
    uint32_t top = has_inf ? inf : ones, a = u & 0x7fffffffu;
    uint32_t fraction = a & 0x7fffffu, hidden = fraction | 0x800000u;
    uint32_t normal = (a - rebias + (1u << (drop - 1u)) - 1u + ((a >> drop) & 1u)) >> drop;
    uint32_t more = drop + 1u + (rebias >> 23) - (a >> 23), s = more > 25u ? 25u : more;
    uint32_t low = (hidden + (1u << s >> 1) - 1u + ((hidden >> s) & 1u)) >> s;
    uint32_t code = a < rebias + 0x800000u ? low : normal > top ? top : normal;
    uint32_t quiet = has_inf ? 1u << (m - 1) | fraction >> drop : 0u;
    return u >> 31 << (e + m) | code | (quiet & mpx__above(a, 0x7f800000u));
}

/* The f32 bits of a code; always exact. Sign, exponent and mantissa go to where a float has them,
   and the exponent is raised by 127 - bias. That is all for a normal code. A subnormal one is then
   some x below the smallest normal value, with a leading 1 and half the scale that it should have:
   it is 2x - smallest. The minimum of value and smallest goes that way (smallest to itself), and
   the rest is added again. The subtraction is exact, of normal numbers, with a normal or zero
   result, so that no floating-point mode matters; where it would be a call, the fraction is shifted
   (16, 8, 4, 2, 1 places as far as it fits) until its leading bit is in the place of that 1. */
#if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
MPX__INLINE uint32_t mpx__mend_subnormal(uint32_t value, uint32_t smallest) {
    uint32_t step, bits = smallest - 0x800000u, u = value - bits;
    if (value >= smallest) return value;
    for (step = 16u; step != 0u; step >>= 1)
        if (u >> (24u - step) == 0u) {
            u <<= step;
            bits -= step << 23;
        }
    return u == 0u ? 0u : bits + u;
}
#else
MPX__INLINE uint32_t mpx__mend_subnormal(uint32_t value, uint32_t smallest) {
    uint32_t least = value < smallest ? value : smallest;
    float x = mpx__float(least + 0x800000u) - mpx__float(smallest); /* -0 when rounding down */
    return (mpx__bits(x) & 0x7fffffffu) + (value - least);
}
#endif
MPX__INLINE uint32_t mpx__value(uint32_t code, uint32_t e, uint32_t m, int has_inf) {
    uint32_t rebias = (128u - (1u << (e - 1))) << 23, inf = ((1u << e) - 1u) << 23;
    uint32_t u = code << (31u - e - m), a = (u & 0x7fffffffu) >> (8u - e);
    uint32_t value = mpx__mend_subnormal(a + rebias, rebias + 0x800000u);
    uint32_t nan = ((1u << (e + m)) - 1u) << (23u - m); /* where there is no Inf */
    if (!has_inf) value += (0x7fc00000u - rebias - nan) & mpx__above(a, nan - 1u);
    else
        value = (value + (rebias & mpx__above(a, inf - 1u))) | (0x400000u & mpx__above(a, inf));
    return (u & 0x80000000u) | value;
}

/* x rounded to the format. `float` by value may lose a signalling NaN's bits (i386); _from_bits
   takes the bits of the float. */
MPX__INLINE uint16_t mpx_f16_from_bits(uint32_t u) { return mpx__round(u, 5, 10, 1) & 0xffffu; }
MPX__INLINE uint16_t mpx_bf16_from_bits(uint32_t u) {
    uint32_t nan = mpx__above(u & 0x7fffffffu, 0x7f800000u), up = 0x7fffu + (u >> 16 & 1u);
    return ((u + (up & ~nan)) >> 16 | (0x40u & nan)) & 0xffffu;
}
MPX__INLINE uint8_t mpx_f8e4m3fn_from_bits(uint32_t u) { return mpx__round(u, 4, 3, 0) & 0xffu; }
MPX__INLINE uint8_t mpx_f8e5m2_from_bits(uint32_t u) { return mpx__round(u, 5, 2, 1) & 0xffu; }
MPX__INLINE uint16_t mpx_f16_from_f32(float x) { return mpx_f16_from_bits(mpx__bits(x)); }
MPX__INLINE uint16_t mpx_bf16_from_f32(float x) { return mpx_bf16_from_bits(mpx__bits(x)); }
MPX__INLINE uint8_t mpx_f8e4m3fn_from_f32(float x) { return mpx_f8e4m3fn_from_bits(mpx__bits(x)); }
MPX__INLINE uint8_t mpx_f8e5m2_from_f32(float x) { return mpx_f8e5m2_from_bits(mpx__bits(x)); }

/* The value of a code; always exact. _to_bits gives the bits of the float. bf16 is the upper half
   of a float32; only a signalling NaN changes: it becomes quiet. */
MPX__INLINE uint32_t mpx_f16_to_bits(uint16_t code) { return mpx__value(code, 5, 10, 1); }
MPX__INLINE uint32_t mpx_bf16_to_bits(uint16_t code) {
    uint32_t u = code;
    return ((u & 0x7fffu) > 0x7f80u ? u | 0x40u : u) << 16;
}
MPX__INLINE uint32_t mpx_f8e4m3fn_to_bits(uint8_t code) { return mpx__value(code, 4, 3, 0); }
MPX__INLINE uint32_t mpx_f8e5m2_to_bits(uint8_t code) { return mpx__value(code, 5, 2, 1); }
MPX__INLINE float mpx_f16_to_f32(uint16_t c) { return mpx__float(mpx_f16_to_bits(c)); }
MPX__INLINE float mpx_bf16_to_f32(uint16_t c) { return mpx__float(mpx_bf16_to_bits(c)); }
MPX__INLINE float mpx_f8e5m2_to_f32(uint8_t c) { return mpx__float(mpx_f8e5m2_to_bits(c)); }
MPX__INLINE float mpx_f8e4m3fn_to_f32(uint8_t c) { return mpx__float(mpx_f8e4m3fn_to_bits(c)); }
#undef MPX__INLINE
#endif /* MPX_H */

#if defined(MPX_IMPLEMENTATION) && !defined(MPX_IMPLEMENTED)
#define MPX_IMPLEMENTED
#define MPX__IN_IMPLEMENTATION
/*==========================================================================*
 * MARK: detect - compiler and instruction set                               *
 *   Which instruction set is in use is decided here alone.                  *
 *==========================================================================*/

/* MPX__INLINE: a small function. MPX__FORCE_INLINE: a part of a kernel, whose constant arguments
   must be folded. Without optimisation both are functions that a debugger can step into. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__UNUSED __attribute__((unused))
#define MPX__INLINE static inline __attribute__((unused)) MPX__TARGET
#ifdef __OPTIMIZE__
#define MPX__FORCE_INLINE static inline __attribute__((always_inline, unused)) MPX__TARGET
#else
#define MPX__FORCE_INLINE static inline __attribute__((unused)) MPX__TARGET
#endif
#define MPX__PRIVATE static __attribute__((unused)) MPX__TARGET
#define MPX__NOINLINE static __attribute__((noinline, unused)) MPX__TARGET
#define MPX__TARGET /* the instruction set of a function, in passes.h */
#elif defined(_MSC_VER) /* clang-cl took the branch above */
#define MPX__UNUSED
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static __forceinline
#define MPX__PRIVATE static
#define MPX__NOINLINE static __declspec(noinline)
#pragma warning(push)
/* constant conditions in folded kernels; unreferenced parameters and static functions */
#pragma warning(disable : 4100 4127 4505)
#else
#define MPX__UNUSED
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static inline
#define MPX__PRIVATE static
#define MPX__NOINLINE static
#endif
/* Compiled for size. */
#if defined(__GNUC__)
#define MPX__COLD __attribute__((cold))
#else
#define MPX__COLD
#endif

/* gcc 12 takes what its own AVX-512 intrinsics leave undefined on purpose for a mistake, in C++. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) && \
    (MPX_DISPATCH || defined(__AVX512F__))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/* One object per thread. tcc and old compilers have no such thing: one for the whole program. */
#if defined(__TINYC__)
#define MPX__THREAD_LOCAL
#elif defined(__GNUC__) || defined(__clang__)
#define MPX__THREAD_LOCAL __thread
#elif defined(_MSC_VER)
#define MPX__THREAD_LOCAL __declspec(thread)
#elif defined(__cplusplus) && __cplusplus >= 201103L
#define MPX__THREAD_LOCAL thread_local
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define MPX__THREAD_LOCAL _Thread_local
#else
#define MPX__THREAD_LOCAL
#endif

/* The instruction set: one per translation unit, the best that the compiler's flags allow, or the
   one that MPX_ISA names; numbered from 1 so that a misspelt name (0) is refused. AVX2 means F16C
   and FMA too, AVX512 means F, BW, VL and DQ (BF16 and VBMI are used where the flags have them).
   MSVC defines neither __F16C__ nor __FMA__: there AVX2 implies both. NEON wants the little-endian
   order, and the assembly of GNU compilers. */
#define MPX_ISA_SCALAR 1
#define MPX_ISA_SSE2 2
#define MPX_ISA_AVX2 3
#define MPX_ISA_AVX512 4
#define MPX_ISA_NEON 5
#define MPX_ISA_WASM 6
#define MPX_ISA_RVV 7

#if (defined(__GNUC__) && defined(__SSE2__)) || \
    (defined(_MSC_VER) && (defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)))
#define MPX__HAS_SSE2 1
#else
#define MPX__HAS_SSE2 0
#endif
#if defined(__AVX2__) && \
    ((defined(__GNUC__) && defined(__F16C__) && defined(__FMA__)) || defined(_MSC_VER))
#define MPX__HAS_AVX2 1
#else
#define MPX__HAS_AVX2 0
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && \
    defined(__AVX512DQ__) && \
    ((defined(__GNUC__) && defined(__F16C__) && defined(__FMA__)) || defined(_MSC_VER))
#define MPX__HAS_AVX512 1
#else
#define MPX__HAS_AVX512 0
#endif
#if (defined(__GNUC__) || defined(__clang__)) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define MPX__HAS_NEON 1
#else
#define MPX__HAS_NEON 0
#endif
#ifdef __wasm_simd128__
#define MPX__HAS_WASM 1
#else
#define MPX__HAS_WASM 0
#endif
#if defined(__riscv_v_fixed_vlen) && __riscv_v_fixed_vlen <= 512 /* at most 16 lanes */
#define MPX__HAS_RVV 1
#else
#define MPX__HAS_RVV 0
#endif

#if MPX_DISPATCH
#if !defined(__x86_64__) || !(defined(__GNUC__) || defined(__clang__)) || defined(_MSC_VER)
#error "mpx.h: MPX_DISPATCH is for x86-64, with gcc or clang"
#endif
#ifdef MPX_ISA
#error "mpx.h: MPX_DISPATCH has three instruction sets; MPX_ISA chooses one"
#endif
#include <cpuid.h>
#include <immintrin.h>
#else
#ifndef MPX_ISA
#if MPX__HAS_AVX512
#define MPX_ISA MPX_ISA_AVX512
#elif MPX__HAS_AVX2
#define MPX_ISA MPX_ISA_AVX2
#elif MPX__HAS_SSE2
#define MPX_ISA MPX_ISA_SSE2
#elif MPX__HAS_NEON
#define MPX_ISA MPX_ISA_NEON
#elif MPX__HAS_WASM
#define MPX_ISA MPX_ISA_WASM
#elif MPX__HAS_RVV
#define MPX_ISA MPX_ISA_RVV
#else
#define MPX_ISA MPX_ISA_SCALAR
#endif
#endif
#if MPX_ISA < MPX_ISA_SCALAR || MPX_ISA > MPX_ISA_RVV
#error "mpx.h: MPX_ISA is not one of MPX_ISA_SCALAR, _SSE2, _AVX2, _AVX512, _NEON, _WASM, _RVV"
#endif
#if (MPX_ISA == MPX_ISA_SSE2 && !MPX__HAS_SSE2) || (MPX_ISA == MPX_ISA_AVX2 && !MPX__HAS_AVX2) || \
    (MPX_ISA == MPX_ISA_AVX512 && !MPX__HAS_AVX512) || \
    (MPX_ISA == MPX_ISA_NEON && !MPX__HAS_NEON) || (MPX_ISA == MPX_ISA_WASM && !MPX__HAS_WASM) || \
    (MPX_ISA == MPX_ISA_RVV && !MPX__HAS_RVV)
#error "mpx.h: the compiler's flags do not allow this MPX_ISA"
#endif
#if MPX_ISA == MPX_ISA_SSE2
#include <emmintrin.h>
#elif MPX_ISA == MPX_ISA_AVX2 || MPX_ISA == MPX_ISA_AVX512
#include <immintrin.h>
#elif MPX_ISA == MPX_ISA_NEON
#include <arm_neon.h>
#elif MPX_ISA == MPX_ISA_WASM
#include <wasm_simd128.h>
#elif MPX_ISA == MPX_ISA_RVV
#include <riscv_vector.h>
#endif
#endif /* MPX_DISPATCH */
/* Plain C for size: one plain loop where another would be faster, and one copy of what compilers
   would rather fold into its callers (MPX__ONCE; and MPX__KEPT, where gcc would call memcpy for a
   struct that it folded). Else the long way of a function is kept apart where the short one would
   pay for its registers (MPX__LONG_WAY). */
#if !MPX_DISPATCH && MPX_ISA == MPX_ISA_SCALAR && defined(__OPTIMIZE_SIZE__) && defined(__GNUC__)
#define MPX__COMPACT 1
#define MPX__ONCE MPX__NOINLINE
#define MPX__LONG_WAY MPX__PRIVATE
#define MPX__KEPT __attribute__((noinline))
#else
#define MPX__ONCE MPX__PRIVATE
#define MPX__LONG_WAY MPX__NOINLINE
#define MPX__KEPT
#define MPX__COMPACT 0
#endif
/* Is there an instruction that divides integers of 64 bits? */
#if defined(__wasm__) || defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64) || \
    defined(_M_ARM64)
#define MPX__HAS_DIVIDER 1
#else
#define MPX__HAS_DIVIDER 0
#endif
#if MPX_TILE < 16 || MPX_TILE % 16 != 0
#error "mpx.h: MPX_TILE must be a multiple of 16, at least 16"
#endif

/* Loads and stores in native byte order at any address. With GNU compilers a packed struct that may
   alias anything: one instruction where the machine allows, byte accesses where it does not, never
   a call of memcpy. */
#if defined(__GNUC__) || defined(__clang__)
typedef struct { uint16_t v; } __attribute__((packed, may_alias)) mpx__unaligned16;
typedef struct { uint32_t v; } __attribute__((packed, may_alias)) mpx__unaligned32;
typedef struct { uint64_t v; } __attribute__((packed, may_alias)) mpx__unaligned64;
MPX__INLINE uint16_t mpx__read16(const void *p) { return ((const mpx__unaligned16 *)p)->v; }
MPX__INLINE uint32_t mpx__read32(const void *p) { return ((const mpx__unaligned32 *)p)->v; }
MPX__INLINE uint64_t mpx__read64(const void *p) { return ((const mpx__unaligned64 *)p)->v; }
MPX__INLINE void mpx__write16(void *p, uint16_t v) { ((mpx__unaligned16 *)p)->v = v; }
MPX__INLINE void mpx__write32(void *p, uint32_t v) { ((mpx__unaligned32 *)p)->v = v; }
MPX__INLINE void mpx__write64(void *p, uint64_t v) { ((mpx__unaligned64 *)p)->v = v; }
#else
typedef union {
    uint16_t v;
    unsigned char byte[2];
} mpx__bytes16;
typedef union {
    uint32_t v;
    unsigned char byte[4];
} mpx__bytes32;
typedef union {
    uint64_t v;
    unsigned char byte[8];
} mpx__bytes64;
MPX__INLINE void mpx__move_bytes(unsigned char *d, const unsigned char *s, int n) {
    while (n-- > 0)
        *d++ = *s++;
}
MPX__INLINE uint16_t mpx__read16(const void *p) {
    mpx__bytes16 u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 2);
    return u.v;
}
MPX__INLINE uint32_t mpx__read32(const void *p) {
    mpx__bytes32 u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 4);
    return u.v;
}
MPX__INLINE uint64_t mpx__read64(const void *p) {
    mpx__bytes64 u;
    mpx__move_bytes(u.byte, (const unsigned char *)p, 8);
    return u.v;
}
MPX__INLINE void mpx__write16(void *p, uint16_t v) {
    mpx__bytes16 u;
    u.v = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 2);
}
MPX__INLINE void mpx__write32(void *p, uint32_t v) {
    mpx__bytes32 u;
    u.v = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 4);
}
MPX__INLINE void mpx__write64(void *p, uint64_t v) {
    mpx__bytes64 u;
    u.v = v;
    mpx__move_bytes((unsigned char *)p, u.byte, 8);
}
#endif

/* A fence for the optimiser, so that it does not replace the loops below by calls of memcpy and
   memset. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__BARRIER() __asm__ __volatile__("" ::: "memory")
#else
#define MPX__BARRIER() ((void)0)
#endif

/* Bits of a float that came by value. Under -ffinite-math-only clang folds tests of such bits for
   Inf (19: x & 0x7fffffff == 0x7f800000), even through memcpy, so there they pass through an empty
   asm, which the optimiser cannot see through. */
MPX__INLINE uint32_t mpx__opaque_bits(float x) {
    uint32_t u = mpx__bits(x);
#if defined(__clang__) && defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
    __asm__("" : "+r"(u));
#endif
    return u;
}

/* What is in a vector register stays there. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
#define MPX__KEEP_VALUE(x) __asm__("" : "+x"(x))
#else
#define MPX__KEEP_VALUE(x) ((void)0)
#endif

/* A condition that is mostly false: what hangs on it is moved out of the way. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__RARELY(x) __builtin_expect(!!(x), 0)
#else
#define MPX__RARELY(x) (x)
#endif

/* Before loops bound by instruction fetch: depending on their address they can take 1.5 times as
   long (Zen 3). */
#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
#define MPX__ALIGN_LOOP() __asm__ __volatile__(".p2align 5")
#else
#define MPX__ALIGN_LOOP() ((void)0)
#endif

/* Before loops of a few rounds that are unrolled: gcc at -O2 unrolls none, others do it unasked. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define MPX__UNROLL _Pragma("GCC unroll 8")
#else
#define MPX__UNROLL
#endif

/* Around a sum whose result shows the floating-point modes. Compilers do not know that it depends
   on them: they would move it across a change of modes or merge two such sums, so there is a fence
   before and after, or an operand that is read anew each time. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__FP_BARRIER(x) __asm__ __volatile__("" : "+x"(x) : : "memory")
#define MPX__READ_HERE const
#else
#define MPX__FP_BARRIER(x) ((void)0)
#define MPX__READ_HERE volatile
#endif

/* dst == src is allowed, other overlaps are not; both may be NULL if size is 0. */
#ifdef MPX_MEMCPY
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    if (dst != src && size != 0) MPX_MEMCPY(dst, src, size);
}
#elif defined(__wasm_bulk_memory__) && defined(__GNUC__) /* one instruction */
MPX__INLINE void mpx__copy(void *dst, const void *src, size_t size) {
    if (size != 0) __builtin_memcpy(dst, src, size);
}
#elif MPX__COMPACT
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (dst == src) return;
    for (; size != 0; size--) {
        *d++ = *s++;
        MPX__BARRIER();
    }
}
#else
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (dst == src) return;
    for (; size >= 32; size -= 32, d += 32, s += 32) {
        uint64_t a = mpx__read64(s), b = mpx__read64(s + 8), c = mpx__read64(s + 16),
                 e = mpx__read64(s + 24);
        mpx__write64(d, a);
        mpx__write64(d + 8, b);
        mpx__write64(d + 16, c);
        mpx__write64(d + 24, e);
        MPX__BARRIER();
    }
    for (; size >= 8; size -= 8, d += 8, s += 8) {
        mpx__write64(d, mpx__read64(s));
        MPX__BARRIER();
    }
    if ((size & 4) != 0) {
        mpx__write32(d, mpx__read32(s));
        d += 4;
        s += 4;
    }
    if ((size & 2) != 0) {
        mpx__write16(d, mpx__read16(s));
        d += 2;
        s += 2;
    }
    if ((size & 1) != 0) *d = *s;
}
#endif

#ifdef MPX_MEMSET
MPX__PRIVATE void mpx__zero(void *dst, size_t size) { MPX_MEMSET(dst, 0, size); }
#elif defined(__wasm_bulk_memory__) /* an instruction */
MPX__PRIVATE void mpx__zero(void *dst, size_t size) { __builtin_memset(dst, 0, size); }
#else
MPX__PRIVATE void mpx__zero(void *dst, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    for (; !MPX__COMPACT && size >= 8; size -= 8, d += 8) {
        mpx__write64(d, 0);
        MPX__BARRIER();
    }
    while (size != 0) {
        d[--size] = 0;
        MPX__BARRIER();
    }
}
#endif

MPX_API int mpx_version(void) { return MPX_VERSION; }
/*==========================================================================*
 * MARK: text - slices, blanks, words, and printing into a caller's buffer   *
 *   ASCII only and without a locale. Text is bytes with a length: a NUL     *
 *   inside is a byte like any other.                                        *
 *==========================================================================*/

typedef struct mpx__slice {
    const char *s;
    size_t n;
} mpx__slice;

MPX__INLINE mpx__slice mpx__slice_of(const char *s, size_t n) {
    mpx__slice t;
    t.s = s;
    t.n = n;
    return t;
}

MPX__PRIVATE size_t mpx__length(const char *s) {
    size_t n = 0;
    while (s[n] != '\0') {
        n++;
        MPX__BARRIER(); /* else gcc calls strlen */
    }
    return n;
}

MPX__INLINE char mpx__lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* Is the slice this word? */
MPX__PRIVATE int mpx__is_word(mpx__slice t, const char *word, int ignore_case) {
    size_t i;
    for (i = 0; i < t.n; i++) {
        char c = ignore_case ? mpx__lower(t.s[i]) : t.s[i];
        if (word[i] == '\0' || c != word[i]) return 0;
    }
    return word[t.n] == '\0';
}

/* Does the slice begin with this word? */
MPX__PRIVATE int mpx__begins_with(mpx__slice t, const char *word, int ignore_case) {
    size_t n = mpx__length(word);
    return t.n >= n && mpx__is_word(mpx__slice_of(t.s, n), word, ignore_case);
}

/* The index of the first c, or t.n. */
MPX__ONCE size_t mpx__find(mpx__slice t, char c) {
    size_t i;
    for (i = 0; i < t.n && t.s[i] != c; i++) {
    }
    return i;
}

MPX__INLINE mpx__slice mpx__from(mpx__slice t, size_t start) {
    return mpx__slice_of(t.s + start, t.n - start);
}

/* The index of the first such word, or t.n. */
MPX__PRIVATE size_t mpx__find_word(mpx__slice t, const char *word, int ignore_case) {
    size_t i;
    for (i = 0; i < t.n && !mpx__begins_with(mpx__from(t, i), word, ignore_case); i++) {
    }
    return i;
}

/* Blanks, as ranges: the UTF-8 bytes of the first one; the lowest byte says how many more follow.
   The set is that of Python's str.strip(), which eformer uses: U+0009..D, U+001C..20, U+0085,
   U+00A0, U+1680, U+2000..200A, U+2028, U+2029, U+202F, U+205F, U+3000. */
static const uint32_t mpx__blanks[] = {
    0x00000904u, 0x00001c04u, 0x00c28500u, 0x00c2a000u, 0xe19a8000u,
    0xe280800au, 0xe280a801u, 0xe280af00u, 0xe2819f00u, 0xe3808000u,
};

/* The size of the blank at s, of which `left` bytes may be read; 0: there is no blank. */
MPX__PRIVATE size_t mpx__blank_size(const char *s, size_t left) {
    uint32_t code = 0;
    size_t n = 0, i;
    while (n < 3 && n < left) {
        code = code << 8 | (unsigned char)s[n++];
        if (code == 0) break; /* NUL is no blank */
        for (i = 0; i < sizeof mpx__blanks / sizeof mpx__blanks[0]; i++)
            if (code - (mpx__blanks[i] >> 8) <= (mpx__blanks[i] & 0xffu)) return n;
    }
    return 0;
}

/* Remove the blanks at both ends: in place, which takes less stack, and as a value. No blank begins
   inside another one, so a single walk finds both ends. */
MPX__ONCE void mpx__trim_it(mpx__slice *t) {
    size_t i = 0, end = 0;
    const char *first = t->s;
    while (i < t->n) {
        size_t blank = mpx__blank_size(t->s + i, t->n - i);
        i += blank + (blank == 0);
        if (blank == 0)
            end = i;
        else if (end == 0)
            first = t->s + i;
    }
    t->n = end != 0 ? (size_t)(t->s + end - first) : 0;
    t->s = first;
}
MPX__INLINE mpx__slice mpx__trim(mpx__slice t) {
    mpx__trim_it(&t);
    return t;
}

/* A buffer that is filled as by snprintf: all characters are counted, those that fit are kept. */
typedef struct mpx__printer {
    char *buf;
    size_t size, length;
} mpx__printer;

MPX__PRIVATE void mpx__print_to(mpx__printer *out, char *buf, size_t size) {
    out->buf = buf;
    out->size = size;
    out->length = 0;
    if (size != 0) buf[0] = '\0';
}

MPX__ONCE void mpx__put_char(mpx__printer *out, int c) {
    size_t n = out->length++;
    if (n + 1 < out->size) {
        char *at = out->buf + n;
        at[0] = (char)c;
        at[1] = '\0';
    }
}

MPX__PRIVATE void mpx__put(mpx__printer *out, const char *s) {
    while (*s != '\0')
        mpx__put_char(out, *s++);
}

MPX__PRIVATE void mpx__put_slice(mpx__printer *out, mpx__slice t) {
    size_t i;
    for (i = 0; i < t.n; i++)
        mpx__put_char(out, t.s[i]);
}

/* x / 10 by shifts (Warren, Hacker's Delight 10-17): small cores have no divider, and would call a
   library. The sum of shifts is x * 0.8 less a little; the remainder tells whether the quotient is
   one short. */
MPX__PRIVATE size_t mpx__tenth(size_t x) {
    size_t q = (x >> 1) + (x >> 2);
    q += q >> 4;
    q += q >> 8;
    q += q >> 16;
    q += q >> 16 >> 16;
    q >>= 3;
    return x - q * 10 > 9 ? q + 1 : q;
}

MPX__PRIVATE void mpx__put_size(mpx__printer *out, size_t x) {
    char digit[20];
    int n = 0;
    do {
        size_t rest = mpx__tenth(x);
        digit[n++] = (char)('0' + (int)(x - rest * 10));
        x = rest;
    } while (x != 0);
    while (n != 0)
        mpx__put_char(out, digit[--n]);
}

MPX__PRIVATE void mpx__put_u64(mpx__printer *out, uint64_t x) {
    size_t low = (size_t)x;
    if (low != x) mpx__put(out, "over ");
    mpx__put_size(out, low != x ? (size_t)-1 : low);
}

/* 'word', with bytes outside printable ASCII as \xHH, cut after 40 bytes. */
MPX__PRIVATE void mpx__put_quoted(mpx__printer *out, mpx__slice t) {
    static const char hex[17] = "0123456789abcdef";
    size_t i;
    mpx__put_char(out, '\'');
    for (i = 0; i < t.n && i < 40; i++) {
        unsigned char c = (unsigned char)t.s[i];
        if (c >= 0x20 && c < 0x7f) {
            mpx__put_char(out, (char)c);
        } else {
            mpx__put(out, "\\x");
            mpx__put_char(out, hex[c >> 4]);
            mpx__put_char(out, hex[c & 15]);
        }
    }
    mpx__put(out, t.n > 40 ? "...'" : "'");
}

/* Note where a text is wrong, if the caller wants to know. */
MPX__ONCE mpx_status mpx__fail(mpx_error *err, mpx_status status, size_t offset, size_t length) {
    if (err != NULL) {
        mpx__zero(err, sizeof *err);
        err->status = status;
        err->offset = offset;
        err->length = length;
    }
    return status;
}
/* And which leaf, layer or node is; SIZE_MAX: none of them. */
MPX__PRIVATE mpx_status mpx__fail_at(mpx_error *err, mpx_status status, mpx_subject subject,
                                     size_t index) {
    (void)mpx__fail(err, status, 0, 0);
    if (err != NULL) {
        err->subject = subject;
        err->index = index;
        err->input = (size_t)-1;
    }
    return status;
}
MPX__PRIVATE void mpx__put_path(mpx_error *err, const char *path) {
    mpx__printer out;
    mpx__print_to(&out, err->path, sizeof err->path);
    mpx__put(&out, path != NULL ? path : "");
}
/* Of what there is not enough. */
MPX__PRIVATE mpx_status mpx__lack(mpx_error *err, const char *what, size_t have, size_t need) {
    if (err != NULL) {
        err->what = what;
        err->have = have;
        err->need = need;
    }
    return MPX_ERR_SPACE;
}

/* A text that is parsed, by which rules, and where an error is reported. */
typedef struct mpx__parser {
    mpx__slice text;
    mpx_parse_options opt;
    mpx_error *err;
} mpx__parser;

/* Report a word of the text as wrong. */
MPX__ONCE mpx_status mpx__word_fail(const mpx__parser *in, mpx_status status, mpx__slice word) {
    return mpx__fail(in->err, status, (size_t)(word.s - in->text.s), word.n);
}

/* Field by field: small cores would call memcpy for the struct. */
MPX__PRIVATE void mpx__parser_set(mpx__parser *in, const char *text, size_t len,
                                  const mpx_parse_options *opt, mpx_error *err) {
    in->text = mpx__slice_of(text != NULL ? text : "", len);
    in->opt.dialect = opt->dialect;
    in->opt.half = opt->half;
    in->err = err;
    (void)mpx__fail(err, MPX_OK, 0, 0);
}
/*==========================================================================*
 * MARK: dtypes - one row per dtype                                          *
 *   To add a float of eight bits, add a constant in types.h, its bit in     *
 *   config.h and a row here. Its values must be below 65536, its mantissa   *
 *   at most four bits; or else it needs kernels, as all other dtypes do.    *
 *==========================================================================*/

/* ---- the dtypes that this build has: MPX_DTYPES ---------------------------------------------- */

#define MPX__DTYPE_BITS ((MPX_DTYPES) | MPX_WITH_F32) /* casts meet in f32 */
#if MPX__DTYPE_BITS & ~MPX_WITH_ALL
#error "mpx.h: MPX_DTYPES has bits that are no MPX_WITH_..."
#endif
#if !MPX_NO_STATS && !(MPX__DTYPE_BITS & MPX_WITH_F64)
#error "mpx.h: statistics need MPX_WITH_F64 among MPX_DTYPES"
#endif
#if (MPX__DTYPE_BITS & (MPX_WITH_F64 | MPX_WITH_C128)) == MPX_WITH_C128
#error "mpx.h: MPX_WITH_C128 needs MPX_WITH_F64 among MPX_DTYPES"
#endif
/* 1 where a build has such dtypes. PACKED: below a byte. SMALL: floats of a byte and less. BYTES:
   these, or integers. 64: with significands of more than 32 bits. */
#define MPX__HAS_F64 ((MPX__DTYPE_BITS & MPX_WITH_F64) != 0)
#define MPX__HAS_F16 ((MPX__DTYPE_BITS & MPX_WITH_F16) != 0)
#define MPX__HAS_BF16 ((MPX__DTYPE_BITS & MPX_WITH_BF16) != 0)
#define MPX__HAS_PACKED \
    ((MPX__DTYPE_BITS & (MPX_WITH_F6E2M3FN | MPX_WITH_F6E3M2FN | MPX_WITH_F4E2M1FN | \
                         MPX_WITH_I2 | MPX_WITH_U2 | MPX_WITH_I4 | MPX_WITH_U4)) != 0)
#define MPX__INTEGER_BITS 0x1fff0000u /* from MPX_WITH_BOOL to MPX_WITH_U64 */
#define MPX__COMPLEX_BITS (MPX_WITH_C64 | MPX_WITH_C128)
#define MPX__HAS_INT ((MPX__DTYPE_BITS & MPX__INTEGER_BITS) != 0)
#define MPX__HAS_COMPLEX ((MPX__DTYPE_BITS & MPX__COMPLEX_BITS) != 0)
#define MPX__SMALL_BITS (MPX_WITH_ALL & ~(MPX__INTEGER_BITS | MPX__COMPLEX_BITS | MPX_WITH_F64 | \
                                          MPX_WITH_F32 | MPX_WITH_F16 | MPX_WITH_BF16))
#define MPX__HAS_SMALL ((MPX__DTYPE_BITS & MPX__SMALL_BITS) != 0)
#define MPX__HAS_BYTES ((MPX__DTYPE_BITS & (MPX__SMALL_BITS | MPX__INTEGER_BITS)) != 0)
#define MPX__HAS_64 ((MPX__DTYPE_BITS & (MPX_WITH_F64 | MPX_WITH_I64 | MPX_WITH_U64)) != 0)

/* ---- rows ------------------------------------------------------------------------------------ */

/* Families of floats: what the topmost codes mean. */
enum {
    MPX__NOT_FLOAT = 0,
    MPX__IEEE,   /* exponent all ones: Inf and NaN                              */
    MPX__FN,     /* no Inf; all ones: NaN                                       */
    MPX__FNUZ,   /* no Inf, no -0; sign bit alone: NaN                          */
    MPX__FINITE, /* every code is a finite value                                */
    MPX__E8M0    /* an exponent and nothing else; all ones: NaN                 */
};

/* A form is what kernels know of a dtype. F8: a float of eight bits whose values are normal in f16;
   F8_5: others; their formats are in their rows. F6, F4, I4 and U4: floats of six and four bits,
   integers of four and two, one code in a byte; the PACKED ones, in the same order: as they are in
   packed arrays. F32_ODD and F64_ODD are f32 and f64 that were rounded to odd, on the way to a
   narrower float. */
enum {
    MPX__FORM_NONE = 0, MPX__FORM_F64, MPX__FORM_F32, MPX__FORM_F16, MPX__FORM_BF16,
    MPX__FORM_E4M3FN, MPX__FORM_E5M2, MPX__FORM_F8, MPX__FORM_F8_5, MPX__FORM_E8M0,
    MPX__FORM_F32_ODD, MPX__FORM_F64_ODD, MPX__FORM_F6, MPX__FORM_F4, MPX__FORM_I4, MPX__FORM_U4,
    MPX__FORM_PACKED_F6, MPX__FORM_PACKED_F4, MPX__FORM_PACKED_I4, MPX__FORM_PACKED_U4,
    MPX__FORM_BOOL, MPX__FORM_I8, MPX__FORM_U8, MPX__FORM_I16, MPX__FORM_U16, MPX__FORM_I32,
    MPX__FORM_U32, MPX__FORM_I64, MPX__FORM_U64
};

/* Systems that know a word, for their exact dialects. ANY is the lenient default: all names, short
   names and aliases. */
enum {
    MPX__ANY = 1,
    MPX__JMP = 2,
    MPX__EFORMER = 4,
    MPX__KERAS = 8,
    MPX__AXON = 16,
    MPX__PUT = 32,
    MPX__PUT_EFORMER = MPX__PUT | MPX__EFORMER,
    MPX__ALL_NAMES = MPX__JMP | MPX__EFORMER | MPX__KERAS | MPX__PUT,
    MPX__ALL_SHORT = MPX__JMP | MPX__EFORMER | MPX__AXON
};

/* Names are arrays, not pointers: position-independent code has no relocations for them. */
#if MPX__DTYPE_BITS & ~(MPX_WITH_F64 | MPX_WITH_F32 | MPX_WITH_F16 | MPX_WITH_BF16)
enum { MPX__NAME_SIZE = 20, MPX__SHORT_NAME_SIZE = 14 };
#else
enum { MPX__NAME_SIZE = 9, MPX__SHORT_NAME_SIZE = 5 };
#endif
typedef struct mpx__row {
    char name[MPX__NAME_SIZE], short_name[MPX__SHORT_NAME_SIZE];
    uint8_t kind, bits, exponent_bits, mantissa_bits;
    int16_t bias;
    uint8_t family, form;
    uint8_t name_systems, short_systems; /* who knows its name, and who its short name */
    uint8_t type;
} mpx__row;

/* name, short name, kind, bits, exponent bits, mantissa bits, bias, family, form, systems, constant
*/
static const mpx__row mpx__rows[] = {
    { "", "", MPX_KIND_NONE, 0, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_NONE, 0, 0, MPX_NONE },
#if MPX__DTYPE_BITS & MPX_WITH_F64
    { "float64", "f64", MPX_KIND_FLOAT, 64, 11, 52, 1023, MPX__IEEE, MPX__FORM_F64, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_F64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F32
    { "float32", "f32", MPX_KIND_FLOAT, 32, 8, 23, 127, MPX__IEEE, MPX__FORM_F32, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_F32 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F16
    { "float16", "f16", MPX_KIND_FLOAT, 16, 5, 10, 15, MPX__IEEE, MPX__FORM_F16, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_F16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BF16
    { "bfloat16", "bf16", MPX_KIND_FLOAT, 16, 8, 7, 127, MPX__IEEE, MPX__FORM_BF16, MPX__ALL_NAMES,
      MPX__ALL_SHORT, MPX_BF16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FN
    { "float8_e4m3fn", "f8e4m3fn", MPX_KIND_FLOAT, 8, 4, 3, 7, MPX__FN, MPX__FORM_E4M3FN,
      MPX__KERAS | MPX__PUT, 0, MPX_F8E4M3FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2
    { "float8_e5m2", "f8e5m2", MPX_KIND_FLOAT, 8, 5, 2, 15, MPX__IEEE, MPX__FORM_E5M2,
      MPX__KERAS | MPX__PUT_EFORMER, 0, MPX_F8E5M2 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FNUZ
    { "float8_e4m3fnuz", "f8e4m3fnuz", MPX_KIND_FLOAT, 8, 4, 3, 8, MPX__FNUZ, MPX__FORM_F8,
      MPX__PUT, 0, MPX_F8E4M3FNUZ },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2FNUZ
    { "float8_e5m2fnuz", "f8e5m2fnuz", MPX_KIND_FLOAT, 8, 5, 2, 16, MPX__FNUZ, MPX__FORM_F8_5,
      MPX__PUT, 0, MPX_F8E5M2FNUZ },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3B11FNUZ
    { "float8_e4m3b11fnuz", "f8e4m3b11fnuz", MPX_KIND_FLOAT, 8, 4, 3, 11, MPX__FNUZ, MPX__FORM_F8,
      MPX__PUT, 0, MPX_F8E4M3B11FNUZ },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3
    { "float8_e4m3", "f8e4m3", MPX_KIND_FLOAT, 8, 4, 3, 7, MPX__IEEE, MPX__FORM_F8, 0, 0,
      MPX_F8E4M3 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E3M4
    { "float8_e3m4", "f8e3m4", MPX_KIND_FLOAT, 8, 3, 4, 3, MPX__IEEE, MPX__FORM_F8, 0, 0,
      MPX_F8E3M4 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E8M0FNU
    { "float8_e8m0fnu", "f8e8m0fnu", MPX_KIND_FLOAT, 8, 8, 0, 127, MPX__E8M0, MPX__FORM_E8M0, 0, 0,
      MPX_F8E8M0FNU },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E2M3FN
    { "float6_e2m3fn", "f6e2m3fn", MPX_KIND_FLOAT, 6, 2, 3, 1, MPX__FINITE, MPX__FORM_PACKED_F6, 0, 0,
      MPX_F6E2M3FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E3M2FN
    { "float6_e3m2fn", "f6e3m2fn", MPX_KIND_FLOAT, 6, 3, 2, 3, MPX__FINITE, MPX__FORM_PACKED_F6, 0, 0,
      MPX_F6E3M2FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F4E2M1FN
    { "float4_e2m1fn", "f4e2m1fn", MPX_KIND_FLOAT, 4, 2, 1, 1, MPX__FINITE, MPX__FORM_PACKED_F4, 0, 0,
      MPX_F4E2M1FN },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BOOL
    { "bool", "bool", MPX_KIND_BOOL, 8, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_BOOL, MPX__KERAS, 0,
      MPX_BOOL },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I2
    { "int2", "i2", MPX_KIND_INT, 2, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_I4, 0, 0, MPX_I2 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U2
    { "uint2", "u2", MPX_KIND_UINT, 2, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_U4, 0, MPX__AXON,
      MPX_U2 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I4
    { "int4", "i4", MPX_KIND_INT, 4, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_I4, 0, 0, MPX_I4 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U4
    { "uint4", "u4", MPX_KIND_UINT, 4, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_PACKED_U4, 0, MPX__AXON,
      MPX_U4 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I8
    { "int8", "i8", MPX_KIND_INT, 8, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I8, MPX__KERAS, 0, MPX_I8 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U8
    { "uint8", "u8", MPX_KIND_UINT, 8, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U8, MPX__KERAS,
      MPX__AXON, MPX_U8 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I16
    { "int16", "i16", MPX_KIND_INT, 16, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I16, MPX__KERAS, 0,
      MPX_I16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U16
    { "uint16", "u16", MPX_KIND_UINT, 16, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U16, MPX__KERAS,
      MPX__AXON, MPX_U16 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I32
    { "int32", "i32", MPX_KIND_INT, 32, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I32, MPX__KERAS, 0,
      MPX_I32 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U32
    { "uint32", "u32", MPX_KIND_UINT, 32, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U32, MPX__KERAS,
      MPX__AXON, MPX_U32 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I64
    { "int64", "i64", MPX_KIND_INT, 64, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_I64, MPX__KERAS, 0,
      MPX_I64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U64
    { "uint64", "u64", MPX_KIND_UINT, 64, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_U64, MPX__KERAS,
      MPX__AXON, MPX_U64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C64
    { "complex64", "c64", MPX_KIND_COMPLEX, 64, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_NONE,
      MPX__KERAS, MPX__AXON, MPX_C64 },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C128
    { "complex128", "c128", MPX_KIND_COMPLEX, 128, 0, 0, 0, MPX__NOT_FLOAT, MPX__FORM_NONE,
      MPX__KERAS, MPX__AXON, MPX_C128 },
#endif
};
enum { MPX__ROWS = sizeof mpx__rows / sizeof mpx__rows[0] };

/* In #if a name such as MPX_F16, or a misspelt MPX_WITH_..., reads as 0: the compiler must see as
   many bits in MPX_DTYPES as the preprocessor has made rows. This does not find a constant that is
   the number of a bit already named, as MPX_BF16 is that of MPX_WITH_F32. */
#define MPX__COUNT_2(x) (((unsigned)(x)) - ((unsigned)(x) >> 1 & 0x55555555u))
#define MPX__COUNT_4(x) ((MPX__COUNT_2(x) & 0x33333333u) + (MPX__COUNT_2(x) >> 2 & 0x33333333u))
#define MPX__COUNT_8(x) ((MPX__COUNT_4(x) + (MPX__COUNT_4(x) >> 4)) & 0x0f0f0f0fu)
#define MPX__COUNT(x) ((MPX__COUNT_8(x) * 0x01010101u & 0xffffffffu) >> 24)
#if (MPX_DTYPES) & MPX_WITH_F32
#define MPX__UNNAMED 1 /* the row of MPX_NONE */
#else
#define MPX__UNNAMED 2 /* and that of f32, which every build has */
#endif
typedef char mpx__MPX_DTYPES_takes_MPX_WITH_names
    [(int)MPX__COUNT(MPX_DTYPES) + MPX__UNNAMED == (int)MPX__ROWS ? 1 : -1];
#undef MPX__UNNAMED
#undef MPX__COUNT
#undef MPX__COUNT_8
#undef MPX__COUNT_4
#undef MPX__COUNT_2

/* Numbers that are no dtype, or none that this build carries, read as the row of MPX_NONE. */
#if MPX__DTYPE_BITS == MPX_WITH_ALL
typedef char mpx__every_dtype_has_a_row[(int)MPX__ROWS == (int)MPX_DTYPE_COUNT ? 1 : -1];
MPX__INLINE const mpx__row *mpx__row_of(mpx_dtype type) {
    const size_t i = (unsigned)type;
    return mpx__rows + (i < MPX_DTYPE_COUNT ? i : 0);
}
#else
MPX__PRIVATE const mpx__row *mpx__row_of(mpx_dtype type) {
    const mpx__row *row = mpx__rows + MPX__ROWS - 1;
    while (row != mpx__rows && row->type != type)
        row--;
    return row;
}
#endif

/* Whether its codes fill bytes. */
MPX__INLINE int mpx__are_bytes(const mpx__row *row) {
    return MPX__HAS_PACKED ? (row->bits & 7u) == 0 : 1;
}
/* Of one code in memory, not packed. */
MPX__INLINE size_t mpx__code_bytes(const mpx__row *row) {
    return MPX__HAS_PACKED ? (row->bits + 7u) / 8u : row->bits / 8u;
}
/* A constant where all floats of the build have one family. */
MPX__INLINE int mpx__family_of(const mpx__row *row) {
#if MPX__HAS_SMALL
    return row->family;
#else
    return (void)row, (int)MPX__IEEE;
#endif
}
/* The form of one code in a byte. */
MPX__INLINE int mpx__form_of(const mpx__row *row) {
    const int form = row->form, packed = form - MPX__FORM_PACKED_F6;
    return packed >= 0 && form <= MPX__FORM_PACKED_U4 ? packed + MPX__FORM_F6 : form;
}
MPX__INLINE mpx_dtype mpx__type_of(const mpx__row *row) { return (mpx_dtype)row->type; }
/* For loops over all dtypes: C++ does not count with enums. */
MPX__INLINE mpx_dtype mpx__type_after(mpx_dtype type) { return (mpx_dtype)(type + 1); }

MPX_API const char *mpx_dtype_name(mpx_dtype type) { return mpx__row_of(type)->name; }
MPX_API const char *mpx_dtype_short_name(mpx_dtype type) { return mpx__row_of(type)->short_name; }
MPX_API int mpx_dtype_is_floating(mpx_dtype type) {
    return mpx__row_of(type)->kind == MPX_KIND_FLOAT;
}
MPX_API int mpx_dtype_bits(mpx_dtype type) { return mpx__row_of(type)->bits; }

/* Constants where the build has no such dtype. */
MPX__INLINE int mpx__is_f64(mpx_dtype type) { return MPX__HAS_F64 ? type == MPX_F64 : 0; }

/* The row of one part of a complex number, of which there are twice as many; any other row as it
   is. */
MPX__INLINE const mpx__row *mpx__parts_of(const mpx__row *row, size_t *n) {
    if (!MPX__HAS_COMPLEX || row->kind != MPX_KIND_COMPLEX) return row;
    *n *= 2;
    return mpx__row_of(row->bits == 64 ? MPX_F32 : MPX_F64);
}

#if MPX__HAS_PACKED
/* n * bits / 8 rounded up: n = 8 * groups + rest, so that no product is larger than the result. Of
   many groups the upper and the lower half of the product are looked at: no division. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n) {
    const size_t most = (size_t)-1, half = sizeof(size_t) * 4;
    size_t bits = mpx__row_of(type)->bits, groups = n >> 3, rest = ((n & 7) * bits + 7) >> 3;
    if (groups > (most >> 8)) {
        size_t low = (groups & (most >> half)) * bits, high = (groups >> half) * bits;
        if ((high + (low >> half)) >> half != 0 || groups * bits > most - rest) return most;
    }
    return groups * bits + rest;
}
#else
/* n * bits / 8, where bits is 0 or a power of two from 8 on. */
MPX_API size_t mpx_dtype_bytes(mpx_dtype type, size_t n) {
    unsigned bits = mpx__row_of(type)->bits;
    if (bits == 0) return 0;
    for (; bits > 8; bits >>= 1) {
        if (n > (size_t)-1 >> 1) return (size_t)-1;
        n <<= 1;
    }
    return n;
}
#endif

/* What was rounded up is rounded down; the product may wrap, its last bits are right. */
MPX_API size_t mpx_dtype_offset(mpx_dtype type, size_t i) {
    return mpx_dtype_bytes(type, i) - (i * mpx__row_of(type)->bits % 8 != 0);
}

/* Bytes at whose multiples arrays begin in a caller's storage; x rounded up to one, SIZE_MAX where
   that is not possible. */
#define MPX__ALIGNMENT 16u
MPX__INLINE size_t mpx__aligned(size_t x) {
    return x > (size_t)-1 - MPX__ALIGNMENT
               ? (size_t)-1
               : (x + MPX__ALIGNMENT - 1) / MPX__ALIGNMENT * MPX__ALIGNMENT;
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* (1 + fraction / 2^fraction_bits) * 2^exponent as a double, put together from its fields. */
MPX__PRIVATE double mpx__double_of(uint64_t fraction, int fraction_bits, int exponent) {
    union {
        uint64_t u;
        double f;
    } pun;
    if (exponent < -1022)
        pun.u = (uint64_t)1 << (exponent + 1074);
    else
        pun.u = (uint64_t)(exponent + 1023) << 52 | fraction << (52 - fraction_bits);
    return pun.f;
}

/* The topmost exponent and fraction of a finite value. */
MPX__INLINE int mpx__top_exponent(const mpx__row *row) {
    int reserved = row->family == MPX__IEEE || row->family == MPX__E8M0;
    return (1 << row->exponent_bits) - (reserved ? 2 : 1) - row->bias;
}
MPX__INLINE uint64_t mpx__top_fraction(const mpx__row *row) {
    return ((uint64_t)1 << row->mantissa_bits) - (row->family == MPX__FN ? 2u : 1u);
}

/* The largest finite value as f32 bits. */
MPX__PRIVATE uint32_t mpx__largest_f32(const mpx__row *row) {
    uint32_t exponent = (uint32_t)(mpx__top_exponent(row) + 127);
    if (row->exponent_bits > 8) return 0x7f7fffffu; /* f64: beyond f32 altogether */
    return exponent << 23 | (uint32_t)mpx__top_fraction(row) << (23 - row->mantissa_bits);
}

/* Every field by an assignment of its own: with pointers to the result, small cores would copy it
   by calling memcpy. */
MPX_API mpx_dtype_facts mpx_dtype_info(mpx_dtype type) {
    const mpx__row *row = mpx__row_of(type);
    int is_float = row->kind == MPX_KIND_FLOAT, e8m0 = row->family == MPX__E8M0,
        m = row->mantissa_bits;
    int low = e8m0 ? -row->bias : 1 - row->bias, is_int = row->kind == MPX_KIND_INT,
        is_uint = row->kind == MPX_KIND_UINT;
    uint64_t ones = is_int || is_uint ? (uint64_t)-1 >> (64 - row->bits) : 0;
    mpx_dtype_facts facts;
    facts.name = row->name;
    facts.short_name = row->short_name;
    facts.kind = (mpx_kind)row->kind;
    facts.bits = row->bits;
    facts.exponent_bits = row->exponent_bits;
    facts.mantissa_bits = m;
    facts.bias = row->bias;
    facts.has_inf = row->family == MPX__IEEE;
    facts.has_nan = is_float && row->family != MPX__FINITE;
    facts.has_negative_zero = is_float && row->family != MPX__FNUZ && !e8m0;
    facts.max = is_float ? mpx__double_of(mpx__top_fraction(row), m, mpx__top_exponent(row)) : 0;
    facts.smallest_normal = is_float ? mpx__double_of(0, 0, low) : 0;
    facts.smallest_subnormal = is_float ? mpx__double_of(0, 0, e8m0 ? low : low - m) : 0;
    facts.min = e8m0 ? facts.smallest_normal : is_float ? -facts.max : 0;
    facts.epsilon = is_float ? mpx__double_of(0, 0, -m) : 0;
    facts.int_max = row->kind == MPX_KIND_BOOL ? 1 : is_int ? ones >> 1 : ones;
    facts.int_min = is_int ? -(int64_t)(ones >> 1) - 1 : 0;
    return facts;
}
/*==========================================================================*
 * MARK: words - from a word to its dtype                                    *
 *   Names, short names and aliases, in the dialects of five systems.        *
 *==========================================================================*/

/* Words that are neither a name nor a short name, and the systems that know them. Sources: jmp
   0.0.4, eformer 0.0.101 (two tables), Keras 3.15, Nx 0.9; f8_... as safetensors and eformer have
   it; NumPy's typestrings. */
#if MPX__HAS_SMALL
enum { MPX__ALIAS_SIZE = 18 };
#else
enum { MPX__ALIAS_SIZE = 6 };
#endif
typedef struct mpx__alias {
    char word[MPX__ALIAS_SIZE];
    uint8_t dtype, systems;
} mpx__alias;
static const mpx__alias mpx__aliases[] = {
#if MPX__DTYPE_BITS & MPX_WITH_F64
    { "fp64", MPX_F64, MPX__ANY | MPX__PUT },
    { "<f8", MPX_F64, MPX__ANY },
#endif
    { "full", MPX_F32, MPX__ANY | MPX__JMP },
    { "fp32", MPX_F32, MPX__ANY | MPX__PUT },
    { "<f4", MPX_F32, MPX__ANY },
#if MPX__DTYPE_BITS & MPX_WITH_F16
    { "fp16", MPX_F16, MPX__ANY | MPX__PUT },
    { "<f2", MPX_F16, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BF16
#if !MPX_NO_DIALECTS
    { "bf16", MPX_BF16, MPX__PUT },
#endif
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FN
    { "f8_e4m3", MPX_F8E4M3FN, MPX__ANY | MPX__EFORMER },
    { "f8_e4m3fn", MPX_F8E4M3FN, MPX__ANY },
    { "fp8_e4m3fn", MPX_F8E4M3FN, MPX__ANY | MPX__PUT },
#if !MPX_NO_DIALECTS
    { "float8_e4m3", MPX_F8E4M3FN, MPX__EFORMER },
#endif
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2
    { "f8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__EFORMER },
    { "fp8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__PUT },
#if !MPX_NO_DIALECTS
    { "fp8", MPX_F8E5M2, MPX__PUT },
    { "f8", MPX_F8E5M2, MPX__AXON },
#endif
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FNUZ
    { "f8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY },
    { "fp8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY | MPX__PUT },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2FNUZ
    { "f8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY },
    { "fp8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY | MPX__PUT },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3B11FNUZ
    { "fp8_e4m3b11fnuz", MPX_F8E4M3B11FNUZ, MPX__ANY | MPX__PUT },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E8M0FNU
    { "f8_e8m0", MPX_F8E8M0FNU, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BOOL
    { "|b1", MPX_BOOL, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I2
    { "s2", MPX_I2, MPX__ANY | MPX__AXON },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I4
    { "s4", MPX_I4, MPX__ANY | MPX__AXON },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I8
    { "s8", MPX_I8, MPX__ANY | MPX__AXON },
    { "|i1", MPX_I8, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U8
    { "|u1", MPX_U8, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I16
    { "s16", MPX_I16, MPX__ANY | MPX__AXON },
    { "<i2", MPX_I16, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U16
    { "<u2", MPX_U16, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I32
    { "int", MPX_I32, MPX__ANY | MPX__KERAS },
    { "s32", MPX_I32, MPX__ANY | MPX__AXON },
    { "<i4", MPX_I32, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U32
    { "<u4", MPX_U32, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I64
    { "s64", MPX_I64, MPX__ANY | MPX__AXON },
    { "<i8", MPX_I64, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U64
    { "<u8", MPX_U64, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C64
    { "<c8", MPX_C64, MPX__ANY },
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C128
    { "<c16", MPX_C128, MPX__ANY },
#endif
};

/* Words that mean different things in different systems. They are refused, and the error says what
   to write instead. fp4 and float4 might be misspelt fp64 and float64. */
typedef struct mpx__ambiguity {
    char word[9];
    uint8_t instead, other; /* MPX_NONE: no other */
} mpx__ambiguity;
static const mpx__ambiguity mpx__ambiguities[] = {
    { "f8", MPX_F8E4M3FN, MPX_F8E5M2 },
    { "fp8", MPX_F8E4M3FN, MPX_F8E5M2 },
    { "float8", MPX_F8E4M3FN, MPX_F8E5M2 },
    { "e4m3", MPX_F8E4M3FN, MPX_F8E4M3 },
    { "fp8e4m3", MPX_F8E4M3FN, MPX_F8E4M3 },
    { "fp8_e4m3", MPX_F8E4M3FN, MPX_F8E4M3 },
    { "float", MPX_F32, MPX_F64 },
    { "long", MPX_I32, MPX_I64 },
    { "fp4", MPX_F4E2M1FN, MPX_NONE },
    { "float4", MPX_F4E2M1FN, MPX_NONE },
};

MPX__PRIVATE const mpx__ambiguity *mpx__ambiguity_of(mpx__slice word) {
    size_t i;
    for (i = 0; i < sizeof mpx__ambiguities / sizeof mpx__ambiguities[0]; i++)
        if (mpx__is_word(word, mpx__ambiguities[i].word, 1)) return &mpx__ambiguities[i];
    return NULL;
}

MPX__INLINE int mpx__is_dialect(mpx_dialect dialect) {
    return dialect >= MPX_DIALECT_ANY && dialect <= MPX_DIALECT_KERAS_CLASS;
}

MPX__INLINE int mpx__is_keras(mpx_dialect dialect) {
    return dialect == MPX_DIALECT_KERAS || dialect == MPX_DIALECT_KERAS_CLASS;
}

/* Does this build read and print the dialect? */
MPX__INLINE int mpx__has_dialect(mpx_dialect dialect) {
    return MPX_NO_DIALECTS ? dialect == MPX_DIALECT_ANY : mpx__is_dialect(dialect);
}

/* The dialect asked for. */
MPX__INLINE mpx_dialect mpx__dialect(const mpx_parse_options *opt) {
    return MPX_NO_DIALECTS ? MPX_DIALECT_ANY : opt->dialect;
}

MPX__INLINE unsigned mpx__system_of(mpx_dialect dialect) {
    return dialect == MPX_DIALECT_EFORMER       ? (unsigned)MPX__EFORMER
           : dialect == MPX_DIALECT_JMP         ? (unsigned)MPX__JMP
           : mpx__is_keras(dialect)             ? (unsigned)MPX__KERAS
           : dialect == MPX_DIALECT_AXON        ? (unsigned)MPX__AXON
           : dialect == MPX_DIALECT_EFORMER_PUT ? (unsigned)MPX__PUT
                                                : (unsigned)MPX__ANY;
}

/* Without dialects there are no words but those of ANY. */
MPX__INLINE int mpx__knows(unsigned system, unsigned systems) {
    return MPX_NO_DIALECTS ? 1 : (systems & system) != 0;
}

/* Keras takes torch.float16 and jax.numpy.float16 by their last dotted part, wherever the package's
   name stands. */
#if MPX_NO_DIALECTS
MPX__INLINE mpx__slice mpx__without_package(mpx__slice word, unsigned system) {
    (void)system;
    return word;
}
#else
MPX__PRIVATE mpx__slice mpx__without_package(mpx__slice word, unsigned system) {
    size_t dot;
    int packaged = system == MPX__KERAS
                       ? mpx__find_word(word, "torch", 0) != word.n ||
                             mpx__find_word(word, "jax.numpy", 0) != word.n
                       : system == MPX__ANY && (mpx__begins_with(word, "torch.", 0) ||
                                                mpx__begins_with(word, "jax.numpy.", 0));
    while (packaged && (dot = mpx__find(word, '.')) != word.n)
        word = mpx__from(word, dot + 1);
    return word;
}
#endif

/* The dtype of a word without blanks, MPX_NONE if there is none. eformer's policies fold case, and
   so does ANY. */
MPX__PRIVATE mpx_dtype mpx__lookup(mpx__slice word, const mpx_parse_options *opt) {
    unsigned system = mpx__system_of(mpx__dialect(opt));
    int fold = system == MPX__ANY || system == MPX__EFORMER;
    const size_t given = word.n;
    size_t i;
    word = mpx__without_package(word, system);
    if ((system & (MPX__ANY | MPX__JMP | MPX__EFORMER)) != 0 && mpx__is_word(word, "half", fold))
        return mpx__type_of(mpx__row_of(opt->half != MPX_NONE ? opt->half : MPX_F16));
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if (mpx__knows(system, mpx__aliases[i].systems) &&
            (system != MPX__KERAS || word.n == given) &&
            mpx__is_word(word, mpx__aliases[i].word, fold))
            return (mpx_dtype)mpx__aliases[i].dtype;
    for (i = 1; i < MPX__ROWS; i++) {
        const mpx__row *row = &mpx__rows[i];
        int by_name = ((row->name_systems | MPX__ANY) & system) != 0,
            by_short_name = ((row->short_systems | MPX__ANY) & system) != 0;
        if ((by_name && mpx__is_word(word, row->name, fold)) ||
            (by_short_name && mpx__is_word(word, row->short_name, fold)))
            return mpx__type_of(row);
    }
    return MPX_NONE;
}

MPX_API mpx_status mpx_dtype_parse_n(const char *name, size_t len, mpx_parse_options opt,
                                     mpx_dtype *out, mpx_error *err) {
    mpx__slice word = mpx__slice_of(name, len);
    size_t start = 0;
    mpx_dtype type;
    MPX_ASSERT(out != NULL && (name != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    if (opt.dialect == MPX_DIALECT_EFORMER) {
        word = mpx__trim(word);
        start = word.n != 0 ? (size_t)(word.s - name) : 0;
    }
    if (word.n == 0 && opt.dialect == MPX_DIALECT_EFORMER_PUT) {
        *out = MPX_NONE;
        return mpx__fail(err, MPX_OK, 0, 0);
    }
    if (word.n == 0 && opt.dialect == MPX_DIALECT_ANY) return mpx__fail(err, MPX_ERR_EMPTY, 0, 0);
    type = mpx__lookup(word, &opt);
    if (type == MPX_NONE) return mpx__fail(err, MPX_ERR_DTYPE, start, word.n);
    *out = type;
    return mpx__fail(err, MPX_OK, 0, 0);
}

MPX_API mpx_status mpx_dtype_parse(const char *name, mpx_dtype *out) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_dtype_parse_n(name, mpx__length(name), any, out, NULL);
}
/*==========================================================================*
 * MARK: number - the exact codec: one element of any dtype                  *
 *   This room defines the result of every cast. A code of any dtype is      *
 *   loaded as sign, significand and exponent, and stored again with one     *
 *   rounding. It computes with integers only, so no floating-point mode and *
 *   no compiler flag changes a result. The kernels below it are faster ways *
 *   to the same bits; what a kernel cannot do is done here.                 *
 *==========================================================================*/

enum { MPX__ZERO_OR_FINITE = 0, MPX__INF, MPX__NAN };

/* 64 bits of significand where the build has a dtype that needs more than 32. */
#if MPX__HAS_64
typedef uint64_t mpx__sig;
enum { MPX__SIG_BITS = 64 };
#else
typedef uint32_t mpx__sig;
enum { MPX__SIG_BITS = 32 };
#endif

/* (-1)^sign * sig * 2^exp. The payload of a NaN stands at the top of sig. */
typedef struct mpx__number {
    mpx__sig sig;
    int32_t exp;
    unsigned sign;
    int kind;
} mpx__number;

MPX__INLINE void mpx__number_set(mpx__number *x, unsigned sign, int kind, mpx__sig sig,
                                 int32_t exp) {
    x->sig = sig;
    x->exp = exp;
    x->sign = sign;
    x->kind = kind;
}

/* ---- codes in memory ------------------------------------------------------------------------- */

/* Elements of 8 to 64 bits in the byte order of the machine. Codes below a byte stand here one in a
   byte, whose other bits may be anything. */
MPX__INLINE mpx__sig mpx__read_code(const void *p, unsigned bits) {
    if (MPX__HAS_BYTES && bits <= 8) return *(const unsigned char *)p & ((1u << bits) - 1u);
    if (bits == 16) return mpx__read16(p);
#if MPX__HAS_64
    if (bits == 64) return mpx__read64(p);
#endif
    return mpx__read32(p);
}
MPX__INLINE void mpx__write_code(void *p, unsigned bits, mpx__sig code) {
    if (MPX__HAS_BYTES && bits <= 8)
        *(unsigned char *)p = (unsigned char)(code & ((1u << bits) - 1u));
    else if (bits == 16)
        mpx__write16(p, (uint16_t)(code & 0xffffu));
#if MPX__HAS_64
    else if (bits == 64)
        mpx__write64(p, code);
#endif
    else
        mpx__write32(p, (uint32_t)code);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The fields of a float:   s eeee mmm   exponent_bits, mantissa_bits, bias and family of the row */
MPX__PRIVATE void mpx__load_float(mpx__number *x, mpx__sig code, const mpx__row *row) {
    const int family = mpx__family_of(row), m = row->mantissa_bits,
              ones = (1 << row->exponent_bits) - 1;
    const unsigned sign = family == MPX__E8M0 ? 0 : (unsigned)(code >> (row->bits - 1u));
    const mpx__sig hidden = (mpx__sig)1 << m, fraction = code & (hidden - 1u);
    const int exponent = (int)(code >> m) & ones;
    int kind = MPX__ZERO_OR_FINITE;
    if (exponent == ones && family == MPX__IEEE) kind = fraction != 0 ? MPX__NAN : MPX__INF;
    if (exponent == ones && family == MPX__FN && fraction == hidden - 1u) kind = MPX__NAN;
    if (family == MPX__FNUZ && code == (mpx__sig)1 << (row->bits - 1u)) kind = MPX__NAN;
    if (family == MPX__E8M0)
        mpx__number_set(x, 0, exponent == ones ? MPX__NAN : kind, exponent != ones,
                        exponent - row->bias);
    else if (kind != MPX__ZERO_OR_FINITE)
        mpx__number_set(x, sign, kind,
                        family == MPX__IEEE ? fraction << (MPX__SIG_BITS - m) : 0, 0);
    else
        mpx__number_set(x, sign, kind, exponent != 0 ? fraction | hidden : fraction,
                        exponent + (exponent == 0) - row->bias - m);
}

#if MPX__HAS_INT
/* Integers are magnitudes with a sign; bool is 0 or 1. */
MPX__INLINE void mpx__load_integer(mpx__number *x, mpx__sig code, const mpx__row *row) {
    const mpx__sig top = (mpx__sig)1 << (row->bits - 1u);
    const int negative = row->kind == MPX_KIND_INT && (code & top) != 0;
    if (negative) code = (top - (code & (top - 1u)));
    if (row->kind == MPX_KIND_BOOL) code = code != 0;
    mpx__number_set(x, (unsigned)negative, MPX__ZERO_OR_FINITE, code, 0);
}
#endif

MPX__INLINE void mpx__number_load(mpx__number *x, const void *p, const mpx__row *row) {
    const mpx__sig code = mpx__read_code(p, row->bits);
#if MPX__HAS_INT
    if (row->kind != MPX_KIND_FLOAT) {
        mpx__load_integer(x, code, row);
        return;
    }
#endif
    mpx__load_float(x, code, row);
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* The public modes, and rounding to odd: truncation, with the lowest bit set if anything was cut
   off. Rounding such an f32 again gives what rounding the number itself would, as f32 has at least
   two bits more than any narrower float (Boldo and Melquiond, When double rounding is odd, 2005).
*/
enum { MPX__TO_ODD = MPX_ROUND_STOCHASTIC + 1 };
/* The modes of integer targets: MPX__TO_WHOLE + MPX_INT_NEAREST and its like; others truncate. */
enum { MPX__TO_WHOLE = MPX__TO_ODD };
MPX__INLINE int mpx__to_whole(mpx_int_rounding rounding) { return MPX__TO_WHOLE + (int)rounding; }

/* How an element is rounded. random: 16 bits, for the stochastic mode. */
typedef struct mpx__rounding {
    uint32_t random;
    int mode, saturate;
} mpx__rounding;
static const mpx__rounding mpx__to_nearest = { 0, MPX_ROUND_NEAREST, 0 };

/* Shift the leading one to the highest bit; sig is not zero. */
MPX__INLINE void mpx__normalize(mpx__number *x) {
#if defined(__GNUC__) && \
    ((!MPX__COMPACT && MPX__HAS_64) || defined(__wasm__) || defined(__ARM_FEATURE_CLZ))
    const int n = MPX__HAS_64 ? __builtin_clzll(x->sig) : __builtin_clz((unsigned)x->sig);
    x->sig <<= n;
    x->exp -= n;
#else
    int step;
    for (step = MPX__SIG_BITS / 2; step != 0; step >>= 1) {
        if (x->sig >> (MPX__SIG_BITS - step) == 0) {
            x->sig <<= step;
            x->exp -= step;
        }
    }
#endif
}

/* Whether dropping `rest` (its leading bit is the highest) goes to the next code after q.
   Stochastic: the random bits are added at the top of the rest and may carry out of it. Ties of E8M0
   go up, as its q is the hidden bit alone, which is odd. */
MPX__INLINE int mpx__rounds_up(mpx__sig q, mpx__sig rest, const mpx__rounding *how) {
    const mpx__sig half = (mpx__sig)1 << (MPX__SIG_BITS - 1);
    if (how->mode == MPX_ROUND_NEAREST)
        return rest > half || (rest == half && (q & 1u) != 0);
    if (how->mode == MPX_ROUND_STOCHASTIC)
        return rest > (mpx__sig)-1 - ((mpx__sig)how->random << (MPX__SIG_BITS - 16));
    return 0;
}

/* The code of a finite magnitude as if the exponent field had no end.
     sig      1xxxxxxxxxxxxxx yyyyyyyyyyyyy    value = sig * 2^exp, leading one: exponent exp + top
              kept (q)        dropped (rest)   drop = top - m, more for subnormal results
   q holds the hidden bit, so (biased exponent - 1) is what it is added to; a carry moves into the
   exponent. E8M0 has an exponent and nothing else, from 2^-127 on. */
MPX__PRIVATE mpx__sig mpx__round_finite(const mpx__number *number, const mpx__row *row,
                                        const mpx__rounding *how) {
    const int top = MPX__SIG_BITS - 1, e8m0 = mpx__family_of(row) == MPX__E8M0;
    mpx__sig q, rest, code;
    int32_t biased, drop = top - row->mantissa_bits;
    mpx__number x;
    mpx__number_set(&x, 0, 0, number->sig, number->exp);
    if (x.sig == 0) return 0;
    mpx__normalize(&x);
    biased = x.exp + top + row->bias;
    if (e8m0 && biased < 0) return 0;
    if (biased < 1 && !e8m0) {
        drop += 1 - biased;
        biased = 1;
    }
    q = 0;
    rest = drop == top + 1 ? x.sig : 1;
    if (drop <= top) {
        q = x.sig >> drop;
        rest = x.sig << (top + 1 - drop);
    }
    if (how->mode == MPX_ROUND_STOCHASTIC && drop > top + 1 && drop <= 2 * top + 1)
        rest |= x.sig >> (drop - top - 1);
    code = ((mpx__sig)(biased - 1) << row->mantissa_bits) + q;
    if (how->mode == MPX__TO_ODD) return code | (rest != 0);
    return code + (unsigned)mpx__rounds_up(q, rest, how);
}

/* ---- storing --------------------------------------------------------------------------------- */

/* The largest finite magnitude of a float dtype, as its code. */
MPX__INLINE mpx__sig mpx__largest_code(const mpx__row *row) {
    const int family = mpx__family_of(row);
    const mpx__sig ones = ((mpx__sig)1 << (row->exponent_bits + row->mantissa_bits)) - 1u;
    if (family == MPX__IEEE) return ones - ((mpx__sig)1 << row->mantissa_bits);
    return family == MPX__FN || family == MPX__E8M0 ? ones - 1u : ones;
}

/* Overflow: Inf, or the NaN of formats without Inf, which is the next code (FNUZ: the sign bit
   alone), or the largest value in formats with neither. */
MPX__PRIVATE mpx__sig mpx__float_code(const mpx__number *x, const mpx__row *row,
                                      const mpx__rounding *how) {
    const mpx__sig largest = mpx__largest_code(row), sign_bit = (mpx__sig)1 << (row->bits - 1u),
                   sign = x->sign != 0 ? sign_bit : 0;
    const int family = mpx__family_of(row),
              stops = how->mode == MPX_ROUND_TOWARD_ZERO || how->mode == MPX__TO_ODD;
    mpx__sig code = largest + 1u;
    if (family == MPX__FINITE && x->kind == MPX__NAN) return sign ^ sign_bit;
    if (family == MPX__E8M0) {
        if (x->kind == MPX__NAN) return 255;
        if (x->sign != 0 || (x->kind != MPX__INF && x->sig == 0)) return how->saturate ? 0 : 255;
    } else if (x->kind == MPX__NAN) {
        if (family == MPX__FNUZ) return sign_bit;
        if (family == MPX__IEEE)
            code |= (mpx__sig)1 << (row->mantissa_bits - 1) |
                    x->sig >> (MPX__SIG_BITS - row->mantissa_bits);
        return sign | code;
    }
    if (x->kind != MPX__INF) {
        const mpx__sig most = stops ? largest : largest + 1u;
        code = mpx__round_finite(x, row, how);
        if (code > most) code = most;
    }
    if (code > largest && (how->saturate || family == MPX__FINITE)) code = largest;
    if (family == MPX__FNUZ && (code == 0 || code > largest)) return code == 0 ? 0 : sign_bit;
    return family == MPX__E8M0 ? code : sign | code;
}

#if MPX__HAS_INT
/* Whether a magnitude with this integer part and this fraction, which is at the top, goes to the
   next integer. */
MPX__INLINE int mpx__is_raised(const mpx__number *x, mpx__sig part, mpx__sig rest, int mode) {
    const mpx__sig half = (mpx__sig)1 << (MPX__SIG_BITS - 1);
    if (mode == mpx__to_whole(MPX_INT_NEAREST))
        return rest > half || (rest == half && (part & 1u) != 0);
    return rest != 0 && mode == mpx__to_whole(x->sign ? MPX_INT_DOWN : MPX_INT_UP);
}
/* The magnitude as an integer, at most limit; NaN gives 0. The significand of a float is shorter
   than a mpx__sig: what is shifted out of it entirely is below a half. */
MPX__INLINE mpx__sig mpx__integer_part(const mpx__number *x, mpx__sig limit, int mode) {
    mpx__sig part;
    if (x->kind != MPX__ZERO_OR_FINITE) return x->kind == MPX__INF ? limit : 0;
    if (x->sig == 0) return 0;
    if (x->exp <= -MPX__SIG_BITS) return (mpx__sig)mpx__is_raised(x, 0, 1, mode);
    if (x->exp < 0) {
        part = x->sig >> -x->exp;
        part += (mpx__sig)mpx__is_raised(x, part, x->sig << (MPX__SIG_BITS + x->exp), mode);
    } else if (x->exp >= MPX__SIG_BITS || x->sig > limit >> x->exp)
        return limit;
    else
        part = x->sig << x->exp;
    return part < limit ? part : limit;
}
MPX__PRIVATE mpx__sig mpx__integer_code(const mpx__number *x, const mpx__row *row, int mode) {
    const mpx__sig half = (mpx__sig)1 << (row->bits - 1u);
    if (row->kind == MPX_KIND_BOOL) return x->kind != MPX__ZERO_OR_FINITE || x->sig != 0;
    if (row->kind == MPX_KIND_UINT)
        return x->sign != 0 ? 0 : mpx__integer_part(x, half | (half - 1u), mode);
    return x->sign != 0 ? 0u - mpx__integer_part(x, half, mode)
                        : mpx__integer_part(x, half - 1u, mode);
}
#endif

MPX__INLINE void mpx__number_store(void *p, const mpx__row *row, const mpx__number *x,
                                   const mpx__rounding *how) {
    const mpx__sig code =
#if MPX__HAS_INT
        row->kind != MPX_KIND_FLOAT ? mpx__integer_code(x, row, how->mode) :
#endif
        mpx__float_code(x, row, how);
    mpx__write_code(p, row->bits, code);
}

/* ---- products, quotients and sums ------------------------------------------------------------ */

/* A product or quotient of two significands with the leading one at the highest bit, or one below
   it; the lowest bit stands for all that is cut off, which is enough for one rounding. Of b at most
   32 bits are in use, or 24 where a significand has 32. */
#if MPX__HAS_64
MPX__INLINE void mpx__long_product(mpx__number *a, const mpx__number *b) {
    const uint64_t by = b->sig >> 32, low = (a->sig & 0xffffffffu) * by,
                   high = (a->sig >> 32) * by + (low >> 32);
    a->sig = high | ((low & 0xffffffffu) != 0);
    a->exp += b->exp + 64;
}
#else
MPX__INLINE void mpx__long_product(mpx__number *a, const mpx__number *b) {
    const uint32_t m = a->sig >> 8, n = b->sig >> 8, x = m >> 16, y = n >> 16,
                   low = (m & 0xffffu) * (n & 0xffffu),
                   high = (x * y << 16) + x * (n & 0xffffu) + y * (m & 0xffffu) + (low >> 16);
    a->sig = high | ((low & 0xffffu) != 0);
    a->exp += b->exp + 32;
}
#endif
/* Halving both leaves room to double the remainder. */
MPX__INLINE void mpx__long_quotient(mpx__number *a, const mpx__number *b) {
    enum { bits = MPX__SIG_BITS == 64 ? 57 : 28 };
    const mpx__sig divisor = b->sig >> 1;
    mpx__sig rest = a->sig >> 1, q = 0;
    int i;
    for (i = 0; i < bits; i++) {
        const mpx__sig fits = rest >= divisor;
        q = q << 1 | fits;
        rest = (rest - (fits != 0 ? divisor : 0)) << 1;
    }
    a->sig = q | (rest != 0);
    a->exp -= b->exp + bits - 1;
}

/* a = a * by, or a / by: by, which is normalised, comes from an f32. To divide by Inf is to multiply
   by zero, and the other way round; where both come together, NaN with the sign of `by`. */
MPX__PRIVATE void mpx__number_scale(mpx__number *a, mpx__number *by, int divide) {
    const unsigned sign = a->sign ^ by->sign;
    const int by_inf = by->kind == MPX__INF, by_zero = !by_inf && by->sig == 0,
              makes_zero = divide ? by_inf : by_zero, makes_inf = divide ? by_zero : by_inf,
              is_zero = a->kind == MPX__ZERO_OR_FINITE && a->sig == 0;
    if (a->kind == MPX__NAN) return;
    if (by->kind == MPX__NAN || (a->kind == MPX__INF && makes_zero) || (is_zero && makes_inf)) {
        mpx__number_set(a, by->sign, MPX__NAN, by->kind == MPX__NAN ? by->sig : 0, 0);
    } else if (a->kind == MPX__INF || makes_inf) {
        mpx__number_set(a, sign, MPX__INF, 0, 0);
    } else if (is_zero || makes_zero) {
        mpx__number_set(a, sign, MPX__ZERO_OR_FINITE, 0, 0);
    } else {
        mpx__normalize(a);
        mpx__normalize(by);
        if (divide)
            mpx__long_quotient(a, by);
        else
            mpx__long_product(a, by);
        a->sign = sign;
    }
}

/* a = a + b, b destroyed; two bits below the last that counts, of which the lowest stands for all
   that is cut off, are enough for one rounding. The first NaN stays; Inf - Inf is a NaN without a
   sign; a sum that is zero is +0 but for -0 - 0. */
MPX__PRIVATE void mpx__number_add(mpx__number *a, mpx__number *b) {
    const mpx__number *more = a, *less = b;
    mpx__sig x, y;
    int32_t drop;
    if (a->kind != MPX__ZERO_OR_FINITE || b->kind != MPX__ZERO_OR_FINITE) {
        if (a->kind == MPX__INF && b->kind == MPX__INF && a->sign != b->sign)
            mpx__number_set(a, 0, MPX__NAN, 0, 0);
        else if (b->kind > a->kind)
            mpx__number_set(a, b->sign, b->kind, b->sig, 0);
        return;
    }
    if (a->sig == 0 && b->sig == 0) a->sign &= b->sign;
    if (b->sig == 0) return;
    if (a->sig == 0) {
        mpx__number_set(a, b->sign, b->kind, b->sig, b->exp);
        return;
    }
    mpx__normalize(a);
    mpx__normalize(b);
    if (a->exp < b->exp || (a->exp == b->exp && a->sig < b->sig)) {
        more = b;
        less = a;
    }
    drop = more->exp - less->exp;
    x = more->sig >> 1;
    y = less->sig >> 1;
    if (drop >= MPX__SIG_BITS)
        y = 1;
    else if (drop != 0)
        y = y >> drop | (y << (MPX__SIG_BITS - drop) != 0);
    x = more->sign == less->sign ? x + y : x - y;
    mpx__number_set(a, x != 0 ? more->sign : 0, MPX__ZERO_OR_FINITE, x, more->exp + 1);
}

/* f32 bits: a * b or a / b, rounded once, to nearest. WebAssembly has instructions for it, without
   modes; in assembly, as -ffast-math may do what it likes to C. */
#if defined(__wasm__) && defined(__GNUC__)
MPX__PRIVATE uint32_t mpx__f32_scaled(uint32_t a, uint32_t b, int divide) {
    const uint32_t inf = 0x7f800000u;
    const float x = mpx__float(a), y = mpx__float(b);
    float z;
    if (divide)
        __asm__("local.get %1\nlocal.get %2\nf32.div\nlocal.set %0" : "=r"(z) : "r"(x), "r"(y));
    else
        __asm__("local.get %1\nlocal.get %2\nf32.mul\nlocal.set %0" : "=r"(z) : "r"(x), "r"(y));
    if (mpx__opaque_bits(z) << 1 <= inf << 1) return mpx__opaque_bits(z);
    if (b << 1 <= inf << 1) b = (b & 0x80000000u) | inf;
    return (a << 1 > inf << 1 ? a : b) | 0x400000u;
}
#else
MPX__PRIVATE uint32_t mpx__f32_scaled(uint32_t a, uint32_t b, int divide) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__number x, by;
    mpx__load_float(&x, a, f32_row);
    mpx__load_float(&by, b, f32_row);
    mpx__number_scale(&x, &by, divide);
    return (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest);
}
#endif
MPX__INLINE uint32_t mpx__multiply(uint32_t a, uint32_t b) { return mpx__f32_scaled(a, b, 0); }
MPX__INLINE uint32_t mpx__divide(uint32_t a, uint32_t b) { return mpx__f32_scaled(a, b, 1); }
/*==========================================================================*
 * MARK: engine - how kernels are called, and the interface to all of them   *
 *   Every operation has the same data flow: load a block of a dtype, work   *
 *   on its lanes, store a block of a dtype. The rooms from simd_... to      *
 *   kernels are compiled for one instruction set. The rooms after them see  *
 *   it through an mpx__engine only.                                         *
 *==========================================================================*/

/* The arguments of one kernel, or of several that run one after the other. */
typedef struct mpx__job {
    const mpx__row *to, *from; /* the formats, which the exact codec uses too */
    mpx__rounding rounding;
    int stream; /* store past the caches: the target begins at a multiple of 64 bytes */
    int scales;
    /* Random bits: the keys of the seed, and the index of the first element. */
    uint32_t key0, key1;
    uint64_t index;
    /* Scaling, if `scales` is 1. by: the f32 bits of the factor or divisor. shift: what it adds to
       exponents if it is a power of two. not_finite: becomes 1 if a result is Inf or NaN. */
    uint32_t by;
    int divide, power_of_two, not_finite;
    int32_t shift;
} mpx__job;

/* For a cast to nearest, which uses no other member of a job. */
MPX__INLINE void mpx__job_cast(mpx__job *job, const mpx__row *to, const mpx__row *from) {
    job->to = to;
    job->from = from;
    job->rounding.mode = MPX_ROUND_NEAREST;
    job->rounding.saturate = job->stream = job->scales = 0;
}

/* n is a multiple of the engine's block. d may be s if the target is no wider. */
typedef void (*mpx__kernel_fn)(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job);

/* The floating-point environment that a kernel needs. ANY: it does not matter. MODES: rounding to
   nearest, subnormals kept. ALL: also no traps, and the caller's flags are restored afterwards. */
enum { MPX__ENV_ANY, MPX__ENV_MODES, MPX__ENV_ALL };
typedef struct mpx__kernel {
    mpx__kernel_fn run; /* NULL: there is none */
    int env;
} mpx__kernel;
MPX__INLINE mpx__kernel mpx__kernel_of(mpx__kernel_fn run, int env) {
    mpx__kernel kernel;
    kernel.run = run;
    kernel.env = env;
    return kernel;
}

/* A pair of forms, for switches over them. */
#define MPX__PAIR(to, from) ((int)(to) * 32 + (int)(from))

/* Sums of every sixteenth square, see reducing.h, as bits of f64. */
enum { MPX__SUMS = 16 };
typedef void (*mpx__squares_fn)(uint64_t sums[MPX__SUMS], const unsigned char *s, size_t n);

/* d += s, element by element; n is a multiple of 16. */
typedef void (*mpx__add_fn)(unsigned char *d, const unsigned char *s, size_t n);
/* Normalised integers of `bits` bits and f32 bits, in lanes, see norms.h. */
typedef void (*mpx__norms_fn)(unsigned char *x, size_t n, int bits, int is_signed);

/* The caller's floating-point environment, saved. */
typedef uint64_t mpx__env;

typedef struct mpx__engine {
    const char *isa;
    size_t block; /* elements, a multiple of 8 */
    mpx__kernel (*find_kernel)(int to, int from); /* from one form to another, if there is one */
    mpx__kernel (*find_scaling)(int to, int from, const mpx__job *job);
    mpx__kernel_fn round_tile, f32_to_bf16_at_random; /* NULL: there is none */
    uint32_t (*largest16)(const void *src, size_t n);
    uint32_t (*largest32)(const void *src, size_t n);
    uint32_t (*largest_upper32)(const void *src, size_t n);
    mpx__squares_fn squares_of_f32, squares_of_f64;
    mpx__add_fn add_f32, add_f64; /* these four: NULL without float instructions */
    /* Codes below a byte: from packed to one in a byte, and back. They return how many codes they
       have done, a multiple of eight. */
    size_t (*unpack)(unsigned char *codes, const unsigned char *s, unsigned bits, size_t n);
    size_t (*pack)(unsigned char *d, const unsigned char *codes, unsigned bits, size_t n);
    mpx__norms_fn to_norms, from_norms; /* NULL where no vertices are */
    int (*serves)(int env); /* 1: the caller's environment is what MODES or ALL asks for */
    mpx__env (*enter)(int env); /* 0: nothing has to be undone */
    void (*leave)(mpx__env saved); /* not if enter returned 0 */
    void (*fence)(void); /* after stores past the caches */
} mpx__engine;
/*==========================================================================*
 * MARK: exact - random bits, and the exact codec over many elements         *
 *==========================================================================*/

/* 16 random bits for element `index`: half of a 32-bit word whose counter is index / 2, the lower
   half for even elements. The word is the counter, xored with a key of the seed, through two
   multiply-xorshift rounds (constants: Wellons, hash-prospector "lowbias32") with a second key
   between them, so that seeds do not permute each other's words. The counter's high half is mixed
   into the second key. */
MPX__INLINE uint32_t mpx__mix32(uint32_t x, uint32_t key) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x ^= key;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
MPX__INLINE void mpx__seed_set(mpx__job *job, uint64_t random_seed) {
    const uint32_t low = (uint32_t)(random_seed & 0xffffffffu), high = (uint32_t)(random_seed >> 32);
    job->key0 = mpx__mix32(low ^ 0x9e3779b9u, high);
    job->key1 = mpx__mix32(high + 0x85ebca6bu, low);
}
/* The second key of the words from element `index` on, until the counter's high half changes. */
MPX__INLINE uint32_t mpx__second_key(const mpx__job *job, uint64_t index) {
    return job->key1 ^ mpx__mix32((uint32_t)(index >> 33) + job->key1, job->key0);
}
MPX__PRIVATE uint32_t mpx__random16(const mpx__job *job, uint64_t index) {
    const uint32_t counter = (uint32_t)(index >> 1 & 0xffffffffu),
                   word = mpx__mix32(counter ^ job->key0, mpx__second_key(job, index));
    return (index & 1u) != 0 ? word >> 16 : word & 0xffffu;
}

/* To f32 by rounding to odd, as random bits are added to what an f32 has. */
MPX__PRIVATE void mpx__number_to_f32(mpx__number *x) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__rounding how;
    how.mode = MPX__TO_ODD;
    how.saturate = 0;
    how.random = 0;
    mpx__load_float(x, mpx__float_code(x, f32_row, &how), f32_row);
}

/* n elements to nearest, one code in a byte where they are smaller. The target may be the source
   where it is no wider. */
MPX__PRIVATE void mpx__exact_nearest(unsigned char *d, const mpx__row *to, const unsigned char *s,
                                     const mpx__row *from, size_t n) {
    mpx__number x;
    for (; n != 0; n--, d += mpx__code_bytes(to), s += mpx__code_bytes(from)) {
        mpx__number_load(&x, s, from);
        mpx__number_store(d, to, &x, &mpx__to_nearest);
    }
}
/* The same, times or divided by the f32 with the bits u; mode: to nearest or to odd. Returns whether
   all that was scaled and stored is finite. */
MPX__PRIVATE int mpx__exact_scale(unsigned char *d, const mpx__row *to, const unsigned char *s,
                                  const mpx__row *from, size_t n, uint32_t u, int divide,
                                  int mode) {
    const size_t to_size = mpx__code_bytes(to), from_size = mpx__code_bytes(from);
    int not_finite = 0;
    mpx__rounding how;
    mpx__number x, by;
    how.mode = mode;
    how.saturate = 0;
    how.random = 0;
    mpx__load_float(&by, u, mpx__row_of(MPX_F32));
    for (; n != 0; n--, d += to_size, s += from_size) {
        mpx__number_load(&x, s, from);
        mpx__number_scale(&x, &by, divide);
        not_finite |= x.kind;
        mpx__number_store(d, to, &x, &how);
        mpx__number_load(&x, d, to);
        not_finite |= x.kind;
    }
    return !not_finite;
}
/* The same as job->to, from and rounding say, and scaled; the first has the index `index`. */
MPX__PRIVATE void mpx__exact_cast(unsigned char *d, const unsigned char *s, size_t n,
                                  uint64_t index, mpx__job *job) {
    const mpx__row *to = job->to, *from = job->from;
    const size_t to_size = mpx__code_bytes(to), from_size = mpx__code_bytes(from);
    const int at_random = job->rounding.mode == MPX_ROUND_STOCHASTIC;
    mpx__rounding how;
    mpx__number x;
    if (job->scales) {
        if (!mpx__exact_scale(d, to, s, from, n, job->by, job->divide, job->rounding.mode))
            job->not_finite = 1;
        return;
    }
    how.mode = job->rounding.mode;
    how.saturate = job->rounding.saturate;
    how.random = 0;
    for (; n != 0; n--, index++, d += to_size, s += from_size) {
        mpx__number_load(&x, s, from);
        if (at_random) how.random = mpx__random16(job, index);
        if (at_random && to->bits < 32) mpx__number_to_f32(&x);
        mpx__number_store(d, to, &x, &how);
    }
}
/*==========================================================================*
 * MARK: pass_names - what a pass of MPX_DISPATCH calls its functions        *
 *   Generated from the rooms of the engine by tools/amalgamate.py --names.  *
 *   With MPX_DISPATCH, mpx__add is mpx__add_avx2 in the pass for AVX2.      *
 *==========================================================================*/
#if MPX_DISPATCH
#define MPX__PASTE_(name, suffix) name##_##suffix
#define MPX__PASTE(name, suffix) MPX__PASTE_(name, suffix)
#define MPX__OF_PASS(name) MPX__PASTE(name, MPX__PASS)
#define mpx__vu MPX__OF_PASS(mpx__vu)
#define mpx__vf MPX__OF_PASS(mpx__vf)
#define mpx__vd MPX__OF_PASS(mpx__vd)
#define mpx__set MPX__OF_PASS(mpx__set)
#define mpx__and MPX__OF_PASS(mpx__and)
#define mpx__or MPX__OF_PASS(mpx__or)
#define mpx__xor MPX__OF_PASS(mpx__xor)
#define mpx__add MPX__OF_PASS(mpx__add)
#define mpx__sub MPX__OF_PASS(mpx__sub)
#define mpx__mul MPX__OF_PASS(mpx__mul)
#define mpx__shl MPX__OF_PASS(mpx__shl)
#define mpx__shr MPX__OF_PASS(mpx__shr)
#define mpx__sar MPX__OF_PASS(mpx__sar)
#define mpx__diagonal MPX__OF_PASS(mpx__diagonal)
#define mpx__shrv MPX__OF_PASS(mpx__shrv)
#define mpx__eq MPX__OF_PASS(mpx__eq)
#define mpx__gt_signed MPX__OF_PASS(mpx__gt_signed)
#define mpx__select MPX__OF_PASS(mpx__select)
#define mpx__gt MPX__OF_PASS(mpx__gt)
#define mpx__min MPX__OF_PASS(mpx__min)
#define mpx__max MPX__OF_PASS(mpx__max)
#define mpx__max_magnitude MPX__OF_PASS(mpx__max_magnitude)
#define mpx__max_upper MPX__OF_PASS(mpx__max_upper)
#define mpx__largest_lane MPX__OF_PASS(mpx__largest_lane)
#define mpx__at_most_i32 MPX__OF_PASS(mpx__at_most_i32)
#define mpx__any MPX__OF_PASS(mpx__any)
#define mpx__load32 MPX__OF_PASS(mpx__load32)
#define mpx__load16 MPX__OF_PASS(mpx__load16)
#define mpx__load8 MPX__OF_PASS(mpx__load8)
#define mpx__store32 MPX__OF_PASS(mpx__store32)
#define mpx__store_past MPX__OF_PASS(mpx__store_past)
#define mpx__fence MPX__OF_PASS(mpx__fence)
#define mpx__prefetch MPX__OF_PASS(mpx__prefetch)
#define mpx__add16 MPX__OF_PASS(mpx__add16)
#define mpx__sub16 MPX__OF_PASS(mpx__sub16)
#define mpx__max16 MPX__OF_PASS(mpx__max16)
#define mpx__max16s MPX__OF_PASS(mpx__max16s)
#define mpx__min16s MPX__OF_PASS(mpx__min16s)
#define mpx__gt16s MPX__OF_PASS(mpx__gt16s)
#define mpx__eq16 MPX__OF_PASS(mpx__eq16)
#define mpx__sum16s MPX__OF_PASS(mpx__sum16s)
#define mpx__mul16 MPX__OF_PASS(mpx__mul16)
#define mpx__dot16s MPX__OF_PASS(mpx__dot16s)
#define mpx__shift16 MPX__OF_PASS(mpx__shift16)
#define mpx__shift16_set MPX__OF_PASS(mpx__shift16_set)
#define mpx__shr16 MPX__OF_PASS(mpx__shr16)
#define mpx__at_most_i16 MPX__OF_PASS(mpx__at_most_i16)
#define mpx__add8 MPX__OF_PASS(mpx__add8)
#define mpx__min8 MPX__OF_PASS(mpx__min8)
#define mpx__gt8s MPX__OF_PASS(mpx__gt8s)
#define mpx__set64 MPX__OF_PASS(mpx__set64)
#define mpx__add64 MPX__OF_PASS(mpx__add64)
#define mpx__sub64 MPX__OF_PASS(mpx__sub64)
#define mpx__shr64 MPX__OF_PASS(mpx__shr64)
#define mpx__sign64 MPX__OF_PASS(mpx__sign64)
#define mpx__pack32s MPX__OF_PASS(mpx__pack32s)
#define mpx__pack16s MPX__OF_PASS(mpx__pack16s)
#define mpx__pack16 MPX__OF_PASS(mpx__pack16)
#define mpx__packed_once MPX__OF_PASS(mpx__packed_once)
#define mpx__packed_twice MPX__OF_PASS(mpx__packed_twice)
#define mpx__to_pair_once MPX__OF_PASS(mpx__to_pair_once)
#define mpx__to_pair_twice MPX__OF_PASS(mpx__to_pair_twice)
#define mpx__pair8 MPX__OF_PASS(mpx__pair8)
#define mpx__pair16 MPX__OF_PASS(mpx__pair16)
#define mpx__pair32 MPX__OF_PASS(mpx__pair32)
#define mpx__split64 MPX__OF_PASS(mpx__split64)
#define mpx__store_joined4 MPX__OF_PASS(mpx__store_joined4)
#define mpx__load_split4 MPX__OF_PASS(mpx__load_split4)
#define mpx__store_joined6 MPX__OF_PASS(mpx__store_joined6)
#define mpx__load_split6 MPX__OF_PASS(mpx__load_split6)
#define mpx__unpack_signed16 MPX__OF_PASS(mpx__unpack_signed16)
#define mpx__load_signed8to16 MPX__OF_PASS(mpx__load_signed8to16)
#define mpx__load_signed8 MPX__OF_PASS(mpx__load_signed8)
#define mpx__vf_of_bits MPX__OF_PASS(mpx__vf_of_bits)
#define mpx__bits_of_vf MPX__OF_PASS(mpx__bits_of_vf)
#define mpx__vd_of_bits MPX__OF_PASS(mpx__vd_of_bits)
#define mpx__bits_of_vd MPX__OF_PASS(mpx__bits_of_vd)
#define mpx__vf_of_i32 MPX__OF_PASS(mpx__vf_of_i32)
#define mpx__i32_of_vf MPX__OF_PASS(mpx__i32_of_vf)
#define mpx__fmul MPX__OF_PASS(mpx__fmul)
#define mpx__fmul_add MPX__OF_PASS(mpx__fmul_add)
#define mpx__fmax MPX__OF_PASS(mpx__fmax)
#define mpx__fmin MPX__OF_PASS(mpx__fmin)
#define mpx__vf_of_vd MPX__OF_PASS(mpx__vf_of_vd)
#define mpx__vd_of_vf MPX__OF_PASS(mpx__vd_of_vf)
#define mpx__vd_of_i32 MPX__OF_PASS(mpx__vd_of_i32)
#define mpx__i32_of_vd MPX__OF_PASS(mpx__i32_of_vd)
#define mpx__dmul MPX__OF_PASS(mpx__dmul)
#define mpx__fsub MPX__OF_PASS(mpx__fsub)
#define mpx__dadd MPX__OF_PASS(mpx__dadd)
#define mpx__fdiv MPX__OF_PASS(mpx__fdiv)
#define mpx__ddiv MPX__OF_PASS(mpx__ddiv)
#define mpx__unordered MPX__OF_PASS(mpx__unordered)
#define mpx__vf_of_u32 MPX__OF_PASS(mpx__vf_of_u32)
#define mpx__at_least_0 MPX__OF_PASS(mpx__at_least_0)
#define mpx__kept MPX__OF_PASS(mpx__kept)
#define mpx__where_above_0 MPX__OF_PASS(mpx__where_above_0)
#define mpx__shl16 MPX__OF_PASS(mpx__shl16)
#define mpx__at_least_0_8 MPX__OF_PASS(mpx__at_least_0_8)
#define mpx__pack32 MPX__OF_PASS(mpx__pack32)
#define mpx__table16 MPX__OF_PASS(mpx__table16)
#define mpx__entries MPX__OF_PASS(mpx__entries)
#define mpx__entries_or_zero MPX__OF_PASS(mpx__entries_or_zero)
#define mpx__load_signed16 MPX__OF_PASS(mpx__load_signed16)
#define mpx__load_signed8_one MPX__OF_PASS(mpx__load_signed8_one)
#define mpx__unpack_sixteen MPX__OF_PASS(mpx__unpack_sixteen)
#define mpx__load_unsigned8 MPX__OF_PASS(mpx__load_unsigned8)
#define mpx__store_vf_of_vd MPX__OF_PASS(mpx__store_vf_of_vd)
#define mpx__load_vd_of_vf MPX__OF_PASS(mpx__load_vd_of_vf)
#define mpx__load_vd_of_i32 MPX__OF_PASS(mpx__load_vd_of_i32)
#define mpx__dtruncate MPX__OF_PASS(mpx__dtruncate)
#define mpx__load_f16 MPX__OF_PASS(mpx__load_f16)
#define mpx__half_of_f16 MPX__OF_PASS(mpx__half_of_f16)
#define mpx__f16_pair MPX__OF_PASS(mpx__f16_pair)
#define mpx__store_f16_pair MPX__OF_PASS(mpx__store_f16_pair)
#define mpx__two_of_f16 MPX__OF_PASS(mpx__two_of_f16)
#define mpx__load_signed_words MPX__OF_PASS(mpx__load_signed_words)
#define mpx__two_of_e5m2 MPX__OF_PASS(mpx__two_of_e5m2)
#define mpx__load4_as_e5m2 MPX__OF_PASS(mpx__load4_as_e5m2)
#define mpx__upper_words MPX__OF_PASS(mpx__upper_words)
#define mpx__lower_words MPX__OF_PASS(mpx__lower_words)
#define mpx__upper_words_at MPX__OF_PASS(mpx__upper_words_at)
#define mpx__lower_words_at MPX__OF_PASS(mpx__lower_words_at)
#define mpx__bf16_of_words MPX__OF_PASS(mpx__bf16_of_words)
#define mpx__bf16_pair MPX__OF_PASS(mpx__bf16_pair)
#define mpx__quarter_at MPX__OF_PASS(mpx__quarter_at)
#define mpx__half_at MPX__OF_PASS(mpx__half_at)
#define mpx__join_upper16 MPX__OF_PASS(mpx__join_upper16)
#define mpx__entries_128 MPX__OF_PASS(mpx__entries_128)
#define mpx__env_serves MPX__OF_PASS(mpx__env_serves)
#define mpx__env_enter MPX__OF_PASS(mpx__env_enter)
#define mpx__env_leave MPX__OF_PASS(mpx__env_leave)
#define mpx__nan_mask MPX__OF_PASS(mpx__nan_mask)
#define mpx__nan_in_block MPX__OF_PASS(mpx__nan_in_block)
#define mpx__of_halves MPX__OF_PASS(mpx__of_halves)
#define mpx__half_of_vd MPX__OF_PASS(mpx__half_of_vd)
#define mpx__vd_of_half MPX__OF_PASS(mpx__vd_of_half)
#define mpx__vd_of_i64 MPX__OF_PASS(mpx__vd_of_i64)
#define mpx__vd_of_u64 MPX__OF_PASS(mpx__vd_of_u64)
#define mpx__f32_of_64 MPX__OF_PASS(mpx__f32_of_64)
#define mpx__i64_of_f64 MPX__OF_PASS(mpx__i64_of_f64)
#define mpx__u64_of_f64 MPX__OF_PASS(mpx__u64_of_f64)
#define mpx__subnormal_key MPX__OF_PASS(mpx__subnormal_key)
#define mpx__has_subnormal MPX__OF_PASS(mpx__has_subnormal)
#define mpx__bf16_block MPX__OF_PASS(mpx__bf16_block)
#define mpx__of_f16_half MPX__OF_PASS(mpx__of_f16_half)
#define mpx__fetch MPX__OF_PASS(mpx__fetch)
#define mpx__f32_of_u24 MPX__OF_PASS(mpx__f32_of_u24)
#define mpx__signs_of_16 MPX__OF_PASS(mpx__signs_of_16)
#define mpx__signs_of_32 MPX__OF_PASS(mpx__signs_of_32)
#define mpx__fproduct MPX__OF_PASS(mpx__fproduct)
#define mpx__fquotient MPX__OF_PASS(mpx__fquotient)
#define mpx__dproduct MPX__OF_PASS(mpx__dproduct)
#define mpx__dquotient MPX__OF_PASS(mpx__dquotient)
#define mpx__narrow MPX__OF_PASS(mpx__narrow)
#define mpx__finite MPX__OF_PASS(mpx__finite)
#define mpx__constants MPX__OF_PASS(mpx__constants)
#define mpx__modes_differ MPX__OF_PASS(mpx__modes_differ)
#define mpx__set16 MPX__OF_PASS(mpx__set16)
#define mpx__set8 MPX__OF_PASS(mpx__set8)
#define mpx__load4_fn MPX__OF_PASS(mpx__load4_fn)
#define mpx__store4_fn MPX__OF_PASS(mpx__store4_fn)
#define mpx__exact_block MPX__OF_PASS(mpx__exact_block)
#define mpx__is_special_code MPX__OF_PASS(mpx__is_special_code)
#define mpx__special_block MPX__OF_PASS(mpx__special_block)
#define mpx__loop MPX__OF_PASS(mpx__loop)
#define mpx__put1 MPX__OF_PASS(mpx__put1)
#define mpx__put2 MPX__OF_PASS(mpx__put2)
#define mpx__put4 MPX__OF_PASS(mpx__put4)
#define mpx__load4_f32 MPX__OF_PASS(mpx__load4_f32)
#define mpx__store4_f32 MPX__OF_PASS(mpx__store4_f32)
#define mpx__load4_nothing MPX__OF_PASS(mpx__load4_nothing)
#define mpx__decode_lanes MPX__OF_PASS(mpx__decode_lanes)
#define mpx__decode_row MPX__OF_PASS(mpx__decode_row)
#define mpx__load4_f8 MPX__OF_PASS(mpx__load4_f8)
#define mpx__from_row MPX__OF_PASS(mpx__from_row)
#define mpx__f8_to_f32_by_lanes MPX__OF_PASS(mpx__f8_to_f32_by_lanes)
#define mpx__quiet_nan MPX__OF_PASS(mpx__quiet_nan)
#define mpx__f32_of_bf16 MPX__OF_PASS(mpx__f32_of_bf16)
#define mpx__load4_bf16 MPX__OF_PASS(mpx__load4_bf16)
#define mpx__store_bf16 MPX__OF_PASS(mpx__store_bf16)
#define mpx__store16 MPX__OF_PASS(mpx__store16)
#define mpx__store4_bf16 MPX__OF_PASS(mpx__store4_bf16)
#define mpx__f32_of_f16 MPX__OF_PASS(mpx__f32_of_f16)
#define mpx__load4_f16 MPX__OF_PASS(mpx__load4_f16)
#define mpx__round_shift MPX__OF_PASS(mpx__round_shift)
#define mpx__shlv MPX__OF_PASS(mpx__shlv)
#define mpx__store_f16 MPX__OF_PASS(mpx__store_f16)
#define mpx__store4_f16 MPX__OF_PASS(mpx__store4_f16)
#define mpx__f32_of_signed MPX__OF_PASS(mpx__f32_of_signed)
#define mpx__load4_i8 MPX__OF_PASS(mpx__load4_i8)
#define mpx__load4_u8 MPX__OF_PASS(mpx__load4_u8)
#define mpx__load4_i16 MPX__OF_PASS(mpx__load4_i16)
#define mpx__load4_u16 MPX__OF_PASS(mpx__load4_u16)
#define mpx__bf16_to_f32 MPX__OF_PASS(mpx__bf16_to_f32)
#define mpx__f32_to_bf16 MPX__OF_PASS(mpx__f32_to_bf16)
#define mpx__f16_to_f32 MPX__OF_PASS(mpx__f16_to_f32)
#define mpx__f32_to_f16 MPX__OF_PASS(mpx__f32_to_f16)
#define mpx__i8_to_f32 MPX__OF_PASS(mpx__i8_to_f32)
#define mpx__u8_to_f32 MPX__OF_PASS(mpx__u8_to_f32)
#define mpx__i16_to_f32 MPX__OF_PASS(mpx__i16_to_f32)
#define mpx__u16_to_f32 MPX__OF_PASS(mpx__u16_to_f32)
#define mpx__upper_two MPX__OF_PASS(mpx__upper_two)
#define mpx__larger16 MPX__OF_PASS(mpx__larger16)
#define mpx__is_above16 MPX__OF_PASS(mpx__is_above16)
#define mpx__above_block MPX__OF_PASS(mpx__above_block)
#define mpx__nan_in MPX__OF_PASS(mpx__nan_in)
#define mpx__load_vd MPX__OF_PASS(mpx__load_vd)
#define mpx__f32_of_f64 MPX__OF_PASS(mpx__f32_of_f64)
#define mpx__f64_to_f32_in_halves MPX__OF_PASS(mpx__f64_to_f32_in_halves)
#define mpx__store4_f32_of_f64 MPX__OF_PASS(mpx__store4_f32_of_f64)
#define mpx__f64_to_f32 MPX__OF_PASS(mpx__f64_to_f32)
#define mpx__f32_to_f64_at MPX__OF_PASS(mpx__f32_to_f64_at)
#define mpx__store4_f64_of_f32 MPX__OF_PASS(mpx__store4_f64_of_f32)
#define mpx__f32_to_f64 MPX__OF_PASS(mpx__f32_to_f64)
#define mpx__to_29_zeros MPX__OF_PASS(mpx__to_29_zeros)
#define mpx__odd_of_f64 MPX__OF_PASS(mpx__odd_of_f64)
#define mpx__near_range_end MPX__OF_PASS(mpx__near_range_end)
#define mpx__f64_leaves_f32_range MPX__OF_PASS(mpx__f64_leaves_f32_range)
#define mpx__is_odd_wrong MPX__OF_PASS(mpx__is_odd_wrong)
#define mpx__odd_of_f64_at MPX__OF_PASS(mpx__odd_of_f64_at)
#define mpx__load4_f64_to_odd MPX__OF_PASS(mpx__load4_f64_to_odd)
#define mpx__store4_odd MPX__OF_PASS(mpx__store4_odd)
#define mpx__f64_to_odd MPX__OF_PASS(mpx__f64_to_odd)
#define mpx__f32_of_moved_f16 MPX__OF_PASS(mpx__f32_of_moved_f16)
#define mpx__f32_of_any_f16 MPX__OF_PASS(mpx__f32_of_any_f16)
#define mpx__load4_any_f16 MPX__OF_PASS(mpx__load4_any_f16)
#define mpx__key_of_f16 MPX__OF_PASS(mpx__key_of_f16)
#define mpx__f16_lanes MPX__OF_PASS(mpx__f16_lanes)
#define mpx__signed_f16 MPX__OF_PASS(mpx__signed_f16)
#define mpx__f64_to_f16 MPX__OF_PASS(mpx__f64_to_f16)
#define mpx__has_nan_bf16 MPX__OF_PASS(mpx__has_nan_bf16)
#define mpx__store4_f32_of_bf16 MPX__OF_PASS(mpx__store4_f32_of_bf16)
#define mpx__round_upper MPX__OF_PASS(mpx__round_upper)
#define mpx__quiet_upper MPX__OF_PASS(mpx__quiet_upper)
#define mpx__put_bf16 MPX__OF_PASS(mpx__put_bf16)
#define mpx__store4_bf16_of_f32 MPX__OF_PASS(mpx__store4_bf16_of_f32)
#define mpx__bf16_to_f16 MPX__OF_PASS(mpx__bf16_to_f16)
#define mpx__f16_to_bf16 MPX__OF_PASS(mpx__f16_to_bf16)
#define mpx__f64_to_bf16 MPX__OF_PASS(mpx__f64_to_bf16)
#define mpx__has_tie_or_nan MPX__OF_PASS(mpx__has_tie_or_nan)
#define mpx__f32_of_f64_to_pack MPX__OF_PASS(mpx__f32_of_f64_to_pack)
#define mpx__bf16_without_ties MPX__OF_PASS(mpx__bf16_without_ties)
#define mpx__store4_bf16_of_f64 MPX__OF_PASS(mpx__store4_bf16_of_f64)
#define mpx__narrow_set MPX__OF_PASS(mpx__narrow_set)
#define mpx__narrow_lanes MPX__OF_PASS(mpx__narrow_lanes)
#define mpx__code_words MPX__OF_PASS(mpx__code_words)
#define mpx__put_codes MPX__OF_PASS(mpx__put_codes)
#define mpx__narrow_block MPX__OF_PASS(mpx__narrow_block)
#define mpx__store4_f8 MPX__OF_PASS(mpx__store4_f8)
#define mpx__store4_f8_plain MPX__OF_PASS(mpx__store4_f8_plain)
#define mpx__store4_packed_f4 MPX__OF_PASS(mpx__store4_packed_f4)
#define mpx__f32_to_packed_f4 MPX__OF_PASS(mpx__f32_to_packed_f4)
#define mpx__f32_to_f8 MPX__OF_PASS(mpx__f32_to_f8)
#define mpx__f32_to_e4m3fn MPX__OF_PASS(mpx__f32_to_e4m3fn)
#define mpx__f64_to_f8 MPX__OF_PASS(mpx__f64_to_f8)
#define mpx__lane_fn MPX__OF_PASS(mpx__lane_fn)
#define mpx__even_bf16 MPX__OF_PASS(mpx__even_bf16)
#define mpx__odd_bf16 MPX__OF_PASS(mpx__odd_bf16)
#define mpx__narrow_words MPX__OF_PASS(mpx__narrow_words)
#define mpx__narrow_block16 MPX__OF_PASS(mpx__narrow_block16)
#define mpx__store4_f8_of_bf16 MPX__OF_PASS(mpx__store4_f8_of_bf16)
#define mpx__store4_f8_plain_of_bf16 MPX__OF_PASS(mpx__store4_f8_plain_of_bf16)
#define mpx__bf16_to_f8 MPX__OF_PASS(mpx__bf16_to_f8)
#define mpx__bf16_to_e4m3fn MPX__OF_PASS(mpx__bf16_to_e4m3fn)
#define mpx__f16_to_f8 MPX__OF_PASS(mpx__f16_to_f8)
#define mpx__f16_to_e4m3fn MPX__OF_PASS(mpx__f16_to_e4m3fn)
#define mpx__moved_f16 MPX__OF_PASS(mpx__moved_f16)
#define mpx__even_f16 MPX__OF_PASS(mpx__even_f16)
#define mpx__odd_f16 MPX__OF_PASS(mpx__odd_f16)
#define mpx__store4_f8_of_f16 MPX__OF_PASS(mpx__store4_f8_of_f16)
#define mpx__store4_f8_plain_of_f16 MPX__OF_PASS(mpx__store4_f8_plain_of_f16)
#define mpx__e5m2_words MPX__OF_PASS(mpx__e5m2_words)
#define mpx__store4_e5m2_of_f16 MPX__OF_PASS(mpx__store4_e5m2_of_f16)
#define mpx__f16_to_e5m2 MPX__OF_PASS(mpx__f16_to_e5m2)
#define mpx__finite_set MPX__OF_PASS(mpx__finite_set)
#define mpx__is_special_in MPX__OF_PASS(mpx__is_special_in)
#define mpx__put_words MPX__OF_PASS(mpx__put_words)
#define mpx__as_f16_set MPX__OF_PASS(mpx__as_f16_set)
#define mpx__two_as_f16 MPX__OF_PASS(mpx__two_as_f16)
#define mpx__store4_f32_as_f16 MPX__OF_PASS(mpx__store4_f32_as_f16)
#define mpx__f8_to_f32_as_f16 MPX__OF_PASS(mpx__f8_to_f32_as_f16)
#define mpx__lines_set MPX__OF_PASS(mpx__lines_set)
#define mpx__next_line MPX__OF_PASS(mpx__next_line)
#define mpx__word_of_code MPX__OF_PASS(mpx__word_of_code)
#define mpx__widen_set MPX__OF_PASS(mpx__widen_set)
#define mpx__look_up MPX__OF_PASS(mpx__look_up)
#define mpx__two_tables MPX__OF_PASS(mpx__two_tables)
#define mpx__shift_words MPX__OF_PASS(mpx__shift_words)
#define mpx__lower_exponent MPX__OF_PASS(mpx__lower_exponent)
#define mpx__widen_block MPX__OF_PASS(mpx__widen_block)
#define mpx__store4_words_of_f8 MPX__OF_PASS(mpx__store4_words_of_f8)
#define mpx__store4_f32_of_f8 MPX__OF_PASS(mpx__store4_f32_of_f8)
#define mpx__store4_words_of_f4 MPX__OF_PASS(mpx__store4_words_of_f4)
#define mpx__store4_f32_of_f4 MPX__OF_PASS(mpx__store4_f32_of_f4)
#define mpx__f8_to_words MPX__OF_PASS(mpx__f8_to_words)
#define mpx__f8_to_f32 MPX__OF_PASS(mpx__f8_to_f32)
#define mpx__f4_to_words MPX__OF_PASS(mpx__f4_to_words)
#define mpx__f4_to_f32 MPX__OF_PASS(mpx__f4_to_f32)
#define mpx__store4_words_of_packed_f4 MPX__OF_PASS(mpx__store4_words_of_packed_f4)
#define mpx__store4_f32_of_packed_f4 MPX__OF_PASS(mpx__store4_f32_of_packed_f4)
#define mpx__packed_f4_to_words MPX__OF_PASS(mpx__packed_f4_to_words)
#define mpx__packed_f4_to_f32 MPX__OF_PASS(mpx__packed_f4_to_f32)
#define mpx__quiet_e5m2 MPX__OF_PASS(mpx__quiet_e5m2)
#define mpx__store4_f16_of_e5m2 MPX__OF_PASS(mpx__store4_f16_of_e5m2)
#define mpx__e5m2_to_f16 MPX__OF_PASS(mpx__e5m2_to_f16)
#define mpx__load4_e5m2 MPX__OF_PASS(mpx__load4_e5m2)
#define mpx__e5m2_to_f32 MPX__OF_PASS(mpx__e5m2_to_f32)
#define mpx__e8m0_lanes MPX__OF_PASS(mpx__e8m0_lanes)
#define mpx__store4_e8m0 MPX__OF_PASS(mpx__store4_e8m0)
#define mpx__f32_to_e8m0 MPX__OF_PASS(mpx__f32_to_e8m0)
#define mpx__load4_64 MPX__OF_PASS(mpx__load4_64)
#define mpx__ones MPX__OF_PASS(mpx__ones)
#define mpx__loop_by_two MPX__OF_PASS(mpx__loop_by_two)
#define mpx__store_u8_of_i8 MPX__OF_PASS(mpx__store_u8_of_i8)
#define mpx__store_i8_of_u8 MPX__OF_PASS(mpx__store_i8_of_u8)
#define mpx__store_u16_of_i16 MPX__OF_PASS(mpx__store_u16_of_i16)
#define mpx__store_i16_of_u16 MPX__OF_PASS(mpx__store_i16_of_u16)
#define mpx__i8_to_u8 MPX__OF_PASS(mpx__i8_to_u8)
#define mpx__u8_to_i8 MPX__OF_PASS(mpx__u8_to_i8)
#define mpx__i16_to_u16 MPX__OF_PASS(mpx__i16_to_u16)
#define mpx__u16_to_i16 MPX__OF_PASS(mpx__u16_to_i16)
#define mpx__store_i8_of_i16 MPX__OF_PASS(mpx__store_i8_of_i16)
#define mpx__store_u8_of_i16 MPX__OF_PASS(mpx__store_u8_of_i16)
#define mpx__store_i8_of_u16 MPX__OF_PASS(mpx__store_i8_of_u16)
#define mpx__store_u8_of_u16 MPX__OF_PASS(mpx__store_u8_of_u16)
#define mpx__i16_to_i8 MPX__OF_PASS(mpx__i16_to_i8)
#define mpx__i16_to_u8 MPX__OF_PASS(mpx__i16_to_u8)
#define mpx__u16_to_i8 MPX__OF_PASS(mpx__u16_to_i8)
#define mpx__u16_to_u8 MPX__OF_PASS(mpx__u16_to_u8)
#define mpx__store_i16_of_i8 MPX__OF_PASS(mpx__store_i16_of_i8)
#define mpx__store_u16_of_i8 MPX__OF_PASS(mpx__store_u16_of_i8)
#define mpx__store_u16_of_u8 MPX__OF_PASS(mpx__store_u16_of_u8)
#define mpx__i8_to_i16 MPX__OF_PASS(mpx__i8_to_i16)
#define mpx__i8_to_u16 MPX__OF_PASS(mpx__i8_to_u16)
#define mpx__u8_to_u16 MPX__OF_PASS(mpx__u8_to_u16)
#define mpx__store_nonzero8 MPX__OF_PASS(mpx__store_nonzero8)
#define mpx__nonzero8 MPX__OF_PASS(mpx__nonzero8)
#define mpx__one_unless_zero MPX__OF_PASS(mpx__one_unless_zero)
#define mpx__store4_bool MPX__OF_PASS(mpx__store4_bool)
#define mpx__f32_to_bool MPX__OF_PASS(mpx__f32_to_bool)
#define mpx__from_bits_set MPX__OF_PASS(mpx__from_bits_set)
#define mpx__store_i8_of_i4 MPX__OF_PASS(mpx__store_i8_of_i4)
#define mpx__store_u8_of_u4 MPX__OF_PASS(mpx__store_u8_of_u4)
#define mpx__i4_to_i8 MPX__OF_PASS(mpx__i4_to_i8)
#define mpx__u4_to_u8 MPX__OF_PASS(mpx__u4_to_u8)
#define mpx__to_bits_set MPX__OF_PASS(mpx__to_bits_set)
#define mpx__store_i4_of_i8 MPX__OF_PASS(mpx__store_i4_of_i8)
#define mpx__store_u4_of_u8 MPX__OF_PASS(mpx__store_u4_of_u8)
#define mpx__i8_to_i4 MPX__OF_PASS(mpx__i8_to_i4)
#define mpx__u8_to_u4 MPX__OF_PASS(mpx__u8_to_u4)
#define mpx__load_unsigned16 MPX__OF_PASS(mpx__load_unsigned16)
#define mpx__load4_u32_as_i32 MPX__OF_PASS(mpx__load4_u32_as_i32)
#define mpx__i32_of_i64 MPX__OF_PASS(mpx__i32_of_i64)
#define mpx__u32_of_u64 MPX__OF_PASS(mpx__u32_of_u64)
#define mpx__u32_of_i64 MPX__OF_PASS(mpx__u32_of_i64)
#define mpx__load4_i64 MPX__OF_PASS(mpx__load4_i64)
#define mpx__load4_u64 MPX__OF_PASS(mpx__load4_u64)
#define mpx__i8_to_i32 MPX__OF_PASS(mpx__i8_to_i32)
#define mpx__u8_to_i32 MPX__OF_PASS(mpx__u8_to_i32)
#define mpx__i16_to_i32 MPX__OF_PASS(mpx__i16_to_i32)
#define mpx__u16_to_i32 MPX__OF_PASS(mpx__u16_to_i32)
#define mpx__u32_to_i32 MPX__OF_PASS(mpx__u32_to_i32)
#define mpx__i64_to_i32 MPX__OF_PASS(mpx__i64_to_i32)
#define mpx__u64_to_i32 MPX__OF_PASS(mpx__u64_to_i32)
#define mpx__store4_i8 MPX__OF_PASS(mpx__store4_i8)
#define mpx__store4_u8 MPX__OF_PASS(mpx__store4_u8)
#define mpx__store4_i16 MPX__OF_PASS(mpx__store4_i16)
#define mpx__store4_u16 MPX__OF_PASS(mpx__store4_u16)
#define mpx__store4_u32 MPX__OF_PASS(mpx__store4_u32)
#define mpx__put_64 MPX__OF_PASS(mpx__put_64)
#define mpx__store4_i64 MPX__OF_PASS(mpx__store4_i64)
#define mpx__store4_64_of_u32 MPX__OF_PASS(mpx__store4_64_of_u32)
#define mpx__store4_u64 MPX__OF_PASS(mpx__store4_u64)
#define mpx__i32_to_i8 MPX__OF_PASS(mpx__i32_to_i8)
#define mpx__i32_to_u8 MPX__OF_PASS(mpx__i32_to_u8)
#define mpx__i32_to_i16 MPX__OF_PASS(mpx__i32_to_i16)
#define mpx__i32_to_u16 MPX__OF_PASS(mpx__i32_to_u16)
#define mpx__i32_to_u32 MPX__OF_PASS(mpx__i32_to_u32)
#define mpx__i32_to_i64 MPX__OF_PASS(mpx__i32_to_i64)
#define mpx__i32_to_u64 MPX__OF_PASS(mpx__i32_to_u64)
#define mpx__i8_to_u32 MPX__OF_PASS(mpx__i8_to_u32)
#define mpx__i16_to_u32 MPX__OF_PASS(mpx__i16_to_u32)
#define mpx__u32_to_i8 MPX__OF_PASS(mpx__u32_to_i8)
#define mpx__u32_to_u8 MPX__OF_PASS(mpx__u32_to_u8)
#define mpx__u32_to_i16 MPX__OF_PASS(mpx__u32_to_i16)
#define mpx__u32_to_u16 MPX__OF_PASS(mpx__u32_to_u16)
#define mpx__u32_to_64 MPX__OF_PASS(mpx__u32_to_64)
#define mpx__load4_u32_of_i64 MPX__OF_PASS(mpx__load4_u32_of_i64)
#define mpx__load4_u32_of_u64 MPX__OF_PASS(mpx__load4_u32_of_u64)
#define mpx__i64_to_u32 MPX__OF_PASS(mpx__i64_to_u32)
#define mpx__u64_to_u32 MPX__OF_PASS(mpx__u64_to_u32)
#define mpx__lanes64_fn MPX__OF_PASS(mpx__lanes64_fn)
#define mpx__four_64 MPX__OF_PASS(mpx__four_64)
#define mpx__eight_64 MPX__OF_PASS(mpx__eight_64)
#define mpx__u64_of_i64 MPX__OF_PASS(mpx__u64_of_i64)
#define mpx__i64_of_u64 MPX__OF_PASS(mpx__i64_of_u64)
#define mpx__store_u64_of_i64 MPX__OF_PASS(mpx__store_u64_of_i64)
#define mpx__store_i64_of_u64 MPX__OF_PASS(mpx__store_i64_of_u64)
#define mpx__i64_to_u64 MPX__OF_PASS(mpx__i64_to_u64)
#define mpx__u64_to_i64 MPX__OF_PASS(mpx__u64_to_i64)
#define mpx__to_f32 MPX__OF_PASS(mpx__to_f32)
#define mpx__load4_f32_of_i8 MPX__OF_PASS(mpx__load4_f32_of_i8)
#define mpx__load4_f32_of_u8 MPX__OF_PASS(mpx__load4_f32_of_u8)
#define mpx__load4_f32_of_i16 MPX__OF_PASS(mpx__load4_f32_of_i16)
#define mpx__load4_f32_of_u16 MPX__OF_PASS(mpx__load4_f32_of_u16)
#define mpx__load4_f32_of_i32 MPX__OF_PASS(mpx__load4_f32_of_i32)
#define mpx__load4_f32_of_u32 MPX__OF_PASS(mpx__load4_f32_of_u32)
#define mpx__i32_to_f32 MPX__OF_PASS(mpx__i32_to_f32)
#define mpx__u32_to_f32 MPX__OF_PASS(mpx__u32_to_f32)
#define mpx__load4_whole MPX__OF_PASS(mpx__load4_whole)
#define mpx__is_beyond_i32 MPX__OF_PASS(mpx__is_beyond_i32)
#define mpx__pack_whole MPX__OF_PASS(mpx__pack_whole)
#define mpx__store4_i8_of_whole MPX__OF_PASS(mpx__store4_i8_of_whole)
#define mpx__store4_u8_of_whole MPX__OF_PASS(mpx__store4_u8_of_whole)
#define mpx__store4_i16_of_whole MPX__OF_PASS(mpx__store4_i16_of_whole)
#define mpx__store4_u16_of_whole MPX__OF_PASS(mpx__store4_u16_of_whole)
#define mpx__store4_i32_of_whole MPX__OF_PASS(mpx__store4_i32_of_whole)
#define mpx__u32_of_f32 MPX__OF_PASS(mpx__u32_of_f32)
#define mpx__store4_u32_of_f32 MPX__OF_PASS(mpx__store4_u32_of_f32)
#define mpx__f32_to_i8 MPX__OF_PASS(mpx__f32_to_i8)
#define mpx__f32_to_u8 MPX__OF_PASS(mpx__f32_to_u8)
#define mpx__f32_to_i16 MPX__OF_PASS(mpx__f32_to_i16)
#define mpx__f32_to_u16 MPX__OF_PASS(mpx__f32_to_u16)
#define mpx__f32_to_i32 MPX__OF_PASS(mpx__f32_to_i32)
#define mpx__f32_to_u32 MPX__OF_PASS(mpx__f32_to_u32)
#define mpx__i32_to_f64_at MPX__OF_PASS(mpx__i32_to_f64_at)
#define mpx__store4_f64_of_i32 MPX__OF_PASS(mpx__store4_f64_of_i32)
#define mpx__i32_to_f64 MPX__OF_PASS(mpx__i32_to_f64)
#define mpx__put_f64_of_u32 MPX__OF_PASS(mpx__put_f64_of_u32)
#define mpx__store4_f64_of_u32 MPX__OF_PASS(mpx__store4_f64_of_u32)
#define mpx__u32_to_f64 MPX__OF_PASS(mpx__u32_to_f64)
#define mpx__vd_of_halves MPX__OF_PASS(mpx__vd_of_halves)
#define mpx__sticky_64 MPX__OF_PASS(mpx__sticky_64)
#define mpx__f64_of_i64 MPX__OF_PASS(mpx__f64_of_i64)
#define mpx__f64_of_u64 MPX__OF_PASS(mpx__f64_of_u64)
#define mpx__vd_of_52_bits MPX__OF_PASS(mpx__vd_of_52_bits)
#define mpx__is_beyond_52_bits MPX__OF_PASS(mpx__is_beyond_52_bits)
#define mpx__store_f64_of_i64 MPX__OF_PASS(mpx__store_f64_of_i64)
#define mpx__store_f64_of_u64 MPX__OF_PASS(mpx__store_f64_of_u64)
#define mpx__any_f64_of_i64 MPX__OF_PASS(mpx__any_f64_of_i64)
#define mpx__any_f64_of_u64 MPX__OF_PASS(mpx__any_f64_of_u64)
#define mpx__four_f64_of_64 MPX__OF_PASS(mpx__four_f64_of_64)
#define mpx__odd_of_i64 MPX__OF_PASS(mpx__odd_of_i64)
#define mpx__odd_of_u64 MPX__OF_PASS(mpx__odd_of_u64)
#define mpx__store_odd_of_i64 MPX__OF_PASS(mpx__store_odd_of_i64)
#define mpx__store_odd_of_u64 MPX__OF_PASS(mpx__store_odd_of_u64)
#define mpx__i64_to_f64 MPX__OF_PASS(mpx__i64_to_f64)
#define mpx__u64_to_f64 MPX__OF_PASS(mpx__u64_to_f64)
#define mpx__i64_to_odd MPX__OF_PASS(mpx__i64_to_odd)
#define mpx__u64_to_odd MPX__OF_PASS(mpx__u64_to_odd)
#define mpx__whole_f64 MPX__OF_PASS(mpx__whole_f64)
#define mpx__load4_whole_f64 MPX__OF_PASS(mpx__load4_whole_f64)
#define mpx__f64_to_i32 MPX__OF_PASS(mpx__f64_to_i32)
#define mpx__i64_of_51_bits MPX__OF_PASS(mpx__i64_of_51_bits)
#define mpx__beyond_51_bits MPX__OF_PASS(mpx__beyond_51_bits)
#define mpx__are_51_bits MPX__OF_PASS(mpx__are_51_bits)
#define mpx__u64_of_51_bits MPX__OF_PASS(mpx__u64_of_51_bits)
#define mpx__store_i64_of_f64 MPX__OF_PASS(mpx__store_i64_of_f64)
#define mpx__store_u64_of_f64 MPX__OF_PASS(mpx__store_u64_of_f64)
#define mpx__f64_to_i64 MPX__OF_PASS(mpx__f64_to_i64)
#define mpx__f64_to_u64 MPX__OF_PASS(mpx__f64_to_u64)
#define mpx__four_f32_of_64 MPX__OF_PASS(mpx__four_f32_of_64)
#define mpx__load4_f32_of_i64 MPX__OF_PASS(mpx__load4_f32_of_i64)
#define mpx__load4_f32_of_u64 MPX__OF_PASS(mpx__load4_f32_of_u64)
#define mpx__f32_of_52_bits MPX__OF_PASS(mpx__f32_of_52_bits)
#define mpx__four_f32_of_52_bits MPX__OF_PASS(mpx__four_f32_of_52_bits)
#define mpx__any_f32_of_i64 MPX__OF_PASS(mpx__any_f32_of_i64)
#define mpx__any_f32_of_u64 MPX__OF_PASS(mpx__any_f32_of_u64)
#define mpx__i64_to_f32 MPX__OF_PASS(mpx__i64_to_f32)
#define mpx__u64_to_f32 MPX__OF_PASS(mpx__u64_to_f32)
#define mpx__random_words MPX__OF_PASS(mpx__random_words)
#define mpx__counters MPX__OF_PASS(mpx__counters)
#define mpx__lanes_have_counters MPX__OF_PASS(mpx__lanes_have_counters)
#define mpx__one_key_serves MPX__OF_PASS(mpx__one_key_serves)
#define mpx__spread_words MPX__OF_PASS(mpx__spread_words)
#define mpx__round_lanes MPX__OF_PASS(mpx__round_lanes)
#define mpx__limit_lanes MPX__OF_PASS(mpx__limit_lanes)
#define mpx__lifted_lanes MPX__OF_PASS(mpx__lifted_lanes)
#define mpx__round_elements MPX__OF_PASS(mpx__round_elements)
#define mpx__round_tile MPX__OF_PASS(mpx__round_tile)
#define mpx__dither_pair MPX__OF_PASS(mpx__dither_pair)
#define mpx__dither MPX__OF_PASS(mpx__dither)
#define mpx__f32_to_bf16_at_random MPX__OF_PASS(mpx__f32_to_bf16_at_random)
#define mpx__power_of_two MPX__OF_PASS(mpx__power_of_two)
#define mpx__factor MPX__OF_PASS(mpx__factor)
#define mpx__multiplies MPX__OF_PASS(mpx__multiplies)
#define mpx__scale_set MPX__OF_PASS(mpx__scale_set)
#define mpx__scale_end MPX__OF_PASS(mpx__scale_end)
#define mpx__scaled MPX__OF_PASS(mpx__scaled)
#define mpx__keep_largest MPX__OF_PASS(mpx__keep_largest)
#define mpx__put_scaled MPX__OF_PASS(mpx__put_scaled)
#define mpx__store4_product MPX__OF_PASS(mpx__store4_product)
#define mpx__store4_quotient MPX__OF_PASS(mpx__store4_quotient)
#define mpx__f32_times MPX__OF_PASS(mpx__f32_times)
#define mpx__f32_divided MPX__OF_PASS(mpx__f32_divided)
#define mpx__f16_times MPX__OF_PASS(mpx__f16_times)
#define mpx__bf16_times MPX__OF_PASS(mpx__bf16_times)
#define mpx__exponents_set MPX__OF_PASS(mpx__exponents_set)
#define mpx__move_exponents MPX__OF_PASS(mpx__move_exponents)
#define mpx__products MPX__OF_PASS(mpx__products)
#define mpx__store4_moved_bf16 MPX__OF_PASS(mpx__store4_moved_bf16)
#define mpx__bf16_moved MPX__OF_PASS(mpx__bf16_moved)
#define mpx__store4_moved_f16 MPX__OF_PASS(mpx__store4_moved_f16)
#define mpx__f16_moved MPX__OF_PASS(mpx__f16_moved)
#define mpx__scale64_set MPX__OF_PASS(mpx__scale64_set)
#define mpx__scaled64 MPX__OF_PASS(mpx__scaled64)
#define mpx__scaled_to_odd MPX__OF_PASS(mpx__scaled_to_odd)
#define mpx__put_scaled_odd MPX__OF_PASS(mpx__put_scaled_odd)
#define mpx__store4_odd_product MPX__OF_PASS(mpx__store4_odd_product)
#define mpx__store4_odd_quotient MPX__OF_PASS(mpx__store4_odd_quotient)
#define mpx__f32_times_to_odd MPX__OF_PASS(mpx__f32_times_to_odd)
#define mpx__f32_divided_to_odd MPX__OF_PASS(mpx__f32_divided_to_odd)
#define mpx__put_scaled64 MPX__OF_PASS(mpx__put_scaled64)
#define mpx__scale_f64 MPX__OF_PASS(mpx__scale_f64)
#define mpx__store4_product64 MPX__OF_PASS(mpx__store4_product64)
#define mpx__store4_quotient64 MPX__OF_PASS(mpx__store4_quotient64)
#define mpx__f64_times MPX__OF_PASS(mpx__f64_times)
#define mpx__f64_divided MPX__OF_PASS(mpx__f64_divided)
#define mpx__may_be_halfway MPX__OF_PASS(mpx__may_be_halfway)
#define mpx__f32_of_scaled64 MPX__OF_PASS(mpx__f32_of_scaled64)
#define mpx__scale_f64_to_f32 MPX__OF_PASS(mpx__scale_f64_to_f32)
#define mpx__store4_f32_of_product64 MPX__OF_PASS(mpx__store4_f32_of_product64)
#define mpx__store4_f32_of_quotient64 MPX__OF_PASS(mpx__store4_f32_of_quotient64)
#define mpx__f64_times_to_f32 MPX__OF_PASS(mpx__f64_times_to_f32)
#define mpx__f64_divided_to_f32 MPX__OF_PASS(mpx__f64_divided_to_f32)
#define mpx__move_set MPX__OF_PASS(mpx__move_set)
#define mpx__moved MPX__OF_PASS(mpx__moved)
#define mpx__store4_moved MPX__OF_PASS(mpx__store4_moved)
#define mpx__f32_moved MPX__OF_PASS(mpx__f32_moved)
#define mpx__find_scaling MPX__OF_PASS(mpx__find_scaling)
#define mpx__max_fn MPX__OF_PASS(mpx__max_fn)
#define mpx__larger_of_two MPX__OF_PASS(mpx__larger_of_two)
#define mpx__largest_lanes MPX__OF_PASS(mpx__largest_lanes)
#define mpx__largest32 MPX__OF_PASS(mpx__largest32)
#define mpx__largest_upper32 MPX__OF_PASS(mpx__largest_upper32)
#define mpx__largest16 MPX__OF_PASS(mpx__largest16)
#define mpx__add_square MPX__OF_PASS(mpx__add_square)
#define mpx__sums_load MPX__OF_PASS(mpx__sums_load)
#define mpx__sums_store MPX__OF_PASS(mpx__sums_store)
#define mpx__squares_of_f32 MPX__OF_PASS(mpx__squares_of_f32)
#define mpx__squares_of_f64 MPX__OF_PASS(mpx__squares_of_f64)
#define mpx__add_f32 MPX__OF_PASS(mpx__add_f32)
#define mpx__add_f64 MPX__OF_PASS(mpx__add_f64)
#define mpx__unpack_vectors MPX__OF_PASS(mpx__unpack_vectors)
#define mpx__pack_vectors MPX__OF_PASS(mpx__pack_vectors)
#define mpx__to_unorm MPX__OF_PASS(mpx__to_unorm)
#define mpx__from_unorm MPX__OF_PASS(mpx__from_unorm)
#define mpx__to_norms_of MPX__OF_PASS(mpx__to_norms_of)
#define mpx__from_norms_of MPX__OF_PASS(mpx__from_norms_of)
#define mpx__to_norms_here MPX__OF_PASS(mpx__to_norms_here)
#define mpx__from_norms_here MPX__OF_PASS(mpx__from_norms_here)
#define mpx__find_kernel MPX__OF_PASS(mpx__find_kernel)
#define mpx__engine_here MPX__OF_PASS(mpx__engine_here)
#define MPX__BLOCK MPX__OF_PASS(MPX__BLOCK)
#define MPX__VECTOR MPX__OF_PASS(MPX__VECTOR)
#define MPX__SUM_VECTORS MPX__OF_PASS(MPX__SUM_VECTORS)
#endif /* MPX_DISPATCH */
/*==========================================================================*
 * MARK: passes - the engine once, or once for each instruction set          *
 *   The rooms from simd_... to kernels are compiled in one pass. With       *
 *   MPX_DISPATCH this file includes itself once for each of three           *
 *   instruction sets, and dispatch.h chooses one at run time.               *
 *==========================================================================*/

#if MPX_DISPATCH
#define MPX__PASS sse2
#define MPX_ISA MPX_ISA_SSE2
#include MPX_FILE
#undef MPX__PASS
#undef MPX_ISA
#undef MPX__TARGET

#define MPX__PASS avx2
#define MPX_ISA MPX_ISA_AVX2
#define MPX__TARGET __attribute__((target("avx2,f16c,fma")))
#include MPX_FILE
#undef MPX__PASS
#undef MPX_ISA
#undef MPX__TARGET

#define MPX__PASS avx512
#define MPX_ISA MPX_ISA_AVX512
#define MPX__TARGET __attribute__((target("avx2,f16c,fma,avx512f,avx512bw,avx512vl,avx512dq")))
#include MPX_FILE
#undef MPX__PASS
#undef MPX_ISA
#undef MPX__TARGET
#define MPX__TARGET
#else
#define MPX__PASS
#endif
#endif /* MPX_IMPLEMENTATION */

#ifdef MPX__PASS /* the engine, for one instruction set */
/*==========================================================================*
 * MARK: simd_scalar - the vocabulary, one lane                              *
 *   The vocabulary is the functions in which the next rooms are written.    *
 *   Every instruction set has a room with these names; this one is plain C. *
 *   An mpx__vu is MPX__LANES unsigned lanes of 32 bits. Comparisons give    *
 *   all ones or zero per lane.                                              *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_SCALAR
#define MPX__LANES 1
#define MPX__ISA_NAME "scalar"

/* What an ISA has beyond integer lanes of 32 bits. Other rooms test these macros, never its name.
   HAS_FLOAT    IEEE float arithmetic, and integer lanes of other widths: all the functions of
                simd_sse2.h, for the rooms floats, small and ints
   HAS_MXCSR    x86's control word: float_env.h knows how to enter and leave
   HAS_STREAM   stores past the caches: mpx__store_past, fence, prefetch
   HAS_LOOKUP   tables of 16 bytes
   HAS_JOIN     codes of four and six bits, packed: mpx__load_split4, store_joined4 and 6
   NATIVE_F16   conversion instructions for f16
   F16_ENV ...  the environments that conversions need, see simd_generic.h
   OWN_...      a function of simd_generic.h, or a part of a room, of which the ISA has its own */
#define MPX__HAS_FLOAT 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_JOIN 0
#define MPX__NATIVE_F16 0

typedef uint32_t mpx__vu;

/* Memory: elements of 8, 16, 32 bits, widened to lanes with zeros, narrowed by dropping the upper
   bits. */
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) { return *(const unsigned char *)p; }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return mpx__read16(p); }
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return mpx__read32(p); }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) { mpx__write16(p, (uint16_t)v); }
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { mpx__write32(p, v); }

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return x; }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return a & b; }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return a | b; }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return a ^ b; }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return a + b; }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return a - b; }
/* The low 32 bits of a product. */
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return a * b; }
/* One count for all lanes, 0 to 31, not always a constant. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return a << n; }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return a >> n; }
/* Per-lane counts, 0 to 31. The asm hides the count: where clang vectorises for SSE2, it shifts to
   the left by a conversion from float to integer, which raises flags. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
#if defined(__clang__) && defined(__SSE2__)
    __asm__("" : "+r"(n));
#endif
    return a << n;
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
/* Comparisons of unsigned lanes and of signed ones, and what follows from them. */
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return a == b ? 0xffffffffu : 0u; }
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return a > b ? 0xffffffffu : 0u; }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return mpx__gt(a ^ 0x80000000u, b ^ 0x80000000u);
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return a < b ? a : b; }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return a > b ? a : b; }
/* mask ? a : b, bit by bit. */
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return (a & mask) | (b & ~mask);
}
/* Is any bit of any lane set? */
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return a != 0; }

/* The f32 bits of an integer below 2^24: exact. Other ISAs use their conversion instruction, not
   (float)x, which compilers expand in ways that depend on the rounding mode. There is no float
   arithmetic here, for which cores without an FPU would call a library: the leading one is moved to
   bit 23 in steps of 16, 8, 4, 2, 1, and the exponent falls by as much. */
#if defined(__GNUC__) && !MPX__COMPACT
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    const uint32_t by = (uint32_t)__builtin_clz(a | 1u) - 8u;
    return ((mpx__shlv(a, by) & 0x7fffffu) | (150u - by) << 23) & (0u - (uint32_t)(a != 0));
}
#else
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    uint32_t m = a, exponent = 127u + 23u, step;
    for (step = 16; step != 0; step >>= 1) {
        uint32_t by = m >> (24u - step) != 0 ? 0u : step;
        m <<= by;
        exponent -= by;
    }
    return a != 0 ? (m & 0x7fffffu) | exponent << 23 : 0u;
}
#endif

/* A lane of 32 bits is two lanes of 16: the larger of each. */
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__max(a & 0xffffu, b & 0xffffu) | mpx__max(a & 0xffff0000u, b & 0xffff0000u);
}

#endif /* MPX_ISA_SCALAR */
/*==========================================================================*
 * MARK: simd_sse2 - the vocabulary, four lanes                              *
 *   SSE2 alone, which every x86-64 has: unsigned comparisons, minimum and   *
 *   shifts by lane take a few instructions each.                            *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_SSE2
#define MPX__LANES 4
#define MPX__ISA_NAME "sse2"
#define MPX__HAS_FLOAT 1
#define MPX__HAS_MXCSR 1
#define MPX__HAS_STREAM 1
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_JOIN 1
#define MPX__NATIVE_F16 0

typedef __m128i mpx__vu;
typedef __m128 mpx__vf;
typedef __m128d mpx__vd;

/* ---- lanes of 32 bits ------------------------------------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm_and_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm_or_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm_xor_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm_sub_epi32(a, b); }
/* Products of two lanes: first of the even ones, then of the odd ones. */
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) {
    mpx__vu even = _mm_mul_epu32(a, b),
            odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return _mm_slli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return _mm_srli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return _mm_srai_epi32(a, n); }
/* Lane i of ci, for i = 0 to 3. The asm hides the operands: clang would recognise a shift by lane
   and make it of float instructions, which raise flags. */
MPX__FORCE_INLINE mpx__vu mpx__diagonal(mpx__vu c0, mpx__vu c1, mpx__vu c2, mpx__vu c3) {
#if defined(__clang__)
    __asm__("" : "+x"(c0), "+x"(c1), "+x"(c2), "+x"(c3));
#endif
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(c0, _mm_srli_si128(c1, 4)),
                              _mm_unpackhi_epi32(c2, _mm_srli_si128(c3, 4)));
}
/* All lanes by each count in turn, which must be alone in the lower half of a register. */
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    mpx__vu zero = _mm_setzero_si128(), lo = _mm_unpacklo_epi32(n, zero),
            hi = _mm_unpackhi_epi32(n, zero);
    return mpx__diagonal(_mm_srl_epi32(a, lo), _mm_srl_epi32(a, _mm_srli_si128(lo, 8)),
                         _mm_srl_epi32(a, hi), _mm_srl_epi32(a, _mm_srli_si128(hi, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return _mm_cmpeq_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__or(mpx__and(mask, a), _mm_andnot_si128(mask, b));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    const mpx__vu top = mpx__set(0x80000000u);
    return _mm_cmpgt_epi32(mpx__xor(a, top), mpx__xor(b, top));
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), b, a);
}
/* The larger of magnitudes below 2^31: all of it; right in the upper half only. The largest lane.
   */
#define MPX__OWN_MAX_MAGNITUDE 1
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) {
    return mpx__select(_mm_cmpgt_epi32(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    a = mpx__max_magnitude(a, _mm_shuffle_epi32(a, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(mpx__max_magnitude(a, _mm_shuffle_epi32(a, 0xb1)));
}
#define MPX__OWN_AT_MOST_I32 1
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return mpx__and(mpx__or(a, mpx__sar(a, 31)), mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff;
}

/* ---- memory ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    const mpx__vu zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(
        _mm_unpacklo_epi8(_mm_cvtsi32_si128((int)mpx__read32(p)), zero), zero);
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm_storeu_si128((__m128i *)p, v); }
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v) { _mm_stream_si128((__m128i *)p, v); }
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* ---- lanes of 16, of 8 and of 64 bits -------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { /* of lanes below 2^15 */
    return _mm_max_epi16(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return _mm_cmpeq_epi16(a, b); }
/* A sum that saturates; the lower half of a product; per lane of 32 bits, a sum of two products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm_madd_epi16(a, b); }
/* Shift lanes of 16 bits right by 1 to 15, a count that is set before the loop: by a product. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm_mulhi_epu16(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm_sub_epi16(a, _mm_subs_epu16(a, mpx__set(0x7fff7fffu)));
}

MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi8(a, b); }

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm_set1_epi64x((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return _mm_srli_epi64(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xf5);
}

/* ---- packing and pairing --------------------------------------------------------------------- */

/* Two vectors to lanes of half the width, saturated: signed to signed, and (pack16) signed to
   unsigned. The result is in order. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm_packus_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
/* Join lanes of 8, 16 or 32 bits to lanes twice as wide: the lower half from a, the upper from b.
   */
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm_unpacklo_epi8(a, b);
    *high = _mm_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm_unpacklo_epi16(a, b);
    *high = _mm_unpackhi_epi16(a, b);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm_unpacklo_epi32(a, b);
    *high = _mm_unpackhi_epi32(a, b);
}
/* The lower and the upper halves of two vectors' lanes of 64 bits. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
    *low = _mm_castps_si128(_mm_shuffle_ps(x, y, 0x88));
    *high = _mm_castps_si128(_mm_shuffle_ps(x, y, 0xdd));
}

/* Codes of four and of six bits, one in a byte, to packed ones and back. 16 codes of six bits are
   12 bytes: two codes become 12 bits, four become 24, eight 48, all of them 96. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
    _mm_storel_epi64((__m128i *)p, mpx__pack16(codes, codes));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    const mpx__vu four = mpx__set(0x0f0f0f0fu);
    mpx__vu v = _mm_loadl_epi64((const __m128i *)p);
    return _mm_unpacklo_epi8(mpx__and(v, four), mpx__and(mpx__shr(v, 4), four));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    const mpx__vu even = _mm_set_epi32(0, -1, 0, -1);
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    v = mpx__or(mpx__and(v, even), _mm_srli_epi64(_mm_andnot_si128(even, v), 8));
    v = mpx__or(_mm_move_epi64(v), _mm_slli_si128(_mm_srli_si128(v, 8), 6));
    _mm_storel_epi64((__m128i *)p, v);
    mpx__write32((unsigned char *)p + 8, (uint32_t)_mm_cvtsi128_si32(_mm_srli_si128(v, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const mpx__vu even = _mm_set_epi32(0, 0xffffff, 0, 0xffffff);
    const unsigned char *s = (const unsigned char *)p;
    mpx__vu v = _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p),
                                   _mm_cvtsi32_si128((int)mpx__read32(s + 8)));
    v = _mm_unpacklo_epi64(v, _mm_srli_si128(v, 6));
    v = mpx__or(mpx__and(v, even), _mm_andnot_si128(even, _mm_slli_epi64(v, 8)));
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    mpx__pair16(a, _mm_cmpgt_epi16(_mm_setzero_si128(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__load32(p);
    mpx__pair8(a, _mm_cmpgt_epi8(_mm_setzero_si128(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    mpx__vu w[2];
    mpx__load_signed8to16(w, p);
    mpx__unpack_signed16(v, w[0]);
    mpx__unpack_signed16(v + 2, w[1]);
}

/* ---- floats ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return _mm_castsi128_ps(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) { return _mm_castps_si128(f); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return _mm_castsi128_pd(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) { return _mm_castpd_si128(d); }

/* i32 to f32; f32 to i32, truncated: NaN and values out of range become -2^31. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return _mm_cvtepi32_ps(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) { return _mm_cvttps_epi32(a); }
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return _mm_mul_ps(a, b); }
/* Rounded once or twice: for products whose rounding does not matter. */
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
/* Maximum and minimum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) { return _mm_max_ps(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmin(mpx__vf a, mpx__vf b) { return _mm_min_ps(a, b); }
/* One vector of f32, or of i32, and two of f64. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b));
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = _mm_cvtps_pd(a);
    v[1] = _mm_cvtps_pd(_mm_movehl_ps(a, a));
}
MPX__FORCE_INLINE void mpx__vd_of_i32(mpx__vd v[2], mpx__vu a) {
    v[0] = _mm_cvtepi32_pd(a);
    v[1] = _mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return _mm_unpacklo_epi64(_mm_cvttpd_epi32(a), _mm_cvttpd_epi32(b));
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return _mm_mul_pd(a, b); }
/* In assembly: under -ffast-math compilers reorder additions, assume that there is no NaN, and
   approximate quotients. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vf mpx__fsub(mpx__vf a, mpx__vf b) {
    __asm__("subps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    __asm__("addpd {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    __asm__("divps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    __asm__("divpd {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    __asm__("cmpunordps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return mpx__bits_of_vf(a);
}
#else
MPX__FORCE_INLINE mpx__vf mpx__fsub(mpx__vf a, mpx__vf b) { return _mm_sub_ps(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) { return _mm_add_pd(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) { return _mm_div_ps(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) { return _mm_div_pd(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    return mpx__bits_of_vf(_mm_cmpunord_ps(a, b));
}
#endif
/* Unsigned integers of 32 bits, rounded once and without a conversion. The high half, as 2^39 +
   high * 2^16, less 2^39 + 2^23, and the low half, as 2^23 + low, are added. */
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) {
    mpx__vu low = mpx__or(mpx__and(a, mpx__set(0xffff)), mpx__set(0x4b000000u)),
            high = mpx__or(mpx__shr(a, 16), mpx__set(0x53000000u));
    return _mm_add_ps(mpx__fsub(mpx__vf_of_bits(high), mpx__vf_of_bits(mpx__set(0x53000080u))),
                      mpx__vf_of_bits(low));
}

#endif /* MPX_ISA_SSE2 */
/*==========================================================================*
 * MARK: simd_avx2 - the vocabulary, eight lanes                             *
 *   AVX2 with F16C and FMA: x86-64-v3, all of Haswell, Zen and later.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX2
#define MPX__LANES 8
#define MPX__ISA_NAME "avx2"
#define MPX__HAS_FLOAT 1
#define MPX__HAS_MXCSR 1
#define MPX__HAS_STREAM 1
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_JOIN 1
#define MPX__NATIVE_F16 1
#define MPX__F16_ENV (MPX_KEEP_FLAGS ? MPX__ENV_ALL : MPX__ENV_ANY)
#define MPX__TO_F16_ENV MPX__F16_ENV

typedef __m256i mpx__vu;
typedef __m256 mpx__vf;
typedef __m256d mpx__vd;

/* ---- lanes of 32 bits ------------------------------------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm256_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm256_and_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm256_or_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm256_xor_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm256_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm256_sub_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return _mm256_mullo_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return _mm256_slli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return _mm256_srli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return _mm256_srai_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return _mm256_srlv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return _mm256_min_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return _mm256_max_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return _mm256_cmpeq_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm256_blendv_epi8(b, a, mask);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return !_mm256_testz_si256(a, a); }
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    __m128i x = _mm_max_epu32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xb1)));
}
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return _mm256_max_epi32(a, _mm256_setzero_si256());
}

/* ---- memory ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm256_storeu_si256((__m256i *)p, v); }
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v) { _mm256_stream_si256((__m256i *)p, v); }
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}
/* A constant that stays in its register: gcc would load it again in each round of a loop. */
MPX__FORCE_INLINE mpx__vu mpx__kept(mpx__vu constant) {
    MPX__KEEP_VALUE(constant);
    return constant;
}

/* ---- lanes of 16, of 8 and of 64 bits -------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm256_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm256_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return _mm256_max_epu16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm256_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm256_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi16(a, b); }
#define MPX__OWN_WHERE_ABOVE_0 1
MPX__FORCE_INLINE mpx__vu mpx__where_above_0(mpx__vu a, mpx__vu b) {
    return _mm256_sign_epi16(b, a);
}
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return _mm256_cmpeq_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm256_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm256_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm256_madd_epi16(a, b); }
/* Shift lanes of 16 bits right by 1 to 15, a count that is set before the loop: by a product. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shl16(mpx__vu a, int n) { return _mm256_slli_epi16(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm256_mulhi_epu16(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm256_min_epu16(a, mpx__set(0x7fff7fffu));
}

MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm256_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm256_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi8(a, b); }
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return _mm256_max_epi8(a, _mm256_setzero_si256());
}

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm256_set1_epi64x((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm256_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm256_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return _mm256_srli_epi64(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
}

/* ---- packing and pairing --------------------------------------------------------------------- */

/* Both work within each half of the register. mpx__packed_once and _twice put lanes in order that
   were packed so often; mpx__to_pair_once and _twice arrange lanes that will be paired so often. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm256_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm256_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm256_packus_epi16(a, b); }
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) { return _mm256_packus_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return _mm256_permute4x64_epi64(a, 0xd8); }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm256_permute4x64_epi64(a, 0xd8);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
}
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm256_unpacklo_epi8(a, b);
    *high = _mm256_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm256_unpacklo_epi16(a, b);
    *high = _mm256_unpackhi_epi16(a, b);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm256_unpacklo_epi32(a, b);
    *high = _mm256_unpackhi_epi32(a, b);
}
/* The lower and the upper halves of two vectors' lanes of 64 bits, ordered as lanes packed once. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
    *low = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88));
    *high = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd));
}
/* Tables of 16 bytes. The entry of each byte; _or_zero gives 0 for bytes from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return _mm256_shuffle_epi8(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return _mm256_shuffle_epi8(table, _mm256_add_epi8(i, mpx__set(0x70707070u)));
}

/* Codes of four and of six bits, one in a byte, to packed ones and back. 32 codes of six bits are
   24 bytes; each half of the register has 12 of them. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = _mm256_maddubs_epi16(codes, mpx__set(0x10011001u));
    codes = mpx__packed_once(_mm256_packus_epi16(codes, codes));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(codes));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    mpx__vu two = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
    return mpx__and(mpx__or(two, mpx__shl(two, 4)), mpx__set(0x0f0f0f0fu));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    const mpx__vu three_of_four = _mm256_broadcastsi128_si256(
        _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
    v = _mm256_maddubs_epi16(v, mpx__set(0x40014001u));
    v = _mm256_shuffle_epi8(mpx__dot16s(v, mpx__set(0x10000001u)), three_of_four);
    v = _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(7, 3, 6, 5, 4, 2, 1, 0));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(v));
    _mm_storel_epi64((__m128i *)p + 1, _mm256_extracti128_si256(v, 1));
}
/* Words of 16 bits have two codes each, from bit 0 on in even words, from bit 4 on in odd ones. A
   product moves the former to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const mpx__vu overlapping = _mm256_broadcastsi128_si256(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    mpx__vu v = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
        _mm_loadl_epi64((const __m128i *)p + 1), 1);
    v = _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(6, 5, 4, 3, 3, 2, 1, 0));
    v = mpx__mul16(_mm256_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(mpx__shr(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(mpx__shr(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    a = mpx__to_pair_once(a);
    mpx__pair16(a, _mm256_cmpgt_epi16(_mm256_setzero_si256(), a), v, v + 1);
}
#define MPX__OWN_LOAD_SIGNED16 1
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    v[0] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
    v[1] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p + 1));
}
MPX__FORCE_INLINE mpx__vu mpx__load_signed8_one(const unsigned char *p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    v[0] = mpx__load_signed8_one(s);
    v[1] = mpx__load_signed8_one(s + 8);
    v[2] = mpx__load_signed8_one(s + 16);
    v[3] = mpx__load_signed8_one(s + 24);
}
/* Sixteen bytes, loaded to both halves of the register, as lanes of 32 bits: half as many loads. */
MPX__FORCE_INLINE void mpx__unpack_sixteen(mpx__vu v[2], const unsigned char *p) {
    const mpx__vu a = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p));
    const mpx__vu first = _mm256_set_epi8(-1, -1, -1, 7, -1, -1, -1, 6, -1, -1, -1, 5, -1, -1, -1,
                                          4, -1, -1, -1, 3, -1, -1, -1, 2, -1, -1, -1, 1, -1, -1,
                                          -1, 0);
    v[0] = _mm256_shuffle_epi8(a, first);
    v[1] = _mm256_shuffle_epi8(a, mpx__add(first, mpx__set(8)));
}
#define MPX__OWN_LOAD_UNSIGNED8 1
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    mpx__unpack_sixteen(v, s);
    mpx__unpack_sixteen(v + 2, s + 16);
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__to_pair_once(mpx__load32(p));
    mpx__pair8(a, _mm256_cmpgt_epi8(_mm256_setzero_si256(), a), v, v + 1);
}

/* ---- floats ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return _mm256_castsi256_ps(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) { return _mm256_castps_si256(f); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return _mm256_castsi256_pd(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) { return _mm256_castpd_si256(d); }

/* i32 to f32; f32 to i32, truncated: NaN and values out of range become -2^31. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return _mm256_cvtepi32_ps(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) { return _mm256_cvttps_epi32(a); }
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return _mm256_mul_ps(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return _mm256_fmadd_ps(a, b, c);
}
/* Maximum and minimum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) {
    return mpx__vf_of_bits(_mm256_max_epi32(mpx__bits_of_vf(a), mpx__bits_of_vf(b)));
}
/* One vector of f32, or of i32, and two of f64. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1);
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
    v[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}
MPX__FORCE_INLINE void mpx__vd_of_i32(mpx__vd v[2], mpx__vu a) {
    v[0] = _mm256_cvtepi32_pd(_mm256_castsi256_si128(a));
    v[1] = _mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(a)),
                                   _mm256_cvttpd_epi32(b), 1);
}
/* From and to memory: no vector is joined or split (1.5 times as fast on Zen 3). */
#define MPX__OWN_HALVES 1
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    _mm_storeu_ps((float *)p, _mm256_cvtpd_ps(a));
    _mm_storeu_ps((float *)p + 4, _mm256_cvtpd_ps(b));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    v[0] = _mm256_cvtps_pd(_mm_loadu_ps((const float *)p));
    v[1] = _mm256_cvtps_pd(_mm_loadu_ps((const float *)p + 4));
}
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    v[0] = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)p));
    v[1] = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)p + 1));
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return _mm256_mul_pd(a, b); }
#define MPX__OWN_TRUNCATE 1
MPX__FORCE_INLINE mpx__vd mpx__dtruncate(mpx__vd a) {
    return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
/* In assembly: under -ffast-math compilers reorder additions, assume that there is no NaN, and
   approximate quotients. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    __asm__("vaddpd {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    __asm__("vdivps {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    __asm__("vdivpd {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    __asm__("vcmpunordps {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return mpx__bits_of_vf(a);
}
#else
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) { return _mm256_add_pd(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) { return _mm256_div_ps(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) { return _mm256_div_pd(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    return mpx__bits_of_vf(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}
#endif

/* F16C keeps subnormals and NaN payloads whatever MXCSR says, but raises flags. */
MPX__FORCE_INLINE mpx__vu mpx__load_f16(const void *p) {
    return mpx__bits_of_vf(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}
MPX__FORCE_INLINE __m128i mpx__half_of_f16(mpx__vu u) {
    return _mm256_cvtps_ph(mpx__vf_of_bits(u), _MM_FROUND_TO_NEAREST_INT);
}
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(mpx__half_of_f16(a)),
                                   mpx__half_of_f16(b), 1);
}
MPX__FORCE_INLINE void mpx__store_f16_pair(void *p, mpx__vu a, mpx__vu b) {
    _mm_storeu_si128((__m128i *)p, mpx__half_of_f16(a));
    _mm_storeu_si128((__m128i *)p + 1, mpx__half_of_f16(b));
}
/* Two vectors of f32 from the f16 in words. */
MPX__FORCE_INLINE void mpx__two_of_f16(mpx__vu v[2], mpx__vu words) {
    v[0] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_castsi256_si128(words)));
    v[1] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm256_extracti128_si256(words, 1)));
}
#define MPX__OWN_BYTES_AS_F16 1
/* Bytes extended with their sign to words. */
MPX__FORCE_INLINE mpx__vu mpx__load_signed_words(const void *p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

/* Codes of e5m2 as the upper halves of f16. */
MPX__FORCE_INLINE void mpx__two_of_e5m2(mpx__vu v[2], __m128i codes) {
    const __m128i zero = _mm_setzero_si128();
    v[0] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm_unpacklo_epi8(zero, codes)));
    v[1] = mpx__bits_of_vf(_mm256_cvtph_ps(_mm_unpackhi_epi8(zero, codes)));
}
MPX__FORCE_INLINE void mpx__load4_as_e5m2(mpx__vu v[4], mpx__vu codes) {
    mpx__two_of_e5m2(v, _mm256_castsi256_si128(codes));
    mpx__two_of_e5m2(v + 2, _mm256_extracti128_si256(codes, 1));
}

/* ---- f32 to bf16 by words -------------------------------------------------------------------- */

/* The upper, and the lower, halves of two vectors' lanes, alternating. */
#define MPX__OWN_UPPER_WORDS 1
#define MPX__OWN_WORDS_AT 1
#define MPX__OWN_BF16_PAIR 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(mpx__shr(a, 16), b, 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(a, mpx__shl(b, 16), 0xaa);
}
/* The same from memory: loads that begin 2 bytes later, or earlier, replace the shifts. */
MPX__FORCE_INLINE mpx__vu mpx__upper_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p + 2), mpx__load32(p + 32), 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p), mpx__load32(p + 30), 0xaa);
}
/* To nearest even. A lower half that is negative, as a signed number, is half a unit or more: then
   1 is added. Where the upper half is even, 1 is first subtracted from the lower one, unless it is
   0: a tie then does not count. 2/3 of the time of 32-bit lanes (Zen 3). */
MPX__FORCE_INLINE mpx__vu mpx__bf16_of_words(mpx__vu upper, mpx__vu lower) {
    const mpx__vu one = mpx__kept(mpx__set(0x10001u)),
                  one_then_other = mpx__kept(_mm256_broadcastsi128_si256(_mm_set_epi8(
                      15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0)));
    mpx__vu up = _mm256_subs_epu16(lower, _mm256_andnot_si256(upper, one)); /* where negative */
    upper = _mm256_sub_epi16(upper, mpx__gt16s(mpx__set(0), up));
    return mpx__packed_once(_mm256_shuffle_epi8(upper, one_then_other));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__bf16_of_words(mpx__upper_words(a, b), mpx__lower_words(a, b));
}

#endif /* MPX_ISA_AVX2 */
/*==========================================================================*
 * MARK: simd_avx512 - the vocabulary, sixteen lanes                         *
 *   AVX-512 F, BW, VL, DQ: x86-64-v4. A comparison's mask register becomes  *
 *   a vector again (vpmovm2d), so that other rooms know one kind of mask.   *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
#define MPX__LANES 16
#define MPX__ISA_NAME "avx512"
#define MPX__HAS_FLOAT 1
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 1
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_JOIN 1
#define MPX__NATIVE_F16 1
/* The conversions of f16 ignore flush-to-zero where it would matter. Narrowing to a byte gives the
   same result if subnormal f32 are flushed. */
#define MPX__TO_F16_ENV MPX__ENV_ANY
#define MPX__F8_ENV MPX__ENV_ANY

typedef __m512i mpx__vu;
typedef __m512 mpx__vf;
typedef __m512d mpx__vd;

/* ---- lanes of 32 bits ------------------------------------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm512_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm512_and_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm512_or_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm512_xor_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm512_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm512_sub_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return _mm512_mullo_epi32(a, b); }
/* Shifts by a count per lane: those by an immediate do not compile without optimisation. */
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return _mm512_srlv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) {
    return _mm512_sllv_epi32(a, _mm512_set1_epi32(n));
}
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) {
    return _mm512_srlv_epi32(a, _mm512_set1_epi32(n));
}
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) {
    return _mm512_srav_epi32(a, _mm512_set1_epi32(n));
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return _mm512_min_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return _mm512_max_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epu32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return _mm512_test_epi32_mask(a, a) != 0; }
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) { return _mm512_reduce_max_epu32(a); }
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return _mm512_max_epi32(a, _mm512_setzero_si512());
}

/* ---- memory ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE __m128i mpx__quarter_at(const void *p) {
    return _mm_loadu_si128((const __m128i *)p);
}
MPX__FORCE_INLINE __m256i mpx__half_at(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm512_loadu_si512(p); }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm512_cvtepu16_epi32(mpx__half_at(p));
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return _mm512_cvtepu8_epi32(mpx__quarter_at(p));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm512_storeu_si512(p, v); }
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v) { _mm512_stream_si512((__m512i *)p, v); }
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* ---- lanes of 16, of 8 and of 64 bits -------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm512_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm512_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return _mm512_max_epu16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm512_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm512_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi16(_mm512_cmpeq_epi16_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm512_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm512_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm512_madd_epi16(a, b); }
/* Shift lanes of 16 bits right by a count that is set before the loop. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return _mm512_set1_epi16((short)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm512_srlv_epi16(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shl16(mpx__vu a, int n) {
    return _mm512_sllv_epi16(a, _mm512_set1_epi16((short)n));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm512_min_epu16(a, mpx__set(0x7fff7fffu));
}

MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm512_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm512_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi8(_mm512_cmpgt_epi8_mask(a, b));
}
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return _mm512_max_epi8(a, _mm512_setzero_si512());
}

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm512_set1_epi64((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm512_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm512_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) {
    return _mm512_srlv_epi64(a, _mm512_set1_epi64(n));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) { return _mm512_srai_epi64(a, 63); }

/* ---- packing and pairing --------------------------------------------------------------------- */

/* Both work within each quarter of the register. mpx__packed_once and _twice put lanes in order
   that were packed so often; mpx__to_pair_once and _twice arrange lanes that will be paired so
   often. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm512_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm512_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm512_packus_epi16(a, b); }
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) { return _mm512_packus_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) {
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return mpx__packed_twice(a); }
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi8(a, b);
    *high = _mm512_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi16(a, b);
    *high = _mm512_unpackhi_epi16(a, b);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi32(a, b);
    *high = _mm512_unpackhi_epi32(a, b);
}
/* The lower and the upper halves of two vectors' lanes of 64 bits, ordered as lanes packed once. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m512 x = _mm512_castsi512_ps(a), y = _mm512_castsi512_ps(b);
    *low = _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0x88));
    *high = _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0xdd));
}
/* The upper halves of two vectors' lanes, in order, by one permutation. */
#define MPX__OWN_JOIN_UPPER16 1
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    const mpx__vu odd = _mm512_set_epi32(
        0x3f003d, 0x3b0039, 0x370035, 0x330031, 0x2f002d, 0x2b0029, 0x270025, 0x230021, 0x1f001d,
        0x1b0019, 0x170015, 0x130011, 0xf000d, 0xb0009, 0x70005, 0x30001);
    return _mm512_permutex2var_epi16(a, odd, b);
}
/* Tables of 16 bytes. The entry of each byte; _or_zero gives 0 for bytes from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm512_broadcast_i32x4(mpx__quarter_at(p));
}
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return _mm512_shuffle_epi8(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return _mm512_shuffle_epi8(table, _mm512_add_epi8(i, mpx__set(0x70707070u)));
}

#ifdef __AVX512VBMI__
/* A table of 128 bytes in two vectors; the entry of each byte, without its highest bit. */
#define MPX__OWN_ENTRIES_128 1
MPX__FORCE_INLINE mpx__vu mpx__entries_128(mpx__vu low, mpx__vu high, mpx__vu i) {
    return _mm512_permutex2var_epi8(low, i, high);
}
#endif

/* Codes of four and of six bits, one in a byte, to packed ones and back. 64 codes of six bits are
   48 bytes; each quarter of the register has 12 of them. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = _mm512_maddubs_epi16(codes, mpx__set(0x10011001u));
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi16_epi8(codes));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    mpx__vu two = _mm512_cvtepu8_epi16(mpx__half_at(p));
    return mpx__and(mpx__or(two, mpx__shl(two, 4)), mpx__set(0x0f0f0f0fu));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    const mpx__vu three_of_four = _mm512_broadcast_i32x4(
        _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
    v = _mm512_maddubs_epi16(v, mpx__set(0x40014001u));
    v = _mm512_shuffle_epi8(mpx__dot16s(v, mpx__set(0x10000001u)), three_of_four);
    v = _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0), v);
    _mm256_storeu_si256((__m256i *)p, _mm512_castsi512_si256(v));
    _mm_storeu_si128((__m128i *)p + 2, _mm512_extracti32x4_epi32(v, 2));
}
/* Words of 16 bits have two codes each, from bit 0 on in even words, from bit 4 on in odd ones. A
   product moves the former to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const mpx__vu overlapping = _mm512_broadcast_i32x4(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    mpx__vu v = _mm512_permutexvar_epi32(
        _mm512_set_epi32(12, 11, 10, 9, 9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0),
        _mm512_maskz_loadu_epi32(0xfff, p));
    v = mpx__mul16(_mm512_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(mpx__shr(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(mpx__shr(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------------------------------------- */

#define MPX__OWN_LOAD_SIGNED16 1
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    v[0] = _mm512_cvtepi16_epi32(mpx__half_at(p));
    v[1] = _mm512_cvtepi16_epi32(mpx__half_at((const unsigned char *)p + 32));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    v[0] = _mm512_cvtepi8_epi32(mpx__quarter_at(s));
    v[1] = _mm512_cvtepi8_epi32(mpx__quarter_at(s + 16));
    v[2] = _mm512_cvtepi8_epi32(mpx__quarter_at(s + 32));
    v[3] = _mm512_cvtepi8_epi32(mpx__quarter_at(s + 48));
}
#define MPX__OWN_LOAD_UNSIGNED8 1
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    v[0] = mpx__load8(s);
    v[1] = mpx__load8(s + 16);
    v[2] = mpx__load8(s + 32);
    v[3] = mpx__load8(s + 48);
}
/* Bytes extended with their sign to words. */
MPX__FORCE_INLINE mpx__vu mpx__load_signed_words(const void *p) {
    return _mm512_cvtepi8_epi16(mpx__half_at(p));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    v[0] = mpx__load_signed_words(p);
    v[1] = mpx__load_signed_words((const unsigned char *)p + 32);
}

/* ---- the floating-point environment ---------------------------------------------------------- */

/* Float instructions here name their rounding and raise no flags. Only flush-to-zero can change a
   result: the bits 0x8040 of MXCSR. A sum of subnormals tells whether they are set, faster than
   MXCSR itself: it is 0 if operands or results are flushed. */
#define MPX__NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define MPX__OWN_ENV 1
MPX__PRIVATE int mpx__env_serves(int env) {
    MPX__READ_HERE int one = 1;
    __m128 x = _mm_castsi128_ps(_mm_cvtsi32_si128(one));
    MPX__FP_BARRIER(x);
    x = _mm_add_round_ss(x, x, MPX__NEAREST);
    MPX__FP_BARRIER(x);
    return (void)env, _mm_cvtsi128_si32(_mm_castps_si128(x)) != 0;
}
MPX__PRIVATE mpx__env mpx__env_enter(int env) {
    unsigned saved;
    if (env == MPX__ENV_ANY || mpx__env_serves(env)) return 0;
    saved = _mm_getcsr();
    _mm_setcsr(saved & ~0x8040u);
    MPX__BARRIER();
    return saved | (mpx__env)1 << 32;
}
/* The flags are the caller's: none were raised in between. */
MPX__PRIVATE void mpx__env_leave(mpx__env saved) {
    MPX__BARRIER();
    _mm_setcsr((unsigned)(saved & 0xffffffffu));
}

/* ---- floats ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return _mm512_castsi512_ps(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) { return _mm512_castps_si512(f); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return _mm512_castsi512_pd(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) { return _mm512_castpd_si512(d); }

/* Compilers do not know what operations with a named rounding do, and leave them alone under
   -ffast-math. */
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) {
    return _mm512_mul_round_ps(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return _mm512_fmadd_round_ps(a, b, c, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    return _mm512_div_round_ps(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    return _mm512_add_round_pd(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) {
    return _mm512_mul_round_pd(a, b, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    return _mm512_div_round_pd(a, b, MPX__NEAREST);
}
/* Maximum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) {
    return mpx__vf_of_bits(_mm512_max_epi32(mpx__bits_of_vf(a), mpx__bits_of_vf(b)));
}
/* NaN is found by its class: clang lets float comparisons raise flags, and -ffast-math drops them.
   */
MPX__FORCE_INLINE __mmask16 mpx__nan_mask(mpx__vu u) {
    return _mm512_fpclass_ps_mask(mpx__vf_of_bits(u), 0x81);
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    return _mm512_movm_epi32((__mmask16)(mpx__nan_mask(mpx__bits_of_vf(a)) |
                                         mpx__nan_mask(mpx__bits_of_vf(b))));
}
#define MPX__OWN_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    return (mpx__nan_mask(v[0]) | mpx__nan_mask(v[1]) | mpx__nan_mask(v[2]) |
            mpx__nan_mask(v[3])) != 0;
}

/* i32 to f32; f32 to i32, truncated: NaN and values out of range become -2^31. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) {
    return _mm512_cvt_roundepi32_ps(a, MPX__NEAREST);
}
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) {
    return _mm512_cvt_roundepu32_ps(a, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) {
    return _mm512_cvtt_roundps_epi32(a, _MM_FROUND_NO_EXC);
}
/* One vector of f32, or of i32, and two of f64. */
MPX__FORCE_INLINE mpx__vu mpx__of_halves(__m256i low, __m256i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
MPX__FORCE_INLINE __m256 mpx__half_of_vd(mpx__vd a) {
    return _mm512_cvt_roundpd_ps(a, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__vd_of_half(__m256i a) {
    return _mm512_cvt_roundps_pd(_mm256_castsi256_ps(a), _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return mpx__vf_of_bits(mpx__of_halves(_mm256_castps_si256(mpx__half_of_vd(a)),
                                          _mm256_castps_si256(mpx__half_of_vd(b))));
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    mpx__vu u = mpx__bits_of_vf(a);
    v[0] = mpx__vd_of_half(_mm512_castsi512_si256(u));
    v[1] = mpx__vd_of_half(_mm512_extracti64x4_epi64(u, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return mpx__of_halves(_mm512_cvtt_roundpd_epi32(a, _MM_FROUND_NO_EXC),
                          _mm512_cvtt_roundpd_epi32(b, _MM_FROUND_NO_EXC));
}
/* From and to memory: no vector is joined or split. */
#define MPX__OWN_HALVES 1
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    _mm256_storeu_ps((float *)p, mpx__half_of_vd(a));
    _mm256_storeu_ps((float *)p + 8, mpx__half_of_vd(b));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    v[0] = mpx__vd_of_half(mpx__half_at(p));
    v[1] = mpx__vd_of_half(mpx__half_at((const unsigned char *)p + 32));
}
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    v[0] = _mm512_cvtepi32_pd(mpx__half_at(p));
    v[1] = _mm512_cvtepi32_pd(mpx__half_at((const unsigned char *)p + 32));
}
/* Integers of 64 bits. */
#define MPX__OWN_F64_OF_64 1
MPX__FORCE_INLINE mpx__vd mpx__vd_of_i64(mpx__vu x) {
    return _mm512_cvt_roundepi64_pd(x, MPX__NEAREST);
}
MPX__FORCE_INLINE mpx__vd mpx__vd_of_u64(mpx__vu x) {
    return _mm512_cvt_roundepu64_pd(x, MPX__NEAREST);
}

#define MPX__OWN_F32_OF_64 1
MPX__FORCE_INLINE mpx__vu mpx__f32_of_64(const unsigned char *s, int is_signed) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + 64);
    __m256 low = is_signed ? _mm512_cvt_roundepi64_ps(a, MPX__NEAREST)
                           : _mm512_cvt_roundepu64_ps(a, MPX__NEAREST),
           high = is_signed ? _mm512_cvt_roundepi64_ps(b, MPX__NEAREST)
                            : _mm512_cvt_roundepu64_ps(b, MPX__NEAREST);
    return mpx__of_halves(_mm256_castps_si256(low), _mm256_castps_si256(high));
}
/* Truncated. The instruction makes all ones of values that are too large for unsigned lanes, as it
   should, and the least number where signed lanes are too narrow, which is right below 0 only. NaN
   becomes 0. Integers are compared: clang's float comparisons raise flags, -ffast-math drops them.
   */
#define MPX__OWN_64_OF_F64 1
MPX__FORCE_INLINE mpx__vu mpx__i64_of_f64(mpx__vu x) {
    const mpx__vu nan = mpx__set64((uint64_t)0x7ff << 53), end = mpx__set64((uint64_t)0x43e << 52);
    __mmask8 number = _mm512_cmple_epu64_mask(_mm512_add_epi64(x, x), nan),
             large = _mm512_mask_cmpge_epi64_mask(number, x, end);
    mpx__vu i = _mm512_maskz_cvtt_roundpd_epi64(number, mpx__vd_of_bits(x), _MM_FROUND_NO_EXC);
    return _mm512_mask_mov_epi64(i, large, mpx__set64(~(uint64_t)0 >> 1));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_f64(mpx__vu x) {
    __mmask8 not_below_0 = _mm512_cmple_epu64_mask(x, mpx__set64((uint64_t)0x7ff << 52));
    return _mm512_maskz_cvtt_roundpd_epu64(not_below_0, mpx__vd_of_bits(x), _MM_FROUND_NO_EXC);
}

/* bf16, if there is an instruction for it. It rounds to nearest and raises no flags, but makes zero
   of subnormal f32. So if a result is zero, the block is searched for subnormals: (u + u) - 1 is
   below 2^24 - 1 for them only. By sums: clang makes float comparisons of other tests. */
#ifdef __AVX512BF16__
#define MPX__OWN_BF16_BLOCK 1
MPX__FORCE_INLINE mpx__vu mpx__subnormal_key(mpx__vu u) {
    return mpx__sub(mpx__add(u, u), mpx__set(1));
}
MPX__FORCE_INLINE int mpx__has_subnormal(const mpx__vu v[4]) {
    mpx__vu a = mpx__min(mpx__subnormal_key(v[0]), mpx__subnormal_key(v[1])),
            b = mpx__min(mpx__subnormal_key(v[2]), mpx__subnormal_key(v[3]));
    return _mm512_cmplt_epu32_mask(mpx__min(a, b), mpx__set(0xffffffu)) != 0;
}
/* Returns 0 if the block has subnormals. */
MPX__FORCE_INLINE int mpx__bf16_block(mpx__vu w[2], const mpx__vu v[4]) {
    mpx__vu least;
    w[0] = (__m512i)_mm512_cvtne2ps_pbh(mpx__vf_of_bits(v[1]), mpx__vf_of_bits(v[0]));
    w[1] = (__m512i)_mm512_cvtne2ps_pbh(mpx__vf_of_bits(v[3]), mpx__vf_of_bits(v[2]));
    least = _mm512_min_epu16(mpx__add16(w[0], w[0]), mpx__add16(w[1], w[1]));
    return _mm512_testn_epi16_mask(least, least) == 0 || !mpx__has_subnormal(v);
}
#endif

/* f16, without flags. In assembly, as gcc 12 does not pass that on to the instruction. */
#if defined(__GNUC__)
MPX__FORCE_INLINE __m256i mpx__half_of_f16(mpx__vu u) {
    __m256i h;
    __asm__("vcvtps2ph {$0, %{sae%}, %1, %0|%0, %1, %{sae%}, 0}" : "=v"(h) : "v"(u));
    return h;
}
#else
MPX__FORCE_INLINE __m256i mpx__half_of_f16(mpx__vu u) {
    return _mm512_cvt_roundps_ph(mpx__vf_of_bits(u), MPX__NEAREST);
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__of_f16_half(__m256i h) {
    return mpx__bits_of_vf(_mm512_cvt_roundph_ps(h, _MM_FROUND_NO_EXC));
}
MPX__FORCE_INLINE mpx__vu mpx__load_f16(const void *p) { return mpx__of_f16_half(mpx__half_at(p)); }
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return mpx__of_halves(mpx__half_of_f16(a), mpx__half_of_f16(b));
}
MPX__FORCE_INLINE void mpx__store_f16_pair(void *p, mpx__vu a, mpx__vu b) {
    _mm256_storeu_si256((__m256i *)p, mpx__half_of_f16(a));
    _mm256_storeu_si256((__m256i *)p + 1, mpx__half_of_f16(b));
}
/* Two vectors of f32 from the f16 in words. */
MPX__FORCE_INLINE void mpx__two_of_f16(mpx__vu v[2], mpx__vu words) {
    v[0] = mpx__of_f16_half(_mm512_castsi512_si256(words));
    v[1] = mpx__of_f16_half(_mm512_extracti64x4_epi64(words, 1));
}
#ifndef __AVX512VBMI__ /* which has the larger tables */
#define MPX__OWN_BYTES_AS_F16 1
#endif
/* Codes of e5m2 as the upper halves of f16. */
MPX__FORCE_INLINE void mpx__load4_as_e5m2(mpx__vu v[4], mpx__vu codes) {
    mpx__vu low, high;
    mpx__pair8(mpx__set(0), mpx__to_pair_once(codes), &low, &high);
    mpx__two_of_f16(v, low);
    mpx__two_of_f16(v + 2, high);
}

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
/*==========================================================================*
 * MARK: simd_neon - the vocabulary, four lanes                              *
 *   Every AArch64, and ARMv7 with NEON. Float lanes on AArch64 only: those  *
 *   of ARMv7 flush subnormals and lose NaN, whatever the modes.             *
 *   Little-endian: detect.h gives big-endian Arm the plain C.               *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_NEON
#define MPX__LANES 4
#define MPX__ISA_NAME "neon"
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_JOIN 1
#ifdef __aarch64__
#define MPX__HAS_FLOAT 1
#define MPX__HAS_LOOKUP 1
#define MPX__NATIVE_F16 1
/* Conversions of f16 depend on FPCR: rounding, subnormals, NaN, and whether there is Inf. */
#define MPX__F16_ENV MPX__ENV_ALL
#define MPX__TO_F16_ENV MPX__ENV_ALL
#define MPX__BF16_ENV MPX__ENV_ALL
#else
#define MPX__HAS_FLOAT 0
#define MPX__HAS_LOOKUP 0
#define MPX__NATIVE_F16 0
#endif

typedef uint32x4_t mpx__vu;

MPX__FORCE_INLINE uint8x16_t mpx__as_u8(mpx__vu a) { return vreinterpretq_u8_u32(a); }
MPX__FORCE_INLINE uint16x8_t mpx__as_u16(mpx__vu a) { return vreinterpretq_u16_u32(a); }
MPX__FORCE_INLINE int32x4_t mpx__as_s32(mpx__vu a) { return vreinterpretq_s32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u8(uint8x16_t a) { return vreinterpretq_u32_u8(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u16(uint16x8_t a) { return vreinterpretq_u32_u16(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s32(int32x4_t a) { return vreinterpretq_u32_s32(a); }

/* ---- lanes of 32 bits ------------------------------------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return vdupq_n_u32(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return vandq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return vorrq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return veorq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return vaddq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return vsubq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return vmulq_u32(a, b); }
/* Operators, not intrinsics: with a constant count, compilers then shift by an immediate. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return a << mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return a >> mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return vminq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return vmaxq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return vceqq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return vcgtq_s32(mpx__as_s32(a), mpx__as_s32(b));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return vcgtq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return vbslq_u32(mask, a, b);
}
#define MPX__OWN_LARGEST_LANE 1
#ifdef __aarch64__
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) { return vmaxvq_u32(a); }
#else
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    uint32x2_t x = vpmax_u32(vget_low_u32(a), vget_high_u32(a));
    return vget_lane_u32(vpmax_u32(x, x), 0);
}
#endif
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return mpx__largest_lane(a) != 0; }

/* Lanes of 16 bits. */
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vmaxq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* By bytes, for which no alignment is assumed. */
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return mpx__of_u8(vld1q_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE uint16x4_t mpx__four_words(const void *p) {
    return vreinterpret_u16_u8(vld1_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return vmovl_u16(mpx__four_words(p)); }
/* The same four bytes twice. */
MPX__FORCE_INLINE uint8x8_t mpx__four_bytes(const void *p) {
    return vreinterpret_u8_u32(vdup_n_u32(mpx__read32(p)));
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return vmovl_u16(vget_low_u16(vmovl_u8(mpx__four_bytes(p))));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { vst1q_u8((uint8_t *)p, mpx__as_u8(v)); }

/* ---- codes of four and of six bits ----------------------------------------------------------- */

/* Tables of 16 bytes; the entry of each byte, zero for 16 and more. */
#ifdef __aarch64__
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return mpx__of_u8(vqtbl1q_u8(mpx__as_u8(table), mpx__as_u8(i)));
}
#else
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    uint8x16_t t = mpx__as_u8(table), at = mpx__as_u8(i);
    uint8x8x2_t both;
    both.val[0] = vget_low_u8(t);
    both.val[1] = vget_high_u8(t);
    return mpx__of_u8(
        vcombine_u8(vtbl2_u8(both, vget_low_u8(at)), vtbl2_u8(both, vget_high_u8(at))));
}
#endif

/* One code in a byte, to packed ones and back. Four bits: the second code of two is inserted above
   the first. Back: each byte is widened to 16 bits and inserted again four bits higher, and the
   bits above each code are masked. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    uint16x8_t two = mpx__as_u16(codes);
    vst1_u8((uint8_t *)p, vsli_n_u8(vmovn_u16(two), vshrn_n_u16(two, 8), 4));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    uint16x8_t two = vmovl_u8(vld1_u8((const uint8_t *)p));
    return mpx__and(mpx__of_u16(vsliq_n_u16(two, two, 4)), mpx__set(0x0f0f0f0fu));
}
/* 16 codes of six bits are 12 bytes: two codes become 12 bits, four become 24 bits of a lane, whose
   three bytes are gathered. mpx__places: the indices of 16 bytes, the first in the lowest byte. */
MPX__FORCE_INLINE mpx__vu mpx__places(uint64_t low, uint64_t high) {
    return mpx__of_u8(vcombine_u8(vcreate_u8(low), vcreate_u8(high)));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shr(v, 2));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shr(v, 4));
    v = mpx__entries_or_zero(v, mpx__places(0x0908060504020100u, 0xffffffff0e0d0c0au));
    vst1_u8((uint8_t *)p, vget_low_u8(mpx__as_u8(v)));
    mpx__write32((uint8_t *)p + 8, vgetq_lane_u32(v, 2));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const uint8_t *s = (const uint8_t *)p;
    mpx__vu v = mpx__of_u8(vcombine_u8(vld1_u8(s), mpx__four_bytes(s + 8)));
    v = mpx__entries_or_zero(v, mpx__places(0xff050403ff020100u, 0xff0b0a09ff080706u));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shl(v, 4));
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shl(v, 2));
    return mpx__and(v, mpx__set(0x3f3f3f3fu));
}

#if !MPX__HAS_FLOAT

/* ---- ARMv7 alone ----------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return a << n; }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_u16(vmovn_u32(v)));
}
/* The conversion of integers that f32 holds is exact, whatever the modes. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    return vreinterpretq_u32_f32(vcvtq_f32_u32(a));
}

#else /* AArch64 alone, to the end of the room */

/* ---- the floating-point environment ---------------------------------------------------------- */

/* FPCR with all control bits zero means: to nearest even, subnormals kept, NaN not replaced, IEEE's
   f16, nothing trapped. FPSR has the flags, which are always restored: MPX_KEEP_FLAGS is about x86.
   An mpx__env is FPCR with its unused bit 31 set, and FPSR above it. */
#define MPX__OWN_ENV 1
MPX__INLINE int mpx__env_serves(int env) { return env == MPX__ENV_ANY; }
MPX__PRIVATE mpx__env mpx__env_enter(int env) {
    uint64_t control, flags;
    if (mpx__env_serves(env)) return 0;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    __asm__ __volatile__("mrs %0, fpsr" : "=r"(flags));
    if (control != 0) __asm__ __volatile__("msr fpcr, xzr" ::: "memory");
    MPX__BARRIER();
    return (control & 0x7fffffffu) | (uint64_t)1 << 31 | flags << 32;
}
MPX__PRIVATE void mpx__env_leave(mpx__env saved) {
    const uint64_t control = saved & 0x7fffffffu, flags = saved >> 32;
    MPX__BARRIER();
    if (control != 0) __asm__ __volatile__("msr fpcr, %0" : : "r"(control) : "memory");
    __asm__ __volatile__("msr fpsr, %0" : : "r"(flags) : "memory");
}

/* ---- more of the lanes of 32 bits, and lanes of 16, of 8 and of 64 --------------------------- */

MPX__FORCE_INLINE int16x8_t mpx__as_s16(mpx__vu a) { return vreinterpretq_s16_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s16(int16x8_t a) { return vreinterpretq_u32_s16(a); }
MPX__FORCE_INLINE int8x16_t mpx__as_s8(mpx__vu a) { return vreinterpretq_s8_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s8(int8x16_t a) { return vreinterpretq_u32_s8(a); }
MPX__FORCE_INLINE uint64x2_t mpx__as_u64(mpx__vu a) { return vreinterpretq_u64_u32(a); }
MPX__FORCE_INLINE int64x2_t mpx__as_s64(mpx__vu a) { return vreinterpretq_s64_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u64(uint64x2_t a) { return vreinterpretq_u32_u64(a); }

MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) {
    return mpx__of_s32(mpx__as_s32(a) >> vdupq_n_s32(n));
}
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__of_s32(vmaxq_s32(mpx__as_s32(a), vdupq_n_s32(0)));
}

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vaddq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vsubq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vmaxq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vminq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vcgtq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vceqq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
/* A sum that saturates; the lower half of a product; per lane of 32 bits, the sum of two products,
   which must fit 16 bits: they do wherever this is used with NATIVE_F16. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqaddq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vmulq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s32(vpaddlq_s16(vmulq_s16(mpx__as_s16(a), mpx__as_s16(b))));
}
/* Shift lanes of 16 bits right by 1 to 15: to the left by a negative count. */
typedef int16x8_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return vdupq_n_s16((int16_t)-n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) {
    return mpx__of_u16(vshlq_u16(mpx__as_u16(a), n));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return mpx__of_u16(vminq_u16(mpx__as_u16(a), vdupq_n_u16(0x7fff)));
}

MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vaddq_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vminq_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vcgtq_s8(mpx__as_s8(a), mpx__as_s8(b)));
}
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__of_s8(vmaxq_s8(mpx__as_s8(a), vdupq_n_s8(0)));
}

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return mpx__of_u64(vdupq_n_u64(x)); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) {
    return mpx__of_u64(vaddq_u64(mpx__as_u64(a), mpx__as_u64(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) {
    return mpx__of_u64(vsubq_u64(mpx__as_u64(a), mpx__as_u64(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) {
    return mpx__of_u64(mpx__as_u64(a) >> vdupq_n_u64((uint64_t)n));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return vreinterpretq_u32_s64(vshrq_n_s64(mpx__as_s64(a), 63));
}

/* ---- packing and pairing --------------------------------------------------------------------- */

/* Lanes are in order after packing, and before pairing. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqmovn_high_s32(vqmovn_s32(mpx__as_s32(a)), mpx__as_s32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s8(vqmovn_high_s16(vqmovn_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vqmovun_high_s16(vqmovun_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vqmovun_high_s32(vqmovun_s32(mpx__as_s32(a)), mpx__as_s32(b)));
}
#define MPX__OWN_JOIN_UPPER16 1
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vuzp2q_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
#define MPX__OWN_UPPER_WORDS 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words(mpx__vu a, mpx__vu b) {
    return mpx__join_upper16(a, b);
}
#define MPX__OWN_SIGNS 1
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vuzp2q_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(const mpx__vu v[4]) {
    return mpx__signs_of_16(mpx__join_upper16(v[0], v[1]), mpx__join_upper16(v[2], v[3]));
}
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__of_u8(vzip1q_u8(mpx__as_u8(a), mpx__as_u8(b)));
    *high = mpx__of_u8(vzip2q_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__of_u16(vzip1q_u16(mpx__as_u16(a), mpx__as_u16(b)));
    *high = mpx__of_u16(vzip2q_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = vzip1q_u32(a, b);
    *high = vzip2q_u32(a, b);
}
/* The lower and the upper halves of two vectors' lanes of 64 bits. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = vuzp1q_u32(a, b);
    *high = vuzp2q_u32(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return mpx__entries_or_zero(table, i);
}

/* ---- integers to wider lanes ----------------------------------------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_s32(vmovl_s16(vget_low_s16(mpx__as_s16(a))));
    v[1] = mpx__of_s32(vmovl_high_s16(mpx__as_s16(a)));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    int8x16_t a = mpx__as_s8(mpx__load32(p));
    v[0] = mpx__of_s16(vmovl_s8(vget_low_s8(a)));
    v[1] = mpx__of_s16(vmovl_high_s8(a));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    mpx__vu words[2];
    mpx__load_signed8to16(words, p);
    mpx__unpack_signed16(v, words[0]);
    mpx__unpack_signed16(v + 2, words[1]);
}

/* ---- floats ---------------------------------------------------------------------------------- */

typedef float32x4_t mpx__vf;
typedef float64x2_t mpx__vd;

/* The asm hides the bits of a result: with -ffast-math compilers assume that none is Inf or NaN. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return vreinterpretq_f32_u32(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) {
    mpx__vu u = vreinterpretq_u32_f32(f);
    __asm__("" : "+w"(u));
    return u;
}
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return vreinterpretq_f64_u32(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) {
    mpx__vu u = vreinterpretq_u32_f64(d);
    __asm__("" : "+w"(u));
    return u;
}

/* i32 to f32; f32 to i32, truncated: values out of range saturate, NaN becomes 0. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return vcvtq_f32_s32(mpx__as_s32(a)); }
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) { return vcvtq_f32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) {
    int32x4_t v;
    __asm__("fcvtzs %0.4s, %1.4s" : "=w"(v) : "w"(a));
    return mpx__of_s32(v);
}
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return vmulq_f32(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return vfmaq_f32(c, a, b);
}
/* Maximum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) {
    return mpx__vf_of_bits(mpx__max(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
/* One vector of f32, or of i32, and two of f64. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return vcvt_high_f32_f64(vcvt_f32_f64(a), b);
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = vcvt_f64_f32(vget_low_f32(a));
    v[1] = vcvt_high_f64_f32(a);
}
MPX__FORCE_INLINE void mpx__vd_of_i32(mpx__vd v[2], mpx__vu a) {
    v[0] = vcvtq_f64_s64(vmovl_s32(vget_low_s32(mpx__as_s32(a))));
    v[1] = vcvtq_f64_s64(vmovl_high_s32(mpx__as_s32(a)));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    int64x2_t low, high;
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(low) : "w"(a));
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(high) : "w"(b));
    return mpx__of_s32(vqmovn_high_s64(vqmovn_s64(low), high));
}
#define MPX__OWN_F64_OF_64 1
MPX__FORCE_INLINE mpx__vd mpx__vd_of_i64(mpx__vu a) { return vcvtq_f64_s64(mpx__as_s64(a)); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_u64(mpx__vu a) { return vcvtq_f64_u64(mpx__as_u64(a)); }
/* f64 to f32, rounded to odd, by one instruction for each vector. */
#define MPX__OWN_ODD 1
MPX__FORCE_INLINE mpx__vu mpx__odd_of_f64(mpx__vd a, mpx__vd b) {
    return mpx__bits_of_vf(vcvtx_high_f32_f64(vcvtx_f32_f64(a), b));
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return vmulq_f64(a, b); }
#define MPX__OWN_TRUNCATE 1
MPX__FORCE_INLINE mpx__vd mpx__dtruncate(mpx__vd a) { return vrndq_f64(a); }
/* In assembly: under -ffast-math compilers reorder additions and make products of quotients. */
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    mpx__vd sum;
    __asm__("fadd %0.2d, %1.2d, %2.2d" : "=w"(sum) : "w"(a), "w"(b));
    return sum;
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    mpx__vf q;
    __asm__("fdiv %0.4s, %1.4s, %2.4s" : "=w"(q) : "w"(a), "w"(b));
    return q;
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    mpx__vd q;
    __asm__("fdiv %0.2d, %1.2d, %2.2d" : "=w"(q) : "w"(a), "w"(b));
    return q;
}
/* Is one of them NaN? The maximum of two is NaN if one of them is. In assembly, as with -ffast-math
   compilers assume that there is none. */
MPX__FORCE_INLINE mpx__vu mpx__max_or_nan(mpx__vu a, mpx__vu b) {
    mpx__vu larger;
    __asm__("fmax %0.4s, %1.4s, %2.4s" : "=w"(larger) : "w"(a), "w"(b));
    return larger;
}
#define MPX__OWN_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    mpx__vu a = mpx__max_or_nan(mpx__max_or_nan(v[0], v[1]), mpx__max_or_nan(v[2], v[3])), number;
    __asm__("fcmeq %0.4s, %1.4s, %1.4s" : "=w"(number) : "w"(a));
    return MPX__RARELY(vminvq_u32(number) == 0) ? 1 : 0;
}

/* f16: keeps NaN payloads. */
MPX__FORCE_INLINE mpx__vu mpx__load_f16(const void *p) {
    return mpx__bits_of_vf(vcvt_f32_f16(vreinterpret_f16_u16(mpx__four_words(p))));
}
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_f16(
        vcvt_high_f16_f32(vcvt_f16_f32(mpx__vf_of_bits(a)), mpx__vf_of_bits(b)));
}
MPX__FORCE_INLINE void mpx__store_f16_pair(void *p, mpx__vu a, mpx__vu b) {
    mpx__store32(p, mpx__f16_pair(a, b));
}
/* Codes of e5m2 as the upper halves of f16. */
MPX__FORCE_INLINE void mpx__two_of_f16(mpx__vu v[2], uint16x8_t words) {
    float16x8_t h = vreinterpretq_f16_u16(words);
    v[0] = mpx__bits_of_vf(vcvt_f32_f16(vget_low_f16(h)));
    v[1] = mpx__bits_of_vf(vcvt_high_f32_f16(h));
}
MPX__FORCE_INLINE void mpx__load4_as_e5m2(mpx__vu v[4], mpx__vu codes) {
    mpx__two_of_f16(v, vshll_n_u8(vget_low_u8(mpx__as_u8(codes)), 8));
    mpx__two_of_f16(v + 2, vshll_n_u8(vget_high_u8(mpx__as_u8(codes)), 8));
}

/* Two vectors to one of bf16. BFCVTN does what the exact codec does: to nearest even; NaN becomes
   quiet and keeps sign and payload. By integers: 1 is added where the lowest kept bit is set, then
   half a unit less one; the upper half of the sum is the result. */
#define MPX__OWN_BF16_PAIR 1
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
#define MPX__NATIVE_BF16 1
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_bf16(
        vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(mpx__vf_of_bits(a)), mpx__vf_of_bits(b)));
}
#else
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    mpx__vu lowest = mpx__set(0x10000u), half = mpx__set(0x7fffu);
    a = mpx__sub(a, vtstq_u32(a, lowest));
    b = mpx__sub(b, vtstq_u32(b, lowest));
    return mpx__of_u16(vaddhn_high_u32(vaddhn_u32(a, half), b, half));
}
#endif

#endif /* MPX__HAS_FLOAT */
#endif /* MPX_ISA_NEON */
/*==========================================================================*
 * MARK: simd_wasm - the vocabulary, four lanes                              *
 *   WebAssembly's SIMD128, which every browser and runtime has since 2021.  *
 *   Its arithmetic has one mode: to nearest even, subnormals kept, no       *
 *   flags. So there is no environment to save. The standard leaves open     *
 *   which NaN an operation gives: integers make the bits of each NaN that   *
 *   is stored. The relaxed extension is not used.                           *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_WASM
#define MPX__LANES 4
#define MPX__ISA_NAME "wasm"
#define MPX__HAS_FLOAT 1
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_JOIN 1
#define MPX__NATIVE_F16 0

typedef v128_t mpx__vu;
typedef v128_t mpx__vf;
typedef v128_t mpx__vd;

/* ---- lanes of 32 bits ------------------------------------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return wasm_u32x4_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return wasm_v128_and(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return wasm_v128_or(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return wasm_v128_xor(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return wasm_i32x4_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return wasm_i32x4_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return wasm_i32x4_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return wasm_i32x4_shl(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return wasm_u32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return wasm_i32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return wasm_u32x4_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return wasm_u32x4_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return wasm_i32x4_eq(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return wasm_i32x4_gt(a, b); }
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return wasm_u32x4_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return wasm_v128_bitselect(a, b, mask);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return wasm_v128_any_true(a); }
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) { return wasm_i32x4_max(a, mpx__set(0)); }

/* There are no shifts by lane: a shift to the right by n is a product with 2^(31 - n), of which the
   upper 33 bits remain. Byte j of a power 2^k is 2^(k - 8j) if k - 8j is from 0 to 7, else 0: a
   table has these bytes, and 0 for all other indices. */
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    const mpx__vu table = wasm_u64x2_const(0x8040201008040201u, 0);
    mpx__vu bytes = wasm_i8x16_shuffle(n, n, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12),
            by = wasm_i8x16_swizzle(table, wasm_i8x16_sub(mpx__set(0x070f171fu), bytes)),
            low = wasm_u64x2_shr(wasm_u64x2_extmul_low_u32x4(a, by), 31),
            high = wasm_u64x2_shr(wasm_u64x2_extmul_high_u32x4(a, by), 31);
    return wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
}

/* ---- memory ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return wasm_v128_load(p); }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return wasm_u32x4_load16x4(p); }
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { wasm_v128_store(p, v); }

/* ---- lanes of 16, of 8 and of 64 bits -------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return wasm_i16x8_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return wasm_i16x8_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return wasm_u16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return wasm_i16x8_eq(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_add_sat(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return wasm_i16x8_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return wasm_i32x4_dot_i16x8(a, b); }
/* Shift lanes of 16 bits right by a count from 1 to 15. */
typedef uint32_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return (uint32_t)n; }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return wasm_u16x8_shr(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return wasm_u16x8_min(a, mpx__set(0x7fff7fffu));
}

MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return wasm_i8x16_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return wasm_u8x16_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return wasm_i8x16_gt(a, b); }
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) { return wasm_i8x16_max(a, mpx__set(0)); }

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return wasm_u64x2_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return wasm_i64x2_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return wasm_i64x2_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return wasm_u64x2_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) { return wasm_i64x2_shr(a, 63); }

/* ---- packing and pairing --------------------------------------------------------------------- */

/* Lanes are in order after packing, and before pairing. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_narrow_i32x4(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return wasm_i8x16_narrow_i16x8(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return wasm_u8x16_narrow_i16x8(a, b);
}
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    return wasm_u16x8_narrow_i32x4(a, b);
}
#define MPX__OWN_JOIN_UPPER16 1
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *high = wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    *high = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
    *high = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
}
/* The lower and the upper halves of two vectors' lanes of 64 bits. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
    *high = wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
}
/* Tables of 16 bytes. The entry of each byte; _or_zero gives 0 for bytes from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}

/* Codes of four and of six bits, one in a byte, to packed ones and back. 16 codes of six bits are
   12 bytes: two codes become 12 bits, four become 24. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    codes = mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
    wasm_v128_store64_lane(p, mpx__pack16(codes, codes), 0);
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    mpx__vu two = wasm_u16x8_load8x8(p);
    return mpx__and(mpx__or(two, mpx__shl(two, 4)), mpx__set(0x0f0f0f0fu));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    v = wasm_i8x16_shuffle(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
    wasm_v128_store64_lane(p, v, 0);
    wasm_v128_store32_lane((unsigned char *)p + 8, v, 2);
}
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    mpx__vu v = wasm_v128_load32_lane((const unsigned char *)p + 8, wasm_v128_load64_zero(p), 2);
    v = wasm_i8x16_shuffle(v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- integers to wider lanes ----------------------------------------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_i32x4_extend_low_i16x8(a);
    v[1] = wasm_i32x4_extend_high_i16x8(a);
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__load32(p);
    v[0] = wasm_i16x8_extend_low_i8x16(a);
    v[1] = wasm_i16x8_extend_high_i8x16(a);
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    mpx__vu words[2];
    mpx__load_signed8to16(words, p);
    mpx__unpack_signed16(v, words[0]);
    mpx__unpack_signed16(v + 2, words[1]);
}

/* ---- floats ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return u; }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) { return f; }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return u; }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) { return d; }

/* Integers to f32; f32 to i32, truncated: values out of range saturate, NaN becomes 0. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return wasm_f32x4_convert_i32x4(a); }
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) { return wasm_f32x4_convert_u32x4(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) { return wasm_i32x4_trunc_sat_f32x4(a); }
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return wasm_f32x4_mul(a, b); }
/* Rounded twice: for products that are exact, or whose rounding does not matter. */
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
}
/* Maximum and minimum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) { return wasm_i32x4_max(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmin(mpx__vf a, mpx__vf b) { return wasm_i32x4_min(a, b); }

/* NaN is found by integers: under -ffast-math compilers assume that there is none. */
MPX__FORCE_INLINE mpx__vu mpx__nan_mask(mpx__vu a) {
    return wasm_i32x4_gt(mpx__and(a, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
}
MPX__FORCE_INLINE mpx__vu mpx__unordered(mpx__vf a, mpx__vf b) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    return mpx__nan_mask(wasm_i32x4_max(mpx__and(a, magnitude), mpx__and(b, magnitude)));
}
#define MPX__OWN_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = wasm_i32x4_max(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = wasm_i32x4_max(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any(mpx__nan_mask(wasm_i32x4_max(a, b)));
}

/* One vector of f32 and two of f64. To f32, a NaN keeps its sign and the leading bits of its
   payload. From f32, a machine may change a NaN. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    mpx__vu r = wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(a),
                                   wasm_f32x4_demote_f64x2_zero(b), 0, 2), nan = mpx__nan_mask(r);
    if (mpx__any(nan)) {
        mpx__vu payload, other, sign;
        mpx__split64(wasm_u64x2_shr(a, 29), wasm_u64x2_shr(b, 29), &payload, &other);
        mpx__split64(a, b, &other, &sign);
        payload = mpx__or(mpx__and(payload, mpx__set(0x7fffffu)), mpx__set(0x7fc00000u));
        sign = mpx__and(sign, mpx__set(0x80000000u));
        r = mpx__select(nan, mpx__or(payload, sign), r);
    }
    return r;
}
#define MPX__LOSES_NAN 1
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = wasm_f64x2_promote_low_f32x4(a);
    v[1] = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(a, a, 1, 1));
}
/* Integers of 32 bits, exact; and back, as mpx__i32_of_vf. */
MPX__FORCE_INLINE void mpx__vd_of_i32(mpx__vd v[2], mpx__vu a) {
    v[0] = wasm_f64x2_convert_low_i32x4(a);
    v[1] = wasm_f64x2_convert_low_i32x4(wasm_i64x2_shuffle(a, a, 1, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    return wasm_i64x2_shuffle(wasm_i32x4_trunc_sat_f64x2_zero(a),
                              wasm_i32x4_trunc_sat_f64x2_zero(b), 0, 2);
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return wasm_f64x2_mul(a, b); }
#define MPX__OWN_TRUNCATE 1
MPX__FORCE_INLINE mpx__vd mpx__dtruncate(mpx__vd a) { return wasm_f64x2_trunc(a); }
/* One operand passes through memory, which hides it from compilers: under -ffast-math they reorder
   additions, and multiply by the reciprocal of a divisor. Of a sum it is the first operand, which
   may be a sum itself; with the relaxed extension also the second one, which may be a product. */
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    __asm__("" : "+m"(a));
#ifdef __wasm_relaxed_simd__
    __asm__("" : "+m"(b));
#endif
    return wasm_f64x2_add(a, b);
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    __asm__("" : "+m"(b));
    return wasm_f32x4_div(a, b);
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    __asm__("" : "+m"(b));
    return wasm_f64x2_div(a, b);
}
/* The result of an operation on a, or a itself, made quiet, if a is NaN. */
#define MPX__OWN_PRODUCT 1
MPX__FORCE_INLINE mpx__vf mpx__unless_nan(mpx__vf a, mpx__vf result) {
    return mpx__select(mpx__nan_mask(a), mpx__or(a, mpx__set(0x400000u)), result);
}
MPX__FORCE_INLINE mpx__vd mpx__unless_nan64(mpx__vd a, mpx__vd result) {
    mpx__vu nan = wasm_i64x2_gt(mpx__and(a, mpx__set64(0x7fffffffffffffffu)),
                                mpx__set64(0x7ff0000000000000u));
    return mpx__select(nan, mpx__or(a, mpx__set64(0x8000000000000u)), result);
}
MPX__FORCE_INLINE mpx__vf mpx__fproduct(mpx__vf a, mpx__vf b) {
    return mpx__unless_nan(a, mpx__fmul(a, b));
}
MPX__FORCE_INLINE mpx__vf mpx__fquotient(mpx__vf a, mpx__vf b) {
    return mpx__unless_nan(a, mpx__fdiv(a, b));
}
MPX__FORCE_INLINE mpx__vd mpx__dproduct(mpx__vd a, mpx__vd b) {
    return mpx__unless_nan64(a, mpx__dmul(a, b));
}
MPX__FORCE_INLINE mpx__vd mpx__dquotient(mpx__vd a, mpx__vd b) {
    return mpx__unless_nan64(a, mpx__ddiv(a, b));
}

#endif /* MPX_ISA_WASM */
/*==========================================================================*
 * MARK: simd_rvv - the vocabulary, as many lanes as a register has          *
 *   RISC-V's V extension with clang's -mrvv-vector-bits=zvl, which fixes    *
 *   the length of a register (__riscv_v_fixed_vlen) and gives types of that *
 *   length, which structs can hold. Such a program is for machines of just  *
 *   that length. Integer lanes of 32 bits only: the functions that          *
 *   HAS_FLOAT promises are not written yet.                                 *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_RVV
#define MPX__LANES (__riscv_v_fixed_vlen / 32)
#define MPX__ISA_NAME "rvv"
#define MPX__HAS_FLOAT 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_JOIN 0
#define MPX__NATIVE_F16 0

typedef vuint32m1_t mpx__vu __attribute__((riscv_rvv_vector_bits(__riscv_v_fixed_vlen)));

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return __riscv_vmv_v_x_u32m1(x, MPX__LANES); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) {
    return __riscv_vand_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) {
    return __riscv_vor_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) {
    return __riscv_vxor_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) {
    return __riscv_vadd_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) {
    return __riscv_vsub_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) {
    return __riscv_vmul_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) {
    return __riscv_vsll_vx_u32m1(a, (size_t)n, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) {
    return __riscv_vsrl_vx_u32m1(a, (size_t)n, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
    return __riscv_vsll_vv_u32m1(a, n, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    return __riscv_vsrl_vv_u32m1(a, n, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) {
    return __riscv_vminu_vv_u32m1(a, b, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) {
    return __riscv_vmaxu_vv_u32m1(a, b, MPX__LANES);
}
/* Comparisons give one bit per lane, which is spread over the lane. */
#define MPX__SPREAD(bits) __riscv_vmerge_vxm_u32m1(mpx__set(0), 0xffffffffu, bits, MPX__LANES)
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmseq_vv_u32m1_b32(a, b, MPX__LANES));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmsgtu_vv_u32m1_b32(a, b, MPX__LANES));
}
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmsgt_vv_i32m1_b32(__riscv_vreinterpret_v_u32m1_i32m1(a),
                                                  __riscv_vreinterpret_v_u32m1_i32m1(b),
                                                  MPX__LANES));
}
#undef MPX__SPREAD
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__xor(b, mpx__and(mask, mpx__xor(a, b)));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return __riscv_vfirst_m_b32(__riscv_vmsne_vx_u32m1_b32(a, 0, MPX__LANES), MPX__LANES) >= 0;
}
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    return __riscv_vmv_x_s_u32m1_u32(__riscv_vredmaxu_vs_u32m1_u32m1(a, mpx__set(0), MPX__LANES));
}
/* Integers of 24 bits at most: exact, so that no rounding mode matters and no flag is raised. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    return __riscv_vreinterpret_v_f32m1_u32m1(__riscv_vfcvt_f_xu_v_f32m1(a, MPX__LANES));
}

/* By bytes, for which no alignment is assumed. */
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return __riscv_vreinterpret_v_u8m1_u32m1(
        __riscv_vle8_v_u8m1((const uint8_t *)p, MPX__LANES * 4));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    vuint8mf2_t bytes = __riscv_vle8_v_u8mf2((const uint8_t *)p, MPX__LANES * 2);
    return __riscv_vzext_vf2_u32m1(__riscv_vreinterpret_v_u8mf2_u16mf2(bytes), MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return __riscv_vzext_vf4_u32m1(__riscv_vle8_v_u8mf4((const uint8_t *)p, MPX__LANES),
                                   MPX__LANES);
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) {
    __riscv_vse8_v_u8m1((uint8_t *)p, __riscv_vreinterpret_v_u32m1_u8m1(v), MPX__LANES * 4);
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    vuint16mf2_t words = __riscv_vncvt_x_x_w_u16mf2(v, MPX__LANES);
    __riscv_vse8_v_u8mf2((uint8_t *)p, __riscv_vreinterpret_v_u16mf2_u8mf2(words), MPX__LANES * 2);
}

/* A lane of 32 bits is two lanes of 16: the larger of each. */
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return __riscv_vreinterpret_v_u16m1_u32m1(
        __riscv_vmaxu_vv_u16m1(__riscv_vreinterpret_v_u32m1_u16m1(a),
                               __riscv_vreinterpret_v_u32m1_u16m1(b), MPX__LANES * 2));
}

#endif /* MPX_ISA_RVV */
/*==========================================================================*
 * MARK: simd_generic - functions that an instruction set lacks              *
 *   They are made of other functions of the vocabulary. An instruction set  *
 *   that has a better version defines MPX__OWN_... beside it.               *
 *==========================================================================*/
#if !MPX__COMPACT

/* a > b, of unsigned lanes. */
#ifndef MPX__OWN_GT
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    const mpx__vu top = mpx__set(0x80000000u);
    return mpx__gt_signed(mpx__xor(a, top), mpx__xor(b, top));
}
#endif
/* The larger of magnitudes below 2^31; one that must be right in the upper half of a lane only. */
#ifndef MPX__OWN_MAX_MAGNITUDE
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
#endif
/* The largest lane, of magnitudes below 2^31. */
#ifndef MPX__OWN_LARGEST_LANE
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu lanes) {
    unsigned char at[MPX__LANES * 4];
    uint32_t largest = 0;
    size_t i;
    mpx__store32(at, lanes);
    for (i = 0; i < sizeof at; i += 4) {
        const uint32_t x = mpx__read32(at + i);
        largest = x > largest ? x : largest;
    }
    return largest;
}
#endif
#if !MPX__HAS_STREAM
MPX__FORCE_INLINE void mpx__fetch(const unsigned char *s, size_t bytes) { (void)s, (void)bytes; }
MPX__INLINE void mpx__fence(void) {}
#else
MPX__FORCE_INLINE void mpx__fetch(const unsigned char *s, size_t bytes) {
    size_t i;
    for (i = 0; i < bytes; i += 64)
        mpx__prefetch(s + i + 8192);
}
#endif

#if MPX__HAS_FLOAT
/* Integers of 24 bits at most, exact. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__bits_of_vf(mpx__vf_of_i32(a)); }
/* Signed lanes below 0 become 0; unsigned lanes above 2^31 - 1 become that. */
#ifndef MPX__OWN_AT_LEAST_0
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__and(a, mpx__gt_signed(a, mpx__set(0)));
}
#endif
#ifndef MPX__OWN_AT_LEAST_0_8
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__and(a, mpx__gt8s(a, mpx__set(0)));
}
#endif
/* b where lanes of 16 bits of a are above 0, else 0; none of a is below. */
#ifndef MPX__OWN_WHERE_ABOVE_0
MPX__FORCE_INLINE mpx__vu mpx__where_above_0(mpx__vu a, mpx__vu b) {
    return mpx__and(mpx__gt16s(a, mpx__set(0)), b);
}
#endif
#ifndef MPX__OWN_AT_MOST_I32
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) { return mpx__min(a, mpx__set(0x7fffffffu)); }
#endif

/* Two vectors of signed lanes to unsigned ones of half the width, saturated: less 32768, they are
   packed as signed lanes; then 32768 is added. */
#ifndef MPX__OWN_PACK32
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000u);
    a = mpx__sub(mpx__at_least_0(a), half);
    b = mpx__sub(mpx__at_least_0(b), half);
    return mpx__xor(mpx__pack32s(a, b), mpx__set(0x80008000u));
}
#endif
#ifndef MPX__OWN_JOIN_UPPER16
/* The upper halves of two vectors' lanes, in order. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
}
#endif
#ifndef MPX__OWN_SIGNS
/* The sign bits of lanes of 16 bits, or of a block's lanes, as those of bytes, in the order of
   packed lanes. The other bits of the bytes may be anything. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(const mpx__vu v[4]) {
    return mpx__pack16s(mpx__pack32s(v[0], v[1]), mpx__pack32s(v[2], v[3]));
}
#endif

/* Integers from memory to wider lanes. */
#ifndef MPX__OWN_LOAD_SIGNED16
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
#endif
#ifndef MPX__OWN_LOAD_UNSIGNED8
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    mpx__vu low, high;
    mpx__pair8(mpx__to_pair_twice(mpx__load32(p)), mpx__set(0), &low, &high);
    mpx__pair16(low, mpx__set(0), &v[0], &v[1]);
    mpx__pair16(high, mpx__set(0), &v[2], &v[3]);
}
#endif

/* f64 from and to narrower elements in memory. */
#ifndef MPX__OWN_HALVES
MPX__FORCE_INLINE void mpx__store_vf_of_vd(void *p, mpx__vd a, mpx__vd b) {
    mpx__store32(p, mpx__bits_of_vf(mpx__vf_of_vd(a, b)));
}
MPX__FORCE_INLINE void mpx__load_vd_of_vf(mpx__vd v[2], const void *p) {
    mpx__vd_of_vf(v, mpx__vf_of_bits(mpx__load32(p)));
}
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    mpx__vd_of_i32(v, mpx__load32(p));
}
#endif
/* A product or quotient. Where a is NaN, it is that NaN, made quiet. */
#ifndef MPX__OWN_PRODUCT
MPX__FORCE_INLINE mpx__vf mpx__fproduct(mpx__vf a, mpx__vf b) { return mpx__fmul(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fquotient(mpx__vf a, mpx__vf b) { return mpx__fdiv(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__dproduct(mpx__vd a, mpx__vd b) { return mpx__dmul(a, b); }
MPX__FORCE_INLINE mpx__vd mpx__dquotient(mpx__vd a, mpx__vd b) { return mpx__ddiv(a, b); }
#endif
#ifndef MPX__LOSES_NAN /* 1: mpx__vd_of_vf may change a NaN */
#define MPX__LOSES_NAN 0
#endif
#ifndef MPX__NATIVE_BF16 /* 1: mpx__bf16_pair is right for NaN too */
#define MPX__NATIVE_BF16 0
#endif
#endif /* MPX__HAS_FLOAT */

/* The floating-point environments that kernels need, where instruction sets differ. */
#ifndef MPX__F16_ENV /* from f16 */
#define MPX__F16_ENV MPX__ENV_ANY
#endif
#ifndef MPX__TO_F16_ENV
#define MPX__TO_F16_ENV MPX__ENV_ALL
#endif
#ifndef MPX__BF16_ENV
#define MPX__BF16_ENV MPX__ENV_ANY
#endif
#ifndef MPX__F8_ENV
#define MPX__F8_ENV MPX__ENV_ALL
#endif

/* ---- constants of a call --------------------------------------------------------------------- */

/* What a kernel whose format is known at run time computes from the dtype's row before its loop,
   see small.h. Each kernel uses some of the members. */
#if MPX__HAS_FLOAT
typedef struct mpx__narrow {
    mpx__vu unit, least;       /* 2^(M-23), the smallest normal                */
    mpx__vu weights;           /* of the two words: 1, 2^(7-M)                 */
    mpx__shift16 to_code;      /* right by 7 - M                               */
    mpx__vu offset;            /* subtract                                     */
    mpx__vu top, sign;         /* the largest code, the sign bit; bytes        */
    mpx__vu nan;               /* NaN is above; words                          */
    int sign_shift, is_fnuz;   /* from bit 7 to the sign bit; zero has no sign */
} mpx__narrow;
#else
typedef struct mpx__narrow { int none; } mpx__narrow;
#endif
typedef struct mpx__finite {
    mpx__vu mask, add, finite, code;
} mpx__finite;
typedef struct mpx__constants {
    const mpx__row *row;
    mpx__job *job;
    mpx__narrow narrow;
    mpx__finite finite;
    mpx__vu magnitude, fields, scale, to_sign, line[5], less, table[6];
    int is_less, drop;
    mpx__vu by, largest; /* scaling: the factor; the largest results so far */
} mpx__constants;

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: float_env - the caller's floating-point environment                 *
 *   The exact codec computes with integers. Kernels with float instructions *
 *   run between enter and leave, once for a whole call.                     *
 *==========================================================================*/
#if !MPX__COMPACT

/* 1 unless the modes are: to nearest, subnormals kept. Three sums tell: twice the least subnormal
   is not 0; 1 plus 3/4 of a unit in its last place rounds up, 1 plus 1/4 rounds down. That takes
   half the time of reading the control word, but raises "inexact" and "denormal". */
#if MPX__HAS_MXCSR
MPX__FORCE_INLINE int mpx__modes_differ(void) {
    MPX__READ_HERE int tiny = 1;
    __m128i a = _mm_set_epi32(0, 0x3f800000, 0x3f800000, tiny),
            want = _mm_set_epi32(0, 0x3f800000, 0x3f800001, 2);
    __m128 sum = _mm_castsi128_ps(a);
    MPX__FP_BARRIER(sum);
    sum = _mm_add_ps(sum, _mm_castsi128_ps(_mm_set_epi32(0, 0x33000000, 0x33c00000, 1)));
    MPX__FP_BARRIER(sum);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castps_si128(sum), want)) != 0xffff;
}
MPX__PRIVATE int mpx__env_serves(int env) {
    return MPX_KEEP_FLAGS ? 0 : env == MPX__ENV_MODES && !mpx__modes_differ();
}
/* MXCSR: 0x1f80 masks all exceptions and rounds to nearest; 0x3f are the flags. Reading it waits
   for earlier float instructions, writing it does not (Zen 4), so it is read once. The barriers
   keep kernels, whose float instructions load and store, between enter and leave. */
MPX__PRIVATE mpx__env mpx__env_enter(int env) {
    unsigned saved, wanted;
    if (env == MPX__ENV_ANY || mpx__env_serves(env)) return 0;
    saved = _mm_getcsr();
    wanted = 0x1f80u | (saved & 0x3fu);
    if (saved != wanted) _mm_setcsr(wanted);
    MPX__BARRIER();
    return saved | (mpx__env)1 << 32;
}
MPX__PRIVATE void mpx__env_leave(mpx__env saved) {
    MPX__BARRIER();
    _mm_setcsr((unsigned)(saved & 0xffffffffu));
}
#elif !defined(MPX__OWN_ENV) /* nothing to set, or no float instructions in use */
MPX__INLINE int mpx__env_serves(int env) { return (void)env, 1; }
MPX__INLINE mpx__env mpx__env_enter(int env) { return (void)env, 0; }
MPX__INLINE void mpx__env_leave(mpx__env saved) { (void)saved; }
#endif

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: lanes - the loop, and blocks that need integer lanes alone          *
 *   A kernel loads a block of a dtype, works on its lanes and stores a      *
 *   block of another dtype. This room has the loop that all kernels share,  *
 *   and what every instruction set has: blocks of f32, bf16, f16, small     *
 *   floats and small integers, in f32 lanes. A word has 16 bits here.       *
 *==========================================================================*/
#if !MPX__COMPACT

/* Elements of a block: four vectors of 32-bit lanes. Bytes of a vector: the same number. */
enum { MPX__BLOCK = 4 * MPX__LANES, MPX__VECTOR = 4 * MPX__LANES };

MPX__FORCE_INLINE mpx__vu mpx__set16(int x) { return mpx__set((uint32_t)(x & 0xffff) * 0x10001u); }
MPX__FORCE_INLINE mpx__vu mpx__set8(int x) { return mpx__set((uint32_t)(x & 0xff) * 0x1010101u); }

/* ---- the loop -------------------------------------------------------------------------------- */

/* A loader loads the block at s to four vectors. A storer writes a block at d, and may read the
   source at s itself. It writes nothing and returns 0 if the block needs the exact codec. k:
   constants of the call, NULL for kernels without any. */
typedef void (*mpx__load4_fn)(mpx__vu v[4], const unsigned char *s, const mpx__constants *k);
typedef int (*mpx__store4_fn)(unsigned char *d, const mpx__vu v[4], const unsigned char *s,
                              int stream, mpx__constants *k);
#define MPX__LOADER(name) \
    MPX__FORCE_INLINE void name(mpx__vu v[4], const unsigned char *s MPX__UNUSED, \
                                const mpx__constants *k MPX__UNUSED)
#define MPX__STORER(name) \
    MPX__FORCE_INLINE int name(unsigned char *d, const mpx__vu v[4], \
                               const unsigned char *s MPX__UNUSED, int stream MPX__UNUSED, \
                               mpx__constants *k MPX__UNUSED)

/* A block that its storer refuses. Not inlined, so that the loop's constants stay in registers. */
MPX__NOINLINE void mpx__exact_block(unsigned char *d, const unsigned char *s, mpx__job *job) {
    mpx__exact_cast(d, s, MPX__BLOCK, 0, job);
}
/* Whether a code of a float dtype is Inf or NaN. */
MPX__INLINE int mpx__is_special_code(mpx__sig code, const mpx__row *row, mpx__sig largest) {
    const mpx__sig sign = (mpx__sig)1 << (row->bits - 1u);
    return mpx__family_of(row) == MPX__FNUZ ? code == sign : (code & (sign - 1u)) > largest;
}
/* The same by the kernel, with zeros in place of Inf and NaN, which go to the exact codec. NULL, or
   nothing of these in the block: all goes there. */
MPX__COLD MPX__NOINLINE void mpx__special_block(mpx__kernel_fn run, unsigned char *d,
                                                const unsigned char *s, mpx__job *job) {
    const mpx__row *from = job->from;
    const size_t to_size = mpx__code_bytes(job->to), from_size = mpx__code_bytes(from);
    const int stream = job->stream, is_float = from->kind == MPX_KIND_FLOAT;
    const mpx__sig largest = is_float ? mpx__largest_code(from) : 0;
    unsigned char in[MPX__BLOCK * 8], out[MPX__BLOCK * 8], special[MPX__BLOCK];
    size_t i, count = 0;
    mpx__copy(in, s, MPX__BLOCK * from_size);
    for (i = 0; run != NULL && is_float && i < MPX__BLOCK; i++) {
        special[count] = (unsigned char)i;
        if (!mpx__is_special_code(mpx__read_code(in + i * from_size, from->bits), from, largest))
            continue;
        mpx__zero(in + i * from_size, from_size);
        count++;
    }
    if (count == 0) {
        mpx__exact_block(d, s, job);
        return;
    }
    job->stream = 0;
    run(out, in, MPX__BLOCK, job);
    job->stream = stream;
    for (i = 0; i < count; i++)
        mpx__exact_cast(out + special[i] * to_size, s + special[i] * from_size, 1, 0, job);
    mpx__copy(d, out, MPX__BLOCK * to_size);
}

/* n is a multiple of MPX__BLOCK; steps in bytes. stream: stores go past the caches, and the source
   is fetched 8 KiB ahead. d may be s if a block of the target is no wider. The inner loop calls
   nothing: it ends at a block that is refused. self: see mpx__special_block. */
MPX__FORCE_INLINE void mpx__loop(unsigned char *d, size_t d_step, const unsigned char *s,
                                 size_t s_step, size_t n, mpx__job *job, mpx__load4_fn load,
                                 mpx__store4_fn store, mpx__constants *k, mpx__kernel_fn self) {
    const unsigned char *end = s + n / MPX__BLOCK * s_step;
    const int stream = MPX__HAS_STREAM ? job->stream : 0;
    do {
        MPX__ALIGN_LOOP();
        do {
            mpx__vu v[4];
            if (MPX__RARELY(stream)) mpx__fetch(s, s_step);
            load(v, s, k);
            if (!store(d, v, s, stream, k)) {
                mpx__special_block(self, d, s, job);
                s += s_step;
                d += d_step;
                break;
            }
            s += s_step;
            d += d_step;
        } while (s != end);
    } while (s != end);
}
/* A kernel: the bits of an element of the target, and its storer; the bits of an element of the
   source, and its loader. */
#define MPX__KERNEL(name, d_bits, store, s_bits, load) \
    MPX__NOINLINE void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__loop(d, MPX__BLOCK * (d_bits) / 8, s, MPX__BLOCK * (s_bits) / 8, n, job, load, store, \
                  NULL, name); \
    }
/* The same with constants, which `set` makes of the job. */
#define MPX__KERNEL_WITH(name, set, d_bits, store, s_bits, load) \
    MPX__NOINLINE void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__constants k; \
        set(&k, job); \
        mpx__loop(d, MPX__BLOCK * (d_bits) / 8, s, MPX__BLOCK * (s_bits) / 8, n, job, load, store, \
                  &k, name); \
    }

/* Store one, two or four vectors, past the caches or not. */
MPX__FORCE_INLINE void mpx__put1(unsigned char *d, mpx__vu a, int stream) {
#if MPX__HAS_STREAM
    if (MPX__RARELY(stream)) {
        mpx__store_past(d, a);
        return;
    }
#endif
    (void)stream;
    mpx__store32(d, a);
}
MPX__FORCE_INLINE void mpx__put2(unsigned char *d, mpx__vu a, mpx__vu b, int stream) {
#if MPX__HAS_STREAM
    if (MPX__RARELY(stream)) {
        mpx__store_past(d, a);
        mpx__store_past(d + MPX__VECTOR, b);
        return;
    }
#endif
    (void)stream;
    mpx__store32(d, a);
    mpx__store32(d + MPX__VECTOR, b);
}
MPX__FORCE_INLINE int mpx__put4(unsigned char *d, const mpx__vu v[4], int stream) {
#if MPX__HAS_STREAM
    if (MPX__RARELY(stream)) {
        mpx__store_past(d, v[0]);
        mpx__store_past(d + MPX__VECTOR, v[1]);
        mpx__store_past(d + 2 * MPX__VECTOR, v[2]);
        mpx__store_past(d + 3 * MPX__VECTOR, v[3]);
        return 1;
    }
#endif
    (void)stream;
    mpx__store32(d, v[0]);
    mpx__store32(d + MPX__VECTOR, v[1]);
    mpx__store32(d + 2 * MPX__VECTOR, v[2]);
    mpx__store32(d + 3 * MPX__VECTOR, v[3]);
    return 1;
}

/* ---- f32 ------------------------------------------------------------------------------------- */

MPX__LOADER(mpx__load4_f32) {
    v[0] = mpx__load32(s);
    v[1] = mpx__load32(s + MPX__VECTOR);
    v[2] = mpx__load32(s + 2 * MPX__VECTOR);
    v[3] = mpx__load32(s + 3 * MPX__VECTOR);
}
MPX__STORER(mpx__store4_f32) { return mpx__put4(d, v, stream); }

/* For storers that read the source themselves. */
MPX__LOADER(mpx__load4_nothing) { v[0] = v[1] = v[2] = v[3] = mpx__set(0); }

/* ---- codes of floats in lanes, by integers --------------------------------------------------- */

/* The fields of a float of exp_bits and man_bits in the low bits of a lane, beside those of f32:

     code                         s eeee mmm        bias
     f32    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      127

   Same order, so a magnitude (code without sign) is moved by shifting it left by 23 - man_bits and
   adding the difference of the biases to the exponent field. What this does not cover: subnormal
   codes, which are integers times 2^(1 - bias - man_bits), and the topmost codes. bias < 127, but
   for E8M0, whose code 0 is 2^-127, a subnormal float. */
MPX__FORCE_INLINE mpx__vu mpx__decode_lanes(mpx__vu code, int exp_bits, int man_bits, int bias,
                                            int family) {
    const uint32_t all_ones = (1u << (exp_bits + man_bits)) - 1u,
                   inf = all_ones & ~((1u << man_bits) - 1u);
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(code, mpx__set(all_ones)), sign, low, u, special = mpx__set(0x7fc00000u);
    if (family == MPX__E8M0) {
        u = mpx__select(mpx__eq(a, mpx__set(0)), mpx__set(0x400000u), mpx__shl(a, 23));
        return mpx__select(mpx__eq(a, mpx__set(all_ones)), special, u);
    }
    sign = mpx__shl(mpx__shr(code, exp_bits + man_bits), 31);
    low = mpx__sub(mpx__f32_of_u24(a), mpx__set((uint32_t)(bias - 1 + man_bits) << 23));
    low = mpx__and(low, mpx__gt_signed(a, mpx__set(0)));
    u = mpx__add(mpx__shl(a, drop), mpx__set((uint32_t)(127 - bias) << 23));
    u = mpx__select(mpx__gt_signed(mpx__set(1u << man_bits), a), low, u);
    if (family == MPX__IEEE) {
        mpx__vu quiet = mpx__and(mpx__gt_signed(a, mpx__set(inf)), mpx__set(0x400000u));
        special = mpx__or(mpx__or(mpx__set(0x7f800000u), mpx__shl(a, drop)), quiet);
        u = mpx__select(mpx__gt_signed(mpx__set(inf), a), u, special);
    }
    if (family == MPX__FN) u = mpx__select(mpx__eq(a, mpx__set(all_ones)), special, u);
    if (family == MPX__FNUZ) {
        mpx__vu nan = mpx__eq(mpx__or(u, sign), mpx__set(0x80000000u));
        return mpx__or(mpx__or(u, sign), mpx__and(nan, special));
    }
    return mpx__or(u, sign);
}
MPX__FORCE_INLINE mpx__vu mpx__decode_row(mpx__vu code, const mpx__row *row) {
    code = mpx__and(code, mpx__set((1u << row->bits) - 1u));
    return mpx__decode_lanes(code, row->exponent_bits, row->mantissa_bits, row->bias, row->family);
}
/* Any float of eight bits and less, one code in a byte. */
MPX__LOADER(mpx__load4_f8) {
    v[0] = mpx__decode_row(mpx__load8(s), k->row);
    v[1] = mpx__decode_row(mpx__load8(s + MPX__LANES), k->row);
    v[2] = mpx__decode_row(mpx__load8(s + 2 * MPX__LANES), k->row);
    v[3] = mpx__decode_row(mpx__load8(s + 3 * MPX__LANES), k->row);
}
MPX__INLINE void mpx__from_row(mpx__constants *k, mpx__job *job) { k->row = job->from; }
MPX__KERNEL_WITH(mpx__f8_to_f32_by_lanes, mpx__from_row, 32, mpx__store4_f32, 8, mpx__load4_f8)

/* A NaN made quiet; `otherwise` for lanes that are not NaN. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan(mpx__vu u, mpx__vu otherwise) {
    mpx__vu nan = mpx__gt_signed(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    return mpx__select(nan, mpx__or(u, mpx__set(0x400000u)), otherwise);
}

/* ---- instruction sets without float lanes ---------------------------------------------------- */
#if !MPX__HAS_FLOAT

MPX__FORCE_INLINE mpx__vu mpx__f32_of_bf16(const unsigned char *s) {
    mpx__vu u = mpx__shl(mpx__load16(s), 16);
    return mpx__quiet_nan(u, u);
}
MPX__LOADER(mpx__load4_bf16) {
    v[0] = mpx__f32_of_bf16(s);
    v[1] = mpx__f32_of_bf16(s + 2 * MPX__LANES);
    v[2] = mpx__f32_of_bf16(s + 4 * MPX__LANES);
    v[3] = mpx__f32_of_bf16(s + 6 * MPX__LANES);
}
MPX__FORCE_INLINE void mpx__store_bf16(unsigned char *d, mpx__vu u) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    mpx__vu rounded = mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
    mpx__store16(d, mpx__shr(mpx__quiet_nan(u, rounded), 16));
}
MPX__STORER(mpx__store4_bf16) {
    mpx__store_bf16(d, v[0]);
    mpx__store_bf16(d + 2 * MPX__LANES, v[1]);
    mpx__store_bf16(d + 4 * MPX__LANES, v[2]);
    mpx__store_bf16(d + 6 * MPX__LANES, v[3]);
    return 1;
}

MPX__FORCE_INLINE mpx__vu mpx__f32_of_f16(const unsigned char *s) {
    return mpx__decode_lanes(mpx__load16(s), 5, 10, 15, MPX__IEEE);
}
MPX__LOADER(mpx__load4_f16) {
    v[0] = mpx__f32_of_f16(s);
    v[1] = mpx__f32_of_f16(s + 2 * MPX__LANES);
    v[2] = mpx__f32_of_f16(s + 4 * MPX__LANES);
    v[3] = mpx__f32_of_f16(s + 6 * MPX__LANES);
}
/* Round m to nearest even while dropping n bits (1 to 25): add half an ulp, less one unless the
   lowest kept bit is odd, and cut. */
MPX__FORCE_INLINE mpx__vu mpx__round_shift(mpx__vu m, mpx__vu n) {
    mpx__vu odd = mpx__and(mpx__shrv(m, n), mpx__set(1));
    mpx__vu half_less_one = mpx__sub(mpx__shlv(mpx__set(1), mpx__sub(n, mpx__set(1))), mpx__set(1));
    return mpx__shrv(mpx__add(m, mpx__add(half_less_one, odd)), n);
}
/* Normal: the bias moved by 112, rounded by 13 bits; a carry out of the mantissa raises the
   exponent, as it should. Subnormal: the mantissa with its hidden bit loses one bit more for each
   exponent below 2^-14; from 25 on all of it lies below half a unit. */
MPX__FORCE_INLINE void mpx__store_f16(unsigned char *d, mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), sign = mpx__shl(mpx__shr(u, 31), 15);
    mpx__vu hidden = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
    mpx__vu n = mpx__max(mpx__min(mpx__sub(mpx__set(126), mpx__shr(a, 23)), mpx__set(25)),
                         mpx__set(1));
    mpx__vu normal = mpx__round_shift(mpx__sub(a, mpx__set(112u << 23)), mpx__set(13));
    mpx__vu code = mpx__select(mpx__gt_signed(mpx__set(113u << 23), a), mpx__round_shift(hidden, n),
                               normal);
    mpx__vu payload = mpx__or(mpx__shr(mpx__and(a, mpx__set(0x7fffffu)), 13), mpx__set(0x7e00));
    code = mpx__select(mpx__gt_signed(a, mpx__set(0x7f800000u)), payload,
                       mpx__min(code, mpx__set(0x7c00)));
    mpx__store16(d, mpx__or(code, sign));
}
MPX__STORER(mpx__store4_f16) {
    mpx__store_f16(d, v[0]);
    mpx__store_f16(d + 2 * MPX__LANES, v[1]);
    mpx__store_f16(d + 4 * MPX__LANES, v[2]);
    mpx__store_f16(d + 6 * MPX__LANES, v[3]);
    return 1;
}

/* Integers of 8 and 16 bits are exact in f32. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_signed(mpx__vu x, int bits) {
    mpx__vu top = mpx__set(1u << (bits - 1)), negative = mpx__gt_signed(x, mpx__sub(top, mpx__set(1)));
    mpx__vu extended = mpx__sub(mpx__xor(x, top), top);
    mpx__vu magnitude = mpx__sub(mpx__xor(extended, negative), negative);
    return mpx__or(mpx__f32_of_u24(magnitude), mpx__and(negative, mpx__set(0x80000000u)));
}
MPX__LOADER(mpx__load4_i8) {
    v[0] = mpx__f32_of_signed(mpx__load8(s), 8);
    v[1] = mpx__f32_of_signed(mpx__load8(s + MPX__LANES), 8);
    v[2] = mpx__f32_of_signed(mpx__load8(s + 2 * MPX__LANES), 8);
    v[3] = mpx__f32_of_signed(mpx__load8(s + 3 * MPX__LANES), 8);
}
MPX__LOADER(mpx__load4_u8) {
    v[0] = mpx__f32_of_u24(mpx__load8(s));
    v[1] = mpx__f32_of_u24(mpx__load8(s + MPX__LANES));
    v[2] = mpx__f32_of_u24(mpx__load8(s + 2 * MPX__LANES));
    v[3] = mpx__f32_of_u24(mpx__load8(s + 3 * MPX__LANES));
}
MPX__LOADER(mpx__load4_i16) {
    v[0] = mpx__f32_of_signed(mpx__load16(s), 16);
    v[1] = mpx__f32_of_signed(mpx__load16(s + 2 * MPX__LANES), 16);
    v[2] = mpx__f32_of_signed(mpx__load16(s + 4 * MPX__LANES), 16);
    v[3] = mpx__f32_of_signed(mpx__load16(s + 6 * MPX__LANES), 16);
}
MPX__LOADER(mpx__load4_u16) {
    v[0] = mpx__f32_of_u24(mpx__load16(s));
    v[1] = mpx__f32_of_u24(mpx__load16(s + 2 * MPX__LANES));
    v[2] = mpx__f32_of_u24(mpx__load16(s + 4 * MPX__LANES));
    v[3] = mpx__f32_of_u24(mpx__load16(s + 6 * MPX__LANES));
}
MPX__KERNEL(mpx__bf16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_bf16)
MPX__KERNEL(mpx__f32_to_bf16, 16, mpx__store4_bf16, 32, mpx__load4_f32)
MPX__KERNEL(mpx__f16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_f16)
MPX__KERNEL(mpx__f32_to_f16, 16, mpx__store4_f16, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i8_to_f32, 32, mpx__store4_f32, 8, mpx__load4_i8)
MPX__KERNEL(mpx__u8_to_f32, 32, mpx__store4_f32, 8, mpx__load4_u8)
MPX__KERNEL(mpx__i16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_i16)
MPX__KERNEL(mpx__u16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_u16)
#endif /* !MPX__HAS_FLOAT */

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: floats - blocks of f32, f64, f16 and bf16, by float arithmetic      *
 *   A block for which float instructions would not give the bits of the     *
 *   exact codec is left to the exact codec.                                 *
 *==========================================================================*/
#if !MPX__COMPACT && MPX__HAS_FLOAT

/* ---- what a block holds ---------------------------------------------------------------------- */

/* Words of 16 bits to the upper halves of lanes, with zeros below. */
MPX__FORCE_INLINE void mpx__upper_two(mpx__vu v[2], mpx__vu words) {
    mpx__pair16(mpx__set(0), mpx__to_pair_once(words), &v[0], &v[1]);
}
/* The larger magnitudes of two vectors of 16-bit floats; whether one is above `limit`. */
MPX__FORCE_INLINE mpx__vu mpx__larger16(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fff7fffu);
    return mpx__max16(mpx__and(a, magnitude), mpx__and(b, magnitude));
}
MPX__FORCE_INLINE int mpx__is_above16(mpx__vu magnitudes, uint32_t limit) {
    return mpx__any(mpx__gt16s(magnitudes, mpx__set(limit * 0x10001u)));
}
/* Whether one of the magnitudes in a block has an upper half above `limit`. */
#ifdef MPX__OWN_UPPER_WORDS
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    return mpx__is_above16(mpx__larger16(mpx__upper_words(v[0], v[1]),
                                         mpx__upper_words(v[2], v[3])), limit);
}
#else
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max_upper(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max_upper(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any(mpx__gt_signed(mpx__max_upper(a, b), mpx__set(limit << 16 | 0xffffu)));
}
#endif
/* Whether a block has a NaN; by integers, as float comparisons raise flags. */
#ifndef MPX__OWN_NAN_IN_BLOCK
MPX__FORCE_INLINE mpx__vu mpx__nan_in(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), inf = mpx__set(0x7f800000u);
    return mpx__or(mpx__gt_signed(mpx__and(a, magnitude), inf),
                   mpx__gt_signed(mpx__and(b, magnitude), inf));
}
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    return mpx__above_block(v, 0x7f7f) &&
           mpx__any(mpx__or(mpx__nan_in(v[0], v[1]), mpx__nan_in(v[2], v[3])));
}
#endif

/* ---- f64 ------------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vd mpx__load_vd(const unsigned char *s) {
    return mpx__vd_of_bits(mpx__load32(s));
}
/* f64 to f32, rounded to nearest by the instruction. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(const unsigned char *s) {
    return mpx__bits_of_vf(mpx__vf_of_vd(mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR)));
}
MPX__FORCE_INLINE void mpx__f64_to_f32_in_halves(unsigned char *d, const unsigned char *s) {
    mpx__store_vf_of_vd(d, mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR));
}
MPX__STORER(mpx__store4_f32_of_f64) {
    mpx__vu w[4];
    if (!stream) {
        mpx__f64_to_f32_in_halves(d, s);
        mpx__f64_to_f32_in_halves(d + MPX__VECTOR, s + 2 * MPX__VECTOR);
        mpx__f64_to_f32_in_halves(d + 2 * MPX__VECTOR, s + 4 * MPX__VECTOR);
        mpx__f64_to_f32_in_halves(d + 3 * MPX__VECTOR, s + 6 * MPX__VECTOR);
        return (void)v, 1;
    }
    w[0] = mpx__f32_of_f64(s);
    w[1] = mpx__f32_of_f64(s + 2 * MPX__VECTOR);
    w[2] = mpx__f32_of_f64(s + 4 * MPX__VECTOR);
    w[3] = mpx__f32_of_f64(s + 6 * MPX__VECTOR);
    return mpx__put4(d, w, 1);
}
MPX__KERNEL(mpx__f64_to_f32, 32, mpx__store4_f32_of_f64, 64, mpx__load4_nothing)

/* f32 to f64, exact. If the instruction may change a NaN, blocks with NaN need the exact codec. */
MPX__FORCE_INLINE void mpx__f32_to_f64_at(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vd w[2];
    mpx__load_vd_of_vf(w, s);
    mpx__put2(d, mpx__bits_of_vd(w[0]), mpx__bits_of_vd(w[1]), stream);
}
MPX__STORER(mpx__store4_f64_of_f32) {
    if (MPX__LOSES_NAN && mpx__nan_in_block(v)) return 0;
    mpx__f32_to_f64_at(d, s, stream);
    mpx__f32_to_f64_at(d + 2 * MPX__VECTOR, s + MPX__VECTOR, stream);
    mpx__f32_to_f64_at(d + 4 * MPX__VECTOR, s + 2 * MPX__VECTOR, stream);
    mpx__f32_to_f64_at(d + 6 * MPX__VECTOR, s + 3 * MPX__VECTOR, stream);
    return 1;
}
MPX__KERNEL(mpx__f32_to_f64, 64, mpx__store4_f64_of_f32, 32, mpx__load4_f32)

/* f64 to f32 rounded to odd, for storers that round again. 29 bits are cut off. If they are not all
   0, the carry from adding all ones to them sets the lowest bit that is kept. The conversion then
   has nothing to round, except below 2^-126, and it makes Inf of 2^128 and more. */
#ifndef MPX__OWN_ODD
MPX__FORCE_INLINE mpx__vd mpx__to_29_zeros(mpx__vd d) {
    mpx__vu x = mpx__bits_of_vd(d), low = mpx__set64(0x1fffffffu),
            carry = mpx__add(mpx__and(x, low), low);
    return mpx__vd_of_bits(
        mpx__and(mpx__or(x, carry), mpx__set64(~(uint64_t)0x1fffffffu)));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_of_f64(mpx__vd a, mpx__vd b) {
    return mpx__bits_of_vf(mpx__vf_of_vd(mpx__to_29_zeros(a), mpx__to_29_zeros(b)));
}
/* Whether a block of results may have reached these ends of the range: a magnitude below 2^-125 or
   near Inf. Then, whether the block of f64 really leaves the range of f32; zeros are right. */
MPX__FORCE_INLINE int mpx__near_range_end(const mpx__vu v[4]) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), a = mpx__and(v[0], magnitude),
            b = mpx__and(v[1], magnitude), c = mpx__and(v[2], magnitude),
            d = mpx__and(v[3], magnitude);
    mpx__vu least = mpx__min16s(mpx__min16s(a, b), mpx__min16s(c, d));
    return mpx__above_block(v, 0x7f7e) || mpx__any(mpx__gt_signed(mpx__set(0x1000000u), least));
}
MPX__NOINLINE int mpx__f64_leaves_f32_range(const unsigned char *s) {
    mpx__vu bad = mpx__set(0), low, high, zero;
    const unsigned char *end = s + 8 * MPX__BLOCK;
    for (; s != end; s += 2 * MPX__VECTOR) {
        mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
        high = mpx__and(high, mpx__set(0x7fffffffu));
        zero = mpx__eq(mpx__or(low, high), mpx__set(0));
        bad = mpx__or(bad, mpx__gt_signed(high, mpx__set(0x47dfffffu)));
        high = mpx__select(zero, mpx__set(0x3ff00000u), high);
        bad = mpx__or(bad, mpx__gt_signed(mpx__set(0x38200000u), high));
    }
    return mpx__any(bad);
}
MPX__FORCE_INLINE int mpx__is_odd_wrong(const mpx__vu v[4], const unsigned char *s) {
    return mpx__near_range_end(v) && mpx__f64_leaves_f32_range(s);
}
#else
MPX__FORCE_INLINE int mpx__is_odd_wrong(const mpx__vu v[4], const unsigned char *s) {
    return (void)v, (void)s, 0;
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__odd_of_f64_at(const unsigned char *s) {
    return mpx__odd_of_f64(mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR));
}
MPX__LOADER(mpx__load4_f64_to_odd) {
    v[0] = mpx__odd_of_f64_at(s);
    v[1] = mpx__odd_of_f64_at(s + 2 * MPX__VECTOR);
    v[2] = mpx__odd_of_f64_at(s + 4 * MPX__VECTOR);
    v[3] = mpx__odd_of_f64_at(s + 6 * MPX__VECTOR);
}
MPX__STORER(mpx__store4_odd) { return !mpx__is_odd_wrong(v, s) && mpx__put4(d, v, stream); }
MPX__KERNEL(mpx__f64_to_odd, 32, mpx__store4_odd, 64, mpx__load4_f64_to_odd)

/* ---- f16 ------------------------------------------------------------------------------------- */

#if MPX__NATIVE_F16
MPX__LOADER(mpx__load4_f16) {
    v[0] = mpx__load_f16(s);
    v[1] = mpx__load_f16(s + 2 * MPX__LANES);
    v[2] = mpx__load_f16(s + 4 * MPX__LANES);
    v[3] = mpx__load_f16(s + 6 * MPX__LANES);
}
MPX__STORER(mpx__store4_f16) {
    if (stream) {
        mpx__put2(d, mpx__f16_pair(v[0], v[1]), mpx__f16_pair(v[2], v[3]), 1);
    } else {
        mpx__store_f16_pair(d, v[0], v[1]);
        mpx__store_f16_pair(d + MPX__VECTOR, v[2], v[3]);
    }
    return 1;
}
#else
/* An f16 in the upper half of a lane to f32: its fields are moved to those of an f32, and
   multiplied by 2^112, the difference of the biases. Not for Inf and NaN, nor for subnormals: their
   products would be right, but take 150 cycles on some machines. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_moved_f16(mpx__vu u) {
    u = mpx__and(mpx__sar(u, 3), mpx__set(0x8fffffffu));
    return mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(u), mpx__vf_of_bits(mpx__set(239u << 23))));
}
/* Any f16. A subnormal one with its exponent field one higher is 2^-14 too much, which is
   subtracted. Other lanes subtract 2^-14 from itself, as their difference would not be exact. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_any_f16(mpx__vu u) {
    const mpx__vu sign = mpx__and(u, mpx__set(0x80000000u)), less = mpx__set(0xb8800000u);
    mpx__vu a = mpx__shr(mpx__shl(u, 1), 4), low, high;
    mpx__vu subnormal = mpx__gt_signed(mpx__set(1u << 23), a),
            special = mpx__gt_signed(a, mpx__set(0xf7fffffu)),
            quiet = mpx__and(mpx__gt_signed(a, mpx__set(0xf800000u)), mpx__set(0x400000u));
    low = mpx__add(mpx__and(a, subnormal), mpx__set(113u << 23));
    low = mpx__bits_of_vf(mpx__fmul_add(mpx__vf_of_bits(low), mpx__vf_of_bits(mpx__set(0x3f800000u)),
                                        mpx__vf_of_bits(less)));
    low = mpx__and(low, mpx__set(0x7fffffffu)); /* 0 has no sign where sums are rounded down */
    high = mpx__add(a, mpx__add(mpx__set(112u << 23), mpx__and(special, mpx__set(112u << 23))));
    return mpx__or(mpx__or(mpx__select(subnormal, low, high), quiet), sign);
}
MPX__NOINLINE void mpx__load4_any_f16(mpx__vu v[4], const unsigned char *s) {
    mpx__upper_two(v, mpx__load32(s));
    mpx__upper_two(v + 2, mpx__load32(s + MPX__VECTOR));
    v[0] = mpx__f32_of_any_f16(v[0]);
    v[1] = mpx__f32_of_any_f16(v[1]);
    v[2] = mpx__f32_of_any_f16(v[2]);
    v[3] = mpx__f32_of_any_f16(v[3]);
}
/* Twice the magnitude less 0x8001, as a signed number: subnormals are the least, zero is the
   largest. */
MPX__FORCE_INLINE mpx__vu mpx__key_of_f16(mpx__vu h) {
    return mpx__add16(mpx__add16(h, h), mpx__set(0x7fff7fffu));
}
MPX__LOADER(mpx__load4_f16) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR), normal = mpx__set(0x87ff87ffu),
            least = mpx__min16s(mpx__key_of_f16(a), mpx__key_of_f16(b));
    if (mpx__any(mpx__gt16s(normal, least)) || mpx__is_above16(mpx__larger16(a, b), 0x7bff)) {
        mpx__load4_any_f16(v, s);
        return;
    }
    mpx__upper_two(v, a);
    mpx__upper_two(v + 2, b);
    v[0] = mpx__f32_of_moved_f16(v[0]);
    v[1] = mpx__f32_of_moved_f16(v[1]);
    v[2] = mpx__f32_of_moved_f16(v[2]);
    v[3] = mpx__f32_of_moved_f16(v[3]);
}
/* Of a magnitude x:   E = the power of two at or below x, at least 2^-14
                       s = x * 2^-13 + E, rounded to nearest even
   s has the exponent of E, and in its lowest bits x / E in units of 2^-10: the mantissa with its
   hidden bit, rounded at the right place, subnormals included. 8 * its upper word + its lower word
   is the code + a constant. Packing saturates Inf, NaN and values far beyond f16: such blocks need
   the exact codec. */
MPX__FORCE_INLINE mpx__vu mpx__f16_lanes(mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), t;
    mpx__vf e = mpx__fmax(mpx__vf_of_bits(mpx__and(u, mpx__set(0x7f800000u))),
                          mpx__vf_of_bits(mpx__set(113u << 23)));
    t = mpx__bits_of_vf(mpx__fmul_add(mpx__vf_of_bits(a), mpx__vf_of_bits(mpx__set(114u << 23)), e));
    t = mpx__dot16s(mpx__and(t, mpx__set(0xffff0fffu)), mpx__set(0x80001u));
    return mpx__sub(t, mpx__set(113u << 10));
}
MPX__FORCE_INLINE mpx__vu mpx__signed_f16(mpx__vu t, mpx__vu u0, mpx__vu u1) {
    mpx__vu sign = mpx__and(mpx__pack32s(u0, u1), mpx__set(0x80008000u));
    return mpx__packed_once(mpx__or(mpx__min16s(t, mpx__set(0x7c007c00u)), sign));
}
MPX__STORER(mpx__store4_f16) {
    mpx__vu a = mpx__pack32s(mpx__f16_lanes(v[0]), mpx__f16_lanes(v[1])),
            b = mpx__pack32s(mpx__f16_lanes(v[2]), mpx__f16_lanes(v[3]));
    if (mpx__any(mpx__gt16s(mpx__max16s(a, b), mpx__set(0x7ffe7ffeu)))) return 0;
    mpx__put2(d, mpx__signed_f16(a, v[0], v[1]), mpx__signed_f16(b, v[2], v[3]), stream);
    return 1;
}
#endif
MPX__KERNEL(mpx__f16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_f16)
MPX__KERNEL(mpx__f32_to_f16, 16, mpx__store4_f16, 32, mpx__load4_f32)
MPX__KERNEL(mpx__f64_to_f16, 16, mpx__store4_f16, 64, mpx__load4_f64_to_odd)

/* ---- bf16 ------------------------------------------------------------------------------------ */

/* A signalling NaN stays as it is: storers make it quiet. */
MPX__LOADER(mpx__load4_bf16) {
    mpx__upper_two(v, mpx__load32(s));
    mpx__upper_two(v + 2, mpx__load32(s + MPX__VECTOR));
}
/* bf16 to f32. NaN is found in the source's words of 16 bits. */
MPX__FORCE_INLINE int mpx__has_nan_bf16(const unsigned char *s) {
    return mpx__is_above16(mpx__larger16(mpx__load32(s), mpx__load32(s + MPX__VECTOR)), 0x7f80);
}
MPX__STORER(mpx__store4_f32_of_bf16) {
    return !mpx__has_nan_bf16(s) && mpx__put4(d, v, stream);
}

/* To nearest even, in the upper halves: a carry out of the mantissa raises the exponent. */
#ifndef MPX__OWN_BF16_PAIR
MPX__FORCE_INLINE mpx__vu mpx__round_upper(mpx__vu u) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    return mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__join_upper16(mpx__round_upper(a), mpx__round_upper(b));
}
#endif
/* A NaN is made quiet, and its lower half is cleared, so that rounding does not change it. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_upper(mpx__vu u) {
    mpx__vu nan = mpx__gt_signed(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    return mpx__select(nan, mpx__and(mpx__or(u, mpx__set(0x400000u)), mpx__set(0xffff0000u)), u);
}
MPX__FORCE_INLINE int mpx__put_bf16(unsigned char *d, const mpx__vu v[4], int nan, int stream) {
    mpx__vu w[4];
    w[0] = v[0];
    w[1] = v[1];
    w[2] = v[2];
    w[3] = v[3];
    if (nan) {
        w[0] = mpx__quiet_upper(w[0]);
        w[1] = mpx__quiet_upper(w[1]);
        w[2] = mpx__quiet_upper(w[2]);
        w[3] = mpx__quiet_upper(w[3]);
    }
    mpx__put2(d, mpx__bf16_pair(w[0], w[1]), mpx__bf16_pair(w[2], w[3]), stream);
    return 1;
}
#ifdef MPX__OWN_BF16_BLOCK
/* By an instruction that makes zero of subnormals; mpx__bf16_block returns 0 if there are any. */
MPX__STORER(mpx__store4_bf16) {
    mpx__vu w[2];
    if (!mpx__bf16_block(w, v)) return mpx__put_bf16(d, v, 1, stream);
    mpx__put2(d, w[0], w[1], stream);
    return 1;
}
#else
MPX__STORER(mpx__store4_bf16) {
    return !MPX__NATIVE_BF16 && mpx__nan_in_block(v) ? mpx__put_bf16(d, v, 1, stream)
                                                     : mpx__put_bf16(d, v, 0, stream);
}
#endif
/* From f32 in memory. */
#ifdef MPX__OWN_WORDS_AT
MPX__STORER(mpx__store4_bf16_of_f32) {
    const unsigned char *t = s + 2 * MPX__VECTOR;
    mpx__vu a = mpx__upper_words_at(s), b = mpx__upper_words_at(t);
    if (mpx__is_above16(mpx__larger16(a, b), 0x7f7f)) {
        mpx__vu w[4];
        mpx__load4_f32(w, s, k);
        return (void)v, mpx__store4_bf16(d, w, s, stream, k);
    }
    mpx__put2(d, mpx__bf16_of_words(a, mpx__lower_words_at(s)),
              mpx__bf16_of_words(b, mpx__lower_words_at(t)), stream);
    return 1;
}
MPX__KERNEL(mpx__f32_to_bf16, 16, mpx__store4_bf16_of_f32, 32, mpx__load4_nothing)
#else
MPX__KERNEL(mpx__f32_to_bf16, 16, mpx__store4_bf16, 32, mpx__load4_f32)
#endif
MPX__KERNEL(mpx__bf16_to_f32, 32, mpx__store4_f32_of_bf16, 16, mpx__load4_bf16)
MPX__KERNEL(mpx__bf16_to_f16, 16, mpx__store4_f16, 16, mpx__load4_bf16)
MPX__KERNEL(mpx__f16_to_bf16, 16, mpx__store4_bf16, 16, mpx__load4_f16)

/* From f64. */
#ifdef MPX__OWN_ODD
MPX__KERNEL(mpx__f64_to_bf16, 16, mpx__store4_bf16, 64, mpx__load4_f64_to_odd)
#else
/* Rounded twice, to f32 and then to bf16, each time to nearest. That is right unless the f32 is a
   tie, which does not tell on which side of it the f64 was. Blocks with a tie or NaN are rounded to
   odd instead. To do so with all blocks would take twice the time (Zen 3, AVX2 and SSE2). The lower
   half of a tie is the least signed number of 16 bits. */
MPX__FORCE_INLINE int mpx__has_tie_or_nan(const mpx__vu v[4]) {
    mpx__vu least = mpx__min16s(mpx__min16s(v[0], v[1]), mpx__min16s(v[2], v[3])),
            tie = mpx__and(mpx__eq16(least, mpx__set(0x8000)), mpx__set(0xffff)),
            nan = mpx__or(mpx__unordered(mpx__vf_of_bits(v[0]), mpx__vf_of_bits(v[1])),
                          mpx__unordered(mpx__vf_of_bits(v[2]), mpx__vf_of_bits(v[3])));
    return mpx__any(mpx__or(tie, nan));
}
/* f64 to f32, in two vectors that mpx__pack32s joins in order: in a register of two halves, it
   packs within each half. Registers of four quarters are not packed. */
MPX__FORCE_INLINE void mpx__f32_of_f64_to_pack(mpx__vu v[2], const unsigned char *s) {
    const int second = MPX__LANES == 8 ? 2 * MPX__VECTOR : MPX__VECTOR,
              third = 3 * MPX__VECTOR - second;
    v[0] = mpx__bits_of_vf(mpx__vf_of_vd(mpx__load_vd(s), mpx__load_vd(s + second)));
    v[1] = mpx__bits_of_vf(mpx__vf_of_vd(mpx__load_vd(s + third), mpx__load_vd(s + 3 * MPX__VECTOR)));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_without_ties(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000);
    a = mpx__add(a, half);
    b = mpx__add(b, half);
    return MPX__LANES > 8 ? mpx__join_upper16(a, b)
                          : mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16));
}
MPX__STORER(mpx__store4_bf16_of_f64) {
    mpx__vu w[4];
    mpx__f32_of_f64_to_pack(w, s);
    mpx__f32_of_f64_to_pack(w + 2, s + 4 * MPX__VECTOR);
    if (mpx__has_tie_or_nan(w)) {
        mpx__load4_f64_to_odd(w, s, k);
        return (void)v, !mpx__is_odd_wrong(w, s) && mpx__store4_bf16(d, w, s, stream, k);
    }
    mpx__put2(d, mpx__bf16_without_ties(w[0], w[1]), mpx__bf16_without_ties(w[2], w[3]), stream);
    return 1;
}
MPX__KERNEL(mpx__f64_to_bf16, 16, mpx__store4_bf16_of_f64, 64, mpx__load4_nothing)
#endif

#endif /* !MPX__COMPACT && MPX__HAS_FLOAT */
/*==========================================================================*
 * MARK: small - blocks of floats of a byte and less, one code in a byte     *
 *   One loop each way: the format is read from the dtype's row when the     *
 *   call begins, so a new small float needs no code here.                   *
 *==========================================================================*/
#if !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_SMALL

/* ---- to small floats, by float arithmetic ---------------------------------------------------- */

/* Of the magnitude x of one f32, for a format with M mantissa bits:
       E = the power of two at or below x, at least the smallest normal
       s = x * 2^(M-23) + E, rounded to nearest even; the product is exact, or far below half a unit
   s has the exponent of E, and in its lowest bits x / E in units of 2^-M: the code's mantissa with
   its hidden bit, rounded at the right place, subnormals included (there E stays, and the hidden
   bit is 0).
       bits of s       0 eeeeeeee 0000000 | 00...0 RRRRRR        R = 0 ... 2^(M+1)
                       upper word         | lower word
   upper + lower * 2^(7-M) is (code + a constant) * 2^(7-M): one instruction for both words. NaN has
   the quiet bit in the upper word, and is above Inf. The constants: mpx__narrow, simd_generic.h. */
MPX__PRIVATE void mpx__narrow_set(mpx__constants *k, mpx__job *job) {
    const mpx__row *row = job->to;
    const int m = row->mantissa_bits, all_ones = (1 << (row->exponent_bits + m)) - 1;
    int top = (int)mpx__largest_code(row);
    if (row->family != MPX__FINITE && !job->rounding.saturate) top++;
    k->job = job;
    k->narrow.unit = mpx__set((uint32_t)(127 + m - 23) << 23);
    k->narrow.least = mpx__set((uint32_t)(128 - row->bias) << 23);
    k->narrow.weights = mpx__set(1u << 16 | 1u << (7 - m));
    k->narrow.to_code = mpx__shift16_set(7 - m);
    k->narrow.offset = mpx__set16((128 - row->bias) << m);
    k->narrow.top = mpx__set8(top);
    k->narrow.sign = mpx__set8(all_ones + 1);
    k->narrow.sign_shift = 8 - row->bits;
    k->narrow.is_fnuz = row->family == MPX__FNUZ;
    k->narrow.nan = mpx__set16(!MPX__NATIVE_F16 && job->from->type == MPX_F16 ? 0x7c00 : 0x7f80);
}

/* (code + constant) * 2^(7-M), up to 0x8000, in a lane of 32 bits. */
MPX__FORCE_INLINE mpx__vu mpx__narrow_lanes(mpx__vu a, const mpx__narrow *k) {
    mpx__vf e = mpx__fmax(mpx__vf_of_bits(mpx__and(a, mpx__set(0x7f800000u))),
                          mpx__vf_of_bits(k->least));
    mpx__vf t = mpx__fmul_add(mpx__vf_of_bits(a), mpx__vf_of_bits(k->unit), e);
    /* the mask cuts off the payload of NaN */
    return mpx__dot16s(mpx__and(mpx__bits_of_vf(t), mpx__set(0xffff00ffu)), k->weights);
}
MPX__FORCE_INLINE mpx__vu mpx__code_words(mpx__vu w, const mpx__narrow *k) {
    return mpx__sub16(mpx__shr16(w, k->to_code), k->offset);
}
/* Store the codes of a block in order. packed_words: the words are packed lanes, not in order.
   plain: NaN saturates to the topmost code, which is NaN in e4m3fn. */
MPX__FORCE_INLINE int mpx__put_codes(unsigned char *d, mpx__vu low, mpx__vu high, mpx__vu sign,
                                     int packed_words, int plain, const mpx__narrow *k,
                                     int stream) {
    mpx__vu code = mpx__pack16(mpx__code_words(low, k), mpx__code_words(high, k));
    code = mpx__min8(code, k->top);
    if (!plain && k->is_fnuz) sign = mpx__and(sign, mpx__gt8s(code, mpx__set(0)));
    if (!plain && k->sign_shift != 0) sign = mpx__shr(sign, k->sign_shift);
    code = mpx__or(code, mpx__and(sign, k->sign));
    mpx__put1(d, packed_words ? mpx__packed_twice(code) : mpx__packed_once(code), stream);
    return 1;
}
/* NaN is above k->nan, and the largest finite values may be: the exact codec tells them apart. */
MPX__FORCE_INLINE int mpx__narrow_block(unsigned char *d, const mpx__vu v[4], int plain,
                                        const mpx__narrow *k, int stream) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu low = mpx__pack32s(mpx__narrow_lanes(mpx__and(v[0], magnitude), k),
                               mpx__narrow_lanes(mpx__and(v[1], magnitude), k)),
            high = mpx__pack32s(mpx__narrow_lanes(mpx__and(v[2], magnitude), k),
                                mpx__narrow_lanes(mpx__and(v[3], magnitude), k)),
            sign = mpx__signs_of_32(v);
    if (!plain && mpx__any(mpx__gt16s(mpx__max16s(low, high), k->nan))) return 0;
    return mpx__put_codes(d, low, high, sign, 1, plain, k, stream);
}
MPX__STORER(mpx__store4_f8) { return mpx__narrow_block(d, v, 0, &k->narrow, stream); }
MPX__STORER(mpx__store4_f8_plain) { return mpx__narrow_block(d, v, 1, &k->narrow, stream); }
#if MPX__HAS_JOIN
/* Codes of four bits, two in a byte. */
MPX__STORER(mpx__store4_packed_f4) {
    unsigned char codes[MPX__BLOCK];
    if (!mpx__narrow_block(codes, v, 0, &k->narrow, 0)) mpx__exact_block(codes, s, k->job);
    mpx__store_joined4(d, mpx__load32(codes));
    return 1;
}
MPX__KERNEL_WITH(mpx__f32_to_packed_f4, mpx__narrow_set, 4, mpx__store4_packed_f4, 32,
                 mpx__load4_f32)
#endif
MPX__KERNEL_WITH(mpx__f32_to_f8, mpx__narrow_set, 8, mpx__store4_f8, 32, mpx__load4_f32)
MPX__KERNEL_WITH(mpx__f32_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain, 32, mpx__load4_f32)

/* From f64, by f32 rounded to odd: no small float has the range of f32. */
#if MPX__HAS_F64
MPX__KERNEL_WITH(mpx__f64_to_f8, mpx__narrow_set, 8, mpx__store4_f8, 64, mpx__load4_f64_to_odd)
#endif

/* From f16 and bf16: the magnitudes of even and of odd words become f32 where they are, so that the
   codes are words in order. */
typedef mpx__vu (*mpx__lane_fn)(mpx__vu a);
MPX__FORCE_INLINE mpx__vu mpx__even_bf16(mpx__vu a) { return mpx__shl(a, 16); }
MPX__FORCE_INLINE mpx__vu mpx__odd_bf16(mpx__vu a) { return mpx__and(a, mpx__set(0xffff0000u)); }
MPX__FORCE_INLINE mpx__vu mpx__narrow_words(mpx__vu a, mpx__lane_fn even, mpx__lane_fn odd,
                                            const mpx__narrow *k) {
    return mpx__or(mpx__narrow_lanes(even(a), k), mpx__shl(mpx__narrow_lanes(odd(a), k), 16));
}
MPX__FORCE_INLINE int mpx__narrow_block16(unsigned char *d, const unsigned char *s,
                                          mpx__lane_fn even, mpx__lane_fn odd, int plain,
                                          const mpx__narrow *k, int stream) {
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__VECTOR), magnitude = mpx__set16(0x7fff);
    mpx__vu a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
    if (!plain && mpx__any(mpx__gt16s(mpx__max16s(a0, a1), k->nan))) return 0;
    return mpx__put_codes(d, mpx__narrow_words(a0, even, odd, k), mpx__narrow_words(a1, even, odd, k),
                          mpx__signs_of_16(h0, h1), 0, plain, k, stream);
}
MPX__STORER(mpx__store4_f8_of_bf16) {
    return (void)v, mpx__narrow_block16(d, s, mpx__even_bf16, mpx__odd_bf16, 0, &k->narrow, stream);
}
MPX__STORER(mpx__store4_f8_plain_of_bf16) {
    return (void)v, mpx__narrow_block16(d, s, mpx__even_bf16, mpx__odd_bf16, 1, &k->narrow, stream);
}
MPX__KERNEL_WITH(mpx__bf16_to_f8, mpx__narrow_set, 8, mpx__store4_f8_of_bf16, 16,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__bf16_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain_of_bf16, 16,
                 mpx__load4_nothing)
#if MPX__NATIVE_F16
MPX__KERNEL_WITH(mpx__f16_to_f8, mpx__narrow_set, 8, mpx__store4_f8, 16, mpx__load4_f16)
MPX__KERNEL_WITH(mpx__f16_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain, 16, mpx__load4_f16)
#else
/* An f16 as an f32 with its exponent moved: y. Of a subnormal, y has a hidden bit too much, and 2y
   - 2^-14 is right, which is less than y for subnormals only. Inf and NaN become 65536 and more. */
MPX__FORCE_INLINE mpx__vu mpx__moved_f16(mpx__vu moved) {
    mpx__vf y = mpx__vf_of_bits(mpx__add(moved, mpx__set(112u << 23)));
    mpx__vf z = mpx__fmul_add(y, mpx__vf_of_bits(mpx__set(0x40000000u)),
                              mpx__vf_of_bits(mpx__set(0xb8800000u)));
    return mpx__bits_of_vf(mpx__fmin(y, z));
}
MPX__FORCE_INLINE mpx__vu mpx__even_f16(mpx__vu a) {
    return mpx__moved_f16(mpx__dot16s(a, mpx__set(0x2000u)));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_f16(mpx__vu a) {
    return mpx__moved_f16(mpx__dot16s(a, mpx__set(0x20000000u)));
}
MPX__STORER(mpx__store4_f8_of_f16) {
    return (void)v, mpx__narrow_block16(d, s, mpx__even_f16, mpx__odd_f16, 0, &k->narrow, stream);
}
MPX__STORER(mpx__store4_f8_plain_of_f16) {
    return (void)v, mpx__narrow_block16(d, s, mpx__even_f16, mpx__odd_f16, 1, &k->narrow, stream);
}
MPX__KERNEL_WITH(mpx__f16_to_f8, mpx__narrow_set, 8, mpx__store4_f8_of_f16, 16, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f16_to_e4m3fn, mpx__narrow_set, 8, mpx__store4_f8_plain_of_f16, 16,
                 mpx__load4_nothing)
#endif

/* f16 and e5m2 have the same exponents: half a unit less one is added, and one for odd codes. That
   is 2.5 times as fast as through f32. */
MPX__FORCE_INLINE mpx__vu mpx__e5m2_words(mpx__vu h, mpx__vu a) {
    mpx__vu odd = mpx__and(mpx__shr(h, 8), mpx__set16(1));
    return mpx__shr16(mpx__add16(mpx__add16(a, mpx__set16(0x7f)), odd), mpx__shift16_set(8));
}
MPX__STORER(mpx__store4_e5m2_of_f16) {
    const mpx__vu magnitude = mpx__set16(0x7fff), inf = mpx__set16(0x7c00);
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__VECTOR), code,
            a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
    if (mpx__any(mpx__gt16s(mpx__max16s(a0, a1), inf))) return (void)v, 0;
    code = mpx__min8(mpx__pack16(mpx__e5m2_words(h0, a0), mpx__e5m2_words(h1, a1)), k->narrow.top);
    code = mpx__or(code, mpx__and(mpx__signs_of_16(h0, h1), mpx__set8(0x80)));
    mpx__put1(d, mpx__packed_once(code), stream);
    return 1;
}
MPX__KERNEL_WITH(mpx__f16_to_e5m2, mpx__narrow_set, 8, mpx__store4_e5m2_of_f16, 16,
                 mpx__load4_nothing)

/* ---- from small floats ----------------------------------------------------------------------- */

/* A code is Inf or NaN if (code & mask) + add, as a signed byte, is above `finite`: such blocks
   need the exact codec. Codes below a byte are finite; `code` cuts off their other bits. */
MPX__INLINE void mpx__finite_set(mpx__finite *k, const mpx__row *row) {
    const int bits = row->exponent_bits + row->mantissa_bits, fnuz = row->family == MPX__FNUZ;
    k->mask = mpx__set8(fnuz ? 255 : (1 << bits) - 1);
    k->add = mpx__set8(fnuz ? -1 : 0);
    k->finite = mpx__set8(fnuz ? 126 : (int)mpx__largest_code(row));
    k->code = mpx__set8((1 << row->bits) - 1);
}
MPX__FORCE_INLINE int mpx__is_special_in(mpx__vu codes, const mpx__finite *k) {
    return mpx__any(mpx__gt8s(mpx__add8(mpx__and(codes, k->mask), k->add), k->finite));
}

/* Store a block of f16 or bf16, which is two vectors; or of f32, which is bf16 with zeros below. */
MPX__FORCE_INLINE int mpx__put_words(unsigned char *d, mpx__vu low, mpx__vu high, int to_f32,
                                     int stream) {
    if (!to_f32) {
        mpx__put2(d, low, high, stream);
    } else {
        mpx__vu w[4];
        mpx__pair16(mpx__set(0), low, &w[0], &w[1]);
        mpx__pair16(mpx__set(0), high, &w[2], &w[3]);
        (void)mpx__put4(d, w, stream);
    }
    return 1;
}

/* A code with an exponent of at most four bits, not Inf or NaN, is the f16 with the same fields
   times a power of two. */
#ifdef MPX__OWN_BYTES_AS_F16
MPX__INLINE void mpx__as_f16_set(mpx__constants *k, mpx__job *job) {
    k->drop = 10 - job->from->mantissa_bits;
    k->fields = mpx__set16(0x8000 | 0x7f << k->drop);
    mpx__finite_set(&k->finite, job->from);
    k->scale = mpx__set((uint32_t)(127 + 15 - job->from->bias) << 23);
}
MPX__FORCE_INLINE void mpx__two_as_f16(mpx__vu v[2], const unsigned char *s,
                                       const mpx__constants *k) {
    const mpx__vf scale = mpx__vf_of_bits(k->scale);
    mpx__two_of_f16(v, mpx__and(mpx__shl16(mpx__load_signed_words(s), k->drop), k->fields));
    v[0] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[0]), scale));
    v[1] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[1]), scale));
}
MPX__STORER(mpx__store4_f32_as_f16) {
    mpx__vu w[4];
    if (mpx__is_special_in(mpx__load32(s), &k->finite)) return (void)v, 0;
    mpx__two_as_f16(w, s, k);
    mpx__two_as_f16(w + 2, s + MPX__BLOCK / 2, k);
    return mpx__put4(d, w, stream);
}
MPX__KERNEL_WITH(mpx__f8_to_f32_as_f16, mpx__as_f16_set, 32, mpx__store4_f32_as_f16, 8,
                 mpx__load4_nothing)
#endif

/* The words of bf16 and f16 (T mantissa bits) as a function of a code's magnitude are made of
   straight lines: between two powers of two the word grows by a fixed step, which is 2^(T-M) for
   normal codes and doubles with every binade of subnormal ones below. The function is concave, so
   it is the minimum of all M + 1 lines, and zero at zero.
       line j:  magnitude * 2^(T-M) * 2^j + ((bias' - bias - j) << T)        j = 0 ... M
   Sums saturate, above all that matters. rebias: bias' - bias. */
MPX__INLINE void mpx__lines_set(mpx__constants *k, const mpx__row *row, int t, int rebias) {
    const int top = 1 << (row->exponent_bits + row->mantissa_bits);
    int i;
    k->magnitude = mpx__set16(top - 1);
    k->fields = mpx__set16(top);
    k->scale = mpx__set16(1 << (t - row->mantissa_bits));
    k->to_sign = mpx__set16(0x8000 / top);
    for (i = 0; i <= 4; i++)
        k->line[i] = mpx__set16(i > row->mantissa_bits ? 0x7fff : (rebias - i) * (1 << t));
}
MPX__FORCE_INLINE mpx__vu mpx__next_line(mpx__vu r, mpx__vu steps, mpx__vu line) {
    return mpx__min16s(r, mpx__sum16s(steps, line));
}
/* The code is in the lowest bits of w. few: at most two mantissa bits. */
MPX__FORCE_INLINE mpx__vu mpx__word_of_code(mpx__vu w, const mpx__constants *k, int few) {
    mpx__vu x = mpx__mul16(mpx__and(w, k->magnitude), k->scale), two = mpx__sum16s(x, x),
            four = mpx__sum16s(two, two), r = mpx__sum16s(x, k->line[0]);
    r = mpx__next_line(mpx__next_line(r, two, k->line[1]), four, k->line[2]);
    if (!few) {
        mpx__vu eight = mpx__sum16s(four, four);
        r = mpx__next_line(r, eight, k->line[3]);
        r = mpx__next_line(r, mpx__sum16s(eight, eight), k->line[4]);
    }
    r = mpx__and(r, mpx__gt16s(x, mpx__set(0)));
    return mpx__or(r, mpx__mul16(mpx__and(w, k->fields), k->to_sign));
}

#if MPX__HAS_LOOKUP
/* By tables of 16 bytes, which the lines fill. The word of a normal code is a sum of what its upper
   and its lower four bits give, without carries if the difference of the biases is a multiple of 16
   / 2^M. Else the tables are made for a difference that is larger by `less`, which is then
   subtracted from the exponents of words other than zero. A third table corrects magnitudes below
   16; codes of four bits need no other. Tables of 128 bytes have the words of all magnitudes. */
#ifdef MPX__OWN_ENTRIES_128
MPX__PRIVATE void mpx__widen_set(mpx__constants *k, mpx__job *job) {
    static const unsigned char lanes[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                             8, 9, 10, 11, 12, 13, 14, 15 };
    const mpx__row *row = job->from;
    const int to_f16 = job->to->type == MPX_F16;
    const mpx__vu byte = mpx__set16(255);
    mpx__vu codes, word[4];
    int i;
    mpx__lines_set(k, row, to_f16 ? 10 : 7, (to_f16 ? 15 : 127) - row->bias);
    mpx__finite_set(&k->finite, row);
    codes = mpx__add(mpx__mul(mpx__load8(lanes), mpx__set(0x20002u)), mpx__set(0x10000u));
    for (i = 0; i < 4; i++) {
        word[i] = mpx__word_of_code(codes, k, 0);
        codes = mpx__add16(codes, mpx__set16(32));
    }
    for (i = 0; i < 2; i++) {
        mpx__vu a = word[2 * i], b = word[2 * i + 1];
        k->table[i] = mpx__packed_once(mpx__pack16(mpx__and(a, byte), mpx__and(b, byte)));
        a = mpx__and(mpx__shr(a, 8), byte);
        b = mpx__and(mpx__shr(b, 8), byte);
        k->table[2 + i] = mpx__packed_once(mpx__pack16(a, b));
    }
}
MPX__FORCE_INLINE void mpx__look_up(mpx__vu codes, const mpx__constants *k, int nibbles, mpx__vu *a,
                                    mpx__vu *b) {
    mpx__vu low = mpx__entries_128(k->table[0], k->table[1], codes),
            high = mpx__entries_128(k->table[2], k->table[3], codes);
    if (!nibbles) high = mpx__or(high, mpx__and(codes, mpx__set8(0x80)));
    mpx__pair8(low, high, a, b);
}
#else
/* Two tables: the lower and the upper bytes of sixteen words, which are in two vectors or in one.
   */
MPX__FORCE_INLINE void mpx__two_tables(mpx__vu table[2], mpx__vu a, mpx__vu b) {
    const mpx__vu byte = mpx__set16(255);
    unsigned char bytes[MPX__VECTOR];
    mpx__store32(bytes, mpx__packed_once(mpx__pack16(mpx__and(a, byte), mpx__and(b, byte))));
    table[0] = mpx__table16(bytes);
    a = mpx__and(mpx__shr(a, 8), byte);
    b = mpx__and(mpx__shr(b, 8), byte);
    mpx__store32(bytes, mpx__packed_once(mpx__pack16(a, b)));
    table[1] = mpx__table16(bytes);
}
/* (i & mask) << n in every word. */
MPX__FORCE_INLINE void mpx__shift_words(mpx__vu w[2], const mpx__vu i[2], mpx__vu mask, int n) {
    w[0] = mpx__shl(mpx__and(i[0], mask), n);
    w[1] = mpx__shl(mpx__and(i[1], mask), n);
}
MPX__PRIVATE void mpx__widen_set(mpx__constants *k, mpx__job *job) {
    static const unsigned char sixteen[MPX__VECTOR] = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    };
    const mpx__row *row = job->from;
    const int to_f16 = job->to->type == MPX_F16, t = to_f16 ? 10 : 7, m = row->mantissa_bits,
              shift = t - m, e = row->exponent_bits, even = row->bits < 8 ? 1 : 16 >> m,
              less = (0 - ((to_f16 ? 15 : 127) - row->bias)) & (even - 1),
              rebias = (to_f16 ? 15 : 127) - row->bias + less;
    const mpx__vu first = mpx__set16(rebias << t);
    mpx__vu i[2], word[2], lower[2], upper[2], sign[2];
    mpx__pair8(mpx__to_pair_once(mpx__load32(sixteen)), mpx__set(0), &i[0], &i[1]);
    if (MPX__VECTOR > 16) i[1] = i[0];
    mpx__lines_set(k, row, t, rebias);
    word[0] = mpx__word_of_code(i[0], k, 0);
    word[1] = mpx__word_of_code(i[1], k, 0);
    if (row->bits != 4) {
        mpx__shift_words(lower, i, mpx__set16(15), shift);
        mpx__shift_words(upper, i, mpx__set16((1 << (e + m - 4)) - 1), shift + 4);
        mpx__shift_words(sign, i, mpx__set16(1 << (e + m - 4)), 19 - e - m);
        mpx__two_tables(k->table, mpx__or(mpx__add16(upper[0], first), sign[0]),
                        mpx__or(mpx__add16(upper[1], first), sign[1]));
        mpx__two_tables(k->table + 2, lower[0], lower[1]);
        word[0] = mpx__xor(mpx__xor(word[0], first), lower[0]);
        word[1] = mpx__xor(mpx__xor(word[1], first), lower[1]);
    }
    mpx__two_tables(k->table + 4, word[0], word[1]);
    k->magnitude = mpx__set8((1 << (e + m)) - 1);
    k->is_less = less != 0;
    k->less = mpx__set16(less << t);
    mpx__finite_set(&k->finite, row);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_exponent(mpx__vu word, const mpx__constants *k) {
    const mpx__vu nonzero = mpx__gt16s(mpx__and(word, mpx__set16(0x7fff)), mpx__set(0));
    return mpx__sub16(word, mpx__and(nonzero, k->less));
}
MPX__FORCE_INLINE void mpx__look_up(mpx__vu codes, const mpx__constants *k, int nibbles, mpx__vu *a,
                                    mpx__vu *b) {
    const mpx__vu four = mpx__set8(15);
    mpx__vu upper = mpx__and(mpx__shr(codes, 4), four), lower = mpx__and(codes, four),
            tiny = mpx__and(codes, k->magnitude), low, high;
    if (nibbles) {
        mpx__pair8(mpx__entries(k->table[4], codes), mpx__entries(k->table[5], codes), a, b);
        return;
    }
    low = mpx__xor(mpx__entries(k->table[0], upper), mpx__entries(k->table[2], lower));
    high = mpx__xor(mpx__entries(k->table[1], upper), mpx__entries(k->table[3], lower));
    mpx__pair8(mpx__xor(low, mpx__entries_or_zero(k->table[4], tiny)),
               mpx__xor(high, mpx__entries_or_zero(k->table[5], tiny)), a, b);
    if (k->is_less) {
        *a = mpx__lower_exponent(*a, k);
        *b = mpx__lower_exponent(*b, k);
    }
}
#endif
MPX__FORCE_INLINE int mpx__widen_block(unsigned char *d, mpx__vu codes, int nibbles, int to_f32,
                                       const mpx__constants *k, int stream) {
    mpx__vu a, b;
    codes = mpx__and(codes, k->finite.code);
    if (!nibbles && mpx__is_special_in(codes, &k->finite)) return 0;
    codes = to_f32 ? mpx__to_pair_twice(codes) : mpx__to_pair_once(codes);
    mpx__look_up(codes, k, nibbles, &a, &b);
    return mpx__put_words(d, a, b, to_f32, stream);
}
#else
MPX__PRIVATE void mpx__widen_set(mpx__constants *k, mpx__job *job) {
    const mpx__row *row = job->from;
    const int to_f16 = job->to->type == MPX_F16;
    mpx__lines_set(k, row, to_f16 ? 10 : 7, (to_f16 ? 15 : 127) - row->bias);
    mpx__finite_set(&k->finite, row);
}
MPX__FORCE_INLINE int mpx__widen_block(unsigned char *d, mpx__vu codes, int few, int to_f32,
                                       const mpx__constants *k, int stream) {
    mpx__vu low, high;
    codes = mpx__and(codes, k->finite.code);
    if (!few && mpx__is_special_in(codes, &k->finite)) return 0;
    mpx__pair8(mpx__to_pair_once(codes), mpx__set(0), &low, &high);
    low = mpx__word_of_code(low, k, few);
    high = mpx__word_of_code(high, k, few);
    if (!to_f32) return mpx__put_words(d, low, high, 0, stream);
    return mpx__put_words(d, mpx__to_pair_once(low), mpx__to_pair_once(high), 1, stream);
}
#endif
MPX__STORER(mpx__store4_words_of_f8) {
    return (void)v, mpx__widen_block(d, mpx__load32(s), 0, 0, k, stream);
}
MPX__STORER(mpx__store4_f32_of_f8) {
    return (void)v, mpx__widen_block(d, mpx__load32(s), 0, 1, k, stream);
}
MPX__STORER(mpx__store4_words_of_f4) {
    return (void)v, mpx__widen_block(d, mpx__load32(s), 1, 0, k, stream);
}
MPX__STORER(mpx__store4_f32_of_f4) {
    return (void)v, mpx__widen_block(d, mpx__load32(s), 1, 1, k, stream);
}
MPX__KERNEL_WITH(mpx__f8_to_words, mpx__widen_set, 16, mpx__store4_words_of_f8, 8,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f8_to_f32, mpx__widen_set, 32, mpx__store4_f32_of_f8, 8, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f4_to_words, mpx__widen_set, 16, mpx__store4_words_of_f4, 8,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__f4_to_f32, mpx__widen_set, 32, mpx__store4_f32_of_f4, 8, mpx__load4_nothing)
#if MPX__HAS_JOIN
/* Two codes in a byte. */
MPX__STORER(mpx__store4_words_of_packed_f4) {
    return (void)v, mpx__widen_block(d, mpx__load_split4(s), 1, 0, k, stream);
}
MPX__STORER(mpx__store4_f32_of_packed_f4) {
    return (void)v, mpx__widen_block(d, mpx__load_split4(s), 1, 1, k, stream);
}
MPX__KERNEL_WITH(mpx__packed_f4_to_words, mpx__widen_set, 16, mpx__store4_words_of_packed_f4, 4,
                 mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__packed_f4_to_f32, mpx__widen_set, 32, mpx__store4_f32_of_packed_f4, 4,
                 mpx__load4_nothing)
#endif

/* e5m2 is the upper half of f16; NaN becomes quiet. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_e5m2(mpx__vu codes) {
    mpx__vu nan = mpx__gt8s(mpx__and(codes, mpx__set8(0x7f)), mpx__set8(0x7c));
    return mpx__or(codes, mpx__and(nan, mpx__set8(2)));
}
MPX__STORER(mpx__store4_f16_of_e5m2) {
    mpx__vu low, high;
    mpx__pair8(mpx__set(0), mpx__quiet_e5m2(mpx__to_pair_once(mpx__load32(s))), &low, &high);
    mpx__put2(d, low, high, stream);
    return (void)v, 1;
}
MPX__KERNEL(mpx__e5m2_to_f16, 16, mpx__store4_f16_of_e5m2, 8, mpx__load4_nothing)
#if MPX__NATIVE_F16
/* Where there are instructions for f16, e5m2 is converted as f16. */
MPX__LOADER(mpx__load4_e5m2) {
    mpx__load4_as_e5m2(v, mpx__quiet_e5m2(mpx__load32(s)));
}
MPX__KERNEL(mpx__e5m2_to_f32, 32, mpx__store4_f32, 8, mpx__load4_e5m2)
#endif

/* ---- e8m0 ------------------------------------------------------------------------------------ */

/* Nearest power of two, ties up: adding half of a binade carries into the exponent. Between 2^-127
   and 2^-126 the binade is that of the subnormal 0x400000, so half of it is 0x200000. Not positive,
   or too large: NaN (255). */
MPX__FORCE_INLINE mpx__vu mpx__e8m0_lanes(mpx__vu u) {
    mpx__vu half = mpx__select(mpx__gt_signed(mpx__set(0x800000u), u), mpx__set(0x200000u),
                               mpx__set(0x400000u));
    mpx__vu code = mpx__shr(mpx__add(u, half), 23),
            beyond = mpx__or(mpx__gt_signed(u, mpx__set(0x7f7fffffu)),
                             mpx__gt_signed(mpx__set(1), u));
    return mpx__or(code, mpx__and(beyond, mpx__set(255)));
}
MPX__STORER(mpx__store4_e8m0) {
    const mpx__vu code = mpx__set(255);
    mpx__vu a = mpx__pack32s(mpx__and(mpx__e8m0_lanes(v[0]), code),
                             mpx__and(mpx__e8m0_lanes(v[1]), code)),
            b = mpx__pack32s(mpx__and(mpx__e8m0_lanes(v[2]), code),
                             mpx__and(mpx__e8m0_lanes(v[3]), code));
    mpx__put1(d, mpx__packed_twice(mpx__pack16(a, b)), stream);
    return 1;
}
MPX__KERNEL(mpx__f32_to_e8m0, 8, mpx__store4_e8m0, 32, mpx__load4_f32)

#endif /* !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_SMALL */
/*==========================================================================*
 * MARK: ints - blocks of integers, and of f32 and f64 with them             *
 *   Integers of 8 and 16 bits are cast to one another in lanes of their     *
 *   width; the others meet in i32, or in i64 where i32 does not hold what   *
 *   both have in common. All saturate.                                      *
 *==========================================================================*/
#if !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_INT

/* Elements of 64 bits: a block is eight vectors. */
MPX__FORCE_INLINE void mpx__load4_64(mpx__vu v[4], const unsigned char *s) {
    mpx__load4_f32(v, s, NULL);
}
MPX__FORCE_INLINE mpx__vu mpx__ones(void) { return mpx__set(0xffffffffu); }

/* ---- 8 and 16 bits to one another ------------------------------------------------------------ */

/* Two blocks in each round, as there is little work in one. The storers read the source. */
MPX__FORCE_INLINE void mpx__loop_by_two(unsigned char *d, size_t d_step, const unsigned char *s,
                                        size_t s_step, size_t n, const mpx__job *job,
                                        mpx__store4_fn store) {
    const unsigned char *end = s + n / MPX__BLOCK * s_step;
    const int stream = MPX__HAS_STREAM ? job->stream : 0;
    if (n / MPX__BLOCK % 2 != 0) {
        (void)store(d, NULL, s, stream, NULL);
        d += d_step;
        s += s_step;
    }
    for (; s != end; d += 2 * d_step, s += 2 * s_step) {
        if (MPX__RARELY(stream)) mpx__fetch(s, 2 * s_step);
        (void)store(d, NULL, s, stream, NULL);
        (void)store(d + d_step, NULL, s + s_step, stream, NULL);
    }
}
#define MPX__KERNEL_BY_TWO(name, d_bits, store, s_bits) \
    MPX__NOINLINE void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__loop_by_two(d, MPX__BLOCK * (d_bits) / 8, s, MPX__BLOCK * (s_bits) / 8, n, job, \
                         store); \
    }

/* The same number of bits: values below 0 become 0, above the largest signed number become that. */
MPX__STORER(mpx__store_u8_of_i8) {
    mpx__put1(d, mpx__at_least_0_8(mpx__load32(s)), stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_i8_of_u8) {
    mpx__put1(d, mpx__min8(mpx__load32(s), mpx__set8(0x7f)), stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u16_of_i16) {
    mpx__put2(d, mpx__max16s(mpx__load32(s), mpx__set(0)),
              mpx__max16s(mpx__load32(s + MPX__VECTOR), mpx__set(0)), stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_i16_of_u16) {
    mpx__put2(d, mpx__at_most_i16(mpx__load32(s)), mpx__at_most_i16(mpx__load32(s + MPX__VECTOR)),
              stream);
    return (void)v, 1;
}
MPX__KERNEL_BY_TWO(mpx__i8_to_u8, 8, mpx__store_u8_of_i8, 8)
MPX__KERNEL_BY_TWO(mpx__u8_to_i8, 8, mpx__store_i8_of_u8, 8)
MPX__KERNEL_BY_TWO(mpx__i16_to_u16, 16, mpx__store_u16_of_i16, 16)
MPX__KERNEL_BY_TWO(mpx__u16_to_i16, 16, mpx__store_i16_of_u16, 16)

/* 16 bits to 8: packing saturates. */
MPX__STORER(mpx__store_i8_of_i16) {
    mpx__put1(d, mpx__packed_once(mpx__pack16s(mpx__load32(s), mpx__load32(s + MPX__VECTOR))),
             stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u8_of_i16) {
    mpx__put1(d, mpx__packed_once(mpx__pack16(mpx__load32(s), mpx__load32(s + MPX__VECTOR))),
             stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_i8_of_u16) {
    mpx__vu a = mpx__at_most_i16(mpx__load32(s)), b = mpx__at_most_i16(mpx__load32(s + MPX__VECTOR));
    mpx__put1(d, mpx__packed_once(mpx__pack16s(a, b)), stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u8_of_u16) {
    mpx__vu a = mpx__at_most_i16(mpx__load32(s)), b = mpx__at_most_i16(mpx__load32(s + MPX__VECTOR));
    mpx__put1(d, mpx__packed_once(mpx__pack16(a, b)), stream);
    return (void)v, 1;
}
MPX__KERNEL_BY_TWO(mpx__i16_to_i8, 8, mpx__store_i8_of_i16, 16)
MPX__KERNEL_BY_TWO(mpx__i16_to_u8, 8, mpx__store_u8_of_i16, 16)
MPX__KERNEL_BY_TWO(mpx__u16_to_i8, 8, mpx__store_i8_of_u16, 16)
MPX__KERNEL_BY_TWO(mpx__u16_to_u8, 8, mpx__store_u8_of_u16, 16)

/* 8 bits to 16. */
MPX__STORER(mpx__store_i16_of_i8) {
    mpx__vu w[2];
    mpx__load_signed8to16(w, s);
    mpx__put2(d, w[0], w[1], stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u16_of_i8) {
    mpx__vu low, high;
    mpx__pair8(mpx__to_pair_once(mpx__at_least_0_8(mpx__load32(s))), mpx__set(0), &low, &high);
    mpx__put2(d, low, high, stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u16_of_u8) {
    mpx__vu low, high;
    mpx__pair8(mpx__to_pair_once(mpx__load32(s)), mpx__set(0), &low, &high);
    mpx__put2(d, low, high, stream);
    return (void)v, 1;
}
MPX__KERNEL_BY_TWO(mpx__i8_to_i16, 16, mpx__store_i16_of_i8, 8)
MPX__KERNEL_BY_TWO(mpx__i8_to_u16, 16, mpx__store_u16_of_i8, 8)
MPX__KERNEL_BY_TWO(mpx__u8_to_u16, 16, mpx__store_u16_of_u8, 8) /* to i16 too */

/* ---- bool, and integers of four bits and less in a byte -------------------------------------- */

/* 1 where a byte is not 0. */
MPX__STORER(mpx__store_nonzero8) {
    const mpx__vu x = mpx__load32(s), zero = mpx__set(0);
    mpx__put1(d, mpx__and(mpx__or(mpx__gt8s(x, zero), mpx__gt8s(zero, x)), mpx__set8(1)), stream);
    return (void)v, 1;
}
MPX__KERNEL(mpx__nonzero8, 8, mpx__store_nonzero8, 8, mpx__load4_nothing)
/* 1 where an f32 is not 0; NaN gives 1. */
MPX__FORCE_INLINE mpx__vu mpx__one_unless_zero(mpx__vu u) {
    return mpx__add(mpx__eq(mpx__shl(u, 1), mpx__set(0)), mpx__set(1));
}
MPX__STORER(mpx__store4_bool) {
    mpx__vu a = mpx__pack32s(mpx__one_unless_zero(v[0]), mpx__one_unless_zero(v[1])),
            b = mpx__pack32s(mpx__one_unless_zero(v[2]), mpx__one_unless_zero(v[3]));
    mpx__put1(d, mpx__packed_twice(mpx__pack16(a, b)), stream);
    return 1;
}
MPX__KERNEL(mpx__f32_to_bool, 8, mpx__store4_bool, 32, mpx__load4_f32)

/* Codes of 2 and 4 bits, one in a byte, to i8 and u8. Back: saturated, with the bits above cut. */
MPX__INLINE void mpx__from_bits_set(mpx__constants *k, mpx__job *job) {
    const int half = 1 << (job->from->bits - 1);
    k->magnitude = mpx__set8(2 * half - 1);
    k->fields = mpx__set8(half);
    k->less = mpx__set8(-half);
}
MPX__STORER(mpx__store_i8_of_i4) {
    const mpx__vu x = mpx__and(mpx__load32(s), k->magnitude);
    mpx__put1(d, mpx__add8(mpx__xor(x, k->fields), k->less), stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u8_of_u4) {
    mpx__put1(d, mpx__and(mpx__load32(s), k->magnitude), stream);
    return (void)v, 1;
}
MPX__KERNEL_WITH(mpx__i4_to_i8, mpx__from_bits_set, 8, mpx__store_i8_of_i4, 8, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__u4_to_u8, mpx__from_bits_set, 8, mpx__store_u8_of_u4, 8, mpx__load4_nothing)
MPX__INLINE void mpx__to_bits_set(mpx__constants *k, mpx__job *job) {
    const int half = 1 << (job->to->bits - 1);
    k->magnitude = mpx__set8(2 * half - 1);
    k->fields = mpx__set8(half - 1);
    k->less = mpx__set8(-half);
}
MPX__STORER(mpx__store_i4_of_i8) {
    mpx__vu x = mpx__load32(s);
    x = mpx__select(mpx__gt8s(x, k->fields), k->fields, x);
    x = mpx__select(mpx__gt8s(k->less, x), k->less, x);
    mpx__put1(d, mpx__and(x, k->magnitude), stream);
    return (void)v, 1;
}
MPX__STORER(mpx__store_u4_of_u8) {
    mpx__put1(d, mpx__min8(mpx__load32(s), k->magnitude), stream);
    return (void)v, 1;
}
MPX__KERNEL_WITH(mpx__i8_to_i4, mpx__to_bits_set, 8, mpx__store_i4_of_i8, 8, mpx__load4_nothing)
MPX__KERNEL_WITH(mpx__u8_to_u4, mpx__to_bits_set, 8, mpx__store_u4_of_u8, 8, mpx__load4_nothing)

/* ---- to i32 ---------------------------------------------------------------------------------- */

MPX__LOADER(mpx__load4_i8) { mpx__load_signed8(v, s); }
MPX__LOADER(mpx__load4_u8) { mpx__load_unsigned8(v, s); }
MPX__LOADER(mpx__load4_i16) {
    mpx__load_signed16(v, s);
    mpx__load_signed16(v + 2, s + MPX__VECTOR);
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const unsigned char *s) {
    mpx__pair16(mpx__to_pair_once(mpx__load32(s)), mpx__set(0), &v[0], &v[1]);
}
MPX__LOADER(mpx__load4_u16) {
    mpx__load_unsigned16(v, s);
    mpx__load_unsigned16(v + 2, s + MPX__VECTOR);
}
MPX__LOADER(mpx__load4_u32_as_i32) {
    mpx__load4_f32(v, s, k);
    v[0] = mpx__at_most_i32(v[0]);
    v[1] = mpx__at_most_i32(v[1]);
    v[2] = mpx__at_most_i32(v[2]);
    v[3] = mpx__at_most_i32(v[3]);
}
/* From 64 bits: the low halves of two vectors' lanes, saturated by what the high halves say. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64(const unsigned char *s) {
    mpx__vu low, high, limit;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    limit = mpx__xor(mpx__sar(high, 31), mpx__set(0x7fffffffu));
    low = mpx__select(mpx__eq(high, mpx__sar(low, 31)), low, limit);
    return mpx__packed_once(low);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    low = mpx__or(low, mpx__xor(mpx__eq(high, mpx__set(0)), mpx__ones()));
    return mpx__packed_once(low);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    low = mpx__or(low, mpx__gt_signed(high, mpx__set(0)));
    return mpx__packed_once(mpx__and(low, mpx__xor(mpx__sar(high, 31), mpx__ones())));
}
MPX__LOADER(mpx__load4_i64) {
    v[0] = mpx__i32_of_i64(s);
    v[1] = mpx__i32_of_i64(s + 2 * MPX__VECTOR);
    v[2] = mpx__i32_of_i64(s + 4 * MPX__VECTOR);
    v[3] = mpx__i32_of_i64(s + 6 * MPX__VECTOR);
}
MPX__LOADER(mpx__load4_u64) {
    v[0] = mpx__at_most_i32(mpx__u32_of_u64(s));
    v[1] = mpx__at_most_i32(mpx__u32_of_u64(s + 2 * MPX__VECTOR));
    v[2] = mpx__at_most_i32(mpx__u32_of_u64(s + 4 * MPX__VECTOR));
    v[3] = mpx__at_most_i32(mpx__u32_of_u64(s + 6 * MPX__VECTOR));
}
MPX__KERNEL(mpx__i8_to_i32, 32, mpx__store4_f32, 8, mpx__load4_i8)
MPX__KERNEL(mpx__u8_to_i32, 32, mpx__store4_f32, 8, mpx__load4_u8)
MPX__KERNEL(mpx__i16_to_i32, 32, mpx__store4_f32, 16, mpx__load4_i16)
MPX__KERNEL(mpx__u16_to_i32, 32, mpx__store4_f32, 16, mpx__load4_u16)
MPX__KERNEL(mpx__u32_to_i32, 32, mpx__store4_f32, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__i64_to_i32, 32, mpx__store4_f32, 64, mpx__load4_i64)
MPX__KERNEL(mpx__u64_to_i32, 32, mpx__store4_f32, 64, mpx__load4_u64)

/* ---- from i32 -------------------------------------------------------------------------------- */

MPX__STORER(mpx__store4_i8) {
    mpx__vu a = mpx__pack32s(v[0], v[1]), b = mpx__pack32s(v[2], v[3]);
    mpx__put1(d, mpx__packed_twice(mpx__pack16s(a, b)), stream);
    return 1;
}
MPX__STORER(mpx__store4_u8) {
    mpx__vu a = mpx__pack32s(v[0], v[1]), b = mpx__pack32s(v[2], v[3]);
    mpx__put1(d, mpx__packed_twice(mpx__pack16(a, b)), stream);
    return 1;
}
MPX__STORER(mpx__store4_i16) {
    mpx__put2(d, mpx__packed_once(mpx__pack32s(v[0], v[1])),
              mpx__packed_once(mpx__pack32s(v[2], v[3])), stream);
    return 1;
}
MPX__STORER(mpx__store4_u16) {
    mpx__put2(d, mpx__packed_once(mpx__pack32(v[0], v[1])),
              mpx__packed_once(mpx__pack32(v[2], v[3])), stream);
    return 1;
}
MPX__STORER(mpx__store4_u32) {
    mpx__vu w[4];
    w[0] = mpx__at_least_0(v[0]);
    w[1] = mpx__at_least_0(v[1]);
    w[2] = mpx__at_least_0(v[2]);
    w[3] = mpx__at_least_0(v[3]);
    return mpx__put4(d, w, stream);
}
/* To 64 bits, extended with the sign or with zeros. */
MPX__FORCE_INLINE void mpx__put_64(unsigned char *d, mpx__vu x, int is_signed, int stream) {
    mpx__vu low, high;
    x = mpx__to_pair_once(x);
    mpx__pair32(x, is_signed ? mpx__sar(x, 31) : mpx__set(0), &low, &high);
    mpx__put2(d, low, high, stream);
}
MPX__STORER(mpx__store4_i64) {
    mpx__put_64(d, v[0], 1, stream);
    mpx__put_64(d + 2 * MPX__VECTOR, v[1], 1, stream);
    mpx__put_64(d + 4 * MPX__VECTOR, v[2], 1, stream);
    mpx__put_64(d + 6 * MPX__VECTOR, v[3], 1, stream);
    return 1;
}
MPX__STORER(mpx__store4_64_of_u32) {
    mpx__put_64(d, v[0], 0, stream);
    mpx__put_64(d + 2 * MPX__VECTOR, v[1], 0, stream);
    mpx__put_64(d + 4 * MPX__VECTOR, v[2], 0, stream);
    mpx__put_64(d + 6 * MPX__VECTOR, v[3], 0, stream);
    return 1;
}
MPX__STORER(mpx__store4_u64) {
    mpx__put_64(d, mpx__at_least_0(v[0]), 0, stream);
    mpx__put_64(d + 2 * MPX__VECTOR, mpx__at_least_0(v[1]), 0, stream);
    mpx__put_64(d + 4 * MPX__VECTOR, mpx__at_least_0(v[2]), 0, stream);
    mpx__put_64(d + 6 * MPX__VECTOR, mpx__at_least_0(v[3]), 0, stream);
    return 1;
}
MPX__KERNEL(mpx__i32_to_i8, 8, mpx__store4_i8, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i32_to_u8, 8, mpx__store4_u8, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i32_to_i16, 16, mpx__store4_i16, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i32_to_u16, 16, mpx__store4_u16, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i32_to_u32, 32, mpx__store4_u32, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i32_to_i64, 64, mpx__store4_i64, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i32_to_u64, 64, mpx__store4_u64, 32, mpx__load4_f32)
MPX__KERNEL(mpx__i8_to_u32, 32, mpx__store4_u32, 8, mpx__load4_i8)
MPX__KERNEL(mpx__i16_to_u32, 32, mpx__store4_u32, 16, mpx__load4_i16)
MPX__KERNEL(mpx__u32_to_i8, 8, mpx__store4_i8, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_u8, 8, mpx__store4_u8, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_i16, 16, mpx__store4_i16, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_u16, 16, mpx__store4_u16, 32, mpx__load4_u32_as_i32)
MPX__KERNEL(mpx__u32_to_64, 64, mpx__store4_64_of_u32, 32, mpx__load4_f32) /* to i64, u64 */

/* ---- u32, i64 and u64 to one another --------------------------------------------------------- */

MPX__LOADER(mpx__load4_u32_of_i64) {
    v[0] = mpx__u32_of_i64(s);
    v[1] = mpx__u32_of_i64(s + 2 * MPX__VECTOR);
    v[2] = mpx__u32_of_i64(s + 4 * MPX__VECTOR);
    v[3] = mpx__u32_of_i64(s + 6 * MPX__VECTOR);
}
MPX__LOADER(mpx__load4_u32_of_u64) {
    v[0] = mpx__u32_of_u64(s);
    v[1] = mpx__u32_of_u64(s + 2 * MPX__VECTOR);
    v[2] = mpx__u32_of_u64(s + 4 * MPX__VECTOR);
    v[3] = mpx__u32_of_u64(s + 6 * MPX__VECTOR);
}
MPX__KERNEL(mpx__i64_to_u32, 32, mpx__store4_f32, 64, mpx__load4_u32_of_i64)
MPX__KERNEL(mpx__u64_to_u32, 32, mpx__store4_f32, 64, mpx__load4_u32_of_u64)

/* A function of the lanes of 64 bits, over the eight vectors of a block. */
typedef mpx__vu (*mpx__lanes64_fn)(mpx__vu x);
MPX__FORCE_INLINE void mpx__four_64(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__lanes64_fn fn) {
    mpx__vu v[4];
    mpx__load4_64(v, s);
    v[0] = fn(v[0]);
    v[1] = fn(v[1]);
    v[2] = fn(v[2]);
    v[3] = fn(v[3]);
    (void)mpx__put4(d, v, stream);
}
MPX__FORCE_INLINE int mpx__eight_64(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__lanes64_fn fn) {
    mpx__four_64(d, s, stream, fn);
    mpx__four_64(d + 4 * MPX__VECTOR, s + 4 * MPX__VECTOR, stream, fn);
    return 1;
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_i64(mpx__vu x) {
    return mpx__and(x, mpx__xor(mpx__sign64(x), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__i64_of_u64(mpx__vu x) {
    return mpx__and(mpx__or(x, mpx__sign64(x)), mpx__set64(0x7fffffffffffffffu));
}
MPX__STORER(mpx__store_u64_of_i64) { return (void)v, mpx__eight_64(d, s, stream, mpx__u64_of_i64); }
MPX__STORER(mpx__store_i64_of_u64) { return (void)v, mpx__eight_64(d, s, stream, mpx__i64_of_u64); }
MPX__KERNEL(mpx__i64_to_u64, 64, mpx__store_u64_of_i64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__u64_to_i64, 64, mpx__store_i64_of_u64, 64, mpx__load4_nothing)

/* ---- to f32 ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE void mpx__to_f32(mpx__vu v[4]) {
    v[0] = mpx__bits_of_vf(mpx__vf_of_i32(v[0]));
    v[1] = mpx__bits_of_vf(mpx__vf_of_i32(v[1]));
    v[2] = mpx__bits_of_vf(mpx__vf_of_i32(v[2]));
    v[3] = mpx__bits_of_vf(mpx__vf_of_i32(v[3]));
}
/* Exact up to 24 bits; beyond, the conversion rounds to nearest even. */
MPX__LOADER(mpx__load4_f32_of_i8) {
    mpx__load4_i8(v, s, k);
    mpx__to_f32(v);
}
MPX__LOADER(mpx__load4_f32_of_u8) {
    mpx__load4_u8(v, s, k);
    mpx__to_f32(v);
}
MPX__LOADER(mpx__load4_f32_of_i16) {
    mpx__load4_i16(v, s, k);
    mpx__to_f32(v);
}
MPX__LOADER(mpx__load4_f32_of_u16) {
    mpx__load4_u16(v, s, k);
    mpx__to_f32(v);
}
MPX__LOADER(mpx__load4_f32_of_i32) {
    mpx__load4_f32(v, s, k);
    mpx__to_f32(v);
}
#ifndef MPX__OWN_VF_OF_U32
/* By halves: the product of the high half is exact, and the sum is rounded once. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu x) {
    const mpx__vf step = mpx__vf_of_bits(mpx__set(0x47800000u)); /* 65536 */
    return mpx__fmul_add(mpx__vf_of_i32(mpx__shr(x, 16)), step,
                         mpx__vf_of_i32(mpx__and(x, mpx__set(0xffffu))));
}
#endif
MPX__LOADER(mpx__load4_f32_of_u32) {
    mpx__load4_f32(v, s, k);
    v[0] = mpx__bits_of_vf(mpx__vf_of_u32(v[0]));
    v[1] = mpx__bits_of_vf(mpx__vf_of_u32(v[1]));
    v[2] = mpx__bits_of_vf(mpx__vf_of_u32(v[2]));
    v[3] = mpx__bits_of_vf(mpx__vf_of_u32(v[3]));
}
MPX__KERNEL(mpx__i8_to_f32, 32, mpx__store4_f32, 8, mpx__load4_f32_of_i8)
MPX__KERNEL(mpx__u8_to_f32, 32, mpx__store4_f32, 8, mpx__load4_f32_of_u8)
MPX__KERNEL(mpx__i16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_f32_of_i16)
MPX__KERNEL(mpx__u16_to_f32, 32, mpx__store4_f32, 16, mpx__load4_f32_of_u16)
MPX__KERNEL(mpx__i32_to_f32, 32, mpx__store4_f32, 32, mpx__load4_f32_of_i32)
MPX__KERNEL(mpx__u32_to_f32, 32, mpx__store4_f32, 32, mpx__load4_f32_of_u32)

/* ---- f32 to integers, truncated -------------------------------------------------------------- */

/* NaN and values out of range may become the least number: such blocks need the exact codec. */
MPX__LOADER(mpx__load4_whole) {
    mpx__load4_f32(v, s, k);
    v[0] = mpx__i32_of_vf(mpx__vf_of_bits(v[0]));
    v[1] = mpx__i32_of_vf(mpx__vf_of_bits(v[1]));
    v[2] = mpx__i32_of_vf(mpx__vf_of_bits(v[2]));
    v[3] = mpx__i32_of_vf(mpx__vf_of_bits(v[3]));
}
MPX__FORCE_INLINE int mpx__is_beyond_i32(const mpx__vu v[4]) {
    const mpx__vu least = mpx__set(0x80000000u);
    mpx__vu a = mpx__or(mpx__eq(v[0], least), mpx__eq(v[1], least)),
            b = mpx__or(mpx__eq(v[2], least), mpx__eq(v[3], least));
    return mpx__any(mpx__or(a, b));
}
/* Packing makes -32768 of the least number, and of all below that: then lanes of 32 bits tell. */
MPX__FORCE_INLINE int mpx__pack_whole(mpx__vu w[2], const mpx__vu v[4]) {
    w[0] = mpx__pack32s(v[0], v[1]);
    w[1] = mpx__pack32s(v[2], v[3]);
    return !(mpx__any(mpx__eq16(mpx__min16s(w[0], w[1]), mpx__set(0x80008000u))) &&
             mpx__is_beyond_i32(v));
}
MPX__STORER(mpx__store4_i8_of_whole) {
    mpx__vu w[2];
    if (!mpx__pack_whole(w, v)) return 0;
    mpx__put1(d, mpx__packed_twice(mpx__pack16s(w[0], w[1])), stream);
    return 1;
}
MPX__STORER(mpx__store4_u8_of_whole) {
    mpx__vu w[2];
    if (!mpx__pack_whole(w, v)) return 0;
    mpx__put1(d, mpx__packed_twice(mpx__pack16(w[0], w[1])), stream);
    return 1;
}
MPX__STORER(mpx__store4_i16_of_whole) {
    mpx__vu w[2];
    if (!mpx__pack_whole(w, v)) return 0;
    mpx__put2(d, mpx__packed_once(w[0]), mpx__packed_once(w[1]), stream);
    return 1;
}
MPX__STORER(mpx__store4_u16_of_whole) {
    return !mpx__is_beyond_i32(v) && mpx__store4_u16(d, v, s, stream, k);
}
MPX__STORER(mpx__store4_i32_of_whole) { return !mpx__is_beyond_i32(v) && mpx__put4(d, v, stream); }
/* From 2^31 on, the bits of the significand are moved to their places; from 2^32 on the result is the
   largest number, but 0 of NaN. */
MPX__FORCE_INLINE mpx__vu mpx__u32_of_f32(mpx__vu u) {
    const mpx__vu low = mpx__at_least_0(mpx__i32_of_vf(mpx__vf_of_bits(u))),
                  high = mpx__or(mpx__shl(u, 8), mpx__set(0x80000000u)),
                  beyond = mpx__gt_signed(u, mpx__set(0x4f7fffffu)),
                  nan = mpx__gt_signed(u, mpx__set(0x7f800000u));
    mpx__vu x = mpx__select(mpx__gt_signed(u, mpx__set(0x4effffffu)), high, low);
    return mpx__select(nan, mpx__set(0), mpx__or(x, beyond));
}
MPX__STORER(mpx__store4_u32_of_f32) {
    mpx__vu w[4];
    w[0] = mpx__u32_of_f32(v[0]);
    w[1] = mpx__u32_of_f32(v[1]);
    w[2] = mpx__u32_of_f32(v[2]);
    w[3] = mpx__u32_of_f32(v[3]);
    return mpx__put4(d, w, stream);
}
MPX__KERNEL(mpx__f32_to_i8, 8, mpx__store4_i8_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_u8, 8, mpx__store4_u8_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_i16, 16, mpx__store4_i16_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_u16, 16, mpx__store4_u16_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_i32, 32, mpx__store4_i32_of_whole, 32, mpx__load4_whole)
MPX__KERNEL(mpx__f32_to_u32, 32, mpx__store4_u32_of_f32, 32, mpx__load4_f32)

/* ---- f64 with integers ----------------------------------------------------------------------- */
#if MPX__HAS_F64

/* Integers of 32 bits to f64, exact. */
MPX__FORCE_INLINE void mpx__i32_to_f64_at(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vd w[2];
    mpx__load_vd_of_i32(w, s);
    mpx__put2(d, mpx__bits_of_vd(w[0]), mpx__bits_of_vd(w[1]), stream);
}
MPX__STORER(mpx__store4_f64_of_i32) {
    mpx__i32_to_f64_at(d, s, stream);
    mpx__i32_to_f64_at(d + 2 * MPX__VECTOR, s + MPX__VECTOR, stream);
    mpx__i32_to_f64_at(d + 4 * MPX__VECTOR, s + 2 * MPX__VECTOR, stream);
    mpx__i32_to_f64_at(d + 6 * MPX__VECTOR, s + 3 * MPX__VECTOR, stream);
    return (void)v, 1;
}
MPX__KERNEL(mpx__i32_to_f64, 64, mpx__store4_f64_of_i32, 32, mpx__load4_nothing)
/* The bits of 2^52 + x, less 2^52: exact. But 0 becomes -0 where sums are rounded down, so the sign
   is cut off. */
MPX__FORCE_INLINE void mpx__put_f64_of_u32(unsigned char *d, mpx__vu x, int stream) {
    const mpx__vd less = mpx__vd_of_bits(mpx__set64((uint64_t)0xc33 << 52));
    const mpx__vu magnitude = mpx__set64((uint64_t)-1 >> 1);
    mpx__vu a, b;
    mpx__pair32(mpx__to_pair_once(x), mpx__set(0x43300000u), &a, &b);
    a = mpx__bits_of_vd(mpx__dadd(mpx__vd_of_bits(a), less));
    b = mpx__bits_of_vd(mpx__dadd(mpx__vd_of_bits(b), less));
    mpx__put2(d, mpx__and(a, magnitude), mpx__and(b, magnitude), stream);
}
MPX__STORER(mpx__store4_f64_of_u32) {
    mpx__put_f64_of_u32(d, v[0], stream);
    mpx__put_f64_of_u32(d + 2 * MPX__VECTOR, v[1], stream);
    mpx__put_f64_of_u32(d + 4 * MPX__VECTOR, v[2], stream);
    mpx__put_f64_of_u32(d + 6 * MPX__VECTOR, v[3], stream);
    return 1;
}
MPX__KERNEL(mpx__u32_to_f64, 64, mpx__store4_f64_of_u32, 32, mpx__load4_f32)

/* Any 64-bit integer as a sum, which is rounded once: of 2^52 + its low half, and of 2^84 + its
   high half * 2^32 (+ 2^63 where it is signed) less all these powers, which is exact. Both floats
   have the half in the low bits of their codes. */
MPX__FORCE_INLINE mpx__vd mpx__vd_of_halves(mpx__vu x, int is_signed) {
    const uint64_t above = (uint64_t)0x453 << 52 | (is_signed ? 0x80000000u : 0),
                   less = (uint64_t)0xc5300000 << 32 | (is_signed ? 0x80100000u : 0x100000u);
    mpx__vu low = mpx__or(mpx__and(x, mpx__set64(0xffffffffu)), mpx__set64((uint64_t)0x433 << 52)),
            high = mpx__xor(mpx__shr64(x, 32), mpx__set64(above));
    mpx__vd sum = mpx__dadd(mpx__vd_of_bits(high), mpx__vd_of_bits(mpx__set64(less)));
    return mpx__dadd(sum, mpx__vd_of_bits(low));
}
/* For results that are rounded again: where f64 would round, bit 11 stands for itself and all bits
   below it. In magnitudes from 2^52 on, whose f32 ends far above. Lanes of 32 bits are enough: no
   sum carries, and `sticky` has the upper half of x. */
MPX__FORCE_INLINE mpx__vu mpx__sticky_64(mpx__vu x, int is_signed) {
    const mpx__vu low = mpx__set64(0x7ffu);
    mpx__vu any = mpx__add(mpx__and(x, low), low),
            sticky = mpx__and(mpx__or(x, any), mpx__set64(~(uint64_t)0x7ff)),
            top = is_signed ? mpx__add64(x, mpx__set64((uint64_t)1 << 52)) : x;
    return mpx__select(mpx__eq(mpx__shr64(top, 53), mpx__set(0)), x, sticky);
}
#ifndef MPX__OWN_F64_OF_64
MPX__FORCE_INLINE mpx__vd mpx__vd_of_i64(mpx__vu x) { return mpx__vd_of_halves(x, 1); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_u64(mpx__vu x) { return mpx__vd_of_halves(x, 0); }
#endif
MPX__FORCE_INLINE mpx__vu mpx__f64_of_i64(mpx__vu x) { return mpx__bits_of_vd(mpx__vd_of_i64(x)); }
MPX__FORCE_INLINE mpx__vu mpx__f64_of_u64(mpx__vu x) { return mpx__bits_of_vd(mpx__vd_of_u64(x)); }
#if !defined(MPX__OWN_F64_OF_64) || !defined(MPX__OWN_F32_OF_64)
/* Integers from -2^51 to 2^51 - 1 are the low bits of an f64 with 2^52 + 2^51 added; unsigned ones
   up to 2^52 - 1, of one with 2^52 added. That takes half the time. Other integers set bits of
   `beyond`, which mpx__is_beyond_52_bits tests. */
MPX__FORCE_INLINE mpx__vd mpx__vd_of_52_bits(mpx__vu x, int is_signed, mpx__vu *beyond) {
    const uint64_t power = (uint64_t)(is_signed ? 0x4338 : 0x4330) << 48;
    const mpx__vu above = mpx__set64(power), sum = mpx__add64(x, above);
    *beyond = mpx__or(*beyond, mpx__xor(sum, above));
    return mpx__dadd(mpx__vd_of_bits(sum),
                     mpx__vd_of_bits(mpx__set64(power | (uint64_t)1 << 63)));
}
MPX__FORCE_INLINE int mpx__is_beyond_52_bits(mpx__vu beyond) {
    return mpx__any(mpx__and(beyond, mpx__set64((uint64_t)0xfff << 52)));
}
#endif
#ifdef MPX__OWN_F64_OF_64
MPX__STORER(mpx__store_f64_of_i64) { return (void)v, mpx__eight_64(d, s, stream, mpx__f64_of_i64); }
MPX__STORER(mpx__store_f64_of_u64) { return (void)v, mpx__eight_64(d, s, stream, mpx__f64_of_u64); }
#else
MPX__NOINLINE void mpx__any_f64_of_i64(unsigned char *d, const unsigned char *s) {
    mpx__four_64(d, s, 0, mpx__f64_of_i64);
}
MPX__NOINLINE void mpx__any_f64_of_u64(unsigned char *d, const unsigned char *s) {
    mpx__four_64(d, s, 0, mpx__f64_of_u64);
}
MPX__FORCE_INLINE void mpx__four_f64_of_64(unsigned char *d, const unsigned char *s, int stream,
                                           int is_signed) {
    mpx__vu v[4], beyond = mpx__set(0);
    mpx__load4_64(v, s);
    v[0] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[0], is_signed, &beyond));
    v[1] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[1], is_signed, &beyond));
    v[2] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[2], is_signed, &beyond));
    v[3] = mpx__bits_of_vd(mpx__vd_of_52_bits(v[3], is_signed, &beyond));
    if (!mpx__is_beyond_52_bits(beyond))
        (void)mpx__put4(d, v, stream);
    else if (is_signed)
        mpx__any_f64_of_i64(d, s);
    else
        mpx__any_f64_of_u64(d, s);
}
MPX__STORER(mpx__store_f64_of_i64) {
    mpx__four_f64_of_64(d, s, stream, 1);
    mpx__four_f64_of_64(d + 4 * MPX__VECTOR, s + 4 * MPX__VECTOR, stream, 1);
    return (void)v, 1;
}
MPX__STORER(mpx__store_f64_of_u64) {
    mpx__four_f64_of_64(d, s, stream, 0);
    mpx__four_f64_of_64(d + 4 * MPX__VECTOR, s + 4 * MPX__VECTOR, stream, 0);
    return (void)v, 1;
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__odd_of_i64(mpx__vu x) {
    return mpx__bits_of_vd(mpx__vd_of_halves(mpx__sticky_64(x, 1), 1));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_of_u64(mpx__vu x) {
    return mpx__bits_of_vd(mpx__vd_of_halves(mpx__sticky_64(x, 0), 0));
}
MPX__STORER(mpx__store_odd_of_i64) { return (void)v, mpx__eight_64(d, s, stream, mpx__odd_of_i64); }
MPX__STORER(mpx__store_odd_of_u64) { return (void)v, mpx__eight_64(d, s, stream, mpx__odd_of_u64); }
MPX__KERNEL(mpx__i64_to_f64, 64, mpx__store_f64_of_i64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__u64_to_f64, 64, mpx__store_f64_of_u64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__i64_to_odd, 64, mpx__store_odd_of_i64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__u64_to_odd, 64, mpx__store_odd_of_u64, 64, mpx__load4_nothing)

/* f64 to i32, as f32 above. */
MPX__FORCE_INLINE mpx__vu mpx__whole_f64(const unsigned char *s) {
    return mpx__i32_of_vd(mpx__load_vd(s), mpx__load_vd(s + MPX__VECTOR));
}
MPX__LOADER(mpx__load4_whole_f64) {
    v[0] = mpx__whole_f64(s);
    v[1] = mpx__whole_f64(s + 2 * MPX__VECTOR);
    v[2] = mpx__whole_f64(s + 4 * MPX__VECTOR);
    v[3] = mpx__whole_f64(s + 6 * MPX__VECTOR);
}
MPX__KERNEL(mpx__f64_to_i32, 32, mpx__store4_i32_of_whole, 64, mpx__load4_whole_f64)

/* Magnitudes below 2^51: an f64 with 2^52 + 2^51 added has the integer for its low bits. */
#ifdef MPX__OWN_TRUNCATE
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x4338 << 48);
    mpx__vd whole = mpx__dtruncate(mpx__vd_of_bits(x));
    return mpx__sub64(mpx__bits_of_vd(mpx__dadd(whole, mpx__vd_of_bits(added))), added);
}
#else /* rounded to nearest, and one less where that is above the magnitude */
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x433 << 52),
                  less = mpx__set64((uint64_t)0xc33 << 52);
    mpx__vu sign = mpx__sign64(x), a = mpx__and(x, mpx__set64(0x7fffffffffffffffu)), above;
    mpx__vd sum = mpx__dadd(mpx__vd_of_bits(a), mpx__vd_of_bits(added)),
            rounded = mpx__dadd(sum, mpx__vd_of_bits(less));
    above = mpx__shr64(mpx__sub64(a, mpx__bits_of_vd(rounded)), 63);
    above = mpx__sub64(mpx__xor(mpx__bits_of_vd(sum), added), above);
    return mpx__sub64(mpx__xor(above, sign), sign);
}
#endif
/* Whether all magnitudes are below 2^51: else the sign bit of a sum is set. */
MPX__FORCE_INLINE mpx__vu mpx__beyond_51_bits(mpx__vu x) {
    return mpx__add64(mpx__and(x, mpx__set64(0x7fffffffffffffffu)),
                      mpx__set64(((uint64_t)0x8000 - 0x4320) << 48));
}
MPX__FORCE_INLINE int mpx__are_51_bits(const unsigned char *s) {
    mpx__vu beyond = mpx__set(0), v[4];
    mpx__load4_64(v, s);
    beyond = mpx__or(mpx__or(mpx__beyond_51_bits(v[0]), mpx__beyond_51_bits(v[1])),
                     mpx__or(mpx__beyond_51_bits(v[2]), mpx__beyond_51_bits(v[3])));
    return !mpx__any(mpx__and(beyond, mpx__set64((uint64_t)1 << 63)));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_51_bits(mpx__vu x) {
    return mpx__u64_of_i64(mpx__i64_of_51_bits(x));
}
#ifdef MPX__OWN_64_OF_F64
MPX__STORER(mpx__store_i64_of_f64) { return (void)v, mpx__eight_64(d, s, stream, mpx__i64_of_f64); }
MPX__STORER(mpx__store_u64_of_f64) { return (void)v, mpx__eight_64(d, s, stream, mpx__u64_of_f64); }
#else
MPX__STORER(mpx__store_i64_of_f64) {
    return (void)v, mpx__are_51_bits(s) && mpx__are_51_bits(s + 4 * MPX__VECTOR) &&
                        mpx__eight_64(d, s, stream, mpx__i64_of_51_bits);
}
MPX__STORER(mpx__store_u64_of_f64) {
    return (void)v, mpx__are_51_bits(s) && mpx__are_51_bits(s + 4 * MPX__VECTOR) &&
                        mpx__eight_64(d, s, stream, mpx__u64_of_51_bits);
}
#endif
MPX__KERNEL(mpx__f64_to_i64, 64, mpx__store_i64_of_f64, 64, mpx__load4_nothing)
MPX__KERNEL(mpx__f64_to_u64, 64, mpx__store_u64_of_f64, 64, mpx__load4_nothing)

/* 64 bits to f32: by f64, with the sticky bit where that would round. */
#ifndef MPX__OWN_F32_OF_64
MPX__FORCE_INLINE mpx__vu mpx__f32_of_64(const unsigned char *s, int is_signed) {
    mpx__vu a = mpx__sticky_64(mpx__load32(s), is_signed),
            b = mpx__sticky_64(mpx__load32(s + MPX__VECTOR), is_signed);
    return mpx__bits_of_vf(mpx__vf_of_vd(mpx__vd_of_halves(a, is_signed),
                                         mpx__vd_of_halves(b, is_signed)));
}
#endif
MPX__FORCE_INLINE void mpx__four_f32_of_64(mpx__vu v[4], const unsigned char *s, int is_signed) {
    v[0] = mpx__f32_of_64(s, is_signed);
    v[1] = mpx__f32_of_64(s + 2 * MPX__VECTOR, is_signed);
    v[2] = mpx__f32_of_64(s + 4 * MPX__VECTOR, is_signed);
    v[3] = mpx__f32_of_64(s + 6 * MPX__VECTOR, is_signed);
}
#ifdef MPX__OWN_F32_OF_64
MPX__LOADER(mpx__load4_f32_of_i64) { mpx__four_f32_of_64(v, s, 1); }
MPX__LOADER(mpx__load4_f32_of_u64) { mpx__four_f32_of_64(v, s, 0); }
#else
MPX__FORCE_INLINE mpx__vu mpx__f32_of_52_bits(const unsigned char *s, int is_signed,
                                              mpx__vu *beyond) {
    return mpx__bits_of_vf(
        mpx__vf_of_vd(mpx__vd_of_52_bits(mpx__load32(s), is_signed, beyond),
                      mpx__vd_of_52_bits(mpx__load32(s + MPX__VECTOR), is_signed, beyond)));
}
MPX__FORCE_INLINE int mpx__four_f32_of_52_bits(mpx__vu v[4], const unsigned char *s,
                                               int is_signed) {
    mpx__vu beyond = mpx__set(0);
    v[0] = mpx__f32_of_52_bits(s, is_signed, &beyond);
    v[1] = mpx__f32_of_52_bits(s + 2 * MPX__VECTOR, is_signed, &beyond);
    v[2] = mpx__f32_of_52_bits(s + 4 * MPX__VECTOR, is_signed, &beyond);
    v[3] = mpx__f32_of_52_bits(s + 6 * MPX__VECTOR, is_signed, &beyond);
    return !mpx__is_beyond_52_bits(beyond);
}
MPX__NOINLINE void mpx__any_f32_of_i64(mpx__vu v[4], const unsigned char *s) {
    mpx__four_f32_of_64(v, s, 1);
}
MPX__NOINLINE void mpx__any_f32_of_u64(mpx__vu v[4], const unsigned char *s) {
    mpx__four_f32_of_64(v, s, 0);
}
MPX__LOADER(mpx__load4_f32_of_i64) {
    if (!mpx__four_f32_of_52_bits(v, s, 1)) mpx__any_f32_of_i64(v, s);
}
MPX__LOADER(mpx__load4_f32_of_u64) {
    if (!mpx__four_f32_of_52_bits(v, s, 0)) mpx__any_f32_of_u64(v, s);
}
#endif
MPX__KERNEL(mpx__i64_to_f32, 32, mpx__store4_f32, 64, mpx__load4_f32_of_i64)
MPX__KERNEL(mpx__u64_to_f32, 32, mpx__store4_f32, 64, mpx__load4_f32_of_u64)

#endif /* MPX__HAS_F64 */
#endif /* !MPX__COMPACT && MPX__HAS_FLOAT && MPX__HAS_INT */
/*==========================================================================*
 * MARK: stages - rounding modes and saturation                              *
 *   A tile of f32 is rounded toward zero or at random to the precision of   *
 *   a float dtype, and limited to its range. It stays f32, and the kernel   *
 *   that casts it to the dtype has nothing to round.                        *
 *==========================================================================*/
#if !MPX__COMPACT && !MPX_NO_CAST_WITH

/* The random words for the lanes' counters, see exact.h. */
MPX__FORCE_INLINE mpx__vu mpx__random_words(mpx__vu counter, mpx__vu key0, mpx__vu key) {
    mpx__vu x = mpx__xor(counter, key0);
    x = mpx__mul(mpx__xor(x, mpx__shr(x, 16)), mpx__set(0x7feb352du));
    x = mpx__xor(mpx__xor(x, mpx__shr(x, 15)), key);
    x = mpx__mul(x, mpx__set(0x846ca68bu));
    return mpx__xor(x, mpx__shr(x, 16));
}
/* Counters of the lanes from an even element on. */
MPX__FORCE_INLINE mpx__vu mpx__counters(uint64_t index) {
    static const unsigned char lanes[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                             8, 9, 10, 11, 12, 13, 14, 15 };
    return mpx__add(mpx__set((uint32_t)(index >> 1 & 0xffffffffu)), mpx__load8(lanes));
}
typedef char mpx__lanes_have_counters[MPX__LANES <= 16 ? 1 : -1];
/* Whether the counters of n elements have the same high half, so that one key serves all. */
MPX__INLINE int mpx__one_key_serves(const mpx__job *job, size_t n) {
    return n / 2 < 0xffffffffu - (uint32_t)(job->index >> 1 & 0xffffffffu);
}
/* The two halves of a word are for two elements, the lower half for the first. */
MPX__FORCE_INLINE void mpx__spread_words(mpx__vu random[2], mpx__vu word) {
    unsigned char at[MPX__LANES * 4];
    const uint16_t one = 1;
    const int little_endian = *(const unsigned char *)&one != 0;
    mpx__store32(at, little_endian ? word : mpx__or(mpx__shl(word, 16), mpx__shr(word, 16)));
    random[0] = mpx__load16(at);
    random[1] = mpx__load16(at + MPX__LANES * 2);
}

/* f32 bits rounded to man_bits and bias. `random` is what the mode adds before the cut: 16 random
   bits, placed at the top of what is lost, or 0. Inf and NaN stay.
   Normal results:    the lowest `drop` mantissa bits go.
   Subnormal results: the mantissa with its hidden bit counts units of 2^(1 - bias - man_bits), and
                      loses n bits so that whole units remain: (m + random * 2^(n - 16)) >> n. n is
                      at least 14, so 4 * m is shifted by n - 14, and the last 16 after the sum.
   e8m0:              of f32's subnormals, those up to 2^-127 stay and the others lose 22 bits. */
MPX__FORCE_INLINE mpx__vu mpx__round_lanes(mpx__vu u, mpx__vu random, int man_bits, int bias) {
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), v;
    v = mpx__add(a, drop < 16 ? mpx__shr(random, 16 - drop) : mpx__shl(random, drop - 16));
    v = mpx__shl(mpx__shr(v, drop), drop);
    if (bias < 127) {
        mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
        mpx__vu less = mpx__sub(mpx__set((uint32_t)(drop + 128 - bias - 14)), mpx__shr(a, 23));
        mpx__vu cut = mpx__shrv(mpx__shl(m, 2), mpx__min(less, mpx__set(31))),
                units = mpx__shr(mpx__add(cut, random), 16), low;
        low = mpx__sub(mpx__f32_of_u24(units), mpx__set((uint32_t)(bias - 1 + man_bits) << 23));
        low = mpx__and(low, mpx__gt_signed(units, mpx__set(0)));
        v = mpx__select(mpx__gt_signed(mpx__set((uint32_t)(128 - bias) << 23), a), low, v);
    } else if (man_bits == 0) {
        mpx__vu cut = mpx__shl(mpx__shr(mpx__add(a, mpx__shl(random, 6)), 22), 22);
        v = mpx__select(mpx__gt_signed(mpx__set(0x800000u), a), cut, v);
        v = mpx__select(mpx__gt_signed(a, mpx__set(0x400000u)), v, a);
    }
    v = mpx__select(mpx__gt_signed(mpx__set(0x7f800000u), a), v, a);
    return mpx__or(v, mpx__and(u, mpx__set(0x80000000u)));
}
/* Magnitudes above the largest finite one, and below `end`, become it. */
MPX__FORCE_INLINE mpx__vu mpx__limit_lanes(mpx__vu u, uint32_t largest, uint32_t end) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), sign = mpx__xor(u, a);
    mpx__vu beyond = mpx__and(mpx__gt_signed(a, mpx__set(largest)), mpx__gt_signed(mpx__set(end), a));
    return mpx__select(beyond, mpx__or(sign, mpx__set(largest)), u);
}
/* What is below 2^-127, the least e8m0, becomes it; NaN stays. */
MPX__FORCE_INLINE mpx__vu mpx__lifted_lanes(mpx__vu u) {
    const mpx__vu least = mpx__set(0x400000u), inf = mpx__set(0x7f800000u);
    mpx__vu nan = mpx__gt_signed(mpx__and(u, mpx__set(0x7fffffffu)), inf);
    return mpx__select(mpx__or(mpx__gt_signed(u, least), nan), u, least);
}
/* Element by element, from the one with this index on, where the random words of the lanes would
   not be those of the elements. */
MPX__NOINLINE void mpx__round_elements(unsigned char *d, const unsigned char *s, size_t n,
                                       uint64_t index, const mpx__job *job) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__rounding how;
    mpx__number x;
    how.mode = MPX_ROUND_STOCHASTIC;
    how.saturate = job->rounding.saturate;
    for (; n != 0; n--, index++, d += 4, s += 4) {
        how.random = mpx__random16(job, index);
        mpx__load_float(&x, mpx__read32(s), f32_row);
        mpx__load_float(&x, mpx__float_code(&x, job->to, &how), job->to);
        mpx__write32(d, (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest));
    }
}
/* A kernel for any float dtype of 16 bits and less, and for f32 itself, which is only limited. */
MPX__NOINLINE void mpx__round_tile(unsigned char *d, const unsigned char *s, size_t n,
                                   mpx__job *job) {
    const mpx__row *to = job->to;
    const int mode = to->type == MPX_F32 ? MPX_ROUND_NEAREST : job->rounding.mode,
              man_bits = to->mantissa_bits, bias = to->bias,
              at_random = mode == MPX_ROUND_STOCHASTIC,
              lifts = to->family == MPX__E8M0 && job->rounding.saturate; /* to 2^-127 */
    const uint32_t largest = mpx__largest_f32(to),
                   end = job->rounding.saturate ? 0x7f800001u : /* Inf too */
                         mode == MPX_ROUND_TOWARD_ZERO ? 0x7f800000u : 0;
    const mpx__vu key0 = mpx__set(job->key0), key = mpx__set(mpx__second_key(job, job->index));
    const size_t first = at_random ? (size_t)(job->index & 1u) : 0, all = n;
    mpx__vu counter = mpx__counters(job->index + first), random[2];
    if (at_random && !mpx__one_key_serves(job, n)) {
        mpx__round_elements(d, s, n, job->index, job);
        return;
    }
    if (first != 0) { /* the first element is the second of its pair: vectors end early */
        mpx__round_elements(d, s, first, job->index, job);
        d += 4;
        s += 4;
        n -= 2 * MPX__LANES;
    }
    random[0] = random[1] = mpx__set(0);
    for (; n != 0; n -= 2 * MPX__LANES, d += 2 * MPX__VECTOR, s += 2 * MPX__VECTOR) {
        mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
        if (at_random) mpx__spread_words(random, mpx__random_words(counter, key0, key));
        if (mode != MPX_ROUND_NEAREST) {
            a = mpx__round_lanes(a, random[0], man_bits, bias);
            b = mpx__round_lanes(b, random[1], man_bits, bias);
        }
        a = mpx__limit_lanes(a, largest, end);
        b = mpx__limit_lanes(b, largest, end);
        mpx__store32(d, lifts ? mpx__lifted_lanes(a) : a);
        mpx__store32(d + MPX__VECTOR, lifts ? mpx__lifted_lanes(b) : b);
        counter = mpx__add(counter, mpx__set(MPX__LANES));
    }
    if (first != 0)
        mpx__round_elements(d, s, 2 * MPX__LANES - 1, job->index + all - (2 * MPX__LANES - 1), job);
}

/* f32 to bf16 at random: the random bits are added to what is cut off, and may carry. Blocks with
   Inf, NaN or what might become Inf are left to the exact codec. */
#if MPX__HAS_FLOAT && MPX__HAS_BF16
MPX__FORCE_INLINE mpx__vu mpx__dither_pair(mpx__vu a, mpx__vu b, mpx__vu word) {
    mpx__vu low, high;
    mpx__pair16(mpx__to_pair_once(word), mpx__set(0), &low, &high);
    return mpx__join_upper16(mpx__add(a, low), mpx__add(b, high));
}
/* From an even element on; n is a multiple of the block. */
MPX__FORCE_INLINE void mpx__dither(unsigned char *d, const unsigned char *s, size_t n,
                                   uint64_t index, int stream, mpx__job *job) {
    const mpx__vu key0 = mpx__set(job->key0), key = mpx__set(mpx__second_key(job, index));
    const uint32_t limit = job->rounding.saturate ? 0x7f7e : 0x7f7f; /* upper halves, magnitudes */
    const unsigned char *end = s + 4 * n;
    mpx__vu counter = mpx__counters(index);
    for (;;) {
        for (; s != end; d += 2 * MPX__VECTOR, s += 4 * MPX__VECTOR) {
            mpx__vu next = mpx__add(counter, mpx__set(MPX__LANES)), v[4];
            mpx__load4_f32(v, s, NULL);
            if (stream) mpx__fetch(s, 4 * MPX__VECTOR);
            if (mpx__above_block(v, limit)) break;
            mpx__put2(d, mpx__dither_pair(v[0], v[1], mpx__random_words(counter, key0, key)),
                      mpx__dither_pair(v[2], v[3], mpx__random_words(next, key0, key)), stream);
            counter = mpx__add(next, mpx__set(MPX__LANES));
        }
        if (s == end) return;
        mpx__exact_cast(d, s, MPX__BLOCK, index + n - (size_t)(end - s) / 4, job);
        counter = mpx__add(counter, mpx__set(2 * MPX__LANES));
        d += 2 * MPX__VECTOR;
        s += 4 * MPX__VECTOR;
    }
}
MPX__NOINLINE void mpx__f32_to_bf16_at_random(unsigned char *d, const unsigned char *s, size_t n,
                                              mpx__job *job) {
    enum { block = MPX__BLOCK };
    const uint64_t index = job->index;
    if (!mpx__one_key_serves(job, n)) {
        mpx__exact_cast(d, s, n, index, job);
    } else if ((index & 1u) != 0) { /* the first element is the second of its pair */
        mpx__exact_cast(d, s, 1, index, job);
        mpx__dither(d + 2, s + 4, n - block, index + 1, 0, job);
        n -= block - 1;
        mpx__exact_cast(d + 2 * n, s + 4 * n, block - 1, index + n, job);
    } else {
        mpx__dither(d, s, n, index, job->stream, job);
    }
}
#endif

#endif /* !MPX__COMPACT && !MPX_NO_CAST_WITH */
/*==========================================================================*
 * MARK: scaling - blocks times or divided by a number                       *
 *   A loaded block is multiplied before it is stored, and what is stored is *
 *   looked at for Inf and NaN in the same pass. What these kernels do not   *
 *   take is left to the exact codec.                                        *
 *==========================================================================*/
#if !MPX__COMPACT

/* 2^exponent, -149 to 127. */
MPX__INLINE uint32_t mpx__power_of_two(int32_t exponent) {
    return exponent > -127 ? (uint32_t)(exponent + 127) << 23 : 1u << (exponent + 149);
}
/* The factor of a product; the divisor if it is no power of two. */
MPX__INLINE uint32_t mpx__factor(const mpx__job *job) {
    return job->power_of_two ? mpx__power_of_two(job->shift) : job->by;
}
MPX__INLINE int mpx__multiplies(const mpx__job *job) { return job->power_of_two || !job->divide; }

MPX__INLINE void mpx__scale_set(mpx__constants *k, mpx__job *job) {
    k->by = mpx__set(mpx__factor(job));
    k->largest = mpx__set(0);
}
/* A result is not finite if the upper half of its magnitude is at least `inf`. */
MPX__INLINE void mpx__scale_end(const mpx__constants *k, uint32_t inf, mpx__job *job) {
    if (mpx__any(mpx__gt(k->largest, mpx__set((inf << 16) - 1u)))) job->not_finite = 1;
}
#define MPX__SCALE_KERNEL(name, set, inf, d_bits, store, s_bits, load) \
    MPX__NOINLINE void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__constants k; \
        set(&k, job); \
        mpx__loop(d, MPX__BLOCK * (d_bits) / 8, s, MPX__BLOCK * (s_bits) / 8, n, job, load, store, \
                  &k, NULL); \
        mpx__scale_end(&k, inf, job); \
    }

#if MPX__HAS_FLOAT

/* ---- to f32 ---------------------------------------------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__scaled(mpx__vu u, int divide, const mpx__constants *k) {
    const mpx__vf a = mpx__vf_of_bits(u), by = mpx__vf_of_bits(k->by);
    return mpx__bits_of_vf(divide ? mpx__fquotient(a, by) : mpx__fproduct(a, by));
}
/* The magnitudes of a block of results are kept if they are the largest so far. */
MPX__FORCE_INLINE void mpx__keep_largest(const mpx__vu v[4], mpx__constants *k) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max_upper(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max_upper(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    k->largest = mpx__max_upper(k->largest, mpx__max_upper(a, b));
}
MPX__FORCE_INLINE int mpx__put_scaled(unsigned char *d, const mpx__vu v[4], int stream, int divide,
                                      mpx__constants *k) {
    mpx__vu w[4];
    w[0] = mpx__scaled(v[0], divide, k);
    w[1] = mpx__scaled(v[1], divide, k);
    w[2] = mpx__scaled(v[2], divide, k);
    w[3] = mpx__scaled(v[3], divide, k);
    mpx__keep_largest(w, k);
    return mpx__put4(d, w, stream);
}
MPX__STORER(mpx__store4_product) { return mpx__put_scaled(d, v, stream, 0, k); }
MPX__STORER(mpx__store4_quotient) { return mpx__put_scaled(d, v, stream, 1, k); }
MPX__SCALE_KERNEL(mpx__f32_times, mpx__scale_set, 0x7f80, 32, mpx__store4_product, 32,
                  mpx__load4_f32)
MPX__SCALE_KERNEL(mpx__f32_divided, mpx__scale_set, 0x7f80, 32, mpx__store4_quotient, 32,
                  mpx__load4_f32)
#if MPX__HAS_F16
MPX__SCALE_KERNEL(mpx__f16_times, mpx__scale_set, 0x7f80, 32, mpx__store4_product, 16,
                  mpx__load4_f16)
#endif
#if MPX__HAS_BF16
MPX__SCALE_KERNEL(mpx__bf16_times, mpx__scale_set, 0x7f80, 32, mpx__store4_product, 16,
                  mpx__load4_bf16)
#endif

/* ---- f16 and bf16 times a power of two ------------------------------------------------------- */

/* If a number is normal before and after, only its exponent moves; zeros stay. narrow.least and
   narrow.top: the least such magnitude, less 0x8001, and the largest; narrow.offset is added. */
#if MPX__HAS_F16 || MPX__HAS_BF16
MPX__INLINE void mpx__exponents_set(mpx__constants *k, mpx__job *job) {
    const int m = job->from->mantissa_bits, all_ones = (1 << (15 - m)) - 1,
              low = job->shift < 0 ? 1 - job->shift : 1,
              end = job->shift > 0 ? all_ones - job->shift : all_ones;
    mpx__scale_set(k, job);
    k->narrow.least = mpx__set16(low < end ? (low << m) - 0x8001 : 0x7fff); /* else zeros alone */
    k->narrow.top = mpx__set16(low < end ? (end << m) - 1 : 0);
    k->narrow.offset = mpx__set16(job->shift * (1 << m));
}
MPX__FORCE_INLINE int mpx__move_exponents(unsigned char *d, const unsigned char *s,
                                          const mpx__narrow *k) {
    const mpx__vu magnitude = mpx__set16(0x7fff);
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
    mpx__vu x = mpx__and(a, magnitude), y = mpx__and(b, magnitude);
    mpx__vu least = mpx__min16s(mpx__add16(x, magnitude), mpx__add16(y, magnitude));
    if (mpx__any(mpx__or(mpx__gt16s(k->least, least), mpx__gt16s(mpx__max16s(x, y), k->top))))
        return 0;
    mpx__store32(d, mpx__add16(a, mpx__where_above_0(x, k->offset)));
    mpx__store32(d + MPX__VECTOR, mpx__add16(b, mpx__where_above_0(y, k->offset)));
    return 1;
}
/* A product with a power of two is exact in f32, or becomes zero: it is rounded once. Blocks whose
   results may not be finite are left to the exact codec. */
MPX__FORCE_INLINE void mpx__products(mpx__vu v[4], mpx__constants *k) {
    mpx__vf by = mpx__vf_of_bits(k->by);
    v[0] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[0]), by));
    v[1] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[1]), by));
    v[2] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[2]), by));
    v[3] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[3]), by));
}
#endif
#if MPX__HAS_BF16
MPX__STORER(mpx__store4_moved_bf16) {
    mpx__vu w[4];
    if (mpx__move_exponents(d, s, &k->narrow)) return (void)v, 1;
    mpx__load4_bf16(w, s, k);
    mpx__products(w, k);
    return !mpx__above_block(w, 0x7f7e) && mpx__store4_bf16(d, w, s, stream, k);
}
MPX__SCALE_KERNEL(mpx__bf16_moved, mpx__exponents_set, 0x7f80, 16, mpx__store4_moved_bf16, 16,
                  mpx__load4_nothing)
#endif
#if MPX__HAS_F16
/* Gradients in f16 are often subnormal. Conversion instructions take the same time for these. */
MPX__STORER(mpx__store4_moved_f16) {
    mpx__vu w[4];
    if (!MPX__NATIVE_F16 && mpx__move_exponents(d, s, &k->narrow)) return (void)v, 1;
    mpx__load4_f16(w, s, k);
    mpx__products(w, k);
    return !mpx__above_block(w, 0x477e) && mpx__store4_f16(d, w, s, stream, k);
}
MPX__SCALE_KERNEL(mpx__f16_moved, mpx__exponents_set, 0x7f80, 16, mpx__store4_moved_f16, 16,
                  mpx__load4_nothing)
#endif

/* ---- f32 on its way to a narrower float ------------------------------------------------------ */

MPX__INLINE void mpx__scale64_set(mpx__constants *k, mpx__job *job) {
    mpx__vd by[2];
    mpx__vd_of_vf(by, mpx__vf_of_bits(mpx__set(mpx__factor(job))));
    k->by = mpx__bits_of_vd(by[0]);
    k->largest = mpx__set(0);
}
MPX__FORCE_INLINE mpx__vd mpx__scaled64(mpx__vd a, int divide, const mpx__constants *k) {
    const mpx__vd by = mpx__vd_of_bits(k->by);
    return divide ? mpx__dquotient(a, by) : mpx__dproduct(a, by);
}

/* Rounded to odd. In f64 a product of two f32 is exact. A quotient x / s is an f32 m, or differs
   from it by (x - m s) / s: in units of the last place of m s, which has at most 48 bits, by a
   whole number at least. So it is not rounded to m in f64, whose rounding is smaller. Blocks with
   Inf or close to it, or with results below the normal numbers, are left to the exact codec; zeros
   are right. */
MPX__FORCE_INLINE mpx__vu mpx__scaled_to_odd(mpx__vu u, mpx__vu *wrong, int divide,
                                             const mpx__constants *k) {
    const mpx__vu tiny = mpx__set(0x1000000u), large = mpx__set(0x7f7effffu);
    mpx__vd w[2];
    mpx__vu odd, a, zero;
    mpx__vd_of_vf(w, mpx__vf_of_bits(u));
    odd = mpx__odd_of_f64(mpx__scaled64(w[0], divide, k), mpx__scaled64(w[1], divide, k));
    a = mpx__and(odd, mpx__set(0x7fffffffu));
    zero = mpx__eq(mpx__shl(u, 1), mpx__set(0));
    *wrong = mpx__or(*wrong, mpx__or(mpx__gt_signed(tiny, mpx__select(zero, tiny, a)),
                                     mpx__gt_signed(a, large)));
    return odd;
}
MPX__FORCE_INLINE int mpx__put_scaled_odd(unsigned char *d, const mpx__vu v[4], int divide,
                                          const mpx__constants *k) {
    mpx__vu w[4], wrong = mpx__set(0);
    w[0] = mpx__scaled_to_odd(v[0], &wrong, divide, k);
    w[1] = mpx__scaled_to_odd(v[1], &wrong, divide, k);
    w[2] = mpx__scaled_to_odd(v[2], &wrong, divide, k);
    w[3] = mpx__scaled_to_odd(v[3], &wrong, divide, k);
    return !mpx__any(wrong) && mpx__put4(d, w, 0);
}
MPX__STORER(mpx__store4_odd_product) { return mpx__put_scaled_odd(d, v, 0, k); }
MPX__STORER(mpx__store4_odd_quotient) { return mpx__put_scaled_odd(d, v, 1, k); }
MPX__KERNEL_WITH(mpx__f32_times_to_odd, mpx__scale64_set, 32, mpx__store4_odd_product, 32,
                 mpx__load4_f32)
MPX__KERNEL_WITH(mpx__f32_divided_to_odd, mpx__scale64_set, 32, mpx__store4_odd_quotient, 32,
                 mpx__load4_f32)

/* ---- f64, and from it to f32 ----------------------------------------------------------------- */
#if MPX__HAS_F64

/* The upper halves of lanes of 64 bits tell Inf and NaN. */
MPX__FORCE_INLINE void mpx__put_scaled64(unsigned char *d, mpx__vd a, int divide, int stream,
                                         mpx__constants *k) {
    mpx__vu u = mpx__bits_of_vd(mpx__scaled64(a, divide, k));
    k->largest = mpx__max_upper(k->largest, mpx__and(u, mpx__set64(0x7ff0000000000000u)));
    mpx__put1(d, u, stream);
}
MPX__FORCE_INLINE int mpx__scale_f64(unsigned char *d, const unsigned char *s, int divide,
                                     int stream, mpx__constants *k) {
    mpx__put_scaled64(d, mpx__load_vd(s), divide, stream, k);
    mpx__put_scaled64(d + MPX__VECTOR, mpx__load_vd(s + MPX__VECTOR), divide, stream, k);
    mpx__put_scaled64(d + 2 * MPX__VECTOR, mpx__load_vd(s + 2 * MPX__VECTOR), divide, stream, k);
    mpx__put_scaled64(d + 3 * MPX__VECTOR, mpx__load_vd(s + 3 * MPX__VECTOR), divide, stream, k);
    mpx__put_scaled64(d + 4 * MPX__VECTOR, mpx__load_vd(s + 4 * MPX__VECTOR), divide, stream, k);
    mpx__put_scaled64(d + 5 * MPX__VECTOR, mpx__load_vd(s + 5 * MPX__VECTOR), divide, stream, k);
    mpx__put_scaled64(d + 6 * MPX__VECTOR, mpx__load_vd(s + 6 * MPX__VECTOR), divide, stream, k);
    mpx__put_scaled64(d + 7 * MPX__VECTOR, mpx__load_vd(s + 7 * MPX__VECTOR), divide, stream, k);
    return 1;
}
MPX__STORER(mpx__store4_product64) { return (void)v, mpx__scale_f64(d, s, 0, stream, k); }
MPX__STORER(mpx__store4_quotient64) { return (void)v, mpx__scale_f64(d, s, 1, stream, k); }
MPX__SCALE_KERNEL(mpx__f64_times, mpx__scale64_set, 0x7ff0, 64, mpx__store4_product64, 64,
                  mpx__load4_nothing)
MPX__SCALE_KERNEL(mpx__f64_divided, mpx__scale64_set, 0x7ff0, 64, mpx__store4_quotient64, 64,
                  mpx__load4_nothing)

/* f64 to f32: rounded in f64, then once more. That is as to round once, unless the first result is
   not exact and halfway between two f32. A product with a power of two is exact. A quotient q is
   not rounded to such an m, of at most 25 bits: m s has at most 49, so that x - m s is a unit in
   the last place of x at least, and (x - m s) / s = q - m is more than f64 rounds away. Any other
   product may be: the 29 bits that go, in the lower half of a lane, then are 1 and zeros. From
   2^-150 on, where f32 has subnormals, more go: all numbers count there, which the upper half
   tells. Below, it is zero either way. Both halves are moved to where the least signed numbers
   are. */
MPX__FORCE_INLINE mpx__vu mpx__may_be_halfway(mpx__vu x) {
    const mpx__vu parts = mpx__set64(0x7fffffff1fffffffu),
                  first = mpx__set64(0x3690000010000000u ^ 0x8000000080000000u),
                  end = mpx__set64(0x8180000080000001u);
    return mpx__gt_signed(end, mpx__sub(mpx__and(x, parts), first));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_scaled64(const unsigned char *s, int divide, int look,
                                               mpx__vu *halfway, mpx__constants *k) {
    mpx__vd a = mpx__scaled64(mpx__load_vd(s), divide, k),
            b = mpx__scaled64(mpx__load_vd(s + MPX__VECTOR), divide, k);
    if (look)
        *halfway = mpx__or(*halfway, mpx__or(mpx__may_be_halfway(mpx__bits_of_vd(a)),
                                             mpx__may_be_halfway(mpx__bits_of_vd(b))));
    return mpx__bits_of_vf(mpx__vf_of_vd(a, b));
}
MPX__FORCE_INLINE int mpx__scale_f64_to_f32(unsigned char *d, const unsigned char *s, int divide,
                                            int look, int stream, mpx__constants *k) {
    mpx__vu w[4], halfway = mpx__set(0);
    w[0] = mpx__f32_of_scaled64(s, divide, look, &halfway, k);
    w[1] = mpx__f32_of_scaled64(s + 2 * MPX__VECTOR, divide, look, &halfway, k);
    w[2] = mpx__f32_of_scaled64(s + 4 * MPX__VECTOR, divide, look, &halfway, k);
    w[3] = mpx__f32_of_scaled64(s + 6 * MPX__VECTOR, divide, look, &halfway, k);
    if (look && mpx__any(halfway)) return 0;
    mpx__keep_largest(w, k);
    return mpx__put4(d, w, stream);
}
MPX__STORER(mpx__store4_f32_of_product64) {
    return (void)v, mpx__scale_f64_to_f32(d, s, 0, 1, stream, k);
}
MPX__STORER(mpx__store4_f32_of_quotient64) {
    return (void)v, mpx__scale_f64_to_f32(d, s, 1, 0, stream, k);
}
MPX__SCALE_KERNEL(mpx__f64_times_to_f32, mpx__scale64_set, 0x7f80, 32,
                  mpx__store4_f32_of_product64, 64, mpx__load4_nothing)
MPX__SCALE_KERNEL(mpx__f64_divided_to_f32, mpx__scale64_set, 0x7f80, 32,
                  mpx__store4_f32_of_quotient64, 64, mpx__load4_nothing)
#endif /* MPX__HAS_F64 */

#else /* integer lanes alone: f32 times a power of two, where all that moves is an exponent */

MPX__INLINE void mpx__move_set(mpx__constants *k, mpx__job *job) {
    const int32_t low = job->shift < 0 ? 1 - job->shift : 1,
                  end = job->shift > 0 ? 255 - job->shift : 255;
    k->magnitude = mpx__set((uint32_t)low << 23);
    k->scale = mpx__set(low < end ? ((uint32_t)(end - low) << 23) - 1u : 0);
    k->less = mpx__set((uint32_t)job->shift << 23);
}
MPX__FORCE_INLINE mpx__vu mpx__moved(mpx__vu u, mpx__vu *beyond, const mpx__constants *k) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), zero = mpx__eq(a, mpx__set(0)), bad;
    bad = mpx__gt(mpx__sub(a, k->magnitude), k->scale);
    *beyond = mpx__or(*beyond, mpx__select(zero, mpx__set(0), bad));
    return mpx__add(u, mpx__select(zero, mpx__set(0), k->less));
}
MPX__STORER(mpx__store4_moved) {
    mpx__vu w[4], beyond = mpx__set(0);
    w[0] = mpx__moved(v[0], &beyond, k);
    w[1] = mpx__moved(v[1], &beyond, k);
    w[2] = mpx__moved(v[2], &beyond, k);
    w[3] = mpx__moved(v[3], &beyond, k);
    return !mpx__any(beyond) && mpx__put4(d, w, stream);
}
MPX__KERNEL_WITH(mpx__f32_moved, mpx__move_set, 32, mpx__store4_moved, 32, mpx__load4_f32)

#endif /* MPX__HAS_FLOAT */

/* The kernel of a pair, if there is one, for a factor that is finite and not zero. Those of f32 and
   f64, which are a few float operations per element, may raise flags, as C's own operations do. */
MPX__PRIVATE mpx__kernel mpx__find_scaling(int to, int from, const mpx__job *job) {
    const int multiplies = mpx__multiplies(job);
    (void)multiplies;
    switch (MPX__PAIR(to, from)) {
#if MPX__HAS_FLOAT
    case MPX__PAIR(MPX__FORM_F32, MPX__FORM_F32):
        return mpx__kernel_of(multiplies ? mpx__f32_times : mpx__f32_divided, MPX__ENV_MODES);
#if MPX__HAS_F16
    case MPX__PAIR(MPX__FORM_F32, MPX__FORM_F16):
        return mpx__kernel_of(multiplies ? mpx__f16_times : NULL, MPX__ENV_ALL);
    case MPX__PAIR(MPX__FORM_F16, MPX__FORM_F16):
        return mpx__kernel_of(job->power_of_two ? mpx__f16_moved : NULL, MPX__ENV_ALL);
#endif
#if MPX__HAS_BF16
    case MPX__PAIR(MPX__FORM_F32, MPX__FORM_BF16):
        return mpx__kernel_of(multiplies ? mpx__bf16_times : NULL, MPX__ENV_ALL);
    case MPX__PAIR(MPX__FORM_BF16, MPX__FORM_BF16):
        return mpx__kernel_of(job->power_of_two ? mpx__bf16_moved : NULL, MPX__ENV_ALL);
#endif
#if MPX__HAS_F64
    case MPX__PAIR(MPX__FORM_F64, MPX__FORM_F64):
        return mpx__kernel_of(multiplies ? mpx__f64_times : mpx__f64_divided, MPX__ENV_MODES);
    case MPX__PAIR(MPX__FORM_F32, MPX__FORM_F64):
        return mpx__kernel_of(multiplies ? mpx__f64_times_to_f32 : mpx__f64_divided_to_f32,
                              MPX__ENV_MODES);
#endif
#if MPX__HAS_F16 || MPX__HAS_BF16 || MPX__HAS_SMALL
    case MPX__PAIR(MPX__FORM_F32_ODD, MPX__FORM_F32):
        return mpx__kernel_of(multiplies ? mpx__f32_times_to_odd : mpx__f32_divided_to_odd,
                              MPX__ENV_ALL);
#endif
#else
    case MPX__PAIR(MPX__FORM_F32, MPX__FORM_F32):
        return mpx__kernel_of(job->power_of_two ? mpx__f32_moved : NULL, MPX__ENV_ANY);
#endif
    default: return mpx__kernel_of(NULL, MPX__ENV_ANY);
    }
}

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: reducing - blocks that are consumed instead of stored               *
 *   The largest magnitude, which tells Inf and NaN too, at the speed of     *
 *   reading; the sum of squares in f64; arrays added to one another.        *
 *==========================================================================*/
#if !MPX__COMPACT

/* ---- the largest magnitude ------------------------------------------------------------------- */

/* Magnitudes are ordered as their bits are, Inf above all numbers, NaN above Inf. */
typedef mpx__vu (*mpx__max_fn)(mpx__vu a, mpx__vu b);
MPX__FORCE_INLINE mpx__vu mpx__larger_of_two(const unsigned char *p, mpx__vu mask,
                                             mpx__max_fn larger) {
    return larger(mpx__and(mpx__load32(p), mask), mpx__and(mpx__load32(p + MPX__VECTOR), mask));
}
/* `size` bytes. The last vector ends where they end, so that some bytes are read twice; less than a
   vector is filled up with zeros. */
MPX__FORCE_INLINE mpx__vu mpx__largest_lanes(const unsigned char *s, size_t size, uint32_t magnitude,
                                             mpx__max_fn larger) {
    const mpx__vu mask = mpx__set(magnitude);
    mpx__vu a = mpx__set(0);
    if (size < MPX__VECTOR) {
        unsigned char few[MPX__VECTOR];
        mpx__store32(few, a);
        mpx__copy(few, s, size);
        return mpx__and(mpx__load32(few), mask);
    }
    MPX__ALIGN_LOOP();
    for (; size >= 8 * MPX__VECTOR; size -= 8 * MPX__VECTOR, s += 8 * MPX__VECTOR) {
        mpx__vu b = mpx__larger_of_two(s, mask, larger),
                c = mpx__larger_of_two(s + 2 * MPX__VECTOR, mask, larger),
                d = mpx__larger_of_two(s + 4 * MPX__VECTOR, mask, larger),
                e = mpx__larger_of_two(s + 6 * MPX__VECTOR, mask, larger);
        a = larger(a, larger(larger(b, c), larger(d, e)));
    }
    for (; size >= MPX__VECTOR; size -= MPX__VECTOR, s += MPX__VECTOR)
        a = larger(a, mpx__and(mpx__load32(s), mask));
    if (size != 0) a = larger(a, mpx__and(mpx__load32(s + size - MPX__VECTOR), mask));
    return a;
}
MPX__NOINLINE uint32_t mpx__largest32(const void *src, size_t n) {
    return mpx__largest_lane(
        mpx__largest_lanes((const unsigned char *)src, n * 4, 0x7fffffffu, mpx__max_magnitude));
}
/* Right in its upper half only, which tells Inf and NaN. */
MPX__NOINLINE uint32_t mpx__largest_upper32(const void *src, size_t n) {
    return mpx__largest_lane(
        mpx__largest_lanes((const unsigned char *)src, n * 4, 0x7fffffffu, mpx__max_upper));
}
MPX__NOINLINE uint32_t mpx__largest16(const void *src, size_t n) {
    mpx__vu a = mpx__largest_lanes((const unsigned char *)src, n * 2, 0x7fff7fffu, mpx__max16);
    return mpx__largest_lane(mpx__max_magnitude(mpx__shr(a, 16), mpx__and(a, mpx__set(0xffff))));
}

/* ---- the sum of squares ---------------------------------------------------------------------- */

/* Sixteen sums, each of every sixteenth element, so that the order of additions is the same for
   every number of lanes. n is a multiple of 16. The square of an f32 is exact in f64. */
#if MPX__HAS_FLOAT
enum { MPX__SUM_VECTORS = 32 / MPX__LANES };
MPX__FORCE_INLINE void mpx__add_square(mpx__vd *sum, mpx__vd x) {
    *sum = mpx__dadd(*sum, mpx__dmul(x, x));
}
MPX__FORCE_INLINE void mpx__sums_load(mpx__vd sum[MPX__SUM_VECTORS], const uint64_t *sums) {
    int i;
    for (i = 0; i < MPX__SUM_VECTORS; i++) {
        sum[i] = mpx__vd_of_bits(mpx__load32((const unsigned char *)sums + i * MPX__VECTOR));
        MPX__BARRIER(); /* else clang calls memcpy */
    }
}
MPX__FORCE_INLINE void mpx__sums_store(uint64_t *sums, const mpx__vd sum[MPX__SUM_VECTORS]) {
    int i;
    for (i = 0; i < MPX__SUM_VECTORS; i++) {
        mpx__store32((unsigned char *)sums + i * MPX__VECTOR, mpx__bits_of_vd(sum[i]));
        MPX__BARRIER();
    }
}
MPX__NOINLINE void mpx__squares_of_f32(uint64_t sums[MPX__SUMS], const unsigned char *s, size_t n) {
    mpx__vd sum[MPX__SUM_VECTORS], x[2];
    int i;
    mpx__sums_load(sum, sums);
    for (; n != 0; n -= MPX__SUMS, s += 4 * MPX__SUMS) {
        MPX__UNROLL
        for (i = 0; i < MPX__SUM_VECTORS; i += 2) {
            mpx__load_vd_of_vf(x, s + i / 2 * MPX__VECTOR);
            mpx__add_square(&sum[i], x[0]);
            mpx__add_square(&sum[i + 1], x[1]);
        }
    }
    mpx__sums_store(sums, sum);
}
MPX__NOINLINE void mpx__squares_of_f64(uint64_t sums[MPX__SUMS], const unsigned char *s, size_t n) {
    mpx__vd sum[MPX__SUM_VECTORS];
    int i;
    mpx__sums_load(sum, sums);
    for (; n != 0; n -= MPX__SUMS, s += 8 * MPX__SUMS) {
        MPX__UNROLL
        for (i = 0; i < MPX__SUM_VECTORS; i++)
            mpx__add_square(&sum[i], mpx__load_vd(s + i * MPX__VECTOR));
    }
    mpx__sums_store(sums, sum);
}

/* ---- sums of two arrays ---------------------------------------------------------------------- */

/* Two f32 are added in f64. That is as to round once, as f64 has at least two bits more than twice
   those of f32 (Figueroa, When is double rounding innocuous?, 1995). */
MPX__NOINLINE void mpx__add_f32(unsigned char *d, const unsigned char *s, size_t n) {
    mpx__vd a[2], b[2];
    for (; n != 0; n -= MPX__LANES, d += MPX__VECTOR, s += MPX__VECTOR) {
        mpx__load_vd_of_vf(a, d);
        mpx__load_vd_of_vf(b, s);
        mpx__store_vf_of_vd(d, mpx__dadd(a[0], b[0]), mpx__dadd(a[1], b[1]));
    }
}
MPX__NOINLINE void mpx__add_f64(unsigned char *d, const unsigned char *s, size_t n) {
    for (; n != 0; n -= MPX__LANES / 2, d += MPX__VECTOR, s += MPX__VECTOR)
        mpx__store32(d, mpx__bits_of_vd(mpx__dadd(mpx__load_vd(d), mpx__load_vd(s))));
}
#endif

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: packing - codes of four and six bits by vectors                     *
 *==========================================================================*/
#if !MPX__COMPACT

/* Return how many codes are done, from the start. */
#if MPX__HAS_JOIN && MPX__HAS_PACKED
MPX__PRIVATE size_t mpx__unpack_vectors(unsigned char *codes, const unsigned char *s, unsigned bits,
                                        size_t n) {
    const size_t all = n;
    for (; bits == 4 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store32(codes, mpx__load_split4(s));
        s += MPX__BLOCK / 2;
        codes += MPX__BLOCK;
    }
    for (; bits == 6 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store32(codes, mpx__load_split6(s));
        s += MPX__BLOCK / 4 * 3;
        codes += MPX__BLOCK;
    }
    return all - n;
}
MPX__PRIVATE size_t mpx__pack_vectors(unsigned char *d, const unsigned char *codes, unsigned bits,
                                      size_t n) {
    const size_t all = n;
    for (; bits == 4 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store_joined4(d, mpx__load32(codes));
        d += MPX__BLOCK / 2;
        codes += MPX__BLOCK;
    }
    for (; bits == 6 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store_joined6(d, mpx__load32(codes));
        d += MPX__BLOCK / 4 * 3;
        codes += MPX__BLOCK;
    }
    return all - n;
}
#else
MPX__PRIVATE size_t mpx__unpack_vectors(unsigned char *codes, const unsigned char *s, unsigned bits,
                                        size_t n) {
    return (void)codes, (void)s, (void)bits, (void)n, (size_t)0;
}
MPX__PRIVATE size_t mpx__pack_vectors(unsigned char *d, const unsigned char *codes, unsigned bits,
                                      size_t n) {
    return (void)d, (void)codes, (void)bits, (void)n, (size_t)0;
}
#endif

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: norms - normalised integers, in lanes                               *
 *   For vertex.h. By integers alone, so that no floating-point mode changes *
 *   a result and no flag is raised.                                         *
 *==========================================================================*/
#if !MPX_NO_VERTEX

/* The f32 bits u, of a value clamped to 0 ... 1, times most = 2^bits - 1, to nearest. NaN is 0.

     u    0 eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      at least 2^-(bits + 2), which gives 0 too

   1. 2^31 + 2^23 - 1 is added for the comparisons: NaN and negatives then are below 2^31.
   2. With sig = 2^23 + m, u * most = (sig * 2^bits - sig) * 2^(e - 150). So its whole part is sig -
      sig / 2^bits, rounded down, shifted by 150 - bits - e; one less leaves the bit that rounds.
   3. As most is odd, the only tie is u = 1/2, between 2^(bits-1) - 1 and 2^(bits-1). The even one
      is the upper, but for bits = 1, where it is 0. */
MPX__FORCE_INLINE mpx__vu mpx__to_unorm(mpx__vu u, int bits) {
    const uint32_t most = (1u << bits) - 1u, least = (125u - (unsigned)bits) << 23,
                   up = 0x807fffffu;
    mpx__vu sig, whole;
    u = mpx__max(mpx__add(u, mpx__set(up)), mpx__set(least + up));
    u = mpx__sub(mpx__min(u, mpx__set(0x3f800000u + up)), mpx__set(up));
    sig = mpx__or(mpx__and(u, mpx__set(0x7fffffu)), mpx__set(0x800000u));
    whole = mpx__sub(sig, mpx__shr(mpx__add(sig, mpx__set(most + (bits == 1))), bits));
    whole = mpx__shrv(whole, mpx__sub(mpx__set(149u - (unsigned)bits), mpx__shr(u, 23)));
    return mpx__shr(mpx__add(whole, mpx__set(1)), 1);
}
/* The f32 bits of x / (2^bits - 1), to nearest. In binary the quotient is 0.xxx..., x repeated
   without an end, which is no tie. Of that, 25 bits from the leading one on are rounded to 24. */
MPX__FORCE_INLINE mpx__vu mpx__from_unorm(mpx__vu x, int bits) {
    const int width = (24 + bits) / bits * bits; /* 25 to 32 */
    const mpx__vu hidden = mpx__set(0x800000u), u = mpx__f32_of_u24(x),
                  ones = mpx__set((0xffffffffu >> (32 - width)) / ((1u << bits) - 1u));
    mpx__vu sig = mpx__or(mpx__and(u, mpx__set(0x7fffffu)), hidden);
    sig = mpx__shr(mpx__mul(mpx__shr(sig, 24 - bits), ones), width - 25);
    sig = mpx__sub(mpx__shr(mpx__add(sig, mpx__set(1)), 1), hidden);
    sig = mpx__add(sig, mpx__sub(mpx__and(u, mpx__set(0x7f800000u)),
                                 mpx__set((uint32_t)bits << 23)));
    return mpx__select(mpx__eq(x, mpx__set(0)), x, sig);
}

/* n lanes of 32 bits in place, and what is left of their last vector: between f32 bits and codes. A
   signed code is two's complement, the magnitude a unorm of one bit less; its most negative code is
   -1 too. Packed, signed codes have all 32 bits; those to unpack are followed by zeros. */
MPX__FORCE_INLINE void mpx__to_norms_of(unsigned char *x, size_t n, int bits, int is_signed) {
    size_t i;
    for (i = 0; i < n; i += MPX__LANES, x += MPX__LANES * 4) {
        const mpx__vu u = mpx__load32(x), minus = mpx__sub(mpx__set(0), mpx__shr(u, 31));
        mpx__vu code;
        if (is_signed) {
            code = mpx__to_unorm(mpx__and(u, mpx__set(0x7fffffffu)), bits - 1);
            code = mpx__sub(mpx__xor(code, minus), minus);
        } else {
            code = mpx__to_unorm(u, bits);
        }
        mpx__store32(x, code);
    }
}
MPX__FORCE_INLINE void mpx__from_norms_of(unsigned char *x, size_t n, int bits, int is_signed) {
    const uint32_t most = (1u << (bits - 1)) - 1u;
    size_t i;
    for (i = 0; i < n; i += MPX__LANES, x += MPX__LANES * 4) {
        mpx__vu code = mpx__load32(x), sign = mpx__shr(code, bits - 1),
                minus = mpx__sub(mpx__set(0), sign);
        if (is_signed) {
            code = mpx__sub(mpx__xor(code, minus), minus);
            code = mpx__min(mpx__and(code, mpx__set(2u * most + 1u)), mpx__set(most));
            code = mpx__or(mpx__from_unorm(code, bits - 1), mpx__shl(sign, 31));
        } else {
            code = mpx__from_unorm(code, bits);
        }
        mpx__store32(x, code);
    }
}
/* In plain C shifts by a constant are faster. */
MPX__NOINLINE void mpx__to_norms_here(unsigned char *x, size_t n, int bits, int is_signed) {
    switch ((MPX__COMPACT ? 0 : MPX__LANES) != 1 ? 0 : bits) {
    case 8: mpx__to_norms_of(x, n, 8, is_signed); break;
    case 10: mpx__to_norms_of(x, n, 10, is_signed); break;
    case 16: mpx__to_norms_of(x, n, 16, is_signed); break;
    default: mpx__to_norms_of(x, n, bits, is_signed); break;
    }
}
MPX__NOINLINE void mpx__from_norms_here(unsigned char *x, size_t n, int bits, int is_signed) {
    switch ((MPX__COMPACT ? 0 : MPX__LANES) != 1 ? 0 : bits) {
    case 8: mpx__from_norms_of(x, n, 8, is_signed); break;
    case 10: mpx__from_norms_of(x, n, 10, is_signed); break;
    case 16: mpx__from_norms_of(x, n, 16, is_signed); break;
    default: mpx__from_norms_of(x, n, bits, is_signed); break;
    }
}
#endif /* !MPX_NO_VERTEX */
/*==========================================================================*
 * MARK: kernels - which kernel, from one form to another                    *
 *   Each kernel has one line: target, source, function, and the floating-   *
 *   point environment that it needs. Pairs without a kernel are cast        *
 *   through other forms; plan.h says which.                                 *
 *==========================================================================*/
#if !MPX__COMPACT

#define MPX__ENTRY(to, from, kernel, env) \
    case MPX__PAIR(to, from): return mpx__kernel_of(kernel, env);

MPX__PRIVATE mpx__kernel mpx__find_kernel(int to, int from) {
    switch (MPX__PAIR(to, from)) {
#if MPX__HAS_F16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F16, mpx__f16_to_f32, MPX__F16_ENV)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F32, mpx__f32_to_f16, MPX__TO_F16_ENV)
#endif
#if MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_BF16, mpx__bf16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F32, mpx__f32_to_bf16, MPX__BF16_ENV)
#endif
#if MPX__HAS_FLOAT
#if MPX__HAS_F16 && MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_BF16, mpx__bf16_to_f16, MPX__TO_F16_ENV)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F16, mpx__f16_to_bf16, MPX__F16_ENV)
#endif
#if MPX__HAS_F64
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_F32, mpx__f32_to_f64, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F64, mpx__f64_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32_ODD, MPX__FORM_F64, mpx__f64_to_odd, MPX__ENV_ALL)
#endif
#if MPX__HAS_F64 && MPX__HAS_F16
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F64, mpx__f64_to_f16, MPX__ENV_ALL)
#endif
#if MPX__HAS_F64 && MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F64, mpx__f64_to_bf16, MPX__ENV_ALL)
#endif

#if MPX__HAS_SMALL
#ifdef MPX__OWN_BYTES_AS_F16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E4M3FN, mpx__f8_to_f32_as_f16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8, mpx__f8_to_f32_as_f16, MPX__ENV_ANY)
#else
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E4M3FN, mpx__f8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8, mpx__f8_to_f32, MPX__ENV_ANY)
#endif
#if MPX__NATIVE_F16
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E5M2, mpx__e5m2_to_f32, MPX__F16_ENV)
#else
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E5M2, mpx__f8_to_f32, MPX__ENV_ANY)
#endif
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8_5, mpx__f8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E8M0, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F6, mpx__f8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F4, mpx__f4_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F32, mpx__f32_to_e4m3fn, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8_5, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E8M0, MPX__FORM_F32, mpx__f32_to_e8m0, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_F32, mpx__f32_to_f8, MPX__F8_ENV)
#if MPX__HAS_F16
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_E4M3FN, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_E5M2, mpx__e5m2_to_f16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F8, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F6, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_F4, mpx__f4_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F16, mpx__f16_to_e4m3fn, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_F16, mpx__f16_to_e5m2, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8_5, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_F16, mpx__f16_to_f8, MPX__F8_ENV)
#endif
#if MPX__HAS_BF16
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_E4M3FN, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_E5M2, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F8, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F8_5, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F6, mpx__f8_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_F4, mpx__f4_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_BF16, mpx__bf16_to_e4m3fn, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F8_5, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_BF16, mpx__bf16_to_f8, MPX__F8_ENV)
#endif
#if MPX__HAS_F64
        MPX__ENTRY(MPX__FORM_E4M3FN, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_E5M2, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F8, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F8_5, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F6, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F4, MPX__FORM_F64, mpx__f64_to_f8, MPX__ENV_ALL)
#endif
#if MPX__HAS_JOIN
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_PACKED_F4, mpx__packed_f4_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F16, MPX__FORM_PACKED_F4, mpx__packed_f4_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BF16, MPX__FORM_PACKED_F4, mpx__packed_f4_to_words, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_PACKED_F4, MPX__FORM_F32, mpx__f32_to_packed_f4, MPX__F8_ENV)
#endif
#endif /* MPX__HAS_SMALL */

#if MPX__HAS_INT
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I8, mpx__i8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U8, mpx__u8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I16, mpx__i16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U16, mpx__u16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I32, mpx__i32_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U32, mpx__u32_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_BOOL, MPX__FORM_F32, mpx__f32_to_bool, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_F32, mpx__f32_to_i8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_F32, mpx__f32_to_u8, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_F32, mpx__f32_to_i16, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_F32, mpx__f32_to_u16, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_F32, mpx__f32_to_i32, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_F32, mpx__f32_to_u32, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_BOOL, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_BOOL, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BOOL, MPX__FORM_U8, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_BOOL, MPX__FORM_I8, mpx__nonzero8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_I4, mpx__i4_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_U4, mpx__u4_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I4, MPX__FORM_I8, mpx__i8_to_i4, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U4, MPX__FORM_U8, mpx__u8_to_u4, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_I8, mpx__i8_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_I8, mpx__i8_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_I8, mpx__i8_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_I8, mpx__i8_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_U8, mpx__u8_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_U8, mpx__u8_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_U8, mpx__u8_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U8, mpx__u8_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_U8, mpx__u8_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_I16, mpx__i16_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_I16, mpx__i16_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_I16, mpx__i16_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_I16, mpx__i16_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_U16, mpx__u16_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_U16, mpx__u16_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_U16, mpx__u16_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U16, mpx__u16_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_U16, mpx__u16_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_I32, mpx__i32_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_I32, mpx__i32_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_I32, mpx__i32_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_I32, mpx__i32_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I32, mpx__i32_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_I32, mpx__i32_to_i64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_I32, mpx__i32_to_u64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I8, mpx__i8_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I16, mpx__i16_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I8, MPX__FORM_U32, mpx__u32_to_i8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U8, MPX__FORM_U32, mpx__u32_to_u8, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I16, MPX__FORM_U32, mpx__u32_to_i16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U16, MPX__FORM_U32, mpx__u32_to_u16, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U32, mpx__u32_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_U32, mpx__u32_to_64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_U32, mpx__u32_to_64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_I64, mpx__i64_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_I64, mpx__i64_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_I64, mpx__i64_to_u64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_U64, mpx__u64_to_i32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_U32, MPX__FORM_U64, mpx__u64_to_u32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_U64, mpx__u64_to_i64, MPX__ENV_ANY)
#if MPX__HAS_F64
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_I32, mpx__i32_to_f64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_U32, mpx__u32_to_f64, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_I64, mpx__i64_to_f64, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F64, MPX__FORM_U64, mpx__u64_to_f64, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F64_ODD, MPX__FORM_I64, mpx__i64_to_odd, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F64_ODD, MPX__FORM_U64, mpx__u64_to_odd, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I64, mpx__i64_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U64, mpx__u64_to_f32, MPX__ENV_MODES)
        MPX__ENTRY(MPX__FORM_I32, MPX__FORM_F64, mpx__f64_to_i32, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_I64, MPX__FORM_F64, mpx__f64_to_i64, MPX__ENV_ALL)
        MPX__ENTRY(MPX__FORM_U64, MPX__FORM_F64, mpx__f64_to_u64, MPX__ENV_ALL)
#endif
#endif /* MPX__HAS_INT */

#else /* integer lanes only */
#if MPX__HAS_SMALL
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E4M3FN, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E5M2, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F8_5, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_E8M0, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F6, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_F4, mpx__f8_to_f32_by_lanes, MPX__ENV_ANY)
#endif
#if MPX__HAS_INT
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I8, mpx__i8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U8, mpx__u8_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_I16, mpx__i16_to_f32, MPX__ENV_ANY)
        MPX__ENTRY(MPX__FORM_F32, MPX__FORM_U16, mpx__u16_to_f32, MPX__ENV_ANY)
#endif
#endif /* MPX__HAS_FLOAT */
    default: return mpx__kernel_of(NULL, MPX__ENV_ANY);
    }
}
#undef MPX__ENTRY

#if MPX_NO_CAST_WITH
#define MPX__ROUND_TILE NULL
#else
#define MPX__ROUND_TILE mpx__round_tile
#endif
#if MPX__HAS_FLOAT && MPX__HAS_BF16 && !MPX_NO_CAST_WITH
#define MPX__AT_RANDOM mpx__f32_to_bf16_at_random
#else
#define MPX__AT_RANDOM NULL
#endif
#if !MPX__HAS_FLOAT || MPX_NO_REDUCE
#define MPX__SUMS_OF NULL, NULL, NULL, NULL
#elif MPX__HAS_F64
#define MPX__SUMS_OF mpx__squares_of_f32, mpx__squares_of_f64, mpx__add_f32, mpx__add_f64
#else
#define MPX__SUMS_OF mpx__squares_of_f32, NULL, mpx__add_f32, NULL
#endif
#if MPX_NO_VERTEX
#define MPX__NORMS NULL, NULL
#else
#define MPX__NORMS mpx__to_norms_here, mpx__from_norms_here
#endif
static const mpx__engine mpx__engine_here = {
    MPX__ISA_NAME,
    MPX__BLOCK < 8 ? 8 : MPX__BLOCK, /* a block has whole bytes, whatever the dtype */
    mpx__find_kernel,
    mpx__find_scaling,
    MPX__ROUND_TILE,
    MPX__AT_RANDOM,
    mpx__largest16,
    mpx__largest32,
    mpx__largest_upper32,
    MPX__SUMS_OF,
    mpx__unpack_vectors,
    mpx__pack_vectors,
    MPX__NORMS,
    mpx__env_serves,
    mpx__env_enter,
    mpx__env_leave,
    mpx__fence,
};

#endif /* !MPX__COMPACT */
/*==========================================================================*
 * MARK: pass_end - the macros of the engine's rooms end here                *
 *   Generated from the rooms of the engine by tools/amalgamate.py --names.  *
 *==========================================================================*/
#undef MPX__LANES
#undef MPX__ISA_NAME
#undef MPX__HAS_MXCSR
#undef MPX__HAS_STREAM
#undef MPX__HAS_LOOKUP
#undef MPX__HAS_JOIN
#undef MPX__NATIVE_F16
#undef MPX__OWN_GT
#undef MPX__OWN_MAX_MAGNITUDE
#undef MPX__OWN_LARGEST_LANE
#undef MPX__OWN_AT_MOST_I32
#undef MPX__OWN_VF_OF_U32
#undef MPX__F16_ENV
#undef MPX__TO_F16_ENV
#undef MPX__OWN_AT_LEAST_0
#undef MPX__OWN_WHERE_ABOVE_0
#undef MPX__OWN_AT_LEAST_0_8
#undef MPX__OWN_PACK32
#undef MPX__OWN_LOAD_SIGNED16
#undef MPX__OWN_LOAD_UNSIGNED8
#undef MPX__OWN_HALVES
#undef MPX__OWN_TRUNCATE
#undef MPX__OWN_BYTES_AS_F16
#undef MPX__OWN_UPPER_WORDS
#undef MPX__OWN_WORDS_AT
#undef MPX__OWN_BF16_PAIR
#undef MPX__F8_ENV
#undef MPX__OWN_JOIN_UPPER16
#undef MPX__OWN_ENTRIES_128
#undef MPX__NEAREST
#undef MPX__OWN_ENV
#undef MPX__OWN_NAN_IN_BLOCK
#undef MPX__OWN_F64_OF_64
#undef MPX__OWN_F32_OF_64
#undef MPX__OWN_64_OF_F64
#undef MPX__OWN_BF16_BLOCK
#undef MPX__BF16_ENV
#undef MPX__OWN_SIGNS
#undef MPX__OWN_ODD
#undef MPX__NATIVE_BF16
#undef MPX__LOSES_NAN
#undef MPX__OWN_PRODUCT
#undef MPX__SPREAD
#undef MPX__LOADER
#undef MPX__STORER
#undef MPX__KERNEL
#undef MPX__KERNEL_WITH
#undef MPX__KERNEL_BY_TWO
#undef MPX__SCALE_KERNEL
#undef MPX__ENTRY
#undef MPX__ROUND_TILE
#undef MPX__AT_RANDOM
#undef MPX__SUMS_OF
#undef MPX__NORMS
#if MPX_DISPATCH
#undef MPX__HAS_FLOAT
#else
#undef MPX__PASS
#endif
#endif /* MPX__PASS */

#if defined(MPX__IN_IMPLEMENTATION) && !defined(MPX__PASS)
/*==========================================================================*
 * MARK: dispatch - which engine casts                                       *
 *==========================================================================*/

#if MPX_DISPATCH
#define MPX__HAS_FLOAT 1 /* all three have it */

enum { MPX__ENGINES = 3 };
static const mpx__engine *const mpx__engines[MPX__ENGINES] = {
    &mpx__engine_here_sse2, &mpx__engine_here_avx2, &mpx__engine_here_avx512
};
/* One more than the place of the engine that casts; 0: not chosen yet. Threads may choose at the
   same time: they write the same number. */
static unsigned char mpx__chosen;

/* How many engines this CPU can run under this operating system, which has to save the vector
   registers: XCR0 says which. Intel's manual, volume 1, sections 14.3 and 15.2 to 15.4. */
MPX__PRIVATE unsigned mpx__usable_engines(void) {
    const unsigned osxsave_f16c_fma = 1u << 27 | 1u << 29 | 1u << 12,
                   f_dq_bw_vl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, ymm = 0x6, zmm = 0xe6;
    unsigned eax, ebx, ecx, edx, kept;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 1;
    if ((ecx & osxsave_f16c_fma) != osxsave_f16c_fma) return 1;
    __asm__ __volatile__("xgetbv" : "=a"(kept), "=d"(edx) : "c"(0));
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return 1;
    if ((kept & ymm) != ymm || (ebx & 1u << 5) == 0) return 1;
    return (kept & zmm) == zmm && (ebx & f_dq_bw_vl) == f_dq_bw_vl ? 3 : 2;
}
MPX__NOINLINE unsigned mpx__choose_engine(void) {
    const unsigned usable = mpx__usable_engines();
    __atomic_store_n(&mpx__chosen, (unsigned char)usable, __ATOMIC_RELAXED);
    return usable;
}
MPX__INLINE const mpx__engine *mpx__engine_now(void) {
    unsigned chosen = __atomic_load_n(&mpx__chosen, __ATOMIC_RELAXED);
    if (MPX__RARELY(chosen == 0)) chosen = mpx__choose_engine();
    return mpx__engines[chosen - 1];
}
MPX_API mpx_status mpx_isa_set(const char *isa) {
    const unsigned usable = mpx__usable_engines();
    unsigned i = usable;
    if (isa != NULL) {
        const mpx__slice word = mpx__slice_of(isa, mpx__length(isa));
        while (i != 0 && !mpx__is_word(word, mpx__engines[i - 1]->isa, 0))
            i--;
    }
    if (i == 0) return MPX_ERR_ARGUMENT;
    __atomic_store_n(&mpx__chosen, (unsigned char)i, __ATOMIC_RELAXED);
    return MPX_OK;
}
#elif !MPX__COMPACT
MPX__INLINE const mpx__engine *mpx__engine_now(void) { return &mpx__engine_here; }
#endif

#if MPX__COMPACT
MPX_API const char *mpx_isa(void) { return "scalar"; }
#else
MPX_API const char *mpx_isa(void) { return mpx__engine_now()->isa; }
#endif
/*==========================================================================*
 * MARK: pack - dtypes below a byte                                          *
 *   Codes of 2, 4 or 6 bits, packed, or one in a byte.                      *
 *==========================================================================*/

#if MPX__HAS_PACKED

/* Four codes of 2, 4 or 6 bits, packed or in a byte each, the first one lowest:

     packed      ........ ........ ddddcccc bbbbaaaa
     half way    ........ ddddcccc ........ bbbbaaaa      moved by 16 - 2 * bits
     spread      ....dddd ....cccc ....bbbb ....aaaa      moved by  8 - bits        */
MPX__INLINE uint32_t mpx__spread_codes(uint32_t x, unsigned bits) {
    const uint32_t two = (1u << 2 * bits) - 1u, one = 0x00010001u * ((1u << bits) - 1u);
    x = (x & two) | (x & ~two) << (16 - 2 * bits);
    return (x & one) | (x & ~one) << (8 - bits);
}
MPX__INLINE uint32_t mpx__join_codes(uint32_t x, unsigned bits) {
    x = (x & 0x00ff00ffu) | (x & 0xff00ff00u) >> (8 - bits);
    return (x & 0xffffu) | x >> 16 << 2 * bits;
}

MPX__INLINE uint32_t mpx__read_bytes(const unsigned char *s, size_t count) {
    uint32_t x = 0;
    while (count-- != 0)
        x = x << 8 | s[count];
    return x;
}
MPX__INLINE void mpx__write_bytes(unsigned char *d, uint32_t x, size_t count) {
    for (; count != 0; count--, x >>= 8)
        *d++ = (unsigned char)(x & 255u);
}

/* n codes, element 0 in the lowest bits of byte 0. Four codes are `bits` / 2 bytes. */
MPX__PRIVATE void mpx__unpack(unsigned char *codes, const unsigned char *s, unsigned bits,
                              size_t n) {
    const size_t bytes = bits / 2;
#if !MPX__COMPACT
    const size_t done = mpx__engine_now()->unpack(codes, s, bits, n);
    codes += done;
    s += done / 4 * bytes;
    n -= done;
#endif
    for (; n >= 4; n -= 4, s += bytes, codes += 4) {
        mpx__write_bytes(codes, mpx__spread_codes(mpx__read_bytes(s, bytes), bits), 4);
        MPX__BARRIER(); /* else clang calls memset, for bits = 0 */
    }
    mpx__write_bytes(codes, mpx__spread_codes(mpx__read_bytes(s, (n * bits + 7) / 8), bits), n);
}
/* And back; the unused bits of the last byte become zero. */
MPX__PRIVATE void mpx__pack(unsigned char *d, const unsigned char *codes, unsigned bits, size_t n) {
    const size_t bytes = bits / 2;
#if !MPX__COMPACT
    const size_t done = mpx__engine_now()->pack(d, codes, bits, n);
    codes += done;
    d += done / 4 * bytes;
    n -= done;
#endif
    for (; n >= 4; n -= 4, codes += 4, d += bytes)
        mpx__write_bytes(d, mpx__join_codes(mpx__read_bytes(codes, 4), bits), bytes);
    mpx__write_bytes(d, mpx__join_codes(mpx__read_bytes(codes, n), bits), (n * bits + 7) / 8);
}
#endif
/*==========================================================================*
 * MARK: plan - from one dtype to another by one kernel or by several        *
 *   A pair with a kernel is cast by it alone. The others go by way of forms *
 *   between them, a tile on the stack at a time; and stages that scale or   *
 *   round are kernels too, from f32 to f32.                                 *
 *==========================================================================*/

/* An array of a dtype in memory. packed: codes below a byte are packed, else each has a byte. */
typedef struct mpx__array {
    const mpx__row *row;
    int packed;
} mpx__array;
MPX__INLINE mpx__array mpx__array_of(const mpx__row *row, int layout) {
    mpx__array array;
    array.row = row;
    array.packed = MPX__HAS_PACKED ? row->bits < 8 && layout == MPX_LAYOUT_PACKED : 0;
    return array;
}
MPX__INLINE size_t mpx__bits_of(const mpx__array *array) {
    return array->packed || array->row->bits > 8 ? array->row->bits : 8u;
}

#if !MPX__COMPACT
/* Bytes of a tile: MPX_TILE floats, and at least a block of 64 elements of 64 bits. */
enum { MPX__TILE = (MPX_TILE * 4 + 511) / 512 * 512, MPX__STEPS = 8 };

typedef struct mpx__plan_step {
    mpx__kernel_fn run;
    const mpx__row *to, *from;
    int mode, scales; /* where a block needs the exact codec */
} mpx__plan_step;
#endif

/* What is done to every element, and the steps that do it faster than the exact codec. */
typedef struct mpx__plan {
    mpx__array to, from;
    int mode, saturate, scales;
#if !MPX__COMPACT
    int count, env; /* of steps; none: by the exact codec */
    int is_wide;    /* what stands between two steps has 64 bits */
    mpx__plan_step step[MPX__STEPS];
#endif
} mpx__plan;

MPX__INLINE void mpx__plan_start(mpx__plan *plan, mpx__array to, mpx__array from) {
    plan->to = to;
    plan->from = from;
    plan->mode = plan->saturate = plan->scales = 0;
#if !MPX__COMPACT
    plan->count = plan->env = plan->is_wide = 0;
#endif

}

/* By the exact codec, element by element. */
MPX__PRIVATE void mpx__run_exactly(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                                   size_t n, mpx__job *job) {
    const mpx__array *to = &plan->to, *from = &plan->from;
    job->rounding.mode = plan->mode;
    job->rounding.saturate = plan->saturate;
    job->scales = plan->scales;
    job->to = to->row;
    job->from = from->row;
#if MPX__HAS_PACKED
    if (to->packed || from->packed) {
        enum { many = 32 };
        unsigned char in[many], out[many * 8];
        size_t m, done;
        for (done = 0; done < n; done += m) {
            m = n - done < (size_t)many ? n - done : (size_t)many;
            if (from->packed) mpx__unpack(in, s, from->row->bits, m);
            mpx__exact_cast(to->packed ? out : d, from->packed ? in : s, m, job->index + done, job);
            if (to->packed) mpx__pack(d, out, to->row->bits, m);
            d += m * mpx__bits_of(to) / 8;
            s += m * mpx__bits_of(from) / 8;
        }
        return;
    }
#endif
    mpx__exact_cast(d, s, n, job->index, job);
}

#if !MPX__COMPACT

MPX__INLINE int mpx__plan_append(mpx__plan *plan, mpx__kernel kernel, const mpx__row *to,
                                 const mpx__row *from, int mode) {
    mpx__plan_step *step = &plan->step[plan->count];
    if (plan->count++ != 0 && from->bits == 64) plan->is_wide = 1;
    step->run = kernel.run;
    step->to = to;
    step->from = from;
    step->mode = mode;
    step->scales = 0;
    if (kernel.env > plan->env) plan->env = kernel.env;
    return 1;
}

MPX__INLINE int mpx__are_apart(const void *a, size_t size_a, const void *b, size_t size_b) {
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x >= size_a : x - y >= size_b;
}
/* May n elements be too many for the caches, if each has 8 bytes on either side? */
MPX__INLINE int mpx__may_be_large(size_t n) {
    size_t large = MPX_STREAM_BYTES; /* no constant: of 0 clang would warn */
    return large != 0 && n >= large / 16;
}

/* ---- ways between forms ---------------------------------------------------------------------- */

/* The dtype of a form between two others; MPX_NONE of those that never are. */
MPX__INLINE const mpx__row *mpx__row_of_form(int form) {
    static const uint8_t types[] = {
        MPX_NONE, MPX_F64, MPX_F32, MPX_NONE, MPX_NONE, MPX_NONE, MPX_NONE, MPX_NONE, MPX_NONE,
        MPX_NONE, MPX_F32, MPX_F64, MPX_NONE, MPX_NONE, MPX_NONE, MPX_NONE, MPX_NONE, MPX_NONE,
        MPX_NONE, MPX_NONE, MPX_NONE, MPX_I8, MPX_U8, MPX_NONE, MPX_NONE, MPX_I32, MPX_NONE,
        MPX_I64, MPX_NONE
    };
    return mpx__row_of((mpx_dtype)types[form]);
}
/* By which form to go where there is no kernel. Integers saturate on the way only where the target
   would too. Floats of fewer bits than an f32 get there by one that was rounded to odd. */
MPX__PRIVATE int mpx__form_between(int to, int from) {
    const int to_integer = to >= MPX__FORM_I4, from_integer = from >= MPX__FORM_I4;
    if (from == MPX__FORM_BOOL || from == MPX__FORM_U4) return MPX__FORM_U8;
    if (from == MPX__FORM_I4 || to == MPX__FORM_I4) return MPX__FORM_I8;
    if (to == MPX__FORM_U4) return MPX__FORM_U8;
    if (to == MPX__FORM_BOOL && from_integer) return MPX__FORM_I8;
    if (from_integer && to_integer)
        return to >= MPX__FORM_U32 && from >= MPX__FORM_U32 ? MPX__FORM_I64 : MPX__FORM_I32;
    if (from == MPX__FORM_F64 && to_integer && to != MPX__FORM_BOOL)
        return to == MPX__FORM_U32 ? MPX__FORM_I64 : MPX__FORM_I32;
    if (from == MPX__FORM_F64) return MPX__FORM_F32_ODD;
    if (from >= MPX__FORM_I64) return MPX__FORM_F64_ODD;
    if (from >= MPX__FORM_I32) return MPX__FORM_F64;
    if (from_integer) return to == MPX__FORM_F64 ? MPX__FORM_I32 : MPX__FORM_F32;
    return from == MPX__FORM_F32 && to >= MPX__FORM_I64 ? MPX__FORM_F64 : MPX__FORM_F32;
}
/* What was rounded to odd is read as what it is. */
MPX__INLINE int mpx__plain_form(int form) {
    return form == MPX__FORM_F32_ODD   ? (int)MPX__FORM_F32
           : form == MPX__FORM_F64_ODD ? (int)MPX__FORM_F64
                                       : form;
}
/* Appends the steps from one form to another; returns whether there are kernels for them. Forms that
   are still to be reached stand in `goals`, the next one last. */
MPX__PRIVATE int mpx__plan_way(mpx__plan *plan, int to, const mpx__row *to_row, int from,
                               const mpx__row *from_row) {
    const mpx__row *rows[MPX__STEPS];
    int goals[MPX__STEPS], count = 1;
    goals[0] = to;
    rows[0] = to_row;
    from = mpx__plain_form(from);
    while (count != 0) {
        const int goal = goals[count - 1],
                  odd = goal == MPX__FORM_F32_ODD || goal == MPX__FORM_F64_ODD;
        const mpx__kernel kernel = mpx__engine_now()->find_kernel(goal, from);
        int form;
        if (kernel.run != NULL) {
            count--;
            (void)mpx__plan_append(plan, kernel, rows[count], from_row,
                                   odd ? (int)MPX__TO_ODD : (int)MPX_ROUND_NEAREST);
            from = mpx__plain_form(goal);
            from_row = rows[count];
            continue;
        }
        form = mpx__form_between(goal, from);
        if (mpx__plain_form(form) == from || form == goal || count == MPX__STEPS) return 0;
        goals[count] = form;
        rows[count] = mpx__row_of_form(form);
        if (rows[count]->kind == MPX_KIND_NONE) return 0;
        count++;
    }
    return 1;
}

#if MPX__HAS_PACKED
MPX__PRIVATE void mpx__unpack_step(unsigned char *d, const unsigned char *s, size_t n,
                                   mpx__job *job) {
    mpx__unpack(d, s, job->from->bits, n);
}
MPX__PRIVATE void mpx__pack_step(unsigned char *d, const unsigned char *s, size_t n,
                                 mpx__job *job) {
    mpx__pack(d, s, job->to->bits, n);
}
#endif
MPX__INLINE void mpx__plan_unpack(mpx__plan *plan) {
#if MPX__HAS_PACKED
    if (plan->from.packed)
        (void)mpx__plan_append(plan, mpx__kernel_of(mpx__unpack_step, MPX__ENV_ANY), plan->from.row,
                               plan->from.row, MPX_ROUND_NEAREST);
#endif
    (void)plan;
}
MPX__INLINE void mpx__plan_pack(mpx__plan *plan) {
#if MPX__HAS_PACKED
    if (plan->to.packed)
        (void)mpx__plan_append(plan, mpx__kernel_of(mpx__pack_step, MPX__ENV_ANY), plan->to.row,
                               plan->to.row, MPX_ROUND_NEAREST);
#endif
    (void)plan;
}
/* The form of a target: that of e4m3fn is for what does not saturate. */
MPX__INLINE int mpx__target_form(const mpx__row *row, int saturate) {
    return saturate && row->form == MPX__FORM_E4M3FN ? (int)MPX__FORM_F8 : mpx__form_of(row);
}
/* Packed codes of four bits have kernels of their own with f32, and to f16 and bf16. */
MPX__INLINE int mpx__plan_packed(mpx__plan *plan) {
    const mpx__row *to = plan->to.row, *from = plan->from.row;
    mpx__kernel kernel;
    if (plan->to.packed == plan->from.packed) return 0;
    kernel = mpx__engine_now()->find_kernel(plan->to.packed ? to->form : mpx__form_of(to),
                                            plan->from.packed ? from->form : mpx__form_of(from));
    return kernel.run != NULL && mpx__plan_append(plan, kernel, to, from, MPX_ROUND_NEAREST);
}
/* A cast to nearest. */
MPX__PRIVATE void mpx__plan_cast(mpx__plan *plan, mpx__array to, mpx__array from, int saturate) {
    mpx__plan_start(plan, to, from);
    plan->saturate = saturate;
    if (mpx__plan_packed(plan)) return;
    mpx__plan_unpack(plan);
    if (!mpx__plan_way(plan, mpx__target_form(to.row, saturate), to.row, mpx__form_of(from.row),
                       from.row))
        plan->count = 0;
    else
        mpx__plan_pack(plan);
}

/* ---- carrying a plan out --------------------------------------------------------------------- */

MPX__INLINE void mpx__run_step(const mpx__plan_step *step, unsigned char *d, const unsigned char *s,
                               size_t n, mpx__job *job) {
    job->to = step->to;
    job->from = step->from;
    job->rounding.mode = step->mode;
    job->scales = step->scales;
    step->run(d, s, n, job);
}
/* By tiles: each is read before the target, which is not ahead of it, is written. */
MPX__NOINLINE void mpx__run_tiles(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                                  size_t n, mpx__job *job) {
    unsigned char tile[2][MPX__TILE];
    const size_t most = MPX__TILE / (plan->is_wide ? 8u : 4u);
    const int last = plan->count - 1, stream = job->stream;
    size_t m;
    int i;
    for (; n != 0; n -= m) {
        m = n < most ? n : most;
        job->stream = 0;
        mpx__run_step(plan->step, tile[0], s, m, job);
        for (i = 1; i < last; i++)
            mpx__run_step(plan->step + i, tile[i & 1], tile[(i - 1) & 1], m, job);
        job->stream = stream;
        mpx__run_step(plan->step + last, d, tile[(last - 1) & 1], m, job);
        job->index += m;
        d += m / 8 * mpx__bits_of(&plan->to);
        s += m / 8 * mpx__bits_of(&plan->from);
    }
}
/* n is a multiple of the engine's block. */
MPX__INLINE void mpx__run_blocks(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                                 size_t n, mpx__job *job) {
    if (plan->count == 1)
        mpx__run_step(plan->step, d, s, n, job);
    else
        mpx__run_tiles(plan, d, s, n, job);
}

/* Less than a block is cast in copies, whose rest is zero: `bits` of the source, or of the target. */
enum { MPX__MOST_BLOCK = 64 * 8 };
MPX__INLINE void mpx__clear_unused(unsigned char *p, size_t bits) {
    if (MPX__HAS_PACKED ? bits % 8 != 0 : 0) p[bits / 8] &= (unsigned char)((1u << bits % 8) - 1u);
}
MPX__INLINE void mpx__few_in(unsigned char *in, const unsigned char *s, size_t bits, size_t all) {
    size_t i;
    for (i = 0; i < all; i += 32) {
        mpx__write64(in + i, 0);
        mpx__write64(in + i + 8, 0);
        mpx__write64(in + i + 16, 0);
        mpx__write64(in + i + 24, 0);
        MPX__BARRIER(); /* else clang calls memset */
    }
    mpx__copy(in, s, (bits + 7) / 8);
    mpx__clear_unused(in, bits);
}
MPX__INLINE void mpx__few_out(unsigned char *d, unsigned char *out, size_t bits) {
    mpx__clear_unused(out, bits);
    mpx__copy(d, out, (bits + 7) / 8);
}
MPX__NOINLINE void mpx__run_few(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                                size_t n, mpx__job *job) {
    unsigned char in[MPX__MOST_BLOCK], out[MPX__MOST_BLOCK];
    const size_t block = mpx__engine_now()->block, to = mpx__bits_of(&plan->to),
                 from = mpx__bits_of(&plan->from);
    mpx__few_in(in, s, n * from, block * from / 8);
    mpx__run_blocks(plan, out, in, block, job);
    mpx__few_out(d, out, n * to);
}
/* What is left below a block is the end of the last block, cast again, where source and target are
   apart and begin at bytes. Random words are those of two elements, the first at an even index. */
MPX__PRIVATE void mpx__run_any(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                               size_t n, mpx__job *job) {
    const size_t block = mpx__engine_now()->block, rest = n % block, whole = n - rest,
                 to = mpx__bits_of(&plan->to), from = mpx__bits_of(&plan->from);
    const uint64_t index = job->index;
    const int stream = job->stream;
    if (whole != 0) mpx__run_blocks(plan, d, s, whole, job);
    job->index = index;
    if (rest == 0) return;
    job->stream = 0;
    if (whole != 0 && to >= 8 && from >= 8 && plan->mode != MPX_ROUND_STOCHASTIC &&
        mpx__are_apart(d, n * (to / 8), s, n * (from / 8))) {
        job->index = index + (n - block);
        mpx__run_blocks(plan, d + (n - block) * (to / 8), s + (n - block) * (from / 8), block, job);
    } else {
        job->index = index + whole;
        mpx__run_few(plan, d + whole / 8 * to, s + whole / 8 * from, rest, job);
    }
    job->index = index;
    job->stream = stream;
}

/* Arrays of MPX_STREAM_BYTES and more go past the caches, from a multiple of 64 bytes of the target
   on; not in place, where the target is in the caches already. */
MPX__NOINLINE void mpx__run_large(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                                  size_t n, mpx__job *job) {
    size_t large = MPX_STREAM_BYTES;
    const size_t to = mpx__bits_of(&plan->to),
                 from = mpx__bits_of(&plan->from), bytes = (size_t)(0u - (uintptr_t)d) & 63u,
                 head = bytes * 8 / to;
    if (d != s && n / 8 * (to + from) >= large && bytes * 8 % to == 0 && head * from % 8 == 0 &&
        head < n) {
        if (head != 0) mpx__run_any(plan, d, s, head, job);
        job->index += head;
        job->stream = 1;
        d += bytes;
        s += head * from / 8;
        n -= head;
    }
    mpx__run_any(plan, d, s, n, job);
    if (job->stream) mpx__engine_now()->fence();
    job->stream = 0;
}

/* All of a cast, in the environment that its kernels want. */
MPX__PRIVATE void mpx__run_plan(const mpx__plan *plan, void *dst, const void *src, size_t n,
                                mpx__job *job) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    mpx__env env;
    if (plan->count == 0) {
        mpx__run_exactly(plan, d, s, n, job);
        return;
    }
    job->rounding.saturate = plan->saturate;
    env = mpx__engine_now()->enter(plan->env);
    if (mpx__may_be_large(n))
        mpx__run_large(plan, d, s, n, job);
    else
        mpx__run_any(plan, d, s, n, job);
    if (env != 0) mpx__engine_now()->leave(env);
}

/* ---- rounding modes -------------------------------------------------------------------------- */
#if !MPX_NO_CAST_WITH

/* Whether an f32 holds every number of a dtype; if not, it is rounded to odd on the way. */
MPX__INLINE int mpx__fits_f32(const mpx__row *row) {
    return row->kind == MPX_KIND_FLOAT ? row->bits <= 32 : row->bits <= 16;
}
MPX__PRIVATE int mpx__plan_round(mpx__plan *plan, int mode) {
    const mpx__row *to = plan->to.row, *from = plan->from.row, *f32_row = mpx__row_of(MPX_F32);
    const int way = mpx__fits_f32(from) ? MPX__FORM_F32 : MPX__FORM_F32_ODD;
    const mpx__kernel round = mpx__kernel_of(mpx__engine_now()->round_tile, MPX__ENV_ANY);
    if (to->form == MPX__FORM_BF16 && from->form == MPX__FORM_F32 &&
        mode == MPX_ROUND_STOCHASTIC && mpx__engine_now()->f32_to_bf16_at_random != NULL)
        return mpx__plan_append(
            plan, mpx__kernel_of(mpx__engine_now()->f32_to_bf16_at_random, MPX__ENV_ANY), to, from,
            mode);
    return round.run != NULL &&
           (from == f32_row || mpx__plan_way(plan, to == f32_row ? (int)MPX__FORM_F32 : way,
                                             f32_row, mpx__form_of(from), from)) &&
           mpx__plan_append(plan, round, to, f32_row, mode) &&
           (to == f32_row || mpx__plan_way(plan, mpx__target_form(to, plan->saturate), to,
                                           MPX__FORM_F32, f32_row));
}
/* Whether nearest, without a limit, gives the same: to integers, and to floats that hold all that
   the source has. */
MPX__INLINE int mpx__is_nearest_enough(const mpx__plan *plan) {
    const mpx__row *to = plan->to.row, *from = plan->from.row;
    const int rounds = plan->mode != MPX_ROUND_NEAREST &&
                       !(to->bits >= 32 && mpx__fits_f32(from)) &&
                       !(to->bits == 64 && from->bits <= 32);
    return to->kind != MPX_KIND_FLOAT || (!rounds && !plan->saturate);
}
/* A small float's own kernel saturates. F64, and f32 from what it does not hold, are left to the
   exact codec where they are not rounded to nearest. */
MPX__PRIVATE void mpx__plan_cast_with(mpx__plan *plan, mpx__array to, mpx__array from, int mode,
                                      int saturate) {
    const int is_small = to.row->kind == MPX_KIND_FLOAT && to.row->bits <= 8 &&
                      to.row->form != MPX__FORM_E8M0;
    int narrows = MPX__HAS_FLOAT ? mode == MPX_ROUND_NEAREST && is_small : 0;
    mpx__plan_start(plan, to, from);
    plan->mode = mode;
    plan->saturate = saturate;
    if (mode > MPX__TO_WHOLE) return;
    if (mpx__is_nearest_enough(plan) || narrows) {
        mpx__plan_cast(plan, to, from, to.row->kind == MPX_KIND_FLOAT ? saturate : 0);
        return;
    }
    if (to.row->bits == 64 ||
        (to.row->bits == 32 && mode != MPX_ROUND_NEAREST && !mpx__fits_f32(from.row)))
        return;
    mpx__plan_unpack(plan);
    if (mpx__plan_round(plan, mode))
        mpx__plan_pack(plan);
    else
        plan->count = 0;
}
#endif

#else /* MPX__COMPACT: all by the exact codec */

MPX__INLINE void mpx__plan_cast(mpx__plan *plan, mpx__array to, mpx__array from, int saturate) {
    mpx__plan_start(plan, to, from);
    plan->saturate = saturate;
}
MPX__INLINE void mpx__run_plan(const mpx__plan *plan, void *dst, const void *src, size_t n,
                               mpx__job *job) {
    mpx__run_exactly(plan, (unsigned char *)dst, (const unsigned char *)src, n, job);
}
MPX__INLINE void mpx__plan_cast_with(mpx__plan *plan, mpx__array to, mpx__array from, int mode,
                                     int saturate) {
    mpx__plan_start(plan, to, from);
    plan->mode = mode;
    plan->saturate = saturate;
}

#endif /* MPX__COMPACT */
/*==========================================================================*
 * MARK: cast - buffer conversion, to nearest                                *
 *==========================================================================*/

/* Bits as they are; what is left of the last byte becomes zero. */
MPX__PRIVATE mpx_status mpx__copy_elements(void *dst, const void *src, const mpx__row *row,
                                           size_t n) {
#if MPX__HAS_PACKED
    const size_t bytes = mpx_dtype_bytes(mpx__type_of(row), n);
    const unsigned used = (unsigned)(n * row->bits & 7u); /* bits of the last byte; 0: all */
    mpx__copy(dst, src, bytes);
    if (used != 0) ((unsigned char *)dst)[bytes - 1] &= (unsigned char)((1u << used) - 1u);
#else
    mpx__copy(dst, src, n * (row->bits / 8u));
#endif
    return MPX_OK;
}

MPX__INLINE void mpx__job_set(mpx__job *job) {
    mpx__zero(job, sizeof *job);
}

/* Whether the pair is cast at all: complex numbers are only copied. */
MPX__INLINE mpx_status mpx__check_dtypes(const mpx__row *to, const mpx__row *from) {
    if (to->bits == 0 || from->bits == 0) return MPX_ERR_DTYPE;
    if (MPX__HAS_COMPLEX && to != from &&
        (to->kind == MPX_KIND_COMPLEX || from->kind == MPX_KIND_COMPLEX))
        return MPX_ERR_DTYPE;
    return MPX_OK;
}

#if !MPX__COMPACT || MPX__HAS_PACKED
MPX__NOINLINE void mpx__cast_by_plan(void *dst, const mpx__row *to, const void *src,
                                     const mpx__row *from, size_t n) {
    mpx__plan plan;
    mpx__job job;
    mpx__job_cast(&job, to, from);
    job.index = 0;
    mpx__plan_cast(&plan, mpx__array_of(to, MPX_LAYOUT_PACKED),
                   mpx__array_of(from, MPX_LAYOUT_PACKED), 0);
    mpx__run_plan(&plan, dst, src, n, &job);
}
#endif
#if !MPX__COMPACT
/* f32 and the other floats that inline.h has formulas for; integers that an f32 holds, where there
   are instructions for floats. */
MPX__INLINE int mpx__has_formula(const mpx__row *row) {
    return (row->family == MPX__IEEE || row->family == MPX__FN) && row->bits <= 32 &&
           row->bias == (1 << (row->exponent_bits - 1)) - 1;
}
MPX__INLINE int mpx__is_short_int(const mpx__row *row) {
    return MPX__HAS_FLOAT ? row->form >= MPX__FORM_I8 && row->form <= MPX__FORM_U16 : 0;
}
MPX__PRIVATE void mpx__cast_by_formula(void *d, const mpx__row *to, const void *s,
                                       const mpx__row *from) {
    uint32_t u = (uint32_t)mpx__read_code(s, from->bits);
    if (from->form == MPX__FORM_BF16)
        u = mpx_bf16_to_bits((uint16_t)u);
    else if (from->kind == MPX_KIND_FLOAT && from->bits < 32)
        u = mpx__value(u, from->exponent_bits, from->mantissa_bits, from->family == MPX__IEEE);
#if MPX__HAS_FLOAT /* others would call a function of the compiler */
    else if (from->kind != MPX_KIND_FLOAT) {
        const int32_t top = from->kind == MPX_KIND_INT ? 1 << (from->bits - 1u) : 0;
        u = mpx__opaque_bits((float)(((int32_t)u ^ top) - top));
    }
#endif
#if MPX__HAS_BF16
    if (to->form == MPX__FORM_BF16)
        u = mpx_bf16_from_bits(u);
    else
#endif
    if (to->bits < 32)
        u = mpx__round(u, to->exponent_bits, to->mantissa_bits, to->family == MPX__IEEE);
    mpx__write_code(d, to->bits, u);
}
#endif
/* By plan: any pair, any number of elements; one by a formula or the exact codec, for size all. */
MPX__LONG_WAY mpx_status mpx__cast_any(void *dst, const mpx__row *to, const void *src,
                                       const mpx__row *from, size_t n) {
    const mpx_status status = mpx__check_dtypes(to, from);
    int for_size = MPX__COMPACT ? mpx__are_bytes(to) && mpx__are_bytes(from) : 0;
    if (status != MPX_OK) return status;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (to == from) return mpx__copy_elements(dst, src, to, n);
#if !MPX__COMPACT
    if (n == 1 && mpx__has_formula(to) && (mpx__has_formula(from) || mpx__is_short_int(from))) {
        mpx__cast_by_formula(dst, to, src, from);
        return MPX_OK;
    }
#endif
    if (n == 1 || for_size)
        mpx__exact_nearest((unsigned char *)dst, to, (const unsigned char *)src, from, n);
#if !MPX__COMPACT || MPX__HAS_PACKED
    else
        mpx__cast_by_plan(dst, to, src, from, n);
#endif
    return MPX_OK;
}

#if !MPX__COMPACT
/* By the kernel of a pair: whole blocks, and the last one again up to the end; where that may not
   be, what is left in copies. */
MPX__NOINLINE mpx_status mpx__cast_by(mpx__kernel kernel, unsigned char *d, const unsigned char *s,
                                      size_t n, mpx__job *job) {
    const mpx__engine *engine = mpx__engine_now();
    const size_t block = engine->block, rest = n % block, whole = n - rest, to = job->to->bits,
                 from = job->from->bits, last = n - block;
    mpx__env env = 0;
    if (kernel.env != MPX__ENV_ANY) env = engine->enter(kernel.env);
    if (whole != 0) kernel.run(d, s, whole, job);
    if (rest != 0) {
        if (whole != 0 && ((to | from) & 7u) == 0 &&
            mpx__are_apart(d, n * to / 8, s, n * from / 8)) {
            kernel.run(d + last * to / 8, s + last * from / 8, block, job);
        } else {
            unsigned char in[MPX__MOST_BLOCK], out[MPX__MOST_BLOCK];
            mpx__few_in(in, s + whole / 8 * from, rest * from, block * from / 8);
            kernel.run(out, in, block, job);
            mpx__few_out(d + whole / 8 * to, out, rest * to);
        }
    }
    if (env != 0) engine->leave(env);
    return MPX_OK;
}
#endif
/* Straight to the kernel where there is one, and not so many elements that they may be past the
   caches. */
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                            size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
#if !MPX__COMPACT
    if (n > 1 && !mpx__may_be_large(n)) {
        const mpx__engine *engine = mpx__engine_now();
        const mpx__kernel kernel = engine->find_kernel(to->form, from->form);
        mpx__job job;
        if (kernel.run != NULL) {
            MPX_ASSERT(dst != NULL && src != NULL);
            mpx__job_cast(&job, to, from);
            if (n % engine->block != 0 ||
                (kernel.env != MPX__ENV_ANY && !engine->serves(kernel.env)))
                return mpx__cast_by(kernel, (unsigned char *)dst, (const unsigned char *)src, n,
                                    &job);
            kernel.run((unsigned char *)dst, (const unsigned char *)src, n, &job);
            return MPX_OK;
        }
    }
#endif
    return mpx__cast_any(dst, to, src, from, n);
}
/*==========================================================================*
 * MARK: reduce - of a whole array: finite, amax, the sum of squares         *
 *   f32, f16 and bf16 at the speed of reading; other floats by tiles of     *
 *   f32. The results are the same on every machine.                         *
 *==========================================================================*/

/* ---- the largest magnitude ------------------------------------------------------------------- */

/* As bits of an f32 or f64; NaN is above Inf. */
MPX__INLINE uint32_t mpx__f32_largest(const void *src, size_t n) {
#if MPX__COMPACT
    const unsigned char *s = (const unsigned char *)src;
    uint32_t largest = 0;
    for (; n != 0; n--, s += 4) {
        const uint32_t twice = mpx__read32(s) << 1;
        largest = twice > largest ? twice : largest;
    }
    return largest >> 1;
#else
    return mpx__engine_now()->largest32(src, n);
#endif
}
MPX__PRIVATE uint64_t mpx__f64_largest(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint64_t largest = 0;
    for (; n != 0; n--, s += 8) {
        const uint64_t twice = mpx__read64(s) << 1;
        largest = twice > largest ? twice : largest;
    }
    return largest >> 1;
}

/* Of any float but f64, a tile at a time as f32. */
MPX__PRIVATE uint32_t mpx__largest_by_tiles(const void *data, const mpx__row *row, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    uint32_t tile[MPX_TILE], largest = 0;
    size_t m;
    for (; n != 0; n -= m, s += MPX_TILE / 8 * row->bits) {
        uint32_t one;
        m = n < MPX_TILE ? n : MPX_TILE;
        (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(row), m);
        one = mpx__f32_largest(tile, m);
        largest = one > largest ? one : largest;
    }
    return largest;
}
/* The largest magnitude of an array of any float but f64, as f32 bits. */
MPX__PRIVATE uint32_t mpx__largest(const void *data, const mpx__row *row, size_t n) {
    if (row->type == MPX_F32) return mpx__f32_largest(data, n);
#if !MPX__COMPACT && MPX__HAS_F16
    if (row->type == MPX_F16)
        return mpx_f16_to_bits((uint16_t)mpx__engine_now()->largest16(data, n));
#endif
#if !MPX__COMPACT && MPX__HAS_BF16
    if (row->type == MPX_BF16) return mpx__engine_now()->largest16(data, n) << 16;
#endif
    return mpx__largest_by_tiles(data, row, n);
}

/* ---- Inf and NaN ----------------------------------------------------------------------------- */

MPX__PRIVATE int mpx__f64_all_finite(const void *src, size_t n) {
    return mpx__f64_largest(src, n) >> 52 != 0x7ffu;
}
MPX__INLINE int mpx__f32_all_finite(const void *src, size_t n) {
#if MPX__COMPACT
    return mpx__f32_largest(src, n) < 0x7f800000u;
#else
    return mpx__engine_now()->largest_upper32(src, n) < 0x7f800000u;
#endif
}

/* Integers are always finite; what is no dtype is not. */
MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n) {
    const mpx__row *row = mpx__parts_of(mpx__row_of(type), &n);
    const unsigned char *s = (const unsigned char *)data;
    MPX_ASSERT(data != NULL || n == 0);
    if (n == 0) return row->kind != MPX_KIND_NONE;
    if (row->type == MPX_F32) return mpx__f32_all_finite(s, n);
    if (mpx__is_f64(mpx__type_of(row))) return mpx__f64_all_finite(s, n);
    if (row->kind != MPX_KIND_FLOAT) return row->kind != MPX_KIND_NONE;
    return row->family == MPX__FINITE || mpx__largest(data, row, n) < 0x7f800000u;
}

MPX__PRIVATE int mpx__any_inf(const unsigned char *s, const mpx__row *row, size_t n) {
    const size_t size = row->bits / 8;
    mpx__number x;
    for (; n != 0; n--, s += size) {
        mpx__number_load(&x, s, row);
        if (x.kind == MPX__INF) return 1;
    }
    return 0;
}
/* Mostly there is nothing to find, and mpx_all_finite says so faster. */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n) {
    const mpx__row *row = mpx__row_of(type);
    if (row->kind == MPX_KIND_NONE || mpx_all_finite(data, type, n)) return 0;
    row = mpx__parts_of(row, &n);
    return mpx__any_inf((const unsigned char *)data, row, n);
}

/* ---- the square root ------------------------------------------------------------------------- */

/* Of an f64 that is not negative, as bits, to nearest: bit by bit, to one bit more than an f64 has.
   That bit is never a tie: the root would be odd, and so its square, which ends in zeros. */
MPX__PRIVATE uint64_t mpx__f64_root(uint64_t u) {
    const uint64_t hidden = (uint64_t)1 << 52;
    uint64_t sig = u & (hidden - 1u), rest = 0, root = 0;
    int exponent = (int)(u >> 52), i;
    if (u == 0 || exponent == 0x7ff) return u;
    if (exponent != 0) sig |= hidden;
    exponent += exponent == 0;
    for (; sig < hidden; exponent--)
        sig <<= 1;
    sig <<= (exponent & 1) != 0 ? 10 : 11; /* the other half of the exponent's lowest bit */
    for (i = 0; i < 54; i++, sig <<= 2) {
        rest = rest << 2 | sig >> 62;
        root <<= 1;
        if (rest <= root << 1) continue; /* below 2 root + 1 */
        rest -= (root << 1) + 1u;
        root++;
    }
    exponent -= (exponent & 1) == 0;
    return ((uint64_t)((exponent + 1023) / 2 - 1) << 52) + ((root + 1u) >> 1);
}

#if !MPX_NO_REDUCE

/* ---- amax ------------------------------------------------------------------------------------ */

/* The bits of the largest magnitude, rounded to f32; NaN made quiet. */
MPX__PRIVATE uint32_t mpx__amax(const void *data, const mpx__row *row, size_t n) {
    uint32_t u;
#if MPX__HAS_F64
    if (row->type == MPX_F64) {
        const uint64_t largest = mpx__f64_largest(data, n);
        mpx__number x;
        mpx__number_load(&x, &largest, row);
        return (uint32_t)mpx__float_code(&x, mpx__row_of(MPX_F32), &mpx__to_nearest);
    }
#endif
    u = mpx__largest(data, row, n);
    return u > 0x7f800000u ? u | 0x400000u : u;
}
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    const mpx__row *row = mpx__row_of(type);
    if (row->kind != MPX_KIND_FLOAT) return MPX_ERR_DTYPE;
    MPX_ASSERT(amax != NULL && (data != NULL || n == 0));
    *amax = mpx__float(n != 0 ? mpx__amax(data, row, n) : 0);
    return MPX_OK;
}

/* ---- the sum of squares ---------------------------------------------------------------------- */

/* Sums of f64 as bits, by integers: of numbers that are not negative, to nearest even. Three bits
   below the last one are enough for that. */
MPX__PRIVATE uint64_t mpx__f64_sum(uint64_t a, uint64_t b) {
    const uint64_t inf = (uint64_t)0x7ff << 52, hidden = (uint64_t)1 << 52;
    uint64_t greater = a > b ? a : b, lesser = a > b ? b : a, x, y, code;
    unsigned exponent, drop;
    if (greater >= inf) return greater > inf ? inf | hidden >> 1 : inf;
    exponent = (unsigned)(greater >> 52);
    drop = (unsigned)(lesser >> 52);
    x = ((greater & (hidden - 1u)) | (exponent != 0 ? hidden : 0)) << 3;
    y = ((lesser & (hidden - 1u)) | (drop != 0 ? hidden : 0)) << 3;
    exponent += exponent == 0;
    drop = exponent - (drop + (drop == 0));
    if (drop > 58)
        y = y != 0;
    else
        y = y >> drop | ((y & (((uint64_t)1 << drop) - 1u)) != 0);
    x += y;
    if (x >> 56 != 0) {
        x = x >> 1 | (x & 1u);
        exponent++;
    }
    code = ((uint64_t)(exponent - 1u) << 52) + (x >> 3);
    code += (x & 7u) > 4u || ((x & 7u) == 4u && (code & 1u) != 0);
    return code > inf ? inf : code;
}

/* Sixteen sums, as in reducing.h: an element belongs to the sum of its index modulo 16. */
typedef struct mpx__squares {
    uint64_t sums[MPX__SUMS];
} mpx__squares;

#if MPX__COMPACT || !MPX__HAS_FLOAT
/* The square of an f32, exact. */
MPX__PRIVATE uint64_t mpx__f32_square(uint32_t u) {
    const uint32_t a = u & 0x7fffffffu, exponent = a >> 23;
    const uint64_t m = (a & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0);
    uint64_t square = m * m;
    unsigned code = 1023u + 52u - 298u + 2u * (exponent != 0 ? exponent - 1u : 0);
    if (a >= 0x7f800000u) return ((uint64_t)0x7ff << 52) + (a > 0x7f800000u);
    if (square == 0) return 0;
    for (; square >> 52 == 0; code--)
        square <<= 1;
    return ((uint64_t)(code - 1u) << 52) + square;
}
#if MPX__HAS_F64
/* The square of an f64, rounded to nearest. */
MPX__PRIVATE uint64_t mpx__f64_square(uint64_t u) {
    const mpx__row *f64_row = mpx__row_of(MPX_F64);
    uint64_t high, low, cross;
    mpx__number x;
    mpx__load_float(&x, u, f64_row);
    if (x.kind == MPX__ZERO_OR_FINITE && x.sig != 0) {
        mpx__normalize(&x);
        high = x.sig >> 32;
        low = x.sig & 0xffffffffu;
        cross = high * low + (low * low >> 32);
        low = (cross & 0xffffffffu) + high * low;
        high = high * high + (cross >> 32) + (low >> 32);
        x.sig = high | (low << 32 != 0) | ((x.sig & 0xffffffffu) * (x.sig & 0xffffffffu) << 32 != 0);
        x.exp = 2 * x.exp + 64;
    }
    x.sign = 0;
    return mpx__float_code(&x, f64_row, &mpx__to_nearest);
}
#endif
MPX__PRIVATE void mpx__squares_many(mpx__squares *squares, const unsigned char *s, int is_f64,
                                    size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t *sum = &squares->sums[i % MPX__SUMS];
#if MPX__HAS_F64
        if (is_f64) {
            *sum = mpx__f64_sum(*sum, mpx__f64_square(mpx__read64(s + 8 * i)));
            continue;
        }
#endif
        *sum = mpx__f64_sum(*sum, mpx__f32_square(mpx__read32(s + 4 * i)));
    }
    (void)is_f64;
}
#else
MPX__PRIVATE void mpx__squares_many(mpx__squares *squares, const unsigned char *s, int is_f64,
                                    size_t n) {
    const mpx__engine *engine = mpx__engine_now();
    const mpx__squares_fn add = is_f64 ? engine->squares_of_f64 : engine->squares_of_f32;
    const size_t size = is_f64 ? 8 : 4, rest = n % MPX__SUMS, whole = n - rest;
    const mpx__env env = engine->enter(MPX__ENV_ALL);
    if (whole != 0) add(squares->sums, s, whole);
    if (rest != 0) {
        unsigned char last[MPX__SUMS * 8];
        mpx__zero(last, sizeof last);
        mpx__copy(last, s + whole * size, rest * size);
        add(squares->sums, last, MPX__SUMS);
    }
    if (env != 0) engine->leave(env);
}
#endif
/* n elements of a float dtype; all calls but the last add a multiple of 16 of them. */
MPX__LONG_WAY void mpx__squares_add(mpx__squares *squares, const void *data, const mpx__row *row,
                                    size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    uint32_t tile[MPX_TILE];
    size_t m;
    if (row->type == MPX_F32 || mpx__is_f64(mpx__type_of(row))) {
        mpx__squares_many(squares, s, row->type != MPX_F32, n);
        return;
    }
    for (; n != 0; n -= m, s += MPX_TILE / 8 * row->bits) {
        m = n < MPX_TILE ? n : MPX_TILE;
        (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(row), m);
        mpx__squares_many(squares, (const unsigned char *)tile, 0, m);
    }
}
/* The sixteen sums are added in pairs: 0 and 8, 1 and 9, ...; then 0 and 4, ...; NaN is one code. */
MPX__PRIVATE uint64_t mpx__squares_sum(mpx__squares *squares) {
    int step, i;
    for (step = MPX__SUMS / 2; step != 0; step /= 2)
        for (i = 0; i < step; i++)
            squares->sums[i] = mpx__f64_sum(squares->sums[i], squares->sums[i + step]);
    return squares->sums[0];
}
MPX_API mpx_status mpx_sum_squares(const void *data, mpx_dtype type, size_t n, double *sum) {
    const mpx__row *row = mpx__parts_of(mpx__row_of(type), &n);
    uint64_t bits = 0;
    if (row->kind != MPX_KIND_FLOAT) return MPX_ERR_DTYPE;
    MPX_ASSERT(sum != NULL && (data != NULL || n == 0));
    if (n != 0) {
        mpx__squares squares;
        mpx__zero(&squares, sizeof squares);
        mpx__squares_add(&squares, data, row, n);
        bits = mpx__squares_sum(&squares);
    }
    mpx__write64(sum, bits);
    return MPX_OK;
}

#endif /* !MPX_NO_REDUCE */
/*==========================================================================*
 * MARK: stats - what a cast does to the values                              *
 *   Sources and results side by side in f64, which holds every dtype but    *
 *   large 64-bit integers exactly; those are cut toward zero.               *
 *==========================================================================*/
#if !MPX_NO_STATS

#define MPX__STATS_TILE 32

MPX__INLINE double mpx__double_of_bits(uint64_t u) {
    union {
        uint64_t u;
        double f;
    } pun;
    pun.u = u;
    return pun.f;
}

MPX__INLINE int mpx__f64_is_finite(uint64_t u) { return (u >> 52 & 0x7ffu) != 0x7ffu; }
MPX__INLINE int mpx__f64_is_nan(uint64_t u) { return u << 1 > (uint64_t)0x7ffu << 53; }

/* What a cast to a dtype keeps in range: low < x < high, and a limit itself if it is in. */
typedef struct mpx__target {
    double low, high, smallest_normal;
    int low_is_in, high_is_in;
} mpx__target;

/* Floats: half an ulp beyond the largest value; e4m3fn's largest is even, so that the tie itself
   still rounds down. In f64 nothing is beyond. Integers: what truncation leaves in range, up to the
   next integer (bool likewise, as if it truncated); -2^63 - 1 is no double, so there the limit is
   the least value itself. */
MPX__PRIVATE void mpx__target_set(mpx__target *t, mpx_dtype type) {
    const mpx__row *row = mpx__row_of(type);
    mpx_dtype_facts facts = mpx_dtype_info(type);
    t->smallest_normal = facts.smallest_normal;
    t->high_is_in = type == MPX_F64 || row->family == MPX__FN;
    t->low_is_in = t->high_is_in || type == MPX_I64;
    if (facts.kind == MPX_KIND_FLOAT) {
        t->high = facts.max;
        if (type != MPX_F64)
            t->high += mpx__double_of(0, 0, mpx__top_exponent(row) - row->mantissa_bits - 1);
        t->low = row->family == MPX__E8M0 ? 0 : -t->high;
    } else {
        t->high = mpx__double_of(0, 0, facts.bits - (facts.kind == MPX_KIND_INT));
        if (facts.kind == MPX_KIND_BOOL) t->high = 2;
        t->low = facts.kind == MPX_KIND_INT ? (double)facts.int_min : 0;
        if (!t->low_is_in) t->low -= 1;
    }
}

MPX__INLINE int mpx__is_beyond(const mpx__target *t, double x) {
    if (x > t->high || x < t->low) return 1;
    return (x >= t->high && !t->high_is_in) || (x <= t->low && !t->low_is_in);
}

/* One finite source and its result, as f64 bits. */
MPX__PRIVATE void mpx__stats_value(mpx_cast_stats *stats, const mpx__target *t, uint64_t x_bits,
                                   uint64_t y_bits) {
    double x = mpx__double_of_bits(x_bits), y = mpx__double_of_bits(y_bits), error;
    double size = mpx__double_of_bits(x_bits << 1 >> 1);
    if (size > stats->max_abs) stats->max_abs = size;
    if (x_bits << 1 != 0 && y_bits << 1 == 0) stats->zeroed++;
    if (!mpx__f64_is_finite(y_bits)) {
        stats->overflowed++;
        return;
    }
    if (y_bits << 1 != 0 && mpx__double_of_bits(y_bits << 1 >> 1) < t->smallest_normal)
        stats->subnormal++;
    if (mpx__is_beyond(t, x)) stats->overflowed++;
    error = x > y ? x - y : y - x;
    if (error > stats->max_error) stats->max_error = error;
    stats->sum_squares += size * size;
    stats->sum_error_squares += error * error;
}

MPX__PRIVATE void mpx__stats_add(mpx_cast_stats *stats, const mpx__target *t, const void *src,
                                 const void *results, size_t n) {
    const unsigned char *s = (const unsigned char *)src, *r = (const unsigned char *)results;
    stats->count += n;
    for (; n != 0; n--, s += 8, r += 8) {
        uint64_t x = mpx__read64(s);
        if (mpx__f64_is_nan(x))
            stats->nan++;
        else if (!mpx__f64_is_finite(x))
            stats->infinite++;
        else
            mpx__stats_value(stats, t, x, mpx__read64(r));
    }
}

/* A positive number as a normal one times 2^exponent. A subnormal's bits count units of 2^-1074. */
MPX__INLINE double mpx__as_normal(double x, int *exponent) {
    uint64_t u = mpx__read64(&x);
    *exponent = u >> 52 == 0 ? -1074 : 0;
    return u >> 52 == 0 ? (double)u : x;
}

MPX__PRIVATE double mpx__square_root(double x) {
    return mpx__double_of_bits(mpx__f64_root(mpx__read64(&x)));
}

/* The logarithm of positive numbers for reports, without a library: from the exponent and atanh's
   series of the mantissa around 1. */
MPX__PRIVATE double mpx__log10(double x) {
    double m, z, square, sum = 0;
    uint64_t u;
    int i, exponent;
    m = mpx__as_normal(x, &exponent);
    u = mpx__read64(&m);
    exponent += (int)(u >> 52) - 1023;
    m = mpx__double_of_bits((u & (((uint64_t)1 << 52) - 1u)) | (uint64_t)1023 << 52);
    z = (m - 1.5) / (m + 1.5); /* ln(m / 1.5) = 2 atanh(z), |z| <= 0.2 */
    square = z * z;
    for (i = 21; i > 0; i -= 2)
        sum = sum * square + 1.0 / i;
    return exponent * 0.30102999566398119521 + 0.17609125905568124208 +
           2 * z * sum * 0.43429448190325182765;
}

/* The root of a sum of squares. One that underflowed to 0 or overflowed counts as its largest
   term. */
MPX__PRIVATE double mpx__root_of_sum(double sum, double largest) {
    uint64_t u = mpx__read64(&sum);
    return u != 0 && mpx__f64_is_finite(u) ? mpx__square_root(sum) : largest;
}

/* Elements of an array as f64, at most MPX__STATS_TILE at a time. 64-bit integers toward zero: the
   nearest f64 of one in range may be the limit itself. */
typedef struct mpx__to_f64 {
    mpx__plan plan;
    mpx__job job;
    int is_f64;
} mpx__to_f64;
MPX__PRIVATE void mpx__to_f64_set(mpx__to_f64 *cast, mpx__array from) {
    const mpx__array to = mpx__array_of(mpx__row_of(MPX_F64), MPX_LAYOUT_PACKED);
    const mpx_dtype type = mpx__type_of(from.row);
    mpx__job_set(&cast->job);
    cast->is_f64 = type == MPX_F64;
    mpx__plan_cast(&cast->plan, to, from, 0);
    if (type == MPX_I64 || type == MPX_U64) {
        mpx__plan_start(&cast->plan, to, from);
        cast->plan.mode = MPX_ROUND_TOWARD_ZERO;
    }
}
MPX__PRIVATE void mpx__to_f64_run(mpx__to_f64 *cast, unsigned char *d, const unsigned char *s,
                                  size_t n) {
    if (cast->is_f64)
        mpx__copy(d, s, n * 8);
    else
        mpx__run_plan(&cast->plan, d, s, n, &cast->job);
}

MPX_API double mpx_cast_stats_rms_error(const mpx_cast_stats *stats) {
    if (stats->count == 0) return 0;
    return mpx__root_of_sum(stats->sum_error_squares, stats->max_error) /
           mpx__square_root((double)stats->count);
}

MPX_API double mpx_cast_stats_sqnr(const mpx_cast_stats *stats) {
    double signal = mpx__root_of_sum(stats->sum_squares, stats->max_abs);
    double error = mpx__root_of_sum(stats->sum_error_squares, stats->max_error);
    if (mpx__read64(&error) == 0) return 999;
    if (mpx__read64(&signal) == 0) return 0;
    return 20 * (mpx__log10(signal) - mpx__log10(error));
}

#endif /* !MPX_NO_STATS */
/*==========================================================================*
 * MARK: cast_with - rounding modes, saturation, layouts, strides            *
 *   Rounding and saturation are in the plan; layouts and strides are here.  *
 *   Codes of split blocks are moved to a byte each and cast there.          *
 *==========================================================================*/

#if !MPX_NO_CAST_WITH
#if MPX__HAS_PACKED

/* ---- layouts --------------------------------------------------------------------------------- */

/* d[i] = s[i] >> shift & mask: by eight, then one by one. And codes of four bits into the lower
   halves of bytes, which clears the upper halves, or into the upper halves. */
MPX__INLINE void mpx__cut_bytes(unsigned char *d, const unsigned char *s, int shift, unsigned mask,
                                size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, mpx__read64(s) >> shift & mask * 0x0101010101010101u);
    for (; n != 0; n--) {
        *d++ = (unsigned char)((unsigned)*s++ >> shift & mask);
        MPX__BARRIER(); /* else clang calls memcpy for the byte layout */
    }
}
MPX__INLINE void mpx__put_bytes(unsigned char *d, const unsigned char *s, int upper, size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, upper ? mpx__read64(d) | mpx__read64(s) << 4 : mpx__read64(s));
    for (; n != 0; n--, d++, s++) {
        *d = (unsigned char)(upper ? *d | (unsigned)*s << 4 : *s);
        MPX__BARRIER();
    }
}

/* Elements whose codes are in consecutive bytes, all in the lower or all in the upper halves. Of a
   split block: the rest of the half block of element i. One code per byte: all n. For size: one. */
typedef struct mpx__code_run {
    size_t byte, n;
    int upper;
} mpx__code_run;

MPX__INLINE void mpx__code_run_set(mpx__code_run *run, int layout, size_t block, size_t i,
                                   size_t n) {
    const size_t half = layout == MPX_LAYOUT_BYTES ? (size_t)-1 : block / 2, in_half = i % half;
    run->byte = i / half / 2 * half + in_half;
    run->upper = (int)(i / half % 2);
    run->n = MPX__COMPACT ? 1 : n < half - in_half ? n : half - in_half;
}

/* Codes of elements start .. start + n of a whole array, one per byte. */
MPX__PRIVATE void mpx__read_codes(unsigned char *codes, const void *src, unsigned bits, int layout,
                                  size_t block, size_t start, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__unpack(codes, s + start / 8 * bits, bits, n); /* start is a multiple of 8 */
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__cut_bytes(codes, s + run.byte, run.upper ? 4 : 0, (1u << bits) - 1u, run.n);
    }
}

/* And back. Of a split byte the lower half is written first. */
MPX__PRIVATE void mpx__write_codes(void *dst, const unsigned char *codes, unsigned bits,
                                   int layout, size_t block, size_t start, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__pack(d + start / 8 * bits, codes, bits, n);
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__put_bytes(d + run.byte, codes, run.upper, run.n);
    }
}

#endif /* MPX__HAS_PACKED */

/* ---- one side of a cast ---------------------------------------------------------------------- */

/* An array of any dtype and layout. in_place: the plan reads or writes the array itself; else the
   codes of a piece are moved to a byte each. */
typedef struct mpx__side {
    unsigned char *data;
    mpx__array array;
    int layout, in_place;
    size_t block;
} mpx__side;

MPX__PRIVATE void mpx__side_set(mpx__side *side, const void *data, const mpx__row *row, int layout,
                                size_t block) {
    side->data = (unsigned char *)(uintptr_t)data;
    side->in_place = row->bits >= 8 || layout != MPX_LAYOUT_SPLIT;
    side->array = mpx__array_of(row, side->in_place ? layout : (int)MPX_LAYOUT_BYTES);
    side->layout = row->bits < 8 ? layout : (int)MPX_LAYOUT_PACKED;
    side->block = block;
}
/* Where element i is, which begins a byte. */
MPX__INLINE unsigned char *mpx__side_at(const mpx__side *side, size_t i) {
    const size_t bits = mpx__bits_of(&side->array);
    return side->data + i / 8 * bits + i % 8 * bits / 8;
}
/* Elements i .. i + n, at most MPX_TILE, as the plan reads them: in memory, or in `codes`. */
MPX__PRIVATE const unsigned char *mpx__side_read(const mpx__side *side, unsigned char *codes,
                                                 size_t i, size_t n) {
#if MPX__HAS_PACKED
    if (!side->in_place) {
        mpx__read_codes(codes, side->data, side->array.row->bits, side->layout, side->block, i, n);
        return codes;
    }
#endif
    return (void)codes, (void)n, mpx__side_at(side, i);
}

/* ---- the cast -------------------------------------------------------------------------------- */

/* A cast in pieces of at most MPX_TILE elements. */
typedef struct mpx__pieces {
    mpx__side to, from;
    mpx__plan plan;
    mpx__job job;
    uint64_t offset; /* of element 0, for its random bits */
} mpx__pieces;

MPX__PRIVATE void mpx__cast_piece(mpx__pieces *cast, size_t i, size_t n) {
    unsigned char in[MPX_TILE], out[MPX_TILE];
    const mpx__side *to = &cast->to;
    const unsigned char *s = mpx__side_read(&cast->from, in, i, n);
    unsigned char *d = to->in_place ? mpx__side_at(to, i) : out;
    cast->job.index = cast->offset + i;
    mpx__run_plan(&cast->plan, d, s, n, &cast->job);
#if MPX__HAS_PACKED
    if (!to->in_place)
        mpx__write_codes(to->data, out, to->array.row->bits, to->layout, to->block, i, n);
#endif
}

/* The same dtype: bits as they are. Below a byte the layouts may differ. */
MPX__PRIVATE void mpx__copy_piece(const mpx__side *to, const mpx__side *from, size_t i, size_t n) {
    const mpx_dtype type = mpx__type_of(to->array.row);
#if MPX__HAS_PACKED
    unsigned char codes[MPX_TILE];
    const unsigned bits = to->array.row->bits;
    if (bits < 8) {
        mpx__read_codes(codes, from->data, bits, from->layout, from->block, i, n);
        mpx__write_codes(to->data, codes, bits, to->layout, to->block, i, n);
        return;
    }
#endif
    mpx__copy(mpx__side_at(to, i), mpx__side_at(from, i), mpx_dtype_bytes(type, n));
}
MPX__INLINE void mpx__one_piece(mpx__pieces *cast, size_t i, size_t n) {
    if (cast->to.array.row == cast->from.array.row)
        mpx__copy_piece(&cast->to, &cast->from, i, n);
    else
        mpx__cast_piece(cast, i, n);
}

#if !MPX_NO_STATS
/* The values before and after the cast are compared in f64. What stays as it is, where it is, is not
   written: it may be constant. */
MPX__PRIVATE void mpx__cast_with_stats(mpx__pieces *cast, size_t n, mpx_cast_stats *stats) {
    unsigned char before[MPX__STATS_TILE * 8], after[MPX__STATS_TILE * 8], codes[MPX__STATS_TILE];
    const mpx__row *to = cast->to.array.row;
    const int stays = to == cast->from.array.row && cast->to.data == cast->from.data;
    mpx__to_f64 to_f64, from_f64;
    mpx__target target;
    size_t i, m;
    if (to->kind == MPX_KIND_COMPLEX) { /* a copy loses nothing */
        mpx__copy_piece(&cast->to, &cast->from, 0, n);
        stats->count += n;
        return;
    }
    mpx__to_f64_set(&from_f64, cast->from.array);
    mpx__to_f64_set(&to_f64, cast->to.array);
    mpx__target_set(&target, mpx__type_of(to));
    for (i = 0; i < n; i += m) {
        m = n - i < MPX__STATS_TILE ? n - i : MPX__STATS_TILE;
        mpx__to_f64_run(&from_f64, before, mpx__side_read(&cast->from, codes, i, m), m);
        if (!stays) mpx__one_piece(cast, i, m);
        mpx__to_f64_run(&to_f64, after, mpx__side_read(&cast->to, codes, i, m), m);
        mpx__stats_add(stats, &target, before, after, m);
    }
}
#endif

MPX__INLINE size_t mpx__block_of(size_t n, const mpx_cast_options *opt) {
    return opt->split_block != 0 ? opt->split_block : n;
}

MPX__PRIVATE mpx_status mpx__check_layout(const mpx__row *row, int layout, size_t block, size_t n) {
    if (layout < MPX_LAYOUT_PACKED || layout > MPX_LAYOUT_SPLIT) return MPX_ERR_ARGUMENT;
    if (layout != MPX_LAYOUT_SPLIT || row->bits >= 8 || n == 0) return MPX_OK;
    return row->bits == 4 && block % 2 == 0 && n % block == 0 ? MPX_OK : MPX_ERR_ARGUMENT;
}
/* The mode of a plan: that of integer targets is apart. */
MPX__INLINE int mpx__rounding_of(const mpx__row *to, const mpx__row *from,
                                const mpx_cast_options *opt) {
    const int to_whole = (to->kind == MPX_KIND_INT || to->kind == MPX_KIND_UINT) &&
                         from->kind == MPX_KIND_FLOAT && opt->int_rounding != MPX_INT_TRUNCATE;
    return to_whole ? mpx__to_whole(opt->int_rounding) : (int)opt->rounding;
}
MPX__PRIVATE mpx_status mpx__check_cast(mpx_dtype dst_type, mpx_dtype src_type, size_t n,
                                        size_t block, const mpx_cast_options *opt) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    mpx_status status = mpx__check_dtypes(to, from);
    if (status != MPX_OK) return status;
    if (opt->rounding < MPX_ROUND_NEAREST || opt->rounding > MPX_ROUND_STOCHASTIC)
        return MPX_ERR_ARGUMENT;
    if (opt->int_rounding < MPX_INT_TRUNCATE || opt->int_rounding > MPX_INT_DOWN)
        return MPX_ERR_ARGUMENT;
    status = mpx__check_layout(to, opt->dst_layout, block, n);
    return status != MPX_OK ? status : mpx__check_layout(from, opt->src_layout, block, n);
}

#if MPX_NO_STATS
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return (void)opt, 0; }
#else
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return opt->stats != NULL; }
#endif

MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx_cast_options *opt) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    mpx__pieces cast;
    mpx_status status;
    size_t i, m, block;
    if (opt == NULL) return mpx_cast(dst, dst_type, src, src_type, n);
    block = mpx__block_of(n, opt);
    status = mpx__check_cast(dst_type, src_type, n, block, opt);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    mpx__side_set(&cast.to, dst, to, opt->dst_layout, block);
    mpx__side_set(&cast.from, src, from, opt->src_layout, block);
    mpx__job_set(&cast.job);
    mpx__seed_set(&cast.job, opt->random_seed);
    cast.job.index = cast.offset = opt->offset;
    mpx__plan_cast_with(&cast.plan, cast.to.array, cast.from.array,
                        mpx__rounding_of(to, from, opt), opt->saturate != 0);
#if !MPX_NO_STATS
    if (mpx__wants_stats(opt)) {
        mpx__cast_with_stats(&cast, n, opt->stats);
        return MPX_OK;
    }
#endif
    if (to != from && cast.to.in_place && cast.from.in_place) {
        mpx__run_plan(&cast.plan, dst, src, n, &cast.job);
        return MPX_OK;
    }
    for (i = 0; i < n; i += m) {
        m = n - i < MPX_TILE ? n - i : MPX_TILE;
        mpx__one_piece(&cast, i, m);
    }
    return MPX_OK;
}

/* From one float dtype to another, saturated. Less stack than mpx_cast_with. */
MPX__PRIVATE void mpx__cast_saturating(void *dst, const mpx__row *to, const void *src,
                                       const mpx__row *from, size_t n) {
    mpx__plan plan;
    mpx__job job;
    mpx__job_set(&job);
    mpx__plan_cast_with(&plan, mpx__array_of(to, MPX_LAYOUT_PACKED),
                        mpx__array_of(from, MPX_LAYOUT_PACKED), MPX_ROUND_NEAREST, 1);
    if (n != 0) mpx__run_plan(&plan, dst, src, n, &job);
}

/* Each piece is cast to the other dtype and back, with the codes on the stack. */
MPX_API mpx_status mpx_round_to_with(float *dst, const float *src, size_t n, mpx_dtype type,
                                     const mpx_cast_options *opt) {
    unsigned char codes[MPX_TILE * 8];
    unsigned char *d = (unsigned char *)(void *)dst;
    const unsigned char *s = (const unsigned char *)(const void *)src;
    const mpx__array to = mpx__array_of(mpx__row_of(type), MPX_LAYOUT_BYTES),
                     single = mpx__array_of(mpx__row_of(MPX_F32), MPX_LAYOUT_PACKED);
    mpx_cast_options options;
    mpx__plan there, back;
    mpx__job job;
    mpx_status status;
    size_t i, m;
    mpx__zero(&options, sizeof options);
    if (opt != NULL) mpx__copy(&options, opt, sizeof options);
    options.dst_layout = options.src_layout = MPX_LAYOUT_BYTES;
    status = mpx__check_cast(type, MPX_F32, n, 0, &options);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    if (type == MPX_F32) return mpx__copy_elements(dst, src, single.row, n);
    mpx__job_set(&job);
    mpx__seed_set(&job, options.random_seed);
    mpx__plan_cast_with(&there, to, single, mpx__rounding_of(to.row, single.row, &options),
                        options.saturate != 0);
    mpx__plan_cast(&back, single, to, 0);
    for (i = 0; i < n; i += m) {
        m = n - i < MPX_TILE ? n - i : MPX_TILE;
        job.index = options.offset + i;
        mpx__run_plan(&there, codes, s + 4 * i, m, &job);
        mpx__run_plan(&back, d + 4 * i, codes, m, &job);
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_round_to(float *dst, const float *src, size_t n, mpx_dtype type) {
    return mpx_round_to_with(dst, src, n, type, NULL);
}

/* ---- strides --------------------------------------------------------------------------------- */

/* n items of `size` bytes, every `stride` bytes. Nothing between them is touched: others may write
   there. No pointer goes past the last item, which may be part of a larger object. Short items: a
   constant `size`, 1, 2, 4, 8, 16, 3, 6 or 12, by moves of 8, 4, 2 and 1. */
MPX__INLINE void mpx__move_long_items(unsigned char *dst, size_t dst_stride,
                                      const unsigned char *src, size_t src_stride, size_t size,
                                      size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        mpx__copy(dst + i * dst_stride, src + i * src_stride, size);
}
MPX__FORCE_INLINE void mpx__move_short_items(unsigned char *dst, size_t dst_stride,
                                             const unsigned char *src, size_t src_stride,
                                             size_t size, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        unsigned char *d = dst + i * dst_stride;
        const unsigned char *s = src + i * src_stride;
        if ((size & 16) != 0) mpx__write64(d + 8, mpx__read64(s + 8));
        if ((size & 24) != 0) mpx__write64(d, mpx__read64(s));
        if ((size & 4) != 0) mpx__write32(d + (size & 8), mpx__read32(s + (size & 8)));
        if ((size & 2) != 0) mpx__write16(d + (size & 4), mpx__read16(s + (size & 4)));
        if ((size & 1) != 0) d[size - 1] = s[size - 1];
        MPX__BARRIER(); /* else gcc looks for vectors, at some length */
    }
}
MPX__PRIVATE void mpx__move_items(unsigned char *dst, size_t dst_stride, const unsigned char *src,
                                  size_t src_stride, size_t size, size_t n) {
    switch (MPX__COMPACT ? 0 : size) {
    case 1: mpx__move_short_items(dst, dst_stride, src, src_stride, 1, n); break;
    case 2: mpx__move_short_items(dst, dst_stride, src, src_stride, 2, n); break;
    case 3: mpx__move_short_items(dst, dst_stride, src, src_stride, 3, n); break;
    case 4: mpx__move_short_items(dst, dst_stride, src, src_stride, 4, n); break;
    case 6: mpx__move_short_items(dst, dst_stride, src, src_stride, 6, n); break;
    case 8: mpx__move_short_items(dst, dst_stride, src, src_stride, 8, n); break;
    case 12: mpx__move_short_items(dst, dst_stride, src, src_stride, 12, n); break;
    case 16: mpx__move_short_items(dst, dst_stride, src, src_stride, 16, n); break;
    default: mpx__move_long_items(dst, dst_stride, src, src_stride, size, n); break;
    }
}

/* In rows of as many whole items as fit the buffers. An item wider than that is a row of its own.
   Items with nothing between them are one row where they are. */
MPX_API mpx_status mpx_cast_strided(void *dst, mpx_dtype dst_type, size_t dst_stride,
                                    const void *src, mpx_dtype src_type, size_t src_stride,
                                    size_t n, size_t components, const mpx_cast_options *opt) {
    enum { row = MPX_TILE / 4, row_bytes = row * 16 };
    unsigned char in[row_bytes], out[row_bytes];
    const size_t dst_size = mpx_dtype_bytes(dst_type, components),
                 src_size = mpx_dtype_bytes(src_type, components);
    const int wide = components > row;
    const int dst_is_row = wide || (!MPX__COMPACT && dst_stride == dst_size),
              src_is_row = wide || (!MPX__COMPACT && src_stride == src_size);
    size_t i, m, items = 1;
    mpx_cast_options piece;
    mpx_status status;
    mpx__zero(&piece, sizeof piece);
    if (opt != NULL) mpx__copy(&piece, opt, sizeof piece);
    status = mpx__check_cast(dst_type, src_type, 0, 0, &piece);
    if (status != MPX_OK) return status;
    if (mpx_dtype_bits(dst_type) < 8 || mpx_dtype_bits(src_type) < 8) return MPX_ERR_DTYPE;
    if (components == 0 || (n > 1 && (dst_stride < dst_size || src_stride < src_size)))
        return MPX_ERR_ARGUMENT;
    if (!MPX__COMPACT && dst_type == src_type && !mpx__wants_stats(&piece)) {
        MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
        mpx__move_items((unsigned char *)dst, dst_stride, (const unsigned char *)src, src_stride,
                        src_size, n);
        return MPX_OK;
    }
    if (!wide) items = row_bytes / (dst_size > src_size ? dst_size : src_size);
    if (!wide && dst_is_row && src_is_row) items = n;
    for (i = 0; i < n; i += m) {
        unsigned char *d = (unsigned char *)dst + i * dst_stride;
        const unsigned char *s = (const unsigned char *)src + i * src_stride;
        m = n - i < items ? n - i : items;
        if (!src_is_row) {
            mpx__move_items(in, src_size, s, src_stride, src_size, m);
            s = in;
        }
        (void)mpx_cast_with(dst_is_row ? d : out, dst_type, s, src_type, m * components, &piece);
        if (!dst_is_row) mpx__move_items(d, dst_stride, out, dst_size, dst_size, m);
        piece.offset += m * components;
    }
    return MPX_OK;
}

/* ---- fp8 between the OCP and the fnuz formats ------------------------------------------------ */

/* A code c of the fnuz format is worth half of the same code in the OCP format: its bias is one
   more. to_fnuz: codes from `special` on (NaN, Inf) become the NaN, 0x80. Else: what lies above the
   largest OCP code becomes it. */
MPX__INLINE unsigned mpx__rebias(unsigned code, unsigned special, int to_fnuz) {
    unsigned a = code & 0x7fu;
    if (to_fnuz) return a == 0 ? 0 : a >= special ? 0x80 : code;
    return code == 0x80 ? 0x7f : a >= special ? (code & 0x80u) | (special - 1u) : code;
}

/* All ones in the bytes whose highest bit is set, of which alone x may consist; and bits of a where
   a mask has ones, else of b. */
MPX__INLINE uint64_t mpx__fill_bytes(uint64_t x) { return x | (x - (x >> 7)); }
MPX__INLINE uint64_t mpx__blend(uint64_t mask, uint64_t a, uint64_t b) {
    return b ^ ((a ^ b) & mask);
}
/* Eight codes at once: sums of two numbers below 128 stay in their bytes. */
MPX__INLINE uint64_t mpx__rebias_eight(uint64_t x, unsigned special, int to_fnuz) {
    const uint64_t each = 0x0101010101010101u, tops = each << 7, rest = tops - each;
    const uint64_t a = x & rest, sign = x & tops, zero = ((a + rest) & tops) ^ tops,
                   beyond = (a + each * (0x80u - special)) & tops;
    if (to_fnuz) return (x & ~mpx__fill_bytes(zero | beyond)) | beyond;
    x = mpx__blend(mpx__fill_bytes(zero & sign), rest, x); /* the NaN */
    return mpx__blend(mpx__fill_bytes(beyond), sign | each * (special - 1u), x);
}

MPX_API mpx_status mpx_f8_rebias(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int e4m3 = (dst_type == MPX_F8E4M3FNUZ && src_type == MPX_F8E4M3FN) ||
               (dst_type == MPX_F8E4M3FN && src_type == MPX_F8E4M3FNUZ);
    int e5m2 = (dst_type == MPX_F8E5M2FNUZ && src_type == MPX_F8E5M2) ||
               (dst_type == MPX_F8E5M2 && src_type == MPX_F8E5M2FNUZ);
    int to_fnuz = dst_type == MPX_F8E4M3FNUZ || dst_type == MPX_F8E5M2FNUZ;
    const unsigned special = e4m3 ? 0x7fu : 0x7cu;
    if (!MPX__HAS_SMALL || (!e4m3 && !e5m2)) return MPX_ERR_DTYPE;
    if (mpx_dtype_bits(dst_type) == 0 || mpx_dtype_bits(src_type) == 0) return MPX_ERR_DTYPE;
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, mpx__rebias_eight(mpx__read64(s), special, to_fnuz));
    for (; n != 0; n--)
        *d++ = (unsigned char)mpx__rebias(*s++, special, to_fnuz);
    return MPX_OK;
}

#endif /* !MPX_NO_CAST_WITH */
/*==========================================================================*
 * MARK: scale - products, quotients and sums of arrays, the check for Inf   *
 *   Rounded once, the same bits on every machine, whatever the caller's     *
 *   rounding mode, flush-to-zero and -ffast-math say.                       *
 *==========================================================================*/

#if !MPX__COMPACT || MPX__HAS_PACKED
/* Every element times, or divided by, the f32 with the bits u. */
MPX__PRIVATE void mpx__job_scale(mpx__job *job, uint32_t u, int divide) {
    mpx__job_set(job);
    job->by = u;
    job->divide = divide;
    job->power_of_two =
        (u & 0x7fffffu) == 0 && u >> 31 == 0 && u - 1u < 0x7f7fffffu; /* normal and positive */
    job->shift = divide ? 127 - (int32_t)(u >> 23) : (int32_t)(u >> 23) - 127;
}
#endif

#if !MPX__COMPACT
/* Finite and not zero. */
MPX__INLINE int mpx__is_plain_factor(const mpx__job *job) {
    return (job->by & 0x7fffffffu) - 1u < 0x7f7fffffu;
}
/* The step that scales, if there is a kernel. */
MPX__PRIVATE int mpx__plan_product(mpx__plan *plan, int to, const mpx__row *to_row,
                                   const mpx__row *from_row, const mpx__job *job) {
    mpx__kernel kernel = mpx__engine_now()->find_scaling(to, mpx__form_of(from_row), job);
    if (kernel.run == NULL) return 0;
    if (plan->count != 0) kernel.env = MPX__ENV_ALL;
    (void)mpx__plan_append(plan, kernel, to_row, from_row,
                           to == MPX__FORM_F32_ODD ? (int)MPX__TO_ODD : (int)MPX_ROUND_NEAREST);
    plan->step[plan->count - 1].scales = 1;
    return 1;
}
/* Straight; else by way of f32 or, to f64, by way of that. */
MPX__PRIVATE int mpx__plan_factor(mpx__plan *plan, const mpx__row *to, const mpx__row *from,
                                  const mpx__job *job) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    if (mpx__plan_product(plan, mpx__form_of(to), to, from, job)) return 1;
    if (mpx__is_f64(mpx__type_of(from))) return 0;
    if (mpx__is_f64(mpx__type_of(to)))
        return mpx__plan_way(plan, mpx__form_of(to), to, mpx__form_of(from), from) &&
               mpx__plan_product(plan, mpx__form_of(to), to, to, job);
    if (from != f32_row &&
        !mpx__plan_way(plan, MPX__FORM_F32, f32_row, mpx__form_of(from), from))
        return 0;
    if (to == f32_row) return mpx__plan_product(plan, MPX__FORM_F32, f32_row, f32_row, job);
    return mpx__plan_product(plan, MPX__FORM_F32_ODD, f32_row, f32_row, job) &&
           mpx__plan_way(plan, mpx__form_of(to), to, MPX__FORM_F32, f32_row);
}
/* 0, Inf and NaN as factors are left to the exact codec. */
MPX__PRIVATE void mpx__plan_scale(mpx__plan *plan, mpx__array to, mpx__array from,
                                  const mpx__job *job) {
    mpx__plan_start(plan, to, from);
    plan->scales = 1;
    if (!mpx__is_plain_factor(job)) return;
    mpx__plan_unpack(plan);
    if (mpx__plan_factor(plan, to.row, from.row, job))
        mpx__plan_pack(plan);
    else
        plan->count = 0;
}
/* Whether results are rounded after the step that tells of Inf and NaN. */
MPX__INLINE int mpx__rounds_after(const mpx__plan *plan) {
    return plan->count != 0 && !plan->step[plan->count - 1].scales;
}
#endif

/* What else is asked for: NULL where it is not. */
typedef struct mpx__asked {
    int *finite;
#if !MPX_NO_REDUCE
    mpx__squares *squares;
#endif
} mpx__asked;
MPX__INLINE int mpx__asks_squares(const mpx__asked *asked) {
#if MPX_NO_REDUCE
    return (void)asked, 0;
#else
    return asked->squares != NULL;
#endif
}

/* Are the rows those of floats? Complex numbers are looked at part by part, on both sides. */
MPX__PRIVATE int mpx__are_scaled(const mpx__row **to, const mpx__row **from, size_t *n) {
    size_t parts = *n;
    if ((*to)->kind != (*from)->kind) return 0;
    *to = mpx__parts_of(*to, &parts);
    *from = mpx__parts_of(*from, n);
    return (*to)->kind == MPX_KIND_FLOAT;
}

#if MPX__COMPACT
/* dst = src * u, or src / u, by the exact codec. */
MPX__PRIVATE mpx_status mpx__scale_buffer(void *dst, mpx_dtype dst_type, const void *src,
                                          mpx_dtype src_type, size_t n, uint32_t u, int divide,
                                          int *finite) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    int is_finite;
    if (!mpx__are_scaled(&to, &from, &n)) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
#if MPX__HAS_PACKED
    if (!mpx__are_bytes(to) || !mpx__are_bytes(from)) {
        mpx__plan plan;
        mpx__job job;
        mpx__job_scale(&job, u, divide);
        mpx__plan_start(&plan, mpx__array_of(to, MPX_LAYOUT_PACKED),
                        mpx__array_of(from, MPX_LAYOUT_PACKED));
        plan.scales = 1;
        mpx__run_plan(&plan, dst, src, n, &job);
        is_finite = !job.not_finite;
    } else
#endif
        is_finite = mpx__exact_scale((unsigned char *)dst, to, (const unsigned char *)src, from, n,
                                     u, divide, MPX_ROUND_NEAREST);
    if (finite != NULL) *finite = is_finite;
    return MPX_OK;
}
/* The sum of squares in a second pass: what asks for none is not linked with it. */
MPX__PRIVATE mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src,
                                            mpx_dtype src_type, size_t n, uint32_t u, int divide,
                                            const mpx__asked *asked) {
    const mpx_status status =
        mpx__scale_buffer(dst, dst_type, src, src_type, n, u, divide, asked->finite);
#if !MPX_NO_REDUCE
    if (status == MPX_OK && asked->squares != NULL) {
        const mpx__row *row = mpx__parts_of(mpx__row_of(dst_type), &n);
        mpx__squares_add(asked->squares, dst, row, n);
    }
#endif
    return status;
}
#else
/* The kernel that scales straight, and the job set for it; `run` is NULL where there is none. */
MPX__PRIVATE mpx__kernel mpx__scaling_kernel(const mpx__row *to, const mpx__row *from, size_t n,
                                             mpx__job *job) {
    job->to = to;
    job->from = from;
    job->scales = 1;
    return n != 0 && !mpx__may_be_large(n) && mpx__is_plain_factor(job)
               ? mpx__engine_now()->find_scaling(to->form, from->form, job)
               : mpx__kernel_of(NULL, MPX__ENV_ANY);
}
/* dst = src * u, or src / u. Results are looked at while they are in the caches. */
MPX__PRIVATE mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src,
                                            mpx_dtype src_type, size_t n, uint32_t u, int divide,
                                            const mpx__asked *asked) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t most, m;
    mpx__kernel kernel;
    mpx__plan plan;
    mpx__job job;
    int look;
    if (!mpx__are_scaled(&to, &from, &n)) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    most = n;
    mpx__job_scale(&job, u, divide);
    kernel = mpx__scaling_kernel(to, from, n, &job);
    if (kernel.run != NULL && !mpx__asks_squares(asked)) {
        (void)mpx__cast_by(kernel, d, s, n, &job);
        if (asked->finite != NULL) *asked->finite = !job.not_finite;
        return MPX_OK;
    }
    mpx__plan_scale(&plan, mpx__array_of(to, MPX_LAYOUT_PACKED),
                    mpx__array_of(from, MPX_LAYOUT_PACKED), &job);
    look = asked->finite != NULL && mpx__rounds_after(&plan);
    if ((look || mpx__asks_squares(asked)) && n > 8 * MPX_TILE) most = 8 * MPX_TILE;
    for (; n != 0; n -= m) {
        m = n < most ? n : most;
        mpx__run_plan(&plan, d, s, m, &job);
        if (look && !job.not_finite) job.not_finite = !mpx_all_finite(d, mpx__type_of(to), m);
#if !MPX_NO_REDUCE
        if (asked->squares != NULL) mpx__squares_add(asked->squares, d, to, m);
#endif
        d += m / 8 * to->bits;
        s += m / 8 * from->bits;
    }
    if (asked->finite != NULL) *asked->finite = !job.not_finite;
    return MPX_OK;
}
MPX__PRIVATE mpx_status mpx__scale_buffer(void *dst, mpx_dtype dst_type, const void *src,
                                          mpx_dtype src_type, size_t n, uint32_t u, int divide,
                                          int *finite) {
    mpx__asked asked;
    mpx__zero(&asked, sizeof asked);
    asked.finite = finite;
    return mpx__scale_elements(dst, dst_type, src, src_type, n, u, divide, &asked);
}
#endif

MPX_API mpx_status mpx_scale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                             size_t n, float by) {
    return mpx__scale_buffer(dst, dst_type, src, src_type, n, mpx__opaque_bits(by), 0, NULL);
}
MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                               size_t n, float by, int *finite) {
    return mpx__scale_buffer(dst, dst_type, src, src_type, n, mpx__opaque_bits(by), 1, finite);
}
#if !MPX_NO_REDUCE
MPX_API mpx_status mpx_unscale_squares(void *dst, mpx_dtype dst_type, const void *src,
                                       mpx_dtype src_type, size_t n, float by, int *finite,
                                       double *sum) {
    mpx__squares squares;
    mpx__asked asked;
    mpx_status status;
    mpx__zero(&squares, sizeof squares);
    asked.finite = finite;
    asked.squares = &squares;
    status = mpx__scale_elements(dst, dst_type, src, src_type, n, mpx__opaque_bits(by), 1, &asked);
    if (status == MPX_OK) mpx__write64(sum, mpx__squares_sum(&squares));
    return status;
}

/* ---- sums of two arrays ---------------------------------------------------------------------- */

/* d += s for f32 or f64, each sum rounded once. */
MPX__COLD MPX__NOINLINE void mpx__exact_add(unsigned char *d, const unsigned char *s,
                                            const mpx__row *row, size_t n) {
    const size_t size = row->bits / 8;
    mpx__number x, y;
    for (; n != 0; n--, d += size, s += size) {
        mpx__number_load(&x, d, row);
        mpx__number_load(&y, s, row);
        mpx__number_add(&x, &y);
        mpx__number_store(d, row, &x, &mpx__to_nearest);
    }
}
/* The same with float instructions, n a multiple of 16. Returns 0 if there are none, or if a sum is
   Inf or NaN: of which NaN, they do not agree. */
MPX__PRIVATE int mpx__fast_add(unsigned char *d, const unsigned char *s, const mpx__row *row,
                               size_t n) {
#if MPX__COMPACT || !MPX__HAS_FLOAT
    return (void)d, (void)s, (void)row, (void)n, 0;
#else
    const mpx__engine *engine = mpx__engine_now();
    const mpx__env env = engine->enter(MPX__ENV_ALL);
    (row->bits == 64 ? engine->add_f64 : engine->add_f32)(d, s, n);
    if (env != 0) engine->leave(env);
    return row->bits == 64 ? mpx__f64_all_finite(d, n) : mpx__f32_all_finite(d, n);
#endif
}
/* Sums are rounded to f32, and then to narrower floats. For these too that is as to round once. */
MPX_API mpx_status mpx_add(void *dst, const void *src, size_t n, mpx_dtype type) {
    const mpx__row *row = mpx__parts_of(mpx__row_of(type), &n),
                   *wide = mpx__is_f64(mpx__type_of(row)) ? row : mpx__row_of(MPX_F32);
    const mpx_dtype part = mpx__type_of(row), sum = mpx__type_of(wide);
    const size_t most = MPX_TILE * 32 / wide->bits;
    unsigned char a[MPX_TILE * 4], b[MPX_TILE * 4], *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t m;
    if (row->kind != MPX_KIND_FLOAT) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    for (; n != 0; n -= m, d += most / 8 * row->bits, s += most / 8 * row->bits) {
        m = n < most ? n : most;
        if (m < most) mpx__zero(a, sizeof a), mpx__zero(b, sizeof b);
        (void)mpx_cast(a, sum, d, part, m);
        (void)mpx_cast(b, sum, s, part, m);
        if (!mpx__fast_add(a, b, wide, (m + 15u) / 16u * 16u)) {
            (void)mpx_cast(a, sum, d, part, m);
            mpx__exact_add(a, b, wide, m);
        }
        (void)mpx_cast(d, part, a, sum, m);
    }
    return MPX_OK;
}
#endif
/*==========================================================================*
 * MARK: vertex - attributes of vertices, packed as graphics APIs have them  *
 *   Plain dtypes go through mpx_cast_strided, normalised integers through   *
 *   norms.h; small unsigned floats and shared exponents are converted here, *
 *   by integers alone, so that no floating-point mode changes a result.     *
 *   Sources: Vulkan 1.3, "Fixed-Point Data Conversions" and "Numeric        *
 *   Representation and Computation"; EXT_texture_shared_exponent.           *
 *==========================================================================*/

#if !MPX_NO_VERTEX

/* n items from s to d, `components` of each. */
typedef struct mpx__items {
    unsigned char *d;
    const unsigned char *s;
    size_t d_step, s_step, n, components;
} mpx__items;

/* ---- one word -------------------------------------------------------------------------------- */

/* Five bits of exponent, m of mantissa, no sign: negatives are 0, NaN stays NaN, and finite values
   do not become Inf. */
MPX__PRIVATE uint32_t mpx__to_ufloat(uint32_t u, uint32_t m) {
    const uint32_t inf = 31u << m, a = u & 0x7fffffffu, code = mpx__round(a, 5, m, 1);
    if (u >> 31 != 0 && a <= 0x7f800000u) return 0;
    return code == inf && a != 0x7f800000u ? inf - 1u : code;
}

MPX__INLINE uint32_t mpx__from_ufloat(uint32_t code, uint32_t m) {
    return mpx__value(code, 5, m, 1);
}

/* Three f32 at s by the algorithm of EXT_texture_shared_exponent, N = 9, B = 15: clamped to
   0 ... 65408 (NaN is 0); the exponent is that of the largest, one more if its 9 bits round up to
   512; halves go up. A component is (2^23 + m) * 2^(e - 150), its field counts 2^(shared - 24). */
MPX__INLINE uint32_t mpx__shared_field(uint32_t u, uint32_t shared) {
    const uint32_t shift = 125u + shared - (u >> 23), most = shift > 31u ? 31u : shift;
    return ((((u & 0x7fffffu) | 0x800000u) >> most) + 1u) >> 1;
}
MPX__INLINE uint32_t mpx__to_rgb9e5(const unsigned char *s) {
    uint32_t x[3], largest = 0, shared;
    int k;
    for (k = 0; k < 3; k++) {
        const uint32_t u = mpx__read32(s + 4 * k), top = 0x477f8000u; /* 65408 */
        x[k] = u > 0x7f800000u ? 0 : u > top ? top : u;
        largest = x[k] > largest ? x[k] : largest;
    }
    shared = largest >> 23 > 111u ? (largest >> 23) - 111u : 0;
    shared += mpx__shared_field(largest, shared) == 512u;
    return mpx__shared_field(x[0], shared) | mpx__shared_field(x[1], shared) << 9 |
           mpx__shared_field(x[2], shared) << 18 | shared << 27;
}
/* A field is a subnormal of a format with 9 bits of mantissa and a bias of 15, field * 2^-23. */
MPX__INLINE uint32_t mpx__from_shared(uint32_t field, uint32_t shared) {
    return field != 0 ? mpx__value(field, 5, 9, 1) + (shared << 23) - (1u << 23) : 0;
}

/* ---- normalised integers --------------------------------------------------------------------- */

#if MPX__COMPACT
MPX__INLINE void mpx__to_norms(unsigned char *x, size_t n, int bits, int is_signed) {
    mpx__to_norms_here(x, n, bits, is_signed);
}
MPX__INLINE void mpx__from_norms(unsigned char *x, size_t n, int bits, int is_signed) {
    mpx__from_norms_here(x, n, bits, is_signed);
}
#else
MPX__INLINE void mpx__to_norms(unsigned char *x, size_t n, int bits, int is_signed) {
    mpx__engine_now()->to_norms(x, n, bits, is_signed);
}
MPX__INLINE void mpx__from_norms(unsigned char *x, size_t n, int bits, int is_signed) {
    mpx__engine_now()->from_norms(x, n, bits, is_signed);
}
#endif

enum { MPX__ITEM_TILE = 256 }; /* components on the stack */

MPX__INLINE int mpx__is_snorm(int format) {
    return format == MPX_VERTEX_SNORM8 || format == MPX_VERTEX_SNORM16 ||
           format == MPX_VERTEX_SNORM10_10_10_2;
}
/* n elements of `bytes`, 1 or 2, and lanes of 32 bits in a tile. */
MPX__PRIVATE void mpx__codes_of_lanes(unsigned char *d, const unsigned char *x, size_t n,
                                      size_t bytes) {
    size_t i;
    for (i = 0; bytes == 1 && i < n; i++)
        d[i] = (unsigned char)(mpx__read32(x + 4 * i) & 255u);
    for (i = 0; bytes == 2 && i < n; i++)
        mpx__write16(d + 2 * i, (uint16_t)(mpx__read32(x + 4 * i) & 0xffffu));
}
MPX__PRIVATE void mpx__lanes_of_codes(unsigned char *x, const unsigned char *s, size_t n,
                                      size_t bytes) {
    size_t i;
    for (i = 0; bytes == 1 && i < n; i++)
        mpx__write32(x + 4 * i, s[i]);
    for (i = 0; bytes == 2 && i < n; i++)
        mpx__write32(x + 4 * i, mpx__read16(s + 2 * i));
}
MPX__PRIVATE void mpx__run_norms(const mpx__items *items, size_t bytes, int is_signed, int unpack) {
    unsigned char tile[MPX__ITEM_TILE * 4], codes[MPX__ITEM_TILE * 2];
    const size_t components = items->components, count = items->n * components,
                 wide = components * 4, narrow = components * bytes;
    if (unpack) {
        mpx__move_items(codes, narrow, items->s, items->s_step, narrow, items->n);
        mpx__lanes_of_codes(tile, codes, count, bytes);
        mpx__from_norms(tile, count, (int)bytes * 8, is_signed);
        mpx__move_items(items->d, items->d_step, tile, wide, wide, items->n);
    } else {
        mpx__move_items(tile, wide, items->s, items->s_step, wide, items->n);
        mpx__to_norms(tile, count, (int)bytes * 8, is_signed);
        mpx__codes_of_lanes(codes, tile, count, bytes);
        mpx__move_items(items->d, items->d_step, codes, narrow, narrow, items->n);
    }
}
/* 10-10-10-2: three components of 10 bits in a tile, the fourth in another. */
MPX__PRIVATE void mpx__pack_tens(const mpx__items *items, int is_signed) {
    unsigned char xyz[MPX__ITEM_TILE * 4], w[MPX__ITEM_TILE * 4];
    const int has_w = items->components == 4;
    size_t i;
    mpx__move_items(xyz, 12, items->s, items->s_step, 12, items->n);
    mpx__to_norms(xyz, items->n * 3, 10, is_signed);
    if (has_w) mpx__move_items(w, 4, items->s + 12, items->s_step, 4, items->n);
    if (has_w) mpx__to_norms(w, items->n, 2, is_signed);
    for (i = 0; i < items->n; i++) {
        const unsigned char *x = xyz + i * 12;
        const uint32_t top = has_w ? mpx__read32(w + i * 4) << 30 : 0;
        mpx__write32(items->d + i * items->d_step,
                     (mpx__read32(x) & 1023u) | (mpx__read32(x + 4) & 1023u) << 10 |
                         (mpx__read32(x + 8) & 1023u) << 20 | top);
    }
}
MPX__PRIVATE void mpx__unpack_tens(const mpx__items *items, int is_signed) {
    unsigned char xyz[MPX__ITEM_TILE * 4], w[MPX__ITEM_TILE * 4];
    size_t i;
    for (i = 0; i < items->n; i++) {
        const uint32_t word = mpx__read32(items->s + i * items->s_step);
        mpx__write32(xyz + i * 12, word & 1023u);
        mpx__write32(xyz + i * 12 + 4, word >> 10 & 1023u);
        mpx__write32(xyz + i * 12 + 8, word >> 20 & 1023u);
        mpx__write32(w + i * 4, word >> 30);
    }
    mpx__from_norms(xyz, items->n * 3, 10, is_signed);
    mpx__move_items(items->d, items->d_step, xyz, 12, 12, items->n);
    if (items->components != 4) return;
    mpx__from_norms(w, items->n, 2, is_signed);
    mpx__move_items(items->d + 12, items->d_step, w, 4, 4, items->n);
}

/* Words of three fields. */
MPX__PRIVATE void mpx__pack_words(const mpx__items *items, int format) {
    size_t i;
    unsigned k;
    for (i = 0; i < items->n; i++) {
        const unsigned char *x = items->s + i * items->s_step;
        uint32_t word = format == MPX_VERTEX_RGB9E5 ? mpx__to_rgb9e5(x) : 0;
        for (k = 0; k < 3 && format != MPX_VERTEX_RGB9E5; k++)
            word |= mpx__to_ufloat(mpx__read32(x + 4 * k), k < 2 ? 6 : 5) << 11 * k;
        mpx__write32(items->d + i * items->d_step, word);
    }
}
MPX__PRIVATE void mpx__unpack_words(const mpx__items *items, int format) {
    size_t i;
    unsigned k;
    for (i = 0; i < items->n; i++) {
        unsigned char *x = items->d + i * items->d_step;
        const uint32_t word = mpx__read32(items->s + i * items->s_step);
        for (k = 0; k < 3; k++)
            mpx__write32(x + 4 * k, format == MPX_VERTEX_RGB9E5
                                        ? mpx__from_shared(word >> 9 * k & 511u, word >> 27)
                                        : mpx__from_ufloat(word >> 11 * k & 2047u, k < 2 ? 6 : 5));
    }
}

/* ---- all attributes -------------------------------------------------------------------------- */

MPX__INLINE int mpx__is_one_word(int format) { return format > MPX_VERTEX_SNORM16; }
MPX__INLINE size_t mpx__norm_bytes(int format) { return format <= MPX_VERTEX_SNORM8 ? 1 : 2; }
/* Whether `count` elements of `size` bytes from an offset on end within a stride. */
MPX__INLINE int mpx__fits_stride(size_t offset, size_t count, size_t size, size_t stride) {
    return offset <= stride && count <= (stride - offset) / size;
}
MPX__PRIVATE mpx_status mpx__check_attribute(const mpx_attribute *a, size_t packed_stride,
                                             size_t float_stride, size_t n) {
    const mpx__row *row = mpx__row_of(a->dtype);
    const int format = a->format, is_plain = format == MPX_VERTEX_PLAIN,
              is_word = mpx__is_one_word(format);
    const size_t most = !is_word ? (size_t)-1 : format <= MPX_VERTEX_SNORM10_10_10_2 ? 4 : 3;
    const size_t size = is_plain ? row->bits / 8u : is_word ? 4 : mpx__norm_bytes(format);
    if (format < MPX_VERTEX_PLAIN || format > MPX_VERTEX_RGB9E5) return MPX_ERR_ARGUMENT;
    if (is_plain ? size == 0 || row->kind == MPX_KIND_COMPLEX : a->dtype != MPX_NONE)
        return MPX_ERR_DTYPE;
    if (a->components < (is_word ? 3u : 1u) || a->components > most) return MPX_ERR_ARGUMENT;
    if (n > 1 && !(mpx__fits_stride(a->float_offset, a->components, 4, float_stride) &&
                   mpx__fits_stride(a->packed_offset, is_word ? 1 : a->components, size,
                                    packed_stride)))
        return MPX_ERR_ARGUMENT;
    return MPX_OK;
}
/* Elements in runs that fit a tile: all components of some items, or some components of one. */
MPX__PRIVATE void mpx__cast_norms(const mpx__items *items, int format, int unpack) {
    const size_t bytes = mpx__norm_bytes(format), all = items->components, n = items->n,
                 room = MPX__ITEM_TILE, most = all < room ? all : room, many = room / most;
    size_t i, k;
    mpx__items run;
    run.d_step = items->d_step;
    run.s_step = items->s_step;
    for (i = 0; i < n; i += run.n) {
        run.n = n - i < many ? n - i : many;
        for (k = 0; k < all; k += run.components) {
            run.components = all - k < most ? all - k : most;
            run.d = items->d + i * run.d_step + k * (unpack ? 4 : bytes);
            run.s = items->s + i * run.s_step + k * (unpack ? bytes : 4);
            mpx__run_norms(&run, bytes, mpx__is_snorm(format), unpack);
        }
    }
}
MPX__PRIVATE void mpx__cast_attribute(const mpx__items *items, const mpx_attribute *a, int unpack) {
    const int format = a->format, is_signed = mpx__is_snorm(format);
    if (format == MPX_VERTEX_PLAIN)
        (void)mpx_cast_strided(items->d, unpack ? MPX_F32 : a->dtype, items->d_step, items->s,
                               unpack ? a->dtype : MPX_F32, items->s_step, items->n,
                               items->components, NULL);
    else if (!mpx__is_one_word(format))
        mpx__cast_norms(items, format, unpack);
    else if (format < MPX_VERTEX_UFLOAT11_11_10 && unpack)
        mpx__unpack_tens(items, is_signed);
    else if (format < MPX_VERTEX_UFLOAT11_11_10)
        mpx__pack_tens(items, is_signed);
    else if (unpack)
        mpx__unpack_words(items, format);
    else
        mpx__pack_words(items, format);
}
/* In tiles of vertices, which stay in the first cache while attribute after attribute is cast. */
MPX__PRIVATE mpx_status mpx__cast_vertices(void *dst, size_t dst_stride, const void *src,
                                           size_t src_stride, size_t n,
                                           const mpx_attribute *attributes, size_t count,
                                           int unpack) {
    const size_t tile = 64;
    mpx__items items;
    size_t i, k;
    for (k = 0; k < count; k++) {
        const mpx_status status = mpx__check_attribute(attributes + k,
                                                       unpack ? src_stride : dst_stride,
                                                       unpack ? dst_stride : src_stride, n);
        if (status != MPX_OK) return status;
    }
    MPX_ASSERT((dst != NULL && src != NULL) || n == 0 || count == 0);
    items.d_step = dst_stride;
    items.s_step = src_stride;
    for (i = 0; i < n && count != 0; i += items.n) {
        items.n = n - i < tile ? n - i : tile;
        for (k = 0; k < count; k++) {
            const mpx_attribute *a = attributes + k;
            items.d = (unsigned char *)dst + i * dst_stride +
                      (unpack ? a->float_offset : a->packed_offset);
            items.s = (const unsigned char *)src + i * src_stride +
                      (unpack ? a->packed_offset : a->float_offset);
            items.components = a->components;
            mpx__cast_attribute(&items, a, unpack);
        }
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_vertices_pack(void *dst, size_t dst_stride, const void *src,
                                     size_t src_stride, size_t n, const mpx_attribute *attributes,
                                     size_t count) {
    return mpx__cast_vertices(dst, dst_stride, src, src_stride, n, attributes, count, 0);
}
MPX_API mpx_status mpx_vertices_unpack(void *dst, size_t dst_stride, const void *src,
                                       size_t src_stride, size_t n, const mpx_attribute *attributes,
                                       size_t count) {
    return mpx__cast_vertices(dst, dst_stride, src, src_stride, n, attributes, count, 1);
}

#endif /* !MPX_NO_VERTEX */
/*==========================================================================*
 * MARK: above - what uses the casts                                         *
 *   The rooms below call them, and are compiled for size: a policy is read  *
 *   once, and a tree is walked in less time than one of its leaves takes.   *
 *==========================================================================*/
#define MPX__API MPX_API MPX__COLD
#undef MPX__PRIVATE
#define MPX__PRIVATE static MPX__UNUSED MPX__COLD
/*==========================================================================*
 * MARK: tree - walkers, and what is done leaf by leaf                       *
 *   Of policies it knows one thing: mpx__map_goal, what a map says of a     *
 *   path. Functions that write walk twice: first all leaves are checked,    *
 *   then all are worked on.                                                 *
 *==========================================================================*/
#if !MPX_NO_TREE

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct mpx__walk {
    const mpx_tree *tree;
    mpx_cursor at;
    mpx_leaf leaf;
    size_t index; /* of leaf */
    mpx_error *err;
} mpx__walk;

MPX__PRIVATE void mpx__walk_start(mpx__walk *walk, const mpx_tree *tree, mpx_error *err) {
    mpx__zero(walk, sizeof *walk);
    walk->tree = tree;
    walk->err = err;
    walk->index = (size_t)-1;
    (void)mpx__fail(err, MPX_OK, 0, 0);
}

/* Report the leaf where the walk stands. */
MPX__PRIVATE mpx_status mpx__leaf_fail(const mpx__walk *walk, mpx_status status, mpx_dtype found,
                                       mpx_dtype expected) {
    mpx_error *err = walk->err;
    if (err == NULL) return status;
    (void)mpx__fail_at(err, status, MPX_SUBJECT_LEAF, walk->index);
    err->found = found;
    err->expected = expected;
    mpx__put_path(err, walk->leaf.path);
    return status;
}

/* Is it a leaf of {0}, which has no dtype yet? */
MPX__INLINE int mpx__is_unset(const mpx_leaf *leaf) {
    return leaf->dtype == MPX_NONE && leaf->count == 0;
}

MPX__INLINE int mpx__has_no_data(const mpx_leaf *leaf) {
    return leaf->data == NULL && leaf->count != 0;
}

/* What is wrong with a leaf, if anything. */
MPX__PRIVATE mpx_status mpx__leaf_status(const mpx_leaf *leaf) {
    if (mpx__is_unset(leaf)) return MPX_OK;
    if (mpx_dtype_bits(leaf->dtype) == 0) return MPX_ERR_DTYPE;
    if (mpx__has_no_data(leaf)) return MPX_ERR_ARGUMENT;
    return mpx_dtype_bytes(leaf->dtype, leaf->count) == (size_t)-1 ? MPX_ERR_SPACE : MPX_OK;
}

MPX__API int mpx_tree_next(const mpx_tree *tree, mpx_cursor *at, mpx_leaf *leaf) {
    mpx_status status;
    int result;
    mpx__zero(leaf, sizeof *leaf);
    result = tree->next != NULL ? tree->next(at, leaf, tree) : 0;
    if (result <= 0) return result;
    status = mpx__leaf_status(leaf);
    return status != MPX_OK ? status : 1;
}

/* The same for a walk; what is wrong is reported. */
MPX__PRIVATE int mpx__walk_next(mpx__walk *walk) {
    int result, told;
    walk->index++;
    result = mpx_tree_next(walk->tree, &walk->at, &walk->leaf);
    if (result >= 0) return result;
    told = result == MPX_ERR_DTYPE || (result == MPX_ERR_ARGUMENT && mpx__has_no_data(&walk->leaf));
    return mpx__leaf_fail(walk, (mpx_status)result, told ? walk->leaf.dtype : MPX_NONE, MPX_NONE);
}

MPX__INLINE mpx_tree mpx__tree_make(mpx_next_fn next, mpx_retype_fn retype, void *user,
                                    const void *layout, size_t count) {
    mpx_tree tree;
    tree.next = next;
    tree.retype = retype;
    tree.user = user;
    tree.layout = layout;
    tree.count = count;
    return tree;
}

/* ---- walker: an array of leaves -------------------------------------------------------------- */

MPX__PRIVATE int mpx__array_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    const mpx_leaf *leaves = (const mpx_leaf *)tree->user;
    if (at->index[0] >= tree->count) return 0;
    *leaf = leaves[at->index[0]++];
    return 1;
}

MPX__PRIVATE mpx_status mpx__array_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    ((mpx_leaf *)tree->user)[at->index[0] - 1].dtype = dtype;
    return MPX_OK;
}

/* Trees write where `data` says: whoever makes one of constants only reads it. */
MPX__API mpx_leaf mpx_leaf_of(const char *path, const void *data, size_t count, mpx_dtype type) {
    mpx_leaf leaf;
    leaf.path = path;
    leaf.data = (void *)(uintptr_t)data;
    leaf.count = count;
    leaf.dtype = type;
    return leaf;
}

MPX__API mpx_tree mpx_tree_of_leaves(mpx_leaf *leaves, size_t count) {
    return mpx__tree_make(mpx__array_next, mpx__array_retype, leaves, NULL, count);
}

MPX__API void mpx_leaves_of_tensors(mpx_leaf *leaves, const mpx_tensor *tensors, size_t count,
                                    void *memory, mpx_dtype type) {
    unsigned char *start = (unsigned char *)memory;
    size_t i;
    for (i = 0; i < count; i++)
        leaves[i] = mpx_leaf_of(tensors[i].name,
                                start + mpx_dtype_bytes(type, tensors[i].offset),
                                tensors[i].count, type);
}

/* ---- walker: a C struct, field by field ------------------------------------------------------ */

/* The cursor holds, per level, the field (index[2 * level]) and, where that is a node, which of its
   structs (index[2 * level + 1]). Every step descends from the root along them. */
typedef struct mpx__level {
    unsigned char *object;
    const mpx_field *fields;
    size_t count;
} mpx__level;

/* Members are read and written by their bytes: the struct may be packed, and a pointer's type is
   the caller's. */
MPX__PRIVATE size_t mpx__field_count(const mpx_field *f, unsigned char *object) {
    size_t count = f->count;
    if ((f->flags & MPX_FIELD_COUNTED) != 0)
        mpx__copy(&count, object + f->count_offset, sizeof count);
    return count;
}

/* Where the elements of a field are; NULL for a pointer that is not set. */
MPX__PRIVATE unsigned char *mpx__field_data(const mpx_field *f, unsigned char *object) {
    void *data = object + f->offset;
    if ((f->flags & MPX_FIELD_POINTER) != 0) mpx__copy(&data, object + f->offset, sizeof data);
    return (unsigned char *)data;
}

/* Follow the cursor down; with a printer, write the path on the way. */
MPX__PRIVATE mpx__level mpx__descend(const mpx_cursor *at, const mpx_tree *tree,
                                     mpx__printer *path) {
    mpx__level level;
    size_t i;
    level.object = (unsigned char *)tree->user;
    level.fields = (const mpx_field *)tree->layout;
    level.count = tree->count;
    for (i = 0; i < at->depth; i++) {
        const mpx_field *f = &level.fields[at->index[2 * i]];
        size_t element = at->index[2 * i + 1];
        if (path != NULL) {
            mpx__put(path, f->name);
            mpx__put_char(path, '/');
            if ((f->flags & MPX_FIELD_INDEXED) != 0) {
                mpx__put_size(path, element);
                mpx__put_char(path, '/');
            }
        }
        level.object = mpx__field_data(f, level.object) + element * f->stride;
        level.fields = f->fields;
        level.count = f->field_count;
    }
    return level;
}

MPX__PRIVATE int mpx__struct_leaf(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree,
                                  const mpx_field *f, unsigned char *object) {
    mpx__printer path;
    mpx__print_to(&path, at->path, sizeof at->path);
    mpx__descend(at, tree, &path);
    mpx__put(&path, f->name);
    leaf->path = at->path;
    leaf->data = mpx__field_data(f, object);
    leaf->count = leaf->data != NULL ? mpx__field_count(f, object) : 0;
    leaf->dtype = f->dtype;
    if ((f->flags & MPX_FIELD_TYPED) != 0)
        mpx__copy(&leaf->dtype, object + f->dtype_offset, sizeof leaf->dtype);
    return path.length < sizeof at->path ? 1 : MPX_ERR_SPACE;
}

MPX__PRIVATE int mpx__struct_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    for (;;) {
        mpx__level level = mpx__descend(at, tree, NULL);
        size_t *field = &at->index[2 * at->depth], *element = field + 1;
        const mpx_field *f = level.count != 0 ? &level.fields[*field] : NULL;
        if (*field >= level.count) { /* this struct is done: the next one of its node */
            if (at->depth == 0) return 0;
            at->depth--;
            at->index[2 * at->depth + 1]++;
        } else if (f->fields == NULL) {
            ++*field;
            return mpx__struct_leaf(at, leaf, tree, f, level.object);
        } else if (mpx__field_data(f, level.object) == NULL ||
                   *element >= mpx__field_count(f, level.object)) {
            ++*field; /* this node is done */
            *element = 0;
        } else {
            if (at->depth == MPX_TREE_DEPTH) return MPX_ERR_DEPTH;
            at->depth++;
            at->index[2 * at->depth] = 0;
            at->index[2 * at->depth + 1] = 0;
        }
    }
}

MPX__PRIVATE mpx_status mpx__struct_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    mpx__level level = mpx__descend(at, tree, NULL);
    const mpx_field *f = &level.fields[at->index[2 * at->depth] - 1];
    if ((f->flags & MPX_FIELD_TYPED) == 0) return MPX_ERR_FIXED_DTYPE;
    mpx__copy(level.object + f->dtype_offset, &dtype, sizeof dtype);
    return MPX_OK;
}

MPX__API mpx_tree mpx_tree_of_struct(void *object, const mpx_field *fields, size_t field_count) {
    return mpx__tree_make(mpx__struct_next, mpx__struct_retype, object, fields, field_count);
}

/* ---- walker: some leaves of another tree ----------------------------------------------------- */

MPX__PRIVATE int mpx__filter_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    const mpx_tree_filter *f = (const mpx_tree_filter *)tree->layout;
    int result;
    do {
        result = f->tree.next != NULL ? f->tree.next(at, leaf, &f->tree) : 0;
    } while (result > 0 && f->keep != NULL && !f->keep(leaf, f->user));
    return result;
}

MPX__PRIVATE mpx_status mpx__filter_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    const mpx_tree_filter *f = (const mpx_tree_filter *)tree->layout;
    return f->tree.retype(at, dtype, &f->tree);
}

MPX__API mpx_tree mpx_tree_where(const mpx_tree_filter *filter) {
    return mpx__tree_make(mpx__filter_next, filter->tree.retype != NULL ? mpx__filter_retype : NULL,
                          NULL, filter, 0);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* *sum += x; returns 0 where size_t cannot hold it. SIZE_MAX stands for "too large" already. */
MPX__INLINE int mpx__add_size(size_t *sum, size_t x) {
    if (x == (size_t)-1 || x > (size_t)-1 - *sum) return 0;
    *sum += x;
    return 1;
}

MPX__INLINE int mpx__needs_cast(const mpx_leaf *leaf, mpx_dtype to) {
    return to != MPX_NONE && leaf->dtype != to && mpx_dtype_is_floating(leaf->dtype);
}

/* What the leaves are cast to: all to one dtype, or each to what a map says of its path. */
typedef struct mpx__aim {
    mpx_dtype to;
    const mpx_policy_map *map; /* NULL: none */
    mpx_role role;
    int wide_only; /* leaves of 8 bits and fewer stay */
} mpx__aim;

MPX__INLINE mpx__aim mpx__aim_at(mpx_dtype to) {
    mpx__aim aim;
    aim.to = to;
    aim.map = NULL;
    aim.role = MPX_ROLE_PARAM;
    aim.wide_only = 0;
    return aim;
}

/* What one leaf is cast to. */
typedef struct mpx__goal {
    mpx_dtype to;
    int saturate;
} mpx__goal;

/* The only thing that trees know of policies; in policy_map.h. */
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
MPX__PRIVATE mpx_status mpx__map_goal(const mpx_policy_map *map, mpx_role role, const char *path,
                                      mpx__goal *goal);
#else
MPX__INLINE mpx_status mpx__map_goal(const mpx_policy_map *map, mpx_role role, const char *path,
                                     mpx__goal *goal) {
    (void)map;
    (void)role;
    (void)path;
    (void)goal;
    return MPX_OK;
}
#endif

/* Whole elements, packed. dst may be the source where it is no wider. */
MPX__PRIVATE void mpx__cast_to_goal(void *dst, const mpx__goal *goal, const mpx_leaf *src) {
#if !MPX_NO_CAST_WITH
    if (goal->saturate) {
        mpx__cast_saturating(dst, mpx__row_of(goal->to), src->data, mpx__row_of(src->dtype),
                             src->count);
        return;
    }
#endif
    (void)mpx_cast(dst, goal->to, src->data, src->dtype, src->count);
}

/* Is the role one of the three, and the one dtype of all leaves a dtype? */
MPX__PRIVATE mpx_status mpx__check_aim(const mpx__walk *walk, const mpx__aim *aim) {
    if (aim->role < MPX_ROLE_PARAM || aim->role > MPX_ROLE_OUTPUT)
        return mpx__leaf_fail(walk, MPX_ERR_ARGUMENT, MPX_NONE, MPX_NONE);
    if (aim->to == MPX_NONE || mpx_dtype_bits(aim->to) != 0) return MPX_OK;
    return mpx__leaf_fail(walk, MPX_ERR_DTYPE, aim->to, MPX_NONE);
}

/* What the leaf where the walk stands is cast to: a float to a float. */
MPX__PRIVATE mpx_status mpx__aim_leaf(const mpx__walk *walk, const mpx__aim *aim, mpx__goal *goal) {
    mpx_status status = MPX_OK;
    goal->to = aim->to;
    goal->saturate = 0;
    if (aim->wide_only && mpx_dtype_bits(walk->leaf.dtype) <= 8) goal->to = MPX_NONE;
    if (!mpx_dtype_is_floating(walk->leaf.dtype)) return MPX_OK;
    if (aim->map != NULL) status = mpx__map_goal(aim->map, aim->role, walk->leaf.path, goal);
    if (status == MPX_OK && goal->to != MPX_NONE && !mpx_dtype_is_floating(goal->to))
        status = MPX_ERR_DTYPE;
    return status != MPX_OK ? mpx__leaf_fail(walk, status, goal->to, MPX_NONE) : MPX_OK;
}

/* Is the path in the cursor, where the next leaf overwrites it? Then it must be copied. */
MPX__INLINE int mpx__path_is_built(const mpx__walk *walk) {
    return walk->leaf.path == walk->at.path;
}

/* Besides the totals, data = the part of storage that is not paths. */
MPX__PRIVATE mpx_status mpx__measure(const mpx_tree *tree, const mpx__aim *aim, mpx_tree_size *size,
                                     size_t *data, mpx_error *err) {
    mpx__walk walk;
    mpx_tree_size sum;
    mpx_status status;
    size_t paths = 0;
    int more;
    sum.leaves = sum.elements = sum.bytes = sum.storage = 0; /* {0} would call memset on M0+ */
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        mpx__goal goal;
        size_t storage = 0;
        status = mpx__aim_leaf(&walk, aim, &goal);
        if (status != MPX_OK) return status;
        if (mpx__needs_cast(&walk.leaf, goal.to))
            storage = mpx__aligned(mpx_dtype_bytes(goal.to, walk.leaf.count));
        if (mpx__path_is_built(&walk)) paths += mpx__length(walk.leaf.path) + 1;
        sum.leaves++;
        if (!mpx__add_size(&sum.elements, walk.leaf.count) ||
            !mpx__add_size(&sum.storage, storage) ||
            !mpx__add_size(&sum.bytes, mpx_dtype_bytes(walk.leaf.dtype, walk.leaf.count)))
            return mpx__leaf_fail(&walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    }
    if (more < 0) return (mpx_status)more;
    *data = sum.storage;
    if (!mpx__add_size(&sum.storage, mpx__aligned(paths)))
        return mpx__leaf_fail(&walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    *size = sum;
    return MPX_OK;
}

MPX__API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                     mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    size_t data;
    return mpx__measure(&tree, &aim, size, &data, err);
}

MPX__API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_error *err) {
    mpx__walk walk;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (!mpx_dtype_is_floating(walk.leaf.dtype) && !mpx__is_unset(&walk.leaf))
            return mpx__leaf_fail(&walk, MPX_ERR_NOT_FLOATING, walk.leaf.dtype, MPX_NONE);
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_error *err) {
    mpx__walk walk;
    int more, all = 1;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (walk.leaf.count != 0 && all)
            all = mpx_all_finite(walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
    if (more == 0) *finite = all;
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_error *err) {
    mpx__walk walk;
    int more, any = 0;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (!any) any = mpx_any_infinite(walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
    if (more == 0) *infinite = any;
    return (mpx_status)more;
}

/* ---- one tree: casts ------------------------------------------------------------------------- */

/* goal->to: MPX_NONE if the leaf stays as it is. */
MPX__PRIVATE mpx_status mpx__check_in_place(mpx__walk *walk, const mpx__aim *aim, mpx__goal *goal) {
    const mpx_leaf *leaf = &walk->leaf;
    const mpx_tree *tree = walk->tree;
    mpx_status status = mpx__aim_leaf(walk, aim, goal);
    if (status != MPX_OK) return status;
    if (!mpx__needs_cast(leaf, goal->to)) goal->to = MPX_NONE;
    if (goal->to == MPX_NONE) return MPX_OK;
    if (mpx_dtype_bits(goal->to) > mpx_dtype_bits(leaf->dtype))
        return mpx__leaf_fail(walk, MPX_ERR_SPACE, leaf->dtype, goal->to);
    if (tree->retype == NULL || tree->retype(&walk->at, leaf->dtype, tree) != MPX_OK)
        return mpx__leaf_fail(walk, MPX_ERR_FIXED_DTYPE, leaf->dtype, goal->to);
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__cast_in_place(const mpx_tree *tree, const mpx__aim *aim,
                                           mpx_error *err) {
    mpx__walk walk;
    mpx__goal goal;
    mpx_status status;
    int more;
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        status = mpx__check_in_place(&walk, aim, &goal);
        if (status != MPX_OK) return status;
    }
    if (more < 0) return (mpx_status)more;
    mpx__walk_start(&walk, tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        status = mpx__check_in_place(&walk, aim, &goal);
        if (status != MPX_OK) return status;
        if (goal.to == MPX_NONE) continue;
        mpx__cast_to_goal(walk.leaf.data, &goal, &walk.leaf);
        (void)tree->retype(&walk.at, goal.to, tree);
    }
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__cast_in_place(&tree, &aim, err);
}

MPX__API mpx_arena mpx_arena_of(void *data, size_t size, mpx_leaf *leaves, size_t leaf_capacity) {
    mpx_arena arena;
    arena.data = data;
    arena.size = size;
    arena.used = 0;
    arena.leaves = leaves;
    arena.leaf_capacity = leaf_capacity;
    arena.leaves_used = 0;
    return arena;
}

/* p + n, also where C has no sum: NULL + 0. */
MPX__INLINE unsigned char *mpx__forward(void *p, size_t n) {
    return n != 0 ? (unsigned char *)p + n : (unsigned char *)p;
}

/* A piece of storage being handed out from the front. */
typedef struct mpx__room {
    unsigned char *at;
    size_t left;
} mpx__room;

/* NULL if there is not enough left: the second walk gave more than the first. */
MPX__INLINE unsigned char *mpx__take(mpx__room *room, size_t size) {
    unsigned char *at = room->at;
    if (size > room->left) return NULL;
    room->at = mpx__forward(at, size);
    room->left -= size;
    return at;
}

/* A path that the walker built is copied. Returns 0 where there is no room. */
MPX__PRIVATE int mpx__keep_path(mpx_leaf *leaf, const mpx__walk *walk, mpx__room *paths) {
    const size_t n = mpx__path_is_built(walk) ? mpx__length(walk->leaf.path) + 1 : 0;
    char *path;
    if (n == 0) return 1;
    path = (char *)mpx__take(paths, n);
    if (path == NULL) return 0;
    mpx__copy(path, walk->leaf.path, n);
    leaf->path = path;
    return 1;
}

/* One leaf of the new tree: cast if need be, its path copied if the walker built it. */
MPX__PRIVATE mpx_status mpx__cast_leaf(mpx_leaf *leaf, const mpx__walk *walk, const mpx__goal *goal,
                                       mpx__room *data, mpx__room *paths) {
    const mpx_leaf *src = &walk->leaf;
    *leaf = *src;
    if (mpx__needs_cast(src, goal->to)) {
        leaf->data = mpx__take(data, mpx__aligned(mpx_dtype_bytes(goal->to, src->count)));
        leaf->dtype = goal->to;
        if (leaf->data == NULL && src->count != 0) return MPX_ERR_STRUCTURE;
        mpx__cast_to_goal(leaf->data, goal, src);
    }
    return mpx__keep_path(leaf, walk, paths) ? MPX_OK : MPX_ERR_STRUCTURE;
}

/* What is left of an arena's bytes or leaves. */
MPX__INLINE size_t mpx__left(size_t all, size_t used) { return used < all ? all - used : 0; }
MPX__INLINE int mpx__arena_has(const mpx_arena *arena, const mpx_tree_size *size) {
    return size->storage <= mpx__left(arena->size, arena->used) &&
           size->leaves <= mpx__left(arena->leaf_capacity, arena->leaves_used);
}
MPX__PRIVATE mpx_status mpx__arena_lacks(const mpx__walk *walk, const mpx_arena *arena,
                                         const mpx_tree_size *size) {
    const size_t bytes = mpx__left(arena->size, arena->used),
                 leaves = mpx__left(arena->leaf_capacity, arena->leaves_used);
    (void)mpx__leaf_fail(walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    return size->storage > bytes ? mpx__lack(walk->err, "bytes", bytes, size->storage)
                                 : mpx__lack(walk->err, "leaves", leaves, size->leaves);
}

/* The second walk: count leaves into `leaves`. */
MPX__PRIVATE mpx_status mpx__cast_leaves(mpx__walk *walk, const mpx__aim *aim, mpx_leaf *leaves,
                                         size_t count, mpx__room data, mpx__room paths) {
    size_t i = 0;
    int more;
    while ((more = mpx__walk_next(walk)) > 0) {
        mpx__goal goal;
        mpx_status status = mpx__aim_leaf(walk, aim, &goal);
        if (status != MPX_OK) return status;
        status = i < count ? mpx__cast_leaf(&leaves[i], walk, &goal, &data, &paths)
                           : MPX_ERR_STRUCTURE;
        if (status != MPX_OK) return mpx__leaf_fail(walk, status, MPX_NONE, goal.to);
        i++;
    }
    if (more == 0 && i < count) return mpx__leaf_fail(walk, MPX_ERR_STRUCTURE, MPX_NONE, aim->to);
    return (mpx_status)more;
}

MPX__PRIVATE mpx_status mpx__cast_into(mpx_tree *out, const mpx_tree *src, const mpx__aim *aim,
                                       mpx_arena *arena, mpx_error *err) {
    mpx__walk walk;
    mpx_tree_size size;
    mpx_leaf *leaves;
    mpx__room data, paths;
    mpx_status status = mpx__measure(src, aim, &size, &data.left, err);
    if (status != MPX_OK) return status;
    mpx__walk_start(&walk, src, err);
    if (!mpx__arena_has(arena, &size)) return mpx__arena_lacks(&walk, arena, &size);
    leaves = arena->leaves_used != 0 ? arena->leaves + arena->leaves_used : arena->leaves;
    data.at = mpx__forward(arena->data, arena->used);
    paths.at = mpx__forward(data.at, data.left);
    paths.left = size.storage - data.left;
    status = mpx__cast_leaves(&walk, aim, leaves, size.leaves, data, paths);
    if (status != MPX_OK) return status;
    arena->used += size.storage;
    arena->leaves_used += size.leaves;
    *out = mpx_tree_of_leaves(leaves, size.leaves);
    return MPX_OK;
}

MPX__API mpx_status mpx_tree_cast_into(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                       mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__cast_into(out, &src, &aim, arena, err);
}
MPX__API mpx_status mpx_tree_put_dtype(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                       mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    aim.wide_only = 1;
    return mpx__cast_into(out, &src, &aim, arena, err);
}

/* ---- two trees, leaf by leaf ----------------------------------------------------------------- */

MPX__INLINE int mpx__same_path(const char *a, const char *b) {
    if (a == b) return 1;
    if (a == NULL) a = "";
    if (b == NULL) b = "";
    for (; *a == *b && *a != 0; a++)
        b++;
    return *a == *b;
}

/* How the dtypes of two trees may differ: not at all; in any way, but not so that leaves of dst are
   wider and none is narrower; in any way. */
typedef enum mpx__pairing { MPX__SAME, MPX__NARROWS, MPX__ANY_WIDTH } mpx__pairing;

/* May src be cast or scaled into dst? Leaves that are not floating need equal dtypes. */
MPX__PRIVATE mpx_status mpx__check_leaves(const mpx__walk *dst, const mpx__walk *src,
                                          mpx__pairing pairing) {
    const mpx_leaf *d = &dst->leaf, *s = &src->leaf;
    if (!mpx__same_path(d->path, s->path) || d->count != s->count)
        return mpx__leaf_fail(dst, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    if (d->dtype == s->dtype) return MPX_OK;
    if (pairing == MPX__SAME || !mpx_dtype_is_floating(d->dtype) ||
        !mpx_dtype_is_floating(s->dtype))
        return mpx__leaf_fail(dst, MPX_ERR_DTYPE, d->dtype, s->dtype);
    if (d->data == s->data && d->count != 0 && mpx_dtype_bits(d->dtype) > mpx_dtype_bits(s->dtype))
        return mpx__leaf_fail(dst, MPX_ERR_SPACE, d->dtype, s->dtype);
    return MPX_OK;
}

/* The next leaf of both: 1, 0 or a status; MPX_ERR_STRUCTURE where one tree ends before the
   other. */
MPX__PRIVATE int mpx__pair_next(mpx__walk *dst, mpx__walk *src, mpx__pairing pairing) {
    int more_dst = mpx__walk_next(dst), more_src;
    mpx_status status;
    if (more_dst < 0) return more_dst; /* before src can report something else */
    more_src = mpx__walk_next(src);
    if (more_src < 0) return more_src;
    if (more_dst != more_src)
        return mpx__leaf_fail(more_dst ? dst : src, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    if (more_dst == 0) return 0;
    status = mpx__check_leaves(dst, src, pairing);
    return status != MPX_OK ? status : 1;
}

/* What to do with every pair of leaves: cast or, if `scales`, times or divided by the f32 with the
   bits u. wider, narrower, not_finite and sum are results: has dst such leaves? */
typedef struct mpx__errand {
    mpx__pairing pairing;
    int scales, divide, asks_squares, wider, narrower, not_finite;
    uint32_t u;
    uint64_t sum; /* of squares: bits of an f64 */
} mpx__errand;
MPX__INLINE void mpx__errand_set(mpx__errand *errand, mpx__pairing pairing) {
    mpx__zero(errand, sizeof *errand);
    errand->pairing = pairing;
}

/* Returns MPX_ERR_DTYPE for a leaf that is not scaled. */
MPX__PRIVATE mpx_status mpx__scale_pair(const mpx_leaf *d, const mpx_leaf *s,
                                        mpx__errand *errand) {
    int finite = 1;
    mpx_status status;
    mpx__asked asked;
    mpx__zero(&asked, sizeof asked);
    asked.finite = &finite;
#if MPX_NO_REDUCE
    status = mpx__scale_elements(d->data, d->dtype, s->data, s->dtype, s->count, errand->u,
                                 errand->divide, &asked);
#else
    {
        mpx__squares squares;
        mpx__zero(&squares, sizeof squares);
        if (errand->asks_squares) asked.squares = &squares;
        status = mpx__scale_elements(d->data, d->dtype, s->data, s->dtype, s->count, errand->u,
                                     errand->divide, &asked);
        if (errand->asks_squares)
            errand->sum = mpx__f64_sum(errand->sum, mpx__squares_sum(&squares));
    }
#endif
    if (!finite) errand->not_finite = 1;
    return status;
}
/* A leaf that stays where it is and as it is needs no work, unless it is scaled. */
MPX__PRIVATE void mpx__do_pair(const mpx_leaf *d, const mpx_leaf *s, mpx__errand *errand) {
    if (errand->scales && mpx__scale_pair(d, s, errand) == MPX_OK) return;
    if (d->data != s->data || d->dtype != s->dtype)
        (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, s->count);
}

/* Of a pair of leaves: which way do the trees differ? The first that is wider stands in the error. */
MPX__PRIVATE void mpx__note_widths(const mpx__walk *dst, const mpx__walk *src,
                                   mpx__errand *errand) {
    const mpx_dtype d = dst->leaf.dtype, s = src->leaf.dtype;
    const int wider = mpx_dtype_bits(d) - mpx_dtype_bits(s);
    if (wider < 0) errand->narrower = 1;
    if (wider <= 0 || errand->wider) return;
    errand->wider = 1;
    (void)mpx__leaf_fail(dst, MPX_ERR_WIDER, d, s);
}

MPX__PRIVATE mpx_status mpx__pair_walk(const mpx_tree *dst, const mpx_tree *src,
                                       mpx__errand *errand, int work, mpx_error *err) {
    mpx__walk d, s;
    int more;
    mpx__walk_start(&d, dst, err);
    mpx__walk_start(&s, src, err);
    while ((more = mpx__pair_next(&d, &s, errand->pairing)) > 0)
        if (work) mpx__do_pair(&d.leaf, &s.leaf, errand);
        else mpx__note_widths(&d, &s, errand);
    if (more == 0 && errand->pairing == MPX__NARROWS && errand->wider && !errand->narrower)
        return MPX_ERR_WIDER;
    if (more == 0) (void)mpx__fail(err, MPX_OK, 0, 0);
    return (mpx_status)more;
}

MPX__PRIVATE mpx_status mpx__run_errand(const mpx_tree *dst, const mpx_tree *src,
                                        mpx__errand *errand, mpx_error *err) {
    mpx_status status = mpx__pair_walk(dst, src, errand, 0, err);
    return status != MPX_OK ? status : mpx__pair_walk(dst, src, errand, 1, err);
}

MPX__PRIVATE mpx_status mpx__cast_errand(const mpx_tree *dst, const mpx_tree *src,
                                         mpx__pairing pairing, mpx_error *err) {
    mpx__errand errand;
    mpx__errand_set(&errand, pairing);
    return mpx__run_errand(dst, src, &errand, err);
}

MPX__API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_error *err) {
    return mpx__cast_errand(&dst, &src, MPX__NARROWS, err);
}

MPX__API mpx_status mpx_tree_widen(mpx_tree dst, mpx_tree src, mpx_error *err) {
    return mpx__cast_errand(&dst, &src, MPX__ANY_WIDTH, err);
}

MPX__API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_error *err) {
    return mpx__cast_errand(&dst, &src, MPX__SAME, err);
}

#if !MPX_NO_CAST_WITH
/* May a leaf stay in its memory while it is cast? Bytes that hold several elements cannot be spread
   there, nor the other way round. */
MPX__PRIVATE int mpx__may_share(const mpx_leaf *d, const mpx_leaf *s, const mpx_cast_options *opt) {
    int to = mpx_dtype_bits(d->dtype) < 8 ? opt->dst_layout : MPX_LAYOUT_PACKED,
        from = mpx_dtype_bits(s->dtype) < 8 ? opt->src_layout : MPX_LAYOUT_PACKED;
    if (d->data != s->data || d->count == 0) return 1;
    return to == from && (d->dtype == s->dtype || to == MPX_LAYOUT_PACKED);
}

/* One pair under options; without `work` it is only asked whether they serve. What is not floating
   is copied, as it is. */
MPX__PRIVATE mpx_status mpx__pair_with(const mpx_leaf *d, const mpx_leaf *s,
                                       const mpx_cast_options *opt, int work) {
    int stays = d->data == s->data && d->dtype == s->dtype;
    if (!mpx_dtype_is_floating(d->dtype)) {
        if (work && !stays) (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, s->count);
        return MPX_OK;
    }
    if (work && stays && !mpx__wants_stats(opt)) return MPX_OK;
    if (work) return mpx_cast_with(d->data, d->dtype, s->data, s->dtype, s->count, opt);
    if (!mpx__may_share(d, s, opt)) return MPX_ERR_ARGUMENT;
    return mpx__check_cast(d->dtype, s->dtype, s->count, mpx__block_of(s->count, opt), opt);
}

MPX__PRIVATE mpx_status mpx__pair_walk_with(const mpx_tree *dst, const mpx_tree *src,
                                            const mpx_cast_options *opt, int work,
                                            mpx_error *err) {
    mpx__walk d, s;
    mpx_cast_options now;
    int more;
    mpx__copy(&now, opt, sizeof now);
    mpx__walk_start(&d, dst, err);
    mpx__walk_start(&s, src, err);
    while ((more = mpx__pair_next(&d, &s, MPX__NARROWS)) > 0) {
        mpx_status status = mpx__pair_with(&d.leaf, &s.leaf, &now, work);
        if (status != MPX_OK) return mpx__leaf_fail(&d, status, MPX_NONE, MPX_NONE);
        now.offset += d.leaf.count;
    }
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                       mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    if (opt == NULL) return mpx_tree_cast(dst, src, err);
    mpx__errand_set(&errand, MPX__NARROWS);
    status = mpx__pair_walk(&dst, &src, &errand, 0, err);
    if (status == MPX_OK) status = mpx__pair_walk_with(&dst, &src, opt, 0, err);
    return status != MPX_OK ? status : mpx__pair_walk_with(&dst, &src, opt, 1, err);
}
#endif /* !MPX_NO_CAST_WITH */

MPX__API mpx_status mpx_tree_select(mpx_tree dst, mpx_tree a, mpx_tree b, int pick_a,
                                    mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    mpx__errand_set(&errand, MPX__SAME);
    status = mpx__pair_walk(&dst, pick_a ? &b : &a, &errand, 0, err);
    return status != MPX_OK ? status : mpx__run_errand(&dst, pick_a ? &a : &b, &errand, err);
}

/* dst = src scaled by u (f32 bits); *finite is set, both ways. */
MPX__PRIVATE mpx_status mpx__scale_tree(const mpx_tree *dst, const mpx_tree *src, uint32_t u,
                                        int divide, int *finite, mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    mpx__errand_set(&errand, MPX__ANY_WIDTH);
    errand.scales = 1;
    errand.divide = divide;
    errand.u = u;
    status = mpx__run_errand(dst, src, &errand, err);
    if (status == MPX_OK && finite != NULL) *finite = !errand.not_finite;
    return status;
}

MPX__API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__opaque_bits(by), 0, NULL, err);
}

MPX__API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                     mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__opaque_bits(by), 1, finite, err);
}

#if !MPX_NO_REDUCE
MPX__API mpx_status mpx_tree_unscale_squares(mpx_tree dst, mpx_tree src, float by, int *finite,
                                             double *sum, mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    mpx__errand_set(&errand, MPX__ANY_WIDTH);
    errand.scales = errand.divide = errand.asks_squares = 1;
    errand.u = mpx__opaque_bits(by);
    status = mpx__run_errand(&dst, &src, &errand, err);
    if (status != MPX_OK) return status;
    mpx__write64(sum, errand.sum);
    if (finite != NULL) *finite = !errand.not_finite;
    return MPX_OK;
}
/* Leaf by leaf, in the order of the walk; leaves that have no such sum are passed over. */
MPX__API mpx_status mpx_tree_sum_squares(mpx_tree tree, double *sum, mpx_error *err) {
    mpx__walk walk;
    uint64_t bits = 0;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        double one;
        if (mpx_sum_squares(walk.leaf.data, walk.leaf.dtype, walk.leaf.count, &one) == MPX_OK)
            bits = mpx__f64_sum(bits, mpx__read64(&one));
    }
    if (more == 0) mpx__write64(sum, bits);
    return (mpx_status)more;
}

/* most / norm as f32 bits; of the norm, an f64 that is 0 or normal, 24 bits count. */
MPX__PRIVATE uint32_t mpx__clip_factor(uint32_t most, uint64_t norm) {
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    const uint64_t u = (norm + 0x0fffffffu + (norm >> 29 & 1u)) >> 29;
    const uint32_t sig = norm != 0 ? (uint32_t)(u & 0x7fffffu) | 0x800000u : 0;
    mpx__number x, by;
    mpx__load_float(&x, most, f32_row);
    mpx__number_set(&by, 0, MPX__ZERO_OR_FINITE, sig, (int32_t)(u >> 23) - 1023 - 23);
    mpx__number_scale(&x, &by, 1);
    return (uint32_t)mpx__float_code(&x, f32_row, &mpx__to_nearest);
}
MPX__API mpx_status mpx_tree_clip(mpx_tree dst, mpx_tree src, float max_norm, double *norm,
                                  mpx_error *err) {
    const uint32_t most = mpx__opaque_bits(max_norm), one = 0x3f800000u;
    uint32_t factor = one;
    uint64_t bits;
    double sum;
    mpx_status status;
    if (most > 0x7f800000u) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    status = mpx_tree_sum_squares(src, &sum, err);
    if (status != MPX_OK) return status;
    bits = mpx__f64_root(mpx__read64(&sum));
    if (bits >> 52 != 0x7ffu) factor = mpx__clip_factor(most, bits);
    status = factor < one ? mpx__scale_tree(&dst, &src, factor, 0, NULL, err)
                          : mpx__cast_errand(&dst, &src, MPX__ANY_WIDTH, err);
    if (status == MPX_OK && norm != NULL) mpx__write64(norm, bits);
    return status;
}
#endif

#endif /* !MPX_NO_TREE */
/*==========================================================================*
 * MARK: dry_run - what a cast would do to a tree, leaf by leaf              *
 *   Nothing is written but the reports, worst leaf first.                   *
 *==========================================================================*/
#if !MPX_NO_TREE && !MPX_NO_STATS

/* Is part / whole a larger share in a than in b? 1, -1, or 0 where they are equal. */
MPX__PRIVATE int mpx__compare_shares(uint64_t a, uint64_t a_whole, uint64_t b, uint64_t b_whole) {
    double x = a_whole != 0 ? (double)a / (double)a_whole : 0;
    double y = b_whole != 0 ? (double)b / (double)b_whole : 0;
    return x > y ? 1 : x < y ? -1 : 0;
}

/* NaN and Inf for which the target has no code. */
MPX__PRIVATE uint64_t mpx__specials_lost(const mpx_cast_report *report) {
    mpx_dtype_facts to = mpx_dtype_info(report->to);
    return (to.has_nan ? 0 : report->stats.nan) + (to.has_inf ? 0 : report->stats.infinite);
}

/* Worse: a larger share overflows or has no code; then, a larger share becomes zero; then, the
   lower SQNR; then, whichever comes first. */
MPX__PRIVATE int mpx__is_worse(const mpx_cast_report *report, const mpx_cast_report *than) {
    const mpx_cast_stats *a = &report->stats, *b = &than->stats;
    int overflow = mpx__compare_shares(a->overflowed + mpx__specials_lost(report), a->count,
                                       b->overflowed + mpx__specials_lost(than), b->count);
    int zeroed = mpx__compare_shares(a->zeroed, a->count, b->zeroed, b->count);
    double sqnr_a, sqnr_b;
    if (overflow != 0) return overflow > 0;
    if (zeroed != 0) return zeroed > 0;
    sqnr_a = mpx_cast_stats_sqnr(a);
    sqnr_b = mpx_cast_stats_sqnr(b);
    return sqnr_a < sqnr_b || (!(sqnr_b < sqnr_a) && report->index < than->index);
}

/* The reports are a heap, the least bad on top, until they are sorted. One more, in place of what
   is on top: */
MPX__PRIVATE void mpx__heap_down(mpx_cast_report *heap, size_t count,
                                 const mpx_cast_report *report) {
    size_t i = 0, child;
    while ((child = 2 * i + 1) < count) {
        if (child + 1 < count && mpx__is_worse(&heap[child], &heap[child + 1])) child++;
        if (!mpx__is_worse(report, &heap[child])) break;
        mpx__copy(&heap[i], &heap[child], sizeof *heap);
        i = child;
    }
    mpx__copy(&heap[i], report, sizeof *heap);
}
/* At its end, at i: */
MPX__PRIVATE void mpx__heap_up(mpx_cast_report *heap, size_t i, const mpx_cast_report *report) {
    for (; i > 0 && mpx__is_worse(&heap[(i - 1) / 2], report); i = (i - 1) / 2)
        mpx__copy(&heap[i], &heap[(i - 1) / 2], sizeof *heap);
    mpx__copy(&heap[i], report, sizeof *heap);
}
/* Where there is no room for one more, the least bad makes some. */
MPX__PRIVATE void mpx__heap_add(mpx_cast_report *heap, size_t capacity, size_t *count,
                                const mpx_cast_report *report) {
    if (*count < capacity)
        mpx__heap_up(heap, (*count)++, report);
    else if (capacity != 0 && mpx__is_worse(report, heap))
        mpx__heap_down(heap, capacity, report);
}
/* Worst first: what is on top goes to the end. */
MPX__PRIVATE void mpx__heap_sort(mpx_cast_report *heap, size_t count) {
    mpx_cast_report last;
    while (count > 1) {
        count--;
        mpx__copy(&last, &heap[count], sizeof last);
        mpx__copy(&heap[count], heap, sizeof last);
        mpx__heap_down(heap, count, &last);
    }
}

/* Cast a leaf piece by piece into a buffer on the stack, and look at it. */
MPX__PRIVATE void mpx__leaf_stats(mpx_cast_stats *stats, const mpx_leaf *leaf,
                                  const mpx__goal *goal) {
    unsigned char before[MPX__STATS_TILE * 8], codes[MPX__STATS_TILE * 8],
        after[MPX__STATS_TILE * 8];
    size_t step = mpx_dtype_bytes(leaf->dtype, MPX__STATS_TILE), n = leaf->count;
    mpx__target target;
    mpx_leaf part = *leaf;
    mpx__target_set(&target, goal->to);
    for (; n != 0; n -= part.count) {
        part.count = n < MPX__STATS_TILE ? n : MPX__STATS_TILE;
        (void)mpx_cast(before, MPX_F64, part.data, part.dtype, part.count);
        mpx__cast_to_goal(codes, goal, &part);
        (void)mpx_cast(after, MPX_F64, codes, goal->to, part.count);
        mpx__stats_add(stats, &target, before, after, part.count);
        part.data = (unsigned char *)part.data + step;
    }
}

MPX__PRIVATE void mpx__report_set(mpx_cast_report *report, const mpx__walk *walk,
                                  const mpx__goal *goal) {
    mpx__printer path;
    mpx__zero(report, sizeof *report);
    mpx__print_to(&path, report->path, sizeof report->path);
    mpx__put(&path, walk->leaf.path != NULL ? walk->leaf.path : "");
    report->index = walk->index;
    report->from = walk->leaf.dtype;
    report->to = goal->to;
    mpx__leaf_stats(&report->stats, &walk->leaf, goal);
}

MPX__PRIVATE mpx_status mpx__dry_run(const mpx_tree *tree, const mpx__aim *aim,
                                     mpx_cast_report *reports, size_t capacity, size_t *count,
                                     mpx_error *err) {
    mpx__walk walk;
    mpx_cast_report report;
    mpx_status status;
    size_t written = 0;
    int more;
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        mpx__goal goal;
        status = mpx__aim_leaf(&walk, aim, &goal);
        if (status != MPX_OK) return status;
        if (!mpx__needs_cast(&walk.leaf, goal.to)) continue;
        mpx__report_set(&report, &walk, &goal);
        mpx__heap_add(reports, capacity, &written, &report);
    }
    if (more < 0) return (mpx_status)more;
    mpx__heap_sort(reports, written);
    *count = written;
    return MPX_OK;
}

MPX__API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                     size_t capacity, size_t *count, mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__dry_run(&tree, &aim, reports, capacity, count, err);
}

/* ---- printing -------------------------------------------------------------------------------- */

/* x to `digits` places after the point, rounded; below 2^53. */
MPX__PRIVATE void mpx__put_fixed(mpx__printer *out, double x, int digits) {
    double unit = 1;
    size_t whole, part;
    int i;
    if (x < 0) mpx__put_char(out, '-');
    x = x < 0 ? -x : x;
    for (i = 0; i < digits; i++)
        unit *= 10;
    whole = (size_t)x;
    part = (size_t)((x - (double)whole) * unit + 0.5);
    if ((double)part >= unit) {
        whole++;
        part = 0;
    }
    mpx__put_size(out, whole);
    if (digits == 0) return;
    mpx__put_char(out, '.');
    for (i = 1; i < digits; i++) {
        size_t power = 1;
        int k;
        for (k = i; k < digits; k++)
            power *= 10;
        if (part < power) mpx__put_char(out, '0');
    }
    mpx__put_size(out, part);
}

/* Three digits after the point between 0.001 and 100, none up to 10000; beyond, two digits and an
   exponent: 7.00e4. A subnormal is its bits times 2^-1074 = 4.94e-324: arithmetic with it may give
   zero. */
MPX__PRIVATE void mpx__put_number(mpx__printer *out, double x) {
    const uint64_t u = mpx__read64(&x);
    int exponent = 0;
    if (u >= (uint64_t)0x7ff << 52) {
        mpx__put(out, u == (uint64_t)0x7ff << 52 ? "Inf" : "NaN");
        return;
    }
    if (u == 0 || (x >= 0.001 && x < 10000)) {
        mpx__put_fixed(out, x, x >= 100 ? 0 : 3);
        return;
    }
    if (u >> 52 == 0) {
        x = (double)u * 4.9406564584124654;
        exponent = -324;
    }
    for (; x >= 9.995; x /= 10)
        exponent++;
    for (; x < 0.9995; x *= 10)
        exponent--;
    mpx__put_fixed(out, x, 2);
    mpx__put_char(out, 'e');
    if (exponent < 0) mpx__put_char(out, '-');
    mpx__put_size(out, (size_t)(exponent < 0 ? -exponent : exponent));
}

MPX__PRIVATE void mpx__put_count(mpx__printer *out, uint64_t count, const char *what) {
    if (count == 0) return;
    mpx__put(out, ", ");
    mpx__put_u64(out, count);
    mpx__put(out, what);
}

MPX__API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size) {
    const mpx_cast_stats *stats = &report->stats;
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    mpx__put(&out, report->path);
    mpx__put(&out, ": ");
    mpx__put(&out, mpx_dtype_name(report->from));
    mpx__put(&out, " to ");
    mpx__put(&out, mpx_dtype_name(report->to));
    mpx__put(&out, ": ");
    mpx__put_u64(&out, stats->count);
    mpx__put(&out, " values up to ");
    mpx__put_number(&out, stats->max_abs);
    mpx__put_count(&out, stats->nan, " NaN");
    mpx__put_count(&out, stats->infinite, " Inf");
    mpx__put_count(&out, stats->overflowed, " overflow");
    mpx__put_count(&out, stats->zeroed, " become zero");
    mpx__put_count(&out, stats->subnormal, " subnormal");
    if (stats->max_error > 0 || stats->sum_error_squares > 0) {
        mpx__put(&out, ", SQNR ");
        mpx__put_fixed(&out, mpx_cast_stats_sqnr(stats), 1);
        mpx__put(&out, " dB");
    } else if (stats->overflowed + stats->zeroed + mpx__specials_lost(report) == 0) {
        mpx__put(&out, ", exact");
    }
    return out.length;
}

#endif /* !MPX_NO_TREE && !MPX_NO_STATS */
/*==========================================================================*
 * MARK: parallel - casts in pieces, on the caller's threads                 *
 *   Casts are laid end to end, as a row of bytes, and the row is cut into   *
 *   pieces of one size. A task finds its piece by its number alone; where   *
 *   two pieces meet depends on nothing else, so that they never overlap.    *
 *==========================================================================*/
#if !MPX_NO_PARALLEL

#define MPX__PARTS 48         /* leaves that are cut together */
#define MPX__PIECE_UNIT 128u  /* elements: where a packed dtype of any width begins a new byte */
#define MPX__GRAIN (1u << 20) /* bytes a piece: the default, and the least */
#define MPX__LEAST_GRAIN 4096u

/* One cast of n elements. bits: of an element in memory; sizes in bytes. */
typedef struct mpx__part {
    unsigned char *dst;
    const unsigned char *src;
    size_t n, dst_size, src_size;
    mpx_dtype to, from;
    int dst_bits, src_bits;
} mpx__part;

/* Casts laid end to end: total bytes, cut every grain bytes, at multiples of `unit` elements of a
   part. opt may be NULL. Tasks only read it. */
typedef struct mpx__work {
    const mpx__part *parts;
    size_t count, total, grain, unit;
    const mpx_cast_options *opt;
} mpx__work;

/* ---- one piece ------------------------------------------------------------------------------- */

/* Elements from..to of a part. */
MPX__PRIVATE void mpx__cast_range(const mpx__part *part, size_t from, size_t to,
                                  const mpx_cast_options *opt) {
    unsigned char *dst = part->dst + from / 8 * (size_t)part->dst_bits;
    const unsigned char *src = part->src + from / 8 * (size_t)part->src_bits;
#if !MPX_NO_CAST_WITH
    if (opt != NULL) {
        mpx_cast_options piece;
        mpx__copy(&piece, opt, sizeof piece);
        piece.offset += from;
        (void)mpx_cast_with(dst, part->to, src, part->from, to - from, &piece);
        return;
    }
#endif
    (void)opt;
    (void)mpx_cast(dst, part->to, src, part->from, to - from);
}

/* The element where a cut `at` bytes into a part falls: the one there, or one up to `unit`
   before. */
MPX__PRIVATE size_t mpx__cut(const mpx__part *part, size_t unit, size_t at) {
    size_t i;
    if (at >= part->dst_size + part->src_size) return part->n;
    i = at / (size_t)(part->dst_bits + part->src_bits) * 8;
    return i - i % unit;
}

/* The task: piece i. Begin and end are counted from the start of each part in turn. */
MPX__PRIVATE void mpx__run_piece(void *arg, size_t i) {
    const mpx__work *work = (const mpx__work *)arg;
    const mpx__part *part = work->parts, *parts_end = part + work->count;
    size_t begin = i * work->grain, left = work->total - begin;
    size_t end = begin + (left < work->grain ? left : work->grain);
    for (; part < parts_end && end != 0; part++) {
        size_t size = part->dst_size + part->src_size;
        size_t from = mpx__cut(part, work->unit, begin), to = mpx__cut(part, work->unit, end);
        if (from < to) mpx__cast_range(part, from, to, work->opt);
        begin = begin > size ? begin - size : 0;
        end = end > size ? end - size : 0;
    }
}

/* All pieces; one alone runs here. */
MPX__PRIVATE void mpx__run_pieces(mpx__work *work, const mpx_parallel *parallel) {
    size_t grain = parallel->grain != 0 ? parallel->grain : MPX__GRAIN;
    work->grain = grain < MPX__LEAST_GRAIN ? MPX__LEAST_GRAIN : grain;
    if (parallel->run == NULL || work->total <= work->grain) {
        work->grain = work->total;
        mpx__run_piece(work, 0);
        return;
    }
    parallel->run((work->total - 1) / work->grain + 1, mpx__run_piece, work, parallel->user);
}

/* ---- what can be cut ------------------------------------------------------------------------- */

MPX__INLINE int mpx__overlap(const void *a, size_t a_size, const void *b, size_t b_size) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < a_size : x - y < b_size;
}

/* Has each element a whole byte, though it needs fewer bits? */
MPX__INLINE int mpx__fills_bytes(mpx_dtype type, int layout) {
    return layout == MPX_LAYOUT_BYTES && mpx_dtype_bits(type) < 8;
}
MPX__INLINE int mpx__element_bits(mpx_dtype type, int layout) {
    return mpx__fills_bytes(type, layout) ? 8 : mpx_dtype_bits(type);
}
MPX__INLINE size_t mpx__elements_bytes(mpx_dtype type, int layout, size_t n) {
    return mpx__fills_bytes(type, layout) ? n : mpx_dtype_bytes(type, n);
}

/* Returns 0 if the cast must stay whole: elements are not written where they are read, or size_t
   cannot hold the size. n is not 0. */
MPX__PRIVATE int mpx__part_set(mpx__part *part, void *dst, mpx_dtype to, const void *src,
                               mpx_dtype from, size_t n, const mpx_cast_options *opt) {
    int dst_layout = opt != NULL ? opt->dst_layout : 0;
    int src_layout = opt != NULL ? opt->src_layout : 0;
    part->dst = (unsigned char *)dst;
    part->src = (const unsigned char *)src;
    part->n = n;
    part->dst_size = mpx__elements_bytes(to, dst_layout, n);
    part->src_size = mpx__elements_bytes(from, src_layout, n);
    part->to = to;
    part->from = from;
    part->dst_bits = mpx__element_bits(to, dst_layout);
    part->src_bits = mpx__element_bits(from, src_layout);
    if (part->src_size > (size_t)-1 - part->dst_size) return 0;
    return !mpx__overlap(dst, part->dst_size, src, part->src_size) ||
           (dst == src && part->dst_bits == part->src_bits);
}

#if MPX_NO_CAST_WITH /* options are refused */
MPX__INLINE size_t mpx__unit_of(mpx_dtype to, mpx_dtype from, size_t n,
                                const mpx_cast_options *opt) {
    (void)to, (void)from, (void)n, (void)opt;
    return MPX__PIECE_UNIT;
}
MPX__PRIVATE mpx_status mpx__check_options(mpx_dtype to, mpx_dtype from, size_t n,
                                           const mpx_cast_options *opt) {
    (void)n;
    return opt != NULL ? (mpx_status)MPX_ERR_ARGUMENT : mpx_cast(NULL, to, NULL, from, 0);
}
MPX__INLINE mpx_status mpx__cast_whole(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, const mpx_cast_options *opt) {
    (void)opt;
    return mpx_cast(dst, to, src, from, n);
}
#else
/* Where a cast may be cut, in elements: the bytes of a split block hold two elements each, so at
   multiples of the block. 0: nowhere. */
MPX__PRIVATE size_t mpx__unit_of(mpx_dtype to, mpx_dtype from, size_t n,
                                 const mpx_cast_options *opt) {
    int dst_split, src_split;
    size_t block, blocks = MPX__PIECE_UNIT / 2; /* even blocks */
    if (opt == NULL) return MPX__PIECE_UNIT;
    if (mpx__wants_stats(opt)) return 0;
    dst_split = opt->dst_layout == MPX_LAYOUT_SPLIT && mpx_dtype_bits(to) < 8;
    src_split = opt->src_layout == MPX_LAYOUT_SPLIT && mpx_dtype_bits(from) < 8;
    if (!dst_split && !src_split) return MPX__PIECE_UNIT;
    block = mpx__block_of(n, opt);
    return block <= n / blocks ? block * blocks : 0;
}
MPX__PRIVATE mpx_status mpx__check_options(mpx_dtype to, mpx_dtype from, size_t n,
                                           const mpx_cast_options *opt) {
    return opt == NULL ? mpx_cast(NULL, to, NULL, from, 0)
                       : mpx__check_cast(to, from, n, mpx__block_of(n, opt), opt);
}
MPX__INLINE mpx_status mpx__cast_whole(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, const mpx_cast_options *opt) {
    return mpx_cast_with(dst, to, src, from, n, opt);
}
#endif

MPX__API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                      size_t n, const mpx_cast_options *opt, mpx_parallel parallel) {
    mpx__part part;
    mpx__work work;
    mpx_status status = mpx__check_options(to, from, n, opt);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    work.unit = mpx__unit_of(to, from, n, opt);
    if (work.unit == 0 || !mpx__part_set(&part, dst, to, src, from, n, opt))
        return mpx__cast_whole(dst, to, src, from, n, opt);
    work.parts = &part;
    work.count = 1;
    work.total = part.dst_size + part.src_size;
    work.opt = opt;
    mpx__run_pieces(&work, &parallel);
    return MPX_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */
#if !MPX_NO_TREE

/* Leaves that wait to be cast together; total bytes. */
typedef struct mpx__batch {
    mpx__part parts[MPX__PARTS];
    size_t count, total;
    const mpx_parallel *parallel;
} mpx__batch;

MPX__PRIVATE void mpx__batch_run(mpx__batch *batch) {
    mpx__work work;
    work.parts = batch->parts;
    work.count = batch->count;
    work.total = batch->total;
    work.unit = MPX__PIECE_UNIT;
    work.opt = NULL;
    if (batch->count != 0) mpx__run_pieces(&work, batch->parallel);
    batch->count = batch->total = 0;
}

/* Does one part write what the other reads or writes? */
MPX__PRIVATE int mpx__parts_clash(const mpx__part *a, const mpx__part *b) {
    return mpx__overlap(a->dst, a->dst_size, b->dst, b->dst_size) ||
           mpx__overlap(a->dst, a->dst_size, b->src, b->src_size) ||
           mpx__overlap(a->src, a->src_size, b->dst, b->dst_size);
}

/* Must the leaves that wait be cast before this one joins them? */
MPX__PRIVATE int mpx__batch_is_full(const mpx__batch *batch, const mpx__part *part) {
    size_t i;
    if (batch->count == MPX__PARTS) return 1;
    if (part->dst_size + part->src_size > (size_t)-1 - batch->total) return 1;
    for (i = 0; i < batch->count; i++)
        if (mpx__parts_clash(part, &batch->parts[i])) return 1;
    return 0;
}

/* As mpx__do_pair, but later. */
MPX__PRIVATE void mpx__batch_add(mpx__batch *batch, const mpx_leaf *d, const mpx_leaf *s) {
    mpx__part part;
    if (d->count == 0 || (d->data == s->data && d->dtype == s->dtype)) return;
    if (!mpx__part_set(&part, d->data, d->dtype, s->data, s->dtype, d->count, NULL)) {
        mpx__batch_run(batch);
        (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, d->count);
        return;
    }
    if (mpx__batch_is_full(batch, &part)) mpx__batch_run(batch);
    mpx__copy(&batch->parts[batch->count++], &part, sizeof part);
    batch->total += part.dst_size + part.src_size;
}

MPX__API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                           mpx_error *err) {
    mpx__errand errand;
    mpx__batch batch;
    mpx__walk d, s;
    int more;
    mpx__errand_set(&errand, MPX__NARROWS);
    more = mpx__pair_walk(&dst, &src, &errand, 0, err);
    if (more != MPX_OK) return (mpx_status)more;
    batch.count = batch.total = 0;
    batch.parallel = &parallel;
    mpx__walk_start(&d, &dst, err);
    mpx__walk_start(&s, &src, err);
    while ((more = mpx__pair_next(&d, &s, MPX__NARROWS)) > 0)
        mpx__batch_add(&batch, &d.leaf, &s.leaf);
    mpx__batch_run(&batch);
    return (mpx_status)more;
}

#endif /* !MPX_NO_TREE */
#endif /* !MPX_NO_PARALLEL */
/*==========================================================================*
 * MARK: policy_keras - the modes of Keras' quantized policies               *
 *   int8, int4/128, float8, ternary, gptq/4/128, awq/4/128: what stands     *
 *   before "_from_". Source: keras/src/dtype_policies/dtype_policy.py 3.16. *
 *==========================================================================*/
#if !MPX_NO_POLICY

static const char mpx__mode_words[][8] = { "", "int8", "int4", "float8",
                                           "gptq", "awq", "ternary" };
static const char mpx__from_word[] = "_from_";

/* The mode that a text begins with; MPX_QUANT_NONE if none. */
MPX__PRIVATE int mpx__mode_of(mpx__slice text, int ignore_case) {
    int mode = MPX_QUANT_TERNARY;
    while (mode != MPX_QUANT_NONE && !mpx__begins_with(text, mpx__mode_words[mode], ignore_case))
        mode--;
    return mode;
}

#if !MPX_NO_KERAS

/* ---- numbers --------------------------------------------------------------------------------- */

/* Python's int(), in ASCII: blanks around, a sign, digits with single '_' between them. What
   int32_t cannot hold becomes INT32_MIN, which no mode takes. Returns 0 if it is no number. */
MPX__PRIVATE int mpx__read_int(mpx__slice t, int32_t *out) {
    int negative, digits = 0, large = 0;
    uint32_t x = 0;
    t = mpx__trim(t);
    negative = t.n != 0 && t.s[0] == '-';
    if (t.n != 0 && (negative || t.s[0] == '+')) t = mpx__from(t, 1);
    for (; t.n != 0; t = mpx__from(t, 1)) {
        if (t.s[0] == '_' && digits) {
            digits = 0; /* at least one more must follow */
            continue;
        }
        if (t.s[0] < '0' || t.s[0] > '9') return 0;
        digits = 1;
        large = large || x > (uint32_t)INT32_MAX / 10;
        x = large ? 0 : x * 10 + (uint32_t)(t.s[0] - '0');
    }
    large = large || x > (uint32_t)INT32_MAX;
    *out = large ? INT32_MIN : negative ? -(int32_t)x : (int32_t)x;
    return digits;
}

MPX__INLINE int mpx__takes_bits(int mode, int32_t bits) {
    if (mode == MPX_QUANT_AWQ) return bits == 4;
    return bits == 2 || bits == 3 || bits == 4 || bits == 8;
}
/* As a block or group size; -1 is one per channel. */
MPX__INLINE int mpx__takes_size(int32_t size) { return size == -1 || size > 0; }

/* ---- reading --------------------------------------------------------------------------------- */

/* The numbers after the name as their mode takes them: bits and size, or one of history or size. */
MPX__PRIVATE mpx_status mpx__parse_numbers(const mpx__parser *in, mpx__slice rest, int mode,
                                           mpx_policy *out) {
    size_t slash = mpx__find(rest, '/');
    int pair = slash != rest.n, history = mode == MPX_QUANT_FLOAT8;
    mpx__slice first = mpx__slice_of(rest.s, slash);
    mpx__slice last = pair ? mpx__from(rest, slash + 1) : rest;
    int32_t bits = 0, size = 0;
    if (pair && !mpx__read_int(first, &bits)) return mpx__word_fail(in, MPX_ERR_NUMBER, first);
    if (mode == MPX_QUANT_INT4 && mpx__is_word(last, "None", 0))
        size = -1; /* so old checkpoints have it */
    else if (!mpx__read_int(last, &size))
        return mpx__word_fail(in, MPX_ERR_NUMBER, last);
    if (pair && !mpx__takes_bits(mode, bits)) return mpx__word_fail(in, MPX_ERR_RANGE, first);
    if (history ? size < 0 : !mpx__takes_size(size)) return mpx__word_fail(in, MPX_ERR_RANGE, last);
    out->quantization = (mpx_quantization)mode;
    out->weight_bits = (int16_t)bits;
    out->group_size = history ? 0 : size;
    out->amax_history_length = history ? size : 0;
    return MPX_OK;
}

/* The part before "_from_" into the quantization of *out. A name that is no mode's leaves it as it
   was: Keras looks at the source before it says so.
   bare   gptq and awq may stand without numbers, as Keras' classes take them and its names do not
   ANY    float8/16 has a history of 16 steps, which Keras has no text for */
MPX__PRIVATE mpx_status mpx__parse_mode(const mpx__parser *in, mpx__slice text, int bare,
                                        mpx_policy *out) {
    int any = in->opt.dialect == MPX_DIALECT_ANY, mode = mpx__mode_of(text, any);
    size_t end = mpx__find(text, '/'), i;
    int exact = mpx__is_word(mpx__slice_of(text.s, end), mpx__mode_words[mode], any);
    int pair = mode == MPX_QUANT_GPTQ || mode == MPX_QUANT_AWQ, count = 0;
    int single = mode == MPX_QUANT_INT4 || (any && mode == MPX_QUANT_FLOAT8);
    for (i = end; i < text.n; i++)
        count += text.s[i] == '/' && count < 3;
    if (count == 0 && (bare || !pair)) {
        if (exact) out->quantization = (mpx_quantization)mode;
        if (exact && mode == MPX_QUANT_FLOAT8) out->amax_history_length = MPX_AMAX_HISTORY_LENGTH;
        return MPX_OK;
    }
    if (!single && !pair) return MPX_OK;
    if (!exact || count != 1 + pair) return mpx__word_fail(in, MPX_ERR_MODE, text);
    return mpx__parse_numbers(in, mpx__from(text, end + 1), mode, out);
}

/* ---- printing -------------------------------------------------------------------------------- */

MPX__PRIVATE void mpx__put_mode_number(mpx__printer *out, int32_t x) {
    mpx__put_char(out, '/');
    if (x < 0) mpx__put_char(out, '-');
    mpx__put_size(out, (size_t)(x < 0 ? -x : x));
}

/* Does the mode take its fields, and has the dialect a text for them? */
MPX__PRIVATE int mpx__mode_is_good(const mpx_policy *p, mpx_dialect dialect) {
    int mode = p->quantization, any = dialect == MPX_DIALECT_ANY;
    int32_t bits = p->weight_bits, size = p->group_size, history = p->amax_history_length;
    if (!any && dialect != MPX_DIALECT_KERAS) return 0;
    switch (mode) {
    case MPX_QUANT_INT8:
    case MPX_QUANT_TERNARY: return bits == 0 && size == 0 && history == 0;
    case MPX_QUANT_INT4: return bits == 0 && history == 0 && (size == 0 || mpx__takes_size(size));
    case MPX_QUANT_FLOAT8:
        return bits == 0 && size == 0 && (any ? history >= 0 : history == MPX_AMAX_HISTORY_LENGTH);
    case MPX_QUANT_GPTQ:
    case MPX_QUANT_AWQ:
        if (history != 0) return 0;
        if (any && bits == 0 && size == 0) return 1;
        return mpx__takes_bits(mode, bits) && mpx__takes_size(size);
    default: return 0;
    }
}

/* int4/128; returns 0 and prints nothing where there is no such text. */
MPX__PRIVATE int mpx__put_mode(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    int float8 = p->quantization == MPX_QUANT_FLOAT8;
    if (!mpx__mode_is_good(p, dialect)) return 0;
    mpx__put(out, mpx__mode_words[p->quantization]);
    if (p->weight_bits != 0) mpx__put_mode_number(out, p->weight_bits);
    if (p->group_size != 0) mpx__put_mode_number(out, p->group_size);
    if (float8 && p->amax_history_length != MPX_AMAX_HISTORY_LENGTH)
        mpx__put_mode_number(out, p->amax_history_length);
    return 1;
}

#endif /* !MPX_NO_KERAS */
#endif /* !MPX_NO_POLICY */
/*==========================================================================*
 * MARK: policy - text to policy and back                                    *
 *   One parser. The dialects differ in few places, each a question asked of *
 *   mpx__parser: which names count, what is stripped, which keys there are. *
 *==========================================================================*/
#if !MPX_NO_POLICY

MPX__ONCE void mpx__policy_set(mpx_policy *p, mpx_dtype param, mpx_dtype compute,
                               mpx_dtype output) {
    p->param = param;
    p->compute = compute;
    p->output = output;
    p->quantization = MPX_QUANT_NONE;
    p->weight_bits = 0;
    p->group_size = 0;
    p->amax_history_length = 0;
}

/* The functions below read the slice that they are given; where they fail, it becomes what is
   wrong. Slices are passed on by value in copies whose address nobody has taken: else gcc calls
   memcpy. */

/* ANY and eformer strip blanks around parts and values; ANY around keys too. jmp takes every byte
   as it is. */
MPX__INLINE void mpx__strip_it(const mpx__parser *in, mpx__slice *t) {
    mpx_dialect dialect = mpx__dialect(&in->opt);
    if (dialect == MPX_DIALECT_ANY || dialect == MPX_DIALECT_EFORMER) mpx__trim_it(t);
}

/* The number of the role a key names, or -1: the keys stand in rows of param, compute, output. Axon
   prints single letters, the last row is ours. */
MPX__ONCE int mpx__role_of(mpx_dialect dialect, mpx__slice key) {
    static const char keys[] = "p\0c\0o\0params\0compute\0output\0param\0=\0outputs";
    int any = dialect == MPX_DIALECT_ANY, last = any ? 9 : dialect == MPX_DIALECT_AXON ? 3 : 6, i;
    const char *word = keys;
    for (i = 0; !mpx__is_word(key, word, any); word += mpx__length(word) + 1)
        if (++i == last) return -1;
    while (i > 2)
        i -= 3;
    return i;
}

/* One part. The order of the checks is jmp's: number of '=', then the value, then the key; eformer
   ignores keys it does not know; in Axon the first of repeated keys wins. */
MPX__PRIVATE mpx_status mpx__parse_part(const mpx__parser *in, mpx__slice *word,
                                        mpx_dtype role[3]) {
    const mpx_dialect dialect = mpx__dialect(&in->opt);
    mpx__slice part = mpx__slice_of(word->s, word->n), value;
    size_t equals = mpx__find(part, '='), second;
    mpx_dtype type;
    int i;
    if (equals == part.n) return MPX_ERR_MISSING_EQUALS;
    value = mpx__from(part, equals + 1);
    second = mpx__find(value, '=');
    word->s = value.s + second;
    word->n = 1;
    if (second != value.n) return MPX_ERR_EXTRA_EQUALS;
    word->s = value.s;
    word->n = value.n;
    mpx__strip_it(in, word);
    type = mpx__lookup(mpx__slice_of(word->s, word->n), &in->opt);
    if (type == MPX_NONE) return MPX_ERR_DTYPE;
    word->s = part.s;
    word->n = equals;
    if (dialect == MPX_DIALECT_ANY) mpx__trim_it(word);
    i = mpx__role_of(dialect, mpx__slice_of(word->s, word->n));
    if (i < 0) return dialect == MPX_DIALECT_EFORMER ? MPX_OK : MPX_ERR_KEY;
    if (dialect != MPX_DIALECT_AXON || role[i] == MPX_NONE) role[i] = type;
    return MPX_OK;
}

/* p=f32,c=bf16,o=f32: param starts as float32, compute follows param, output follows compute.
   Printed, p=f32 c=bf16: as many blanks as one likes, and roles that are left out stay unset. */
MPX__ONCE mpx_status mpx__parse_parts(const mpx__parser *in, mpx__slice *text, int printed,
                                      mpx_policy *out) {
    const char *s = text->s;
    size_t left = text->n, gap;
    mpx_dtype role[3];
    role[0] = printed ? MPX_NONE : MPX_F32;
    role[1] = MPX_NONE;
    role[2] = MPX_NONE;
    for (;;) {
        text->s = s;
        for (gap = 0; left != 0; s++, left--) {
            gap = printed ? mpx__blank_size(s, left) : *s == ',';
            if (gap != 0) break;
        }
        text->n = (size_t)(s - text->s);
        mpx__strip_it(in, text);
        if (!printed || text->n != 0) {
            mpx_status status = mpx__parse_part(in, text, role);
            if (status != MPX_OK) return status;
        }
        if (left == 0) break;
        s += gap;
        left -= gap;
    }
    if (!printed && role[1] == MPX_NONE) role[1] = role[0];
    if (!printed && role[2] == MPX_NONE) role[2] = role[1];
    mpx__policy_set(out, role[0], role[1], role[2]);
    return MPX_OK;
}

/* Axon's printed form, with or without its name: <p=f32 c=bf16>. In Axon's own dialect the first of
   repeated keys wins, as create_policy has it. */
static const char mpx__axon_prefix[] = "#Axon.MixedPrecision.Policy";

MPX__INLINE mpx__slice mpx__after_prefix(mpx__slice text) {
    int prefixed = MPX_NO_DIALECTS ? 0 : mpx__begins_with(text, mpx__axon_prefix, 0);
    return prefixed ? mpx__from(text, sizeof mpx__axon_prefix - 1) : text;
}

/* Of <...> what stands inside; 0 if it does not end so. */
MPX__ONCE int mpx__open_printed(mpx__slice *text) {
    mpx__slice whole = mpx__slice_of(text->s, text->n), rest;
    size_t close = mpx__find(whole, '>');
    text->s++;
    text->n = close - 1;
    if (close + 1 == whole.n) return 1;
    rest = mpx__from(whole, close + (close != whole.n));
    text->s = rest.s;
    text->n = rest.n;
    mpx__trim_it(text);
    if (text->n == 0) {
        text->s = rest.s;
        text->n = rest.n;
    }
    return 0;
}

/* Keras: mixed_float16 and mixed_bfloat16, no other names, keep float32 variables; a dtype stands
   for all roles, that of mixed_torch.float16 too. */
MPX__ONCE mpx_status mpx__parse_name(const mpx__parser *in, mpx__slice *text, mpx_policy *out) {
    mpx__slice word = mpx__slice_of(text->s, text->n);
    mpx_dtype type;
#if !MPX_NO_DIALECTS
    int keras = mpx__is_keras(mpx__dialect(&in->opt)),
        any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    if ((keras || any) && mpx__begins_with(word, "mixed_", any)) {
        mpx__slice low = mpx__from(word, 6);
        type = mpx__is_word(low, "float16", any)    ? MPX_F16
               : mpx__is_word(low, "bfloat16", any) ? MPX_BF16
                                                    : MPX_NONE;
        type = mpx__type_of(mpx__row_of(type));
        if (type != MPX_NONE) {
            mpx__policy_set(out, MPX_F32, type, type);
            return MPX_OK;
        }
    }
#endif
    type = mpx__lookup(word, &in->opt);
    if (type == MPX_NONE) return MPX_ERR_DTYPE;
    mpx__policy_set(out, type, type, type);
    return MPX_OK;
}

/* Which grammar the text follows: printed form, parts, or one name. */
MPX__PRIVATE mpx_status mpx__parse_plain(const mpx__parser *in, mpx__slice *text,
                                         mpx_policy *out) {
    mpx_dialect dialect = mpx__dialect(&in->opt);
    mpx__slice whole = mpx__slice_of(text->s, text->n);
    int printed = 0;
    if (dialect == MPX_DIALECT_ANY || dialect == MPX_DIALECT_AXON) {
        mpx__slice inside = mpx__after_prefix(whole);
        printed = inside.n != 0 && inside.s[0] == '<' &&
                  mpx__lookup(whole, &in->opt) == MPX_NONE; /* not <f4 */
        if (dialect == MPX_DIALECT_AXON && !printed) return MPX_ERR_SYNTAX;
        if (printed) {
            text->s = inside.s;
            text->n = inside.n;
            if (!mpx__open_printed(text)) return MPX_ERR_SYNTAX;
        }
    }
    if (printed || (!mpx__is_keras(dialect) && mpx__find(whole, '=') != whole.n))
        return mpx__parse_parts(in, text, printed, out);
    return mpx__parse_name(in, text, out);
}

#if !MPX_NO_KERAS
/* The policy with the quantization of mode, which has no roles. Fails where Keras' class does. */
MPX__PRIVATE mpx_status mpx__quantize(const mpx_policy *source, const mpx_policy *mode,
                                      mpx_policy *out) {
    mpx_policy p;
    mpx__policy_set(&p, source->param, source->compute, source->output);
    if (source->quantization != MPX_QUANT_NONE) return MPX_ERR_UNSUPPORTED;
    if (mode->quantization == MPX_QUANT_INT8 && p.compute == MPX_F16) return MPX_ERR_UNSUPPORTED;
    p.quantization = mode->quantization;
    p.weight_bits = mode->weight_bits;
    p.group_size = mode->group_size;
    p.amax_history_length = mode->amax_history_length;
    *out = p;
    return MPX_OK;
}

/* int4/128_from_mixed_bfloat16. The order of the checks is Keras': the pair, the numbers of the
   mode, the source, the name of the mode, and whether they go together. */
MPX__PRIVATE mpx_status mpx__parse_quantized(const mpx__parser *in, mpx__slice text,
                                             mpx_policy *out) {
    int any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    size_t at = mpx__find_word(text, mpx__from_word, any), again;
    mpx__slice mode, source, wrong;
    mpx_policy p, quantization;
    mpx_status status;
    mpx__policy_set(&quantization, MPX_NONE, MPX_NONE, MPX_NONE);
    if (at == text.n) return mpx__word_fail(in, MPX_ERR_PAIR, text);
    source = mpx__from(text, at + sizeof mpx__from_word - 1);
    again = mpx__find_word(source, mpx__from_word, any);
    if (again != source.n) return mpx__word_fail(in, MPX_ERR_PAIR, mpx__from(source, again));
    mode = mpx__slice_of(text.s, at);
    mpx__strip_it(in, &mode);
    mpx__strip_it(in, &source);
    status = mpx__parse_mode(in, mpx__slice_of(mode.s, mode.n), any, &quantization);
    if (status != MPX_OK) return status;
    wrong = mpx__slice_of(source.s, source.n);
    status = mpx__parse_plain(in, &wrong, &p);
    if (status != MPX_OK) return mpx__word_fail(in, status, wrong);
    if (quantization.quantization == MPX_QUANT_NONE) return mpx__word_fail(in, MPX_ERR_MODE, mode);
    status = mpx__quantize(&p, &quantization, out);
    return status != MPX_OK ? mpx__word_fail(in, status, source) : MPX_OK;
}
#else
MPX__INLINE mpx_status mpx__parse_quantized(const mpx__parser *in, mpx__slice text,
                                            mpx_policy *out) {
    (void)out;
    return mpx__word_fail(in, MPX_ERR_DTYPE, text);
}
#endif

#if MPX_NO_DIALECTS
MPX__INLINE int mpx__is_quantized(const mpx__parser *in, mpx__slice text) {
    (void)in, (void)text;
    return 0;
}
#else
/* Keras takes every text that begins like a mode for a quantized policy, "int8" included; ANY those
   with "_from_" or '/' in them. */
MPX__PRIVATE int mpx__is_quantized(const mpx__parser *in, mpx__slice text) {
    int any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    if (!any && mpx__dialect(&in->opt) != MPX_DIALECT_KERAS) return 0;
    if (mpx__mode_of(text, any) == MPX_QUANT_NONE) return 0;
    return !any || mpx__find(text, '/') != text.n ||
           mpx__find_word(text, mpx__from_word, 1) != text.n;
}
#endif

MPX__PRIVATE mpx_status mpx__parse_policy(const mpx__parser *in, mpx_policy *out) {
    mpx__slice text = mpx__slice_of(in->text.s, in->text.n), whole;
    mpx_status status;
    mpx__strip_it(in, &text);
    whole.s = text.s;
    whole.n = text.n;
    if (mpx__dialect(&in->opt) == MPX_DIALECT_ANY && text.n == 0) {
        text.s = in->text.s;
        status = MPX_ERR_EMPTY;
    } else if (mpx__is_quantized(in, whole)) {
        return mpx__parse_quantized(in, whole, out);
    } else {
        status = mpx__parse_plain(in, &text, out);
    }
    return status != MPX_OK ? mpx__word_fail(in, status, mpx__slice_of(text.s, text.n)) : MPX_OK;
}

MPX__API mpx_status mpx_policy_parse_n(const char *text, size_t len, mpx_parse_options opt,
                                       mpx_policy *out, mpx_error *err) {
    mpx__parser in;
    MPX_ASSERT(out != NULL && (text != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__parser_set(&in, text, len, &opt, err);
    return mpx__parse_policy(&in, out);
}

MPX__API mpx_status mpx_policy_parse_with(const char *text, mpx_parse_options opt, mpx_policy *out,
                                          mpx_error *err) {
    return mpx_policy_parse_n(text, mpx__length(text), opt, out, err);
}

MPX__API mpx_status mpx_policy_parse(const char *text, mpx_policy *out, mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_parse_with(text, any, out, err);
}

/* ---- printing -------------------------------------------------------------------------------- */

/* The shortest word by which that system reads the dtype back; NULL if it has none. */
MPX__PRIVATE const char *mpx__word_for(mpx_dtype type, mpx_dialect dialect) {
    const mpx__row *row = mpx__row_of(type);
    unsigned system = mpx__system_of(dialect);
    size_t i;
    if (system == MPX__ANY) return row->short_name;
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if (mpx__aliases[i].dtype == type && (mpx__aliases[i].systems & system) != 0)
            return mpx__aliases[i].word;
    if ((row->short_systems & system) != 0) return row->short_name;
    return (row->name_systems & system) != 0 ? row->name : NULL;
}

/* Print the set roles as key=dtype with a separator; 0 if one has no word in the dialect. */
MPX__PRIVATE int mpx__put_roles(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect,
                                char separator) {
    static const char key[4] = "pco";
    mpx_dtype role[3];
    int i, lead = 0;
    role[0] = p->param;
    role[1] = p->compute;
    role[2] = p->output;
    for (i = 0; i < 3; i++) {
        const char *word = mpx__word_for(role[i], dialect);
        if (role[i] == MPX_NONE) continue;
        if (word == NULL || word[0] == '\0') return 0;
        if (lead != 0) mpx__put_char(out, lead);
        mpx__put_char(out, key[i]);
        mpx__put_char(out, '=');
        mpx__put(out, word);
        lead = separator;
    }
    return 1;
}

/* The name of a policy that is not quantized; 0 if Keras has none. alone: the name must be one that
   keras.dtype_policies.get reads by itself, so words which begin like a mode will not do. */
MPX__PRIVATE int mpx__put_keras(mpx__printer *out, const mpx_policy *p, int alone) {
    int mixed = p->param == MPX_F32 && (p->compute == MPX_F16 || p->compute == MPX_BF16), known;
    const char *word = mpx_dtype_name(p->compute);
    known = (mpx__row_of(p->compute)->name_systems & MPX__KERAS) != 0;
    if (!known || p->output != p->compute || (!mixed && p->param != p->compute)) return 0;
    if (alone && !mixed && mpx__mode_of(mpx__slice_of(word, mpx__length(word)), 0) != 0) return 0;
    if (mixed) mpx__put(out, "mixed_");
    mpx__put(out, word);
    return 1;
}

MPX__PRIVATE int mpx__put_plain(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    int all_set = p->param != MPX_NONE && p->compute != MPX_NONE && p->output != MPX_NONE;
    int printed = dialect == MPX_DIALECT_AXON || (dialect == MPX_DIALECT_ANY && !all_set), ok;
    if (mpx__is_keras(dialect)) return mpx__put_keras(out, p, dialect == MPX_DIALECT_KERAS);
    if (!printed && !all_set) return 0;
    if (dialect == MPX_DIALECT_AXON) mpx__put(out, mpx__axon_prefix);
    if (printed) mpx__put_char(out, '<');
    ok = mpx__put_roles(out, p, dialect, printed ? ' ' : ',');
    if (printed) mpx__put_char(out, '>');
    return ok;
}

/* Only what the dialect reads back as the same value. */
#if !MPX_NO_KERAS
MPX__PRIVATE int mpx__put_quantized(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    if (p->quantization == MPX_QUANT_INT8 && p->compute == MPX_F16) return 0;
    if (!mpx__put_mode(out, p, dialect)) return 0;
    mpx__put(out, mpx__from_word);
    return mpx__put_keras(out, p, 0) ||
           (dialect == MPX_DIALECT_ANY && mpx__put_plain(out, p, dialect));
}
#else
MPX__INLINE int mpx__put_quantized(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    (void)out;
    (void)p;
    (void)dialect;
    return 0;
}
#endif

MPX__PRIVATE int mpx__put_policy(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    int quantized = p->quantization | p->weight_bits | p->group_size | p->amax_history_length;
    if (quantized == 0) return mpx__put_plain(out, p, dialect);
    return p->quantization != MPX_QUANT_NONE && mpx__put_quantized(out, p, dialect);
}

MPX__PRIVATE size_t mpx__format_policy(const mpx_policy *p, mpx_dialect dialect, char *buf,
                                       size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (!mpx__has_dialect(dialect)) return 0;
    if (mpx__put_policy(&out, p, dialect)) return out.length;
    if (size != 0) buf[0] = '\0';
    return 0;
}

MPX__API size_t mpx_policy_format_with(mpx_policy p, mpx_dialect dialect, char *buf, size_t size) {
    return mpx__format_policy(&p, dialect, buf, size);
}

MPX__API size_t mpx_policy_format(mpx_policy p, char *buf, size_t size) {
    return mpx__format_policy(&p, MPX_DIALECT_ANY, buf, size);
}

/* ---- values ---------------------------------------------------------------------------------- */

MPX__API mpx_policy mpx_policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output) {
    mpx_policy p;
    mpx__policy_set(&p, param, compute, output);
    return p;
}
MPX__API int mpx_policy_equal(mpx_policy a, mpx_policy b) {
    return a.param == b.param && a.compute == b.compute && a.output == b.output &&
           a.quantization == b.quantization && a.weight_bits == b.weight_bits &&
           a.group_size == b.group_size && a.amax_history_length == b.amax_history_length;
}

#if !MPX_NO_KERAS
MPX__API mpx_status mpx_policy_quantize_n(mpx_policy source, const char *mode, size_t len,
                                          mpx_parse_options opt, mpx_policy *out, mpx_error *err) {
    mpx__parser in;
    mpx__slice word;
    mpx_policy quantization;
    mpx_status status;
    mpx__policy_set(&quantization, MPX_NONE, MPX_NONE, MPX_NONE);
    MPX_ASSERT(out != NULL && (mode != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__parser_set(&in, mode, len, &opt, err);
    word = mpx__slice_of(in.text.s, in.text.n);
    mpx__strip_it(&in, &word);
    status = mpx__parse_mode(&in, word, 1, &quantization);
    if (status != MPX_OK) return status;
    if (quantization.quantization == MPX_QUANT_NONE) return mpx__word_fail(&in, MPX_ERR_MODE, word);
    status = mpx__quantize(&source, &quantization, out);
    return status != MPX_OK ? mpx__word_fail(&in, status, word) : MPX_OK;
}

MPX__API mpx_status mpx_policy_quantize(mpx_policy source, const char *mode, mpx_policy *out,
                                        mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_quantize_n(source, mode, mpx__length(mode), any, out, err);
}
#endif

#endif /* !MPX_NO_POLICY */
/*==========================================================================*
 * MARK: pattern - globs and regular expressions, matched in linear time     *
 *   Text becomes steps; all ways through the steps are followed at once,    *
 *   character by character (Thompson 1968), so nothing is ever tried again. *
 *==========================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP

/* Steps that take one character: this one; any but a line feed; any; any but '/'; one of the class
   or escape that stands at `arg` of the pattern. Steps that take none: the place holds what the
   letter `arg` says; go on both here and `to` steps further; go on `to` steps further. */
enum {
    MPX__CHAR,
    MPX__NO_LINE,
    MPX__EVERY,
    MPX__SEGMENT,
    MPX__CLASS,
    MPX__HOLDS,
    MPX__FORK,
    MPX__JUMP
};
enum { MPX__SKIP = 1, MPX__AGAIN = 2 }; /* a step may be left out; may take more than one */

typedef struct mpx__step {
    uint32_t arg;
    int16_t to; /* of a class: 1 + which long one it is; 0: a short one */
    uint8_t kind, flags;
} mpx__step;

/* A group being read: where its '(' is; where its steps begin, and those after its last '|'. */
typedef struct mpx__group {
    size_t open;
    uint8_t start, bar, has_bar;
} mpx__group;

/* What is kept of a pattern: bytes of plain text at both ends, and which pairs of bytes its plain
   text has: a path without one of them does not match. */
typedef struct mpx__outline {
    size_t prefix, suffix;
    uint32_t needs[8];
} mpx__outline;

/* A class too long to be read for every character: which of ASCII it takes, one bit each; the last
   other character that it was asked for, and whether it takes that. */
typedef struct mpx__long_class {
    uint32_t ascii[4], code;
    int takes;
} mpx__long_class;

enum { MPX__GROUPS = 16 };                              /* groups within groups */
enum { MPX__LONG_CLASSES = 8, MPX__LONG_CLASS = 64 }; /* how many; more bytes are long */
enum { MPX__NOTHING, MPX__ATOM, MPX__REPEATED };
/* Flags of a pattern, in the order of the letters of mpx__read_flags. */
enum {
    MPX__ASCII_ONLY = 1,
    MPX__ANY_CASE = 2,
    MPX__LINES = 4,
    MPX__DOT_ALL = 8,
    MPX__VERBOSE = 16
};
#define MPX__NOWHERE ((size_t)-1)

typedef struct mpx__pattern {
    mpx__slice text;
    size_t at, end;            /* where it is read, and up to where */
    size_t wrong, extent;      /* what cannot be read */
    size_t count, atom, depth; /* steps; where those of the last item begin; open groups */
    int last;                  /* what the last item is: MPX__ATOM may be repeated */
    int glob;                  /* else a regular expression */
    int dry, too_large;        /* no steps are made; they were too many */
    size_t names, long_classes; /* named groups, when dry: step[i].arg is where they are */
    mpx__long_class long_class[MPX__LONG_CLASSES];
    /* Up to where nothing but flags, '^', \A and look-aheads stand; which of '^' and \A came last,
       '!' for a look-ahead; the last look-ahead; one before which neither of them stands. */
    size_t head;
    int flags, begun;
    size_t ahead, loose;
    mpx__group group[MPX__GROUPS + 1];
    mpx__step step[MPX_PATTERN_STEPS + 1]; /* one to spare */
} mpx__pattern;

/* ---- characters ------------------------------------------------------------------------------ */

#define MPX__NO_CHAR 0xffffffffu
#define MPX__NO_UNICODE 0x110000u /* from here on: bytes that are no character */

/* The character at the start of t (not empty) in UTF-8; a byte that is none counts as one, and
   equals itself alone. Returns its bytes. */
MPX__PRIVATE size_t mpx__utf8(mpx__slice t, uint32_t *code) {
    uint32_t a = (unsigned char)t.s[0], least = 0x80, x;
    size_t size = a < 0x80 ? 1 : a < 0xc2 ? 0 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : a < 0xf5 ? 4 : 0, i;
    *code = a;
    if (size == 1) return 1;
    *code = MPX__NO_UNICODE + a;
    if (size == 0 || size > t.n) return 1;
    x = a & (0x7fu >> size);
    for (i = 1; i < size; i++) {
        uint32_t b = (unsigned char)t.s[i];
        if ((b & 0xc0u) != 0x80u) return 1;
        x = x << 6 | (b & 0x3fu);
    }
    if (size > 2) least = size == 3 ? 0x800 : 0x10000;
    if (x < least || x > 0x10ffffu || (x >= 0xd800u && x < 0xe000u)) return 1;
    *code = x;
    return size;
}

/* The character that ends at `at`. */
MPX__PRIVATE uint32_t mpx__char_before(mpx__slice t, size_t at) {
    uint32_t code = MPX__NO_CHAR;
    size_t size;
    for (size = 1; size <= 4 && size <= at; size++)
        if (mpx__utf8(mpx__slice_of(t.s + at - size, size), &code) == size &&
            code < MPX__NO_UNICODE)
            return code;
    return at != 0 ? MPX__NO_UNICODE + (unsigned char)t.s[at - 1] : MPX__NO_CHAR;
}

MPX__INLINE int mpx__in(uint32_t code, uint32_t low, uint32_t high) {
    return code >= low && code <= high;
}

/* What Python's str.isspace takes. */
MPX__PRIVATE int mpx__is_space(uint32_t c) {
    if (c < 0x80) return mpx__in(c, 9, 13) || mpx__in(c, 28, 32);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || mpx__in(c, 0x2000, 0x200a) ||
           mpx__in(c, 0x2028, 0x2029) || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Letters, digits and '_'; beyond ASCII, whose tables are not here, all that is no blank. */
MPX__PRIVATE int mpx__is_word_char(uint32_t c) {
    if (c >= 0x80) return c < MPX__NO_UNICODE && !mpx__is_space(c);
    return mpx__in(c, '0', '9') || mpx__in(c | 0x20u, 'a', 'z') || c == '_';
}

/* Is the character in \d, \s, \w? In capitals: is it not? */
MPX__PRIVATE int mpx__set_takes(const mpx__pattern *p, int set, uint32_t c) {
    int only = (p->flags & MPX__ASCII_ONLY) != 0, takes;
    switch (set | 0x20) {
    case 'd': takes = mpx__in(c, '0', '9'); break;
    case 's': takes = only ? mpx__in(c, 9, 13) || c == ' ' : mpx__is_space(c); break;
    default: takes = mpx__is_word_char(c) && !(only && c >= 0x80);
    }
    return takes != (set < 'a');
}

/* The letter of ASCII in the other case, if case says nothing; else the character itself. */
MPX__PRIVATE uint32_t mpx__other_case(const mpx__pattern *p, uint32_t c) {
    return (p->flags & MPX__ANY_CASE) != 0 && mpx__in(c | 0x20u, 'a', 'z') ? c ^ 0x20u : c;
}

MPX__PRIVATE int mpx__same_bytes(const char *a, const char *b, size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        if (a[i] != b[i]) return 0;
    return 1;
}

/* The pairs of neighbours in t, one bit for about 256 of them (Fibonacci hashing). */
MPX__PRIVATE void mpx__add_pairs(uint32_t *set, mpx__slice t) {
    size_t i;
    for (i = 1; i < t.n; i++) {
        uint32_t a = (unsigned char)t.s[i - 1], b = (unsigned char)t.s[i];
        uint32_t hash = (a << 8 | b) * 0x9e3779b1u;
        set[hash >> 29] |= 1u << (hash >> 24 & 31);
    }
}

/* ---- escapes and classes --------------------------------------------------------------------- */

/* The value of up to `most` digits in base 8 or 16 at the start of t, and how many there are. */
MPX__PRIVATE uint32_t mpx__digits(mpx__slice t, uint32_t base, size_t most, size_t *count) {
    uint32_t x = 0;
    size_t n;
    for (n = 0; n < most && n < t.n; n++) {
        uint32_t c = (unsigned char)mpx__lower(t.s[n]);
        uint32_t digit = mpx__in(c, '0', '9') ? c - '0' : mpx__in(c, 'a', 'f') ? c - 'a' + 10 : 99;
        if (digit >= base) break;
        x = x * base + digit;
    }
    *count = n;
    return x;
}

/* What an escape says: MPX__SAYS_CHAR (the character is in *code), or the letter of a set or of a
   place; 0: it is none that can be read. */
enum { MPX__SAYS_CHAR = 1 };

#if !MPX_NO_REGEX
/* \x41, \u0041, \U00000041. */
MPX__PRIVATE int mpx__read_hex(mpx__slice t, size_t digits, size_t *size, uint32_t *code) {
    size_t count;
    *code = mpx__digits(t, 16, digits, &count);
    *size += count;
    return count == digits && *code < MPX__NO_UNICODE ? MPX__SAYS_CHAR : 0;
}

/* \0, \012, \101. In classes \1 and \12 too; elsewhere those would be references to groups. */
MPX__PRIVATE int mpx__read_octal(mpx__slice t, int in_class, size_t *size, uint32_t *code) {
    size_t count;
    *code = mpx__digits(t, 8, 3, &count);
    *size = 1 + count;
    if (count == 0 || *code > 255) return 0;
    return in_class || t.s[0] == '0' || count == 3 ? MPX__SAYS_CHAR : 0;
}

/* The escape at the start of t, in the rules of Python's re. *size: its bytes, also of a wrong
   one. */
MPX__PRIVATE int mpx__read_escape(mpx__slice t, int in_class, size_t *size, uint32_t *code) {
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    uint32_t c = 0;
    size_t i;
    *size = 1;
    if (t.n < 2) return 0;
    *size += mpx__utf8(mpx__from(t, 1), &c);
    *code = c;
    if (mpx__in(c, '0', '9')) return mpx__read_octal(mpx__from(t, 1), in_class, size, code);
    if (!mpx__in(c | 0x20u, 'a', 'z')) return MPX__SAYS_CHAR;
    switch (c) {
    case 'x': return mpx__read_hex(mpx__from(t, 2), 2, size, code);
    case 'u': return mpx__read_hex(mpx__from(t, 2), 4, size, code);
    case 'U': return mpx__read_hex(mpx__from(t, 2), 8, size, code);
    case 'd':
    case 'D':
    case 's':
    case 'S':
    case 'w':
    case 'W': return (int)c;
    case 'A':
    case 'Z':
    case 'B': return in_class ? 0 : (int)c;
    case 'b':
        if (!in_class) return (int)c;
        break;
    default: break;
    }
    for (i = 0; from[i] != '\0'; i++) {
        if ((uint32_t)from[i] != c) continue;
        *code = (uint32_t)to[i];
        return MPX__SAYS_CHAR;
    }
    return 0;
}
#endif

/* One character of a class, or a set. Returns as mpx__read_escape; advances *at. */
MPX__PRIVATE int mpx__class_char(mpx__slice t, int glob, size_t *at, uint32_t *code) {
    mpx__slice rest = mpx__from(t, *at);
    if (rest.n == 0) return 0;
#if !MPX_NO_REGEX
    if (rest.s[0] == '\\' && !glob) {
        size_t size;
        int says = mpx__read_escape(rest, 1, &size, code);
        *at += size;
        return says;
    }
#endif
    if (rest.s[0] == '\\' && glob) {
        ++*at;
        rest = mpx__from(rest, 1);
        if (rest.n == 0) return 0;
    }
    *at += mpx__utf8(rest, code);
    return MPX__SAYS_CHAR;
}

/* One item of a class: a character, a range, or a set. Returns as mpx__read_escape. */
MPX__PRIVATE int mpx__class_item(mpx__slice t, int glob, size_t *at, uint32_t *low,
                                 uint32_t *high) {
    int says = mpx__class_char(t, glob, at, low);
    *high = *low;
    if (says == 0 || *at + 1 >= t.n || t.s[*at] != '-' || t.s[*at + 1] == ']') return says;
    ++*at;
    if (mpx__class_char(t, glob, at, high) != MPX__SAYS_CHAR) return 0;
    return says == MPX__SAYS_CHAR && *low <= *high ? says : 0;
}

/* Past the '[' of a class, and its '^' (in globs '!' too). Returns 1 if there is one. */
MPX__INLINE int mpx__class_begin(mpx__slice t, int glob, size_t *at) {
    int negated;
    ++*at;
    negated = *at < t.n && (t.s[*at] == '^' || (glob && t.s[*at] == '!'));
    *at += (size_t)negated;
    return negated;
}

/* Read the class at `at`. */
MPX__PRIVATE int mpx__class_has(const mpx__pattern *p, size_t at, uint32_t c) {
    mpx__slice t = p->text;
    uint32_t low = 0, high = 0, other = mpx__other_case(p, c);
    int found = 0, negated = mpx__class_begin(t, p->glob, &at), first;
    for (first = 1; first || t.s[at] != ']'; first = 0) {
        int says = mpx__class_item(t, p->glob, &at, &low, &high);
        found |= says == MPX__SAYS_CHAR ? mpx__in(c, low, high) || mpx__in(other, low, high)
                                        : mpx__set_takes(p, says, c);
    }
    return found != negated;
}

/* Is the character in the class, or the set, of the step? In globs none holds a '/'. A long class
   is read once for one character, whatever the number of its copies. */
MPX__PRIVATE int mpx__class_takes(mpx__pattern *p, const mpx__step *step, uint32_t c) {
    mpx__long_class *known;
    if (p->text.s[step->arg] == '\\') return mpx__set_takes(p, p->text.s[step->arg + 1], c);
    if (p->glob && c == '/') return 0;
    if (step->to == 0) return mpx__class_has(p, step->arg, c);
    known = &p->long_class[step->to - 1];
    if (c < 0x80) return (int)(known->ascii[c / 32] >> c % 32 & 1u);
    if (known->code != c) known->takes = mpx__class_has(p, step->arg, c);
    known->code = c;
    return known->takes;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Note what cannot be read. Returns 0. */
MPX__PRIVATE int mpx__cannot(mpx__pattern *p, size_t at, size_t extent) {
    p->wrong = at;
    p->extent = extent;
    return 0;
}

/* A new step before step i. Jumps reach from within a whole item to within it, so that items can
   be moved and copied. */
MPX__PRIVATE mpx__step *mpx__insert(mpx__pattern *p, size_t i, uint8_t kind) {
    mpx__step *step = &p->step[i];
    size_t k;
    if (p->count == MPX_PATTERN_STEPS && !p->dry) p->dry = p->too_large = 1;
    if (p->dry) step = &p->step[MPX_PATTERN_STEPS];
    for (k = p->count; k > i && !p->dry; k--) {
        p->step[k] = p->step[k - 1];
        MPX__BARRIER(); /* else gcc calls memmove */
    }
    if (!p->dry) p->count++;
    step->kind = kind;
    step->flags = 0;
    step->to = 0;
    step->arg = 0;
    return step;
}

/* An item of one step, at the end. */
MPX__PRIVATE mpx__step *mpx__append(mpx__pattern *p, uint8_t kind, size_t arg) {
    mpx__step *step = mpx__insert(p, p->count, kind);
    step->arg = (uint32_t)arg;
    p->last = MPX__ATOM;
    p->atom = p->count - (size_t)!p->dry;
    return step;
}

/* Note which characters of ASCII the class of the step takes. */
MPX__PRIVATE void mpx__note_class(mpx__pattern *p, mpx__step *step) {
    static const char sets[] = "dDsSwW";
    mpx__long_class *known = &p->long_class[p->long_classes++];
    size_t at = step->arg;
    uint32_t low, high, c, other, i, said = 0;
    int negated = mpx__class_begin(p->text, p->glob, &at), first, says;
    mpx__zero(known->ascii, sizeof known->ascii);
    for (first = 1; first || p->text.s[at] != ']'; first = 0) {
        says = mpx__class_item(p->text, p->glob, &at, &low, &high);
        for (i = 0; i < 6; i++)
            if (says == sets[i]) said |= 1u << i;
        for (c = low; says == MPX__SAYS_CHAR && c <= high && c < 0x80; c++) {
            other = mpx__other_case(p, c);
            known->ascii[c / 32] |= 1u << c % 32;
            known->ascii[other / 32] |= 1u << other % 32;
        }
    }
    for (c = 0; c < 0x80; c++) {
        for (i = 0; i < 6; i++)
            if ((said >> i & 1u) != 0 && mpx__set_takes(p, sets[i], c))
                known->ascii[c / 32] |= 1u << c % 32;
        if (negated) known->ascii[c / 32] ^= 1u << c % 32;
    }
    known->code = MPX__NO_CHAR;
    step->to = (int16_t)p->long_classes;
}

/* A class; the pattern is read past it. */
MPX__PRIVATE int mpx__read_class(mpx__pattern *p) {
    mpx__slice t = mpx__slice_of(p->text.s, p->end);
    size_t at = p->at, item, size;
    uint32_t low, high;
    mpx__step *step;
    int first;
    (void)mpx__class_begin(t, p->glob, &at);
    for (first = 1; first || at >= t.n || t.s[at] != ']'; first = 0) {
        item = at;
        if (at >= t.n) return mpx__cannot(p, p->at, 1);
        if (mpx__class_item(t, p->glob, &at, &low, &high) == 0)
            return mpx__cannot(p, item, at - item);
    }
    size = at - p->at;
    step = mpx__append(p, MPX__CLASS, p->at);
    if (size > MPX__LONG_CLASS && !p->dry) {
        if (p->long_classes == MPX__LONG_CLASSES) return mpx__cannot(p, p->at, 0);
        mpx__note_class(p, step);
    }
    p->at = at + 1;
    return 1;
}

/* ---- globs ----------------------------------------------------------------------------------- */

/* One item of a glob. *plain: see mpx__read_item. */
MPX__PRIVATE int mpx__read_glob(mpx__pattern *p, int *plain) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    uint32_t code;
    size_t stars = 0;
    int escaped;
    if (rest.s[0] == '[') return mpx__read_class(p);
    if (rest.s[0] == '?') {
        mpx__append(p, MPX__SEGMENT, 0);
        p->at++;
        return 1;
    }
    while (stars < rest.n && rest.s[stars] == '*')
        stars++;
    if (stars >= 2 && stars < rest.n && rest.s[stars] == '/' &&
        (p->at == 0 || p->text.s[p->at - 1] == '/')) { /* whole segments, or none */
        mpx__append(p, MPX__FORK, 0)->to = 3;
        mpx__append(p, MPX__EVERY, 0)->flags = MPX__SKIP | MPX__AGAIN;
        mpx__append(p, MPX__CHAR, '/');
        p->at += stars + 1;
        return 1;
    }
    if (stars != 0) {
        mpx__append(p, stars == 1 ? MPX__SEGMENT : MPX__EVERY, 0)->flags = MPX__SKIP | MPX__AGAIN;
        p->at += stars;
        return 1;
    }
    escaped = rest.s[0] == '\\';
    if (escaped) rest = mpx__from(rest, 1);
    if (rest.n == 0) return mpx__cannot(p, p->at, 1);
    p->at += mpx__utf8(rest, &code) + (size_t)escaped;
    *plain = !escaped && code < MPX__NO_UNICODE;
    mpx__append(p, MPX__CHAR, code);
    return 1;
}

/* ---- regular expressions --------------------------------------------------------------------- */
#if !MPX_NO_REGEX

enum { MPX__MANY = 0xffff }; /* no upper limit */

/* {m,n} as a number, kept small: more than there can be steps is too many. */
MPX__PRIVATE size_t mpx__read_count(mpx__pattern *p, size_t *at, size_t otherwise) {
    size_t x = 0, start = *at;
    while (*at < p->end && mpx__in((unsigned char)p->text.s[*at], '0', '9')) {
        x = x * 10 + (size_t)(p->text.s[*at] - '0');
        if (x >= MPX__MANY) x = MPX__MANY - 1;
        ++*at;
    }
    return *at != start ? x : otherwise;
}

/* The bytes of the repetition * + ? {m} {m,} {,n} {m,n} that stands at p->at; 0: there is none, and
   a '{' is a character. */
MPX__PRIVATE size_t mpx__repeat_size(mpx__pattern *p, size_t *low, size_t *high) {
    size_t at = p->at;
    char c = at < p->end ? p->text.s[at] : '\0';
    *low = c == '+' ? 1 : 0;
    *high = c == '?' ? 1 : MPX__MANY;
    if (c == '*' || c == '+' || c == '?') return 1;
    if (c != '{' || ++at == p->end || p->text.s[at] == '}') return 0;
    *low = mpx__read_count(p, &at, 0);
    if (at < p->end && p->text.s[at] == ',') {
        at++;
        *high = mpx__read_count(p, &at, MPX__MANY);
    } else {
        *high = *low;
    }
    return at < p->end && p->text.s[at] == '}' ? at + 1 - p->at : 0;
}

/* The block of `size` steps at i may be left out, or taken again: by flags if it is one step that
   takes a character, else by forks around it. */
MPX__PRIVATE void mpx__repeat_block(mpx__pattern *p, size_t i, size_t size, int flags) {
    mpx__step *step = &p->step[i];
    if (size == 1 && step->kind <= MPX__CLASS && step->flags == 0) {
        step->flags = (uint8_t)flags;
        return;
    }
    if ((flags & MPX__AGAIN) != 0) {
        mpx__insert(p, i + size, MPX__FORK)->to = (int16_t)-(int)size;
        size++;
    }
    if ((flags & MPX__SKIP) != 0) mpx__insert(p, i, MPX__FORK)->to = (int16_t)(size + 1);
}

/* Make low to high of the last item: `low` copies that must be there, the others may; the last one
   may repeat if there is no limit. */
MPX__PRIVATE void mpx__repeat(mpx__pattern *p, size_t low, size_t high) {
    size_t size = p->count - p->atom, copies = high, k, i;
    if (high == MPX__MANY) copies = low > 1 ? low : 1;
    if (p->dry || size == 0) return;
    if (copies == 0) p->count = p->atom;
    for (k = 1; k < copies && !p->dry; k++)
        for (i = 0; i < size; i++) {
            mpx__step *step = mpx__insert(p, p->count, MPX__CHAR);
            *step = p->step[p->atom + i];
        }
    for (k = copies; k-- > 0 && !p->dry;) {
        int again = high == MPX__MANY && k + 1 == copies ? MPX__AGAIN : 0;
        int skip = k >= low ? MPX__SKIP : 0;
        if ((again | skip) != 0) mpx__repeat_block(p, p->atom + k * size, size, again | skip);
    }
}

/* A repetition of the last item. What follows it may be a '?': as few as possible, which changes
   nothing for whether a text matches; a '+' or a second repetition would. */
MPX__PRIVATE int mpx__read_repeat(mpx__pattern *p, size_t size, size_t low, size_t high) {
    if (p->last != MPX__ATOM || low > high) return mpx__cannot(p, p->at, size);
    p->at += size;
    if (p->at < p->end && p->text.s[p->at] == '+') return mpx__cannot(p, p->at, 1);
    if (p->at < p->end && p->text.s[p->at] == '?') p->at++;
    mpx__repeat(p, low, high);
    p->last = MPX__REPEATED;
    return 1;
}

/* Join the two sides of a '|': fork to the right one, and jump from the end of the left one past
   it. */
MPX__PRIVATE void mpx__join_sides(mpx__pattern *p) {
    mpx__group *g = &p->group[p->depth];
    size_t right = p->count - g->bar;
    if (!g->has_bar || p->dry) return;
    mpx__insert(p, g->bar, MPX__JUMP)->to = (int16_t)(right + 1);
    mpx__insert(p, g->start, MPX__FORK)->to = (int16_t)(g->bar - g->start + 2);
}

MPX__PRIVATE int mpx__read_bar(mpx__pattern *p) {
    mpx__group *g = &p->group[p->depth];
    mpx__join_sides(p);
    g->has_bar = 1;
    g->bar = (uint8_t)p->count;
    p->last = MPX__NOTHING;
    p->at++;
    return 1;
}

MPX__PRIVATE void mpx__begin_group(mpx__pattern *p, size_t open) {
    mpx__group *g = &p->group[p->depth];
    g->open = open;
    g->start = (uint8_t)p->count;
    g->bar = 0;
    g->has_bar = 0;
    p->last = MPX__NOTHING;
}

/* Does a name before it read as the "(?P<name>" of `size` bytes at p->at? Python's re:
   "redefinition of group name". */
MPX__PRIVATE int mpx__name_is_taken(const mpx__pattern *p, size_t size) {
    size_t i;
    for (i = 0; i < p->names; i++)
        if (mpx__same_bytes(p->text.s + p->step[i].arg, p->text.s + p->at, size)) return 1;
    return 0;
}

/* The bytes of the "(?P<name>" at p->at; 0: the name is none. A byte that is no character may stand
   in one. */
MPX__PRIVATE size_t mpx__read_name(const mpx__pattern *p) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 4;
    if (size == rest.n || mpx__in((unsigned char)rest.s[size], '0', '9')) return 0;
    while (size < rest.n && rest.s[size] != '>') {
        uint32_t code;
        size += mpx__utf8(mpx__from(rest, size), &code);
        if (code < MPX__NO_UNICODE && !mpx__is_word_char(code)) return 0;
    }
    if (size == 4 || size == rest.n) return 0;
    return size + 1;
}

/* The bytes of the flags "(?ai)" at p->at; 0: they are none. Nothing but flags may stand before. */
MPX__PRIVATE size_t mpx__read_flags(mpx__pattern *p) {
    static const char letters[] = "aimsx";
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 2, i;
    int flags = 0;
    for (; size < rest.n && rest.s[size] != ')'; size++) {
        for (i = 0; letters[i] != rest.s[size]; i++)
            if (letters[i] == '\0') return 0;
        flags |= 1 << i;
    }
    if (p->at != p->head || p->begun != 0 || size == 2 || size == rest.n) return 0;
    p->flags |= flags;
    return size + 1;
}

/* What stands at the head of a pattern has been read: it reaches further. */
MPX__PRIVATE void mpx__pass_head(mpx__pattern *p, size_t from, int begun) {
    if (p->head != from) return;
    p->head = p->at;
    if (begun != 0) p->begun = begun;
}

/* Read "(?=" or "(?!": it is looked at before all else, so it must stand at the head. */
MPX__PRIVATE void mpx__note_ahead(mpx__pattern *p) {
    p->ahead = p->at;
    if (p->begun != 'A' && (p->begun != '^' || (p->flags & MPX__LINES) != 0)) p->loose = p->at;
}

/* "(", "(?:", "(?P<name>", flags and look-aheads; other things that begin with "(?" are not for a
   matcher of this kind. */
MPX__PRIVATE int mpx__read_open(mpx__pattern *p) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 1, known = rest.n < 3 ? rest.n : 3;
    if (mpx__begins_with(rest, "(?:", 0)) {
        size = 3;
    } else if (mpx__begins_with(rest, "(?P<", 0)) {
        size = mpx__read_name(p);
        if (size == 0) return mpx__cannot(p, p->at, 4);
        if (p->dry) { /* asked only when the pattern is set */
            if (mpx__name_is_taken(p, size)) return mpx__cannot(p, p->at, size);
            if (p->names == MPX_PATTERN_STEPS) return mpx__cannot(p, p->at, 0);
            p->step[p->names++].arg = (uint32_t)p->at;
        }
    } else if (p->at == p->head &&
               (mpx__begins_with(rest, "(?=", 0) || mpx__begins_with(rest, "(?!", 0))) {
        size = 3;
        mpx__note_ahead(p);
    } else if (rest.n > 1 && rest.s[1] == '?') {
        size = mpx__read_flags(p);
        if (size == 0) return mpx__cannot(p, p->at, known);
        p->at += size;
        p->head = p->at;
        return 1;
    }
    if (p->depth == MPX__GROUPS) return mpx__cannot(p, p->at, 1);
    p->depth++;
    mpx__begin_group(p, p->at);
    p->at += size;
    return 1;
}

MPX__PRIVATE int mpx__read_close(mpx__pattern *p) {
    const mpx__group *g = &p->group[p->depth];
    if (p->depth == 0) return mpx__cannot(p, p->at, 1);
    mpx__join_sides(p);
    p->atom = g->start;
    p->last = MPX__ATOM;
    p->depth--;
    p->at++;
    if (g->open == p->ahead) { /* its steps stand behind the place that it must hold at */
        size_t size = p->count - g->start;
        mpx__step *step = mpx__insert(p, g->start, MPX__HOLDS);
        step->arg = (uint32_t)p->text.s[g->open + 2];
        step->to = (int16_t)size;
        p->last = MPX__NOTHING;
        mpx__pass_head(p, g->open, '!');
    }
    return 1;
}

/* A blank or a comment in a verbose pattern. Returns 0 if there is none. */
MPX__PRIVATE int mpx__skip_comment(mpx__pattern *p) {
    size_t from = p->at;
    char c = p->text.s[p->at];
    if ((p->flags & MPX__VERBOSE) == 0 || (c != ' ' && c != '#' && !mpx__in((uint32_t)c, 9, 13)))
        return 0;
    if (c == '#') p->at += mpx__find(mpx__slice_of(p->text.s + from, p->end - from), '\n');
    if (p->at < p->end) p->at++;
    mpx__pass_head(p, from, 0);
    return 1;
}

MPX__PRIVATE int mpx__read_escaped(mpx__pattern *p) {
    size_t size;
    uint32_t code = 0;
    int says = mpx__read_escape(mpx__slice_of(p->text.s + p->at, p->end - p->at), 0, &size, &code);
    if (says == 0) return mpx__cannot(p, p->at, size);
    if (says == MPX__SAYS_CHAR) {
        mpx__append(p, MPX__CHAR, code);
    } else if (says == 'A' || says == 'Z' || says == 'b' || says == 'B') {
        mpx__append(p, MPX__HOLDS, (size_t)says);
        p->last = MPX__NOTHING;
    } else {
        mpx__append(p, MPX__CLASS, p->at);
    }
    p->at += size;
    if (says == 'A') mpx__pass_head(p, p->at - size, 'A');
    return 1;
}

/* '^' and '$': of the path, or of its lines, for which stand '<' and '>'. */
MPX__PRIVATE int mpx__read_end(mpx__pattern *p, char c) {
    int lines = (p->flags & MPX__LINES) != 0;
    mpx__append(p, MPX__HOLDS, (size_t)(!lines ? c : c == '^' ? '<' : '>'));
    p->last = MPX__NOTHING;
    p->at++;
    if (c == '^') mpx__pass_head(p, p->at - 1, '^');
    return 1;
}

/* One item of a regular expression. *plain: see mpx__read_item; once, outside all groups. */
MPX__PRIVATE int mpx__read_regex(mpx__pattern *p, int *plain) {
    size_t low, high, repeat = mpx__repeat_size(p, &low, &high);
    uint32_t code;
    char c = p->text.s[p->at];
    if (mpx__skip_comment(p)) return 1;
    if (repeat != 0) return mpx__read_repeat(p, repeat, low, high);
    switch (c) {
    case '|': return mpx__read_bar(p);
    case '(': return mpx__read_open(p);
    case ')': return mpx__read_close(p);
    case '[': return mpx__read_class(p);
    case '\\': return mpx__read_escaped(p);
    case '^':
    case '$': return mpx__read_end(p, c);
    case '.':
        mpx__append(p, (p->flags & MPX__DOT_ALL) != 0 ? MPX__EVERY : MPX__NO_LINE, 0);
        p->at++;
        return 1;
    default: break;
    }
    p->at += mpx__utf8(mpx__slice_of(p->text.s + p->at, p->end - p->at), &code);
    mpx__append(p, MPX__CHAR, code);
    *plain = code < MPX__NO_UNICODE && p->depth == 0 && mpx__repeat_size(p, &low, &high) == 0 &&
             (p->flags & (MPX__ANY_CASE | MPX__VERBOSE)) == 0;
    return 1;
}
#endif

/* ---- reading a pattern ----------------------------------------------------------------------- */

/* Read one item, past it; *plain: it is a character that stands for itself, whatever stands beside
   it. (A byte that is none may be the end of a character in a path.) */
#if MPX_NO_REGEX
MPX__INLINE int mpx__read_item(mpx__pattern *p, int *plain) {
    *plain = 0;
    return mpx__read_glob(p, plain);
}
#else
MPX__INLINE int mpx__read_item(mpx__pattern *p, int *plain) {
    *plain = 0;
    return p->glob ? mpx__read_glob(p, plain) : mpx__read_regex(p, plain);
}
#endif

/* Read items up to p->end. Returns 0 if there is something that cannot be read. */
MPX__PRIVATE int mpx__read_items(mpx__pattern *p) {
    while (p->at < p->end) {
        size_t item = p->at;
        int plain;
        if (!mpx__read_item(p, &plain)) return 0;
        if (p->too_large) return mpx__cannot(p, item, 0);
    }
    return p->depth == 0 || mpx__cannot(p, p->group[p->depth].open, 1);
}

/* The same without making steps: note what is plain text. The last run of it reaches from `run` to
   p->at. */
MPX__PRIVATE int mpx__read_outline(mpx__pattern *p, mpx__outline *outline) {
    size_t run = 0, item;
    int plain, rough = 0;
    mpx__zero(outline, sizeof *outline);
    p->dry = 1;
    while ((item = p->at) < p->end) {
        if (!mpx__read_item(p, &plain)) return 0;
        if (plain) continue;
        if (!rough) outline->prefix = item;
        mpx__add_pairs(outline->needs, mpx__slice_of(p->text.s + run, item - run));
        run = p->at;
        rough = 1;
    }
    if (p->depth != 0) return mpx__cannot(p, p->group[p->depth].open, 1);
    if (!rough) outline->prefix = p->end;
    if (rough) outline->suffix = p->end - run;
    mpx__add_pairs(outline->needs, mpx__slice_of(p->text.s + run, p->end - run));
    if (p->group[0].has_bar) mpx__zero(outline, sizeof *outline);
    return 1;
}

MPX__PRIVATE void mpx__pattern_start(mpx__pattern *p, mpx__slice text, int glob, size_t from,
                                     size_t to) {
    p->text = text;
    p->glob = glob;
    p->at = from;
    p->end = to;
    p->wrong = p->extent = p->count = p->atom = p->depth = p->names = p->long_classes = 0;
    p->last = MPX__NOTHING;
    p->dry = p->too_large = p->flags = p->begun = 0;
    p->head = 0;
    p->ahead = p->loose = MPX__NOWHERE;
    p->group[0].open = 0;
    p->group[0].start = p->group[0].bar = p->group[0].has_bar = 0;
}

/* Make the steps of text[from .. to). Returns 0 if it cannot be read. */
MPX__PRIVATE int mpx__compile(mpx__pattern *p, mpx__slice text, int glob, size_t from, size_t to) {
    mpx__pattern_start(p, text, glob, from, to);
    if (!mpx__read_items(p)) return 0;
#if !MPX_NO_REGEX
    mpx__join_sides(p);
    if (p->too_large) return mpx__cannot(p, to, 0);
#endif
    return 1;
}

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct mpx__run {
    mpx__pattern *p;
    mpx__slice path;
    size_t at;              /* before this character */
    uint32_t before, after; /* the characters on both sides */
    size_t last;            /* the step behind the last one */
    int done;               /* which can be reached here */
    size_t now_count, next_count;
    uint8_t now[MPX_PATTERN_STEPS], next[MPX_PATTERN_STEPS]; /* steps that may take a character */
    uint32_t seen[MPX_PATTERN_STEPS / 32 + 1];               /* steps reached here, one bit each */
} mpx__run;

enum { MPX__NEVER = 0 }; /* instead of a letter */

/* Does the place hold what the letter says? */
MPX__PRIVATE int mpx__holds(const mpx__run *run, uint32_t letter) {
    size_t end = run->path.n;
    int before = run->before != MPX__NO_CHAR && mpx__set_takes(run->p, 'w', run->before);
    int after = run->after != MPX__NO_CHAR && mpx__set_takes(run->p, 'w', run->after);
    switch (letter) {
    case '^':
    case 'A': return run->at == 0;
    case '$': return run->at == end || (run->at + 1 == end && run->path.s[run->at] == '\n');
    case 'Z': return run->at == end;
    case '<': return run->at == 0 || run->before == '\n';
    case '>': return run->at == end || run->after == '\n';
    case MPX__NEVER: return 0;
    case 'b': return before != after;
    default: return before == after && end != 0; /* as Python has it up to 3.13 */
    }
}

/* Reach step i, and all that are reached from there without a character. Each is reached once, so
   that `todo` has room. */
MPX__PRIVATE void mpx__reach(mpx__run *run, size_t i) {
    uint8_t todo[2 * MPX_PATTERN_STEPS + 2];
    size_t n = 0;
    todo[n++] = (uint8_t)i;
    while (n != 0) {
        const mpx__step *step;
        i = todo[--n];
        if ((run->seen[i / 32] >> (i % 32) & 1u) != 0) continue;
        run->seen[i / 32] |= 1u << (i % 32);
        step = &run->p->step[i];
        if (i == run->last) {
            run->done = 1;
        } else if (step->kind == MPX__JUMP) {
            todo[n++] = (uint8_t)((int)i + step->to);
        } else if (step->kind == MPX__FORK) {
            todo[n++] = (uint8_t)(i + 1);
            todo[n++] = (uint8_t)((int)i + step->to);
        } else if (step->kind == MPX__HOLDS) {
            if (mpx__holds(run, step->arg)) todo[n++] = (uint8_t)((int)i + 1 + step->to);
        } else {
            run->next[run->next_count++] = (uint8_t)i;
            if ((step->flags & MPX__SKIP) != 0) todo[n++] = (uint8_t)(i + 1);
        }
    }
}

MPX__PRIVATE int mpx__step_takes(mpx__pattern *p, const mpx__step *step, uint32_t c) {
    switch (step->kind) {
    case MPX__CHAR: return c == step->arg || mpx__other_case(p, c) == step->arg;
    case MPX__NO_LINE: return c != '\n';
    case MPX__EVERY: return 1;
    case MPX__SEGMENT: return c != '/';
    default: return mpx__class_takes(p, step, c);
    }
}

/* Where the steps that take the last character lead. */
MPX__PRIVATE void mpx__advance(mpx__run *run, size_t stop) {
    size_t i;
    for (i = 0; i < run->now_count; i++) {
        size_t k = run->now[i];
        const mpx__step *step = &run->p->step[k];
        if (!mpx__step_takes(run->p, step, run->before)) continue;
        if ((step->flags & MPX__AGAIN) != 0 && run->at != stop) mpx__reach(run, k);
        mpx__reach(run, k + 1);
    }
}

/* What is to match: the whole of path[from .. stop), any part of it, or its beginning. */
enum { MPX__WHOLE, MPX__ANYWHERE, MPX__BEGINNING };

/* Do the steps [start .. last) match? Steps by steps, and characters by steps: linear in both. */
MPX__PRIVATE int mpx__match_steps(mpx__pattern *p, size_t start, size_t last, mpx__slice path,
                                  size_t from, size_t stop, int what) {
    mpx__run run;
    int first;
    run.p = p;
    run.last = last;
    run.path = path;
    run.at = from;
    run.before = mpx__char_before(path, from);
    run.now_count = 0;
    for (first = 1;; first = 0) {
        size_t size = 0, end = run.at < stop ? stop : path.n;
        run.after = MPX__NO_CHAR;
        if (run.at < path.n)
            size = mpx__utf8(mpx__slice_of(path.s + run.at, end - run.at), &run.after);
        run.done = 0;
        run.next_count = 0;
        mpx__zero(run.seen, sizeof run.seen);
        if (first || what == MPX__ANYWHERE) mpx__reach(&run, start);
        mpx__advance(&run, stop);
        if (run.at == stop || (what != MPX__WHOLE && run.done)) return run.done;
        if (run.next_count == 0 && what != MPX__ANYWHERE) return 0;
        mpx__copy(run.now, run.next, run.next_count);
        run.now_count = run.next_count;
        run.before = run.after;
        run.at += size;
    }
}

/* Does the pattern match? Look-aheads are followed first, from the beginning of the path; then they
   are places that hold there, or nowhere. */
MPX__PRIVATE int mpx__match(mpx__pattern *p, mpx__slice path, size_t from, size_t stop, int what) {
    size_t i;
    for (i = 0; i < p->count; i++) {
        mpx__step *step = &p->step[i];
        int matches;
        if (step->kind != MPX__HOLDS || (step->arg != '=' && step->arg != '!')) continue;
        matches = mpx__match_steps(p, i + 1, (size_t)((int)i + 1 + step->to), path, 0, path.n,
                                   MPX__BEGINNING);
        step->arg = matches == (step->arg == '=') ? (uint32_t)'A' : (uint32_t)MPX__NEVER;
    }
    return mpx__match_steps(p, 0, p->count, path, from, stop, what);
}

#endif /* !MPX_NO_POLICY && !MPX_NO_POLICY_MAP */
/*==========================================================================*
 * MARK: policy_map - policies by path, and by op                            *
 *   An array of keys and policies, the caller's. A path is looked up among  *
 *   the keys as it is; then the keys are patterns, tried in their order.    *
 *==========================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP

/* Field by field, and folded into its callers: small cores would call memcpy. */
MPX__INLINE void mpx__map_make(mpx_policy_map *map, mpx_map_entry *entries, size_t capacity,
                               const mpx_policy *fallback, mpx_patterns patterns) {
    map->entries = entries;
    map->capacity = capacity;
    map->count = 0;
    map->fallback.param = fallback->param;
    map->fallback.compute = fallback->compute;
    map->fallback.output = fallback->output;
    map->fallback.quantization = fallback->quantization;
    map->fallback.weight_bits = fallback->weight_bits;
    map->fallback.group_size = fallback->group_size;
    map->fallback.amax_history_length = fallback->amax_history_length;
    map->saturate = 0;
    map->patterns = patterns;
    map->first_wins = 0;
    map->match = NULL;
    map->user = NULL;
    map->keys = NULL;
}
MPX__API mpx_policy_map mpx_policy_map_of(mpx_map_entry *entries, size_t capacity,
                                          mpx_policy fallback) {
    mpx_policy_map map;
    mpx__map_make(&map, entries, capacity, &fallback, MPX_PATTERNS_GLOB);
    return map;
}
#if !MPX_NO_REGEX
MPX__API mpx_policy_map mpx_policy_map_keras(mpx_map_entry *entries, size_t capacity,
                                             mpx_policy fallback) {
    mpx_policy_map map;
    mpx__map_make(&map, entries, capacity, &fallback, MPX_PATTERNS_REGEX);
    return map;
}
#endif

/* ---- looking up ------------------------------------------------------------------------------ */

MPX__PRIVATE uint32_t mpx__hash(mpx__slice key) {
    uint32_t hash = 0x811c9dc5u; /* FNV-1a, then mixed: its last bits are poor */
    size_t i;
    for (i = 0; i < key.n; i++)
        hash = (hash ^ (unsigned char)key.s[i]) * 0x01000193u;
    return (hash ^ hash >> 15) * 0x9e3779b1u;
}

/* The entries are a tree: below entry i hang next[0] and next[1], and the bits of a key's hash say
   which way to go from entries[0]. What hangs below an entry was set later, so that the tree is
   whole whatever number of entries is taken away at the end: links to them count as none.
   Returns the entry with this very key, or MPX_MAP_DEFAULT; *place: the link where it would hang,
   NULL for the first. */
MPX__PRIVATE size_t mpx__find_place(const mpx_policy_map *map, mpx__slice key, size_t **place) {
    uint32_t hash = mpx__hash(key);
    size_t i = 0;
    for (*place = NULL; i < map->count; hash <<= 1) {
        mpx_map_entry *entry = &map->entries[i];
        if (entry->length == key.n && mpx__same_bytes(entry->key, key.s, key.n)) return i;
        *place = &entry->next[hash >> 31];
        i = **place > i ? **place : MPX_MAP_DEFAULT;
    }
    return MPX_MAP_DEFAULT;
}

MPX__PRIVATE size_t mpx__find_key(const mpx_policy_map *map, mpx__slice key) {
    size_t *place;
    return mpx__find_place(map, key, &place);
}

/* Hang the entry behind the last, whose key is new, into the tree. */
MPX__PRIVATE void mpx__add_entry(mpx_policy_map *map, size_t *place) {
    mpx_map_entry *entry = &map->entries[map->count];
    entry->next[0] = entry->next[1] = 0;
    if (place != NULL) *place = map->count;
    map->count++;
}

/* The greatest end of t in the order of bytes, or in the reverse order: where it begins, and its
   period. */
MPX__PRIVATE size_t mpx__greatest_end(mpx__slice t, int reverse, size_t *period) {
    size_t start = 0, i = 1, k = 0;
    *period = 1;
    while (i + k < t.n) {
        unsigned char a = (unsigned char)t.s[i + k], b = (unsigned char)t.s[start + k];
        if (a == b) {
            if (++k < *period) continue;
            i += k;
            k = 0;
        } else if ((a < b) != reverse) {
            i += k + 1;
            k = 0;
            *period = i - start;
        } else {
            start = i++;
            k = 0;
            *period = 1;
        }
    }
    return start;
}

/* Two ways from the middle (Crochemore and Perrin 1991): linear, however alike the two are. */
MPX__PRIVATE int mpx__has_part(mpx__slice path, mpx__slice part) {
    size_t period, other, middle = mpx__greatest_end(part, 0, &period);
    size_t last = mpx__greatest_end(part, 1, &other), known = 0, i;
    int periodic;
    if (last > middle) {
        middle = last;
        period = other;
    }
    periodic = middle + period <= part.n && mpx__same_bytes(part.s, part.s + period, middle);
    if (!periodic) period = (middle > part.n - middle ? middle : part.n - middle) + 1;
    while (path.n >= part.n) {
        size_t step = period;
        for (i = middle > known ? middle : known; i < part.n && part.s[i] == path.s[i];)
            i++;
        if (i < part.n) {
            step = i - middle + 1;
            known = 0;
        } else {
            for (i = middle; i > known && part.s[i - 1] == path.s[i - 1];)
                i--;
            if (i <= known) return 1;
            known = periodic ? part.n - period : 0;
        }
        if (step > path.n) break;
        path = mpx__from(path, step);
    }
    return 0;
}

/* Make the steps of what is left between the plain ends, and follow them. The pattern has been read
   before, so that it can be read. */
MPX__PRIVATE int mpx__run_entry(const mpx_map_entry *entry, int kind, mpx__slice path,
                                size_t prefix, size_t suffix) {
    mpx__pattern p;
    if (!mpx__compile(&p, mpx__slice_of(entry->key, entry->length), kind == MPX_PATTERNS_GLOB,
                      prefix, entry->length - suffix))
        return MPX_ERR_PATTERN;
    return mpx__match(&p, path, prefix, path.n - suffix,
                      kind == MPX_PATTERNS_SEARCH ? MPX__ANYWHERE : MPX__WHOLE);
}

/* Does the key match as a pattern? Negative: failed. */
MPX__PRIVATE int mpx__entry_matches(const mpx_policy_map *map, const mpx_map_entry *entry,
                                    mpx__slice path, const uint32_t *pairs) {
    mpx__slice key = mpx__slice_of(entry->key, entry->length);
    size_t prefix = entry->prefix, suffix = entry->suffix, i;
    if (map->patterns == MPX_PATTERNS_HOOK)
        return map->match != NULL ? map->match(key.s, key.n, path.s, path.n, map->user) : 0;
    for (i = 0; i < 8; i++)
        if ((entry->needs[i] & ~pairs[i]) != 0) return 0;
    if (map->patterns == MPX_PATTERNS_SEARCH)
        return prefix == key.n ? mpx__has_part(path, key)
                               : mpx__run_entry(entry, map->patterns, path, 0, 0);
    if (prefix == key.n) return 0; /* no wildcard, and not this very path */
    if (path.n < prefix + suffix || !mpx__same_bytes(path.s, key.s, prefix) ||
        !mpx__same_bytes(path.s + path.n - suffix, key.s + key.n - suffix, suffix))
        return 0;
    return mpx__run_entry(entry, map->patterns, path, prefix, suffix);
}

/* Which entry decides; where two patterns match, *other is the second. */
MPX__PRIVATE mpx_status mpx__find_entry(const mpx_policy_map *map, mpx__slice path, size_t *index,
                                        size_t *other) {
    size_t i, found = mpx__find_key(map, path);
    uint32_t pairs[8];
    *index = found;
    if (found != MPX_MAP_DEFAULT || map->patterns == MPX_PATTERNS_EXACT) return MPX_OK;
    mpx__zero(pairs, sizeof pairs);
    mpx__add_pairs(pairs, path);
    for (i = 0; i < map->count; i++) {
        int matches = mpx__entry_matches(map, &map->entries[i], path, pairs);
        if (matches < 0) return (mpx_status)matches;
        if (matches == 0) continue;
        *other = i;
        if (found != MPX_MAP_DEFAULT) return MPX_ERR_AMBIGUOUS;
        *index = found = i;
        if (map->first_wins) return MPX_OK;
    }
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                          size_t *index) {
    size_t found, other;
    mpx_status status =
        mpx__find_entry(map, mpx__slice_of(path != NULL ? path : "", len), &found, &other);
    if (status == MPX_OK) *index = found;
    return status;
}

MPX__API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index) {
    return mpx_policy_map_find_n(map, path, mpx__length(path), index);
}

MPX__INLINE const mpx_policy *mpx__policy_at(const mpx_policy_map *map, size_t index) {
    return index == MPX_MAP_DEFAULT ? &map->fallback : &map->entries[index].policy;
}

MPX__API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path,
                                       mpx_policy *out) {
    size_t index = 0;
    mpx_status status = mpx_policy_map_find(map, path, &index);
    if (status == MPX_OK) mpx__copy(out, mpx__policy_at(map, index), sizeof *out);
    return status;
}

MPX__API int mpx_policy_map_contains(const mpx_policy_map *map, const char *key) {
    return mpx__find_key(map, mpx__slice_of(key, mpx__length(key))) != MPX_MAP_DEFAULT;
}

/* ---- changing -------------------------------------------------------------------------------- */

/* How much of the map is used: to go back to it. */
typedef struct mpx__map_mark {
    size_t count, keys;
} mpx__map_mark;

MPX__PRIVATE mpx__map_mark mpx__map_here(const mpx_policy_map *map) {
    mpx__map_mark mark;
    mark.count = map->count;
    mark.keys = map->keys != NULL ? map->keys->used : 0;
    return mark;
}

/* What was added since is gone. Returns the status. */
MPX__PRIVATE mpx_status mpx__map_back(mpx_policy_map *map, mpx__map_mark mark, mpx_status status) {
    map->count = mark.count;
    if (map->keys != NULL) map->keys->used = mark.keys;
    return status;
}

/* Copy the key into the arena, if there is one. Returns 0 if there is not enough left of it. */
MPX__PRIVATE int mpx__keep_key(mpx_arena *arena, mpx__slice *key) {
    char *copy;
    size_t left, size = key->n / 16 * 16 + 16;
    if (arena == NULL) return 1;
    left = arena->used <= arena->size ? arena->size - arena->used : 0;
    if (size > left || size == 0) return 0;
    copy = (char *)arena->data + arena->used;
    mpx__copy(copy, key->s, key->n);
    copy[key->n] = '\0';
    key->s = copy;
    arena->used += size;
    return 1;
}

/* Read the key as a pattern: once for its outline, once to see that its steps are not too many. */
MPX__PRIVATE mpx_status mpx__check_pattern(int kind, mpx__slice key, mpx__outline *outline,
                                           mpx_error *err) {
    mpx__pattern p;
    const int last = MPX_NO_REGEX ? MPX_PATTERNS_GLOB : MPX_PATTERNS_SEARCH;
    int glob = kind == MPX_PATTERNS_GLOB, whole = kind != MPX_PATTERNS_SEARCH, good;
    mpx__zero(outline, sizeof *outline);
    if (kind == MPX_PATTERNS_HOOK || kind == MPX_PATTERNS_EXACT) return MPX_OK;
    if (kind < MPX_PATTERNS_GLOB || kind > last) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__pattern_start(&p, key, glob, 0, key.n);
    good = mpx__read_outline(&p, outline);
    if (good && !whole && p.loose != MPX__NOWHERE) good = mpx__cannot(&p, p.loose, 3);
    if (good && outline->prefix < key.n)
        good = mpx__compile(&p, key, glob, whole ? outline->prefix : 0,
                            key.n - (whole ? outline->suffix : 0));
    return good ? MPX_OK : mpx__fail(err, MPX_ERR_PATTERN, p.wrong, p.extent);
}

MPX__PRIVATE mpx_status mpx__map_set(mpx_policy_map *map, mpx__slice text, const mpx_policy *policy,
                                     mpx_error *err) {
    mpx_map_entry *entry;
    mpx__outline outline;
    mpx_status status;
    size_t *place;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    if (mpx__find_place(map, text, &place) != MPX_MAP_DEFAULT)
        return mpx__fail(err, MPX_ERR_EXISTS, 0, text.n);
    if (map->count >= map->capacity) {
        (void)mpx__fail(err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(err, "entries", map->capacity, map->count + 1);
    }
    status = mpx__check_pattern(map->patterns, text, &outline, err);
    if (status != MPX_OK) return status;
    if (!mpx__keep_key(map->keys, &text)) {
        (void)mpx__fail(err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(err, "bytes of keys", map->keys->size - map->keys->used, text.n);
    }
    entry = &map->entries[map->count];
    entry->key = text.s;
    entry->length = text.n;
    mpx__copy(&entry->policy, policy, sizeof *policy);
    entry->saturate = 0;
    entry->leaves = 0;
    entry->prefix = outline.prefix;
    entry->suffix = outline.suffix;
    mpx__copy(entry->needs, outline.needs, sizeof outline.needs);
    mpx__add_entry(map, place);
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_set_n(mpx_policy_map *map, const char *key, size_t len,
                                         mpx_policy policy, mpx_error *err) {
    return mpx__map_set(map, mpx__slice_of(key != NULL ? key : "", len), &policy, err);
}

MPX__API mpx_status mpx_policy_map_set(mpx_policy_map *map, const char *key, mpx_policy policy,
                                       mpx_error *err) {
    return mpx__map_set(map, mpx__slice_of(key, mpx__length(key)), &policy, err);
}

MPX__API mpx_status mpx_policy_map_delete(mpx_policy_map *map, const char *key) {
    size_t i = mpx__find_key(map, mpx__slice_of(key, mpx__length(key))), left = map->count - 1;
    if (i == MPX_MAP_DEFAULT) return MPX_ERR_MISSING;
    for (map->count = i; i < left; i++) {
        mpx_map_entry *entry = &map->entries[i];
        size_t *place;
        mpx__copy(entry, entry + 1, sizeof *entry);
        (void)mpx__find_place(map, mpx__slice_of(entry->key, entry->length), &place);
        mpx__add_entry(map, place);
    }
    return MPX_OK;
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* Returns 0 if there is no text for the policy. */
MPX__PRIVATE int mpx__put_policy_text(mpx__printer *out, const mpx_policy *policy) {
    char text[MPX_POLICY_TEXT_SIZE];
    size_t length = mpx_policy_format(*policy, text, sizeof text);
    mpx__put(out, text);
    return length != 0;
}

MPX__PRIVATE void mpx__put_key(mpx__printer *out, const mpx_policy_map *map, size_t index) {
    mpx__put_quoted(out, mpx__slice_of(map->entries[index].key, map->entries[index].length));
}

MPX__API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
                                       size_t size) {
    mpx__printer out;
    mpx__slice text = mpx__slice_of(path, mpx__length(path));
    size_t index = MPX_MAP_DEFAULT, other = 0;
    mpx_status status = mpx__find_entry(map, text, &index, &other);
    mpx__print_to(&out, buf, size);
    mpx__put_quoted(&out, text);
    mpx__put(&out, ": ");
    if (status == MPX_ERR_AMBIGUOUS) {
        mpx__put(&out, "both ");
        mpx__put_key(&out, map, index);
        mpx__put(&out, " and ");
        mpx__put_key(&out, map, other);
        mpx__put(&out, " match");
    } else if (status != MPX_OK) {
        mpx__put(&out, mpx_status_string(status));
    } else {
        if (index == MPX_MAP_DEFAULT)
            mpx__put(&out, "no key matches: ");
        else {
            mpx__put_key(&out, map, index);
            mpx__put(&out, " decides: ");
        }
        (void)mpx__put_policy_text(&out, mpx__policy_at(map, index));
    }
    return out.length;
}

MPX__API size_t mpx_error_line(const mpx_error *err, const char *text) {
    size_t line = 1, i;
    for (i = 0; i < err->offset; i++)
        line += text[i] == '\n';
    return line;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* By their numbers; NULL for what is none of them. */
MPX__PRIVATE const char *mpx__patterns_word(int kind) {
    switch (kind) {
    case MPX_PATTERNS_GLOB: return "glob";
    case MPX_PATTERNS_REGEX: return "regex";
    case MPX_PATTERNS_SEARCH: return "search";
    case MPX_PATTERNS_HOOK: return "hook";
    case MPX_PATTERNS_EXACT: return "exact";
    default: return NULL;
    }
}

MPX__INLINE int mpx__is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

MPX__PRIVATE int mpx__is_setting(mpx__slice key) {
    return mpx__is_word(key, "default", 0) || mpx__is_word(key, "patterns", 0) ||
           mpx__is_word(key, "first_wins", 0);
}

/* A text being read: where, and one line of it, key = value. */
typedef struct mpx__map_text {
    mpx__parser from;
    size_t at;
    mpx__slice key, value;
    int quoted, saturate;
} mpx__map_text;

/* Errors of a part of the text have their place in it. */
MPX__PRIVATE mpx_status mpx__map_text_inside(const mpx__map_text *in, mpx_status status,
                                             mpx__slice part) {
    if (status != MPX_OK && in->from.err != NULL)
        in->from.err->offset += (size_t)(part.s - in->from.text.s);
    return status;
}

/* Up to the end of the line, a comment or, if asked, a '='; without blanks around it. */
MPX__PRIVATE void mpx__read_part(mpx__map_text *in, int to_equals, mpx__slice *part) {
    const mpx__slice text = in->from.text;
    size_t start = in->at;
    mpx__slice trimmed;
    while (in->at < text.n && text.s[in->at] != '\n' && text.s[in->at] != '#' &&
           !(to_equals && text.s[in->at] == '='))
        in->at++;
    trimmed = mpx__trim(mpx__slice_of(text.s + start, in->at - start));
    part->s = trimmed.s; /* one by one: gcc would call memcpy on small cores */
    part->n = trimmed.n;
}

/* "a key" and its blanks. */
MPX__PRIVATE mpx_status mpx__read_quoted(mpx__map_text *in) {
    mpx__slice quote = mpx__slice_of(in->from.text.s + in->at, 1),
               rest = mpx__from(in->from.text, in->at + 1);
    mpx__slice between;
    in->key = mpx__slice_of(rest.s, mpx__find(rest, quote.s[0]));
    in->quoted = 1;
    if (in->key.n == rest.n) return mpx__word_fail(&in->from, MPX_ERR_QUOTE, quote);
    in->at += in->key.n + 2;
    mpx__read_part(in, 1, &between);
    return between.n != 0 ? mpx__word_fail(&in->from, MPX_ERR_MISSING_EQUALS, between) : MPX_OK;
}

/* The word saturate behind a policy. */
MPX__PRIVATE void mpx__read_saturate(mpx__map_text *in) {
    const size_t word = sizeof "saturate" - 1, n = in->value.n;
    in->saturate = !MPX_NO_CAST_WITH && n > word &&
                   mpx__is_word(mpx__from(in->value, n - word), "saturate", 0) &&
                   mpx__blank_size(in->value.s + n - word - 1, 1) != 0;
    if (in->saturate) in->value.n = mpx__trim(mpx__slice_of(in->value.s, n - word)).n;
}

/* The next line that says something. Returns 1, 0 at the end, or a status. */
MPX__PRIVATE int mpx__map_line(mpx__map_text *in) {
    size_t start, blank;
    for (;;) {
        while ((blank = mpx__blank_size(in->from.text.s + in->at, in->from.text.n - in->at)) != 0)
            in->at += blank;
        if (in->at == in->from.text.n) return 0;
        if (in->from.text.s[in->at] != '#') break;
        in->at += mpx__find(mpx__from(in->from.text, in->at), '\n');
    }
    start = in->at;
    in->quoted = 0;
    if (mpx__is_quote(in->from.text.s[in->at])) {
        mpx_status status = mpx__read_quoted(in);
        if (status != MPX_OK) return status;
    } else {
        mpx__read_part(in, 1, &in->key);
    }
    if (in->at == in->from.text.n || in->from.text.s[in->at] != '=')
        return mpx__word_fail(&in->from, MPX_ERR_MISSING_EQUALS,
                              in->quoted ? mpx__slice_of(in->from.text.s + start, in->key.n + 2)
                                         : mpx__slice_of(in->key.s, in->key.n));
    if (in->key.n == 0 && !in->quoted)
        return mpx__word_fail(&in->from, MPX_ERR_EMPTY, mpx__slice_of(in->from.text.s + start, 1));
    in->at++;
    mpx__read_part(in, 0, &in->value);
    mpx__read_saturate(in);
    return 1;
}

/* patterns = glob; first_wins = 1. */
MPX__PRIVATE mpx_status mpx__set_patterns(const mpx__map_text *in, mpx_policy_map *map) {
    int kind;
    for (kind = MPX_PATTERNS_GLOB; kind <= MPX_PATTERNS_EXACT; kind++)
        if (mpx__is_word(in->value, mpx__patterns_word(kind), 0)) {
            map->patterns = (mpx_patterns)kind;
            return MPX_OK;
        }
    return mpx__word_fail(&in->from, MPX_ERR_ARGUMENT, in->value);
}

MPX__PRIVATE mpx_status mpx__read_setting(const mpx__map_text *in, mpx_policy_map *map,
                                          const mpx_policy *policy) {
    if (map->count != 0) return mpx__word_fail(&in->from, MPX_ERR_ORDER, in->key);
    if (policy != NULL) {
        mpx__copy(&map->fallback, policy, sizeof *policy);
        map->saturate = in->saturate;
        return MPX_OK;
    }
    if (mpx__is_word(in->key, "patterns", 0)) return mpx__set_patterns(in, map);
    if (!mpx__is_word(in->value, "0", 0) && !mpx__is_word(in->value, "1", 0))
        return mpx__word_fail(&in->from, MPX_ERR_ARGUMENT, in->value);
    map->first_wins = in->value.s[0] == '1';
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__map_read_line(const mpx__map_text *in, mpx_policy_map *map) {
    int setting = !in->quoted && mpx__is_setting(in->key);
    mpx_policy policy;
    mpx_status status;
    if (setting && !mpx__is_word(in->key, "default", 0)) return mpx__read_setting(in, map, NULL);
    if (in->value.n == 0) return mpx__word_fail(&in->from, MPX_ERR_EMPTY, in->value);
    status = mpx_policy_parse_n(in->value.s, in->value.n, in->from.opt, &policy, in->from.err);
    if (status != MPX_OK) return mpx__map_text_inside(in, status, in->value);
    if (setting) return mpx__read_setting(in, map, &policy);
    status = mpx__map_set(map, in->key, &policy, in->from.err);
    if (status != MPX_OK) return mpx__map_text_inside(in, status, in->key);
    map->entries[map->count - 1].saturate = in->saturate;
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_parse_n(mpx_policy_map *map, const char *text, size_t len,
                                           mpx_parse_options opt, mpx_error *err) {
    mpx__map_text in;
    mpx_policy_map read;
    mpx__map_mark before = mpx__map_here(map);
    int more;
    mpx__copy(&read, map, sizeof read);
    mpx__parser_set(&in.from, text, len, &opt, err);
    in.at = mpx__begins_with(in.from.text, "\xef\xbb\xbf", 0) ? 3 : 0; /* a byte-order mark */
    while ((more = mpx__map_line(&in)) > 0) {
        mpx_status status = mpx__map_read_line(&in, &read);
        if (status != MPX_OK) return mpx__map_back(map, before, status);
    }
    if (more < 0) return mpx__map_back(map, before, (mpx_status)more);
    mpx__copy(map, &read, sizeof read);
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_parse(mpx_policy_map *map, const char *text, mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_map_parse_n(map, text, mpx__length(text), any, err);
}

/* Would the key read otherwise without quotes? */
MPX__PRIVATE int mpx__needs_quotes(mpx__slice key) {
    return mpx__trim(key).n != key.n || key.n == 0 || mpx__is_setting(key) ||
           mpx__is_quote(key.s[0]) || mpx__find(key, '=') != key.n ||
           mpx__find(key, '#') != key.n || mpx__find(key, '\n') != key.n;
}

/* The key, in quotes if need be; 0 if all three are in it. */
MPX__PRIVATE int mpx__put_map_key(mpx__printer *out, mpx__slice key) {
    static const char quotes[4] = "\"'`";
    size_t i = 0;
    if (!mpx__needs_quotes(key)) {
        mpx__put_slice(out, key);
        return 1;
    }
    while (i < 3 && mpx__find(key, quotes[i]) != key.n)
        i++;
    if (i == 3) return 0;
    mpx__put_char(out, quotes[i]);
    mpx__put_slice(out, key);
    mpx__put_char(out, quotes[i]);
    return 1;
}

/* key = policy; 0 if there is no text for one of them. */
MPX__PRIVATE int mpx__put_entry(mpx__printer *out, const mpx_map_entry *entry) {
    int good = mpx__put_map_key(out, mpx__slice_of(entry->key, entry->length));
    mpx__put(out, " = ");
    good &= mpx__put_policy_text(out, &entry->policy);
    mpx__put(out, entry->saturate ? " saturate\n" : "\n");
    return good;
}

MPX__API size_t mpx_policy_map_format(const mpx_policy_map *map, char *buf, size_t size) {
    const char *patterns = mpx__patterns_word(map->patterns);
    mpx__printer out;
    size_t i;
    int good;
    mpx__print_to(&out, buf, size);
    if (patterns == NULL) return 0;
    mpx__put(&out, "default = ");
    good = mpx__put_policy_text(&out, &map->fallback);
    mpx__put(&out, map->saturate ? " saturate\npatterns = " : "\npatterns = ");
    mpx__put(&out, patterns);
    mpx__put(&out, map->first_wins ? "\nfirst_wins = 1\n" : "\nfirst_wins = 0\n");
    for (i = 0; i < map->count; i++)
        good &= mpx__put_entry(&out, &map->entries[i]);
    if (!good) mpx__print_to(&out, buf, size);
    return out.length;
}

/* ---- layers ---------------------------------------------------------------------------------- */

MPX__INLINE const char *mpx__text_or_empty(const char *text) { return text != NULL ? text : ""; }

MPX__API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                              size_t count, mpx_error *err) {
    mpx__map_mark before = mpx__map_here(map);
    size_t i;
    for (i = 0; i < count; i++) {
        mpx_status status =
            mpx_policy_map_set(map, mpx__text_or_empty(layers[i].path), layers[i].policy, err);
        if (status != MPX_OK) return mpx__map_back(map, before, status);
    }
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__layer_fail(mpx_error *err, mpx_status status, size_t index,
                                        const char *path) {
    (void)mpx__fail_at(err, status, MPX_SUBJECT_LAYER, index);
    if (err != NULL) mpx__put_path(err, path);
    return status;
}

MPX__API mpx_status mpx_policy_map_apply(mpx_layer *layers, size_t count, const mpx_policy_map *map,
                                         mpx_error *err) {
    mpx_policy policy;
    size_t i;
    int work;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    for (work = 0; work < 2; work++)
        for (i = 0; i < count; i++) {
            mpx_status status =
                mpx_policy_map_get(map, mpx__text_or_empty(layers[i].path), &policy);
            if (status != MPX_OK) return mpx__layer_fail(err, status, i, layers[i].path);
            if (work) mpx__copy(&layers[i].policy, &policy, sizeof policy);
        }
    return MPX_OK;
}

MPX__PRIVATE int mpx__is_listed(const char *const *list, const char *op) {
    mpx__slice word = mpx__slice_of(op, mpx__length(op));
    for (; *list != NULL; list++)
        if (mpx__is_word(word, *list, 0)) return 1;
    return 0;
}

MPX__API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer) {
    const char *op = mpx__text_or_empty(layer->op);
    if (filter == NULL) return 1;
    if ((filter->only != NULL) + (filter->except != NULL) + (filter->select != NULL) > 1)
        return MPX_ERR_ARGUMENT;
    if (filter->only != NULL) return mpx__is_listed(filter->only, op);
    if (filter->except != NULL) return !mpx__is_listed(filter->except, op);
    return filter->select != NULL ? filter->select(layer, filter->user) : 1;
}

MPX__API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                            const mpx_layer_filter *filter) {
    size_t i;
    int work;
    for (work = 0; work < 2; work++)
        for (i = 0; i < count; i++) {
            int takes = mpx_layer_filter_takes(filter, &layers[i]);
            if (takes < 0) return (mpx_status)takes;
            if (takes && work) mpx__copy(&layers[i].policy, &policy, sizeof policy);
        }
    return MPX_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */
#if !MPX_NO_TREE

MPX__API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                            mpx_error *err) {
    mpx__walk walk;
    mpx__map_mark before = mpx__map_here(map);
    mpx_status status = MPX_OK;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while (status == MPX_OK && (more = mpx__walk_next(&walk)) != 0) {
        mpx_dtype type = walk.leaf.dtype;
        mpx_policy same;
        if (more < 0) return mpx__map_back(map, before, (mpx_status)more);
        if (!mpx_dtype_is_floating(type)) continue;
        mpx__policy_set(&same, type, type, type);
        status = map->keys == NULL && mpx__path_is_built(&walk)
                     ? MPX_ERR_ARGUMENT
                     : mpx_policy_map_set(map, mpx__text_or_empty(walk.leaf.path), same, NULL);
    }
    if (status == MPX_OK) return MPX_OK;
    return mpx__leaf_fail(&walk, mpx__map_back(map, before, status), MPX_NONE, MPX_NONE);
}

/* Count the leaves that each entry decides; dry: only look whether that can be done. */
MPX__PRIVATE mpx_status mpx__count_leaves(mpx_policy_map *map, const mpx_tree *tree, int dry,
                                          mpx_error *err) {
    mpx__walk walk;
    int more;
    mpx__walk_start(&walk, tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        size_t index = MPX_MAP_DEFAULT;
        mpx_status status;
        if (!mpx_dtype_is_floating(walk.leaf.dtype)) continue;
        status = mpx_policy_map_find(map, mpx__text_or_empty(walk.leaf.path), &index);
        if (status != MPX_OK) return mpx__leaf_fail(&walk, status, MPX_NONE, MPX_NONE);
        if (!dry && index != MPX_MAP_DEFAULT) map->entries[index].leaves++;
    }
    return (mpx_status)more;
}
MPX__API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                                mpx_error *err) {
    const mpx_status status = mpx__count_leaves(map, &tree, 1, err);
    size_t i;
    if (status != MPX_OK) return status;
    for (i = 0; i < map->count; i++)
        map->entries[i].leaves = 0;
    return mpx__count_leaves(map, &tree, 0, err);
}

/* What a leaf is cast to. */
MPX__PRIVATE mpx_status mpx__map_goal(const mpx_policy_map *map, mpx_role role, const char *path,
                                      mpx__goal *goal) {
    const mpx_policy *policy;
    size_t index = 0;
    mpx_status status = mpx_policy_map_find(map, mpx__text_or_empty(path), &index);
    if (status != MPX_OK) return status;
    policy = mpx__policy_at(map, index);
    goal->to = role == MPX_ROLE_PARAM     ? policy->param
               : role == MPX_ROLE_COMPUTE ? policy->compute
                                          : policy->output;
    goal->saturate = index == MPX_MAP_DEFAULT ? map->saturate : map->entries[index].saturate;
    return MPX_OK;
}

MPX__INLINE mpx__aim mpx__aim_by(const mpx_policy_map *map, mpx_role role) {
    mpx__aim aim = mpx__aim_at(MPX_NONE);
    aim.map = map;
    aim.role = role;
    return aim;
}

MPX__API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                           mpx_tree_size *size, mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    size_t data;
    return mpx__measure(&tree, &aim, size, &data, err);
}

#if !MPX_NO_STATS
MPX__API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                           mpx_cast_report *reports, size_t capacity, size_t *count,
                                           mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__dry_run(&tree, &aim, reports, capacity, count, err);
}
#endif

MPX__API mpx_status mpx_policy_map_cast_into(mpx_tree *out, mpx_tree src,
                                             const mpx_policy_map *map, mpx_role role,
                                             mpx_arena *arena, mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__cast_into(out, &src, &aim, arena, err);
}

MPX__API mpx_status mpx_policy_map_cast_in_place(mpx_tree tree, const mpx_policy_map *map,
                                                 mpx_role role, mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__cast_in_place(&tree, &aim, err);
}

#endif /* !MPX_NO_TREE */
#endif /* !MPX_NO_POLICY && !MPX_NO_POLICY_MAP */
/*==========================================================================*
 * MARK: weights - from a text to cast weights, in one call                  *
 *   One block of memory holds all: the map's entries, what became of each   *
 *   leaf, the leaves, their paths, their data.                              *
 *==========================================================================*/
#if !MPX_NO_WEIGHTS

/* ---- casts that count ------------------------------------------------------------------------ */

MPX__FORCE_INLINE size_t mpx__zeros(const unsigned char *p, unsigned bits, mpx__sig mask,
                                    size_t n) {
    size_t i, count = 0;
    for (i = 0; i < n; i++)
        count += (mpx__read_code(p + i * (bits / 8), bits) & mask) == 0;
    return count;
}
/* Elements that are zero; whole bytes. The code of fnuz that has the sign bit alone is NaN. */
MPX__PRIVATE size_t mpx__count_zeros(const unsigned char *p, const mpx__row *row, size_t n) {
    const mpx__sig sign = (mpx__sig)1 << (row->bits - 1u),
                   mask = row->family == MPX__FNUZ ? sign | (sign - 1u) : sign - 1u;
    switch (row->bits) {
    case 8: return mpx__zeros(p, 8, mask, n);
    case 16: return mpx__zeros(p, 16, mask, n);
    case 32: return mpx__zeros(p, 32, mask, n);
    default: return mpx__zeros(p, 64, mask, n);
    }
}

/* Values of the source neither overflow nor become zero in the target. Formats other than IEEE's
   have values where IEEE's have Inf. */
MPX__INLINE int mpx__is_in_range_of(const mpx__row *to, const mpx__row *from) {
    return to->family == MPX__IEEE && to->bits > from->bits &&
           to->exponent_bits >= from->exponent_bits + (from->family != MPX__IEEE);
}
/* Zeros are codes of whole bytes whose bits but for the sign are 0. */
MPX__INLINE int mpx__has_plain_zeros(const mpx__row *row) {
    return row->bits >= 8 && row->family != MPX__E8M0;
}

/* n elements: if all are below the limit, only zeros are counted; else each one is looked at. */
MPX__PRIVATE void mpx__cast_weight_piece(mpx_weight *weight, unsigned char *d,
                                         const unsigned char *s, size_t n, int saturate,
                                         float limit) {
    const mpx__row *to = mpx__row_of(weight->to), *from = mpx__row_of(weight->from);
    mpx_cast_options opt;
    mpx_cast_stats stats;
    float most = 0;
    (void)mpx_amax(s, weight->from, n, &most);
    if (mpx__opaque_bits(most) < mpx__opaque_bits(limit)) { /* no signs, and NaN is above all */
        (void)mpx_cast(d, weight->to, s, weight->from, n);
        weight->zeroed += mpx__count_zeros(d, to, n) - mpx__count_zeros(s, from, n);
        return;
    }
    mpx__zero(&stats, sizeof stats);
    mpx__zero(&opt, sizeof opt);
    opt.saturate = saturate;
    opt.stats = &stats;
    (void)mpx_cast_with(d, weight->to, s, weight->from, n, &opt);
    weight->zeroed += stats.zeroed;
    weight->overflowed += stats.overflowed;
    if (saturate || to->family == MPX__FINITE)
        weight->saturated += stats.overflowed + stats.infinite;
}
MPX__PRIVATE void mpx__cast_weight(mpx_weight *weight, void *dst, const mpx_leaf *src,
                                   const mpx__goal *goal) {
    const mpx__row *to = mpx__row_of(weight->to), *from = mpx__row_of(weight->from);
    const float limit = mpx__has_plain_zeros(to) && mpx__has_plain_zeros(from)
                            ? (float)mpx_dtype_info(weight->to).max : 0;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src->data;
    size_t i, m;
    if (!goal->saturate && mpx__is_in_range_of(to, from)) {
        mpx__cast_to_goal(dst, goal, src);
        return;
    }
    for (i = 0; i < src->count; i += m) {
        m = src->count - i < MPX_TILE ? src->count - i : MPX_TILE;
        mpx__cast_weight_piece(weight, d + mpx_dtype_bytes(weight->to, i),
                               s + mpx_dtype_bytes(weight->from, i), m, goal->saturate, limit);
    }
}

/* ---- the block ------------------------------------------------------------------------------- */

/* How the block is divided. The table finds leaves that share memory, before their data is
   there. */
typedef struct mpx__weights_plan {
    mpx_weights *out;
    const mpx_weights_options *opt;
    mpx_error *err;
    size_t entries, weights, leaves, paths; /* bytes, in this order; then the table or the data */
    size_t places;                          /* of the table, a power of two */
} mpx__weights_plan;

/* *sum = sum + count * size, rounded up to 16. Returns 0 where size_t cannot hold it. */
MPX__PRIVATE int mpx__add_array(size_t *sum, size_t count, size_t size) {
    return count <= ((size_t)-1 >> 1) / size && mpx__add_size(sum, mpx__aligned(count * size));
}
/* Make the block at least `size` bytes long, and find its parts in it again. */
MPX__PRIVATE mpx_status mpx__weights_grow(const mpx__weights_plan *plan, size_t size) {
    const mpx_weights_options *opt = plan->opt;
    mpx_weights *out = plan->out;
    void *block = opt->block;
    size_t have = opt->size;
    if (opt->grow != NULL) {
        have = size;
        block = size != 0 ? opt->grow(out->memory, size, opt->user) : NULL;
        if (block == NULL) have = 0;
    }
    if (size > have) {
        (void)mpx__fail(plan->err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(plan->err, "bytes", have, size);
    }
    if (block == NULL) return MPX_OK;
    out->memory = block;
    out->map.entries = plan->entries != 0 ? (mpx_map_entry *)block : NULL;
    out->weights = (mpx_weight *)(void *)((unsigned char *)block + plan->entries);
    out->leaves = (mpx_leaf *)(void *)((unsigned char *)block + plan->entries + plan->weights);
    return MPX_OK;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* One policy for all, or a map. If the text is neither, the error that lies further back says
   more. */
MPX__PRIVATE mpx_status mpx__weights_text(mpx__weights_plan *plan, const char *text) {
    mpx_policy_map *map = &plan->out->map;
    const size_t length = mpx__length(text);
    mpx_error one, two;
    mpx_status status = mpx_policy_parse_n(text, length, plan->opt->parse, &map->fallback, &one);
    size_t i;
    if (status == MPX_OK) return MPX_OK;
    for (i = 0, map->capacity = 1; i < length; i++)
        map->capacity += text[i] == '\n';
    if (!mpx__add_array(&plan->entries, map->capacity, sizeof *map->entries))
        return mpx__fail(plan->err, MPX_ERR_SPACE, 0, 0);
    status = mpx__weights_grow(plan, plan->entries);
    if (status != MPX_OK) return status;
    if (mpx_policy_map_parse_n(map, text, length, plan->opt->parse, &two) == MPX_OK) return MPX_OK;
    if (two.offset > one.offset) mpx__copy(&one, &two, sizeof one);
    if (plan->err != NULL) mpx__copy(plan->err, &one, sizeof one);
    return one.status;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Whose data leaf i shares: that of the first with the same memory and the same goal, or its own. */
MPX__PRIVATE size_t mpx__shared_with(const mpx_weights *out, size_t i, size_t *table,
                                     size_t places) {
    const mpx_leaf *leaf = &out->leaves[i];
    const uint64_t key = (uint64_t)(uintptr_t)leaf->data ^ (uint64_t)leaf->count << 32;
    size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 32), j;
    for (slot &= places - 1; (j = table[slot]) != 0; slot = (slot + 1) & (places - 1)) {
        const mpx_leaf *other = &out->leaves[j - 1];
        if (other->data == leaf->data && other->count == leaf->count &&
            other->dtype == leaf->dtype && out->weights[j - 1].to == out->weights[i].to &&
            out->weights[j - 1].saturates == out->weights[i].saturates)
            return j - 1;
    }
    table[slot] = i + 1;
    return i;
}

/* What becomes of each leaf: *size grows by the bytes of their data. */
MPX__PRIVATE mpx_status mpx__weights_aim(const mpx__weights_plan *plan, const mpx_tree *src,
                                         size_t *size) {
    mpx_weights *out = plan->out;
    size_t *table = (size_t *)(void *)((unsigned char *)out->memory + *size), i = 0;
    mpx__aim aim = mpx__aim_by(&out->map, plan->opt->role);
    mpx_status status;
    mpx__walk walk;
    int more;
    mpx__zero(table, plan->places * sizeof *table);
    mpx__walk_start(&walk, src, plan->err);
    status = mpx__check_aim(&walk, &aim);
    if (status != MPX_OK) return status;
    for (; (more = mpx__walk_next(&walk)) > 0; i++) {
        mpx_weight *weight = &out->weights[i];
        mpx__goal goal;
        if (i >= out->count) return mpx__leaf_fail(&walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
        status = mpx__aim_leaf(&walk, &aim, &goal);
        if (status != MPX_OK) return status;
        out->leaves[i] = walk.leaf;
        mpx__zero(weight, sizeof *weight);
        weight->from = weight->to = walk.leaf.dtype;
        if (mpx__needs_cast(&walk.leaf, goal.to)) {
            weight->to = goal.to;
            weight->saturates = goal.saturate || plan->opt->saturate;
        }
        weight->shares = mpx__shared_with(out, i, table, plan->places);
        weight->bytes = weight->shares == i ? mpx_dtype_bytes(weight->to, walk.leaf.count) : 0;
        if (!mpx__add_size(&out->bytes, weight->bytes) ||
            (weight->to != weight->from && !mpx__add_array(size, weight->bytes, 1)))
            return mpx__leaf_fail(&walk, MPX_ERR_SPACE, weight->from, weight->to);
    }
    return (mpx_status)more;
}

/* The first leaf that the warning is about. */
MPX__PRIVATE mpx_status mpx__weights_warn(const mpx__weights_plan *plan, const mpx__walk *walk,
                                          const mpx_weight *weight) {
    (void)mpx__leaf_fail(walk, MPX_WARN_OVERFLOW, weight->from, weight->to);
    if (plan->err != NULL) plan->err->have = (size_t)(weight->overflowed - weight->saturated);
    return MPX_WARN_OVERFLOW;
}

/* The last walk: paths are copied, data is cast. */
MPX__PRIVATE mpx_status mpx__weights_fill(const mpx__weights_plan *plan, const mpx_tree *src) {
    mpx_weights *out = plan->out;
    unsigned char *data = (unsigned char *)out->leaves + plan->leaves + plan->paths;
    mpx_status result = MPX_OK;
    mpx__room paths;
    mpx__walk walk;
    size_t i = 0;
    int more;
    paths.at = (unsigned char *)out->leaves + plan->leaves;
    paths.left = plan->paths;
    mpx__walk_start(&walk, src, plan->err);
    for (; (more = mpx__walk_next(&walk)) > 0; i++) {
        mpx_leaf *leaf = &out->leaves[i];
        mpx_weight *weight = &out->weights[i];
        mpx__goal goal;
        if (i >= out->count || leaf->data != walk.leaf.data || leaf->count != walk.leaf.count ||
            leaf->dtype != walk.leaf.dtype || !mpx__keep_path(&walk.leaf, &walk, &paths))
            return mpx__leaf_fail(&walk, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
        *leaf = walk.leaf;
        leaf->dtype = weight->to;
        if (weight->to == weight->from) continue;
        leaf->data = weight->shares == i ? data : out->leaves[weight->shares].data;
        if (weight->shares != i) continue;
        goal.to = weight->to;
        goal.saturate = weight->saturates;
        mpx__cast_weight(weight, leaf->data, &walk.leaf, &goal);
        data += mpx__aligned(weight->bytes);
        out->zeroed += weight->zeroed;
        out->overflowed += weight->overflowed;
        out->saturated += weight->saturated;
        if (result == MPX_OK && weight->overflowed > weight->saturated)
            result = mpx__weights_warn(plan, &walk, weight);
    }
    return more < 0 ? (mpx_status)more : result;
}

MPX__API mpx_status mpx_weights_cast(mpx_weights *out, mpx_tree src, const char *text,
                                     const mpx_weights_options *opt, mpx_error *err) {
    mpx_policy none;
    mpx__weights_plan plan;
    mpx_tree_size size;
    mpx_status status;
    size_t bytes, first, i;
    MPX_ASSERT(out != NULL && text != NULL && opt != NULL);
    mpx__zero(out, sizeof *out);
    mpx__policy_set(&none, MPX_NONE, MPX_NONE, MPX_NONE);
    out->map = mpx_policy_map_of(NULL, 0, none);
    mpx__zero(&plan, sizeof plan);
    plan.out = out;
    plan.opt = opt;
    plan.err = err;
    status = mpx__weights_text(&plan, text);
    if (status == MPX_OK) status = mpx_tree_measure(src, MPX_NONE, &size, err);
    if (status != MPX_OK) return status;
    plan.paths = size.storage;
    for (plan.places = 2; plan.places / 2 < size.leaves;)
        plan.places *= 2;
    bytes = plan.entries;
    if (!mpx__add_array(&plan.weights, size.leaves, sizeof *out->weights) ||
        !mpx__add_array(&plan.leaves, size.leaves, sizeof *out->leaves) ||
        !mpx__add_size(&bytes, plan.weights) || !mpx__add_size(&bytes, plan.leaves) ||
        !mpx__add_size(&bytes, plan.paths))
        return mpx__fail(err, MPX_ERR_SPACE, 0, 0);
    first = bytes;
    if (!mpx__add_array(&first, plan.places, sizeof(size_t)))
        return mpx__fail(err, MPX_ERR_SPACE, 0, 0);
    status = mpx__weights_grow(&plan, first);
    if (status != MPX_OK) return status;
    out->count = size.leaves;
    status = mpx__weights_aim(&plan, &src, &bytes);
    if (status == MPX_OK) status = mpx__weights_grow(&plan, bytes);
    if (status == MPX_OK) status = mpx_policy_map_count_leaves(&out->map, src, err);
    if (status != MPX_OK) return status;
    for (i = 0; i < out->map.count; i++)
        out->unmatched += out->map.entries[i].leaves == 0;
    out->tree = mpx_tree_of_leaves(out->leaves, out->count);
    return mpx__weights_fill(&plan, &src);
}

#endif /* !MPX_NO_WEIGHTS */
/*==========================================================================*
 * MARK: default_policy - the policy of those who say none                   *
 *   The one object of this header that changes. Every thread has its own    *
 *   where the compiler knows thread-local variables.                        *
 *==========================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_DEFAULT_POLICY

static MPX__THREAD_LOCAL mpx_policy mpx__default_policy =
    MPX_POLICY(MPX_F32, MPX_F32, MPX_F32);

MPX__API mpx_policy mpx_default_policy_get(void) { return mpx__default_policy; }

MPX__API void mpx_default_policy_set(mpx_policy p) { mpx__default_policy = p; }

MPX__API mpx_policy mpx_policy_or_default(mpx_policy p) {
    int is_set = p.param != MPX_NONE || p.compute != MPX_NONE || p.output != MPX_NONE ||
                 p.quantization != MPX_QUANT_NONE;
    return is_set ? p : mpx__default_policy;
}

#endif /* !MPX_NO_POLICY && !MPX_NO_DEFAULT_POLICY */
/*==========================================================================*
 * MARK: loss_scale - the scale's rules, its state, and its use on trees     *
 *   Arithmetic is IEEE f32 in integers (scale.h). Floats are read as bits   *
 *   from memory, so that -ffast-math cannot wish Inf and NaN away.          *
 *==========================================================================*/
#if !MPX_NO_LOSS_SCALE

#define MPX__F32_ONE 0x3f800000u
#define MPX__F32_INF 0x7f800000u

MPX__PRIVATE mpx_loss_scale mpx__loss_scale_make(mpx_loss_scale_kind kind, uint32_t scale_bits,
                                                 uint32_t min_bits) {
    mpx_loss_scale s;
    mpx__zero(&s, sizeof s);
    s.kind = kind;
    mpx__write32(&s.scale, scale_bits);
    s.period = 2000;
    s.factor = 2.0f;
    mpx__write32(&s.min_scale, min_bits);
    return s;
}

MPX__API mpx_loss_scale mpx_loss_scale_noop(void) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_NOOP, MPX__F32_ONE, 0);
}
MPX__API mpx_loss_scale mpx_loss_scale_static(float scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_STATIC, mpx__opaque_bits(scale), 0);
}
MPX__API mpx_loss_scale mpx_loss_scale_dynamic(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_DYNAMIC, mpx__opaque_bits(initial_scale),
                                MPX__F32_ONE);
}
MPX__API mpx_loss_scale mpx_loss_scale_axon(float initial_scale) {
    mpx_loss_scale s = mpx_loss_scale_dynamic(initial_scale);
    s.dialect = MPX_DIALECT_AXON;
    return s;
}
MPX__API mpx_loss_scale mpx_loss_scale_jaxamp(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_JAXAMP, mpx__opaque_bits(initial_scale), 0);
}
MPX__API mpx_loss_scale mpx_loss_scale_keras(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_KERAS, mpx__opaque_bits(initial_scale), 0);
}

/* ---- bits of floats, as far as the rules need them ------------------------------------------- */

MPX__INLINE int mpx__is_finite(uint32_t u) { return u << 1 < MPX__F32_INF << 1; }
MPX__INLINE int mpx__is_nan(uint32_t u) { return u << 1 > MPX__F32_INF << 1; }
/* Order-preserving: bits to unsigned numbers that compare as the floats do. */
MPX__INLINE uint32_t mpx__order(uint32_t u) { return u >> 31 != 0 ? ~u : u | 0x80000000u; }
MPX__ONCE int mpx__is_above(uint32_t a, uint32_t b) { return mpx__order(a) > mpx__order(b); }
MPX__INLINE int32_t mpx__increment(int32_t x) { return x + (x != INT32_MAX); }
/* max as XLA has it: NaN if either is. */
MPX__INLINE uint32_t mpx__max_f32(uint32_t a, uint32_t b) {
    if (mpx__is_nan(a)) return a;
    return mpx__is_nan(b) || mpx__is_above(b, a) ? b : a;
}

/* The number of the state's dtype that is nearest to an f32. The bits of a product or quotient of
   two such numbers are rounded twice, to f32 first: with 24 bits of significand to 11 and 8 the
   result is the one of a single rounding. */
MPX__PRIVATE uint32_t mpx__in_state(const mpx_loss_scale *s, uint32_t u) {
    if (MPX_NO_DIALECTS) return u;
    if (s->state == MPX_F16) return mpx_f16_to_bits(mpx_f16_from_bits(u));
    return s->state == MPX_BF16 ? mpx_bf16_to_bits(mpx_bf16_from_bits(u)) : u;
}
MPX__INLINE uint32_t mpx__state_bits(const mpx_loss_scale *s, const float *number) {
    return mpx__in_state(s, mpx__read32(number));
}
MPX__INLINE int mpx__is_state_dtype(uint32_t type) {
    return type == MPX_NONE || type == MPX_F32 ||
           (!MPX_NO_DIALECTS && (type == MPX_F16 || type == MPX_BF16));
}

MPX__INLINE uint32_t mpx__scale_bits(const mpx_loss_scale *s) {
    return s->kind == MPX_LOSS_SCALE_NOOP ? MPX__F32_ONE : mpx__state_bits(s, &s->scale);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* (counter + 1) mod period, with a result of period's sign as Python has it; 0 if period is 0. */
#if MPX__HAS_DIVIDER
MPX__PRIVATE int32_t mpx__next_counter(int32_t counter, int32_t period) {
    if (period == 0) return 0;
    return (int32_t)((((int64_t)counter + 1) % period + period) % period);
}
#else
/* x mod m for m > 0, by shifts: small cores have no divider, and would call a library. */
MPX__PRIVATE uint32_t mpx__remainder(uint32_t x, uint32_t m) {
    uint32_t by = m;
    while (by <= x >> 1)
        by <<= 1;
    for (; by >= m; by >>= 1)
        if (x >= by) x -= by;
    return x;
}

/* counter + 1 stands as what is left of it below period's magnitude m. */
MPX__PRIVATE int32_t mpx__next_counter(int32_t counter, int32_t period) {
    uint32_t m = period < 0 ? 0u - (uint32_t)period : (uint32_t)period;
    uint32_t next = (uint32_t)counter + 1u, negative = counter < -1, x;
    if (m < 2) return 0;
    x = mpx__remainder(negative ? ~next : next, m);
    if (negative) x = m - 1u - x;
    return period < 0 && x != 0 ? (int32_t)x + period : (int32_t)x;
}
#endif

/* One product or quotient, then the rule of the kind: whether it grows now, and what the counter
   does. jaxamp grows one step later, and counts its resets; only DYNAMIC has a minimum, and does
   not grow beyond the finite floats. */
MPX__ONCE void mpx__adjust(mpx_loss_scale *s, int finite) {
    uint32_t scale = mpx__state_bits(s, &s->scale), factor = mpx__state_bits(s, &s->factor);
    uint32_t moved = mpx__in_state(s, mpx__f32_scaled(scale, factor, !finite));
    int dynamic = s->kind == MPX_LOSS_SCALE_DYNAMIC, jaxamp = s->kind == MPX_LOSS_SCALE_JAXAMP;
    int grow = jaxamp ? s->counter >= s->period
                      : s->counter < s->period && s->counter + 1 == s->period;
    int32_t counter = 0;
    if (!finite) {
        scale = dynamic ? mpx__max_f32(mpx__state_bits(s, &s->min_scale), moved) : moved;
        if (jaxamp) s->resets = mpx__increment(s->resets);
    } else {
        counter = dynamic ? mpx__next_counter(s->counter, s->period)
                  : grow  ? 0
                          : mpx__increment(s->counter);
        if (grow && (!dynamic || mpx__is_finite(moved))) scale = moved;
    }
    mpx__write32(&s->scale, scale);
    s->counter = counter;
}

/* What every rule may be bound by, from the scale before the step to the one after. A counter at 0
   after a finite step: a period is complete, the scale has grown if it could. Source: the
   hysteresis of Megatron-LM's DynamicGradScaler. */
MPX__PRIVATE void mpx__bind(mpx_loss_scale *s, uint32_t before, int finite) {
    uint32_t now = mpx__read32(&s->scale), most = mpx__state_bits(s, &s->max_scale);
    int has_most = most != 0 && most <= MPX__F32_INF; /* not if negative, -0 or NaN */
    if (!finite && s->hysteresis > 1 && s->misses < s->hysteresis - 1) {
        s->misses++;
        mpx__write32(&s->scale, before);
    } else if (!finite && s->hysteresis > 0) {
        s->misses = s->hysteresis;
    } else if (finite && s->counter == 0) {
        s->misses = 0;
    }
    if (finite && has_most && mpx__is_above(now, most))
        mpx__write32(&s->scale, mpx__is_above(before, most) ? before : most);
}

MPX__KEPT MPX_API mpx_loss_scale mpx_loss_scale_adjust(mpx_loss_scale s, int grads_finite) {
    uint32_t before = mpx__state_bits(&s, &s.scale);
    if (s.kind >= MPX_LOSS_SCALE_DYNAMIC && s.kind <= MPX_LOSS_SCALE_KERAS) {
        mpx__adjust(&s, grads_finite);
        mpx__bind(&s, before, grads_finite);
    }
    return s;
}

MPX__API mpx_status mpx_loss_scale_check(mpx_loss_scale s) {
    uint32_t scale = mpx__state_bits(&s, &s.scale), factor = mpx__state_bits(&s, &s.factor),
             min = mpx__state_bits(&s, &s.min_scale), most = mpx__state_bits(&s, &s.max_scale);
    if (!mpx__is_dialect(s.dialect) || !mpx__is_state_dtype((uint32_t)s.state))
        return MPX_ERR_ARGUMENT;
    if (s.kind == MPX_LOSS_SCALE_NOOP) return MPX_OK;
    if (s.kind < MPX_LOSS_SCALE_NOOP || s.kind > MPX_LOSS_SCALE_KERAS) return MPX_ERR_ARGUMENT;
    if (scale == 0 || scale >= MPX__F32_INF) return MPX_ERR_ARGUMENT; /* zero, Inf, NaN, negative */
    if (s.kind == MPX_LOSS_SCALE_STATIC) return MPX_OK;
    if (s.period < 1 || factor <= MPX__F32_ONE || factor >= MPX__F32_INF) return MPX_ERR_ARGUMENT;
    if (most << 1 != 0 && (most < scale || most >= MPX__F32_INF)) return MPX_ERR_ARGUMENT;
    if (s.hysteresis < 0 || s.misses < 0 || s.misses > s.hysteresis) return MPX_ERR_ARGUMENT;
    return s.kind == MPX_LOSS_SCALE_DYNAMIC && min << 1 != 0 && min > scale
               ? MPX_ERR_ARGUMENT
               : MPX_OK; /* negative min: the sign bit */
}

/* The rule itself is asked, without hysteresis. NaN is stuck whatever it says. */
MPX__API int mpx_loss_scale_is_stuck(mpx_loss_scale s) {
    mpx_loss_scale next;
    uint32_t now = mpx__state_bits(&s, &s.scale), then;
    s.hysteresis = 0;
    next = mpx_loss_scale_adjust(s, 0);
    then = mpx__read32(&next.scale);
    if (s.kind == MPX_LOSS_SCALE_NOOP || s.kind == MPX_LOSS_SCALE_STATIC) return 0;
    return mpx__is_nan(now) || mpx__order(then) >= mpx__order(now);
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Unscaling is a division, in jmp's and Axon's dialects a product with the rounded reciprocal:
   returns whether to divide, and by or with what in *u. */
MPX__INLINE int mpx__unscale_factor(const mpx_loss_scale *s, uint32_t *u) {
    *u = mpx__scale_bits(s);
    if (s->dialect != MPX_DIALECT_JMP && s->dialect != MPX_DIALECT_AXON) return 1;
    *u = mpx__in_state(s, mpx__divide(MPX__F32_ONE, *u));
    return 0;
}

MPX__API float mpx_loss_scale_value(mpx_loss_scale s) {
    return mpx__float(mpx__scale_bits(&s));
}

MPX__API float mpx_loss_scale_scale(mpx_loss_scale s, float x) {
    return mpx__float(mpx__multiply(mpx__opaque_bits(x), mpx__scale_bits(&s)));
}

MPX__API float mpx_loss_scale_unscale(mpx_loss_scale s, float x) {
    uint32_t u, bits = mpx__opaque_bits(x);
    int divide = mpx__unscale_factor(&s, &u);
    return mpx__float(divide ? mpx__divide(bits, u) : mpx__multiply(bits, u));
}

MPX__API mpx_status mpx_loss_scale_scale_n(void *dst, mpx_dtype dst_type, const void *src,
                                           mpx_dtype src_type, size_t n, mpx_loss_scale s) {
    return mpx__scale_buffer(dst, dst_type, src, src_type, n, mpx__scale_bits(&s), 0, NULL);
}

MPX__API mpx_status mpx_loss_scale_unscale_n(void *dst, mpx_dtype dst_type, const void *src,
                                             mpx_dtype src_type, size_t n, mpx_loss_scale s,
                                             int *finite) {
    uint32_t u;
    int divide = mpx__unscale_factor(&s, &u), axon = s.dialect == MPX_DIALECT_AXON;
    int infinite = axon && finite != NULL && mpx_any_infinite(src, src_type, n);
    const mpx_status status = mpx__scale_buffer(dst, dst_type, src, src_type, n, u, divide,
                                                axon ? NULL : finite);
    if (status == MPX_OK && axon && finite != NULL) *finite = !infinite;
    return status;
}

#if !MPX_NO_TREE
MPX__API mpx_status mpx_loss_scale_scale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                              mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__scale_bits(&s), 0, NULL, err);
}

MPX__API mpx_status mpx_loss_scale_unscale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                                int *finite, mpx_error *err) {
    uint32_t u;
    int divide = mpx__unscale_factor(&s, &u), infinite = 0;
    mpx_status status;
    if (s.dialect != MPX_DIALECT_AXON || finite == NULL)
        return mpx__scale_tree(&dst, &src, u, divide, finite, err);
    status = mpx_tree_any_infinite(src, &infinite, err); /* before it may be overwritten */
    if (status == MPX_OK) status = mpx__scale_tree(&dst, &src, u, divide, NULL, err);
    if (status == MPX_OK) *finite = !infinite;
    return status;
}
#endif

/* ---- the state as bytes ---------------------------------------------------------------------- */

/* Fourteen little-endian words: "MPXL", format version, then the fields in the order of the struct.
   Version 2 has the first thirteen, without the state's dtype; version 1 ten, without maximum and
   hysteresis. */
enum { MPX__STATE_MAGIC = 0x4c58504d, MPX__STATE_VERSION = 3 };
static const uint8_t mpx__state_words[MPX__STATE_VERSION + 1] = { 0, 10, 13,
                                                                  MPX_LOSS_SCALE_BYTES / 4 };

/* Are kind, dialect and state among those that there are? Only then words are saved and loaded. */
MPX__PRIVATE int mpx__is_state(const uint32_t *word) {
    return word[2] <= MPX_LOSS_SCALE_KERAS && word[9] <= MPX_DIALECT_KERAS_CLASS &&
           mpx__is_state_dtype(word[13]);
}

MPX__API mpx_status mpx_loss_scale_save(mpx_loss_scale s, void *bytes) {
    unsigned char *out = (unsigned char *)bytes;
    uint32_t word[MPX_LOSS_SCALE_BYTES / 4];
    int i;
    word[0] = MPX__STATE_MAGIC;
    word[1] = MPX__STATE_VERSION;
    word[2] = (uint32_t)s.kind;
    word[3] = mpx__read32(&s.scale);
    word[4] = (uint32_t)s.counter;
    word[5] = (uint32_t)s.period;
    word[6] = mpx__read32(&s.factor);
    word[7] = mpx__read32(&s.min_scale);
    word[8] = (uint32_t)s.resets;
    word[9] = (uint32_t)s.dialect;
    word[10] = mpx__read32(&s.max_scale);
    word[11] = (uint32_t)s.hysteresis;
    word[12] = (uint32_t)s.misses;
    word[13] = (uint32_t)s.state;
    if (!mpx__is_state(word)) return MPX_ERR_ARGUMENT;
    for (i = 0; i < MPX_LOSS_SCALE_BYTES; i++)
        out[i] = (unsigned char)(word[i / 4] >> (8 * (i % 4)) & 255u);
    return MPX_OK;
}

MPX__INLINE int32_t mpx__signed(uint32_t u) {
    return u > 0x7fffffffu ? -(int32_t)(0xffffffffu - u) - 1 : (int32_t)u;
}

/* The words of a state of any version, those that it lacks as 0. Returns 0 if it is none. */
MPX__PRIVATE int mpx__read_state(const unsigned char *in, size_t size, uint32_t *word) {
    uint32_t version = MPX__STATE_VERSION;
    int i, words;
    while (version != 0 && size != 4u * mpx__state_words[version])
        version--;
    words = mpx__state_words[version];
    if (words == 0) return 0;
    for (i = 0; i < MPX_LOSS_SCALE_BYTES / 4; i++) {
        const unsigned char *p = in + 4 * (i < words ? i : 0);
        uint32_t x = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        word[i] = i < words ? x : 0;
    }
    return word[0] == MPX__STATE_MAGIC && word[1] == version && mpx__is_state(word);
}

MPX__API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out) {
    uint32_t word[MPX_LOSS_SCALE_BYTES / 4];
    mpx_loss_scale s;
    if (!mpx__read_state((const unsigned char *)bytes, size, word)) return MPX_ERR_STATE;
    s = mpx__loss_scale_make((mpx_loss_scale_kind)word[2], word[3], word[7]);
    s.counter = mpx__signed(word[4]);
    s.period = mpx__signed(word[5]);
    mpx__write32(&s.factor, word[6]);
    s.resets = mpx__signed(word[8]);
    s.dialect = (mpx_dialect)word[9];
    mpx__write32(&s.max_scale, word[10]);
    s.hysteresis = mpx__signed(word[11]);
    s.misses = mpx__signed(word[12]);
    s.state = (mpx_dtype)word[13];
    *out = s;
    return MPX_OK;
}

#endif /* !MPX_NO_LOSS_SCALE */
/*==========================================================================*
 * MARK: scaled_grad - a step under a loss scale, done again if need be      *
 *   The caller differentiates, by a callback. The order of the steps is     *
 *   jaxamp's dynamic_scale_grad and dynamic_scale_value_and_grad.           *
 *==========================================================================*/
#if !MPX_NO_LOSS_SCALE && !MPX_NO_TREE

/* As the scale's own finite test: Axon's lets NaN pass. */
MPX__PRIVATE mpx_status mpx__tree_passes(const mpx_loss_scale *s, const mpx_tree *tree, int *passes,
                                         mpx_error *err) {
    int infinite = 0;
    mpx_status status;
    if (s->dialect != MPX_DIALECT_AXON) return mpx_tree_all_finite(*tree, passes, err);
    status = mpx_tree_any_infinite(*tree, &infinite, err);
    if (status == MPX_OK) *passes = !infinite;
    return status;
}

MPX__INLINE int mpx__loss_passes(const mpx_loss_scale *s, const float *loss) {
    uint32_t u = mpx__read32(loss);
    return s->dialect == MPX_DIALECT_AXON ? u << 1 != MPX__F32_INF << 1 : mpx__is_finite(u);
}

/* Scale and differentiate, unscale by the same state, look at the whole result: the unscaled
   gradients, the auxiliary values as they are, and the loss, if it is asked for. */
MPX__PRIVATE mpx_status mpx__grad_once(const mpx_loss_scale *s, const mpx_grad_call *call,
                                       mpx_grad_result *out, mpx_error *err) {
    int grads_pass = 1, aux_passes = 1;
    mpx_status status = call->evaluate(*s, &out->loss, call->user);
    if (status != MPX_OK) return mpx__fail_at(err, status, MPX_SUBJECT_LEAF, (size_t)-1);
    status = mpx_loss_scale_unscale_tree(call->grads, call->scaled_grads, *s, &grads_pass, err);
    if (status == MPX_OK) status = mpx__tree_passes(s, &call->aux, &aux_passes, err);
    if (status != MPX_OK) return status;
    (void)mpx_loss_scale_unscale_n(&out->loss, MPX_F32, &out->loss, MPX_F32, 1, *s, NULL);
    out->finite = grads_pass && aux_passes && (!call->check_loss || mpx__loss_passes(s, &out->loss));
    return MPX_OK;
}

/* The state is adjusted after every evaluation, the last too. */
MPX__API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                        mpx_grad_result *result, mpx_error *err) {
    mpx_loss_scale s = *scale;
    mpx_grad_result out;
    out.evaluations = 0;
    do {
        mpx_status status;
        mpx__zero(&out.loss, sizeof out.loss);
        status = mpx__grad_once(&s, call, &out, err);
        if (status != MPX_OK) return status;
        s = mpx_loss_scale_adjust(s, out.finite);
        out.evaluations++;
    } while (!out.finite && out.evaluations <= call->redo_on_nan);
    *scale = s;
    if (result != NULL) *result = out;
    return MPX_OK;
}

#endif /* !MPX_NO_LOSS_SCALE && !MPX_NO_TREE */
/*==========================================================================*
 * MARK: interop - the same dtypes in other systems, and the nearest word    *
 *   One row per dtype, in the order of types.h: its number and its name in  *
 *   each system. -1 and "": that system has no such dtype. A dtype after    *
 *   the last row is in no system. All functions search this table.          *
 *==========================================================================*/
#if !MPX_NO_INTEROP

/* Systems whose names are mpx's own, for the dtypes that carry the mark. */
enum { MPX__WEBNN = 1, MPX__WGSL = 2 };

/* The columns, three lines as in the table below, and where each was read:
   files     safetensors: tensor.rs. ggml_type: ggml.h. ONNX: onnx.proto, TensorProto.DataType.
             DLPack: dlpack.h 1.1, DLDataTypeCode. Arrow: type_fwd.h, Type::type, and the letters of
             the C data interface. TFLite: schema.fbs, TensorType (in a file), and tflite_types.h,
             TfLiteType (in the C API): two numberings.
   programs  NumPy 2.4 with ml_dtypes 0.6: dtype.str. PyTorch 2.13: c10/ScalarType.h, and the
             ScalarType of torch.export's schema 8.17: two numberings. XLA: xla_data.proto,
             PrimitiveType. MLIR: StableHLO's spec.md. IREE: hal/buffer_view.h, the numerical type,
             which stands above the bits; 0: none.
   devices   CUDA 12.9: library_types.h, cudaDataType. Vulkan: vulkan_core.h, VkComponentTypeKHR.
             MPI: mpi.h of MPICH 5 and Open MPI 5. WebNN: index.bs, MLOperandDataType. WGSL. */
typedef struct mpx__interop_row {
    char safetensors[12];
    int8_t ggml_type;
    char ggml[5];
    int8_t onnx_type;
    char onnx[15];
    int8_t dlpack, arrow_type;
    char arrow[2];
    int8_t tflite_file, tflite_c;

    char numpy[5];
    int8_t torch, torch_export, xla_type;
    char xla[14], mlir[14];
    uint8_t iree;

    int8_t cuda_type;
    char cuda[16];
    int32_t vulkan;
    char mpi[21];
    uint8_t own_name;
} mpx__interop_row;

/* clang-format off */
static const mpx__interop_row mpx__interop_rows[] = {
    /* none */
    { "", -1, "", -1, "", -1, -1, "", -1, -1,
      "", -1, -1, -1, "", "", 0,
      -1, "", -1, "", 0 },
    /* f64 */
    { "F64", 28, "F64", 11, "DOUBLE", 2, 12, "g", 10, 11,
      "<f8", 7, 8, 12, "F64", "f64", 0x21,
      1, "CUDA_R_64F", 2, "MPI_DOUBLE", 0 },
    /* f32 */
    { "F32", 0, "F32", 1, "FLOAT", 2, 11, "f", 0, 1,
      "<f4", 6, 7, 11, "F32", "f32", 0x21,
      0, "CUDA_R_32F", 1, "MPI_FLOAT", MPX__WEBNN | MPX__WGSL },
    /* f16 */
    { "F16", 1, "F16", 10, "FLOAT16", 2, 10, "e", 1, 10,
      "<f2", 5, 6, 10, "F16", "f16", 0x21,
      2, "CUDA_R_16F", 0, "MPIX_C_FLOAT16", MPX__WEBNN | MPX__WGSL },
    /* bf16 */
    { "BF16", 30, "BF16", 16, "BFLOAT16", 4, -1, "", 18, 19,
      "<V2", 15, 13, 16, "BF16", "bf16", 0x22,
      14, "CUDA_R_16BF", 1000141000, "MPIX_BFLOAT16", 0 },
    /* f8e4m3fn: what safetensors, CUDA and Vulkan call E4M3 */
    { "F8_E4M3", -1, "", 17, "FLOAT8E4M3FN", 10, -1, "", 21, 22,
      "<V1", 24, 29, 20, "F8E4M3FN", "f8E4M3FN", 0x25,
      28, "CUDA_R_8F_E4M3", 1000491002, "", 0 },
    /* f8e5m2 */
    { "F8_E5M2", -1, "", 19, "FLOAT8E5M2", 12, -1, "", 22, 23,
      "<f1", 23, 30, 19, "F8E5M2", "f8E5M2", 0x24,
      29, "CUDA_R_8F_E5M2", 1000491003, "", 0 },
    /* f8e4m3fnuz */
    { "F8_E4M3FNUZ", -1, "", 18, "FLOAT8E4M3FNUZ", 11, -1, "", -1, -1,
      "<V1", 26, 31, 25, "F8E4M3FNUZ", "f8E4M3FNUZ", 0x27,
      -1, "", -1, "", 0 },
    /* f8e5m2fnuz */
    { "F8_E5M2FNUZ", -1, "", 20, "FLOAT8E5M2FNUZ", 13, -1, "", -1, -1,
      "<V1", 25, 32, 24, "F8E5M2FNUZ", "f8E5M2FNUZ", 0x26,
      -1, "", -1, "", 0 },
    /* f8e4m3b11fnuz */
    { "", -1, "", -1, "", 9, -1, "", -1, -1,
      "<V1", -1, -1, 23, "F8E4M3B11FNUZ", "f8E4M3B11FNUZ", 0,
      -1, "", -1, "", 0 },
    /* f8e4m3: the IEEE-like one */
    { "", -1, "", -1, "", 8, -1, "", -1, -1,
      "<V1", -1, -1, 28, "F8E4M3", "f8E4M3", 0,
      -1, "", -1, "", 0 },
    /* f8e3m4 */
    { "", -1, "", -1, "", 7, -1, "", -1, -1,
      "<V1", -1, -1, 29, "F8E3M4", "f8E3M4", 0,
      -1, "", -1, "", 0 },
    /* f8e8m0fnu */
    { "F8_E8M0", -1, "", 24, "FLOAT8E8M0", 14, -1, "", -1, -1,
      "<V1", 44, -1, 33, "F8E8M0FNU", "f8E8M0FNU", 0x28,
      30, "CUDA_R_8F_UE8M0", 1000672003, "", 0 },
    /* f6e2m3fn */
    { "F6_E2M3", -1, "", -1, "", 15, -1, "", -1, -1,
      "<V1", -1, -1, -1, "", "f6E2M3FN", 0x2a,
      31, "CUDA_R_6F_E2M3", 1000672000, "", 0 },
    /* f6e3m2fn */
    { "F6_E3M2", -1, "", -1, "", 16, -1, "", -1, -1,
      "<V1", -1, -1, -1, "", "f6E3M2FN", 0x29,
      32, "CUDA_R_6F_E3M2", 1000672001, "", 0 },
    /* f4e2m1fn: PyTorch's 45 is a byte that holds two of them */
    { "F4", -1, "", 23, "FLOAT4E2M1", 17, -1, "", -1, -1,
      "<V1", 45, -1, 32, "F4E2M1FN", "f4E2M1FN", 0x2b,
      33, "CUDA_R_4F_E2M1", 1000672002, "", 0 },
    /* bool: one bit in Arrow, a byte elsewhere */
    { "BOOL", -1, "", 9, "BOOL", 6, 1, "b", 6, 6,
      "|b1", 11, 12, 1, "PRED", "i1", 0x13,
      -1, "", -1, "MPI_C_BOOL", MPX__WGSL },
    /* i2 */
    { "", -1, "", 26, "INT2", 0, -1, "", 19, 20,
      "<V1", 38, -1, 26, "S2", "i2", 0x11,
      -1, "", -1, "", 0 },
    /* u2 */
    { "", -1, "", 25, "UINT2", 1, -1, "", -1, -1,
      "<V1", 31, -1, 27, "U2", "ui2", 0x12,
      -1, "", -1, "", 0 },
    /* i4 */
    { "", -1, "", 22, "INT4", 0, -1, "", 17, 18,
      "<V1", 40, -1, 21, "S4", "i4", 0x11,
      16, "CUDA_R_4I", -1, "", 0 },
    /* u4 */
    { "", -1, "", 21, "UINT4", 1, -1, "", 20, 21,
      "<V1", 33, -1, 22, "U4", "ui4", 0x12,
      18, "CUDA_R_4U", -1, "", 0 },
    /* i8 */
    { "I8", 24, "I8", 3, "INT8", 0, 3, "c", 9, 9,
      "|i1", 1, 2, 2, "S8", "i8", 0x11,
      3, "CUDA_R_8I", 3, "MPI_INT8_T", MPX__WEBNN },
    /* u8 */
    { "U8", -1, "", 2, "UINT8", 1, 2, "C", 3, 3,
      "|u1", 0, 1, 6, "U8", "ui8", 0x12,
      8, "CUDA_R_8U", 7, "MPI_UINT8_T", MPX__WEBNN },
    /* i16 */
    { "I16", 25, "I16", 5, "INT16", 0, 5, "s", 7, 7,
      "<i2", 2, 3, 3, "S16", "i16", 0x11,
      20, "CUDA_R_16I", 4, "MPI_INT16_T", 0 },
    /* u16 */
    { "U16", -1, "", 4, "UINT16", 1, 4, "S", 16, 17,
      "<u2", 27, 28, 7, "U16", "ui16", 0x12,
      22, "CUDA_R_16U", 8, "MPI_UINT16_T", 0 },
    /* i32 */
    { "I32", 26, "I32", 6, "INT32", 0, 7, "i", 2, 2,
      "<i4", 3, 4, 4, "S32", "i32", 0x11,
      10, "CUDA_R_32I", 5, "MPI_INT32_T", MPX__WEBNN | MPX__WGSL },
    /* u32 */
    { "U32", -1, "", 12, "UINT32", 1, 6, "I", 15, 16,
      "<u4", 28, -1, 8, "U32", "ui32", 0x12,
      12, "CUDA_R_32U", 9, "MPI_UINT32_T", MPX__WEBNN | MPX__WGSL },
    /* i64 */
    { "I64", 27, "I64", 7, "INT64", 0, 9, "l", 4, 4,
      "<i8", 4, 5, 5, "S64", "i64", 0x11,
      24, "CUDA_R_64I", 6, "MPI_INT64_T", MPX__WEBNN },
    /* u64 */
    { "U64", -1, "", 13, "UINT64", 1, 8, "L", 12, 13,
      "<u8", 29, -1, 9, "U64", "ui64", 0x12,
      26, "CUDA_R_64U", 10, "MPI_UINT64_T", MPX__WEBNN },
    /* c64 */
    { "C64", -1, "", 14, "COMPLEX64", 5, -1, "", 8, 8,
      "<c8", 9, 10, 15, "C64", "complex<f32>", 0x23,
      4, "CUDA_C_32F", -1, "MPI_C_FLOAT_COMPLEX", 0 },
    /* c128 */
    { "", -1, "", 15, "COMPLEX128", 5, -1, "", 11, 12,
      "<c16", 10, 11, 18, "C128", "complex<f64>", 0x23,
      5, "CUDA_C_64F", -1, "MPI_C_DOUBLE_COMPLEX", 0 },
};
/* clang-format on */

MPX__INLINE const mpx__interop_row *mpx__interop_row_of(mpx_dtype type) {
    const size_t i = mpx__row_of(type)->type;
    return mpx__interop_rows + (i < sizeof mpx__interop_rows / sizeof mpx__interop_rows[0] ? i : 0);
}

MPX__INLINE int mpx__is_system(mpx_system system) {
    return system > MPX_SYSTEM_NONE && system < MPX_SYSTEM_COUNT;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* IREE's element type: (numerical type << 24) | bits. */
MPX__INLINE int64_t mpx__iree_code(unsigned numerical_type, int bits) {
    return numerical_type == 0 ? -1 : (int64_t)(((uint32_t)numerical_type << 24) | (uint32_t)bits);
}

/* The number of a dtype, -1 if it has none. */
MPX__PRIVATE int64_t mpx__interop_code(mpx_system system, mpx_dtype type) {
    const mpx__interop_row *row = mpx__interop_row_of(type);
    switch ((int)system) {
    case MPX_SYSTEM_GGUF: return row->ggml_type;
    case MPX_SYSTEM_ONNX: return row->onnx_type;
    case MPX_SYSTEM_ARROW: return row->arrow_type;
    case MPX_SYSTEM_TFLITE: return row->tflite_file;
    case MPX_SYSTEM_TFLITE_C: return row->tflite_c;
    case MPX_SYSTEM_TORCH: return row->torch;
    case MPX_SYSTEM_TORCH_EXPORT: return row->torch_export;
    case MPX_SYSTEM_XLA: return row->xla_type;
    case MPX_SYSTEM_IREE: return mpx__iree_code(row->iree, mpx_dtype_bits(type));
    case MPX_SYSTEM_CUDA: return row->cuda_type;
    case MPX_SYSTEM_VULKAN: return row->vulkan;
    default: return -1;
    }
}

MPX__API mpx_status mpx_interop_code(mpx_system system, mpx_dtype type, int64_t *code) {
    int64_t found = mpx__interop_code(system, type);
    MPX_ASSERT(code != NULL);
    if (!mpx__is_system(system)) return MPX_ERR_ARGUMENT;
    if (found < 0) return MPX_ERR_DTYPE;
    *code = found;
    return MPX_OK;
}

/* 0x10 is IREE's integer without a sign of its own, which its tools write for MLIR's i8. */
MPX__INLINE int mpx__is_signless(mpx_system system, int64_t code, mpx_dtype type) {
    return system == MPX_SYSTEM_IREE && mpx__row_of(type)->kind == MPX_KIND_INT &&
           code == mpx__iree_code(0x10, mpx_dtype_bits(type));
}

MPX__API mpx_status mpx_interop_dtype(mpx_system system, int64_t code, mpx_dtype *out) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL);
    if (!mpx__is_system(system)) return MPX_ERR_ARGUMENT;
    if (code < 0) return MPX_ERR_DTYPE; /* -1 in the table is no number */
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        if (mpx__interop_code(system, type) == code || mpx__is_signless(system, code, type)) {
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}

/* ---- DLPack ---------------------------------------------------------------------------------- */

MPX__API mpx_status mpx_interop_dlpack(mpx_dtype type, mpx_dlpack *out) {
    int code = mpx__interop_row_of(type)->dlpack;
    MPX_ASSERT(out != NULL);
    if (code < 0) return MPX_ERR_DTYPE;
    out->code = (uint8_t)code;
    out->bits = mpx__row_of(type)->bits;
    out->lanes = 1;
    return MPX_OK;
}

MPX__API mpx_status mpx_interop_dlpack_dtype(mpx_dlpack format, mpx_dtype *out) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL);
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        int lanes_fit = format.lanes == 1 || (format.lanes == 2 && type == MPX_F4E2M1FN);
        if (lanes_fit && format.code == mpx__interop_row_of(type)->dlpack &&
            format.bits == mpx__row_of(type)->bits) {
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}

/* ---- names ----------------------------------------------------------------------------------- */

MPX__PRIVATE const char *mpx__torch_name(mpx_dtype type) {
    if (mpx__interop_row_of(type)->torch < 0) return "";
    return type == MPX_F4E2M1FN ? "float4_e2m1fn_x2" : mpx_dtype_name(type);
}

MPX__API const char *mpx_interop_name(mpx_system system, mpx_dtype type) {
    const mpx__interop_row *row = mpx__interop_row_of(type);
    switch ((int)system) {
    case MPX_SYSTEM_SAFETENSORS: return row->safetensors;
    case MPX_SYSTEM_GGUF: return row->ggml;
    case MPX_SYSTEM_ONNX: return row->onnx;
    case MPX_SYSTEM_ARROW: return row->arrow;
    case MPX_SYSTEM_NUMPY:
    case MPX_SYSTEM_JAX: return row != mpx__interop_rows ? mpx_dtype_name(type) : "";
    case MPX_SYSTEM_NUMPY_STR: return row->numpy;
    case MPX_SYSTEM_TORCH: return mpx__torch_name(type);
    case MPX_SYSTEM_KERAS:
        return (mpx__row_of(type)->name_systems & MPX__KERAS) != 0 ? mpx_dtype_name(type) : "";
    case MPX_SYSTEM_XLA: return row->xla;
    case MPX_SYSTEM_MLIR: return row->mlir;
    case MPX_SYSTEM_CUDA: return row->cuda;
    case MPX_SYSTEM_WEBNN: return (row->own_name & MPX__WEBNN) != 0 ? mpx_dtype_name(type) : "";
    case MPX_SYSTEM_WGSL: return (row->own_name & MPX__WGSL) != 0 ? mpx_dtype_short_name(type) : "";
    case MPX_SYSTEM_MPI: return row->mpi;
    default: return "";
    }
}

/* Does this system mean the dtype by the word, of a byte or more? Beside the names in the table:
   MLIR's si8 is its i8, CUDA's UE4M3 an alias of its E4M3; NumPy's <V1 and <V2 are bytes that have
   lost their dtype. */
MPX__PRIVATE int mpx__means(mpx_system system, mpx__slice word, mpx_dtype type) {
    const char *name = mpx_interop_name(system, type);
    if (name[0] == '\0') return 0;
    if (system == MPX_SYSTEM_NUMPY_STR && name[1] == 'V') return 0;
    if (mpx__is_word(word, name, 0)) return 1;
    if (system == MPX_SYSTEM_MLIR && mpx__row_of(type)->kind == MPX_KIND_INT)
        return word.s[0] == 's' && mpx__is_word(mpx__from(word, 1), name, 0);
    return system == MPX_SYSTEM_CUDA && type == MPX_F8E4M3FN &&
           mpx__is_word(word, "CUDA_R_8F_UE4M3", 0);
}

MPX__API mpx_status mpx_interop_parse_n(mpx_system system, const char *name, size_t len,
                                        mpx_dtype *out, mpx_error *err) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL && (name != NULL || len == 0));
    if (!mpx__is_system(system)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    if (len == 0) return mpx__fail(err, MPX_ERR_EMPTY, 0, 0);
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        if (mpx__means(system, mpx__slice_of(name, len), type)) {
            *out = type;
            return mpx__fail(err, MPX_OK, 0, 0);
        }
    }
    return mpx__fail(err, MPX_ERR_DTYPE, 0, len);
}

MPX__API mpx_status mpx_interop_parse(mpx_system system, const char *name, mpx_dtype *out,
                                      mpx_error *err) {
    return mpx_interop_parse_n(system, name, mpx__length(name), out, err);
}

/* ---- did you mean ---------------------------------------------------------------------------- */

enum { MPX__NEAR = 2, MPX__NEAR_WORD = 24 }; /* edits that are near; the longest word looked at */

/* Edits that turn the word into the known one: letters put in, left out, changed, or two neighbours
   swapped, upper and lower case the same; more than MPX__NEAR if there is no hope. The matrix of
   Damerau and Levenshtein (optimal string alignment), of which three rows are kept:

     at[j] = min(left[j-1] + 1, up[j] + 1, up[j-1] + differ, two_up[j-2] + 1 if swapped)   */
MPX__PRIVATE int mpx__edits(mpx__slice word, const char *known) {
    uint8_t rows[3][MPX__NEAR_WORD + 1], *two_up = rows[0], *up = rows[1], *at = rows[2];
    size_t length = mpx__length(known), i, j;
    if (length > word.n + MPX__NEAR || word.n > length + MPX__NEAR) return MPX__NEAR + 1;
    for (j = 0; j <= word.n; j++) {
        at[j] = (uint8_t)j;
        MPX__BARRIER(); /* gcc 12 would warn of its own vectors */
    }
    for (i = 1; i <= length; i++) {
        uint8_t *spare = two_up;
        char k = mpx__lower(known[i - 1]);
        two_up = up;
        up = at;
        at = spare;
        at[0] = (uint8_t)i;
        for (j = 1; j <= word.n; j++) {
            char w = mpx__lower(word.s[j - 1]);
            int best = up[j - 1] + (w != k);
            if (at[j - 1] + 1 < best) best = at[j - 1] + 1;
            if (up[j] + 1 < best) best = up[j] + 1;
            if (i > 1 && j > 1 && w == mpx__lower(known[i - 2]) && k == mpx__lower(word.s[j - 2]) &&
                two_up[j - 2] + 1 < best)
                best = two_up[j - 2] + 1;
            at[j] = (uint8_t)best;
        }
    }
    return at[word.n];
}

/* The nearest so far; MPX_NONE while two dtypes are equally near. */
typedef struct mpx__nearest {
    mpx__slice word;
    int edits;
    mpx_dtype type;
} mpx__nearest;

MPX__PRIVATE void mpx__consider(mpx__nearest *nearest, const char *known, mpx_dtype type) {
    int edits = mpx__edits(nearest->word, known);
    if (edits < nearest->edits) {
        nearest->edits = edits;
        nearest->type = type;
    } else if (edits == nearest->edits && type != nearest->type) {
        nearest->type = MPX_NONE;
    }
}

/* Words of the systems, but those of one or two letters (F4 is four bits in safetensors, four bytes
   in NumPy), ambiguous ones (ONNX's FLOAT), and NumPy's typestrings. */
MPX__PRIVATE void mpx__consider_systems(mpx__nearest *nearest, mpx_dtype type) {
    int system;
    for (system = MPX_SYSTEM_NONE + 1; system < MPX_SYSTEM_COUNT; system++) {
        const char *name = mpx_interop_name((mpx_system)system, type);
        size_t length = mpx__length(name);
        if (system != MPX_SYSTEM_NUMPY_STR && length > 2 &&
            mpx__ambiguity_of(mpx__slice_of(name, length)) == NULL)
            mpx__consider(nearest, name, type);
    }
}

/* NumPy's typestrings: their letters count bytes, and may stand the other way round. */
MPX__INLINE int mpx__has_byte_order(char c) {
    return c == '<' || c == '>' || c == '|' || c == '=';
}

MPX__API mpx_dtype mpx_dtype_suggest(const char *word, size_t len) {
    mpx__nearest nearest;
    mpx_dtype type;
    size_t i;
    MPX_ASSERT(word != NULL || len == 0);
    if (len == 0 || len > MPX__NEAR_WORD) return MPX_NONE;
    nearest.word = mpx__slice_of(word, len);
    if (mpx__has_byte_order(word[0]) || mpx__ambiguity_of(nearest.word) != NULL) return MPX_NONE;
    nearest.edits = (len >= 5 ? 2 : len >= 3 ? 1 : 0) + 1; /* less than half of the word */
    nearest.type = MPX_NONE;
    for (type = MPX_F64; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        mpx__consider(&nearest, mpx_dtype_name(type), type);
        mpx__consider(&nearest, mpx_dtype_short_name(type), type);
        mpx__consider_systems(&nearest, type);
    }
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if ((mpx__aliases[i].systems & MPX__ANY) != 0 &&
            !mpx__has_byte_order(mpx__aliases[i].word[0]))
            mpx__consider(&nearest, mpx__aliases[i].word,
                          (mpx_dtype)mpx__aliases[i].dtype);
    return nearest.type;
}
#endif /* !MPX_NO_INTEROP */
/*==========================================================================*
 * MARK: promote - the dtype that operands of different dtypes meet in       *
 *   JAX's lattice, drawn below; the answer is the least dtype that is above *
 *   every operand, if there is one.                                         *
 *==========================================================================*/
#if !MPX_NO_PROMOTE

/* A set of dtypes and of weak numbers, which are negative. MPX_WITH_ bits, multiplied by
   MPX__SET(MPX_NONE), are such a set too. */
#define MPX__SET(type) ((uint64_t)1 << ((int)(type) - (int)MPX_WEAK_COMPLEX))

/* What stands directly above a dtype. Every step goes to a later row, and what has no row has
   nothing above it: complex128, and the formats of 8 bits and less, which meet no other strong
   float or integer. Source: _type_promotion_lattice of jax/_src/dtypes.py, x64 enabled.

     bool - int - u8..u64, i8..i64 - float - bf16, f16 - f32 -------- f64 -- c128
             |                         |                  |                  |
             i2 u2 i4 u4               f8.. f6.. f4..     '-- c64 -----------'
                                       '--- complex ----------'       */
typedef struct mpx__lattice_row {
    int8_t type;
    uint64_t above;
} mpx__lattice_row;

static const mpx__lattice_row mpx__lattice[] = {
    { MPX_BOOL, MPX__SET(MPX_WEAK_INT) },
    { MPX_WEAK_INT, MPX__SET(MPX_U8) | MPX__SET(MPX_I8) | MPX__SET(MPX_U4) | MPX__SET(MPX_I4) |
                        MPX__SET(MPX_U2) | MPX__SET(MPX_I2) },
    { MPX_U8, MPX__SET(MPX_U16) | MPX__SET(MPX_I16) },
    { MPX_U16, MPX__SET(MPX_U32) | MPX__SET(MPX_I32) },
    { MPX_U32, MPX__SET(MPX_U64) | MPX__SET(MPX_I64) },
    { MPX_U64, MPX__SET(MPX_WEAK_FLOAT) },
    { MPX_I8, MPX__SET(MPX_I16) },
    { MPX_I16, MPX__SET(MPX_I32) },
    { MPX_I32, MPX__SET(MPX_I64) },
    { MPX_I64, MPX__SET(MPX_WEAK_FLOAT) },
    { MPX_WEAK_FLOAT, MPX__SET(MPX_WEAK_COMPLEX) | MPX__SET(MPX_BF16) | MPX__SET(MPX_F16) |
                          MPX__SMALL_BITS * MPX__SET(MPX_NONE) },
    { MPX_BF16, MPX__SET(MPX_F32) },
    { MPX_F16, MPX__SET(MPX_F32) },
    { MPX_F32, MPX__SET(MPX_F64) | MPX__SET(MPX_C64) },
    { MPX_F64, MPX__SET(MPX_C128) },
    { MPX_WEAK_COMPLEX, MPX__SET(MPX_C64) },
    { MPX_C64, MPX__SET(MPX_C128) },
};

/* A dtype and all that is above it. */
MPX__PRIVATE uint64_t mpx__up_from(mpx_dtype type) {
    uint64_t set = MPX__SET(type);
    size_t i;
    for (i = 0; i < sizeof mpx__lattice / sizeof mpx__lattice[0]; i++)
        if ((set & MPX__SET(mpx__lattice[i].type)) != 0) set |= mpx__lattice[i].above;
    return set;
}

/* Does Keras promote this dtype? It refuses fp8, and what it has no name for. */
MPX__INLINE int mpx__keras_promotes(const mpx__row *row) {
    return (row->name_systems & MPX__KERAS) != 0 &&
           (row->kind != MPX_KIND_FLOAT || row->bits >= 16);
}

/* The operand as a node of the lattice; MPX_NONE if it is none. In Keras None is float32. (Python's
   complex is weak in JAX and complex64 in Keras; both end as complex64 there.) */
MPX__PRIVATE mpx_dtype mpx__operand(mpx_dtype type, int keras) {
    const mpx__row *row = mpx__row_of(type);
    if (keras && type == MPX_NONE) return MPX_F32;
    if (type >= MPX_WEAK_COMPLEX && type < MPX_NONE) return type;
    if (row->kind == MPX_KIND_NONE || (keras && !mpx__keras_promotes(row))) return MPX_NONE;
    return type;
}

/* Weak results become 64 bits wide, as in JAX with x64 enabled; Keras has 32 bits for them and for
   every wider result, complex64 for complex. */
MPX__PRIVATE mpx_dtype mpx__settle(mpx_dtype type, int keras) {
    switch ((int)type) {
    case MPX_WEAK_INT: return keras ? MPX_I32 : MPX_I64;
    case MPX_WEAK_FLOAT: return keras ? MPX_F32 : MPX_F64;
    case MPX_WEAK_COMPLEX: return keras ? MPX_C64 : MPX_C128;
    case MPX_I64: return keras ? MPX_I32 : MPX_I64;
    case MPX_U64: return keras ? MPX_U32 : MPX_U64;
    case MPX_F64: return keras ? MPX_F32 : MPX_F64;
    case MPX_C128: return keras ? MPX_C64 : MPX_C128;
    default: return type;
    }
}

MPX__API mpx_status mpx_dtype_promote(const mpx_dtype *types, size_t n, mpx_dialect dialect,
                                      mpx_dtype *out) {
    uint64_t above_all = ~(uint64_t)0;
    int keras = mpx__is_keras(dialect);
    mpx_dtype type;
    size_t i;
    MPX_ASSERT(out != NULL && (types != NULL || n == 0));
    if (!mpx__is_dialect(dialect)) return MPX_ERR_ARGUMENT;
    if (dialect == MPX_DIALECT_AXON || (n == 0 && !keras)) return MPX_ERR_ARGUMENT;
    if (n == 0) above_all = mpx__up_from(MPX_F32); /* as result_type() has it */
    for (i = 0; i < n; i++) {
        type = mpx__operand(types[i], keras);
        if (type == MPX_NONE) return MPX_ERR_DTYPE;
        above_all &= mpx__up_from(type);
    }
    for (type = MPX_WEAK_COMPLEX; type < MPX_DTYPE_COUNT; type = mpx__type_after(type)) {
        if ((above_all & MPX__SET(type)) != 0 && (above_all & ~mpx__up_from(type)) == 0) {
            type = mpx__settle(type, keras);
            if (mpx__row_of(type)->kind == MPX_KIND_NONE) return MPX_ERR_DTYPE; /* not carried */
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}
#undef MPX__SET
#endif /* !MPX_NO_PROMOTE */
/*==========================================================================*
 * MARK: amp - which precision an operation gets, and casting it so          *
 *   Rules are read, matched and applied here, and casts made one operation  *
 *   at a time; amp_plan has whole graphs. Source: jaxamp 0.0.4 _amp.py.     *
 *==========================================================================*/
#if !MPX_NO_AMP

static const char mpx__amp_stop[] = "amp_stop";
static const char mpx__amp_default[] = "amp_default";

static const mpx_amp_rule mpx__amp_defaults[] = {
    MPX_AMP_OP("add", MPX_AMP_COMPUTE),
    MPX_AMP_OP("sub", MPX_AMP_COMPUTE),
    MPX_AMP_OP("dot_general", MPX_AMP_COMPUTE),
    MPX_AMP_OP("conv_general_dilated", MPX_AMP_COMPUTE),
    MPX_AMP_OP("exp", MPX_F32),
    MPX_AMP_OP("log", MPX_F32),
    MPX_AMP_OP("mul", MPX_F32),
    MPX_AMP_OP("div", MPX_F32),
    MPX_AMP_SCOPE(mpx__amp_stop, MPX_AMP_ORIGINAL),
    MPX_AMP_SCOPE(mpx__amp_default, MPX_AMP_ORIGINAL),
};
enum { MPX__AMP_DEFAULTS = (int)(sizeof mpx__amp_defaults / sizeof mpx__amp_defaults[0]) };

MPX__API const mpx_amp_rule *mpx_amp_default_rules(size_t *count) {
    if (count != NULL) *count = MPX__AMP_DEFAULTS;
    return mpx__amp_defaults;
}

MPX__PRIVATE mpx__slice mpx__amp_key(const mpx_amp_rule *rule) {
    size_t n = rule->key_length;
    if (rule->key == NULL) return mpx__slice_of("", 0);
    return mpx__slice_of(rule->key, n != 0 ? n : mpx__length(rule->key));
}

/* ---- reading rules --------------------------------------------------------------------------- */

/* A part of the text: its words without blanks and comment, and where the next part begins. */
MPX__PRIVATE mpx__slice mpx__amp_part(mpx__slice text, size_t *next) {
    size_t end = 0, n;
    while (end < text.n && text.s[end] != ',' && text.s[end] != ';' && text.s[end] != '\n' &&
           text.s[end] != '#')
        end++;
    n = end;
    if (end < text.n && text.s[end] == '#') end += mpx__find(mpx__from(text, end), '\n');
    *next = end < text.n ? end + 1 : end;
    return mpx__trim(mpx__slice_of(text.s, n));
}

/* The first word of t, which begins with none of the blanks; t becomes what follows it. */
MPX__PRIVATE mpx__slice mpx__amp_word(mpx__slice *t) {
    mpx__slice word = *t;
    size_t n = 0;
    while (n < t->n && mpx__blank_size(t->s + n, t->n - n) == 0)
        n++;
    word.n = n;
    *t = mpx__trim(mpx__from(*t, n));
    return word;
}

MPX__PRIVATE mpx_dtype mpx__amp_dtype(mpx__slice word) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type = mpx__lookup(word, &any);
    return mpx_dtype_is_floating(type) ? type : MPX_NONE;
}

/* "bf16 acc f32" */
MPX__PRIVATE mpx_status mpx__amp_parse_value(mpx__slice value, mpx_amp_rule *rule,
                                             mpx__slice *wrong) {
    mpx__slice word = mpx__amp_word(&value);
    *wrong = word;
    if (mpx__is_word(word, "compute", 1)) rule->precision = MPX_AMP_COMPUTE;
    else if (mpx__is_word(word, "original", 1) || mpx__is_word(word, "orig", 1))
        rule->precision = MPX_AMP_ORIGINAL;
    else if (mpx__is_word(word, "widest", 1)) rule->precision = MPX_AMP_WIDEST;
    else if ((rule->precision = mpx__amp_dtype(word)) == MPX_NONE) return MPX_ERR_PRECISION;
    if (value.n == 0) return MPX_OK;
    *wrong = word = mpx__amp_word(&value);
    if (!mpx__is_word(word, "acc", 1)) return MPX_ERR_RULE;
    *wrong = value;
    rule->accumulate = mpx__amp_dtype(value);
    return rule->accumulate != MPX_NONE ? MPX_OK : MPX_ERR_PRECISION;
}

/* "matmul", "scope:head", "amp_stop" */
MPX__PRIVATE mpx_status mpx__amp_parse_key(mpx__slice key, mpx_amp_rule *rule, mpx__slice *wrong) {
    *wrong = key;
    rule->is_scope = mpx__begins_with(key, "scope:", 1);
    if (rule->is_scope) key = mpx__trim(mpx__from(key, 6));
    else if (mpx__begins_with(key, "op:", 1)) key = mpx__trim(mpx__from(key, 3));
    else if (mpx__is_word(key, "default", 0) || mpx__is_word(key, mpx__amp_default, 0)) {
        rule->is_scope = 1;
        key = mpx__slice_of(mpx__amp_default, sizeof mpx__amp_default - 1);
    } else rule->is_scope = mpx__is_word(key, mpx__amp_stop, 0);
    rule->key = key.s;
    rule->key_length = key.n;
    return key.n != 0 ? MPX_OK : MPX_ERR_RULE;
}

/* One part that is not the word default. */
MPX__PRIVATE mpx_status mpx__amp_parse_rule(mpx__slice part, mpx_amp_rule *rule,
                                            mpx__slice *wrong) {
    size_t equals = mpx__find(part, '='), second;
    mpx_status status;
    mpx__zero(rule, sizeof *rule);
    *wrong = part;
    if (part.s[0] == '!') {
        rule->precision = MPX_AMP_NO_RULE;
        if (equals != part.n) return MPX_ERR_RULE;
        return mpx__amp_parse_key(mpx__trim(mpx__from(part, 1)), rule, wrong);
    }
    if (equals == part.n) return MPX_ERR_MISSING_EQUALS;
    second = equals + 1 + mpx__find(mpx__from(part, equals + 1), '=');
    *wrong = mpx__slice_of(part.s + second, 1);
    if (second != part.n) return MPX_ERR_EXTRA_EQUALS;
    status = mpx__amp_parse_key(mpx__trim(mpx__slice_of(part.s, equals)), rule, wrong);
    return status != MPX_OK ? status
                            : mpx__amp_parse_value(mpx__trim(mpx__from(part, equals + 1)), rule,
                                                   wrong);
}

/* All parts; with rules NULL they are only looked at. *count of them fit into capacity. */
MPX__PRIVATE mpx_status mpx__amp_parse(mpx__slice text, mpx_amp_rule *rules, size_t capacity,
                                       size_t *count, mpx__slice *wrong) {
    size_t written = 0, next;
    for (; text.n != 0; text = mpx__from(text, next)) {
        mpx__slice part = mpx__amp_part(text, &next);
        mpx_amp_rule rule;
        size_t more = 1;
        mpx_status status;
        if (part.n == 0) continue;
        if (mpx__is_word(part, "default", 0)) {
            more = MPX__AMP_DEFAULTS;
        } else {
            status = mpx__amp_parse_rule(part, &rule, wrong);
            if (status != MPX_OK) return status;
        }
        *wrong = part;
        if (capacity - written < more) return MPX_ERR_SPACE;
        if (rules != NULL)
            mpx__copy(rules + written, more == 1 ? &rule : mpx__amp_defaults, more * sizeof rule);
        written += more;
    }
    *count = written;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_rules_parse_n(const char *text, size_t len, mpx_amp_rule *rules,
                                          size_t capacity, size_t *count, mpx_error *err) {
    mpx__slice all = mpx__slice_of(text != NULL ? text : "", len), wrong = all;
    size_t needed;
    mpx_status status = mpx__amp_parse(all, NULL, capacity, &needed, &wrong);
    if (status != MPX_OK) return mpx__fail(err, status, (size_t)(wrong.s - all.s), wrong.n);
    (void)mpx__amp_parse(all, rules, capacity, count, &wrong);
    return mpx__fail(err, MPX_OK, 0, 0);
}

MPX__API mpx_status mpx_amp_rules_parse(const char *text, mpx_amp_rule *rules, size_t capacity,
                                        size_t *count, mpx_error *err) {
    return mpx_amp_rules_parse_n(text, mpx__length(text), rules, capacity, count, err);
}

/* ---- printing rules -------------------------------------------------------------------------- */

/* A word alone says what the key is, where a reader would not take it for something else. */
MPX__PRIVATE void mpx__put_amp_key(mpx__printer *out, const mpx_amp_rule *rule) {
    mpx__slice key = mpx__amp_key(rule);
    int is_special = mpx__is_word(key, mpx__amp_stop, 0) || mpx__is_word(key, mpx__amp_default, 0);
    int looks_special = is_special || mpx__is_word(key, "default", 0) ||
                        mpx__begins_with(key, "scope:", 1) || mpx__begins_with(key, "op:", 1) ||
                        mpx__begins_with(key, "!", 0);
    if (rule->is_scope && !is_special) mpx__put(out, "scope:");
    if (!rule->is_scope && looks_special) mpx__put(out, "op:");
    mpx__put_slice(out, key);
}

MPX__PRIVATE void mpx__put_amp_rule(mpx__printer *out, const mpx_amp_rule *rule) {
    int precision = rule->precision, none = precision == MPX_AMP_NO_RULE && rule->custom == NULL;
    if (none) mpx__put_char(out, '!');
    mpx__put_amp_key(out, rule);
    if (none) return;
    mpx__put_char(out, '=');
    mpx__put(out, rule->custom != NULL              ? "custom"
                  : precision == MPX_AMP_COMPUTE    ? "compute"
                  : precision == MPX_AMP_WIDEST     ? "widest"
                  : precision == MPX_AMP_ORIGINAL   ? "original"
                                                    : mpx_dtype_short_name((mpx_dtype)precision));
    if (rule->custom != NULL || rule->accumulate == MPX_NONE) return;
    mpx__put(out, " acc ");
    mpx__put(out, mpx_dtype_short_name(rule->accumulate));
}

/* Can a reader take it: a key that is one whole part without '=', and dtypes that float? */
MPX__PRIVATE int mpx__amp_has_text(const mpx_amp_rule *rule) {
    mpx__slice key = mpx__amp_key(rule);
    size_t next;
    if (key.n == 0 || mpx__amp_part(key, &next).n != key.n || mpx__find(key, '=') != key.n)
        return 0;
    if (rule->custom != NULL) return 1;
    if (rule->accumulate != MPX_NONE && !mpx_dtype_is_floating(rule->accumulate)) return 0;
    return mpx_dtype_is_floating((mpx_dtype)rule->precision) ||
           (rule->precision <= MPX_AMP_ORIGINAL && rule->precision >= MPX_AMP_NO_RULE);
}

MPX__API size_t mpx_amp_rules_format(const mpx_amp_rule *rules, size_t count, char *buf,
                                     size_t size) {
    mpx__printer out;
    size_t i;
    int good = 1;
    mpx__print_to(&out, buf, size);
    for (i = 0; i < count; i++) {
        if (i != 0) mpx__put(&out, ", ");
        mpx__put_amp_rule(&out, &rules[i]);
        good &= mpx__amp_has_text(&rules[i]);
    }
    if (!good) mpx__print_to(&out, buf, size);
    return out.length;
}

/* ---- which rule decides ---------------------------------------------------------------------- */

/* The active scopes, outermost first: a path, or names. */
typedef struct mpx__amp_scopes {
    mpx__slice path; /* what is left of it */
    char separator;
    const char *const *names; /* NULL: the path */
    size_t left;              /* names */
} mpx__amp_scopes;

/* The next one; 0 at the end. Empty pieces of a path are no scopes. */
MPX__PRIVATE int mpx__amp_next_scope(mpx__amp_scopes *at, mpx__slice *name) {
    if (at->names != NULL) {
        if (at->left == 0) return 0;
        at->left--;
        *name = mpx__slice_of(*at->names, mpx__length(*at->names));
        at->names++;
        return 1;
    }
    while (at->path.n != 0) {
        size_t n = mpx__find(at->path, at->separator);
        *name = mpx__slice_of(at->path.s, n);
        at->path = mpx__from(at->path, n < at->path.n ? n + 1 : n);
        if (n != 0) return 1;
    }
    return 0;
}

MPX__PRIVATE int mpx__amp_key_is(const mpx_amp_rule *rule, mpx__slice name) {
    const char *key = rule->key;
    size_t i;
    if (key == NULL || (name.n != 0 && key[0] != name.s[0])) return 0;
    if (rule->key_length == 0) return mpx__is_word(name, key, 0);
    if (rule->key_length != name.n) return 0;
    for (i = 0; i < name.n && key[i] == name.s[i]; i++) {
    }
    return i == name.n;
}

/* The rule of this name that counts, or NULL. */
MPX__PRIVATE const mpx_amp_rule *mpx__amp_find(const mpx_amp *amp, mpx__slice name, int is_scope) {
    size_t i = amp->rule_count;
    while (i-- != 0) {
        const mpx_amp_rule *rule = &amp->rules[i];
        if ((rule->is_scope != 0) != is_scope || !mpx__amp_key_is(rule, name)) continue;
        return rule->precision == MPX_AMP_NO_RULE && rule->custom == NULL ? NULL : rule;
    }
    return NULL;
}

/* The outermost scope that has a rule; with MPX_AMP_INNERMOST_STOP an inner amp_stop wins. */
MPX__PRIVATE void mpx__amp_match_scope(const mpx_amp *amp, mpx__amp_scopes *scopes,
                                       mpx_amp_answer *out) {
    int stops = (amp->flags & MPX_AMP_INNERMOST_STOP) != 0;
    mpx__slice name;
    size_t i;
    for (i = 0; mpx__amp_next_scope(scopes, &name); i++) {
        const mpx_amp_rule *rule;
        if (out->rule != NULL && !(stops && mpx__is_word(name, mpx__amp_stop, 0))) continue;
        rule = mpx__amp_find(amp, name, 1);
        if (rule == NULL) continue;
        out->rule = rule;
        out->scope = i;
        if (!stops) return;
    }
}

MPX__PRIVATE void mpx__amp_match(const mpx_amp *amp, const char *op, mpx__amp_scopes *scopes,
                                 mpx_amp_answer *out) {
    out->rule = NULL;
    out->scope = (size_t)-1;
    out->accumulate = MPX_NONE;
    mpx__amp_match_scope(amp, scopes, out);
    if (out->rule == NULL && op != NULL)
        out->rule = mpx__amp_find(amp, mpx__slice_of(op, mpx__length(op)), 0);
    if (out->rule == NULL)
        out->rule = mpx__amp_find(
            amp, mpx__slice_of(mpx__amp_default, sizeof mpx__amp_default - 1), 1);
}

/* ---- what it does to the operands ------------------------------------------------------------ */

MPX__INLINE int mpx__is_jaxamp(const mpx_amp *amp) { return (amp->flags & MPX_AMP_JAXAMP) != 0; }

/* May a rule cast this dtype? */
MPX__INLINE int mpx__amp_casts(const mpx_amp *amp, mpx_dtype type) {
    int kind = mpx__row_of(type)->kind;
    return kind == MPX_KIND_FLOAT || (kind == MPX_KIND_COMPLEX && mpx__is_jaxamp(amp));
}

MPX__INLINE mpx_dtype mpx__amp_plain(const mpx_amp_operand *operand) {
    return operand->plain != MPX_NONE ? operand->plain : operand->dtype;
}

MPX__INLINE int mpx__amp_is_dtype(mpx_dtype type) {
    return mpx__row_of(type)->bits != 0 || (type >= MPX_WEAK_COMPLEX && type <= MPX_WEAK_INT);
}

/* Start with nothing to cast. */
MPX__PRIVATE mpx_status mpx__amp_reset(mpx_amp_operand *operands, size_t count) {
    mpx_status status = MPX_OK;
    size_t i;
    for (i = 0; i < count; i++) {
        operands[i].to = operands[i].dtype;
        if (!mpx__amp_is_dtype(operands[i].dtype) ||
            !mpx__amp_is_dtype(mpx__amp_plain(&operands[i])))
            status = MPX_ERR_DTYPE;
    }
    return status;
}

/* jaxamp's find_widest_dtype: where none of the four is there, the first, whatever it is. Ours:
   none, for the first need not hold the others' values. A number of the text is no target. */
MPX__PRIVATE mpx_dtype mpx__amp_widest(const mpx_amp *amp, const mpx_amp_operand *operands,
                                       size_t count) {
    static const mpx_dtype order[4] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16 };
    size_t i, k;
    for (k = 0; k < 4; k++)
        for (i = 0; i < count; i++)
            if (mpx__amp_plain(&operands[i]) == order[k]) return order[k];
    if (!mpx__is_jaxamp(amp) || mpx__amp_plain(&operands[0]) < 0) return MPX_NONE;
    return mpx__amp_plain(&operands[0]);
}

/* *target: the dtype that all operands get; MPX_NONE: each its plain one. */
MPX__PRIVATE mpx_status mpx__amp_target(const mpx_amp *amp, const mpx_amp_rule *rule,
                                        const mpx_amp_operand *operands, size_t count,
                                        mpx_dtype *target) {
    *target = (mpx_dtype)rule->precision;
    if (rule->precision == MPX_AMP_COMPUTE) {
        *target = amp->compute;
    } else if (rule->precision == MPX_AMP_WIDEST) {
        if (count == 0 && mpx__is_jaxamp(amp)) return MPX_ERR_ARGUMENT;
        *target = mpx__amp_widest(amp, operands, count);
    }
    if (*target == MPX_NONE || mpx_dtype_is_floating(*target)) return MPX_OK;
    return mpx__row_of(*target)->bits != 0 && mpx__is_jaxamp(amp) ? MPX_OK : MPX_ERR_DTYPE;
}

/* Set `to`; returns whether there is anything that a rule casts. */
MPX__PRIVATE int mpx__amp_aim(const mpx_amp *amp, mpx_dtype target, mpx_amp_operand *operands,
                              size_t count) {
    int any = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        mpx_dtype to = target != MPX_NONE ? target : mpx__amp_plain(&operands[i]);
        if (!mpx__amp_casts(amp, operands[i].dtype)) continue;
        any = 1;
        if (target != MPX_NONE || mpx__amp_casts(amp, to)) operands[i].to = to;
    }
    return any;
}

MPX__PRIVATE mpx_status mpx__amp_custom(const mpx_amp *amp, const char *op,
                                        mpx_amp_operand *operands, size_t count,
                                        mpx_amp_answer *out) {
    const mpx_amp_rule *rule = out->rule;
    mpx_status status = rule->custom(op, operands, count, &out->accumulate, amp, rule->user);
    size_t i;
    if (out->accumulate != MPX_NONE && mpx__row_of(out->accumulate)->bits == 0)
        status = status != MPX_OK ? status : MPX_ERR_DTYPE;
    for (i = 0; i < count && status == MPX_OK; i++)
        if (operands[i].to != operands[i].dtype && mpx__row_of(operands[i].to)->bits == 0)
            status = MPX_ERR_DTYPE;
    if (status != MPX_OK) (void)mpx__amp_reset(operands, count);
    return status;
}

/* Operands by the rule that matched. */
MPX__PRIVATE mpx_status mpx__amp_apply(const mpx_amp *amp, const char *op,
                                       mpx_amp_operand *operands, size_t count,
                                       mpx_amp_answer *out) {
    const mpx_amp_rule *rule = out->rule;
    mpx_status status = mpx__amp_reset(operands, count);
    mpx_dtype target;
    int any;
    if (status != MPX_OK) return status;
    if (rule == NULL) {
        if (!mpx__is_jaxamp(amp)) (void)mpx__amp_aim(amp, MPX_NONE, operands, count);
        return MPX_OK;
    }
    if (rule->custom != NULL) return mpx__amp_custom(amp, op, operands, count, out);
    status = mpx__amp_target(amp, rule, operands, count, &target);
    if (status != MPX_OK) return status;
    if (rule->accumulate != MPX_NONE && !mpx_dtype_is_floating(rule->accumulate))
        return MPX_ERR_DTYPE;
    any = mpx__amp_aim(amp, target, operands, count);
    if (any || mpx__is_jaxamp(amp))
        out->accumulate = rule->accumulate != MPX_NONE ? rule->accumulate : target;
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__amp_answer(const mpx_amp *amp, const char *op, mpx__amp_scopes *scopes,
                                        mpx_amp_operand *operands, size_t count,
                                        mpx_amp_answer *answer) {
    mpx_amp_answer found;
    mpx_status status;
    mpx__amp_match(amp, op, scopes, &found);
    status = mpx__amp_apply(amp, op, operands, count, &found);
    if (status == MPX_OK && answer != NULL) *answer = found;
    return status;
}

MPX__PRIVATE void mpx__amp_path(mpx__amp_scopes *at, const mpx_amp *amp, const char *scope) {
    at->path = mpx__slice_of(scope, scope != NULL ? mpx__length(scope) : 0);
    at->separator = amp->separator;
    if (at->separator == '\0') at->separator = '/';
    at->names = NULL;
    at->left = 0;
}

MPX__API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                                mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer) {
    mpx__amp_scopes scopes;
    mpx__amp_path(&scopes, amp, scope);
    return mpx__amp_answer(amp, op, &scopes, operands, count, answer);
}

/* ---- one operation after the other ----------------------------------------------------------- */

MPX__API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope) {
    if (run->scope_count >= run->scope_capacity) return MPX_ERR_SPACE;
    run->scopes[run->scope_count++] = scope;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run) {
    if (run->scope_count == 0) return MPX_ERR_SCOPE;
    run->scope_count--;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_eager_ask(const mpx_amp_eager *run, const char *op,
                                      mpx_amp_operand *operands, size_t count,
                                      mpx_amp_answer *answer) {
    mpx__amp_scopes scopes;
    mpx__amp_path(&scopes, &run->amp, NULL);
    scopes.names = run->scopes;
    scopes.left = run->scope_count;
    return mpx__amp_answer(&run->amp, op, &scopes, operands, count, answer);
}

MPX__API void mpx_amp_eager_forget(mpx_amp_eager *run) {
    run->kept_count = 0;
    run->arena.used = 0;
}

/* The kept cast of this operand, or NULL. */
MPX__PRIVATE const mpx_amp_kept *mpx__amp_find_kept(const mpx_amp_eager *run,
                                                    const mpx_amp_operand *operand) {
    size_t i;
    for (i = 0; i < run->kept_count; i++) {
        const mpx_amp_kept *kept = &run->kept[i];
        if (kept->data == operand->data && kept->count == operand->count &&
            kept->from == operand->dtype && kept->to == operand->to)
            return kept;
    }
    return NULL;
}

/* Bytes of its cast; SIZE_MAX: too many. */
MPX__PRIVATE size_t mpx__amp_bytes(const mpx_amp_operand *operand) {
    return mpx__aligned(mpx_dtype_bytes(operand->to, operand->count));
}

#if MPX_NO_CAST_WITH
/* One element at a time. As in mpx_cast_strided, elements below a byte have no address. */
MPX__PRIVATE mpx_status mpx__amp_real_parts(void *dst, mpx_dtype to, size_t dst_stride,
                                            const void *src, mpx_dtype from, size_t src_stride,
                                            size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t i;
    if (mpx_dtype_bits(to) < 8) return MPX_ERR_DTYPE;
    for (i = 0; i < n; i++) {
        mpx_status status = mpx_cast(d + i * dst_stride, to, s + i * src_stride, from, 1);
        if (status != MPX_OK) return status;
    }
    return MPX_OK;
}
#else
MPX__INLINE mpx_status mpx__amp_real_parts(void *dst, mpx_dtype to, size_t dst_stride,
                                           const void *src, mpx_dtype from, size_t src_stride,
                                           size_t n) {
    return mpx_cast_strided(dst, to, dst_stride, src, from, src_stride, n, 1, NULL);
}
#endif

/* A complex number becomes its real part. */
MPX__PRIVATE mpx_status mpx__amp_convert(void *dst, const mpx_amp_operand *operand) {
    size_t wide = mpx_dtype_bytes(operand->dtype, 1), narrow = mpx_dtype_bytes(operand->to, 1);
    mpx_dtype part = operand->dtype == MPX_C64 ? MPX_F32 : MPX_F64;
    if (mpx__row_of(operand->dtype)->kind == MPX_KIND_COMPLEX &&
        mpx__row_of(operand->to)->kind != MPX_KIND_COMPLEX)
        return mpx__amp_real_parts(dst, operand->to, narrow, operand->data, part, wide,
                                   operand->count);
    return mpx_cast(dst, operand->to, operand->data, operand->dtype, operand->count);
}

/* Is this one to be cast on this turn? First those that are kept, then the others. */
MPX__INLINE int mpx__amp_is_due(const mpx_amp_operand *operand, int keep) {
    return operand->to != operand->dtype && (operand->keep != 0) == keep;
}

/* Where in the arena new casts go: behind those that are kept, and behind the operands that are
   results of the last call. */
MPX__PRIVATE size_t mpx__amp_start(const mpx_amp_eager *run, const mpx_amp_operand *operands,
                                   size_t count) {
    size_t at = run->arena.used, i;
    for (i = 0; i < count; i++) {
        uintptr_t data = (uintptr_t)operands[i].data, arena = (uintptr_t)run->arena.data;
        size_t bytes = mpx_dtype_bytes(operands[i].dtype, operands[i].count), end = run->arena.size;
        if (data < arena || data - arena >= run->arena.size) continue;
        if (bytes < end - (size_t)(data - arena))
            end = mpx__aligned((size_t)(data - arena) + bytes);
        if (end > at) at = end < run->arena.size ? end : run->arena.size;
    }
    return at;
}

/* Is an operand before the i-th to be kept and the same? Then one cast serves both. */
MPX__PRIVATE int mpx__amp_is_repeated(const mpx_amp_operand *operands, size_t i) {
    const mpx_amp_operand *last = &operands[i];
    for (; operands != last; operands++)
        if (operands->keep != 0 && operands->data == last->data &&
            operands->count == last->count && operands->dtype == last->dtype &&
            operands->to == last->to)
            return 1;
    return 0;
}

/* Does all that is to be cast find room from there on, and can it be cast? Casting no elements
   tells. */
MPX__PRIVATE mpx_status mpx__amp_check(const mpx_amp_eager *run, const mpx_amp_operand *operands,
                                       size_t count, size_t start) {
    size_t left = start <= run->arena.size ? run->arena.size - start : 0;
    size_t entries = run->kept_capacity - run->kept_count, i;
    for (i = 0; i < count; i++) {
        mpx_amp_operand none;
        size_t bytes = mpx__amp_bytes(&operands[i]);
        mpx_status status;
        if (operands[i].to == operands[i].dtype) continue;
        mpx__copy(&none, &operands[i], sizeof none);
        none.count = 0;
        status = mpx__amp_convert(NULL, &none);
        if (status != MPX_OK) return status;
        if (operands[i].keep != 0) {
            if (mpx__amp_find_kept(run, &operands[i]) != NULL) continue;
            if (mpx__amp_is_repeated(operands, i)) continue;
            if (entries-- == 0) return MPX_ERR_SPACE;
        }
        if (bytes > left) return MPX_ERR_SPACE;
        left -= bytes;
    }
    return MPX_OK;
}

/* Cast into the arena at `at`. */
MPX__PRIVATE void mpx__amp_place(mpx_amp_eager *run, mpx_amp_operand *operand, size_t *at) {
    const mpx_amp_kept *kept = operand->keep != 0 ? mpx__amp_find_kept(run, operand) : NULL;
    void *dst = kept != NULL ? kept->cast : run->arena.data;
    if (kept == NULL && operand->count != 0) {
        dst = (unsigned char *)dst + *at;
        (void)mpx__amp_convert(dst, operand);
        *at += mpx__amp_bytes(operand);
    }
    if (kept == NULL && operand->keep != 0) {
        mpx_amp_kept *entry = &run->kept[run->kept_count++];
        entry->data = operand->data;
        entry->cast = dst;
        entry->count = operand->count;
        entry->from = operand->dtype;
        entry->to = operand->to;
        run->arena.used = *at;
    }
    operand->data = dst;
    operand->plain = mpx__amp_plain(operand);
    operand->dtype = operand->to;
}

MPX__API mpx_status mpx_amp_eager_cast(mpx_amp_eager *run, const char *op, mpx_amp_operand *operands,
                                       size_t count, mpx_amp_answer *answer) {
    mpx_amp_answer found;
    size_t at = mpx__amp_start(run, operands, count), i;
    int keep;
    mpx_status status = mpx_amp_eager_ask(run, op, operands, count, &found);
    if (status == MPX_OK) status = mpx__amp_check(run, operands, count, at);
    if (status != MPX_OK) return status;
    for (keep = 1; keep >= 0; keep--)
        for (i = 0; i < count; i++)
            if (mpx__amp_is_due(&operands[i], keep)) mpx__amp_place(run, &operands[i], &at);
    if (answer != NULL) *answer = found;
    return MPX_OK;
}

#endif /* !MPX_NO_AMP */
/*==========================================================================*
 * MARK: amp_plan - where the casts of a whole graph go                      *
 *   One walk over the nodes in their order. Values are numbered: the nodes' *
 *   results, then the inserted casts. Nothing is computed.                  *
 *==========================================================================*/
#if !MPX_NO_AMP

#define MPX__NOWHERE ((size_t)-1)

MPX__PRIVATE mpx_status mpx__array_node(size_t index, mpx_amp_node *node, void *user) {
    mpx__copy(node, (const mpx_amp_node *)user + index, sizeof *node);
    return MPX_OK;
}

MPX__API mpx_amp_graph mpx_amp_graph_of_nodes(const mpx_amp_node *nodes, size_t count) {
    mpx_amp_graph graph;
    graph.node = mpx__array_node;
    graph.user = (void *)(uintptr_t)nodes; /* it is only read */
    graph.count = count;
    return graph;
}

MPX__PRIVATE mpx_status mpx__amp_fail(mpx_error *err, mpx_status status, size_t node,
                                      size_t input) {
    (void)mpx__fail_at(err, status, MPX_SUBJECT_NODE, node);
    if (err != NULL) err->input = input;
    return status;
}

/* Fetch a node and look whether it can be one. */
MPX__PRIVATE mpx_status mpx__amp_node_at(const mpx_amp_graph *graph, size_t index,
                                         mpx_amp_node *node, mpx_error *err) {
    mpx_status status;
    size_t i;
    mpx__zero(node, sizeof *node);
    status = graph->node(index, node, graph->user);
    if (status == MPX_OK && mpx__row_of(node->dtype)->bits == 0) status = MPX_ERR_DTYPE;
    if (status == MPX_OK && ((node->inputs == NULL && node->input_count != 0) ||
                             ((node->flags & MPX_AMP_NODE_CAST) != 0 && node->input_count != 1)))
        status = MPX_ERR_ARGUMENT;
    if (status != MPX_OK) return mpx__amp_fail(err, status, index, MPX__NOWHERE);
    for (i = 0; i < node->input_count; i++)
        if (node->inputs[i] >= index) return mpx__amp_fail(err, MPX_ERR_CYCLE, index, i);
    return MPX_OK;
}

/* ---- the memory ------------------------------------------------------------------------------ */

/* What is known of a value while planning. */
typedef struct mpx__amp_value {
    mpx_dtype dtype, plain;
    size_t count;         /* elements */
    size_t root;          /* the value itself, or one of which it is a copy that loses nothing */
    size_t first_cast;    /* of it, a value; MPX__NOWHERE: none */
    size_t next_cast;     /* the next cast of the same source */
    int constant, read, output; /* of nodes; read: by another, in the program without AMP */
} mpx__amp_value;

/* How much there is of everything. A cast goes to an input or to an output. */
typedef struct mpx__amp_extent {
    size_t nodes, edges, widest; /* widest: most inputs of one node */
} mpx__amp_extent;

typedef struct mpx__amp_planner {
    const mpx_amp *amp;
    mpx_amp_graph graph;
    mpx_error *err;
    mpx__amp_extent extent;
    mpx_amp_planned_node *nodes;
    mpx_amp_planned_cast *casts;
    mpx__amp_value *values;
    mpx_amp_operand *operands; /* of one node */
    size_t *edges;
    size_t edge_count;
    mpx_amp_plan plan;
} mpx__amp_planner;

MPX__PRIVATE mpx_status mpx__amp_measure(const mpx_amp_graph *graph, mpx__amp_extent *extent,
                                         mpx_error *err) {
    mpx_amp_node node;
    size_t i;
    extent->nodes = graph->count;
    extent->edges = extent->widest = 0;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    for (i = 0; i < graph->count; i++) {
        mpx_status status = mpx__amp_node_at(graph, i, &node, err);
        if (status != MPX_OK) return status;
        if (node.input_count > MPX__NOWHERE - extent->edges)
            return mpx__amp_fail(err, MPX_ERR_SPACE, i, MPX__NOWHERE);
        extent->edges += node.input_count;
        if (node.input_count > extent->widest) extent->widest = node.input_count;
    }
    return MPX_OK;
}

/* A piece of memory from which arrays are taken one after the other. at: SIZE_MAX once it did not
   reach; start NULL: only counted. */
typedef struct mpx__amp_memory {
    unsigned char *start;
    size_t size, at;
} mpx__amp_memory;

MPX__PRIVATE void *mpx__amp_take(mpx__amp_memory *from, size_t count, size_t size) {
    void *taken;
    size_t left;
    if (from->at == MPX__NOWHERE) return NULL;
    left = (from->size - from->at) / MPX__ALIGNMENT * MPX__ALIGNMENT;
    if (count > left / size) {
        from->at = MPX__NOWHERE;
        return NULL;
    }
    taken = from->start != NULL ? from->start + from->at : NULL;
    from->at += mpx__aligned(count * size);
    return taken;
}

/* Lay everything out in memory that begins at a multiple of 16; its size, or SIZE_MAX. */
MPX__PRIVATE size_t mpx__amp_layout(mpx__amp_planner *p, unsigned char *start, size_t size) {
    size_t nodes = p->extent.nodes, edges = p->extent.edges, casts;
    mpx__amp_memory from;
    if (edges > MPX__NOWHERE / 4 || nodes > MPX__NOWHERE / 4) return MPX__NOWHERE;
    casts = edges + nodes;
    from.start = start;
    from.size = size;
    from.at = 0;
    p->nodes = (mpx_amp_planned_node *)mpx__amp_take(&from, nodes, sizeof *p->nodes);
    p->casts = (mpx_amp_planned_cast *)mpx__amp_take(&from, casts, sizeof *p->casts);
    p->values = (mpx__amp_value *)mpx__amp_take(&from, nodes + casts, sizeof *p->values);
    p->operands = (mpx_amp_operand *)mpx__amp_take(&from, p->extent.widest, sizeof *p->operands);
    p->edges = (size_t *)mpx__amp_take(&from, edges, sizeof *p->edges);
    return from.at;
}

/* Of the memory, so that it may begin anywhere; SIZE_MAX: size_t cannot hold it. */
MPX__PRIVATE size_t mpx__amp_memory_size(mpx__amp_planner *p) {
    size_t needed = mpx__amp_layout(p, NULL, MPX__NOWHERE - 31);
    return needed == MPX__NOWHERE ? needed : needed + 15;
}

MPX__API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_error *err) {
    mpx__amp_planner p;
    mpx_status status = mpx__amp_measure(&graph, &p.extent, err);
    size_t needed;
    if (status != MPX_OK) return status;
    needed = mpx__amp_memory_size(&p);
    if (needed == MPX__NOWHERE)
        return mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE);
    *size = needed;
    return MPX_OK;
}

/* ---- dtypes of results ----------------------------------------------------------------------- */

/* Is the largest value of a no larger than that of b, which has as many mantissa bits or more? */
MPX__PRIVATE int mpx__fits_below(const mpx__row *a, const mpx__row *b) {
    int a_top = mpx__top_exponent(a), b_top = mpx__top_exponent(b);
    if (a_top != b_top) return a_top < b_top;
    return mpx__top_fraction(a) << (b->mantissa_bits - a->mantissa_bits) <= mpx__top_fraction(b);
}

/* Is every value of the one float format one of the other? Then a cast loses nothing. (Signalling
   NaN become quiet in any cast.) */
MPX__PRIVATE int mpx__is_exact(mpx_dtype from, mpx_dtype to) {
    const mpx__row *a = mpx__row_of(from), *b = mpx__row_of(to);
    int e8m0 = a->family == MPX__E8M0; /* no sign, no subnormals */
    int a_step = 1 - a->bias - a->mantissa_bits - e8m0, b_step = 1 - b->bias - b->mantissa_bits;
    if (from == to) return 1;
    if (a->kind != MPX_KIND_FLOAT || b->kind != MPX_KIND_FLOAT) return 0;
    if (b->family == MPX__E8M0 || a->mantissa_bits > b->mantissa_bits) return 0;
    if (a->family == MPX__IEEE && b->family != MPX__IEEE) return 0;        /* Inf */
    if (a->family != MPX__FINITE && b->family == MPX__FINITE) return 0;    /* NaN */
    if (a->family != MPX__FNUZ && !e8m0 && b->family == MPX__FNUZ) return 0; /* -0 */
    return a_step >= b_step && mpx__fits_below(a, b);
}

/* The dtype of the result of two: the one that holds the other, else f32. */
MPX__PRIVATE mpx_dtype mpx__amp_meet(mpx_dtype a, mpx_dtype b) {
    if (a == MPX_NONE || mpx__is_exact(a, b)) return b;
    if (mpx__row_of(a)->kind == MPX_KIND_COMPLEX || mpx__row_of(b)->kind == MPX_KIND_COMPLEX)
        return mpx__row_of(a)->bits > mpx__row_of(b)->bits ? a : b;
    return mpx__is_exact(b, a) ? a : MPX_F32;
}

/* A result has its operands' dtype if it had it without AMP, else its own. */
MPX__PRIVATE mpx_dtype mpx__amp_result(const mpx__amp_planner *p, const mpx_amp_node *node,
                                       const mpx_amp_answer *answer) {
    mpx_dtype plain = MPX_NONE, now = MPX_NONE;
    size_t i;
    if ((node->flags & (MPX_AMP_NODE_FIXED | MPX_AMP_NODE_CAST)) != 0) return node->dtype;
    if ((node->flags & MPX_AMP_NODE_ACCUMULATES) != 0)
        return answer->accumulate != MPX_NONE ? answer->accumulate : node->dtype;
    for (i = 0; i < node->input_count; i++) {
        const mpx_amp_operand *operand = &p->operands[i];
        if (!mpx__amp_casts(p->amp, operand->plain)) continue;
        plain = mpx__amp_meet(plain, operand->plain);
        now = mpx__amp_meet(now, operand->to);
    }
    return now != MPX_NONE && plain == node->dtype ? now : node->dtype;
}

/* ---- values and their casts ------------------------------------------------------------------ */

MPX__PRIVATE void mpx__amp_add_value(mpx__amp_planner *p, size_t value, mpx_dtype dtype,
                                     mpx_dtype plain, size_t count) {
    mpx__amp_value *v = &p->values[value];
    mpx__zero(v, sizeof *v);
    v->dtype = dtype;
    v->plain = plain;
    v->count = count;
    v->root = value;
    v->first_cast = v->next_cast = MPX__NOWHERE;
}

MPX__INLINE size_t *mpx__amp_uses(mpx__amp_planner *p, size_t value) {
    size_t n = p->extent.nodes;
    return value < n ? &p->nodes[value].uses : &p->casts[value - n].uses;
}

MPX__INLINE mpx_dtype mpx__amp_dtype_of(const mpx__amp_planner *p, size_t value) {
    size_t n = p->extent.nodes;
    return value < n ? p->nodes[value].dtype : p->casts[value - n].to;
}

/* The cast of a value to a dtype: one that is there, else a new one before this node. */
MPX__PRIVATE size_t mpx__amp_cast_of(mpx__amp_planner *p, size_t source, mpx_dtype to,
                                     size_t before) {
    size_t n = p->extent.nodes, found = p->values[source].first_cast, value;
    mpx_amp_planned_cast *cast;
    for (; found != MPX__NOWHERE; found = p->values[found].next_cast)
        if (p->values[found].dtype == to) {
            p->plan.shared++;
            return found;
        }
    value = n + p->plan.cast_count;
    cast = &p->casts[p->plan.cast_count++];
    cast->source = source;
    cast->from = p->values[source].dtype;
    cast->to = to;
    cast->count = p->values[source].count;
    cast->before = before;
    cast->uses = 0;
    mpx__amp_add_value(p, value, to, to, cast->count);
    p->values[value].next_cast = p->values[source].first_cast;
    p->values[source].first_cast = value;
    ++*mpx__amp_uses(p, source);
    return value;
}

/* The value to read where `source` is wanted as `to`: itself if it is that already, else what is in
   front of casts that lose nothing, cast if need be. */
MPX__PRIVATE size_t mpx__amp_fetch(mpx__amp_planner *p, size_t source, mpx_dtype to,
                                   size_t before) {
    size_t root = p->values[source].root, value = source;
    if (p->values[root].dtype == to) value = root;
    else if (p->values[source].dtype != to) value = mpx__amp_cast_of(p, root, to, before);
    if (value != source && root != source) p->plan.skipped++;
    ++*mpx__amp_uses(p, value);
    return value;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Bytes moved: *sum += bytes of count elements, up to the largest number. */
MPX__PRIVATE void mpx__amp_move(uint64_t *sum, mpx_dtype dtype, size_t count) {
    uint64_t bytes = mpx_dtype_bytes(dtype, count);
    *sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
}

MPX__PRIVATE void mpx__amp_fill_operands(mpx__amp_planner *p, const mpx_amp_node *node) {
    size_t i;
    for (i = 0; i < node->input_count; i++) {
        mpx__amp_value *v = &p->values[node->inputs[i]];
        mpx_amp_operand *operand = &p->operands[i];
        mpx__zero(operand, sizeof *operand);
        operand->dtype = v->dtype;
        operand->plain = v->plain;
        operand->count = v->count;
        v->read = 1;
        mpx__amp_move(&p->plan.bytes_before, v->plain, v->count);
    }
}

/* Operands to the values they are read from. A cast of the graph's own reads what is in front of
   casts that lose nothing, those to come before it included. */
MPX__PRIVATE void mpx__amp_fetch_operands(mpx__amp_planner *p, const mpx_amp_node *node,
                                          size_t index) {
    size_t i;
    for (i = 0; i < node->input_count; i++) {
        mpx_amp_operand *operand = &p->operands[i];
        size_t root = p->values[node->inputs[i]].root;
        if ((node->flags & MPX_AMP_NODE_CAST) != 0 && mpx__is_exact(operand->dtype, operand->to))
            operand->to = p->values[root].dtype;
        p->edges[p->edge_count++] = mpx__amp_fetch(p, node->inputs[i], operand->to, index);
    }
}

/* Plan one node: ask the rules, insert casts, find the result's dtype. */
MPX__PRIVATE mpx_status mpx__amp_plan_node(mpx__amp_planner *p, size_t index) {
    mpx_amp_planned_node *planned = &p->nodes[index];
    mpx_amp_node node;
    mpx_status status = mpx__amp_node_at(&p->graph, index, &node, p->err);
    if (status != MPX_OK) return status;
    if (node.input_count > p->extent.widest || node.input_count > p->extent.edges - p->edge_count)
        return mpx__amp_fail(p->err, MPX_ERR_STRUCTURE, index, MPX__NOWHERE);
    mpx__zero(planned, sizeof *planned);
    planned->inputs = p->edges + p->edge_count;
    planned->input_count = node.input_count;
    planned->output = index;
    planned->answer.scope = MPX__NOWHERE;
    mpx__amp_add_value(p, index, node.dtype, node.dtype, node.count);
    p->values[index].output = (node.flags & MPX_AMP_NODE_OUTPUT) != 0;
    p->values[index].constant = (node.flags & MPX_AMP_NODE_CONSTANT) != 0;
    planned->dtype = planned->store = node.dtype;
    if (node.input_count == 0) return MPX_OK;
    mpx__amp_fill_operands(p, &node);
    mpx__amp_move(&p->plan.bytes_before, node.dtype, node.count);
    status = mpx_amp_ask(p->amp, node.op, node.scope, p->operands, node.input_count,
                         &planned->answer);
    if (status != MPX_OK) return mpx__amp_fail(p->err, status, index, MPX__NOWHERE);
    mpx__amp_fetch_operands(p, &node, index);
    planned->dtype = planned->store = mpx__amp_result(p, &node, &planned->answer);
    p->values[index].dtype = planned->dtype;
    if ((node.flags & MPX_AMP_NODE_CAST) != 0) {
        size_t from = planned->inputs[0];
        if (mpx__is_exact(p->values[from].dtype, node.dtype)) p->values[index].root = from;
    }
    return MPX_OK;
}

/* What leaves the graph: nodes that say so, and those that nobody reads. */
MPX__PRIVATE void mpx__amp_plan_outputs(mpx__amp_planner *p) {
    size_t i;
    for (i = 0; i < p->extent.nodes; i++) {
        const mpx__amp_value *v = &p->values[i];
        if (v->read && !v->output) continue;
        if ((p->amp->flags & MPX_AMP_RESTORE) != 0)
            p->nodes[i].output = mpx__amp_fetch(p, i, v->plain, p->extent.nodes);
        else
            p->nodes[i].uses++;
    }
}

/* The graph's own casts that nobody reads any more go, from the last to the first. What they read
   stays: who passed them by reads it. */
MPX__PRIVATE void mpx__amp_prune(mpx__amp_planner *p) {
    size_t i = p->extent.nodes;
    while (i-- != 0) {
        if (p->nodes[i].uses != 0 || p->values[i].root == i) continue;
        p->nodes[i].removed = 1;
        p->plan.removed++;
        --*mpx__amp_uses(p, p->nodes[i].inputs[0]);
    }
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* What one input of a node reads. */
MPX__PRIVATE void mpx__amp_count_input(mpx__amp_planner *p, size_t value) {
    size_t n = p->extent.nodes, source = value, count;
    while (source >= n)
        source = p->casts[source - n].source;
    count = p->values[source].count;
    mpx__amp_move(&p->plan.bytes_after, mpx__amp_dtype_of(p, value), count);
    if (p->values[source].constant) source = value;
    mpx__amp_move(&p->plan.bytes_fused, mpx__amp_dtype_of(p, source), count);
}

/* And what it means for the value that is read by it alone. */
MPX__PRIVATE void mpx__amp_count_cast(mpx__amp_planner *p, const mpx_amp_planned_cast *cast) {
    size_t n = p->extent.nodes, source = cast->source;
    int constant, output = cast->before == n;
    if (source < n && p->nodes[source].uses == 1) p->nodes[source].store = cast->to;
    while (source >= n)
        source = p->casts[source - n].source;
    constant = p->values[source].constant;
    mpx__amp_move(constant ? &p->plan.bytes_once : &p->plan.bytes_after, cast->from, cast->count);
    mpx__amp_move(constant ? &p->plan.bytes_once : &p->plan.bytes_after, cast->to, cast->count);
    if (constant || !output) return;
    mpx__amp_move(&p->plan.bytes_fused, cast->from, cast->count);
    mpx__amp_move(&p->plan.bytes_fused, cast->to, cast->count);
}

MPX__PRIVATE void mpx__amp_count_bytes(mpx__amp_planner *p) {
    size_t n = p->extent.nodes, i;
    for (i = 0; i < n; i++) {
        const mpx_amp_planned_node *node = &p->nodes[i];
        size_t k;
        if (node->removed || node->input_count == 0) continue;
        for (k = 0; k < node->input_count; k++)
            mpx__amp_count_input(p, node->inputs[k]);
        mpx__amp_move(&p->plan.bytes_after, node->dtype, p->values[i].count);
        mpx__amp_move(&p->plan.bytes_fused, node->dtype, p->values[i].count);
    }
    for (i = 0; i < p->plan.cast_count; i++)
        mpx__amp_count_cast(p, &p->casts[i]);
}

/* ---- all of it ------------------------------------------------------------------------------- */

MPX__PRIVATE mpx_status mpx__amp_plan_all(mpx__amp_planner *p) {
    size_t i;
    for (i = 0; i < p->extent.nodes; i++) {
        mpx_status status = mpx__amp_plan_node(p, i);
        if (status != MPX_OK) return status;
    }
    mpx__amp_plan_outputs(p);
    mpx__amp_prune(p);
    mpx__amp_count_bytes(p);
    p->plan.nodes = p->nodes;
    p->plan.node_count = p->extent.nodes;
    p->plan.casts = p->casts;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                       size_t size, mpx_amp_plan *plan, mpx_error *err) {
    mpx__amp_planner p;
    size_t skip = (size_t)(16 - (uintptr_t)memory % 16) % 16;
    mpx_status status;
    mpx__zero(&p, sizeof p);
    p.amp = amp;
    p.graph = graph;
    p.err = err;
    status = mpx__amp_measure(&graph, &p.extent, err);
    if (status != MPX_OK) return status;
    if (graph.count != 0 &&
        (size < skip ||
         mpx__amp_layout(&p, (unsigned char *)memory + skip, size - skip) == MPX__NOWHERE)) {
        (void)mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE);
        return mpx__lack(err, "bytes", size, mpx__amp_memory_size(&p));
    }
    status = mpx__amp_plan_all(&p);
    if (status == MPX_OK) mpx__copy(plan, &p.plan, sizeof *plan);
    return status;
}

/* ---- saying it ------------------------------------------------------------------------------- */

/* Fill up with blanks so that the next word begins at this column, one blank at least. */
MPX__PRIVATE void mpx__put_column(mpx__printer *out, size_t start, size_t column) {
    do
        mpx__put_char(out, ' ');
    while (out->length - start < column);
}

/* "f32>f16": the result of a node, and what is read in its place. */
MPX__PRIVATE void mpx__put_amp_value(mpx__printer *out, const mpx_amp_plan *plan, size_t source,
                                     size_t value) {
    size_t n = plan->node_count;
    mpx_dtype from = plan->nodes[source].dtype;
    mpx_dtype to = value < n ? plan->nodes[value].dtype : plan->casts[value - n].to;
    mpx__put(out, mpx_dtype_short_name(from));
    if (value == source) return;
    mpx__put_char(out, '>');
    mpx__put(out, mpx_dtype_short_name(to));
}

MPX__PRIVATE void mpx__put_amp_inputs(mpx__printer *out, const mpx_amp_plan *plan, size_t index,
                                      const mpx_amp_node *node) {
    size_t i;
    for (i = 0; i < node->input_count; i++) {
        if (i != 0) mpx__put_char(out, ' ');
        mpx__put_amp_value(out, plan, node->inputs[i], plan->nodes[index].inputs[i]);
    }
    if (node->input_count == 0)
        mpx__put(out, (node->flags & MPX_AMP_NODE_CONSTANT) != 0 ? "(weight)" : "(input)");
}

MPX__PRIVATE void mpx__put_amp_result(mpx__printer *out, const mpx_amp_plan *plan, size_t index,
                                      int is_constant) {
    const mpx_amp_planned_node *planned = &plan->nodes[index];
    const mpx_amp_rule *rule = planned->answer.rule;
    if (planned->removed) {
        mpx__put(out, "removed");
        return;
    }
    mpx__put_amp_value(out, plan, index, planned->output);
    if (is_constant && planned->store != planned->dtype) {
        mpx__put(out, ", store ");
        mpx__put(out, mpx_dtype_short_name(planned->store));
    }
    if (rule == NULL || (rule->accumulate == MPX_NONE && rule->custom == NULL)) return;
    if (planned->answer.accumulate == MPX_NONE) return;
    mpx__put(out, " acc ");
    mpx__put(out, mpx_dtype_short_name(planned->answer.accumulate));
}

enum { MPX__AMP_OP_COLUMN = 6, MPX__AMP_SCOPE_COLUMN = 20, MPX__AMP_RULE_COLUMN = 40,
       MPX__AMP_INPUT_COLUMN = 66, MPX__AMP_RESULT_COLUMN = 86 };

MPX__PRIVATE void mpx__put_amp_node(mpx__printer *out, const mpx_amp_plan *plan,
                                    const mpx_amp_graph *graph, size_t index) {
    size_t start = out->length, digits = index, blanks = 4;
    const mpx_amp_rule *rule = plan->nodes[index].answer.rule;
    mpx_amp_node node;
    for (; digits > 9 && blanks != 0; digits = mpx__tenth(digits))
        blanks--;
    for (; blanks != 0; blanks--)
        mpx__put_char(out, ' ');
    mpx__put_size(out, index);
    mpx__put_column(out, start, MPX__AMP_OP_COLUMN);
    if (index >= graph->count || mpx__amp_node_at(graph, index, &node, NULL) != MPX_OK ||
        node.input_count != plan->nodes[index].input_count) {
        mpx__put_char(out, '?');
        return;
    }
    mpx__put(out, node.op != NULL && node.op[0] != '\0' ? node.op : "-");
    mpx__put_column(out, start, MPX__AMP_SCOPE_COLUMN);
    mpx__put(out, node.scope != NULL && node.scope[0] != '\0' ? node.scope : "-");
    mpx__put_column(out, start, MPX__AMP_RULE_COLUMN);
    if (rule != NULL) mpx__put_amp_rule(out, rule);
    else mpx__put_char(out, '-');
    mpx__put_column(out, start, MPX__AMP_INPUT_COLUMN);
    mpx__put_amp_inputs(out, plan, index, &node);
    mpx__put_column(out, start, MPX__AMP_RESULT_COLUMN);
    mpx__put_amp_result(out, plan, index, (node.flags & MPX_AMP_NODE_CONSTANT) != 0);
}

MPX__PRIVATE void mpx__put_amp_totals(mpx__printer *out, const mpx_amp_plan *plan) {
    mpx__put_size(out, plan->cast_count);
    mpx__put(out, " casts, ");
    mpx__put_size(out, plan->shared);
    mpx__put(out, " shared; ");
    mpx__put_size(out, plan->removed);
    mpx__put(out, " nodes removed; bytes moved ");
    mpx__put_u64(out, plan->bytes_before);
    mpx__put(out, " before, ");
    mpx__put_u64(out, plan->bytes_after);
    mpx__put(out, " after (");
    mpx__put_u64(out, plan->bytes_fused);
    mpx__put(out, " fused), ");
    mpx__put_u64(out, plan->bytes_once);
    mpx__put(out, " once\n");
}

MPX__API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                     char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (node < plan->node_count) mpx__put_amp_node(&out, plan, &graph, node);
    return out.length;
}

MPX__API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
                                size_t size) {
    mpx__printer out;
    size_t i;
    mpx__print_to(&out, buf, size);
    mpx__put(&out, " node operation     scope               decided by                operands"
                   "            result\n");
    for (i = 0; i < plan->node_count; i++) {
        mpx__put_amp_node(&out, plan, &graph, i);
        mpx__put_char(&out, '\n');
    }
    mpx__put_amp_totals(&out, plan);
    return out.length;
}

#endif /* !MPX_NO_AMP */
/*==========================================================================*
 * MARK: sentences - statuses and errors in words                            *
 *   The last room: it may name what any other room found wrong.             *
 *==========================================================================*/

MPX__API const char *mpx_status_string(mpx_status status) {
    switch ((int)status) {
    case MPX_OK: return "ok";
    case MPX_ERR_ARGUMENT: return "bad argument";
    case MPX_ERR_DTYPE: return "unknown or unusable dtype";
    case MPX_ERR_KEY: return "unknown key";
    case MPX_ERR_MISSING_EQUALS: return "missing '='";
    case MPX_ERR_EXTRA_EQUALS: return "more than one '='";
    case MPX_ERR_EMPTY: return "empty text";
    case MPX_ERR_SYNTAX: return "malformed text";
    case MPX_ERR_SPACE: return "not enough space";
    case MPX_ERR_STATE: return "not a saved state";
#if !MPX_NO_TREE || !MPX_NO_AMP
    case MPX_ERR_STRUCTURE: return "structures differ";
    case MPX_ERR_NOT_FLOATING: return "not floating";
    case MPX_ERR_FIXED_DTYPE: return "dtype cannot be changed";
    case MPX_ERR_DEPTH: return "nested too deeply";
    case MPX_ERR_CALLBACK: return "callback failed";
    case MPX_ERR_WIDER: return "destination wider than source";
#endif
#if !MPX_NO_KERAS
    case MPX_ERR_PAIR: return "not one mode and one source";
    case MPX_ERR_MODE: return "unknown quantization mode";
    case MPX_ERR_NUMBER: return "not a whole number";
    case MPX_ERR_RANGE: return "number out of range";
    case MPX_ERR_UNSUPPORTED: return "unsupported source";
#endif
#if !MPX_NO_AMP
    case MPX_ERR_SCOPE: return "no scope to leave";
    case MPX_ERR_CYCLE: return "a node reads one that does not come before it";
    case MPX_ERR_RULE: return "not a rule";
    case MPX_ERR_PRECISION: return "unknown or unusable precision";
#endif
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
    case MPX_ERR_PATTERN: return "unusable pattern";
    case MPX_ERR_EXISTS: return "key exists already";
    case MPX_ERR_MISSING: return "no such key";
    case MPX_ERR_AMBIGUOUS: return "several patterns match";
    case MPX_ERR_QUOTE: return "quote is not closed";
    case MPX_ERR_ORDER: return "setting after an entry";
#endif
#if !MPX_NO_WEIGHTS
    case MPX_WARN_OVERFLOW: return "values overflow";
#endif
    default: return "unknown status";
    }
}

/* "unknown dtype 'x' at 2" and the like: the sentence as far as the place. */
MPX__PRIVATE void mpx__put_place(mpx__printer *out, const char *what, mpx__slice word,
                                 size_t offset) {
    mpx__put(out, what);
    if (word.n != 0) {
        mpx__put_char(out, ' ');
        mpx__put_quoted(out, word);
    }
    mpx__put(out, " at ");
    mpx__put_size(out, offset);
}

/* The examples are dtypes that the build has. */
MPX__PRIVATE void mpx__put_expected_dtype(mpx__printer *out) {
    static const mpx_dtype examples[4] = { MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    size_t i;
    mpx__put(out, "; expected a dtype such as f32");
    for (i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const char *name = mpx_dtype_short_name(examples[i]);
        mpx__put(out, name[0] != '\0' ? ", " : "");
        mpx__put(out, name);
    }
    mpx__put(out, MPX__HAS_F16 ? ", or full, half" : ", or full");
}

/* What stands before the place, on its line; empty without a text. */
MPX__PRIVATE mpx__slice mpx__line_before(const char *word, size_t offset) {
    mpx__slice line = mpx__slice_of(word, 0);
    while (word != NULL && line.n < offset && line.s[-1] != '\n') {
        line.s--;
        line.n++;
    }
    return line;
}

#if !MPX_NO_KERAS
/* What is wrong with a quantized policy, and what was expected. */
MPX__PRIVATE void mpx__put_quantized_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    const char *what = mpx_status_string(err->status), *wanted = "";
    const mpx__slice before = mpx__line_before(word.s, err->offset);
    switch ((int)err->status) {
    case MPX_ERR_PAIR: wanted = "; expected one '_from_', as in int8_from_float32"; break;
    case MPX_ERR_MODE:
        wanted = "; expected int8, int4, int4/128, float8, ternary, gptq/4/128 or awq/4/128";
        break;
    case MPX_ERR_NUMBER:
        if (err->length == 0) what = "missing number";
        break;
    case MPX_ERR_RANGE:
        wanted = "; expected 1 and up or -1 (float8: 0 and up), and 2, 3, 4 or 8 bits (awq: 4)";
        break;
    default:
        wanted = mpx__find_word(before, "_from_", 1) != before.n
                     ? "; int8 takes none that computes in float16"
                 : word.n != 0 && !mpx__begins_with(word, "int8", 1)
                     ? "; it is quantized already"
                     : "; it is quantized already, or int8 with compute in float16";
        break;
    }
    mpx__put_place(out, what, word, err->offset);
    mpx__put(out, wanted);
}
#endif
/* "; did you mean 'bfloat16'?", if a name is near. */
#if !MPX_NO_INTEROP
MPX__PRIVATE void mpx__put_suggestion(mpx__printer *out, mpx__slice word) {
    const char *name = mpx_dtype_name(mpx_dtype_suggest(word.s, word.n));
    if (name[0] == '\0' || mpx__is_word(word, name, 0)) return;
    mpx__put(out, "; did you mean '");
    mpx__put(out, name);
    mpx__put(out, "'?");
}
#else
MPX__INLINE void mpx__put_suggestion(mpx__printer *out, mpx__slice word) {
    (void)out;
    (void)word;
}
#endif

/* mixed_bf16: Keras mixes float16 and bfloat16 by these names alone. */
#if !MPX_NO_DIALECTS
MPX__PRIVATE void mpx__put_mixed(mpx__printer *out, mpx__slice word) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type;
    if (!mpx__begins_with(word, "mixed_", 1)) return;
    word = mpx__from(word, 6);
    type = mpx__lookup(word, &any);
    if (type != MPX_F16 && type != MPX_BF16) return;
    if (mpx__is_word(word, mpx_dtype_name(type), 1)) return;
    mpx__put(out, "; did you mean 'mixed_");
    mpx__put(out, mpx_dtype_name(type));
    mpx__put(out, "'?");
}
#else
MPX__INLINE void mpx__put_mixed(mpx__printer *out, mpx__slice word) {
    (void)out;
    (void)word;
}
#endif

/* Of a word that means different things, those that the build has. */
MPX__PRIVATE void mpx__put_ambiguous(mpx__printer *out, mpx__slice word, size_t offset,
                                     const char *one, const char *two) {
    mpx__put_place(out, "ambiguous dtype", word, offset);
    mpx__put(out, "; say ");
    mpx__put(out, one);
    if (one[0] != '\0' && two[0] != '\0') mpx__put(out, " or ");
    mpx__put(out, two);
}

/* Whose dialect or system it was the error does not say. Where the word is right for us, it was
   wrong there. */
MPX__PRIVATE void mpx__put_dtype_error(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    const mpx__ambiguity *found = mpx__ambiguity_of(word);
    const char *one = found != NULL ? mpx_dtype_short_name((mpx_dtype)found->instead) : "",
               *two = found != NULL ? mpx_dtype_short_name((mpx_dtype)found->other) : "",
               *known = word.n != 0 ? mpx_dtype_name(mpx__lookup(word, &any)) : "";
    if (one[0] != '\0' || two[0] != '\0') {
        mpx__put_ambiguous(out, word, err->offset, one, two);
        return;
    }
    mpx__put_place(out, err->length != 0 ? "unknown dtype" : "missing dtype", word, err->offset);
    if (known[0] != '\0') {
        mpx__put(out, "; ");
        mpx__put(out, known);
        mpx__put(out, " has another name in this dialect or system, or none");
        if (mpx__is_word(word, "half", 1)) mpx__put(out, ", or opt.half is no dtype");
        return;
    }
    if (!MPX_NO_KERAS && mpx__find_word(word, "_from_", 1) != word.n) {
        mpx__put(out, "; in Keras' policies '_from_' follows int8, int4, float8, gptq or awq");
        return;
    }
    mpx__put_expected_dtype(out);
    mpx__put_suggestion(out, word);
    mpx__put_mixed(out, word);
}

#if !MPX_NO_AMP
/* Does a precision's word stand after acc? Then not only blanks are between '=' and it. */
MPX__PRIVATE int mpx__is_after_acc(const char *word, size_t offset) {
    mpx__slice before = mpx__slice_of(word, 0);
    for (; before.n < offset && before.s[-1] != '='; before.n++)
        before.s--;
    return mpx__trim(before).n != 0;
}

/* Integer dtypes are words that are known, and no precisions. */
MPX__PRIVATE void mpx__put_precision_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx__put_place(out, err->length != 0 ? "unknown precision" : "missing precision", word,
                   err->offset);
    mpx__put(out, "; expected ");
    if (word.s == NULL || !mpx__is_after_acc(word.s, err->offset))
        mpx__put(out, "compute, original, widest or ");
    mpx__put(out, "a floating dtype");
    if (mpx__lookup(word, &any) == MPX_NONE) mpx__put_suggestion(out, word);
}
#endif

/* Text after the '>' of the printed form, no '>', or Axon's dialect, and no '<'. */
MPX__PRIVATE void mpx__put_syntax_error(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    const char *text = word.s != NULL ? word.s - err->offset : "";
    mpx__slice before = mpx__trim(mpx__slice_of(text, word.s != NULL ? err->offset : 0));
    int closed = word.s == NULL ? err->offset != 0
                                : before.n != 0 && before.s[before.n - 1] == '>';
    if (err->length == 0) {
        mpx__put_place(out, err->offset == 0 ? "missing '<'" : "missing '>'", word, err->offset);
        return;
    }
    mpx__put_place(out, "unexpected", word, err->offset);
    mpx__put(out, closed ? "; expected the end of the text"
                         : "; expected '<', as in <p=f32 c=bf16>");
}

#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
/* A setting of a map. */
MPX__PRIVATE void mpx__put_argument_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__slice line = mpx__line_before(word.s, err->offset);
    const char *what = mpx_status_string(err->status);
    if (err->length == 0 && err->offset == 0) {
        mpx__put(out, what);
        return;
    }
    mpx__put_place(out, what, word, err->offset);
    if (mpx__begins_with(mpx__trim(line), "first_wins", 0)) mpx__put(out, "; expected 0 or 1");
    if (mpx__begins_with(mpx__trim(line), "patterns", 0))
        mpx__put(out, "; expected glob, regex, search, hook or exact");
}

/* A bracket alone is one that has no other. */
MPX__PRIVATE void mpx__put_pattern_error(mpx__printer *out, mpx__slice word,
                                         const mpx_error *err) {
    mpx__put_place(out, err->length != 0 ? "unusable in a pattern:" : "pattern too large", word,
                   err->offset);
    if (mpx__is_word(word, "(", 0) || mpx__is_word(word, "[", 0)) mpx__put(out, "; not closed");
    if (mpx__is_word(word, ")", 0)) mpx__put(out, "; not opened");
}
#endif

#if !MPX_NO_TREE || (!MPX_NO_POLICY && !MPX_NO_POLICY_MAP)
/* By its name; what is no dtype by its number, for a leaf may hold any. */
MPX__PRIVATE void mpx__put_dtype(mpx__printer *out, mpx_dtype type) {
    if (mpx_dtype_bits(type) != 0) {
        mpx__put(out, mpx_dtype_name(type));
    } else {
        mpx__put(out, type < 0 ? "dtype -" : "dtype ");
        mpx__put_size(out, type < 0 ? 0 - (size_t)(long)type : (size_t)type);
    }
}

/* What the status says here, beyond its words; "" if it says no more. */
MPX__PRIVATE const char *mpx__leaf_error_reason(const mpx_error *err) {
    int of_leaf = err->index != (size_t)-1, typed = err->found != MPX_NONE;
    switch ((int)err->status) {
    case MPX_ERR_ARGUMENT:
        return !of_leaf ? "; expected one of the three roles" : typed ? "; its data is NULL" : "";
    case MPX_ERR_SPACE:
        return !typed && mpx__length(err->path) == sizeof err->path - 1
                   ? "; expected a path of at most 127 bytes"
                   : "";
    case MPX_ERR_DTYPE:
        return err->expected == MPX_NONE && !mpx_dtype_is_floating(err->found) &&
                       (!of_leaf || mpx_dtype_bits(err->found) != 0)
                   ? ", expected a floating dtype"
                   : "";
    case MPX_ERR_AMBIGUOUS: return "; mpx_policy_map_explain names them";
    case MPX_ERR_WIDER: return "; if the trees are not swapped, mpx_tree_widen";
    default: return "";
    }
}

/* "structures differ at leaf 3 'decoder/bias': found float32, expected bfloat16". */
MPX__PRIVATE void mpx__put_leaf_error(mpx__printer *out, const mpx_error *err) {
    if (err->index != (size_t)-1) {
        mpx__put(out, err->subject == MPX_SUBJECT_LAYER ? " at layer " : " at leaf ");
        mpx__put_size(out, err->index);
        if (err->path[0] != '\0') {
            mpx__put_char(out, ' ');
            mpx__put_quoted(out, mpx__slice_of(err->path, mpx__length(err->path)));
        }
    }
    if (err->status == MPX_WARN_OVERFLOW) {
        mpx__put(out, ": ");
        mpx__put_size(out, err->have);
        mpx__put(out, " of ");
        mpx__put_dtype(out, err->found);
        mpx__put(out, " are no finite ");
        mpx__put_dtype(out, err->expected);
        return;
    }
    if (err->found != MPX_NONE) {
        mpx__put(out, ": found ");
        mpx__put_dtype(out, err->found);
    }
    if (err->expected != MPX_NONE) {
        mpx__put(out, err->found != MPX_NONE ? ", expected " : ": expected ");
        mpx__put_dtype(out, err->expected);
    }
    mpx__put(out, mpx__leaf_error_reason(err));
}
#endif

#if !MPX_NO_AMP
/* "a node reads one that does not come before it: input 1 of node 7". */
MPX__PRIVATE void mpx__put_node_error(mpx__printer *out, const mpx_error *err) {
    if (err->index == (size_t)-1) return;
    mpx__put(out, ": ");
    if (err->input != (size_t)-1) {
        mpx__put(out, "input ");
        mpx__put_size(out, err->input);
        mpx__put(out, " of ");
    }
    mpx__put(out, "node ");
    mpx__put_size(out, err->index);
}
#endif

/* "; 12 bytes where 48 are needed". */
MPX__PRIVATE void mpx__put_lack(mpx__printer *out, const mpx_error *err) {
    if (err->what == NULL) return;
    mpx__put(out, "; ");
    mpx__put_size(out, err->have);
    mpx__put_char(out, ' ');
    mpx__put(out, err->what);
    mpx__put(out, " where ");
    mpx__put_size(out, err->need);
    mpx__put(out, " are needed");
}

/* A word of the text that was read, and what was expected in its place. */
MPX__PRIVATE void mpx__put_text_error(mpx__printer *out, const mpx_error *err, const char *text) {
    mpx__slice word = mpx__slice_of(NULL, 0);
    if (text != NULL) word = mpx__slice_of(text + err->offset, err->length);
    switch ((int)err->status) {
    case MPX_ERR_DTYPE: mpx__put_dtype_error(out, word, err); break;
    case MPX_ERR_EMPTY:
        if (err->length != 0) /* the '=' of a line in a map */
            mpx__put_place(out, "missing key before", word, err->offset);
        else if (err->offset != 0)
            mpx__put_place(out, "missing policy", word, err->offset);
        else
            mpx__put(out, "empty text");
        if (err->length == 0) mpx__put_expected_dtype(out);
        break;
    case MPX_ERR_KEY:
        mpx__put_place(out, err->length != 0 ? "unknown key" : "missing key", word, err->offset);
        mpx__put(out, "; expected p, c or o (param, compute, output)");
        break;
    case MPX_ERR_MISSING_EQUALS:
        mpx__put_place(out, err->length != 0 ? "missing '=' in" : "empty part", word, err->offset);
        mpx__put(out, "; expected key=dtype");
        break;
    case MPX_ERR_EXTRA_EQUALS:
        mpx__put_place(out, "unexpected", word, err->offset);
        mpx__put(out, "; expected one '=' in a part; parts end at ',', in <...> at blanks");
        break;
    case MPX_ERR_SYNTAX: mpx__put_syntax_error(out, word, err); break;
#if !MPX_NO_KERAS
    case MPX_ERR_PAIR:
    case MPX_ERR_MODE:
    case MPX_ERR_NUMBER:
    case MPX_ERR_RANGE:
    case MPX_ERR_UNSUPPORTED: mpx__put_quantized_error(out, word, err); break;
#endif
#if !MPX_NO_AMP
    case MPX_ERR_RULE:
        mpx__put_place(out, err->length != 0 ? "not a rule:" : "missing key", word, err->offset);
        mpx__put(out, "; expected default, operation=precision or scope:name=precision");
        break;
    case MPX_ERR_PRECISION: mpx__put_precision_error(out, word, err); break;
#endif
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
    case MPX_ERR_PATTERN: mpx__put_pattern_error(out, word, err); break;
    case MPX_ERR_ARGUMENT: mpx__put_argument_error(out, word, err); break;
#endif
    default:
        if (err->length != 0)
            mpx__put_place(out, mpx_status_string(err->status), word, err->offset);
        else
            mpx__put(out, mpx_status_string(err->status));
        break;
    }
}

MPX__API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (err->status == MPX_OK || err->subject != MPX_SUBJECT_TEXT)
        mpx__put(&out, mpx_status_string(err->status));
    else
        mpx__put_text_error(&out, err, text);
#if !MPX_NO_AMP
    if (err->subject == MPX_SUBJECT_NODE) mpx__put_node_error(&out, err);
#endif
#if !MPX_NO_TREE || (!MPX_NO_POLICY && !MPX_NO_POLICY_MAP)
    if (err->subject == MPX_SUBJECT_LEAF || err->subject == MPX_SUBJECT_LAYER)
        mpx__put_leaf_error(&out, err);
#endif
    mpx__put_lack(&out, err);
    return out.length;
}
/*==========================================================================*
 * MARK: outro - no private macro stays defined                              *
 *==========================================================================*/
#undef MPX__ALIGNMENT
#undef MPX__ALIGN_LOOP
#undef MPX__API
#undef MPX__BARRIER
#undef MPX__BLOCK
#undef MPX__COLD
#undef MPX__COMPACT
#undef MPX__COMPLEX_BITS
#undef MPX__DTYPE_BITS
#undef MPX__F32_INF
#undef MPX__F32_ONE
#undef MPX__FORCE_INLINE
#undef MPX__FP_BARRIER
#undef MPX__GRAIN
#undef MPX__HAS_64
#undef MPX__HAS_AVX2
#undef MPX__HAS_AVX512
#undef MPX__HAS_BF16
#undef MPX__HAS_COMPLEX
#undef MPX__HAS_DIVIDER
#undef MPX__HAS_F16
#undef MPX__HAS_F64
#undef MPX__HAS_FLOAT
#undef MPX__HAS_INT
#undef MPX__HAS_NEON
#undef MPX__HAS_PACKED
#undef MPX__HAS_RVV
#undef MPX__HAS_SMALL
#undef MPX__HAS_BYTES
#undef MPX__HAS_SSE2
#undef MPX__HAS_WASM
#undef MPX__INLINE
#undef MPX__INTEGER_BITS
#undef MPX__IN_IMPLEMENTATION
#undef MPX__KEEP_VALUE
#undef MPX__KEPT
#undef MPX__LEAST_GRAIN
#undef MPX__NOINLINE
#undef MPX__NOWHERE
#undef MPX__NO_CHAR
#undef MPX__NO_UNICODE
#undef MPX__OF_PASS
#undef MPX__LONG_WAY
#undef MPX__ONCE
#undef MPX__PAIR
#undef MPX__PARTS
#undef MPX__PASTE
#undef MPX__PASTE_
#undef MPX__PIECE_UNIT
#undef MPX__PRIVATE
#undef MPX__RARELY
#undef MPX__READ_HERE
#undef MPX__SMALL_BITS
#undef MPX__STATS_TILE
#undef MPX__SUM_VECTORS
#undef MPX__TARGET
#undef MPX__THREAD_LOCAL
#undef MPX__UNROLL
#undef MPX__UNUSED
#undef MPX__VECTOR
#if defined(_MSC_VER) && !defined(__clang__)
#pragma warning(pop)
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) && \
    (MPX_DISPATCH || defined(__AVX512F__))
#pragma GCC diagnostic pop
#endif
#endif /* MPX__IN_IMPLEMENTATION */

/*
   CHANGELOG (the last entries; CHANGELOG.md has all)
       0.1.0   first version: dtypes, casts, policies, trees, loss scales

   LICENCE: this software is available under two licences; choose whichever you prefer.
   ----------------------------------------------------------------------------------------------
   A - MIT License
   Copyright (c) 2026 The mpx.h authors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software
   and associated documentation files (the "Software"), to deal in the Software without
   restriction, including without limitation the rights to use, copy, modify, merge, publish,
   distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
   Software is furnished to do so, subject to the following conditions:
   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
   BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
   ----------------------------------------------------------------------------------------------
   B - Public Domain (unlicense.org)
   This is free and unencumbered software released into the public domain.
   Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software,
   either in source code form or as a compiled binary, for any purpose, commercial or
   non-commercial, and by any means.
   In jurisdictions that recognize copyright laws, the author or authors of this software
   dedicate any and all copyright interest in the software to the public domain. We make this
   dedication for the benefit of the public at large and to the detriment of our heirs and
   successors. We intend this dedication to be an overt act of relinquishment in perpetuity of
   all present and future rights to this software under copyright law.
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
   BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
   CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
