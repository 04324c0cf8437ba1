/*==================================================================*
 * MARK: pattern - globs and regular expressions, matched in linear time
 *   A pattern becomes steps. All paths through the steps are followed at once, one character at a
 *   time (Thompson 1968), so the matcher never goes back.
 *==================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP

/* Steps that take one character: this one; any but a line feed; any; any but '/'; one of the class
   or escape that stands at `arg` of the pattern. Steps that take none: the place holds what the
   letter `arg` says; go on both here and `to` steps further; go on `to` steps further. */
enum {
    MPX__CHAR,
    MPX__NO_LINE,
    MPX__EVERY,
    MPX__SEGMENT,
    MPX__CLASS,
    MPX__HOLDS,
    MPX__FORK,
    MPX__JUMP
};
enum { MPX__SKIP = 1, MPX__AGAIN = 2 }; /* a step may be left out; may take more than one */

typedef struct mpx__step {
    uint32_t arg;
    int16_t to; /* of a class: 1 + which long one it is; 0: a short one */
    uint8_t kind, flags;
} mpx__step;

/* A group being read: where its '(' is; where its steps begin, and those after its last '|'. */
typedef struct mpx__group {
    size_t open;
    uint8_t start, bar, has_bar;
} mpx__group;

/* What is kept of a pattern: bytes of plain text at both ends, and which pairs of bytes its plain
   text has: a path without one of them does not match. */
typedef struct mpx__outline {
    size_t prefix, suffix;
    uint32_t needs[8];
} mpx__outline;

/* A class that is too long to be read for every character: a bit for each ASCII character that it
   takes; the last other character that was looked up, and the answer. */
typedef struct mpx__long_class {
    uint32_t ascii[4], code;
    int takes;
} mpx__long_class;

enum { MPX__GROUPS = 16 }; /* groups within groups */
enum { MPX__LONG_CLASSES = 8, MPX__LONG_CLASS = 64 }; /* how many; more bytes are long */
enum { MPX__NOTHING, MPX__ATOM, MPX__REPEATED };
/* Flags of a pattern, in the order of the letters of mpx__read_flags. */
enum {
    MPX__ASCII_ONLY = 1,
    MPX__ANY_CASE = 2,
    MPX__LINES = 4,
    MPX__DOT_ALL = 8,
    MPX__VERBOSE = 16
};
#define MPX__NOWHERE ((size_t)-1)

typedef struct mpx__pattern {
    mpx__slice text;
    size_t at, end;            /* where it is read, and up to where */
    size_t wrong, extent;      /* what cannot be read */
    size_t count, atom, depth; /* steps; where those of the last item begin; open groups */
    int last;                  /* what the last item is: MPX__ATOM may be repeated */
    int glob;                  /* else a regular expression */
    int dry, too_large;        /* no steps are made; they were too many */
    size_t names, long_classes; /* named groups, when dry: step[i].arg is where they are */
    mpx__long_class long_class[MPX__LONG_CLASSES];
    /* Up to where nothing but flags, '^', \A and look-aheads stand; which of '^' and \A came last,
       '!' for a look-ahead; the last look-ahead; one before which neither of them stands. */
    size_t head;
    int flags, begun;
    size_t ahead, loose;
    mpx__group group[MPX__GROUPS + 1];
    mpx__step step[MPX_PATTERN_STEPS + 1]; /* one to spare */
} mpx__pattern;

/* ---- characters ------------------------------------------------ */

#define MPX__NO_CHAR 0xffffffffu

/* The character that ends at `at`. What is before is plain text of a pattern: whole characters. */
MPX__PRIVATE uint32_t mpx__char_before(mpx__slice t, size_t at) {
    uint32_t code;
    size_t size;
    for (size = 1; size <= at; size++)
        if (mpx__utf8(mpx__slice_of(t.s + at - size, size), &code) == size &&
            code < MPX__NO_UNICODE)
            return code;
    return MPX__NO_CHAR;
}

MPX__INLINE int mpx__in(uint32_t code, uint32_t low, uint32_t high) {
    return code >= low && code <= high;
}

