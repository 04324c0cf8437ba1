/*==================================================================*
 * MARK: lanes - the loop, and blocks that need integer lanes alone
 *   A kernel loads a block of one dtype, works on its lanes and stores a block of another dtype.
 *   This room has the loop that all kernels share, and blocks of f32 and e8m0. Other floats and
 *   small integers are here where an instruction set has no float lanes. A word has 16 bits.
 *==================================================================*/
#if !MPX__COMPACT

/* Elements of a block: four vectors of 32-bit lanes. Bytes of a vector: the same number. */
enum { MPX__BLOCK = 4 * MPX__LANES, MPX__VECTOR = 4 * MPX__LANES };

MPX__FORCE_INLINE mpx__vu mpx__set16(int x) { return mpx__set((uint32_t)(x & 0xffff) * 0x10001u); }
MPX__FORCE_INLINE mpx__vu mpx__set8(int x) { return mpx__set((uint32_t)(x & 0xff) * 0x1010101u); }

/* n bytes, and zeros up to `all`, which is more; d has room for whole vectors. A vector that is
   loaded soon is stored as one: from smaller stores a processor takes it only when they have
   reached the cache. */
MPX__PRIVATE void mpx__first_bytes(unsigned char *d, const unsigned char *s, size_t n, size_t all) {
#ifdef MPX__OWN_LOAD_FIRST
    size_t i;
    for (i = 0; n - i >= MPX__VECTOR; i += MPX__VECTOR) {
        mpx__store32(d + i, mpx__load32(s + i));
        MPX__BARRIER(); /* else clang calls memcpy, and memset below */
    }
    mpx__store32(d + i, mpx__load_first(s + i, n - i));
    for (i += MPX__VECTOR; i < all; i += MPX__VECTOR) {
        mpx__store32(d + i, mpx__set(0));
        MPX__BARRIER();
    }
#else
    mpx__zero(d, all);
    mpx__copy(d, s, n);
#endif
}

/* ---- the loop -------------------------------------------------- */

/* A loader loads the block at s to four vectors. A storer writes a block at d, and may read the
   source at s itself. It writes nothing and returns 0 if the block needs the exact codec. k:
   constants of the call, NULL for kernels without any. */
typedef void (*mpx__load4_fn)(mpx__vu v[4], const unsigned char *s, const mpx__constants *k);
typedef int (*mpx__store4_fn)(unsigned char *d, const mpx__vu v[4], const unsigned char *s,
                              int stream, mpx__constants *k);
#define MPX__LOADER(name) \
    MPX__FORCE_INLINE void name(mpx__vu v[4], const unsigned char *s MPX__UNUSED, \
                                const mpx__constants *k MPX__UNUSED)
/* Each vector is `of` its own `bytes` of the source. */
#define MPX__LOADER_OF(name, of, bytes) \
    MPX__LOADER(name) { \
        v[0] = of(s); \
        v[1] = of(s + (bytes)); \
        v[2] = of(s + 2 * (bytes)); \
        v[3] = of(s + 3 * (bytes)); \
    }
/* What `load` loads, each vector changed by `of`. */
#define MPX__LOADER_THEN(name, load, of) \
    MPX__LOADER(name) { \
        load(v, s, k); \
        v[0] = of(v[0]); \
        v[1] = of(v[1]); \
        v[2] = of(v[2]); \
        v[3] = of(v[3]); \
    }
#define MPX__STORER(name) \
    MPX__FORCE_INLINE int name(unsigned char *d, const mpx__vu v[4] MPX__UNUSED, \
                               const unsigned char *s MPX__UNUSED, int stream MPX__UNUSED, \
                               mpx__constants *k MPX__UNUSED)
/* Each vector is stored by `put` to its own `bytes` of the target. */
#define MPX__STORER_OF(name, put, bytes) \
    MPX__STORER(name) { \
        put(d, v[0], stream); \
        put(d + (bytes), v[1], stream); \
        put(d + 2 * (bytes), v[2], stream); \
        put(d + 3 * (bytes), v[3], stream); \
        return 1; \
    }

/* Whether a code of a float dtype is Inf or NaN. */
MPX__INLINE int mpx__is_special_code(mpx__sig code, const mpx__row *row, mpx__sig largest) {
    const mpx__sig sign = (mpx__sig)1 << (row->bits - 1u);
    return mpx__family_of(row) == MPX__FNUZ ? code == sign : (code & (sign - 1u)) > largest;
}
/* A block that its storer refuses: Inf and NaN go to the exact codec, the rest, with zeros in their
   places, to the kernel. If that is not what the storer refuses, all goes to the exact codec. */
