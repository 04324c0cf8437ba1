"""Blocks of GGUF files against the gguf package: its bytes to, its bits from.

Left out are blocks where NumPy's result is not defined or is arbitrary, and as many as there are
are counted: a scale whose reciprocal is Inf (its codes are casts of Inf and NaN to uint8), a range
max - min that overflows; and, of Q4_1 and Q5_1, blocks whose least value is a zero of either sign,
where only the sign of the stored minimum may differ; of MXFP4, blocks where amax is below 2^-125,
whose exponent wraps around there, or where its log2 is rounded up.
"""
import numpy as np

from gguf import GGMLQuantizationType as Kind
from gguf import quants
from harness import Library, matrices

ENCODES = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"]
DECODES = ENCODES + ["Q4_K", "Q5_K", "Q6_K", "MXFP4", "NVFP4"]
SIZES = {"Q4_0": (32, 18), "Q4_1": (32, 20), "Q5_0": (32, 22), "Q5_1": (32, 24), "Q8_0": (32, 34),
         "Q4_K": (256, 144), "Q5_K": (256, 176), "Q6_K": (256, 210), "MXFP4": (32, 17), "NVFP4": (64, 36)}
LEVELS = {"Q4_0": 8, "Q4_1": 15, "Q5_0": 16, "Q5_1": 31, "Q8_0": 127}


def quant(library, kind):
    return library.quant(kind if kind in ENCODES or kind.endswith("_K") else f"ggml_{kind}")


def most_is_plain(amax):
    """Not where the exponent wraps around or the package's log2, of f32, is rounded to the next."""
    exponent = np.frexp(amax)[1] - 1
    log2 = np.floor(np.log2(np.where(amax > 0, amax, 1)))
    return (amax == 0) | ((exponent >= -125) & (exponent <= 127) & (log2 == exponent))


def is_defined(kind, blocks):
    """Blocks for which the package computes nothing that is left open."""
    if kind == "MXFP4":
        return most_is_plain(np.abs(blocks).max(axis=1))
    with np.errstate(all="ignore"):
        most = (blocks.max(axis=1) - blocks.min(axis=1) if kind.endswith("_1")
                else np.abs(blocks).max(axis=1))
        scale = most / np.float32(LEVELS[kind])
        return np.isfinite(most) & ((scale == 0) | np.isfinite(1 / scale))


def encode(library, kind):
    block, size = SIZES[kind]
    for name, matrix in matrices(block * 3):
        with np.errstate(all="ignore"):
            want = quants.quantize(matrix, Kind[kind]).reshape(-1, size)
        got = library.quantize(quant(library, kind), matrix).reshape(-1, size)
        blocks = matrix.reshape(-1, block)
        defined = is_defined(kind, blocks)
        same = want.copy()
        if kind.endswith("_1"):  # the sign of a minimum that is zero
            zero = blocks.min(axis=1) == 0
            same[zero, 3] = got[zero, 3] & 0x80 | same[zero, 3] & 0x7f
        wrong = np.flatnonzero((got != same).any(axis=1) & defined)
        words = f"{kind}, {name}: {defined.sum()} blocks, {(~defined).sum()} left open"
        if wrong.size:
            i = wrong[0]
            words += (f", {wrong.size} differ: {blocks[i].tolist()} gives {got[i].tobytes().hex()}, "
                      f"theirs {want[i].tobytes().hex()}")
        yield wrong.size == 0, words


def decode(library, kind):
    block, size = SIZES[kind]
    data = np.random.default_rng(12).integers(0, 256, (4096, size), dtype=np.uint8)
    with np.errstate(all="ignore"):
        want = quants.dequantize(data.copy(), Kind[kind]).view(np.float32)
    got = library.dequantize(quant(library, kind), data, len(data), block).view(np.float32)
    nan = np.isnan(got) & np.isnan(want)
    wrong = np.argwhere((got.view(np.uint32) != want.view(np.uint32)) & ~nan)
    words = f"{kind}: {got.size} values read"
    if len(wrong):
        i, j = wrong[0]
        words += (f", {len(wrong)} differ: value {j} of {data[i].tobytes().hex()} is {got[i, j]}, "
                  f"theirs {want[i, j]}")
    yield len(wrong) == 0, words


def checks(path):
    library = Library(path)
    for kind in ENCODES + ["MXFP4"]:
        yield from encode(library, kind)
    for kind in DECODES:
        yield from decode(library, kind)
