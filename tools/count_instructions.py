#!/usr/bin/env python3
"""Count the instructions per element of casts: those of the hot loop, from the disassembly.

Compiles the header for each machine whose compiler is installed, and again as plain C (MPX_ISA_SCALAR, compilers' own
vectorising off). The loop of a kernel is the one with the most instructions; counted is the way through it that calls
nothing (blocks with a NaN, say, go elsewhere by a call): the shortest, and the longest where that differs. A pair
without a kernel, which the exact codec casts, is "-". Prints a table in Markdown; --show TARGET prints the loops of that
target instead. Of WebAssembly, local.get, .set, .tee and the structure are not counted.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGETS = {  # name: (compilers, the first one found; flags)
    "AArch64": (["aarch64-linux-gnu-gcc", "clang-19 --target=aarch64-linux-gnu"], []),
    "AArch64, clang": (["clang-19 --target=aarch64-linux-gnu"], []),
    "AArch64 +bf16": (["aarch64-linux-gnu-gcc", "clang-19 --target=aarch64-linux-gnu"], ["-march=armv8.6-a+bf16"]),
    "ARMv7": (["arm-linux-gnueabihf-gcc"], ["-march=armv7-a", "-mfpu=neon"]),
    "WASM": (["clang-19 --target=wasm32"], ["-ffreestanding", "-msimd128"]),
    "SSE2": (["x86_64-linux-gnu-gcc", "clang-19 --target=x86_64-linux-gnu"], []),
    "AVX2": (["x86_64-linux-gnu-gcc", "clang-19 --target=x86_64-linux-gnu"], ["-mavx2", "-mf16c", "-mfma"]),
}
PLAIN_C = ["-DMPX_ISA=MPX_ISA_SCALAR", "-O3"]  # which unrolls its inner loops
GNU_FLAGS = ["-fno-unroll-loops", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-inline-functions",
             "-fno-inline-functions-called-once"]
CLANG_FLAGS = ["-mllvm", "-unroll-runtime=0", "-mllvm", "-unroll-allow-partial=0", "-fno-vectorize",
               "-fno-slp-vectorize", "-finline-hint-functions"]
FLAGS = ["-std=c99", "-O2", "-fno-asynchronous-unwind-tables"]
# Each pair and its kernel; where there are two, the first one that the instruction set has.
PAIRS = {
    "f32_to_f16": ["f32_to_f16"],
    "f16_to_f32": ["f16_to_f32"],
    "f32_to_bf16": ["f32_to_bf16"],
    "bf16_to_f32": ["bf16_to_f32"],
    "f32_to_f8e4m3fn": ["f32_to_e4m3fn"],
    "f8e4m3fn_to_f32": ["f8_to_f32_as_f16", "f8_to_f32", "f8_to_f32_by_lanes"],
}
SOURCE = """
#define MPX_IMPLEMENTATION
#include "mpx.h"
"""

LINE = re.compile(r"^ *([0-9a-f]+):\s+(.*?)\s*$")
SYMBOL = re.compile(r"^[0-9a-f]+ <(\w+)>:")
ADDRESS = re.compile(r"0x([0-9a-f]+)(?: <[^>]*>)?$")
CALL = re.compile(r"^(blr?|blx|call|callq|call_indirect)$")
JUMP = re.compile(r"^(b|jmp|b\.w|b\.n|bal)$")
STOP = re.compile(r"^(ret|retq|br|bx|return|unreachable|udf|pop\s+{.*pc)")
BRANCH = re.compile(r"^(b\.?[a-z]{2}(\.w|\.n)?|j[a-z]+|cbn?z|tbn?z)$")
NOT_COUNTED = re.compile(r"^(local\.(get|set|tee)|block|loop|end|end_function|nop|try|else)\b")


class Missing(Exception):
    """A compiler or disassembler that is not installed."""


def find(names):
    for name in names:
        if shutil.which(name.split()[0]):
            return name.split()
    raise Missing(names[0].split()[0])


def functions(listing):
    """{name: [(address, instruction)]} of the private functions."""
    found, current = {}, None
    for line in listing.splitlines():
        symbol = SYMBOL.match(line)
        if symbol:
            name = symbol.group(1)
            current = found.setdefault(name[5:], []) if name.startswith("mpx__") else None
        elif current is not None and LINE.match(line):
            address, text = LINE.match(line).groups()
            current.append((int(address, 16), re.sub(r"\s+", " ", re.sub(r"\s*(//|@|#(?!-?[\dx])|<).*$", "", text))))
    return found


def successors(code):
    """Of each instruction the indices of those that may follow; None for calls."""
    index = {address: i for i, (address, _) in enumerate(code)}
    after = []
    for i, (_, text) in enumerate(code):
        word, target = text.split(" ")[0], ADDRESS.search(text)
        to = index.get(int(target.group(1), 16)) if target else None
        if CALL.match(word):
            after.append(None)
        elif JUMP.match(word):
            after.append([] if to is None else [to])
        elif STOP.match(text):
            after.append([])
        else:
            branch = [to] if BRANCH.match(word) and to is not None else []
            after.append([i + 1] * (i + 1 < len(code)) + branch)
    return after


def wasm_successors(code):
    """The same where branches name blocks by their depth."""
    ends, open_blocks, inside = {}, [], []
    for i, (_, text) in enumerate(code):
        inside.append(list(open_blocks))
        word = text.split(" ")[0]
        if word in ("block", "loop", "if", "try"):
            open_blocks.append(i)
        elif word == "end" and open_blocks:
            ends[open_blocks.pop()] = i
    after = []
    for i, (_, text) in enumerate(code):
        word, _, rest = text.partition(" ")
        following = [i + 1] * (i + 1 < len(code))
        if word in ("br", "br_if"):
            depth = int(rest.split()[0])
            start = inside[i][-1 - depth] if depth < len(inside[i]) else None
            to = [] if start is None else [start if code[start][1].startswith("loop") else ends[start]]
            after.append(to + (following if word == "br_if" else []))
        elif CALL.match(word):
            after.append(None)
        elif word == "if":
            after.append(following + [ends[i]])
        else:
            after.append([] if STOP.match(text) else following)
    return after


def ways(code, after, header):
    """(shortest, longest) list of instructions from a loop's header back to it, or None. Inner loops are not
    entered: a way goes forward but for its last step."""
    best = {}

    def from_here(i):
        if i not in best:
            options = []
            for to in after[i] or []:
                if to == header:
                    options.append(([i], [i]))
                elif to > i and from_here(to):
                    shortest, longest = from_here(to)
                    options.append(([i] + shortest, [i] + longest))
            count = lambda way: sum(not NOT_COUNTED.match(code[k][1]) for k in way)
            best[i] = options and (min((o[0] for o in options), key=count), max((o[1] for o in options), key=count))
        return best[i]

    sys.setrecursionlimit(20000)
    return from_here(header) or None


def joined(found):
    """Ways that share some instructions, and have others each, are through one loop, which begins in its middle."""
    loops = []
    for way in found:
        for i, other in enumerate(loops):
            mine, theirs = set(way[0]), set(other[0])
            if mine & theirs and mine - theirs and theirs - mine:
                loops[i] = (min(way[0], other[0], key=len), max(way[1], other[1], key=len))
                break
        else:
            loops.append(way)
    return loops


def hot_loop(code, wasm):
    after = wasm_successors(code) if wasm else successors(code)
    headers = sorted({to for i, all_to in enumerate(after) for to in all_to or [] if to <= i})
    found = [way for way in (ways(code, after, header) for header in headers) if way]
    if not found:
        return None
    found = joined(found)
    keep = lambda way: [code[i][1] for i in way if not NOT_COUNTED.match(code[i][1])]
    shortest, longest = max(found, key=lambda way: len(keep(way[0])))
    return keep(shortest), keep(longest)


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    return result.stdout


def count(target, folder, more):
    """{pair: (instructions, elements)} and the name of the instruction set."""
    compilers, flags = TARGETS[target]
    compiler, objdump = find(compilers), find(["llvm-objdump-19", "llvm-objdump"])
    own = CLANG_FLAGS if "clang" in compiler[0] else GNU_FLAGS
    command = compiler + FLAGS + flags + more + own + ["-I" + folder, os.path.join(folder, "count.c")]
    macros = run(command + ["-E", "-dM"])
    isa = re.search(r'#define MPX__ISA_NAME "(.*)"', macros).group(1)
    lanes = int(re.search(r"#define MPX__LANES (\d+)", macros).group(1))
    run(command + ["-c", "-o", os.path.join(folder, "count.o")])
    listing = run(objdump + ["-d", "--no-show-raw-insn", os.path.join(folder, "count.o")])
    code = functions(listing)
    wasm = "wasm" in " ".join(compiler)
    loops = {pair: hot_loop(next((code[name] for name in names if name in code), []), wasm) for pair, names in PAIRS.items()}
    return isa, 4 * lanes, loops


def cell(elements, loop):
    if loop is None:
        return "-"
    shortest, longest = len(loop[0]) / elements, len(loop[1]) / elements
    text = [f"{x:.1f}" if x < 10 else f"{x:.0f}" for x in (shortest, longest)]
    return text[0] if text[0] == text[1] else "-".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--show", action="store_true", help="print the loops")
    arguments = parser.parse_args()
    unknown = [target for target in arguments.targets if target not in TARGETS]
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; these are: {', '.join(TARGETS)}")
    with open(os.path.join(ROOT, "mpx.h"), encoding="utf-8") as file:
        header = re.sub(r"^#undef MPX__(LANES|ISA_NAME)\n", "", file.read(), flags=re.MULTILINE)
    print("| instructions per element | " + " | ".join(pair.replace("_to_", " → ") for pair in PAIRS) + " |")
    print("|---" * (len(PAIRS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("mpx.h", header), ("count.c", SOURCE)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for target in arguments.targets or TARGETS:
            for more in ([], PLAIN_C):
                try:
                    isa, elements, loops = count(target, folder, more)
                except Missing as missing:
                    print(f"SKIP {target}: no {missing}", file=sys.stderr)
                    break
                if isa == "scalar" and more != PLAIN_C:
                    continue
                row = [cell(elements, loops[pair]) for pair in PAIRS]
                print(f"| {target}: {isa} | " + " | ".join(row) + " |", flush=True)
                for pair in PAIRS if arguments.show else []:
                    print(f"{pair}: {elements} elements\n    " + "\n    ".join((loops[pair] or [["none"]])[0]))


if __name__ == "__main__":
    main()
