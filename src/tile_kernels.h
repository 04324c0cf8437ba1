/*==========================================================================*
 * MARK: tile_kernels - a tile of a matrix product                           *
 *   Six rows and two vectors of columns stay in registers, while the two    *
 *   matrices go by: two vectors of B and six numbers of A for twelve        *
 *   multiplications. B is packed in panels of two vectors a row. The sums   *
 *   have names, not an array, which gcc 12 would keep in memory.            *
 *==========================================================================*/
#if MPX_COMPUTE

enum { MPX__TILE_COLUMNS = 2 * MPX__FLOATS };
#define MPX__EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define MPX__TILE_CLEAR(r) mpx__vf c##r = mpx__fl_zero(), d##r = c##r;
#define MPX__TILE_LOAD(r) \
    c##r = mpx__fl_load(c + (r) * t->c_row); \
    d##r = mpx__fl_load(c + (r) * t->c_row + v);
#define MPX__TILE_STEP(r) \
    x = mpx__fl_of_bits(mpx__read32(((r) < 3 ? a : a3) + (r) % 3 * row)); \
    c##r = mpx__fmul_add(x, b0, c##r); \
    d##r = mpx__fmul_add(x, b1, d##r);
#define MPX__TILE_STORE(r) \
    mpx__fl_store(c + (r) * t->c_row, c##r); \
    mpx__fl_store(c + (r) * t->c_row + v, d##r);
MPX__NOINLINE void mpx__tile_here(const mpx__tile *t) {
    const size_t v = MPX__FLOATS * 4, row = t->a_row;
    const unsigned char *a = t->a, *a3 = a + 3 * row, *b = t->b;
    unsigned char *c = t->c;
    size_t k;
    MPX__EACH_ROW(MPX__TILE_CLEAR)
    if (!t->first) {
        MPX__EACH_ROW(MPX__TILE_LOAD)
    }
    for (k = t->k; k != 0; k--, a += t->a_step, a3 += t->a_step, b += 2 * v) {
        const mpx__vf b0 = mpx__fl_load(b), b1 = mpx__fl_load(b + v);
        mpx__vf x;
        MPX__EACH_ROW(MPX__TILE_STEP)
    }
    MPX__EACH_ROW(MPX__TILE_STORE)
}
#undef MPX__EACH_ROW
#undef MPX__TILE_CLEAR
#undef MPX__TILE_LOAD
#undef MPX__TILE_STEP
#undef MPX__TILE_STORE

#endif /* MPX_COMPUTE */
