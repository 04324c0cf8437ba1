/*==================================================================*
 * MARK: files_numpy - arrays with a header for Python, alone and in zips
 *   Source: numpy/lib/_format_impl.py 2.4; PKWARE APPNOTE 6.3.10, 4.3 to 4.5; for the bytes that
 *   are written, Python's zipfile 3.11.
 *==================================================================*/
#if MPX_FILES

/* ---- reading --------------------------------------------------- */

/* Bytes of an element: "<f4" has 4, "<U3" 12; 0: none that is known. */
MPX__PRIVATE size_t mpx__descr_bytes(mpx__slice descr) {
    size_t n = 0, i;
    if (descr.n < 3 || descr.n > 9 || mpx__find(mpx__slice_of("<>|", 3), descr.s[0]) == 3 ||
        mpx__find(mpx__slice_of("biufcVSU", 8), descr.s[1]) == 8)
        return 0;
    for (i = 2; i < descr.n; i++) {
        if (descr.s[i] < '0' || descr.s[i] > '9') return 0;
        n = n * 10 + (size_t)(descr.s[i] - '0');
    }
    return descr.s[1] == 'U' ? 4 * n : n;
}
MPX__PRIVATE size_t mpx__npy_descr(mpx__reader *r) {
    mpx__slice descr = mpx__slice_of("", 0);
    size_t at, first = 0, bytes, i;
    char known[4];
    mpx__skip_blanks(r);
    at = r->at;
    if (mpx__peek(r) != '[') descr = mpx__text_string(r, &first);
    bytes = mpx__descr_bytes(descr);
    mpx__must_know(r, bytes != 0, at, "expected a dtype such as <f4 or |S5");
    if (r->status != MPX_OK) return 0;
    r->tensor.type = mpx__kept_text(r, first);
    for (i = 0; i < 2 && descr.n <= 4; i++) {
        known[0] = "|<"[i];
        mpx__copy(known + 1, descr.s + 1, descr.n - 1);
        (void)mpx_interop_parse_n(MPX_SYSTEM_NUMPY_STR, known, descr.n, &r->tensor.dtype, NULL);
    }
    r->tensor.swapped = descr.s[0] == '>';
    return bytes;
}
MPX__PRIVATE int mpx__python_bool(mpx__reader *r) {
    size_t n;
    mpx__skip_blanks(r);
    n = mpx__peek(r) == 'T' ? 4 : 5;
    mpx__must(r, r->end - r->at > n &&
                     mpx__same_bytes(r->s + r->at, n == 4 ? "True" : "False", n),
              r->at, "expected True or False");
    r->at += r->status == MPX_OK ? n : 0;
    return n == 4;
}
/* An array from r->at to r->end. */
MPX__PRIVATE void mpx__read_npy(mpx__reader *r) {
    static const char keys[3][16] = { "descr", "fortran_order", "shape" };
    const size_t end = r->end, at = r->at;
    size_t bytes = 0;
    int seen = 0, key;
    const mpx__slice magic = mpx__get_slice(r, 6);
    r->file.version = (uint32_t)mpx__get(r, 2);
    mpx__must_know(r, magic.n == 6 && mpx__same_bytes(magic.s, "\x93NUMPY", 6) &&
                          r->file.version - 1u < 3u,
                   at, "no array of NumPy, versions 1 to 3");
    bytes = (size_t)mpx__get(r, r->file.version == 1 ? 2 : 4);
    mpx__must_know(r, bytes <= 10000, at, "a header of more than 10000 bytes"); /* NumPy's limit */
    if (!mpx__has(r, bytes)) return;
    r->end = r->at + bytes;
    while ((key = mpx__next_key(r, keys, &seen)) < 3) {
        if (key == 0)
            bytes = mpx__npy_descr(r);
        else if (key == 1)
            r->tensor.fortran = mpx__python_bool(r);
        else
            mpx__text_shape(r);
    }
    mpx__skip_blanks(r);
    mpx__must(r, r->at == r->end, r->at, "text behind the header");
    r->tensor.fortran &= r->tensor.rank > 1;
    mpx__add_tensor(r, r->end, end - r->end, 1, bytes * 8);
}

