#!/usr/bin/env python3
"""The program mpx (tools/mpx.c): files built here by hand, casts against a rounding of Python's own, broken files, full
disks, signals.

test_tool.py build/mpx
"""
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "mpx")


def safetensors(tensors, metadata=None):
    """name: (dtype, shape, bytes)"""
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def parse(raw):
    """name: (dtype, shape, bytes)"""
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    data = raw[8 + size:]
    return {name: (t["dtype"], t["shape"], data[t["data_offsets"][0]:t["data_offsets"][1]])
            for name, t in header.items() if name != "__metadata__"}


def npy(descr, fortran, shape, raw):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + raw


def bf16(bits):
    """Of the bits of a float: nearest, ties to even."""
    if bits & 0x7fffffff > 0x7f800000:
        return (bits >> 16) | 0x40
    low = bits & 0xffff
    up = low > 0x8000 or (low == 0x8000 and bits >> 16 & 1)
    return (bits >> 16) + up


def floats(values):
    return struct.pack("<%df" % len(values), *values)


class Tool(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mpx_tool_")
        rng = random.Random(5)
        codes = [rng.getrandbits(32) for _ in range(4000)] + [0x3f808000, 0x3f818000, 0x7f7fffff, 0x80000000, 0x7fc00001, 0xff800000]
        self.codes = codes
        self.bits = struct.pack("<%dI" % len(codes), *codes)
        self.plain = floats([rng.gauss(0, 1) for _ in range(64 * 64)])
        self.write("a.safetensors", safetensors({"bits": ("F32", [len(codes)], self.bits), "w": ("F32", [64, 64], self.plain),
                                                 "n": ("I64", [3], struct.pack("<3q", 1, -2, 3))}, {"who": "a \"test\""}))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, raw):
        with open(self.path(name), "wb") as file:
            file.write(raw)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def mpx(self, *arguments, code=0, **how):
        result = subprocess.run([PROGRAM, *arguments], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, universal_newlines=True, **how)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.err = result.stderr
        return result.stdout

    def no_rest(self):
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.endswith(".tmp")], [])

    def test_info(self):
        told = json.loads(self.mpx("info", "a.safetensors", "--json"))
        self.assertEqual(told["format"], "safetensors")
        self.assertEqual([(t["tensor"], t["type"], t["shape"], t["bytes"]) for t in told["tensors"]],
                         [("bits", "f32", [4006], 16024), ("w", "f32", [64, 64], 16384), ("n", "i64", [3], 24)])
        self.assertEqual(told["types"], [{"type": "f32", "tensors": 2, "elements": 8102, "bytes": 32408},
                                         {"type": "i64", "tensors": 1, "elements": 3, "bytes": 24}])
        self.assertEqual(told["metadata"], [{"key": "who", "value": "a \"test\""}])
        for line in ("bits", "a \"test\"", "32408"):
            self.assertIn(line, self.mpx("info", "a.safetensors"))

    def test_wider_data_first(self):
        """Elements lie at multiples of their size: where some would lie elsewhere, the data of the widest go first."""
        half, plain = struct.pack("<5e", 1, -2, 0.5, 3, 4), floats([0.75, -3, 1, 5, 2])
        wide, odd = struct.pack("<2q", 7, -8), b"abc"

        def data(name):  # behind the header
            raw = self.read(name)
            return raw[8 + struct.unpack("<Q", raw[:8])[0]:]
        given = {"odd": ("U8", [3], odd), "half": ("F16", [5], half), "plain": ("F32", [5], plain), "more": ("F16", [5], half),
                 "wide": ("I64", [2], wide), "z": ("C64", [1], plain[:8])}
        self.write("o.safetensors", safetensors(given, {"k": "v"}))
        self.mpx("convert", "o.safetensors", "p.safetensors", "--verify", "--threads", "2")
        self.assertEqual(list(parse(self.read("p.safetensors")).items()), list(given.items()))
        self.assertEqual(data("p.safetensors"), wide + plain[:8] + plain + half + half + odd)
        self.assertIn(b'"__metadata__":{"k":"v"}', self.read("p.safetensors"))
        self.mpx("convert", "p.safetensors", "again.safetensors")
        self.assertEqual(self.read("again.safetensors"), self.read("p.safetensors"))
        report = json.loads(self.mpx("convert", "o.safetensors", "q.safetensors", "--map", "plain = bf16\nmore = f32",
                                     "--verify", "--json"))
        made = parse(self.read("q.safetensors"))
        want = {**given, "plain": ("BF16", [5], b"".join(struct.pack("<H", bf16(x)) for x in struct.unpack("<5I", plain))),
                "more": ("F32", [5], floats(struct.unpack("<5e", half)))}
        self.assertEqual(list(made.items()), list(want.items()))
        self.assertEqual(data("q.safetensors"), wide + plain[:8] + want["more"][2] + half + want["plain"][2] + odd)
        self.assertEqual([t["tensor"] for t in report["tensors"]], list(made))
        kept = {"half": ("F16", [6], half + half[:2]), "plain": ("F32", [5], plain), "odd": ("U8", [3], odd)}
        self.write("s.safetensors", safetensors(kept))
        self.mpx("convert", "s.safetensors", "t.safetensors")
        self.assertEqual(list(parse(self.read("t.safetensors")).items()), list(kept.items()))
        self.assertEqual(data("t.safetensors"), b"".join(raw for _, _, raw in kept.values()))

    def test_info_of_numbers(self):
        """Metadata are told to their last digit."""
        kinds = [(0, "B", 255), (1, "b", -128), (4, "I", 4294967295), (5, "i", -2147483648), (10, "Q", 2 ** 64 - 1),
                 (11, "q", -2 ** 63), (11, "q", 7241732097), (7, "B", 1), (12, "d", 1 / 3), (6, "f", 16777217.0 / 3)]
        self.write("n.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, len(kinds)) +
                   b"".join(struct.pack("<Q", 1) + bytes([97 + i]) + struct.pack("<I" + form, kind, x) for i, (kind, form, x) in enumerate(kinds)))
        told = json.loads(self.mpx("info", "n.gguf", "--json"))["metadata"]
        for entry, (kind, form, x) in zip(told, kinds):
            self.assertEqual(struct.pack(form, (float if form in "df" else int)(entry["value"])), struct.pack(form, x))

    def test_convert(self):
        for threads in "1", "2":
            told = json.loads(self.mpx("convert", "a.safetensors", "b.safetensors", "--map", "bf16", "--verify", "--json",
                                       "--threads", threads))
            made = parse(self.read("b.safetensors"))
            self.assertEqual(made["bits"], ("BF16", [4006], struct.pack("<4006H", *map(bf16, self.codes))))
            self.assertEqual(made["n"][2], struct.pack("<3q", 1, -2, 3))
            row = next(t for t in told["tensors"] if t["tensor"] == "w")
            x = struct.unpack("<4096f", self.plain)
            y = [struct.unpack("<f", struct.pack("<I", c << 16))[0] for c in struct.unpack("<4096H", made["w"][2])]
            sqnr = 10 * math.log10(sum(v * v for v in x) / sum((a - b) ** 2 for a, b in zip(x, y)))
            self.assertAlmostEqual(row["SQNR dB"], sqnr, places=6)
            self.assertAlmostEqual(row["max error"], max(abs(a - b) for a, b in zip(x, y)), places=12)
        self.no_rest()

    def test_map(self):
        self.write("m.map", b"# a comment\nw = f8e4m3fn saturate\nnone* = f16\n")
        self.mpx("convert", "a.safetensors", "b.safetensors", "--map", "@m.map")
        self.assertIn("no tensor of floats matches 'none*'", self.err)
        made = parse(self.read("b.safetensors"))
        self.assertEqual((made["w"][0], made["bits"]), ("F8_E4M3", ("F32", [4006], self.bits)))
        self.mpx("convert", "a.safetensors", "b.safetensors", "--map", "w = bf61", code=2)
        self.assertIn("'bf61'", self.err)
        self.mpx("convert", "a.safetensors", "b.safetensors", "--map", "w = q8_0", code=3)
        self.assertIn("only GGUF", self.err)
        self.mpx("convert", "a.safetensors", "b.safetensors", "--map", "w = int8/row", code=3)
        self.assertIn("scales apart", self.err)

    def test_map_of_policy_and_lines(self):
        """A policy, and lines behind it: the keys outlive the text that was made of them."""
        self.mpx("convert", "a.safetensors", "b.safetensors", "--map", "f16\nw = bf16\n*its = f64 # a key beside it\n")
        made = parse(self.read("b.safetensors"))
        self.assertEqual([made[name][0] for name in ("bits", "w", "n")], ["F64", "BF16", "I64"])

    def test_map_errors(self):
        for text, said in ("bf61", "unknown dtype 'bf61' at 0"), (" bf61\n", "unknown dtype 'bf61' at 1"), \
                ("p=f32,c=x", "unknown dtype 'x' at 8"), ("q8_0/row", "'row' at 5"), ("w = bf61", "unknown dtype 'bf61' at 4"), \
                ("patterns = foo", "bad argument 'foo' at 11"), ("\"w = f16", "quote is not closed '\"' at 0"), \
                ("f16 saturat", "unknown dtype 'f16 saturat' at 0"), ("w = f16\nx", "line 2: missing '=' in 'x' at 8"):
            self.mpx("dry-run", "a.safetensors", "--map", text, code=2)
            self.assertIn(said, self.err)
        for text, hinted in ("w: f16", 1), (" w f16\n", 1), ("f16 saturated", 1), (" bf61 \n", 0), ("w = bf61 x", 0):
            self.mpx("dry-run", "a.safetensors", "--map", text, code=2)
            told = self.err.endswith("; a line of a map is KEY = f16, or KEY = f16 saturate\n")
            self.assertEqual(told, hinted == 1, self.err)
        self.mpx("dry-run", "a.safetensors", "--map", "bits = q8_0", code=3)
        self.assertIn("'bits': q8_0 needs rows of whole blocks of 32: a row has 4006 elements", self.err)

    def test_formats(self):
        self.mpx("convert", "a.safetensors", "q.gguf", "--map", "w = q8_0", "--verify")
        told = json.loads(self.mpx("info", "q.gguf", "--json"))
        self.assertEqual([t["type"] for t in told["tensors"]], ["f32", "q8_0", "i64"])
        self.mpx("convert", "q.gguf", "back.npz", "--map", "f32", "--verify")
        self.mpx("convert", "back.npz", "again.safetensors")
        scale_errors = []
        x, y = (struct.unpack("<4096f", parse(self.read(f))["w"][2]) for f in ("a.safetensors", "again.safetensors"))
        for i in range(0, 4096, 32):
            most = max(map(abs, x[i:i + 32]))
            scale_errors.append(max(abs(a - b) for a, b in zip(x[i:i + 32], y[i:i + 32])) / (most / 127))
        self.assertLess(max(scale_errors), 0.6)
        self.mpx("convert", "back.npz", "w.npy", code=3)
        for name in "o.safetensors", "o.npz":
            self.mpx("convert", "q.gguf", name, code=3)
            self.assertIn("'w': ", self.err)
            self.assertTrue(self.err.endswith("no such dtype; it is q8_0 of the shape 64x64\n"), self.err)
        self.write("five.npy", npy("<f4", False, (1, 1, 1, 1, 2), floats([1, 2])))
        self.mpx("convert", "five.npy", "o.gguf", code=3)
        self.assertTrue(self.err.endswith("'five': ggml has at most four dimensions; it is f32 of the shape 1x1x1x1x2\n"), self.err)
        self.mpx("diff", "a.safetensors", "again.safetensors", code=1)

    def test_stochastic(self):
        for name, seed, threads in ("x", "1", "1"), ("y", "1", "2"), ("z", "2", "1"):
            self.mpx("convert", "a.safetensors", name, "--format", "safetensors", "--map", "bf16", "--stochastic", seed,
                     "--threads", threads, "--verify")
        self.assertEqual(self.read("x"), self.read("y"))
        self.assertNotEqual(self.read("x"), self.read("z"))

    def test_sums_in_order(self):
        """The same numbers by any threads, whoever is first, to the last digit."""
        rng = random.Random(9)
        raw = struct.pack("<4096I", *[rng.getrandbits(32) & 0xcfffffff for _ in range(4096)])
        self.write("d.safetensors", safetensors({"w": ("F32", [300, 4096], raw * 100 + self.plain * 100 + raw * 100)}))
        self.mpx("convert", "d.safetensors", "e.safetensors", "--map", "f6e3m2fn")
        for command in ["dry-run", "d.safetensors", "--map", "f6e3m2fn", "--json"], ["diff", "d.safetensors", "e.safetensors", "--json"]:
            codes = 1 if command[0] == "diff" else 0
            told = {self.mpx(*command, "--threads", str(n), code=codes) for n in (1, 2, 3, 5, 16) for _ in range(5)}
            self.assertEqual(len(told), 1)

    def test_diff(self):
        self.assertIn("3 of 3", self.mpx("diff", "a.safetensors", "a.safetensors"))
        changed = bytearray(self.read("a.safetensors"))
        changed[-24 - 4096 * 4 + 3] ^= 0x80  # the sign of w[0]
        self.write("b.safetensors", changed)
        told = json.loads(self.mpx("diff", "a.safetensors", "b.safetensors", "--json", code=1))
        self.assertEqual([t["bits"] for t in told["tensors"]], ["equal", "differs", "equal"])
        first = struct.unpack("<f", self.plain[:4])[0]
        self.assertEqual(told["tensors"][1]["max error"], abs(2 * first))
        self.write("c.safetensors", safetensors({"w": ("F32", [64 * 64], self.plain), "v": ("F32", [], floats([1]))}))
        told = json.loads(self.mpx("diff", "a.safetensors", "c.safetensors", "--json", code=1))
        self.assertEqual([t["bits"] for t in told["tensors"]], ["only in A", "other shape", "only in A", "only in B"])
        self.write("long.safetensors", safetensors({"a_long_name_that_b_alone_has": ("F32", [], floats([1]))}))
        lines = self.mpx("diff", "c.safetensors", "long.safetensors", code=1).splitlines()[1:-1]
        self.assertEqual({line.index("only in") for line in lines}, {lines[0].index("only in")})

    def test_dry_run(self):
        self.write("d.safetensors", safetensors({"fine": ("F32", [2], floats([1, 2.5])), "large": ("F32", [2], floats([7e4, 1])),
                                                 "small": ("F32", [2], floats([1e-9, 1]))}))
        told = json.loads(self.mpx("dry-run", "d.safetensors", "--map", "f16", "--json"))
        self.assertEqual([(t["tensor"], t["overflow"], t["zeroed"]) for t in told["tensors"]],
                         [("large", 1, 0), ("small", 0, 1), ("fine", 0, 0)])
        self.mpx("dry-run", "d.safetensors", "--map", "f16", "--limit", "overflow=0", code=1)
        self.mpx("dry-run", "d.safetensors", "--map", "f16", "--limit", "overflow=50%", "--limit", "zeroed=1")
        self.mpx("dry-run", "d.safetensors", "--map", "f16", "--limit", "zeroed=49%", code=1)
        self.mpx("dry-run", "a.safetensors", "--map", "w = f8e5m2", "--min-sqnr", "30", code=1)
        self.mpx("dry-run", "a.safetensors", "--map", "w = bf16", "--min-sqnr", "30")
        self.mpx("convert", "d.safetensors", "e.safetensors", "--map", "f16", "--verify", "--limit", "overflow=0", code=1)
        self.assertFalse(os.path.exists(self.path("e.safetensors")))
        self.mpx("convert", "d.safetensors", "e.safetensors", "--map", "f16")
        self.assertIn("'large': 1 finite values became Inf", self.err)
        self.write("d.safetensors", safetensors({"w": ("F32", [3, 32], floats(32 * [3e8] + 31 * [1e6] + [-1e6] + 32 * [1]))}))
        for to, lost in (("q8_0", 32), ("q4_0", 64), ("q4_1", 64), ("ggml_mxfp4", 0)):  # the scale of a block is an f16
            self.mpx("convert", "d.safetensors", "e.gguf", "--map", to)
            self.assertEqual("'w': %d finite values became Inf" % lost in self.err, lost != 0, to)

    def test_bits(self):
        told = json.loads(self.mpx("bits", "0.1", "--in", "bf16,f16,e4m3fn", "--json"))["codes"]
        self.assertEqual([row["code"] for row in told], ["0x3dcd", "0x2e66", "0x1d"])
        self.assertEqual([row["bits"] for row in told], ["0 01111011 1001101", "0 01011 1001100110", "0 0011 101"])
        for row, size, code in zip(told, (16, 0, 0), (0x3dcd, 0x2e66, 0x1d)):
            if size:
                decode = lambda c: struct.unpack("<f", struct.pack("<I", c << 16))[0]
            elif code > 255:
                decode = lambda c: struct.unpack("<e", struct.pack("<H", c))[0]
            else:
                decode = lambda c: (1 + (c & 7) / 8) * 2.0 ** ((c >> 3) - 7)
            self.assertEqual((row["value"], row["below"], row["above"]), (decode(code), decode(code - 1), decode(code + 1)))
            self.assertEqual(row["error"], decode(code) - 0.1)
        self.assertEqual(len(json.loads(self.mpx("bits", "0.1", "--in", ",".join(200 * ["e4m3fn"]), "--json"))["codes"]), 200)
        told = json.loads(self.mpx("bits", "-inf", "--in", "bf16,e4m3fn", "--json"))["codes"]
        self.assertEqual([(row["error"], row["relative"]) for row in told], [(0, 0), (None, None)])
        self.mpx("bits", "0.1", "--in", "e4m3", code=2)
        told = json.loads(self.mpx("bits", "1", "--in", "e5m2,e3m4", "--json"))["codes"]  # one meaning each
        self.assertEqual([(row["dtype"], row["code"]) for row in told], [("f8e5m2", "0x3c"), ("f8e3m4", "0x30")])
        self.mpx("bits", "zero", code=2)
        self.assertEqual(self.mpx("bits", "1", "--in", "f32,nothing", "--json", code=2), "")  # no half of an object
        told = json.loads(self.mpx("bits", "1e30", "--in", "i64,u64", "--json"))["codes"]  # doubles of neighbours are equal
        self.assertEqual([(row["below"], row["above"]) for row in told], [(2.0 ** 63, None), (2.0 ** 64, None)])
        told = json.loads(self.mpx("bits", "-1e30", "--in", "i64,u64", "--json"))["codes"]
        self.assertEqual([(row["below"], row["above"]) for row in told], [(None, -2.0 ** 63), (None, 1)])

    def test_bits_table(self):
        """Neighbours to their last digit; columns that fit the widest dtype of the list."""
        lines = [re.split("  +", line) for line in self.mpx("bits", "0.1", "--in", "f64,f8e4m3b11fnuz,f16").splitlines()]
        self.assertEqual(lines[1][6:], ["0.099999999999999992", "0.10000000000000002"])
        lines = [re.split("  +", line) for line in self.mpx("bits", "3e9", "--in", "i32,u32").splitlines()]
        self.assertEqual([line[6:] for line in lines[1:]], [["2147483646", "none"], ["2999999999", "3000000001"]])
        lines = self.mpx("bits", "0.1", "--in", "f64,f8e4m3b11fnuz,f16").splitlines()
        for title, value in ("code", "0x"), ("bits", "0 0"), ("above", "0.1"):
            self.assertEqual({line.index(value, lines[0].index(title)) for line in lines[1:]}, {lines[0].index(title)})
        for words, told in ("f32,i1", "unknown dtype 'i1' at 4"), ("f32,bf16,e4m3", "'e4m3' at 9"), ("f32,", "a dtype is missing at 4"), \
                ("", "a dtype is missing at 0"):
            self.mpx("bits", "1", "--in", words, code=2)
            self.assertIn(told, self.err)

    def test_usage(self):
        for arguments in [], ["infos", "a"], ["info"], ["info", "a", "b"], ["info", "a.safetensors", "--no"], \
                ["convert", "a.safetensors", "b.what"], ["dry-run", "a.safetensors"]:
            self.mpx(*arguments, code=2)
        for arguments, told in (["infos", "a"], "there is no command 'infos'"), (["info", "a", "b"], "info takes 1 name, not 2"), \
                (["diff", "a"], "diff takes 2 names, not 1"), ([], "usage"):
            self.mpx(*arguments, code=2)
            self.assertTrue(self.err.startswith(f"mpx: {told}\nusage: mpx info" if arguments else "usage: "), self.err)
        for arguments in ["--help"], ["-h"], ["convert", "--help"], ["convert", "-h"], ["info", "a.safetensors", "--help"]:
            self.assertTrue(self.mpx(*arguments).startswith("usage: mpx info FILE"))
        self.mpx("info", "missing", code=3)
        self.assertIn("missing: No such file", self.err)
        self.mpx("dry-run", "a.safetensors", "--map", "bf16", "--stochastic", "-1", code=2)
        self.assertIn("'-1' is below 0", self.err)

    def test_policies_of_compute_alone(self):
        """Files have parameters: a policy that leaves theirs says so."""
        for text in "mixed_bfloat16", "p=f32,c=bf16,o=f32", "w = p=f32,c=bf16":
            for command in ["dry-run", "a.safetensors"], ["convert", "a.safetensors", "o.safetensors"]:
                self.mpx(*command, "--map", text)
                self.assertIn("nothing is cast: files have parameters", self.err)
                self.assertTrue(self.err.endswith("to cast them write bf16\n"), self.err)
        for text in "f32", "p=bf16,c=f32", "w = none":
            self.mpx("dry-run", "a.safetensors", "--map", text)
            self.assertEqual(self.err, "")

    def test_maps_that_cast_nothing(self):
        self.write("empty.map", b"# w = bf16\n")
        for text in "", "# w = bf16", "@empty.map":
            for command in ["dry-run", "a.safetensors"], ["convert", "a.safetensors", "o.safetensors"]:
                self.mpx(*command, "--map", text, code=2)
                self.assertIn("no line says what to cast", self.err)
        self.mpx("dry-run", "a.safetensors", "--map", "w = bf16\nn = f16")
        self.assertEqual(self.err, "mpx: warning: no tensor of floats matches 'n'\n")
        self.mpx("dry-run", "a.safetensors", "--map", "w = none")
        self.assertEqual(self.err, "")
        self.mpx("dry-run", "a.safetensors", "--map", "q4_k", code=3)  # though no row is whole blocks of 256
        self.assertIn("'w': q4_k can only be read", self.err)
        self.mpx("dry-run", "a.safetensors", "--map=bf16", code=2)
        self.assertIn("the value is a word of its own", self.err)
        self.assertRegex(self.mpx("bits", "300", "--in", "u8"), r"254 +none\n")
        self.assertIsNone(json.loads(self.mpx("bits", "300", "--in", "u8", "--json"))["codes"][0]["above"])

    def test_dry_run_of_scales_apart(self):
        """Quantizations that no file here can hold: int8 by rows, as Keras has it; and in f64, by columns."""
        x = struct.unpack("<4096f", self.plain)
        rows = [x[i:i + 64] for i in range(0, 4096, 64)]
        columns = [x[i::64] for i in range(64)]
        self.write("d.safetensors", safetensors({"w": ("F64", [2, 32, 64], struct.pack("<4096d", *x)), "n": ("F64", [0, 3], b"")}))
        for name, form, groups in ("a.safetensors", "int8/row", rows), ("d.safetensors", "int8/column", columns):
            errors = [value - max(map(abs, group)) / 127 * round(value * 127 / max(map(abs, group)))
                      for group in groups for value in group]
            told = {t["tensor"]: t for t in json.loads(self.mpx("dry-run", name, "--map", "w = " + form, "--json"))["tensors"]}
            self.assertEqual((told["w"]["values"], told["w"]["overflow"], len(told)), (4096, 0, 1))
            self.assertAlmostEqual(told["w"]["max error"], max(map(abs, errors)), 5)
            self.assertAlmostEqual(told["w"]["rms error"], (sum(e * e for e in errors) / 4096) ** 0.5, 6)
        self.write("s.safetensors", safetensors({"s": ("F32", [], floats([2.5])), "n": ("F32", [4, 0], b"")}))
        for form in "int8/row", "mxfp4", "q8_0":
            self.mpx("dry-run", "s.safetensors", "--map", "n = " + form)
        told = json.loads(self.mpx("dry-run", "s.safetensors", "--map", "s = int8/row", "--json"))["tensors"]
        self.assertEqual([(t["values"], t["max error"] < 1e-6) for t in told], [(1, True)])
        told = self.mpx("dry-run", "d.safetensors", "--map", "default = mxfp4", "--min-sqnr", "30", code=1)
        self.assertRegex(told, "past the limit")

    def test_usage_and_manual_have_all_options(self):
        tools = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools")
        with open(os.path.join(tools, "mpx.c"), encoding="utf-8") as file:
            options = set(re.findall(r'"(--[a-z-]+)"', file.read()))
        with open(os.path.join(tools, "mpx.1"), encoding="utf-8") as file:
            manual = file.read().replace("\\-", "-")
        usage = self.mpx("--help")
        self.assertGreater(len(options), 10)
        for option in options:
            with self.subTest(option):
                self.assertRegex(usage, option + r"\b")
                self.assertRegex(manual, option + r"\b")

    def test_broken(self):
        raw = self.read("a.safetensors")
        self.write("cut.safetensors", raw[:-1])
        self.mpx("info", "cut.safetensors", code=3)
        self.assertIn("cut.safetensors: ", self.err)
        self.assertRegex(self.err, "at byte [0-9]+")
        self.assertIn("'n'", self.err)
        for size in 0, 7, 20, 200:
            self.write("cut.safetensors", raw[:size])
            self.mpx("convert", "cut.safetensors", "b.safetensors", code=3)
        self.assertFalse(os.path.exists(self.path("b.safetensors")))

    def test_own_input(self):
        os.symlink("a.safetensors", self.path("link.safetensors"))
        self.mpx("convert", "a.safetensors", "link.safetensors", "--map", "bf16")
        self.assertTrue(os.path.islink(self.path("link.safetensors")))
        self.assertEqual(parse(self.read("a.safetensors"))["bits"][2], struct.pack("<4006H", *map(bf16, self.codes)))
        self.no_rest()

    def test_two_meanings(self):
        """A text that reads as a policy for all tensors, and as a line for one that the file has."""
        self.write("two.safetensors", safetensors({"a": ("F32", [1], floats([5])), "output": ("F32", [2], floats([1, 2])),
                                              "w": ("F32", [2], floats([3, 4]))}))
        self.mpx("dry-run", "two.safetensors", "--map", "output = f16", code=2)
        self.assertIn("also a line for 'output'", self.err)
        self.mpx("convert", "two.safetensors", "o.safetensors", "--map", "default = f32\noutput = f16")
        self.assertEqual([parse(self.read("o.safetensors"))[name][0] for name in ("output", "w")], ["F16", "F32"])
        self.mpx("dry-run", "two.safetensors", "--map", "compute = f16")

    def test_orders(self):
        x = [float(i) for i in range(24)]  # of the shape 2, 3, 4
        places = [(i, j, k) for k in range(4) for j in range(3) for i in range(2)]  # in the order of Fortran
        raw = struct.pack(">24f", *(x[12 * i + 4 * j + k] for i, j, k in places))
        self.write("f.npy", npy(">f4", True, (2, 3, 4), raw))
        self.write("c.npy", npy("<f4", False, (2, 3, 4), floats(x)))
        for name in "o.safetensors", "o.gguf":
            self.mpx("convert", "f.npy", name, "--verify")
            self.assertEqual(self.read(name)[-96:], floats(x))
            self.assertIn("1 of 1 tensors are equal", self.mpx("diff", "f.npy", name))  # though the names are "" and "f"
            self.mpx("diff", name, "f.npy")
        self.mpx("convert", "f.npy", "b.safetensors", "--map", "bf16", "--verify")
        self.assertEqual(parse(self.read("b.safetensors"))["f"], ("BF16", [2, 3, 4], b"".join(struct.pack("<f", v)[2:] for v in x)))
        self.assertIn("1 of 1 tensors are equal", self.mpx("diff", "f.npy", "c.npy"))
        self.mpx("convert", "f.npy", "g.npy", "--verify")  # here both orders stay, but for that of bytes
        self.assertIn(b"'fortran_order': True", self.read("g.npy"))
        self.assertEqual(self.read("g.npy")[-96:], b"".join(raw[i:i + 4][::-1] for i in range(0, 96, 4)))
        self.write("z.npy", npy(">c8", True, (1, 2), struct.pack(">4f", 1, 2, 3, 4)))
        self.write("zc.npy", npy("<c8", False, (1, 2), floats([1, 2, 3, 4])))
        self.assertIn("1 of 1 tensors are equal", self.mpx("diff", "z.npy", "zc.npy"))
        self.write("u.npy", npy("<U1", True, (2, 2), b"".join(c.encode("utf-32-le") for c in "acbd")))
        self.write("uc.npy", npy("<U1", False, (2, 2), "abcd".encode("utf-32-le")))
        self.assertIn("1 of 1 tensors are equal", self.mpx("diff", "u.npy", "uc.npy"))
        self.write("e.npy", npy(">f8", True, (0, 3), b""))
        self.mpx("convert", "e.npy", "e.safetensors", "--verify")
        self.assertEqual(parse(self.read("e.safetensors"))["e"], ("F64", [0, 3], b""))

    def test_unknown_types(self):
        """Their bytes are what the file says, whatever the shape."""
        for name, size in ("few", 10), ("many", 100000):
            self.write(name, safetensors({"w": ("XX", [4], bytes(size))}))
        self.write("name", safetensors({"w": ("\u00e9", [4], bytes(10))}))  # whether char is signed or not
        for name in "few", "name":
            self.mpx("convert", name, "o.safetensors", "--verify")
            self.assertEqual(parse(self.read("o.safetensors")), parse(self.read(name)))
        for pair in ("few", "many"), ("many", "few"):
            self.assertIn("0 of 1 tensors are equal", self.mpx("diff", *pair, code=1))

    def test_half_a_byte(self):
        """Elements below a byte end with a byte in a file, or the tensor is named; a dry run casts them all the same."""
        self.write("h.safetensors", safetensors({"even": ("F32", [2], floats([1, 6])), "odd": ("F32", [3], floats([1, 2, 3]))}))
        self.mpx("convert", "h.safetensors", "o.safetensors", "--map", "float4_e2m1fn", code=3)
        self.assertIn("'odd': 3 elements of float4_e2m1fn end within a byte", self.err)
        self.mpx("dry-run", "h.safetensors", "--map", "float4_e2m1fn")
        self.mpx("convert", "h.safetensors", "o.safetensors", "--map", "even = float4_e2m1fn", "--verify")
        self.assertEqual(parse(self.read("o.safetensors"))["even"], ("F4", [2], b"\x72"))

    def test_dry_run_of_fortran(self):
        rng = random.Random(1)
        rows = [[rng.gauss(0, 1) * (1 + j) for j in range(64)] for _ in range(8)]
        self.write("f.npy", npy("<f4", True, (8, 64), floats([rows[i][j] for j in range(64) for i in range(8)])))
        tried = json.loads(self.mpx("dry-run", "f.npy", "--map", "q8_0", "--json"))["tensors"][0]
        made = json.loads(self.mpx("convert", "f.npy", "f.gguf", "--map", "q8_0", "--verify", "--json"))["tensors"][0]
        for key in "max error", "rms error", "SQNR dB", "zeroed":
            self.assertEqual(tried[key], made[key])

    def test_diff_of_fortran_and_packed(self):
        """One is turned into the order of C, the other is in it, with two elements in a byte."""
        codes = [0, .5, 1, 1.5, 2, 3, 4, 6]
        rows = [[codes[(3 * i + j) % 8] for j in range(64)] for i in range(64)]
        self.write("f.npy", npy("<f4", True, (64, 64), floats([rows[i][j] for j in range(64) for i in range(64)])))
        self.mpx("convert", "f.npy", "f.npz")
        self.mpx("convert", "f.npz", "f.safetensors", "--map", "f4e2m1fn", "--verify")
        told = json.loads(self.mpx("diff", "f.npz", "f.safetensors", "--json", code=1))["tensors"][0]
        self.assertEqual((told["bits"], told["max error"], told["SQNR dB"]), ("differs", 0, 999))

    def test_blocks_of_packed(self):
        """Elements below a byte become the blocks that the same numbers become as floats."""
        codes, values = [(5 * i + i // 7) % 16 for i in range(256)], [0, .5, 1, 1.5, 2, 3, 4, 6]
        packed = bytes(codes[i] | codes[i + 1] << 4 for i in range(0, 256, 2))
        self.write("p.safetensors", safetensors({"w": ("F4", [4, 64], packed)}))
        self.write("f.safetensors", safetensors({"w": ("F32", [4, 64], floats([values[c % 8] * (1 - c // 8 * 2) for c in codes]))}))
        for quant in "q8_0", "q4_1":
            for name in "p", "f":
                self.mpx("convert", name + ".safetensors", name + ".gguf", "--map", quant, "--verify", "--min-sqnr", "20")
            self.assertEqual(self.read("p.gguf"), self.read("f.gguf"))

    def test_limits_are_those_of_a_dry_run(self):
        self.write("d.safetensors", safetensors({"large": ("F32", [4], floats([7e4, -8e4, 1e-9, 3]))}))
        for way in [], ["--saturate"]:
            told = [json.loads(self.mpx(*command, "--map", "f16", "--json", *way))["tensors"][0] for command in
                    (["dry-run", "d.safetensors"], ["convert", "d.safetensors", "e.safetensors", "--verify"])]
            self.assertEqual("2 finite values became" in self.err, not way)
            for key in "overflow", "zeroed", "max error", "SQNR dB":
                self.assertEqual(told[0][key], told[1][key])
            self.assertEqual((told[0]["overflow"], told[0]["zeroed"]), (2, 1))
            self.mpx("convert", "d.safetensors", "e.safetensors", "--map", "f16", "--verify", "--limit", "overflow=1", *way, code=1)
            self.assertIn("past the limit", self.err)
            told = self.mpx("convert", "d.safetensors", "e.safetensors", "--map", "f16", "--verify", "--limit", "overflow=1", *way,
                            "--json", code=1)
            self.assertIs(json.loads(told)["tensors"][0]["past limit"], True)
        for limit in ("--limit", "overflow=1"), ("--limit", "zeroed=0"), ("--min-sqnr", "9"):
            self.mpx("convert", "d.safetensors", "never.safetensors", "--map", "f16", *limit, code=2)
            self.assertIn("--verify", self.err)
        self.assertFalse(os.path.exists(self.path("never.safetensors")))

    def test_losses_of_stochastic(self):
        """A value beyond the range that is rounded down to the largest is not told to be NaN."""
        self.write("d.safetensors", safetensors({"w": ("F32", [1000], floats(1000 * [472]))}))
        self.mpx("convert", "d.safetensors", "e.safetensors", "--map", "f8e4m3fn", "--stochastic", "3")
        lost = sum(code & 127 == 127 for code in parse(self.read("e.safetensors"))["w"][2])
        self.assertTrue(0 < lost < 1000)
        self.assertEqual(self.err, f"mpx: warning: 'w': {lost} finite values became Inf or NaN\n")

    def test_texts_of_numpy(self):
        """They are no numbers, and stay; other elements that are not known may be some."""
        for name, descr, raw in ("s", "|S3", b"abcd\0\0"), ("u", "<U1", struct.pack("<2I", 97, 98)):
            self.write(name + ".npy", npy(descr, False, (2,), raw))
            self.mpx("convert", name + ".npy", "t.npz", "--map", "bf16", "--verify")
            self.assertIn(descr.encode(), self.read("t.npz"))
            self.assertIn("no tensor would be cast", self.mpx("dry-run", name + ".npy", "--map", "q8_0"))
        self.write("v.npy", npy("|V2", False, (2,), bytes(4)))
        self.mpx("convert", "v.npy", "t.npz", "--map", "bf16", code=3)
        self.assertIn("elements of type |V2 cannot be read", self.err)

    def test_padding_of_zips(self):
        """Up to three bytes behind the extra fields, in the member's header and in the directory."""
        for extra in b"\0", b"\0\0\0", b"UT\5\0\1\0\0\0\0" + b"\0\0":
            member = zipfile.ZipInfo("w.npy")
            member.extra = extra
            with zipfile.ZipFile(self.path("z.npz"), "w") as file:
                file.writestr(member, npy("<f4", False, (2,), floats([1, 2])))
            self.mpx("convert", "z.npz", "z.safetensors")
            self.assertEqual(parse(self.read("z.safetensors")), {"w": ("F32", [2], floats([1, 2]))})

    def test_checksums_of_zips(self):
        """Of few bytes and of many, with each rest below eight."""
        tensors = {f"w{n}": ("U8", [n], bytes(i * i * 7 + n >> 3 & 255 for i in range(n))) for n in (0, 1, 1023, *range(1024, 1033), 9001)}
        self.write("z.safetensors", safetensors(tensors))
        self.mpx("convert", "z.safetensors", "z.npz")
        with zipfile.ZipFile(self.path("z.npz")) as file:
            self.assertIsNone(file.testzip())
            for name, (_, _, data) in tensors.items():
                self.assertTrue(file.read(name + ".npy").endswith(b"\n" + data))

    def test_verify_of_numpy(self):
        """NumPy has no bf16: its files say "<V2", and what is in them is right all the same."""
        for name in "b.npy", "b.npz":
            self.write("d.safetensors", safetensors({"b": ("F32", [4006], self.bits)}))
            told = json.loads(self.mpx("convert", "d.safetensors", name, "--map", "bf16", "--verify", "--json"))
            self.assertEqual(told["tensors"][0]["to"], "bf16")
            self.assertIn(f"1 tensors lose their dtype: {name[2:]} has no name for bfloat16", self.err)
            self.assertIn(b"'<V2'", self.read(name))
            self.assertIn(struct.pack("<4006H", *map(bf16, self.codes)), self.read(name))
            self.mpx("convert", "d.safetensors", name, "--map", "f16")
            self.assertNotIn("dtype", self.err)
            self.assertNotIn("cannot read", self.err)
            self.mpx("convert", "d.safetensors", name, "--map", "f8e5m2")
            self.assertIn(f"NumPy cannot read 1 tensors of float8_e5m2, which {name[2:]} calls <f1", self.err)
            self.mpx("convert", "d.safetensors", name, "--map", "float4_e2m1fn", code=3)
            self.assertNotIn("warning", self.err)  # it is refused, not lost

    def test_verify_counts_losses_once(self):
        """A block whose scale is beyond float16: its 32 values are not finite, with and without --verify."""
        self.write("d.safetensors", safetensors({"w": ("F32", [1, 32], floats([1e9] + 31 * [1]))}))
        for way in [], ["--verify"]:
            self.mpx("convert", "d.safetensors", "d.gguf", "--map", "q8_0", *way)
            self.assertEqual(self.err, "mpx: warning: 'w': 32 finite values became Inf or NaN\n")

    def test_map_files(self):
        """All of a file is read, with or without a byte-order mark; a NUL is told, not taken for the end."""
        for raw in b"w = f16\n", b"\xef\xbb\xbfw = f16\r\n", b"w = f16":
            self.write("m", raw)
            self.assertEqual(len(json.loads(self.mpx("dry-run", "a.safetensors", "--map", "@m", "--json"))["tensors"]), 1)
        for raw in b"f16\n", b"\xef\xbb\xbff16\r\n":
            self.write("m", raw)
            self.assertEqual(len(json.loads(self.mpx("dry-run", "a.safetensors", "--map", "@m", "--json"))["tensors"]), 2)
        for at, raw in (8, b"w = f16\n\0bits = bogus\n"), (0, b"\0"), (1, b"f\0001\0006\0"):
            self.write("m", raw)
            self.mpx("dry-run", "a.safetensors", "--map", "@m", code=2)
            self.assertEqual(self.err, "mpx: m: a NUL at byte %d; expected text\n" % at)

    def test_names_too_long_for_ggml(self):
        """ggml refuses files with names of 64 bytes and more, which the format and its package allow."""
        for size, told in (63, ""), (64, "mpx: warning: ggml cannot read 1 tensors whose names have more than 63 bytes\n"):
            self.write("d.safetensors", safetensors({"\u00e9" + (size - 2) * "n": ("F32", [1], floats([1]))}))
            self.mpx("convert", "d.safetensors", "d.gguf", "--verify")
            self.assertEqual(self.err, told)
            self.mpx("convert", "d.gguf", "e.safetensors")
            self.assertEqual(self.err, "")

    def test_hostile_texts(self):
        self.write("c.safetensors", safetensors({"a\x1b[31m\nb\x7f": ("F32", [1], floats([1e30])),
                                                 "\x80\x9f\u00e9\u00a0\u0109": ("F32", [1], floats([1e30]))},
                                                {"k\x1b[2J": "v\x1b\x9b2J"}))
        for text in self.mpx("info", "c.safetensors"), self.mpx("diff", "c.safetensors", "c.safetensors"), \
                self.mpx("convert", "c.safetensors", "d.safetensors", "--map", "f16") + self.err:
            self.assertEqual([c for c in text if c == "\x1b" or "\x7f" <= c <= "\x9f"], [])
            self.assertIn("    \u00e9\u00a0\u0109 ", text)
        self.assertIn("'a [31m b '", self.err)
        os.rename(self.path("c.safetensors"), self.path("c\x1b[31m"))
        self.assertTrue(self.mpx("info", "c\x1b[31m").startswith("c [31m: safetensors, "))
        text = lambda raw: struct.pack("<Q", len(raw)) + raw
        texts = [b"\xff\xc0\x80|\xe0\x80\x80|\xed\xa0\x80|\xf0\x80\x80\x80|\xf4\x90\x80\x80|\xf5|\xc3", b"a" + 200 * "\u00e9".encode(),
                 "\u00e9\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode()]
        self.write("m.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, len(texts)) +
                   b"".join(text(b"k%d" % i) + struct.pack("<I", 8) + text(raw) for i, raw in enumerate(texts)))
        raw = subprocess.run([PROGRAM, "info", self.path("m.gguf"), "--json"], stdout=subprocess.PIPE, check=True).stdout
        told = [entry["value"] for entry in json.loads(raw.decode())["metadata"]]
        one = "\ufffd"
        self.assertEqual(told[0], "|".join([3 * one, 3 * one, 3 * one, 4 * one, 4 * one, one, one]))
        self.assertEqual(told[1:], [texts[1].decode(), texts[2].decode()])  # all of it
        self.write("n.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + text(b"k") + struct.pack("<I", 8) + text(b"a\0b") +
                   text(b"l") + struct.pack("<I", 8) + text(texts[1]))
        self.assertEqual([e["value"] for e in json.loads(self.mpx("info", "n.gguf", "--json"))["metadata"]], ["a\0b", texts[1].decode()])
        self.assertIn(" a" + 79 * "\u00e9" + "...\n", self.mpx("info", "n.gguf"))  # no half of a character

    def test_titles(self):
        """Every number has a title over it, whichever row is the first that has it."""
        ones = {"n": ("I64", [1], bytes(8)), "w": ("F32", [2], floats([1, 2])), "x": ("F32", [2], floats([3, 4]))}
        self.write("d.safetensors", safetensors(ones))
        self.write("e.safetensors", safetensors(dict(ones, w=("F32", [2], floats([1, 3])))))
        for arguments, code, keys in ((("diff", "d.safetensors", "e.safetensors"), 1, ("max error", "SQNR dB", "not finite in B", "not finite in A")),
                                      (("convert", "d.safetensors", "o.safetensors", "--map", "f16", "--verify"), 0, ("overflow", "zeroed", "max error", "SQNR dB"))):
            lines = self.mpx(*arguments, code=code).split("\n")
            for key in keys:
                self.assertIn(key, lines[0])
            self.assertEqual(len(lines[0].rstrip()), len(lines[2]))  # the row of w has the last column

    def test_widths(self):
        """Columns are where they are by characters, not by bytes."""
        names = "plain", "gr\u00f6\u00dfe", "\u5c64.\u91cd\u307f", "n" * 50
        self.write("u.safetensors", safetensors({name: ("F32", [1], floats([1])) for name in names},
                                                {"k": "value", "schl\u00fcssel": "value"}))
        lines = self.mpx("info", "u.safetensors").splitlines()
        self.assertEqual([line.index("f32") for line in lines[2:6]], 4 * [52])
        self.assertEqual([line.index("value") for line in lines[-3:]], 3 * [34])
        self.write("u.safetensors", safetensors({"a": ("F32", [32], self.plain[:128]), "b": ("F8_E4M3FNUZ", [32], bytes(range(32)))}))
        for command in ["info", "u.safetensors"], ["dry-run", "u.safetensors", "--map", "a = ggml_mxfp4\nb = f16"], \
                ["convert", "u.safetensors", "u.gguf", "--map", "a = ggml_mxfp4\nb = f16"], ["diff", "u.safetensors", "u.gguf"]:
            lines = self.mpx(*command, code=command[0] == "diff").splitlines()
            lines = lines[1:4] if command[0] == "info" else lines[:3]
            self.assertEqual(len({len(line) for line in lines}), 1, lines)
        self.assertEqual(len({len(line) for line in self.mpx("info", "u.safetensors").splitlines()[4:7]}), 1)

    def test_names_of_many_bytes(self):
        """The rest of a row or of a message is there, however long the name before it is."""
        for n in 100, 3800, 4050, 4096, 70000:
            self.write("n.safetensors", safetensors({"w": ("F32", [1], floats([1])), n * "\u00e9": ("F32", [2], floats([1, 2]))}))
            for arguments, end in (("info", " 8"), ("diff", "equal"), ("dry-run", "999.0"), ("convert", "4")):
                files = ["n.safetensors", "o.safetensors"] if arguments == "convert" else ["n.safetensors"] * (1 + (arguments == "diff"))
                told = self.mpx(arguments, *files, *(["--map", "f16"] if arguments in ("dry-run", "convert") else []))
                row = [line for line in told.split("\n") if "\u00e9" in line][0]
                self.assertTrue(row.startswith(n * "\u00e9" + "  f32 "), (arguments, n))
                self.assertRegex(row, end + " *$")
            self.write("n.safetensors", safetensors({n * "\u00e9": ("F32", [1], floats([1e30]))}))
            self.mpx("convert", "n.safetensors", "o.safetensors", "--map", "f16")
            self.assertIn(n * "\u00e9" + "': 1 finite values became Inf or NaN\n", self.err)

    def test_progress(self):
        """On a terminal alone. It counts bytes, of tensors that are cast, too: here 8 for each number."""
        text = json.dumps({"w": {"dtype": "F64", "shape": [16 << 20], "data_offsets": [0, 128 << 20]}}).encode()
        self.write("d.safetensors", struct.pack("<Q", len(text)) + text)
        os.truncate(self.path("d.safetensors"), 8 + len(text) + (128 << 20))
        command = "convert", "d.safetensors", "o.safetensors", "--map", "f16\nnone = f16", "--no-sync"
        self.mpx(*command)
        self.assertEqual(self.err, "mpx: warning: no tensor of floats matches 'none'\n")
        for way in [], ["--verify"], ["--verify", "--min-sqnr", "1000"]:
            ours, theirs = os.openpty()
            begun = time.monotonic()
            process = subprocess.Popen([PROGRAM, *command, *way], cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=theirs)
            os.close(theirs)
            told, bars, more = b"", [], b"."
            while more:
                try:
                    more = os.read(ours, 4096)
                except OSError:  # its end, on Linux
                    more = b""
                bars += [(int(part), int(speed), time.monotonic() - begun) for part, speed in re.findall(rb"([0-9]+) %  ([0-9]+) MB/s", more)]
                told += more
            os.close(ours)
            self.assertEqual(process.wait(), len(way) // 3)
            self.assertGreater(len(bars), 0)
            for part, speed, seconds in bars:
                self.assertLessEqual(part, 100)
                self.assertGreaterEqual((speed + 1) * seconds, (part - 1) / 100 * (134.2 if way == [] else 268.4))
            lines = re.split(b"\r\x1b\\[K|\n", told)  # a message has a line of its own, and nothing stays of a bar
            self.assertEqual([line for line in lines if b"mpx: " in line and not line.startswith(b"mpx: ")], [])
            self.assertNotIn(b"[", lines[-1])

    def test_diff_of_what_is_not_finite(self):
        inf, nan = float("inf"), float("nan")
        self.write("d.safetensors", safetensors({"w": ("F32", [6], floats([inf, nan, 1, 2, inf, -inf]))}))
        self.write("e.safetensors", safetensors({"w": ("F32", [6], floats([1, 2, nan, 2, inf, 0]))}))
        told = json.loads(self.mpx("diff", "d.safetensors", "e.safetensors", "--json", code=1))["tensors"][0]
        self.assertEqual((told["not finite in A"], told["not finite in B"]), (3, 1))
        told = json.loads(self.mpx("diff", "e.safetensors", "d.safetensors", "--json", code=1))["tensors"][0]
        self.assertEqual((told["not finite in A"], told["not finite in B"]), (1, 3))

        self.write("d.safetensors", safetensors({"w": ("F32", [6], floats([1, 2, nan, inf, -inf, 7]))}))
        self.write("e.safetensors", safetensors({"w": ("F32", [6], floats([3, 4, 1, 2, 3, nan]))}))
        told = json.loads(self.mpx("diff", "d.safetensors", "e.safetensors", "--json", code=1))["tensors"][0]
        self.assertEqual((told["max error"], told["rms error"]), (2, 2))  # of the first two

    def test_options(self):
        for arguments, told in ((("diff", "a.safetensors", "a.safetensors", "--min-sqnr", "9"), "diff has no option --min-sqnr"),
                                (("info", "a.safetensors", "--map", "f16"), "info has no option --map"),
                                (("bits", "1", "--i"), "bits has no option --i"),
                                (("bits", "1", "--in"), "--in needs a value"),
                                (("dry-run", "a.safetensors", "--map", "f16", "--limit", "overflow=-1"), "'overflow=-1' is below 0"),
                                (("info", "a.safetensors", "--threads", "1.5"), "'1.5' is no whole number"),
                                (("info", "a.safetensors", "--threads", "17"), "'17' is no number up to 16"),
                                (("dry-run", "a.safetensors", "--stochastic", "9.1e15"), "'9.1e15' is no number up to 9e+15"),
                                (("convert", "a.safetensors", "o.npz", "--stochastic", "0.5"), "'0.5' is no whole number")):
            self.mpx(*arguments, code=2)
            self.assertIn(told, self.err)

    def test_many_types_and_names(self):
        """Sorted, not compared each with each: less than a second, where it was half a minute."""
        names = ["t%d" % i for i in range(20000)]
        self.write("m.safetensors", safetensors({name: ("X" + name, [1], b"x") for name in names}))
        self.write("r.safetensors", safetensors({name: ("X" + name, [1], b"x") for name in reversed(names)}))
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertEqual(len(json.loads(self.mpx("info", "m.safetensors", "--json"))["types"]), len(names))
        self.assertIn("20000 of 20000", self.mpx("diff", "m.safetensors", "r.safetensors"))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun, 5)

    def test_long_names(self):
        """As long as the file system takes, in this folder and in another: the name of what is written first is short."""
        os.mkdir(self.path("in"))
        for folder in "", "in/", "./in/../":
            name = folder + "n" * 243 + ".safetensors"
            self.mpx("convert", "a.safetensors", name)
            self.mpx("diff", "a.safetensors", name)
        self.mpx("convert", "a.safetensors", "out/b.safetensors", code=3)
        self.assertRegex(self.err, "^mpx: out/b.safetensors: no mpx.[0-9]+.tmp can be made for it: No such file or directory\n$")
        self.mpx("convert", "a.safetensors", "n" * 244 + ".safetensors", code=3)
        self.assertIn("File name too long", self.err)
        self.no_rest()

    def test_modes(self):
        mode = lambda name: os.stat(self.path(name)).st_mode & 0o777
        for inside, there, umask, after in (0o600, 0o666, 0o22, 0o666), (0o644, 0o600, 0o22, 0o600), (0o666, None, 0o77, 0o600), \
                (0o640, None, 0o22, 0o640):
            self.write("old.safetensors", b"")
            os.chmod(self.path("old.safetensors"), there or 0)
            if there is None:
                os.remove(self.path("old.safetensors"))
            os.chmod(self.path("a.safetensors"), inside)
            self.mpx("convert", "a.safetensors", "old.safetensors", preexec_fn=lambda: os.umask(umask))
            self.assertEqual(oct(mode("old.safetensors")), oct(after))

    def test_no_files(self):
        os.symlink("nothing", self.path("link.safetensors"))
        self.mpx("convert", "a.safetensors", "link.safetensors", code=2)
        self.assertTrue(os.path.islink(self.path("link.safetensors")))
        os.mkfifo(self.path("pipe"))
        for name in "pipe", ".", "/dev/null":
            self.mpx("info", name, code=3, timeout=20)
            self.assertIn("not a file that can be mapped", self.err)
            self.mpx("convert", "a.safetensors", name, "--format", "npz", code=2, timeout=20)

    def test_full_disk(self):
        before = self.read("a.safetensors")
        for most in 0, 300, 9000:  # the header is not written, it is, half of the data too
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            for name in "a.safetensors", "new.safetensors", "new.gguf", "new.npz":
                self.mpx("convert", "a.safetensors", name, "--map", "bf16", code=3, preexec_fn=limit)
                self.assertIn(name + ": File too large", self.err)
                self.assertEqual(os.listdir(self.folder.name), ["a.safetensors"])
        self.assertEqual(self.read("a.safetensors"), before)

    def test_full_tmpfs(self):
        os.mkdir(self.path("small"))
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", self.path("small")],
                                               stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no right to mount a tmpfs")
        try:
            for name in "a.safetensors", "a.gguf", "a.npz":
                self.mpx("convert", "a.safetensors", "small/" + name, "--map", "bf16", code=3)
                self.assertIn(name + ": No space left on device", self.err)
                self.assertEqual(os.listdir(self.path("small")), [])
        finally:
            subprocess.run(["umount", self.path("small")], check=True)

    def test_full_output(self):
        with open("/dev/full", "w") as full:
            for words in ["info", self.path("a.safetensors")], ["--help"], ["--version"], ["bits", "--help"]:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (3, b"mpx: standard output: No space left on device\n"))

    def big(self, name):
        """A hole of 256 MiB of zeros."""
        text = json.dumps({"w": {"dtype": "F32", "shape": [64 << 20], "data_offsets": [0, 256 << 20]}}).encode()
        with open(self.path(name), "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            file.truncate(8 + len(text) + (256 << 20))

    def start(self, *arguments):
        """A process that has mapped its input, and has begun to write if it writes."""
        def listen():
            """To signals that shells let their background jobs ignore."""
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder.name, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, preexec_fn=listen)
        while process.poll() is None and not any(name.endswith(".tmp") for name in os.listdir(self.folder.name)):
            time.sleep(0.001)
            if arguments[0] == "dry-run":
                with open("/proc/%d/maps" % process.pid) as file:
                    if "big.safetensors" in file.read():
                        break
        return process

    def test_cut_meanwhile(self):
        for arguments in ["convert", "big.safetensors", "out.safetensors"], ["dry-run", "big.safetensors"]:
            if arguments[0] == "dry-run" and not os.path.exists("/proc/self/maps"):
                continue
            self.big("big.safetensors")
            process = self.start(*arguments, "--map", "f64", "--threads", "2")
            os.truncate(self.path("big.safetensors"), 4096)
            self.assertIn(b"it was cut meanwhile", process.communicate()[1])
            self.assertEqual((process.returncode, sorted(os.listdir(self.folder.name))), (3, ["a.safetensors", "big.safetensors"]))

    def test_verify_of_headers(self):
        """Bytes that a disk has changed before they are read back: of a name, a shape, a type, the metadata, the data."""
        self.write("disk.c", b"""
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            typedef ssize_t (*pwrite_fn)(int, const void *, size_t, off_t);
            ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
                const char *from = getenv("FROM"), *to = getenv("TO");
                char *copy = memcpy(malloc(n), data, n), *found = memmem(copy, n, from, strlen(from));
                if (found != NULL) memcpy(found, to, strlen(from));
                return ((pwrite_fn)dlsym(RTLD_NEXT, "pwrite"))(fd, copy, n, at);
            }
            #ifdef __GLIBC__ /* -D_FILE_OFFSET_BITS=64 */
            ssize_t pwrite64(int fd, const void *data, size_t n, off_t at) __attribute__((alias("pwrite")));
            #endif
            """)
        if not sys.platform.startswith("linux") or shutil.which("cc") is None or subprocess.run(
                ["cc", "-shared", "-fPIC", "disk.c", "-o", "disk.so", "-ldl"], cwd=self.folder.name, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no library that is loaded before others")
        self.write("d.safetensors", safetensors({"w1": ("F32", [32, 64], self.plain[:8192]), "x1": ("XX1", [8], b"datadata")}, {"k1": "v0"}))
        self.write("e.safetensors", safetensors({"w1": ("F32", [32, 64], self.plain[:8192])}, {"k1": "v0"}))
        with zipfile.ZipFile(self.path("f.npz"), "w") as file:
            file.writestr("w1.npy", npy("<f4", False, (32, 64), self.plain[:8192]))
        for name, out, told, old, new in (("d.safetensors", "o.safetensors", "w1", '"w1":', '"w2":'),
                                          ("d.safetensors", "o.safetensors", "w1", "[32,64]", "[64,32]"),
                                          ("d.safetensors", "o.safetensors", "w1", '"BF16"', '"I16" '),
                                          ("d.safetensors", "o.safetensors", "k1", '"v0"', '"v1"'),
                                          ("d.safetensors", "o.safetensors", "k1", '"k1":', '"k2":'),
                                          ("d.safetensors", "o.safetensors", "x1", "XX1", "XX2"),
                                          ("d.safetensors", "o.safetensors", "x1", "datadata", "datedata"),
                                          ("e.safetensors", "o.gguf", "w1", "w1", "w2"),
                                          ("e.safetensors", "o.gguf", "k1", "v0", "v1"),
                                          ("f.npz", "o.npz", "w1", "(32, 64)", "(64, 32)"),
                                          ("f.npz", "o.npy", "w1", "(32, 64)", "(64, 32)"),
                                          ("f.npz", "o.npy", "w1", "False", "True ")):
            for to in new, old:  # the second changes nothing
                environment = dict(os.environ, LD_PRELOAD=self.path("disk.so"), FROM=old, TO=to)
                done = subprocess.run([PROGRAM, "convert", name, out, "--map", "w1 = f16" if "BF" not in old else "w1 = bf16", "--verify"],
                                      cwd=self.folder.name, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                text = b"'%s' reads back otherwise than it was written\n" % told.encode()
                self.assertEqual((done.returncode, os.path.exists(self.path(out)), text in done.stderr),
                                 (3, False, True) if to == new else (0, True, False), (out, old, to, done.stderr))
                self.no_rest()
            os.remove(self.path(out))

    def test_signals(self):
        self.big("big.safetensors")
        size = os.path.getsize(self.path("big.safetensors"))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGALRM,
                       signal.SIGPIPE):  # the last: an error is told to nobody
            process = self.start("convert", "big.safetensors", "big.safetensors", "--map", "f64", "--threads", "1")
            process.send_signal(number)
            process.communicate()
            self.assertEqual(process.returncode, -number)
            self.assertEqual(os.path.getsize(self.path("big.safetensors")), size)
            self.no_rest()

    def test_names_that_are_taken(self):
        """A run that was killed left its file, and another process has the same number now, as in a container."""
        command = 'touch mpx.$$.tmp; exec "$0" convert a.safetensors b.safetensors --map bf16'
        done = subprocess.run(["sh", "-c", command, PROGRAM], cwd=self.folder.name, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stderr, b"mpx: warning: 'bits': 1 finite values became Inf or NaN\n")
        self.assertEqual(parse(self.read("b.safetensors"))["bits"][0], "BF16")
        self.assertEqual([os.path.getsize(self.path(name)) for name in os.listdir(self.folder.name) if name.endswith(".tmp")], [0])


if __name__ == "__main__":
    unittest.main()
