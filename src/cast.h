/*==================================================================*
 * MARK: cast - buffer conversion, to nearest
 *==================================================================*/

/* Bits as they are; what is left of the last byte becomes zero. */
MPX__PRIVATE mpx_status mpx__copy_elements(void *dst, const void *src, const mpx__row *row,
                                           size_t n) {
#if MPX__HAS_PACKED
    const size_t bytes = mpx_dtype_bytes(mpx__type_of(row), n);
    const unsigned used = (unsigned)(n * row->bits & 7u); /* bits of the last byte; 0: all */
    mpx__copy(dst, src, bytes);
    if (used != 0) ((unsigned char *)dst)[bytes - 1] &= (unsigned char)((1u << used) - 1u);
#else
    mpx__copy(dst, src, n * (row->bits / 8u));
#endif
    return MPX_OK;
}

/* Whether the pair is cast at all: complex numbers are only copied. */
MPX__INLINE mpx_status mpx__check_dtypes(const mpx__row *to, const mpx__row *from) {
    if (to->bits == 0 || from->bits == 0) return MPX_ERR_DTYPE;
    if (MPX__HAS_COMPLEX && to != from &&
        (to->kind == MPX_KIND_COMPLEX || from->kind == MPX_KIND_COMPLEX))
        return MPX_ERR_DTYPE;
    return MPX_OK;
}

#if !MPX__COMPACT || MPX__HAS_PACKED
MPX__NOINLINE void mpx__cast_by_plan(void *dst, const mpx__row *to, const void *src,
                                     const mpx__row *from, size_t n) {
    mpx__plan plan;
    mpx__job job;
    mpx__job_cast(&job, to, from);
    job.index = 0;
    mpx__plan_cast(&plan, mpx__array_of(to, MPX_LAYOUT_PACKED),
                   mpx__array_of(from, MPX_LAYOUT_PACKED), 0);
    mpx__run_plan(&plan, dst, src, n, &job);
}
#endif
#if !MPX__COMPACT
/* f32 and the other floats for which inline.h has formulas; integers that an f32 holds, if there
   are float instructions. */
MPX__INLINE int mpx__has_formula(const mpx__row *row) {
    return (row->family == MPX__IEEE || row->family == MPX__FN) && row->bits <= 32;
}
MPX__INLINE int mpx__is_short_int(const mpx__row *row) {
    return MPX__HAS_FLOAT ? row->form >= MPX__FORM_I8 && row->form <= MPX__FORM_U16 : 0;
}
MPX__PRIVATE void mpx__cast_by_formula(void *d, const mpx__row *to, const void *s,
                                       const mpx__row *from) {
    uint32_t u = (uint32_t)mpx__read_code(s, from->bits);
    if (from->form == MPX__FORM_BF16)
        u = mpx_bf16_to_bits((uint16_t)u);
    else if (from->kind == MPX_KIND_FLOAT && from->bits < 32)
        u = mpx__value(u, from->exponent_bits, from->mantissa_bits, from->family == MPX__IEEE);
#if MPX__HAS_FLOAT /* others would call a function of the compiler */
    else if (from->kind != MPX_KIND_FLOAT) {
        const int32_t top = from->kind == MPX_KIND_INT ? 1 << (from->bits - 1u) : 0;
        u = mpx__opaque_bits((float)(((int32_t)u ^ top) - top));
    }
#endif
#if MPX__HAS_BF16
    if (to->form == MPX__FORM_BF16)
        u = mpx_bf16_from_bits(u);
    else
#endif
    if (to->bits < 32)
        u = mpx__round(u, to->exponent_bits, to->mantissa_bits, to->family == MPX__IEEE);
    mpx__write_code(d, to->bits, u);
}
#endif
/* By plan: any pair, any number of elements; one by a formula or the exact codec, for size all. */
MPX__LONG_WAY mpx_status mpx__cast_any(void *dst, const mpx__row *to, const void *src,
                                       const mpx__row *from, size_t n) {
    const mpx_status status = mpx__check_dtypes(to, from);
    int for_size = MPX__COMPACT ? mpx__are_bytes(to) && mpx__are_bytes(from) : 0;
    if (status != MPX_OK) return status;
    MPX_ASSERT(n == 0 || (dst != NULL && src != NULL));
    if (to == from) return mpx__copy_elements(dst, src, to, n);
#if !MPX__COMPACT
    if (n == 1 && mpx__has_formula(to) && (mpx__has_formula(from) || mpx__is_short_int(from))) {
        mpx__cast_by_formula(dst, to, src, from);
        return MPX_OK;
    }
#endif
    if (n == 1 || for_size)
        mpx__exact_nearest((unsigned char *)dst, to, (const unsigned char *)src, from, n);
#if !MPX__COMPACT || MPX__HAS_PACKED
    else
        mpx__cast_by_plan(dst, to, src, from, n);
#endif
    return MPX_OK;
}

#if !MPX__COMPACT
/* By the kernel of a pair: whole blocks, and a last block that ends with the array; if that is not
   possible, the rest is cast in copies. */
MPX__NOINLINE mpx_status mpx__cast_by(mpx__kernel kernel, unsigned char *d, const unsigned char *s,
                                      size_t n, mpx__job *job) {
    const mpx__engine *engine = mpx__engine_now();
    const size_t block = engine->block, rest = n & (block - 1), whole = n - rest, to = job->to->bits,
                 from = job->from->bits, last = n - block;
    mpx__env env = 0;
    if (kernel.env != MPX__ENV_ANY) env = engine->enter(kernel.env);
    if (whole != 0) kernel.run(d, s, whole, job);
    if (rest != 0) {
        if (whole != 0 && ((to | from) & 7u) == 0 &&
            mpx__are_apart(d, n * (to / 8), s, n * (from / 8))) {
            kernel.run(d + last * (to / 8), s + last * (from / 8), block, job);
        } else {
            unsigned char in[MPX__MOST_BLOCK], out[MPX__MOST_BLOCK];
            mpx__few_in(in, s + whole / 8 * from, rest * from, block * from / 8);
            kernel.run(out, in, block, job);
            mpx__few_out(d + whole / 8 * to, out, rest * to);
        }
    }
    mpx__leave(env);
    return MPX_OK;
}
#endif
/* Call the kernel directly if there is one, unless the elements may be too many for the caches. */
MPX_API mpx_status mpx_cast(void *dst, mpx_dtype dst_type, const void *src, mpx_dtype src_type,
                            size_t n) {
    const mpx__row *to = mpx__row_of(dst_type), *from = mpx__row_of(src_type);
#if !MPX__COMPACT
    if (n > 1 && !mpx__may_be_large(n)) {
        const mpx__engine *engine = mpx__engine_now();
        const mpx__kernel kernel = engine->find_kernel(to->form, from->form);
        mpx__job job;
        if (kernel.run != NULL) {
            MPX_ASSERT(dst != NULL && src != NULL);
            mpx__job_cast(&job, to, from);
            if (MPX__LEAVES_UPPER || (n & (engine->block - 1)) != 0 ||
                (kernel.env != MPX__ENV_ANY && !engine->serves(kernel.env)))
                return mpx__cast_by(kernel, (unsigned char *)dst, (const unsigned char *)src, n,
                                    &job);
            kernel.run((unsigned char *)dst, (const unsigned char *)src, n, &job);
            return MPX_OK;
        }
    }
#endif
    return mpx__cast_any(dst, to, src, from, n);
}
