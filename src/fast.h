/*==========================================================================*
 * MARK: fast - rows of their own                                            *
 *   Pairs for which a measurement shows that the shared loop is not enough. *
 *   An ISA without any has those at the end of this room, which do nothing: *
 *   the shared loop then does it all.                                       *
 *==========================================================================*/

typedef void (*mpx__kernel)(void *dst, const void *src, size_t n);

/* Below so many elements kernels take less time than the way to a row of its own. An ISA may say
   more where one kernel does it all: f32 to other floats, and all to f32. */
enum { MPX__FEW = MPX__LANES < 8 ? 16 : 64 };
#ifndef MPX__FEW_BY_KERNEL
#define MPX__FEW_BY_KERNEL MPX__FEW
#endif

/* Rows take no fewer. */
enum { MPX__ROW_MIN = MPX__HAS_OWN_ROWS ? 16 : 4 * MPX__LANES };

/* A cast of a span of elements, or what is left of it. A row takes whole blocks from the start and
   says how many elements that was; the rest, below a block, is left to the shared loop (but for
   those of numbers.h, which take it all). Whoever sets `stream` calls mpx__fence at the end. */
typedef struct mpx__span {
    unsigned char *d;
    const unsigned char *s;
    size_t n;
    const mpx__row *to, *from;
    uint8_t saturate;
    uint8_t packed; /* dtypes below a byte are packed; else each code has a byte */
    uint8_t stream; /* write past the caches: d is a multiple of 64 bytes then */
    uint8_t unused; /* so that one store sets all four */
} mpx__span;

MPX__FORCE_INLINE size_t mpx__stored_bits(const mpx__row *row, int packed) {
    return row->bits < 8 && !packed ? 8u : row->bits;
}

/* May n elements be too many for the caches, if each has 8 bytes on either side? */
MPX__FORCE_INLINE int mpx__may_be_large(size_t n) {
    size_t large = MPX__HAS_STREAM ? MPX_STREAM_BYTES : 0; /* no const: 0 would make clang warn */
    return large != 0 && n >= large / 16;
}

/* Sets a span up; returns whether it may be large: mpx__span_align then sees to it. The fences keep
   gcc from joining the stores in pairs: what is read back in parts cannot be forwarded, and waits
   for all that was stored before. */
MPX__FORCE_INLINE int mpx__span_set(mpx__span *span, void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t n, int saturate, int packed) {
    span->d = (unsigned char *)dst;
    MPX__KEEP_LOOP();
    span->s = (const unsigned char *)src;
    MPX__KEEP_LOOP();
    span->n = n;
    MPX__KEEP_LOOP();
    span->to = to;
    MPX__KEEP_LOOP();
    span->from = from;
    MPX__KEEP_LOOP();
    span->saturate = (uint8_t)saturate;
    span->packed = (uint8_t)packed;
    span->stream = span->unused = 0;
    return mpx__may_be_large(n);
}

/* Elements of `bits` bits up to the next 64-byte boundary; SIZE_MAX if one straddles it. */
MPX__PRIVATE size_t mpx__until_aligned(const void *dst, size_t bits) {
    size_t bytes = (size_t)(0u - (uintptr_t)dst) & 63u;
    return bytes * 8 % bits == 0 ? bytes * 8 / bits : (size_t)-1;
}
/* Arrays of MPX_STREAM_BYTES and more go past the caches, aligned: returns how many elements stand
   before that alignment, to be cast before the rows begin. */
MPX__LONG_WAY size_t mpx__span_align(mpx__span *span) {
    size_t large = MPX_STREAM_BYTES;
    size_t to = mpx__stored_bits(span->to, span->packed),
           from = mpx__stored_bits(span->from, span->packed);
    size_t head = mpx__until_aligned(span->d, to);
    span->stream =
        span->n / 8 * (to + from) >= large && head < span->n && head * from % 8 == 0;
    return span->stream ? head : 0;
}

MPX__FORCE_INLINE void mpx__span_advance(mpx__span *span, size_t done) {
    size_t to = mpx__stored_bits(span->to, span->packed),
           from = mpx__stored_bits(span->from, span->packed);
    span->d += done / 8 * to + done % 8 * to / 8;
    MPX__KEEP_LOOP(); /* nor one load of what was stored in parts */
    span->s += done / 8 * from + done % 8 * from / 8;
    span->n -= done;
}

