/*==================================================================*
 * MARK: parallel - casts in pieces, on the caller's threads
 *   All casts are laid end to end as one range of bytes, which is cut into pieces of one size. A
 *   task computes the bounds of its piece from its number alone, so pieces never overlap.
 *==================================================================*/
#if !MPX_NO_PARALLEL

#define MPX__PARTS 48         /* leaves that are cut together */
#define MPX__PIECE_UNIT 128u  /* elements: where a packed dtype of any width begins a new byte */
#define MPX__GRAIN (1u << 20) /* bytes a piece: the default, and the least */
#define MPX__LEAST_GRAIN 4096u

/* One cast of n elements. bits: of an element in memory; sizes: in bytes. */
typedef struct mpx__part {
    unsigned char *dst;
    const unsigned char *src;
    size_t n, dst_size, src_size;
    mpx_dtype to, from;
    int dst_bits, src_bits;
} mpx__part;

/* Casts laid end to end: total bytes, cut every grain bytes, at multiples of `unit` elements of a
   part. opt may be NULL. Tasks only read it. */
typedef struct mpx__work {
    const mpx__part *parts;
    size_t count, total, grain, unit;
    const mpx_cast_options *opt;
} mpx__work;

/* ---- one piece ------------------------------------------------- */

MPX__PRIVATE mpx_status mpx__cast_under(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                        size_t n, const mpx_cast_options *opt) {
#if !MPX_NO_CAST_WITH
    if (opt != NULL) return mpx_cast_with(dst, to, src, from, n, opt);
#endif
    (void)opt;
    return mpx_cast(dst, to, src, from, n);
}
/* Elements from..to of a part. */
MPX__PRIVATE void mpx__cast_range(const mpx__part *part, size_t from, size_t to,
                                  const mpx_cast_options *opt) {
    mpx_cast_options piece;
    if (opt != NULL) {
        mpx__copy(&piece, opt, sizeof piece);
        piece.offset += from;
        opt = &piece;
    }
    (void)mpx__cast_under(part->dst + from / 8 * (size_t)part->dst_bits, part->to,
                          part->src + from / 8 * (size_t)part->src_bits, part->from, to - from,
                          opt);
}

/* The element where a cut `at` bytes into a part falls: the one there, or one up to `unit`
   before. */
MPX__PRIVATE size_t mpx__cut(const mpx__part *part, size_t unit, size_t at) {
    size_t i;
    if (at >= part->dst_size + part->src_size) return part->n;
    i = at / (size_t)(part->dst_bits + part->src_bits) * 8;
    return i - i % unit;
}

/* The task: piece i. Begin and end are counted from the start of each part in turn. */
MPX__PRIVATE void mpx__run_piece(void *arg, size_t i) {
    const mpx__work *work = (const mpx__work *)arg;
    const mpx__part *part = work->parts, *parts_end = part + work->count;
    size_t begin = i * work->grain, left = work->total - begin;
    size_t end = begin + (left < work->grain ? left : work->grain);
    for (; part < parts_end && end != 0; part++) {
        size_t size = part->dst_size + part->src_size;
        size_t from = mpx__cut(part, work->unit, begin), to = mpx__cut(part, work->unit, end);
        if (from < to) mpx__cast_range(part, from, to, work->opt);
        begin = begin > size ? begin - size : 0;
        end = end > size ? end - size : 0;
    }
}

/* All pieces; one alone runs here. */
MPX__PRIVATE void mpx__run_pieces(mpx__work *work, const mpx_parallel *parallel) {
    size_t grain = parallel->grain != 0 ? parallel->grain : MPX__GRAIN;
    work->grain = grain < MPX__LEAST_GRAIN ? MPX__LEAST_GRAIN : grain;
    if (parallel->run == NULL || work->total <= work->grain) {
        work->grain = work->total;
        mpx__run_piece(work, 0);
        return;
    }
    parallel->run((work->total - 1) / work->grain + 1, mpx__run_piece, work, parallel->user);
}

/* ---- what can be cut ------------------------------------------- */

