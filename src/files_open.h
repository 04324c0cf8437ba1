/*==================================================================*
 * MARK: files_open - checkpoint files of every format
 *==================================================================*/
#if MPX_FILES

/* ---- reading --------------------------------------------------- */

MPX__PRIVATE mpx_file_format mpx__format_of(const unsigned char *s, size_t size) {
    if (size > 8 && s[8] == '{' && mpx__le_at(s, 8) <= MPX__SAFETENSORS_MOST)
        return MPX_FORMAT_SAFETENSORS;
    if (size >= 4 && mpx__same_bytes(s, "GGUF", 4)) return MPX_FORMAT_GGUF;
    if (size >= 6 && mpx__same_bytes(s, "\x93NUMPY", 6)) return MPX_FORMAT_NPY;
    if (size >= 4 && (mpx__same_bytes(s, "PK\x03\x04", 4) || mpx__same_bytes(s, "PK\x05\x06", 4)))
        return MPX_FORMAT_NPZ;
    return MPX_FORMAT_NONE;
}
MPX__PRIVATE void mpx__read_file(mpx__reader *r) {
    r->at = r->start = r->names_used = r->file.count = r->file.meta_count = 0;
    r->spent = 0;
    r->end = r->size;
    mpx__zero(&r->tensor, sizeof r->tensor);
    r->name = mpx__slice_of("", 0);
    switch ((int)r->file.format) {
    case MPX_FORMAT_SAFETENSORS: mpx__read_safetensors(r); break;
    case MPX_FORMAT_GGUF: mpx__read_gguf(r); break;
    case MPX_FORMAT_NPY:
        r->tensor.leaf.path = mpx__keep_name(r, r->name);
        mpx__read_npy(r);
        break;
    case MPX_FORMAT_NPZ: mpx__read_npz(r); break;
    default: mpx__must_know(r, 0, 0, "neither safetensors nor GGUF, .npy or .npz"); break;
    }
}

enum { MPX__BY_NAME, MPX__BY_KEY, MPX__BY_DATA };
/* Negative: i comes before j; 0: they are equal. */
MPX__PRIVATE int mpx__compare(const mpx_file *file, int by, size_t i, size_t j) {
    const unsigned char *s, *t;
    if (by == MPX__BY_DATA) {
        const mpx_leaf *a = &file->tensors[i].leaf, *b = &file->tensors[j].leaf;
        const uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
        if (x != y) return x < y ? -1 : 1;
        return mpx__leaf_bytes(a) < mpx__leaf_bytes(b) ? -1 : 1;
    }
    s = (const unsigned char *)(const void *)mpx__name_of(file, by == MPX__BY_KEY, i);
    t = (const unsigned char *)(const void *)mpx__name_of(file, by == MPX__BY_KEY, j);
    for (; *s == *t && *s != '\0'; s++)
        t++;
    return (int)*s - (int)*t;
}
MPX__PRIVATE void mpx__sift(const mpx_file *file, int by, size_t at, size_t n) {
    size_t *order = file->cols, child;
    const size_t moving = order[at];
    for (; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && mpx__compare(file, by, order[child], order[child + 1]) < 0) child++;
        if (mpx__compare(file, by, moving, order[child]) >= 0) break;
        order[at] = order[child];
    }
    order[at] = moving;
}
/* file->cols = 0 ... n - 1 in order, by a heap. Returns one with a name of others, or SIZE_MAX. */
MPX__PRIVATE size_t mpx__sort_file(const mpx_file *file, int by, size_t n) {
    size_t *order = file->cols, i;
    for (i = 0; i < n; i++)
        order[i] = i;
    for (i = n / 2; i-- > 0;)
        mpx__sift(file, by, i, n);
    for (i = n; i-- > 1;) {
        const size_t largest = order[0];
        order[0] = order[i];
        order[i] = largest;
        mpx__sift(file, by, 0, i);
    }
    for (i = 1; i < n && by != MPX__BY_DATA; i++)
        if (mpx__compare(file, by, order[i - 1], order[i]) == 0)
            return order[i] > order[i - 1] ? order[i] : order[i - 1];
    return (size_t)-1;
}
/* Data do not overlap; in safetensors they cover the file. */
MPX__PRIVATE void mpx__check_data(mpx__reader *r) {
    const int covers = r->file.format == MPX_FORMAT_SAFETENSORS;
    size_t end = covers ? (size_t)r->base : 0, i;
    (void)mpx__sort_file(&r->file, MPX__BY_DATA, r->file.count);
    for (i = 0; i < r->file.count; i++) {
        const mpx_leaf *leaf = &r->file.tensors[r->file.cols[i]].leaf;
        const size_t begin = (size_t)((const unsigned char *)leaf->data - r->s),
                     bytes = mpx__leaf_bytes(leaf);
        r->name = mpx__slice_of(leaf->path, mpx__length(leaf->path));
        mpx__must_be(r, begin >= end || (bytes == 0 && !covers), begin, "data overlap others",
                     begin, end);
        mpx__must_be(r, begin == end || !covers, begin, "no tensor has the bytes before", begin,
                     end);
        if (begin + bytes > end) end = begin + bytes;
    }
    r->name.n = 0;
    mpx__must_be(r, end == r->size || !covers, end, "no tensor has the last bytes", r->size, end);
}
/* The arrays in the caller's memory. Returns 0 if that is too small. */
MPX__PRIVATE int mpx__place_arrays(mpx__reader *r, void *memory, size_t memory_size) {
    const uint64_t count = r->file.count, metas = r->file.meta_count,
                   meta_at = count * sizeof(mpx_file_tensor),
                   cols_at = meta_at + metas * sizeof(mpx_file_meta),
                   names_at = cols_at + (count > metas ? count : metas) * sizeof(size_t),
                   need = names_at + r->names_used + 15;
    unsigned char *p = (unsigned char *)memory;
    if (memory == NULL || need > memory_size) {
        r->status = mpx__fail(r->err, MPX_ERR_SPACE, 0, 0);
        (void)mpx__lack(r->err, "bytes", memory_size, (size_t)need);
        return 0;
    }
    r->file.memory = memory;
    p += (0 - (uintptr_t)memory) & 15u;
    r->file.tensors = (mpx_file_tensor *)(void *)p;
    r->file.metas = (mpx_file_meta *)(void *)(p + (size_t)meta_at);
    r->file.cols = (size_t *)(void *)(p + (size_t)cols_at);
    r->names = (char *)(void *)(p + (size_t)names_at);
    r->names_size = r->names_used;
    r->count = r->file.count;
    r->meta_count = r->file.meta_count;
    return 1;
}