MPX__COLD MPX__NOINLINE void mpx__special_block(mpx__kernel_fn run, unsigned char *d,
                                                const unsigned char *s, mpx__job *job) {
    const mpx__row *from = job->from;
    const size_t to_size = mpx__code_bytes(job->to), from_size = mpx__code_bytes(from);
    const int stream = job->stream, is_float = from->kind == MPX_KIND_FLOAT;
    const mpx__sig largest = is_float ? mpx__largest_code(from) : 0;
    unsigned char in[MPX__BLOCK * 8], out[MPX__BLOCK * 8], special[MPX__BLOCK];
    size_t i, count = 0;
    mpx__copy(in, s, MPX__BLOCK * from_size);
    for (i = 0; is_float && i < MPX__BLOCK; i++) {
        special[count] = (unsigned char)i;
        if (!mpx__is_special_code(mpx__read_code(in + i * from_size, from->bits), from, largest))
            continue;
        mpx__zero(in + i * from_size, from_size);
        count++;
    }
    job->stream = 0;
    *job->left = 0;
    if (count != 0) run(out, in, MPX__BLOCK, job);
    job->stream = stream;
    if (count == 0 || *job->left != 0) {
        mpx__exact_cast(d, s, MPX__BLOCK, 0, job);
        return;
    }
    for (i = 0; i < count; i++)
        mpx__exact_cast(out + special[i] * to_size, s + special[i] * from_size, 1, 0, job);
    mpx__copy(d, out, MPX__BLOCK * to_size);
}
/* The last n elements of a kernel's array, from a block on that its storer refuses. The kernel runs
   again behind each such block, and then only says how many are left. */
MPX__COLD MPX__NOINLINE void mpx__run_left(unsigned char *d, const unsigned char *s, size_t n,
                                           mpx__job *job, mpx__kernel_fn run) {
    const size_t to_size = mpx__code_bytes(job->to), from_size = mpx__code_bytes(job->from);
    size_t left = n, done;
    if (job->left != NULL) {
        *job->left = n;
        return;
    }
    job->left = &left;
    while (left != 0) {
        done = n - left;
        mpx__special_block(run, d + done * to_size, s + done * from_size, job);
        done += MPX__BLOCK;
        left = 0;
        if (done != n) run(d + done * to_size, s + done * from_size, n - done, job);
    }
    job->left = NULL;
}

/* n is a multiple of MPX__BLOCK; steps in bytes. stream: stores go past the caches, and the source
   is fetched 8 KiB ahead. *d may be *s if a block of the target is no wider. Returns how many
   elements are left, of which the first block is refused: 0, as a rule. So the loop calls nothing,
   and a kernel needs no frame. */
MPX__FORCE_INLINE size_t mpx__loop(unsigned char **d, size_t d_step, const unsigned char **s,
                                   size_t s_step, size_t n, const mpx__job *job,
                                   mpx__load4_fn load, mpx__store4_fn store, mpx__constants *k) {
    const int stream = MPX__HAS_STREAM ? job->stream : 0;
    do {
        mpx__vu v[4];
        if (MPX__RARELY(stream)) mpx__fetch(*s, s_step);
        load(v, *s, k);
        if (MPX__RARELY(!store(*d, v, *s, stream, k))) break;
        *s += s_step;
        *d += d_step;
        n -= MPX__BLOCK;
    } while (n != 0);
    return n;
}
/* A kernel: the bits of an element of the target, and its storer; the bits of an element of the
   source, and its loader. */
#define MPX__KERNEL(name, d_bits, store, s_bits, load) \
    MPX__OF_PARTS void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        n = mpx__loop(&d, MPX__BLOCK * (d_bits) / 8, &s, MPX__BLOCK * (s_bits) / 8, n, job, load, \
                      store, NULL); \
        if (MPX__RARELY(n != 0)) mpx__run_left(d, s, n, job, name); \
    }
