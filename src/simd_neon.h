/*==================================================================*
 * MARK: simd_neon - the vocabulary, four lanes
 *   Every AArch64, and ARMv7 with NEON. Float lanes exist on AArch64 only: those of ARMv7 flush
 *   subnormals and lose NaN in every mode. Only little-endian: detect.h chooses plain C for
 *   big-endian Arm.
 *==================================================================*/
#if MPX_ISA == MPX_ISA_NEON
#define MPX__LANES 4
#define MPX__ISA_NAME "neon"
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_JOIN 1
#define MPX__F16_BY_SUMS 0
#ifdef __aarch64__
#define MPX__HAS_FLOAT 1
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_FMA 1
/* Conversions of f16 depend on FPCR: rounding, subnormals, NaN, and whether there is Inf. */
#define MPX__F16_ENV MPX__ENV_ALL
#define MPX__TO_F16_ENV MPX__ENV_ALL
#define MPX__BF16_ENV MPX__ENV_ALL
#else
#define MPX__HAS_FLOAT 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_FMA 0
#endif

typedef uint32x4_t mpx__vu;

MPX__FORCE_INLINE uint8x16_t mpx__as_u8(mpx__vu a) { return vreinterpretq_u8_u32(a); }
MPX__FORCE_INLINE uint16x8_t mpx__as_u16(mpx__vu a) { return vreinterpretq_u16_u32(a); }
MPX__FORCE_INLINE int32x4_t mpx__as_s32(mpx__vu a) { return vreinterpretq_s32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u64(uint64x2_t a) { return vreinterpretq_u32_u64(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u8(uint8x16_t a) { return vreinterpretq_u32_u8(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u16(uint16x8_t a) { return vreinterpretq_u32_u16(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s32(int32x4_t a) { return vreinterpretq_u32_s32(a); }
/* A function of two vectors by an instruction for their lanes; `to`: the lanes of its result. */
#define MPX__NEON_BY(name, to, op, lanes) \
    MPX__FORCE_INLINE mpx__vu name(mpx__vu a, mpx__vu b) { \
        return mpx__of_##to(op##_##lanes(mpx__as_##lanes(a), mpx__as_##lanes(b))); \
    }

/* ---- lanes of 32 bits ------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return vdupq_n_u32(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return vandq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return vorrq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return veorq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return vaddq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return vsubq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return vmulq_u32(a, b); }
/* Operators, not intrinsics: with a constant count, compilers then shift by an immediate. */
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return a << mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return a >> mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return vminq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return vmaxq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return vceqq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return vcgtq_s32(mpx__as_s32(a), mpx__as_s32(b));
}
#define MPX__OWN_GT 1
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return vcgtq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return vbslq_u32(mask, a, b);
}
#define MPX__OWN_LARGEST_LANE 1
#ifdef __aarch64__
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) { return vmaxvq_u32(a); }
#else
MPX__FORCE_INLINE uint32_t mpx__largest_lane(mpx__vu a) {
    uint32x2_t x = vpmax_u32(vget_low_u32(a), vget_high_u32(a));
    return vget_lane_u32(vpmax_u32(x, x), 0);
}
#endif
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return mpx__largest_lane(a) != 0; }

/* Lanes of 16 bits. */
MPX__NEON_BY(mpx__max16, u16, vmaxq, u16)

/* ---- memory ---------------------------------------------------- */

/* By bytes, for which no alignment is assumed. */
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return mpx__of_u8(vld1q_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE uint16x4_t mpx__four_words(const void *p) {
    return vreinterpret_u16_u8(vld1_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return vmovl_u16(mpx__four_words(p)); }
/* The same four bytes twice. */
MPX__FORCE_INLINE uint8x8_t mpx__four_bytes(const void *p) {
    return vreinterpret_u8_u32(vdup_n_u32(mpx__read32(p)));
}
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    return vmovl_u16(vget_low_u16(vmovl_u8(mpx__four_bytes(p))));
}
#define MPX__OWN_LOAD_FIRST 1
MPX__FORCE_INLINE mpx__vu mpx__load_first(const unsigned char *p, size_t n) {
    return mpx__of_u64(vcombine_u64(vcreate_u64(mpx__first64(p, n, 0)),
                                    vcreate_u64(mpx__first64(p, n, 8))));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { vst1q_u8((uint8_t *)p, mpx__as_u8(v)); }

/* ---- codes of four and of six bits ----------------------------- */

/* Tables of 16 bytes; the entry of each byte, zero for 16 and more. */
#ifdef __aarch64__
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    return mpx__of_u8(vqtbl1q_u8(mpx__as_u8(table), mpx__as_u8(i)));
}
#else
MPX__FORCE_INLINE mpx__vu mpx__entries_or_zero(mpx__vu table, mpx__vu i) {
    uint8x16_t t = mpx__as_u8(table), at = mpx__as_u8(i);
    uint8x8x2_t both;
    both.val[0] = vget_low_u8(t);
    both.val[1] = vget_high_u8(t);
    return mpx__of_u8(
        vcombine_u8(vtbl2_u8(both, vget_low_u8(at)), vtbl2_u8(both, vget_high_u8(at))));
}
#endif

/* One code in a byte, to packed ones and back. Four bits: the second code of two is inserted above
   the first. Back: each byte is widened to 16 bits and inserted again four bits higher, and the
   bits above each code are masked. */
MPX__FORCE_INLINE void mpx__store_joined4(void *p, mpx__vu codes) {
    uint16x8_t two = mpx__as_u16(codes);
    vst1_u8((uint8_t *)p, vsli_n_u8(vmovn_u16(two), vshrn_n_u16(two, 8), 4));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split4(const void *p) {
    uint16x8_t two = vmovl_u8(vld1_u8((const uint8_t *)p));
    return mpx__and(mpx__of_u16(vsliq_n_u16(two, two, 4)), mpx__set(0x0f0f0f0fu));
}
/* 16 codes of six bits are 12 bytes: two codes become 12 bits, four become 24 bits of a lane, whose
   three bytes are gathered. mpx__places: the indices of 16 bytes, the first in the lowest byte. */
MPX__FORCE_INLINE mpx__vu mpx__places(uint64_t low, uint64_t high) {
    return mpx__of_u8(vcombine_u8(vcreate_u8(low), vcreate_u8(high)));
}
MPX__FORCE_INLINE void mpx__store_joined6(void *p, mpx__vu v) {
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shr(v, 2));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shr(v, 4));
    v = mpx__entries_or_zero(v, mpx__places(0x0908060504020100u, 0xffffffff0e0d0c0au));
    vst1_u8((uint8_t *)p, vget_low_u8(mpx__as_u8(v)));
    mpx__write32((uint8_t *)p + 8, vgetq_lane_u32(v, 2));
}
MPX__FORCE_INLINE mpx__vu mpx__load_split6(const void *p) {
    const uint8_t *s = (const uint8_t *)p;
    mpx__vu v = mpx__of_u8(vcombine_u8(vld1_u8(s), mpx__four_bytes(s + 8)));
    v = mpx__entries_or_zero(v, mpx__places(0xff050403ff020100u, 0xff0b0a09ff080706u));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shl(v, 4));
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shl(v, 2));
    return mpx__and(v, mpx__set(0x3f3f3f3fu));
}

#if !MPX__HAS_FLOAT

/* ---- ARMv7 alone ----------------------------------------------- */

MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return a << n; }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_u16(vmovn_u32(v)));
}
/* Converting an integer that f32 holds is exact in every mode. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    return vreinterpretq_u32_f32(vcvtq_f32_u32(a));
}

#else /* AArch64 alone, to the end of the room */

