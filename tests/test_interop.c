/* Numbers and names of other systems, both ways, against tests/interop.tsv: every cell of the
   tables of section 2 to 4 of the interoperability notes, cut out of them by a script and not by
   the hand that wrote the table in the header. A row: system, dtype (short name), number, name,
   another name that is read too; "-" where the system has none. */
#include "test.h"
#include "golden.h"

static const struct {
    const char *word;
    mpx_system system;
} systems[] = {
    { "safetensors", MPX_SYSTEM_SAFETENSORS },
    { "gguf", MPX_SYSTEM_GGUF },
    { "onnx", MPX_SYSTEM_ONNX },
    { "arrow", MPX_SYSTEM_ARROW },
    { "tflite", MPX_SYSTEM_TFLITE },
    { "tflite_c", MPX_SYSTEM_TFLITE_C },
    { "numpy", MPX_SYSTEM_NUMPY },
    { "numpy_str", MPX_SYSTEM_NUMPY_STR },
    { "torch", MPX_SYSTEM_TORCH },
    { "torch_export", MPX_SYSTEM_TORCH_EXPORT },
    { "jax", MPX_SYSTEM_JAX },
    { "keras", MPX_SYSTEM_KERAS },
    { "xla", MPX_SYSTEM_XLA },
    { "mlir", MPX_SYSTEM_MLIR },
    { "iree", MPX_SYSTEM_IREE },
    { "cuda", MPX_SYSTEM_CUDA },
    { "vulkan", MPX_SYSTEM_VULKAN },
    { "webnn", MPX_SYSTEM_WEBNN },
    { "wgsl", MPX_SYSTEM_WGSL },
    { "mpi", MPX_SYSTEM_MPI },
};
#define SYSTEMS (sizeof systems / sizeof systems[0])

#define UNTOUCHED 77

static const char *word_of(mpx_system system) {
    size_t i;
    for (i = 0; i < SYSTEMS; i++)
        if (systems[i].system == system) return systems[i].word;
    return "no system";
}

static mpx_dtype short_name(const golden_file *g, const char *name) {
    mpx_dtype t;
    for (t = 1; t < MPX_DTYPE_COUNT; t++)
        if (strcmp(mpx_dtype_short_name(t), name) == 0) return t;
    golden_broken(g, "no dtype has this short name");
    return MPX_NONE;
}

/* NumPy writes <V1 and <V2 for what it does not know: nothing can be read from them. */
static int is_lost(mpx_system system, const char *name) {
    return system == MPX_SYSTEM_NUMPY_STR && (strcmp(name, "<V1") == 0 || strcmp(name, "<V2") == 0);
}

/* Parse from a heap copy of exactly the word's bytes, without a NUL. */
static mpx_status parse(mpx_system system, const char *word, size_t len, mpx_dtype *out,
                        mpx_error *err) {
    char *copy = (char *)malloc(len + (len == 0));
    mpx_status status;
    if (copy == NULL) exit(2);
    memcpy(copy, word, len);
    status = mpx_interop_parse_n(system, copy, len, out, err);
    free(copy);
    return status;
}

static void check_reads(mpx_system system, const char *word, mpx_dtype want) {
    mpx_dtype got = UNTOUCHED;
    mpx_error err = test_any_error();
    mpx_status status = parse(system, word, strlen(word), &got, &err);
    CHECK(status == MPX_OK && got == want && err.status == MPX_OK && err.offset == 0 &&
              err.length == 0,
          "%s '%s': %s, %s, wanted %s", word_of(system), word, mpx_status_string(status),
          mpx_dtype_name(got), mpx_dtype_name(want));
    got = UNTOUCHED;
    CHECK(mpx_interop_parse(system, word, &got, NULL) == MPX_OK && got == want, "%s '%s' with NUL",
          word_of(system), word);
}

static void check_refused(mpx_system system, const char *word, size_t len) {
    mpx_dtype got = UNTOUCHED;
    mpx_error err = test_any_error();
    mpx_status status = parse(system, word, len, &got, &err);
    mpx_status want = len == 0 ? MPX_ERR_EMPTY : MPX_ERR_DTYPE;
    CHECK(status == want && got == UNTOUCHED && err.status == want && err.offset == 0 &&
              err.length == len,
          "%s '%.40s' of %lu: %s, %s, at %lu of %lu", word_of(system), word, (unsigned long)len,
          mpx_status_string(status), mpx_dtype_name(got), (unsigned long)err.offset,
          (unsigned long)err.length);
}

/* ---- every cell ------------------------------------------------------------------------------ */

static void check_code(mpx_system system, mpx_dtype type, const char *cell) {
    int64_t code = UNTOUCHED, want = cell == NULL ? UNTOUCHED : (int64_t)strtoll(cell, NULL, 0);
    mpx_status status = mpx_interop_code(system, type, &code);
    mpx_dtype back = UNTOUCHED;
    CHECK(status == (cell == NULL ? MPX_ERR_DTYPE : MPX_OK) && code == want,
          "%s %s: %s, %ld, wanted %s", word_of(system), mpx_dtype_name(type),
          mpx_status_string(status), (long)code, cell == NULL ? "none" : cell);
    if (cell == NULL) return;
    CHECK(mpx_interop_dtype(system, want, &back) == MPX_OK && back == type,
          "%s %s read: %s, wanted %s", word_of(system), cell, mpx_dtype_name(back),
          mpx_dtype_name(type));
}

