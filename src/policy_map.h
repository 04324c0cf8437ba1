/*==================================================================*
 * MARK: policy_map - policies by path, and by op
 *   A map is the caller's array of keys and policies. A path is first compared with the keys as
 *   plain text; then the keys are tried as patterns, in their order.
 *==================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP

/* Field by field, and folded into its callers: small cores would call memcpy. */
MPX__FORCE_INLINE void mpx__quant_none(mpx_quant *q) {
    q->scheme = MPX_SCHEME_NONE;
    q->element = MPX_NONE;
    q->scope = MPX_SCOPE_TENSOR;
    q->block = 0;
    q->rule = MPX_SCALE_FLOOR;
    q->zero_point = q->single = q->swizzled = q->given = 0;
    q->low = q->high = 0;
    q->epsilon = 0;
}
MPX__FORCE_INLINE void mpx__map_make(mpx_policy_map *map, mpx_map_entry *entries, size_t capacity,
                               const mpx_policy *fallback, mpx_patterns patterns) {
    map->entries = entries;
    map->capacity = capacity;
    map->count = 0;
    map->saturate = map->first_wins = 0;
    map->match = NULL;
    map->user = map->keys = NULL;
    map->fallback.param = fallback->param;
    map->fallback.compute = fallback->compute;
    map->fallback.output = fallback->output;
    map->fallback.quantization = fallback->quantization;
    map->fallback.weight_bits = fallback->weight_bits;
    map->fallback.group_size = fallback->group_size;
    map->fallback.amax_history_length = fallback->amax_history_length;
    map->patterns = patterns;
    mpx__quant_none(&map->fallback_quant);
}
MPX__API mpx_policy_map mpx_policy_map_of(mpx_map_entry *entries, size_t capacity,
                                          mpx_policy fallback) {
    mpx_policy_map map;
    mpx__map_make(&map, entries, capacity, &fallback, MPX_PATTERNS_GLOB);
    return map;
}
#if !MPX_NO_REGEX
MPX__API mpx_policy_map mpx_policy_map_keras(mpx_map_entry *entries, size_t capacity,
                                             mpx_policy fallback) {
    mpx_policy_map map;
    mpx__map_make(&map, entries, capacity, &fallback, MPX_PATTERNS_REGEX);
    return map;
}
#endif

/* ---- looking up ------------------------------------------------ */

/* The branch at a level of the tree below: first the bits of the key's hash, then those of the key,
   so that keys with one hash on purpose do not become a list. */
MPX__INLINE unsigned mpx__key_bit(mpx__slice key, uint32_t hash, size_t level) {
    if (level < 32) return hash >> (31 - level) & 1u;
    level -= 32;
    return level / 8 < key.n ? (unsigned)(unsigned char)key.s[level / 8] >> level % 8 & 1u : 0;
}
/* The entries form a tree. next[0] and next[1] are the children of entry i, and the bits of a key's
   hash choose the child at each level, from entries[0] on. A child was always set later than its
   parent, so the tree stays valid if entries are removed at the end: links to them count as none.
   Returns the entry with exactly this key, or MPX_MAP_DEFAULT; *place: the link to which it would
   be added, NULL for the first. */
MPX__PRIVATE size_t mpx__find_place(const mpx_policy_map *map, mpx__slice key, size_t **place) {
    uint32_t hash = mpx__hash(key);
    size_t i = 0, level = 0;
    for (*place = NULL; i < map->count; level++) {
        mpx_map_entry *entry = &map->entries[i];
        if (entry->length == key.n && mpx__same_bytes(entry->key, key.s, key.n)) return i;
        *place = &entry->next[mpx__key_bit(key, hash, level)];
        i = **place > i ? **place : MPX_MAP_DEFAULT;
    }
    return MPX_MAP_DEFAULT;
}

MPX__PRIVATE size_t mpx__find_key(const mpx_policy_map *map, mpx__slice key) {
    size_t *place;
    return mpx__find_place(map, key, &place);
}

/* Hang the entry behind the last, whose key is new, into the tree. */
MPX__PRIVATE void mpx__add_entry(mpx_policy_map *map, size_t *place) {
    mpx_map_entry *entry = &map->entries[map->count];
    entry->next[0] = entry->next[1] = 0;
    if (place != NULL) *place = map->count;
    map->count++;
}

/* The greatest suffix of t in the order of bytes, or the reverse: its beginning and its period. */
MPX__PRIVATE size_t mpx__greatest_end(mpx__slice t, int reverse, size_t *period) {
    size_t start = 0, i = 1, k = 0;
    *period = 1;
    while (i + k < t.n) {
        unsigned char a = (unsigned char)t.s[i + k], b = (unsigned char)t.s[start + k];
        if (a == b) {
            if (++k < *period) continue;
            i += k;
            k = 0;
        } else if ((a < b) != reverse) {
            i += k + 1;
            k = 0;
            *period = i - start;
        } else {
            start = i++;
            k = 0;
            *period = 1;
        }
    }
    return start;
}

