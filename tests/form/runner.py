"""What the checks of tests/form.py stand on: the compilers of this machine, commands run two at a time, the count."""
import concurrent.futures
import itertools
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS = [("c", "gcc"), ("c++", "g++"), ("c", "tcc")]
COMPILERS += [pair for v in ("", "-14", "-16", "-19", "-22") for pair in (("c", "clang" + v), ("c++", "clang++" + v))]
STANDARDS = {"c": ["c99", "c11", "c17", "c2x"], "c++": ["c++11", "c++14", "c++17", "c++20", "c++2b"]}
WARNINGS = shlex.split("-Werror -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align "
                       "-Wdouble-promotion -Wundef")
X86_VECTORS = [shlex.split("-mavx2 -mf16c -mfma"), shlex.split("-mavx512f -mavx512bw -mavx512vl -mavx512dq "
               "-mavx512bf16 -mavx512vbmi -mavx512vbmi2 -mgfni -mamx-tile -mamx-bf16")]
LIMIT_SECONDS = 3600  # what hangs is a failure; a busy machine is none
C_WARNINGS = ["-Wstrict-prototypes", "-Wmissing-prototypes"]


class Bad(Exception):
    """One thing that is not as it must be; the text says what, with the command to see it again."""


class Skip(Exception):
    """A check that cannot run here; the text says why."""


def require(fine, message):
    if not fine:
        raise Bad(message)


