/*==================================================================*
 * MARK: compute_seam - what the engine does for compute
 *   Types of the loops for MPX_COMPUTE that are compiled for each instruction set.
 *==================================================================*/
#if MPX_COMPUTE

/* Is bf16 multiplied in pairs, if an instruction can? On Intel's cores of 2023 that takes four times
   as long as one for f32, unless they have AMX. __znver3__: what gcc 12 takes a Zen 5 for. */
#if !defined(MPX_BF16_DOTS) && !MPX_DISPATCH && \
    !defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && !defined(__AMX_BF16__) && \
    !defined(__znver3__) && !defined(__znver4__) && !defined(__znver5__)
#define MPX_BF16_DOTS 0
#elif !defined(MPX_BF16_DOTS) || 0 - MPX_BF16_DOTS - 1 == 1
#undef MPX_BF16_DOTS
#define MPX_BF16_DOTS 1
#endif
/* With MPX_DISPATCH, what needs more than AVX-512; dispatch.h knows where it pays. */
#if MPX_DISPATCH && MPX_BF16_DOTS && MPX__HAS_BF16 && \
    (__GNUC__ >= 12 || (defined(__clang__) && __clang_major__ >= 12))
#define MPX__DISPATCH_PAIRS 1
#define MPX__NOINLINE_PAIRS \
    static __attribute__((noinline, unused, \
                          target(MPX__AVX512_NAMES ",avx512bf16,amx-tile,amx-bf16")))
#else
#define MPX__NOINLINE_PAIRS MPX__NOINLINE
#endif

/* ---- products of matrices, see dots.h -------------------------- */

/* n elements of x: f32, or for weights of i8 integers of 16 bits, times step. */
typedef struct mpx__dot_x {
    const unsigned char *x;
    size_t n; /* of f32 a multiple of the engine's block; of integers at most MPX__STRIP */
    float step;
} mpx__dot_x;
enum { MPX__STRIP = 1536, MPX__PARTS = 3 };
/* y[r] += the sum of w[r][i] * x[i]. x has `parts` parts, of f32 one. scales: NULL, or for each row
   the f32 scales of every 2^shift weights: at least a block, of i8 at least 32, of NVFP4 16.
   Steps: bytes from row to row. */
typedef struct mpx__unblock mpx__unblock;
typedef struct mpx__dots {
    const unsigned char *w, *scales;
    const mpx__dot_x *part;
    size_t parts;
    float *y;
    size_t w_step, scales_step, rows;
    size_t ahead; /* what is prefetched is so many bytes after what is read */
    const unsigned char *later; /* and the scales of a later row */
    size_t later_size, later_step;
    const mpx__row *row; /* the format of w */
    int shift;
    /* Blocks of 32 codes: n is a multiple of 32; bytes from block to block, and from scale to
       scale. zeros: zero points, a byte for each f32 scale. */
    const mpx__unblock *how;
    const unsigned char *zeros;
    size_t code_step, scale_step, zero_step, zeros_step;
} mpx__dots;
typedef void (*mpx__dots_fn)(const mpx__dots *a);

/* Blocks of 32 codes with a scale. bits: of a code; halved: e8m0 scales stand for half their value;
   has_nan: one of them for NaN. zero: with zero points, of which `sign` is the sign bit, or 0. table:
   the values of codes of 4 bits. run: NULL, or the kernel that multiplies them by x in 16 bits. */
struct mpx__unblock {
    mpx__dots_fn run;
    uint8_t scheme, bits, type; /* type 0: any of so many bits */
    uint8_t halved, has_nan, zero, sign, table[16];
};
enum { MPX__UNBLOCK = 480 }; /* scales at a time: of ten rows of a strip, or of NVFP4 five */
typedef const mpx__unblock *(*mpx__find_unblock_fn)(int scheme, const mpx__row *element, int zero);
/* A tile of a matrix product, see tile_kernels.h: c = a * b, or c += a * b unless it is the first.
   Bytes: a_row from row to row, a_step from column to column, c_row. b: k rows of a panel. */
typedef struct mpx__tile {
    const unsigned char *a, *b;
    unsigned char *c;
    size_t a_row, a_step, c_row, k;
    int first;
} mpx__tile;
typedef void (*mpx__tile_fn)(const mpx__tile *t);
/* A row of n words, a whole number of panels, becomes a row of panels `step` bytes apart. */
typedef void (*mpx__panels_fn)(unsigned char *d, size_t step, const unsigned char *s, size_t n);
/* The same for bf16: a word of a and b is a pair of elements along k. join: turns two rows into n
   pairs, but reads and writes a whole number of panels, which are `step` bytes apart in d. */
typedef struct mpx__pairs {
    mpx__tile_fn tile;
    void (*join)(unsigned char *d, size_t step, const unsigned char *s, const unsigned char *s2,
                 size_t n);
} mpx__pairs;
/* A unit for matrices, see tile_amx.h: a tile of so many rows, all along k. is_given: may this
   process use it? A thread begins and ends what it does with tiles. */
typedef struct mpx__unit {
    mpx__tile_fn tile;
    size_t rows;
    int (*is_given)(void);
    void (*begin)(void);
    void (*end)(void);
} mpx__unit;
/* The n columns of four rows, which are MPX__TURN_ROW bytes apart, become 16 bytes of n rows of d,
   `step` bytes apart. Reads and writes a whole number of 16 columns. */
typedef void (*mpx__turn_fn)(unsigned char *d, size_t step, const unsigned char *s, size_t n);
enum { MPX__TURN_ROW = 512 };

/* ---- functions of rows, see row_kernels.h ---------------------- */

/* All arrays are f32; n is a multiple of 16. */
typedef struct mpx__row_kernels {
    size_t most; /* elements of a sum, lest more of them lose digits: four terms in each lane */
    /* dy: NULL, or d is dy times the derivative. */
    void (*activate)(unsigned char *d, const unsigned char *dy, const unsigned char *s, size_t n,
                     int activation);
    float (*largest)(const unsigned char *s, size_t n); /* NaN: any number */
    /* d = e^(s - from), unless it is NULL, and its sum; s <= from. The sum of s - from, or of its
       squares if `square`. */
    float (*exp_sum)(unsigned char *d, const unsigned char *s, size_t n, float from);
    float (*sum)(const unsigned char *s, size_t n, float from, int square);
    /* d = (s - from) * by + plus, times the weight and plus the bias, which may be NULL. */
    void (*affine)(unsigned char *d, const unsigned char *s, size_t n, float from, float by,
                   float plus, const unsigned char *weight, const unsigned char *bias);
    /* With g = dy, times the weight, which may be NULL: the sum of g and that of g * (s - from). */
    void (*grad_sums)(float sums[2], const unsigned char *dy, const unsigned char *weight,
                      const unsigned char *s, size_t n, float from);
    /* d = g * k[1] + (s - k[0]) * k[2] + k[3]. */
    void (*grad)(unsigned char *d, const unsigned char *dy, const unsigned char *weight,
                 const unsigned char *s, size_t n, const float k[4]);
    /* Points (s[0], s[1]) by angles whose cosines and sines are turn; sign: 1 or -1. s[1] NULL:
       both are in s[0] and d[0], in turn. */
    void (*rotate)(unsigned char *const d[2], const unsigned char *const s[2],
                   const unsigned char *const turn[2], size_t n, float sign);
} mpx__row_kernels;

/* ---- a step of an optimizer, see step_kernels.h ---------------- */

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

#endif /* MPX_COMPUTE */
