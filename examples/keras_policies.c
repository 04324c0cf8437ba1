/* Keras' policies in C: a default for all layers, layers with a policy of their own, quantized ones
   by name, and a name that is refused with its place. In Python: keras.config.set_dtype_policy(...)
   and keras.layers.Dense(64, dtype="int8_from_mixed_bfloat16").

       cc -O2 -I. examples/keras_policies.c -o keras_policies

   prints

       embedding   p=f32,c=bf16,o=bf16
       attention   int4/128_from_mixed_bfloat16: 4 bits, 128 weights a scale, compute bfloat16
       mlp         float8_from_mixed_bfloat16: history of 1024, compute bfloat16
       head        p=f32,c=f32,o=f32
       outside     p=f32,c=f32,o=f32
       gptq/5/128_from_float32
            ^
       number out of range '5' at 5; expected -1 or 1 to 2147483647 (float8: from 0); bits 2, 3, 4 or 8 (awq: 4)
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

typedef struct layer {
    const char *name, *dtype; /* NULL: the default policy */
} layer;
static const layer layers[] = {
    { "embedding", NULL },
    { "attention", "int4/128_from_mixed_bfloat16" },
    { "mlp", "float8_from_mixed_bfloat16" },
    { "head", "float32" },
};

static void print(const char *name, mpx_policy p) {
    char text[MPX_POLICY_TEXT_SIZE];
    mpx_policy_format(p, text, sizeof text);
    printf("%-11s %s", name, text);
    if (p.quantization == MPX_QUANT_INT4) printf(": 4 bits, %d weights a scale", (int)p.group_size);
    if (p.quantization == MPX_QUANT_FLOAT8) printf(": history of %d", (int)p.amax_history_length);
    if (p.quantization != MPX_QUANT_NONE) printf(", compute %s", mpx_dtype_name(p.compute));
    printf("\n");
}

int main(void) {
    mpx_parse_options keras = { MPX_DIALECT_KERAS, MPX_NONE };
    mpx_policy p, unset, before;
    mpx_error err;
    char sentence[MPX_ERROR_TEXT_SIZE];
    const char *wish = "gptq/5/128_from_float32";
    size_t i;
    if (mpx_policy_parse("<>", &unset, NULL) != MPX_OK) return 1;
    if (mpx_policy_parse_with("mixed_bfloat16", keras, &p, NULL) != MPX_OK) return 1;
    before = mpx_default_policy_get();
    mpx_default_policy_set(p); /* for this model */
    for (i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        p = unset;
        if (layers[i].dtype != NULL && mpx_policy_parse_with(layers[i].dtype, keras, &p, NULL) != MPX_OK)
            return 1;
        print(layers[i].name, mpx_policy_or_default(p));
    }
    mpx_default_policy_set(before);
    print("outside", mpx_default_policy_get());
    if (mpx_policy_parse_with(wish, keras, &p, &err) == MPX_OK) return 1;
    mpx_error_format(&err, wish, sentence, sizeof sentence);
    printf("%s\n%*s^\n%s\n", wish, (int)err.offset, "", sentence);
    return 0;
}
