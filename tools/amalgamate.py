#!/usr/bin/env python3
"""Paste the rooms of src/ into one header.

Each quoted #include of src/mpx.h is replaced, once, in order, by the file it names; nothing else is dropped or changed,
but @VERSION@, which becomes the version of config.h, and @INDEX@, which becomes an index of all public functions. The
output is a pure function of the sources: no date, no path.
Three rooms are generated, and --names rewrites them: names.h, the map for MPX_NAMESPACE, from api.h; pass_names.h and
pass_end.h, for MPX_DISPATCH, from the rooms of the engine.
--rooms, --dtypes and --isa write a smaller header for people who copy it: what the names ask for, and what that needs.
Casts, f32 and plain C are always there. --rooms without --isa is plain C, unless "vectors" is among the rooms.
--with-sleef puts functions of SLEEF's inline headers, from the user's own build, into a copy: see sleef.py.
--declarations writes what a file needs that only calls the library: the compiler reads a seventh as much.
"""
import argparse
import os
import re
import sys
import textwrap

sys.dont_write_bytecode = True
import sleef  # noqa: E402
from smaller import Selection, reach  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^#include "([^"]+)"$')
FUNCTION = re.compile(r"^MPX_API [^;{]*?\b(mpx_[a-z0-9_]+)\(", re.MULTILINE)
TOPIC_OR_FUNCTION = re.compile(r"^/\* ---- (.+?) -+ \*/$|^ \* MARK: \w+ - (.+)$|" + FUNCTION.pattern +
                               r"|^MPX__TYPED\((mpx_\w+)|^MPX__INLINE \w+ (mpx_[a-z]\w+)\(", re.MULTILINE)

NAMES_HEAD = """\
/*==================================================================*
 * MARK: names - the map for MPX_NAMESPACE
 *   Generated from api.h by tools/amalgamate.py --names. With
 *   -DMPX_NAMESPACE=avx2_ the function mpx_cast is called avx2_mpx_cast.
 *==================================================================*/
#ifdef MPX_NAMESPACE
#define MPX__JOIN_(space, name) space##name
#define MPX__JOIN(space, name) MPX__JOIN_(space, name)
"""
DECLARATIONS_NOTE = """
   THE DECLARATIONS ALONE, made by
       tools/amalgamate.py{} --declarations
   for files that only call the library. One file of the program defines MPX_IMPLEMENTATION and
   includes the whole mpx.h.
"""
DECLARATIONS_HEAD = """\
#ifdef MPX_IMPLEMENTATION
#error "mpx.h: this copy has the declarations alone; include the whole mpx.h here, before it"
#endif
"""
PASS_NAMES_HEAD = """\
/*==================================================================*
 * MARK: pass_names - what a pass of MPX_DISPATCH calls its functions
 *   Generated from the rooms of the engine by tools/amalgamate.py --names.
 *   With MPX_DISPATCH, mpx__add is mpx__add_avx2 in the pass for AVX2.
 *==================================================================*/
#if MPX_DISPATCH
#define MPX__PASTE_(name, suffix) name##_##suffix
#define MPX__PASTE(name, suffix) MPX__PASTE_(name, suffix)
#define MPX__HERE(name) MPX__PASTE(name, MPX__PASS)
"""
PASS_END_HEAD = """\
/*==================================================================*
 * MARK: pass_end - the macros of the engine's rooms end here
 *   Generated from the rooms of the engine by tools/amalgamate.py --names.
 *==================================================================*/
"""
PASS_END_TAIL = "#if MPX_DISPATCH\n#undef MPX__HAS_FLOAT\n#else\n#undef MPX__PASS\n#endif\n"
NOT_X86 = ["simd_scalar.h", "simd_neon.h", "simd_wasm.h", "simd_rvv.h"]  # MPX_DISPATCH has no pass for them


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


def pass_rooms(folder):
    """The text of pass_names.h and of pass_end.h: the engine's rooms stand between passes.h and pass_end.h."""
    order = re.findall(r'^#include "([^"]+)"', read(folder, "mpx.h"), re.MULTILINE)
    first = order.index("passes.h") + 1
    text = {name: re.sub(r'/\*.*?\*/|"[^"\n]*"', " ", read(folder, name), flags=re.DOTALL) for name in order}
    before = {name for room in order[:first] if room != "pass_names.h" for name in re.findall(r"\bmpx__\w+", text[room])}
    names, constants, macros = {}, {}, {}
    for room in order[first:order.index("pass_end.h")]:
        ended = re.findall(r"^\s*#\s*undef\s+(MPX__\w+)", text[room], re.MULTILINE)
        defined = re.findall(r"^\s*#\s*define\s+(MPX__\w+)", text[room], re.MULTILINE)
        macros.update(dict.fromkeys(name for name in defined if name not in ended))
        if room not in NOT_X86:
            names.update(dict.fromkeys(re.findall(r"\bmpx__\w+", text[room])))
            for body in re.findall(r"\benum\s*\{([^}]*)\}", text[room]):
                constants.update(dict.fromkeys(re.findall(r"(MPX__\w+)\s*=", body)))
    renamed = [name for name in [*names, *constants] if name not in before]
    lines = [f"#define {name} MPX__HERE({name})\n" for name in renamed]
    ends = [f"#undef {name}\n" for name in macros if name != "MPX__HAS_FLOAT"]
    return {"pass_names.h": PASS_NAMES_HEAD + "".join(lines) + "#endif /* MPX_DISPATCH */\n",
            "pass_end.h": PASS_END_HEAD + "".join(ends) + PASS_END_TAIL}


