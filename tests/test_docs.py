#!/usr/bin/env python3
"""The pages of docs/: made from the header as it is, every public function on one of them with an example, every link
and anchor there, and tables that are what the library says.

test_docs.py build/docs_numbers: the program that prints the tables of which-dtype.md
"""
import glob
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build", "docs_numbers")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def pages():
    return [os.path.relpath(path, ROOT) for pattern in ("*.md", "docs/*.md") for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]


def anchors(text):
    """Those of the headings, as GitHub makes them, and those that stand there."""
    text, found = FENCE.sub("", text), set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        base = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        name, count = base, 0
        while name in found:
            count += 1
            name = f"{base}-{count}"
        found.add(name)
    return found | set(re.findall(r'<a id="([^"]+)">', text))


def functions():
    """Every public function that mpx.h declares."""
    header = re.sub(r"/\*.*?\*/", "", read("mpx.h").split("\n#if defined(MPX_IMPLEMENTATION)")[0], flags=re.DOTALL)
    return set(re.findall(r"^MPX_API [^;{(]*\b(mpx_[a-z]\w*)\(", header, re.MULTILINE)
               + re.findall(r"^MPX__INLINE [^;{(]*\b(mpx_[a-z]\w*)\(", header, re.MULTILINE)
               + re.findall(r"^MPX__TYPED\((mpx_\w+),", header, re.MULTILINE))


class Docs(unittest.TestCase):
    def test_reference_is_fresh(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "reference.py"), "--check"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_links(self):
        known, wrong, count = {}, [], 0
        for page in pages():
            text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", read(page)))
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                path, _, anchor = target.partition("#")
                where = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if not os.path.exists(os.path.join(ROOT, where)):
                    wrong.append(f"{page}: no {target}")
                elif anchor and where.endswith(".md"):
                    known.setdefault(where, None)
                    if known[where] is None:
                        known[where] = anchors(read(where))
                    if anchor not in known[where]:
                        wrong.append(f"{page}: no anchor {target}")
        self.assertEqual(wrong, [])
        self.assertGreater(count, 900)

    def test_every_function(self):
        there, names = {}, functions()
        self.assertGreater(len(names), 200)
        for page in pages():
            if not page.startswith("docs"):
                continue
            for heading, body in re.findall(r"^### (mpx_[\w, ]+)$(.*?)(?=^### |^## |\Z)", read(page), re.MULTILINE | re.DOTALL):
                example = body.partition("\nExample:\n")[2]
                for name in heading.split(", "):
                    if name in names:
                        there.setdefault(name, []).append((page, re.search(rf"\b{name}\(", example) is not None))
        self.assertEqual(sorted(names - set(there)), [], "on no page")
        self.assertEqual([name for name, where in there.items() if len(where) != 1], [], "on more than one page")
        self.assertEqual([name for name, where in there.items() if not where[0][1]], [], "without an example")

    def test_numbers(self):
        page, done = read("docs/which-dtype.md"), subprocess.run([PROGRAM], stdout=subprocess.PIPE, text=True)
        tables = re.findall(r"((?:\|.*\n)+)<!-- /(\w+) -->", done.stdout)
        self.assertEqual((done.returncode, [name for _, name in tables]), (0, ["floats", "formats"]))
        for table, name in tables:
            self.assertIn(f"<!-- {name} -->\n{table}<!-- /{name} -->", page)

    def test_guide(self):
        """What the guide says its program prints: tests of the examples compare that with the program."""
        example = read("examples/guide.c").split("*/")[0]
        shown = [line for line in FENCE.sub("", read("docs/guide.md")).split("\n") if line.startswith("    ")]
        self.assertGreater(len(shown), 10)
        self.assertEqual([line for line in shown if line.strip().split(" && ")[0] not in example], [])

    def test_help(self):
        """make help lists every target that says what it does."""
        calm = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        said = subprocess.run(["make", "-s", "help"], cwd=ROOT, env=calm, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(re.findall(r"^([\w-]+):.*## ", read("Makefile"), re.MULTILINE),
                         re.findall(r"^  make (\S+) +\S", said, re.MULTILINE))

    def test_index(self):
        index = read("docs/README.md")
        self.assertEqual([name for name in sorted(functions()) if f"| [`{name}`](" not in index], [])


if __name__ == "__main__":
    unittest.main()