static void check_name(mpx_system system, mpx_dtype type, const char *cell) {
    const char *name = mpx_interop_name(system, type);
    CHECK(strcmp(name, cell == NULL ? "" : cell) == 0, "%s %s: '%s', wanted '%s'", word_of(system),
          mpx_dtype_name(type), name, cell == NULL ? "" : cell);
    if (cell == NULL) return;
    if (is_lost(system, cell))
        check_refused(system, cell, strlen(cell));
    else
        check_reads(system, cell, type);
}

/* "17,4": code and bits. */
static void check_dlpack(mpx_dtype type, const char *cell) {
    mpx_dlpack got = { 77, 77, 77 };
    int code, bits;
    mpx_dtype back = UNTOUCHED;
    if (sscanf(cell, "%d,%d", &code, &bits) != 2) exit(2);
    CHECK(mpx_interop_dlpack(type, &got) == MPX_OK && got.code == code && got.bits == bits &&
              got.lanes == 1,
          "dlpack %s: (%d,%d), %d lanes, wanted (%s), 1 lane", mpx_dtype_name(type), got.code,
          got.bits, got.lanes, cell);
    got.code = (uint8_t)code;
    got.bits = (uint8_t)bits;
    got.lanes = 1;
    CHECK(mpx_interop_dlpack_dtype(got, &back) == MPX_OK && back == type, "dlpack (%s): %s", cell,
          mpx_dtype_name(back));
}

static void case_every_cell(void) {
    static int seen[SYSTEMS + 1][MPX_DTYPE_COUNT];
    golden_file g;
    size_t i;
    mpx_dtype t;
    golden_open(&g, "../interop");
    while (golden_next(&g)) {
        t = short_name(&g, golden_text(&g, "dtype"));
        for (i = 0; i < SYSTEMS && !golden_is(&g, "system", systems[i].word); i++) {
        }
        seen[i][t]++;
        if (i == SYSTEMS) {
            if (!golden_is(&g, "system", "dlpack")) golden_broken(&g, "unknown system");
            check_dlpack(t, golden_text(&g, "code"));
            continue;
        }
        check_code(systems[i].system, t, golden_text(&g, "code"));
        check_name(systems[i].system, t, golden_text(&g, "name"));
        if (golden_text(&g, "alias") != NULL)
            check_reads(systems[i].system, golden_text(&g, "alias"), t);
    }
    golden_close(&g);
    for (i = 0; i <= SYSTEMS; i++)
        for (t = 1; t < MPX_DTYPE_COUNT; t++)
            CHECK(seen[i][t] == 1, "%s %s stands %d times in tests/interop.tsv",
                  i < SYSTEMS ? systems[i].word : "dlpack", mpx_dtype_name(t), seen[i][t]);
    CHECK(SYSTEMS + 1 == MPX_SYSTEM_COUNT, "a system is not tested");
}

/* ---- all systems, all dtypes, all numbers ---------------------------------------------------- */

static void case_unique(void) {
    mpx_system s;
    mpx_dtype a, b;
    for (s = 1; s < MPX_SYSTEM_COUNT; s++) {
        for (a = 1; a < MPX_DTYPE_COUNT; a++) {
            for (b = a + 1; b < MPX_DTYPE_COUNT; b++) {
                const char *name = mpx_interop_name(s, a);
                int64_t x = -1, y = -2;
                mpx_interop_code(s, a, &x);
                mpx_interop_code(s, b, &y);
                CHECK(x != y, "%s: %s and %s are both %ld", word_of(s), mpx_dtype_name(a),
                      mpx_dtype_name(b), (long)x);
                CHECK(name[0] == '\0' || is_lost(s, name) ||
                          strcmp(name, mpx_interop_name(s, b)) != 0,
                      "%s: %s and %s are both '%s'", word_of(s), mpx_dtype_name(a),
                      mpx_dtype_name(b), name);
            }
        }
    }
}

