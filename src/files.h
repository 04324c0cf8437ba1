/*==================================================================*
 * MARK: files - what readers and writers of checkpoint files share
 *   A reader walks over a header twice: first to check and count, then to fill in the caller's
 *   memory. The first error ends a walk: every later read gives 0. A writer walks twice, too: to
 *   check and count, then to hand out bytes.
 *==================================================================*/
#if MPX_FILES
#if MPX_NO_INTEROP
#error "mpx.h: MPX_FILES needs the names of dtypes, so MPX_NO_INTEROP has to be 0"
#endif

/* ---- reading --------------------------------------------------- */

typedef struct mpx__reader {
    const unsigned char *s;
    size_t size, at, end;     /* of the file; where it is read, up to where for now */
    uint64_t alignment, base; /* of data; where they begin, which the second walk knows */
    mpx_file file;
    char *names;              /* NULL: the first walk; else names_used bytes of texts */
    size_t names_used, names_size, count, meta_count; /* the last three: found by the first walk */
    char word[16];            /* 15 bytes of the text from word_at of names on, in both walks */
    size_t word_at;
    size_t twice[2];          /* a tensor and an entry whose names were there before, to be told */
    mpx_file_tensor tensor;   /* that is read, from `start` on */
    mpx__slice name;          /* of it, as it stands in the file */
    size_t start;
    uint64_t spent;           /* bytes of members of .npz so far, with their headers */
    mpx_status status;
    mpx_error *err;
} mpx__reader;

MPX__PRIVATE mpx_status mpx__file_error(mpx_error *err, mpx_status status, const char *what,
                                        size_t index, mpx__slice name) {
    mpx__printer out;
    (void)mpx__fail_at(err, status, MPX_SUBJECT_FILE, index);
    if (err == NULL) return status;
    err->what = what;
    err->offset = (size_t)-1;
    mpx__print_to(&out, err->path, sizeof err->path);
    mpx__put_slice(&out, name);
    return status;
}
MPX__NOINLINE void mpx__bad(mpx__reader *r, mpx_status status, size_t at, const char *what) {
    r->at = r->end;
    if (r->status != MPX_OK) return;
    r->status = mpx__file_error(r->err, status, what, (size_t)-1, r->name);
    if (r->err != NULL) r->err->offset = at;
}
MPX__PRIVATE void mpx__must(mpx__reader *r, int is_so, size_t at, const char *what) {
    if (!is_so) mpx__bad(r, MPX_ERR_FILE, at, what);
}
MPX__PRIVATE void mpx__must_know(mpx__reader *r, int is_so, size_t at, const char *what) {
    if (!is_so) mpx__bad(r, MPX_ERR_FORMAT, at, what);
}
/* The same with the numbers found and expected; (size_t)-1: not known. */
MPX__PRIVATE void mpx__must_be(mpx__reader *r, int is_so, size_t at, const char *what,
                               uint64_t have, uint64_t need) {
    if (is_so || r->status != MPX_OK) return;
    mpx__bad(r, MPX_ERR_FILE, at, what);
    if (r->err == NULL) return;
    r->err->have = have < (size_t)-1 ? (size_t)have : (size_t)-1;
    r->err->need = need < (size_t)-1 ? (size_t)need : (size_t)-1;
}
/* Are there n bytes more? */
MPX__PRIVATE int mpx__has(mpx__reader *r, uint64_t n) {
    mpx__must_be(r, n <= r->end - r->at, r->at, "too few bytes", r->end - r->at, n);
    return r->status == MPX_OK;
}
MPX__PRIVATE uint64_t mpx__le_at(const void *bytes, size_t n) {
    uint64_t x = 0;
    while (n != 0)
        x = x << 8 | ((const unsigned char *)bytes)[--n];
    return x;
}
/* A number of n bytes, little-endian. */
MPX__PRIVATE uint64_t mpx__get(mpx__reader *r, size_t n) {
    if (!mpx__has(r, n)) return 0;
    r->at += n;
    return mpx__le_at(r->s + r->at - n, n);
}
/* n bytes. */
MPX__PRIVATE mpx__slice mpx__get_slice(mpx__reader *r, uint64_t n) {
    const size_t size = mpx__has(r, n) ? (size_t)n : 0;
    r->at += size;
    return mpx__slice_of((const char *)(const void *)(r->s + r->at - size), size);
}