/* The two-way algorithm (Crochemore and Perrin 1991): linear time for any texts. */
MPX__PRIVATE int mpx__has_part(mpx__slice path, mpx__slice part) {
    size_t period, other, middle = mpx__greatest_end(part, 0, &period);
    size_t last = mpx__greatest_end(part, 1, &other), known = 0, i;
    int periodic;
    if (last > middle) {
        middle = last;
        period = other;
    }
    periodic = middle + period <= part.n && mpx__same_bytes(part.s, part.s + period, middle);
    if (!periodic) period = (middle > part.n - middle ? middle : part.n - middle) + 1;
    while (path.n >= part.n) {
        size_t step = period;
        for (i = middle > known ? middle : known; i < part.n && part.s[i] == path.s[i];)
            i++;
        if (i < part.n) {
            step = i - middle + 1;
            known = 0;
        } else {
            for (i = middle; i > known && part.s[i - 1] == path.s[i - 1];)
                i--;
            if (i <= known) return 1;
            known = periodic ? part.n - period : 0;
        }
        path = mpx__from(path, step); /* no more than part.n bytes */
    }
    return 0;
}

/* Make the steps of the part between the plain ends, and match. The pattern is known to be
   valid. */
MPX__PRIVATE int mpx__run_entry(const mpx_map_entry *entry, int kind, mpx__slice path,
                                size_t prefix, size_t suffix) {
    mpx__pattern p;
    if (!mpx__compile(&p, mpx__slice_of(entry->key, entry->length), kind == MPX_PATTERNS_GLOB,
                      prefix, entry->length - suffix))
        return MPX_ERR_PATTERN;
    return mpx__match(&p, path, prefix, path.n - suffix,
                      kind == MPX_PATTERNS_SEARCH ? MPX__ANYWHERE : MPX__WHOLE);
}

/* Does the key match as a pattern? Negative: failed. */
MPX__PRIVATE int mpx__entry_matches(const mpx_policy_map *map, const mpx_map_entry *entry,
                                    mpx__slice path, const uint32_t *pairs) {
    mpx__slice key = mpx__slice_of(entry->key, entry->length);
    size_t prefix = entry->prefix, suffix = entry->suffix, i;
    if (map->patterns == MPX_PATTERNS_HOOK)
        return map->match != NULL ? map->match(key.s, key.n, path.s, path.n, map->user) : 0;
    for (i = 0; i < 8; i++)
        if ((entry->needs[i] & ~pairs[i]) != 0) return 0;
    if (map->patterns == MPX_PATTERNS_SEARCH)
        return prefix == key.n ? mpx__has_part(path, key)
                               : mpx__run_entry(entry, map->patterns, path, 0, 0);
    if (prefix == key.n) return 0; /* no wildcard, and not this very path */
    if (path.n < prefix + suffix || !mpx__same_bytes(path.s, key.s, prefix) ||
        !mpx__same_bytes(path.s + path.n - suffix, key.s + key.n - suffix, suffix))
        return 0;
    return mpx__run_entry(entry, map->patterns, path, prefix, suffix);
}

