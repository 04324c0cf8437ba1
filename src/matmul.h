/*==================================================================*
 * MARK: matmul - products of two matrices
 *   B is cast to f32 and packed: into slabs of 256 columns, blocks of 256 rows of a slab, and
 *   panels of two vectors of columns in a block. A is read where it is, or cast one block at a
 *   time. So one f32 kernel serves all dtypes, and the cast costs no pass of its own. Where the
 *   machine multiplies bf16 in pairs, a second kernel serves dtypes exact in bf16, and a third one
 *   where it has a unit for them. The sums of a band of rows and a slab stay in the workspace, and
 *   are stored after the last block, or are made in c itself.
 *   Source: Goto, van de Geijn, Anatomy of high-performance matrix multiplication, 2008.
 *==================================================================*/
#if MPX_COMPUTE

#if MPX__COMPACT
#define MPX__PANEL ((size_t)MPX__TILE_COLUMNS)
#define MPX__TILE_OF_F32 mpx__tile_here
#define MPX__TO_PANELS mpx__panels_here
#define MPX__TALL ((size_t)MPX__TILE_ROWS_HERE)
#define MPX__TURN_OF_WORDS NULL
#else
#define MPX__PANEL mpx__engine_now()->tile_columns
#define MPX__TALL mpx__engine_now()->tile_rows
#define MPX__TILE_OF_F32 mpx__engine_now()->tile
#define MPX__TO_PANELS mpx__engine_now()->panels
#define MPX__TURN_OF_WORDS mpx__engine_now()->turn
#endif
/* Columns; rows of B, of A. */
enum { MPX__SLAB = 256, MPX__DEPTH = 256, MPX__BAND_ROWS = MPX__COMPACT ? 72 : 144 };

typedef struct mpx__matmul {
    mpx__matvec a, b; /* how both are read */
    const mpx__row *c_row, *bias_row;
    unsigned char *c, *workspace;
    const unsigned char *packed;
    mpx_matmul_options opt;
    size_t m, n, k, panel, tall, band, c_step, piece, pieces;
    size_t words; /* along k, of four bytes: an f32, or in_pairs two of bf16 */
    int in_pairs;
    int sums_are_c; /* where tiles are whole, sums are made in c */
    mpx__tile_fn tile;
    const mpx__unit *unit; /* NULL, or rows of all tiles of A go along k */
    mpx__turn_fn turn; /* or NULL */
} mpx__matmul;

/* Bytes of a packed slab of n columns, and of what a piece of work needs: a slab of B, unless it is
   packed already, a block of A, sums, a bias. */
MPX__INLINE size_t mpx__slab_bytes(const mpx__matmul *m, size_t n) {
    return mpx__rounded_up(n, m->panel) * m->words * 4;
}
MPX__PRIVATE size_t mpx__piece_bytes(const mpx__matmul *m) {
    const size_t slab = m->packed == NULL ? mpx__slab_bytes(m, mpx__at_most(m->n, MPX__SLAB)) : 0;
    return mpx__rounded_up(slab, 64) +
           ((size_t)MPX__BAND_ROWS * MPX__DEPTH + (size_t)MPX__BAND_ROWS * MPX__SLAB + MPX__SLAB) * 4;
}

/* ---- packing --------------------------------------------------- */

/* n elements of a row as bf16, in which they are exact. */
MPX__PRIVATE void mpx__bf16_of(const mpx__matvec *a, unsigned char *d, size_t row, size_t i,
                               size_t n) {
    (void)mpx_cast(d, MPX_BF16, mpx__elements(a, row, i), mpx__type_of(a->w_row), n);
}
/* n words of an operand whose rows go along k: those of a row from word i on. */
MPX__PRIVATE void mpx__words_along(const mpx__matmul *m, mpx__matvec *a, unsigned char *d,
                                   size_t row, size_t i, size_t n) {
    if (m->in_pairs) {
        const size_t there = mpx__at_most(m->k - 2 * i, 2 * n);
        mpx__bf16_of(a, d, row, 2 * i, there);
        mpx__zero(d + there * 2, (2 * n - there) * 2);
    } else {
        mpx__dots_floats(a, d, row, i, n);
    }
}
#if !MPX__COMPACT
/* n pairs of an operand whose columns go along k: pair i of columns `at` and on. With zeros up to a
   whole number of panels, which are `step` bytes apart. */