/* Numbers in a row; a digit of `sizes` for each says how many bytes. */
MPX__PRIVATE void mpx__get_all(mpx__reader *r, const char *sizes, uint64_t *x) {
    for (; *sizes != '\0'; sizes++)
        *x++ = mpx__get(r, (size_t)(*sizes - '0'));
}
/* The sizes and the offset of a member. If 32 bits cannot hold one, the extra field has it. */
MPX__PRIVATE void mpx__zip_extra(mpx__reader *r, uint64_t n, uint64_t *x, size_t count) {
    const size_t end = r->end;
    uint64_t head[2];
    size_t i, next;
    if (!mpx__has(r, n)) return;
    r->end = r->at + (size_t)n;
    for (; r->end - r->at >= 4; r->at = next) { /* or padding */
        mpx__get_all(r, "22", head);
        if (!mpx__has(r, head[1])) break;
        next = r->at + (size_t)head[1];
        for (i = 0; i < count && head[0] == 1; i++)
            if (x[i] == 0xffffffffu && next - r->at >= 8) x[i] = mpx__get(r, 8);
    }
    r->at = r->end;
    r->end = end;
}
static const char mpx__zip_entry[] = "42222224442222244";
static const char mpx__zip_header[] = "42222244422";
/* A member: its entry in the directory, which begins at `end`, and the header that it points to. */
MPX__PRIVATE void mpx__zip_member(mpx__reader *r, size_t end) {
    uint64_t x[17], h[11], sizes[3], own[2];
    const size_t directory_end = r->end;
    mpx__slice name;
    size_t next;
    r->start = r->at;
    mpx__get_all(r, mpx__zip_entry, x);
    name = mpx__get_slice(r, x[10]);
    r->name = name;
    sizes[0] = x[9];
    sizes[1] = x[8];
    sizes[2] = x[16];
    mpx__zip_extra(r, x[11], sizes, 3);
    (void)mpx__get_slice(r, x[12]);
    next = r->at;
    mpx__must(r, x[0] == 0x02014b50u, r->start, "expected an entry of the directory");
    mpx__must_know(r, (x[3] & 0x61u) == 0, r->start, "the member is encrypted");
    mpx__must_know(r, x[4] == 0, r->start, "the member is compressed");
    mpx__must_know(r, name.n >= 4 && mpx__same_bytes(name.s + name.n - 4, ".npy", 4), r->start,
                   "the member is no .npy");
    mpx__must_be(r, sizes[0] == sizes[1], r->start, "two sizes of a stored member", sizes[0],
                 sizes[1]);
    mpx__must_be(r, sizes[2] < end, r->start, "the member is not in the file", sizes[2], end);
    if (r->status != MPX_OK) return;
    r->at = (size_t)sizes[2];
    r->end = end;
    mpx__get_all(r, mpx__zip_header, h);
    own[0] = h[8];
    own[1] = h[7];
    mpx__must(r, h[0] == 0x04034b50u && h[3] == 0 && h[9] == name.n &&
                     mpx__has(r, name.n) && mpx__same_bytes(r->s + r->at, name.s, name.n),
              (size_t)sizes[2], "the member's header and the directory do not agree");
    (void)mpx__get_slice(r, name.n);
    r->spent += h[10] + sizes[0]; /* else a small file could take hours to read */
    mpx__must(r, r->spent <= r->size, (size_t)sizes[2], "members overlap");
    mpx__zip_extra(r, h[10], own, 2);
    mpx__must_be(r, (h[2] & 8u) != 0 || (own[0] == sizes[0] && own[1] == sizes[0]),
                 (size_t)sizes[2], "the member's header and the directory do not agree", own[0],
                 sizes[0]);
    if (!mpx__has(r, sizes[0])) return;
    r->end = r->at + (size_t)sizes[0];
    name.n -= 4;
    r->tensor.leaf.path = mpx__keep_name(r, name);
    mpx__read_npy(r);
    r->at = next;
    r->end = directory_end;
}
MPX__PRIVATE void mpx__read_npz(mpx__reader *r) {
    uint64_t x[9], back = 22;
    size_t at = 0;
    for (; back <= r->size && back < 22 + 0x10000; back++) {
        at = r->size - (size_t)back;
        if (mpx__le_at(r->s + at, 4) == 0x06054b50u && mpx__le_at(r->s + at + 20, 2) == back - 22)
            break;
    }
    mpx__must(r, back <= r->size && back < 22 + 0x10000, r->size, "the archive has no end");
    r->at = at;
    mpx__get_all(r, "42222442", x);
    if (at >= 20 && mpx__le_at(r->s + at - 20, 4) == 0x07064b50u) { /* Python: from 2 GiB on */
        const uint64_t end = mpx__le_at(r->s + at - 12, 8);
        mpx__must_be(r, end < at, at - 12, "there is no end of 64 bits", end, at);
        if (r->status == MPX_OK) r->at = at = (size_t)end;
        mpx__get_all(r, "4822448", x);
        mpx__must(r, x[0] == 0x06064b50u, at, "there is no end of 64 bits");
        mpx__get_all(r, "888", x + 4);
    }
    mpx__must_be(r, x[5] <= at && x[6] == at - x[5], at, "the directory does not end here", x[6],
                 at - x[5]);
    if (r->status != MPX_OK) return;
    r->at = (size_t)x[6];
    r->end = at;
    for (; x[4] != 0 && r->status == MPX_OK; x[4]--)
        mpx__zip_member(r, (size_t)x[6]);
    mpx__must(r, r->at == r->end, r->at, "the directory has more entries than it says");
}

