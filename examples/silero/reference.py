#!/usr/bin/env python3
"""The files that silero.c reads, into build/silero/: weights.safetensors, speech.wav, reference.f32.

    python3 examples/silero/reference.py

Weights, a minute of speech and the model as an ONNX graph come from the source package of silero-vad 6.2.3 (MIT
licence). onnxruntime runs the graph on the speech, 512 samples after the other, with the weights of weights.safetensors:
those that are in the graph are of another training. Packages are fetched once; where that fails a line says so, and the
exit status is 77.
"""
import hashlib
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import wave

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "silero")
PACKAGE, TOP = "silero-vad==6.2.3", "silero_vad-6.2.3"
ORACLES = ["onnxruntime==1.32.0", "onnx==1.23.2"]
FILES = {  # in the package, and how its SHA-256 begins
    "weights.safetensors": ("src/silero_vad/data/silero_vad_16k.safetensors", "c59271c284ae9c83"),
    "graph.onnx": ("src/silero_vad/data/silero_vad_16k_op15.onnx", "7ed98ddbad84ccac"),
    "speech.wav": ("tests/data/test.wav", "89f17d9c94c4b31e"),
}
LAYERS = {"stft_conv.weight": "stft.forward_basis_buffer", "lstm_cell": "decoder.rnn",
          "final_conv": "decoder.decoder.2", **{f"conv{i + 1}": f"encoder.{i}.reparam_conv" for i in range(4)}}


def skip(why):
    print(f"SKIP silero: {why}")
    sys.exit(77)


def path(name):
    return os.path.join(FOLDER, name)


def run(*command):
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def have(name):
    if not os.path.exists(path(name)):
        return False
    with open(path(name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest().startswith(FILES[name][1])


def fetch():
    os.makedirs(FOLDER, exist_ok=True)
    if all(have(name) for name in FILES):
        return
    with tempfile.TemporaryDirectory() as folder:
        if not run(sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", "silero-vad", "--retries", "1",
                   "--dest", folder, PACKAGE):
            skip(f"{PACKAGE} cannot be downloaded")
        with tarfile.open(os.path.join(folder, os.listdir(folder)[0])) as package:
            for name, (member, _) in FILES.items():
                data = package.extractfile(f"{TOP}/{member}").read()
                with open(path(name), "wb") as file:
                    file.write(data)
    wrong = [member for name, (member, _) in FILES.items() if not have(name)]
    if wrong:
        sys.exit(f"silero: {', '.join(wrong)} of {PACKAGE}: another file than expected")


def with_oracles():
    """Goes on only in a Python that has the packages, which may be one of its own."""
    try:
        import onnx, onnxruntime  # noqa: F401
        return
    except ImportError:
        pass
    own = path("venv/bin/python")
    if sys.executable == own or not (run(sys.executable, "-m", "venv", path("venv")) and
                                     run(own, "-m", "pip", "install", "--quiet", "--retries", "1", *ORACLES)):
        skip(f"no {' and '.join(ORACLES)}")
    os.execv(own, [own, os.path.abspath(__file__)])


def graph():
    """The graph with the weights of weights.safetensors: all of them, and no other."""
    import numpy
    import onnx
    with open(path("weights.safetensors"), "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, tensor in json.loads(data[8:8 + size]).items():
        begin, end = tensor["data_offsets"]
        layer, kind = name.split(".")
        of = LAYERS.get(name) or f"{LAYERS[layer]}.{kind}"
        weights[f"model.{of}"] = numpy.frombuffer(data[8 + size:][begin:end], "<f4").reshape(tensor["shape"])
    model = onnx.load(path("graph.onnx"))
    for own in model.graph.initializer:
        value = weights.pop(own.name)
        if list(value.shape) != list(own.dims):
            sys.exit(f"silero: {own.name} has another shape")
        own.CopyFrom(onnx.numpy_helper.from_array(value, own.name))
    if weights:
        sys.exit(f"silero: not in the graph: {', '.join(weights)}")
    return model.SerializeToString()


def main():
    fetch()
    with_oracles()
    import numpy
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph(), options, providers=["CPUExecutionProvider"])
    with wave.open(path("speech.wav")) as file:
        sound = numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype("f4") / 32768
    sound = numpy.concatenate([numpy.zeros(64, "f4"), sound])  # each chunk is seen with the 64 samples before it
    state, speech, times = numpy.zeros((2, 1, 128), "f4"), [], []
    for at in range(0, len(sound) - 64 - 511, 512):
        chunk = {"input": sound[None, at:at + 576], "state": state, "sr": numpy.array(16000)}
        start = time.perf_counter()
        output, state = session.run(None, chunk)
        times.append(time.perf_counter() - start)
        speech.append(output[0, 0])
    numpy.array(speech, "<f4").tofile(path("reference.f32"))
    print(f"onnxruntime {onnxruntime.__version__} from Python, one thread: {min(times) * 1e3:.4f} ms a chunk")


if __name__ == "__main__":
    main()
