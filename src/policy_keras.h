/*==================================================================*
 * MARK: policy_keras - the modes of Keras' quantized policies
 *   int8, int4/128, float8, ternary, gptq/4/128, awq/4/128: what stands before "_from_". Source:
 *   keras/src/dtype_policies/dtype_policy.py 3.16.
 *==================================================================*/
#if !MPX_NO_POLICY

static const char mpx__mode_words[][8] = { "", "int8", "int4", "float8",
                                           "gptq", "awq", "ternary" };
static const char mpx__from_word[] = "_from_";

/* The mode that a text begins with; MPX_QUANT_NONE if none. */
MPX__PRIVATE int mpx__mode_of(mpx__slice text, int ignore_case) {
    int mode = MPX_QUANT_TERNARY;
    while (mode != MPX_QUANT_NONE && !mpx__begins_with(text, mpx__mode_words[mode], ignore_case))
        mode--;
    return mode;
}

#if !MPX_NO_KERAS

/* ---- numbers --------------------------------------------------- */

/* Python's int(), in ASCII: blanks around, a sign, digits with single '_' between them. What
   int32_t cannot hold becomes INT32_MIN, which no mode takes. Returns 0 if it is no number. */
MPX__PRIVATE int mpx__read_int(mpx__slice t, int32_t *out) {
    int negative, digits = 0, large = 0;
    uint32_t x = 0;
    t = mpx__trim(t);
    negative = t.n != 0 && t.s[0] == '-';
    if (t.n != 0 && (negative || t.s[0] == '+')) t = mpx__from(t, 1);
    for (; t.n != 0; t = mpx__from(t, 1)) {
        if (t.s[0] == '_' && digits) {
            digits = 0; /* at least one more must follow */
            continue;
        }
        if (t.s[0] < '0' || t.s[0] > '9') return 0;
        digits = 1;
        large = large || x > (uint32_t)INT32_MAX / 10;
        x = large ? 0 : x * 10 + (uint32_t)(t.s[0] - '0');
    }
    large = large || x > (uint32_t)INT32_MAX;
    *out = large ? INT32_MIN : negative ? -(int32_t)x : (int32_t)x;
    return digits;
}

MPX__INLINE int mpx__takes_bits(int mode, int32_t bits) {
    if (mode == MPX_QUANT_AWQ) return bits == 4;
    return bits == 2 || bits == 3 || bits == 4 || bits == 8;
}
/* As a block or group size; -1 is one per channel. */
MPX__INLINE int mpx__takes_size(int32_t size) { return size == -1 || size > 0; }

/* ---- reading --------------------------------------------------- */

/* The numbers after the name as their mode takes them: bits and size, or one of history or size. */
MPX__PRIVATE mpx_status mpx__parse_numbers(const mpx__parser *in, mpx__slice rest, int mode,
                                           mpx_policy *out) {
    size_t slash = mpx__find(rest, '/');
    int pair = slash != rest.n, history = mode == MPX_QUANT_FLOAT8;
    mpx__slice first = mpx__slice_of(rest.s, slash);
    mpx__slice last = pair ? mpx__from(rest, slash + 1) : rest;
    int32_t bits = 0, size = 0;
    if (pair && !mpx__read_int(first, &bits)) return mpx__word_fail(in, MPX_ERR_NUMBER, first);
    if (mode == MPX_QUANT_INT4 && mpx__is_word(last, "None", 0))
        size = -1; /* so old checkpoints have it */
    else if (!mpx__read_int(last, &size))
        return mpx__word_fail(in, MPX_ERR_NUMBER, last);
    if (pair && !mpx__takes_bits(mode, bits)) return mpx__word_fail(in, MPX_ERR_RANGE, first);
    if (history ? size < 0 : !mpx__takes_size(size)) return mpx__word_fail(in, MPX_ERR_RANGE, last);
    out->quantization = (mpx_quantization)mode;
    out->weight_bits = (int16_t)bits;
    out->group_size = history ? 0 : size;
    out->amax_history_length = history ? size : 0;
    return MPX_OK;
}

