/*==================================================================*
 * MARK: amp - which precision an operation gets, and casting it so
 *   Rules are read, matched and applied here, and casts are made one operation at a time. Whole
 *   graphs are planned in amp_plan. Source: jaxamp 0.0.4 _amp.py.
 *==================================================================*/
#if !MPX_NO_AMP

static const char mpx__amp_stop[] = "amp_stop";
static const char mpx__amp_default[] = "amp_default";

static const mpx_amp_rule mpx__amp_defaults[] = {
    MPX_AMP_OP("add", MPX_AMP_COMPUTE),
    MPX_AMP_OP("sub", MPX_AMP_COMPUTE),
    MPX_AMP_OP("dot_general", MPX_AMP_COMPUTE),
    MPX_AMP_OP("conv_general_dilated", MPX_AMP_COMPUTE),
    MPX_AMP_OP("exp", MPX_F32),
    MPX_AMP_OP("log", MPX_F32),
    MPX_AMP_OP("mul", MPX_F32),
    MPX_AMP_OP("div", MPX_F32),
    MPX_AMP_SCOPE(mpx__amp_stop, MPX_AMP_ORIGINAL),
    MPX_AMP_SCOPE(mpx__amp_default, MPX_AMP_ORIGINAL),
};
enum { MPX__AMP_DEFAULTS = (int)(sizeof mpx__amp_defaults / sizeof mpx__amp_defaults[0]) };

MPX__API const mpx_amp_rule *mpx_amp_default_rules(size_t *count) {
    if (count != NULL) *count = MPX__AMP_DEFAULTS;
    return mpx__amp_defaults;
}

MPX__PRIVATE mpx__slice mpx__amp_key(const mpx_amp_rule *rule) {
    size_t n = rule->key_length;
    if (rule->key == NULL) return mpx__slice_of("", 0);
    return mpx__slice_of(rule->key, n != 0 ? n : mpx__length(rule->key));
}

/* ---- reading rules --------------------------------------------- */

/* A part of the text: its words without blanks and comment, and where the next part begins. */
MPX__PRIVATE mpx__slice mpx__amp_part(mpx__slice text, size_t *next) {
    size_t end = 0, n;
    while (end < text.n && text.s[end] != ',' && text.s[end] != ';' && text.s[end] != '\n' &&
           text.s[end] != '#')
        end++;
    n = end;
    if (end < text.n && text.s[end] == '#') end += mpx__find(mpx__from(text, end), '\n');
    *next = end < text.n ? end + 1 : end;
    return mpx__trim(mpx__slice_of(text.s, n));
}

/* The first word of t, which begins with none of the blanks; t becomes what follows it. */
MPX__PRIVATE mpx__slice mpx__amp_word(mpx__slice *t) {
    mpx__slice word = *t;
    size_t n = 0;
    while (n < t->n && mpx__blank_size(t->s + n, t->n - n) == 0)
        n++;
    word.n = n;
    *t = mpx__trim(mpx__from(*t, n));
    return word;
}

MPX__PRIVATE mpx_dtype mpx__amp_dtype(mpx__slice word) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type = mpx__lookup(word, &any);
    return mpx_dtype_is_floating(type) ? type : MPX_NONE;
}

/* "bf16 acc f32" */
MPX__PRIVATE mpx_status mpx__amp_parse_value(mpx__slice value, mpx_amp_rule *rule,
                                             mpx__slice *wrong) {
    mpx__slice word = mpx__amp_word(&value);
    *wrong = word;
    if (mpx__is_word(word, "compute", 1)) rule->precision = MPX_AMP_COMPUTE;
    else if (mpx__is_word(word, "original", 1) || mpx__is_word(word, "orig", 1))
        rule->precision = MPX_AMP_ORIGINAL;
    else if (mpx__is_word(word, "widest", 1)) rule->precision = MPX_AMP_WIDEST;
    else if ((rule->precision = mpx__amp_dtype(word)) == MPX_NONE) return MPX_ERR_PRECISION;
    if (value.n == 0) return MPX_OK;
    *wrong = word = mpx__amp_word(&value);
    if (!mpx__is_word(word, "acc", 1)) return MPX_ERR_RULE;
    *wrong = value;
    rule->accumulate = mpx__amp_dtype(value);
    return rule->accumulate != MPX_NONE ? MPX_OK : MPX_ERR_PRECISION;
}

