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
       policies     "p=f32,c=bf16,o=f32" as a value: parse, print, derive; Keras' quantized names
                    ("int4/128_from_mixed_bfloat16"); a default policy, one per thread
       policy maps  a policy by path, by globs or regular expressions; by op, over layers
       trees        arrays and nested structs, leaf by leaf: cast, copy, select, check, unscale;
                    a dry run that says which layer a cast would hurt
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
       MPX_NO_TREE, _POLICY, _KERAS, _POLICY_MAP, _REGEX, _LOSS_SCALE, _STATS, _INTEROP,
       _PROMOTE, _PARALLEL, _AMP    1: leave the room out
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
                        -mavx512bf16: bf16; -mavx512vbmi -mavx512vbmi2 -mgfni: tables of bytes
       MPX_ISA_NEON     AArch64, little-endian: f16; +bf16: bf16. ARMv7: -mfpu=neon, integers
       MPX_ISA_WASM     WebAssembly with -msimd128; -mrelaxed-simd changes nothing
       MPX_ISA_RVV      RISC-V V with clang's -mrvv-vector-bits=zvl: codecs and loops, no float rows

   TABLE OF CONTENTS: search for "MARK: " and
       config, names, types, api, inline            the declarations
       detect, carried, text, dtypes, simd_scalar, simd_sse2, simd_avx2, simd_avx512, simd_neon,
       simd_wasm, simd_rvv, codec, codec_wide, wide, loop, round, float_env, pack, fast,
       fast_small, fast_wide, fast_int, fast_avx512, fast_avx512_int, numbers, integers, cast,
       stats, cast_with, finite, amax, scale_rows, scale, tree, dry_run, parallel, policy_keras,
       policy, pattern, policy_map, default_policy, loss_scale, scaled_grad, interop, promote, amp,
       amp_plan, outro
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

/* Rooms to leave out: 1 drops the room's declarations and bodies. */
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
#define mpx_cast MPX__JOIN(MPX_NAMESPACE, mpx_cast)
#define mpx_cast_with MPX__JOIN(MPX_NAMESPACE, mpx_cast_with)
#define mpx_cast_strided MPX__JOIN(MPX_NAMESPACE, mpx_cast_strided)
#define mpx_f8_rebias MPX__JOIN(MPX_NAMESPACE, mpx_f8_rebias)
#define mpx_cast_stats_rms_error MPX__JOIN(MPX_NAMESPACE, mpx_cast_stats_rms_error)
#define mpx_cast_stats_sqnr MPX__JOIN(MPX_NAMESPACE, mpx_cast_stats_sqnr)
#define mpx_all_finite MPX__JOIN(MPX_NAMESPACE, mpx_all_finite)
#define mpx_any_infinite MPX__JOIN(MPX_NAMESPACE, mpx_any_infinite)
#define mpx_amax MPX__JOIN(MPX_NAMESPACE, mpx_amax)
#define mpx_scale MPX__JOIN(MPX_NAMESPACE, mpx_scale)
#define mpx_unscale MPX__JOIN(MPX_NAMESPACE, mpx_unscale)
#define mpx_tree_of_leaves MPX__JOIN(MPX_NAMESPACE, mpx_tree_of_leaves)
#define mpx_tree_of_struct MPX__JOIN(MPX_NAMESPACE, mpx_tree_of_struct)
#define mpx_leaves_of_tensors MPX__JOIN(MPX_NAMESPACE, mpx_leaves_of_tensors)
#define mpx_tree_where MPX__JOIN(MPX_NAMESPACE, mpx_tree_where)
#define mpx_arena_of MPX__JOIN(MPX_NAMESPACE, mpx_arena_of)
#define mpx_tree_next MPX__JOIN(MPX_NAMESPACE, mpx_tree_next)
#define mpx_tree_measure MPX__JOIN(MPX_NAMESPACE, mpx_tree_measure)
#define mpx_tree_cast_in_place MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_in_place)
#define mpx_tree_cast_into MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_into)
#define mpx_tree_cast_to_full MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_to_full)
#define mpx_tree_cast_to_half MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_to_half)
#define mpx_tree_cast MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast)
#define mpx_tree_cast_with MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_with)
#define mpx_tree_copy MPX__JOIN(MPX_NAMESPACE, mpx_tree_copy)
#define mpx_tree_select MPX__JOIN(MPX_NAMESPACE, mpx_tree_select)
#define mpx_tree_all_finite MPX__JOIN(MPX_NAMESPACE, mpx_tree_all_finite)
#define mpx_tree_any_infinite MPX__JOIN(MPX_NAMESPACE, mpx_tree_any_infinite)
#define mpx_tree_scale MPX__JOIN(MPX_NAMESPACE, mpx_tree_scale)
#define mpx_tree_unscale MPX__JOIN(MPX_NAMESPACE, mpx_tree_unscale)
#define mpx_tree_check_floating MPX__JOIN(MPX_NAMESPACE, mpx_tree_check_floating)
#define mpx_tree_dry_run MPX__JOIN(MPX_NAMESPACE, mpx_tree_dry_run)
#define mpx_cast_report_format MPX__JOIN(MPX_NAMESPACE, mpx_cast_report_format)
#define mpx_tree_error_format MPX__JOIN(MPX_NAMESPACE, mpx_tree_error_format)
#define mpx_cast_parallel MPX__JOIN(MPX_NAMESPACE, mpx_cast_parallel)
#define mpx_tree_cast_parallel MPX__JOIN(MPX_NAMESPACE, mpx_tree_cast_parallel)
#define mpx_policy_parse MPX__JOIN(MPX_NAMESPACE, mpx_policy_parse)
#define mpx_policy_parse_with MPX__JOIN(MPX_NAMESPACE, mpx_policy_parse_with)
#define mpx_policy_parse_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_parse_n)
#define mpx_policy_format MPX__JOIN(MPX_NAMESPACE, mpx_policy_format)
#define mpx_policy_format_with MPX__JOIN(MPX_NAMESPACE, mpx_policy_format_with)
#define mpx_policy_with_param MPX__JOIN(MPX_NAMESPACE, mpx_policy_with_param)
#define mpx_policy_with_compute MPX__JOIN(MPX_NAMESPACE, mpx_policy_with_compute)
#define mpx_policy_with_output MPX__JOIN(MPX_NAMESPACE, mpx_policy_with_output)
#define mpx_policy_equal MPX__JOIN(MPX_NAMESPACE, mpx_policy_equal)
#define mpx_policy_quantize MPX__JOIN(MPX_NAMESPACE, mpx_policy_quantize)
#define mpx_policy_quantize_n MPX__JOIN(MPX_NAMESPACE, mpx_policy_quantize_n)
#define mpx_default_policy_get MPX__JOIN(MPX_NAMESPACE, mpx_default_policy_get)
#define mpx_default_policy_set MPX__JOIN(MPX_NAMESPACE, mpx_default_policy_set)
#define mpx_default_policy_push MPX__JOIN(MPX_NAMESPACE, mpx_default_policy_push)
#define mpx_default_policy_pop MPX__JOIN(MPX_NAMESPACE, mpx_default_policy_pop)
#define mpx_policy_or_default MPX__JOIN(MPX_NAMESPACE, mpx_policy_or_default)
#define mpx_policy_cast_to_param MPX__JOIN(MPX_NAMESPACE, mpx_policy_cast_to_param)
#define mpx_policy_cast_to_compute MPX__JOIN(MPX_NAMESPACE, mpx_policy_cast_to_compute)
#define mpx_policy_cast_to_output MPX__JOIN(MPX_NAMESPACE, mpx_policy_cast_to_output)
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
#define mpx_policy_map_cast_to_param MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_cast_to_param)
#define mpx_policy_map_cast_to_compute MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_cast_to_compute)
#define mpx_policy_map_cast_to_output MPX__JOIN(MPX_NAMESPACE, mpx_policy_map_cast_to_output)
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
#define mpx_loss_scale_value_and_grad MPX__JOIN(MPX_NAMESPACE, mpx_loss_scale_value_and_grad)
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
#define mpx_amp_error_format MPX__JOIN(MPX_NAMESPACE, mpx_amp_error_format)
#endif
/*==========================================================================*
 * MARK: types - dtypes, statuses, policies, trees, loss scales              *
 *   Zero is the default: {0} ({} in C++) of every struct of options or      *
 *   state is valid and means what its comment says. Enumerators are         *
 *   appended, never renumbered. Their types are int, so that {0} is valid   *
 *   in C++ too.                                                             *
 *==========================================================================*/

/* Element types. The name of a constant is MPX_ + the short name in capitals; the number is not
   stable on disk: store the name (mpx_dtype_name). A dtype below a byte is packed, element 0 in the
   lowest bits; unused bits of the last byte become zero, and pieces cut by hand begin at multiples
   of 8 elements. */
typedef int mpx_dtype;
enum {
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
    MPX_U64, MPX_C64, MPX_C128, MPX_DTYPE_COUNT
};

/* Weak operands: literals of the program text, for mpx_dtype_promote and AMP operands only. They
   take the dtype of what they meet and are no dtypes themselves. */
enum { MPX_WEAK_INT = -1, MPX_WEAK_FLOAT = -2, MPX_WEAK_COMPLEX = -3 };

/* Kinds of dtypes, as mpx_dtype_info reports them. */
enum { MPX_KIND_NONE, MPX_KIND_FLOAT, MPX_KIND_BOOL, MPX_KIND_INT, MPX_KIND_UINT,
       MPX_KIND_COMPLEX };

/* What every function that can fail returns; mpx_status_string names each. */
typedef int mpx_status;
enum {
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
       _FIXED_DTYPE: the dtype of a leaf cannot be changed in place. _DEPTH: nodes nested deeper
       than MPX_TREE_DEPTH. _CALLBACK: for walkers of yours that fail. */
    MPX_ERR_STRUCTURE = -9, MPX_ERR_NOT_FLOATING = -10, MPX_ERR_FIXED_DTYPE = -11,
    MPX_ERR_DEPTH = -12, MPX_ERR_CALLBACK = -13,
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
    MPX_ERR_QUOTE = -40, MPX_ERR_ORDER = -41
};

/* Room for every sentence of mpx_error_format and mpx_tree_error_format, and for every policy that
   mpx_policy_format_with prints, NUL included. */
#define MPX_ERROR_TEXT_SIZE 512
#define MPX_POLICY_TEXT_SIZE 96

/* Where a text was wrong: the offending word is text[offset .. offset + length). No text inside:
   pass the text to mpx_error_format for the sentence. {0}: no error. */
typedef struct mpx_error {
    mpx_status status;
    size_t offset, length; /* bytes */
} mpx_error;

/* Facts about a dtype. Float limits are exact in double. Source: IEEE 754-2019 3.6, OCP OFP8 1.0,
   OCP MX 1.0. */
typedef struct mpx_dtype_facts {
    const char *name, *short_name; /* "bfloat16", "bf16" */
    int kind, bits;                /* MPX_KIND_...; bits per element, 2 to 128 */
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
typedef int mpx_dialect;
enum {
    /* EFORMER: Policy.from_string. JMP: get_policy, parse_dtype. KERAS: plain and mixed_ names.
       AXON: the printed form, Nx's type names. EFORMER_PUT: its second name table, put_dtype. */
    MPX_DIALECT_ANY = 0, MPX_DIALECT_EFORMER, MPX_DIALECT_JMP, MPX_DIALECT_KERAS, MPX_DIALECT_AXON,
    MPX_DIALECT_EFORMER_PUT
};

/* half: what the word `half` means; MPX_NONE: MPX_F16. {0}: all grammars, `half` is float16. */
typedef struct mpx_parse_options { mpx_dialect dialect; mpx_dtype half; } mpx_parse_options;

/* Other systems and their numbers and names for dtypes. A system that numbers twice stands here
   twice. Not for storing: more are appended as they come. */
typedef int mpx_system;
enum {
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
    MPX_SYSTEM_COUNT
};

/* DLPack's DLDataType, member for member. */
typedef struct mpx_dlpack {
    uint8_t code, bits;
    uint16_t lanes;
} mpx_dlpack;

/* How a cast rounds to a float dtype; casts to integers truncate in every mode. Nearest: ties to
   even (e8m0: up). Toward zero: finite values do not overflow to Inf, they become the largest.
   Stochastic: up with the probability of what is cut off, to 2^-16. */
enum { MPX_ROUND_NEAREST = 0, MPX_ROUND_TOWARD_ZERO, MPX_ROUND_STOCHASTIC };

/* How elements below a byte lie in memory. Packed: element 0 in the lowest bits (ONNX, PyTorch,
   DLPack). Bytes: one per byte, in its low bits (ml_dtypes, NumPy). Split: byte j of a block holds
   the four-bit elements j and j + half (GGUF). */
enum { MPX_LAYOUT_PACKED = 0, MPX_LAYOUT_BYTES, MPX_LAYOUT_SPLIT };

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
    int rounding, saturate;     /* MPX_ROUND_...; 1: what overflows, Inf included, becomes the
                                   largest value */
    int dst_layout, src_layout; /* MPX_LAYOUT_..., for dtypes below a byte */
    size_t split_block;         /* elements of a split block, even; 0: all n are one */
    /* Stochastic: which random bits, and the index of element 0 in the whole tensor: pieces cast
       apart get the bits that one call would have given them. */
    uint64_t random_seed, offset;
    mpx_cast_stats *stats;      /* NULL: none */
} mpx_cast_options;

/* How Keras' policies quantize the weights of a layer. */
enum {
    MPX_QUANT_NONE = 0, MPX_QUANT_INT8, MPX_QUANT_INT4, MPX_QUANT_FLOAT8, MPX_QUANT_GPTQ,
    MPX_QUANT_AWQ
};

/* Which precision the parameters, the compute and the outputs have, and how weights are quantized.
   A role that is MPX_NONE is left alone. {0}: nothing is cast, nothing quantized. */
typedef struct mpx_policy {
    mpx_dtype param, compute, output;
    int16_t quantization, weight_bits; /* MPX_QUANT_...; GPTQ: 2, 3, 4 or 8, AWQ: 4, else 0 */
    int32_t group_size;                /* INT4, GPTQ, AWQ: weights that share a scale; -1: one per
                                          channel; 0: not said */
    int32_t amax_history_length;       /* FLOAT8: steps of history; else 0 */
} mpx_policy;
/* An initializer: mpx_policy p = MPX_POLICY(MPX_F32, MPX_BF16, MPX_F32); of roles alone */
#define MPX_POLICY(param, compute, output) { param, compute, output, 0, 0, 0, 0 }
#define MPX_AMAX_HISTORY_LENGTH 1024 /* where the text says none, as Keras has it */

/* One of the three roles. */
enum { MPX_ROLE_PARAM = 0, MPX_ROLE_COMPUTE, MPX_ROLE_OUTPUT };

/* What the keys of a policy map are, besides paths to be met exactly.
     glob     * takes any characters but '/', ** any at all, ? one but '/', [a-z0] [!a-z] one of a
              class, but '/'; a backslash takes the next as it is. A ** that is a whole segment and
              not the last stands for any number of segments, none too
     regex    Python's re, as far as it needs no going back: . [a-z] [^a-z] \d \s \w, * + ? {m,n},
              a|b, (a) (?:a) (?P<name>a), ^ $ \A \Z \b \B, escapes. Both match the whole path
     search   a regex that is met anywhere in the path, as in Keras up to 3.11
     hook     what the function `match` of the map says
     exact    no patterns */
enum { MPX_PATTERNS_GLOB = 0, MPX_PATTERNS_REGEX, MPX_PATTERNS_SEARCH, MPX_PATTERNS_HOOK,
       MPX_PATTERNS_EXACT };
/* The most steps of a pattern: one for every character, class or wildcard, the plain text before
   the first and after the last wildcard not counted; one or two more for every | and every repeated
   group; {m,n} counts n times. */
#define MPX_PATTERN_STEPS 128
#define MPX_MAP_DEFAULT ((size_t)-1) /* "no entry decides" */

/* One line of a map. */
typedef struct mpx_map_entry {
    const char *key; /* the caller's text: must live as long as the entry */
    size_t length;   /* of key, in bytes: it needs no NUL */
    mpx_policy policy;
    size_t leaves;   /* that this entry decides: mpx_policy_map_count_leaves */
    size_t prefix, suffix; /* the map's own: bytes of plain text at both ends of the pattern, and */
    uint32_t needs[8];     /* what a path must have in it */
} mpx_map_entry;

/* A caller's engine for patterns. Returns 1: it matches; 0: it does not; a negative mpx_status. */
typedef int (*mpx_match_fn)(const char *pattern, size_t pattern_length, const char *path,
                            size_t path_length, void *user);

/* Policies by path: entries in the order they were set, and a policy for all other paths. {0}: no
   entries, no room, nothing is cast. */
typedef struct mpx_policy_map {
    mpx_map_entry *entries; /* the caller's array: `count` of them are set */
    size_t capacity, count;
    mpx_policy fallback;    /* for paths that no key meets */
    int patterns;           /* MPX_PATTERNS_...; to be chosen before the first key is set */
    int first_wins;         /* 1: of patterns that match one path the first decides; 0: two are
                               MPX_ERR_AMBIGUOUS */
    mpx_match_fn match;     /* MPX_PATTERNS_HOOK */
    void *user;
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
#define MPX_PATH_SIZE 128 /* bytes of a path that a walker builds, NUL included */

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

/* Which leaf was wrong. path is cut to fit. {0}: no error. mpx_tree_error_format makes the
   sentence. */
typedef struct mpx_tree_error {
    mpx_status status;
    size_t index;              /* of the leaf, from 0; (size_t)-1 where no leaf is meant */
    mpx_dtype found, expected; /* where dtypes are the matter */
    char path[MPX_PATH_SIZE];
} mpx_tree_error;

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

/* The rule by which a loss scale moves. */
enum {
    /* NOOP: the scale is 1. STATIC: it never moves. DYNAMIC (jmp, eformer, Axon): grow on the
       period-th finite step, never beyond the finite floats; not below min_scale. JAXAMP: grow on
       finite step period + 1, no floor, no cap. KERAS: as DYNAMIC, without the floor and without
       the check on growth. */
    MPX_LOSS_SCALE_NOOP = 0, MPX_LOSS_SCALE_STATIC, MPX_LOSS_SCALE_DYNAMIC, MPX_LOSS_SCALE_JAXAMP,
    MPX_LOSS_SCALE_KERAS
};

/* The state of loss scaling: a value to copy, store and compare. {0} is NoOp and reads as scale
   1. */
typedef struct mpx_loss_scale {
    int kind;                /* MPX_LOSS_SCALE_... */
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
} mpx_loss_scale;
#define MPX_LOSS_SCALE_BYTES 52 /* of a saved state; one of 40, of older programs, loads too */

/* Compute the loss and the gradients of loss * scale; write the loss, scaled, to *loss and the
   gradients where the scaled_grads of the call are. A status that is not MPX_OK ends the step. */
typedef mpx_status (*mpx_grad_fn)(mpx_loss_scale scale, float *loss, void *user);

/* A step of mpx_loss_scale_grad and mpx_loss_scale_value_and_grad. */
typedef struct mpx_grad_call {
    mpx_grad_fn evaluate;         /* never NULL */
    mpx_tree grads, scaled_grads; /* as dst and src of mpx_loss_scale_unscale_tree; may be equal */
    mpx_tree aux;                 /* other results, looked at for Inf and NaN; {0}: none */
    int redo_on_nan;              /* at most so many repetitions after a non-finite result, each
                                     with the adjusted scale */
    void *user;                   /* for evaluate */
} mpx_grad_call;
#define MPX_REDO_ON_NAN 10 /* jaxamp's default of value_and_grad; that of grad is 0 */

/* loss: unscaled, of the last evaluation, as the gradients are. */
typedef struct mpx_grad_result {
    float loss;
    int finite, evaluations;
} mpx_grad_result;

/* ---- precision by operation (AMP) ------------------------------------------------------------ */

/* What a rule says of an operation's floating operands: one of these, or a floating dtype that all
   of them get. Integers and bool are never touched. */
enum {
    MPX_AMP_ORIGINAL = 0, /* each as the program without AMP has it */
    MPX_AMP_COMPUTE = -1, /* the compute dtype */
    MPX_AMP_WIDEST = -2,  /* the widest that the program without AMP has among them: the first of
                             f64, f32, bf16, f16; if none of these is there as MPX_AMP_ORIGINAL */
    MPX_AMP_NO_RULE = -3  /* cancels an earlier rule for the same key */
};

typedef struct mpx_amp mpx_amp;

/* An operand of one operation. */
typedef struct mpx_amp_operand {
    const void *data; /* count elements of dtype: read and replaced by mpx_amp_eager_cast only */
    size_t count;
    mpx_dtype dtype;  /* which it has; MPX_WEAK_...: a number of the program's text, never cast */
    mpx_dtype plain;  /* which it has in the program without AMP; MPX_NONE: the same */
    mpx_dtype to;     /* the answer: which it must have; the same as dtype: nothing to cast */
    int keep;         /* mpx_amp_eager_cast: 1: a weight, cast once until mpx_amp_eager_forget */
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
    size_t source;     /* the value that is cast */
    mpx_dtype from, to;
    size_t count;      /* elements */
    size_t before;     /* the first node that needs it; the number of nodes: an output */
    size_t uses;       /* inputs, casts and outputs that read it */
} mpx_amp_planned_cast;

/* What became of a node. */
typedef struct mpx_amp_planned_node {
    const size_t *inputs; /* the values it reads, as many as it has inputs */
    mpx_dtype dtype;      /* of its result */
    mpx_dtype store;      /* the one dtype in which all read it, else dtype; a constant stored in
                             it needs no cast */
    int removed;          /* 1: a cast that nothing reads any more */
    size_t uses;          /* inputs, casts and outputs that read its result */
    size_t output;        /* the value that is its result for others: itself or, with
                             MPX_AMP_RESTORE, maybe a cast */
    mpx_amp_answer answer;
} mpx_amp_planned_node;

/* A planned graph: pointers into the memory it was planned in. */
typedef struct mpx_amp_plan {
    const mpx_amp_planned_node *nodes;
    size_t node_count;
    const mpx_amp_planned_cast *casts; /* in the order in which they run */
    size_t cast_count;
    size_t shared;  /* inputs and outputs served by a cast made for another */
    size_t skipped; /* inputs and outputs that read or cast the source of a lossless cast, not its
                       result */
    size_t removed; /* nodes */
    /* Read and written on one run. before: by all nodes without AMP. after: by nodes and casts.
       fused: by nodes that cast what they read themselves, on the way (outputs are still cast
       apart). once: by casts of constants, which are made once and not counted in the others. */
    uint64_t bytes_before, bytes_after, bytes_fused, bytes_once;
} mpx_amp_plan;

/* Where a graph was wrong. {0}: no error. mpx_amp_error_format makes the sentence. */
typedef struct mpx_amp_error {
    mpx_status status;
    size_t node, input; /* SIZE_MAX where it is no matter of one */
} mpx_amp_error;
/*==========================================================================*
 * MARK: api - every public function, by topic                               *
 *   For all of them: no allocation, no I/O, no errno, no locale, no mutable *
 *   static data but the default policy, which is one per thread; any number *
 *   of threads at once. Pointers may be NULL where the comment says so or   *
 *   where n = 0; other NULLs are the caller's mistake (MPX_ASSERT).         *
 *   Stack figures: gcc 12 -O2, x86-64 without AVX, rounded up; with AVX2 up *
 *   to 1.2 KiB more, callbacks apart. Without a figure: below 512 bytes.    *
 *==========================================================================*/
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the library ----------------------------------------------------------------------------- */

/* MPX_VERSION of the implementation: compare with the macro to catch a header that does not fit
   it. */
MPX_API int mpx_version(void);
/* The instruction set this implementation was built for: "scalar". */
MPX_API const char *mpx_isa(void);
/* The status in words: "unknown key". Never NULL; "unknown status" for numbers that are none. */
MPX_API const char *mpx_status_string(mpx_status status);
/* The sentence for a parse error: "unknown dtype 'float61' at 2; expected a dtype such as f32,
   ...".
   text   what was parsed, from its start (nothing behind the offending word is read); NULL leaves
          the word out
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

/* ---- casts ----------------------------------------------------------------------------------- */

/* Cast n elements of src to dst: the correctly rounded value, rounded once, to nearest, ties to
   even; the same bits on every machine, whatever -ffast-math, flush-to-zero or rounding mode say.
   dst, src   n elements of `to` / `from`; any alignment; may be equal where `to` is no
              wider than `from`, else must not overlap
   Floats     NaN keeps its sign, becomes quiet and keeps the leading payload bits that fit;
              overflow gives Inf, or NaN in formats without Inf (e4m3fn, fnuz, e8m0), or the largest
              value in formats with neither (f6, f4), where +NaN gives -0 and -NaN +0. Subnormals
              are kept. fnuz has no -0. e8m0: nearest power of two, ties up; zero and negatives give
              NaN.
   Integers   float to int truncates toward zero, saturates, NaN gives 0; int to int saturates; to
              bool is x != 0 (NaN is true). The same dtype on both sides copies bits.
   Returns    MPX_ERR_DTYPE if either is no dtype, or if one is complex and the other is not the
              same.
   Modes      the caller's floating-point modes stay, and the flags, but for MPX_KEEP_FLAGS; here
              and wherever elements are cast or scaled
   Stack      2300 bytes + MPX_TILE * 5
   Source     IEEE 754-2019 4.3.1, OCP OFP8 1.0 table 1, ml_dtypes for fnuz, f6 and f4. Where
              ml_dtypes rounds twice (f64 and integers to bf16 and fp8), this does not. */
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n);

/* The same with options: rounding modes, saturation, layouts of sub-byte dtypes, statistics.
   opt        NULL: as mpx_cast. Rounding and saturation concern float targets; the same dtype on
              both sides copies bits, whatever they say
   dst == src needs both layouts packed
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
/* fp8 between the OCP and the fnuz formats without rounding: the codes stay, so every value is
   halved on the way to fnuz and doubled on the way back: multiply (divide) the tensor's scale by 2.
   MPX_F8E4M3FN <-> MPX_F8E4M3FNUZ, MPX_F8E5M2 <-> MPX_F8E5M2FNUZ. NaN becomes NaN, -0 becomes 0;
   Inf becomes NaN; what the OCP format cannot hold (the topmost fnuz codes) becomes its largest
   value.
   Returns    MPX_ERR_DTYPE for any other pair. dst may be src. */
MPX_API mpx_status mpx_f8_rebias(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                 size_t n);

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
   under -ffast-math. Stack as mpx_cast. */
MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n);

/* 1 if one of n elements is Inf, whether or not others are NaN; else 0, also for numbers that are
   no dtype. The finite test of Axon's loss scale, which lets NaN pass.
   Stack 3000 bytes + MPX_TILE * 5 */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n);

/* *amax = the largest magnitude of n elements of a floating dtype, from which scales for narrow
   dtypes are computed; 0 for n = 0; Inf if one is Inf, NaN if one is NaN, as torch.amax has it. f64
   is rounded to the nearest float.
   Returns   MPX_ERR_DTYPE if the dtype is not floating; *amax then is untouched. Stack as
             mpx_cast. */
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax);

/* dst = src * by, each product rounded once to `to` (both types must be floating; NaN becomes
   what mpx_cast makes of it). Overflow as in mpx_cast: NaN in e4m3fn; to saturate, scale into
   float32 and use mpx_cast_with.
   dst, src   as for mpx_cast
   Returns    MPX_ERR_DTYPE if a type is not floating. Stack 2500 bytes + MPX_TILE * 5 */
MPX_API mpx_status mpx_scale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                             float by);
/* dst = src / by, a true division rounded once to `to`, overflow as there, and in the same pass:
   *finite becomes 0 if a quotient is Inf or NaN, or became so by being rounded to `to`, else 1.
   finite     may be NULL. By a power of two nothing but exponents move; else a division, which is
              slow in plain C and from f64 to 16 bits. Stack 2500 bytes + MPX_TILE * 5 */
MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n,
                               float by, int *finite);

/* ---- trees ----------------------------------------------------------------------------------- */
#if !MPX_NO_TREE
/* For all of them: only floating leaves are cast or scaled; integers, bool and complex pass through
   unchanged. err may be NULL. Functions that write walk the tree once to check and once to work, so
   that an error found by the check, or a walker that fails in the first walk, leaves everything as
   it was. Stack: a cursor (36 words and a path) per tree is in the figures. */

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
   Returns   MPX_ERR_DTYPE, MPX_ERR_SPACE where size_t overflows, or what the walker returned; *size
             then is untouched. Stack 3400 bytes. */
MPX_API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                    mpx_tree_error *err);

/* Cast every floating leaf in place. to = MPX_NONE does nothing. Leaves must not share memory: tied
   weights would be cast twice (as would be scaled in place); mpx_tree_where leaves one out.
   Returns   MPX_ERR_DTYPE if `to` is no floating dtype; MPX_ERR_SPACE if a leaf is narrower than
             it; MPX_ERR_FIXED_DTYPE if the walker cannot change a leaf's dtype. Stack 4300
             bytes. */
MPX_API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_tree_error *err);
/* A new tree with every floating leaf in dtype `to`: what changes is cast into the arena, what
   needs no cast is shared with src, not copied. Paths too are shared, but those that the struct
   walker builds are copied into the arena.
   arena     measure first: mpx_tree_size.storage bytes and .leaves leaves. Its used counters
             advance; the new leaves are arena->leaves[old leaves_used ...], in the order of the
             walk
   Returns   MPX_ERR_SPACE if the arena is too small, nothing written. Stack 4300 bytes. */
MPX_API mpx_status mpx_tree_cast_into(mpx_tree src, mpx_dtype to, mpx_arena *arena, mpx_tree *out,
                                      mpx_tree_error *err);
/* jmp's two fixed targets: float32, and the platform's half (MPX_NONE: MPX_F16). Stack 4300
   bytes. */
MPX_API mpx_status mpx_tree_cast_to_full(mpx_tree src, mpx_arena *arena, mpx_tree *out,
                                         mpx_tree_error *err);
MPX_API mpx_status mpx_tree_cast_to_half(mpx_tree src, mpx_dtype half, mpx_arena *arena,
                                         mpx_tree *out, mpx_tree_error *err);

/* Leaf to leaf between two trees of one structure (same paths, same counts): each dst leaf gets the
   src leaf in the dtype dst has. Leaves that are not floating must have equal dtypes. Refreshing a
   bf16 working copy is this call.
   Returns   MPX_ERR_STRUCTURE, MPX_ERR_DTYPE, MPX_ERR_SPACE where a dst leaf is the src leaf's
             memory, but wider. Shared leaves (same data, same dtype) are skipped. Stack 4900
             bytes. */
MPX_API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_tree_error *err);
/* The same as mpx_cast_with casts. Leaves that are not floating are copied as they are, whatever
   the layouts, and not counted in opt->stats. Random bits and offset go on from leaf to leaf, as if
   the tree were one tensor.
   opt       NULL: as mpx_tree_cast. For saturating casts of a whole tree: mpx_tree_cast_into, or
             mpx_policy_map_cast_into, and then this.
   Returns   also MPX_ERR_ARGUMENT, with the leaf in err, and where a dst leaf is the src leaf's
             memory and a layout is not packed; no leaf is changed then
   Stack     5900 bytes + MPX_TILE * 5 */
MPX_API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                      mpx_tree_error *err);
/* As mpx_tree_cast, but all dtypes must be equal: bits are copied. Stack 4900 bytes. */
MPX_API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_tree_error *err);
/* dst = pick_a ? a : b, for three trees of one structure and equal dtypes. dst may be a or b. jmp's
   select_tree. Stack 4900 bytes. */
MPX_API mpx_status mpx_tree_select(int pick_a, mpx_tree dst, mpx_tree a, mpx_tree b,
                                   mpx_tree_error *err);

/* *finite = 1 if every leaf is finite (mpx_all_finite), 1 for an empty tree, else 0. Stack 3800
   bytes. */
MPX_API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_tree_error *err);
/* *infinite = 1 if a leaf has an Inf (mpx_any_infinite), else 0. Stack 4900 bytes. */
MPX_API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_tree_error *err);
/* dst = src * by / dst = src / by for floating leaves, each rounded once to the dtype dst has;
   other leaves are copied. dst may be src. unscale is the fused pass: *finite = 1 if every quotient
   is finite, else 0; may be NULL. Returns as mpx_tree_cast. Stack 5000 bytes. */
MPX_API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_tree_error *err);
MPX_API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                    mpx_tree_error *err);

/* MPX_ERR_NOT_FLOATING, with path and dtype in err, for the first leaf that is not floating. jmp's
   warn_if_not_floating. Stack 900 bytes. */
MPX_API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_tree_error *err);
#if !MPX_NO_STATS
/* Will it hurt? What casting every floating leaf to `to` would do, one report a leaf that would
   change, worst first: by the share that overflows, or is NaN or Inf where `to` has none, then the
   share that becomes zero, then the SQNR, then the order of the leaves. Nothing else is written.
   reports has room for capacity; where there are more leaves the worst are kept.
   *count     reports written
   Returns    MPX_ERR_DTYPE if `to` is no floating dtype (MPX_NONE: MPX_OK, and no report), or what
              the walker returned.
   Time       one pass, about ten casts' worth. Stack 5300 bytes. */
MPX_API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                    size_t capacity, size_t *count, mpx_tree_error *err);
/* "conv1/kernel: float32 to float16: 1000 values up to 7.00e4, 3 overflow, 12 become zero, SQNR
   71.2 dB"; "exact" at its end if every value is kept, as NaN and Inf are where there are codes for
   them. Arguments and result as mpx_error_format; MPX_ERROR_TEXT_SIZE is room enough. */
MPX_API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size);
#endif
/* "structures differ at leaf 3 'decoder/bias'"; arguments and result as mpx_error_format. */
MPX_API size_t mpx_tree_error_format(const mpx_tree_error *err, char *buf, size_t size);
#endif

/* ---- threads --------------------------------------------------------------------------------- */
#if !MPX_NO_PARALLEL
/* mpx_cast_with and mpx_tree_cast, cut into pieces for threads of the caller's: the same bits,
   status and err as theirs, whatever the pieces, their order and their threads. Errors are found
   before a piece is run; run is called on the calling thread, and not at all if there is one piece
   only.
   Not split  casts with statistics (sums depend on the order), casts in place between different
              widths, and split layouts of fewer than 64 blocks
   Stack      as mpx_cast_with + 384 bytes, on every thread. opt may be NULL. */
MPX_API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                     size_t n, const mpx_cast_options *opt, mpx_parallel parallel);
#if !MPX_NO_TREE
/* Only the calling thread walks the trees. It calls run for up to 48 leaves at a time, which are
   cut as if they were one: many small ones share a piece. A leaf in memory that one before it
   writes (tied weights) waits until that is done. Stack 9900 bytes. */
MPX_API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                          mpx_tree_error *err);
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

/* The policy with one role changed. */
MPX_API mpx_policy mpx_policy_with_param(mpx_policy p, mpx_dtype type);
MPX_API mpx_policy mpx_policy_with_compute(mpx_policy p, mpx_dtype type);
MPX_API mpx_policy mpx_policy_with_output(mpx_policy p, mpx_dtype type);
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
   outlives a call. No text is read: a name that fails to parse leaves it as it was.
   push      sets, and returns what was before, for pop: scopes nest as the caller's variables do */
MPX_API mpx_policy mpx_default_policy_get(void);
MPX_API void mpx_default_policy_set(mpx_policy p);
MPX_API mpx_policy mpx_default_policy_push(mpx_policy p);
MPX_API void mpx_default_policy_pop(mpx_policy before);
/* p, or the default if p is unset (no role, no quantization): a layer's own policy comes first. */
MPX_API mpx_policy mpx_policy_or_default(mpx_policy p);
#endif

#if !MPX_NO_TREE
/* The three verbs of jmp: mpx_tree_cast_into with the role's dtype; an unset role shares every
   leaf. Stack 4300 bytes. */
MPX_API mpx_status mpx_policy_cast_to_param(mpx_policy p, mpx_tree src, mpx_arena *arena,
                                            mpx_tree *out, mpx_tree_error *err);
MPX_API mpx_status mpx_policy_cast_to_compute(mpx_policy p, mpx_tree src, mpx_arena *arena,
                                              mpx_tree *out, mpx_tree_error *err);
MPX_API mpx_status mpx_policy_cast_to_output(mpx_policy p, mpx_tree src, mpx_arena *arena,
                                             mpx_tree *out, mpx_tree_error *err);
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
/* Add an entry. The key is not copied: it must live as long as the map. A key without wildcards is
   a path; one with wildcards still meets the path that reads the same.
   Returns   MPX_ERR_EXISTS, the entry is as it was (delete it first); MPX_ERR_SPACE; for patterns
             that cannot be read or need more than MPX_PATTERN_STEPS, MPX_ERR_PATTERN, and err (may
             be NULL) has the place in the key; MPX_ERR_ARGUMENT if map->patterns is none of the
             kinds here. Stack 2200 bytes. */
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
             path. No pattern takes longer than its steps * path. Stack 2700 bytes.
   Source    Keras 3.15 DTypePolicyMap.__getitem__. */
MPX_API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path, mpx_policy *out);
/* The same: which entry decides, MPX_MAP_DEFAULT if none does. */
MPX_API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index);
MPX_API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                         size_t *index);
/* The same as a sentence: "'ln1.w': 'ln*' decides: p=f32,c=f32,o=f32", "'wte': no key matches:
   ...", "'ln1.w': both 'ln*' and '*.w' match". buf, size and the result as snprintf. Stack 2700
   bytes. */
MPX_API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
                                      size_t size);

/* Read a map from text and add it to what is there. Keys stay where they are: the text must live as
   long as the map.

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
              has the place in the text. Stack 2400 bytes. */
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
   it was. Stack 2200 bytes. */
MPX_API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                             size_t count, mpx_error *err);
/* Give each layer the policy of its path. Errors as mpx_policy_map_get; *wrong (may be NULL) is
   the first layer that has one, and no layer is changed. Stack 2800 bytes. */
MPX_API mpx_status mpx_policy_map_apply(const mpx_policy_map *map, mpx_layer *layers, size_t count,
                                        size_t *wrong);
/* 1 if the filter takes the layer, 0 if not; MPX_ERR_ARGUMENT if the filter has more than one rule;
   what filter->select returned, if negative. NULL takes all. Source: Axon's apply_policy. */
MPX_API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer);
/* Give the policy to all layers that the filter takes, in place of their own. Errors as above; no
   layer is changed then (the filter is asked twice). */
MPX_API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                           const mpx_layer_filter *filter);
#if !MPX_NO_TREE
/* One entry for each floating leaf: its path, and its dtype for all three roles. Paths must outlive
   the walk: those that the struct walker builds do not (MPX_ERR_ARGUMENT; mpx_tree_cast_into with
   MPX_NONE makes a tree whose paths do). Other errors as mpx_policy_map_set; the map then is as it
   was. Stack 2700 bytes. */
MPX_API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                           mpx_tree_error *err);
/* Set `leaves` of all entries: how many floating leaves each decides. 0: the key is misspelt, or
   not for this tree. Stack 3200 bytes. */
MPX_API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                               mpx_tree_error *err);
/* mpx_tree_measure, mpx_tree_cast_into and mpx_tree_cast_in_place, each floating leaf to the dtype
   that the policy of its path has for the role (MPX_ROLE_...); unset roles leave it as it is.
   Refresh a copy with mpx_tree_cast.
   Returns   also MPX_ERR_AMBIGUOUS, or what map->match returned, with the leaf in err;
             MPX_ERR_ARGUMENT for a role that is none. Stack 4300 bytes. */
MPX_API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, int role, mpx_tree tree,
                                          mpx_tree_size *size, mpx_tree_error *err);
#if !MPX_NO_STATS
/* mpx_tree_dry_run of mpx_policy_map_cast_into. Returns also as above. Stack 5700 bytes. */
MPX_API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, int role, mpx_tree tree,
                                          mpx_cast_report *reports, size_t capacity, size_t *count,
                                          mpx_tree_error *err);
#endif
MPX_API mpx_status mpx_policy_map_cast_into(const mpx_policy_map *map, int role, mpx_tree src,
                                            mpx_arena *arena, mpx_tree *out, mpx_tree_error *err);
MPX_API mpx_status mpx_policy_map_cast_in_place(const mpx_policy_map *map, int role, mpx_tree tree,
                                                mpx_tree_error *err);
/* The three verbs: mpx_policy_map_cast_into with the role. Stack 4300 bytes. */
MPX_API mpx_status mpx_policy_map_cast_to_param(const mpx_policy_map *map, mpx_tree src,
                                                mpx_arena *arena, mpx_tree *out,
                                                mpx_tree_error *err);
MPX_API mpx_status mpx_policy_map_cast_to_compute(const mpx_policy_map *map, mpx_tree src,
                                                  mpx_arena *arena, mpx_tree *out,
                                                  mpx_tree_error *err);
MPX_API mpx_status mpx_policy_map_cast_to_output(const mpx_policy_map *map, mpx_tree src,
                                                 mpx_arena *arena, mpx_tree *out,
                                                 mpx_tree_error *err);
#endif
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
   negative, max_scale below scale or not finite, hysteresis negative, misses not within it. The
   others accept any numbers and follow their formulas. */
MPX_API mpx_status mpx_loss_scale_check(mpx_loss_scale s);
/* The scale as a number: 1 for NoOp. */
MPX_API float mpx_loss_scale_value(mpx_loss_scale s);
/* One value: x * scale, x / scale, rounded once. */
MPX_API float mpx_loss_scale_scale(mpx_loss_scale s, float x);
MPX_API float mpx_loss_scale_unscale(mpx_loss_scale s, float x);
/* The next state. grads_finite: of this step, over all ranks. Same bits on every machine (IEEE
   products and quotients in integers). DYNAMIC: finite: if counter == period - 1 and scale * factor
   is finite, scale *= factor; counter = (counter + 1) mod period. Not finite: scale =
   max(min_scale, scale / factor); counter = 0. Source: jmp 0.0.4. Beyond that, for every rule:
   with a maximum the scale grows to it and no further; with a hysteresis of h the scale stays on
   the first h - 1 non-finite steps, counted from the last full period of finite ones, which need
   not follow each other. Source: Megatron-LM's DynamicGradScaler. */
MPX_API mpx_loss_scale mpx_loss_scale_adjust(mpx_loss_scale s, int grads_finite);
/* 1 if a non-finite step cannot lower the scale any more (at min_scale, at zero, Inf or NaN): the
   run diverges for another reason than overflow. Always 0 for NoOp and STATIC. */
MPX_API int mpx_loss_scale_is_stuck(mpx_loss_scale s);
/* The state as bytes for a checkpoint: little-endian, the same on every machine. load returns
   MPX_ERR_STATE, *out untouched, unless all of the MPX_LOSS_SCALE_BYTES are a state that save
   wrote, or all of the 40 that it wrote before there were max_scale and hysteresis. */
MPX_API void mpx_loss_scale_save(mpx_loss_scale s, void *bytes);
MPX_API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out);
/* mpx_scale and mpx_unscale by the scale; jmp's dialect as its field says. Stack 4500 bytes. */
MPX_API mpx_status mpx_loss_scale_scale_n(mpx_loss_scale s, void *dst, mpx_dtype to,
                                          const void *src, mpx_dtype from, size_t n);
MPX_API mpx_status mpx_loss_scale_unscale_n(mpx_loss_scale s, void *dst, mpx_dtype to,
                                            const void *src, mpx_dtype from, size_t n, int *finite);
#if !MPX_NO_TREE
/* mpx_tree_scale and mpx_tree_unscale by the scale; jmp's dialect as its field says. NoOp copies,
   and checks. Stack 5100 bytes. */
MPX_API mpx_status mpx_loss_scale_scale_tree(mpx_loss_scale s, mpx_tree dst, mpx_tree src,
                                             mpx_tree_error *err);
MPX_API mpx_status mpx_loss_scale_unscale_tree(mpx_loss_scale s, mpx_tree dst, mpx_tree src,
                                               int *finite, mpx_tree_error *err);
/* A step: call->evaluate with *scale; unscale the gradients by that same scale; adjust it by
   whether the whole result is finite: gradients, auxiliary values, and for value_and_grad the loss;
   as long as it is not, again with the adjusted scale, redo_on_nan times at most. So a success
   after k failures leaves scale / factor^k; the last result stands, finite or not.
   result    may be NULL. Leaves without a gradient: give trees that mpx_tree_where has filtered
   Returns   what evaluate returned, or mpx_loss_scale_unscale_tree; *scale and *result then are
             untouched, the gradients may be written. Stack 5500 bytes.
   Source    jaxamp 0.0.4, dynamic_scale_grad and dynamic_scale_value_and_grad. */
MPX_API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                       mpx_grad_result *result, mpx_tree_error *err);
MPX_API mpx_status mpx_loss_scale_value_and_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                                 mpx_grad_result *result, mpx_tree_error *err);
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
             names * rules. Stack 512 bytes. */
MPX_API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                               mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer);

/* Enter a scope, leave the innermost. The name must live until then. Here a name is whole: "a/b" is
   one. MPX_ERR_SPACE if the array is full, MPX_ERR_SCOPE if there is none to leave; nothing then
   has changed. */
MPX_API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope);
MPX_API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run);
/* mpx_amp_ask in the active scopes. Stack 512 bytes. */
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
             callback returned; err (may be NULL) names the node, *size is untouched. Stack 768
             bytes. */
MPX_API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_amp_error *err);
/* Where casts go, and what that saves. A value is cast to a dtype once, before the first node that
   needs it; later nodes share that cast. Of a lossless cast of the graph's own (f16 to f32), what
   needs another dtype reads or casts its source; that cast is removed once nothing reads it.
   Results have the dtype of their operands where they had it without AMP (of f16 and bf16: f32),
   else their own.
   memory    size bytes as mpx_amp_plan_size says, any alignment; the plan lives there
   graph     as amp, is read here and by mpx_amp_explain only; rules must live as long as the plan
   Returns   as mpx_amp_plan_size and mpx_amp_ask, and MPX_ERR_STRUCTURE if the callback does not
             answer as before; *plan is untouched. Linear time but for the rules (mpx_amp_ask).
             Stack 1024 bytes and the callback's. */
MPX_API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                      size_t size, mpx_amp_plan *plan, mpx_amp_error *err);
/* The plan as a table: per node a line with its operation, scope, the rule that decided, operands
   (f32>f16: cast), and result; then what is moved. buf, size and the result as snprintf. _node: one
   node's line, without its end; an empty text for one that is not there. Stack 640 bytes. */
MPX_API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
                               size_t size);
MPX_API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                    char *buf, size_t size);
/* "a node reads one that does not come before it: input 1 of node 7"; arguments and result as
   mpx_error_format. */
MPX_API size_t mpx_amp_error_format(const mpx_amp_error *err, char *buf, size_t size);
#endif

#ifdef __cplusplus
}
#endif
/*==========================================================================*
 * MARK: inline - single values: f16, bf16, e4m3fn, e5m2                     *
 *   For code that touches one value; whole buffers go through mpx_cast.     *
 *   Integers only, no branches: a loop over these is vectorised by the      *
 *   compiler, and no floating-point mode matters. Results are mpx_cast's.   *
 *==========================================================================*/

/* Bits of a float that came by value. Under -ffinite-math-only clang folds every test of such bits
   against Inf and NaN (even through memcpy), so there they pass through an empty asm, which the
   optimiser cannot see through. */
MPX__INLINE uint32_t mpx__bits(float x) {
    union { float f; uint32_t u; } pun;
    pun.f = x;
#if defined(__clang__) && defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
    __asm__("" : "+r"(pun.u));
#endif
    return pun.u;
}

MPX__INLINE float mpx__float(uint32_t u) {
    union { uint32_t u; float f; } pun;
    pun.u = u;
    return pun.f;
}

/* The f32 bits u rounded to a format of e exponent and m mantissa bits with IEEE's bias 2^(e-1) -
   1; the code stands in the low bits.

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
    uint32_t more = drop + 1u + (rebias >> 23) - (a >> 23), s = more - 1u > 24u ? 25u : more;
    uint32_t low = (hidden + (1u << (s - 1u)) - 1u + ((hidden >> s) & 1u)) >> s;
    uint32_t code = rebias != 0 && a < rebias + 0x800000u ? low : normal;
    uint32_t nan = has_inf ? inf | 1u << (m - 1) | fraction >> drop : ones;
    return u >> 31 << (e + m) | (a > 0x7f800000u ? nan : code > top ? top : code);
}

/* The f32 bits of a code; always exact. A subnormal code is shifted left (8, 4, 2, 1 places as far
   as it fits) until its leading bit stands where the hidden bit of a normal would, and the exponent
   is lowered by as much. */
MPX__INLINE uint32_t mpx__value(uint32_t code, uint32_t e, uint32_t m, int has_inf) {
    uint32_t drop = 23u - m, exponent = 127u - ((1u << (e - 1)) - 1u), step, u;
    uint32_t ones = (1u << (e + m)) - 1u, inf = ones & ~((1u << m) - 1u), a = code & ones, x = a;
    for (step = 8u; step != 0u; step >>= 1) {
        uint32_t by = x << step >> (m + 1) ? 0u : step;
        x <<= by;
        exponent -= by;
    }
    u = a == 0u ? 0u : (x << drop) + (exponent << 23);
    if (!has_inf) u = a == ones ? 0x7fc00000u : u;
    else if (a >= inf) u = 0x7f800000u | (a > inf ? 0x400000u : 0u) | (a & ~inf) << drop;
    return code >> (e + m) << 31 | u;
}

/* x rounded to the format. `float` by value may lose a signalling NaN's bits (i386); _from_bits
   takes the bits of the float. */
MPX__INLINE uint16_t mpx_f16_from_bits(uint32_t u) { return mpx__round(u, 5, 10, 1) & 0xffffu; }
MPX__INLINE uint16_t mpx_bf16_from_bits(uint32_t u) { return mpx__round(u, 8, 7, 1) & 0xffffu; }
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
/*==========================================================================*
 * MARK: detect - compiler and instruction set                               *
 *   Which instruction set is in use is decided here alone.                  *
 *==========================================================================*/

/* MPX__INLINE: a small function. MPX__FORCE_INLINE: one whose constant arguments must be folded:
   the kernels. MPX__SHARED_INLINE: a large part of many kernels, folded into each of them too, but
   where size counts (-Os) one copy for all. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__INLINE static inline __attribute__((unused))
#define MPX__FORCE_INLINE static inline __attribute__((always_inline, unused))
#define MPX__PRIVATE static __attribute__((unused))
#define MPX__NOINLINE static __attribute__((noinline, unused))
#elif defined(_MSC_VER) /* clang-cl took the branch above */
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static __forceinline
#define MPX__PRIVATE static
#define MPX__NOINLINE static __declspec(noinline)
#pragma warning(push)
/* constant conditions in folded kernels; unreferenced static functions */
#pragma warning(disable : 4127 4505)
#else
#define MPX__INLINE static inline
#define MPX__FORCE_INLINE static inline
#define MPX__PRIVATE static
#define MPX__NOINLINE static
#endif

/* gcc 12 takes what its own AVX-512 intrinsics leave undefined on purpose for a mistake, in C++. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) && defined(__AVX512F__)
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

#ifdef __OPTIMIZE_SIZE__
#define MPX__SHARED_INLINE MPX__INLINE
#else
#define MPX__SHARED_INLINE MPX__FORCE_INLINE
#endif

/* A codec's two functions: MPX__LANES elements at p to f32 bits, and back. */
#define MPX__DECODER(name) MPX__FORCE_INLINE mpx__vu name(const void *p)
#define MPX__ENCODER(name) MPX__FORCE_INLINE void name(void *p, mpx__vu u)

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
#if MPX__HAS_SSE2 && defined(__AVX2__) && \
    ((defined(__F16C__) && defined(__FMA__)) || defined(_MSC_VER))
#define MPX__HAS_AVX2 1
#else
#define MPX__HAS_AVX2 0
#endif
#if MPX__HAS_AVX2 && defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && \
    defined(__AVX512DQ__)
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
#if defined(__riscv_v_fixed_vlen) && __riscv_v_fixed_vlen <= 512 /* no rows for more lanes */
#define MPX__HAS_RVV 1
#else
#define MPX__HAS_RVV 0
#endif

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
/* Plain C for size: one plain loop where another would be faster, and one copy of what compilers
   would rather fold into its callers (MPX__ONCE; and MPX__KEPT, where gcc would call memcpy for a
   struct that it folded). Else the long way of a function is kept apart where the short one would
   pay for its registers (MPX__LONG_WAY). */
#if MPX_ISA == MPX_ISA_SCALAR && defined(__OPTIMIZE_SIZE__) && defined(__GNUC__)
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
/* One instruction rounds a product or quotient of f32 to nearest, always: WebAssembly has no other
   mode, and no flush to zero. Written in assembly, as -ffast-math may do what it likes to C. */
#if defined(__wasm__) && defined(__GNUC__)
#define MPX__NATIVE_F32 1
MPX__INLINE float mpx__native_product(float a, float b) {
    float z;
    __asm__("local.get %1\nlocal.get %2\nf32.mul\nlocal.set %0" : "=r"(z) : "r"(a), "r"(b));
    return z;
}
MPX__INLINE float mpx__native_quotient(float a, float b) {
    float z;
    __asm__("local.get %1\nlocal.get %2\nf32.div\nlocal.set %0" : "=r"(z) : "r"(a), "r"(b));
    return z;
}
#else
#define MPX__NATIVE_F32 0
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

/* A condition that is mostly true: the compiler makes that branch the fall-through. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__LIKELY(x) __builtin_expect((x), 1)
#else
#define MPX__LIKELY(x) (x)
#endif

/* At most 8 bytes. */
MPX__INLINE uint64_t mpx__read_few(const void *p, size_t size) {
    const unsigned char *s = (const unsigned char *)p;
    if (size >= 4) {
        const uint64_t last = mpx__read32(s + size - 4);
        return mpx__read32(s) | last << 8 * (size - 4);
    }
    if (size >= 2) return mpx__read16(s) | (uint32_t)mpx__read16(s + size - 2) << 8 * (size - 2);
    return size != 0 ? *s : 0;
}

/* A fence for the optimiser, so that it does not replace the loops below by calls of memcpy and
   memset. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__KEEP_LOOP() __asm__ __volatile__("" ::: "memory")
#else
#define MPX__KEEP_LOOP() ((void)0)
#endif

/* What is in a vector register stays there. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
#define MPX__KEEP_VALUE(x) __asm__("" : "+x"(x))
#else
#define MPX__KEEP_VALUE(x) ((void)0)
#endif

/* Before loops bound by instruction fetch: depending on their address they can take 1.5 times as
   long (Zen 3). */
#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__))
#define MPX__ALIGN_LOOP() __asm__ __volatile__(".p2align 5")
#else
#define MPX__ALIGN_LOOP() ((void)0)
#endif

/* Before loops that are unrolled so often: gcc at -O2 unrolls none, others do it unasked. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define MPX__UNROLL_TWICE _Pragma("GCC unroll 2")
#define MPX__UNROLL_FOUR_TIMES _Pragma("GCC unroll 4")
#else
#define MPX__UNROLL_TWICE
#define MPX__UNROLL_FOUR_TIMES
#endif

/* Around a sum whose result shows the floating-point modes. Compilers do not know that it depends
   on them: they would move it across a change of modes or merge two such sums, so there is a fence
   before and after, or an operand that is read anew each time. */
#if defined(__GNUC__) || defined(__clang__)
#define MPX__HERE(x) __asm__ __volatile__("" : "+x"(x) : : "memory")
#define MPX__READ_HERE const
#else
#define MPX__HERE(x) ((void)0)
#define MPX__READ_HERE volatile
#endif

/* dst == src is allowed, other overlaps are not; both may be NULL if size is 0. */
#ifdef MPX_MEMCPY
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    if (dst != src && size != 0) MPX_MEMCPY(dst, src, size);
}
#elif MPX__COMPACT
MPX__PRIVATE void mpx__copy(void *dst, const void *src, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (dst == src) return;
    for (; size != 0; size--) {
        *d++ = *s++;
        MPX__KEEP_LOOP();
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
        MPX__KEEP_LOOP();
    }
    for (; size >= 8; size -= 8, d += 8, s += 8) {
        mpx__write64(d, mpx__read64(s));
        MPX__KEEP_LOOP();
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
#else
MPX__PRIVATE void mpx__zero(void *dst, size_t size) {
    unsigned char *d = (unsigned char *)dst;
    for (; size >= 8; size -= 8, d += 8) {
        mpx__write64(d, 0);
        MPX__KEEP_LOOP();
    }
    for (; size != 0; size--) {
        *d++ = 0;
        MPX__KEEP_LOOP();
    }
}
#endif

MPX_API int mpx_version(void) { return MPX_VERSION; }
/*==========================================================================*
 * MARK: carried - the dtypes that this build has: MPX_DTYPES                *
 *   MPX__IF_F64(x) is x where the build has f64, and nothing where not.     *
 *==========================================================================*/
#define MPX__DTYPE_BITS ((MPX_DTYPES) | MPX_WITH_F32)
#if MPX__DTYPE_BITS & ~MPX_WITH_ALL
#error "mpx.h: MPX_DTYPES has bits that are no MPX_WITH_..."
#endif
/* What MPX_DTYPES does not say, and the build has. */
#if (MPX_DTYPES) & MPX_WITH_F32
#define MPX__F32_UNSAID 0
#else
#define MPX__F32_UNSAID MPX_WITH_F32
#endif
/* In #if a misspelt MPX_WITH_... reads as 0: here it is an error. */
enum { MPX__DTYPES_ARE_KNOWN = ((MPX_DTYPES) & 1) == 0 };
#if !MPX_NO_STATS && !(MPX__DTYPE_BITS & MPX_WITH_F64)
#error "mpx.h: statistics need MPX_WITH_F64 among MPX_DTYPES"
#endif

/* 1 where a build has f64; dtypes below a byte; complex ones; dtypes whose significands have more
   than 32 bits. */
#define MPX__HAS_F64 ((MPX__DTYPE_BITS & MPX_WITH_F64) != 0)
#define MPX__HAS_PACKED \
    ((MPX__DTYPE_BITS & (MPX_WITH_F6E2M3FN | MPX_WITH_F6E3M2FN | MPX_WITH_F4E2M1FN | \
                         MPX_WITH_I2 | MPX_WITH_U2 | MPX_WITH_I4 | MPX_WITH_U4)) != 0)
#define MPX__HAS_COMPLEX ((MPX__DTYPE_BITS & (MPX_WITH_C64 | MPX_WITH_C128)) != 0)
#define MPX__HAS_64 ((MPX__DTYPE_BITS & (MPX_WITH_F64 | MPX_WITH_I64 | MPX_WITH_U64)) != 0)

#if MPX__DTYPE_BITS & MPX_WITH_F64
#define MPX__IF_F64(x) x
#else
#define MPX__IF_F64(x)
#endif
#define MPX__IF_F32(x) x /* always: casts meet in it */
#if MPX__DTYPE_BITS & MPX_WITH_F16
#define MPX__IF_F16(x) x
#else
#define MPX__IF_F16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BF16
#define MPX__IF_BF16(x) x
#else
#define MPX__IF_BF16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FN
#define MPX__IF_F8E4M3FN(x) x
#else
#define MPX__IF_F8E4M3FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2
#define MPX__IF_F8E5M2(x) x
#else
#define MPX__IF_F8E5M2(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FNUZ
#define MPX__IF_F8E4M3FNUZ(x) x
#else
#define MPX__IF_F8E4M3FNUZ(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2FNUZ
#define MPX__IF_F8E5M2FNUZ(x) x
#else
#define MPX__IF_F8E5M2FNUZ(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3B11FNUZ
#define MPX__IF_F8E4M3B11FNUZ(x) x
#else
#define MPX__IF_F8E4M3B11FNUZ(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3
#define MPX__IF_F8E4M3(x) x
#else
#define MPX__IF_F8E4M3(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E3M4
#define MPX__IF_F8E3M4(x) x
#else
#define MPX__IF_F8E3M4(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E8M0FNU
#define MPX__IF_F8E8M0FNU(x) x
#else
#define MPX__IF_F8E8M0FNU(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E2M3FN
#define MPX__IF_F6E2M3FN(x) x
#else
#define MPX__IF_F6E2M3FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E3M2FN
#define MPX__IF_F6E3M2FN(x) x
#else
#define MPX__IF_F6E3M2FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F4E2M1FN
#define MPX__IF_F4E2M1FN(x) x
#else
#define MPX__IF_F4E2M1FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BOOL
#define MPX__IF_BOOL(x) x
#else
#define MPX__IF_BOOL(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I2
#define MPX__IF_I2(x) x
#else
#define MPX__IF_I2(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U2
#define MPX__IF_U2(x) x
#else
#define MPX__IF_U2(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I4
#define MPX__IF_I4(x) x
#else
#define MPX__IF_I4(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U4
#define MPX__IF_U4(x) x
#else
#define MPX__IF_U4(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I8
#define MPX__IF_I8(x) x
#else
#define MPX__IF_I8(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U8
#define MPX__IF_U8(x) x
#else
#define MPX__IF_U8(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I16
#define MPX__IF_I16(x) x
#else
#define MPX__IF_I16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U16
#define MPX__IF_U16(x) x
#else
#define MPX__IF_U16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I32
#define MPX__IF_I32(x) x
#else
#define MPX__IF_I32(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U32
#define MPX__IF_U32(x) x
#else
#define MPX__IF_U32(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I64
#define MPX__IF_I64(x) x
#else
#define MPX__IF_I64(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U64
#define MPX__IF_U64(x) x
#else
#define MPX__IF_U64(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C64
#define MPX__IF_C64(x) x
#else
#define MPX__IF_C64(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C128
#define MPX__IF_C128(x) x
#else
#define MPX__IF_C128(x)
#endif
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
        MPX__KEEP_LOOP(); /* else gcc calls strlen */
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

/* Blanks, in ranges: the UTF-8 bytes of the first, and in the lowest byte how many more follow it.
   The set is that of Python's str.strip(), which eformer uses: U+0009..D,
   U+001C..20, U+0085, U+00A0, U+1680, U+2000..200A, U+2028, U+2029, U+202F, U+205F, U+3000. */
static const uint32_t mpx__blanks[] = {
    0x00000904u, 0x00001c04u, 0x00c28500u, 0x00c2a000u, 0xe19a8000u,
    0xe280800au, 0xe280a801u, 0xe280af00u, 0xe2819f00u, 0xe3808000u,
};

/* Bytes of the blank that s begins with, of `left` bytes; 0: none. */
MPX__PRIVATE size_t mpx__blank_size(const char *s, size_t left) {
    uint32_t code = 0;
    size_t n = 0, i;
    while (n < 3 && n < left) {
        code = code << 8 | (unsigned char)s[n++];
        if (code == 0) break; /* NUL is none, whatever follows */
        for (i = 0; i < sizeof mpx__blanks / sizeof mpx__blanks[0]; i++)
            if (code - (mpx__blanks[i] >> 8) <= (mpx__blanks[i] & 0xffu)) return n;
    }
    return 0;
}

/* In place, which takes less stack, and as a value. No blank begins inside another, so one walk
   finds both ends. */
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

/* A buffer being filled as snprintf does: counts what there is to say, keeps what fits. */
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
        err->status = status;
        err->offset = offset;
        err->length = length;
    }
    return status;
}

/* A text being read: by whose rules, and whom to tell where it is wrong. */
typedef struct mpx__parser {
    mpx__slice text;
    mpx_parse_options opt;
    mpx_error *err;
} mpx__parser;

/* Report the word, wherever in the text it stands. */
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
 *   The table, the kernels' dispatch and the tests come from these rows.    *
 *   Adding a dtype: a constant in types.h, a bit in config.h, MPX__IF_ in   *
 *   carried.h, a row here, a codec in codec.h, two kernels in cast.h, rows  *
 *   in interop.h and promote.h, #undefs in outro.h.                         *
 *==========================================================================*/

/* Families of small floats: what the topmost codes mean. */
enum {
    MPX__NOT_FLOAT = 0,
    MPX__IEEE,   /* exponent all ones: Inf and NaN                              */
    MPX__FN,     /* no Inf; all ones: NaN                                       */
    MPX__FNUZ,   /* no Inf, no -0; sign bit alone: NaN                          */
    MPX__FINITE, /* every code is a finite value                                */
    MPX__E8M0    /* an exponent and nothing else; all ones: NaN                 */
};

/* Systems that know a word, for their exact dialects. ANY is the lenient default: all names, short
   names and aliases. */
enum {
    MPX__ANY = 1,
    MPX__JMP = 2,
    MPX__EFORMER = 4,
    MPX__KERAS = 8,
    MPX__AXON = 16,
    MPX__PUT = 32
};
/* Who knows a dtype's name, and who its short name. */
#define MPX__IN_NONE 0, 0
#define MPX__IN_ALL \
    MPX__JMP | MPX__EFORMER | MPX__KERAS | MPX__PUT, MPX__JMP | MPX__EFORMER | MPX__AXON
#define MPX__IN_PUT MPX__PUT, 0
#define MPX__IN_KERAS MPX__KERAS, 0
#define MPX__IN_KERAS_PUT MPX__KERAS | MPX__PUT, 0
#define MPX__IN_KERAS_PUT_EFORMER MPX__KERAS | MPX__PUT | MPX__EFORMER, 0
#define MPX__IN_KERAS_AXON MPX__KERAS, MPX__AXON
#define MPX__IN_AXON 0, MPX__AXON

/* Formats: exponent bits, mantissa bits, bias, family. */
#define MPX__FORMAT_NONE 0, 0, 0, MPX__NOT_FLOAT
#define MPX__FORMAT_F64 11, 52, 1023, MPX__IEEE
#define MPX__FORMAT_F32 8, 23, 127, MPX__IEEE
#define MPX__FORMAT_F16 5, 10, 15, MPX__IEEE
#define MPX__FORMAT_BF16 8, 7, 127, MPX__IEEE
#define MPX__FORMAT_F8E4M3FN 4, 3, 7, MPX__FN
#define MPX__FORMAT_F8E5M2 5, 2, 15, MPX__IEEE
#define MPX__FORMAT_F8E4M3FNUZ 4, 3, 8, MPX__FNUZ
#define MPX__FORMAT_F8E5M2FNUZ 5, 2, 16, MPX__FNUZ
#define MPX__FORMAT_F8E4M3B11FNUZ 4, 3, 11, MPX__FNUZ
#define MPX__FORMAT_F8E4M3 4, 3, 7, MPX__IEEE
#define MPX__FORMAT_F8E3M4 3, 4, 3, MPX__IEEE
#define MPX__FORMAT_F8E8M0FNU 8, 0, 127, MPX__E8M0
#define MPX__FORMAT_F6E2M3FN 2, 3, 1, MPX__FINITE
#define MPX__FORMAT_F6E3M2FN 3, 2, 3, MPX__FINITE
#define MPX__FORMAT_F4E2M1FN 2, 1, 1, MPX__FINITE

/* X(constant, name, short name, kind, bits, format, kernels' stem, systems) */
#define MPX__DTYPES(X) \
    MPX__IF_F64(X(MPX_F64, "float64", "f64", MPX_KIND_FLOAT, 64, MPX__FORMAT_F64, mpx__f64, \
      MPX__IN_ALL)) \
    MPX__IF_F32(X(MPX_F32, "float32", "f32", MPX_KIND_FLOAT, 32, MPX__FORMAT_F32, mpx__f32, \
      MPX__IN_ALL)) \
    MPX__IF_F16(X(MPX_F16, "float16", "f16", MPX_KIND_FLOAT, 16, MPX__FORMAT_F16, mpx__f16, \
      MPX__IN_ALL)) \
    MPX__IF_BF16(X(MPX_BF16, "bfloat16", "bf16", MPX_KIND_FLOAT, 16, MPX__FORMAT_BF16, mpx__bf16, \
      MPX__IN_ALL)) \
    MPX__IF_F8E4M3FN(X(MPX_F8E4M3FN, "float8_e4m3fn", "f8e4m3fn", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E4M3FN, mpx__f8e4m3fn, MPX__IN_KERAS_PUT)) \
    MPX__IF_F8E5M2(X(MPX_F8E5M2, "float8_e5m2", "f8e5m2", MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E5M2, \
      mpx__f8e5m2, MPX__IN_KERAS_PUT_EFORMER)) \
    MPX__IF_F8E4M3FNUZ(X(MPX_F8E4M3FNUZ, "float8_e4m3fnuz", "f8e4m3fnuz", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E4M3FNUZ, mpx__f8e4m3fnuz, MPX__IN_PUT)) \
    MPX__IF_F8E5M2FNUZ(X(MPX_F8E5M2FNUZ, "float8_e5m2fnuz", "f8e5m2fnuz", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E5M2FNUZ, mpx__f8e5m2fnuz, MPX__IN_PUT)) \
    MPX__IF_F8E4M3B11FNUZ(X(MPX_F8E4M3B11FNUZ, "float8_e4m3b11fnuz", "f8e4m3b11fnuz", \
      MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E4M3B11FNUZ, mpx__f8e4m3b11fnuz, MPX__IN_PUT)) \
    MPX__IF_F8E4M3(X(MPX_F8E4M3, "float8_e4m3", "f8e4m3", MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E4M3, \
      mpx__f8e4m3, MPX__IN_NONE)) \
    MPX__IF_F8E3M4(X(MPX_F8E3M4, "float8_e3m4", "f8e3m4", MPX_KIND_FLOAT, 8, MPX__FORMAT_F8E3M4, \
      mpx__f8e3m4, MPX__IN_NONE)) \
    MPX__IF_F8E8M0FNU(X(MPX_F8E8M0FNU, "float8_e8m0fnu", "f8e8m0fnu", MPX_KIND_FLOAT, 8, \
      MPX__FORMAT_F8E8M0FNU, mpx__f8e8m0fnu, MPX__IN_NONE)) \
    MPX__IF_F6E2M3FN(X(MPX_F6E2M3FN, "float6_e2m3fn", "f6e2m3fn", MPX_KIND_FLOAT, 6, \
      MPX__FORMAT_F6E2M3FN, mpx__f6e2m3fn, MPX__IN_NONE)) \
    MPX__IF_F6E3M2FN(X(MPX_F6E3M2FN, "float6_e3m2fn", "f6e3m2fn", MPX_KIND_FLOAT, 6, \
      MPX__FORMAT_F6E3M2FN, mpx__f6e3m2fn, MPX__IN_NONE)) \
    MPX__IF_F4E2M1FN(X(MPX_F4E2M1FN, "float4_e2m1fn", "f4e2m1fn", MPX_KIND_FLOAT, 4, \
      MPX__FORMAT_F4E2M1FN, mpx__f4e2m1fn, MPX__IN_NONE)) \
    MPX__IF_BOOL(X(MPX_BOOL, "bool", "bool", MPX_KIND_BOOL, 8, MPX__FORMAT_NONE, mpx__bool, \
      MPX__IN_KERAS)) \
    MPX__IF_I2(X(MPX_I2, "int2", "i2", MPX_KIND_INT, 2, MPX__FORMAT_NONE, mpx__i2, MPX__IN_NONE)) \
    MPX__IF_U2(X(MPX_U2, "uint2", "u2", MPX_KIND_UINT, 2, MPX__FORMAT_NONE, mpx__u2, \
      MPX__IN_AXON)) \
    MPX__IF_I4(X(MPX_I4, "int4", "i4", MPX_KIND_INT, 4, MPX__FORMAT_NONE, mpx__i4, MPX__IN_NONE)) \
    MPX__IF_U4(X(MPX_U4, "uint4", "u4", MPX_KIND_UINT, 4, MPX__FORMAT_NONE, mpx__u4, \
      MPX__IN_AXON)) \
    MPX__IF_I8(X(MPX_I8, "int8", "i8", MPX_KIND_INT, 8, MPX__FORMAT_NONE, mpx__i8, MPX__IN_KERAS)) \
    MPX__IF_U8(X(MPX_U8, "uint8", "u8", MPX_KIND_UINT, 8, MPX__FORMAT_NONE, mpx__u8, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_I16(X(MPX_I16, "int16", "i16", MPX_KIND_INT, 16, MPX__FORMAT_NONE, mpx__i16, \
      MPX__IN_KERAS)) \
    MPX__IF_U16(X(MPX_U16, "uint16", "u16", MPX_KIND_UINT, 16, MPX__FORMAT_NONE, mpx__u16, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_I32(X(MPX_I32, "int32", "i32", MPX_KIND_INT, 32, MPX__FORMAT_NONE, mpx__i32, \
      MPX__IN_KERAS)) \
    MPX__IF_U32(X(MPX_U32, "uint32", "u32", MPX_KIND_UINT, 32, MPX__FORMAT_NONE, mpx__u32, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_I64(X(MPX_I64, "int64", "i64", MPX_KIND_INT, 64, MPX__FORMAT_NONE, mpx__i64, \
      MPX__IN_KERAS)) \
    MPX__IF_U64(X(MPX_U64, "uint64", "u64", MPX_KIND_UINT, 64, MPX__FORMAT_NONE, mpx__u64, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_C64(X(MPX_C64, "complex64", "c64", MPX_KIND_COMPLEX, 64, MPX__FORMAT_NONE, mpx__none, \
      MPX__IN_KERAS_AXON)) \
    MPX__IF_C128(X(MPX_C128, "complex128", "c128", MPX_KIND_COMPLEX, 128, MPX__FORMAT_NONE, \
      mpx__none, MPX__IN_KERAS_AXON))

/* Array sizes for these words. The preprocessor has no maximum of a list, so the sizes are or-ed
   together, which is an upper bound, and cut to the known longest. */
#define MPX__AT_MOST(bits, most) ((bits) < (most) ? (bits) : (most))
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) | (int)sizeof name
enum { MPX__NAME_SIZE = MPX__AT_MOST(1 MPX__DTYPES(MPX__ROW), 20) };
#undef MPX__ROW
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    | (int)sizeof short_name
enum { MPX__SHORT_NAME_SIZE = MPX__AT_MOST(1 MPX__DTYPES(MPX__ROW), 14) };
#undef MPX__ROW
typedef struct mpx__row {
    char name[MPX__NAME_SIZE], short_name[MPX__SHORT_NAME_SIZE];
    uint8_t kind, bits, exponent_bits, mantissa_bits;
    int16_t bias;
    uint8_t family, name_systems, short_systems, type;
} mpx__row;

#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    { name, short_name, kind, bits, format, systems, constant },
static const mpx__row mpx__rows[] = {
    { "", "", MPX_KIND_NONE, 0, MPX__FORMAT_NONE, MPX__IN_NONE, MPX_NONE }, MPX__DTYPES(MPX__ROW)
};
#undef MPX__ROW
enum { MPX__ROWS = sizeof mpx__rows / sizeof mpx__rows[0] };

/* In #if a name such as MPX_F16 reads as 0: what the compiler makes of MPX_DTYPES must be the bits
   of the rows above. Not seen: a constant that is the number of a bit already named, as MPX_BF16 is
   that of MPX_WITH_F32. */
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    | 1 << (int)constant
enum { MPX__ROW_BITS = (0 MPX__DTYPES(MPX__ROW)) - MPX__F32_UNSAID };
typedef char mpx__MPX_DTYPES_takes_MPX_WITH_names[(MPX_DTYPES) == MPX__ROW_BITS ? 1 : -1];
#undef MPX__ROW

/* Numbers that are no dtype, or none that this build carries, read as the row of MPX_NONE. */
#if MPX__DTYPE_BITS == MPX_WITH_ALL
/* The rows stand in the order of the constants. */
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    MPX__ROW_OF_##constant,
enum { MPX__ROW_OF_MPX_NONE, MPX__DTYPES(MPX__ROW) MPX__ROW_COUNT };
#undef MPX__ROW
#define MPX__ROW(constant, name, short_name, kind, bits, format, stem, systems) \
    &&(int)MPX__ROW_OF_##constant == (int)constant
enum { MPX__ROWS_IN_ORDER = (int)MPX__ROW_COUNT == (int)MPX_DTYPE_COUNT MPX__DTYPES(MPX__ROW) };
typedef char mpx__rows_are_in_order[MPX__ROWS_IN_ORDER ? 1 : -1];
#undef MPX__ROW

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

MPX__INLINE mpx_dtype mpx__type_of(const mpx__row *row) { return (mpx_dtype)row->type; }

MPX_API const char *mpx_dtype_name(mpx_dtype type) { return mpx__row_of(type)->name; }
MPX_API const char *mpx_dtype_short_name(mpx_dtype type) { return mpx__row_of(type)->short_name; }
MPX_API int mpx_dtype_is_floating(mpx_dtype type) {
    return mpx__row_of(type)->kind == MPX_KIND_FLOAT;
}
MPX_API int mpx_dtype_bits(mpx_dtype type) { return mpx__row_of(type)->bits; }

/* Constants where the build has no such dtype. */
MPX__INLINE int mpx__is_f64(mpx_dtype type) { return MPX__HAS_F64 ? type == MPX_F64 : 0; }
MPX__INLINE int mpx__is_packed(mpx_dtype type) {
    return MPX__HAS_PACKED ? mpx_dtype_bits(type) < 8 : 0;
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
    facts.kind = row->kind;
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

/* ---- words ----------------------------------------------------------------------------------- */

/* Words that are neither a name nor a short name, and the systems that know them. Sources: jmp
   0.0.4, eformer 0.0.101 (two tables), Keras 3.15, Nx 0.9; f8_... as safetensors and eformer have
   it; NumPy's typestrings. */
#if MPX_NO_DIALECTS
#define MPX__IF_DIALECTS(x)
#else
#define MPX__IF_DIALECTS(x) x
#endif
#define MPX__ALIASES(X) \
    MPX__IF_F32(X("full", MPX_F32, MPX__ANY | MPX__JMP)) \
    MPX__IF_F16(X("fp16", MPX_F16, MPX__ANY | MPX__PUT)) \
    MPX__IF_F32(X("fp32", MPX_F32, MPX__ANY | MPX__PUT)) \
    MPX__IF_F64(X("fp64", MPX_F64, MPX__ANY | MPX__PUT)) \
    MPX__IF_BF16(MPX__IF_DIALECTS(X("bf16", MPX_BF16, MPX__PUT))) \
    MPX__IF_F8E4M3FN(X("f8_e4m3", MPX_F8E4M3FN, MPX__ANY | MPX__EFORMER)) \
    MPX__IF_F8E4M3FN(MPX__IF_DIALECTS(X("float8_e4m3", MPX_F8E4M3FN, MPX__EFORMER))) \
    MPX__IF_F8E4M3FN(X("f8_e4m3fn", MPX_F8E4M3FN, MPX__ANY)) \
    MPX__IF_F8E4M3FN(X("fp8_e4m3fn", MPX_F8E4M3FN, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E5M2(X("f8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__EFORMER)) \
    MPX__IF_F8E5M2(X("fp8_e5m2", MPX_F8E5M2, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E5M2(MPX__IF_DIALECTS(X("fp8", MPX_F8E5M2, MPX__PUT))) \
    MPX__IF_F8E5M2(MPX__IF_DIALECTS(X("f8", MPX_F8E5M2, MPX__AXON))) \
    MPX__IF_F8E4M3FNUZ(X("f8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY)) \
    MPX__IF_F8E4M3FNUZ(X("fp8_e4m3fnuz", MPX_F8E4M3FNUZ, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E5M2FNUZ(X("f8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY)) \
    MPX__IF_F8E5M2FNUZ(X("fp8_e5m2fnuz", MPX_F8E5M2FNUZ, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E4M3B11FNUZ(X("fp8_e4m3b11fnuz", MPX_F8E4M3B11FNUZ, MPX__ANY | MPX__PUT)) \
    MPX__IF_F8E8M0FNU(X("f8_e8m0", MPX_F8E8M0FNU, MPX__ANY)) \
    MPX__IF_I32(X("int", MPX_I32, MPX__ANY | MPX__KERAS)) \
    MPX__IF_I2(X("s2", MPX_I2, MPX__ANY | MPX__AXON)) \
    MPX__IF_I4(X("s4", MPX_I4, MPX__ANY | MPX__AXON)) \
    MPX__IF_I8(X("s8", MPX_I8, MPX__ANY | MPX__AXON)) \
    MPX__IF_I16(X("s16", MPX_I16, MPX__ANY | MPX__AXON)) \
    MPX__IF_I32(X("s32", MPX_I32, MPX__ANY | MPX__AXON)) \
    MPX__IF_I64(X("s64", MPX_I64, MPX__ANY | MPX__AXON)) \
    MPX__IF_F64(X("<f8", MPX_F64, MPX__ANY)) \
    MPX__IF_F32(X("<f4", MPX_F32, MPX__ANY)) \
    MPX__IF_F16(X("<f2", MPX_F16, MPX__ANY)) \
    MPX__IF_BOOL(X("|b1", MPX_BOOL, MPX__ANY)) \
    MPX__IF_I8(X("|i1", MPX_I8, MPX__ANY)) \
    MPX__IF_U8(X("|u1", MPX_U8, MPX__ANY)) \
    MPX__IF_I16(X("<i2", MPX_I16, MPX__ANY)) \
    MPX__IF_U16(X("<u2", MPX_U16, MPX__ANY)) \
    MPX__IF_I32(X("<i4", MPX_I32, MPX__ANY)) \
    MPX__IF_U32(X("<u4", MPX_U32, MPX__ANY)) \
    MPX__IF_I64(X("<i8", MPX_I64, MPX__ANY)) \
    MPX__IF_U64(X("<u8", MPX_U64, MPX__ANY)) \
    MPX__IF_C64(X("<c8", MPX_C64, MPX__ANY)) \
    MPX__IF_C128(X("<c16", MPX_C128, MPX__ANY))

#define MPX__WORD(word, dtype, systems) | (int)sizeof word
enum { MPX__ALIAS_SIZE = MPX__AT_MOST(0 MPX__ALIASES(MPX__WORD), 18) };
#undef MPX__WORD
typedef struct mpx__alias {
    char word[MPX__ALIAS_SIZE];
    uint8_t dtype, systems;
} mpx__alias;
#define MPX__WORD(word, dtype, systems) { word, dtype, systems },
static const mpx__alias mpx__aliases[] = { MPX__ALIASES(MPX__WORD) };
#undef MPX__WORD

/* Words that mean different things in different systems: refused, with what to say instead. fp4
   might be read as a misspelt fp64. */
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
    return dialect >= MPX_DIALECT_ANY && dialect <= MPX_DIALECT_EFORMER_PUT;
}

/* Is it one that this build reads and prints? */
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
           : dialect == MPX_DIALECT_KERAS       ? (unsigned)MPX__KERAS
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
    size_t i;
    word = mpx__without_package(word, system);
    if ((system & (MPX__ANY | MPX__JMP | MPX__EFORMER)) != 0 && mpx__is_word(word, "half", fold))
        return mpx__row_of(opt->half != MPX_NONE ? opt->half : MPX_F16)->type;
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if (mpx__knows(system, mpx__aliases[i].systems) &&
            mpx__is_word(word, mpx__aliases[i].word, fold))
            return mpx__aliases[i].dtype;
    for (i = 1; i < MPX__ROWS; i++) {
        const mpx__row *row = &mpx__rows[i];
        int by_name = ((row->name_systems | MPX__ANY) & system) != 0,
            by_short_name = ((row->short_systems | MPX__ANY) & system) != 0;
        if ((by_name && mpx__is_word(word, row->name, fold)) ||
            (by_short_name && mpx__is_word(word, row->short_name, fold)))
            return row->type;
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

/* ---- statuses and sentences ------------------------------------------------------------------ */

MPX_API const char *mpx_status_string(mpx_status status) {
    switch (status) {
    case MPX_OK: return "ok";
    case MPX_ERR_ARGUMENT: return "bad argument";
    case MPX_ERR_DTYPE: return "unknown or unusable dtype";
    case MPX_ERR_KEY: return "unknown key";
    case MPX_ERR_MISSING_EQUALS: return "missing '='";
    case MPX_ERR_EXTRA_EQUALS: return "more than one '='";
    case MPX_ERR_EMPTY: return "empty text";
    case MPX_ERR_SYNTAX: return "malformed text";
    case MPX_ERR_SPACE: return "not enough space";
    case MPX_ERR_STRUCTURE: return "structures differ";
    case MPX_ERR_NOT_FLOATING: return "not floating";
    case MPX_ERR_FIXED_DTYPE: return "dtype cannot be changed";
    case MPX_ERR_DEPTH: return "nested too deeply";
    case MPX_ERR_CALLBACK: return "callback failed";
    case MPX_ERR_STATE: return "not a saved state";
    case MPX_ERR_PAIR: return "not one mode and one source";
    case MPX_ERR_MODE: return "unknown quantization mode";
    case MPX_ERR_NUMBER: return "not a whole number";
    case MPX_ERR_RANGE: return "number out of range";
    case MPX_ERR_UNSUPPORTED: return "unsupported source";
    case MPX_ERR_SCOPE: return "no scope to leave";
    case MPX_ERR_CYCLE: return "a node reads one that does not come before it";
    case MPX_ERR_RULE: return "not a rule";
    case MPX_ERR_PRECISION: return "unknown or unusable precision";
    case MPX_ERR_PATTERN: return "unusable pattern";
    case MPX_ERR_EXISTS: return "key exists already";
    case MPX_ERR_MISSING: return "no such key";
    case MPX_ERR_AMBIGUOUS: return "several patterns match";
    case MPX_ERR_QUOTE: return "quote is not closed";
    case MPX_ERR_ORDER: return "setting after an entry";
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

#define MPX__EXPECTED_DTYPE \
    "; expected a dtype such as f32" MPX__IF_BF16(", bf16") MPX__IF_F16(", f16") \
        MPX__IF_F8E4M3FN(", f8e4m3fn") MPX__IF_F8E5M2(", f8e5m2") ", or full" MPX__IF_F16(", half")

/* What stands before the place, on its line; empty without a text. */
MPX__PRIVATE mpx__slice mpx__line_before(const char *word, size_t offset) {
    mpx__slice line = mpx__slice_of(word, 0);
    while (word != NULL && line.n < offset && line.s[-1] != '\n') {
        line.s--;
        line.n++;
    }
    return line;
}

/* What is wrong with a quantized policy, and what was expected. */
#if !MPX_NO_KERAS
MPX__PRIVATE void mpx__put_quantized_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    const char *what = mpx_status_string(err->status), *wanted = "";
    const mpx__slice before = mpx__line_before(word.s, err->offset);
    switch (err->status) {
    case MPX_ERR_PAIR: wanted = "; expected one '_from_', as in int8_from_float32"; break;
    case MPX_ERR_MODE:
        wanted = "; expected int8, int4, int4/128, float8, gptq/4/128 or awq/4/128";
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
#else
MPX__INLINE void mpx__put_quantized_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__put_place(out, mpx_status_string(err->status), word, err->offset);
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
    const char *one = found != NULL ? mpx_dtype_short_name(found->instead) : "",
               *two = found != NULL ? mpx_dtype_short_name(found->other) : "",
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
    mpx__put(out, MPX__EXPECTED_DTYPE);
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
#else
MPX__INLINE void mpx__put_precision_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__put_place(out, mpx_status_string(err->status), word, err->offset);
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

MPX_API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size) {
    mpx__printer out;
    mpx__slice word = mpx__slice_of(NULL, 0);
    if (text != NULL) word = mpx__slice_of(text + err->offset, err->length);
    mpx__print_to(&out, buf, size);
    switch (err->status) {
    case MPX_ERR_DTYPE: mpx__put_dtype_error(&out, word, err); break;
    case MPX_ERR_EMPTY:
        if (err->length != 0) /* the '=' of a line in a map */
            mpx__put_place(&out, "missing key before", word, err->offset);
        else if (err->offset != 0)
            mpx__put_place(&out, "missing policy", word, err->offset);
        else
            mpx__put(&out, "empty text");
        if (err->length == 0) mpx__put(&out, MPX__EXPECTED_DTYPE);
        break;
    case MPX_ERR_KEY:
        mpx__put_place(&out, err->length != 0 ? "unknown key" : "missing key", word, err->offset);
        mpx__put(&out, "; expected p, c or o (param, compute, output)");
        break;
    case MPX_ERR_MISSING_EQUALS:
        mpx__put_place(&out, err->length != 0 ? "missing '=' in" : "empty part", word, err->offset);
        mpx__put(&out, "; expected key=dtype");
        break;
    case MPX_ERR_EXTRA_EQUALS:
        mpx__put_place(&out, "unexpected", word, err->offset);
        mpx__put(&out, "; expected one '=' in a part; parts end at ',', in <...> at blanks");
        break;
    case MPX_ERR_SYNTAX: mpx__put_syntax_error(&out, word, err); break;
    case MPX_ERR_PAIR:
    case MPX_ERR_MODE:
    case MPX_ERR_NUMBER:
    case MPX_ERR_RANGE:
    case MPX_ERR_UNSUPPORTED: mpx__put_quantized_error(&out, word, err); break;
    case MPX_ERR_RULE:
        mpx__put_place(&out, err->length != 0 ? "not a rule:" : "missing key", word, err->offset);
        mpx__put(&out, "; expected default, operation=precision or scope:name=precision");
        break;
    case MPX_ERR_PRECISION: mpx__put_precision_error(&out, word, err); break;
    case MPX_ERR_PATTERN: mpx__put_pattern_error(&out, word, err); break;
    case MPX_ERR_ARGUMENT: mpx__put_argument_error(&out, word, err); break;
    default:
        if (err->length != 0)
            mpx__put_place(&out, mpx_status_string(err->status), word, err->offset);
        else
            mpx__put(&out, mpx_status_string(err->status));
        break;
    }
    return out.length;
}
/*==========================================================================*
 * MARK: simd_scalar - the vocabulary, one lane                              *
 *   What codec.h is written in. Every ISA has a file with these names; this *
 *   one is plain C. A vu is MPX__LANES unsigned 32-bit lanes; comparisons   *
 *   give all ones or zero per lane. Functions of one or two lines.          *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_SCALAR
#define MPX__LANES 1
#define MPX__ISA_NAME "scalar"

/* What an ISA has beyond codecs and loops. Other rooms ask for these, never for its name.
   NATIVE_F16   conversion instructions for f16: mpx__dec_f16, mpx__enc_f16 and, for fast_wide,
                mpx__f16_pair and mpx__load_e5m2
   HAS_BYTES_AS_F16 (if defined) bytes of other formats are widened by way of f16 too, see
                fast_small.h
   F16_IN_ENV   and they want to be between mpx__env_enter and leave
   NATIVE_BF16  mpx__bf16_pair is right for NaN too, between them
   HAS_FLOAT    float arithmetic as IEEE has it in the modes of mpx__env_enter, and so the words
                below "float products" of the other files: fast_small, fast_wide, scale_rows
   HAS_JOIN     mpx__join4, split4, join6, split6: codes of four and six bits, see pack.h
   HAS_LOOKUP   tables of 16 bytes
   HAS_MXCSR    x86's control word: float_env.h knows how to enter and leave
   HAS_ENV      another one: mpx__env, mpx__env_enter and leave are in the ISA's file
   HAS_MODES_DIFFER (if defined) and mpx__modes_differ too, see float_env.h
   HAS_STREAM   stores past the caches: mpx__store_past, fence, prefetch
   HAS_STAGE    (if defined) mpx__stage of its own, see loop.h
   HAS_STORE_HALF (if defined) mpx__store_half_of_f64; f16 too is stored by halves, see fast_wide.h
   HAS_MAX_MAGNITUDE (if defined) mpx__max_magnitude of its own: below 2^31, see finite.h
   HAS_LARGEST_LANE (if defined) mpx__largest_lane of its own, of what is below 2^31, see amax.h
   HAS_LARGEST_HALF (if defined) mpx__largest_half of its own, of what is below 2^15, see amax.h
   HAS_BF16_PAIR (if defined) mpx__bf16_pair of its own, see fast_wide.h
   HAS_UPPER_WORDS (if defined) mpx__upper_words: two vectors' upper halves in any order, see
                fast_wide.h
   HAS_WORDS_AT (if defined) mpx__upper_words_at, mpx__lower_words_at, mpx__bf16_of_words, see
                fast_wide.h
   HAS_NAN_IN_BLOCK (if defined) mpx__nan_in_block of its own, between enter and leave, see
                fast_wide.h
   HAS_WIDENING_LOADS (if defined) words that widen from memory of its own: mpx__f64_of_f32_at, see
                fast_wide.h, and mpx__f64_of_i32_at, see fast_int.h
   HAS_CLIPPED8 (if defined) mpx__load_clipped8 of its own, see fast_int.h
   HAS_F32_OF_U32 (if defined) mpx__f32_of_u32 of its own, see fast_int.h
   HAS_FROM_I64 (if defined) mpx__f64_of_i64_at, mpx__f32_of_i64_at: by instructions for them, of a
                vector's numbers in memory, rounded once, see fast_int.h
   HAS_PACK32   (if defined) mpx__pack32 of its own, see fast_int.h
   HAS_TRUNCATE64 (if defined) mpx__truncate64: f64 toward zero, see fast_int.h
   LOSES_NAN    (if defined) mpx__f64_of_f32 is not for NaN
   HAS_QUIET_NAN (if defined) mpx__quiet_nan_in of its own, see fast_wide.h
   HAS_OF_BYTES (if defined) mpx__of_bytes: 16 bytes from registers, see loop.h
   HAS_ODD      (if defined) mpx__odd_f32_of_f64 of its own, for the whole range, see float_env.h
   HAS_ROUND_MAGNITUDE (if defined) mpx__round_magnitude of its own, see codec.h
   FEW_BY_KERNEL (if defined) below how many elements one kernel alone is faster, see fast.h
   HAS_OWN_ROWS rows in a file of its own instead of fast_small's narrowing and fast_wide */
#define MPX__NATIVE_F16 0
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_FLOAT 0
#define MPX__HAS_JOIN 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0

typedef uint32_t mpx__vu;

/* Memory: elements of 8, 16, 32 bits, widened to lanes with zeros, narrowed by dropping the upper
   bits. */
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) { return *(const unsigned char *)p; }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return mpx__read16(p); }
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return mpx__read32(p); }
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) { *(unsigned char *)p = (unsigned char)v; }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) { mpx__write16(p, (uint16_t)v); }
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { mpx__write32(p, v); }
/* Elements of 64 bits (uint64_t, native byte order), their low and high halves apart. */
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    uint64_t x = mpx__read64(p);
    *low = (uint32_t)x;
    *high = (uint32_t)(x >> 32);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__write64(p, (uint64_t)high << 32 | low);
}

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
/* Per-lane counts, 0 to 31. */
/* Told not to look: vectorised for SSE2, clang makes a conversion to integers of a shift to the
   left, and that raises flags. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
#if defined(__clang__) && defined(__SSE2__)
    __asm__("" : "+r"(n));
#endif
    return a << n;
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
/* Unsigned comparisons and what follows from them. */
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return a > b ? 0xffffffffu : 0u; }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return a == b ? 0xffffffffu : 0u; }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return a < b ? a : b; }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return a > b ? a : b; }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
/* mask ? a : b, bit by bit. */
#if MPX__COMPACT /* lanes are all ones or zero: a branch is smaller */
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) { return mask ? a : b; }
#else
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return (a & mask) | (b & ~mask);
}
#endif
/* Is any bit of any lane set? */
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return a != 0; }

/* The f32 bits of an integer below 2^24: exact. Other ISAs use their conversion instruction, not
   (float)x, which compilers expand in ways that depend on the rounding mode. Written without float
   arithmetic, which cores without an FPU would call a library for: the leading one is moved to bit
   23 in steps of 16, 8, 4, 2, 1, the exponent falls by as much. */
#if MPX__NATIVE_F32
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__bits((float)(int32_t)a); }
#elif MPX__COMPACT
MPX__ONCE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    uint32_t exponent = 127u + 23u;
    if (a == 0) return 0;
    for (; a < 0x800000u; exponent--)
        a <<= 1;
    return (a & 0x7fffffu) | exponent << 23;
}
#else
MPX__SHARED_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    uint32_t m = a, exponent = 127u + 23u, step;
    for (step = 16; step != 0; step >>= 1) {
        uint32_t by = m >> (24u - step) != 0 ? 0u : step;
        m <<= by;
        exponent -= by;
    }
    return a != 0 ? (m & 0x7fffffu) | exponent << 23 : 0u;
}
#endif

/* The same of an integer between -2^24 and 2^24, in two's complement. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    uint32_t negative = a >> 31;
    return mpx__f32_of_u24(negative != 0 ? 0u - a : a) | negative << 31;
}

/* 32 bits hold two lanes of 16: for what needs no widening. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) {
    return ((a & 0xffffu) + (b & 0xffffu)) % 0x10000u + ((a & 0xffff0000u) + (b & 0xffff0000u));
}
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__max(a & 0xffffu, b & 0xffffu) | mpx__max(a & 0xffff0000u, b & 0xffff0000u);
}

#endif /* MPX_ISA_SCALAR */
/*==========================================================================*
 * MARK: simd_sse2 - the vocabulary, four lanes                              *
 *   SSE2 alone, which every x86-64 has: unsigned comparisons, minimum,      *
 *   shifts by lane and narrowing stores take a few instructions each.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_SSE2
#define MPX__LANES 4
#define MPX__ISA_NAME "sse2"
#define MPX__NATIVE_F16 0
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 0
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 1
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 1
#define MPX__HAS_OWN_ROWS 0

typedef __m128i mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm_and_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm_or_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm_xor_si128(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm_sub_epi32(a, b); }
/* By the products of two lanes that there are: of the even ones, and of the odd ones. */
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) {
    mpx__vu even = _mm_mul_epu32(a, b),
            odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return _mm_slli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return _mm_srli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return _mm_cmpeq_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    mpx__vu top = mpx__set(0x80000000u);
    return _mm_cmpgt_epi32(mpx__xor(a, top), mpx__xor(b, top));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__or(mpx__and(mask, a), _mm_andnot_si128(mask, b));
}
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), b, a);
}
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) {
    return mpx__select(mpx__gt(a, b), a, b);
}
/* Of magnitudes below 2^31; and what is right in the upper half of a lane alone. The largest
   lane. */
#define MPX__HAS_MAX_MAGNITUDE 1
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) {
    return mpx__select(_mm_cmpgt_epi32(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
#define MPX__HAS_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    a = mpx__max_magnitude(a, _mm_shuffle_epi32(a, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(mpx__max_magnitude(a, _mm_shuffle_epi32(a, 0xb1)));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff;
}

/* Lane i of ci, for i = 0 to 3. Told not to look: clang sees a shift by lane in it, and makes one
   of float instructions, which raise flags. */
MPX__FORCE_INLINE mpx__vu mpx__diagonal(mpx__vu c0, mpx__vu c1, mpx__vu c2, mpx__vu c3) {
#if defined(__clang__)
    __asm__("" : "+x"(c0), "+x"(c1), "+x"(c2), "+x"(c3));
#endif
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(c0, _mm_srli_si128(c1, 4)),
                              _mm_unpackhi_epi32(c2, _mm_srli_si128(c3, 4)));
}
/* All lanes by each lane's count, which must stand alone in the lower half of a register. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
    mpx__vu zero = _mm_setzero_si128(), lo = _mm_unpacklo_epi32(n, zero),
            hi = _mm_unpackhi_epi32(n, zero);
    return mpx__diagonal(_mm_sll_epi32(a, lo), _mm_sll_epi32(a, _mm_srli_si128(lo, 8)),
                         _mm_sll_epi32(a, hi), _mm_sll_epi32(a, _mm_srli_si128(hi, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    mpx__vu zero = _mm_setzero_si128(), lo = _mm_unpacklo_epi32(n, zero),
            hi = _mm_unpackhi_epi32(n, zero);
    return mpx__diagonal(_mm_srl_epi32(a, lo), _mm_srl_epi32(a, _mm_srli_si128(lo, 8)),
                         _mm_srl_epi32(a, hi), _mm_srl_epi32(a, _mm_srli_si128(hi, 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return _mm_castps_si128(_mm_cvtepi32_ps(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    mpx__vu zero = _mm_setzero_si128();
    return _mm_unpacklo_epi16(
        _mm_unpacklo_epi8(_mm_cvtsi32_si128((int)mpx__read32(p)), zero), zero);
}
#define MPX__HAS_OF_BYTES 1
MPX__FORCE_INLINE mpx__vu mpx__of_bytes(uint64_t low, uint64_t high) {
    return _mm_set_epi64x((int64_t)high, (int64_t)low);
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
/* The packing instructions saturate as signed numbers: bit 15 is spread over the upper half
   first. */
MPX__FORCE_INLINE mpx__vu mpx__words(mpx__vu v) {
    v = _mm_srai_epi32(_mm_slli_epi32(v, 16), 16);
    return _mm_packs_epi32(v, v);
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    _mm_storel_epi64((__m128i *)p, mpx__words(v));
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    v = mpx__words(mpx__and(v, mpx__set(0xff)));
    mpx__write32(p, (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(v, v)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm_storeu_si128((__m128i *)p, v); }
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    __m128 a = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)p)),
           b = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)p + 1));
    *low = _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88));
    *high = _mm_castps_si128(_mm_shuffle_ps(a, b, 0xdd));
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    _mm_storeu_si128((__m128i *)p, _mm_unpacklo_epi32(low, high));
    _mm_storeu_si128((__m128i *)p + 1, _mm_unpackhi_epi32(low, high));
}

/* Float products and quotients, in the modes of mpx__env_enter. The division in assembly: under
   -ffast-math compilers make an approximation of the intrinsic. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_mul_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    __asm__("divps {%1, %0|%0, %1}" : "+x"(a) : "x"(by->value));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    return _mm_castps_si128(_mm_div_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(by->value)));
}
#endif
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(mpx__fmul(a, b)), _mm_castsi128_ps(c)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_max_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_min_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}

/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { /* of lanes below 2^15 */
    return _mm_max_epi16(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi16(a, b); }
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm_madd_epi16(a, b); }
/* Lanes of 16 to the right by a count from 1 to 15, known early: as products. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm_mulhi_epu16(a, n); }
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set(1u << 16 | 1u << n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return mpx__dot16s(mpx__and(a, mpx__set(0xffff0000u | mask)), w);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi8(a, b); }

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. In order
   already. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm_packus_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) { return a; }
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__pack16s(mpx__pack32s(a, b), mpx__pack32s(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)p), _mm_setzero_si128());
}
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
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
/* The halves of two vectors' lanes of 64. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
    *low = _mm_castps_si128(_mm_shuffle_ps(x, y, 0x88));
    *high = _mm_castps_si128(_mm_shuffle_ps(x, y, 0xdd));
}

/* Lanes with a NaN in one or the other, none of them signalling. In assembly: under -ffast-math
   compilers take for granted that there is none. */
#define MPX__HAS_QUIET_NAN 1
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    __asm__("cmpunordps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_cmpunord_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
#endif

/* Past the caches or not. */
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    if (stream)
        _mm_stream_si128((__m128i *)p, v);
    else
        mpx__store32(p, v);
}
/* What went past them is in order with other threads' reads after the fence only. */
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 16 codes, 12 bytes; two
   are made twelve bits, four 24, eight 48, all of them 96. */
MPX__FORCE_INLINE mpx__vu mpx__nibble_pairs(mpx__vu codes) {
    return mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
}
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    return mpx__pack16(mpx__nibble_pairs(a), mpx__nibble_pairs(b));
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu four = mpx__set(0x0f0f0f0fu), even = mpx__and(a, four),
            odd = mpx__and(mpx__shr(a, 4), four);
    *low = _mm_unpacklo_epi8(even, odd);
    *high = _mm_unpackhi_epi8(even, odd);
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    const mpx__vu even = _mm_set_epi32(0, -1, 0, -1);
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    v = mpx__or(mpx__and(v, even), _mm_srli_epi64(_mm_andnot_si128(even, v), 8));
    return mpx__or(_mm_move_epi64(v), _mm_slli_si128(_mm_srli_si128(v, 8), 6));
}
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    const mpx__vu even = _mm_set_epi32(0, 0xffffff, 0, 0xffffff);
    v = _mm_unpacklo_epi64(v, _mm_srli_si128(v, 6));
    v = mpx__or(mpx__and(v, even), _mm_andnot_si128(even, _mm_slli_epi64(v, 8)));
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

/* Of signed lanes, of 32 bits and of 16. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return _mm_srai_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return _mm_cmpgt_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return _mm_cmpeq_epi16(a, b); }

/* The upper halves of two vectors' lanes. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__and(a, _mm_cmpgt_epi32(a, _mm_setzero_si128()));
}
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__and(a, _mm_cmpgt_epi8(a, _mm_setzero_si128()));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return mpx__and(mpx__or(a, _mm_srai_epi32(a, 31)), mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm_sub_epi16(a, _mm_subs_epu16(a, mpx__set(0x7fff7fffu)));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], __m128i a) {
    __m128i sign = _mm_cmpgt_epi16(_mm_setzero_si128(), a);
    v[0] = _mm_unpacklo_epi16(a, sign);
    v[1] = _mm_unpackhi_epi16(a, sign);
}
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], __m128i a) {
    v[0] = _mm_unpacklo_epi16(a, _mm_setzero_si128());
    v[1] = _mm_unpackhi_epi16(a, _mm_setzero_si128());
}
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    __m128i a = mpx__load32(p), sign = _mm_cmpgt_epi8(_mm_setzero_si128(), a);
    mpx__unpack_signed16(v, _mm_unpacklo_epi8(a, sign));
    mpx__unpack_signed16(v + 2, _mm_unpackhi_epi8(a, sign));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    __m128i a = mpx__load32(p), zero = _mm_setzero_si128();
    mpx__unpack_unsigned16(v, _mm_unpacklo_epi8(a, zero));
    mpx__unpack_unsigned16(v + 2, _mm_unpackhi_epi8(a, zero));
}

MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    __m128i a = mpx__load32(p), sign = _mm_cmpgt_epi8(_mm_setzero_si128(), a);
    v[0] = _mm_unpacklo_epi8(a, sign);
    v[1] = _mm_unpackhi_epi8(a, sign);
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    __m128i a = mpx__load32(p);
    v[0] = _mm_unpacklo_epi8(a, _mm_setzero_si128());
    v[1] = _mm_unpackhi_epi8(a, _mm_setzero_si128());
}

/* f32 truncated; NaN and what does not fit become -2^31 (in other files they may saturate, NaN to
   0). */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) {
    return _mm_cvttps_epi32(_mm_castsi128_ps(a));
}
/* Integers of 32 bits without a sign, rounded once: their high halves above 2^39, less 2^39 and
   2^23, and their low halves above 2^23: two conversions and a product less. In assembly as above,
   for the order. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fsub(mpx__vu a, mpx__vu b) {
    __asm__("subps {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fsub(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_sub_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b)));
}
#endif
#define MPX__HAS_F32_OF_U32 1
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u32(mpx__vu a) {
    mpx__vu low = mpx__or(mpx__and(a, mpx__set(0xffff)), mpx__set(0x4b000000u)),
            high = mpx__or(mpx__shr(a, 16), mpx__set(0x53000000u));
    high = mpx__fsub(high, mpx__set(0x53000080u));
    return _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(high), _mm_castsi128_ps(low)));
}
/* Two vectors of f64 to one of f32. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm_set1_epi64x((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    return _mm_castps_si128(_mm_movelh_ps(_mm_cvtpd_ps(_mm_castsi128_pd(a)),
                                          _mm_cvtpd_ps(_mm_castsi128_pd(b))));
}
/* And back, exact. */
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    __m128 a = _mm_castsi128_ps(u);
    v[0] = _mm_castpd_si128(_mm_cvtps_pd(a));
    v[1] = _mm_castpd_si128(_mm_cvtps_pd(_mm_movehl_ps(a, a)));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = _mm_castpd_si128(_mm_cvtepi32_pd(a));
    v[1] = _mm_castpd_si128(_mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a)));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    return _mm_unpacklo_epi64(_mm_cvttpd_epi32(_mm_castsi128_pd(a)),
                              _mm_cvttpd_epi32(_mm_castsi128_pd(b)));
}
/* Integers of 64 bits, one by one: half as long again is the best way by vectors (Zen 5). */
#if defined(__x86_64__) || defined(_M_X64)
#define MPX__HAS_FROM_I64 1
MPX__FORCE_INLINE int64_t mpx__i64_at(const unsigned char *p) { return (int64_t)mpx__read64(p); }
MPX__FORCE_INLINE mpx__vu mpx__f64_of_i64_at(const unsigned char *p) {
    __m128d zero = _mm_setzero_pd();
    return _mm_castpd_si128(_mm_unpacklo_pd(_mm_cvtsi64_sd(zero, mpx__i64_at(p)),
                                            _mm_cvtsi64_sd(zero, mpx__i64_at(p + 8))));
}
MPX__FORCE_INLINE __m128 mpx__two_f32_of_i64(const unsigned char *p) {
    __m128 zero = _mm_setzero_ps();
    return _mm_unpacklo_ps(_mm_cvtsi64_ss(zero, mpx__i64_at(p)),
                           _mm_cvtsi64_ss(zero, mpx__i64_at(p + 8)));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i64_at(const unsigned char *p) {
    return _mm_castps_si128(_mm_movelh_ps(mpx__two_f32_of_i64(p), mpx__two_f32_of_i64(p + 16)));
}
#endif
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return _mm_srli_epi64(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm_shuffle_epi32(_mm_srai_epi32(a, 31), 0xf5);
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    __asm__("addpd {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    return _mm_castpd_si128(_mm_add_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b)));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return _mm_castpd_si128(_mm_mul_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b)));
}
/* In assembly as above. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    __asm__("divpd {%1, %0|%0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    return _mm_castpd_si128(_mm_div_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b)));
}
#endif

#endif /* MPX_ISA_SSE2 */
/*==========================================================================*
 * MARK: simd_avx2 - the vocabulary, eight lanes                             *
 *   AVX2 with F16C and FMA: x86-64-v3, all of Haswell, Zen and later.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX2
#define MPX__LANES 8
#define MPX__ISA_NAME "avx2"
#define MPX__NATIVE_F16 1
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 1
#define MPX__F16_IN_ENV MPX_KEEP_FLAGS
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 1
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 1
#define MPX__HAS_OWN_ROWS 0

typedef __m256i mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm256_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm256_and_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm256_or_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm256_xor_si256(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm256_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm256_sub_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return _mm256_mullo_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return _mm256_slli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return _mm256_srli_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return _mm256_sllv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return _mm256_srlv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return _mm256_min_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return _mm256_max_epu32(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return _mm256_cmpeq_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    mpx__vu top = mpx__set(0x80000000u);
    return _mm256_cmpgt_epi32(mpx__xor(a, top), mpx__xor(b, top));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm256_blendv_epi8(b, a, mask);
}
#define MPX__HAS_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    __m128i x = _mm_max_epu32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xb1)));
}
/* The one instruction that looks across lanes finds the least of 16 bits. */
#define MPX__HAS_LARGEST_HALF 1
MPX__FORCE_INLINE uint32_t mpx__largest_half(mpx__vu a) {
    __m128i x = _mm_max_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    x = _mm_minpos_epu16(_mm_xor_si128(x, _mm_set1_epi32(-1)));
    return ~(uint32_t)_mm_cvtsi128_si32(x) & 0xffffu;
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return !_mm256_testz_si256(a, a); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return _mm256_castps_si256(_mm256_cvtepi32_ps(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
}
/* The first 16 bytes; then zeros. */
#define MPX__HAS_OF_BYTES 1
MPX__FORCE_INLINE mpx__vu mpx__of_bytes(uint64_t low, uint64_t high) {
    return _mm256_set_epi64x(0, 0, (int64_t)high, (int64_t)low);
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
/* Packing works within each half of the register, so the halves are packed against each other. */
MPX__FORCE_INLINE __m128i mpx__words(mpx__vu v) {
    v = mpx__and(v, mpx__set(0xffff));
    return _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    _mm_storeu_si128((__m128i *)p, mpx__words(v));
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    __m128i w = mpx__words(mpx__and(v, mpx__set(0xff)));
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(w, w));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm256_storeu_si256((__m256i *)p, v); }
/* Shuffles work within each half of the register as well. */
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    __m256 a = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)p)),
           b = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)p + 1));
    *low = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xd8);
    *high = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)), 0xd8);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__vu a = _mm256_unpacklo_epi32(low, high), b = _mm256_unpackhi_epi32(low, high);
    _mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)p + 1, _mm256_permute2x128_si256(a, b, 0x31));
}

/* A constant that stays in its register: gcc makes it anew in each round of a loop that calls
   something, of three instructions. */
MPX__FORCE_INLINE mpx__vu mpx__kept(mpx__vu constant) {
    MPX__KEEP_VALUE(constant);
    return constant;
}

/* F16C: five times the codec. Both keep subnormals and NaN payloads whatever MXCSR says, but raise
   flags. */
MPX__DECODER(mpx__dec_f16) {
    return _mm256_castps_si256(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)));
}
MPX__ENCODER(mpx__enc_f16) {
    _mm_storeu_si128((__m128i *)p,
                     _mm256_cvtps_ph(_mm256_castsi256_ps(u), _MM_FROUND_TO_NEAREST_INT));
}
/* 32 codes of e5m2, the upper bytes of f16. NaN is made quiet first, and so raises nothing. */
MPX__FORCE_INLINE void mpx__two_of_e5m2(mpx__vu v[2], __m128i codes) {
    __m128i zero = _mm_setzero_si128();
    v[0] = _mm256_castps_si256(_mm256_cvtph_ps(_mm_unpacklo_epi8(zero, codes)));
    v[1] = _mm256_castps_si256(_mm256_cvtph_ps(_mm_unpackhi_epi8(zero, codes)));
}
MPX__FORCE_INLINE void mpx__load_e5m2(mpx__vu v[4], const void *p) {
    mpx__vu codes = mpx__load32(p), magnitude = mpx__and(codes, mpx__set(0x7f7f7f7fu));
    mpx__vu nan = _mm256_cmpgt_epi8(magnitude, mpx__set(0x7c7c7c7cu));
    codes = mpx__or(codes, mpx__and(nan, mpx__set(0x02020202u)));
    mpx__two_of_e5m2(v, _mm256_castsi256_si128(codes));
    mpx__two_of_e5m2(v + 2, _mm256_extracti128_si256(codes, 1));
}
/* 16 codes with an exponent of at most four bits and m of a mantissa, not Inf or NaN, as f16 with
   the same fields. */
#define MPX__HAS_BYTES_AS_F16 1
MPX__FORCE_INLINE void mpx__load_bytes_as_f16(mpx__vu v[2], const void *p, int m) {
    const uint32_t fields = 0x8000u | 0x7fu << (10 - m);
    mpx__vu words = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
    words = mpx__and(_mm256_slli_epi16(words, 10 - m), mpx__kept(mpx__set(fields * 0x10001u)));
    v[0] = _mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(words)));
    v[1] = _mm256_castps_si256(_mm256_cvtph_ps(_mm256_extracti128_si256(words, 1)));
}

/* Two vectors to one. */
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    __m128i low = _mm256_cvtps_ph(_mm256_castsi256_ps(a), _MM_FROUND_TO_NEAREST_INT),
            high = _mm256_cvtps_ph(_mm256_castsi256_ps(b), _MM_FROUND_TO_NEAREST_INT);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Float products and quotients, in the modes of mpx__env_enter. The division in assembly: under
   -ffast-math compilers make an approximation of the intrinsic. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    __asm__("vdivps {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(by->value));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    return _mm256_castps_si256(
        _mm256_div_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(by->value)));
}
#endif
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return _mm256_castps_si256(_mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                                               _mm256_castsi256_ps(c)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) { return _mm256_max_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) { return _mm256_min_epi32(a, b); }

/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm256_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return _mm256_sub_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return _mm256_max_epu16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm256_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm256_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi16(a, b); }
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm256_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm256_mullo_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return _mm256_madd_epi16(a, b); }
/* Lanes of 16 to the right by a count from 1 to 15, known early: as products. */
typedef mpx__vu mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) {
    return mpx__set((1u << (16 - n)) * 0x10001u);
}
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return _mm256_mulhi_epu16(a, n); }
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set(1u << 16 | 1u << n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return mpx__dot16s(mpx__and(a, mpx__set(0xffff0000u | mask)), w);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm256_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return _mm256_min_epu8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi8(a, b); }

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. Packing
   works within each half of the register, so what has been packed once or twice is put in order at
   the end. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) { return _mm256_packs_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) { return _mm256_packs_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) { return _mm256_packus_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return _mm256_permute4x64_epi64(a, 0xd8); }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) {
    return _mm256_permutevar8x32_epi32(a, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) {
    const mpx__vu by_turns = _mm256_broadcastsi128_si256(
        _mm_set_epi8(15, 14, 7, 6, 13, 12, 5, 4, 11, 10, 3, 2, 9, 8, 1, 0));
    return _mm256_shuffle_epi8(mpx__packed_once(a), by_turns);
}
/* From signed to unsigned, of lanes of 32 bits: one instruction; others have it from mpx__pack32s,
   in seven. */
#define MPX__HAS_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) { return _mm256_packus_epi32(a, b); }
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__pack16s(mpx__pack32s(a, b), mpx__pack32s(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. That works
   within each half of the register: what will be paired once or twice is put in order before. */
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
/* The halves of two vectors' lanes of 64, as if packed once. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
    *low = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88));
    *high = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd));
}
/* A table of 16 bytes; its entry for each byte, which is below 16; zero where one from 16 to 127
   is. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return _mm256_shuffle_epi8(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return _mm256_shuffle_epi8(table, _mm256_add_epi8(i, mpx__set(0x70707070u)));
}

/* Lanes with a NaN in one or the other, none of them signalling. In assembly: under -ffast-math
   compilers take for granted that there is none. */
#define MPX__HAS_QUIET_NAN 1
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    __asm__("vcmpunordps {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) {
    __m256 nan = _mm256_cmp_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _CMP_UNORD_Q);
    return _mm256_castps_si256(nan);
}
#endif

/* Past the caches or not. */
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    if (stream)
        _mm256_stream_si256((__m256i *)p, v);
    else
        mpx__store32(p, v);
}
/* What went past them is in order with other threads' reads after the fence only. */
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 32 codes, 24 bytes;
   each half of the register has 12 of them. */
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    mpx__vu weights = mpx__set(0x10011001u);
    a = _mm256_packus_epi16(_mm256_maddubs_epi16(a, weights), _mm256_maddubs_epi16(b, weights));
    return mpx__packed_once(a);
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu four = mpx__set(0x0f0f0f0fu), even, odd;
    a = _mm256_permute4x64_epi64(a, 0xd8);
    even = mpx__and(a, four), odd = mpx__and(mpx__shr(a, 4), four);
    *low = _mm256_unpacklo_epi8(even, odd);
    *high = _mm256_unpackhi_epi8(even, odd);
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    const mpx__vu three_of_four = _mm256_broadcastsi128_si256(
        _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
    v = _mm256_maddubs_epi16(v, mpx__set(0x40014001u));
    v = _mm256_shuffle_epi8(mpx__dot16s(v, mpx__set(0x10000001u)), three_of_four);
    return _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(7, 3, 6, 5, 4, 2, 1, 0));
}
/* Words with two codes each, from bit 0 and from bit 4 on: the former are moved to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    const mpx__vu overlapping = _mm256_broadcastsi128_si256(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    v = _mm256_permutevar8x32_epi32(v, _mm256_set_epi32(6, 5, 4, 3, 3, 2, 1, 0));
    v = mpx__mul16(_mm256_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(mpx__shr(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(mpx__shr(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

/* Of signed lanes, of 32 bits and of 16. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return _mm256_srai_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return _mm256_cmpgt_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return _mm256_cmpeq_epi16(a, b); }

/* The upper halves of two vectors' lanes: in order, and by turns; the lower ones. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
}
#define MPX__HAS_UPPER_WORDS 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(mpx__shr(a, 16), b, 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words(mpx__vu a, mpx__vu b) {
    return _mm256_blend_epi16(a, mpx__shl(b, 16), 0xaa);
}
/* The same of two vectors in memory: loads of one word further on, or back, instead of shifts. */
#define MPX__HAS_WORDS_AT 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p + 2), mpx__load32(p + 32), 0xaa);
}
MPX__FORCE_INLINE mpx__vu mpx__lower_words_at(const unsigned char *p) {
    return _mm256_blend_epi16(mpx__load32(p), mpx__load32(p + 30), 0xaa);
}
/* Two vectors to one of bf16, to nearest even: one more where the lower half is above a half, or is
   one and the upper half odd; if it is even, the lower half less one tells, but not less than zero.
   In words, and in those from memory, f32 to bf16 takes 2/3 of the time (Zen 3). */
MPX__FORCE_INLINE mpx__vu mpx__bf16_of_words(mpx__vu upper, mpx__vu lower) {
    const mpx__vu one = mpx__kept(mpx__set(0x10001u)),
                  one_then_other = mpx__kept(_mm256_broadcastsi128_si256(_mm_set_epi8(
                      15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0)));
    mpx__vu up = _mm256_subs_epu16(lower, _mm256_andnot_si256(upper, one)); /* where negative */
    upper = _mm256_sub_epi16(upper, mpx__gt16s(mpx__set(0), up));
    return mpx__packed_once(_mm256_shuffle_epi8(upper, one_then_other));
}
#define MPX__HAS_BF16_PAIR 1
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__bf16_of_words(mpx__upper_words(a, b), mpx__lower_words(a, b));
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return _mm256_max_epi32(a, _mm256_setzero_si256());
}
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return _mm256_max_epi8(a, _mm256_setzero_si256());
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) { return mpx__min(a, mpx__set(0x7fffffffu)); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return _mm256_min_epu16(a, mpx__set(0x7fff7fffu));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    v[0] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
    v[1] = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p + 1));
}
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    a = mpx__to_pair_once(a);
    mpx__pair16(a, _mm256_cmpgt_epi16(_mm256_setzero_si256(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], mpx__vu a) {
    mpx__pair16(mpx__to_pair_once(a), _mm256_setzero_si256(), v, v + 1);
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
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
/* Sixteen bytes, in both halves of the register, as lanes of 32: half the loads. */
MPX__FORCE_INLINE mpx__vu mpx__sixteen_at(const unsigned char *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p));
}
MPX__FORCE_INLINE void mpx__unpack_sixteen(mpx__vu v[2], mpx__vu a) {
    const mpx__vu first = _mm256_set_epi8(-1, -1, -1, 7, -1, -1, -1, 6, -1, -1, -1, 5, -1, -1, -1,
                                          4, -1, -1, -1, 3, -1, -1, -1, 2, -1, -1, -1, 1, -1, -1,
                                          -1, 0);
    v[0] = _mm256_shuffle_epi8(a, first);
    v[1] = _mm256_shuffle_epi8(a, mpx__add(first, mpx__set(8)));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    mpx__unpack_sixteen(v, mpx__sixteen_at(s));
    mpx__unpack_sixteen(v + 2, mpx__sixteen_at(s + 16));
}
#define MPX__HAS_CLIPPED8 1
MPX__FORCE_INLINE void mpx__load_clipped8(mpx__vu v[4], const void *p) {
    const unsigned char *s = (const unsigned char *)p;
    const mpx__vu zero = _mm256_setzero_si256();
    mpx__unpack_sixteen(v, _mm256_max_epi8(mpx__sixteen_at(s), zero));
    mpx__unpack_sixteen(v + 2, _mm256_max_epi8(mpx__sixteen_at(s + 16), zero));
}

MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__to_pair_once(mpx__load32(p));
    mpx__pair8(a, _mm256_cmpgt_epi8(_mm256_setzero_si256(), a), v, v + 1);
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    mpx__pair8(mpx__to_pair_once(mpx__load32(p)), _mm256_setzero_si256(), v, v + 1);
}

/* f32 truncated; NaN and what does not fit become -2^31 (in other files they may saturate, NaN to
   0). */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) {
    return _mm256_cvttps_epi32(_mm256_castsi256_ps(a));
}
/* Two vectors of f64 to one of f32. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm256_set1_epi64x((int64_t)x); }
MPX__FORCE_INLINE __m128 mpx__half_of_f64(mpx__vu a) {
    return _mm256_cvtpd_ps(_mm256_castsi256_pd(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    return _mm256_castps_si256(_mm256_insertf128_ps(
        _mm256_castps128_ps256(mpx__half_of_f64(a)), mpx__half_of_f64(b), 1));
}
/* One to half of one, stored: to join two takes half as long again, of f16 too (Zen 3). */
#define MPX__HAS_STORE_HALF 1
MPX__FORCE_INLINE void mpx__store_half_of_f64(void *p, mpx__vu a) {
    _mm_storeu_ps((float *)p, mpx__half_of_f64(a));
}
/* And back, exact. */
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    __m256 a = _mm256_castsi256_ps(u);
    v[0] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm256_castps256_ps128(a)));
    v[1] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)));
}
/* From memory: two thirds of the time (Zen 3). */
#define MPX__HAS_WIDENING_LOADS 1
MPX__FORCE_INLINE void mpx__f64_of_f32_at(mpx__vu v[2], const unsigned char *p) {
    const float *f = (const float *)(const void *)p;
    v[0] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm_loadu_ps(f)));
    v[1] = _mm256_castpd_si256(_mm256_cvtps_pd(_mm_loadu_ps(f + 4)));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm256_castsi256_si128(a)));
    v[1] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1)));
}
MPX__FORCE_INLINE void mpx__f64_of_i32_at(mpx__vu v[2], const unsigned char *p) {
    const __m128i *i = (const __m128i *)(const void *)p;
    v[0] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm_loadu_si128(i)));
    v[1] = _mm256_castpd_si256(_mm256_cvtepi32_pd(_mm_loadu_si128(i + 1)));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    __m128i low = _mm256_cvttpd_epi32(_mm256_castsi256_pd(a)),
            high = _mm256_cvttpd_epi32(_mm256_castsi256_pd(b));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return _mm256_srli_epi64(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return _mm256_add_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return _mm256_sub_epi64(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
}
/* Toward zero: one instruction instead of six. */
#define MPX__HAS_TRUNCATE64 1
MPX__FORCE_INLINE mpx__vu mpx__truncate64(mpx__vu a) {
    __m256d x = _mm256_castsi256_pd(a);
    return _mm256_castpd_si256(_mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    __asm__("vaddpd {%1, %0, %0|%0, %0, %1}" : "+x"(a) : "x"(b));
    return a;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    return _mm256_castpd_si256(_mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return _mm256_castpd_si256(_mm256_mul_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
/* In assembly as above. */
#if defined(__GNUC__)
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    mpx__vu q;
    __asm__("vdivpd {%2, %1, %0|%0, %1, %2}" : "=x"(q) : "x"(a), "x"(b));
    return q;
}
#else
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    return _mm256_castpd_si256(_mm256_div_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
}
#endif

#endif /* MPX_ISA_AVX2 */
/*==========================================================================*
 * MARK: simd_avx512 - the vocabulary, sixteen lanes                         *
 *   AVX-512 F, BW, VL, DQ: x86-64-v4. A comparison's mask register becomes  *
 *   a vector again (vpmovm2d), so that codecs know one kind of mask.        *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
#define MPX__LANES 16
#define MPX__ISA_NAME "avx512"
#define MPX__NATIVE_F16 1
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 1
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 1
#define MPX__HAS_STREAM 1
#define MPX__HAS_OWN_ROWS 1

typedef __m512i mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return _mm512_set1_epi32((int)x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return _mm512_and_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return _mm512_or_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return _mm512_xor_si512(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return _mm512_add_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return _mm512_sub_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return _mm512_mullo_epi32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return _mm512_sllv_epi32(a, n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return _mm512_srlv_epi32(a, n); }
/* By a count per lane too: the form with an immediate does not compile without optimisation. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return mpx__shlv(a, mpx__set((uint32_t)n)); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return mpx__shrv(a, mpx__set((uint32_t)n)); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return _mm512_min_epu32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return _mm512_max_epu32(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epu32_mask(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return _mm512_ternarylogic_epi32(mask, a, b, 0xca);
}
#define MPX__HAS_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) { return _mm512_reduce_max_epu32(a); }
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return _mm512_test_epi32_mask(a, a) != 0; }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return _mm512_castps_si512(_mm512_cvtepi32_ps(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return _mm512_loadu_si512(p); }
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(v));
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(v));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { _mm512_storeu_si512(p, v); }
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    mpx__vu a = _mm512_loadu_si512(p), b = _mm512_loadu_si512((const unsigned char *)p + 64);
    mpx__vu even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    *low = _mm512_permutex2var_epi32(a, even, b);
    *high = _mm512_permutex2var_epi32(a, mpx__or(even, mpx__set(1)), b);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__vu first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    mpx__vu second = mpx__or(first, mpx__set(8));
    _mm512_storeu_si512(p, _mm512_permutex2var_epi32(low, first, high));
    _mm512_storeu_si512((unsigned char *)p + 64, _mm512_permutex2var_epi32(low, second, high));
}

/* See fast.h. */
#define MPX__FEW_BY_KERNEL 128

/* A call for one element takes 4 ns less than by words, for which a vector load has to wait. */
#define MPX__HAS_STAGE 1
MPX__FORCE_INLINE void mpx__stage(void *in, const void *src, size_t size) {
    const unsigned char *s = (const unsigned char *)src;
    unsigned char *d = (unsigned char *)in;
    __mmask64 low = size < 64 ? ((__mmask64)1 << size) - 1 : ~(__mmask64)0;
    __mmask64 high = size > 64 ? ((__mmask64)1 << (size - 64)) - 1 : 0;
    _mm512_storeu_si512(d, _mm512_maskz_loadu_epi8(low, s));
    _mm512_storeu_si512(d + 64, high != 0 ? _mm512_maskz_loadu_epi8(high, s + 64)
                                          : _mm512_setzero_si512());
}
/* Read as wide as it was written: what is wider waits for the cache. */
MPX__FORCE_INLINE void mpx__unstage(void *dst, const void *out, size_t size, size_t all) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)out;
    __mmask64 low = size < 64 ? ((__mmask64)1 << size) - 1 : ~(__mmask64)0;
    if (all == 16)
        _mm_mask_storeu_epi8(d, (__mmask16)low, _mm_loadu_si128((const __m128i *)out));
    else if (all == 32)
        _mm256_mask_storeu_epi8(d, (__mmask32)low, _mm256_loadu_si256((const __m256i *)out));
    else
        _mm512_mask_storeu_epi8(d, low, _mm512_loadu_si512(s));
    if (all > 64) /* else it never was, but gcc 12 at -O1 does not know */
        if (size > 64)
            _mm512_mask_storeu_epi8(d + 64, ((__mmask64)1 << (size - 64)) - 1,
                                    _mm512_loadu_si512(s + 64));
}

/* Five times the codec. Told to raise no flags: in assembly, as gcc 12 does not pass
   that on. */
#if defined(__GNUC__)
MPX__FORCE_INLINE __m256i mpx__f16_of(mpx__vu u) {
    __m256i h;
    __asm__("vcvtps2ph {$0, %{sae%}, %1, %0|%0, %1, %{sae%}, 0}" : "=v"(h) : "v"(u));
    return h;
}
#else
MPX__FORCE_INLINE __m256i mpx__f16_of(mpx__vu u) {
    return _mm512_cvt_roundps_ph(_mm512_castsi512_ps(u),
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#endif
MPX__DECODER(mpx__dec_f16) {
    return _mm512_castps_si512(
        _mm512_cvt_roundph_ps(_mm256_loadu_si256((const __m256i *)p), _MM_FROUND_NO_EXC));
}
MPX__ENCODER(mpx__enc_f16) { _mm256_storeu_si256((__m256i *)p, mpx__f16_of(u)); }

/* Float instructions here say their rounding themselves and raise no flags: only flushing to zero
   is in their way, MXCSR's bits 0x8040. */
#define MPX__NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
typedef unsigned mpx__env; /* MXCSR, if those bits were set; else 0 */
/* Whether they are set tells a sum of subnormals, which is not 0 only if neither operands nor
   results are flushed: sooner than MXCSR itself. */
#define MPX__HAS_MODES_DIFFER 1
MPX__FORCE_INLINE int mpx__modes_differ(void) {
    MPX__READ_HERE int one = 1;
    __m128 x = _mm_castsi128_ps(_mm_cvtsi32_si128(one));
    MPX__HERE(x);
    x = _mm_add_round_ss(x, x, MPX__NEAREST);
    MPX__HERE(x);
    return _mm_cvtsi128_si32(_mm_castps_si128(x)) == 0;
}
MPX__FORCE_INLINE mpx__env mpx__env_enter(void) {
    mpx__env saved = 0;
    if (mpx__modes_differ()) {
        saved = _mm_getcsr();
        _mm_setcsr(saved & ~0x8040u);
    }
    MPX__KEEP_LOOP();
    return saved;
}
MPX__FORCE_INLINE void mpx__env_leave(mpx__env saved) {
    MPX__KEEP_LOOP();
    if (saved != 0) _mm_setcsr(saved);
}

/* Float products and quotients, between mpx__env_enter and leave. */
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return _mm512_castps_si512(
        _mm512_mul_round_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), MPX__NEAREST));
}

/* See codec.h; by one fma, which mpx__narrow (fast_avx512.h) explains. Inf and NaN come out larger
   than any code, as they should. Calls for few elements, and what rows leave, take half. */
#define MPX__HAS_ROUND_MAGNITUDE 1
MPX__FORCE_INLINE mpx__vu mpx__round_magnitude(mpx__vu a, int man_bits, int bias) {
    mpx__vu unit = mpx__set((uint32_t)(127 + man_bits - 23) << 23);
    mpx__vu least = mpx__set((uint32_t)(128 - bias) << 23), s;
    s = _mm512_castps_si512(_mm512_fmadd_round_ps(
        _mm512_castsi512_ps(a), _mm512_castsi512_ps(unit),
        _mm512_castsi512_ps(mpx__max(mpx__and(a, mpx__set(0x7f800000u)), least)), MPX__NEAREST));
    return mpx__sub(mpx__add(mpx__and(s, mpx__set(0xffff)), mpx__shr(s, 23 - man_bits)),
                    mpx__set((uint32_t)(128 - bias) << man_bits));
}

typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    return _mm512_castps_si512(_mm512_div_round_ps(
        _mm512_castsi512_ps(a), _mm512_castsi512_ps(by->value), MPX__NEAREST));
}
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b));
}
/* Two vectors of f64 to one of f32, and back, exact; products and quotients of f64. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return _mm512_set1_epi64((int64_t)x); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    __m256 low = _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(a), MPX__NEAREST);
    __m256 high = _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(b), MPX__NEAREST);
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_castps_si256(low)),
                              _mm256_castps_si256(high), 1);
}
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    __m256 low = _mm256_castsi256_ps(_mm512_castsi512_si256(u));
    __m256 high = _mm256_castsi256_ps(_mm512_extracti64x4_epi64(u, 1));
    v[0] = _mm512_castpd_si512(_mm512_cvt_roundps_pd(low, _MM_FROUND_NO_EXC));
    v[1] = _mm512_castpd_si512(_mm512_cvt_roundps_pd(high, _MM_FROUND_NO_EXC));
}
/* Integers of 32 bits to f64, exact. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = _mm512_castpd_si512(_mm512_cvtepi32_pd(_mm512_castsi512_si256(a)));
    v[1] = _mm512_castpd_si512(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(a, 1)));
}
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    return _mm512_castpd_si512(
        _mm512_add_round_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), MPX__NEAREST));
}
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return _mm512_castpd_si512(
        _mm512_mul_round_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), MPX__NEAREST));
}
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    return _mm512_castpd_si512(
        _mm512_div_round_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), MPX__NEAREST));
}
/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return _mm512_add_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return _mm512_max_epu16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return _mm512_max_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return _mm512_min_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b));
}
/* A sum that saturates, and the lower half of a product. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return _mm512_adds_epi16(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return _mm512_mullo_epi16(a, b); }
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return _mm512_add_epi8(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return _mm512_movm_epi8(_mm512_cmpgt_epi8_mask(a, b));
}

/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}
/* Pairs of lanes of 8 or 16, the lower half of each from a: as one twice as wide. That works
   within quarters of the register: what will be paired once or twice is put in order before. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
}
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) {
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), a);
}
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi8(a, b);
    *high = _mm512_unpackhi_epi8(a, b);
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = _mm512_unpacklo_epi16(a, b);
    *high = _mm512_unpackhi_epi16(a, b);
}
/* A table of 16 bytes; its entry for each byte, which is below 16; zero where one from 16 to 127
   is. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return _mm512_shuffle_epi8(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return _mm512_shuffle_epi8(table, _mm512_add_epi8(i, mpx__set(0x70707070u)));
}

/* Past the caches or not. */
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    if (stream)
        _mm512_stream_si512((__m512i *)p, v);
    else
        mpx__store32(p, v);
}
/* What went past them is in order with other threads' reads after the fence only. */
MPX__FORCE_INLINE void mpx__fence(void) { _mm_sfence(); }
MPX__FORCE_INLINE void mpx__prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 64 codes, 48 bytes. */
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    mpx__vu weights = mpx__set(0x10011001u);
    a = _mm512_packus_epi16(_mm512_maddubs_epi16(a, weights), _mm512_maddubs_epi16(b, weights));
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu four = mpx__set(0x0f0f0f0fu), even, odd;
    a = _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
    even = mpx__and(a, four), odd = mpx__and(_mm512_srli_epi16(a, 4), four);
    *low = _mm512_unpacklo_epi8(even, odd);
    *high = _mm512_unpackhi_epi8(even, odd);
}
/* Three of four bytes: by one permutation, or within quarters of the register, then those. */
#ifdef __AVX512VBMI__
MPX__FORCE_INLINE mpx__vu mpx__three_of_four(mpx__vu v) {
    return _mm512_permutexvar_epi8(
        _mm512_set_epi32(0, 0, 0, 0, 0x3e3d3c3a, 0x39383635, 0x34323130, 0x2e2d2c2a, 0x29282625,
                         0x24222120, 0x1e1d1c1a, 0x19181615, 0x14121110, 0x0e0d0c0a, 0x09080605,
                         0x04020100),
        v);
}
#else
MPX__FORCE_INLINE mpx__vu mpx__three_of_four(mpx__vu v) {
    const mpx__vu within = _mm512_broadcast_i32x4(
        _mm_set_epi8(-1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0));
    return _mm512_permutexvar_epi32(
        _mm512_set_epi32(15, 11, 7, 3, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0),
        _mm512_shuffle_epi8(v, within));
}
#endif
/* By way of lanes of 24 bits. */
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    v = _mm512_maddubs_epi16(v, mpx__set(0x40014001u));
    return mpx__three_of_four(_mm512_madd_epi16(v, mpx__set(0x10000001u)));
}
/* Words with two codes each, from bit 0 and from bit 4 on: the former are moved to bit 4. */
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    const mpx__vu overlapping = _mm512_broadcast_i32x4(
        _mm_set_epi8(11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 3, 2, 1, 1, 0));
    v = _mm512_permutexvar_epi32(
        _mm512_set_epi32(12, 11, 10, 9, 9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0), v);
    v = _mm512_mullo_epi16(_mm512_shuffle_epi8(v, overlapping), mpx__set(0x10010u));
    return mpx__or(mpx__and(_mm512_srli_epi16(v, 4), mpx__set(0x3f003fu)),
                   mpx__and(_mm512_srli_epi16(v, 2), mpx__set(0x3f003f00u)));
}

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
/*==========================================================================*
 * MARK: simd_neon - the vocabulary, four lanes                              *
 *   Every AArch64, and ARMv7 with NEON. Floats on AArch64 alone: what ARMv7 *
 *   does with them flushes subnormals and loses NaN, whatever the modes.    *
 *   Little-endian: detect.h gives big-endian Arm the plain C.               *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_NEON
#define MPX__LANES 4
#define MPX__ISA_NAME "neon"
#define MPX__HAS_JOIN 1
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0
#ifdef __aarch64__
#define MPX__NATIVE_F16 1
#define MPX__F16_IN_ENV 1
#define MPX__HAS_FLOAT 1
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_ENV 1
#else
#define MPX__NATIVE_F16 0
#define MPX__F16_IN_ENV 0
#define MPX__HAS_FLOAT 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_ENV 0
#endif
/* BFCVTN does as the codec does where the modes are those of mpx__env_enter: to nearest even,
   subnormals kept, NaN quiet with sign and payload. */
#if defined(__aarch64__) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define MPX__NATIVE_BF16 1
#else
#define MPX__NATIVE_BF16 0
#endif

typedef uint32x4_t mpx__vu;

MPX__FORCE_INLINE uint8x16_t mpx__as_u8(mpx__vu a) { return vreinterpretq_u8_u32(a); }
MPX__FORCE_INLINE uint16x8_t mpx__as_u16(mpx__vu a) { return vreinterpretq_u16_u32(a); }
MPX__FORCE_INLINE int32x4_t mpx__as_s32(mpx__vu a) { return vreinterpretq_s32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u8(uint8x16_t a) { return vreinterpretq_u32_u8(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u16(uint16x8_t a) { return vreinterpretq_u32_u16(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s32(int32x4_t a) { return vreinterpretq_u32_s32(a); }

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return vdupq_n_u32(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return vandq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return vorrq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return veorq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return vaddq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return vsubq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return vmulq_u32(a, b); }
/* Operators, not intrinsics: of a constant count compilers make the shift by an immediate. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return a << n; }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return a << mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return a >> mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return vceqq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return vcgtq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return vminq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return vmaxq_u32(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return vbslq_u32(mask, a, b);
}
#ifdef __aarch64__
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return vmaxvq_u32(a) != 0; }
#else
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    uint32x2_t half = vorr_u32(vget_low_u32(a), vget_high_u32(a));
    return vget_lane_u32(vpmax_u32(half, half), 0) != 0;
}
#endif
/* ARMv7 too converts integers that fit exactly, whatever the modes. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    return vreinterpretq_u32_f32(vcvtq_f32_u32(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return vreinterpretq_u32_f32(vcvtq_f32_s32(mpx__as_s32(a)));
}

/* By bytes: for them alone is no alignment assumed. */
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return mpx__of_u8(vld1q_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE uint16x4_t mpx__four_words(const void *p) {
    return vreinterpret_u16_u8(vld1_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return vmovl_u16(mpx__four_words(p)); }
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(mpx__read32(p)));
    return vmovl_u16(vget_low_u16(vmovl_u8(bytes)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { vst1q_u8((uint8_t *)p, mpx__as_u8(v)); }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_u16(vmovn_u32(v)));
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    uint16x4_t words = vmovn_u32(v);
    uint8x8_t bytes = vmovn_u16(vcombine_u16(words, words));
    mpx__write32(p, vget_lane_u32(vreinterpret_u32_u8(bytes), 0));
}
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    uint32x4x2_t v = vuzpq_u32(mpx__load32(p), mpx__load32((const uint8_t *)p + 16));
    *low = v.val[0];
    *high = v.val[1];
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    uint32x4x2_t v = vzipq_u32(low, high);
    mpx__store32(p, v.val[0]);
    mpx__store32((uint8_t *)p + 16, v.val[1]);
}

/* 32 bits hold two lanes of 16: for what needs no widening. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vaddq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vmaxq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}

/* A table of 16 bytes; its entry for each byte, zero for 16 and more. */
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

/* Codes of four and six bits, one per byte, with one another and back. Six: 16 codes, 12 bytes; two
   are made twelve bits, four 24 in a lane, from which its three bytes are gathered. */
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    uint8x16x2_t v = vuzpq_u8(mpx__as_u8(a), mpx__as_u8(b));
    return mpx__of_u8(vsliq_n_u8(v.val[0], v.val[1], 4));
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    uint8x16_t codes = mpx__as_u8(a);
    uint8x16x2_t v = vzipq_u8(vandq_u8(codes, vdupq_n_u8(15)), vshrq_n_u8(codes, 4));
    *low = mpx__of_u8(v.val[0]);
    *high = mpx__of_u8(v.val[1]);
}
/* Sixteen places, the first ones lowest. */
MPX__FORCE_INLINE mpx__vu mpx__places(uint64_t low, uint64_t high) {
    return mpx__of_u8(vcombine_u8(vcreate_u8(low), vcreate_u8(high)));
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shr(v, 2));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shr(v, 4));
    return mpx__entries_or_zero(v, mpx__places(0x0908060504020100u, 0xffffffff0e0d0c0au));
}
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    v = mpx__entries_or_zero(v, mpx__places(0xff050403ff020100u, 0xff0b0a09ff080706u));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shl(v, 4));
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shl(v, 2));
    return mpx__and(v, mpx__set(0x3f3f3f3fu));
}

/* ---- floats: AArch64 ------------------------------------------------------------------------- */

#if MPX__HAS_FLOAT

/* FPCR and, above it, FPSR. All control bits zero: to nearest even, subnormals kept, NaN not
   replaced, IEEE's f16, nothing trapped. FPSR has the flags. */
typedef uint64_t mpx__env;
MPX__FORCE_INLINE mpx__env mpx__env_enter(void) {
    uint64_t control, flags;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    __asm__ __volatile__("mrs %0, fpsr" : "=r"(flags));
    if (control != 0) __asm__ __volatile__("msr fpcr, xzr" ::: "memory");
    MPX__KEEP_LOOP();
    return (control & 0xffffffffu) | flags << 32;
}
MPX__FORCE_INLINE void mpx__env_leave(mpx__env saved) {
    uint64_t control = saved & 0xffffffffu;
    MPX__KEEP_LOOP();
    if (control != 0) __asm__ __volatile__("msr fpcr, %0" : : "r"(control) : "memory");
    __asm__ __volatile__("msr fpsr, %0" : : "r"(saved >> 32) : "memory");
}

/* The bits of a result that the compiler is to know nothing about: with -ffast-math it takes for
   granted that no float is Inf or NaN. */
MPX__FORCE_INLINE float32x4_t mpx__as_f32(mpx__vu a) { return vreinterpretq_f32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_f32(float32x4_t v) {
    mpx__vu u = vreinterpretq_u32_f32(v);
    __asm__("" : "+w"(u));
    return u;
}
MPX__FORCE_INLINE float64x2_t mpx__as_f64(mpx__vu a) { return vreinterpretq_f64_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_f64(float64x2_t v) {
    mpx__vu u = vreinterpretq_u32_f64(v);
    __asm__("" : "+w"(u));
    return u;
}
MPX__FORCE_INLINE int16x8_t mpx__as_s16(mpx__vu a) { return vreinterpretq_s16_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s16(int16x8_t a) { return vreinterpretq_u32_s16(a); }
MPX__FORCE_INLINE int8x16_t mpx__as_s8(mpx__vu a) { return vreinterpretq_s8_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s8(int8x16_t a) { return vreinterpretq_u32_s8(a); }

/* f16: keeps NaN payloads, rounds as the modes say. */
MPX__DECODER(mpx__dec_f16) {
    return mpx__of_f32(vcvt_f32_f16(vreinterpret_f16_u16(mpx__four_words(p))));
}
MPX__ENCODER(mpx__enc_f16) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_f16(vcvt_f16_f32(mpx__as_f32(u))));
}
/* 16 codes of e5m2, the upper bytes of f16. */
MPX__FORCE_INLINE void mpx__two_of_e5m2(mpx__vu v[2], uint16x8_t words) {
    float16x8_t h = vreinterpretq_f16_u16(words);
    v[0] = mpx__of_f32(vcvt_f32_f16(vget_low_f16(h)));
    v[1] = mpx__of_f32(vcvt_high_f32_f16(h));
}
MPX__FORCE_INLINE void mpx__load_e5m2(mpx__vu v[4], const void *p) {
    uint8x16_t codes = vld1q_u8((const uint8_t *)p);
    mpx__two_of_e5m2(v, vshll_n_u8(vget_low_u8(codes), 8));
    mpx__two_of_e5m2(v + 2, vshll_n_u8(vget_high_u8(codes), 8));
}
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_f16(
        vcvt_high_f16_f32(vcvt_f16_f32(mpx__as_f32(a)), mpx__as_f32(b)));
}

/* Two vectors to one of bf16. By integers: one more where the lowest bit that stays is set, then
   half a unit less one; the sum's upper half is stored. */
#define MPX__HAS_BF16_PAIR 1
#if MPX__NATIVE_BF16
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_bf16(
        vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(mpx__as_f32(a)), mpx__as_f32(b)));
}
#else
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    mpx__vu lowest = mpx__set(0x10000u), half = mpx__set(0x7fffu);
    a = mpx__sub(a, vtstq_u32(a, lowest));
    b = mpx__sub(b, vtstq_u32(b, lowest));
    return mpx__of_u16(vaddhn_high_u32(vaddhn_u32(a, half), b, half));
}
#endif

/* Float products and quotients, between mpx__env_enter and leave. The division in assembly: under
   -ffast-math compilers make an approximation, or a product, of the intrinsic. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return mpx__of_f32(vmulq_f32(mpx__as_f32(a), mpx__as_f32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    mpx__vu q;
    __asm__("fdiv %0.4s, %1.4s, %2.4s" : "=w"(q) : "w"(a), "w"(by->value));
    return q;
}
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return mpx__of_f32(vfmaq_f32(mpx__as_f32(c), mpx__as_f32(a), mpx__as_f32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) { return vmaxq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) { return vminq_u32(a, b); }

/* 32 bits hold two lanes of 16. Those with an s are signed. */
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
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqaddq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vmulq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) {
    int16x8_t x = mpx__as_s16(a), y = mpx__as_s16(b);
    int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return mpx__of_s32(vpaddq_s32(low, high));
}
/* Lanes of 16 to the right by a count from 1 to 15, known early: to the left by a negative one. */
typedef int16x8_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return vdupq_n_s16((int16_t)-n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) {
    return mpx__of_u16(vshlq_u16(mpx__as_u16(a), n));
}
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return vsraq_n_u32(mpx__shlv(mpx__and(a, mpx__set(mask)), w), a, 16);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vaddq_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vminq_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vcgtq_s8(mpx__as_s8(a), mpx__as_s8(b)));
}

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. In order
   already. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqmovn_high_s32(vqmovn_s32(mpx__as_s32(a)), mpx__as_s32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s8(vqmovn_high_s16(vqmovn_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vqmovun_high_s16(vqmovun_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) { return a; }
/* The upper halves of two vectors' lanes. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vuzp2q_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vuzp2q_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__signs_of_16(mpx__join_upper16(a, b), mpx__join_upper16(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return mpx__of_u16(vmovl_u8(vld1_u8((const uint8_t *)p)));
}
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. */
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
/* The halves of two vectors' lanes of 64. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = vuzp1q_u32(a, b);
    *high = vuzp2q_u32(a, b);
}
/* A table of 16 bytes; its entry for each byte, which is below 16. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return mpx__entries_or_zero(table, i);
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return vcgtq_s32(mpx__as_s32(a), mpx__as_s32(b));
}
/* Signed lanes to the right. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) {
    return mpx__of_s32(vshlq_s32(mpx__as_s32(a), vdupq_n_s32(-n)));
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__of_s32(vmaxq_s32(mpx__as_s32(a), vdupq_n_s32(0)));
}
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__of_s8(vmaxq_s8(mpx__as_s8(a), vdupq_n_s8(0)));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return vminq_u32(a, mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return mpx__of_u16(vminq_u16(mpx__as_u16(a), vdupq_n_u16(0x7fff)));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_s32(vmovl_s16(vget_low_s16(mpx__as_s16(a))));
    v[1] = mpx__of_s32(vmovl_high_s16(mpx__as_s16(a)));
}
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], mpx__vu a) {
    v[0] = vmovl_u16(vget_low_u16(mpx__as_u16(a)));
    v[1] = vmovl_high_u16(mpx__as_u16(a));
}
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    int8x16_t a = mpx__as_s8(mpx__load32(p));
    mpx__unpack_signed16(v, mpx__of_s16(vmovl_s8(vget_low_s8(a))));
    mpx__unpack_signed16(v + 2, mpx__of_s16(vmovl_high_s8(a)));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    uint8x16_t a = mpx__as_u8(mpx__load32(p));
    mpx__unpack_unsigned16(v, mpx__of_u16(vmovl_u8(vget_low_u8(a))));
    mpx__unpack_unsigned16(v + 2, mpx__of_u16(vmovl_high_u8(a)));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    int8x16_t a = mpx__as_s8(mpx__load32(p));
    v[0] = mpx__of_s16(vmovl_s8(vget_low_s8(a)));
    v[1] = mpx__of_s16(vmovl_high_s8(a));
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    uint8x16_t a = mpx__as_u8(mpx__load32(p));
    v[0] = mpx__of_u16(vmovl_u8(vget_low_u8(a)));
    v[1] = mpx__of_u16(vmovl_high_u8(a));
}

/* f32 truncated; what does not fit saturates, NaN becomes 0. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) {
    int32x4_t v;
    __asm__("fcvtzs %0.4s, %1.4s" : "=w"(v) : "w"(a));
    return mpx__of_s32(v);
}
/* Two vectors of f64 to one of f32. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return vreinterpretq_u32_u64(vdupq_n_u64(x)); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    return mpx__of_f32(vcvt_high_f32_f64(vcvt_f32_f64(mpx__as_f64(a)), mpx__as_f64(b)));
}
/* The same rounded to odd, by one instruction each. */
#define MPX__HAS_ODD 1
MPX__FORCE_INLINE mpx__vu mpx__odd_f32_of_f64(mpx__vu a, mpx__vu b) {
    return mpx__of_f32(vcvtx_high_f32_f64(vcvtx_f32_f64(mpx__as_f64(a)), mpx__as_f64(b)));
}
/* And back, exact. */
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    v[0] = mpx__of_f64(vcvt_f64_f32(vget_low_f32(mpx__as_f32(u))));
    v[1] = mpx__of_f64(vcvt_high_f64_f32(mpx__as_f32(u)));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_f64(vcvtq_f64_s64(vmovl_s32(vget_low_s32(mpx__as_s32(a)))));
    v[1] = mpx__of_f64(vcvtq_f64_s64(vmovl_high_s32(mpx__as_s32(a))));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    int64x2_t low, high;
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(low) : "w"(a));
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(high) : "w"(b));
    return mpx__of_s32(vqmovn_high_s64(vqmovn_s64(low), high));
}
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) {
    return vreinterpretq_u32_u64(vshlq_u64(vreinterpretq_u64_u32(a), vdupq_n_s64(-n)));
}
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_u64(vaddq_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_u64(vsubq_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return vreinterpretq_u32_s64(vshrq_n_s64(vreinterpretq_s64_u32(a), 63));
}
#define MPX__HAS_TRUNCATE64 1
MPX__FORCE_INLINE mpx__vu mpx__truncate64(mpx__vu a) {
    return mpx__of_f64(vrndq_f64(mpx__as_f64(a)));
}
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    mpx__vu sum;
    __asm__("fadd %0.2d, %1.2d, %2.2d" : "=w"(sum) : "w"(a), "w"(b));
    return sum;
}
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return mpx__of_f64(vmulq_f64(mpx__as_f64(a), mpx__as_f64(b)));
}
/* In assembly as above. */
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    mpx__vu q;
    __asm__("fdiv %0.2d, %1.2d, %2.2d" : "=w"(q) : "w"(a), "w"(b));
    return q;
}
/* Is there NaN in them? A maximum is NaN if one of two is; in assembly, as -ffast-math knows
   none. */
MPX__FORCE_INLINE mpx__vu mpx__max_or_nan(mpx__vu a, mpx__vu b) {
    mpx__vu larger;
    __asm__("fmax %0.4s, %1.4s, %2.4s" : "=w"(larger) : "w"(a), "w"(b));
    return larger;
}
#define MPX__HAS_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    mpx__vu a = mpx__max_or_nan(mpx__max_or_nan(v[0], v[1]), mpx__max_or_nan(v[2], v[3])), number;
    __asm__("fcmeq %0.4s, %1.4s, %1.4s" : "=w"(number) : "w"(a));
    return vminvq_u32(number) == 0;
}

#endif /* MPX__HAS_FLOAT */
#endif /* MPX_ISA_NEON */
/*==========================================================================*
 * MARK: simd_wasm - the vocabulary, four lanes                              *
 *   WebAssembly's SIMD128, which every browser and runtime has since 2021.  *
 *   Its arithmetic knows one mode: to nearest even, subnormals kept, no     *
 *   flags; so the caller has no environment to be kept. Which NaN comes     *
 *   out of it the standard leaves open: where one is stored, its bits are   *
 *   made by integers. Nothing of the relaxed extension is used.             *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_WASM
#define MPX__LANES 4
#define MPX__ISA_NAME "wasm"
#define MPX__NATIVE_F16 0
#define MPX__HAS_FLOAT 1
#define MPX__HAS_JOIN 1
#define MPX__HAS_LOOKUP 1
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0

typedef v128_t mpx__vu;

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return wasm_u32x4_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return wasm_v128_and(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return wasm_v128_or(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return wasm_v128_xor(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return wasm_i32x4_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return wasm_i32x4_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return wasm_i32x4_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return wasm_i32x4_shl(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return wasm_u32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return wasm_u32x4_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return wasm_u32x4_max(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return wasm_i32x4_eq(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return wasm_u32x4_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return wasm_v128_bitselect(a, b, mask);
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return wasm_v128_any_true(a); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) { return wasm_f32x4_convert_i32x4(a); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

/* There are no shifts by lane: they are products with a power of two, 2^(31 - n) for a shift to the
   right, whose upper 33 bits remain. Byte j of a power is 2^(k - 8j) where that is below 256, else
   0: looked up in a table, all from 8 on being 0. */
MPX__FORCE_INLINE mpx__vu mpx__powers(mpx__vu k) { /* in each byte of a lane: k - 8j */
    const mpx__vu table = wasm_u64x2_const(0x8040201008040201u, 0);
    return wasm_i8x16_swizzle(table, k);
}
MPX__FORCE_INLINE mpx__vu mpx__in_all_bytes(mpx__vu n) {
    return wasm_i8x16_shuffle(n, n, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
}
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) {
    return mpx__mul(a, mpx__powers(wasm_i8x16_sub(mpx__in_all_bytes(n), mpx__set(0x18100800u))));
}
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) {
    mpx__vu by = mpx__powers(wasm_i8x16_sub(mpx__set(0x070f171fu), mpx__in_all_bytes(n)));
    mpx__vu low = wasm_u64x2_shr(wasm_u64x2_extmul_low_u32x4(a, by), 31),
            high = wasm_u64x2_shr(wasm_u64x2_extmul_high_u32x4(a, by), 31);
    return wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
}

MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) { return wasm_v128_load(p); }
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return wasm_u32x4_load16x4(p); }
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { wasm_v128_store(p, v); }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    wasm_v128_store64_lane(p, wasm_i16x8_shuffle(v, v, 0, 2, 4, 6, 0, 2, 4, 6), 0);
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    v = wasm_i8x16_shuffle(v, v, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
    wasm_v128_store32_lane(p, v, 0);
}
/* Even and odd lanes of two vectors. */
MPX__FORCE_INLINE mpx__vu mpx__even32(mpx__vu a, mpx__vu b) {
    return wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
}
MPX__FORCE_INLINE mpx__vu mpx__odd32(mpx__vu a, mpx__vu b) {
    return wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
}
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    mpx__vu a = mpx__load32(p), b = mpx__load32((const unsigned char *)p + 16);
    *low = mpx__even32(a, b);
    *high = mpx__odd32(a, b);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    mpx__store32(p, wasm_i32x4_shuffle(low, high, 0, 4, 1, 5));
    mpx__store32((unsigned char *)p + 16, wasm_i32x4_shuffle(low, high, 2, 6, 3, 7));
}

/* All ones where the magnitude of a float is NaN's. */
MPX__FORCE_INLINE mpx__vu mpx__nan_mask(mpx__vu a) {
    return wasm_i32x4_gt(mpx__and(a, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
}
/* The result of an operation on a, or a itself, made quiet, if a is NaN. */
MPX__FORCE_INLINE mpx__vu mpx__unless_nan(mpx__vu a, mpx__vu result) {
    return mpx__select(mpx__nan_mask(a), mpx__or(a, mpx__set(0x400000u)), result);
}

/* Float products and quotients. The divisor by way of memory, where compilers do not look: under
   -ffast-math they multiply by its reciprocal. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return mpx__unless_nan(a, wasm_f32x4_mul(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    mpx__vu value = by->value;
    __asm__("" : "+m"(value));
    return mpx__unless_nan(a, wasm_f32x4_div(a, value));
}
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN: ordered as integers are. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) { return wasm_i32x4_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) { return wasm_i32x4_min(a, b); }

/* 32 bits hold two lanes of 16: for what needs no widening. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) { return wasm_i16x8_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) { return wasm_i16x8_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) { return wasm_u16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_gt(a, b); }
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) { return wasm_i16x8_add_sat(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) { return wasm_i16x8_mul(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) { return wasm_i32x4_dot_i16x8(a, b); }
/* Lanes of 16 to the right by a count from 1 to 15. */
typedef uint32_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return (uint32_t)n; }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) { return wasm_u16x8_shr(a, n); }
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set(1u << 16 | 1u << n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return mpx__dot16s(mpx__and(a, mpx__set(0xffff0000u | mask)), w);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) { return wasm_i8x16_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) { return wasm_u8x16_min(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) { return wasm_i8x16_gt(a, b); }

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. In order
   already. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_narrow_i32x4(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return wasm_i8x16_narrow_i16x8(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return wasm_u8x16_narrow_i16x8(a, b);
}
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) { return a; }
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) { return mpx__pack16s(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__pack16s(mpx__pack32s(a, b), mpx__pack32s(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) { return wasm_u16x8_load8x8(p); }
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. */
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
/* The halves of two vectors' lanes of 64. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__even32(a, b);
    *high = mpx__odd32(a, b);
}

/* Tables of 16 bytes: entry i, below 16; or zero for i from 16 to 127. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return wasm_i8x16_swizzle(table, i);
}

/* Codes of four and six bits, one per byte, with one another and back. Six: 16 codes, 12 bytes; two
   are made twelve bits, four 24. */
MPX__FORCE_INLINE mpx__vu mpx__nibble_pairs(mpx__vu codes) {
    return mpx__and(mpx__or(codes, mpx__shr(codes, 4)), mpx__set(0xff00ffu));
}
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    return mpx__pack16(mpx__nibble_pairs(a), mpx__nibble_pairs(b));
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__pair8(mpx__and(a, mpx__set(0x0f0f0f0fu)), wasm_u8x16_shr(a, 4), low, high);
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    const mpx__vu zero = mpx__set(0);
    v = mpx__or(mpx__and(v, mpx__set(0x3f003fu)), mpx__and(mpx__shr(v, 2), mpx__set(0xfc00fc0u)));
    v = mpx__dot16s(v, mpx__set(0x10000001u));
    return wasm_i8x16_shuffle(v, zero, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 16, 16, 16);
}
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    v = wasm_i8x16_shuffle(v, v, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    v = mpx__or(mpx__and(v, mpx__set(0xfffu)), mpx__and(mpx__shl(v, 4), mpx__set(0xfff0000u)));
    return mpx__or(mpx__and(v, mpx__set(0x3f003fu)),
                   mpx__and(mpx__shl(v, 2), mpx__set(0x3f003f00u)));
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

/* Of signed lanes, of 32 bits and of 16. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) { return wasm_i32x4_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) { return wasm_i32x4_gt(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) { return wasm_i16x8_eq(a, b); }

/* The upper halves of two vectors' lanes. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return wasm_i16x8_shuffle(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) { return wasm_i32x4_max(a, mpx__set(0)); }
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) { return wasm_i8x16_max(a, mpx__set(0)); }
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return wasm_u32x4_min(a, mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return wasm_u16x8_min(a, mpx__set(0x7fff7fffu));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_u32x4_extend_low_u16x8(a);
    v[1] = wasm_u32x4_extend_high_u16x8(a);
}
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_i32x4_extend_low_i16x8(a);
    v[1] = wasm_i32x4_extend_high_i16x8(a);
}
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    mpx__vu a = mpx__load32(p);
    mpx__unpack_signed16(v, wasm_i16x8_extend_low_i8x16(a));
    mpx__unpack_signed16(v + 2, wasm_i16x8_extend_high_i8x16(a));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    mpx__vu a = mpx__load32(p);
    mpx__unpack_unsigned16(v, wasm_u16x8_extend_low_u8x16(a));
    mpx__unpack_unsigned16(v + 2, wasm_u16x8_extend_high_u8x16(a));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__load32(p);
    v[0] = wasm_i16x8_extend_low_i8x16(a);
    v[1] = wasm_i16x8_extend_high_i8x16(a);
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    mpx__vu a = mpx__load32(p);
    v[0] = wasm_u16x8_extend_low_u8x16(a);
    v[1] = wasm_u16x8_extend_high_u8x16(a);
}

/* f32 truncated: what does not fit becomes the next that does, NaN zero. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) { return wasm_i32x4_trunc_sat_f32x4(a); }
/* Whether there is a NaN in a block. */
#define MPX__HAS_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any(wasm_i32x4_gt(mpx__max(a, b), mpx__set(0x7f800000u)));
}
/* Two vectors of f64 to one of f32; NaN's sign and the leading bits of its payload by integers. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return wasm_u64x2_splat(x); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    mpx__vu r = wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(a),
                                   wasm_f32x4_demote_f64x2_zero(b), 0, 2);
    mpx__vu nan = mpx__nan_mask(r);
    if (mpx__any(nan)) {
        mpx__vu payload = mpx__even32(wasm_u64x2_shr(a, 29), wasm_u64x2_shr(b, 29)),
                sign = mpx__and(mpx__odd32(a, b), mpx__set(0x80000000u));
        payload = mpx__or(mpx__and(payload, mpx__set(0x7fffffu)), mpx__set(0x7fc00000u));
        r = mpx__select(nan, mpx__or(payload, sign), r);
    }
    return r;
}
/* And back, exact; not for NaN, of which a machine may make another. */
#define MPX__LOSES_NAN 1
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    v[0] = wasm_f64x2_promote_low_f32x4(u);
    v[1] = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(u, u, 1, 1));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = wasm_f64x2_convert_low_i32x4(a);
    v[1] = wasm_f64x2_convert_low_i32x4(wasm_i64x2_shuffle(a, a, 1, 1));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    return wasm_i64x2_shuffle(wasm_i32x4_trunc_sat_f64x2_zero(a),
                              wasm_i32x4_trunc_sat_f64x2_zero(b), 0, 2);
}
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) { return wasm_u64x2_shr(a, (uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) { return wasm_i64x2_add(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) { return wasm_i64x2_sub(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) { return wasm_i64x2_shr(a, 63); }
#define MPX__HAS_TRUNCATE64 1
MPX__FORCE_INLINE mpx__vu mpx__truncate64(mpx__vu a) { return wasm_f64x2_trunc(a); }
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    __asm__("" : "+m"(b));
    return wasm_f64x2_add(a, b);
}
/* The result of an operation on a, or a itself, made quiet, if a is NaN. */
MPX__FORCE_INLINE mpx__vu mpx__unless_nan64(mpx__vu a, mpx__vu result) {
    mpx__vu nan = wasm_i64x2_gt(mpx__and(a, mpx__set64(0x7fffffffffffffffu)),
                                mpx__set64(0x7ff0000000000000u));
    return mpx__select(nan, mpx__or(a, mpx__set64(0x8000000000000u)), result);
}
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return mpx__unless_nan64(a, wasm_f64x2_mul(a, b));
}
/* In this order too. */
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    mpx__vu by = b;
    __asm__("" : "+m"(by));
    return mpx__unless_nan64(a, wasm_f64x2_div(a, by));
}

#endif /* MPX_ISA_WASM */
/*==========================================================================*
 * MARK: simd_rvv - the vocabulary, as many lanes as a register has          *
 *   RISC-V's V extension with clang's -mrvv-vector-bits=zvl, which fixes    *
 *   the length of a register (__riscv_v_fixed_vlen) and gives types of that *
 *   length, which structs can hold. Such a program is for machines of just  *
 *   that length. Integers only: what rows do with floats (HAS_FLOAT) is not *
 *   written yet.                                                            *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_RVV
#define MPX__LANES (__riscv_v_fixed_vlen / 32)
#define MPX__ISA_NAME "rvv"
#define MPX__NATIVE_F16 0
#define MPX__F16_IN_ENV 0
#define MPX__NATIVE_BF16 0
#define MPX__HAS_FLOAT 0
#define MPX__HAS_JOIN 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_ENV 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0

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
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
/* Comparisons give one bit a lane, here spread over it. */
#define MPX__SPREAD(bits) __riscv_vmerge_vxm_u32m1(mpx__set(0), 0xffffffffu, bits, MPX__LANES)
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmseq_vv_u32m1_b32(a, b, MPX__LANES));
}
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmsgtu_vv_u32m1_b32(a, b, MPX__LANES));
}
#undef MPX__SPREAD
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__xor(b, mpx__and(mask, mpx__xor(a, b)));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return __riscv_vfirst_m_b32(__riscv_vmsne_vx_u32m1_b32(a, 0, MPX__LANES), MPX__LANES) >= 0;
}
/* Exact, so whatever the rounding mode, and without a flag. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return __riscv_vreinterpret_v_f32m1_u32m1(
        __riscv_vfcvt_f_x_v_f32m1(__riscv_vreinterpret_v_u32m1_i32m1(a), MPX__LANES));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { return mpx__f32_of_i24(a); }

/* By bytes, as addresses may be any. */
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
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    vuint16mf2_t words = __riscv_vncvt_x_x_w_u16mf2(v, MPX__LANES);
    __riscv_vse8_v_u8mf4((uint8_t *)p, __riscv_vncvt_x_x_w_u8mf4(words, MPX__LANES), MPX__LANES);
}
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    vuint64m2_t x = __riscv_vreinterpret_v_u8m2_u64m2(
        __riscv_vle8_v_u8m2((const uint8_t *)p, MPX__LANES * 8));
    *low = __riscv_vncvt_x_x_w_u32m1(x, MPX__LANES);
    *high = __riscv_vnsrl_wx_u32m1(x, 32, MPX__LANES);
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    vuint64m2_t x = __riscv_vsll_vx_u64m2(__riscv_vzext_vf2_u64m2(high, MPX__LANES), 32,
                                          MPX__LANES);
    x = __riscv_vor_vv_u64m2(x, __riscv_vzext_vf2_u64m2(low, MPX__LANES), MPX__LANES);
    __riscv_vse8_v_u8m2((uint8_t *)p, __riscv_vreinterpret_v_u64m2_u8m2(x), MPX__LANES * 8);
}

/* 32 bits hold two lanes of 16: for what needs no widening. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) {
    return __riscv_vreinterpret_v_u16m1_u32m1(
        __riscv_vadd_vv_u16m1(__riscv_vreinterpret_v_u32m1_u16m1(a),
                              __riscv_vreinterpret_v_u32m1_u16m1(b), MPX__LANES * 2));
}
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return __riscv_vreinterpret_v_u16m1_u32m1(
        __riscv_vmaxu_vv_u16m1(__riscv_vreinterpret_v_u32m1_u16m1(a),
                               __riscv_vreinterpret_v_u32m1_u16m1(b), MPX__LANES * 2));
}

#endif /* MPX_ISA_RVV */
/*==========================================================================*
 * MARK: codec - what the codes of each dtype mean, written once             *
 *   Decode: the code of each lane to f32 bits, exact. Encode: f32 bits to   *
 *   the code, rounded to nearest even. Integer lanes only: no rounding      *
 *   mode, flush-to-zero or -ffast-math can change a result.                 *
 *   Dtypes below a byte stand here one per byte; pack.h packs them.         *
 *==========================================================================*/

MPX_API const char *mpx_isa(void) { return MPX__ISA_NAME; }

/* The fields of a float of exp_bits and man_bits in the low bits of a lane, beside those of f32:

     code                         s eeee mmm        bias
     f32    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      127

   Same order, so a magnitude (code without sign) is moved by shifting it left by 23 - man_bits and
   adding the difference of the biases to the exponent field. What this does not cover: subnormal
   codes, and the topmost codes. */

/* A subnormal code is an integer times 2^(1 - bias - man_bits): convert, then lower the
   exponent. */
MPX__FORCE_INLINE mpx__vu mpx__decode_subnormal(mpx__vu a, int man_bits, int bias) {
    mpx__vu u = mpx__sub(mpx__f32_of_u24(a), mpx__set((uint32_t)(bias - 1 + man_bits) << 23));
    return mpx__and(u, mpx__gt(a, mpx__set(0)));
}

MPX__FORCE_INLINE mpx__vu mpx__decode(mpx__vu code, int exp_bits, int man_bits, int bias,
                                      int family) {
    const uint32_t all_ones = (1u << (exp_bits + man_bits)) - 1u,
                   inf = all_ones & ~((1u << man_bits) - 1u);
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(code, mpx__set(all_ones)),
            sign = mpx__shl(mpx__shr(code, exp_bits + man_bits), 31);
    mpx__vu u = mpx__add(mpx__shl(a, drop), mpx__set((uint32_t)(127 - bias) << 23));
    if (bias < 127) /* else subnormal codes are subnormal floats: bf16 */
        u = mpx__select(mpx__gt(mpx__set(1u << man_bits), a),
                        mpx__decode_subnormal(a, man_bits, bias), u);
    if (family == MPX__IEEE) {
        mpx__vu top = mpx__or(mpx__set(0x7f800000u), mpx__shl(a, drop));
        mpx__vu quiet = mpx__and(mpx__gt(a, mpx__set(inf)), mpx__set(0x400000u));
        u = mpx__select(mpx__gt(mpx__set(inf), a), u, bias < 127 ? mpx__or(top, quiet) : u);
        if (bias == 127) u = mpx__or(u, quiet);
    }
    if (family == MPX__FN)
        u = mpx__select(mpx__eq(a, mpx__set(all_ones)), mpx__set(0x7fc00000u), u);
    u = mpx__or(u, sign);
    if (family == MPX__FNUZ)
        u = mpx__select(mpx__eq(code, mpx__set(all_ones + 1u)), mpx__set(0xffc00000u), u);
    return u;
}

/* Round m to nearest even while dropping n bits (1 to 25, per lane): add half an ulp, less one
   unless the lowest kept bit is odd, and cut. */
MPX__SHARED_INLINE mpx__vu mpx__round_shift(mpx__vu m, mpx__vu n) {
    mpx__vu odd = mpx__and(mpx__shrv(m, n), mpx__set(1));
    mpx__vu half_less_one = mpx__sub(mpx__shlv(mpx__set(1), mpx__sub(n, mpx__set(1))), mpx__set(1));
    return mpx__shrv(mpx__add(m, mpx__add(half_less_one, odd)), n);
}

/* The magnitude a (f32 bits without sign, below Inf) rounded to a code, however large it gets.
   Normal:     bias moved, then rounded; a carry out of the mantissa raises the exponent, as it
               should.
   Subnormal:  the mantissa with its hidden bit loses one more bit per exponent below the smallest
               normal; from 25 on all of it lies below half an ulp. An f32 subnormal has no hidden
               bit, but is zero in every format but bf16. An ISA may have its own. */
#if MPX__COMPACT
MPX__SHARED_INLINE mpx__vu mpx__round_magnitude(mpx__vu a, int man_bits, int bias) {
    const uint32_t drop = (uint32_t)(23 - man_bits), rebias = (uint32_t)(127 - bias) << 23;
    uint32_t m = a - rebias, n = drop;
    if (bias < 127 && a < rebias + 0x800000u) {
        m = (a & 0x7fffffu) | 0x800000u;
        n = mpx__min(drop + 1u + (rebias >> 23) - (a >> 23), 25);
    }
    return mpx__round_shift(m, n);
}
#elif !defined(MPX__HAS_ROUND_MAGNITUDE)
MPX__SHARED_INLINE mpx__vu mpx__round_magnitude(mpx__vu a, int man_bits, int bias) {
    const uint32_t drop = (uint32_t)(23 - man_bits), rebias = (uint32_t)(127 - bias) << 23;
    mpx__vu normal = mpx__round_shift(mpx__sub(a, mpx__set(rebias)), mpx__set(drop));
    if (bias < 127) {
        mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
        mpx__vu n = mpx__sub(mpx__set(drop + 1u + (rebias >> 23)), mpx__shr(a, 23));
        mpx__vu subnormal = mpx__round_shift(m, mpx__max(mpx__min(n, mpx__set(25)), mpx__set(1)));
        return mpx__select(mpx__gt(mpx__set(rebias + 0x800000u), a), subnormal, normal);
    }
    return normal;
}
#endif

MPX__FORCE_INLINE mpx__vu mpx__encode(mpx__vu u, int exp_bits, int man_bits, int bias, int family) {
    const uint32_t all_ones = (1u << (exp_bits + man_bits)) - 1u,
                   inf = all_ones & ~((1u << man_bits) - 1u);
    const uint32_t sign_bit = all_ones + 1u;
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)),
            sign = mpx__shl(mpx__shr(u, 31), exp_bits + man_bits);
    mpx__vu nan = mpx__gt(a, mpx__set(0x7f800000u));
    mpx__vu code = mpx__round_magnitude(a, man_bits, bias);
    if (family == MPX__IEEE) { /* too large: Inf; NaN: quiet, with the leading payload bits */
        mpx__vu payload = mpx__shr(mpx__and(a, mpx__set(0x7fffffu)), 23 - man_bits);
        mpx__vu quiet = mpx__or(payload, mpx__set(inf | 1u << (man_bits - 1)));
        if (bias < 127) code = mpx__min(code, mpx__set(inf)); /* bf16 ends where f32 does */
        return mpx__or(sign, mpx__select(nan, quiet, code));
    }
    if (family == MPX__FN) /* too large, Inf, NaN: all ones */
        return mpx__or(sign, mpx__min(code, mpx__set(all_ones)));
    if (family == MPX__FNUZ) { /* too large, Inf, NaN: the sign bit alone; zero has no sign */
        mpx__vu signed_code = mpx__and(mpx__or(sign, code), mpx__gt(code, mpx__set(0)));
        return mpx__select(mpx__gt(code, mpx__set(all_ones)), mpx__set(sign_bit), signed_code);
    }
    /* finite only: too large, Inf: the largest; NaN: a zero of the other sign, as ml_dtypes */
    return mpx__select(nan, mpx__xor(sign, mpx__set(sign_bit)),
                       mpx__or(sign, mpx__min(code, mpx__set(all_ones))));
}

/* e8m0: a biased exponent. Code 0 is 2^-127, a subnormal float. */
MPX__FORCE_INLINE mpx__vu mpx__decode_e8m0(mpx__vu code) {
    mpx__vu u = mpx__select(mpx__eq(code, mpx__set(0)), mpx__set(0x400000u), mpx__shl(code, 23));
    return mpx__select(mpx__eq(code, mpx__set(255)), mpx__set(0x7fc00000u), u);
}

/* Nearest power of two, ties up: adding half of a binade carries into the exponent. Between 2^-127
   and 2^-126 the binade is that of the subnormal 0x400000, so half of it is 0x200000. Not positive,
   or too large: NaN (255). */
MPX__FORCE_INLINE mpx__vu mpx__encode_e8m0(mpx__vu u) {
    mpx__vu subnormal = mpx__gt(mpx__set(0x800000u), u);
    mpx__vu code =
        mpx__shr(mpx__add(u, mpx__select(subnormal, mpx__set(0x200000u), mpx__set(0x400000u))), 23);
    mpx__vu positive = mpx__gt(mpx__set(0x7f800000u),
                               mpx__sub(u, mpx__set(1))); /* neither zero nor negative nor NaN */
    return mpx__select(positive, mpx__min(code, mpx__set(255)), mpx__set(255));
}

/* Integers of up to 16 bits and bool: exact in f32. Signed ones: bit `bits` - 1 counts negative. */
MPX__FORCE_INLINE mpx__vu mpx__decode_uint(mpx__vu x) { return mpx__f32_of_u24(x); }
MPX__SHARED_INLINE mpx__vu mpx__decode_int(mpx__vu x, int bits) {
    mpx__vu sign_bit = mpx__set(1u << (bits - 1));
    return mpx__f32_of_i24(mpx__sub(mpx__xor(x, sign_bit), sign_bit));
}

/* |x| truncated to an integer, at most limit (below 2^23); NaN gives 0. The mantissa with its
   hidden bit, shifted right by 150 - exponent; below 1 that is at least 24, and all is gone. */
MPX__SHARED_INLINE mpx__vu mpx__truncate(mpx__vu a, uint32_t limit) {
    mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
    mpx__vu n = mpx__min(mpx__sub(mpx__set(150), mpx__shr(a, 23)), mpx__set(31));
    mpx__vu whole = mpx__shrv(m, n), large = mpx__gt(a, mpx__set(0x4affffffu)); /* 2^23 and up */
    mpx__vu x = mpx__min(mpx__select(large, mpx__set(limit), whole), mpx__set(limit));
    return mpx__and(x, mpx__gt(mpx__set(0x7f800001u), a));
}

MPX__SHARED_INLINE mpx__vu mpx__encode_uint(mpx__vu u, int bits) {
    mpx__vu x = mpx__truncate(mpx__and(u, mpx__set(0x7fffffffu)), (1u << bits) - 1u);
    return mpx__and(x, mpx__gt(mpx__set(0x80000000u), u));
}
MPX__SHARED_INLINE mpx__vu mpx__encode_int(mpx__vu u, int bits) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), negative = mpx__gt(u, mpx__set(0x7fffffffu));
    mpx__vu x = mpx__truncate(a, 1u << (bits - 1));
    mpx__vu up = mpx__min(x, mpx__set((1u << (bits - 1)) - 1u)), down = mpx__sub(mpx__set(0), x);
    return mpx__and(mpx__select(negative, down, up), mpx__set((1u << bits) - 1u));
}

/* ---- one decoder and one encoder per dtype --------------------------------------------------- */

/* MPX__NATIVE_F16: the ISA's room has them, by its conversion instructions. */

MPX__DECODER(mpx__dec_f32) { return mpx__load32(p); }
MPX__ENCODER(mpx__enc_f32) { mpx__store32(p, u); }
#if !MPX__NATIVE_F16
MPX__DECODER(mpx__dec_f16) { return mpx__decode(mpx__load16(p), MPX__FORMAT_F16); }
MPX__ENCODER(mpx__enc_f16) { mpx__store16(p, mpx__encode(u, MPX__FORMAT_F16)); }
#endif
#if MPX__COMPACT
MPX__DECODER(mpx__dec_bf16) { return mpx__decode(mpx__load16(p), MPX__FORMAT_BF16); }
MPX__ENCODER(mpx__enc_bf16) { mpx__store16(p, mpx__encode(u, MPX__FORMAT_BF16)); }
#else /* the upper half of f32 needs less than other formats */
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan(mpx__vu u, mpx__vu otherwise) {
    mpx__vu nan = mpx__gt(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    return mpx__select(nan, mpx__or(u, mpx__set(0x400000u)), otherwise);
}
MPX__DECODER(mpx__dec_bf16) {
    mpx__vu u = mpx__shl(mpx__load16(p), 16);
    return mpx__quiet_nan(u, u);
}
MPX__ENCODER(mpx__enc_bf16) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    mpx__vu rounded = mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
    mpx__store16(p, mpx__shr(mpx__quiet_nan(u, rounded), 16));
}
#endif
MPX__DECODER(mpx__dec_f8e4m3fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3FN); }
MPX__ENCODER(mpx__enc_f8e4m3fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3FN)); }
MPX__DECODER(mpx__dec_f8e5m2) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E5M2); }
MPX__ENCODER(mpx__enc_f8e5m2) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E5M2)); }
MPX__DECODER(mpx__dec_f8e4m3fnuz) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3FNUZ); }
MPX__ENCODER(mpx__enc_f8e4m3fnuz) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3FNUZ)); }
MPX__DECODER(mpx__dec_f8e5m2fnuz) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E5M2FNUZ); }
MPX__ENCODER(mpx__enc_f8e5m2fnuz) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E5M2FNUZ)); }
MPX__DECODER(mpx__dec_f8e4m3b11fnuz) {
    return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3B11FNUZ);
}
MPX__ENCODER(mpx__enc_f8e4m3b11fnuz) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3B11FNUZ)); }
MPX__DECODER(mpx__dec_f8e4m3) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E4M3); }
MPX__ENCODER(mpx__enc_f8e4m3) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E4M3)); }
MPX__DECODER(mpx__dec_f8e3m4) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F8E3M4); }
MPX__ENCODER(mpx__enc_f8e3m4) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F8E3M4)); }
MPX__DECODER(mpx__dec_f8e8m0fnu) { return mpx__decode_e8m0(mpx__load8(p)); }
MPX__ENCODER(mpx__enc_f8e8m0fnu) { mpx__store8(p, mpx__encode_e8m0(u)); }
MPX__DECODER(mpx__dec_f6e2m3fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F6E2M3FN); }
MPX__ENCODER(mpx__enc_f6e2m3fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F6E2M3FN)); }
MPX__DECODER(mpx__dec_f6e3m2fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F6E3M2FN); }
MPX__ENCODER(mpx__enc_f6e3m2fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F6E3M2FN)); }
MPX__DECODER(mpx__dec_f4e2m1fn) { return mpx__decode(mpx__load8(p), MPX__FORMAT_F4E2M1FN); }
MPX__ENCODER(mpx__enc_f4e2m1fn) { mpx__store8(p, mpx__encode(u, MPX__FORMAT_F4E2M1FN)); }

MPX__DECODER(mpx__dec_bool) {
    return mpx__and(mpx__gt(mpx__load8(p), mpx__set(0)), mpx__set(0x3f800000u));
}
MPX__ENCODER(mpx__enc_bool) {
    mpx__store8(p, mpx__and(mpx__gt(mpx__shl(u, 1), mpx__set(0)), mpx__set(1)));
}
MPX__DECODER(mpx__dec_i2) { return mpx__decode_int(mpx__load8(p), 2); }
MPX__ENCODER(mpx__enc_i2) { mpx__store8(p, mpx__encode_int(u, 2)); }
MPX__DECODER(mpx__dec_i4) { return mpx__decode_int(mpx__load8(p), 4); }
MPX__ENCODER(mpx__enc_i4) { mpx__store8(p, mpx__encode_int(u, 4)); }
MPX__DECODER(mpx__dec_i8) { return mpx__decode_int(mpx__load8(p), 8); }
MPX__ENCODER(mpx__enc_i8) { mpx__store8(p, mpx__encode_int(u, 8)); }
MPX__DECODER(mpx__dec_i16) { return mpx__decode_int(mpx__load16(p), 16); }
MPX__ENCODER(mpx__enc_i16) { mpx__store16(p, mpx__encode_int(u, 16)); }
MPX__DECODER(mpx__dec_u8) { return mpx__decode_uint(mpx__load8(p)); } /* also u2 and u4 */
MPX__ENCODER(mpx__enc_u2) { mpx__store8(p, mpx__encode_uint(u, 2)); }
MPX__ENCODER(mpx__enc_u4) { mpx__store8(p, mpx__encode_uint(u, 4)); }
MPX__ENCODER(mpx__enc_u8) { mpx__store8(p, mpx__encode_uint(u, 8)); }
MPX__DECODER(mpx__dec_u16) { return mpx__decode_uint(mpx__load16(p)); }
MPX__ENCODER(mpx__enc_u16) { mpx__store16(p, mpx__encode_uint(u, 16)); }
/*==========================================================================*
 * MARK: codec_wide - f64 and the integers of 32 and 64 bits, in lanes       *
 *   What f32 cannot hold, to and from f32 bits: as in codec.h, integer      *
 *   lanes only. A lane of 64 bits stands in two: its low and high halves.   *
 *   A number becomes an f32 by one rounding: to nearest even where f32 is   *
 *   the target. On the way to a small format it is rounded to odd (a cut,   *
 *   with the lowest bit set if anything was cut off): rounding that f32     *
 *   again gives what rounding the number itself would, as f32 has at least  *
 *   two more bits than any small format. Source: Boldo and Melquiond, When  *
 *   double rounding is odd, 2005.                                           *
 *==========================================================================*/

/* 1 where x is not 0. */
MPX__FORCE_INLINE mpx__vu mpx__nonzero(mpx__vu x) {
    return mpx__add(mpx__set(1), mpx__eq(x, mpx__set(0)));
}

/* ---- to f32 ---------------------------------------------------------------------------------- */

/* The f32 magnitude of a number with 32 leading bits z and the f32 exponent field `exponent`:

     z     1 mmmmmmmmmmmmmmmmmmmmmmm yyyyyyyy     23 mantissa bits are kept, 8 dropped

   The lowest bit of z stands for all that lies below it. Bit 31 is the hidden one; without it z is
   a subnormal or zero, and the exponent field 0. A carry out of the mantissa raises the
   exponent. */
MPX__SHARED_INLINE mpx__vu mpx__f32_of_parts(mpx__vu exponent, mpx__vu z, int to_odd) {
    mpx__vu top = mpx__shl(exponent, 23), rest = mpx__and(z, mpx__set(0x7fffffffu));
    mpx__vu mantissa = mpx__shr(rest, 8), odd = mpx__and(mantissa, mpx__set(1));
    if (to_odd)
        return mpx__or(mpx__or(top, mantissa), mpx__nonzero(mpx__and(rest, mpx__set(0xffu))));
    return mpx__add(top, mpx__shr(mpx__add(rest, mpx__add(mpx__set(0x7fu), odd)), 8));
}

/* The f32 exponent field of an integer: 127 + the place of its leading one, 0 of 0. */
MPX__SHARED_INLINE mpx__vu mpx__exponent_of(mpx__vu x) {
    mpx__vu large = mpx__gt(x, mpx__set(0xffffffu));
    mpx__vu u = mpx__f32_of_u24(mpx__select(large, mpx__shr(x, 8), x));
    return mpx__add(mpx__shr(u, 23), mpx__and(large, mpx__set(8)));
}

/* How far an integer with that exponent field is shifted to the left to have its leading one at bit
   31; for 0, any count in range. */
MPX__FORCE_INLINE mpx__vu mpx__leading_zeros(mpx__vu exponent) {
    return mpx__and(mpx__sub(mpx__set(127 + 31), exponent), mpx__set(31));
}

MPX__SHARED_INLINE mpx__vu mpx__decode_u32(mpx__vu x, int to_odd) {
    mpx__vu exponent = mpx__exponent_of(x);
    return mpx__f32_of_parts(exponent, mpx__shlv(x, mpx__leading_zeros(exponent)), to_odd);
}

/* The 64 bits of a number from its leading one on: z, and what follows. That one is in the high
   half, or in the low half alone, which then moves up. Returns its exponent field in f32. */
MPX__SHARED_INLINE mpx__vu mpx__leading_bits_u64(mpx__vu low, mpx__vu high, mpx__vu *z,
                                                 mpx__vu *rest) {
    mpx__vu tall = mpx__gt(high, mpx__set(0)), a = mpx__select(tall, high, low),
            b = mpx__and(tall, low);
    mpx__vu exponent = mpx__exponent_of(a), n = mpx__leading_zeros(exponent);
    mpx__vu from_b = mpx__shrv(mpx__shr(b, 1), mpx__sub(mpx__set(31), n)); /* b >> (32 - n) */
    *z = mpx__or(mpx__shlv(a, n), from_b);
    *rest = mpx__shlv(b, n);
    return mpx__add(exponent, mpx__and(tall, mpx__set(32)));
}
MPX__SHARED_INLINE mpx__vu mpx__decode_u64(mpx__vu low, mpx__vu high, int to_odd) {
    mpx__vu z, rest, exponent = mpx__leading_bits_u64(low, high, &z, &rest);
    return mpx__f32_of_parts(exponent, mpx__or(z, mpx__nonzero(rest)), to_odd);
}

/* All ones where the sign bit of x is set. */
MPX__FORCE_INLINE mpx__vu mpx__sign_mask(mpx__vu x) { return mpx__gt(x, mpx__set(0x7fffffffu)); }

/* Two's complement where the mask says so: invert, add one; the high half gets the carry. */
MPX__FORCE_INLINE mpx__vu mpx__negate_low(mpx__vu low, mpx__vu mask) {
    return mpx__sub(mpx__xor(low, mask), mask);
}
MPX__FORCE_INLINE mpx__vu mpx__negate_high(mpx__vu low, mpx__vu high, mpx__vu mask) {
    return mpx__sub(mpx__xor(high, mask), mpx__and(mask, mpx__eq(low, mpx__set(0))));
}

MPX__FORCE_INLINE mpx__vu mpx__with_sign_of(mpx__vu magnitude, mpx__vu x) {
    return mpx__or(magnitude, mpx__and(x, mpx__set(0x80000000u)));
}

MPX__FORCE_INLINE mpx__vu mpx__decode_i32(mpx__vu x, int to_odd) {
    mpx__vu magnitude = mpx__negate_low(x, mpx__sign_mask(x));
    return mpx__with_sign_of(mpx__decode_u32(magnitude, to_odd), x);
}
MPX__FORCE_INLINE mpx__vu mpx__decode_i64(mpx__vu low, mpx__vu high, int to_odd) {
    mpx__vu mask = mpx__sign_mask(high), low_magnitude = mpx__negate_low(low, mask),
            high_magnitude = mpx__negate_high(low, high, mask);
    return mpx__with_sign_of(mpx__decode_u64(low_magnitude, high_magnitude, to_odd), high);
}

/* f64    s eeeeeeeeeee mmmmmmmmmmmmmmmmmmmm | mmmmmmmmmmm yyyyyyyyyyyyyyyyyyyyy     bias 1023
                                 20 in high  | 11 in low   21 below them
   The 32 leading bits of its significand; h is the high half without the sign. A subnormal f64 has
   no hidden bit. */
MPX__SHARED_INLINE mpx__vu mpx__significand_f64(mpx__vu low, mpx__vu h) {
    mpx__vu hidden = mpx__and(mpx__gt(h, mpx__set(0xfffffu)), mpx__set(0x80000000u));
    mpx__vu z = mpx__or(mpx__shl(mpx__and(h, mpx__set(0xfffffu)), 11), mpx__shr(low, 21));
    return mpx__or(hidden, z);
}

/* Normal results: the exponent moves from one bias to the other. Subnormal results: z is shifted
   to the right, one bit more per exponent below 897, that of the smallest normal f32; what leaves z
   goes into its lowest bit, and after 31 bits nothing else is left. Results of 2^128 and more stop
   at Inf, or, rounded to odd, below it. NaN: quiet, with the leading payload bits. cut: what is
   dropped is cleared before, and rounding to odd then is rounding toward zero. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64_parts(mpx__vu low, mpx__vu high, int to_odd, int cut) {
    const uint32_t rebias = 1023 - 127;
    mpx__vu h = mpx__and(high, mpx__set(0x7fffffffu)), e = mpx__shr(h, 20);
    mpx__vu below = mpx__sub(mpx__max(e, mpx__set(rebias + 1u)), e),
            n = mpx__min(below, mpx__set(31));
    mpx__vu within = mpx__min(mpx__max(e, mpx__set(rebias)), mpx__set(rebias + 255u)),
            exponent = mpx__sub(within, mpx__set(rebias));
    mpx__vu whole = mpx__significand_f64(low, h), z = mpx__shrv(whole, n);
    mpx__vu lost = mpx__or(mpx__xor(whole, mpx__shlv(z, n)), mpx__shl(low, 11));
    mpx__vu kept = cut ? mpx__and(z, mpx__set(~0xffu)) : mpx__or(z, mpx__nonzero(lost));
    mpx__vu rounded = mpx__f32_of_parts(exponent, kept, to_odd),
            finite = mpx__min(rounded, mpx__set(to_odd ? 0x7f7fffffu : 0x7f800000u));
    mpx__vu payload = mpx__or(mpx__shl(mpx__and(h, mpx__set(0xfffffu)), 3), mpx__shr(low, 29));
    mpx__vu is_nan = mpx__gt(mpx__or(h, mpx__nonzero(low)), mpx__set(0x7ff00000u));
    mpx__vu special = mpx__or(mpx__or(payload, mpx__set(0x7f800000u)),
                              mpx__and(is_nan, mpx__set(0x400000u)));
    mpx__vu a = mpx__select(mpx__gt(h, mpx__set(0x7fefffffu)), special, finite);
    return mpx__with_sign_of(a, high);
}
MPX__SHARED_INLINE mpx__vu mpx__decode_f64(mpx__vu low, mpx__vu high, int to_odd) {
    return mpx__f32_of_f64_parts(low, high, to_odd, 0);
}

/* ---- from f32 -------------------------------------------------------------------------------- */

/* To f64, exact: three of the mantissa's bits move into the low half, and the exponent gets the
   other bias. A subnormal f32 counts units of 2^-149: convert the count, then lower the
   exponent. */
MPX__FORCE_INLINE void mpx__encode_f64(mpx__vu u, mpx__vu *low, mpx__vu *high) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu));
    mpx__vu subnormal = mpx__gt(mpx__set(0x800000u), a),
            special = mpx__gt(a, mpx__set(0x7f7fffffu)),
            quiet = mpx__and(mpx__gt(a, mpx__set(0x7f800000u)), mpx__set(0x80000u));
    mpx__vu v = mpx__select(subnormal, mpx__f32_of_u24(mpx__and(a, mpx__set(0x7fffffu))), a);
    mpx__vu rebias = mpx__select(subnormal, mpx__set((1023u - 127u - 149u) << 20),
                                 mpx__set((1023u - 127u) << 20));
    mpx__vu h = mpx__or(mpx__add(mpx__shr(v, 3), rebias),
                        mpx__or(mpx__and(special, mpx__set(0x7ff00000u)), quiet));
    *low = mpx__shl(v, 29);
    *high = mpx__with_sign_of(mpx__and(h, mpx__gt(a, mpx__set(0))), u);
}

/* The 32 leading bits of an f32's significand. */
MPX__FORCE_INLINE mpx__vu mpx__significand_f32(mpx__vu a) {
    return mpx__or(mpx__shl(a, 8), mpx__set(0x80000000u));
}

/* z * 2^(exponent - 158) truncated to an integer, all ones from 2^32 on. `exponent` is that of f32,
   in a float's wider field perhaps below 0 (as a huge number): then, as below 127, nothing is
   left. */
MPX__FORCE_INLINE mpx__vu mpx__truncate_u32(mpx__vu z, mpx__vu exponent) {
    mpx__vu n = mpx__sub(mpx__set(127 + 31), exponent);
    mpx__vu whole = mpx__and(mpx__shrv(z, mpx__and(n, mpx__set(31))), mpx__gt(mpx__set(32), n));
    return mpx__or(whole, mpx__gt(n, mpx__set(0xffff0000u)));
}

/* u holds the sign. Negative numbers become 0 or, in i32, as low as -2^31. */
MPX__FORCE_INLINE mpx__vu mpx__signed_u32(mpx__vu x, mpx__vu u) {
    return mpx__and(x, mpx__gt(mpx__set(0x80000000u), u));
}
MPX__FORCE_INLINE mpx__vu mpx__signed_i32(mpx__vu x, mpx__vu u) {
    mpx__vu limit = mpx__add(mpx__set(0x7fffffffu), mpx__shr(u, 31));
    return mpx__negate_low(mpx__min(x, limit), mpx__sign_mask(u));
}

/* Magnitudes of f32 and f64 to 32 bits; NaN gives 0. */
MPX__SHARED_INLINE mpx__vu mpx__truncate_f32(mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu));
    mpx__vu x = mpx__truncate_u32(mpx__significand_f32(a), mpx__shr(a, 23));
    return mpx__and(x, mpx__gt(mpx__set(0x7f800001u), a));
}
MPX__SHARED_INLINE mpx__vu mpx__truncate_f64(mpx__vu low, mpx__vu high) {
    mpx__vu h = mpx__and(high, mpx__set(0x7fffffffu));
    mpx__vu e = mpx__sub(mpx__shr(h, 20), mpx__set(1023 - 127));
    mpx__vu x = mpx__truncate_u32(mpx__significand_f64(low, h), e);
    return mpx__and(x, mpx__gt(mpx__set(0x7ff00001u), mpx__or(h, mpx__nonzero(low))));
}

/* f32 magnitude to 64 bits. Below 2^32: z >> (158 - exponent), in the low half. From there on:
   z >> (190 - exponent), in the high half, and what that drops in the low half. Both counts have
   the same lowest five bits. */
MPX__SHARED_INLINE void mpx__truncate_u64(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    mpx__vu z = mpx__significand_f32(a);
    mpx__vu n = mpx__and(mpx__sub(mpx__set(127 + 31), mpx__shr(a, 23)), mpx__set(31));
    mpx__vu x = mpx__shrv(z, n), below = mpx__shlv(mpx__shl(z, 1), mpx__sub(mpx__set(31), n));
    mpx__vu tall = mpx__gt(a, mpx__set(0x4f7fffffu)), full = mpx__gt(a, mpx__set(0x5f7fffffu));
    mpx__vu valid = mpx__and(mpx__gt(a, mpx__set(0x3f7fffffu)), /* 1 and more, but no NaN */
                             mpx__gt(mpx__set(0x7f800001u), a));
    *low = mpx__and(mpx__or(mpx__select(tall, below, x), full), valid);
    *high = mpx__and(mpx__or(mpx__and(tall, x), full), valid);
}

/* A magnitude of 64 bits gets a sign. From 2^63 on: 2^63 - 1, or 2^63 where it is negated, which is
   its own negative. */
MPX__FORCE_INLINE void mpx__signed_i64(mpx__vu *low, mpx__vu *high, mpx__vu mask) {
    mpx__vu full = mpx__sign_mask(*high),
            x = mpx__select(full, mpx__xor(mask, mpx__set(0xffffffffu)), *low),
            y = mpx__select(full, mpx__sub(mpx__set(0x7fffffffu), mask), *high);
    *low = mpx__negate_low(x, mask);
    *high = mpx__negate_high(x, y, mask);
}
/* Negative numbers become 0. */
MPX__FORCE_INLINE void mpx__signed_u64(mpx__vu *low, mpx__vu *high, mpx__vu mask) {
    mpx__vu positive = mpx__eq(mask, mpx__set(0));
    *low = mpx__and(*low, positive);
    *high = mpx__and(*high, positive);
}
MPX__FORCE_INLINE void mpx__encode_u64(mpx__vu u, mpx__vu *low, mpx__vu *high) {
    mpx__truncate_u64(mpx__and(u, mpx__set(0x7fffffffu)), low, high);
    mpx__signed_u64(low, high, mpx__sign_mask(u));
}
MPX__FORCE_INLINE void mpx__encode_i64(mpx__vu u, mpx__vu *low, mpx__vu *high) {
    mpx__truncate_u64(mpx__and(u, mpx__set(0x7fffffffu)), low, high);
    mpx__signed_i64(low, high, mpx__sign_mask(u));
}

/* An integer of 32 bits to f64, exact: 21 of its bits below the hidden one stand in high. */
MPX__SHARED_INLINE void mpx__encode_f64_of_u32(mpx__vu x, mpx__vu *low, mpx__vu *high) {
    mpx__vu exponent = mpx__exponent_of(x), z = mpx__shlv(x, mpx__leading_zeros(exponent));
    mpx__vu h = mpx__add(mpx__shl(mpx__add(exponent, mpx__set(1023 - 127)), 20),
                         mpx__shr(mpx__and(z, mpx__set(0x7fffffffu)), 11));
    *low = mpx__shl(z, 21);
    *high = mpx__and(h, mpx__gt(x, mpx__set(0)));
}

/* ---- decoders and encoders ------------------------------------------------------------------- */

/* From 64 bits at p. */
#define MPX__DECODER64(name, decode) \
    MPX__DECODER(name) { \
        mpx__vu low, high; \
        mpx__load64(p, &low, &high); \
        return decode; \
    }
/* u to 64 bits at p. */
#define MPX__ENCODER64(name, encode) \
    MPX__ENCODER(name) { \
        mpx__vu low, high; \
        encode(u, &low, &high); \
        mpx__store64(p, low, high); \
    }

/* To f32: to nearest, and to odd for the hub. */
MPX__DECODER64(mpx__dec_f64, mpx__decode_f64(low, high, 0))
MPX__DECODER64(mpx__dec_odd_f64, mpx__decode_f64(low, high, 1))
MPX__DECODER64(mpx__dec_cut_f64, mpx__f32_of_f64_parts(low, high, 1, 1))
MPX__DECODER(mpx__dec_i32) { return mpx__decode_i32(mpx__load32(p), 0); }
MPX__DECODER(mpx__dec_odd_i32) { return mpx__decode_i32(mpx__load32(p), 1); }
MPX__DECODER(mpx__dec_u32) { return mpx__decode_u32(mpx__load32(p), 0); }
MPX__DECODER(mpx__dec_odd_u32) { return mpx__decode_u32(mpx__load32(p), 1); }
MPX__DECODER64(mpx__dec_i64, mpx__decode_i64(low, high, 0))
MPX__DECODER64(mpx__dec_odd_i64, mpx__decode_i64(low, high, 1))
MPX__DECODER64(mpx__dec_u64, mpx__decode_u64(low, high, 0))
MPX__DECODER64(mpx__dec_odd_u64, mpx__decode_u64(low, high, 1))

/* From f32. */
MPX__ENCODER64(mpx__enc_f64, mpx__encode_f64)
MPX__ENCODER(mpx__enc_i32) { mpx__store32(p, mpx__signed_i32(mpx__truncate_f32(u), u)); }
MPX__ENCODER(mpx__enc_u32) { mpx__store32(p, mpx__signed_u32(mpx__truncate_f32(u), u)); }
MPX__ENCODER64(mpx__enc_i64, mpx__encode_i64)
MPX__ENCODER64(mpx__enc_u64, mpx__encode_u64)

/* Without f32 between: f64 to bits of i32 and u32, and back. */
MPX__DECODER64(mpx__dec_i32_of_f64, mpx__signed_i32(mpx__truncate_f64(low, high), high))
MPX__DECODER64(mpx__dec_u32_of_f64, mpx__signed_u32(mpx__truncate_f64(low, high), high))
#if MPX__HAS_FLOAT /* exact: no mode changes them, and they raise no flag */
MPX__ENCODER(mpx__enc_f64_of_i32) {
    mpx__vu v[2];
    mpx__f64_of_i32(v, u);
    mpx__store32(p, v[0]);
    mpx__store32((unsigned char *)p + 4 * MPX__LANES, v[1]);
}
/* 2^31 less, then more: that makes zero of 0, with the sign that the mode says. */
MPX__ENCODER(mpx__enc_f64_of_u32) {
    const mpx__vu more = mpx__set64((uint64_t)0x41e0 << 48),
                  magnitude = mpx__set64((uint64_t)-1 >> 1);
    mpx__vu v[2];
    mpx__f64_of_i32(v, mpx__xor(u, mpx__set(0x80000000u)));
    mpx__store32(p, mpx__and(mpx__fadd64(v[0], more), magnitude));
    mpx__store32((unsigned char *)p + 4 * MPX__LANES,
                 mpx__and(mpx__fadd64(v[1], more), magnitude));
}
#else
MPX__ENCODER64(mpx__enc_f64_of_u32, mpx__encode_f64_of_u32)
MPX__ENCODER(mpx__enc_f64_of_i32) {
    mpx__vu low, high;
    mpx__encode_f64_of_u32(mpx__negate_low(u, mpx__sign_mask(u)), &low, &high);
    mpx__store64(p, low, mpx__with_sign_of(high, u));
}
#endif
#undef MPX__DECODER64
#undef MPX__ENCODER64
/*==========================================================================*
 * MARK: wide - f64 and the integers of 32 and 64 bits                       *
 *   What f32 cannot hold goes through an unpacked number that holds all of  *
 *   them: a significand of 64 bits (32 where a build has no dtype that      *
 *   needs more) with an exponent. One rounding when it is packed again; on  *
 *   the way to a small format by round-to-odd into an f32,                  *
 *   as in codec_wide. That room and integers cast in lanes; this one does   *
 *   the rest, element by element: casts to f64 and f32 with options,        *
 *   products and quotients, and for size all casts between these dtypes.    *
 *==========================================================================*/

enum { MPX__ZERO_OR_FINITE = 0, MPX__INF, MPX__NAN };

#if MPX__HAS_64
typedef uint64_t mpx__sig;
#define MPX__SIG_BITS 64
#else
typedef uint32_t mpx__sig;
#define MPX__SIG_BITS 32
#endif

/* (-1)^sign * sig * 2^exp. A NaN's payload stands at the top of sig. */
typedef struct mpx__wide {
    mpx__sig sig;
    int32_t exp;
    uint8_t sign, kind;
} mpx__wide;

MPX__INLINE void mpx__wide_set(mpx__wide *w, unsigned sign, int kind, mpx__sig sig, int32_t exp) {
    w->sig = sig;
    w->exp = exp;
    w->sign = (uint8_t)sign;
    w->kind = (uint8_t)kind;
}

/* The fields of an IEEE format: the code without its sign in magnitude. */
MPX__INLINE void mpx__unpack_float(mpx__wide *w, unsigned sign, mpx__sig magnitude, int exp_bits,
                                   int man_bits, int bias) {
    int32_t exponent = (int32_t)(magnitude >> man_bits);
    mpx__sig fraction = magnitude & (((mpx__sig)1 << man_bits) - 1u);
    if (exponent == (1 << exp_bits) - 1)
        mpx__wide_set(w, sign, fraction != 0 ? MPX__NAN : MPX__INF,
                      fraction << (MPX__SIG_BITS - man_bits), 0);
    else if (exponent == 0)
        mpx__wide_set(w, sign, MPX__ZERO_OR_FINITE, fraction, 1 - bias - man_bits);
    else
        mpx__wide_set(w, sign, MPX__ZERO_OR_FINITE, fraction | (mpx__sig)1 << man_bits,
                      exponent - bias - man_bits);
}

/* Shift the leading one to the highest bit; sig is not zero. */
MPX__INLINE void mpx__normalize(mpx__wide *w) {
    int step;
    for (step = MPX__SIG_BITS / 2; step != 0; step >>= 1) {
        if (w->sig >> (MPX__SIG_BITS - step) == 0) {
            w->sig <<= step;
            w->exp -= step;
        }
    }
}

/* How a wide number is rounded: the public modes, and round-to-odd for what is rounded again. */
enum { MPX__TO_ODD = MPX_ROUND_STOCHASTIC + 1 };

/* Does dropping `rest` (its leading bit the highest) round up? q is what is kept. Stochastic: 16
   random bits at the top of the rest carry out with the probability rest / 2^64, to 2^-16. */
MPX__INLINE int mpx__rounds_up(mpx__sig q, mpx__sig rest, int mode, uint32_t random) {
    mpx__sig half = (mpx__sig)1 << (MPX__SIG_BITS - 1);
    if (mode == MPX_ROUND_NEAREST) return rest > half || (rest == half && (q & 1u) != 0);
    if (mode == MPX_ROUND_STOCHASTIC)
        return rest > (mpx__sig)-1 - ((mpx__sig)random << (MPX__SIG_BITS - 16));
    return 0;
}

/* Round a finite number to a code of an IEEE format, without sign.
     sig      1xxxxxxxxxxxxxx yyyyyyyyyyyyy    value = sig * 2^exp, leading one: exponent exp + top
              kept (q)        dropped (rest)   drop = top - man_bits, more for subnormal results
   q holds the hidden bit, so (biased exponent - 1) is what it is added to; a carry moves into the
   exponent. Toward zero and to odd do not reach Inf. */
MPX__PRIVATE mpx__sig mpx__pack_float(const mpx__wide *number, int exp_bits, int man_bits, int bias,
                                      int mode, uint32_t random) {
    const int bits = MPX__SIG_BITS, top = bits - 1;
    mpx__sig inf = (mpx__sig)((1 << exp_bits) - 1) << man_bits, q, rest, code;
    int32_t biased, drop = top - man_bits;
    mpx__wide w;
    if (number->sig == 0) return 0;
    mpx__wide_set(&w, 0, 0, number->sig, number->exp);
    mpx__normalize(&w);
    biased = w.exp + top + bias;
    if (biased >= (1 << exp_bits) - 1)
        return mode == MPX__TO_ODD || mode == MPX_ROUND_TOWARD_ZERO ? inf - 1u : inf;
    if (biased < 1) {
        drop += 1 - biased;
        biased = 1;
    }
    q = drop < bits ? w.sig >> drop : 0;
    rest = drop < bits ? w.sig << (bits - drop) : drop == bits ? w.sig : 1;
    if (drop > bits && drop < 2 * bits) rest |= w.sig >> (drop - bits);
    code = ((mpx__sig)(biased - 1) << man_bits) + q;
    if (mode == MPX__TO_ODD) return code | (rest != 0);
    return code + (unsigned)mpx__rounds_up(q, rest, mode, random);
}

MPX__PRIVATE mpx__sig mpx__float_code(const mpx__wide *w, int exp_bits, int man_bits, int bias,
                                      int mode, uint32_t random) {
    mpx__sig inf = (mpx__sig)((1 << exp_bits) - 1) << man_bits,
             sign = (mpx__sig)w->sign << (exp_bits + man_bits);
    if (w->kind == MPX__INF) return sign | inf;
    if (w->kind == MPX__NAN)
        return sign | inf | (mpx__sig)1 << (man_bits - 1) | w->sig >> (MPX__SIG_BITS - man_bits);
    return sign | mpx__pack_float(w, exp_bits, man_bits, bias, mode, random);
}

/* The integer part of the magnitude, at most limit; NaN gives 0. */
MPX__PRIVATE mpx__sig mpx__integer_part(const mpx__wide *w, mpx__sig limit) {
    mpx__sig x;
    if (w->kind != MPX__ZERO_OR_FINITE) return w->kind == MPX__INF ? limit : 0;
    if (w->exp <= -MPX__SIG_BITS || w->sig == 0) return 0;
    if (w->exp <= 0)
        x = w->sig >> -w->exp;
    else if (w->exp >= MPX__SIG_BITS || w->sig > limit >> w->exp)
        return limit;
    else
        x = w->sig << w->exp;
    return x < limit ? x : limit;
}

MPX__INLINE void mpx__wide_from_integer(mpx__wide *w, unsigned sign, mpx__sig magnitude) {
    mpx__wide_set(w, sign, MPX__ZERO_OR_FINITE, magnitude, 0);
}
MPX__INLINE void mpx__wide_from_f32(mpx__wide *w, uint32_t u) {
    mpx__unpack_float(w, u >> 31, u & 0x7fffffffu, 8, 23, 127);
}
MPX__INLINE uint32_t mpx__wide_to_f32(const mpx__wide *w) {
    return (uint32_t)mpx__float_code(w, 8, 23, 127, MPX_ROUND_NEAREST, 0);
}
MPX__INLINE uint32_t mpx__wide_to_f32_odd(const mpx__wide *w) {
    return (uint32_t)mpx__float_code(w, 8, 23, 127, MPX__TO_ODD, 0);
}

/* ---- one loader and one storer per dtype ----------------------------------------------------- */

typedef void (*mpx__wide_load_fn)(mpx__wide *w, const void *p);
typedef void (*mpx__wide_store_fn)(void *p, const mpx__wide *w);

MPX__PRIVATE void mpx__wide_load_f32(mpx__wide *w, const void *p) {
    mpx__wide_from_f32(w, mpx__read32(p));
}
MPX__PRIVATE void mpx__wide_load_i32(mpx__wide *w, const void *p) {
    uint32_t x = mpx__read32(p), negative = x >> 31;
    mpx__wide_from_integer(w, (unsigned)negative, negative != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_load_u32(mpx__wide *w, const void *p) {
    mpx__wide_from_integer(w, 0, mpx__read32(p));
}

MPX__PRIVATE void mpx__wide_store_f32(void *p, const mpx__wide *w) {
    mpx__write32(p, mpx__wide_to_f32(w));
}
MPX__PRIVATE void mpx__wide_store_f32_odd(void *p, const mpx__wide *w) {
    mpx__write32(p, mpx__wide_to_f32_odd(w));
}
MPX__PRIVATE void mpx__wide_store_i32(void *p, const mpx__wide *w) {
    uint32_t x = (uint32_t)mpx__integer_part(w, 0x7fffffffu + (mpx__sig)w->sign);
    mpx__write32(p, w->sign != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_store_u32(void *p, const mpx__wide *w) {
    mpx__write32(p, w->sign != 0 ? 0u : (uint32_t)mpx__integer_part(w, 0xffffffffu));
}

#if MPX__HAS_64
MPX__PRIVATE void mpx__wide_load_f64(mpx__wide *w, const void *p) {
    uint64_t u = mpx__read64(p);
    mpx__unpack_float(w, (unsigned)(u >> 63), u & ((uint64_t)-1 >> 1), 11, 52, 1023);
}
MPX__PRIVATE void mpx__wide_load_i64(mpx__wide *w, const void *p) {
    uint64_t x = mpx__read64(p), negative = x >> 63;
    mpx__wide_from_integer(w, (unsigned)negative, negative != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_load_u64(mpx__wide *w, const void *p) {
    mpx__wide_from_integer(w, 0, mpx__read64(p));
}

MPX__PRIVATE void mpx__wide_store_f64(void *p, const mpx__wide *w) {
    mpx__write64(p, mpx__float_code(w, 11, 52, 1023, MPX_ROUND_NEAREST, 0));
}
MPX__PRIVATE void mpx__wide_store_i64(void *p, const mpx__wide *w) {
    uint64_t x = mpx__integer_part(w, ((uint64_t)-1 >> 1) + w->sign);
    mpx__write64(p, w->sign != 0 ? 0u - x : x);
}
MPX__PRIVATE void mpx__wide_store_u64(void *p, const mpx__wide *w) {
    mpx__write64(p, w->sign != 0 ? 0u : mpx__integer_part(w, (uint64_t)-1));
}
#endif

/* NULL for the dtypes that the f32 hub serves. */
MPX__PRIVATE mpx__wide_load_fn mpx__wide_loader(mpx_dtype type) {
    switch (type) {
        MPX__IF_F64(case MPX_F64: return mpx__wide_load_f64;)
        MPX__IF_I32(case MPX_I32: return mpx__wide_load_i32;)
        MPX__IF_U32(case MPX_U32: return mpx__wide_load_u32;)
        MPX__IF_I64(case MPX_I64: return mpx__wide_load_i64;)
        MPX__IF_U64(case MPX_U64: return mpx__wide_load_u64;)
    default: return NULL;
    }
}

/* These, and f32: where a wide number meets f32 it is rounded to nearest, once. */
MPX__PRIVATE mpx__wide_store_fn mpx__wide_storer(mpx_dtype type) {
    switch (type) {
        MPX__IF_F64(case MPX_F64: return mpx__wide_store_f64;)
    case MPX_F32: return mpx__wide_store_f32;
        MPX__IF_I32(case MPX_I32: return mpx__wide_store_i32;)
        MPX__IF_U32(case MPX_U32: return mpx__wide_store_u32;)
        MPX__IF_I64(case MPX_I64: return mpx__wide_store_i64;)
        MPX__IF_U64(case MPX_U64: return mpx__wide_store_u64;)
    default: return NULL;
    }
}

MPX__PRIVATE void mpx__wide_loop(void *dst, size_t dst_step, const void *src, size_t src_step,
                                 size_t n, mpx__wide_load_fn load, mpx__wide_store_fn store) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    mpx__wide w;
    for (; n != 0; n--, d += dst_step, s += src_step) {
        load(&w, s);
        store(d, &w);
    }
}
/*==========================================================================*
 * MARK: loop - over a buffer                                                *
 *   Written once. Per dtype: codec.h. Per ISA: simd_*.h.                    *
 *==========================================================================*/

typedef mpx__vu (*mpx__dec_fn)(const void *p);
typedef void (*mpx__enc_fn)(void *p, mpx__vu u);

/* stage: copy size bytes (less than two vectors) and fill two vectors up with zeros. unstage: write
   the first size bytes of a result of `all` bytes. An ISA with masked loads and stores has its
   own. */
#ifndef MPX__HAS_STAGE
/* At most 16 bytes by one store: to load what several wrote takes some 6 ns more (Zen 3). 0, and
   nothing done, for more, and where no instruction makes a vector of two registers. */
#if defined(MPX__HAS_OF_BYTES) && !MPX__COMPACT
MPX__FORCE_INLINE int mpx__stage_few(void *in, const unsigned char *s, size_t size) {
    if (size > 16) return 0;
    mpx__store32(in, size < 8 ? mpx__of_bytes(mpx__read_few(s, size), 0)
                              : mpx__of_bytes(mpx__read64(s), mpx__read_few(s + 8, size - 8)));
    return 1;
}
#else
MPX__INLINE int mpx__stage_few(void *in, const unsigned char *s, size_t size) {
    return (void)in, (void)s, (void)size, 0;
}
#endif
MPX__FORCE_INLINE void mpx__stage(void *in, const void *src, size_t size) {
    mpx__store32((unsigned char *)in + MPX__LANES * 4, mpx__set(0));
    if (mpx__stage_few(in, (const unsigned char *)src, size)) return;
    mpx__store32(in, mpx__set(0));
    mpx__copy(in, src, size);
}
MPX__FORCE_INLINE void mpx__unstage(void *dst, const void *out, size_t size, size_t all) {
    (void)all;
    mpx__copy(dst, out, size);
}
#endif

/* dst[i] = enc(dec(src[i])), steps in bytes. Decoder and encoder are constants at every call and
   fold into the loop. The rest below a full vector goes through one on the stack, so that no byte
   beyond the buffers is touched. */
MPX__FORCE_INLINE void mpx__loop(void *dst, size_t dst_step, const void *src, size_t src_step,
                                 size_t n, mpx__dec_fn dec, mpx__enc_fn enc) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const size_t dst_vector = MPX__LANES * dst_step, src_vector = MPX__LANES * src_step;
    for (; n >= MPX__LANES; n -= MPX__LANES, d += dst_vector, s += src_vector)
        enc(d, dec(s));
    if (MPX__LANES > 1 && n != 0) {
        unsigned char in[MPX__LANES * 8], out[MPX__LANES * 8]; /* of at most 64 bits each */
        mpx__stage(in, s, n * src_step);
        enc(out, dec(in));
        mpx__unstage(d, out, n * dst_step, dst_vector);
    }
}
/*==========================================================================*
 * MARK: round - rounding modes and saturation, for any float dtype          *
 *   On the way to a float dtype the f32 tile is first rounded to the        *
 *   dtype's precision and clamped to its range as the options ask; encoding *
 *   such a tile is exact.                                                   *
 *==========================================================================*/

/* ---- random bits ----------------------------------------------------------------------------- */

/* 16 bits for element `index`: half of a 32-bit word whose counter is index / 2, the lower half for
   even elements. The word is the counter, xored with a key of the seed, through two
   multiply-xorshift rounds (constants: Wellons, hash-prospector "lowbias32") with a second key
   between them, so that seeds do not permute each other's words. The counter's high half is mixed
   into the second key. */
MPX__FORCE_INLINE mpx__vu mpx__mix_lanes(mpx__vu x, mpx__vu key) {
    x = mpx__mul(mpx__xor(x, mpx__shr(x, 16)), mpx__set(0x7feb352du));
    x = mpx__xor(mpx__xor(x, mpx__shr(x, 15)), key);
    x = mpx__mul(x, mpx__set(0x846ca68bu));
    return mpx__xor(x, mpx__shr(x, 16));
}
MPX__INLINE uint32_t mpx__mix32(uint32_t x, uint32_t key) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x ^= key;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* ---- rounding the tile ----------------------------------------------------------------------- */

/* What rounding to a dtype needs to know. largest: f32 bits of its largest finite value; magnitudes
   above it and below clamp_end become it. */
typedef struct mpx__rounder {
    int rounding, saturate, man_bits, bias;
    uint32_t largest, clamp_end, key0, key1;
    uint64_t index; /* of the next element */
} mpx__rounder;

/* The second key of the words from the next element on, until the counter's high half changes. */
MPX__INLINE uint32_t mpx__second_key(const mpx__rounder *r) {
    return r->key1 ^ mpx__mix32((uint32_t)(r->index >> 33) + r->key1, r->key0);
}

MPX__INLINE uint32_t mpx__random16(const mpx__rounder *r) {
    uint32_t word = mpx__mix32((uint32_t)(r->index >> 1) ^ r->key0, mpx__second_key(r));
    return (r->index & 1u) != 0 ? word >> 16 : word & 0xffffu;
}

/* f32 bits rounded to man_bits and bias. `random` is what the mode adds before the cut: 16 random
   bits, placed at the top of what is lost, or 0. Inf and NaN stay.
   Normal results:    the lowest `drop` mantissa bits go.
   Subnormal results: the mantissa with its hidden bit counts units of 2^(1 - bias - man_bits), and
                      loses n bits so that whole units remain: (m + random * 2^(n - 16)) >> n. n is
                      at least 14, so 4 * m is shifted by n - 14, and the last 16 after the sum.
   e8m0:              of f32's subnormals, those up to 2^-127 stay and the others lose 22 bits. */
MPX__FORCE_INLINE mpx__vu mpx__round_to_format(mpx__vu u, mpx__vu random, int man_bits, int bias) {
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), v;
    v = mpx__add(a, drop < 16 ? mpx__shr(random, 16 - drop) : mpx__shl(random, drop - 16));
    v = mpx__shl(mpx__shr(v, drop), drop);
    if (bias < 127) {
        mpx__vu m = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
        mpx__vu n_less_14 = mpx__sub(mpx__set((uint32_t)(drop + 128 - bias - 14)), mpx__shr(a, 23));
        mpx__vu cut = mpx__shrv(mpx__shl(m, 2), mpx__min(n_less_14, mpx__set(31)));
        mpx__vu units = mpx__shr(mpx__add(cut, random), 16);
        v = mpx__select(mpx__gt(mpx__set((uint32_t)(128 - bias) << 23), a),
                        mpx__decode_subnormal(units, man_bits, bias), v);
    } else if (man_bits == 0) {
        mpx__vu cut = mpx__shl(mpx__shr(mpx__add(a, mpx__shl(random, 6)), 22), 22);
        v = mpx__select(mpx__gt(mpx__set(0x800000u), a), cut, v);
        v = mpx__select(mpx__gt(a, mpx__set(0x400000u)), v, a);
    }
    v = mpx__select(mpx__gt(mpx__set(0x7f800000u), a), v, a);
    return mpx__or(v, mpx__and(u, mpx__set(0x80000000u)));
}

MPX__FORCE_INLINE mpx__vu mpx__clamp_to_format(mpx__vu u, uint32_t largest, uint32_t end) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), sign = mpx__xor(u, a);
    mpx__vu beyond = mpx__and(mpx__gt(a, mpx__set(largest)), mpx__gt(mpx__set(end), a));
    return mpx__select(beyond, mpx__or(sign, mpx__set(largest)), u);
}

/* Counters of the lanes, less that of the first. */
static const unsigned char mpx__lane_numbers[16] = { 0, 1, 2,  3,  4,  5,  6,  7,
                                                     8, 9, 10, 11, 12, 13, 14, 15 };
typedef char mpx__lanes_have_numbers[MPX__LANES <= 16 ? 1 : -1];

/* A lane of random bits serves two elements: the lower half is to stand first in memory. */
MPX__FORCE_INLINE void mpx__store_halves(void *p, mpx__vu word) {
    const uint16_t one = 1;
    int little_endian = *(const unsigned char *)&one != 0;
    mpx__store32(p, little_endian ? word : mpx__or(mpx__shl(word, 16), mpx__shr(word, 16)));
}

/* Words from the next element on until the counter's high half changes; the counters of the first
   ones. */
MPX__INLINE uint64_t mpx__words_left(const mpx__rounder *r) {
    return ((uint64_t)1 << 32) - (r->index >> 1 & 0xffffffffu);
}
MPX__FORCE_INLINE mpx__vu mpx__first_counters(const mpx__rounder *r) {
    return mpx__add(mpx__set((uint32_t)(r->index >> 1)), mpx__load8(mpx__lane_numbers));
}

/* Groups of 2 * MPX__LANES elements in place, the first at an even index. */
MPX__PRIVATE void mpx__round_groups(void *tile, size_t groups, const mpx__rounder *r) {
    const int rounding = r->rounding, man_bits = r->man_bits, bias = r->bias;
    const uint32_t largest = r->largest, end = r->clamp_end;
    unsigned char *p = (unsigned char *)tile, random[MPX__LANES * 4];
    mpx__vu counter = mpx__first_counters(r), key0 = mpx__set(r->key0),
            key = mpx__set(mpx__second_key(r));
    int half;
    mpx__zero(random, sizeof random);
    for (; groups != 0; groups--, counter = mpx__add(counter, mpx__set(MPX__LANES))) {
        if (rounding == MPX_ROUND_STOCHASTIC)
            mpx__store_halves(random, mpx__mix_lanes(mpx__xor(counter, key0), key));
        for (half = 0; half < 2; half++, p += MPX__LANES * 4) {
            mpx__vu u = mpx__load32(p), random16 = mpx__load16(random + half * MPX__LANES * 2);
            if (rounding != MPX_ROUND_NEAREST)
                u = mpx__round_to_format(u, random16, man_bits, bias);
            mpx__store32(p, mpx__clamp_to_format(u, largest, end));
        }
    }
}

/* Elements from r->index on, as many as are done in one go; returns how many. Whole groups where
   they stand; what is no whole group, or starts at an odd index, in a group on the stack. Not past
   the word where the counter's high half changes. */
MPX__PRIVATE size_t mpx__round_some(void *tile, size_t n, const mpx__rounder *r) {
    enum { group = 2 * MPX__LANES };
    uint64_t words = mpx__words_left(r);
    size_t odd = (size_t)(r->index & 1u), groups = n / group, m = group - odd;
    uint32_t rest[group];
    if (groups > words / MPX__LANES) groups = (size_t)(words / MPX__LANES);
    if (groups != 0 && odd == 0) {
        mpx__round_groups(tile, groups, r);
        return groups * group;
    }
    if (words < MPX__LANES) m = (size_t)words * 2 - odd;
    if (m > n) m = n;
    mpx__zero(rest, sizeof rest);
    mpx__copy(rest + odd, tile, m * 4);
    mpx__round_groups(rest, 1, r);
    mpx__copy(tile, rest + odd, m * 4);
    return m;
}

/* A tile may stand at any address. */
MPX__PRIVATE void mpx__round_tile(void *tile, size_t n, mpx__rounder *r) {
    unsigned char *p = (unsigned char *)tile;
    while (n != 0 && (r->rounding != MPX_ROUND_NEAREST || r->saturate)) {
        size_t m = mpx__round_some(p, n, r);
        p += m * 4;
        n -= m;
        r->index += m;
    }
}

/* f32 to bf16 for rows of their own: elements that their way does not serve, `done` from the row's
   first; at most four vectors. */
MPX__PRIVATE void mpx__dither_exactly(unsigned char *d, const unsigned char *s, size_t n,
                                      const mpx__rounder *from_start, size_t done) {
    uint32_t tile[4 * MPX__LANES];
    mpx__rounder r;
    mpx__copy(&r, from_start, sizeof r); /* clang -Oz would call memcpy for an assignment */
    r.index += done;
    mpx__copy(tile, s, n * 4);
    mpx__round_tile(tile, n, &r);
    mpx__loop(d, 2, tile, 4, n, mpx__dec_f32, mpx__enc_bf16);
}

MPX__PRIVATE void mpx__rounder_set(mpx__rounder *r, mpx_dtype type, const mpx_cast_options *opt) {
    const mpx__row *row = mpx__row_of(type);
    uint32_t low = (uint32_t)opt->random_seed, high = (uint32_t)(opt->random_seed >> 32);
    r->rounding = opt->rounding;
    r->saturate = opt->saturate;
    r->man_bits = row->mantissa_bits;
    r->bias = row->bias;
    r->largest = row->kind == MPX_KIND_FLOAT ? mpx__largest_f32(row) : 0;
    r->clamp_end = opt->saturate                              ? 0x7f800001u /* Inf too */
                   : opt->rounding == MPX_ROUND_TOWARD_ZERO ? 0x7f800000u
                                                            : 0;
    r->key0 = mpx__mix32(low ^ 0x9e3779b9u, high);
    r->key1 = mpx__mix32(high + 0x85ebca6bu, low);
    r->index = opt->offset;
}

/* A wide number straight to f32 or f64 bits. */
MPX__PRIVATE void mpx__round_wide(void *p, mpx_dtype type, const mpx__wide *w, mpx__rounder *r) {
    int e = mpx__is_f64(type) ? 11 : 8, m = mpx__is_f64(type) ? 52 : 23;
    int bias = (1 << (e - 1)) - 1, stochastic = r->rounding == MPX_ROUND_STOCHASTIC;
    uint32_t random = stochastic ? mpx__random16(r) : 0;
    mpx__sig inf = (mpx__sig)((1 << e) - 1) << m, sign = (mpx__sig)w->sign << (e + m);
    mpx__sig code = mpx__float_code(w, e, m, bias, r->rounding, random);
    if (r->saturate && (code ^ sign) == inf) code--;
    r->index++;
    if (mpx__is_f64(type))
        mpx__write64(p, code);
    else
        mpx__write32(p, (uint32_t)code);
}
/*==========================================================================*
 * MARK: float_env - the caller's floating-point environment                 *
 *   Codecs compute with integers. Where a row uses float instructions, it   *
 *   runs between enter and leave: rounding to nearest, subnormals kept,     *
 *   nothing trapped; the caller's modes and flags are as before after it.   *
 *   Flags but for those that MPX_KEEP_FLAGS is about, see config.h.         *
 *==========================================================================*/
#if MPX__HAS_MXCSR
typedef unsigned mpx__env;
/* MXCSR: 1f80 is all masked and nearest; 3f the flags. Reading it waits for the float instructions
   before, writing it does not (Zen 4): so it is read once. The fences keep the float instructions,
   which hang on loads and stores, in between. */
MPX__FORCE_INLINE mpx__env mpx__env_enter(void) {
    unsigned saved = _mm_getcsr(), wanted = 0x1f80u | (saved & 0x3fu);
    if (saved != wanted) _mm_setcsr(wanted);
    MPX__KEEP_LOOP();
    return saved;
}
MPX__FORCE_INLINE void mpx__env_leave(mpx__env saved) {
    MPX__KEEP_LOOP();
    _mm_setcsr(saved);
}
#elif !MPX__HAS_ENV /* nothing to be set, or no float instructions in use */
typedef int mpx__env;
MPX__INLINE mpx__env mpx__env_enter(void) { return 0; }
MPX__INLINE void mpx__env_leave(mpx__env saved) { (void)saved; }
#endif

/* For one float operation per element it is enough to keep the modes; flags may be raised. That
   takes half the time. With MPX_KEEP_FLAGS, and elsewhere: as above. */
#define MPX__MODES_ARE_TOLD (MPX__HAS_MXCSR && !MPX_KEEP_FLAGS)
#if MPX__MODES_ARE_TOLD
/* Whether they are other than nearest and subnormals kept, told by sums which only then are these:
   twice the least subnormal, 1 and three quarters of what follows it, 1 and a quarter. That raises
   "inexact" and "denormal". */
MPX__FORCE_INLINE int mpx__modes_differ(void) {
    MPX__READ_HERE int tiny = 1;
    __m128i a = _mm_set_epi32(0, 0x3f800000, 0x3f800000, tiny),
            want = _mm_set_epi32(0, 0x3f800000, 0x3f800001, 2);
    __m128 sum = _mm_castsi128_ps(a);
    MPX__HERE(sum);
    sum = _mm_add_ps(sum, _mm_castsi128_ps(_mm_set_epi32(0, 0x33000000, 0x33c00000, 1)));
    MPX__HERE(sum);
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castps_si128(sum), want)) != 0xffff;
}
MPX__FORCE_INLINE mpx__env mpx__modes_enter(void) {
    return mpx__modes_differ() ? mpx__env_enter() : 0;
}
MPX__FORCE_INLINE void mpx__modes_leave(mpx__env saved) {
    if (saved != 0) mpx__env_leave(saved);
}
#else /* who needs them enters */
#ifndef MPX__HAS_MODES_DIFFER
MPX__INLINE int mpx__modes_differ(void) { return 0; }
#endif
MPX__INLINE mpx__env mpx__modes_enter(void) { return mpx__env_enter(); }
MPX__INLINE void mpx__modes_leave(mpx__env saved) { mpx__env_leave(saved); }
#endif

/* Whether sums are rounded down: then 1 less 1 is -0. That is exact, and raises nothing. */
#if MPX__HAS_MXCSR
MPX__FORCE_INLINE int mpx__rounds_down(void) {
    MPX__READ_HERE float one = 1;
    __m128 sum = _mm_set_ss(one);
    MPX__HERE(sum);
    sum = _mm_sub_ss(sum, _mm_set_ss(1));
    MPX__HERE(sum);
    return _mm_movemask_ps(sum) & 1;
}
#else /* it may be */
MPX__INLINE int mpx__rounds_down(void) { return MPX__HAS_ENV; }
#endif

/* The instructions of F16C keep to their own rounding and to subnormals, but raise flags, as C's
   own conversions do; those of AVX-512 can be told not to; those of AArch64 do as the modes say. */
#if MPX__F16_IN_ENV
MPX__FORCE_INLINE mpx__env mpx__f16_enter(void) { return mpx__env_enter(); }
MPX__FORCE_INLINE void mpx__f16_leave(mpx__env saved) { mpx__env_leave(saved); }
#else
MPX__INLINE mpx__env mpx__f16_enter(void) { return 0; }
MPX__INLINE void mpx__f16_leave(mpx__env saved) { (void)saved; }
#endif

#if MPX__HAS_FLOAT && !defined(MPX__HAS_ODD)
/* f64 to what f32 holds, by round-to-odd: 29 bits go, and the lowest that stays is set if they are
   not all 0, by the carry when all ones are added to them. The conversion then has nothing to
   round, but below 2^-126, and makes Inf of 2^128 and more. */
MPX__FORCE_INLINE mpx__vu mpx__cut_f64(mpx__vu x) {
    mpx__vu low = mpx__set64(0x1fffffffu), carry = mpx__add(mpx__and(x, low), low);
    return mpx__and(mpx__or(x, carry), mpx__set64(~(uint64_t)0x1fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_f32_of_f64(mpx__vu a, mpx__vu b) {
    return mpx__f32_of_f64(mpx__cut_f64(a), mpx__cut_f64(b));
}
#endif
/*==========================================================================*
 * MARK: pack - dtypes below a byte                                          *
 *   Codes of 2, 4 or 6 bits with one another, or in a byte each.            *
 *==========================================================================*/

#if MPX__HAS_FLOAT
MPX__FORCE_INLINE mpx__vu mpx__set16(int x) { return mpx__set((uint32_t)(x & 0xffff) * 0x10001u); }
MPX__FORCE_INLINE mpx__vu mpx__set8(int x) { return mpx__set((uint32_t)(x & 0xff) * 0x1010101u); }
#endif

/* ---- whole vectors --------------------------------------------------------------------------- */

/* Return the codes done, a multiple of four. */
#if MPX__HAS_JOIN
/* 4 * MPX__LANES codes of six bits are 3 * MPX__LANES bytes, at the start of a vector. It is stored
   whole where the n codes from here on have room for it, and loaded whole likewise. */
MPX__FORCE_INLINE void mpx__put_joined6(unsigned char *d, mpx__vu joined, size_t n) {
    unsigned char last[4 * MPX__LANES];
    if (n >= 6 * MPX__LANES) {
        mpx__store32(d, joined);
        return;
    }
    mpx__store32(last, joined);
    mpx__copy(d, last, 3 * MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__get_split6(const unsigned char *s, size_t n) {
    unsigned char last[4 * MPX__LANES];
    if (n >= 6 * MPX__LANES) return mpx__split6(mpx__load32(s));
    mpx__store32(last, mpx__set(0));
    mpx__copy(last, s, 3 * MPX__LANES);
    return mpx__split6(mpx__load32(last));
}
MPX__INLINE size_t mpx__join_rows(unsigned char *d, const unsigned char *codes, int bits,
                                  size_t n) {
    enum { step = 4 * MPX__LANES };
    const size_t all = n;
    for (; bits == 4 && n >= 2 * step; n -= 2 * step, d += step, codes += 2 * step)
        mpx__store32(d, mpx__join4(mpx__load32(codes), mpx__load32(codes + step)));
    for (; bits == 6 && n >= step; n -= step, d += 3 * MPX__LANES, codes += step)
        mpx__put_joined6(d, mpx__join6(mpx__load32(codes)), n);
    return all - n;
}
MPX__INLINE size_t mpx__split_rows(unsigned char *codes, const unsigned char *s, int bits,
                                   size_t n) {
    enum { step = 4 * MPX__LANES };
    const size_t all = n;
    for (; bits == 4 && n >= 2 * step; n -= 2 * step, s += step, codes += 2 * step) {
        mpx__vu low, high;
        mpx__split4(mpx__load32(s), &low, &high);
        mpx__store32(codes, low);
        mpx__store32(codes + step, high);
    }
    for (; bits == 6 && n >= step; n -= step, s += 3 * MPX__LANES, codes += step)
        mpx__store32(codes, mpx__get_split6(s, n));
    return all - n;
}
#else
MPX__INLINE size_t mpx__join_rows(unsigned char *d, const unsigned char *codes, int bits,
                                  size_t n) {
    (void)d, (void)codes, (void)bits, (void)n;
    return 0;
}
MPX__INLINE size_t mpx__split_rows(unsigned char *codes, const unsigned char *s, int bits,
                                   size_t n) {
    (void)codes, (void)s, (void)bits, (void)n;
    return 0;
}
#endif

/* ---- four codes at a time -------------------------------------------------------------------- */

/* Four codes of 2, 4 or 6 bits, with one another or in a byte each, the first one lowest:

     packed      ........ ........ ddddcccc bbbbaaaa
     half way    ........ ddddcccc ........ bbbbaaaa      moved by 16 - 2 * bits
     spread      ....dddd ....cccc ....bbbb ....aaaa      moved by  8 - bits        */
MPX__INLINE uint32_t mpx__spread_codes(uint32_t x, int bits) {
    uint32_t two = (1u << 2 * bits) - 1u, one = 0x00010001u * ((1u << bits) - 1u);
    x = (x & two) | (x & ~two) << (16 - 2 * bits);
    return (x & one) | (x & ~one) << (8 - bits);
}
MPX__INLINE uint32_t mpx__join_codes(uint32_t x, int bits) {
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

/* n codes of `bits` bits each, element 0 in the lowest bits of byte 0, to one code per byte. Four
   at a time are `bits` / 2 bytes. */
MPX__PRIVATE void mpx__unpack(unsigned char *codes, const void *src, int bits, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    size_t bytes = (size_t)bits / 2, done = mpx__split_rows(codes, s, bits, n);
    codes += done;
    s += done / 4 * bytes;
    n -= done;
    for (; n >= 4; n -= 4, s += bytes, codes += 4) {
        uint32_t x = mpx__spread_codes(mpx__read_bytes(s, bytes), bits);
        codes[0] = (unsigned char)(x & 255u);
        codes[1] = (unsigned char)(x >> 8 & 255u);
        codes[2] = (unsigned char)(x >> 16 & 255u);
        codes[3] = (unsigned char)(x >> 24);
        MPX__KEEP_LOOP(); /* else clang calls memset, for bits = 0 */
    }
    bytes = (n * (size_t)bits + 7) / 8;
    mpx__write_bytes(codes, mpx__spread_codes(mpx__read_bytes(s, bytes), bits), n);
}

/* And back; the unused bits of the last byte become zero. */
MPX__PRIVATE void mpx__pack(void *dst, const unsigned char *codes, int bits, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    size_t bytes = (size_t)bits / 2, done = mpx__join_rows(d, codes, bits, n);
    codes += done;
    d += done / 4 * bytes;
    n -= done;
    for (; n >= 4; n -= 4, codes += 4, d += bytes) {
        uint32_t x = codes[0] | (uint32_t)codes[1] << 8 | (uint32_t)codes[2] << 16 |
                     (uint32_t)codes[3] << 24;
        mpx__write_bytes(d, mpx__join_codes(x, bits), bytes);
    }
    bytes = (n * (size_t)bits + 7) / 8;
    mpx__write_bytes(d, mpx__join_codes(mpx__read_bytes(codes, n), bits), bytes);
}
/*==========================================================================*
 * MARK: fast - rows of their own                                            *
 *   Pairs for which a measurement shows that the shared loop is not enough. *
 *   An ISA without any has those at the end of this room, which do nothing: *
 *   the shared loop then does it all.                                       *
 *==========================================================================*/

typedef void (*mpx__kernel)(void *dst, const void *src, size_t n);

/* Below so many elements kernels take less time than the way to a row of its own. An ISA may say
   more where one kernel does it all: f32 to other floats, and all to f32. */
enum { MPX__FEW = MPX__LANES < 8 ? 16 : 64 };
#ifndef MPX__FEW_BY_KERNEL
#define MPX__FEW_BY_KERNEL MPX__FEW
#endif

/* Rows take no fewer. */
enum { MPX__ROW_MIN = MPX__HAS_OWN_ROWS ? 16 : 4 * MPX__LANES };

/* A cast of a span of elements, or what is left of it. A row takes whole blocks from the start and
   says how many elements that was; the rest, below a block, is left to the shared loop (but for
   those of numbers.h, which take it all). Whoever sets `stream` calls mpx__fence at the end. */
typedef struct mpx__span {
    unsigned char *d;
    const unsigned char *s;
    size_t n;
    const mpx__row *to, *from;
    uint8_t saturate;
    uint8_t packed; /* dtypes below a byte are packed; else each code has a byte */
    uint8_t stream; /* write past the caches: d is a multiple of 64 bytes then */
    uint8_t unused; /* so that one store sets all four */
} mpx__span;

MPX__FORCE_INLINE size_t mpx__stored_bits(const mpx__row *row, int packed) {
    return row->bits < 8 && !packed ? 8u : row->bits;
}

/* May n elements be too many for the caches, if each has 8 bytes on either side? */
MPX__FORCE_INLINE int mpx__may_be_large(size_t n) {
    size_t large = MPX__HAS_STREAM ? MPX_STREAM_BYTES : 0; /* no const: 0 would make clang warn */
    return large != 0 && n >= large / 16;
}

/* Sets a span up; returns whether it may be large: mpx__span_align then sees to it. The fences keep
   gcc from joining the stores in pairs: what is read back in parts cannot be forwarded, and waits
   for all that was stored before. */
MPX__FORCE_INLINE int mpx__span_set(mpx__span *span, void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n, int saturate, int packed) {
    span->d = (unsigned char *)dst;
    MPX__KEEP_LOOP();
    span->s = (const unsigned char *)src;
    MPX__KEEP_LOOP();
    span->n = n;
    MPX__KEEP_LOOP();
    span->to = to;
    MPX__KEEP_LOOP();
    span->from = from;
    MPX__KEEP_LOOP();
    span->saturate = (uint8_t)saturate;
    span->packed = (uint8_t)packed;
    span->stream = span->unused = 0;
    return mpx__may_be_large(n);
}

/* Elements of `bits` bits up to the next 64-byte boundary; SIZE_MAX if one straddles it. */
MPX__PRIVATE size_t mpx__until_aligned(const void *dst, size_t bits) {
    size_t bytes = (size_t)(0u - (uintptr_t)dst) & 63u;
    return bytes * 8 % bits == 0 ? bytes * 8 / bits : (size_t)-1;
}
/* Arrays of MPX_STREAM_BYTES and more go past the caches, aligned: returns how many elements stand
   before that alignment, to be cast before the rows begin. */
MPX__LONG_WAY size_t mpx__span_align(mpx__span *span) {
    size_t large = MPX_STREAM_BYTES;
    size_t to = mpx__stored_bits(span->to, span->packed),
           from = mpx__stored_bits(span->from, span->packed);
    size_t head = mpx__until_aligned(span->d, to);
    span->stream =
        span->n / 8 * (to + from) >= large && head < span->n && head * from % 8 == 0;
    return span->stream ? head : 0;
}

MPX__FORCE_INLINE void mpx__span_advance(mpx__span *span, size_t done) {
    size_t to = mpx__stored_bits(span->to, span->packed),
           from = mpx__stored_bits(span->from, span->packed);
    span->d += done / 8 * to + done % 8 * to / 8;
    MPX__KEEP_LOOP(); /* nor one load of what was stored in parts */
    span->s += done / 8 * from + done % 8 * from / 8;
    span->n -= done;
}

#if MPX__HAS_STREAM
/* While streaming, the source is asked for 8 KiB ahead: less gains less, and so does more. */
MPX__FORCE_INLINE void mpx__fetch(const unsigned char *s, size_t bytes, int stream) {
    size_t i;
    if (stream)
        for (i = 0; i < bytes; i += 64)
            mpx__prefetch(s + i + 8192);
}
#else
MPX__INLINE void mpx__fetch(const unsigned char *s, size_t bytes, int stream) {
    (void)s, (void)bytes, (void)stream;
}
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    (void)stream;
    mpx__store32(p, v);
}
MPX__INLINE void mpx__fence(void) {}
#endif

#if MPX__HAS_FLOAT
/* All of a cast by one function, without a span in memory, for some pairs. What it leaves, from a
   block on that it does not take, goes the way of all others. */
MPX__LONG_WAY mpx_status mpx__cast_left(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n);
MPX__FORCE_INLINE void mpx__whole_span(mpx__span *span, void *dst, mpx_dtype to, const void *src,
                                       mpx_dtype from, size_t n, int stream) {
    span->d = (unsigned char *)dst;
    span->s = (const unsigned char *)src;
    span->n = n;
    span->to = mpx__row_of(to);
    span->from = mpx__row_of(from);
    span->saturate = span->unused = 0;
    span->packed = 1;
    span->stream = (uint8_t)stream;
}
#define MPX__SHORTCUT(name, target, source, rows) \
    MPX__NOINLINE mpx_status name(void *dst, const void *src, size_t n) { \
        mpx__span span; \
        size_t done; \
        mpx__whole_span(&span, dst, target, src, source, n, 0); \
        done = rows; \
        if (done == n) return MPX_OK; \
        return mpx__cast_left(span.d + done * (span.to->bits / 8u), span.to, \
                              span.s + done * (span.from->bits / 8u), span.from, n - done); \
    }

/* The same for integers, f32 and f64 to one another: of each pair, by the names of its dtypes.
   `rows` and `few` are expressions: how many elements of *span they have cast, whole blocks, those
   of `few` of `step` elements. What is left below these is the end of the last `step`, cast again,
   or goes the same way in a copy filled up with zeros: nothing else is called, any n will do.
   Streams, and modes that differ, have a function of their own, between enter and leave: so the row
   itself needs a few registers and no more. `past`: what is a stream there, `stream`, or 1 where
   nothing else comes. */
enum {
    MPX__SIZE_i8 = 1, MPX__SIZE_u8 = 1, MPX__SIZE_i16 = 2, MPX__SIZE_u16 = 2, MPX__SIZE_i32 = 4,
    MPX__SIZE_u32 = 4, MPX__SIZE_i64 = 8, MPX__SIZE_u64 = 8, MPX__SIZE_f32 = 4, MPX__SIZE_f64 = 8,
    MPX__TYPE_i8 = MPX_I8, MPX__TYPE_u8 = MPX_U8, MPX__TYPE_i16 = MPX_I16, MPX__TYPE_u16 = MPX_U16,
    MPX__TYPE_i32 = MPX_I32, MPX__TYPE_u32 = MPX_U32, MPX__TYPE_i64 = MPX_I64,
    MPX__TYPE_u64 = MPX_U64, MPX__TYPE_f32 = MPX_F32, MPX__TYPE_f64 = MPX_F64
};
enum { MPX__REST = 4 * MPX__LANES };
MPX__PRIVATE void mpx__rest_in(unsigned char *in, const unsigned char *s, size_t size) {
    size_t i;
    for (i = 0; i < MPX__REST * 8; i += 4 * MPX__LANES)
        mpx__store32(in + i, mpx__set(0));
    mpx__copy(in, s, size);
}
MPX__INLINE int mpx__are_apart(const void *a, size_t size_a, const void *b, size_t size_b) {
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x >= size_a : x - y >= size_b;
}
typedef size_t (*mpx__rows_fn)(const mpx__span *span);
typedef mpx_status (*mpx__rest_fn)(void *dst, const void *src, size_t n, size_t done);
MPX__FORCE_INLINE mpx_status mpx__cast_by_rows(void *dst, mpx_dtype to, const void *src,
                                               mpx_dtype from, size_t n, int stream,
                                               mpx__rows_fn rows, mpx__rest_fn rest) {
    mpx__span span;
    size_t done;
    mpx__whole_span(&span, dst, to, src, from, n, stream);
    done = rows(&span);
    return done == n ? MPX_OK : rest(dst, src, n, done);
}
MPX__FORCE_INLINE mpx_status mpx__rest_by_rows(void *dst, mpx_dtype to, const void *src,
                                               mpx_dtype from, size_t n, size_t done, size_t step,
                                               mpx__rows_fn few) {
    unsigned char in[MPX__REST * 8], out[MPX__REST * 8];
    const size_t to_size = mpx__row_of(to)->bits / 8u, from_size = mpx__row_of(from)->bits / 8u;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    mpx__span span;
    while (done != n) {
        const size_t left = n - done;
        const int in_copy =
            left < step && (n < step || !mpx__are_apart(d, n * to_size, s, n * from_size));
        if (left < step && !in_copy) done = n - step;
        if (in_copy) mpx__rest_in(in, s + done * from_size, left * from_size);
        mpx__whole_span(&span, in_copy ? out : d + done * to_size, to,
                        in_copy ? in : s + done * from_size, from, left < step ? step : left, 0);
        done += few(&span);
        if (in_copy) {
            mpx__copy(d + (n - left) * to_size, out, left * to_size);
            done = n;
        }
    }
    return MPX_OK;
}
#define MPX__NUMBERS(from, to, name) mpx__##from##_to_##to##_##name
#define MPX__NUMBER_ROW_IN(from, to, rows, step, few, past, differ, enter, leave) \
    MPX__FORCE_INLINE size_t MPX__NUMBERS(from, to, blocks)(const mpx__span *span) { \
        return rows; \
    } \
    MPX__FORCE_INLINE size_t MPX__NUMBERS(from, to, steps)(const mpx__span *span) { \
        return few; \
    } \
    MPX__LONG_WAY mpx_status MPX__NUMBERS(from, to, rest)(void *dst, const void *src, size_t n, \
                                                          size_t done) { \
        return mpx__rest_by_rows(dst, MPX__TYPE_##to, src, MPX__TYPE_##from, n, done, step, \
                                 MPX__NUMBERS(from, to, steps)); \
    } \
    MPX__LONG_WAY mpx_status MPX__NUMBERS(from, to, within)(void *dst, const void *src, size_t n, \
                                                            int stream) { \
        mpx__env env = enter(); \
        mpx_status status = \
            mpx__cast_by_rows(dst, MPX__TYPE_##to, src, MPX__TYPE_##from, n, past, \
                              MPX__NUMBERS(from, to, blocks), MPX__NUMBERS(from, to, rest)); \
        leave(env); \
        (void)stream; \
        return status; \
    } \
    MPX__NOINLINE mpx_status MPX__NUMBERS(from, to, row)(void *dst, const void *src, size_t n, \
                                                         int stream) { \
        if ((MPX__HAS_STREAM && stream) || (differ)) \
            return MPX__NUMBERS(from, to, within)(dst, src, n, stream); \
        return mpx__cast_by_rows(dst, MPX__TYPE_##to, src, MPX__TYPE_##from, n, 0, \
                                 MPX__NUMBERS(from, to, blocks), MPX__NUMBERS(from, to, rest)); \
    }
#define MPX__NUMBER_ROW(from, to, rows) \
    MPX__NUMBER_ROW_IN(from, to, rows, MPX__REST, rows, 1, 0, mpx__no_env_enter, \
                       mpx__no_env_leave)
MPX__INLINE mpx__env mpx__no_env_enter(void) { return 0; }
MPX__INLINE void mpx__no_env_leave(mpx__env env) { (void)env; }
#else
MPX__INLINE size_t mpx__fast_rows(const mpx__span *span) {
    (void)span;
    return 0;
}
MPX__INLINE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    (void)span, (void)r;
    return 0;
}
#endif
/* Integers, f32 and f64 to one another. */
#if MPX__HAS_FLOAT
MPX__INLINE int mpx__has_integer(const mpx__span *span) {
    return span->to->kind != MPX_KIND_FLOAT || span->from->kind != MPX_KIND_FLOAT;
}
MPX__INLINE size_t mpx__number_row(const mpx__span *span);
#else
MPX__INLINE size_t mpx__number_row(const mpx__span *span) {
    (void)span;
    return 0;
}
#endif
#if !MPX__HAS_FLOAT || MPX__HAS_OWN_ROWS
MPX__INLINE size_t mpx__f64_to_tile(const mpx__span *span) {
    (void)span;
    return 0;
}
#endif
/*==========================================================================*
 * MARK: fast_small - floats of a byte and less                              *
 *   In the vocabulary, for every ISA with float lanes. To them, by float    *
 *   arithmetic between mpx__env_enter and leave; from them, by integers.    *
 *   Against the shared loop, 16 KiB of source: to them 4 times as fast with *
 *   AVX2 and 9 with SSE2, from them 3 to 18 and 2 to 13 times.              *
 *==========================================================================*/
#if MPX__HAS_FLOAT

/* Codes of a block: four vectors of f32, one vector of bytes. */
enum { MPX__BLOCK = 4 * MPX__LANES };

MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n);
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n);

#if !MPX__HAS_OWN_ROWS /* by better instructions */

/* ---- to the floats of a byte and less -------------------------------------------------------- */

/* Of the magnitude x of one f32, for a format with M mantissa bits:
       E = the power of two at or below x, at least the smallest normal
       s = x * 2^(M-23) + E, rounded to nearest even; the product is exact, or far below half a unit
   s has the exponent of E, and in its lowest bits x / E in units of 2^-M: the code's mantissa with
   its hidden bit, rounded at the right place, subnormals included (there E stays, and the hidden
   bit is 0).
       bits of s       0 eeeeeeee 0000000 | 00...0 RRRRRR        R = 0 ... 2^(M+1)
                       upper word         | lower word
   upper + lower * 2^(7-M) is (code + a constant) * 2^(7-M): one instruction for both words. NaN has
   the quiet bit in the upper word, and is above Inf. */
typedef struct mpx__narrow {
    mpx__vu unit, least;      /* 2^(M-23), the smallest normal                */
    mpx__weights weights;     /* of the two words: 1, 2^(7-M)                 */
    mpx__shift16 to_code;     /* right by 7 - M                               */
    mpx__vu offset;           /* subtract                                     */
    mpx__vu top, sign;        /* the largest code, the sign bit; bytes        */
    mpx__vu nan;              /* NaN is above; words                          */
} mpx__narrow;

MPX__PRIVATE void mpx__narrow_set(mpx__narrow *k, const mpx__span *span) {
    const mpx__row *row = span->to;
    int m = row->mantissa_bits, all_ones = (1 << (row->exponent_bits + m)) - 1, top = all_ones;
    if (row->family == MPX__FN) top -= span->saturate;
    if (row->family == MPX__IEEE) top = (all_ones & ~((1 << m) - 1)) - span->saturate;
    if (row->family == MPX__FNUZ) top += !span->saturate;
    k->unit = mpx__set((uint32_t)(127 + m - 23) << 23);
    k->least = mpx__set((uint32_t)(128 - row->bias) << 23);
    k->weights = mpx__weights_set(7 - m);
    k->to_code = mpx__shift16_set(7 - m);
    k->offset = mpx__set16((128 - row->bias) << m);
    k->top = mpx__set8(top);
    k->sign = mpx__set8(all_ones + 1);
    k->nan = mpx__set16(!MPX__NATIVE_F16 && span->from->type == MPX_F16 ? 0x7c00 : 0x7f80);
}

/* A block with NaN, and with Inf where it matters, by the codecs; one byte per code. */
MPX__PRIVATE void mpx__narrow_exactly(unsigned char *codes, const mpx__span *span,
                                      const unsigned char *s) {
    const uint32_t largest = mpx__largest_f32(span->to), inf = 0x7f800000u;
    uint32_t tile[MPX__BLOCK];
    int i;
    mpx__codes_to_f32(mpx__type_of(span->from), tile, s, MPX__BLOCK);
    for (i = 0; i < MPX__BLOCK && span->saturate; i++) {
        uint32_t a = tile[i] & 0x7fffffffu;
        if (a > largest && a <= inf) tile[i] += largest - a;
    }
    mpx__codes_from_f32(mpx__type_of(span->to), codes, tile, MPX__BLOCK);
}

/* (code + constant) * 2^(7-M), up to 0x8000. */
MPX__FORCE_INLINE mpx__vu mpx__round_lanes(mpx__vu a, const mpx__narrow *k) {
    mpx__vu e = mpx__fmax(mpx__and(a, mpx__set(0x7f800000u)), k->least);
    mpx__vu s = mpx__fmul_add(a, k->unit, e);
    return mpx__merge_words(s, 0xffu, k->weights); /* less NaN's payload */
}

/* A block: its results in words, its signs in bytes, and whether there may be NaN in it. in_words:
   they were words from the start, not packed. */
typedef struct mpx__rounded {
    mpx__vu low, high, sign, nan;
    int in_words;
} mpx__rounded;
typedef mpx__rounded (*mpx__words_fn)(const unsigned char *s, const mpx__narrow *k);

MPX__FORCE_INLINE mpx__vu mpx__f32_words(mpx__vu u0, mpx__vu u1, const mpx__narrow *k) {
    const mpx__vu magnitude = mpx__set(0x7fffffffu);
    return mpx__pack32s(mpx__round_lanes(mpx__and(u0, magnitude), k),
                        mpx__round_lanes(mpx__and(u1, magnitude), k));
}
/* Beside NaN, the largest finite values too may be above Inf. */
MPX__FORCE_INLINE mpx__rounded mpx__words_of_four(mpx__vu u0, mpx__vu u1, mpx__vu u2, mpx__vu u3,
                                                  const mpx__narrow *k) {
    mpx__rounded w;
    w.low = mpx__f32_words(u0, u1, k);
    w.high = mpx__f32_words(u2, u3, k);
    w.sign = mpx__signs_of_32(u0, u1, u2, u3);
    w.nan = mpx__gt16s(mpx__max16s(w.low, w.high), k->nan);
    w.in_words = 0;
    return w;
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f32(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_four(mpx__load32(s), mpx__load32(s + MPX__BLOCK),
                              mpx__load32(s + 2 * MPX__BLOCK), mpx__load32(s + 3 * MPX__BLOCK), k);
}

/* By round-to-odd. What that does not do right lies far below the smallest code, or far above the
   largest. */
MPX__DECODER(mpx__dec_f64_cut) {
    const unsigned char *s = (const unsigned char *)p;
    return mpx__odd_f32_of_f64(mpx__load32(s), mpx__load32(s + MPX__BLOCK));
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f64(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_four(mpx__dec_f64_cut(s), mpx__dec_f64_cut(s + 2 * MPX__BLOCK),
                              mpx__dec_f64_cut(s + 4 * MPX__BLOCK),
                              mpx__dec_f64_cut(s + 6 * MPX__BLOCK), k);
}

/* Magnitudes of 16 bits, to f32 in place: even lanes and odd lanes. */
typedef mpx__vu (*mpx__lane_fn)(mpx__vu a);
MPX__FORCE_INLINE mpx__vu mpx__even_bf16(mpx__vu a) { return mpx__shl(a, 16); }
MPX__FORCE_INLINE mpx__vu mpx__odd_bf16(mpx__vu a) { return mpx__and(a, mpx__set(0xffff0000u)); }

MPX__FORCE_INLINE mpx__vu mpx__interleaved(mpx__vu a, mpx__lane_fn even, mpx__lane_fn odd,
                                           const mpx__narrow *k) {
    return mpx__or(mpx__round_lanes(even(a), k), mpx__shl(mpx__round_lanes(odd(a), k), 16));
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_16(const unsigned char *s, mpx__lane_fn even,
                                              mpx__lane_fn odd, const mpx__narrow *k) {
    mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__BLOCK), magnitude = mpx__set16(0x7fff);
    mpx__vu a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
    mpx__rounded w;
    w.low = mpx__interleaved(a0, even, odd, k);
    w.high = mpx__interleaved(a1, even, odd, k);
    w.sign = mpx__signs_of_16(h0, h1);
    w.nan = mpx__gt16s(mpx__max16s(a0, a1), k->nan);
    w.in_words = 1;
    return w;
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_bf16(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_16(s, mpx__even_bf16, mpx__odd_bf16, k);
}
#if MPX__NATIVE_F16 /* 2/3 of the time (Zen 3, AVX2) */
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f16(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_four(mpx__dec_f16(s), mpx__dec_f16(s + MPX__BLOCK / 2),
                              mpx__dec_f16(s + MPX__BLOCK), mpx__dec_f16(s + 3 * MPX__BLOCK / 2),
                              k);
}
#else
/* f16 as f32 with the exponent moved: y. Of a subnormal the hidden bit is too much, and 2y - 2^-14
   is right; that is less than y for subnormals alone. Inf and NaN become 65536 and more. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_moved_f16(mpx__vu moved) {
    mpx__vu y = mpx__add(moved, mpx__set(112u << 23));
    return mpx__fmin(y, mpx__fmul_add(y, mpx__set(0x40000000u), mpx__set(0xb8800000u)));
}
MPX__FORCE_INLINE mpx__vu mpx__even_f16(mpx__vu a) {
    return mpx__f32_of_moved_f16(mpx__dot16s(a, mpx__set(0x2000u)));
}
MPX__FORCE_INLINE mpx__vu mpx__odd_f16(mpx__vu a) {
    return mpx__f32_of_moved_f16(mpx__dot16s(a, mpx__set(0x20000000u)));
}
MPX__FORCE_INLINE mpx__rounded mpx__words_of_f16(const unsigned char *s, const mpx__narrow *k) {
    return mpx__words_of_16(s, mpx__even_f16, mpx__odd_f16, k);
}
#endif

/* PLAIN: NaN saturates to the largest code, as in e4m3fn. CHECK: blocks with NaN go another way.
   FNUZ_ZERO, SIX_BITS, FOUR_BITS: so too; zero keeps no sign; the sign is in a lower place. */
enum { MPX__PLAIN, MPX__CHECK, MPX__FNUZ_ZERO, MPX__SIX_BITS, MPX__FOUR_BITS };

MPX__FORCE_INLINE mpx__vu mpx__code_words(mpx__vu w, const mpx__narrow *k) {
    return mpx__sub16(mpx__shr16(w, k->to_code), k->offset);
}
MPX__FORCE_INLINE mpx__vu mpx__narrow_block(const mpx__span *span, const unsigned char *s,
                                            mpx__words_fn words, const mpx__narrow *k, int kind) {
    mpx__rounded w = words(s, k);
    mpx__vu code = mpx__pack16(mpx__code_words(w.low, k), mpx__code_words(w.high, k));
    if (kind != MPX__PLAIN && mpx__any(w.nan)) {
        unsigned char codes[MPX__BLOCK];
        mpx__narrow_exactly(codes, span, s);
        return mpx__load32(codes);
    }
    code = mpx__min8(code, k->top);
    if (kind == MPX__FNUZ_ZERO) w.sign = mpx__and(w.sign, mpx__gt8s(code, mpx__set(0)));
    if (kind == MPX__SIX_BITS) w.sign = mpx__shr(w.sign, 2);
    if (kind == MPX__FOUR_BITS) w.sign = mpx__shr(w.sign, 4);
    code = mpx__or(code, mpx__and(w.sign, k->sign));
    return w.in_words ? mpx__packed_once(code) : mpx__packed_twice(code);
}

MPX__FORCE_INLINE size_t mpx__narrow_rows(const mpx__span *span, size_t size, mpx__words_fn words,
                                          int kind) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK, s += MPX__BLOCK * size) {
        mpx__fetch(s, MPX__BLOCK * size, stream);
        mpx__store_past(d, mpx__narrow_block(span, s, words, &k, kind), stream);
    }
    return span->n - n;
}

MPX__FORCE_INLINE size_t mpx__narrow_nibbles(const mpx__span *span, size_t size,
                                             mpx__words_fn words) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n, step = MPX__BLOCK * size;
    mpx__narrow k;
    mpx__narrow_set(&k, span);
    for (; n >= 2 * MPX__BLOCK; n -= 2 * MPX__BLOCK, d += MPX__BLOCK, s += 2 * step) {
        mpx__vu a = mpx__narrow_block(span, s, words, &k, MPX__FOUR_BITS);
        mpx__vu b = mpx__narrow_block(span, s + step, words, &k, MPX__FOUR_BITS);
        mpx__fetch(s, 2 * step, stream);
        mpx__store_past(d, mpx__join4(a, b), stream);
    }
    return span->n - n;
}
MPX__FORCE_INLINE size_t mpx__narrow_packed6(const mpx__span *span, size_t size,
                                             mpx__words_fn words) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK / 4 * 3, s += MPX__BLOCK * size) {
        mpx__vu code = mpx__narrow_block(span, s, words, &k, MPX__SIX_BITS);
        mpx__put_joined6(d, mpx__join6(code), n);
    }
    return span->n - n;
}

/* One function per source and kind. */
#define MPX__NARROW_FROM(name, size, words) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        const mpx__row *to = span->to; \
        if (to->bits == 4 && span->packed) return mpx__narrow_nibbles(span, size, words); \
        if (to->bits == 6 && span->packed) return mpx__narrow_packed6(span, size, words); \
        if (to->bits == 4) return mpx__narrow_rows(span, size, words, MPX__FOUR_BITS); \
        if (to->bits == 6) return mpx__narrow_rows(span, size, words, MPX__SIX_BITS); \
        if (to->family == MPX__FNUZ) return mpx__narrow_rows(span, size, words, MPX__FNUZ_ZERO); \
        if (to->family == MPX__FN && !span->saturate) \
            return mpx__narrow_rows(span, size, words, MPX__PLAIN); \
        return mpx__narrow_rows(span, size, words, MPX__CHECK); \
    }
MPX__NARROW_FROM(mpx__narrow_f32, 4, mpx__words_of_f32)
MPX__NARROW_FROM(mpx__narrow_f64, 8, mpx__words_of_f64)
MPX__NARROW_FROM(mpx__narrow_f16, 2, mpx__words_of_f16)
MPX__NARROW_FROM(mpx__narrow_bf16, 2, mpx__words_of_bf16)
#undef MPX__NARROW_FROM

/* f16 has the exponents of e5m2: half a unit less one is added, and one for odd codes. 2.5 times as
   fast as by f32. */
MPX__FORCE_INLINE mpx__vu mpx__e5m2_words(mpx__vu h, mpx__vu a) {
    mpx__vu odd = mpx__and(mpx__shr(h, 8), mpx__set16(1));
    return mpx__shr16(mpx__add16(mpx__add16(a, mpx__set16(0x7f)), odd), mpx__shift16_set(8));
}
MPX__PRIVATE size_t mpx__f16_to_e5m2(const mpx__span *span) {
    const mpx__vu magnitude = mpx__set16(0x7fff), inf = mpx__set16(0x7c00);
    const mpx__vu top = mpx__set8(0x7c - span->saturate), sign_bit = mpx__set8(0x80);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK, s += 2 * MPX__BLOCK) {
        mpx__vu h0 = mpx__load32(s), h1 = mpx__load32(s + MPX__BLOCK), code, sign;
        mpx__vu a0 = mpx__and(h0, magnitude), a1 = mpx__and(h1, magnitude);
        mpx__fetch(s, 2 * MPX__BLOCK, stream);
        if (mpx__any(mpx__gt16s(mpx__max16s(a0, a1), inf))) {
            mpx__narrow_exactly(d, span, s);
            continue;
        }
        code = mpx__pack16(mpx__e5m2_words(h0, a0), mpx__e5m2_words(h1, a1));
        sign = mpx__and(mpx__signs_of_16(h0, h1), sign_bit);
        code = mpx__or(mpx__min8(code, top), sign);
        mpx__store_past(d, mpx__packed_once(code), stream);
    }
    return span->n - n;
}

/* ---- to f16 without conversion instructions -------------------------------------------------- */

#if !MPX__NATIVE_F16
/* The same with ten mantissa bits: code + constant is 8 * upper + lower, in 32 bits. Packed, Inf,
   NaN and what is far beyond saturate: such blocks go another way. */
MPX__FORCE_INLINE mpx__vu mpx__f16_lanes(mpx__vu u) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu));
    mpx__vu e = mpx__fmax(mpx__and(u, mpx__set(0x7f800000u)), mpx__set(113u << 23));
    mpx__vu s = mpx__fmul_add(a, mpx__set(114u << 23), e); /* times 2^-13 */
    s = mpx__dot16s(mpx__and(s, mpx__set(0xffff0fffu)), mpx__set(0x80001u));
    return mpx__sub(s, mpx__set(113u << 10));
}
MPX__FORCE_INLINE mpx__vu mpx__signed_f16(mpx__vu t, mpx__vu u0, mpx__vu u1, mpx__vu top) {
    mpx__vu sign = mpx__and(mpx__pack32s(u0, u1), mpx__set(0x80008000u));
    return mpx__packed_once(mpx__or(mpx__min16s(t, top), sign));
}
MPX__FORCE_INLINE size_t mpx__f16_rows(const mpx__span *span, size_t size) {
    const mpx__vu top = mpx__set16(0x7c00 - span->saturate), far_beyond = mpx__set16(0x7ffe);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__env env = mpx__env_enter();
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 2 * MPX__BLOCK, s += MPX__BLOCK * size) {
        mpx__vu u0 = mpx__load32(s), u1 = mpx__load32(s + MPX__BLOCK), u2 = u0, u3 = u1, t0, t1;
        if (size == 4) {
            u2 = mpx__load32(s + 2 * MPX__BLOCK);
            u3 = mpx__load32(s + 3 * MPX__BLOCK);
        } else { /* bf16 */
            mpx__pair16(mpx__set(0), mpx__to_pair_once(u1), &u2, &u3);
            mpx__pair16(mpx__set(0), mpx__to_pair_once(u0), &u0, &u1);
        }
        t0 = mpx__pack32s(mpx__f16_lanes(u0), mpx__f16_lanes(u1));
        t1 = mpx__pack32s(mpx__f16_lanes(u2), mpx__f16_lanes(u3));
        if (mpx__any(mpx__gt16s(mpx__max16s(t0, t1), far_beyond))) {
            mpx__narrow_exactly(d, span, s);
            continue;
        }
        mpx__fetch(s, MPX__BLOCK * size, stream);
        mpx__store_past(d, mpx__signed_f16(t0, u0, u1, top), stream);
        mpx__store_past(d + MPX__BLOCK, mpx__signed_f16(t1, u2, u3, top), stream);
    }
    mpx__env_leave(env);
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_f16_row(const mpx__span *span) { return mpx__f16_rows(span, 4); }
MPX__PRIVATE size_t mpx__bf16_to_f16_row(const mpx__span *span) { return mpx__f16_rows(span, 2); }
#endif

#endif

/* ---- from the floats of a byte and less ------------------------------------------------------ */

/* The words of bf16 and f16 (T mantissa bits) as a function of a code's magnitude are made of
   straight lines: between two powers of two the word grows by a fixed step, which is 2^(T-M) for
   normal codes and doubles with every binade of subnormal ones below. The function is concave, so
   it is the minimum of all M + 1 lines, and zero at zero.
       line j:  magnitude * 2^(T-M) * 2^j + ((bias' - bias - j) << T)        j = 0 ... M
   Sums saturate, above all that matters. f32 is the bf16 with zeros below.
   e5m2fnuz has normal codes that are subnormal in f16: a convex function, the maximum of two
   lines. */
typedef struct mpx__lines {
    mpx__vu magnitude, sign;   /* their bits in a code                        */
    mpx__vu scale, to_sign;    /* shifts to their places in words, as factors */
    mpx__vu line[5];           /* what is added                               */
} mpx__lines;

MPX__PRIVATE void mpx__lines_set(mpx__lines *k, const mpx__span *span) {
    const mpx__row *row = span->from;
    int m = row->mantissa_bits, top = 1 << (row->exponent_bits + m), i;
    int f16 = span->to->type == MPX_F16, t = f16 ? 10 : 7, rebias = (f16 ? 15 : 127) - row->bias;
    k->magnitude = mpx__set16(top - 1);
    k->sign = mpx__set16(top);
    k->scale = mpx__set16(1 << (t - m));
    k->to_sign = mpx__set16(0x8000 / top);
    for (i = 0; i <= 4; i++)
        k->line[i] = mpx__set16((rebias - i) * (1 << t));
}

MPX__FORCE_INLINE mpx__vu mpx__next_line(mpx__vu r, mpx__vu steps, mpx__vu line) {
    return mpx__min16s(r, mpx__sum16s(steps, line));
}
/* m: mantissa bits of the code; 0 for the maximum. The code is in the lowest bits of w. */
MPX__FORCE_INLINE mpx__vu mpx__word_of_code(mpx__vu w, const mpx__lines *k, int m) {
    mpx__vu x = mpx__mul16(mpx__and(w, k->magnitude), k->scale), two = mpx__sum16s(x, x);
    mpx__vu four = mpx__sum16s(two, two), eight = mpx__sum16s(four, four);
    mpx__vu r = mpx__sum16s(x, k->line[0]), some = mpx__gt16s(x, mpx__set(0));
    if (m == 0) r = mpx__max16s(mpx__shr(x, 1), r);
    if (m >= 1) r = mpx__next_line(r, two, k->line[1]);
    if (m >= 2) r = mpx__next_line(r, four, k->line[2]);
    if (m >= 3) r = mpx__next_line(r, eight, k->line[3]);
    if (m >= 4) r = mpx__next_line(r, mpx__sum16s(eight, eight), k->line[4]);
    return mpx__or(m == 0 ? r : mpx__and(r, some), mpx__mul16(mpx__and(w, k->sign), k->to_sign));
}

/* Of a code, (code & mask) + add is above `finite`, signed, if it is Inf or NaN. */
typedef struct mpx__finite {
    mpx__vu mask, add, finite;
} mpx__finite;
MPX__FORCE_INLINE void mpx__finite_set(mpx__finite *k, const mpx__row *row) {
    int m = row->mantissa_bits, top = 1 << (row->exponent_bits + m), finite = top - 1;
    int fnuz = row->family == MPX__FNUZ;
    if (row->family == MPX__FN) finite = top - 2;
    if (row->family == MPX__IEEE) finite = top - 1 - (1 << m);
    k->mask = mpx__set8(fnuz ? 255 : top - 1);
    k->add = mpx__set8(fnuz ? -1 : 0);
    k->finite = mpx__set8(fnuz ? 126 : finite);
}
MPX__FORCE_INLINE int mpx__has_special(mpx__vu codes, const mpx__finite *k) {
    return mpx__any(mpx__gt8s(mpx__add8(mpx__and(codes, k->mask), k->add), k->finite));
}
/* A block with Inf or NaN, by the codecs. */
MPX__PRIVATE void mpx__widen_exactly(unsigned char *d, const mpx__span *span,
                                     const unsigned char *s) {
    uint32_t tile[MPX__BLOCK];
    mpx__codes_to_f32(mpx__type_of(span->from), tile, s, MPX__BLOCK);
    mpx__codes_from_f32(mpx__type_of(span->to), d, tile, MPX__BLOCK);
}

MPX__FORCE_INLINE void mpx__put_words(unsigned char *d, mpx__vu w, int to_f32, int stream) {
    mpx__vu low, high;
    if (!to_f32) {
        mpx__store_past(d, w, stream);
        return;
    }
    mpx__pair16(mpx__set(0), mpx__to_pair_once(w), &low, &high);
    mpx__store_past(d, low, stream);
    mpx__store_past(d + MPX__BLOCK, high, stream);
}
/* A block of codes of `bits` bits as words. Of four: a byte's upper half to the next word; what
   else is moved there is no bit of a code. */
MPX__FORCE_INLINE mpx__vu mpx__load4to16(const unsigned char *s) {
    mpx__vu pair = mpx__load8(s);
    return mpx__or(pair, mpx__shl(pair, 12));
}
MPX__FORCE_INLINE void mpx__load_words(const unsigned char *s, int bits, size_t n, mpx__vu *low,
                                       mpx__vu *high) {
    if (bits == 8) {
        *low = mpx__load8to16(s);
        *high = mpx__load8to16(s + MPX__BLOCK / 2);
    } else if (bits == 4) {
        *low = mpx__load4to16(s);
        *high = mpx__load4to16(s + MPX__BLOCK / 4);
    } else {
        mpx__pair8(mpx__to_pair_once(mpx__get_split6(s, n)), mpx__set(0), low, high);
    }
}
/* Below a byte, all codes are finite. */
MPX__FORCE_INLINE size_t mpx__from_small_rows(const mpx__span *span, int bits, int m, int to_f32) {
    const size_t half = to_f32 ? 2 * MPX__BLOCK : MPX__BLOCK, step = MPX__BLOCK / 8 * (size_t)bits;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__finite finite;
    mpx__lines k;
    mpx__finite_set(&finite, span->from);
    mpx__lines_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 2 * half, s += step) {
        mpx__vu low, high;
        mpx__load_words(s, bits, n, &low, &high);
        mpx__fetch(s, step, stream);
        if (bits == 8 && mpx__has_special(mpx__load32(s), &finite)) {
            mpx__widen_exactly(d, span, s);
            continue;
        }
        mpx__put_words(d, mpx__word_of_code(low, &k, m), to_f32, stream);
        mpx__put_words(d + half, mpx__word_of_code(high, &k, m), to_f32, stream);
    }
    return span->n - n;
}

/* e5m2 is the upper half of f16; NaN becomes quiet. */
MPX__PRIVATE size_t mpx__widen_e5m2_to_f16(const mpx__span *span) {
    const mpx__vu magnitude = mpx__set8(0x7f), inf = mpx__set8(0x7c), quiet = mpx__set8(2);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 2 * MPX__BLOCK, s += MPX__BLOCK) {
        mpx__vu code = mpx__to_pair_once(mpx__load32(s)), low, high;
        mpx__vu nan = mpx__gt8s(mpx__and(code, magnitude), inf);
        mpx__pair8(mpx__set(0), mpx__or(code, mpx__and(nan, quiet)), &low, &high);
        mpx__fetch(s, MPX__BLOCK, stream);
        mpx__store_past(d, low, stream);
        mpx__store_past(d + MPX__BLOCK, high, stream);
    }
    return span->n - n;
}

#define MPX__WIDEN(name, to_f32) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        int bits = (int)mpx__stored_bits(span->from, span->packed), m = span->from->mantissa_bits; \
        if (bits == 4) return mpx__from_small_rows(span, 4, 1, to_f32); \
        if (bits == 6 && m == 2) return mpx__from_small_rows(span, 6, 2, to_f32); \
        if (bits == 6) return mpx__from_small_rows(span, 6, 3, to_f32); \
        if (m == 1) return mpx__from_small_rows(span, 8, 1, to_f32); \
        if (m == 2) return mpx__from_small_rows(span, 8, 2, to_f32); \
        if (m == 3) return mpx__from_small_rows(span, 8, 3, to_f32); \
        return mpx__from_small_rows(span, 8, 4, to_f32); \
    }
MPX__WIDEN(mpx__widen_to_16, 0)
MPX__WIDEN(mpx__widen_to_f32, 1)
#undef MPX__WIDEN

/* ---- bytes to f32 by way of f16 -------------------------------------------------------------- */

#ifdef MPX__HAS_BYTES_AS_F16
/* f16 has more bits for both fields: their value there, subnormals too, times a power of two. */
MPX__FORCE_INLINE size_t mpx__bytes_by_f16(const mpx__span *span, int m, int stream) {
    const mpx__vu scale = mpx__set((uint32_t)(127 + 15 - span->from->bias) << 23);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__finite finite;
    mpx__finite_set(&finite, span->from);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += 4 * MPX__BLOCK, s += MPX__BLOCK) {
        mpx__vu v[4];
        if (mpx__has_special(mpx__load32(s), &finite)) {
            mpx__widen_exactly(d, span, s);
            continue;
        }
        mpx__load_bytes_as_f16(v, s, m);
        mpx__load_bytes_as_f16(v + 2, s + MPX__BLOCK / 2, m);
        mpx__fetch(s, MPX__BLOCK, stream);
        mpx__store_past(d, mpx__fmul(v[0], scale), stream);
        mpx__store_past(d + MPX__BLOCK, mpx__fmul(v[1], scale), stream);
        mpx__store_past(d + 2 * MPX__BLOCK, mpx__fmul(v[2], scale), stream);
        mpx__store_past(d + 3 * MPX__BLOCK, mpx__fmul(v[3], scale), stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__bytes_to_f32(const mpx__span *span) {
    if (span->from->mantissa_bits == 4) return mpx__bytes_by_f16(span, 4, span->stream);
    return span->stream ? mpx__bytes_by_f16(span, 3, 1) : mpx__bytes_by_f16(span, 3, 0);
}
MPX__INLINE int mpx__are_bytes_to_f32(const mpx__span *span) {
    const mpx__row *from = span->from;
    return span->to->type == MPX_F32 && from->bits == 8 && from->exponent_bits <= 4;
}
#else
MPX__INLINE size_t mpx__bytes_to_f32(const mpx__span *span) { return (void)span, 0; }
MPX__INLINE int mpx__are_bytes_to_f32(const mpx__span *span) { return (void)span, 0; }
#endif

/* ---- the same by tables ---------------------------------------------------------------------- */

#if MPX__HAS_LOOKUP

/* A normal code's word is a sum of what its upper and its lower four bits give, without carries if
   the difference of the biases is even enough; magnitudes below 16 are corrected by a third table,
   made by the codecs. Words in planes of bytes. Twice as fast as the lines. */
typedef struct mpx__nibbles {
    mpx__vu upper_low, upper_high, lower_low, lower_high, small_low, small_high, magnitude;
} mpx__nibbles;

MPX__FORCE_INLINE int mpx__nibbles_serve(const mpx__span *span) {
    const mpx__row *row = span->from;
    int rebias = (span->to->type == MPX_F16 ? 15 : 127) - row->bias;
    return row->bits == 4 || (rebias > 0 && rebias % (1 << (4 - row->mantissa_bits)) == 0);
}
/* Of four bits, the third table is all. */
MPX__PRIVATE void mpx__nibbles_set(mpx__nibbles *k, const mpx__span *span) {
    const mpx__row *row = span->from;
    int f16 = span->to->type == MPX_F16, top = 1 << (row->exponent_bits + row->mantissa_bits);
    int t = f16 ? 10 : 7, rebias = ((f16 ? 15 : 127) - row->bias) * (1 << t), i;
    unsigned char codes[16], planes[6][16];
    uint32_t tile[16];
    for (i = 0; i < 16; i++)
        codes[i] = (unsigned char)i;
    mpx__codes_to_f32(mpx__type_of(span->from), tile, codes, 16);
    for (i = 0; i < 16; i++) {
        int word = f16 ? mpx_f16_from_bits(tile[i]) : mpx_bf16_from_bits(tile[i]);
        int shift = t - row->mantissa_bits, sign = (i << 4 & top) != 0 ? 0x8000 : 0;
        int upper = sign + rebias + (i << 4 & (top - 1)) * (1 << shift), lower = i << shift;
        int tiny = word ^ (row->bits == 4 ? 0 : rebias ^ lower);
        planes[0][i] = (unsigned char)(upper & 255);
        planes[1][i] = (unsigned char)(upper >> 8);
        planes[2][i] = (unsigned char)(lower & 255);
        planes[3][i] = (unsigned char)(lower >> 8);
        planes[4][i] = (unsigned char)(tiny & 255);
        planes[5][i] = (unsigned char)(tiny >> 8);
    }
    k->upper_low = mpx__table16(planes[0]);
    k->upper_high = mpx__table16(planes[1]);
    k->lower_low = mpx__table16(planes[2]);
    k->lower_high = mpx__table16(planes[3]);
    k->small_low = mpx__table16(planes[4]);
    k->small_high = mpx__table16(planes[5]);
    k->magnitude = mpx__set8(top - 1);
}

MPX__FORCE_INLINE void mpx__look_up_words(mpx__vu codes, const mpx__nibbles *k, int bits,
                                          mpx__vu *a, mpx__vu *b) {
    const mpx__vu four = mpx__set8(15);
    mpx__vu low, high, upper, lower, tiny;
    if (bits == 4) {
        mpx__pair8(mpx__entries(k->small_low, codes), mpx__entries(k->small_high, codes), a, b);
        return;
    }
    upper = mpx__and(mpx__shr(codes, 4), four);
    lower = mpx__and(codes, four);
    tiny = mpx__and(codes, k->magnitude);
    low = mpx__xor(mpx__entries(k->upper_low, upper), mpx__entries(k->lower_low, lower));
    high = mpx__xor(mpx__entries(k->upper_high, upper), mpx__entries(k->lower_high, lower));
    mpx__pair8(mpx__xor(low, mpx__entries_or_zero(k->small_low, tiny)),
               mpx__xor(high, mpx__entries_or_zero(k->small_high, tiny)), a, b);
}
/* A vector of codes, to two of words or four of f32. */
MPX__FORCE_INLINE void mpx__put_looked_up(unsigned char *d, mpx__vu codes, const mpx__nibbles *k,
                                          int bits, int to_f32, int stream) {
    mpx__vu a, b, low, high;
    codes = to_f32 ? mpx__to_pair_twice(codes) : mpx__to_pair_once(codes);
    mpx__look_up_words(codes, k, bits, &a, &b);
    if (!to_f32) {
        mpx__store_past(d, a, stream);
        mpx__store_past(d + MPX__BLOCK, b, stream);
        return;
    }
    mpx__pair16(mpx__set(0), a, &low, &high);
    mpx__store_past(d, low, stream);
    mpx__store_past(d + MPX__BLOCK, high, stream);
    mpx__pair16(mpx__set(0), b, &low, &high);
    mpx__store_past(d + 2 * MPX__BLOCK, low, stream);
    mpx__store_past(d + 3 * MPX__BLOCK, high, stream);
}
/* bits: of a code; step: of one in memory, whose other bits may be anything. */
MPX__FORCE_INLINE size_t mpx__look_up_rows(const mpx__span *span, int bits, int step, int to_f32) {
    const size_t s_step = MPX__BLOCK / 8 * (size_t)step, d_step = MPX__BLOCK * (to_f32 ? 4u : 2u);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__finite finite;
    mpx__nibbles k;
    mpx__finite_set(&finite, span->from);
    mpx__nibbles_set(&k, span);
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += d_step, s += s_step) {
        mpx__vu codes = step == 8 ? mpx__load32(s) : mpx__get_split6(s, n);
        if (step == 8 && bits < 8) codes = mpx__and(codes, mpx__set8((1 << bits) - 1));
        mpx__fetch(s, s_step, stream);
        if (bits == 8 && mpx__has_special(codes, &finite))
            mpx__widen_exactly(d, span, s);
        else
            mpx__put_looked_up(d, codes, &k, bits, to_f32, stream);
    }
    return span->n - n;
}
MPX__FORCE_INLINE size_t mpx__look_up_pairs(const mpx__span *span, int to_f32) {
    const size_t d_step = MPX__BLOCK * (to_f32 ? 4u : 2u);
    const int stream = span->stream;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    mpx__nibbles k;
    mpx__nibbles_set(&k, span);
    for (; n >= 2 * MPX__BLOCK; n -= 2 * MPX__BLOCK, d += 2 * d_step, s += MPX__BLOCK) {
        mpx__vu low, high;
        mpx__fetch(s, MPX__BLOCK, stream);
        mpx__split4(mpx__load32(s), &low, &high);
        mpx__put_looked_up(d, low, &k, 4, to_f32, stream);
        mpx__put_looked_up(d + d_step, high, &k, 4, to_f32, stream);
    }
    return span->n - n;
}
#define MPX__LOOK_UP(name, to_f32) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        const int bits = span->from->bits, packed = span->packed; \
        if (bits == 4 && packed) return mpx__look_up_pairs(span, to_f32); \
        if (bits == 4) return mpx__look_up_rows(span, 4, 8, to_f32); \
        if (bits == 6 && packed) return mpx__look_up_rows(span, 6, 6, to_f32); \
        if (bits == 6) return mpx__look_up_rows(span, 6, 8, to_f32); \
        return mpx__look_up_rows(span, 8, 8, to_f32); \
    }
MPX__LOOK_UP(mpx__look_up_to_16, 0)
MPX__LOOK_UP(mpx__look_up_to_f32, 1)
#undef MPX__LOOK_UP
/* To make the tables takes some 25 ns. */
MPX__INLINE int mpx__look_up_pays(const mpx__span *span) {
    return span->n >= 256 && mpx__nibbles_serve(span);
}
MPX__INLINE size_t mpx__look_up_span(const mpx__span *span) {
    return span->to->type == MPX_F32 ? mpx__look_up_to_f32(span) : mpx__look_up_to_16(span);
}
#else
MPX__INLINE int mpx__look_up_pays(const mpx__span *span) { return (void)span, 0; }
MPX__INLINE size_t mpx__look_up_span(const mpx__span *span) { return (void)span, 0; }
#endif

/* ---- which row ------------------------------------------------------------------------------- */

MPX__INLINE int mpx__is_small(const mpx__row *row) {
    return row->kind == MPX_KIND_FLOAT && row->bits <= 8 && row->family != MPX__E8M0;
}
/* From them, not saturating. */
MPX__PRIVATE size_t mpx__from_small_row(const mpx__span *span) {
    const int to = span->to->type, from = span->from->type;
    if (to != MPX_F32 && to != MPX_F16 && to != MPX_BF16) return 0;
    if (to == MPX_F16 && from == MPX_F8E5M2) return mpx__widen_e5m2_to_f16(span);
    if (to == MPX_F16 && from == MPX_F8E5M2FNUZ) return mpx__from_small_rows(span, 8, 0, 0);
    if (mpx__are_bytes_to_f32(span)) return mpx__bytes_to_f32(span);
    if (mpx__look_up_pays(span)) return mpx__look_up_span(span);
    return to == MPX_F32 ? mpx__widen_to_f32(span) : mpx__widen_to_16(span);
}

#if !MPX__HAS_OWN_ROWS /* nor a switch of its own */
MPX__PRIVATE size_t mpx__to_small_row(const mpx__span *span) {
    mpx__env env;
    size_t done = 0;
    if (span->from->type == MPX_F16 && span->to->type == MPX_F8E5M2) return mpx__f16_to_e5m2(span);
    env = mpx__env_enter();
    if (span->from->type == MPX_F32) done = mpx__narrow_f32(span);
    if (span->from->type == MPX_F64) done = mpx__narrow_f64(span);
    if (span->from->type == MPX_F16) done = mpx__narrow_f16(span);
    if (span->from->type == MPX_BF16) done = mpx__narrow_bf16(span);
    mpx__env_leave(env);
    return done;
}
/* To f16 from f32 and bf16, where that is for this room. */
#if MPX__NATIVE_F16
MPX__INLINE size_t mpx__to_f16_row(const mpx__span *span) { return (void)span, 0; }
#else
MPX__PRIVATE size_t mpx__to_f16_row(const mpx__span *span) {
    if (span->to->type != MPX_F16) return 0;
    if (span->from->type == MPX_F32) return mpx__f32_to_f16_row(span);
    return span->from->type == MPX_BF16 ? mpx__bf16_to_f16_row(span) : 0;
}
#endif
/* Returns the elements done, from the start of the span: whole blocks. */
MPX__PRIVATE size_t mpx__small_row(const mpx__span *span) {
    if (span->to->bits <= 8) return mpx__to_small_row(span);
    return span->saturate ? 0 : mpx__from_small_row(span);
}
#endif

#endif
/*==========================================================================*
 * MARK: fast_wide - dtypes of 16 bits and more, by float arithmetic         *
 *   As fast_small. A row is a loop over blocks of four vectors. A block     *
 *   with something that float instructions do not do as the codec does goes *
 *   through the codec.                                                      *
 *==========================================================================*/
#if MPX__HAS_FLOAT && !MPX__HAS_OWN_ROWS

enum { MPX__VECTOR = 4 * MPX__LANES }; /* bytes; MPX__BLOCK: elements in four of them */

/* A block by the codecs alone. */
MPX__PRIVATE mpx__kernel mpx__direct_kernel(mpx_dtype dst_type, mpx_dtype src_type);
MPX__PRIVATE void mpx__block_exactly(unsigned char *d, const mpx__row *to, const unsigned char *s,
                                     const mpx__row *from) {
    mpx__kernel direct = mpx__direct_kernel(mpx__type_of(to), mpx__type_of(from));
    uint32_t tile[MPX__BLOCK];
    if (direct != NULL) {
        direct(d, s, MPX__BLOCK);
    } else {
        mpx__codes_to_f32(mpx__type_of(from), tile, s, MPX__BLOCK);
        mpx__codes_from_f32(mpx__type_of(to), d, tile, MPX__BLOCK);
    }
}

/* One block from s to d, in place too; 0, and nothing written, where the codec is needed. */
typedef int (*mpx__block_fn)(unsigned char *d, const unsigned char *s, int stream);
typedef int (*mpx__block_store_fn)(unsigned char *d, const mpx__vu v[4], int stream);

MPX__FORCE_INLINE size_t mpx__stream_blocks(const mpx__span *span, size_t to_size,
                                            size_t from_size, mpx__block_fn block, int stream) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = span->n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__fetch(s, MPX__BLOCK * from_size, stream);
        if (!block(d, s, stream)) mpx__block_exactly(d, span->to, s, span->from);
        d += MPX__BLOCK * to_size;
        s += MPX__BLOCK * from_size;
    }
    return span->n - n;
}
/* Near the speed of the caches a branch per store counts. */
MPX__FORCE_INLINE size_t mpx__blocks(const mpx__span *span, size_t to_size, size_t from_size,
                                     mpx__block_fn block) {
#if MPX__HAS_STREAM
    if (span->stream) return mpx__stream_blocks(span, to_size, from_size, block, 1);
#endif
    return mpx__stream_blocks(span, to_size, from_size, block, 0);
}
/* From element `start` up to the first `step` elements, a block or several, that need the codec: a
   loop that calls nothing. Not past the caches. Returns where it ends. */
MPX__FORCE_INLINE size_t mpx__blocks_until(const mpx__span *span, size_t start, size_t step,
                                           size_t to_size, size_t from_size, mpx__block_fn block) {
    const unsigned char *s = span->s + start * from_size;
    unsigned char *d = span->d + start * to_size;
    size_t n = span->n - start;
    for (; n >= step && block(d, s, 0); n -= step) {
        d += step * to_size;
        s += step * from_size;
    }
    return span->n - n;
}
/* Elements of `step`, a block each, short or not. Loops compare pointers, and count nothing else.
   Those of short blocks are unrolled: the place of such a loop in the code costs up to half its
   time again (Zen 5), and changes with any change before it. */
MPX__FORCE_INLINE size_t mpx__steps(const mpx__span *span, size_t to_size, size_t from_size,
                                    size_t step, mpx__block_fn block, int is_short) {
    const size_t done = span->n / step * step;
    const unsigned char *s = span->s, *end = s + done * from_size;
    unsigned char *d = span->d;
    if (MPX__HAS_STREAM && span->stream) {
        for (; s != end; d += step * to_size, s += step * from_size) {
            mpx__fetch(s, step * from_size, 1);
            (void)block(d, s, 1);
        }
    } else if (is_short) {
        MPX__UNROLL_TWICE
        for (; s != end; d += step * to_size, s += step * from_size)
            (void)block(d, s, 0);
    } else {
        for (; s != end; d += step * to_size, s += step * from_size)
            (void)block(d, s, 0);
    }
    return done;
}
/* A row whose float instructions, if any, are exact: none depends on a mode or raises a flag; one
   that needs the environment; one of a single float instruction per vector, and of F16C's. */
#define MPX__EXACT_ROW(name, to_size, from_size, block) \
    MPX__FORCE_INLINE size_t name(const mpx__span *span) { \
        return mpx__blocks(span, to_size, from_size, block); \
    }
#define MPX__ROW_WITHIN(name, to_size, from_size, block, enter, leave) \
    MPX__FORCE_INLINE size_t name(const mpx__span *span) { \
        mpx__env env = enter(); \
        size_t done = mpx__blocks(span, to_size, from_size, block); \
        leave(env); \
        return done; \
    }
#define MPX__WIDE_ROW(name, to_size, from_size, block) \
    MPX__ROW_WITHIN(name, to_size, from_size, block, mpx__env_enter, mpx__env_leave)
#define MPX__ONE_STEP_ROW(name, to_size, from_size, block) \
    MPX__ROW_WITHIN(name, to_size, from_size, block, mpx__modes_enter, mpx__modes_leave)
#define MPX__F16_ROW(name, to_size, from_size, block) \
    MPX__ROW_WITHIN(name, to_size, from_size, block, mpx__f16_enter, mpx__f16_leave)

MPX__FORCE_INLINE void mpx__load_block(mpx__vu v[4], const unsigned char *s) {
    v[0] = mpx__load32(s);
    v[1] = mpx__load32(s + MPX__VECTOR);
    v[2] = mpx__load32(s + 2 * MPX__VECTOR);
    v[3] = mpx__load32(s + 3 * MPX__VECTOR);
}
/* Words to the upper halves of lanes, above zeros. */
MPX__FORCE_INLINE void mpx__upper_two(mpx__vu v[2], mpx__vu words) {
    mpx__pair16(mpx__set(0), mpx__to_pair_once(words), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__upper_block(mpx__vu v[4], const unsigned char *s) {
    mpx__upper_two(v, mpx__load32(s));
    mpx__upper_two(v + 2, mpx__load32(s + MPX__VECTOR));
}
MPX__FORCE_INLINE int mpx__store_block(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
    mpx__store_past(d + 2 * MPX__VECTOR, v[2], stream);
    mpx__store_past(d + 3 * MPX__VECTOR, v[3], stream);
    return 1;
}

/* Whether one of the magnitudes has an upper half above `limit`. */
#ifdef MPX__HAS_UPPER_WORDS /* which have been made, or will be */
MPX__FORCE_INLINE int mpx__above_words(mpx__vu a, mpx__vu b, uint32_t limit) {
    mpx__vu magnitude = mpx__set(0x7fff7fffu);
    return mpx__any(mpx__gt16s(mpx__max16(mpx__and(a, magnitude), mpx__and(b, magnitude)),
                               mpx__set(limit * 0x10001u)));
}
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    return mpx__above_words(mpx__upper_words(v[0], v[1]), mpx__upper_words(v[2], v[3]), limit);
}
#else
MPX__FORCE_INLINE int mpx__above_block(const mpx__vu v[4], uint32_t limit) {
    mpx__vu magnitude = mpx__set(0x7fffffffu);
    mpx__vu a = mpx__max_upper(mpx__and(v[0], magnitude), mpx__and(v[1], magnitude)),
            b = mpx__max_upper(mpx__and(v[2], magnitude), mpx__and(v[3], magnitude));
    return mpx__any(mpx__gt_signed(mpx__max_upper(a, b), mpx__set(limit << 16 | 0xffffu)));
}
#endif

/* Whether one of a block is NaN; without float comparisons, which raise flags. */
MPX__FORCE_INLINE mpx__vu mpx__nan_in(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), inf = mpx__set(0x7f800000u);
    return mpx__or(mpx__gt_signed(mpx__and(a, magnitude), inf),
                   mpx__gt_signed(mpx__and(b, magnitude), inf));
}
/* The same where none is signalling: an ISA may compare floats, between enter and leave. */
#ifndef MPX__HAS_QUIET_NAN
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan_in(mpx__vu a, mpx__vu b) { return mpx__nan_in(a, b); }
#endif
#ifndef MPX__HAS_NAN_IN_BLOCK
MPX__FORCE_INLINE int mpx__nan_in_four(const mpx__vu v[4]) {
    return mpx__any(mpx__or(mpx__nan_in(v[0], v[1]), mpx__nan_in(v[2], v[3])));
}
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    return mpx__above_block(v, 0x7f7f) && mpx__nan_in_four(v);
}
#endif

/* ---- f64 ------------------------------------------------------------------------------------- */

MPX__DECODER(mpx__dec_f64_nearest) {
    return mpx__f32_of_f64(mpx__load32(p), mpx__load32((const unsigned char *)p + MPX__VECTOR));
}
MPX__FORCE_INLINE void mpx__f64_block(mpx__vu v[4], const unsigned char *s, mpx__dec_fn dec) {
    v[0] = dec(s);
    v[1] = dec(s + 2 * MPX__VECTOR);
    v[2] = dec(s + 4 * MPX__VECTOR);
    v[3] = dec(s + 6 * MPX__VECTOR);
}
#ifdef MPX__HAS_STORE_HALF
MPX__FORCE_INLINE void mpx__store_f32_of_f64(unsigned char *d, const unsigned char *s) {
    mpx__store_half_of_f64(d, mpx__load32(s));
    mpx__store_half_of_f64(d + MPX__VECTOR / 2, mpx__load32(s + MPX__VECTOR));
}
#else
MPX__FORCE_INLINE void mpx__store_f32_of_f64(unsigned char *d, const unsigned char *s) {
    mpx__store32(d, mpx__dec_f64_nearest(s));
}
#endif
MPX__FORCE_INLINE int mpx__block_f32_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    if (!stream) {
        mpx__store_f32_of_f64(d, s);
        mpx__store_f32_of_f64(d + MPX__VECTOR, s + 2 * MPX__VECTOR);
        mpx__store_f32_of_f64(d + 2 * MPX__VECTOR, s + 4 * MPX__VECTOR);
        mpx__store_f32_of_f64(d + 3 * MPX__VECTOR, s + 6 * MPX__VECTOR);
        return 1;
    }
    mpx__f64_block(v, s, mpx__dec_f64_nearest);
    return mpx__store_block(d, v, stream);
}
MPX__ONE_STEP_ROW(mpx__f64_to_f32_row, 4, 8, mpx__block_f32_of_f64)

#ifdef MPX__LOSES_NAN
MPX__FORCE_INLINE int mpx__promotes(const mpx__vu v[4]) { return !mpx__nan_in_block(v); }
#else
MPX__FORCE_INLINE int mpx__promotes(const mpx__vu v[4]) { return (void)v, 1; }
#endif
#ifndef MPX__HAS_WIDENING_LOADS
MPX__FORCE_INLINE void mpx__f64_of_f32_at(mpx__vu v[2], const unsigned char *p) {
    mpx__f64_of_f32(v, mpx__load32(p));
}
#endif
MPX__FORCE_INLINE void mpx__store_f64_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[2];
    mpx__f64_of_f32_at(v, s);
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
}
MPX__FORCE_INLINE int mpx__block_f64_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    if (!mpx__promotes(v)) return 0;
    mpx__store_f64_of_f32(d, s, stream);
    mpx__store_f64_of_f32(d + 2 * MPX__VECTOR, s + MPX__VECTOR, stream);
    mpx__store_f64_of_f32(d + 4 * MPX__VECTOR, s + 2 * MPX__VECTOR, stream);
    mpx__store_f64_of_f32(d + 6 * MPX__VECTOR, s + 3 * MPX__VECTOR, stream);
    return 1;
}
MPX__ONE_STEP_ROW(mpx__f32_to_f64_row, 8, 4, mpx__block_f64_of_f32)

#ifdef MPX__HAS_ODD
MPX__FORCE_INLINE int mpx__is_beyond_cut(const mpx__vu v[4], const unsigned char *s) {
    return (void)v, (void)s, 0;
}
#else
/* Whether a cut may have met those ends of the range: a magnitude below 2^-125 or close to Inf. */
MPX__FORCE_INLINE int mpx__beyond_cut(const mpx__vu v[4]) {
    mpx__vu magnitude = mpx__set(0x7fffffffu), a = mpx__and(v[0], magnitude),
            b = mpx__and(v[1], magnitude), c = mpx__and(v[2], magnitude),
            d = mpx__and(v[3], magnitude);
    mpx__vu least = mpx__min16s(mpx__min16s(a, b), mpx__min16s(c, d));
    return mpx__above_block(v, 0x7f7e) || mpx__any(mpx__gt_signed(mpx__set(0x1000000u), least));
}
/* And whether it has, in a block of f64: zeros are right. */
MPX__PRIVATE int mpx__f64_beyond_cut(const unsigned char *s) {
    mpx__vu bad = mpx__set(0), low, high, zero;
    const unsigned char *end = s + 8 * MPX__BLOCK;
    for (; s != end; s += 2 * MPX__VECTOR) {
        mpx__load64(s, &low, &high);
        high = mpx__and(high, mpx__set(0x7fffffffu));
        zero = mpx__eq(mpx__or(low, high), mpx__set(0));
        bad = mpx__or(bad, mpx__gt_signed(high, mpx__set(0x47dfffffu)));
        high = mpx__select(zero, mpx__set(0x3ff00000u), high);
        bad = mpx__or(bad, mpx__gt_signed(mpx__set(0x38200000u), high));
    }
    return mpx__any(bad);
}
MPX__FORCE_INLINE int mpx__is_beyond_cut(const mpx__vu v[4], const unsigned char *s) {
    return mpx__beyond_cut(v) && mpx__f64_beyond_cut(s);
}
#endif

/* The f32 of the hub: by round-to-odd, whatever the target. */
MPX__FORCE_INLINE int mpx__block_tile_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    if (mpx__is_beyond_cut(v, s))
        mpx__loop(d, 4, s, 8, MPX__BLOCK, mpx__dec_odd_f64, mpx__enc_f32);
    else
        mpx__store_block(d, v, stream);
    return 1;
}
MPX__WIDE_ROW(mpx__f64_to_tile, 4, 8, mpx__block_tile_of_f64)

/* ---- f16 and bf16 to f32 --------------------------------------------------------------------- */

/* The larger magnitudes of two vectors of 16-bit floats, and whether one is above `limit`. */
MPX__FORCE_INLINE mpx__vu mpx__larger16(mpx__vu a, mpx__vu b) {
    mpx__vu magnitude = mpx__set(0x7fff7fffu);
    return mpx__max16(mpx__and(a, magnitude), mpx__and(b, magnitude));
}
MPX__FORCE_INLINE int mpx__is_above16(mpx__vu magnitudes, uint32_t limit) {
    return mpx__any(mpx__gt16s(magnitudes, mpx__set(limit * 0x10001u)));
}
MPX__FORCE_INLINE void mpx__store_upper16(unsigned char *d, mpx__vu words, int stream) {
    mpx__vu v[2];
    mpx__upper_two(v, words);
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
}
/* NaN is left: to be made quiet. */
MPX__FORCE_INLINE int mpx__block_f32_of_bf16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
    if (mpx__is_above16(mpx__larger16(a, b), 0x7f80)) return 0;
    mpx__store_upper16(d, a, stream);
    mpx__store_upper16(d + 2 * MPX__VECTOR, b, stream);
    return 1;
}
/* Two, with one question about NaN: 8 % less time at 1 KiB in bench-peers (Zen 3, AVX2). */
MPX__FORCE_INLINE int mpx__two_f32_of_bf16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    if (mpx__is_above16(mpx__max16(mpx__larger16(v[0], v[1]), mpx__larger16(v[2], v[3])), 0x7f80))
        return 0;
    mpx__store_upper16(d, v[0], stream);
    mpx__store_upper16(d + 2 * MPX__VECTOR, v[1], stream);
    mpx__store_upper16(d + 4 * MPX__VECTOR, v[2], stream);
    mpx__store_upper16(d + 6 * MPX__VECTOR, v[3], stream);
    return 1;
}
MPX__FORCE_INLINE size_t mpx__bf16_to_f32_until(const mpx__span *span) {
    size_t done = mpx__blocks_until(span, 0, 2 * MPX__BLOCK, 4, 2, mpx__two_f32_of_bf16);
    return mpx__blocks_until(span, done, MPX__BLOCK, 4, 2, mpx__block_f32_of_bf16);
}
MPX__EXACT_ROW(mpx__bf16_to_f32_row, 4, 2, mpx__block_f32_of_bf16)

#if MPX__NATIVE_F16
MPX__FORCE_INLINE void mpx__f16_block(mpx__vu v[4], const unsigned char *s) {
    v[0] = mpx__dec_f16(s);
    v[1] = mpx__dec_f16(s + 2 * MPX__LANES);
    v[2] = mpx__dec_f16(s + 4 * MPX__LANES);
    v[3] = mpx__dec_f16(s + 6 * MPX__LANES);
}
#else
/* The bits of an f16 as those of an f32 with the same fields, times 2^112: the difference of the
   biases. Not Inf and NaN, nor subnormals: their products would be right, but take 150 cycles on
   some machines. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_upper_f16(mpx__vu u) {
    return mpx__fmul(mpx__and(mpx__sar(u, 3), mpx__set(0x8fffffffu)),
                     mpx__set((127u + 112u) << 23));
}
/* Twice the magnitude less 0x8001, as a signed number: subnormals are the least, zero is the
   largest. */
MPX__FORCE_INLINE mpx__vu mpx__key_of_f16(mpx__vu h) {
    return mpx__add16(mpx__add16(h, h), mpx__set(0x7fff7fffu));
}
MPX__PRIVATE void mpx__f16_block_by_codec(unsigned char *d, const unsigned char *s) {
    mpx__loop(d, 4, s, 2, MPX__BLOCK, mpx__dec_f16, mpx__enc_f32);
}
MPX__FORCE_INLINE void mpx__f16_block(mpx__vu v[4], const unsigned char *s) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR), normal = mpx__set(0x87ff87ffu),
            least = mpx__min16s(mpx__key_of_f16(a), mpx__key_of_f16(b));
    if (mpx__any(mpx__gt16s(normal, least)) || mpx__is_above16(mpx__larger16(a, b), 0x7bff)) {
        unsigned char lanes[4 * MPX__VECTOR];
        mpx__f16_block_by_codec(lanes, s);
        mpx__load_block(v, lanes);
        return;
    }
    mpx__upper_block(v, s);
    v[0] = mpx__f32_of_upper_f16(v[0]);
    v[1] = mpx__f32_of_upper_f16(v[1]);
    v[2] = mpx__f32_of_upper_f16(v[2]);
    v[3] = mpx__f32_of_upper_f16(v[3]);
}
#endif
MPX__FORCE_INLINE int mpx__block_f32_of_f16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f16_block(v, s);
    return mpx__store_block(d, v, stream);
}
MPX__F16_ROW(mpx__f16_to_f32_row, 4, 2, mpx__block_f32_of_f16)

/* e5m2 is the upper byte of an f16: it is converted as such where an instruction does that. */
#if MPX__NATIVE_F16
MPX__FORCE_INLINE int mpx__block_f32_of_e5m2(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_e5m2(v, s);
    return mpx__store_block(d, v, stream);
}
#if MPX__HAS_ENV
MPX__F16_ROW(mpx__f8e5m2_to_f32_row, 4, 1, mpx__block_f32_of_e5m2)
#else /* F16C: no mode matters, and without signalling NaN nothing is raised */
MPX__EXACT_ROW(mpx__f8e5m2_to_f32_row, 4, 1, mpx__block_f32_of_e5m2)
#endif
MPX__INLINE int mpx__is_f16_of_e5m2(const mpx__span *span) {
    return span->from->type == MPX_F8E5M2 && span->to->type == MPX_F32;
}
#else
MPX__INLINE size_t mpx__f8e5m2_to_f32_row(const mpx__span *span) { return (void)span, 0; }
MPX__INLINE int mpx__is_f16_of_e5m2(const mpx__span *span) { return (void)span, 0; }
#endif

/* ---- to f16 and bf16 ------------------------------------------------------------------------- */

#if MPX__NATIVE_F16
MPX__FORCE_INLINE int mpx__in_f16_range(const mpx__vu v[4]) { return (void)v, 1; }
#else
/* No NaN, and no magnitude far beyond f16. */
MPX__FORCE_INLINE int mpx__in_f16_range(const mpx__vu v[4]) { return !mpx__above_block(v, 0x477e); }
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    mpx__vu t = mpx__pack32s(mpx__f16_lanes(a), mpx__f16_lanes(b));
    return mpx__signed_f16(t, a, b, mpx__set(0x7c007c00u));
}
#endif
MPX__FORCE_INLINE int mpx__round_f16_pairs(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__store_past(d, mpx__f16_pair(v[0], v[1]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__f16_pair(v[2], v[3]), stream);
    return 1;
}
#ifdef MPX__HAS_STORE_HALF
MPX__FORCE_INLINE int mpx__round_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    if (stream) return mpx__round_f16_pairs(d, v, 1);
    mpx__enc_f16(d, v[0]);
    mpx__enc_f16(d + 2 * MPX__LANES, v[1]);
    mpx__enc_f16(d + 4 * MPX__LANES, v[2]);
    mpx__enc_f16(d + 6 * MPX__LANES, v[3]);
    return 1;
}
#else
MPX__FORCE_INLINE int mpx__round_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    return mpx__round_f16_pairs(d, v, stream);
}
#endif
MPX__FORCE_INLINE int mpx__store_f16(unsigned char *d, const mpx__vu v[4], int stream) {
    return mpx__in_f16_range(v) && mpx__round_f16(d, v, stream);
}
MPX__FORCE_INLINE int mpx__block_f16_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    return mpx__store_f16(d, v, stream);
}
#if MPX__NATIVE_F16 /* else fast_small.h has these two */
MPX__FORCE_INLINE int mpx__block_f16_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    return mpx__store_f16(d, v, stream);
}
MPX__FORCE_INLINE int mpx__block_f16_of_bf16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__upper_block(v, s);
    return mpx__store_f16(d, v, stream);
}
MPX__F16_ROW(mpx__f32_to_f16_row, 2, 4, mpx__block_f16_of_f32)
MPX__F16_ROW(mpx__bf16_to_f16_row, 2, 2, mpx__block_f16_of_bf16)
#endif
MPX__WIDE_ROW(mpx__f64_to_f16_row, 2, 8, mpx__block_f16_of_f64)

#ifndef MPX__HAS_BF16_PAIR
/* To nearest even, in the upper halves: a carry out of the mantissa raises the exponent. */
MPX__FORCE_INLINE mpx__vu mpx__round_upper(mpx__vu u) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    return mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return mpx__join_upper16(mpx__round_upper(a), mpx__round_upper(b));
}
#endif
MPX__FORCE_INLINE int mpx__round_bf16(unsigned char *d, const mpx__vu v[4], int stream) {
    mpx__store_past(d, mpx__bf16_pair(v[0], v[1]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__bf16_pair(v[2], v[3]), stream);
    return 1;
}
#if MPX__NATIVE_BF16
MPX__FORCE_INLINE int mpx__store_bf16(unsigned char *d, const mpx__vu v[4], int stream) {
    return mpx__round_bf16(d, v, stream);
}
#else
MPX__FORCE_INLINE int mpx__store_bf16(unsigned char *d, const mpx__vu v[4], int stream) {
    if (mpx__nan_in_block(v)) return 0;
    return mpx__round_bf16(d, v, stream);
}
#endif
#ifdef MPX__HAS_WORDS_AT
MPX__FORCE_INLINE int mpx__block_bf16_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    const unsigned char *t = s + 2 * MPX__VECTOR;
    mpx__vu a = mpx__upper_words_at(s), b = mpx__upper_words_at(t), v[4];
    if (mpx__above_words(a, b, 0x7f7f)) {
        mpx__load_block(v, s);
        if (mpx__nan_in_four(v)) return 0;
    }
    mpx__store_past(d, mpx__bf16_of_words(a, mpx__lower_words_at(s)), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__bf16_of_words(b, mpx__lower_words_at(t)), stream);
    return 1;
}
#else
MPX__FORCE_INLINE int mpx__block_bf16_of_f32(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__load_block(v, s);
    return mpx__store_bf16(d, v, stream);
}
#endif
MPX__FORCE_INLINE int mpx__block_bf16_of_f16(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f16_block(v, s);
    return mpx__store_bf16(d, v, stream);
}
#ifdef MPX__HAS_ODD
MPX__FORCE_INLINE int mpx__block_bf16_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    return mpx__store_bf16(d, v, stream);
}
#else
/* Rounded twice, to f32 and then to bf16, each time to nearest. That is right but where the f32 is
   a tie: it does not tell on which side of it the f64 was. Blocks with a tie are rounded to odd.
   Less than half the time of doing so with all (Zen 3, AVX2 and SSE2), more where most have ties.
   The lower half of a tie is the least of signed words. */
MPX__FORCE_INLINE int mpx__tie_or_nan(const mpx__vu v[4]) {
    mpx__vu least = mpx__min16s(mpx__min16s(v[0], v[1]), mpx__min16s(v[2], v[3])),
            tie = mpx__and(mpx__eq16(least, mpx__set(0x8000)), mpx__set(0xffff)),
            nan = mpx__or(mpx__quiet_nan_in(v[0], v[1]), mpx__quiet_nan_in(v[2], v[3]));
    return mpx__any(mpx__or(tie, nan));
}
/* f64 to two vectors which mpx__pack32s joins in order: where a register has two halves, it does
   that within each of them. */
MPX__FORCE_INLINE void mpx__f32_of_f64_to_pack(mpx__vu v[2], const unsigned char *s) {
    const int second = MPX__VECTOR * (MPX__LANES / 4), third = 3 * MPX__VECTOR - second;
    v[0] = mpx__f32_of_f64(mpx__load32(s), mpx__load32(s + second));
    v[1] = mpx__f32_of_f64(mpx__load32(s + third), mpx__load32(s + 3 * MPX__VECTOR));
}
MPX__FORCE_INLINE mpx__vu mpx__bf16_without_ties(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000);
    return mpx__pack32s(mpx__sar(mpx__add(a, half), 16), mpx__sar(mpx__add(b, half), 16));
}
MPX__LONG_WAY int mpx__bf16_of_f64_by_odd(unsigned char *d, const unsigned char *s) {
    mpx__vu v[4];
    mpx__f64_block(v, s, mpx__dec_f64_cut);
    return !mpx__is_beyond_cut(v, s) && mpx__store_bf16(d, v, 0);
}
MPX__FORCE_INLINE int mpx__block_bf16_of_f64(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f32_of_f64_to_pack(v, s);
    mpx__f32_of_f64_to_pack(v + 2, s + 4 * MPX__VECTOR);
    if (mpx__tie_or_nan(v)) return mpx__bf16_of_f64_by_odd(d, s);
    mpx__store_past(d, mpx__bf16_without_ties(v[0], v[1]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__bf16_without_ties(v[2], v[3]), stream);
    return 1;
}
#endif
#if MPX__NATIVE_BF16 || defined(MPX__HAS_NAN_IN_BLOCK)
MPX__WIDE_ROW(mpx__f32_to_bf16_row, 2, 4, mpx__block_bf16_of_f32)
MPX__WIDE_ROW(mpx__f16_to_bf16_row, 2, 2, mpx__block_bf16_of_f16)
#else
MPX__EXACT_ROW(mpx__f32_to_bf16_row, 2, 4, mpx__block_bf16_of_f32)
MPX__F16_ROW(mpx__f16_to_bf16_row, 2, 2, mpx__block_bf16_of_f16)
#endif
MPX__WIDE_ROW(mpx__f64_to_bf16_row, 2, 8, mpx__block_bf16_of_f64)
#undef MPX__ROW_WITHIN
#undef MPX__WIDE_ROW
#undef MPX__ONE_STEP_ROW
#undef MPX__F16_ROW
#undef MPX__EXACT_ROW

/* ---- stochastic, f32 to bf16 ----------------------------------------------------------------- */

/* The sums' upper halves. A block with what they do not serve goes the way of the tile (round.h).
   r->index is even; whole blocks, while the counter's high half stays. */
MPX__FORCE_INLINE mpx__vu mpx__dither_pair(const mpx__vu v[2], mpx__vu word) {
    mpx__vu random[2];
    mpx__unpack_unsigned16(random, word);
    return mpx__join_upper16(mpx__add(v[0], random[0]), mpx__add(v[1], random[1]));
}
MPX__PRIVATE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    const mpx__vu key0 = mpx__set(r->key0), key = mpx__set(mpx__second_key(r));
    const uint32_t limit = r->saturate ? 0x7f7e : 0x7f7f; /* of the upper halves of magnitudes */
    const size_t all = mpx__words_left(r) < span->n / 2 ? (size_t)mpx__words_left(r) * 2 : span->n;
    mpx__vu counter = mpx__first_counters(r);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    size_t n = all;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK * 2, s += MPX__BLOCK * 4) {
        mpx__vu next = mpx__add(counter, mpx__set(MPX__LANES)), v[4];
        mpx__load_block(v, s);
        if (mpx__above_block(v, limit)) {
            mpx__dither_exactly(d, s, MPX__BLOCK, r, all - n);
        } else {
            mpx__vu a = mpx__mix_lanes(mpx__xor(counter, key0), key);
            mpx__vu b = mpx__mix_lanes(mpx__xor(next, key0), key);
            mpx__fetch(s, MPX__BLOCK * 4, span->stream);
            mpx__store_past(d, mpx__dither_pair(v, a), span->stream);
            mpx__store_past(d + MPX__VECTOR, mpx__dither_pair(v + 2, b), span->stream);
        }
        counter = mpx__add(next, mpx__set(MPX__LANES));
    }
    return all - n;
}

/* ---- which row ------------------------------------------------------------------------------- */

MPX__PRIVATE size_t mpx__to_f32_row(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F16: return mpx__f16_to_f32_row(span);
    case MPX_BF16: return mpx__bf16_to_f32_row(span);
    case MPX_F64: return mpx__f64_to_f32_row(span);
    default: return 0;
    }
}
#if MPX__NATIVE_F16
MPX__PRIVATE size_t mpx__wide_to_f16_row(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_f16_row(span);
    case MPX_BF16: return mpx__bf16_to_f16_row(span);
    case MPX_F64: return mpx__f64_to_f16_row(span);
    default: return 0;
    }
}
#else
MPX__PRIVATE size_t mpx__wide_to_f16_row(const mpx__span *span) {
    return span->from->type == MPX_F64 ? mpx__f64_to_f16_row(span) : 0;
}
#endif
MPX__PRIVATE size_t mpx__to_bf16_row(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_bf16_row(span);
    case MPX_F16: return mpx__f16_to_bf16_row(span);
    case MPX_F64: return mpx__f64_to_bf16_row(span);
    default: return 0;
    }
}
/* Returns the elements done, from the start of the span: whole blocks. Integers saturate anyway,
   and none is too large for f32. */
MPX__PRIVATE size_t mpx__wide_row(const mpx__span *span) {
    size_t done = mpx__has_integer(span) ? mpx__number_row(span) : 0;
    if (done != 0 || span->saturate) return done;
    switch (span->to->type) {
    case MPX_F64: return span->from->type == MPX_F32 ? mpx__f32_to_f64_row(span) : 0;
    case MPX_F32: return mpx__to_f32_row(span);
    case MPX_F16: return mpx__wide_to_f16_row(span);
    case MPX_BF16: return mpx__to_bf16_row(span);
    default: return 0;
    }
}

MPX__PRIVATE size_t mpx__fast_rows(const mpx__span *span) {
    size_t done;
    if (span->n < MPX__BLOCK || (span->n < MPX__FEW && span->from->bits < 64)) return 0;
    if (mpx__is_f16_of_e5m2(span)) return span->saturate ? 0 : mpx__f8e5m2_to_f32_row(span);
    if (mpx__is_small(span->to) || mpx__is_small(span->from)) return mpx__small_row(span);
    done = mpx__to_f16_row(span);
    return done != 0 ? done : mpx__wide_row(span);
}

/* ---- shortcuts, see cast.h ------------------------------------------------------------------- */

#if MPX__MODES_ARE_TOLD
MPX__SHORTCUT(mpx__f64_to_f32_shortcut, MPX_F32, MPX_F64,
              mpx__steps(&span, 4, 8, MPX__BLOCK, mpx__block_f32_of_f64, 1))
MPX__SHORTCUT(mpx__f32_to_f64_shortcut, MPX_F64, MPX_F32,
              mpx__steps(&span, 8, 4, MPX__BLOCK, mpx__block_f64_of_f32, 1))
#else /* the rows see to the modes themselves */
MPX__SHORTCUT(mpx__f64_to_f32_shortcut, MPX_F32, MPX_F64, mpx__f64_to_f32_row(&span))
MPX__SHORTCUT(mpx__f32_to_f64_shortcut, MPX_F64, MPX_F32, mpx__f32_to_f64_row(&span))
#endif
MPX__SHORTCUT(mpx__f16_to_f32_shortcut, MPX_F32, MPX_F16, mpx__f16_to_f32_row(&span))
MPX__SHORTCUT(mpx__bf16_to_f16_shortcut, MPX_F16, MPX_BF16, mpx__bf16_to_f16_row(&span))
MPX__SHORTCUT(mpx__f16_to_bf16_shortcut, MPX_BF16, MPX_F16, mpx__f16_to_bf16_row(&span))
MPX__SHORTCUT(mpx__f32_to_f16_shortcut, MPX_F16, MPX_F32, mpx__f32_to_f16_row(&span))
MPX__SHORTCUT(mpx__bf16_to_f32_shortcut, MPX_F32, MPX_BF16, mpx__bf16_to_f32_until(&span))
#if MPX__NATIVE_BF16 || defined(MPX__HAS_NAN_IN_BLOCK) /* as its row */
MPX__SHORTCUT(mpx__f32_to_bf16_shortcut, MPX_BF16, MPX_F32, mpx__f32_to_bf16_row(&span))
#else
MPX__SHORTCUT(mpx__f32_to_bf16_shortcut, MPX_BF16, MPX_F32,
              mpx__blocks_until(&span, 0, MPX__BLOCK, 2, 4, mpx__block_bf16_of_f32))
#endif
#undef MPX__SHORTCUT

#endif
/*==========================================================================*
 * MARK: fast_int - integers, f32 and f64 to one another                     *
 *   Instead of integers.h's halves and tiles: pairs of integers of 8 to 64  *
 *   bits, and these with f32 and f64, straight from source to target.       *
 *   AVX-512 has a room of its own.                                          *
 *==========================================================================*/
#if MPX__HAS_FLOAT && !MPX__HAS_OWN_ROWS

/* ---- rows ------------------------------------------------------------------------------------ */

/* In any mode; in those to nearest; in an environment of its own, whatever the modes. */
#define MPX__STEPS(from, to, step, block, is_short) \
    mpx__steps(span, MPX__SIZE_##to, MPX__SIZE_##from, step, block, is_short)
#define MPX__IN_VECTORS(count, to) ((count) * MPX__VECTOR / MPX__SIZE_##to)
#define MPX__ANY_MODE_ROW(from, to, step, block, few_step, few) \
    MPX__NUMBER_ROW_IN( \
        from, to, MPX__STEPS(from, to, step, block, (step) <= MPX__IN_VECTORS(4, to)), few_step, \
        MPX__STEPS(from, to, few_step, few, 0), 1, 0, mpx__no_env_enter, mpx__no_env_leave)
MPX__FORCE_INLINE int mpx__modes_may_differ(void) {
    return MPX__MODES_ARE_TOLD ? mpx__modes_differ() : MPX__HAS_MXCSR || MPX__HAS_ENV;
}
#define MPX__MODES_ROW(from, to, step, block) \
    MPX__NUMBER_ROW_IN(from, to, MPX__STEPS(from, to, step, block, 1), step, \
                       MPX__STEPS(from, to, step, block, 0), stream, mpx__modes_may_differ(), \
                       mpx__env_enter, mpx__env_leave)
#define MPX__ENV_ROW(from, to, step, block) \
    MPX__NUMBER_ROW_IN(from, to, MPX__STEPS(from, to, step, block, 0), step, \
                       MPX__STEPS(from, to, step, block, 0), stream, 1, mpx__env_enter, \
                       mpx__env_leave)

/* ---- by vectors of the target ---------------------------------------------------------------- */

/* Four, each from `bytes` of the source on. */
typedef mpx__vu (*mpx__vector_fn)(const unsigned char *s);
MPX__FORCE_INLINE int mpx__four_vectors(unsigned char *d, const unsigned char *s, size_t bytes,
                                        mpx__vector_fn vector, int stream) {
    mpx__vu v[4];
    if (bytes > MPX__VECTOR) { /* bound by loads */
        mpx__store_past(d, vector(s), stream);
        mpx__store_past(d + MPX__VECTOR, vector(s + bytes), stream);
        mpx__store_past(d + 2 * MPX__VECTOR, vector(s + 2 * bytes), stream);
        mpx__store_past(d + 3 * MPX__VECTOR, vector(s + 3 * bytes), stream);
        return 1;
    }
    v[0] = vector(s);
    v[1] = vector(s + bytes);
    v[2] = vector(s + 2 * bytes);
    v[3] = vector(s + 3 * bytes);
    return mpx__store_block(d, v, stream);
}
/* A block: four, or one where each takes more than two vectors of the source. */
MPX__FORCE_INLINE int mpx__vectors(unsigned char *d, const unsigned char *s, size_t to_size,
                                   size_t from_size, mpx__vector_fn vector, int stream) {
    const size_t bytes = MPX__VECTOR / to_size * from_size;
    if (bytes <= 2 * MPX__VECTOR) return mpx__four_vectors(d, s, bytes, vector, stream);
    mpx__store_past(d, vector(s), stream);
    return 1;
}
#define MPX__VECTOR_ROW(from, to, vector) \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        return mpx__vectors(d, s, MPX__SIZE_##to, MPX__SIZE_##from, vector, stream); \
    } \
    MPX__FORCE_INLINE int mpx__few_##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                        int stream) { \
        mpx__store_past(d, vector(s), stream); \
        return 1; \
    } \
    MPX__ANY_MODE_ROW(from, to, \
                      MPX__IN_VECTORS(MPX__SIZE_##from > 2 * MPX__SIZE_##to ? 1 : 4, to), \
                      mpx__##to##s_of_##from##s, MPX__IN_VECTORS(1, to), \
                      mpx__few_##to##s_of_##from##s)

/* Of as many bits. What is below 0 becomes 0, what is above the largest signed number that. */
MPX__FORCE_INLINE mpx__vu mpx__ones(void) { return mpx__set(0xffffffffu); }
MPX__FORCE_INLINE mpx__vu mpx__u8_of_i8s(const unsigned char *s) {
    return mpx__at_least_0_8(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i8_of_u8s(const unsigned char *s) {
    return mpx__min8(mpx__load32(s), mpx__set(0x7f7f7f7fu));
}
MPX__FORCE_INLINE mpx__vu mpx__u16_of_i16s(const unsigned char *s) {
    return mpx__max16s(mpx__load32(s), mpx__set(0));
}
MPX__FORCE_INLINE mpx__vu mpx__i16_of_u16s(const unsigned char *s) {
    return mpx__at_most_i16(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i32s(const unsigned char *s) {
    return mpx__at_least_0(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_u32s(const unsigned char *s) {
    return mpx__at_most_i32(mpx__load32(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_i64s(const unsigned char *s) {
    mpx__vu x = mpx__load32(s);
    return mpx__and(x, mpx__xor(mpx__sign64(x), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__i64_of_u64s(const unsigned char *s) {
    mpx__vu x = mpx__load32(s);
    return mpx__and(mpx__or(x, mpx__sign64(x)), mpx__set64(0x7fffffffffffffffu));
}
MPX__VECTOR_ROW(i8, u8, mpx__u8_of_i8s)
MPX__VECTOR_ROW(u8, i8, mpx__i8_of_u8s)
MPX__VECTOR_ROW(i16, u16, mpx__u16_of_i16s)
MPX__VECTOR_ROW(u16, i16, mpx__i16_of_u16s)
MPX__VECTOR_ROW(i32, u32, mpx__u32_of_i32s)
MPX__VECTOR_ROW(u32, i32, mpx__i32_of_u32s)
MPX__VECTOR_ROW(i64, u64, mpx__u64_of_i64s)
MPX__VECTOR_ROW(u64, i64, mpx__i64_of_u64s)

/* 16 bits to 8: packing saturates. */
MPX__FORCE_INLINE mpx__vu mpx__i8_of_i16s(const unsigned char *s) {
    return mpx__packed_once(mpx__pack16s(mpx__load32(s), mpx__load32(s + MPX__VECTOR)));
}
MPX__FORCE_INLINE mpx__vu mpx__u8_of_i16s(const unsigned char *s) {
    return mpx__packed_once(mpx__pack16(mpx__load32(s), mpx__load32(s + MPX__VECTOR)));
}
MPX__FORCE_INLINE mpx__vu mpx__i8_of_u16s(const unsigned char *s) {
    mpx__vu a = mpx__i16_of_u16s(s), b = mpx__i16_of_u16s(s + MPX__VECTOR);
    return mpx__packed_once(mpx__pack16s(a, b));
}
MPX__FORCE_INLINE mpx__vu mpx__u8_of_u16s(const unsigned char *s) {
    mpx__vu a = mpx__i16_of_u16s(s), b = mpx__i16_of_u16s(s + MPX__VECTOR);
    return mpx__packed_once(mpx__pack16(a, b));
}
MPX__VECTOR_ROW(i16, i8, mpx__i8_of_i16s)
MPX__VECTOR_ROW(i16, u8, mpx__u8_of_i16s)
MPX__VECTOR_ROW(u16, i8, mpx__i8_of_u16s)
MPX__VECTOR_ROW(u16, u8, mpx__u8_of_u16s)

/* 64 bits to 32: the low halves of two vectors' lanes, and what the high ones say of them. As if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64s(const unsigned char *s) {
    mpx__vu low, high, sign, limit;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    sign = mpx__sar(high, 31);
    limit = mpx__xor(sign, mpx__set(0x7fffffffu));
    return mpx__select(mpx__eq(high, mpx__sar(low, 31)), low, limit);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64s(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    low = mpx__or(low, mpx__gt_signed(high, mpx__set(0)));
    return mpx__and(low, mpx__xor(mpx__sar(high, 31), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64s(const unsigned char *s) {
    mpx__vu low, high;
    mpx__split64(mpx__load32(s), mpx__load32(s + MPX__VECTOR), &low, &high);
    return mpx__or(low, mpx__xor(mpx__eq(high, mpx__set(0)), mpx__ones()));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_u64s(const unsigned char *s) {
    return mpx__at_most_i32(mpx__u32_of_u64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__i32_of_i64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__u32_of_i64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_u64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__i32_of_u64s(s));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64s_in_order(const unsigned char *s) {
    return mpx__packed_once(mpx__u32_of_u64s(s));
}
MPX__VECTOR_ROW(i64, i32, mpx__i32_of_i64s_in_order)
MPX__VECTOR_ROW(i64, u32, mpx__u32_of_i64s_in_order)
MPX__VECTOR_ROW(u64, i32, mpx__i32_of_u64s_in_order)
MPX__VECTOR_ROW(u64, u32, mpx__u32_of_u64s_in_order)

/* 32 and 64 bits to 16 and 8: signed lanes of 32 bits, of `step` bytes of the source each, packed
   once or twice more. */
#ifndef MPX__HAS_PACK32
/* -32768 .. 32767 and 32768 more. */
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    const mpx__vu half = mpx__set(0x8000u);
    a = mpx__sub(mpx__at_least_0(a), half);
    b = mpx__sub(mpx__at_least_0(b), half);
    return mpx__xor(mpx__pack32s(a, b), mpx__set(0x80008000u));
}
#endif
MPX__FORCE_INLINE mpx__vu mpx__two_to_i16(const unsigned char *s, size_t step,
                                        mpx__vector_fn lanes) {
    return mpx__pack32s(lanes(s), lanes(s + step));
}
MPX__FORCE_INLINE mpx__vu mpx__two_to_u16(const unsigned char *s, size_t step,
                                        mpx__vector_fn lanes) {
    return mpx__pack32(lanes(s), lanes(s + step));
}
MPX__FORCE_INLINE mpx__vu mpx__four_to_i8(const unsigned char *s, size_t step,
                                         mpx__vector_fn lanes) {
    return mpx__pack16s(mpx__two_to_i16(s, step, lanes),
                        mpx__two_to_i16(s + 2 * step, step, lanes));
}
MPX__FORCE_INLINE mpx__vu mpx__four_to_u8(const unsigned char *s, size_t step,
                                         mpx__vector_fn lanes) {
    return mpx__pack16(mpx__two_to_i16(s, step, lanes),
                       mpx__two_to_i16(s + 2 * step, step, lanes));
}
MPX__FORCE_INLINE mpx__vu mpx__lanes_at(const unsigned char *s) { return mpx__load32(s); }
#define MPX__PACK_ROW(from, to, pack, order, lanes) \
    MPX__FORCE_INLINE mpx__vu mpx__##to##_packed_##from(const unsigned char *s) { \
        return order(pack(s, MPX__LANES * MPX__SIZE_##from, lanes)); \
    } \
    MPX__VECTOR_ROW(from, to, mpx__##to##_packed_##from)
#define MPX__PACK_ROWS(from, once, twice, lanes) \
    MPX__PACK_ROW(from, i16, mpx__two_to_i16, once, lanes) \
    MPX__PACK_ROW(from, u16, mpx__two_to_u16, once, lanes) \
    MPX__PACK_ROW(from, i8, mpx__four_to_i8, twice, lanes) \
    MPX__PACK_ROW(from, u8, mpx__four_to_u8, twice, lanes)
MPX__PACK_ROWS(i32, mpx__packed_once, mpx__packed_twice, mpx__lanes_at)
MPX__PACK_ROWS(u32, mpx__packed_once, mpx__packed_twice, mpx__i32_of_u32s)
MPX__PACK_ROWS(i64, mpx__packed_twice, mpx__packed_thrice, mpx__i32_of_i64s)
MPX__PACK_ROWS(u64, mpx__packed_twice, mpx__packed_thrice, mpx__i32_of_u64s)
#undef MPX__PACK_ROWS
#undef MPX__PACK_ROW
#undef MPX__VECTOR_ROW

/* ---- integers to wider ones, f32 and f64 ----------------------------------------------------- */

/* Two vectors of lanes as wide as the target's, or half as wide, and what becomes of them. */
typedef void (*mpx__store_fn)(unsigned char *d, const mpx__vu v[2], int stream);
MPX__FORCE_INLINE void mpx__store_pair(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_past(d, v[0], stream);
    mpx__store_past(d + MPX__VECTOR, v[1], stream);
}
/* Beyond 24 bits the conversion rounds to nearest even. */
MPX__FORCE_INLINE void mpx__store_f32s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_past(d, mpx__f32_of_i24(v[0]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__f32_of_i24(v[1]), stream);
}
/* Twice as wide. */
typedef void (*mpx__double_fn)(mpx__vu v[2], mpx__vu x);
MPX__FORCE_INLINE void mpx__two_i64(mpx__vu v[2], mpx__vu x) {
    x = mpx__to_pair_once(x);
    mpx__pair32(x, mpx__sar(x, 31), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__two_u64(mpx__vu v[2], mpx__vu x) {
    mpx__pair32(mpx__to_pair_once(x), mpx__set(0), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__two_u64_of_i32(mpx__vu v[2], mpx__vu x) {
    mpx__two_u64(v, mpx__at_least_0(x));
}
/* 2^52 and the number, less 2^52: exact, but that 0 becomes -0 where sums are rounded down. */
MPX__FORCE_INLINE void mpx__two_f64_of_u32(mpx__vu v[2], mpx__vu x) {
    const mpx__vu less = mpx__set64((uint64_t)0xc33 << 52);
    mpx__pair32(mpx__to_pair_once(x), mpx__set(0x43300000u), &v[0], &v[1]);
    v[0] = mpx__fadd64(v[0], less);
    v[1] = mpx__fadd64(v[1], less);
}
MPX__FORCE_INLINE void mpx__store_twice(unsigned char *d, const mpx__vu v[2], mpx__double_fn two,
                                        int stream) {
    mpx__vu w[2];
    two(w, v[0]);
    mpx__store_pair(d, w, stream);
    two(w, v[1]);
    mpx__store_pair(d + 2 * MPX__VECTOR, w, stream);
}
MPX__FORCE_INLINE void mpx__store_i64s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_i64, stream);
}
MPX__FORCE_INLINE void mpx__store_u64s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_u64, stream);
}
MPX__FORCE_INLINE void mpx__store_u64s_of_i32(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_u64_of_i32, stream);
}
MPX__FORCE_INLINE void mpx__store_f64s(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__f64_of_i32, stream);
}
MPX__FORCE_INLINE void mpx__store_f64s_of_u32(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__store_twice(d, v, mpx__two_f64_of_u32, stream);
}

/* From a vector of numbers half as wide two, from one of a quarter four; of signed numbers those
   below 0 made 0, before they are wider. */
MPX__FORCE_INLINE void mpx__load_pair(mpx__vu v[2], const void *p) {
    v[0] = mpx__load32(p);
    v[1] = mpx__load32((const unsigned char *)p + MPX__VECTOR);
}
MPX__FORCE_INLINE void mpx__load_extended16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_clipped8to16(mpx__vu v[2], const void *p) {
    mpx__vu x = mpx__u8_of_i8s((const unsigned char *)p);
    mpx__pair8(mpx__to_pair_once(x), mpx__set(0), &v[0], &v[1]);
}
MPX__FORCE_INLINE void mpx__load_clipped16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__max16s(mpx__load32(p), mpx__set(0)));
}
#ifndef MPX__HAS_CLIPPED8
MPX__FORCE_INLINE void mpx__load_clipped8(mpx__vu v[4], const void *p) {
    mpx__vu w[2];
    mpx__load_clipped8to16(w, p);
    mpx__unpack_unsigned16(v, w[0]);
    mpx__unpack_unsigned16(v + 2, w[1]);
}
#endif

/* Blocks: two pairs, or four vectors of lanes. */
typedef void (*mpx__spread_fn)(mpx__vu *v, const void *p);
MPX__FORCE_INLINE int mpx__two_pairs(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__spread_fn load, mpx__store_fn store, size_t to_bytes,
                                     size_t from_bytes) {
    mpx__vu v[2];
    load(v, s);
    store(d, v, stream);
    load(v, s + from_bytes);
    store(d + to_bytes, v, stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__one_four(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__spread_fn load, mpx__store_fn store, size_t to_bytes,
                                    size_t from_bytes) {
    mpx__vu v[4];
    (void)from_bytes;
    load(v, s);
    store(d, v, stream);
    store(d + to_bytes, v + 2, stream);
    return 1;
}
#define MPX__LANES_BLOCK(from, to, step, way, load, store) \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        return way(d, s, stream, load, store, (step) / 2 * MPX__SIZE_##to, \
                   (step) / 2 * MPX__SIZE_##from); \
    }
#define MPX__LANES_ROW(from, to, step, way, load, store) \
    MPX__LANES_BLOCK(from, to, step, way, load, store) \
    MPX__ANY_MODE_ROW(from, to, step, mpx__##to##s_of_##from##s, step, mpx__##to##s_of_##from##s)
#define MPX__ROW_OF_8(from, to, load, store) \
    MPX__LANES_ROW(from, to, MPX__BLOCK, mpx__one_four, load, store)
#define MPX__ROW_OF_PAIRS(from, to, load, store) \
    MPX__LANES_ROW(from, to, MPX__BLOCK, mpx__two_pairs, load, store)
#define MPX__ROW_OF_8_TO_16(from, to, load) \
    MPX__LANES_BLOCK(from, to, 2 * MPX__BLOCK, mpx__two_pairs, load, mpx__store_pair) \
    MPX__FORCE_INLINE int mpx__few_##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                        int stream) { \
        mpx__vu v[2]; \
        load(v, s); \
        mpx__store_pair(d, v, stream); \
        return 1; \
    } \
    MPX__ANY_MODE_ROW(from, to, 2 * MPX__BLOCK, mpx__##to##s_of_##from##s, MPX__BLOCK, \
                      mpx__few_##to##s_of_##from##s)
MPX__ROW_OF_8_TO_16(i8, i16, mpx__load_signed8to16)
MPX__ROW_OF_8_TO_16(i8, u16, mpx__load_clipped8to16)
MPX__ROW_OF_8_TO_16(u8, i16, mpx__load_unsigned8to16)
MPX__ROW_OF_8_TO_16(u8, u16, mpx__load_unsigned8to16)
MPX__ROW_OF_8(i8, i32, mpx__load_signed8, mpx__store_pair)
MPX__ROW_OF_8(u8, i32, mpx__load_unsigned8, mpx__store_pair)
MPX__ROW_OF_PAIRS(i16, i32, mpx__load_extended16, mpx__store_pair)
MPX__ROW_OF_PAIRS(u16, i32, mpx__load_unsigned16, mpx__store_pair)
MPX__ROW_OF_8(i8, u32, mpx__load_clipped8, mpx__store_pair)
MPX__ROW_OF_8(u8, u32, mpx__load_unsigned8, mpx__store_pair)
MPX__ROW_OF_PAIRS(i16, u32, mpx__load_clipped16, mpx__store_pair)
MPX__ROW_OF_PAIRS(u16, u32, mpx__load_unsigned16, mpx__store_pair)
MPX__ROW_OF_8(i8, f32, mpx__load_signed8, mpx__store_f32s)
MPX__ROW_OF_8(u8, f32, mpx__load_unsigned8, mpx__store_f32s)
MPX__ROW_OF_PAIRS(i16, f32, mpx__load_signed16, mpx__store_f32s)
MPX__ROW_OF_PAIRS(u16, f32, mpx__load_unsigned16, mpx__store_f32s)
MPX__ROW_OF_8(i8, i64, mpx__load_signed8, mpx__store_i64s)
MPX__ROW_OF_8(u8, i64, mpx__load_unsigned8, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i16, i64, mpx__load_signed16, mpx__store_i64s)
MPX__ROW_OF_PAIRS(u16, i64, mpx__load_unsigned16, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i32, i64, mpx__load_pair, mpx__store_i64s)
MPX__ROW_OF_PAIRS(u32, i64, mpx__load_pair, mpx__store_u64s)
MPX__ROW_OF_8(i8, u64, mpx__load_clipped8, mpx__store_u64s)
MPX__ROW_OF_8(u8, u64, mpx__load_unsigned8, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i16, u64, mpx__load_clipped16, mpx__store_u64s)
MPX__ROW_OF_PAIRS(u16, u64, mpx__load_unsigned16, mpx__store_u64s)
MPX__ROW_OF_PAIRS(i32, u64, mpx__load_pair, mpx__store_u64s_of_i32)
MPX__ROW_OF_PAIRS(u32, u64, mpx__load_pair, mpx__store_u64s)
MPX__ROW_OF_8(i8, f64, mpx__load_signed8, mpx__store_f64s)
MPX__ROW_OF_8(u8, f64, mpx__load_unsigned8, mpx__store_f64s)
MPX__ROW_OF_PAIRS(i16, f64, mpx__load_signed16, mpx__store_f64s)
MPX__ROW_OF_PAIRS(u16, f64, mpx__load_unsigned16, mpx__store_f64s)
MPX__LANES_BLOCK(u32, f64, MPX__BLOCK, mpx__two_pairs, mpx__load_pair, mpx__store_f64s_of_u32)
MPX__NUMBER_ROW_IN(u32, f64, MPX__STEPS(u32, f64, MPX__BLOCK, mpx__f64s_of_u32s, 0), MPX__BLOCK,
                   MPX__STEPS(u32, f64, MPX__BLOCK, mpx__f64s_of_u32s, 0), stream,
                   mpx__rounds_down(), mpx__env_enter, mpx__env_leave)
/* Those that round; in another mode than to nearest they may make -0 of 0 too. */
MPX__LANES_BLOCK(i32, f32, MPX__BLOCK, mpx__two_pairs, mpx__load_pair, mpx__store_f32s)
MPX__MODES_ROW(i32, f32, MPX__BLOCK, mpx__f32s_of_i32s)
#undef MPX__ROW_OF_8_TO_16
#undef MPX__ROW_OF_PAIRS
#undef MPX__ROW_OF_8
#undef MPX__LANES_ROW
#undef MPX__LANES_BLOCK

#ifndef MPX__HAS_WIDENING_LOADS
MPX__FORCE_INLINE void mpx__f64_of_i32_at(mpx__vu v[2], const unsigned char *p) {
    mpx__f64_of_i32(v, mpx__load32(p));
}
#endif
MPX__FORCE_INLINE int mpx__f64s_of_i32s(unsigned char *d, const unsigned char *s, int stream) {
    mpx__vu v[4];
    mpx__f64_of_i32_at(v, s);
    mpx__f64_of_i32_at(v + 2, s + MPX__VECTOR);
    (void)mpx__store_block(d, v, stream);
    mpx__f64_of_i32_at(v, s + 2 * MPX__VECTOR);
    mpx__f64_of_i32_at(v + 2, s + 3 * MPX__VECTOR);
    return mpx__store_block(d + 4 * MPX__VECTOR, v, stream);
}
MPX__ANY_MODE_ROW(i32, f64, MPX__BLOCK, mpx__f64s_of_i32s, MPX__BLOCK, mpx__f64s_of_i32s)

#ifndef MPX__HAS_F32_OF_U32
/* By halves: their product and the sum before it is rounded are exact. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u32(mpx__vu x) {
    const mpx__vu step = mpx__set(0x47800000u), half = mpx__set(0xffffu); /* 65536 */
    return mpx__fmul_add(mpx__f32_of_u24(mpx__shr(x, 16)), step,
                         mpx__f32_of_u24(mpx__and(x, half)));
}
#endif
MPX__FORCE_INLINE void mpx__store_f32s_of_u32(unsigned char *d, const mpx__vu v[2], int stream) {
    mpx__vu w[2];
    w[0] = mpx__f32_of_u32(v[0]);
    w[1] = mpx__f32_of_u32(v[1]);
    mpx__store_pair(d, w, stream);
}
MPX__FORCE_INLINE int mpx__f32s_of_u32s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__two_pairs(d, s, stream, mpx__load_pair, mpx__store_f32s_of_u32, 2 * MPX__VECTOR,
                          2 * MPX__VECTOR);
}
MPX__MODES_ROW(u32, f32, MPX__BLOCK, mpx__f32s_of_u32s)

/* ---- 64 bits to f64 and f32 ------------------------------------------------------------------ */

/* Unsigned ones below 2^52, and signed ones from -2^51 to 2^51 with 2^51 added, are the low bits of
   an f64, 2^52 and so many; less 2^52 and what was added: exact. `beyond` collects the bits that
   tell others. */
MPX__FORCE_INLINE mpx__vu mpx__f64_of_52_bits(mpx__vu x, uint64_t added, mpx__vu *beyond) {
    const uint64_t exponent = (uint64_t)0x433 << 52, less = (uint64_t)0xc33 << 52 | added;
    if (added != 0) x = mpx__add64(x, mpx__set64(added));
    *beyond = mpx__or(*beyond, x);
    x = mpx__and(x, mpx__set64(~(uint64_t)0 >> 12)); /* of others no NaN is made */
    return mpx__fadd64(mpx__or(x, mpx__set64(exponent)), mpx__set64(less));
}
MPX__FORCE_INLINE int mpx__is_beyond_52_bits(mpx__vu beyond) {
    return mpx__any(mpx__and(beyond, mpx__set64((uint64_t)0xfff << 52)));
}
/* Any of them as a sum, which is rounded once: of 2^52 + its low half, and of 2^84 + its high half
   * 2^32 (+ 2^63 where it is signed) less all these powers, which is exact. Both have the half for
   the low bits of their code. */
MPX__FORCE_INLINE mpx__vu mpx__f64_of_halves(mpx__vu x, int is_signed) {
    const uint64_t above = (uint64_t)0x453 << 52 | (is_signed ? 0x80000000u : 0),
                   less = (uint64_t)0xc5300000 << 32 | (is_signed ? 0x80100000u : 0x100000u);
    mpx__vu low = mpx__or(mpx__and(x, mpx__set64(0xffffffffu)), mpx__set64((uint64_t)0x433 << 52)),
            high = mpx__xor(mpx__shr64(x, 32), mpx__set64(above));
    return mpx__fadd64(mpx__fadd64(high, mpx__set64(less)), low);
}
/* To be rounded again, to f32: where f64 would round, bit 11 stands for itself and all below it. In
   magnitudes from 2^52 on, whose f32 ends far above. By lanes of 32 bits: no sum carries, `sticky`
   has the upper half of x, and the upper half of what is compared is 0 in both. */
MPX__FORCE_INLINE mpx__vu mpx__sticky_64(mpx__vu x, int is_signed) {
    const mpx__vu low = mpx__set64(0x7ffu);
    mpx__vu any = mpx__add(mpx__and(x, low), low),
            sticky = mpx__and(mpx__or(x, any), mpx__set64(~(uint64_t)0x7ff)),
            top = is_signed ? mpx__add64(x, mpx__set64((uint64_t)1 << 52)) : x;
    return mpx__select(mpx__eq(mpx__shr64(top, 53), mpx__set(0)), x, sticky);
}

/* To f64. */
enum { MPX__FOUR_64 = 2 * MPX__LANES }; /* lanes of 64 bits in four vectors */
MPX__LONG_WAY void mpx__four_f64_of_halves(unsigned char *d, const unsigned char *s,
                                           int is_signed) {
    size_t i;
    for (i = 0; i < 4 * MPX__VECTOR; i += MPX__VECTOR)
        mpx__store32(d + i, mpx__f64_of_halves(mpx__load32(s + i), is_signed));
}
MPX__FORCE_INLINE int mpx__f64s_of_64s(unsigned char *d, const unsigned char *s, int stream,
                                       int is_signed) {
    const uint64_t added = is_signed ? (uint64_t)1 << 51 : 0;
    mpx__vu v[4], beyond = mpx__set(0);
    mpx__load_block(v, s);
    v[0] = mpx__f64_of_52_bits(v[0], added, &beyond);
    v[1] = mpx__f64_of_52_bits(v[1], added, &beyond);
    v[2] = mpx__f64_of_52_bits(v[2], added, &beyond);
    v[3] = mpx__f64_of_52_bits(v[3], added, &beyond);
    if (!mpx__is_beyond_52_bits(beyond)) return mpx__store_block(d, v, stream);
    mpx__four_f64_of_halves(d, s, is_signed);
    return 1;
}
#ifdef MPX__HAS_FROM_I64
MPX__FORCE_INLINE int mpx__f64s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__four_vectors(d, s, MPX__VECTOR, mpx__f64_of_i64_at, stream);
}
#else
MPX__FORCE_INLINE int mpx__f64s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f64s_of_64s(d, s, stream, 1);
}
#endif
MPX__FORCE_INLINE int mpx__f64s_of_u64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f64s_of_64s(d, s, stream, 0);
}
MPX__MODES_ROW(i64, f64, MPX__FOUR_64, mpx__f64s_of_i64s)
MPX__MODES_ROW(u64, f64, MPX__FOUR_64, mpx__f64s_of_u64s)

/* To f32. */
MPX__LONG_WAY void mpx__block_f32_of_halves(unsigned char *d, const unsigned char *s,
                                            int is_signed) {
    size_t i;
    for (i = 0; i < 4 * MPX__VECTOR; i += MPX__VECTOR) {
        mpx__vu a = mpx__sticky_64(mpx__load32(s + 2 * i), is_signed),
                b = mpx__sticky_64(mpx__load32(s + 2 * i + MPX__VECTOR), is_signed);
        mpx__store32(d + i, mpx__f32_of_f64(mpx__f64_of_halves(a, is_signed),
                                            mpx__f64_of_halves(b, is_signed)));
    }
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_52_bits(const unsigned char *s, uint64_t added,
                                              mpx__vu *beyond) {
    mpx__vu a = mpx__f64_of_52_bits(mpx__load32(s), added, beyond),
            b = mpx__f64_of_52_bits(mpx__load32(s + MPX__VECTOR), added, beyond);
    return mpx__f32_of_f64(a, b);
}
MPX__FORCE_INLINE int mpx__f32s_of_64s(unsigned char *d, const unsigned char *s, int stream,
                                       int is_signed) {
    const uint64_t added = is_signed ? (uint64_t)1 << 51 : 0;
    mpx__vu v[4], beyond = mpx__set(0);
    v[0] = mpx__f32_of_52_bits(s, added, &beyond);
    v[1] = mpx__f32_of_52_bits(s + 2 * MPX__VECTOR, added, &beyond);
    v[2] = mpx__f32_of_52_bits(s + 4 * MPX__VECTOR, added, &beyond);
    v[3] = mpx__f32_of_52_bits(s + 6 * MPX__VECTOR, added, &beyond);
    if (!mpx__is_beyond_52_bits(beyond)) return mpx__store_block(d, v, stream);
    mpx__block_f32_of_halves(d, s, is_signed);
    return 1;
}
#ifdef MPX__HAS_FROM_I64
MPX__FORCE_INLINE int mpx__f32s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__four_vectors(d, s, 2 * MPX__VECTOR, mpx__f32_of_i64_at, stream);
}
#else
MPX__FORCE_INLINE int mpx__f32s_of_i64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f32s_of_64s(d, s, stream, 1);
}
#endif
MPX__FORCE_INLINE int mpx__f32s_of_u64s(unsigned char *d, const unsigned char *s, int stream) {
    return mpx__f32s_of_64s(d, s, stream, 0);
}
MPX__MODES_ROW(i64, f32, MPX__BLOCK, mpx__f32s_of_i64s)
MPX__MODES_ROW(u64, f32, MPX__BLOCK, mpx__f32s_of_u64s)
#undef MPX__MODES_ROW
#undef MPX__ANY_MODE_ROW
#undef MPX__IN_VECTORS

/* ---- f32 and f64 to integers of 32 bits and less, truncated ---------------------------------- */

/* Only NaN and what lies beyond 32 bits may convert to a wrong number, the least. */
MPX__FORCE_INLINE void mpx__whole_f32s(mpx__vu v[4], const unsigned char *s) {
    mpx__load_block(v, s);
    v[0] = mpx__i32_of_f32(v[0]);
    v[1] = mpx__i32_of_f32(v[1]);
    v[2] = mpx__i32_of_f32(v[2]);
    v[3] = mpx__i32_of_f32(v[3]);
}
MPX__DECODER(mpx__whole_f64) {
    return mpx__i32_of_f64(mpx__load32(p), mpx__load32((const unsigned char *)p + MPX__VECTOR));
}
MPX__FORCE_INLINE void mpx__whole_f64s(mpx__vu v[4], const unsigned char *s) {
    mpx__f64_block(v, s, mpx__whole_f64);
}
/* Whether one of them may stand for what is beyond 32 bits, or beyond 31. */
MPX__FORCE_INLINE int mpx__beyond_i32(const mpx__vu v[4]) {
    const mpx__vu least = mpx__set(0x80000000u);
    mpx__vu a = mpx__or(mpx__eq(v[0], least), mpx__eq(v[1], least)),
            b = mpx__or(mpx__eq(v[2], least), mpx__eq(v[3], least));
    return mpx__any(mpx__or(a, b));
}
MPX__FORCE_INLINE int mpx__beyond_u31(const mpx__vu v[4]) {
    const mpx__vu most = mpx__set(0x7ffffffeu);
    mpx__vu a = mpx__or(mpx__gt_signed(v[0], most), mpx__gt_signed(v[1], most)),
            b = mpx__or(mpx__gt_signed(v[2], most), mpx__gt_signed(v[3], most));
    return mpx__beyond_i32(v) || mpx__any(mpx__or(a, b));
}
/* A block with such is looked at once more, by the codec: saturated, to all 32 bits. */
typedef enum mpx__source { MPX__OF_F32, MPX__OF_F64 } mpx__source;
MPX__DECODER(mpx__exact_i32_of_f32) {
    mpx__vu u = mpx__load32(p);
    return mpx__signed_i32(mpx__truncate_f32(u), u);
}
MPX__DECODER(mpx__exact_u32_of_f32) {
    mpx__vu u = mpx__load32(p);
    return mpx__signed_u32(mpx__truncate_f32(u), u);
}
MPX__LONG_WAY void mpx__exact_i32s(unsigned char *d, const unsigned char *s, mpx__source source) {
    if (source == MPX__OF_F32)
        mpx__loop(d, 4, s, 4, MPX__BLOCK, mpx__exact_i32_of_f32, mpx__enc_f32);
    else
        mpx__loop(d, 4, s, 8, MPX__BLOCK, mpx__dec_i32_of_f64, mpx__enc_f32);
}
MPX__LONG_WAY void mpx__exact_u32s(unsigned char *d, const unsigned char *s, mpx__source source) {
    if (source == MPX__OF_F32)
        mpx__loop(d, 4, s, 4, MPX__BLOCK, mpx__exact_u32_of_f32, mpx__enc_f32);
    else
        mpx__loop(d, 4, s, 8, MPX__BLOCK, mpx__dec_u32_of_f64, mpx__enc_f32);
}
MPX__FORCE_INLINE void mpx__whole_lanes(mpx__vu v[4], const unsigned char *s, mpx__source source) {
    if (source == MPX__OF_F32)
        mpx__whole_f32s(v, s);
    else
        mpx__whole_f64s(v, s);
}
MPX__FORCE_INLINE void mpx__whole_i32s(mpx__vu v[4], const unsigned char *s, mpx__source source) {
    mpx__whole_lanes(v, s, source);
    if (mpx__beyond_i32(v)) {
        unsigned char lanes[4 * MPX__VECTOR];
        mpx__exact_i32s(lanes, s, source);
        mpx__load_block(v, lanes);
    }
}
/* As words. Packing makes -32768 of the least number, and of all below: then look at 32 bits. */
MPX__FORCE_INLINE void mpx__whole_words(mpx__vu w[2], const unsigned char *s, mpx__source source) {
    mpx__vu v[4];
    mpx__whole_lanes(v, s, source);
    w[0] = mpx__pack32s(v[0], v[1]);
    w[1] = mpx__pack32s(v[2], v[3]);
    if (mpx__any(mpx__eq16(mpx__min16s(w[0], w[1]), mpx__set(0x80008000u))) &&
        mpx__beyond_i32(v)) {
        unsigned char lanes[4 * MPX__VECTOR];
        mpx__exact_i32s(lanes, s, source);
        mpx__load_block(v, lanes);
        w[0] = mpx__pack32s(v[0], v[1]);
        w[1] = mpx__pack32s(v[2], v[3]);
    }
}
MPX__FORCE_INLINE int mpx__whole_i8(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__source source) {
    mpx__vu w[2];
    mpx__whole_words(w, s, source);
    mpx__store_past(d, mpx__packed_twice(mpx__pack16s(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_u8(unsigned char *d, const unsigned char *s, int stream,
                                    mpx__source source) {
    mpx__vu w[2];
    mpx__whole_words(w, s, source);
    mpx__store_past(d, mpx__packed_twice(mpx__pack16(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_i16(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu w[2];
    mpx__whole_words(w, s, source);
    mpx__store_past(d, mpx__packed_once(w[0]), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__packed_once(w[1]), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_u16(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu v[4];
    mpx__whole_i32s(v, s, source);
    mpx__store_past(d, mpx__packed_once(mpx__pack32(v[0], v[1])), stream);
    mpx__store_past(d + MPX__VECTOR, mpx__packed_once(mpx__pack32(v[2], v[3])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__whole_i32(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu v[4];
    mpx__whole_i32s(v, s, source);
    return mpx__store_block(d, v, stream);
}
MPX__FORCE_INLINE int mpx__whole_u32(unsigned char *d, const unsigned char *s, int stream,
                                     mpx__source source) {
    mpx__vu v[4];
    mpx__whole_lanes(v, s, source);
    if (mpx__beyond_u31(v)) {
        mpx__exact_u32s(d, s, source);
    } else {
        v[0] = mpx__at_least_0(v[0]);
        v[1] = mpx__at_least_0(v[1]);
        v[2] = mpx__at_least_0(v[2]);
        v[3] = mpx__at_least_0(v[3]);
        (void)mpx__store_block(d, v, stream);
    }
    return 1;
}
#define MPX__WHOLE_ROW(from, to, source) \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        return mpx__whole_##to(d, s, stream, source); \
    } \
    MPX__ENV_ROW(from, to, MPX__BLOCK, mpx__##to##s_of_##from##s)
MPX__WHOLE_ROW(f32, i8, MPX__OF_F32)
MPX__WHOLE_ROW(f32, u8, MPX__OF_F32)
MPX__WHOLE_ROW(f32, i16, MPX__OF_F32)
MPX__WHOLE_ROW(f32, u16, MPX__OF_F32)
MPX__WHOLE_ROW(f32, i32, MPX__OF_F32)
MPX__WHOLE_ROW(f32, u32, MPX__OF_F32)
MPX__WHOLE_ROW(f64, i8, MPX__OF_F64)
MPX__WHOLE_ROW(f64, u8, MPX__OF_F64)
MPX__WHOLE_ROW(f64, i16, MPX__OF_F64)
MPX__WHOLE_ROW(f64, u16, MPX__OF_F64)
MPX__WHOLE_ROW(f64, i32, MPX__OF_F64)
MPX__WHOLE_ROW(f64, u32, MPX__OF_F64)
#undef MPX__WHOLE_ROW

/* ---- f32 and f64 to integers of 64 bits, truncated ------------------------------------------- */

/* Magnitudes below 2^51: an f64 with 2^52 (+ 2^51 where it is signed) added has the integer for its
   low bits. */
#ifdef MPX__HAS_TRUNCATE64
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x4338 << 48);
    return mpx__sub64(mpx__fadd64(mpx__truncate64(x), added), added);
}
#else /* rounded to nearest, and one less where that is above the magnitude */
MPX__FORCE_INLINE mpx__vu mpx__i64_of_51_bits(mpx__vu x) {
    const mpx__vu added = mpx__set64((uint64_t)0x433 << 52),
                  less = mpx__set64((uint64_t)0xc33 << 52);
    mpx__vu sign = mpx__sign64(x), a = mpx__and(x, mpx__set64(0x7fffffffffffffffu));
    mpx__vu sum = mpx__fadd64(a, added), rounded = mpx__fadd64(sum, less);
    mpx__vu above = mpx__shr64(mpx__sub64(a, rounded), 63);
    return mpx__sub64(mpx__xor(mpx__sub64(mpx__xor(sum, added), above), sign), sign);
}
#endif
/* The sign bit of 64 is set where a magnitude is 2^51 or more, or NaN. */
MPX__FORCE_INLINE mpx__vu mpx__beyond_51_bits(mpx__vu a, mpx__vu b) {
    const mpx__vu magnitude = mpx__set64(0x7fffffffffffffffu),
                  to_sign = mpx__set64(((uint64_t)0x8000 - 0x4320) << 48);
    return mpx__or(mpx__add64(mpx__and(a, magnitude), to_sign),
                   mpx__add64(mpx__and(b, magnitude), to_sign));
}
MPX__FORCE_INLINE int mpx__are_51_bits(const mpx__vu v[4]) {
    mpx__vu beyond = mpx__or(mpx__beyond_51_bits(v[0], v[1]), mpx__beyond_51_bits(v[2], v[3]));
    return !mpx__any(mpx__and(beyond, mpx__set64((uint64_t)1 << 63)));
}
MPX__FORCE_INLINE mpx__vu mpx__u64_of_51_bits(mpx__vu x) {
    mpx__vu i = mpx__i64_of_51_bits(x);
    return mpx__and(i, mpx__xor(mpx__sign64(i), mpx__ones()));
}
MPX__FORCE_INLINE int mpx__store_as_i64(unsigned char *d, mpx__vu v[4], int stream) {
    v[0] = mpx__i64_of_51_bits(v[0]);
    v[1] = mpx__i64_of_51_bits(v[1]);
    v[2] = mpx__i64_of_51_bits(v[2]);
    v[3] = mpx__i64_of_51_bits(v[3]);
    return mpx__store_block(d, v, stream);
}
MPX__FORCE_INLINE int mpx__store_as_u64(unsigned char *d, mpx__vu v[4], int stream) {
    v[0] = mpx__u64_of_51_bits(v[0]);
    v[1] = mpx__u64_of_51_bits(v[1]);
    v[2] = mpx__u64_of_51_bits(v[2]);
    v[3] = mpx__u64_of_51_bits(v[3]);
    return mpx__store_block(d, v, stream);
}
MPX__FORCE_INLINE void mpx__load_four_f32(mpx__vu v[4], const unsigned char *s) {
    mpx__f64_of_f32_at(v, s);
    mpx__f64_of_f32_at(v + 2, s + MPX__VECTOR);
}
/* Others are for the codecs. */
#define MPX__WHOLE_ROW(from, to, load, exactly) \
    MPX__PRIVATE void exactly(void *dst, const void *src, size_t n); \
    MPX__FORCE_INLINE int mpx__##to##s_of_##from##s(unsigned char *d, const unsigned char *s, \
                                                    int stream) { \
        mpx__vu v[4]; \
        load(v, s); \
        if (mpx__are_51_bits(v)) return mpx__store_as_##to(d, v, stream); \
        exactly(d, s, MPX__FOUR_64); \
        return 1; \
    } \
    MPX__ENV_ROW(from, to, MPX__FOUR_64, mpx__##to##s_of_##from##s)
MPX__WHOLE_ROW(f32, i64, mpx__load_four_f32, mpx__i64_from_f32)
MPX__WHOLE_ROW(f32, u64, mpx__load_four_f32, mpx__u64_from_f32)
MPX__WHOLE_ROW(f64, i64, mpx__load_block, mpx__f64_to_i64)
MPX__WHOLE_ROW(f64, u64, mpx__load_block, mpx__f64_to_u64)
#undef MPX__WHOLE_ROW
#undef MPX__ENV_ROW
#undef MPX__STEPS

#endif
/*==========================================================================*
 * MARK: fast_avx512 - what AVX-512 does better than the shared loop         *
 *   Ratios: time of the shared loop over time here, 16 KiB of source.       *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* Optional parts: the bf16 conversions; permutations and shifts of bytes, and the bit matrix. */
#ifdef __AVX512BF16__
#define MPX__HAS_BF16 1
#else
#define MPX__HAS_BF16 0
#endif
#if defined(__AVX512VBMI__) && defined(__AVX512VBMI2__) && defined(__GFNI__)
#define MPX__HAS_VBMI 1
#else
#define MPX__HAS_VBMI 0
#endif

#define MPX__CUT (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)

/* ---- bytes ----------------------------------------------------------------------------------- */

MPX__FORCE_INLINE __m512i mpx__get64(const void *p) { return _mm512_loadu_si512(p); }
/* Joining halves costs more than storing both; streaming stores are whole. */
MPX__FORCE_INLINE void mpx__store_half(unsigned char *d, __m256i h) {
    _mm256_storeu_si256((__m256i *)(void *)d, h);
}
MPX__FORCE_INLINE __m512i mpx__join(__m256i low, __m256i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
/* a | (b & c) */
MPX__FORCE_INLINE __m512i mpx__or_and(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0xf8);
}

/* 0, 1, 2 ... 63: all index vectors below come from it. */
static const unsigned char mpx__iota[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

/* Every other element of two vectors laid end to end, from element `first` on. */
MPX__FORCE_INLINE __m512i mpx__alternate16(int first) {
    __m256i i = _mm256_loadu_si256((const __m256i *)(const void *)mpx__iota);
    return _mm512_or_si512(_mm512_slli_epi16(_mm512_cvtepu8_epi16(i), 1), mpx__set16(first));
}
#if MPX__HAS_VBMI
MPX__FORCE_INLINE __m512i mpx__alternate8(int first) {
    __m512i i = mpx__get64(mpx__iota);
    return _mm512_or_si512(_mm512_add_epi8(i, i), mpx__set8(first));
}
MPX__FORCE_INLINE __m512i mpx__even_bytes(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi8(a, mpx__alternate8(0), b);
}
MPX__FORCE_INLINE __m512i mpx__odd_bytes(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi8(a, mpx__alternate8(1), b);
}
#else /* packing interleaves 64-bit pieces of a and b: put them in order again */
MPX__FORCE_INLINE __m512i mpx__odd_bytes(__m512i a, __m512i b) {
    __m512i bytes = _mm512_packus_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), bytes);
}
MPX__FORCE_INLINE __m512i mpx__even_bytes(__m512i a, __m512i b) {
    return mpx__odd_bytes(_mm512_slli_epi16(a, 8), _mm512_slli_epi16(b, 8));
}
#endif
/* Zeros where the mask is 0. */
MPX__FORCE_INLINE __m512i mpx__odd_bytes_of(__mmask64 mask, __m512i a, __m512i b) {
#if MPX__HAS_VBMI
    return _mm512_maskz_permutex2var_epi8(mask, a, mpx__alternate8(1), b);
#else
    return _mm512_maskz_mov_epi8(mask, mpx__odd_bytes(a, b));
#endif
}
MPX__FORCE_INLINE __m512i mpx__even_words(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi16(a, mpx__alternate16(0), b);
}
MPX__FORCE_INLINE __m512i mpx__odd_words(__m512i a, __m512i b) {
    return _mm512_permutex2var_epi16(a, mpx__alternate16(1), b);
}

/* ---- decoders to f32 lanes that codec.h has no name for -------------------------------------- */

/* f64 by round-to-odd: any bit among the 29 that f32 has no room for sets the lowest it has; then
   they are cut off. Results below 2^-126 may be flushed: only for targets that make zero of them,
   or look again. */
MPX__FORCE_INLINE __m256 mpx__f32_odd_of_f64(const unsigned char *p) {
    __m512i x = mpx__get64(p), rest = _mm512_set1_epi64((1 << 29) - 1);
    x = _mm512_mask_or_epi64(x, _mm512_test_epi64_mask(x, rest), x, _mm512_set1_epi64(1 << 29));
    return _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(x), MPX__CUT);
}
MPX__DECODER(mpx__dec_f64_odd) {
    const unsigned char *s = (const unsigned char *)p;
    return mpx__join(_mm256_castps_si256(mpx__f32_odd_of_f64(s)),
                     _mm256_castps_si256(mpx__f32_odd_of_f64(s + 64)));
}
MPX__DECODER(mpx__dec_bf16_any_nan) { return mpx__shl(mpx__load16(p), 16); }
/* e5m2 is the upper half of f16. */
MPX__DECODER(mpx__dec_e5m2_as_f16) {
    __m256i bytes = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
    __m256i words = _mm256_slli_epi16(bytes, 8);
    return _mm512_castps_si512(_mm512_cvt_roundph_ps(words, _MM_FROUND_NO_EXC));
}
MPX__DECODER(mpx__dec_i8_extended) {
    __m512i x = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm512_castps_si512(_mm512_cvtepi32_ps(x));
}
MPX__DECODER(mpx__dec_i16_extended) {
    __m512i x = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castps_si512(_mm512_cvtepi32_ps(x));
}
MPX__DECODER(mpx__dec_i32_nearest) {
    return _mm512_castps_si512(_mm512_cvt_roundepi32_ps(mpx__get64(p), MPX__NEAREST));
}
MPX__DECODER(mpx__dec_u32_nearest) {
    return _mm512_castps_si512(_mm512_cvt_roundepu32_ps(mpx__get64(p), MPX__NEAREST));
}

/* ---- to the floats of a byte and less -------------------------------------------------------- */

/* Of one f32 x of a format with M mantissa bits:
       E = the power of two at or below |x|, at least the smallest normal, with x's sign
       s = x * 2^(M-23) + E, rounded once by fma to nearest even
   s has the exponent of E, and in its lowest bits x / E in units of 2^-M: the code's mantissa with
   its hidden bit, rounded at the right place, subnormals included (there E stays, and the hidden
   bit is 0).
       bits of s       s eeeeeeee 0000000 | 00...0 RRRR        R = 0 ... 2^(M+1)
                       upper word         | lower word
   The code without sign is R + (exponent << M), less a constant. NaN is known by bit 6 of the upper
   word: the quiet bit, where finite s has zeros; its payload follows. */
typedef struct mpx__narrow {
    __m512 unit, least;       /* 2^(M-23), the smallest normal               */
    __m512i offset, top;      /* the constant; the largest code, plus it     */
    __m512i sign, payload;    /* the code's sign bit; its NaN payload bits   */
    __m512i nan;              /* NaN's code without payload and sign         */
    __m512i to_exponent;      /* 7 - M: from the upper word's exponent to M  */
    __m512i to_sign;          /* from bit 7 to the code's sign bit           */
} mpx__narrow;

/* How NaN and the sign come in. PLAIN: NaN saturates to the largest code, as in e4m3fn. OR: NaN's
   bits are or-ed into the code of too large values. */
enum { MPX__PLAIN, MPX__OR_NAN, MPX__BLEND_NAN, MPX__FNUZ_NAN, MPX__NO_NAN };

MPX__FORCE_INLINE void mpx__narrow_set(mpx__narrow *k, const mpx__row *row, int saturate) {
    int m = row->mantissa_bits, all_ones = (1 << (row->exponent_bits + m)) - 1,
        inf = all_ones & ~((1 << m) - 1), ieee = row->family == MPX__IEEE,
        fnuz = row->family == MPX__FNUZ, offset = (128 - row->bias) << m, top = all_ones;
    if (row->family == MPX__FN) top -= saturate;
    if (ieee) top = inf - saturate;
    if (fnuz) top += !saturate;
    k->unit = _mm512_castsi512_ps(mpx__set((uint32_t)(127 + m - 23) << 23));
    k->least = _mm512_castsi512_ps(mpx__set((uint32_t)(128 - row->bias) << 23));
    k->offset = mpx__set8(offset);
    k->top = mpx__set16(offset + top);
    k->sign = mpx__set8(all_ones + 1);
    k->payload = mpx__set8(ieee ? (1 << m) - 1 : 0);
    k->nan = mpx__set8(ieee ? inf : fnuz ? all_ones + 1 : all_ones);
    k->to_exponent = mpx__set16(7 - m);
    k->to_sign = mpx__set16(7 - row->exponent_bits - m);
}

MPX__FORCE_INLINE __m512i mpx__round_lanes(__m512i u, const mpx__narrow *k) {
    __m512 power = _mm512_castsi512_ps(mpx__and(u, mpx__set(0xff800000u)));
    __m512 e = _mm512_range_round_ps(power, k->least, 3, _MM_FROUND_NO_EXC);
    return _mm512_castps_si512(
        _mm512_fmadd_round_ps(_mm512_castsi512_ps(u), k->unit, e, MPX__NEAREST));
}
/* R + exponent, limited; NaN's exponent is larger than any limit. */
MPX__FORCE_INLINE __m512i mpx__magnitudes(__m512i high, __m512i low, const mpx__narrow *k) {
    __m512i a = mpx__and(high, mpx__set16(0x7fff));
    return _mm512_min_epu16(_mm512_adds_epu16(low, _mm512_srlv_epi16(a, k->to_exponent)), k->top);
}

/* 64 f32 to 64 codes, one per byte. If `upper` is not NULL it gathers the upper words, and NaN is
   left to the caller: mpx__any_nan_among. */
MPX__FORCE_INLINE int mpx__any_nan_among(__m512i upper) {
    return _mm512_test_epi16_mask(upper, mpx__set16(0x40)) != 0;
}
MPX__FORCE_INLINE __m512i mpx__narrow64(__m512i u0, __m512i u1, __m512i u2, __m512i u3,
                                        const mpx__narrow *k, int finish, __m512i *upper) {
    __m512i s0 = mpx__round_lanes(u0, k), s1 = mpx__round_lanes(u1, k),
            s2 = mpx__round_lanes(u2, k), s3 = mpx__round_lanes(u3, k);
    __m512i high0 = mpx__odd_words(s0, s1), high1 = mpx__odd_words(s2, s3);
    __m512i t0 = mpx__magnitudes(high0, mpx__even_words(s0, s1), k),
            t1 = mpx__magnitudes(high1, mpx__even_words(s2, s3), k);
    __m512i code = _mm512_sub_epi8(mpx__even_bytes(t0, t1), k->offset);
    /* FNUZ: zero keeps no sign, and NaN has it in its code */
    __m512i sign = finish == MPX__FNUZ_NAN
                       ? mpx__odd_bytes_of(_mm512_test_epi8_mask(code, code), high0, high1)
                       : mpx__odd_bytes(high0, high1);
    if (finish == MPX__NO_NAN) sign = _mm512_srlv_epi16(sign, k->to_sign); /* bit 7 elsewhere */
    if (upper != NULL) *upper = _mm512_ternarylogic_epi32(*upper, high0, high1, 0xfe); /* or */
    if (finish == MPX__PLAIN || upper != NULL) return mpx__or_and(code, sign, k->sign);
    /* A branch: NaN is rare, and what follows is much for a row near its limit. */
    if (!MPX__LIKELY(!mpx__any_nan_among(mpx__or(high0, high1)))) {
        __m512i nan = mpx__even_bytes(high0, high1);
        __m512i payload = _mm512_srlv_epi16(nan, k->to_exponent);
        __mmask64 is_nan = _mm512_test_epi8_mask(nan, mpx__set8(0x40));
        if (finish == MPX__OR_NAN) code = mpx__or_and(code, payload, k->payload);
        if (finish == MPX__BLEND_NAN)
            code = _mm512_mask_mov_epi8(code, is_nan, mpx__or_and(k->nan, payload, k->payload));
        if (finish == MPX__FNUZ_NAN) code = _mm512_mask_mov_epi8(code, is_nan, k->nan);
        if (finish == MPX__NO_NAN) { /* a zero of the other sign */
            code = _mm512_mask_mov_epi8(code, is_nan, _mm512_setzero_si512());
            sign = _mm512_mask_mov_epi8(sign, is_nan, _mm512_andnot_si512(sign, k->sign));
        }
    }
    return mpx__or_and(code, sign, k->sign);
}

#define MPX__NARROW64_TO(s, size, upper) \
    mpx__narrow64(dec(s), dec((s) + 16 * (size)), dec((s) + 32 * (size)), dec((s) + 48 * (size)), \
                  &k, finish, upper)
#define MPX__NARROW64(s, size) MPX__NARROW64_TO(s, size, NULL)

/* Four times 48 bytes, at the starts of vectors, are three vectors: so they may go past the caches,
   and no two stores overlap. 1.05 times, in memory 1.5. */
MPX__FORCE_INLINE void mpx__put_three_of_four(unsigned char *d, __m512i a, __m512i b, __m512i c,
                                              __m512i e, int stream) {
    const __m512i first =
        _mm512_set_epi32(19, 18, 17, 16, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i second =
        _mm512_set_epi32(23, 22, 21, 20, 19, 18, 17, 16, 11, 10, 9, 8, 7, 6, 5, 4);
    const __m512i third =
        _mm512_set_epi32(27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 11, 10, 9, 8);
    mpx__store_past(d, _mm512_permutex2var_epi32(a, first, b), stream);
    mpx__store_past(d + 64, _mm512_permutex2var_epi32(b, second, c), stream);
    mpx__store_past(d + 128, _mm512_permutex2var_epi32(c, third, e), stream);
}

/* Packed codes of six bits. Blocks with NaN are done again, outside the loop: what they need would
   keep other constants out of the registers. */
MPX__FORCE_INLINE size_t mpx__narrow_rows6(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    enum { finish = MPX__NO_NAN };
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n, i;
    mpx__narrow k;
    mpx__narrow_set(&k, span->to, span->saturate);
    for (; n >= 256; n -= 256, d += 192, s += 256 * size) {
        for (; n >= 256; n -= 256, d += 192, s += 256 * size) {
            __m512i upper = _mm512_setzero_si512();
            __m512i a = mpx__join6(MPX__NARROW64_TO(s, size, &upper));
            __m512i b = mpx__join6(MPX__NARROW64_TO(s + 64 * size, size, &upper));
            __m512i c = mpx__join6(MPX__NARROW64_TO(s + 128 * size, size, &upper));
            __m512i e = mpx__join6(MPX__NARROW64_TO(s + 192 * size, size, &upper));
            mpx__fetch(s, 256 * size, stream);
            if (mpx__any_nan_among(upper)) break;
            mpx__put_three_of_four(d, a, b, c, e, stream);
        }
        if (n < 256) break;
        for (i = 0; i < 4; i++)
            mpx__put_joined6(d + 48 * i, mpx__join6(MPX__NARROW64(s + 64 * i * size, size)),
                             n - 64 * i);
    }
    for (; n >= 64; n -= 64, d += 48, s += 64 * size)
        mpx__put_joined6(d, mpx__join6(MPX__NARROW64(s, size)), n);
    return span->n - n;
}

/* Packed pairs: lo + 16 * hi of every two bytes, then every other byte. */
MPX__FORCE_INLINE size_t mpx__narrow_rows(const mpx__span *span, size_t size, mpx__dec_fn dec,
                                          int finish) {
    const mpx__row *row = span->to;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__narrow k;
    mpx__narrow_set(&k, row, span->saturate);
    if (finish == MPX__NO_NAN && row->bits == 4 && span->packed) {
        __m512i pair = mpx__set16(0x1001);
        for (; n >= 128; n -= 128, d += 64, s += 128 * size) {
            __m512i a, b;
            mpx__fetch(s, 128 * size, stream);
            a = _mm512_maddubs_epi16(MPX__NARROW64(s, size), pair);
            b = _mm512_maddubs_epi16(MPX__NARROW64(s + 64 * size, size), pair);
            mpx__store_past(d, mpx__even_bytes(a, b), stream);
        }
        return span->n - n;
    }
    if (finish == MPX__NO_NAN && row->bits == 6 && span->packed)
        return mpx__narrow_rows6(span, size, dec);
    for (; n >= 64; n -= 64, d += 64, s += 64 * size) {
        mpx__fetch(s, 64 * size, stream);
        mpx__store_past(d, MPX__NARROW64(s, size), stream);
    }
    return span->n - n;
}
#undef MPX__NARROW64
#undef MPX__NARROW64_TO

/* One function per source and finish: 7 to 12 times. */
#define MPX__NARROW_FROM(name, size, dec) \
    MPX__PRIVATE size_t name(const mpx__span *span) { \
        int family = span->to->family; \
        if (family == MPX__FN && !span->saturate) \
            return mpx__narrow_rows(span, size, dec, MPX__PLAIN); \
        if (family == MPX__IEEE && !span->saturate) \
            return mpx__narrow_rows(span, size, dec, MPX__OR_NAN); \
        if (family == MPX__FN || family == MPX__IEEE) \
            return mpx__narrow_rows(span, size, dec, MPX__BLEND_NAN); \
        if (family == MPX__FNUZ) return mpx__narrow_rows(span, size, dec, MPX__FNUZ_NAN); \
        return mpx__narrow_rows(span, size, dec, MPX__NO_NAN); \
    }
MPX__NARROW_FROM(mpx__narrow_f32, 4, mpx__dec_f32)
MPX__NARROW_FROM(mpx__narrow_f16, 2, mpx__dec_f16)
MPX__NARROW_FROM(mpx__narrow_bf16, 2, mpx__dec_bf16_any_nan)
MPX__NARROW_FROM(mpx__narrow_f64, 8, mpx__dec_f64_odd)
#undef MPX__NARROW_FROM

/* ---- to f32 ---------------------------------------------------------------------------------- */

/* Four vectors, each from `bytes` bytes. */
MPX__FORCE_INLINE void mpx__put_four(unsigned char *d, const unsigned char *s, size_t bytes,
                                     mpx__dec_fn dec, int stream) {
    mpx__fetch(s, 4 * bytes, stream);
    mpx__store_past(d, dec(s), stream);
    mpx__store_past(d + 64, dec(s + bytes), stream);
    mpx__store_past(d + 128, dec(s + 2 * bytes), stream);
    mpx__store_past(d + 192, dec(s + 3 * bytes), stream);
}
/* The codec, 64 elements at a time: 1.3, and streaming. */
MPX__FORCE_INLINE size_t mpx__widen_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const size_t done = span->n / 64 * 64;
    const unsigned char *s = span->s, *end = s + done * size;
    unsigned char *d = span->d;
    if (span->stream) {
        for (; s != end; d += 256, s += 64 * size)
            mpx__put_four(d, s, 16 * size, dec, 1);
        return done;
    }
    for (; s != end; d += 256, s += 64 * size)
        mpx__put_four(d, s, 16 * size, dec, 0);
    return done;
}
#define MPX__WIDEN(name, size, dec) \
    MPX__PRIVATE size_t name(const mpx__span *span) { return mpx__widen_rows(span, size, dec); }
MPX__WIDEN(mpx__widen_f16, 2, mpx__dec_f16)
MPX__WIDEN(mpx__widen_e5m2, 1, mpx__dec_e5m2_as_f16)
#undef MPX__WIDEN

/* Twice a bf16 or f16: its magnitude, in the upper 15 bits. */
MPX__FORCE_INLINE __m512i mpx__doubled16(__m512i h) { return _mm512_add_epi16(h, h); }
MPX__FORCE_INLINE __m512i mpx__quiet_bf16(__m512i h) {
    __mmask32 nan = _mm512_cmpgt_epu16_mask(mpx__doubled16(h), mpx__set16(0xff00));
    return mpx__or(h, _mm512_maskz_mov_epi16(nan, mpx__set16(0x40)));
}

/* Zeros below each word. clang would make three instructions of a permutation that it knows. */
typedef struct mpx__spread {
    __m512i lower, upper;
} mpx__spread;
MPX__FORCE_INLINE void mpx__spread_set(mpx__spread *k) {
    k->lower = _mm512_set_epi32(15 << 16, 14 << 16, 13 << 16, 12 << 16, 11 << 16, 10 << 16, 9 << 16,
                                8 << 16, 7 << 16, 6 << 16, 5 << 16, 4 << 16, 3 << 16, 2 << 16,
                                1 << 16, 0);
    k->upper = _mm512_set_epi32(31 << 16, 30 << 16, 29 << 16, 28 << 16, 27 << 16, 26 << 16,
                                25 << 16, 24 << 16, 23 << 16, 22 << 16, 21 << 16, 20 << 16,
                                19 << 16, 18 << 16, 17 << 16, 16 << 16);
    MPX__HERE(k->lower);
    MPX__HERE(k->upper);
}
MPX__FORCE_INLINE void mpx__store_spread(unsigned char *d, __m512i h, const mpx__spread *k,
                                         int stream) {
    const __mmask32 odd = 0xaaaaaaaau;
    mpx__store_past(d, _mm512_maskz_permutexvar_epi16(odd, k->lower, h), stream);
    mpx__store_past(d + 64, _mm512_maskz_permutexvar_epi16(odd, k->upper, h), stream);
}
MPX__FORCE_INLINE int mpx__bf16_nan_among(__m512i largest) {
    return _mm512_cmpgt_epu16_mask(largest, mpx__set16(0xff00)) != 0;
}
/* 64; NaN, which must become quiet, behind a rare branch. 2.5 times. */
MPX__FORCE_INLINE void mpx__widen_bf16_64(unsigned char *d, const unsigned char *s,
                                          const mpx__spread *k, int stream) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
    mpx__fetch(s, 128, stream);
    if (!MPX__LIKELY(!mpx__bf16_nan_among(mpx__max16(mpx__doubled16(a), mpx__doubled16(b))))) {
        a = mpx__quiet_bf16(a);
        b = mpx__quiet_bf16(b);
    }
    mpx__store_spread(d, a, k, stream);
    mpx__store_spread(d + 128, b, k, stream);
}
/* n, a multiple of 64, as they are. Returns whether there is NaN among them. */
MPX__FORCE_INLINE int mpx__widen_bf16_as_is(unsigned char *d, const unsigned char *s, size_t n,
                                            const mpx__spread *k, int stream) {
    __m512i largest = _mm512_setzero_si512();
    for (; n != 0; n -= 64, d += 256, s += 128) {
        __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
        largest = mpx__max16(largest, mpx__max16(mpx__doubled16(a), mpx__doubled16(b)));
        mpx__fetch(s, 128, stream);
        mpx__store_spread(d, a, k, stream);
        mpx__store_spread(d + 128, b, k, stream);
    }
    return mpx__bf16_nan_among(largest);
}
/* Many without a branch for each block: 1.05 times. Where there is NaN among them they are done
   again, as dst cannot be src here. */
MPX__FORCE_INLINE size_t mpx__widen_bf16(const mpx__span *span) {
    enum { many = 2048 };
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n, i;
    mpx__spread k;
    mpx__spread_set(&k);
    for (; n >= many; n -= many, d += 4 * many, s += 2 * many)
        if (!MPX__LIKELY(!(stream ? mpx__widen_bf16_as_is(d, s, many, &k, 1)
                                  : mpx__widen_bf16_as_is(d, s, many, &k, 0))))
            for (i = 0; i < many; i += 64)
                mpx__widen_bf16_64(d + 4 * i, s + 2 * i, &k, 0);
    for (; n >= 64; n -= 64, d += 256, s += 128)
        mpx__widen_bf16_64(d, s, &k, stream);
    return span->n - n;
}

/* From elements of 64 bits to 32; each call of the function does eight. */
typedef __m256i (*mpx__half_fn)(const unsigned char *s);
MPX__FORCE_INLINE void mpx__put_four_halves(unsigned char *d, const unsigned char *s,
                                            mpx__half_fn half) {
    mpx__store_half(d, half(s));
    mpx__store_half(d + 32, half(s + 64));
    mpx__store_half(d + 64, half(s + 128));
    mpx__store_half(d + 96, half(s + 192));
}
MPX__FORCE_INLINE size_t mpx__half_rows(const mpx__span *span, mpx__half_fn half) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64 && !stream; n -= 64, d += 256, s += 512) {
        mpx__put_four_halves(d, s, half);
        mpx__put_four_halves(d + 128, s + 256, half);
    }
    for (; n >= 16; n -= 16, d += 64, s += 128) {
        mpx__fetch(s, 128, stream);
        mpx__store_past(d, mpx__join(half(s), half(s + 64)), stream);
    }
    return span->n - n;
}

/* f64, rounded by the instruction: the shared loop takes integers for it. */
MPX__FORCE_INLINE __m256i mpx__f32_of_8_f64(const unsigned char *s) {
    return _mm256_castps_si256(
        _mm512_cvt_roundpd_ps(_mm512_castsi512_pd(mpx__get64(s)), MPX__NEAREST));
}
MPX__FORCE_INLINE size_t mpx__f64_to_f32_blocks(const mpx__span *span) {
    return mpx__half_rows(span, mpx__f32_of_8_f64);
}
MPX__LONG_WAY size_t mpx__f64_to_f32_in_env(const mpx__span *span) {
    mpx__env env = mpx__env_enter();
    size_t done = mpx__f64_to_f32_blocks(span);
    mpx__env_leave(env);
    return done;
}
MPX__PRIVATE size_t mpx__f64_to_f32_rows(const mpx__span *span) {
    return mpx__modes_differ() ? mpx__f64_to_f32_in_env(span) : mpx__f64_to_f32_blocks(span);
}

/* And back. */
MPX__FORCE_INLINE size_t mpx__f32_to_f64_blocks(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 16; n -= 16, d += 128, s += 64) {
        mpx__vu v[2];
        mpx__fetch(s, 64, stream);
        mpx__f64_of_f32(v, mpx__get64(s));
        mpx__store_past(d, v[0], stream);
        mpx__store_past(d + 64, v[1], stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_f64_rows(const mpx__span *span) {
    mpx__env env = mpx__env_enter();
    size_t done = mpx__f32_to_f64_blocks(span);
    mpx__env_leave(env);
    return done;
}

/* ---- to f16 and bf16 ------------------------------------------------------------------------- */

/* e5m2 is the upper half of f16; its NaN becomes quiet. 1.2 times mpx__from_small_row. */
MPX__FORCE_INLINE void mpx__e5m2_to_f16_64(unsigned char *d, const unsigned char *s, int stream) {
    const __m512i order = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), zero = _mm512_setzero_si512();
    __m512i codes = _mm512_permutexvar_epi64(order, mpx__get64(s));
    __mmask64 nan = _mm512_cmpgt_epu8_mask(_mm512_add_epi8(codes, codes), mpx__set8(0xf8));
    mpx__fetch(s, 64, stream);
    if (!MPX__LIKELY(nan == 0)) codes = mpx__or(codes, _mm512_maskz_mov_epi8(nan, mpx__set8(2)));
    mpx__store_past(d, _mm512_unpacklo_epi8(zero, codes), stream);
    mpx__store_past(d + 64, _mm512_unpackhi_epi8(zero, codes), stream);
}
MPX__PRIVATE size_t mpx__e5m2_to_f16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 128 && !stream; n -= 128, d += 256, s += 128) {
        mpx__e5m2_to_f16_64(d, s, 0);
        mpx__e5m2_to_f16_64(d + 128, s + 64, 0);
    }
    for (; n >= 64; n -= 64, d += 128, s += 64)
        mpx__e5m2_to_f16_64(d, s, stream);
    return span->n - n;
}

MPX__FORCE_INLINE size_t mpx__to_f16_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64 && !stream; n -= 64, d += 128, s += 64 * size) {
        mpx__store_half(d, mpx__f16_of(dec(s)));
        mpx__store_half(d + 32, mpx__f16_of(dec(s + 16 * size)));
        mpx__store_half(d + 64, mpx__f16_of(dec(s + 32 * size)));
        mpx__store_half(d + 96, mpx__f16_of(dec(s + 48 * size)));
    }
    for (; n >= 32; n -= 32, d += 64, s += 32 * size) {
        mpx__fetch(s, 32 * size, stream);
        mpx__store_past(d, mpx__join(mpx__f16_of(dec(s)), mpx__f16_of(dec(s + 16 * size))), stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f32_to_f16_rows(const mpx__span *span) {
    return mpx__to_f16_rows(span, 4, mpx__dec_f32);
}
MPX__PRIVATE size_t mpx__f64_to_f16_rows(const mpx__span *span) {
    return mpx__to_f16_rows(span, 8, mpx__dec_f64_odd);
}
MPX__PRIVATE size_t mpx__bf16_to_f16_rows(const mpx__span *span) {
    const __m512i order = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), zero = _mm512_setzero_si512();
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 64) {
        __m512i h = mpx__get64(s);
        __m512i a = _mm512_castsi256_si512(mpx__f16_of(_mm512_unpacklo_epi16(zero, h)));
        __m512i b = _mm512_castsi256_si512(mpx__f16_of(_mm512_unpackhi_epi16(zero, h)));
        mpx__fetch(s, 64, stream);
        mpx__store_past(d, _mm512_permutex2var_epi64(a, order, b), stream);
    }
    return span->n - n;
}

#if MPX__HAS_BF16
MPX__FORCE_INLINE __m512i mpx__bf16_of(__m512i low, __m512i high) {
    return (__m512i)_mm512_cvtne2ps_pbh(_mm512_castsi512_ps(high), _mm512_castsi512_ps(low));
}
/* The conversion makes zero of f32 subnormals. So where a result is zero, the inputs are looked at:
   (u + u) - 1 is below 2^24 - 1 for subnormals alone. */
MPX__FORCE_INLINE __m512i mpx__subnormal_key(__m512i u) {
    return mpx__sub(mpx__add(u, u), mpx__set(1));
}
MPX__FORCE_INLINE __m512i mpx__smallest_key4(const unsigned char *s) {
    __m512i a = mpx__subnormal_key(mpx__get64(s)), b = mpx__subnormal_key(mpx__get64(s + 64));
    __m512i c = mpx__subnormal_key(mpx__get64(s + 128));
    __m512i d = mpx__subnormal_key(mpx__get64(s + 192));
    return mpx__min(mpx__min(a, b), mpx__min(c, d));
}
MPX__PRIVATE int mpx__subnormal_among_128(const unsigned char *s) {
    __m512i smallest = mpx__min(mpx__smallest_key4(s), mpx__smallest_key4(s + 256));
    return _mm512_cmplt_epu32_mask(smallest, mpx__set(0xffffffu)) != 0;
}
MPX__PRIVATE void mpx__f32_to_bf16_exactly(unsigned char *d, const unsigned char *s) {
    mpx__loop(d, 2, s, 4, 128, mpx__dec_f32, mpx__enc_bf16);
}
MPX__FORCE_INLINE __m512i mpx__bf16_of_32(const unsigned char *s) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), words = mpx__bf16_of(a, b);
    __m512i twice = mpx__doubled16(words),
            smallest = mpx__min(mpx__subnormal_key(a), mpx__subnormal_key(b));
    if (_mm512_testn_epi16_mask(twice, twice) != 0 &&
        _mm512_cmplt_epu32_mask(smallest, mpx__set(0xffffffu)) != 0)
        mpx__loop(&words, 2, s, 4, 32, mpx__dec_f32, mpx__enc_bf16);
    return words;
}
/* Past the caches in short steps, which some machines' prefetchers take better. */
MPX__FORCE_INLINE size_t mpx__f32_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 128 && !stream; n -= 128, d += 256, s += 512) {
        __m512i a = mpx__bf16_of(mpx__get64(s), mpx__get64(s + 64));
        __m512i b = mpx__bf16_of(mpx__get64(s + 128), mpx__get64(s + 192));
        __m512i c = mpx__bf16_of(mpx__get64(s + 256), mpx__get64(s + 320));
        __m512i e = mpx__bf16_of(mpx__get64(s + 384), mpx__get64(s + 448));
        /* sums, not a test of the words: clang reads that one as 32 float comparisons */
        __m512i least =
            _mm512_min_epu16(_mm512_min_epu16(mpx__doubled16(a), mpx__doubled16(b)),
                             _mm512_min_epu16(mpx__doubled16(c), mpx__doubled16(e)));
        if (_mm512_testn_epi16_mask(least, least) != 0 && mpx__subnormal_among_128(s)) {
            mpx__f32_to_bf16_exactly(d, s);
            continue;
        }
        mpx__store_past(d, a, 0);
        mpx__store_past(d + 64, b, 0);
        mpx__store_past(d + 128, c, 0);
        mpx__store_past(d + 192, e, 0);
    }
    for (; n >= 32; n -= 32, d += 64, s += 128) {
        mpx__fetch(s, 128, stream);
        mpx__store_past(d, mpx__bf16_of_32(s), stream);
    }
    return span->n - n;
}
/* From f64 likewise, by round-to-odd; blocks with results below the normal numbers, whose lowest
   bits that loses, go through the codec. */
MPX__FORCE_INLINE __m512i mpx__tiny_f64_key(const unsigned char *s) {
    __m512i x = mpx__get64(s);
    return _mm512_sub_epi64(_mm512_add_epi64(x, x), _mm512_set1_epi64(1));
}
MPX__PRIVATE int mpx__tiny_f64_among_64(const unsigned char *s) {
    __m512i smallest = mpx__tiny_f64_key(s);
    int i;
    for (i = 1; i < 8; i++)
        smallest = _mm512_min_epu64(smallest, mpx__tiny_f64_key(s + 64 * i));
    return _mm512_cmplt_epu64_mask(smallest, _mm512_set1_epi64(((1023LL - 126) << 53) - 1)) != 0;
}
MPX__PRIVATE void mpx__f64_to_bf16_exactly(unsigned char *d, const unsigned char *s) {
    uint32_t tile[64];
    mpx__loop(tile, 4, s, 8, 64, mpx__dec_odd_f64, mpx__enc_f32);
    mpx__loop(d, 2, tile, 4, 64, mpx__dec_f32, mpx__enc_bf16);
}
MPX__PRIVATE size_t mpx__f64_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 128, s += 512) {
        __m512i a = mpx__bf16_of(mpx__dec_f64_odd(s), mpx__dec_f64_odd(s + 128));
        __m512i b = mpx__bf16_of(mpx__dec_f64_odd(s + 256), mpx__dec_f64_odd(s + 384));
        __m512i least = _mm512_min_epu16(mpx__doubled16(a), mpx__doubled16(b));
        mpx__fetch(s, 512, stream);
        if (_mm512_testn_epi16_mask(least, least) != 0 && mpx__tiny_f64_among_64(s)) {
            mpx__f64_to_bf16_exactly(d, s);
            continue;
        }
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
    }
    return span->n - n;
}
/* No f16 is an f32 subnormal. */
MPX__PRIVATE size_t mpx__f16_to_bf16_rows(const mpx__span *span) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 64) {
        __m512i h = mpx__bf16_of(mpx__dec_f16(s), mpx__dec_f16(s + 32));
        mpx__fetch(s, 64, stream);
        mpx__store_past(d, h, stream);
    }
    return span->n - n;
}
#else
/* Word by word as the codec, packed by one permutation. */
MPX__FORCE_INLINE __m512i mpx__bf16_in_upper(__m512i u) {
    __m512i odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    __mmask16 nan = _mm512_cmpgt_epu32_mask(mpx__add(u, u), mpx__set(0xff000000u));
    __m512i rounded = mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
    return _mm512_mask_or_epi32(rounded, nan, u, mpx__set(0x400000u));
}
MPX__FORCE_INLINE size_t mpx__to_bf16_rows(const mpx__span *span, size_t size, mpx__dec_fn dec) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 64, s += 32 * size) {
        __m512i low = mpx__bf16_in_upper(dec(s)), high = mpx__bf16_in_upper(dec(s + 16 * size));
        mpx__fetch(s, 32 * size, stream);
        mpx__store_past(d, mpx__odd_words(low, high), stream);
    }
    return span->n - n;
}
MPX__FORCE_INLINE size_t mpx__f32_to_bf16_rows(const mpx__span *span) {
    return mpx__to_bf16_rows(span, 4, mpx__dec_f32);
}
MPX__PRIVATE size_t mpx__f16_to_bf16_rows(const mpx__span *span) {
    return mpx__to_bf16_rows(span, 2, mpx__dec_f16);
}
#endif

/* ---- 16-bit floats to e4m3fn and e5m2, without widening -------------------------------------- */

#if MPX__HAS_VBMI

/* A 16-bit magnitude is cut into two bytes: the index I, in which bins of the target's codes begin
   (exponent and M mantissa bits, with a base such that I = 0 is below half the smallest code), and
   L, the bits below. The code is base[I] + (L > limit[I]): the code of the bin's first value, and
   what L must exceed to round up.
   Where codes are normal, base is I less a constant, and limit 0x80 for even I, less for odd I:
   a tie. L's lowest bits are not the magnitude's; the limits allow for all of them.
   Where they are subnormal (I < (M + 1) << M) both come from tables: 0xff where a bin holds one
   code only. 1.9 times mpx__narrow_rows. */
typedef struct mpx__bins {
    unsigned char base[64], limit[64];
} mpx__bins;
static const mpx__bins mpx__bins_e4m3 = {
    { 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 6, 6, 6, 7,
      8 },
    { 15,  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
      255, 255, 15,  255, 255, 255, 255, 255, 255, 15,  255, 255, 255, 15,  255, 255 },
};
static const mpx__bins mpx__bins_e5m2 = {
    { 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4 },
    { 7, 255, 255, 255, 255, 255, 255, 255, 255, 7, 255, 255 },
};

/* From bf16: q = magnitude - first, with the sign shifted in below it. */
MPX__FORCE_INLINE __m512i mpx__bf16_bins(__m512i h, int m, int first, int top) {
    __m512i a = mpx__and(h, mpx__set16(0x7fff));
    __m512i q = _mm512_min_epu16(_mm512_subs_epu16(a, mpx__set16(first)), mpx__set16(top));
    return m == 3 ? _mm512_shldi_epi16(q, h, 4) : _mm512_shldi_epi16(q, h, 3);
}
MPX__FORCE_INLINE __m512i mpx__bins_code(__m512i q0, __m512i q1, int m, const mpx__bins *bins) {
    __m512i i = mpx__odd_bytes(q0, q1), rest = mpx__even_bytes(q0, q1), base, limit, code;
    __mmask64 subnormal = _mm512_cmplt_epu8_mask(i, mpx__set8((m + 1) << m));
    base = _mm512_mask_permutexvar_epi8(_mm512_sub_epi8(i, mpx__set8(m << m)), subnormal, i,
                                        mpx__get64(bins->base));
    /* of normal codes: bit 7 is not bit 0 of I, bits 0 to M are ones, the rest is bit 0 */
    limit = m == 3 ? _mm512_gf2p8affine_epi64_epi8(i, _mm512_set1_epi64(0x01010101), 0x8f)
                   : _mm512_gf2p8affine_epi64_epi8(i, _mm512_set1_epi64(0x0101010101), 0x87);
    limit = _mm512_mask_permutexvar_epi8(limit, subnormal, i, mpx__get64(bins->limit));
    code = _mm512_mask_sub_epi8(base, _mm512_cmpgt_epu8_mask(rest, limit), base, mpx__set8(-1));
    rest = m == 3 ? _mm512_slli_epi16(rest, 4) : _mm512_slli_epi16(rest, 5); /* sign to bit 7 */
    return mpx__or_and(code, rest, mpx__set8(0x80));
}
/* Whether one of 64 words is NaN: above inf; and which. */
MPX__FORCE_INLINE int mpx__any_nan_word(__m512i h0, __m512i h1, int inf) {
    __m512i magnitude = mpx__set16(0x7fff);
    __m512i largest = _mm512_max_epu16(mpx__and(h0, magnitude), mpx__and(h1, magnitude));
    return _mm512_cmpgt_epu16_mask(largest, mpx__set16(inf)) != 0;
}
MPX__FORCE_INLINE __mmask64 mpx__nan_words(__m512i h0, __m512i h1, int inf) {
    __m512i twice = mpx__set16(2 * inf);
    __mmask32 nan0 = _mm512_cmpgt_epu16_mask(mpx__doubled16(h0), twice);
    __mmask32 nan1 = _mm512_cmpgt_epu16_mask(mpx__doubled16(h1), twice);
    return _mm512_kunpackd((__mmask64)nan1, (__mmask64)nan0);
}
/* bf16's NaN, `low` its lower byte: e4m3fn has one, e5m2 takes the quiet bit and one bit of
   payload; the sign is in the code. */
MPX__FORCE_INLINE __m512i mpx__put_nan(__m512i code, __mmask64 nan, __m512i low, int m) {
    __m512i bit = mpx__and(_mm512_srli_epi16(low, 5), mpx__set8(1));
    __m512i magnitude = m == 3 ? mpx__set8(0x7f) : mpx__or(mpx__set8(0x7e), bit);
    return _mm512_mask_mov_epi8(code, nan, mpx__or_and(magnitude, code, mpx__set8(0x80)));
}

/* `largest`: the code of too large values. NaN is one of them in e4m3fn, unless it saturates. */
MPX__FORCE_INLINE size_t mpx__bins_rows(const mpx__span *span, int m, int bias, int largest,
                                        const mpx__bins *bins) {
    const int first = (128 - bias - m - 1) << 7, top = (largest + (m << m)) << (7 - m);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64, s += 128) {
        __m512i h0 = mpx__get64(s), h1 = mpx__get64(s + 64);
        mpx__fetch(s, 128, stream);
        __m512i code = mpx__bins_code(mpx__bf16_bins(h0, m, first, top),
                                      mpx__bf16_bins(h1, m, first, top), m, bins);
        if (largest != 0x7f && mpx__any_nan_word(h0, h1, 0x7f80))
            code = mpx__put_nan(code, mpx__nan_words(h0, h1, 0x7f80), mpx__even_bytes(h0, h1), m);
        mpx__store_past(d, code, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__bf16_to_e4m3fn(const mpx__span *span) {
    return span->saturate ? mpx__bins_rows(span, 3, 7, 0x7e, &mpx__bins_e4m3)
                          : mpx__bins_rows(span, 3, 7, 0x7f, &mpx__bins_e4m3);
}
MPX__PRIVATE size_t mpx__bf16_to_e5m2(const mpx__span *span) {
    return span->saturate ? mpx__bins_rows(span, 2, 15, 0x7b, &mpx__bins_e5m2)
                          : mpx__bins_rows(span, 2, 15, 0x7c, &mpx__bins_e5m2);
}

/* From f16 to e4m3fn, I is the magnitude >> 7 and L the seven bits below, above the sign. Values of
   more than 448 have I from 127 on; one table of 128 serves subnormal and normal codes. */
static const unsigned char mpx__e4m3_of_f16_base[128] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 6, 6, 6, 7, 8,
};
#define MPX__FF8 255, 255, 255, 255, 255, 255, 255, 255
#define MPX__EVEN_ODD8 0x81, 0x7f, 0x81, 0x7f, 0x81, 0x7f, 0x81, 0x7f
static const unsigned char mpx__e4m3_of_f16_limit[128] = {
    MPX__FF8, MPX__FF8, MPX__FF8, MPX__FF8, MPX__FF8,
    1, 255, 255, 255, 255, 255, 255, 255, MPX__FF8,
    255, 255, 1, 255, 255, 255, 255, 255, 255, 1, 255, 255, 255, 1, 255, 255,
    MPX__EVEN_ODD8, MPX__EVEN_ODD8, MPX__EVEN_ODD8, MPX__EVEN_ODD8,
    MPX__EVEN_ODD8, MPX__EVEN_ODD8, MPX__EVEN_ODD8,
};
#undef MPX__FF8
#undef MPX__EVEN_ODD8

MPX__FORCE_INLINE size_t mpx__f16_bins_rows(const mpx__span *span, int largest) {
    const __m512i base0 = mpx__get64(mpx__e4m3_of_f16_base),
                  base1 = mpx__get64(mpx__e4m3_of_f16_base + 64),
                  limit0 = mpx__get64(mpx__e4m3_of_f16_limit),
                  limit1 = mpx__get64(mpx__e4m3_of_f16_limit + 64);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64, s += 128) {
        __m512i h0 = mpx__get64(s), h1 = mpx__get64(s + 64), i, rest, at, base, code;
        __mmask64 nan = 0;
        mpx__fetch(s, 128, stream);
        if (largest != 0x7f && mpx__any_nan_word(h0, h1, 0x7c00))
            nan = mpx__nan_words(h0, h1, 0x7c00);
        h0 = _mm512_shldi_epi16(h0, h0, 1); /* the sign to bit 0 */
        h1 = _mm512_shldi_epi16(h1, h1, 1);
        i = mpx__odd_bytes(h0, h1);
        rest = mpx__even_bytes(h0, h1);
        at = _mm512_min_epu8(i, mpx__or_and(mpx__set8(126), i, mpx__set8(1)));
        base = _mm512_max_epu8(_mm512_subs_epu8(i, mpx__set8(64)),
                               _mm512_permutex2var_epi8(base0, at, base1));
        at = _mm512_permutex2var_epi8(limit0, at, limit1);
        code = _mm512_mask_sub_epi8(base, _mm512_cmpgt_epu8_mask(rest, at), base, mpx__set8(-1));
        code = _mm512_min_epu8(code, mpx__set8(largest));
        if (nan != 0) code = _mm512_mask_mov_epi8(code, nan, mpx__set8(0x7f));
        code = mpx__or_and(code, _mm512_slli_epi16(rest, 7), mpx__set8(0x80));
        mpx__store_past(d, code, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f16_to_e4m3fn(const mpx__span *span) {
    return span->saturate ? mpx__f16_bins_rows(span, 0x7e) : mpx__f16_bins_rows(span, 0x7f);
}

/* f16 to e5m2: the upper byte, and one more if the lower one says so. NaN: payload and quiet
   bit. */
MPX__FORCE_INLINE size_t mpx__f16_to_e5m2_rows(const mpx__span *span, int saturate) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64, s += 128) {
        __m512i h0 = mpx__get64(s), h1 = mpx__get64(s + 64);
        __m512i high = mpx__odd_bytes(h0, h1), low = mpx__even_bytes(h0, h1);
        /* 0x80 for even, 0x7f for odd bytes */
        __m512i limit =
            _mm512_gf2p8affine_epi64_epi8(high, _mm512_set1_epi64(0x0101010101010101), 0x80);
        __mmask64 up = _mm512_cmpgt_epu8_mask(low, limit);
        __m512i code = _mm512_mask_sub_epi8(high, up, high, mpx__set8(-1));
        /* 7c and more, with anything below: NaN */
        __m512i a = mpx__and(high, mpx__set8(0x7f));
        __m512i key = _mm512_adds_epu8(a, _mm512_min_epu8(low, mpx__set8(1)));
        __mmask64 nan = _mm512_cmpgt_epu8_mask(key, mpx__set8(0x7c));
        mpx__fetch(s, 128, stream);
        if (saturate) {
            code = _mm512_min_epu8(mpx__and(code, mpx__set8(0x7f)), mpx__set8(0x7b));
            code = mpx__or_and(code, high, mpx__set8(0x80));
        }
        code = _mm512_mask_mov_epi8(code, nan, mpx__or(high, mpx__set8(0x7e)));
        mpx__store_past(d, code, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__f16_to_e5m2(const mpx__span *span) {
    return span->saturate ? mpx__f16_to_e5m2_rows(span, 1) : mpx__f16_to_e5m2_rows(span, 0);
}

/* ---- from a byte, by tables ------------------------------------------------------------------ */

/* The 128 positive codes of a dtype as bf16 or f16, in planes of bytes; what 80 becomes, which is
   NaN in the fnuz formats. From 16 on all are normal: words rise by the same step from code to
   code. The codec makes the first 16, and the last, with Inf and NaN. This pays from 128 elements
   on. */
typedef struct mpx__planes {
    __m512i high0, high1, low0, low1, high_of_80, low_of_80;
} mpx__planes;

MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n);
MPX__FORCE_INLINE __m256i mpx__16_words(const uint32_t *f32, int f16) {
    __m512i u = mpx__get64(f32);
    return f16 ? mpx__f16_of(u) : _mm512_cvtepi32_epi16(mpx__shr(u, 16));
}
MPX__FORCE_INLINE void mpx__planes_set(mpx__planes *t, const mpx__row *from, int f16) {
    static const unsigned char codes[48] = {
        0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,
        15,   112,  113,  114,  115,  116,  117,  118,  119,  120,  121,  122,  123,  124,  125,
        126,  127,  0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x80,
    };
    const int m = f16 ? 10 : 7, bias = f16 ? 15 : 127, step = 1 << (m - from->mantissa_bits);
    uint32_t f32[48];
    __m512i i = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)mpx__iota));
    __m512i w0, w1, w2, w3, w80;
    w0 = _mm512_add_epi16(_mm512_mullo_epi16(i, mpx__set16(step)),
                          mpx__set16((bias - from->bias) * (1 << m)));
    w1 = _mm512_add_epi16(w0, mpx__set16(32 * step));
    w2 = _mm512_add_epi16(w1, mpx__set16(32 * step));
    w3 = _mm512_add_epi16(w2, mpx__set16(32 * step));
    mpx__codes_to_f32(mpx__type_of(from), f32, codes, 48);
    w0 = _mm512_inserti64x4(w0, mpx__16_words(f32, f16), 0);
    w3 = _mm512_inserti64x4(w3, mpx__16_words(f32 + 16, f16), 1);
    w80 = _mm512_broadcast_i64x4(mpx__16_words(f32 + 32, f16));
    t->high0 = mpx__odd_bytes(w0, w1);
    t->high1 = mpx__odd_bytes(w2, w3);
    t->low0 = mpx__even_bytes(w0, w1);
    t->low1 = mpx__even_bytes(w2, w3);
    t->high_of_80 = mpx__odd_bytes(w80, w80);
    t->low_of_80 = mpx__even_bytes(w80, w80);
}

/* 64 codes to 64 words; what unpacking interleaves is put in order before, by the caller. */
MPX__FORCE_INLINE void mpx__look_up(__m512i codes, const mpx__planes *t, int fnuz, __m512i *a,
                                    __m512i *b) {
    __m512i high = _mm512_permutex2var_epi8(t->high0, codes, t->high1);
    __m512i low = _mm512_permutex2var_epi8(t->low0, codes, t->low1);
    high = mpx__or_and(high, codes, mpx__set8(0x80));
    if (fnuz) {
        __mmask64 nan = _mm512_cmpeq_epi8_mask(codes, mpx__set8(0x80));
        high = _mm512_mask_mov_epi8(high, nan, t->high_of_80);
        low = _mm512_mask_mov_epi8(low, nan, t->low_of_80);
    }
    *a = _mm512_unpacklo_epi8(low, high);
    *b = _mm512_unpackhi_epi8(low, high);
}

MPX__FORCE_INLINE void mpx__table_64(unsigned char *d, const unsigned char *s, const mpx__planes *t,
                                     int fnuz, int to_f32, int stream) {
    const __m512i halves = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    const __m512i quarters =
        _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i zero = _mm512_setzero_si512();
    __m512i codes = mpx__get64(s), a, b;
    mpx__fetch(s, 64, stream);
    if (!to_f32) {
        mpx__look_up(_mm512_permutexvar_epi64(halves, codes), t, fnuz, &a, &b);
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
        return;
    }
    mpx__look_up(_mm512_permutexvar_epi32(quarters, codes), t, fnuz, &a, &b);
    mpx__store_past(d, _mm512_unpacklo_epi16(zero, a), stream);
    mpx__store_past(d + 64, _mm512_unpackhi_epi16(zero, a), stream);
    mpx__store_past(d + 128, _mm512_unpacklo_epi16(zero, b), stream);
    mpx__store_past(d + 192, _mm512_unpackhi_epi16(zero, b), stream);
}
MPX__FORCE_INLINE size_t mpx__table_rows(const mpx__span *span, int fnuz, int to_f32) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const size_t step = to_f32 ? 256 : 128;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__planes t;
    mpx__planes_set(&t, span->from, span->to->type == MPX_F16);
    for (; n >= 128; n -= 128, d += 2 * step, s += 128) {
        mpx__table_64(d, s, &t, fnuz, to_f32, stream);
        mpx__table_64(d + step, s + 64, &t, fnuz, to_f32, stream);
    }
    if (n >= 64) {
        mpx__table_64(d, s, &t, fnuz, to_f32, stream);
        n -= 64;
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__from_byte(const mpx__span *span) {
    int fnuz = span->from->family == MPX__FNUZ;
    if (span->to->type == MPX_F32)
        return fnuz ? mpx__table_rows(span, 1, 1) : mpx__table_rows(span, 0, 1);
    return fnuz ? mpx__table_rows(span, 1, 0) : mpx__table_rows(span, 0, 0);
}

/* ---- from packed nibbles --------------------------------------------------------------------- */

/* 16 values, one table. Lane k of 16 takes the byte from bit 4k of eight bytes on; the permutation
   looks at its low four bits only. */
MPX__FORCE_INLINE __m512i mpx__look_up16(const unsigned char *s, __m512i at, __m512i table) {
    __m512i eight = _mm512_set1_epi64((int64_t)mpx__read64(s));
    return _mm512_permutexvar_epi32(_mm512_multishift_epi64_epi8(at, eight), table);
}
MPX__FORCE_INLINE size_t mpx__nibble_to_f32(const mpx__span *span, __m512i table) {
    const __m512i at = _mm512_set_epi64(
        0x3c3c3c3c38383838, 0x3434343430303030, 0x2c2c2c2c28282828, 0x2424242420202020,
        0x1c1c1c1c18181818, 0x1414141410101010, 0x0c0c0c0c08080808, 0x0404040400000000);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 256, s += 32) {
        mpx__fetch(s, 32, stream);
        mpx__store_past(d, mpx__look_up16(s, at, table), stream);
        mpx__store_past(d + 64, mpx__look_up16(s + 8, at, table), stream);
        mpx__store_past(d + 128, mpx__look_up16(s + 16, at, table), stream);
        mpx__store_past(d + 192, mpx__look_up16(s + 24, at, table), stream);
    }
    return span->n - n;
}
/* To words: each 64-bit lane spreads two bytes. The table stands there twice, as five bits
   count. */
MPX__FORCE_INLINE size_t mpx__nibble_to_words(const mpx__span *span, __m512i table) {
    const __m512i at = _mm512_set1_epi64(0x0c0c080804040000);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 128, s += 32) {
        __m512i a = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)s));
        __m512i b = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)(s + 16)));
        mpx__fetch(s, 32, stream);
        a = _mm512_permutexvar_epi16(_mm512_multishift_epi64_epi8(at, a), table);
        b = _mm512_permutexvar_epi16(_mm512_multishift_epi64_epi8(at, b), table);
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
    }
    return span->n - n;
}
MPX__PRIVATE size_t mpx__from_nibble(const mpx__span *span) {
    __m512i f32, words;
    mpx__codes_to_f32(mpx__type_of(span->from), &f32, mpx__iota, 16);
    if (span->to->type == MPX_F32) return mpx__nibble_to_f32(span, f32);
    words = span->to->type == MPX_F16 ? mpx__join(mpx__f16_of(f32), mpx__f16_of(f32))
                                      : mpx__odd_words(f32, f32);
    return mpx__nibble_to_words(span, words);
}

#endif /* MPX__HAS_VBMI */

/* ---- stochastic, f32 to bf16 ---------------------------------------------------------------- */

/* A random word for two elements: its halves, in memory's order, are added to what is cut off, and
   may carry. Blocks with Inf, NaN or what might become Inf go through round.h. r->index is even.
   25 times. */
typedef struct mpx__dither {
    mpx__vu key0, key;
} mpx__dither;
/* 32 elements, and the upper words that they had. */
MPX__FORCE_INLINE __m512i mpx__dither_32(const unsigned char *s, mpx__vu counter,
                                         const mpx__dither *k, __m512i *high) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), low = mpx__even_words(a, b);
    __m512i sum = mpx__add16(low, mpx__mix_lanes(mpx__xor(counter, k->key0), k->key));
    *high = mpx__odd_words(a, b);
    return _mm512_mask_sub_epi16(*high, _mm512_cmplt_epu16_mask(sum, low), *high, mpx__set16(-1));
}
MPX__FORCE_INLINE int mpx__may_become_inf(__m512i doubled) {
    return _mm512_cmpge_epu16_mask(doubled, mpx__set16(0xfefe)) != 0;
}
/* 64 elements at a time, up to the first block that is not served; counts what it does in *done. */
MPX__FORCE_INLINE void mpx__dither_64s(const mpx__span *span, size_t all, const mpx__dither *k,
                                       mpx__vu *counter, size_t *done) {
    const unsigned char *s = span->s + *done * 4;
    unsigned char *d = span->d + *done * 2;
    const int stream = span->stream;
    size_t n = all - *done;
    for (; n >= 64; n -= 64, d += 128, s += 256) {
        mpx__vu next = mpx__add(*counter, mpx__set(MPX__LANES));
        __m512i high0, high1, a = mpx__dither_32(s, *counter, k, &high0),
                              b = mpx__dither_32(s + 128, next, k, &high1);
        mpx__fetch(s, 256, stream);
        if (mpx__may_become_inf(mpx__max16(mpx__doubled16(high0), mpx__doubled16(high1)))) break;
        mpx__store_past(d, a, stream);
        mpx__store_past(d + 64, b, stream);
        *counter = mpx__add(next, mpx__set(MPX__LANES));
    }
    *done = all - n;
}
MPX__PRIVATE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    const size_t all = mpx__words_left(r) < span->n / 2 ? (size_t)mpx__words_left(r) * 2 : span->n;
    mpx__vu counter = mpx__first_counters(r);
    size_t done = 0;
    mpx__dither k;
    k.key0 = mpx__set(r->key0);
    k.key = mpx__set(mpx__second_key(r));
    for (;;) { /* no call within the loop: it would keep constants out of the registers */
        mpx__dither_64s(span, all, &k, &counter, &done);
        if (all - done < 64) break;
        mpx__dither_exactly(span->d + done * 2, span->s + done * 4, 64, r, done);
        counter = mpx__add(counter, mpx__set(2 * MPX__LANES));
        done += 64;
    }
    if (all - done >= 32) {
        __m512i high, a = mpx__dither_32(span->s + done * 4, counter, &k, &high);
        if (mpx__may_become_inf(mpx__doubled16(high)))
            mpx__dither_exactly(span->d + done * 2, span->s + done * 4, 32, r, done);
        else
            mpx__store_past(span->d + done * 2, a, span->stream);
        done += 32;
    }
    return done;
}

/* ---- 16-bit floats times a power of two, in place or not ------------------------------------- */

/* f16 and bf16 with m mantissa bits. Where exponents before and after are those of normal numbers,
   only the exponent moves, and zeros stay; blocks with others go through f32, where every product
   is exact for shifts from -100 to 100. *finite becomes 0 if a result is not. */
MPX__FORCE_INLINE int mpx__scale16_exactly(unsigned char *d, const unsigned char *s, int shift,
                                           int inf, mpx__dec_fn dec, mpx__enc_fn enc) {
    const mpx__vu by = mpx__set((uint32_t)(shift + 127) << 23);
    __m512i largest = _mm512_setzero_si512();
    int i;
    for (i = 0; i < 256; i += 32)
        enc(d + i, mpx__fmul(dec(s + i), by));
    for (i = 0; i < 256; i += 64)
        largest = mpx__max16(largest, mpx__doubled16(mpx__get64(d + i)));
    return _mm512_cmpge_epu16_mask(largest, mpx__set16(2 * inf)) == 0;
}
/* The magnitude's place above the lowest that moves, doubled; 0 for zero. */
MPX__FORCE_INLINE __m512i mpx__above_lowest(__m512i h, __m512i lowest, __mmask32 *nonzero) {
    __m512i twice = mpx__doubled16(h);
    *nonzero = _mm512_test_epi16_mask(twice, twice);
    return _mm512_maskz_sub_epi16(*nonzero, twice, lowest);
}
/* What moves 16-bit floats: the least and the number of doubled magnitudes, from where they are
   normal before and after; what is added to words. */
typedef struct mpx__move16 {
    __m512i lowest, range, delta;
} mpx__move16;
/* 128 without zeros: nothing is masked, in 0.6 of the time. Returns 0 and does nothing if there is
   one, or a magnitude out of range. */
MPX__FORCE_INLINE int mpx__move_nonzeros(unsigned char *d, const unsigned char *s,
                                         const mpx__move16 *k) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), c = mpx__get64(s + 128),
            e = mpx__get64(s + 192);
    __m512i p = mpx__max16(_mm512_sub_epi16(mpx__doubled16(a), k->lowest),
                           _mm512_sub_epi16(mpx__doubled16(b), k->lowest));
    __m512i q = mpx__max16(_mm512_sub_epi16(mpx__doubled16(c), k->lowest),
                           _mm512_sub_epi16(mpx__doubled16(e), k->lowest));
    if (_mm512_cmpge_epu16_mask(mpx__max16(p, q), k->range) != 0) return 0;
    _mm512_storeu_si512(d, mpx__add16(a, k->delta));
    _mm512_storeu_si512(d + 64, mpx__add16(b, k->delta));
    _mm512_storeu_si512(d + 128, mpx__add16(c, k->delta));
    _mm512_storeu_si512(d + 192, mpx__add16(e, k->delta));
    return 1;
}
MPX__FORCE_INLINE int mpx__move_with_zeros(unsigned char *d, const unsigned char *s,
                                           const mpx__move16 *k) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64), c = mpx__get64(s + 128),
            e = mpx__get64(s + 192);
    __mmask32 ka, kb, kc, ke;
    __m512i above = mpx__max16(mpx__max16(mpx__above_lowest(a, k->lowest, &ka),
                                          mpx__above_lowest(b, k->lowest, &kb)),
                               mpx__max16(mpx__above_lowest(c, k->lowest, &kc),
                                          mpx__above_lowest(e, k->lowest, &ke)));
    if (_mm512_cmpge_epu16_mask(above, k->range) != 0) return 0;
    _mm512_storeu_si512(d, _mm512_mask_add_epi16(a, ka, a, k->delta));
    _mm512_storeu_si512(d + 64, _mm512_mask_add_epi16(b, kb, b, k->delta));
    _mm512_storeu_si512(d + 128, _mm512_mask_add_epi16(c, kc, c, k->delta));
    _mm512_storeu_si512(d + 192, _mm512_mask_add_epi16(e, ke, e, k->delta));
    return 1;
}
/* Where one block has zeros, or what is out of range, the next ones may: 32 do not ask first. */
MPX__FORCE_INLINE size_t mpx__scale16_rows(unsigned char *d, const unsigned char *s, size_t n,
                                           int shift, int m, mpx__dec_fn dec, mpx__enc_fn enc,
                                           int *finite) {
    const int top = (1 << (15 - m)) - 1, low = shift < 0 ? 1 - shift : 1,
              end = shift > 0 ? top - shift : top;
    const size_t all = n - n % 128;
    unsigned unasked = 0;
    mpx__move16 k;
    if (shift < -100 || shift > 100) return 0;
    k.lowest = mpx__set16(low << (m + 1));
    k.range = mpx__set16(end > low ? (end - low) << (m + 1) : 0);
    k.delta = mpx__set16(shift * (1 << m));
    for (n = all; n != 0; n -= 128, d += 256, s += 256) {
        if (unasked == 0) {
            if (MPX__LIKELY(mpx__move_nonzeros(d, s, &k))) continue;
            unasked = 32;
        }
        unasked--;
        if (!mpx__move_with_zeros(d, s, &k))
            *finite &= mpx__scale16_exactly(d, s, shift, top << m, dec, enc);
    }
    return all;
}
MPX__PRIVATE size_t mpx__f16_scale_rows(unsigned char *d, const unsigned char *s, size_t n,
                                        int shift, int *finite) {
    return mpx__scale16_rows(d, s, n, shift, 10, mpx__dec_f16, mpx__enc_f16, finite);
}
MPX__PRIVATE size_t mpx__bf16_scale_rows(unsigned char *d, const unsigned char *s, size_t n,
                                         int shift, int *finite) {
    return mpx__scale16_rows(d, s, n, shift, 7, mpx__dec_bf16, mpx__enc_bf16, finite);
}

/* ---- 16-bit floats times any number, to f32 -------------------------------------------------- */

/* The largest product is that of the largest magnitude, and words with it are compared in fewer
   instructions than f32. 1.2 times. */
MPX__FORCE_INLINE size_t mpx__scale_to_f32_rows(unsigned char *d, const unsigned char *s, size_t n,
                                                uint32_t factor, int stream, mpx__dec_fn dec,
                                                int *finite) {
    const mpx__vu by = mpx__set(factor);
    const size_t all = n - n % 64;
    __m512i largest = _mm512_setzero_si512();
    uint16_t words[32];
    for (n = all; n != 0; n -= 64, d += 256, s += 128) {
        __m512i a = mpx__doubled16(mpx__get64(s)), b = mpx__doubled16(mpx__get64(s + 64));
        largest = mpx__max16(largest, mpx__max16(a, b));
        mpx__fetch(s, 128, stream);
        mpx__store_past(d, mpx__fmul(dec(s), by), stream);
        mpx__store_past(d + 64, mpx__fmul(dec(s + 32), by), stream);
        mpx__store_past(d + 128, mpx__fmul(dec(s + 64), by), stream);
        mpx__store_past(d + 192, mpx__fmul(dec(s + 96), by), stream);
    }
    _mm512_storeu_si512(words, _mm512_srli_epi16(largest, 1));
    largest = mpx__max(mpx__shl(mpx__fmul(dec(words), by), 1),
                       mpx__shl(mpx__fmul(dec(words + 16), by), 1));
    if (_mm512_cmpgt_epu32_mask(largest, mpx__set(0xfeffffffu)) != 0) *finite = 0;
    return all;
}
MPX__PRIVATE size_t mpx__f16_times(unsigned char *d, const unsigned char *s, size_t n, uint32_t by,
                                   int stream, int *finite) {
    return mpx__scale_to_f32_rows(d, s, n, by, stream, mpx__dec_f16, finite);
}
MPX__PRIVATE size_t mpx__bf16_times(unsigned char *d, const unsigned char *s, size_t n, uint32_t by,
                                    int stream, int *finite) {
    return mpx__scale_to_f32_rows(d, s, n, by, stream, mpx__dec_bf16_any_nan, finite);
}

/* ---- f32 divided by any number, in place or not ---------------------------------------------- */

/* x / s without the division instruction: r is 1 / s, low what r lacks, both rounded to nearest.
   Holds for 2^-40 <= |s| < 2^40 and results that are finite and at least 2^-60, where nothing on
   the way overflows or is subnormal; and for zeros, if their lanes are left out of the steps with
   low. Two steps serve most s: mpx__two_steps_suffice says which. Four serve all: q, after two, is
   within an ulp of x / s, and x - q * s is exact, so q + (x - q * s) * r rounds to the quotient
   (Markstein, Computation of elementary functions on the IBM RS/6000, 1990). */
typedef struct mpx__quotient {
    __m512 s, r, low;
    __m512i magnitude; /* all bits but the sign's, unknown to clang: it would make a comparison of
                          floats of their test, which raises a flag for subnormals */
} mpx__quotient;

MPX__FORCE_INLINE __m512 mpx__quotient_of(__m512 x, const mpx__quotient *by, int steps,
                                          __mmask16 nonzero) {
    /* more than zeros is -0, which leaves the sign of x * r */
    __m512 more = _mm512_set1_ps(-0.0f), q, rest;
    more = _mm512_mask_mul_round_ps(more, nonzero, x, by->low, MPX__NEAREST);
    q = _mm512_fmadd_round_ps(x, by->r, more, MPX__NEAREST);
    if (steps == 2) return q;
    rest = _mm512_fnmadd_round_ps(q, by->s, x, MPX__NEAREST);
    return _mm512_mask3_fmadd_round_ps(rest, by->r, q, nonzero, MPX__NEAREST);
}

/* Before it is rounded, x * r + x * low differs from x / s by less than 2^-46 of it: 2^-47 as r and
   low err, 2^-48 as x * low is rounded. So the result is wrong only if M, halfway between two
   floats, is as near. Let X, S (24 bits) and M (25 bits, odd) be significands and k be 24, or 25 if
   X < S: then M S = X 2^k + d with 0 < |d| < 8. If S ends in three zeros, d would too: no such x.
   Else there are at most 16, M = d / S modulo 2^k, and all are tried.
   (After Brisebarre, Muller and Raina, Accelerating correctly rounded floating-point division when
   the divisor is known in advance, 2004.) */
MPX__PRIVATE int mpx__two_steps_suffice(uint32_t s, const mpx__quotient *by) {
    uint32_t odd = s & 0x7fffffu, zeros = 0, inverse, i, midpoints[16];
    __m512 x;
    if ((odd & 7u) == 0) return 1;
    for (odd |= 0x800000u; (odd & 1u) == 0; odd >>= 1)
        zeros++;
    inverse = odd * 3u ^ 2u; /* modulo 2^5; each step doubles the bits */
    for (i = 0; i < 3; i++)
        inverse *= 2u - odd * inverse;
    for (i = 0; i < 16; i++) {
        uint32_t v = i >> 1 & 3u, k = 24u + (i >> 3);
        uint32_t d = ((v & 3u >> zeros) * 2u + 1u) * (i & 1u ? 0xffffffffu : 1u); /* less zeros */
        uint32_t m = d * inverse + (v >> (2u - zeros) << (k - zeros));
        midpoints[i] = (m & 0x1ffffffu) | 0x1000000u; /* also others, which do no harm */
    }
    x = _mm512_cvtepi32_ps(mpx__sub(mpx__load32(midpoints), mpx__set(1)));
    x = _mm512_fmadd_round_ps(x, by->s, by->s, MPX__NEAREST);
    return _mm512_cmpneq_epi32_mask(
               _mm512_castps_si512(mpx__quotient_of(x, by, 2, (__mmask16)0xffff)),
               _mm512_castps_si512(mpx__quotient_of(x, by, 4, (__mmask16)0xffff))) == 0;
}

/* All lanes, or those that are not zero. */
MPX__FORCE_INLINE __mmask16 mpx__counted_lanes(__m512 x, const mpx__quotient *by, int zeros) {
    return zeros ? _mm512_test_epi32_mask(_mm512_castps_si512(x), by->magnitude)
                 : (__mmask16)0xffff;
}
/* Twice the magnitude, above that of 2^-60. */
MPX__FORCE_INLINE __m512i mpx__above_2_60(__m512 q, __mmask16 counted) {
    __m512i u = _mm512_castps_si512(q);
    return _mm512_maskz_sub_epi32(counted, mpx__add(u, u), mpx__set((127u - 60u) << 24));
}

/* 64 elements; 0, and nothing done, if that does not hold for all. */
MPX__FORCE_INLINE int mpx__divide_64(unsigned char *d, const unsigned char *s,
                                     const mpx__quotient *by, int steps, int zeros) {
    __m512 x0 = _mm512_loadu_ps(s), x1 = _mm512_loadu_ps(s + 64), x2 = _mm512_loadu_ps(s + 128),
           x3 = _mm512_loadu_ps(s + 192);
    __mmask16 k0 = mpx__counted_lanes(x0, by, zeros), k1 = mpx__counted_lanes(x1, by, zeros),
              k2 = mpx__counted_lanes(x2, by, zeros), k3 = mpx__counted_lanes(x3, by, zeros);
    __m512 q0 = mpx__quotient_of(x0, by, steps, k0), q1 = mpx__quotient_of(x1, by, steps, k1),
           q2 = mpx__quotient_of(x2, by, steps, k2), q3 = mpx__quotient_of(x3, by, steps, k3);
    __m512i above = mpx__max(mpx__max(mpx__above_2_60(q0, k0), mpx__above_2_60(q1, k1)),
                             mpx__max(mpx__above_2_60(q2, k2), mpx__above_2_60(q3, k3)));
    if (_mm512_cmpgt_epu32_mask(above, mpx__set(0xfeffffffu - ((127u - 60u) << 24))) != 0)
        return 0;
    _mm512_storeu_ps(d, q0);
    _mm512_storeu_ps(d + 64, q1);
    _mm512_storeu_ps(d + 128, q2);
    _mm512_storeu_ps(d + 192, q3);
    return 1;
}
/* The same by the instruction; returns whether the results are finite. */
MPX__FORCE_INLINE int mpx__divide_64_slowly(unsigned char *d, const unsigned char *s, __m512 by) {
    __m512i largest = _mm512_setzero_si512();
    int i;
    for (i = 0; i < 256; i += 64) {
        __m512 q = _mm512_div_round_ps(_mm512_loadu_ps(s + i), by, MPX__NEAREST);
        __m512i u = _mm512_castps_si512(q);
        largest = mpx__max(largest, mpx__add(u, u));
        _mm512_storeu_ps(d + i, q);
    }
    return _mm512_cmpgt_epu32_mask(largest, mpx__set(0xfeffffffu)) == 0;
}
MPX__FORCE_INLINE size_t mpx__divide_blocks(unsigned char *d, const unsigned char *s, size_t n,
                                            const mpx__quotient *by, int steps, int *finite) {
    const size_t all = n - n % 64;
    for (n = all; n != 0; n -= 64, d += 256, s += 256)
        if (!mpx__divide_64(d, s, by, steps, 0) && !mpx__divide_64(d, s, by, steps, 1))
            *finite &= mpx__divide_64_slowly(d, s, by->s);
    return all;
}

/* Returns the elements done; *finite becomes 0 if a result is not. A loop of divisions takes 1.8
   times as long as two steps (make bench, Zen 4); a block with zeros is done twice. For few
   elements the question whether two steps suffice costs more than they save. */
MPX__PRIVATE size_t mpx__f32_divide_rows(unsigned char *d, const unsigned char *s, size_t n,
                                         uint32_t u, int *finite) {
    const __m512 one = _mm512_set1_ps(1);
    const uint32_t exponent = u >> 23 & 255u;
    mpx__quotient by;
    __m512 rest;
    if (exponent < 127u - 40u || exponent >= 127u + 40u) return 0;
    by.s = _mm512_castsi512_ps(mpx__set(u));
    by.r = _mm512_div_round_ps(one, by.s, MPX__NEAREST);
    rest = _mm512_fnmadd_round_ps(by.r, by.s, one, MPX__NEAREST);
    by.low = _mm512_mul_round_ps(rest, by.r, MPX__NEAREST);
    by.magnitude = mpx__set(0x7fffffffu);
    MPX__HERE(by.magnitude);
    if (((u & 7u) == 0 || n >= 1024) && mpx__two_steps_suffice(u, &by))
        return mpx__divide_blocks(d, s, n, &by, 2, finite);
    return mpx__divide_blocks(d, s, n, &by, 4, finite);
}

/* ---- which row ------------------------------------------------------------------------------- */

MPX__PRIVATE size_t mpx__fast_to_small(const mpx__span *span) {
#if MPX__HAS_VBMI
    const int to = span->to->type, from = span->from->type;
    if (from == MPX_F16 && to == MPX_F8E4M3FN) return mpx__f16_to_e4m3fn(span);
    if (from == MPX_F16 && to == MPX_F8E5M2) return mpx__f16_to_e5m2(span);
    if (from == MPX_BF16 && to == MPX_F8E4M3FN) return mpx__bf16_to_e4m3fn(span);
    if (from == MPX_BF16 && to == MPX_F8E5M2) return mpx__bf16_to_e5m2(span);
#endif
    switch (span->from->type) {
    case MPX_F32: return mpx__narrow_f32(span);
    case MPX_F16: return mpx__narrow_f16(span);
    case MPX_BF16: return mpx__narrow_bf16(span);
    case MPX_F64: return mpx__narrow_f64(span);
    default: return 0;
    }
}
/* To f32, f16, bf16. */
MPX__PRIVATE size_t mpx__fast_from_small(const mpx__span *span) {
    const int e5m2 = span->from->type == MPX_F8E5M2;
    if (!mpx__is_small(span->from)) return 0;
    if (e5m2 && span->to->type == MPX_F32) return mpx__widen_e5m2(span);
    if (e5m2 && span->to->type == MPX_F16) return mpx__e5m2_to_f16_rows(span);
#if MPX__HAS_VBMI
    if (span->from->bits == 4 && span->packed) return mpx__from_nibble(span);
    if (span->n >= 128 && span->from->bits == 8) return mpx__from_byte(span);
#endif
    return mpx__from_small_row(span);
}
MPX__PRIVATE size_t mpx__fast_to_f32(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F16: return mpx__widen_f16(span);
    case MPX_BF16: return mpx__widen_bf16(span);
    case MPX_F64: return mpx__f64_to_f32_rows(span);
    default: return mpx__fast_from_small(span);
    }
}
MPX__PRIVATE size_t mpx__fast_to_f16(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_f16_rows(span);
    case MPX_BF16: return mpx__bf16_to_f16_rows(span);
    case MPX_F64: return mpx__f64_to_f16_rows(span);
    default: return mpx__fast_from_small(span);
    }
}
MPX__PRIVATE size_t mpx__fast_to_bf16(const mpx__span *span) {
    switch (span->from->type) {
    case MPX_F32: return mpx__f32_to_bf16_rows(span);
    case MPX_F16: return mpx__f16_to_bf16_rows(span);
#if MPX__HAS_BF16
    case MPX_F64: return mpx__f64_to_bf16_rows(span);
#endif
    default: return mpx__fast_from_small(span);
    }
}

/* Integers saturate anyway, and none is too large for f32. */
MPX__PRIVATE size_t mpx__pick_row(const mpx__span *span) {
    const int to = span->to->type;
    if (to == MPX_F16) return span->saturate ? 0 : mpx__fast_to_f16(span);
    if (to == MPX_BF16) return span->saturate ? 0 : mpx__fast_to_bf16(span);
    if (mpx__is_small(span->to)) return mpx__fast_to_small(span);
    if (mpx__has_integer(span)) return mpx__number_row(span);
    if (to == MPX_F32) return span->saturate ? 0 : mpx__fast_to_f32(span);
    if (to != MPX_F64 || span->from->type != MPX_F32 || span->saturate) return 0;
    return mpx__f32_to_f64_rows(span);
}

MPX__PRIVATE size_t mpx__fast_rows(const mpx__span *span) {
    return span->n >= 16 ? mpx__pick_row(span) : 0;
}

/* ---- shortcuts, see cast.h ------------------------------------------------------------------- */

MPX__SHORTCUT(mpx__f64_to_f32_shortcut, MPX_F32, MPX_F64, mpx__f64_to_f32_blocks(&span))
MPX__SHORTCUT(mpx__f32_to_f64_shortcut, MPX_F64, MPX_F32, mpx__f32_to_f64_blocks(&span))
MPX__SHORTCUT(mpx__f16_to_f32_shortcut, MPX_F32, MPX_F16, mpx__widen_rows(&span, 2, mpx__dec_f16))
MPX__SHORTCUT(mpx__f32_to_f16_shortcut, MPX_F16, MPX_F32, mpx__to_f16_rows(&span, 4, mpx__dec_f32))
MPX__SHORTCUT(mpx__bf16_to_f32_shortcut, MPX_F32, MPX_BF16, mpx__widen_bf16(&span))
MPX__SHORTCUT(mpx__f32_to_bf16_shortcut, MPX_BF16, MPX_F32, mpx__f32_to_bf16_rows(&span))
MPX__SHORTCUT(mpx__bf16_to_f16_shortcut, MPX_F16, MPX_BF16, mpx__bf16_to_f16_rows(&span))
MPX__SHORTCUT(mpx__f16_to_bf16_shortcut, MPX_BF16, MPX_F16, mpx__f16_to_bf16_rows(&span))
#undef MPX__SHORTCUT

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
/*==========================================================================*
 * MARK: fast_avx512_int - integers, f32 and f64 to one another, by AVX-512  *
 *   As fast_int, by instructions for each pair. They round as they are      *
 *   told, and raise no flags: no row needs an environment.                  *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_AVX512
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) /* its macros warn */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* ---- integers to integers -------------------------------------------------------------------- */

/* What is wider than the target, or of another sign, is limited to what both hold: signed lanes
   below and above, unsigned ones above, and, where nothing can be too large, below alone. Then
   every lane is cut in two, or extended. */
typedef __m512i (*mpx__limit_fn)(__m512i v, __m512i low, __m512i high);
#define MPX__LIMITS(bits) \
    MPX__FORCE_INLINE __m512i mpx__limit_i##bits(__m512i v, __m512i low, __m512i high) { \
        return _mm512_min_epi##bits(_mm512_max_epi##bits(v, low), high); \
    } \
    MPX__FORCE_INLINE __m512i mpx__limit_u##bits(__m512i v, __m512i low, __m512i high) { \
        (void)low; \
        return _mm512_min_epu##bits(v, high); \
    } \
    MPX__FORCE_INLINE __m512i mpx__floor_i##bits(__m512i v, __m512i low, __m512i high) { \
        (void)high; \
        return _mm512_max_epi##bits(v, low); \
    }
MPX__LIMITS(8)
MPX__LIMITS(16)
MPX__LIMITS(32)
MPX__LIMITS(64)
#undef MPX__LIMITS

/* One number in every lane of so many bits. */
MPX__FORCE_INLINE __m512i mpx__in_lanes(uint64_t x, int bits) {
    if (bits == 64) return _mm512_set1_epi64((int64_t)x);
    if (bits == 32) return mpx__set((uint32_t)x);
    return bits == 16 ? mpx__set16((int)(uint16_t)x) : mpx__set8((int)(uint8_t)x);
}

/* The limits that source and target have in common, as lanes of the source. */
typedef struct mpx__limits {
    __m512i low, high;
} mpx__limits;
MPX__INLINE int mpx__is_signed(const mpx__row *row) { return row->kind == MPX_KIND_INT; }
MPX__FORCE_INLINE void mpx__limits_set(mpx__limits *k, const mpx__span *span, int bits) {
    const int from_signed = mpx__is_signed(span->from), to_signed = mpx__is_signed(span->to);
    const int value_bits = span->from->bits - from_signed, room = span->to->bits - to_signed;
    const uint64_t high = ~(uint64_t)0 >> (64 - (value_bits < room ? value_bits : room));
    k->low = mpx__in_lanes(to_signed ? ~high : 0, bits);
    k->high = mpx__in_lanes(high, bits);
}

/* The lower halves of the lanes of two vectors. */
MPX__FORCE_INLINE __m512i mpx__halves(__m512i a, __m512i b, int bits) {
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    if (bits == 64) return _mm512_permutex2var_epi32(a, even, b);
    return bits == 32 ? mpx__even_words(a, b) : mpx__even_bytes(a, b);
}
/* From one, two, four or eight vectors, one. */
MPX__FORCE_INLINE __m512i mpx__cut1(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit) {
    return limit(mpx__get64(s), k->low, k->high);
}
MPX__FORCE_INLINE __m512i mpx__cut2(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit, int bits) {
    return mpx__halves(mpx__cut1(s, k, limit), mpx__cut1(s + 64, k, limit), bits);
}
MPX__FORCE_INLINE __m512i mpx__cut4(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit, int bits) {
    return mpx__halves(mpx__cut2(s, k, limit, bits), mpx__cut2(s + 128, k, limit, bits), bits / 2);
}
MPX__FORCE_INLINE __m512i mpx__cut8(const unsigned char *s, const mpx__limits *k,
                                    mpx__limit_fn limit, int bits, int vectors) {
    if (vectors == 1) return mpx__cut1(s, k, limit);
    if (vectors == 2) return mpx__cut2(s, k, limit, bits);
    if (vectors == 4) return mpx__cut4(s, k, limit, bits);
    return mpx__halves(mpx__cut4(s, k, limit, bits), mpx__cut4(s + 256, k, limit, bits), bits / 4);
}

/* To an integer of as many bits or fewer: one vector of the target at a time. */
MPX__FORCE_INLINE size_t mpx__cut_rows(const mpx__span *span, int bits, int to_bits,
                                       mpx__limit_fn limit) {
    const int vectors = bits / to_bits;
    const size_t one = 512u / (unsigned)to_bits, bytes = 64u * (unsigned)vectors,
                 all = span->n / one;
    const unsigned char *s = span->s, *end = s + all * bytes;
    unsigned char *d = span->d;
    mpx__limits k;
    mpx__limits_set(&k, span, bits);
    if (span->stream) {
        for (; s != end; d += 64, s += bytes) {
            mpx__fetch(s, bytes, 1);
            mpx__store_past(d, mpx__cut8(s, &k, limit, bits, vectors), 1);
        }
        return all * one;
    }
    MPX__UNROLL_FOUR_TIMES
    for (; s != end; d += 64, s += bytes)
        mpx__store32(d, mpx__cut8(s, &k, limit, bits, vectors));
    return all * one;
}

/* From signed ones of 16 and 32 bits: packing limits and cuts at once, in quarters of the register.
   1.8 times mpx__cut_rows. */
MPX__FORCE_INLINE __m512i mpx__pack32(const unsigned char *s, int to_signed) {
    __m512i a = mpx__get64(s), b = mpx__get64(s + 64);
    return to_signed ? _mm512_packs_epi32(a, b) : _mm512_packus_epi32(a, b);
}
MPX__FORCE_INLINE __m512i mpx__pack16(__m512i a, __m512i b, int to_signed) {
    return to_signed ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
}
MPX__FORCE_INLINE __m512i mpx__packed_once(__m512i a) {
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}
MPX__FORCE_INLINE __m512i mpx__packed_twice(__m512i a) {
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    return _mm512_permutexvar_epi32(order, a);
}
typedef __m512i (*mpx__pack_fn)(const unsigned char *s, int to_signed);
MPX__FORCE_INLINE __m512i mpx__16_of_i32(const unsigned char *s, int to_signed) {
    return mpx__packed_once(mpx__pack32(s, to_signed));
}
MPX__FORCE_INLINE __m512i mpx__8_of_i32(const unsigned char *s, int to_signed) {
    __m512i a = mpx__pack32(s, 1), b = mpx__pack32(s + 128, 1);
    return mpx__packed_twice(mpx__pack16(a, b, to_signed));
}
MPX__FORCE_INLINE __m512i mpx__8_of_i16(const unsigned char *s, int to_signed) {
    return mpx__packed_once(mpx__pack16(mpx__get64(s), mpx__get64(s + 64), to_signed));
}
MPX__FORCE_INLINE size_t mpx__pack_rows(const mpx__span *span, int bits, int to_bits,
                                        mpx__pack_fn pack, int to_signed) {
    const size_t one = 512u / (unsigned)to_bits, bytes = 64u * (unsigned)(bits / to_bits),
                 all = span->n / one;
    const unsigned char *s = span->s, *end = s + all * bytes;
    unsigned char *d = span->d;
    if (span->stream) {
        for (; s != end; d += 64, s += bytes) {
            mpx__fetch(s, bytes, 1);
            mpx__store_past(d, pack(s, to_signed), 1);
        }
        return all * one;
    }
    MPX__UNROLL_FOUR_TIMES
    for (; s != end; d += 64, s += bytes)
        mpx__store32(d, pack(s, to_signed));
    return all * one;
}

/* As many elements as a vector of the target has. */
typedef __m512i (*mpx__extend_fn)(const unsigned char *s);
#define MPX__EXTEND(from, to, expression) \
    MPX__FORCE_INLINE __m512i mpx__i##from##_to_##to(const unsigned char *s) { \
        return _mm512_cvtepi##from##_epi##to(expression); \
    } \
    MPX__FORCE_INLINE __m512i mpx__u##from##_to_##to(const unsigned char *s) { \
        return _mm512_cvtepu##from##_epi##to(expression); \
    }
#define MPX__GET8 _mm_loadl_epi64((const __m128i *)(const void *)s)
#define MPX__GET16 _mm_loadu_si128((const __m128i *)(const void *)s)
#define MPX__GET32 _mm256_loadu_si256((const __m256i *)(const void *)s)
MPX__EXTEND(8, 16, MPX__GET32)
MPX__EXTEND(8, 32, MPX__GET16)
MPX__EXTEND(8, 64, MPX__GET8)
MPX__EXTEND(16, 32, MPX__GET32)
MPX__EXTEND(16, 64, MPX__GET16)
MPX__EXTEND(32, 64, MPX__GET32)
#undef MPX__EXTEND

MPX__FORCE_INLINE __m512i mpx__limit_none(__m512i v, __m512i low, __m512i high) {
    return (void)low, (void)high, v;
}

/* To an integer of more bits, and none below 0 if the target is unsigned. */
MPX__FORCE_INLINE size_t mpx__extend_rows(const mpx__span *span, int bits, int to_bits,
                                          mpx__extend_fn extend, mpx__limit_fn limit) {
    const size_t quarter = 64u * (unsigned)bits / (unsigned)to_bits,
                 step = 2048u / (unsigned)to_bits;
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    mpx__limits k;
    mpx__limits_set(&k, span, to_bits);
    for (; n >= step; n -= step, d += 256, s += 4 * quarter) {
        mpx__fetch(s, 4 * quarter, stream);
        mpx__store_past(d, limit(extend(s), k.low, k.high), stream);
        mpx__store_past(d + 64, limit(extend(s + quarter), k.low, k.high), stream);
        mpx__store_past(d + 128, limit(extend(s + 2 * quarter), k.low, k.high), stream);
        mpx__store_past(d + 192, limit(extend(s + 3 * quarter), k.low, k.high), stream);
    }
    for (; n >= step / 4; n -= step / 4, d += 64, s += quarter)
        mpx__store32(d, limit(extend(s), k.low, k.high));
    return span->n - n;
}

/* 64 bits to 32, saturating; eight. */
MPX__FORCE_INLINE __m256i mpx__i32_of_8_i64(const unsigned char *s) {
    return _mm512_cvtsepi64_epi32(mpx__get64(s));
}
MPX__FORCE_INLINE __m256i mpx__u32_of_8_u64(const unsigned char *s) {
    return _mm512_cvtusepi64_epi32(mpx__get64(s));
}

/* Of each size, the pairs with a sign and without. */
#define MPX__CUT_ROWS(bits, to_bits) \
    MPX__NUMBER_ROW(i##bits, i##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_i##bits)) \
    MPX__NUMBER_ROW(i##bits, u##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_i##bits)) \
    MPX__CUT_UNSIGNED(bits, to_bits)
#define MPX__CUT_UNSIGNED(bits, to_bits) \
    MPX__NUMBER_ROW(u##bits, i##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_u##bits)) \
    MPX__NUMBER_ROW(u##bits, u##to_bits, mpx__cut_rows(span, bits, to_bits, mpx__limit_u##bits))
#define MPX__TURN_ROWS(bits) \
    MPX__NUMBER_ROW(i##bits, u##bits, mpx__cut_rows(span, bits, bits, mpx__floor_i##bits)) \
    MPX__NUMBER_ROW(u##bits, i##bits, mpx__cut_rows(span, bits, bits, mpx__limit_u##bits))
#define MPX__PACK_ROWS(name, bits, to_bits) \
    MPX__NUMBER_ROW(name, i##to_bits, \
                    mpx__pack_rows(span, bits, to_bits, mpx__##to_bits##_of_##name, 1)) \
    MPX__NUMBER_ROW(name, u##to_bits, \
                    mpx__pack_rows(span, bits, to_bits, mpx__##to_bits##_of_##name, 0))
#define MPX__EXTEND_ROWS(bits, to_bits) \
    MPX__EXTEND_ROW(i##bits, i##to_bits, bits, to_bits, mpx__limit_none) \
    MPX__EXTEND_ROW(i##bits, u##to_bits, bits, to_bits, mpx__floor_i##to_bits) \
    MPX__EXTEND_ROW(u##bits, i##to_bits, bits, to_bits, mpx__limit_none) \
    MPX__EXTEND_ROW(u##bits, u##to_bits, bits, to_bits, mpx__limit_none)
#define MPX__EXTEND_ROW(from, to, bits, to_bits, limit) \
    MPX__NUMBER_ROW(from, to, \
                    mpx__extend_rows(span, bits, to_bits, mpx__##from##_to_##to_bits, limit))
MPX__TURN_ROWS(8)
MPX__TURN_ROWS(16)
MPX__TURN_ROWS(32)
MPX__TURN_ROWS(64)
MPX__PACK_ROWS(i16, 16, 8)
MPX__PACK_ROWS(i32, 32, 8)
MPX__PACK_ROWS(i32, 32, 16)
MPX__CUT_UNSIGNED(16, 8)
MPX__CUT_UNSIGNED(32, 8)
MPX__CUT_UNSIGNED(32, 16)
MPX__CUT_ROWS(64, 8)
MPX__CUT_ROWS(64, 16)
MPX__NUMBER_ROW(i64, i32, mpx__half_rows(span, mpx__i32_of_8_i64))
MPX__NUMBER_ROW(i64, u32, mpx__cut_rows(span, 64, 32, mpx__limit_i64))
MPX__NUMBER_ROW(u64, i32, mpx__cut_rows(span, 64, 32, mpx__limit_u64))
MPX__NUMBER_ROW(u64, u32, mpx__half_rows(span, mpx__u32_of_8_u64))
MPX__EXTEND_ROWS(8, 16)
MPX__EXTEND_ROWS(8, 32)
MPX__EXTEND_ROWS(8, 64)
MPX__EXTEND_ROWS(16, 32)
MPX__EXTEND_ROWS(16, 64)
MPX__EXTEND_ROWS(32, 64)
#undef MPX__CUT_ROWS
#undef MPX__CUT_UNSIGNED
#undef MPX__TURN_ROWS
#undef MPX__EXTEND_ROWS
#undef MPX__EXTEND_ROW

/* ---- to f64 and f32 -------------------------------------------------------------------------- */

/* Eight elements. Integers of 32 bits and less are exact. */
#define MPX__EIGHT(name, convert, expression) \
    MPX__FORCE_INLINE __m512i name(const void *s) { \
        return _mm512_castpd_si512(convert(expression)); \
    }
#define MPX__CVT_I64(x) _mm512_cvt_roundepi64_pd(x, MPX__NEAREST)
#define MPX__CVT_U64(x) _mm512_cvt_roundepu64_pd(x, MPX__NEAREST)
MPX__EIGHT(mpx__f64_of_8_i8, _mm512_cvtepi32_pd, _mm256_cvtepi8_epi32(MPX__GET8))
MPX__EIGHT(mpx__f64_of_8_u8, _mm512_cvtepi32_pd, _mm256_cvtepu8_epi32(MPX__GET8))
MPX__EIGHT(mpx__f64_of_8_i16, _mm512_cvtepi32_pd, _mm256_cvtepi16_epi32(MPX__GET16))
MPX__EIGHT(mpx__f64_of_8_u16, _mm512_cvtepi32_pd, _mm256_cvtepu16_epi32(MPX__GET16))
MPX__EIGHT(mpx__f64_of_8_i32, _mm512_cvtepi32_pd, MPX__GET32)
MPX__EIGHT(mpx__f64_of_8_u32, _mm512_cvtepu32_pd, MPX__GET32)
MPX__EIGHT(mpx__f64_of_8_i64, MPX__CVT_I64, mpx__get64(s))
MPX__EIGHT(mpx__f64_of_8_u64, MPX__CVT_U64, mpx__get64(s))
#undef MPX__EIGHT
#undef MPX__CVT_I64
#undef MPX__CVT_U64

/* From elements of `size` bytes to 64 bits, 32 at a time. */
MPX__FORCE_INLINE size_t mpx__eights_rows(const mpx__span *span, size_t size, mpx__dec_fn eight) {
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 32; n -= 32, d += 256, s += 32 * size)
        mpx__put_four(d, s, 8 * size, eight, stream);
    return span->n - n;
}
MPX__FORCE_INLINE __m256i mpx__f32_of_8_i64(const unsigned char *s) {
    return _mm256_castps_si256(_mm512_cvt_roundepi64_ps(mpx__get64(s), MPX__NEAREST));
}
MPX__FORCE_INLINE __m256i mpx__f32_of_8_u64(const unsigned char *s) {
    return _mm256_castps_si256(_mm512_cvt_roundepu64_ps(mpx__get64(s), MPX__NEAREST));
}
MPX__NUMBER_ROW(i8, f64, mpx__eights_rows(span, 1, mpx__f64_of_8_i8))
MPX__NUMBER_ROW(u8, f64, mpx__eights_rows(span, 1, mpx__f64_of_8_u8))
MPX__NUMBER_ROW(i16, f64, mpx__eights_rows(span, 2, mpx__f64_of_8_i16))
MPX__NUMBER_ROW(u16, f64, mpx__eights_rows(span, 2, mpx__f64_of_8_u16))
MPX__NUMBER_ROW(i32, f64, mpx__eights_rows(span, 4, mpx__f64_of_8_i32))
MPX__NUMBER_ROW(u32, f64, mpx__eights_rows(span, 4, mpx__f64_of_8_u32))
MPX__NUMBER_ROW(i64, f64, mpx__eights_rows(span, 8, mpx__f64_of_8_i64))
MPX__NUMBER_ROW(u64, f64, mpx__eights_rows(span, 8, mpx__f64_of_8_u64))
MPX__NUMBER_ROW(i8, f32, mpx__widen_rows(span, 1, mpx__dec_i8_extended))
MPX__NUMBER_ROW(u8, f32, mpx__widen_rows(span, 1, mpx__dec_u8))
MPX__NUMBER_ROW(i16, f32, mpx__widen_rows(span, 2, mpx__dec_i16_extended))
MPX__NUMBER_ROW(u16, f32, mpx__widen_rows(span, 2, mpx__dec_u16))
MPX__NUMBER_ROW(i32, f32, mpx__widen_rows(span, 4, mpx__dec_i32_nearest))
MPX__NUMBER_ROW(u32, f32, mpx__widen_rows(span, 4, mpx__dec_u32_nearest))
MPX__NUMBER_ROW(i64, f32, mpx__half_rows(span, mpx__f32_of_8_i64))
MPX__NUMBER_ROW(u64, f32, mpx__half_rows(span, mpx__f32_of_8_u64))

/* ---- f64 to integers, truncated -------------------------------------------------------------- */

/* What is too large becomes all ones in unsigned lanes, as it should; and the least number in
   signed ones, which is right below 0 alone. Compared as integers: clang lets float comparisons
   raise flags, and -ffast-math leaves them and maxima out. */
MPX__FORCE_INLINE __mmask8 mpx__not_nan(__m512d x) {
    __m512i u = _mm512_castpd_si512(x);
    return _mm512_cmple_epu64_mask(_mm512_add_epi64(u, u), mpx__set64((uint64_t)0x7ff << 53));
}
/* 0 to Inf. */
MPX__FORCE_INLINE __mmask8 mpx__not_below_0(__m512d x) {
    return _mm512_cmple_epu64_mask(_mm512_castpd_si512(x), mpx__set64((uint64_t)0x7ff << 52));
}
MPX__FORCE_INLINE __m512i mpx__i64_of_8(__m512d x) {
    const __m512i end = mpx__set64((uint64_t)(1023 + 63) << 52);
    __mmask8 number = mpx__not_nan(x);
    __mmask8 large = _mm512_mask_cmpge_epi64_mask(number, _mm512_castpd_si512(x), end);
    __m512i i = _mm512_maskz_cvtt_roundpd_epi64(number, x, _MM_FROUND_NO_EXC);
    return _mm512_mask_mov_epi64(i, large, mpx__set64(~(uint64_t)0 >> 1));
}
MPX__FORCE_INLINE __m512i mpx__u64_of_8(__m512d x) {
    return _mm512_maskz_cvtt_roundpd_epu64(mpx__not_below_0(x), x, _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m512d mpx__8_f64(const void *s) {
    return _mm512_castsi512_pd(mpx__get64(s));
}
MPX__FORCE_INLINE __m256i mpx__i32_of_8_f64(const unsigned char *s) {
    const __m512d largest = _mm512_set1_pd(2147483647);
    __m512d x = mpx__8_f64(s);
    return _mm512_maskz_cvtt_roundpd_epi32(
        mpx__not_nan(x), _mm512_min_round_pd(x, largest, _MM_FROUND_NO_EXC), _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m256i mpx__u32_of_8_f64(const unsigned char *s) {
    __m512d x = mpx__8_f64(s);
    return _mm512_maskz_cvtt_roundpd_epu32(mpx__not_below_0(x), x, _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m512i mpx__i64_of_8_f64(const void *s) {
    return mpx__i64_of_8(mpx__8_f64(s));
}
MPX__FORCE_INLINE __m512i mpx__u64_of_8_f64(const void *s) {
    return mpx__u64_of_8(mpx__8_f64(s));
}
MPX__FORCE_INLINE __m512i mpx__i32_of_16_f64(const unsigned char *s) {
    return mpx__join(mpx__i32_of_8_f64(s), mpx__i32_of_8_f64(s + 64));
}
MPX__FORCE_INLINE __m512i mpx__16_of_f64(const unsigned char *s, int to_signed) {
    __m512i a = mpx__i32_of_16_f64(s), b = mpx__i32_of_16_f64(s + 128);
    return mpx__packed_once(to_signed ? _mm512_packs_epi32(a, b) : _mm512_packus_epi32(a, b));
}
MPX__FORCE_INLINE __m512i mpx__8_of_f64(const unsigned char *s, int to_signed) {
    __m512i a = _mm512_packs_epi32(mpx__i32_of_16_f64(s), mpx__i32_of_16_f64(s + 128)),
            b = _mm512_packs_epi32(mpx__i32_of_16_f64(s + 256), mpx__i32_of_16_f64(s + 384));
    return mpx__packed_twice(mpx__pack16(a, b, to_signed));
}
MPX__PACK_ROWS(f64, 64, 8)
MPX__PACK_ROWS(f64, 64, 16)
#undef MPX__PACK_ROWS
MPX__NUMBER_ROW(f64, i32, mpx__half_rows(span, mpx__i32_of_8_f64))
MPX__NUMBER_ROW(f64, u32, mpx__half_rows(span, mpx__u32_of_8_f64))
MPX__NUMBER_ROW(f64, i64, mpx__eights_rows(span, 8, mpx__i64_of_8_f64))
MPX__NUMBER_ROW(f64, u64, mpx__eights_rows(span, 8, mpx__u64_of_8_f64))

/* ---- f32 to integers, truncated -------------------------------------------------------------- */

/* Packing saturates; only NaN and what lies beyond 32 bits convert to a wrong number, the least,
   and that is -32768 after the first packing: such blocks go through the codec. */
MPX__FORCE_INLINE __m512i mpx__whole(const unsigned char *s) {
    return _mm512_cvtt_roundps_epi32(_mm512_loadu_ps((const float *)(const void *)s),
                                     _MM_FROUND_NO_EXC);
}
typedef int (*mpx__whole_fn)(unsigned char *d, const unsigned char *s, int stream);
MPX__FORCE_INLINE int mpx__whole_words(__m512i w[2], const unsigned char *s) {
    const __m512i least = mpx__set16(-32768);
    w[0] = _mm512_packs_epi32(mpx__whole(s), mpx__whole(s + 64));
    w[1] = _mm512_packs_epi32(mpx__whole(s + 128), mpx__whole(s + 192));
    return _mm512_cmpeq_epi16_mask(_mm512_min_epi16(w[0], w[1]), least) == 0;
}
MPX__FORCE_INLINE int mpx__i8_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    __m512i w[2];
    if (!mpx__whole_words(w, s)) return 0;
    mpx__store_past(d, mpx__packed_twice(_mm512_packs_epi16(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__u8_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    __m512i w[2];
    if (!mpx__whole_words(w, s)) return 0;
    mpx__store_past(d, mpx__packed_twice(_mm512_packus_epi16(w[0], w[1])), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__i16_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    __m512i w[2];
    if (!mpx__whole_words(w, s)) return 0;
    mpx__store_past(d, mpx__packed_once(w[0]), stream);
    mpx__store_past(d + 64, mpx__packed_once(w[1]), stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__i32_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    const __m512i least = mpx__set(0x80000000u);
    __m512i a = mpx__whole(s), b = mpx__whole(s + 64), c = mpx__whole(s + 128),
            e = mpx__whole(s + 192);
    if ((_mm512_cmpeq_epi32_mask(a, least) | _mm512_cmpeq_epi32_mask(b, least) |
         _mm512_cmpeq_epi32_mask(c, least) | _mm512_cmpeq_epi32_mask(e, least)) != 0)
        return 0;
    mpx__store_past(d, a, stream);
    mpx__store_past(d + 64, b, stream);
    mpx__store_past(d + 128, c, stream);
    mpx__store_past(d + 192, e, stream);
    return 1;
}
MPX__DECODER(mpx__whole_u32) {
    __m512i u = mpx__get64(p);
    __mmask16 not_below_0 = _mm512_cmple_epu32_mask(u, mpx__set(0x7f800000u));
    return _mm512_maskz_cvtt_roundps_epu32(not_below_0, _mm512_castsi512_ps(u),
                                           _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE int mpx__u16_of_whole(unsigned char *d, const unsigned char *s, int stream) {
    const __m512i largest = mpx__set(0xffff);
    __m512i a = mpx__whole_u32(s), b = mpx__whole_u32(s + 64),
            c = mpx__whole_u32(s + 128), e = mpx__whole_u32(s + 192);
    mpx__store_past(d, mpx__even_words(mpx__min(a, largest), mpx__min(b, largest)), stream);
    mpx__store_past(d + 64, mpx__even_words(mpx__min(c, largest), mpx__min(e, largest)), stream);
    return 1;
}
/* By way of f64, which holds every f32. */
MPX__FORCE_INLINE __m512d mpx__8_f32(const void *s) {
    return _mm512_cvt_roundps_pd(_mm256_loadu_ps((const float *)s), _MM_FROUND_NO_EXC);
}
MPX__FORCE_INLINE __m512i mpx__i64_of_8_f32(const void *s) {
    return mpx__i64_of_8(mpx__8_f32(s));
}
MPX__FORCE_INLINE __m512i mpx__u64_of_8_f32(const void *s) {
    return mpx__u64_of_8(mpx__8_f32(s));
}
MPX__FORCE_INLINE size_t mpx__whole_rows(const mpx__span *span, size_t size, mpx__whole_fn block) {
    const mpx_dtype type = mpx__type_of(span->to);
    const unsigned char *s = span->s;
    unsigned char *d = span->d;
    const int stream = span->stream;
    size_t n = span->n;
    for (; n >= 64; n -= 64, d += 64 * size, s += 256) {
        mpx__fetch(s, 256, stream);
        if (!block(d, s, stream)) mpx__codes_from_f32(type, d, s, 64);
    }
    return span->n - n;
}
MPX__NUMBER_ROW(f32, i8, mpx__whole_rows(span, 1, mpx__i8_of_whole))
MPX__NUMBER_ROW(f32, u8, mpx__whole_rows(span, 1, mpx__u8_of_whole))
MPX__NUMBER_ROW(f32, i16, mpx__whole_rows(span, 2, mpx__i16_of_whole))
MPX__NUMBER_ROW(f32, u16, mpx__whole_rows(span, 2, mpx__u16_of_whole))
MPX__NUMBER_ROW(f32, i32, mpx__whole_rows(span, 4, mpx__i32_of_whole))
MPX__NUMBER_ROW(f32, u32, mpx__widen_rows(span, 4, mpx__whole_u32))
MPX__NUMBER_ROW(f32, i64, mpx__eights_rows(span, 4, mpx__i64_of_8_f32))
MPX__NUMBER_ROW(f32, u64, mpx__eights_rows(span, 4, mpx__u64_of_8_f32))

#undef MPX__GET8
#undef MPX__GET16
#undef MPX__GET32

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_ISA_AVX512 */
/*==========================================================================*
 * MARK: numbers - which row, for integers, f32 and f64                      *
 *   Of those that fast_int has made, or for AVX-512 fast_avx512_int: none   *
 *   between f64 and f32, which are with the other floats.                   *
 *==========================================================================*/
#if MPX__HAS_FLOAT

/* Where a dtype stands among them: F64 and F32 are 0 and 1, I8 to U64 2 to 9. A pair is one number;
   100 and more if one is none of them, or this build has none of it. Not all that are less have a
   row. */
enum { MPX__NO_NUMBER = 100, MPX__NUMBER = -MPX__NO_NUMBER /* and its place, to be added */ };
#define MPX__PLACE(type) ((type) < MPX_I8 ? (type)-MPX_F64 : (type)-MPX_I8 + 2)
#define MPX__PLACES(to, from) (MPX__PLACE(to) * 10 + MPX__PLACE(from))
MPX__INLINE unsigned mpx__number_pair(mpx_dtype to, mpx_dtype from) {
#define MPX__5_OTHERS \
    MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER
    static const uint8_t places[32] = {
        MPX__NO_NUMBER, MPX__NO_NUMBER MPX__IF_F64(+MPX__NUMBER), 1, MPX__5_OTHERS, MPX__5_OTHERS,
        MPX__5_OTHERS, MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER,
        MPX__NO_NUMBER MPX__IF_I8(+MPX__NUMBER + 2), MPX__NO_NUMBER MPX__IF_U8(+MPX__NUMBER + 3),
        MPX__NO_NUMBER MPX__IF_I16(+MPX__NUMBER + 4), MPX__NO_NUMBER MPX__IF_U16(+MPX__NUMBER + 5),
        MPX__NO_NUMBER MPX__IF_I32(+MPX__NUMBER + 6), MPX__NO_NUMBER MPX__IF_U32(+MPX__NUMBER + 7),
        MPX__NO_NUMBER MPX__IF_I64(+MPX__NUMBER + 8), MPX__NO_NUMBER MPX__IF_U64(+MPX__NUMBER + 9),
        MPX__NO_NUMBER, MPX__NO_NUMBER, MPX__NO_NUMBER
    };
#undef MPX__5_OTHERS
    if ((unsigned)to > 31 || (unsigned)from > 31) return MPX__NO_NUMBER;
    return places[to] * 10u + places[from];
}
#define MPX__IF_f64(x) MPX__IF_F64(x)
#define MPX__IF_f32(x) MPX__IF_F32(x)
#define MPX__IF_i8(x) MPX__IF_I8(x)
#define MPX__IF_u8(x) MPX__IF_U8(x)
#define MPX__IF_i16(x) MPX__IF_I16(x)
#define MPX__IF_u16(x) MPX__IF_U16(x)
#define MPX__IF_i32(x) MPX__IF_I32(x)
#define MPX__IF_u32(x) MPX__IF_U32(x)
#define MPX__IF_i64(x) MPX__IF_I64(x)
#define MPX__IF_u64(x) MPX__IF_U64(x)
#define MPX__ROW_OF(from, to, stream) \
    MPX__IF_##to(MPX__IF_##from(case MPX__PLACES((int)MPX__TYPE_##to, (int)MPX__TYPE_##from): \
                                    return mpx__##from##_to_##to##_row(dst, src, n, stream);))
/* Inside of a switch over pairs: what is no pair goes on behind it. */
#define MPX__NUMBER_CASES(stream) \
    MPX__ROW_OF(i8, f64, stream) MPX__ROW_OF(u8, f64, stream) MPX__ROW_OF(i16, f64, stream) \
    MPX__ROW_OF(u16, f64, stream) MPX__ROW_OF(i32, f64, stream) MPX__ROW_OF(u32, f64, stream) \
    MPX__ROW_OF(i64, f64, stream) MPX__ROW_OF(u64, f64, stream) \
    MPX__ROW_OF(i8, f32, stream) MPX__ROW_OF(u8, f32, stream) MPX__ROW_OF(i16, f32, stream) \
    MPX__ROW_OF(u16, f32, stream) MPX__ROW_OF(i32, f32, stream) MPX__ROW_OF(u32, f32, stream) \
    MPX__ROW_OF(i64, f32, stream) MPX__ROW_OF(u64, f32, stream) \
    MPX__ROW_OF(f64, i8, stream) MPX__ROW_OF(f32, i8, stream) MPX__ROW_OF(u8, i8, stream) \
    MPX__ROW_OF(i16, i8, stream) MPX__ROW_OF(u16, i8, stream) MPX__ROW_OF(i32, i8, stream) \
    MPX__ROW_OF(u32, i8, stream) MPX__ROW_OF(i64, i8, stream) MPX__ROW_OF(u64, i8, stream) \
    MPX__ROW_OF(f64, u8, stream) MPX__ROW_OF(f32, u8, stream) MPX__ROW_OF(i8, u8, stream) \
    MPX__ROW_OF(i16, u8, stream) MPX__ROW_OF(u16, u8, stream) MPX__ROW_OF(i32, u8, stream) \
    MPX__ROW_OF(u32, u8, stream) MPX__ROW_OF(i64, u8, stream) MPX__ROW_OF(u64, u8, stream) \
    MPX__ROW_OF(f64, i16, stream) MPX__ROW_OF(f32, i16, stream) MPX__ROW_OF(i8, i16, stream) \
    MPX__ROW_OF(u8, i16, stream) MPX__ROW_OF(u16, i16, stream) MPX__ROW_OF(i32, i16, stream) \
    MPX__ROW_OF(u32, i16, stream) MPX__ROW_OF(i64, i16, stream) MPX__ROW_OF(u64, i16, stream) \
    MPX__ROW_OF(f64, u16, stream) MPX__ROW_OF(f32, u16, stream) MPX__ROW_OF(i8, u16, stream) \
    MPX__ROW_OF(u8, u16, stream) MPX__ROW_OF(i16, u16, stream) MPX__ROW_OF(i32, u16, stream) \
    MPX__ROW_OF(u32, u16, stream) MPX__ROW_OF(i64, u16, stream) MPX__ROW_OF(u64, u16, stream) \
    MPX__ROW_OF(f64, i32, stream) MPX__ROW_OF(f32, i32, stream) MPX__ROW_OF(i8, i32, stream) \
    MPX__ROW_OF(u8, i32, stream) MPX__ROW_OF(i16, i32, stream) MPX__ROW_OF(u16, i32, stream) \
    MPX__ROW_OF(u32, i32, stream) MPX__ROW_OF(i64, i32, stream) MPX__ROW_OF(u64, i32, stream) \
    MPX__ROW_OF(f64, u32, stream) MPX__ROW_OF(f32, u32, stream) MPX__ROW_OF(i8, u32, stream) \
    MPX__ROW_OF(u8, u32, stream) MPX__ROW_OF(i16, u32, stream) MPX__ROW_OF(u16, u32, stream) \
    MPX__ROW_OF(i32, u32, stream) MPX__ROW_OF(i64, u32, stream) MPX__ROW_OF(u64, u32, stream) \
    MPX__ROW_OF(f64, i64, stream) MPX__ROW_OF(f32, i64, stream) MPX__ROW_OF(i8, i64, stream) \
    MPX__ROW_OF(u8, i64, stream) MPX__ROW_OF(i16, i64, stream) MPX__ROW_OF(u16, i64, stream) \
    MPX__ROW_OF(i32, i64, stream) MPX__ROW_OF(u32, i64, stream) MPX__ROW_OF(u64, i64, stream) \
    MPX__ROW_OF(f64, u64, stream) MPX__ROW_OF(f32, u64, stream) MPX__ROW_OF(i8, u64, stream) \
    MPX__ROW_OF(u8, u64, stream) MPX__ROW_OF(i16, u64, stream) MPX__ROW_OF(u16, u64, stream) \
    MPX__ROW_OF(i32, u64, stream) MPX__ROW_OF(u32, u64, stream) MPX__ROW_OF(i64, u64, stream)
/* All of it, or MPX_ERR_DTYPE. */
MPX__PRIVATE mpx_status mpx__cast_numbers(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                          size_t n, int stream) {
    (void)dst, (void)src, (void)n, (void)stream; /* with f32 alone there is no pair */
    switch (mpx__number_pair(to, from)) { MPX__NUMBER_CASES(stream) }
    return MPX_ERR_DTYPE;
}
/* All of a span, or nothing; returns how many elements that is. */
MPX__INLINE size_t mpx__number_row(const mpx__span *span) {
    mpx_status status = mpx__cast_numbers(span->d, mpx__type_of(span->to), span->s,
                                          mpx__type_of(span->from), span->n, span->stream);
    return status == MPX_OK ? span->n : 0;
}
#undef MPX__NUMBER_ROW
#undef MPX__NUMBER_ROW_IN
#undef MPX__NUMBERS

#endif
/*==========================================================================*
 * MARK: integers - from integers and f64 to integers, and to f64            *
 *   As the hub of cast.h, with integers of 32 bits in the tile: signed      *
 *   ones, or unsigned where only these hold what source and target have in  *
 *   common. They saturate, and all targets then have the number itself or   *
 *   their own limit. Two dtypes of 64 bits meet directly. For size: wide.h  *
 *   and f32 serve all this too, in five to fifty times the time.            *
 *==========================================================================*/
/* f64 and the integers of 32 bits, without a tile. */
MPX__PRIVATE void mpx__f64_to_i32(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 4, src, 8, n, mpx__dec_i32_of_f64, mpx__enc_f32);
}
MPX__PRIVATE void mpx__f64_to_u32(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 4, src, 8, n, mpx__dec_u32_of_f64, mpx__enc_f32);
}
MPX__PRIVATE void mpx__i32_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 8, src, 4, n, mpx__dec_f32, mpx__enc_f64_of_i32);
}
MPX__PRIVATE void mpx__u32_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop(dst, 8, src, 4, n, mpx__dec_f32, mpx__enc_f64_of_u32);
}

#if !MPX__COMPACT

/* ---- to integers of 32 bits, in two's complement --------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__sign_extended(mpx__vu x, int bits) {
    mpx__vu sign_bit = mpx__set(1u << (bits - 1));
    return mpx__sub(mpx__xor(x, sign_bit), sign_bit);
}
/* The limit on the side of a 64-bit integer's sign, where its high half is not all sign. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_i64(mpx__vu low, mpx__vu high) {
    mpx__vu limit = mpx__sub(mpx__set(0x7fffffffu), mpx__sign_mask(high));
    return mpx__select(mpx__eq(high, mpx__sign_mask(low)), low, limit);
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_u64(mpx__vu low, mpx__vu high) {
    return mpx__or(low, mpx__gt(high, mpx__set(0)));
}
MPX__FORCE_INLINE mpx__vu mpx__u32_of_i64(mpx__vu low, mpx__vu high) {
    return mpx__signed_u32(mpx__u32_of_u64(low, high), high);
}

#define MPX__DECODER64(name, decode) \
    MPX__DECODER(name) { \
        mpx__vu low, high; \
        mpx__load64(p, &low, &high); \
        return decode; \
    }
MPX__DECODER(mpx__int_of_bool) {
    return mpx__and(mpx__gt(mpx__load8(p), mpx__set(0)), mpx__set(1));
}
MPX__DECODER(mpx__int_of_i2) { return mpx__sign_extended(mpx__load8(p), 2); }
MPX__DECODER(mpx__int_of_i4) { return mpx__sign_extended(mpx__load8(p), 4); }
MPX__DECODER(mpx__int_of_i8) { return mpx__sign_extended(mpx__load8(p), 8); }
MPX__DECODER(mpx__int_of_i16) { return mpx__sign_extended(mpx__load16(p), 16); }
MPX__DECODER(mpx__int_of_u8) { return mpx__load8(p); } /* also u2 and u4 */
MPX__DECODER(mpx__int_of_u16) { return mpx__load16(p); }
MPX__DECODER(mpx__int_of_u32) { return mpx__min(mpx__load32(p), mpx__set(0x7fffffffu)); }
MPX__DECODER64(mpx__int_of_i64, mpx__i32_of_i64(low, high))
MPX__DECODER64(mpx__int_of_u64, mpx__min(mpx__u32_of_u64(low, high), mpx__set(0x7fffffffu)))
MPX__DECODER64(mpx__uint_of_i64, mpx__u32_of_i64(low, high))
MPX__DECODER64(mpx__uint_of_u64, mpx__u32_of_u64(low, high))
#undef MPX__DECODER64

/* ---- from them ------------------------------------------------------------------------------- */

/* Between two limits, by their order as unsigned numbers with bit 31 turned. What that turns is not
   stored. */
MPX__FORCE_INLINE mpx__vu mpx__between(mpx__vu x, uint32_t low, uint32_t high) {
    const uint32_t turn = 0x80000000u;
    x = mpx__xor(x, mpx__set(turn));
    return mpx__min(mpx__max(x, mpx__set(low ^ turn)), mpx__set(high ^ turn));
}
MPX__FORCE_INLINE mpx__vu mpx__code_of_int(mpx__vu x, int bits) {
    const uint32_t half = 1u << (bits - 1);
    return mpx__and(mpx__between(x, 0u - half, half - 1u), mpx__set(2u * half - 1u));
}
MPX__FORCE_INLINE mpx__vu mpx__code_of_uint(mpx__vu x, int bits) {
    return mpx__and(mpx__between(x, 0, (1u << bits) - 1u), mpx__set((1u << bits) - 1u));
}

MPX__ENCODER(mpx__int_to_bool) {
    mpx__store8(p, mpx__and(mpx__gt(u, mpx__set(0)), mpx__set(1)));
}
MPX__ENCODER(mpx__int_to_i2) { mpx__store8(p, mpx__code_of_int(u, 2)); }
MPX__ENCODER(mpx__int_to_u2) { mpx__store8(p, mpx__code_of_uint(u, 2)); }
MPX__ENCODER(mpx__int_to_i4) { mpx__store8(p, mpx__code_of_int(u, 4)); }
MPX__ENCODER(mpx__int_to_u4) { mpx__store8(p, mpx__code_of_uint(u, 4)); }
MPX__ENCODER(mpx__int_to_i8) { mpx__store8(p, mpx__code_of_int(u, 8)); }
MPX__ENCODER(mpx__int_to_u8) { mpx__store8(p, mpx__code_of_uint(u, 8)); }
MPX__ENCODER(mpx__int_to_i16) { mpx__store16(p, mpx__code_of_int(u, 16)); }
MPX__ENCODER(mpx__int_to_u16) { mpx__store16(p, mpx__code_of_uint(u, 16)); }
MPX__ENCODER(mpx__int_to_u32) { mpx__store32(p, mpx__signed_u32(u, u)); }
MPX__ENCODER(mpx__int_to_i64) { mpx__store64(p, u, mpx__sign_mask(u)); }
MPX__ENCODER(mpx__int_to_u64) { mpx__store64(p, mpx__signed_u32(u, u), mpx__set(0)); }
MPX__ENCODER(mpx__uint_to_64) { mpx__store64(p, u, mpx__set(0)); }

#define MPX__TO_LANES(name, size, dec) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, 4, src, size, n, dec, mpx__enc_f32); \
    }
#define MPX__FROM_LANES(name, size, enc) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, size, src, 4, n, mpx__dec_f32, enc); \
    }
MPX__TO_LANES(mpx__bool_to_ints, 1, mpx__int_of_bool)
MPX__TO_LANES(mpx__i2_to_ints, 1, mpx__int_of_i2)
MPX__TO_LANES(mpx__i4_to_ints, 1, mpx__int_of_i4)
MPX__TO_LANES(mpx__i8_to_ints, 1, mpx__int_of_i8)
MPX__TO_LANES(mpx__u8_to_ints, 1, mpx__int_of_u8)
MPX__TO_LANES(mpx__i16_to_ints, 2, mpx__int_of_i16)
MPX__TO_LANES(mpx__u16_to_ints, 2, mpx__int_of_u16)
MPX__TO_LANES(mpx__u32_to_ints, 4, mpx__int_of_u32)
MPX__TO_LANES(mpx__i64_to_ints, 8, mpx__int_of_i64)
MPX__TO_LANES(mpx__u64_to_ints, 8, mpx__int_of_u64)
MPX__TO_LANES(mpx__i64_to_uints, 8, mpx__uint_of_i64)
MPX__TO_LANES(mpx__u64_to_uints, 8, mpx__uint_of_u64)
MPX__FROM_LANES(mpx__bool_from_ints, 1, mpx__int_to_bool)
MPX__FROM_LANES(mpx__i2_from_ints, 1, mpx__int_to_i2)
MPX__FROM_LANES(mpx__u2_from_ints, 1, mpx__int_to_u2)
MPX__FROM_LANES(mpx__i4_from_ints, 1, mpx__int_to_i4)
MPX__FROM_LANES(mpx__u4_from_ints, 1, mpx__int_to_u4)
MPX__FROM_LANES(mpx__i8_from_ints, 1, mpx__int_to_i8)
MPX__FROM_LANES(mpx__u8_from_ints, 1, mpx__int_to_u8)
MPX__FROM_LANES(mpx__i16_from_ints, 2, mpx__int_to_i16)
MPX__FROM_LANES(mpx__u16_from_ints, 2, mpx__int_to_u16)
MPX__FROM_LANES(mpx__u32_from_ints, 4, mpx__int_to_u32)
MPX__FROM_LANES(mpx__i64_from_ints, 8, mpx__int_to_i64)
MPX__FROM_LANES(mpx__u64_from_ints, 8, mpx__int_to_u64)
MPX__FROM_LANES(mpx__64_from_uints, 8, mpx__uint_to_64)
#undef MPX__TO_LANES
#undef MPX__FROM_LANES

/* Codes, one per byte where they are smaller. */
MPX__PRIVATE void mpx__kernel_to_ints(mpx_dtype type, void *tile, const void *src, size_t n) {
    switch (type) {
        MPX__IF_BOOL(case MPX_BOOL: mpx__bool_to_ints(tile, src, n); break;)
        MPX__IF_I2(case MPX_I2: mpx__i2_to_ints(tile, src, n); break;)
        MPX__IF_I4(case MPX_I4: mpx__i4_to_ints(tile, src, n); break;)
        MPX__IF_I8(case MPX_I8: mpx__i8_to_ints(tile, src, n); break;)
        MPX__IF_I16(case MPX_I16: mpx__i16_to_ints(tile, src, n); break;)
        MPX__IF_U16(case MPX_U16: mpx__u16_to_ints(tile, src, n); break;)
        MPX__IF_U32(case MPX_U32: mpx__u32_to_ints(tile, src, n); break;)
        MPX__IF_I64(case MPX_I64: mpx__i64_to_ints(tile, src, n); break;)
        MPX__IF_U64(case MPX_U64: mpx__u64_to_ints(tile, src, n); break;)
        MPX__IF_F64(case MPX_F64: mpx__f64_to_i32(tile, src, n); break;)
    default: mpx__u8_to_ints(tile, src, n); break; /* and u2, u4 */
    }
}
MPX__PRIVATE void mpx__kernel_from_ints(mpx_dtype type, void *dst, const void *tile, size_t n) {
    switch (type) {
        MPX__IF_BOOL(case MPX_BOOL: mpx__bool_from_ints(dst, tile, n); break;)
        MPX__IF_I2(case MPX_I2: mpx__i2_from_ints(dst, tile, n); break;)
        MPX__IF_U2(case MPX_U2: mpx__u2_from_ints(dst, tile, n); break;)
        MPX__IF_I4(case MPX_I4: mpx__i4_from_ints(dst, tile, n); break;)
        MPX__IF_U4(case MPX_U4: mpx__u4_from_ints(dst, tile, n); break;)
        MPX__IF_I8(case MPX_I8: mpx__i8_from_ints(dst, tile, n); break;)
        MPX__IF_I16(case MPX_I16: mpx__i16_from_ints(dst, tile, n); break;)
        MPX__IF_U16(case MPX_U16: mpx__u16_from_ints(dst, tile, n); break;)
        MPX__IF_U32(case MPX_U32: mpx__u32_from_ints(dst, tile, n); break;)
        MPX__IF_I64(case MPX_I64: mpx__i64_from_ints(dst, tile, n); break;)
        MPX__IF_U64(case MPX_U64: mpx__u64_from_ints(dst, tile, n); break;)
        MPX__IF_F64(case MPX_F64: mpx__i32_to_f64(dst, tile, n); break;)
    default: mpx__u8_from_ints(dst, tile, n); break; /* there are no others */
    }
}
/* The same by the rows of their own that f64 and integers may have, which for a few elements would
   take longer. */
MPX__PRIVATE void mpx__to_ints(const mpx__row *from, void *tile, const void *src, size_t n) {
    mpx__span span;
    (void)mpx__span_set(&span, tile, mpx__row_of(MPX_I32), src, from, n, 0, 0);
    if (n >= 4 * MPX__LANES) mpx__span_advance(&span, mpx__number_row(&span));
    if (span.n != 0) mpx__kernel_to_ints(mpx__type_of(from), span.d, span.s, span.n);
}
MPX__PRIVATE void mpx__from_ints(const mpx__row *to, void *dst, const void *tile, size_t n) {
    mpx__span span;
    (void)mpx__span_set(&span, dst, to, tile, mpx__row_of(MPX_I32), n, 0, 0);
    if (n >= 4 * MPX__LANES) mpx__span_advance(&span, mpx__number_row(&span));
    if (span.n != 0) mpx__kernel_from_ints(mpx__type_of(to), span.d, span.s, span.n);
}
/* The same of the unsigned ones: i64, u64 and f64 alone need them, and u32 to these. */
MPX__PRIVATE void mpx__to_uints(mpx_dtype type, void *tile, const void *src, size_t n) {
    switch (type) {
        MPX__IF_I64(case MPX_I64: mpx__i64_to_uints(tile, src, n); break;)
        MPX__IF_F64(case MPX_F64: mpx__f64_to_u32(tile, src, n); break;)
    default: mpx__u64_to_uints(tile, src, n); break;
    }
}
MPX__PRIVATE void mpx__from_uints(mpx_dtype type, void *dst, const void *tile, size_t n) {
    if (mpx__is_f64(type))
        mpx__u32_to_f64(dst, tile, n);
    else
        mpx__64_from_uints(dst, tile, n);
}

/* ---- 64 bits to 64 bits ---------------------------------------------------------------------- */

/* Both halves, in place. */
typedef void (*mpx__fn64)(mpx__vu *low, mpx__vu *high);

MPX__FORCE_INLINE void mpx__u64_of_i64(mpx__vu *low, mpx__vu *high) {
    mpx__signed_u64(low, high, mpx__sign_mask(*high));
}
MPX__FORCE_INLINE void mpx__i64_of_u64(mpx__vu *low, mpx__vu *high) {
    *low = mpx__or(*low, mpx__sign_mask(*high));
    *high = mpx__min(*high, mpx__set(0x7fffffffu));
}

/* 53 of the leading 64 bits are kept:

     z     1 mmmmmmmmmmmmmmmmmmmm | mmmmmmmmmmm     rest     mmmmmmmmmmmmmmmmmmmmm | yyyyyyyyyyy
             20 to high           | 11 to low                21 to low             | rounded off

   to nearest even. A carry out of all of them raises the exponent. */
MPX__FORCE_INLINE void mpx__f64_of_u64(mpx__vu *low, mpx__vu *high) {
    mpx__vu any = mpx__or(*low, *high), z, rest;
    mpx__vu exponent = mpx__leading_bits_u64(*low, *high, &z, &rest);
    mpx__vu odd = mpx__and(mpx__shr(rest, 11), mpx__set(1));
    mpx__vu sum = mpx__add(rest, mpx__add(mpx__set(0x3ffu), odd)), carry = mpx__gt(rest, sum);
    mpx__vu top = mpx__shl(mpx__add(exponent, mpx__set(1023 - 127)), 20);
    z = mpx__sub(mpx__and(z, mpx__set(0x7fffffffu)), carry);
    *low = mpx__or(mpx__shl(z, 21), mpx__shr(sum, 11));
    *high = mpx__and(mpx__add(top, mpx__shr(z, 11)), mpx__gt(any, mpx__set(0)));
}
MPX__FORCE_INLINE void mpx__f64_of_i64(mpx__vu *low, mpx__vu *high) {
    mpx__vu u = *high, mask = mpx__sign_mask(u);
    *high = mpx__negate_high(*low, u, mask);
    *low = mpx__negate_low(*low, mask);
    mpx__f64_of_u64(low, high);
    *high = mpx__with_sign_of(*high, u);
}

/* A magnitude truncated, all ones from 2^64 on; NaN gives 0. Its significand, the leading one at
   bit 63, moves to the right by n: by n % 32, and by one half or not. Below 1, n is 64 and more;
   from 2^64 on it is negative. */
MPX__FORCE_INLINE void mpx__truncate_f64_to_64(mpx__vu *low, mpx__vu *high) {
    mpx__vu h = mpx__and(*high, mpx__set(0x7fffffffu));
    mpx__vu z = mpx__significand_f64(*low, h), rest = mpx__shl(*low, 11);
    mpx__vu n = mpx__sub(mpx__set(1023 + 63), mpx__shr(h, 20)), by = mpx__and(n, mpx__set(31));
    mpx__vu x = mpx__shrv(z, by), from_z = mpx__shlv(mpx__shl(z, 1), mpx__sub(mpx__set(31), by));
    mpx__vu tall = mpx__gt(mpx__set(32), n), full = mpx__sign_mask(n);
    mpx__vu y = mpx__select(tall, mpx__or(mpx__shrv(rest, by), from_z), x);
    mpx__vu valid = mpx__and(mpx__or(full, mpx__gt(mpx__set(64), n)),
                             mpx__gt(mpx__set(0x7ff00001u), mpx__or(h, mpx__nonzero(*low))));
    *low = mpx__and(mpx__or(y, full), valid);
    *high = mpx__and(mpx__or(mpx__and(tall, x), full), valid);
}
MPX__FORCE_INLINE void mpx__u64_of_f64(mpx__vu *low, mpx__vu *high) {
    mpx__vu mask = mpx__sign_mask(*high);
    mpx__truncate_f64_to_64(low, high);
    mpx__signed_u64(low, high, mask);
}
MPX__FORCE_INLINE void mpx__i64_of_f64(mpx__vu *low, mpx__vu *high) {
    mpx__vu mask = mpx__sign_mask(*high);
    mpx__truncate_f64_to_64(low, high);
    mpx__signed_i64(low, high, mask);
}

MPX__FORCE_INLINE void mpx__step64(unsigned char *d, const unsigned char *s, mpx__fn64 fn) {
    mpx__vu low, high;
    mpx__load64(s, &low, &high);
    fn(&low, &high);
    mpx__store64(d, low, high);
}
MPX__FORCE_INLINE void mpx__loop64(void *dst, const void *src, size_t n, mpx__fn64 fn) {
    unsigned char *d = (unsigned char *)dst, rest[MPX__LANES * 8];
    const unsigned char *s = (const unsigned char *)src;
    for (; n >= MPX__LANES; n -= MPX__LANES, d += MPX__LANES * 8, s += MPX__LANES * 8)
        mpx__step64(d, s, fn);
    if (MPX__LANES > 1 && n != 0) {
        mpx__stage(rest, s, n * 8);
        mpx__step64(rest, rest, fn);
        mpx__unstage(d, rest, n * 8, MPX__LANES * 8);
    }
}
MPX__PRIVATE void mpx__i64_to_u64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__u64_of_i64);
}
MPX__PRIVATE void mpx__u64_to_i64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__i64_of_u64);
}
MPX__PRIVATE void mpx__i64_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__f64_of_i64);
}
MPX__PRIVATE void mpx__u64_to_f64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__f64_of_u64);
}
MPX__PRIVATE void mpx__f64_to_i64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__i64_of_f64);
}
MPX__PRIVATE void mpx__f64_to_u64(void *dst, const void *src, size_t n) {
    mpx__loop64(dst, src, n, mpx__u64_of_f64);
}
MPX__PRIVATE void mpx__cast_64(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n) {
    if (mpx__is_f64(from))
        (to == MPX_I64 ? mpx__f64_to_i64 : mpx__f64_to_u64)(dst, src, n);
    else if (mpx__is_f64(to))
        (from == MPX_I64 ? mpx__i64_to_f64 : mpx__u64_to_f64)(dst, src, n);
    else
        (from == MPX_I64 ? mpx__i64_to_u64 : mpx__u64_to_i64)(dst, src, n);
}

/* ---- the cast -------------------------------------------------------------------------------- */

MPX__INLINE int mpx__is_f64_or_integer(const mpx__row *row) {
    return row->kind != MPX_KIND_FLOAT || row->bits == 64;
}
/* Two different dtypes of those. f64 to bool is not a question of its integer part. */
MPX__INLINE int mpx__meet_in_integers(const mpx__row *to, const mpx__row *from) {
    return mpx__is_f64_or_integer(to) && mpx__is_f64_or_integer(from) &&
           !(to->kind == MPX_KIND_BOOL && from->kind == MPX_KIND_FLOAT);
}
/* What has more bits than an i32 does, on both sides. */
MPX__INLINE int mpx__meet_unsigned(const mpx__row *to, const mpx__row *from) {
    return (to->type == MPX_U32 || to->bits == 64) && (from->type == MPX_U32 || from->bits == 64);
}

/* Codes, or what a tile holds itself. */
MPX__PRIVATE void mpx__step_to_ints(void *ints, const void *src, const mpx__row *from, size_t n,
                                    int is_unsigned) {
    if (is_unsigned)
        mpx__to_uints(mpx__type_of(from), ints, src, n);
    else
        mpx__to_ints(from, ints, src, n);
}
MPX__PRIVATE void mpx__step_from_ints(void *dst, const mpx__row *to, const void *ints, size_t n,
                                      int is_unsigned) {
    if (is_unsigned)
        mpx__from_uints(mpx__type_of(to), dst, ints, n);
    else
        mpx__from_ints(to, dst, ints, n);
}
/* At most MPX_TILE elements. */
MPX__PRIVATE void mpx__integer_tile(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n, int is_unsigned) {
    unsigned char codes[MPX_TILE];
    uint32_t tile[MPX_TILE];
    const void *ints = tile;
    if (from->bits < 8) {
        mpx__unpack(codes, src, from->bits, n);
        mpx__step_to_ints(tile, codes, from, n, is_unsigned);
    } else if (from->type == MPX_I32) {
        ints = src;
    } else {
        mpx__step_to_ints(tile, src, from, n, is_unsigned);
    }
    if (to->bits < 8) {
        mpx__step_from_ints(codes, to, ints, n, is_unsigned);
        mpx__pack(dst, codes, to->bits, n);
    } else if (to->type == MPX_I32) {
        mpx__copy(dst, ints, n * 4);
    } else {
        mpx__step_from_ints(dst, to, ints, n, is_unsigned);
    }
}

/* Returns whether it has been cast. What is in the tile on one side needs none. */
MPX__LONG_WAY int mpx__integer_cast(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n) {
    const int is_unsigned = mpx__meet_unsigned(to, from);
    const mpx_dtype lanes = is_unsigned ? MPX_U32 : MPX_I32;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const size_t dst_step = (size_t)MPX_TILE / 8 * to->bits,
                 src_step = (size_t)MPX_TILE / 8 * from->bits;
    if (!mpx__meet_in_integers(to, from)) return 0;
    if (n == 0) return 1; /* NULL has no sum */
    if (to->bits == 64 && from->bits == 64) {
        mpx__cast_64(dst, mpx__type_of(to), src, mpx__type_of(from), n);
    } else if (from->type == lanes && to->bits >= 8) {
        mpx__step_from_ints(dst, to, src, n, is_unsigned);
    } else if (to->type == lanes && from->bits >= 8) {
        mpx__step_to_ints(dst, src, from, n, is_unsigned);
    } else {
        for (; n > MPX_TILE; n -= MPX_TILE, d += dst_step, s += src_step)
            mpx__integer_tile(d, to, s, from, MPX_TILE, is_unsigned);
        mpx__integer_tile(d, to, s, from, n, is_unsigned);
    }
    return 1;
}
#endif
/*==========================================================================*
 * MARK: cast - buffer conversion                                            *
 *   Two kernels per dtype, most pairs through them.                         *
 *==========================================================================*/

/* ---- two kernels per dtype: to f32 and from f32 ---------------------------------------------- */

#define MPX__TO_F32(name, size, dec) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, 4, src, size, n, dec, mpx__enc_f32); \
    }
#define MPX__FROM_F32(name, size, enc) \
    MPX__PRIVATE void name(void *dst, const void *src, size_t n) { \
        mpx__loop(dst, size, src, 4, n, mpx__dec_f32, enc); \
    }

MPX__PRIVATE void mpx__f16_to_f32(void *dst, const void *src, size_t n) {
    mpx__env env = mpx__f16_enter();
    mpx__loop(dst, 4, src, 2, n, mpx__dec_f16, mpx__enc_f32);
    mpx__f16_leave(env);
}
MPX__PRIVATE void mpx__f16_from_f32(void *dst, const void *src, size_t n) {
    mpx__env env = mpx__f16_enter();
    mpx__loop(dst, 2, src, 4, n, mpx__dec_f32, mpx__enc_f16);
    mpx__f16_leave(env);
}
MPX__TO_F32(mpx__bf16_to_f32, 2, mpx__dec_bf16)
MPX__FROM_F32(mpx__bf16_from_f32, 2, mpx__enc_bf16)
MPX__TO_F32(mpx__f8e4m3fn_to_f32, 1, mpx__dec_f8e4m3fn)
MPX__FROM_F32(mpx__f8e4m3fn_from_f32, 1, mpx__enc_f8e4m3fn)
MPX__TO_F32(mpx__f8e5m2_to_f32, 1, mpx__dec_f8e5m2)
MPX__FROM_F32(mpx__f8e5m2_from_f32, 1, mpx__enc_f8e5m2)
MPX__TO_F32(mpx__f8e4m3fnuz_to_f32, 1, mpx__dec_f8e4m3fnuz)
MPX__FROM_F32(mpx__f8e4m3fnuz_from_f32, 1, mpx__enc_f8e4m3fnuz)
MPX__TO_F32(mpx__f8e5m2fnuz_to_f32, 1, mpx__dec_f8e5m2fnuz)
MPX__FROM_F32(mpx__f8e5m2fnuz_from_f32, 1, mpx__enc_f8e5m2fnuz)
MPX__TO_F32(mpx__f8e4m3b11fnuz_to_f32, 1, mpx__dec_f8e4m3b11fnuz)
MPX__FROM_F32(mpx__f8e4m3b11fnuz_from_f32, 1, mpx__enc_f8e4m3b11fnuz)
MPX__TO_F32(mpx__f8e4m3_to_f32, 1, mpx__dec_f8e4m3)
MPX__FROM_F32(mpx__f8e4m3_from_f32, 1, mpx__enc_f8e4m3)
MPX__TO_F32(mpx__f8e3m4_to_f32, 1, mpx__dec_f8e3m4)
MPX__FROM_F32(mpx__f8e3m4_from_f32, 1, mpx__enc_f8e3m4)
MPX__TO_F32(mpx__f8e8m0fnu_to_f32, 1, mpx__dec_f8e8m0fnu)
MPX__FROM_F32(mpx__f8e8m0fnu_from_f32, 1, mpx__enc_f8e8m0fnu)
MPX__TO_F32(mpx__f6e2m3fn_to_f32, 1, mpx__dec_f6e2m3fn)
MPX__FROM_F32(mpx__f6e2m3fn_from_f32, 1, mpx__enc_f6e2m3fn)
MPX__TO_F32(mpx__f6e3m2fn_to_f32, 1, mpx__dec_f6e3m2fn)
MPX__FROM_F32(mpx__f6e3m2fn_from_f32, 1, mpx__enc_f6e3m2fn)
MPX__TO_F32(mpx__f4e2m1fn_to_f32, 1, mpx__dec_f4e2m1fn)
MPX__FROM_F32(mpx__f4e2m1fn_from_f32, 1, mpx__enc_f4e2m1fn)
MPX__TO_F32(mpx__bool_to_f32, 1, mpx__dec_bool)
MPX__FROM_F32(mpx__bool_from_f32, 1, mpx__enc_bool)
MPX__TO_F32(mpx__i2_to_f32, 1, mpx__dec_i2)
MPX__FROM_F32(mpx__i2_from_f32, 1, mpx__enc_i2)
MPX__TO_F32(mpx__u2_to_f32, 1, mpx__dec_u8)
MPX__FROM_F32(mpx__u2_from_f32, 1, mpx__enc_u2)
MPX__TO_F32(mpx__i4_to_f32, 1, mpx__dec_i4)
MPX__FROM_F32(mpx__i4_from_f32, 1, mpx__enc_i4)
MPX__TO_F32(mpx__u4_to_f32, 1, mpx__dec_u8)
MPX__FROM_F32(mpx__u4_from_f32, 1, mpx__enc_u4)
MPX__TO_F32(mpx__i8_to_f32, 1, mpx__dec_i8)
MPX__FROM_F32(mpx__i8_from_f32, 1, mpx__enc_i8)
MPX__TO_F32(mpx__u8_to_f32, 1, mpx__dec_u8)
MPX__FROM_F32(mpx__u8_from_f32, 1, mpx__enc_u8)
MPX__TO_F32(mpx__i16_to_f32, 2, mpx__dec_i16)
MPX__FROM_F32(mpx__i16_from_f32, 2, mpx__enc_i16)
MPX__TO_F32(mpx__u16_to_f32, 2, mpx__dec_u16)
MPX__FROM_F32(mpx__u16_from_f32, 2, mpx__enc_u16)
#if MPX__COMPACT
MPX__TO_F32(mpx__f32_to_f32, 4, mpx__dec_f32)
MPX__FROM_F32(mpx__f32_from_f32, 4, mpx__enc_f32)
#else
MPX__PRIVATE void mpx__f32_to_f32(void *dst, const void *src, size_t n) {
    mpx__copy(dst, src, n * 4);
}
MPX__PRIVATE void mpx__f32_from_f32(void *dst, const void *src, size_t n) {
    mpx__copy(dst, src, n * 4);
}
#endif

/* Wide dtypes meet the hub by round-to-odd. */
MPX__TO_F32(mpx__f64_to_f32, 8, mpx__dec_odd_f64)
MPX__FROM_F32(mpx__f64_from_f32, 8, mpx__enc_f64)
MPX__TO_F32(mpx__i32_to_f32, 4, mpx__dec_odd_i32)
MPX__FROM_F32(mpx__i32_from_f32, 4, mpx__enc_i32)
MPX__TO_F32(mpx__u32_to_f32, 4, mpx__dec_odd_u32)
MPX__FROM_F32(mpx__u32_from_f32, 4, mpx__enc_u32)
MPX__TO_F32(mpx__i64_to_f32, 8, mpx__dec_odd_i64)
MPX__FROM_F32(mpx__i64_from_f32, 8, mpx__enc_i64)
MPX__TO_F32(mpx__u64_to_f32, 8, mpx__dec_odd_u64)
MPX__FROM_F32(mpx__u64_from_f32, 8, mpx__enc_u64)
MPX__PRIVATE void mpx__none_to_f32(void *dst, const void *src, size_t n) {
    (void)dst, (void)src, (void)n;
}
MPX__PRIVATE void mpx__none_from_f32(void *dst, const void *src, size_t n) {
    (void)dst, (void)src, (void)n;
}

/* ---- pairs that do not meet in the hub ------------------------------------------------------- */

/* Where f32 itself is the target, wide dtypes are rounded to nearest. */
MPX__TO_F32(mpx__f64_to_f32_nearest, 8, mpx__dec_f64)
MPX__TO_F32(mpx__i32_to_f32_nearest, 4, mpx__dec_i32)
MPX__TO_F32(mpx__u32_to_f32_nearest, 4, mpx__dec_u32)
MPX__TO_F32(mpx__i64_to_f32_nearest, 8, mpx__dec_i64)
MPX__TO_F32(mpx__u64_to_f32_nearest, 8, mpx__dec_u64)

/* NULL for all other pairs. */
#define MPX__PAIR(dst, src) ((int)(dst) * 64 + (int)(src))
MPX__PRIVATE mpx__kernel mpx__direct_kernel(mpx_dtype dst_type, mpx_dtype src_type) {
    switch (MPX__PAIR(dst_type, src_type)) {
        MPX__IF_F64(case MPX__PAIR(MPX_F32, MPX_F64): return mpx__f64_to_f32_nearest;)
        MPX__IF_I32(case MPX__PAIR(MPX_F32, MPX_I32): return mpx__i32_to_f32_nearest;)
        MPX__IF_U32(case MPX__PAIR(MPX_F32, MPX_U32): return mpx__u32_to_f32_nearest;)
        MPX__IF_I64(case MPX__PAIR(MPX_F32, MPX_I64): return mpx__i64_to_f32_nearest;)
        MPX__IF_U64(case MPX__PAIR(MPX_F32, MPX_U64): return mpx__u64_to_f32_nearest;)
        MPX__IF_F64(MPX__IF_I32(case MPX__PAIR(MPX_I32, MPX_F64): return mpx__f64_to_i32;))
        MPX__IF_F64(MPX__IF_U32(case MPX__PAIR(MPX_U32, MPX_F64): return mpx__f64_to_u32;))
        MPX__IF_I32(MPX__IF_F64(case MPX__PAIR(MPX_F64, MPX_I32): return mpx__i32_to_f64;))
        MPX__IF_U32(MPX__IF_F64(case MPX__PAIR(MPX_F64, MPX_U32): return mpx__u32_to_f64;))
    default: return NULL;
    }
}
#undef MPX__PAIR

/* ---- the hub --------------------------------------------------------------------------------- */

#define MPX__CASE(constant, name, short_name, kind, bits, format, stem, systems) \
    case constant: stem##_to_f32(dst, src, n); break;
MPX__PRIVATE void mpx__kernel_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    switch (type) {
        MPX__DTYPES(MPX__CASE)
    default: mpx__f32_to_f32(dst, src, n); break; /* there are no others */
    }
}
#undef MPX__CASE
#define MPX__CASE(constant, name, short_name, kind, bits, format, stem, systems) \
    case constant: stem##_from_f32(dst, src, n); break;
MPX__PRIVATE void mpx__kernel_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    switch (type) {
        MPX__DTYPES(MPX__CASE)
    default: mpx__f32_from_f32(dst, src, n); break; /* there are no others */
    }
}
#undef MPX__CASE

/* Codes, one per byte where they are smaller. For size: one loop around all kernels, not one in
   each. */
#if MPX__COMPACT
MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    unsigned step = (mpx__row_of(type)->bits + 7u) >> 3;
    for (; n != 0; n--, d += 4, s += step)
        mpx__kernel_to_f32(type, d, s, 1);
}
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    unsigned step = (mpx__row_of(type)->bits + 7u) >> 3;
    for (; n != 0; n--, d += step, s += 4)
        mpx__kernel_from_f32(type, d, s, 1);
}
#else
MPX__PRIVATE void mpx__codes_to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    mpx__kernel_to_f32(type, dst, src, n);
}
MPX__PRIVATE void mpx__codes_from_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    mpx__kernel_from_f32(type, dst, src, n);
}
#endif

#if MPX__HAS_FLOAT
/* Codes of one or two bytes: those of the rest are packed, or meet f32 in two ways. */
MPX__INLINE int mpx__has_short_codes(const mpx__row *row) { return row->bits - 8u <= 8u; }

/* The same by the row of its own that a dtype may have to f32, or f32 to it. A wide dtype, which
   f32 does not hold, needs one that rounds to odd. */
MPX__PRIVATE void mpx__codes_to_tile(mpx_dtype type, void *tile, const void *src, size_t n) {
    mpx__span span;
    if (n < MPX__FEW && !mpx__is_f64(type)) {
        mpx__codes_to_f32(type, tile, src, n);
        return;
    }
    (void)mpx__span_set(&span, tile, mpx__row_of(MPX_F32), src, mpx__row_of(type), n, 0, 0);
    if (mpx__is_f64(type))
        mpx__span_advance(&span, mpx__f64_to_tile(&span));
    else if (mpx__wide_loader(type) == NULL)
        mpx__span_advance(&span, mpx__fast_rows(&span));
    if (span.n != 0) mpx__codes_to_f32(type, span.d, span.s, span.n);
}
MPX__PRIVATE void mpx__tile_to_codes(mpx_dtype type, void *dst, const void *tile, size_t n) {
    mpx__span span;
    if (n < MPX__FEW) {
        mpx__codes_from_f32(type, dst, tile, n);
        return;
    }
    (void)mpx__span_set(&span, dst, mpx__row_of(type), tile, mpx__row_of(MPX_F32), n, 0, 0);
    mpx__span_advance(&span, mpx__fast_rows(&span));
    if (span.n != 0) mpx__codes_from_f32(type, span.d, span.s, span.n);
}
#else
MPX__INLINE void mpx__codes_to_tile(mpx_dtype type, void *tile, const void *src, size_t n) {
    mpx__codes_to_f32(type, tile, src, n);
}
MPX__INLINE void mpx__tile_to_codes(mpx_dtype type, void *dst, const void *tile, size_t n) {
    mpx__codes_from_f32(type, dst, tile, n);
}
#endif

/* At most MPX_TILE elements of any dtype to and from f32 bits. */
MPX__PRIVATE void mpx__to_f32(mpx_dtype type, void *dst, const void *src, size_t n) {
    if (mpx__is_packed(type)) {
        unsigned char codes[MPX_TILE];
        mpx__unpack(codes, src, mpx_dtype_bits(type), n);
        mpx__codes_to_tile(type, dst, codes, n);
    } else {
        mpx__codes_to_tile(type, dst, src, n);
    }
}
MPX__PRIVATE void mpx__from_f32(mpx_dtype type, void *dst, const void *tile, size_t n) {
    if (mpx__is_packed(type)) {
        unsigned char codes[MPX_TILE];
        mpx__tile_to_codes(type, codes, tile, n);
        mpx__pack(dst, codes, mpx_dtype_bits(type), n);
    } else {
        mpx__tile_to_codes(type, dst, tile, n);
    }
}

/* Bits as they are; what is left of the last byte becomes zero. */
#if MPX__HAS_PACKED
MPX__LONG_WAY mpx_status mpx__copy_elements(void *dst, const void *src, mpx_dtype type, size_t n) {
    size_t bytes = mpx_dtype_bytes(type, n);
    unsigned used = (unsigned)(n & 7) * (unsigned)mpx_dtype_bits(type) & 7u;
    if (bytes == 0) return MPX_OK;
    mpx__copy(dst, src, bytes);
    if (used != 0) ((unsigned char *)dst)[bytes - 1] &= (unsigned char)((1u << used) - 1u);
    return MPX_OK;
}
#else
MPX__LONG_WAY mpx_status mpx__copy_elements(void *dst, const void *src, mpx_dtype type, size_t n) {
    mpx__copy(dst, src, n * (mpx__row_of(type)->bits / 8u));
    return MPX_OK;
}
#endif

#if MPX__COMPACT && !MPX__HAS_PACKED
/* For size: element by element. */
MPX__PRIVATE void mpx__hub_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    unsigned dst_step = mpx__row_of(dst_type)->bits >> 3,
             src_step = mpx__row_of(src_type)->bits >> 3;
    mpx__kernel direct = mpx__direct_kernel(dst_type, src_type);
    for (; n != 0; n--, d += dst_step, s += src_step) {
        uint32_t u;
        if (direct != NULL) {
            direct(d, s, 1);
        } else {
            mpx__codes_to_f32(src_type, &u, s, 1);
            mpx__codes_from_f32(dst_type, d, &u, 1);
        }
    }
}
#else
/* By tiles, one switch per tile. In place works because a tile is read before it is written, and
   dst is not ahead. */
MPX__PRIVATE void mpx__hub_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t dst_step = mpx_dtype_bytes(dst_type, MPX_TILE),
           src_step = mpx_dtype_bytes(src_type, MPX_TILE);
    mpx__kernel direct = mpx__direct_kernel(dst_type, src_type);
    uint32_t tile[MPX_TILE];
    for (; n != 0; d += dst_step, s += src_step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        if (direct != NULL) {
            direct(d, s, m);
        } else if (dst_type == MPX_F32 && !mpx__is_packed(src_type)) {
            /* what rows of their own have left */
            mpx__codes_to_f32(src_type, d, s, m);
        } else if (dst_type == MPX_F32) {
            mpx__to_f32(src_type, d, s, m);
        } else if (src_type == MPX_F32 && !mpx__is_packed(dst_type)) {
            mpx__codes_from_f32(dst_type, d, s, m);
        } else if (src_type == MPX_F32) {
            mpx__from_f32(dst_type, d, s, m);
        } else {
            mpx__to_f32(src_type, tile, s, m);
            mpx__from_f32(dst_type, d, tile, m);
        }
        n -= m;
    }
}
#endif

#if MPX__COMPACT
/* Between dtypes that f32 does not hold. */
MPX__LONG_WAY int mpx__integer_cast(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n) {
    mpx__wide_load_fn load = mpx__wide_loader(from->type);
    mpx__wide_store_fn store = mpx__wide_storer(to->type);
    if (load == NULL || store == NULL || mpx__direct_kernel(to->type, from->type) != NULL) return 0;
    mpx__wide_loop(dst, to->bits / 8u, src, from->bits / 8u, n, load, store);
    return 1;
}
#endif

/* ---- rows of their own ----------------------------------------------------------------------- */

#if MPX__HAS_FLOAT
/* Few elements, by kernels alone: the way to a row, or through the tiles, costs more than they. */
MPX__INLINE int mpx__are_few(const mpx__row *to, const mpx__row *from, size_t n) {
    const int to_f32 = to->type == MPX_F32, from_f32 = from->type == MPX_F32;
    const int one = to_f32 || (from_f32 && to->kind == MPX_KIND_FLOAT);
    const size_t few = one ? MPX__FEW_BY_KERNEL : MPX__FEW;
    return n < few && (to_f32 || mpx__has_short_codes(to)) &&
           (from_f32 || mpx__has_short_codes(from));
}
MPX__LONG_WAY void mpx__cast_few_by_tile(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n) {
    uint32_t tile[MPX__FEW];
    mpx__kernel_to_f32(from, tile, src, n);
    mpx__kernel_from_f32(to, dst, tile, n);
}
/* Returns whether these were few. */
MPX__INLINE int mpx__cast_few(void *dst, const mpx__row *to, const void *src, const mpx__row *from,
                              size_t n) {
    if (!mpx__are_few(to, from, n)) return 0;
    if (to->type == MPX_F32)
        mpx__kernel_to_f32(mpx__type_of(from), dst, src, n);
    else if (from->type == MPX_F32)
        mpx__kernel_from_f32(mpx__type_of(to), dst, src, n);
    else
        mpx__cast_few_by_tile(dst, mpx__type_of(to), src, mpx__type_of(from), n);
    return 1;
}

/* Where there is no row, or less than a block. */
MPX__LONG_WAY void mpx__cast_by_kernels(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    mpx_dtype dst_type = mpx__type_of(to), src_type = mpx__type_of(from);
    mpx__kernel direct = mpx__direct_kernel(dst_type, src_type);
    if (direct != NULL)
        direct(dst, src, n);
    else if (!mpx__integer_cast(dst, to, src, from, n))
        mpx__hub_cast(dst, dst_type, src, src_type, n);
}
MPX__LONG_WAY void mpx__cast_without_row(void *dst, const mpx__row *to, const void *src,
                                         const mpx__row *from, size_t n) {
    if (!mpx__cast_few(dst, to, src, from, n)) mpx__cast_by_kernels(dst, to, src, from, n);
}
MPX__LONG_WAY void mpx__cast_rest(mpx__span *span, size_t done) {
    mpx__span_advance(span, done);
    mpx__cast_without_row(span->d, span->to, span->s, span->from, span->n);
}
MPX__LONG_WAY void mpx__cast_large(mpx__span *span) {
    size_t head = mpx__span_align(span), done;
    if (head != 0) {
        mpx__cast_without_row(span->d, span->to, span->s, span->from, head);
        mpx__span_advance(span, head);
    }
    done = mpx__fast_rows(span);
    if (span->stream) mpx__fence();
    if (done != span->n) mpx__cast_rest(span, done);
}
MPX__LONG_WAY mpx_status mpx__cast_many(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    mpx__span span;
    if (mpx__span_set(&span, dst, to, src, from, n, 0, 1)) {
        mpx__cast_large(&span);
    } else {
        size_t done = mpx__fast_rows(&span);
        if (done != span.n) mpx__cast_rest(&span, done);
    }
    return MPX_OK;
}
MPX__LONG_WAY mpx_status mpx__cast_left(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    if (n >= 4 * MPX__LANES) return mpx__cast_many(dst, to, src, from, n);
    mpx__cast_without_row(dst, to, src, from, n);
    return MPX_OK;
}
MPX__LONG_WAY mpx_status mpx__cast_some(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n) {
    mpx_dtype dst_type = mpx__type_of(to), src_type = mpx__type_of(from);
    if (!MPX__HAS_OWN_ROWS && n >= MPX__ROW_MIN &&
        mpx__cast_numbers(dst, dst_type, src, src_type, n, 0) == MPX_OK)
        return MPX_OK;
    if (mpx__cast_few(dst, to, src, from, n)) return MPX_OK;
    if (n >= MPX__ROW_MIN) return mpx__cast_many(dst, to, src, from, n);
    mpx__cast_by_kernels(dst, to, src, from, n);
    return MPX_OK;
}
MPX__INLINE mpx_status mpx__cast_elements(void *dst, mpx_dtype dst_type, const void *src,
                                          mpx_dtype src_type, size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    if (n < MPX__FEW_BY_KERNEL) return mpx__cast_some(dst, to, src, from, n);
    return mpx__cast_many(dst, to, src, from, n);
}
#else
MPX__INLINE mpx_status mpx__cast_elements(void *dst, mpx_dtype dst_type, const void *src,
                                          mpx_dtype src_type, size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    if (!mpx__integer_cast(dst, to, src, from, n)) mpx__hub_cast(dst, dst_type, src, src_type, n);
    return MPX_OK;
}
#endif

/* Complex numbers are only copied. */
#if MPX__HAS_COMPLEX
MPX__INLINE int mpx__is_real(const mpx__row *row) {
    return row->kind > MPX_KIND_NONE && row->kind < MPX_KIND_COMPLEX;
}
MPX__LONG_WAY mpx_status mpx__cast_complex(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                           size_t n) {
    if (to != from || mpx__row_of(to)->kind != MPX_KIND_COMPLEX) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    return mpx__copy_elements(dst, src, to, n);
}
#else
MPX__INLINE int mpx__is_real(const mpx__row *row) { return row->kind != MPX_KIND_NONE; }
MPX__INLINE mpx_status mpx__cast_complex(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n) {
    (void)dst, (void)to, (void)src, (void)from, (void)n;
    return MPX_ERR_DTYPE;
}
#endif

/* Any dtypes, any number of elements. */
MPX__LONG_WAY mpx_status mpx__cast_any(void *dst, mpx_dtype dst_type, const void *src,
                                       mpx_dtype src_type, size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    if (!mpx__is_real(to) || !mpx__is_real(from))
        return mpx__cast_complex(dst, dst_type, src, src_type, n);
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (dst_type == src_type) return mpx__copy_elements(dst, src, dst_type, n);
    return mpx__cast_elements(dst, dst_type, src, src_type, n);
}
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                            size_t n) {
#if MPX__HAS_FLOAT
    /* At 1 KiB the way to a row takes much of the time of the pairs that are most in use; those
       that take the least come first. In modes that a shortcut does not bear, rows see to them. */
    if (n >= MPX__FEW_BY_KERNEL && !mpx__may_be_large(n)) {
        MPX_ASSERT(dst != NULL && src != NULL);
        if (dst_type == MPX_F32) {
            MPX__IF_F64(if (src_type == MPX_F64 && MPX__LIKELY(!mpx__modes_differ()))
                            return mpx__f64_to_f32_shortcut(dst, src, n);)
            MPX__IF_I32(if (src_type == MPX_I32) return mpx__i32_to_f32_row(dst, src, n, 0);)
            MPX__IF_BF16(if (src_type == MPX_BF16) return mpx__bf16_to_f32_shortcut(dst, src, n);)
            MPX__IF_F16(if (src_type == MPX_F16) return mpx__f16_to_f32_shortcut(dst, src, n);)
            MPX__IF_I16(if (src_type == MPX_I16) return mpx__i16_to_f32_row(dst, src, n, 0);)
            MPX__IF_I8(if (src_type == MPX_I8) return mpx__i8_to_f32_row(dst, src, n, 0);)
            MPX__IF_U8(if (src_type == MPX_U8) return mpx__u8_to_f32_row(dst, src, n, 0);)
        }
        if (dst_type >= MPX_I8 || src_type >= MPX_I8) {
            switch (mpx__number_pair(dst_type, src_type)) { MPX__NUMBER_CASES(0) }
        }
        if (src_type == MPX_F32) {
            MPX__IF_F16(if (dst_type == MPX_F16) return mpx__f32_to_f16_shortcut(dst, src, n);)
            MPX__IF_BF16(if (dst_type == MPX_BF16) return mpx__f32_to_bf16_shortcut(dst, src, n);)
            MPX__IF_F64(if (dst_type == MPX_F64 && !mpx__modes_differ())
                            return mpx__f32_to_f64_shortcut(dst, src, n);)
        }
        MPX__IF_F16(MPX__IF_BF16(if (dst_type == MPX_F16 && src_type == MPX_BF16)
                                     return mpx__bf16_to_f16_shortcut(dst, src, n);))
        MPX__IF_F16(MPX__IF_BF16(if (dst_type == MPX_BF16 && src_type == MPX_F16)
                                     return mpx__f16_to_bf16_shortcut(dst, src, n);))
    }
#endif
    return mpx__cast_any(dst, dst_type, src, src_type, n);
}
#if MPX__HAS_FLOAT
#undef MPX__NUMBER_CASES
#undef MPX__ROW_OF
#undef MPX__IF_f64
#undef MPX__IF_f32
#undef MPX__IF_i8
#undef MPX__IF_u8
#undef MPX__IF_i16
#undef MPX__IF_u16
#undef MPX__IF_i32
#undef MPX__IF_u32
#undef MPX__IF_i64
#undef MPX__IF_u64
#undef MPX__PLACES
#undef MPX__PLACE
#endif
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

/* What a cast to a dtype keeps in range: low < x < high, or the limits themselves where they are
   in. */
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
        t->low = -t->high;
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

/* Square root and logarithm of positive numbers for reports, without a library: Newton's steps from
   a guess that halves the exponent; log10 from the exponent and atanh's series of the mantissa
   around 1. */
MPX__PRIVATE double mpx__square_root(double x) {
    double normal, root;
    int i, exponent;
    normal = mpx__as_normal(x, &exponent);
    root = mpx__double_of_bits((mpx__read64(&normal) >> 1) + ((uint64_t)1023 << 51));
    for (i = 0; i < 5; i++)
        root = 0.5 * (root + normal / root);
    return root * mpx__double_of(0, 0, exponent / 2);
}

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
 *   Options do not multiply the codecs: what they ask is done by round.h on *
 *   the way to a float dtype, and by the layouts here.                      *
 *==========================================================================*/

/* ---- layouts --------------------------------------------------------------------------------- */

/* d[i] = s[i] >> shift & mask: by eight, then one by one. And codes of four bits into lower halves,
   which clears the upper ones, or into these. */
MPX__INLINE void mpx__cut_bytes(unsigned char *d, const unsigned char *s, int shift, unsigned mask,
                                size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, mpx__read64(s) >> shift & mask * 0x0101010101010101u);
    for (; n != 0; n--) {
        *d++ = (unsigned char)((unsigned)*s++ >> shift & mask);
        MPX__KEEP_LOOP(); /* else clang calls memcpy for the byte layout */
    }
}
MPX__INLINE void mpx__put_bytes(unsigned char *d, const unsigned char *s, int upper, size_t n) {
    for (; !MPX__COMPACT && n >= 8; n -= 8, d += 8, s += 8)
        mpx__write64(d, upper ? mpx__read64(d) | mpx__read64(s) << 4 : mpx__read64(s));
    for (; n != 0; n--, d++, s++) {
        *d = (unsigned char)(upper ? *d | (unsigned)*s << 4 : *s);
        MPX__KEEP_LOOP();
    }
}

/* Elements whose codes stand in bytes one after the other, all in their lower or all in their upper
   halves: of a split block what is left of the half where element i is, of one code per byte all n.
   Where size counts, one element. */
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
MPX__PRIVATE void mpx__read_codes(unsigned char *codes, const void *src, int bits, int layout,
                                  size_t block, size_t start, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__unpack(codes, s + start / 8 * (size_t)bits, bits, n); /* start is a multiple of 8 */
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__cut_bytes(codes, s + run.byte, run.upper ? 4 : 0, (1u << bits) - 1u, run.n);
    }
}

/* And back. Of a split byte the lower half is written first. */
MPX__PRIVATE void mpx__write_codes(void *dst, const unsigned char *codes, int bits, int layout,
                                   size_t block, size_t start, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    mpx__code_run run;
    if (layout == MPX_LAYOUT_PACKED) {
        mpx__pack(d + start / 8 * (size_t)bits, codes, bits, n);
        return;
    }
    for (; n != 0; start += run.n, codes += run.n, n -= run.n) {
        mpx__code_run_set(&run, layout, block, start, n);
        mpx__put_bytes(d + run.byte, codes, run.upper, run.n);
    }
}

/* ---- one side of a cast ---------------------------------------------------------------------- */

/* An array of any dtype and layout. */
typedef struct mpx__side {
    unsigned char *data;
    mpx_dtype type;
    int bits, layout;
    size_t block;
} mpx__side;

MPX__PRIVATE void mpx__side_set(mpx__side *side, const void *data, mpx_dtype type, int layout,
                                size_t block) {
    side->data = (unsigned char *)(uintptr_t)data;
    side->type = type;
    side->bits = mpx_dtype_bits(type);
    side->layout = side->bits < 8 ? layout : MPX_LAYOUT_PACKED;
    side->block = block;
}

MPX__INLINE unsigned char *mpx__side_at(const mpx__side *side, size_t i) {
    return side->data + i / 8 * (size_t)side->bits + i % 8 * (size_t)side->bits / 8;
}

/* At most MPX_TILE elements from index i on, to and from f32 bits or, bits as they are, another
   array of the same dtype. i begins a byte; of a split layout it is a multiple of 16. */
MPX__PRIVATE void mpx__side_to_f32(const mpx__side *side, size_t i, void *tile, size_t n) {
    unsigned char codes[MPX_TILE];
    if (side->layout == MPX_LAYOUT_PACKED) {
        mpx__to_f32(side->type, tile, mpx__side_at(side, i), n);
        return;
    }
    mpx__read_codes(codes, side->data, side->bits, side->layout, side->block, i, n);
    mpx__codes_to_tile(side->type, tile, codes, n);
}

MPX__PRIVATE void mpx__side_from_f32(const mpx__side *side, size_t i, const void *tile, size_t n) {
    unsigned char codes[MPX_TILE];
    if (side->layout == MPX_LAYOUT_PACKED) {
        mpx__from_f32(side->type, mpx__side_at(side, i), tile, n);
        return;
    }
    mpx__tile_to_codes(side->type, codes, tile, n);
    mpx__write_codes(side->data, codes, side->bits, side->layout, side->block, i, n);
}

MPX__PRIVATE void mpx__side_copy(const mpx__side *dst, const mpx__side *src, size_t i, size_t n) {
    unsigned char codes[MPX_TILE];
    if (dst->bits >= 8) {
        mpx__copy(mpx__side_at(dst, i), mpx__side_at(src, i), mpx_dtype_bytes(dst->type, n));
        return;
    }
    if (!MPX__COMPACT && dst->layout == MPX_LAYOUT_BYTES) { /* one code per byte is this layout */
        mpx__read_codes(dst->data + i, src->data, src->bits, src->layout, src->block, i, n);
        return;
    }
    mpx__read_codes(codes, src->data, src->bits, src->layout, src->block, i, n);
    mpx__write_codes(dst->data, codes, dst->bits, dst->layout, dst->block, i, n);
}

/* ---- the cast -------------------------------------------------------------------------------- */

/* Where the target holds more than the hub: to f64, and to f32 from a wide dtype. Straight from the
   wide number. */
MPX__PRIVATE void mpx__cast_wide_piece(const mpx__side *dst, const mpx__side *src, size_t i,
                                       size_t n, mpx__rounder *r) {
    uint32_t tile[MPX_TILE];
    mpx__wide_load_fn load = mpx__wide_loader(src->type);
    size_t k;
    if (load == NULL) mpx__side_to_f32(src, i, tile, n);
    for (k = 0; k < n; k++) {
        mpx__wide w;
        if (load != NULL)
            load(&w, mpx__side_at(src, i + k));
        else
            mpx__wide_from_f32(&w, tile[k]);
        mpx__round_wide(mpx__side_at(dst, i + k), dst->type, &w, r);
    }
}

/* Without a tile between: to f32, which holds what narrower dtypes do, and from f32 where nothing
   is to be rounded before or all of it is to cut. Return whether this was one of those. */
MPX__PRIVATE int mpx__cast_to_f32(const mpx__side *dst, const mpx__side *src, size_t i, size_t n,
                                  mpx__rounder *r) {
    unsigned char *d = mpx__side_at(dst, i);
    if (mpx__wide_loader(src->type) == NULL)
        mpx__side_to_f32(src, i, d, n);
    else if (r->rounding == MPX_ROUND_NEAREST)
        (void)mpx_cast(d, MPX_F32, mpx__side_at(src, i), src->type, n);
    else if (r->rounding == MPX_ROUND_TOWARD_ZERO && mpx__is_f64(src->type))
        mpx__loop(d, 4, mpx__side_at(src, i), 8, n, mpx__dec_cut_f64, mpx__enc_f32);
    else
        return 0;
    if (r->saturate) mpx__round_tile(d, n, r);
    return 1;
}
MPX__FORCE_INLINE void mpx__enc_cut_bf16(void *p, mpx__vu u) {
    mpx__vu nan = mpx__gt(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    mpx__store16(p, mpx__or(mpx__shr(u, 16), mpx__and(nan, mpx__set(0x40))));
}
MPX__PRIVATE int mpx__cast_from_f32(const mpx__side *dst, const mpx__side *src, size_t i, size_t n,
                                    const mpx__rounder *r) {
    const unsigned char *s = mpx__side_at(src, i);
    if (!mpx_dtype_is_floating(dst->type) || (r->rounding == MPX_ROUND_NEAREST && !r->saturate))
        mpx__side_from_f32(dst, i, s, n);
    else if (dst->type == MPX_BF16 && r->rounding == MPX_ROUND_TOWARD_ZERO && !r->saturate)
        mpx__loop(mpx__side_at(dst, i), 2, s, 4, n, mpx__dec_f32, mpx__enc_cut_bf16);
    else
        return 0;
    return 1;
}

/* Elements i .. i + n, at most MPX_TILE. Casts among wide dtypes that are exact, truncate or round
   to nearest are mpx_cast's. */
MPX__PRIVATE void mpx__cast_piece(const mpx__side *dst, const mpx__side *src, size_t i, size_t n,
                                  mpx__rounder *r) {
    uint32_t tile[MPX_TILE];
    int from_wide = mpx__wide_loader(src->type) != NULL,
        to_wide = mpx__wide_storer(dst->type) != NULL; /* or f32 */
    int plain = !r->saturate && (r->rounding == MPX_ROUND_NEAREST || !from_wide);
    if (dst->type == src->type) {
        mpx__side_copy(dst, src, i, n);
        return;
    }
    if (!MPX__COMPACT && dst->type == MPX_F32 && mpx__cast_to_f32(dst, src, i, n, r)) return;
    if (!MPX__COMPACT && src->type == MPX_F32 && mpx__cast_from_f32(dst, src, i, n, r)) return;
    if (from_wide && to_wide && (plain || !mpx_dtype_is_floating(dst->type))) {
        (void)mpx_cast(mpx__side_at(dst, i), dst->type, mpx__side_at(src, i), src->type, n);
    } else if ((from_wide && to_wide) || (mpx__is_f64(dst->type) && !plain)) {
        mpx__cast_wide_piece(dst, src, i, n, r);
    } else {
        mpx__side_to_f32(src, i, tile, n);
        if (mpx_dtype_is_floating(dst->type) && !mpx__is_f64(dst->type))
            mpx__round_tile(tile, n, r);
        mpx__side_from_f32(dst, i, tile, n);
    }
}

#if !MPX_NO_STATS
MPX__PRIVATE void mpx__wide_store_f64_cut(void *p, const mpx__wide *w) {
    mpx__write64(p, mpx__float_code(w, 11, 52, 1023, MPX_ROUND_TOWARD_ZERO, 0));
}

/* n elements of one side as f64, at most MPX__STATS_TILE. 64-bit integers toward zero: the nearest
   f64 of one in range may be the limit itself. */
MPX__PRIVATE void mpx__side_to_f64(const mpx__side *side, size_t i, unsigned char *out, size_t n) {
    unsigned char codes[MPX__STATS_TILE];
    uint32_t tile[MPX__STATS_TILE];
    mpx__wide_load_fn load = mpx__wide_loader(side->type);
    if (side->type == MPX_I64 || side->type == MPX_U64) {
        mpx__wide_loop(out, 8, mpx__side_at(side, i), 8, n, load, mpx__wide_store_f64_cut);
        return;
    }
    if (load != NULL || side->bits >= 8) {
        (void)mpx_cast(out, MPX_F64, mpx__side_at(side, i), side->type, n);
        return;
    }
    mpx__read_codes(codes, side->data, side->bits, side->layout, side->block, i, n);
    mpx__codes_to_f32(side->type, tile, codes, n);
    (void)mpx_cast(out, MPX_F64, tile, MPX_F32, n);
}

/* The same piece by piece, looking at it before and after. */
MPX__PRIVATE void mpx__cast_piece_stats(const mpx__side *dst, const mpx__side *src, size_t i,
                                        size_t n, mpx__rounder *r, mpx_cast_stats *stats) {
    unsigned char before[MPX__STATS_TILE * 8], after[MPX__STATS_TILE * 8];
    mpx__target target;
    if (mpx__row_of(dst->type)->kind == MPX_KIND_COMPLEX) { /* a copy: nothing to be lost */
        stats->count += n;
        mpx__cast_piece(dst, src, i, n, r);
        return;
    }
    mpx__target_set(&target, dst->type);
    while (n != 0) {
        size_t m = n < MPX__STATS_TILE ? n : MPX__STATS_TILE;
        mpx__side_to_f64(src, i, before, m);
        mpx__cast_piece(dst, src, i, m, r);
        mpx__side_to_f64(dst, i, after, m);
        mpx__stats_add(stats, &target, before, after, m);
        i += m;
        n -= m;
    }
}
#endif

MPX__INLINE size_t mpx__block_of(size_t n, const mpx_cast_options *opt) {
    return opt->split_block != 0 ? opt->split_block : n;
}

MPX__PRIVATE mpx_status mpx__check_layout(mpx_dtype type, int layout, size_t block, size_t n) {
    if (layout < MPX_LAYOUT_PACKED || layout > MPX_LAYOUT_SPLIT) return MPX_ERR_ARGUMENT;
    if (layout != MPX_LAYOUT_SPLIT || mpx_dtype_bits(type) >= 8 || n == 0) return MPX_OK;
    return mpx_dtype_bits(type) == 4 && block % 2 == 0 && n % block == 0 ? MPX_OK
                                                                         : MPX_ERR_ARGUMENT;
}

MPX__PRIVATE mpx_status mpx__check_cast(mpx_dtype dst_type, mpx_dtype src_type, size_t n,
                                        size_t block, const mpx_cast_options *opt) {
    mpx_status status = mpx_cast(NULL, dst_type, NULL, src_type, 0); /* the dtypes alone */
    if (status != MPX_OK) return status;
    if (opt->rounding < MPX_ROUND_NEAREST || opt->rounding > MPX_ROUND_STOCHASTIC)
        return MPX_ERR_ARGUMENT;
    status = mpx__check_layout(dst_type, opt->dst_layout, block, n);
    return status != MPX_OK ? status : mpx__check_layout(src_type, opt->src_layout, block, n);
}

#if MPX_NO_STATS
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return (void)opt, 0; }
#else
MPX__INLINE int mpx__wants_stats(const mpx_cast_options *opt) { return opt->stats != NULL; }
#endif

/* Where the codes of dtypes below a byte are packed or have a byte each, a row of its own may serve
   from the start, if there is one for the rounding asked for; returns how many elements it served.
   Random words are for two elements, the first at an even index. */
MPX__PRIVATE size_t mpx__with_rows(const mpx__side *dst, const mpx__side *src, size_t n,
                                   const mpx_cast_options *opt, mpx__rounder *r) {
    int narrow = dst->bits < 8 ? dst->layout : src->layout;
    int nearest = opt->rounding == MPX_ROUND_NEAREST;
    int dither = opt->rounding == MPX_ROUND_STOCHASTIC && dst->type == MPX_BF16 &&
                 src->type == MPX_F32;
    size_t head = 0, done;
    mpx__span span;
    if (n == 0 || !(nearest || dither) || dst->type == src->type || mpx__wants_stats(opt) ||
        narrow == MPX_LAYOUT_SPLIT || (dst->bits < 8 && src->bits < 8))
        return 0;
    if (mpx__span_set(&span, dst->data, mpx__row_of(dst->type), src->data, mpx__row_of(src->type),
                      n, opt->saturate != 0, narrow == MPX_LAYOUT_PACKED))
        head = mpx__span_align(&span);
    if (dither && ((r->index + head) & 1u) != 0) { /* aligned, but odd */
        span.stream = 0;
        head = (size_t)(r->index & 1u);
    }
    for (done = 0; done < head; done += 16)
        mpx__cast_piece(dst, src, done, head - done < 16 ? head - done : 16, r);
    mpx__span_advance(&span, head);
    done = head + (dither ? mpx__dither_rows(&span, r) : mpx__fast_rows(&span));
    if (span.stream) mpx__fence();
    r->index = opt->offset + done;
    return done;
}

/* To nearest, saturating or not, and nothing to be counted or split: where there are rows the way
   to them is short then. */
#if MPX__HAS_FLOAT
MPX__INLINE int mpx__is_whole(int layout) {
    return layout == MPX_LAYOUT_PACKED || layout == MPX_LAYOUT_BYTES;
}
MPX__INLINE int mpx__is_nearest_alone(const mpx_cast_options *opt) {
    return opt->rounding == MPX_ROUND_NEAREST && mpx__is_whole(opt->dst_layout) &&
           mpx__is_whole(opt->src_layout) && !mpx__wants_stats(opt);
}
/* Returns how many elements a row of its own has cast, from the start; none of an array that may be
   large. */
MPX__INLINE size_t mpx__nearest_rows(void *dst, mpx_dtype dst_type, const void *src,
                                     mpx_dtype src_type, size_t n, const mpx_cast_options *opt) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    int layout = to->bits < 8 ? opt->dst_layout : opt->src_layout, large;
    mpx__span span;
    if (to == from || !mpx__is_real(to) || !mpx__is_real(from) || (to->bits < 8 && from->bits < 8))
        return 0;
    MPX_ASSERT(dst != NULL && src != NULL);
    large = mpx__span_set(&span, dst, to, src, from, n, opt->saturate != 0,
                          layout == MPX_LAYOUT_PACKED);
    return large ? 0 : mpx__fast_rows(&span);
}
#else
MPX__INLINE int mpx__is_nearest_alone(const mpx_cast_options *opt) { return (void)opt, 0; }
MPX__INLINE size_t mpx__nearest_rows(void *dst, mpx_dtype dst_type, const void *src,
                                     mpx_dtype src_type, size_t n, const mpx_cast_options *opt) {
    (void)dst, (void)dst_type, (void)src, (void)src_type, (void)n, (void)opt;
    return 0;
}
#endif
/* And packed and not saturating: exactly mpx_cast. */
MPX__INLINE int mpx__is_default(const mpx_cast_options *opt) {
    return !opt->saturate && opt->dst_layout == MPX_LAYOUT_PACKED &&
           opt->src_layout == MPX_LAYOUT_PACKED;
}

MPX_API mpx_status mpx_cast_with(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx_cast_options *opt) {
    mpx__side to, from;
    mpx__rounder r;
    mpx_status status;
    size_t i = 0, m, block;
    if (opt == NULL) return mpx_cast(dst, dst_type, src, src_type, n);
    if (n != 0 && mpx__is_nearest_alone(opt)) {
        if (mpx__is_default(opt)) return mpx_cast(dst, dst_type, src, src_type, n);
        i = mpx__nearest_rows(dst, dst_type, src, src_type, n, opt);
        if (i == n) return MPX_OK;
    }
    block = mpx__block_of(n, opt);
    status = mpx__check_cast(dst_type, src_type, n, block, opt);
    if (status != MPX_OK) return status;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    mpx__side_set(&to, dst, dst_type, opt->dst_layout, block);
    mpx__side_set(&from, src, src_type, opt->src_layout, block);
    mpx__rounder_set(&r, dst_type, opt);
    if (i == 0) i = mpx__with_rows(&to, &from, n, opt, &r);
    for (; i < n; i += m) {
        m = n - i < MPX_TILE ? n - i : MPX_TILE;
#if !MPX_NO_STATS
        if (opt->stats != NULL) {
            mpx__cast_piece_stats(&to, &from, i, m, &r, opt->stats);
            continue;
        }
#endif
        mpx__cast_piece(&to, &from, i, m, &r);
    }
    return MPX_OK;
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
        MPX__KEEP_LOOP(); /* else gcc looks for vectors, at some length */
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

/* By rows of as many whole items as fit a tile; an item wider than that is a row of its own, and
   items with nothing between them are one as they stand. */
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

/* All ones in the bytes whose highest bit is set, of which alone x may consist. */
MPX__FORCE_INLINE mpx__vu mpx__fill_bytes(mpx__vu x) {
    return mpx__or(x, mpx__sub(x, mpx__shr(x, 7)));
}
/* The same of four codes per lane: sums of two numbers below 128 stay in their bytes. */
MPX__FORCE_INLINE mpx__vu mpx__rebias_four(mpx__vu x, uint32_t special, int to_fnuz) {
    const mpx__vu tops = mpx__set(0x80808080u), rest = mpx__set(0x7f7f7f7fu);
    mpx__vu a = mpx__and(x, rest), zero, beyond, sign = mpx__and(x, tops);
    zero = mpx__xor(mpx__and(mpx__add(a, rest), tops), tops);
    beyond = mpx__and(mpx__add(a, mpx__set((0x80u - special) * 0x01010101u)), tops);
    if (to_fnuz) {
        mpx__vu out = mpx__fill_bytes(mpx__or(zero, beyond));
        return mpx__or(mpx__select(out, mpx__set(0), x), beyond);
    }
    zero = mpx__fill_bytes(mpx__and(zero, sign)); /* the NaN */
    x = mpx__select(zero, rest, x);
    return mpx__select(mpx__fill_bytes(beyond),
                       mpx__or(sign, mpx__set((special - 1u) * 0x01010101u)), x);
}
MPX__INLINE size_t mpx__rebias_lanes(unsigned char *d, const unsigned char *s, size_t n,
                                     unsigned special, int to_fnuz) {
    enum { step = 4 * MPX__LANES };
    const size_t all = n;
    for (; n >= step; n -= step, d += step, s += step)
        mpx__store32(d, mpx__rebias_four(mpx__load32(s), special, to_fnuz));
    return all - n;
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
    size_t done;
    if (!e4m3 && !e5m2) return MPX_ERR_DTYPE;
    if (mpx_dtype_bits(dst_type) == 0 || mpx_dtype_bits(src_type) == 0) return MPX_ERR_DTYPE;
    if (n == 0) return MPX_OK; /* NULL has no sum */
    done = MPX__COMPACT ? 0 : mpx__rebias_lanes(d, s, n, special, to_fnuz);
    for (d += done, s += done, n -= done; n != 0; n--)
        *d++ = (unsigned char)mpx__rebias(*s++, special, to_fnuz);
    return MPX_OK;
}
/*==========================================================================*
 * MARK: finite - the check for Inf and NaN                                  *
 *   One maximum over the magnitudes, at the speed of reading.               *
 *==========================================================================*/

/* The largest of the magnitudes tells: Inf and NaN are the largest, and known by the upper half. */
typedef mpx__vu (*mpx__max_fn)(mpx__vu a, mpx__vu b);
#ifndef MPX__HAS_MAX_MAGNITUDE
MPX__FORCE_INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
#endif
enum { MPX__MAGNITUDES_32 = 0x7fffffff, MPX__MAGNITUDES_16 = 0x7fff7fff }; /* two per lane */

MPX__FORCE_INLINE mpx__vu mpx__larger_of_two(const void *p, const void *q, mpx__vu mask,
                                             mpx__max_fn larger) {
    return larger(mpx__and(mpx__load32(p), mask), mpx__and(mpx__load32(q), mask));
}
/* Fewer bytes than a vector, and zeros. */
MPX__LONG_WAY mpx__vu mpx__few_magnitudes(const void *src, size_t size, uint32_t magnitudes) {
    unsigned char few[2 * MPX__LANES * 4];
    mpx__stage(few, src, size);
    return mpx__and(mpx__load32(few), mpx__set(magnitudes));
}
/* size is at least a vector. The last load ends at the end of the buffer, so that some elements may
   be looked at twice. */
MPX__FORCE_INLINE mpx__vu mpx__largest_of_many(const void *src, size_t size, uint32_t magnitudes,
                                               mpx__max_fn larger) {
    enum { step = MPX__LANES * 4 };
    const unsigned char *s = (const unsigned char *)src;
    const mpx__vu mask = mpx__set(magnitudes);
    mpx__vu a = mpx__set(0);
#if !MPX__COMPACT
    if (MPX__LIKELY(size >= 8 * step)) {
        const unsigned char *end = s + (size - size % (8 * step));
        size %= 8 * step;
        MPX__ALIGN_LOOP();
        do {
            mpx__vu b = mpx__larger_of_two(s, s + step, mask, larger);
            mpx__vu c = mpx__larger_of_two(s + 2 * step, s + 3 * step, mask, larger);
            mpx__vu d = mpx__larger_of_two(s + 4 * step, s + 5 * step, mask, larger);
            mpx__vu e = mpx__larger_of_two(s + 6 * step, s + 7 * step, mask, larger);
            a = larger(a, larger(larger(b, c), larger(d, e)));
            s += 8 * step;
        } while (s != end);
    }
#endif
    for (; size >= step; size -= step, s += step)
        a = larger(a, mpx__and(mpx__load32(s), mask));
    if (size != 0) a = larger(a, mpx__and(mpx__load32(s + size - step), mask));
    return a;
}
MPX__FORCE_INLINE mpx__vu mpx__largest(const void *src, size_t size, uint32_t magnitudes,
                                       mpx__max_fn larger) {
    return size < MPX__LANES * 4 ? mpx__few_magnitudes(src, size, magnitudes)
                                 : mpx__largest_of_many(src, size, magnitudes, larger);
}

MPX__PRIVATE int mpx__f32_all_finite(const void *src, size_t n) {
    mpx__vu largest = mpx__largest(src, n * 4, MPX__MAGNITUDES_32, mpx__max_upper);
    return !mpx__any(mpx__gt(largest, mpx__set(0x7f7fffffu)));
}

/* f16 and bf16, by their Inf. */
#if MPX__COMPACT
MPX__PRIVATE int mpx__half_all_finite(const void *src, size_t n, uint32_t inf) {
    const unsigned char *s = (const unsigned char *)src;
    for (; n != 0; n--, s += 2)
        if ((mpx__read16(s) & 0x7fffu) >= inf) return 0;
    return 1;
}
#else
MPX__PRIVATE int mpx__half_all_finite(const void *src, size_t n, uint32_t inf) {
    mpx__vu largest = mpx__largest(src, n * 2, MPX__MAGNITUDES_16, mpx__max16);
    mpx__vu below = mpx__set(inf - 1u);
    return !mpx__any(mpx__or(mpx__gt(mpx__shr(largest, 16), below),
                             mpx__gt(mpx__and(largest, mpx__set(0xffff)), below)));
}

#endif

MPX__PRIVATE int mpx__f32_any_infinite(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    const mpx__vu twice_inf = mpx__set(0xff000000u);
    for (; n >= MPX__LANES; n -= MPX__LANES, s += 4 * MPX__LANES)
        if (mpx__any(mpx__eq(mpx__shl(mpx__load32(s), 1), twice_inf))) return 1;
    for (; n != 0; n--, s += 4)
        if (mpx__read32(s) << 1 == 0xff000000u) return 1;
    return 0;
}
MPX__PRIVATE int mpx__f64_any_infinite(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    for (; n != 0; n--, s += 8)
        if (mpx__read64(s) << 1 == (uint64_t)0x7ff << 53) return 1;
    return 0;
}

MPX__PRIVATE uint64_t mpx__f64_largest(const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint64_t largest = 0;
    for (; n != 0; n--, s += 8) {
        uint64_t twice = mpx__read64(s) << 1;
        largest = twice > largest ? twice : largest;
    }
    return largest >> 1;
}
MPX__PRIVATE int mpx__f64_all_finite(const void *src, size_t n) {
    return mpx__f64_largest(src, n) >> 52 != 0x7ffu;
}

/* Of the other dtypes: floats by tiles; integers always are; what is no dtype is not. */
MPX__LONG_WAY int mpx__other_all_finite(const void *data, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    size_t step = mpx_dtype_bytes(type, MPX_TILE);
    uint32_t tile[MPX_TILE];
    if (n == 0) return mpx__row_of(type)->kind != MPX_KIND_NONE;
    if (mpx__is_f64(type)) return mpx__f64_all_finite(data, n);
    MPX__IF_C64(if (type == MPX_C64) return mpx__f32_all_finite(data, n) &&
                                            mpx__f32_all_finite(s + n * 4, n);)
    MPX__IF_C128(if (type == MPX_C128) return mpx__f64_all_finite(data, n) &&
                                              mpx__f64_all_finite(s + n * 8, n);)
    if (!mpx_dtype_is_floating(type)) return mpx__row_of(type)->kind != MPX_KIND_NONE;
    if (mpx__row_of(type)->family == MPX__FINITE) return 1;
    for (; n != 0; s += step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        mpx__to_f32(type, tile, s, m);
        if (!mpx__f32_all_finite(tile, m)) return 0;
        n -= m;
    }
    return 1;
}

MPX_API int mpx_all_finite(const void *data, mpx_dtype type, size_t n) {
    MPX_ASSERT(data != NULL || n == 0);
    if (type == MPX_F32) return mpx__f32_all_finite(data, n);
    MPX__IF_F16(if (type == MPX_F16) return mpx__half_all_finite(data, n, 0x7c00);)
    MPX__IF_BF16(if (type == MPX_BF16) return mpx__half_all_finite(data, n, 0x7f80);)
    return mpx__other_all_finite(data, type, n);
}

/* Mostly there is nothing to find, and mpx_all_finite says so faster. */
MPX_API int mpx_any_infinite(const void *data, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)data;
    size_t step = mpx_dtype_bytes(type, MPX_TILE);
    uint32_t tile[MPX_TILE];
    mpx__env env;
    int found = 0;
    if (mpx_dtype_is_floating(type) && mpx__row_of(type)->family != MPX__IEEE) return 0;
    if (mpx_all_finite(data, type, n)) return 0;
    if (mpx__is_f64(type)) return mpx__f64_any_infinite(s, n);
    MPX__IF_C64(if (type == MPX_C64) return mpx__f32_any_infinite(s, n) ||
                                            mpx__f32_any_infinite(s + n * 4, n);)
    MPX__IF_C128(if (type == MPX_C128) return mpx__f64_any_infinite(s, n) ||
                                              mpx__f64_any_infinite(s + n * 8, n);)
    if (!mpx_dtype_is_floating(type)) return 0;
    env = mpx__env_enter(); /* NaN raises nothing here */
    for (; n != 0 && !found; s += step) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        mpx__to_f32(type, tile, s, m);
        found = mpx__f32_any_infinite(tile, m);
        n -= m;
    }
    mpx__env_leave(env);
    return found;
}
/*==========================================================================*
 * MARK: amax - the largest magnitude                                        *
 *   What a scale for a narrow dtype is computed from; f32, f16 and bf16 at  *
 *   the speed of reading. As finite.h: magnitudes are ordered as their bits *
 *   are, Inf above all numbers, NaN above Inf.                              *
 *==========================================================================*/

/* Of lanes below 2^31. */
#ifndef MPX__HAS_LARGEST_LANE
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu lanes) {
    unsigned char at[MPX__LANES * 4];
    uint32_t largest = 0;
    size_t i;
    mpx__store32(at, lanes);
    for (i = 0; i < sizeof at; i += 4) {
        uint32_t x = mpx__read32(at + i);
        largest = x > largest ? x : largest;
    }
    return largest;
}
#endif

/* Of their halves. */
#ifndef MPX__HAS_LARGEST_HALF
MPX__FORCE_INLINE uint32_t mpx__largest_half(mpx__vu lanes) {
    mpx__vu low = mpx__and(lanes, mpx__set(0xffff));
    return mpx__largest_lane(mpx__max_magnitude(mpx__shr(lanes, 16), low));
}
#endif

MPX__FORCE_INLINE uint32_t mpx__f32_amax(const void *src, size_t n) {
    return mpx__largest_lane(mpx__largest(src, n * 4, MPX__MAGNITUDES_32, mpx__max_magnitude));
}
MPX__FORCE_INLINE uint32_t mpx__amax_of_halves(mpx_dtype type, mpx__vu lanes) {
    uint16_t code = (uint16_t)mpx__largest_half(lanes);
    return type == MPX_F16 ? mpx_f16_to_bits(code) : (uint32_t)code << 16;
}
#if MPX__HAS_F64
MPX__PRIVATE uint32_t mpx__f64_amax(const void *src, size_t n) {
    uint64_t largest = mpx__f64_largest(src, n);
    mpx__wide w;
    mpx__wide_load_f64(&w, &largest);
    return mpx__wide_to_f32(&w);
}
#endif
MPX__PRIVATE uint32_t mpx__tile_amax(const void *src, mpx_dtype type, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    uint32_t tile[MPX_TILE], largest = 0;
    for (; n != 0; s += MPX_TILE / 8 * (size_t)mpx_dtype_bits(type)) {
        size_t m = n < MPX_TILE ? n : MPX_TILE;
        uint32_t amax;
        mpx__to_f32(type, tile, s, m);
        amax = mpx__f32_amax(tile, m);
        largest = amax > largest ? amax : largest;
        n -= m;
    }
    return largest;
}

/* The bits of the largest magnitude; NaN may be one that signals. */
MPX__INLINE uint32_t mpx__amax(const void *data, mpx_dtype type, size_t n) {
    if (n == 0) return 0;
    if (type == MPX_F32) return mpx__f32_amax(data, n);
    if (type == MPX_F16 || type == MPX_BF16)
        return mpx__amax_of_halves(type,
                                   mpx__largest(data, n * 2, MPX__MAGNITUDES_16, mpx__max16));
    MPX__IF_F64(if (type == MPX_F64) return mpx__f64_amax(data, n);)
    return mpx__tile_amax(data, type, n);
}
MPX__INLINE mpx_status mpx__amax_set(float *amax, uint32_t u) {
    *amax = mpx__float(u > 0x7f800000u ? u | 0x400000u : u);
    return MPX_OK;
}

MPX__LONG_WAY mpx_status mpx__any_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    if (!mpx_dtype_is_floating(type)) return MPX_ERR_DTYPE;
    MPX_ASSERT(amax != NULL && (data != NULL || n == 0));
    return mpx__amax_set(amax, mpx__amax(data, type, n));
}
/* At 1 KiB each step on the way to a loop counts: what has a vector goes there straight. */
#if MPX__COMPACT
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    return mpx__any_amax(data, type, n, amax);
}
#else
MPX__FORCE_INLINE uint32_t mpx__amax_of_many(mpx_dtype type, const void *src, size_t n) {
    if (type == MPX_F32)
        return mpx__largest_lane(
            mpx__largest_of_many(src, n * 4, MPX__MAGNITUDES_32, mpx__max_magnitude));
    return mpx__amax_of_halves(
        type, mpx__largest_of_many(src, n * 2, MPX__MAGNITUDES_16, mpx__max16));
}
MPX_API mpx_status mpx_amax(const void *data, mpx_dtype type, size_t n, float *amax) {
    if (n >= 2 * MPX__LANES) {
        MPX_ASSERT(!mpx_dtype_is_floating(type) || (amax != NULL && data != NULL));
        if (type == MPX_F32) return mpx__amax_set(amax, mpx__amax_of_many(MPX_F32, data, n));
        MPX__IF_F16(if (type == MPX_F16)
                        return mpx__amax_set(amax, mpx__amax_of_many(MPX_F16, data, n));)
        MPX__IF_BF16(if (type == MPX_BF16)
                         return mpx__amax_set(amax, mpx__amax_of_many(MPX_BF16, data, n));)
    }
    return mpx__any_amax(data, type, n, amax);
}
#endif
/*==========================================================================*
 * MARK: scale_rows - products and quotients by vectors                      *
 *   For ISAs whose float arithmetic can be had in nearest mode with         *
 *   subnormals, whatever the caller's modes: after mpx__env_enter or        *
 *   mpx__modes_enter. What these rows do not take is left to scale.h's      *
 *   integers.                                                               *
 *==========================================================================*/

/* What to do with every element: multiply or divide by f32 bits u; `shift` is what a power of two
   adds to an exponent. */
typedef struct mpx__factor {
    uint32_t u;
    int divide, power_of_two;
    int32_t shift;
} mpx__factor;

MPX__PRIVATE void mpx__factor_set(mpx__factor *f, uint32_t u, int divide) {
    f->u = u;
    f->divide = divide;
    f->power_of_two =
        (u & 0x7fffffu) == 0 && u >> 31 == 0 && u - 1u < 0x7f7fffffu; /* normal and positive */
    f->shift = divide ? 127 - (int32_t)(u >> 23) : (int32_t)(u >> 23) - 127;
}

#if MPX__HAS_FLOAT

/* 2^exponent, -149 to 127. */
MPX__INLINE uint32_t mpx__power_of_two(int32_t exponent) {
    return exponent > -127 ? (uint32_t)(exponent + 127) << 23 : 1u << (exponent + 149);
}

/* 7f800000 and more: Inf or NaN. */
MPX__FORCE_INLINE mpx__vu mpx__larger_magnitude(mpx__vu largest, mpx__vu u) {
    return mpx__max_upper(largest, mpx__and(u, mpx__set(0x7fffffffu)));
}
MPX__FORCE_INLINE int mpx__is_finite_magnitude(mpx__vu largest) {
    return !mpx__any(mpx__gt(largest, mpx__set(0x7f7fffffu)));
}

/* Is the factor finite, and not zero? */
MPX__INLINE int mpx__is_usual(const mpx__factor *f) {
    return (f->u & 0x7fffffffu) - 1u < 0x7f7fffffu;
}

enum { MPX__MULTIPLY, MPX__DIVIDE };

/* One vector: by a product with a power of two, or by a product or quotient rounded once. */
MPX__FORCE_INLINE mpx__vu mpx__scale_lanes(mpx__vu u, const mpx__divisor *by, int operation) {
    return operation == MPX__MULTIPLY ? mpx__fmul(u, by->value) : mpx__fdiv(u, by);
}

/* Rows of an ISA's own, see fast_avx512.h; those of the others. */
#if MPX__HAS_OWN_ROWS
MPX__PRIVATE size_t mpx__scale_own_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n, const mpx__factor *f, int stream,
                                         int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const uint32_t by = f->power_of_two ? mpx__power_of_two(f->shift) : f->u;
    if (to == MPX_F32 && from == MPX_F32 && f->divide && !f->power_of_two)
        return mpx__f32_divide_rows(d, s, n, f->u, finite);
    if (to == MPX_F32 && mpx__is_usual(f) && (f->power_of_two || !f->divide)) {
        if (from == MPX_F16) return mpx__f16_times(d, s, n, by, stream, finite);
        if (from == MPX_BF16) return mpx__bf16_times(d, s, n, by, stream, finite);
    }
    /* the others are in place, or as fast as the caches */
    if (to != from || !f->power_of_two) return 0;
    if (to == MPX_F16) return mpx__f16_scale_rows(d, s, n, f->shift, finite);
    return to == MPX_BF16 ? mpx__bf16_scale_rows(d, s, n, f->shift, finite) : 0;
}
#else
typedef void (*mpx__load_fn)(mpx__vu v[4], const unsigned char *s);

/* f16 or bf16 times a power of two: where exponents before and after are those of normal numbers,
   only the exponent moves; zeros stay. */
typedef struct mpx__exponents {
    mpx__vu least, largest, delta; /* of magnitudes: the least less 0x8001, the largest; words */
} mpx__exponents;
MPX__PRIVATE void mpx__exponents_set(mpx__exponents *k, int32_t shift, int m) {
    const int32_t all_ones = (1 << (15 - m)) - 1, low = shift < 0 ? 1 - shift : 1,
                  end = shift > 0 ? all_ones - shift : all_ones;
    k->least = mpx__set16(low < end ? (low << m) - 0x8001 : 0x7fff); /* else zeros alone */
    k->largest = mpx__set16(low < end ? (end << m) - 1 : 0);
    k->delta = mpx__set16(shift * (1 << m));
}
/* A block, in place too; 0, and nothing written, where one is another. 2.5 times as fast as by way
   of f32 (bf16, Zen 3, AVX2 and SSE2). */
MPX__FORCE_INLINE int mpx__move_exponents(unsigned char *d, const unsigned char *s,
                                          const mpx__exponents *k) {
    const mpx__vu magnitude = mpx__set16(0x7fff), zero = mpx__set(0);
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR);
    mpx__vu x = mpx__and(a, magnitude), y = mpx__and(b, magnitude);
    mpx__vu least = mpx__min16s(mpx__add16(x, magnitude), mpx__add16(y, magnitude));
    if (mpx__any(mpx__or(mpx__gt16s(k->least, least), mpx__gt16s(mpx__max16s(x, y), k->largest))))
        return 0;
    mpx__store32(d, mpx__add16(a, mpx__and(mpx__gt16s(x, zero), k->delta)));
    mpx__store32(d + MPX__VECTOR, mpx__add16(b, mpx__and(mpx__gt16s(y, zero), k->delta)));
    return 1;
}

/* f16 and bf16, to f32 or to themselves: there by `exponents` if not NULL, and it stops at a block
   with a magnitude above `limit`, as the results may not be finite. */
MPX__FORCE_INLINE size_t mpx__scale_blocks(unsigned char *d, size_t to_size, const unsigned char *s,
                                           size_t n, mpx__load_fn load, mpx__block_store_fn store,
                                           const mpx__exponents *exponents, const mpx__divisor *by,
                                           int operation, uint32_t limit, int stream,
                                           int *finite) {
    const size_t all = n;
    for (; n >= MPX__BLOCK; n -= MPX__BLOCK, d += MPX__BLOCK * to_size, s += MPX__BLOCK * 2) {
        mpx__vu v[4];
        if (exponents != NULL && mpx__move_exponents(d, s, exponents)) continue;
        load(v, s);
        mpx__fetch(s, MPX__BLOCK * 2, stream);
        v[0] = mpx__scale_lanes(v[0], by, operation);
        v[1] = mpx__scale_lanes(v[1], by, operation);
        v[2] = mpx__scale_lanes(v[2], by, operation);
        v[3] = mpx__scale_lanes(v[3], by, operation);
        if (mpx__above_block(v, limit)) {
            if (to_size == 2) break;
            *finite = 0;
        }
        (void)store(d, v, stream);
    }
    return all - n;
}
MPX__FORCE_INLINE size_t mpx__scale_half_to_f32(unsigned char *d, const unsigned char *s, size_t n,
                                                mpx__load_fn load, const mpx__divisor *by,
                                                int multiply, int stream, int *finite) {
    return multiply ? mpx__scale_blocks(d, 4, s, n, load, mpx__store_block, NULL, by, MPX__MULTIPLY,
                                        0x7f7f, stream, finite)
                    : mpx__scale_blocks(d, 4, s, n, load, mpx__store_block, NULL, by, MPX__DIVIDE,
                                        0x7f7f, stream, finite);
}

/* A product with a power of two is exact in f32, or becomes a zero: it is rounded once. */
MPX__PRIVATE size_t mpx__scale_own_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n, const mpx__factor *f, int stream,
                                         int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int multiply = f->power_of_two || !f->divide;
    mpx__exponents k;
    mpx__divisor by;
    if (from == MPX_F32 || !mpx__is_usual(f)) return 0;
    mpx__divisor_set(&by, f->power_of_two ? mpx__power_of_two(f->shift) : f->u);
    if (to == MPX_F32 && from == MPX_F16)
        return mpx__scale_half_to_f32(d, s, n, mpx__f16_block, &by, multiply, stream, finite);
    if (to == MPX_F32 && from == MPX_BF16)
        return mpx__scale_half_to_f32(d, s, n, mpx__upper_block, &by, multiply, stream, finite);
    if (!f->power_of_two || to != from) return 0;
    mpx__exponents_set(&k, f->shift, to == MPX_F16 ? 10 : 7);
    if (to == MPX_BF16)
        return mpx__scale_blocks(d, 2, s, n, mpx__upper_block, mpx__round_bf16, &k, &by,
                                 MPX__MULTIPLY, 0x7f7e, 0, finite);
    if (to != MPX_F16) return 0;
    /* gradients of f16 become subnormal: conversion instructions take the same time for all */
    return mpx__scale_blocks(d, 2, s, n, mpx__f16_block, mpx__round_f16,
                             MPX__NATIVE_F16 ? NULL : &k, &by, MPX__MULTIPLY, 0x477e, 0, finite);
}
#endif

/* Fewer elements than lanes: by way of the stack, filled up with zeros, which give zeros. */
MPX__FORCE_INLINE void mpx__scale_few(unsigned char *d, const unsigned char *s, size_t size,
                                      size_t n, mpx__dec_fn dec, const mpx__divisor *by,
                                      int operation, int *finite) {
    unsigned char in[MPX__LANES * 8], out[MPX__LANES * 4];
    mpx__vu v;
    mpx__stage(in, s, n * size);
    v = mpx__scale_lanes(dec(in), by, operation);
    mpx__store32(out, v);
    mpx__unstage(d, out, n * 4, MPX__LANES * 4);
    if (!mpx__is_finite_magnitude(mpx__larger_magnitude(mpx__set(0), v))) *finite = 0;
}

/* To f32: blocks, then vectors; the last vector takes some elements once more, and so is read
   before any is written, as dst may be src. *finite becomes 0 if a result is not. */
MPX__FORCE_INLINE void mpx__scale_row(unsigned char *d, const unsigned char *s, size_t size,
                                      size_t n, mpx__dec_fn dec, const mpx__divisor *by,
                                      int operation, int stream, int *finite) {
    const size_t step = MPX__LANES * size, block = 4 * MPX__LANES;
    mpx__vu last, largest0, largest1 = mpx__set(0);
    if (n < MPX__LANES) {
        mpx__scale_few(d, s, size, n, dec, by, operation, finite);
        return;
    }
    last = mpx__scale_lanes(dec(s + (n - MPX__LANES) * size), by, operation);
    largest0 = mpx__larger_magnitude(mpx__set(0), last);
    for (; n >= block; n -= block, d += block * 4, s += 4 * step) {
        mpx__vu a = mpx__scale_lanes(dec(s), by, operation);
        mpx__vu b = mpx__scale_lanes(dec(s + step), by, operation);
        mpx__vu c = mpx__scale_lanes(dec(s + 2 * step), by, operation);
        mpx__vu e = mpx__scale_lanes(dec(s + 3 * step), by, operation);
        largest0 = mpx__larger_magnitude(mpx__larger_magnitude(largest0, a), b);
        largest1 = mpx__larger_magnitude(mpx__larger_magnitude(largest1, c), e);
        mpx__fetch(s, 4 * step, stream);
        mpx__store_past(d, a, stream);
        mpx__store_past(d + MPX__LANES * 4, b, stream);
        mpx__store_past(d + MPX__LANES * 8, c, stream);
        mpx__store_past(d + MPX__LANES * 12, e, stream);
    }
    for (; n >= MPX__LANES; n -= MPX__LANES, d += MPX__LANES * 4, s += step) {
        mpx__vu a = mpx__scale_lanes(dec(s), by, operation);
        largest0 = mpx__larger_magnitude(largest0, a);
        mpx__store32(d, a);
    }
    if (n != 0) mpx__store32(d + n * 4 - MPX__LANES * 4, last);
    if (!mpx__is_finite_magnitude(mpx__max_upper(largest0, largest1))) *finite = 0;
}

/* To f32 from f32, f16 or bf16; st: past the caches. Returns n, or 0: Inf, NaN and zero as a factor
   are left to the integers. */
MPX__PRIVATE size_t mpx__scale_to_f32(void *dst, const void *src, mpx_dtype from, size_t n,
                                      const mpx__factor *f, int st, int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int multiply = f->power_of_two || !f->divide;
    mpx__divisor by;
    if (!mpx__is_usual(f)) return 0;
    mpx__divisor_set(&by, f->power_of_two ? mpx__power_of_two(f->shift) : f->u);
    if (from == MPX_F32 && multiply && !st) /* near the speed of the caches a branch counts */
        mpx__scale_row(d, s, 4, n, mpx__dec_f32, &by, MPX__MULTIPLY, 0, finite);
    else if (from == MPX_F32 && multiply)
        mpx__scale_row(d, s, 4, n, mpx__dec_f32, &by, MPX__MULTIPLY, st, finite);
    else if (from == MPX_F32)
        mpx__scale_row(d, s, 4, n, mpx__dec_f32, &by, MPX__DIVIDE, st, finite);
    else if (from == MPX_F16 && multiply)
        mpx__scale_row(d, s, 2, n, mpx__dec_f16, &by, MPX__MULTIPLY, st, finite);
    else if (from == MPX_F16)
        mpx__scale_row(d, s, 2, n, mpx__dec_f16, &by, MPX__DIVIDE, st, finite);
    else if (from == MPX_BF16 && multiply)
        mpx__scale_row(d, s, 2, n, mpx__dec_bf16, &by, MPX__MULTIPLY, st, finite);
    else if (from == MPX_BF16)
        mpx__scale_row(d, s, 2, n, mpx__dec_bf16, &by, MPX__DIVIDE, st, finite);
    else
        n = 0;
    return n;
}

/* A tile of f32 in place, on its way to a narrower dtype. By a power of two alone, as nothing may
   be rounded twice: 0, and nothing done, if a result is below the normal numbers. */
MPX__PRIVATE int mpx__scale_tile_exactly(uint32_t *tile, size_t n, const mpx__factor *f,
                                         int *finite) {
    uint32_t lowest = f->shift < 0 ? (uint32_t)(1 - f->shift) << 24 : 1u << 24;
    mpx__vu least = mpx__set(0xffffffffu), one = mpx__set(1), largest = mpx__set(0), by;
    size_t i, rest = n % MPX__LANES;
    if (!f->power_of_two || f->shift < -126) return 0;
    by = mpx__set(mpx__power_of_two(f->shift));
    if (rest != 0) mpx__zero(tile + n, (MPX__LANES - rest) * 4); /* MPX_TILE is a multiple */
    for (i = 0; i < n; i += MPX__LANES) {
        mpx__vu u = mpx__load32(tile + i); /* zero becomes the largest */
        least = mpx__min(least, mpx__sub(mpx__add(u, u), one));
    }
    if (mpx__any(mpx__gt(mpx__set(lowest - 1u), least))) return 0;
    n = (n + MPX__LANES - 1) / MPX__LANES * MPX__LANES;
    for (i = 0; i < n; i += MPX__LANES) {
        mpx__vu u = mpx__load32(tile + i);
        largest = mpx__larger_magnitude(largest, u);
        mpx__store32(tile + i, mpx__fmul(u, by));
    }
    if (!mpx__is_finite_magnitude(largest)) *finite = 0;
    return 1;
}

/* The same by any factor, rounded to odd. In f64 a product of two f32 is exact. A quotient x / s is
   an f32 m, or differs from it by (x - m s) / s: in units of the last place of m s, which has at
   most 48 bits, by a whole number at least. So it is not rounded to m in f64, whose rounding is
   smaller. A vector with Inf or close to it, or with results below the normal numbers, goes the
   long way. */
MPX__PRIVATE int mpx__scale_f32(void *dst, const void *src, size_t n, int to_odd,
                                const mpx__factor *f);
MPX__FORCE_INLINE mpx__vu mpx__scale_odd(mpx__vu u, mpx__vu by, int divide) {
    mpx__vu v[2];
    mpx__f64_of_f32(v, u);
    v[0] = divide ? mpx__fdiv64(v[0], by) : mpx__fmul64(v[0], by);
    v[1] = divide ? mpx__fdiv64(v[1], by) : mpx__fmul64(v[1], by);
    return mpx__odd_f32_of_f64(v[0], v[1]);
}
MPX__PRIVATE int mpx__scale_tile_odd(uint32_t *tile, size_t n, const mpx__factor *f, int *finite) {
    mpx__vu by[2], tiny = mpx__set(0x1000000u), large = mpx__set(0x7f7effffu);
    size_t i, rest = n % MPX__LANES;
    if (!mpx__is_usual(f)) return 0;
    if (rest != 0) mpx__zero(tile + n, (MPX__LANES - rest) * 4);
    mpx__f64_of_f32(by, mpx__set(f->u));
    for (i = 0; i < n; i += MPX__LANES) {
        mpx__vu u = mpx__load32(tile + i), v = mpx__scale_odd(u, by[0], f->divide);
        mpx__vu a = mpx__and(v, mpx__set(0x7fffffffu)), zero = mpx__eq(mpx__add(u, u), mpx__set(0));
        mpx__vu low = mpx__gt_signed(tiny, mpx__select(zero, tiny, a));
        if (mpx__any(mpx__or(low, mpx__gt_signed(a, large))))
            *finite &= mpx__scale_f32(tile + i, tile + i, MPX__LANES, 1, f);
        else
            mpx__store32(tile + i, v);
    }
    return 1;
}

/* ---- f64, and f32 to it ---------------------------------------------------------------------- */
#if MPX__HAS_F64

enum { MPX__BLOCK64 = 2 * MPX__LANES }; /* elements: four vectors of f64 */

MPX__FORCE_INLINE mpx__vu mpx__scale_lanes64(mpx__vu x, mpx__vu by, int operation) {
    return operation == MPX__MULTIPLY ? mpx__fmul64(x, by) : mpx__fdiv64(x, by);
}

/* A block of products or quotients; 0, and nothing written, where it takes the long way. The
   magnitudes in *largest are f32's, or the upper halves of f64's. */
typedef int (*mpx__scale64_fn)(unsigned char *d, const unsigned char *s, mpx__vu by, int operation,
                               int stream, mpx__vu *largest);

/* f64 is never written past the caches, see mpx__scale_any. */
MPX__FORCE_INLINE mpx__vu mpx__put_larger64(unsigned char *d, mpx__vu x, mpx__vu largest) {
    mpx__store32(d, x);
    return mpx__max_upper(largest, mpx__and(x, mpx__set64(0x7ff0000000000000u)));
}
MPX__FORCE_INLINE int mpx__put_block64(unsigned char *d, const mpx__vu v[4], mpx__vu *largest) {
    const size_t one = MPX__LANES * 4;
    mpx__vu a = mpx__put_larger64(d, v[0], *largest);
    a = mpx__put_larger64(d + one, v[1], a);
    a = mpx__put_larger64(d + 2 * one, v[2], a);
    *largest = mpx__put_larger64(d + 3 * one, v[3], a);
    return 1;
}
MPX__FORCE_INLINE void mpx__scale_four64(mpx__vu v[4], mpx__vu by, int operation) {
    v[0] = mpx__scale_lanes64(v[0], by, operation);
    v[1] = mpx__scale_lanes64(v[1], by, operation);
    v[2] = mpx__scale_lanes64(v[2], by, operation);
    v[3] = mpx__scale_lanes64(v[3], by, operation);
}
MPX__FORCE_INLINE void mpx__scale_block64(mpx__vu v[4], const unsigned char *s, mpx__vu by,
                                          int operation) {
    const size_t one = MPX__LANES * 4;
    v[0] = mpx__load32(s);
    v[1] = mpx__load32(s + one);
    v[2] = mpx__load32(s + 2 * one);
    v[3] = mpx__load32(s + 3 * one);
    mpx__scale_four64(v, by, operation);
}
MPX__FORCE_INLINE int mpx__scale_f64_to_f64(unsigned char *d, const unsigned char *s, mpx__vu by,
                                            int operation, int stream, mpx__vu *largest) {
    mpx__vu v[4];
    (void)stream;
    mpx__scale_block64(v, s, by, operation);
    return mpx__put_block64(d, v, largest);
}

/* In f64 a product of two f32 is exact. */
#ifdef MPX__LOSES_NAN
MPX__FORCE_INLINE int mpx__loses_nan(mpx__vu a, mpx__vu b) {
    return mpx__any(mpx__or(mpx__nan_mask(a), mpx__nan_mask(b)));
}
#else
MPX__FORCE_INLINE int mpx__loses_nan(mpx__vu a, mpx__vu b) { return (void)a, (void)b, 0; }
#endif
MPX__FORCE_INLINE int mpx__scale_f32_to_f64(unsigned char *d, const unsigned char *s, mpx__vu by,
                                            int operation, int stream, mpx__vu *largest) {
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__LANES * 4), v[4];
    (void)stream;
    if (mpx__loses_nan(a, b)) return 0;
    mpx__f64_of_f32(v, a);
    mpx__f64_of_f32(v + 2, b);
    mpx__scale_four64(v, by, operation);
    return mpx__put_block64(d, v, largest);
}

/* f64 to f32: rounded in f64, then once more. That is as to round once, unless the first result is
   not exact and halfway between two f32. A product with a power of two is exact. A quotient q is
   not rounded to such an m, of at most 25 bits: m s has at most 49, so that x - m s is a unit in
   the last place of x at least, and (x - m s) / s = q - m is more than f64 rounds away. */
MPX__FORCE_INLINE int mpx__put_block32(unsigned char *d, const mpx__vu v[4], int stream,
                                       mpx__vu *largest) {
    mpx__vu a = mpx__f32_of_f64(v[0], v[1]), b = mpx__f32_of_f64(v[2], v[3]);
    *largest = mpx__larger_magnitude(mpx__larger_magnitude(*largest, a), b);
    mpx__store_past(d, a, stream);
    mpx__store_past(d + MPX__LANES * 4, b, stream);
    return 1;
}
MPX__FORCE_INLINE int mpx__scale_f64_to_f32(unsigned char *d, const unsigned char *s, mpx__vu by,
                                            int operation, int stream, mpx__vu *largest) {
    mpx__vu v[4];
    mpx__scale_block64(v, s, by, operation);
    return mpx__put_block32(d, v, stream, largest);
}

/* Any other product may be. The 29 bits that go, in the lower half of a lane, then are 1 and zeros.
   From 2^-150 on, where f32 has subnormals, more go: all numbers count there, which the upper half
   tells. Below, it is zero either way. Both halves are moved to where the least signed numbers
   are. Returns bits, none if no lane may be halfway. */
MPX__FORCE_INLINE mpx__vu mpx__may_be_halfway(mpx__vu x) {
    const mpx__vu parts = mpx__set64(0x7fffffff1fffffffu),
                  first = mpx__set64(0x3690000010000000u ^ 0x8000000080000000u),
                  end = mpx__set64(0x8180000080000001u);
    return mpx__gt_signed(end, mpx__sub(mpx__and(x, parts), first));
}
MPX__FORCE_INLINE int mpx__multiply_f64_to_f32(unsigned char *d, const unsigned char *s,
                                               mpx__vu by, int operation, int stream,
                                               mpx__vu *largest) {
    mpx__vu v[4], halfway;
    mpx__scale_block64(v, s, by, operation);
    halfway = mpx__or(mpx__or(mpx__may_be_halfway(v[0]), mpx__may_be_halfway(v[1])),
                      mpx__or(mpx__may_be_halfway(v[2]), mpx__may_be_halfway(v[3])));
    return mpx__any(halfway) ? 0 : mpx__put_block32(d, v, stream, largest);
}

/* The long way, by integers, see scale.h: products, whose flag nobody asks for, and NaN. */
MPX__PRIVATE int mpx__scale_tile_wide(void *dst, mpx_dtype dst_type, const void *src,
                                      mpx_dtype src_type, size_t n, const mpx__factor *f);

/* Blocks, the last of them by way of the stack, filled up with zeros. */
MPX__FORCE_INLINE void mpx__scale_row64(unsigned char *d, mpx_dtype to, const unsigned char *s,
                                        mpx_dtype from, size_t n, const mpx__factor *f,
                                        mpx__vu by, mpx__scale64_fn block, int operation,
                                        int stream, int *finite) {
    const size_t to_size = to == MPX_F64 ? 8 : 4, from_size = from == MPX_F64 ? 8 : 4;
    const uint32_t inf = to == MPX_F64 ? 0x7ff00000u : 0x7f800000u;
    unsigned char in[MPX__BLOCK64 * 8], out[MPX__BLOCK64 * 8];
    mpx__vu largest = mpx__set(0);
    size_t i;
    for (; n >= MPX__BLOCK64; n -= MPX__BLOCK64) {
        mpx__fetch(s, MPX__BLOCK64 * from_size, stream);
        if (!block(d, s, by, operation, stream, &largest))
            *finite &= mpx__scale_tile_wide(d, to, s, from, MPX__BLOCK64, f);
        d += MPX__BLOCK64 * to_size;
        s += MPX__BLOCK64 * from_size;
    }
    if (n != 0) {
        for (i = 0; i < MPX__BLOCK64 * from_size; i += MPX__LANES * 4)
            mpx__store32(in + i, mpx__set(0));
        mpx__copy(in, s, n * from_size);
        if (block(out, in, by, operation, 0, &largest))
            mpx__copy(d, out, n * to_size);
        else
            *finite &= mpx__scale_tile_wide(d, to, s, from, n, f);
    }
    if (mpx__any(mpx__gt(largest, mpx__set(inf - 1u)))) *finite = 0;
}

/* To f64 from itself or f32, or from f64 to f32. Returns n, or 0, as mpx__scale_to_f32 does. */
MPX__PRIVATE size_t mpx__scale_wide_row(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                        size_t n, const mpx__factor *f, int st, int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int multiply = f->power_of_two || !f->divide;
    mpx__vu by[2];
    if (!mpx__is_usual(f)) return 0;
    mpx__f64_of_f32(by, mpx__set(f->power_of_two ? mpx__power_of_two(f->shift) : f->u));
    if (to == MPX_F32 && f->power_of_two)
        mpx__scale_row64(d, MPX_F32, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f32,
                         MPX__MULTIPLY, st, finite);
    else if (to == MPX_F32 && multiply)
        mpx__scale_row64(d, MPX_F32, s, MPX_F64, n, f, by[0], mpx__multiply_f64_to_f32,
                         MPX__MULTIPLY, st, finite);
    else if (to == MPX_F32)
        mpx__scale_row64(d, MPX_F32, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f32, MPX__DIVIDE,
                         st, finite);
    else if (from == MPX_F32 && multiply)
        mpx__scale_row64(d, MPX_F64, s, MPX_F32, n, f, by[0], mpx__scale_f32_to_f64,
                         MPX__MULTIPLY, st, finite);
    else if (from == MPX_F32)
        mpx__scale_row64(d, MPX_F64, s, MPX_F32, n, f, by[0], mpx__scale_f32_to_f64, MPX__DIVIDE,
                         st, finite);
    else if (multiply)
        mpx__scale_row64(d, MPX_F64, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f64,
                         MPX__MULTIPLY, st, finite);
    else
        mpx__scale_row64(d, MPX_F64, s, MPX_F64, n, f, by[0], mpx__scale_f64_to_f64, MPX__DIVIDE,
                         st, finite);
    return n;
}
MPX__INLINE int mpx__is_wide_pair(mpx_dtype to, mpx_dtype from) {
    return to == MPX_F64 ? from == MPX_F64 || from == MPX_F32 : to == MPX_F32 && from == MPX_F64;
}
#else
MPX__INLINE size_t mpx__scale_wide_row(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, const mpx__factor *f, int st, int *finite) {
    (void)dst, (void)to, (void)src, (void)from, (void)n, (void)f, (void)st, (void)finite;
    return 0;
}
MPX__INLINE int mpx__is_wide_pair(mpx_dtype to, mpx_dtype from) {
    return (void)to, (void)from, 0;
}
#endif

MPX__FORCE_INLINE size_t mpx__scale_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                         size_t n, const mpx__factor *f, int stream, int *finite) {
    size_t done;
    if (mpx__is_wide_pair(to, from))
        return mpx__scale_wide_row(dst, to, src, from, n, f, stream, finite);
    done = mpx__scale_own_rows(dst, to, src, from, n, f, stream, finite);
    if (done == 0 && to == MPX_F32) done = mpx__scale_to_f32(dst, src, from, n, f, stream, finite);
    return done;
}

#else
MPX__INLINE size_t mpx__scale_rows(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                   size_t n, const mpx__factor *f, int stream, int *finite) {
    (void)dst, (void)to, (void)src, (void)from, (void)n, (void)f, (void)stream, (void)finite;
    return 0;
}
MPX__INLINE size_t mpx__scale_to_f32(void *dst, const void *src, mpx_dtype from, size_t n,
                                     const mpx__factor *f, int st, int *finite) {
    (void)dst, (void)src, (void)from, (void)n, (void)f, (void)st, (void)finite;
    return 0;
}
MPX__INLINE size_t mpx__scale_wide_row(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                       size_t n, const mpx__factor *f, int st, int *finite) {
    (void)dst, (void)to, (void)src, (void)from, (void)n, (void)f, (void)st, (void)finite;
    return 0;
}
MPX__INLINE int mpx__scale_tile_exactly(uint32_t *tile, size_t n, const mpx__factor *f,
                                        int *finite) {
    (void)tile, (void)n, (void)f, (void)finite;
    return 0;
}
MPX__INLINE int mpx__scale_tile_odd(uint32_t *tile, size_t n, const mpx__factor *f, int *finite) {
    (void)tile, (void)n, (void)f, (void)finite;
    return 0;
}
#endif /* MPX__HAS_FLOAT */
/*==========================================================================*
 * MARK: scale - products, quotients, and the check for Inf and NaN          *
 *   IEEE arithmetic in integers: the same bits on every machine, whatever   *
 *   the caller's rounding mode, flush-to-zero and -ffast-math say.          *
 *==========================================================================*/

/* ---- one product, one quotient: f32 ---------------------------------------------------------- */

/* A nonzero finite magnitude: its significand with the leading one at bit 23; returns the exponent
   field, 0 and less for subnormals. */
MPX__ONCE int32_t mpx__f32_unpack(uint32_t a, uint32_t *significand) {
    int32_t exponent = (int32_t)(a >> 23);
    uint32_t m = a & 0x7fffffu;
    if (exponent != 0)
        m |= 0x800000u;
    else
        for (exponent = 1; m < 0x800000u; exponent--)
            m <<= 1;
    *significand = m;
    return exponent;
}

/* A product or quotient of two such has its leading one at bit 31 or 30, and the lowest bit stands
   for all below it. */
MPX__INLINE uint32_t mpx__long_product(uint32_t a, uint32_t b) {
    uint32_t x = a >> 16, y = b >> 16, low = (a & 0xffffu) * (b & 0xffffu);
    uint32_t high = (x * y << 16) + x * (b & 0xffffu) + y * (a & 0xffffu) + (low >> 16);
    return high | ((low & 0xffffu) != 0);
}
MPX__INLINE uint32_t mpx__long_quotient(uint32_t a, uint32_t b) {
    uint32_t q = 0;
    int bits;
    for (bits = 28; bits != 0; bits--) {
        uint32_t fits = a >= b;
        q = q << 1 | fits;
        a = (a - (fits != 0 ? b : 0)) << 1;
    }
    return q << 4 | (a != 0);
}

/* An f32 magnitude: z with the leading one at bit 31, and an exponent field in a wider range,
   rounded to nearest even or to odd. Below 1 the field stays 0, and z loses a bit for each. */
MPX__INLINE uint32_t mpx__f32_pack(int32_t exponent, uint32_t z, int to_odd) {
    uint32_t a;
    if (exponent > 254) return to_odd ? 0x7f7fffffu : 0x7f800000u;
    for (; exponent < 1 && z > 1; exponent++)
        z = z >> 1 | (z & 1u);
    a = exponent > 1 ? ((uint32_t)exponent - 1u) << 23 : 0;
    if (to_odd) return (a + (z >> 8)) | ((z & 0xffu) != 0);
    return a + (z >> 8) + ((z & 0xffu) + (z >> 8 & 1u) > 0x80u);
}

MPX__ONCE int mpx__is_nan(uint32_t u) { return u << 1 > 0xff000000u; }

/* f32 bits: a * b or a / b, rounded once. To divide by Inf is to multiply by zero, and the other
   way round; where both come together, NaN with the sign of b. */
MPX__ONCE uint32_t mpx__f32_times(uint32_t a, uint32_t b, int divide, int to_odd) {
    const uint32_t inf = 0x7f800000u;
    uint32_t sign = (a ^ b) & 0x80000000u, x = a & 0x7fffffffu, y = b & 0x7fffffffu, z;
    uint32_t makes_zero = divide ? inf : 0, makes_inf = inf - makes_zero;
    int32_t exponent, other;
#if MPX__NATIVE_F32
    if (!to_odd) {
        z = mpx__bits(divide ? mpx__native_quotient(mpx__float(a), mpx__float(b))
                             : mpx__native_product(mpx__float(a), mpx__float(b)));
        if (!mpx__is_nan(z)) return z;
        return (mpx__is_nan(a) ? a : mpx__is_nan(b) ? b : (b & 0x80000000u) | inf) | 0x400000u;
    }
#endif
    if (x > inf) return a | 0x400000u;
    if (y > inf) return b | 0x400000u;
    if (x == inf || y == makes_inf)
        return x == 0 || y == makes_zero ? (b & 0x80000000u) | 0x7fc00000u : sign | inf;
    if (x == 0 || y == makes_zero) return sign;
    exponent = mpx__f32_unpack(x, &x);
    other = mpx__f32_unpack(y, &y);
    z = divide ? mpx__long_quotient(x, y) : mpx__long_product(x, y);
    exponent += divide ? 127 - other : other - 126;
    if (z >> 31 == 0) {
        z <<= 1;
        exponent--;
    }
    return sign | mpx__f32_pack(exponent, z, to_odd);
}
MPX__INLINE uint32_t mpx__multiply(uint32_t a, uint32_t b) { return mpx__f32_times(a, b, 0, 0); }
MPX__INLINE uint32_t mpx__divide(uint32_t a, uint32_t b) { return mpx__f32_times(a, b, 1, 0); }

/* ---- the same for f64 ------------------------------------------------------------------------ */
#if MPX__HAS_F64

MPX__INLINE int mpx__is_zero(const mpx__wide *w) {
    return w->kind == MPX__ZERO_OR_FINITE && w->sig == 0;
}

/* a *= b, where b has at most 24 significant bits. The 96 bits of the product are kept to 64, the
   last of them standing for all that was cut off: enough for one rounding to any dtype. */
MPX__PRIVATE void mpx__multiply_by(mpx__wide *a, const mpx__wide *by) {
    unsigned sign = a->sign ^ by->sign;
    uint64_t low, high;
    mpx__wide b;
    if (a->kind == MPX__NAN) return;
    mpx__wide_set(&b, by->sign, by->kind, by->sig, by->exp);
    if (b.kind == MPX__NAN || (a->kind == MPX__INF && mpx__is_zero(&b)) ||
        (b.kind == MPX__INF && mpx__is_zero(a))) {
        mpx__wide_set(a, b.sign, MPX__NAN, b.kind == MPX__NAN ? b.sig : 0, 0);
    } else if (a->kind == MPX__INF || b.kind == MPX__INF) {
        mpx__wide_set(a, sign, MPX__INF, 0, 0);
    } else if (mpx__is_zero(a) || mpx__is_zero(&b)) {
        mpx__wide_set(a, sign, MPX__ZERO_OR_FINITE, 0, 0);
    } else {
        mpx__normalize(a);
        mpx__normalize(&b);
        b.sig >>= 32;
        low = (a->sig & 0xffffffffu) * b.sig;
        high = (a->sig >> 32) * b.sig + (low >> 32);
        mpx__wide_set(a, sign, MPX__ZERO_OR_FINITE, high | ((low & 0xffffffffu) != 0),
                      a->exp + b.exp + 64);
    }
}

/* The leading bits of a / b by long division, the last of them standing for the remainder. Both
   have their leading one at bit 63, and at most 53 bits in use: halving them loses nothing and
   leaves room to double the remainder. */
MPX__INLINE uint64_t mpx__long_division(uint64_t a, uint64_t b, int bits) {
    uint64_t rest = a >> 1, divisor = b >> 1, q = 0;
    for (; bits != 0; bits--) {
        uint64_t fits = rest >= divisor;
        q = q << 1 | fits;
        rest = (rest - (fits != 0 ? divisor : 0)) << 1;
    }
    return q | (rest != 0);
}

/* a /= b, to 57 bits and the remainder: enough for one rounding to f64. */
MPX__PRIVATE void mpx__divide_by(mpx__wide *a, const mpx__wide *by) {
    enum { quotient_bits = 57 };
    unsigned sign = a->sign ^ by->sign;
    mpx__wide b;
    if (a->kind == MPX__NAN) return;
    mpx__wide_set(&b, by->sign, by->kind, by->sig, by->exp);
    if (b.kind == MPX__NAN || (a->kind == MPX__INF && b.kind == MPX__INF) ||
        (mpx__is_zero(a) && mpx__is_zero(&b))) {
        mpx__wide_set(a, b.sign, MPX__NAN, b.kind == MPX__NAN ? b.sig : 0, 0);
    } else if (a->kind == MPX__INF || mpx__is_zero(&b)) {
        mpx__wide_set(a, sign, MPX__INF, 0, 0);
    } else if (b.kind == MPX__INF || mpx__is_zero(a)) {
        mpx__wide_set(a, sign, MPX__ZERO_OR_FINITE, 0, 0);
    } else {
        mpx__normalize(a);
        mpx__normalize(&b);
        a->sig = mpx__long_division(a->sig, b.sig, quotient_bits);
        a->exp -= b.exp + quotient_bits - 1;
        a->sign = (uint8_t)sign;
    }
}

#endif

/* ---- buffers --------------------------------------------------------------------------------- */

/* f32 bits, rounded to nearest, or to odd where another rounding follows. By a power of two only
   the exponent moves where those before and after are of normal numbers. Returns whether all
   results are finite. */
MPX__PRIVATE int mpx__scale_f32(void *dst, const void *src, size_t n, int to_odd,
                                const mpx__factor *f) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int finite = 1;
    for (; n != 0; n--, d += 4, s += 4) {
        uint32_t u = mpx__read32(s);
        int32_t before = (int32_t)(u >> 23 & 255u), after = before + f->shift;
        if (f->power_of_two && before > 0 && before < 255 && after > 0 && after < 255)
            u += (uint32_t)f->shift << 23;
        else
            u = mpx__f32_times(u, f->u, f->divide, to_odd);
        if ((u & 0x7f800000u) == 0x7f800000u) finite = 0;
        mpx__write32(d, u);
    }
    return finite;
}

#if MPX__HAS_F64
/* Returns whether all results, before the storer rounds them, are finite. */
MPX__PRIVATE int mpx__scale_wide(void *dst, size_t dst_step, const void *src, size_t src_step,
                                 size_t n, mpx__wide_load_fn load, mpx__wide_store_fn store,
                                 const mpx__factor *f) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    int finite = 1;
    mpx__wide by, w;
    mpx__wide_from_f32(&by, f->u);
    for (; n != 0; n--, d += dst_step, s += src_step) {
        load(&w, s);
        if (f->divide)
            mpx__divide_by(&w, &by);
        else
            mpx__multiply_by(&w, &by);
        if (w.kind != MPX__ZERO_OR_FINITE) finite = 0;
        store(d, &w);
    }
    return finite;
}

/* Between f32 and f64, or f64 alone: the wide numbers of wide.h do it all. */
MPX__PRIVATE int mpx__scale_tile_wide(void *dst, mpx_dtype dst_type, const void *src,
                                      mpx_dtype src_type, size_t n, const mpx__factor *f) {
    mpx__wide_load_fn load = src_type == MPX_F64 ? mpx__wide_load_f64 : mpx__wide_load_f32;
    size_t dst_step = dst_type == MPX_F64 ? 8 : 4, src_step = src_type == MPX_F64 ? 8 : 4;
    return mpx__scale_wide(dst, dst_step, src, src_step, n, load, mpx__wide_storer(dst_type), f);
}

#endif

/* To f32 bits, scaled with the rounding that the destination needs (to odd where another rounding
   follows), and on to the destination. */
MPX__PRIVATE int mpx__scale_tile(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, const mpx__factor *f) {
    uint32_t tile[MPX_TILE];
    int finite = 1, from_f64 = mpx__is_f64(src_type);
    if (src_type == MPX_F32)
        mpx__copy(tile, src, n * 4);
    else if (!from_f64)
        mpx__to_f32(src_type, tile, src, n);
#if MPX__HAS_F64
    if (dst_type == MPX_F64 && !from_f64 &&
        mpx__scale_wide_row(dst, MPX_F64, tile, MPX_F32, n, f, 0, &finite) != 0)
        return finite;
    if (dst_type == MPX_F64 || (dst_type == MPX_F32 && from_f64))
        return mpx__scale_tile_wide(dst, dst_type, from_f64 ? src : tile, src_type, n, f);
    if (from_f64)
        finite =
            mpx__scale_wide(tile, 4, src, 8, n, mpx__wide_load_f64, mpx__wide_store_f32_odd, f);
#endif
    if (dst_type == MPX_F32) {
        if (mpx__scale_to_f32(dst, tile, MPX_F32, n, f, 0, &finite) != 0) return finite;
        return mpx__scale_f32(dst, tile, n, 0, f);
    }
    if (!from_f64 && !mpx__scale_tile_exactly(tile, n, f, &finite) &&
        !mpx__scale_tile_odd(tile, n, f, &finite))
        finite = mpx__scale_f32(tile, tile, n, 1, f);
    mpx__from_f32(dst_type, dst, tile, n);
    return finite;
}

/* Rows as far as they go, then a tile the other way, and again. Large arrays go to f32 elsewhere
   past the caches, from an aligned element on. */
MPX__LONG_WAY int mpx__scale_any(void *dst, mpx_dtype dst_type, const void *src,
                                 mpx_dtype src_type, size_t n, const mpx__factor *f,
                                 int look) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t head = 0;
    int all = 1, stream = 0;
    mpx__env env;
    mpx__span span;
    if (MPX__HAS_FLOAT ? dst != src && dst_type == MPX_F32 : 0) {
        if (mpx__span_set(&span, dst, mpx__row_of(dst_type), src, mpx__row_of(src_type), n, 0, 1))
            head = mpx__span_align(&span);
        stream = span.stream;
    }
    env = mpx__env_enter();
    while (n != 0) {
        size_t m = head != 0 ? 0 : mpx__scale_rows(d, dst_type, s, src_type, n, f, stream, &all);
        if (m == 0) {
            m = head != 0 ? head : n < MPX_TILE ? n : MPX_TILE;
            if (!mpx__scale_tile(d, dst_type, s, src_type, m, f)) all = 0;
            if (all && look) all = mpx_all_finite(d, dst_type, m);
            head = 0;
        }
        d += mpx_dtype_bytes(dst_type, m);
        s += mpx_dtype_bytes(src_type, m);
        n -= m;
    }
    mpx__env_leave(env);
    if (stream) mpx__fence();
    return all;
}

/* f32 and f64, not so much that it goes past the caches: as far as rows go. */
#if MPX__HAS_FLOAT
MPX__INLINE size_t mpx__scale_some(unsigned char *d, mpx_dtype to, const unsigned char *s,
                                   mpx_dtype from, size_t n, const mpx__factor *f, int *finite) {
    const size_t to_size = to == MPX_F32 ? 4 : 8, from_size = from == MPX_F32 ? 4 : 8;
    size_t done = 0, m = 1;
    mpx__env env;
    if (n == 0 || mpx__may_be_large(n)) return 0;
    env = mpx__modes_enter();
    for (; done != n && m != 0; done += m)
        m = mpx__scale_rows(d + done * to_size, to, s + done * from_size, from, n - done, f, 0,
                            finite);
    mpx__modes_leave(env);
    return done;
}
#else
MPX__INLINE size_t mpx__scale_some(unsigned char *d, mpx_dtype to, const unsigned char *s,
                                   mpx_dtype from, size_t n, const mpx__factor *f, int *finite) {
    (void)d, (void)to, (void)s, (void)from, (void)n, (void)f, (void)finite;
    return 0;
}
#endif

MPX__PRIVATE mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src,
                                            mpx_dtype src_type, size_t n, const mpx__factor *f,
                                            int *finite) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t done = 0;
    int all = 1;
    if (!mpx_dtype_is_floating(dst_type) || !mpx_dtype_is_floating(src_type)) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (dst_type == MPX_F32 && src_type == MPX_F32) /* known early: a shorter way */
        done = mpx__scale_some(d, MPX_F32, s, MPX_F32, n, f, &all);
    else if (dst_type <= MPX_F32 && src_type <= MPX_F32)
        done = mpx__scale_some(d, dst_type, s, src_type, n, f, &all);
    if (done != n) {
        if (done != 0) {
            d += mpx_dtype_bytes(dst_type, done);
            s += mpx_dtype_bytes(src_type, done);
        }
        all &= mpx__scale_any(d, dst_type, s, src_type, n - done, f, finite != NULL);
    }
    if (finite != NULL) *finite = all;
    return MPX_OK;
}

MPX_API mpx_status mpx_scale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                             size_t n, float by) {
    mpx__factor f;
    mpx__factor_set(&f, mpx__bits(by), 0);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, NULL);
}

MPX_API mpx_status mpx_unscale(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                               size_t n, float by, int *finite) {
    mpx__factor f;
    mpx__factor_set(&f, mpx__bits(by), 1);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, finite);
}
/*==========================================================================*
 * MARK: tree - walkers, and what is done leaf by leaf                       *
 *   Of policies it knows one thing: mpx__map_dtype, what a map says of a    *
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
    mpx_tree_error *err;
} mpx__walk;

MPX__PRIVATE void mpx__walk_start(mpx__walk *walk, const mpx_tree *tree, mpx_tree_error *err) {
    mpx__zero(walk, sizeof *walk);
    walk->tree = tree;
    walk->err = err;
    walk->index = (size_t)-1;
    if (err != NULL) mpx__zero(err, sizeof *err);
}

/* Report the leaf where the walk stands. */
MPX__PRIVATE mpx_status mpx__leaf_fail(const mpx__walk *walk, mpx_status status, mpx_dtype found,
                                       mpx_dtype expected) {
    mpx_tree_error *err = walk->err;
    const char *path = walk->leaf.path != NULL ? walk->leaf.path : "";
    mpx__printer out;
    if (err == NULL) return status;
    err->status = status;
    err->index = walk->index;
    err->found = found;
    err->expected = expected;
    mpx__print_to(&out, err->path, sizeof err->path);
    mpx__put(&out, path);
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

MPX_API int mpx_tree_next(const mpx_tree *tree, mpx_cursor *at, mpx_leaf *leaf) {
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
    return mpx__leaf_fail(walk, result, told ? walk->leaf.dtype : MPX_NONE, MPX_NONE);
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

MPX_API mpx_tree mpx_tree_of_leaves(mpx_leaf *leaves, size_t count) {
    return mpx__tree_make(mpx__array_next, mpx__array_retype, leaves, NULL, count);
}

MPX_API void mpx_leaves_of_tensors(mpx_leaf *leaves, const mpx_tensor *tensors, size_t count,
                                   void *memory, mpx_dtype type) {
    size_t i;
    for (i = 0; i < count; i++) {
        leaves[i].path = tensors[i].name;
        leaves[i].data = (unsigned char *)memory + mpx_dtype_bytes(type, tensors[i].offset);
        leaves[i].count = tensors[i].count;
        leaves[i].dtype = type;
    }
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

MPX_API mpx_tree mpx_tree_of_struct(void *object, const mpx_field *fields, size_t field_count) {
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

MPX_API mpx_tree mpx_tree_where(const mpx_tree_filter *filter) {
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
    int role;
} mpx__aim;

MPX__INLINE mpx__aim mpx__aim_at(mpx_dtype to) {
    mpx__aim aim;
    aim.to = to;
    aim.map = NULL;
    aim.role = 0;
    return aim;
}

/* The only thing that trees know of policies; in policy_map.h. */
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
MPX__PRIVATE mpx_status mpx__map_dtype(const mpx_policy_map *map, int role, const char *path,
                                       mpx_dtype *to);
#else
MPX__INLINE mpx_status mpx__map_dtype(const mpx_policy_map *map, int role, const char *path,
                                      mpx_dtype *to) {
    (void)map;
    (void)role;
    (void)path;
    (void)to;
    return MPX_OK;
}
#endif

/* Is the role one of the three, and the one dtype of all leaves one to cast to? */
MPX__PRIVATE mpx_status mpx__check_aim(const mpx__walk *walk, const mpx__aim *aim) {
    if (aim->role < MPX_ROLE_PARAM || aim->role > MPX_ROLE_OUTPUT)
        return mpx__leaf_fail(walk, MPX_ERR_ARGUMENT, MPX_NONE, MPX_NONE);
    if (aim->to == MPX_NONE || mpx_dtype_is_floating(aim->to)) return MPX_OK;
    return mpx__leaf_fail(walk, MPX_ERR_DTYPE, aim->to, MPX_NONE);
}

/* What the leaf where the walk stands is cast to. */
MPX__PRIVATE mpx_status mpx__aim_leaf(const mpx__walk *walk, const mpx__aim *aim, mpx_dtype *to) {
    mpx_status status;
    *to = aim->to;
    if (aim->map == NULL || !mpx_dtype_is_floating(walk->leaf.dtype)) return MPX_OK;
    status = mpx__map_dtype(aim->map, aim->role, walk->leaf.path, to);
    if (status == MPX_OK && *to != MPX_NONE && !mpx_dtype_is_floating(*to)) status = MPX_ERR_DTYPE;
    return status != MPX_OK ? mpx__leaf_fail(walk, status, *to, MPX_NONE) : MPX_OK;
}

/* Is the path in the cursor, where the next leaf overwrites it? Then it must be copied. */
MPX__INLINE int mpx__path_is_built(const mpx__walk *walk) {
    return walk->leaf.path == walk->at.path;
}

/* Besides the totals, data = the part of storage that is not paths. */
MPX__PRIVATE mpx_status mpx__measure(const mpx_tree *tree, const mpx__aim *aim, mpx_tree_size *size,
                                     size_t *data, mpx_tree_error *err) {
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
        mpx_dtype to;
        size_t storage = 0;
        status = mpx__aim_leaf(&walk, aim, &to);
        if (status != MPX_OK) return status;
        if (mpx__needs_cast(&walk.leaf, to))
            storage = mpx__aligned(mpx_dtype_bytes(to, walk.leaf.count));
        if (mpx__path_is_built(&walk)) paths += mpx__length(walk.leaf.path) + 1;
        sum.leaves++;
        if (!mpx__add_size(&sum.elements, walk.leaf.count) ||
            !mpx__add_size(&sum.storage, storage) ||
            !mpx__add_size(&sum.bytes, mpx_dtype_bytes(walk.leaf.dtype, walk.leaf.count)))
            return mpx__leaf_fail(&walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    }
    if (more < 0) return more;
    *data = sum.storage;
    if (!mpx__add_size(&sum.storage, mpx__aligned(paths)))
        return mpx__leaf_fail(&walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    *size = sum;
    return MPX_OK;
}

MPX_API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                    mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    size_t data;
    return mpx__measure(&tree, &aim, size, &data, err);
}

MPX_API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_tree_error *err) {
    mpx__walk walk;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (!mpx_dtype_is_floating(walk.leaf.dtype) && !mpx__is_unset(&walk.leaf))
            return mpx__leaf_fail(&walk, MPX_ERR_NOT_FLOATING, walk.leaf.dtype, MPX_NONE);
    return more;
}

MPX_API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_tree_error *err) {
    mpx__walk walk;
    int more, all = 1;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (walk.leaf.count != 0 && all)
            all = mpx_all_finite(walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
    if (more == 0) *finite = all;
    return more;
}

MPX_API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_tree_error *err) {
    mpx__walk walk;
    int more, any = 0;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (!any) any = mpx_any_infinite(walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
    if (more == 0) *infinite = any;
    return more;
}

/* ---- one tree: casts ------------------------------------------------------------------------- */

/* *to: what the leaf is cast to; MPX_NONE if it stays as it is. */
MPX__PRIVATE mpx_status mpx__check_in_place(mpx__walk *walk, const mpx__aim *aim, mpx_dtype *to) {
    const mpx_leaf *leaf = &walk->leaf;
    const mpx_tree *tree = walk->tree;
    mpx_status status = mpx__aim_leaf(walk, aim, to);
    if (status != MPX_OK) return status;
    if (!mpx__needs_cast(leaf, *to)) *to = MPX_NONE;
    if (*to == MPX_NONE) return MPX_OK;
    if (mpx_dtype_bits(*to) > mpx_dtype_bits(leaf->dtype))
        return mpx__leaf_fail(walk, MPX_ERR_SPACE, leaf->dtype, *to);
    if (tree->retype == NULL || tree->retype(&walk->at, leaf->dtype, tree) != MPX_OK)
        return mpx__leaf_fail(walk, MPX_ERR_FIXED_DTYPE, leaf->dtype, *to);
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__cast_in_place(const mpx_tree *tree, const mpx__aim *aim,
                                           mpx_tree_error *err) {
    mpx__walk walk;
    mpx_status status;
    mpx_dtype to;
    int more;
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        status = mpx__check_in_place(&walk, aim, &to);
        if (status != MPX_OK) return status;
    }
    if (more < 0) return more;
    mpx__walk_start(&walk, tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        status = mpx__check_in_place(&walk, aim, &to);
        if (status != MPX_OK) return status;
        if (to == MPX_NONE) continue;
        (void)mpx_cast(walk.leaf.data, to, walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
        (void)tree->retype(&walk.at, to, tree);
    }
    return more;
}

MPX_API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__cast_in_place(&tree, &aim, err);
}

MPX_API mpx_arena mpx_arena_of(void *data, size_t size, mpx_leaf *leaves, size_t leaf_capacity) {
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

/* One leaf of the new tree: cast if need be, its path copied if the walker built it. */
MPX__PRIVATE mpx_status mpx__cast_leaf(mpx_leaf *leaf, const mpx__walk *walk, mpx_dtype to,
                                       mpx__room *data, mpx__room *paths) {
    const mpx_leaf *src = &walk->leaf;
    *leaf = *src;
    if (mpx__needs_cast(src, to)) {
        leaf->data = mpx__take(data, mpx__aligned(mpx_dtype_bytes(to, src->count)));
        leaf->dtype = to;
        if (leaf->data == NULL && src->count != 0) return MPX_ERR_STRUCTURE;
        (void)mpx_cast(leaf->data, to, src->data, src->dtype, src->count);
    }
    if (mpx__path_is_built(walk)) {
        size_t n = mpx__length(src->path) + 1;
        leaf->path = (const char *)mpx__take(paths, n);
        if (leaf->path == NULL) return MPX_ERR_STRUCTURE;
        mpx__copy(paths->at - n, src->path, n);
    }
    return MPX_OK;
}

MPX__INLINE int mpx__arena_has(const mpx_arena *arena, const mpx_tree_size *size) {
    return arena->used <= arena->size && size->storage <= arena->size - arena->used &&
           arena->leaves_used <= arena->leaf_capacity &&
           size->leaves <= arena->leaf_capacity - arena->leaves_used;
}

/* The second walk: count leaves into `leaves`. */
MPX__PRIVATE mpx_status mpx__cast_leaves(mpx__walk *walk, const mpx__aim *aim, mpx_leaf *leaves,
                                         size_t count, mpx__room data, mpx__room paths) {
    size_t i = 0;
    int more;
    while ((more = mpx__walk_next(walk)) > 0) {
        mpx_dtype to;
        mpx_status status = mpx__aim_leaf(walk, aim, &to);
        if (status != MPX_OK) return status;
        status = i < count ? mpx__cast_leaf(&leaves[i], walk, to, &data, &paths)
                           : MPX_ERR_STRUCTURE;
        if (status != MPX_OK) return mpx__leaf_fail(walk, status, MPX_NONE, to);
        i++;
    }
    if (more == 0 && i < count) return mpx__leaf_fail(walk, MPX_ERR_STRUCTURE, MPX_NONE, aim->to);
    return more;
}

MPX__PRIVATE mpx_status mpx__cast_into(const mpx_tree *src, const mpx__aim *aim, mpx_arena *arena,
                                       mpx_tree *out, mpx_tree_error *err) {
    mpx__walk walk;
    mpx_tree_size size;
    mpx_leaf *leaves;
    mpx__room data, paths;
    mpx_status status = mpx__measure(src, aim, &size, &data.left, err);
    if (status != MPX_OK) return status;
    mpx__walk_start(&walk, src, err);
    if (!mpx__arena_has(arena, &size))
        return mpx__leaf_fail(&walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
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

MPX_API mpx_status mpx_tree_cast_into(mpx_tree src, mpx_dtype to, mpx_arena *arena, mpx_tree *out,
                                      mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__cast_into(&src, &aim, arena, out, err);
}

MPX_API mpx_status mpx_tree_cast_to_full(mpx_tree src, mpx_arena *arena, mpx_tree *out,
                                         mpx_tree_error *err) {
    return mpx_tree_cast_into(src, MPX_F32, arena, out, err);
}

MPX_API mpx_status mpx_tree_cast_to_half(mpx_tree src, mpx_dtype half, mpx_arena *arena,
                                         mpx_tree *out, mpx_tree_error *err) {
    return mpx_tree_cast_into(src, half != MPX_NONE ? half : MPX_F16, arena, out, err);
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

/* May src be cast or scaled into dst? Leaves that are not floating, and all leaves if `same`, need
   equal dtypes. */
MPX__PRIVATE mpx_status mpx__check_pair(const mpx__walk *dst, const mpx__walk *src, int same) {
    const mpx_leaf *d = &dst->leaf, *s = &src->leaf;
    if (!mpx__same_path(d->path, s->path) || d->count != s->count)
        return mpx__leaf_fail(dst, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    if (d->dtype == s->dtype) return MPX_OK;
    if (same || !mpx_dtype_is_floating(d->dtype) || !mpx_dtype_is_floating(s->dtype))
        return mpx__leaf_fail(dst, MPX_ERR_DTYPE, d->dtype, s->dtype);
    if (d->data == s->data && d->count != 0 && mpx_dtype_bits(d->dtype) > mpx_dtype_bits(s->dtype))
        return mpx__leaf_fail(dst, MPX_ERR_SPACE, d->dtype, s->dtype);
    return MPX_OK;
}

/* The next leaf of both: 1, 0 or a status; MPX_ERR_STRUCTURE where one tree ends before the
   other. */
MPX__PRIVATE int mpx__pair_next(mpx__walk *dst, mpx__walk *src, int same) {
    int more_dst = mpx__walk_next(dst), more_src;
    mpx_status status;
    if (more_dst < 0) return more_dst; /* before src can report something else */
    more_src = mpx__walk_next(src);
    if (more_src < 0) return more_src;
    if (more_dst != more_src)
        return mpx__leaf_fail(more_dst ? dst : src, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    if (more_dst == 0) return 0;
    status = mpx__check_pair(dst, src, same);
    return status != MPX_OK ? status : 1;
}

/* What to do with every pair of leaves: cast (factor NULL) or scale; which leaves must have equal
   dtypes. */
typedef struct mpx__job {
    const mpx__factor *factor;
    int same;
    int *finite;
} mpx__job;

/* A leaf that stays where it is and as it is needs no work, unless it is scaled. */
MPX__PRIVATE void mpx__do_pair(const mpx_leaf *d, const mpx_leaf *s, const mpx__job *job) {
    int finite = 1;
    if (job->factor != NULL && mpx_dtype_is_floating(d->dtype)) {
        (void)mpx__scale_elements(d->data, d->dtype, s->data, s->dtype, s->count, job->factor,
                                  job->finite != NULL ? &finite : NULL);
        if (!finite) *job->finite = 0;
    } else if (d->data != s->data || d->dtype != s->dtype) {
        (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, s->count);
    }
}

MPX__PRIVATE mpx_status mpx__pair_walk(const mpx_tree *dst, const mpx_tree *src,
                                       const mpx__job *job, int work, mpx_tree_error *err) {
    mpx__walk d, s;
    int more;
    mpx__walk_start(&d, dst, err);
    mpx__walk_start(&s, src, err);
    while ((more = mpx__pair_next(&d, &s, job->same)) > 0)
        if (work) mpx__do_pair(&d.leaf, &s.leaf, job);
    return more;
}

MPX__PRIVATE mpx_status mpx__pair_job(const mpx_tree *dst, const mpx_tree *src, const mpx__job *job,
                                      mpx_tree_error *err) {
    mpx_status status = mpx__pair_walk(dst, src, job, 0, err);
    return status != MPX_OK ? status : mpx__pair_walk(dst, src, job, 1, err);
}

MPX__PRIVATE mpx_status mpx__cast_job(const mpx_tree *dst, const mpx_tree *src, int same,
                                      mpx_tree_error *err) {
    mpx__job job = { NULL, 0, NULL };
    job.same = same;
    return mpx__pair_job(dst, src, &job, err);
}

MPX_API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_tree_error *err) {
    return mpx__cast_job(&dst, &src, 0, err);
}

MPX_API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_tree_error *err) {
    return mpx__cast_job(&dst, &src, 1, err);
}

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
    if (work && stays) return MPX_OK;
    if (work) return mpx_cast_with(d->data, d->dtype, s->data, s->dtype, s->count, opt);
    if (!mpx__may_share(d, s, opt)) return MPX_ERR_ARGUMENT;
    return mpx__check_cast(d->dtype, s->dtype, s->count, mpx__block_of(s->count, opt), opt);
}

MPX__PRIVATE mpx_status mpx__pair_walk_with(const mpx_tree *dst, const mpx_tree *src,
                                            const mpx_cast_options *opt, int work,
                                            mpx_tree_error *err) {
    mpx__walk d, s;
    mpx_cast_options now;
    int more;
    mpx__copy(&now, opt, sizeof now);
    mpx__walk_start(&d, dst, err);
    mpx__walk_start(&s, src, err);
    while ((more = mpx__pair_next(&d, &s, 0)) > 0) {
        mpx_status status = mpx__pair_with(&d.leaf, &s.leaf, &now, work);
        if (status != MPX_OK) return mpx__leaf_fail(&d, status, MPX_NONE, MPX_NONE);
        now.offset += d.leaf.count;
    }
    return more;
}

MPX_API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                      mpx_tree_error *err) {
    mpx_status status;
    if (opt == NULL) return mpx_tree_cast(dst, src, err);
    status = mpx__pair_walk_with(&dst, &src, opt, 0, err);
    return status != MPX_OK ? status : mpx__pair_walk_with(&dst, &src, opt, 1, err);
}

MPX_API mpx_status mpx_tree_select(int pick_a, mpx_tree dst, mpx_tree a, mpx_tree b,
                                   mpx_tree_error *err) {
    mpx__job check = { NULL, 1, NULL };
    mpx_status status = mpx__pair_walk(&dst, pick_a ? &b : &a, &check, 0, err);
    return status != MPX_OK ? status : mpx__pair_job(&dst, pick_a ? &a : &b, &check, err);
}

/* dst = src scaled by u (f32 bits); *finite is set, both ways. */
MPX__PRIVATE mpx_status mpx__scale_tree(const mpx_tree *dst, const mpx_tree *src, uint32_t u,
                                        int divide, int *finite, mpx_tree_error *err) {
    mpx__factor factor;
    mpx__job job = { NULL, 0, NULL };
    int all = 1;
    mpx_status status;
    mpx__factor_set(&factor, u, divide);
    job.factor = &factor;
    job.finite = finite != NULL ? &all : NULL;
    status = mpx__pair_job(dst, src, &job, err);
    if (status == MPX_OK && finite != NULL) *finite = all;
    return status;
}

MPX_API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_tree_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__bits(by), 0, NULL, err);
}

MPX_API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                    mpx_tree_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__bits(by), 1, finite, err);
}

/* By its name; what is no dtype by its number, for a leaf may hold any. */
MPX__PRIVATE void mpx__put_dtype(mpx__printer *out, mpx_dtype type) {
    if (mpx_dtype_bits(type) != 0) {
        mpx__put(out, mpx_dtype_name(type));
    } else {
        mpx__put(out, type < 0 ? "dtype -" : "dtype ");
        mpx__put_size(out, type < 0 ? 0 - (size_t)type : (size_t)type);
    }
}

/* What the status says here, beyond its words; "" if it says no more. */
MPX__PRIVATE const char *mpx__tree_error_reason(const mpx_tree_error *err) {
    int of_leaf = err->index != (size_t)-1, typed = err->found != MPX_NONE;
    switch (err->status) {
    case MPX_ERR_ARGUMENT:
        return !of_leaf ? "; expected one of the three roles" : typed ? "; its data is NULL" : "";
    case MPX_ERR_SPACE:
        if (!of_leaf) return "; expected an arena as large as was measured";
        return !typed && mpx__length(err->path) == sizeof err->path - 1
                   ? "; expected a path of at most 127 bytes"
                   : "";
    case MPX_ERR_DTYPE:
        return err->expected == MPX_NONE && !mpx_dtype_is_floating(err->found) &&
                       (!of_leaf || mpx_dtype_bits(err->found) != 0)
                   ? ", expected a floating dtype"
                   : "";
    case MPX_ERR_AMBIGUOUS: return "; mpx_policy_map_explain names them";
    default: return "";
    }
}

MPX_API size_t mpx_tree_error_format(const mpx_tree_error *err, char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    mpx__put(&out, mpx_status_string(err->status));
    if (err->status == MPX_OK) return out.length;
    if (err->index != (size_t)-1) {
        mpx__put(&out, " at leaf ");
        mpx__put_size(&out, err->index);
        if (err->path[0] != '\0') {
            mpx__put_char(&out, ' ');
            mpx__put_quoted(&out, mpx__slice_of(err->path, mpx__length(err->path)));
        }
    }
    if (err->found != MPX_NONE) {
        mpx__put(&out, ": found ");
        mpx__put_dtype(&out, err->found);
    }
    if (err->expected != MPX_NONE) {
        mpx__put(&out, err->found != MPX_NONE ? ", expected " : ": expected ");
        mpx__put_dtype(&out, err->expected);
    }
    mpx__put(&out, mpx__tree_error_reason(err));
    return out.length;
}

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
MPX__PRIVATE void mpx__leaf_stats(mpx_cast_stats *stats, const mpx_leaf *leaf, mpx_dtype to) {
    unsigned char before[MPX__STATS_TILE * 8], codes[MPX__STATS_TILE * 8],
        after[MPX__STATS_TILE * 8];
    const unsigned char *s = (const unsigned char *)leaf->data;
    size_t step = mpx_dtype_bytes(leaf->dtype, MPX__STATS_TILE), n = leaf->count;
    mpx__target target;
    mpx__target_set(&target, to);
    for (; n != 0; s += step) {
        size_t m = n < MPX__STATS_TILE ? n : MPX__STATS_TILE;
        (void)mpx_cast(before, MPX_F64, s, leaf->dtype, m);
        (void)mpx_cast(codes, to, s, leaf->dtype, m);
        (void)mpx_cast(after, MPX_F64, codes, to, m);
        mpx__stats_add(stats, &target, before, after, m);
        n -= m;
    }
}

MPX__PRIVATE void mpx__report_set(mpx_cast_report *report, const mpx__walk *walk, mpx_dtype to) {
    mpx__printer path;
    mpx__zero(report, sizeof *report);
    mpx__print_to(&path, report->path, sizeof report->path);
    mpx__put(&path, walk->leaf.path != NULL ? walk->leaf.path : "");
    report->index = walk->index;
    report->from = walk->leaf.dtype;
    report->to = to;
    mpx__leaf_stats(&report->stats, &walk->leaf, to);
}

MPX__PRIVATE mpx_status mpx__dry_run(const mpx_tree *tree, const mpx__aim *aim,
                                     mpx_cast_report *reports, size_t capacity, size_t *count,
                                     mpx_tree_error *err) {
    mpx__walk walk;
    mpx_cast_report report;
    mpx_status status;
    size_t written = 0;
    int more;
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        mpx_dtype to;
        status = mpx__aim_leaf(&walk, aim, &to);
        if (status != MPX_OK) return status;
        if (!mpx__needs_cast(&walk.leaf, to)) continue;
        mpx__report_set(&report, &walk, to);
        mpx__heap_add(reports, capacity, &written, &report);
    }
    if (more < 0) return more;
    mpx__heap_sort(reports, written);
    *count = written;
    return MPX_OK;
}

MPX_API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                    size_t capacity, size_t *count, mpx_tree_error *err) {
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
   exponent: 7.00e4. */
MPX__PRIVATE void mpx__put_number(mpx__printer *out, double x) {
    int exponent = 0;
    if (!(x > 0) || (x >= 0.001 && x < 10000)) {
        mpx__put_fixed(out, x, x >= 100 ? 0 : 3);
        return;
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

MPX_API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size) {
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
    mpx_cast_options piece;
    if (opt == NULL) {
        (void)mpx_cast(dst, part->to, src, part->from, to - from);
        return;
    }
    mpx__copy(&piece, opt, sizeof piece);
    piece.offset += from;
    (void)mpx_cast_with(dst, part->to, src, part->from, to - from, &piece);
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

MPX_API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                     size_t n, const mpx_cast_options *opt, mpx_parallel parallel) {
    mpx__part part;
    mpx__work work;
    mpx_status status = opt == NULL ? mpx_cast(NULL, to, NULL, from, 0)
                                    : mpx__check_cast(to, from, n, mpx__block_of(n, opt), opt);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    work.unit = mpx__unit_of(to, from, n, opt);
    if (work.unit == 0 || !mpx__part_set(&part, dst, to, src, from, n, opt))
        return mpx_cast_with(dst, to, src, from, n, opt);
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

MPX_API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                          mpx_tree_error *err) {
    mpx__job job = { NULL, 0, NULL };
    mpx__batch batch;
    mpx__walk d, s;
    int more = mpx__pair_walk(&dst, &src, &job, 0, err);
    if (more != MPX_OK) return more;
    batch.count = batch.total = 0;
    batch.parallel = &parallel;
    mpx__walk_start(&d, &dst, err);
    mpx__walk_start(&s, &src, err);
    while ((more = mpx__pair_next(&d, &s, 0)) > 0)
        mpx__batch_add(&batch, &d.leaf, &s.leaf);
    mpx__batch_run(&batch);
    return more;
}

#endif /* !MPX_NO_TREE */
#endif /* !MPX_NO_PARALLEL */
/*==========================================================================*
 * MARK: policy_keras - the modes of Keras' quantized policies               *
 *   int8, int4/128, float8, gptq/4/128, awq/4/128: what stands before       *
 *   "_from_". Source: keras/src/dtype_policies/dtype_policy.py 3.15.        *
 *==========================================================================*/
#if !MPX_NO_POLICY

static const char mpx__mode_words[][8] = { "", "int8", "int4", "float8", "gptq", "awq" };
static const char mpx__from_word[] = "_from_";

/* The mode that a text begins with; MPX_QUANT_NONE if none. */
MPX__PRIVATE int mpx__mode_of(mpx__slice text, int ignore_case) {
    int mode = MPX_QUANT_AWQ;
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
    if (!mpx__read_int(last, &size)) return mpx__word_fail(in, MPX_ERR_NUMBER, last);
    if (pair && !mpx__takes_bits(mode, bits)) return mpx__word_fail(in, MPX_ERR_RANGE, first);
    if (history ? size < 0 : !mpx__takes_size(size)) return mpx__word_fail(in, MPX_ERR_RANGE, last);
    out->quantization = (int16_t)mode;
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
        if (exact) out->quantization = (int16_t)mode;
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
    case MPX_QUANT_INT8: return bits == 0 && size == 0 && history == 0;
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
    int keras = mpx__dialect(&in->opt) == MPX_DIALECT_KERAS,
        any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    if ((keras || any) && mpx__begins_with(word, "mixed_", any)) {
        mpx__slice low = mpx__from(word, 6);
        type = mpx__is_word(low, "float16", any)    ? MPX_F16
               : mpx__is_word(low, "bfloat16", any) ? MPX_BF16
                                                    : MPX_NONE;
        type = mpx__row_of(type)->type;
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
    if (printed || (dialect != MPX_DIALECT_KERAS && mpx__find(whole, '=') != whole.n))
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
    status = mpx__parse_mode(in, mode, any, &quantization);
    if (status != MPX_OK) return status;
    wrong.s = source.s;
    wrong.n = source.n;
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

MPX_API mpx_status mpx_policy_parse_n(const char *text, size_t len, mpx_parse_options opt,
                                      mpx_policy *out, mpx_error *err) {
    mpx__parser in;
    MPX_ASSERT(out != NULL && (text != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__parser_set(&in, text, len, &opt, err);
    return mpx__parse_policy(&in, out);
}

MPX_API mpx_status mpx_policy_parse_with(const char *text, mpx_parse_options opt, mpx_policy *out,
                                         mpx_error *err) {
    return mpx_policy_parse_n(text, mpx__length(text), opt, out, err);
}

MPX_API mpx_status mpx_policy_parse(const char *text, mpx_policy *out, mpx_error *err) {
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
    if (dialect == MPX_DIALECT_KERAS) return mpx__put_keras(out, p, 1);
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

MPX_API size_t mpx_policy_format_with(mpx_policy p, mpx_dialect dialect, char *buf, size_t size) {
    return mpx__format_policy(&p, dialect, buf, size);
}

MPX_API size_t mpx_policy_format(mpx_policy p, char *buf, size_t size) {
    return mpx__format_policy(&p, MPX_DIALECT_ANY, buf, size);
}

/* ---- values ---------------------------------------------------------------------------------- */

MPX_API mpx_policy mpx_policy_with_param(mpx_policy p, mpx_dtype type) {
    p.param = type;
    return p;
}
MPX_API mpx_policy mpx_policy_with_compute(mpx_policy p, mpx_dtype type) {
    p.compute = type;
    return p;
}
MPX_API mpx_policy mpx_policy_with_output(mpx_policy p, mpx_dtype type) {
    p.output = type;
    return p;
}
MPX_API int mpx_policy_equal(mpx_policy a, mpx_policy b) {
    return a.param == b.param && a.compute == b.compute && a.output == b.output &&
           a.quantization == b.quantization && a.weight_bits == b.weight_bits &&
           a.group_size == b.group_size && a.amax_history_length == b.amax_history_length;
}

#if !MPX_NO_KERAS
MPX_API mpx_status mpx_policy_quantize_n(mpx_policy source, const char *mode, size_t len,
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

MPX_API mpx_status mpx_policy_quantize(mpx_policy source, const char *mode, mpx_policy *out,
                                       mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_quantize_n(source, mode, mpx__length(mode), any, out, err);
}
#endif

#if !MPX_NO_TREE
MPX_API mpx_status mpx_policy_cast_to_param(mpx_policy p, mpx_tree src, mpx_arena *arena,
                                            mpx_tree *out, mpx_tree_error *err) {
    return mpx_tree_cast_into(src, p.param, arena, out, err);
}
MPX_API mpx_status mpx_policy_cast_to_compute(mpx_policy p, mpx_tree src, mpx_arena *arena,
                                              mpx_tree *out, mpx_tree_error *err) {
    return mpx_tree_cast_into(src, p.compute, arena, out, err);
}
MPX_API mpx_status mpx_policy_cast_to_output(mpx_policy p, mpx_tree src, mpx_arena *arena,
                                             mpx_tree *out, mpx_tree_error *err) {
    return mpx_tree_cast_into(src, p.output, arena, out, err);
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
    int16_t to;
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

enum { MPX__GROUPS = 16 }; /* groups within groups */
enum { MPX__NOTHING, MPX__ATOM, MPX__REPEATED };

typedef struct mpx__pattern {
    mpx__slice text;
    size_t at, end;            /* where it is read, and up to where */
    size_t wrong, extent;      /* what cannot be read */
    size_t count, atom, depth; /* steps; where those of the last item begin; open groups */
    int last;                  /* what the last item is: MPX__ATOM may be repeated */
    int glob;                  /* else a regular expression */
    int dry, too_large;        /* no steps are made; they were too many */
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
MPX__PRIVATE int mpx__set_takes(int set, uint32_t c) {
    switch (set) {
    case 'd': return mpx__in(c, '0', '9');
    case 'D': return !mpx__in(c, '0', '9');
    case 's': return mpx__is_space(c);
    case 'S': return !mpx__is_space(c);
    case 'w': return mpx__is_word_char(c);
    default: return !mpx__is_word_char(c);
    }
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

/* Is the character in the class, or the set, at `at`? In globs none holds a '/'. */
MPX__PRIVATE int mpx__class_takes(const mpx__pattern *p, size_t at, uint32_t c) {
    mpx__slice t = p->text;
    uint32_t low = 0, high = 0;
    int found = 0, negated, glob = p->glob, first;
    if (t.s[at] == '\\') return mpx__set_takes(t.s[at + 1], c);
    if (glob && c == '/') return 0;
    negated = mpx__class_begin(t, glob, &at);
    for (first = 1; first || t.s[at] != ']'; first = 0) {
        int says = mpx__class_item(t, glob, &at, &low, &high);
        found |= says == MPX__SAYS_CHAR ? mpx__in(c, low, high) : mpx__set_takes(says, c);
    }
    return found != negated;
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
        MPX__KEEP_LOOP(); /* else gcc calls memmove */
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

/* A class; the pattern is read past it. */
MPX__PRIVATE int mpx__read_class(mpx__pattern *p) {
    mpx__slice t = mpx__slice_of(p->text.s, p->end);
    size_t at = p->at, item;
    uint32_t low, high;
    int first;
    (void)mpx__class_begin(t, p->glob, &at);
    for (first = 1; first || at >= t.n || t.s[at] != ']'; first = 0) {
        item = at;
        if (at >= t.n) return mpx__cannot(p, p->at, 1);
        if (mpx__class_item(t, p->glob, &at, &low, &high) == 0)
            return mpx__cannot(p, item, at - item);
    }
    mpx__append(p, MPX__CLASS, p->at);
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

/* Does the "(?P<name>" of `size` bytes at p->at stand before it too, outside escapes and classes?
   Python's re: "redefinition of group name". What stands there has been read. */
MPX__PRIVATE int mpx__name_is_taken(const mpx__pattern *p, size_t size) {
    const char *s = p->text.s;
    size_t i = 0;
    while (i < p->at) {
        if (mpx__same_bytes(s + i, s + p->at, size)) return 1;
        if (s[i] == '[') {
            i += s[i + 1] == '^' ? 2 : 1;
            do { /* a ']' that comes first is one of the class */
                i += s[i] == '\\' ? 2 : 1;
            } while (s[i] != ']');
        }
        i += s[i] == '\\' ? 2 : 1;
    }
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

/* "(", "(?:", "(?P<name>"; other things that begin with "(?" are not for a matcher of this kind. */
MPX__PRIVATE int mpx__read_open(mpx__pattern *p) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 1, known = rest.n < 3 ? rest.n : 3;
    if (mpx__begins_with(rest, "(?:", 0)) {
        size = 3;
    } else if (mpx__begins_with(rest, "(?P<", 0)) {
        size = mpx__read_name(p);
        if (size == 0) return mpx__cannot(p, p->at, 4);
        if (p->dry && mpx__name_is_taken(p, size)) /* asked only when the pattern is set */
            return mpx__cannot(p, p->at, size);
    } else if (rest.n > 1 && rest.s[1] == '?') {
        return mpx__cannot(p, p->at, known);
    }
    if (p->depth == MPX__GROUPS) return mpx__cannot(p, p->at, 1);
    p->depth++;
    mpx__begin_group(p, p->at);
    p->at += size;
    return 1;
}

MPX__PRIVATE int mpx__read_close(mpx__pattern *p) {
    if (p->depth == 0) return mpx__cannot(p, p->at, 1);
    mpx__join_sides(p);
    p->atom = p->group[p->depth].start;
    p->last = MPX__ATOM;
    p->depth--;
    p->at++;
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
    return 1;
}

/* One item of a regular expression. *plain: see mpx__read_item; once, outside all groups. */
MPX__PRIVATE int mpx__read_regex(mpx__pattern *p, int *plain) {
    size_t low, high, repeat = mpx__repeat_size(p, &low, &high);
    uint32_t code;
    char c = p->text.s[p->at];
    if (repeat != 0) return mpx__read_repeat(p, repeat, low, high);
    switch (c) {
    case '|': return mpx__read_bar(p);
    case '(': return mpx__read_open(p);
    case ')': return mpx__read_close(p);
    case '[': return mpx__read_class(p);
    case '\\': return mpx__read_escaped(p);
    case '^':
    case '$':
        mpx__append(p, MPX__HOLDS, (size_t)c);
        p->last = MPX__NOTHING;
        p->at++;
        return 1;
    case '.':
        mpx__append(p, MPX__NO_LINE, 0);
        p->at++;
        return 1;
    default: break;
    }
    p->at += mpx__utf8(mpx__slice_of(p->text.s + p->at, p->end - p->at), &code);
    mpx__append(p, MPX__CHAR, code);
    *plain = code < MPX__NO_UNICODE && p->depth == 0 && mpx__repeat_size(p, &low, &high) == 0;
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
    p->wrong = p->extent = p->count = p->atom = p->depth = 0;
    p->last = MPX__NOTHING;
    p->dry = p->too_large = 0;
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
    const mpx__pattern *p;
    mpx__slice path;
    size_t at;              /* before this character */
    uint32_t before, after; /* the characters on both sides */
    int done;               /* the end of the pattern can be reached here */
    size_t now_count, next_count;
    uint8_t now[MPX_PATTERN_STEPS], next[MPX_PATTERN_STEPS]; /* steps that may take a character */
    uint32_t seen[MPX_PATTERN_STEPS / 32 + 1];               /* steps reached here, one bit each */
} mpx__run;

/* Does the place hold what the letter says? */
MPX__PRIVATE int mpx__holds(const mpx__run *run, uint32_t letter) {
    size_t end = run->path.n;
    int before = run->before != MPX__NO_CHAR && mpx__is_word_char(run->before);
    int after = run->after != MPX__NO_CHAR && mpx__is_word_char(run->after);
    switch (letter) {
    case '^':
    case 'A': return run->at == 0;
    case '$': return run->at == end || (run->at + 1 == end && run->path.s[run->at] == '\n');
    case 'Z': return run->at == end;
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
        if (i == run->p->count) {
            run->done = 1;
        } else if (step->kind == MPX__JUMP) {
            todo[n++] = (uint8_t)((int)i + step->to);
        } else if (step->kind == MPX__FORK) {
            todo[n++] = (uint8_t)(i + 1);
            todo[n++] = (uint8_t)((int)i + step->to);
        } else if (step->kind == MPX__HOLDS) {
            if (mpx__holds(run, step->arg)) todo[n++] = (uint8_t)(i + 1);
        } else {
            run->next[run->next_count++] = (uint8_t)i;
            if ((step->flags & MPX__SKIP) != 0) todo[n++] = (uint8_t)(i + 1);
        }
    }
}

MPX__PRIVATE int mpx__step_takes(const mpx__pattern *p, const mpx__step *step, uint32_t c) {
    switch (step->kind) {
    case MPX__CHAR: return c == step->arg;
    case MPX__NO_LINE: return c != '\n';
    case MPX__EVERY: return 1;
    case MPX__SEGMENT: return c != '/';
    default: return mpx__class_takes(p, step->arg, c);
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

/* Does the pattern match the whole of path[from .. stop)? With `anywhere`: a part of it? Steps by
   steps, and characters by steps: linear in both. */
MPX__PRIVATE int mpx__match(const mpx__pattern *p, mpx__slice path, size_t from, size_t stop,
                            int anywhere) {
    mpx__run run;
    int first;
    run.p = p;
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
        if (first || anywhere) mpx__reach(&run, 0);
        mpx__advance(&run, stop);
        if (run.at == stop || (anywhere && run.done)) return run.done;
        if (run.next_count == 0 && !anywhere) return 0;
        mpx__copy(run.now, run.next, run.next_count);
        run.now_count = run.next_count;
        run.before = run.after;
        run.at += size;
    }
}

#endif /* !MPX_NO_POLICY && !MPX_NO_POLICY_MAP */
/*==========================================================================*
 * MARK: policy_map - policies by path, and by op                            *
 *   An array of keys and policies, the caller's. A path is looked up among  *
 *   the keys as it is; then the keys are patterns, tried in their order.    *
 *==========================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP

/* Both fill the result field by field: a shared helper makes small cores call memcpy. */
MPX_API mpx_policy_map mpx_policy_map_of(mpx_map_entry *entries, size_t capacity,
                                         mpx_policy fallback) {
    mpx_policy_map map;
    map.entries = entries;
    map.capacity = capacity;
    map.count = 0;
    map.fallback = fallback;
    map.patterns = MPX_PATTERNS_GLOB;
    map.first_wins = 0;
    map.match = NULL;
    map.user = NULL;
    return map;
}

#if !MPX_NO_REGEX
MPX_API mpx_policy_map mpx_policy_map_keras(mpx_map_entry *entries, size_t capacity,
                                            mpx_policy fallback) {
    mpx_policy_map map;
    map.entries = entries;
    map.capacity = capacity;
    map.count = 0;
    map.fallback = fallback;
    map.patterns = MPX_PATTERNS_REGEX;
    map.first_wins = 0;
    map.match = NULL;
    map.user = NULL;
    return map;
}
#endif

/* ---- looking up ------------------------------------------------------------------------------ */

/* The entry with this very key, or MPX_MAP_DEFAULT. */
MPX__PRIVATE size_t mpx__find_key(const mpx_policy_map *map, mpx__slice key) {
    size_t i;
    for (i = 0; i < map->count; i++)
        if (map->entries[i].length == key.n && mpx__same_bytes(map->entries[i].key, key.s, key.n))
            return i;
    return MPX_MAP_DEFAULT;
}

MPX__PRIVATE int mpx__has_part(mpx__slice path, mpx__slice part) {
    for (; path.n >= part.n; path.s++, path.n--) {
        if (mpx__same_bytes(path.s, part.s, part.n)) return 1;
        if (path.n == 0) break;
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
    return mpx__match(&p, path, prefix, path.n - suffix, kind == MPX_PATTERNS_SEARCH);
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
        if (matches < 0) return matches;
        if (matches == 0) continue;
        *other = i;
        if (found != MPX_MAP_DEFAULT) return MPX_ERR_AMBIGUOUS;
        *index = found = i;
        if (map->first_wins) return MPX_OK;
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                         size_t *index) {
    size_t found, other;
    mpx_status status =
        mpx__find_entry(map, mpx__slice_of(path != NULL ? path : "", len), &found, &other);
    if (status == MPX_OK) *index = found;
    return status;
}

MPX_API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index) {
    return mpx_policy_map_find_n(map, path, mpx__length(path), index);
}

MPX__INLINE const mpx_policy *mpx__policy_at(const mpx_policy_map *map, size_t index) {
    return index == MPX_MAP_DEFAULT ? &map->fallback : &map->entries[index].policy;
}

MPX_API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path,
                                      mpx_policy *out) {
    size_t index = 0;
    mpx_status status = mpx_policy_map_find(map, path, &index);
    if (status == MPX_OK) mpx__copy(out, mpx__policy_at(map, index), sizeof *out);
    return status;
}

MPX_API int mpx_policy_map_contains(const mpx_policy_map *map, const char *key) {
    return mpx__find_key(map, mpx__slice_of(key, mpx__length(key))) != MPX_MAP_DEFAULT;
}

/* ---- changing -------------------------------------------------------------------------------- */

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
    (void)mpx__fail(err, MPX_OK, 0, 0);
    if (mpx__find_key(map, text) != MPX_MAP_DEFAULT)
        return mpx__fail(err, MPX_ERR_EXISTS, 0, text.n);
    if (map->count >= map->capacity) return mpx__fail(err, MPX_ERR_SPACE, 0, 0);
    status = mpx__check_pattern(map->patterns, text, &outline, err);
    if (status != MPX_OK) return status;
    entry = &map->entries[map->count++];
    entry->key = text.s;
    entry->length = text.n;
    mpx__copy(&entry->policy, policy, sizeof *policy);
    entry->leaves = 0;
    entry->prefix = outline.prefix;
    entry->suffix = outline.suffix;
    mpx__copy(entry->needs, outline.needs, sizeof outline.needs);
    return MPX_OK;
}

MPX_API mpx_status mpx_policy_map_set_n(mpx_policy_map *map, const char *key, size_t len,
                                        mpx_policy policy, mpx_error *err) {
    return mpx__map_set(map, mpx__slice_of(key != NULL ? key : "", len), &policy, err);
}

MPX_API mpx_status mpx_policy_map_set(mpx_policy_map *map, const char *key, mpx_policy policy,
                                      mpx_error *err) {
    return mpx__map_set(map, mpx__slice_of(key, mpx__length(key)), &policy, err);
}

MPX_API mpx_status mpx_policy_map_delete(mpx_policy_map *map, const char *key) {
    size_t i = mpx__find_key(map, mpx__slice_of(key, mpx__length(key)));
    if (i == MPX_MAP_DEFAULT) return MPX_ERR_MISSING;
    for (map->count--; i < map->count; i++)
        mpx__copy(&map->entries[i], &map->entries[i + 1], sizeof *map->entries);
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

MPX_API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
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

MPX_API size_t mpx_error_line(const mpx_error *err, const char *text) {
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
    int quoted;
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
    return 1;
}

/* patterns = glob; first_wins = 1. */
MPX__PRIVATE mpx_status mpx__set_patterns(const mpx__map_text *in, mpx_policy_map *map) {
    int kind;
    for (kind = MPX_PATTERNS_GLOB; kind <= MPX_PATTERNS_EXACT; kind++)
        if (mpx__is_word(in->value, mpx__patterns_word(kind), 0)) {
            map->patterns = kind;
            return MPX_OK;
        }
    return mpx__word_fail(&in->from, MPX_ERR_ARGUMENT, in->value);
}

MPX__PRIVATE mpx_status mpx__read_setting(const mpx__map_text *in, mpx_policy_map *map,
                                          const mpx_policy *policy) {
    if (map->count != 0) return mpx__word_fail(&in->from, MPX_ERR_ORDER, in->key);
    if (policy != NULL) {
        mpx__copy(&map->fallback, policy, sizeof *policy);
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
    return mpx__map_text_inside(in, status, in->key);
}

MPX_API mpx_status mpx_policy_map_parse_n(mpx_policy_map *map, const char *text, size_t len,
                                          mpx_parse_options opt, mpx_error *err) {
    mpx__map_text in;
    mpx_policy_map read;
    int more;
    mpx__copy(&read, map, sizeof read);
    mpx__parser_set(&in.from, text, len, &opt, err);
    in.at = mpx__begins_with(in.from.text, "\xef\xbb\xbf", 0) ? 3 : 0; /* a byte-order mark */
    while ((more = mpx__map_line(&in)) > 0) {
        mpx_status status = mpx__map_read_line(&in, &read);
        if (status != MPX_OK) return status;
    }
    if (more == 0) mpx__copy(map, &read, sizeof read);
    return more;
}

MPX_API mpx_status mpx_policy_map_parse(mpx_policy_map *map, const char *text, mpx_error *err) {
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
    mpx__put_char(out, '\n');
    return good;
}

MPX_API size_t mpx_policy_map_format(const mpx_policy_map *map, char *buf, size_t size) {
    const char *patterns = mpx__patterns_word(map->patterns);
    mpx__printer out;
    size_t i;
    int good;
    mpx__print_to(&out, buf, size);
    if (patterns == NULL) return 0;
    mpx__put(&out, "default = ");
    good = mpx__put_policy_text(&out, &map->fallback);
    mpx__put(&out, "\npatterns = ");
    mpx__put(&out, patterns);
    mpx__put(&out, map->first_wins ? "\nfirst_wins = 1\n" : "\nfirst_wins = 0\n");
    for (i = 0; i < map->count; i++)
        good &= mpx__put_entry(&out, &map->entries[i]);
    if (!good) mpx__print_to(&out, buf, size);
    return out.length;
}

/* ---- layers ---------------------------------------------------------------------------------- */

MPX__INLINE const char *mpx__text_or_empty(const char *text) { return text != NULL ? text : ""; }

MPX_API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                             size_t count, mpx_error *err) {
    size_t before = map->count, i;
    for (i = 0; i < count; i++) {
        mpx_status status =
            mpx_policy_map_set(map, mpx__text_or_empty(layers[i].path), layers[i].policy, err);
        if (status == MPX_OK) continue;
        map->count = before;
        return status;
    }
    return MPX_OK;
}

MPX_API mpx_status mpx_policy_map_apply(const mpx_policy_map *map, mpx_layer *layers, size_t count,
                                        size_t *wrong) {
    mpx_policy policy;
    size_t i;
    int work;
    for (work = 0; work < 2; work++)
        for (i = 0; i < count; i++) {
            mpx_status status =
                mpx_policy_map_get(map, mpx__text_or_empty(layers[i].path), &policy);
            if (status != MPX_OK && wrong != NULL) *wrong = i;
            if (status != MPX_OK) return status;
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

MPX_API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer) {
    const char *op = mpx__text_or_empty(layer->op);
    if (filter == NULL) return 1;
    if ((filter->only != NULL) + (filter->except != NULL) + (filter->select != NULL) > 1)
        return MPX_ERR_ARGUMENT;
    if (filter->only != NULL) return mpx__is_listed(filter->only, op);
    if (filter->except != NULL) return !mpx__is_listed(filter->except, op);
    return filter->select != NULL ? filter->select(layer, filter->user) : 1;
}

MPX_API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                           const mpx_layer_filter *filter) {
    size_t i;
    int work;
    for (work = 0; work < 2; work++)
        for (i = 0; i < count; i++) {
            int takes = mpx_layer_filter_takes(filter, &layers[i]);
            if (takes < 0) return takes;
            if (takes && work) mpx__copy(&layers[i].policy, &policy, sizeof policy);
        }
    return MPX_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */
#if !MPX_NO_TREE

MPX_API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                           mpx_tree_error *err) {
    mpx__walk walk;
    size_t before = map->count;
    mpx_status status = MPX_OK;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while (status == MPX_OK && (more = mpx__walk_next(&walk)) != 0) {
        mpx_dtype type = walk.leaf.dtype;
        mpx_policy same;
        if (more < 0) {
            map->count = before;
            return more;
        }
        if (!mpx_dtype_is_floating(type)) continue;
        mpx__policy_set(&same, type, type, type);
        status = mpx__path_is_built(&walk)
                     ? MPX_ERR_ARGUMENT
                     : mpx_policy_map_set(map, mpx__text_or_empty(walk.leaf.path), same, NULL);
    }
    if (status == MPX_OK) return MPX_OK;
    map->count = before;
    return mpx__leaf_fail(&walk, status, MPX_NONE, MPX_NONE);
}

MPX__PRIVATE void mpx__clear_leaves(mpx_policy_map *map) {
    size_t i;
    for (i = 0; i < map->count; i++)
        map->entries[i].leaves = 0;
}

MPX_API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                               mpx_tree_error *err) {
    mpx__walk walk;
    int more;
    mpx__clear_leaves(map);
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        size_t index = MPX_MAP_DEFAULT;
        mpx_status status;
        if (!mpx_dtype_is_floating(walk.leaf.dtype)) continue;
        status = mpx_policy_map_find(map, mpx__text_or_empty(walk.leaf.path), &index);
        if (status != MPX_OK) {
            mpx__clear_leaves(map);
            return mpx__leaf_fail(&walk, status, MPX_NONE, MPX_NONE);
        }
        if (index != MPX_MAP_DEFAULT) map->entries[index].leaves++;
    }
    if (more < 0) mpx__clear_leaves(map);
    return more;
}

/* The dtype a leaf gets. */
MPX__PRIVATE mpx_status mpx__map_dtype(const mpx_policy_map *map, int role, const char *path,
                                       mpx_dtype *to) {
    const mpx_policy *policy;
    size_t index = 0;
    mpx_status status = mpx_policy_map_find(map, mpx__text_or_empty(path), &index);
    if (status != MPX_OK) return status;
    policy = mpx__policy_at(map, index);
    *to = role == MPX_ROLE_PARAM     ? policy->param
          : role == MPX_ROLE_COMPUTE ? policy->compute
                                     : policy->output;
    return MPX_OK;
}

MPX__INLINE mpx__aim mpx__aim_by(const mpx_policy_map *map, int role) {
    mpx__aim aim = mpx__aim_at(MPX_NONE);
    aim.map = map;
    aim.role = role;
    return aim;
}

MPX_API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, int role, mpx_tree tree,
                                          mpx_tree_size *size, mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    size_t data;
    return mpx__measure(&tree, &aim, size, &data, err);
}

#if !MPX_NO_STATS
MPX_API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, int role, mpx_tree tree,
                                          mpx_cast_report *reports, size_t capacity, size_t *count,
                                          mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__dry_run(&tree, &aim, reports, capacity, count, err);
}
#endif

MPX_API mpx_status mpx_policy_map_cast_into(const mpx_policy_map *map, int role, mpx_tree src,
                                            mpx_arena *arena, mpx_tree *out, mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__cast_into(&src, &aim, arena, out, err);
}

MPX_API mpx_status mpx_policy_map_cast_in_place(const mpx_policy_map *map, int role, mpx_tree tree,
                                                mpx_tree_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__cast_in_place(&tree, &aim, err);
}

MPX_API mpx_status mpx_policy_map_cast_to_param(const mpx_policy_map *map, mpx_tree src,
                                                mpx_arena *arena, mpx_tree *out,
                                                mpx_tree_error *err) {
    return mpx_policy_map_cast_into(map, MPX_ROLE_PARAM, src, arena, out, err);
}
MPX_API mpx_status mpx_policy_map_cast_to_compute(const mpx_policy_map *map, mpx_tree src,
                                                  mpx_arena *arena, mpx_tree *out,
                                                  mpx_tree_error *err) {
    return mpx_policy_map_cast_into(map, MPX_ROLE_COMPUTE, src, arena, out, err);
}
MPX_API mpx_status mpx_policy_map_cast_to_output(const mpx_policy_map *map, mpx_tree src,
                                                 mpx_arena *arena, mpx_tree *out,
                                                 mpx_tree_error *err) {
    return mpx_policy_map_cast_into(map, MPX_ROLE_OUTPUT, src, arena, out, err);
}

#endif /* !MPX_NO_TREE */
#endif /* !MPX_NO_POLICY && !MPX_NO_POLICY_MAP */
/*==========================================================================*
 * MARK: default_policy - the policy of those who say none                   *
 *   The one object of this header that changes. Every thread has its own    *
 *   where the compiler knows thread-local variables.                        *
 *==========================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_DEFAULT_POLICY

static MPX__THREAD_LOCAL mpx_policy mpx__default_policy = { MPX_F32, MPX_F32, MPX_F32, 0, 0, 0, 0 };

MPX_API mpx_policy mpx_default_policy_get(void) { return mpx__default_policy; }

MPX_API void mpx_default_policy_set(mpx_policy p) { mpx__default_policy = p; }

MPX_API mpx_policy mpx_default_policy_push(mpx_policy p) {
    mpx_policy before = mpx__default_policy;
    mpx__default_policy = p;
    return before;
}

MPX_API void mpx_default_policy_pop(mpx_policy before) { mpx__default_policy = before; }

MPX_API mpx_policy mpx_policy_or_default(mpx_policy p) {
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

MPX__PRIVATE mpx_loss_scale mpx__loss_scale_make(int kind, uint32_t scale_bits, uint32_t min_bits) {
    mpx_loss_scale s;
    s.kind = kind;
    mpx__write32(&s.scale, scale_bits);
    s.counter = 0;
    s.period = 2000;
    s.factor = 2.0f;
    mpx__write32(&s.min_scale, min_bits);
    s.resets = 0;
    s.dialect = MPX_DIALECT_ANY;
    s.max_scale = 0.0f;
    s.hysteresis = 0;
    s.misses = 0;
    return s;
}

MPX_API mpx_loss_scale mpx_loss_scale_noop(void) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_NOOP, MPX__F32_ONE, 0);
}
MPX_API mpx_loss_scale mpx_loss_scale_static(float scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_STATIC, mpx__bits(scale), 0);
}
MPX_API mpx_loss_scale mpx_loss_scale_dynamic(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_DYNAMIC, mpx__bits(initial_scale),
                                MPX__F32_ONE);
}
MPX_API mpx_loss_scale mpx_loss_scale_axon(float initial_scale) {
    mpx_loss_scale s = mpx_loss_scale_dynamic(initial_scale);
    s.dialect = MPX_DIALECT_AXON;
    return s;
}
MPX_API mpx_loss_scale mpx_loss_scale_jaxamp(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_JAXAMP, mpx__bits(initial_scale), 0);
}
MPX_API mpx_loss_scale mpx_loss_scale_keras(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_KERAS, mpx__bits(initial_scale), 0);
}

/* ---- bits of floats, as far as the rules need them ------------------------------------------- */

MPX__INLINE int mpx__is_finite(uint32_t u) { return u << 1 < MPX__F32_INF << 1; }
/* Order-preserving: bits to unsigned numbers that compare as the floats do. */
MPX__INLINE uint32_t mpx__order(uint32_t u) { return u >> 31 != 0 ? ~u : u | 0x80000000u; }
MPX__ONCE int mpx__is_above(uint32_t a, uint32_t b) { return mpx__order(a) > mpx__order(b); }
MPX__INLINE int32_t mpx__increment(int32_t x) { return x + (x != INT32_MAX); }
/* max as XLA has it: NaN if either is. */
MPX__INLINE uint32_t mpx__max_f32(uint32_t a, uint32_t b) {
    if (mpx__is_nan(a)) return a;
    return mpx__is_nan(b) || mpx__is_above(b, a) ? b : a;
}

MPX__INLINE uint32_t mpx__scale_bits(const mpx_loss_scale *s) {
    return s->kind == MPX_LOSS_SCALE_NOOP ? MPX__F32_ONE : mpx__read32(&s->scale);
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
    uint32_t scale = mpx__read32(&s->scale), factor = mpx__read32(&s->factor);
    uint32_t moved = mpx__f32_times(scale, factor, !finite, 0);
    int dynamic = s->kind == MPX_LOSS_SCALE_DYNAMIC, jaxamp = s->kind == MPX_LOSS_SCALE_JAXAMP;
    int grow = jaxamp ? s->counter >= s->period
                      : s->counter < s->period && s->counter + 1 == s->period;
    int32_t counter = 0;
    if (!finite) {
        scale = dynamic ? mpx__max_f32(mpx__read32(&s->min_scale), moved) : moved;
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
    uint32_t now = mpx__read32(&s->scale), most = mpx__read32(&s->max_scale);
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
    uint32_t before = mpx__read32(&s.scale);
    if (s.kind >= MPX_LOSS_SCALE_DYNAMIC && s.kind <= MPX_LOSS_SCALE_KERAS) {
        mpx__adjust(&s, grads_finite);
        mpx__bind(&s, before, grads_finite);
    }
    return s;
}

MPX_API mpx_status mpx_loss_scale_check(mpx_loss_scale s) {
    uint32_t scale = mpx__read32(&s.scale), factor = mpx__read32(&s.factor),
             min = mpx__read32(&s.min_scale), most = mpx__read32(&s.max_scale);
    if (!mpx__is_dialect(s.dialect)) return MPX_ERR_ARGUMENT;
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
MPX_API int mpx_loss_scale_is_stuck(mpx_loss_scale s) {
    mpx_loss_scale next;
    uint32_t now = mpx__read32(&s.scale), then;
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
    *u = mpx__divide(MPX__F32_ONE, *u);
    return 0;
}

MPX_API float mpx_loss_scale_value(mpx_loss_scale s) {
    return mpx__float(mpx__scale_bits(&s));
}

MPX_API float mpx_loss_scale_scale(mpx_loss_scale s, float x) {
    return mpx__float(mpx__multiply(mpx__bits(x), mpx__scale_bits(&s)));
}

MPX_API float mpx_loss_scale_unscale(mpx_loss_scale s, float x) {
    uint32_t u, bits = mpx__bits(x);
    int divide = mpx__unscale_factor(&s, &u);
    return mpx__float(divide ? mpx__divide(bits, u) : mpx__multiply(bits, u));
}

MPX_API mpx_status mpx_loss_scale_scale_n(mpx_loss_scale s, void *dst, mpx_dtype dst_type,
                                          const void *src, mpx_dtype src_type, size_t n) {
    mpx__factor f;
    mpx__factor_set(&f, mpx__scale_bits(&s), 0);
    return mpx__scale_elements(dst, dst_type, src, src_type, n, &f, NULL);
}

MPX_API mpx_status mpx_loss_scale_unscale_n(mpx_loss_scale s, void *dst, mpx_dtype dst_type,
                                            const void *src, mpx_dtype src_type, size_t n,
                                            int *finite) {
    mpx__factor f;
    uint32_t u;
    int divide = mpx__unscale_factor(&s, &u), axon = s.dialect == MPX_DIALECT_AXON;
    int infinite = axon && finite != NULL && mpx_any_infinite(src, src_type, n);
    mpx_status status;
    mpx__factor_set(&f, u, divide);
    status = mpx__scale_elements(dst, dst_type, src, src_type, n, &f, axon ? NULL : finite);
    if (status == MPX_OK && axon && finite != NULL) *finite = !infinite;
    return status;
}

#if !MPX_NO_TREE
MPX_API mpx_status mpx_loss_scale_scale_tree(mpx_loss_scale s, mpx_tree dst, mpx_tree src,
                                             mpx_tree_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__scale_bits(&s), 0, NULL, err);
}

MPX_API mpx_status mpx_loss_scale_unscale_tree(mpx_loss_scale s, mpx_tree dst, mpx_tree src,
                                               int *finite, mpx_tree_error *err) {
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

/* Thirteen little-endian words: "MPXL", format version, then the fields in the order of the struct.
   Version 1 has the first ten: no maximum, no hysteresis. */
enum {
    MPX__STATE_MAGIC = 0x4c58504d,
    MPX__STATE_VERSION = 2,
    MPX__STATE_WORDS = MPX_LOSS_SCALE_BYTES / 4,
    MPX__STATE_WORDS_1 = 10
};

MPX_API void mpx_loss_scale_save(mpx_loss_scale s, void *bytes) {
    unsigned char *out = (unsigned char *)bytes;
    uint32_t word[MPX__STATE_WORDS];
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
    for (i = 0; i < MPX_LOSS_SCALE_BYTES; i++)
        out[i] = (unsigned char)(word[i / 4] >> (8 * (i % 4)) & 255u);
}

MPX__INLINE int32_t mpx__signed(uint32_t u) {
    return u > 0x7fffffffu ? -(int32_t)(0xffffffffu - u) - 1 : (int32_t)u;
}

/* The words of a state of either version, those that it lacks as 0. Returns 0 if it is none. */
MPX__PRIVATE int mpx__read_state(const unsigned char *in, size_t size, uint32_t *word) {
    int i, words = (int)(size / 4);
    if (size != MPX_LOSS_SCALE_BYTES && size != 4 * MPX__STATE_WORDS_1) return 0;
    for (i = 0; i < MPX__STATE_WORDS; i++) {
        const unsigned char *p = in + 4 * (i < words ? i : 0);
        uint32_t x = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        word[i] = i < words ? x : 0;
    }
    return word[0] == MPX__STATE_MAGIC &&
           word[1] == (words == MPX__STATE_WORDS_1 ? 1u : (uint32_t)MPX__STATE_VERSION) &&
           word[2] <= MPX_LOSS_SCALE_KERAS && word[9] <= MPX_DIALECT_EFORMER_PUT;
}

MPX_API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out) {
    uint32_t word[MPX__STATE_WORDS];
    mpx_loss_scale s;
    if (!mpx__read_state((const unsigned char *)bytes, size, word)) return MPX_ERR_STATE;
    s = mpx__loss_scale_make((int)word[2], word[3], word[7]);
    s.counter = mpx__signed(word[4]);
    s.period = mpx__signed(word[5]);
    mpx__write32(&s.factor, word[6]);
    s.resets = mpx__signed(word[8]);
    s.dialect = (int)word[9];
    mpx__write32(&s.max_scale, word[10]);
    s.hysteresis = mpx__signed(word[11]);
    s.misses = mpx__signed(word[12]);
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
                                         mpx_tree_error *err) {
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

/* A callback's failure, told as of no leaf. */
MPX__PRIVATE mpx_status mpx__call_fail(mpx_tree_error *err, mpx_status status) {
    if (err == NULL) return status;
    mpx__zero(err, sizeof *err);
    err->status = status;
    err->index = (size_t)-1;
    return status;
}

/* Scale and differentiate, unscale by the same state, look at the whole result: the unscaled
   gradients, the auxiliary values as they are, and the loss, if it is asked for. */
MPX__PRIVATE mpx_status mpx__grad_once(const mpx_loss_scale *s, const mpx_grad_call *call,
                                       int value, mpx_grad_result *out, mpx_tree_error *err) {
    int grads_pass = 1, aux_passes = 1;
    mpx_status status = call->evaluate(*s, &out->loss, call->user);
    if (status != MPX_OK) return mpx__call_fail(err, status);
    status = mpx_loss_scale_unscale_tree(*s, call->grads, call->scaled_grads, &grads_pass, err);
    if (status == MPX_OK) status = mpx__tree_passes(s, &call->aux, &aux_passes, err);
    if (status != MPX_OK) return status;
    (void)mpx_loss_scale_unscale_n(*s, &out->loss, MPX_F32, &out->loss, MPX_F32, 1, NULL);
    out->finite = grads_pass && aux_passes && (!value || mpx__loss_passes(s, &out->loss));
    return MPX_OK;
}

/* The state is adjusted after every evaluation, the last too. */
MPX__PRIVATE mpx_status mpx__grad_steps(mpx_loss_scale *scale, const mpx_grad_call *call, int value,
                                        mpx_grad_result *result, mpx_tree_error *err) {
    mpx_loss_scale s = *scale;
    mpx_grad_result out;
    out.evaluations = 0;
    do {
        mpx_status status;
        mpx__zero(&out.loss, sizeof out.loss);
        status = mpx__grad_once(&s, call, value, &out, err);
        if (status != MPX_OK) return status;
        s = mpx_loss_scale_adjust(s, out.finite);
        out.evaluations++;
    } while (!out.finite && out.evaluations <= call->redo_on_nan);
    *scale = s;
    if (result != NULL) *result = out;
    return MPX_OK;
}

MPX_API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                       mpx_grad_result *result, mpx_tree_error *err) {
    return mpx__grad_steps(scale, call, 0, result, err);
}

MPX_API mpx_status mpx_loss_scale_value_and_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                                 mpx_grad_result *result, mpx_tree_error *err) {
    return mpx__grad_steps(scale, call, 1, result, err);
}

#endif /* !MPX_NO_LOSS_SCALE && !MPX_NO_TREE */
/*==========================================================================*
 * MARK: interop - the same dtypes in other systems, and the nearest word    *
 *   One row per dtype, its numbers and names in each system beside it.      *
 *   Everything else is a search in that table. -1 and "": that system has   *
 *   no such dtype.                                                          *
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
static const mpx__interop_row mpx__interop_rows[MPX_DTYPE_COUNT] = {
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
    return &mpx__interop_rows[mpx__row_of(type)->type];
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
    switch (system) {
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

MPX_API mpx_status mpx_interop_code(mpx_system system, mpx_dtype type, int64_t *code) {
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

MPX_API mpx_status mpx_interop_dtype(mpx_system system, int64_t code, mpx_dtype *out) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL);
    if (!mpx__is_system(system)) return MPX_ERR_ARGUMENT;
    if (code < 0) return MPX_ERR_DTYPE; /* -1 in the table is no number */
    for (type = MPX_NONE + 1; type < MPX_DTYPE_COUNT; type++) {
        if (mpx__interop_code(system, type) == code || mpx__is_signless(system, code, type)) {
            *out = type;
            return MPX_OK;
        }
    }
    return MPX_ERR_DTYPE;
}

/* ---- DLPack ---------------------------------------------------------------------------------- */

MPX_API mpx_status mpx_interop_dlpack(mpx_dtype type, mpx_dlpack *out) {
    int code = mpx__interop_row_of(type)->dlpack;
    MPX_ASSERT(out != NULL);
    if (code < 0) return MPX_ERR_DTYPE;
    out->code = (uint8_t)code;
    out->bits = mpx__row_of(type)->bits;
    out->lanes = 1;
    return MPX_OK;
}

MPX_API mpx_status mpx_interop_dlpack_dtype(mpx_dlpack format, mpx_dtype *out) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL);
    for (type = MPX_NONE + 1; type < MPX_DTYPE_COUNT; type++) {
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

MPX_API const char *mpx_interop_name(mpx_system system, mpx_dtype type) {
    const mpx__interop_row *row = mpx__interop_row_of(type);
    switch (system) {
    case MPX_SYSTEM_SAFETENSORS: return row->safetensors;
    case MPX_SYSTEM_GGUF: return row->ggml;
    case MPX_SYSTEM_ONNX: return row->onnx;
    case MPX_SYSTEM_ARROW: return row->arrow;
    case MPX_SYSTEM_NUMPY: return mpx_dtype_name(type);
    case MPX_SYSTEM_NUMPY_STR: return row->numpy;
    case MPX_SYSTEM_TORCH: return mpx__torch_name(type);
    case MPX_SYSTEM_JAX: return mpx_dtype_name(type);
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

MPX_API mpx_status mpx_interop_parse_n(mpx_system system, const char *name, size_t len,
                                       mpx_dtype *out, mpx_error *err) {
    mpx_dtype type;
    MPX_ASSERT(out != NULL && (name != NULL || len == 0));
    if (!mpx__is_system(system)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    if (len == 0) return mpx__fail(err, MPX_ERR_EMPTY, 0, 0);
    for (type = MPX_NONE + 1; type < MPX_DTYPE_COUNT; type++) {
        if (mpx__means(system, mpx__slice_of(name, len), type)) {
            *out = type;
            return mpx__fail(err, MPX_OK, 0, 0);
        }
    }
    return mpx__fail(err, MPX_ERR_DTYPE, 0, len);
}

MPX_API mpx_status mpx_interop_parse(mpx_system system, const char *name, mpx_dtype *out,
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
        MPX__KEEP_LOOP(); /* gcc 12 would warn of its own vectors */
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
    mpx_system system;
    for (system = MPX_SYSTEM_NONE + 1; system < MPX_SYSTEM_COUNT; system++) {
        const char *name = mpx_interop_name(system, type);
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

MPX_API mpx_dtype mpx_dtype_suggest(const char *word, size_t len) {
    mpx__nearest nearest;
    mpx_dtype type;
    size_t i;
    MPX_ASSERT(word != NULL || len == 0);
    if (len == 0 || len > MPX__NEAR_WORD) return MPX_NONE;
    nearest.word = mpx__slice_of(word, len);
    if (mpx__has_byte_order(word[0]) || mpx__ambiguity_of(nearest.word) != NULL) return MPX_NONE;
    nearest.edits = (len >= 5 ? 2 : len >= 3 ? 1 : 0) + 1; /* less than half of the word */
    nearest.type = MPX_NONE;
    for (type = MPX_NONE + 1; type < MPX_DTYPE_COUNT; type++) {
        mpx__consider(&nearest, mpx_dtype_name(type), type);
        mpx__consider(&nearest, mpx_dtype_short_name(type), type);
        mpx__consider_systems(&nearest, type);
    }
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if ((mpx__aliases[i].systems & MPX__ANY) != 0 &&
            !mpx__has_byte_order(mpx__aliases[i].word[0]))
            mpx__consider(&nearest, mpx__aliases[i].word, mpx__aliases[i].dtype);
    return nearest.type;
}
#endif /* !MPX_NO_INTEROP */
/*==========================================================================*
 * MARK: promote - the dtype that operands of different dtypes meet in       *
 *   JAX's lattice, drawn below; the answer is the least dtype that is above *
 *   every operand, if there is one.                                         *
 *==========================================================================*/
#if !MPX_NO_PROMOTE

/* A set of dtypes, weak numbers among them: they are the negative ones. */
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
                          MPX__SET(MPX_F8E4M3FN) | MPX__SET(MPX_F8E5M2) |
                          MPX__SET(MPX_F8E4M3FNUZ) | MPX__SET(MPX_F8E5M2FNUZ) |
                          MPX__SET(MPX_F8E4M3B11FNUZ) | MPX__SET(MPX_F8E4M3) |
                          MPX__SET(MPX_F8E3M4) | MPX__SET(MPX_F8E8M0FNU) | MPX__SET(MPX_F6E2M3FN) |
                          MPX__SET(MPX_F6E3M2FN) | MPX__SET(MPX_F4E2M1FN) },
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
    switch (type) {
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

MPX_API mpx_status mpx_dtype_promote(const mpx_dtype *types, size_t n, mpx_dialect dialect,
                                     mpx_dtype *out) {
    uint64_t above_all = ~(uint64_t)0;
    int keras = dialect == MPX_DIALECT_KERAS;
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
    for (type = MPX_WEAK_COMPLEX; type < MPX_DTYPE_COUNT; type++) {
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

MPX_API const mpx_amp_rule *mpx_amp_default_rules(size_t *count) {
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

MPX_API mpx_status mpx_amp_rules_parse_n(const char *text, size_t len, mpx_amp_rule *rules,
                                         size_t capacity, size_t *count, mpx_error *err) {
    mpx__slice all = mpx__slice_of(text != NULL ? text : "", len), wrong = all;
    size_t needed;
    mpx_status status = mpx__amp_parse(all, NULL, capacity, &needed, &wrong);
    if (status != MPX_OK) return mpx__fail(err, status, (size_t)(wrong.s - all.s), wrong.n);
    (void)mpx__amp_parse(all, rules, capacity, count, &wrong);
    return mpx__fail(err, MPX_OK, 0, 0);
}

MPX_API mpx_status mpx_amp_rules_parse(const char *text, mpx_amp_rule *rules, size_t capacity,
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
                                                    : mpx_dtype_short_name(precision));
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
    return mpx_dtype_is_floating(rule->precision) ||
           (rule->precision <= MPX_AMP_ORIGINAL && rule->precision >= MPX_AMP_NO_RULE);
}

MPX_API size_t mpx_amp_rules_format(const mpx_amp_rule *rules, size_t count, char *buf,
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
    static const uint8_t order[4] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16 };
    size_t i, k;
    for (k = 0; k < 4; k++)
        for (i = 0; i < count; i++)
            if (mpx__amp_plain(&operands[i]) == (int)order[k]) return order[k];
    if (!mpx__is_jaxamp(amp) || mpx__amp_plain(&operands[0]) < 0) return MPX_NONE;
    return mpx__amp_plain(&operands[0]);
}

/* The dtype that all operands get, MPX_NONE: each its plain one; negative: a status. */
MPX__PRIVATE int mpx__amp_target(const mpx_amp *amp, const mpx_amp_rule *rule,
                                 const mpx_amp_operand *operands, size_t count) {
    mpx_dtype target = rule->precision;
    if (target == MPX_AMP_COMPUTE) {
        target = amp->compute;
    } else if (target == MPX_AMP_WIDEST) {
        if (count == 0 && mpx__is_jaxamp(amp)) return MPX_ERR_ARGUMENT;
        target = mpx__amp_widest(amp, operands, count);
    }
    if (target == MPX_NONE || mpx_dtype_is_floating(target)) return target;
    return mpx__row_of(target)->bits != 0 && mpx__is_jaxamp(amp) ? target : MPX_ERR_DTYPE;
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
    int target, any;
    if (status != MPX_OK) return status;
    if (rule == NULL) {
        if (!mpx__is_jaxamp(amp)) (void)mpx__amp_aim(amp, MPX_NONE, operands, count);
        return MPX_OK;
    }
    if (rule->custom != NULL) return mpx__amp_custom(amp, op, operands, count, out);
    target = mpx__amp_target(amp, rule, operands, count);
    if (target < 0) return target;
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

MPX_API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                               mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer) {
    mpx__amp_scopes scopes;
    mpx__amp_path(&scopes, amp, scope);
    return mpx__amp_answer(amp, op, &scopes, operands, count, answer);
}

/* ---- one operation after the other ----------------------------------------------------------- */

MPX_API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope) {
    if (run->scope_count >= run->scope_capacity) return MPX_ERR_SPACE;
    run->scopes[run->scope_count++] = scope;
    return MPX_OK;
}

MPX_API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run) {
    if (run->scope_count == 0) return MPX_ERR_SCOPE;
    run->scope_count--;
    return MPX_OK;
}

MPX_API mpx_status mpx_amp_eager_ask(const mpx_amp_eager *run, const char *op,
                                     mpx_amp_operand *operands, size_t count,
                                     mpx_amp_answer *answer) {
    mpx__amp_scopes scopes;
    mpx__amp_path(&scopes, &run->amp, NULL);
    scopes.names = run->scopes;
    scopes.left = run->scope_count;
    return mpx__amp_answer(&run->amp, op, &scopes, operands, count, answer);
}

MPX_API void mpx_amp_eager_forget(mpx_amp_eager *run) {
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

/* A complex number becomes its real part. */
MPX__PRIVATE mpx_status mpx__amp_convert(void *dst, const mpx_amp_operand *operand) {
    size_t wide = mpx_dtype_bytes(operand->dtype, 1), narrow = mpx_dtype_bytes(operand->to, 1);
    mpx_dtype part = operand->dtype == MPX_C64 ? MPX_F32 : MPX_F64;
    if (mpx__row_of(operand->dtype)->kind == MPX_KIND_COMPLEX &&
        mpx__row_of(operand->to)->kind != MPX_KIND_COMPLEX)
        return mpx_cast_strided(dst, operand->to, narrow, operand->data, part, wide, operand->count,
                                1, NULL);
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

MPX_API mpx_status mpx_amp_eager_cast(mpx_amp_eager *run, const char *op, mpx_amp_operand *operands,
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

MPX_API mpx_amp_graph mpx_amp_graph_of_nodes(const mpx_amp_node *nodes, size_t count) {
    mpx_amp_graph graph;
    graph.node = mpx__array_node;
    graph.user = (void *)(uintptr_t)nodes; /* it is only read */
    graph.count = count;
    return graph;
}

MPX__PRIVATE mpx_status mpx__amp_fail(mpx_amp_error *err, mpx_status status, size_t node,
                                      size_t input) {
    if (err != NULL) {
        err->status = status;
        err->node = node;
        err->input = input;
    }
    return status;
}

/* Fetch a node and look whether it can be one. */
MPX__PRIVATE mpx_status mpx__amp_node_at(const mpx_amp_graph *graph, size_t index,
                                         mpx_amp_node *node, mpx_amp_error *err) {
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
    mpx_amp_error *err;
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
                                         mpx_amp_error *err) {
    mpx_amp_node node;
    size_t i;
    extent->nodes = graph->count;
    extent->edges = extent->widest = 0;
    (void)mpx__amp_fail(err, MPX_OK, 0, 0);
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

MPX_API mpx_status mpx_amp_plan_size(mpx_amp_graph graph, size_t *size, mpx_amp_error *err) {
    mpx__amp_planner p;
    mpx_status status = mpx__amp_measure(&graph, &p.extent, err);
    size_t needed;
    if (status != MPX_OK) return status;
    needed = mpx__amp_layout(&p, NULL, MPX__NOWHERE - 31);
    if (needed == MPX__NOWHERE)
        return mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE);
    *size = needed + 15; /* to begin at a multiple of 16 */
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
        const size_t *end = i + 1 < n ? p->nodes[i + 1].inputs : p->edges + p->edge_count, *edge;
        if (node->removed || node->inputs == end) continue;
        for (edge = node->inputs; edge != end; edge++)
            mpx__amp_count_input(p, *edge);
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

MPX_API mpx_status mpx_amp_plan_graph(const mpx_amp *amp, mpx_amp_graph graph, void *memory,
                                      size_t size, mpx_amp_plan *plan, mpx_amp_error *err) {
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
         mpx__amp_layout(&p, (unsigned char *)memory + skip, size - skip) == MPX__NOWHERE))
        return mpx__amp_fail(err, MPX_ERR_SPACE, MPX__NOWHERE, MPX__NOWHERE);
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
    if (mpx__amp_node_at(graph, index, &node, NULL) != MPX_OK) {
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

MPX_API size_t mpx_amp_explain_node(const mpx_amp_plan *plan, mpx_amp_graph graph, size_t node,
                                    char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (node < plan->node_count) mpx__put_amp_node(&out, plan, &graph, node);
    return out.length;
}

MPX_API size_t mpx_amp_explain(const mpx_amp_plan *plan, mpx_amp_graph graph, char *buf,
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

MPX_API size_t mpx_amp_error_format(const mpx_amp_error *err, char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    mpx__put(&out, mpx_status_string(err->status));
    if (err->status == MPX_OK) return out.length;
    if (err->node == MPX__NOWHERE) {
        mpx__put(&out, "; expected as many bytes as mpx_amp_plan_size says");
        return out.length;
    }
    mpx__put(&out, ": ");
    if (err->input != MPX__NOWHERE) {
        mpx__put(&out, "input ");
        mpx__put_size(&out, err->input);
        mpx__put(&out, " of ");
    }
    mpx__put(&out, "node ");
    mpx__put_size(&out, err->node);
    return out.length;
}

#endif /* !MPX_NO_AMP */
/*==========================================================================*
 * MARK: outro - no private macro stays defined                              *
 *==========================================================================*/
#undef MPX__INLINE
#undef MPX__FORCE_INLINE
#undef MPX__SHARED_INLINE
#undef MPX__THREAD_LOCAL
#undef MPX__PRIVATE
#undef MPX__ALIASES
#undef MPX__AT_MOST
#undef MPX__HAS_COMPLEX
#undef MPX__HAS_DIVIDER
#undef MPX__IF_DIALECTS
#undef MPX__NATIVE_F32
#undef MPX__KEEP_LOOP
#undef MPX__UNROLL_TWICE
#undef MPX__UNROLL_FOUR_TIMES
#undef MPX__ALIGN_LOOP
#undef MPX__KEEP_VALUE
#undef MPX__LIKELY
#undef MPX__DTYPE_BITS
#undef MPX__HAS_F64
#undef MPX__HAS_PACKED
#undef MPX__HAS_64
#undef MPX__IF_F64
#undef MPX__IF_F32
#undef MPX__IF_F16
#undef MPX__IF_BF16
#undef MPX__IF_F8E4M3FN
#undef MPX__IF_F8E5M2
#undef MPX__IF_F8E4M3FNUZ
#undef MPX__IF_F8E5M2FNUZ
#undef MPX__IF_F8E4M3B11FNUZ
#undef MPX__IF_F8E4M3
#undef MPX__IF_F8E3M4
#undef MPX__IF_F8E8M0FNU
#undef MPX__IF_F6E2M3FN
#undef MPX__IF_F6E3M2FN
#undef MPX__IF_F4E2M1FN
#undef MPX__IF_BOOL
#undef MPX__IF_I2
#undef MPX__IF_U2
#undef MPX__IF_I4
#undef MPX__IF_U4
#undef MPX__IF_I8
#undef MPX__IF_U8
#undef MPX__IF_I16
#undef MPX__IF_U16
#undef MPX__IF_I32
#undef MPX__IF_U32
#undef MPX__IF_I64
#undef MPX__IF_U64
#undef MPX__IF_C64
#undef MPX__IF_C128
#undef MPX__IN_NONE
#undef MPX__IN_ALL
#undef MPX__IN_PUT
#undef MPX__IN_KERAS
#undef MPX__IN_KERAS_PUT
#undef MPX__IN_KERAS_PUT_EFORMER
#undef MPX__IN_KERAS_AXON
#undef MPX__IN_AXON
#undef MPX__FORMAT_NONE
#undef MPX__FORMAT_F64
#undef MPX__FORMAT_F32
#undef MPX__FORMAT_F16
#undef MPX__FORMAT_BF16
#undef MPX__FORMAT_F8E4M3FN
#undef MPX__FORMAT_F8E5M2
#undef MPX__FORMAT_F8E4M3FNUZ
#undef MPX__FORMAT_F8E5M2FNUZ
#undef MPX__FORMAT_F8E4M3B11FNUZ
#undef MPX__FORMAT_F8E4M3
#undef MPX__FORMAT_F8E3M4
#undef MPX__FORMAT_F8E8M0FNU
#undef MPX__FORMAT_F6E2M3FN
#undef MPX__FORMAT_F6E3M2FN
#undef MPX__FORMAT_F4E2M1FN
#undef MPX__DTYPES
#undef MPX__EXPECTED_DTYPE
#undef MPX__LANES
#undef MPX__SIG_BITS
#undef MPX__COMPACT
#undef MPX__ONCE
#undef MPX__KEPT
#undef MPX__NOINLINE
#undef MPX__LONG_WAY
#undef MPX__ISA_NAME
#undef MPX__DECODER
#undef MPX__ENCODER
#undef MPX__TO_F32
#undef MPX__FROM_F32
#undef MPX__STATS_TILE
#undef MPX__CUT
#undef MPX__F16_IN_ENV
#undef MPX__HAS_BF16
#undef MPX__HAS_BF16_PAIR
#undef MPX__HAS_BYTES_AS_F16
#undef MPX__HAS_ENV
#undef MPX__HAS_FLOAT
#undef MPX__HAS_JOIN
#undef MPX__HAS_LARGEST_LANE
#undef MPX__HAS_LARGEST_HALF
#undef MPX__HAS_LOOKUP
#undef MPX__HAS_MAX_MAGNITUDE
#undef MPX__HAS_MXCSR
#undef MPX__HAS_NAN_IN_BLOCK
#undef MPX__HAS_ODD
#undef MPX__HAS_OF_BYTES
#undef MPX__HAS_OWN_ROWS
#undef MPX__HAS_QUIET_NAN
#undef MPX__HAS_PACK32
#undef MPX__HAS_WIDENING_LOADS
#undef MPX__HAS_CLIPPED8
#undef MPX__HAS_F32_OF_U32
#undef MPX__HAS_FROM_I64
#undef MPX__HAS_TRUNCATE64
#undef MPX__LOSES_NAN
#undef MPX__HAS_ROUND_MAGNITUDE
#undef MPX__HAS_STAGE
#undef MPX__HAS_STORE_HALF
#undef MPX__HAS_UPPER_WORDS
#undef MPX__HAS_WORDS_AT
#undef MPX__HERE
#undef MPX__MODES_ARE_TOLD
#undef MPX__HAS_MODES_DIFFER
#undef MPX__READ_HERE
#undef MPX__FEW_BY_KERNEL
#undef MPX__HAS_STREAM
#undef MPX__HAS_VBMI
#undef MPX__NATIVE_BF16
#undef MPX__NATIVE_F16
#undef MPX__NEAREST
#undef MPX__HAS_SSE2
#undef MPX__HAS_AVX2
#undef MPX__HAS_AVX512
#undef MPX__HAS_NEON
#undef MPX__HAS_WASM
#undef MPX__HAS_RVV
#undef MPX__ALIGNMENT
#undef MPX__PARTS
#undef MPX__PIECE_UNIT
#undef MPX__GRAIN
#undef MPX__LEAST_GRAIN
#undef MPX__NO_CHAR
#undef MPX__NO_UNICODE
#undef MPX__F32_ONE
#undef MPX__F32_UNSAID
#undef MPX__F32_INF
#undef MPX__NOWHERE
#if defined(_MSC_VER) && !defined(__clang__)
#pragma warning(pop)
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) && defined(__AVX512F__)
#pragma GCC diagnostic pop
#endif
#endif /* MPX_IMPLEMENTATION */

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
