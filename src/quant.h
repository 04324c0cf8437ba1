/*==================================================================*
 * MARK: quant - numbers as codes that share scales
 *   A group is the elements that share a scale; a band is a piece of the matrix of at most 64
 *   groups, or 16 in plain C for size. For each band the largest values are found first, then the
 *   scales, then the codes, one tile of f32 at a time.
 *   Sources: keras/src/quantizers 3.15; ONNX QuantizeLinear and DynamicQuantizeLinear; OCP MX 1.0;
 *   NVIDIA's NVFP4; ggml.
 *==================================================================*/
#if !MPX_NO_QUANT

MPX__INLINE void mpx__arith(unsigned char *d, const unsigned char *a, const unsigned char *b,
                            size_t n, size_t block, int op) {
    MPX__ENGINE_FN(arith)(d, a, b, n, block, op);
}
MPX__INLINE void mpx__largest_each(unsigned char *d, const unsigned char *s, size_t n, size_t block,
                              int op) {
    MPX__ENGINE_FN(largest)(d, s, n, block, op);
}
MPX__INLINE void mpx__codes(unsigned char *d, const unsigned char *s, const unsigned char *by,
                            const unsigned char *zero, size_t n, size_t block,
                            const mpx__coder *k) {
    MPX__ENGINE_FN(codes)(d, s, by, zero, n, block, k);
}
MPX__INLINE void mpx__values(unsigned char *d, const unsigned char *codes, size_t step,
                             const unsigned char *by, const unsigned char *plus, size_t groups,
                             size_t group) {
    MPX__ENGINE_FN(values)(d, codes, step, by, plus, groups, group);
}

/* ---- formats --------------------------------------------------- */

/* Of blocks with scales among the codes. codes: how many there are. header: the bytes before the
   codes, or their lower bits. has_least: values are counted from the least. block, group: elements,
   and those of them that share a scale. divisor, half: f32 bits: of the largest value, for the
   scale; added before a code is cut off. */
typedef struct mpx__ggml {
    uint8_t scheme, header, block_bytes, has_least;
    uint16_t codes, block, group;
    uint32_t divisor, half;
} mpx__ggml;
static const mpx__ggml mpx__ggmls[] = {
    { MPX_SCHEME_Q4_0, 2, 18, 0, 16, 32, 32, 0xc1000000u, 0x41080000u }, /* -8, 8.5 */
    { MPX_SCHEME_Q4_1, 4, 20, 1, 16, 32, 32, 0x41700000u, 0x3f000000u }, /* 15, .5 */
    { MPX_SCHEME_Q5_0, 6, 22, 0, 32, 32, 32, 0xc1800000u, 0x41840000u }, /* -16, 16.5 */
    { MPX_SCHEME_Q5_1, 8, 24, 1, 32, 32, 32, 0x41f80000u, 0x3f000000u }, /* 31, .5 */
    { MPX_SCHEME_Q8_0, 2, 34, 0, 255, 32, 32, 0x42fe0000u, 0 },          /* 127 */
    { MPX_SCHEME_Q4_K, 16, 144, 1, 16, 256, 32, 0, 0 },
    { MPX_SCHEME_Q5_K, 16, 176, 1, 32, 256, 32, 0, 0 },
    { MPX_SCHEME_Q6_K, 0, 210, 0, 64, 256, 16, 0, 0 },
    { MPX_SCHEME_GGML_MXFP4, 1, 17, 0, 16, 32, 32, 0, 0 },
    { MPX_SCHEME_GGML_NVFP4, 4, 36, 0, 16, 64, 16, 0, 0 },
};
MPX__PRIVATE const mpx__ggml *mpx__ggml_of(mpx_scheme scheme) {
    size_t i;
    for (i = 0; i < sizeof mpx__ggmls / sizeof mpx__ggmls[0]; i++)
        if (mpx__ggmls[i].scheme == (int)scheme) return &mpx__ggmls[i];
    return NULL;
}
MPX__INLINE int mpx__is_affine(const mpx_quant *q) {
    return q->scheme == MPX_SCHEME_KERAS || q->scheme == MPX_SCHEME_LINEAR;
}
/* Keras' abs_max_quantize: its scale multiplies values and divides codes. */
MPX__INLINE int mpx__is_abs_max(const mpx_quant *q) {
    return q->scheme == MPX_SCHEME_KERAS && !q->zero_point;
}
MPX__INLINE int mpx__in_blocks(const mpx_quant *q) {
    return q->scope == MPX_SCOPE_BLOCK || q->scope == MPX_SCOPE_BLOCK_DOWN;
}
/* Of integers of at most 8 bits; of others, as GGUF's blocks may have, any number. */
MPX__INLINE int32_t mpx__most_code(const mpx__row *row) {
    return ((int32_t)1 << (row->bits - (row->kind == MPX_KIND_INT)) % 16) - 1;
}
MPX__INLINE int32_t mpx__least_code(const mpx__row *row) {
    return row->kind == MPX_KIND_INT ? -1 - mpx__most_code(row) : 0;
}

