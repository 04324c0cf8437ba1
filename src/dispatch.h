/*==================================================================*
 * MARK: dispatch - which engine casts
 *==================================================================*/

#if MPX_DISPATCH
#define MPX__HAS_FLOAT 1 /* all three have it */

/* The last three differ in products of bf16. */
enum { MPX__AVX512 = 3, MPX__AVX512_PAIRS, MPX__AVX512_UNIT };
static const mpx__engine *const mpx__engines[] = {
    &mpx__engine_here_sse2, &mpx__engine_here_avx2, &mpx__engine_here_avx512,
    &mpx__engine_here_avx512, &mpx__engine_here_avx512
};
static const char *const mpx__engine_names[] = { "sse2", "avx2", "avx512", "avx512bf16", "amx" };
/* The index of the chosen engine plus 1; 0: none is chosen yet. Threads may choose at the same
   time, since they write the same number. */
static unsigned char mpx__chosen;

/* How many engines this CPU can run under this operating system, which has to save the vector
   registers: XCR0 says which. Intel's manual, volume 1, sections 14.3 and 15.2 to 15.4. */
MPX__PRIVATE unsigned mpx__usable_engines(void) {
    const unsigned osxsave_f16c_fma = 1u << 27 | 1u << 29 | 1u << 12,
                   f_dq_bw_vl = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, ymm = 0x6, zmm = 0xe6;
#ifdef MPX__DISPATCH_PAIRS
    const unsigned amx_bf16_tile = 1u << 22 | 1u << 24, tiles = 0x60000, bf16 = 1u << 5,
                   amd = 0x68747541; /* the first letters of AuthenticAMD */
    int has_amx;
#endif
    unsigned eax, ebx, ecx, edx, kept;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 1;
    if ((ecx & osxsave_f16c_fma) != osxsave_f16c_fma) return 1;
    __asm__ __volatile__("xgetbv" : "=a"(kept), "=d"(edx) : "c"(0));
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return 1;
    if ((kept & ymm) != ymm || (ebx & 1u << 5) == 0) return 1;
    if ((kept & zmm) != zmm || (ebx & f_dq_bw_vl) != f_dq_bw_vl) return 2;
#ifdef MPX__DISPATCH_PAIRS
    has_amx = mpx__engines[MPX__AVX512_UNIT - 1]->unit != NULL && (kept & tiles) == tiles &&
              (edx & amx_bf16_tile) == amx_bf16_tile;
    if (__get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & bf16) != 0) {
        if (has_amx) return MPX__AVX512_UNIT;
        /* Intel's CPUs without AMX multiply f32 faster. */
        if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == amd) return MPX__AVX512_PAIRS;
    }
#endif
    return MPX__AVX512;
}
MPX__NOINLINE unsigned mpx__choose_engine(void) {
    const unsigned usable = mpx__usable_engines();
    __atomic_store_n(&mpx__chosen, (unsigned char)usable, __ATOMIC_RELAXED);
    return usable;
}
MPX__INLINE unsigned mpx__engine_number(void) {
    const unsigned chosen = __atomic_load_n(&mpx__chosen, __ATOMIC_RELAXED);
    return MPX__RARELY(chosen == 0) ? mpx__choose_engine() : chosen;
}
MPX__INLINE const mpx__engine *mpx__engine_now(void) {
    return mpx__engines[mpx__engine_number() - 1];
}
MPX_API mpx_status mpx_isa_set(const char *isa) {
    const unsigned usable = mpx__usable_engines();
    unsigned i = usable;
    if (isa != NULL) {
        const mpx__slice word = mpx__slice_of(isa, mpx__length(isa));
        while (i != 0 && !mpx__is_word(word, mpx__engine_names[i - 1], 0))
            i--;
    }
    if (i == 0) return MPX_ERR_ARGUMENT;
    __atomic_store_n(&mpx__chosen, (unsigned char)i, __ATOMIC_RELAXED);
    return MPX_OK;
}
#elif !MPX__COMPACT
MPX__INLINE const mpx__engine *mpx__engine_now(void) { return &mpx__engine_here; }
#endif
#if MPX_COMPUTE && !MPX__COMPACT
/* How bf16 is multiplied in pairs, and the unit for matrices; NULL: neither. */
MPX__INLINE const mpx__pairs *mpx__pairs_now(void) {
#if MPX_DISPATCH
    if (mpx__engine_number() < MPX__AVX512_PAIRS) return NULL;
#endif
    return mpx__engine_now()->pairs;
}
MPX__INLINE const mpx__unit *mpx__unit_now(void) {
#if MPX_DISPATCH
    if (mpx__engine_number() < MPX__AVX512_UNIT) return NULL;
#endif
    return mpx__engine_now()->unit;
}
#endif

/* MPX__ENGINE_FN: a function of the engine, or the only one. enter, leave: the floating-point
   environment that a call needs; what leave gets is what enter gave. */
#if MPX__COMPACT
#define MPX__ENGINE_FN(name) mpx__##name##_here
MPX__PRIVATE mpx__env mpx__enter(int env) { return (void)env, 0; }
MPX__PRIVATE void mpx__leave(mpx__env saved) { (void)saved; }
MPX_API const char *mpx_isa(void) { return "scalar"; }
#else
#define MPX__ENGINE_FN(name) mpx__engine_now()->name
MPX__PRIVATE mpx__env mpx__enter(int env) { return mpx__engine_now()->enter(env); }
MPX__PRIVATE void mpx__leave(mpx__env saved) {
    if (MPX__LEAVES_UPPER || saved != 0) mpx__engine_now()->leave(saved);
}
MPX_API const char *mpx_isa(void) { return mpx__engine_now()->isa; }
#endif
