/*==================================================================*
 * MARK: reducing - blocks that are consumed instead of stored
 *   The largest magnitude, which also shows Inf and NaN, at the speed of reading; the sum of
 *   squares in f64; sums of two arrays.
 *==================================================================*/
#if !MPX__COMPACT

/* ---- the largest magnitude ------------------------------------- */

/* Magnitudes are ordered as their bits are, Inf above all numbers, NaN above Inf. */
typedef mpx__vu (*mpx__max_fn)(mpx__vu a, mpx__vu b);
MPX__FORCE_INLINE mpx__vu mpx__larger_of_two(const unsigned char *p, mpx__vu mask,
                                             mpx__max_fn larger) {
    return larger(mpx__and(mpx__load32(p), mask), mpx__and(mpx__load32(p + MPX__VECTOR), mask));
}
/* `size` bytes. The last vector ends where they end, so that some bytes are read twice; less than a
   vector is filled up with zeros. */
MPX__FORCE_INLINE mpx__vu mpx__largest_lanes(const unsigned char *s, size_t size, uint32_t magnitude,
                                             mpx__max_fn larger) {
    const mpx__vu mask = mpx__set(magnitude);
    mpx__vu a = mpx__set(0);
    if (size < MPX__VECTOR) {
        unsigned char few[MPX__VECTOR];
        mpx__first_bytes(few, s, size, sizeof few);
        return mpx__and(mpx__load32(few), mask);
    }
    MPX__ALIGN_LOOP();
    for (; size >= 8 * MPX__VECTOR; size -= 8 * MPX__VECTOR, s += 8 * MPX__VECTOR) {
        mpx__vu b = mpx__larger_of_two(s, mask, larger),
                c = mpx__larger_of_two(s + 2 * MPX__VECTOR, mask, larger),
                d = mpx__larger_of_two(s + 4 * MPX__VECTOR, mask, larger),
                e = mpx__larger_of_two(s + 6 * MPX__VECTOR, mask, larger);
        a = larger(a, larger(larger(b, c), larger(d, e)));
    }
    for (; size >= MPX__VECTOR; size -= MPX__VECTOR, s += MPX__VECTOR)
        a = larger(a, mpx__and(mpx__load32(s), mask));
    if (size != 0) a = larger(a, mpx__and(mpx__load32(s + size - MPX__VECTOR), mask));
    return a;
}
MPX__FORCE_INLINE uint32_t mpx__largest_at_end(mpx__vu a) {
    const uint32_t largest = mpx__largest_lane(a);
    MPX__CLEAR_UPPER();
    return largest;
}
MPX__OF_PARTS uint32_t mpx__largest32(const void *src, size_t n) {
    return mpx__largest_at_end(
        mpx__largest_lanes((const unsigned char *)src, n * 4, 0x7fffffffu, mpx__max_magnitude));
}
/* Right in its upper half only, which tells Inf and NaN. */
MPX__OF_PARTS uint32_t mpx__largest_upper32(const void *src, size_t n) {
    return mpx__largest_at_end(
        mpx__largest_lanes((const unsigned char *)src, n * 4, 0x7fffffffu, mpx__max_upper));
}
MPX__OF_PARTS uint32_t mpx__largest16(const void *src, size_t n) {
    mpx__vu a = mpx__largest_lanes((const unsigned char *)src, n * 2, 0x7fff7fffu, mpx__max16);
    return mpx__largest_at_end(mpx__max_magnitude(mpx__shr(a, 16), mpx__and(a, mpx__set(0xffff))));
}

/* ---- the sum of squares ---------------------------------------- */

/* Sixteen sums, each of every sixteenth element, so that the order of additions is the same for
   every number of lanes. n is a multiple of 16. The square of an f32 is exact in f64. */
#if MPX__HAS_FLOAT
enum { MPX__SUM_VECTORS = 32 / MPX__LANES };
MPX__FORCE_INLINE void mpx__add_square(mpx__vd *sum, mpx__vd x) {
    *sum = mpx__dadd(*sum, mpx__dmul(x, x));
}
MPX__FORCE_INLINE void mpx__sums_load(mpx__vd sum[MPX__SUM_VECTORS], const uint64_t *sums) {
    int i;
    for (i = 0; i < MPX__SUM_VECTORS; i++) {
        sum[i] = mpx__vd_of_bits(mpx__load32((const unsigned char *)sums + i * MPX__VECTOR));
        MPX__BARRIER(); /* else clang calls memcpy */
    }
}
MPX__FORCE_INLINE void mpx__sums_store(uint64_t *sums, const mpx__vd sum[MPX__SUM_VECTORS]) {
    int i;
    for (i = 0; i < MPX__SUM_VECTORS; i++) {
        mpx__store32((unsigned char *)sums + i * MPX__VECTOR, mpx__bits_of_vd(sum[i]));
        MPX__BARRIER();
    }
}
MPX__NOINLINE void mpx__squares_of_f32(uint64_t sums[MPX__SUMS], const unsigned char *s, size_t n) {
    mpx__vd sum[MPX__SUM_VECTORS], x[2];
    int i;
    mpx__sums_load(sum, sums);
    for (; n != 0; n -= MPX__SUMS, s += 4 * MPX__SUMS) {
        MPX__UNROLL
        for (i = 0; i < MPX__SUM_VECTORS; i += 2) {
            mpx__load_vd_of_vf(x, s + i / 2 * MPX__VECTOR);
            mpx__add_square(&sum[i], x[0]);
            mpx__add_square(&sum[i + 1], x[1]);
        }
    }
    mpx__sums_store(sums, sum);
}
MPX__NOINLINE void mpx__squares_of_f64(uint64_t sums[MPX__SUMS], const unsigned char *s, size_t n) {
    mpx__vd sum[MPX__SUM_VECTORS];
    int i;
    mpx__sums_load(sum, sums);
    for (; n != 0; n -= MPX__SUMS, s += 8 * MPX__SUMS) {
        MPX__UNROLL
        for (i = 0; i < MPX__SUM_VECTORS; i++)
            mpx__add_square(&sum[i], mpx__load_vd(s + i * MPX__VECTOR));
    }
    mpx__sums_store(sums, sum);
}

/* ---- sums of two arrays ---------------------------------------- */

/* Two f32 are added in f64 and rounded again to f32. That equals one rounding, because f64 has at
   least two bits more than twice those of f32 (Figueroa, When is double rounding innocuous?,
   1995). */
MPX__NOINLINE void mpx__add_f32(unsigned char *d, const unsigned char *s, size_t n) {
    mpx__vd a[2], b[2];
    for (; n != 0; n -= MPX__LANES, d += MPX__VECTOR, s += MPX__VECTOR) {
        mpx__load_vd_of_vf(a, d);
        mpx__load_vd_of_vf(b, s);
        mpx__store_vf_of_vd(d, mpx__dadd(a[0], b[0]), mpx__dadd(a[1], b[1]));
    }
}
MPX__NOINLINE void mpx__add_f64(unsigned char *d, const unsigned char *s, size_t n) {
    for (; n != 0; n -= MPX__LANES / 2, d += MPX__VECTOR, s += MPX__VECTOR)
        mpx__store32(d, mpx__bits_of_vd(mpx__dadd(mpx__load_vd(d), mpx__load_vd(s))));
}
#endif

#endif /* !MPX__COMPACT */
