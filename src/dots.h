/*==================================================================*
 * MARK: dots - blocks that are multiplied and summed instead of stored
 *   The loaders of the casts load a block of weights into lanes, which are multiplied and added at
 *   once. So weights are read once, in as few bytes as their dtype has. One loop serves all dtypes.
 *==================================================================*/
#if MPX_COMPUTE

#if MPX__HAS_FLOAT
/* A loader for sums. seen: a bit is set if a code is Inf or NaN that the loader read as another
   number; then the exact codec sums the row again. k->by_sum: 2^n, for the sum. */
typedef void (*mpx__sum_load_fn)(mpx__vu v[4], const unsigned char *s, const mpx__constants *k,
                                 mpx__vu *seen);
#define MPX__SUM_LOADER(name) \
    MPX__FORCE_INLINE void name(mpx__vu v[4], const unsigned char *s, const mpx__constants *k, \
                                mpx__vu *seen MPX__UNUSED)
/* Weights are read from memory for the first time, and pages of narrow weights are short. So they
   are prefetched, also from the next pages, which processors do not do by themselves. */
MPX__FORCE_INLINE void mpx__dot_ahead(const unsigned char *s, size_t size) {
    mpx__prefetch(s);
    if (size > 64) mpx__prefetch(s + 64);
    if (size > 128) mpx__prefetch(s + 128);
    if (size > 192) mpx__prefetch(s + 192);
}
/* The scales of row r; those of a later row are prefetched. */
MPX__FORCE_INLINE const unsigned char *mpx__scales_of(const mpx__dots *a, size_t r) {
    size_t i;
    for (i = 0; i < a->later_size; i += 64)
        mpx__prefetch(a->later + r * a->later_step + i);
    return a->scales + r * a->scales_step;
}
/* A row is summed in four vectors, which do not wait for one another. */
typedef struct mpx__sums { mpx__vf a, b, c, d; } mpx__sums;
MPX__FORCE_INLINE void mpx__sums_add(mpx__sums *sum, const mpx__vu v[4], const unsigned char *x) {
    sum->a = mpx__fmul_add(mpx__vf_of_bits(v[0]), mpx__fl_load(x), sum->a);
    sum->b = mpx__fmul_add(mpx__vf_of_bits(v[1]), mpx__fl_load(x + MPX__VECTOR), sum->b);
    sum->c = mpx__fmul_add(mpx__vf_of_bits(v[2]), mpx__fl_load(x + 2 * MPX__VECTOR), sum->c);
    sum->d = mpx__fmul_add(mpx__vf_of_bits(v[3]), mpx__fl_load(x + 3 * MPX__VECTOR), sum->d);
}
/* Weights times the scales of elements i and on: a block of 64 lies in one group or two. */
MPX__FORCE_INLINE void mpx__scale4(mpx__vu v[4], const unsigned char *scales, size_t i, int shift) {
    const size_t second = MPX__BLOCK > 32 ? i + 32 : i;
    const mpx__vf by = mpx__fl_of_bits(mpx__read32(scales + (i >> shift) * 4)),
                  by2 = mpx__fl_of_bits(mpx__read32(scales + (second >> shift) * 4));
    v[0] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[0]), by));
    v[1] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[1]), by));
    v[2] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[2]), by2));
    v[3] = mpx__bits_of_vf(mpx__fmul(mpx__vf_of_bits(v[3]), by2));
}
/* Row r. Returns 0, and adds nothing, if a code was seen. */
MPX__FORCE_INLINE int mpx__dots_row(const mpx__dots *a, size_t r, size_t step,
                                    mpx__sum_load_fn load, int scaled, const mpx__constants *k) {
    const unsigned char *s = a->w + r * a->w_step, *scales = scaled ? mpx__scales_of(a, r) : NULL;
    mpx__sums sum;
    mpx__vu seen = mpx__set(0), v[4];
    const mpx__dot_x x = *a->part;
    size_t i;
    sum.a = sum.b = sum.c = sum.d = mpx__fl_zero();
    for (i = 0; i < x.n; i += MPX__BLOCK, s += step) {
        mpx__dot_ahead(s + a->ahead, step);
        load(v, s, k, &seen);
        if (scaled) mpx__scale4(v, scales, i, a->shift);
        mpx__sums_add(&sum, v, x.x + i * 4);
    }
    if (MPX__RARELY(mpx__any(seen))) return 0;
    a->y[r] += mpx__fl_sum(mpx__fl_add(mpx__fl_add(sum.a, sum.b), mpx__fl_add(sum.c, sum.d))) *
               mpx__float(k->by_sum);
    return 1;
}
#ifndef MPX__ROWS_IN_FOURS
#define MPX__ROWS_IN_FOURS 1
#endif
/* Four rows at a time, each in two sums: they share the loads of x. Each is of another quarter of
   the rows, because a processor fetches more from memory for four streams than for one. */
