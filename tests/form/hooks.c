/* MPX_ASSERT, MPX_MEMCPY and MPX_MEMSET of the user: each must be asked, and the first only for a caller's mistake. */
#include <setjmp.h>
#include <string.h>
static int hook_asserts, hook_copies, hook_zeros, hook_casts, hook_to, hook_from;
static char hook_many[100 * 8];
static jmp_buf hook_back;
static void hook_assert(int fine) {
    if (fine) return;
    hook_asserts++;
    longjmp(hook_back, 1);
}
static void hook_copy(void *d, const void *s, size_t n) {
    hook_copies++;
    memcpy(d, s, n);
}
static void hook_zero(void *d, int c, size_t n) {
    hook_zeros++;
    memset(d, c, n);
}
#define MPX_ASSERT(x) hook_assert(x)
#define MPX_MEMCPY(d, s, n) hook_copy(d, s, n)
#define MPX_MEMSET(d, c, n) hook_zero(d, c, n)
#define MPX_IMPLEMENTATION
#define USE_MAIN use_all
#include "use.c"
int main(void) {
    float from[3] = { 1.0f, 2.0f, 3.0f }, to[3] = { 0.0f, 0.0f, 0.0f };
    int wrong = use_all();
    if (wrong != 0) return wrong;
    if (mpx_cast(to, MPX_F32, from, MPX_F32, 3) != MPX_OK || to[2] < 3.0f) return 41;
    if (hook_asserts != 0 || hook_copies == 0 || hook_zeros == 0) return 42;
    if (setjmp(hook_back) == 0) (void)mpx_cast(NULL, MPX_F32, from, MPX_BF16, 3);
    if (hook_asserts != 1) return 43;
    for (hook_to = MPX_F64; hook_to <= MPX_U64; hook_to++)
        for (hook_from = MPX_F64; hook_from <= MPX_U64; hook_from++) {
            if (setjmp(hook_back) == 0) 
                (void)mpx_cast(NULL, (mpx_dtype)hook_to, hook_many, (mpx_dtype)hook_from, 100);
            if (++hook_casts != hook_asserts - 1) return 44;
        }
    hook_asserts = 0;
    if (setjmp(hook_back) == 0) (void)mpx_f8_rebias(hook_many, MPX_F8E5M2, NULL, MPX_F8E5M2FNUZ, 1);
    if (setjmp(hook_back) == 0) (void)mpx_fake_quant(NULL, from, 3, 0.0f, 1.0f, 8, 0);
    if (setjmp(hook_back) == 0) (void)mpx_unscale_squares(hook_many, MPX_F32, from, MPX_F32, 3, 1, NULL, NULL);
    if (setjmp(hook_back) == 0) (void)mpx_cast_strided(NULL, MPX_F16, 8, from, MPX_F32, 4, 3, 1, NULL);
    if (hook_asserts != 4) return 45;
    return 0;
}
