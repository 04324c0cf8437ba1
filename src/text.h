/*==================================================================*
 * MARK: text - slices, blanks, words, and printing into a caller's buffer
 *   ASCII only, without a locale. A text is bytes and a length; a NUL inside is an ordinary byte.
 *==================================================================*/

typedef struct mpx__slice {
    const char *s;
    size_t n;
} mpx__slice;

MPX__INLINE mpx__slice mpx__slice_of(const char *s, size_t n) {
    mpx__slice t;
    t.s = s;
    t.n = n;
    return t;
}

MPX__SELDOM size_t mpx__length(const char *s) {
    size_t n = 0;
    while (s[n] != '\0') {
        n++;
        MPX__BARRIER(); /* else gcc calls strlen */
    }
    return n;
}

MPX__INLINE char mpx__lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* Is the slice this word? */
MPX__SELDOM int mpx__is_word(mpx__slice t, const char *word, int ignore_case) {
    size_t i;
    for (i = 0; i < t.n; i++) {
        char c = ignore_case ? mpx__lower(t.s[i]) : t.s[i];
        if (word[i] == '\0' || c != word[i]) return 0;
    }
    return word[t.n] == '\0';
}

/* Does the slice begin with this word? */
MPX__SELDOM int mpx__begins_with(mpx__slice t, const char *word, int ignore_case) {
    size_t n = mpx__length(word);
    return t.n >= n && mpx__is_word(mpx__slice_of(t.s, n), word, ignore_case);
}
/* Bytes of a byte-order mark. */
MPX__SELDOM size_t mpx__mark_size(mpx__slice t) {
    return mpx__begins_with(t, "\xef\xbb\xbf", 0) ? 3 : 0;
}

/* The index of the first c, or t.n. */
MPX__ONCE size_t mpx__find(mpx__slice t, char c) {
    size_t i;
    for (i = 0; i < t.n && t.s[i] != c; i++) {
    }
    return i;
}

MPX__INLINE mpx__slice mpx__from(mpx__slice t, size_t start) {
    return mpx__slice_of(t.s + start, t.n - start);
}

/* The index of the first such word, or t.n. */
MPX__SELDOM size_t mpx__find_word(mpx__slice t, const char *word, int ignore_case) {
    size_t i;
    for (i = 0; i < t.n && !mpx__begins_with(mpx__from(t, i), word, ignore_case); i++) {
    }
    return i;
}

MPX__COLD MPX__PRIVATE int mpx__same_bytes(const void *a, const void *b, size_t n) {
    const unsigned char *s = (const unsigned char *)a, *t = (const unsigned char *)b;
    size_t i;
    for (i = 0; i < n; i++)
        if (s[i] != t[i]) return 0;
    return 1;
}

MPX__COLD MPX__PRIVATE uint32_t mpx__hash(mpx__slice key) {
    uint32_t hash = 0x811c9dc5u; /* FNV-1a, then mixed: its last bits are poor */
    size_t i;
    for (i = 0; i < key.n; i++)
        hash = (hash ^ (unsigned char)key.s[i]) * 0x01000193u;
    return (hash ^ hash >> 15) * 0x9e3779b1u;
}

#define MPX__NO_UNICODE 0x110000u /* from here on: bytes that are no character */
/* The UTF-8 character at the start of t, which is not empty. An invalid byte counts as a character
   that equals only itself. Returns its bytes. */
MPX__COLD MPX__PRIVATE size_t mpx__utf8(mpx__slice t, uint32_t *code) {
    uint32_t a = (unsigned char)t.s[0], least = 0x80, x;
    size_t size = a < 0x80 ? 1 : a < 0xc2 ? 0 : a < 0xe0 ? 2 : a < 0xf0 ? 3 : a < 0xf5 ? 4 : 0, i;
    *code = a;
    if (size == 1) return 1;
    *code = MPX__NO_UNICODE + a;
    if (size == 0 || size > t.n) return 1;
    x = a & (0x7fu >> size);
    for (i = 1; i < size; i++) {
        uint32_t b = (unsigned char)t.s[i];
        if ((b & 0xc0u) != 0x80u) return 1;
        x = x << 6 | (b & 0x3fu);
    }
    if (size > 2) least = size == 3 ? 0x800 : 0x10000;
    if (x < least || x > 0x10ffffu || (x >= 0xd800u && x < 0xe000u)) return 1;
    *code = x;
    return size;
}

