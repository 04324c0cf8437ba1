/*==================================================================*
 * MARK: compute - products of a matrix and a vector
 *   Rows are computed in bands of 64, whose sums are on the stack. Weights with a kernel of their
 *   own are read where they are; all others are first cast to tiles of f32. Codes of 4 to 8 bits
 *   are multiplied, as integers, by x rounded to 16 bits (llama.cpp: to 8).
 *==================================================================*/
#if MPX_COMPUTE

#if MPX__COMPACT
#define MPX__FIND_DOTS mpx__find_dots
#define MPX__FIND_UNBLOCK(scheme, element, zero) NULL
#define MPX__DOT_BLOCK 4
#else
#define MPX__FIND_DOTS mpx__engine_now()->find_dots
#define MPX__FIND_UNBLOCK(scheme, element, zero) \
    (mpx__engine_now()->find_unblock != NULL \
         ? mpx__engine_now()->find_unblock(scheme, element, zero) : NULL)
#define MPX__DOT_BLOCK mpx__engine_now()->block
#endif

/* Rows of a band; columns of a tile of f32. */
enum { MPX__DOT_ROWS = 64, MPX__DOT_TILE = 512, MPX__DOT_AHEAD = 8192 };

/* How rows of weights are read: in place, as blocks of 32 codes, or as a tile of f32. */
enum { MPX__READ_DENSE, MPX__READ_CODES, MPX__READ_FLOATS };
typedef struct mpx__matvec {
    const mpx_matrix *w;
    const unsigned char *x, *bias;
    unsigned char *y;
    const mpx__row *x_row, *w_row, *y_row, *bias_row;
    mpx__dots_fn run, run_f32; /* of dense weights or codes, and of f32 */
    size_t block, w_step;
    int how, scaled, activation;
    size_t strip; /* columns of a part of x. They, and all parts: whole groups, or a part of one */
    int in_words; /* 1: x has 16 bits, for codes of 8 */
    size_t chunk; /* rows of a task */
    const mpx__unblock *unblock; /* how codes or scales are unpacked; NULL: they are not */
#if !MPX_NO_QUANT
    int by_groups, divides; /* 1: scales are f32; weights are codes divided by them */
    int scale_last;         /* 1: a scale of a row or of all is left to the end */
    mpx__quantizer z;
#endif
} mpx__matvec;

/* n elements of x from i on, as f32, padded with zeros to whole blocks. */
MPX__INLINE const unsigned char *mpx__dots_x(const mpx__matvec *m, unsigned char *tile, size_t i,
                                             size_t n, size_t padded) {
    return mpx__f32_in(tile, m->x, m->x_row, i, n, padded, 0);
}

#if !MPX_NO_QUANT
/* ---- quantized weights ----------------------------------------- */

/* Whether codes are read as they are, and how: not of few columns, as a last scale rounds, too. */
MPX__PRIVATE void mpx__matvec_quantized(mpx__matvec *m) {
    const mpx_quant *q = m->z.q;
    const mpx__row *element = m->z.element;
    const int scheme = q->scheme;
    const int in_blocks = m->z.ggml != NULL || scheme == MPX_SCHEME_NVFP4;
    const size_t group = in_blocks ? 32 : m->z.grid.group, /* codes are read by 32 */
                 least = element->kind == MPX_KIND_FLOAT ? mpx__at_most(m->block, 32) : 32;
    m->how = MPX__READ_FLOATS;
    m->w_row = element;
    m->divides = mpx__is_abs_max(q);
    m->by_groups = scheme == MPX_SCHEME_LINEAR || scheme == MPX_SCHEME_KERAS;
    if (!q->swizzled)
        m->unblock = MPX__FIND_UNBLOCK(m->by_groups ? MPX_SCHEME_LINEAR : scheme, element,
                                       q->zero_point != 0);
    if (m->by_groups) {
        if (m->unblock == NULL && (element->bits != 8 || q->zero_point)) return;
        m->scaled = q->scope == MPX_SCOPE_BLOCK;
        if (!m->scaled && q->scope != MPX_SCOPE_TENSOR && q->scope != MPX_SCOPE_ROW) return;
        if (!m->scaled && q->zero_point && m->w->cols % 32 != 0) return; /* no zeros in part */
    } else {
        if (m->unblock == NULL) return;
        if (m->unblock->run == NULL && element->kind != MPX_KIND_FLOAT) return; /* MXINT8 */
        m->scaled = 1;
    }
    if (m->w->cols < 8 || m->w->cols * element->bits % 8 != 0) return; /* few; or within a byte */
    if (m->scaled && ((group & (group - 1)) != 0 || group < least || m->w->cols % group != 0)) return;
    if (m->scaled && group > MPX__STRIP / 6) m->strip = MPX__STRIP / 3 * 2;
    if (m->unblock != NULL && m->unblock->run != NULL) {
        m->run = m->unblock->run;
        m->how = MPX__READ_CODES;
    } else {
        m->run = MPX__FIND_DOTS(element->form, m->scaled);
        if (m->run != NULL) m->how = MPX__READ_DENSE;
    }
    m->scale_last = !m->scaled && m->run != NULL;
}
#endif

