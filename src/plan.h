/*==================================================================*
 * MARK: plan - from one dtype to another by one kernel or by several
 *   A pair of dtypes with a kernel is cast by that kernel. Other pairs are cast in steps, through
 *   forms between them, one tile on the stack at a time. Stages that scale or round are kernels,
 *   too, from f32 to f32.
 *==================================================================*/

/* An array in memory. packed: codes of fewer than 8 bits are packed, else one in a byte. */
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
MPX__SELDOM void mpx__run_exactly(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
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
/* May n elements of 8 bytes each be too many for the caches? */
MPX__INLINE int mpx__may_be_large(size_t n) {
    size_t large = MPX_STREAM_BYTES; /* no constant: of 0 clang would warn */
    return large != 0 && n >= large / 16;
}

/* ---- ways between forms ---------------------------------------- */

/* The dtype of a form between two others; MPX_NONE of those that never are. */
MPX__INLINE const mpx__row *mpx__row_of_form(int form) {
    return mpx__row_of(form == MPX__FORM_F64 || form == MPX__FORM_F64_ODD   ? MPX_F64
                       : form == MPX__FORM_F32 || form == MPX__FORM_F32_ODD ? MPX_F32
                       : form == MPX__FORM_I8                               ? MPX_I8
                       : form == MPX__FORM_U8                               ? MPX_U8
                       : form == MPX__FORM_I32                              ? MPX_I32
                       : form == MPX__FORM_I64                              ? MPX_I64
                                                                            : MPX_NONE);
}
/* The form to go through if there is no kernel. Integers saturate there only if the target would,
   too. Floats of fewer bits than an f32 are reached through one that was rounded to odd. */
MPX__PRIVATE int mpx__form_between(int to, int from) {
    const int to_integer = to >= MPX__FORM_I4, from_integer = from >= MPX__FORM_I4;
    if (from == MPX__FORM_BOOL || from == MPX__FORM_U4) return MPX__FORM_U8;
    if (from == MPX__FORM_I4 || to == MPX__FORM_I4) return MPX__FORM_I8;
    if (to == MPX__FORM_U4) return MPX__FORM_U8;
    if (to == MPX__FORM_BOOL && from_integer) return MPX__FORM_I8;
    if (from_integer && to_integer) return MPX__FORM_I32;
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
MPX__SELDOM int mpx__plan_way(mpx__plan *plan, int to, const mpx__row *to_row, int from,
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

/* ---- carrying a plan out --------------------------------------- */

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

/* Fewer elements than a block are cast in copies padded with zeros. `bits`: of source or target. */
enum { MPX__MOST_BLOCK = 64 * 8 };
MPX__INLINE void mpx__clear_unused(unsigned char *p, size_t bits) {
    if (MPX__HAS_PACKED ? bits % 8 != 0 : 0) p[bits / 8] &= (unsigned char)((1u << bits % 8) - 1u);
}
MPX__INLINE void mpx__few_in(unsigned char *in, const unsigned char *s, size_t bits, size_t all) {
    mpx__engine_now()->first_bytes(in, s, (bits + 7) / 8, all);
    mpx__clear_unused(in, bits);
}
MPX__INLINE void mpx__few_out(unsigned char *d, unsigned char *out, size_t bits) {
    mpx__clear_unused(out, bits);
    mpx__copy(d, out, (bits + 7) / 8);
}
MPX__NOINLINE MPX__COLD void mpx__run_few(const mpx__plan *plan, unsigned char *d,
                                          const unsigned char *s, size_t n, mpx__job *job) {
    unsigned char in[MPX__MOST_BLOCK], out[MPX__MOST_BLOCK];
    const size_t block = mpx__engine_now()->block, to = mpx__bits_of(&plan->to),
                 from = mpx__bits_of(&plan->from);
    mpx__few_in(in, s, n * from, block * from / 8);
    mpx__run_blocks(plan, out, in, block, job);
    mpx__few_out(d, out, n * to);
}
/* The rest below a block is cast with the last elements before it, as one block, if source and
   target are apart and begin at bytes. A random word is for two elements, from an even index on. */
MPX__PRIVATE void mpx__run_any(const mpx__plan *plan, unsigned char *d, const unsigned char *s,
                               size_t n, mpx__job *job) {
    const size_t block = mpx__engine_now()->block, rest = n % block, whole = n - rest,
                 to = mpx__bits_of(&plan->to), from = mpx__bits_of(&plan->from);
    const uint64_t index = job->index;
    const int stream = job->stream;
    if (whole != 0) mpx__run_blocks(plan, d, s, whole, job);
    job->stream = 0;
    if (rest != 0 && whole != 0 && to >= 8 && from >= 8 && plan->mode != MPX_ROUND_STOCHASTIC &&
        mpx__are_apart(d, n * (to / 8), s, n * (from / 8))) {
        mpx__run_blocks(plan, d + (n - block) * (to / 8), s + (n - block) * (from / 8), block, job);
    } else if (rest != 0) {
        job->index = index + whole;
        mpx__run_few(plan, d + whole / 8 * to, s + whole / 8 * from, rest, job);
    }
    job->index = index;
    job->stream = stream;
}

/* Arrays of MPX_STREAM_BYTES and more go past the caches, from a multiple of 64 bytes of the target
   on; not in place, where the target is in the caches already. */
MPX__NOINLINE MPX__COLD void mpx__run_large(const mpx__plan *plan, unsigned char *d,
                                            const unsigned char *s, size_t n, mpx__job *job) {
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
    env = mpx__enter(plan->env);
    if (mpx__may_be_large(n))
        mpx__run_large(plan, d, s, n, job);
    else
        mpx__run_any(plan, d, s, n, job);
    mpx__leave(env);
}

/* ---- rounding modes -------------------------------------------- */
#if !MPX_NO_CAST_WITH

/* Whether an f32 holds every number of a dtype; if not, it is rounded to odd on the way. */
MPX__INLINE int mpx__fits_f32(const mpx__row *row) {
    return row->kind == MPX_KIND_FLOAT ? row->bits <= 32 : row->bits <= 16;
}
MPX__PRIVATE int mpx__plan_round(mpx__plan *plan, int mode) {
    const mpx__row *to = plan->to.row, *from = plan->from.row, *f32_row = mpx__row_of(MPX_F32);
    const int way = mpx__fits_f32(from) ? MPX__FORM_F32 : MPX__FORM_F32_ODD;
    if (to->form == MPX__FORM_BF16 && from->form == MPX__FORM_F32 &&
        mode == MPX_ROUND_STOCHASTIC && mpx__engine_now()->f32_to_bf16_at_random != NULL)
        return mpx__plan_append(
            plan, mpx__kernel_of(mpx__engine_now()->f32_to_bf16_at_random, MPX__ENV_ANY), to, from,
            mode);
    if (from != f32_row && !mpx__plan_way(plan, to == f32_row ? (int)MPX__FORM_F32 : way, f32_row,
                                          mpx__form_of(from), from))
        return 0;
    (void)mpx__plan_append(plan, mpx__kernel_of(mpx__engine_now()->round_tile, MPX__ENV_ANY), to,
                           f32_row, mode);
    return to == f32_row || mpx__plan_way(plan, mpx__target_form(to, plan->saturate), to,
                                          MPX__FORM_F32, f32_row);
}
/* Whether plain rounding to nearest gives the same: to integers, and to floats that hold every
   value of the source. No integer is Inf, or overflows an f32. */
MPX__INLINE int mpx__is_nearest_enough(const mpx__plan *plan) {
    const mpx__row *to = plan->to.row, *from = plan->from.row;
    const int rounds = plan->mode != MPX_ROUND_NEAREST &&
                       to->bits < (mpx__fits_f32(from) ? 32 : from->bits <= 32 ? 64 : 128),
              limits = plan->saturate && (to->bits < 32 || from->kind == MPX_KIND_FLOAT);
    return to->kind != MPX_KIND_FLOAT || (!rounds && !limits);
}
/* A small float's own kernel saturates. F64, and f32 from what it does not hold, are left to the
   exact codec where they are not rounded to nearest. */
MPX__SELDOM void mpx__plan_cast_with(mpx__plan *plan, mpx__array to, mpx__array from, int mode,
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
