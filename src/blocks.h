/*==================================================================*
 * MARK: blocks - arithmetic with one number for each block
 *   For quant.h: arrays of f32 in which every `block` elements share a scale, their largest and
 *   least values, and rounding to integers. Plain C uses the exact codec, so the bits are the same.
 *==================================================================*/
#if !MPX_NO_QUANT

#if MPX__COMPACT /* one lane; simd_generic.h is not there */
MPX__INLINE uint32_t mpx__largest_lane(mpx__vu a) { return a; }
MPX__INLINE mpx__vu mpx__max_magnitude(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
#endif
/* Keys: integers in the order of floats, NaN at both ends; -0 is below 0. sign: 2^31, or all other
   bits, which reverses the order. Of _BELOW it is 2^31, which swaps the signs. */
MPX__INLINE mpx__vu mpx__sign_of_keys(int op) {
    return mpx__set(op == MPX__LARGER_ABOVE     ? 0
                    : op == MPX__LARGER_NOT_KEY ? 0x7fffffffu : 0x80000000u);
}
MPX__FORCE_INLINE mpx__vu mpx__larger(mpx__vu u, mpx__vu largest, int op, mpx__vu sign) {
    if (op == MPX__LARGER)
        return mpx__max_magnitude(mpx__and(u, mpx__set(0x7fffffffu)), largest);
    if (op == MPX__LARGER_ABOVE) {
        u = mpx__xor(u, sign);
        u = mpx__and(u, mpx__sub(mpx__shr(u, 31), mpx__set(1))); /* 0 if it has a sign */
        return mpx__max_magnitude(u, largest);
    }
    sign = mpx__xor(sign, mpx__shr(mpx__sub(mpx__set(0), mpx__shr(u, 31)), 1));
    return mpx__max(mpx__xor(u, sign), largest);
}

#if MPX__HAS_FLOAT
/* a / b without a division for each a: a * (1 / b) is off by one unit at most. What is left of a is
   exact where products are not rounded; with its share the quotient is rounded correctly.
   Source: P. Markstein, 1990. */
MPX__FORCE_INLINE mpx__vu mpx__quotient_of_codes(mpx__vu a, mpx__vu b) {
    const mpx__vf x = mpx__vf_of_bits(a), one = mpx__vf_of_bits(mpx__set(0x3f800000u)),
                  by = mpx__fquotient(one, mpx__vf_of_bits(b)), q = mpx__fproduct(x, by),
                  less = mpx__vf_of_bits(mpx__xor(b, mpx__set(0x80000000u)));
    return mpx__bits_of_vf(mpx__fmul_add(mpx__fmul_add(q, less, x), by, q));
}
MPX__FORCE_INLINE mpx__vu mpx__block_op(mpx__vu a, mpx__vu b, int op) {
    if (op == MPX__MULTIPLY)
        return mpx__bits_of_vf(mpx__fproduct(mpx__vf_of_bits(a), mpx__vf_of_bits(b)));
    if (op == MPX__DIVIDE)
        return mpx__bits_of_vf(mpx__fquotient(mpx__vf_of_bits(a), mpx__vf_of_bits(b)));
    if (op == MPX__DIVIDE_CODES) return mpx__quotient_of_codes(a, b);
    /* a product with 1 is exact: the sum is rounded once */
    return mpx__bits_of_vf(mpx__fmul_add(mpx__vf_of_bits(a), mpx__vf_of_bits(mpx__set(0x3f800000u)),
                                         mpx__vf_of_bits(b)));
}
#else
/* The fast path of mpx__f32_scaled, if all numbers are normal: the product or quotient in 27 or 28
   bits, of which the last is set if any below it was. */
MPX__FORCE_INLINE uint32_t mpx__scaled_soon(uint32_t a, uint32_t b, int divide) {
    const uint32_t e = a >> 23 & 0xffu, f = b >> 23 & 0xffu, n = (b & 0x7fffffu) | 0x800000u;
    const uint64_t m = (a & 0x7fffffu) | 0x800000u, all = divide ? m << 27 : m * n,
                   whole = divide ? all / n : all >> 20;
    uint32_t q = (uint32_t)whole | ((divide ? whole * n : whole << 20) != all),
             power = divide ? e - f + 127u : e + f - 126u;
    for (; q < 1u << 27; q <<= 1)
        power--;
    if (e - 1u >= 254u || f - 1u >= 254u || power - 1u >= 254u)
        return mpx__f32_scaled(a, b, divide);
    q = (q >> 4) + ((q & 15u) > 8u || (q & 31u) == 24u); /* to nearest, ties to even */
    return ((a ^ b) & 0x80000000u) | (((power - 1u) << 23) + q);
}
MPX__FORCE_INLINE mpx__vu mpx__block_op(mpx__vu a, mpx__vu b, int op) {
    unsigned char x[MPX__LANES * 4], y[MPX__LANES * 4];
    size_t i;
    mpx__store32(x, a);
    mpx__store32(y, b);
    for (i = 0; i < sizeof x; i += 4) {
        const uint32_t u = mpx__read32(x + i), v = mpx__read32(y + i);
        mpx__write32(x + i, op == MPX__ADD ? mpx__sum_of(u, v)
                                           : mpx__scaled_soon(u, v, op != MPX__MULTIPLY));
    }
    return mpx__load32(x);
}
#endif

/* ---- the loop over blocks -------------------------------------- */

/* Elements of a chunk: four vectors. A chunk is worked on with the numbers of its vectors: f, and
   z, where there are such. `vectors`: 4, or 1 at the end of an array. d: where the results go. */
enum { MPX__CHUNK = 4 * MPX__LANES };
typedef struct mpx__chunk {
    mpx__vu f[4], z[4];
    const mpx__coder *k;
#if MPX__HAS_FLOAT
    mpx__vu low, high, mask; /* of codes, in words */
    mpx__vu plus;            /* what is added to products before they are cut off */
    mpx__vu sign;            /* of keys; or the bits of plus that come from the product */
    const mpx__narrow *narrow;
    mpx__job *job;
#endif
} mpx__chunk;
typedef void (*mpx__chunk_fn)(unsigned char *d, const unsigned char *s, const mpx__chunk *c,
                              size_t vectors);

/* The numbers (f and z) of vector j, of the group whose numbers are `at` bytes from the first. block:
   0 (one for all), 1 or 16 * k. */
MPX__FORCE_INLINE void mpx__chunk_get(mpx__chunk *c, const unsigned char *by,
                                      const unsigned char *zero, size_t at, size_t j,
                                      size_t block) {
    if (block == 1) {
        c->f[j] = mpx__load32(by + at);
        c->z[j] = zero != NULL ? mpx__load32(zero + at) : mpx__set(0);
    } else {
        c->f[j] = mpx__set(mpx__read32(by + at));
        c->z[j] = zero != NULL ? mpx__set(mpx__read32(zero + at)) : mpx__set(0);
    }
}
/* Past n elements of a group, of which *used are done. This needs no division, which takes longer
   than the work on a vector. */
MPX__FORCE_INLINE void mpx__chunk_pass(size_t *at, size_t *used, size_t n, size_t block) {
    *used += n;
    if (block == 1) {
        *at += n * 4;
    } else if (*used == block) {
        *used = 0;
        *at += 4;
    }
}
/* n is a multiple of 16; d_size: bytes of a result. Chunks in one block, which are most, take its
   numbers once. */
MPX__FORCE_INLINE void mpx__chunks(unsigned char *d, size_t d_size, const unsigned char *s,
                                   const unsigned char *by, const unsigned char *zero, size_t n,
                                   size_t block, mpx__chunk *c, mpx__chunk_fn run) {
    const size_t few = block != 0 && MPX__CHUNK % block == 0 ? MPX__CHUNK / block : 0;
    size_t i = 0, j, end, at = 0, used = 0;
    while (block != 1 && (block == 0 || block % MPX__CHUNK == 0) && i + MPX__CHUNK <= n) {
        end = block == 0 || block > n - i ? (n - i) / MPX__CHUNK * MPX__CHUNK + i : i + block;
        mpx__chunk_get(c, by, zero, at, 0, block);
        c->f[1] = c->f[2] = c->f[3] = c->f[0];
        c->z[1] = c->z[2] = c->z[3] = c->z[0];
        mpx__chunk_pass(&at, &used, end - i, block);
        for (; i < end; i += MPX__CHUNK)
            run(d + i * d_size, s + i * 4, c, 4);
    }
    for (; i + MPX__CHUNK <= n; i += MPX__CHUNK) {
        MPX__UNROLL
        for (j = 0; j < 4; j++) {
            mpx__chunk_get(c, by, zero, at + j * few / 4 * 4, j, block);
            if (few == 0) mpx__chunk_pass(&at, &used, MPX__LANES, block);
        }
        at += few * 4;
        run(d + i * d_size, s + i * 4, c, 4);
    }
    for (; i < n; i += MPX__LANES) {
        mpx__chunk_get(c, by, zero, at, 0, block);
        mpx__chunk_pass(&at, &used, MPX__LANES, block);
        run(d + i * d_size, s + i * 4, c, 1);
    }
}

/* The largest of every `block` elements, a multiple of 16, of n. The last block may be shorter. */
MPX__FORCE_INLINE void mpx__largest_of(unsigned char *d, const unsigned char *s, size_t n,
                                       size_t block, int op, mpx__vu sign) {
    size_t i, j;
    for (i = 0; i < n; i += block, d += 4) {
        mpx__vu largest = mpx__set(0);
        if (block > n - i) block = n - i;
        for (j = 0; j + MPX__CHUNK <= block; j += MPX__CHUNK, s += MPX__CHUNK * 4) {
            mpx__vu a = mpx__larger(mpx__load32(s), largest, op, sign),
                    b = mpx__larger(mpx__load32(s + MPX__LANES * 4), mpx__set(0), op, sign);
            a = mpx__larger(mpx__load32(s + MPX__LANES * 8), a, op, sign);
            b = mpx__larger(mpx__load32(s + MPX__LANES * 12), b, op, sign);
            largest = mpx__max(a, b);
        }
        for (; j < block; j += MPX__LANES, s += MPX__LANES * 4)
            largest = mpx__larger(mpx__load32(s), largest, op, sign);
        mpx__write32(d, mpx__largest_lane(largest));
    }
}
MPX__NOINLINE void mpx__largest_here(unsigned char *d, const unsigned char *s, size_t n,
                                     size_t block, int op) {
    if (op == MPX__LARGER)
        mpx__largest_of(d, s, n, block, MPX__LARGER, mpx__set(0));
    else if (op >= MPX__LARGER_ABOVE)
        mpx__largest_of(d, s, n, block, MPX__LARGER_ABOVE, mpx__sign_of_keys(op));
    else
        mpx__largest_of(d, s, n, block, MPX__LARGER_KEY, mpx__sign_of_keys(op));
}

/* d[i] = a[i] op b[i / block]. d may be a or, for block 1, b. LARGER and its like: block is 1. */
#if MPX__HAS_FLOAT
MPX__FORCE_INLINE void mpx__arith_chunk(unsigned char *d, const unsigned char *s,
                                        const mpx__chunk *c, size_t vectors, int op) {
    mpx__vu v = mpx__set(0), a[4] = { v, v, v, v };
    size_t j;
    MPX__UNROLL
    for (j = 0; j < vectors; j++)
        a[j] = op >= MPX__LARGER
                   ? mpx__larger(mpx__load32(s + j * MPX__LANES * 4), c->f[j], op, c->sign)
                   : mpx__block_op(mpx__load32(s + j * MPX__LANES * 4), c->f[j], op);
    MPX__UNROLL
    for (j = 0; j < vectors; j++)
        mpx__store32(d + j * MPX__LANES * 4, a[j]);
}
/* A function of chunks that is another one with its last argument fixed. */
#define MPX__CHUNK_FN(name, of, how) \
    MPX__FORCE_INLINE void name(unsigned char *d, const unsigned char *s, const mpx__chunk *c, \
                                size_t vectors) { \
        of(d, s, c, vectors, how); \
    }
MPX__CHUNK_FN(mpx__multiply_chunk, mpx__arith_chunk, MPX__MULTIPLY)
MPX__CHUNK_FN(mpx__divide_chunk, mpx__arith_chunk, MPX__DIVIDE)
#if MPX__HAS_FMA
MPX__CHUNK_FN(mpx__divide_codes_chunk, mpx__arith_chunk, MPX__DIVIDE_CODES)
#endif
MPX__CHUNK_FN(mpx__add_chunk, mpx__arith_chunk, MPX__ADD)
MPX__CHUNK_FN(mpx__larger_chunk, mpx__arith_chunk, MPX__LARGER)
MPX__CHUNK_FN(mpx__larger_key_chunk, mpx__arith_chunk, MPX__LARGER_KEY)
MPX__OF_PARTS void mpx__arith_here(unsigned char *d, const unsigned char *a, const unsigned char *b,
                                   size_t n, size_t block, int op) {
    mpx__chunk c;
    c.sign = mpx__sign_of_keys(op);
    switch (op) {
    case MPX__MULTIPLY: mpx__chunks(d, 4, a, b, NULL, n, block, &c, mpx__multiply_chunk); break;
    case MPX__DIVIDE_CODES:
#if MPX__HAS_FMA
        mpx__chunks(d, 4, a, b, NULL, n, block, &c, mpx__divide_codes_chunk);
        break;
#endif
    case MPX__DIVIDE: mpx__chunks(d, 4, a, b, NULL, n, block, &c, mpx__divide_chunk); break;
    case MPX__ADD: mpx__chunks(d, 4, a, b, NULL, n, block, &c, mpx__add_chunk); break;
    case MPX__LARGER: mpx__chunks(d, 4, a, b, NULL, n, 1, &c, mpx__larger_chunk); break;
    default: mpx__chunks(d, 4, a, b, NULL, n, 1, &c, mpx__larger_key_chunk); break;
    }
}
#else
MPX__NOINLINE void mpx__arith_here(unsigned char *d, const unsigned char *a, const unsigned char *b,
                                   size_t n, size_t block, int op) {
    size_t i, at = 0, used = 0;
    for (i = 0; i < n; i += MPX__LANES) {
        const mpx__vu u = mpx__load32(a + i * 4),
                      v = block == 1 ? mpx__load32(b + at) : mpx__set(mpx__read32(b + at));
        mpx__chunk_pass(&at, &used, MPX__LANES, block);
        mpx__store32(d + i * 4, op >= MPX__LARGER ? mpx__larger(u, v, op, mpx__sign_of_keys(op))
                                                  : mpx__block_op(u, v, op));
    }
}
#endif

/* A magnitude of f32, at most 2^23, to an integer. */
#if MPX__HAS_FLOAT
/* Ties away from zero: 0x3effffff, the largest number below a half, is added, and the sum is cut
   off. With a half itself, that number would become 1. */
MPX__FORCE_INLINE mpx__vu mpx__whole_of(mpx__vu a, int how) {
    const mpx__vf x = mpx__vf_of_bits(a);
    if (how == MPX__TO_EVEN) return mpx__i32_nearest_of_vf(x);
    if (how == MPX__CUT) return mpx__i32_of_vf(x);
    return mpx__i32_of_vf(mpx__vf_of_bits(mpx__block_op(a, mpx__set(0x3effffffu), MPX__ADD)));
}
#else /* 2^23 + m, times 2^(e - 150) */
MPX__FORCE_INLINE mpx__vu mpx__whole_of(mpx__vu a, int how) {
    const mpx__vu exponent = mpx__shr(a, 23), most = mpx__set(31);
    mpx__vu drop = mpx__min(mpx__sub(mpx__set(150), mpx__min(exponent, mpx__set(150))), most),
            sig = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u)),
            whole = mpx__shrv(sig, drop), twice, rest, up;
    if (how == MPX__CUT) return whole;
    twice = mpx__shrv(mpx__shl(sig, 1), drop);
    up = mpx__and(twice, mpx__set(1)); /* a half or more */
    if (how == MPX__TO_EVEN) { /* a tie, and even: not up */
        rest = mpx__sub(mpx__shl(sig, 1), mpx__shlv(twice, drop));
        rest = mpx__and(mpx__eq(rest, mpx__set(0)), mpx__eq(mpx__and(whole, mpx__set(1)),
                                                          mpx__set(0)));
        up = mpx__select(rest, mpx__set(0), up);
    }
    return mpx__add(whole, mpx__select(mpx__eq(drop, most), mpx__set(0), up));
}
#endif

