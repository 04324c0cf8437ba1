/*==================================================================*
 * MARK: packing - codes of four and six bits by vectors
 *==================================================================*/
#if !MPX__COMPACT && MPX__HAS_PACKED

/* Return how many codes are done, from the start: none if there are no functions for it. */
MPX__PRIVATE size_t mpx__unpack_vectors(unsigned char *codes, const unsigned char *s, unsigned bits,
                                        size_t n) {
    const size_t all = n;
#if MPX__HAS_JOIN
    for (; bits == 4 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store32(codes, mpx__load_split4(s));
        s += MPX__BLOCK / 2;
        codes += MPX__BLOCK;
    }
    for (; bits == 6 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store32(codes, mpx__load_split6(s));
        s += MPX__BLOCK / 4 * 3;
        codes += MPX__BLOCK;
    }
#endif
    return (void)codes, (void)s, (void)bits, all - n;
}
MPX__PRIVATE size_t mpx__pack_vectors(unsigned char *d, const unsigned char *codes, unsigned bits,
                                      size_t n) {
    const size_t all = n;
#if MPX__HAS_JOIN
    for (; bits == 4 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store_joined4(d, mpx__load32(codes));
        d += MPX__BLOCK / 2;
        codes += MPX__BLOCK;
    }
    for (; bits == 6 && n >= MPX__BLOCK; n -= MPX__BLOCK) {
        mpx__store_joined6(d, mpx__load32(codes));
        d += MPX__BLOCK / 4 * 3;
        codes += MPX__BLOCK;
    }
#endif
    return (void)d, (void)codes, (void)bits, all - n;
}

#endif /* !MPX__COMPACT && MPX__HAS_PACKED */
