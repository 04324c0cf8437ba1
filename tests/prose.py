#!/usr/bin/env python3
"""The English of README.md, CONTRIBUTING.md and docs/: length, sentences, spelling, Markdown.

    python3 tests/prose.py --sentences    at most 3,500 words in README.md, 35 in a sentence outside tables and code
    python3 tests/prose.py                that, and cspell and markdownlint-cli2, which it installs into build/prose

Spelling is British; tests/prose/words.txt has the words that no dictionary knows.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README_WORDS, SENTENCE_WORDS = 3500, 35
TOOLS = "build/prose"
PACKAGES = ["cspell@9.8.0", "markdownlint-cli2@0.24.1"]


def pages():
    names = ["README.md", "CONTRIBUTING.md", "packages/README.md", "examples/web/README.md",
             *sorted(glob.glob("docs/*.md"))]
    return [name for name in names if os.path.exists(name)]


def written(text):
    """What a person wrote: without the part that tools/reference.py makes, code, tables, headings and addresses."""
    text = re.split(r"^<!-- reference: ", text, flags=re.MULTILINE)[0]
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?:    |\||#|<!--).*$", "\n", text, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", text)


def long_sentences(text):
    paragraphs = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) ", written(text), flags=re.MULTILINE)
    for paragraph in paragraphs:
        paragraph = re.sub(r"`[^`]*`", "code", " ".join(paragraph.split()))
        if " · " in paragraph:
            continue  # a line of links
        for sentence in re.split(r"(?<=[.!?])[*\")]* (?=[A-Z`\[*(0-9a-z])", paragraph):
            if len(sentence.split()) > SENTENCE_WORDS:
                yield sentence


def main():
    os.chdir(ROOT)
    failures = 0
    for page in pages():
        with open(page, encoding="utf-8") as file:
            text = file.read()
        if page == "README.md" and len(text.split()) > README_WORDS:
            print(f"{page}: {len(text.split())} words, at most {README_WORDS}")
            failures += 1
        for sentence in long_sentences(text):
            print(f"{page}: a sentence of {len(sentence.split())} words, at most {SENTENCE_WORDS}: {sentence}")
            failures += 1
    if "--sentences" not in sys.argv:
        if not shutil.which("npm"):
            print("SKIP prose: no npm here")
            return 77
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", TOOLS, *PACKAGES]
        if subprocess.run(install).returncode:
            print("SKIP prose: npm cannot install cspell and markdownlint-cli2")
            return 77
        for command in (["cspell", "--no-progress", "--no-summary", "--config", "tests/prose/cspell.json"],
                        ["markdownlint-cli2", "--config", "tests/prose/.markdownlint-cli2.yaml"]):
            done = subprocess.run([f"{TOOLS}/node_modules/.bin/{command[0]}", *command[1:], *pages()])
            failures += done.returncode != 0
    print(f"prose: {len(pages())} pages, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
