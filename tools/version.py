#!/usr/bin/env python3
"""The version stands in src/config.h; every manifest that cannot read it there repeats it.

version.py        checks that they agree
version.py 0.3.0  writes a new one everywhere but in CHANGELOG.md and src/license.h, whose entries are yours
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBER = r"(\d+\.\d+\.\d+)"
CONFIG = "src/config.h"
MACRO = r"(?m)^#define MPX_VERSION_{} (\d+)$"
# Every match of a pattern is the version; those of WRITTEN are by hand.
PLACES = {
    "mpx.h": rf"\A/\* mpx\.h - v{NUMBER} ",
    "meson.build": rf"\bversion: '{NUMBER}'",
    "library.json": rf'"version": "{NUMBER}"',
    "build.zig.zon": rf'\.version = "{NUMBER}"',
    "tools/mpx.1": rf'\A\.TH MPX 1 "" "mpx {NUMBER}"',
    "packages/conan/conanfile.py": rf'\bversion = "{NUMBER}"',
    "packages/vcpkg/mpx/vcpkg.json": rf'"version": "{NUMBER}"',
    "packages/npm/package.json": rf'"version": "{NUMBER}"',
    "packages/arduino/library.properties": rf"(?m)^version={NUMBER}$",
    "packages/README.md": rf"(?:\bmpx(?:\.h)?[-/]|\bv){NUMBER}",
}
WRITTEN = {
    "CHANGELOG.md": rf"\A(?s:.*?)^## {NUMBER} - \d{{4}}-\d\d-\d\d$",
    "src/license.h": rf"\A(?s:.*?)^ {{7}}{NUMBER} ",
}


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def version(root=ROOT):
    parts = [re.findall(MACRO.format(part), read(root, CONFIG)) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(part[0] if len(part) == 1 else "?" for part in parts)


def disagreements(root=ROOT):
    """One line for each file that says another version, or none."""
    want, lines = version(root), []
    for name, pattern in {**PLACES, **WRITTEN}.items():
        said = sorted(set(re.findall(pattern, read(root, name), re.MULTILINE)))
        if said != [want]:
            lines.append(f"{name}: {', '.join(said) or 'no version'}, where {CONFIG} has {want}")
    return lines


def write(root, new):
    def put(name, pattern, text):
        old = read(root, name)
        edited = re.sub(pattern, lambda match: match[0].replace(match[1], text), old)
        with open(os.path.join(root, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(edited)

    for part, number in zip(("MAJOR", "MINOR", "PATCH"), new.split(".")):
        put(CONFIG, MACRO.format(part), number)
    for name, pattern in PLACES.items():
        put(name, pattern, new)


def main():
    if len(sys.argv) > 1:
        if len(sys.argv) > 2 or not re.fullmatch(NUMBER, sys.argv[1]):
            sys.exit("version.py [MAJOR.MINOR.PATCH]")
        write(ROOT, sys.argv[1])
        print(f"written: {sys.argv[1]}. Now the entries of CHANGELOG.md and src/license.h, then make amalgamate")
        return
    lines = disagreements()
    print("\n".join(lines) or f"version {version()} everywhere")
    sys.exit(len(lines) != 0)


if __name__ == "__main__":
    main()