/* Is there such a q? */
MPX__COLD MPX__NOINLINE mpx_status mpx__check_quant(const mpx_quant *q) {
    const mpx__row *row = mpx__row_of(q->element);
    const int is_float = row->kind == MPX_KIND_FLOAT,
              is_int = row->kind == MPX_KIND_INT || row->kind == MPX_KIND_UINT;
    if (mpx__ggml_of(q->scheme) != NULL)
        return mpx__row_of(MPX_I8)->bits != 0 && (q->scheme != MPX_SCHEME_GGML_MXFP4 ||
                                                  mpx__row_of(MPX_F4E2M1FN)->bits != 0)
                   ? MPX_OK
                   : MPX_ERR_DTYPE;
    if (q->scheme < MPX_SCHEME_KERAS || q->scheme > MPX_SCHEME_NVFP4) return MPX_ERR_ARGUMENT;
    if (row->bits == 0 || row->bits > 8 || row->family == MPX__E8M0) return MPX_ERR_DTYPE;
    if (mpx__is_affine(q)) {
        if (!(is_int || (is_float && row->bits == 8 && q->scheme == MPX_SCHEME_LINEAR)))
            return MPX_ERR_DTYPE;
        if (q->scope < MPX_SCOPE_TENSOR || q->scope > MPX_SCOPE_BLOCK_DOWN ||
            (mpx__in_blocks(q) && q->block == 0) || q->low > q->high ||
            (is_float ? q->zero_point != 0 || q->low != 0 || q->high != 0
                      : q->low < mpx__least_code(row) || q->high > mpx__most_code(row)))
            return MPX_ERR_ARGUMENT;
        return !q->given && q->low != 0 && /* / (high - low), / high */
                       (q->zero_point ? q->low == q->high : q->high <= 0)
                   ? MPX_ERR_ARGUMENT : MPX_OK;
    }
    if (q->scheme == MPX_SCHEME_NVFP4)
        return row->type == MPX_F4E2M1FN && mpx__row_of(MPX_F8E4M3FN)->bits != 0 ? MPX_OK
                                                                                 : MPX_ERR_DTYPE;
    if (q->rule < MPX_SCALE_FLOOR || q->rule > MPX_SCALE_RCEIL) return MPX_ERR_ARGUMENT;
    return row->type == MPX_I8 || row->family == MPX__FINITE || row->type == MPX_F8E4M3FN ||
                   row->type == MPX_F8E5M2
               ? MPX_OK
               : MPX_ERR_DTYPE;
}

/* A matrix of groups, and how they lie in it. */
typedef struct mpx__grid {
    size_t rows, cols;   /* of the matrix; one row if all blocks lie in it one after another */
    size_t group;        /* elements in a row that share a scale */
    size_t down;         /* rows that share one */
    size_t across, deep; /* groups in a row, and in a column */
} mpx__grid;
/* What the columns must be a multiple of. */
MPX__PRIVATE size_t mpx__whole_block(const mpx_quant *q) {
    const mpx__ggml *ggml = mpx__ggml_of(q->scheme);
    return ggml != NULL                    ? ggml->block
           : q->scheme == MPX_SCHEME_MX    ? 32
           : q->scheme == MPX_SCHEME_NVFP4 ? 16
                                           : 1;
}
MPX__INLINE size_t mpx__pieces_of(size_t n, size_t size) { return n / size + (n % size != 0); }
MPX__COLD MPX__NOINLINE mpx_status mpx__grid_set(mpx__grid *grid, const mpx_quant *q, size_t rows,
                                      size_t cols) {
    const mpx__ggml *ggml = mpx__ggml_of(q->scheme);
    const size_t block = mpx__whole_block(q);
    int flat = !q->swizzled || !(q->scheme == MPX_SCHEME_MX || q->scheme == MPX_SCHEME_NVFP4);
    if (cols != 0 && rows > ((size_t)-1 >> 4) / cols) return MPX_ERR_SPACE;
    if (cols % block != 0) return MPX_ERR_SHAPE;
    grid->group = ggml != NULL ? ggml->group : block;
    grid->down = 1;
    if (mpx__is_affine(q)) {
        const int scope = q->scope;
        if (scope == MPX_SCOPE_TENSOR ? rows * cols == 0
            : scope == MPX_SCOPE_ROW ? rows != 0 && cols == 0
                                     : scope == MPX_SCOPE_COLUMN && cols != 0 && rows == 0)
            return MPX_ERR_SHAPE;
        grid->group = scope == MPX_SCOPE_ROW ? cols : scope == MPX_SCOPE_BLOCK ? q->block : 1;
        grid->down = scope == MPX_SCOPE_COLUMN       ? rows
                     : scope == MPX_SCOPE_BLOCK_DOWN ? q->block
                                                     : 1;
        flat = scope == MPX_SCOPE_TENSOR || (scope == MPX_SCOPE_BLOCK && cols % q->block == 0);
        if (scope == MPX_SCOPE_TENSOR) grid->group = rows * cols;
    }
    grid->rows = flat ? 1 : rows;
    grid->cols = flat ? rows * cols : cols;
    grid->across = grid->group != 0 ? mpx__pieces_of(grid->cols, grid->group) : 0;
    grid->deep = grid->down != 0 ? mpx__pieces_of(grid->rows, grid->down) : 0;
    return MPX_OK;
}

/* ---- layout ---------------------------------------------------- */

MPX__NOINLINE size_t mpx__swizzled_scale(size_t row, size_t block, size_t across) {
    const size_t tile = row / 128 * mpx__pieces_of(across, 4) + block / 4;
    return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}