#if MPX__HAS_STREAM
/* While streaming, the source is asked for 8 KiB ahead: less gains less, and so does more. */
MPX__FORCE_INLINE void mpx__fetch(const unsigned char *s, size_t bytes, int stream) {
    size_t i;
    if (stream)
        for (i = 0; i < bytes; i += 64)
            mpx__prefetch(s + i + 8192);
}
#else
MPX__INLINE void mpx__fetch(const unsigned char *s, size_t bytes, int stream) {
    (void)s, (void)bytes, (void)stream;
}
MPX__FORCE_INLINE void mpx__store_past(void *p, mpx__vu v, int stream) {
    (void)stream;
    mpx__store32(p, v);
}
MPX__INLINE void mpx__fence(void) {}
#endif

#if MPX__HAS_FLOAT
/* All of a cast by one function, without a span in memory, for some pairs. What it leaves, from a
   block on that it does not take, goes the way of all others. */
MPX__LONG_WAY mpx_status mpx__cast_left(void *dst, const mpx__row *to, const void *src,
                                        const mpx__row *from, size_t n);
MPX__FORCE_INLINE void mpx__whole_span(mpx__span *span, void *dst, mpx_dtype to, const void *src,
                                       mpx_dtype from, size_t n, int stream) {
    span->d = (unsigned char *)dst;
    span->s = (const unsigned char *)src;
    span->n = n;
    span->to = mpx__row_of(to);
    span->from = mpx__row_of(from);
    span->saturate = span->unused = 0;
    span->packed = 1;
    span->stream = (uint8_t)stream;
}
#define MPX__SHORTCUT(name, target, source, rows) \
    MPX__NOINLINE mpx_status name(void *dst, const void *src, size_t n) { \
        mpx__span span; \
        size_t done; \
        mpx__whole_span(&span, dst, target, src, source, n, 0); \
        done = rows; \
        if (done == n) return MPX_OK; \
        return mpx__cast_left(span.d + done * (span.to->bits / 8u), span.to, \
                              span.s + done * (span.from->bits / 8u), span.from, n - done); \
    }

/* The same for integers, f32 and f64 to one another: of each pair, by the names of its dtypes.
   `rows` and `few` are expressions: how many elements of *span they have cast, whole blocks, those
   of `few` of `step` elements. What is left below these is the end of the last `step`, cast again,
   or goes the same way in a copy filled up with zeros: nothing else is called, any n will do.
   Streams, and modes that differ, have a function of their own, between enter and leave: so the row
   itself needs a few registers and no more. `past`: what is a stream there, `stream`, or 1 where
   nothing else comes. */
