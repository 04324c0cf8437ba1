"""Berkeley SoftFloat 3e through softfloatpy: IEEE 754's own formats and both rounding modes.

Values go through it one by one, so there are fewer of them. Any NaN equals any NaN. Float to
integer truncates in every mode of ours; out of range its result is some processor's, so compared is
what is in range.
"""
import numpy as np
import softfloatpy as sf

from harness import (NEAREST, TOWARD_ZERO, Library, Options, differences, f32_values, f64_values,
                     integers)

MODES = ((NEAREST, sf.RoundingMode.NEAR_EVEN, "nearest"),
         (TOWARD_ZERO, sf.RoundingMode.MIN_MAG, "toward zero"))
TYPES = {"float64": ("f64", sf.Float64), "float32": ("f32", sf.Float32),
         "float16": ("f16", sf.Float16), "bfloat16": ("bf16", sf.BFloat16),
         "int32": ("i32", sf.Int32), "uint32": ("ui32", sf.UInt32), "int64": ("i64", sf.Int64),
         "uint64": ("ui64", sf.UInt64)}
NAN_FROM = {"float64": 0x7ff0 << 48, "float32": 0x7f800000, "float16": 0x7c00, "bfloat16": 0x7f80}


def convert(values, source, target, *args):
    """Codes of the results. SoftFloat's objects are made of big-endian bytes."""
    width = values.dtype.itemsize
    data = values.astype(values.dtype.newbyteorder(">")).tobytes()
    (before, kind), (after, out) = TYPES[source], TYPES[target]
    function, load = getattr(sf, f"{before}_to_{after}"), kind.from_bytes
    results = b"".join([function(load(data[i:i + width]), *args).to_bytes()
                        for i in range(0, len(data), width)])
    order = np.dtype(f">u{len(results) * width // len(data)}")
    return np.frombuffer(results, order).astype(order.newbyteorder("="))


def is_nan(codes, name):
    magnitude = codes & codes.dtype.type((1 << 8 * codes.dtype.itemsize - 1) - 1)
    return magnitude > NAN_FROM[name]


def to_float(library, values, source, target):
    for mode, theirs, words in MODES:
        sf.set_rounding_mode(theirs)
        want = convert(values, source, target)
        got = [library.cast(values, source, target, Options(rounding=mode))]
        if mode == NEAREST:
            got.append(library.cast(values, source, target))
        wrong = sum(differences(g, want, is_nan(g, target), is_nan(want, target)) for g in got)
        yield wrong == 0, f"{source} -> {target} {words}: {values.size} values, {wrong} differ"


def to_integer(library, values, source, target):
    info = np.iinfo(target)
    whole = np.trunc(values.astype(np.float64))
    kept = values[(whole >= info.min) & (whole < float(info.max) + 1)]
    want = convert(kept, source, target, sf.RoundingMode.MIN_MAG, False)
    got = [library.cast(kept, source, target)]
    got += [library.cast(kept, source, target, Options(rounding=mode)) for mode, _, _ in MODES]
    wrong = sum(differences(g, want) for g in got)
    return wrong == 0, f"{source} -> {target}: {kept.size} values in range, {wrong} differ"


def checks(path):
    library = Library(path)
    floats = {"float32": f32_values()[::11].copy(), "float64": f64_values()[::3].copy(),
              "float16": np.arange(1 << 16).astype(np.uint16).view(np.float16)}
    for source, target in (("float64", "float32"), ("float64", "float16"), ("float32", "float16"),
                           ("float32", "bfloat16"), ("float32", "float64"), ("float16", "float32"),
                           ("float16", "float64")):
        yield from to_float(library, floats[source], source, target)
    for source in ("int32", "uint32", "int64", "uint64"):
        for target in ("float64", "float32", "float16"):
            yield from to_float(library, integers(source)[::3], source, target)
    for source, values in floats.items():
        for target in ("int32", "uint32", "int64", "uint64"):
            with np.errstate(all="ignore"):
                yield to_integer(library, values, source, target)
