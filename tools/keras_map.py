#!/usr/bin/env python3
"""Policy maps between the text that mpx_policy_map_parse reads and Keras' JSON; to standard output.

    keras_map.py map.json               a serialized DTypePolicyMap, or its get_config(): as text
    keras_map.py model.json             a model's to_json(): one line for each layer with a dtype, as text
    keras_map.py map.txt                as a serialized DTypePolicyMap, for keras.saving.deserialize_keras_object
    keras_map.py map.txt --into m.json  the model with the dtypes that the map gives its layers

JSON that leaves policies to the loading program (a map built without a default policy) needs --global NAME, the policy
that stands for them. Keras has no words for roles that are not (param, compute, compute), for `first_wins` and for the
caller's own patterns: an error says so. Keys of text become regular expressions for Keras.
"""
import argparse
import json
import re
import sys

SHORT = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "bool": "bool"}
SHORT.update(half="float16", full="float32", f8e4m3fn="float8_e4m3fn", f8e5m2="float8_e5m2")
SHORT.update({f"{sign}{bits}": f"{word}{bits}" for sign, word in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)})
ROLES = {"p": 0, "params": 0, "param": 0, "c": 1, "compute": 1, "o": 2, "output": 2, "outputs": 2}
MIXED = {("float32", "float16"): "mixed_float16", ("float32", "bfloat16"): "mixed_bfloat16"}
QUANTIZED = {"int8": "QuantizedDTypePolicy", "int4": "Int4DTypePolicy", "float8": "QuantizedFloat8DTypePolicy",
             "gptq": "GPTQDTypePolicy", "awq": "AWQDTypePolicy"}
AMAX_HISTORY = 1024
SETTINGS = ("default", "patterns", "first_wins")


class Failure(Exception):
    """What cannot be converted, and why."""


# ---- policies --------------------------------------------------------------------------------------------------------

def name_of(policy, otherwise):
    """The name of a policy in JSON: a name, a serialized policy, or its config; otherwise: what stands for none."""
    if isinstance(policy, str):
        return policy
    config = policy.get("config", policy) if isinstance(policy, dict) else {}
    name = config.get("name")
    if "mode" in config:
        source, mode = config.get("source_name") or otherwise, config["mode"]
        length = config.get("amax_history_length", AMAX_HISTORY)
        name = source and f"{mode}{'' if length == AMAX_HISTORY else f'/{length}'}_from_{source}"
    name = name or otherwise
    if not name:
        raise Failure("a policy is left to the loading program: say which with --global NAME")
    return name


def dtype_name(word):
    name = SHORT.get(word.lower(), word)
    if name not in SHORT.values():
        raise Failure(f"'{word}' is no dtype of a Keras policy")
    return name


def keras_name(text):
    """The Keras name for a policy as mpx.h writes or reads it."""
    text = text.strip().lower()
    mode, found, source = text.partition("_from_")
    name = f"{mode}_from_{unquantized_name(source)}" if found else unquantized_name(text)
    if not found and name.startswith(tuple(QUANTIZED)):
        raise Failure(f"'{name}' alone is no dtype of a Keras policy")
    serialized(name)  # refuses an unknown mode
    return name


def unquantized_name(text):
    if text in MIXED.values():
        return text
    if text.startswith("<"):
        raise Failure(f"'{text}' leaves roles unset, which Keras cannot say")
    roles = ["float32", None, None]
    if "=" not in text:
        return dtype_name(text)
    for part in text.split(","):
        key, _, value = part.partition("=")
        if key.strip().lower() not in ROLES:
            raise Failure(f"unknown key '{key.strip()}' in '{text}'")
        roles[ROLES[key.strip().lower()]] = dtype_name(value.strip())
    roles[1] = roles[1] or roles[0]
    roles[2] = roles[2] or roles[1]
    if roles[2] == roles[1] == roles[0]:
        return roles[0]
    if roles[2] == roles[1] and (roles[0], roles[1]) in MIXED:
        return MIXED[roles[0], roles[1]]
    raise Failure(f"Keras has no policy for '{text}'")