/* Codes of a byte: s[i] * by[i / block], rounded (for CUT: after k->plus was added), plus
   zero[i / block], at least low and at most high; NaN counts as 0. zero: integers of 32 bits, NULL:
   none. n, block: as above. */
MPX__FORCE_INLINE mpx__vu mpx__code_of(mpx__vu u, mpx__vu by, mpx__vu zero,
                                       const mpx__coder *k) {
    const mpx__vu inf = mpx__set(0x7f800000u), most = mpx__set(0x4b000000u), /* 2^23 */
                  low = mpx__set((uint32_t)k->low), high = mpx__set((uint32_t)k->high);
    mpx__vu a, sign, nan;
    u = mpx__block_op(u, by, MPX__MULTIPLY);
    if (k->how == MPX__CUT) u = mpx__block_op(u, mpx__set(k->plus), MPX__ADD);
    a = mpx__and(u, mpx__set(0x7fffffffu));
    nan = mpx__gt_signed(a, inf);
    sign = mpx__sub(mpx__set(0), mpx__shr(u, 31));
    a = mpx__min(mpx__select(nan, mpx__set(0), a), most);
    a = k->how == MPX__TO_EVEN ? mpx__whole_of(a, MPX__TO_EVEN)
        : k->how == MPX__AWAY ? mpx__whole_of(a, MPX__AWAY) : mpx__whole_of(a, MPX__CUT);
    a = mpx__add(mpx__sub(mpx__xor(a, sign), sign), zero);
    a = mpx__select(mpx__gt_signed(low, a), low, a);
    a = mpx__select(mpx__gt_signed(a, high), high, a);
    return mpx__and(a, mpx__set(k->mask));
}
MPX__NOINLINE void mpx__codes_slowly(unsigned char *d, const unsigned char *s,
                                     const mpx__chunk *c, size_t vectors) {
    unsigned char lanes[MPX__LANES * 4];
    size_t i, j;
    for (j = 0; j < vectors; j++) {
        mpx__store32(lanes, mpx__code_of(mpx__load32(s + j * sizeof lanes), c->f[j], c->z[j],
                                          c->k));
        for (i = 0; i < MPX__LANES; i++)
            *d++ = (unsigned char)(mpx__read32(lanes + i * 4) & 255u);
    }
}
#if MPX__HAS_FLOAT
/* Conversion to an integer gives -2^31 if there is no such integer, or saturates. Both give -2^15
   when packed, or less than any code. Such chunks take the slow path. Before a product is cut off,
   c->plus is added, with the product's own bits where c->sign has ones. */