/* ---- the floating-point environment ---------------------------- */

/* FPCR with all control bits zero means: to nearest even, subnormals kept, NaN not replaced, IEEE's
   f16, nothing trapped. FPSR has the flags, which are always restored: MPX_KEEP_FLAGS is about x86.
   An mpx__env is FPCR with its unused bit 31 set, and FPSR above it. */
#define MPX__OWN_ENV 1
MPX__INLINE int mpx__env_serves(int env) { return env == MPX__ENV_ANY; }
MPX__PRIVATE mpx__env mpx__env_enter(int env) {
    uint64_t control, flags;
    if (mpx__env_serves(env)) return 0;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    __asm__ __volatile__("mrs %0, fpsr" : "=r"(flags));
    if (control != 0) __asm__ __volatile__("msr fpcr, xzr" ::: "memory");
    MPX__BARRIER();
    return (control & 0x7fffffffu) | (uint64_t)1 << 31 | flags << 32;
}
MPX__PRIVATE void mpx__env_leave(mpx__env saved) {
    const uint64_t control = saved & 0x7fffffffu, flags = saved >> 32;
    MPX__BARRIER();
    if (control != 0) __asm__ __volatile__("msr fpcr, %0" : : "r"(control) : "memory");
    __asm__ __volatile__("msr fpsr, %0" : : "r"(flags) : "memory");
}

