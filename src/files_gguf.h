/*==================================================================*
 * MARK: files_gguf - metadata, tensors, then the data
 *   Versions 2 and 3 are the same in everything that is read here.
 *   Source: ggml's docs/gguf.md and src/gguf.cpp; the gguf package 0.19.
 *==================================================================*/
#if MPX_FILES

/* ggml's types by their number: the elements of a block, and its bytes. */
/* clang-format off */
static const struct mpx__ggml_type {
    char name[8];
    uint16_t block, bytes;
} mpx__ggml_types[] = {
    { "F32", 1, 4 }, { "F16", 1, 2 }, { "Q4_0", 32, 18 }, { "Q4_1", 32, 20 }, { "", 0, 0 },
    { "", 0, 0 }, { "Q5_0", 32, 22 }, { "Q5_1", 32, 24 }, { "Q8_0", 32, 34 }, { "Q8_1", 32, 36 },
    { "Q2_K", 256, 84 }, { "Q3_K", 256, 110 }, { "Q4_K", 256, 144 }, { "Q5_K", 256, 176 },
    { "Q6_K", 256, 210 }, { "Q8_K", 256, 292 }, { "IQ2_XXS", 256, 66 }, { "IQ2_XS", 256, 74 },
    { "IQ3_XXS", 256, 98 }, { "IQ1_S", 256, 50 }, { "IQ4_NL", 32, 18 }, { "IQ3_S", 256, 110 },
    { "IQ2_S", 256, 82 }, { "IQ4_XS", 256, 136 }, { "I8", 1, 1 }, { "I16", 1, 2 },
    { "I32", 1, 4 }, { "I64", 1, 8 }, { "F64", 1, 8 }, { "IQ1_M", 256, 56 }, { "BF16", 1, 2 },
    { "", 0, 0 }, { "", 0, 0 }, { "", 0, 0 }, { "TQ1_0", 256, 54 }, { "TQ2_0", 256, 66 },
    { "", 0, 0 }, { "", 0, 0 }, { "", 0, 0 }, { "MXFP4", 32, 17 }, { "NVFP4", 64, 36 },
    { "Q1_0", 128, 18 }, { "Q2_0", 64, 18 }, { "", 1, 0 }, /* the last: all other names */
};
/* clang-format on */
enum { MPX__GGML_TYPES = sizeof mpx__ggml_types / sizeof mpx__ggml_types[0] - 1 };
/* Those of schemes, from MPX_SCHEME_Q4_0 on. */
static const uint8_t mpx__scheme_codes[10] = { 2, 3, 6, 7, 8, 12, 13, 14, 39, 40 };
/* Types of metadata by their number: a dtype, and its bytes. */
enum { MPX__GGUF_TEXT = 8, MPX__GGUF_ARRAY = 9, MPX__GGUF_TYPES = 13 };
static const uint8_t mpx__gguf_types[MPX__GGUF_TYPES][2] = {
    { MPX_U8, 1 },  { MPX_I8, 1 },  { MPX_U16, 2 },  { MPX_I16, 2 },  { MPX_U32, 4 },
    { MPX_I32, 4 }, { MPX_F32, 4 }, { MPX_BOOL, 1 }, { MPX_NONE, 0 }, { MPX_NONE, 0 },
    { MPX_U64, 8 }, { MPX_I64, 8 }, { MPX_F64, 8 },
};

MPX__PRIVATE int mpx__is_same(const char *a, const char *b) {
    return mpx__is_word(mpx__slice_of(a, mpx__length(a)), b, 0);
}
/* The number of a type by its name; MPX__GGML_TYPES: there is none. */
MPX__PRIVATE size_t mpx__ggml_code(const char *name) {
    size_t i = 0;
    while (i < MPX__GGML_TYPES && (name[0] == '\0' || !mpx__is_same(mpx__ggml_types[i].name, name)))
        i++;
    return i;
}

