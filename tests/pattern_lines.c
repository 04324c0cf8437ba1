/* Matches what tests/test_pattern.py asks for: lines of `kind pattern path`, kind g (glob), r
   (regex) or s (search), the texts as hexadecimal bytes after an 'x'. Answers each with 1, 0, or
   "bad OFFSET LENGTH" for a pattern that is refused. */
#include "mpx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 17 };
static char line[LINE_MAX_BYTES], pattern[LINE_MAX_BYTES / 2], path[LINE_MAX_BYTES / 2];

static size_t unhex(const char *text, char *out) {
    size_t n = 0;
    unsigned byte;
    for (text++; sscanf(text, "%2x", &byte) == 1; text += 2) out[n++] = (char)byte;
    return n;
}

static void answer(char kind, const char *pattern_hex, const char *path_hex) {
    mpx_policy none = { 0 };
    mpx_map_entry entry;
    mpx_policy_map map = mpx_policy_map_of(&entry, 1, none);
    size_t length = unhex(pattern_hex, pattern), path_length = unhex(path_hex, path), index;
    /* of their own size, for the address sanitizer */
    char *key = (char *)malloc(length + 1), *text = (char *)malloc(path_length + 1);
    mpx_error err;
    if (key == NULL || text == NULL) exit(2);
    memcpy(key, pattern, length);
    memcpy(text, path, path_length);
    map.patterns = kind == 'g' ? MPX_PATTERNS_GLOB
                   : kind == 'r' ? MPX_PATTERNS_REGEX
                                 : MPX_PATTERNS_SEARCH;
    if (mpx_policy_map_set_n(&map, key, length, none, &err) != MPX_OK)
        printf("bad %lu %lu\n", (unsigned long)err.offset, (unsigned long)err.length);
    else if (mpx_policy_map_find_n(&map, text, path_length, &index) != MPX_OK)
        printf("failed\n");
    else
        printf("%d\n", index == 0);
    free(key);
    free(text);
}

int main(void) {
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *second = strchr(line, ' '), *third = second != NULL ? strchr(second + 1, ' ') : NULL;
        if (third == NULL) return 2;
        answer(line[0], second + 1, third + 1);
    }
    return 0;
}
