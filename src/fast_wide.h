/*==========================================================================*
 * MARK: fast_wide - dtypes of 16 bits and more, by float arithmetic         *
 *   As fast_small.                                                          *
 *==========================================================================*/
#if MPX__HAS_FLOAT && MPX_ISA != MPX_ISA_AVX512

/* Returns the elements done, from the start of the span: whole blocks. */
MPX__PRIVATE size_t mpx__wide_row(const mpx__span *span) {
    (void)span;
    return 0;
}

/* ---- which row ------------------------------------------------------------------------------- */

MPX__PRIVATE size_t mpx__fast_rows(const mpx__span *span) {
    int small = mpx__is_small(span->to) || mpx__is_small(span->from);
    size_t done;
    mpx__env env;
    if (span->n < 64) return 0;
    env = mpx__env_enter();
    done = small ? mpx__small_row(span) : mpx__to_f16_row(span);
    if (!small && done == 0) done = mpx__wide_row(span);
    mpx__env_leave(env);
    if (span->stream) mpx__fence();
    return done;
}

#endif
