/* Macros that real headers define, to be seen before mpx.h (-include). An object-like one expands to text that compiles
   nowhere: whoever uses the word as an identifier fails. A function-like one fails where the word is called. */
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__) /* the compiler's own headers bear fewer macros than mpx.h does */
#include <immintrin.h>
#endif
#define HOSTILE ? hostile macro ?

/* short names of types, in games and drivers */
#define u8 HOSTILE
#define u16 HOSTILE
#define u32 HOSTILE
#define u64 HOSTILE
#define i8 HOSTILE
#define i16 HOSTILE
#define i32 HOSTILE
#define i64 HOSTILE
#define s8 HOSTILE
#define s16 HOSTILE
#define s32 HOSTILE
#define s64 HOSTILE
#define f16 HOSTILE
#define f32 HOSTILE
#define f64 HOSTILE
#define bf16 HOSTILE
#define uint HOSTILE
#define ushort HOSTILE
#define uchar HOSTILE
#define ulong HOSTILE
#define real HOSTILE
#define boolean HOSTILE

/* windows.h and what it includes: windef, rpcndr, basetyps, wingdi, winsock, dlgs */
#define near HOSTILE
#define far HOSTILE
#define NEAR HOSTILE
#define FAR HOSTILE
#define small HOSTILE
#define hyper HOSTILE
#define interface HOSTILE
#define cdecl HOSTILE
#define pascal HOSTILE
#define IN HOSTILE
#define OUT HOSTILE
#define OPTIONAL HOSTILE
#define CONST HOSTILE
#define VOID HOSTILE
#define TRUE HOSTILE
#define FALSE HOSTILE
#define ERROR HOSTILE
#define DELETE HOSTILE
#define STRICT HOSTILE
#define ABSOLUTE HOSTILE
#define RELATIVE HOSTILE
#define OPAQUE HOSTILE
#define TRANSPARENT HOSTILE
#define DIFFERENCE HOSTILE
#define NO_ERROR HOSTILE
#define grp1 HOSTILE
#define lst1 HOSTILE
#define rad1 HOSTILE
#define chx1 HOSTILE
#define s_addr HOSTILE
#define h_addr HOSTILE
#define min(a, b) HOSTILE
#define max(a, b) HOSTILE
#define GetMessage HOSTILE
#define CreateFile HOSTILE
#define GetFreeSpace(w) HOSTILE

/* complex.h, math.h, fenv.h, termios.h, sys/sysmacros.h, newlib's ctype.h, lwIP's sockets, SysV */
#define I HOSTILE
#define complex HOSTILE
#define imaginary HOSTILE
#define NAN HOSTILE
#define INFINITY HOSTILE
#define HUGE HOSTILE
#define OVERFLOW HOSTILE
#define UNDERFLOW HOSTILE
#define DOMAIN HOSTILE
#define SING HOSTILE
#define isnan(x) HOSTILE
#define isinf(x) HOSTILE
#define isfinite(x) HOSTILE
#define signbit(x) HOSTILE
#define B0 HOSTILE
#define B50 HOSTILE
#define B110 HOSTILE
#define ECHO HOSTILE
#define CR0 HOSTILE
#define TAB0 HOSTILE
#define major(x) HOSTILE
#define minor(x) HOSTILE
#define _B HOSTILE
#define _C HOSTILE
#define _L HOSTILE
#define _N HOSTILE
#define _P HOSTILE
#define _S HOSTILE
#define _U HOSTILE
#define _X HOSTILE
#define unix HOSTILE
#define linux HOSTILE
#define i386 HOSTILE
#define mips HOSTILE
#define sun HOSTILE
#define vax HOSTILE
#define index(s, c) HOSTILE
#define rindex(s, c) HOSTILE
#define bcopy(s, d, n) HOSTILE
#define read(f, b, n) HOSTILE
#define write(f, b, n) HOSTILE
#define select(n, r, w, e, t) HOSTILE
#define send(s, b, n, f) HOSTILE
#define accept(s, a, n) HOSTILE
#define close(f) HOSTILE
#define log(x) HOSTILE
#define abs(x) HOSTILE

