/*==================================================================*
 * MARK: float8 - floats of 8 bits with delayed scales
 *   As in Keras' float8 layers. Scales are computed on bits (number.h).
 *==================================================================*/
#if !MPX_NO_QUANT

MPX__PRIVATE mpx_status mpx__float8_check(const mpx_float8_scale *s, int needs_history) {
    const mpx__row *row = mpx__row_of(s->dtype);
    if (row->kind != MPX_KIND_FLOAT || row->bits != 8 || s->dtype == MPX_F8E8M0FNU)
        return MPX_ERR_DTYPE;
    if (s->margin < -126 || s->margin > 127) return MPX_ERR_ARGUMENT;
    return needs_history && (s->history == NULL || s->length == 0) ? MPX_ERR_ARGUMENT : MPX_OK;
}
/* The bits of the scale; zero reads as 1. */
MPX__INLINE uint32_t mpx__float8_scale(const mpx_float8_scale *s) {
    const uint32_t u = mpx__read32(&s->scale);
    return u << 1 != 0 ? u : 0x3f800000u;
}

/* 1 / ((max / amax) / 2^margin); 1 / (1 / scale) if amax is no positive finite number. */
MPX__PRIVATE uint32_t mpx__float8_scale_for(const mpx_float8_scale *s, uint32_t amax) {
    const uint32_t one = 0x3f800000u, power = (uint32_t)(127 + s->margin) << 23;
    const uint32_t max = mpx__largest_value(mpx__row_of(s->dtype));
    if (amax - 1u >= 0x7f7fffffu) return mpx__divide(one, mpx__divide(one, mpx__float8_scale(s)));
    return mpx__divide(one, mpx__divide(mpx__divide(max, amax), power));
}
/* The largest entry of the history, NaN if one is; negatives count as 0. The first becomes the
   last. */
MPX__PRIVATE uint32_t mpx__float8_rotate(float *history, size_t length) {
    const uint32_t newest = mpx__read32(history);
    uint32_t most = 0;
    size_t i;
    for (i = 0; i < length; i++) {
        const uint32_t u = mpx__read32(&history[i]), a = u & 0x7fffffffu;
        if (a > most && (u == a || a > 0x7f800000u)) most = a;
        mpx__write32(&history[i], i + 1 < length ? mpx__read32(&history[i + 1]) : newest);
    }
    return most;
}
MPX__API mpx_status mpx_float8_update(mpx_float8_scale *state, float amax) {
    const mpx_status status = mpx__float8_check(state, 1);
    const uint32_t now = mpx__opaque_bits(amax);
    uint32_t most;
    if (status != MPX_OK) return status;
    most = mpx__float8_rotate(state->history, state->length);
    mpx__write32(&state->scale, mpx__float8_scale_for(state, most));
    mpx__write32(state->history, now);
    return MPX_OK;
}