/* Texts are kept with a NUL behind them. */
MPX__PRIVATE void mpx__keep(mpx__reader *r, unsigned byte) {
    const size_t i = r->names_used++;
    if (i - r->word_at < sizeof r->word - 1) r->word[i - r->word_at] = (char)(unsigned char)byte;
    if (r->names != NULL && i < r->names_size) r->names[i] = (char)(unsigned char)byte;
}
MPX__PRIVATE const char *mpx__kept_text(const mpx__reader *r, size_t start) {
    return r->names != NULL ? r->names + start : "";
}
/* The index of the first byte that is no UTF-8, or n. */
MPX__PRIVATE size_t mpx__utf8_end(const void *text, size_t n) {
    uint32_t code = 0;
    size_t i, size;
    for (i = 0; i < n; i += size) {
        size = mpx__utf8(mpx__slice_of((const char *)text + i, n - i), &code);
        if (code >= MPX__NO_UNICODE) return i;
    }
    return n;
}
/* The name of what is read, which stands in the file as it is. */
MPX__PRIVATE const char *mpx__keep_name(mpx__reader *r, mpx__slice name) {
    const size_t first = r->names_used;
    size_t i;
    r->name = name;
    mpx__must(r, mpx__utf8_end(name.s, name.n) == name.n, r->start, "no UTF-8");
    mpx__must(r, mpx__find(name, '\0') == name.n, r->start, "a NUL in a name");
    for (i = 0; i < name.n; i++)
        mpx__keep(r, (unsigned char)name.s[i]);
    mpx__keep(r, 0);
    return mpx__kept_text(r, first);
}

MPX__INLINE int mpx__is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char bytes[2];
    mpx__copy(bytes, &one, 2);
    return bytes[0] == 0;
}
/* Bytes to swap in each element between this machine and a file of that byte order; 1: none. To
   write a little-endian file, is_big says whether elements are swapped. */
MPX__PRIVATE size_t mpx__turned(mpx_dtype type, int is_big) {
    const size_t bits = (size_t)mpx_dtype_bits(type);
    if (is_big == mpx__is_big_endian() || bits <= 8) return 1;
    return mpx__row_of(type)->kind == MPX_KIND_COMPLEX ? bits / 16 : bits / 8;
}
MPX__PRIVATE void mpx__reverse(unsigned char *d, const unsigned char *s, size_t n, size_t width) {
    size_t i, j;
    for (i = 0; i < n; i += width)
        for (j = 0; j < width; j++)
            d[i + j] = s[i + width - 1 - j];
}
/* Elements and bytes of a tensor whose blocks have so many bits; 0: none whole, or too many. */
MPX__PRIVATE int mpx__count_shape(const mpx_file_tensor *t, size_t block, size_t bits,
                                  uint64_t *count, uint64_t *bytes) {
    size_t i;
    for (*count = 1, i = 0; i < t->rank; i++) {
        if (t->shape[i] > ((size_t)-1 >> 1) / (*count != 0 ? *count : 1)) return 0;
        *count *= t->shape[i];
    }
    *bytes = *count / block;
    if (*bytes > (uint64_t)-1 / bits || *bytes * bits % 8 != 0) return 0;
    *bytes = *bytes * bits / 8;
    return block == 1 || (t->rank != 0 && t->shape[t->rank - 1] % block == 0);
}
MPX__PRIVATE void mpx__add_dim(mpx__reader *r, uint64_t n) {
    mpx__must_be(r, n <= (size_t)-1 >> 1, r->start, "a dimension is too large", n, (size_t)-1);
    mpx__must_know(r, r->tensor.rank < MPX_FILE_RANK, r->start, "more than eight dimensions");
    if (r->status == MPX_OK) r->tensor.shape[r->tensor.rank++] = (size_t)n;
}
/* r->tensor has `size` bytes from `begin` on; -1: what it needs. block, bits: of its type, or 0. */
MPX__PRIVATE void mpx__add_tensor(mpx__reader *r, uint64_t begin, uint64_t size, size_t block,
                                  size_t bits) {
    mpx_file_tensor *t = &r->tensor;
    uint64_t bytes = size, count = size;
    t->swapped = mpx__turned(t->dtype, t->swapped) != 1; /* it was: big-endian */
    mpx__must(r, bits == 0 || mpx__count_shape(t, block, bits, &count, &bytes), r->start,
              "too many elements, or no whole blocks");
    mpx__must_be(r, size == (uint64_t)-1 || size == bytes, r->start,
                 "data do not fit type and shape", size, bytes);
    if (r->names != NULL)
        mpx__must_be(r, begin <= r->size && bytes <= r->size - begin, r->start,
                     "data end beyond the file", begin + (begin <= ~bytes ? bytes : ~begin),
                     r->size);
    if (r->file.count == r->twice[0])
        mpx__bad(r, MPX_ERR_EXISTS, r->start, "a tensor before has this name");
    if (r->status != MPX_OK) return;
    if (r->names != NULL && r->file.count < r->count) {
        const int plain = t->dtype != MPX_NONE && !t->swapped;
        t->leaf.data = (void *)(uintptr_t)(r->s + (size_t)begin); /* as mpx_leaf_of has it */
        t->leaf.count = plain ? (size_t)count : (size_t)bytes;
        t->leaf.dtype = plain ? t->dtype : MPX_U8;
        mpx__copy(&r->file.tensors[r->file.count], t, sizeof *t);
    }
    r->file.count++;
    mpx__zero(t, sizeof *t);
    r->name.n = 0;
}
MPX__PRIVATE void mpx__add_meta(mpx__reader *r, const mpx_file_meta *meta) {
    if (r->file.meta_count == r->twice[1])
        mpx__bad(r, MPX_ERR_EXISTS, r->start, "an entry before has this key");
    if (r->names != NULL && r->file.meta_count < r->meta_count)
        mpx__copy(&r->file.metas[r->file.meta_count], meta, sizeof *meta);
    r->file.meta_count++;
    r->name.n = 0;
}

