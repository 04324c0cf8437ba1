#!/usr/bin/env python3
"""Do what a page says: save the files that it shows, run its commands in their order, compare what they print.

    python3 tests/readme.py PAGE.md ...

A C or C++ block whose first line is a comment with a file's name, such as /* main.c */, becomes that file; one whose
name has a folder is an excerpt, which tools/run_examples.py compares. A `console` block has lines "$ command", each
followed by its output. A `sh` block has commands alone, and so has a comment <!-- run: command -->, which readers do not
see. All of a page runs in one copy of the working tree, with $CC for cc and its build/ in PATH, as `make install` would
put the program mpx there. `make TARGET` without more is not run, as CI has these as steps: the target must be there.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$|^<!-- (run): (.*?) -->$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"\A(?:/\*|//) ([\w.-]+\.\w+)\b")
MAKE = re.compile(r"make ([\w-]+)(?: *#.*)?")
LIMIT = 600  # seconds, for a command: what hangs is a failure


def steps(name, text):
    """(line of the block, file to write or None, its text or the command, expected output or None)."""
    for match in BLOCK.finditer(text):
        kind, block = match.group(1) or "sh", match.group(2) or match.group(4)
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


def lines_of(text):
    return [line.rstrip() for line in text.rstrip().splitlines()]


def run(command, expected, folder, targets):
    """Why it failed, or None."""
    target = MAKE.fullmatch(command.strip())
    if target:
        return None if target.group(1) in targets else f"$ {command}\nno such target"
    try:
        done = subprocess.run(["sh", "-ec", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"$ {command}\nstill runs after {LIMIT} s"
    if done.returncode != 0:
        return f"$ {command}\nexit status {done.returncode}\n{done.stdout}{done.stderr}"
    if expected is not None and lines_of(done.stdout) != lines_of(expected):
        return f"$ {command}\nprints\n{done.stdout}and not\n{expected}"
    return None


def main():
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        targets = set(re.findall(r"^([\w-]+):", file.read(), re.MULTILINE))
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
            path = os.environ["PATH"]
            os.environ["PATH"] = os.pathsep.join([tools, path, os.path.join(copy, "build")])
            for where, name, text, expected in todo:
                if name:
                    with open(os.path.join(copy, name), "w", encoding="utf-8") as file:
                        file.write(text)
                    continue
                why = run(text, expected, copy, targets)
                passed, failed = passed + (why is None), failed + (why is not None)
                if why:
                    print(f"FAIL {where}: {why}", flush=True)
            os.environ["PATH"] = path
    print(f"readme: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
