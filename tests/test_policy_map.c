/* Policies by path and by op: every recorded row of Keras' DTypePolicyMap, what maps do, patterns
   that are refused and where, the text form there and back, trees and layers. Rows that differ
   stand in tests/golden/differences_policy_map.tsv with what the library does and why, and must
   still do that. With the argument --list: prints that file. With --time: how long 1,000 patterns
   take over 100,000 leaves. The matcher itself is tested by tests/test_pattern.py. */
#include "test.h"
#include <limits.h>
#include "golden.h"
#include <time.h>

/* What no function here writes. */
static mpx_policy odd_policy(void) {
    mpx_policy p;
    memset(&p, 0, sizeof p);
    p.param = 77;
    return p;
}

static mpx_policy policy_of(const char *text) {
    mpx_policy p;
    if (mpx_policy_parse(text, &p, NULL) != MPX_OK) {
        printf("tests/test_policy_map.c: '%s' is no policy\n", text);
        exit(2);
    }
    return p;
}

/* ---- what Keras did -------------------------------------------------------------------------- */

enum { ROOM = 32 };

/* A map of a case, the keys it holds, and the default policy of the program. */
typedef struct keras_case {
    mpx_policy_map map;
    mpx_map_entry entries[ROOM];
    char *keys[ROOM];
    size_t key_count;
    mpx_policy global;
} keras_case;

static char got[1024]; /* what the library did with the row, in words */

static const char *name_of(mpx_policy p) {
    static char name[MPX_POLICY_TEXT_SIZE];
    mpx_policy_format_with(p, MPX_DIALECT_KERAS, name, sizeof name);
    return name;
}

/* The value of a row: a name, or the default policy where there is none. */
static mpx_status keras_value(golden_file *g, const keras_case *k, mpx_policy *out) {
    mpx_parse_options keras = { MPX_DIALECT_KERAS, MPX_NONE };
    const char *name = golden_text(g, "value");
    if (name == NULL) {
        *out = k->global;
        return MPX_OK;
    }
    return mpx_policy_parse_with(name, keras, out, NULL);
}

/* The key of a row, where it stays. */
static char *keep_key(keras_case *k, const char *key, size_t len) {
    char *copy = (char *)malloc(len + 1);
    if (copy == NULL || k->key_count == ROOM) exit(2);
    memcpy(copy, key, len + 1);
    return k->keys[k->key_count++] = copy;
}

static void drop_keys(keras_case *k) {
    while (k->key_count != 0)
        free(k->keys[--k->key_count]);
}

static void do_new(golden_file *g, keras_case *k) {
    mpx_policy p;
    mpx_status status = keras_value(g, k, &p);
    if (status != MPX_OK) {
        snprintf(got, sizeof got, "%s", mpx_status_string(status));
        return;
    }
    drop_keys(k);
    k->map = mpx_policy_map_keras(k->entries, ROOM, p);
    if (golden_is(g, "system", "keras-3.11")) k->map.patterns = MPX_PATTERNS_SEARCH;
    snprintf(got, sizeof got, "map_%s", name_of(p));
}

static void do_set(golden_file *g, keras_case *k, const char *key, size_t len) {
    mpx_policy p;
    mpx_status status = keras_value(g, k, &p);
    if (status != MPX_OK && !mpx_policy_map_contains(&k->map, key)) { /* Keras asks that first */
        snprintf(got, sizeof got, "bad value");
        return;
    }
    if (status != MPX_OK) p = k->global;
    status = mpx_policy_map_set_n(&k->map, keep_key(k, key, len), len, p, NULL);
    snprintf(got, sizeof got, "%s", status == MPX_OK ? name_of(p) : mpx_status_string(status));
}

static void do_get(keras_case *k, const char *path, size_t len) {
    size_t index = 0;
    mpx_status status = mpx_policy_map_find_n(&k->map, path, len, &index);
    if (status != MPX_OK)
        snprintf(got, sizeof got, "%s", mpx_status_string(status));
    else
        snprintf(got, sizeof got, "%s",
                 name_of(index == MPX_MAP_DEFAULT ? k->map.fallback : k->entries[index].policy));
}

static void do_keys(const keras_case *k) {
    size_t i, n = 0;
    got[0] = '\0';
    for (i = 0; i < k->map.count; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i != 0 ? "," : "",
                              k->map.entries[i].key);
}

/* name/compute/variable/mode */
static void do_default(const keras_case *k) {
    mpx_policy p = k->map.fallback;
    const char *name = name_of(p), *from = strstr(name, "_from_");
    snprintf(got, sizeof got, "%s/%s/%s/%.*s", name, mpx_dtype_name(p.compute),
             mpx_dtype_name(p.param), from != NULL ? (int)(from - name) : 1,
             from != NULL ? name : "-");
}

/* What the row says, in the library's words. */
static const char *wanted(golden_file *g) {
    static const char *const errors[][2] = {
        { "duplicate_key", "key exists already" }, { "missing_key", "no such key" },
        { "ambiguous", "several patterns match" }, { "bad_value", "bad value" },
        { "bad_pattern", "unusable pattern" },
    };
    const char *error = golden_text(g, "error");
    size_t i;
    for (i = 0; error != NULL && i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(error, errors[i][0]) == 0) return errors[i][1];
    return error != NULL ? "" : golden_text(g, "result");
}

/* Do what the row says. Returns 1 if it came out as recorded. A policy that is no policy is an
   error of one kind or another. */
static int run_row(golden_file *g, keras_case *k) {
    const char *op = golden_text(g, "op"), *key = golden_text(g, "key"), *want = wanted(g);
    size_t len = golden_length(g, "key");
    mpx_status status;
    if (golden_is(g, "step", "0")) k->global = policy_of("float32");
    if (strcmp(op, "new") == 0) {
        do_new(g, k);
        if (want[0] == '\0') return strstr(got, "map_") == NULL;
    } else if (strcmp(op, "global") == 0) {
        keras_value(g, k, &k->global);
        snprintf(got, sizeof got, "%s", name_of(k->global));
    } else if (strcmp(op, "set") == 0) {
        do_set(g, k, key, len);
    } else if (strcmp(op, "get") == 0) {
        do_get(k, key, len);
    } else if (strcmp(op, "contains") == 0) {
        snprintf(got, sizeof got, "%d", mpx_policy_map_contains(&k->map, key));
    } else if (strcmp(op, "del") == 0) {
        status = mpx_policy_map_delete(&k->map, key);
        snprintf(got, sizeof got, "%s", status == MPX_OK ? "deleted" : mpx_status_string(status));
    } else if (strcmp(op, "len") == 0) {
        snprintf(got, sizeof got, "%lu", (unsigned long)k->map.count);
    } else if (strcmp(op, "keys") == 0) {
        do_keys(k);
    } else if (strcmp(op, "default") == 0) {
        do_default(k);
    } else {
        golden_broken(g, op);
    }
    return strcmp(got, want) == 0;
}

/* Why a row may differ. */
static const char *reason(golden_file *g) {
    const char *feature = golden_text(g, "feature");
    if (strcmp(feature, "flags") == 0) return "inline flags of re are refused when set";
    if (strcmp(feature, "invalid") == 0)
        return "a pattern that cannot be read is refused when it is set, not at the next lookup";
    if (strcmp(feature, "backref") == 0) return "back references need backtracking: refused";
    if (strcmp(feature, "lookaround") == 0) return "lookaround is refused when set";
    if (strcmp(feature, "utf8") == 0) return "digits are 0 to 9: those of other scripts are none";
    return "?";
}

static void case_golden(int list) {
    static keras_case k;
    golden_file rows, known;
    int more, differences = 0;
    golden_open(&rows, "policy_map");
    if (list) {
        printf("# file\trow\tkey\tmpx\treason\n");
        while (golden_next(&rows))
            if (!run_row(&rows, &k))
                printf("policy_map\t%ld\t%s | %s | %s | %s\t%s\t%s\n", rows.row,
                       golden_raw(&rows, "system"), golden_raw(&rows, "case"),
                       golden_raw(&rows, "op"), golden_raw(&rows, "key"), got, reason(&rows));
        golden_close(&rows);
        return;
    }
    golden_open(&known, "differences_policy_map");
    more = golden_next(&known);
    while (golden_next(&rows)) {
        int listed = more && strtol(golden_text(&known, "row"), NULL, 10) == rows.row;
        int same = run_row(&rows, &k);
        CHECK(same != listed, "policy_map, row %ld, %s %s %s: %s, recorded %s; it is %slisted",
              rows.row, golden_raw(&rows, "case"), golden_raw(&rows, "op"),
              golden_raw(&rows, "key"), got, wanted(&rows), listed ? "" : "not ");
        if (!listed) continue;
        CHECK(golden_is(&known, "mpx", got), "policy_map, row %ld: %s, listed as %s", rows.row, got,
              golden_raw(&known, "mpx"));
        CHECK(golden_is(&known, "reason", reason(&rows)), "policy_map, row %ld: the reason",
              rows.row);
        more = golden_next(&known);
        differences++;
    }
    CHECK(!more, "differences_policy_map: rows are not in order or are too many");
    printf("policy_map: %ld rows, %d differ and are listed\n", rows.row, differences);
    golden_close(&rows);
    golden_close(&known);
    drop_keys(&k);
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* Which key decides; "default", or the status in words. */
static const char *decides(const mpx_policy_map *map, const char *path) {
    size_t index = 12345;
    mpx_status status = mpx_policy_map_find(map, path, &index);
    if (status != MPX_OK) return index == 12345 ? mpx_status_string(status) : "index was touched";
    return index == MPX_MAP_DEFAULT ? "default" : map->entries[index].key;
}

static void check_decides(const mpx_policy_map *map, const char *path, const char *key) {
    const char *is = decides(map, path);
    CHECK(strcmp(is, key) == 0, "'%s': decided by '%s', not by '%s'", path, is, key);
}

static mpx_policy_map map_of(mpx_map_entry *entries, size_t capacity, int patterns) {
    mpx_policy_map map = mpx_policy_map_of(entries, capacity, policy_of("bf16"));
    if (capacity != 0) memset(entries, 0x5a, capacity * sizeof *entries);
    map.patterns = patterns;
    return map;
}

static void must_set(mpx_policy_map *map, const char *key, const char *policy) {
    mpx_error err = test_any_error();
    mpx_status status = mpx_policy_map_set(map, key, policy_of(policy), &err);
    CHECK(status == MPX_OK && test_is_no_error(&err), "'%s': %s at %lu", key,
          mpx_status_string(status), (unsigned long)err.offset);
}

static void soil_stack(void) {
    volatile unsigned char bytes[4096];
    size_t i;
    for (i = 0; i < sizeof bytes; i++)
        bytes[i] = 0x5a;
    (void)bytes[0];
}
/* Whatever lay on the stack before. */
static void case_new_map(void) {
    const mpx_policy fallback = odd_policy();
    int keras;
    for (keras = 0; keras <= !MPX_NO_REGEX; keras++) {
        mpx_policy_map map;
        const mpx_quant *q = &map.fallback_quant;
        soil_stack();
        map = mpx_policy_map_of(NULL, 0, fallback);
#if !MPX_NO_REGEX
        soil_stack();
        if (keras) map = mpx_policy_map_keras(NULL, 0, fallback);
#endif
        CHECK(map.entries == NULL && map.capacity == 0 && map.count == 0 && map.saturate == 0 &&
                  map.first_wins == 0 && map.match == NULL && map.user == NULL && map.keys == NULL &&
                  map.patterns == (keras ? MPX_PATTERNS_REGEX : MPX_PATTERNS_GLOB) &&
                  mpx_policy_equal(map.fallback, fallback),
              "a new map");
        CHECK(q->scheme == MPX_SCHEME_NONE && q->element == MPX_NONE && q->scope == MPX_SCOPE_TENSOR &&
                  q->block == 0 && q->rule == MPX_SCALE_FLOOR && q->zero_point == 0 && q->single == 0 &&
                  q->swizzled == 0 && q->given == 0 && !(q->low < 0 || q->low > 0) &&
                  !(q->high < 0 || q->high > 0) && !(q->epsilon < 0 || q->epsilon > 0),
              "the quantization of a new map");
    }
}

static void case_zero_map(void) {
    mpx_policy_map map;
    mpx_policy p = odd_policy();
    memset(&map, 0, sizeof map);
    CHECK(mpx_policy_map_get(&map, "x", &p) == MPX_OK && p.param == MPX_NONE, "an empty map");
    CHECK(mpx_policy_map_set(&map, "x", p, NULL) == MPX_ERR_SPACE, "no room");
    CHECK(mpx_policy_map_delete(&map, "x") == MPX_ERR_MISSING, "nothing to delete");
    CHECK(!mpx_policy_map_contains(&map, "x"), "nothing in it");
}

static void case_set_get_delete(void) {
    mpx_map_entry entries[3];
    mpx_policy_map map = map_of(entries, 3, MPX_PATTERNS_GLOB);
    mpx_policy p = odd_policy();
    mpx_error err;
    must_set(&map, "a", "f16");
    must_set(&map, "b/*", "f32");
    must_set(&map, "", "f64");
    CHECK(mpx_policy_map_set(&map, "b/*", policy_of("f64"), &err) == MPX_ERR_EXISTS, "twice");
    CHECK(err.status == MPX_ERR_EXISTS && err.offset == 0 && err.length == 3, "which key");
    CHECK(mpx_policy_equal(entries[1].policy, policy_of("f32")), "the entry was touched");
    CHECK(mpx_policy_map_set(&map, "c", policy_of("f64"), &err) == MPX_ERR_SPACE && err.length == 0, "full");
    CHECK(mpx_policy_map_get(&map, "b/x", &p) == MPX_OK && p.param == MPX_F32, "b/x");
    CHECK(mpx_policy_map_get(&map, "b/x/y", &p) == MPX_OK && p.param == MPX_BF16, "b/x/y");
    CHECK(mpx_policy_map_get(&map, "", &p) == MPX_OK && p.param == MPX_F64, "the empty path");
    CHECK(mpx_policy_map_contains(&map, "b/*") && !mpx_policy_map_contains(&map, "b/x"), "in");
    CHECK(mpx_policy_map_delete(&map, "a") == MPX_OK && map.count == 2, "delete");
    CHECK(strcmp(entries[0].key, "b/*") == 0 && strcmp(entries[1].key, "") == 0, "order");
    CHECK(mpx_policy_map_delete(&map, "a") == MPX_ERR_MISSING, "delete again");
    must_set(&map, "a", "f64");
    check_decides(&map, "a", "a");
    check_decides(&map, "b/*", "b/*");
    check_decides(&map, "z", "default");
}

/* Keys and paths that have no NUL, or have one inside. */
static void case_slices(void) {
    mpx_map_entry entries[2];
    mpx_policy_map map = map_of(entries, 2, MPX_PATTERNS_GLOB);
    size_t index = 0;
    CHECK(mpx_policy_map_set_n(&map, "ab/*xyz", 4, policy_of("f16"), NULL) == MPX_OK, "a slice");
    CHECK(mpx_policy_map_set_n(&map, "a\0b", 3, policy_of("f16"), NULL) == MPX_OK, "with NUL");
    CHECK(mpx_policy_map_find_n(&map, "ab/cdefg", 4, &index) == MPX_OK && index == 0, "ab/c");
    CHECK(mpx_policy_map_find_n(&map, "ab/c/d", 6, &index) == MPX_OK && index == MPX_MAP_DEFAULT,
          "ab/c/d");
    CHECK(mpx_policy_map_find_n(&map, "a\0b", 3, &index) == MPX_OK && index == 1, "a NUL b");
    CHECK(mpx_policy_map_find_n(&map, NULL, 0, &index) == MPX_OK && index == MPX_MAP_DEFAULT,
          "NULL is the empty path");
    map.count = 0;
    CHECK(mpx_policy_map_set_n(&map, NULL, 0, policy_of("f16"), NULL) == MPX_OK &&
              mpx_policy_map_find_n(&map, "", 0, &index) == MPX_OK && index == 0,
          "and the empty key");
}

static void case_ambiguous(void) {
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    mpx_policy p = odd_policy();
    must_set(&map, "ln*", "f32");
    must_set(&map, "*.w", "f32");
    must_set(&map, "ln9.w", "f64");
    check_decides(&map, "ln1.w", "several patterns match");
    CHECK(mpx_policy_map_get(&map, "ln1.w", &p) == MPX_ERR_AMBIGUOUS && p.param == 77, "untouched");
    check_decides(&map, "ln9.w", "ln9.w");
    check_decides(&map, "ln1.b", "ln*");
    map.first_wins = 1;
    check_decides(&map, "ln1.w", "ln*");
    check_decides(&map, "x.w", "*.w");
    check_decides(&map, "ln9.w", "ln9.w");
}

static int match_length(const char *pattern, size_t pattern_length, const char *path,
                        size_t path_length, void *user) {
    (void)path;
    ++*(int *)user;
    if (pattern_length == 0) return MPX_ERR_CALLBACK;
    return pattern[0] - '0' == (int)path_length;
}

static void case_hook(void) {
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_HOOK);
    char text[100];
    int calls = 0;
    must_set(&map, "3", "f16");
    must_set(&map, "(((", "f16"); /* not ours to read */
    check_decides(&map, "abc", "default"); /* no function yet */
    map.match = match_length;
    map.user = &calls;
    check_decides(&map, "abc", "3");
    check_decides(&map, "ab", "default");
    check_decides(&map, "(((", "(((");
    CHECK(calls == 4, "%d calls", calls);
    must_set(&map, "", "f16");
    check_decides(&map, "abc", "callback failed");
    (void)mpx_policy_map_explain(&map, "abc", text, sizeof text);
    CHECK(strcmp(text, "'abc': callback failed") == 0, "%s", text);
#if !MPX_NO_REGEX
    map.patterns = MPX_PATTERNS_REGEX; /* what was set for a hook may be no pattern */
    check_decides(&map, "3", "3");
    check_decides(&map, "abc", "unusable pattern");
#endif
}

