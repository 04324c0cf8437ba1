/*==================================================================*
 * MARK: quant_stats - what a quantization did to the values
 *   Codes are dequantized one tile at a time: a part of a group in one row, or whole groups.
 *==================================================================*/
#if !MPX_NO_QUANT && !MPX_NO_WEIGHTS

enum { MPX__QUANT_STATS_TILE = 128 };

/* Values of group i of a band beyond these limits are clipped: half a step past the last code. high:
   of elements that are floats, or of MXINT8, times the scale of the tensor. */
MPX__PRIVATE void mpx__clip_limits(double *limits, const mpx__quantizer *z, const mpx__band *band,
                                   size_t i, double high) {
    const mpx__ggml *g = z->ggml;
    const size_t group = band->first + i;
    const unsigned char *at =
        z->out + (g != NULL ? group * g->block_bytes : mpx__scale_at(z, band, i));
    if (z->q->zero_point) {
        const unsigned zero = z->out[z->at.zeros + group], codes = 1u << z->element->bits;
        const double scale = (double)mpx__float(mpx__read32(z->out + z->at.scales + group * 4));
        limits[0] = ((zero - (unsigned)z->low) % codes + 0.5) * -scale;
        limits[1] = limits[0] + codes * scale;
    } else if (g != NULL && z->q->scheme != MPX_SCHEME_GGML_MXFP4) {
        const double least = g->has_least ? 0.5 : g->codes / 2 + 0.5;
        const uint32_t u = mpx__read_f16_le(at), m = g->has_least ? mpx__read_f16_le(at + 2) : 0;
        const double whole = (double)mpx__float(m),
                     scale = u << 1 == 0 ? 1e300 : (double)mpx__float(u); /* 0: all become zero */
        limits[scale < 0] = whole - least * scale;
        limits[scale >= 0] = limits[scale < 0] + g->codes * scale;
    } else {
        limits[1] = high * (z->q->scheme == MPX_SCHEME_NVFP4 ? (double)mpx_f8e4m3fn_to_f32(*at)
                                                             : mpx__double_of(0, 0, *at - 127));
        limits[0] = -limits[1];
    }
}
/* Count what became of n doubles. Of two that are not both finite zeros are left. */
MPX__LOOP void mpx__count_lost(mpx_weight *weight, unsigned char *x, unsigned char *y, size_t n,
                               const double *limits) {
    const double low = limits[0], high = limits[1];
    uint64_t zeroed = 0, saturated = 0;
    size_t i;
    for (i = 0; i < n * 8; i += 8) {
        const double value = mpx__double_of_bits(mpx__read64(x + i));
        const uint64_t a = mpx__magnitude64(x + i), b = mpx__magnitude64(y + i);
        if (a >= mpx__inf64 || b >= mpx__inf64) {
            weight->overflowed += a < mpx__inf64;
            mpx__write64(x + i, 0);
            mpx__write64(y + i, 0);
            continue;
        }
        zeroed += (a != 0) & (b == 0);
        saturated += (value < low) | (value > high);
    }
    weight->zeroed += zeroed;
    weight->saturated += saturated;
}
/* Add a tile before and after. KERAS and LINEAR clip none without zero points: scales are made from
   the largest value. */
MPX__PRIVATE void mpx__add_tile(mpx_weight *weight, const mpx__quantizer *z, const mpx__band *tile,
                                unsigned char *x, unsigned char *y, double high) {
    const int clips = z->q->zero_point || !mpx__is_affine(z->q);
    size_t share = clips && tile->share != 0 ? tile->share : tile->cols;
    double limits[2] = { -1e300, 1e300 }, squares = 0, errors = 0;
    size_t i;
    for (i = 0; i < tile->cols; i += share) {
        if (clips) mpx__clip_limits(limits, z, tile, i / share, high);
        if (share > tile->cols - i) share = tile->cols - i;
        mpx__count_lost(weight, x + i * 8, y + i * 8, share, limits);
    }
    mpx__add_squares(&squares, &errors, x, y, tile->cols);
    weight->sum_squares += squares;
    weight->sum_error_squares += errors;
}
/* Read all codes of a leaf back, and count what became of its values. */
MPX__NOINLINE void mpx__quant_stats(mpx_weight *weight, const void *codes, const mpx_leaf *src) {
    unsigned char x[MPX__QUANT_STATS_TILE * 8], y[MPX__QUANT_STATS_TILE * 8];
    float floats[MPX__QUANT_STATS_TILE];
    size_t group, most = MPX__QUANT_STATS_TILE;
    mpx__quantizer z;
    mpx__target target;
    mpx__band tile;
    mpx__env env;
    (void)mpx__quantizer_set(&z, &weight->quant, codes, NULL, MPX_F32, weight->rows, weight->cols);
    z.floats = (unsigned char *)floats;
    mpx__target_set(&target, z.ggml != NULL ? MPX_F4E2M1FN : z.q->element, 0);
    if (z.q->element == MPX_I8) target.high = 127.5 / 64;
    env = mpx__enter(MPX__ENV_ALL);
    mpx__tensor_scale_get(&z);
    (void)mpx_cast(x, MPX_F64, &z.tensor_scale, MPX_F32, 1); /* in every mode */
    target.high *= mpx__double_of_bits(mpx__read64(x));
    group = z.grid.group;
    tile.rows = 1;
    tile.share = group == 1 && z.grid.down != 1;
    if (group % 16 == 0 && group <= most) tile.share = group;
    if (tile.share != 0) most = group == 1 ? (size_t)MPX__BAND_GROUPS : most / group * group;
    for (tile.row = 0; tile.row < z.grid.rows; tile.row++)
        for (tile.col = 0; tile.col < z.grid.cols; tile.col += tile.cols) {
            const size_t at = tile.row * z.grid.cols + tile.col;
            tile.cols = tile.share == 0 && most > group - tile.col % group
                            ? group - tile.col % group : most;
            if (tile.cols > z.grid.cols - tile.col) tile.cols = z.grid.cols - tile.col;
            tile.groups = tile.share != 0 ? mpx__pieces_of(tile.cols, group) : 1;
            tile.first = tile.row / z.grid.down * z.grid.across + tile.col / group;
            z.origin = at;
            mpx__run_band(&z, &tile, 1);
            (void)mpx_cast(x, MPX_F64,
                           (const unsigned char *)src->data + mpx_dtype_bytes(src->dtype, at),
                           src->dtype, tile.cols);
            (void)mpx_cast(y, MPX_F64, floats, MPX_F32, tile.cols);
            mpx__add_tile(weight, &z, &tile, x, y, target.high);
        }
    mpx__leave(env);
    weight->overflowed += weight->saturated;
}

#endif /* !MPX_NO_QUANT && !MPX_NO_WEIGHTS */
