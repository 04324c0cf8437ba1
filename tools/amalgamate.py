#!/usr/bin/env python3
"""Paste the rooms of src/ into one header.

Each quoted #include of src/mpx.h is replaced, once, in order, by the file it names; nothing else is dropped or changed,
but @VERSION@, which becomes the version of config.h. The output is a pure function of the sources: no date, no path.
src/names.h, the map for MPX_NAMESPACE, is generated from api.h and inline.h: --names rewrites it.
"""
import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^#include "([^"]+)"$')
FUNCTION = re.compile(r"^MPX_API [^;{]*?\b(mpx_[a-z0-9_]+)\(", re.MULTILINE)

NAMES_HEAD = """\
/*==========================================================================*
 * MARK: names - the map for MPX_NAMESPACE                                   *
 *   Generated from api.h by tools/amalgamate.py --names. With               *
 *   -DMPX_NAMESPACE=avx2_ the function mpx_cast is called avx2_mpx_cast.    *
 *==========================================================================*/
#ifdef MPX_NAMESPACE
#define MPX__JOIN_(space, name) space##name
#define MPX__JOIN(space, name) MPX__JOIN_(space, name)
"""


class Failure(Exception):
    """Something in the sources is not as it must be."""


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    for number, line in enumerate(data.split(b"\n"), 1):
        if any(byte > 126 or (byte < 32 and byte != 9) for byte in line):
            raise Failure(f"{name}:{number}: a byte that is not printable ASCII")
    return data.decode("ascii")


def name_map(folder):
    names = FUNCTION.findall(read(folder, "api.h"))
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise Failure(f"api.h: declared twice: {', '.join(repeated)}")
    lines = [f"#define {name} MPX__JOIN(MPX_NAMESPACE, {name})\n" for name in names]
    return NAMES_HEAD + "".join(lines) + "#endif\n"


def version(folder):
    text = read(folder, "config.h")
    parts = [re.findall(rf"^#define MPX_VERSION_{part} (\d+)$", text, re.MULTILINE) for part in ("MAJOR", "MINOR", "PATCH")]
    if any(len(part) != 1 for part in parts):
        raise Failure("config.h: MPX_VERSION_MAJOR, _MINOR and _PATCH must each be defined once")
    return ".".join(part[0] for part in parts)


def paste(folder, name, seen):
    """The text of a file with its includes replaced; seen collects the files' names."""
    seen.append(name)
    out = []
    for number, line in enumerate(read(folder, name).splitlines(keepends=True), 1):
        include = INCLUDE.match(line.rstrip("\n"))
        if include and include.group(1) in seen:
            raise Failure(f"{name}:{number}: {include.group(1)}: included twice")
        out.append(paste(folder, include.group(1), seen) if include else line)
    return "".join(out)


def amalgamate(folder):
    if read(folder, "names.h") != name_map(folder):
        raise Failure("names.h: not what api.h makes; run tools/amalgamate.py --names")
    seen = []
    text = paste(folder, "mpx.h", seen)
    unlisted = sorted(set(os.listdir(folder)) - set(seen))
    if unlisted:
        raise Failure(f"in the folder but not included: {', '.join(unlisted)}")
    if text.count("@VERSION@") != 1:
        raise Failure("@VERSION@ must occur exactly once")
    spine = text.index("\n") + 1  # the spine's own first line is for its readers
    return text[spine:].replace("@VERSION@", version(folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=os.path.join(ROOT, "src"), help="the folder of the rooms")
    parser.add_argument("--output", default=os.path.join(ROOT, "mpx.h"), help="the header to write")
    parser.add_argument("--names", action="store_true", help="rewrite names.h, nothing else")
    args = parser.parse_args()
    try:
        text = name_map(args.source) if args.names else amalgamate(args.source)
        output = os.path.join(args.source, "names.h") if args.names else args.output
        with open(output, "w", encoding="ascii", newline="\n") as file:
            file.write(text)
    except (Failure, OSError) as failure:
        sys.exit(f"amalgamate: {failure}")


if __name__ == "__main__":
    main()