enum { MPX__FOURS_AHEAD = 2048 };
typedef struct mpx__row_sums {
    const unsigned char *s;
    mpx__vf a, b;
} mpx__row_sums;
MPX__FORCE_INLINE void mpx__row_sums_begin(mpx__row_sums *sum, const mpx__dots *a, size_t r) {
    sum->s = a->w + r * a->w_step;
    sum->a = sum->b = mpx__fl_zero();
}
MPX__FORCE_INLINE void mpx__row_sums_add(mpx__row_sums *sum, const unsigned char *x, size_t step,
                                         mpx__sum_load_fn load, const mpx__constants *k) {
    mpx__vu v[4], seen = mpx__set(0);
    mpx__dot_ahead(sum->s + MPX__FOURS_AHEAD, step);
    load(v, sum->s, k, &seen);
    sum->a = mpx__fmul_add(mpx__vf_of_bits(v[0]), mpx__fl_load(x), sum->a);
    sum->b = mpx__fmul_add(mpx__vf_of_bits(v[1]), mpx__fl_load(x + MPX__VECTOR), sum->b);
    sum->a = mpx__fmul_add(mpx__vf_of_bits(v[2]), mpx__fl_load(x + 2 * MPX__VECTOR), sum->a);
    sum->b = mpx__fmul_add(mpx__vf_of_bits(v[3]), mpx__fl_load(x + 3 * MPX__VECTOR), sum->b);
    sum->s += step;
}
MPX__FORCE_INLINE void mpx__row_sums_end(const mpx__row_sums *sum, float *y) {
    *y += mpx__fl_sum(mpx__fl_add(sum->a, sum->b));
}
/* The rows that come in fours, by a loader that sees no codes. Returns their number. */
MPX__FORCE_INLINE size_t mpx__dots_fours(const mpx__dots *a, size_t step, mpx__sum_load_fn load,
                                         const mpx__constants *k) {
    const size_t rows = MPX__ROWS_IN_FOURS ? a->rows / 4 : 0;
    mpx__row_sums one, two, three, four;
    size_t r, i;
    for (r = 0; r < rows; r++) {
        const unsigned char *x = a->part->x;
        mpx__row_sums_begin(&one, a, r);
        mpx__row_sums_begin(&two, a, r + rows);
        mpx__row_sums_begin(&three, a, r + 2 * rows);
        mpx__row_sums_begin(&four, a, r + 3 * rows);
        for (i = 0; i < a->part->n; i += MPX__BLOCK, x += MPX__BLOCK * 4) {
            mpx__row_sums_add(&one, x, step, load, k);
            mpx__row_sums_add(&two, x, step, load, k);
            mpx__row_sums_add(&three, x, step, load, k);
            mpx__row_sums_add(&four, x, step, load, k);
        }
        mpx__row_sums_end(&one, a->y + r);
        mpx__row_sums_end(&two, a->y + r + rows);
        mpx__row_sums_end(&three, a->y + r + 2 * rows);
        mpx__row_sums_end(&four, a->y + r + 3 * rows);
    }
    return 4 * rows;
}
/* Blocks by the exact codec. */
MPX__SUM_LOADER(mpx__sum_exactly) {
    unsigned char x[MPX__BLOCK * 4];
    mpx__job job;
    mpx__job_cast(&job, mpx__row_of(MPX_F32), k->row);
    mpx__exact_cast(x, s, MPX__BLOCK, 0, &job);
    mpx__load4_32(v, x, NULL);
}
MPX__INLINE void mpx__dots_set(mpx__constants *k, const mpx__row *row) {
    k->row = row;
    k->by_sum = 0x3f800000u;
}
MPX__COLD MPX__OF_PARTS void mpx__dots_exactly(const mpx__dots *a, size_t r) {
    const size_t step = MPX__BLOCK * a->row->bits / 8u;
    mpx__constants k;
    mpx__dots_set(&k, a->row);
    (void)mpx__dots_row(a, r, step, mpx__sum_exactly, a->scales_step != 0, &k);
}
#define MPX__DOTS(name, set, bits, load, scaled, fours) \
    MPX__OF_PARTS void name(const mpx__dots *a) { \
        mpx__constants k; \
        size_t r; \
        set(&k, a->row); \
        r = fours ? mpx__dots_fours(a, MPX__BLOCK * (bits) / 8, load, &k) : 0; \
        for (; r < a->rows; r++) \
            if (!mpx__dots_row(a, r, MPX__BLOCK * (bits) / 8, load, scaled, &k)) \
                mpx__dots_exactly(a, r); \
    }
/* A loader of the casts. */
#define MPX__AS_SUM_LOADER(name, load) MPX__SUM_LOADER(name) { load(v, s, k); }
MPX__AS_SUM_LOADER(mpx__sum_f32, mpx__load4_32)
MPX__DOTS(mpx__dots_f32, mpx__dots_set, 32, mpx__sum_f32, 0, 1)
#if MPX__HAS_BF16
MPX__AS_SUM_LOADER(mpx__sum_bf16, mpx__load4_bf16)
MPX__DOTS(mpx__dots_bf16, mpx__dots_set, 16, mpx__sum_bf16, 0, 1)
#endif
#if MPX__HAS_F16
MPX__AS_SUM_LOADER(mpx__sum_f16, mpx__load4_f16)
MPX__DOTS(mpx__dots_f16, mpx__dots_set, 16, mpx__sum_f16, 0, !MPX__F16_BY_SUMS)
#endif
#if MPX__HAS_SMALL
/* Floats of eight bits. */
MPX__INLINE void mpx__dots_f8_set(mpx__constants *k, const mpx__row *row) {
    mpx__job job;
    mpx__job_cast(&job, mpx__row_of(MPX_F32), row);
    mpx__dots_set(k, row);
#ifdef MPX__OWN_F16_OF_BYTES
    mpx__as_f16_set(k, &job);
    k->by_sum = (uint32_t)(127 + 15 - row->bias) << 23;
#else
    mpx__widen_set(k, &job);
#endif
}
MPX__SUM_LOADER(mpx__sum_f8) {
#ifdef MPX__OWN_F16_OF_BYTES
    const mpx__vu codes = mpx__load32(s);
    *seen = mpx__or(*seen, mpx__special_in(codes, &k->finite));
    mpx__f16_of_bytes(v, codes, 8 - k->drop, k->fields);
#else
    unsigned char x[MPX__BLOCK * 4];
    if (MPX__RARELY(!mpx__widen_block(x, mpx__load32(s), 0, 1, k, 0))) {
        *seen = v[0] = v[1] = v[2] = v[3] = mpx__set(1);
        return;
    }
    mpx__load4_32(v, x, NULL);
#endif
}
MPX__DOTS(mpx__dots_f8, mpx__dots_f8_set, 8, mpx__sum_f8, 0, 0)
MPX__DOTS(mpx__dots_f8_scaled, mpx__dots_f8_set, 8, mpx__sum_f8, 1, 0)
#endif
#if MPX__HAS_INT
/* Codes of 8 bits times x in 16, in integers: the products of 1536 elements fit four lanes of 32
   bits. Each scale serves 32 codes or more: a block, or half of one. */
