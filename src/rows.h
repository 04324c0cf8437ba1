/*==================================================================*
 * MARK: rows - functions of elements and of rows
 *   f32 is used where it lies. Every other dtype is cast to tiles of f32 on the stack, and the
 *   result is cast back.
 *==================================================================*/
#if MPX_COMPUTE

#if MPX__COMPACT
#define MPX__ROWS (&mpx__row_kernels_here)
#else
#define MPX__ROWS mpx__engine_now()->rows
#endif
/* Dtypes that can be read and written: of 8 bits and more, not complex. */
MPX__INLINE int mpx__computes(const mpx__row *row, int floats_only) {
    return row->bits >= 8 && row->kind != MPX_KIND_COMPLEX &&
           (row->kind == MPX_KIND_FLOAT || !floats_only);
}
MPX__INLINE size_t mpx__at_most(size_t n, size_t most) { return n < most ? n : most; }
MPX__INLINE size_t mpx__rounded_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
/* n elements from i on as f32: in place, or in the tile, padded with `fill` up to `whole`. */
MPX__PRIVATE const unsigned char *mpx__f32_in(unsigned char *tile, const void *src,
                                              const mpx__row *row, size_t i, size_t n, size_t whole,
                                              float fill) {
    const unsigned char *s = (const unsigned char *)src + i * (row->bits / 8u);
    if (row->type == MPX_F32 && n == whole) return s;
#if !MPX__COMPACT
    if (row->type == MPX_F32)
        mpx__engine_now()->first_bytes(tile, s, n * 4, whole * 4);
    else
#endif
        (void)mpx_cast(tile, MPX_F32, s, mpx__type_of(row), n);
    for (; n < whole; n++)
        mpx__write32(tile + n * 4, mpx__bits(fill));
    return tile;
}

/* Floats of a tile; of a block, which has whole vectors. Points that are turned at a time. Of a row
   that is looked at several times, up to twice so many floats are kept as f32, in two frames: none
   has more than a page. */
enum { MPX__ROW_TILE = 256, MPX__ROW_BLOCK = 16, MPX__POINTS = 128, MPX__ROW_KEPT = 512 };

