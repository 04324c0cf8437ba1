"""Checkpoint files against the packages safetensors, gguf and numpy: what they write is read here, what is written here
they read, byte for byte, for every dtype that both know; where they write the same bytes every time, so does the library.

safetensors writes entries of metadata in an order of its own: files with more than one are not compared. NumPy cannot read
ml_dtypes' dtypes back (its "<V2" is bytes, and "<f1" it refuses): their bytes are compared. ggml's Q8_1 has 36 bytes, the
package's table says 40: it is in no file.
"""
import ctypes
import io
import os
import tempfile
import zipfile

import files
import gguf
import ml_dtypes
import numpy as np
import safetensors
from gguf import GGMLQuantizationType as Kind
from harness import Library, Quant

SAFETENSORS, GGUF, NPY, NPZ = 1, 2, 3, 4
RANK, PATH = 8, 128
size_t, pointer, text = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p


class Leaf(ctypes.Structure):
    """mpx_leaf of types.h."""
    _fields_ = [("path", text), ("data", pointer), ("count", size_t), ("dtype", ctypes.c_int)]


class Tensor(ctypes.Structure):
    """mpx_file_tensor of types.h."""
    _fields_ = [("leaf", Leaf), ("dtype", ctypes.c_int), ("quant", Quant), ("type", text), ("rank", size_t),
                ("shape", size_t * RANK), ("swapped", ctypes.c_int), ("fortran", ctypes.c_int)]


class Meta(ctypes.Structure):
    """mpx_file_meta of types.h."""
    _fields_ = [("key", text), ("data", pointer), ("count", size_t), ("size", size_t), ("dtype", ctypes.c_int),
                ("is_array", ctypes.c_int)]


class File(ctypes.Structure):
    """mpx_file of types.h."""
    _fields_ = [("format", ctypes.c_int), ("version", ctypes.c_uint32), ("tensors", ctypes.POINTER(Tensor)),
                ("count", size_t), ("metas", ctypes.POINTER(Meta)), ("meta_count", size_t), ("cols", pointer), ("memory", pointer)]


class Error(ctypes.Structure):
    """mpx_error of types.h."""
    _fields_ = [("status", ctypes.c_int), ("subject", ctypes.c_int), ("offset", size_t), ("length", size_t),
                ("index", size_t), ("input", size_t), ("found", ctypes.c_int), ("expected", ctypes.c_int),
                ("what", text), ("have", size_t), ("need", size_t), ("path", ctypes.c_char * PATH)]


class Files(Library):
    """The library's readers and writers."""

    def read(self, data):
        """A File; it keeps what it points to."""
        buffer, file, err = ctypes.create_string_buffer(data, len(data)), File(), Error()
        self.mpx.mpx_file_open(ctypes.byref(file), buffer, size_t(len(data)), None, size_t(0), ctypes.byref(err))
        memory = ctypes.create_string_buffer(err.need + 1)
        if self.mpx.mpx_file_open(ctypes.byref(file), buffer, size_t(len(data)), memory, size_t(err.need), ctypes.byref(err)):
            raise RuntimeError(f"open: status {err.status} at {err.offset}: {err.what}")
        file.keep = buffer, memory
        return file

    def write(self, file):
        """The bytes of a File."""
        size, err = size_t(), Error()
        if self.mpx.mpx_file_size(ctypes.byref(file), ctypes.byref(size), ctypes.byref(err)):
            raise RuntimeError(f"size: status {err.status}: {err.what} {err.path}")
        out = ctypes.create_string_buffer(size.value + 1)
        if self.mpx.mpx_file_save(out, size, ctypes.byref(file), ctypes.byref(err)):
            raise RuntimeError(f"save: status {err.status}: {err.what}")
        return out.raw[:size.value]

    def file_of(self, form, tensors):
        """tensors: (name, dtype or quantization or ggml's name, shape, bytes)."""
        array = (Tensor * max(1, len(tensors)))()
        file = File(form, 0, array, len(tensors), None, 0, None, None)
        file.keep = [array]
        for slot, (name, kind, shape, data) in zip(array, tensors):
            buffer = ctypes.create_string_buffer(bytes(data), len(data))
            file.keep.append(buffer)
            slot.leaf = Leaf(name.encode(), ctypes.addressof(buffer), len(data), self.dtype("u8"))
            slot.rank = len(shape)
            slot.shape[:len(shape)] = shape
            try:
                bits = self.bits(kind)
                slot.leaf.dtype, slot.leaf.count = self.dtype(kind), len(data) * 8 // bits
            except ValueError:
                if kind in files.QUANTS:
                    slot.quant = self.quant(files.QUANTS[kind])
                else:
                    slot.type = kind.encode()
        return file

    def tensors(self, data):
        """What the library reads: {name: (type as the file has it, shape, bytes)}."""
        file, found = self.read(data), {}
        for tensor in file.tensors[:file.count]:
            size = tensor.leaf.count * self.mpx.mpx_dtype_bits(tensor.leaf.dtype) // 8
            found[tensor.leaf.path.decode()] = (tensor.type.decode(), tuple(tensor.shape[:tensor.rank]),
                                                ctypes.string_at(tensor.leaf.data, size) if size else b"")
        return found


def committed():
    """What is in tests/ is what the packages make today."""
    with tempfile.TemporaryDirectory() as folder:
        made = files.make(folder).files
    for name, data in made.items():
        with open(os.path.join(files.ROOT, "tests", "files", name), "rb") as file:
            yield file.read() == data, f"{name.split('/')[-1]}: as the packages make it"
    there = set(os.listdir(os.path.join(files.ROOT, "tests", "files")))
    yield there == set(made) - {"../golden/files.tsv"}, f"{len(there)} files, no other"


