/*==================================================================*
 * MARK: files_safetensors - a header of JSON, then the data
 *   Only the JSON that the format allows is read. Its nesting is fixed, so no function is
 *   recursive. NumPy's headers are read by the same functions.
 *   Source: safetensors 0.8, tensor.rs; RFC 8259.
 *==================================================================*/
#if MPX_FILES

enum { MPX__SAFETENSORS_MOST = 100000000 }; /* bytes of a header */
static const char mpx__escapes[2][9] = { "\"\\/bfnrt", "\"\\/\b\f\n\r\t" };

/* ---- texts of JSON, and of Python ------------------------------ */

MPX__INLINE int mpx__is_python(const mpx__reader *r) {
    return r->file.format != MPX_FORMAT_SAFETENSORS;
}
/* The next byte, or a NUL. */
MPX__INLINE int mpx__peek(const mpx__reader *r) { return r->at < r->end ? r->s[r->at] : 0; }
MPX__PRIVATE void mpx__skip_blanks(mpx__reader *r) {
    while (r->at < r->end && mpx__find(mpx__slice_of(" \t\n\r", 4), (char)r->s[r->at]) < 4)
        r->at++;
}
MPX__PRIVATE int mpx__accept(mpx__reader *r, int c) {
    mpx__skip_blanks(r);
    if (r->at == r->end || r->s[r->at] != c) return 0;
    r->at++;
    return 1;
}
MPX__PRIVATE void mpx__expect(mpx__reader *r, int c, const char *what) {
    const int is_there = mpx__accept(r, c);
    mpx__must(r, is_there, r->at, what);
}
MPX__PRIVATE uint64_t mpx__text_number(mpx__reader *r) {
    uint64_t x = 0;
    size_t start;
    mpx__skip_blanks(r);
    for (start = r->at; mpx__peek(r) >= '0' && mpx__peek(r) <= '9';) {
        const uint64_t digit = (uint64_t)r->s[r->at++] - '0';
        mpx__must(r, x <= ((uint64_t)-1 - 9) / 10, start, "a number is too large");
        x = x * 10 + digit;
    }
    mpx__must(r, r->at != start && (r->s[start] != '0' || r->at == start + 1), start,
              "expected a whole number");
    if (mpx__is_python(r) && mpx__peek(r) == 'L') r->at++; /* Python 2 */
    return x;
}
/* Four hexadecimal digits. */
MPX__PRIVATE uint32_t mpx__json_hex(mpx__reader *r) {
    static const char digits[] = "0123456789abcdef";
    uint32_t code = 0;
    int i;
    for (i = 0; i < 4; i++, r->at++) {
        const size_t digit = mpx__find(mpx__slice_of(digits, 16), mpx__lower((char)mpx__peek(r)));
        if (digit == 16) {
            mpx__bad(r, MPX_ERR_FILE, r->at, "expected \\uXXXX");
            return 0;
        }
        code = code << 4 | (uint32_t)digit;
    }
    return code;
}
/* The character that stands behind a backslash is kept. */
MPX__PRIVATE void mpx__json_escape(mpx__reader *r) {
    const size_t i = mpx__find(mpx__slice_of(mpx__escapes[0], 8), (char)mpx__peek(r));
    uint32_t code, low;
    int more;
    if (i < 8) {
        r->at++;
        mpx__keep(r, (unsigned char)mpx__escapes[1][i]);
        return;
    }
    mpx__must(r, mpx__peek(r) == 'u', r->at, "there is no such escape");
    r->at += r->status == MPX_OK;
    code = mpx__json_hex(r);
    if (code >= 0xd800 && code < 0xe000) {
        mpx__must(r, code < 0xdc00 && r->end - r->at > 2 && r->s[r->at] == '\\' &&
                         r->s[r->at + 1] == 'u', r->at, "half of a surrogate pair");
        r->at += r->status == MPX_OK ? 2 : 0;
        low = mpx__json_hex(r);
        mpx__must(r, low >= 0xdc00 && low < 0xe000, r->at, "half of a surrogate pair");
        code = 0x10000u + ((code & 0x3ffu) << 10) + (low & 0x3ffu);
    }
    more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    mpx__keep(r, more == 0 ? code : (0xff00u >> (more + 1) & 0xffu) | code >> 6 * more);
    while (more-- > 0)
        mpx__keep(r, 0x80u | (code >> 6 * more & 63u));
}
/* A string, of which 15 bytes are returned. It is kept from `first` of r->names on. */
MPX__PRIVATE mpx__slice mpx__text_string(mpx__reader *r, size_t *first) {
    const int quote = mpx__is_python(r) && mpx__accept(r, '\'') ? '\'' : '"';
    size_t n;
    if (quote == '"') mpx__expect(r, '"', "expected a string");
    *first = r->word_at = r->names_used;
    while (r->at < r->end && r->s[r->at] != quote) {
        const unsigned char c = r->s[r->at];
        mpx__must(r, c >= 0x20 && !(c == '\\' && mpx__is_python(r)), r->at,
                  "this character cannot be in a string");
        r->at += r->status == MPX_OK;
        if (c == '\\')
            mpx__json_escape(r);
        else
            mpx__keep(r, c);
    }
    mpx__must(r, r->at < r->end, r->at, "the end of a string is missing");
    if (r->status != MPX_OK) return mpx__slice_of("", 0);
    r->at++;
    n = r->names_used - *first;
    mpx__keep(r, 0);
    return mpx__slice_of(r->word, n < sizeof r->word ? n : sizeof r->word - 1);
}
/* Which of three keys comes next in an object that has each once; 3: its end. seen: 0 at first. */
MPX__PRIVATE int mpx__next_key(mpx__reader *r, const char (*keys)[16], int *seen) {
    size_t first, at;
    mpx__slice word;
    int i;
    if (*seen == 0) {
        mpx__expect(r, '{', "expected '{'");
    } else if (!mpx__accept(r, ',') || (mpx__is_python(r) && mpx__accept(r, '}'))) {
        if (!mpx__is_python(r) || r->s[r->at - 1] != '}')
            mpx__expect(r, '}', "expected ',' or '}'");
        mpx__must(r, *seen == 7, r->at, "one of three keys is missing");
        return 3;
    }
    at = r->at;
    word = mpx__text_string(r, &first);
    r->names_used = first;
    for (i = 0; i < 3 && !mpx__is_word(word, keys[i], 0); i++) {
    }
    mpx__must(r, i < 3 && (*seen >> i & 1) == 0, at, "expected one of three keys, each once");
    *seen |= 1 << i;
    mpx__expect(r, ':', "expected ':'");
    return r->status == MPX_OK ? i : 3;
}
MPX__PRIVATE void mpx__text_shape(mpx__reader *r) {
    const int end = mpx__is_python(r) ? ')' : ']';
    mpx__expect(r, mpx__is_python(r) ? '(' : '[', "expected a shape");
    if (mpx__accept(r, end)) return;
    do {
        if (mpx__is_python(r) && r->tensor.rank != 0 && mpx__accept(r, end)) return;
        mpx__add_dim(r, mpx__text_number(r));
    } while (mpx__accept(r, ','));
    mpx__must(r, !mpx__is_python(r) || r->tensor.rank > 1, r->at, "expected ','");
    mpx__expect(r, end, "expected ',' or the end of a shape");
}

