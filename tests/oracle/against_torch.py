"""PyTorch on the CPU: its e4m3fn saturates (2.13 and later), its other narrow floats do not.

Any NaN equals any NaN: PyTorch has one NaN for all in bf16 (ffff) and e5m2 (7f, ff). Not compared:
 - e8m0 of zero, of negatives and below 2^-126, where PyTorch gives 0, the magnitude's, and other
   roundings.
 - f64 and integers to fp8, bf16 and f16: it rounds twice. against_twice.py shows where.
 - float to integer out of range, which it leaves to the machine.
"""
import numpy as np
import torch

from harness import Library, Options, differences, f32_values, f64_values, integers, storage

FLOATS8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
UNSIGNED = {1: torch.uint8, 2: torch.uint16, 4: torch.uint32, 8: torch.uint64}


def codes_of(tensor):
    return tensor.view(UNSIGNED[tensor.element_size()]).numpy()


def to_float(library, values, source, target):
    """(ok, name) for a tensor of the dtype `source`."""
    nan = torch.isnan(values.double()).numpy()
    keep = np.ones(nan.size, bool)
    if target == "float8_e8m0fnu":
        keep = (values.double() >= 2.0**-126).numpy() | nan
    want = values.to(getattr(torch, target))
    options = Options(saturate=1) if target == "float8_e4m3fn" else None
    got = library.cast(codes_of(values)[keep], source, target, options)
    got_nan = torch.isnan(torch.from_numpy(got).view(want.dtype).double()).numpy()
    want_nan = torch.isnan(want.double()).numpy()[keep]
    wrong = differences(got, codes_of(want)[keep], got_nan, want_nan)
    how = " saturating" if options else ""
    return wrong == 0, f"{source} -> {target}{how}: {got.size} values, {wrong} differ"


def to_integer(library, values, source, target):
    info = torch.iinfo(getattr(torch, target))
    whole = values.double().trunc()
    values = values[(whole >= info.min) & (whole < float(info.max) + 1)]
    wrong = differences(library.cast(codes_of(values), source, target),
                        codes_of(values.to(getattr(torch, target))))
    return wrong == 0, f"{source} -> {target}: {values.numel()} values in range, {wrong} differ"


def checks(path):
    library = Library(path)
    torch.set_num_threads(1)
    f32 = torch.from_numpy(f32_values())
    f64 = torch.from_numpy(f64_values())
    for target in ["float64", "float16", "bfloat16"] + FLOATS8:
        yield to_float(library, f32, "float32", target)
    yield to_float(library, f64, "float64", "float32")
    for source in ["float16", "bfloat16"] + FLOATS8:
        kind = getattr(torch, source)
        codes = torch.arange(1 << 8 * kind.itemsize).to(UNSIGNED[kind.itemsize]).view(kind)
        for target in ["float32", "float16", "bfloat16"] + FLOATS8:
            if source != target:
                yield to_float(library, codes, source, target)
    for source in ["int8", "uint8", "int16", "int32", "int64"]:
        values = torch.from_numpy(integers(source))
        exact = source in ("int8", "uint8", "int16")  # in f32, so PyTorch rounds once
        for target in ["float64", "float32"] + (["float16", "bfloat16"] + FLOATS8[:4]) * exact:
            yield to_float(library, values, source, target)
    for target in ["int8", "uint8", "int16", "int32", "int64"]:
        yield to_integer(library, f32, "float32", target)
        yield to_integer(library, f64, "float64", target)
