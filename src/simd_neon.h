/*==========================================================================*
 * MARK: simd_neon - the vocabulary, four lanes                              *
 *   Every AArch64, and ARMv7 with NEON. Floats on AArch64 alone: what ARMv7 *
 *   does with them flushes subnormals and loses NaN, whatever the modes.    *
 *   Little-endian: detect.h gives big-endian Arm the plain C.               *
 *==========================================================================*/
#if MPX_ISA == MPX_ISA_NEON
#define MPX__LANES 4
#define MPX__ISA_NAME "neon"
#define MPX__HAS_JOIN 1
#define MPX__HAS_MXCSR 0
#define MPX__HAS_STREAM 0
#define MPX__HAS_OWN_ROWS 0
#ifdef __aarch64__
#define MPX__NATIVE_F16 1
#define MPX__F16_IN_ENV 1
#define MPX__HAS_FLOAT 1
#define MPX__HAS_LOOKUP 1
#define MPX__HAS_ENV 1
#else
#define MPX__NATIVE_F16 0
#define MPX__F16_IN_ENV 0
#define MPX__HAS_FLOAT 0
#define MPX__HAS_LOOKUP 0
#define MPX__HAS_ENV 0
#endif
/* BFCVTN does as the codec does where the modes are those of mpx__env_enter: to nearest even,
   subnormals kept, NaN quiet with sign and payload. */
#if defined(__aarch64__) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#define MPX__NATIVE_BF16 1
#else
#define MPX__NATIVE_BF16 0
#endif

typedef uint32x4_t mpx__vu;

