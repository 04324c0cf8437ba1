/* MPX_DTYPES: a private copy of the header that carries some dtypes casts and scales them as the
   oracle has it, and knows nothing of the others. None of them has 64 bits, so that the numbers of
   number.h are those of small builds. -Os -DMPX_ISA=MPX_ISA_SCALAR, and none below a byte: casts go
   element by element. TEST_OTHERS: another selection, with what is below a byte. */
#ifdef TEST_OTHERS
#define MPX_DTYPES \
    (MPX_WITH_BF16 | MPX_WITH_F8E5M2 | MPX_WITH_F4E2M1FN | MPX_WITH_BOOL | MPX_WITH_U4 | \
     MPX_WITH_I8 | MPX_WITH_I16 | MPX_WITH_I32 | MPX_WITH_U32)
#elif !defined(MPX_DTYPES)
#define MPX_DTYPES \
    (MPX_WITH_F16 | MPX_WITH_BF16 | MPX_WITH_F8E4M3FN | MPX_WITH_I4 | MPX_WITH_I8 | MPX_WITH_I32 | \
     MPX_WITH_U32)
#endif
#ifndef TEST_OTHERS /* without float16, but with its names elsewhere */
#define MPX_NO_DIALECTS 1
#define MPX_NO_KERAS 0 /* but with quantized policies */
#endif
#define MPX_STATIC 1
#define MPX_FILES 1
#define MPX_IMPLEMENTATION
#include "test.h"
#include "ref.h"

enum { CAPACITY = 1 << 21, ALL_BITS = 4 };
static unsigned char from[CAPACITY * 4], to[CAPACITY * 4];
static uint64_t codes[CAPACITY];
static size_t count;
static mpx_dtype source;

static int is_carried(mpx_dtype type) {
    return type == MPX_F32 || (MPX_DTYPES >> type & 1) != 0;
}

static void take(void *user, uint64_t code) {
    (void)user;
    if (count == CAPACITY) printf("test_dtypes.c: CAPACITY is too small\n"), exit(1);
    ref_store(source, from, count, code);
    codes[count++] = code;
}

static void check_codes(mpx_dtype dst, const ref_mode *mode, const char *how) {
    size_t i;
    for (i = 0; i < count; i++) {
        uint64_t got = ref_load(dst, to, i),
                 want = mode == NULL ? ref_cast(dst, source, codes[i])
                                     : ref_cast_with(dst, source, codes[i], mode);
        CHECK(got == want, "%s->%s %s: src 0x%llx got 0x%llx want 0x%llx", ref_formats[source].name,
              ref_formats[dst].name, how, (unsigned long long)codes[i], (unsigned long long)got,
              (unsigned long long)want);
    }
}

static void test_pair(mpx_dtype dst, mpx_dtype src) {
    mpx_cast_options opt = { 0, 0, 0, 0, 0, 0, 0, NULL, 0 };
    ref_mode mode;
    memset(&mode, 0, sizeof mode);
    source = src, count = 0;
    ref_sweep(dst == src ? MPX_F32 : dst, src, ALL_BITS, take, NULL);
    CHECK(mpx_cast(to, dst, from, src, count) == MPX_OK, "%s->%s refused", ref_formats[src].name,
          ref_formats[dst].name);
    check_codes(dst, NULL, "");
    opt.rounding = mode.rounding = MPX_ROUND_TOWARD_ZERO;
    opt.saturate = mode.saturate = 1;
    CHECK(mpx_cast_with(to, dst, from, src, count, &opt) == MPX_OK, "refused");
    check_codes(dst, &mode, "toward zero");
}

static void test_casts(void) {
    mpx_dtype dst, src;
    for (src = MPX_NONE; src <= MPX_DTYPE_COUNT; src++)
        for (dst = MPX_NONE; dst <= MPX_DTYPE_COUNT; dst++) {
            if (is_carried(dst) && is_carried(src))
                test_pair(dst, src);
            else
                CHECK(mpx_cast(to, dst, from, src, 1) == MPX_ERR_DTYPE &&
                          mpx_cast(to, dst, from, src, 256) == MPX_ERR_DTYPE,
                      "%d->%d taken", src, dst);
        }
}