static void case_exact(void) {
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_EXACT);
    must_set(&map, "a*", "f16");
    must_set(&map, "b[", "f16");
    check_decides(&map, "ab", "default");
    check_decides(&map, "a*", "a*");
    check_decides(&map, "b[", "b[");
    map.patterns = 17;
    CHECK(mpx_policy_map_set(&map, "c", policy_of("f16"), NULL) == MPX_ERR_ARGUMENT, "no kind");
}

static void case_explain(void) {
    static const char *const want[][2] = {
        { "ln1.w", "'ln1.w': 'ln*' decides: p=f32,c=f32,o=f32" },
        { "wte", "'wte': no key matches: p=bf16,c=bf16,o=bf16" },
        { "ln1.b", "'ln1.b': both 'ln*' and '*.b' match" },
    };
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    char text[200], little[9];
    size_t i, length;
    must_set(&map, "ln*", "f32");
    must_set(&map, "*.b", "f32");
    for (i = 0; i < sizeof want / sizeof want[0]; i++) {
        length = mpx_policy_map_explain(&map, want[i][0], text, sizeof text);
        CHECK(strcmp(text, want[i][1]) == 0, "%s, not %s", text, want[i][1]);
        CHECK(length == strlen(text), "length");
        CHECK(mpx_policy_map_explain(&map, want[i][0], little, sizeof little) == length &&
                  strncmp(little, text, sizeof little - 1) == 0 && strlen(little) == 8,
              "cut to fit");
        CHECK(mpx_policy_map_explain(&map, want[i][0], NULL, 0) == length, "no buffer");
    }
}

/* ---- patterns -------------------------------------------------------------------------------- */

typedef struct match_row {
    const char *pattern, *path;
    int matches;
} match_row;

static void check_rows(int kind, const match_row *rows, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        mpx_map_entry entry;
        mpx_policy_map map = map_of(&entry, 1, kind);
        const char *is;
        must_set(&map, rows[i].pattern, "f16");
        is = decides(&map, rows[i].path);
        CHECK(strcmp(is, rows[i].matches ? rows[i].pattern : "default") == 0,
              "'%s' on '%s': %s, expected %d", rows[i].pattern, rows[i].path, is, rows[i].matches);
    }
}

static void case_globs(void) {
    static const match_row rows[] = {
        { "encoder/*/kernel", "encoder/layer_1/kernel", 1 },
        { "encoder/*/kernel", "encoder//kernel", 1 },
        { "encoder/*/kernel", "encoder/a/b/kernel", 0 },
        { "encoder/*/kernel", "encoder/kernel", 0 },
        { "encoder/**/kernel", "encoder/a/b/kernel", 1 },
        { "encoder/**/kernel", "encoder/kernel", 1 },
        { "encoder/**/kernel", "encoderkernel", 0 },
        { "encoder/**/kernel", "encoder/xkernel", 0 },
        { "**/kernel", "kernel", 1 },
        { "**/kernel", "a/b/kernel", 1 },
        { "**/kernel", "a/b/xkernel", 0 },
        { "encoder/**", "encoder/a/b", 1 },
        { "encoder/**", "encoder/", 1 },
        { "encoder/**", "encoder", 0 },
        { "**ln*", "h/3/ln1.w", 1 },
        { "**ln*", "h/3/ln1/w", 0 },
        { "**", "", 1 },
        { "*", "a/b", 0 },
        { "h?", "h1", 1 },
        { "h?", "h/", 0 },
        { "h?", "h", 0 },
        { "h?", "h\xc3\xa9", 1 },
        { "h[0-9]", "h7", 1 },
        { "h[!0-9]", "h7", 0 },
        { "h[!0-9]", "h/", 0 },
        { "h[]-]", "h]", 1 },
        { "a\\*b", "a*b", 1 },
        { "a\\*b", "axb", 0 },
        { "a.b", "axb", 0 },
        { "[a-c]*[0-9]", "b/9", 0 },
        { "[a-c]*[0-9]", "bxx9", 1 },
        { "?\x9b", "\xd0\x9b", 0 }, /* half a character at an end of what is plain */
        { "?\x9b", "a\x9b", 1 },
        { "\xd0?", "\xd0\x9b", 0 },
        { "\xd0?", "\xd0z", 1 },
    };
    check_rows(MPX_PATTERNS_GLOB, rows, sizeof rows / sizeof rows[0]);
}

#if !MPX_NO_REGEX
/* What is too large only when all is read: a branch at the top, and counts that are no limit. */
static void case_late_sizes(void) {
    mpx_map_entry entries[2];
    mpx_policy_map map = map_of(entries, 2, MPX_PATTERNS_REGEX);
    char pattern[2 + MPX_PATTERN_STEPS];
    memset(pattern, 'b', sizeof pattern);
    memcpy(pattern, "a|", 2);
    CHECK(mpx_policy_map_set_n(&map, pattern, 2 + MPX_PATTERN_STEPS - 3, policy_of("f16"), NULL) ==
              MPX_OK,
          "one and the others, a fork and a jump");
    CHECK(mpx_policy_map_set_n(&map, pattern, 2 + MPX_PATTERN_STEPS - 2, policy_of("f16"), NULL) ==
              MPX_ERR_PATTERN,
          "one more");
    CHECK(mpx_policy_map_set(&map, "a{,65535}", policy_of("f16"), NULL) == MPX_ERR_PATTERN,
          "not without limit");
    CHECK(mpx_policy_map_set(&map, "(?:ab){63,}", policy_of("f16"), NULL) == MPX_OK, "only the last may be there again");
    map.count = 0;
    CHECK(mpx_policy_map_set(&map, "(?:ab){64,}", policy_of("f16"), NULL) == MPX_ERR_PATTERN, "one more");
}

static void case_regexes(void) {
    static const match_row rows[] = {
        { "(a+)+$", "aaaa", 1 },
        { "(a+)+$", "aaab", 0 },
        { "layer.0", "layerX0", 1 },
        { "(query|key|value)/kernel", "key/kernel", 1 },
        { "(query|key|value)/kernel", "keys/kernel", 0 },
        { "a$", "a\n", 0 },
        { "a$\n", "a\n", 1 },
        { "x(a|b*)*y", "xabbay", 1 },
        { "(|a)b", "ab", 1 },
        { "[^/]+/\\d{2,3}", "h/12", 1 },
        { "[^/]+/\\d{2,3}", "h/1234", 0 },
        { "\xc3\xa9?", "\xc3\xa9", 1 },
        { ".", "\xff", 1 }, /* a byte that is no character counts as one */
        { ".", "\xc3\xa9\xff", 0 },
        { "..", "\xc0\xaf", 1 },          /* too long, */
        { "...", "\xe0\x9f\xbf", 1 },     /* too long, */
        { "....", "\xf0\x8f\xbf\xbf", 1 }, /* too long, */
        { "...", "\xed\xa0\x80", 1 },     /* half of a pair, */
        { "....", "\xf4\x90\x80\x80", 1 }, /* beyond the last, */
        { "..", "\xe4\xb8", 1 },          /* cut off */
        { "\\w", "\xff", 0 },            /* and is no letter */
        { "\\w", "\xc2\x80", 1 },         /* beyond ASCII all but blanks are */
        { "\\w", "\xc2\x85", 0 },
        { "a{12}", "aaaaaaaaaaaa", 1 },
        { "a{12}", "aaaaaaaaaaa", 0 },
        { "\\s\\s", "\x1c\x1f", 1 },      /* as Python's str.isspace has it */
        { "\\W", "\xff", 1 },
        { "\xf0\x9f\x98\x80\\B.", "\xf0\x9f\x98\x80x", 1 }, /* four bytes before a wildcard */
        { "\xf0\x9f\x98\x80\\b.", "\xf0\x9f\x98\x80x", 0 },
        { "\\B", "", 0 }, /* as Python has it up to 3.13 */
        { ".", "\xf4\x8f\xbf\xbf", 1 },
        { "(?:ab){3}", "ababab", 1 },
        { "(?:ab){3}", "abab", 0 },
        { "\\S\x9b", "\xd0\x9b", 0 }, /* half a character at an end of what is plain */
        { "\\S\x9b", "a\x9b", 1 },
        { "\xe2\x82.", "\xe2\x82\xac", 0 },
        { "\xe2\x82.", "\xe2\x82z", 1 },
        { "a\xd0\x9b.", "a\xd0\x9bz", 1 },
        { "(?P<\xc3\xa0\xc3\x85_1>x)", "x", 1 }, /* bytes that alone would be blanks */
        { "(?P<\xff>x)", "x", 1 },
        { "(?P<a>x)(?P<ab>y)(?P<b>z)", "xyz", 1 },
        { "\\(?P<a>(?P<a>x)", "(P<a>x", 1 }, /* a bracket and its '?' are no group, */
        { "[(?P<a>](?P<a>x)", "<x", 1 },      /* nor is what a class holds */
        { "[^]\\](?P<a>](?P<a>x)", "bx", 1 },
        { "[\\b]", "\b", 1 }, /* no place in a class, but a character; and no references */
        { "[\\b]", "b", 0 },
        { "[\\1\\101]", "\1", 1 },
        { "[\\1\\101]", "A", 1 },
        { "[\\12]", "\n", 1 },
        { "[a]{", "a{", 1 }, /* brackets that are no repetition */
        { "[a]{", "a", 0 },
        { "[a]{}", "a{}", 1 },
        { "[ab]{2,}", "a", 0 },
        { "[ab]{2,}", "ab", 1 },
        { "[ab]{2,}", "abbab", 1 },
        { "(?:ab){2,}", "ab", 0 },
        { "(?:ab){2,}", "ababab", 1 },
        { "(?:ab){2,}", "abaab", 0 },
    };
    check_rows(MPX_PATTERNS_REGEX, rows, sizeof rows / sizeof rows[0]);
}

