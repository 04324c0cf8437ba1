/*==================================================================*
 * MARK: engine - how kernels are called, and the interface to all of them
 *   Every operation has the same data flow: load a block of elements of one dtype, work on its
 *   lanes, store a block of another dtype. The rooms from simd_... to kernels are compiled for one
 *   instruction set. The rooms after them call these kernels only through an mpx__engine.
 *==================================================================*/

/* The arguments of one kernel, or of several that run one after the other. */
typedef struct mpx__job {
    const mpx__row *to, *from; /* the formats, which the exact codec uses too */
    mpx__rounding rounding;
    int stream; /* store past the caches: the target begins at a multiple of 64 bytes */
    int scales;
    /* Random bits: the keys of the seed, and the index of the first element. */
    uint32_t key0, key1;
    uint64_t index;
    /* Scaling, if `scales` is 1. by: the f32 bits of the factor or divisor. shift: what it adds to
       exponents if it is a power of two. not_finite: becomes 1 if a result is Inf or NaN. */
    uint32_t by;
    int divide, power_of_two, not_finite;
    int32_t shift;
    size_t *left; /* see mpx__run_left; NULL before it runs */
} mpx__job;

/* For a cast to nearest. A kernel uses no other member of a job, a plan `index` too. */
MPX__INLINE void mpx__job_cast(mpx__job *job, const mpx__row *to, const mpx__row *from) {
    job->to = to;
    job->from = from;
    job->rounding.mode = MPX_ROUND_NEAREST;
    job->rounding.saturate = job->stream = job->scales = 0;
    job->left = NULL;
}

/* n is a multiple of the engine's block. d may be s if the target is no wider. */
typedef void (*mpx__kernel_fn)(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job);

/* The floating-point environment that a kernel needs. MODES: to nearest, subnormals kept. PLAIN:
   the same where instructions name no rounding, as AVX-512's do in casts. ALL: no traps either, and
   the caller's flags come back. */
enum { MPX__ENV_ANY, MPX__ENV_MODES, MPX__ENV_ALL, MPX__ENV_PLAIN };
typedef struct mpx__kernel {
    mpx__kernel_fn run; /* NULL: there is none */
    int env;
} mpx__kernel;
MPX__INLINE mpx__kernel mpx__kernel_of(mpx__kernel_fn run, int env) {
    mpx__kernel kernel;
    kernel.run = run;
    kernel.env = env;
    return kernel;
}

/* A pair of forms, for switches over them. */
#define MPX__PAIR(to, from) ((int)(to) * 32 + (int)(from))

/* Sums of every sixteenth square, see reducing.h, as bits of f64. */
enum { MPX__SUMS = 16 };
typedef void (*mpx__squares_fn)(uint64_t sums[MPX__SUMS], const unsigned char *s, size_t n);

/* d += s, element by element; n is a multiple of 16. */
typedef void (*mpx__add_fn)(unsigned char *d, const unsigned char *s, size_t n);
/* Normalised integers of `bits` bits, and f32 bits: see norms.h. */
typedef void (*mpx__norms_fn)(unsigned char *x, size_t n, int bits, int is_signed, int unpack);

#if !MPX_NO_QUANT
/* ---- quantization, see blocks.h -------------------------------- */

/* Codes of e2m1 as twice their values, without -0: bytes with a sign. */
#define MPX__TWICE_E2M1 { 0, 1, 2, 3, 4, 6, 8, 12, 0, 255, 254, 253, 252, 250, 248, 244 }

/* The operations on a and b. DIVIDE_CODES: a are integers below 2^9, and b are from 2^-60 to 2^60.
   Those from LARGER on give the larger of b and of a number made of a: its magnitude; its key, see
   blocks.h (_KEY), or that key with all bits inverted (_NOT_KEY); its magnitude if a is above 0
   (_ABOVE) or below (_BELOW), else 0. The last two are for blocks alone. */
enum { MPX__MULTIPLY, MPX__DIVIDE, MPX__DIVIDE_CODES, MPX__ADD,
       MPX__LARGER, MPX__LARGER_KEY, MPX__LARGER_NOT_KEY,
       MPX__LARGER_ABOVE, MPX__LARGER_BELOW };
