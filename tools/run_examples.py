#!/usr/bin/env python3
"""Compile and run the examples, and compare what they print with what their first comment says.

An example is a file of examples/ whose first comment has a compile line ("cc ...", run from the
repository root) and, after a line "prints", the expected output. $CC replaces cc; $CFLAGS is
appended. --cxx compiles each as C++11 too, with $CXX and $CXXFLAGS. --readme FILE checks the C code
blocks of a README: one that starts with a comment naming an example must be an excerpt of it, every
other must compile, as a file or as the body of main.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMENT = re.compile(r"\A/\*(.*?)\*/", re.DOTALL)
COMPILE_LINE = re.compile(r"^ *(cc .*)$", re.MULTILINE)
OUTPUT = re.compile(r"^ *prints *\n(.*)\Z", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXCERPT = re.compile(r"\A/\* (examples/\w+\.c) \*/\n")
TIMEOUT = 300  # seconds, for a compiler or a program


class Failure(Exception):
    """An example or a code block is not as it must be."""


def read(name):
    try:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            return file.read()
    except OSError as failure:
        raise Failure(f"{failure.strerror}: {name}") from None


def execute(command, what):
    """Run a command from the root; its standard output. Warnings of compilers are passed on."""
    try:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise Failure(f"{what}: {failure}") from None
    if done.returncode != 0:
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise Failure(f"{what}: exit status {done.returncode}\n{text}")
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def compiler(cxx):
    """The command and the flags to append."""
    command, flags = ("CXX", "CXXFLAGS") if cxx else ("CC", "CFLAGS")
    words = shlex.split(os.environ.get(command) or ("c++" if cxx else "cc"))
    return (words + ["-x", "c++", "-std=c++11"] if cxx else words,
            shlex.split(os.environ.get(flags, "")))


def first_comment(name):
    comment = COMMENT.match(read(name))
    return comment.group(1) if comment else ""


def run_example(name, cxx, folder):
    comment = first_comment(name)
    arguments = shlex.split(COMPILE_LINE.search(comment).group(1))[1:]
    output = OUTPUT.search(comment)
    if "-o" not in arguments[:-1] or output is None:
        raise Failure("first comment: no -o in the compile line, or no line 'prints'")
    expected = textwrap.dedent(output.group(1)).strip("\n") + "\n"
    at = arguments.index("-o")
    program = os.path.join(folder, arguments[at + 1])
    command, flags = compiler(cxx)
    execute(command + arguments[:at] + arguments[at + 2:] + flags + ["-o", program], "compiling")
    output = execute([program], "running").replace(os.linesep.encode(), b"\n")
    if output != expected.encode("ascii"):
        got = output.decode("ascii", "backslashreplace")
        raise Failure(f"output differs; expected:\n{expected}got:\n{got}")


def compile_block(text, folder):
    command, flags = compiler(False)
    source = os.path.join(folder, "block.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    execute(command + ["-I.", "-Werror=implicit-function-declaration"] + flags
            + ["-c", source, "-o", source + ".o"], "compiling")


def check_block(block, folder):
    """An excerpt is compared; other code is compiled: a program as it is, else as the body of main
    or, failing that, at file scope."""
    excerpt = EXCERPT.match(block)
    if excerpt:
        if block[excerpt.end():] not in read(excerpt.group(1)):
            raise Failure(f"no excerpt of {excerpt.group(1)}")
        return
    lines = block.splitlines(keepends=True)
    directives = "".join(line for line in lines if line.startswith("#"))
    statements = "".join(line for line in lines if not line.startswith("#"))
    head = directives + '#include "mpx.h"\n#include <stdio.h>\n'
    failures = []
    for text in [block] if re.search(r"\bmain\(", block) else [
            f"{head}int main(void) {{\n{statements}return 0;\n}}\n", head + statements]:
        try:
            compile_block(text, folder)
            return
        except Failure as failure:
            failures.append(failure)
    raise failures[0]


def checks(args, folder):
    """What there is to do: (name, function) pairs."""
    for file in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        name = f"examples/{file}"
        if not file.endswith(".c") or not COMPILE_LINE.search(first_comment(name)):
            continue  # a second file of a program
        yield name, lambda name=name: run_example(name, False, folder)
        if args.cxx:
            yield f"{name} (C++11)", lambda name=name: run_example(name, True, folder)
    if args.readme:
        text = read(args.readme)
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{args.readme}:{line}", lambda code=match.group(1): check_block(code, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cxx", action="store_true", help="compile the examples as C++11 too")
    parser.add_argument("--readme", metavar="FILE", help="check the C code blocks of this file")
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            todo = list(checks(args, folder))
        except Failure as failure:
            sys.exit(f"run_examples: {failure}")
        for name, check in todo:
            try:
                check()
            except Failure as failure:
                failed += 1
                print(f"FAIL {name}: {failure}", flush=True)
            else:
                passed += 1
                print(f"ok   {name}", flush=True)
    print(f"examples: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