static void case_search(void) {
    static const match_row rows[] = {
        { "encoder", "my_encoder/x", 1 }, { "^encoder", "my_encoder/x", 0 },
        { "x$", "my_encoder/x", 1 },      { "a$", "a\n", 1 },
        { "", "anything", 1 },            { "d+e", "my_encoder/x", 1 },
        { "\x9b", "\xd0\x9b", 0 },        { "\x9b", "\xd0z\x9b", 1 },
        { "(?m)^b", "a\nb", 1 },          { "(?m)^b", "ab", 0 },
        { "(?m)a$", "a\nb", 1 },          { "(?m)a$", "ab\n", 0 },
    };
    check_rows(MPX_PATTERNS_SEARCH, rows, sizeof rows / sizeof rows[0]);
}
#endif

/* What is refused, and the place. */
static void case_refused(void) {
    static const struct {
        int kind;
        const char *pattern;
        size_t offset, length;
        const char *sentence;
    } rows[] = {
        { MPX_PATTERNS_GLOB, "abc[x", 3, 1, "unusable in a pattern: '[' at 3; not closed" },
        { MPX_PATTERNS_GLOB, "a\\", 1, 1, "unusable in a pattern: '\\' at 1" },
        { MPX_PATTERNS_GLOB, "*[b-a]", 2, 3, "unusable in a pattern: 'b-a' at 2" },
        { MPX_PATTERNS_GLOB, "[\\", 1, 1, "unusable in a pattern: '\\' at 1" },
#if !MPX_NO_REGEX
        { MPX_PATTERNS_REGEX, "a(?=b)", 1, 3, "unusable in a pattern: '(?=' at 1" },
        { MPX_PATTERNS_REGEX, "(a)\\1", 3, 2, "unusable in a pattern: '\\1' at 3" },
        { MPX_PATTERNS_REGEX, "(a)\\8", 3, 2, "unusable in a pattern: '\\8' at 3" },
        { MPX_PATTERNS_REGEX, "[\\9]", 1, 2, "unusable in a pattern: '\\9' at 1" },
        { MPX_PATTERNS_REGEX, "[\\d-z]", 1, 4, "unusable in a pattern: '\\d-z' at 1" },
        { MPX_PATTERNS_REGEX, "\\400", 0, 4, "unusable in a pattern: '\\400' at 0" },
        { MPX_PATTERNS_REGEX, "\\U00110000", 0, 10, "unusable in a pattern: '\\U00110000' at 0" },
        { MPX_PATTERNS_REGEX, "a*+", 2, 1, "unusable in a pattern: '+' at 2" },
        { MPX_PATTERNS_REGEX, "a**", 2, 1, "unusable in a pattern: '*' at 2" },
        { MPX_PATTERNS_REGEX, "a{2,1}", 1, 5, "unusable in a pattern: '{2,1}' at 1" },
        { MPX_PATTERNS_REGEX, "*a", 0, 1, "unusable in a pattern: '*' at 0" },
        { MPX_PATTERNS_REGEX, "a|*", 2, 1, "unusable in a pattern: '*' at 2" },
        { MPX_PATTERNS_REGEX, "x(ab", 1, 1, "unusable in a pattern: '(' at 1; not closed" },
        { MPX_PATTERNS_REGEX, "(", 0, 1, "unusable in a pattern: '(' at 0; not closed" },
        { MPX_PATTERNS_REGEX, "ab)", 2, 1, "unusable in a pattern: ')' at 2; not opened" },
        { MPX_PATTERNS_REGEX, "a[^", 1, 1, "unusable in a pattern: '[' at 1; not closed" },
        { MPX_PATTERNS_REGEX, "[a-\\d]", 1, 4, "unusable in a pattern: 'a-\\d' at 1" },
        { MPX_PATTERNS_REGEX, "a\\q", 1, 2, "unusable in a pattern: '\\q' at 1" },
        { MPX_PATTERNS_REGEX, "a\\x6", 1, 3, "unusable in a pattern: '\\x6' at 1" },
        { MPX_PATTERNS_REGEX, "a(?i)", 1, 3, "unusable in a pattern: '(?i' at 1" },
        { MPX_PATTERNS_REGEX, "^(?i)a", 1, 3, "unusable in a pattern: '(?i' at 1" },
        { MPX_PATTERNS_REGEX, "(?L)a", 0, 3, "unusable in a pattern: '(?L' at 0" },
        { MPX_PATTERNS_REGEX, "(?x)a#b\\", 7, 1, "unusable in a pattern: '\\' at 7" },
        { MPX_PATTERNS_REGEX, "(?i:a)", 0, 3, "unusable in a pattern: '(?i' at 0" },
        { MPX_PATTERNS_REGEX, "a|(?!b)", 2, 3, "unusable in a pattern: '(?!' at 2" },
        { MPX_PATTERNS_REGEX, "(?!(?=b))", 3, 3, "unusable in a pattern: '(?=' at 3" },
        { MPX_PATTERNS_REGEX, "(?!b", 0, 1, "unusable in a pattern: '(' at 0; not closed" },
        { MPX_PATTERNS_SEARCH, "(?!b)a", 0, 3, "unusable in a pattern: '(?!' at 0" },
        { MPX_PATTERNS_SEARCH, "(?m)^(?!b)a", 5, 3, "unusable in a pattern: '(?!' at 5" },
        { MPX_PATTERNS_REGEX, "(?P<a>x)(?P<a>y)", 8, 6, "unusable in a pattern: '(?P<a>' at 8" },
        { MPX_PATTERNS_REGEX, "(?P<a>[]x\\]](?P<a>))", 12, 6,
          "unusable in a pattern: '(?P<a>' at 12" },
        { MPX_PATTERNS_REGEX, "\\[(?P<a>x)[^]](?P<a>y)", 14, 6,
          "unusable in a pattern: '(?P<a>' at 14" },
        { MPX_PATTERNS_REGEX, "(?P<\xc2\xa0>x)", 0, 4, "unusable in a pattern: '(?P<' at 0" },
        { MPX_PATTERNS_REGEX, "(?P<a\xc2\x85>x)", 0, 4, "unusable in a pattern: '(?P<' at 0" },
        { MPX_PATTERNS_REGEX, "(?P<1>x)", 0, 4, "unusable in a pattern: '(?P<' at 0" },
        { MPX_PATTERNS_REGEX, "(?P<>x)", 0, 4, "unusable in a pattern: '(?P<' at 0" },
        { MPX_PATTERNS_REGEX, "(?P<", 0, 4, "unusable in a pattern: '(?P<' at 0" },
        { MPX_PATTERNS_REGEX, "(?P<a", 0, 4, "unusable in a pattern: '(?P<' at 0" },
        { MPX_PATTERNS_SEARCH, "(?P<a>x)(?P<a>y)", 8, 6, "unusable in a pattern: '(?P<a>' at 8" },
        { MPX_PATTERNS_REGEX, ".{200}", 1, 0, "pattern too large at 1" },
        { MPX_PATTERNS_REGEX, "(((((((((((((((((a)))))))))))))))))", 16, 0,
          "pattern too large at 16" },
#endif
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_map_entry entry;
        mpx_policy_map map = map_of(&entry, 1, rows[i].kind);
        char sentence[MPX_ERROR_TEXT_SIZE];
        mpx_error err = test_any_error();
        mpx_status status = mpx_policy_map_set(&map, rows[i].pattern, policy_of("f16"), &err);
        CHECK(status == MPX_ERR_PATTERN && map.count == 0, "'%s' is not refused", rows[i].pattern);
        CHECK(err.offset == rows[i].offset && err.length == rows[i].length,
              "'%s': at %lu, %lu bytes", rows[i].pattern, (unsigned long)err.offset,
              (unsigned long)err.length);
        mpx_error_format(&err, rows[i].pattern, sentence, sizeof sentence);
        CHECK(strcmp(sentence, rows[i].sentence) == 0, "%s, not %s", sentence, rows[i].sentence);
        { /* there is no byte behind the pattern: make sanitize */
            const size_t n = strlen(rows[i].pattern);
            char *alone = (char *)memcpy(malloc(n), rows[i].pattern, n);
            mpx_error again = test_any_error();
            status = mpx_policy_map_set_n(&map, alone, n, policy_of("f16"), &again);
            CHECK(status == MPX_ERR_PATTERN && again.offset == err.offset && again.length == err.length, "%s", rows[i].pattern);
            free(alone);
        }
    }
}

/* Up to 128 steps, and plain text of any length around them. */
static void case_sizes(void) {
    static char pattern[1200];
    mpx_map_entry entry;
    mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_GLOB);
    mpx_error err;
    memset(pattern, '?', MPX_PATTERN_STEPS + 1);
    CHECK(mpx_policy_map_set_n(&map, pattern, MPX_PATTERN_STEPS, policy_of("f16"), &err) == MPX_OK,
          "128 steps");
    CHECK(mpx_policy_map_set_n(&map, pattern, 129, policy_of("f16"), &err) == MPX_ERR_SPACE,
          "one entry");
    map.count = 0;
    CHECK(mpx_policy_map_set_n(&map, pattern, 129, policy_of("f16"), &err) == MPX_ERR_PATTERN &&
              err.offset == 128,
          "129 steps: at %lu", (unsigned long)err.offset);
    memset(pattern, 'a', 1000);
    pattern[500] = '*';
    CHECK(mpx_policy_map_set_n(&map, pattern, 1000, policy_of("f16"), &err) == MPX_OK, "long ends");
    pattern[500] = 'x';
    check_decides(&map, pattern, pattern);
#if !MPX_NO_REGEX
    map.patterns = MPX_PATTERNS_REGEX;
    map.count = 0;
    CHECK(mpx_policy_map_set_n(&map, "(?i\0)a", 6, policy_of("f16"), &err) == MPX_ERR_PATTERN && err.offset == 0,
          "a NUL is no flag");
    memset(pattern, '(', 16);
    memset(pattern + 16, 'a', 1);
    memset(pattern + 17, ')', 16);
    pattern[33] = '\0';
    must_set(&map, pattern, "f16");
    check_decides(&map, "a", pattern);
    map.count = 0;
    memset(pattern, '(', 17);
    CHECK(mpx_policy_map_set_n(&map, pattern, 17, policy_of("f16"), &err) == MPX_ERR_PATTERN &&
              err.offset == 16,
          "17 groups in one another");
#endif
}

/* The steps of what is repeated: the most of it that a pattern holds, with its end, and one more are tried. */
static void case_steps(void) {
    static const struct { mpx_patterns kind; const char *unit, *end; int steps; } rows[] = {
        { MPX_PATTERNS_GLOB, "**/", "*", 3 },   { MPX_PATTERNS_GLOB, "a**/", "*", 3 },
        { MPX_PATTERNS_GLOB, "***", "?", 0 },   { MPX_PATTERNS_GLOB, "[ab]?", "?", 2 },
#if !MPX_NO_REGEX
        { MPX_PATTERNS_REGEX, "(?=a)", ".", 2 }, { MPX_PATTERNS_REGEX, "a|", ".", 3 },
        { MPX_PATTERNS_REGEX, "|", ".", 2 },     { MPX_PATTERNS_REGEX, "(?:ab)*", ".", 4 },
        { MPX_PATTERNS_REGEX, "(?:a?b?)+", ".", 3 }, { MPX_PATTERNS_REGEX, ".{2}", ".", 2 },
#endif
    };
    char pattern[1200];
    size_t i;
    int n, k;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int most = rows[i].steps != 0 ? (MPX_PATTERN_STEPS - 1) / rows[i].steps : 100;
        for (n = most; n <= most + 1; n++) {
            mpx_map_entry entry;
            mpx_policy_map map = map_of(&entry, 1, rows[i].kind);
            pattern[0] = '\0';
            for (k = 0; k < n; k++)
                strcat(pattern, rows[i].unit);
            strcat(pattern, rows[i].end);
            CHECK((mpx_policy_map_set(&map, pattern, policy_of("f16"), NULL) == MPX_OK) ==
                      (n == most || rows[i].steps == 0),
                  "%d times '%s'", n, rows[i].unit);
        }
    }
}