MPX__PRIVATE void mpx__pairs_across(const mpx__matmul *m, mpx__matvec *a, unsigned char *d,
                                    size_t step, size_t i, size_t at, size_t n) {
    const mpx__pairs *pairs = mpx__pairs_now();
    unsigned char tile[2][MPX__SLAB * 2];
    const unsigned char *rows[2];
    size_t j;
    for (j = 0; j < 2; j++) {
        const size_t there = 2 * i + j < m->k ? n : 0; /* an odd last row has zeros beside it */
        rows[j] = tile[j];
        if (there != 0 && n % m->panel == 0 && a->w_row->type == MPX_BF16) {
            rows[j] = mpx__elements(a, 2 * i + j, at);
        } else {
            if (there != 0) mpx__bf16_of(a, tile[j], 2 * i + j, at, n);
            mpx__zero(tile[j] + there * 2, (mpx__rounded_up(n, m->panel) - there) * 2);
        }
    }
    if (pairs != NULL) pairs->join(d, step, rows[0], rows[1], n); /* else not called */
}
#endif
/* n words of an operand whose columns go along k: word i of columns `at` and on. d has room for a
   multiple of a panel. */
MPX__PRIVATE void mpx__words_across(const mpx__matmul *m, mpx__matvec *a, unsigned char *d,
                                    size_t i, size_t at, size_t n) {
#if !MPX__COMPACT
    if (m->in_pairs) {
        mpx__pairs_across(m, a, d, m->panel * 4, i, at, n);
        return;
    }
#else
    (void)m;
#endif
    mpx__dots_floats(a, d, i, at, n);
}

MPX__INLINE int mpx__is_f32_in_place(const mpx__matvec *a) {
    return a->how == MPX__READ_DENSE && a->w_row->type == MPX_F32;
}
/* What mpx__pack_block does where a row of what is stored is a column: one at a time, or four. */
MPX__PRIVATE void mpx__pack_turned(mpx__matmul *m, unsigned char *d, size_t k, size_t depth,
                                   size_t col, size_t n) {
    unsigned char tile[MPX__COMPACT ? MPX__DEPTH * 4 : MPX__TURN_ROW * 4];
    const int turns = m->turn != NULL && depth % 16 == 0 && m->b.how == MPX__READ_DENSE;
    const size_t panel = m->panel, whole = mpx__rounded_up(n, panel),
                 most = turns ? MPX__TURN_ROW / 4 : depth;
    size_t i, j, r, count;
    for (i = 0; i < depth; i += count) {
        count = mpx__at_most(depth - i, most);
        for (j = 0; j < whole; j++) {
            const size_t four = turns ? j % 4 : 0; /* so many columns stand in the tile */
            unsigned char *words = tile + four * MPX__TURN_ROW,
                          *to = d + (j / panel * panel * depth + i * panel + j % panel) * 4;
            if (j < n)
                mpx__words_along(m, &m->b, words, col + j, k + i, count);
            else
                mpx__zero(words, count * 4);
            for (r = 0; r < count && !turns; r++)
                mpx__write32(to + r * panel * 4, mpx__read32(words + r * 4));
            if (four == 3) m->turn(to - 3 * 4, panel * 4, tile, count);
        }
    }
}
/* Rows k to k + depth and n columns from `col` on: panels at d, one after the other. */
MPX__PRIVATE void mpx__pack_block(mpx__matmul *m, unsigned char *d, size_t k, size_t depth,
                                  size_t col, size_t n) {
    unsigned char tile[MPX__SLAB * 4];
    const size_t panel = m->panel, whole = mpx__rounded_up(n, panel);
    size_t i;
    for (i = 0; i < depth; i++) {
        const unsigned char *words = tile;
#if !MPX__COMPACT
        if (m->in_pairs) {
            mpx__pairs_across(m, &m->b, d + i * panel * 4, depth * panel * 4, k + i, col, n);
            continue;
        }
#endif
        if (n == whole && mpx__is_f32_in_place(&m->b)) {
            words = mpx__elements(&m->b, k + i, col);
        } else {
            mpx__dots_floats(&m->b, tile, k + i, col, n);
            mpx__zero(tile + n * 4, (whole - n) * 4);
        }
        MPX__TO_PANELS(d + i * panel * 4, depth * panel * 4, words, whole);
    }
}
MPX__PRIVATE void mpx__pack_slab(mpx__matmul *m, unsigned char *d, size_t col) {
    const size_t n = mpx__at_most(m->n - col, MPX__SLAB);
    size_t k, depth;
    for (k = 0; k < m->words; k += depth) {
        depth = mpx__at_most(m->words - k, MPX__DEPTH);
        if (m->opt.transpose_b)
            mpx__pack_turned(m, d, k, depth, col, n);
        else
            mpx__pack_block(m, d, k, depth, col, n);
        d += mpx__rounded_up(n, m->panel) * depth * 4;
    }
}