/* ---- a band ---------------------------------------------------- */

/* Where the elements of a row are, from column i on, of a matrix that is not quantized. */
MPX__INLINE const unsigned char *mpx__elements(const mpx__matvec *m, size_t row, size_t i) {
    return (const unsigned char *)m->w->data + row * m->w_step + i * (m->w_row->bits / 8u);
}
/* n weights of a row from column i on, as f32. */
MPX__PRIVATE void mpx__dots_floats(mpx__matvec *m, unsigned char *tile, size_t row, size_t i,
                                   size_t n) {
#if !MPX_NO_QUANT
    if (m->w->quant.scheme != 0) {
        const int flat = m->z.grid.rows != m->w->rows;
        const size_t r = flat ? 0 : row, c = flat ? row * m->w->cols + i : i;
        m->z.floats = tile;
        m->z.origin = r * m->z.grid.cols + c;
        mpx__for_bands(&m->z, 1, r, r + 1, c, c + n);
        return;
    }
#endif
    (void)mpx_cast(tile, MPX_F32, mpx__elements(m, row, i), mpx__type_of(m->w_row), n);
}
/* sums[r] += columns i to i + n of rows `row` and on, times x. n: whole blocks, but where the row
   ends. */
MPX__PRIVATE void mpx__dots_part(mpx__matvec *m, float *sums, size_t row, size_t rows, size_t i,
                                 size_t n, const unsigned char *x) {
    unsigned char tile[(MPX__DOT_TILE + 64) * 4];
    mpx__dot_x part;
    mpx__dots a;
    size_t r;
    mpx__zero(&a, sizeof a);
    a.w = tile;
    a.part = &part;
    a.rows = 1;
    part.x = x;
    part.n = mpx__rounded_up(n, m->block);
    for (r = 0; r < rows; r++) {
#if !MPX_NO_QUANT
        if (m->scale_last) { /* its scale comes last */
            const size_t at = ((row + r) * m->w->cols + i) * m->z.element->bits / 8u;
            (void)mpx_cast(tile, MPX_F32, m->z.out + at, mpx__type_of(m->z.element), n);
        } else
#endif
            mpx__dots_floats(m, tile, row + r, i, n);
        mpx__zero(tile + n * 4, (part.n - n) * 4);
        a.y = sums + r;
        m->run_f32(&a);
    }
}

/* ---- parts of x ----------------------------------------------- */

/* The columns that are read together, n from column i on: their parts of x. */
typedef struct mpx__pass {
    mpx__matvec *m;
    float *sums;
    size_t row, rows, i, n, end, most; /* at most so many columns in a part */
    size_t parts, most_parts;
    mpx__dot_x part[MPX__PARTS];
} mpx__pass;
#if !MPX__COMPACT
/* x in 16 bits, for codes of 8 bits. The step is a power of two, so that the largest magnitude is
   2^14 to 2^15 steps. If that is Inf or NaN, every sum is NaN. */