/* How codes are rounded: ties to even, ties away from zero, or cut off. */
enum { MPX__TO_EVEN, MPX__AWAY, MPX__CUT };
typedef struct mpx__coder {
    int how;
    int32_t low, high;
    uint32_t mask; /* the bits of a code */
    uint32_t plus; /* CUT: f32 bits of what is added first */
} mpx__coder;
typedef void (*mpx__arith_fn)(unsigned char *d, const unsigned char *a, const unsigned char *b,
                              size_t n, size_t block, int op);
typedef void (*mpx__largest_fn)(unsigned char *d, const unsigned char *s, size_t n, size_t block,
                                int op);
typedef void (*mpx__codes_fn)(unsigned char *d, const unsigned char *s, const unsigned char *by,
                              const unsigned char *zero, size_t n, size_t block,
                              const mpx__coder *k);
/* d: codes * by[g] + plus[g], each step rounded, of `groups` groups of `group` codes, 16 or 32, which
   are signed bytes; step: bytes from one group to the next. plus: NULL, nothing is added, or of
   groups of 32. */
typedef void (*mpx__values_fn)(unsigned char *d, const unsigned char *codes, size_t step,
                               const unsigned char *by, const unsigned char *plus, size_t groups,
                               size_t group);
typedef void (*mpx__smalls_fn)(unsigned char *d, const unsigned char *s, const unsigned char *by,
                               size_t n, size_t block, mpx__job *job);
#endif

/* The caller's floating-point environment, saved. */
typedef uint64_t mpx__env;

typedef struct mpx__engine {
    const char *isa;
    size_t block; /* elements: a power of two, 8 or more */
    mpx__kernel (*find_kernel)(int to, int from); /* from one form to another, if there is one */
    mpx__kernel (*find_scaling)(int to, int from, const mpx__job *job);
    mpx__kernel_fn round_tile, f32_to_bf16_at_random; /* NULL: there is none */
    /* n bytes, and zeros up to `all`, which is more; d has room for whole vectors. */
    void (*first_bytes)(unsigned char *d, const unsigned char *s, size_t n, size_t all);
    uint32_t (*largest16)(const void *src, size_t n);
    uint32_t (*largest32)(const void *src, size_t n);
    uint32_t (*largest_upper32)(const void *src, size_t n);
    mpx__squares_fn squares_of_f32, squares_of_f64;
    mpx__add_fn add_f32, add_f64; /* these four: NULL without float instructions */
#if MPX__HAS_PACKED
    /* Codes below a byte: from packed to one in a byte, and back. They return how many codes they
       have done, a multiple of eight. */
    size_t (*unpack)(unsigned char *codes, const unsigned char *s, unsigned bits, size_t n);
    size_t (*pack)(unsigned char *d, const unsigned char *codes, unsigned bits, size_t n);
#endif
    mpx__norms_fn norms; /* NULL where no vertices are */
#if !MPX_NO_QUANT
    mpx__arith_fn arith;
    mpx__largest_fn largest;
    mpx__codes_fn codes;
    mpx__values_fn values;
    mpx__smalls_fn smalls; /* NULL without float instructions */
#endif
#if MPX_COMPUTE
    mpx__dots_fn (*find_dots)(int form, int scaled); /* NULL: there is none */
    void (*x_to_words)(unsigned char *d, const unsigned char *x, size_t n, float by,
                       const mpx__unblock *how); /* how: or NULL */
    mpx__find_unblock_fn find_unblock;
    /* n scales of e8m0 to f32; how NULL: of f32, by which codes are divided, to their inverses.
       This and the two before: NULL without float lanes. */
    void (*unblock_scales)(unsigned char *d, const unsigned char *s, size_t n,
                           const mpx__unblock *how);
    mpx__tile_fn tile;
    mpx__panels_fn panels;
    size_t tile_columns, tile_rows;
    const mpx__pairs *pairs; /* NULL: bf16 is not multiplied in pairs */
    const mpx__unit *unit; /* NULL: there is none */
    mpx__turn_fn turn; /* NULL: there is none, nor a unit */
    mpx__descent_fn step;
    const mpx__row_kernels *rows;
#endif
    int (*serves)(int env); /* 1: the caller's environment is what MODES or ALL asks for */
    mpx__env (*enter)(int env); /* 0: nothing has to be undone */
    void (*leave)(mpx__env saved); /* see mpx__leave */
    void (*fence)(void); /* after stores past the caches */
} mpx__engine;