/* Up to 8 classes of more than 64 bytes, and any number of shorter ones. */
static void case_many_classes(void) {
    enum { MOST = 8 };
    char pattern[(MOST + 1) * 68];
    mpx_map_entry entry;
    mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_GLOB);
    mpx_error err;
    size_t size, k;
    for (size = 64; size <= 68; size += 4) { /* bytes of a class, with its brackets */
        memset(pattern, 'a', sizeof pattern);
        for (k = 0; k <= MOST; k++)
            pattern[k * size] = '[', pattern[(k + 1) * size - 1] = ']';
        map.count = 0;
        CHECK(mpx_policy_map_set_n(&map, pattern, MOST * size, policy_of("f16"), &err) == MPX_OK,
              "8 classes of %lu bytes", (unsigned long)size);
        map.count = 0;
        CHECK((mpx_policy_map_set_n(&map, pattern, (MOST + 1) * size, policy_of("f16"), &err) ==
               MPX_OK) == (size == 64) &&
                  (size == 64 || (err.status == MPX_ERR_PATTERN && err.offset == MOST * size &&
                                  err.length == 0)),
              "9 classes of %lu bytes: at %lu", (unsigned long)size, (unsigned long)err.offset);
    }
}

#if !MPX_NO_REGEX
/* What makes matchers that go back take forever: what is not linear in the text would not end here. */
static void case_harmless(void) {
    static const char *const patterns[] = { "(a+)+$", "(a*)*b", "(a|a)*c", "(.*)*x", ".*.*.*=.*" };
    static char text[1000001];
    size_t i;
    memset(text, 'a', sizeof text - 1);
    for (i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        mpx_map_entry entry;
        mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_REGEX);
        must_set(&map, patterns[i], "f16");
        check_decides(&map, text, i == 0 ? patterns[0] : "default");
    }
}
#endif

/* A small generator, so that every run draws the same. */
static uint32_t draw(uint32_t below) {
    static uint32_t x = 12345;
    x = x * 1664525u + 1013904223u;
    return (x >> 8) % below;
}

#if !MPX_NO_REGEX
/* A plain key is found in a path exactly where it is, however alike the two are. */
static void case_search_plain(void) {
    int round, found = 0;
    for (round = 0; round < 60000; round++) {
        char key[24], path[64];
        mpx_map_entry entry;
        mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_SEARCH);
        size_t n = draw(sizeof key - 1), m = draw(sizeof path - 1), unit = 1 + draw(6), i, index;
        for (i = 0; i < n; i++) /* words that repeat, with a fault now and then */
            key[i] = i >= unit && draw(20) != 0 ? key[i - unit] : (char)('a' + draw(2));
        for (i = 0; i < m; i++)
            path[i] = n != 0 && draw(12) != 0 ? key[i % n] : (char)('a' + draw(2));
        key[n] = path[m] = '\0';
        must_set(&map, key, "f16");
        CHECK(mpx_policy_map_find(&map, path, &index) == MPX_OK &&
                  (index == 0) == (strstr(path, key) != NULL),
              "'%s' in '%s': %d", key, path, index == 0);
        found += index == 0;
    }
    CHECK(found > 1000 && found < 59000, "%d of %d", found, round);
}

/* All but some: what look-aheads are for; and flags. */
static void case_all_but(void) {
    static const match_row whole[] = {
        { "(?!.*norm).*", "block/0/attn", 1 },     { "(?!.*norm).*", "block/0/norm/w", 0 },
        { "^(?!.*norm)(?!.*bias).*$", "a/w", 1 },  { "^(?!.*norm)(?!.*bias).*$", "a/bias", 0 },
        { "(?=.*norm).*weight", "norm/weight", 1 }, { "(?=.*norm).*weight", "attn/weight", 0 },
        { "(?!a)b|a", "a", 1 },                    { "(?i)(?!.*NORM).*w", "x/Norm/w", 0 },
        { "(?i)Layer[_N]orm", "lAYERNORM", 1 },    { "(?s)a.b", "a\nb", 1 },
        { "(?i)[x-z]", "Y", 1 },                   { "(?i)[X-Z]", "y", 1 },
        { "(?!abc)abc", "abc", 0 },                { "(?x) a # b\n c", "ac", 1 },
        { "(?x)a#c", "a", 1 },                     { "(?x)a#c", "ac", 0 },
        { "(?x)a#\\\nc", "a", 1 },                 { "(?x)a#\\\nc", "ac", 0 },
        { "(?x)a#\\\\\nc", "ac", 1 },
    };
    static const match_row search[] = { { "^(?!.*norm)", "x/w", 1 },
                                        { "^(?!.*norm)", "x/norm", 0 },
                                        { "\\A(?=.*w)x", "x/w", 1 },
                                        { "(?i)NORM", "x/norm/w", 1 } };
    check_rows(MPX_PATTERNS_REGEX, whole, sizeof whole / sizeof whole[0]);
    check_rows(MPX_PATTERNS_SEARCH, search, sizeof search / sizeof search[0]);
}

/* Classes that are too long to be read for every character answer as short ones do. */
static void case_long_classes(void) {
    static const char *const items[] = { "a-f", "\\d", "\\W", "x-z\xc3\xa9", "\xce\xb1-\xcf\x89_", "/" };
    static const char *const chars[] = { "a", "g", "5", "z", " ", "/", "_", "A", "\n", "\xc3\xa9",
                                         "\xce\xb2", "\xe4\xb8\xad", "\xff" };
    size_t item, c, k, index;
    int kind, negated;
    for (kind = MPX_PATTERNS_GLOB; kind <= MPX_PATTERNS_REGEX; kind++)
        for (item = 0; item < sizeof items / sizeof items[0]; item++)
            for (negated = 0; negated < 2; negated++)
                for (c = 0; c < sizeof chars / sizeof chars[0]; c++) {
                    mpx_map_entry entries[2];
                    mpx_policy_map map[2];
                    char key[2][600], path[32], part[10];
                    size_t answers[2];
                    snprintf(path, sizeof path, "%s%s%s%s", chars[c], chars[c], chars[(c + 1) % 11],
                             chars[c]);
                    for (k = 0; k < 2; k++) {
                        snprintf(key[k], sizeof key[k], "[%s", negated ? "^" : "");
                        while (strlen(key[k]) < (k == 0 ? 3u : 100u))
                            strcat(key[k], items[item]);
                        snprintf(part, sizeof part, kind == MPX_PATTERNS_GLOB ? "]**" : "](.|\n)*");
                        strcat(key[k], part);
                        map[k] = map_of(&entries[k], 1, kind);
                        must_set(&map[k], key[k], "f16");
                        index = 7;
                        CHECK(mpx_policy_map_find(&map[k], path, &index) == MPX_OK, "find");
                        answers[k] = index;
                    }
                    CHECK(answers[0] == answers[1], "'%s' on '%s': %lu", key[0], path,
                          (unsigned long)answers[1]);
                }
}
#endif

/* Keys set, deleted and taken away at the end, in any order: found where a list finds them. */
static void case_keys_at_random(void) {
    enum { KEYS = 60 };
    static char keys[KEYS][8];
    mpx_map_entry entries[KEYS];
    mpx_policy_map map = map_of(entries, KEYS, MPX_PATTERNS_EXACT);
    size_t list[KEYS], count = 0, at, i, round, index;
    for (i = 0; i < KEYS; i++)
        snprintf(keys[i], sizeof keys[i], "k%d", (int)(i * i));
    for (round = 0; round < 20000; round++) {
        size_t key = draw(KEYS);
        for (at = 0; at < count && list[at] != key; at++) {
        }
        if (draw(100) == 0) {
            map.count = count = draw((uint32_t)count + 1);
        } else if (draw(3) == 0) {
            CHECK(mpx_policy_map_delete(&map, keys[key]) == (at < count ? MPX_OK : MPX_ERR_MISSING),
                  "delete");
            if (at < count) memmove(list + at, list + at + 1, (--count - at) * sizeof list[0]);
        } else {
            CHECK(mpx_policy_map_set(&map, keys[key], policy_of("f16"), NULL) ==
                      (at < count ? MPX_ERR_EXISTS : MPX_OK),
                  "set");
            if (at == count) list[count++] = key;
        }
        CHECK(map.count == count, "%lu entries", (unsigned long)map.count);
        for (i = 0; i < KEYS; i++) {
            for (at = 0; at < count && list[at] != i; at++) {
            }
            CHECK(mpx_policy_map_find(&map, keys[i], &index) == MPX_OK &&
                      index == (at < count ? at : MPX_MAP_DEFAULT),
                  "round %lu: '%s' is %lu", (unsigned long)round, keys[i], (unsigned long)index);
        }
    }
}

/* ---- hostile sizes --------------------------------------------------------------------------- */

enum { MIB = 1 << 20, MANY_KEYS = 100000 };
static char hostile[MIB + 64], hostile_path[MIB + 1];

/* Set a key of MIB bytes or so and look a path up; -1: refused. Prints the time: what is quadratic
   takes minutes. */
static int hostile_key(const char *what, int kind, size_t length, const char *path) {
    mpx_map_entry entry;
    mpx_policy_map map = map_of(&entry, 1, kind);
    clock_t start = clock();
    size_t index = 7;
    int answer = -1;
    if (mpx_policy_map_set_n(&map, hostile, length, policy_of("f16"), NULL) == MPX_OK)
        answer = mpx_policy_map_find(&map, path, &index) == MPX_OK ? index == 0 : -2;
    printf("hostile sizes: %-34s %6.3f s\n", what, (double)(clock() - start) / CLOCKS_PER_SEC);
    return answer;
}

/* Fill the text with pieces: printf formats of one number, of at most 60 bytes. */
static size_t hostile_fill(const char *begin, const char *format, const char *end) {
    size_t n = (size_t)sprintf(hostile, "%s", begin), last = MIB - strlen(end) - 60;
    int i;
    for (i = 0; n < last; i++)
        n += (size_t)sprintf(hostile + n, format, i);
    return n + (size_t)sprintf(hostile + n, "%s", end);
}

/* Keys of one hash (FNV-1a of either word of each pair ends alike) hang in a tree all the same, and are found. */
static void case_keys_of_one_hash(void) {
    static const char pairs[12][2][9] = {
        { "vgrtkcnv", "hykkyglz" }, { "ujogqhpw", "dvkzhnbb" }, { "anlpvskj", "doutilcu" }, { "nungmzol", "htpkdodr" },
        { "bmtoutqd", "fvbkismz" }, { "fzsmotsu", "fvkgdogu" }, { "kxwmczsv", "bjviuort" }, { "oiongmfd", "yvqrwzpv" },
        { "wdzxjrce", "khmbovjb" }, { "mtanuaoe", "amfzkdmp" }, { "ntdftaja", "zppluaxf" }, { "hisjhksq", "tucyliwx" }
    };
    enum { KEYS = 1 << 12, LENGTH = 12 * 8 };
    static mpx_map_entry entries[KEYS];
    static char keys[KEYS][LENGTH];
    static unsigned depth[KEYS];
    mpx_policy_map map = mpx_policy_map_of(entries, KEYS, policy_of("f32"));
    unsigned deepest = 0, missed = 0;
    size_t i, k, index;
    for (i = 0; i < KEYS; i++) {
        for (k = 0; k < 12; k++) memcpy(keys[i] + 8 * k, pairs[k][i * 2654435761u >> k & 1], 8);
        missed += mpx_policy_map_set_n(&map, keys[i], LENGTH, policy_of("f16"), NULL) != MPX_OK;
    }
    for (i = 0; i < map.count; i++) {
        missed += mpx_policy_map_find_n(&map, keys[i], LENGTH, &index) != MPX_OK || index != i;
        for (k = 0; k < 2; k++)
            if (entries[i].next[k] > i) depth[entries[i].next[k]] = depth[i] + 1;
        if (depth[i] > deepest) deepest = depth[i];
    }
    CHECK(missed == 0 && map.count == KEYS, "%u missed", missed);
    CHECK(deepest <= 32 + 8 * LENGTH, "a tree %u deep", deepest);
}
/* The same where keys end before the place at which they differ: a word that FNV-1a starts anew behind, some times. */
static void case_keys_that_end(void) {
    enum { KEYS = 40 };
    static mpx_map_entry entries[KEYS + 1];
    char keys[8 * KEYS];
    mpx_policy_map map = mpx_policy_map_of(entries, KEYS + 1, policy_of("f32"));
    size_t i, index;
    for (i = 0; i < KEYS; i++) {
        memcpy(keys + 8 * i, "anamaeej", 8);
        CHECK(mpx_policy_map_set_n(&map, keys, 8 * (i + 1), policy_of("f16"), NULL) == MPX_OK, "%lu", (unsigned long)i);
    }
    CHECK(mpx_policy_map_find_n(&map, keys, 0, &index) == MPX_OK && index == MPX_MAP_DEFAULT, "no bytes yet");
    CHECK(mpx_policy_map_set_n(&map, keys, 0, policy_of("f16"), NULL) == MPX_OK, "no bytes");
    CHECK(entries[32].next[1] == 33 && entries[32].next[0] == KEYS, "behind the 32 bits of the hash 'a' has one, no byte none");
    for (i = 0; i <= KEYS; i++)
        CHECK(mpx_policy_map_find_n(&map, keys, i < KEYS ? 8 * (i + 1) : 0, &index) == MPX_OK && index == i, "%lu words",
              (unsigned long)i);
}
static void case_hostile_patterns(void) {
    char path[1001];
    memset(path, 'z', 1000);
    path[1000] = '\0';
    CHECK(hostile_key("glob of stars", MPX_PATTERNS_GLOB, hostile_fill("", "*a", ""), path) == -1,
          "stars");
    CHECK(hostile_key("glob of letters", MPX_PATTERNS_GLOB, hostile_fill("*", "abc", ""), path) == 0,
          "letters");
    CHECK(hostile_key("glob of a class", MPX_PATTERNS_GLOB, hostile_fill("[", "a-y", "z]*"), path) ==
              1,
          "class");
#if !MPX_NO_REGEX
    CHECK(hostile_key("regex of named groups", MPX_PATTERNS_REGEX,
                      hostile_fill("", "(?P<name%d>a)?", ""), path) == -1,
          "names");
    CHECK(hostile_key("regex of empty named groups", MPX_PATTERNS_REGEX,
                      hostile_fill("", "(?P<n%d>)", ""), path) == -1,
          "empty names");
    CHECK(hostile_key("regex of long names", MPX_PATTERNS_REGEX,
                      hostile_fill("(?P<a", "%010d", ">z*)"), path) == 1,
          "a long name");
    CHECK(hostile_key("regex of choices", MPX_PATTERNS_REGEX, hostile_fill("", "a|", ""), path) ==
              -1,
          "choices");
    CHECK(hostile_key("regex of braces", MPX_PATTERNS_REGEX, hostile_fill("", "{%d", ""), path) == 0,
          "braces");
    CHECK(hostile_key("class, 100 times, 1,000 characters", MPX_PATTERNS_REGEX,
                      hostile_fill("[", "a-y", "z]{0,100}z*"), path) == 1,
          "class");
    CHECK(hostile_key("class of sets", MPX_PATTERNS_REGEX,
                      hostile_fill("[", "\\d\\S", "]{0,100}.*"), path) == 1,
          "sets");
    CHECK(hostile_key("two classes in turn, beyond ASCII", MPX_PATTERNS_REGEX,
                      hostile_fill("([^x][^", "a-y", "]){0,40}"),
                      "\xce\xb1\xce\xb2\xce\xb3\xce\xb4\xce\xb1\xce\xb1\xce\xb2\xce\xb2") == 1,
          "beyond ASCII");
    CHECK(hostile_key("nine long classes", MPX_PATTERNS_REGEX,
                      hostile_fill("", "[abcdefabcdefabcdefabcdefabcdefabcdefabcdefabcdef]?", ""),
                      path) == -1,
          "many classes");
    memset(hostile, 'a', MIB);
    memset(hostile_path, 'a', MIB);
    hostile[MIB / 2] = 'b';
    CHECK(hostile_key("plain key in a path of 1 MiB", MPX_PATTERNS_SEARCH, MIB / 2 + 1,
                      hostile_path) == 0,
          "search");
    hostile[0] = 'b';
    CHECK(hostile_key("plain key, from its beginning", MPX_PATTERNS_SEARCH, MIB / 2,
                      hostile_path) == 0,
          "search");
#endif
}

