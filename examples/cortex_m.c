/* A dense layer on a microcontroller of 16 KB RAM: weights int8, activations f16, sums f32; the
   outside world by semihosting. tests/board has the start-up code.

       arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -Os -ffreestanding -nostdlib -I. -Itests/board \
           -Wl,--defsym=board_rom=0 -Wl,--defsym=board_ram=0x20000000 \
           -Wl,--defsym=board_ram_size=16384 -Wl,-T,tests/board/board.ld \
           examples/cortex_m.c tests/board/board.c -lgcc -o cortex_m.elf
       qemu-system-arm -M mps2-an385 -semihosting-config enable=on,target=native -nographic \
           -monitor none -serial none -kernel cortex_m.elf

   prints

       weights      2048 bytes, as f32 8192
       activations  192 bytes, as f32 384
       y[0]    4687 1/1000
       y[1]   -1023 1/1000
       y[2]   -2251 1/1000
       y[3]    1376 1/1000
*/
#define MPX_IMPLEMENTATION
#define MPX_STATIC 1
#define MPX_DTYPES (MPX_WITH_F16 | MPX_WITH_I8)
#define MPX_TILE 16
#define MPX_NO_TREE 1
#define MPX_NO_POLICY 1
#define MPX_NO_LOSS_SCALE 1
#define MPX_NO_INTEROP 1
#define MPX_NO_PROMOTE 1
#define MPX_NO_PARALLEL 1
#include "mpx.h"
#include "board.h"

enum { INPUTS = 64, OUTPUTS = 32, PIECE = 16 };

static const float scale = 1.0f / 256; /* of the weights: w = scale * code */

/* y = scale * W x, PIECE weights at a time: no row is ever wholly in f32. */
static mpx_status dense(uint16_t *y, const int8_t *w, const uint16_t *x) {
    float wide_w[PIECE], wide_x[PIECE], sum;
    int row, at, i;
    for (row = 0; row < OUTPUTS; row++) {
        for (sum = 0, at = 0; at < INPUTS; at += PIECE, w += PIECE) {
            mpx_status status = mpx_cast(wide_w, MPX_F32, w, MPX_I8, PIECE);
            if (status == MPX_OK) status = mpx_cast(wide_x, MPX_F32, x + at, MPX_F16, PIECE);
            if (status != MPX_OK) return status;
            for (i = 0; i < PIECE; i++)
                sum += wide_w[i] * wide_x[i];
        }
        y[row] = mpx_f16_from_f32(sum * scale);
    }
    return MPX_OK;
}

/* ---- the outside world ----------------------------------------------------------------------- */

static void print_number(long x, int width) {
    char text[12];
    int at = 11, negative = x < 0;
    unsigned long rest = negative ? 0ul - (unsigned long)x : (unsigned long)x;
    text[at] = '\0';
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (negative) text[--at] = '-';
    while (at > 11 - width)
        text[--at] = ' ';
    board_print(text + at);
}

static void print_line(const char *what, long x, int width, const char *after, long y,
                       const char *end) {
    board_print(what);
    print_number(x, width);
    board_print(after);
    print_number(y, 0);
    board_print(end);
}

static int8_t weights[OUTPUTS * INPUTS];
static uint16_t x[INPUTS], y[OUTPUTS];

int main(void) {
    float value;
    int i;
    for (i = 0; i < OUTPUTS * INPUTS; i++)
        weights[i] = (int8_t)(i * 37 % 255 - 127);
    for (i = 0; i < INPUTS; i++)
        x[i] = mpx_f16_from_f32((float)(i % 7 - 3) / 8);
    if (dense(y, weights, x) != MPX_OK) return 1;
    print_line("weights      ", sizeof weights, 0, " bytes, as f32 ", 4 * (long)sizeof weights,
               "\n");
    print_line("activations  ", sizeof x + sizeof y, 0, " bytes, as f32 ",
               2 * (long)(sizeof x + sizeof y), "\n");
    for (i = 0; i < 4; i++) {
        value = mpx_f16_to_f32(y[i]);
        board_print("y[");
        print_number(i, 0);
        print_line("]", (long)(value * 1000), 8, " 1/", 1000, "\n");
    }
    return 0;
}
