/* The spine of mpx.h: the rooms in reading order. tools/amalgamate.py pastes them into one file. */
#include "intro.h"

#ifndef MPX_H
#define MPX_H
#include "config.h"
#include "names.h"
#include "types.h"
#include "api.h"
#include "inline.h"
#endif /* MPX_H */

#if defined(MPX_IMPLEMENTATION) && !defined(MPX_IMPLEMENTED)
#define MPX_IMPLEMENTED
#include "detect.h"
#include "text.h"
#include "dtypes.h"
#include "simd_scalar.h"
#include "simd_sse2.h"
#include "simd_avx2.h"
#include "simd_avx512.h"
#include "simd_neon.h"
#include "simd_wasm.h"
#include "simd_rvv.h"
#include "codec.h"
#include "codec_wide.h"
#include "wide.h"
#include "loop.h"
#include "round.h"
#include "float_env.h"
#include "pack.h"
#include "fast.h"
#include "fast_small.h"
#include "fast_wide.h"
#include "fast_avx512.h"
#include "cast.h"
#include "stats.h"
#include "cast_with.h"
#include "finite.h"
#include "amax.h"
#include "scale_rows.h"
#include "scale.h"
#include "tree.h"
#include "dry_run.h"
#include "parallel.h"
#include "policy.h"
#include "loss_scale.h"
#include "interop.h"
#include "promote.h"
#include "outro.h"
#endif /* MPX_IMPLEMENTATION */

#include "license.h"
