/* Policies as text: read in several spellings, printed, derived, read and printed as other systems
   do, and refused with a sentence that names the word. In Python: jmp.get_policy("p=f32,c=bf16").

       cc -O2 -I. examples/policy_string.c -o policy_string

   prints

       p=f32,c=bf16,o=f32           p=f32,c=bf16,o=f32
       bf16                         p=bf16,c=bf16,o=bf16
       mixed_bfloat16               p=f32,c=bf16,o=bf16
       params=float32, compute=half p=f32,c=f16,o=f16
       <c=bf16>                     <c=bf16>
       mixed, output f32            p=f32,c=bf16,o=f32
       equal to the first           yes
       c=half, where half is bf16   p=f32,c=bf16,o=bf16
       printed for jmp              p=full,c=bf16,o=full
       printed for Axon             #Axon.MixedPrecision.Policy<p=f32 c=bf16 o=f32>
       printed for Keras            (no word for it)
       mixed, printed for Keras     mixed_bfloat16
       jmp reads mixed_bfloat16     unknown or unusable dtype
       p=f32,c=bf61,o=f32
               ^
       unknown dtype 'bf61' at 8; expected a dtype such as f32, bf16, f16, f8e4m3fn, f8e5m2, or full, half; did you mean 'bfloat16'?
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

static void print(const char *label, mpx_policy p) {
    char text[MPX_POLICY_TEXT_SIZE];
    mpx_policy_format(p, text, sizeof text);
    printf("%-28s %s\n", label, text);
}

static void print_as(const char *label, mpx_policy p, mpx_dialect dialect) {
    char text[MPX_POLICY_TEXT_SIZE];
    int known = mpx_policy_format_with(p, dialect, text, sizeof text) != 0;
    printf("%-28s %s\n", label, known ? text : "(no word for it)");
}

int main(void) {
    static const char *const spelling[] = { "p=f32,c=bf16,o=f32", "bf16", "mixed_bfloat16",
                                            "params=float32, compute=half", "<c=bf16>" };
    mpx_parse_options half_is_bf16 = { MPX_DIALECT_ANY, MPX_BF16 };
    mpx_parse_options as_jmp = { MPX_DIALECT_JMP, MPX_NONE };
    const char *misspelt = "p=f32,c=bf61,o=f32";
    mpx_policy p, mixed, derived;
    mpx_error err;
    char sentence[MPX_ERROR_TEXT_SIZE];
    int i;

    for (i = 0; i < 5; i++) {
        if (mpx_policy_parse(spelling[i], &p, NULL) != MPX_OK) return 1;
        print(spelling[i], p);
    }

    if (mpx_policy_parse("mixed_bfloat16", &mixed, NULL) != MPX_OK) return 1;
    derived = mixed;
    derived.output = MPX_F32;
    print("mixed, output f32", derived);
    if (mpx_policy_parse("p=f32,c=bf16,o=f32", &p, NULL) != MPX_OK) return 1;
    printf("%-28s %s\n", "equal to the first", mpx_policy_equal(derived, p) ? "yes" : "no");

    if (mpx_policy_parse_with("c=half", half_is_bf16, &p, NULL) != MPX_OK) return 1;
    print("c=half, where half is bf16", p);

    print_as("printed for jmp", derived, MPX_DIALECT_JMP);
    print_as("printed for Axon", derived, MPX_DIALECT_AXON);
    print_as("printed for Keras", derived, MPX_DIALECT_KERAS);
    print_as("mixed, printed for Keras", mixed, MPX_DIALECT_KERAS);
    printf("%-28s %s\n", "jmp reads mixed_bfloat16",
           mpx_status_string(mpx_policy_parse_with("mixed_bfloat16", as_jmp, &p, NULL)));

    if (mpx_policy_parse(misspelt, &p, &err) == MPX_OK) return 1;
    mpx_error_format(&err, misspelt, sentence, sizeof sentence);
    printf("%s\n%*s^\n%s\n", misspelt, (int)err.offset, "", sentence);
    return 0;
}