/* ---- blocks ---------------------------------------------------- */

/* Whether whole tiles of A are read where they are. */
MPX__INLINE int mpx__is_in_place(const mpx__matmul *m) {
    if (m->opt.transpose_a) return 0;
    if (m->in_pairs) return m->a.w_row->type == MPX_BF16 && m->k % 2 == 0;
    return mpx__is_f32_in_place(&m->a);
}
/* n words of A from column `at` on, if its columns go along k. Blocks that contain these columns
   are read whole: a slab is a multiple of every block. */
MPX__PRIVATE void mpx__part_of_a(mpx__matmul *m, unsigned char *d, size_t i, size_t at, size_t n) {
    unsigned char tile[MPX__SLAB * 4];
    size_t block = 1, skip, from, part;
#if !MPX_NO_QUANT
    block = mpx__whole_block(&m->a.w->quant);
#endif
    skip = at % block;
    for (from = at - skip; n != 0; from += MPX__SLAB, skip = 0) {
        const size_t words = mpx__rounded_up(skip + n, block);
        mpx__words_across(m, &m->a, tile, i, from, mpx__at_most(words, MPX__SLAB));
        part = mpx__at_most(n, MPX__SLAB - skip);
        mpx__copy(d, tile + skip * 4, part * 4);
        d += part * 4;
        n -= part;
    }
}
/* A block of A where rows of what is stored are columns. */
MPX__PRIVATE void mpx__block_across(mpx__matmul *m, unsigned char *own, size_t row, size_t rows,
                                    size_t k, size_t depth, size_t step) {
    size_t i;
    for (i = 0; i < depth; i++, own += step) {
        if (mpx__is_f32_in_place(&m->a))
            mpx__copy(own, mpx__elements(&m->a, k + i, row), rows * 4);
        else
            mpx__part_of_a(m, own, k + i, row, rows);
        mpx__zero(own + rows * 4, step - rows * 4);
    }
}
/* The same for a unit, which reads rows: they are turned by way of four behind the block. Of the
   last four some may be old: no tile reads what becomes of them. */
MPX__PRIVATE void mpx__block_turned(mpx__matmul *m, unsigned char *own, size_t row, size_t rows,
                                    size_t k, size_t depth, size_t step) {
    unsigned char *four = own + mpx__rounded_up(rows, m->tall) * step;
    size_t i;
    for (i = 0; i < depth; i++) {
        mpx__words_across(m, &m->a, four + i % 4 * MPX__TURN_ROW, k + i, row, rows);
        if (i % 4 == 3 || i + 1 == depth) m->turn(own + i / 4 * 16, step, four, rows);
    }
}
/* Rows row to row + rows and words k to k + depth of A: in place, or in the block at `own`, with
   zeros up to whole tiles. t->a_row, a_step: bytes from row to row, from word to word. */
