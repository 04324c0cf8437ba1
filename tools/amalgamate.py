#!/usr/bin/env python3
"""Paste the rooms of src/ into one header.

Each quoted #include of src/mpx.h is replaced, once, in order, by the file it names; nothing else is dropped or changed,
but @VERSION@, which becomes the version of config.h. The output is a pure function of the sources: no date, no path.
src/names.h, the map for MPX_NAMESPACE, is generated from api.h and inline.h: --names rewrites it.
--rooms writes a smaller header for people who copy it: casts, the rooms named, and those that these need. What config.h's MPX_NO_<ROOM> would
leave out is not in it, nor, without "vectors", any instruction set but plain C.
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


# ---- a smaller header ------------------------------------------------------------------------------------------------

SWITCH = re.compile(r"^#ifndef MPX_NO_(\w+)$", re.MULTILINE)
TERM = re.compile(r"(!?)MPX_NO_(\w+)")
CODE = re.compile(r"/\*.*?\*/|\s+", re.DOTALL)
VECTORS = re.compile(r"simd_(?!scalar)\w+\.h|fast_\w+\.h")
NEEDS = {"policy_map": ["policy"], "regex": ["policy_map"], "keras": ["policy", "dialects"], "default_policy": ["policy"]}
PLAIN = """\
/* This copy has no vectors. */
#undef MPX_ISA
#define MPX_ISA 1
"""


def is_true(condition, absent):
    """Of the condition of an #if: False or True where the absent rooms decide it, else None."""
    values = []
    for term in condition.split("/*")[0].split("&&"):
        match = TERM.fullmatch(term.strip())
        values.append((match.group(1) == "") if match and match.group(2) in absent else None)
    return False if False in values else True if None not in values else None


def strip_rooms(text, absent):
    """Without the branches that are for rooms which are absent, or only for their absence's other side."""
    out, stack = [], []  # of every open #if: is it decided, is its branch kept
    for line in text.splitlines(keepends=True):
        word = re.match(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if word is None:
            keep = True
        elif word.group(1) in ("if", "ifdef", "ifndef"):
            value = is_true(word.group(2), absent) if word.group(1) == "if" else None
            stack.append([value is not None, value is not False])
            keep = value is None
        elif word.group(1) == "endif":
            keep = not stack.pop()[0]
        else:
            keep = not stack[-1][0]
            if stack[-1][0]:
                stack[-1][1] = not stack[-1][1]
        if keep and all(kept for _, kept in stack):
            out.append(line)
    return "".join(out)


def strip_switches(text, absent):
    """config.h with the switches of absent rooms fixed."""
    out, depth = [], 0
    for line in text.splitlines(keepends=True):
        switch = SWITCH.match(line)
        if depth == 0 and switch and switch.group(1) in absent:
            out.append(f"#undef MPX_NO_{switch.group(1)}\n#define MPX_NO_{switch.group(1)} 1 /* not in this copy */\n")
            depth = 1
        elif depth:
            depth += line.startswith("#if") - line.startswith("#endif")
        else:
            out.append(line)
    return "".join(out)


def with_needed(rooms):
    """The rooms, and those without which they are nothing."""
    more = [need for room in rooms for need in NEEDS.get(room, []) if need not in rooms]
    return with_needed([*rooms, *more]) if more else rooms


def without(folder, rooms):
    """edit() for paste: only the rooms named, and what they need."""
    switches = SWITCH.findall(read(folder, "config.h"))
    known = ["cast", "vectors", *(switch.lower() for switch in switches)]
    unknown = [room for room in rooms if room not in known]
    if unknown:
        raise Failure(f"no room {', '.join(unknown)}; there are {', '.join(known)}")
    rooms = with_needed(rooms)
    absent = {switch for switch in switches if switch.lower() not in rooms}
    declared = FUNCTION.findall(strip_rooms(read(folder, "api.h"), absent))

    def edit(name, text):
        if name == "mpx.h":
            return text
        if VECTORS.fullmatch(name) and "vectors" not in rooms:
            return ""
        if name == "intro.h":
            return text + f"/* Of its rooms this copy has: {', '.join(room for room in known if room in rooms)}. */\n"
        if name == "names.h":
            gone = [f"#define {function} " for function in FUNCTION.findall(read(folder, "api.h"))
                    if function not in declared]
            return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(tuple(gone) or "\0"))
        if name == "config.h":
            return strip_switches(text, absent) + ("" if "vectors" in rooms else PLAIN)
        stripped = strip_rooms(text, absent)
        return stripped if CODE.sub("", stripped) or stripped == text else ""

    return edit


def amalgamate(folder, rooms=None):
    if read(folder, "names.h") != name_map(folder):
        raise Failure("names.h: not what api.h makes; run tools/amalgamate.py --names")
    seen = []
    text = paste(folder, "mpx.h", seen, without(folder, ["cast", *rooms]) if rooms is not None else None)
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
    parser.add_argument("--output", help="the header to write (default: mpx.h in the repository)")
    parser.add_argument("--rooms", metavar="ROOM,...", help="a smaller header: casts and these rooms; needs --output")
    parser.add_argument("--names", action="store_true", help="rewrite names.h, nothing else")
    args = parser.parse_args()
    if args.rooms is not None and (args.names or args.output is None):
        parser.error("--rooms writes a header of its own: say --output FILE, and no --names")
    rooms = None if args.rooms is None else [room for room in args.rooms.split(",") if room]
    try:
        text = name_map(args.source) if args.names else amalgamate(args.source, rooms)
        output = os.path.join(args.source, "names.h") if args.names else args.output or os.path.join(ROOT, "mpx.h")
        with open(output, "w", encoding="ascii", newline="\n") as file:
            file.write(text)
    except (Failure, OSError) as failure:
        sys.exit(f"amalgamate: {failure}")


if __name__ == "__main__":
    main()
