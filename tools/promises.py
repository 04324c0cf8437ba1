#!/usr/bin/env python3
"""What the header promises, which tests prove it, and what these said last: a table, in docs/promises.md.

The promises stand in tests/promises.tsv. Results are what tests/run.py left in build/results/ for each test program,
and what --run left there for each target of the Makefile.

promises.py                   print the table, and write it
promises.py --run TARGET ...  make these targets first, and keep their last lines
promises.py --check           only whether every promise has a target and tests that exist, and the page its statements
"""
import os
import platform
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "build", "results")
PAGE = os.path.join(ROOT, "docs", "promises.md")
COUNT = 20
HEAD = """\
# Promises, and what proves them

`make promises` makes this page: the promises are those of [tests/promises.tsv](../tests/promises.tsv), and the results
what the tests said last on the machine that made the page. A target that was not run there says so.

"""


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def promises():
    """[(number, statement, targets, tests)]"""
    lines = [line for line in read("tests", "promises.tsv").split("\n") if line and not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    return [(number, statement, targets.split(), tests.split()) for number, statement, targets, tests in rows]


def problems():
    """What is wrong with the promises, as sentences."""
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", read("Makefile"), re.MULTILINE))
    rows, page = promises(), read("docs", "promises.md")
    if [row[0] for row in rows] != [f"P{i + 1}" for i in range(COUNT)]:
        yield f"tests/promises.tsv: the promises are not P1 to P{COUNT}, in this order"
    for number, statement, named, tests in rows:
        for target in named:
            if target not in targets:
                yield f"{number}: the Makefile has no target {target}"
        for test in tests:
            if not os.path.isfile(os.path.join(ROOT, test)):
                yield f"{number}: there is no {test}"
        if not named or not tests:
            yield f"{number}: has no target, or no test"
        if f"| {number} | {statement} |" not in page:
            yield f"{number}: docs/promises.md says something else: make promises"


def result(name):
    """(ok, SKIP or FAILED; the last line), or None."""
    path = os.path.join(RESULTS, name)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        word, _, line = file.read().rstrip("\n").partition("\t")
    return word, re.sub(r" *\([\d.]+ (CPU )?s\)| in [\d.]+ s\b", "", line)


def of_target(target):
    found = result("make-" + target)
    return f"`make {target}`: " + ("not run here" if found is None else f"{found[0]}, {found[1]}")


def of_test(test):
    """What the programs made of a test said, over all instruction sets and ways to compile; "" if none ran."""
    stem = os.path.splitext(os.path.basename(test))[0]
    names = sorted(os.listdir(RESULTS)) if os.path.isdir(RESULTS) else []
    found = {name: result(name) for name in names if name == stem or name.startswith(stem + "-")}
    if not found:
        return ""
    checks = sum(int(n) for _, line in found.values() for n in re.findall(r"(\d+) checks", line))
    counts = [(word, sum(row[0] == word for row in found.values())) for word in ("ok", "SKIP", "FAILED")]
    words = ", ".join(f"{count} {word}" for word, count in counts if count)
    return f"{stem}: {words}" + (f", {checks:,} checks" if checks else "")


def table():
    lines = ["| | statement | tests | last run |", "|---|---|---|---|"]
    for number, statement, targets, tests in promises():
        links = "<br>".join(f"[{test}](../{test})" for test in tests)
        said = [of_target(target) for target in targets if target not in ("test", "test-isa")]
        said += [text for text in map(of_test, tests) if text]
        makes = ", ".join(f"`make {target}`" for target in targets)
        lines.append(f"| {number} | {statement} | {makes}<br>{links} | {'<br>'.join(said) or 'not run here'} |")
    return "\n".join(lines) + "\n"


def machine():
    known = read("/proc/cpuinfo") if os.path.exists("/proc/cpuinfo") else ""
    model = re.search(r"model name\s*: (.*)", known)
    version = subprocess.run([os.environ.get("CC", "cc"), "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return f"Made on {platform.machine()}, {model.group(1) if model else 'CPU unknown'}, by {version.splitlines()[0]}.\n\n"


def run(target):
    """Make a target, and keep what it says last."""
    last = ""
    process = subprocess.Popen(["make", "--no-print-directory", *target.split()], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, universal_newlines=True)
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line.strip() or last
    word = "FAILED" if process.wait() else "SKIP" if last.startswith("SKIP") else "ok"
    os.makedirs(RESULTS, exist_ok=True)
    with open(os.path.join(RESULTS, "make-" + target.split()[0]), "w", encoding="utf-8") as file:
        file.write(f"{word}\t{last}\n")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] != ["--run"] and arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    if arguments[:1] == ["--run"]:
        for target in arguments[1:]:
            run(target)
    if arguments != ["--check"]:
        os.makedirs(os.path.dirname(PAGE), exist_ok=True)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(HEAD + machine() + table())
        print(table(), end="")
    found = list(problems())
    for problem in found:
        print(f"promises: {problem}")
    print(f"promises: {len(promises())} promises, {len(found)} problems")
    return len(found) != 0


if __name__ == "__main__":
    sys.exit(main())