/* 100,000 keys are set, read from text, found; 1 MiB of map text of other sorts is read. */
static void case_hostile_maps(void) {
    static char text[MANY_KEYS][40];
    mpx_map_entry *entries = (mpx_map_entry *)malloc(MANY_KEYS * sizeof *entries);
    mpx_policy_map map = mpx_policy_map_of(entries, MANY_KEYS, policy_of("bf16"));
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_policy f16 = policy_of("f16");
    clock_t start = clock();
    size_t i, index, n, wrong = 0;
    if (entries == NULL) exit(2);
    for (i = 0; i < MANY_KEYS; i++) {
        snprintf(text[i], sizeof text[i], "model/layers/%lu/attention/kernel", (unsigned long)i);
        wrong += mpx_policy_map_set(&map, text[i], f16, NULL) != MPX_OK;
    }
    printf("hostile sizes: %-34s %6.3f s\n", "100,000 entries",
           (double)(clock() - start) / CLOCKS_PER_SEC);
    start = clock();
    map.patterns = MPX_PATTERNS_EXACT;
    for (i = 0; i < MANY_KEYS; i++)
        wrong += mpx_policy_map_find(&map, text[i], &index) != MPX_OK || index != i;
    wrong += mpx_policy_map_find(&map, "x", &index) != MPX_OK || index != MPX_MAP_DEFAULT;
    printf("hostile sizes: %-34s %6.3f s\n", "all of them found",
           (double)(clock() - start) / CLOCKS_PER_SEC);
    CHECK(wrong == 0, "%lu keys", (unsigned long)wrong);
    start = clock();
    n = hostile_fill("", "k%d=f16\n", "");
    map.count = 0;
    CHECK(mpx_policy_map_parse_n(&map, hostile, n, any, NULL) == MPX_OK && map.count > 90000,
          "%lu lines", (unsigned long)map.count);
    n = hostile_fill("", "#%d\n", "a=f16");
    map.count = 0;
    CHECK(mpx_policy_map_parse_n(&map, hostile, n, any, NULL) == MPX_OK && map.count == 1,
          "comments");
    n = hostile_fill("", "%d ", "");
    CHECK(mpx_policy_map_parse_n(&map, hostile, n, any, NULL) == MPX_ERR_MISSING_EQUALS, "a line");
    n = hostile_fill("a=", "f16,", "");
    map.count = 0;
    CHECK(mpx_policy_map_parse_n(&map, hostile, n, any, NULL) != MPX_OK, "a long policy");
    printf("hostile sizes: %-34s %6.3f s\n", "four texts of 1 MiB",
           (double)(clock() - start) / CLOCKS_PER_SEC);
    free(entries);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char sample[] = "\xef\xbb\xbf# a file as a person writes it\r\n"
                             "default = p=f32,c=bf16,o=f32  # for all others\r\n"
                             "\r\n"
                             "first_wins=1\n"
                             "\t ln* = f32\n"
                             "\"default\"=mixed_float16\n"
                             "'a # = b' = <c=f16>#here\n"
                             "` x\"'\n` = f16\n"
                             "**/kernel = bf16";

static void case_text(void) {
    static const char want[] = "default = p=f32,c=bf16,o=f32\n"
                               "patterns = glob\n"
                               "first_wins = 1\n"
                               "ln* = p=f32,c=f32,o=f32\n"
                               "\"default\" = p=f32,c=f16,o=f16\n"
                               "\"a # = b\" = <c=f16>\n"
                               "` x\"'\n` = p=f16,c=f16,o=f16\n"
                               "**/kernel = p=bf16,c=bf16,o=bf16\n";
    mpx_map_entry entries[8], again_entries[8];
    mpx_policy_map map = map_of(entries, 8, MPX_PATTERNS_GLOB);
    mpx_policy_map again = map_of(again_entries, 8, MPX_PATTERNS_GLOB);
    mpx_error err = test_any_error();
    char text[400], small[30];
    size_t length, i;
    CHECK(mpx_policy_map_parse(&map, sample, &err) == MPX_OK && test_is_no_error(&err),
          "status %d at %lu", err.status, (unsigned long)err.offset);
    CHECK(map.count == 5 && map.first_wins == 1, "%lu entries", (unsigned long)map.count);
    length = mpx_policy_map_format(&map, text, sizeof text);
    CHECK(length == strlen(want) && strcmp(text, want) == 0, "printed as\n%s", text);
    CHECK(mpx_policy_map_format(&map, NULL, 0) == length, "no buffer");
    CHECK(mpx_policy_map_parse(&again, "first_wins=1", NULL) == MPX_OK && again.first_wins == 1 &&
              mpx_policy_map_parse(&again, "first_wins=0", NULL) == MPX_OK && again.first_wins == 0,
          "set back");
    CHECK(mpx_policy_map_format(&map, small, sizeof small) == length &&
              strncmp(small, text, sizeof small - 1) == 0 && strlen(small) == sizeof small - 1,
          "cut to fit");
    CHECK(mpx_policy_map_parse(&again, text, NULL) == MPX_OK && again.count == map.count, "again");
    for (i = 0; i < map.count; i++)
        CHECK(entries[i].length == again_entries[i].length &&
                  memcmp(entries[i].key, again_entries[i].key, entries[i].length) == 0 &&
                  mpx_policy_equal(entries[i].policy, again_entries[i].policy),
              "entry %lu", (unsigned long)i);
    CHECK(mpx_policy_map_parse(&again, "nbsp = f16\xc2\xa0saturate", NULL) == MPX_OK &&
              again_entries[i].saturate == 1 && again_entries[i].policy.param == MPX_F16,
          "a blank of two bytes before saturate");
}

/* A kind of patterns that is none has no word, and no other kind's. */
static void case_no_such_patterns(void) {
    static const int kinds[] = { -1, MPX_PATTERNS_EXACT + 1, 99 };
    size_t i;
    for (i = 0; i < 3; i++) {
        mpx_map_entry entry;
        mpx_policy_map map = map_of(&entry, 1, kinds[i]);
        mpx_error err = test_any_error();
        char text[200] = "untouched";
        CHECK(mpx_policy_map_format(&map, text, sizeof text) == 0 && text[0] == '\0',
              "patterns %d: %s", kinds[i], text);
        CHECK(mpx_policy_map_format(&map, NULL, 0) == 0, "patterns %d", kinds[i]);
        CHECK(mpx_policy_map_set(&map, "a", policy_of("f16"), &err) == MPX_ERR_ARGUMENT &&
                  map.count == 0 && err.offset == 0 && err.length == 0,
              "patterns %d took a key", kinds[i]);
    }
}

/* Every key that is set reads back, or is one that no quotes can hold. */
static void case_keys_round_trip(void) {
    static const char letters[] = "a \"'`#=\n*\xc2\xa0";
    char key[5], text[200];
    unsigned code, rest;
    const mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    size_t n, length, letter_count = sizeof letters; /* with the NUL */
    for (code = 0; code < letter_count * letter_count * letter_count * letter_count; code++) {
        mpx_map_entry entry, again_entry;
        mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_EXACT);
        mpx_policy_map again = map_of(&again_entry, 1, MPX_PATTERNS_GLOB);
        for (n = 0, rest = code; n < 4; n++, rest /= (unsigned)letter_count)
            key[n] = letters[rest % letter_count];
        n = code % 5;
        CHECK(mpx_policy_map_set_n(&map, key, n, policy_of("f16"), NULL) == MPX_OK, "set");
        length = mpx_policy_map_format(&map, text, sizeof text);
        if (length == 0) {
            CHECK(memchr(key, '"', n) && memchr(key, '\'', n) && memchr(key, '`', n), "%.*s",
                  (int)n, key);
            continue;
        }
        CHECK(mpx_policy_map_parse_n(&again, text, length, any, NULL) == MPX_OK && again.count == 1 &&
                  again_entry.length == n && memcmp(again_entry.key, key, n) == 0,
              "'%.*s' does not read back from %s", (int)n, key, text);
    }
}

#if !MPX_NO_QUANT
/* A quantization reads back as one, where its word alone would be a policy that casts. */
static void case_quantizations_round_trip(void) {
    static const mpx_dialect dialects[] = { MPX_DIALECT_ANY, MPX_DIALECT_KERAS, MPX_DIALECT_JMP };
    unsigned type, k, kept = 0;
    for (type = 1; type < MPX_DTYPE_COUNT; type++)
        for (k = 0; k < 6; k++) {
            mpx_map_entry entry, again_entry;
            mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_GLOB), again = map;
            mpx_parse_options options = { MPX_DIALECT_ANY, MPX_NONE };
            mpx_quant q, r;
            char line[64], text[200];
            options.dialect = dialects[k / 2];
            again.entries = &again_entry;
            sprintf(line, "a = %s%s", mpx_dtype_name((mpx_dtype)type), k % 2 != 0 ? "/tensor" : "");
            if (mpx_policy_map_parse_n(&map, line, strlen(line), options, NULL) != MPX_OK) continue;
            CHECK(mpx_policy_map_format(&map, text, sizeof text) != 0 &&
                      mpx_policy_map_parse(&again, text, NULL) == MPX_OK && again.count == 1,
                  "%s: %s", line, text);
            q = entry.quant;
            r = again_entry.quant;
            CHECK(q.scheme == r.scheme && q.element == r.element && q.scope == r.scope &&
                      mpx_policy_equal(entry.policy, again_entry.policy),
                  "dialect %d, '%s' does not read back from %s", (int)options.dialect, line, text);
            kept += q.scheme != MPX_SCHEME_NONE;
            if (q.scheme == MPX_SCHEME_NONE) continue;
            entry.policy.param = entry.policy.compute = entry.policy.output = (mpx_dtype)type;
            again.count = 0;
            CHECK(mpx_policy_map_format(&map, text, sizeof text) != 0 &&
                      mpx_policy_map_parse(&again, text, NULL) == MPX_OK && again_entry.quant.scheme == q.scheme,
                  "beside a policy, '%s' does not read back from %s", line, text);
        }
    CHECK(kept > 20, "%u quantizations", kept);
}
#endif