/* ---- writing --------------------------------------------------- */

MPX__PRIVATE void mpx__npy_dict(mpx__writer *w, const mpx_file_tensor *t) {
    const mpx_dtype dtype = mpx__dtype_of(t);
    const char *descr = mpx_interop_name(MPX_SYSTEM_NUMPY_STR, dtype);
    uint64_t start = w->at;
    size_t bytes, j;
    if (dtype == MPX_NONE && t->quant.scheme == MPX_SCHEME_NONE && t->type != NULL) descr = t->type;
    if (dtype != MPX_NONE && mpx_dtype_bits(dtype) < 8) descr = "";
    bytes = mpx__descr_bytes(mpx__slice_of(descr, mpx__length(descr)));
    mpx__wants(w, bytes != 0, MPX_ERR_DTYPE, "NumPy has no such dtype");
    mpx__check_tensor(w, t, 1, 8 * bytes);
    if (w->status != MPX_OK) return;
    mpx__out_text(w, "{'descr': '");
    mpx__out_text(w, descr);
    mpx__out_text(w, t->fortran ? "', 'fortran_order': True" : "', 'fortran_order': False");
    mpx__out_text(w, ", 'shape': (");
    for (j = 0; j < t->rank; j++) {
        const uint64_t at = w->at;
        mpx__out_number(w, t->shape[j]);
        if (j == 0 || t->fortran) start = w->at - at;
        mpx__out_text(w, t->rank == 1 ? "," : j + 1 < t->rank ? ", " : "");
    }
    mpx__out_text(w, "), }");
    mpx__out_fill(w, " ", t->rank != 0 ? 21 - start : 0); /* room for a dimension that grows */
}
MPX__PRIVATE void mpx__write_npy(mpx__writer *w, const mpx_file_tensor *t) {
    const mpx_file_write_fn write = w->write;
    const uint64_t at = w->at;
    uint64_t length[2] = { 1, 0 };
    mpx__flush(w);
    w->write = NULL;
    mpx__npy_dict(w, t);
    mpx__flush(w);
    w->write = write;
    length[1] = ((w->at - at + 11) / 64 + 1) * 64 - 10;
    w->at = at;
    mpx__out_text(w, "\x93NUMPY");
    mpx__out_le(w, "22", length);
    mpx__npy_dict(w, t);
    mpx__out_fill(w, " ", at + 9 + length[1] - w->at);
    mpx__out_text(w, "\n");
    mpx__out_tensor(w, t);
}

/* The checksum of zip files (CRC-32) over the bytes that are written, four bits at a time. Of many
   bytes, eight at a time: after[k][x] is what four bits x are after 15 - k times four bits more. */