MPX__COLD MPX__NOINLINE mpx_status mpx__layout_set(mpx_quant_layout *at, const mpx_quant *q,
                                        const mpx__grid *grid, size_t n) {
    const mpx__ggml *ggml = mpx__ggml_of(q->scheme);
    size_t bytes = ggml != NULL ? n / ggml->block * ggml->block_bytes
                                : mpx_dtype_bytes(q->element, n),
           count = grid->across * grid->deep, width;
    mpx__zero(at, sizeof *at);
    at->block = ggml != NULL ? ggml->block : grid->group * grid->down;
    at->block_bytes = ggml != NULL ? ggml->block_bytes : 0;
    at->scales = at->zeros = at->tensor_scale = at->bytes = bytes;
    if (ggml != NULL) return MPX_OK;
    at->scale_type = mpx__is_affine(q) ? MPX_F32
                     : q->scheme == MPX_SCHEME_MX ? MPX_F8E8M0FNU : MPX_F8E4M3FN;
    width = mpx__is_affine(q) ? 4 : 1;
    if (q->swizzled && width == 1)
        count = mpx__pieces_of(grid->rows, 128) * mpx__pieces_of(grid->across, 4) * 512;
    at->scale_count = count;
    bytes = mpx__aligned(bytes);
    at->scales = bytes;
    if (count > ((size_t)-1 >> 4)) return MPX_ERR_SPACE;
    bytes += count * width;
    at->zeros = at->tensor_scale = at->bytes = bytes;
    if (mpx__is_affine(q) && q->zero_point) {
        at->zero_type = q->element;
        at->zeros = mpx__aligned(bytes);
        at->tensor_scale = at->bytes = at->zeros + count;
    } else if (q->scheme == MPX_SCHEME_NVFP4 && !q->single) {
        at->tensor_scale = mpx__aligned(bytes);
        at->zeros = at->bytes = at->tensor_scale + 4;
    }
    return MPX_OK;
}
MPX__COLD MPX__NOINLINE mpx_status mpx__quant_start(mpx__grid *grid, mpx_quant_layout *at,
                                                    const mpx_quant *q, size_t rows,
                                                    size_t cols) {
    mpx_status status = mpx__check_quant(q);
    if (status == MPX_OK) status = mpx__grid_set(grid, q, rows, cols);
    return status == MPX_OK ? mpx__layout_set(at, q, grid, rows * cols) : status;
}
MPX_API MPX__COLD mpx_status mpx_quant_layout_of(mpx_quant q, size_t rows, size_t cols,
                                                 mpx_quant_layout *out, mpx_error *err) {
    mpx_quant_layout at;
    mpx__grid grid;
    mpx_status status = mpx__quant_start(&grid, &at, &q, rows, cols);
    MPX_ASSERT(out != NULL);
    if (status == MPX_OK) *out = at;
    (void)mpx__fail(err, status, 0, 0);
    if (err != NULL && status == MPX_ERR_SHAPE) {
        err->need = mpx__whole_block(&q);
        err->have = cols % err->need;
        err->what = err->need > 1 ? "columns in the last block" : "elements of a scale";
    }
    return status;
}
MPX_API MPX__COLD size_t mpx_quant_bytes(mpx_quant q, size_t rows, size_t cols) {
    mpx_quant_layout at;
    mpx__grid grid;
    return mpx__quant_start(&grid, &at, &q, rows, cols) == MPX_OK ? at.bytes : 0;
}

/* ---- a call ---------------------------------------------------- */

enum { MPX__BAND_GROUPS = MPX__COMPACT ? 16 : 64, MPX__QUANT_TILE = 512,
       MPX__QUANT_LARGE = 2 << 20 }; /* bytes of floats that may be more than the caches hold */

/* How the groups of a band share numbers: `share` as the block of mpx__arith has it. */
typedef struct mpx__band {
    size_t row, rows, col, cols, share, groups, first;
} mpx__band;

/* What a call works on: floats in the matrix `floats`, codes and scales behind `out`. */
typedef struct mpx__quantizer {
    const mpx_quant *q;
    const mpx__row *element, *type; /* of the codes, of the floats */
    const mpx__ggml *ggml;
    mpx_dtype rounded; /* KERAS: the dtype to which every step is rounded; MPX_NONE: f32 */
    int32_t low, high; /* of codes */
    uint32_t tensor_scale;
    mpx__grid grid;
    mpx_quant_layout at;
    unsigned char *out, *floats;
    size_t origin; /* the element at which `floats` begins */
    size_t size;   /* bytes of a matrix of floats that is large, else 0 */
} mpx__quantizer;

/* Of a band's groups: f32 bits, or integers. */
typedef struct mpx__groups {
    unsigned char by[MPX__BAND_GROUPS * 4], zero[MPX__BAND_GROUPS * 4];
} mpx__groups;

MPX__PRIVATE void mpx__fill(unsigned char *d, uint32_t x, size_t n) {
    for (; n != 0; n--, d += 4)
        mpx__write32(d, x);
}
MPX__INLINE size_t mpx__padded(size_t n) { return (n + 15u) / 16u * 16u; }
MPX__INLINE unsigned char *mpx__float_at(const mpx__quantizer *z, size_t row, size_t col) {
    return z->floats + (row * z->grid.cols + col - z->origin) * (z->type->bits / 8u);
}
/* Fetch the n floats that lie 8 KiB behind these. */
MPX__PRIVATE void mpx__fetch_ahead(const mpx__quantizer *z, size_t row, size_t col, size_t n) {
    const size_t bytes = z->type->bits / 8u;
    size_t i = (row * z->grid.cols + col) * bytes + 8192, end = i + n * bytes;
    for (end = end < z->size ? end : z->size; i < end; i += 64)
        MPX__PREFETCH(z->floats + i);
}
/* n floats as f32: in place, or in the tile, the last repeated up to a multiple of 16. */
MPX__PRIVATE const unsigned char *mpx__floats_in(const mpx__quantizer *z, unsigned char *tile,
                                                 size_t row, size_t col, size_t n) {
    const unsigned char *s = mpx__float_at(z, row, col);
    mpx__fetch_ahead(z, row, col, n);
    if (z->type->type == MPX_F32 && n % 16 == 0) return s;
    (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(z->type), n);
    mpx__fill(tile + n * 4, mpx__read32(tile + n * 4 - 4), mpx__padded(n) - n);
    return tile;
}
/* Round to the dtype of every step. */
MPX__NOINLINE void mpx__round_step(const mpx__quantizer *z, unsigned char *x, size_t n) {
    if (z->rounded != MPX_NONE)
        (void)mpx_round_to((float *)(void *)x, (const float *)(const void *)x, n, z->rounded);
}

/* Columns of a band from `col` on that fill `tiles` tiles, or what is left; blocks stay whole. */
MPX__INLINE size_t mpx__tiles_of(const mpx__band *band, size_t col, size_t tiles) {
    const size_t left = band->cols - col, all = tiles * MPX__QUANT_TILE,
                 most = band->share > 1 ? all / band->share * band->share : all;
    return left < most ? left : most;
}
/* Columns that are dequantized at a time: more if results go straight to the matrix. */
MPX__INLINE size_t mpx__piece_of(const mpx__quantizer *z, const mpx__band *band, size_t col) {
    const int direct = z->type->type == MPX_F32 &&
                       (z->grid.cols | band->col | band->cols) % 16 == 0;
    return mpx__tiles_of(band, col, !direct ? 1 : band->share > 1 ? 4 : 2);
}
/* Where the numbers of a tile's groups begin; col: where the tile does in the band. */
MPX__INLINE size_t mpx__group_at(const mpx__band *band, size_t col) {
    return band->share == 0 ? 0 : col / band->share;
}

/* ---- the largest values ---------------------------------------- */

