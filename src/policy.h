/*==================================================================*
 * MARK: policy - text to policy and back
 *   There is one parser. The dialects differ in a few places, and each difference is a question to
 *   mpx__parser: which names are known, what is stripped, which keys exist.
 *==================================================================*/
#if !MPX_NO_POLICY

MPX__ONCE void mpx__policy_set(mpx_policy *p, mpx_dtype param, mpx_dtype compute,
                               mpx_dtype output) {
    p->param = param;
    p->compute = compute;
    p->output = output;
    p->quantization = MPX_QUANT_NONE;
    p->weight_bits = 0;
    p->group_size = 0;
    p->amax_history_length = 0;
}

/* The functions below read the slice that they are given. If they fail, it becomes the wrong word.
   Slices are passed on by value, in copies whose address is never taken: else gcc calls memcpy. */

/* ANY and eformer strip blanks around parts and values, ANY around keys, too. jmp strips
   nothing. */
MPX__INLINE void mpx__strip_it(const mpx__parser *in, mpx__slice *t) {
    mpx_dialect dialect = mpx__dialect(&in->opt);
    if (dialect == MPX_DIALECT_ANY || dialect == MPX_DIALECT_EFORMER) mpx__trim_it(t);
}

/* The number of the role a key names, or -1: the keys stand in rows of param, compute, output. Axon
   prints single letters, the last row is ours. */
MPX__ONCE int mpx__role_of(mpx_dialect dialect, mpx__slice key) {
    static const char keys[] = "p\0c\0o\0params\0compute\0output\0param\0=\0outputs";
    int any = dialect == MPX_DIALECT_ANY, last = any ? 9 : dialect == MPX_DIALECT_AXON ? 3 : 6, i;
    const char *word = keys;
    for (i = 0; !mpx__is_word(key, word, any); word += mpx__length(word) + 1)
        if (++i == last) return -1;
    while (i > 2)
        i -= 3;
    return i;
}

/* Read one part. The checks have jmp's order: number of '=', then the value, then the key. eformer
   ignores unknown keys; in Axon the first of repeated keys wins. */
MPX__PRIVATE mpx_status mpx__parse_part(const mpx__parser *in, mpx__slice *word,
                                        mpx_dtype role[3]) {
    const mpx_dialect dialect = mpx__dialect(&in->opt);
    mpx__slice part = mpx__slice_of(word->s, word->n), value;
    size_t equals = mpx__find(part, '='), second;
    mpx_dtype type;
    int i;
    if (equals == part.n) return MPX_ERR_MISSING_EQUALS;
    value = mpx__from(part, equals + 1);
    second = mpx__find(value, '=');
    word->s = value.s + second;
    word->n = 1;
    if (second != value.n) return MPX_ERR_EXTRA_EQUALS;
    word->s = value.s;
    word->n = value.n;
    mpx__strip_it(in, word);
    type = mpx__lookup(mpx__slice_of(word->s, word->n), &in->opt);
    if (type == MPX_NONE) return MPX_ERR_DTYPE;
    word->s = part.s;
    word->n = equals;
    if (dialect == MPX_DIALECT_ANY) mpx__trim_it(word);
    i = mpx__role_of(dialect, mpx__slice_of(word->s, word->n));
    if (i < 0) return dialect == MPX_DIALECT_EFORMER ? MPX_OK : MPX_ERR_KEY;
    if (dialect != MPX_DIALECT_AXON || role[i] == MPX_NONE) role[i] = type;
    return MPX_OK;
}

/* p=f32,c=bf16,o=f32: param starts as float32, compute follows param, output follows compute.
   Printed, p=f32 c=bf16: as many blanks as one likes, and roles that are left out stay unset. */
