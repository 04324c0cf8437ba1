"""ml_dtypes and NumPy: every pair of dtypes where they round once.

They agree with us on every finite and infinite value, but for differences that are ours on purpose:
 - NaN keeps its sign and payload here; there the payload is dropped or stays signalling. Any NaN
   equals any NaN below, and in fp6 and fp4, which have none, NaN sources are not compared.
 - e8m0 between 2^-127 and 2^-126: ml_dtypes 0.6 rounds all of it up; we take the nearest.
 - f64 and integers to bf16 and fp8: ml_dtypes rounds to f32 first. Compared are the values whose
   two f32 neighbours have one and the same result: there rounding twice cannot go wrong. Where it
   does, against_twice.py has the exact value.
 - What it rounds twice, and modes it does not have, are looked up in the table of all its values:
   the nearest even and toward zero, saturating, from f64 and f32.
 - float to integer out of range, NaN included: ml_dtypes and NumPy wrap or leave it to the machine;
   we saturate, NaN gives 0. Compared is what is in range.
"""
import ml_dtypes
import numpy as np

from harness import (FLOATS, FLOATS8, FLOATS_BELOW_8, NEAREST, TOWARD_ZERO, Library, Options,
                     differences, f32_values, f64_values, integers, storage)

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
INTEGERS_BELOW_8 = ["int4", "uint4", "int2", "uint2"]
RANGES = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def as_numpy(values, name):
    """Two of ml_dtypes' types meet in f32, which holds both exactly."""
    with np.errstate(all="ignore"):
        if values.dtype.isbuiltin != 1 and numpy_dtype(name).isbuiltin != 1:
            values = values.astype(np.float32)
        return values.astype(numpy_dtype(name))


def is_nan(values):
    return np.isnan(as_numpy(values, "float64"))


def rounds_once(values, expected, target):
    """Where a value is an f32, or the neighbours of the f32 nearest to it have the same result."""
    with np.errstate(all="ignore"):
        near, wide = values.astype(np.float32), values.astype(np.float64)
        below = np.nextafter(np.abs(near), np.float32(-1)).clip(np.float32(0))
        above = np.nextafter(np.abs(near), np.float32(np.inf))
    around = [storage(as_numpy(np.copysign(x, near), target)) == expected for x in (below, above)]
    exact = (near.astype(np.float64) == wide) & (np.abs(wide) < 2.0**53)  # integers: so far exact
    return exact | (around[0] & around[1]) | np.isnan(wide)


def to_float(library, values, source, target):
    """(ok, name) for one pair with a float target."""
    expected = as_numpy(values, target)
    nan = is_nan(values) | is_nan(expected)
    keep = np.ones(values.size, bool)
    if target in FLOATS_BELOW_8:
        keep &= ~is_nan(values)
    if target == "float8_e8m0fnu":
        wide = as_numpy(values, "float64")
        keep &= ~((wide > 2.0**-127) & (wide < 2.0**-126))
    if source in ("float64", "int32", "uint32", "int64", "uint64"):
        if target not in ("float64", "float32", "float16"):
            keep &= rounds_once(values, storage(expected), target)
    got = library.cast(values[keep], source, target)
    wrong = differences(got, storage(expected)[keep], is_nan(got.view(numpy_dtype(target))),
                        nan[keep])
    few = "" if keep.all() else f" of {values.size}"
    return wrong == 0, f"{source} -> {target}: {int(keep.sum())}{few} values, {wrong} differ"


def by_table(library, values, source, target):
    """(ok, name), saturating, in both modes: finite values among all that ml_dtypes decodes."""
    bits, positive = library.bits(target), target == "float8_e8m0fnu"
    codes = np.arange(1 << bits - (not positive)).astype(np.dtype(f"u{max(1, bits // 8)}"))
    table = as_numpy(codes.view(numpy_dtype(target)), "float64")
    table = table[np.isfinite(table)]  # ascending, and its index is the code
    keep = np.isfinite(values) & ((values >= 2.0**-127) | (not positive))
    given, kept = values[keep], as_numpy(values[keep], "float64")
    below = np.searchsorted(table, np.abs(kept), side="right") - 1
    above = np.minimum(below + 1, table.size - 1)
    middle = (table[below] + table[above]) / 2
    up = np.abs(kept) > middle
    up |= (np.abs(kept) == middle) & (((below & 1) == 1) | positive)
    for mode, want, words in ((NEAREST, np.where(up, above, below), "nearest"),
                              (TOWARD_ZERO, below, "toward zero")):
        minus = np.signbit(kept) & ((want > 0) | ("fnuz" not in target))
        want = (want | np.where(minus, 1 << bits - 1, 0)).astype(codes.dtype)
        wrong = 0
        for saturate in (0, 1):
            inside = (np.abs(kept) <= table[-1]) | bool(saturate)
            got = library.cast(given[inside], source, target, Options(mode, saturate))
            wrong += differences(got, want[inside])
        yield wrong == 0, (f"{source} -> {target} {words}, by table: {kept.size} values, "
                           f"{wrong} differ")