/* ---- more of the lanes of 32 bits, and lanes of 16, 8 and 64 -- */

MPX__FORCE_INLINE int16x8_t mpx__as_s16(mpx__vu a) { return vreinterpretq_s16_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s16(int16x8_t a) { return vreinterpretq_u32_s16(a); }
MPX__FORCE_INLINE int8x16_t mpx__as_s8(mpx__vu a) { return vreinterpretq_s8_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s8(int8x16_t a) { return vreinterpretq_u32_s8(a); }
MPX__FORCE_INLINE uint64x2_t mpx__as_u64(mpx__vu a) { return vreinterpretq_u64_u32(a); }
MPX__FORCE_INLINE int64x2_t mpx__as_s64(mpx__vu a) { return vreinterpretq_s64_u32(a); }

MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) {
    return mpx__of_s32(mpx__as_s32(a) >> vdupq_n_s32(n));
}
#define MPX__OWN_AT_LEAST_0 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__of_s32(vmaxq_s32(mpx__as_s32(a), vdupq_n_s32(0)));
}

MPX__NEON_BY(mpx__add16, u16, vaddq, u16)
MPX__NEON_BY(mpx__sub16, u16, vsubq, u16)
MPX__NEON_BY(mpx__max16s, s16, vmaxq, s16)
MPX__NEON_BY(mpx__min16s, s16, vminq, s16)
MPX__NEON_BY(mpx__gt16s, u16, vcgtq, s16)
MPX__NEON_BY(mpx__eq16, u16, vceqq, u16)
/* A sum that saturates; the lower half of a product; per lane of 32 bits, the sum of two products,
   which must fit 16 bits: they do wherever this is used. */
MPX__NEON_BY(mpx__sum16s, s16, vqaddq, s16)
MPX__NEON_BY(mpx__mul16, u16, vmulq, u16)
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s32(vpaddlq_s16(vmulq_s16(mpx__as_s16(a), mpx__as_s16(b))));
}
/* Shift lanes of 16 bits right by 1 to 15: to the left by a negative count. */
typedef int16x8_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return vdupq_n_s16((int16_t)-n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) {
    return mpx__of_u16(vshlq_u16(mpx__as_u16(a), n));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return mpx__of_u16(vminq_u16(mpx__as_u16(a), vdupq_n_u16(0x7fff)));
}

MPX__NEON_BY(mpx__add8, u8, vaddq, u8)
MPX__NEON_BY(mpx__min8, u8, vminq, u8)
MPX__NEON_BY(mpx__gt8s, u8, vcgtq, s8)
#define MPX__OWN_AT_LEAST_0_8 1
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__of_s8(vmaxq_s8(mpx__as_s8(a), vdupq_n_s8(0)));
}

MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return mpx__of_u64(vdupq_n_u64(x)); }
MPX__NEON_BY(mpx__add64, u64, vaddq, u64)
MPX__NEON_BY(mpx__sub64, u64, vsubq, u64)
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) {
    return mpx__of_u64(mpx__as_u64(a) >> vdupq_n_u64((uint64_t)n));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return vreinterpretq_u32_s64(vshrq_n_s64(mpx__as_s64(a), 63));
}

/* ---- packing and pairing --------------------------------------- */

