/*==================================================================*
 * MARK: pack - dtypes below a byte
 *   Codes of 2, 4 or 6 bits, packed, or one code in each byte.
 *==================================================================*/

#if MPX__HAS_PACKED

/* Four codes of 2, 4 or 6 bits, packed or in a byte each, the first one lowest:

     packed      ........ ........ ddddcccc bbbbaaaa
     half way    ........ ddddcccc ........ bbbbaaaa      moved by 16 - 2 * bits
     spread      ....dddd ....cccc ....bbbb ....aaaa      moved by  8 - bits        */
MPX__INLINE uint32_t mpx__spread_codes(uint32_t x, unsigned bits) {
    const uint32_t two = (1u << 2 * bits) - 1u, one = 0x00010001u * ((1u << bits) - 1u);
    x = (x & two) | (x & ~two) << (16 - 2 * bits);
    return (x & one) | (x & ~one) << (8 - bits);
}
MPX__INLINE uint32_t mpx__join_codes(uint32_t x, unsigned bits) {
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

/* n codes, element 0 in the lowest bits of byte 0. Four codes are `bits` / 2 bytes. */
MPX__PRIVATE void mpx__unpack(unsigned char *codes, const unsigned char *s, unsigned bits,
                              size_t n) {
    const size_t bytes = bits / 2;
#if !MPX__COMPACT
    const size_t done = mpx__engine_now()->unpack(codes, s, bits, n);
    codes += done;
    s += done / 4 * bytes;
    n -= done;
#endif
    for (; n >= 4; n -= 4, s += bytes, codes += 4) {
        mpx__write_bytes(codes, mpx__spread_codes(mpx__read_bytes(s, bytes), bits), 4);
        MPX__BARRIER(); /* else clang calls memset, for bits = 0 */
    }
    mpx__write_bytes(codes, mpx__spread_codes(mpx__read_bytes(s, (n * bits + 7) / 8), bits), n);
}
/* And back; the unused bits of the last byte become zero. */
MPX__PRIVATE void mpx__pack(unsigned char *d, const unsigned char *codes, unsigned bits, size_t n) {
    const size_t bytes = bits / 2;
#if !MPX__COMPACT
    const size_t done = mpx__engine_now()->pack(d, codes, bits, n);
    codes += done;
    d += done / 4 * bytes;
    n -= done;
#endif
    for (; n >= 4; n -= 4, codes += 4, d += bytes)
        mpx__write_bytes(d, mpx__join_codes(mpx__read_bytes(codes, 4), bits), bytes);
    mpx__write_bytes(d, mpx__join_codes(mpx__read_bytes(codes, n), bits), (n * bits + 7) / 8);
}
#endif