#ifndef MPX__OWN_DOT_WORDS
MPX__FORCE_INLINE mpx__vu mpx__dot_words(mpx__vu a, mpx__vu b) { return mpx__dot16s(a, b); }
#endif
MPX__FORCE_INLINE mpx__vf mpx__scaled_sum(mpx__vu sum, const unsigned char *scale, mpx__vf to) {
    return mpx__fmul_add(mpx__vf_of_i32(sum), mpx__fl_of_bits(mpx__read32(scale)), to);
}
/* A block, at element i: its products are added to the integers *sum or, scaled, to *total. */
MPX__FORCE_INLINE void mpx__codes_block(const mpx__dots *a, const unsigned char *s,
                                        const unsigned char *x, const unsigned char *scales,
                                        size_t i, int scaled, mpx__vu *sum, mpx__vf *total) {
    mpx__vu w[2];
    mpx__dot_ahead(s + i + a->ahead, MPX__BLOCK);
    mpx__load_signed8to16(w, s + i);
    w[0] = mpx__dot_words(w[0], mpx__load32(x));
    w[1] = mpx__dot_words(w[1], mpx__load32(x + MPX__VECTOR));
    if (!scaled) {
        *sum = mpx__add(*sum, mpx__add(w[0], w[1]));
    } else if (MPX__BLOCK <= 32 || a->shift > 5) {
        *total = mpx__scaled_sum(mpx__add(w[0], w[1]), scales + (i >> a->shift) * 4, *total);
    } else {
        *total = mpx__scaled_sum(w[0], scales + (i >> a->shift) * 4, *total);
        *total = mpx__scaled_sum(w[1], scales + ((i + MPX__BLOCK / 2) >> a->shift) * 4, *total);
    }
}
/* Each row in two sums. */
MPX__FORCE_INLINE void mpx__codes_row(const mpx__dots *a, size_t r, int scaled) {
    const unsigned char *s = a->w + r * a->w_step, *scales = scaled ? mpx__scales_of(a, r) : NULL;
    size_t i = 0, k;
    for (k = 0; k < a->parts; k++) {
        const unsigned char *x = a->part[k].x;
        const size_t end = i + a->part[k].n;
        mpx__vu sum = mpx__set(0), sum2 = sum;
        mpx__vf total = mpx__fl_zero(), total2 = total;
        for (; i + 2 * MPX__BLOCK <= end; i += 2 * MPX__BLOCK, x += 4 * MPX__BLOCK) {
            mpx__codes_block(a, s, x, scales, i, scaled, &sum, &total);
            mpx__codes_block(a, s, x + 2 * MPX__BLOCK, scales, i + MPX__BLOCK, scaled, &sum2,
                             &total2);
        }
        if (i < end) mpx__codes_block(a, s, x, scales, i, scaled, &sum, &total);
        i = end;
        total = scaled ? mpx__fl_add(total, total2) : mpx__vf_of_i32(mpx__add(sum, sum2));
        a->y[r] += mpx__fl_sum(total) * a->part[k].step;
    }
}
#define MPX__CODE_DOTS(name, scaled) \
    MPX__OF_PARTS void name(const mpx__dots *a) { \
        size_t r; \
        for (r = 0; r < a->rows; r++) \
            mpx__codes_row(a, r, scaled); \
    }
