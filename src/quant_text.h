/*==================================================================*
 * MARK: quant_text - how numbers are quantized, as text
 *   "int8/channel", "int4/128", "mxfp4/rceil", "q8_0": a format, then words, each of which only
 *   some formats take.
 *==================================================================*/
#if !MPX_NO_QUANT

/* What a word changes, or what a format lets words change. */
enum {
    MPX__SETS_SCOPE = 1, MPX__SETS_DOWN = 2, MPX__SETS_LINEAR = 4, MPX__SETS_ZERO = 8,
    MPX__SETS_RULE = 16, MPX__SETS_SINGLE = 32, MPX__SETS_SWIZZLED = 64,
    MPX__SETS_AFFINE = MPX__SETS_SCOPE | MPX__SETS_DOWN,
    MPX__SETS_OF_MX = MPX__SETS_RULE | MPX__SETS_SWIZZLED
};
typedef struct mpx__format {
    char word[12];
    uint8_t scheme, element, zero_point, takes;
} mpx__format;
#define MPX__GGUF(word, scheme) { word, scheme, MPX_NONE, 0, 0 }
static const mpx__format mpx__formats[] = {
    { "none", MPX_SCHEME_NONE, MPX_NONE, 0, 0 },
    { "int8", MPX_SCHEME_KERAS, MPX_I8, 0, MPX__SETS_AFFINE | MPX__SETS_LINEAR | MPX__SETS_ZERO },
    { "int4", MPX_SCHEME_KERAS, MPX_I4, 0, MPX__SETS_AFFINE | MPX__SETS_LINEAR | MPX__SETS_ZERO },
    { "int2", MPX_SCHEME_KERAS, MPX_I2, 0, MPX__SETS_AFFINE | MPX__SETS_LINEAR | MPX__SETS_ZERO },
    { "uint8", MPX_SCHEME_LINEAR, MPX_U8, 1, MPX__SETS_AFFINE },
    { "uint4", MPX_SCHEME_LINEAR, MPX_U4, 1, MPX__SETS_AFFINE },
    { "uint2", MPX_SCHEME_LINEAR, MPX_U2, 1, MPX__SETS_AFFINE },
    { "float8", MPX_SCHEME_LINEAR, MPX_F8E4M3FN, 0, MPX__SETS_AFFINE },
    { "mxfp8_e4m3", MPX_SCHEME_MX, MPX_F8E4M3FN, 0, MPX__SETS_OF_MX },
    { "mxfp8_e5m2", MPX_SCHEME_MX, MPX_F8E5M2, 0, MPX__SETS_OF_MX },
    { "mxfp6_e2m3", MPX_SCHEME_MX, MPX_F6E2M3FN, 0, MPX__SETS_OF_MX },
    { "mxfp6_e3m2", MPX_SCHEME_MX, MPX_F6E3M2FN, 0, MPX__SETS_OF_MX },
    { "mxfp4", MPX_SCHEME_MX, MPX_F4E2M1FN, 0, MPX__SETS_OF_MX },
    { "mxint8", MPX_SCHEME_MX, MPX_I8, 0, MPX__SETS_OF_MX },
    { "nvfp4", MPX_SCHEME_NVFP4, MPX_F4E2M1FN, 0, MPX__SETS_SINGLE | MPX__SETS_SWIZZLED },
    MPX__GGUF("q4_0", MPX_SCHEME_Q4_0), MPX__GGUF("q4_1", MPX_SCHEME_Q4_1),
    MPX__GGUF("q5_0", MPX_SCHEME_Q5_0), MPX__GGUF("q5_1", MPX_SCHEME_Q5_1),
    MPX__GGUF("q8_0", MPX_SCHEME_Q8_0), MPX__GGUF("q4_k", MPX_SCHEME_Q4_K),
    MPX__GGUF("q5_k", MPX_SCHEME_Q5_K), MPX__GGUF("q6_k", MPX_SCHEME_Q6_K),
    MPX__GGUF("ggml_mxfp4", MPX_SCHEME_GGML_MXFP4), MPX__GGUF("ggml_nvfp4", MPX_SCHEME_GGML_NVFP4),
};
#undef MPX__GGUF
enum { MPX__FORMATS = sizeof mpx__formats / sizeof mpx__formats[0] };

typedef struct mpx__quant_word {
    char word[9];
    uint8_t sets, value;
} mpx__quant_word;
static const mpx__quant_word mpx__quant_words[] = {
    { "tensor", MPX__SETS_SCOPE, MPX_SCOPE_TENSOR }, { "row", MPX__SETS_SCOPE, MPX_SCOPE_ROW },
    { "channel", MPX__SETS_SCOPE, MPX_SCOPE_ROW },
    { "column", MPX__SETS_SCOPE, MPX_SCOPE_COLUMN }, { "down", MPX__SETS_DOWN, 1 },
    { "linear", MPX__SETS_LINEAR, 1 }, { "zero", MPX__SETS_ZERO, 1 },
    { "floor", MPX__SETS_RULE, MPX_SCALE_FLOOR }, { "even", MPX__SETS_RULE, MPX_SCALE_EVEN },
    { "ceil", MPX__SETS_RULE, MPX_SCALE_CEIL }, { "rceil", MPX__SETS_RULE, MPX_SCALE_RCEIL },
    { "single", MPX__SETS_SINGLE, 1 }, { "swizzled", MPX__SETS_SWIZZLED, 1 },
};
enum { MPX__QUANT_WORDS = sizeof mpx__quant_words / sizeof mpx__quant_words[0] };