MPX__FORCE_INLINE mpx__vu mpx__quick_code(mpx__vu u, mpx__vu by, const mpx__chunk *c, int how) {
    u = mpx__block_op(u, by, MPX__MULTIPLY);
    if (how == MPX__TO_EVEN) return mpx__i32_nearest_of_vf(mpx__vf_of_bits(u));
    u = mpx__block_op(u, mpx__or(c->plus, mpx__and(u, c->sign)), MPX__ADD);
    return mpx__i32_of_vf(mpx__vf_of_bits(u));
}
MPX__FORCE_INLINE void mpx__codes_chunk(unsigned char *d, const unsigned char *s,
                                        const mpx__chunk *c, size_t vectors, int how) {
    mpx__vu v[4], a, b;
    size_t j;
    if (vectors != 4) {
        mpx__codes_slowly(d, s, c, vectors);
        return;
    }
    MPX__UNROLL
    for (j = 0; j < 4; j++)
        v[j] = mpx__quick_code(mpx__load32(s + j * MPX__LANES * 4), c->f[j], c, how);
    a = mpx__sum16s(mpx__pack32s(v[0], v[1]), mpx__pack32s(c->z[0], c->z[1]));
    b = mpx__sum16s(mpx__pack32s(v[2], v[3]), mpx__pack32s(c->z[2], c->z[3]));
    if (MPX__RARELY(mpx__any_gt16s(mpx__set16(-0x4000), mpx__min16s(a, b)))) {
        mpx__codes_slowly(d, s, c, 4);
        return;
    }
    a = mpx__and(mpx__min16s(mpx__max16s(a, c->low), c->high), c->mask);
    b = mpx__and(mpx__min16s(mpx__max16s(b, c->low), c->high), c->mask);
    mpx__store32(d, mpx__packed_twice(mpx__pack16(a, b)));
}
MPX__CHUNK_FN(mpx__even_chunk, mpx__codes_chunk, MPX__TO_EVEN)
MPX__CHUNK_FN(mpx__cut_chunk, mpx__codes_chunk, MPX__CUT)
#endif
MPX__OF_PARTS void mpx__codes_here(unsigned char *d, const unsigned char *s,
                                   const unsigned char *by, const unsigned char *zero, size_t n,
                                   size_t block, const mpx__coder *k) {
    mpx__chunk c;
    c.k = k;
#if MPX__HAS_FLOAT
    c.low = mpx__set16(k->low);
    c.high = mpx__set16(k->high);
    c.mask = mpx__set16((int)k->mask);
    c.plus = mpx__set(k->how == MPX__AWAY ? 0x3effffffu : k->how == MPX__CUT ? k->plus : 0);
    c.sign = mpx__set(k->how == MPX__AWAY ? 0x80000000u : 0); /* that of the sum is that of x */
    if (k->how == MPX__TO_EVEN)
        mpx__chunks(d, 1, s, by, zero, n, block, &c, mpx__even_chunk);
    else
        mpx__chunks(d, 1, s, by, zero, n, block, &c, mpx__cut_chunk);
#else
    mpx__chunks(d, 1, s, by, zero, n, block, &c, mpx__codes_slowly);
#endif
}

