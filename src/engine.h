/*==========================================================================*
 * MARK: engine - how kernels are called, and the interface to all of them   *
 *   Every operation has the same data flow: load a block of a dtype, work   *
 *   on its lanes, store a block of a dtype. The rooms from simd_... to      *
 *   kernels are compiled for one instruction set. The rooms after them see  *
 *   it through an mpx__engine only.                                         *
 *==========================================================================*/

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
} mpx__job;

/* For a cast to nearest, which uses no other member of a job. */
MPX__INLINE void mpx__job_cast(mpx__job *job, const mpx__row *to, const mpx__row *from) {
    job->to = to;
    job->from = from;
    job->rounding.mode = MPX_ROUND_NEAREST;
    job->rounding.saturate = job->stream = job->scales = 0;
}

/* n is a multiple of the engine's block. d may be s if the target is no wider. */
typedef void (*mpx__kernel_fn)(unsigned char *d, const unsigned char *s, size_t n, mpx__job *job);

/* The floating-point environment that a kernel needs. ANY: it does not matter. MODES: rounding to
   nearest, subnormals kept. ALL: also no traps, and the caller's flags are restored afterwards. */
enum { MPX__ENV_ANY, MPX__ENV_MODES, MPX__ENV_ALL };
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
/* Normalised integers of `bits` bits and f32 bits, in lanes, see norms.h. */
typedef void (*mpx__norms_fn)(unsigned char *x, size_t n, int bits, int is_signed);

#if !MPX_NO_QUANT
/* ---- quantization, see blocks.h -------------------------------------------------------------- */

/* Codes of e2m1 as twice their values, without -0: bytes with a sign. */
#define MPX__TWICE_E2M1 { 0, 1, 2, 3, 4, 6, 8, 12, 0, 255, 254, 253, 252, 250, 248, 244 }

/* The operations on a and b. LARGER: the larger of b and what is compared of a: its magnitude, its
   place in the order of floats, or the place less all. */
enum { MPX__MULTIPLY, MPX__DIVIDE, MPX__ADD, MPX__LARGER, MPX__LARGER_KEY, MPX__LARGER_NOT_KEY };
/* How codes are rounded: ties to even, ties away from zero, or cut off. */
enum { MPX__TO_EVEN, MPX__AWAY, MPX__CUT };
typedef struct mpx__coder {
    int how;
    int32_t low, high;
    uint32_t mask; /* the bits of a code */
} mpx__coder;
typedef void (*mpx__arith_fn)(unsigned char *d, const unsigned char *a, const unsigned char *b,
                              size_t n, size_t block, int op);
typedef void (*mpx__largest_fn)(unsigned char *d, const unsigned char *s, size_t n, size_t block,
                                int op);
typedef void (*mpx__codes_fn)(unsigned char *d, const unsigned char *s, const unsigned char *by,
                              const unsigned char *zero, size_t n, size_t block,
                              const mpx__coder *k);

typedef void (*mpx__smalls_fn)(unsigned char *d, const unsigned char *s, const unsigned char *by,
                               size_t n, size_t block, mpx__job *job);
#endif

#if MPX_COMPUTE
/* ---- products of matrices, see dots.h -------------------------------------------------------- */

/* y[r] += the sum of w[r][i] * x[i]. x is f32; n is a multiple of the engine's block. scales: NULL,
   or for each row the f32 scales of every 2^shift weights, which are a block or more; of i8, 32 or
   more. Steps: bytes from row to row. */
typedef struct mpx__dots {
    const unsigned char *w, *scales, *x;
    float *y;
    size_t w_step, scales_step, rows, n;
    const mpx__row *row; /* the format of w */
    int shift;
    float x_step; /* weights of i8: x has integers of 16 bits instead, times x_step; n <= 1536 */
} mpx__dots;
typedef void (*mpx__dots_fn)(const mpx__dots *a);

/* How blocks of 32 codes become codes of 8 bits and f32 scales. bits: of a code; in_halves: byte j
   of a block has elements j and j + 16; a scale is an f16, or an e8m0, halved, maybe NaN. table: the
   values of codes of 4 bits. */
typedef struct mpx__unblock {
    uint8_t scheme, bits, in_halves, has_f16, halved, has_nan, table[16];
} mpx__unblock;
enum { MPX__UNBLOCK = 48 }; /* blocks at a time */
typedef const mpx__unblock *(*mpx__find_unblock_fn)(int scheme, int bits);
typedef void (*mpx__unblock_fn)(unsigned char *d, const unsigned char *s, size_t step, size_t n,
                                const mpx__unblock *how);