MPX__INLINE int mpx__overlap(const void *a, size_t a_size, const void *b, size_t b_size) {
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y ? y - x < a_size : x - y < b_size;
}

/* Has each element a whole byte, though it needs fewer bits? */
MPX__INLINE int mpx__fills_bytes(mpx_dtype type, int layout) {
    return layout == MPX_LAYOUT_BYTES && mpx_dtype_bits(type) < 8;
}
MPX__INLINE int mpx__element_bits(mpx_dtype type, int layout) {
    return mpx__fills_bytes(type, layout) ? 8 : mpx_dtype_bits(type);
}
MPX__INLINE size_t mpx__elements_bytes(mpx_dtype type, int layout, size_t n) {
    return mpx__fills_bytes(type, layout) ? n : mpx_dtype_bytes(type, n);
}

/* Returns 0 if the cast must stay whole: elements are not written where they are read, or size_t
   cannot hold the size. n is not 0. */
MPX__PRIVATE int mpx__part_set(mpx__part *part, void *dst, mpx_dtype to, const void *src,
                               mpx_dtype from, size_t n, const mpx_cast_options *opt) {
    int dst_layout = opt != NULL ? opt->dst_layout : 0;
    int src_layout = opt != NULL ? opt->src_layout : 0;
    part->dst = (unsigned char *)dst;
    part->src = (const unsigned char *)src;
    part->n = n;
    part->dst_size = mpx__elements_bytes(to, dst_layout, n);
    part->src_size = mpx__elements_bytes(from, src_layout, n);
    part->to = to;
    part->from = from;
    part->dst_bits = mpx__element_bits(to, dst_layout);
    part->src_bits = mpx__element_bits(from, src_layout);
    if (part->src_size > (size_t)-1 - part->dst_size) return 0;
    return !mpx__overlap(dst, part->dst_size, src, part->src_size) ||
           (dst == src && part->dst_bits == part->src_bits);
}

#if MPX_NO_CAST_WITH /* options are refused */
MPX__INLINE size_t mpx__unit_of(mpx_dtype to, mpx_dtype from, size_t n,
                                const mpx_cast_options *opt) {
    (void)to, (void)from, (void)n, (void)opt;
    return MPX__PIECE_UNIT;
}
MPX__PRIVATE mpx_status mpx__check_options(mpx_dtype to, mpx_dtype from, size_t n,
                                           const mpx_cast_options *opt) {
    (void)n;
    return opt != NULL ? (mpx_status)MPX_ERR_ARGUMENT : mpx_cast(NULL, to, NULL, from, 0);
}
#else
/* Where a cast may be cut, in elements: the bytes of a split block hold two elements each, so at
   multiples of the block. 0: nowhere. */
MPX__PRIVATE size_t mpx__unit_of(mpx_dtype to, mpx_dtype from, size_t n,
                                 const mpx_cast_options *opt) {
    int dst_split, src_split;
    size_t block, blocks = MPX__PIECE_UNIT / 2; /* even blocks */
    if (opt == NULL) return MPX__PIECE_UNIT;
    if (mpx__wants_stats(opt)) return 0;
    dst_split = opt->dst_layout == MPX_LAYOUT_SPLIT && mpx_dtype_bits(to) < 8;
    src_split = opt->src_layout == MPX_LAYOUT_SPLIT && mpx_dtype_bits(from) < 8;
    if (!dst_split && !src_split) return MPX__PIECE_UNIT;
    block = mpx__block_of(n, opt);
    return block <= n / blocks ? block * blocks : 0;
}
MPX__PRIVATE mpx_status mpx__check_options(mpx_dtype to, mpx_dtype from, size_t n,
                                           const mpx_cast_options *opt) {
    return opt == NULL ? mpx_cast(NULL, to, NULL, from, 0)
                       : mpx__check_cast(to, from, n, mpx__block_of(n, opt), opt);
}
#endif