/* Blanks, as ranges: the UTF-8 bytes of the first one; the lowest byte says how many more follow.
   The set is that of Python's str.strip(), which eformer uses: U+0009..D, U+001C..20, U+0085,
   U+00A0, U+1680, U+2000..200A, U+2028, U+2029, U+202F, U+205F, U+3000. */
static const uint32_t mpx__blanks[] = {
    0x00000904u, 0x00001c04u, 0x00c28500u, 0x00c2a000u, 0xe19a8000u,
    0xe280800au, 0xe280a801u, 0xe280af00u, 0xe2819f00u, 0xe3808000u,
};

/* Bytes of the blank at s, where `left` bytes may be read; 0: there is no blank. */
MPX__SELDOM size_t mpx__blank_size(const char *s, size_t left) {
    uint32_t code = 0;
    size_t n = 0, i;
    while (n < 3 && n < left) {
        code = code << 8 | (unsigned char)s[n++];
        if (code == 0) break; /* NUL is no blank */
        for (i = 0; i < sizeof mpx__blanks / sizeof mpx__blanks[0]; i++)
            if (code - (mpx__blanks[i] >> 8) <= (mpx__blanks[i] & 0xffu)) return n;
    }
    return 0;
}

/* Remove the blanks at both ends: in place, which takes less stack, and as a value. No blank begins
   inside another one, so one walk finds both ends. */
MPX__ONCE void mpx__trim_it(mpx__slice *t) {
    size_t i = 0, end = 0;
    const char *first = t->s;
    while (i < t->n) {
        size_t blank = mpx__blank_size(t->s + i, t->n - i);
        i += blank + (blank == 0);
        if (blank == 0)
            end = i;
        else if (end == 0)
            first = t->s + i;
    }
    t->n = end != 0 ? (size_t)(t->s + end - first) : 0;
    t->s = first;
}
MPX__INLINE mpx__slice mpx__trim(mpx__slice t) {
    mpx__trim_it(&t);
    return t;
}

/* A buffer filled as by snprintf: every character is counted, and those that fit are stored. */
typedef struct mpx__printer {
    char *buf;
    size_t size, length;
} mpx__printer;

MPX__SELDOM void mpx__print_to(mpx__printer *out, char *buf, size_t size) {
    out->buf = buf;
    out->size = size;
    out->length = 0;
    if (size != 0) buf[0] = '\0';
}

MPX__ONCE void mpx__put_char(mpx__printer *out, int c) {
    size_t n = out->length++;
    if (n + 1 < out->size) {
        char *at = out->buf + n;
        at[0] = (char)c;
        at[1] = '\0';
    }
}

MPX__SELDOM void mpx__put(mpx__printer *out, const char *s) {
    while (*s != '\0')
        mpx__put_char(out, *s++);
}

MPX__SELDOM void mpx__put_slice(mpx__printer *out, mpx__slice t) {
    size_t i;
    for (i = 0; i < t.n; i++)
        mpx__put_char(out, t.s[i]);
}

/* x / 10 by shifts (Warren, Hacker's Delight 10-17): small cores have no divider, and would call a
   library. The sum of shifts is x * 0.8 less a little; the remainder tells whether the quotient is
   one short. */
MPX__SELDOM size_t mpx__tenth(size_t x) {
    size_t q = (x >> 1) + (x >> 2);
    q += q >> 4;
    q += q >> 8;
    q += q >> 16;
    q += q >> 16 >> 16;
    q >>= 3;
    return x - q * 10 > 9 ? q + 1 : q;
}

