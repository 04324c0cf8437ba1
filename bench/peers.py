#!/usr/bin/env python3
"""mpx.h beside other people's implementations: one process, one core, contenders that take turns.

peers.py [--quick] [--row SUBSTRING] [--size 16K] [--runs N] [--tsv FILE]

Run by `make bench-peers`, with the Python of build/venv-peers. Each peer's results are compared with
mpx.h's, on the data that are timed and on special values; a peer that differs is marked (wrong), and
does not count among those that are faster. NaN equals NaN, whatever its payload. PyTorch, NumPy and
ml_dtypes are called from Python: about a microsecond of each of their calls is that.
"""
import argparse
import ctypes
import glob
import os
import re
import struct
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

SIZES = {"1K": 1 << 10, "16K": 16 << 10, "512K": 512 << 10, "64M": 64 << 20}
QUICK_SIZES = {"1K": 1 << 10, "16K": 16 << 10, "512K": 512 << 10, "4M": 4 << 20}
BUDGETS = {"1K": 5e7, "16K": 8e7, "512K": 1e8, "64M": 8e8, "4M": 1e8}  # ns for all contenders of a cell
RUNS = {"1K": 9, "16K": 9, "512K": 6, "64M": 3}  # a neighbour may slow the machine down for a second or so
MARKED = {"16K": 0, "512K": 1, "64M": 2}
SAMPLE, SLOW = 5e4, 1.5e8  # ns that a sample should take; a call that takes this long is made once a run
FASTER = 1.1
CAST, UNSCALE, FINITE, AMAX = range(4)
OURS, LIMIT = "ours", "limit"
STREAMS = ("stream", "stream-nontemporal", "stream-short", "stream-short-nontemporal")  # by bench.h's kinds
HERE = {OURS, "plain", "plain-clang", *STREAMS}
WRONG = " (wrong)"
PAGES = 24 << 20  # BENCH_CHECK_MAX: special values need as much


def load(path):
    """The bench as a library, with the types of its functions."""
    library = ctypes.CDLL(path)
    for name in ("name", "src_dtype", "dst_dtype"):
        getattr(library, "peers_" + name).restype = ctypes.c_char_p
    for name in ("src", "dst", "ours", "stream", "plain", "plain_clang"):
        getattr(library, "peers_" + name).restype = ctypes.c_void_p
    for name in ("count", "src_bytes", "dst_bytes"):
        function = getattr(library, "peers_" + name)
        function.restype, function.argtypes = ctypes.c_size_t, [ctypes.c_int, ctypes.c_size_t]
    library.peers_fill_special.restype = ctypes.c_size_t
    library.peers_by.restype = library.peers_mark.restype = library.peers_sample.restype = ctypes.c_double
    library.peers_open.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    library.peers_fill.argtypes = library.peers_restore.argtypes = [ctypes.c_int, ctypes.c_size_t]
    library.peers_sample.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    library.peers_call.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    for function in (library.mpx_isa, library.bench_stream_name, library.bench_compiler, library.bench_flags):
        function.restype = ctypes.c_char_p
    return library


class PeerRow(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("fn", ctypes.c_void_p)]


def shared_peers(folder):
    """{row: {peer: address}} of the shims, and the shims themselves, which must stay loaded."""
    table, kept, skipped = {}, [], []
    for path in sorted(glob.glob(os.path.join(folder, "*.so"))):
        try:
            shim = ctypes.CDLL(path)
        except OSError as error:
            skipped.append(f"{os.path.basename(path)[:-3]}: cannot be loaded: {error}")
            continue
        shim.peer_name.restype, shim.peer_table.restype = ctypes.c_char_p, ctypes.POINTER(PeerRow)
        name, rows, i = shim.peer_name().decode(), shim.peer_table(), 0
        if not rows:
            skipped.append(f"{name}: does not run here")
            continue
        while rows[i].name:
            table.setdefault(rows[i].name.decode(), {})[name] = rows[i].fn
            i += 1
        kept.append(shim)
    return table, kept, skipped


class Compiled:
    """A contender that is a C function."""

    def __init__(self, bench, row, address):
        self.bench, self.row, self.address = bench, row, address

    def sample(self, n, reps):
        return self.bench.peers_sample(self.address, self.row.index, n, reps)

    def call(self, n):
        return self.bench.peers_call(self.address, self.row.index, n)