/* most[i]: the largest of group i, as op compares them. */
MPX__PRIVATE void mpx__band_largest(const mpx__quantizer *z, const mpx__band *band,
                                    unsigned char *most, int op) {
    unsigned char tile[MPX__QUANT_TILE * 4];
    size_t r, c, n;
    mpx__zero(most, MPX__BAND_GROUPS * 4);
    for (r = 0; r < band->rows; r++) {
        for (c = 0; c < band->cols; c += n) {
            const unsigned char *s;
            unsigned char one[4];
            n = mpx__tiles_of(band, c, 1);
            s = mpx__floats_in(z, tile, band->row + r, band->col + c, n);
            if (band->share == 1) {
                mpx__arith(most, s, most, mpx__padded(n), 1, op); /* BAND_GROUPS columns at most */
            } else if (band->share != 0) {
                mpx__largest_each(most + c / band->share * 4, s, mpx__padded(n), band->share, op);
            } else {
                mpx__largest_each(one, s, mpx__padded(n), MPX__QUANT_TILE, op);
                if (mpx__read32(one) > mpx__read32(most)) mpx__copy(most, one, 4);
            }
        }
    }
}
/* The largest magnitudes. Of one group in one row mpx_amax finds it faster. */
MPX__PRIVATE void mpx__band_amax(const mpx__quantizer *z, const mpx__band *band,
                                 unsigned char *most) {
    float amax = 0;
    if (MPX_NO_REDUCE || band->share != 0 || band->rows != 1) {
        mpx__band_largest(z, band, most, MPX__LARGER);
        return;
    }
#if !MPX_NO_REDUCE
    (void)mpx_amax(mpx__float_at(z, band->row, band->col), mpx__type_of(z->type), band->cols,
                   &amax);
#endif
    mpx__zero(most, MPX__BAND_GROUPS * 4);
    mpx__write32(most, mpx__read32(&amax));
}
/* The float that a key stands for. */
MPX__INLINE uint32_t mpx__of_key(uint32_t key) {
    return (key >> 31) != 0 ? key ^ 0x80000000u : ~key;
}

MPX__INLINE int mpx__is_nan_bits(uint32_t u) { return (u & 0x7fffffffu) > 0x7f800000u; }
/* Every NaN becomes one: no sign, no payload. */
MPX__PRIVATE void mpx__mend_nans(unsigned char *x, size_t n) {
    for (; n != 0; n--, x += 4)
        if (mpx__is_nan_bits(mpx__read32(x))) mpx__write32(x, 0x7fc00000u);
}
/* Whether a scale is Inf or NaN, or, if `zero` is 1, 0. */
MPX__PRIVATE int mpx__any_special(const unsigned char *by, size_t n, int zero) {
    int special = 0;
    for (; n != 0; n--, by += 4)
        special |= (mpx__read32(by) & 0x7fffffffu) - (uint32_t)zero >= 0x7f800000u - (uint32_t)zero;
    return special;
}

/* The same for NaN of groups whose scale is special: machines differ in which NaN they make. */
MPX__PRIVATE void mpx__mend_groups(unsigned char *x, size_t n, const unsigned char *by, size_t share,
                                   int zero) {
    size_t i;
    for (i = 0; i < n; i++, x += 4)
        if (mpx__is_nan_bits(mpx__read32(x)) &&
            mpx__any_special(by + (share != 0 ? i / share : 0) * 4, 1, zero))
            mpx__write32(x, 0x7fc00000u);
}

/* ---- scales of KERAS and LINEAR -------------------------------- */

/* Small integers, kept with 3 * 2^22 added in the lowest bits of an f32, to f32. */
enum { MPX__INT_IN_F32 = 0x4b400000 };
MPX__PRIVATE void mpx__ints_to_f32(unsigned char *x, size_t n) {
    unsigned char less[4];
    mpx__write32(less, 0x80000000u | MPX__INT_IN_F32);
    mpx__arith(x, x, less, n, 0, MPX__ADD);
}
/* x op y for all groups, y the same for all; rounded as a step. */
MPX__NOINLINE void mpx__step_with(const mpx__quantizer *z, unsigned char *x, uint32_t y, int op) {
    unsigned char one[4];
    mpx__write32(one, y);
    mpx__arith(x, x, one, MPX__BAND_GROUPS, 0, op);
    mpx__round_step(z, x, MPX__BAND_GROUPS);
}
MPX__PRIVATE uint32_t mpx__largest_value(const mpx__row *row) {
    const unsigned char code = (unsigned char)mpx__largest_code(row);
    uint32_t u = 0;
    (void)mpx_cast(&u, MPX_F32, &code, mpx__type_of(row), 1);
    return u;
}
MPX__INLINE uint32_t mpx__epsilon_of(const mpx__quantizer *z) {
    unsigned char x[4];
    const uint32_t own = mpx__read32(&z->q->epsilon); /* as a float, clang -O3 would compare it */
    mpx__write32(x, own << 1 == 0 ? 0x33d6bf95u : (own >> 31) == 0 ? own : 0); /* 1e-7 */
    mpx__round_step(z, x, 1);
    return mpx__read32(x);
}
/* The scales of symmetric codes, in groups->by; the zero points are 0. */
MPX__COLD MPX__NOINLINE void mpx__symmetric_scales(const mpx__quantizer *z, const mpx__band *band,
                                        mpx__groups *groups) {
    const int keras = z->q->scheme == MPX_SCHEME_KERAS;
    const uint32_t high = z->element->kind == MPX_KIND_FLOAT ? mpx__largest_value(z->element)
                                                             : mpx__f32_of_int(z->high);
    unsigned char x[MPX__BAND_GROUPS * 4];
    size_t i;
    mpx__band_amax(z, band, groups->by);
    mpx__zero(groups->zero, sizeof groups->zero);
    if (keras) {
        mpx__step_with(z, groups->by, mpx__epsilon_of(z), MPX__ADD);
        mpx__fill(x, high, MPX__BAND_GROUPS);
        mpx__arith(groups->by, x, groups->by, MPX__BAND_GROUPS, 1, MPX__DIVIDE);
        mpx__round_step(z, groups->by, MPX__BAND_GROUPS);
        return;
    }
    mpx__step_with(z, groups->by, high, MPX__DIVIDE);
    for (i = 0; i < band->groups; i++)
        if (mpx__read32(groups->by + i * 4) == 0) mpx__write32(groups->by + i * 4, 0x3f800000u);
}

