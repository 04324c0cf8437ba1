/*==========================================================================*
 * MARK: types - dtypes, statuses, policies, trees, loss scales              *
 *   Zero is the default: {0} of every struct here is valid and means what   *
 *   its comment says ({} in C++). Enumerators are appended, never           *
 *   renumbered. Their types are int, so that {0} is valid in C++ too.       *
 *==========================================================================*/

/* Element types. The name of a constant is MPX_ + the short name in capitals; the number is not
   stable on disk: store the name (mpx_dtype_name). A dtype below a byte is packed, element 0 in the
   lowest bits. */
typedef int mpx_dtype;
enum {
    MPX_NONE = 0,        /* not set: leave alone */
    MPX_F64,             /* IEEE 754 binary64 */
    MPX_F32,             /* IEEE 754 binary32 */
    MPX_F16,             /* IEEE 754 binary16; stored as uint16_t */
    MPX_BF16,            /* the upper half of a binary32; stored as uint16_t */
    MPX_F8E4M3FN,        /* OCP "E4M3": max 448, no Inf, NaN at 7f and ff; stored as uint8_t */
    MPX_F8E5M2,          /* OCP "E5M2": IEEE-like, has Inf */
    MPX_F8E4M3FNUZ,      /* fnuz: no Inf, no -0, the one NaN at 80 */
    MPX_F8E5M2FNUZ,
    MPX_F8E4M3B11FNUZ,   /* exponent bias 11 */
    MPX_F8E4M3,          /* IEEE-like: max 240, has Inf; not the OCP one */
    MPX_F8E3M4,          /* IEEE-like: max 15.5 */
    MPX_F8E8M0FNU,       /* powers of two 2^-127..2^127, NaN at ff; no zero, no sign */
    MPX_F6E2M3FN,        /* six and four bits: finite values only, packed */
    MPX_F6E3M2FN,
    MPX_F4E2M1FN,
    MPX_BOOL,            /* a byte, 0 or 1; any other byte reads as 1 */
    MPX_I2, MPX_U2, MPX_I4, MPX_U4,   /* two's complement and unsigned, packed */
    MPX_I8, MPX_U8, MPX_I16, MPX_U16, MPX_I32, MPX_U32, MPX_I64, MPX_U64,
    MPX_C64, MPX_C128,   /* pairs of f32 and f64; carried along, never cast */
    MPX_DTYPE_COUNT
};

/* Kinds of dtypes, as mpx_dtype_info reports them. */
enum {
    MPX_KIND_NONE = 0, MPX_KIND_FLOAT, MPX_KIND_BOOL, MPX_KIND_INT, MPX_KIND_UINT, MPX_KIND_COMPLEX
};

/* What every function that can fail returns; mpx_status_string names each. */
typedef int mpx_status;
enum {
    MPX_OK = 0,
    MPX_ERR_ARGUMENT = -1,       /* NULL where data is needed, or a value out of its range */
    MPX_ERR_DTYPE = -2,          /* unknown or ambiguous dtype word, or an unusable dtype */
    MPX_ERR_KEY = -3,            /* unknown key in key=value */
    MPX_ERR_MISSING_EQUALS = -4, /* a part of a policy without '=' */
    MPX_ERR_EXTRA_EQUALS = -5,   /* a part of a policy with more than one '=' */
    MPX_ERR_EMPTY = -6,          /* no text at all */
    MPX_ERR_SYNTAX = -7,         /* the printed form <...> is not closed, or text follows it */
    MPX_ERR_SPACE = -8,          /* storage too small, a path too long, a size beyond size_t */
    MPX_ERR_STRUCTURE = -9,      /* two trees differ in leaves, paths or counts */
    MPX_ERR_NOT_FLOATING = -10,  /* a leaf that is not floating */
    MPX_ERR_FIXED_DTYPE = -11,   /* in-place cast of a leaf whose dtype the walker cannot change */
    MPX_ERR_DEPTH = -12,         /* nodes nested deeper than MPX_TREE_DEPTH */
    MPX_ERR_CALLBACK = -13,      /* for walkers of your own: "my callback failed" */
    MPX_ERR_STATE = -14          /* bytes that are not a saved state */
};

/* Room for every sentence of mpx_error_format and mpx_tree_error_format, and for every policy that
   mpx_policy_format_with prints, NUL included. */
#define MPX_ERROR_TEXT_SIZE 512
#define MPX_POLICY_TEXT_SIZE 96

/* Where a text was wrong: the offending word is text[offset .. offset + length). No text inside:
   pass the text to mpx_error_format for the sentence. {0}: no error. */
typedef struct mpx_error {
    mpx_status status;
    size_t offset, length; /* bytes */
} mpx_error;

/* Facts about a dtype. Float limits are exact in double. Source: IEEE 754-2019 3.6, OCP OFP8 1.0,
   OCP MX 1.0. */
