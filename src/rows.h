/*==========================================================================*
 * MARK: rows - functions of elements and of rows                            *
 *   f32 is worked on where it is; all else through tiles of f32 on the      *
 *   stack, read by one cast and written by one.                             *
 *==========================================================================*/
#if MPX_COMPUTE

#if MPX__COMPACT
#define MPX__ROWS (&mpx__row_kernels_here)
#else
#define MPX__ROWS mpx__engine_now()->rows
#endif
/* Dtypes that are read and written: of whole bytes, no complex ones. */
MPX__INLINE int mpx__computes(const mpx__row *row, int floats_only) {
    return row->bits >= 8 && row->kind != MPX_KIND_COMPLEX &&
           (row->kind == MPX_KIND_FLOAT || !floats_only);
}
MPX__INLINE size_t mpx__at_most(size_t n, size_t most) { return n < most ? n : most; }
MPX__INLINE size_t mpx__rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
/* n elements from i on as f32: where they are, or in the tile, where `fill` follows up to `whole`. */
MPX__PRIVATE const unsigned char *mpx__f32_in(unsigned char *tile, const void *src,
                                              const mpx__row *row, size_t i, size_t n, size_t whole,
                                              float fill) {
    const unsigned char *s = (const unsigned char *)src + i * (row->bits / 8u);
    if (row->type == MPX_F32 && n == whole) return s;
    (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(row), n);
    for (; n < whole; n++)
        mpx__write32(tile + n * 4, mpx__bits(fill));
    return tile;
}

enum { MPX__ROW_TILE = 256, MPX__ROW_BLOCK = 16 }; /* floats; a block has whole vectors */

MPX__INLINE size_t mpx__row_whole(size_t n) { return mpx__rounded_up(n, MPX__ROW_BLOCK); }
MPX__INLINE const unsigned char *mpx__row_in(unsigned char *tile, const void *src,
                                             const mpx__row *row, size_t i, size_t n, float fill) {
    return mpx__f32_in(tile, src, row, i, n, mpx__row_whole(n), fill);
}
/* Where n floats are to be made, and what stores them. */
MPX__PRIVATE unsigned char *mpx__row_at(unsigned char *tile, void *dst, const mpx__row *row,
                                        size_t i, size_t n) {
    const int here = row->type == MPX_F32 && n % MPX__ROW_BLOCK == 0;
    return here ? (unsigned char *)dst + i * 4 : tile;
}
MPX__PRIVATE void mpx__row_out(const unsigned char *tile, void *dst, const mpx__row *row, size_t i,
                               size_t n) {
    unsigned char *d = (unsigned char *)dst + i * (row->bits / 8u);
    if (d != tile) (void)mpx_cast(d, mpx__type_of(row), tile, MPX_F32, n);
}
MPX__INLINE int mpx__is_activation(int activation) {
    return activation >= MPX_ACT_NONE && activation <= MPX_ACT_GELU_ERF;
}
MPX__PRIVATE void mpx__activate_all(void *dst, const mpx__row *to, const void *src,
                                    const mpx__row *from, size_t end, int activation) {
    unsigned char tile[MPX__ROW_TILE * 4];
    size_t i, n;
    for (i = 0; i < end; i += n) {
        unsigned char *d;
        n = mpx__at_most(end - i, MPX__ROW_TILE);
        d = mpx__row_at(tile, dst, to, i, n);
        MPX__ROWS->activate(d, mpx__row_in(tile, src, from, i, n, 0), mpx__row_whole(n), activation);
        mpx__row_out(d, dst, to, i, n);
    }
}
MPX__PRIVATE void mpx__activate_sums(float *sums, size_t n, int activation) {
    const mpx__row *row = mpx__row_of(MPX_F32);
    if (activation != MPX_ACT_NONE) mpx__activate_all(sums, row, sums, row, n, activation);
}
MPX__API mpx_status mpx_activate(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, mpx_activation act) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
    mpx__env env;
    if (!mpx__computes(to, 1) || !mpx__computes(from, 1)) return MPX_ERR_DTYPE;
    if (!mpx__is_activation(act)) return MPX_ERR_ARGUMENT;
    if (act == MPX_ACT_NONE) return mpx_cast(dst, dst_type, src, src_type, n);
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    env = mpx__enter(MPX__ENV_MODES);
    mpx__activate_all(dst, to, src, from, n, act);
    mpx__leave(env);
    return MPX_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row of a matrix; weight and bias as long, or NULL. Sums of a tile are f32, those of a row f64. */