/* ---- reading --------------------------------------------------- */

MPX__PRIVATE void mpx__safetensors_tensor(mpx__reader *r) {
    static const char keys[3][16] = { "dtype", "shape", "data_offsets" };
    uint64_t begin = 0, end = 0;
    size_t first;
    int seen = 0, key;
    while ((key = mpx__next_key(r, keys, &seen)) < 3) {
        if (key == 0) {
            const mpx__slice type = mpx__text_string(r, &first);
            r->tensor.type = mpx__kept_text(r, first);
            mpx__must(r, mpx__find(type, '\0') == type.n, r->start, "a NUL in a dtype");
            (void)mpx_interop_parse_n(MPX_SYSTEM_SAFETENSORS, type.s, type.n, &r->tensor.dtype,
                                      NULL);
        } else if (key == 1) {
            mpx__text_shape(r);
        } else {
            mpx__expect(r, '[', "expected '['");
            begin = mpx__text_number(r);
            mpx__expect(r, ',', "expected ','");
            end = mpx__text_number(r);
            mpx__expect(r, ']', "expected ']'");
        }
    }
    mpx__must_be(r, begin <= end, r->start, "data_offsets end before they begin", end, begin);
    mpx__must_be(r, end <= r->size - r->end, r->start, "data_offsets are not in the file", end,
                 r->size - r->end);
    mpx__add_tensor(r, r->end + begin, end - begin, 1, (size_t)mpx_dtype_bits(r->tensor.dtype));
}
/* The name of what comes next, which also begins in r->word. */
MPX__PRIVATE const char *mpx__safetensors_name(mpx__reader *r) {
    size_t first, i;
    mpx__skip_blanks(r);
    r->start = r->at;
    (void)mpx__text_string(r, &first);
    if (r->status != MPX_OK) return "";
    r->name.s = (const char *)(const void *)(r->s + r->start + 1);
    r->name.n = r->at - r->start - 2;
    for (i = first; r->names != NULL && i + 1 < r->names_used && i < r->names_size; i++)
        mpx__must(r, r->names[i] != '\0', r->start, "a NUL in a name");
    mpx__expect(r, ':', "expected ':'");
    return mpx__kept_text(r, first);
}
MPX__PRIVATE void mpx__safetensors_metas(mpx__reader *r) {
    mpx_file_meta meta;
    size_t first;
    mpx__skip_blanks(r);
    if (r->end - r->at >= 4 && mpx__same_bytes(r->s + r->at, "null", 4)) {
        r->at += 4; /* none, as the reference reads it */
        return;
    }
    mpx__expect(r, '{', "expected '{'");
    if (mpx__accept(r, '}')) return;
    do {
        mpx__zero(&meta, sizeof meta);
        meta.key = mpx__safetensors_name(r);
        (void)mpx__text_string(r, &first);
        meta.data = mpx__kept_text(r, first);
        meta.count = meta.size = r->names_used - first - 1;
        mpx__add_meta(r, &meta);
    } while (mpx__accept(r, ','));
    mpx__expect(r, '}', "expected ',' or '}'");
}
MPX__PRIVATE void mpx__read_safetensors(mpx__reader *r) {
    const uint64_t length = mpx__get(r, 8);
    int metas = 0;
    if (!mpx__has(r, length)) return;
    r->end = r->at + (size_t)length;
    r->base = r->end;
    r->start = 8 + mpx__utf8_end(r->s + 8, r->end - 8);
    mpx__must(r, r->start == r->end, r->start, "no UTF-8");
    mpx__expect(r, '{', "expected '{'");
    if (!mpx__accept(r, '}')) {
        do {
            r->tensor.leaf.path = mpx__safetensors_name(r);
            if (mpx__is_same(r->word, "__metadata__")) {
                mpx__must(r, metas++ == 0, r->start, "__metadata__ is there twice");
                mpx__safetensors_metas(r);
            } else {
                mpx__safetensors_tensor(r);
            }
        } while (mpx__accept(r, ','));
        mpx__expect(r, '}', "expected ',' or '}'");
    }
    mpx__skip_blanks(r);
    mpx__must(r, r->at == r->end, r->at, "text behind the header");
}

