/* mpx.h - v@VERSION@ - mixed precision for C - MIT or Unlicense, at your choice (end of file)

   Say in one string which precision a program's parameters, compute and outputs have. mpx.h reads
   it, casts whole trees of arrays, scales the loss and checks the gradients. Casts are correctly
   rounded, and give the same bits on every machine.

   DO THIS, in exactly one C or C++ file:

       #define MPX_IMPLEMENTATION
       #include "mpx.h"

   All other files only #include "mpx.h". It needs C99 or C++11, or later. There is nothing to link
   and nothing to initialise.

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
       quantization int8, int4, fp8, OCP MX, NVFP4 and GGUF's blocks, named by a text; the rules of
                    Keras and ONNX; scales per tensor, row, column or block
       policies     "p=f32,c=bf16,o=f32" as a value: parse, print, derive; Keras' quantized names
                    ("int4/128_from_mixed_bfloat16"); a default policy, one per thread
       policy maps  a policy for each path, by globs or regular expressions, or for each op
       trees        arrays and nested structs, leaf by leaf: cast, copy, select, check, unscale;
                    a dry run that says which layer a cast would hurt
       weights      one call reads a text and casts all weights, with a report of each leaf
       loss scales  NoOp, static, dynamic (jmp's, Axon's, jaxamp's and Keras' rules), a maximum and
                    hysteresis, state as bytes; a whole step by callback, repeated on NaN
       promotion    the dtype of a result from its operands' dtypes, as in JAX and Keras
       AMP          "matmul=bf16, softmax=f32, scope:head=original": what to cast for each
                    operation, one at a time or for a whole graph, and how many bytes that saves
       interop      dtype numbers and names of eighteen other systems, both ways: safetensors, GGUF,
                    ONNX, DLPack, Arrow, TFLite, PyTorch, XLA, CUDA, Vulkan and others
       files        safetensors, GGUF, .npy and .npz, in memory: every tensor in place; writers
   WHAT IT DOES NOT DO
       allocate, start threads, open files, or define a tensor type: your program does that.

   OPTIONS, defined before the #include (config.h has the list)
       MPX_IMPLEMENTATION   emit the bodies
       MPX_STATIC           1: all functions static: each file has its own copy
       MPX_API              linkage or export attribute, default extern
       MPX_NAMESPACE        a prefix for every public function: several copies in one program
       MPX_NO_CAST_WITH, _VERTEX, _QUANT, _REDUCE, _STATS, _TREE, _PARALLEL, _POLICY, _KERAS,
       _POLICY_MAP, _WEIGHTS, _REGEX, _LOSS_SCALE, _INTEROP, _PROMOTE, _AMP    1: leave the part out
       MPX_COMPUTE          1: products of matrices, functions of rows, optimizers; AMP's plans run
       MPX_FILES            1: checkpoint files
       MPX_NO_DIALECTS      1: leave out other systems' grammars
       MPX_NO_DEFAULT_POLICY   1: no default policy; freestanding: 1
       MPX_DTYPES           the dtypes that the build carries, default all: MPX_WITH_F16 | ...
       MPX_TILE             floats of stack for casts in two steps, default 256
       MPX_ISA              a lower instruction set than the compiler's flags allow
       MPX_STREAM_BYTES     casts of so many bytes (source and target) or more write past the
                            caches; default 32 MiB, 0: never
       MPX_KEEP_FLAGS       1: SSE2 and AVX2 raise no floating-point flags, either
       MPX_ASSERT(x), MPX_MEMCPY(d, s, n), MPX_MEMSET(d, c, n)   default: no check, own loops

   GUARANTEES
       Rounding     once, from every dtype to every other, f64 and integers included
       Same bits    for every compiler, optimisation level, -ffast-math and floating-point mode;
                    the last bits of compute may differ
       NaN          sign kept, quiet, leading payload bits kept; formats with a single NaN code
                    use that one
       Subnormals   kept, in and out
       Buffers      any alignment; dst may be src if it is no wider; nothing outside is touched
       Memory       no allocation; no mutable static data except the default policy, which is one
                    per thread, and a byte with MPX_DISPATCH; each function states its stack
       Threads      any number of threads may call any function at once, except mpx_isa_set;
                    casts can be split into pieces for your threads
       Symbols      all exported names begin with mpx_; no external symbol is needed
                    (GCC for Arm, RISC-V, POWER: memcpy, memset)
       Errors       a status, a position and a sentence that names the word; outputs are unchanged

   INSTRUCTION SETS, the compiler flags that choose them, and dtypes with conversion instructions
       MPX_ISA_SCALAR   plain C, everywhere
       MPX_ISA_SSE2     x86-64, or -msse2
       MPX_ISA_AVX2     -mavx2 -mf16c -mfma: f16
       MPX_ISA_AVX512   -mavx512f -mavx512bw -mavx512vl -mavx512dq; f16
                        -mavx512bf16: bf16; -mavx512vbmi: tables of bytes; -mamx-bf16:
                        products of matrices of bf16, on Linux
       MPX_ISA_NEON     AArch64, little-endian: f16; +bf16: bf16. ARMv7: -mfpu=neon, integers
       MPX_ISA_WASM     WebAssembly with -msimd128; -mrelaxed-simd changes nothing
       MPX_ISA_RVV      RISC-V V with clang's -mrvv-vector-bits=zvl: integer lanes only

   FUNCTIONS by topic. mpx_dtype_(name, bits) stands for mpx_dtype_name and mpx_dtype_bits.
       @INDEX@

   TABLE OF CONTENTS: search for "MARK: " and a name. Comments call these sections rooms.
       config, names, types, api, typed, inline     the declarations
       detect, text, dtypes, words, number, compute_seam, engine, exact, pass_names, passes,
       simd_scalar, simd_x86, simd_sse2, simd_avx2, simd_avx512, simd_neon, simd_wasm, simd_rvv,
       simd_generic, float_env, lanes, floats, small, ints, stages, scaling, reducing, packing,
       norms, blocks, float_lanes, sleef_lanes, dots, row_kernels, tile_amx, tile_kernels,
       step_kernels, kernels, pass_end, dispatch, pack, plan, cast, reduce, stats, cast_with,
       scale, vertex, quant, quant_ggml, quant_matrix, above, quant_text, float8, fake_quant,
       tree, quant_stats, dry_run, parallel, policy_keras, policy, pattern, policy_map, weights,
       weights_fit, default_policy, loss_scale, scaled_grad, interop, promote, amp, amp_plan,
       rows, compute, matmul, optimizer, amp_run, files, files_gguf, files_safetensors,
       files_numpy, files_open, sentences, outro
*/
