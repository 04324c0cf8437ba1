/* The random generator of the stochastic mode, a second time and apart from the library. */
#ifndef MODEL_H
#define MODEL_H
#include <stdint.h>

/* The generator a second time, from its description: two multiply-xorshift rounds of "lowbias32"
   with a key between them, over half the index, one 32-bit word for two elements. */
static inline uint32_t model_mix(uint32_t x, uint32_t key) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = ((x ^ x >> 15) ^ key) * 0x846ca68bu;
    return x ^ x >> 16;
}

static inline uint32_t model_random(uint64_t seed, uint64_t index) {
    uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32), word, first, second, third;
    first = model_mix(low ^ 0x9e3779b9u, high);
    second = model_mix(high + 0x85ebca6bu, low);
    third = model_mix((uint32_t)(index >> 33) + second, first);
    word = model_mix((uint32_t)(index >> 1) ^ first, second ^ third);
    return index % 2 != 0 ? word >> 16 : word & 0xffffu;
}
#endif
