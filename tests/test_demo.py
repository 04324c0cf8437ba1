#!/usr/bin/env python3
"""The digits demo with a policy map: what its keys decide, how many bytes that makes, what is refused. The transformer
demo: its gradients, bytes and curves.

test_demo.py build/demo/digits: build/demo/transformer stands beside it
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEMO = os.path.join(ROOT, "demo")
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "demo", "digits")

SIZES = {"hidden1/weight": 64 * 56, "hidden1/bias": 56, "hidden2/weight": 56 * 56, "hidden2/bias": 56,
         "output/weight": 56 * 10, "output/bias": 10}
ACTIVATIONS = {"hidden1/weight": 64 + 56, "hidden2/weight": 56, "output/weight": 10}  # those that follow this weight
IMAGES = 899
QUICK = ["--seeds", "1", "--epochs", "3"]


class Digits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mpx_demo_")
        os.makedirs(os.path.join(self.folder.name, "build", "demo"))
        os.makedirs(os.path.join(self.folder.name, "demo"))
        shutil.copy(os.path.join(DEMO, "digits.csv"), os.path.join(self.folder.name, "demo"))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def digits(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)

    def train(self, *arguments):
        """What is printed, and each epoch's loss and scale as written."""
        result = self.digits(*QUICK, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("build", "demo", "digits.tsv"), encoding="ascii") as file:
            return result.stdout, [line.split("\t")[4:] for line in file.read().splitlines()[1:]]

    def write(self, text):
        with open(self.path("a.map"), "wb") as file:
            file.write(text.encode())
        return ["--map", "a.map"]

    def refuse(self, text, *lines):
        result = self.digits(*QUICK, *self.write(text))
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertEqual(result.stderr.splitlines(), ["digits: " + line for line in lines])

    def row(self, printed):
        return printed.split("\npolicy map ")[1].splitlines()[0].split()

    def check_bytes(self, printed, bytes_of):
        weights = sum(count * bytes_of[path] for path, count in SIZES.items())
        activations = sum(IMAGES * count * bytes_of[path] for path, count in ACTIVATIONS.items())
        self.assertEqual(self.row(printed)[-5:-3], [f"{weights / 1024:.1f}", f"{activations / 1024:.1f}"])

    def test_map_of_the_repository(self):
        printed, _ = self.train("--map", os.path.join(DEMO, "digits.map"))
        self.assertEqual(printed.splitlines()[:7], [
            "'hidden1/weight': no key matches: p=f32,c=bf16,o=f32",
            "'hidden1/bias': '*/bias' decides: p=f32,c=f32,o=f32",
            "'hidden2/weight': no key matches: p=f32,c=bf16,o=f32",
            "'hidden2/bias': '*/bias' decides: p=f32,c=f32,o=f32",
            "'output/weight': 'output/weight' decides: p=f32,c=f32,o=f32",
            "'output/bias': '*/bias' decides: p=f32,c=f32,o=f32", ""])
        self.check_bytes(printed, {path: 2 if path in ("hidden1/weight", "hidden2/weight") else 4 for path in SIZES})

    def test_every_parameter_by_its_own_key(self):
        for path in SIZES:
            printed, _ = self.train(*self.write(f"default = p=f32,c=bf16,o=f32\n{path} = p=f32,c=f8e5m2,o=f32\n"))
            self.check_bytes(printed, {other: 1 if other == path else 2 for other in SIZES})

    def test_same_as_a_policy(self):
        policy = "p=f32,c=f16,o=f32"
        _, want = self.train("--policy", policy)
        _, other = self.train("--policy", "p=f32,c=bf16,o=f32")
        for text, more in [(f"default = {policy}\n", []), (f"** = {policy}\n", []), ("# nothing\n", ["--policy", policy]),
                           (f"*/weight = {policy}\n*/bias = {policy}", ["--policy", "bf16"])]:
            self.assertEqual(self.train(*self.write(text), *more)[1], want, text)
        self.assertNotEqual(want, other)

    def test_masters_and_outputs(self):
        _, plain = self.train(*self.write("default = f32\n"))
        for text in ["hidden2/weight = p=bf16,c=f32,o=f32\n", "hidden1/bias = p=bf16,c=f32,o=f32\n",
                     "output/weight = p=f32,c=f32,o=bf16\n"]:
            self.assertNotEqual(self.train(*self.write(text))[1], plain, text)
        self.assertEqual(self.train(*self.write("hidden2/weight = p=f32,c=f32,o=bf16\n"))[1], plain)

    def test_gradient_of_a_bias(self):
        """In f16 it overflows, times this scale, and every step is skipped."""
        for path in ["hidden1/bias", "hidden2/bias", "output/bias"]:
            for dtype, skipped in [("f16", "3.0"), ("bf16", "0.0")]:
                printed, _ = self.train(*self.write(f"{path} = p=f32,c={dtype},o=f32\n"), "--scale", "static:1e16")
                self.assertEqual(self.row(printed)[-2], skipped, (path, dtype))

    def test_rules_on_top(self):
        mixed = self.write("default = p=f32,c=f16,o=f32\noutput/weight = f32\n")
        _, unruled = self.train(*mixed, "--scale", "none")
        _, ruled = self.train(*mixed, "--scale", "none", "--rules", "matmul=compute, scope:backward=f32")
        _, same = self.train(*mixed, "--scale", "none", "--rules", "matmul=compute")
        self.assertNotEqual(ruled, unruled)
        self.assertEqual(same, unruled)

    def test_refused(self):
        quantized = "every role must be a floating dtype, nothing quantized"
        self.refuse("# x\n\nhidden1/weight\n", "a.map, line 3: missing '=' in 'hidden1/weight' at 5; expected key=dtype")
        self.refuse("hidden1/weight = f32\noutput/[ = f32", "a.map, line 2: unusable in a pattern: '[' at 28; not closed")
        self.refuse("*/weight = f32\ndefault = f32\n", "a.map, line 2: setting after an entry 'default' at 15")
        self.refuse("*/bias = f32\noutput/weight = i8\n", f"a.map, line 2: {quantized}")
        self.refuse("*/bias = f32\n\noutput/weight = int8_from_float32\n", f"a.map, line 3: {quantized}")
        self.refuse("default = i8\n", f"a.map: default: {quantized}")
        self.refuse("hidden3/* = f32\n*/bias = f32\noutput/wieght = f32\n", "a.map: 'hidden3/*' decides no parameter",
                    "a.map: 'output/wieght' decides no parameter")
        self.refuse("output/* = f32\n*/bias = f32\n", "a.map: 'output/bias': both 'output/*' and '*/bias' match")
        self.refuse("*/bias = f32\n\0output/* = f32\n", "--map a.map: not a text")
        self.refuse("#" * 16384, "--map a.map: too long for a map")
        self.assertEqual(self.digits("--map", "none.map").stderr, "digits: --map none.map: cannot be read\n")


