/* Promotion: every recorded row of tests/golden/promotion.tsv; then all pairs and all triples
   against a second set of rules, written as a table of cases instead of a lattice; order of
   operands, grouping, bad input. Rows that differ stand in tests/golden/differences_promotion.tsv
   with what the library does and why, and must still do that. With the argument --list: prints
   that file. */
#include "test.h"
#include "golden.h"

#define UNTOUCHED 77

/* ---- what was recorded ----------------------------------------------------------------------- */

#define NO_OPERAND 99 /* Keras' string */

/* One word of a golden row as an operand. Python's bool is bool, not a weak number. */
static mpx_dtype operand_of(const char *word, size_t len) {
    static const struct {
        const char *word;
        mpx_dtype type;
    } others[] = {
        { "py_int", MPX_WEAK_INT },         { "py_float", MPX_WEAK_FLOAT },
        { "py_complex", MPX_WEAK_COMPLEX }, { "py_bool", MPX_BOOL },
        { "none", MPX_NONE },               { "string", NO_OPERAND },
    };
    mpx_dtype t;
    size_t i;
    for (i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i].word) == len && memcmp(others[i].word, word, len) == 0)
            return others[i].type;
    for (t = 1; t < MPX_DTYPE_COUNT; t++)
        if (strlen(mpx_dtype_name(t)) == len && memcmp(mpx_dtype_name(t), word, len) == 0) return t;
    printf("tests/golden: no operand is called '%.*s'\n", (int)len, word);
    exit(2);
}

static size_t operands_of(const char *list, mpx_dtype *types) {
    size_t n = 0;
    while (list != NULL && *list != '\0') {
        size_t len = strcspn(list, ",");
        types[n++] = operand_of(list, len);
        list += len + (list[len] == ',');
    }
    return n;
}

/* Run the row; 1 if the library does what was recorded. `got`: what it did. */
static int run_row(const golden_file *g, const char **got) {
    mpx_dtype types[8], out = UNTOUCHED;
    size_t n = operands_of(golden_text(g, "dtypes"), types), i;
    mpx_dialect dialect = golden_is(g, "system", "keras") ? MPX_DIALECT_KERAS : MPX_DIALECT_ANY;
    mpx_status status = mpx_dtype_promote(types, n, dialect, &out);
    *got = status == MPX_OK ? mpx_dtype_name(out) : mpx_status_string(status);
    for (i = 0; i < n; i++)
        if (types[i] == NO_OPERAND) return 0;
    if (golden_is(g, "status", "ok"))
        return status == MPX_OK && golden_is(g, "result", mpx_dtype_name(out));
    return status == MPX_ERR_DTYPE && out == UNTOUCHED;
}

static const char *reason(const golden_file *g) {
    if (golden_is(g, "system", "numpy"))
        return "NumPy's rules are recorded, not followed: promotion is JAX's lattice";
    if (strstr(golden_text(g, "dtypes"), "string") != NULL) return "mpx has no string dtype";
    return "?";
}

static void case_golden(int list) {
    golden_file rows, known;
    const char *got;
    int more, differences = 0;
    golden_open(&rows, "promotion");
    if (list) {
        printf("# file\trow\tkey\tmpx\treason\n");
        while (golden_next(&rows))
            if (!run_row(&rows, &got))
                printf("promotion\t%ld\t%s | %s\t%s\t%s\n", rows.row, golden_raw(&rows, "system"),
                       golden_raw(&rows, "dtypes"), got, reason(&rows));
        golden_close(&rows);
        return;
    }
    golden_open(&known, "differences_promotion");
    more = golden_next(&known);
    while (golden_next(&rows)) {
        int listed = more && strtol(golden_text(&known, "row"), NULL, 10) == rows.row;
        int same = run_row(&rows, &got);
        CHECK(same != listed, "promotion, row %ld, %s %s: %s, recorded %s; it is %slisted",
              rows.row, golden_raw(&rows, "system"), golden_raw(&rows, "dtypes"), got,
              golden_raw(&rows, "result"), listed ? "" : "not ");
        if (listed) {
            CHECK(golden_is(&known, "mpx", got), "promotion, row %ld: %s, listed as %s", rows.row,
                  got, golden_raw(&known, "mpx"));
            CHECK(golden_is(&rows, "system", "numpy") ||
                      strstr(golden_raw(&rows, "dtypes"), "string") != NULL,
                  "promotion, row %ld: neither NumPy's nor a string", rows.row);
            more = golden_next(&known);
            differences++;
        }
    }
    CHECK(!more, "differences_promotion: rows are not in order or are too many");
    printf("promotion: %ld rows, %d differ and are listed\n", rows.row, differences);
    golden_close(&rows);
    golden_close(&known);
}

/* ---- the rules, said another way ------------------------------------------------------------- */

