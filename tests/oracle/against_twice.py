"""Where ml_dtypes and PyTorch round twice, by name, and what is right by exact arithmetic.

They narrow f64 and integers to bf16 and fp8 (PyTorch to f16 too) through f32. A value just beside a
tie of the target is rounded to the tie by the first step and, now a tie, to even by the second.
Each case shows the exact value, the nearest one of the target found with fractions, theirs and
ours. Ours must be the nearest; theirs is what the case was written for, and must not be.
"""
from fractions import Fraction

import ml_dtypes
import numpy as np
import torch

from harness import Library, storage

LAYOUTS = {"float8_e4m3fn": (4, 3, 7, 126), "bfloat16": (8, 7, 127, 0x7f7f),
           "float16": (5, 10, 15, 0x7bff)}  # exponent and mantissa bits, bias, largest finite code
CASES = [  # source, target, value, whether NumPy or ml_dtypes round it twice, in words
    ("float64", "float8_e4m3fn", -431.99999999999994, True, "-432 + 2^-44"),
    ("float64", "bfloat16", 1 + 2.0**-8 + 2.0**-40, True, "1 + 2^-8 + 2^-40"),
    ("float64", "float16", 1 + 2.0**-11 + 2.0**-40, False, "1 + 2^-11 + 2^-40"),
    ("int64", "bfloat16", -(2**40 + 2**32 + 1), True, "-(2^40 + 2^32 + 1)"),
    ("uint64", "bfloat16", 2**63 + 2**55 + 1, True, "2^63 + 2^55 + 1"),
]


def decode(code, name):
    """The exact value of a finite code, from its bit fields."""
    exponent_bits, mantissa_bits, bias, _ = LAYOUTS[name]
    mantissa = code & (1 << mantissa_bits) - 1
    exponent = code >> mantissa_bits & (1 << exponent_bits) - 1
    sign = -1 if code >> exponent_bits + mantissa_bits else 1
    if exponent:
        mantissa += 1 << mantissa_bits
    return sign * mantissa * Fraction(2) ** (max(exponent, 1) - bias - mantissa_bits)


def nearest_even(value, name):
    """The code of the nearest finite value: of two equally near the even one. Not for overflow."""
    exponent_bits, mantissa_bits, _, largest = LAYOUTS[name]
    code = min(range(largest + 1), key=lambda c: (abs(decode(c, name) - abs(value)), c & 1))
    return code | (value < 0) << exponent_bits + mantissa_bits


def checks(path):
    library = Library(path)
    for source, target, value, both, words in CASES:
        exact, array = Fraction(value), np.array([value], source)
        assert Fraction(array.item()) == exact
        want = nearest_even(exact, target)
        ours = library.cast(array, source, target).item()
        numpys = storage(array.astype(getattr(ml_dtypes, target, None) or target)).item()
        torchs = torch.from_numpy(array).to(getattr(torch, target))
        torchs = torchs.view(torch.uint8 if target.startswith("float8") else torch.uint16).item()
        shown = "; ".join(f"{who} {float(decode(code, target)):.10g}" for who, code in (
            ("nearest", want), ("ours", ours),
            ("ml_dtypes" if target != "float16" else "NumPy", numpys), ("PyTorch", torchs)))
        yield ours == want, f"{source} {words} -> {target}: exact {exact}; {shown}"
        yield ((numpys != want) == both and torchs != want,
               f"{source} {words} -> {target}: rounded twice by "
               f"{'ml_dtypes and PyTorch' if both else 'PyTorch, not by NumPy'}")
