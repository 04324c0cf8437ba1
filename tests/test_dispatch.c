/* MPX_DISPATCH: one library with several instruction sets. Threads that cast at once before any was
   chosen agree; each one that this CPU has gives the same bits for all pairs of dtypes; names that
   are none change nothing. Whether the bits are right says test_hashes, linked with this library. */
#include "test.h"
#include <pthread.h>

static const char *const names[] = { "sse2", "avx2", "avx512" };
enum { NAMES = 3, THREADS = 8, MOST = 301 };

static unsigned char source[MOST * 16], target[MOST * 16];

static uint64_t hash_bytes(uint64_t hash, const unsigned char *p, size_t size) {
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

/* Of all pairs, with random codes; with lengths of a few elements, of a block and of several. */
static uint64_t hash_casts(void) {
    static const size_t counts[] = { 1, 7, 64, 130, MOST };
    uint64_t hash = 0xcbf29ce484222325u;
    mpx_dtype to, from;
    size_t i;
    for (from = MPX_NONE + 1; from < MPX_DTYPE_COUNT; from++)
        for (to = MPX_NONE + 1; to < MPX_DTYPE_COUNT; to++)
            for (i = 0; i < sizeof counts / sizeof *counts; i++) {
                memset(target, 0, sizeof target);
                if (mpx_cast(target, to, source, from, counts[i]) == MPX_OK)
                    hash = hash_bytes(hash, target, sizeof target);
            }
    return hash;
}

static void *first_cast(void *out) {
    static const float one = 1;
    return mpx_cast(out, MPX_BF16, &one, MPX_F32, 1) == MPX_OK ? out : NULL;
}

static void check_threads(void) {
    pthread_t thread[THREADS];
    uint16_t result[THREADS];
    int i;
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, first_cast, &result[i]) == 0, "no thread %d", i);
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(result[i] == 0x3f80, "thread %d: 0x%x, want 0x3f80", i, (unsigned)result[i]);
    }
}

int main(void) {
    const char *best;
    uint64_t hash = 0, other;
    uint32_t random = 1;
    size_t i;
    int have = 0;
    check_threads();
    best = mpx_isa();
    for (i = 0; i < sizeof source; i++) {
        random = random * 1664525u + 1013904223u;
        source[i] = (unsigned char)(random >> 24);
    }
    for (i = 0; i < NAMES; i++) {
        if (mpx_isa_set(names[i]) != MPX_OK) {
            printf("SKIP %s: this CPU cannot run it\n", names[i]);
            continue;
        }
        CHECK(strcmp(mpx_isa(), names[i]) == 0, "%s, want %s", mpx_isa(), names[i]);
        other = hash_casts();
        if (have++ == 0) hash = other;
        CHECK(other == hash, "%s: hash %016llx, want %016llx as with %s", names[i],
              (unsigned long long)other, (unsigned long long)hash, names[0]);
    }
    CHECK(have > 0, "no instruction set can be chosen");
    CHECK(mpx_isa_set("sse2") == MPX_OK, "no sse2");
    CHECK(mpx_isa_set("avx") == MPX_ERR_ARGUMENT, "avx is not refused");
    CHECK(mpx_isa_set("") == MPX_ERR_ARGUMENT, "an empty name is not refused");
    CHECK(strcmp(mpx_isa(), "sse2") == 0, "a wrong name has changed it to %s", mpx_isa());
    CHECK(mpx_isa_set(NULL) == MPX_OK, "NULL is refused");
    CHECK(strcmp(mpx_isa(), best) == 0, "%s, want %s, the first choice", mpx_isa(), best);
    return test_done("test_dispatch");
}
