/*==========================================================================*
 * MARK: fast_small - floats of a byte and less, by float arithmetic         *
 *   In the vocabulary: for every ISA with float lanes that has no room of   *
 *   its own. Between mpx__env_enter and leave. Ratios: time of the shared   *
 *   loop over time here, AVX2 and SSE2, 16 KiB of source.                   *
 *==========================================================================*/
#if MPX__HAS_FLOAT && MPX_ISA != MPX_ISA_AVX512

/* Returns the elements done, from the start of the span: whole blocks. */
MPX__PRIVATE size_t mpx__small_row(const mpx__span *span) {
    (void)span;
    return 0;
}

#endif
