#!/usr/bin/env python3
"""What mpx.h weighs: machine code and compile time of its builds, the cost of an include, lines; fails over budget.

Text is what `size` calls text: code and constants of the object file. 1 KB is 1000 bytes, as in docs/. Seconds are
CPU seconds of the compiler, user and system, the least of the runs. The ratio divides them by the seconds that the same
compiler needs for stb_image.h at -O2 (also where mpx.h is compiled at -O0), the least of as many runs, which alternate
with those of mpx.h. stb_image.h is the one of Debian's libstb-dev, else the file that $STB_IMAGE names.

    python3 tools/weight.py                   everything, with $CC (else cc); the budget is meant for gcc 12 on x86-64
    python3 tools/weight.py --quick           one run, without AVX-512, -O0 and NEON
    python3 tools/weight.py --markdown FILE   also write the tables, without that of the rooms, into FILE
"""
import argparse
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "form"))
from runner import X86_VECTORS, Compiler  # noqa: E402

KB = 1000  # bytes
AVX2, AVX512 = X86_VECTORS[0], [*X86_VECTORS[0], *X86_VECTORS[-1]]  # FLAGS_avx2 and FLAGS_avx512 of the Makefile
SCALAR = "-DMPX_ISA=MPX_ISA_SCALAR"
# The switches of the small build: casts of f32, f16 and bf16 to nearest, policies, loss scales. Each must stand in
# src/config.h.
SMALL_SWITCHES = {
    "MPX_NO_CAST_WITH": 1,
    "MPX_DTYPES": "(MPX_WITH_F32|MPX_WITH_F16|MPX_WITH_BF16)",
    "MPX_NO_TREE": 1,
    "MPX_NO_STATS": 1,
    "MPX_NO_POLICY_MAP": 1,
    "MPX_NO_DIALECTS": 1,
    "MPX_NO_INTEROP": 1,
    "MPX_NO_PROMOTE": 1,
    "MPX_NO_AMP": 1,
    "MPX_NO_PARALLEL": 1,
    "MPX_NO_VERTEX": 1,
    "MPX_NO_QUANT": 1,
}
SMALL = [f"-D{switch}={value}" for switch, value in SMALL_SWITCHES.items()]
WITHOUT = ["-DMPX_NO_QUANT=1"]  # quantization has a budget of its own: 45 KB and 0.5 more than the build without it
WITH_OPTIONS = ["-UMPX_NO_CAST_WITH"]  # the same, and the casts that take options: modes of rounding, strides
SMALL_FILE = ["--dtypes", "f16,bf16", "--isa", "avx2,neon", "--rooms", "policy,loss_scale"]  # for tools/amalgamate.py