MPX__SELDOM void mpx__put_size(mpx__printer *out, size_t x) {
    char digit[20];
    int n = 0;
    do {
        size_t rest = mpx__tenth(x);
        digit[n++] = (char)('0' + (int)(x - rest * 10));
        x = rest;
    } while (x != 0);
    while (n != 0)
        mpx__put_char(out, digit[--n]);
}

MPX__SELDOM void mpx__put_u64(mpx__printer *out, uint64_t x, const char *after) {
    size_t low = (size_t)x;
    if (low != x) mpx__put(out, "over ");
    mpx__put_size(out, low != x ? (size_t)-1 : low);
    mpx__put(out, after);
}

/* 'word', with bytes outside printable ASCII as \xHH, cut after 40 bytes. */
MPX__SELDOM void mpx__put_quoted(mpx__printer *out, mpx__slice t) {
    static const char hex[17] = "0123456789abcdef";
    size_t i;
    mpx__put_char(out, '\'');
    for (i = 0; i < t.n && i < 40; i++) {
        unsigned char c = (unsigned char)t.s[i];
        if (c >= 0x20 && c < 0x7f) {
            mpx__put_char(out, (char)c);
        } else {
            mpx__put(out, "\\x");
            mpx__put_char(out, hex[c >> 4]);
            mpx__put_char(out, hex[c & 15]);
        }
    }
    mpx__put(out, t.n > 40 ? "...'" : "'");
}

/* Note where a text is wrong, if the caller wants to know. */
MPX__ONCE mpx_status mpx__fail(mpx_error *err, mpx_status status, size_t offset, size_t length) {
    if (err != NULL) {
        mpx__zero(err, sizeof *err);
        err->status = status;
        err->offset = offset;
        err->length = length;
    }
    return status;
}
MPX__SELDOM void mpx__put_path(mpx_error *err, const char *path) {
    mpx__printer out;
    mpx__print_to(&out, err->path, sizeof err->path);
    mpx__put(&out, path != NULL ? path : "");
}
/* And which leaf, layer or node is; SIZE_MAX: none of them. */
MPX__SELDOM mpx_status mpx__fail_of(mpx_error *err, mpx_status status, mpx_subject subject,
                                    size_t index, const char *path) {
    if (err == NULL) return status;
    err->status = status;
    err->subject = subject;
    err->index = index;
    err->input = (size_t)-1;
    mpx__put_path(err, path);
    return status;
}
MPX__SELDOM mpx_status mpx__fail_at(mpx_error *err, mpx_status status, mpx_subject subject,
                                    size_t index) {
    return mpx__fail_of(err, mpx__fail(err, status, 0, 0), subject, index, NULL);
}
/* Of what there is not enough. */
MPX__SELDOM mpx_status mpx__lack(mpx_error *err, const char *what, size_t have, size_t need) {
    if (err != NULL) {
        err->what = what;
        err->have = have;
        err->need = need;
    }
    return MPX_ERR_SPACE;
}
/* An option that is out of range. */
MPX__SELDOM mpx_status mpx__fail_option(mpx_error *err, const char *name) {
    (void)mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    (void)mpx__lack(err, name, 0, 0);
    return MPX_ERR_ARGUMENT;
}

/* A text to parse, the rules to parse it by, and where to report an error. */
typedef struct mpx__parser {
    mpx__slice text;
    mpx_parse_options opt;
    mpx_error *err;
} mpx__parser;

/* Report a word of the text as wrong. */
MPX__ONCE mpx_status mpx__word_fail(const mpx__parser *in, mpx_status status, mpx__slice word) {
    return mpx__fail(in->err, status, (size_t)(word.s - in->text.s), word.n);
}

/* Field by field: small cores would call memcpy for the struct. */
MPX__SELDOM void mpx__parser_set(mpx__parser *in, const char *text, size_t len,
                                 const mpx_parse_options *opt, mpx_error *err) {
    in->text = mpx__slice_of(text != NULL ? text : "", len);
    in->opt.dialect = opt->dialect;
    in->opt.half = opt->half;
    in->err = err;
    (void)mpx__fail(err, MPX_OK, 0, 0);
}
