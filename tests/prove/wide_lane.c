/* The lane codecs of the dtypes that f32 cannot hold give the bits of the wide number, all 2^64 and
   2^32 inputs, NaN's payload included: SOURCE (f64, i32, u32, i64, u64), of SOURCE_BITS. What the
   wide number gives is proved in wide.c. WITH_F64: an integer of 32 bits, to and from f64. */
#include "spec.h"

typedef NAME3(uint, SOURCE_BITS, _t) code;

int main(void) {
    code in = (code)nondet_ulong(), lane = 0, wide = 0;
    uint32_t u = nondet_uint();
    mpx__wide w;
    NAME2(mpx__wide_load_, SOURCE)(&w, &in);
    PROVE(NAME2(mpx__dec_, SOURCE)(&in) == mpx__wide_to_f32(&w));
    PROVE(NAME2(mpx__dec_odd_, SOURCE)(&in) == mpx__wide_to_f32_odd(&w));
    mpx__wide_from_f32(&w, u);
    NAME2(mpx__enc_, SOURCE)(&lane, u);
    NAME2(mpx__wide_store_, SOURCE)(&wide, &w);
    PROVE(lane == wide);
#ifdef WITH_F64
    {
        uint64_t x = nondet_ulong(), lane64 = 0, wide64 = 0;
        mpx__wide_load_f64(&w, &x);
        NAME2(mpx__wide_store_, SOURCE)(&wide, &w);
        PROVE(NAME3(mpx__dec_, SOURCE, _of_f64)(&x) == wide);
        NAME2(mpx__wide_load_, SOURCE)(&w, &in);
        NAME2(mpx__enc_f64_of_, SOURCE)(&lane64, in);
        mpx__wide_store_f64(&wide64, &w);
        PROVE(lane64 == wide64);
    }
#endif
    return 0;
}
