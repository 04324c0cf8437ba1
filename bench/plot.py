#!/usr/bin/env python3
"""Turn what the bench measured into a chart and a table.

plot.py FILE.tsv ... [--svg FILE] [--markdown FILE] [--readme FILE]

The first file is build/bench --tsv; the second, if any, is bench/peers.py --tsv. --readme writes some
rows between <!-- speed --> and <!-- /speed --> of a file.
"""
import argparse
import html
import math
import re
import sys

OWN = {"ours", "limit", "memcpy", "plain", "plain-clang"}
WRONG = " (wrong)"
INK, GREY, PALE = "#1f2328", "#8c959f", "#eaeef2"
OURS, PLAIN, PEER = "#0969da", "#bf8700", "#8250df"
LEFT, PANEL, GAP, TOP, LINE = 178, 224, 18, 92, 15
LOW, HIGH = 0.75, 100.0
README_ROWS = {"f16->f32": "f16 to f32", "f32->bf16": "f32 to bf16", "f32->f16": "f32 to f16",
               "f8e4m3fn->f16": "f8e4m3fn to f16", "f32->f8e4m3fn": "f32 to f8e4m3fn",
               "unscale f16": "f16 unscaled and checked, in place"}
SPEED = re.compile(r"(<!-- speed -->\n).*?(<!-- /speed -->)", re.DOTALL)


def read(path, data):
    """Add a file's cells to data: {row: {size: {contender: {column: text}}}}; returns its # lines."""
    facts, columns = dict.fromkeys(("cpu", "isa", "cc", "flags", "limit"), "?"), None
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("# "):
                facts[fields[0][2:]] = fields[1]
            elif columns is None:
                columns = fields
            elif fields[0] == "cell":
                cell = dict(zip(columns, fields))
                contenders = data.setdefault(cell["row"], {}).setdefault(cell["size"], {})
                contenders.setdefault(cell["contender"], cell)
    return facts


def spaced(size):
    """16K as 16 KiB."""
    return f"{size[:-1]} {size[-1]}iB"


def best(contenders, names):
    """(ratio, name) of the fastest of those contenders whose results are right, or None."""
    found = [(float(contenders[name]["ratio"]), name) for name in contenders
             if name in names and not name.endswith(WRONG)]
    return min(found) if found else None


def summary(contenders):
    """Ours, the best plain loop, the best peer, the mark: ratios to the limit, None where absent."""
    ours = best(contenders, {"ours"})
    plain = best(contenders, {"plain", "plain-clang"})
    peer = best(contenders, set(contenders) - OWN)
    mark = float(contenders["ours"]["mark"]) if "ours" in contenders else 0
    return ours, plain, peer, mark or None


# ---- the chart ------------------------------------------------------------------------------------------------------

def place(ratio):
    """Pixels from the left edge of a panel: logarithmic, clipped."""
    share = (math.log(min(max(ratio, LOW), HIGH)) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))
    return share * PANEL


def text(x, y, words, size=10, anchor="start", color=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
            f'font-weight="{weight}">{html.escape(words)}</text>')


def shape(kind, x, y):
    if kind == "ours":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{OURS}"/>'
    if kind == "plain":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="#fff" stroke="{PLAIN}" stroke-width="1.6"/>'
    return f'<path d="M{x:.1f} {y - 4:.1f}l4 4l-4 4l-4-4z" fill="#fff" stroke="{PEER}" stroke-width="1.6"/>'


def frame(left, size, bottom):
    """A panel's heading, grid and axis."""
    parts = [text(left, TOP - 26, f"{spaced(size)} of source", 11, weight="bold")]
    for tick in (1, 2, 5, 10, 20, 50, 100):
        x = left + place(tick)
        color = GREY if tick == 1 else PALE
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="{color}"/>')
        parts.append(text(x, TOP - 10, f"{tick}" if tick < HIGH else "100+", 9, "middle", GREY))
    return parts


def cell(left, y, contenders):
    ours, plain, peer, mark = summary(contenders)
    parts = []
    if ours and plain:
        a, b = sorted((place(ours[0]), place(plain[0])))
        parts.append(f'<line x1="{left + a:.1f}" y1="{y}" x2="{left + b:.1f}" y2="{y}" stroke="{PALE}" '
                     'stroke-width="3"/>')
    if mark:
        x = left + place(mark)
        parts.append(f'<line x1="{x:.1f}" y1="{y - 5}" x2="{x:.1f}" y2="{y + 5}" stroke="{GREY}" stroke-width="1.5"/>')
    for kind, found in (("plain", plain), ("peer", peer), ("ours", ours)):
        if found:
            parts.append(shape(kind, left + place(found[0]), y))
    return parts