MPX__API const mpx_file_tensor *mpx_file_find(const mpx_file *file, const char *name) {
    size_t i;
    for (i = 0; i < file->count; i++)
        if (mpx__is_same(mpx__name_of(file, 0, i), name)) return &file->tensors[i];
    return NULL;
}
MPX__API const mpx_file_meta *mpx_file_find_meta(const mpx_file *file, const char *key) {
    size_t i;
    for (i = 0; i < file->meta_count; i++)
        if (mpx__is_same(mpx__name_of(file, 1, i), key)) return &file->metas[i];
    return NULL;
}
MPX__API const char *mpx_file_text(const mpx_file_meta *meta, size_t *at, size_t *length) {
    const char *s = (const char *)meta->data;
    const size_t left = *at <= meta->size ? meta->size - *at : 0, head = meta->is_array ? 8 : 0;
    uint64_t n = meta->count;
    if (meta->dtype != MPX_NONE || left < head || (head == 0 && *at != 0)) return NULL;
    if (head != 0) n = mpx__le_at(s + *at, head);
    if (n > left - head) return NULL;
    s += *at + head;
    *length = (size_t)n;
    *at += head + (size_t)n + (head == 0); /* behind an empty text, too */
    return s;
}
MPX__API mpx_status mpx_file_number(void *dst, mpx_dtype type, const mpx_file_meta *meta,
                                    size_t i) {
    const size_t size = (size_t)mpx_dtype_bits(meta->dtype) / 8;
    unsigned char element[16];
    if (size == 0) return MPX_ERR_DTYPE;
    if (i >= meta->count || meta->size / size <= i) return MPX_ERR_ARGUMENT;
    mpx__reverse(element, (const unsigned char *)meta->data + i * size, size,
              mpx__turned(meta->dtype, 0));
    return mpx_cast(dst, type, element, meta->dtype, 1);
}

/* ---- reading --------------------------------------------------- */