/* Codes are moved between two small formats only where both are carried. */
static void test_rebias(void) {
    static const mpx_dtype pairs[][2] = { { MPX_F8E4M3FN, MPX_F8E4M3FNUZ },
                                          { MPX_F8E5M2, MPX_F8E5M2FNUZ } };
    size_t i;
    for (i = 0; i < 4; i++) {
        mpx_dtype dst = pairs[i / 2][i % 2], src = pairs[i / 2][1 - i % 2];
        int carried = is_carried(dst) && is_carried(src);
        from[0] = 0x38, to[0] = 0xaa;
        CHECK(mpx_f8_rebias(to, dst, from, src, 1) == (carried ? MPX_OK : MPX_ERR_DTYPE) &&
                  to[0] == (carried ? 0x38 : 0xaa),
              "%d->%d: wrote %02x", src, dst, to[0]);
    }
}

/* What is carried and floating has a largest magnitude; few elements and many go different ways. */
static void test_amax(void) {
    mpx_dtype type;
    for (type = MPX_NONE; type <= MPX_DTYPE_COUNT; type++) {
        int has = is_carried(type) && ref_is_float(type);
        mpx_status want = has ? MPX_OK : MPX_ERR_DTYPE;
        float amax = -1;
        CHECK(mpx_amax(from, type, 1, &amax) == want, "%d: one", type);
        CHECK(mpx_amax(from, type, 256, &amax) == want, "%d: 256", type);
        CHECK(has || amax == -1.0f, "%d: %g written", type, (double)amax);
    }
}

/* Products and quotients in f32, among them by powers of two, zeros, Inf and NaN. */
static void test_scale(void) {
    static const uint32_t by[] = { 0x3f800000u, 0x47000000u, 0x33000000u, 0x40400000u, 0x3dcccccdu,
                                   0x00000001u, 0x00012345u, 0x7f7fffffu, 0,           0x80000000u,
                                   0x7f800000u, 0xff800000u, 0x7fc12345u, 0xc2c80000u };
    static const mpx_dtype types[] = { MPX_F32, MPX_F16, MPX_BF16, MPX_F8E4M3FN };
    size_t i, j, k, d;
    source = MPX_F32, count = 0;
    ref_sweep(MPX_F16, source, 3, take, NULL);
    for (i = 1; i <= 4000; i++) take(NULL, 0x30000000u + (uint32_t)(i * 2654435761u) / 8); /* with all bits of mantissa */
    for (i = 0; i < 2 * sizeof by / sizeof by[0]; i++)
        for (j = 0; j < sizeof types / sizeof types[0]; j++) {
            int divide = i % 2 != 0, finite = -1, all = 1;
            ref_real factor = ref_decode(MPX_F32, by[i / 2]);
            mpx_dtype dst = types[j];
            mpx_status status =
                divide ? mpx_unscale(to, dst, from, source, count, ref_float(by[i / 2]), &finite)
                       : mpx_scale(to, dst, from, source, count, ref_float(by[i / 2]));
            CHECK(status == (is_carried(dst) ? MPX_OK : MPX_ERR_DTYPE), "status %d", (int)status);
            if (!is_carried(dst)) continue;
            for (k = 0; k < count; k++) {
                ref_real x = ref_decode(source, codes[k]);
                ref_real r = divide ? ref_quotient(x, factor) : ref_product(x, factor);
                uint64_t got = ref_load(dst, to, k), want = ref_encode(dst, &r);
                if (x.kind == REF_NAN || factor.kind == REF_NAN) want = got; /* test_loss_scale.c */
                if (!ref_is_finite(dst, got)) all = 0;
                d = r.kind == REF_NAN && ref_is_nan(dst, got); /* which NaN: there too */
                CHECK(got == want || d != 0, "%s by %08x to %s: src 0x%llx got 0x%llx want 0x%llx",
                      divide ? "quotient" : "product", (unsigned)by[i / 2], ref_formats[dst].name,
                      (unsigned long long)codes[k], (unsigned long long)got,
                      (unsigned long long)want);
            }
            CHECK(!divide || finite == all, "finite %d, wanted %d", finite, all);
        }
}