/* Read the part before "_from_" into the quantization of *out. An unknown mode leaves it as it was,
   because Keras checks the source before it reports the mode.
   bare  gptq and awq may stand without numbers, as in Keras' classes but not in its names
   ANY   float8/16 has a history of 16 steps, which Keras has no text for */
MPX__PRIVATE mpx_status mpx__parse_mode(const mpx__parser *in, mpx__slice text, int bare,
                                        mpx_policy *out) {
    int any = in->opt.dialect == MPX_DIALECT_ANY, mode = mpx__mode_of(text, any);
    size_t end = mpx__find(text, '/'), i;
    int exact = mpx__is_word(mpx__slice_of(text.s, end), mpx__mode_words[mode], any);
    int pair = mode == MPX_QUANT_GPTQ || mode == MPX_QUANT_AWQ, count = 0;
    int single = mode == MPX_QUANT_INT4 || (any && mode == MPX_QUANT_FLOAT8);
    for (i = end; i < text.n; i++)
        count += text.s[i] == '/' && count < 3;
    if (count == 0 && (bare || !pair)) {
        if (exact) out->quantization = (mpx_quantization)mode;
        if (exact && mode == MPX_QUANT_FLOAT8) out->amax_history_length = MPX_AMAX_HISTORY_LENGTH;
        return MPX_OK;
    }
    if (!single && !pair) return MPX_OK;
    if (!exact || count != 1 + pair) return mpx__word_fail(in, MPX_ERR_MODE, text);
    return mpx__parse_numbers(in, mpx__from(text, end + 1), mode, out);
}

/* ---- printing -------------------------------------------------- */

MPX__PRIVATE void mpx__put_mode_number(mpx__printer *out, int32_t x) {
    mpx__put_char(out, '/');
    if (x < 0) mpx__put_char(out, '-');
    mpx__put_size(out, (size_t)(x < 0 ? -x : x));
}

/* Does the mode take its fields, and has the dialect a text for them? */
MPX__PRIVATE int mpx__mode_is_good(const mpx_policy *p, mpx_dialect dialect) {
    int mode = p->quantization, any = dialect == MPX_DIALECT_ANY;
    int32_t bits = p->weight_bits, size = p->group_size, history = p->amax_history_length;
    if (!any && dialect != MPX_DIALECT_KERAS) return 0;
    switch (mode) {
    case MPX_QUANT_INT8:
    case MPX_QUANT_TERNARY: return bits == 0 && size == 0 && history == 0;
    case MPX_QUANT_INT4: return bits == 0 && history == 0 && (size == 0 || mpx__takes_size(size));
    case MPX_QUANT_FLOAT8:
        return bits == 0 && size == 0 && (any ? history >= 0 : history == MPX_AMAX_HISTORY_LENGTH);
    case MPX_QUANT_GPTQ:
    case MPX_QUANT_AWQ:
        if (history != 0) return 0;
        if (any && bits == 0 && size == 0) return 1;
        return mpx__takes_bits(mode, bits) && mpx__takes_size(size);
    default: return 0;
    }
}

/* int4/128; returns 0 and prints nothing where there is no such text. */
MPX__PRIVATE int mpx__put_mode(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    int float8 = p->quantization == MPX_QUANT_FLOAT8;
    if (!mpx__mode_is_good(p, dialect)) return 0;
    mpx__put(out, mpx__mode_words[p->quantization]);
    if (p->weight_bits != 0) mpx__put_mode_number(out, p->weight_bits);
    if (p->group_size != 0) mpx__put_mode_number(out, p->group_size);
    if (float8 && p->amax_history_length != MPX_AMAX_HISTORY_LENGTH)
        mpx__put_mode_number(out, p->amax_history_length);
    return 1;
}

#endif /* !MPX_NO_KERAS */
#endif /* !MPX_NO_POLICY */
