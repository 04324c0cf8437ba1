#!/usr/bin/env python3
"""Paste a script and WebAssembly modules, as base64, into a page.

web.py PAGE SCRIPT OUT NAME=MODULE ...: the script stands in place of @script@, each module in place of @NAME@.
"""
import base64
import re
import sys

LARGEST_PAGE, LARGEST_MODULE = 300_000, 120_000  # bytes


def main():
    if len(sys.argv) < 5 or any(module.count("=") != 1 for module in sys.argv[4:]):
        sys.exit(__doc__)
    page, script, out, *modules = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(script, encoding="utf-8") as file:
        parts = {"script": file.read().strip()}
    sizes = []
    for name, path in (module.split("=") for module in modules):
        with open(path, "rb") as file:
            module = file.read()
        parts[name] = base64.b64encode(module).decode("ascii")
        sizes.append(len(module))
    missing = [name for name in parts if text.count(f"@{name}@") != 1]
    if missing:
        sys.exit(f"web.py: not once in {page}: {' '.join(missing)}")
    made = re.sub(r"@(%s)@" % "|".join(parts), lambda at: parts[at[1]], text).encode("utf-8")
    if len(made) > LARGEST_PAGE or max(sizes) > LARGEST_MODULE:
        sys.exit(f"web.py: over budget: page {len(made)} of {LARGEST_PAGE}, modules {sizes} of {LARGEST_MODULE} bytes")
    with open(out, "wb") as file:
        file.write(made)
    print(f"{out}: {len(made)} bytes; modules of {', '.join(map(str, sizes))}")


if __name__ == "__main__":
    main()
