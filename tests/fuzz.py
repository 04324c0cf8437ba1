#!/usr/bin/env python3
"""Fuzzing with libFuzzer, ASan and UBSan; the last line is `N passed, N failed`.

Each target tests/fuzz/fuzz_NAME.c starts from the files in tests/fuzz/NAME/ (text, \\xHH for bytes that are none; the
escapes are undone first; files: tests/files/ too), with the words of tests/fuzz/NAME.dict if there is one, and from what earlier runs found,
which stays in build/fuzz/. Inputs that crash stay in
build/fuzz/NAME-crash-* (or -leak-, -timeout-) and are named.

    fuzz.py                     every target for 10 seconds
    fuzz.py --seconds 60 cast   longer, one target
    fuzz.py --include DIR       the mpx.h of that folder

Exit 0: all passed; 1: a failure; 77: skipped, because no clang with libFuzzer is found ($FUZZ_CC: which to take).
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(ROOT, "tests", "fuzz")
BUILD = os.path.join(ROOT, "build", "fuzz")
TARGETS = ["policy", "dtype", "cast", "tree", "state", "pattern", "map", "amp", "quant", "files"]
LONGEST = {"policy": 200, "dtype": 60, "cast": 400, "tree": 400, "state": 56, "amp": 500, "pattern": 300, "map": 300,
           "quant": 2400, "files": 2400}
COMPILERS = [os.environ.get("FUZZ_CC", ""), "clang-19", "clang", "clang-22", "clang-16"]
SANITIZE = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
FLAGS = ["-DMPX_FILES=1", "-std=c99", "-O1", "-g", "-Wall", "-Wextra"]
SKIP = 77


def run(command, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
    return subprocess.run(command, **pipes, **options)


def compiler():
    """A clang that can link a fuzz target, or None."""
    probe = os.path.join(BUILD, "probe.c")
    with open(probe, "w", encoding="ascii") as file:
        file.write("int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return !p && n; }\n")
    for name in filter(None, COMPILERS):
        if shutil.which(name) and run([name, *SANITIZE, probe, "-o", os.path.join(BUILD, "probe")]).returncode == 0:
            return name
    return None


def build(cc, name, include):
    """The program, or None after printing what the compiler said."""
    program, library = os.path.join(BUILD, f"fuzz_{name}"), os.path.join(BUILD, "library.c")
    with open(library, "w", encoding="ascii") as file:
        file.write('#define MPX_IMPLEMENTATION\n#include "mpx.h"\n')
    source = os.path.join(HERE, f"fuzz_{name}.c")
    result = run([cc, *FLAGS, *SANITIZE, "-I", include, source, library, "-o", program])
    if result.returncode == 0:
        return program
    print(result.stdout.decode(errors="replace").rstrip())
    return None


def plant_seeds(name):
    """The folder of the corpus, with the committed seeds in it as bytes."""
    corpus = os.path.join(BUILD, f"corpus-{name}")
    os.makedirs(corpus, exist_ok=True)
    for path in glob.glob(os.path.join(HERE, name, "*.txt")):
        with open(path, encoding="ascii") as file:
            text = file.read().rstrip("\n")
        data = re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m.group(1), 16)), text).encode("latin-1")
        with open(os.path.join(corpus, "seed-" + os.path.basename(path)), "wb") as file:
            file.write(data)
    for path in glob.glob(os.path.join(ROOT, "tests", "files", "*")) if name == "files" else []:
        shutil.copy(path, corpus)
    return corpus


def numbers(output):
    """Executions and edges covered, from what libFuzzer prints."""
    runs = re.findall(r"^stat::number_of_executed_units:\s*(\d+)", output, re.M)
    edges = re.findall(r"\bcov: (\d+)", output)
    return int(runs[-1]) if runs else 0, int(edges[-1]) if edges else 0


def fuzz(program, name, seconds):
    """True if nothing was found."""
    prefix = os.path.join(BUILD, f"{name}-")
    before = set(glob.glob(prefix + "*"))
    command = [program, f"-max_total_time={seconds}", "-seed=1", f"-max_len={LONGEST[name]}", f"-artifact_prefix={prefix}",
               "-print_final_stats=1", "-timeout=10", plant_seeds(name)]
    words = os.path.join(HERE, f"{name}.dict")
    command += [f"-dict={words}"] if os.path.exists(words) else []
    try:
        result = run(command, timeout=seconds + 1800)
    except subprocess.TimeoutExpired as hung:
        print(f"FAILED {name}: {hung}")
        return False
    output = result.stdout.decode(errors="replace")
    runs, edges = numbers(output)
    good = result.returncode == 0 and runs > 0
    print(f"{'ok    ' if good else 'FAILED'} {name}: {runs} executions, {edges} edges, {seconds} s")
    if not good:
        told = [line for line in output.splitlines() if re.search(r"not so:|runtime error:|^SUMMARY|==ERROR", line)]
        print("\n".join("    " + line for line in told or output.splitlines()[-5:]))
        for path in sorted(set(glob.glob(prefix + "*")) - before):
            print(f"    input: {os.path.relpath(path, ROOT)}")
    sys.stdout.flush()
    return good


def main():
    parser = argparse.ArgumentParser(description="Fuzz the library.")
    parser.add_argument("--seconds", type=int, default=10, help="for each target")
    parser.add_argument("--include", default=ROOT, help="the folder of mpx.h")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    options = parser.parse_args()
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    os.makedirs(BUILD, exist_ok=True)
    cc = compiler()
    if cc is None:
        print("fuzz: SKIP: no clang here links -fsanitize=fuzzer (Debian: clang-19 and libclang-rt-19-dev)")
        return SKIP
    passed = failed = 0
    for name in options.targets or TARGETS:
        program = build(cc, name, os.path.abspath(options.include))
        good = program is not None and fuzz(program, name, options.seconds)
        passed += good
        failed += not good
    print(f"{passed} passed, {failed} failed")
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