/* To the nearest integer, at most 2^20; NaN is 0. */
MPX__PRIVATE int32_t mpx__rounded_int(uint32_t u) {
    const uint32_t e = u >> 23 & 255u, sig = (u & 0x7fffffu) | 0x800000u, drop = 150u - e;
    uint32_t x = 0x100000u;
    if (e < 126 || mpx__is_nan_bits(u)) return 0;
    if (e < 147) x = (sig + (1u << (drop - 1u)) - 1u + (sig >> drop & 1u)) >> drop;
    return (u >> 31) != 0 ? -(int32_t)x : (int32_t)x;
}
/* Zero points: -least / scale, rounded, with `low` added, cut to the codes. */
MPX__PRIVATE void mpx__zero_points(const mpx__quantizer *z, const mpx__band *band,
                                   unsigned char *least, mpx__groups *groups) {
    size_t i;
    for (i = 0; i < MPX__BAND_GROUPS; i++)
        mpx__write32(least + i * 4, mpx__read32(least + i * 4) ^ 0x80000000u);
    mpx__arith(least, least, groups->by, MPX__BAND_GROUPS, 1, MPX__DIVIDE);
    mpx__round_step(z, least, MPX__BAND_GROUPS);
    for (i = 0; i < band->groups; i++) {
        int32_t x = mpx__rounded_int(mpx__read32(least + i * 4)) + z->low;
        x = x < z->low ? z->low : x > z->high ? z->high : x;
        mpx__write32(groups->zero + i * 4, (uint32_t)x);
    }
}
/* Scales and zero points over [min, max]. LINEAR: a range that has 0 in it. KERAS: one that is not
   empty; a last block that is shorter counts as filled with zeros. */
MPX__COLD MPX__NOINLINE void mpx__shifted_scales(const mpx__quantizer *z, const mpx__band *band,
                                      mpx__groups *groups) {
    const int keras = z->q->scheme == MPX_SCHEME_KERAS,
              down = z->q->scope == MPX_SCOPE_BLOCK_DOWN;
    const size_t block = mpx__in_blocks(z->q) ? z->q->block : 1;
    const int filled = (down ? band->rows : band->cols) % block != 0 &&
                       (down ? z->grid.deep : z->grid.across) != 1; /* a block alone is not */
    unsigned char least[MPX__BAND_GROUPS * 4], x[MPX__BAND_GROUPS * 4], *most = groups->by;
    size_t i;
    mpx__band_largest(z, band, most, MPX__LARGER_KEY);
    mpx__band_largest(z, band, least, MPX__LARGER_NOT_KEY);
    for (i = 0; i < MPX__BAND_GROUPS; i++) {
        uint32_t max = mpx__of_key(mpx__read32(most + i * 4)),
                 min = mpx__of_key(~mpx__read32(least + i * 4));
        const int with_0 = !keras || (filled && (down || i + 1 == band->groups));
        if (i >= band->groups) max = min = 0;
        if (with_0 && (min >> 31) == 0) min = 0; /* NaN stays in the other one */
        if (with_0 && (max >> 31) != 0) max = 0;
        if (keras && (max == min || (max | min) << 1 == 0)) {
            min = mpx__sum_of(min, 0xbf800000u);
            max = mpx__sum_of(max, 0x3f800000u);
        }
        mpx__write32(most + i * 4, max);
        mpx__write32(least + i * 4, min);
        mpx__write32(x + i * 4, min ^ 0x80000000u);
    }
    mpx__arith(groups->by, most, x, MPX__BAND_GROUPS, 1, MPX__ADD);
    mpx__round_step(z, groups->by, MPX__BAND_GROUPS);
    if (keras) mpx__step_with(z, groups->by, mpx__epsilon_of(z), MPX__ADD);
    mpx__step_with(z, groups->by, mpx__f32_of_int(z->high - z->low), MPX__DIVIDE);
    for (i = 0; !keras && i < band->groups; i++)
        if (mpx__read32(groups->by + i * 4) == 0) mpx__write32(groups->by + i * 4, 0x3f800000u);
    mpx__zero_points(z, band, least, groups);
}

/* Scales and zero points to where they are kept, and from there. */
MPX__PRIVATE void mpx__affine_put(const mpx__quantizer *z, const mpx__band *band,
                                  mpx__groups *groups) {
    const uint32_t mask = (1u << z->element->bits) - 1u;
    unsigned char *zeros = z->out + z->at.zeros + band->first;
    size_t i;
    mpx__mend_nans(groups->by, band->groups);
    mpx__copy(z->out + z->at.scales + band->first * 4, groups->by, band->groups * 4);
    for (i = 0; z->q->zero_point && i < band->groups; i++)
        zeros[i] = (unsigned char)(mpx__read32(groups->zero + i * 4) & mask);
}
MPX__PRIVATE void mpx__affine_get(const mpx__quantizer *z, const mpx__band *band,
                                  mpx__groups *groups) {
    const unsigned char *zeros = z->out + z->at.zeros + band->first;
    const uint32_t top = 1u << (z->element->bits - 1u);
    size_t i;
    mpx__fill(groups->by, 0x3f800000u, MPX__BAND_GROUPS);
    mpx__zero(groups->zero, sizeof groups->zero);
    mpx__copy(groups->by, z->out + z->at.scales + band->first * 4, band->groups * 4);
    for (i = 0; z->q->zero_point && i < band->groups; i++) {
        uint32_t x = zeros[i] & (2u * top - 1u);
        if (z->element->kind == MPX_KIND_INT) x = (x ^ top) - top;
        mpx__write32(groups->zero + i * 4, x);
    }
}

/* ---- codes ----------------------------------------------------- */