MPX__ONCE mpx_status mpx__parse_parts(const mpx__parser *in, mpx__slice *text, int printed,
                                      mpx_policy *out) {
    const char *s = text->s;
    size_t left = text->n, gap;
    mpx_dtype role[3];
    role[0] = printed ? MPX_NONE : MPX_F32;
    role[1] = MPX_NONE;
    role[2] = MPX_NONE;
    for (;;) {
        text->s = s;
        for (gap = 0; left != 0; s++, left--) {
            gap = printed ? mpx__blank_size(s, left) : *s == ',';
            if (gap != 0) break;
        }
        text->n = (size_t)(s - text->s);
        mpx__strip_it(in, text);
        if (!printed || text->n != 0) {
            mpx_status status = mpx__parse_part(in, text, role);
            if (status != MPX_OK) return status;
        }
        if (left == 0) break;
        s += gap;
        left -= gap;
    }
    if (!printed && role[1] == MPX_NONE) role[1] = role[0];
    if (!printed && role[2] == MPX_NONE) role[2] = role[1];
    mpx__policy_set(out, role[0], role[1], role[2]);
    return MPX_OK;
}

/* Axon's printed form, with or without its name: <p=f32 c=bf16>. In Axon's own dialect the first of
   repeated keys wins, as create_policy has it. */
static const char mpx__axon_prefix[] = "#Axon.MixedPrecision.Policy";

MPX__INLINE mpx__slice mpx__after_prefix(mpx__slice text) {
    int prefixed = MPX_NO_DIALECTS ? 0 : mpx__begins_with(text, mpx__axon_prefix, 0);
    return prefixed ? mpx__from(text, sizeof mpx__axon_prefix - 1) : text;
}

/* Of <...> what stands inside; 0 if it does not end so. */
MPX__ONCE int mpx__open_printed(mpx__slice *text) {
    mpx__slice whole = mpx__slice_of(text->s, text->n), rest;
    size_t close = mpx__find(whole, '>');
    text->s++;
    text->n = close - 1;
    if (close + 1 == whole.n) return 1;
    rest = mpx__from(whole, close + (close != whole.n));
    text->s = rest.s;
    text->n = rest.n;
    mpx__trim_it(text);
    if (text->n == 0) {
        text->s = rest.s;
        text->n = rest.n;
    }
    return 0;
}

/* Keras: mixed_float16 and mixed_bfloat16, no other names, keep float32 variables; a dtype stands
   for all roles, that of mixed_torch.float16 too. */
MPX__ONCE mpx_status mpx__parse_name(const mpx__parser *in, mpx__slice *text, mpx_policy *out) {
    mpx__slice word = mpx__slice_of(text->s, text->n);
    mpx_dtype type;
#if !MPX_NO_DIALECTS
    int keras = mpx__is_keras(mpx__dialect(&in->opt)),
        any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    if ((keras || any) && mpx__begins_with(word, "mixed_", any)) {
        mpx__slice low = mpx__from(word, 6);
        type = mpx__is_word(low, "float16", any)    ? MPX_F16
               : mpx__is_word(low, "bfloat16", any) ? MPX_BF16
                                                    : MPX_NONE;
        type = mpx__type_of(mpx__row_of(type));
        if (type != MPX_NONE) {
            mpx__policy_set(out, MPX_F32, type, type);
            return MPX_OK;
        }
    }
#endif
    type = mpx__lookup(word, &in->opt);
    if (type == MPX_NONE) return MPX_ERR_DTYPE;
    mpx__policy_set(out, type, type, type);
    return MPX_OK;
}

/* Which grammar the text follows: printed form, parts, or one name. */
MPX__PRIVATE mpx_status mpx__parse_plain(const mpx__parser *in, mpx__slice *text,
                                         mpx_policy *out) {
    mpx_dialect dialect = mpx__dialect(&in->opt);
    mpx__slice whole = mpx__slice_of(text->s, text->n);
    int printed = 0;
    if (dialect == MPX_DIALECT_ANY || dialect == MPX_DIALECT_AXON) {
        mpx__slice inside = mpx__after_prefix(whole);
        printed = inside.n != 0 && inside.s[0] == '<' &&
                  mpx__lookup(whole, &in->opt) == MPX_NONE; /* not <f4 */
        if (dialect == MPX_DIALECT_AXON && !printed) return MPX_ERR_SYNTAX;
        if (printed) {
            text->s = inside.s;
            text->n = inside.n;
            if (!mpx__open_printed(text)) return MPX_ERR_SYNTAX;
        }
    }
    if (printed || (!mpx__is_keras(dialect) && mpx__find(whole, '=') != whole.n))
        return mpx__parse_parts(in, text, printed, out);
    return mpx__parse_name(in, text, out);
}

