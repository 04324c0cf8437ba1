/*==================================================================*
 * MARK: scaling - blocks times or divided by a number
 *   A loaded block is multiplied or divided before it is stored. The same pass checks the stored
 *   elements for Inf and NaN. What these kernels do not take is left to the exact codec.
 *==================================================================*/
#if !MPX__COMPACT

/* The factor of a product; the divisor if it is no power of two. */
MPX__INLINE uint32_t mpx__factor(const mpx__job *job) {
    if (!job->power_of_two) return job->by;
    return job->shift > -127 ? (uint32_t)(job->shift + 127) << 23 : 1u << (job->shift + 149);
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
    MPX__OF_PARTS void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__constants k; \
        set(&k, job); \
        n = mpx__loop(&d, MPX__BLOCK * (d_bits) / 8, &s, MPX__BLOCK * (s_bits) / 8, n, job, load, \
                      store, &k); \
        mpx__scale_end(&k, inf, job); \
        if (MPX__RARELY(n != 0)) mpx__run_left(d, s, n, job, name); \
    }

#if MPX__HAS_FLOAT

/* ---- to f32 ---------------------------------------------------- */

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
MPX__FORCE_INLINE void mpx__scale_block(mpx__vu w[4], const mpx__vu v[4], int divide,
                                        mpx__constants *k) {
    w[0] = mpx__scaled(v[0], divide, k);
    w[1] = mpx__scaled(v[1], divide, k);
    w[2] = mpx__scaled(v[2], divide, k);
    w[3] = mpx__scaled(v[3], divide, k);
    mpx__keep_largest(w, k);
}
MPX__FORCE_INLINE int mpx__put_scaled(unsigned char *d, const mpx__vu v[4], int stream, int divide,
                                      mpx__constants *k) {
    mpx__vu w[4];
    mpx__scale_block(w, v, divide, k);
    return mpx__put4(d, w, stream);
}
MPX__STORER(mpx__store4_product) { return mpx__put_scaled(d, v, stream, 0, k); }
MPX__STORER(mpx__store4_quotient) { return mpx__put_scaled(d, v, stream, 1, k); }
MPX__SCALE_KERNEL(mpx__f32_times, mpx__scale_set, 0x7f80, 32, mpx__store4_product, 32,
                  mpx__load4_32)
MPX__SCALE_KERNEL(mpx__f32_divided, mpx__scale_set, 0x7f80, 32, mpx__store4_quotient, 32,
                  mpx__load4_32)
#if MPX__HAS_F16
MPX__SCALE_KERNEL(mpx__f16_times, mpx__scale_set, 0x7f80, 32, mpx__store4_product, 16,
                  mpx__load4_f16)
#endif
#if MPX__HAS_BF16
MPX__SCALE_KERNEL(mpx__bf16_times, mpx__scale_set, 0x7f80, 32, mpx__store4_product, 16,
                  mpx__load4_bf16)
#endif

/* ---- f16 and bf16 times a power of two ------------------------- */

/* If a number is normal before and after, only its exponent moves, by narrow.offset: where it is not
   above narrow.nan after narrow.unit is added. Zeros stay. All others are above 0 if narrow.top is
   added, or if they are taken from 0x8000 and narrow.least is added. */
#if MPX__HAS_F16 || MPX__HAS_BF16
MPX__INLINE void mpx__exponents_set(mpx__constants *k, mpx__job *job) {
    const int m = job->from->mantissa_bits, all_ones = (1 << (15 - m)) - 1,
              low = (job->shift < 0 ? 1 - job->shift : 1) << m,
              end = (all_ones - (job->shift > 0 ? job->shift : 0)) * (1 << m),
              some = low < end; /* else zeros alone */
    mpx__scale_set(k, job);
    k->narrow.unit = mpx__set16(some ? 0x8000 - low : 0);
    k->narrow.nan = mpx__set16(some ? end - low - 0x8001 : -0x8000);
    k->narrow.least = mpx__set16(some ? low - 0x8000 : 0);
    k->narrow.top = mpx__set16(some ? 1 - end : 0);
    k->narrow.offset = mpx__set16(job->shift * (1 << m));
}
MPX__FORCE_INLINE int mpx__move_exponents(unsigned char *d, const unsigned char *s, int zeros,
                                          const mpx__narrow *k) {
    const mpx__vu magnitude = mpx__set16(0x7fff), end = mpx__set16(0x8000), zero = mpx__set(0);
    mpx__vu a = mpx__load32(s), b = mpx__load32(s + MPX__VECTOR), x = mpx__and(a, magnitude),
            y = mpx__and(b, magnitude), less, more;
    if (!mpx__any_gt16s(mpx__max16s(mpx__add16(x, k->unit), mpx__add16(y, k->unit)), k->nan)) {
        mpx__store32(d, mpx__add16(a, k->offset));
        mpx__store32(d + MPX__VECTOR, mpx__add16(b, k->offset));
        return 1;
    }
    if (!zeros) return 0;
    less = mpx__max16s(mpx__sub16(end, x), mpx__sub16(end, y));
    more = mpx__sum16s(mpx__max16s(x, y), k->top);
    if (mpx__any_gt16s(mpx__max16s(mpx__sum16s(less, k->least), more), zero)) return 0;
    mpx__store32(d, mpx__add16(a, mpx__and(mpx__gt16s(x, zero), k->offset)));
    mpx__store32(d + MPX__VECTOR, mpx__add16(b, mpx__and(mpx__gt16s(y, zero), k->offset)));
    return 1;
}
#endif
/* A product with a power of two is exact in f32, or becomes zero: it is rounded once. It has as many
   bits as the source, so that it is Inf in the target from the next power of two on. */
