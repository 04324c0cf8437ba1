#!/usr/bin/env python3
"""The integer core of the tests on emulated Cortex-M boards (qemu-system-arm): tests/board/test_board.c.

A board's hashes of casts must be those of golden/cast_hashes.tsv, that of loss scales follows from
golden/loss_scale.tsv, and every line must be what the same program prints on this machine. A board without its tools is
a counted SKIP.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOARD, GOLDEN = os.path.join("tests", "board"), os.path.join(ROOT, "tests", "golden")
GCC, QEMU = "arm-none-eabi-gcc", "qemu-system-arm"
HARD = "-mfloat-abi=hard"
# Core, machine of qemu, flags, where code and RAM begin, bytes of RAM.
BOARDS = [
    ("M0", "microbit", ["-mcpu=cortex-m0"], 0, 0x20000000, 16 << 10),
    ("M0+", "mps2-an385", ["-mcpu=cortex-m0plus"], 0, 0x20000000, 16 << 10),
    ("M0+ -Os", "mps2-an385", ["-mcpu=cortex-m0plus", "-Os"], 0, 0x20000000, 16 << 10),
    ("M3", "mps2-an385", ["-mcpu=cortex-m3"], 0, 0x20000000, 16 << 10),
    ("M4F", "mps2-an386", ["-mcpu=cortex-m4", HARD, "-mfpu=fpv4-sp-d16"], 0, 0x20000000, 16 << 10),
    ("M7", "mps2-an500", ["-mcpu=cortex-m7", HARD, "-mfpu=fpv5-sp-d16"], 0, 0x20000000, 16 << 10),
    ("M33", "mps2-an505", ["-mcpu=cortex-m33"], 0x10000000, 0x38000000, 16 << 10),
    ("M55, Helium", "mps3-an547", ["-mcpu=cortex-m55", HARD, "-O3"], 0, 0x20000000, 16 << 10),
    ("M55+nomve", "mps3-an547", ["-mcpu=cortex-m55+nomve", HARD], 0, 0x20000000, 16 << 10),
]
KINDS = {"jaxamp": "MPX_LOSS_SCALE_JAXAMP", "keras": "MPX_LOSS_SCALE_KERAS"}
START, PRIME, MASK = 0xcbf29ce484222325, 0x100000001b3, (1 << 64) - 1


def golden(name):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def hash_with(value, more):
    value = (value ^ more) * PRIME & MASK
    return value ^ value >> 29


def bytes_of(text):
    """The bytes that a golden file writes with \\xHH."""
    return text.encode("utf-8").decode("unicode_escape").encode("latin-1")


def runs():
    return [row for row in golden("loss_scale.tsv") if row[1] == "float32" and row[-1] == "exact"]


def rows_header():
    """rows.h: every text of the recorded policies once, and every recorded trajectory in float32."""
    texts = sorted({bytes_of(row[2]) for row in golden("policy_parse.tsv")})
    lines = ["typedef struct board_text { const char *text; unsigned short size; } board_text;",
             "static const board_text board_texts[] = {"]
    for text in texts:
        lines.append('    { "' + "".join(f"\\{byte:03o}" for byte in text) + f'", {len(text)} }},')
    lines += ["};", "typedef struct board_run {", "    int kind;", "    uint32_t scale, factor, min_scale;",
              "    int32_t counter, period;", "    const char *flags;", "} board_run;",
              "static const board_run board_runs[] = {"]
    for system, _, scale, counter, period, factor, least, flags, *_ in runs():
        bits, = struct.unpack("<I", struct.pack("<f", float(factor)))
        least = "0" if least == "-" else "0x" + least
        lines.append(f"    {{ {KINDS.get(system, 'MPX_LOSS_SCALE_DYNAMIC')}, 0x{scale}u, 0x{bits:x}u, {least}u, {counter}, "
                     f'{period}, "{flags}" }},')
    return "\n".join([*lines, "};", ""])


def wanted_lines():
    """What the golden files say, by the first two columns."""
    wanted = {(src, dst): hashes[0] for src, dst, _, *hashes in golden("cast_hashes.tsv")}
    value = START
    for *_, scales, counts, _, _ in runs():
        for scale, count in zip(scales.split(","), counts.split(",")):
            value = hash_with(hash_with(value, int(scale, 16)), int(count) & 0xffffffff)
    wanted["loss_scale", "golden"] = f"{value:016x}"
    return wanted


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=3600, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


COMMON = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-DMPX_TILE=16", "-I.", "-Itests"]


def build(command, flags, sources, folder, name):
    objects = []
    implement = os.path.join(folder, "implement.c")
    with open(implement, "w", encoding="ascii") as file:
        file.write('#define MPX_IMPLEMENTATION\n#include "mpx.h"\n')
    for source in [implement, *(os.path.join(BOARD, source) for source in sources)]:
        objects.append(os.path.join(folder, f"{name}-{os.path.basename(source)}.o"))
        run([*command, *COMMON, "-I" + folder, "-I" + BOARD, *flags, "-c", source, "-o", objects[-1]])
    return objects


def native(folder):
    command = [os.environ.get("CC", "cc")]
    flags = ["-O2", "-iquote", BOARD]
    objects = build(command, flags, ["host.c", "test_board.c"], folder, "native")
    program = os.path.join(folder, "native")
    run([*command, *objects, "-o", program])
    return run([program])


def on_board(machine, flags, rom, ram, size, folder):
    core = [GCC, "-mthumb"]
    objects = build(core, ["-O2", "-ffreestanding", "-DMPX_NO_STATS=1", *flags], ["board.c", "test_board.c"], folder, machine)
    program = os.path.join(folder, machine + ".elf")
    places = [f"-Wl,--defsym={name}=0x{value:x}" for name, value in
              (("board_rom", rom), ("board_ram", ram), ("board_ram_size", size))]
    run([*core, *[flag for flag in flags if flag.startswith("-m")], "-nostdlib", *places,
         f"-Wl,-T,{os.path.join(BOARD, 'board.ld')}", *objects, "-lgcc", "-o", program])
    return run([QEMU, "-M", machine, "-semihosting-config", "enable=on,target=native", "-nographic", "-monitor", "none",
                "-serial", "none", "-kernel", program])


def judge(name, text, expected):
    """What is wrong with a program's lines."""
    wanted, wrong = wanted_lines(), []
    for line in text.splitlines()[:-1]:
        *key, value = line.split("\t")
        if wanted.get(tuple(key), value) != value:
            wrong.append(f"{name}: {' '.join(key)}: hash {value}, recorded {wanted[tuple(key)]}")
    wrong += [f"{name}: {got!r}, here {want!r}" for got, want in zip(text.splitlines(), expected.splitlines()) if got != want]
    if text.count("\n") != expected.count("\n") or not text.endswith("done\n"):
        wrong.append(f"{name}: {text.count(chr(10))} lines, {expected.count(chr(10))} expected, the last is 'done'")
    return wrong


def main():
    missing = [tool for tool in (GCC, QEMU) if not shutil.which(tool)]
    ran, wrong, skipped = 0, [], 0
    with tempfile.TemporaryDirectory(prefix="mpx_boards_") as folder:
        with open(os.path.join(folder, "rows.h"), "w", encoding="ascii") as file:
            file.write(rows_header())
        expected = native(folder)
        wrong += judge("native", expected, expected)
        for name, machine, flags, rom, ram, size in BOARDS:
            if missing:
                skipped += 1
                print(f"SKIP {name} on {machine}: no {' and no '.join(missing)}")
                continue
            try:
                failures = judge(name, on_board(machine, flags, rom, ram, size, folder), expected)
            except (RuntimeError, subprocess.TimeoutExpired) as failure:
                failures = [f"{name}: {failure}"]
            ran += 1
            wrong += failures
            print(f"{'FAILED' if failures else 'ok    '} {name} on {machine}: {' '.join(flags)}", flush=True)
    print("\n".join(wrong[:10]))
    print(f"boards: {ran} ran, {len(wrong)} lines failed, {skipped} skipped, {expected.count(chr(10)) - 1} hashes each")
    return 77 if not ran and not wrong else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
