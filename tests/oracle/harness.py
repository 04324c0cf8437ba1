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


class Quant(ctypes.Structure):
    """mpx_quant of types.h."""
    _fields_ = [("scheme", ctypes.c_int), ("element", ctypes.c_int), ("scope", ctypes.c_int),
                ("block", ctypes.c_size_t), ("rule", ctypes.c_int), ("zero_point", ctypes.c_int),
                ("single", ctypes.c_int), ("swizzled", ctypes.c_int), ("given", ctypes.c_int),
                ("low", ctypes.c_int32), ("high", ctypes.c_int32), ("epsilon", ctypes.c_float)]


class QuantLayout(ctypes.Structure):
    """mpx_quant_layout of types.h."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("bytes", "codes", "scales", "zeros",
                                                     "tensor_scale", "scale_count")]
    _fields_ += [("scale_type", ctypes.c_int), ("zero_type", ctypes.c_int),
                 ("block", ctypes.c_size_t), ("block_bytes", ctypes.c_size_t)]


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
        self.mpx.mpx_quantize.argtypes = [ctypes.c_void_p, Quant, ctypes.c_void_p, ctypes.c_int,
                                          ctypes.c_size_t, ctypes.c_size_t]
        self.mpx.mpx_dequantize.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, Quant,
                                            ctypes.c_size_t, ctypes.c_size_t]
        self.mpx.mpx_quant_layout_of.argtypes = [Quant, ctypes.c_size_t, ctypes.c_size_t,
                                                 ctypes.c_void_p, ctypes.c_void_p]

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

    def quant(self, text):
        """The mpx_quant that a text gives."""
        out = Quant()
        if self.mpx.mpx_quant_parse(text.encode(), ctypes.byref(out), None) != 0:
            raise ValueError(text)
        return out

    def layout(self, quant, rows, cols):
        out = QuantLayout()
        status = self.mpx.mpx_quant_layout_of(quant, rows, cols, ctypes.byref(out), None)
        if status != 0:
            raise RuntimeError(f"layout of {rows} x {cols}: status {status}")
        return out

    def quantize(self, quant, matrix, name="float32", out=None):
        """All bytes of a quantized matrix; out: those that hold what is given."""
        matrix = np.ascontiguousarray(matrix)
        rows, cols = matrix.shape
        if out is None:
            out = np.zeros(self.layout(quant, rows, cols).bytes, np.uint8)
        status = self.mpx.mpx_quantize(out.ctypes.data, quant, matrix.ctypes.data,
                                       self.dtype(name), rows, cols)
        if status != 0:
            raise RuntimeError(f"quantize {rows} x {cols}: status {status}")
        return out

    def dequantize(self, quant, data, rows, cols, name="float32"):
        """The codes of a float dtype, rows x cols, that bytes stand for."""
        out = np.zeros((rows, cols), np.dtype(f"u{self.bits(name) // 8}"))
        data = np.ascontiguousarray(data)
        status = self.mpx.mpx_dequantize(out.ctypes.data, self.dtype(name), data.ctypes.data, quant,
                                         rows, cols)
        if status != 0:
            raise RuntimeError(f"dequantize {rows} x {cols}: status {status}")
        return out


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


def matrices(width):
    """Names and matrices of f32 with rows of `width`: what quantizers meet, and what they trip over."""
    rng = np.random.default_rng(10)

    def bits(low, high, count=512):
        sign = rng.integers(0, 2, (count, width), dtype=np.uint32) << 31
        return (rng.integers(low, high, (count, width), dtype=np.uint32) | sign).view(np.float32)
    normal = rng.standard_normal((2048, width)).astype(np.float32)
    yield "normal", normal
    yield "one sign", np.abs(normal) + np.float32(0.25)
    yield "scaled rows", np.ldexp(normal, rng.integers(-90, 90, (2048, 1))).astype(np.float32)
    # Few mantissa bits: on the borders between codes.
    yield "short", (rng.integers(-64, 65, (2048, width)) *
                    2.0 ** rng.integers(-6, 6, (2048, 1))).astype(np.float32)
    yield "beside short", np.nextafter((rng.integers(-64, 65, (2048, width)) / 64).astype(np.float32),
                                       np.where(rng.integers(0, 2, (2048, width)), 9, -9)
                                       .astype(np.float32))
    yield "any exponent", bits(0, 0x7f800000)
    yield "large", bits(0x7e000000, 0x7f800000)
    yield "tiny", bits(0, 0x04000000)
    yield "subnormal", bits(0, 0x00800000)
    yield "zeros", np.where(rng.integers(0, 2, (64, width)), 0.0, -0.0).astype(np.float32)