MPX__INLINE size_t mpx__row_whole(size_t n) { return mpx__rounded_up(n, MPX__ROW_BLOCK); }
/* Whole blocks of f32 need no copy. */
MPX__INLINE int mpx__row_in_place(const mpx__row *row, size_t n) {
    return row->type == MPX_F32 && n % MPX__ROW_BLOCK == 0;
}
MPX__INLINE const unsigned char *mpx__row_in(unsigned char *tile, const void *src,
                                             const mpx__row *row, size_t i, size_t n, float fill) {
    return mpx__f32_in(tile, src, row, i, n, mpx__row_whole(n), fill);
}
MPX__INLINE const unsigned char *mpx__row_if(unsigned char *tile, const void *p, const mpx__row *row,
                                             size_t i, size_t n) {
    return p != NULL ? mpx__row_in(tile, p, row, i, n, 0) : NULL;
}
/* Where n floats are to be made, and what stores them. */
MPX__PRIVATE unsigned char *mpx__row_at(unsigned char *tile, void *dst, const mpx__row *row,
                                        size_t i, size_t n) {
    return mpx__row_in_place(row, n) ? (unsigned char *)dst + i * 4 : tile;
}
MPX__PRIVATE void mpx__row_out(const unsigned char *tile, void *dst, const mpx__row *row, size_t i,
                               size_t n) {
    unsigned char *d = (unsigned char *)dst + i * (row->bits / 8u);
    if (d != tile) (void)mpx_cast(d, mpx__type_of(row), tile, MPX_F32, n);
}
MPX__INLINE int mpx__is_activation(int activation) {
    const int last = MPX_USE_SLEEF ? MPX_ACT_EXPM1 : MPX_ACT_GELU_ERF;
    return activation >= MPX_ACT_NONE && activation <= last;
}
/* dy: NULL, or what derivatives are multiplied by. */
MPX__PRIVATE void mpx__activate_all(void *dst, const mpx__row *to, const void *dy,
                                    const mpx__row *by, const void *src, const mpx__row *from,
                                    size_t end, int activation) {
    unsigned char tile[3 * MPX__ROW_TILE * 4], *slopes = tile + 2 * MPX__ROW_TILE * 4;
    size_t i, n, most = dy != NULL ? MPX__ROW_TILE : 3 * MPX__ROW_TILE;
    for (i = 0; i < end; i += n) {
        unsigned char *d;
        n = mpx__at_most(end - i, most);
        d = mpx__row_at(tile, dst, to, i, n);
        MPX__ROWS->activate(d, mpx__row_if(slopes, dy, by, i, n),
                            mpx__row_in(tile, src, from, i, n, 0), mpx__row_whole(n), activation);
        mpx__row_out(d, dst, to, i, n);
    }
}
MPX__PRIVATE void mpx__activate_sums(float *sums, size_t n, int activation) {
    const mpx__row *row = mpx__row_of(MPX_F32);
    if (activation != MPX_ACT_NONE) mpx__activate_all(sums, row, NULL, row, sums, row, n, activation);
}
/* Adds to sums as many floats. Both arrays have room for whole blocks. */
MPX__PRIVATE void mpx__add_to_sums(float *sums, const float *more, size_t n) {
    unsigned char *d = (unsigned char *)sums;
    MPX__ROWS->affine(d, d, mpx__row_whole(n), 0, 1, -0.0f, NULL, (const unsigned char *)more);
}
/* dy as above. */
MPX__PRIVATE mpx_status mpx__activate(void *dst, mpx_dtype dst_type, const void *dy,
                                      mpx_dtype dy_type, const void *src, mpx_dtype src_type,
                                      size_t n, int activation) {
    const mpx__row *to = mpx__row_of(dst_type), *by = mpx__row_of(dy_type),
                   *from = mpx__row_of(src_type);
    mpx__env env;
    if (!mpx__computes(to, 1) || !mpx__computes(by, 1) || !mpx__computes(from, 1))
        return MPX_ERR_DTYPE;
    if (activation == MPX_ACT_NONE)
        return dy != NULL ? mpx_cast(dst, dst_type, dy, dy_type, n)
                          : mpx_cast(dst, dst_type, src, src_type, n);
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    env = mpx__enter(MPX__ENV_PLAIN);
    mpx__activate_all(dst, to, dy, by, src, from, n, activation);
    mpx__leave(env);
    return MPX_OK;
}
MPX__API mpx_status mpx_activate(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t n, mpx_activation act) {
    if (!mpx__is_activation(act)) return MPX_ERR_ARGUMENT;
    return mpx__activate(dst, dst_type, NULL, src_type, src, src_type, n, act);
}
MPX__API mpx_status mpx_activate_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                      const void *x, mpx_dtype x_type, size_t n,
                                      mpx_activation act) {
    MPX_ASSERT(n == 0 || dy != NULL);
    if (!mpx__is_activation(act)) return MPX_ERR_ARGUMENT;
    return mpx__activate(dx, dx_type, dy, dy_type, x, x_type, n, act);
}
#if MPX_USE_SLEEF
/* mpx_pow is a function of x with y in the place of dy: the kernel after the last derivative. */
MPX__API mpx_status mpx_pow(void *dst, mpx_dtype dst_type, const void *x, mpx_dtype x_type,
                            const void *y, mpx_dtype y_type, size_t n) {
    MPX_ASSERT(n == 0 || y != NULL);
    return mpx__activate(dst, dst_type, y, y_type, x, x_type, n, MPX_ACT_EXPM1 + 1);
}
#endif

/* ---- rows ------------------------------------------------------ */

/* A row of a matrix; weight and bias as long, or NULL. Sums of a tile are f32, those of a row f64. */
typedef struct mpx__line {
    unsigned char *dst;
    const unsigned char *src, *dy; /* dy of gradients */
    const void *weight, *bias;
    const mpx__row *to, *from, *by, *dy_row;
    size_t cols, label; /* label: an element that `less` is taken off; in log_softmax: all */
    float less;
    unsigned char *kept[2]; /* NULL, or places for the last floats, MPX__ROW_KEPT in each */
    size_t kept_from;       /* the first column that has one */
    int is_kept;            /* they are there, unless the source is read in place */
} mpx__line;
/* Where columns from i on are kept; NULL: nowhere. */
MPX__INLINE unsigned char *mpx__line_kept(const mpx__line *a, size_t i) {
    if (i < a->kept_from || a->kept[0] == NULL) return NULL;
    i -= a->kept_from;
    return a->kept[i / MPX__ROW_KEPT] + i % MPX__ROW_KEPT * 4;
}
/* Where e^x of columns from i on are kept. dst holds those of its first columns as f32 until they
   become results, from the first one on, which take no more room. */
