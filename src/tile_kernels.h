/*==================================================================*
 * MARK: tile_kernels - a tile of a matrix product
 *   The sums of a tile, some rows by two vectors of columns, stay in registers while the kernel
 *   reads the two matrices. With six rows, two vectors of B and six numbers of A give twelve
 *   multiplications. B is packed in panels of two vectors a row. The sums are named variables,
 *   because gcc 12 would keep an array in memory.
 *==================================================================*/
#if MPX_COMPUTE

enum { MPX__TILE_COLUMNS = 2 * MPX__FLOATS };
#define MPX__SIX_ROWS(X, by) X(0, by) X(1, by) X(2, by) X(3, by) X(4, by) X(5, by)
#ifdef MPX__OWN_TILE_ROWS /* twelve, of an ISA with 32 registers */
enum { MPX__TILE_ROWS_HERE = 12 };
#define MPX__EACH_ROW(X, by) \
    MPX__SIX_ROWS(X, by) X(6, by) X(7, by) X(8, by) X(9, by) X(10, by) X(11, by)
#else
enum { MPX__TILE_ROWS_HERE = 6 };
#define MPX__EACH_ROW(X, by) MPX__SIX_ROWS(X, by)
#endif
#define MPX__TILE_CLEAR(r, by) mpx__vf c##r = mpx__fl_zero(), d##r = c##r;
#define MPX__TILE_LOAD(r, by) \
    c##r = mpx__fl_load(c + (r) * t->c_row); \
    d##r = mpx__fl_load(c + (r) * t->c_row + v);
#define MPX__TILE_A(r) (((r) < 3 ? a : (r) < 6 ? a3 : (r) < 9 ? a6 : a9) + (r) % 3 * row)
#define MPX__TILE_STEP(r, multiply_add) \
    x = mpx__fl_of_bits(mpx__read32(MPX__TILE_A(r))); \
    c##r = multiply_add(x, b0, c##r); \
    d##r = multiply_add(x, b1, d##r);
#define MPX__TILE_STORE(r, by) \
    mpx__fl_store(c + (r) * t->c_row, c##r); \
    mpx__fl_store(c + (r) * t->c_row + v, d##r);
#define MPX__TILE(name, multiply_add, noinline) \
    noinline void name(const mpx__tile *t) { \
        const size_t v = MPX__FLOATS * 4, row = t->a_row, step = t->a_step; \
        const unsigned char *a = t->a, *a3 = a + 3 * row, *a6 = a3 + 3 * row, *a9 = a6 + 3 * row; \
        const unsigned char *b = t->b; \
        unsigned char *c = t->c; \
        size_t k; \
        MPX__EACH_ROW(MPX__TILE_CLEAR, 0) \
        if (!t->first) { \
            MPX__EACH_ROW(MPX__TILE_LOAD, 0) \
        } \
        for (k = t->k; k != 0; k--, a += step, a3 += step, a6 += step, a9 += step, b += 2 * v) { \
            const mpx__vf b0 = mpx__fl_load(b), b1 = mpx__fl_load(b + v); \
            mpx__vf x; \
            MPX__EACH_ROW(MPX__TILE_STEP, multiply_add) \
        } \
        MPX__EACH_ROW(MPX__TILE_STORE, 0) \
    }
MPX__TILE(mpx__tile_here, mpx__fmul_add, MPX__NOINLINE)

MPX__NOINLINE void mpx__panels_here(unsigned char *d, size_t step, const unsigned char *s,
                                    size_t n) {
    const size_t v = MPX__FLOATS * 4;
    for (; n != 0; n -= MPX__TILE_COLUMNS, d += step, s += 2 * v) {
#if MPX__HAS_FLOAT
        const mpx__vu left = mpx__load32(s), right = mpx__load32(s + v);
        mpx__store32(d, left);
        mpx__store32(d + v, right);
#else
        mpx__copy(d, s, 2 * v);
#endif
    }
}

#ifdef MPX__OWN_BF16_DOT
MPX__TILE(mpx__tile_of_pairs, MPX__OWN_BF16_DOT, MPX__NOINLINE_PAIRS)
MPX__NOINLINE void mpx__join_pairs(unsigned char *d, size_t step, const unsigned char *s,
                                   const unsigned char *s2, size_t n) {
    size_t i;
    for (i = 0; i < n; i += MPX__TILE_COLUMNS, d += step) {
        mpx__vu low, high;
        mpx__pair16(mpx__to_pair_once(mpx__load32(s + i * 2)),
                    mpx__to_pair_once(mpx__load32(s2 + i * 2)), &low, &high);
        mpx__store32(d, low);
        mpx__store32(d + MPX__VECTOR, high);
    }
}
static const mpx__pairs mpx__pairs_here = { mpx__tile_of_pairs, mpx__join_pairs };
#define MPX__PAIRS &mpx__pairs_here
#else
#define MPX__PAIRS NULL
#endif
#ifndef MPX__OWN_TURN
#define MPX__OWN_TURN NULL
#endif
#undef MPX__SIX_ROWS
#undef MPX__EACH_ROW
#undef MPX__TILE_CLEAR
#undef MPX__TILE_LOAD
#undef MPX__TILE_A
#undef MPX__TILE_STEP
#undef MPX__TILE_STORE
#undef MPX__TILE

#endif /* MPX_COMPUTE */
