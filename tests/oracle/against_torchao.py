"""MX and NVFP4 against torchao's Python code: scales, codes, swizzled scales, values, in bits.

MX, block by block. Where torchao departs from the rule it names, blocks are counted and not equal:
    scale 2^-127    torchao divides by 2^-126 (under RCEIL by 1); we divide by the scale that is stored
    RCEIL           torchao rounds amax / max and its log2 to f32, so that an amax barely above
                    max * 2^e gets 2^e, and its largest value saturates; ours is exact
    Inf             torchao's scale is that of 2^128 (RCEIL: 2^127); ours is NaN, as for a NaN
NVFP4 with two levels: of a matrix of zeros torchao makes NaN, and where 1 / tensor scale overflows
codes of NaN; such matrices are counted and not compared.
"""
import contextlib
import io
import logging
import warnings

import numpy as np
import torch

from harness import Library, matrices, pack

logging.disable(logging.WARNING)  # of libraries of its own that it cannot load here
warnings.simplefilter("ignore")
with contextlib.redirect_stderr(io.StringIO()):
    from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.constants import DTYPE_FP6_E2M3, DTYPE_FP6_E3M2
    from torchao.prototype.mx_formats.kernels import f4_unpacked_to_f32

# Name of ours: theirs, bits, the largest value.
ELEMENTS = {"mxfp8_e4m3": (torch.float8_e4m3fn, 8, 448), "mxfp8_e5m2": (torch.float8_e5m2, 8, 57344),
            "mxfp6_e2m3": (DTYPE_FP6_E2M3, 6, 7.5), "mxfp6_e3m2": (DTYPE_FP6_E3M2, 6, 28),
            "mxfp4": (torch.float4_e2m1fn_x2, 4, 6)}
RULES = ["floor", "even", "ceil", "rceil"]


def to_bytes(tensor, bits):
    """Codes as they lie in memory; torchao has f6 one in a byte."""
    data = tensor.contiguous().view(torch.uint8).numpy().reshape(-1)
    return pack(data, 6) if bits == 6 else data


def barely_above(amax, code, largest):
    """Is amax above largest * 2^(code - 127), by less than f32 can tell of a quotient or a log2?"""
    ratio = amax.astype(np.float64) / (largest * np.exp2(code.astype(np.float64) - 127))
    return (ratio > 1) & (ratio < 1 + 2.0**-16)


def compare_mx(library, name, rule, title, matrix, source):
    theirs, bits, largest = ELEMENTS[name]
    rows, cols = matrix.shape
    values = torch.from_numpy(matrix)
    data = matrix
    if source == "bfloat16":
        values = values.to(torch.bfloat16)
        data = values.view(torch.uint16).numpy()
    scale, codes = mx_tensor.to_mx(values, theirs, 32, ScaleCalculationMode[rule.upper()])
    scale = scale.view(torch.uint8).numpy().reshape(-1)
    codes = to_bytes(codes, bits).reshape(scale.size, -1)
    quant = library.quant(f"{name}/{rule}")
    at, got = library.layout(quant, rows, cols), library.quantize(quant, data, source)
    got_codes = got[at.codes:at.codes + codes.size].reshape(codes.shape)
    got_scale = got[at.scales:at.scales + scale.size]
    amax = np.abs(values.to(torch.float32).numpy()).reshape(-1, 32).max(axis=1)
    differ = (got_codes != codes).any(axis=1)
    smallest = (got_scale == 0) & (scale == 0) & (amax > 0) & differ
    infinite = np.isinf(amax) & (got_scale == 255)  # rounded to bfloat16
    rounded = (got_scale == scale + 1) & (rule == "rceil") & barely_above(amax, scale, largest)
    wrong = (differ | (got_scale != scale)) & ~smallest & ~rounded & ~infinite
    words = f"{name}/{rule}, {source}, {title}: {scale.size} blocks"
    for count, why in ((smallest.sum(), "of scale 2^-127"), (rounded.sum(), "rounded by RCEIL"),
                       (infinite.sum(), "with Inf")):
        words += f", {count} {why}" if count else ""
    if wrong.any():
        i = np.flatnonzero(wrong)[0]
        words += (f"; {wrong.sum()} differ: block {i}, amax {amax[i]}, gives {got_scale[i]} "
                  f"{got_codes[i].tobytes().hex()}, theirs {scale[i]} "
                  f"{codes[i].tobytes().hex()}")
    yield not wrong.any(), words
    if source == "float32":
        want = mx_tensor.to_dtype(mx_codes(got_codes, bits, theirs, rows, cols),
                                  torch.from_numpy(got_scale.copy()).view(torch.float8_e8m0fnu), theirs, 32,
                                  torch.float32).numpy().view(np.uint32)
        differ = library.dequantize(quant, got, rows, cols) != want
        yield not differ.any(), f"{name}/{rule}, {title}: {differ.sum()} values read back differ"