/* "matmul", "scope:head", "amp_stop" */
MPX__PRIVATE mpx_status mpx__amp_parse_key(mpx__slice key, mpx_amp_rule *rule, mpx__slice *wrong) {
    *wrong = key;
    rule->is_scope = mpx__begins_with(key, "scope:", 1);
    if (rule->is_scope) key = mpx__trim(mpx__from(key, 6));
    else if (mpx__begins_with(key, "op:", 1)) key = mpx__trim(mpx__from(key, 3));
    else if (mpx__is_word(key, "default", 0) || mpx__is_word(key, mpx__amp_default, 0)) {
        rule->is_scope = 1;
        key = mpx__slice_of(mpx__amp_default, sizeof mpx__amp_default - 1);
    } else rule->is_scope = mpx__is_word(key, mpx__amp_stop, 0);
    rule->key = key.s;
    rule->key_length = key.n;
    return key.n != 0 ? MPX_OK : MPX_ERR_RULE;
}

/* One part that is not the word default. */
MPX__PRIVATE mpx_status mpx__amp_parse_rule(mpx__slice part, mpx_amp_rule *rule,
                                            mpx__slice *wrong) {
    size_t equals = mpx__find(part, '='), second;
    mpx_status status;
    mpx__zero(rule, sizeof *rule);
    *wrong = part;
    if (part.s[0] == '!') {
        rule->precision = MPX_AMP_NO_RULE;
        if (equals != part.n) return MPX_ERR_RULE;
        return mpx__amp_parse_key(mpx__trim(mpx__from(part, 1)), rule, wrong);
    }
    if (equals == part.n) return MPX_ERR_MISSING_EQUALS;
    second = equals + 1 + mpx__find(mpx__from(part, equals + 1), '=');
    *wrong = mpx__slice_of(part.s + second, 1);
    if (second != part.n) return MPX_ERR_EXTRA_EQUALS;
    status = mpx__amp_parse_key(mpx__trim(mpx__slice_of(part.s, equals)), rule, wrong);
    return status != MPX_OK ? status
                            : mpx__amp_parse_value(mpx__trim(mpx__from(part, equals + 1)), rule,
                                                   wrong);
}