class Called:
    """A contender that is a Python function: make(n) returns what one call does."""

    def __init__(self, bench, row, make):
        self.bench, self.row, self.make, self.made = bench, row, make, (None, None)

    def bound(self, n):
        if self.made[0] != n:
            self.made = (n, self.make(n))
        return self.made[1]

    def sample(self, n, reps):
        function = self.bound(n)
        if self.row.chain:
            return self.sample_in_place(function, n, reps)
        start = time.perf_counter_ns()
        for _ in range(reps):
            function()
        return (time.perf_counter_ns() - start) / reps

    def sample_in_place(self, function, n, reps):
        """The data shrink with every call: f16 is restored before each, the others before they are
        too small; outside the time."""
        total = 0
        room = 1 if self.row.alternates else self.row.chain
        for _ in range(reps):
            if room == 1 or self.bench.peers_age() >= room:
                self.bench.peers_restore(self.row.index, n)
            start = time.perf_counter_ns()
            function()
            total += time.perf_counter_ns() - start
            self.bench.peers_aged(self.row.chain if room == 1 else 1)
        return total / reps

    def call(self, n):
        flag = self.bound(n)()
        return int(flag) if self.row.op != CAST else -1


class Row:
    """A row of bench/rows.c."""

    def __init__(self, bench, index):
        self.bench, self.index, self.name = bench, index, bench.peers_name(index).decode()
        self.src, self.dst = (getattr(bench, f"peers_{side}_dtype")(index).decode() for side in ("src", "dst"))
        self.op, self.chain = bench.peers_op(index), bench.peers_in_place(index)
        self.alternates, self.by = bench.peers_alternates(index), bench.peers_by(index)
        self.packed = bench.peers_src_packed(index) or bench.peers_dst_packed(index)

    def mark(self, size):
        return self.bench.peers_mark(self.index, MARKED[size]) if size in MARKED else 0

    def memory(self, side, n):
        """The bytes of n elements of a side, as a NumPy array."""
        address = getattr(self.bench, "peers_" + side)(self.index)
        size = getattr(self.bench, f"peers_{side}_bytes")(self.index, n)
        return numpy.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


# ---- peers called from Python ------------------------------------------------------------------------

def numpy_type(name):
    return getattr(ml_dtypes, name, None) or numpy.dtype(name)


def float_bits(x):
    return struct.unpack("<i", struct.pack("<f", x))[0]


def numpy_peer(row):
    """(name, make) or None. NumPy casts its own types; ml_dtypes all others."""
    own = {"float64", "float32", "float16", "int8", "int16", "int32", "uint8"}
    name = "numpy" if {row.src, row.dst} <= own else "ml_dtypes"
    if row.packed or row.op == UNSCALE or " sat" in row.name or "stochastic" in row.name:
        return None

    def make(n):
        src = row.memory("src", n).view(numpy_type(row.src))
        if row.op == FINITE:
            return lambda: bool(numpy.isfinite(src).all())
        if row.op == AMAX:
            return lambda: float_bits(float(numpy.abs(src).max()))
        dst = row.memory("dst", n).view(numpy_type(row.dst))
        return lambda: numpy.copyto(dst, src, casting="unsafe")
    return name, make


def torch_tensor(row, side, n):
    dtype = getattr(torch, getattr(row, side))
    return torch.from_numpy(row.memory(side, n)).view(dtype)


def torch_peer(row):
    if torch is None or row.packed or "stochastic" in row.name or (row.op == UNSCALE and row.src != row.dst):
        return None
    if not all(hasattr(torch, name) for name in (row.src, row.dst)) or "float6" in row.dst:
        return None

    def make(n):
        src = torch_tensor(row, "src", n)
        if row.op == FINITE:
            return lambda: bool(torch.isfinite(src).all())
        if row.op == AMAX:
            return lambda: float_bits(src.abs().amax().item())
        if row.op == CAST:
            dst = torch_tensor(row, "dst", n)
            return lambda: dst.copy_(src)
        found, inverse = torch.zeros(1), torch.tensor([1.0 / row.by])

        def unscale():
            found.zero_()
            torch._amp_foreach_non_finite_check_and_unscale_([src], found, inverse)
            return found.item() == 0
        return unscale
    return "torch", make


def contenders_of(bench, row, peers, nontemporal):
    """{name: contender}, ours first."""
    found = {}
    streams = [(name, bench.peers_stream(row.index, kind)) for kind, name in enumerate(STREAMS)
               if nontemporal or "nontemporal" not in name]
    for name, address in ((OURS, bench.peers_ours(row.index)), *streams, ("plain", bench.peers_plain(row.index)),
                          ("plain-clang", bench.peers_plain_clang(row.index))):
        if address:
            found[name] = Compiled(bench, row, address)
    for name, address in (peers.get(row.name) or peers.get(row.name.replace(" sat", "")) or {}).items():
        found[name] = Compiled(bench, row, address)
    for peer in (numpy_peer(row), torch_peer(row)):
        if peer:
            found[peer[0]] = Called(bench, row, peer[1])
    return found


# ---- results -----------------------------------------------------------------------------------------

def outcome(contender, row, n):
    """What a contender leaves: its flag, and its target's bytes (None: it writes none)."""
    if row.chain:
        row.bench.peers_restore(row.index, n)
    elif row.op < FINITE:
        row.memory("dst", n)[:] = 0xA5
    flag = contender.call(n)
    return flag, None if row.op >= FINITE else row.memory("dst", n).copy()


