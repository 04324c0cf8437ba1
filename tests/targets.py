#!/usr/bin/env python3
"""The same bits everywhere: the tests, compiled for other machines and run by their emulators.

For each target the header is compiled once, without a warning, and linked with the same tests/test_*.c; they check the
same recorded hashes (tests/golden/cast_hashes.tsv). A target whose compiler, C library or emulator is not there is a
counted skip. Ends with the list of the targets that ran and `N ran, N skipped, N failed`.

    targets.py                  those that CI runs
    targets.py --everywhere     all, and every floating-point environment that each has
    targets.py --only WORD      those whose name contains the word
    targets.py --floor N        fail if fewer than N ran
    targets.py --list           names, compilers and emulators; runs nothing
    targets.py --markdown       the table of docs/building.md, which a run of all targets expects there
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join("build", "targets")  # commands run in ROOT
LIMIT_SECONDS = 7200  # what hangs is a failure; a busy machine is none
WINE_SECONDS = 5  # then its server has ended
SKIP = 77
CHECKED = re.compile(r"\[(\w+)\]: (\d+) checks, (\d+) failed")
COMMON = "-std=c99 -O2 -I."
WARNINGS = ("-Werror -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wdouble-promotion "
            "-Wundef")
# test_cast, test_align: what test_hashes does not do. K: of four parts of the test (pairs of dtypes, rounding modes) each
# target takes one, the next target the next one.
TESTS = ["hashes", "golden", "policy", "tree", "loss_scale --quick", "promote", "vertex", "flags", "fpenv --quick K",
         "align --quick K", "cast --quick K"]
# Of the targets whose code another one has too: scalar, little-endian, 64 bits (tcc) and 32 bits (i686-x87).
SHORT_TESTS = ["hashes", "golden", "policy", "tree", "loss_scale --quick", "promote", "vertex", "flags"]
FEWER_TESTS = ["hashes", "golden", "policy", "tree", "loss_scale", "promote", "fpenv --quick K", "cast --quick K"]
MORE_TESTS = ["hashes --modes", "golden", "policy", "tree", "loss_scale", "promote", "vertex", "flags", "fpenv",
              "align --quick", "cast --quick", "amax", "interop", "amp", "keras", "scaled_grad", "policy_map",
              "quant --quick", "float8", "dot --quick", "matmul --quick", "rows", "optimizer", "amp_run", "files"]
ZIG_PYTHON = os.path.join("build", "venv-zig", "bin", "python")
ZIG = "env ZIG_GLOBAL_CACHE_DIR={root}/build/zig " + ZIG_PYTHON + " -m ziglang cc"
CLANG22_PYTHON = os.path.join("build", "venv-clang22", "bin", "python")  # whose code for LoongArch old emulators refuse
CLANG22 = ZIG.replace(ZIG_PYTHON, CLANG22_PYTHON) + " -target x86_64-linux-musl"
WASMTIME_PYTHON = os.path.join("build", "venv-wasmtime", "bin", "python")
PACKAGES = {ZIG_PYTHON: "ziglang==0.15.2", CLANG22_PYTHON: "ziglang==0.17.1", WASMTIME_PYTHON: "wasmtime==50.0.1"}

Target = collections.namedtuple("Target", "name machine compile run isa tests everywhere short")


def target(name, machine, compile, run="", isa="", tests=None, everywhere=False, short=False):
    """isa: what mpx_isa() must say, if that is known; tests: others than TESTS; short: SHORT_TESTS, but not everywhere."""
    return Target(name, machine, compile, run, isa, tests, everywhere, short)


def elsewhere(*arguments, **more):
    """A target of --everywhere alone."""
    return target(*arguments, everywhere=True, **more)


CLANG = "clang-19 -Wno-unused-command-line-argument -fuse-ld=lld -static --target="
AARCH64 = "aarch64-linux-gnu-gcc -static"
ARM = "arm-linux-gnueabihf-gcc -static -march=armv7-a"
WASI = ("clang-19 --target=wasm32-wasi --sysroot=/usr -I/usr/include/wasm32-wasi -L/usr/lib/wasm32-wasi "
        "-Wno-unused-command-line-argument -fuse-ld=lld -Wl,-z,stack-size=1048576 "
        "-D_WASI_EMULATED_PROCESS_CLOCKS -lwasi-emulated-process-clocks")
NODE = "node --no-warnings tests/wasi.mjs"
MINGW = "x86_64-w64-mingw32-gcc"
WINE = ("env WINEDEBUG=-all WINEDLLOVERRIDES=winemenubuilder.exe=d WINEPREFIX={root}/build/targets/wine "
        "/usr/lib/wine/wine64")
SVE = "aarch64-linux-gnu -march=armv8.2-a+sve"
RVV = "riscv64-linux-gnu -march=rv64gcv"
# What stands in docs/building.md beside the targets: state, machines.
RUN_NATIVE = "x86-64: scalar, SSE2, AVX2, AVX-512, gcc 12 and clang 19"
RUN_BOARDS = "Cortex-M0, M0+, M3, M4F, M7, M33, M55 (`make test-boards`)"
COMPILED = ("clang 16; clang's front ends for MSVC (x86-64, i686, AArch64) and Apple (arm64), C and C++; Cortex-M0+; "
            "C99 to C23, C++11 to C++23")
UNTESTED = "MSVC itself, Apple's own SDK, GPUs, real boards, compilers not named here"
VALGRIND = "valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite"
# The slow ones first: two run at a time.
TARGETS = [
    target("aarch64-max", "AArch64, FP16 and BF16", AARCH64 + " -march=armv8.6-a+fp16+bf16", "qemu-aarch64-static -cpu max",
           isa="neon"),
    target("armv7-neon", "ARMv7, NEON", ARM + " -mfpu=neon", "qemu-arm-static", isa="neon"),
    target("aarch64", "AArch64", AARCH64, "qemu-aarch64-static -cpu cortex-a53", isa="neon"),
    target("armv7", "ARMv7, no NEON", ARM + " -mfpu=vfpv3-d16 -O1", "qemu-arm-static", isa="scalar", short=True),
    target("s390x", "s390x, big-endian", "s390x-linux-gnu-gcc -static", "qemu-s390x-static", isa="scalar"),
    target("riscv64", "riscv64", "riscv64-linux-gnu-gcc -static", "qemu-riscv64-static", isa="scalar", short=True),
    target("ppc64le", "ppc64le, VSX", "powerpc64le-linux-gnu-gcc -mcpu=power8 -static", "qemu-ppc64le-static",
           isa="scalar", short=True),
    target("win64-avx2", "Windows x64, AVX2", MINGW + " -mavx2 -mf16c -mfma", WINE, isa="avx2"),
    target("win64-sse2", "Windows x64, SSE2", MINGW, WINE, isa="sse2"),
    target("wasm-simd", "wasm32 WASI, SIMD128", WASI + " -msimd128", NODE, isa="wasm"),
    target("wasm", "wasm32 WASI", WASI, NODE, isa="scalar"),
    target("i686-sse2", "i686, SSE2", "gcc -m32 -march=i686 -msse2 -mfpmath=sse", isa="sse2"),
    target("i686-x87", "i686, x87", "gcc -m32 -march=i686 -mno-sse -mfpmath=387", isa="scalar"),
    target("tcc", "x86-64, tcc", "tcc", isa="scalar", tests=FEWER_TESTS),
    elsewhere("powerpc", "powerpc, 32 bits, big-endian", "powerpc-linux-gnu-gcc -static", "qemu-ppc-static"),
    elsewhere("mips", "mips, 32 bits, big-endian", "mips-linux-gnu-gcc -static", "qemu-mips-static"),
    elsewhere("aarch64-clang", "AArch64, clang", CLANG + "aarch64-linux-gnu", "qemu-aarch64-static -cpu cortex-a53"),
    elsewhere("aarch64-a76", "AArch64, FP16, no BF16", AARCH64 + " -march=armv8.2-a+fp16",
              "qemu-aarch64-static -cpu cortex-a76"),
    elsewhere("aarch64-ofast", "AArch64, FP16 and BF16, clang -Ofast",
              CLANG + "aarch64-linux-gnu -march=armv8.6-a+fp16+bf16 -Ofast -Wno-deprecated",
              "qemu-aarch64-static -cpu max"),
    *(elsewhere(f"aarch64-sve{bits}", "AArch64, SVE flags and three lengths, clang", CLANG + SVE,
                f"qemu-aarch64-static -cpu max,sve-default-vector-length={bits // 8}") for bits in (128, 256, 512)),
    *(elsewhere(f"riscv64-v{bits}", "riscv64, V flags and three lengths, clang", CLANG + RVV,
                f"qemu-riscv64-static -cpu rv64,v=true,vlen={bits}") for bits in (128, 256, 512)),
    elsewhere("riscv64-rvv", "riscv64, V of 128 bits", CLANG + RVV + " -mrvv-vector-bits=zvl",
              "qemu-riscv64-static -cpu rv64,v=true,vlen=128", isa="rvv"),
    elsewhere("armv7-f16", "ARMv7, NEON with f16 conversions", ARM + " -mfpu=neon-vfpv4 -mfp16-format=ieee",
              "qemu-arm-static -cpu cortex-a15"),
    elsewhere("armv7-clang", "ARMv7, NEON, clang", CLANG + "arm-linux-gnueabihf -march=armv7-a -mfpu=neon",
              "qemu-arm-static"),
    elsewhere("ppc64le-power9", "ppc64le, POWER9, clang", CLANG + "powerpc64le-linux-gnu -mcpu=power9",
              "qemu-ppc64le-static -cpu power9"),
    elsewhere("wasm-relaxed", "wasm32 WASI, relaxed SIMD", WASI + " -msimd128 -mrelaxed-simd", NODE),
    elsewhere("wasm-one-nan", "wasm32 WASI, SIMD128, a machine with one NaN", WASI + " -msimd128",
              WASMTIME_PYTHON + " tests/wasmtime_canonical.py", isa="wasm"),
    elsewhere("i486", "i486, x87, -O0", "gcc -m32 -march=i486 -mfpmath=387 -O0"),
    elsewhere("i686-clang", "i686, x87, clang", "clang-19 -m32 -march=i686 -mno-sse"),
    elsewhere("valgrind-avx2", "x86-64 under valgrind", "gcc -g -mavx2 -mf16c -mfma", VALGRIND, isa="avx2",
              tests=["golden", "tree", "loss_scale", "policy", "hashes", "align --quick"]),
    elsewhere("clang22-sse2", "x86-64, SSE2, clang 22", CLANG22, isa="sse2"),
    elsewhere("clang22-avx2", "x86-64, AVX2, clang 22", CLANG22 + " -mavx2 -mf16c -mfma", isa="avx2"),
    elsewhere("clang22-dispatch", "x86-64, MPX_DISPATCH, clang 22", CLANG22 + " -DMPX_DISPATCH=1"),
    elsewhere("aarch64_be", "AArch64, big-endian", ZIG + " -target aarch64_be-linux-musl", "qemu-aarch64_be-static"),
    elsewhere("armeb", "Arm, big-endian", ZIG + " -target armeb-linux-musleabi", "qemu-armeb-static"),
    elsewhere("riscv32", "riscv32", ZIG + " -target riscv32-linux-musl", "qemu-riscv32-static"),
    elsewhere("loongarch64", "loongarch64", ZIG + " -target loongarch64-linux-musl", "qemu-loongarch64-static"),
]


class Skipped(Exception):
    """Why a target cannot run on this machine."""


class Failed(Exception):
    """What is wrong with one."""


def command(text):
    return shlex.split(text.replace("{root}", ROOT))


def run_timed(argv, limit=LIMIT_SECONDS):
    """(exit code, all that it printed, CPU seconds of the command and of what it started)"""
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(argv, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        timer = threading.Timer(limit, process.kill)
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        if not timer.is_alive():
            return 124, f"took more than {limit} s", 0.0
        timer.cancel()
        file.seek(0)
        output = file.read().decode(errors="replace").strip()
    return process.returncode, output, usage.ru_utime + usage.ru_stime


def run(argv, limit=LIMIT_SECONDS):
    """(exit code, all that it printed)"""
    return run_timed(argv, limit)[:2]


def must(argv):
    """The CPU seconds of a command that must succeed."""
    code, output, seconds = run_timed(argv)
    if code != 0:
        raise Failed(f"{shlex.join(argv)}\nexit code {code}\n" + "\n".join(output.splitlines()[-12:]))
    return seconds


# ---- one target ------------------------------------------------------------------------------------------------------

setting_up = threading.Lock()  # a Wine prefix, a venv: once


def need_package(python):
    """A compiler with the C libraries of many machines, or a machine, from its package."""
    package = PACKAGES[python]
    if os.path.exists(os.path.join(ROOT, python)) and run([python, "-c", f"import {package.split('==')[0]}"])[0] == 0:
        return
    code, output = run([sys.executable, "-m", "venv", os.path.dirname(os.path.dirname(python))])
    if code == 0:
        code, output = run([python, "-m", "pip", "install", "--quiet", package])
    if code != 0:
        raise Skipped(f"cannot install {package}: {(output or '?').splitlines()[-1][:100]}")


def need_tools(t):
    """Compiler, C library and emulator are there: a program that does nothing runs."""
    for line in filter(None, (t.compile, t.run)):
        words = [word for word in command(line) if word != "env" and "=" not in word]
        if words[0] in PACKAGES:
            need_package(words[0])
        elif not shutil.which(words[0]):
            raise Skipped(f"{os.path.basename(words[0])} is not installed")
    source = os.path.join(ROOT, BUILD, t.name, "nothing.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <stdio.h>\nint main(void) { return printf(\"ran\\n\") != 4; }\n")
    program = os.path.join(BUILD, t.name, "nothing" + suffix(t))
    code, output = run([*command(t.compile), os.path.relpath(source, ROOT), "-o", program])
    if code == 0:
        code, output = run([*command(t.run), program], 600)
    if code != 0:
        lines = [line for line in output.splitlines() if "error" in line or "cannot" in line] or output.splitlines()
        raise Skipped(f"cannot make and run a program that does nothing: {(lines or [f'exit code {code}'])[0][:110]}")


def suffix(t):
    return ".exe" if "mingw" in t.compile else ".wasm" if "wasm" in t.compile else ""


def tests_of(t, everywhere):
    part = "" if everywhere else f" {[other.name for other in TARGETS].index(t.name) % 4}"
    tests = MORE_TESTS if everywhere else SHORT_TESTS if t.short else TESTS
    return [line.replace(" K", part) for line in t.tests or tests]


def compile_header(t, everywhere):
    """With compute and files where their tests run. A target's own -O comes after that of COMMON, which tests keep."""
    impl, mpx = (os.path.join(BUILD, t.name, name) for name in ("impl.c", "mpx.o"))
    with open(os.path.join(ROOT, impl), "w", encoding="ascii") as file:
        file.write(f"#define MPX_COMPUTE {int(everywhere)}\n#define MPX_FILES {int(everywhere)}\n#define MPX_IMPLEMENTATION\n#include \"mpx.h\"\n")
    warnings = "-Wall -Werror" if t.compile.startswith("tcc") else WARNINGS
    own = re.findall(r" (-O\w+)", t.compile)
    return mpx, must([*command(t.compile), *command(COMMON), *own, *command(warnings), "-c", impl, "-o", mpx])