/* What is no system and what is no dtype, from both sides. */
static void case_round_trips(void) {
    mpx_system s;
    mpx_dtype t;
    for (s = -2; s < MPX_SYSTEM_COUNT + 3; s++) {
        int is_system = s > MPX_SYSTEM_NONE && s < MPX_SYSTEM_COUNT;
        for (t = -5; t < MPX_DTYPE_COUNT + 5; t++) {
            int is_dtype = t > MPX_NONE && t < MPX_DTYPE_COUNT;
            const char *name = mpx_interop_name(s, t);
            int64_t code = -UNTOUCHED;
            mpx_status status = mpx_interop_code(s, t, &code);
            mpx_dtype back = UNTOUCHED;
            if (!is_system || !is_dtype) {
                CHECK(status == (is_system ? MPX_ERR_DTYPE : MPX_ERR_ARGUMENT) &&
                          code == -UNTOUCHED && strcmp(name, "") == 0,
                      "system %d dtype %d: %s, %ld, '%s'", s, t, mpx_status_string(status),
                      (long)code, name);
                continue;
            }
            if (status == MPX_OK)
                CHECK(mpx_interop_dtype(s, code, &back) == MPX_OK && back == t, "%s %s by number",
                      word_of(s), mpx_dtype_name(t));
            else
                CHECK(status == MPX_ERR_DTYPE && code == -UNTOUCHED, "%s %s: %s", word_of(s),
                      mpx_dtype_name(t), mpx_status_string(status));
            if (name[0] != '\0' && !is_lost(s, name)) check_reads(s, name, t);
        }
        if (!is_system) {
            mpx_dtype out = UNTOUCHED;
            mpx_error err = test_any_error();
            CHECK(mpx_interop_dtype(s, 1, &out) == MPX_ERR_ARGUMENT && out == UNTOUCHED,
                  "system %d reads 1", s);
            CHECK(mpx_interop_parse_n(s, "F32", 3, &out, &err) == MPX_ERR_ARGUMENT &&
                      out == UNTOUCHED && err.status == MPX_ERR_ARGUMENT && err.offset == 0 &&
                      err.length == 0,
                  "system %d reads 'F32'", s);
            CHECK(strcmp(err.what, "system") == 0, "the option's name: %s", err.what);
        }
    }
}

/* The dtype whose number this is; IREE's integers without sign count as signed. */
static mpx_dtype by_search(mpx_system s, int64_t code) {
    mpx_dtype t;
    if (s == MPX_SYSTEM_IREE && (code & ~(int64_t)0xff) == 0x10000000) code += 0x01000000;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        int64_t x = -1;
        if (mpx_interop_code(s, t, &x) == MPX_OK && x == code) return t;
    }
    return MPX_NONE;
}

static void check_number(mpx_system s, int64_t code) {
    mpx_dtype got = UNTOUCHED, want = by_search(s, code);
    mpx_status status = mpx_interop_dtype(s, code, &got);
    CHECK(status == (want == MPX_NONE ? MPX_ERR_DTYPE : MPX_OK) &&
              got == (want == MPX_NONE ? UNTOUCHED : want),
          "%s reads %ld: %s, %s", word_of(s), (long)code, mpx_status_string(status),
          mpx_dtype_name(got));
}

static void case_every_number(void) {
    static const int64_t bases[] = { 0,          0x100,      0x10000,    1000141000, 1000491000,
                                     1000672000, 0x10000000, 0x11000000, 0x12000000, 0x13000000,
                                     0x20000000, 0x21000000, 0x22000000, 0x23000000, 0x24000000,
                                     0x25000000, 0x26000000, 0x27000000, 0x28000000, 0x29000000,
                                     0x2a000000, 0x2b000000, 0x2c000000, INT32_MIN,  INT32_MAX,
                                     UINT32_MAX, INT64_MIN,  INT64_MAX - 300 };
    mpx_system s;
    size_t i;
    int64_t d;
    for (s = 1; s < MPX_SYSTEM_COUNT; s++)
        for (i = 0; i < sizeof bases / sizeof bases[0]; i++)
            for (d = bases[i] == INT64_MIN ? 0 : -300; d < 300; d++)
                check_number(s, bases[i] + d);
}

static void case_every_dlpack(void) {
    static const uint16_t lanes[] = { 0, 1, 2, 3, 4, 8, 256, 257, 65535 };
    int code, bits, accepted = 0;
    size_t i;
    for (code = 0; code < 256; code++) {
        for (bits = 0; bits < 256; bits++) {
            for (i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
                mpx_dlpack format, back = { 77, 77, 77 };
                mpx_dtype t = UNTOUCHED;
                format.code = (uint8_t)code;
                format.bits = (uint8_t)bits;
                format.lanes = lanes[i];
                if (mpx_interop_dlpack_dtype(format, &t) != MPX_OK) {
                    CHECK(t == UNTOUCHED, "dlpack (%d,%d), %d lanes: touched", code, bits,
                          lanes[i]);
                    continue;
                }
                accepted++;
                CHECK(mpx_interop_dlpack(t, &back) == MPX_OK && back.code == code &&
                          back.bits == bits && back.lanes == 1,
                      "dlpack (%d,%d), %d lanes: %s is another", code, bits, lanes[i],
                      mpx_dtype_name(t));
                CHECK(lanes[i] == 1 || (lanes[i] == 2 && t == MPX_F4E2M1FN),
                      "dlpack (%d,%d): %d lanes", code, bits, lanes[i]);
            }
        }
    }
    CHECK(accepted == MPX_DTYPE_COUNT - 1 + 1, "dlpack: %d formats are read", accepted);
    {
        mpx_dlpack none = { 77, 77, 77 };
        mpx_dtype t;
        for (t = -3; t < MPX_DTYPE_COUNT + 3; t++) {
            if (t > 0 && t < MPX_DTYPE_COUNT) continue;
            CHECK(mpx_interop_dlpack(t, &none) == MPX_ERR_DTYPE && none.code == 77, "dlpack of %d",
                  t);
        }
    }
}

/* ---- traps, by name -------------------------------------------------------------------------- */

static int64_t code_of(mpx_system s, mpx_dtype t) {
    int64_t code = -1;
    mpx_interop_code(s, t, &code);
    return code;
}

