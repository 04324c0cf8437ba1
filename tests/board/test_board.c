/* The integer core of the tests, for machines with 16 KB of RAM and no libc: casts by the recorded
   hashes, policies and loss scales of the recorded systems, a tree. One line of text each;
   tests/boards.py compares them with the golden files and with the same program run natively. */
#include "board.h"
#include "ref.h"
#include "rows.h" /* by tests/boards.py: the texts and trajectories of tests/golden */

enum { ALL_BITS = 7, TILE = 64 };

/* ---- words ----------------------------------------------------------------------------------- */

static uint64_t hash_with(uint64_t hash, uint64_t value) { /* as tests/test_hashes.c */
    hash = (hash ^ value) * 0x100000001b3u;
    return hash ^ hash >> 29;
}
static const uint64_t hash_start = 0xcbf29ce484222325u;

static void print_hex(uint64_t x) {
    char text[18];
    int i;
    for (i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[x >> (60 - 4 * i) & 15u];
    text[16] = '\n';
    text[17] = '\0';
    board_print(text);
}

static void print_line(const char *a, const char *b, uint64_t hash) {
    board_print(a);
    board_print("\t");
    board_print(b);
    board_print("\t");
    print_hex(hash);
}

/* ---- casts ----------------------------------------------------------------------------------- */

static mpx_dtype to, from;
static unsigned char in[TILE * 8], out[TILE * 8];
static size_t waiting;
static uint64_t hash;
static int failed;

static void cast_waiting(void) {
    size_t i;
    if (mpx_cast(out, to, in, from, waiting) != MPX_OK) failed = 1;
    for (i = 0; i < waiting; i++)
        hash = hash_with(hash, ref_load(to, out, i));
    waiting = 0;
}

static void take(void *user, uint64_t code) {
    (void)user;
    ref_store(from, in, waiting++, code);
    if (waiting == TILE) cast_waiting();
}

static void test_casts(void) {
    static const mpx_dtype types[] = { MPX_F32, MPX_F16, MPX_BF16, MPX_F8E4M3FN, MPX_F8E5M2 };
    size_t i, j, count = sizeof types / sizeof types[0];
    for (i = 0; i < count; i++)
        for (j = 0; j < count; j++) {
            from = types[i], to = types[j], hash = hash_start;
            ref_sweep(to == from ? MPX_F32 : to, from, ALL_BITS, take, NULL);
            cast_waiting();
            print_line(ref_formats[from].name, ref_formats[to].name, hash);
        }
}

/* ---- policies -------------------------------------------------------------------------------- */

static const mpx_policy no_policy;

/* What came of one text: status, roles, place of the error, what is printed, what that reads as. */
static void add_policy(const board_text *row, mpx_dialect dialect) {
    mpx_parse_options opt = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_policy p = no_policy, again = no_policy;
    mpx_error err;
    char text[MPX_POLICY_TEXT_SIZE];
    size_t i, length;
    opt.dialect = dialect;
    hash = hash_with(
        hash, (uint64_t)(int64_t)mpx_policy_parse_n(row->text, row->size, opt, &p, &err));
    hash = hash_with(hash, (uint64_t)p.param << 16 | (uint64_t)p.compute << 8 | (uint64_t)p.output);
    hash = hash_with(hash, (uint64_t)err.offset << 16 | err.length);
    if (err.status != MPX_OK) return;
    length = mpx_policy_format(p, text, sizeof text);
    for (i = 0; i < length; i++)
        hash = hash_with(hash, (unsigned char)text[i]);
    if (mpx_policy_parse(text, &again, NULL) != MPX_OK || !mpx_policy_equal(p, again)) failed = 1;
}

static void test_policies(void) {
    static const char *const names[] = { "any", "eformer", "jmp", "keras", "axon" };
    mpx_dialect dialect;
    size_t i;
    for (dialect = MPX_DIALECT_ANY; dialect <= MPX_DIALECT_AXON; dialect++) {
        hash = hash_start;
        for (i = 0; i < sizeof board_texts / sizeof board_texts[0]; i++)
            add_policy(&board_texts[i], dialect);
        print_line("policies", names[dialect], hash);
    }
}

/* ---- loss scales ----------------------------------------------------------------------------- */

static mpx_loss_scale start_of(const board_run *run) {
    float scale = ref_float(run->scale);
    mpx_loss_scale s = run->kind == MPX_LOSS_SCALE_JAXAMP   ? mpx_loss_scale_jaxamp(scale)
                       : run->kind == MPX_LOSS_SCALE_KERAS ? mpx_loss_scale_keras(scale)
                                                            : mpx_loss_scale_dynamic(scale);
    s.counter = run->counter;
    s.period = run->period;
    s.factor = ref_float(run->factor);
    s.min_scale = ref_float(run->min_scale);
    return s;
}

/* "1x1998,0x1": so many steps with such gradients; the state after each such group counts. */
static void add_run(const board_run *run) {
    mpx_loss_scale s = start_of(run);
    const char *at = run->flags;
    while (*at != '\0') {
        int finite = *at == '1';
        unsigned long steps = 0;
        uint32_t bits;
        for (at += 2; *at >= '0' && *at <= '9'; at++)
            steps = steps * 10 + (unsigned long)(*at - '0');
        if (*at == ',') at++;
        while (steps-- != 0)
            s = mpx_loss_scale_adjust(s, finite);
        memcpy(&bits, &s.scale, 4);
        hash = hash_with(hash, bits);
        hash = hash_with(hash, (uint32_t)s.counter);
    }
}

static void test_loss_scales(void) {
    size_t i;
    hash = hash_start;
    for (i = 0; i < sizeof board_runs / sizeof board_runs[0]; i++)
        add_run(&board_runs[i]);
    print_line("loss_scale", "golden", hash);
}

/* ---- a tree ---------------------------------------------------------------------------------- */

static void test_tree(void) {
    static float kernel[7], bias[3];
    static int32_t steps = 5;
    static unsigned char storage[64];
    mpx_leaf leaves[3] = { { "dense/kernel", kernel, 7, MPX_F32 },
                           { "dense/bias", bias, 3, MPX_F32 },
                           { "steps", &steps, 1, MPX_I32 } };
    mpx_leaf made[3];
    mpx_tree tree = mpx_tree_of_leaves(leaves, 3), low;
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, made, 3);
    int finite = 0;
    size_t i;
    for (i = 0; i < 7; i++)
        kernel[i] = ref_float(0x3f800000u + (uint32_t)i * 0x123456u);
    for (i = 0; i < 3; i++)
        bias[i] = ref_float(0x47000000u - (uint32_t)i * 0x777777u);
    hash = hash_start;
    if (mpx_tree_cast_into(&low, tree, MPX_F16, &arena, NULL) != MPX_OK) failed = 1;
    if (made[2].data != &steps || arena.used != 32) failed = 1; /* shared; 14 and 6 bytes, by 16 */
    for (i = 0; i < 32; i++)
        hash = hash_with(hash, i % 16 < (i < 16 ? 14u : 6u) ? storage[i] : 0u);
    if (mpx_tree_unscale(tree, low, 3.0f, &finite, NULL) != MPX_OK || !finite) failed = 1;
    for (i = 0; i < 7; i++)
        hash = hash_with(hash, ref_load(MPX_F32, kernel, i));
    kernel[6] = ref_float(0x7f800000u);
    if (mpx_tree_all_finite(tree, &finite, NULL) != MPX_OK || finite) failed = 1;
    print_line("tree", "f16", hash);
}

int main(void) {
    test_casts();
    test_policies();
    test_loss_scales();
    test_tree();
    board_print(failed ? "failed\n" : "done\n");
    return failed;
}