# The budget. A build: its compiler ($CC for x86, $CC for any machine, or a cross compiler) and flags, and the most that
# it may have: KB of text, compile time over that of stb_image.h. None: the figure is printed and not judged.
X86, ANY, ARM = "x86", "any", "aarch64-linux-gnu-gcc"
BUILDS = [
    ("AVX2", X86, ["-O2", *AVX2, *WITHOUT], 180, 2.0),
    ("SSE2", X86, ["-O2", "-msse2", *WITHOUT], 180, 2.0),
    ("AVX-512", X86, ["-O2", *AVX512, *WITHOUT], 180, 2.0),
    ("AVX2, quantization", X86, ["-O2", *AVX2], 225, 2.5),
    ("SSE2, quantization", X86, ["-O2", "-msse2"], 225, 2.5),
    ("AVX-512, quantization", X86, ["-O2", *AVX512], 225, 2.5),
    ("AVX2, compute", X86, ["-O2", *AVX2, "-DMPX_COMPUTE=1"], None, None),
    ("AVX2, files", X86, ["-O2", *AVX2, "-DMPX_FILES=1"], None, None),
    ("AVX2 at -O0", X86, ["-O0", *AVX2, *WITHOUT], 350, 1.0),
    ("small, AVX2", X86, ["-O2", *AVX2, *SMALL], 45, 0.6),
    ("small, scalar", ANY, ["-O2", SCALAR, *SMALL], 30, None),
    ("small and options, AVX2", X86, ["-O2", *AVX2, *SMALL, *WITH_OPTIONS], 45, 0.6),
    ("small and options, scalar", ANY, ["-O2", SCALAR, *SMALL, *WITH_OPTIONS], None, None),
    ("scalar", ANY, ["-O2", SCALAR], None, None),
    ("NEON", ARM, ["-O2"], None, None),
    ("MPX_DISPATCH", X86, ["-O2", "-DMPX_DISPATCH=1"], 430, 5.0),
]
SLOW = ["AVX-512", "SSE2, quantization", "AVX-512, quantization", "AVX2 at -O0", "NEON"]  # left out by --quick
FIGURES = {  # name: the most, its unit
    "include without implementation": (3, "ms"),
    "include of mpx_declarations.h": (3, "ms"),
    "declarations after preprocessing": (450, "lines"),
    "mpx.h": (15500, "lines"),
    "size of mpx.h": (720, "KB"),
    "engine": (4500, "lines"),
    "quantization": (1500, "lines"),
    "compute": (2000, "lines"),
    "files": (900, "lines"),
    "small file": (5500, "lines"),
    "private symbols that grep cannot find": (5, "%"),
}
# Where pages state a build's KB of text, as gcc 12 makes it: the row begins so, and its second cell has a number for each
# of the builds; or several rows begin so.
PAGES = {
    "README.md": [
        ("AVX2", ["AVX2, quantization"]), ("AVX2, without", ["AVX2"]),
        ("AVX2, with `MPX_COMPUTE`; with `MPX_FILES`", ["AVX2, compute", "AVX2, files"]),
        ("`MPX_DISPATCH`", ["MPX_DISPATCH"]), ("float32, float16, bfloat16:", ["small, AVX2"]),
        ("the same in plain C", ["small, scalar"]),
    ],
    "docs/building.md": [
        ("AVX2", ["AVX2, quantization"]), ("SSE2", ["SSE2, quantization"]), ("AVX-512", ["AVX-512, quantization"]),
        ("NEON", ["NEON"]), ("plain C", ["scalar"]), ("`MPX_DISPATCH`:", ["MPX_DISPATCH"]),
        ("with `MPX_COMPUTE`:", ["AVX2, compute"]), ("with `MPX_FILES`:", ["AVX2, files"]),
        ("without quantization", ["AVX2"]), ("the same, SSE2", ["SSE2"]), ("the same, AVX-512", ["AVX-512"]),
        ("the same, AVX2 at `-O0`", ["AVX2 at -O0"]), ("f32, f16 and bf16:", ["small, AVX2"]),
        ("the same in plain C", ["small, scalar", "small and options, scalar"]),
        ("the same and casts with options;", ["small and options, AVX2"]),
    ],
}
# Misses that are known, and how large they are: with --known (CI) these fail only when they grow, and what a clock
# measures does not fail at all.
KNOWN = {
    "declarations after preprocessing": 705,
    "mpx.h": 28536,
    "size of mpx.h": 1364.5,
    "engine": 7108,
    "quantization": 2453,
    "compute": 4049,
    "files": 1500,
}
INCLUDE_RUNS = 30
QUANTIZATION = ["blocks.h", "quant.h", "quant_ggml.h", "quant_matrix.h", "quant_text.h", "float8.h", "fake_quant.h",
                "quant_stats.h", "weights_fit.h"]
COMPUTE = ["compute_seam.h", "float_lanes.h", "dots.h", "tile_amx.h", "tile_kernels.h", "step_kernels.h", "row_kernels.h",
           "rows.h", "compute.h", "matmul.h", "optimizer.h", "amp_run.h"]