MPX__PRIVATE void mpx__block_of_a(mpx__matmul *m, mpx__tile *t, unsigned char *own, size_t row,
                                  size_t rows, size_t k, size_t depth, int direct) {
    const int across = m->opt.transpose_a && m->unit == NULL;
    const size_t whole = mpx__rounded_up(rows, m->tall);
    size_t i, step = (across ? whole : depth) * 4;
    if (m->unit != NULL) step += 64; /* or a column lies in few sets of the cache */
    t->a = direct ? mpx__elements(&m->a, row, m->in_pairs ? 2 * k : k) : own;
    t->a_row = direct ? m->a.w_step : across ? 4 : step;
    t->a_step = across ? step : 4;
    if (direct) return;
    if (across) {
        mpx__block_across(m, own, row, rows, k, depth, step);
        return;
    }
    if (m->opt.transpose_a)
        mpx__block_turned(m, own, row, rows, k, depth, step);
    else
        for (i = 0; i < rows; i++)
            mpx__words_along(m, &m->a, own + i * step, row + i, k, depth);
    for (i = rows; i < whole; i++)
        mpx__zero(own + i * step, step);
}
/* sums += rows of A times n columns of a packed block. */
MPX__NOINLINE void mpx__block_run(mpx__matmul *m, mpx__tile *t, size_t rows, size_t n,
                                  const unsigned char *b, unsigned char *sums) {
    const unsigned char *a = t->a;
    size_t j, r;
    for (j = 0; j < n; j += m->panel) {
        t->b = b + j * t->k * 4;
        for (r = 0; r < rows; r += m->tall) {
            t->a = a + r * t->a_row;
            t->c = sums + r * t->c_row + j * 4;
            m->tile(t);
        }
    }
}
/* Bias, activation; then a row of sums is stored. */
MPX__PRIVATE void mpx__store_row(const mpx__matmul *m, float *sums, const float *bias, size_t row,
                                 size_t col, size_t n) {
    unsigned char *c = m->c + row * m->c_step + col * (m->c_row->bits / 8u);
    if (m->opt.accumulate) {
        float tile[MPX__SLAB];
        (void)mpx_cast(tile, MPX_F32, c, mpx__type_of(m->c_row), n);
        mpx__zero(tile + n, (MPX__SLAB - n) * 4);
        mpx__add_to_sums(sums, tile, n);
    }
    if (m->opt.bias != NULL) mpx__add_to_sums(sums, bias, n);
    mpx__activate_sums(sums, n, m->opt.activation);
    (void)mpx_cast(c, mpx__type_of(m->c_row), sums, MPX_F32, n);
}
/* Rows row to row + rows of a slab. own: a block of A, then sums. */
MPX__NOINLINE void mpx__slab_rows(mpx__matmul *m, unsigned char *own, const unsigned char *slab,
                                  const float *bias, size_t row, size_t rows, size_t col,
                                  size_t n) {
    const int whole = rows % m->tall == 0, direct = whole && mpx__is_in_place(m),
              straight = whole && n % m->panel == 0 && m->sums_are_c;
    unsigned char *sums = straight ? m->c + row * m->c_step + col * 4
                                   : own + (size_t)MPX__BAND_ROWS * MPX__DEPTH * 4;
    mpx__tile t;
    size_t k, r;
    mpx__zero(&t, sizeof t);
    t.c_row = straight ? m->c_step : (size_t)MPX__SLAB * 4;
    t.first = 1;
    if (m->k == 0) mpx__zero(sums, rows * t.c_row);
    for (k = 0; k < m->words; k += t.k, t.first = 0) {
        t.k = mpx__at_most(m->words - k, MPX__DEPTH);
        mpx__block_of_a(m, &t, own, row, rows, k, t.k, direct);
        mpx__block_run(m, &t, rows, n, slab, sums);
        slab += mpx__rounded_up(n, m->panel) * t.k * 4;
    }
    for (r = 0; r < rows && !straight; r++)
        mpx__store_row(m, (float *)(void *)(sums + r * t.c_row), bias, row + r, col, n);
}
/* Rows of a slab that begins at column col; the workspace of a piece of the work. */
MPX__PRIVATE void mpx__slab_run(mpx__matmul *m, unsigned char *workspace, size_t col, size_t row,
                                size_t end) {
    const size_t n = mpx__at_most(m->n - col, MPX__SLAB);
    float *bias = (float *)(void *)workspace;
    unsigned char *own = workspace + MPX__SLAB * 4, *packed = own;
    const unsigned char *slab = m->packed;
    size_t rows;
    if (m->packed != NULL) {
        slab += col * m->words * 4;
    } else {
        own += mpx__slab_bytes(m, mpx__at_most(m->n, MPX__SLAB));
        mpx__pack_slab(m, packed, col);
        slab = packed;
    }
    mpx__zero(bias + n, (MPX__SLAB - n) * 4);
    if (m->opt.bias != NULL)
        (void)mpx_cast(bias, MPX_F32,
                       (const unsigned char *)m->opt.bias + col * (m->bias_row->bits / 8u),
                       mpx__type_of(m->bias_row), n);
    for (; row < end; row += rows) { /* in place: whole tiles */
        rows = mpx__at_most(end - row, m->band);
        if (rows > m->tall && mpx__is_in_place(m)) rows -= rows % m->tall;
        mpx__slab_rows(m, own, slab, bias, row, rows, col, n);
    }
}

/* ---- calls ----------------------------------------------------- */