MPX__CODE_DOTS(mpx__dots_i8, 0)
MPX__CODE_DOTS(mpx__dots_i8_scaled, 1)
/* x to 16 bits: nearest to x * by. */
MPX__FORCE_INLINE mpx__vu mpx__x_words(const unsigned char *x, mpx__vf by) {
    const mpx__vf a = mpx__fmul(mpx__fl_load(x), by),
                  b = mpx__fmul(mpx__fl_load(x + MPX__VECTOR), by);
    return mpx__packed_once(mpx__pack32s(mpx__i32_nearest_of_vf(a), mpx__i32_nearest_of_vf(b)));
}
/* Whether x of even codes of each vector comes first, then that of odd ones. */
MPX__FORCE_INLINE int mpx__is_apart(const mpx__unblock *how) {
    if (how == NULL) return 0;
#ifdef MPX__OWN_WORDS_APART
    if (how->bits == 4 && how->scheme != MPX_SCHEME_NVFP4) return 1;
#endif
    return how->scheme >= MPX_SCHEME_Q4_K && how->scheme <= MPX_SCHEME_Q6_K;
}
/* In Q4_K and Q5_K a vector of 64 codes has groups 0 and 2 of four, then 1 and 3. */
MPX__LOOP void mpx__x_to_words(unsigned char *d, const unsigned char *x, size_t n, float by,
                               const mpx__unblock *how) {
    const int apart = mpx__is_apart(how),
              crossed = MPX__BLOCK == 64 && apart && how->scheme != MPX_SCHEME_Q6_K;
    const size_t second = crossed ? 64 : MPX__BLOCK / 2;
    const mpx__vf factor = mpx__fl(by);
    size_t i;
    for (i = 0; i < n; i += MPX__BLOCK, d += MPX__BLOCK * 2) {
        const unsigned char *s = x + (crossed ? i - i % 128 / 2 : i) * 4;
        mpx__vu a = mpx__x_words(s, factor), b = mpx__x_words(s + second * 4, factor);
        if (apart) {
            const mpx__vu odd = mpx__packed_once(mpx__pack32s(mpx__sar(a, 16), mpx__sar(b, 16)));
            a = mpx__sar(mpx__shl(a, 16), 16);
            a = mpx__packed_once(mpx__pack32s(a, mpx__sar(mpx__shl(b, 16), 16)));
            b = odd;
        }
        mpx__store32(d, a);
        mpx__store32(d + MPX__VECTOR, b);
    }
}
#define MPX__X_TO_WORDS mpx__x_to_words
#endif
#else /* plain C: a lane at a time, four sums */
MPX__NOINLINE void mpx__dots_f32(const mpx__dots *a) {
    size_t r, i;
    for (r = 0; r < a->rows; r++) {
        const unsigned char *s = a->w + r * a->w_step, *x = a->part->x;
        float sum[4] = { 0, 0, 0, 0 };
        for (i = 0; i < a->part->n; i += 4, s += 16, x += 16) {
            sum[0] += mpx__fl_load(s) * mpx__fl_load(x);
            sum[1] += mpx__fl_load(s + 4) * mpx__fl_load(x + 4);
            sum[2] += mpx__fl_load(s + 8) * mpx__fl_load(x + 8);
            sum[3] += mpx__fl_load(s + 12) * mpx__fl_load(x + 12);
        }
        a->y[r] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
#endif

/* ---- blocks of 32 codes with a scale --------------------------- */

#if MPX__HAS_FLOAT && !MPX_NO_QUANT
MPX__FORCE_INLINE uint32_t mpx__e8m0_to_bits(uint32_t code, const mpx__unblock *how) {
    const uint32_t halved = how->halved, tiny = code == halved ? 0x400000u : 0x200000u,
                   u = code > halved ? (code - halved) << 23 : tiny;
    return code == (how->has_nan ? 255u : 256u) ? 0x7fc00000u : u;
}
/* f8e4m3fn: the f32 with the same fields, to be multiplied by 2^120; NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fields_of_e4m3fn(const unsigned char *s) {
    const mpx__vu code = mpx__load8(s), most = mpx__set(127), u = mpx__and(code, most);
    return mpx__select(mpx__eq(u, most), mpx__set(0x7fc00000u),
                       mpx__or(mpx__shl(u, 20), mpx__shl(mpx__sub(code, u), 24)));
}
MPX__LOOP void mpx__unblock_scales(unsigned char *d, const unsigned char *s, size_t n,
                                   const mpx__unblock *how) {
    const int is_nv = how != NULL && how->scheme == MPX_SCHEME_NVFP4;
    const size_t lanes = MPX__VECTOR / 4, last = n - lanes;
    const float half = how != NULL && how->halved ? 0.5f : 1;
    const mpx__vf by = mpx__fl(is_nv ? mpx__float(0x7b000000u) : half);
    size_t i;
    for (i = 0; n >= lanes && i < n; i += lanes) { /* the last two may overlap */
        const size_t at = i < last ? i : last;
        mpx__fl_store(d + at * 4,
                      how == NULL ? mpx__fdiv(by, mpx__fl_load(s + at * 4))
                      : is_nv ? mpx__fmul(mpx__vf_of_bits(mpx__fields_of_e4m3fn(s + at)), by)
                              : mpx__fmul(mpx__vf_of_bits(mpx__f32_of_e8m0(s + at)), by));
    }
    for (; i < n; i++) {
        mpx__write32(d + i * 4, how == NULL ? mpx__bits(1 / mpx__float(mpx__read32(s + i * 4)))
                                : is_nv     ? mpx__bits(mpx_f8e4m3fn_to_f32(s[i]) * 0.5f)
                                            : mpx__e8m0_to_bits(s[i], how));
        MPX__BARRIER(); /* gcc -ffast-math divides vectors by estimates: 1 / Inf is NaN */
    }
}
#if MPX__HAS_F16 && MPX__HAS_INT
/* Codes of a block as bytes: of 8 bits; of 4 bits by a table of sixteen bytes, first the lower
   halves of all bytes, then the upper ones; or one after the other in each byte. Then as words. */