MPX__FORCE_INLINE uint8x16_t mpx__as_u8(mpx__vu a) { return vreinterpretq_u8_u32(a); }
MPX__FORCE_INLINE uint16x8_t mpx__as_u16(mpx__vu a) { return vreinterpretq_u16_u32(a); }
MPX__FORCE_INLINE int32x4_t mpx__as_s32(mpx__vu a) { return vreinterpretq_s32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u8(uint8x16_t a) { return vreinterpretq_u32_u8(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_u16(uint16x8_t a) { return vreinterpretq_u32_u16(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s32(int32x4_t a) { return vreinterpretq_u32_s32(a); }

MPX__FORCE_INLINE mpx__vu mpx__set(uint32_t x) { return vdupq_n_u32(x); }
MPX__FORCE_INLINE mpx__vu mpx__and(mpx__vu a, mpx__vu b) { return vandq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__or(mpx__vu a, mpx__vu b) { return vorrq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__xor(mpx__vu a, mpx__vu b) { return veorq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__add(mpx__vu a, mpx__vu b) { return vaddq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__sub(mpx__vu a, mpx__vu b) { return vsubq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__mul(mpx__vu a, mpx__vu b) { return vmulq_u32(a, b); }
/* Operators, not intrinsics: of a constant count compilers make the shift by an immediate. */
MPX__FORCE_INLINE mpx__vu mpx__shlv(mpx__vu a, mpx__vu n) { return a << n; }
MPX__FORCE_INLINE mpx__vu mpx__shrv(mpx__vu a, mpx__vu n) { return a >> n; }
MPX__FORCE_INLINE mpx__vu mpx__shl(mpx__vu a, int n) { return a << mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__shr(mpx__vu a, int n) { return a >> mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__eq(mpx__vu a, mpx__vu b) { return vceqq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__gt(mpx__vu a, mpx__vu b) { return vcgtq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__min(mpx__vu a, mpx__vu b) { return vminq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__max(mpx__vu a, mpx__vu b) { return vmaxq_u32(a, b); }
/* Of magnitudes below 2^31, right in the upper half of a lane. */
MPX__FORCE_INLINE mpx__vu mpx__max_upper(mpx__vu a, mpx__vu b) { return mpx__max(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__select(mpx__vu mask, mpx__vu a, mpx__vu b) {
    return vbslq_u32(mask, a, b);
}
#ifdef __aarch64__
MPX__FORCE_INLINE int mpx__any(mpx__vu a) { return vmaxvq_u32(a) != 0; }
#else
MPX__FORCE_INLINE int mpx__any(mpx__vu a) {
    uint32x2_t half = vorr_u32(vget_low_u32(a), vget_high_u32(a));
    return vget_lane_u32(vpmax_u32(half, half), 0) != 0;
}
#endif
/* ARMv7 too converts integers that fit exactly, whatever the modes. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_u24(mpx__vu a) {
    return vreinterpretq_u32_f32(vcvtq_f32_u32(a));
}
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i24(mpx__vu a) {
    return vreinterpretq_u32_f32(vcvtq_f32_s32(mpx__as_s32(a)));
}

/* By bytes: for them alone is no alignment assumed. */
MPX__FORCE_INLINE mpx__vu mpx__load32(const void *p) {
    return mpx__of_u8(vld1q_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE uint16x4_t mpx__four_words(const void *p) {
    return vreinterpret_u16_u8(vld1_u8((const uint8_t *)p));
}
MPX__FORCE_INLINE mpx__vu mpx__load16(const void *p) { return vmovl_u16(mpx__four_words(p)); }
MPX__FORCE_INLINE mpx__vu mpx__load8(const void *p) {
    uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(mpx__read32(p)));
    return vmovl_u16(vget_low_u16(vmovl_u8(bytes)));
}
MPX__FORCE_INLINE void mpx__store32(void *p, mpx__vu v) { vst1q_u8((uint8_t *)p, mpx__as_u8(v)); }
MPX__FORCE_INLINE void mpx__store16(void *p, mpx__vu v) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_u16(vmovn_u32(v)));
}
MPX__FORCE_INLINE void mpx__store8(void *p, mpx__vu v) {
    uint16x4_t words = vmovn_u32(v);
    uint8x8_t bytes = vmovn_u16(vcombine_u16(words, words));
    mpx__write32(p, vget_lane_u32(vreinterpret_u32_u8(bytes), 0));
}
MPX__FORCE_INLINE void mpx__load64(const void *p, mpx__vu *low, mpx__vu *high) {
    uint32x4x2_t v = vuzpq_u32(mpx__load32(p), mpx__load32((const uint8_t *)p + 16));
    *low = v.val[0];
    *high = v.val[1];
}
MPX__FORCE_INLINE void mpx__store64(void *p, mpx__vu low, mpx__vu high) {
    uint32x4x2_t v = vzipq_u32(low, high);
    mpx__store32(p, v.val[0]);
    mpx__store32((uint8_t *)p + 16, v.val[1]);
}

/* 32 bits hold two lanes of 16: for what needs no widening. */
MPX__FORCE_INLINE mpx__vu mpx__add16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vaddq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__max16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vmaxq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}

/* A table of 16 bytes; its entry for each byte, zero for 16 and more. */
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

/* Codes of four and six bits, one per byte, with one another and back. Six: 16 codes, 12 bytes; two
   are made twelve bits, four 24 in a lane, from which its three bytes are gathered. */
MPX__FORCE_INLINE mpx__vu mpx__join4(mpx__vu a, mpx__vu b) {
    uint8x16x2_t v = vuzpq_u8(mpx__as_u8(a), mpx__as_u8(b));
    return mpx__of_u8(vsliq_n_u8(v.val[0], v.val[1], 4));
}
MPX__FORCE_INLINE void mpx__split4(mpx__vu a, mpx__vu *low, mpx__vu *high) {
    uint8x16_t codes = mpx__as_u8(a);
    uint8x16x2_t v = vzipq_u8(vandq_u8(codes, vdupq_n_u8(15)), vshrq_n_u8(codes, 4));
    *low = mpx__of_u8(v.val[0]);
    *high = mpx__of_u8(v.val[1]);
}
/* Sixteen places, the first ones lowest. */
MPX__FORCE_INLINE mpx__vu mpx__places(uint64_t low, uint64_t high) {
    return mpx__of_u8(vcombine_u8(vcreate_u8(low), vcreate_u8(high)));
}
MPX__FORCE_INLINE mpx__vu mpx__join6(mpx__vu v) {
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shr(v, 2));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shr(v, 4));
    return mpx__entries_or_zero(v, mpx__places(0x0908060504020100u, 0xffffffff0e0d0c0au));
}
MPX__FORCE_INLINE mpx__vu mpx__split6(mpx__vu v) {
    v = mpx__entries_or_zero(v, mpx__places(0xff050403ff020100u, 0xff0b0a09ff080706u));
    v = mpx__select(mpx__set(0xfffu), v, mpx__shl(v, 4));
    v = mpx__select(mpx__set(0x3f003fu), v, mpx__shl(v, 2));
    return mpx__and(v, mpx__set(0x3f3f3f3fu));
}

/* ---- floats: AArch64 ------------------------------------------------------------------------- */

#if MPX__HAS_FLOAT

/* FPCR and, above it, FPSR. All control bits zero: to nearest even, subnormals kept, NaN not
   replaced, IEEE's f16, nothing trapped. FPSR has the flags. */
typedef uint64_t mpx__env;
MPX__FORCE_INLINE mpx__env mpx__env_enter(void) {
    uint64_t control, flags;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    __asm__ __volatile__("mrs %0, fpsr" : "=r"(flags));
    if (control != 0) __asm__ __volatile__("msr fpcr, xzr" ::: "memory");
    MPX__KEEP_LOOP();
    return (control & 0xffffffffu) | flags << 32;
}
MPX__FORCE_INLINE void mpx__env_leave(mpx__env saved) {
    uint64_t control = saved & 0xffffffffu;
    MPX__KEEP_LOOP();
    if (control != 0) __asm__ __volatile__("msr fpcr, %0" : : "r"(control) : "memory");
    __asm__ __volatile__("msr fpsr, %0" : : "r"(saved >> 32) : "memory");
}

/* The bits of a result that the compiler is to know nothing about: with -ffast-math it takes for
   granted that no float is Inf or NaN. */
MPX__FORCE_INLINE float32x4_t mpx__as_f32(mpx__vu a) { return vreinterpretq_f32_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_f32(float32x4_t v) {
    mpx__vu u = vreinterpretq_u32_f32(v);
    __asm__("" : "+w"(u));
    return u;
}
MPX__FORCE_INLINE float64x2_t mpx__as_f64(mpx__vu a) { return vreinterpretq_f64_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_f64(float64x2_t v) {
    mpx__vu u = vreinterpretq_u32_f64(v);
    __asm__("" : "+w"(u));
    return u;
}
MPX__FORCE_INLINE int16x8_t mpx__as_s16(mpx__vu a) { return vreinterpretq_s16_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s16(int16x8_t a) { return vreinterpretq_u32_s16(a); }
MPX__FORCE_INLINE int8x16_t mpx__as_s8(mpx__vu a) { return vreinterpretq_s8_u32(a); }
MPX__FORCE_INLINE mpx__vu mpx__of_s8(int8x16_t a) { return vreinterpretq_u32_s8(a); }

/* f16: keeps NaN payloads, rounds as the modes say. */
MPX__DECODER(mpx__dec_f16) {
    return mpx__of_f32(vcvt_f32_f16(vreinterpret_f16_u16(mpx__four_words(p))));
}
MPX__ENCODER(mpx__enc_f16) {
    vst1_u8((uint8_t *)p, vreinterpret_u8_f16(vcvt_f16_f32(mpx__as_f32(u))));
}
/* 16 codes of e5m2, the upper bytes of f16. */
MPX__FORCE_INLINE void mpx__two_of_e5m2(mpx__vu v[2], uint16x8_t words) {
    float16x8_t h = vreinterpretq_f16_u16(words);
    v[0] = mpx__of_f32(vcvt_f32_f16(vget_low_f16(h)));
    v[1] = mpx__of_f32(vcvt_high_f32_f16(h));
}
MPX__FORCE_INLINE void mpx__load_e5m2(mpx__vu v[4], const void *p) {
    uint8x16_t codes = vld1q_u8((const uint8_t *)p);
    mpx__two_of_e5m2(v, vshll_n_u8(vget_low_u8(codes), 8));
    mpx__two_of_e5m2(v + 2, vshll_n_u8(vget_high_u8(codes), 8));
}
MPX__FORCE_INLINE mpx__vu mpx__f16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_f16(
        vcvt_high_f16_f32(vcvt_f16_f32(mpx__as_f32(a)), mpx__as_f32(b)));
}

/* Two vectors to one of bf16. By integers: one more where the lowest bit that stays is set, then
   half a unit less one; the sum's upper half is stored. */
#define MPX__HAS_BF16_PAIR 1
#if MPX__NATIVE_BF16
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_bf16(
        vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(mpx__as_f32(a)), mpx__as_f32(b)));
}
#else
MPX__FORCE_INLINE mpx__vu mpx__bf16_pair(mpx__vu a, mpx__vu b) {
    mpx__vu lowest = mpx__set(0x10000u), half = mpx__set(0x7fffu);
    a = mpx__sub(a, vtstq_u32(a, lowest));
    b = mpx__sub(b, vtstq_u32(b, lowest));
    return mpx__of_u16(vaddhn_high_u32(vaddhn_u32(a, half), b, half));
}
#endif

/* Float products and quotients, between mpx__env_enter and leave. The division in assembly: under
   -ffast-math compilers make an approximation, or a product, of the intrinsic. */
typedef struct mpx__divisor {
    mpx__vu value;
} mpx__divisor;
MPX__FORCE_INLINE void mpx__divisor_set(mpx__divisor *by, uint32_t u) { by->value = mpx__set(u); }
MPX__FORCE_INLINE mpx__vu mpx__fmul(mpx__vu a, mpx__vu b) {
    return mpx__of_f32(vmulq_f32(mpx__as_f32(a), mpx__as_f32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__fdiv(mpx__vu a, const mpx__divisor *by) {
    mpx__vu q;
    __asm__("fdiv %0.4s, %1.4s, %2.4s" : "=w"(q) : "w"(a), "w"(by->value));
    return q;
}
/* a * b + c, rounded once or twice: for products whose rounding does not matter. Maximum and
   minimum of what is neither negative nor NaN. */
MPX__FORCE_INLINE mpx__vu mpx__fmul_add(mpx__vu a, mpx__vu b, mpx__vu c) {
    return mpx__of_f32(vfmaq_f32(mpx__as_f32(c), mpx__as_f32(a), mpx__as_f32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__fmax(mpx__vu a, mpx__vu b) { return vmaxq_u32(a, b); }
MPX__FORCE_INLINE mpx__vu mpx__fmin(mpx__vu a, mpx__vu b) { return vminq_u32(a, b); }

/* 32 bits hold two lanes of 16. Those with an s are signed. */
MPX__FORCE_INLINE mpx__vu mpx__sub16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vsubq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__max16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vmaxq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__min16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vminq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__gt16s(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vcgtq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__eq16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vceqq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
/* A sum that saturates, the lower half of a product, and per lane of 32 the sum of both
   products. */
MPX__FORCE_INLINE mpx__vu mpx__sum16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqaddq_s16(mpx__as_s16(a), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__mul16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vmulq_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__dot16s(mpx__vu a, mpx__vu b) {
    int16x8_t x = mpx__as_s16(a), y = mpx__as_s16(b);
    int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return mpx__of_s32(vpaddq_s32(low, high));
}
/* Lanes of 16 to the right by a count from 1 to 15, known early: to the left by a negative one. */
typedef int16x8_t mpx__shift16;
MPX__FORCE_INLINE mpx__shift16 mpx__shift16_set(int n) { return vdupq_n_s16((int16_t)-n); }
MPX__FORCE_INLINE mpx__vu mpx__shr16(mpx__vu a, mpx__shift16 n) {
    return mpx__of_u16(vshlq_u16(mpx__as_u16(a), n));
}
/* The upper half of a lane, below 2^15, plus the masked lower half times 2^n. */
typedef mpx__vu mpx__weights;
MPX__FORCE_INLINE mpx__weights mpx__weights_set(int n) { return mpx__set((uint32_t)n); }
MPX__FORCE_INLINE mpx__vu mpx__merge_words(mpx__vu a, uint32_t mask, mpx__weights w) {
    return vsraq_n_u32(mpx__shlv(mpx__and(a, mpx__set(mask)), w), a, 16);
}
/* Four lanes of 8. */
MPX__FORCE_INLINE mpx__vu mpx__add8(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vaddq_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__min8(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vminq_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__gt8s(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vcgtq_s8(mpx__as_s8(a), mpx__as_s8(b)));
}

/* Two vectors to lanes of half the width, saturated: signed, and from signed to unsigned. In order
   already. */
MPX__FORCE_INLINE mpx__vu mpx__pack32s(mpx__vu a, mpx__vu b) {
    return mpx__of_s16(vqmovn_high_s32(vqmovn_s32(mpx__as_s32(a)), mpx__as_s32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16s(mpx__vu a, mpx__vu b) {
    return mpx__of_s8(vqmovn_high_s16(vqmovn_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__pack16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vqmovun_high_s16(vqmovun_s16(mpx__as_s16(a)), mpx__as_s16(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__packed_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__packed_thrice(mpx__vu a) { return a; }
/* The upper halves of two vectors' lanes. */
MPX__FORCE_INLINE mpx__vu mpx__join_upper16(mpx__vu a, mpx__vu b) {
    return mpx__of_u16(vuzp2q_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
/* The sign bits of several vectors as those of bytes, whose other bits may be anything; as if
   packed. */
MPX__FORCE_INLINE mpx__vu mpx__signs_of_16(mpx__vu a, mpx__vu b) {
    return mpx__of_u8(vuzp2q_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__signs_of_32(mpx__vu a, mpx__vu b, mpx__vu c, mpx__vu d) {
    return mpx__signs_of_16(mpx__join_upper16(a, b), mpx__join_upper16(c, d));
}
/* Bytes as lanes of 16. */
MPX__FORCE_INLINE mpx__vu mpx__load8to16(const void *p) {
    return mpx__of_u16(vmovl_u8(vld1_u8((const uint8_t *)p)));
}
/* Pairs of lanes of 8, 16 or 32, the lower half of each from a: as one twice as wide. */
MPX__FORCE_INLINE mpx__vu mpx__to_pair_once(mpx__vu a) { return a; }
MPX__FORCE_INLINE mpx__vu mpx__to_pair_twice(mpx__vu a) { return a; }
MPX__FORCE_INLINE void mpx__pair8(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__of_u8(vzip1q_u8(mpx__as_u8(a), mpx__as_u8(b)));
    *high = mpx__of_u8(vzip2q_u8(mpx__as_u8(a), mpx__as_u8(b)));
}
MPX__FORCE_INLINE void mpx__pair16(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = mpx__of_u16(vzip1q_u16(mpx__as_u16(a), mpx__as_u16(b)));
    *high = mpx__of_u16(vzip2q_u16(mpx__as_u16(a), mpx__as_u16(b)));
}
MPX__FORCE_INLINE void mpx__pair32(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = vzip1q_u32(a, b);
    *high = vzip2q_u32(a, b);
}
/* The halves of two vectors' lanes of 64. */
MPX__FORCE_INLINE void mpx__split64(mpx__vu a, mpx__vu b, mpx__vu *low, mpx__vu *high) {
    *low = vuzp1q_u32(a, b);
    *high = vuzp2q_u32(a, b);
}
/* A table of 16 bytes; its entry for each byte, which is below 16. */
MPX__FORCE_INLINE mpx__vu mpx__table16(const void *p) { return mpx__load32(p); }
MPX__FORCE_INLINE mpx__vu mpx__entries(mpx__vu table, mpx__vu i) {
    return mpx__entries_or_zero(table, i);
}

/* ---- for rows of their own: several vectors at once ------------------------------------------ */

MPX__FORCE_INLINE mpx__vu mpx__gt_signed(mpx__vu a, mpx__vu b) {
    return vcgtq_s32(mpx__as_s32(a), mpx__as_s32(b));
}
/* Signed lanes to the right. */
MPX__FORCE_INLINE mpx__vu mpx__sar(mpx__vu a, int n) {
    return mpx__of_s32(vshlq_s32(mpx__as_s32(a), vdupq_n_s32(-n)));
}
/* Signed lanes below 0 become 0; unsigned ones above 2^31 - 1, or 2^15 - 1, become that. */
MPX__FORCE_INLINE mpx__vu mpx__at_least_0(mpx__vu a) {
    return mpx__of_s32(vmaxq_s32(mpx__as_s32(a), vdupq_n_s32(0)));
}
MPX__FORCE_INLINE mpx__vu mpx__at_least_0_8(mpx__vu a) {
    return mpx__of_s8(vmaxq_s8(mpx__as_s8(a), vdupq_n_s8(0)));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i32(mpx__vu a) {
    return vminq_u32(a, mpx__set(0x7fffffffu));
}
MPX__FORCE_INLINE mpx__vu mpx__at_most_i16(mpx__vu a) {
    return mpx__of_u16(vminq_u16(mpx__as_u16(a), vdupq_n_u16(0x7fff)));
}
/* Numbers of 16 and 8 bits, with a sign or without. */
MPX__FORCE_INLINE void mpx__unpack_signed16(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_s32(vmovl_s16(vget_low_s16(mpx__as_s16(a))));
    v[1] = mpx__of_s32(vmovl_high_s16(mpx__as_s16(a)));
}
MPX__FORCE_INLINE void mpx__unpack_unsigned16(mpx__vu v[2], mpx__vu a) {
    v[0] = vmovl_u16(vget_low_u16(mpx__as_u16(a)));
    v[1] = vmovl_high_u16(mpx__as_u16(a));
}
MPX__FORCE_INLINE void mpx__load_signed16(mpx__vu v[2], const void *p) {
    mpx__unpack_signed16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_unsigned16(mpx__vu v[2], const void *p) {
    mpx__unpack_unsigned16(v, mpx__load32(p));
}
MPX__FORCE_INLINE void mpx__load_signed8(mpx__vu v[4], const void *p) {
    int8x16_t a = mpx__as_s8(mpx__load32(p));
    mpx__unpack_signed16(v, mpx__of_s16(vmovl_s8(vget_low_s8(a))));
    mpx__unpack_signed16(v + 2, mpx__of_s16(vmovl_high_s8(a)));
}
MPX__FORCE_INLINE void mpx__load_unsigned8(mpx__vu v[4], const void *p) {
    uint8x16_t a = mpx__as_u8(mpx__load32(p));
    mpx__unpack_unsigned16(v, mpx__of_u16(vmovl_u8(vget_low_u8(a))));
    mpx__unpack_unsigned16(v + 2, mpx__of_u16(vmovl_high_u8(a)));
}
MPX__FORCE_INLINE void mpx__load_signed8to16(mpx__vu v[2], const void *p) {
    int8x16_t a = mpx__as_s8(mpx__load32(p));
    v[0] = mpx__of_s16(vmovl_s8(vget_low_s8(a)));
    v[1] = mpx__of_s16(vmovl_high_s8(a));
}
MPX__FORCE_INLINE void mpx__load_unsigned8to16(mpx__vu v[2], const void *p) {
    uint8x16_t a = mpx__as_u8(mpx__load32(p));
    v[0] = mpx__of_u16(vmovl_u8(vget_low_u8(a)));
    v[1] = mpx__of_u16(vmovl_high_u8(a));
}

/* f32 truncated; what does not fit saturates, NaN becomes 0. */
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f32(mpx__vu a) {
    int32x4_t v;
    __asm__("fcvtzs %0.4s, %1.4s" : "=w"(v) : "w"(a));
    return mpx__of_s32(v);
}
/* Two vectors of f64 to one of f32. */
MPX__FORCE_INLINE mpx__vu mpx__set64(uint64_t x) { return vreinterpretq_u32_u64(vdupq_n_u64(x)); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_f64(mpx__vu a, mpx__vu b) {
    return mpx__of_f32(vcvt_high_f32_f64(vcvt_f32_f64(mpx__as_f64(a)), mpx__as_f64(b)));
}
/* The same rounded to odd, by one instruction each. */
#define MPX__HAS_ODD 1
MPX__FORCE_INLINE mpx__vu mpx__odd_f32_of_f64(mpx__vu a, mpx__vu b) {
    return mpx__of_f32(vcvtx_high_f32_f64(vcvtx_f32_f64(mpx__as_f64(a)), mpx__as_f64(b)));
}
/* And back, exact. */
MPX__FORCE_INLINE void mpx__f64_of_f32(mpx__vu v[2], mpx__vu u) {
    v[0] = mpx__of_f64(vcvt_f64_f32(vget_low_f32(mpx__as_f32(u))));
    v[1] = mpx__of_f64(vcvt_high_f64_f32(mpx__as_f32(u)));
}
/* Integers of 32 bits to f64, exact; two vectors of f64 to integers, as mpx__i32_of_f32. */
MPX__FORCE_INLINE void mpx__f64_of_i32(mpx__vu v[2], mpx__vu a) {
    v[0] = mpx__of_f64(vcvtq_f64_s64(vmovl_s32(vget_low_s32(mpx__as_s32(a)))));
    v[1] = mpx__of_f64(vcvtq_f64_s64(vmovl_high_s32(mpx__as_s32(a))));
}
MPX__FORCE_INLINE mpx__vu mpx__i32_of_f64(mpx__vu a, mpx__vu b) {
    int64x2_t low, high;
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(low) : "w"(a));
    __asm__("fcvtzs %0.2d, %1.2d" : "=w"(high) : "w"(b));
    return mpx__of_s32(vqmovn_high_s64(vqmovn_s64(low), high));
}
/* Lanes of 64 bits. Sums as the quotients below: compilers are not to add in another order. */
MPX__FORCE_INLINE mpx__vu mpx__shr64(mpx__vu a, int n) {
    return vreinterpretq_u32_u64(vshlq_u64(vreinterpretq_u64_u32(a), vdupq_n_s64(-n)));
}
MPX__FORCE_INLINE mpx__vu mpx__add64(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_u64(vaddq_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__sub64(mpx__vu a, mpx__vu b) {
    return vreinterpretq_u32_u64(vsubq_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
}
MPX__FORCE_INLINE mpx__vu mpx__sign64(mpx__vu a) {
    return vreinterpretq_u32_s64(vshrq_n_s64(vreinterpretq_s64_u32(a), 63));
}
#define MPX__HAS_TRUNCATE64 1
MPX__FORCE_INLINE mpx__vu mpx__truncate64(mpx__vu a) {
    return mpx__of_f64(vrndq_f64(mpx__as_f64(a)));
}
MPX__FORCE_INLINE mpx__vu mpx__fadd64(mpx__vu a, mpx__vu b) {
    mpx__vu sum;
    __asm__("fadd %0.2d, %1.2d, %2.2d" : "=w"(sum) : "w"(a), "w"(b));
    return sum;
}
MPX__FORCE_INLINE mpx__vu mpx__fmul64(mpx__vu a, mpx__vu b) {
    return mpx__of_f64(vmulq_f64(mpx__as_f64(a), mpx__as_f64(b)));
}
/* In assembly as above. */
MPX__FORCE_INLINE mpx__vu mpx__fdiv64(mpx__vu a, mpx__vu b) {
    mpx__vu q;
    __asm__("fdiv %0.2d, %1.2d, %2.2d" : "=w"(q) : "w"(a), "w"(b));
    return q;
}
/* Is there NaN in them? A maximum is NaN if one of two is; in assembly, as -ffast-math knows
   none. */
MPX__FORCE_INLINE mpx__vu mpx__max_or_nan(mpx__vu a, mpx__vu b) {
    mpx__vu larger;
    __asm__("fmax %0.4s, %1.4s, %2.4s" : "=w"(larger) : "w"(a), "w"(b));
    return larger;
}
#define MPX__HAS_NAN_IN_BLOCK 1
MPX__FORCE_INLINE int mpx__nan_in_block(const mpx__vu v[4]) {
    mpx__vu a = mpx__max_or_nan(mpx__max_or_nan(v[0], v[1]), mpx__max_or_nan(v[2], v[3])), number;
    __asm__("fcmeq %0.4s, %1.4s, %1.4s" : "=w"(number) : "w"(a));
    return vminvq_u32(number) == 0;
}

#endif /* MPX__HAS_FLOAT */
#endif /* MPX_ISA_NEON */