/* What Python's str.isspace takes. */
MPX__PRIVATE int mpx__is_space(uint32_t c) {
    if (c < 0x80) return mpx__in(c, 9, 13) || mpx__in(c, 28, 32);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || mpx__in(c, 0x2000, 0x200a) ||
           mpx__in(c, 0x2028, 0x2029) || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Letters, digits and '_'. Beyond ASCII there are no tables here: all but blanks count. */
MPX__PRIVATE int mpx__is_word_char(uint32_t c) {
    if (c >= 0x80) return c < MPX__NO_UNICODE && !mpx__is_space(c);
    return mpx__in(c, '0', '9') || mpx__in(c | 0x20u, 'a', 'z') || c == '_';
}

/* Is the character in \d, \s, \w? In capitals: is it not? */
MPX__PRIVATE int mpx__set_takes(const mpx__pattern *p, int set, uint32_t c) {
    int only = (p->flags & MPX__ASCII_ONLY) != 0, takes;
    switch (set | 0x20) {
    case 'd': takes = mpx__in(c, '0', '9'); break;
    case 's': takes = only ? mpx__in(c, 9, 13) || c == ' ' : mpx__is_space(c); break;
    default: takes = mpx__is_word_char(c) && !(only && c >= 0x80);
    }
    return takes != (set < 'a');
}

/* The letter of ASCII in the other case, if case says nothing; else the character itself. */
MPX__PRIVATE uint32_t mpx__other_case(const mpx__pattern *p, uint32_t c) {
    return (p->flags & MPX__ANY_CASE) != 0 && mpx__in(c | 0x20u, 'a', 'z') ? c ^ 0x20u : c;
}

/* The pairs of neighbours in t, one bit for about 256 of them (Fibonacci hashing). */
MPX__PRIVATE void mpx__add_pairs(uint32_t *set, mpx__slice t) {
    size_t i;
    for (i = 1; i < t.n; i++) {
        uint32_t a = (unsigned char)t.s[i - 1], b = (unsigned char)t.s[i];
        uint32_t hash = (a << 8 | b) * 0x9e3779b1u;
        set[hash >> 29] |= 1u << (hash >> 24 & 31);
    }
}

/* ---- escapes and classes --------------------------------------- */

/* The value of up to `most` digits in base 8 or 16 at the start of t, and how many there are. */
MPX__PRIVATE uint32_t mpx__digits(mpx__slice t, uint32_t base, size_t most, size_t *count) {
    uint32_t x = 0;
    size_t n;
    for (n = 0; n < most && n < t.n; n++) {
        uint32_t c = (unsigned char)mpx__lower(t.s[n]);
        uint32_t digit = mpx__in(c, '0', '9') ? c - '0' : mpx__in(c, 'a', 'f') ? c - 'a' + 10 : 99;
        if (digit >= base) break;
        x = x * base + digit;
    }
    *count = n;
    return x;
}

/* What an escape says: MPX__SAYS_CHAR (the character is in *code), or the letter of a set or of a
   place; 0: it is none that can be read. */
enum { MPX__SAYS_CHAR = 1 };

#if !MPX_NO_REGEX
/* \x41, \u0041, \U00000041. */
MPX__PRIVATE int mpx__read_hex(mpx__slice t, size_t digits, size_t *size, uint32_t *code) {
    size_t count;
    *code = mpx__digits(t, 16, digits, &count);
    *size += count;
    return count == digits && *code < MPX__NO_UNICODE ? MPX__SAYS_CHAR : 0;
}

/* \0, \012, \101. In classes \1 and \12 too; elsewhere those would be references to groups. */
MPX__PRIVATE int mpx__read_octal(mpx__slice t, int in_class, size_t *size, uint32_t *code) {
    size_t count;
    *code = mpx__digits(t, 8, 3, &count);
    *size += count - (count != 0); /* with one digit already */
    if (count == 0 || *code > 255) return 0;
    return in_class || t.s[0] == '0' || count == 3 ? MPX__SAYS_CHAR : 0;
}

/* The escape at the start of t, by the rules of Python's re. *size: its bytes, even if it is
   wrong. */
MPX__PRIVATE int mpx__read_escape(mpx__slice t, int in_class, size_t *size, uint32_t *code) {
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    uint32_t c = 0;
    size_t i;
    *size = 1;
    if (t.n < 2) return 0;
    *size += mpx__utf8(mpx__from(t, 1), &c);
    *code = c;
    if (mpx__in(c, '0', '9')) return mpx__read_octal(mpx__from(t, 1), in_class, size, code);
    if (!mpx__in(c | 0x20u, 'a', 'z')) return MPX__SAYS_CHAR;
    switch (c) {
    case 'x': return mpx__read_hex(mpx__from(t, 2), 2, size, code);
    case 'u': return mpx__read_hex(mpx__from(t, 2), 4, size, code);
    case 'U': return mpx__read_hex(mpx__from(t, 2), 8, size, code);
    case 'd':
    case 'D':
    case 's':
    case 'S':
    case 'w':
    case 'W': return (int)c;
    case 'A':
    case 'Z':
    case 'B': return in_class ? 0 : (int)c;
    case 'b':
        if (!in_class) return (int)c;
        break;
    default: break;
    }
    for (i = 0; from[i] != '\0'; i++) {
        if ((uint32_t)from[i] != c) continue;
        *code = (uint32_t)to[i];
        return MPX__SAYS_CHAR;
    }
    return 0;
}
#endif

/* One character of a class, or a set. Returns as mpx__read_escape; advances *at. */
MPX__PRIVATE int mpx__class_char(mpx__slice t, int glob, size_t *at, uint32_t *code) {
    mpx__slice rest = mpx__from(t, *at);
#if !MPX_NO_REGEX
    if (rest.s[0] == '\\' && !glob) {
        size_t size;
        int says = mpx__read_escape(rest, 1, &size, code);
        *at += size;
        return says;
    }
#endif
    if (rest.s[0] == '\\' && glob) {
        ++*at;
        rest = mpx__from(rest, 1);
        if (rest.n == 0) return 0;
    }
    *at += mpx__utf8(rest, code);
    return MPX__SAYS_CHAR;
}

/* One item of a class: a character, a range, or a set. Returns as mpx__read_escape. */
MPX__PRIVATE int mpx__class_item(mpx__slice t, int glob, size_t *at, uint32_t *low,
                                 uint32_t *high) {
    int says = mpx__class_char(t, glob, at, low);
    *high = *low;
    if (says == 0 || *at + 1 >= t.n || t.s[*at] != '-' || t.s[*at + 1] == ']') return says;
    ++*at;
    if (mpx__class_char(t, glob, at, high) != MPX__SAYS_CHAR) return 0;
    return says == MPX__SAYS_CHAR && *low <= *high ? says : 0;
}

/* Past the '[' of a class, and its '^' (in globs '!' too). Returns 1 if there is one. */
MPX__INLINE int mpx__class_begin(mpx__slice t, int glob, size_t *at) {
    int negated;
    ++*at;
    negated = *at < t.n && (t.s[*at] == '^' || (glob && t.s[*at] == '!'));
    *at += (size_t)negated;
    return negated;
}

/* Read the class at `at`. */
MPX__PRIVATE int mpx__class_has(const mpx__pattern *p, size_t at, uint32_t c) {
    mpx__slice t = p->text;
    uint32_t low = 0, high = 0, other = mpx__other_case(p, c);
    int found = 0, negated = mpx__class_begin(t, p->glob, &at), first;
    for (first = 1; first || t.s[at] != ']'; first = 0) {
        int says = mpx__class_item(t, p->glob, &at, &low, &high);
        found |= says == MPX__SAYS_CHAR ? mpx__in(c, low, high) || mpx__in(other, low, high)
                                        : mpx__set_takes(p, says, c);
    }
    return found != negated;
}

/* Is the character in the class, or the set, of the step? In globs none holds a '/'. A long class
   is read once for one character, whatever the number of its copies. */
MPX__PRIVATE int mpx__class_takes(mpx__pattern *p, const mpx__step *step, uint32_t c) {
    mpx__long_class *known;
    if (p->text.s[step->arg] == '\\') return mpx__set_takes(p, p->text.s[step->arg + 1], c);
    if (p->glob && c == '/') return 0;
    if (step->to == 0) return mpx__class_has(p, step->arg, c);
    known = &p->long_class[step->to - 1];
    if (c < 0x80) return (int)(known->ascii[c / 32] >> c % 32 & 1u);
    if (known->code != c) known->takes = mpx__class_has(p, step->arg, c);
    known->code = c;
    return known->takes;
}

/* ---- steps ----------------------------------------------------- */

/* Note what cannot be read. Returns 0. */
MPX__PRIVATE int mpx__cannot(mpx__pattern *p, size_t at, size_t extent) {
    p->wrong = at;
    p->extent = extent;
    return 0;
}

/* A new step before step i. Jumps reach from within a whole item to within it, so that items can
   be moved and copied. */
MPX__PRIVATE mpx__step *mpx__insert(mpx__pattern *p, size_t i, uint8_t kind) {
    mpx__step *step = &p->step[i];
    size_t k;
    if (p->count == MPX_PATTERN_STEPS && !p->dry) p->dry = p->too_large = 1;
    if (p->dry) step = &p->step[MPX_PATTERN_STEPS];
    for (k = p->count; k > i && !p->dry; k--) {
        p->step[k] = p->step[k - 1];
        MPX__BARRIER(); /* else gcc calls memmove */
    }
    if (!p->dry) p->count++;
    step->kind = kind;
    step->flags = 0;
    step->to = 0;
    step->arg = 0;
    return step;
}

/* An item of one step, at the end. */
MPX__PRIVATE mpx__step *mpx__append(mpx__pattern *p, uint8_t kind, size_t arg) {
    mpx__step *step = mpx__insert(p, p->count, kind);
    step->arg = (uint32_t)arg;
    p->last = MPX__ATOM;
    p->atom = p->count - (size_t)!p->dry;
    return step;
}

/* Note which characters of ASCII the class of the step takes. */
MPX__PRIVATE void mpx__note_class(mpx__pattern *p, mpx__step *step) {
    static const char sets[] = "dDsSwW";
    mpx__long_class *known = &p->long_class[p->long_classes++];
    size_t at = step->arg;
    uint32_t low, high, c, other, i, said = 0;
    int negated = mpx__class_begin(p->text, p->glob, &at), first, says;
    mpx__zero(known->ascii, sizeof known->ascii);
    for (first = 1; first || p->text.s[at] != ']'; first = 0) {
        says = mpx__class_item(p->text, p->glob, &at, &low, &high);
        for (i = 0; i < 6; i++)
            if (says == sets[i]) said |= 1u << i;
        for (c = low; says == MPX__SAYS_CHAR && c <= high && c < 0x80; c++) {
            other = mpx__other_case(p, c);
            known->ascii[c / 32] |= 1u << c % 32;
            known->ascii[other / 32] |= 1u << other % 32;
        }
    }
    for (c = 0; c < 0x80; c++) {
        for (i = 0; i < 6; i++)
            if ((said >> i & 1u) != 0 && mpx__set_takes(p, sets[i], c))
                known->ascii[c / 32] |= 1u << c % 32;
        if (negated) known->ascii[c / 32] ^= 1u << c % 32;
    }
    known->code = MPX__NO_CHAR;
    step->to = (int16_t)p->long_classes;
}

/* A class; the pattern is read past it. */
MPX__PRIVATE int mpx__read_class(mpx__pattern *p) {
    mpx__slice t = mpx__slice_of(p->text.s, p->end);
    size_t at = p->at, item, size;
    uint32_t low, high;
    mpx__step *step;
    int first;
    (void)mpx__class_begin(t, p->glob, &at);
    for (first = 1; first || at >= t.n || t.s[at] != ']'; first = 0) {
        item = at;
        if (at >= t.n) return mpx__cannot(p, p->at, 1);
        if (mpx__class_item(t, p->glob, &at, &low, &high) == 0)
            return mpx__cannot(p, item, at - item);
    }
    size = at - p->at;
    step = mpx__append(p, MPX__CLASS, p->at);
    if (size > MPX__LONG_CLASS && !p->dry) {
        if (p->long_classes == MPX__LONG_CLASSES) return mpx__cannot(p, p->at, 0);
        mpx__note_class(p, step);
    }
    p->at = at + 1;
    return 1;
}

/* ---- globs ----------------------------------------------------- */

/* One item of a glob. *plain: see mpx__read_item. */
MPX__PRIVATE int mpx__read_glob(mpx__pattern *p, int *plain) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    uint32_t code;
    size_t stars = 0;
    int escaped;
    if (rest.s[0] == '[') return mpx__read_class(p);
    if (rest.s[0] == '?') {
        mpx__append(p, MPX__SEGMENT, 0);
        p->at++;
        return 1;
    }
    while (stars < rest.n && rest.s[stars] == '*')
        stars++;
    if (stars >= 2 && stars < rest.n && rest.s[stars] == '/' &&
        (p->at == 0 || p->text.s[p->at - 1] == '/')) { /* whole segments, or none */
        mpx__append(p, MPX__FORK, 0)->to = 3;
        mpx__append(p, MPX__EVERY, 0)->flags = MPX__SKIP | MPX__AGAIN;
        mpx__append(p, MPX__CHAR, '/');
        p->at += stars + 1;
        return 1;
    }
    if (stars != 0) {
        mpx__append(p, stars == 1 ? MPX__SEGMENT : MPX__EVERY, 0)->flags = MPX__SKIP | MPX__AGAIN;
        p->at += stars;
        return 1;
    }
    escaped = rest.s[0] == '\\';
    if (escaped) rest = mpx__from(rest, 1);
    if (rest.n == 0) return mpx__cannot(p, p->at, 1);
    p->at += mpx__utf8(rest, &code) + (size_t)escaped;
    *plain = !escaped && code < MPX__NO_UNICODE;
    mpx__append(p, MPX__CHAR, code);
    return 1;
}

