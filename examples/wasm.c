/* WebAssembly without a libc: a page converts its arrays and reads policies in a module of its own.
   examples/wasm.mjs is the other side.

       clang --target=wasm32 -nostdlib -ffreestanding -Oz -msimd128 -fuse-ld=lld -Wl,--no-entry -I. -o wasm.wasm examples/wasm.c
       node examples/wasm.mjs wasm.wasm

   Without -msimd128 the module is a third as large, and slower; the numbers are the same.

   prints

       [wasm] 1000 weights, 4000 bytes
       float16       2000 bytes 35 c1 d3 c0 ... off by 0.0006511
       bfloat16      2000 bytes 27 c0 1a c0 ... off by 0.005208
       float8_e4m3fn 1000 bytes c2 c2 c1 c0 ... off by 0.1250
       float4_e2m1fn 500 bytes cd cc bc bb ... off by 0.5000
       p=f32,c=bf16,o=f16: float32 / bfloat16 / float16
       mixed_float16: float32 / float16 / float16
       p=f32,c=bf16,q=f16: unknown key 'q' at 13; expected p, c or o (param, compute, output)
*/
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#include "mpx.h"

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("isa") const char *wasm_isa(void) { return mpx_isa(); }
EXPORT("dtype_name") const char *wasm_dtype_name(mpx_dtype type) { return mpx_dtype_name(type); }

/* Memory for the caller to put arrays and texts into. */
static unsigned char room[1 << 20];
EXPORT("room") unsigned char *wasm_room(void) { return room; }
EXPORT("room_size") size_t wasm_room_size(void) { return sizeof room; }

/* A dtype by its name, 0 if there is none. */
EXPORT("dtype") mpx_dtype wasm_dtype(const char *name) {
    mpx_dtype type = MPX_NONE;
    (void)mpx_dtype_parse(name, &type);
    return type;
}

/* n elements of src, of dtype `from`, to dst; the bytes written, 0 if one of them is no dtype. */
EXPORT("cast")
size_t wasm_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n) {
    return mpx_cast(dst, to, src, from, n) == MPX_OK ? mpx_dtype_bytes(to, n) : 0;
}

/* roles: param, compute, output. 0, or a negative status, and then text becomes the message. */
EXPORT("policy")
mpx_status wasm_policy(char *text, size_t size, mpx_dtype roles[3]) {
    char message[MPX_ERROR_TEXT_SIZE];
    mpx_policy p;
    mpx_error err;
    size_t i;
    mpx_status status = mpx_policy_parse(text, &p, &err);
    if (status == MPX_OK) {
        roles[0] = p.param;
        roles[1] = p.compute;
        roles[2] = p.output;
        return status;
    }
    (void)mpx_error_format(&err, text, message, sizeof message);
    for (i = 0; i + 1 < size && message[i] != 0; i++)
        text[i] = message[i];
    if (size != 0) text[i] = 0;
    return status;
}
