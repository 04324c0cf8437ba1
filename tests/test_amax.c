/* mpx_amax of every float dtype: all codes of 16 bits and less, and 65,536 of more bits, one by one
   and in buffers of every length up to 300 with the largest at every place; Inf, NaN, zeros; f64
   beyond f32. The value of a code is the reference's (ref.h). */
#include "test.h"
#include "ref.h"

enum { MAX_N = 300 };

/* What a code's magnitude counts: f32 bits, NaN above all, whatever its payload. */
static uint32_t magnitude(mpx_dtype type, uint64_t code) {
    uint32_t bits = (uint32_t)ref_cast(MPX_F32, type, code) & 0x7fffffffu;
    return bits > 0x7f800000u ? 0x7fc00000u : bits;
}

static uint32_t amax_of(mpx_dtype type, const void *data, size_t n) {
    float amax = -1;
    uint32_t bits;
    mpx_status status = mpx_amax(data, type, n, &amax);
    CHECK(status == MPX_OK, "%s n=%lu: status %d", mpx_dtype_name(type), (unsigned long)n, status);
    memcpy(&bits, &amax, 4);
    return bits;
}

/* Of more than 16 bits: all upper halves or quarters, with one of three tails. */
static uint64_t code_of(mpx_dtype type, uint64_t i) {
    int low = mpx_dtype_bits(type) - 16;
    uint64_t tails[3] = { 0, ~(uint64_t)0, 0x5555555555555555u };
    return low > 0 ? i << low | (tails[i % 3] & ref_low_mask(low)) : i;
}

static void single(mpx_dtype type) {
    int bits = mpx_dtype_bits(type);
    uint64_t i, count = (uint64_t)1 << (bits <= 16 ? bits : 16);
    for (i = 0; i < count; i++) {
        unsigned char one[8] = { 0 };
        uint32_t want = magnitude(type, code_of(type, i)), got;
        ref_store(type, one, 0, code_of(type, i));
        got = amax_of(type, one, 1);
        CHECK(got == want, "%s: code 0x%llx: %08x, not %08x", mpx_dtype_name(type),
              (unsigned long long)code_of(type, i), (unsigned)got, (unsigned)want);
    }
}

/* A buffer of zeros and the code 1, of either sign, and one other code at each place. */
static void places(mpx_dtype type) {
    static unsigned char data[MAX_N * 8];
    uint64_t sign = type == MPX_F8E8M0FNU ? 0 : ref_sign_bit(&ref_formats[type]);
    size_t n, i;
    for (n = 1; n <= MAX_N; n++) {
        uint64_t other = code_of(type, n * 40503u % 65536u & ref_low_mask(mpx_dtype_bits(type)));
        for (i = 0; i < n; i++)
            ref_store(type, data, i, i % 3 == 0 ? 0 : 1 | (i % 2 != 0 ? sign : 0));
        for (i = 0; i < n; i++) {
            int has_one = (n > 1 && i != 1) || (n > 2 && i != 2);
            uint32_t rest = n == 1 ? 0 : magnitude(type, (uint64_t)has_one), got;
            uint32_t want = magnitude(type, other) > rest ? magnitude(type, other) : rest;
            uint64_t old = ref_load(type, data, i);
            ref_store(type, data, i, other);
            got = amax_of(type, data, n);
            CHECK(got == want, "%s n=%lu: 0x%llx at %lu: %08x, not %08x", mpx_dtype_name(type),
                  (unsigned long)n, (unsigned long long)other, (unsigned long)i, (unsigned)got,
                  (unsigned)want);
            ref_store(type, data, i, old);
        }
    }
}

static void edges(void) {
    float amax = 7;
    int t;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        CHECK(mpx_all_finite(NULL, (mpx_dtype)t, 0), "dtype %d: nothing is finite", t);
        if (!ref_is_float((mpx_dtype)t)) continue;
        amax = 7;
        CHECK(mpx_amax(NULL, (mpx_dtype)t, 0, &amax) == MPX_OK && !(amax > 0) && !(amax < 0),
              "dtype %d: nothing has amax 0, not %g", t, (double)amax);
    }
    for (t = 0; t <= MPX_DTYPE_COUNT; t++) {
        mpx_status want = ref_is_float((mpx_dtype)(t % MPX_DTYPE_COUNT)) && t < MPX_DTYPE_COUNT
                              ? MPX_OK
                              : MPX_ERR_DTYPE;
        double zeros[2] = { 0, 0 };
        amax = 7;
        CHECK(mpx_amax(zeros, (mpx_dtype)t, 1, &amax) == want, "dtype %d", t);
        CHECK(want == MPX_OK || (amax > 6 && amax < 8), "dtype %d: written to", t);
    }
}

int main(void) {
    int t;
    for (t = 1; t < MPX_DTYPE_COUNT; t++) {
        if (!ref_is_float((mpx_dtype)t)) continue;
        single((mpx_dtype)t);
        places((mpx_dtype)t);
    }
    edges();
    return test_done("test_amax");
}