/* Only what is carried and floating has Inf; what is no dtype has none, and is not finite either.
   The words, high half first or last, are Inf in f64, f32, f16 and bf16. */
static void test_infinite(void) {
    static const uint32_t words[] = { 0x7ff00000u, 0, 0x7ff00000u, 0x7f800000u, 0x7c007c00u };
    static const unsigned char zeros[16];
    mpx_dtype type;
    size_t i;
    float inf[2] = { 1.0f, 2.0f };
    inf[1] = ref_float(0x7f800000u);
    for (type = MPX_NONE; type <= MPX_DTYPE_COUNT; type++) {
        int carried = is_carried(type), has = carried && ref_is_float(type);
        CHECK(mpx_all_finite(zeros, type, 1) == carried, "%d: 0 is not finite", type);
        CHECK(mpx_any_infinite(zeros, type, 1) == 0, "%d: 0 is Inf", type);
        for (i = 0; i < sizeof words / sizeof words[0]; i++) {
            memset(to, 0, 64);
            memcpy(to, &words[i], 4), memcpy(to + 12, &words[i], 4);
            CHECK(has || mpx_any_infinite(to, type, 2) == 0, "%d: has Inf", type);
        }
        if (!has || ref_decode(type, ref_cast(type, MPX_F32, 0x7f800000u)).kind != REF_INF)
            continue;
        CHECK(mpx_cast(to, type, inf, MPX_F32, 2) == MPX_OK, "%d", type);
        CHECK(mpx_any_infinite(to, type, 2) == 1, "%d: Inf is not seen", type);
    }
}

/* Pieces, the last one first: what one cast gives, for every pair and layout. */
static void run_backwards(size_t tasks, mpx_task_fn task, void *arg, void *user) {
    (void)user;
    while (tasks-- != 0)
        task(arg, tasks);
}

static void test_pieces(mpx_dtype dst, mpx_dtype src, int layouts) {
    static unsigned char want[CAPACITY];
    const size_t n = 3 * 8192 + 5, size = mpx_dtype_bytes(dst, n) > n ? mpx_dtype_bytes(dst, n) : n;
    mpx_cast_options opt = { 0, 0, 0, 0, 0, 0, 0, NULL, 0 };
    mpx_parallel parallel = { run_backwards, NULL, 1 };
    opt.dst_layout = layouts & 1 ? MPX_LAYOUT_BYTES : MPX_LAYOUT_PACKED;
    opt.src_layout = layouts & 2 ? MPX_LAYOUT_BYTES : MPX_LAYOUT_PACKED;
    memset(want, 0xaa, size);
    memset(to, 0xaa, size);
    CHECK(mpx_cast_with(want, dst, from, src, n, &opt) == MPX_OK, "refused");
    CHECK(mpx_cast_parallel(to, dst, from, src, n, &opt, parallel) == MPX_OK, "refused");
    CHECK(memcmp(to, want, size) == 0, "%s->%s in pieces, layouts %d", ref_formats[src].name,
          ref_formats[dst].name, layouts);
}

/* Without statistics those that are asked for hold no thread back. */
static void run_and_count(size_t tasks, mpx_task_fn task, void *arg, void *user) {
    ++*(int *)user;
    run_backwards(tasks, task, arg, NULL);
}

