/* What every peer's shared object exports: its name, and its kernels by the names of bench/rows.c;
   a row's "sat" variant is looked up under its own name, then under the plain one. */
#ifndef PEER_H
#define PEER_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __cplusplus
#define PEER_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define PEER_EXPORT __attribute__((visibility("default")))
#endif

typedef void peer_fn(const void *row, void *dst, const void *src, size_t n);
typedef struct peer_row {
    const char *name; /* NULL ends the table */
    peer_fn *fn;
} peer_row;

PEER_EXPORT const char *peer_name(void);
PEER_EXPORT const peer_row *peer_table(void); /* NULL: the peer does not run here */
#define PEER(name, table)                               \
    PEER_EXPORT const char *peer_name(void) { return name; } \
    PEER_EXPORT const peer_row *peer_table(void) { return table; }
#endif