/* Where element i is: codes have eight bits, or i is a multiple of eight. */
MPX__INLINE unsigned char *mpx__element_at(const mpx__quantizer *z, size_t i) {
    return z->out + i / 8 * z->element->bits + i % 8;
}
/* n codes, one in a byte, to elements i and on, and back. */
MPX__PRIVATE void mpx__put_elements(const mpx__quantizer *z, size_t i, const unsigned char *codes,
                                    size_t n) {
    const unsigned bits = z->element->bits;
    if (bits == 8) {
        mpx__copy(z->out + i, codes, n);
        return;
    }
#if MPX__HAS_PACKED
    if (i % 8 == 0) {
        mpx__pack(mpx__element_at(z, i), codes, bits, n / 8 * 8);
        i += n / 8 * 8;
        codes += n / 8 * 8;
        n %= 8;
    }
    for (; n != 0; i++, codes++, n--) { /* neighbours in the byte may be other rows */
        const unsigned place = (unsigned)(i * bits % 8), mask = (1u << bits) - 1u;
        unsigned char *at = z->out + i * bits / 8;
        *at = (unsigned char)((*at & ~(mask << place) & 255u) | (*codes & mask) << place);
    }
#endif
}
MPX__PRIVATE void mpx__get_elements(const mpx__quantizer *z, size_t i, unsigned char *codes,
                                    size_t n) {
    const unsigned bits = z->element->bits;
    for (; n != 0; i++, codes++, n--)
        *codes = (unsigned char)((unsigned)z->out[i * bits / 8] >> i * bits % 8 &
                                 ((1u << bits) - 1u));
}

/* f32 to codes of a float dtype; finite values saturate, and so does Inf. */
MPX__INLINE void mpx__put_floats(const mpx__quantizer *z, size_t i, const unsigned char *tile,
                                 size_t n) {
    mpx__cast_saturating(mpx__element_at(z, i), z->element, tile, mpx__row_of(MPX_F32), n);
}
/* s[i] * by[i / block] to elements i and on of a float dtype; tile: room for the products. */
MPX__PRIVATE void mpx__put_products(const mpx__quantizer *z, size_t i, unsigned char *tile,
                                    const unsigned char *s, const unsigned char *by, size_t n,
                                    size_t block) {
#if !MPX__COMPACT
    if (mpx__engine_now()->smalls != NULL) {
        unsigned char codes[MPX__QUANT_TILE];
        mpx__job job;
        mpx__job_cast(&job, z->element, mpx__row_of(MPX_F32));
        job.rounding.saturate = 1;
        mpx__engine_now()->smalls(z->element->bits == 8 ? z->out + i : codes, s, by, n, block,
                                  &job);
        if (z->element->bits < 8) mpx__put_elements(z, i, codes, n);
        return;
    }
#endif
    mpx__arith(tile, s, by, n, block, MPX__MULTIPLY);
    mpx__put_floats(z, i, tile, n);
}
/* A tile of codes of KERAS or LINEAR: element i and on. */
MPX__NOINLINE void mpx__affine_tile(const mpx__quantizer *z, const mpx__band *band,
                                   const mpx__groups *groups, const unsigned char *ones, size_t r,
                                   size_t c, size_t n) {
    unsigned char tile[MPX__QUANT_TILE * 4], codes[MPX__QUANT_TILE];
    const int multiplies = mpx__is_abs_max(z->q);
    const size_t g = mpx__group_at(band, c) * 4, m = mpx__padded(n), row = band->row + r,
                 col = band->col + c, i = row * z->grid.cols + col;
    const unsigned char *s = mpx__floats_in(z, tile, row, col, n), *by = groups->by + g,
                        *zero = z->q->zero_point ? groups->zero + g : NULL;
    mpx__coder k;
    k.how = MPX__TO_EVEN;
    k.mask = (1u << z->element->bits) - 1u;
    k.low = z->low;
    k.high = z->high;
    if (!multiplies || z->rounded != MPX_NONE) {
        mpx__arith(tile, s, by, m, band->share, multiplies ? MPX__MULTIPLY : MPX__DIVIDE);
        mpx__round_step(z, tile, m);
        s = tile;
        by = ones;
    }
    if (z->element->kind == MPX_KIND_FLOAT) {
        if (mpx__any_special(groups->by, band->groups, 1))
            mpx__mend_groups(tile, m, groups->by + g, band->share, 1);
        mpx__put_floats(z, i, s, n);
        return;
    }
    if (z->element->bits == 8 && m == n) {
        mpx__codes(z->out + i, s, by, zero, n, band->share, &k);
        return;
    }
    mpx__codes(codes, s, by, zero, m, band->share, &k);
    mpx__put_elements(z, i, codes, n);
}
MPX__NOINLINE void mpx__affine_quantize(const mpx__quantizer *z, const mpx__band *band) {
    unsigned char ones[MPX__BAND_GROUPS * 4];
    mpx__groups groups;
    size_t r, c, n;
    mpx__fill(ones, 0x3f800000u, MPX__BAND_GROUPS);
    if (z->q->given)
        mpx__affine_get(z, band, &groups);
    else if (z->q->zero_point)
        mpx__shifted_scales(z, band, &groups);
    else
        mpx__symmetric_scales(z, band, &groups);
    if (!z->q->given) mpx__affine_put(z, band, &groups);
    for (r = 0; r < band->rows; r++)
        for (c = 0; c < band->cols; c += n) {
            n = mpx__tiles_of(band, c, 1);
            mpx__affine_tile(z, band, &groups, ones, r, c, n);
        }
}

/* ---- from codes ------------------------------------------------ */