enum {
    MPX__SIZE_i8 = 1, MPX__SIZE_u8 = 1, MPX__SIZE_i16 = 2, MPX__SIZE_u16 = 2, MPX__SIZE_i32 = 4,
    MPX__SIZE_u32 = 4, MPX__SIZE_i64 = 8, MPX__SIZE_u64 = 8, MPX__SIZE_f32 = 4, MPX__SIZE_f64 = 8,
    MPX__TYPE_i8 = MPX_I8, MPX__TYPE_u8 = MPX_U8, MPX__TYPE_i16 = MPX_I16, MPX__TYPE_u16 = MPX_U16,
    MPX__TYPE_i32 = MPX_I32, MPX__TYPE_u32 = MPX_U32, MPX__TYPE_i64 = MPX_I64,
    MPX__TYPE_u64 = MPX_U64, MPX__TYPE_f32 = MPX_F32, MPX__TYPE_f64 = MPX_F64
};
enum { MPX__REST = 4 * MPX__LANES };
MPX__PRIVATE void mpx__rest_in(unsigned char *in, const unsigned char *s, size_t size) {
    size_t i;
    for (i = 0; i < MPX__REST * 8; i += 4 * MPX__LANES)
        mpx__store32(in + i, mpx__set(0));
    mpx__copy(in, s, size);
}
MPX__INLINE int mpx__are_apart(const void *a, size_t size_a, const void *b, size_t size_b) {
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x >= size_a : x - y >= size_b;
}
typedef size_t (*mpx__rows_fn)(const mpx__span *span);
typedef mpx_status (*mpx__rest_fn)(void *dst, const void *src, size_t n, size_t done);
MPX__FORCE_INLINE mpx_status mpx__cast_by_rows(void *dst, mpx_dtype to, const void *src,
                                               mpx_dtype from, size_t n, int stream,
                                               mpx__rows_fn rows, mpx__rest_fn rest) {
    mpx__span span;
    size_t done;
    mpx__whole_span(&span, dst, to, src, from, n, stream);
    done = rows(&span);
    return done == n ? MPX_OK : rest(dst, src, n, done);
}
MPX__FORCE_INLINE mpx_status mpx__rest_by_rows(void *dst, mpx_dtype to, const void *src,
                                               mpx_dtype from, size_t n, size_t done, size_t step,
                                               mpx__rows_fn few) {
    unsigned char in[MPX__REST * 8], out[MPX__REST * 8];
    const size_t to_size = mpx__row_of(to)->bits / 8u, from_size = mpx__row_of(from)->bits / 8u;
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    mpx__span span;
    while (done != n) {
        const size_t left = n - done;
        const int in_copy =
            left < step && (n < step || !mpx__are_apart(d, n * to_size, s, n * from_size));
        if (left < step && !in_copy) done = n - step;
        if (in_copy) mpx__rest_in(in, s + done * from_size, left * from_size);
        mpx__whole_span(&span, in_copy ? out : d + done * to_size, to,
                        in_copy ? in : s + done * from_size, from, left < step ? step : left, 0);
        done += few(&span);
        if (in_copy) {
            mpx__copy(d + (n - left) * to_size, out, left * to_size);
            done = n;
        }
    }
    return MPX_OK;
}
#define MPX__NUMBERS(from, to, name) mpx__##from##_to_##to##_##name
#define MPX__NUMBER_ROW_IN(from, to, rows, step, few, past, differ, enter, leave) \
    MPX__FORCE_INLINE size_t MPX__NUMBERS(from, to, blocks)(const mpx__span *span) { \
        return rows; \
    } \
    MPX__FORCE_INLINE size_t MPX__NUMBERS(from, to, steps)(const mpx__span *span) { \
        return few; \
    } \
    MPX__LONG_WAY mpx_status MPX__NUMBERS(from, to, rest)(void *dst, const void *src, size_t n, \
                                                          size_t done) { \
        return mpx__rest_by_rows(dst, MPX__TYPE_##to, src, MPX__TYPE_##from, n, done, step, \
                                 MPX__NUMBERS(from, to, steps)); \
    } \
    MPX__LONG_WAY mpx_status MPX__NUMBERS(from, to, within)(void *dst, const void *src, size_t n, \
                                                            int stream) { \
        mpx__env env = enter(); \
        mpx_status status = \
            mpx__cast_by_rows(dst, MPX__TYPE_##to, src, MPX__TYPE_##from, n, past, \
                              MPX__NUMBERS(from, to, blocks), MPX__NUMBERS(from, to, rest)); \
        leave(env); \
        (void)stream; \
        return status; \
    } \
    MPX__NOINLINE mpx_status MPX__NUMBERS(from, to, row)(void *dst, const void *src, size_t n, \
                                                         int stream) { \
        if ((MPX__HAS_STREAM && stream) || (differ)) \
            return MPX__NUMBERS(from, to, within)(dst, src, n, stream); \
        return mpx__cast_by_rows(dst, MPX__TYPE_##to, src, MPX__TYPE_##from, n, 0, \
                                 MPX__NUMBERS(from, to, blocks), MPX__NUMBERS(from, to, rest)); \
    }
#define MPX__NUMBER_ROW(from, to, rows) \
    MPX__NUMBER_ROW_IN(from, to, rows, MPX__REST, rows, 1, 0, mpx__no_env_enter, \
                       mpx__no_env_leave)
MPX__INLINE mpx__env mpx__no_env_enter(void) { return 0; }
MPX__INLINE void mpx__no_env_leave(mpx__env env) { (void)env; }
#else
MPX__INLINE size_t mpx__fast_rows(const mpx__span *span) {
    (void)span;
    return 0;
}
MPX__INLINE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    (void)span, (void)r;
    return 0;
}
#endif
/* Integers, f32 and f64 to one another. */
#if MPX__HAS_FLOAT
MPX__INLINE int mpx__has_integer(const mpx__span *span) {
    return span->to->kind != MPX_KIND_FLOAT || span->from->kind != MPX_KIND_FLOAT;
}
MPX__INLINE size_t mpx__number_row(const mpx__span *span);
#else
MPX__INLINE size_t mpx__number_row(const mpx__span *span) {
    (void)span;
    return 0;
}
#endif
#if !MPX__HAS_FLOAT || MPX__HAS_OWN_ROWS
MPX__INLINE size_t mpx__f64_to_tile(const mpx__span *span) {
    (void)span;
    return 0;
}
#endif
