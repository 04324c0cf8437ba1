"""What the oracles share: the library through ctypes, values worth casting, and a comparison."""
import ctypes

import numpy as np

FLOATS8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
           "float8_e4m3b11fnuz", "float8_e4m3", "float8_e3m4", "float8_e8m0fnu"]
FLOATS_BELOW_8 = ["float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"]
FLOATS = ["float64", "float32", "float16", "bfloat16"] + FLOATS8 + FLOATS_BELOW_8
NEAREST, TOWARD_ZERO = 0, 1


class Options(ctypes.Structure):
    """mpx_cast_options of types.h."""
    _fields_ = [("rounding", ctypes.c_int), ("saturate", ctypes.c_int),
                ("dst_layout", ctypes.c_int), ("src_layout", ctypes.c_int),
                ("split_block", ctypes.c_size_t), ("random_seed", ctypes.c_uint64),
                ("offset", ctypes.c_uint64), ("stats", ctypes.c_void_p),
                ("int_rounding", ctypes.c_int)]


def pack(codes, bits):
    """Codes below a byte, one per byte, to packed bytes: element 0 in the lowest bits."""
    spread = np.unpackbits(codes[:, None], axis=1, bitorder="little")[:, :bits]
    return np.packbits(spread.reshape(-1), bitorder="little")


def unpack(data, bits, count):
    spread = np.unpackbits(data, bitorder="little")[:count * bits].reshape(count, bits)
    return np.packbits(spread, axis=1, bitorder="little")[:, 0]


class Library:
    """The library under test. Arrays of codes are unsigned integers, one element each."""

    def __init__(self, path):
        self.mpx = ctypes.CDLL(path)
        self.mpx.mpx_cast.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
                                      ctypes.c_size_t]
        self.mpx.mpx_cast_with.argtypes = self.mpx.mpx_cast.argtypes + [ctypes.c_void_p]

    def dtype(self, name):
        """The constant of a dtype, asked of the library: its numbers may change."""
        out = ctypes.c_int()
        if self.mpx.mpx_dtype_parse(name.encode(), ctypes.byref(out)) != 0:
            raise ValueError(name)
        return out.value

    def bits(self, name):
        return self.mpx.mpx_dtype_bits(self.dtype(name))

    def cast_bytes(self, data, source, target, count, options=None):
        """mpx_cast, or mpx_cast_with where there are options, of memory as it lies."""
        out = np.zeros((count * self.bits(target) + 7) // 8, np.uint8)
        data = np.ascontiguousarray(data)
        args = [out.ctypes.data, self.dtype(target), data.ctypes.data, self.dtype(source), count]
        if options is None:
            status = self.mpx.mpx_cast(*args)
        else:
            status = self.mpx.mpx_cast_with(*args, ctypes.addressof(options))
        if status != 0:
            raise RuntimeError(f"{source} to {target}: status {status}")
        return out

    def cast(self, values, source, target, options=None):
        """The same for an array of any dtype of the source's width; codes below a byte unpacked."""
        codes = storage(values)
        bits = self.bits(source)
        data = pack(codes, bits) if bits < 8 else codes
        out = self.cast_bytes(data, source, target, codes.size, options)
        bits = self.bits(target)
        if bits < 8:
            return unpack(out, bits, codes.size)
        return out.view(np.dtype(f"u{bits // 8}"))


def storage(array):
    array = np.ascontiguousarray(array)
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


def differences(got, want, got_nan=None, want_nan=None):
    """How many codes differ; where both masks say NaN, any NaN equals any other."""
    wrong = got != want
    if want_nan is not None:
        wrong = np.where(want_nan, ~got_nan, wrong)
    return int(np.sum(wrong))


def f32_values():
    """The rounding classes of every 16-bit pattern of kept bits, and a million random patterns."""
    tails = np.array([0, 1, 0x7fff, 0x8000, 0x8001, 0xffff], np.uint32)
    kept = np.arange(1 << 16, dtype=np.uint32) << 16
    random = np.random.default_rng(7).integers(0, 1 << 32, 1 << 20, dtype=np.uint32)
    finer = np.arange(1 << 20, dtype=np.uint32) << 12
    return np.concatenate([(kept[:, None] | tails).reshape(-1), finer, finer | 0x800,
                           finer | 0x7ff, random]).view(np.float32)


def f64_values():
    """Random patterns, magnitudes that narrow formats hold, and neighbours of ties."""
    rng = np.random.default_rng(8)
    wide = rng.integers(0, 1 << 64, 1 << 19, dtype=np.uint64).view(np.float64)
    near = rng.standard_normal(1 << 19) * 2.0 ** rng.integers(-30, 18, 1 << 19)
    halves = np.float64(1) + np.arange(1 << 12) * 2.0**-12 + 2.0**-40
    edges = np.array([0, np.inf, np.nan, 65520, 65519.999, 464, 464.001, 2.0**-1074])
    return np.concatenate([wide, near, halves, -halves * 2.0**-20, halves * 1e4, edges, -edges])


def integers(name):
    """Every value of 16 bits and less; else powers of two, their neighbours and random ones."""
    kind = np.dtype(name)
    info = np.iinfo(kind)
    if kind.itemsize <= 2:
        return np.arange(info.min, int(info.max) + 1).astype(kind)
    near = {sign * ((1 << k) + (1 << k >> j) + step) for k in range(8 * kind.itemsize)
            for j in (8, 9, 11, 12, 24, 25, 53, 54, 64) for step in (-1, 0, 1) for sign in (1, -1)}
    near = np.array(sorted(x for x in near | {0, info.min, int(info.max)}
                           if info.min <= x <= info.max), kind)
    rng = np.random.default_rng(9)
    random = rng.integers(info.min, info.max, 1 << 18, dtype=kind, endpoint=True)
    return np.concatenate([near, random, random >> rng.integers(1, 8 * kind.itemsize - 1, 1 << 18,
                                                                dtype=kind)])