/* ---- regular expressions --------------------------------------- */
#if !MPX_NO_REGEX

enum { MPX__MANY = 0xffff }; /* no upper limit */

/* A number of {m,n}, kept small: above the most steps every number is too many. */
MPX__PRIVATE size_t mpx__read_count(mpx__pattern *p, size_t *at, size_t otherwise) {
    size_t x = 0, start = *at;
    while (*at < p->end && mpx__in((unsigned char)p->text.s[*at], '0', '9')) {
        x = x * 10 + (size_t)(p->text.s[*at] - '0');
        if (x >= MPX__MANY) x = MPX__MANY - 1;
        ++*at;
    }
    return *at != start ? x : otherwise;
}

/* The bytes of the repetition * + ? {m} {m,} {,n} {m,n} that stands at p->at; 0: there is none, and
   a '{' is a character. */
MPX__PRIVATE size_t mpx__repeat_size(mpx__pattern *p, size_t *low, size_t *high) {
    size_t at = p->at + 1;
    char c = p->at < p->end ? p->text.s[p->at] : '\0';
    *low = c == '+' ? 1 : 0;
    *high = c == '?' ? 1 : MPX__MANY;
    if (c == '*' || c == '+' || c == '?') return 1;
    if (c != '{') return 0;
    *low = mpx__read_count(p, &at, 0);
    if (at < p->end && p->text.s[at] == ',') {
        at++;
        *high = mpx__read_count(p, &at, MPX__MANY);
    } else {
        *high = *low;
    }
    return at < p->end && p->text.s[at] == '}' && at - p->at > 1 ? at + 1 - p->at : 0;
}