def differing(row, ours, theirs):
    """Indices of elements that differ; NaN equals NaN."""
    if row.bench.peers_dst_packed(row.index):
        return numpy.flatnonzero(ours != theirs)
    kind = numpy_type(row.dst)
    a, b = ours.view(kind), theirs.view(kind)
    same = (ours.reshape(len(a), -1) == theirs.reshape(len(a), -1)).all(axis=1)
    if not numpy.issubdtype(kind, numpy.integer):
        same |= numpy.isnan(a.astype(numpy.float64)) & numpy.isnan(b.astype(numpy.float64))
    return numpy.flatnonzero(~same)


def difference(row, contender, n, expected):
    """One sentence about how a peer differs from ours, or None."""
    flag, data = outcome(contender, row, n)
    if row.op != CAST and flag not in (-1, expected[0]):
        return f"flag {flag}, not {expected[0]}"
    if data is None:
        return None
    wrong = differing(row, expected[1], data)
    if len(wrong) == 0:
        return None
    i = wrong[0]
    src = row.memory("src", n) if not row.chain else None
    width, given = len(data) // n or 1, ""
    if src is not None and len(src) >= n:
        step = len(src) // n
        given = f": 0x{int.from_bytes(src[i * step:(i + 1) * step].tobytes(), sys.byteorder):0{2 * step}x}"
    codes = [int.from_bytes(x[i * width:(i + 1) * width].tobytes(), sys.byteorder) for x in (data, expected[1])]
    return f"{len(wrong)} of {n}{given} gives 0x{codes[0]:0{2 * width}x}, not 0x{codes[1]:0{2 * width}x}"


def check(bench, row, contenders):
    """{peer: sentence} of the peers whose results differ from ours."""
    found = {}
    for what in ("data", "special values"):
        if what == "data":
            n = bench.peers_count(row.index, 512 << 10)
            bench.peers_fill(row.index, n)
        else:
            n = bench.peers_fill_special(row.index)
        expected = outcome(contenders[OURS], row, n)
        for name, contender in contenders.items():
            if name in HERE or name in found:
                continue
            sentence = difference(row, contender, n, expected)
            if sentence:
                found[name] = f"{what}: {sentence}"
    return found


# ---- races -------------------------------------------------------------------------------------------

def race(contenders, n, budget, best, run):
    """Least ns per call of each contender so far, into best."""
    part, state = budget / len(contenders), {}
    for name, contender in contenders.items():
        if run > 0 and best.get(name, 0) > SLOW:
            continue
        once = contender.sample(n, 1)
        once = once if once > SLOW else contender.sample(n, 1)
        best.setdefault(name, float("inf"))
        state[name] = [max(1, min(20000, int(SAMPLE / max(once, 1)) + 1)), 0, 0]
        if once > SLOW:  # once is enough; a short call's single sample would be the clock's own error
            best[name], state[name][1:] = min(once, best[name]), [part, 2]
    running = True
    while running:
        running = False
        for name, now in state.items():
            reps, spent, rounds = now
            if (rounds >= 2 and spent >= part) or rounds >= 2000:
                continue
            if reps > 1:
                contenders[name].sample(n, 1)
            t = contenders[name].sample(n, reps)
            if t > 0:
                best[name] = min(t, best[name])
            now[1], now[2] = spent + max(t, 0) * reps, rounds + 1
            running = True


def measure(bench, rows, sizes, peers, runs):
    """({(row, size): {contender: ns}}, {row: {peer: sentence}}); runs: {size: number}."""
    times, wrong, most = {}, {}, max(runs[size] for size in sizes)
    for run in range(most):
        now = {size: size_bytes for size, size_bytes in sizes.items() if run < runs[size]}
        largest = max(now.values())
        target = min(8 * max(SIZES.values() if largest > PAGES else sizes.values()), 256 << 20)
        if not bench.peers_open((largest + target) // 2, target):
            sys.exit("peers.py: no memory")
        for k, row in enumerate(rows):
            print(f"\rrun {run + 1} of {most}: {k + 1} of {len(rows)} rows", end="", file=sys.stderr, flush=True)
            small, large = (contenders_of(bench, row, peers, nontemporal) for nontemporal in (False, True))
            if run == 0:
                wrong[row.name] = check(bench, row, small)
            bench.peers_fill(row.index, bench.peers_count(row.index, largest))
            for size, size_bytes in now.items():
                n = bench.peers_count(row.index, size_bytes)
                bench.peers_fill(row.index, n)
                race(large if size_bytes > 1 << 20 else small, n, BUDGETS[size],
                     times.setdefault((row.name, size), {}), run)
        print(file=sys.stderr)
    return times, wrong


# ---- tables ------------------------------------------------------------------------------------------

def shown(times, wrong):
    """{name: ns} of a cell with one limit, wrong peers marked."""
    limit = min(times[name] for name in STREAMS if name in times)
    cell = {name + (WRONG if name in wrong else ""): ns for name, ns in times.items() if name not in STREAMS}
    return {LIMIT: limit, **cell}


def print_tables(rows, sizes, times, wrong):
    """One line a cell: ours, then the others by time; returns the cells in which a peer, right or wrong, is faster."""
    faster = []
    for row in rows:
        print()
        for size in sizes:
            cell = shown(times[row.name, size], wrong[row.name])
            limit, ours = cell.pop(LIMIT), cell.pop(OURS)
            others = sorted(cell.items(), key=lambda item: item[1])
            print(f"{row.name:24} {size:>4}  ours {ours / limit:.2f}  " +
                  "  ".join(f"{name} {ns / limit:.2f}" for name, ns in others))
            faster += [f"{row.name} {size} {name} {ours / ns:.2f}x"
                       for name, ns in others if name not in HERE and ns * FASTER < ours]
    return faster


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"model name\s*: *(.+)", file.read()).group(1)
    except (OSError, AttributeError):
        return "an unknown CPU"


