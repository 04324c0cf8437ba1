#!/usr/bin/env python3
"""Makes tests/files/ and tests/golden/files.tsv with the packages safetensors, gguf and numpy: small checkpoint files, and
what the packages say is in them.

    build/venv/bin/python tests/oracle/files.py [FOLDER]     another folder than tests/

A row of the table: the file; tensor, meta, values (of a quantized tensor, float32), same (writing what was read gives the
file again) or refused; the name; the type as the file has it; mpx.h's short name of the dtype, of a quantization; the
shape; s: other byte order, f: Fortran's, a: an array; the bytes in hexadecimal. Arrays of texts: each with its length.
"""
import io
import os
import struct
import sys

import gguf
import ml_dtypes
import numpy as np
import safetensors
from gguf import GGMLQuantizationType as Kind

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ["file", "entry", "name", "type", "dtype", "quant", "shape", "flags", "data"]
SAFETENSORS = {"bool": "bool", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32",
               "int32": "i32", "uint64": "u64", "int64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32",
               "float64": "f64", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "float8_e4m3fnuz": "f8e4m3fnuz",
               "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0fnu", "float4_e2m1fn_x2": "f4e2m1fn",
               "complex64": "c64"}
QUANTS = {"Q4_0": "q4_0", "Q4_1": "q4_1", "Q5_0": "q5_0", "Q5_1": "q5_1", "Q8_0": "q8_0", "Q4_K": "q4_k", "Q5_K": "q5_k", "Q6_K": "q6_k",
          "MXFP4": "ggml_mxfp4", "NVFP4": "ggml_nvfp4"}
GGUF_DTYPES = {"F64": "f64", "F32": "f32", "F16": "f16", "BF16": "bf16", "I8": "i8", "I16": "i16", "I32": "i32", "I64": "i64"}
GGUF_METAS = "u8 i8 u16 i16 u32 i32 f32 bool - - u64 i64 f64".split()
WIDTHS = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8]
NUMPY = {"float64": "f64", "float32": "f32", "float16": "f16", "bool": "bool", "int8": "i8", "uint8": "u8", "int16": "i16",
         "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "complex64": "c64",
         "complex128": "c128", "float8_e5m2": "f8e5m2"}
OTHER_KINDS = [Kind[name] for name in ("Q2_K Q3_K Q8_K IQ2_XXS IQ2_XS IQ3_XXS IQ1_S IQ3_S IQ2_S IQ4_XS IQ1_M TQ1_0 Q1_0").split()]
RNG = np.random.default_rng(2026)


def noise(n):
    return RNG.integers(0, 256, n, dtype=np.uint8)