/* The block of `size` steps at i may be left out, or taken again: by flags if it is one step that
   takes a character, else by forks around it. */
MPX__PRIVATE void mpx__repeat_block(mpx__pattern *p, size_t i, size_t size, int flags) {
    mpx__step *step = &p->step[i];
    if (size == 1 && step->kind <= MPX__CLASS && step->flags == 0) {
        step->flags = (uint8_t)flags;
        return;
    }
    if ((flags & MPX__AGAIN) != 0) {
        mpx__insert(p, i + size, MPX__FORK)->to = (int16_t)-(int)size;
        size++;
    }
    if ((flags & MPX__SKIP) != 0) mpx__insert(p, i, MPX__FORK)->to = (int16_t)(size + 1);
}

/* Make low to high of the last item: `low` copies that must be there, the others may; the last one
   may repeat if there is no limit. */
MPX__PRIVATE void mpx__repeat(mpx__pattern *p, size_t low, size_t high) {
    size_t size = p->count - p->atom, copies = high, k, i;
    if (high == MPX__MANY) copies = low > 1 ? low : 1;
    if (p->dry || size == 0) return;
    if (copies == 0) p->count = p->atom;
    for (k = 1; k < copies && !p->dry; k++)
        for (i = 0; i < size; i++) {
            mpx__step *step = mpx__insert(p, p->count, MPX__CHAR);
            *step = p->step[p->atom + i];
        }
    for (k = copies; k-- > 0 && !p->dry;) {
        int again = high == MPX__MANY && k + 1 == copies ? MPX__AGAIN : 0;
        int skip = k >= low ? MPX__SKIP : 0;
        if ((again | skip) != 0) mpx__repeat_block(p, p->atom + k * size, size, again | skip);
    }
}

