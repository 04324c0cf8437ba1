#!/usr/bin/env python3
"""Mutation testing: small mistakes are put into the rooms of src/, one at a time, and the tests must notice each one.

A mutant is one line of mpx.h with one change: a constant plus or minus one, another operator or comparison, a statement
left out, another return value. It is killed if a test of its room fails, crashes or hangs. Left aside are mutants that
do not compile, and those whose machine code is what it was (gcc -O2). Every other one has survived, and must stand in
tests/mutants.tsv with the reason: room, line, line of the mutant, reason. A survivor that is not listed is a failure.
Which tests look at which room stands in tests/mutate.tsv.

mutate.py [--mutants N] [--room ROOM ...] [--seed N] [--jobs N] [--say]     a sample of N mutants a room (0: all)
"""
import argparse
import concurrent.futures
import os
import queue
import random
import re
import resource
import shutil
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "mutate")
LIST = os.path.join(ROOT, "tests", "mutants.tsv")
LIBTCC = "/usr/lib/x86_64-linux-gnu/tcc/libtcc1.a"
IMPLEMENTATION = "#define MPX_IMPLEMENTATION\n#include \"mpx.h\"\n"
MEMORY_BYTES = 6 << 30
OWN = ("own", "others", "own-scalar")
SECONDS, LOCK = {}, threading.Lock()  # how long tests may run
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

# ---- what is compiled ------------------------------------------------------------------------------------------------

SCALAR = ["-DMPX_ISA=MPX_ISA_SCALAR", "-DMPX_COMPUTE=1", "-DMPX_FILES=1"]
CASTS = [f"-DMPX_NO_{part}=1" for part in ("POLICY", "INTEROP", "AMP", "PROMOTE")]
SANITIZE = ["-fsanitize=address,bounds", "-fno-sanitize-recover=bounds",  # as make sanitize, in which locals begin as 0xfe
            "-ftrivial-auto-var-init=pattern"]
AVX2 = ["-mavx2", "-mf16c", "-mfma"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512bf16", "-mavx512vbmi", "-mavx512vbmi2",
          "-mgfni", "-DMPX_BF16_DOTS"]
AVX512_NEEDS = {"avx512_bf16", "avx512_vbmi2"}
AMX = [*AVX512, "-mamx-tile", "-mamx-bf16"]
# A build: a compiler and its flags. tcc takes 0.03 s for the whole header, and its code is as slow as gcc -O0. "+": all
# parts of the header. own: the test has the header in itself.
BUILDS = {
    "tcc": ["tcc", *SCALAR],
    "gcc": ["gcc", "-O1", *SCALAR],
    "asan": ["gcc", "-O1", *SANITIZE, *SCALAR],
    "asan-sse2": ["gcc", "-O1", *SANITIZE, "-msse2", "-DMPX_COMPUTE=1"],
    "asan-avx512": ["gcc", "-O1", *SANITIZE, *AVX512, "-DMPX_COMPUTE=1"],
    "sse2": ["gcc", "-O1", "-msse2", *CASTS],
    "avx2": ["gcc", "-O1", *AVX2, *CASTS],
    "avx512": ["gcc", "-O1", *AVX512, *CASTS],
    "stream": ["gcc", "-O1", *AVX512, *CASTS, "-DMPX_TILE=16", "-DMPX_STREAM_BYTES=256"],
    "sse2-stream": ["gcc", "-O1", "-msse2", *CASTS, "-DMPX_STREAM_BYTES=256"],
    "sse2+": ["gcc", "-O1", "-msse2", "-DMPX_COMPUTE=1"],
    "avx2+": ["gcc", "-O1", *AVX2, "-DMPX_COMPUTE=1"],
    "avx512+": ["gcc", "-O1", *AVX512, "-DMPX_COMPUTE=1"],
    "amx+": ["gcc", "-O1", *AMX, "-DMPX_COMPUTE=1"],
    "dispatch": ["gcc", "-O1", "-DMPX_DISPATCH=1", "-DMPX_COMPUTE=1"],
    "own": ["gcc", "-O1", "-Itests"],
    "others": ["gcc", "-O1", "-Itests", "-DTEST_OTHERS"],
    "own-scalar": ["gcc", "-O1", "-Itests", "-DMPX_ISA=MPX_ISA_SCALAR"],
}