/* ---- writing --------------------------------------------------- */

typedef struct mpx__writer {
    const mpx_file *file;
    mpx_file_write_fn write; /* NULL: bytes are only counted */
    void *user;
    int needs_data;          /* of every tensor; else the callback may have it */
    uint64_t at;             /* bytes so far */
    size_t used;             /* of the tile, in which small pieces are gathered */
    size_t turns;            /* in which the tensors of safetensors are written */
    size_t index;            /* of the tensor or entry that is written, and its name */
    mpx__slice name;
    mpx_status status;
    mpx_error *err;
    unsigned char tile[512];
} mpx__writer;

MPX__PRIVATE void mpx__wants(mpx__writer *w, int is_so, mpx_status status, const char *what) {
    if (!is_so && w->status == MPX_OK)
        w->status = mpx__file_error(w->err, status, what, w->index, w->name);
}
MPX__PRIVATE const char *mpx__name_of(const mpx_file *file, int is_meta, size_t i) {
    const char *name = is_meta ? file->metas[i].key : file->tensors[i].leaf.path;
    return name != NULL ? name : "";
}
/* Which tensor or entry comes next. */
MPX__PRIVATE void mpx__next_name(mpx__writer *w, int is_meta, size_t i) {
    const char *name = mpx__name_of(w->file, is_meta, i);
    w->index = i;
    w->name = mpx__slice_of(name, mpx__length(name));
    mpx__wants(w, mpx__utf8_end(name, w->name.n) == w->name.n, MPX_ERR_FILE, "no UTF-8");
}
MPX__PRIVATE void mpx__hand_out(mpx__writer *w, const void *data, size_t n,
                                const mpx_file_tensor *tensor) {
    mpx_status status = MPX_OK;
    if (n != 0 && w->status == MPX_OK && w->write != NULL)
        status = (w->write)(data, n, tensor, w->user);
    mpx__wants(w, status == MPX_OK, status, "the bytes were not taken");
}
MPX__PRIVATE void mpx__flush(mpx__writer *w) {
    mpx__hand_out(w, w->tile, w->used, NULL);
    w->used = 0;
}
MPX__PRIVATE void mpx__out(mpx__writer *w, const void *data, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        if (w->used == sizeof w->tile) mpx__flush(w);
        w->tile[w->used++] = ((const unsigned char *)data)[i];
    }
    w->at += n;
}
MPX__PRIVATE void mpx__out_text(mpx__writer *w, const char *text) {
    mpx__out(w, text, mpx__length(text));
}
MPX__PRIVATE void mpx__out_fill(mpx__writer *w, const char *c, uint64_t n) {
    if (w->write == NULL) w->at += n;
    for (; n != 0 && w->write != NULL && w->status == MPX_OK; n--)
        mpx__out(w, c, 1);
}
/* Numbers, little-endian; a digit of `sizes` for each says how many bytes. */
MPX__PRIVATE void mpx__out_le(mpx__writer *w, const char *sizes, const uint64_t *x) {
    unsigned char bytes[8];
    size_t i, n;
    for (; *sizes != '\0'; sizes++, x++) {
        for (i = 0, n = (size_t)(*sizes - '0'); i < n; i++)
            bytes[i] = (unsigned char)(*x >> 8 * i & 255u);
        mpx__out(w, bytes, n);
    }
}
MPX__PRIVATE void mpx__out_number(mpx__writer *w, uint64_t x) {
    mpx__printer out;
    char text[24];
    mpx__print_to(&out, text, sizeof text);
    mpx__put_size(&out, (size_t)x);
    mpx__out(w, text, out.length);
}
MPX__PRIVATE size_t mpx__leaf_bytes(const mpx_leaf *leaf) {
    return leaf->dtype == MPX_U8 ? leaf->count : mpx_dtype_bytes(leaf->dtype, leaf->count);
}
/* What the elements of a tensor are; MPX_NONE: blocks, or unknown. */
MPX__PRIVATE mpx_dtype mpx__dtype_of(const mpx_file_tensor *t) {
    if (t->dtype != MPX_NONE) return t->leaf.dtype == MPX_U8 ? t->dtype : t->leaf.dtype;
    return t->type != NULL || t->quant.scheme != MPX_SCHEME_NONE ? MPX_NONE : t->leaf.dtype;
}
/* Data, little-endian. */
MPX__PRIVATE void mpx__out_tensor(mpx__writer *w, const mpx_file_tensor *t) {
    unsigned char turned[256];
    const size_t n = mpx__leaf_bytes(&t->leaf),
                 width = mpx__turned(mpx__dtype_of(t), t->swapped != 0);
    const unsigned char *s = (const unsigned char *)t->leaf.data;
    size_t i, m;
    mpx__next_name(w, 0, (size_t)(t - w->file->tensors)); /* headers were written before */
    mpx__wants(w, s != NULL || n == 0 || !w->needs_data, MPX_ERR_ARGUMENT, "no data");
    mpx__wants(w, n <= (size_t)-1 >> 1 && w->at + n <= (size_t)-1 >> 1, MPX_ERR_SPACE,
               "the file is too large");
    mpx__flush(w);
    if (width == 1 || s == NULL || w->write == NULL) {
        mpx__hand_out(w, s, n, t);
        w->at += n;
        return;
    }
    for (i = 0; i < n; i += m) {
        m = n - i < sizeof turned ? n - i : sizeof turned;
        mpx__reverse(turned, s + i, m, width);
        mpx__out(w, turned, m);
    }
}
/* The next tensor: its data fit its shape. block, bits: of its type; 0: not known. */
MPX__PRIVATE void mpx__check_tensor(mpx__writer *w, const mpx_file_tensor *t, size_t block,
                                    size_t bits) {
    uint64_t bytes, count;
    mpx__wants(w, t->rank <= MPX_FILE_RANK, MPX_ERR_SHAPE, "more than eight dimensions");
    if (bits != 0 && w->status == MPX_OK)
        mpx__wants(w, mpx__count_shape(t, block, bits, &count, &bytes) &&
                          bytes == mpx__leaf_bytes(&t->leaf),
                   MPX_ERR_SHAPE, "type and shape need other bytes than the leaf has");
    mpx__wants(w, !t->fortran || w->file->format >= MPX_FORMAT_NPY, MPX_ERR_FORMAT,
               "order of Fortran is NumPy's alone");
}

#endif /* MPX_FILES */
