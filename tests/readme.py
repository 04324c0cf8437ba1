#!/usr/bin/env python3
"""Do what a page says: save the files that it shows, run its commands in their order, compare what they print.

    python3 tests/readme.py PAGE.md ...

A C or C++ block whose first line is a comment with a file's name, such as /* main.c */, becomes that file; one whose
name has a folder is an excerpt, which tools/run_examples.py compares. A `console` block has lines "$ command", each
followed by its output. A `sh` block has commands alone. All of a page runs in one copy of the working tree, with $CC for
cc. `make TARGET` without more is not run when .ci/run has that target as a step of its own: it is only looked up there.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"\A(?:/\*|//) ([\w.-]+\.\w+)\b")
MAKE = re.compile(r"make ([\w-]+)(?: *#.*)?")
LIMIT = 600  # seconds, for a command: what hangs is a failure


def steps(name, text):
    """(line of the block, file to write or None, its text or the command, expected output or None)."""
    for match in BLOCK.finditer(text):
        kind, block = match.groups()
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        if kind in ("c", "cpp") and FILE.match(block):
            yield where, FILE.match(block).group(1), block, None
        elif kind == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield where, None, command, output
        elif kind == "sh":
            for command in block.replace("\\\n", "").splitlines():
                if command.strip() and not command.startswith("#"):
                    yield where, None, command, None


def run(command, expected, folder, ci_steps):
    """Why it failed, or None."""
    target = MAKE.fullmatch(command.strip())
    if target and target.group(1) in ci_steps:
        return None
    try:
        done = subprocess.run(["sh", "-ec", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"$ {command}\nstill runs after {LIMIT} s"
    if done.returncode != 0:
        return f"$ {command}\nexit status {done.returncode}\n{done.stdout}{done.stderr}"
    if expected is not None and done.stdout.rstrip("\n") != expected.rstrip("\n"):
        return f"$ {command}\nprints\n{done.stdout}and not\n{expected}"
    return None


def main():
    with open(os.path.join(ROOT, ".ci", "run"), encoding="utf-8") as file:
        ci_steps = set(re.findall(r"\bmake ([\w-]+)", file.read()))
    passed, failed = 0, 0
    for page in sys.argv[1:]:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            todo = list(steps(page, file.read()))
        with tempfile.TemporaryDirectory(prefix="mpx-readme-") as folder:
            copy = os.path.join(folder, "mpx")
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "build", "__pycache__"))
            tools = os.path.join(folder, "bin")
            os.mkdir(tools)
            for name, chosen in (("cc", os.environ.get("CC", "cc")), ("c++", os.environ.get("CXX", "c++"))):
                script = os.path.join(tools, name)
                with open(script, "w", encoding="ascii") as file:
                    file.write(f'#!/bin/sh\nPATH=${{PATH#*:}} exec {chosen} "$@"\n')
                os.chmod(script, 0o755)
            os.environ["PATH"] = tools + os.pathsep + os.environ["PATH"]
            for where, name, text, expected in todo:
                if name:
                    with open(os.path.join(copy, name), "w", encoding="utf-8") as file:
                        file.write(text)
                    continue
                why = run(text, expected, copy, ci_steps)
                passed, failed = passed + (why is None), failed + (why is not None)
                if why:
                    print(f"FAIL {where}: {why}", flush=True)
            os.environ["PATH"] = os.environ["PATH"].partition(os.pathsep)[2]
    print(f"readme: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