MPX__INLINE unsigned char *mpx__line_exps(const mpx__line *a, size_t i) {
    unsigned char *kept = mpx__line_kept(a, i);
    const size_t room = a->cols * (a->to->bits / 8u) / 4;
    if (kept != NULL || a->dst == NULL || a->to->bits > 32 || i + MPX__ROW_TILE > room) return kept;
    return a->to->type == MPX_F32 || a->dst != a->src ? a->dst + i * 4 : NULL;
}
/* How many columns from i on are read together: all that lie in one place, or a tile. */
MPX__INLINE size_t mpx__line_piece(const mpx__line *a, size_t i) {
    const size_t most = mpx__line_kept(a, i) != NULL ? MPX__ROW_KEPT : MPX__ROW_TILE;
    return mpx__at_most(a->cols - i, most - i % most);
}
/* Columns i to i + n as f32, with `fill` up to whole blocks. */
MPX__PRIVATE const unsigned char *mpx__line_in(const mpx__line *a, unsigned char *tile, size_t i,
                                               size_t n, float fill) {
    unsigned char *kept = mpx__line_kept(a, i);
    size_t j;
    if (mpx__row_in_place(a->from, n)) return a->src + i * 4;
    if (kept == NULL || !a->is_kept)
        return mpx__row_in(kept != NULL ? kept : tile, a->src, a->from, i, n, fill);
    for (j = n; j < mpx__row_whole(n); j++)
        mpx__write32(kept + j * 4, mpx__bits(fill));
    return kept;
}
MPX__NOINLINE float mpx__line_largest(mpx__line *a) {
    unsigned char tile[MPX__ROW_TILE * 4];
    float largest = mpx__float(0xff800000u), one;
    size_t i, n;
    for (i = 0; i < a->cols; i += n) {
        n = mpx__line_piece(a, i);
        one = MPX__ROWS->largest(mpx__line_in(a, tile, i, n, mpx__float(0xff800000u)),
                                 mpx__row_whole(n));
        if (one > largest) largest = one;
    }
    a->is_kept = 1;
    return largest;
}
/* Of e^(x - from); else of x - from, or of its squares. */
enum { MPX__SUM_PLAIN, MPX__SUM_SQUARES, MPX__SUM_EXP, MPX__SUM_EXP_KEPT };
MPX__NOINLINE double mpx__line_sum(mpx__line *a, float from, int what) {
    unsigned char tile[MPX__ROW_TILE * 4];
    const float fill = what >= MPX__SUM_EXP ? mpx__float(0xff800000u) : from;
    double sum = 0;
    size_t i, n;
    for (i = 0; i < a->cols; i += n) {
        unsigned char *d = what == MPX__SUM_EXP_KEPT ? mpx__line_exps(a, i) : NULL;
        const unsigned char *s;
        size_t j, part;
        n = mpx__line_piece(a, i);
        s = mpx__line_in(a, tile, i, n, fill);
        for (j = 0; j < mpx__row_whole(n); j += part) {
            part = mpx__at_most(mpx__row_whole(n) - j, MPX__ROWS->most);
            sum += (double)(what < MPX__SUM_EXP
                                ? MPX__ROWS->sum(s + j * 4, part, from, what)
                                : MPX__ROWS->exp_sum(d != NULL ? d + j * 4 : NULL, s + j * 4, part,
                                                     from));
        }
    }
    a->is_kept = 1;
    return sum;
}
/* (x - from) * by * weight + bias; by comes after e^ if exp is 1. */
MPX__NOINLINE void mpx__line_out(const mpx__line *a, float from, float by, int exp) {
    unsigned char tile[MPX__ROW_TILE * 4], weight[MPX__ROW_TILE * 4], bias[MPX__ROW_TILE * 4];
    const int direct = (a->weight == NULL && a->bias == NULL) || a->by->type == MPX_F32;
    const float plus = exp ? -0.0f : -a->less; /* -0 changes no zero */
    size_t i, n;
    for (i = 0; i < a->cols; i += n) {
        const unsigned char *s;
        unsigned char *d, *kept = mpx__line_kept(a, i);
        size_t whole;
        n = mpx__line_piece(a, i);
        if (!direct || n % MPX__ROW_BLOCK != 0) n = mpx__at_most(n, MPX__ROW_TILE);
        whole = mpx__row_whole(n);
        d = mpx__row_at(kept != NULL ? kept : tile, a->dst, a->to, i, n);
        s = exp ? mpx__line_exps(a, i) : mpx__line_in(a, tile, i, n, 0);
        if (s == NULL) { /* not kept */
            (void)MPX__ROWS->exp_sum(d, mpx__line_in(a, tile, i, n, 0), whole, from);
            s = d;
        }
        MPX__ROWS->affine(d, s, whole, exp ? 0 : from, by, plus,
                          mpx__row_if(weight, a->weight, a->by, i, n),
                          mpx__row_if(bias, a->bias, a->by, i, n));
        if (a->label - i < n) {
            unsigned char *at = d + (a->label - i) * 4;
            mpx__write32(at, mpx__bits(mpx__float(mpx__read32(at)) - a->less));
        }
        mpx__row_out(d, a->dst, a->to, i, n);
    }
}
/* ln(x) of a normal x: by the series of atanh, to 40 bits. */
MPX__PRIVATE double mpx__ln(double x) {
    uint64_t u = mpx__read64(&x);
    const int above = (u << 12) > (uint64_t)0x6a09e667f3bcd << 12, /* of a power of two, sqrt(2) */
              e = (int)(u >> 52) - 1023 + above;
    double m, z, y = 0;
    int k;
    if (!(u < (uint64_t)0x7ff << 52)) return x;
    u = (u & (((uint64_t)1 << 52) - 1u)) | (uint64_t)(1023 - above) << 52;
    mpx__write64(&m, u);
    m = (m - 1) / (m + 1);
    z = m * m;
    for (k = 17; k > 0; k -= 2)
        y = y * z + 1.0 / k;
    return 2 * m * y + e * 0.69314718055994531;
}
/* 1 / sqrt(x) of a normal x: Newton's steps from minus half the exponent, to 34 bits. */
MPX__PRIVATE double mpx__over_root(double x) {
    const uint64_t u = mpx__read64(&x);
    double y;
    int i;
    if (!(u < (uint64_t)0x7ff << 52)) return 1 / x;
    mpx__write64(&y, ((uint64_t)0x5fe6eb50 << 32 | 0xc7b537a9u) - (u >> 1));
    for (i = 0; i < 3; i++)
        y *= 1.5 - 0.5 * x * y * y;
    return y;
}
/* How a row is done. */
enum { MPX__SOFTMAX, MPX__LOG_SOFTMAX, MPX__LAYER_NORM, MPX__RMS_NORM };
/* What a norm multiplies by; *from gets the mean. */
MPX__PRIVATE double mpx__line_norm(mpx__line *a, int what, float eps, float *from) {
    const double cols = (double)a->cols;
    *from = what == MPX__LAYER_NORM ? (float)(mpx__line_sum(a, 0, MPX__SUM_PLAIN) / cols) : 0;
    return mpx__over_root(mpx__line_sum(a, *from, MPX__SUM_SQUARES) / cols + (double)eps);
}
/* The sum of e^(x - from); the terms are stored if `keeps`. *from is the largest x. */
MPX__PRIVATE double mpx__line_exp(mpx__line *a, float *from, int keeps) {
    *from = mpx__line_largest(a);
    return mpx__line_sum(a, *from, keeps ? MPX__SUM_EXP_KEPT : MPX__SUM_EXP);
}
MPX__NOINLINE void mpx__line_do(mpx__line *a, int what, float eps) {
    unsigned char kept[MPX__ROW_KEPT * 4];
    float from, by = 1;
    a->kept[1] = kept;
    a->is_kept = 0;
    if (what == MPX__SOFTMAX) {
        by = (float)(1 / mpx__line_exp(a, &from, 1));
    } else if (what == MPX__LOG_SOFTMAX) {
        a->less = (float)mpx__ln(mpx__line_exp(a, &from, 0));
    } else {
        by = (float)mpx__line_norm(a, what, eps, &from);
    }
    mpx__line_out(a, from, by, what == MPX__SOFTMAX);
}
/* What a gradient is made of, from column i of a row on. */
typedef struct mpx__line_part {
    const unsigned char *x, *dy, *weight;
    size_t n, whole;
    unsigned char tiles[3][MPX__ROW_TILE * 4];
} mpx__line_part;
MPX__PRIVATE void mpx__line_at(mpx__line_part *p, const mpx__line *a, int what, size_t i) {
    p->n = mpx__at_most(a->cols - i, MPX__ROW_TILE);
    p->whole = mpx__row_whole(p->n);
    p->x = mpx__row_in(p->tiles[0], a->src, a->from, i, p->n, 0);
    p->dy = mpx__row_in(p->tiles[1], a->dy, a->dy_row, i, p->n, 0);
    p->weight = what == MPX__SOFTMAX ? p->x : mpx__row_if(p->tiles[2], a->weight, a->by, i, p->n);
}
/* sums += (x - from) * by * dy; sums of dy where x is NULL. */
MPX__PRIVATE void mpx__line_add(float *sums, const mpx__line_part *p, size_t i,
                                const unsigned char *x, float from, float by) {
    unsigned char tile[MPX__ROW_TILE * 4];
    const mpx__row *row = mpx__row_of(MPX_F32);
    unsigned char *d;
    if (sums == NULL) return;
    d = mpx__row_at(tile, sums, row, i, p->n);
    MPX__ROWS->affine(d, x != NULL ? x : p->dy, p->whole, from, by, -0.0f, x != NULL ? p->dy : NULL,
                      mpx__row_in(tile, sums, row, i, p->n, 0));
    mpx__row_out(d, sums, row, i, p->n);
}
/* Of softmax, whose y is src: y * dy - y * sum(y * dy). Of norms, with g = dy * weight and z of
   mean 0 and size 1: (g - mean(g) - z * mean(g * z)) * by; rms_norm has no mean. */
