#!/usr/bin/env python3
"""Lines and branches of the scalar code that the tests run, room by room, by gcc and gcov.

The library is compiled for MPX_ISA_SCALAR at -O0 with all parts; the tests run once each. A line that is not run, or a
branch that is never taken, must stand in tests/uncovered.tsv with the reason: room, line, reason. One that is not listed
is a failure. What other builds compile (vectors, 32-bit significands, a switch) is not looked at.

coverage.py [--tests NAME ...] [--room ROOM ...]
    --more    go on from the counts of the last run, with other tests
    --list    print rows for tests/uncovered.tsv, to be given reasons
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "coverage")
LIST = os.path.join(ROOT, "tests", "uncovered.tsv")
NO_TEST_YET = "no test yet"
# Short runs where there are any; in the order of what a second brings.
TESTS = ["golden", "tree", "weights", "policy", "policy_map --quick", "pattern_lines --count 1000",
         "loss_scale --quick", "scaled_grad", "interop", "promote", "vertex", "float8", "amp", "amp_run",
         "optimizer", "keras", "quant_model", "files", "reduce --quick", "amax", "hashes", "cast_with --quick",
         "matmul --quick", "rows --quick", "parallel", "dot --quick", "align --quick", "cast --quick",
         "quant --quick"]
FLAGS = ["-DMPX_ISA=MPX_ISA_SCALAR", "-DMPX_STREAM_BYTES=4096"]  # so that buffers of tests are large ones
ATOMIC = ["-fprofile-update=atomic"]  # threads count too; a count that is lost can make another one 0
OTHER_ROOMS = ("names.h", "pass_names.h", "pass_end.h", "license.h", "mpx.h", "intro.h", "api.h", "types.h")


def run(*command, **options):
    return subprocess.run(command, cwd=ROOT, check=True, **options)


def measure(tests, more):
    """{line of mpx.h: (how often it ran, how often each of its branches was taken)}"""
    source, library = (os.path.join(WORK, name) for name in ("mpx.c", "mpx.o"))
    if not more:
        shutil.rmtree(WORK, ignore_errors=True)
        os.makedirs(WORK)
        with open(source, "w", encoding="ascii") as file:
            file.write("#define MPX_IMPLEMENTATION\n#define MPX_COMPUTE 1\n#define MPX_FILES 1\n#include \"mpx.h\"\n")
        run("gcc", "-std=c99", "-w", "-O0", "--coverage", *ATOMIC, *FLAGS, "-I.", "-c", source, "-o", library)
    for test in tests:
        name, *arguments = test.split()
        program, by_python = os.path.join(WORK, name), name == "pattern_lines"
        file = f"tests/{name}.c" if by_python else f"tests/test_{name}.c"
        run("gcc", "-std=c99", "-w", "-O1", "-I.", "-Itests", file, library, "-o", program,
            "--coverage", "-fno-profile-arcs", "-fno-test-coverage", "-lm", "-lpthread")
        starts = [sys.executable, "tests/test_pattern.py"] if by_python else []
        done = run(*starts, program, *arguments, stdout=subprocess.PIPE, universal_newlines=True)
        print(done.stdout.rstrip().split("\n")[-1], flush=True)
    text = run("gcov", "-j", "-t", "-b", "-o", WORK, "mpx.c", stdout=subprocess.PIPE).stdout
    lines = {}
    for file in json.loads(text)["files"]:
        if os.path.basename(file["file"]) != "mpx.h":
            continue
        for line in file["lines"]:  # what is always inlined is there once for each place
            count, branches = lines.get(line["line_number"], (0, []))
            taken = [branch["count"] for branch in line["branches"]]
            if len(branches) == len(taken):
                taken = [a + b for a, b in zip(branches, taken)]
            lines[line["line_number"]] = (count + line["count"], taken or branches)
    return lines


def rooms():
    """{room: (the line of mpx.h before it, its lines)}"""
    with open(os.path.join(ROOT, "mpx.h"), encoding="ascii") as file:
        header = file.read()
    found = {}
    for room in sorted(set(os.listdir(os.path.join(ROOT, "src"))) - set(OTHER_ROOMS)):
        with open(os.path.join(ROOT, "src", room), encoding="ascii") as file:
            text = file.read()
        if text in header:
            found[room] = (header[:header.index(text)].count("\n"), text.split("\n"))
    return found


def listed():
    with open(LIST, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return {tuple(row[:2]): row[2] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", nargs="*", default=TESTS)
    parser.add_argument("--room", nargs="*", default=[])
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if not shutil.which("gcc") or not shutil.which("gcov"):
        print("SKIP coverage: no gcc with gcov here")
        return 77
    lines, known = measure(args.tests, args.more), listed()
    total, unlisted, reasons = collections.Counter(), 0, collections.Counter()
    print(f"\n{'':22s} {'lines':>16s}  {'branches':>16s}  listed")
    for room, (first, texts) in rooms().items():
        here = {number - first: found for number, found in lines.items() if first < number <= first + len(texts)}
        if not here or (args.room and room not in args.room):
            continue
        counts = collections.Counter(lines=len(here), run=sum(count != 0 for count, _ in here.values()))
        for number, (count, branches) in sorted(here.items()):
            counts["branches"] += len(branches)
            counts["taken"] += sum(taken != 0 for taken in branches)
            if count != 0 and 0 not in branches:
                continue
            text, some = texts[number - 1].strip(), sum(taken != 0 for taken in branches)
            reason = known.get((room, text))
            if reason is None:
                unlisted += 1
                what = "not run" if count == 0 else f"{some} of {len(branches)} branches"
                print(f"{room}\t{text}\t{what}" if args.list else f"src/{room}:{number}: {what}: {text}")
            else:
                counts["listed"] += 1
                reasons[reason.split(":")[0]] += 1
        total.update(counts)
        print(row(room, counts), flush=True)
    print(row("all", total))
    print(f"coverage: {percent(total['taken'], total['branches'])} of branches, "
          f"{percent(total['run'], total['lines'])} of lines; "
          f"{total['listed']} lines listed, of which {reasons[NO_TEST_YET]} without a test yet; {unlisted} not listed")
    return unlisted != 0


def percent(part, whole):
    return f"{100 * part / whole if whole else 100:.1f} %"


def row(room, counts):
    parts = [f"{counts[part]:5d}/{counts[whole]:5d} {percent(counts[part], counts[whole]):>8s}"
             for part, whole in (("run", "lines"), ("taken", "branches"))]
    return f"{room:22s} {parts[0]:>16s}  {parts[1]:>16s}  {counts['listed']}"


if __name__ == "__main__":
    sys.exit(main())