/* ---- reading --------------------------------------------------- */

/* The first word: a format, or a float dtype of eight bits. */
MPX__PRIVATE mpx_status mpx__parse_format(mpx_quant *q, unsigned *takes, mpx__slice word) {
    const mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    const mpx__row *row;
    int i;
    for (i = 0; i < MPX__FORMATS; i++) {
        const mpx__format *f = &mpx__formats[i];
        if (!mpx__is_word(word, f->word, 1)) continue;
        q->scheme = (mpx_scheme)f->scheme;
        q->element = (mpx_dtype)f->element;
        q->zero_point = f->zero_point;
        *takes = f->takes;
        return i == 0 || mpx__check_quant(q) == MPX_OK ? MPX_OK : MPX_ERR_DTYPE;
    }
    row = mpx__row_of(mpx__lookup(word, &any));
    if (row->kind != MPX_KIND_FLOAT || row->bits != 8 || row->family == MPX__E8M0)
        return MPX_ERR_SCHEME;
    q->scheme = MPX_SCHEME_LINEAR;
    q->element = mpx__type_of(row);
    *takes = MPX__SETS_AFFINE;
    return MPX_OK;
}
/* A whole number without a sign, at most 2^31 - 1; 0: it is none, or too large. */
MPX__PRIVATE size_t mpx__parse_block(mpx__slice word) {
    size_t x = 0, i;
    for (i = 0; i < word.n; i++) {
        const unsigned digit = (unsigned char)word.s[i] - (unsigned)'0';
        if (digit > 9 || x > (0x7fffffffu - digit) / 10) return 0;
        x = x * 10 + digit;
    }
    return x;
}
MPX__PRIVATE void mpx__quant_put(mpx_quant *q, const mpx__quant_word *word) {
    switch (word->sets) {
    case MPX__SETS_SCOPE: q->scope = (mpx_scope)word->value; break;
    case MPX__SETS_LINEAR: q->scheme = MPX_SCHEME_LINEAR; break;
    case MPX__SETS_ZERO: q->zero_point = 1; break;
    case MPX__SETS_RULE: q->rule = (mpx_scale_rule)word->value; break;
    case MPX__SETS_SINGLE: q->single = 1; break;
    case MPX__SETS_SWIZZLED: q->swizzled = 1; break;
    default: break; /* down: with the block */
    }
}
/* The next word; `set` has what words before it have set. */
MPX__PRIVATE mpx_status mpx__parse_quant_word(mpx_quant *q, unsigned takes, unsigned *set,
                                              mpx__slice word) {
    unsigned sets = 0;
    int i;
    if (word.n != 0 && word.s[0] >= '0' && word.s[0] <= '9') {
        sets = MPX__SETS_SCOPE;
        q->scope = MPX_SCOPE_BLOCK;
        q->block = mpx__parse_block(word);
        if (q->block == 0) return MPX_ERR_SCHEME;
    }
    for (i = 0; i < MPX__QUANT_WORDS && sets == 0; i++) {
        if (!mpx__is_word(word, mpx__quant_words[i].word, 1)) continue;
        sets = mpx__quant_words[i].sets;
        mpx__quant_put(q, &mpx__quant_words[i]);
    }
    if ((takes & sets) == 0 || (*set & sets) != 0) return MPX_ERR_SCHEME;
    *set |= sets;
    return MPX_OK;
}

MPX__API mpx_status mpx_quant_parse_n(const char *name, size_t len, mpx_quant *out,
                                     mpx_error *err) {
    const mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx__slice rest, word = mpx__slice_of(NULL, 0);
    unsigned takes = 0, set = 0;
    mpx_status status;
    mpx__parser in;
    mpx_quant q;
    size_t end;
    MPX_ASSERT(out != NULL && (name != NULL || len == 0));
    mpx__zero(&q, sizeof q);
    mpx__parser_set(&in, name, len, &any, err);
    rest = mpx__trim(in.text);
    end = mpx__find(rest, '/');
    word = mpx__slice_of(rest.s, end);
    status = mpx__parse_format(&q, &takes, word);
    while (status == MPX_OK && end < rest.n) {
        rest = mpx__from(rest, end + 1);
        end = mpx__find(rest, '/');
        word = mpx__slice_of(rest.s, end);
        status = mpx__parse_quant_word(&q, takes, &set, word);
    }
    if (status == MPX_OK && (set & MPX__SETS_DOWN) != 0) {
        if (q.scope != MPX_SCOPE_BLOCK) status = MPX_ERR_SCHEME;
        q.scope = MPX_SCOPE_BLOCK_DOWN;
    }
    if (status != MPX_OK) return mpx__word_fail(&in, status, word);
    if (q.scheme == MPX_SCHEME_KERAS && q.block != 0 && q.element != MPX_I8) q.zero_point = 1;
    *out = q;
    return MPX_OK;
}
MPX__API mpx_status mpx_quant_parse(const char *name, mpx_quant *out, mpx_error *err) {
    return mpx_quant_parse_n(name, mpx__length(name), out, err);
}