MPX__API mpx_status mpx_cast_parallel(void *dst, mpx_dtype to, const void *src, mpx_dtype from,
                                      size_t n, const mpx_cast_options *opt, mpx_parallel parallel) {
    mpx__part part;
    mpx__work work;
    mpx_status status = mpx__check_options(to, from, n, opt);
    if (status != MPX_OK || n == 0) return status;
    MPX_ASSERT(dst != NULL && src != NULL);
    work.unit = mpx__unit_of(to, from, n, opt);
    if (work.unit == 0 || !mpx__part_set(&part, dst, to, src, from, n, opt))
        return mpx__cast_under(dst, to, src, from, n, opt);
    work.parts = &part;
    work.count = 1;
    work.total = part.dst_size + part.src_size;
    work.opt = opt;
    mpx__run_pieces(&work, &parallel);
    return MPX_OK;
}

/* ---- trees ----------------------------------------------------- */
#if !MPX_NO_TREE

/* Leaves that wait to be cast together; total bytes. */
typedef struct mpx__batch {
    mpx__part parts[MPX__PARTS];
    size_t count, total;
    const mpx_parallel *parallel;
} mpx__batch;

MPX__PRIVATE void mpx__batch_run(mpx__batch *batch) {
    mpx__work work;
    work.parts = batch->parts;
    work.count = batch->count;
    work.total = batch->total;
    work.unit = MPX__PIECE_UNIT;
    work.opt = NULL;
    if (batch->count != 0) mpx__run_pieces(&work, batch->parallel);
    batch->count = batch->total = 0;
}

/* Does one part write what the other reads or writes? */
MPX__PRIVATE int mpx__parts_clash(const mpx__part *a, const mpx__part *b) {
    return mpx__overlap(a->dst, a->dst_size, b->dst, b->dst_size) ||
           mpx__overlap(a->dst, a->dst_size, b->src, b->src_size) ||
           mpx__overlap(a->src, a->src_size, b->dst, b->dst_size);
}

/* Must the leaves that wait be cast before this one joins them? */
MPX__PRIVATE int mpx__batch_is_full(const mpx__batch *batch, const mpx__part *part) {
    size_t i;
    if (batch->count == MPX__PARTS) return 1;
    if (part->dst_size + part->src_size > (size_t)-1 - batch->total) return 1;
    for (i = 0; i < batch->count; i++)
        if (mpx__parts_clash(part, &batch->parts[i])) return 1;
    return 0;
}

/* As mpx__do_pair, but later. */
MPX__PRIVATE void mpx__batch_add(mpx__batch *batch, const mpx_leaf *d, const mpx_leaf *s) {
    mpx__part part;
    if (d->count == 0 || (d->data == s->data && d->dtype == s->dtype)) return;
    if (!mpx__part_set(&part, d->data, d->dtype, s->data, s->dtype, d->count, NULL)) {
        mpx__batch_run(batch);
        (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, d->count);
        return;
    }
    if (mpx__batch_is_full(batch, &part)) mpx__batch_run(batch);
    mpx__copy(&batch->parts[batch->count++], &part, sizeof part);
    batch->total += part.dst_size + part.src_size;
}

MPX__API mpx_status mpx_tree_cast_parallel(mpx_tree dst, mpx_tree src, mpx_parallel parallel,
                                           mpx_error *err) {
    mpx__errand errand;
    mpx__batch batch;
    mpx__walk d, s;
    int more;
    mpx__errand_set(&errand, MPX__NARROWS);
    more = mpx__pair_walk(&dst, &src, &errand, 0, err);
    if (more != MPX_OK) return (mpx_status)more;
    batch.count = batch.total = 0;
    batch.parallel = &parallel;
    mpx__walk_start(&d, &dst, err);
    mpx__walk_start(&s, &src, err);
    while ((more = mpx__pair_next(&d, &s, MPX__NARROWS)) > 0)
        mpx__batch_add(&batch, &d.leaf, &s.leaf);
    mpx__batch_run(&batch);
    return (mpx_status)more;
}

#endif /* !MPX_NO_TREE */
#endif /* !MPX_NO_PARALLEL */
