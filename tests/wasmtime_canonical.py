#!/usr/bin/env python3
"""Run a test program built for WASI in Wasmtime (PyPI: wasmtime), which is told to make every NaN the same.

wasmtime_canonical.py PROGRAM.wasm [ARGUMENT ...]

WebAssembly leaves it to its machine which NaN an operation gives; node on x86-64 and Arm keeps sign and payload, as
those processors do. Here none survives: what passes has its NaN from integers. Exit code as the program's; 77 without
Wasmtime.
"""
import os
import sys

try:
    import wasmtime
except ImportError:
    print("SKIP: no Python package wasmtime here")
    sys.exit(77)


def main():
    config = wasmtime.Config()
    config.cranelift_nan_canonicalization = True
    engine = wasmtime.Engine(config)
    wasi = wasmtime.WasiConfig()
    wasi.argv = sys.argv[1:]
    wasi.env = list(os.environ.items())
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    wasi.preopen_dir(".", ".")
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as trap:
        return trap.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
