#!/usr/bin/env python3
"""Casts against ml_dtypes and NumPy, live, through a shared library (make test-oracle).

They agree with us on every finite and infinite value, but for three differences that are ours on purpose:
 - NaN keeps its sign and payload here; there the payload is dropped or stays signalling. Any NaN equals any NaN below.
 - e8m0 between 2^-127 and 2^-126: ml_dtypes 0.6 rounds all of it up; we take the nearest.
 - from f64 and integers ml_dtypes rounds twice (through f32): only f32 sources, and f64 to f16 and f32, are compared.
"""
import ctypes
import sys

import ml_dtypes
import numpy as np

# In the order of the constants of types.h, from MPX_F64 = 1.
DTYPES = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
          ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.float8_e4m3,
          ml_dtypes.float8_e3m4, ml_dtypes.float8_e8m0fnu, ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn,
          ml_dtypes.float4_e2m1fn]
BITS = {6: (12, 13), 4: (14,)}  # sub-byte dtypes by index: one per byte in ml_dtypes, packed here


def bits_of(index):
    return next((bits for bits, indices in BITS.items() if index in indices), 8 * np.dtype(DTYPES[index]).itemsize)


def pack(codes, bits):
    spread = np.unpackbits(codes[:, None], axis=1, bitorder="little")[:, :bits]
    return np.packbits(spread.reshape(-1), bitorder="little")


def storage(array):
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


def cast(library, source, source_index, target_index):
    """mpx_cast, with sub-byte targets as packed bytes."""
    n, bits = source.size, bits_of(target_index)
    out = np.zeros(n if bits % 8 == 0 else (n * bits + 7) // 8, np.dtype(f"u{max(1, bits // 8)}"))
    data = pack(storage(source), bits_of(source_index)) if bits_of(source_index) < 8 else source
    status = library.mpx_cast(out.ctypes.data_as(ctypes.c_void_p), target_index + 1, data.ctypes.data_as(ctypes.c_void_p),
                              source_index + 1, ctypes.c_size_t(n))
    assert status == 0
    return out


def sources():
    """The rounding classes of every 16-bit pattern of kept bits, and a million random patterns."""
    tails = np.array([0, 1, 0x7fff, 0x8000, 0x8001, 0xffff], np.uint32)
    kept = np.arange(1 << 16, dtype=np.uint32) << 16
    random = np.random.default_rng(7).integers(0, 1 << 32, 1 << 20, dtype=np.uint32)
    finer = np.arange(1 << 20, dtype=np.uint32) << 12
    f32 = np.concatenate([(kept[:, None] | tails).reshape(-1), finer, finer | 0x800, finer | 0x7ff, random]).view(np.float32)
    wide = np.random.default_rng(8).integers(0, 1 << 63, 1 << 20, dtype=np.uint64).view(np.float64)
    halves = np.float64(1) + np.arange(1 << 12) * 2.0**-12 + 2.0**-40
    return {0: np.concatenate([wide, halves, -halves * 2.0**-20, halves * 1e4]), 1: f32}


def compare(library, source, source_index, target_index):
    """How many results differ; NaN results are only asked to be NaN."""
    target, bits = DTYPES[target_index], bits_of(target_index)
    with np.errstate(all="ignore"):
        expected = source.astype(target)
        nan = np.isnan(source.astype(np.float64)) | np.isnan(expected.astype(np.float64))
    keep = ~nan
    if target is ml_dtypes.float8_e8m0fnu:
        keep &= (source <= 2.0**-127) | (source >= 2.0**-126)
    got, want = cast(library, source[keep], source_index, target_index), storage(expected[keep])
    wrong = int(np.sum(got != (pack(want, bits) if bits < 8 else want)))
    if bits >= 8:
        with np.errstate(all="ignore"):
            values = cast(library, source[nan], source_index, target_index).view(target).astype(np.float64)
        wrong += int(np.sum(~np.isnan(values)))
    return wrong


def main():
    library = ctypes.CDLL(sys.argv[1])
    failed = passed = 0
    for source_index, source in sources().items():
        targets = range(len(DTYPES)) if source_index == 1 else (1, 2)
        for target_index in targets:
            wrong = compare(library, source, source_index, target_index)
            name = f"{np.dtype(DTYPES[source_index]).name} -> {np.dtype(DTYPES[target_index]).name}"
            print(f"{'ok    ' if wrong == 0 else 'FAILED'} {name}: {source.size} values, {wrong} differ")
            passed, failed = passed + (wrong == 0), failed + (wrong != 0)
    for index in range(2, len(DTYPES)):
        codes = np.arange(1 << bits_of(index)).astype(np.dtype(f"u{max(1, bits_of(index) // 8)}"))
        wrong = compare(library, codes.view(DTYPES[index]), index, 1)
        print(f"{'ok    ' if wrong == 0 else 'FAILED'} {np.dtype(DTYPES[index]).name} -> float32: all codes, {wrong} differ")
        passed, failed = passed + (wrong == 0), failed + (wrong != 0)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