static void case_tflite_numbers_twice(void) {
    CHECK(code_of(MPX_SYSTEM_TFLITE, MPX_F16) == 1, "in the file");
    CHECK(code_of(MPX_SYSTEM_TFLITE_C, MPX_F16) == 10, "in the C API");
    CHECK(by_search(MPX_SYSTEM_TFLITE, 10) == MPX_F64, "10 in the file");
    CHECK(by_search(MPX_SYSTEM_TFLITE_C, 1) == MPX_F32, "1 in the C API");
    CHECK(by_search(MPX_SYSTEM_TFLITE_C, 0) == MPX_NONE, "kTfLiteNoType");
}

static void case_pytorch_numbers_twice(void) {
    CHECK(code_of(MPX_SYSTEM_TORCH, MPX_F16) == 5, "c10");
    CHECK(code_of(MPX_SYSTEM_TORCH_EXPORT, MPX_F16) == 6, "torch.export");
    CHECK(code_of(MPX_SYSTEM_TORCH, MPX_BF16) == 15, "c10");
    CHECK(code_of(MPX_SYSTEM_TORCH_EXPORT, MPX_BF16) == 13, "torch.export");
    CHECK(by_search(MPX_SYSTEM_TORCH, 13) == MPX_NONE, "13 is quint8");
    CHECK(by_search(MPX_SYSTEM_TORCH_EXPORT, 0) == MPX_NONE, "0 is UNKNOWN");
    CHECK(by_search(MPX_SYSTEM_TORCH, 8) == MPX_NONE, "8 is complex32");
}

/* OCP's E4M3 is e4m3fn in files and on devices, the IEEE-like format in compilers and DLPack. */
static void case_e4m3_is_two_formats(void) {
    mpx_dlpack dl = { 8, 8, 1 };
    mpx_dtype t = UNTOUCHED;
    check_reads(MPX_SYSTEM_SAFETENSORS, "F8_E4M3", MPX_F8E4M3FN);
    check_reads(MPX_SYSTEM_CUDA, "CUDA_R_8F_E4M3", MPX_F8E4M3FN);
    check_reads(MPX_SYSTEM_CUDA, "CUDA_R_8F_UE4M3", MPX_F8E4M3FN);
    check_reads(MPX_SYSTEM_NUMPY, "float8_e4m3", MPX_F8E4M3);
    check_reads(MPX_SYSTEM_JAX, "float8_e4m3", MPX_F8E4M3);
    check_reads(MPX_SYSTEM_XLA, "F8E4M3", MPX_F8E4M3);
    check_reads(MPX_SYSTEM_MLIR, "f8E4M3", MPX_F8E4M3);
    check_refused(MPX_SYSTEM_TORCH, "float8_e4m3", 11);
    check_refused(MPX_SYSTEM_KERAS, "float8_e4m3", 11);
    CHECK(mpx_interop_dlpack_dtype(dl, &t) == MPX_OK && t == MPX_F8E4M3, "DLPack code 8");
    dl.code = 10;
    CHECK(mpx_interop_dlpack_dtype(dl, &t) == MPX_OK && t == MPX_F8E4M3FN, "DLPack code 10");
    CHECK(by_search(MPX_SYSTEM_VULKAN, 1000491002) == MPX_F8E4M3FN, "Vulkan FLOAT8_E4M3_EXT");
}

static void case_f4_is_four_bytes_or_four_bits(void) {
    check_reads(MPX_SYSTEM_NUMPY_STR, "<f4", MPX_F32);
    check_reads(MPX_SYSTEM_SAFETENSORS, "F4", MPX_F4E2M1FN);
    check_refused(MPX_SYSTEM_NUMPY_STR, "f4", 2);
    check_refused(MPX_SYSTEM_NUMPY_STR, ">f4", 3);
    check_refused(MPX_SYSTEM_NUMPY, "f4", 2);
}

static void case_pytorch_pairs(void) {
    mpx_dlpack pair = { 17, 4, 2 };
    mpx_dtype t = UNTOUCHED;
    CHECK(strcmp(mpx_interop_name(MPX_SYSTEM_TORCH, MPX_F4E2M1FN), "float4_e2m1fn_x2") == 0,
          "the name says that it is a pair");
    check_refused(MPX_SYSTEM_TORCH, "float4_e2m1fn", 13);
    CHECK(mpx_interop_dlpack_dtype(pair, &t) == MPX_OK && t == MPX_F4E2M1FN, "(17,4), 2 lanes");
    pair.bits = 8;
    pair.lanes = 1;
    CHECK(mpx_interop_dlpack_dtype(pair, &t) == MPX_ERR_DTYPE, "(17,8) is not specified");
}

