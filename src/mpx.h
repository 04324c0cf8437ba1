/* The spine of mpx.h: the rooms in reading order. tools/amalgamate.py pastes them into one file. */
#include "intro.h"

#ifndef MPX_H
#define MPX_H
#include "config.h"
#include "names.h"
#include "types.h"
#include "api.h"
#include "typed.h"
#include "inline.h"
#endif /* MPX_H */

#if defined(MPX_IMPLEMENTATION) && !defined(MPX_IMPLEMENTED)
#define MPX_IMPLEMENTED
#define MPX__IN_IMPLEMENTATION
#include "detect.h"
#include "text.h"
#include "dtypes.h"
#include "words.h"
#include "number.h"
#include "engine.h"
#include "exact.h"
#include "pass_names.h"
#include "passes.h"
#endif /* MPX_IMPLEMENTATION */

#ifdef MPX__PASS /* the engine, for one instruction set */
#include "simd_scalar.h"
#include "simd_sse2.h"
#include "simd_avx2.h"
#include "simd_avx512.h"
#include "simd_neon.h"
#include "simd_wasm.h"
#include "simd_rvv.h"
#include "simd_generic.h"
#include "float_env.h"
#include "lanes.h"
#include "floats.h"
#include "small.h"
#include "ints.h"
#include "stages.h"
#include "scaling.h"
#include "reducing.h"
#include "packing.h"
#include "norms.h"
#include "kernels.h"
#include "pass_end.h"
#endif /* MPX__PASS */

#if defined(MPX__IN_IMPLEMENTATION) && !defined(MPX__PASS)
#include "dispatch.h"
#include "pack.h"
#include "plan.h"
#include "cast.h"
#include "reduce.h"
#include "stats.h"
#include "cast_with.h"
#include "scale.h"
#include "vertex.h"
#include "above.h"
#include "tree.h"
#include "dry_run.h"
#include "parallel.h"
#include "policy_keras.h"
#include "policy.h"
#include "pattern.h"
#include "policy_map.h"
#include "weights.h"
#include "default_policy.h"
#include "loss_scale.h"
#include "scaled_grad.h"
#include "interop.h"
#include "promote.h"
#include "amp.h"
#include "amp_plan.h"
#include "sentences.h"
#include "outro.h"
#endif /* MPX__IN_IMPLEMENTATION */

#include "license.h"