#if MPX__HAS_BF16
MPX__STORER(mpx__store4_moved_bf16) {
    mpx__vu w[4];
    if (mpx__move_exponents(d, s, 1, &k->narrow)) return 1;
    mpx__load4_bf16(w, s, k);
    mpx__scale_block(w, w, 0, k);
    return mpx__put_bf16(d, w, 1, stream);
}
MPX__SCALE_KERNEL(mpx__bf16_moved, mpx__exponents_set, 0x7f80, 16, mpx__store4_moved_bf16, 16,
                  mpx__load4_nothing)
#endif
#if MPX__HAS_F16
/* Conversion instructions take the same time for zeros and subnormals, but twice that of sums. */
MPX__STORER(mpx__store4_moved_f16) {
    mpx__vu w[4];
    if (mpx__move_exponents(d, s, MPX__F16_BY_SUMS, &k->narrow)) return 1;
    mpx__load4_f16(w, s, k);
    mpx__scale_block(w, w, 0, k);
    return mpx__store4_f16(d, w, s, stream, k);
}
MPX__SCALE_KERNEL(mpx__f16_moved, mpx__exponents_set, 0x4780, 16, mpx__store4_moved_f16, 16,
                  mpx__load4_nothing)
#endif

/* ---- f32 on its way to a narrower float ------------------------ */

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

/* Rounded to odd. A product of two f32 is exact in f64. A quotient x / s is an f32 number m, or it
   differs from m by (x - m s) / s. m s has at most 48 bits, so |x - m s| is at least one unit in
   its last place, and f64 does not round the quotient to m. Blocks with Inf or close to it, or with
   results below the normal numbers, are left to the exact codec; zeros are right. */
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
                 mpx__load4_32)
MPX__KERNEL_WITH(mpx__f32_divided_to_odd, mpx__scale64_set, 32, mpx__store4_odd_quotient, 32,
                 mpx__load4_32)

/* ---- f64, and from it to f32 ----------------------------------- */
#if MPX__HAS_F64

/* The upper halves of lanes of 64 bits tell Inf and NaN. */
MPX__FORCE_INLINE void mpx__put_scaled64(unsigned char *d, mpx__vd a, int divide, int stream,
                                         mpx__constants *k) {
    mpx__vu u = mpx__bits_of_vd(mpx__scaled64(a, divide, k));
    k->largest = mpx__max_upper(k->largest, mpx__and(u, mpx__set64(0x7ff0000000000000u)));
    (void)mpx__put1(d, u, stream);
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
MPX__STORER(mpx__store4_product64) { return mpx__scale_f64(d, s, 0, stream, k); }
MPX__STORER(mpx__store4_quotient64) { return mpx__scale_f64(d, s, 1, stream, k); }
MPX__SCALE_KERNEL(mpx__f64_times, mpx__scale64_set, 0x7ff0, 64, mpx__store4_product64, 64,
                  mpx__load4_nothing)
MPX__SCALE_KERNEL(mpx__f64_divided, mpx__scale64_set, 0x7ff0, 64, mpx__store4_quotient64, 64,
                  mpx__load4_nothing)

/* f64 to f32: rounded in f64, then to f32. That equals one rounding, unless the first result is
   inexact and halfway between two f32. A product with a power of two is exact. A quotient q is
   never rounded to such a halfway m, which has at most 25 bits: m s has at most 49 bits, so |x - m
   s| is at least a unit in the last place of x, and |x - m s| / s = |q - m| is more than f64 rounds
   away. Any other product may be rounded to one: then the 29 bits that are cut off, in the lower
   half of a lane, are 1 and zeros. From 2^-150 on, where f32 has subnormals, more bits are cut off:
   there all numbers count, which the upper half tells. Below, the result is zero either way. Both
   halves are moved to where the least signed numbers are. */
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
MPX__STORER(mpx__store4_f32_of_product64) { return mpx__scale_f64_to_f32(d, s, 0, 1, stream, k); }
MPX__STORER(mpx__store4_f32_of_quotient64) { return mpx__scale_f64_to_f32(d, s, 1, 0, stream, k); }
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
    k->scale = mpx__set(((uint32_t)(end - low) << 23) - 1u);
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
MPX__KERNEL_WITH(mpx__f32_moved, mpx__move_set, 32, mpx__store4_moved, 32, mpx__load4_32)

#endif /* MPX__HAS_FLOAT */

/* The kernel of a pair, if there is one, for a finite factor that is not zero. The kernels of f32
   and f64 are a few float operations per element, and may raise flags as C's own operations do. */
MPX__SELDOM mpx__kernel mpx__find_scaling(int to, int from, const mpx__job *job) {
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