static void case_ggml_blocks_are_no_elements(void) {
    static const int blocks[] = { 2, 3, 6, 7, 8, 9, 35, 39, 40, 41, 42 };
    size_t i;
    for (i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        CHECK(by_search(MPX_SYSTEM_GGUF, blocks[i]) == MPX_NONE, "ggml type %d", blocks[i]);
    check_refused(MPX_SYSTEM_GGUF, "Q8_0", 4);
    check_refused(MPX_SYSTEM_GGUF, "MXFP4", 5);
    check_refused(MPX_SYSTEM_GGUF, "U8", 2);
}

static void case_iree_without_sign(void) {
    CHECK(by_search(MPX_SYSTEM_IREE, 0x10000020) == MPX_I32, "the test's own search");
    check_number(MPX_SYSTEM_IREE, 0x10000020);
    check_number(MPX_SYSTEM_IREE, 0x10000001);
    CHECK(code_of(MPX_SYSTEM_IREE, MPX_I32) == 0x11000020, "written with its sign");
}

/* ---- bad input ------------------------------------------------------------------------------- */

static void case_malformed_names(void) {
    static const struct {
        mpx_system system;
        const char *name;
    } bad[] = {
        { MPX_SYSTEM_SAFETENSORS, "bf16" },      { MPX_SYSTEM_SAFETENSORS, "BF16 " },
        { MPX_SYSTEM_SAFETENSORS, " BF16" },     { MPX_SYSTEM_SAFETENSORS, "F8E4M3" },
        { MPX_SYSTEM_SAFETENSORS, "F8_E4M3FN" }, { MPX_SYSTEM_SAFETENSORS, "E4M3" },
        { MPX_SYSTEM_SAFETENSORS, "C128" },      { MPX_SYSTEM_SAFETENSORS, "I4" },
        { MPX_SYSTEM_SAFETENSORS, "\"F32\"" },   { MPX_SYSTEM_SAFETENSORS, "F32,F32" },
        { MPX_SYSTEM_GGUF, "f32" },              { MPX_SYSTEM_GGUF, "F8_E4M3" },
        { MPX_SYSTEM_ONNX, "FLOAT32" },          { MPX_SYSTEM_ONNX, "float" },
        { MPX_SYSTEM_ONNX, "FLOAT8E4M3" },       { MPX_SYSTEM_ONNX, "STRING" },
        { MPX_SYSTEM_ARROW, "ee" },              { MPX_SYSTEM_ARROW, "z" },
        { MPX_SYSTEM_ARROW, "u" },               { MPX_SYSTEM_NUMPY, "float" },
        { MPX_SYSTEM_NUMPY, "half" },            { MPX_SYSTEM_NUMPY, "Float32" },
        { MPX_SYSTEM_NUMPY_STR, "=f4" },         { MPX_SYSTEM_NUMPY_STR, "<f16" },
        { MPX_SYSTEM_NUMPY_STR, "|V1" },         { MPX_SYSTEM_NUMPY_STR, "<V3" },
        { MPX_SYSTEM_TORCH, "torch.float16" },   { MPX_SYSTEM_TORCH, "half" },
        { MPX_SYSTEM_TORCH, "float6_e2m3fn" },   { MPX_SYSTEM_JAX, "jnp.float32" },
        { MPX_SYSTEM_KERAS, "mixed_float16" },   { MPX_SYSTEM_KERAS, "string" },
        { MPX_SYSTEM_KERAS, "int4" },            { MPX_SYSTEM_XLA, "f32" },
        { MPX_SYSTEM_XLA, "I32" },               { MPX_SYSTEM_XLA, "pred" },
        { MPX_SYSTEM_MLIR, "sui8" },             { MPX_SYSTEM_MLIR, "si1" },
        { MPX_SYSTEM_MLIR, "sf16" },             { MPX_SYSTEM_MLIR, "complex< f32>" },
        { MPX_SYSTEM_MLIR, "s" },                { MPX_SYSTEM_MLIR, "f8e4m3fn" },
        { MPX_SYSTEM_CUDA, "R_16F" },            { MPX_SYSTEM_CUDA, "CUDA_C_16F" },
        { MPX_SYSTEM_CUDA, "CUDA_R_8F_UE5M2" },  { MPX_SYSTEM_WEBNN, "int16" },
        { MPX_SYSTEM_WGSL, "f64" },              { MPX_SYSTEM_MPI, "MPI_LONG" },
        { MPX_SYSTEM_VULKAN, "FLOAT16" },        { MPX_SYSTEM_IREE, "f32" },
        { MPX_SYSTEM_TFLITE, "FLOAT32" },        { MPX_SYSTEM_TORCH_EXPORT, "HALF" },
    };
    size_t i;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_refused(bad[i].system, bad[i].name, strlen(bad[i].name));
    CHECK(sizeof bad / sizeof bad[0] >= 40, "fewer names than planned");
}

/* Every name cut short, made longer, with a byte changed to NUL, or in the other case: refused
   unless it happens to be another name. */
static int is_a_name(mpx_system s, const char *word, size_t len) {
    mpx_dtype t;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        const char *name = mpx_interop_name(s, t);
        if (is_lost(s, name)) continue;
        if (strlen(name) == len && memcmp(name, word, len) == 0) return 1;
        if (s == MPX_SYSTEM_MLIR && name[0] == 'i' && name[1] != '1' && len == strlen(name) + 1 &&
            word[0] == 's' && memcmp(name, word + 1, len - 1) == 0)
            return 1;
    }
    return 0;
}

static void check_damaged(mpx_system s, const char *word, size_t len) {
    if (!is_a_name(s, word, len)) check_refused(s, word, len);
}