MPX__API mpx_status mpx_file_open(mpx_file *file, const void *bytes, size_t size, void *memory,
                                  size_t memory_size, mpx_error *err) {
    mpx__reader r;
    size_t i;
    MPX_ASSERT(file != NULL && (bytes != NULL || size == 0));
    mpx__zero(&r, sizeof r);
    r.s = (const unsigned char *)bytes;
    r.size = size;
    r.err = err;
    r.twice[0] = r.twice[1] = (size_t)-1;
    r.file.format = mpx__format_of(r.s, size);
    (void)mpx__fail(err, MPX_OK, 0, 0);
    mpx__read_file(&r);
    if (r.status != MPX_OK || !mpx__place_arrays(&r, memory, memory_size)) return r.status;
    mpx__read_file(&r);
    if (r.status != MPX_OK) return r.status;
    r.twice[0] = mpx__sort_file(&r.file, MPX__BY_NAME, r.count);
    r.twice[1] = mpx__sort_file(&r.file, MPX__BY_KEY, r.meta_count);
    mpx__read_file(&r); /* to the second of one name */
    if (r.status == MPX_OK) mpx__check_data(&r);
    if (r.status != MPX_OK) return r.status;
    for (i = 0; i < r.count; i++) {
        const mpx_file_tensor *t = &r.file.tensors[i];
        r.file.cols[i] = t->rank != 0 ? t->shape[t->rank - 1] : 1;
    }
    mpx__copy(file, &r.file, sizeof *file);
    return MPX_OK;
}
#if !MPX_NO_TREE
MPX__PRIVATE int mpx__file_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    if (at->index[0] >= tree->count) return 0;
    *leaf = ((const mpx_file_tensor *)tree->layout)[at->index[0]++].leaf;
    return 1;
}
MPX__API mpx_tree mpx_tree_of_file(const mpx_file *file) {
    return mpx__tree_make(mpx__file_next, NULL, NULL, file->tensors, file->count);
}
#endif

/* ---- writing --------------------------------------------------- */

