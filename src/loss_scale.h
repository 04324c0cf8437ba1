/*==================================================================*
 * MARK: loss_scale - the scale's rules, its state, and its use on trees
 *   Arithmetic is IEEE f32, computed with integers (scale.h). Floats are read from memory as bits,
 *   because -ffast-math lets a compiler assume that Inf and NaN do not occur.
 *==================================================================*/
#if !MPX_NO_LOSS_SCALE

#define MPX__F32_ONE 0x3f800000u
#define MPX__F32_INF 0x7f800000u

MPX__PRIVATE mpx_loss_scale mpx__loss_scale_make(mpx_loss_scale_kind kind, uint32_t scale_bits,
                                                 uint32_t min_bits) {
    mpx_loss_scale s;
    mpx__zero(&s, sizeof s);
    s.kind = kind;
    mpx__write32(&s.scale, scale_bits);
    s.period = 2000;
    s.factor = 2.0f;
    mpx__write32(&s.min_scale, min_bits);
    return s;
}

MPX__API mpx_loss_scale mpx_loss_scale_noop(void) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_NOOP, MPX__F32_ONE, 0);
}
MPX__API mpx_loss_scale mpx_loss_scale_static(float scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_STATIC, mpx__opaque_bits(scale), 0);
}
MPX__API mpx_loss_scale mpx_loss_scale_dynamic(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_DYNAMIC, mpx__opaque_bits(initial_scale),
                                MPX__F32_ONE);
}
MPX__API mpx_loss_scale mpx_loss_scale_axon(float initial_scale) {
    mpx_loss_scale s = mpx_loss_scale_dynamic(initial_scale);
    s.dialect = MPX_DIALECT_AXON;
    return s;
}
MPX__API mpx_loss_scale mpx_loss_scale_jaxamp(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_JAXAMP, mpx__opaque_bits(initial_scale), 0);
}
MPX__API mpx_loss_scale mpx_loss_scale_keras(float initial_scale) {
    return mpx__loss_scale_make(MPX_LOSS_SCALE_KERAS, mpx__opaque_bits(initial_scale), 0);
}

/* ---- bits of floats, as far as the rules need them ------------- */

MPX__INLINE int mpx__is_finite(uint32_t u) { return u << 1 < MPX__F32_INF << 1; }
MPX__INLINE int mpx__is_nan(uint32_t u) { return u << 1 > MPX__F32_INF << 1; }
/* Bits to unsigned numbers that compare as the floats do. */
MPX__INLINE uint32_t mpx__order(uint32_t u) { return u >> 31 != 0 ? ~u : u | 0x80000000u; }
MPX__ONCE int mpx__is_above(uint32_t a, uint32_t b) { return mpx__order(a) > mpx__order(b); }
MPX__INLINE int32_t mpx__increment(int32_t x) { return x + (x != INT32_MAX); }
/* max as XLA has it: NaN if either is. */
MPX__INLINE uint32_t mpx__max_f32(uint32_t a, uint32_t b) {
    if (mpx__is_nan(a)) return a;
    return mpx__is_nan(b) || mpx__is_above(b, a) ? b : a;
}

/* The number of the state's dtype that is nearest to an f32. The bits of a product or quotient of
   two such numbers are rounded twice, to f32 first: with 24 bits of significand to 11 and 8 the
   result is the one of a single rounding. */
MPX__PRIVATE uint32_t mpx__in_state(const mpx_loss_scale *s, uint32_t u) {
    if (MPX_NO_DIALECTS) return u;
    if (s->state == MPX_F16) return mpx_f16_to_bits(mpx_f16_from_bits(u));
    return s->state == MPX_BF16 ? mpx_bf16_to_bits(mpx_bf16_from_bits(u)) : u;
}
MPX__INLINE uint32_t mpx__state_bits(const mpx_loss_scale *s, const float *number) {
    return mpx__in_state(s, mpx__read32(number));
}
MPX__INLINE int mpx__is_state_dtype(uint32_t type) {
    if (type == MPX_NONE || type == MPX_F32) return 1;
    return !MPX_NO_DIALECTS && (type == MPX_F16 || type == MPX_BF16);
}

MPX__INLINE uint32_t mpx__scale_bits(const mpx_loss_scale *s) {
    return s->kind == MPX_LOSS_SCALE_NOOP ? MPX__F32_ONE : mpx__state_bits(s, &s->scale);
}

/* ---- rules ----------------------------------------------------- */