/* The jobs: slabs or, if B is packed, bands of rows of slabs. Piece i of p takes every p-th. */
MPX__INLINE size_t mpx__matmul_height(const mpx__matmul *m) {
    return m->packed != NULL ? m->band : m->m;
}
MPX__INLINE size_t mpx__matmul_bands(const mpx__matmul *m) {
    const size_t height = mpx__matmul_height(m);
    return mpx__rounded_up(m->m, height) / height;
}
MPX__INLINE size_t mpx__matmul_jobs(const mpx__matmul *m) {
    return mpx__rounded_up(m->n, MPX__SLAB) / MPX__SLAB * mpx__matmul_bands(m);
}
MPX__PRIVATE void mpx__matmul_piece(void *arg, size_t i) {
    const mpx__matmul *from = (const mpx__matmul *)arg;
    const size_t height = mpx__matmul_height(from), bands = mpx__matmul_bands(from),
                 jobs = mpx__matmul_jobs(from);
    mpx__env env;
    mpx__matmul m;
    size_t job;
    mpx__copy(&m, from, sizeof m); /* a task has its own copy of what it changes */
    env = mpx__enter(MPX__ENV_PLAIN);
    if (m.unit != NULL) m.unit->begin();
    for (job = i; job < jobs; job += m.pieces) {
        const size_t row = job % bands * height;
        mpx__slab_run(&m, m.workspace + i * m.piece, job / bands * MPX__SLAB, row,
                      row + mpx__at_most(m.m - row, height));
    }
    if (m.unit != NULL) m.unit->end();
    mpx__leave(env);
}
MPX__PRIVATE mpx_status mpx__operand_set(mpx__matvec *to, const mpx_matrix *from, int transpose,
                                         size_t *rows, size_t *cols) {
    const mpx_status status = mpx__matvec_set(to, from, NULL, MPX_F32);
    *rows = transpose ? from->cols : from->rows;
    *cols = transpose ? from->rows : from->cols;
    return status;
}
#if !MPX__COMPACT
MPX__PRIVATE int mpx__is_bf16_exact(mpx_dtype type) {
    return type == MPX_BF16 || mpx__row_of(type)->bits == 8;
}
MPX__PRIVATE int mpx__can_pair(const mpx_matrix *a) {
    return a->quant.scheme == 0 && mpx__is_bf16_exact(a->type);
}
/* Where a CPU has a unit, pairs without it are slower than f32: only a packed b still has them. */
MPX__PRIVATE void mpx__pairs_set(mpx__matmul *m, const mpx_matrix *a) {
    const int is_fixed = a == NULL || m->packed != NULL, both = a != NULL && mpx__can_pair(a);
    const mpx__unit *unit = mpx__unit_now();
    m->in_pairs = is_fixed ? mpx__is_bf16_exact(m->opt.packed_for) : both;
    if (m->in_pairs && both && unit != NULL && unit->is_given()) m->unit = unit;
    if (!is_fixed && unit != NULL && m->unit == NULL) m->in_pairs = 0;
    if (!m->in_pairs) return;
    m->words = m->k / 2 + m->k % 2;
    m->tile = m->unit != NULL ? m->unit->tile : mpx__pairs_now()->tile;
    if (m->unit != NULL) m->tall = m->unit->rows;
}
#endif
/* a may be NULL: packing does without. */
MPX__PRIVATE mpx_status mpx__matmul_set(mpx__matmul *m, const mpx_matrix *a, const mpx_matrix *b,
                                        const mpx_matmul_options *opt) {
    size_t depth;
    mpx_status status;
    mpx__zero(m, sizeof *m);
    if (opt != NULL) mpx__copy(&m->opt, opt, sizeof *opt);
    m->panel = MPX__PANEL;
    m->tall = MPX__TALL;
    m->tile = MPX__TILE_OF_F32;
    m->turn = MPX__TURN_OF_WORDS;
    m->packed = (const unsigned char *)m->opt.packed;
    status = mpx__operand_set(&m->b, b, m->opt.transpose_b, &m->k, &m->n);
    if (status != MPX_OK) return status;
    if (m->n > (size_t)-1 >> 3) return MPX_ERR_SPACE;
    if (m->n != 0 && m->k > ((size_t)-1 >> 3) / (m->n + MPX__SLAB)) return MPX_ERR_SPACE;
    m->words = m->k;
    m->piece = mpx__piece_bytes(m); /* before pairs halve the words: each way has as many */
    if (a != NULL) {
        status = mpx__operand_set(&m->a, a, m->opt.transpose_a, &m->m, &depth);
        if (status != MPX_OK || depth != m->k) return status != MPX_OK ? status : MPX_ERR_SHAPE;
    }
#if !MPX__COMPACT
    if (mpx__pairs_now() != NULL && mpx__can_pair(b)) {
        mpx__pairs_set(m, a);
        if (a != NULL && m->in_pairs && !mpx__can_pair(a)) return MPX_ERR_DTYPE;
    }
#endif
    m->band = MPX__BAND_ROWS - MPX__BAND_ROWS % m->tall;
    return MPX_OK;
}
MPX__API size_t mpx_matmul_workspace(mpx_matrix b, const mpx_matmul_options *opt) {
    mpx__matmul m;
    b.data = NULL; /* not read, not even a tensor's scale */
    return mpx__matmul_set(&m, NULL, &b, opt) == MPX_OK ? m.piece + 63u : 0; /* to align */
}
MPX__API size_t mpx_matmul_packed_bytes(mpx_matrix b, const mpx_matmul_options *opt) {
    mpx__matmul m;
    return mpx__matmul_set(&m, NULL, &b, opt) == MPX_OK ? mpx__slab_bytes(&m, m.n) : 0;
}
MPX__API mpx_status mpx_matmul_pack(void *dst, mpx_matrix b, const mpx_matmul_options *opt) {
    mpx__matmul m;
    const mpx_status status = mpx__matmul_set(&m, NULL, &b, opt);
    mpx__env env;
    size_t col;
    if (status != MPX_OK) return status;
    MPX_ASSERT(dst != NULL || m.n * m.k == 0);
    env = mpx__enter(MPX__ENV_PLAIN);
    for (col = 0; col < m.n && m.k != 0; col += MPX__SLAB)
        mpx__pack_slab(&m, (unsigned char *)dst + col * m.words * 4, col);
    mpx__leave(env);
    return MPX_OK;
}
MPX__API mpx_status mpx_matmul(void *c, mpx_dtype c_type, mpx_matrix a, mpx_matrix b,
                               const mpx_matmul_options *opt) {
    mpx__matmul m;
    mpx_status status;
    if (opt != NULL && opt->packed != NULL) b.data = NULL;
    status = mpx__matmul_set(&m, &a, &b, opt);
    if (status != MPX_OK) return status;
    m.c_row = mpx__row_of(c_type);
    m.bias_row = mpx__row_of(m.opt.bias_type);
    if (!mpx__computes(m.c_row, 1)) return MPX_ERR_DTYPE;
    if (m.opt.bias != NULL && !mpx__computes(m.bias_row, 0)) return MPX_ERR_DTYPE;
    if (!mpx__is_activation(m.opt.activation)) return MPX_ERR_ARGUMENT;
    m.c_step = m.opt.c_stride != 0 ? m.opt.c_stride : m.n;
    if (m.c_step < m.n) return MPX_ERR_ARGUMENT;
    if (m.m == 0 || m.n == 0) return MPX_OK;
    if (m.m > ((size_t)-1 >> 4) / m.c_step) return MPX_ERR_SPACE;
    m.c_step *= m.c_row->bits / 8u;
    MPX_ASSERT(c != NULL && (m.k == 0 || (a.data != NULL && (b.data != NULL || m.packed != NULL))));
    m.c = (unsigned char *)c;
    m.sums_are_c = c_type == MPX_F32 && m.k != 0 && m.opt.bias == NULL && !m.opt.accumulate &&
                   m.opt.activation == MPX_ACT_NONE;
    if (m.opt.workspace == NULL || m.opt.workspace_size < m.piece + 63u) return MPX_ERR_SPACE;
    m.workspace = (unsigned char *)m.opt.workspace;
    m.workspace += (0 - (uintptr_t)m.workspace) & 63u;
    m.pieces = m.opt.parallel.run != NULL ? (m.opt.workspace_size - 63u) / m.piece : 1;
    m.pieces = mpx__at_most(m.pieces, mpx__matmul_jobs(&m));
    if (m.pieces <= 1)
        mpx__matmul_piece(&m, 0);
    else
        m.opt.parallel.run(m.pieces, mpx__matmul_piece, &m, m.opt.parallel.user);
    return MPX_OK;
}
#undef MPX__PANEL
#undef MPX__TALL
#undef MPX__TILE_OF_F32
#undef MPX__TO_PANELS
#undef MPX__TURN_OF_WORDS
#endif /* MPX_COMPUTE */
