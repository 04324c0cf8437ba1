/*==========================================================================*
 * MARK: pack - dtypes below a byte                                          *
 *   Codes of 2, 4 or 6 bits with one another, or in a byte each.            *
 *==========================================================================*/

#if MPX__HAS_FLOAT
MPX__FORCE_INLINE mpx__vu mpx__set16(int x) { return mpx__set((uint32_t)(x & 0xffff) * 0x10001u); }
MPX__FORCE_INLINE mpx__vu mpx__set8(int x) { return mpx__set((uint32_t)(x & 0xff) * 0x1010101u); }
#endif

/* ---- whole vectors --------------------------------------------------------------------------- */

/* Return the codes done, a multiple of four. */
#if MPX__HAS_JOIN
/* 4 * MPX__LANES codes of six bits are 3 * MPX__LANES bytes, at the start of a vector. It is stored
   whole where the n codes from here on have room for it, and loaded whole likewise. */
MPX__FORCE_INLINE void mpx__put_joined6(unsigned char *d, mpx__vu joined, size_t n) {
    unsigned char last[4 * MPX__LANES];
    if (n >= 6 * MPX__LANES) {
        mpx__store32(d, joined);
        return;
    }
    mpx__store32(last, joined);
    mpx__copy(d, last, 3 * MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__get_split6(const unsigned char *s, size_t n) {
    unsigned char last[4 * MPX__LANES];
    if (n >= 6 * MPX__LANES) return mpx__split6(mpx__load32(s));
    mpx__store32(last, mpx__set(0));
    mpx__copy(last, s, 3 * MPX__LANES);
    return mpx__split6(mpx__load32(last));
}
MPX__INLINE size_t mpx__join_rows(unsigned char *d, const unsigned char *codes, int bits,
                                  size_t n) {
    enum { step = 4 * MPX__LANES };
    const size_t all = n;
    for (; bits == 4 && n >= 2 * step; n -= 2 * step, d += step, codes += 2 * step)
        mpx__store32(d, mpx__join4(mpx__load32(codes), mpx__load32(codes + step)));
    for (; bits == 6 && n >= step; n -= step, d += 3 * MPX__LANES, codes += step)
        mpx__put_joined6(d, mpx__join6(mpx__load32(codes)), n);
    return all - n;
}
MPX__INLINE size_t mpx__split_rows(unsigned char *codes, const unsigned char *s, int bits,
                                   size_t n) {
    enum { step = 4 * MPX__LANES };
    const size_t all = n;
    for (; bits == 4 && n >= 2 * step; n -= 2 * step, s += step, codes += 2 * step) {
        mpx__vu low, high;
        mpx__split4(mpx__load32(s), &low, &high);
        mpx__store32(codes, low);
        mpx__store32(codes + step, high);
    }
    for (; bits == 6 && n >= step; n -= step, s += 3 * MPX__LANES, codes += step)
        mpx__store32(codes, mpx__get_split6(s, n));
    return all - n;
}
#else
MPX__INLINE size_t mpx__join_rows(unsigned char *d, const unsigned char *codes, int bits,
                                  size_t n) {
    (void)d, (void)codes, (void)bits, (void)n;
    return 0;
}
MPX__INLINE size_t mpx__split_rows(unsigned char *codes, const unsigned char *s, int bits,
                                   size_t n) {
    (void)codes, (void)s, (void)bits, (void)n;
    return 0;
}
#endif

/* ---- four codes at a time -------------------------------------------------------------------- */

/* Four codes of 2, 4 or 6 bits, with one another or in a byte each, the first one lowest:

     packed      ........ ........ ddddcccc bbbbaaaa
     half way    ........ ddddcccc ........ bbbbaaaa      moved by 16 - 2 * bits
     spread      ....dddd ....cccc ....bbbb ....aaaa      moved by  8 - bits        */
MPX__INLINE uint32_t mpx__spread_codes(uint32_t x, int bits) {
    uint32_t two = (1u << 2 * bits) - 1u, one = 0x00010001u * ((1u << bits) - 1u);
    x = (x & two) | (x & ~two) << (16 - 2 * bits);
    return (x & one) | (x & ~one) << (8 - bits);
}
MPX__INLINE uint32_t mpx__join_codes(uint32_t x, int bits) {
    x = (x & 0x00ff00ffu) | (x & 0xff00ff00u) >> (8 - bits);
    return (x & 0xffffu) | x >> 16 << 2 * bits;
}

MPX__INLINE uint32_t mpx__read_bytes(const unsigned char *s, size_t count) {
    uint32_t x = 0;
    while (count-- != 0)
        x = x << 8 | s[count];
    return x;
}
MPX__INLINE void mpx__write_bytes(unsigned char *d, uint32_t x, size_t count) {
    for (; count != 0; count--, x >>= 8)
        *d++ = (unsigned char)(x & 255u);
}

/* n codes of `bits` bits each, element 0 in the lowest bits of byte 0, to one code per byte. Four
   at a time are `bits` / 2 bytes. */
MPX__PRIVATE void mpx__unpack(unsigned char *codes, const void *src, int bits, size_t n) {
    const unsigned char *s = (const unsigned char *)src;
    size_t bytes = (size_t)bits / 2, done = mpx__split_rows(codes, s, bits, n);
    codes += done;
    s += done / 4 * bytes;
    n -= done;
    for (; n >= 4; n -= 4, s += bytes, codes += 4) {
        uint32_t x = mpx__spread_codes(mpx__read_bytes(s, bytes), bits);
        codes[0] = (unsigned char)(x & 255u);
        codes[1] = (unsigned char)(x >> 8 & 255u);
        codes[2] = (unsigned char)(x >> 16 & 255u);
        codes[3] = (unsigned char)(x >> 24);
        MPX__KEEP_LOOP(); /* else clang calls memset, for bits = 0 */
    }
    bytes = (n * (size_t)bits + 7) / 8;
    mpx__write_bytes(codes, mpx__spread_codes(mpx__read_bytes(s, bytes), bits), n);
}

/* And back; the unused bits of the last byte become zero. */
MPX__PRIVATE void mpx__pack(void *dst, const unsigned char *codes, int bits, size_t n) {
    unsigned char *d = (unsigned char *)dst;
    size_t bytes = (size_t)bits / 2, done = mpx__join_rows(d, codes, bits, n);
    codes += done;
    d += done / 4 * bytes;
    n -= done;
    for (; n >= 4; n -= 4, codes += 4, d += bytes) {
        uint32_t x = codes[0] | (uint32_t)codes[1] << 8 | (uint32_t)codes[2] << 16 |
                     (uint32_t)codes[3] << 24;
        mpx__write_bytes(d, mpx__join_codes(x, bits), bytes);
    }
    bytes = (n * (size_t)bits + 7) / 8;
    mpx__write_bytes(d, mpx__join_codes(mpx__read_bytes(codes, n), bits), bytes);
}