/* Which entry decides; where two patterns match, *other is the second. */
MPX__PRIVATE mpx_status mpx__find_entry(const mpx_policy_map *map, mpx__slice path, size_t *index,
                                        size_t *other) {
    size_t i, found = mpx__find_key(map, path);
    uint32_t pairs[8];
    *index = found;
    if (found != MPX_MAP_DEFAULT || map->patterns == MPX_PATTERNS_EXACT) return MPX_OK;
    mpx__zero(pairs, sizeof pairs);
    mpx__add_pairs(pairs, path);
    for (i = 0; i < map->count; i++) {
        int matches = mpx__entry_matches(map, &map->entries[i], path, pairs);
        if (matches < 0) return (mpx_status)matches;
        if (matches == 0) continue;
        *other = i;
        if (found != MPX_MAP_DEFAULT) return MPX_ERR_AMBIGUOUS;
        *index = found = i;
        if (map->first_wins) return MPX_OK;
    }
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_find_n(const mpx_policy_map *map, const char *path, size_t len,
                                          size_t *index) {
    size_t found, other;
    mpx_status status =
        mpx__find_entry(map, mpx__slice_of(path != NULL ? path : "", len), &found, &other);
    if (status == MPX_OK) *index = found;
    return status;
}

MPX__API mpx_status mpx_policy_map_find(const mpx_policy_map *map, const char *path, size_t *index) {
    return mpx_policy_map_find_n(map, path, mpx__length(path), index);
}

MPX__INLINE const mpx_policy *mpx__policy_at(const mpx_policy_map *map, size_t index) {
    return index == MPX_MAP_DEFAULT ? &map->fallback : &map->entries[index].policy;
}

MPX__API mpx_status mpx_policy_map_get(const mpx_policy_map *map, const char *path,
                                       mpx_policy *out) {
    size_t index = 0;
    mpx_status status = mpx_policy_map_find(map, path, &index);
    if (status == MPX_OK) mpx__copy(out, mpx__policy_at(map, index), sizeof *out);
    return status;
}

MPX__API int mpx_policy_map_contains(const mpx_policy_map *map, const char *key) {
    return mpx__find_key(map, mpx__slice_of(key, mpx__length(key))) != MPX_MAP_DEFAULT;
}

/* ---- changing -------------------------------------------------- */

/* How much of the map is used: to go back to it. */
typedef struct mpx__map_mark {
    size_t count, keys;
} mpx__map_mark;

MPX__PRIVATE mpx__map_mark mpx__map_here(const mpx_policy_map *map) {
    mpx__map_mark mark;
    mark.count = map->count;
    mark.keys = map->keys != NULL ? map->keys->used : 0;
    return mark;
}

/* What was added since is gone. Returns the status. */
MPX__PRIVATE mpx_status mpx__map_back(mpx_policy_map *map, mpx__map_mark mark, mpx_status status) {
    map->count = mark.count;
    if (map->keys != NULL) map->keys->used = mark.keys;
    return status;
}

/* Copy the key into the arena, if there is one and enough is left of it. */
MPX__PRIVATE mpx_status mpx__keep_key(mpx_arena *arena, mpx__slice *key, mpx_error *err) {
    char *copy;
    size_t left, size = key->n / 16 * 16 + 16;
    if (arena == NULL) return MPX_OK;
    left = arena->used <= arena->size ? arena->size - arena->used : 0;
    if (size > left) {
        (void)mpx__fail(err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(err, "bytes of keys", left, size);
    }
    copy = (char *)arena->data + arena->used;
    mpx__copy(copy, key->s, key->n);
    copy[key->n] = '\0';
    key->s = copy;
    arena->used += size;
    return MPX_OK;
}

/* Read the key as a pattern: once for its outline, once to check that it has not too many steps. */
MPX__PRIVATE mpx_status mpx__check_pattern(int kind, mpx__slice key, mpx__outline *outline,
                                           mpx_error *err) {
    mpx__pattern p;
    const int last = MPX_NO_REGEX ? MPX_PATTERNS_GLOB : MPX_PATTERNS_SEARCH;
    int glob = kind == MPX_PATTERNS_GLOB, whole = kind != MPX_PATTERNS_SEARCH, good;
    mpx__zero(outline, sizeof *outline);
    if (kind == MPX_PATTERNS_HOOK || kind == MPX_PATTERNS_EXACT) return MPX_OK;
    if (kind < MPX_PATTERNS_GLOB || kind > last) return mpx__fail(err, MPX_ERR_ARGUMENT, 0, 0);
    mpx__pattern_start(&p, key, glob, 0, key.n);
    good = mpx__read_outline(&p, outline);
    if (good && !whole && p.loose != MPX__NOWHERE) good = mpx__cannot(&p, p.loose, 3);
    if (good && outline->prefix < key.n)
        good = mpx__compile(&p, key, glob, whole ? outline->prefix : 0,
                            key.n - (whole ? outline->suffix : 0));
    return good ? MPX_OK : mpx__fail(err, MPX_ERR_PATTERN, p.wrong, p.extent);
}

MPX__PRIVATE mpx_status mpx__map_set(mpx_policy_map *map, mpx__slice text, const mpx_policy *policy,
                                     mpx_error *err) {
    mpx_map_entry *entry;
    mpx__outline outline;
    mpx_status status;
    size_t *place;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    if (mpx__find_place(map, text, &place) != MPX_MAP_DEFAULT)
        return mpx__fail(err, MPX_ERR_EXISTS, 0, text.n);
    if (map->count >= map->capacity) {
        (void)mpx__fail(err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(err, "entries", map->capacity, map->count + 1);
    }
    status = mpx__check_pattern(map->patterns, text, &outline, err);
    if (status != MPX_OK) return status;
    status = mpx__keep_key(map->keys, &text, err);
    if (status != MPX_OK) return status;
    entry = &map->entries[map->count];
    mpx__zero(entry, sizeof *entry);
    entry->key = text.s;
    entry->length = text.n;
    mpx__copy(&entry->policy, policy, sizeof *policy);
    entry->prefix = outline.prefix;
    entry->suffix = outline.suffix;
    mpx__copy(entry->needs, outline.needs, sizeof outline.needs);
    mpx__add_entry(map, place);
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_set_n(mpx_policy_map *map, const char *key, size_t len,
                                         mpx_policy policy, mpx_error *err) {
    return mpx__map_set(map, mpx__slice_of(key != NULL ? key : "", len), &policy, err);
}

MPX__API mpx_status mpx_policy_map_set(mpx_policy_map *map, const char *key, mpx_policy policy,
                                       mpx_error *err) {
    return mpx__map_set(map, mpx__slice_of(key, mpx__length(key)), &policy, err);
}

MPX__API mpx_status mpx_policy_map_delete(mpx_policy_map *map, const char *key) {
    size_t i = mpx__find_key(map, mpx__slice_of(key, mpx__length(key))), left = map->count - 1;
    if (i == MPX_MAP_DEFAULT) return MPX_ERR_MISSING;
    for (map->count = i; i < left; i++) {
        mpx_map_entry *entry = &map->entries[i];
        size_t *place;
        mpx__copy(entry, entry + 1, sizeof *entry);
        (void)mpx__find_place(map, mpx__slice_of(entry->key, entry->length), &place);
        mpx__add_entry(map, place);
    }
    return MPX_OK;
}

/* ---- sentences ------------------------------------------------- */

#if !MPX_NO_QUANT
/* How the leaves of an entry, or of none, are quantized; NULL: they are not. */
MPX__PRIVATE const mpx_quant *mpx__quant_at(const mpx_policy_map *map, size_t index) {
    const mpx_quant *q = index == MPX_MAP_DEFAULT ? &map->fallback_quant
                                                  : &map->entries[index].quant;
    return q->scheme != MPX_SCHEME_NONE ? q : NULL;
}
#endif
/* What decides: a policy or a quantization, whose word may not read as another policy. Returns 0 if
   there is no text for it. */
MPX__PRIVATE int mpx__put_value(mpx__printer *out, const mpx_policy_map *map, size_t index) {
    const mpx_policy *policy = mpx__policy_at(map, index);
    char text[MPX_POLICY_TEXT_SIZE];
    const char *scope = "";
    size_t length = mpx_policy_format(*policy, text, sizeof text);
#if !MPX_NO_QUANT
    const mpx_quant *q = mpx__quant_at(map, index);
    if (q != NULL) {
        mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
        mpx_dtype type;
        length = mpx_quant_format(*q, text, sizeof text);
        type = mpx__lookup(mpx__slice_of(text, length), &any);
        if (type != MPX_NONE && (type != policy->param || mpx_dtype_is_floating(type)))
            scope = "/tensor";
    }
#endif
    mpx__put(out, text);
    mpx__put(out, scope);
    return length != 0;
}

MPX__PRIVATE void mpx__put_key(mpx__printer *out, const mpx_policy_map *map, size_t index) {
    mpx__put_quoted(out, mpx__slice_of(map->entries[index].key, map->entries[index].length));
}

MPX__API size_t mpx_policy_map_explain(const mpx_policy_map *map, const char *path, char *buf,
                                       size_t size) {
    mpx__printer out;
    mpx__slice text = mpx__slice_of(path, mpx__length(path));
    size_t index = MPX_MAP_DEFAULT, other = 0;
    mpx_status status = mpx__find_entry(map, text, &index, &other);
    mpx__print_to(&out, buf, size);
    mpx__put_quoted(&out, text);
    mpx__put(&out, ": ");
    if (status == MPX_ERR_AMBIGUOUS) {
        mpx__put(&out, "both ");
        mpx__put_key(&out, map, index);
        mpx__put(&out, " and ");
        mpx__put_key(&out, map, other);
        mpx__put(&out, " match");
    } else if (status != MPX_OK) {
        mpx__put(&out, mpx_status_string(status));
    } else {
        if (index != MPX_MAP_DEFAULT) mpx__put_key(&out, map, index);
        mpx__put(&out, index != MPX_MAP_DEFAULT ? " decides: " : "no key matches: ");
        (void)mpx__put_value(&out, map, index);
    }
    return out.length;
}

MPX__API size_t mpx_error_line(const mpx_error *err, const char *text) {
    size_t line = 1, i;
    for (i = 0; i < err->offset; i++)
        line += text[i] == '\n';
    return line;
}

/* ---- text ------------------------------------------------------ */

/* By their numbers; NULL for what is none of them. */
MPX__PRIVATE const char *mpx__patterns_word(int kind) {
    switch (kind) {
    case MPX_PATTERNS_GLOB: return "glob";
    case MPX_PATTERNS_REGEX: return "regex";
    case MPX_PATTERNS_SEARCH: return "search";
    case MPX_PATTERNS_HOOK: return "hook";
    case MPX_PATTERNS_EXACT: return "exact";
    default: return NULL;
    }
}

MPX__INLINE int mpx__is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/* 1, 2, 4: the key of a setting; 0: none. */
MPX__PRIVATE int mpx__setting_of(mpx__slice key) {
    return mpx__is_word(key, "default", 0) | mpx__is_word(key, "patterns", 0) << 1 |
           mpx__is_word(key, "first_wins", 0) << 2;
}

/* Into the fallback: a policy, or a quantization where the text is no policy, or one whose
   parameters are integers. If it is neither, the error that lies further back says more. */
MPX__PRIVATE mpx_status mpx__read_value(mpx_policy_map *map, mpx__slice text,
                                        mpx_parse_options opt, mpx_error *err) {
    mpx_error one;
    mpx_policy policy;
    mpx_status status;
    mpx__zero(&policy, sizeof policy);
    status = mpx_policy_parse_n(text.s, text.n, opt, &policy, &one);
    mpx__zero(&map->fallback_quant, sizeof map->fallback_quant);
#if !MPX_NO_QUANT
    if (status != MPX_ERR_ARGUMENT &&
        (status != MPX_OK || mpx__row_of(policy.param)->kind > MPX_KIND_FLOAT)) {
        mpx_error two;
        if (mpx_quant_parse_n(text.s, text.n, &map->fallback_quant, &two) == MPX_OK)
            status = mpx__fail(&one, MPX_OK, 0, 0);
        else if (status != MPX_OK && two.offset > one.offset)
            mpx__copy(&one, &two, sizeof one);
        else if (status != MPX_OK && two.offset == one.offset) one.have = 1; /* neither */
    }
#endif
    if (status == MPX_OK) mpx__copy(&map->fallback, &policy, sizeof policy);
    if (err != NULL) mpx__copy(err, &one, sizeof one);
    return status != MPX_OK ? one.status : MPX_OK;
}

/* A text being read: where, and one line of it, key = value. */
typedef struct mpx__map_text {
    mpx__parser from;
    size_t at;
    mpx__slice key, value;
    int quoted, saturate, seen; /* settings */
} mpx__map_text;

/* Errors of a part of the text have their place in it. */
MPX__PRIVATE mpx_status mpx__map_text_inside(const mpx__map_text *in, mpx_status status,
                                             mpx__slice part) {
    if (in->from.err != NULL) in->from.err->offset += (size_t)(part.s - in->from.text.s);
    return status;
}

/* To the end of the line, a comment or, if asked, '='; no outer blanks. */
MPX__PRIVATE void mpx__read_part(mpx__map_text *in, int to_equals, mpx__slice *part) {
    const mpx__slice text = in->from.text;
    size_t start = in->at;
    mpx__slice trimmed;
    while (in->at < text.n && text.s[in->at] != '\n' && text.s[in->at] != '#' &&
           !(to_equals && text.s[in->at] == '='))
        in->at++;
    trimmed = mpx__trim(mpx__slice_of(text.s + start, in->at - start));
    part->s = trimmed.s; /* no memcpy */
    part->n = trimmed.n;
}

/* "a key" and its blanks. */
MPX__PRIVATE mpx_status mpx__read_quoted(mpx__map_text *in) {
    mpx__slice quote = mpx__slice_of(in->from.text.s + in->at, 1),
               rest = mpx__from(in->from.text, in->at + 1);
    mpx__slice between;
    in->key = mpx__slice_of(rest.s, mpx__find(rest, quote.s[0]));
    in->quoted = 1;
    if (in->key.n == rest.n) return mpx__word_fail(&in->from, MPX_ERR_QUOTE, quote);
    in->at += in->key.n + 2;
    mpx__read_part(in, 1, &between);
    return between.n != 0 ? mpx__word_fail(&in->from, MPX_ERR_MISSING_EQUALS, between) : MPX_OK;
}

/* The word saturate behind a policy. */
MPX__PRIVATE void mpx__read_saturate(mpx__map_text *in) {
    const size_t word = sizeof "saturate" - 1, n = in->value.n;
    in->saturate = !MPX_NO_CAST_WITH && n > word &&
                   mpx__is_word(mpx__from(in->value, n - word), "saturate", 0) &&
                   mpx__trim(mpx__slice_of(in->value.s, n - word)).n != n - word;
    if (in->saturate) in->value.n = mpx__trim(mpx__slice_of(in->value.s, n - word)).n;
}

/* The next line, neither empty nor a comment. 1, 0 at the end, or a status. */
MPX__PRIVATE int mpx__map_line(mpx__map_text *in) {
    size_t start, blank;
    for (;;) {
        while ((blank = mpx__blank_size(in->from.text.s + in->at, in->from.text.n - in->at)) != 0)
            in->at += blank;
        if (in->at == in->from.text.n) return 0;
        if (in->from.text.s[in->at] != '#') break;
        in->at += mpx__find(mpx__from(in->from.text, in->at), '\n');
    }
    start = in->at;
    in->quoted = 0;
    if (mpx__is_quote(in->from.text.s[in->at])) {
        mpx_status status = mpx__read_quoted(in);
        if (status != MPX_OK) return status;
    } else {
        mpx__read_part(in, 1, &in->key);
    }
    if (in->at == in->from.text.n || in->from.text.s[in->at] != '=')
        return mpx__word_fail(&in->from, MPX_ERR_MISSING_EQUALS,
                              in->quoted ? mpx__slice_of(in->from.text.s + start, in->key.n + 2)
                                         : mpx__slice_of(in->key.s, in->key.n));
    if (in->key.n == 0 && !in->quoted)
        return mpx__word_fail(&in->from, MPX_ERR_EMPTY, mpx__slice_of(in->from.text.s + start, 1));
    in->at++;
    mpx__read_part(in, 0, &in->value);
    return 1;
}

/* patterns = glob */
MPX__PRIVATE mpx_status mpx__set_patterns(const mpx__map_text *in, mpx_policy_map *map) {
    int kind, is_regex;
    for (kind = MPX_PATTERNS_EXACT; kind >= MPX_PATTERNS_GLOB; kind--)
        if (mpx__is_word(in->value, mpx__patterns_word(kind), 0)) break;
    is_regex = kind == MPX_PATTERNS_REGEX || kind == MPX_PATTERNS_SEARCH;
    if (kind < MPX_PATTERNS_GLOB || (is_regex & MPX_NO_REGEX) != 0)
        return mpx__word_fail(&in->from, MPX_ERR_ARGUMENT, in->value);
    map->patterns = (mpx_patterns)kind;
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__read_setting(mpx__map_text *in, mpx_policy_map *map, int setting) {
    if (map->count != 0) return mpx__word_fail(&in->from, MPX_ERR_ORDER, in->key);
    if ((in->seen & setting) != 0) return mpx__word_fail(&in->from, MPX_ERR_EXISTS, in->key);
    in->seen |= setting;
    if (setting == 1) map->saturate = in->saturate;
    if (setting == 2) return mpx__set_patterns(in, map);
    if (setting == 4 && (in->value.n != 1 || (in->value.s[0] | 1) != '1'))
        return mpx__word_fail(&in->from, MPX_ERR_ARGUMENT, in->value);
    if (setting == 4) map->first_wins = in->value.s[0] == '1';
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__map_read_line(mpx__map_text *in, mpx_policy_map *map) {
    const int setting = in->quoted ? 0 : mpx__setting_of(in->key);
    mpx_policy_map value;
    mpx_status status;
    if (setting > 1) return mpx__read_setting(in, map, setting);
    mpx__read_saturate(in);
    if (in->value.n == 0) return mpx__word_fail(&in->from, MPX_ERR_EMPTY, in->value);
    status = mpx__read_value(setting != 0 ? map : &value, in->value, in->from.opt, in->from.err);
    if (status != MPX_OK) return mpx__map_text_inside(in, status, in->value);
    if (setting != 0) return mpx__read_setting(in, map, setting);
    status = mpx__map_set(map, in->key, &value.fallback, in->from.err);
    if (status != MPX_OK) return mpx__map_text_inside(in, status, in->key);
    map->entries[map->count - 1].saturate = in->saturate;
    mpx__copy(&map->entries[map->count - 1].quant, &value.fallback_quant, sizeof(mpx_quant));
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_parse_n(mpx_policy_map *map, const char *text, size_t len,
                                           mpx_parse_options opt, mpx_error *err) {
    mpx__map_text in;
    mpx_policy_map read;
    mpx__map_mark before = mpx__map_here(map);
    int more;
    mpx__copy(&read, map, sizeof read);
    mpx__parser_set(&in.from, text, len, &opt, err);
    in.seen = 0;
    in.at = mpx__mark_size(in.from.text);
    while ((more = mpx__map_line(&in)) > 0) {
        mpx_status status = mpx__map_read_line(&in, &read);
        if (status != MPX_OK) return mpx__map_back(map, before, status);
    }
    if (more < 0) return mpx__map_back(map, before, (mpx_status)more);
    mpx__copy(map, &read, sizeof read);
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_parse(mpx_policy_map *map, const char *text, mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_map_parse_n(map, text, mpx__length(text), any, err);
}

/* Would the key read otherwise without quotes? */
MPX__PRIVATE int mpx__needs_quotes(mpx__slice key) {
    return mpx__trim(key).n != key.n || key.n == 0 || mpx__setting_of(key) != 0 ||
           mpx__is_quote(key.s[0]) || mpx__find(key, '=') != key.n ||
           mpx__find(key, '#') != key.n || mpx__find(key, '\n') != key.n;
}

/* The key, in quotes if need be; 0 if all three are in it. */
MPX__PRIVATE int mpx__put_map_key(mpx__printer *out, mpx__slice key) {
    static const char quotes[4] = "\"'`";
    size_t i = 0;
    if (!mpx__needs_quotes(key)) {
        mpx__put_slice(out, key);
        return 1;
    }
    while (i < 3 && mpx__find(key, quotes[i]) != key.n)
        i++;
    if (i == 3) return 0;
    mpx__put_char(out, quotes[i]);
    mpx__put_slice(out, key);
    mpx__put_char(out, quotes[i]);
    return 1;
}

/* key = value; 0 if one has no text. */
MPX__PRIVATE int mpx__put_entry(mpx__printer *out, const mpx_policy_map *map, size_t index) {
    const mpx_map_entry *entry = &map->entries[index];
    int good = mpx__put_map_key(out, mpx__slice_of(entry->key, entry->length));
    mpx__put(out, " = ");
    good &= mpx__put_value(out, map, index);
    mpx__put(out, entry->saturate ? " saturate\n" : "\n");
    return good;
}

MPX__API size_t mpx_policy_map_format(const mpx_policy_map *map, char *buf, size_t size) {
    const char *patterns = mpx__patterns_word(map->patterns);
    mpx__printer out;
    size_t i;
    int good;
    mpx__print_to(&out, buf, size);
    if (patterns == NULL) return 0;
    mpx__put(&out, "default = ");
    good = mpx__put_value(&out, map, MPX_MAP_DEFAULT);
    mpx__put(&out, map->saturate ? " saturate\npatterns = " : "\npatterns = ");
    mpx__put(&out, patterns);
    mpx__put(&out, map->first_wins ? "\nfirst_wins = 1\n" : "\nfirst_wins = 0\n");
    for (i = 0; i < map->count; i++)
        good &= mpx__put_entry(&out, map, i);
    if (!good) mpx__print_to(&out, buf, size);
    return out.length;
}

/* ---- layers ---------------------------------------------------- */

MPX__INLINE const char *mpx__text_or_empty(const char *text) { return text != NULL ? text : ""; }

MPX__API mpx_status mpx_policy_map_add_layers(mpx_policy_map *map, const mpx_layer *layers,
                                              size_t count, mpx_error *err) {
    mpx__map_mark before = mpx__map_here(map);
    size_t i;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    for (i = 0; i < count; i++) {
        mpx_status status =
            mpx_policy_map_set(map, mpx__text_or_empty(layers[i].path), layers[i].policy, err);
        if (status != MPX_OK)
            return mpx__fail_of(err, mpx__map_back(map, before, status), MPX_SUBJECT_LAYER, i,
                                layers[i].path);
    }
    return MPX_OK;
}

MPX__API mpx_status mpx_policy_map_apply(mpx_layer *layers, size_t count, const mpx_policy_map *map,
                                         mpx_error *err) {
    mpx_policy policy;
    size_t i;
    int work;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    for (work = 0; work < 2; work++)
        for (i = 0; i < count; i++) {
            mpx_status status =
                mpx_policy_map_get(map, mpx__text_or_empty(layers[i].path), &policy);
            if (status != MPX_OK)
                return mpx__fail_of(err, status, MPX_SUBJECT_LAYER, i, layers[i].path);
            if (work) mpx__copy(&layers[i].policy, &policy, sizeof policy);
        }
    return MPX_OK;
}

MPX__PRIVATE int mpx__is_listed(const char *const *list, const char *op) {
    mpx__slice word = mpx__slice_of(op, mpx__length(op));
    for (; *list != NULL; list++)
        if (mpx__is_word(word, *list, 0)) return 1;
    return 0;
}

MPX__API int mpx_layer_filter_takes(const mpx_layer_filter *filter, const mpx_layer *layer) {
    const char *op = mpx__text_or_empty(layer->op);
    if (filter == NULL) return 1;
    if ((filter->only != NULL) + (filter->except != NULL) + (filter->select != NULL) > 1)
        return MPX_ERR_ARGUMENT;
    if (filter->only != NULL) return mpx__is_listed(filter->only, op);
    if (filter->except != NULL) return !mpx__is_listed(filter->except, op);
    return filter->select != NULL ? (filter->select)(layer, filter->user) : 1;
}

MPX__API mpx_status mpx_layers_apply_policy(mpx_layer *layers, size_t count, mpx_policy policy,
                                            const mpx_layer_filter *filter) {
    size_t i;
    int work;
    for (work = 0; work < 2; work++)
        for (i = 0; i < count; i++) {
            int takes = mpx_layer_filter_takes(filter, &layers[i]);
            if (takes < 0) return (mpx_status)takes;
            if (takes && work) mpx__copy(&layers[i].policy, &policy, sizeof policy);
        }
    return MPX_OK;
}

/* ---- trees ----------------------------------------------------- */
#if !MPX_NO_TREE

MPX__API mpx_status mpx_policy_map_add_tree(mpx_policy_map *map, mpx_tree tree,
                                            mpx_error *err) {
    mpx__walk walk;
    mpx__map_mark before = mpx__map_here(map);
    mpx_status status = MPX_OK;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while (status == MPX_OK && (more = mpx__walk_next(&walk)) != 0) {
        mpx_policy same;
        if (more < 0) return mpx__map_back(map, before, (mpx_status)more);
        if (!mpx_dtype_is_floating(walk.leaf.dtype)) continue;
        mpx__policy_set(&same, walk.leaf.dtype, walk.leaf.dtype, walk.leaf.dtype);
        status = map->keys == NULL && mpx__path_is_built(&walk)
                     ? MPX_ERR_ARGUMENT
                     : mpx_policy_map_set(map, mpx__text_or_empty(walk.leaf.path), same, err);
    }
    if (status == MPX_OK) return MPX_OK;
    return mpx__fail_of(err, mpx__map_back(map, before, status), MPX_SUBJECT_LEAF, walk.index,
                        walk.leaf.path);
}

/* Count the leaves that each entry decides; dry: only check that it is possible. */
MPX__PRIVATE mpx_status mpx__count_leaves(mpx_policy_map *map, const mpx_tree *tree, int dry,
                                          mpx_error *err) {
    mpx__walk walk;
    int more;
    mpx__walk_start(&walk, tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        size_t index = MPX_MAP_DEFAULT;
        mpx_status status;
        if (!mpx_dtype_is_floating(walk.leaf.dtype)) continue;
        status = mpx_policy_map_find(map, mpx__text_or_empty(walk.leaf.path), &index);
        if (status != MPX_OK) return mpx__leaf_fail(&walk, status, MPX_NONE, MPX_NONE);
        if (!dry && index != MPX_MAP_DEFAULT) map->entries[index].leaves++;
    }
    return (mpx_status)more;
}
MPX__API mpx_status mpx_policy_map_count_leaves(mpx_policy_map *map, mpx_tree tree,
                                                mpx_error *err) {
    const mpx_status status = mpx__count_leaves(map, &tree, 1, err);
    size_t i;
    if (status != MPX_OK) return status;
    for (i = 0; i < map->count; i++)
        map->entries[i].leaves = 0;
    return mpx__count_leaves(map, &tree, 0, err);
}

/* What a leaf is cast to. */
MPX__PRIVATE mpx_status mpx__map_goal(const mpx_policy_map *map, mpx_role role, const char *path,
                                      mpx__goal *goal) {
    const mpx_policy *policy;
    size_t index = 0;
    mpx_status status = mpx_policy_map_find(map, mpx__text_or_empty(path), &index);
    if (status != MPX_OK) return status;
    policy = mpx__policy_at(map, index);
    goal->to = role == MPX_ROLE_PARAM     ? policy->param
               : role == MPX_ROLE_COMPUTE ? policy->compute
                                          : policy->output;
    goal->saturate = index == MPX_MAP_DEFAULT ? map->saturate : map->entries[index].saturate;
#if !MPX_NO_QUANT
    if (role == MPX_ROLE_PARAM) goal->quant = mpx__quant_at(map, index);
    if (goal->quant != NULL) goal->to = MPX_U8;
#endif
    return MPX_OK;
}

MPX__INLINE mpx__aim mpx__aim_by(const mpx_policy_map *map, mpx_role role) {
    mpx__aim aim = mpx__aim_at(MPX_NONE);
    aim.map = map;
    aim.role = role;
    return aim;
}

MPX__API mpx_status mpx_policy_map_measure(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                           mpx_tree_size *size, mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    size_t data;
    return mpx__measure(&tree, &aim, size, &data, err);
}

#if !MPX_NO_STATS
MPX__API mpx_status mpx_policy_map_dry_run(const mpx_policy_map *map, mpx_role role, mpx_tree tree,
                                           mpx_cast_report *reports, size_t capacity, size_t *count,
                                           mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__dry_run(&tree, &aim, reports, capacity, count, err);
}
#endif

MPX__API mpx_status mpx_policy_map_cast_into(mpx_tree *out, mpx_tree src,
                                             const mpx_policy_map *map, mpx_role role,
                                             mpx_arena *arena, mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__cast_into(out, &src, &aim, arena, err);
}

MPX__API mpx_status mpx_policy_map_cast_in_place(mpx_tree tree, const mpx_policy_map *map,
                                                 mpx_role role, mpx_error *err) {
    mpx__aim aim = mpx__aim_by(map, role);
    return mpx__cast_in_place(&tree, &aim, err);
}

#endif /* !MPX_NO_TREE */
#endif /* !MPX_NO_POLICY && !MPX_NO_POLICY_MAP */
