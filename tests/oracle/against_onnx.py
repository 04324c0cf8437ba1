"""ONNX's own test vectors: test_cast_* and test_*quantizelinear* in the package, files that its
reference made.

Every folder is cast from its input tensor with the saturation its model asks for, and the bytes are
compared, packing included; two NaN of one sign or the other are equal. Where ONNX defines a result
that is not ours, DIFFERENT says how many elements of the folder differ, and why: neither more nor
fewer may. QuantizeLinear and DequantizeLinear are MPX_SCHEME_LINEAR with scales and zero points that
are given, DynamicQuantizeLinear with those that it computes; OUT_OF_SCOPE names folders of element
types that LINEAR does not have.
"""
import importlib.util
import os

import numpy as np

from harness import FLOATS, Library, Options, Quant, pack, unpack

# TensorProto.DataType, of onnx.proto.
DTYPES = {1: "float32", 2: "uint8", 3: "int8", 10: "float16", 11: "float64", 16: "bfloat16",
          17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz",
          21: "uint4", 22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2",
          26: "int2"}
WRAPS = "out of range ONNX wraps, we saturate"
UP = "round_mode=up: we take the nearest"
DIFFERENT = {
    **{f"{source}_to_{target}": (count, WRAPS) for source in ("FLOAT", "FLOAT16")
       for target, count in (("INT2", 3), ("UINT2", 3), ("INT4", 9), ("UINT4", 9))},
    **{f"e8m0_{source}_to_FLOAT8E8M0": (1, UP) for source in ("FLOAT", "FLOAT16")},
}
OUT_OF_SCOPE = {f"test_{way}linear_{name}" for way in ("quantize", "dequantize")
                for name in ("int16", "uint16", "float4e2m1")} | {
                    "test_quantizelinear_blocked_symmetric"}  # to int16
# mpx_scheme and mpx_scope.
LINEAR, TENSOR, COLUMN, BLOCK = 2, 0, 2, 3


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 0x7f) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of a protobuf message: integers, bytes, or 8 and 4 bytes as they are."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def tensor(name):
    """dtype, count and raw bytes of a TensorProto: fields 2, 1 and 9, or 5: each byte an int32."""
    count, kind, raw = 1, None, None
    with open(name, "rb") as file:
        for number, value in fields(file.read()):
            if number == 1:
                assert isinstance(value, int), name
                count *= value
            elif number == 2:
                kind = DTYPES[value]
            elif number == 9:
                raw = value
            elif number == 5:
                raw, at = bytearray(), 0
                while at < len(value):
                    byte, at = varint(value, at)
                    raw.append(byte & 0xff)
    return kind, count, np.frombuffer(raw, np.uint8)


def attributes(name):
    """Integer attributes of the model's one node: graph 7, node 1, attribute 5: name 1, i 3."""
    found = {}
    with open(name, "rb") as file:
        graphs = [value for number, value in fields(file.read()) if number == 7]
    for node in (value for number, value in fields(graphs[0]) if number == 1):
        for attribute in (dict(fields(value)) for number, value in fields(node) if number == 5):
            if isinstance(attribute.get(3), int):
                found[attribute[1].decode()] = attribute[3]
    return found


def elements(library, data, name, count):
    bits = library.bits(name)
    return unpack(data, bits, count) if bits < 8 else data.view(np.dtype(f"u{bits // 8}"))


def is_nan(library, data, name, count):
    if name not in FLOATS:
        return np.zeros(count, bool)
    return np.isnan(library.cast_bytes(data, name, "float64", count).view(np.float64))


def compare(library, folder):
    """How many elements, how many differ, and the first that does, in words."""
    files = os.path.join(folder, "test_data_set_0")
    source, count, data = tensor(os.path.join(files, "input_0.pb"))
    target, _, want = tensor(os.path.join(files, "output_0.pb"))
    # Cast saturates fp8 targets unless told not to, and nothing else.
    saturate = target.startswith("float8") and attributes(
        os.path.join(folder, "model.onnx")).get("saturate", 1)
    got = library.cast_bytes(data, source, target, count, Options(saturate=int(saturate)))
    a, b = (elements(library, x, target, count) for x in (got, want))
    nan = is_nan(library, got, target, count) & is_nan(library, want, target, count)
    wrong = np.flatnonzero((a != b) & ~nan)
    if wrong.size == 0 and not nan.any() and got.tobytes() != want.tobytes():
        return count, -1, "padding differs"
    values = library.cast_bytes(data, source, "float64", count).view(np.float64)
    return count, wrong.size, ", ".join(f"{values[i]:g} gives {a[i]:x}, theirs {b[i]:x}"
                                        for i in wrong[:40])


def shaped(library, name):
    """The dtype and the codes of a tensor, one an element, in its shape."""
    with open(name, "rb") as file:
        shape = [value for number, value in fields(file.read()) if number == 1]
    kind, count, data = tensor(name)
    return kind, elements(library, data, kind, count).reshape(shape)


def inputs(library, files):
    names = (os.path.join(files, f"input_{i}.pb") for i in range(3))
    return [shaped(library, name) for name in names if os.path.exists(name)]