/* Quotients stand in dst, codes on the stack; *amax, if asked for: of src, which may be dst. */
MPX__PRIVATE mpx_status mpx__float8_run(void *dst, const void *src, size_t n, mpx_dtype type,
                                        const mpx_float8_scale *state, uint32_t *amax) {
    unsigned char codes[MPX_TILE * 8], *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const mpx__row *row = mpx__row_of(type), *code_row = mpx__row_of(state->dtype);
    const mpx_status status = mpx__float8_check(state, amax != NULL);
    uint32_t scale = mpx__float8_scale(state), largest;
    size_t m;
    if (status != MPX_OK) return status;
    if (row->kind != MPX_KIND_FLOAT || (row->bits != 16 && row->bits != 32)) return MPX_ERR_DTYPE;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    (void)mpx_cast(codes, type, &scale, MPX_F32, 1);
    (void)mpx_cast(&scale, MPX_F32, codes, type, 1);
    for (; n != 0; n -= m, d += m / 8 * row->bits, s += m / 8 * row->bits) {
        m = n < sizeof codes ? n : sizeof codes;
        largest = amax != NULL ? mpx__largest(s, row, m) : 0;
        if (amax != NULL && largest > *amax) *amax = largest;
        (void)mpx__scale_buffer(d, type, s, type, m, scale, 1, NULL);
        mpx__cast_saturating(codes, code_row, d, row, m);
        (void)mpx__scale_buffer(d, type, codes, state->dtype, m, scale, 0, NULL);
    }
    return MPX_OK;
}
MPX_API mpx_status mpx_float8_round(void *dst, const void *src, size_t n, mpx_dtype type,
                                    const mpx_float8_scale *state) {
    return mpx__float8_run(dst, src, n, type, state, NULL);
}
MPX_API mpx_status mpx_float8_step(void *dst, const void *src, size_t n, mpx_dtype type,
                                   mpx_float8_scale *state) {
    uint32_t amax = 0;
    const mpx_status status = mpx__float8_run(dst, src, n, type, state, &amax);
    return status != MPX_OK ? status : mpx_float8_update(state, mpx__float(amax));
}

/* ---- the state as bytes ---------------------------------------- */

/* Words: "MPX8", the format's version, the state; then the history. */
enum { MPX__FLOAT8_MAGIC = 0x3858504d, MPX__FLOAT8_VERSION = 1, MPX__FLOAT8_HEAD = 6 };
/* Between the machine's words and little-endian words; the same function does both. */
MPX__PRIVATE void mpx__float8_words(void *dst, const void *src, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    unsigned char *d = (unsigned char *)dst;
    for (; n != 0; n--, d += 4, s += 4)
        mpx__write32(d, s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24);
}
MPX_API size_t mpx_float8_bytes(size_t length) {
    const int fits = length - 1u < (size_t)-1 / 4 - MPX__FLOAT8_HEAD && (uint32_t)length == length;
    return fits ? 4 * (length + MPX__FLOAT8_HEAD) : 0;
}
MPX__API mpx_status mpx_float8_save(void *bytes, const mpx_float8_scale *s) {
    const mpx_status status = mpx__float8_check(s, 1);
    const uint32_t head[MPX__FLOAT8_HEAD] = { MPX__FLOAT8_MAGIC, MPX__FLOAT8_VERSION,
                                              (uint32_t)s->dtype, mpx__read32(&s->scale),
                                              (uint32_t)s->margin, (uint32_t)s->length };
    if (status != MPX_OK) return status;
    if (mpx_float8_bytes(s->length) == 0) return MPX_ERR_ARGUMENT;
    mpx__float8_words(bytes, head, MPX__FLOAT8_HEAD);
    mpx__float8_words((unsigned char *)bytes + sizeof head, s->history, s->length);
    return MPX_OK;
}
MPX__API mpx_status mpx_float8_load(mpx_float8_scale *out, const void *bytes, size_t size) {
    uint32_t head[MPX__FLOAT8_HEAD];
    mpx_float8_scale s = *out;
    if (s.history == NULL || s.length == 0) return MPX_ERR_ARGUMENT;
    if (size == 0 || size != mpx_float8_bytes(s.length)) return MPX_ERR_STATE;
    mpx__float8_words(head, bytes, MPX__FLOAT8_HEAD);
    if (head[0] != MPX__FLOAT8_MAGIC || head[1] != MPX__FLOAT8_VERSION || head[5] != s.length)
        return MPX_ERR_STATE;
    mpx__copy(&s.dtype, &head[2], 4);
    mpx__copy(&s.scale, &head[3], 4);
    mpx__copy(&s.margin, &head[4], 4);
    if (mpx__float8_check(&s, 1) != MPX_OK) return MPX_ERR_STATE;
    *out = s;
    mpx__float8_words(s.history, (const unsigned char *)bytes + sizeof head, s.length);
    return MPX_OK;
}

#endif /* !MPX_NO_QUANT */