/* Errors: the status, the place, the line, the sentence; and the map as it was. */
static void case_text_errors(void) {
    static const struct {
        const char *text;
        mpx_status status;
        size_t offset, line;
        const char *sentence;
    } rows[] = {
        { "a = f32\nb = f31", MPX_ERR_DTYPE, 12, 2, "unknown dtype 'f31' at 12" },
        { "a = f32\nb", MPX_ERR_MISSING_EQUALS, 8, 2, "missing '=' in 'b' at 8" },
        { "a = f32\n\"b\" c = f16", MPX_ERR_MISSING_EQUALS, 12, 2, "missing '=' in 'c' at 12" },
        { "a = f32\n\"b\"", MPX_ERR_MISSING_EQUALS, 8, 2, "missing '=' in '\"b\"' at 8" },
        { "a = f32\n\n \"b = f16\n", MPX_ERR_QUOTE, 10, 3, "quote is not closed '\"' at 10" },
        { "a = f32\nb =", MPX_ERR_EMPTY, 11, 2, "missing policy at 11; expected a dtype" },
        { "a = f32\nb = # none", MPX_ERR_EMPTY, 12, 2, "missing policy at 12; expected" },
        { " = f32", MPX_ERR_EMPTY, 1, 1, "missing key before '=' at 1" },
        { "default = \n", MPX_ERR_EMPTY, 10, 1, "missing policy at 10; expected" },
        { "a = f32\na = f32", MPX_ERR_EXISTS, 8, 2, "key exists already 'a' at 8" },
        { "a = f32\nx[b = f32", MPX_ERR_PATTERN, 9, 2, "unusable in a pattern: '[' at 9" },
        { "default = f32\ndefault = f16", MPX_ERR_EXISTS, 14, 2, "key exists already 'default' at 14" },
        { "first_wins = 0\npatterns = glob\nfirst_wins = 0", MPX_ERR_EXISTS, 31, 3, "key exists already 'first_wins' at 31" },
        { "a = f32\ndefault = f32", MPX_ERR_ORDER, 8, 2, "setting after an entry 'default' at 8" },
        { "patterns = globs", MPX_ERR_ARGUMENT, 11, 1,
          "bad argument 'globs' at 11; expected glob, regex, search, hook or exact" },
        { "default = f16\n first_wins = yes", MPX_ERR_ARGUMENT, 28, 2,
          "bad argument 'yes' at 28; expected 0 or 1" },
        { "patterns = # none", MPX_ERR_ARGUMENT, 11, 1, "bad argument at 11; expected glob, " },
        /* only policies saturate */
        { "patterns = regex saturate", MPX_ERR_ARGUMENT, 11, 1,
          "bad argument 'regex saturate' at 11; expected glob, regex, search, hook or exact" },
        { "first_wins = 1\tsaturate", MPX_ERR_ARGUMENT, 13, 1,
          "bad argument '1\\x09saturate' at 13; expected 0 or 1" },
        /* behind a byte-order mark */
        { "\xef\xbb\xbfpatterns = globs", MPX_ERR_ARGUMENT, 14, 1,
          "bad argument 'globs' at 14; expected glob, regex, search, hook or exact" },
        { "\xef\xbb\xbf" "first_wins = 2", MPX_ERR_ARGUMENT, 16, 1,
          "bad argument '2' at 16; expected 0 or 1" },
        /* ; ends a rule of AMP, but no entry of a map */
        { "a = f32\nb = p=f16;c=f16", MPX_ERR_EXTRA_EQUALS, 19, 2,
          "unexpected '=' at 19; expected one '=' in each part: up to ',' "
          "(in <...> a blank, in maps a line's end)" },
        { "a = p=f32,x=f16", MPX_ERR_KEY, 10, 1, "unknown key 'x' at 10" },
        { "a=f16\nb=f16\nc=f16\n", MPX_ERR_SPACE, 12, 3, "not enough space" },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_map_entry entries[2];
        mpx_policy_map map = map_of(entries, 2, MPX_PATTERNS_GLOB), before = map;
        mpx_error err = test_any_error();
        char sentence[MPX_ERROR_TEXT_SIZE];
        mpx_status status = mpx_policy_map_parse(&map, rows[i].text, &err);
        CHECK(status == rows[i].status && err.status == status, "'%s': %s", rows[i].text,
              mpx_status_string(status));
        CHECK(err.offset == rows[i].offset, "'%s': at %lu", rows[i].text,
              (unsigned long)err.offset);
        CHECK(mpx_error_line(&err, rows[i].text) == rows[i].line, "'%s': line", rows[i].text);
        mpx_error_format(&err, rows[i].text, sentence, sizeof sentence);
        CHECK(strncmp(sentence, rows[i].sentence, strlen(rows[i].sentence)) == 0, "%s, not %s",
              sentence, rows[i].sentence);
        CHECK(memcmp(&map, &before, sizeof map) == 0, "'%s': the map was touched", rows[i].text);
        CHECK(mpx_policy_map_parse(&map, rows[i].text, NULL) == status, "'%s': without err", rows[i].text);
    }
}

/* The kinds of patterns by their words. */
static void case_kinds(void) {
    static const char *const words[] = { "glob", "regex", "search", "hook", "exact" };
    int kind;
    for (kind = MPX_PATTERNS_GLOB; kind <= MPX_PATTERNS_EXACT; kind++) {
        const int is_regex = kind == MPX_PATTERNS_REGEX || kind == MPX_PATTERNS_SEARCH;
        mpx_map_entry entry;
        mpx_policy_map map = map_of(&entry, 1, 17);
        char text[60];
        size_t i;
        sprintf(text, "patterns = %s\na+b = f32", words[kind]);
        CHECK(mpx_policy_map_parse(&map, text, NULL) == (MPX_NO_REGEX && is_regex ? MPX_ERR_ARGUMENT : MPX_OK), "%s", text);
        if (map.count == 0) continue;
        CHECK((int)map.patterns == kind, "%s is %d", words[kind], (int)map.patterns);
        CHECK(mpx_policy_map_find(&map, "aab", &i) == MPX_OK && (i == 0) == is_regex, "%s", text);
        CHECK(mpx_policy_map_find(&map, "xaabx", &i) == MPX_OK && (i == 0) == (kind == MPX_PATTERNS_SEARCH), "%s", text);
    }
}

static mpx_status parse_by(int dialect, const char *text, mpx_error *err) {
    mpx_map_entry entry;
    mpx_policy_map map = map_of(&entry, 1, MPX_PATTERNS_GLOB);
    mpx_parse_options options = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_status status;
    options.dialect = (mpx_dialect)dialect;
    *err = test_any_error();
    status = mpx_policy_map_parse_n(&map, text, strlen(text), options, err);
    CHECK(err->status == status && map.count == 0, "dialect %d: '%s' gives %d", dialect, text, (int)status);
    return status;
}

/* A policy that is not there, and what is not a policy, by the rules of all dialects. Dialects that are none. */
static void case_text_dialects(void) {
    mpx_error err;
    int dialect;
    for (dialect = MPX_DIALECT_ANY; dialect <= MPX_DIALECT_EFORMER_PUT; dialect++) {
        CHECK(parse_by(dialect, "a = \n", &err) == MPX_ERR_EMPTY && err.offset == 4 && err.length == 0,
              "dialect %d: %s at %lu", dialect, mpx_status_string(err.status), (unsigned long)err.offset);
        CHECK(parse_by(dialect, "a = ?\n", &err) < 0 && err.status != MPX_ERR_EMPTY, "dialect %d: '?'", dialect);
    }
    for (dialect = -1; dialect < 100; dialect += 100) /* though quantizations have no dialect */
        CHECK(parse_by(dialect, "a = int8/row\n", &err) == MPX_ERR_ARGUMENT, "dialect %d: a quantization", dialect);
}

/* Axon's printed form, which is missing or has text behind it, where other text stands before. */
static void case_text_printed(void) {
    static const char *const rows[][2] = {
        { "a = bf16", "unexpected 'bf16' at 4; expected '<', as in <p=f32 c=bf16>" },
        { "a = <> x", "unexpected 'x' at 7; expected the end of the text" },
        { "a = <p=f16> \nb = f16", "unexpected 'f16' at 17; expected '<', as in <p=f32 c=bf16>" },
        { "a>= f16", "unexpected 'f16' at 4; expected '<', as in <p=f32 c=bf16>" },
        { "a = <c=bf16", "missing '>' at 11" },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_map_entry entries[2];
        mpx_policy_map map = map_of(entries, 2, MPX_PATTERNS_GLOB);
        mpx_parse_options options = { MPX_DIALECT_AXON, MPX_NONE };
        mpx_error err;
        char text[MPX_ERROR_TEXT_SIZE];
        CHECK(mpx_policy_map_parse_n(&map, rows[i][0], strlen(rows[i][0]), options, &err) == MPX_ERR_SYNTAX, "'%s'", rows[i][0]);
        mpx_error_format(&err, rows[i][0], text, sizeof text);
        CHECK(strcmp(text, rows[i][1]) == 0, "'%s': %s", rows[i][0], text);
    }
}

/* Text adds to what is there; settings come first. */
static void case_text_adds(void) {
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    must_set(&map, "a", "f16");
    CHECK(mpx_policy_map_parse(&map, "b = f16", NULL) == MPX_OK && map.count == 2, "added");
    CHECK(mpx_policy_map_parse(&map, "", NULL) == MPX_OK && map.count == 2, "nothing");
    CHECK(mpx_policy_map_parse(&map, "a = f32", NULL) == MPX_ERR_EXISTS && map.count == 2, "twice");
    CHECK(mpx_policy_map_parse(&map, "patterns = exact", NULL) == MPX_ERR_ORDER, "too late");
    CHECK(map.patterns == MPX_PATTERNS_GLOB, "patterns");
}

/* ---- layers ---------------------------------------------------------------------------------- */

enum { LAYERS = 5 };

static void make_model(mpx_layer *layers) {
    static const char *const names[LAYERS][2] = { { "input", "input" },
                                                  { "dense_0", "dense" },
                                                  { "norm_0", "layer_norm" },
                                                  { "dense_1", "dense" },
                                                  { "odd", NULL } };
    size_t i;
    for (i = 0; i < LAYERS; i++) {
        memset(&layers[i], 0, sizeof layers[i]);
        layers[i].path = names[i][0];
        layers[i].op = names[i][1];
    }
}

static int is_last(const mpx_layer *layer, void *user) {
    ++*(int *)user;
    return strcmp(layer->path, "dense_1") == 0;
}

static int fails_at_norm(const mpx_layer *layer, void *user) {
    (void)user;
    return strcmp(layer->path, "norm_0") == 0 ? MPX_ERR_CALLBACK : 1;
}

/* One digit a layer: was it given the policy? */
static const char *applied(const mpx_layer_filter *filter, mpx_status want) {
    static char digits[LAYERS + 1];
    mpx_layer layers[LAYERS];
    mpx_status status;
    size_t i;
    make_model(layers);
    status = mpx_layers_apply_policy(layers, LAYERS, policy_of("f16"), filter);
    CHECK(status == want, "status %d, not %d", status, want);
    for (i = 0; i < LAYERS; i++)
        digits[i] = (char)('0' + mpx_policy_equal(layers[i].policy, policy_of("f16")));
    return digits;
}

static void check_applied(const mpx_layer_filter *filter, mpx_status want, const char *digits) {
    const char *is = applied(filter, want);
    CHECK(strcmp(is, digits) == 0, "layers %s, not %s", is, digits);
}

static void case_filters(void) {
    static const char *const norms[] = { "layer_norm", "batch_norm", NULL };
    static const char *const none[] = { NULL };
    mpx_layer_filter filter;
    int calls = 0;
    check_applied(NULL, MPX_OK, "11111");
    memset(&filter, 0, sizeof filter);
    check_applied(&filter, MPX_OK, "11111");
    filter.except = norms;
    check_applied(&filter, MPX_OK, "11011");
    filter.only = norms;
    check_applied(&filter, MPX_ERR_ARGUMENT, "00000");
    filter.except = NULL;
    check_applied(&filter, MPX_OK, "00100");
    filter.only = none;
    check_applied(&filter, MPX_OK, "00000");
    filter.select = is_last;
    filter.user = &calls;
    check_applied(&filter, MPX_ERR_ARGUMENT, "00000");
    filter.only = NULL;
    check_applied(&filter, MPX_OK, "00010");
    CHECK(calls == 2 * LAYERS, "%d calls", calls);
    filter.select = fails_at_norm;
    check_applied(&filter, MPX_ERR_CALLBACK, "00000");
}

static void check_says(const mpx_error *err, const char *want) {
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_error_format(err, NULL, sentence, sizeof sentence);
    CHECK(strcmp(sentence, want) == 0, "%s, not %s", sentence, want);
}

static void case_layers(void) {
    mpx_map_entry entries[LAYERS + 1];
    mpx_policy_map map = map_of(entries, LAYERS + 1, MPX_PATTERNS_GLOB);
    mpx_layer layers[LAYERS], before[LAYERS];
    mpx_error err;
    make_model(layers);
    memcpy(before, layers, sizeof before);
    must_set(&map, "dense_*", "f16");
    must_set(&map, "*_0", "f32");
    CHECK(mpx_policy_map_apply(layers, LAYERS, &map, &err) == MPX_ERR_AMBIGUOUS && err.index == 1 && err.input == (size_t)-1 &&
              err.subject == MPX_SUBJECT_LAYER && strcmp(err.path, layers[1].path) == 0,
          "layer %lu", (unsigned long)err.index);
    CHECK(mpx_policy_map_apply(layers, LAYERS, &map, NULL) == MPX_ERR_AMBIGUOUS, "no error asked for");
    CHECK(memcmp(layers, before, sizeof layers) == 0, "layers were touched");
    map.first_wins = 1;
    CHECK(mpx_policy_map_apply(layers, LAYERS, &map, &err) == MPX_OK && test_is_no_error(&err),
          "apply");
    CHECK(layers[0].policy.param == MPX_BF16 && layers[1].policy.param == MPX_F16 &&
              layers[2].policy.param == MPX_F32,
          "policies");
    map.count = 0;
    CHECK(mpx_policy_map_add_layers(&map, layers, LAYERS, NULL) == MPX_OK && map.count == LAYERS,
          "add");
    CHECK(strcmp(entries[2].key, "norm_0") == 0 && entries[2].policy.param == MPX_F32, "entry");
    map.count = 0;
    layers[4].path = "norm_0";
    CHECK(mpx_policy_map_add_layers(&map, layers, LAYERS, &err) == MPX_ERR_EXISTS &&
              err.length == 6 && map.count == 0,
          "a path twice");
    check_says(&err, "key exists already at layer 4 'norm_0'");
    layers[4].path = "dense_[";
    CHECK(mpx_policy_map_add_layers(&map, layers, LAYERS, &err) == MPX_ERR_PATTERN &&
              err.offset == 6 && err.input == (size_t)-1,
          "a pattern");
    check_says(&err, "unusable pattern at layer 4 'dense_['");
    map.capacity = 3;
    CHECK(mpx_policy_map_add_layers(&map, layers, LAYERS, &err) == MPX_ERR_SPACE && map.count == 0, "too many");
    check_says(&err, "not enough space at layer 3 'dense_1'; 3 entries where 4 are needed");
    CHECK(mpx_policy_map_add_layers(&map, layers, 0, &err) == MPX_OK && test_is_no_error(&err), "no layers");
}