def along_rows(array, axis):
    """A matrix whose columns are the axis."""
    array = np.moveaxis(array, axis, -1)
    return np.ascontiguousarray(array.reshape(-1, array.shape[-1]))


def as_matrices(values, scales, zeros, axis, block):
    """Each as a matrix, and the scope: one scale for all, for an index of the axis, for a block."""
    if scales.size == 1:
        return values.reshape(1, -1), scales.reshape(-1), zeros.reshape(-1), TENSOR
    if block == 0:
        return along_rows(values, axis), scales, zeros, COLUMN
    return tuple(along_rows(x, axis) for x in (values, scales, zeros)) + (BLOCK,)


def linear(library, folder, quantizes):
    """Elements, and how many differ, of a folder of QuantizeLinear or DequantizeLinear."""
    files = os.path.join(folder, "test_data_set_0")
    (kind, values), (scale_kind, scales), *zero = inputs(library, files)
    out_kind, want = shaped(library, os.path.join(files, "output_0.pb"))
    settings = attributes(os.path.join(folder, "model.onnx"))
    axis, block = settings.get("axis", 1), settings.get("block_size", 0)
    zeros = zero[0][1] if zero else np.zeros(scales.shape, np.uint8)
    scales = library.cast(scales, scale_kind, "float32").view(np.float32).reshape(scales.shape)
    matrix, scales, zeros, scope = as_matrices(values, scales, zeros, axis, block)
    want = want.reshape(1, -1) if scope == TENSOR else along_rows(want, axis)
    element = out_kind if quantizes else kind
    quant = Quant(scheme=LINEAR, element=library.dtype(element), scope=scope, block=block, given=1,
                  zero_point=int(bool(zero) and not element.startswith("float")))
    rows, cols = matrix.shape
    at = library.layout(quant, rows, cols)
    data = np.zeros(at.bytes, np.uint8)
    data[at.scales:at.scales + 4 * scales.size] = np.ascontiguousarray(scales).reshape(-1).view(np.uint8)
    if quant.zero_point:
        data[at.zeros:at.zeros + zeros.size] = zeros.reshape(-1)
    bits = library.bits(element)
    if quantizes:
        data = library.quantize(quant, matrix, kind, data)[at.codes:]
        got = elements(library, data[:(matrix.size * bits + 7) // 8], element, matrix.size)
    else:
        codes = pack(matrix.reshape(-1), bits) if bits < 8 else matrix.reshape(-1)
        data[at.codes:at.codes + codes.size] = codes
        got = library.dequantize(quant, data, rows, cols, out_kind).reshape(-1)
    wrong = np.flatnonzero(got != want.reshape(-1))
    return want.size, wrong.size, ", ".join(f"{matrix.reshape(-1)[i]:x} gives {got[i]:x}, theirs "
                                            f"{want.reshape(-1)[i]:x}" for i in wrong[:20])


def dynamic(library, folder):
    """The same of DynamicQuantizeLinear, its scale and its zero point counted too."""
    files = os.path.join(folder, "test_data_set_0")
    kind, values = shaped(library, os.path.join(files, "input_0.pb"))
    want = [shaped(library, os.path.join(files, f"output_{i}.pb"))[1].reshape(-1) for i in range(3)]
    quant = library.quant("uint8")
    at = library.layout(quant, 1, values.size)
    data = library.quantize(quant, values.reshape(1, -1), kind)
    got = [data[:values.size], data[at.scales:at.scales + 4].view(np.uint32),
           data[at.zeros:at.zeros + 1]]
    return values.size, sum(int((a != b).sum()) for a, b in zip(got, want)), f"{got}, theirs {want}"


def quantization(library, node):
    folders = sorted(name for name in os.listdir(node) if "quantizelinear" in name)
    for name in folders:
        folder = os.path.join(node, name)
        if name in OUT_OF_SCOPE:
            continue
        if "dynamic" in name:
            count, wrong, words = dynamic(library, folder)
        else:
            count, wrong, words = linear(library, folder, name.startswith("test_quantize"))
        yield wrong == 0, f"{name}: {count} values, {wrong} differ" + (f": {words}" if wrong else "")
    missing = OUT_OF_SCOPE - set(folders)
    yield (len(folders) == 33 and not missing,
           f"{len(folders)} folders of 33, {len(OUT_OF_SCOPE)} out of scope: {', '.join(sorted(OUT_OF_SCOPE))}")


def checks(path):
    library = Library(path)
    package = importlib.util.find_spec("onnx").submodule_search_locations[0]
    node = os.path.join(package, "backend", "test", "data", "node")
    folders = sorted(name for name in os.listdir(node) if name.startswith("test_cast_"))
    for name in folders:
        count, wrong, words = compare(library, os.path.join(node, name))
        expected, why = DIFFERENT.get(name[len("test_cast_"):], (0, ""))
        line = f"{name}: {count} values, {wrong} differ"
        if wrong != 0 or expected != 0:
            line += f" ({why or words})" if wrong == expected else f", not {expected}: {words}"
        yield wrong == expected, line
    gone = [name for name in DIFFERENT if f"test_cast_{name}" not in folders]
    yield len(folders) == 60 and not gone, f"{len(folders)} folders of 60"
    yield from quantization(library, node)
