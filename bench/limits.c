/* The limit of a row: streams that read and write as many bytes in the same ratio and compute
   nothing, with plain stores and with nontemporal ones, in the widest vectors the flags allow. */
#include "bench.h"
#include <string.h>

#if (defined(__x86_64__) && defined(__GNUC__)) || (defined(_M_X64) && defined(_MSC_VER))
#include <immintrin.h>
#define HAVE_NONTEMPORAL 1
#if defined(__AVX512F__)
typedef __m512i vec;
#define NAME "512-bit"
#define ZERO() _mm512_setzero_si512()
#define LOAD(p) _mm512_loadu_si512(p)
#define OR(a, b) _mm512_or_si512(a, b)
#define STORE(p, v) _mm512_store_si512(p, v)
#define STREAM(p, v) _mm512_stream_si512((void *)(p), v)
#elif defined(__AVX2__)
typedef __m256i vec;
#define NAME "256-bit"
#define ZERO() _mm256_setzero_si256()
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define OR(a, b) _mm256_or_si256(a, b)
#define STORE(p, v) _mm256_store_si256((__m256i *)(void *)(p), v)
#define STREAM(p, v) _mm256_stream_si256((__m256i *)(void *)(p), v)
#else
typedef __m128i vec;
#define NAME "128-bit"
#define ZERO() _mm_setzero_si128()
#define LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define OR(a, b) _mm_or_si128(a, b)
#define STORE(p, v) _mm_store_si128((__m128i *)(void *)(p), v)
#define STREAM(p, v) _mm_stream_si128((__m128i *)(void *)(p), v)
#endif
#define FENCE() _mm_sfence()
#elif defined(__GNUC__)
#define HAVE_NONTEMPORAL 0
typedef uint64_t vec __attribute__((vector_size(16)));
#define NAME "128-bit"
#define ZERO() ((vec){ 0, 0 })
#define LOAD(p) (*(const vec *)(const void *)(p))
#define OR(a, b) ((a) | (b))
#define STORE(p, v) (*(vec *)(void *)(p) = (v))
#endif

/* Bits read and written per element, of the row that bench_stream was last asked for: so the
   streams need not look them up, which would count in the smallest buffers. */
static size_t read_bits, written_bits;

static void remember(const bench_row *row) {
    read_bits = bench_src_bytes(row, 64) / 8;
    written_bits = bench_dst_bytes(row, 64) / 8;
}

void bench_memcpy(const bench_row *row, void *dst, const void *src, size_t n) {
    size_t bytes = n * (read_bits + written_bits) / 16;
    (void)row;
    if (dst == src) /* in place: the other half of the buffer has room */
        memcpy((char *)dst + bytes + 64, src, bytes);
    else
        memcpy(dst, src, bytes);
}

#ifndef NAME /* neither x86-64 nor a compiler with vectors: memcpy is the limit */

const char *bench_stream_name(void) { return "memcpy"; }
bench_fn *bench_stream(const bench_row *row, int nontemporal) {
    remember(row);
    return nontemporal ? NULL : bench_memcpy;
}

#else

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

enum { STEP = (int)sizeof(vec), PER_LINE = 64 / (int)sizeof(vec) };

/* Read R cache lines and write W, until n elements are read. Two values are or-ed together, so
   that every load is needed and no chain runs through the loop. */
#define MOVE(name, R, W, WRITE, AFTER)                                                        \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {            \
        const char *s = (const char *)src;                                                    \
        char *d = (char *)dst;                                                                \
        size_t steps = n * read_bits / (512 * (R));                                           \
        (void)row;                                                                            \
        for (; steps > 0; steps--, s += 64 * (R), d += 64 * (W)) {                            \
            int k;                                                                            \
            vec a = LOAD(s), b = LOAD(s + STEP);                                              \
            UNROLL for (k = 2; k < (R) * PER_LINE; k += 2) {                                  \
                a = OR(a, LOAD(s + STEP * k));                                                \
                b = OR(b, LOAD(s + STEP * (k + 1)));                                          \
            }                                                                                 \
            UNROLL for (k = 0; k < (W) * PER_LINE; k++) WRITE(d + STEP * k, (k & 1) ? a : b); \
        }                                                                                     \
        AFTER;                                                                                \
    }
#if HAVE_NONTEMPORAL
#define MOVES(name, R, W) \
    MOVE(name, R, W, STORE, (void)0) MOVE(name##_nontemporal, R, W, STREAM, FENCE())
#define PICK(name) (nontemporal ? name##_nontemporal : name)
#else
#define MOVES(name, R, W) MOVE(name, R, W, STORE, (void)0)
#define PICK(name) (nontemporal ? NULL : name)
#endif
MOVES(move_1_1, 8, 8)
MOVES(move_1_2, 4, 8)
MOVES(move_1_4, 2, 8)
MOVES(move_1_8, 2, 16)
MOVES(move_2_1, 8, 4)
MOVES(move_4_1, 8, 2)
MOVES(move_8_1, 16, 2)
MOVES(move_16_3, 16, 3)

/* Through a volatile pointer: the compiler must not know that the data stay as they are. */
static const char zero_bytes[64];
static const char *volatile zeros = zero_bytes;

#define UPDATE(name, WRITE, AFTER)                                                      \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {      \
        char *d = (char *)dst;                                                          \
        size_t steps = n * read_bits / 4096;                                            \
        vec z = LOAD(zeros);                                                            \
        (void)row;                                                                      \
        (void)src;                                                                      \
        for (; steps > 0; steps--, d += 512) {                                          \
            int k;                                                                      \
            UNROLL for (k = 0; k < 8 * PER_LINE; k++)                                   \
                WRITE(d + STEP * k, OR(z, LOAD(d + STEP * k)));                         \
        }                                                                               \
        AFTER;                                                                          \
    }
UPDATE(update, STORE, (void)0)
#if HAVE_NONTEMPORAL
UPDATE(update_nontemporal, STREAM, FENCE())
#endif

static void read_all(const bench_row *row, void *dst, const void *src, size_t n) {
    const char *s = (const char *)src;
    size_t steps = n * read_bits / 4096;
    vec a = ZERO(), b = a, c = a, d = a;
    (void)row;
    (void)dst;
    for (; steps > 0; steps--, s += 512) {
        int k;
        UNROLL for (k = 0; k < 8 * PER_LINE; k += 4) {
            a = OR(a, LOAD(s + STEP * k));
            b = OR(b, LOAD(s + STEP * (k + 1)));
            c = OR(c, LOAD(s + STEP * (k + 2)));
            d = OR(d, LOAD(s + STEP * (k + 3)));
        }
    }
    a = OR(OR(a, b), OR(c, d));
    memcpy(&bench_flag, &a, sizeof bench_flag);
}

const char *bench_stream_name(void) { return NAME " streams"; }

bench_fn *bench_stream(const bench_row *row, int nontemporal) {
    size_t read, written;
    remember(row);
    read = read_bits;
    written = written_bits;
    if (row->op == BENCH_FINITE) return nontemporal ? NULL : read_all;
    if (row->chain != 0) return PICK(update);
    if (read == written) return PICK(move_1_1);
    if (2 * read == written) return PICK(move_1_2);
    if (4 * read == written) return PICK(move_1_4);
    if (8 * read == written) return PICK(move_1_8);
    if (read == 2 * written) return PICK(move_2_1);
    if (read == 4 * written) return PICK(move_4_1);
    if (read == 8 * written) return PICK(move_8_1);
    if (3 * read == 16 * written) return PICK(move_16_3);
    return NULL;
}
#endif
