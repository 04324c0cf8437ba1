/*==========================================================================*
 * MARK: carried - the dtypes that this build has: MPX_DTYPES                *
 *   MPX__IF_F64(x) is x where the build has f64, and nothing where not.     *
 *==========================================================================*/
#define MPX__DTYPE_BITS ((MPX_DTYPES) | MPX_WITH_F32)
#if MPX__DTYPE_BITS & ~MPX_WITH_ALL
#error "mpx.h: MPX_DTYPES has bits that are no MPX_WITH_..."
#endif
/* What MPX_DTYPES does not say, and the build has. */
#if (MPX_DTYPES) & MPX_WITH_F32
#define MPX__F32_UNSAID 0
#else
#define MPX__F32_UNSAID MPX_WITH_F32
#endif
/* In #if a misspelt MPX_WITH_... reads as 0: here it is an error. */
enum { MPX__DTYPES_ARE_KNOWN = ((MPX_DTYPES) & 1) == 0 };
#if !MPX_NO_STATS && !(MPX__DTYPE_BITS & MPX_WITH_F64)
#error "mpx.h: statistics need MPX_WITH_F64 among MPX_DTYPES"
#endif

/* 1 where a build has f64; dtypes below a byte; complex ones; dtypes whose significands have more
   than 32 bits. */
#define MPX__HAS_F64 ((MPX__DTYPE_BITS & MPX_WITH_F64) != 0)
#define MPX__HAS_PACKED \
    ((MPX__DTYPE_BITS & (MPX_WITH_F6E2M3FN | MPX_WITH_F6E3M2FN | MPX_WITH_F4E2M1FN | \
                         MPX_WITH_I2 | MPX_WITH_U2 | MPX_WITH_I4 | MPX_WITH_U4)) != 0)
#define MPX__HAS_COMPLEX ((MPX__DTYPE_BITS & (MPX_WITH_C64 | MPX_WITH_C128)) != 0)
#define MPX__HAS_64 ((MPX__DTYPE_BITS & (MPX_WITH_F64 | MPX_WITH_I64 | MPX_WITH_U64)) != 0)

#if MPX__DTYPE_BITS & MPX_WITH_F64
#define MPX__IF_F64(x) x
#else
#define MPX__IF_F64(x)
#endif
#define MPX__IF_F32(x) x /* always: casts meet in it */
#if MPX__DTYPE_BITS & MPX_WITH_F16
#define MPX__IF_F16(x) x
#else
#define MPX__IF_F16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BF16
#define MPX__IF_BF16(x) x
#else
#define MPX__IF_BF16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FN
#define MPX__IF_F8E4M3FN(x) x
#else
#define MPX__IF_F8E4M3FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2
#define MPX__IF_F8E5M2(x) x
#else
#define MPX__IF_F8E5M2(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3FNUZ
#define MPX__IF_F8E4M3FNUZ(x) x
#else
#define MPX__IF_F8E4M3FNUZ(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E5M2FNUZ
#define MPX__IF_F8E5M2FNUZ(x) x
#else
#define MPX__IF_F8E5M2FNUZ(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3B11FNUZ
#define MPX__IF_F8E4M3B11FNUZ(x) x
#else
#define MPX__IF_F8E4M3B11FNUZ(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E4M3
#define MPX__IF_F8E4M3(x) x
#else
#define MPX__IF_F8E4M3(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E3M4
#define MPX__IF_F8E3M4(x) x
#else
#define MPX__IF_F8E3M4(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F8E8M0FNU
#define MPX__IF_F8E8M0FNU(x) x
#else
#define MPX__IF_F8E8M0FNU(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E2M3FN
#define MPX__IF_F6E2M3FN(x) x
#else
#define MPX__IF_F6E2M3FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F6E3M2FN
#define MPX__IF_F6E3M2FN(x) x
#else
#define MPX__IF_F6E3M2FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_F4E2M1FN
#define MPX__IF_F4E2M1FN(x) x
#else
#define MPX__IF_F4E2M1FN(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_BOOL
#define MPX__IF_BOOL(x) x
#else
#define MPX__IF_BOOL(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I2
#define MPX__IF_I2(x) x
#else
#define MPX__IF_I2(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U2
#define MPX__IF_U2(x) x
#else
#define MPX__IF_U2(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I4
#define MPX__IF_I4(x) x
#else
#define MPX__IF_I4(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U4
#define MPX__IF_U4(x) x
#else
#define MPX__IF_U4(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I8
#define MPX__IF_I8(x) x
#else
#define MPX__IF_I8(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U8
#define MPX__IF_U8(x) x
#else
#define MPX__IF_U8(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I16
#define MPX__IF_I16(x) x
#else
#define MPX__IF_I16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U16
#define MPX__IF_U16(x) x
#else
#define MPX__IF_U16(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I32
#define MPX__IF_I32(x) x
#else
#define MPX__IF_I32(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U32
#define MPX__IF_U32(x) x
#else
#define MPX__IF_U32(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_I64
#define MPX__IF_I64(x) x
#else
#define MPX__IF_I64(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_U64
#define MPX__IF_U64(x) x
#else
#define MPX__IF_U64(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C64
#define MPX__IF_C64(x) x
#else
#define MPX__IF_C64(x)
#endif
#if MPX__DTYPE_BITS & MPX_WITH_C128
#define MPX__IF_C128(x) x
#else
#define MPX__IF_C128(x)
#endif