/* A tile of a matrix product, see tile_kernels.h: c = a * b, or c += a * b unless it is the first.
   Bytes: a_row from row to row, a_step from column to column, c_row. b: k rows of a panel. */
typedef struct mpx__tile {
    const unsigned char *a, *b;
    unsigned char *c;
    size_t a_row, a_step, c_row, k;
    int first;
} mpx__tile;
enum { MPX__TILE_ROWS = 6 };
typedef void (*mpx__tile_fn)(const mpx__tile *t);

/* ---- functions of rows, see row_kernels.h ---------------------------------------------------- */

/* All arrays are f32; n is a multiple of 16. */
typedef struct mpx__row_kernels {
    void (*activate)(unsigned char *d, const unsigned char *s, size_t n, int activation);
    float (*largest)(const unsigned char *s, size_t n); /* NaN: any number */
    /* d = e^(s - from), and its sum; the sum of s - from, of its squares; a square is 1. */
    float (*exp_sum)(unsigned char *d, const unsigned char *s, size_t n, float from);
    float (*sum)(const unsigned char *s, size_t n, float from, int square);
    /* d = (s - from) * by, times the weight and plus the bias, which may be NULL. */
    void (*affine)(unsigned char *d, const unsigned char *s, size_t n, float from, float by,
                   const unsigned char *weight, const unsigned char *bias);
} mpx__row_kernels;

/* ---- a step of an optimizer, see step_kernels.h ---------------------------------------------- */

/* Of n elements, a multiple of the engine's block: p, m and v are changed; all are f32. Adam:
     g = (g times or divided by scale) * clip + decay * p
     m = beta1 * m + rest1 * g
     v = beta2 * v + rest2 * g * g
     p = keep * p + size * m / (root * sqrt(v) + eps)
   SGD, with rest1 1 and keep 1:
     p = p + size * (beta2 * m + rest2 * g) */
typedef struct mpx__descent {
    unsigned char *p, *m, *v;
    const unsigned char *g;
    size_t n;
    int is_sgd, divide; /* m: NULL for SGD without momentum */
    /* What is read or written next: elements of 4, 2 or 1 bytes, which is 4 >> shift. */
    const unsigned char *next[2];
    int shift[2];
    float scale, clip, decay, keep, beta1, rest1, beta2, rest2, root, eps, size;
} mpx__descent;
typedef void (*mpx__descent_fn)(const mpx__descent *a);
#endif

/* The caller's floating-point environment, saved. */
typedef uint64_t mpx__env;

typedef struct mpx__engine {
    const char *isa;
    size_t block; /* elements, a multiple of 8 */
    mpx__kernel (*find_kernel)(int to, int from); /* from one form to another, if there is one */
    mpx__kernel (*find_scaling)(int to, int from, const mpx__job *job);
    mpx__kernel_fn round_tile, f32_to_bf16_at_random; /* NULL: there is none */
    uint32_t (*largest16)(const void *src, size_t n);
    uint32_t (*largest32)(const void *src, size_t n);
    uint32_t (*largest_upper32)(const void *src, size_t n);
    mpx__squares_fn squares_of_f32, squares_of_f64;
    mpx__add_fn add_f32, add_f64; /* these four: NULL without float instructions */
    /* Codes below a byte: from packed to one in a byte, and back. They return how many codes they
       have done, a multiple of eight. */
    size_t (*unpack)(unsigned char *codes, const unsigned char *s, unsigned bits, size_t n);
    size_t (*pack)(unsigned char *d, const unsigned char *codes, unsigned bits, size_t n);
    mpx__norms_fn to_norms, from_norms; /* NULL where no vertices are */
#if !MPX_NO_QUANT
    mpx__arith_fn arith;
    mpx__largest_fn largest;
    mpx__codes_fn codes;
    mpx__smalls_fn smalls; /* NULL without float instructions */
#endif
#if MPX_COMPUTE
    mpx__dots_fn (*find_dots)(int form, int scaled); /* NULL: there is none */
    void (*x_to_words)(unsigned char *d, const unsigned char *x, size_t n, float by);
    mpx__find_unblock_fn find_unblock;
    mpx__unblock_fn unblock_scales, unblock_codes; /* these four: NULL without float lanes */
    mpx__tile_fn tile;
    size_t tile_columns;
    mpx__descent_fn step;
    const mpx__row_kernels *rows;
#endif
    int (*serves)(int env); /* 1: the caller's environment is what MODES or ALL asks for */
    mpx__env (*enter)(int env); /* 0: nothing has to be undone */
    void (*leave)(mpx__env saved); /* not if enter returned 0 */
    void (*fence)(void); /* after stores past the caches */
} mpx__engine;