/* ---- trees ----------------------------------------------------------------------------------- */

static float floats[40];
static int32_t integers[4];

static size_t make_leaves(mpx_leaf *leaves) {
    static const mpx_leaf made[] = {
        { "wte", floats, 10, MPX_F32 },          { "h/0/ln.w", floats + 10, 6, MPX_F32 },
        { "h/0/attn.w", floats + 16, 9, MPX_F32 }, { "steps", integers, 4, MPX_I32 },
        { NULL, floats + 25, 3, MPX_F32 },       { "h/1/ln.w", floats + 28, 4, MPX_F32 },
    };
    size_t i;
    for (i = 0; i < 40; i++)
        floats[i] = 1.0f + (float)i / 3.0f;
    memcpy(leaves, made, sizeof made);
    return sizeof made / sizeof made[0];
}

static void case_cast_to_compute(void) {
    static const mpx_dtype want[6] = { MPX_BF16, MPX_F32, MPX_F16, MPX_I32, MPX_BF16, MPX_F32 };
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    mpx_leaf leaves[6], low_leaves[6];
    size_t count = make_leaves(leaves), i;
    unsigned char storage[300];
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, low_leaves, 6);
    mpx_tree tree = mpx_tree_of_leaves(leaves, count), low;
    mpx_tree_size size;
    mpx_error err;
    must_set(&map, "**ln*", "p=f64,c=f32,o=f16");
    must_set(&map, "h/*/attn.w", "p=f64,c=f16,o=f32");
    CHECK(mpx_policy_map_measure(&map, MPX_ROLE_COMPUTE, tree, &size, &err) == MPX_OK &&
              size.storage == 32 + 32 + 16 && size.leaves == 6 && size.bytes == 36 * 4,
          "%lu bytes", (unsigned long)size.storage);
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_OK, "cast");
    CHECK(arena.used == size.storage && arena.leaves_used == 6, "used");
    for (i = 0; i < count; i++) {
        uint16_t codes[16];
        CHECK(low_leaves[i].dtype == want[i] && low_leaves[i].count == leaves[i].count &&
                  low_leaves[i].path == leaves[i].path,
              "leaf %lu", (unsigned long)i);
        if (want[i] == leaves[i].dtype) {
            CHECK(low_leaves[i].data == leaves[i].data, "leaf %lu is shared", (unsigned long)i);
            continue;
        }
        mpx_cast(codes, want[i], leaves[i].data, MPX_F32, leaves[i].count);
        CHECK(memcmp(codes, low_leaves[i].data, 2 * leaves[i].count) == 0, "leaf %lu",
              (unsigned long)i);
    }
    arena.used = arena.leaves_used = 0;
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_OUTPUT, &arena, NULL) == MPX_OK &&
              low_leaves[1].dtype == MPX_F16 && low_leaves[2].data == leaves[2].data,
          "output");
    arena.used = arena.leaves_used = 0;
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_PARAM, &arena, NULL) == MPX_OK &&
              low_leaves[1].dtype == MPX_F64 && low_leaves[0].dtype == MPX_BF16,
          "param");
}

/* A dry run by a map: the reports of the leaves that its policies would change, each by its own
   dtype. */
static void case_dry_run(void) {
    static const mpx_dtype want[6] = { MPX_BF16, MPX_F32, MPX_F16, MPX_I32, MPX_BF16, MPX_F32 };
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    mpx_leaf leaves[6];
    mpx_cast_report reports[6], alone;
    size_t n = make_leaves(leaves), count = 99, one, i, seen = 0;
    mpx_tree tree = mpx_tree_of_leaves(leaves, n);
    mpx_error err;
    must_set(&map, "**ln*", "p=f64,c=f32,o=f16");
    must_set(&map, "h/*/attn.w", "p=f64,c=f16,o=f32");
    CHECK(mpx_policy_map_dry_run(&map, MPX_ROLE_COMPUTE, tree, reports, 6, &count, &err) == MPX_OK,
          "dry run");
    for (i = 0; i < count; i++) {
        mpx_leaf leaf = leaves[reports[i].index];
        CHECK(reports[i].to == want[reports[i].index], "report %lu", (unsigned long)i);
        CHECK(mpx_tree_dry_run(mpx_tree_of_leaves(&leaf, 1), reports[i].to, &alone, 1, &one,
                               &err) == MPX_OK &&
                  one == 1 && memcmp(&alone.stats, &reports[i].stats, sizeof alone.stats) == 0 &&
                  strcmp(alone.path, reports[i].path) == 0,
              "report %lu: as the leaf alone", (unsigned long)i);
        seen |= (size_t)1 << reports[i].index;
    }
    CHECK(count == 3 && seen == (1 | 4 | 16), "%lu reports, leaves %lx", (unsigned long)count,
          (unsigned long)seen);
    CHECK(mpx_policy_map_dry_run(&map, MPX_ROLE_OUTPUT + 1, tree, reports, 6, &one, &err) ==
                  MPX_ERR_ARGUMENT &&
              err.index == (size_t)-1,
          "a role that is none");
    must_set(&map, "h/0/*", "bf16");
    one = 99;
    CHECK(mpx_policy_map_dry_run(&map, MPX_ROLE_COMPUTE, tree, reports, 6, &one, &err) ==
                  MPX_ERR_AMBIGUOUS &&
              err.index != (size_t)-1 && one == 99,
          "ambiguous");
}

/* Inf that becomes the largest value is lost, also where the target has Inf: not exact, and worse than what rounds. */
static void case_dry_run_saturates(void) {
    static const struct {
        const char *text;
        int lost, overflowed; /* Infs; those that count as overflowed */
    } rows[] = { { "inf = f16 saturate\nlossy = f16", 1, 1 }, { "inf = f8e5m2 saturate\nlossy = f16", 1, 1 },
                 { "inf = f8e4m3fn saturate\nlossy = f16", 1, 0 }, { "inf = f16\nlossy = f16", 0, 0 } };
    static const uint32_t bits = 0x7f800000u;
    float inf[2] = { 1, 1 }, lossy[2] = { 1.1f, 1 };
    size_t i, count;
    memcpy(&inf[1], &bits, sizeof bits);
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_map_entry entries[2];
        mpx_policy_map map = map_of(entries, 2, MPX_PATTERNS_GLOB);
        mpx_leaf leaves[2];
        mpx_cast_report reports[2];
        char text[MPX_ERROR_TEXT_SIZE];
        leaves[0] = mpx_leaf_of("lossy", lossy, 2, MPX_F32);
        leaves[1] = mpx_leaf_of("inf", inf, 2, MPX_F32);
        CHECK(mpx_policy_map_parse(&map, rows[i].text, NULL) == MPX_OK &&
                  mpx_policy_map_dry_run(&map, MPX_ROLE_PARAM, mpx_tree_of_leaves(leaves, 2), reports, 2, &count, NULL) ==
                      MPX_OK && count == 2 && strcmp(reports[!rows[i].lost].path, "inf") == 0,
              "%s: '%s' is worst", rows[i].text, reports[0].path);
        mpx_cast_report_format(&reports[!rows[i].lost], text, sizeof text);
        CHECK(reports[!rows[i].lost].stats.overflowed == (uint64_t)rows[i].overflowed &&
                  reports[!rows[i].lost].stats.infinite == 1 && (strstr(text, "exact") == NULL) == rows[i].lost, "'%s'", text);
    }
}

/* A number that is no role, such as a dtype's, casts nothing. */
static void case_roles(void) {
    static const int none[] = { -1, MPX_ROLE_OUTPUT + 1, MPX_BF16, INT_MAX, INT_MIN };
    mpx_map_entry entries[1];
    mpx_policy_map map = map_of(entries, 1, MPX_PATTERNS_GLOB);
    size_t i;
    map.fallback = policy_of("f16");
    for (i = 0; i < sizeof none / sizeof none[0]; i++) {
        mpx_leaf leaves[6], low_leaves[6], before[6];
        size_t count = make_leaves(leaves);
        unsigned char storage[200];
        mpx_arena arena = mpx_arena_of(storage, sizeof storage, low_leaves, 6);
        mpx_tree tree = mpx_tree_of_leaves(leaves, count), low;
        mpx_tree_size size, unset;
        mpx_error err;
        float data[40];
        memcpy(before, leaves, sizeof before);
        memcpy(data, floats, sizeof data);
        memset(&unset, 0x5a, sizeof unset);
        size = unset;
        memset(&low, 0x5a, sizeof low);
        CHECK(mpx_policy_map_measure(&map, none[i], tree, &size, &err) == MPX_ERR_ARGUMENT &&
                  memcmp(&size, &unset, sizeof size) == 0,
              "measure, role %d", none[i]);
        CHECK(mpx_policy_map_cast_into(&low, tree, &map, none[i], &arena, &err) ==
                      MPX_ERR_ARGUMENT &&
                  arena.used == 0 && arena.leaves_used == 0,
              "into, role %d", none[i]);
        CHECK(mpx_policy_map_cast_in_place(tree, &map, none[i], &err) == MPX_ERR_ARGUMENT &&
                  err.index == (size_t)-1,
              "in place, role %d", none[i]);
        CHECK(memcmp(leaves, before, sizeof before) == 0 && memcmp(data, floats, sizeof data) == 0,
              "role %d: written", none[i]);
        CHECK(mpx_policy_map_cast_in_place(mpx_tree_of_leaves(leaves, 0), &map, none[i], NULL) ==
                  MPX_ERR_ARGUMENT,
              "no leaves, role %d", none[i]);
    }
}

/* Errors are found before anything is written. */
static void case_cast_errors(void) {
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    mpx_leaf leaves[6], low_leaves[6], before[6];
    size_t count = make_leaves(leaves), i;
    unsigned char storage[200];
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, low_leaves, 6);
    mpx_tree tree = mpx_tree_of_leaves(leaves, count), low;
    mpx_error err;
    char sentence[MPX_ERROR_TEXT_SIZE];
    memset(storage, 0xa5, sizeof storage);
    memset(&low, 0x5a, sizeof low);
    memcpy(before, leaves, sizeof before);
    must_set(&map, "h/**", "f16");
    must_set(&map, "**attn*", "f32");
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_ERR_AMBIGUOUS &&
              err.index == 2 && strcmp(err.path, "h/0/attn.w") == 0,
          "leaf %lu '%s'", (unsigned long)err.index, err.path);
    mpx_error_format(&err, NULL, sentence, sizeof sentence);
    CHECK(strcmp(sentence, "several patterns match at leaf 2 'h/0/attn.w'; mpx_policy_map_explain "
                           "names them; or set first_wins = 1") == 0,
          "%s", sentence);
    CHECK(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_COMPUTE, &err) == MPX_ERR_AMBIGUOUS,
          "in place");
    entries[0].leaves = 7;
    CHECK(mpx_policy_map_count_leaves(&map, tree, &err) == MPX_ERR_AMBIGUOUS && err.index == 2 &&
              entries[0].leaves == 7,
          "a count that fails leaves the counts as they were");
    map.count = 0;
    must_set(&map, "st*", "i8");
    must_set(&map, "*eps", "i8");
    arena.size = 0;
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_ERR_SPACE,
          "nobody asks for an integer leaf");
    arena.size = sizeof storage;
    map.count = 0;
    must_set(&map, "steps", "f16"); /* integers are never cast */
    must_set(&map, "h/1/*", "i8");
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_ERR_DTYPE &&
              err.index == 5 && err.found == MPX_I8 && err.expected == MPX_NONE,
          "an integer for floats: leaf %lu", (unsigned long)err.index);
    CHECK(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_COMPUTE, &err) == MPX_ERR_DTYPE,
          "in place");
    mpx_error_format(&err, NULL, sentence, sizeof sentence);
    CHECK(strcmp(sentence, "unknown or unusable dtype at leaf 5 'h/1/ln.w': found int8, expected a "
                           "floating dtype") == 0,
          "%s", sentence);
    map.count = 1;
    map.fallback = policy_of("f16");
    arena.size = 95;
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_ERR_SPACE, "room");
    for (i = 0; i < sizeof storage; i++)
        CHECK(storage[i] == 0xa5, "byte %lu was written", (unsigned long)i);
    CHECK(arena.used == 0 && memcmp(before, leaves, sizeof before) == 0, "leaves were touched");
    arena.size = 96 + 16;
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_OK, "just enough");
}