#if !MPX_NO_KERAS
/* The policy with the quantization of mode, which has no roles. Fails where Keras' class does. */
MPX__PRIVATE mpx_status mpx__quantize(const mpx_policy *source, const mpx_policy *mode,
                                      mpx_policy *out) {
    mpx_policy p;
    mpx__policy_set(&p, source->param, source->compute, source->output);
    if (source->quantization != MPX_QUANT_NONE) return MPX_ERR_UNSUPPORTED;
    if (mode->quantization == MPX_QUANT_INT8 && p.compute == MPX_F16) return MPX_ERR_UNSUPPORTED;
    p.quantization = mode->quantization;
    p.weight_bits = mode->weight_bits;
    p.group_size = mode->group_size;
    p.amax_history_length = mode->amax_history_length;
    *out = p;
    return MPX_OK;
}

/* int4/128_from_mixed_bfloat16. The order of the checks is Keras': the pair, the numbers of the
   mode, the source, the name of the mode, and whether they go together. */
MPX__PRIVATE mpx_status mpx__parse_quantized(const mpx__parser *in, mpx__slice text,
                                             mpx_policy *out) {
    int any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    size_t at = mpx__find_word(text, mpx__from_word, any), again;
    mpx__slice mode, source, wrong;
    mpx_policy p, quantization;
    mpx_status status;
    mpx__policy_set(&quantization, MPX_NONE, MPX_NONE, MPX_NONE);
    if (at == text.n) return mpx__word_fail(in, MPX_ERR_PAIR, text);
    source = mpx__from(text, at + sizeof mpx__from_word - 1);
    again = mpx__find_word(source, mpx__from_word, any);
    if (again != source.n) return mpx__word_fail(in, MPX_ERR_PAIR, mpx__from(source, again));
    mode = mpx__slice_of(text.s, at);
    mpx__strip_it(in, &mode);
    mpx__strip_it(in, &source);
    status = mpx__parse_mode(in, mpx__slice_of(mode.s, mode.n), any, &quantization);
    if (status != MPX_OK) return status;
    wrong = mpx__slice_of(source.s, source.n);
    status = mpx__parse_plain(in, &wrong, &p);
    if (status != MPX_OK) return mpx__word_fail(in, status, wrong);
    if (quantization.quantization == MPX_QUANT_NONE) return mpx__word_fail(in, MPX_ERR_MODE, mode);
    status = mpx__quantize(&p, &quantization, out);
    return status != MPX_OK ? mpx__word_fail(in, status, source) : MPX_OK;
}
#endif

/* Keras treats every text that begins like a mode, even "int8", as a quantized policy; ANY only
   texts with "_from_" or '/'. */
MPX__PRIVATE int mpx__is_quantized(const mpx__parser *in, mpx__slice text) {
    int any = mpx__dialect(&in->opt) == MPX_DIALECT_ANY;
    if ((MPX_NO_DIALECTS & MPX_NO_KERAS) != 0) return 0;
    if (!any && mpx__dialect(&in->opt) != MPX_DIALECT_KERAS) return 0;
    if (mpx__mode_of(text, any) == MPX_QUANT_NONE) return 0;
    return !any || mpx__find(text, '/') != text.n ||
           mpx__find_word(text, mpx__from_word, 1) != text.n;
}