def legend(has_peers):
    entries = [("ours", "mpx.h"), ("plain", "best plain C loop")] + ([("peer", "best peer")] if has_peers else [])
    parts, x = [], LEFT
    for kind, words in entries:
        parts += [shape(kind, x + 4, 44), text(x + 13, 47.5, words)]
        x += 26 + 6.2 * len(words)
    parts.append(f'<line x1="{x + 4}" y1="39" x2="{x + 4}" y2="49" stroke="{GREY}" stroke-width="1.5"/>')
    parts.append(text(x + 13, 47.5, "mark (largest ratio wanted)"))
    return parts


def chart(data, sizes, facts):
    rows = list(data)
    width, bottom = LEFT + len(sizes) * (PANEL + GAP) + 10, TOP + LINE * len(rows) + 4
    has_peers = any(summary(contenders)[2] for cells in data.values() for contenders in cells.values())
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 26}" '
             f'viewBox="0 0 {width} {bottom + 26}" font-family="Helvetica, Arial, sans-serif">',
             f'<rect width="{width}" height="{bottom + 26}" fill="#fff"/>',
             text(10, 22, "Time over that of a stream that moves the same bytes", 14, weight="bold"),
             *legend(has_peers)]
    for k, size in enumerate(sizes):
        parts += frame(LEFT + k * (PANEL + GAP), size, bottom)
    for i, row in enumerate(rows):
        y = TOP + LINE * i + LINE / 2
        parts.append(text(LEFT - 10, y + 3.5, row, 10, "end"))
        for k, size in enumerate(sizes):
            parts += cell(LEFT + k * (PANEL + GAP), y, data[row].get(size, {}))
    words = "{cpu}; {isa} kernels, {cc}, {flags}; limit: {limit}".format(**facts)
    parts += [text(10, bottom + 18, words, 9, color=GREY), "</svg>"]
    return "\n".join(parts) + "\n"


# ---- the table ------------------------------------------------------------------------------------------------------

def entry(contenders, sizes_known):
    ours, plain, peer, mark = summary(contenders)
    if ours is None:
        return ["–"] * (3 if sizes_known else 2)
    over = mark is not None and ours[0] > 1.1 * mark
    cells = [f"{'**' if over else ''}{ours[0]:.2f}{'**' if over else ''}", f"{plain[0]:.1f}" if plain else "–"]
    if sizes_known:
        cells.append(f"{peer[0]:.1f} {peer[1]}" if peer else "–")
    return cells


def markdown(data, sizes, facts):
    has_peers = any(summary(contenders)[2] for cells in data.values() for contenders in cells.values())
    heads = ["row", "ns/element"]
    for size in sizes:
        heads += [spaced(size), "plain C"] + (["best peer"] if has_peers else [])
    lines = ["{cpu}; {isa} kernels, {cc}, {flags}; limit: {limit}. Time over that of the limit; bold: more than 10 % "
             "above its mark. ns/element: 16 KiB of source.".format(**facts), "",
             "| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for row, cells in data.items():
        ours = cells.get(sizes[0], {}).get("ours")
        line = [f"`{row}`", f"{float(ours['ns_per_element']):.4f}" if ours else "–"]
        for size in sizes:
            line += entry(cells.get(size, {}), has_peers)
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join(lines) + "\n"


def in_readme(page, data, sizes, facts):
    """The page with a table of a few rows: what a core does per second, and the ratios."""
    ends = [sizes[0], sizes[-1]]
    heads = ["cast"]
    for size in ends:
        heads += [f"{spaced(size)}: GB/s", "ratio", "plain C", "best peer"]
    lines = ["{cpu}, one thread, {isa} kernels, {cc}, {flags}:".format(**facts), "",
             "| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for row, words in README_ROWS.items():
        cells = data.get(row) or sys.exit(f"plot: no row {row}")
        line = [words]
        for size in ends:
            line += [f"{float(cells[size]['ours']['gb_per_s']):.0f}", *entry(cells[size], True)]
        lines.append("| " + " | ".join(line).replace("**", "") + " |")
    if not SPEED.search(page):
        sys.exit("plot: no place between <!-- speed --> and <!-- /speed -->")
    return SPEED.sub(lambda match: match.group(1) + "\n".join(lines) + "\n" + match.group(2), page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--svg")
    parser.add_argument("--markdown")
    parser.add_argument("--readme")
    arguments = parser.parse_args()
    data = {}
    facts = [read(path, data) for path in arguments.files][0]
    known = dict.fromkeys(size for cells in data.values() for size in cells)
    sizes = [size for size in known if size != "1K"] or list(known)
    for path, make in ((arguments.svg, chart), (arguments.markdown, markdown)):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(make(data, sizes, facts))
    if arguments.readme:
        with open(arguments.readme, encoding="utf-8") as file:
            page = in_readme(file.read(), data, sizes, facts)
        with open(arguments.readme, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