#ifndef MPX__OWN_BLOCKS
typedef struct mpx__codes32 { mpx__vu low, high; } mpx__codes32;
MPX__FORCE_INLINE mpx__codes32 mpx__codes_bytes(const unsigned char *s, mpx__vu table) {
    mpx__codes32 c;
    (void)table;
    c.low = mpx__load32(s);
    c.high = mpx__load32(s + 16);
    return c;
}
MPX__FORCE_INLINE mpx__vu mpx__of_nibbles(mpx__vu codes, mpx__vu table) {
    codes = mpx__and(codes, mpx__set8(15));
#if MPX__HAS_LOOKUP
    return mpx__entries(table, codes);
#else
    return (void)table, mpx__add8(codes, mpx__set8(-8));
#endif
}
MPX__FORCE_INLINE mpx__codes32 mpx__codes_halves(const unsigned char *s, mpx__vu table) {
    const mpx__vu codes = mpx__load32(s);
    mpx__codes32 c;
    c.low = mpx__of_nibbles(codes, table);
    c.high = mpx__of_nibbles(mpx__shr(codes, 4), table);
    return c;
}
MPX__FORCE_INLINE mpx__codes32 mpx__codes_pairs(const unsigned char *s, mpx__vu table) {
    const mpx__codes32 c = mpx__codes_halves(s, table);
    mpx__codes32 pairs;
    mpx__pair8(c.low, c.high, &pairs.low, &pairs.high);
    return pairs;
}
MPX__FORCE_INLINE void mpx__words_of_codes(mpx__vu w[4], mpx__codes32 c) {
    mpx__signed8to16(w, c.low);
    mpx__signed8to16(w + 2, c.high);
}
MPX__FORCE_INLINE mpx__vf mpx__fl_of_f16(const unsigned char *s) {
    return mpx__fl_of_bits(mpx_f16_to_bits(mpx__read16(s)));
}
MPX__FORCE_INLINE void mpx__k_signed8(mpx__vu v[4], uint32_t a, uint32_t b, uint32_t c,
                                      uint32_t d) {
    unsigned char bytes[16];
    mpx__write32(bytes, a);
    mpx__write32(bytes + 4, b);
    mpx__write32(bytes + 8, c);
    mpx__write32(bytes + 12, d);
    mpx__load_signed8(v, bytes);
}
MPX__FORCE_INLINE mpx__vu mpx__k_high(const unsigned char *s) { return mpx__load32(s); }
MPX__FORCE_INLINE mpx__vf mpx__k_scales(const unsigned char *s, int six) {
    return (void)six, mpx__fl_of_bits(mpx__read32(s));
}
#endif
#ifndef MPX__OWN_WORDS_APART /* for codes of 4 bits, see mpx__is_apart */
MPX__FORCE_INLINE void mpx__words_apart(mpx__vu w[4], mpx__codes32 c) {
    mpx__words_of_codes(w, c);
}
#endif
/* Scales: f32, f16, or e8m0. */
MPX__FORCE_INLINE mpx__vf mpx__scale_f32(const unsigned char *s, const mpx__unblock *how) {
    return (void)how, mpx__fl_of_bits(mpx__read32(s));
}
MPX__FORCE_INLINE mpx__vf mpx__scale_f16(const unsigned char *s, const mpx__unblock *how) {
    return (void)how, mpx__fl_of_f16(s);
}
MPX__FORCE_INLINE mpx__vf mpx__scale_e8m0(const unsigned char *s, const mpx__unblock *how) {
    return mpx__fl_of_bits(mpx__e8m0_to_bits(*s, how));
}
typedef mpx__codes32 (*mpx__codes_fn32)(const unsigned char *s, mpx__vu table);
typedef mpx__vf (*mpx__scale_fn)(const unsigned char *s, const mpx__unblock *how);
/* Vector j of words: 16 for code i where bit i is 1. What is not 0 carries into the upper bit. */
#ifndef MPX__OWN_FIFTH
MPX__FORCE_INLINE mpx__vu mpx__fifth_of_words(uint32_t bits, int j) {
    static const uint32_t each[8] = { 0x20001,   0x80004,   0x200010,   0x800040,
                                      0x2000100, 0x8000400, 0x20001000, 0x80004000 };
    mpx__vu v = mpx__set16((int)(bits >> j * MPX__VECTOR / 2 & 0xffffu));
    v = mpx__add16(mpx__and(v, mpx__load32(each)), mpx__set16(0x7fff));
    return mpx__and(mpx__shr(v, 11), mpx__set16(16));
}
#endif
/* Where a row is read: codes, scales, zero points, x, from element i on. */
typedef struct mpx__place {
    const unsigned char *s, *scales, *zeros, *x;
    size_t i;
} mpx__place;
/* *total += codes minus their zero point, if any, times x in integers, times the scale. Bytes are
   sign-extended to words; unsigned codes then clear these bits. The fifth bits of codes are before
   them, a least value is beside the scale; such codes come with 8 less. */
MPX__FORCE_INLINE void mpx__blocks_one(mpx__vf *total, const mpx__dots *a, mpx__place *p,
                                       mpx__vu table, mpx__codes_fn32 load, mpx__scale_fn scale,
                                       int zero, int fifth, int least) {
    const uint32_t sign = a->how->sign;
    const size_t group = scale == mpx__scale_f32 ? p->i >> a->shift : 0;
    mpx__vu w[4], sum = mpx__set(0), x_sum = sum;
    int j;
    mpx__dot_ahead(p->s + a->ahead, 1);
    if (load == mpx__codes_bytes || fifth)
        mpx__words_of_codes(w, load(p->s, table));
    else
        mpx__words_apart(w, load(p->s, table));
    if (zero) {
        const uint32_t low = load == mpx__codes_bytes ? 255 : 15, /* bits of a zero point */
                       z = ((p->zeros[group * a->zero_step] & low) ^ sign) - sign;
        const mpx__vu bits = mpx__set16(sign != 0 ? -1 : 0xff), off = mpx__set16((int)z);
        for (j = 0; j < 64 / MPX__VECTOR; j++)
            w[j] = mpx__sub16(mpx__and(w[j], bits), off);
    }
    for (j = 0; j < 64 / MPX__VECTOR; j++) {
        const mpx__vu x_words = mpx__load32(p->x + j * MPX__VECTOR);
        if (fifth) w[j] = mpx__add16(w[j], mpx__fifth_of_words(mpx__read32(p->s - 4), j));
        if (fifth || least) w[j] = mpx__add16(w[j], mpx__set16(least ? 8 : -8));
        if (least) x_sum = mpx__add(x_sum, mpx__dot_words(x_words, mpx__set16(1)));
        sum = mpx__add(sum, mpx__dot_words(w[j], x_words));
    }
    if (least)
        *total = mpx__fmul_add(mpx__vf_of_i32(x_sum), mpx__fl_of_f16(p->scales + 2), *total);
    *total = mpx__fmul_add(mpx__vf_of_i32(sum), scale(p->scales + group * a->scale_step, a->how),
                           *total);
    if (scale != mpx__scale_f32) p->scales += a->scale_step; /* of each block */
    p->s += scale != mpx__scale_f32 ? a->code_step : load == mpx__codes_bytes ? 32 : 16;
    p->x += 64;
    p->i += 32;
}
/* Each row in two sums, to avoid waits. */
MPX__FORCE_INLINE void mpx__blocks_row(const mpx__dots *a, size_t r, mpx__vu table,
                                       mpx__codes_fn32 load, mpx__scale_fn scale, int zero,
                                       int fifth, int least) {
    mpx__place p;
    size_t k;
    p.s = a->w + r * a->w_step;
    p.scales = mpx__scales_of(a, r);
    p.zeros = zero ? a->zeros + r * a->zeros_step : NULL;
    p.i = 0;
    for (k = 0; k < a->parts; k++) {
        const size_t end = p.i + a->part[k].n;
        mpx__vf total = mpx__fl_zero(), total2 = total;
        p.x = a->part[k].x;
        while (p.i + 32 < end) {
            mpx__blocks_one(&total, a, &p, table, load, scale, zero, fifth, least);
            mpx__blocks_one(&total2, a, &p, table, load, scale, zero, fifth, least);
        }
        if (p.i < end) mpx__blocks_one(&total, a, &p, table, load, scale, zero, fifth, least);
        a->y[r] += mpx__fl_sum(mpx__fl_add(total, total2)) * a->part[k].step;
    }
}
#if MPX__HAS_LOOKUP
#define MPX__CODES_TABLE(how) mpx__table16((how)->table)
#else
#define MPX__CODES_TABLE(how) mpx__set(0)
#endif
#define MPX__BLOCK_DOTS(name, load, scale, zero, fifth, least) \
    MPX__OF_PARTS void name(const mpx__dots *a) { \
        const mpx__vu table = MPX__CODES_TABLE(a->how); \
        size_t r; \
        for (r = 0; r < a->rows; r++) \
            mpx__blocks_row(a, r, table, load, scale, zero, fifth, least); \
    }
