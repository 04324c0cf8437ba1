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
bench_fn *bench_stream(const bench_row *row, int kind) {
    remember(row);
    return kind == 0 ? bench_memcpy : NULL;
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
            vec a = LOAD(s), b = (R) * PER_LINE > 1 ? LOAD(s + STEP) : a;                     \
            UNROLL for (k = 2; k < (R) * PER_LINE; k += 2) {                                  \
                a = OR(a, LOAD(s + STEP * k));                                                \
                b = OR(b, LOAD(s + STEP * (k + 1)));                                          \
            }                                                                                 \
            a = (W) * PER_LINE > 1 ? a : OR(a, b);                                        \
            UNROLL for (k = 0; k < (W) * PER_LINE; k++) WRITE(d + STEP * k, (k & 1) ? b : a); \
        }                                                                                     \
        AFTER;                                                                                \
    }
#if HAVE_NONTEMPORAL
#define BOTH(name, R, W) \
    MOVE(name, R, W, STORE, (void)0) MOVE(name##_nontemporal, R, W, STREAM, FENCE())
#define EITHER(name) (kind & BENCH_NONTEMPORAL ? name##_nontemporal : name)
#else
#define BOTH(name, R, W) MOVE(name, R, W, STORE, (void)0)
#define EITHER(name) (kind & BENCH_NONTEMPORAL ? NULL : name)
#endif
/* Long steps suit the caches, short ones some prefetchers: the better of them counts. */
#define PICK(name) (kind & BENCH_SHORT ? EITHER(name##_short) : EITHER(name))
BOTH(move_1_1, 8, 8)
BOTH(move_1_2, 4, 8)
BOTH(move_1_4, 2, 8)
BOTH(move_1_8, 2, 16)
BOTH(move_2_1, 8, 4)
BOTH(move_4_1, 8, 2)
BOTH(move_8_1, 16, 2)
BOTH(move_16_3, 16, 3)
BOTH(move_1_1_short, 1, 1)
BOTH(move_1_2_short, 1, 2)
BOTH(move_1_4_short, 1, 4)
BOTH(move_1_8_short, 1, 8)
BOTH(move_2_1_short, 2, 1)
BOTH(move_4_1_short, 4, 1)
BOTH(move_8_1_short, 8, 1)

/* Through a volatile pointer: the compiler must not know that the data stay as they are. */
static const char zero_bytes[64];
static const char *volatile zeros = zero_bytes;

#define UPDATE(name, LINES, WRITE, AFTER)                                               \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) {      \
        char *d = (char *)dst;                                                          \
        size_t steps = n * read_bits / (512 * (LINES));                                 \
        vec z = LOAD(zeros);                                                            \
        (void)row;                                                                      \
        (void)src;                                                                      \
        for (; steps > 0; steps--, d += 64 * (LINES)) {                                 \
            int k;                                                                      \
            UNROLL for (k = 0; k < (LINES) * PER_LINE; k++)                             \
                WRITE(d + STEP * k, OR(z, LOAD(d + STEP * k)));                         \
        }                                                                               \
        AFTER;                                                                          \
    }
UPDATE(update, 8, STORE, (void)0)
UPDATE(update_short, 1, STORE, (void)0)
#if HAVE_NONTEMPORAL
UPDATE(update_nontemporal, 8, STREAM, FENCE())
UPDATE(update_short_nontemporal, 1, STREAM, FENCE())
#endif

#define READ(name, LINES)                                                          \
    static void name(const bench_row *row, void *dst, const void *src, size_t n) { \
        const char *s = (const char *)src;                                         \
        size_t steps = n * read_bits / (512 * (LINES));                            \
        vec sum[4] = { ZERO(), ZERO(), ZERO(), ZERO() };                           \
        (void)row;                                                                 \
        (void)dst;                                                                 \
        for (; steps > 0; steps--, s += 64 * (LINES)) {                            \
            int k;                                                                 \
            UNROLL for (k = 0; k < (LINES) * PER_LINE; k++)                        \
                sum[k & 3] = OR(sum[k & 3], LOAD(s + STEP * k));                   \
        }                                                                          \
        sum[0] = OR(OR(sum[0], sum[1]), OR(sum[2], sum[3]));                       \
        memcpy(&bench_out.flag, &sum[0], sizeof bench_out.flag);                   \
    }
READ(read_all, 8)
READ(read_all_short, 1)

const char *bench_stream_name(void) { return NAME " streams"; }

bench_fn *bench_stream(const bench_row *row, int kind) {
    size_t read, written;
    remember(row);
    read = read_bits;
    written = written_bits;
    if (row->op >= BENCH_FINITE)
        return kind == 0 ? read_all : kind == BENCH_SHORT ? read_all_short : NULL;
    if (row->chain != 0) return PICK(update);
    if (read == written) return PICK(move_1_1);
    if (2 * read == written) return PICK(move_1_2);
    if (4 * read == written) return PICK(move_1_4);
    if (8 * read == written) return PICK(move_1_8);
    if (read == 2 * written) return PICK(move_2_1);
    if (read == 4 * written) return PICK(move_4_1);
    if (read == 8 * written) return PICK(move_8_1);
    if (3 * read == 16 * written && !(kind & BENCH_SHORT)) return EITHER(move_16_3);
    return NULL;
}
#endif