/* No name occurs twice: hashes of some are compared with those of all that follow, if their last
   bits have occurred at all. */
MPX__PRIVATE void mpx__check_names(mpx__writer *w, int is_meta, size_t n) {
    uint32_t hashes[256], hash;
    size_t some = sizeof hashes / sizeof hashes[0], first, i, j;
    for (first = 0; first < n && w->status == MPX_OK; first += some) {
        mpx__zero(w->tile, sizeof w->tile);
        for (i = first; i < n; i++) {
            unsigned char *bits;
            mpx__next_name(w, is_meta, i);
            hash = mpx__hash(w->name);
            bits = w->tile + (hash >> 3) % sizeof w->tile;
            for (j = 0; (*bits >> (hash & 7u) & 1) != 0 && j < i - first && j < some; j++)
                if (hashes[j] == hash)
                    mpx__wants(
                        w, !mpx__is_word(w->name, mpx__name_of(w->file, is_meta, first + j), 0),
                        MPX_ERR_EXISTS, "one before has this name");
            if (i - first >= some) continue;
            hashes[i - first] = hash;
            *bits = (unsigned char)(*bits | 1u << (hash & 7u));
        }
    }
}
MPX__PRIVATE mpx_status mpx__write_file(mpx__writer *w) {
    const mpx_file *file = w->file;
    const int format = file->format;
    w->at = w->name.n = 0;
    w->index = (size_t)-1;
    mpx__wants(w, format > 0 && format <= MPX_FORMAT_NPZ, MPX_ERR_ARGUMENT, "no such format");
    mpx__wants(w, format != MPX_FORMAT_NPY || file->count == 1, MPX_ERR_FORMAT,
               "a .npy file is one tensor");
    mpx__wants(w, format < MPX_FORMAT_NPY || file->meta_count == 0, MPX_ERR_FORMAT,
               "files of NumPy have no metadata");
    if (w->status != MPX_OK) return w->status;
    switch (format) {
    case MPX_FORMAT_SAFETENSORS: mpx__write_safetensors(w); break;
    case MPX_FORMAT_GGUF: mpx__write_gguf(w); break;
    case MPX_FORMAT_NPY: mpx__write_npy(w, file->tensors); break;
    default: mpx__write_npz(w); break;
    }
    mpx__flush(w);
    return w->status;
}
/* Check and count. full: every tensor needs data. */
MPX__PRIVATE mpx_status mpx__begin(mpx__writer *w, const mpx_file *file, int full, mpx_error *err) {
    mpx__zero(w, sizeof *w);
    w->file = file;
    w->needs_data = full;
    w->err = err;
    (void)mpx__fail(err, MPX_OK, 0, 0);
    mpx__check_names(w, 0, file->count);
    mpx__check_names(w, 1, file->meta_count);
    return mpx__write_file(w);
}

MPX__API mpx_status mpx_file_size(const mpx_file *file, size_t *size, mpx_error *err) {
    mpx__writer w;
    if (mpx__begin(&w, file, 0, err) == MPX_OK) *size = (size_t)w.at;
    return w.status;
}
MPX__API mpx_status mpx_file_write(const mpx_file *file, mpx_file_write_fn write, void *user,
                                   mpx_error *err) {
    mpx__writer w;
    if (mpx__begin(&w, file, 0, err) != MPX_OK) return w.status;
    w.write = write;
    w.user = user;
    return mpx__write_file(&w);
}
/* Into memory: `user` is where the next byte goes. */
MPX__PRIVATE mpx_status mpx__into_memory(const void *data, size_t size,
                                         const mpx_file_tensor *tensor, void *user) {
    unsigned char **at = (unsigned char **)user;
    (void)tensor;
    mpx__copy(*at, data, size);
    *at += size;
    return MPX_OK;
}
MPX__API mpx_status mpx_file_save(void *dst, size_t dst_size, const mpx_file *file,
                                  mpx_error *err) {
    unsigned char *at = (unsigned char *)dst;
    mpx__writer w;
    if (mpx__begin(&w, file, 1, err) != MPX_OK) return w.status;
    if (w.at > dst_size) {
        (void)mpx__fail(err, MPX_ERR_SPACE, 0, 0);
        return mpx__lack(err, "bytes", dst_size, (size_t)w.at);
    }
    w.write = mpx__into_memory;
    w.user = &at;
    return mpx__write_file(&w);
}

#endif /* MPX_FILES */