static void case_damaged_names(void) {
    mpx_system s;
    mpx_dtype t;
    char word[64];
    for (s = 1; s < MPX_SYSTEM_COUNT; s++) {
        for (t = 1; t < MPX_DTYPE_COUNT; t++) {
            const char *name = mpx_interop_name(s, t);
            size_t len = strlen(name), i;
            if (len == 0) continue;
            for (i = 0; i < len; i++)
                check_damaged(s, name, i);
            memset(word, 0, sizeof word);
            for (i = 0; i < len; i++) {
                memcpy(word, name, len);
                word[i] = '\0';
                check_damaged(s, word, len);
                word[i] = (char)(name[i] ^ 0x20);
                check_damaged(s, word, len);
                word[i] = (char)(name[i] ^ (char)0x80);
                check_damaged(s, word, len);
            }
            memcpy(word, name, len);
            word[len] = '\0';
            check_damaged(s, word, len + 1);
            word[len] = 'x';
            check_damaged(s, word, len + 1);
        }
    }
}

static void case_long_garbage(void) {
    size_t len = 1 << 20, i;
    char *text = (char *)malloc(len);
    mpx_dtype out;
    mpx_system s;
    if (text == NULL) exit(2);
    for (i = 0; i < len; i++)
        text[i] = "F32"[i % 3];
    for (s = 1; s < MPX_SYSTEM_COUNT; s++)
        check_refused(s, text, len);
    CHECK(mpx_dtype_suggest(text, len) == MPX_NONE, "a suggestion for a megabyte");
    free(text);
    CHECK(mpx_interop_parse_n(MPX_SYSTEM_ONNX, NULL, 0, &out, NULL) == MPX_ERR_EMPTY, "NULL, 0");
}

/* ---- did you mean ---------------------------------------------------------------------------- */

static void case_suggestions(void) {
    static const struct {
        const char *word;
        mpx_dtype want;
    } rows[] = {
        /* the nearest of all */
        { "bfloat61", MPX_BF16 },
        { "flaot16", MPX_F16 },
        { "flot16", MPX_F16 },
        { "floaat32", MPX_F32 },
        { "f8e4m3nf", MPX_F8E4M3FN },
        { "f8e4m3fm", MPX_F8E4M3FN },
        { "float8_e5m3", MPX_NONE }, /* e5m2, or e4m3, or e3m4 */
        { "float8_e52m", MPX_F8E5M2 },
        { "F8_E4M3FN", MPX_F8E4M3FN },
        { "F8_E4M3NF", MPX_F8E4M3FN },
        { "bf61", MPX_BF16 },
        { "bflaot16", MPX_BF16 },
        { "BFLOAT16", MPX_BF16 },
        { "bfolat16", MPX_BF16 },
        { "boool", MPX_BOOL },
        { "complex46", MPX_C64 },
        { "complx128", MPX_C128 },
        { "doubel", MPX_F64 },
        { "unit16", MPX_U16 },
        { "itn32", MPX_I32 },
        { "CUDA_R_16BG", MPX_BF16 },
        { "MPI_FLOATT", MPX_F32 },
        { "ui8", MPX_U8 },
        { "PRDE", MPX_BOOL },
        { "full", MPX_F32 },
        { "hafl", MPX_F16 },
        { "halff", MPX_F16 },
        { "fpp32", MPX_F32 },
        { "int", MPX_I32 },
        { "f15", MPX_F16 },
        { "float1", MPX_F16 },
        /* two as near */
        { "float61", MPX_NONE }, /* 16 swapped, 64 with one digit changed */
        { "uint61", MPX_NONE },
        { "CUDA_R_16FB", MPX_NONE }, /* 16BF swapped, 16F with a letter more */
        { "b16", MPX_NONE },
        { "f61", MPX_NONE },
        { "i9", MPX_NONE },
        { "uint", MPX_NONE },
        /* ambiguous: the parser has another sentence for them */
        { "float8", MPX_NONE },
        { "float", MPX_NONE },
        { "FLOAT", MPX_NONE },
        { "f8", MPX_NONE },
        { "e4m3", MPX_NONE },
        { "fp8_e4m3", MPX_NONE },
        { "long", MPX_NONE },
        { "fp8e4m3", MPX_NONE },
        { "fp4", MPX_NONE },
        { "float4", MPX_NONE },
        /* other bytes, or the same the other way round */
        { ">f4", MPX_NONE },
        { ">f2", MPX_NONE },
        { "|f4", MPX_NONE },
        { ">i8", MPX_NONE },
        { "=u4", MPX_NONE },
        { "bf8", MPX_NONE },
        { "hf8", MPX_NONE },
        { "nf4", MPX_NONE },
        /* nothing near */
        { "xyz", MPX_NONE },
        { "", MPX_NONE },
        { "e", MPX_NONE },
        { "q", MPX_NONE },
        { "zz", MPX_NONE },
        { "full_precision", MPX_NONE },
        { "mixed_float16", MPX_NONE },
        { "mixed_bfloat16", MPX_NONE },
        { "float16float16float16float16", MPX_NONE },
        { "################################", MPX_NONE },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mpx_dtype got = mpx_dtype_suggest(rows[i].word, strlen(rows[i].word));
        CHECK(got == rows[i].want, "'%s': '%s', wanted '%s'", rows[i].word, mpx_dtype_name(got),
              mpx_dtype_name(rows[i].want));
    }
    CHECK(mpx_dtype_suggest(NULL, 0) == MPX_NONE, "NULL, 0");
    CHECK(mpx_dtype_suggest("float\0" "16", 8) == MPX_F16, "a NUL is a letter too many");
}