/* ---- writing --------------------------------------------------- */

/* Escapes as serde_json has them. */
MPX__PRIVATE void mpx__out_json(mpx__writer *w, const char *s, size_t n) {
    static const char hex[] = "0123456789abcdef";
    size_t i;
    mpx__out(w, "\"", 1);
    for (i = 0; i < n; i++) {
        const size_t known = s[i] != '/' ? mpx__find(mpx__slice_of(mpx__escapes[1], 8), s[i]) : 8;
        const unsigned char c = (unsigned char)s[i];
        char text[7] = "\\u00xx";
        text[4] = hex[c >> 4];
        text[5] = hex[c & 15];
        if (known < 8) text[1] = mpx__escapes[0][known];
        if (known < 8 || c < 0x20)
            mpx__out(w, text, known < 8 ? 2 : 6);
        else
            mpx__out(w, s + i, 1);
    }
    mpx__out(w, "\"", 1);
}
/* When the data of a tensor are written. They have no gaps: if elements would begin at no multiple
   of their size, those of wider elements go first, in five turns; else all are of turn 0. */
MPX__PRIVATE size_t mpx__safetensors_turn(const mpx__writer *w, const mpx_file_tensor *t) {
    const int bits = mpx_dtype_bits(mpx__dtype_of(t));
    if (w->turns == 1) return 0;
    return (size_t)((bits <= 64) + (bits <= 32) + (bits <= 16) + (bits <= 8));
}
/* How many turns there are, and where the data of each begin. */
MPX__PRIVATE void mpx__safetensors_turns(mpx__writer *w, uint64_t *begins) {
    const mpx_file *file = w->file;
    uint64_t at = 0;
    size_t i, turn;
    for (w->turns = 1, i = 0; i < file->count; i++) {
        const size_t bits = (size_t)mpx_dtype_bits(mpx__dtype_of(&file->tensors[i]));
        if (bits > 8 && at % (bits / 8) != 0) w->turns = 5;
        at += mpx__leaf_bytes(&file->tensors[i].leaf);
    }
    for (at = 0, turn = 0; turn < w->turns; turn++)
        for (begins[turn] = at, i = 0; i < file->count; i++)
            if (mpx__safetensors_turn(w, &file->tensors[i]) == turn)
                at += mpx__leaf_bytes(&file->tensors[i].leaf);
}
MPX__PRIVATE void mpx__safetensors_header(mpx__writer *w) {
    const mpx_file *file = w->file;
    uint64_t begins[5], *begin;
    size_t i, j;
    mpx__safetensors_turns(w, begins);
    mpx__out_text(w, file->meta_count != 0 ? "{\"__metadata__\":{" : "{");
    for (i = 0; i < file->meta_count; i++) {
        const mpx_file_meta *meta = &file->metas[i];
        mpx__next_name(w, 1, i);
        mpx__wants(w, meta->dtype == MPX_NONE && !meta->is_array, MPX_ERR_FORMAT,
                   "metadata of safetensors are texts");
        if (w->status != MPX_OK) return;
        mpx__wants(w, mpx__utf8_end(meta->data, meta->count) == meta->count, MPX_ERR_FILE,
                   "no UTF-8");
        mpx__out_text(w, i != 0 ? "," : "");
        mpx__out_json(w, w->name.s, w->name.n);
        mpx__out_text(w, ":");
        mpx__out_json(w, (const char *)meta->data, meta->count);
    }
    mpx__out_text(w, i == 0 ? "" : file->count != 0 ? "}," : "}");
    for (i = 0; i < file->count && w->status == MPX_OK; i++) {
        const mpx_file_tensor *t = &file->tensors[i];
        const mpx_dtype dtype = mpx__dtype_of(t);
        const char *type = mpx_interop_name(MPX_SYSTEM_SAFETENSORS, dtype);
        mpx__next_name(w, 0, i);
        if (dtype == MPX_NONE && t->quant.scheme == MPX_SCHEME_NONE && t->type != NULL &&
            (unsigned char)t->type[0] >= 'A' && t->type[0] != '|' &&
            mpx__ggml_types[mpx__ggml_code(t->type)].block == 1)
            type = t->type; /* no block, unknown here: of such a file */
        mpx__wants(w, type[0] != '\0', MPX_ERR_DTYPE, "safetensors have no such dtype");
        mpx__wants(w, !mpx__is_word(w->name, "__metadata__", 0), MPX_ERR_EXISTS,
                   "safetensors have this name for metadata");
        mpx__check_tensor(w, t, 1, (size_t)mpx_dtype_bits(dtype));
        if (w->status != MPX_OK) return;
        mpx__out_text(w, i != 0 ? "," : "");
        mpx__out_json(w, w->name.s, w->name.n);
        mpx__out_text(w, ":{\"dtype\":");
        mpx__out_json(w, type, mpx__length(type));
        mpx__out_text(w, ",\"shape\":[");
        for (j = 0; j < t->rank; j++) {
            mpx__out_text(w, j != 0 ? "," : "");
            mpx__out_number(w, t->shape[j]);
        }
        mpx__out_text(w, "],\"data_offsets\":[");
        begin = &begins[mpx__safetensors_turn(w, t)];
        mpx__out_number(w, *begin);
        mpx__out_text(w, ",");
        mpx__out_number(w, *begin += mpx__leaf_bytes(&t->leaf));
        mpx__out_text(w, "]}");
    }
    mpx__out_text(w, "}");
    mpx__out_fill(w, " ", (0 - w->at) & 7u);
}
MPX__PRIVATE void mpx__write_safetensors(mpx__writer *w) {
    const mpx_file_write_fn write = w->write;
    size_t turn, i;
    w->write = NULL;
    mpx__safetensors_header(w);
    mpx__flush(w);
    mpx__wants(w, w->at <= MPX__SAFETENSORS_MOST, MPX_ERR_SPACE, "the header is too long");
    w->write = write;
    mpx__out_le(w, "8", &w->at);
    w->at = 8;
    mpx__safetensors_header(w);
    for (turn = 0; turn < w->turns; turn++)
        for (i = 0; i < w->file->count && w->status == MPX_OK; i++)
            if (mpx__safetensors_turn(w, &w->file->tensors[i]) == turn)
                mpx__out_tensor(w, &w->file->tensors[i]);
}

#endif /* MPX_FILES */