MPX__PRIVATE mpx_status mpx__parse_policy(const mpx__parser *in, mpx_policy *out) {
    mpx__slice text = mpx__slice_of(in->text.s, in->text.n), whole;
    mpx_status status;
    mpx__strip_it(in, &text);
    whole.s = text.s;
    whole.n = text.n;
    if (mpx__dialect(&in->opt) == MPX_DIALECT_ANY && text.n == 0) {
        text.s = in->text.s;
        status = MPX_ERR_EMPTY;
    } else if (mpx__is_quantized(in, whole)) {
#if MPX_NO_KERAS
        status = MPX_ERR_DTYPE;
#else
        return mpx__parse_quantized(in, whole, out);
#endif
    } else {
        status = mpx__parse_plain(in, &text, out);
    }
    return status != MPX_OK ? mpx__word_fail(in, status, mpx__slice_of(text.s, text.n)) : MPX_OK;
}

MPX__API mpx_status mpx_policy_parse_n(const char *text, size_t len, mpx_parse_options opt,
                                       mpx_policy *out, mpx_error *err) {
    mpx__parser in;
    MPX_ASSERT(out != NULL && (text != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__parser_set(&in, text, len, &opt, err);
    return mpx__parse_policy(&in, out);
}

MPX__API mpx_status mpx_policy_parse_with(const char *text, mpx_parse_options opt, mpx_policy *out,
                                          mpx_error *err) {
    return mpx_policy_parse_n(text, mpx__length(text), opt, out, err);
}

MPX__API mpx_status mpx_policy_parse(const char *text, mpx_policy *out, mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_parse_with(text, any, out, err);
}

/* ---- printing -------------------------------------------------- */

/* The shortest word that the system reads back as the dtype; NULL if it has none. */
MPX__PRIVATE const char *mpx__word_for(mpx_dtype type, mpx_dialect dialect) {
    const mpx__row *row = mpx__row_of(type);
    unsigned system = mpx__system_of(dialect);
    size_t i;
    if (system == MPX__ANY) return row->short_name;
    for (i = 0; i < sizeof mpx__aliases / sizeof mpx__aliases[0]; i++)
        if (mpx__aliases[i].dtype == type && (mpx__aliases[i].systems & system) != 0)
            return mpx__aliases[i].word;
    if ((row->short_systems & system) != 0) return row->short_name;
    return (row->name_systems & system) != 0 ? row->name : NULL;
}

/* Print the set roles as key=dtype with a separator; 0 if one has no word in the dialect. */
MPX__PRIVATE int mpx__put_roles(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect,
                                char separator) {
    static const char key[4] = "pco";
    mpx_dtype role[3];
    int i, lead = 0;
    role[0] = p->param;
    role[1] = p->compute;
    role[2] = p->output;
    for (i = 0; i < 3; i++) {
        const char *word = mpx__word_for(role[i], dialect);
        if (role[i] == MPX_NONE) continue;
        if (word == NULL || word[0] == '\0') return 0;
        if (lead != 0) mpx__put_char(out, lead);
        mpx__put_char(out, key[i]);
        mpx__put_char(out, '=');
        mpx__put(out, word);
        lead = separator;
    }
    return 1;
}

/* The name of a policy that is not quantized; 0 if Keras has none. alone: the name must be one that
   keras.dtype_policies.get reads by itself, so words which begin like a mode will not do. */
MPX__PRIVATE int mpx__put_keras(mpx__printer *out, const mpx_policy *p, int alone) {
    int mixed = p->param == MPX_F32 && (p->compute == MPX_F16 || p->compute == MPX_BF16), known;
    const char *word = mpx_dtype_name(p->compute);
    known = (mpx__row_of(p->compute)->name_systems & MPX__KERAS) && (mixed & MPX_NO_DIALECTS) == 0;
    if (!known || p->output != p->compute || (!mixed && p->param != p->compute)) return 0;
    if (alone && !mixed && mpx__mode_of(mpx__slice_of(word, mpx__length(word)), 0) != 0) return 0;
    if (mixed) mpx__put(out, "mixed_");
    mpx__put(out, word);
    return 1;
}

MPX__PRIVATE int mpx__put_plain(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    int all_set = p->param != MPX_NONE && p->compute != MPX_NONE && p->output != MPX_NONE;
    int printed = dialect == MPX_DIALECT_AXON || (dialect == MPX_DIALECT_ANY && !all_set), ok;
    if (mpx__is_keras(dialect)) return mpx__put_keras(out, p, dialect == MPX_DIALECT_KERAS);
    if (!printed && !all_set) return 0;
    if (dialect == MPX_DIALECT_AXON) mpx__put(out, mpx__axon_prefix);
    if (printed) mpx__put_char(out, '<');
    ok = mpx__put_roles(out, p, dialect, printed ? ' ' : ',');
    if (printed) mpx__put_char(out, '>');
    return ok;
}

/* Only what the dialect reads back as the same value. */
#if !MPX_NO_KERAS
MPX__PRIVATE int mpx__put_quantized(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    if (p->quantization == MPX_QUANT_INT8 && p->compute == MPX_F16) return 0;
    if (!mpx__put_mode(out, p, dialect)) return 0;
    mpx__put(out, mpx__from_word);
    return mpx__put_keras(out, p, 0) ||
           (dialect == MPX_DIALECT_ANY && mpx__put_plain(out, p, dialect));
}
#endif

MPX__PRIVATE int mpx__put_policy(mpx__printer *out, const mpx_policy *p, mpx_dialect dialect) {
    int quantized = p->quantization | p->weight_bits | p->group_size | p->amax_history_length;
    if (quantized == 0) return mpx__put_plain(out, p, dialect);
#if !MPX_NO_KERAS
    if (p->quantization != MPX_QUANT_NONE) return mpx__put_quantized(out, p, dialect);
#endif
    return 0;
}

MPX__PRIVATE size_t mpx__format_policy(const mpx_policy *p, mpx_dialect dialect, char *buf,
                                       size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (!mpx__has_dialect(dialect)) return 0;
    if (mpx__put_policy(&out, p, dialect)) return out.length;
    if (size != 0) buf[0] = '\0';
    return 0;
}

MPX__API size_t mpx_policy_format_with(mpx_policy p, mpx_dialect dialect, char *buf, size_t size) {
    return mpx__format_policy(&p, dialect, buf, size);
}

MPX__API size_t mpx_policy_format(mpx_policy p, char *buf, size_t size) {
    return mpx__format_policy(&p, MPX_DIALECT_ANY, buf, size);
}

/* ---- values ---------------------------------------------------- */

MPX__API mpx_policy mpx_policy_of(mpx_dtype param, mpx_dtype compute, mpx_dtype output) {
    mpx_policy p;
    mpx__policy_set(&p, param, compute, output);
    return p;
}
MPX__API int mpx_policy_equal(mpx_policy a, mpx_policy b) {
    return a.param == b.param && a.compute == b.compute && a.output == b.output &&
           a.quantization == b.quantization && a.weight_bits == b.weight_bits &&
           a.group_size == b.group_size && a.amax_history_length == b.amax_history_length;
}

#if !MPX_NO_KERAS
MPX__API mpx_status mpx_policy_quantize_n(mpx_policy source, const char *mode, size_t len,
                                          mpx_parse_options opt, mpx_policy *out, mpx_error *err) {
    mpx__parser in;
    mpx__slice word;
    mpx_policy quantization;
    mpx_status status;
    mpx__policy_set(&quantization, MPX_NONE, MPX_NONE, MPX_NONE);
    MPX_ASSERT(out != NULL && (mode != NULL || len == 0));
    if (!mpx__has_dialect(opt.dialect)) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__parser_set(&in, mode, len, &opt, err);
    word = mpx__slice_of(in.text.s, in.text.n);
    mpx__strip_it(&in, &word);
    status = mpx__parse_mode(&in, word, 1, &quantization);
    if (status != MPX_OK) return status;
    if (quantization.quantization == MPX_QUANT_NONE) return mpx__word_fail(&in, MPX_ERR_MODE, word);
    status = mpx__quantize(&source, &quantization, out);
    return status != MPX_OK ? mpx__word_fail(&in, status, word) : MPX_OK;
}

MPX__API mpx_status mpx_policy_quantize(mpx_policy source, const char *mode, mpx_policy *out,
                                        mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_quantize_n(source, mode, mpx__length(mode), any, out, err);
}
#endif

#endif /* !MPX_NO_POLICY */
