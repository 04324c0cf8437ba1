/*==================================================================*
 * MARK: quant_matrix - a whole matrix, band by band
 *==================================================================*/
#if !MPX_NO_QUANT

/* The codes that there are. */
MPX__PRIVATE void mpx__code_range(mpx__quantizer *z) {
    const int own = z->q->low != 0 || z->q->high != 0;
    z->low = own ? z->q->low : mpx__least_code(z->element);
    z->high = own ? z->q->high : mpx__most_code(z->element);
    if (!own && mpx__is_abs_max(z->q) && z->low == -128) z->low++;
}
/* No pointers to functions, so that the stack of casts can be computed. */
MPX__PRIVATE void mpx__run_band(const mpx__quantizer *z, const mpx__band *band, int back) {
    const int affine = mpx__is_affine(z->q), ggml = z->ggml != NULL;
    if (affine && back)
        mpx__affine_dequantize(z, band);
    else if (affine)
        mpx__affine_quantize(z, band);
    else if (ggml && back)
        mpx__ggml_dequantize(z, band);
    else if (ggml)
        mpx__ggml_quantize(z, band);
    else if (back)
        mpx__blocks_dequantize(z, band);
    else
        mpx__blocks_quantize(z, band);
}

/* All bands of a part of a matrix: from row and col on, to the ends. Blocks that the vectors cannot
   take (no multiple of 16, or more than a tile) make a band each, and so does the rest of a block in
   which the part begins. */
MPX__PRIVATE void mpx__for_bands(const mpx__quantizer *z, int back, size_t row, size_t rows_end,
                                 size_t col, size_t cols_end) {
    const mpx__grid *grid = &z->grid;
    const size_t group = grid->group, tile = MPX__QUANT_TILE;
    const int together = group % 16 == 0 && group <= tile, by_column = group == 1;
    const size_t most = by_column || together ? (size_t)MPX__BAND_GROUPS : 1u; /* a power of 2 */
    mpx__band band;
    band.share = by_column ? 1 : together ? group : 0;
    for (band.row = row; band.row < rows_end; band.row += band.rows) {
        const size_t first = band.row / grid->down * grid->across;
        band.rows = rows_end - band.row < grid->down ? rows_end - band.row : grid->down;
        for (band.col = col; band.col < cols_end; band.col += band.cols) {
            const size_t into = band.col % group, index = band.col / group;
            band.first = first + index;
            band.groups = into != 0 ? 1 : most - (index & (most - 1u));
            band.cols = band.groups * group - into;
            if (band.cols > cols_end - band.col) {
                band.cols = cols_end - band.col;
                band.groups = mpx__pieces_of(band.cols, group);
            }
            mpx__run_band(z, &band, back);
        }
    }
}
MPX__COLD MPX__NOINLINE mpx_status mpx__quantizer_set(mpx__quantizer *z, const mpx_quant *q,
                                                      const void *codes, const void *floats,
                                                      mpx_dtype type, size_t rows, size_t cols) {
    const mpx_status status = mpx__quant_start(&z->grid, &z->at, q, rows, cols);
    if (status != MPX_OK) return status;
    z->q = q;
    z->ggml = mpx__ggml_of(q->scheme);
    z->element = mpx__row_of(q->element);
    z->type = mpx__row_of(type);
    z->out = (unsigned char *)(uintptr_t)codes;
    z->floats = (unsigned char *)(uintptr_t)floats;
    z->origin = 0;
    z->rounded = MPX_NONE;
    z->tensor_scale = 0x3f800000u;
    z->size = floats != NULL ? z->grid.rows * z->grid.cols * (z->type->bits / 8u) : 0;
    if (z->size < MPX__QUANT_LARGE) z->size = 0;
    if (z->type->kind != MPX_KIND_FLOAT || z->type->bits < 8) return MPX_ERR_DTYPE;
    if (mpx__is_abs_max(q) && z->type->bits == 16) z->rounded = mpx__type_of(z->type);
    mpx__code_range(z);
    return MPX_OK;
}
/* NVFP4: the largest magnitude of all, over 448 * 6; 1 where all are zero. */
MPX__PRIVATE void mpx__tensor_scale_set(mpx__quantizer *z) {
    unsigned char *at = z->out + z->at.tensor_scale, amax[MPX__BAND_GROUPS * 4];
    mpx__band all;
    if (z->at.tensor_scale == z->at.bytes) return;
    if (!z->q->given) {
        all.row = all.col = all.share = all.first = 0;
        all.rows = z->grid.rows;
        all.cols = z->grid.cols;
        mpx__band_amax(z, &all, amax);
        z->tensor_scale = mpx__divide(mpx__read32(amax), 0x45280000u);
        if (z->tensor_scale == 0) z->tensor_scale = 0x3f800000u;
        mpx__write32(at, z->tensor_scale);
        mpx__mend_nans(at, 1);
    }
    z->tensor_scale = mpx__read32(at);
}
MPX__INLINE void mpx__tensor_scale_get(mpx__quantizer *z) {
    if (z->at.tensor_scale != z->at.bytes && z->out != NULL)
        mpx__copy(&z->tensor_scale, z->out + z->at.tensor_scale, 4);
}
MPX__INLINE int mpx__is_only_read(const mpx_quant *q) {
    return (q->scheme >= MPX_SCHEME_Q4_K && q->scheme <= MPX_SCHEME_Q6_K) ||
           q->scheme == MPX_SCHEME_GGML_NVFP4;
}
MPX_API mpx_status mpx_quantize(void *dst, mpx_quant q, const void *src, mpx_dtype src_type,
                                size_t rows, size_t cols) {
    mpx__quantizer z;
    mpx__env env;
    const mpx_status status = mpx__quantizer_set(&z, &q, dst, src, src_type, rows, cols);
    if (status != MPX_OK) return status;
    if (mpx__is_only_read(&q)) return MPX_ERR_UNSUPPORTED;
    if (z.grid.rows == 0 || z.grid.cols == 0) return MPX_OK;
    MPX_ASSERT(dst != NULL && src != NULL);
    env = mpx__enter(MPX__ENV_ALL);
    if (z.ggml == NULL) { /* bits that no code fills, and gaps, but not what is given */
        const size_t last = mpx_dtype_bytes(q.element, z.grid.rows * z.grid.cols) - 1,
                     end = mpx__is_affine(&q) ? z.at.scales : z.at.tensor_scale,
                     rest = end + z.at.scale_count * 4;
        mpx__zero(z.out + last, (q.given ? end : z.at.bytes) - last);
        if (rest < z.at.zeros) mpx__zero(z.out + rest, z.at.zeros - rest);
    }
    mpx__tensor_scale_set(&z);
    mpx__for_bands(&z, 0, 0, z.grid.rows, 0, z.grid.cols);
    mpx__leave(env);
    return MPX_OK;
}
MPX_API mpx_status mpx_dequantize(void *dst, mpx_dtype dst_type, const void *src, mpx_quant q,
                                  size_t rows, size_t cols) {
    mpx__quantizer z;
    mpx__env env;
    const mpx_status status = mpx__quantizer_set(&z, &q, src, dst, dst_type, rows, cols);
    if (status != MPX_OK) return status;
    if (z.grid.rows == 0 || z.grid.cols == 0) return MPX_OK;
    MPX_ASSERT(dst != NULL && src != NULL);
    env = mpx__enter(MPX__ENV_ALL);
    mpx__tensor_scale_get(&z);
    mpx__for_bands(&z, 1, 0, z.grid.rows, 0, z.grid.cols);
    mpx__leave(env);
    return MPX_OK;
}

#endif /* !MPX_NO_QUANT */