MPX__PRIVATE mpx_status mpx__crc32(const void *data, size_t n, const mpx_file_tensor *t,
                                   void *user) {
    static const uint32_t table[16] = {
        0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
        0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
        0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu,
    };
    const unsigned char *s = (const unsigned char *)data;
    const size_t eights = n < 1024 ? 0 : n / 8 * 8; /* bytes */
    uint32_t after[16][16], crc = ~*(uint32_t *)user;
    size_t i, k;
    (void)t;
    for (k = 0; k < 256 && eights != 0; k++) {
        const uint32_t x = k < 16 ? 0 : after[16 - k / 16][k % 16];
        after[15 - k / 16][k % 16] = k < 16 ? table[k] : table[x & 15u] ^ x >> 4;
    }
    for (i = 0; i < eights; i += 8) {
        uint64_t x = crc ^ (mpx__is_big_endian() ? mpx__le_at(s + i, 8) : mpx__read64(s + i));
        for (crc = 0, k = 0; k < 16; k++, x >>= 4)
            crc ^= after[k][x & 15u];
    }
    for (; i < n; i++) {
        crc ^= s[i];
        crc = table[crc & 15u] ^ crc >> 4;
        crc = table[crc & 15u] ^ crc >> 4;
    }
    *(uint32_t *)user = ~crc;
    return MPX_OK;
}
/* A member's header, or its directory entry; `offset`: of the header. Returns that of the next. */
MPX__PRIVATE uint64_t mpx__zip_head(mpx__writer *w, const mpx_file_tensor *t, int is_entry,
                                    uint64_t offset) {
    static const char wide_sizes[4][6] = { "", "228", "2288", "22888" };
    const mpx_file_write_fn write = w->write;
    const uint64_t at = w->at, most = 0x7fffffff, /* as Python has it */
                   first[] = { 0x02014b50u, 0x32d, 45, 0, 0, 0, 0x21 };
    void *user = w->user;
    uint64_t x[17], wide[5] = { 1 }, size;
    uint32_t crc = 0;
    size_t wides = 0, i;
    mpx__flush(w);
    w->write = write != NULL ? mpx__crc32 : NULL;
    w->user = &crc;
    mpx__write_npy(w, t);
    mpx__flush(w);
    w->write = write;
    w->user = user;
    size = w->at - at;
    w->at = at;
    mpx__zero(x, sizeof x); /* = { 0 } would call memset */
    mpx__copy(x, first, sizeof first);
    for (i = 0; i < w->name.n; i++)
        if ((unsigned char)w->name.s[i] >= 0x80) x[3] = 0x800; /* UTF-8 */
    x[7] = crc;
    x[8] = x[9] = size;
    x[10] = w->name.n + 4;
    x[15] = 0x1800000; /* rw------- */
    x[16] = offset;
    if (!is_entry || size > most) {
        x[8] = x[9] = 0xffffffffu;
        wide[2] = wide[3] = size;
        wides = 2;
    }
    if (is_entry && offset > most) {
        x[16] = 0xffffffffu;
        wide[2 + wides++] = offset;
    }
    wide[1] = 8 * wides;
    x[11] = wides != 0 ? 4 + 8 * wides : 0;
    mpx__out_text(w, is_entry ? "" : "PK\x03\x04");
    mpx__out_le(w, is_entry ? mpx__zip_entry : mpx__zip_header + 1, is_entry ? x : x + 2);
    mpx__out(w, w->name.s, w->name.n);
    mpx__out_text(w, ".npy");
    mpx__out_le(w, wide_sizes[wides], wide);
    return offset + 30 + x[10] + 20 + size;
}
MPX__PRIVATE void mpx__write_npz(mpx__writer *w) {
    const uint64_t count = w->file->count, most = 0xffffffffu;
    uint64_t x[10] = { 0x06064b50u, 44, 45, 45 }, next, begin = 0;
    size_t i, round;
    for (round = 0; round < 2; round++) {
        for (begin = w->at, next = 0, i = 0; i < count && w->status == MPX_OK; i++) {
            const mpx_file_tensor *t = &w->file->tensors[i];
            mpx__next_name(w, 0, i);
            mpx__wants(w, t->leaf.data != NULL || t->leaf.count == 0, MPX_ERR_ARGUMENT, "no data");
            mpx__wants(w, w->name.n <= 0xffff - 4, MPX_ERR_SPACE, "the name is too long");
            next = mpx__zip_head(w, t, round == 1, next);
            if (round == 0) mpx__write_npy(w, t);
        }
    }
    x[6] = x[7] = count;
    x[8] = w->at - begin;
    x[9] = begin;
    if (count > 0xffff || begin > most / 2) { /* the directory is smaller */
        const uint64_t at[] = { 0x07064b50u, 0, w->at, 1 };
        mpx__out_le(w, "4822448888", x);
        mpx__out_le(w, "4484", at);
    }
    x[4] = 0x06054b50u;
    x[6] = x[7] = count < 0xffff ? count : 0xffff;
    x[8] = x[8] < most ? x[8] : most;
    x[9] = begin < most ? begin : most;
    mpx__out_le(w, "442244", x + 4); /* x[5]: 0, the two numbers of disks */
    mpx__out_le(w, "2", x + 5);
}

#endif /* MPX_FILES */