def ended_by_wine(t, code, output):
    """It happens: before the test says what it checked, or in Linux's loader after the test ended. A test of ours
    that fails says what it checked, and one that crashes ends with another code."""
    silent = code in (0, 1) and not CHECKED.search(output)
    return t.run == WINE and (silent or code == 127 and "Inconsistency detected by ld.so" in output)


def run_test(t, mpx, line):
    """(exit code, what it printed, CPU seconds); raises Failed; prints nothing."""
    name, *arguments = line.split()
    program = os.path.join(BUILD, t.name, "test_" + name + suffix(t))
    compiling = must([*command(t.compile), *command(COMMON), f"tests/test_{name}.c", mpx, "-lm", "-o", program])
    argv = [*command(t.run), program, *arguments]
    code, output, seconds = run_timed(argv)
    if ended_by_wine(t, code, output):
        time.sleep(WINE_SECONDS)
        first, (code, output) = code, run(argv)
        output += f"\nAGAIN test_{name}: Wine ended it with code {first}"
    if code not in (0, SKIP):
        raise Failed(f"{shlex.join(argv)}\nexit code {code}\n" + "\n".join(output.splitlines()[-12:]))
    said = CHECKED.search(output)
    if code == 0 and (not said or said.group(3) != "0"):
        raise Failed(f"{shlex.join(argv)}\ndid not say what it checked")
    if code == 0 and t.isa and said.group(1) != t.isa:
        raise Failed(f"{shlex.join(argv)}\nmpx_isa() is \"{said.group(1)}\", not \"{t.isa}\"")
    return code, output, compiling + seconds