MPX__BLOCK_DOTS(mpx__dots_q8_0, mpx__codes_bytes, mpx__scale_f16, 0, 0, 0)
MPX__BLOCK_DOTS(mpx__dots_q4_0, mpx__codes_halves, mpx__scale_f16, 0, 0, 0)
MPX__BLOCK_DOTS(mpx__dots_q4_1, mpx__codes_halves, mpx__scale_f16, 0, 0, 1)
MPX__BLOCK_DOTS(mpx__dots_q5_0, mpx__codes_halves, mpx__scale_f16, 0, 1, 0)
MPX__BLOCK_DOTS(mpx__dots_q5_1, mpx__codes_halves, mpx__scale_f16, 0, 1, 1)
#if MPX__HAS_LOOKUP
MPX__BLOCK_DOTS(mpx__dots_ggml_mxfp4, mpx__codes_halves, mpx__scale_e8m0, 0, 0, 0)
MPX__BLOCK_DOTS(mpx__dots_i4, mpx__codes_pairs, mpx__scale_f32, 0, 0, 0)
MPX__BLOCK_DOTS(mpx__dots_4_zero, mpx__codes_pairs, mpx__scale_f32, 1, 0, 0)
#endif
MPX__BLOCK_DOTS(mpx__dots_8_zero, mpx__codes_bytes, mpx__scale_f32, 1, 0, 0)
/* Half of the lanes of a vector of 64 bytes: v, elsewhere 0. */
MPX__FORCE_INLINE mpx__vu mpx__half_of(mpx__vu v, int upper) {
    static const uint32_t halves[24] = { 0, 0, 0, 0, 0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u,
                                         ~0u, ~0u, ~0u, ~0u, 0, 0, 0, 0, 0, 0, 0, 0 };
    return MPX__VECTOR == 64 ? mpx__and(v, mpx__load32(halves + (upper ? 0 : 8))) : v;
}
/* total + 32 codes * x * the scales of their halves. */
MPX__FORCE_INLINE mpx__vf mpx__codes32_sum(mpx__vf total, const mpx__vu w[4],
                                           const unsigned char *x, const unsigned char *scales) {
    const mpx__vu by = mpx__set(mpx__read32(scales)), by2 = mpx__set(mpx__read32(scales + 4)),
                  halves = mpx__or(mpx__half_of(by, 0), mpx__half_of(by2, 1)),
                  both = MPX__VECTOR == 64 ? halves : by;
    mpx__vu part[4];
    int j;
    for (j = 0; j < 64 / MPX__VECTOR; j++)
        part[j] = mpx__dot_words(w[j], mpx__load32(x + j * MPX__VECTOR));
    if (MPX__VECTOR == 16) {
        part[0] = mpx__add(part[0], part[1]);
        part[1] = mpx__add(part[2], part[3]);
    }
    if (MPX__VECTOR < 64)
        total = mpx__fmul_add(mpx__vf_of_i32(part[1]), mpx__vf_of_bits(by2), total);
    return mpx__fmul_add(mpx__vf_of_i32(part[0]), mpx__vf_of_bits(both), total);
}
#if MPX__HAS_LOOKUP
/* Groups of 16 with scales of f32. */
MPX__NOINLINE void mpx__dots_nvfp4(const mpx__dots *a) {
    const mpx__vu table = mpx__table16(a->how->table);
    size_t r, i, k;
    for (r = 0; r < a->rows; r++) {
        const unsigned char *s = a->w + r * a->w_step, *scales = mpx__scales_of(a, r);
        for (k = 0; k < a->parts; k++) {
            const mpx__dot_x x = a->part[k];
            mpx__vf total = mpx__fl_zero(), total2 = total, next;
            for (i = 0; i < x.n; i += 32, s += 16, scales += 8) {
                mpx__vu w[4];
                mpx__dot_ahead(s + a->ahead, 1);
                mpx__words_of_codes(w, mpx__codes_pairs(s, table));
                next = mpx__codes32_sum(total2, w, x.x + i * 2, scales);
                total2 = total;
                total = next;
            }
            a->y[r] += mpx__fl_sum(mpx__fl_add(total, total2)) * x.step;
        }
    }
}
#endif
/* Blocks of 256 codes of 4, 5 or 6 bits: Q4_K, Q5_K, Q6_K. Groups of 32, in Q6_K of 16, have small
   integers as scales. These, and then the minima of Q4_K and Q5_K, become sixteen bytes. */