def write_tsv(path, bench, rows, sizes, times, wrong, runs):
    with open(path, "w", encoding="utf-8") as file:
        for key, value in (("isa", bench.mpx_isa().decode()), ("cpu", cpu_name()),
                           ("cc", bench.bench_compiler().decode()), ("flags", bench.bench_flags().decode()),
                           ("limit", bench.bench_stream_name().decode()), ("runs", runs)):
            print(f"# {key}\t{value}", file=file)
        print("kind\trow\tsize\tn\tcontender\tns\tns_per_element\tgb_per_s\tratio\tmark", file=file)
        for row in rows:
            for size, size_bytes in sizes.items():
                cell = shown(times[row.name, size], wrong[row.name])
                n = bench.peers_count(row.index, size_bytes)
                moved = bench.peers_src_bytes(row.index, n) + bench.peers_dst_bytes(row.index, n)
                for name, ns in cell.items():
                    print(f"cell\t{row.name}\t{size}\t{n}\t{name}\t{ns:.2f}\t{ns / n:.5f}\t{moved / ns:.2f}\t"
                          f"{ns / cell[LIMIT]:.3f}\t{row.mark(size):g}", file=file)


def print_wrong(wrong):
    lines = [f"  {row}: {name}: {sentence}" for row, peers in wrong.items() for name, sentence in peers.items()]
    print(f"\npeers whose results differ from ours: {len(lines)}", *lines, sep="\n")


def skips(folder):
    try:
        with open(os.path.join(folder, "skipped"), encoding="utf-8") as file:
            return [line.strip()[len("SKIP "):] for line in file]
    except OSError:
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--row", default="", help="rows whose names contain this, or one of these, by commas")
    parser.add_argument("--size")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--tsv")
    parser.add_argument("--library", default="build/libbench.so")
    parser.add_argument("--peers", default="build/peers")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    bench = load(os.path.abspath(arguments.library))
    peers, kept, skipped = shared_peers(os.path.abspath(arguments.peers))
    skipped = skips(arguments.peers) + skipped
    sizes = QUICK_SIZES if arguments.quick else SIZES
    sizes = {name: size for name, size in sizes.items() if arguments.size in (None, name)}
    every = [Row(bench, i) for i in range(ctypes.c_int.in_dll(bench, "bench_row_count").value)]
    rows = [row for row in every if any(part in row.name for part in arguments.row.split(","))]
    runs = {size: arguments.runs or (1 if arguments.quick else RUNS[size]) for size in sizes}
    if not rows or not sizes:
        sys.exit("peers.py: no such row or size")
    times, wrong = measure(bench, rows, sizes, peers, runs)
    print(f"mpx.h {bench.mpx_isa().decode()}; {len(kept)} compiled peers; times over that of "
          f"{bench.bench_stream_name().decode()}")
    faster = print_tables(rows, sizes, times, wrong)
    print_wrong(wrong)
    if arguments.tsv:
        write_tsv(arguments.tsv, bench, rows, sizes, times, wrong, max(runs.values()))
    print(f"\nskipped peers: {len(skipped)}", *(f"  {line}" for line in skipped), sep="\n")
    print(f"peers, right or wrong, faster than ours by more than 10%: {len(faster)}" + "".join("; " + cell for cell in faster))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    try:
        import ml_dtypes
        import numpy
    except ImportError:
        sys.exit("SKIP bench-peers: no numpy or no ml_dtypes in this Python")
    numpy.seterr(all="ignore")
    try:
        import torch
        torch.set_num_threads(1)
    except ImportError:
        torch = None
    main()