typedef struct mpx_dtype_facts {
    const char *name, *short_name; /* "bfloat16", "bf16" */
    int kind;                      /* MPX_KIND_... */
    int bits;                      /* per element, 2 to 128 */
    int exponent_bits, mantissa_bits, bias; /* floats; mantissa without the hidden bit */
    int has_inf, has_nan, has_negative_zero;
    double max, min;               /* largest and most negative (e8m0: smallest) finite value */
    double smallest_normal, smallest_subnormal; /* e8m0 has no subnormals: both are its minimum */
    double epsilon;                /* distance from 1 to the next larger value */
    int64_t int_min;               /* integers */
    uint64_t int_max;
} mpx_dtype_facts;

/* Whose rules a text follows. ANY: all grammars together, lenient in blanks and case; the others:
   that system exactly (differences: SEMANTICS in the README). */
typedef int mpx_dialect;
enum {
    MPX_DIALECT_ANY = 0,
    MPX_DIALECT_EFORMER,     /* Policy.from_string */
    MPX_DIALECT_JMP,         /* get_policy, parse_dtype */
    MPX_DIALECT_KERAS,       /* plain and mixed_ names */
    MPX_DIALECT_AXON,        /* the printed form, Nx type names */
    MPX_DIALECT_EFORMER_PUT  /* the second name table of eformer: put_dtype */
};

/* {0}: all grammars, `half` is float16. */
typedef struct mpx_parse_options {
    mpx_dialect dialect;
    mpx_dtype half; /* what the word `half` means; MPX_NONE: MPX_F16 */
} mpx_parse_options;

/* Which precision the parameters, the compute and the outputs have. A role that is MPX_NONE is left
   alone. {0}: nothing is cast. */
typedef struct mpx_policy {
    mpx_dtype param, compute, output;
} mpx_policy;

/* A tree is anything that can hand out its leaves one by one: see mpx_tree below. */
#define MPX_TREE_DEPTH 16 /* nested nodes that the struct walker follows */
#define MPX_PATH_SIZE 128 /* bytes of a path that a walker builds, NUL included */

/* One array of the tree. path: "encoder/0/kernel"; NULL reads as "". data: count elements of dtype,
   NULL if count is 0. */
typedef struct mpx_leaf {
    const char *path;
    void *data;
    size_t count;
    mpx_dtype dtype;
} mpx_leaf;

/* A named piece of one block of memory, offset and count in elements: how trainers often hold their
   parameters. mpx_leaves_of_tensors makes leaves of them. */
typedef struct mpx_tensor {
    const char *name;
    size_t offset, count;
} mpx_tensor;

/* Where a walk stands. All zero before the first leaf; the rest is the walker's own to use. */
typedef struct mpx_cursor {
    size_t index[2 * (MPX_TREE_DEPTH + 1)];
    size_t depth;
    void *node;
    char path[MPX_PATH_SIZE];
} mpx_cursor;

typedef struct mpx_tree mpx_tree;

/* Write the next leaf and advance the cursor. Returns 1: a leaf; 0: the end; a negative mpx_status:
   the walk stops with it. A walk must give the same leaves every time: functions that write walk
   once to check and once to work. */
typedef int (*mpx_next_fn)(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree);
/* Note that the leaf just handed out now has this dtype (after a cast in place). Asked beforehand
   with the dtype the leaf already has. Returns MPX_OK, or MPX_ERR_FIXED_DTYPE if this leaf's dtype
   cannot change. */
typedef mpx_status (*mpx_retype_fn)(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree);

/* A tree by callback. {0} is the empty tree. The two walkers that ship: mpx_tree_of_leaves,
   mpx_tree_of_struct. */
struct mpx_tree {
    mpx_next_fn next;     /* NULL: no leaves */
    mpx_retype_fn retype; /* NULL: dtypes are fixed, casts in place are refused */
    void *user;           /* the walker's own */
    const void *layout;   /* the walker's own (the struct walker: its mpx_field[]) */
    size_t count;         /* the walker's own (length of user or layout) */
};

/* Which leaf was wrong. path is cut to fit. {0}: no error. mpx_tree_error_format makes the
   sentence. */
typedef struct mpx_tree_error {
    mpx_status status;
    size_t index;              /* of the leaf, from 0 */
    mpx_dtype found, expected; /* where dtypes are the matter */
    char path[MPX_PATH_SIZE];
} mpx_tree_error;

/* One member of a C struct, for mpx_tree_of_struct. Use the macros below; the fields are open to
   other generators. */