/* A repetition of the last item. What follows it may be a '?': as few as possible, which changes
   nothing for whether a text matches; a '+' or a second repetition would. */
MPX__PRIVATE int mpx__read_repeat(mpx__pattern *p, size_t size, size_t low, size_t high) {
    if (p->last != MPX__ATOM || low > high) return mpx__cannot(p, p->at, size);
    p->at += size;
    if (p->at < p->end && p->text.s[p->at] == '+') return mpx__cannot(p, p->at, 1);
    if (p->at < p->end && p->text.s[p->at] == '?') p->at++;
    mpx__repeat(p, low, high);
    p->last = MPX__REPEATED;
    return 1;
}

/* Join the two sides of a '|': fork to the right one, and jump past it from the end of the left. */
MPX__PRIVATE void mpx__join_sides(mpx__pattern *p) {
    mpx__group *g = &p->group[p->depth];
    size_t right = p->count - g->bar;
    if (!g->has_bar || p->dry) return;
    mpx__insert(p, g->bar, MPX__JUMP)->to = (int16_t)(right + 1);
    mpx__insert(p, g->start, MPX__FORK)->to = (int16_t)(g->bar - g->start + 2);
}

MPX__PRIVATE int mpx__read_bar(mpx__pattern *p) {
    mpx__group *g = &p->group[p->depth];
    mpx__join_sides(p);
    g->has_bar = 1;
    g->bar = (uint8_t)p->count;
    p->last = MPX__NOTHING;
    p->at++;
    return 1;
}

MPX__PRIVATE void mpx__begin_group(mpx__pattern *p, size_t open) {
    mpx__group *g = &p->group[p->depth];
    g->open = open;
    g->start = (uint8_t)p->count;
    g->bar = 0;
    g->has_bar = 0;
    p->last = MPX__NOTHING;
}

/* Is this the name of an earlier group, as the "(?P<name>" of `size` bytes at p->at? Python's re:
   "redefinition of group name". */
MPX__PRIVATE int mpx__name_is_taken(const mpx__pattern *p, size_t size) {
    size_t i;
    for (i = 0; i < p->names; i++)
        if (mpx__same_bytes(p->text.s + p->step[i].arg, p->text.s + p->at, size)) return 1;
    return 0;
}

/* The bytes of the "(?P<name>" at p->at; 0: the name is none. A byte that is no character may stand
   in one. */
MPX__PRIVATE size_t mpx__read_name(const mpx__pattern *p) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 4;
    if (size == rest.n || mpx__in((unsigned char)rest.s[size], '0', '9')) return 0;
    while (size < rest.n && rest.s[size] != '>') {
        uint32_t code;
        size += mpx__utf8(mpx__from(rest, size), &code);
        if (code < MPX__NO_UNICODE && !mpx__is_word_char(code)) return 0;
    }
    if (size == 4 || size == rest.n) return 0;
    return size + 1;
}

/* The bytes of the flags "(?ai)" at p->at; 0: they are none. Nothing but flags may stand before. */
MPX__PRIVATE size_t mpx__read_flags(mpx__pattern *p) {
    static const char letters[] = "aimsx";
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 2, i;
    int flags = 0;
    for (; size < rest.n && rest.s[size] != ')'; size++) {
        for (i = 0; letters[i] != rest.s[size]; i++)
            if (letters[i] == '\0') return 0;
        flags |= 1 << i;
    }
    if (p->at != p->head || p->begun != 0 || size == 2 || size == rest.n) return 0;
    if (flags > 31) return 0; /* a NUL is the letter after the last */
    p->flags |= flags;
    return size + 1;
}

/* The head of the pattern has been read; move its end. */
MPX__PRIVATE void mpx__pass_head(mpx__pattern *p, size_t from, int begun) {
    if (p->head != from) return;
    p->head = p->at;
    if (begun != 0) p->begun = begun;
}