FILES = ["files.h", "files_gguf.h", "files_safetensors.h", "files_numpy.h", "files_open.h"]


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"weight: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def cpu_seconds(command):
    """The CPU seconds of a command and of the processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Judge:
    """Compares figures with their budgets, and counts."""

    def __init__(self):
        self.within, self.over, self.grown = 0, [], []

    def verdict(self, name, value, most, unit):
        """OK or OVER; nothing if there is no value or no budget."""
        if value is None or most is None:
            return ""
        if value <= most:
            self.within += 1
            return "OK"
        by_clock = unit in ("ms", "times stb_image.h")
        if not by_clock and value > KNOWN.get(name, most):
            self.grown.append(f"{name} ({round(value, 3):,} {unit}, known {KNOWN.get(name, most):,})")
        excess = round(value - most, 3)
        self.over.append(f"OVER {name}: {round(value, 3):,} {unit}, at most {most:,}: {excess:,} too much")
        return "OVER"

    def summary(self):
        """The last line: with the names of the figures that are larger than the known misses."""
        grown = f" (grown: {'; '.join(self.grown)})" if self.grown else ""
        return f"{self.within} within budget, {len(self.over)} over{grown}"


# ---- builds ----------------------------------------------------------------------------------------------------------


def choose_builds(cc, quick):
    """The builds that can be made here, each with its compiler, and a line for each that cannot."""
    chosen, skipped = [], []
    for name, where, flags, text, ratio in BUILDS:
        if quick and name in SLOW:
            continue
        if name == "MPX_DISPATCH" and name not in read("src", "config.h"):
            skipped.append(f"{name}: not there yet")
        elif where == X86 and not cc.vectors:
            skipped.append(f"SKIP {name}: {cc.label} makes no code for x86 vectors")
        elif where == ARM and not shutil.which(ARM):
            skipped.append(f"SKIP {name}: no {ARM}")
        else:
            chosen.append((name, Compiler(ARM, "c") if where == ARM else cc, flags, text, ratio))
    return chosen, skipped


def measure_builds(builds, runs, stb, folder):
    """{name: (KB of text, seconds, seconds of stb_image.h or None)}; leaves the objects in the folder."""
    source, other = os.path.join(folder, "mpx.c"), os.path.join(folder, "stb.c")
    with open(source, "w", encoding="ascii") as file:
        file.write('#define MPX_IMPLEMENTATION\n#include "mpx.h"\n')
    with open(other, "w", encoding="ascii") as file:
        file.write(f'#define STB_IMAGE_IMPLEMENTATION\n#include "{stb}"\n')
    ours, theirs, text = {}, {}, {}
    for _ in range(runs):
        for name, cc, flags, _, _ in builds:
            target = os.path.join(folder, name + ".o")
            command = [*cc.command, "-std=c99", "-I" + ROOT]
            if stb:
                theirs.setdefault(name, []).append(cpu_seconds([*command, "-O2", "-c", other, "-o", other[:-1] + "o"]))
            ours.setdefault(name, []).append(cpu_seconds([*command, *flags, "-c", source, "-o", target]))
            text[name] = int(run([cc.prefix + "size", target]).splitlines()[1].split()[0]) / KB
    return {name: (text[name], min(ours[name]), min(theirs[name]) if stb else None) for name in text}


def build_rows(builds, measures, judge):
    """The table of the builds."""
    rows = [["build", "text KB", "at most", "seconds", "stb_image.h", "ratio", "at most", ""]]
    for name, _, _, most_text, most_ratio in builds:
        text, seconds, other = measures[name]
        ratio = seconds / other if other else None
        verdicts = [judge.verdict(f"{name}, text", text, most_text, "KB"),
                    judge.verdict(f"{name}, ratio", ratio, most_ratio, "times stb_image.h")]
        rows.append([name, f"{text:.1f}", most_text or "", f"{seconds:.2f}", f"{other:.2f}" if other else "",
                     f"{ratio:.2f}" if ratio else "", most_ratio or "", max(verdicts, key=len)])  # OVER wins
    return rows


def stale_pages(measures):
    """A line for each figure of PAGES that is more than 1 KB off, or whose row is gone."""
    lines = []
    for page, rows in PAGES.items():
        cells = [line.split(" | ") for line in read(*page.split("/")).splitlines() if line.startswith("| ")]
        for start, names in rows:
            same = [row[1] for row in cells if len(row) == 3 and (row[0] + " ").startswith(f"| {start} ")]
            stated = [int(number) for number in re.findall(r"\d+", " ".join(same))]
            if len(stated) != len(names):
                lines.append(f"STALE {page}: no row '{start}' with {len(names)} figures")
                continue
            lines += [f"STALE {page}: '{start}' says {kb} KB, {name} has {measures[name][0]:.1f}"
                      for kb, name in zip(stated, names) if name in measures and abs(measures[name][0] - kb) > 1]
    return lines


# ---- other figures ---------------------------------------------------------------------------------------------------


def include_cost(cc, folder):
    """(ms that mpx.h adds to a file, ms that its copy with the declarations alone adds, lines of declarations after
    preprocessing, blank lines not counted)."""
    standard = "#include <stddef.h>\n#include <stdint.h>\n"
    sources = {"without.c": standard, "with.c": standard + '#include "mpx.h"\n',
               "alone.c": standard + '#include "mpx_declarations.h"\n'}
    copy = os.path.join(folder, "mpx_declarations.h")
    run([sys.executable, os.path.join(ROOT, "tools", "amalgamate.py"), "--declarations", "--output", copy])
    least = dict.fromkeys(sources, float("inf"))
    for name, text in sources.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    command = [*cc.command, "-std=c99", "-I" + ROOT]
    for _ in range(INCLUDE_RUNS):
        for name in sources:
            start = time.perf_counter()
            run([*command, "-fsyntax-only", os.path.join(folder, name)])
            least[name] = min(least[name], (time.perf_counter() - start) * 1000)
    lines, own = 0, False
    for line in run([*command, "-E", os.path.join(folder, "with.c")]).splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            own = os.path.basename(marker.group(1)) == "mpx.h"
        elif own and line.strip():
            lines += 1
    return least["with.c"] - least["without.c"], least["alone.c"] - least["without.c"], lines


def measure_rooms():
    """[(file, lines, KB)] in the order of the spine, and the files of the engine: they cast, round, scale and test."""
    names = re.findall(r'^#include "([^"]+)"$', read("src", "mpx.h"), re.MULTILINE)
    if "dtypes.h" not in names or "tree.h" not in names:
        sys.exit("weight: src/mpx.h: the engine is what stands between dtypes.h and tree.h, and one of them is missing")
    engine = [name for name in names[names.index("dtypes.h") + 1:names.index("tree.h")]
              if not name.startswith("simd_") and name not in QUANTIZATION + COMPUTE]
    texts = [(name, read("src", name)) for name in names]
    return [(name, text.count("\n"), len(text) / KB) for name, text in texts], engine


def small_file_lines(path):
    """Lines of the small header: of the file named, else of one made now; None if amalgamate.py cannot make it yet."""
    if path is None:
        tool = [sys.executable, os.path.join(ROOT, "tools", "amalgamate.py")]
        if "--dtypes" not in run([*tool, "--help"]):
            return None
        path = os.path.join(ROOT, "build", "small", "mpx.h")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        run([*tool, *SMALL_FILE, "--output", path])
    return read(os.path.abspath(path)).count("\n")


def find_symbols(cc, target):
    """(private symbols of the object, those of them that do not stand in mpx.h)."""
    names = re.findall(r"\b[trdb] (mpx__\w+)", run([cc.prefix + "nm", target]))  # \w+ ends before .constprop.0, .cold
    words = set(re.findall(r"\w+", read("mpx.h")))
    return set(names), sorted(set(names) - words)


def measure_lines(rooms, engine, small):
    """{name: value} of the FIGURES that no compiler is needed for; None where there is no value."""
    header = read("mpx.h")
    return {
        "mpx.h": header.count("\n"),
        "size of mpx.h": len(header) / KB,
        "engine": sum(lines for name, lines, _ in rooms if name in engine),
        "quantization": sum(lines for name, lines, _ in rooms if name in QUANTIZATION),
        "compute": sum(lines for name, lines, _ in rooms if name in COMPUTE),
        "files": sum(lines for name, lines, _ in rooms if name in FILES),
        "small file": small,
    }


def measure_with_compiler(cc, private, folder):
    """{name: value} of the other FIGURES; None where there is no value."""
    symbols, hidden = private
    milliseconds, alone, declarations = include_cost(cc, folder)
    return {
        "include without implementation": milliseconds,
        "include of mpx_declarations.h": alone,
        "declarations after preprocessing": declarations,
        "private symbols that grep cannot find": 100 * len(hidden) / len(symbols) if symbols else None,
    }


def figure_rows(values, judge):
    """The table of the other figures."""
    rows = [["figure", "unit", "measured", "at most", ""]]
    for name, (most, unit) in FIGURES.items():
        if name not in values:
            continue
        value = values[name]
        shown = "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
        rows.append([name, unit, shown, f"{most:,}", judge.verdict(name, value, most, unit)])
    return rows


# ---- output ----------------------------------------------------------------------------------------------------------


def aligned(rows):
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    lines = []
    for first, *rest in rows:
        cells = [str(first).ljust(widths[0]), *(str(cell).rjust(width) for cell, width in zip(rest, widths[1:]))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def markdown(rows):
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]]) + "\n"


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"^model name\s*: (.*)", file.read(), re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return platform.machine()


def finish(judge, args, stale=()):
    """The exit code."""
    return 1 if (stale or (judge.grown if args.known else judge.over)) and not args.no_fail else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, help="compile everything so many times (default 3)")
    parser.add_argument("--quick", action="store_true", help="one run, without AVX-512, -O0 and NEON")
    parser.add_argument("--lines", action="store_true", help="only what no compiler is needed for")
    parser.add_argument("--no-fail", action="store_true", help="exit 0 over budget too")
    parser.add_argument("--known", action="store_true", help="fail only over the known misses; times never fail")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables of builds and figures into this file")
    parser.add_argument("--small-file", metavar="FILE", help="the small header (default: made by tools/amalgamate.py)")
    args = parser.parse_args()
    runs = args.runs or (1 if args.quick else 3)
    switches = re.findall(r"^#ifndef (MPX_\w+)$", read("src", "config.h"), re.MULTILINE)
    unknown = [name for name in SMALL_SWITCHES if name not in switches]
    if unknown:
        sys.exit(f"weight: no switch of src/config.h: {', '.join(unknown)}")

    judge = Judge()
    rooms, engine = measure_rooms()
    if args.lines:
        values = measure_lines(rooms, engine, small_file_lines(args.small_file))
        print("\n".join([aligned(figure_rows(values, judge)), judge.summary()]))
        return finish(judge, args)

    compiler = os.environ.get("CC", "cc")
    if not shutil.which(compiler.split()[0]):
        sys.exit(f"weight: no {compiler}")
    cc = Compiler(compiler, "c")
    places = ["/usr/include/stb/stb_image.h", os.path.abspath(os.environ.get("STB_IMAGE", ""))]
    stb = next((path for path in places if os.path.isfile(path)), None)
    builds, skipped = choose_builds(cc, args.quick)
    if not stb:
        skipped.append(f"SKIP ratios of compile time: no {places[0]} (Debian: libstb-dev), and no file $STB_IMAGE")
    print(aligned([["room", "lines", "KB", ""], *([name, lines, f"{size:.1f}", "engine" if name in engine else ""]
                                                  for name, lines, size in rooms)]), flush=True)
    small = small_file_lines(args.small_file)
    if small is None:
        skipped.append("small file: not there yet")
    with tempfile.TemporaryDirectory(prefix="mpx_weight_") as folder:
        measures = measure_builds(builds, runs, stb, folder)
        private = find_symbols(cc, os.path.join(folder, "AVX2.o")) if "AVX2" in measures else (set(), [])
        values = {**measure_with_compiler(cc, private, folder), **measure_lines(rooms, engine, small)}
    tables = [build_rows(builds, measures, judge), figure_rows(values, judge)]
    notes = f"{cc.label}, {machine()}; 1 KB is {KB} bytes; seconds of CPU, the least of {runs}; " \
            f"ratio: over stb_image.h at -O2, by the same compiler\n"
    print("\n".join([aligned(tables[0]), aligned(tables[1]), notes]), end="")
    symbols, hidden = private
    if symbols:
        found = len(symbols) - len(hidden)
        print(f"private symbols of the AVX2 object that stand in mpx.h: {found} of {len(symbols)}, "
              f"{100 * found / len(symbols):.1f} % (at least 95 %)")
    if hidden:
        print(f"not found: {' '.join(hidden[:10])}{' ...' if hidden[10:] else ''}")
    print(f"engine: {' '.join(engine)}")
    stale = stale_pages(measures) if "gcc 12" in cc.label else []
    print("\n".join([*skipped, *stale, *judge.over, judge.summary()]))
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join([markdown(tables[0]), markdown(tables[1]), f"`make weight`: {notes}"]))
    return finish(judge, args, stale)


if __name__ == "__main__":
    sys.exit(main())