/* Edits between two words, by the definition, over the whole matrix. */
static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c; }

static int edits(const char *a, const char *b) {
    static int d[64][64];
    int i, j, n = (int)strlen(a), m = (int)strlen(b);
    for (i = 0; i <= n; i++)
        for (j = 0; j <= m; j++) {
            int least = i == 0 || j == 0 ? i + j : 99;
            if (i > 0 && d[i - 1][j] + 1 < least) least = d[i - 1][j] + 1;
            if (j > 0 && d[i][j - 1] + 1 < least) least = d[i][j - 1] + 1;
            if (i > 0 && j > 0) {
                int same = lower(a[i - 1]) == lower(b[j - 1]);
                if (d[i - 1][j - 1] + !same < least) least = d[i - 1][j - 1] + !same;
            }
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && d[i - 2][j - 2] + 1 < least)
                least = d[i - 2][j - 2] + 1;
            d[i][j] = least;
        }
    return d[n][m];
}

/* Words that the header refuses because they mean different dtypes elsewhere. */
static int is_ambiguous(const char *word) {
    static const char *const words[] = { "f8",    "fp8",     "float8", "e4m3", "long",
                                         "float", "fp8e4m3", "fp4",    "float4", "fp8_e4m3" };
    size_t i;
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (edits(word, words[i]) == 0) return 1;
    return 0;
}

/* The least number of edits from the word to a word for this dtype. */
static int edits_to(const char *word, mpx_dtype t) {
    static const char *const aliases[] = {
        "full",    "fp16",          "fp32",         "fp64",        "f8_e4m3",
        "f8_e5m2", "f8_e4m3fn",     "fp8_e4m3fn",   "fp8_e5m2",    "f8_e4m3fnuz",
        "int",     "fp8_e4m3fnuz",  "f8_e5m2fnuz",  "fp8_e5m2fnuz", "fp8_e4m3b11fnuz",
        "s2",      "s4",            "s8",           "s16",         "s32",
        "s64",     "f8_e8m0",       "half",
    };
    int least = edits(word, mpx_dtype_name(t)), n = edits(word, mpx_dtype_short_name(t));
    mpx_system s;
    size_t i;
    if (n < least) least = n;
    for (i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        mpx_dtype alias = MPX_NONE;
        if (mpx_dtype_parse(aliases[i], &alias) != MPX_OK || alias != t) continue;
        n = edits(word, aliases[i]);
        if (n < least) least = n;
    }
    for (s = 1; s < MPX_SYSTEM_COUNT; s++) {
        const char *name = mpx_interop_name(s, t);
        if (s == MPX_SYSTEM_NUMPY_STR || strlen(name) < 3 || is_ambiguous(name)) continue;
        n = edits(word, name);
        if (n < least) least = n;
    }
    return least;
}

static void check_nearest(const char *word) {
    size_t len = strlen(word);
    int limit = len >= 5 ? 2 : len >= 3 ? 1 : 0, best = limit + 1, n;
    mpx_dtype want = MPX_NONE, got = mpx_dtype_suggest(word, len), t;
    for (t = 1; t < MPX_DTYPE_COUNT && len <= 24 && len > 0 && !is_ambiguous(word); t++) {
        n = edits_to(word, t);
        if (n > limit || n > best) continue;
        want = n < best ? t : MPX_NONE;
        best = n;
    }
    CHECK(got == want, "'%s': '%s', wanted '%s'", word, mpx_dtype_name(got), mpx_dtype_name(want));
}

/* One edit, and two, away from every name, against the definition. */
static void case_nearest_by_definition(void) {
    static const char letters[] = "aefo_1368Mx";
    mpx_dtype t;
    char once[64], twice[80];
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        int form;
        for (form = 0; form < 2; form++) {
            const char *name = form ? mpx_dtype_short_name(t) : mpx_dtype_name(t);
            size_t n = strlen(name), i;
            check_nearest(name);
            for (i = 0; i < n; i++) {
                char letter = letters[(i * 7 + (size_t)t) % (sizeof letters - 1)];
                sprintf(once, "%.*s%s", (int)i, name, name + i + 1); /* one left out */
                check_nearest(once);
                sprintf(twice, "%.*s%c%s", (int)(i / 2), once, letter, once + i / 2);
                check_nearest(twice); /* and one put in elsewhere */
                sprintf(once, "%.*s%c%s", (int)i, name, letter, name + i + 1); /* one changed */
                check_nearest(once);
                sprintf(twice, "%s%c", once, letter);
                check_nearest(twice);
                strcpy(once, name); /* two swapped */
                if (i > 0) once[i] = name[i - 1], once[i - 1] = name[i];
                check_nearest(once);
                sprintf(twice, "%c%s", letter, once);
                check_nearest(twice);
            }
        }
    }
    for (t = 0; t < 8; t++) { /* around the longest word looked at */
        strcpy(once, "MPI_C_DOUBLE_COMPLEX");
        memset(once + strlen(once), 'x', 8);
        once[20 + t] = '\0';
        check_nearest(once);
        check_nearest(once + 19);
    }
}