/* Read "(?=" or "(?!": it is looked at before all else, so it must stand at the head. */
MPX__PRIVATE void mpx__note_ahead(mpx__pattern *p) {
    p->ahead = p->at;
    if (p->begun != 'A' && (p->begun != '^' || (p->flags & MPX__LINES) != 0)) p->loose = p->at;
}

/* "(", "(?:", "(?P<name>", flags and look-aheads; other things that begin with "(?" are not for a
   matcher of this kind. */
MPX__PRIVATE int mpx__read_open(mpx__pattern *p) {
    mpx__slice rest = mpx__slice_of(p->text.s + p->at, p->end - p->at);
    size_t size = 1, known = rest.n < 3 ? rest.n : 3;
    if (mpx__begins_with(rest, "(?:", 0)) {
        size = 3;
    } else if (mpx__begins_with(rest, "(?P<", 0)) {
        size = mpx__read_name(p);
        if (size == 0) return mpx__cannot(p, p->at, 4);
        if (p->dry) { /* asked only when the pattern is set */
            if (mpx__name_is_taken(p, size)) return mpx__cannot(p, p->at, size);
            if (p->names == MPX_PATTERN_STEPS) return mpx__cannot(p, p->at, 0);
            p->step[p->names++].arg = (uint32_t)p->at;
        }
    } else if (p->at == p->head &&
               (mpx__begins_with(rest, "(?=", 0) || mpx__begins_with(rest, "(?!", 0))) {
        size = 3;
        mpx__note_ahead(p);
    } else if (rest.n > 1 && rest.s[1] == '?') {
        size = mpx__read_flags(p);
        if (size == 0) return mpx__cannot(p, p->at, known);
        p->at += size;
        p->head = p->at;
        return 1;
    }
    if (p->depth == MPX__GROUPS) return mpx__cannot(p, p->at, 0);
    p->depth++;
    mpx__begin_group(p, p->at);
    p->at += size;
    return 1;
}

MPX__PRIVATE int mpx__read_close(mpx__pattern *p) {
    const mpx__group *g = &p->group[p->depth];
    if (p->depth == 0) return mpx__cannot(p, p->at, 1);
    mpx__join_sides(p);
    p->atom = g->start;
    p->last = MPX__ATOM;
    p->depth--;
    p->at++;
    if (g->open == p->ahead) { /* its steps stand behind the place that it must hold at */
        size_t size = p->count - g->start;
        mpx__step *step = mpx__insert(p, g->start, MPX__HOLDS);
        step->arg = (uint32_t)p->text.s[g->open + 2];
        step->to = (int16_t)size;
        p->last = MPX__NOTHING;
        mpx__pass_head(p, g->open, '!');
    }
    return 1;
}

/* A blank or a comment in a verbose pattern, where '\' takes the next character along. Returns 0 if
   there is none. */
MPX__PRIVATE int mpx__skip_comment(mpx__pattern *p) {
    size_t from = p->at;
    char c = p->text.s[p->at];
    if ((p->flags & MPX__VERBOSE) == 0 || (c != ' ' && c != '#' && !mpx__in((uint32_t)c, 9, 13)))
        return 0;
    while (c == '#' && p->at < p->end && p->text.s[p->at] != '\n')
        p->at += p->text.s[p->at] == '\\' ? 2 : 1;
    if (p->at < p->end) p->at++;
    mpx__pass_head(p, from, 0);
    return 1;
}

MPX__PRIVATE int mpx__read_escaped(mpx__pattern *p) {
    size_t size;
    uint32_t code = 0;
    int says = mpx__read_escape(mpx__slice_of(p->text.s + p->at, p->end - p->at), 0, &size, &code);
    if (says == 0) return mpx__cannot(p, p->at, size);
    if (says == MPX__SAYS_CHAR) {
        mpx__append(p, MPX__CHAR, code);
    } else if (says == 'A' || says == 'Z' || says == 'b' || says == 'B') {
        mpx__append(p, MPX__HOLDS, (size_t)says);
        p->last = MPX__NOTHING;
    } else {
        mpx__append(p, MPX__CLASS, p->at);
    }
    p->at += size;
    if (says == 'A') mpx__pass_head(p, p->at - size, 'A');
    return 1;
}

/* '^' and '$': of the path or, as '<' and '>', of its lines. */
MPX__PRIVATE int mpx__read_end(mpx__pattern *p, char c) {
    int by_line = (p->flags & MPX__LINES) != 0;
    mpx__append(p, MPX__HOLDS, (size_t)(!by_line ? c : c == '^' ? '<' : '>'));
    p->last = MPX__NOTHING;
    p->at++;
    if (c == '^') mpx__pass_head(p, p->at - 1, '^');
    return 1;
}