def range_of(name):
    return RANGES.get(name) or (int(np.iinfo(name).min), int(np.iinfo(name).max))


def integer_to_integer(library, source, target):
    """How many differ from NumPy's clip, and of how many values: these casts saturate."""
    values, (low, high), own = integers(source), range_of(target), range_of(source)
    want = values.clip(max(low, own[0]), min(high, own[1])).astype(np.uint64)
    want &= np.uint64((1 << library.bits(target)) - 1)
    return differences(library.cast(values, source, target).astype(np.uint64), want), values.size


def to_integer(library, values, source, target):
    """(ok, name): in range, truncated toward zero."""
    low, high = range_of(target)
    wide = as_numpy(values, "float64")
    with np.errstate(all="ignore"):  # by way of int64, from where i4 and i2 are exact
        keep = np.isfinite(wide) & (np.trunc(wide) >= low) & (np.trunc(wide) < float(high) + 1)
        kept = values[keep]
        whole = kept if source in INTEGERS else np.trunc(wide[keep])
        expected = whole.astype(np.uint64 if target == "uint64" else np.int64)
        expected = storage(expected.astype(numpy_dtype(target)))
    if target in INTEGERS_BELOW_8:
        expected = expected & np.uint8((1 << library.bits(target)) - 1)
    wrong = differences(library.cast(kept, source, target), expected)
    return wrong == 0, f"{source} -> {target}: {kept.size} values in range, {wrong} differ"


def checks(path):
    library = Library(path)
    f32, f64 = f32_values(), f64_values()
    for target in FLOATS:
        yield to_float(library, f32, "float32", target)
    for target in FLOATS:
        yield to_float(library, f64, "float64", target)
    for target in ["float16", "bfloat16"] + FLOATS8 + FLOATS_BELOW_8:
        yield from by_table(library, f64, "float64", target)
        yield from by_table(library, f32[::5], "float32", target)
    for source in ["float16", "bfloat16"] + FLOATS8 + FLOATS_BELOW_8:
        bits = library.bits(source)
        codes = np.arange(1 << bits).astype(np.dtype(f"u{max(1, bits // 8)}"))
        codes = codes.view(numpy_dtype(source))
        wrong = [to_float(library, codes, source, target) for target in FLOATS if target != source]
        bad = [name for ok, name in wrong if not ok]
        yield not bad, f"{source} -> {len(wrong)} float dtypes: all codes" + "".join(
            f"\n       {name}" for name in bad)
    for source in INTEGERS:
        for target in FLOATS:
            yield to_float(library, integers(source), source, target)
    for source in INTEGERS_BELOW_8:
        mask = np.uint8((1 << library.bits(source)) - 1)
        values = np.arange(range_of(source)[0], range_of(source)[1] + 1).astype(numpy_dtype(source))
        numbers, codes = values.astype(np.int64), storage(values) & mask
        for target in FLOATS:
            want = as_numpy(numbers, target)
            got = library.cast(codes, source, target)
            wrong = differences(got, storage(want), is_nan(got.view(want.dtype)), is_nan(want))
            yield wrong == 0, f"{source} -> {target}: all codes, {wrong} differ"
    for target in INTEGERS + INTEGERS_BELOW_8:
        yield to_integer(library, f32, "float32", target)
        yield to_integer(library, f64, "float64", target)
    for source in INTEGERS:
        for target in INTEGERS + INTEGERS_BELOW_8:
            if source != target:
                wrong, count = integer_to_integer(library, source, target)
                yield wrong == 0, f"{source} -> {target}: {count} values, {wrong} differ"
    for source, values in (("float32", f32), ("float64", f64), ("int32", integers("int32"))):
        wrong = differences(library.cast(values, source, "bool"), (values != 0).astype(np.uint8))
        yield wrong == 0, f"{source} -> bool: {values.size} values, {wrong} differ"