MPX__NOINLINE void mpx__part_words(const mpx__matvec *m, mpx__dot_x *part, unsigned char *own,
                                   size_t i) {
    unsigned char tile[MPX__DOT_TILE * 4]; /* whole blocks of every instruction set */
    uint32_t amax = 0, step;
    size_t j, n;
    float by;
    own += (0 - (uintptr_t)own) % 64;
    for (j = 0; j < part->n; j += n) {
        uint32_t one;
        n = mpx__at_most(part->n - j, MPX__DOT_TILE);
        one = mpx__f32_largest(mpx__dots_x(m, tile, i + j, n, n), n);
        amax = one > amax ? one : amax;
    }
    step = amax >> 23 > 15 ? (amax >> 23) - 14 : 1; /* an exponent */
    by = mpx__float(amax < 0x7f800000u ? (254 - step) << 23 : 0);
    for (j = 0; j < part->n; j += n) {
        size_t padded;
        n = mpx__at_most(part->n - j, MPX__DOT_TILE);
        padded = mpx__rounded_up(n, m->block);
        mpx__engine_now()->x_to_words(own + j * 2, mpx__dots_x(m, tile, i + j, n, padded), padded,
                                      by, m->unblock);
    }
    part->step = mpx__float(amax < 0x7f800000u ? step << 23 : 0x7fc00000u);
    part->x = own;
}
#endif
/* The next part of x, if another is to be read together with the parts before: f32 where it is or in
   `own`, or words. */
MPX__NOINLINE void mpx__part_add(mpx__pass *p, unsigned char *own) {
    const size_t i = p->i + p->n;
    mpx__dot_x *part = &p->part[p->parts];
    if (i == p->end || p->parts == p->most_parts) return;
    part->n = mpx__at_most(p->end - i, p->most);
    p->parts++;
    p->n += part->n;
#if !MPX__COMPACT
    if (p->m->in_words) {
        mpx__part_words(p->m, part, own, i);
        return;
    }
#endif
    part->x = mpx__dots_x(p->m, own, i, part->n, part->n);
}
/* Prefetches what is read when MPX__DOT_AHEAD bytes more are done: if n columns are read together,
   but not all, that is in a later row. */
