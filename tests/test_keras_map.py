#!/usr/bin/env python3
"""tools/keras_map.py on what Keras 3.15.1 wrote: a DTypePolicyMap with every kind of policy, a model in a model."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(ROOT, "tools", "keras_map.py")
sys.path.insert(0, os.path.join(ROOT, "tools"))
import in_process  # noqa: E402
import keras_map  # noqa: E402


def plain(name):
    return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": name}, "registered_name": None}


def quantized(kind, **config):
    return {"module": "keras.dtype_policies", "class_name": kind, "config": config, "registered_name": None}


def policy_map(default, **policies):
    return quantized("DTypePolicyMap", default_policy=default, policy_map=policies)


# As keras.saving.serialize_keras_object wrote it.
MAP = policy_map("mixed_bfloat16", **{
    "enc/.*": plain("float32"),
    "dec/q": quantized("QuantizedDTypePolicy", mode="int8", source_name="mixed_bfloat16"),
    "dec/k": quantized("QuantizedFloat8DTypePolicy", mode="float8", source_name="float32", amax_history_length=1024),
    "dec/f": quantized("QuantizedFloat8DTypePolicy", mode="float8", source_name="float32", amax_history_length=16),
    "dec/v": quantized("GPTQDTypePolicy", mode="gptq/4/128", source_name="float32"),
    "dec/w": quantized("Int4DTypePolicy", mode="int4/64", source_name="bfloat16"),
    "dec/x": quantized("QuantizedDTypePolicy", mode="int4", source_name="float32"),
    "a = b": plain("float64"),
})
MAP_TEXT = """default = mixed_bfloat16
patterns = regex
enc/.* = float32
dec/q = int8_from_mixed_bfloat16
dec/k = float8_from_float32
dec/f = float8/16_from_float32
dec/v = gptq/4/128_from_float32
dec/w = int4/64_from_bfloat16
dec/x = int4_from_float32
"a = b" = float64
"""


def layer(kind, name, dtype, **more):
    return {"module": "keras.layers", "class_name": kind, "config": {"name": name, "trainable": True, "dtype": dtype, **more},
            "registered_name": None}


# model.to_json(), without what is not looked at.
MODEL = {"module": "keras.src.models.functional", "class_name": "Functional", "config": {"name": "mod", "layers": [
    layer("InputLayer", "input_layer", "float32"),
    layer("Dense", "d0", plain("mixed_float16"),
          kernel_initializer={"module": "keras.initializers", "class_name": "GlorotUniform", "config": {"seed": None}}),
    {"module": "keras", "class_name": "Sequential", "config": {"name": "sub", "dtype": plain("float32"), "layers": [
        layer("Dense", "s0", plain("float32")), layer("LayerNormalization", "ln", plain("float32"))]}},
    layer("TimeDistributed", "td", plain("float32"), layer=layer("Dense", "inner", plain("bfloat16"))),
]}}
MODEL_TEXT = """patterns = exact
d0 = mixed_float16
sub = float32
sub/s0 = float32
sub/ln = float32
td = float32
td/inner = bfloat16
"""


class KerasMap(unittest.TestCase):
    maxDiff = None

    def start_process(self, text, *more):
        return subprocess.run([sys.executable, TOOL, "-", *more], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})

    def start(self, text, *more):
        return in_process.run(keras_map.main, ["-", *more], text)

    def test_a_process_of_its_own(self):
        for text in (json.dumps(MAP), "what = is this"):
            one, other = self.start(text), self.start_process(text)
            self.assertEqual((one.returncode, one.stdout, one.stderr), (other.returncode, other.stdout, other.stderr))

    def convert(self, text, *more):
        done = self.start(text, *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refuse(self, text, words, *more):
        done = self.start(text, *more)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(words, done.stderr)

    def entries(self, text):
        return json.loads(self.convert(text))["config"]["policy_map"]

    def test_map_there_and_back(self):
        self.assertEqual(self.convert(json.dumps(MAP)), MAP_TEXT)
        self.assertEqual(self.convert(json.dumps(MAP["config"])), MAP_TEXT)
        self.assertEqual(json.loads(self.convert(MAP_TEXT)), MAP)

    def test_left_to_the_loading_program(self):
        data = json.dumps(policy_map(None, a=plain(None), b=quantized("QuantizedDTypePolicy", mode="int8", source_name=None)))
        self.assertEqual(self.convert(data, "--global", "float32"),
                         "default = float32\npatterns = regex\na = float32\nb = int8_from_float32\n")
        self.refuse(data, "--global")

    def test_what_the_header_prints(self):
        text = ("default = p=f32,c=bf16,o=bf16\r\npatterns = glob  # a comment\nfirst_wins = 0\n"
                "ln* = p=f32,c=f32,o=f32\n\n'x=y' = f64\na/**/b = c=f16\n")
        data = json.loads(self.convert(text))
        self.assertEqual(data["config"]["default_policy"], "mixed_bfloat16")
        found = {key: value["config"]["name"] for key, value in data["config"]["policy_map"].items()}
        self.assertEqual(found, {"ln[^/]*": "float32", "x=y": "float64", r"a/(?:[\s\S]*/)?b": "mixed_float16"})

    def test_names_that_keras_takes(self):
        for text, want in (("int8_from_f32", "int8_from_float32"), ("INT4/64_FROM_BF16", "int4/64_from_bfloat16"), ("Half", "float16"),
                           ("float8_from_p=f32,c=bf16", "float8_from_mixed_bfloat16"), ("Mixed_Float16", "mixed_float16"),
                           ("int8_from_float8_e4m3fn", "int8_from_float8_e4m3fn"), ("full", "float32"), ("u8", "uint8")):
            self.assertEqual(json.loads(self.convert("default = " + text))["config"]["default_policy"], want)
            self.assertEqual(self.entries("a = " + text)["a"], keras_map.serialized(want))

    def test_globs(self):
        rows = [("a/*", "a/b", 1), ("a/*", "a/b/c", 0), ("**/k", "k", 1), ("**/k", "a/b/k", 1), ("**/k", "a/xk", 0), ("a.b", "axb", 0),
                ("[a-c]?", "bz", 1), ("[a-c]?", "dz", 0), ("[!a]", "b", 1), ("[!a]", "/", 0), ("[]-]", "]", 1), ("[]-]", "-", 1),
                ("[\\]x]", "x", 1), ("\\*", "*", 1), ("\\*", "x", 0), ("[*.]", "*", 1), ("[*.]", "x", 0), ("[.-/]", "/", 0)]
        for glob, path, want in rows:
            key, = self.entries(f'"{glob}" = f16')
            self.assertEqual(bool(re.fullmatch(key, path)), bool(want), f"{glob} on {path}: {key}")

    def test_other_kinds_of_patterns(self):
        self.assertEqual(list(self.entries("patterns = exact\na.b = f16")), [r"a\.b"])
        key, = self.entries("patterns = search\nenc|dec = f16")
        self.assertTrue(re.fullmatch(key, "my_dec/x"))
        self.assertEqual(list(self.entries("patterns = regex\na.b|c = f16")), ["a.b|c"])

    def test_model(self):
        self.assertEqual(self.convert(json.dumps(MODEL)), MODEL_TEXT)

    def test_map_in_a_model(self):
        model = json.loads(json.dumps(MODEL))
        model["config"]["layers"][1]["config"]["dtype"] = policy_map("float16", **{"d0/.*": plain("float32")})
        self.assertEqual(self.convert(json.dumps(model)),
                         "default = float16\n" + MODEL_TEXT.replace("exact", "regex").replace("d0 = mixed_float16", "d0/.* = float32"))

    def test_into_a_model(self):
        with tempfile.TemporaryDirectory(prefix="mpx_keras_map_") as folder:
            path = os.path.join(folder, "model.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(MODEL, file)
            model = json.loads(self.convert("sub/* = float16\ntd = mixed_float16\n", "--into", path))
            self.refuse("sub/* = f16\n**/ln = f16\n", "several patterns match 'sub/ln'", "--into", path)
        self.assertEqual(self.convert(json.dumps(model)),
                         MODEL_TEXT.replace("sub/s0 = float32", "sub/s0 = float16").replace("sub/ln = float32", "sub/ln = float16")
                         .replace("td = float32", "td = mixed_float16"))

    def test_refused(self):
        for text, words in [("a = p=f32,c=bf16,o=f32", "Keras has no policy for"), ("a = <c=f16>", "leaves roles unset"),
                            ("a = f8e4m3fn", "is no dtype"), ("a", "line 1: not"), ("a = f16\n\nb\n", "line 3: not"),
                            ("a = f16\na = f16", "stands twice"), ("a = f16\ndefault = f16", "after an entry"),
                            ("first_wins = 1\na = f16", "no word for first_wins"), ("patterns = hook\na = f16", "patterns = hook"),
                            ("patterns = globs", "unknown patterns"), ("a = x_from_float32", "unknown mode"), ("default = x_from_f32", "unknown mode"),
                            ("a = int8", "'int8' alone is no"), ("default = p=i8", "'int8' alone is no"), (" = f16", "no key before"),
                            ("a = int8_from_mixed_bf16", "is no dtype"), ("a = float8_e5m2", "alone is no dtype"),
                            ("a[ = f16", "class without its end"), ("{", "Expecting"), ('{"a": 1}', "neither a DTypePolicyMap nor"),
                            ('{"policy_map": []}', "not as Keras writes it"), ('{"config": 5}', "not as Keras writes it")]:
            self.refuse(text, words)


if __name__ == "__main__":
    unittest.main(verbosity=0)