/* Read all parts, or only check them if rules is NULL. *count of them fit into capacity. */
MPX__PRIVATE mpx_status mpx__amp_parse(mpx__slice text, mpx_amp_rule *rules, size_t capacity,
                                       size_t *count, mpx__slice *wrong) {
    size_t written = 0, next;
    for (text = mpx__from(text, mpx__mark_size(text)); text.n != 0; text = mpx__from(text, next)) {
        mpx__slice part = mpx__amp_part(text, &next);
        mpx_amp_rule rule;
        size_t more = 1;
        mpx_status status;
        if (part.n == 0) continue;
        if (mpx__is_word(part, "default", 0)) {
            more = MPX__AMP_DEFAULTS;
        } else {
            status = mpx__amp_parse_rule(part, &rule, wrong);
            if (status != MPX_OK) return status;
        }
        *wrong = part;
        if (capacity - written < more) return MPX_ERR_SPACE;
        if (rules != NULL)
            mpx__copy(rules + written, more == 1 ? &rule : mpx__amp_defaults, more * sizeof rule);
        written += more;
    }
    *count = written;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_rules_parse_n(const char *text, size_t len, mpx_amp_rule *rules,
                                          size_t capacity, size_t *count, mpx_error *err) {
    mpx__slice all = mpx__slice_of(text != NULL ? text : "", len), wrong = all;
    size_t needed, none;
    mpx_status status = mpx__amp_parse(all, NULL, (size_t)-1, &needed, &wrong);
    if (status == MPX_OK && needed > capacity)
        status = mpx__amp_parse(all, NULL, capacity, &none, &wrong);
    (void)mpx__fail(err, status, (size_t)(wrong.s - all.s), wrong.n);
    if (status == MPX_ERR_SPACE) return mpx__lack(err, "rules", capacity, needed);
    if (status != MPX_OK) return status;
    (void)mpx__amp_parse(all, rules, capacity, count, &wrong);
    return mpx__fail(err, MPX_OK, 0, 0);
}

MPX__API mpx_status mpx_amp_rules_parse(const char *text, mpx_amp_rule *rules, size_t capacity,
                                        size_t *count, mpx_error *err) {
    return mpx_amp_rules_parse_n(text, mpx__length(text), rules, capacity, count, err);
}

/* ---- printing rules -------------------------------------------- */

/* The word alone is enough as a key, if a reader would not take it for something else. */
MPX__PRIVATE void mpx__put_amp_key(mpx__printer *out, const mpx_amp_rule *rule) {
    mpx__slice key = mpx__amp_key(rule);
    int is_special = mpx__is_word(key, mpx__amp_stop, 0) || mpx__is_word(key, mpx__amp_default, 0);
    int looks_special = is_special || mpx__is_word(key, "default", 0) ||
                        mpx__begins_with(key, "scope:", 1) || mpx__begins_with(key, "op:", 1) ||
                        mpx__begins_with(key, "!", 0) || mpx__mark_size(key) != 0;
    if (rule->is_scope && !is_special) mpx__put(out, "scope:");
    if (!rule->is_scope && looks_special) mpx__put(out, "op:");
    mpx__put_slice(out, key);
}

MPX__PRIVATE void mpx__put_amp_rule(mpx__printer *out, const mpx_amp_rule *rule) {
    int precision = rule->precision, none = precision == MPX_AMP_NO_RULE && rule->custom == NULL;
    if (none) mpx__put_char(out, '!');
    mpx__put_amp_key(out, rule);
    if (none) return;
    mpx__put_char(out, '=');
    mpx__put(out, rule->custom != NULL              ? "custom"
                  : precision == MPX_AMP_COMPUTE    ? "compute"
                  : precision == MPX_AMP_WIDEST     ? "widest"
                  : precision == MPX_AMP_ORIGINAL   ? "original"
                                                    : mpx_dtype_short_name((mpx_dtype)precision));
    if (rule->custom != NULL || rule->accumulate == MPX_NONE) return;
    mpx__put(out, " acc ");
    mpx__put(out, mpx_dtype_short_name(rule->accumulate));
}

/* Can the rule be read back? Its key is one whole part without '=', and its dtypes are floating. */
MPX__PRIVATE int mpx__amp_has_text(const mpx_amp_rule *rule) {
    mpx__slice key = mpx__amp_key(rule);
    size_t next;
    if (key.n == 0 || mpx__amp_part(key, &next).n != key.n || mpx__find(key, '=') != key.n)
        return 0;
    if (rule->custom != NULL) return 1;
    if (rule->accumulate != MPX_NONE && !mpx_dtype_is_floating(rule->accumulate)) return 0;
    return mpx_dtype_is_floating((mpx_dtype)rule->precision) ||
           (rule->precision <= MPX_AMP_ORIGINAL && rule->precision >= MPX_AMP_NO_RULE);
}

MPX__API size_t mpx_amp_rules_format(const mpx_amp_rule *rules, size_t count, char *buf,
                                     size_t size) {
    mpx__printer out;
    size_t i;
    int good = 1;
    mpx__print_to(&out, buf, size);
    for (i = 0; i < count; i++) {
        if (i != 0) mpx__put(&out, ", ");
        mpx__put_amp_rule(&out, &rules[i]);
        good &= mpx__amp_has_text(&rules[i]);
    }
    if (!good) mpx__print_to(&out, buf, size);
    return out.length;
}

/* ---- which rule decides ---------------------------------------- */

/* The active scopes, outermost first: a path, or names. */
typedef struct mpx__amp_scopes {
    mpx__slice path; /* what is left of it */
    char separator;
    const char *const *names; /* NULL: the path */
    size_t left;              /* names */
} mpx__amp_scopes;

/* The next scope of a path; 0 at the end. Empty pieces are no scopes. */
MPX__PRIVATE int mpx__amp_next_scope(mpx__amp_scopes *at, mpx__slice *name) {
    if (at->names != NULL) {
        if (at->left == 0) return 0;
        at->left--;
        *name = mpx__slice_of(*at->names, mpx__length(*at->names));
        at->names++;
        return 1;
    }
    while (at->path.n != 0) {
        size_t n = mpx__find(at->path, at->separator);
        *name = mpx__slice_of(at->path.s, n);
        at->path = mpx__from(at->path, n < at->path.n ? n + 1 : n);
        if (n != 0) return 1;
    }
    return 0;
}

MPX__PRIVATE int mpx__amp_key_is(const mpx_amp_rule *rule, mpx__slice name) {
    const char *key = rule->key;
    if (key == NULL || (name.n != 0 && key[0] != name.s[0])) return 0;
    if (rule->key_length == 0) return mpx__is_word(name, key, 0);
    return rule->key_length == name.n && mpx__same_bytes(key, name.s, name.n);
}

/* The rule of this name that counts, or NULL. */
MPX__PRIVATE const mpx_amp_rule *mpx__amp_find(const mpx_amp *amp, mpx__slice name, int is_scope) {
    size_t i = amp->rule_count;
    while (i-- != 0) {
        const mpx_amp_rule *rule = &amp->rules[i];
        if ((rule->is_scope != 0) != is_scope || !mpx__amp_key_is(rule, name)) continue;
        return rule->precision == MPX_AMP_NO_RULE && rule->custom == NULL ? NULL : rule;
    }
    return NULL;
}

/* The outermost scope that has a rule; with MPX_AMP_INNERMOST_STOP an inner amp_stop wins. */
MPX__PRIVATE void mpx__amp_match_scope(const mpx_amp *amp, mpx__amp_scopes *scopes,
                                       mpx_amp_answer *out) {
    int stops = (amp->flags & MPX_AMP_INNERMOST_STOP) != 0;
    mpx__slice name;
    size_t i;
    for (i = 0; mpx__amp_next_scope(scopes, &name); i++) {
        const mpx_amp_rule *rule;
        if (out->rule != NULL && !mpx__is_word(name, mpx__amp_stop, 0)) continue;
        rule = mpx__amp_find(amp, name, 1);
        if (rule == NULL) continue;
        out->rule = rule;
        out->scope = i;
        if (!stops) return;
    }
}

MPX__PRIVATE void mpx__amp_match(const mpx_amp *amp, const char *op, mpx__amp_scopes *scopes,
                                 mpx_amp_answer *out) {
    out->rule = NULL;
    out->scope = (size_t)-1;
    out->accumulate = MPX_NONE;
    mpx__amp_match_scope(amp, scopes, out);
    if (out->rule == NULL && op != NULL)
        out->rule = mpx__amp_find(amp, mpx__slice_of(op, mpx__length(op)), 0);
    if (out->rule == NULL)
        out->rule = mpx__amp_find(
            amp, mpx__slice_of(mpx__amp_default, sizeof mpx__amp_default - 1), 1);
}

/* ---- what it does to the operands ------------------------------ */

MPX__INLINE int mpx__is_jaxamp(const mpx_amp *amp) { return (amp->flags & MPX_AMP_JAXAMP) != 0; }

/* May a rule cast this dtype? */
MPX__INLINE int mpx__amp_casts(const mpx_amp *amp, mpx_dtype type) {
    int kind = mpx__row_of(type)->kind;
    return kind == MPX_KIND_FLOAT || (kind == MPX_KIND_COMPLEX && mpx__is_jaxamp(amp));
}

MPX__INLINE mpx_dtype mpx__amp_plain(const mpx_amp_operand *operand) {
    return operand->plain != MPX_NONE ? operand->plain : operand->dtype;
}

MPX__INLINE int mpx__amp_is_dtype(mpx_dtype type) {
    return mpx__row_of(type)->bits != 0 || (type >= MPX_WEAK_COMPLEX && type <= MPX_WEAK_INT);
}

/* Start with nothing to cast. */
MPX__PRIVATE mpx_status mpx__amp_reset(mpx_amp_operand *operands, size_t count) {
    mpx_status status = MPX_OK;
    size_t i;
    for (i = 0; i < count; i++) {
        operands[i].to = operands[i].dtype;
        if (!mpx__amp_is_dtype(operands[i].dtype) ||
            !mpx__amp_is_dtype(mpx__amp_plain(&operands[i])))
            status = MPX_ERR_DTYPE;
    }
    return status;
}

/* jaxamp's find_widest_dtype gives the first dtype if none of the four is there. Ours gives none,
   because the first may not hold the others' values. A literal constant is never the target. */
MPX__PRIVATE mpx_dtype mpx__amp_widest(const mpx_amp *amp, const mpx_amp_operand *operands,
                                       size_t count) {
    static const mpx_dtype order[4] = { MPX_F64, MPX_F32, MPX_BF16, MPX_F16 };
    size_t i, k;
    for (k = 0; k < 4; k++)
        for (i = 0; i < count; i++)
            if (mpx__amp_plain(&operands[i]) == order[k]) return order[k];
    if (!mpx__is_jaxamp(amp) || mpx__amp_plain(&operands[0]) < 0) return MPX_NONE;
    return mpx__amp_plain(&operands[0]);
}

/* *target: the dtype for all operands; MPX_NONE: each operand keeps its plain dtype. */
MPX__PRIVATE mpx_status mpx__amp_target(const mpx_amp *amp, const mpx_amp_rule *rule,
                                        const mpx_amp_operand *operands, size_t count,
                                        mpx_dtype *target) {
    *target = (mpx_dtype)rule->precision;
    if (rule->precision == MPX_AMP_COMPUTE) {
        *target = amp->compute;
    } else if (rule->precision == MPX_AMP_WIDEST) {
        if (count == 0 && mpx__is_jaxamp(amp)) return MPX_ERR_ARGUMENT;
        *target = mpx__amp_widest(amp, operands, count);
    }
    if (*target == MPX_NONE || mpx_dtype_is_floating(*target)) return MPX_OK;
    return mpx__row_of(*target)->bits != 0 && mpx__is_jaxamp(amp) ? MPX_OK : MPX_ERR_DTYPE;
}

/* Set `to`; returns whether there is anything that a rule casts. */
MPX__PRIVATE int mpx__amp_aim(const mpx_amp *amp, mpx_dtype target, mpx_amp_operand *operands,
                              size_t count) {
    int any = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        mpx_dtype to = target != MPX_NONE ? target : mpx__amp_plain(&operands[i]);
        if (!mpx__amp_casts(amp, operands[i].dtype)) continue;
        any = 1;
        if (target != MPX_NONE || mpx__amp_casts(amp, to)) operands[i].to = to;
    }
    return any;
}