static void case_ignored_stats(void) {
    mpx_cast_options opt = { 0, 0, 0, 0, 0, 0, 0, NULL, 0 };
    mpx_cast_stats stats;
    int runs = 0;
    mpx_parallel parallel = { run_and_count, NULL, 1 };
    parallel.user = &runs;
    memset(&stats, 0, sizeof stats);
    opt.stats = &stats;
    CHECK(mpx_cast_parallel(to, MPX_BF16, from, MPX_F32, CAPACITY, &opt, parallel) == MPX_OK &&
              runs == (MPX_NO_STATS ? 1 : 0) && stats.count == (MPX_NO_STATS ? 0 : CAPACITY),
          "%d runs, %lu counted", runs, (unsigned long)stats.count);
}

static void test_parallel(void) {
    mpx_dtype dst, src;
    size_t i;
    int layouts;
    for (i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 37 >> 3 & 1); /* also as a bool and below a byte */
    for (src = MPX_NONE; src <= MPX_DTYPE_COUNT; src++)
        for (dst = MPX_NONE; dst <= MPX_DTYPE_COUNT; dst++)
            for (layouts = 0; is_carried(dst) && is_carried(src) && layouts < 4; layouts++)
                test_pieces(dst, src, layouts);
}

/* Names, words, facts, policies and the other systems. */
static void test_words(void) {
    mpx_dtype type, parsed;
    mpx_policy p = { MPX_I8, MPX_I8, MPX_I8, 0, 0, 0, 0 };
    mpx_error err;
    char sentence[MPX_ERROR_TEXT_SIZE];
    mpx_parse_options jmp = { MPX_DIALECT_JMP, MPX_NONE }, half = { MPX_DIALECT_ANY, MPX_F64 };
    for (type = MPX_NONE + 1; type < MPX_DTYPE_COUNT; type++) {
        int carried = is_carried(type);
        mpx_status want = carried ? MPX_OK : MPX_ERR_DTYPE;
        const char *name = ref_formats[type].name;
        parsed = MPX_I8;
        CHECK(mpx_dtype_parse(name, &parsed) == want, "%s", name);
        CHECK(parsed == (carried ? type : MPX_I8), "%s reads as %d", name, parsed);
        CHECK((mpx_dtype_name(type)[0] != '\0') == carried, "%s", name);
        CHECK(mpx_dtype_bits(type) == (carried ? ref_formats[type].bits : 0), "%s", name);
        CHECK(mpx_dtype_info(type).bits == mpx_dtype_bits(type), "%s", name);
        CHECK(mpx_all_finite(from, type, 0) == carried, "%s", name);
        CHECK((mpx_interop_name(MPX_SYSTEM_JAX, type)[0] != '\0') == carried, "%s", name);
        CHECK(MPX_WITH_ALL >> type & 1, "%s has no bit", name);
    }
    CHECK(MPX_WITH_F32 == 1 << MPX_F32 && MPX_WITH_F8E8M0FNU == 1 << MPX_F8E8M0FNU, "the bits");
    CHECK(MPX_WITH_C128 == 1 << MPX_C128 && MPX_WITH_BOOL == 1 << MPX_BOOL, "the bits");
    CHECK(mpx_dtype_parse("fp64", &parsed) == MPX_ERR_DTYPE, "an alias");
    if (is_carried(MPX_F16))
        CHECK(mpx_dtype_parse("<f2", &parsed) == MPX_OK && parsed == MPX_F16, "an alias");
    CHECK(mpx_policy_parse("p=f32,c=f64", &p, &err) == MPX_ERR_DTYPE && err.offset == 8, "f64");
    CHECK(p.param == MPX_I8, "touched");
    mpx_error_format(&err, "p=f32,c=f64", sentence, sizeof sentence);
    CHECK(strcmp(sentence, is_carried(MPX_F16)
                               ? "unknown dtype 'f64' at 8; expected a dtype such as f32, bf16, "
                                 "f16, f8e4m3fn, or full, half"
                               : "unknown dtype 'f64' at 8; expected a dtype such as f32, bf16, "
                                 "f8e5m2, or full") == 0,
          "%s", sentence);
    CHECK(mpx_policy_parse("fp8", &p, &err) == MPX_ERR_DTYPE, "fp8");
    mpx_error_format(&err, "fp8", sentence, sizeof sentence);
    CHECK(strcmp(sentence, is_carried(MPX_F16) ? "ambiguous dtype 'fp8' at 0; say f8e4m3fn"
                                               : "ambiguous dtype 'fp8' at 0; say f8e5m2") == 0,
          "%s", sentence);
    CHECK(mpx_policy_parse("e4m3", &p, &err) == MPX_ERR_DTYPE, "e4m3");
    mpx_error_format(&err, "e4m3", sentence, sizeof sentence);
    CHECK((strncmp(sentence, "ambiguous", 9) == 0) == is_carried(MPX_F8E4M3FN), "%s", sentence);
    CHECK(mpx_policy_parse("<c=bf16>", &p, NULL) == MPX_OK && p.compute == MPX_BF16, "printed");
    CHECK(mpx_policy_parse_with("half", half, &p, NULL) == MPX_ERR_DTYPE, "half is not carried");
    CHECK(mpx_policy_parse_with("f16", jmp, &p, &err) ==
              (MPX_NO_DIALECTS ? MPX_ERR_ARGUMENT : MPX_ERR_DTYPE),
          "a dialect");
    CHECK(mpx_policy_parse("mixed_float16", &p, NULL) == MPX_ERR_DTYPE, "a dialect's word");
    CHECK(mpx_policy_parse("torch.float16", &p, NULL) == MPX_ERR_DTYPE, "a dialect's word");
    CHECK(mpx_policy_format_with(p, MPX_DIALECT_JMP, NULL, 0) == 0, "a dialect's form");
}