/* Values of codes: see mpx__values_fn. */
#if MPX__HAS_FLOAT
MPX__FORCE_INLINE mpx__vu mpx__f32_of_codes(const unsigned char *s) {
    return mpx__bits_of_vf(mpx__vf_of_i32(mpx__load_signed_bytes(s)));
}
#else
MPX__INLINE mpx__vu mpx__f32_of_codes(const unsigned char *s) {
    unsigned char x[MPX__LANES * 4];
    size_t i;
    for (i = 0; i < MPX__LANES; i++)
        mpx__write32(x + i * 4, mpx__f32_of_int((int32_t)(s[i] ^ 128u) - 128));
    return mpx__load32(x);
}
#endif
MPX__FORCE_INLINE void mpx__values_of(unsigned char *d, const unsigned char *codes, size_t step,
                                      const unsigned char *by, const unsigned char *plus,
                                      size_t groups, size_t group) {
    size_t g, j;
    for (g = 0; g < groups * 4; g += 4, codes += step) {
        const mpx__vu f = mpx__set(mpx__read32(by + g)),
                      least = mpx__set(plus != NULL ? mpx__read32(plus + g) : 0);
        for (j = 0; j < group; j += MPX__LANES, d += MPX__LANES * 4) {
            mpx__vu v = mpx__block_op(mpx__f32_of_codes(codes + j), f, MPX__MULTIPLY);
            if (plus != NULL) v = mpx__block_op(v, least, MPX__ADD);
            mpx__store32(d, v);
        }
    }
}
MPX__LOOP void mpx__values_here(unsigned char *d, const unsigned char *codes, size_t step,
                                const unsigned char *by, const unsigned char *plus, size_t groups,
                                size_t group) {
    if (plus != NULL)
        mpx__values_of(d, codes, step, by, plus, groups, 32);
    else if (group != 32)
        mpx__values_of(d, codes, step, by, NULL, groups, 16);
    else
        mpx__values_of(d, codes, step, by, NULL, groups, 32);
}