MPX__FORCE_INLINE void mpx__k_numbers(mpx__vu v[4], const unsigned char *s, int six) {
    const uint32_t a = mpx__read32(s), b = mpx__read32(s + 4), c = mpx__read32(s + 8),
                   all = 0x3f3f3f3fu, low = 0x0f0f0f0fu, upper = 0x30303030u;
    mpx__k_signed8(v, six ? a : a & all, six ? b : (c & low) | (a >> 2 & upper), six ? c : b & all,
                   six ? mpx__read32(s + 12) : (c >> 4 & low) | (b >> 2 & upper));
}
MPX__FORCE_INLINE size_t mpx__k_bytes(int bits) { /* of a block */
    return bits == 6 ? 210 : bits == 5 ? 176 : 144;
}
/* A vector of bytes: the codes of their lower halves, then those of their upper ones, times x,
   times scales. The rest of the former is in `high` from bit 0 on, that of the latter from bit 1 on
   in Q5_K, from bit 4 on in Q6_K; there 32 is subtracted. */
MPX__FORCE_INLINE mpx__vf mpx__k_codes(mpx__vf total, const unsigned char *s, mpx__vu high,
                                       const unsigned char *x, const unsigned char *scales,
                                       int bits) {
    const int six = bits == 6;
    const mpx__vu codes = mpx__load32(s), low = mpx__set8(15), more = mpx__set8(six ? 48 : 16),
                  byte = mpx__set16(bits == 4 ? 15 : 255), less = mpx__set16(six ? 32 : 0);
    const size_t step = MPX__VECTOR == 64 ? 128 : 64;
    int upper;
    for (upper = 0; upper < 2; upper++) {
        mpx__vu v = upper ? mpx__shr(codes, 4) : codes, odd;
        if (bits != 4) {
            const mpx__vu rest = !upper ? mpx__shl(high, 4) : six ? high : mpx__shl(high, 3);
            v = mpx__or(mpx__and(v, low), mpx__and(rest, more));
        }
        odd = mpx__sub16(mpx__and(mpx__shr(v, 8), byte), less);
        v = mpx__sub16(mpx__and(v, byte), less);
        odd = mpx__dot_words(odd, mpx__load32(x + MPX__VECTOR));
        v = mpx__add(mpx__dot_words(v, mpx__load32(x)), odd);
        total = mpx__fmul_add(mpx__vf_of_i32(v), mpx__k_scales(scales, six), total);
        x += six ? 128 : step;
        scales += six ? 16 : 4;
    }
    return total;
}
/* The sum of x of group g. Vectors of 64 codes have two groups, each in half of the lanes. */
MPX__FORCE_INLINE float mpx__k_x_sum(const unsigned char *x, size_t g) {
    const size_t size = MPX__VECTOR == 64 ? 128 : 64;
    mpx__vu sum = mpx__set(0);
    size_t i;
    x += MPX__VECTOR == 64 ? (g - g % 4 + g % 2 * 2) * 64 : g * 64;
    for (i = 0; i < size; i += MPX__VECTOR)
        sum = mpx__add(sum, mpx__dot_words(mpx__load32(x + i), mpx__set16(1)));
    return mpx__fl_sum(mpx__vf_of_i32(mpx__half_of(sum, g % 4 >= 2)));
}
/* n weights from s on times x. x_sums: eight floats, then the sum of x of each group. */
MPX__FORCE_INLINE mpx__vf mpx__k_part(const mpx__dots *a, const unsigned char *s,
                                      const unsigned char *x, size_t n,
                                      const unsigned char *x_sums, int bits) {
    const int six = bits == 6;
    const size_t step = mpx__k_bytes(bits), chunk = MPX__VECTOR == 64 ? 64 : 32;
    unsigned char by[64];
    mpx__vf total = mpx__fl_zero(), less = total, part;
    mpx__vu v[4];
    size_t i, j, k;
    for (i = 0; i < n / 4; i += 64, s += step, x += 512) {
        const unsigned char *codes = s + (six ? 0 : step - 128);
        mpx__dot_ahead(s + a->ahead, step);
        mpx__k_numbers(v, s + (six ? 192 : 4), six);
        for (k = 0; k < 64 / MPX__VECTOR; k++) {
            part = mpx__vf_of_i32(v[k]);
            mpx__fl_store(by + k * MPX__VECTOR, part);
            if (six || (k + 1) * MPX__VECTOR <= 32) continue; /* numbers 8 and on are minima */
            v[k] = mpx__half_of(mpx__load32(x_sums + i / 2 + k * MPX__VECTOR), 1);
            part = mpx__fmul(part, mpx__vf_of_bits(v[k]));
            less = mpx__fmul_add(part, mpx__fl_of_f16(s + 2), less);
        }
        part = mpx__fl_zero();
        for (j = 0; j < 128; j += chunk) {
            const size_t at = six ? j / 64 * 128 + j % 64 : j * 2; /* the first code */
            const int first = six ? j % 64 == 0 : j == 0;
            for (k = 0; k < chunk; k += MPX__VECTOR) {
                mpx__vu *const high = &v[k / MPX__VECTOR];
                if (bits != 4)
                    *high = first ? mpx__k_high(s + (six ? 128 + j / 2 : 16) + k)
                                  : mpx__shr(*high, (int)chunk / 16);
                part = mpx__k_codes(part, codes + j + k, *high, x + (at + k) * 2,
                                    by + (six ? (at + k) / 4 : at / 8), bits);
            }
        }
        total = mpx__fmul_add(part, mpx__fl_of_f16(s + (six ? 208 : 0)), total);
    }
    return mpx__fl_sub(total, less);
}
MPX__FORCE_INLINE void mpx__k_row(const mpx__dots *a, size_t r, const unsigned char *x_sums,
                                  int bits) {
    const unsigned char *s = a->scales + r * a->w_step;
    size_t k;
    for (k = 0; k < a->parts; k++) {
        const mpx__dot_x x = a->part[k];
        a->y[r] += mpx__fl_sum(mpx__k_part(a, s, x.x, x.n, x_sums, bits)) * x.step;
        s += x.n / 256 * mpx__k_bytes(bits);
        x_sums += x.n / 8;
    }
}
MPX__FORCE_INLINE void mpx__k_x_sums(const mpx__dots *a, float *sums) {
    size_t i, k;
    for (k = 0; k < a->parts; k++)
        for (i = 0; i < a->part[k].n / 32; i++)
            *sums++ = mpx__k_x_sum(a->part[k].x, i);
}
#define MPX__K_DOTS(name, bits) \
    MPX__OF_PARTS void name(const mpx__dots *a) { \
        float x_sums[8 + MPX__PARTS * MPX__STRIP / 32]; \
        size_t r; \
        mpx__zero(x_sums, 32); \
        if ((bits) < 6) mpx__k_x_sums(a, x_sums + 8); \
        for (r = 0; r < a->rows; r++) \
            mpx__k_row(a, r, (const unsigned char *)x_sums, bits); \
    }