def serialized(name):
    """As keras.saving.serialize_keras_object writes the policy."""
    mode, found, source = name.partition("_from_")
    head, _, rest = mode.partition("/")
    if not found:
        return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": name}, "registered_name": None}
    if head not in QUANTIZED:
        raise Failure(f"unknown mode in '{name}'")
    config = {"mode": mode, "source_name": source}
    if head == "float8":
        config = {"mode": head, "source_name": source, "amax_history_length": int(rest or AMAX_HISTORY)}
    kind = QUANTIZED["int8"] if mode == "int4" else QUANTIZED[head]  # int4 without blocks has no class of its own
    return {"module": "keras.dtype_policies", "class_name": kind, "config": config, "registered_name": None}


# ---- maps ------------------------------------------------------------------------------------------------------------

class Map:
    def __init__(self, default=None, patterns="glob"):
        self.default, self.patterns, self.first_wins, self.entries = default, patterns, False, {}

    def add(self, key, name):
        if key in self.entries and self.entries[key] != name:
            raise Failure(f"'{key}' has two policies")
        self.entries[key] = name

    def keys_for_keras(self):
        """Keys as Keras reads them: exactly, and as regular expressions for whole paths."""
        if self.first_wins or self.patterns == "hook":
            raise Failure("Keras has no word for " + ("first_wins" if self.first_wins else "patterns = hook"))
        turn = {"glob": regex_of_glob, "regex": str, "search": lambda key: rf"[\s\S]*(?:{key})[\s\S]*", "exact": re.escape}
        return {turn[self.patterns](key): name for key, name in self.entries.items()}

    def lookup(self, path):
        if path in self.entries:
            return self.entries[path]
        found = [name for key, name in self.keys_for_keras().items() if re.fullmatch(key, path)]
        if len(found) > 1:
            raise Failure(f"several patterns match '{path}'")
        return found[0] if found else self.default


def regex_of_glob(glob):
    out, i = [], 0
    while i < len(glob):
        c, whole = glob[i], i == 0 or glob[i - 1] == "/"
        if c == "*":
            stars = len(re.match(r"\*+", glob[i:]).group())
            i += stars
            if stars > 1 and whole and glob[i:i + 1] == "/":
                out.append(r"(?:[\s\S]*/)?")
                i += 1
            else:
                out.append(r"[\s\S]*" if stars > 1 else "[^/]*")
            continue
        if c == "?":
            out.append("[^/]")
        elif c == "[":
            text = re.match(r"\[[!^]?(?:\\.|[^\\])(?:\\.|[^\]\\])*\]", glob[i:], re.DOTALL)
            if not text:
                raise Failure(f"a class without its end in '{glob}'")
            inside = text.group()[1:-1]
            negated = inside[0] in "!^"
            out.append("[^/" if negated else "(?!/)[")
            out.append(re.sub(r"\\?(.)(-?)", lambda m: (m.group(1) if m.group(1).isalnum() else "\\" + m.group(1))
                              + m.group(2), inside[negated:], flags=re.DOTALL) + "]")
            i += len(text.group()) - 1
        else:
            i += c == "\\"
            if i == len(glob):
                raise Failure(f"'{glob}' ends with a backslash")
            out.append(re.escape(glob[i]))
        i += 1
    return "".join(out)


# ---- text ------------------------------------------------------------------------------------------------------------

LINE = re.compile(r"""\s*(?:(?P<quote>["'`])(?P<quoted>.*?)(?P=quote)[^\S\n]*|(?P<key>[^=\n\#"'`][^=\n\#]*))=(?P<value>[^\n\#]*)
                      |\s*\#[^\n]*|\s+""", re.VERBOSE | re.DOTALL)


def read_text(text):
    result, at, text = Map(), 0, text.lstrip("\ufeff")
    while at < len(text):
        line = LINE.match(text, at)
        if not line or line.end() == at:
            raise Failure(f"line {text.count(chr(10), 0, at) + 1}: not `path = policy`")
        at = line.end()
        if line["value"] is None:
            continue
        key = line["quoted"] if line["quote"] else line["key"].strip()
        value = line["value"].strip()
        if not key and not line["quote"]:
            raise Failure(f"no key before '= {value}'")
        if line["quote"] or key not in SETTINGS:
            if key in result.entries:
                raise Failure(f"'{key}' stands twice")
            result.add(key, keras_name(value))
        elif result.entries:
            raise Failure(f"'{key}' after an entry")
        elif key == "default":
            result.default = keras_name(value)
        elif key == "patterns":
            if value not in ("glob", "regex", "search", "hook", "exact"):
                raise Failure(f"unknown patterns '{value}'")
            result.patterns = value
        else:
            result.first_wins = value == "1"
    return result


