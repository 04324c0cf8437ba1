/* What make size measures: a firmware that takes casts, a policy's text and a dynamic loss scale,
   and nothing else. -DBUDGET_UNSCALE: gradients in a buffer are unscaled and checked too. */
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#include "mpx.h"

#define KEEP __attribute__((used, visibility("default")))

mpx_status budget_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n);
mpx_status budget_parse(const char *text, size_t size, mpx_policy *p, mpx_error *err);
size_t budget_format(mpx_policy p, char *buf, size_t size);
mpx_loss_scale budget_start(float scale);
mpx_loss_scale budget_step(mpx_loss_scale s, int finite);
float budget_scale(const mpx_loss_scale *s, float x);
mpx_status budget_unscale(const mpx_loss_scale *s, float *dst, const uint16_t *src, size_t n,
                          int *finite);

KEEP mpx_status budget_cast(void *dst, mpx_dtype to, const void *src, mpx_dtype from, size_t n) {
    return mpx_cast(dst, to, src, from, n);
}
KEEP mpx_status budget_parse(const char *text, size_t size, mpx_policy *p, mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    return mpx_policy_parse_n(text, size, any, p, err);
}
KEEP size_t budget_format(mpx_policy p, char *buf, size_t size) {
    return mpx_policy_format(p, buf, size);
}
KEEP mpx_loss_scale budget_start(float scale) { return mpx_loss_scale_dynamic(scale); }
KEEP mpx_loss_scale budget_step(mpx_loss_scale s, int finite) {
    return mpx_loss_scale_adjust(s, finite);
}
KEEP float budget_scale(const mpx_loss_scale *s, float x) { return mpx_loss_scale_scale(*s, x); }
#ifdef BUDGET_UNSCALE
KEEP mpx_status budget_unscale(const mpx_loss_scale *s, float *dst, const uint16_t *src, size_t n,
                               int *finite) {
    return mpx_loss_scale_unscale_n(dst, MPX_F32, src, MPX_F16, n, *s, finite);
}
#endif