MPX__PRIVATE void mpx__dots_prefetch(const mpx__matvec *m, mpx__dots *a, size_t n) {
    const size_t rows = MPX__DOT_AHEAD / (a->w_step * n / (m->w->cols + 1u) + 1u) + 1u;
    a->ahead = n < m->w->cols ? rows * a->w_step : (size_t)MPX__DOT_AHEAD;
    if (m->scaled) a->later = a->scales + rows * a->scales_step;
}
#if !MPX_NO_QUANT && !MPX__COMPACT
/* Where codes and scales are, of a row, n from column i on. */
MPX__PRIVATE void mpx__dots_place(const mpx__matvec *m, mpx__dots *a, size_t row, size_t i,
                                  size_t n) {
    static const float one = 1;
    const mpx__ggml *ggml = m->z.ggml; /* NULL: codes and scales stand apart */
    const unsigned bits = m->z.element->bits;
    const size_t cols = m->w->cols, at = row * cols + i;
    a->how = m->unblock;
    a->shift = 4;
    if (ggml != NULL) {
        a->code_step = a->scale_step = ggml->block_bytes;
        a->w_step = a->scales_step = cols / ggml->block * a->code_step;
        a->scales = m->z.out + at / ggml->block * a->code_step;
        a->w = a->scales + ggml->header;
        return;
    }
    a->code_step = bits * 4u;
    a->w_step = cols * bits / 8;
    a->w = m->z.out + at * bits / 8;
    a->scales = (const unsigned char *)&one;
    if (m->w->quant.zero_point) {
        a->zeros = m->z.out + m->z.at.zeros;
        a->zeros_step = m->w->quant.scope == MPX_SCOPE_ROW;
        a->zeros += row * a->zeros_step;
    }
    if (!m->scaled) return;
    a->scale_step = m->by_groups ? 4 : 1;
    for (; (size_t)1 << a->shift != m->z.grid.group; a->shift++) {}
    a->scales_step = (cols >> a->shift) * a->scale_step;
    a->later_step = a->scales_step;
    a->later_size = (((n - 1) >> a->shift) + 1) * a->scale_step;
    a->scales = m->z.out + m->z.at.scales + (at >> a->shift) * a->scale_step;
    if (!m->w->quant.zero_point) return;
    a->zero_step = 1;
    a->zeros_step = cols >> a->shift;
    a->zeros += at >> a->shift;
}
/* Some rows at a time, whose scales become a tile of f32 first: n columns. */
MPX__NOINLINE void mpx__dots_tiled(const mpx__matvec *m, const mpx__dots *band, size_t n) {
    unsigned char tile[MPX__UNBLOCK * 4];
    mpx__dot_x part = *band->part;
    mpx__dots a;
    size_t r, i, j, most = n;
    mpx__copy(&a, band, sizeof a);
    if (!m->in_words) { /* f32 may be long */
        most = MPX__STRIP;
        a.part = &part;
    }
    a.scales = tile;
    a.scale_step = 4;
    for (j = 0; j < n; j += most) {
        const unsigned char *scales = band->scales + (j >> a.shift) * band->scale_step;
        const size_t some = mpx__at_most(n - j, most); /* of one group, or of whole ones */
        a.scales_step = (((some - 1) >> a.shift) + 1) * 4;
        mpx__dots_prefetch(m, &a, some);
        part.n = some;
        part.x = band->part->x + j * 4;
        for (r = 0; r < band->rows; r += a.rows) {
            a.rows = mpx__at_most(band->rows - r, sizeof tile / a.scales_step);
            a.w = band->w + r * band->w_step + j / 32 * band->code_step;
            a.y = band->y + r;
            a.later = scales + (r + a.rows) * band->scales_step;
            for (i = 0; i < a.rows; i++)
                mpx__engine_now()->unblock_scales(
                    tile + i * a.scales_step, scales + (r + i) * band->scales_step,
                    a.scales_step / 4, m->divides ? NULL : m->unblock);
            m->run(&a);
        }
    }
}
#endif
/* sums[r] += the columns of a pass by a kernel that reads the weights, or their codes. */
MPX__NOINLINE void mpx__dots_direct(mpx__pass *p) {
    const mpx__matvec *m = p->m;
    mpx__dots a;
    mpx__zero(&a, sizeof a);
    a.part = p->part;
    a.parts = p->parts;
    a.row = m->w_row;
    a.rows = p->rows;
    a.y = p->sums;
    a.w_step = m->w_step;
#if !MPX_NO_QUANT && !MPX__COMPACT
    if (m->w->quant.scheme != 0) {
        size_t k;
        mpx__dots_place(m, &a, p->row, p->i, p->n);
        for (k = 0; k < p->parts; k++)
            p->part[k].step *= mpx__float(m->z.tensor_scale);
        if (m->scaled && m->z.ggml == NULL && (m->divides || !m->by_groups)) {
            mpx__dots_tiled(m, &a, p->n);
            return;
        }
    } else
#endif
        a.w = mpx__elements(m, p->row, p->i);
    mpx__dots_prefetch(m, &a, p->n);
    m->run(&a);
}
MPX__PRIVATE void mpx__pass_run(mpx__pass *p) {
    if (p->m->how == MPX__READ_DENSE || p->m->how == MPX__READ_CODES)
        mpx__dots_direct(p);
    else
        mpx__dots_part(p->m, p->sums, p->row, p->rows, p->i, p->n, p->part->x);
}
/* Each part of x is on the stack of a function of its own, as no function takes more than 4 KB. */
#define MPX__WITH_PART(name, next) \
    MPX__NOINLINE void name(mpx__pass *p) { \
        unsigned char own[MPX__STRIP * 2 + 64]; \
        mpx__part_add(p, own); \
        next(p); \
    }
