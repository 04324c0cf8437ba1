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
#include "codec.h"
#include "wide.h"
#include "cast.h"
#include "stats.h"
#include "cast_with.h"
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
