"""ONNX's own test vectors of Cast: test_cast_* in the package, files that its reference made.

Every folder is cast from its input tensor with the saturation its model asks for, and the bytes are
compared, packing included; two NaN of one sign or the other are equal. Where ONNX defines a result
that is not ours, DIFFERENT says how many elements of the folder differ, and why: neither more nor
fewer may.
"""
import importlib.util
import os

import numpy as np

from harness import FLOATS, Library, Options, unpack

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
    """dtype, count and raw bytes of a TensorProto: fields 2, 1 (one each, or packed) and 9."""
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