/* The same with constants, which `set` makes of the job. */
#define MPX__KERNEL_WITH(name, set, d_bits, store, s_bits, load) \
    MPX__OF_PARTS void name(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job) { \
        mpx__constants k; \
        set(&k, job); \
        n = mpx__loop(&d, MPX__BLOCK * (d_bits) / 8, &s, MPX__BLOCK * (s_bits) / 8, n, job, load, \
                      store, &k); \
        if (MPX__RARELY(n != 0)) mpx__run_left(d, s, n, job, name); \
    }

/* Store one, two or four vectors, past the caches or not. They return 1, as storers do. */
MPX__FORCE_INLINE int mpx__put1(unsigned char *d, mpx__vu a, int stream) {
    if (MPX__RARELY(stream))
        mpx__store_past(d, a);
    else
        mpx__store32(d, a);
    return 1;
}
MPX__FORCE_INLINE int mpx__put2(unsigned char *d, mpx__vu a, mpx__vu b, int stream) {
    if (MPX__RARELY(stream)) {
        mpx__store_past(d, a);
        mpx__store_past(d + MPX__VECTOR, b);
    } else {
        mpx__store32(d, a);
        mpx__store32(d + MPX__VECTOR, b);
    }
    return 1;
}
MPX__FORCE_INLINE int mpx__put4(unsigned char *d, const mpx__vu v[4], int stream) {
    if (MPX__RARELY(stream)) {
        mpx__store_past(d, v[0]);
        mpx__store_past(d + MPX__VECTOR, v[1]);
        mpx__store_past(d + 2 * MPX__VECTOR, v[2]);
        mpx__store_past(d + 3 * MPX__VECTOR, v[3]);
    } else {
        mpx__store32(d, v[0]);
        mpx__store32(d + MPX__VECTOR, v[1]);
        mpx__store32(d + 2 * MPX__VECTOR, v[2]);
        mpx__store32(d + 3 * MPX__VECTOR, v[3]);
    }
    return 1;
}

/* ---- lanes as they are: f32, and integers of 32 bits ----------- */

MPX__LOADER_OF(mpx__load4_32, mpx__load32, MPX__VECTOR)
MPX__STORER(mpx__store4_32) { return mpx__put4(d, v, stream); }

/* Words of 16 bits to the upper halves of lanes, with zeros below. */
MPX__FORCE_INLINE mpx__vu mpx__load_upper(const unsigned char *s) {
    return mpx__shl(mpx__load16(s), 16);
}

/* For storers that read the source themselves. */
MPX__LOADER(mpx__load4_nothing) { v[0] = v[1] = v[2] = v[3] = mpx__set(0); }

/* ---- e8m0: exponents alone ------------------------------------- */

/* Code 0 is 2^-127, a subnormal f32; 255 is NaN. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_e8m0(const unsigned char *s) {
    mpx__vu code = mpx__load8(s), least = mpx__eq(code, mpx__set(0)),
            u = mpx__select(least, mpx__set(0x400000u), mpx__shl(code, 23));
    return mpx__select(mpx__eq(code, mpx__set(255)), mpx__set(0x7fc00000u), u);
}
MPX__LOADER_OF(mpx__load4_e8m0, mpx__f32_of_e8m0, MPX__LANES)
MPX__KERNEL(mpx__e8m0_to_f32, 32, mpx__store4_32, 8, mpx__load4_e8m0)

/* A NaN made quiet; `otherwise` for lanes that are not NaN. */
MPX__FORCE_INLINE mpx__vu mpx__quiet_nan(mpx__vu u, mpx__vu otherwise) {
    mpx__vu nan = mpx__gt_signed(mpx__and(u, mpx__set(0x7fffffffu)), mpx__set(0x7f800000u));
    return mpx__select(nan, mpx__or(u, mpx__set(0x400000u)), otherwise);
}

/* ---- instruction sets without float lanes ---------------------- */
#if !MPX__HAS_FLOAT

/* The fields of a float of exp_bits and man_bits in the low bits of a lane, beside those of f32:

     code                         s eeee mmm        bias
     f32    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm      127

   Same order, so a magnitude (code without sign) is moved by shifting it left by 23 - man_bits and
   adding the difference of the biases to the exponent field. What this does not cover: subnormal
   codes, which are integers times 2^(1 - bias - man_bits), and the topmost codes. bias < 127. */