/* Lanes are in order after packing, and before pairing. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqmovn_high_s32(vqmovn_s32(mpx__as_s32(a)), mpx__as_s32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s8(vqmovn_high_s16(vqmovn_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vqmovun_high_s16(vqmovun_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
#define MPX__OWN_PACK32 1
MPX__FORCE_INLINE mpx__vu mpx__pack32(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vqmovun_high_s32(vqmovun_s32(mpx__as_s32(a)), mpx__as_s32(b)));
}
#define MPX__OWN_JOIN_UPPER16 1
MPX__NEON_BY(mpx__join_upper16, u16, vuzp2q, u16)
#define MPX__OWN_UPPER_WORDS 1
MPX__FORCE_INLINE mpx__vu mpx__upper_words(mpx__vu a, mpx__vu b) {
    return mpx__join_upper16(a, b);
}
#define MPX__OWN_SIGNS 1
MPX__NEON_BY(mpx__signs_of_16, u8, vuzp2q, u8)
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(const mpx__vu v[4]) {
    return mpx__signs_of_16(mpx__join_upper16(v[0], v[1]), mpx__join_upper16(v[2], v[3]));
}
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__of_u8(vzip1q_u8(mpx__as_u8(a), mpx__as_u8(b)));
    *high = mpx__of_u8(vzip2q_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__of_u16(vzip1q_u16(mpx__as_u16(a), mpx__as_u16(b)));
    *high = mpx__of_u16(vzip2q_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__HALVES_BY(mpx__pair32, mpx__vu, vzip1q_u32, vzip2q_u32)
/* The lower and the upper halves of two vectors' lanes of 64 bits. */
MPX__HALVES_BY(mpx__split64, mpx__vu, vuzp1q_u32, vuzp2q_u32)
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return mpx__entries_or_zero(table, i);
}

/* ---- integers to wider lanes ----------------------------------- */

MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_s32(vmovl_s16(vget_low_s16(mpx__as_s16(a))));
    v[1] = mpx__of_s32(vmovl_high_s16(mpx__as_s16(a)));
}
MPX__FORCE_INLINE void mpx__signed8to16(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_s16(vmovl_s8(vget_low_s8(mpx__as_s8(a))));
    v[1] = mpx__of_s16(vmovl_high_s8(mpx__as_s8(a)));
}

/* ---- floats ---------------------------------------------------- */

typedef float32x4_t mpx__vf;
typedef float64x2_t mpx__vd;