#define LEAST MPX_WEAK_COMPLEX
#define NO_WAY 98

/* Kinds in the order of the lattice. */
enum {
    A_BOOL,
    A_WEAK_INT,
    A_UINT,
    AN_INT,
    A_SMALL_INT,
    A_WEAK_FLOAT,
    A_SMALL_FLOAT,
    A_FLOAT,
    A_WEAK_COMPLEX,
    A_COMPLEX
};

static int kind_of(mpx_dtype t) {
    int bits = mpx_dtype_bits(t);
    if (t == MPX_WEAK_INT) return A_WEAK_INT;
    if (t == MPX_WEAK_FLOAT) return A_WEAK_FLOAT;
    if (t == MPX_WEAK_COMPLEX) return A_WEAK_COMPLEX;
    switch (mpx_dtype_info(t).kind) {
    case MPX_KIND_BOOL: return A_BOOL;
    case MPX_KIND_FLOAT: return bits <= 8 ? A_SMALL_FLOAT : A_FLOAT;
    case MPX_KIND_COMPLEX: return A_COMPLEX;
    case MPX_KIND_UINT: return bits < 8 ? A_SMALL_INT : A_UINT;
    default: return bits < 8 ? A_SMALL_INT : AN_INT;
    }
}

static mpx_dtype int_of(int bits) {
    return bits == 16 ? MPX_I16 : bits == 32 ? MPX_I32 : bits == 64 ? MPX_I64 : MPX_WEAK_FLOAT;
}

/* The node where two nodes meet, or NO_WAY. */
static mpx_dtype meet(mpx_dtype a, mpx_dtype b) {
    int ka, kb, bits_a, bits_b;
    if (a == NO_WAY || b == NO_WAY) return NO_WAY;
    if (a == b) return a;
    if (kind_of(a) > kind_of(b)) return meet(b, a);
    ka = kind_of(a), kb = kind_of(b), bits_a = mpx_dtype_bits(a), bits_b = mpx_dtype_bits(b);
    if (ka == A_BOOL || ka == A_WEAK_INT) return b;
    if (ka == A_SMALL_INT || kb == A_SMALL_INT) return NO_WAY;
    if (ka == A_UINT && kb == AN_INT) return bits_a < bits_b ? b : int_of(2 * bits_a);
    if (ka == kb && (ka == A_UINT || ka == AN_INT)) return bits_a > bits_b ? a : b;
    if (ka <= A_WEAK_FLOAT && kb >= A_WEAK_FLOAT) return b;
    if (ka == A_SMALL_FLOAT) return NO_WAY;
    if (ka == A_FLOAT && kb == A_FLOAT)
        return bits_a == bits_b ? MPX_F32 : bits_a > bits_b ? a : b;
    if (ka == A_WEAK_COMPLEX) return b;
    return a == MPX_F64 || a == MPX_C128 || b == MPX_C128 ? MPX_C128 : MPX_C64;
}

/* What comes out at the end. */
static mpx_dtype settled(mpx_dtype t, mpx_dialect dialect) {
    t = t == MPX_WEAK_INT       ? MPX_I64
        : t == MPX_WEAK_FLOAT   ? MPX_F64
        : t == MPX_WEAK_COMPLEX ? MPX_C128
                                : t;
    if (dialect != MPX_DIALECT_KERAS) return t;
    return t == MPX_I64 ? MPX_I32 : t == MPX_U64 ? MPX_U32 : t == MPX_F64 ? MPX_F32
         : t == MPX_C128 ? MPX_C64 : t;
}

/* An operand as each system takes it. */
static mpx_dtype taken(mpx_dtype t, mpx_dialect dialect) {
    int kind = kind_of(t);
    if (dialect == MPX_DIALECT_KERAS) {
        if (t == MPX_NONE) return MPX_F32;
        if (t == MPX_WEAK_COMPLEX) return MPX_C64;
        if (kind == A_SMALL_INT || kind == A_SMALL_FLOAT) return NO_WAY;
    }
    return t == MPX_NONE ? NO_WAY : t;
}

static mpx_dtype wanted(const mpx_dtype *types, size_t n, mpx_dialect dialect) {
    mpx_dtype t = taken(types[0], dialect);
    size_t i;
    for (i = 1; i < n; i++)
        t = meet(t, taken(types[i], dialect));
    return t == NO_WAY ? NO_WAY : settled(t, dialect);
}

static const char *name_of(mpx_dtype t) {
    return t == MPX_WEAK_INT       ? "weak int"
           : t == MPX_WEAK_FLOAT   ? "weak float"
           : t == MPX_WEAK_COMPLEX ? "weak complex"
           : t == NO_WAY           ? "no way"
           : t == UNTOUCHED        ? "untouched"
                                   : mpx_dtype_name(t);
}

