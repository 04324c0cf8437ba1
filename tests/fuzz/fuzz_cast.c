/* Casts of any dtypes, lengths, alignments, layouts and strides in buffers of exactly their size:
   rounding to nearest gives what the integer reference gives, two calls give the bits of one (in
   every mode), and nothing between strided items is touched. Input: the choices in the order of
   begin_job, then the data. */
#include "fuzz.h"
#include "../ref.h"

typedef struct job {
    mpx_dtype to, from;
    mpx_cast_options opt;
    mpx_cast_stats stats;
    size_t n, cut, dst_shift, src_shift;
} job;

/* Sizes below a byte matter most near multiples of tiles and vectors. */
static size_t choose_count(fuzz_input *in) {
    static const size_t around[8] = { 0, 8, 16, 32, 64, 256, 512, 768 };
    return around[fuzz_below(in, 8)] + fuzz_below(in, 40);
}

static int choose_layout(fuzz_input *in, mpx_dtype type) {
    int layout = (int)fuzz_below(in, 3);
    return layout == MPX_LAYOUT_SPLIT && ref_formats[type].bits != 4 ? MPX_LAYOUT_BYTES : layout;
}

static void begin_job(job *j, fuzz_input *in) {
    unsigned flags = fuzz_byte(in);
    memset(j, 0, sizeof *j);
    j->to = (int)(REF_FIRST + fuzz_below(in, REF_LAST));
    j->from = (int)(REF_FIRST + fuzz_below(in, REF_LAST));
    j->n = choose_count(in);
    j->opt.dst_layout = choose_layout(in, j->to);
    j->opt.src_layout = choose_layout(in, j->from);
    if (j->opt.dst_layout == MPX_LAYOUT_SPLIT || j->opt.src_layout == MPX_LAYOUT_SPLIT) {
        j->opt.split_block = 8 * (1 + (size_t)fuzz_below(in, 5));
        j->n -= j->n % j->opt.split_block;
    }
    j->opt.rounding = (flags & 1) != 0 ? (int)fuzz_below(in, 3) : MPX_ROUND_NEAREST;
    j->opt.saturate = (flags & 3) == 3;
    j->opt.random_seed = fuzz_byte(in);
    j->opt.offset = (flags & 4) != 0 ? (uint64_t)-1 - 300u + fuzz_byte(in) : fuzz_byte(in);
    j->opt.stats = (flags & 8) != 0 ? &j->stats : NULL;
    j->dst_shift = fuzz_below(in, 8), j->src_shift = fuzz_below(in, 8);
    j->cut = (size_t)fuzz_byte(in) * 8;
    if (j->opt.split_block != 0) j->cut -= j->cut % j->opt.split_block;
    if (j->cut > j->n) j->cut = j->opt.split_block != 0 ? j->n : j->n / 8 * 8;
}

/* ---- elements in a layout -------------------------------------------------------------------- */

static size_t room_of(mpx_dtype type, int layout, size_t n) {
    return layout == MPX_LAYOUT_BYTES && ref_formats[type].bits < 8 ? n : ref_bytes(type, n);
}

static uint64_t code_at(mpx_dtype type, int layout, size_t block, const uint8_t *data, size_t i) {
    int bits = ref_formats[type].bits;
    size_t half = block / 2, k;
    if (bits >= 8 || layout == MPX_LAYOUT_PACKED) return ref_load(type, data, i);
    if (layout == MPX_LAYOUT_BYTES) return data[i] & ref_low_mask(bits);
    k = i % block;
    return (uint64_t)data[i / block * half + k % half] >> (k < half ? 0 : 4) & 15u;
}

static void check_codes(const job *j, const uint8_t *dst, const uint8_t *src) {
    size_t i, block = j->opt.split_block;
    for (i = 0; i < j->n; i++) {
        uint64_t code = code_at(j->from, j->opt.src_layout, block, src, i);
        CLAIM(code_at(j->to, j->opt.dst_layout, block, dst, i) == ref_cast(j->to, j->from, code));
    }
}

/* ---- one call, two calls, in place ----------------------------------------------------------- */