/* The asm hides the bits of a result: with -ffast-math compilers assume that none is Inf or NaN. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_bits(mpx__vu u) { return vreinterpretq_f32_u32(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vf(mpx__vf f) {
    mpx__vu u = vreinterpretq_u32_f32(f);
    __asm__("" : "+w"(u));
    return u;
}
MPX__FORCE_INLINE mpx__vd mpx__vd_of_bits(mpx__vu u) { return vreinterpretq_f64_u32(u); }
MPX__FORCE_INLINE mpx__vu mpx__bits_of_vd(mpx__vd d) {
    mpx__vu u = vreinterpretq_u32_f64(d);
    __asm__("" : "+w"(u));
    return u;
}

/* i32 to f32; f32 to i32, truncated: values out of range saturate, NaN becomes 0. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_i32(mpx__vu a) { return vcvtq_f32_s32(mpx__as_s32(a)); }
#define MPX__OWN_VF_OF_U32 1
MPX__FORCE_INLINE mpx__vf mpx__vf_of_u32(mpx__vu a) { return vcvtq_f32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vf(mpx__vf a) {
    int32x4_t v;
    __asm__("fcvtzs %0.4s, %1.4s" : "=w"(v) : "w"(a));
    return mpx__of_s32(v);
}
MPX__FORCE_INLINE mpx__vu mpx__i32_nearest_of_vf(mpx__vf a) { return mpx__of_s32(vcvtnq_s32_f32(a)); }
MPX__FORCE_INLINE mpx__vf mpx__fmul(mpx__vf a, mpx__vf b) { return vmulq_f32(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fmul_add(mpx__vf a, mpx__vf b, mpx__vf c) {
    return vfmaq_f32(c, a, b);
}
/* Maximum of floats that are neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fmax(mpx__vf a, mpx__vf b) {
    return mpx__vf_of_bits(mpx__max(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
/* Two of f64, one of f32 or i32. */
MPX__FORCE_INLINE mpx__vf mpx__vf_of_vd(mpx__vd a, mpx__vd b) {
    return vcvt_high_f32_f64(vcvt_f32_f64(a), b);
}
MPX__FORCE_INLINE void mpx__vd_of_vf(mpx__vd v[2], mpx__vf a) {
    v[0] = vcvt_f64_f32(vget_low_f32(a));
    v[1] = vcvt_high_f64_f32(a);
}
MPX__FORCE_INLINE void mpx__load_vd_of_i32(mpx__vd v[2], const void *p) {
    const int32x4_t a = mpx__as_s32(mpx__load32(p));
    v[0] = vcvtq_f64_s64(vmovl_s32(vget_low_s32(a)));
    v[1] = vcvtq_f64_s64(vmovl_high_s32(a));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_vd(mpx__vd a, mpx__vd b) {
    int64x2_t low, high;
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(low) : "w"(a));
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(high) : "w"(b));
    return mpx__of_s32(vqmovn_high_s64(vqmovn_s64(low), high));
}
#define MPX__OWN_F64_OF_64 1
MPX__FORCE_INLINE mpx__vd mpx__vd_of_i64(mpx__vu a) { return vcvtq_f64_s64(mpx__as_s64(a)); }
MPX__FORCE_INLINE mpx__vd mpx__vd_of_u64(mpx__vu a) { return vcvtq_f64_u64(mpx__as_u64(a)); }
/* f64 to f32, rounded to odd, by one instruction for each vector. */
#define MPX__OWN_ODD 1
MPX__FORCE_INLINE mpx__vu mpx__odd_of_f64(mpx__vd a, mpx__vd b) {
    return mpx__bits_of_vf(vcvtx_high_f32_f64(vcvtx_f32_f64(a), b));
}
MPX__FORCE_INLINE mpx__vd mpx__dmul(mpx__vd a, mpx__vd b) { return vmulq_f64(a, b); }
#define MPX__OWN_TRUNCATE 1
MPX__FORCE_INLINE mpx__vd mpx__dtruncate(mpx__vd a) { return vrndq_f64(a); }
/* In assembly: under -ffast-math compilers reorder additions and make products of quotients. */
MPX__FORCE_INLINE mpx__vd mpx__dadd(mpx__vd a, mpx__vd b) {
    mpx__vd sum;
    __asm__("fadd %0.2d, %1.2d, %2.2d" : "=w"(sum) : "w"(a), "w"(b));
    return sum;
}
MPX__FORCE_INLINE mpx__vf mpx__fdiv(mpx__vf a, mpx__vf b) {
    mpx__vf q;
    __asm__("fdiv %0.4s, %1.4s, %2.4s" : "=w"(q) : "w"(a), "w"(b));
    return q;
}
MPX__FORCE_INLINE mpx__vd mpx__ddiv(mpx__vd a, mpx__vd b) {
    mpx__vd q;
    __asm__("fdiv %0.2d, %1.2d, %2.2d" : "=w"(q) : "w"(a), "w"(b));
    return q;
}
/* Is one of them NaN? The maximum of two is NaN if one of them is. In assembly, as with -ffast-math
   compilers assume that there is none. */
MPX__FORCE_INLINE mpx__vu mpx__max_or_nan(mpx__vu a, mpx__vu b) {
    mpx__vu larger;
    __asm__("fmax %0.4s, %1.4s, %2.4s" : "=w"(larger) : "w"(a), "w"(b));
    return larger;
}
#define MPX__OWN_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    mpx__vu a = mpx__max_or_nan(mpx__max_or_nan(v[0], v[1]), mpx__max_or_nan(v[2], v[3])), number;
    __asm__("fcmeq %0.4s, %1.4s, %1.4s" : "=w"(number) : "w"(a));
    return MPX__RARELY(vminvq_u32(number) == 0) ? 1 : 0;
}