/* The answer, or NO_WAY. */
static mpx_dtype promote(const mpx_dtype *types, size_t n, mpx_dialect dialect) {
    mpx_dtype out = UNTOUCHED;
    mpx_status status = mpx_dtype_promote(types, n, dialect, &out);
    CHECK(status == MPX_OK ? out > MPX_NONE && out < MPX_DTYPE_COUNT
                           : status == MPX_ERR_DTYPE && out == UNTOUCHED,
          "%s: %s, %s", mpx_status_string(status), name_of(types[0]), name_of(out));
    return status == MPX_OK ? out : NO_WAY;
}

static const mpx_dialect dialects[] = { MPX_DIALECT_ANY, MPX_DIALECT_KERAS };

static void case_all_pairs(void) {
    mpx_dtype types[2];
    size_t d;
    for (d = 0; d < 2; d++) {
        for (types[0] = LEAST; types[0] < MPX_DTYPE_COUNT; types[0]++) {
            mpx_dtype alone = promote(types, 1, dialects[d]);
            CHECK(alone == wanted(types, 1, dialects[d]), "%s alone: %s", name_of(types[0]),
                  name_of(alone));
            for (types[1] = LEAST; types[1] < MPX_DTYPE_COUNT; types[1]++) {
                mpx_dtype got = promote(types, 2, dialects[d]);
                mpx_dtype want = wanted(types, 2, dialects[d]);
                CHECK(got == want, "%s + %s, dialect %d: %s, wanted %s", name_of(types[0]),
                      name_of(types[1]), dialects[d], name_of(got), name_of(want));
                if (types[0] == types[1])
                    CHECK(got == alone, "%s twice: %s", name_of(types[0]), name_of(got));
            }
        }
    }
}

/* Three operands, in every order, and two first: the weak float that u64 and a signed integer
   meet in, and other weak results, are only then settled, so that grouping can widen. */
static void case_all_triples(void) {
    mpx_dtype a, b, c;
    unsigned long grouped = 0, wider = 0;
    size_t d;
    for (d = 0; d < 2; d++)
        for (a = LEAST; a < MPX_DTYPE_COUNT; a++)
            for (b = LEAST; b < MPX_DTYPE_COUNT; b++)
                for (c = LEAST; c < MPX_DTYPE_COUNT; c++) {
                    mpx_dtype types[3], two[2], got, half, node;
                    types[0] = a, types[1] = b, types[2] = c;
                    got = promote(types, 3, dialects[d]);
                    CHECK(got == wanted(types, 3, dialects[d]), "%s + %s + %s, dialect %d: %s",
                          name_of(a), name_of(b), name_of(c), dialects[d], name_of(got));
                    two[0] = half = promote(types, 2, dialects[d]);
                    two[1] = c;
                    node = meet(taken(a, dialects[d]), taken(b, dialects[d]));
                    if (half == NO_WAY) {
                        CHECK(got == NO_WAY, "%s + %s have no way, with %s they have", name_of(a),
                              name_of(b), name_of(c));
                        continue;
                    }
                    if (settled(node, dialects[d]) == node) { /* neither weak nor narrowed */
                        grouped++;
                        CHECK(promote(two, 2, dialects[d]) == got, "(%s + %s) + %s, dialect %d",
                              name_of(a), name_of(b), name_of(c), dialects[d]);
                    } else {
                        wider += promote(two, 2, dialects[d]) != got;
                    }
                }
    CHECK(grouped > 20000 && wider > 0, "%lu grouped, %lu widened", grouped, wider);
}

/* ---- by name --------------------------------------------------------------------------------- */

static void check_pair(mpx_dtype a, mpx_dtype b, mpx_dtype want) {
    mpx_dtype types[2];
    types[0] = a, types[1] = b;
    CHECK(promote(types, 2, MPX_DIALECT_ANY) == want, "%s + %s is not %s", name_of(a), name_of(b),
          name_of(want));
    types[0] = b, types[1] = a;
    CHECK(promote(types, 2, MPX_DIALECT_ANY) == want, "%s + %s is not %s", name_of(b), name_of(a),
          name_of(want));
}