/* What an entry says of the alignment of data; 0: nothing that can be. */
MPX__PRIVATE uint64_t mpx__gguf_alignment(const mpx_file_meta *meta) {
    const int fits = meta->dtype == MPX_U32 && !meta->is_array && meta->size == 4;
    const uint64_t x = fits ? mpx__le_at(meta->data, 4) : 0;
    return (x & (x - 1)) == 0 ? x : 0;
}
MPX__PRIVATE void mpx__gguf_meta(mpx__reader *r) {
    mpx_file_meta meta;
    uint64_t type, count = 1, i;
    size_t start;
    mpx__zero(&meta, sizeof meta);
    r->start = r->at;
    meta.key = mpx__keep_name(r, mpx__get_slice(r, mpx__get(r, 8)));
    type = mpx__get(r, 4);
    meta.is_array = type == MPX__GGUF_ARRAY;
    if (meta.is_array) {
        type = mpx__get(r, 4);
        count = mpx__get(r, 8);
    }
    mpx__must_know(r, type < MPX__GGUF_TYPES && type != MPX__GGUF_ARRAY, r->start,
                   "no type of metadata, or arrays of arrays");
    if (!mpx__has(r, count)) return; /* it takes more, but the product fits now */
    meta.dtype = (mpx_dtype)mpx__gguf_types[type][0];
    meta.count = (size_t)count;
    start = r->at;
    (void)mpx__get_slice(r, count * mpx__gguf_types[type][1]);
    for (i = 0; type == MPX__GGUF_TEXT && i < count && r->status == MPX_OK; i++)
        (void)mpx__get_slice(r, mpx__get(r, 8));
    if (r->status != MPX_OK) return;
    start += type == MPX__GGUF_TEXT && !meta.is_array ? 8 : 0;
    meta.data = r->s + start;
    meta.size = r->at - start;
    if (type == MPX__GGUF_TEXT && !meta.is_array) meta.count = meta.size;
    if (mpx__is_word(r->name, "general.alignment", 0)) {
        r->alignment = mpx__gguf_alignment(&meta);
        mpx__must(r, r->alignment != 0, r->start, "the alignment is no power of two in 32 bits");
    }
    mpx__add_meta(r, &meta);
}
MPX__PRIVATE void mpx__gguf_tensor(mpx__reader *r) {
    mpx_file_tensor *t = &r->tensor;
    uint64_t rank, code, begin;
    mpx__slice dims;
    size_t i;
    r->start = r->at;
    t->leaf.path = mpx__keep_name(r, mpx__get_slice(r, mpx__get(r, 8)));
    rank = mpx__get(r, 4);
    mpx__must_know(r, rank <= MPX_FILE_RANK, r->start, "more than eight dimensions");
    dims = mpx__get_slice(r, rank * 8);
    for (i = dims.n; i != 0; i -= 8)
        mpx__add_dim(r, mpx__le_at(dims.s + i - 8, 8));
    code = mpx__get(r, 4);
    begin = mpx__get(r, 8);
    mpx__must_know(r, code < MPX__GGML_TYPES && mpx__ggml_types[code].block != 0, r->start,
                   "ggml has no such type");
    if (r->status != MPX_OK) return;
    mpx__must_be(r, begin % r->alignment == 0, r->start, "data are not aligned", begin,
                 r->alignment);
    t->type = mpx__ggml_types[code].name;
    (void)mpx_interop_dtype(MPX_SYSTEM_GGUF, (int64_t)code, &t->dtype);
    for (i = 0; i < sizeof mpx__scheme_codes; i++)
        if (mpx__scheme_codes[i] == code) t->quant.scheme = (mpx_scheme)(MPX_SCHEME_Q4_0 + i);
    mpx__add_tensor(r, begin <= ~r->base ? r->base + begin : (uint64_t)-1, (uint64_t)-1,
                    mpx__ggml_types[code].block, mpx__ggml_types[code].bytes * (size_t)8);
}
MPX__PRIVATE void mpx__read_gguf(mpx__reader *r) {
    uint64_t tensors, metas;
    r->at = 4;
    r->file.version = (uint32_t)mpx__get(r, 4);
    mpx__must_know(r, r->file.version == 2 || r->file.version == 3, 4,
                   "GGUF is known in versions 2 and 3, little-endian");
    tensors = mpx__get(r, 8);
    metas = mpx__get(r, 8);
    r->alignment = 32;
    for (; metas != 0 && r->status == MPX_OK; metas--)
        mpx__gguf_meta(r);
    for (; tensors != 0 && r->status == MPX_OK; tensors--)
        mpx__gguf_tensor(r);
    r->base = ((uint64_t)r->at + r->alignment - 1) & ~(r->alignment - 1);
}

/* ---- writing --------------------------------------------------- */