MPX__FORCE_INLINE mpx__vu mpx__decode_lanes(mpx__vu code, int exp_bits, int man_bits, int bias,
                                            int family) {
    const uint32_t all_ones = (1u << (exp_bits + man_bits)) - 1u,
                   inf = all_ones & ~((1u << man_bits) - 1u);
    const int drop = 23 - man_bits;
    mpx__vu a = mpx__and(code, mpx__set(all_ones)), sign, low, u, special = mpx__set(0x7fc00000u);
    sign = mpx__shl(mpx__shr(code, exp_bits + man_bits), 31);
    low = mpx__sub(mpx__f32_of_u24(a), mpx__set((uint32_t)(bias - 1 + man_bits) << 23));
    low = mpx__and(low, mpx__gt_signed(a, mpx__set(0)));
    u = mpx__add(mpx__shl(a, drop), mpx__set((uint32_t)(127 - bias) << 23));
    u = mpx__select(mpx__gt_signed(mpx__set(1u << man_bits), a), low, u);
    if (family == MPX__IEEE) {
        mpx__vu quiet = mpx__and(mpx__gt_signed(a, mpx__set(inf)), mpx__set(0x400000u));
        special = mpx__or(mpx__or(mpx__set(0x7f800000u), mpx__shl(a, drop)), quiet);
        u = mpx__select(mpx__gt_signed(mpx__set(inf), a), u, special);
    }
    if (family == MPX__FN) u = mpx__select(mpx__eq(a, mpx__set(all_ones)), special, u);
    if (family == MPX__FNUZ) {
        mpx__vu nan = mpx__eq(mpx__or(u, sign), mpx__set(0x80000000u));
        return mpx__or(mpx__or(u, sign), mpx__and(nan, special));
    }
    return mpx__or(u, sign);
}
MPX__FORCE_INLINE mpx__vu mpx__decode_row(mpx__vu code, const mpx__row *row) {
    code = mpx__and(code, mpx__set((1u << row->bits) - 1u));
    return mpx__decode_lanes(code, row->exponent_bits, row->mantissa_bits, row->bias, row->family);
}
/* Any float of eight bits and less, one code in a byte. */
MPX__LOADER(mpx__load4_f8) {
    v[0] = mpx__decode_row(mpx__load8(s), k->row);
    v[1] = mpx__decode_row(mpx__load8(s + MPX__LANES), k->row);
    v[2] = mpx__decode_row(mpx__load8(s + 2 * MPX__LANES), k->row);
    v[3] = mpx__decode_row(mpx__load8(s + 3 * MPX__LANES), k->row);
}
MPX__INLINE void mpx__from_row(mpx__constants *k, mpx__job *job) { k->row = job->from; }
MPX__KERNEL_WITH(mpx__f8_to_f32_by_lanes, mpx__from_row, 32, mpx__store4_32, 8, mpx__load4_f8)

MPX__FORCE_INLINE mpx__vu mpx__f32_of_bf16(const unsigned char *s) {
    mpx__vu u = mpx__load_upper(s);
    return mpx__quiet_nan(u, u);
}
MPX__LOADER_OF(mpx__load4_bf16, mpx__f32_of_bf16, 2 * MPX__LANES)
MPX__FORCE_INLINE void mpx__store_bf16(unsigned char *d, mpx__vu u, int stream MPX__UNUSED) {
    mpx__vu odd = mpx__and(mpx__shr(u, 16), mpx__set(1));
    mpx__vu rounded = mpx__add(u, mpx__add(odd, mpx__set(0x7fff)));
    mpx__store16(d, mpx__shr(mpx__quiet_nan(u, rounded), 16));
}
MPX__STORER_OF(mpx__store4_bf16, mpx__store_bf16, 2 * MPX__LANES)

MPX__FORCE_INLINE mpx__vu mpx__f32_of_f16(const unsigned char *s) {
    return mpx__decode_lanes(mpx__load16(s), 5, 10, 15, MPX__IEEE);
}
MPX__LOADER_OF(mpx__load4_f16, mpx__f32_of_f16, 2 * MPX__LANES)
/* Round m to nearest even while dropping n bits (1 to 25): add half an ulp, less one unless the
   lowest kept bit is odd, and cut. */
MPX__FORCE_INLINE mpx__vu mpx__round_shift(mpx__vu m, mpx__vu n) {
    mpx__vu odd = mpx__and(mpx__shrv(m, n), mpx__set(1));
    mpx__vu half_less_one = mpx__sub(mpx__shlv(mpx__set(1), mpx__sub(n, mpx__set(1))), mpx__set(1));
    return mpx__shrv(mpx__add(m, mpx__add(half_less_one, odd)), n);
}
/* Normal: the bias moved by 112, rounded by 13 bits; a carry out of the mantissa raises the
   exponent, as it should. Subnormal: the mantissa with its hidden bit loses one bit more for each
   exponent below 2^-14; from 25 on all of it lies below half a unit. */