static void case_known_pairs(void) {
    check_pair(MPX_F16, MPX_BF16, MPX_F32);
    check_pair(MPX_I32, MPX_BF16, MPX_BF16);
    check_pair(MPX_U64, MPX_F16, MPX_F16);
    check_pair(MPX_U64, MPX_I64, MPX_F64);
    check_pair(MPX_U32, MPX_I32, MPX_I64);
    check_pair(MPX_U8, MPX_I8, MPX_I16);
    check_pair(MPX_F64, MPX_C64, MPX_C128);
    check_pair(MPX_F8E4M3FN, MPX_F32, NO_WAY);
    check_pair(MPX_F8E4M3FN, MPX_F8E5M2, NO_WAY);
    check_pair(MPX_F8E4M3FN, MPX_I64, MPX_F8E4M3FN);
    check_pair(MPX_F8E4M3FN, MPX_WEAK_FLOAT, MPX_F8E4M3FN);
    check_pair(MPX_F8E4M3FN, MPX_WEAK_COMPLEX, NO_WAY);
    check_pair(MPX_I4, MPX_WEAK_INT, MPX_I4);
    check_pair(MPX_I4, MPX_WEAK_FLOAT, NO_WAY);
    check_pair(MPX_I4, MPX_I8, NO_WAY);
    check_pair(MPX_BF16, MPX_WEAK_FLOAT, MPX_BF16);
    check_pair(MPX_BF16, MPX_WEAK_COMPLEX, MPX_C64);
    check_pair(MPX_I8, MPX_WEAK_FLOAT, MPX_F64);
}

/* u64 + i8 alone is f64; with f16 beside it the float that they meet in is f16. */
static void case_all_at_once_is_not_two_by_two(void) {
    mpx_dtype types[3] = { MPX_U64, MPX_I8, MPX_F16 };
    CHECK(promote(types, 3, MPX_DIALECT_ANY) == MPX_F16, "u64 + i8 + f16");
    CHECK(promote(types, 2, MPX_DIALECT_ANY) == MPX_F64, "u64 + i8");
}

static void case_many_operands(void) {
    mpx_dtype types[1000];
    size_t i;
    for (i = 0; i < 1000; i++)
        types[i] = i % 3 == 0 ? MPX_BOOL : i % 3 == 1 ? MPX_WEAK_FLOAT : MPX_U8;
    CHECK(promote(types, 1000, MPX_DIALECT_ANY) == MPX_F64, "only weak floats");
    types[999] = MPX_BF16;
    CHECK(promote(types, 1000, MPX_DIALECT_ANY) == MPX_BF16, "the last decides");
    types[0] = MPX_F16;
    CHECK(promote(types, 1000, MPX_DIALECT_ANY) == MPX_F32, "the first and the last");
    types[500] = MPX_F4E2M1FN;
    CHECK(promote(types, 1000, MPX_DIALECT_ANY) == NO_WAY, "one in the middle");
}

static void case_bad_input(void) {
    static const mpx_dtype bad[] = { MPX_DTYPE_COUNT, 99, 1000, 0x7fffffff, -4, -5, -2147483647 };
    mpx_dtype types[2] = { MPX_F32, MPX_F32 }, out = UNTOUCHED;
    mpx_dialect dialect;
    size_t i;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        types[1] = bad[i];
        CHECK(promote(types, 2, MPX_DIALECT_ANY) == NO_WAY, "operand %d", bad[i]);
        CHECK(promote(types, 2, MPX_DIALECT_KERAS) == NO_WAY, "operand %d in Keras", bad[i]);
        CHECK(promote(types + 1, 1, MPX_DIALECT_ANY) == NO_WAY, "%d alone", bad[i]);
    }
    types[1] = MPX_NONE;
    CHECK(promote(types, 2, MPX_DIALECT_ANY) == NO_WAY, "not set");
    CHECK(promote(types, 2, MPX_DIALECT_KERAS) == MPX_F32, "None in Keras");
    types[1] = MPX_F16;
    for (dialect = -3; dialect < 40; dialect++) {
        mpx_status want = dialect < 0 || dialect > MPX_DIALECT_KERAS_CLASS ||
                                  dialect == MPX_DIALECT_AXON
                              ? MPX_ERR_ARGUMENT
                              : MPX_OK;
        out = UNTOUCHED;
        CHECK(mpx_dtype_promote(types, 2, dialect, &out) == want &&
                  out == (want == MPX_OK ? MPX_F32 : UNTOUCHED),
              "dialect %d", dialect);
        if (want != MPX_OK) continue;
        want = MPX_ERR_ARGUMENT;
        if (dialect == MPX_DIALECT_KERAS || dialect == MPX_DIALECT_KERAS_CLASS) want = MPX_OK;
        out = UNTOUCHED;
        CHECK(mpx_dtype_promote(NULL, 0, dialect, &out) == want &&
                  out == (want == MPX_OK ? MPX_F32 : UNTOUCHED),
              "nothing to promote, dialect %d", dialect);
    }
}

int main(int argc, char **argv) {
    int list = argc > 1 && strcmp(argv[1], "--list") == 0;
    case_golden(list);
    if (list) return 0;
    case_all_pairs();
    case_all_triples();
    case_known_pairs();
    case_all_at_once_is_not_two_by_two();
    case_many_operands();
    case_bad_input();
    return test_done("test_promote");
}
