/*==========================================================================*
 * MARK: fast - rows of their own                                            *
 *   Pairs for which a measurement shows that the shared loop is not enough. *
 *   An ISA without any has those at the end of this room, which do nothing: *
 *   the shared loop then does it all.                                       *
 *==========================================================================*/

typedef void (*mpx__kernel)(void *dst, const void *src, size_t n);

/* Below so many elements kernels take less time than the way to a row of its own. An ISA may say
   more where one kernel does it all: f32 to other floats, and twice that for what becomes f32. */
enum { MPX__FEW = MPX__LANES < 8 ? 16 : 64 };
#ifndef MPX__FEW_BY_KERNEL
#define MPX__FEW_BY_KERNEL MPX__FEW
#endif

/* A cast of a span of elements, or what is left of it. A row takes whole blocks from the start and
   says how many elements that was; the rest, below a block, is left to the shared loop. */
typedef struct mpx__span {
    unsigned char *d;
    const unsigned char *s;
    size_t n;
    mpx_dtype to, from;
    int to_bits, from_bits; /* of storage */
    int saturate;
    int packed; /* dtypes below a byte are packed; else each code has a byte */
    int stream; /* write past the caches: d is a multiple of 64 bytes then */
} mpx__span;

/* Elements up to the next multiple of 64 bytes of an array of `bits` bits each; more than there can
   be if an element lies across it. */
MPX__PRIVATE size_t mpx__until_aligned(const void *dst, int bits) {
    size_t bytes = (size_t)(0u - (uintptr_t)dst) & 63u;
    return bytes * 8 % (size_t)bits == 0 ? bytes * 8 / (size_t)bits : (size_t)-1;
}

/* Sets a span up. Large arrays go past the caches, aligned: returns how many elements stand before
   that alignment, to be cast before the rows begin. */
MPX__FORCE_INLINE size_t mpx__span_set(mpx__span *span, void *dst, mpx_dtype to, const void *src,
                                 mpx_dtype from, size_t n, int saturate, int packed) {
    size_t large = MPX__HAS_STREAM ? MPX_STREAM_BYTES : 0, head = 0;
    span->d = (unsigned char *)dst;
    span->s = (const unsigned char *)src;
    span->n = n;
    span->to = to;
    span->from = from;
    span->to_bits = mpx_dtype_bits(to);
    span->from_bits = mpx_dtype_bits(from);
    if (!packed && span->to_bits < 8) span->to_bits = 8;
    if (!packed && span->from_bits < 8) span->from_bits = 8;
    span->saturate = saturate;
    span->packed = packed;
    span->stream = 0;
    if (large != 0 && n / 8 * (size_t)(span->to_bits + span->from_bits) >= large) {
        head = mpx__until_aligned(dst, span->to_bits);
        span->stream = head < n && head * (size_t)span->from_bits % 8 == 0;
    }
    return span->stream ? head : 0;
}

MPX__FORCE_INLINE void mpx__span_advance(mpx__span *span, size_t done) {
    span->d += done / 8 * (size_t)span->to_bits + done % 8 * (size_t)span->to_bits / 8;
    span->s += done / 8 * (size_t)span->from_bits + done % 8 * (size_t)span->from_bits / 8;
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

#if !MPX__HAS_FLOAT
MPX__INLINE size_t mpx__fast_rows(const mpx__span *span) {
    (void)span;
    return 0;
}
MPX__INLINE size_t mpx__dither_rows(const mpx__span *span, const mpx__rounder *r) {
    (void)span, (void)r;
    return 0;
}
#endif
#if !MPX__HAS_FLOAT || MPX__HAS_OWN_ROWS
MPX__INLINE size_t mpx__f64_to_tile(const mpx__span *span) {
    (void)span;
    return 0;
}
#endif