MPX__FORCE_INLINE void mpx__store_f16(unsigned char *d, mpx__vu u, int stream MPX__UNUSED) {
    mpx__vu a = mpx__and(u, mpx__set(0x7fffffffu)), sign = mpx__shl(mpx__shr(u, 31), 15);
    mpx__vu hidden = mpx__or(mpx__and(a, mpx__set(0x7fffffu)), mpx__set(0x800000u));
    mpx__vu n = mpx__max(mpx__min(mpx__sub(mpx__set(126), mpx__shr(a, 23)), mpx__set(25)),
                         mpx__set(1));
    mpx__vu normal = mpx__round_shift(mpx__sub(a, mpx__set(112u << 23)), mpx__set(13));
    mpx__vu code = mpx__select(mpx__gt_signed(mpx__set(113u << 23), a), mpx__round_shift(hidden, n),
                               normal);
    mpx__vu payload = mpx__or(mpx__shr(mpx__and(a, mpx__set(0x7fffffu)), 13), mpx__set(0x7e00));
    code = mpx__select(mpx__gt_signed(a, mpx__set(0x7f800000u)), payload,
                       mpx__min(code, mpx__set(0x7c00)));
    mpx__store16(d, mpx__or(code, sign));
}
MPX__STORER_OF(mpx__store4_f16, mpx__store_f16, 2 * MPX__LANES)

/* Integers of 8 and 16 bits are exact in f32. */
MPX__FORCE_INLINE mpx__vu mpx__f32_of_signed(mpx__vu x, int bits) {
    mpx__vu top = mpx__set(1u << (bits - 1)), negative = mpx__gt_signed(x, mpx__sub(top, mpx__set(1)));
    mpx__vu extended = mpx__sub(mpx__xor(x, top), top);
    mpx__vu magnitude = mpx__sub(mpx__xor(extended, negative), negative);
    return mpx__or(mpx__f32_of_u24(magnitude), mpx__and(negative, mpx__set(0x80000000u)));
}
MPX__LOADER_OF(mpx__load4_u8_lanes, mpx__load8, MPX__LANES)
MPX__LOADER_OF(mpx__load4_u16_lanes, mpx__load16, 2 * MPX__LANES)
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i8(mpx__vu x) { return mpx__f32_of_signed(x, 8); }
MPX__FORCE_INLINE mpx__vu mpx__f32_of_i16(mpx__vu x) { return mpx__f32_of_signed(x, 16); }
MPX__LOADER_THEN(mpx__load4_i8, mpx__load4_u8_lanes, mpx__f32_of_i8)
MPX__LOADER_THEN(mpx__load4_u8, mpx__load4_u8_lanes, mpx__f32_of_u24)
MPX__LOADER_THEN(mpx__load4_i16, mpx__load4_u16_lanes, mpx__f32_of_i16)
MPX__LOADER_THEN(mpx__load4_u16, mpx__load4_u16_lanes, mpx__f32_of_u24)
MPX__KERNEL(mpx__bf16_to_f32, 32, mpx__store4_32, 16, mpx__load4_bf16)
MPX__KERNEL(mpx__f32_to_bf16, 16, mpx__store4_bf16, 32, mpx__load4_32)
MPX__KERNEL(mpx__f16_to_f32, 32, mpx__store4_32, 16, mpx__load4_f16)
MPX__KERNEL(mpx__f32_to_f16, 16, mpx__store4_f16, 32, mpx__load4_32)
MPX__KERNEL(mpx__i8_to_f32, 32, mpx__store4_32, 8, mpx__load4_i8)
MPX__KERNEL(mpx__u8_to_f32, 32, mpx__store4_32, 8, mpx__load4_u8)
MPX__KERNEL(mpx__i16_to_f32, 32, mpx__store4_32, 16, mpx__load4_i16)
MPX__KERNEL(mpx__u16_to_f32, 32, mpx__store4_32, 16, mpx__load4_u16)
#endif /* !MPX__HAS_FLOAT */

#endif /* !MPX__COMPACT */