def run_target(t, everywhere):
    """Returns (word, line for the list, failures)."""
    times, failures, skips, again = {}, [], [], []
    isa, recorded, checks, passed = "?", "", 0, 0
    try:
        os.makedirs(os.path.join(ROOT, BUILD, t.name), exist_ok=True)
        with setting_up:
            need_tools(t)
        mpx, times["mpx.h"] = compile_header(t, everywhere)
        for line in tests_of(t, everywhere):
            if line == "keras" and suffix(t):
                skips.append(("test_keras", "it needs pthread.h"))
                continue
            try:
                code, output, times[line.split()[0]] = run_test(t, mpx, line)
            except Failed as failed:
                failures.append(str(failed))
                continue
            skips += re.findall(r"^SKIP (.*): (.*)$", output, re.MULTILINE)
            again += re.findall(r"^AGAIN (.*)$", output, re.MULTILINE)
            for isa, count, _ in CHECKED.findall(output):
                checks += int(count)
            for recorded in re.findall(r"hash of the recorded hashes: (\w+)", output):
                pass
            passed += code == 0
    except Skipped as skipped:
        return "SKIP", f"{t.name}: {skipped}", []
    except Failed as failed:
        failures.append(str(failed))
    longest = ", ".join(f"{name} {times[name]:.0f}" for name in sorted(times, key=times.get)[:-5:-1])
    line = f"{t.name}: {t.machine} [{isa}]: {passed} tests, {checks} checks, casts {recorded or 'not hashed'} " \
           f"({sum(times.values()):.0f} CPU s: {longest})"
    return "FAIL" if failures else "ok", line, failures + by_reason(skips) + [f"run again: {what}" for what in again]