def mx_codes(codes, bits, theirs, rows, cols):
    """Our codes as torchao has them."""
    if bits == 6:
        spread = np.unpackbits(codes.reshape(-1), bitorder="little").reshape(-1, 6)
        codes = np.packbits(spread, axis=1, bitorder="little")
    tensor = torch.from_numpy(np.ascontiguousarray(codes)).reshape(rows, cols * min(bits, 8) // 8
                                                                  if bits != 6 else cols)
    return tensor.view(theirs) if bits == 8 else tensor


def special_blocks(library, name, rule):
    """One NaN: the same scale. One Inf: ours is NaN."""
    matrix = np.random.default_rng(3).standard_normal((2, 96)).astype(np.float32)
    matrix[0, 40], matrix[1, 70] = np.nan, np.inf
    scale, _ = mx_tensor.to_mx(torch.from_numpy(matrix), ELEMENTS[name][0], 32,
                               ScaleCalculationMode[rule.upper()])
    scale = scale.view(torch.uint8).numpy().reshape(-1)
    quant = library.quant(f"{name}/{rule}")
    got = library.quantize(quant, matrix)[library.layout(quant, 2, 96).scales:][:6]
    same = np.flatnonzero(got != scale).tolist() == [5] and got[1] == 255 and got[5] == 255
    yield same, f"{name}/{rule}, NaN and Inf: scales {got.tolist()}, theirs {scale.tolist()}"


def swizzled(library, name):
    for rows, cols in ((1, 32), (128, 128), (129, 160), (300, 1024)):
        matrix = np.random.default_rng(4).standard_normal((rows, cols)).astype(np.float32)
        matrix = np.ldexp(matrix, np.arange(rows)[:, None] % 50).astype(np.float32)
        if name == "nvfp4":
            scale, _ = nvfp4_tensor.nvfp4_quantize(torch.from_numpy(matrix))
            want = mx_tensor.to_blocked(scale.view(rows, cols // 16))
        else:
            want, _ = mx_tensor.to_mx(torch.from_numpy(matrix), ELEMENTS[name][0], 32,
                                      is_swizzled_scales=True)
        want = want.view(torch.uint8).numpy().reshape(-1)
        quant = library.quant(f"{name}/swizzled" + ("/single" if name == "nvfp4" else ""))
        at = library.layout(quant, rows, cols)
        got = library.quantize(quant, matrix)[at.scales:at.scales + at.scale_count]
        yield (got.size == want.size and (got == want).all(),
               f"{name}/swizzled, {rows} x {cols}: {want.size} scales")


def compare_nvfp4(library, title, matrix, single):
    rows, cols = matrix.shape
    values = torch.from_numpy(matrix)
    words = f"nvfp4{'/single' if single else ''}, {title}: "
    whole = None
    if not single:
        whole = nvfp4_tensor.per_tensor_amax_to_scale(values.abs().amax())
        if not torch.isfinite(1 / whole):
            yield True, words + "not compared, the reciprocal of the tensor scale is Inf"
            return
    scale, codes = nvfp4_tensor.nvfp4_quantize(values, 16, whole)
    quant = library.quant("nvfp4/single" if single else "nvfp4")
    at, got = library.layout(quant, rows, cols), library.quantize(quant, matrix)
    count = rows * cols // 16
    wrong = np.flatnonzero(got[at.scales:at.scales + count] !=
                           scale.view(torch.uint8).numpy().reshape(-1)).size
    codes = codes.view(torch.uint8).numpy().reshape(-1)
    wrong_codes = np.flatnonzero(got[at.codes:at.codes + codes.size] != codes)
    if not single:
        wrong += got[at.tensor_scale:at.tensor_scale + 4].view(np.float32)[0] != whole.item()
    factors = scale.to(torch.float32) * (1 if single else whole)
    unpacked = torch.from_numpy(np.stack([codes & 15, codes >> 4], axis=1).reshape(count, 16).copy())
    want = (f4_unpacked_to_f32(unpacked) * factors.reshape(-1, 1)).numpy().reshape(rows, cols)
    differ = (library.dequantize(quant, got, rows, cols) != want.view(np.uint32)).sum()
    words += (f"{count} blocks, {wrong} scales, {wrong_codes.size} pairs of codes, {differ} values differ")
    if wrong_codes.size:
        i = wrong_codes[0]
        words += (f"; {matrix.reshape(-1)[2 * i:2 * i + 2].tolist()} by {factors.reshape(-1)[i // 8]} "
                  f"gives {got[at.codes + i]:02x}, theirs {codes[i]:02x}")
    yield wrong == 0 and wrong_codes.size == 0 and differ == 0, words


def checks(path):
    library = Library(path)
    for name in ELEMENTS:
        for rule in RULES:
            for title, matrix in matrices(96):
                for source in ("float32", "bfloat16"):
                    yield from compare_mx(library, name, rule, title, matrix, source)
            yield from special_blocks(library, name, rule)
        yield from swizzled(library, name)
    for single in (True, False):
        for title, matrix in matrices(96):
            yield from compare_nvfp4(library, title, matrix, single)
    yield from swizzled(library, "nvfp4")
