/* The inputs of one pair of dtypes (ref_sweep), kept as codes and as source elements, and the five
   ways to cast them: for tests that run the same inputs again and again. */
#ifndef PAIRS_H
#define PAIRS_H
#include "test.h"
#include "ref.h"
#include "model.h"

/* mpx_cast, then mpx_cast_with in its modes. */
enum { NEAREST, SATURATE, TOWARD_ZERO, TOWARD_ZERO_SATURATE, STOCHASTIC, OPTIONS };
static const char *const option_names[OPTIONS] = { "nearest", "nearest+saturate", "toward_zero",
                                                   "toward_zero+saturate", "stochastic" };
enum { PAIR_CAPACITY = 1 << 20, PAIR_SEED = 1 };

static mpx_dtype pair_dst, pair_src;
static size_t pair_count;
static uint64_t pair_codes[PAIR_CAPACITY];
static unsigned char pair_from[PAIR_CAPACITY * 8], pair_to[PAIR_CAPACITY * 8];

static void pair_take(void *user, uint64_t code) {
    (void)user;
    if (pair_count == PAIR_CAPACITY) printf("pairs.h: PAIR_CAPACITY is too small\n"), exit(1);
    pair_codes[pair_count] = code;
    ref_store(pair_src, pair_from, pair_count, code);
    pair_count++;
}

/* all_bits: how fine, as ref_sweep says. Sources of at most 16 bits: all codes. A copy rounds
   nothing: the classes of f32 are enough there. */
static void pair_set(mpx_dtype dst, mpx_dtype src, int all_bits) {
    pair_dst = dst, pair_src = src, pair_count = 0;
    ref_sweep(dst == src ? MPX_F32 : dst, src, all_bits, pair_take, NULL);
}

static mpx_cast_options pair_options(int option) {
    mpx_cast_options opt;
    memset(&opt, 0, sizeof opt);
    opt.saturate = option == SATURATE || option == TOWARD_ZERO_SATURATE;
    opt.random_seed = PAIR_SEED;
    if (option >= TOWARD_ZERO) opt.rounding = MPX_ROUND_TOWARD_ZERO;
    if (option == STOCHASTIC) opt.rounding = MPX_ROUND_STOCHASTIC;
    return opt;
}

/* The first n elements, into pair_to. */
static void pair_cast(int option, size_t n) {
    mpx_cast_options opt = pair_options(option);
    mpx_status status = option == NEAREST
                            ? mpx_cast(pair_to, pair_dst, pair_from, pair_src, n)
                            : mpx_cast_with(pair_to, pair_dst, pair_from, pair_src, n, &opt);
    CHECK(status == MPX_OK, "%s->%s %s: not MPX_OK", ref_formats[pair_src].name,
          ref_formats[pair_dst].name, option_names[option]);
}

/* What element i becomes, by ref.h. */
static inline uint64_t pair_wanted(int option, size_t i) {
    mpx_cast_options opt = pair_options(option);
    ref_mode mode;
    if (option == NEAREST) return ref_cast(pair_dst, pair_src, pair_codes[i]);
    mode.rounding = opt.rounding, mode.saturate = opt.saturate;
    mode.random = model_random(PAIR_SEED, i);
    return ref_cast_with(pair_dst, pair_src, pair_codes[i], &mode);
}
#endif
