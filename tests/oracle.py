#!/usr/bin/env python3
"""Casts and quantization against other people's implementations, live, through a shared library (make test-oracle).

    python tests/oracle.py LIBRARY [numpy | torch | softfloat | onnx | twice | gguf | torchao | keras | files]...

Each oracle is a module of tests/oracle/ and needs packages that tests/oracle/requirements.txt pins.
One that is missing, or there in another version, skips its oracle with a line that is counted:
another version may well differ, and then says nothing about us. Differences that are ours on
purpose stand in the docstring of the oracle they concern.
"""
import importlib
import importlib.metadata
import os
import sys
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle")
NEEDS = {"numpy": ["numpy", "ml_dtypes"], "torch": ["numpy", "torch"],
         "softfloat": ["numpy", "softfloatpy"], "onnx": ["numpy", "onnx"],
         "twice": ["numpy", "ml_dtypes", "torch"], "gguf": ["numpy", "gguf"],
         "torchao": ["numpy", "torch", "torchao"], "keras": ["numpy", "torch", "keras"],
         "files": ["numpy", "ml_dtypes", "safetensors", "gguf"]}


def pins():
    """Package to version, as requirements.txt has them."""
    with open(os.path.join(FOLDER, "requirements.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def missing(oracle):
    """What of the oracle's packages is not as pinned, in words; "" if all are."""
    wanted, words = pins(), []
    for package in NEEDS[oracle]:
        try:  # "2.13.0+cpu" is a build of 2.13.0
            found = importlib.metadata.version(package).split("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found = "none"
        if found != wanted[package]:
            words.append(f"needs {package} {wanted[package]}, found {found}")
    return "; ".join(words)


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(NEEDS):
        sys.exit(f"usage: oracle.py LIBRARY [{' | '.join(NEEDS)}]...")
    sys.path.insert(0, FOLDER)
    passed = failed = skipped = 0
    for oracle in sys.argv[2:] or NEEDS:
        why = missing(oracle)
        if why:
            print(f"skip   {oracle}: {why}", flush=True)
            skipped += 1
            continue
        started, counts = time.monotonic(), [0, 0]
        for ok, name in importlib.import_module(f"against_{oracle}").checks(sys.argv[1]):
            print(f"{'ok    ' if ok else 'FAILED'} {oracle}: {name}", flush=True)
            counts[not ok] += 1
        print(f"       {oracle}: {counts[0]} passed, {counts[1]} failed, "
              f"{time.monotonic() - started:.0f} s", flush=True)
        passed, failed = passed + counts[0], failed + counts[1]
        if counts == [0, 0]:
            print(f"FAILED {oracle}: nothing was compared")
            failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