/* One item of a regular expression. *plain: see mpx__read_item; once, outside all groups. */
MPX__PRIVATE int mpx__read_regex(mpx__pattern *p, int *plain) {
    size_t low, high, repeat = mpx__repeat_size(p, &low, &high);
    uint32_t code;
    char c = p->text.s[p->at];
    if (mpx__skip_comment(p)) return p->at <= p->end || mpx__cannot(p, p->end - 1, 1);
    if (repeat != 0) return mpx__read_repeat(p, repeat, low, high);
    switch (c) {
    case '|': return mpx__read_bar(p);
    case '(': return mpx__read_open(p);
    case ')': return mpx__read_close(p);
    case '[': return mpx__read_class(p);
    case '\\': return mpx__read_escaped(p);
    case '^':
    case '$': return mpx__read_end(p, c);
    case '.':
        mpx__append(p, (p->flags & MPX__DOT_ALL) != 0 ? MPX__EVERY : MPX__NO_LINE, 0);
        p->at++;
        return 1;
    default: break;
    }
    p->at += mpx__utf8(mpx__slice_of(p->text.s + p->at, p->end - p->at), &code);
    mpx__append(p, MPX__CHAR, code);
    *plain = code < MPX__NO_UNICODE && p->depth == 0 && mpx__repeat_size(p, &low, &high) == 0 &&
             (p->flags & (MPX__ANY_CASE | MPX__VERBOSE)) == 0;
    return 1;
}
#endif

/* ---- reading a pattern ----------------------------------------- */

/* Read one item, past it; *plain: it is a character that stands for itself, whatever stands beside
   it. (A byte that is none may be the end of a character in a path.) */
#if MPX_NO_REGEX
MPX__INLINE int mpx__read_item(mpx__pattern *p, int *plain) {
    *plain = 0;
    return mpx__read_glob(p, plain);
}
#else
MPX__INLINE int mpx__read_item(mpx__pattern *p, int *plain) {
    *plain = 0;
    return p->glob ? mpx__read_glob(p, plain) : mpx__read_regex(p, plain);
}
#endif

/* Read items up to p->end. Returns 0 if there is something that cannot be read. */
MPX__PRIVATE int mpx__read_items(mpx__pattern *p) {
    while (p->at < p->end) {
        size_t item = p->at;
        int plain;
        if (!mpx__read_item(p, &plain)) return 0;
        if (p->too_large) return mpx__cannot(p, item, 0);
    }
    return p->depth != 0 ? mpx__cannot(p, p->group[p->depth].open, 1) : 1;
}

/* The same without steps: find plain text. Its last run reaches from `run` to p->at. */
MPX__PRIVATE int mpx__read_outline(mpx__pattern *p, mpx__outline *outline) {
    size_t run = 0, item;
    int plain, rough = 0;
    mpx__zero(outline, sizeof *outline);
    p->dry = 1;
    while ((item = p->at) < p->end) {
        if (!mpx__read_item(p, &plain)) return 0;
        if (plain) continue;
        if (!rough) outline->prefix = item;
        mpx__add_pairs(outline->needs, mpx__slice_of(p->text.s + run, item - run));
        run = p->at;
        rough = 1;
    }
    if (p->depth != 0) return mpx__cannot(p, p->group[p->depth].open, 1);
    if (!rough) outline->prefix = p->end;
    if (rough) outline->suffix = p->end - run;
    mpx__add_pairs(outline->needs, mpx__slice_of(p->text.s + run, p->end - run));
    if (p->group[0].has_bar) mpx__zero(outline, sizeof *outline);
    return 1;
}

MPX__PRIVATE void mpx__pattern_start(mpx__pattern *p, mpx__slice text, int glob, size_t from,
                                     size_t to) {
    p->text = text;
    p->glob = glob;
    p->at = from;
    p->end = to;
    p->wrong = p->extent = p->count = p->atom = p->depth = p->names = p->long_classes = 0;
    p->last = MPX__NOTHING;
    p->dry = p->too_large = p->flags = p->begun = 0;
    p->head = 0;
    p->ahead = p->loose = MPX__NOWHERE;
    p->group[0].open = 0;
    p->group[0].start = p->group[0].bar = p->group[0].has_bar = 0;
}

/* Make the steps of text[from .. to). Returns 0 if it cannot be read. */
MPX__PRIVATE int mpx__compile(mpx__pattern *p, mpx__slice text, int glob, size_t from, size_t to) {
    mpx__pattern_start(p, text, glob, from, to);
    if (!mpx__read_items(p)) return 0;
#if !MPX_NO_REGEX
    mpx__join_sides(p);
    if (p->too_large) return mpx__cannot(p, to, 0);
#endif
    return 1;
}

/* ---- matching -------------------------------------------------- */

typedef struct mpx__run {
    mpx__pattern *p;
    mpx__slice path;
    size_t at;              /* before this character */
    uint32_t before, after; /* the characters on both sides */
    size_t last;            /* the step behind the last one */
    int done;               /* which can be reached here */
    size_t now_count, next_count;
    uint8_t now[MPX_PATTERN_STEPS], next[MPX_PATTERN_STEPS]; /* steps that may take a character */
    uint32_t seen[MPX_PATTERN_STEPS / 32 + 1];               /* steps reached here, one bit each */
} mpx__run;

enum { MPX__NEVER = 0 }; /* instead of a letter */