MPX__LOOP void mpx__line_grad(mpx__line *a, int what, const mpx_norm_options *opt,
                                  float eps) {
    float k[4] = { 0, 1, 0, 0 }, sums[2];
    double by = 1, sum = 0, products = 0;
    mpx__line_part p;
    size_t i, j, part;
    if (what != MPX__SOFTMAX) by = mpx__line_norm(a, what, eps, &k[0]);
    for (i = 0; i < a->cols; i += p.n) {
        mpx__line_at(&p, a, what, i);
        for (j = 0; j < p.whole; j += part) {
            part = mpx__at_most(p.whole - j, MPX__ROWS->most);
            MPX__ROWS->grad_sums(sums, p.dy + j * 4, p.weight != NULL ? p.weight + j * 4 : NULL,
                                 p.x + j * 4, part, k[0]);
            sum += (double)sums[0];
            products += (double)sums[1];
        }
    }
    k[1] = (float)by;
    k[2] = (float)(what == MPX__SOFTMAX ? -sum : -by * by * by * products / (double)a->cols);
    k[3] = (float)(what == MPX__LAYER_NORM ? -by * sum / (double)a->cols : 0);
    for (i = 0; i < a->cols; i += p.n) {
        unsigned char *d;
        mpx__line_at(&p, a, what, i);
        if (opt != NULL) {
            mpx__line_add(opt->dweight, &p, i, p.x, k[0], k[1]);
            mpx__line_add(opt->dbias, &p, i, NULL, 0, 1);
        }
        d = mpx__row_at(p.tiles[0], a->dst, a->to, i, p.n);
        MPX__ROWS->grad(d, p.dy, p.weight, p.x, p.whole, k);
        mpx__row_out(d, a->dst, a->to, i, p.n);
    }
}
MPX__PRIVATE mpx_status mpx__line_set(mpx__line *a, void *dst, mpx_dtype dst_type, const void *src,
                                      mpx_dtype src_type, size_t rows, size_t cols) {
    mpx__zero(a, sizeof *a);
    a->dst = (unsigned char *)dst;
    a->src = (const unsigned char *)src;
    a->to = mpx__row_of(dst_type);
    a->from = mpx__row_of(src_type);
    a->cols = a->label = cols;
    if (cols > 2 * MPX__ROW_KEPT)
        a->kept_from = mpx__rounded_up(cols, MPX__ROW_KEPT) - 2 * MPX__ROW_KEPT;
    if (!mpx__computes(a->to, 1) || !mpx__computes(a->from, 1)) return MPX_ERR_DTYPE;
    return cols != 0 && rows > ((size_t)-1 >> 4) / cols ? MPX_ERR_SPACE : MPX_OK;
}
/* dy: NULL, or gradients are made. */
MPX__PRIVATE mpx_status mpx__lines(void *dst, mpx_dtype dst_type, const void *dy, mpx_dtype dy_type,
                                   const void *src, mpx_dtype src_type, size_t rows, size_t cols,
                                   int what, const mpx_norm_options *opt) {
    unsigned char kept[MPX__ROW_KEPT * 4];
    mpx__line a;
    mpx__env env;
    float eps = 1e-5f;
    const mpx_status status = mpx__line_set(&a, dst, dst_type, src, src_type, rows, cols);
    if (status != MPX_OK) return status;
    a.dy = (const unsigned char *)dy;
    a.dy_row = mpx__row_of(dy_type);
    if (!mpx__computes(a.dy_row, 1)) return MPX_ERR_DTYPE;
    if (opt != NULL) {
        a.weight = opt->weight;
        a.bias = opt->bias;
        a.by = mpx__row_of(opt->type);
        if (mpx__read32(&opt->eps) << 1 != 0) eps = opt->eps;
        if ((a.weight != NULL || a.bias != NULL) && !mpx__computes(a.by, 1)) return MPX_ERR_DTYPE;
    }
    if (rows == 0 || cols == 0) return MPX_OK;
    MPX_ASSERT(dst != NULL && src != NULL);
    if (dy == NULL) a.kept[0] = kept;
    env = mpx__enter(MPX__ENV_PLAIN);
    for (; rows != 0; rows--) {
        if (dy != NULL) {
            mpx__line_grad(&a, what, opt, eps);
            a.dy += cols * (a.dy_row->bits / 8u);
        } else {
            mpx__line_do(&a, what, eps);
        }
        a.dst += cols * (a.to->bits / 8u);
        a.src += cols * (a.from->bits / 8u);
    }
    mpx__leave(env);
    return MPX_OK;
}
MPX__API mpx_status mpx_softmax(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols) {
    return mpx__lines(dst, dst_type, NULL, src_type, src, src_type, rows, cols, MPX__SOFTMAX, NULL);
}
MPX__API mpx_status mpx_log_softmax(void *dst, mpx_dtype dst_type, const void *src,
                                    mpx_dtype src_type, size_t rows, size_t cols) {
    return mpx__lines(dst, dst_type, NULL, src_type, src, src_type, rows, cols, MPX__LOG_SOFTMAX, NULL);
}
MPX__API mpx_status mpx_layer_norm(void *dst, mpx_dtype dst_type, const void *src,
                                   mpx_dtype src_type, size_t rows, size_t cols,
                                   const mpx_norm_options *opt) {
    return mpx__lines(dst, dst_type, NULL, src_type, src, src_type, rows, cols, MPX__LAYER_NORM, opt);
}
MPX__API mpx_status mpx_rms_norm(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                                 size_t rows, size_t cols, const mpx_norm_options *opt) {
    return mpx__lines(dst, dst_type, NULL, src_type, src, src_type, rows, cols, MPX__RMS_NORM, opt);
}
MPX__API mpx_status mpx_softmax_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                     const void *y, mpx_dtype y_type, size_t rows, size_t cols) {
    MPX_ASSERT(dy != NULL || rows == 0 || cols == 0);
    return mpx__lines(dx, dx_type, dy, dy_type, y, y_type, rows, cols, MPX__SOFTMAX, NULL);
}
MPX__API mpx_status mpx_layer_norm_grad(void *dx, mpx_dtype dx_type, const void *dy,
                                        mpx_dtype dy_type, const void *x, mpx_dtype x_type,
                                        size_t rows, size_t cols, const mpx_norm_options *opt) {
    MPX_ASSERT(dy != NULL || rows == 0 || cols == 0);
    return mpx__lines(dx, dx_type, dy, dy_type, x, x_type, rows, cols, MPX__LAYER_NORM, opt);
}
MPX__API mpx_status mpx_rms_norm_grad(void *dx, mpx_dtype dx_type, const void *dy, mpx_dtype dy_type,
                                      const void *x, mpx_dtype x_type, size_t rows, size_t cols,
                                      const mpx_norm_options *opt) {
    MPX_ASSERT(dy != NULL || rows == 0 || cols == 0);
    return mpx__lines(dx, dx_type, dy, dy_type, x, x_type, rows, cols, MPX__RMS_NORM, opt);
}