def generated(folder):
    """The generated rooms: {name: text}."""
    rooms = {"names.h": name_map(folder)}
    if '#include "pass_end.h"' in read(folder, "mpx.h"):
        rooms.update(pass_rooms(folder))
    return rooms


def write(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.write(text)


def version(folder):
    text = read(folder, "config.h")
    parts = [re.findall(rf"^#define MPX_VERSION_{part} (\d+)$", text, re.MULTILINE) for part in ("MAJOR", "MINOR", "PATCH")]
    if any(len(part) != 1 for part in parts):
        raise Failure("config.h: MPX_VERSION_MAJOR, _MINOR and _PATCH must each be defined once")
    return ".".join(part[0] for part in parts)


def index(text):
    """Every public function of the declarations in text, by topic. mpx_dtype_(name, bits): with a common beginning."""
    declarations = text[text.index("MARK: api"):text.index("#if defined(MPX_IMPLEMENTATION)")]
    topics = {"": []}
    for heading, mark, *names in TOPIC_OR_FUNCTION.findall(declarations):
        topics.setdefault(heading or mark or list(topics)[-1], []).extend(name for name in names if name)
    lines = []
    for topic, names in topics.items():
        families = {}
        for name in names:
            families.setdefault(name.split("_")[1], []).append(name)
        parts = []
        for family in families.values():
            start = os.path.commonprefix(family)
            start = start[:start.rindex("_") + 1]
            if len(family) > 2 and start != "mpx_":
                parts.append(f"{start}({', '.join(name[len(start):] for name in family)})")
            else:
                parts += family
        if parts:
            lines += textwrap.wrap(f"{topic}: {', '.join(parts)}", 100, initial_indent=" " * 7,
                                   subsequent_indent=" " * 11, break_on_hyphens=False)
    return "\n".join(lines).lstrip()


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


def declarations(text):
    """What a header has before its implementation, and its license."""
    start, end = "#define MPX_H\n", "#endif /* MPX_H */\n"
    head, rest = text.split(end)
    first, more = head.replace(start, start + DECLARATIONS_HEAD).split("\n", 1)
    selection = re.match(r"\n   A SMALLER COPY, made by\n +tools/amalgamate\.py(.*)\n", more)
    note = DECLARATIONS_NOTE.format(selection[1] if selection else "")
    return first + "\n" + note + more[selection.end() if selection else 0:] + end + rest[rest.rindex("\n/*"):]


def amalgamate(folder, selection=None, file_name="mpx.h", with_sleef=None):
    for name, text in generated(folder).items():
        if read(folder, name) != text:
            source = "api.h makes" if name == "names.h" else "the engine's rooms make"
            raise Failure(f"{name}: not what {source}; run tools/amalgamate.py --names")
    seen, chosen = [], None
    if selection:
        chosen = Selection(read(folder, "config.h"), read(folder, "detect.h"), *selection)
    text = paste(folder, "mpx.h", seen, chosen.edit if chosen else None)
    unlisted = sorted(set(os.listdir(folder)) - set(seen))
    if unlisted:
        raise Failure(f"in the folder but not included: {', '.join(unlisted)}")
    if text.count("@VERSION@") != 1:
        raise Failure("@VERSION@ must occur exactly once")
    text = text[text.index("\n") + 1:].replace("@VERSION@", version(folder))  # the spine's own first line is for its readers
    text = reach(text, chosen.known(), chosen.optional()) if chosen and chosen.known() else text
    text = sleef.put(text, with_sleef, chosen.isas if chosen and selection[2] else None) if with_sleef else text
    if selection or with_sleef:
        text = text.replace('#define MPX_FILE "mpx.h"', f'#define MPX_FILE "{file_name}"')
    return text.replace("@INDEX@", index(text)) if "@INDEX@" in text else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=os.path.join(ROOT, "src"), help="the folder of the rooms")
    parser.add_argument("--output", help="the header to write (default: mpx.h in the repository)")
    parser.add_argument("--rooms", metavar="ROOM,...", help="a smaller header: casts and these rooms; needs --output")
    parser.add_argument("--dtypes", metavar="DTYPE,...", help="a smaller header: f32 and these dtypes; needs --output")
    parser.add_argument("--isa", metavar="ISA,...", help="a smaller header: plain C and these ISAs; needs --output")
    parser.add_argument("--with-sleef", metavar="DIR", help="a copy with SLEEF's functions from DIR/sleefinline_*.h; needs --output")
    parser.add_argument("--declarations", action="store_true", help="without the implementation; needs --output")
    parser.add_argument("--names", action="store_true", help="rewrite the generated rooms, nothing else")
    args = parser.parse_args()
    lists = [args.rooms, args.dtypes, args.isa]
    selection = [None if names is None else [name for name in names.split(",") if name] for names in lists]
    is_smaller = selection != [None] * 3
    whole = os.path.join(ROOT, "mpx.h")
    output = args.output or whole
    is_own = is_smaller or args.with_sleef or args.declarations
    if is_own and (args.names or os.path.realpath(output) == os.path.realpath(whole)):
        parser.error("a smaller header, or one with SLEEF, is a file of its own: say --output FILE, and no --names")
    try:
        if args.names:
            for name, text in generated(args.source).items():
                write(os.path.join(args.source, name), text)
        else:
            text = amalgamate(args.source, selection if is_smaller else None, os.path.basename(output), args.with_sleef)
            write(output, declarations(text) if args.declarations else text)
    except (Failure, OSError, ValueError) as failure:
        sys.exit(f"amalgamate: {failure}")


if __name__ == "__main__":
    main()
