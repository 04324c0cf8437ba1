/* XNNPACK: its convert operators, one channel, no thread pool. To int8 it rounds to nearest. */
#include "peer.h"
#include <xnnpack.h>

static xnn_operator_t to_f16, from_f16, to_i8, from_i8, from_u8;

static void f32_f16(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    xnn_setup_convert_nc_f32_f16(to_f16, n, (const float *)src, dst, NULL);
    xnn_run_operator(to_f16, NULL);
}
static void f16_f32(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    xnn_setup_convert_nc_f16_f32(from_f16, n, src, (float *)dst, NULL);
    xnn_run_operator(from_f16, NULL);
}
static void f32_i8(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    xnn_setup_convert_nc_f32_qs8(to_i8, n, (const float *)src, (int8_t *)dst, NULL);
    xnn_run_operator(to_i8, NULL);
}
static void i8_f32(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    xnn_setup_convert_nc_qs8_f32(from_i8, n, (const int8_t *)src, (float *)dst, NULL);
    xnn_run_operator(from_i8, NULL);
}
static void u8_f32(const void *row, void *dst, const void *src, size_t n) {
    (void)row;
    xnn_setup_convert_nc_qu8_f32(from_u8, n, (const uint8_t *)src, (float *)dst, NULL);
    xnn_run_operator(from_u8, NULL);
}

static const peer_row rows[] = { { "f32->f16", f32_f16 }, { "f16->f32", f16_f32 },
                                 { "f32->i8", f32_i8 },   { "i8->f32", i8_f32 },
                                 { "u8->f32", u8_f32 },   { NULL, NULL } };

PEER_EXPORT const char *peer_name(void) { return "XNNPACK"; }
PEER_EXPORT const peer_row *peer_table(void) {
    if (xnn_initialize(NULL) != xnn_status_success) return NULL;
    if (xnn_create_convert_nc_f32_f16(1, 1, 1, 0, &to_f16) != xnn_status_success ||
        xnn_create_convert_nc_f16_f32(1, 1, 1, 0, &from_f16) != xnn_status_success ||
        xnn_create_convert_nc_f32_qs8(1, 1, 1, 1.0f, 0, -128, 127, 0, &to_i8) !=
            xnn_status_success ||
        xnn_create_convert_nc_qs8_f32(1, 1, 1, 1.0f, 0, 0, &from_i8) != xnn_status_success ||
        xnn_create_convert_nc_qu8_f32(1, 1, 1, 1.0f, 0, 0, &from_u8) != xnn_status_success)
        return NULL;
    return rows;
}