static void check_sentence(const char *text, const char *end) {
    mpx_error err;
    mpx_policy p;
    char sentence[256];
    size_t n, tail = strlen(end);
    CHECK(mpx_policy_parse(text, &p, &err) != MPX_OK, "'%s' is a policy", text);
    n = mpx_error_format(&err, text, sentence, sizeof sentence);
    CHECK(n == strlen(sentence) && n > tail && strcmp(sentence + n - tail, end) == 0,
          "'%s': \"%s\" does not end with \"%s\"", text, sentence, end);
}

/* What an error suggests, the same call takes. */
static void check_suggestions(void) {
    static const char *const words[] = { "bfloat6", "flaot16", "int33", "uint6", "f8e4m3nf", "float6_e2m3", "complex4" };
    size_t i, suggested = 0;
    mpx_system s;
    for (s = 1; s < MPX_SYSTEM_COUNT; s++)
        for (i = 0; i < sizeof words / sizeof words[0]; i++) {
            mpx_error err;
            mpx_dtype type;
            char sentence[MPX_ERROR_TEXT_SIZE], *from, *to;
            if (mpx_interop_parse(s, words[i], &type, &err) == MPX_OK) continue;
            mpx_error_format(&err, words[i], sentence, sizeof sentence);
            from = strstr(sentence, "did you mean '");
            if (from == NULL) continue;
            from += strlen("did you mean '");
            to = strchr(from, '\'');
            CHECK(to != NULL && mpx_interop_parse_n(s, from, (size_t)(to - from), &type, NULL) == MPX_OK,
                  "system %d, %s: %s", (int)s, words[i], sentence);
            suggested++;
        }
    CHECK(suggested > 60, "%lu suggestions", (unsigned long)suggested);
}
static void case_sentences(void) {
    check_suggestions();
    check_sentence("p=f32,c=bfloat61", "; did you mean 'bfloat16'?");
    check_sentence("flaot16", "; did you mean 'float16'?");
    check_sentence("c=f8e4m3nf,o=f32", "; did you mean 'float8_e4m3fn'?");
    check_sentence("c=xyz", "or full, half");
    check_sentence("c=f8", "; say f8e4m3fn or f8e5m2");
    {
        mpx_error err;
        mpx_dtype type;
        char sentence[256];
        CHECK(mpx_interop_parse(MPX_SYSTEM_SAFETENSORS, "f32", &type, &err) == MPX_ERR_DTYPE,
              "safetensors writes capitals");
        mpx_error_format(&err, "f32", sentence, sizeof sentence);
        CHECK(strcmp(sentence, "unknown dtype 'f32' at 0; expected a name that this system has; did you mean 'F32'?") == 0,
              "%s", sentence);
        (void)mpx_interop_parse(MPX_SYSTEM_ONNX, "FLAOT16", &type, &err);
        mpx_error_format(&err, "FLAOT16", sentence, sizeof sentence);
        CHECK(strstr(sentence, "did you mean 'FLOAT16'?") != NULL, "%s", sentence);
        (void)mpx_interop_parse(MPX_SYSTEM_MPI, "MPI_FLOTA", &type, &err);
        mpx_error_format(&err, "MPI_FLOTA", sentence, sizeof sentence);
        CHECK(strstr(sentence, "did you mean 'MPI_FLOAT'?") != NULL, "%s", sentence);
        (void)mpx_interop_parse(MPX_SYSTEM_NUMPY, "float", &type, &err);
        mpx_error_format(&err, "float", sentence, sizeof sentence);
        CHECK(strcmp(sentence, "unknown dtype 'float' at 0; expected a name that this system has") == 0, "%s", sentence);
    }
    {
        /* right, but not in this dialect: nothing to suggest */
        mpx_parse_options keras = { MPX_DIALECT_KERAS, MPX_NONE };
        mpx_error err;
        mpx_policy p;
        char sentence[256];
        CHECK(mpx_policy_parse_n("int8", 4, keras, &p, &err) == MPX_ERR_PAIR, "int8 in Keras");
        mpx_error_format(&err, "int8", sentence, sizeof sentence);
        CHECK(strstr(sentence, "did you mean") == NULL, "\"%s\"", sentence);
    }
}

int main(void) {
    case_every_cell();
    case_unique();
    case_round_trips();
    case_every_number();
    case_every_dlpack();
    case_tflite_numbers_twice();
    case_pytorch_numbers_twice();
    case_e4m3_is_two_formats();
    case_f4_is_four_bytes_or_four_bits();
    case_pytorch_pairs();
    case_ggml_blocks_are_no_elements();
    case_iree_without_sign();
    case_malformed_names();
    case_damaged_names();
    case_long_garbage();
    case_suggestions();
    case_nearest_by_definition();
    case_sentences();
    return test_done("test_interop");
}
