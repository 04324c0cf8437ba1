/*==========================================================================*
 * MARK: loop - over a buffer                                                *
 *   Written once. Per dtype: codec.h. Per ISA: simd_*.h.                    *
 *==========================================================================*/

typedef mpx__vu (*mpx__dec_fn)(const void *p);
typedef void (*mpx__enc_fn)(void *p, mpx__vu u);

/* stage: copy size bytes (less than two vectors) and fill two vectors up with zeros. unstage: write
   the first size bytes of a result of `all` bytes. An ISA with masked loads and stores has its
   own. */
#ifndef MPX__HAS_STAGE
/* At most 16 bytes by one store: to load what several wrote takes some 6 ns more (Zen 3). 0, and
   nothing done, for more, and where no instruction makes a vector of two registers. */
#if defined(MPX__HAS_OF_BYTES) && !MPX__COMPACT
MPX__FORCE_INLINE int mpx__stage_few(void *in, const unsigned char *s, size_t size) {
    if (size > 16) return 0;
    mpx__store32(in, size < 8 ? mpx__of_bytes(mpx__read_few(s, size), 0)
                              : mpx__of_bytes(mpx__read64(s), mpx__read_few(s + 8, size - 8)));
    return 1;
}
#else
MPX__INLINE int mpx__stage_few(void *in, const unsigned char *s, size_t size) {
    return (void)in, (void)s, (void)size, 0;
}
#endif
MPX__FORCE_INLINE void mpx__stage(void *in, const void *src, size_t size) {
    mpx__store32((unsigned char *)in + MPX__LANES * 4, mpx__set(0));
    if (mpx__stage_few(in, (const unsigned char *)src, size)) return;
    mpx__store32(in, mpx__set(0));
    mpx__copy(in, src, size);
}
MPX__FORCE_INLINE void mpx__unstage(void *dst, const void *out, size_t size, size_t all) {
    (void)all;
    mpx__copy(dst, out, size);
}
#endif

/* dst[i] = enc(dec(src[i])), steps in bytes. Decoder and encoder are constants at every call and
   fold into the loop. The rest below a full vector goes through one on the stack, so that no byte
   beyond the buffers is touched. */
MPX__FORCE_INLINE void mpx__loop(void *dst, size_t dst_step, const void *src, size_t src_step,
                                 size_t n, mpx__dec_fn dec, mpx__enc_fn enc) {
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    const size_t dst_vector = MPX__LANES * dst_step, src_vector = MPX__LANES * src_step;
    for (; n >= MPX__LANES; n -= MPX__LANES, d += dst_vector, s += src_vector)
        enc(d, dec(s));
    if (MPX__LANES > 1 && n != 0) {
        unsigned char in[MPX__LANES * 8], out[MPX__LANES * 8]; /* of at most 64 bits each */
        mpx__stage(in, s, n * src_step);
        enc(out, dec(in));
        mpx__unstage(d, out, n * dst_step, dst_vector);
    }
}