MPX__PRIVATE mpx_status mpx__amp_custom(const mpx_amp *amp, const char *op,
                                        mpx_amp_operand *operands, size_t count,
                                        mpx_amp_answer *out) {
    const mpx_amp_rule *rule = out->rule;
    mpx_status status = rule->custom(op, operands, count, &out->accumulate, amp, rule->user);
    size_t i;
    if (out->accumulate != MPX_NONE && mpx__row_of(out->accumulate)->bits == 0)
        status = status != MPX_OK ? status : MPX_ERR_DTYPE;
    for (i = 0; i < count && status == MPX_OK; i++)
        if (operands[i].to != operands[i].dtype && mpx__row_of(operands[i].to)->bits == 0)
            status = MPX_ERR_DTYPE;
    if (status != MPX_OK) (void)mpx__amp_reset(operands, count);
    return status;
}

/* Operands by the rule that matched. */
MPX__PRIVATE mpx_status mpx__amp_apply(const mpx_amp *amp, const char *op,
                                       mpx_amp_operand *operands, size_t count,
                                       mpx_amp_answer *out) {
    const mpx_amp_rule *rule = out->rule;
    mpx_status status = mpx__amp_reset(operands, count);
    mpx_dtype target;
    int any;
    if (status != MPX_OK) return status;
    if (rule == NULL) {
        if (!mpx__is_jaxamp(amp)) (void)mpx__amp_aim(amp, MPX_NONE, operands, count);
        return MPX_OK;
    }
    if (rule->custom != NULL) return mpx__amp_custom(amp, op, operands, count, out);
    status = mpx__amp_target(amp, rule, operands, count, &target);
    if (status != MPX_OK) return status;
    if (rule->accumulate != MPX_NONE && !mpx_dtype_is_floating(rule->accumulate))
        return MPX_ERR_DTYPE;
    any = mpx__amp_aim(amp, target, operands, count);
    if (any || mpx__is_jaxamp(amp))
        out->accumulate = rule->accumulate != MPX_NONE ? rule->accumulate : target;
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__amp_answer(const mpx_amp *amp, const char *op, mpx__amp_scopes *scopes,
                                        mpx_amp_operand *operands, size_t count,
                                        mpx_amp_answer *answer) {
    mpx_amp_answer found;
    mpx_status status;
    mpx__amp_match(amp, op, scopes, &found);
    status = mpx__amp_apply(amp, op, operands, count, &found);
    if (status == MPX_OK && answer != NULL) *answer = found;
    return status;
}

MPX__PRIVATE void mpx__amp_path(mpx__amp_scopes *at, const mpx_amp *amp, const char *scope) {
    at->path = mpx__slice_of(scope, scope != NULL ? mpx__length(scope) : 0);
    at->separator = amp->separator;
    if (at->separator == '\0') at->separator = '/';
    at->names = NULL;
    at->left = 0;
}

MPX__API mpx_status mpx_amp_ask(const mpx_amp *amp, const char *op, const char *scope,
                                mpx_amp_operand *operands, size_t count, mpx_amp_answer *answer) {
    mpx__amp_scopes scopes;
    mpx__amp_path(&scopes, amp, scope);
    return mpx__amp_answer(amp, op, &scopes, operands, count, answer);
}

/* ---- one operation after the other ----------------------------- */

MPX__API mpx_status mpx_amp_eager_push(mpx_amp_eager *run, const char *scope) {
    if (run->scope_count >= run->scope_capacity) return MPX_ERR_SPACE;
    run->scopes[run->scope_count++] = scope;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_eager_pop(mpx_amp_eager *run) {
    if (run->scope_count == 0) return MPX_ERR_SCOPE;
    run->scope_count--;
    return MPX_OK;
}

MPX__API mpx_status mpx_amp_eager_ask(const mpx_amp_eager *run, const char *op,
                                      mpx_amp_operand *operands, size_t count,
                                      mpx_amp_answer *answer) {
    mpx__amp_scopes scopes;
    mpx__amp_path(&scopes, &run->amp, NULL);
    scopes.names = run->scopes;
    scopes.left = run->scope_count;
    return mpx__amp_answer(&run->amp, op, &scopes, operands, count, answer);
}

MPX__API void mpx_amp_eager_forget(mpx_amp_eager *run) {
    run->kept_count = 0;
    run->arena.used = 0;
}

/* The kept cast of this operand, or NULL. */
MPX__PRIVATE const mpx_amp_kept *mpx__amp_find_kept(const mpx_amp_eager *run,
                                                    const mpx_amp_operand *operand) {
    size_t i;
    for (i = 0; i < run->kept_count; i++) {
        const mpx_amp_kept *kept = &run->kept[i];
        if (kept->data == operand->data && kept->count == operand->count &&
            kept->from == operand->dtype && kept->to == operand->to)
            return kept;
    }
    return NULL;
}

/* Bytes of its cast; SIZE_MAX: too many. */
MPX__PRIVATE size_t mpx__amp_bytes(const mpx_amp_operand *operand) {
    return mpx__aligned(mpx_dtype_bytes(operand->to, operand->count));
}

#if MPX_NO_CAST_WITH
/* One element at a time. As in mpx_cast_strided, packed elements have no address. */
MPX__PRIVATE mpx_status mpx__amp_real_parts(void *dst, mpx_dtype to, size_t dst_stride,
                                            const void *src, mpx_dtype from, size_t src_stride,
                                            size_t n) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    size_t i;
    if (mpx_dtype_bits(to) < 8) return MPX_ERR_DTYPE;
    for (i = 0; i < n; i++) {
        mpx_status status = mpx_cast(d + i * dst_stride, to, s + i * src_stride, from, 1);
        if (status != MPX_OK) return status;
    }
    return MPX_OK;
}
#else
MPX__INLINE mpx_status mpx__amp_real_parts(void *dst, mpx_dtype to, size_t dst_stride,
                                           const void *src, mpx_dtype from, size_t src_stride,
                                           size_t n) {
    return mpx_cast_strided(dst, to, dst_stride, src, from, src_stride, n, 1, NULL);
}
#endif

/* A complex number becomes its real part. */
MPX__PRIVATE mpx_status mpx__amp_convert(void *dst, const mpx_amp_operand *operand) {
    size_t wide = mpx_dtype_bytes(operand->dtype, 1), narrow = mpx_dtype_bytes(operand->to, 1);
    mpx_dtype part = operand->dtype == MPX_C64 ? MPX_F32 : MPX_F64;
    if (mpx__row_of(operand->dtype)->kind == MPX_KIND_COMPLEX &&
        mpx__row_of(operand->to)->kind != MPX_KIND_COMPLEX)
        return mpx__amp_real_parts(dst, operand->to, narrow, operand->data, part, wide,
                                   operand->count);
    return mpx_cast(dst, operand->to, operand->data, operand->dtype, operand->count);
}

/* Is this operand cast in this turn? Operands that are kept come first, then the others. */
MPX__INLINE int mpx__amp_is_due(const mpx_amp_operand *operand, int keep) {
    return operand->to != operand->dtype && (operand->keep != 0) == keep;
}

/* Casts that are kept lie at the start of the arena, others end where this is: before operands that
   are the last call's results. */
MPX__PRIVATE size_t mpx__amp_end(const mpx_amp_eager *run, const mpx_amp_operand *operands,
                                 size_t count) {
    const size_t used = run->arena.used;
    size_t end = run->arena.size & ~(size_t)15, i;
    for (i = 0; i < count; i++) {
        const size_t at = (size_t)((uintptr_t)operands[i].data - (uintptr_t)run->arena.data);
        if (at >= used && at < end) end = at & ~(size_t)15;
    }
    return end > used ? end : used;
}

/* Is an earlier operand the same and kept? Then one cast serves both. */
MPX__PRIVATE int mpx__amp_is_repeated(const mpx_amp_operand *operands, size_t i) {
    const mpx_amp_operand *last = &operands[i];
    for (; operands != last; operands++)
        if (operands->keep != 0 && operands->data == last->data &&
            operands->count == last->count && operands->dtype == last->dtype &&
            operands->to == last->to)
            return 1;
    return 0;
}

/* Is there room for all casts up to there, and can each be made? Casting no elements tells. */
MPX__PRIVATE mpx_status mpx__amp_check(const mpx_amp_eager *run, const mpx_amp_operand *operands,
                                       size_t count, size_t end) {
    size_t left = end - run->arena.used;
    size_t entries = run->kept_capacity - run->kept_count, i;
    for (i = 0; i < count; i++) {
        mpx_amp_operand none;
        size_t bytes = mpx__amp_bytes(&operands[i]);
        mpx_status status;
        if (operands[i].to == operands[i].dtype) continue;
        mpx__copy(&none, &operands[i], sizeof none);
        none.count = 0;
        status = mpx__amp_convert(NULL, &none);
        if (status != MPX_OK) return status;
        if (operands[i].keep != 0) {
            if (mpx__amp_find_kept(run, &operands[i]) != NULL) continue;
            if (mpx__amp_is_repeated(operands, i)) continue;
            if (entries-- == 0) return MPX_ERR_SPACE;
        }
        if (bytes > left) return MPX_ERR_SPACE;
        left -= bytes;
    }
    return MPX_OK;
}

/* Cast into the arena, to its first free bytes or to the last ones before `end`. */
MPX__PRIVATE void mpx__amp_place(mpx_amp_eager *run, mpx_amp_operand *operand, size_t *end) {
    const mpx_amp_kept *kept = operand->keep != 0 ? mpx__amp_find_kept(run, operand) : NULL;
    void *dst = kept != NULL ? kept->cast : run->arena.data;
    if (kept == NULL && operand->count != 0) {
        const size_t bytes = mpx__amp_bytes(operand);
        if (operand->keep == 0) *end -= bytes;
        dst = (unsigned char *)dst + (operand->keep != 0 ? run->arena.used : *end);
        (void)mpx__amp_convert(dst, operand);
        if (operand->keep != 0) run->arena.used += bytes;
    }
    if (kept == NULL && operand->keep != 0) {
        mpx_amp_kept *entry = &run->kept[run->kept_count++];
        entry->data = operand->data;
        entry->cast = dst;
        entry->count = operand->count;
        entry->from = operand->dtype;
        entry->to = operand->to;
    }
    operand->data = dst;
    operand->plain = mpx__amp_plain(operand);
    operand->dtype = operand->to;
}

MPX__API mpx_status mpx_amp_eager_cast(mpx_amp_eager *run, const char *op, mpx_amp_operand *operands,
                                       size_t count, mpx_amp_answer *answer) {
    mpx_amp_answer found;
    size_t end = mpx__amp_end(run, operands, count), i;
    int keep;
    mpx_status status = mpx_amp_eager_ask(run, op, operands, count, &found);
    if (status == MPX_OK) status = mpx__amp_check(run, operands, count, end);
    if (status != MPX_OK) return status;
    for (keep = 1; keep >= 0; keep--)
        for (i = 0; i < count; i++)
            if (mpx__amp_is_due(&operands[i], keep)) mpx__amp_place(run, &operands[i], &end);
    if (answer != NULL) *answer = found;
    return MPX_OK;
}

#endif /* !MPX_NO_AMP */
