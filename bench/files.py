#!/usr/bin/env python3
"""mpx convert of a safetensors file, f32 to bf16, beside copies of the same bytes, and beside safetensors and ml_dtypes.

files.py build/mpx MEGABYTES

What a copy of the same bytes is: all of the f32 file is read by `cat FILE > /dev/null`, and a file as long as the output
is copied by cp, one after the other; neither waits for the disk, nor does mpx with --no-sync. The second pair waits:
cp and then sync of the file, beside mpx, which calls fsync. The runs are interleaved, the caches of pages are warm.

Before each run as much memory is touched and given back as the Python script takes. In a virtual machine that gives free
memory back to its host (free page reporting), the first program that writes after two idle seconds waits for all of it
otherwise: the same cp took 0.15 s or 1 to 2 s.
"""
import json
import os
import resource
import statistics
import struct
import subprocess
import sys
import time

PROGRAM, SIZE = sys.argv[1], int(sys.argv[2]) << 20
RUNS, TENSORS = 5, 16
IN, OUT, HALF, COPY = ("build/bench-files-" + name for name in ("f32.safetensors", "bf16.safetensors", "half", "copy"))
PYTHON = "build/venv/bin/python" if os.path.exists("build/venv/bin/python") else sys.executable
SCRIPT = f"""
import ml_dtypes, safetensors.numpy as s
s.save_file({{k: v.astype(ml_dtypes.bfloat16) for k, v in s.load_file({IN!r}).items()}}, {OUT!r})
"""


def make_input():
    each = SIZE // TENSORS // 4 * 4
    header = {f"layer{i}.weight": {"dtype": "F32", "shape": [each // 4], "data_offsets": [i * each, (i + 1) * each]}
              for i in range(TENSORS)}
    text = json.dumps(header).encode()
    block = struct.pack("<4096f", *(((i * 7919) % 4093 - 2046) / 1023 for i in range(4096)))
    with open(IN, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        left = each * TENSORS
        while left > 0:
            left -= file.write((block * 64)[:left])


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(command):
    """Time, CPU time of all threads, and the most private memory in MiB: of the process, without what it has mapped."""
    touched = b"1" * (2 * SIZE)
    del touched
    begin, cpu, peak = time.perf_counter(), cpu_seconds(), 0
    process = subprocess.Popen(command, shell=isinstance(command, str), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                peak = max([peak] + [int(line.split()[1]) for line in file if line.startswith("RssAnon")])
        except OSError:
            pass
        time.sleep(0.002)
    if process.returncode != 0:
        sys.exit(f"failed: {command}")
    return time.perf_counter() - begin, cpu_seconds() - cpu, peak / 1024


def main():
    make_input()
    subprocess.run([PROGRAM, "convert", IN, HALF, "--format", "safetensors", "--map", "bf16"], check=True, stdout=subprocess.DEVNULL)
    convert = [PROGRAM, "convert", IN, OUT, "--map", "bf16"]
    commands = {"cat and cp": f"cat {IN} > /dev/null && rm -f {COPY} && cp {HALF} {COPY}",
                "mpx --no-sync": convert + ["--no-sync"],
                "cat, cp, sync": f"cat {IN} > /dev/null && rm -f {COPY} && cp {HALF} {COPY} && sync {COPY}",
                "mpx": convert, "python": [PYTHON, "-c", SCRIPT]}
    if subprocess.run([PYTHON, "-c", "import ml_dtypes, safetensors.numpy"], stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIP python: no packages safetensors and ml_dtypes here")
        del commands["python"]
    runs = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            if os.path.exists(OUT):
                os.remove(OUT)
            runs[name].append(measure(command))
    base = {"mpx --no-sync": "cat and cp", "mpx": "cat, cp, sync", "python": "mpx --no-sync"}
    least = {name: [min(column) for column in zip(*rows)] for name, rows in runs.items()}
    print(f"{SIZE >> 20} MiB of f32 to bf16, {RUNS} runs; {os.cpu_count()} cores. Ratios are of the least times.")
    for name, rows in runs.items():
        time_ratio, cpu_ratio = (least[name][i] / least[base.get(name, name)][i] for i in (0, 1))
        print(f"{name:14} {least[name][0]:7.3f} s (median {statistics.median(row[0] for row in rows):6.3f}) {least[name][1]:7.3f} s of CPU "
              f"{max(row[2] for row in rows):7.1f} MiB private" +
              (f"   {time_ratio:5.2f} x {base[name]} ({cpu_ratio:5.2f} x its CPU time)" if name in base else ""))
    for name in IN, OUT, HALF, COPY:
        os.remove(name)


if __name__ == "__main__":
    main()