def cpu_seconds():
    """What this process and the commands that ended have used: it does not depend on what else the machine does."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Compiler:
    """A command, what it is (family, label), and the flags it understands."""

    def __init__(self, command, language):
        self.command, self.language = shlex.split(command), language
        text = subprocess.run(self.command + ["-v"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        self.family = next((name for name in ("clang", "tcc") if name + " version" in text), "gcc")
        version = re.search(r"version (0\.\d+|\d+)", text)
        self.label = f"{self.family} {version.group(1) if version else '?'}"
        self.version = float(version.group(1)) if version else 0.0
        self.prefix = self.command[0][:-3] if self.command[0].endswith("-gcc") else ""  # of nm and size
        self.select = ["-x", "c++"] if language == "c++" else []
        self.warnings = WARNINGS + C_WARNINGS if language == "c" else WARNINGS
        self.standards = STANDARDS[language]
        self.syntax, self.first_error = ["-fsyntax-only"], ["-fsyntax-only", "-Wfatal-errors"]
        if self.family == "tcc":  # takes every -std and knows none; it makes code faster than others read
            self.warnings, self.standards = ["-Wall", "-Werror"], ["c99"]
            self.syntax, self.first_error = [], []
        self.strict = [*self.warnings, "-std=" + self.standards[0]]
        self.vectors = X86_VECTORS if re.search(r"Target: (x86_64|i.86)", text) and self.family != "tcc" else []


class Form:
    """The settings, what was found on this machine, and the count of what was done."""

    def __init__(self, header, quick, temp):
        self.quick, self.temp, self.numbers = quick, temp, itertools.count()
        folder = os.path.abspath(header)
        self.header = os.path.relpath(folder, ROOT) if (folder + os.sep).startswith(ROOT + os.sep) else folder
        self.passed, self.failed, self.skipped, self.origin = 0, 0, [], {}
        self.built, self.lock = {}, threading.Lock()
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.compilers = self.find_compilers()
        self.gnu = [cc for cc in self.compilers if cc.family != "tcc"]
        self.newest = [cc for cc in self.gnu if cc is self.one(cc.family, cc.language)]

    def find_compilers(self):
        chosen = [("c", os.environ.get("CC", "cc" if self.quick else "")),
                  ("c++", os.environ.get("CXX", "c++" if self.quick else ""))]
        found = {}
        for language, command in [pair for pair in chosen if pair[1]] + ([] if self.quick else COMPILERS):
            if shutil.which(shlex.split(command)[0]):
                compiler = Compiler(command, language)
                found.setdefault((compiler.label, language), compiler)
            else:
                self.skipped.append(f"{command}: not installed")
        return list(found.values())

    def one(self, family, language="c"):
        """The newest compiler of a family, or Skip."""
        fitting = [cc for cc in self.compilers if cc.family == family and cc.language == language]
        if not fitting:
            raise Skip(f"no {family} for {language}")
        return max(fitting, key=lambda cc: cc.version)

    def some(self, standards):
        """All standards, or the first and the last if quick."""
        return [standards[0], *standards[1:][-1:]] if self.quick else standards

    def sample(self, cases, count):
        """All cases, or so many if quick: the same ones for the same mpx.h, others as it changes."""
        if not self.quick or count >= len(cases):
            return cases
        with open(os.path.join(ROOT, self.header, "mpx.h"), "rb") as file:
            draw = random.Random(file.read())
        return [cases[index] for index in sorted(draw.sample(range(len(cases)), count))]

    def run(self, argv, refusal=None):
        """Run a command in the repository and return what it printed. It must succeed without a word on stderr; with
        `refusal`, a list of texts, it must fail and say them all."""
        try:
            result = subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    errors="replace", timeout=LIMIT_SECONDS, env={**os.environ, "LC_ALL": "C"})
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Bad(f"{shlex.join(argv)}\n{error}") from None
        if refusal is None:
            wrong = "" if result.returncode == 0 and not result.stderr else f"exit code {result.returncode}"
        elif result.returncode == 0:
            wrong = "was accepted"
        else:
            wrong = "".join(f"does not say {text!r} " for text in refusal if text not in result.stderr)
        if wrong:
            lines = "\n".join((result.stderr or result.stdout).splitlines()[:8])
            raise Bad(f"{shlex.join(argv).replace(self.temp, '/tmp')}\n{wrong}\n{lines}".rstrip())
        return result.stdout

    def file(self, suffix, text=None):
        """A new path in the temporary folder; with `text`, a file that holds it."""
        path = os.path.join(self.temp, f"{next(self.numbers)}{suffix}")
        if text is not None:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        return path

    def command(self, cc, source, *flags):
        return [*cc.command, *flags, "-I" + self.header, *cc.select, "tests/form/" + source]

    def build(self, cc, source, *flags, refusal=None):
        """Compile tests/form/<source>; returns the object file, which -fsyntax-only does not write. What was compiled
        in the same way before is not compiled again."""
        command = self.command(cc, source, *flags)
        with self.lock:
            is_new = shlex.join(command) not in self.built
            future = self.built.setdefault(shlex.join(command), concurrent.futures.Future())
        if is_new:
            output = self.file(".o")
            self.origin[output] = shlex.join(command)
            to_object = [] if "-fsyntax-only" in flags else ["-c", "-o", output]
            try:
                self.run([*command, *to_object], refusal)
                future.set_result(output)
            except Bad as bad:
                future.set_exception(bad)
        return future.result()

    def program(self, cc, *objects):
        """Link and run: the program's exit code must be 0."""
        output = self.file(".exe")
        self.run([*cc.command, *objects, "-o", output])
        try:
            self.run([output])
        except Bad as bad:
            raise Bad("\n".join([*(self.origin.get(part, part) for part in objects), str(bad)])) from None

    def symbols(self, cc, target, *flags):
        """(type, name) of each symbol, without Mach-O's leading underscore."""
        lines = [line.split() for line in self.run([cc.prefix + "nm", *flags, target]).splitlines()]
        return [(line[-2], line[-1][1:] if sys.platform == "darwin" else line[-1]) for line in lines if len(line) > 1]

    def all(self, job, cases):
        """job(*case) for every case, two at a time. Returns the results of those that went well."""
        def guarded(case):
            try:
                return job(*case)
            except Bad as bad:
                return bad
        results = list(self.pool.map(guarded, cases))
        self.wrong += [str(result) for result in results if isinstance(result, Bad)]
        self.done += len(results)
        return [result for result in results if not isinstance(result, Bad)]

    def expect(self, fine, message):
        self.all(require, [(fine, message)])

    def check(self, name, function):
        """Run one check and print its line, then its failures."""
        self.wrong, self.done, start = [], 0, cpu_seconds()
        try:
            note = function(self)
        except Skip as skip:
            self.skipped.append(f"{name}: {skip}")
            return
        except Bad as bad:
            self.wrong, self.done, note = [*self.wrong, str(bad)], self.done + 1, "stopped here"
        self.passed += self.done - len(self.wrong)
        self.failed += len(self.wrong)
        count = f"{len(self.wrong)} of {self.done} failed" if self.wrong else f"{self.done} passed"
        note, *table = note.split("\n")
        print(f"{'FAIL' if self.wrong else 'ok  '} {name}: {note}: {count} ({cpu_seconds() - start:.1f} CPU s)")
        different = list(dict.fromkeys(self.wrong))
        for text in table + different[:3] + ([f"and {len(different) - 3} more"] if len(different) > 3 else []):
            print("       " + text.replace("\n", "\n         "))
        sys.stdout.flush()
