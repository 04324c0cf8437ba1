/*==================================================================*
 * MARK: scale - products, quotients and sums of arrays, the check for Inf
 *   Results are rounded once and have the same bits on every machine, whatever the caller's
 *   rounding mode, flush-to-zero mode and -ffast-math.
 *==================================================================*/

#if !MPX__COMPACT || MPX__HAS_PACKED
/* Every element times, or divided by, the f32 with the bits u. */
MPX__PRIVATE void mpx__job_scale(mpx__job *job, uint32_t u, int divide) {
    mpx__zero(job, sizeof *job);
    job->by = u;
    job->divide = divide;
    job->power_of_two = (u & 0x807fffffu) == 0; /* or 0 or Inf, for which there is no kernel */
    job->shift = divide ? 127 - (int32_t)(u >> 23) : (int32_t)(u >> 23) - 127;
}
#endif

#if !MPX__COMPACT
/* Finite and not zero. */
MPX__INLINE int mpx__is_plain_factor(const mpx__job *job) {
    return (job->by & 0x7fffffffu) - 1u < 0x7f7fffffu;
}
/* The step that scales, if there is a kernel. */
MPX__SELDOM int mpx__plan_product(mpx__plan *plan, int to, const mpx__row *to_row,
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
MPX__SELDOM void mpx__plan_scale(mpx__plan *plan, mpx__array to, mpx__array from,
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

/* Are both dtypes floats? Complex numbers are checked part by part, on both sides. */
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
/* The sum of squares in a second pass, so that programs that do not use it do not link it. */
MPX__SELDOM mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src,
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
/* The kernel that scales directly, and the job for it; `run` is NULL if there is none. */
MPX__PRIVATE mpx__kernel mpx__scaling_kernel(const mpx__row *to, const mpx__row *from, size_t n,
                                             mpx__job *job) {
    job->to = to;
    job->from = from;
    job->scales = 1;
    return n != 0 && !mpx__may_be_large(n) && mpx__is_plain_factor(job)
               ? mpx__engine_now()->find_scaling(to->form, from->form, job)
               : mpx__kernel_of(NULL, MPX__ENV_ANY);
}
/* dst = src * u, or src / u. Results are checked while they are in the caches. */
MPX__SELDOM mpx_status mpx__scale_elements(void *dst, mpx_dtype dst_type, const void *src,
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
    /* Does a step round, and not tell of Inf? */
    look = asked->finite != NULL && plan.count != 0 && !plan.step[plan.count - 1].scales;
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
MPX__API mpx_status mpx_unscale_squares(void *dst, mpx_dtype dst_type, const void *src,
                                        mpx_dtype src_type, size_t n, float by, int *finite,
                                        double *sum) {
    mpx__squares squares;
    mpx__asked asked;
    mpx_status status;
    MPX_ASSERT(sum != NULL);
    mpx__zero(&squares, sizeof squares);
    asked.finite = finite;
    asked.squares = &squares;
    status = mpx__scale_elements(dst, dst_type, src, src_type, n, mpx__opaque_bits(by), 1, &asked);
    if (status == MPX_OK) mpx__write64(sum, mpx__squares_sum(&squares));
    return status;
}

/* ---- sums of two arrays ---------------------------------------- */

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
/* The same with float instructions if there are any; n is a multiple of 16. */
MPX__PRIVATE void mpx__fast_add(unsigned char *d, const unsigned char *s, const mpx__row *row,
                                size_t n) {
#if MPX__COMPACT || !MPX__HAS_FLOAT
    (void)d, (void)s, (void)row, (void)n;
#else
    const mpx__engine *engine = mpx__engine_now();
    const mpx__env env = mpx__enter(MPX__ENV_ALL);
    (row->bits == 64 ? engine->add_f64 : engine->add_f32)(d, s, n);
    mpx__leave(env);
#endif
}
/* 1: no sum is NaN or, of f64, Inf. Machines differ in which NaN they give. */
MPX__PRIVATE int mpx__sums_stand(const unsigned char *d, const mpx__row *row, size_t n) {
#if MPX__COMPACT || !MPX__HAS_FLOAT
    return (void)d, (void)row, (void)n, 0;
#else
    return row->bits == 64 ? mpx__f64_all_finite(d, n)
                           : mpx__engine_now()->largest32(d, n) <= 0x7f800000u;
#endif
}
/* Sums are rounded to f32, and then to narrower floats, which equals one rounding for these, too.
   The tile holds a multiple of 16 elements of f64. */
enum { MPX__ADD_TILE = (MPX_TILE + 31) / 32 * 128 };
MPX__API mpx_status mpx_add(void *dst, const void *src, size_t n, mpx_dtype type) {
    const mpx__row *row = mpx__parts_of(mpx__row_of(type), &n),
                   *wide = mpx__is_f64(mpx__type_of(row)) ? row : mpx__row_of(MPX_F32);
    const mpx_dtype part = mpx__type_of(row), sum = mpx__type_of(wide);
    const size_t most = MPX__ADD_TILE * 8u / wide->bits;
    unsigned char a[MPX__ADD_TILE], b[MPX__ADD_TILE], *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t m, i, count, at;
    if (row->kind != MPX_KIND_FLOAT) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    for (; n != 0; n -= m, d += most / 8 * row->bits, s += most / 8 * row->bits) {
        m = n < most ? n : most;
        if (m < most) {
            mpx__zero(a, sizeof a);
            mpx__zero(b, sizeof b);
        }
        (void)mpx_cast(a, sum, d, part, m);
        (void)mpx_cast(b, sum, s, part, m);
        mpx__fast_add(a, b, wide, (m + 15u) / 16u * 16u);
        for (i = mpx__sums_stand(a, wide, m) ? m : 0; i < m; i += count) {
            count = m - i < 16 ? m - i : 16;
            at = i / 8 * wide->bits;
            if (mpx__sums_stand(a + at, wide, count)) continue;
            (void)mpx_cast(a + at, sum, d + i / 8 * row->bits, part, count);
            mpx__exact_add(a + at, b + at, wide, count);
        }
        (void)mpx_cast(d, part, a, sum, m);
    }
    return MPX_OK;
}
#endif