def read_tests():
    """{room: [(build, test and its arguments)]}"""
    rows = {}
    with open(os.path.join(ROOT, "tests", "mutate.tsv"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                room, steps = line.rstrip("\n").split("\t")
                rows[room] = []
                for step in steps.split("; "):
                    builds, _, test = step.partition(":")
                    rows[room] += rows[step[1:]] if step[0] == "~" else [(build, test) for build in builds.split(",")]
    return {room: steps for room, steps in rows.items() if room.endswith(".h")}


TESTS = read_tests()

# ---- mutants ---------------------------------------------------------------------------------------------------------

SWAPS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
         "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+=": "-=",
         "-=": "+=", "*=": "/=", "<<=": ">>=", ">>=": "<<=", "|=": "&=", "&=": "|=", "^=": "|=", "++": "--", "--": "++"}
TOKEN = re.compile(r"0[xX][0-9a-fA-F]+|\d+\.\d+|\d+|[A-Za-z_]\w*|->|<<=|>>=|\+\+|--|[-+*/%&|^<>=!]=|<<|>>|&&|\|\||\S")
HIDDEN = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
HEAD = re.compile(r"\s*(?:\} )?(?:(?:else )?(?:if|for|while) \(|else |case [^:]+: |default: )")
KEPT = re.compile(r"(return|break|continue|goto|case|default|else|do|if|for|while|switch|typedef|struct|enum|static|"
                  r"extern|const|unsigned|union)\b|(?!return)\w+ \**\w|__asm__|MPX_ASSERT|\(void\)")


def statement(line, previous):
    """Where a statement begins that is all of the line's rest, after `if (...)` and the like; None if none does."""
    start = len(line) - len(line.lstrip())
    if not re.search(r"(^|[;{}:)]|\belse|\bdo)$", previous.rstrip()) or not line.rstrip().endswith(";"):
        return None
    head = HEAD.match(line)
    if head:
        start = head.end()
        if line[start - 1] == "(":
            depth = 1
            while start < len(line) and depth:
                depth += {"(": 1, ")": -1}.get(line[start], 0)
                start += 1
            start += line[start:start + 1] == " "
    rest = line[start:].rstrip()
    return start if depth_is_zero(rest) and rest.count(";") == 1 and len(rest) > 1 else None


def depth_is_zero(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def mutants_of(text):
    """(line number, column, before, after) of every small mistake that could be made in the text of a room."""
    hidden = HIDDEN.sub(lambda hit: re.sub(r"[^\n]", " " if hit.group()[0] == "/" else "_", hit.group()), text)
    found, previous = [], ""
    for number, line in enumerate(hidden.split("\n")):
        directive = line.lstrip().startswith("#") and not re.match(r"\s*#define \w", line)
        if directive or "MPX_ASSERT" in line or "typedef char" in line:
            previous = line if not directive else previous
            continue
        start = re.match(r"\s*#define \w+(\([^)]*\))?", line)
        for token in TOKEN.finditer(line, start.end() if start else 0):
            word, at, end = token.group(), token.start(), token.end()
            spaced = line[at - 1:at] == " " and line[end:end + 1] in ("", " ")
            if word[0].isdigit():
                base = 16 if word[:2] in ("0x", "0X") else 10
                if "." in word:
                    found.append((number, at, word, str(float(word) + 1)))
                    continue
                for value in (int(word, base) + 1, int(word, base) - 1):
                    if value >= 0:
                        found.append((number, at, word, hex(value) if base == 16 else str(value)))
            elif word in SWAPS and (spaced or word in ("++", "--")):
                found.append((number, at, word, SWAPS[word]))
        at = None if start else statement(line, previous)
        if at is not None:
            rest = line[at:].rstrip()
            value = re.match(r"return (.+);$", rest)
            if value:
                found.append((number, at, rest, f"return {int(value.group(1) in ('0', 'MPX_OK', 'NULL'))};"))
            elif rest in ("break;", "continue;") or not KEPT.match(rest):
                found.append((number, at, rest, ";"))
        if line.strip():
            previous = line
    lines = text.split("\n")
    return [(n, at, lines[n][at:at + len(before)], after) for n, at, before, after in found]


# ---- compile and run -------------------------------------------------------------------------------------------------

def limits(cpu_seconds, memory):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def execute(command, cpu_seconds=600, memory=MEMORY_BYTES):
    """Exit status; not 0 if it took too long."""
    environment = dict(os.environ, CHECK_ISA="0")
    process = subprocess.Popen(command, cwd=ROOT, preexec_fn=limits(cpu_seconds, memory), start_new_session=True,
                               env=environment, **QUIET)
    try:
        return process.wait(40 * cpu_seconds + 60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return process.wait() or 1


class Place:
    """A folder with an mpx.h, and what is compiled from it."""

    def __init__(self, name, header):
        self.folder = os.path.join(WORK, name)
        os.makedirs(self.folder, exist_ok=True)
        for old in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, old))
        for file, text in (("mpx.h", header), ("impl.c", IMPLEMENTATION)):
            with open(os.path.join(self.folder, file), "w", encoding="ascii") as out:
                out.write(text)

    def compile(self, build, test=None, extra=()):
        """The object of the library, or of a test that has the header in itself; None if the compiler refuses it."""
        source = os.path.join(ROOT, "tests", f"test_{test}.c") if test else "impl.c"
        name = f"{build}-{test or 'mpx'}{''.join(extra)}.o"
        if not os.path.exists(os.path.join(self.folder, name)):
            flags = [flag.replace("-Itests", f"-I{ROOT}/tests") for flag in BUILDS[build]]
            command = [*flags, *extra, "-std=c99", "-w", "-DTEST_STOP", "-I.", "-c", source, "-o", name]
            if subprocess.run(command, cwd=self.folder, **QUIET).returncode:
                return None
        return os.path.join(self.folder, name)


def same_file(a, b):
    with open(a, "rb") as one, open(b, "rb") as other:
        return one.read() == other.read()


def active_lines(build, header_path):
    """The numbers of the lines of mpx.h that a build compiles."""
    if build in OWN:
        source, flags = "tests/test_dtypes.c", BUILDS[build][1:]
    else:
        source, flags = os.path.join(WORK, "base", "impl.c"), BUILDS[build][1:]
    text = subprocess.run(["gcc", "-E", "-std=c99", *flags, "-I" + os.path.dirname(header_path), source], cwd=ROOT,
                          stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    active, here, number = set(), False, 0
    for line in text.split("\n"):
        marker = re.match(r'# (\d+) "(.*?)"', line)
        if marker:
            number, here = int(marker.group(1)), marker.group(2).endswith("mpx.h")
        else:
            if here and line.strip():
                active.add(number)
            number += 1
    return active


def is_macro(lines, number):
    return lines[number].lstrip().startswith("#") or lines[number - 1].endswith("\\")


class Tester:
    """The tests of one room: the mutants are run against them."""

    def __init__(self, base, room, lines):
        self.base, self.room, self.header = base, room, lines
        self.steps, self.active = [], {}
        for build, test in TESTS[room]:
            if build == "tcc" and not shutil.which("tcc"):
                build = "gcc"
            if not cpu_has(build):
                continue
            if build not in self.active:
                self.active[build] = active_lines(build, os.path.join(base.folder, "mpx.h"))
            self.steps.append((build, test))

    def limit(self, build, test):
        """CPU seconds that a test may take: four times what it takes without a mutant, which must pass."""
        with LOCK:
            if (build, test) not in SECONDS:
                if not self.base.compile(build, test.split()[0] if build in OWN else None):
                    sys.exit(f"mutate: {self.room}: {build}:{test}: the header does not compile")
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                if self.run(self.base, build, test, 300):
                    sys.exit(f"mutate: {self.room}: {build}:{test} fails without any mutant")
                SECONDS[build, test] = 4 * int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before) + 4
        return SECONDS[build, test]

    def run(self, place, build, test, seconds):
        name, *arguments = test.split()
        program = os.path.join(place.folder, "test")
        own = build in OWN
        objects = [place.compile(build, name)] if own else [self.object_of(name, build), place.compile(build)]
        if own and name == "inline":
            objects.append(place.compile("tcc"))
        if None in objects:
            return -1
        libraries = [LIBTCC] * os.path.exists(LIBTCC) + ["-lm", "-lpthread", "-Wl,-z,noexecstack"]
        asan = SANITIZE[:1] * build.startswith("asan")
        if execute(["gcc", *objects, *libraries, *asan, "-o", program]):
            return 1
        command = [program, *arguments]
        if name == "pattern_lines":
            command = [sys.executable, "tests/test_pattern.py", program, "--count", "400"]
        return execute(command, seconds, resource.RLIM_INFINITY if asan else MEMORY_BYTES)

    def object_of(self, name, build):
        source = f"tests/{name}.c" if name == "pattern_lines" else f"tests/test_{name}.c"
        flags = [flag for flag in BUILDS[build] if flag in CASTS or flag == "-DMPX_DISPATCH=1"]
        out = os.path.join(WORK, f"{name}{'-casts' * (CASTS[0] in flags)}{'-dispatch' * (build == 'dispatch')}.o")
        if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(os.path.join(ROOT, source)):
            command = ["gcc", "-std=c99", "-w", "-O1", "-DTEST_STOP", *flags, "-I.", "-Itests", "-c", source, "-o", out]
            subprocess.run(command, cwd=ROOT, check=True)
        return out

    def judge(self, mutant, slot):
        """killed (and by which test), "no compile", "not here", "same code" or "survived"."""
        number, at, before, after = mutant
        line = self.header[number]
        lines = list(self.header)
        lines[number] = line[:at] + after + line[at + len(before):]
        place = Place(f"slot{slot}", "\n".join(lines))
        define = is_macro(self.header, number)
        compiled = set()
        for build, test in self.steps:
            if not define and number + 1 not in self.active[build]:
                continue
            own = test.split()[0] if build in OWN else None
            made = place.compile(build, own)
            if made is None:
                return "no compile", build
            self.limit(build, test)
            if same_file(made, self.base.compile(build, own)):
                continue
            compiled.add(build)
            if self.run(place, build, test, self.limit(build, test)):
                return "killed", f"{build}:{test}"
        for build in compiled:
            build = "gcc" if build == "tcc" else build
            own = next((test.split()[0] for b, test in self.steps if b == build and b in OWN), None)
            made = place.compile(build, own, ("-O2",))
            if not made or not same_file(made, self.base.compile(build, own, ("-O2",))):
                return "survived", ""
        return ("same code" if compiled or not define else "not here"), ""


def cpu_has(build):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = set(re.findall(r"\w+", file.read()))
    return {"avx2": {"avx2", "fma"}, "avx512": AVX512_NEEDS, "stream": AVX512_NEEDS, "asan-avx512": AVX512_NEEDS,
            "amx": {"amx_bf16"}}.get(build.rstrip("+"), set()) <= flags


def listed():
    """{(room, line, line of the mutant): reason}"""
    with open(LIST, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return {tuple(row[:3]): row[3] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=30, help="how many in each room; 0: all")
    parser.add_argument("--room", nargs="*", default=[], help="files of src/; none: all that have tests here")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--say", action="store_true", help="say of every mutant what killed it")
    args = parser.parse_args()
    with open(os.path.join(ROOT, "mpx.h"), encoding="ascii") as file:
        header = file.read()
    base, known, lines = Place("base", header), listed(), header.split("\n")
    slots, rows, wrong = queue.Queue(), [], 0
    for slot in range(args.jobs):
        slots.put(slot)
    for room in args.room or TESTS:
        with open(os.path.join(ROOT, "src", room), encoding="ascii") as file:
            text = file.read()
        first = header[:header.index(text)].count("\n")
        tester = Tester(base, room, lines)
        active = set().union(*tester.active.values())
        found = [(first + n, *rest) for n, *rest in mutants_of(text)
                 if first + n + 1 in active or is_macro(lines, first + n)]
        possible = len(found)
        random.Random(f"{args.seed} {room}").shuffle(found)
        found = found[:args.mutants or None]
        counts = dict.fromkeys(("killed", "survived", "listed", "same code", "no compile", "not here"), 0)

        def judge(mutant, tester=tester):
            slot = slots.get()
            try:
                return mutant, *tester.judge(mutant, slot)
            finally:
                slots.put(slot)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for mutant, verdict, by in pool.map(judge, found):
                number, at, before, after = mutant
                line = lines[number]
                mutated = (line[:at] + after + line[at + len(before):]).strip()
                if verdict == "survived" and (room, line.strip(), mutated) in known:
                    verdict = "listed"
                counts[verdict] += 1
                if verdict == "survived" or args.say:
                    print(f"{verdict} {by}\t{room}:{number - first + 1}\n    {line.strip()}\n    {mutated}", flush=True)
                elif sys.stderr.isatty():
                    print(f"\r{room}: {sum(counts.values())} of {len(found)} ", end="", file=sys.stderr)
        rows.append((room, possible, counts))
        wrong += counts["survived"]
        print(row_text(*rows[-1]), flush=True)
    if len(rows) > 1:
        total = {key: sum(row[2][key] for row in rows) for key in rows[0][2]}
        print("\n" + "\n".join(row_text(*row) for row in [*rows, ("all", sum(row[1] for row in rows), total)]))
    killed = sum(row[2]["killed"] for row in rows)
    tried = killed + wrong + sum(row[2]["listed"] for row in rows)
    print(f"mutate: {killed} of {tried} killed, {wrong} survived that tests/mutants.tsv does not list")
    return wrong != 0


def row_text(room, possible, counts):
    lived = counts["survived"] + counts["listed"]
    tried = counts["killed"] + lived
    share = 100 * counts["killed"] / tried if tried else 100
    return (f"{room:22s} {tried:4d} of {possible:5d}: {counts['killed']:4d} killed, {lived:2d} survived "
            f"({counts['listed']} listed), {share:5.1f} %; same code {counts['same code']}, "
            f"not compiled {counts['no compile'] + counts['not here']}")


if __name__ == "__main__":
    sys.exit(main())
