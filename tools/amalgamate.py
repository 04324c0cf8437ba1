#!/usr/bin/env python3
"""Paste the rooms of src/ into one header.

Each quoted #include of src/mpx.h is replaced, once, in order, by the file it names; nothing else is dropped or changed,
but @VERSION@, which becomes the version of config.h. The output is a pure function of the sources: no date, no path.
src/names.h, the map for MPX_NAMESPACE, is generated from api.h and inline.h: --names rewrites it.
--rooms, --dtypes and --isa write a smaller header for people who copy it: what the names ask for, and what that needs.
Casts, f32 and plain C are always there. --rooms without --isa is plain C, unless "vectors" is among the rooms.
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
from smaller import Selection, reach  # noqa: E402

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
    wrong = re.search(rb"[^\t\n -~]", data)
    if wrong:
        line = data.count(b"\n", 0, wrong.start()) + 1
        raise Failure(f"{name}:{line}: a byte that is not printable ASCII")
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


def paste(folder, name, seen, edit=None):
    """The text of a file with its includes replaced; seen collects the files' names. edit(name, text): what a smaller
    header keeps of a file."""
    seen.append(name)
    out, text = [], read(folder, name)
    for number, line in enumerate((edit(name, text) if edit else text).splitlines(keepends=True), 1):
        include = INCLUDE.match(line.rstrip("\n"))
        if include and include.group(1) in seen:
            raise Failure(f"{name}:{number}: {include.group(1)}: included twice")
        out.append(paste(folder, include.group(1), seen, edit) if include else line)
    return "".join(out)


def amalgamate(folder, selection=None):
    if read(folder, "names.h") != name_map(folder):
        raise Failure("names.h: not what api.h makes; run tools/amalgamate.py --names")
    seen, chosen = [], selection and Selection(read(folder, "config.h"), read(folder, "detect.h"), *selection)
    text = paste(folder, "mpx.h", seen, chosen.edit if chosen else None)
    unlisted = sorted(set(os.listdir(folder)) - set(seen))
    if unlisted:
        raise Failure(f"in the folder but not included: {', '.join(unlisted)}")
    if text.count("@VERSION@") != 1:
        raise Failure("@VERSION@ must occur exactly once")
    text = text[text.index("\n") + 1:].replace("@VERSION@", version(folder))  # the spine's own first line is for its readers
    return reach(text, chosen.known(), chosen.optional()) if chosen and chosen.known() else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=os.path.join(ROOT, "src"), help="the folder of the rooms")
    parser.add_argument("--output", help="the header to write (default: mpx.h in the repository)")
    parser.add_argument("--rooms", metavar="ROOM,...", help="a smaller header: casts and these rooms; needs --output")
    parser.add_argument("--dtypes", metavar="DTYPE,...", help="a smaller header: f32 and these dtypes; needs --output")
    parser.add_argument("--isa", metavar="ISA,...", help="a smaller header: scalar and these instruction sets; needs --output")
    parser.add_argument("--names", action="store_true", help="rewrite names.h, nothing else")
    args = parser.parse_args()
    lists = [args.rooms, args.dtypes, args.isa]
    selection = [None if names is None else [name for name in names.split(",") if name] for names in lists]
    is_smaller = selection != [None] * 3
    if is_smaller and (args.names or args.output is None):
        parser.error("a smaller header is a file of its own: say --output FILE, and no --names")
    try:
        text = name_map(args.source) if args.names else amalgamate(args.source, selection if is_smaller else None)
        output = os.path.join(args.source, "names.h") if args.names else args.output or os.path.join(ROOT, "mpx.h")
        os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
        with open(output, "w", encoding="ascii", newline="\n") as file:
            file.write(text)
    except (Failure, OSError, ValueError) as failure:
        sys.exit(f"amalgamate: {failure}")


if __name__ == "__main__":
    main()