def escaped(text):
    """As tests/golden.h reads it."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    plain = {9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\"}
    words = "".join(plain.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02x}") for b in data)
    return "\\x2d" if words == "-" else words or "\\e"


class Made:
    """Files and rows."""

    def __init__(self):
        self.files, self.rows = {}, []

    def row(self, file, entry, name="", kind="-", dtype="-", quant="-", shape="-", flags="-", data="-"):
        if not isinstance(data, str):
            data = bytes(data).hex() or "\\e"
        shape = shape if isinstance(shape, str) else ",".join(map(str, shape)) or "\\e"
        self.rows.append([file, entry, escaped(name), kind, dtype, quant, shape, flags or "-", data])


# ---- safetensors -----------------------------------------------------------------------------------------------------


def safetensors_bytes(tensors, meta=None):
    """tensors: name to (dtype, shape, bytes)."""
    keep = {name: np.frombuffer(data or b"\0", np.uint8) for name, (_, _, data) in tensors.items()}
    specs = {name: safetensors.TensorSpec(dtype=dtype, shape=list(shape), data_ptr=keep[name].ctypes.data,
                                          data_len=len(data))
             for name, (dtype, shape, data) in tensors.items()}
    return bytes(safetensors.serialize(specs, metadata=meta))


def add_safetensors(made, file, tensors, meta=None):
    made.files[file] = safetensors_bytes(tensors, meta)
    for name, view in sorted(safetensors.deserialize(made.files[file]), key=lambda item: item[0]):  # theirs has no order
        dtype = tensors[name][0]
        made.row(file, "tensor", name, view["dtype"], SAFETENSORS[dtype], shape=view["shape"], data=view["data"])
    for key, text in (meta or {}).items():
        made.row(file, "meta", key, data=text.encode())
    made.row(file, "same")


def make_safetensors(made):
    every = {}
    for i, dtype in enumerate(SAFETENSORS):
        bits = {"float4_e2m1fn_x2": 8, "bool": 8, "bfloat16": 16}.get(dtype)
        size = (bits or np.dtype(getattr(ml_dtypes, dtype, dtype)).itemsize * 8) // 8
        every[f"t{i}.{dtype}"] = (dtype, (3, 2), noise(6 * size).tobytes())
    add_safetensors(made, "dtypes.safetensors", every)
    names = {"": ("float32", (1,), noise(4).tobytes()), 'quote " slash / back \\': ("float32", (), noise(4).tobytes()),
             "tab\tline\nbell\x07\x1e\x7f": ("int8", (0, 5), b""), "é ∂ \U0001f600": ("uint8", (2, 1, 1, 3), noise(6).tobytes())}
    add_safetensors(made, "names.safetensors", names, {"key \"\n": "value \\ \u0001 / ü"})
    add_safetensors(made, "empty.safetensors", {})
    add_safetensors(made, "meta.safetensors", {}, {"format": "pt"})


# ---- GGUF ------------------------------------------------------------------------------------------------------------


def gguf_writer(path):
    writer = gguf.GGUFWriter(path, "test")
    for number, kind in enumerate(["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", None, None,
                                   "uint64", "int64", "float64"]):
        if kind:
            value = {"bool": True, "float32": -1.5, "float64": 1e300}.get(kind, (-1 if kind[0] == "i" else 3) * 5)
            getattr(writer, "add_" + kind)(f"one.{kind}.{number}", value)
    writer.add_string("one.text", "ä\0b")
    writer.add_array("array.int", [1, -2, 3])
    writer.add_array("array.float", [0.5, 2.0])
    writer.add_array("array.text", ["", "token", "é"])
    writer.add_array("array.bool", [True, False])
    return writer


def gguf_bytes(writer, path):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with open(path, "rb") as file:
        return file.read()


def meta_row(made, file, field):
    kind = int(field.types[0])
    if kind == 8:
        made.row(file, "meta", field.name, data=field.parts[-1].tobytes())
    elif kind == 9:
        inner = int(field.types[1])
        data = (b"".join(field.parts[i - 1].tobytes() + field.parts[i].tobytes() for i in field.data) if inner == 8 else
                b"".join(field.parts[i].tobytes() for i in field.data))
        made.row(file, "meta", field.name, dtype=GGUF_METAS[inner], shape=(len(field.data),), flags="a", data=data)
    else:
        made.row(file, "meta", field.name, dtype=GGUF_METAS[kind], data=field.parts[-1].tobytes())


def add_gguf(made, file, writer, path):
    made.files[file] = gguf_bytes(writer, path)
    reader = gguf.GGUFReader(path)
    for tensor in reader.tensors:
        kind = tensor.tensor_type.name
        shape = tuple(int(n) for n in reversed(tensor.shape))
        made.row(file, "tensor", tensor.name, kind, GGUF_DTYPES.get(kind, "-"), QUANTS.get(kind, "-"), shape,
                 data=tensor.data.tobytes())
        if kind in QUANTS:
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype("<f4")
            made.row(file, "values", tensor.name, data=values.tobytes())
    for name, field in reader.fields.items():
        if not name.startswith("GGUF."):
            meta_row(made, file, field)
    made.row(file, "same")


def blocks(kind, rows, count):
    """Blocks of random codes, with scales that are small numbers."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    data = noise(rows * count * size).reshape(rows * count, size)
    if kind in (Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1, Kind.Q8_0, Kind.Q4_K, Kind.Q5_K):
        data[:, 1] = 0x2c
    if kind in (Kind.Q4_1, Kind.Q5_1, Kind.Q4_K, Kind.Q5_K):
        data[:, 3] = 0x2c
    if kind == Kind.Q6_K:
        data[:, 209] = 0x2c
    if kind == Kind.MXFP4:
        data[:, 0] = 120
    if kind == Kind.NVFP4:
        data[:, :4] &= 0x3f
    return data.reshape(rows, count * size)


def make_gguf(made, folder):
    path = os.path.join(folder, "made.gguf")
    writer = gguf_writer(path)
    for dtype in ["f4", "f2", "f8", "i1", "i2", "i4", "i8"]:
        writer.add_tensor(f"plain.{dtype}", noise(6 * int(dtype[1])).view("<" + dtype).reshape(3, 2))
    writer.add_tensor("plain.bf16", noise(12).reshape(3, 4), raw_dtype=Kind.BF16)
    writer.add_tensor("four", noise(4 * 12).view("<f4").reshape(2, 1, 3, 2))
    add_gguf(made, "dtypes.gguf", writer, path)
    writer = gguf.GGUFWriter(path, "test")
    writer.add_custom_alignment(64)
    for kind in [Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1, Kind.Q8_0, Kind.Q4_K, Kind.Q6_K, Kind.MXFP4, Kind.NVFP4,
                 Kind.Q5_K, Kind.IQ4_NL, Kind.TQ2_0]:
        elements = gguf.GGML_QUANT_SIZES[kind][0]
        writer.add_tensor(f"blk.{kind.name}", blocks(kind, 1, 2 if elements < 256 else 1), raw_dtype=kind)
    add_gguf(made, "blocks.gguf", writer, path)
    writer = gguf.GGUFWriter(path, "test")
    add_gguf(made, "empty.gguf", writer, path)
    writer = gguf.GGUFWriter(path, "test")
    for kind in OTHER_KINDS:
        writer.add_tensor(kind.name, np.arange(gguf.GGML_QUANT_SIZES[kind][1], dtype="u1").reshape(1, -1), raw_dtype=kind)
    add_gguf(made, "types.gguf", writer, path)
    os.remove(path)


