#!/usr/bin/env python3
"""Write small.safetensors: a linear classifier of digits and what it was solved from.

    python3 examples/data/small.py

A least-squares classifier keeps sums over all images beside its weights, so that more images can be
added later. Those sums grow with the number of images, the weights do not: one file with tensors
that a narrow dtype holds and tensors that it does not, with nothing made large on purpose. All sums
and the solution are exact (integers and fractions), rounded once to f32: the same bytes anywhere.
"""
import json
import os
import struct
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "..", "..", "demo", "digits.csv")
SIDE, CLASSES = 4, 10  # 8 x 8 pixels become 4 x 4 means of 2 x 2
FEATURES = SIDE * SIDE + 1  # and a constant 1


def images():
    """(features, digit) of every line; features in quarters, as integers."""
    with open(DIGITS, encoding="ascii") as file:
        for line in file:
            *pixels, digit = map(int, line.split(","))
            sums = [pixels[8 * y + x] + pixels[8 * y + x + 1] + pixels[8 * y + x + 8]
                    + pixels[8 * y + x + 9] for y in range(0, 8, 2) for x in range(0, 8, 2)]
            yield sums + [4], digit


def solve(matrix, right):
    """Gauss-Jordan with fractions: matrix is positive definite, so no pivot is zero."""
    rows = [[Fraction(x) for x in row + extra] for row, extra in zip(matrix, right)]
    size = len(rows)
    for k in range(size):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[size:] for row in rows]


def main():
    lines = list(images())
    train, test = lines[::2], lines[1::2]
    gram = [[Fraction(sum(x[i] * x[j] for x, _ in train), 16) for j in range(FEATURES)]
            for i in range(FEATURES)]
    targets = [[Fraction(sum(x[i] for x, digit in train if digit == c), 4) for c in range(CLASSES)]
               for i in range(FEATURES)]
    ridge = [[x + (i == j) for j, x in enumerate(row)] for i, row in enumerate(gram)]
    weight = solve(ridge, targets)
    hits = 0
    for x, digit in test:
        scores = [sum(a * b[c] for a, b in zip(x, weight)) for c in range(CLASSES)]
        hits += scores.index(max(scores)) == digit
    print(f"{len(train)} images to train on, {hits} of {len(test)} others are right")
    counts = [sum(digit == c for _, digit in train) for c in range(CLASSES)]
    tensors = [("weight", "F32", weight[:-1]), ("bias", "F32", weight[-1:]),
               ("sums.gram", "F32", gram), ("sums.targets", "F32", targets),
               ("sums.images", "I32", [counts])]
    header, data = {}, b""
    for name, dtype, rows in tensors:
        values = [x for row in rows for x in row]
        begin = len(data)
        kind, cast = ("f", float) if dtype == "F32" else ("i", int)
        data += struct.pack(f"<{len(values)}{kind}", *map(cast, values))
        shape = [len(rows), len(rows[0])] if len(rows) > 1 else [len(rows[0])]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(HERE, "small.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
