#!/usr/bin/env python3
"""Compile and run the examples, and compare what they print with what their first comment says.

An example is a file of examples/, or main.c of a folder there, whose first comment has a compile
line ("cc ...", run from the repository root) and, after a line "prints", the expected output. There
may be several such lines; what one writes with -o, objects and at last the program, later ones may
read. After a line "elsewhere" stand those for machines that are not x86-64. $CC replaces cc;
$CFLAGS is appended. One with the lines "clang --target=wasm32 ..." and "node ..." is made and run
by these; where a clang with wasm-ld (or $WASM_CC) or node is missing, it is skipped, and a line
says so. One for a board has an arm-none-eabi-gcc and a qemu-system-arm command, whose further lines
are indented; it is skipped likewise. --only NAME ... takes these examples alone.
--cxx compiles each as C++11 too, with $CXX and $CXXFLAGS. --readme FILE ... checks the C code blocks
of pages, down to the part that tools/reference.py makes: one that starts with a comment naming an
example must be an excerpt of it, every other must compile, as a file or as the body of main.
"""
import argparse
import concurrent.futures
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMENT = re.compile(r"\A/\*(.*?)\*/", re.DOTALL)
COMPILE_LINE = re.compile(r"^ *(cc .*)$", re.MULTILINE)
WASM_LINE = re.compile(r"^ *clang (--target=wasm32 .*)$", re.MULTILINE)
NODE_LINE = re.compile(r"^ *node (.*)$", re.MULTILINE)
OUTPUT = re.compile(r"^ *prints *\n(.*)\Z", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```c\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ELSEWHERE = re.compile(r"^ *elsewhere *$", re.MULTILINE)
EXCERPT = re.compile(r"\A/\* (examples/[\w/]+\.c) \*/\n")
BOARD_COMMANDS = re.compile(r"^ {7}((?:arm-none-eabi-gcc|qemu-system-arm) .*(?:\n {11}\S.*)*)",
                            re.MULTILINE)
TIMEOUT = 3600  # seconds, for a compiler or a program: what hangs is a failure; a busy machine is none


CLANGS = ["clang", *(f"clang-{version}" for version in range(22, 15, -1))]


class Failure(Exception):
    """An example or a code block is not as it must be."""


class Skipped(Exception):
    """A tool is not here."""


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


def compile_lines(comment):
    """The words after "cc" of each compile line for this machine."""
    parts = ELSEWHERE.split(comment)
    chosen = parts[0] if platform.machine().lower() in ("x86_64", "amd64") else parts[-1]
    return [shlex.split(line)[1:] for line in COMPILE_LINE.findall(chosen)]


def run_example(name, cxx, folder):
    comment = first_comment(name)
    lines, output = compile_lines(comment), OUTPUT.search(comment)
    if any("-o" not in line[:-1] for line in lines) or output is None:
        raise Failure("first comment: no -o in a compile line, or no line 'prints'")
    expected = textwrap.dedent(output.group(1)).strip("\n") + "\n"
    command, flags = compiler(cxx)
    made = {}  # file as the comment has it: where it is
    for line in lines:
        at = line.index("-o")
        objects = [made[word] for word in line if word in made]
        words = [word for word in line[:at] + line[at + 2:] if word not in made]
        target = made[line[at + 1]] = os.path.join(folder, line[at + 1])
        if objects:
            objects = ["-x", "none", *objects]  # the command may have said -x c++
        execute(command + words + objects + flags + ["-o", target], "compiling")
    compare(execute([target], "running"), expected)


def wasm_compiler(folder):
    """The first clang that makes a module of a program that does nothing."""
    source = os.path.join(folder, "nothing.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("int nothing;\n")
    for name in [os.environ["WASM_CC"]] if os.environ.get("WASM_CC") else CLANGS:
        if shutil.which(name):
            try:
                execute([name, "--target=wasm32", "-nostdlib", "-fuse-ld=lld", "-Wl,--no-entry",
                         source, "-o", source + ".wasm"], name)
            except Failure:
                continue
            return name
    raise Skipped("no clang with wasm-ld here")


def run_wasm(name, folder):
    comment = first_comment(name)
    line, run, output = WASM_LINE.search(comment), NODE_LINE.search(comment), OUTPUT.search(comment)
    if not run or not output:
        raise Failure("first comment: no line 'node ...', or no line 'prints'")
    words, arguments = shlex.split(line.group(1)), shlex.split(run.group(1))
    made = words[words.index("-o") + 1]
    target = os.path.join(folder, made)
    node = shutil.which("node")
    if not node:
        raise Skipped("no node here")
    execute([wasm_compiler(folder)] + [target if word == made else word for word in words],
            "compiling")
    compare(execute([node] + [target if word == made else word for word in arguments], "running"),
            textwrap.dedent(output.group(1)).strip("\n") + "\n")


def compare(output, expected):
    output = output.replace(os.linesep.encode(), b"\n")
    if output != expected.encode("ascii"):
        got = output.decode("ascii", "backslashreplace")
        raise Failure(f"output differs; expected:\n{expected}got:\n{got}")


def run_on_board(name, folder):
    comment = first_comment(name)
    commands = [command.replace("\\\n", " ").split() for command in BOARD_COMMANDS.findall(comment)]
    missing = [command[0] for command in commands if not shutil.which(command[0])]
    if missing:
        raise Skipped(f"no {' and no '.join(missing)} here")
    output = OUTPUT.search(comment)
    if len(commands) != 2 or "-o" not in commands[0] or output is None:
        raise Failure("first comment: not one compile and one qemu command, or no line 'prints'")
    made = commands[0][commands[0].index("-o") + 1]
    compile_it, emulate = ([os.path.join(folder, made) if word == made else word for word in words]
                           for words in commands)
    execute(compile_it, "compiling")
    try:
        got = subprocess.run(emulate, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=TIMEOUT).stdout  # semihosting: stderr
    except subprocess.TimeoutExpired as failure:
        raise Failure(f"running: {failure}") from None
    expected = textwrap.dedent(output.group(1)).strip("\n") + "\n"
    if got != expected.encode("ascii"):
        text = got.decode("ascii", "backslashreplace")
        raise Failure(f"output differs; expected:\n{expected}got:\n{text}")


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


def checks(args):
    """What there is to do: (name, function of a folder) pairs."""
    for file in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        name = f"examples/{file}"
        if os.path.exists(os.path.join(ROOT, name, "main.c")):
            name += "/main.c"
        if not name.endswith(".c") or (args.only and os.path.splitext(file)[0] not in args.only):
            continue
        if WASM_LINE.search(first_comment(name)):
            yield name, lambda folder, name=name: run_wasm(name, folder)
            continue
        if BOARD_COMMANDS.search(first_comment(name)):
            yield name, lambda folder, name=name: run_on_board(name, folder)
            continue
        if not COMPILE_LINE.search(first_comment(name)):
            continue  # a second file of a program
        yield name, lambda folder, name=name: run_example(name, False, folder)
        if args.cxx:
            yield f"{name} (C++11)", lambda folder, name=name: run_example(name, True, folder)
    for page in args.readme:
        text = read(page).split("<!-- reference: ")[0]
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{page}:{line}", lambda folder, code=match.group(1): check_block(code, folder)


def judge(check):
    """Run one check in a folder of its own: ("ok", "SKIP" or "FAIL", why)."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(folder)
        except Skipped as reason:
            return "SKIP", f": {reason}"
        except Failure as failure:
            return "FAIL", f": {failure}"
    return "ok", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cxx", action="store_true", help="compile the examples as C++11 too")
    parser.add_argument("--readme", metavar="FILE", nargs="+", default=[], help="check the C code blocks of these pages")
    parser.add_argument("--only", metavar="NAME", nargs="+", help="these examples alone")
    args = parser.parse_args()
    try:
        todo = list(checks(args))
    except Failure as failure:
        sys.exit(f"run_examples: {failure}")
    count = {"ok": 0, "FAIL": 0, "SKIP": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for (name, _), (word, why) in zip(todo, pool.map(judge, [check for _, check in todo])):
            count[word] += 1
            print(f"{word:4} {name}{why}", flush=True)
    more = f", {count['SKIP']} skipped" if count["SKIP"] else ""
    print(f"examples: {count['ok']} passed, {count['FAIL']} failed{more}")
    return 1 if count["FAIL"] or not count["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