/* n f32 of a tile to the matrix; those already there stay. */
MPX__PRIVATE void mpx__floats_out(const mpx__quantizer *z, const unsigned char *tile, size_t row,
                                  size_t col, size_t n) {
    unsigned char *d = mpx__float_at(z, row, col);
    if (d != tile) (void)mpx_cast(d, mpx__type_of(z->type), tile, MPX_F32, n);
}
/* n columns of a row of a band, from c on: codes plus zero, times or divided by `by`. */
MPX__LOOP void mpx__codes_out(const mpx__quantizer *z, const mpx__band *band,
                              const unsigned char *by, const unsigned char *zero, size_t r,
                              size_t c, size_t n, int op) {
    unsigned char tile[MPX__QUANT_TILE * 4], codes[MPX__QUANT_TILE], unit[4];
    const size_t g = mpx__group_at(band, c) * 4, m = mpx__padded(n), row = band->row + r,
                 col = band->col + c, i = row * z->grid.cols + col;
    const int zero_too = mpx__is_affine(z->q);
    unsigned char *d = z->type->type == MPX_F32 && m == n ? mpx__float_at(z, row, col) : tile;
    mpx__fetch_ahead(z, row, col, n);
    if (z->element->bits == 8 || i % 8 == 0) {
        (void)mpx_cast(d, MPX_F32, mpx__element_at(z, i), mpx__type_of(z->element), n);
    } else {
        mpx_cast_options opt;
        mpx__zero(&opt, sizeof opt);
        opt.src_layout = MPX_LAYOUT_BYTES;
        mpx__get_elements(z, i, codes, n);
        (void)mpx_cast_with(d, MPX_F32, codes, mpx__type_of(z->element), n, &opt);
    }
    mpx__zero(d + n * 4, (m - n) * 4);
    if (zero != NULL) mpx__arith(d, d, zero + g, m, band->share, MPX__ADD);
    if (z->q->scheme == MPX_SCHEME_MX && z->element->kind != MPX_KIND_FLOAT) {
        mpx__write32(unit, 0x3c800000u); /* 1/64, first, lest a product overflows */
        mpx__arith(d, d, unit, n, 0, MPX__MULTIPLY);
    }
    mpx__arith(d, d, by + g, m, band->share, op);
    if (mpx__any_special(by, MPX__BAND_GROUPS, zero_too))
        mpx__mend_groups(d, n, by + g, band->share, zero_too);
    mpx__floats_out(z, d, row, col, n);
}
MPX__NOINLINE void mpx__affine_dequantize(const mpx__quantizer *z, const mpx__band *band) {
    mpx__groups groups;
    size_t r, c, n, i;
    int op = mpx__is_abs_max(z->q) ? MPX__DIVIDE_CODES : MPX__MULTIPLY; /* of integers alone */
    mpx__affine_get(z, band, &groups);
    for (i = 0; i < band->groups; i++) {
        const uint32_t power = mpx__read32(groups.by + i * 4) >> 23 & 255u;
        if (op == MPX__DIVIDE_CODES && power - 67u > 120u) op = MPX__DIVIDE;
    }
    if (z->q->zero_point) { /* to be added */
        for (i = 0; i < MPX__BAND_GROUPS; i++)
            mpx__write32(groups.zero + i * 4, MPX__INT_IN_F32 - mpx__read32(groups.zero + i * 4));
        mpx__ints_to_f32(groups.zero, MPX__BAND_GROUPS);
    }
    for (r = 0; r < band->rows; r++)
        for (c = 0; c < band->cols; c += n) {
            n = mpx__piece_of(z, band, c);
            mpx__codes_out(z, band, groups.by, z->q->zero_point ? groups.zero : NULL, r, c, n, op);
        }
}

/* A tile of MX or NVFP4, times by[group]. special: a factor is Inf, NaN or 0. */
MPX__NOINLINE void mpx__blocks_tile(const mpx__quantizer *z, const mpx__band *band,
                                   const unsigned char *by, size_t c, size_t n, int special) {
    unsigned char tile[MPX__QUANT_TILE * 4], codes[MPX__QUANT_TILE], unit[4];
    const size_t col = band->col + c, i = band->row * z->grid.cols + col;
    const unsigned char *s = mpx__floats_in(z, tile, band->row, col, n);
    mpx__coder k;
    by += mpx__group_at(band, c) * 4;
    if (z->element->kind == MPX_KIND_FLOAT && !special) {
        mpx__put_products(z, i, tile, s, by, n, band->share);
        return;
    }
    mpx__arith(tile, s, by, n, band->share, MPX__MULTIPLY);
    if (special) {
        mpx__mend_groups(tile, n, by, band->share, 1);
        mpx__put_floats(z, i, tile, n);
        return;
    }
    k.how = MPX__TO_EVEN;
    k.low = -127;
    k.high = 127;
    k.mask = 255;
    mpx__write32(unit, 0x42800000u); /* 64 */
    mpx__codes(codes, tile, unit, NULL, n, 0, &k);
    mpx__put_elements(z, i, codes, n);
}

/* ---- blocks of MX and NVFP4 ------------------------------------ */

/* The f32 of an E8M0. */
MPX__INLINE uint32_t mpx__of_e8m0(uint32_t code) {
    const uint32_t number = code == 0 ? 0x400000u : code << 23;
    return code == 255 ? 0x7fc00000u : number;
}
/* What the rule adds to the largest magnitude of a block, so that a carry out of the mantissa raises
   the scale: for elements with the largest value (1 + top / 2^m) * 2^emax. MXINT8 counts as m = 6,
   emax = 0: its largest value is 127 / 64. */
MPX__INLINE uint32_t mpx__mx_carry(int rule, unsigned m, uint32_t top) {
    return rule == MPX_SCALE_EVEN    ? 1u << (22u - m)
           : rule == MPX_SCALE_CEIL  ? 0x7fffffu
           : rule == MPX_SCALE_RCEIL ? 0x7fffffu - (top << (23u - m))
                                     : 0;
}
/* The scale, as E8M0: from 2^-127 to 2^127. Below 2^-126 magnitudes have no hidden bit, below 2^-127
   all is 0. */
