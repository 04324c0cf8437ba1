#!/usr/bin/env python3
"""Flash, RAM and stack of what a firmware takes from mpx.h, per core: a Markdown table; fails over budget.

Flash is code and constants of the linked program, the compiler's helpers included. Stack is the deepest path of calls
(gcc's call graph; the user's callbacks not included). RAM, .data and .bss, must be 0. What the object needs from
outside must be helpers of the compiler, and is named. A core whose compiler is not here is a counted SKIP.

    python3 tools/size.py                 the table
    python3 tools/size.py --readme FILE   and write it into FILE, between <!-- size --> and <!-- /size -->
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from form import ARM_HELPERS, deepest_paths  # noqa: E402

ARM, WASM = "arm-none-eabi-gcc", "clang-19"
CORES = {
    "M0": [ARM, "-mcpu=cortex-m0"],
    "M0+": [ARM, "-mcpu=cortex-m0plus"],
    "M3": [ARM, "-mcpu=cortex-m3"],
    "M4F": [ARM, "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
    "M7": [ARM, "-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
    "M33": [ARM, "-mcpu=cortex-m33"],
    "M55": [ARM, "-mcpu=cortex-m55", "-mfloat-abi=hard"],
    "wasm32": [WASM, "--target=wasm32"],
}
THREE = "-DMPX_DTYPES=(MPX_WITH_F32|MPX_WITH_F16|MPX_WITH_BF16)"
PLAIN, TILE = "-DMPX_NO_DIALECTS=1", "-DMPX_TILE=16"
OPTIONAL = [f"-DMPX_NO_{room}=1" for room in ("TREE", "STATS", "INTEROP", "PROMOTE", "PARALLEL", "AMP", "KERAS")]
BUDGET, WHOLE = "tests/board/budget.c", "tests/form/implement.c"
# What is taken, how, and what it may cost on some cores: bytes of flash, of stack.
SELECTIONS = [
    ("f32 f16 bf16: casts, policy text, dynamic loss scale; `MPX_NO_DIALECTS`", BUDGET, [THREE, PLAIN, TILE],
     {"M0": (4096, 256), "M0+": (4096, 256), "wasm32": (4096, None)}),
    ("the same, and gradients unscaled and checked", BUDGET, [THREE, PLAIN, TILE, "-DBUDGET_UNSCALE"],
     {"M0+": (4864, 320)}),
    ("the same, with the dialects of all five systems", BUDGET, [THREE, TILE, "-DBUDGET_UNSCALE"],
     {"M0+": (8192, 640)}),
    ("f32 f16 bf16: casts with options, policies, loss scales, all of these rooms", WHOLE, [THREE, TILE, *OPTIONAL], {}),
    ("everything but statistics, all dtypes", WHOLE, ["-DMPX_NO_STATS=1"], {}),
]


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"size: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def measure_arm(command, source, flags, folder):
    """(flash, ram, stack, names needed from outside)."""
    target, program = os.path.join(folder, "size.o"), os.path.join(folder, "size.elf")
    core = [*command, "-mthumb", "-nostdlib"]
    run([*core, "-std=c99", "-Os", "-ffreestanding", "-fstack-usage", "-fcallgraph-info=su", *flags, "-I.", "-c", source,
         "-o", target])
    run([*core, "-Wl,--entry=0", target, "-lgcc", "-o", program])
    needed = [line.split()[-1] for line in run(["arm-none-eabi-nm", "-u", target]).splitlines()]
    text = int(run(["arm-none-eabi-size", program]).splitlines()[1].split()[0])
    data, bss = map(int, run(["arm-none-eabi-size", target]).splitlines()[1].split()[1:3])
    with open(target[:-2] + ".ci", encoding="utf-8") as file:
        _, depths = deepest_paths(file.read())
    return text, data + bss, max(depths.values()), needed


def measure_wasm(command, source, flags, folder):
    """The whole module, names left out. Its functions are those of budget.c, or all that are public."""
    program = os.path.join(folder, "size.wasm")
    exports = ["-Wl,--export-dynamic"] if source == BUDGET else ["-Wl,--export-all"]
    run([*command, "-std=c99", "-Oz", "-flto", "-mbulk-memory", "-nostdlib", "-ffreestanding", "-fuse-ld=lld", *flags, "-I.", source,
         "-Wl,--no-entry,--strip-all,--compress-relocations", *exports, "-o", program])
    return os.path.getsize(program), 0, None, []


def measure_all(cores):
    """{(what, core): measures}, and what is over budget."""
    table, wrong = {}, []
    for what, source, flags, budget in SELECTIONS:
        for core in cores:
            with tempfile.TemporaryDirectory(prefix="mpx_size_") as folder:
                measure = measure_wasm if core == "wasm32" else measure_arm
                flash, ram, stack, needed = table[what, core] = measure(CORES[core], source, flags, folder)
            most, deepest = budget.get(core, (None, None))
            foreign = [name for name in needed if not re.fullmatch(ARM_HELPERS, name)]
            if most is not None and flash > most:
                wrong.append(f"{core}: {flash} bytes of flash, at most {most}: {what}")
            if deepest is not None and stack > deepest:
                wrong.append(f"{core}: {stack} bytes of stack, at most {deepest}: {what}")
            if ram:
                wrong.append(f"{core}: {ram} bytes of RAM: {what}")
            if foreign:
                wrong.append(f"{core}: needs {' '.join(foreign)}: {what}")
    return table, wrong


def markdown(table, cores):
    lines = ["| what is taken | " + " | ".join(cores) + " |", "|---|" + "---:|" * len(cores)]
    for what, _, _, _ in SELECTIONS:
        cells = [f"{table[what, core][0]}" + (f" / {table[what, core][2]}" if table[what, core][2] is not None else "")
                 for core in cores]
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    helpers = sorted({name for measures in table.values() for name in measures[3]})
    lines += ["", "Helpers of the compiler that these need: "
              + (", ".join(f"`{name}`" for name in helpers) if helpers else "none") + "; the first row: "
              + (", ".join(f"`{name}`" for core in cores for name in table[SELECTIONS[0][0], core][3]) or "none") + "."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--readme", metavar="FILE", help="write the table into this file")
    args = parser.parse_args()
    cores = [core for core, command in CORES.items() if shutil.which(command[0])]
    skipped = [f"SKIP {core}: no {command[0]}" for core, command in CORES.items() if core not in cores]
    if not cores:
        print("\n".join(skipped))
        sys.exit(77)
    table, wrong = measure_all(cores)
    text = markdown(table, cores)
    print(text + "\n".join([*skipped, *(f"OVER BUDGET {line}" for line in wrong)]))
    if args.readme and not skipped:
        with open(args.readme, encoding="utf-8") as file:
            page = file.read()
        page, count = re.subn(r"(<!-- size -->\n).*?(<!-- /size -->)", lambda match: match.group(1) + text + match.group(2),
                              page, flags=re.DOTALL)
        if count != 1:
            sys.exit(f"size: {args.readme}: no place between <!-- size --> and <!-- /size -->")
        with open(args.readme, "w", encoding="utf-8") as file:
            file.write(page)
    print(f"size: {len(table)} measured, {len(wrong)} over budget, {len(skipped)} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