/* (counter + 1) mod period, with a result of period's sign as Python has it; 0 if period is 0. */
#if MPX__HAS_DIVIDER
MPX__PRIVATE int32_t mpx__next_counter(int32_t counter, int32_t period) {
    if (period == 0) return 0;
    return (int32_t)((((int64_t)counter + 1) % period + period) % period);
}
#else
/* x mod m for m > 0, by shifts: small cores have no divider, and would call a library. */
MPX__PRIVATE uint32_t mpx__remainder(uint32_t x, uint32_t m) {
    uint32_t by = m;
    while (by <= x >> 1)
        by <<= 1;
    for (; by >= m; by >>= 1)
        if (x >= by) x -= by;
    return x;
}

/* counter + 1 stands as what is left of it below period's magnitude m. */
MPX__PRIVATE int32_t mpx__next_counter(int32_t counter, int32_t period) {
    uint32_t m = period < 0 ? 0u - (uint32_t)period : (uint32_t)period;
    uint32_t next = (uint32_t)counter + 1u, negative = counter < -1, x;
    if (m < 2) return 0;
    x = mpx__remainder(negative ? ~next : next, m);
    if (negative) x = m - 1u - x;
    return period < 0 && x != 0 ? (int32_t)x + period : (int32_t)x;
}
#endif

/* One product or quotient, then the rule of the kind: whether it grows now, and what the counter
   does. jaxamp grows one step later, and counts its resets; only DYNAMIC has a minimum, and does
   not grow beyond the finite floats. */
MPX__ONCE void mpx__adjust(mpx_loss_scale *s, int finite) {
    uint32_t scale = mpx__state_bits(s, &s->scale), factor = mpx__state_bits(s, &s->factor);
    uint32_t moved = mpx__in_state(s, mpx__f32_scaled(scale, factor, !finite));
    int dynamic = s->kind == MPX_LOSS_SCALE_DYNAMIC, jaxamp = s->kind == MPX_LOSS_SCALE_JAXAMP;
    int grow = jaxamp ? s->counter >= s->period
                      : s->counter < s->period && s->counter + 1 == s->period;
    int32_t counter = 0;
    if (!finite) {
        scale = dynamic ? mpx__max_f32(mpx__state_bits(s, &s->min_scale), moved) : moved;
        if (jaxamp) s->resets = mpx__increment(s->resets);
    } else {
        counter = dynamic ? mpx__next_counter(s->counter, s->period)
                  : grow  ? 0
                          : mpx__increment(s->counter);
        if (grow && (!dynamic || mpx__is_finite(moved))) scale = moved;
    }
    mpx__write32(&s->scale, scale);
    s->counter = counter;
}

/* What every rule may be bound by, from the scale before the step to the one after. A counter at 0
   after a finite step: a period is complete, the scale has grown if it could. Source: the
   hysteresis of Megatron-LM's DynamicGradScaler. */
MPX__PRIVATE void mpx__bind(mpx_loss_scale *s, uint32_t before, int finite) {
    uint32_t now = mpx__read32(&s->scale), most = mpx__state_bits(s, &s->max_scale);
    int has_most = most != 0 && most <= MPX__F32_INF; /* not if negative, -0 or NaN */
    if (!finite && s->hysteresis > 1 && s->misses < s->hysteresis - 1) {
        s->misses++;
        mpx__write32(&s->scale, before);
    } else if (!finite && s->hysteresis > 0) {
        s->misses = s->hysteresis;
    } else if (finite && s->counter == 0) {
        s->misses = 0;
    }
    if (finite && has_most && mpx__is_above(now, most))
        mpx__write32(&s->scale, mpx__is_above(before, most) ? before : most);
}

MPX__KEPT MPX_API mpx_loss_scale mpx_loss_scale_adjust(mpx_loss_scale s, int grads_finite) {
    uint32_t before = mpx__state_bits(&s, &s.scale);
    if (s.kind >= MPX_LOSS_SCALE_DYNAMIC && s.kind <= MPX_LOSS_SCALE_KERAS) {
        mpx__adjust(&s, grads_finite);
        mpx__bind(&s, before, grads_finite);
    }
    return s;
}