# ---- NumPy -----------------------------------------------------------------------------------------------------------


def numpy_row(made, file, name, array, descr):
    """What lies in the file, which NumPy gives back as it is."""
    known = NUMPY.get(array.dtype.newbyteorder("=").name, "-")
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    flags = "s" * (descr[0] == ">" and known != "-") + "f" * fortran
    made.row(file, "tensor", name, descr, known, shape=array.shape, flags=flags,
             data=array.tobytes("F" if fortran else "C"))


def add_npy(made, file, array, version=None, same=True, entry=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    made.files[file] = out.getvalue()
    if entry:
        made.row(file, entry)
        return
    out.seek(0)
    back = array if array.dtype.str in ("<V2", "<V1", "<f1") else np.load(out)  # NumPy cannot read these
    numpy_row(made, file, "", back, array.dtype.str)
    if same:
        made.row(file, "same")


class Stream(io.BytesIO):
    """One that cannot seek: sizes stand behind the data."""

    def seekable(self):
        return False

    def seek(self, *args):
        raise io.UnsupportedOperation


def add_npz(made, file, save, arrays, out=None, same=True, entry=None):
    out = out or io.BytesIO()
    save(out, **arrays)
    made.files[file] = out.getvalue()
    if entry:
        made.row(file, entry)
        return
    with np.load(io.BytesIO(made.files[file])) as back:
        for name in back.files:
            numpy_row(made, file, name, back[name], arrays[name].dtype.str)
    if same:
        made.row(file, "same")


def make_numpy(made):
    for dtype in ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]:
        data = noise(6 * np.dtype(dtype).itemsize) & (1 if dtype == "?" else 0x3f)
        add_npy(made, f"{np.dtype(dtype).name}.npy", data.view(dtype).reshape(3, 2))
    for dtype in ["bfloat16", "float8_e5m2", "float8_e4m3fn"]:
        add_npy(made, f"{dtype}.npy", noise(6 * np.dtype(dtype).itemsize).view(getattr(ml_dtypes, dtype)))
    add_npy(made, "scalar.npy", np.array(2.5, "f4"))
    add_npy(made, "empty.npy", np.zeros((0, 3), "f4"))
    add_npy(made, "fortran.npy", np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)))
    add_npy(made, "text.npy", np.array(["ab", "cde"]))
    add_npy(made, "bytes.npy", np.array([b"ab", b"cde"]))
    add_npy(made, "big_f4.npy", np.arange(6, dtype=">f4").reshape(2, 3), same=False)
    add_npy(made, "big_c8.npy", np.arange(3).astype(">c8"), same=False)
    add_npy(made, "version2.npy", np.arange(3, dtype="i2"), (2, 0), same=False)
    add_npy(made, "version3.npy", np.arange(3, dtype="i2"), (3, 0), same=False)
    add_npy(made, "aligned.npy", np.arange(111111111, 111111114, dtype="i4").reshape(1, 1, 1, 1, 1, 1, 1, 3))
    add_npy(made, "objects.npy", np.array([None, 1]), entry="refused")
    add_npy(made, "struct.npy", np.zeros(2, [("a", "f4"), ("b", "i2")]), entry="refused")
    add_npy(made, "nine.npy", np.zeros((1,) * 9, "f4"), entry="refused")
    arrays = {"w": np.arange(6, dtype="f4").reshape(2, 3), "layer/b.x": np.array(7, "i8"), "é": np.arange(3, dtype="f2")}
    add_npz(made, "plain.npz", np.savez, arrays)
    add_npz(made, "empty.npz", np.savez, {})
    add_npz(made, "stream.npz", np.savez, arrays, Stream(), same=False)
    add_npz(made, "compressed.npz", np.savez_compressed, arrays, entry="refused")


# ---- all of it -------------------------------------------------------------------------------------------------------


def make(folder):
    """Made in a folder that is there."""
    global RNG
    RNG = np.random.default_rng(2026)
    made = Made()
    make_safetensors(made)
    make_gguf(made, folder)
    make_numpy(made)
    assert max(map(len, made.files.values())) <= 4096
    assert struct.calcsize("<Q") == 8
    made.files["../golden/files.tsv"] = "".join(
        "\t".join(row) + "\n" for row in [["# " + COLUMNS[0], *COLUMNS[1:]], *made.rows]).encode("ascii")
    return made


def main():
    folder = os.path.join(os.path.abspath(sys.argv[1]) if sys.argv[1:] else os.path.join(ROOT, "tests"), "files")
    os.makedirs(folder, exist_ok=True)
    for name, data in make(folder).files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