MPX__K_DOTS(mpx__dots_q4_k, 4)
MPX__K_DOTS(mpx__dots_q5_k, 5)
MPX__K_DOTS(mpx__dots_q6_k, 6)
#define MPX__LESS_8 { 248, 249, 250, 251, 252, 253, 254, 255, 0, 1, 2, 3, 4, 5, 6, 7 }
#define MPX__SIGNED_NIBBLES { 0, 1, 2, 3, 4, 5, 6, 7, 248, 249, 250, 251, 252, 253, 254, 255 }
static const mpx__unblock mpx__unblocks_here[] = {
    { mpx__dots_q8_0, MPX_SCHEME_Q8_0, 8, 0, 0, 0, 0, 0, { 0 } },
    { mpx__dots_q4_0, MPX_SCHEME_Q4_0, 4, 0, 0, 0, 0, 0, MPX__LESS_8 },
    { mpx__dots_q4_1, MPX_SCHEME_Q4_1, 4, 0, 0, 0, 0, 0, MPX__LESS_8 },
    { mpx__dots_q5_0, MPX_SCHEME_Q5_0, 5, 0, 0, 0, 0, 0, MPX__LESS_8 },
    { mpx__dots_q5_1, MPX_SCHEME_Q5_1, 5, 0, 0, 0, 0, 0, MPX__LESS_8 },
#if MPX__HAS_LOOKUP
    { mpx__dots_ggml_mxfp4, MPX_SCHEME_GGML_MXFP4, 4, 0, 1, 0, 0, 0, MPX__TWICE_E2M1 },
    { mpx__dots_i4, MPX_SCHEME_MX, 4, 0, 1, 1, 0, 0, MPX__TWICE_E2M1 },
    { mpx__dots_nvfp4, MPX_SCHEME_NVFP4, 4, 0, 0, 0, 0, 0, MPX__TWICE_E2M1 },
    { mpx__dots_i4, MPX_SCHEME_LINEAR, 4, MPX_I4, 0, 0, 0, 0, MPX__SIGNED_NIBBLES },
    { mpx__dots_4_zero, MPX_SCHEME_LINEAR, 4, MPX_I4, 0, 0, 1, 8, MPX__SIGNED_NIBBLES },
    { mpx__dots_4_zero, MPX_SCHEME_LINEAR, 4, MPX_U4, 0, 0, 1, 0,
      { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
#endif
    { mpx__dots_8_zero, MPX_SCHEME_LINEAR, 8, MPX_I8, 0, 0, 1, 128, { 0 } },
    { mpx__dots_8_zero, MPX_SCHEME_LINEAR, 8, MPX_U8, 0, 0, 1, 0, { 0 } },
    { mpx__dots_q4_k, MPX_SCHEME_Q4_K, 4, 0, 0, 0, 0, 0, { 0 } },
    { mpx__dots_q5_k, MPX_SCHEME_Q5_K, 5, 0, 0, 0, 0, 0, { 0 } },
    { mpx__dots_q6_k, MPX_SCHEME_Q6_K, 6, 0, 0, 0, 0, 0, { 0 } },
    { NULL, MPX_SCHEME_MX, 8, 0, 0, 1, 0, 0, { 0 } },
};
MPX__PRIVATE const mpx__unblock *mpx__find_unblock(int scheme, const mpx__row *element, int zero) {
    size_t i;
    for (i = 0; i < sizeof mpx__unblocks_here / sizeof mpx__unblocks_here[0]; i++) {
        const mpx__unblock *how = &mpx__unblocks_here[i];
        if (how->scheme != scheme || how->zero != zero) continue;
        if (scheme >= MPX_SCHEME_Q4_0 || how->type == element->type ||
            (how->type == 0 && how->bits == element->bits))
            return how;
    }
    return NULL;
}
#define MPX__UNBLOCKS mpx__find_unblock, mpx__unblock_scales
#else
#define MPX__UNBLOCKS NULL, mpx__unblock_scales
#endif
#else
#define MPX__UNBLOCKS NULL, NULL
#endif
#ifndef MPX__X_TO_WORDS
#define MPX__X_TO_WORDS NULL
#endif

/* The weights that are read as they are. Others are cast to f32 first, a tile at a time. */
MPX__PRIVATE mpx__dots_fn mpx__find_dots(int form, int scaled) {
    if (form == MPX__FORM_F32) return scaled ? NULL : mpx__dots_f32;
#if MPX__HAS_FLOAT
#if MPX__HAS_BF16
    if (form == MPX__FORM_BF16) return scaled ? NULL : mpx__dots_bf16;
#endif
#if MPX__HAS_F16
    if (form == MPX__FORM_F16) return scaled ? NULL : mpx__dots_f16;
#endif
#if MPX__HAS_INT
    if (form == MPX__FORM_I8) return scaled ? mpx__dots_i8_scaled : mpx__dots_i8;
#endif
#if MPX__HAS_SMALL
    if (form == MPX__FORM_E4M3FN || form == MPX__FORM_F8 || form == MPX__FORM_E5M2)
        return scaled ? mpx__dots_f8_scaled : mpx__dots_f8;
#endif
#endif
    return NULL;
}

#endif /* MPX_COMPUTE */
