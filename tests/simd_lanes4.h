/*==================================================================*
 * MARK: simd_scalar - the vocabulary with four lanes, for tests only
 *   An ISA that exists nowhere: structs of four integers. Built in place of
 *   simd_scalar.h it shows that codecs, loops and tails are written for any
 *   number of lanes.
 *==================================================================*/
#define MPX__LANES 4
#define MPX__ISA_NAME "lanes4"
#define MPX__HAS_FLOAT 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_FMA 0
#define MPX__HAS_JOIN 0
#define MPX__F16_BY_SUMS 0

typedef struct mpx__vu {
    uint32_t lane[MPX__LANES];
} mpx__vu;

/* result.lane[i] = expression of a.lane[i], b.lane[i], for all i */
#define MPX__EACH(expression) \
    mpx__vu r; \
    int i; \
    for (i = 0; i < MPX__LANES; i++) r.lane[i] = (expression); \
    return r

MPX__INLINE mpx__vu mpx__load8(const void *p) { MPX__EACH(((const unsigned char *)p)[i]); }
MPX__INLINE mpx__vu mpx__load16(const void *p) {
    MPX__EACH(mpx__read16((const unsigned char *)p + 2 * i));
}
MPX__INLINE mpx__vu mpx__load32(const void *p) {
    MPX__EACH(mpx__read32((const unsigned char *)p + 4 * i));
}
MPX__INLINE void mpx__store16(void *p, mpx__vu v) {
    int i;
    for (i = 0; i < MPX__LANES; i++) mpx__write16((unsigned char *)p + 2 * i, (uint16_t)v.lane[i]);
}
MPX__INLINE void mpx__store32(void *p, mpx__vu v) {
    int i;
    for (i = 0; i < MPX__LANES; i++) mpx__write32((unsigned char *)p + 4 * i, v.lane[i]);
}

MPX__INLINE mpx__vu mpx__set(uint32_t x) { MPX__EACH(x); }
MPX__INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { MPX__EACH(a.lane[i] & b.lane[i]); }
MPX__INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { MPX__EACH(a.lane[i] | b.lane[i]); }
MPX__INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { MPX__EACH(a.lane[i] ^ b.lane[i]); }
MPX__INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { MPX__EACH(a.lane[i] + b.lane[i]); }
MPX__INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { MPX__EACH(a.lane[i] - b.lane[i]); }
MPX__INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { MPX__EACH(a.lane[i] * b.lane[i]); }
MPX__INLINE mpx__vu mpx__shl(mpx__vu a, int n) { MPX__EACH(a.lane[i] << n); }
MPX__INLINE mpx__vu mpx__shr(mpx__vu a, int n) { MPX__EACH(a.lane[i] >> n); }
MPX__INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { MPX__EACH(a.lane[i] << n.lane[i]); }
MPX__INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { MPX__EACH(a.lane[i] >> n.lane[i]); }
MPX__INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    MPX__EACH((a.lane[i] ^ 0x80000000u) > (b.lane[i] ^ 0x80000000u) ? 0xffffffffu : 0u);
}
MPX__INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    MPX__EACH(a.lane[i] == b.lane[i] ? 0xffffffffu : 0u);
}
MPX__INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) {
    MPX__EACH(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
MPX__INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) {
    MPX__EACH(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
MPX__INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    MPX__EACH((a.lane[i] & mask.lane[i]) | (b.lane[i] & ~mask.lane[i]));
}
MPX__INLINE int mpx__any(mpx__vu a) {
    return (a.lane[0] | a.lane[1] | a.lane[2] | a.lane[3]) != 0;
}

/* Bit by bit: not (float)x, which clang computes by adding and subtracting 2^23, so that zero becomes
   -0 where rounding is downward. */
MPX__INLINE uint32_t mpx__f32_of_lane(uint32_t x) {
    uint32_t exponent = 127u + 23u;
    if (x == 0) return 0;
    for (; x >> 23 == 0; x <<= 1) exponent--;
    return (x & 0x7fffffu) | exponent << 23;
}
MPX__INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) { MPX__EACH(mpx__f32_of_lane(a.lane[i])); }
MPX__INLINE uint32_t mpx__larger_lane(uint32_t a, uint32_t b) { return a > b ? a : b; }
MPX__INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    MPX__EACH(mpx__larger_lane(a.lane[i] & 0xffffu, b.lane[i] & 0xffffu) |
              mpx__larger_lane(a.lane[i] & 0xffff0000u, b.lane[i] & 0xffff0000u));
}
#undef MPX__EACH