/* ---- cross-entropy --------------------------------------------- */

MPX__PRIVATE void mpx__line_zero(const mpx__line *a) {
    unsigned char tile[MPX__ROW_TILE * 4];
    size_t i, n;
    mpx__zero(tile, sizeof tile);
    for (i = 0; i < a->cols; i += n) {
        n = mpx__at_most(a->cols - i, MPX__ROW_TILE);
        mpx__row_out(tile, a->dst, a->to, i, n);
    }
}
/* The loss of a row with a label; its gradient, if there is a dst. */
MPX__NOINLINE float mpx__line_entropy(mpx__line *a) {
    unsigned char kept[MPX__ROW_KEPT * 4];
    float from, x;
    double sum;
    a->kept[1] = kept;
    a->is_kept = 0;
    (void)mpx_cast(&x, MPX_F32, a->src + a->label * (a->from->bits / 8u), mpx__type_of(a->from), 1);
    sum = mpx__line_exp(a, &from, 1);
    if (a->dst != NULL) mpx__line_out(a, from, (float)((double)a->less / sum), 1);
    return (float)((double)from - (double)x + mpx__ln(sum));
}
MPX__API mpx_status mpx_cross_entropy(float *loss, void *dx, mpx_dtype dx_type, const void *x,
                                      mpx_dtype x_type, const int32_t *labels, size_t rows,
                                      size_t cols, float scale) {
    unsigned char kept[MPX__ROW_KEPT * 4];
    mpx__line a;
    mpx__env env;
    size_t r;
    const mpx_status status = mpx__line_set(&a, dx, dx != NULL ? dx_type : x_type, x, x_type, rows,
                                            cols);
    if (status != MPX_OK) return status;
    if (rows > (size_t)-1 >> 4) return MPX_ERR_SPACE; /* of losses */
    MPX_ASSERT(rows == 0 || (labels != NULL && (x != NULL || cols == 0)));
    for (r = 0; r < rows; r++)
        if (labels[r] >= 0 && (uint32_t)labels[r] >= cols) return MPX_ERR_ARGUMENT;
    a.less = scale;
    a.kept[0] = kept;
    env = mpx__enter(MPX__ENV_PLAIN);
    for (r = 0; r < rows; r++) {
        float one = 0;
        a.label = (size_t)labels[r];
        if (labels[r] >= 0)
            one = mpx__line_entropy(&a);
        else if (dx != NULL)
            mpx__line_zero(&a);
        if (loss != NULL) loss[r] = one;
        if (dx != NULL) a.dst += cols * (a.to->bits / 8u);
        if (x != NULL) a.src += cols * (a.from->bits / 8u);
    }
    mpx__leave(env);
    return MPX_OK;
}