/* Also without dialects, where no name of Keras' stands for the source. */
static void test_quantized(void) {
    static const char *const texts[] = { "int4/64_from_p=f32,c=bf16,o=bf16", "float8/16_from_bfloat16",
                                         "gptq/4/128_from_float32" };
    char text[MPX_POLICY_TEXT_SIZE];
    mpx_policy p, again;
    size_t i;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK(mpx_policy_parse(texts[i], &p, NULL) == MPX_OK && p.quantization != MPX_QUANT_NONE, "%s", texts[i]);
        CHECK(mpx_policy_format(p, text, sizeof text) != 0 && mpx_policy_parse(text, &again, NULL) == MPX_OK &&
                  mpx_policy_equal(p, again),
              "%s prints as %s", texts[i], text);
    }
}

/* A quantized format is taken if all that it is made of is carried, and then it keeps the numbers; else the text and
   all functions refuse it. e8m0 scales and the f16 scales of GGUF's blocks need no dtype. */
static void test_formats(void) {
    static const struct { const char *text; mpx_quant quant; int needs; } formats[] = {
        { "nvfp4", { MPX_SCHEME_NVFP4, MPX_F4E2M1FN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_F4E2M1FN | MPX_WITH_F8E4M3FN },
        { "mxfp4", { MPX_SCHEME_MX, MPX_F4E2M1FN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_F4E2M1FN },
        { "mxint8", { MPX_SCHEME_MX, MPX_I8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_I8 },
        { "float8", { MPX_SCHEME_LINEAR, MPX_F8E4M3FN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_F8E4M3FN },
        { "uint8", { MPX_SCHEME_LINEAR, MPX_U8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }, MPX_WITH_U8 },
        { "int4", { MPX_SCHEME_KERAS, MPX_I4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_I4 },
        { "q4_0", { MPX_SCHEME_Q4_0, MPX_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_I8 },
        { "q8_0", { MPX_SCHEME_Q8_0, MPX_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_I8 },
        { "ggml_mxfp4", { MPX_SCHEME_GGML_MXFP4, MPX_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, MPX_WITH_F4E2M1FN | MPX_WITH_I8 },
    };
    static unsigned char codes_of[512];
    float x[64], y[64], worst;
    mpx_quant_layout layout;
    mpx_quant parsed;
    size_t i, j;
    for (i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const char *text = formats[i].text;
        const mpx_quant q = formats[i].quant;
        const mpx_status want = (formats[i].needs & ~(MPX_DTYPES)) == 0 ? MPX_OK : MPX_ERR_DTYPE;
        CHECK(mpx_quant_parse(text, &parsed, NULL) == want, "%s as a text", text);
        CHECK(mpx_quant_layout_of(q, 2, 32, &layout, NULL) == want && (mpx_quant_bytes(q, 2, 32) != 0) == (want == MPX_OK),
              "%s: its layout", text);
        for (j = 0; j < 64; j++) {
            x[j] = (float)j - 31.5f;
            y[j] = 1000;
        }
        CHECK(mpx_quantize(codes_of, q, x, MPX_F32, 2, 32) == want && mpx_dequantize(y, MPX_F32, codes_of, q, 2, 32) == want,
              "%s is not as its text", text);
        for (j = 0, worst = 0; j < 64 && want == MPX_OK; j++)
            worst = y[j] - x[j] > worst ? y[j] - x[j] : x[j] - y[j] > worst ? x[j] - y[j] : worst;
        CHECK(worst <= 8, "%s: %g is lost", text, (double)worst);
    }
}

static void test_promotion(void) {
    mpx_dtype types[2] = { MPX_BF16, MPX_F32 }, out = MPX_NONE;
    if (is_carried(MPX_F16)) types[1] = MPX_F16;
    CHECK(mpx_dtype_promote(types, 2, MPX_DIALECT_ANY, &out) == MPX_OK && out == MPX_F32, "f32");
    types[0] = MPX_I32, types[1] = MPX_U32; /* i64 */
    CHECK(mpx_dtype_promote(types, 2, MPX_DIALECT_ANY, &out) == MPX_ERR_DTYPE, "not carried");
    CHECK(out == MPX_F32, "touched");
}

/* A tensor of a dtype that is left out is bytes, although uint8 is left out, too. Its name may be one of ggml's. */
static void test_files(char kind) {
    static const char header[] = "p\0\0\0\0\0\0\0"
        "{\"n\":{\"dtype\":\"U64\",\"shape\":[2],\"data_offsets\":[0,16]},"
        "\"w\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[16,20]}}";
    unsigned char bytes[256], again[256], memory[2000];
    const size_t n = sizeof header - 1 + 20;
    size_t i, size = 0;
    mpx_file file;
    mpx_tree_size tree;
    mpx_error err;
    memcpy(bytes, header, sizeof header - 1);
    bytes[0] = (unsigned char)(sizeof header - 9);
    *(char *)memchr(bytes, 'U', sizeof header) = kind;
    for (i = 0; i < 20; i++) bytes[n - 20 + i] = (unsigned char)(i + 1);
    if (mpx_file_open(&file, bytes, n, memory, sizeof memory, &err) != MPX_OK) {
        CHECK(0, "%s", err.what);
        return;
    }
    CHECK(file.count == 2 && file.tensors[0].leaf.dtype == MPX_U8 && file.tensors[0].leaf.count == 16 &&
              file.tensors[1].leaf.dtype == MPX_BF16 && file.tensors[1].leaf.count == 2,
          "what is read");
    CHECK(mpx_file_size(&file, &size, &err) == MPX_OK && size <= sizeof again &&
              mpx_file_save(again, size, &file, &err) == MPX_OK && memcmp(again + size - 20, bytes + n - 20, 20) == 0,
          "what is written of %c64: %lu bytes", kind, (unsigned long)size);
    CHECK(mpx_tree_measure(mpx_tree_of_file(&file), MPX_BF16, &tree, &err) == MPX_ERR_DTYPE && err.index == 0,
          "a tree of it, without uint8");
}

int main(void) {
    test_files('U');
    test_files('I');
    test_casts();
    test_rebias();
    test_amax();
    test_scale();
    test_infinite();
    test_parallel();
    case_ignored_stats();
    test_words();
    test_quantized();
    test_formats();
    test_promotion();
    return test_done("test_dtypes");
}