#if MPX__COMPACT
MPX__WITH_PART(mpx__pass_first, mpx__pass_run)
#else
MPX__WITH_PART(mpx__pass_third, mpx__pass_run)
MPX__WITH_PART(mpx__pass_second, mpx__pass_third)
MPX__WITH_PART(mpx__pass_first, mpx__pass_second)
#endif
/* Scales of whole rows, bias, activation; then the sums are stored. */
MPX__PRIVATE void mpx__matvec_store(const mpx__matvec *m, float *sums, size_t row, size_t rows) {
    float bias[MPX__DOT_ROWS];
    size_t r;
#if !MPX_NO_QUANT
    if (m->scale_last) {
        const unsigned char *by = m->z.out + m->z.at.scales;
        const size_t step = m->w->quant.scope == MPX_SCOPE_ROW ? 4 : 0;
        for (r = 0; r < rows; r++)
            sums[r] = m->divides ? sums[r] / mpx__float(mpx__read32(by + (row + r) * step))
                                 : sums[r] * mpx__float(mpx__read32(by + (row + r) * step));
    }
#endif
    if (m->bias != NULL) {
        (void)mpx_cast(bias, MPX_F32, m->bias + row * (m->bias_row->bits / 8u),
                       mpx__type_of(m->bias_row), rows);
        for (r = 0; r < rows; r++)
            sums[r] += bias[r];
    }
    mpx__activate_sums(sums, rows, m->activation);
    (void)mpx_cast(m->y + row * (m->y_row->bits / 8u), mpx__type_of(m->y_row), sums, MPX_F32, rows);
}
MPX__NOINLINE void mpx__matvec_band(mpx__matvec *m, size_t row, size_t rows) {
    unsigned char tile[64 * 4];
    float sums[MPX__DOT_ROWS];
    const int direct = m->how == MPX__READ_DENSE || m->how == MPX__READ_CODES;
    const size_t cols = m->w->cols;
    mpx__pass p;
    mpx__zero(sums, sizeof sums);
    p.m = m;
    p.sums = sums;
    p.row = row;
    p.rows = rows;
    p.end = cols - cols % (m->how == MPX__READ_CODES ? 32 : m->block);
    p.most = !direct ? (size_t)MPX__DOT_TILE
             : m->in_words ? m->strip
             : m->x_row->type == MPX_F32 ? cols : m->strip / 2;
    p.most_parts = !m->in_words ? 1 : m->strip == MPX__STRIP ? MPX__PARTS : 2; /* see strip */
    for (p.i = 0; p.i < p.end; p.i += p.n) {
        p.n = p.parts = 0;
        mpx__pass_first(&p);
    }
    if (p.end != cols)
        mpx__dots_part(m, sums, row, rows, p.end, cols - p.end,
                       mpx__dots_x(m, tile, p.end, cols - p.end,
                                   mpx__rounded_up(cols - p.end, m->block)));
    mpx__matvec_store(m, sums, row, rows);
}
MPX__PRIVATE void mpx__matvec_rows(mpx__matvec *m, size_t row, size_t end) {
    const mpx__env env = mpx__enter(MPX__ENV_PLAIN);
    for (; row < end; row += MPX__DOT_ROWS)
        mpx__matvec_band(m, row, mpx__at_most(end - row, MPX__DOT_ROWS));
    mpx__leave(env);
}
/* The task: rows of piece i. Each task has its own copy of everything that changes. */
MPX__PRIVATE void mpx__matvec_task(void *arg, size_t i) {
    mpx__matvec m;
    const size_t first = i * ((const mpx__matvec *)arg)->chunk;
    mpx__copy(&m, arg, sizeof m);
    mpx__matvec_rows(&m, first, first + mpx__at_most(m.w->rows - first, m.chunk));
}