/* ---- rotary embedding ------------------------------------------ */

/* A head of dst and src. table: the cosines of its points, then as many sines. */
MPX__PRIVATE void mpx__rotary_head(const mpx__line *a, const float *table, size_t points,
                                   mpx_rotary_pairs pairs, float sign) {
    unsigned char both[MPX__POINTS * 8], *second = both + MPX__POINTS * 4,
                  tiles[2][MPX__POINTS * 4];
    const mpx__row *row = mpx__row_of(MPX_F32);
    const int mixed = pairs == MPX_ROTARY_INTERLEAVED;
    size_t i, n, whole;
    for (i = 0; i < points; i += n) {
        const unsigned char *s[2] = { NULL, NULL }, *turn[2];
        unsigned char *d[2] = { NULL, NULL };
        n = mpx__at_most(points - i, MPX__POINTS);
        whole = mpx__row_whole(n);
        turn[0] = mpx__row_in(tiles[0], table, row, i, n, 0);
        turn[1] = mpx__row_in(tiles[1], table, row, points + i, n, 0);
        s[0] = mpx__f32_in(both, a->src, a->from, i << mixed, n << mixed, whole << mixed, 0);
        d[0] = n == whole ? mpx__row_at(both, a->dst, a->to, i << mixed, n << mixed) : both;
        if (!mixed) {
            s[1] = mpx__row_in(second, a->src, a->from, points + i, n, 0);
            d[1] = mpx__row_at(second, a->dst, a->to, points + i, n);
        }
        MPX__ROWS->rotate(d, s, turn, whole, sign);
        mpx__row_out(d[0], a->dst, a->to, i << mixed, n << mixed);
        if (!mixed) mpx__row_out(d[1], a->dst, a->to, points + i, n);
    }
}
/* n elements: the heads that fit into a tile, as f32, or a larger one. */
MPX__PRIVATE void mpx__rotary_heads(const mpx__line *a, const float *table, size_t n, size_t dim,
                                    mpx_rotary_pairs pairs, float sign) {
    unsigned char tile[MPX__POINTS * 8], *d = a->dst;
    mpx__line head;
    size_t i;
    mpx__copy(&head, a, sizeof head);
    if (n <= 2 * MPX__POINTS) {
        head.src = mpx__row_in(tile, a->src, a->from, 0, n, 0);
        head.dst = d = mpx__row_at(tile, a->dst, a->to, 0, n);
        head.from = head.to = mpx__row_of(MPX_F32);
    }
    for (i = 0; i < n; i += dim) {
        mpx__rotary_head(&head, table, dim / 2, pairs, sign);
        head.src += dim * (head.from->bits / 8u);
        head.dst += dim * (head.to->bits / 8u);
    }
    mpx__row_out(d, a->dst, a->to, 0, n);
}
MPX__API mpx_status mpx_rotary(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                               const float *table, size_t rows, size_t heads, size_t dim,
                               mpx_rotary_pairs pairs, int inverse) {
    mpx__line a;
    mpx__env env;
    size_t r, i, n, most; /* elements of the heads that are rotated together */
    mpx_status status;
    if (dim % 2 != 0 || (pairs != MPX_ROTARY_HALVES && pairs != MPX_ROTARY_INTERLEAVED))
        return MPX_ERR_ARGUMENT;
    if (heads != 0 && dim > (size_t)-1 / heads) return MPX_ERR_SPACE;
    status = mpx__line_set(&a, dst, dst_type, src, src_type, rows, heads * dim);
    if (status != MPX_OK || heads * dim == 0) return status;
    MPX_ASSERT(rows == 0 || (dst != NULL && src != NULL && table != NULL));
    most = dim <= 2 * MPX__POINTS ? 2 * MPX__POINTS / dim * dim : dim;
    env = mpx__enter(MPX__ENV_PLAIN);
    for (r = 0; r < rows; r++) {
        for (i = 0; i < a.cols; i += n) {
            n = mpx__at_most(a.cols - i, most);
            mpx__rotary_heads(&a, table + r * dim, n, dim, pairs, inverse ? -1.0f : 1.0f);
            a.dst += n * (a.to->bits / 8u);
            a.src += n * (a.from->bits / 8u);
        }
    }
    mpx__leave(env);
    return MPX_OK;
}
MPX__PRIVATE double mpx__power(double x, uint64_t n) {
    double y = 1;
    for (; n != 0; n >>= 1, x *= x)
        if ((n & 1u) != 0) y *= x;
    return y;
}
/* The n-th root of 1 / theta, by Newton's steps from above. */
MPX__PRIVATE double mpx__root_below_1(double theta, size_t n) {
    double x = 1, step = 1;
    int i;
    for (i = 0; i < 200 && step > 1e-17; i++) {
        step = (1 - 1 / (theta * mpx__power(x, n))) / (double)n;
        x -= x * step;
    }
    return x;
}
/* Cosine and sine of an angle in units of 2^-64 turns: within an eighth of a turn by their series. */
MPX__PRIVATE void mpx__turn(float *cosine, float *sine, uint64_t angle) {
    const uint64_t quarter = (angle + ((uint64_t)1 << 61)) >> 62, rest = angle - (quarter << 62);
    const double x = ((double)(int32_t)(uint32_t)(rest >> 32) * 4294967296.0 +
                      (double)(uint32_t)rest) * 3.4061215800865545e-19, /* 2 pi / 2^64 */
                 z = x * x;
    double c = 1, s = 1, k;
    float both[2];
    for (k = 12; k > 0; k -= 2) {
        c = 1 - c * z / (k * (k - 1));
        s = 1 - s * z / (k * (k + 1));
    }
    both[0] = (float)c;
    both[1] = (float)(s * x);
    *cosine = (quarter + 1) % 4 < 2 ? both[quarter % 2] : -both[quarter % 2];
    *sine = quarter % 4 < 2 ? both[1 - quarter % 2] : -both[1 - quarter % 2];
}
MPX__API mpx_status mpx_rotary_table(float *table, size_t first, size_t rows, size_t dim,
                                     double theta) {
    const size_t points = dim / 2;
    double root, drift, turns = 0.15915494309189535; /* 1 / (2 pi) */
    size_t i, r;
    const uint64_t one = (uint64_t)0x3ff << 52, most = 0x46293e5939a08ceau; /* 1 and 1e30 as f64 */
    mpx__env env;
    if (dim % 2 != 0 || mpx__read64(&theta) - one > most - one) return MPX_ERR_ARGUMENT;
    if (points == 0) return MPX_OK;
    MPX_ASSERT(rows == 0 || table != NULL);
    env = mpx__enter(MPX__ENV_PLAIN);
    root = points > 1 ? mpx__root_below_1(theta, points) : 1 / theta;
    for (i = 0, drift = turns; i < points; i++)
        drift *= root;
    drift = (drift * theta / turns - 1) / (double)points; /* of each product, from theta's powers */
    for (i = 0; i < points; i++, turns *= root) {
        const double high = turns * (1 - drift * (double)i) * 4294967296.0;
        const uint32_t whole = (uint32_t)high;
        const uint64_t step = (uint64_t)whole << 32 |
                              (uint32_t)((high - (double)whole) * 4294967296.0);
        for (r = 0; r < rows; r++)
            mpx__turn(&table[r * dim + i], &table[r * dim + points + i], step * (first + r));
    }
    mpx__leave(env);
    return MPX_OK;
}

#undef MPX__ROWS
#endif /* MPX_COMPUTE */