typedef struct mpx_field mpx_field;
struct mpx_field {
    const char *name;        /* the path segment */
    size_t offset;           /* of the member */
    size_t count;            /* elements; for nodes: structs */
    size_t count_offset;     /* MPX_FIELD_COUNTED: offset of a size_t member that holds the count */
    size_t dtype_offset;     /* MPX_FIELD_TYPED: offset of an mpx_dtype member */
    size_t stride;           /* nodes: bytes from one struct to the next */
    const mpx_field *fields; /* nodes: the members of the inner struct; NULL: a leaf */
    size_t field_count;
    mpx_dtype dtype;         /* leaves: of the elements */
    unsigned flags;          /* MPX_FIELD_... */
};
enum {
    MPX_FIELD_POINTER = 1, /* the member is a pointer to the data; NULL: no elements */
    MPX_FIELD_COUNTED = 2, /* the count is read from the struct */
    MPX_FIELD_TYPED = 4,   /* the dtype is read from the struct, and may be changed */
    MPX_FIELD_INDEXED = 8  /* node: the path gets the index: "layers/3/weight" */
};
/* float w[64]; or float b; ctype is the C type of one element */
#define MPX_LEAF(T, m, ctype, dtype) \
    { #m, offsetof(T, m), sizeof(((T *)0)->m) / sizeof(ctype), 0, 0, 0, NULL, 0, dtype, 0u }
/* float *w; of n elements */
#define MPX_LEAF_POINTER(T, m, n, dtype) \
    { #m, offsetof(T, m), n, 0, 0, 0, NULL, 0, dtype, (unsigned)MPX_FIELD_POINTER }
/* void *w; size_t n_member; mpx_dtype t_member: a leaf that can be cast in place */
#define MPX_LEAF_TYPED(T, m, n_member, t_member) \
    { #m, offsetof(T, m), 0, offsetof(T, n_member), offsetof(T, t_member), 0, NULL, 0, MPX_NONE, \
      (unsigned)(MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_TYPED) }
/* struct layer encoder; described by layer_fields */
#define MPX_NODE(T, m, node_fields) \
    { #m, offsetof(T, m), 1, 0, 0, sizeof(((T *)0)->m), node_fields, \
      sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, 0u }
/* struct layer layers[4]; */
#define MPX_NODE_ARRAY(T, m, node_type, node_fields) \
    { #m, offsetof(T, m), sizeof(((T *)0)->m) / sizeof(node_type), 0, 0, sizeof(node_type), \
      node_fields, sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, (unsigned)MPX_FIELD_INDEXED }
/* struct layer *layers; size_t n_member; */
#define MPX_NODE_POINTER(T, m, n_member, node_type, node_fields) \
    { #m, offsetof(T, m), 0, offsetof(T, n_member), 0, sizeof(node_type), node_fields, \
      sizeof(node_fields) / sizeof(mpx_field), MPX_NONE, \
      (unsigned)(MPX_FIELD_POINTER | MPX_FIELD_COUNTED | MPX_FIELD_INDEXED) }

/* mpx_tree_of_struct(object, fields, how many there are) */
#define MPX_TREE_OF_STRUCT(object, object_fields) \
    mpx_tree_of_struct(object, object_fields, sizeof(object_fields) / sizeof(mpx_field))

/* Caller's storage for casts that make new leaves: bytes for the data, leaves for the new tree.
   Casts take from it and advance `used` and `leaves_used`; set both to 0 to start again. {0}: no
   storage. */
typedef struct mpx_arena {
    void *data; /* leaves begin at multiples of 16 bytes from here; any address works */
    size_t size, used;
    mpx_leaf *leaves;
    size_t leaf_capacity, leaves_used;
} mpx_arena;

/* What a tree holds, and what casting it would need. */
typedef struct mpx_tree_size {
    size_t leaves;
    size_t elements;
    size_t bytes;   /* of all data */
    size_t storage; /* bytes mpx_tree_cast_into takes from an arena: the leaves that change,
                       each rounded up to 16, and paths that the walker builds anew */
} mpx_tree_size;

/* The rule by which a loss scale moves. */
enum {
    MPX_LOSS_SCALE_NOOP = 0,
    MPX_LOSS_SCALE_STATIC,
    MPX_LOSS_SCALE_DYNAMIC, /* jmp, eformer, Axon: grow on the period-th finite step, never beyond
                               the finite floats; not below min_scale */
    MPX_LOSS_SCALE_JAXAMP,  /* jaxamp: grow on finite step period + 1, no floor, no cap */
    MPX_LOSS_SCALE_KERAS    /* Keras: as DYNAMIC without floor and without the check on growth */
};

/* The state of loss scaling: a value to copy, store and compare. {0} is NoOp and reads as scale
   1. */
typedef struct mpx_loss_scale {
    int kind;            /* MPX_LOSS_SCALE_... */
    float scale;         /* the loss is multiplied by it, the gradients are divided by it */
    int32_t counter;     /* finite steps since the scale last moved */
    int32_t period;      /* finite steps until it grows (jaxamp: patience) */
    float factor;        /* by which it grows and shrinks */
    float min_scale;     /* DYNAMIC does not shrink below it; 0: no floor */
    int32_t resets;      /* JAXAMP: non-finite steps so far */
    mpx_dialect dialect; /* MPX_DIALECT_JMP: unscale multiplies by the rounded reciprocal; else
                            it divides */
} mpx_loss_scale;
#define MPX_LOSS_SCALE_BYTES 40 /* of a saved state */
