/* map.h - a policy for each parameter, from a file.

   The text is mpx_policy_map_parse's; keys are the parameters' paths or patterns. Whatever in the
   file cannot be obeyed ends the program: a misspelt key must not train in silence. */
#ifndef DEMO_MAP_H
#define DEMO_MAP_H

#include "mlp.h"

enum { MAP_KEYS = 32, MAP_BYTES = 16384 };

/* Roles left unset become f32. Returns 0 if this network cannot be trained by the policy. */
static int complete_policy(mpx_policy *p) {
    if (p->quantization != MPX_QUANT_NONE) return 0;
    if (p->param == MPX_NONE) p->param = MPX_F32;
    if (p->compute == MPX_NONE) p->compute = MPX_F32;
    if (p->output == MPX_NONE) p->output = MPX_F32;
    return mpx_dtype_is_floating(p->param) && mpx_dtype_is_floating(p->compute) &&
           mpx_dtype_is_floating(p->output);
}

static const char no_such_policy[] = "every role must be a floating dtype, nothing quantized";
static const char no_such_default[] =
    "default: every role must be a floating dtype, nothing quantized";

/* line 0: it cannot be said. */
static void bad_map(const char *path, size_t line, const char *problem) {
    if (line == 0) fprintf(stderr, "digits: %s: %s\n", path, problem);
    else fprintf(stderr, "digits: %s, line %u: %s\n", path, (unsigned)line, problem);
    exit(2);
}

static size_t line_of(const char *text, const char *place) {
    size_t line = 1;
    for (; text < place; text++) line += *text == '\n' ? 1 : 0;
    return line;
}

/* The file, with a NUL behind it; MAP_BYTES of text are room for it. */
static void read_text(const char *path, char *text) {
    FILE *file = fopen(path, "rb");
    size_t length = file != NULL ? fread(text, 1, MAP_BYTES, file) : 0;
    const char *problem = file == NULL || ferror(file)           ? "cannot be read"
                          : length == MAP_BYTES                  ? "too long for a map"
                          : memchr(text, '\0', length) != NULL ? "not a text"
                                                                 : NULL;
    if (file != NULL) fclose(file);
    if (problem != NULL) {
        fprintf(stderr, "digits: --map %s: %s\n", path, problem);
        exit(2);
    }
    text[length] = '\0';
}

/* fallback: the policy of paths that no key meets, where the file names none. */
static mpx_policy_map read_map(const char *path, mpx_policy fallback) {
    static char text[MAP_BYTES]; /* the keys point into it */
    static mpx_map_entry entries[MAP_KEYS];
    mpx_policy_map map = mpx_policy_map_of(entries, MAP_KEYS, fallback);
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_error err;
    size_t i;
    read_text(path, text);
    if (mpx_policy_map_parse(&map, text, &err) != MPX_OK) {
        mpx_error_format(&err, text, sentence, sizeof sentence);
        bad_map(path, mpx_error_line(&err, text), sentence);
    }
    if (!complete_policy(&map.fallback)) bad_map(path, 0, no_such_default);
    for (i = 0; i < map.count; i++) {
        if (complete_policy(&entries[i].policy)) continue;
        bad_map(path, line_of(text, entries[i].key), no_such_policy);
    }
    return map;
}

/* Print a line for each parameter: which key decides it, and what. Returns 0 if two keys do. */
static int explain_parameters(const mpx_policy_map *map, const char *path) {
    char sentence[MPX_ERROR_TEXT_SIZE];
    size_t i, which;
    int good = 1;
    for (i = 0; i < LEAVES; i++) {
        mpx_policy_map_explain(map, parameter_path(i), sentence, sizeof sentence);
        if (mpx_policy_map_find(map, parameter_path(i), &which) == MPX_OK) {
            printf("%s\n", sentence);
        } else {
            fprintf(stderr, "digits: %s: %s\n", path, sentence);
            good = 0;
        }
    }
    return good;
}

/* Name the keys that decide nothing: misspelt, most likely. Returns 0 if there are any. */
static int check_keys(mpx_policy_map *map, const char *path) {
    mpx_leaf leaves[LEAVES];
    mpx_error err;
    size_t i;
    int good = 1;
    memset(leaves, 0, sizeof leaves);
    for (i = 0; i < LEAVES; i++) {
        leaves[i].path = parameter_path(i);
        leaves[i].dtype = MPX_F32;
    }
    must(mpx_policy_map_count_leaves(map, mpx_tree_of_leaves(leaves, LEAVES), &err), &err);
    for (i = 0; i < map->count; i++) {
        const mpx_map_entry *entry = &map->entries[i];
        if (entry->leaves > 0) continue;
        fprintf(stderr, "digits: %s: '%.*s' decides no parameter\n", path, (int)entry->length,
                entry->key);
        good = 0;
    }
    return good;
}

static void explain_map(mpx_policy_map *map, const char *path) {
    if (!explain_parameters(map, path) || !check_keys(map, path)) exit(2);
}

#endif