MPX__INLINE uint32_t mpx__mx_scale(uint32_t amax, uint32_t carry, int32_t emax) {
    const uint32_t tiny = amax < 0x400000u ? 0 : amax * 2u - 0x800000u,
                   x = amax < 0x800000u ? tiny : amax;
    const int32_t e = (int32_t)((x + carry) >> 23) - emax, most = e > 254 ? 254 : e;
    return amax >= 0x7f800000u ? 255u : (uint32_t)(most < 0 ? 0 : most);
}
/* Where the scale of group i of a band is, in bytes behind `out`. */
MPX__FORCE_INLINE size_t mpx__scale_at(const mpx__quantizer *z, const mpx__band *band, size_t i) {
    const size_t across = z->grid.across;
    if (!z->q->swizzled) return z->at.scales + band->first + i;
    i += band->first - band->row * across;
    return z->at.scales + mpx__swizzled_scale(band->row, i, across);
}
/* The scales of a band, 32 bits each, to the bytes where they are kept, or from there. */
MPX__LOOP void mpx__move_scales(const mpx__quantizer *z, const mpx__band *band, unsigned char *by,
                                int put) {
    const int swizzled = z->q->swizzled;
    unsigned char *first = z->out + mpx__scale_at(z, band, 0);
    size_t i;
    for (i = 0; i < band->groups; i++) {
        unsigned char *at = swizzled ? z->out + mpx__scale_at(z, band, i) : first + i;
        if (put)
            *at = (unsigned char)(mpx__read32(by + i * 4) & 255u);
        else
            mpx__write32(by + i * 4, *at);
    }
}
/* by: the factors of values. A block with Inf or NaN has NaN for a scale, and its own values for
   codes. */
MPX__PRIVATE void mpx__mx_scales(const mpx__quantizer *z, const mpx__band *band,
                                 unsigned char *by) {
    const int is_int = z->element->kind != MPX_KIND_FLOAT;
    const unsigned m = is_int ? 6 : z->element->mantissa_bits;
    const uint32_t code = is_int ? 127u : (uint32_t)mpx__largest_code(z->element),
                   carry = mpx__mx_carry(z->q->rule, m, code & ((1u << m) - 1u));
    const int emax = is_int ? 0 : (int)(code >> m) - z->element->bias;
    size_t i;
    mpx__band_largest(z, band, by, MPX__LARGER);
    for (i = 0; i < MPX__BAND_GROUPS; i++)
        mpx__write32(by + i * 4, mpx__mx_scale(mpx__read32(by + i * 4), carry, emax));
    mpx__move_scales(z, band, by, 1);
    for (i = 0; i < MPX__BAND_GROUPS; i++) {
        const uint32_t e = mpx__read32(by + i * 4);
        mpx__write32(by + i * 4, e == 255 ? 0x3f800000u : mpx__of_e8m0(254u - e));
    }
}
/* Scales of NVFP4, as codes of 32 bits, to f32: those with the same fields times 2^120. NaN stays
   NaN. */
MPX__LOOP void mpx__nv_values(unsigned char *by) {
    unsigned char unit[4];
    size_t i;
    for (i = 0; i < MPX__BAND_GROUPS; i++) {
        const uint32_t code = mpx__read32(by + i * 4), sign = (code & 128u) << 24,
                       fields = sign | (code & 127u) << 20;
        mpx__write32(by + i * 4, (code & 127u) == 127u ? 0x7fc00000u : fields);
    }
    mpx__write32(unit, 0x7b800000u);
    mpx__arith(by, by, unit, MPX__BAND_GROUPS, 0, MPX__MULTIPLY);
}
/* The two levels of NVFP4. A block's scale is an f8e4m3fn from 2^-6 to 448. */
MPX__PRIVATE void mpx__nv_scales(const mpx__quantizer *z, const mpx__band *band,
                                 unsigned char *by) {
    unsigned char x[MPX__BAND_GROUPS * 4], codes[MPX__BAND_GROUPS];
    size_t i;
    mpx__band_largest(z, band, by, MPX__LARGER);
    mpx__step_with(z, by, 0x40c00000u, MPX__DIVIDE); /* 6 */
    mpx__step_with(z, by, z->tensor_scale, MPX__DIVIDE);
    mpx__mend_nans(by, MPX__BAND_GROUPS);
    for (i = 0; i < MPX__BAND_GROUPS; i++) {
        const uint32_t u = mpx__read32(by + i * 4);
        mpx__write32(by + i * 4, u < 0x3c800000u ? 0x3c800000u : u);
    }
    mpx__cast_saturating(codes, mpx__row_of(MPX_F8E4M3FN), by, mpx__row_of(MPX_F32),
                         MPX__BAND_GROUPS);
    for (i = 0; i < MPX__BAND_GROUPS; i++)
        mpx__write32(by + i * 4, codes[i]);
    mpx__move_scales(z, band, by, 1);
    mpx__nv_values(by);
    mpx__fill(x, 0x3f800000u, MPX__BAND_GROUPS);
    mpx__step_with(z, x, z->tensor_scale, MPX__DIVIDE);
    mpx__arith(by, x, by, MPX__BAND_GROUPS, 1, MPX__DIVIDE);
}
MPX__LOOP void mpx__blocks_quantize(const mpx__quantizer *z, const mpx__band *band) {
    unsigned char by[MPX__BAND_GROUPS * 4];
    size_t c, n;
    int special = 0;
    if (z->q->scheme == MPX_SCHEME_MX) {
        mpx__mx_scales(z, band, by);
    } else {
        mpx__nv_scales(z, band, by);
        special = mpx__any_special(by, MPX__BAND_GROUPS, 1);
    }
    for (c = 0; c < band->cols; c += n) {
        n = mpx__tiles_of(band, c, 1);
        mpx__blocks_tile(z, band, by, c, n, special);
    }
}
MPX__LOOP void mpx__blocks_dequantize(const mpx__quantizer *z, const mpx__band *band) {
    const int is_nv = z->q->scheme == MPX_SCHEME_NVFP4;
    unsigned char by[MPX__BAND_GROUPS * 4];
    size_t c, n, i;
    mpx__zero(by, sizeof by);
    mpx__move_scales(z, band, by, 0);
    for (i = 0; !is_nv && i < MPX__BAND_GROUPS; i++)
        mpx__write32(by + i * 4, mpx__of_e8m0(mpx__read32(by + i * 4)));
    if (is_nv) {
        mpx__nv_values(by);
        mpx__step_with(z, by, z->tensor_scale, MPX__MULTIPLY);
    }
    for (c = 0; c < band->cols; c += n) {
        n = mpx__piece_of(z, band, c);
        mpx__codes_out(z, band, by, NULL, 0, c, n, MPX__MULTIPLY);
    }
}

#endif /* !MPX_NO_QUANT */
