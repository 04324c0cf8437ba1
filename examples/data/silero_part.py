#!/usr/bin/env python3
"""Write silero_part.safetensors: some tensors of silero-vad 6.2.3, a voice detector (MIT licence).

    pip download --no-deps silero-vad==6.2.3
    python3 examples/data/silero_part.py silero_vad-6.2.3-py3-none-any.whl

The last convolution but one, the output layer, and of the LSTM cell the first 128 of 512 rows, which
are its input gate; the values are as they were.
"""
import hashlib
import json
import os
import struct
import sys
import zipfile

MEMBER = "silero_vad/data/silero_vad_16k.safetensors"
SHA256 = "c59271c284ae9c83"  # how it begins
ROWS = {"conv2.bias": None, "conv3.weight": None, "conv3.bias": None, "lstm_cell.weight_ih": 128,
        "lstm_cell.weight_hh": 128, "lstm_cell.bias_ih": 128, "lstm_cell.bias_hh": 128,
        "final_conv.weight": None, "final_conv.bias": None}
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "silero_part.safetensors")


def main():
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        data = wheel.read(MEMBER)
    if not hashlib.sha256(data).hexdigest().startswith(SHA256):
        sys.exit("silero_part: another file than expected")
    size, = struct.unpack_from("<Q", data)
    header, start = json.loads(data[8:8 + size]), 8 + size
    tensors, parts, at = {}, [], 0
    for name, rows in ROWS.items():
        entry = header[name]
        begin, end = entry["data_offsets"]
        shape = list(entry["shape"])
        if rows is not None:
            end, shape[0] = begin + (end - begin) * rows // shape[0], rows
        parts.append(data[start + begin:start + end])
        tensors[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + end - begin]}
        at += end - begin
    text = json.dumps(tensors, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(OUT, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


if __name__ == "__main__":
    main()
