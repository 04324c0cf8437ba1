/*==========================================================================*
 * MARK: fast - rows of their own                                            *
 *   Pairs for which a measurement shows that the shared loop is not enough. *
 *   An ISA without any has the one at the end of this room, which does      *
 *   nothing: the shared loop then does it all.                              *
 *==========================================================================*/

/* A cast of a span of elements, or what is left of it. A row takes whole blocks from the start and says how many elements
   that was; the rest, below a block, is left to the shared loop. */
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

#if MPX_ISA != MPX_ISA_AVX512
MPX__INLINE size_t mpx__fast_rows(const mpx__span *span) {
    (void)span;
    return 0;
}
#endif
