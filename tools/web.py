#!/usr/bin/env python3
"""Paste a script and WebAssembly modules, as base64, into a page.

web.py PAGE SCRIPT NAME=MODULE ... > page: the script stands in place of @script@, each module in place of @NAME@.
"""
import base64
import re
import sys


def main():
    page, script, *modules = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(script, encoding="utf-8") as file:
        parts = {"script": file.read().strip()}
    for name, path in (module.split("=") for module in modules):
        with open(path, "rb") as file:
            parts[name] = base64.b64encode(file.read()).decode("ascii")
    missing = [name for name in parts if text.count(f"@{name}@") != 1]
    if missing:
        sys.exit(f"web.py: not once in {page}: {' '.join(missing)}")
    sys.stdout.buffer.write(re.sub(r"@(%s)@" % "|".join(parts), lambda at: parts[at[1]], text).encode("utf-8"))


if __name__ == "__main__":
    main()