MPX__PRIVATE mpx_status mpx__matvec_set(mpx__matvec *m, const mpx_matrix *w, const void *x,
                                        mpx_dtype x_type) {
    size_t size;
    mpx__zero(m, sizeof *m);
    m->w = w;
    m->x = (const unsigned char *)x;
    m->x_row = mpx__row_of(x_type);
    m->w_row = mpx__row_of(w->type);
    m->block = MPX__DOT_BLOCK;
    m->strip = MPX__STRIP;
    m->run_f32 = MPX__FIND_DOTS(MPX__FORM_F32, 0);
    if (!mpx__computes(m->x_row, 0)) return MPX_ERR_DTYPE;
    m->w_step = w->stride != 0 ? w->stride : w->cols;
#if !MPX_NO_QUANT
    if (w->quant.scheme != 0) {
        const mpx_status status = mpx__quantizer_set(&m->z, &w->quant, w->data, NULL, MPX_F32,
                                                     w->rows, w->cols);
        if (status != MPX_OK) return status;
        if (m->w_step != w->cols) return MPX_ERR_ARGUMENT;
        mpx__tensor_scale_get(&m->z);
        mpx__matvec_quantized(m);
        return MPX_OK;
    }
#else
    if (w->quant.scheme != 0) return MPX_ERR_UNSUPPORTED;
#endif
    if (!mpx__computes(m->w_row, 0)) return MPX_ERR_DTYPE;
    size = m->w_row->bits / 8u;
    if (m->w_step < w->cols) return MPX_ERR_ARGUMENT;
    if (m->w_step != 0 && w->rows > ((size_t)-1 >> 4) / m->w_step) return MPX_ERR_SPACE;
    m->w_step *= size;
    m->run = MPX__FIND_DOTS(m->w_row->form, 0);
    m->how = m->run != NULL ? MPX__READ_DENSE : MPX__READ_FLOATS;
    return MPX_OK;
}
MPX__API mpx_status mpx_matvec_with(void *y, mpx_dtype y_type, mpx_matrix w, const void *x,
                                    mpx_dtype x_type, const mpx_matvec_options *opt) {
    mpx__matvec m;
    mpx_status status = mpx__matvec_set(&m, &w, x, x_type);
    m.y = (unsigned char *)y;
    m.y_row = mpx__row_of(y_type);
    m.chunk = w.rows;
    if (status != MPX_OK) return status;
    m.in_words = m.how == MPX__READ_CODES ||
                 (m.how == MPX__READ_DENSE && m.w_row->type == MPX_I8);
    if (!mpx__computes(m.y_row, 1)) return MPX_ERR_DTYPE;
    if (opt != NULL) {
        m.bias = (const unsigned char *)opt->bias;
        m.bias_row = mpx__row_of(opt->bias_type);
        m.activation = opt->activation;
        if (m.bias != NULL && !mpx__computes(m.bias_row, 0)) return MPX_ERR_DTYPE;
        if (!mpx__is_activation(m.activation)) return MPX_ERR_ARGUMENT;
    }
    if (w.rows == 0) return MPX_OK;
    if (w.rows > (size_t)-1 >> 4) return MPX_ERR_SPACE;
    MPX_ASSERT(y != NULL && (w.cols == 0 || (x != NULL && w.data != NULL)));
    if (opt != NULL && opt->parallel.run != NULL) {
        const size_t grain = opt->parallel.grain != 0 ? opt->parallel.grain : (size_t)1 << 20,
                     bits = w.quant.scheme != 0 ? 8u : m.w_row->bits,
                     row = w.cols * bits / 8u + 2u; /* no wrap */
        m.chunk = (grain / row / MPX__DOT_ROWS + 1u) * MPX__DOT_ROWS;
        if (m.chunk < w.rows) {
            opt->parallel.run((w.rows - 1u) / m.chunk + 1u, mpx__matvec_task, &m,
                              opt->parallel.user);
            return MPX_OK;
        }
    }
    mpx__matvec_rows(&m, 0, w.rows);
    return MPX_OK;
}
MPX__API mpx_status mpx_matvec(void *y, mpx_dtype y_type, const void *w, mpx_dtype w_type,
                               const void *x, mpx_dtype x_type, size_t rows, size_t cols) {
    mpx_matrix matrix;
    mpx__zero(&matrix, sizeof matrix);
    matrix.data = w;
    matrix.type = w_type;
    matrix.rows = rows;
    matrix.cols = cols;
    return mpx_matvec_with(y, y_type, matrix, x, x_type, NULL);
}
MPX__API float mpx_dot(const void *a, mpx_dtype a_type, const void *b, mpx_dtype b_type, size_t n) {
    float y;
    mpx__write32(&y, 0x7fc00000u); /* stays after an error */
    (void)mpx_matvec(&y, MPX_F32, a, a_type, b, b_type, 1, n);
    return y;
}
#undef MPX__FIND_DOTS
#undef MPX__FIND_UNBLOCK
#undef MPX__DOT_BLOCK
#undef MPX__WITH_PART
#endif /* MPX_COMPUTE */