class Transformer(unittest.TestCase):
    def run_it(self, *arguments, code=0):
        with tempfile.TemporaryDirectory(prefix="mpx_demo_") as folder:
            os.makedirs(os.path.join(folder, "build", "demo"))
            os.makedirs(os.path.join(folder, "demo"))
            shutil.copy(os.path.join(DEMO, "coriolanus.txt"), os.path.join(folder, "demo"))
            result = subprocess.run([os.path.join(os.path.dirname(PROGRAM), "transformer"), *arguments], cwd=folder,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
            svg = os.path.join(folder, "build", "demo", "transformer.svg")
            return result.stdout, xml.etree.ElementTree.parse(svg) if os.path.exists(svg) else None

    def test_gradients(self):
        printed, _ = self.run_it("--check")
        self.assertEqual(len(printed.splitlines()), 1 + 2 * 8 + 3 + 1)
        self.assertIn("gradients are right", printed)

    def test_table_and_curves(self):
        rows = {}
        for _ in range(2):
            printed, svg = self.run_it("--steps", "3")
            for line in printed.splitlines():
                words = line.split()
                if words and words[0] in ("float32", "mixed_bfloat16", "mixed_float16"):
                    rows.setdefault(words[0], []).append(words[2:])
        self.assertEqual(len(rows), 3)
        logits = 512 * 64 * 4 / 1024
        full = [float(word) for word in rows["float32"][0][:2]]
        for name, (one, other) in rows.items():
            self.assertEqual(one, other)  # the same losses each time
            self.assertTrue(3.8 < float(one[3]) < float(one[2]) < 4.6 or one[-1] != "0", one)
            if name != "float32":
                halves = [round(full[0] / 2, 1), (full[1] - logits) / 2 + logits]
                self.assertEqual([float(word) for word in one[:2]], halves)
        self.assertEqual(rows["mixed_bfloat16"][0][-1], "0")
        lines = [line for line in svg.iter() if line.tag.endswith("polyline")]
        self.assertEqual([len(line.get("points").split()) for line in lines[:3]], [6, 6, 6])
        self.assertEqual(len(lines), 5)

    def test_sample(self):
        printed, _ = self.run_it("--steps", "1", "--sample", "5")
        self.assertGreaterEqual(len(printed.split("seconds")[0]), 3 * 6)

    def test_refused(self):
        self.run_it("--step", "3", code=2)
        self.run_it("--steps", "x", code=1)


if __name__ == "__main__":
    unittest.main(verbosity=0)