/* s[i] * by[i / block] to codes of a small float, one in a byte, as the job says: it saturates.
   What the lanes do not take is left to the exact codec. */
#if MPX__HAS_FLOAT && MPX__HAS_SMALL
MPX__FORCE_INLINE void mpx__small_chunk(unsigned char *d, const unsigned char *s,
                                        const mpx__chunk *c, size_t vectors) {
    unsigned char products[MPX__CHUNK * 4];
    mpx__vu v[4];
    size_t j;
    MPX__UNROLL
    for (j = 0; j < vectors; j++)
        v[j] = mpx__block_op(mpx__load32(s + j * MPX__LANES * 4), c->f[j], MPX__MULTIPLY);
    if (vectors == 4 && mpx__narrow_block(d, v, 0, c->narrow, 0)) return;
    for (j = 0; j < vectors; j++)
        mpx__store32(products + j * MPX__LANES * 4, v[j]);
    mpx__exact_cast(d, products, vectors * MPX__LANES, 0, c->job);
}
MPX__FLAT MPX__LOOP void mpx__smalls_here(unsigned char *d, const unsigned char *s,
                                          const unsigned char *by, size_t n, size_t block,
                                          mpx__job *job) {
    mpx__constants k;
    mpx__chunk c;
    mpx__narrow_set(&k, job);
    c.narrow = &k.narrow;
    c.job = job;
    mpx__chunks(d, 1, s, by, NULL, n, block, &c, mpx__small_chunk);
}
#define MPX__SMALLS mpx__smalls_here
#else
#define MPX__SMALLS NULL
#endif
#endif /* !MPX_NO_QUANT */
