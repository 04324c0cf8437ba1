"""Keras' own quantizers, on PyTorch: int8 and int4 by the largest magnitude, per row, per
column and per tensor, and int4 in groups with zero points. Codes, scales and zero points, in bits;
a scale that is NaN equals any other NaN. Keras' matrices are inputs x outputs: axis 0 is a column.
"""
import contextlib
import io
import os

import numpy as np

from harness import Library, matrices, unpack

os.environ["KERAS_BACKEND"] = "torch"
with contextlib.redirect_stderr(io.StringIO()):
    from keras import ops
    from keras.src.quantizers import quantizers

SCOPES = {"column": 0, "row": -1, "tensor": None}


def codes_of(library, data, name, shape):
    bits = library.bits(name)
    count = shape[0] * shape[1]
    codes = unpack(data[:(count * bits + 7) // 8], bits, count) if bits < 8 else data[:count]
    codes = codes.astype(np.int16)
    return (codes - ((codes >> (bits - 1)) << bits)).reshape(shape)


def wrong(got, want):
    got, want = got.reshape(-1), want.reshape(-1)
    return int(((got != want) & ~((got != got) & (want != want))).sum())


def absmax(library, title, matrix, name, scope):
    bits = library.bits(name)
    low = -(1 << (bits - 1)) + (name == "int8")
    want, scale = map(ops.convert_to_numpy, quantizers.abs_max_quantize(
        ops.convert_to_tensor(matrix), SCOPES[scope], dtype="int8",
        value_range=(low, (1 << (bits - 1)) - 1)))
    quant = library.quant(f"{name}/{scope}")
    at, data = library.layout(quant, *matrix.shape), library.quantize(quant, matrix)
    scales = data[at.scales:at.scales + 4 * at.scale_count].view(np.float32)
    codes = codes_of(library, data, name, matrix.shape)
    counts = wrong(codes, want), wrong(scales, scale)
    yield counts == (0, 0), (f"{name}/{scope}, {title}: {matrix.size} values, {counts[0]} codes and "
                             f"{counts[1]} scales differ")


def grouped(library, title, matrix, block):
    want, scale, zero = map(
        ops.convert_to_numpy, quantizers.abs_max_quantize_grouped_with_zero_point(
            ops.convert_to_tensor(matrix), block))
    quant = library.quant(f"int4/{block}/down")
    at, data = library.layout(quant, *matrix.shape), library.quantize(quant, matrix)
    codes = codes_of(library, data, "int4", matrix.shape)
    scales = data[at.scales:at.scales + 4 * at.scale_count].view(np.float32)
    zeros = data[at.zeros:at.zeros + at.scale_count].astype(np.int16)
    zeros = zeros - ((zeros >> 3 & 1) << 4)
    # NaN and Inf of a range that overflows: Keras' casts to int8 are not defined there.
    finite = np.isfinite(scale).reshape(-1)
    rows = np.repeat(finite.reshape(-1, matrix.shape[1]), block, axis=0)[:matrix.shape[0]]
    counts = (wrong(codes[rows], want[rows]), wrong(scales, scale),
              wrong(zeros[finite], zero.reshape(-1)[finite]))
    yield counts == (0, 0, 0), (
        f"int4/{block}/down, {title}: {matrix.size} values, {(~finite).sum()} groups left open, "
        f"{counts[0]} codes, {counts[1]} scales, {counts[2]} zero points differ")


def checks(path):
    library = Library(path)
    for title, matrix in matrices(33):
        matrix = np.ascontiguousarray(matrix[:300])
        for name in ("int8", "int4"):
            for scope in SCOPES:
                yield from absmax(library, title, matrix, name, scope)
        for block in (1, 7, 32, 128, 512):
            yield from grouped(library, title, matrix, block)