/* From one heap block to another, each exactly as large as the cast may use. */
static void check_cast(job *j, const uint8_t *src, size_t dst_size) {
    uint8_t *one = fuzz_room(j->dst_shift + dst_size), *two = fuzz_room(j->dst_shift + dst_size);
    uint8_t *d = two + j->dst_shift;
    size_t cut = j->cut;
    CLAIM(mpx_cast_with(one + j->dst_shift, j->to, src, j->from, j->n, &j->opt) == MPX_OK);
    if (j->opt.stats != NULL) CLAIM(j->stats.count == (j->to == j->from ? j->stats.count : j->n));
    CLAIM(mpx_cast_with(d, j->to, src, j->from, cut, &j->opt) == MPX_OK);
    j->opt.offset += cut;
    CLAIM(mpx_cast_with(d + room_of(j->to, j->opt.dst_layout, cut), j->to,
                        src + room_of(j->from, j->opt.src_layout, cut), j->from, j->n - cut,
                        &j->opt) == MPX_OK);
    CLAIM(memcmp(one, two, j->dst_shift + dst_size) == 0);
    if (j->opt.rounding == MPX_ROUND_NEAREST && !j->opt.saturate)
        check_codes(j, one + j->dst_shift, src);
    free(two);
    free(one);
}

/* Packed, mpx_cast itself; then over its own source. */
static void check_plain(const job *j, const uint8_t *src, size_t src_size) {
    size_t dst_size = ref_bytes(j->to, j->n);
    uint8_t *dst = fuzz_room(dst_size), *same = fuzz_room(src_size);
    CLAIM(mpx_cast(dst, j->to, src, j->from, j->n) == MPX_OK);
    check_codes(j, dst, src);
    if (ref_formats[j->to].bits <= ref_formats[j->from].bits) {
        memcpy(same, src, src_size);
        CLAIM(mpx_cast(same, j->to, same, j->from, j->n) == MPX_OK);
        CLAIM(memcmp(same, dst, dst_size) == 0);
    }
    free(same);
    free(dst);
}

/* ---- strides --------------------------------------------------------------------------------- */

typedef struct grid {
    size_t items, components, size, stride;
} grid;

static grid choose_grid(fuzz_input *in, mpx_dtype type, size_t items, size_t components) {
    grid g;
    g.items = items, g.components = components;
    g.size = (size_t)ref_formats[type].bits / 8;
    g.stride = g.size * components + fuzz_below(in, 9);
    return g;
}

static size_t grid_bytes(grid g) {
    return g.items == 0 ? 0 : (g.items - 1) * g.stride + g.components * g.size;
}

static void check_grid(const job *j, grid to, const uint8_t *dst, grid from, const uint8_t *src) {
    size_t i, k;
    for (i = 0; i < to.items; i++) {
        for (k = 0; k < to.components; k++) {
            uint64_t code = ref_load(j->from, src + i * from.stride, k);
            CLAIM(ref_load(j->to, dst + i * to.stride, k) == ref_cast(j->to, j->from, code));
        }
        for (k = to.components * to.size; i + 1 < to.items && k < to.stride; k++)
            CLAIM(dst[i * to.stride + k] == 0xa5);
    }
}

static void check_strided(const job *j, fuzz_input *in) {
    size_t components = 1 + (size_t)fuzz_below(in, 90), items = j->n / components;
    grid to = choose_grid(in, j->to, items, components);
    grid from = choose_grid(in, j->from, items, components);
    uint8_t *dst = fuzz_room(grid_bytes(to)), *src = fuzz_room(grid_bytes(from));
    fuzz_fill(in, src, grid_bytes(from));
    CLAIM(mpx_cast_strided(dst, j->to, to.stride, src, j->from, from.stride, items, components,
                           NULL) == MPX_OK);
    check_grid(j, to, dst, from, src);
    free(src);
    free(dst);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = fuzz_begin(data, size);
    size_t src_size;
    uint8_t *block, *src;
    job j;
    begin_job(&j, &in);
    if (j.opt.random_seed % 4 == 3 && ref_formats[j.to].bits >= 8 &&
        ref_formats[j.from].bits >= 8) {
        check_strided(&j, &in);
        return 0;
    }
    src_size = room_of(j.from, j.opt.src_layout, j.n);
    block = fuzz_room(j.src_shift + src_size);
    src = block + j.src_shift;
    fuzz_fill(&in, src, src_size);
    check_cast(&j, src, room_of(j.to, j.opt.dst_layout, j.n));
    if (src_size == ref_bytes(j.from, j.n)) {
        j.opt.src_layout = j.opt.dst_layout = MPX_LAYOUT_PACKED;
        check_plain(&j, src, src_size);
    }
    free(block);
    return 0;
}