def quoted(key):
    if key and key == key.strip() and key not in SETTINGS and key[0] not in "\"'`" and not re.search("[=#\n]", key):
        return key
    for quote in "\"'`":
        if quote not in key:
            return quote + key + quote
    raise Failure(f"{key!r} has all three quotes in it")


def write_text(policies):
    lines = [f"default = {policies.default}"] if policies.default else []
    lines += [f"patterns = {policies.patterns}"] + [f"{quoted(key)} = {name}" for key, name in policies.entries.items()]
    return "\n".join(lines) + "\n"


# ---- JSON ------------------------------------------------------------------------------------------------------------

def read_map(config, otherwise):
    default = config.get("default_policy")
    result = Map(name_of(default, otherwise) if default else otherwise, "regex")
    for key, policy in config["policy_map"].items():
        result.add(key, name_of(policy, otherwise))
    return result


def write_map(policies):
    entries = {key: serialized(name) for key, name in policies.keys_for_keras().items()}
    return {"module": "keras.dtype_policies", "class_name": "DTypePolicyMap",
            "config": {"default_policy": policies.default, "policy_map": entries}, "registered_name": None}


def is_map(policy):
    return isinstance(policy, dict) and "policy_map" in policy.get("config", policy)


def layers_of(item, path=None):
    """(path, config) of every layer of a model, the inner ones of models and wrappers too. As in Keras, the outermost
    model is in no path."""
    config = item.get("config")
    if not isinstance(config, dict):
        return
    here = "" if path is None else "/".join(filter(None, (path, config.get("name"))))
    if path is not None and "dtype" in config and item.get("class_name") != "InputLayer":
        yield here, config
    inner = [value for value in config.values() if isinstance(value, dict) and "class_name" in value]
    for value in (*config.get("layers", []), *(value for value in inner if isinstance(value.get("config"), dict))):
        if isinstance(value, dict) and "name" in value.get("config", {}) and not is_policy(value):
            yield from layers_of(value, here)


def is_policy(item):
    return "Policy" in item.get("class_name", "")


def read_model(model, otherwise):
    found = list(layers_of(model))
    maps = [config["dtype"] for _, config in found if is_map(config["dtype"])]
    if not found:
        raise Failure("neither a DTypePolicyMap nor a model with layers that have a dtype")
    result = Map(None, "regex" if maps else "exact")
    for policy in maps:
        inner = read_map(policy.get("config", policy), otherwise)
        result.default = inner.default
        for key, name in inner.entries.items():
            result.add(key, name)
    for path, config in found:
        if not is_map(config["dtype"]) and config["dtype"] is not None:
            result.add(path, name_of(config["dtype"], otherwise))
    return result


def write_model(policies, model):
    for path, config in layers_of(model):
        name = policies.lookup(path)
        if name:
            config["dtype"] = serialized(name)
    return model


def convert(text, otherwise=None, into=None):
    if into is not None:
        return json.dumps(write_model(read_text(text), json.loads(into)), indent=2) + "\n"
    if not text.lstrip().startswith("{"):
        return json.dumps(write_map(read_text(text)), indent=2) + "\n"
    data = json.loads(text)
    if is_map(data):
        return write_text(read_map(data.get("config", data), otherwise))
    return write_text(read_model(data, otherwise))


def read(path):
    with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="JSON or text; -: standard input")
    parser.add_argument("--global", dest="otherwise", metavar="NAME", help="the policy of the loading program")
    parser.add_argument("--into", metavar="MODEL", help="a model's JSON")
    options = parser.parse_args()
    try:
        sys.stdout.write(convert(read(options.file), options.otherwise, options.into and read(options.into)))
    except (Failure, OSError, ValueError) as failure:
        sys.exit(f"keras_map: {failure}")
    except (AttributeError, KeyError, TypeError) as failure:
        sys.exit(f"keras_map: not as Keras writes it: {failure}")


if __name__ == "__main__":
    main()
