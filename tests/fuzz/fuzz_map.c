/* Policy maps from raw text: an error with its place and the map as it was, or a map that prints
   as text that reads back as the same. Input: room for entries, size of a buffer, then the text. */
#include "fuzz.h"

enum { ENTRIES = 8 };

static void check_same(const mpx_policy_map *a, const mpx_policy_map *b) {
    size_t i;
    CLAIM(a->count == b->count && a->patterns == b->patterns && a->first_wins == b->first_wins);
    CLAIM(mpx_policy_equal(a->fallback, b->fallback));
    for (i = 0; i < a->count; i++) {
        const mpx_map_entry *x = &a->entries[i], *y = &b->entries[i];
        CLAIM(x->length == y->length && memcmp(x->key, y->key, x->length) == 0);
        CLAIM(mpx_policy_equal(x->policy, y->policy));
    }
}

static void check_format(const mpx_policy_map *map, size_t small_size) {
    mpx_policy none = { 0 };
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_map_entry entries[ENTRIES];
    mpx_policy_map again = mpx_policy_map_of(entries, ENTRIES, none);
    size_t length = mpx_policy_map_format(map, NULL, 0);
    char *buf = (char *)fuzz_room(length + 1), *small = (char *)fuzz_room(small_size);
    CLAIM(mpx_policy_map_format(map, buf, length + 1) == length && buf[length] == '\0');
    CLAIM(mpx_policy_map_format(map, small, small_size) == length);
    if (length != 0) {
        CLAIM(mpx_policy_map_parse_n(&again, buf, length, any, NULL) == MPX_OK);
        check_same(map, &again);
    }
    free(small);
    free(buf);
}

static void check_lookups(const mpx_policy_map *map, size_t small_size) {
    char *small = (char *)fuzz_room(small_size);
    size_t i, index;
    for (i = 0; i < map->count; i++) {
        CLAIM(mpx_policy_map_find_n(map, map->entries[i].key, map->entries[i].length, &index) ==
              MPX_OK);
        CLAIM(index == i);
    }
    CLAIM(mpx_policy_map_explain(map, "a/layer_0/b", small, small_size) != 0);
    free(small);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_policy none = { 0 };
    mpx_map_entry entries[ENTRIES];
    mpx_policy_map map = mpx_policy_map_of(entries, fuzz_below(&in, ENTRIES + 1), none), before = map;
    size_t small_size = fuzz_byte(&in), len = in.left;
    char *text = (char *)fuzz_room(len), *sentence = (char *)fuzz_room(small_size);
    mpx_error err;
    mpx_status status;
    if (len != 0) memcpy(text, in.at, len);
    memset(&err, 0x5a, sizeof err);
    status = mpx_policy_map_parse_n(&map, text, len, any, &err);
    CLAIM(err.status == status);
    if (status == MPX_OK) {
        check_format(&map, small_size);
        check_lookups(&map, small_size);
    } else {
        CLAIM(memcmp(&map, &before, sizeof map) == 0);
        CLAIM(err.offset <= len && err.length <= len - err.offset);
        CLAIM(mpx_error_line(&err, text) >= 1);
        CLAIM(mpx_policy_map_parse_n(&map, text, len, any, NULL) == status);
    }
    CLAIM(mpx_error_format(&err, text, sentence, small_size) != 0);
    free(sentence);
    free(text);
    return 0;
}