/* ---- printing -------------------------------------------------- */

/* a: of a text, which sets no epsilon. */
MPX__PRIVATE int mpx__same_quant(const mpx_quant *a, const mpx_quant *b) {
    return a->scheme == b->scheme && a->element == b->element && a->scope == b->scope &&
           a->block == b->block && a->rule == b->rule && a->zero_point == b->zero_point &&
           a->single == b->single && a->swizzled == b->swizzled && a->given == b->given &&
           a->low == b->low && a->high == b->high && mpx__read32(&b->epsilon) << 1 == 0;
}
MPX__INLINE void mpx__put_part(mpx__printer *out, int is_there, const char *word) {
    if (!is_there) return;
    mpx__put_char(out, '/');
    mpx__put(out, word);
}
/* The format's own word: integers that are LINEAR have KERAS' word. */
MPX__PRIVATE void mpx__put_format(mpx__printer *out, const mpx_quant *q) {
    int i;
    for (i = 0; i < MPX__FORMATS; i++) {
        const mpx__format *f = &mpx__formats[i];
        if (f->element == (int)q->element &&
            (f->scheme == (int)q->scheme ||
             (q->scheme == MPX_SCHEME_LINEAR && f->scheme == MPX_SCHEME_KERAS))) {
            mpx__put(out, f->word);
            return;
        }
    }
    mpx__put(out, mpx_dtype_short_name(q->element));
}
MPX__API size_t mpx_quant_format(mpx_quant q, char *buf, size_t size) {
    static const char rules[4][6] = { "", "even", "ceil", "rceil" };
    const int scope = q.scope, linear = q.scheme == MPX_SCHEME_LINEAR &&
                                        mpx__row_of(q.element)->kind == MPX_KIND_INT,
              blocks = mpx__in_blocks(&q),
              implied = q.scheme == MPX_SCHEME_KERAS && blocks && q.element != MPX_I8;
    mpx__printer out;
    mpx_quant back;
    char text[64];
    mpx__print_to(&out, text, sizeof text);
    mpx__put_format(&out, &q);
    mpx__put_part(&out, scope == MPX_SCOPE_ROW, "channel");
    mpx__put_part(&out, scope == MPX_SCOPE_COLUMN, "column");
    mpx__put_part(&out, blocks, "");
    if (blocks) mpx__put_size(&out, q.block);
    mpx__put_part(&out, scope == MPX_SCOPE_BLOCK_DOWN, "down");
    mpx__put_part(&out, linear, "linear");
    mpx__put_part(&out, q.zero_point && !implied &&
                            mpx__row_of(q.element)->kind != MPX_KIND_UINT, "zero");
    mpx__put_part(&out, q.rule > MPX_SCALE_FLOOR && q.rule <= MPX_SCALE_RCEIL, rules[q.rule & 3]);
    mpx__put_part(&out, q.single, "single");
    mpx__put_part(&out, q.swizzled, "swizzled");
    mpx__zero(&back, sizeof back);
    mpx__print_to(&out, buf, size);
    if (mpx_quant_parse(text, &back, NULL) != MPX_OK || !mpx__same_quant(&back, &q)) return 0;
    mpx__put(&out, text);
    return out.length;
}

#if !MPX_NO_POLICY
MPX__API mpx_quant mpx_quant_of_policy(mpx_policy p) {
    mpx_quant q;
    mpx__zero(&q, sizeof q);
    if (p.quantization == MPX_QUANT_FLOAT8) {
        q.scheme = MPX_SCHEME_LINEAR;
        q.element = MPX_F8E4M3FN;
    } else if (p.quantization == MPX_QUANT_INT8 || p.quantization == MPX_QUANT_INT4) {
        const int blocks = p.quantization == MPX_QUANT_INT4 && p.group_size > 0;
        q.scheme = MPX_SCHEME_KERAS;
        q.element = p.quantization == MPX_QUANT_INT8 ? MPX_I8 : MPX_I4;
        q.scope = blocks ? MPX_SCOPE_BLOCK_DOWN : MPX_SCOPE_COLUMN;
        q.block = blocks ? (size_t)p.group_size : 0;
        q.zero_point = blocks;
    }
    return q;
}
#endif

#endif /* !MPX_NO_QUANT */
