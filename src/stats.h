/*==================================================================*
 * MARK: stats - what a cast does to the values
 *   Sources and results are compared in f64. It holds every value of every dtype exactly, except
 *   64-bit integers from 2^53 on, which are rounded toward zero.
 *==================================================================*/
#if !MPX_NO_STATS

#define MPX__STATS_TILE (MPX_TILE < 64 ? MPX_TILE : 64) /* its codes fit a tile */

MPX__INLINE double mpx__double_of_bits(uint64_t u) {
    union {
        uint64_t u;
        double f;
    } pun;
    pun.u = u;
    return pun.f;
}

/* The bits of |x| of a double, in the order of magnitudes; NaN is above Inf. */
MPX__INLINE uint64_t mpx__magnitude64(const void *x) { return mpx__read64(x) << 1 >> 1; }
static const uint64_t mpx__inf64 = (uint64_t)0x7ff << 52;

/* The place of a double in the order of all, from its bits. */
MPX__INLINE uint64_t mpx__place64(uint64_t u) {
    const uint64_t minus = 0u - (u >> 63);
    return ((uint64_t)1 << 63) + ((u << 1 >> 1 ^ minus) - minus);
}
/* The range of a dtype: `high` is its upper end; places from `first` on, at most `span` after it. */
typedef struct mpx__target {
    double high, smallest_normal;
    uint64_t first, span;
} mpx__target;

/* Floats: half an ulp beyond the largest value; that of e4m3fn is even, so the tie itself rounds
   down. For f64 nothing is out of range. Integers: values that the mode of the plan rounds into the
   range (bool: by truncation). Doubles close to 2^63 have no fraction. */
MPX__SELDOM void mpx__target_set(mpx__target *t, mpx_dtype type, int mode) {
    const mpx__row *row = mpx__row_of(type);
    const int nearest = mode == mpx__to_whole(MPX_INT_NEAREST),
              up = mode == mpx__to_whole(MPX_INT_UP), down = mode == mpx__to_whole(MPX_INT_DOWN),
              has_ends = type == MPX_F64 || row->family == MPX__FN;
    mpx_dtype_facts facts = mpx_dtype_info(type);
    const int high_is_in = has_ends || (up && facts.bits < 64),
              low_is_in = nearest || down || has_ends || type == MPX_I64;
    double low;
    t->smallest_normal = facts.smallest_normal;
    if (facts.kind == MPX_KIND_FLOAT) {
        t->high = facts.max;
        if (type != MPX_F64)
            t->high += mpx__double_of(0, 0, mpx__top_exponent(row) - row->mantissa_bits - 1);
        low = row->family == MPX__E8M0 ? 0 : -t->high;
    } else {
        t->high = mpx__double_of(0, 0, facts.bits - (facts.kind == MPX_KIND_INT));
        if (facts.kind == MPX_KIND_BOOL) t->high = 2;
        low = facts.kind == MPX_KIND_INT ? (double)facts.int_min : 0;
        if (facts.bits < 64) t->high -= nearest ? 0.5 : up;
        if (type != MPX_I64) low -= nearest ? 0.5 : !down;
    }
    t->first = mpx__place64(mpx__read64(&low)) + !low_is_in;
    t->span = mpx__place64(mpx__read64(&t->high)) - !high_is_in - t->first;
}

/* Add the squares of n doubles, and of their differences, in order, which the fence keeps under
   -ffast-math. A loop of its own, in which the sums stay in registers. */
MPX__PRIVATE void mpx__add_squares(double *squares, double *errors, const unsigned char *x,
                                   const unsigned char *y, size_t n) {
    double a = *squares, b = *errors;
    for (; n != 0; n--, x += 8, y += 8) {
        const double value = mpx__double_of_bits(mpx__read64(x)),
                     error = value - mpx__double_of_bits(mpx__read64(y));
        a += value * value;
        b += error * error;
        MPX__BARRIER();
    }
    *squares = a;
    *errors = b;
}

