/*==================================================================*
 * MARK: exact - random bits, and the exact codec over many elements
 *==================================================================*/

/* 16 random bits for element `index`: half of a 32-bit word whose counter is index / 2, the lower
   half for even elements. The word is the counter, xored with a key of the seed, through two
   multiply-xorshift rounds (constants: Wellons, hash-prospector "lowbias32") with a second key
   between them, so that seeds do not permute each other's words. The counter's high half is mixed
   into the second key. */
MPX__INLINE uint32_t mpx__mix32(uint32_t x, uint32_t key) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x ^= key;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
MPX__INLINE void mpx__seed_set(mpx__job *job, uint64_t random_seed) {
    const uint32_t low = (uint32_t)(random_seed & 0xffffffffu), high = (uint32_t)(random_seed >> 32);
    job->key0 = mpx__mix32(low ^ 0x9e3779b9u, high);
    job->key1 = mpx__mix32(high + 0x85ebca6bu, low);
}
/* The second key of the words from element `index` on, until the counter's high half changes. */
MPX__INLINE uint32_t mpx__second_key(const mpx__job *job, uint64_t index) {
    return job->key1 ^ mpx__mix32((uint32_t)(index >> 33) + job->key1, job->key0);
}
MPX__PRIVATE uint32_t mpx__random16(const mpx__job *job, uint64_t index) {
    const uint32_t counter = (uint32_t)(index >> 1 & 0xffffffffu),
                   word = mpx__mix32(counter ^ job->key0, mpx__second_key(job, index));
    return (index & 1u) != 0 ? word >> 16 : word & 0xffffu;
}

/* To f32 by rounding to odd, because random bits are added to the bits of an f32. */
MPX__PRIVATE void mpx__number_to_f32(mpx__number *x) {
    static const mpx__rounding to_odd = { 0, MPX__TO_ODD, 0 };
    const mpx__row *f32_row = mpx__row_of(MPX_F32);
    mpx__load_float(x, mpx__float_code(x, f32_row, &to_odd), f32_row);
}

/* n elements to nearest, packed codes one in a byte. The target may be the source if no wider. */
MPX__PRIVATE void mpx__exact_nearest(unsigned char *d, const mpx__row *to, const unsigned char *s,
                                     const mpx__row *from, size_t n) {
    mpx__number x;
    for (; n != 0; n--, d += mpx__code_bytes(to), s += mpx__code_bytes(from)) {
        mpx__number_load(&x, s, from);
        mpx__number_store(d, to, &x, &mpx__to_nearest);
    }
}
/* The same, multiplied or divided by the f32 with the bits u; mode: to nearest or to odd. Returns
   whether all scaled and stored elements are finite. */
MPX__PRIVATE int mpx__exact_scale(unsigned char *d, const mpx__row *to, const unsigned char *s,
                                  const mpx__row *from, size_t n, uint32_t u, int divide,
                                  int mode) {
    const size_t to_size = mpx__code_bytes(to), from_size = mpx__code_bytes(from);
    int not_finite = 0;
    mpx__rounding how = mpx__to_nearest;
    mpx__number x, by;
    how.mode = mode;
    mpx__load_float(&by, u, mpx__row_of(MPX_F32));
    for (; n != 0; n--, d += to_size, s += from_size) {
        mpx__number_load(&x, s, from);
        mpx__number_scale(&x, &by, divide);
        not_finite |= x.kind;
        mpx__number_store(d, to, &x, &how);
        mpx__number_load(&x, d, to);
        not_finite |= x.kind;
    }
    return !not_finite;
}
/* As job->to, from, rounding and scales say; the first element has the index `index`. */
MPX__EXACT void mpx__exact_cast(unsigned char *d, const unsigned char *s, size_t n, uint64_t index,
                                mpx__job *job) {
    const mpx__row *to = job->to, *from = job->from;
    const size_t to_size = mpx__code_bytes(to), from_size = mpx__code_bytes(from);
    const int at_random = job->rounding.mode == MPX_ROUND_STOCHASTIC;
    mpx__rounding how = mpx__to_nearest;
    mpx__number x;
    if (job->scales) {
        if (!mpx__exact_scale(d, to, s, from, n, job->by, job->divide, job->rounding.mode))
            job->not_finite = 1;
        return;
    }
    how.mode = job->rounding.mode;
    how.saturate = job->rounding.saturate;
    for (; n != 0; n--, index++, d += to_size, s += from_size) {
        mpx__number_load(&x, s, from);
        if (at_random) how.random = mpx__random16(job, index);
        if (at_random && to->bits < 32) mpx__number_to_f32(&x);
        mpx__number_store(d, to, &x, &how);
    }
}