/* Arduino, AVR, CMSIS and vendor headers */
#define F(x) HOSTILE
#define B1 HOSTILE
#define B00 HOSTILE
#define B01 HOSTILE
#define B11111111 HOSTILE
#define A0 HOSTILE
#define PI HOSTILE
#define LOW HOSTILE
#define HIGH HOSTILE
#define INPUT HOSTILE
#define OUTPUT HOSTILE
#define DEFAULT HOSTILE
#define INTERNAL HOSTILE
#define EXTERNAL HOSTILE
#define SERIAL HOSTILE
#define DISPLAY HOSTILE
#define CHANGE HOSTILE
#define round(x) HOSTILE
#define sq(x) HOSTILE
#define bit(b) HOSTILE
#define lowByte(w) HOSTILE
#define highByte(w) HOSTILE
#define word(...) HOSTILE
#define constrain(x, low, high) HOSTILE
#define radians(d) HOSTILE
#define degrees(r) HOSTILE
#define _BV(b) HOSTILE
#define SET HOSTILE
#define RESET HOSTILE
#define ENABLE HOSTILE
#define DISABLE HOSTILE
#define RAM HOSTILE
#define ROM HOSTILE
#define E2END HOSTILE
#define SP HOSTILE
#define SREG HOSTILE

/* X11, curses, Qt, Apple, GLib, R, Perl, Ruby */
#define None HOSTILE
#define Bool HOSTILE
#define Status HOSTILE
#define Success HOSTILE
#define True HOSTILE
#define False HOSTILE
#define Always HOSTILE
#define Unsorted HOSTILE
#define Above HOSTILE
#define Below HOSTILE
#define Complex HOSTILE
#define OK HOSTILE
#define ERR HOSTILE
#define erase() HOSTILE
#define clear() HOSTILE
#define move(y, x) HOSTILE
#define timeout(d) HOSTILE
#define lines HOSTILE
#define columns HOSTILE
#define signals HOSTILE
#define slots HOSTILE
#define emit HOSTILE
#define foreach HOSTILE
#define forever HOSTILE
#define check(x) HOSTILE
#define verify(x) HOSTILE
#define require(x, label) HOSTILE
#define nil HOSTILE
#define YES HOSTILE
#define NO HOSTILE
#define MIN(a, b) HOSTILE
#define MAX(a, b) HOSTILE
#define ABS(a) HOSTILE
#define CLAMP(x, low, high) HOSTILE
#define length(x) HOSTILE
#define error(...) HOSTILE
#define seed HOSTILE
#undef BIG_ENDIAN /* glibc has these three */
#undef LITTLE_ENDIAN
#undef BYTE_ORDER
#define BIG_ENDIAN HOSTILE
#define LITTLE_ENDIAN HOSTILE
#define BYTE_ORDER HOSTILE

/* single letters and short words of old and generated code */
#define N HOSTILE
#define M HOSTILE
#define K HOSTILE
#define D HOSTILE
#define E HOSTILE
#define L HOSTILE
#define P HOSTILE
#define R HOSTILE
#define S HOSTILE
#define U HOSTILE
#define V HOSTILE
#define W HOSTILE
#define Y HOSTILE
#define Z HOSTILE
#define X HOSTILE
#define T HOSTILE
#define EPS HOSTILE
#define BITS HOSTILE
#define SIZE HOSTILE
#define COUNT HOSTILE
#define assert(x) HOSTILE
#define likely(x) HOSTILE
#define unlikely(x) HOSTILE
#define inline_ HOSTILE
#define ALIGN(x) HOSTILE
#define ALIGNMENT HOSTILE
#define PACKED HOSTILE
#define UNUSED HOSTILE
#define F16 HOSTILE
#define F32 HOSTILE
#define F64 HOSTILE
#define BF16 HOSTILE
#define U8 HOSTILE
#define U16 HOSTILE
#define U32 HOSTILE
#define I8 HOSTILE
#define I32 HOSTILE