static void case_cast_in_place(void) {
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    mpx_leaf leaves[6];
    mpx_tree tree = mpx_tree_of_leaves(leaves, make_leaves(leaves));
    mpx_error err;
    uint16_t codes[10];
    const float before = floats[10];
    mpx_cast(codes, MPX_BF16, floats, MPX_F32, 10);
    must_set(&map, "**/ln.w", "<>");
    CHECK(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_PARAM, &err) == MPX_OK, "cast");
    CHECK(leaves[0].dtype == MPX_BF16 && memcmp(codes, floats, sizeof codes) == 0, "wte");
    CHECK(leaves[1].dtype == MPX_F32 && floats[10] == before, "unset: left alone");
    CHECK(leaves[3].dtype == MPX_I32, "integers");
    map.fallback = policy_of("f64");
    CHECK(mpx_policy_map_cast_in_place(tree, &map, MPX_ROLE_PARAM, &err) == MPX_ERR_SPACE &&
              err.index == 0 && err.expected == MPX_F64,
          "wider");
}

static void case_trees_and_keys(void) {
    mpx_map_entry entries[8];
    mpx_policy_map map = map_of(entries, 8, MPX_PATTERNS_GLOB);
    mpx_leaf leaves[6];
    mpx_tree tree = mpx_tree_of_leaves(leaves, make_leaves(leaves));
    mpx_error err;
    char path[2 * MPX_PATH_SIZE] = "";
    must_set(&map, "**ln*", "f32");
    must_set(&map, "wte", "f32");
    must_set(&map, "wpe", "f32");
    must_set(&map, "steps", "f32");
    CHECK(mpx_policy_map_count_leaves(&map, tree, &err) == MPX_OK, "count");
    CHECK(entries[0].leaves == 2 && entries[1].leaves == 1, "used keys");
    CHECK(entries[2].leaves == 0 && entries[3].leaves == 0, "unused keys; integers do not count");
    CHECK(mpx_policy_map_count_leaves(&map, tree, &err) == MPX_OK && entries[0].leaves == 2,
          "counted again: %lu", (unsigned long)entries[0].leaves);
    leaves[5].dtype = 99;
    CHECK(mpx_policy_map_count_leaves(&map, tree, &err) == MPX_ERR_DTYPE && entries[0].leaves == 2,
          "a walk that fails counts nothing");
    map.count = 0;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_ERR_DTYPE && map.count == 0,
          "a walk that fails adds nothing");
    leaves[5].dtype = MPX_F32;
    memset(entries, 0x5a, sizeof entries);
    must_set(&map, "wte", "f32");
    CHECK(entries[0].leaves == 0, "of a new entry");
    map.count = 0;
    leaves[2].dtype = MPX_BF16;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_OK && map.count == 5, "add");
    CHECK(strcmp(entries[2].key, "h/0/attn.w") == 0 &&
              mpx_policy_equal(entries[2].policy, policy_of("bf16")) &&
              mpx_policy_equal(entries[1].policy, policy_of("f32")) && entries[3].length == 0,
          "entries");
    map.count = 1;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_ERR_EXISTS && err.index == 0 &&
              map.count == 1,
          "twice");
    map.count = 0;
    map.capacity = 2;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_ERR_SPACE && err.index == 2 &&
              map.count == 0 && err.have == 2 && err.need == 3,
          "too many");
    check_says(&err, "not enough space at leaf 2 'h/0/attn.w'; 2 entries where 3 are needed");
    CHECK(mpx_policy_map_add_tree(&map, tree, NULL) == MPX_ERR_SPACE && map.count == 0, "no error asked for");
    memset(path, 'x', sizeof path - 1); /* as long as a path of the struct walker cannot be */
    leaves[2].path = path;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_ERR_SPACE && map.count == 0, "too many");
    check_says(&err, "not enough space at leaf 2 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'; "
                     "2 entries where 3 are needed");
}

/* A trainer: a working copy by the map, refreshed each step; what stays in f32 is shared. */
static void case_refresh(void) {
    mpx_map_entry entries[2];
    mpx_policy_map map = mpx_policy_map_of(entries, 2, policy_of("p=f32,c=bf16,o=f32"));
    mpx_leaf leaves[6], low_leaves[6];
    mpx_tree params = mpx_tree_of_leaves(leaves, make_leaves(leaves)), params_low;
    unsigned char storage[96];
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, low_leaves, 6);
    uint16_t codes[10];
    must_set(&map, "**ln*", "f32");
    CHECK(mpx_policy_map_cast_into(&params_low, params, &map, MPX_ROLE_COMPUTE, &arena, NULL) == MPX_OK, "copy");
    floats[0] = 77.0f;
    mpx_cast(codes, MPX_BF16, floats, MPX_F32, 10);
    CHECK(mpx_tree_cast(params_low, params, NULL) == MPX_OK, "refresh");
    CHECK(memcmp(codes, low_leaves[0].data, sizeof codes) == 0, "wte");
    CHECK(low_leaves[1].data == leaves[1].data, "layer norms are shared");
}

typedef struct block {
    float kernel[3], bias[2];
} block;
typedef struct net {
    block blocks[2];
} net;
static const mpx_field block_fields[] = { MPX_LEAF(block, kernel, float, MPX_F32),
                                          MPX_LEAF(block, bias, float, MPX_F32) };
static const mpx_field net_fields[] = { MPX_NODE_ARRAY(net, blocks, block, block_fields) };

/* The struct walker builds its paths anew: they cannot be keys. */
static void case_struct_tree(void) {
    static net n;
    mpx_map_entry entries[4];
    mpx_policy_map map = map_of(entries, 4, MPX_PATTERNS_GLOB);
    mpx_tree tree = MPX_TREE_OF_STRUCT(&n, net_fields), low;
    mpx_leaf leaves[8];
    unsigned char storage[400];
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, leaves, 8);
    mpx_error err;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_ERR_ARGUMENT && map.count == 0, "paths");
    must_set(&map, "blocks/*/bias", "f32");
    CHECK(mpx_policy_map_cast_into(&low, tree, &map, MPX_ROLE_COMPUTE, &arena, &err) == MPX_OK, "cast");
    CHECK(leaves[0].dtype == MPX_BF16 && leaves[1].dtype == MPX_F32 &&
              leaves[1].data == n.blocks[0].bias && strcmp(leaves[3].path, "blocks/1/bias") == 0,
          "leaves");
    map.count = 0;
    CHECK(mpx_policy_map_add_tree(&map, low, &err) == MPX_OK && map.count == 4, "its copy");
    check_decides(&map, "blocks/1/kernel", "blocks/1/kernel");
}

/* Keys that are copied stay what they were, whatever becomes of the text; after an error the map
   and the arena are as they were. */
static void case_kept_keys(void) {
    static net n;
    static unsigned char storage[256];
    mpx_map_entry entries[8];
    mpx_policy_map map = map_of(entries, 8, MPX_PATTERNS_GLOB);
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, NULL, 0);
    mpx_tree tree = MPX_TREE_OF_STRUCT(&n, net_fields);
    mpx_layer layers[2];
    mpx_error err;
    char text[40] = "a*=f16\nb=f32\n", longest[16];
    map.keys = &arena;
    CHECK(mpx_policy_map_parse(&map, text, NULL) == MPX_OK && arena.used == 32, "parse");
    memset(text, 'x', sizeof text);
    check_decides(&map, "ab", "a*");
    check_decides(&map, "b", "b");
    CHECK(mpx_policy_map_parse(&map, "c=f16\nb=f32", NULL) == MPX_ERR_EXISTS && arena.used == 32 &&
              map.count == 2,
          "an error: %lu bytes", (unsigned long)arena.used);
    CHECK(mpx_policy_map_parse(&map, "c=f16\nb", NULL) == MPX_ERR_MISSING_EQUALS &&
              arena.used == 32,
          "an error of syntax: %lu bytes", (unsigned long)arena.used);
    memset(layers, 0, sizeof layers);
    layers[0].path = layers[1].path = "same";
    CHECK(mpx_policy_map_add_layers(&map, layers, 2, NULL) == MPX_ERR_EXISTS && arena.used == 32 &&
              map.count == 2,
          "layers");
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_OK && map.count == 6 &&
              arena.used == 32 + 16 * 4,
          "a tree: %lu bytes", (unsigned long)arena.used);
    check_decides(&map, "blocks/1/kernel", "blocks/1/kernel");
    arena.size = 112;
    memset(longest, 'k', sizeof longest);
    CHECK(mpx_policy_map_set_n(&map, longest, 15, policy_of("f16"), NULL) == MPX_OK &&
              arena.used == 112,
          "just enough");
    map.count = 2;
    arena.used = 32;
    arena.size = 32 + 48;
    CHECK(mpx_policy_map_add_tree(&map, tree, &err) == MPX_ERR_SPACE && map.count == 2 &&
              arena.used == 32,
          "no room for the tree");
    arena.size = 48;
    CHECK(mpx_policy_map_set_n(&map, longest, 16, policy_of("f16"), &err) == MPX_ERR_SPACE &&
              map.count == 2 && arena.used == 32 && err.have == 16 && err.need == 32,
          "no room for a key and its NUL: %lu of %lu bytes", (unsigned long)err.have, (unsigned long)err.need);
    CHECK(mpx_policy_map_set_n(&map, longest, 15, policy_of("f16"), NULL) == MPX_OK &&
              arena.used == 48 && entries[2].key[15] == '\0',
          "room for one");
    CHECK(mpx_policy_map_set(&map, "", policy_of("f16"), NULL) == MPX_ERR_SPACE, "no room at all");
    arena.used = 64;
    CHECK(mpx_policy_map_set(&map, "", policy_of("f16"), &err) == MPX_ERR_SPACE && arena.used == 64 &&
              err.have == 0 && err.need == 16,
          "more in use than there is");
}

/* ---- time ------------------------------------------------------------------------------------ */

enum { TIME_PATTERNS = 1000, TIME_LEAVES = 100000 };

static void time_one(const char *what, int kind, const char *format) {
    static mpx_map_entry entries[TIME_PATTERNS];
    static char keys[TIME_PATTERNS][64], paths[TIME_LEAVES][64];
    static mpx_leaf leaves[TIME_LEAVES];
    static float x;
    mpx_policy_map map = map_of(entries, TIME_PATTERNS, kind);
    size_t i;
    clock_t start;
    for (i = 0; i < TIME_PATTERNS; i++) {
        snprintf(keys[i], sizeof keys[i], format, (int)i);
        must_set(&map, keys[i], "f16");
    }
    for (i = 0; i < TIME_LEAVES; i++) {
        snprintf(paths[i], sizeof paths[i], "model/layers/%d/attention/%c_proj/kernel",
                 (int)(i % 2000), "qkvo"[i / 2000 % 4]);
        leaves[i].path = paths[i];
        leaves[i].data = &x;
        leaves[i].count = 1;
        leaves[i].dtype = MPX_F32;
    }
    start = clock();
    if (mpx_policy_map_count_leaves(&map, mpx_tree_of_leaves(leaves, TIME_LEAVES), NULL) != MPX_OK)
        printf("failed: ");
    printf("%-34s %6.2f s\n", what, (double)(clock() - start) / CLOCKS_PER_SEC);
}

static void time_all(void) {
    time_one("paths", MPX_PATTERNS_EXACT, "model/layers/%d/attention/q_proj/kernel");
    time_one("globs with their own beginning", MPX_PATTERNS_GLOB, "model/layers/%d/*/q_*/kernel");
    time_one("globs alike at both ends", MPX_PATTERNS_GLOB, "model/*/%d/*/kernel");
    time_one("globs of other words", MPX_PATTERNS_GLOB, "**/mlp_%d/**");
    time_one("globs without plain text", MPX_PATTERNS_GLOB, "[z%d]*/*/*/*/*");
#if !MPX_NO_REGEX
    time_one("regexes with their own beginning", MPX_PATTERNS_REGEX, "model/layers/%d/.*/kernel");
    time_one("regexes alike at both ends", MPX_PATTERNS_REGEX, "model/.*/%d/.*/kernel");
    time_one("regexes without plain ends", MPX_PATTERNS_REGEX, ".*/%d/.*(q|k)_proj.*");
#endif
}

int main(int argc, char **argv) {
    int list = argc > 1 && strcmp(argv[1], "--list") == 0;
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        time_all();
        return 0;
    }
    case_golden(list);
    if (list) return 0;
    case_new_map();
    case_zero_map();
    case_set_get_delete();
    case_slices();
    case_ambiguous();
    case_hook();
    case_exact();
    case_explain();
    case_globs();
    case_refused();
    case_sizes();
    case_steps();
    case_many_classes();
#if !MPX_NO_REGEX
    case_late_sizes();
    case_regexes();
    case_search();
    case_harmless();
    case_search_plain();
    case_long_classes();
    case_all_but();
#endif
    case_keys_at_random();
    case_keys_of_one_hash();
    case_keys_that_end();
    case_hostile_patterns();
    case_hostile_maps();
    case_text();
    case_no_such_patterns();
    case_keys_round_trip();
#if !MPX_NO_QUANT
    case_quantizations_round_trip();
#endif
    case_text_errors();
    case_kinds();
    case_text_dialects();
    case_text_printed();
    case_text_adds();
    case_filters();
    case_layers();
    case_cast_to_compute();
    case_dry_run();
    case_dry_run_saturates();
    case_roles();
    case_cast_errors();
    case_cast_in_place();
    case_trees_and_keys();
    case_refresh();
    case_struct_tree();
    case_kept_keys();
    return test_done("test_policy_map");
}