MPX__PRIVATE void mpx__out_gguf_text(mpx__writer *w, const char *s, uint64_t n) {
    mpx__out_le(w, "8", &n);
    mpx__out(w, s, (size_t)n);
}
MPX__PRIVATE void mpx__out_gguf_meta(mpx__writer *w, const mpx_file_meta *meta) {
    const int is_text = meta->dtype == MPX_NONE;
    uint64_t x[3] = { MPX__GGUF_ARRAY, MPX__GGUF_ARRAY, 0 };
    size_t at = 0, n = 0, width, i;
    for (i = MPX__GGUF_TYPES; i-- > 0;)
        if (mpx__gguf_types[i][0] == (int)meta->dtype) x[1] = i;
    mpx__wants(w, x[1] != MPX__GGUF_ARRAY, MPX_ERR_DTYPE, "GGUF has no such dtype");
    width = mpx__gguf_types[x[1]][1];
    for (i = 0; is_text && mpx_file_text(meta, &at, &n) != NULL;)
        i++;
    x[2] = meta->count;
    mpx__wants(w, is_text ? !meta->is_array || (i == meta->count && at == meta->size)
                          : width != 0 && meta->count == meta->size / width &&
                                meta->size % width == 0 && (meta->is_array || meta->count == 1),
               MPX_ERR_FILE, "count and size do not agree");
    mpx__out_gguf_text(w, w->name.s, w->name.n);
    mpx__out_le(w, meta->is_array ? "448" : "4", meta->is_array ? x : x + 1);
    if (is_text && !meta->is_array)
        mpx__out_gguf_text(w, (const char *)meta->data, meta->count);
    else
        mpx__out(w, meta->data, meta->size);
}
/* Of a tensor; 0 if it is refused. */
MPX__PRIVATE size_t mpx__gguf_code(mpx__writer *w, const mpx_file_tensor *t) {
    const mpx_dtype dtype = mpx__dtype_of(t);
    int64_t code = t->type != NULL && dtype == MPX_NONE ? (int64_t)mpx__ggml_code(t->type) : -1;
    (void)mpx_interop_code(MPX_SYSTEM_GGUF, dtype, &code);
    if (dtype == MPX_NONE && t->quant.scheme != MPX_SCHEME_NONE)
        code = t->quant.scheme < MPX_SCHEME_Q4_0 || t->quant.scheme > MPX_SCHEME_GGML_NVFP4
                   ? -1
                   : mpx__scheme_codes[t->quant.scheme - MPX_SCHEME_Q4_0];
    mpx__wants(w, code >= 0 && code < MPX__GGML_TYPES, MPX_ERR_DTYPE, "GGUF has no such type");
    return w->status == MPX_OK ? (size_t)code : 0;
}
MPX__PRIVATE void mpx__write_gguf(mpx__writer *w) {
    const mpx_file *file = w->file;
    const mpx_file_meta *meta = mpx_file_find_meta(file, "general.alignment");
    const struct mpx__ggml_type *type;
    uint64_t x[4] = { 3, 0, 0, 0 }, alignment = 32, begin = 0;
    size_t i, j;
    if (meta != NULL) alignment = mpx__gguf_alignment(meta);
    if (file->version == 2) x[0] = 2;
    x[1] = file->count;
    x[2] = file->meta_count;
    mpx__out_text(w, "GGUF");
    mpx__out_le(w, "488", x);
    for (i = 0; i < file->meta_count && w->status == MPX_OK; i++) {
        mpx__next_name(w, 1, i);
        mpx__wants(w, alignment != 0 || &file->metas[i] != meta, MPX_ERR_FILE,
                   "no power of two in 32 bits");
        mpx__out_gguf_meta(w, &file->metas[i]);
    }
    for (i = 0; i < file->count && w->status == MPX_OK; i++) {
        const mpx_file_tensor *t = &file->tensors[i];
        mpx__next_name(w, 0, i);
        x[0] = mpx__gguf_code(w, t);
        x[1] = begin;
        x[2] = t->rank;
        type = &mpx__ggml_types[x[0]];
        mpx__check_tensor(w, t, type->block, type->bytes * (size_t)8);
        mpx__wants(w, t->rank <= 4, MPX_ERR_SHAPE, "ggml has at most four dimensions");
        if (w->status != MPX_OK) return;
        mpx__out_gguf_text(w, w->name.s, w->name.n);
        mpx__out_le(w, "4", x + 2);
        for (j = t->rank; j-- > 0;) {
            x[3] = t->shape[j];
            mpx__out_le(w, "8", x + 3);
        }
        mpx__out_le(w, "48", x);
        begin += (mpx__leaf_bytes(&t->leaf) + alignment - 1) & ~(alignment - 1);
    }
    mpx__out_fill(w, "", (0 - w->at) & (alignment - 1));
    for (i = 0; i < file->count && w->status == MPX_OK; i++) {
        mpx__out_tensor(w, &file->tensors[i]);
        mpx__out_fill(w, "", (0 - w->at) & (alignment - 1));
    }
}

#endif /* MPX_FILES */
