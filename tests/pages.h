/* Pages of memory, some of which must not be touched. Included before all else: MAP_ANONYMOUS has to be asked for. */
#ifndef PAGES_H
#define PAGES_H
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* under -std=c99 */
#endif
#if !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif
#include <stdio.h>
#include <stdlib.h>
#if defined(__unix__) || defined(__APPLE__)
#define HAVE_PAGES 1
#include <sys/mman.h>
#include <unistd.h>

static inline size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Whole pages, zero; munmap gives them back. */
static inline unsigned char *pages_of(size_t size) {
    void *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) printf("mmap failed\n"), exit(1);
    return (unsigned char *)all;
}

/* Pages for size bytes, rounded up in *size, between two that must not be touched. */
static inline unsigned char *fenced_pages(size_t *size) {
    size_t page = page_size();
    unsigned char *all;
    *size = (*size + page - 1) / page * page;
    all = pages_of(*size + 2 * page);
    mprotect(all, page, PROT_NONE);
    mprotect(all + page + *size, page, PROT_NONE);
    return all + page;
}
#else
#define HAVE_PAGES 0

/* No fence here: whoever relies on one says SKIP. */
static inline unsigned char *fenced_pages(size_t *size) {
    unsigned char *all = (unsigned char *)malloc(*size);
    if (all == NULL) printf("no memory\n"), exit(1);
    return all;
}
#endif
#endif