MPX__API mpx_status mpx_loss_scale_check(mpx_loss_scale s) {
    uint32_t scale = mpx__state_bits(&s, &s.scale), factor = mpx__state_bits(&s, &s.factor),
             min = mpx__state_bits(&s, &s.min_scale), most = mpx__state_bits(&s, &s.max_scale);
    if (!mpx__is_dialect(s.dialect) || !mpx__is_state_dtype((uint32_t)s.state))
        return MPX_ERR_ARGUMENT;
    if (s.kind == MPX_LOSS_SCALE_NOOP) return MPX_OK;
    if (s.kind < MPX_LOSS_SCALE_NOOP || s.kind > MPX_LOSS_SCALE_KERAS) return MPX_ERR_ARGUMENT;
    if (scale == 0 || scale >= MPX__F32_INF) return MPX_ERR_ARGUMENT; /* zero, Inf, NaN, negative */
    if (s.kind == MPX_LOSS_SCALE_STATIC) return MPX_OK;
    if (s.period < 1 || factor <= MPX__F32_ONE || factor >= MPX__F32_INF) return MPX_ERR_ARGUMENT;
    if (most << 1 != 0 && (most < scale || most >= MPX__F32_INF)) return MPX_ERR_ARGUMENT;
    if (s.hysteresis < 0 || s.misses < 0 || s.misses > s.hysteresis) return MPX_ERR_ARGUMENT;
    return s.kind == MPX_LOSS_SCALE_DYNAMIC && min << 1 != 0 && min > scale
               ? MPX_ERR_ARGUMENT
               : MPX_OK; /* negative min: the sign bit */
}

/* 1 if the rule, without hysteresis, does not lower the scale, or if it is or becomes NaN. */
MPX__API int mpx_loss_scale_is_stuck(mpx_loss_scale s) {
    mpx_loss_scale next;
    uint32_t now = mpx__state_bits(&s, &s.scale), then;
    s.hysteresis = 0;
    next = mpx_loss_scale_adjust(s, 0);
    then = mpx__read32(&next.scale);
    if (s.kind == MPX_LOSS_SCALE_NOOP || s.kind == MPX_LOSS_SCALE_STATIC) return 0;
    return mpx__is_nan(now) || mpx__is_nan(then) || mpx__order(then) >= mpx__order(now);
}

/* ---- use ------------------------------------------------------- */

/* Unscaling is a division, in jmp's and Axon's dialects a product with the rounded reciprocal:
   returns whether to divide, and by or with what in *u. */
MPX__INLINE int mpx__unscale_factor(const mpx_loss_scale *s, uint32_t *u) {
    *u = mpx__scale_bits(s);
    if (s->dialect != MPX_DIALECT_JMP && s->dialect != MPX_DIALECT_AXON) return 1;
    *u = mpx__in_state(s, mpx__divide(MPX__F32_ONE, *u));
    return 0;
}

MPX__API float mpx_loss_scale_value(mpx_loss_scale s) {
    return mpx__float(mpx__scale_bits(&s));
}

MPX__API float mpx_loss_scale_scale(mpx_loss_scale s, float x) {
    return mpx__float(mpx__multiply(mpx__opaque_bits(x), mpx__scale_bits(&s)));
}

MPX__API float mpx_loss_scale_unscale(mpx_loss_scale s, float x) {
    uint32_t u, bits = mpx__opaque_bits(x);
    int divide = mpx__unscale_factor(&s, &u);
    return mpx__float(divide ? mpx__divide(bits, u) : mpx__multiply(bits, u));
}

MPX__API mpx_status mpx_loss_scale_scale_n(void *dst, mpx_dtype dst_type, const void *src,
                                           mpx_dtype src_type, size_t n, mpx_loss_scale s) {
    return mpx__scale_buffer(dst, dst_type, src, src_type, n, mpx__scale_bits(&s), 0, NULL);
}

MPX__API mpx_status mpx_loss_scale_unscale_n(void *dst, mpx_dtype dst_type, const void *src,
                                             mpx_dtype src_type, size_t n, mpx_loss_scale s,
                                             int *finite) {
    uint32_t u;
    int divide = mpx__unscale_factor(&s, &u), axon = s.dialect == MPX_DIALECT_AXON;
    int infinite = axon && finite != NULL && mpx_any_infinite(src, src_type, n);
    const mpx_status status = mpx__scale_buffer(dst, dst_type, src, src_type, n, u, divide,
                                                axon ? NULL : finite);
    if (status == MPX_OK && axon && finite != NULL) *finite = !infinite;
    return status;
}

#if !MPX_NO_TREE
MPX__API mpx_status mpx_loss_scale_scale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                              mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__scale_bits(&s), 0, NULL, NULL, err);
}

