/* Patterns from raw bytes, of every kind, on paths from raw bytes: refused with a place in the
   pattern and the map as it was, or matched; a pattern of plain letters alone matches itself; what
   matches a whole path is met by a search too. Input: kind, length of the pattern, the pattern,
   the path. */
#include "fuzz.h"

/* 1, 0, or a negative status; bytes of their own size. */
static int match(int kind, const uint8_t *pattern, size_t n, const uint8_t *path, size_t path_n) {
    mpx_policy none = { 0 };
    uint8_t *key = fuzz_room(n), *text = fuzz_room(path_n);
    mpx_map_entry entry;
    mpx_policy_map map = mpx_policy_map_of(&entry, 1, none);
    mpx_error err;
    size_t index = 7;
    int result;
    map.patterns = kind;
    if (n != 0) memcpy(key, pattern, n);
    if (path_n != 0) memcpy(text, path, path_n);
    result = mpx_policy_map_set_n(&map, (char *)key, n, none, &err);
    CLAIM(err.status == result);
    if (result != MPX_OK) {
        CLAIM(result == MPX_ERR_PATTERN && map.count == 0);
        CLAIM(err.offset <= n && err.length <= n - err.offset);
    } else {
        CLAIM(mpx_policy_map_find_n(&map, (char *)text, path_n, &index) == MPX_OK);
        CLAIM(index == 0 || index == MPX_MAP_DEFAULT);
        result = index == 0;
        CLAIM(mpx_policy_map_find_n(&map, (char *)key, n, &index) == MPX_OK && index == 0);
    }
    free(key);
    free(text);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    int kind = (int)fuzz_below(&in, 3), whole, part;
    size_t n = fuzz_byte(&in);
    if (n > in.left) n = in.left;
    whole = match(kind, in.at, n, in.at + n, in.left - n);
    if (kind == MPX_PATTERNS_REGEX) {
        part = match(MPX_PATTERNS_SEARCH, in.at, n, in.at + n, in.left - n);
        if (whole >= 0 && part >= 0) CLAIM(part >= whole); /* searched for, it may be too large */
    }
    return 0;
}
