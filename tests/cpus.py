#!/usr/bin/env python3
"""MPX_DISPATCH on other CPUs: which instruction set does one program choose, and does it cast with it? qemu has CPUs
with AVX2 or without, and takes single features away from them. It has no AVX-512: such CPUs must choose AVX2.

Exit 0: all passed; 1: a failure; 77: skipped, because this is no x86-64 or qemu-x86_64 cannot be had.
"""
import os
import platform
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "build", "cpus")
SOURCE = """#define MPX_DISPATCH 1
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>
int main(void) {
    float x[300];
    uint16_t y[300];
    int i;
    for (i = 0; i < 300; i++) x[i] = 1 + (float)i / 256;
    if (mpx_cast(y, MPX_BF16, x, MPX_F32, 300) != MPX_OK) return 1;
    for (i = 0; i < 300; i++) /* to nearest even: from 2 on a code is four numbers */
        if (y[i] != 0x3f80 + (i < 256 ? (i + (i >> 1 & 1)) / 2 : 128 + (i - 256 + 1 + ((i - 256) >> 2 & 1)) / 4)) return 2;
    puts(mpx_isa());
    return 0;
}
"""
CPUS = [  # of qemu, and the instruction set
    ("Nehalem", "sse2"), ("SandyBridge", "sse2"), ("IvyBridge", "sse2"), ("Haswell", "avx2"), ("EPYC", "avx2"),
    ("Skylake-Server", "avx2"), ("Haswell,-fma", "sse2"), ("Haswell,-f16c", "sse2"), ("Haswell,-avx2", "sse2"),
    ("Haswell,-avx", "sse2"), ("Haswell,-xsave", "sse2"),
]


def main():
    qemu = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
    if platform.machine() not in ("x86_64", "AMD64") or qemu is None:
        print("SKIP test-cpus: needs an x86-64 and qemu-x86_64 (make tools)")
        return 77
    os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c99", "-O2", "-static", "-I", ROOT, "-x", "c", "-",
                    "-o", PROGRAM], input=SOURCE, universal_newlines=True, check=True)
    failed = 0
    for cpu, isa in CPUS:
        run = subprocess.run([qemu, "-cpu", cpu, PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             universal_newlines=True)
        good = run.returncode == 0 and run.stdout.split() == [isa]
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {cpu}: {run.stdout.strip()}, exit {run.returncode}"
              f"{'' if good else f'; expected {isa}'}")
    print(f"{len(CPUS) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