MPX__API mpx_status mpx_loss_scale_unscale_tree(mpx_tree dst, mpx_tree src, mpx_loss_scale s,
                                                int *finite, mpx_error *err) {
    uint32_t u;
    int divide = mpx__unscale_factor(&s, &u), infinite = 0;
    mpx_status status;
    if (s.dialect != MPX_DIALECT_AXON || finite == NULL)
        return mpx__scale_tree(&dst, &src, u, divide, finite, NULL, err);
    status = mpx_tree_any_infinite(src, &infinite, err); /* before it may be overwritten */
    if (status == MPX_OK) status = mpx__scale_tree(&dst, &src, u, divide, NULL, NULL, err);
    if (status == MPX_OK) *finite = !infinite;
    return status;
}
#endif

/* ---- the state as bytes ---------------------------------------- */

/* Fourteen little-endian words: "MPXL", format version, then the fields in the order of the struct.
   Version 2 has the first thirteen, without the state's dtype; version 1 ten, without maximum and
   hysteresis. */
enum { MPX__STATE_MAGIC = 0x4c58504d, MPX__STATE_VERSION = 3 };
static const uint8_t mpx__state_words[MPX__STATE_VERSION + 1] = { 0, 10, 13,
                                                                  MPX_LOSS_SCALE_BYTES / 4 };

/* Are kind, dialect and state valid? Only then are they saved and loaded. */
MPX__PRIVATE int mpx__is_state(const uint32_t *word) {
    return word[2] <= MPX_LOSS_SCALE_KERAS && word[9] <= MPX_DIALECT_KERAS_CLASS &&
           mpx__is_state_dtype(word[13]);
}

MPX__API mpx_status mpx_loss_scale_save(mpx_loss_scale s, void *bytes) {
    unsigned char *out = (unsigned char *)bytes;
    uint32_t word[MPX_LOSS_SCALE_BYTES / 4];
    int i;
    word[0] = MPX__STATE_MAGIC;
    word[1] = MPX__STATE_VERSION;
    word[2] = (uint32_t)s.kind;
    word[3] = mpx__read32(&s.scale);
    word[4] = (uint32_t)s.counter;
    word[5] = (uint32_t)s.period;
    word[6] = mpx__read32(&s.factor);
    word[7] = mpx__read32(&s.min_scale);
    word[8] = (uint32_t)s.resets;
    word[9] = (uint32_t)s.dialect;
    word[10] = mpx__read32(&s.max_scale);
    word[11] = (uint32_t)s.hysteresis;
    word[12] = (uint32_t)s.misses;
    word[13] = (uint32_t)s.state;
    if (!mpx__is_state(word)) return MPX_ERR_ARGUMENT;
    for (i = 0; i < MPX_LOSS_SCALE_BYTES; i++)
        out[i] = (unsigned char)(word[i / 4] >> (8 * (i % 4)) & 255u);
    return MPX_OK;
}

MPX__INLINE int32_t mpx__signed(uint32_t u) {
    return u > 0x7fffffffu ? -(int32_t)(0xffffffffu - u) - 1 : (int32_t)u;
}

/* The words of a state of any version; words that it lacks are 0. Returns 0 if it is no state. */
MPX__PRIVATE int mpx__read_state(const unsigned char *in, size_t size, uint32_t *word) {
    uint32_t version = MPX__STATE_VERSION;
    int i, words;
    while (version != 0 && size != 4u * mpx__state_words[version])
        version--;
    words = mpx__state_words[version];
    if (words == 0) return 0;
    for (i = 0; i < MPX_LOSS_SCALE_BYTES / 4; i++) {
        const unsigned char *p = in + 4 * (i < words ? i : 0);
        uint32_t x = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        word[i] = i < words ? x : 0;
    }
    return word[0] == MPX__STATE_MAGIC && word[1] == version && mpx__is_state(word);
}

MPX__API mpx_status mpx_loss_scale_load(const void *bytes, size_t size, mpx_loss_scale *out) {
    uint32_t word[MPX_LOSS_SCALE_BYTES / 4];
    mpx_loss_scale s;
    if (!mpx__read_state((const unsigned char *)bytes, size, word)) return MPX_ERR_STATE;
    s = mpx__loss_scale_make((mpx_loss_scale_kind)word[2], word[3], word[7]);
    s.counter = mpx__signed(word[4]);
    s.period = mpx__signed(word[5]);
    mpx__write32(&s.factor, word[6]);
    s.resets = mpx__signed(word[8]);
    s.dialect = (mpx_dialect)word[9];
    mpx__write32(&s.max_scale, word[10]);
    s.hysteresis = mpx__signed(word[11]);
    s.misses = mpx__signed(word[12]);
    s.state = (mpx_dtype)word[13];
    *out = s;
    return MPX_OK;
}

#endif /* !MPX_NO_LOSS_SCALE */