/* Does the place hold what the letter says? */
MPX__PRIVATE int mpx__holds(const mpx__run *run, uint32_t letter) {
    size_t end = run->path.n;
    int before = run->before != MPX__NO_CHAR && mpx__set_takes(run->p, 'w', run->before);
    int after = run->after != MPX__NO_CHAR && mpx__set_takes(run->p, 'w', run->after);
    switch (letter) {
    case '^':
    case 'A': return run->at == 0;
    case '$': return run->at == end || (run->at + 1 == end && run->path.s[run->at] == '\n');
    case 'Z': return run->at == end;
    case '<': return run->at == 0 || run->before == '\n';
    case '>': return run->at == end || run->after == '\n';
    case MPX__NEVER: return 0;
    case 'b': return before != after;
    default: return before == after && end != 0; /* as Python has it up to 3.13 */
    }
}

/* Reach step i, and all that are reached from there without a character. Each is reached once, so
   that `todo` has room. */
MPX__PRIVATE void mpx__reach(mpx__run *run, size_t i) {
    uint8_t todo[2 * MPX_PATTERN_STEPS + 2];
    size_t n = 0;
    todo[n++] = (uint8_t)i;
    while (n != 0) {
        const mpx__step *step;
        i = todo[--n];
        if ((run->seen[i / 32] >> (i % 32) & 1u) != 0) continue;
        run->seen[i / 32] |= 1u << (i % 32);
        step = &run->p->step[i];
        if (i == run->last) {
            run->done = 1;
        } else if (step->kind == MPX__JUMP) {
            todo[n++] = (uint8_t)((int)i + step->to);
        } else if (step->kind == MPX__FORK) {
            todo[n++] = (uint8_t)(i + 1);
            todo[n++] = (uint8_t)((int)i + step->to);
        } else if (step->kind == MPX__HOLDS) {
            if (mpx__holds(run, step->arg)) todo[n++] = (uint8_t)((int)i + 1 + step->to);
        } else {
            run->next[run->next_count++] = (uint8_t)i;
            if ((step->flags & MPX__SKIP) != 0) todo[n++] = (uint8_t)(i + 1);
        }
    }
}

MPX__PRIVATE int mpx__step_takes(mpx__pattern *p, const mpx__step *step, uint32_t c) {
    switch (step->kind) {
    case MPX__CHAR: return c == step->arg || mpx__other_case(p, c) == step->arg;
    case MPX__NO_LINE: return c != '\n';
    case MPX__EVERY: return 1;
    case MPX__SEGMENT: return c != '/';
    default: return mpx__class_takes(p, step, c);
    }
}

/* Where the steps that take the last character lead. */
MPX__PRIVATE void mpx__advance(mpx__run *run, size_t stop) {
    size_t i;
    for (i = 0; i < run->now_count; i++) {
        size_t k = run->now[i];
        const mpx__step *step = &run->p->step[k];
        if (!mpx__step_takes(run->p, step, run->before)) continue;
        if ((step->flags & MPX__AGAIN) != 0 && run->at != stop) mpx__reach(run, k);
        mpx__reach(run, k + 1);
    }
}

/* What is to match: the whole of path[from .. stop), any part of it, or its beginning. */
enum { MPX__WHOLE, MPX__ANYWHERE, MPX__BEGINNING };

/* Do the steps [start .. last) match? The time is linear in the steps and in the characters. */
MPX__PRIVATE int mpx__match_steps(mpx__pattern *p, size_t start, size_t last, mpx__slice path,
                                  size_t from, size_t stop, int what) {
    mpx__run run;
    int first;
    run.p = p;
    run.last = last;
    run.path = path;
    run.at = from;
    run.before = mpx__char_before(path, from);
    run.now_count = 0;
    for (first = 1;; first = 0) {
        size_t size = 0, end = run.at < stop ? stop : path.n;
        run.after = MPX__NO_CHAR;
        if (run.at < path.n)
            size = mpx__utf8(mpx__slice_of(path.s + run.at, end - run.at), &run.after);
        run.done = 0;
        run.next_count = 0;
        mpx__zero(run.seen, sizeof run.seen);
        if (first || what == MPX__ANYWHERE) mpx__reach(&run, start);
        mpx__advance(&run, stop);
        if (run.at == stop || (what != MPX__WHOLE && run.done)) return run.done;
        if (run.next_count == 0 && what != MPX__ANYWHERE) return 0;
        mpx__copy(run.now, run.next, run.next_count);
        run.now_count = run.next_count;
        run.before = run.after;
        run.at += size;
    }
}

/* Does the pattern match? Look-aheads are followed first, from the beginning of the path; then each
   is a place that always holds, or never. */
MPX__PRIVATE int mpx__match(mpx__pattern *p, mpx__slice path, size_t from, size_t stop, int what) {
    size_t i;
    for (i = 0; i < p->count; i++) {
        mpx__step *step = &p->step[i];
        int matches;
        if (step->kind != MPX__HOLDS || (step->arg != '=' && step->arg != '!')) continue;
        matches = mpx__match_steps(p, i + 1, (size_t)((int)i + 1 + step->to), path, 0, path.n,
                                   MPX__BEGINNING);
        step->arg = matches == (step->arg == '=') ? (uint32_t)'A' : (uint32_t)MPX__NEVER;
    }
    return mpx__match_steps(p, 0, p->count, path, from, stop, what);
}

#endif /* !MPX_NO_POLICY && !MPX_NO_POLICY_MAP */
