/*==================================================================*
 * MARK: quant_stats - what a quantization did to the values
 *   Codes are dequantized one tile at a time: a part of a group in one row, or whole groups.
 *==================================================================*/
#if !MPX_NO_QUANT && !MPX_NO_WEIGHTS

enum { MPX__QUANT_STATS_TILE = 128 };

/* Values of group i of a band beyond these limits are clipped: half a step past the last code. */
MPX__PRIVATE void mpx__clip_limits(double *limits, const mpx__quantizer *z, const mpx__band *band,
                                   size_t i) {
    const int is_mx = z->q->scheme == MPX_SCHEME_GGML_MXFP4;
    const mpx__ggml *g = z->ggml;
    const unsigned char *at = g != NULL ? z->out + (band->first + i) * g->block_bytes : z->out;
    double scale, whole = 0;
    if (g != NULL && !is_mx) {
        const double least = g->has_least ? 0.5 : g->codes / 2 + 0.5;
        const uint32_t u = mpx__read_f16_le(at), m = mpx__read_f16_le(at + 2);
        (void)mpx_cast(&scale, MPX_F64, &u, MPX_F32, 1);
        if (g->has_least) (void)mpx_cast(&whole, MPX_F64, &m, MPX_F32, 1);
        if (u << 1 == 0) scale = 1e300; /* values become zero */
        limits[scale < 0] = whole - least * scale;
        limits[scale >= 0] = limits[scale < 0] + g->codes * scale;
    } else {
        mpx__target target;
        mpx__target_set(&target, is_mx ? MPX_F4E2M1FN : z->q->element, 0);
        if (z->q->element == MPX_I8) target.high = 127.5 / 64;
        if (!is_mx) at += mpx__scale_at(z, band, i);
        (void)mpx_cast(&scale, MPX_F64, at, is_mx ? MPX_F8E8M0FNU : z->at.scale_type, 1);
        (void)mpx_cast(&whole, MPX_F64, &z->tensor_scale, MPX_F32, 1);
        limits[1] = target.high * scale * whole;
        limits[0] = -limits[1];
    }
}
/* Add a tile of values before and after. KERAS and LINEAR clip none: their scales are made from the
   largest value. */
MPX__PRIVATE void mpx__add_tile(mpx_weight *weight, const mpx__quantizer *z, const mpx__band *tile,
                                const double *x, const double *y) {
    double limits[2], squares = 0, errors = 0;
    size_t i, left = mpx__is_affine(z->q) ? tile->cols : 0;
    limits[0] = -1e300;
    limits[1] = 1e300;
    for (i = 0; i < tile->cols; i++, left--) {
        const uint64_t before = mpx__read64(&x[i]), after = mpx__read64(&y[i]);
        const double error = x[i] - y[i];
        if (left == 0) {
            mpx__clip_limits(limits, z, tile, i / tile->share);
            left = tile->share;
        }
        if (!mpx__f64_is_finite(before)) continue;
        if (!mpx__f64_is_finite(after)) {
            weight->overflowed++;
            continue;
        }
        weight->zeroed += before << 1 != 0 && after << 1 == 0;
        weight->saturated += x[i] < limits[0] || x[i] > limits[1];
        squares += x[i] * x[i];
        errors += error * error;
    }
    weight->sum_squares += squares;
    weight->sum_error_squares += errors;
}
/* Read all codes of a leaf back, and count what became of its values. */
MPX__NOINLINE void mpx__quant_stats(mpx_weight *weight, const void *codes, const mpx_leaf *src) {
    double x[MPX__QUANT_STATS_TILE], y[MPX__QUANT_STATS_TILE];
    float floats[MPX__QUANT_STATS_TILE];
    size_t group, most = MPX__QUANT_STATS_TILE;
    mpx__quantizer z;
    mpx__band tile;
    mpx__env env;
    (void)mpx__quantizer_set(&z, &weight->quant, codes, NULL, MPX_F32, weight->rows, weight->cols);
    z.floats = (unsigned char *)floats;
    env = mpx__enter(MPX__ENV_ALL);
    mpx__tensor_scale_get(&z);
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
            mpx__add_tile(weight, &z, &tile, x, y);
        }
    mpx__leave(env);
    weight->overflowed += weight->saturated;
}

#endif /* !MPX_NO_QUANT && !MPX_NO_WEIGHTS */
