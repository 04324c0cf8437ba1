/*==================================================================*
 * MARK: tile_amx - a tile of a matrix product by Intel's matrix unit
 *   AMX has eight registers of 16 rows of 64 bytes. One instruction multiplies 16 by 16 pairs of
 *   bf16 by as many, and adds to 16 by 16 sums. Four registers are sums, of 32 rows and columns;
 *   two each are of A, whose rows go along k, and of B. Subnormals count as zero.
 *==================================================================*/
#if MPX_COMPUTE
#ifdef MPX__OWN_AMX

/* Linux gives a process the unit if it asks, but not on another CPU, or before 5.16. */
MPX__NOINLINE int mpx__amx_is_given(void) {
    long long result;
    __asm__ volatile("syscall" /* arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA) */
                     : "=a"(result)
                     : "0"(158LL), "D"(0x1023LL), "S"(18LL)
                     : "rcx", "r11", "memory");
    return result == 0;
}
/* Bytes in a row of each register, which are 16 bits; and rows. Of A and B: so many words along k. */
MPX__NOINLINE_PAIRS void mpx__amx_shape(size_t words) {
    unsigned char shape[64];
    size_t i;
    mpx__zero(shape, sizeof shape);
    shape[0] = 1; /* the palette */
    for (i = 0; i < 8; i++) {
        shape[16 + 2 * i] = (unsigned char)(i == 4 || i == 5 ? words * 4 : 64);
        shape[48 + i] = (unsigned char)(i < 6 ? 16 : words);
    }
    __asm__ volatile("" : : "r"(shape) : "memory"); /* gcc takes 8 bytes for read */
    _tile_loadconfig(shape);
}
MPX__NOINLINE_PAIRS void mpx__amx_begin(void) { mpx__amx_shape(16); }
MPX__NOINLINE_PAIRS void mpx__amx_end(void) { _tile_release(); }
MPX__NOINLINE_PAIRS void mpx__amx_steps(const mpx__tile *t, size_t from, size_t end, int first) {
    const size_t v = MPX__VECTOR;
    const unsigned char *a = t->a + from * 4, *b = t->b + from * 2 * v;
    unsigned char *c = t->c, *c2 = c + 16 * t->c_row;
    MPX__BARRIER(); /* gcc does not know that tiles are loaded from memory */
    if (first) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    } else {
        _tile_loadd(0, c, t->c_row);
        _tile_loadd(1, c + v, t->c_row);
        _tile_loadd(2, c2, t->c_row);
        _tile_loadd(3, c2 + v, t->c_row);
    }
    for (; from < end; from += 16, a += 64, b += 32 * v) {
        _tile_loadd(6, b, 2 * v);
        _tile_loadd(4, a, t->a_row);
        _tile_loadd(7, b + v, 2 * v);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + 16 * t->a_row, t->a_row);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, c, t->c_row);
    _tile_stored(1, c + v, t->c_row);
    _tile_stored(2, c2, t->c_row);
    _tile_stored(3, c2 + v, t->c_row);
}
MPX__NOINLINE_PAIRS void mpx__tile_of_amx(const mpx__tile *t) {
    const size_t rest = t->k % 16, whole = t->k - rest;
    if (whole != 0) mpx__amx_steps(t, 0, whole, t->first);
    if (rest == 0) return;
    mpx__amx_shape(rest);
    mpx__amx_steps(t, whole, t->k, t->first && whole == 0);
    mpx__amx_shape(16);
}
static const mpx__unit mpx__amx = { mpx__tile_of_amx, 32, mpx__amx_is_given, mpx__amx_begin,
                                     mpx__amx_end };
#define MPX__UNIT &mpx__amx
#else
#define MPX__UNIT NULL
#endif
#endif /* MPX_COMPUTE */