/* f16: keeps NaN payloads. */
MPX__FORCE_INLINE mpx__vu mpx__load_f16(const void *p) {
    return mpx__bits_of_vf(vcvt_f32_f16(vreinterpret_f16_u16(mpx__four_words(p))));
}
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_f16(
        vcvt_high_f16_f32(vcvt_f16_f32(mpx__vf_of_bits(a)), mpx__vf_of_bits(b)));
}
MPX__FORCE_INLINE void mpx__store_f16_pair(void *p, mpx__vu a, mpx__vu b) {
    mpx__store32(p, mpx__f16_pair(a, b));
}
/* Codes of e5m2 as the upper halves of f16. */
MPX__FORCE_INLINE void mpx__two_of_f16(mpx__vu v[2], uint16x8_t words) {
    float16x8_t h = vreinterpretq_f16_u16(words);
    v[0] = mpx__bits_of_vf(vcvt_f32_f16(vget_low_f16(h)));
    v[1] = mpx__bits_of_vf(vcvt_high_f32_f16(h));
}
MPX__FORCE_INLINE void mpx__load4_as_e5m2(mpx__vu v[4], mpx__vu codes) {
    mpx__two_of_f16(v, vshll_n_u8(vget_low_u8(mpx__as_u8(codes)), 8));
    mpx__two_of_f16(v + 2, vshll_n_u8(vget_high_u8(mpx__as_u8(codes)), 8));
}

/* Two vectors to one of bf16. BFCVTN does what the exact codec does: to nearest even; NaN becomes
   quiet and keeps sign and payload. By integers: 1 is added where the lowest kept bit is set, then
   half a unit less one; the upper half of the sum is the result. */
#define MPX__OWN_BF16_PAIR 1
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
#define MPX__NATIVE_BF16 1
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_bf16(
        vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(mpx__vf_of_bits(a)), mpx__vf_of_bits(b)));
}
#else
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    mpx__vu lowest = mpx__set(0x10000u), half = mpx__set(0x7fffu);
    a = mpx__sub(a, vtstq_u32(a, lowest));
    b = mpx__sub(b, vtstq_u32(b, lowest));
    return mpx__of_u16(vaddhn_high_u32(vaddhn_u32(a, half), b, half));
}
#endif

/* ---- floats, for MPX_COMPUTE ----------------------------------- */
#if MPX_COMPUTE

#ifdef __aarch64__
#define MPX__OWN_TILE_ROWS 1
#endif
/* c + two products in each lane of pairs of bf16. Subnormals count as zero. */
#if MPX_BF16_DOTS && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && MPX__HAS_BF16
#define MPX__OWN_BF16_DOT mpx__bf16_dot
MPX__FORCE_INLINE mpx__vf mpx__bf16_dot(mpx__vf a, mpx__vf b, mpx__vf c) {
    return vbfdotq_f32(c, vreinterpretq_bf16_f32(a), vreinterpretq_bf16_f32(b));
}
#endif
MPX__FORCE_INLINE mpx__vf mpx__fl_add(mpx__vf a, mpx__vf b) { return vaddq_f32(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_sub(mpx__vf a, mpx__vf b) { return vsubq_f32(a, b); }
MPX__FORCE_INLINE mpx__vf mpx__fl_sqrt(mpx__vf a) { return vsqrtq_f32(a); }
/* Products of 16 bits, whole, and sums of two of them. */
#define MPX__OWN_DOT_WORDS 1
MPX__FORCE_INLINE mpx__vu mpx__dot_words(mpx__vu a, mpx__vu b) {
    const int16x8_t x = mpx__as_s16(a), y = mpx__as_s16(b);
    return mpx__of_s32(vmlal_high_s16(vmull_s16(vget_low_s16(x), vget_low_s16(y)), x, y));
}
/* a > b ? a : b and a < b ? a : b; b where one of them is NaN. */
MPX__FORCE_INLINE mpx__vf mpx__fl_larger(mpx__vf a, mpx__vf b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
MPX__FORCE_INLINE mpx__vf mpx__fl_smaller(mpx__vf a, mpx__vf b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
#endif

#endif /* MPX__HAS_FLOAT */
#undef MPX__NEON_BY
#endif /* MPX_ISA_NEON */
