#!/usr/bin/env python3
"""The programs of tests/clients, as C11 and as C++17, under the strict set: each compiles without a warning, runs and
finds what it expects. Prints how many lines each has.

clients.py OBJECT: the library to link."""
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STRICT = ("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wdouble-promotion -Wundef "
          "-Werror -O1 -I.").split()
LANGUAGES = [("CC", "cc", ["-std=c11"]), ("CXX", "c++", ["-std=c++17", "-x", "c++"])]


def run(*command):
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return result.returncode, result.stdout


def main():
    library, passed, failed = os.path.abspath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "client")
        for source in sorted(glob.glob(os.path.join(ROOT, "tests", "clients", "*.c"))):
            name = os.path.relpath(source, ROOT)
            for variable, default, flags in LANGUAGES:
                compiler = shlex.split(os.environ.get(variable, default))
                if shutil.which(compiler[0]) is None:
                    print(f"SKIP {name} {flags[0]}: no {compiler[0]}")
                    continue
                plain = ["-x", "none"] if "-x" in flags else []
                code, output = run(*compiler, *STRICT, *flags, name, *plain, library, "-o", program)
                if code == 0:
                    code, output = run(program)
                passed += code == 0
                failed += code != 0
                if code != 0:
                    print(f"FAIL {name} {flags[0]}: exit code {code}\n{output}")
            with open(source, encoding="ascii") as file:
                print(f"{name}: {sum(1 for _ in file)} lines")
    print(f"clients: {passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