def of_safetensors(library):
    rng = np.random.default_rng(1)
    for theirs, ours in files.SAFETENSORS.items():
        bits = library.bits(ours)
        tensors = {f"w{n}": (theirs, (n, 8 if theirs[-3:] != "_x2" else 4), rng.bytes(n * bits)) for n in (0, 1, 5)}
        data = files.safetensors_bytes(tensors)
        want = {name: (view["dtype"], tuple(view["shape"]), bytes(view["data"])) for name, view in safetensors.deserialize(data)}
        read = library.tensors(data)
        again = library.write(library.file_of(SAFETENSORS, [(name, ours, (n, 8), read[name][2]) for name, n in
                                                            (("w0", 0), ("w1", 1), ("w5", 5))]))
        yield read == want and again == data, f"safetensors, {ours}: both ways, the same bytes"
    for ours, name in (("f6e2m3fn", "F6_E2M3"), ("f6e3m2fn", "F6_E3M2")):  # the package writes none
        values = rng.bytes(24)
        back = dict(safetensors.deserialize(library.write(library.file_of(SAFETENSORS, [("w", ours, (4, 8), values)]))))["w"]
        yield (back["dtype"], back["shape"], bytes(back["data"])) == (name, [4, 8], values), f"safetensors, {ours}: theirs reads"


def of_gguf(library, folder):
    rng = np.random.default_rng(2)
    path = os.path.join(folder, "w.gguf")
    for kind, (elements, size) in gguf.GGML_QUANT_SIZES.items():
        if kind == Kind.Q8_1:
            continue
        rows = [rng.integers(0, 256, (3, 2 * size), dtype=np.uint8), rng.integers(0, 256, (1, size), dtype=np.uint8)]
        writer = gguf.GGUFWriter(path, "arch")
        for i, data in enumerate(rows):
            writer.add_tensor(f"w{i}", data, raw_dtype=kind)
        data = files.gguf_bytes(writer, path)
        shapes = [(3, 2 * elements), (1, elements)]
        want = {f"w{i}": (kind.name, shapes[i], rows[i].tobytes()) for i in range(2)}
        kept = library.read(data)
        ours = library.file_of(GGUF, [(f"w{i}", files.GGUF_DTYPES.get(kind.name, kind.name), shapes[i], rows[i].tobytes())
                                      for i in range(2)])
        ours.metas, ours.meta_count = kept.metas, kept.meta_count
        written = library.write(ours)
        with open(path, "wb") as file:
            file.write(written)
        back = {t.name: (t.tensor_type.name, tuple(int(n) for n in reversed(t.shape)), t.data.tobytes())
                for t in gguf.GGUFReader(path).tensors}
        yield library.tensors(data) == want and written == data and back == want, f"GGUF, {kind.name}: both ways"


def numpy_dtypes():
    plain = [dtype for dtype in "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()]
    return [np.dtype(dtype) for dtype in plain] + [np.dtype(getattr(ml_dtypes, name)) for name in (
        "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz",
        "float8_e4m3", "float8_e3m4", "float8_e8m0fnu")]


def of_numpy(library):
    rng = np.random.default_rng(3)
    for dtype in numpy_dtypes():
        good, arrays = True, {}
        for shape in ((), (0,), (7,), (3, 4), (2, 3, 1, 2), (100000, 0)):
            codes = rng.integers(0, 2 if dtype.kind == "b" else 256, int(np.prod(shape)) * dtype.itemsize, dtype=np.uint8)
            arrays["x".join(map(str, shape)) or "scalar"] = codes.view(dtype).reshape(shape)
        for array in arrays.values():
            out = io.BytesIO()
            np.lib.format.write_array(out, array)
            name = library_name(library, dtype)
            good &= library.tensors(out.getvalue())[""] == (dtype.str, array.shape, array.tobytes())
            good &= library.write(library.file_of(NPY, [("", name, array.shape, array.tobytes())])) == out.getvalue()
        out = io.BytesIO()
        np.savez(out, **arrays)
        want = {name: (dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()}
        good &= library.tensors(out.getvalue()) == want
        data = library.write(library.file_of(NPZ, [(name, library_name(library, dtype), array.shape, array.tobytes())
                                                   for name, array in arrays.items()]))
        good &= data == out.getvalue() and zipfile.ZipFile(io.BytesIO(data)).testzip() is None
        yield bool(good), f"NumPy, {dtype}: .npy and .npz, both ways, the same bytes"
    for array in (np.arange(24, dtype=">f4").reshape(2, 3, 4), np.asfortranarray(np.arange(24, dtype=">c16").reshape(2, 3, 4))):
        out = io.BytesIO()
        np.save(out, array)
        back = np.load(io.BytesIO(library.write(library.read(out.getvalue()))))
        yield (back.dtype.str[0] == "<" and np.array_equal(back, array) and
               back.flags.f_contiguous == array.flags.f_contiguous), f"NumPy, {array.dtype.str}: turned on the way"
    for count in (65535, 65536):  # from 65536 on with an end of 64 bits
        data = library.write(library.file_of(NPZ, [(f"t{i}", "u8", (1,), b"x") for i in range(count)]))
        out = io.BytesIO()
        np.savez(out, **{f"t{i}": np.frombuffer(b"x", "u1") for i in range(count)})
        yield data == out.getvalue(), f".npz of {count} arrays: the same bytes"
        yield len(library.tensors(data)) == count, f".npz of {count} arrays: read here"


def library_name(library, dtype):
    return "u8" if dtype.name == "uint8" else "bool" if dtype.kind == "b" else dtype.name


def checks(path):
    library = Files(path)
    yield from committed()
    yield from of_safetensors(library)
    with tempfile.TemporaryDirectory() as folder:
        yield from of_gguf(library, folder)
    yield from of_numpy(library)