def by_reason(skips):
    """One line for all that was left out for the same reason."""
    reasons = {}
    for what, why in dict.fromkeys(skips):
        reasons.setdefault(why, []).append(what)
    return [f"skip {'; '.join(what)}: {why}" for why, what in reasons.items()]


def run_all(targets, everywhere, jobs):
    """The exit code's facts: (ran, skipped, failed)."""
    count = collections.Counter()
    lines = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_target, t, everywhere) for t in targets]):
            word, line, more = future.result()
            print(f"{word:4} {line}")
            for text in more:
                print("       " + text.replace("\n", "\n         "))
            sys.stdout.flush()
            count[word] += 1
            lines.append((word, line))
    print("---- targets that ran")
    for word, line in sorted(lines):
        if word != "SKIP":
            print(f"{word:4} {line}")
    return count["ok"] + count["FAIL"], count["SKIP"], count["FAIL"]


def markdown():
    """The table of targets in docs/building.md."""
    groups = [("tests run in CI", [RUN_NATIVE, *(t.machine for t in TARGETS if not t.everywhere), RUN_BOARDS]),
              ("tests that `make test-everywhere` adds", [t.machine for t in TARGETS if t.everywhere]),
              ("compiled in CI", [COMPILED]), ("not tested", [UNTESTED])]
    return "| state | targets |\n|---|---|\n" + "".join(
        f"| {state} | {'; '.join(dict.fromkeys(machines))} |\n" for state, machines in groups)


def page_has_the_table():
    with open(os.path.join(ROOT, "docs", "building.md"), encoding="utf-8") as file:
        return markdown() in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--everywhere", action="store_true", help="all targets, all floating-point environments")
    parser.add_argument("--only", default="", help="targets whose name contains this")
    parser.add_argument("--floor", type=int, default=1, help="fail if fewer ran")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    if args.markdown:
        print(markdown(), end="")
        return 0
    targets = [t for t in TARGETS if args.only in t.name and (args.everywhere or args.only or not t.everywhere)]
    if args.list:
        for t in targets:
            print(f"{t.name:16} {t.compile}  |  {t.run or 'native'}")
        return 0
    ran, skipped, failed = run_all(targets, args.everywhere, args.jobs)
    if not args.only and not page_has_the_table():
        print("FAIL docs/building.md: its table of targets is not what --markdown prints")
        failed += 1
    if ran < args.floor:
        print(f"FAIL only {ran} targets ran, at least {args.floor} must")
    print(f"{ran} ran, {skipped} skipped, {failed} failed")
    return failed != 0 or ran < args.floor


if __name__ == "__main__":
    sys.exit(main())