typedef struct mpx__line {
    unsigned char *dst;
    const unsigned char *src;
    const void *weight, *bias;
    const mpx__row *to, *from, *by;
    size_t cols;
} mpx__line;
MPX__PRIVATE float mpx__line_largest(const mpx__line *a) {
    unsigned char tile[MPX__ROW_TILE * 4];
    float largest = mpx__float(0xff800000u), one;
    size_t i, n;
    for (i = 0; i < a->cols; i += n) {
        n = mpx__at_most(a->cols - i, MPX__ROW_TILE);
        one = MPX__ROWS->largest(mpx__row_in(tile, a->src, a->from, i, n, mpx__float(0xff800000u)),
                                 mpx__row_whole(n));
        if (one > largest) largest = one;
    }
    return largest;
}
/* Of e^(x - from); else of x - from, or of its squares. */
enum { MPX__SUM_PLAIN, MPX__SUM_SQUARES, MPX__SUM_EXP };
MPX__PRIVATE double mpx__line_sum(const mpx__line *a, float from, int what) {
    unsigned char tile[MPX__ROW_TILE * 4];
    const float fill = what == MPX__SUM_EXP ? mpx__float(0xff800000u) : from;
    double sum = 0;
    size_t i, n;
    for (i = 0; i < a->cols; i += n) {
        const unsigned char *s;
        size_t whole;
        n = mpx__at_most(a->cols - i, MPX__ROW_TILE);
        whole = mpx__row_whole(n);
        s = mpx__row_in(tile, a->src, a->from, i, n, fill);
        sum += (double)(what == MPX__SUM_EXP ? MPX__ROWS->exp_sum(tile, s, whole, from)
                                             : MPX__ROWS->sum(s, whole, from, what));
    }
    return sum;
}
MPX__PRIVATE const unsigned char *mpx__line_of(unsigned char *tile, const void *p,
                                               const mpx__row *row, size_t i, size_t n) {
    return p != NULL ? mpx__row_in(tile, p, row, i, n, 0) : NULL;
}
/* (x - from) * by * weight + bias; by comes after e^ where exp is 1. */
MPX__NOINLINE void mpx__line_out(const mpx__line *a, float from, float by, int exp) {
    unsigned char tile[MPX__ROW_TILE * 4], weight[MPX__ROW_TILE * 4], bias[MPX__ROW_TILE * 4];
    size_t i, n;
    for (i = 0; i < a->cols; i += n) {
        const unsigned char *s;
        unsigned char *d;
        size_t whole;
        n = mpx__at_most(a->cols - i, MPX__ROW_TILE);
        whole = mpx__row_whole(n);
        s = mpx__row_in(tile, a->src, a->from, i, n, 0);
        d = mpx__row_at(tile, a->dst, a->to, i, n);
        if (exp) {
            (void)MPX__ROWS->exp_sum(d, s, whole, from);
            s = d;
        }
        MPX__ROWS->affine(d, s, whole, exp ? 0 : from, by,
                          mpx__line_of(weight, a->weight, a->by, i, n),
                          mpx__line_of(bias, a->bias, a->by, i, n));
        mpx__row_out(d, a->dst, a->to, i, n);
    }
}
/* ln(x) of a normal x: by the series of atanh, to 40 bits. */
MPX__PRIVATE double mpx__ln(double x) {
    uint64_t u = mpx__read64(&x);
    const int e = (int)(u >> 52) - 1023;
    double m, z, y = 0;
    int k;
    if (!(u < (uint64_t)0x7ff << 52)) return x;
    u = (u & (((uint64_t)1 << 52) - 1u)) | (uint64_t)1023 << 52;
    mpx__write64(&m, u);
    m = (m - 1.4142135623730951) / (m + 1.4142135623730951);
    z = m * m;
    for (k = 17; k > 0; k -= 2)
        y = y * z + 1.0 / k;
    return 2 * m * y + (e + 0.5) * 0.69314718055994531;
}
MPX__PRIVATE double mpx__root(double x) {
    const uint64_t u = mpx__f64_root(mpx__read64(&x));
    mpx__write64(&x, u);
    return x;
}
/* How a row is done. */
enum { MPX__SOFTMAX, MPX__LOG_SOFTMAX, MPX__LAYER_NORM, MPX__RMS_NORM };
MPX__PRIVATE void mpx__line_do(const mpx__line *a, int what, float eps) {
    float from = 0, by = 1;
    double sum, cols = (double)a->cols;
    if (what <= MPX__LOG_SOFTMAX) {
        from = mpx__line_largest(a);
        sum = mpx__line_sum(a, from, MPX__SUM_EXP);
        if (what == MPX__SOFTMAX)
            by = (float)(1 / sum);
        else
            from = (float)((double)from + mpx__ln(sum));
    } else {
        if (what == MPX__LAYER_NORM)
            from = (float)(mpx__line_sum(a, 0, MPX__SUM_PLAIN) / cols);
        by = (float)(1 / mpx__root(mpx__line_sum(a, from, MPX__SUM_SQUARES) / cols + (double)eps));
    }
    mpx__line_out(a, from, by, what == MPX__SOFTMAX);
}
MPX__PRIVATE mpx_status mpx__lines(void *dst, mpx_dtype dst_type, const void *src,
                                   mpx_dtype src_type, size_t rows, size_t cols, int what,
                                   const mpx_norm_options *opt) {
    mpx__line a;
    mpx__env env;
    mpx__zero(&a, sizeof a);
    a.to = mpx__row_of(dst_type);
    a.from = mpx__row_of(src_type);
    if (!mpx__computes(a.to, 1) || !mpx__computes(a.from, 1)) return MPX_ERR_DTYPE;
    if (opt != NULL) {
        a.weight = opt->weight;
        a.bias = opt->bias;
        a.by = mpx__row_of(opt->type);
        if ((a.weight != NULL || a.bias != NULL) && !mpx__computes(a.by, 1)) return MPX_ERR_DTYPE;
    }
    if (cols != 0 && rows > ((size_t)-1 >> 4) / cols) return MPX_ERR_SPACE;
    if (rows == 0 || cols == 0) return MPX_OK;
    MPX_ASSERT(dst != NULL && src != NULL);
    a.dst = (unsigned char *)dst;
    a.src = (const unsigned char *)src;
    a.cols = cols;
    env = mpx__enter(MPX__ENV_MODES);
    for (; rows != 0; rows--) {
        mpx__line_do(&a, what, opt != NULL && mpx__read32(&opt->eps) != 0 ? opt->eps : 1e-5f);
        a.dst += cols * (a.to->bits / 8u);
        a.src += cols * (a.from->bits / 8u);
    }
    mpx__leave(env);
    return MPX_OK;
}
MPX__API mpx_status mpx_softmax(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols) {
    return mpx__lines(dst, dst_type, src, src_type, rows, cols, MPX__SOFTMAX, NULL);
}
MPX__API mpx_status mpx_log_softmax(void *dst, mpx_dtype dst_type, const void *src,
                                    mpx_dtype src_type, size_t rows, size_t cols) {
    return mpx__lines(dst, dst_type, src, src_type, rows, cols, MPX__LOG_SOFTMAX, NULL);
}
MPX__API mpx_status mpx_layer_norm(void *dst, mpx_dtype dst_type, const void *src,
                                   mpx_dtype src_type, size_t rows, size_t cols,
                                   const mpx_norm_options *opt) {
    return mpx__lines(dst, dst_type, src, src_type, rows, cols, MPX__LAYER_NORM, opt);
}
MPX__API mpx_status mpx_rms_norm(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t rows, size_t cols, const mpx_norm_options *opt) {
    return mpx__lines(dst, dst_type, src, src_type, rows, cols, MPX__RMS_NORM, opt);
}

#undef MPX__ROWS
#endif /* MPX_COMPUTE */