/* A source and a result, not both finite, of which zeros are left. */
MPX__COLD MPX__NOINLINE void mpx__stats_special(mpx_cast_stats *stats, unsigned char *x,
                                                unsigned char *y) {
    const uint64_t a = mpx__magnitude64(x);
    stats->nan += a > mpx__inf64;
    stats->infinite += a == mpx__inf64;
    stats->overflowed += a < mpx__inf64;
    if (a < mpx__inf64 && a > mpx__magnitude64(&stats->max_abs))
        stats->max_abs = mpx__double_of_bits(a);
    mpx__write64(x, 0);
    mpx__write64(y, 0);
}
/* n sources and their results, as doubles. */
MPX__LOOP void mpx__stats_add(mpx_cast_stats *stats, const mpx__target *t, unsigned char *x,
                              unsigned char *y, size_t n) {
    const uint64_t normal = mpx__read64(&t->smallest_normal);
    uint64_t overflowed = 0, zeroed = 0, subnormal = 0, most = 0,
             farthest = mpx__magnitude64(&stats->max_error);
    size_t i;
    for (i = 0; i < n * 8; i += 8) {
        const uint64_t u = mpx__read64(x + i), a = mpx__magnitude64(x + i),
                       b = mpx__magnitude64(y + i);
        const double distance = mpx__double_of_bits(u) - mpx__double_of_bits(mpx__read64(y + i));
        const uint64_t error = mpx__magnitude64(&distance);
        if (a >= mpx__inf64 || b >= mpx__inf64) {
            mpx__stats_special(stats, x + i, y + i);
            continue;
        }
        most = a > most ? a : most;
        zeroed += (a != 0) & (b == 0);
        subnormal += (b != 0) & (b < normal);
        overflowed += mpx__place64(u) - t->first > t->span;
        farthest = error > farthest ? error : farthest;
    }
    stats->count += n;
    stats->overflowed += overflowed;
    stats->zeroed += zeroed;
    stats->subnormal += subnormal;
    if (most > mpx__magnitude64(&stats->max_abs)) stats->max_abs = mpx__double_of_bits(most);
    stats->max_error = mpx__double_of_bits(farthest);
    mpx__add_squares(&stats->sum_squares, &stats->sum_error_squares, x, y, n);
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
MPX__SELDOM double mpx__log10(double x) {
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

/* The root of a sum of squares. If the sum underflowed to 0 or overflowed, its largest term
   counts. */
MPX__PRIVATE double mpx__root_of_sum(double sum, double largest) {
    const uint64_t u = mpx__magnitude64(&sum);
    return u != 0 && u < mpx__inf64 ? mpx__square_root(sum) : largest;
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
    mpx__zero(&cast->job, sizeof cast->job);
    cast->is_f64 = type == MPX_F64;
    mpx__plan_cast(&cast->plan, to, from, 0);
    if (type == MPX_I64 || type == MPX_U64) {
        mpx__plan_start(&cast->plan, to, from);
        cast->plan.mode = MPX_ROUND_TOWARD_ZERO;
    }
}
MPX__PRIVATE void mpx__to_f64_run(mpx__to_f64 *cast, unsigned char *d, const unsigned char *s,
                                  size_t n) {
    if (cast->is_f64) mpx__copy(d, s, n * 8);
    else mpx__run_plan(&cast->plan, d, s, n, &cast->job);
}

MPX__API double mpx_cast_stats_rms_error(const mpx_cast_stats *stats) {
    if (stats->count == 0) return 0;
    return mpx__root_of_sum(stats->sum_error_squares, stats->max_error) /
           mpx__square_root((double)stats->count);
}

MPX__API double mpx_cast_stats_sqnr(const mpx_cast_stats *stats) {
    double signal = mpx__root_of_sum(stats->sum_squares, stats->max_abs);
    double error = mpx__root_of_sum(stats->sum_error_squares, stats->max_error);
    if (mpx__read64(&error) == 0) return 999;
    if (mpx__read64(&signal) == 0) return 0;
    return 20 * (mpx__log10(signal) - mpx__log10(error));
}

#endif /* !MPX_NO_STATS */
