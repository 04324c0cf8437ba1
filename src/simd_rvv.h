/*==================================================================*
 * MARK: simd_rvv - the vocabulary, as many lanes as a register has
 *   RISC-V's V extension with clang's -mrvv-vector-bits=zvl. This flag fixes the length of a
 *   register (__riscv_v_fixed_vlen) and gives vector types that structs can hold. Such a program
 *   runs only on machines with exactly that length. There are only integer lanes of 32 bits: the
 *   functions that HAS_FLOAT promises are not written yet.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_RVV
#define MPX__LANES (__riscv_v_fixed_vlen / 32)
#define MPX__ISA_NAME "rvv"
#define MPX__HAS_FLOAT 0
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_FMA 0
#define MPX__HAS_JOIN 0
#define MPX__F16_BY_SUMS 0

typedef vuint32m1_t mpx__vu __attribute__((riscv_rvv_vector_bits(__riscv_v_fixed_vlen)));

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return __riscv_vmv_v_x_u32m1(x, MPX__LANES); }
/* A function of two vectors by an instruction. */
#define MPX__RVV_BY(name, op) \
    MPX__FORCE_INLINE mpx__vu name(mpx__vu a, mpx__vu b) { return op(a, b, MPX__LANES); }
MPX__RVV_BY(mpx__and, __riscv_vand_vv_u32m1)
MPX__RVV_BY(mpx__or, __riscv_vor_vv_u32m1)
MPX__RVV_BY(mpx__xor, __riscv_vxor_vv_u32m1)
MPX__RVV_BY(mpx__add, __riscv_vadd_vv_u32m1)
MPX__RVV_BY(mpx__sub, __riscv_vsub_vv_u32m1)
MPX__RVV_BY(mpx__mul, __riscv_vmul_vv_u32m1)
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) {
    return __riscv_vsll_vx_u32m1(a, (size_t)n, MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) {
    return __riscv_vsrl_vx_u32m1(a, (size_t)n, MPX__LANES);
}
MPX__RVV_BY(mpx__shlv, __riscv_vsll_vv_u32m1)
MPX__RVV_BY(mpx__shrv, __riscv_vsrl_vv_u32m1)
MPX__RVV_BY(mpx__min, __riscv_vminu_vv_u32m1)
MPX__RVV_BY(mpx__max, __riscv_vmaxu_vv_u32m1)
#undef MPX__RVV_BY
/* Comparisons give one bit per lane, which is spread over the lane. */
#define MPX__SPREAD(bits) __riscv_vmerge_vxm_u32m1(mpx__set(0), 0xffffffffu, bits, MPX__LANES)
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmseq_vv_u32m1_b32(a, b, MPX__LANES));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmsgtu_vv_u32m1_b32(a, b, MPX__LANES));
}
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return MPX__SPREAD(__riscv_vmsgt_vv_i32m1_b32(__riscv_vreinterpret_v_u32m1_i32m1(a),
                                                  __riscv_vreinterpret_v_u32m1_i32m1(b),
                                                  MPX__LANES));
}
#undef MPX__SPREAD
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return mpx__xor(b, mpx__and(mask, mpx__xor(a, b)));
}
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    return __riscv_vfirst_m_b32(__riscv_vmsne_vx_u32m1_b32(a, 0, MPX__LANES), MPX__LANES) >= 0;
}
#define MPX__OWN_LARGEST_LANE 1
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    return __riscv_vmv_x_s_u32m1_u32(__riscv_vredmaxu_vs_u32m1_u32m1(a, mpx__set(0), MPX__LANES));
}
/* Integers of 24 bits at most: exact, so that no rounding mode matters and no flag is raised. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    return __riscv_vreinterpret_v_f32m1_u32m1(__riscv_vfcvt_f_xu_v_f32m1(a, MPX__LANES));
}

/* By bytes, for which no alignment is assumed. */
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return __riscv_vreinterpret_v_u8m1_u32m1(
        __riscv_vle8_v_u8m1((const uint8_t *)p, MPX__LANES * 4));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) {
    vuint8mf2_t bytes = __riscv_vle8_v_u8mf2((const uint8_t *)p, MPX__LANES * 2);
    return __riscv_vzext_vf2_u32m1(__riscv_vreinterpret_v_u8mf2_u16mf2(bytes), MPX__LANES);
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return __riscv_vzext_vf4_u32m1(__riscv_vle8_v_u8mf4((const uint8_t *)p, MPX__LANES),
                                   MPX__LANES);
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) {
    __riscv_vse8_v_u8m1((uint8_t *)p, __riscv_vreinterpret_v_u32m1_u8m1(v), MPX__LANES * 4);
}
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    vuint16mf2_t words = __riscv_vncvt_x_x_w_u16mf2(v, MPX__LANES);
    __riscv_vse8_v_u8mf2((uint8_t *)p, __riscv_vreinterpret_v_u16mf2_u8mf2(words), MPX__LANES * 2);
}

/* A lane of 32 bits is two lanes of 16: the larger of each. */
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return __riscv_vreinterpret_v_u16m1_u32m1(
        __riscv_vmaxu_vv_u16m1(__riscv_vreinterpret_v_u32m1_u16m1(a),
                               __riscv_vreinterpret_v_u32m1_u16m1(b), MPX__LANES * 2));
}

#endif /* MPX_ISA_RVV */
