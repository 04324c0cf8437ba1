#!/usr/bin/env python3
"""The reference in docs/: from the comments of the declarations in src/, one page per topic, and the index.

A page is a part written by hand, the line MARKER, and what this script makes. Which page a name belongs to says PAGES:
the longest prefix decides. The example of a function is the paragraph that calls it first, in the
function of docs/examples.c for its page.

    python3 tools/reference.py           write the pages
    python3 tools/reference.py --numbers PROGRAM    write also the tables that docs/numbers.c prints
    python3 tools/reference.py --check   say which pages are stale, or which function lacks a page or an example
"""
import argparse
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARKER = "<!-- reference: tools/reference.py makes what follows from src/ -->\n"
EXAMPLES, SUMMARIES = "docs/examples.c", "docs/summaries.txt"
PAGES = {  # prefixes of names; more of a name than another page has wins
    "library": "mpx_version mpx_isa mpx_status mpx_error mpx_subject MPX_VERSION MPX_ERROR MPX_PATH",
    "dtypes": "mpx_dtype mpx_kind mpx_dialect mpx_parse_options",
    "casts": "mpx_cast mpx_round mpx_f8_rebias mpx_f16 mpx_bf16 mpx_f8e mpx_int_rounding mpx_layout",
    "buffers": "mpx_all_finite mpx_any_infinite mpx_amax mpx_sum mpx_scale mpx_unscale mpx_add",
    "vertices": "mpx_vert mpx_attribute",
    "quantization": "mpx_quant mpx_dequantize mpx_float8 mpx_fake mpx_scheme mpx_scope mpx_scale_rule MPX_AMAX",
    "trees": "mpx_tree mpx_leaf mpx_leaves mpx_tensor mpx_cursor mpx_arena mpx_field mpx_next mpx_retype mpx_keep "
             "mpx_cast_report MPX_TREE MPX_LEAF MPX_NODE MPX_FIELD MPX_MEMBER",
    "threads": "mpx_parallel mpx_cast_parallel mpx_tree_cast_parallel mpx_task mpx_run",
    "policies": "mpx_policy mpx_default_policy mpx_role mpx_quantization MPX_POLICY",
    "policy-maps": "mpx_policy_map mpx_map mpx_layer mpx_layers mpx_match mpx_patterns MPX_PATTERN MPX_MAP",
    "weights": "mpx_weight mpx_grow",
    "loss-scales": "mpx_loss_scale mpx_grad MPX_LOSS_SCALE MPX_REDO",
    "amp": "mpx_amp MPX_AMP",
    "compute": "mpx_dot mpx_mat mpx_activat mpx_pow mpx_softmax mpx_log_softmax mpx_layer_norm mpx_rms mpx_norm "
               "mpx_cross mpx_rotary mpx_optimizer",
    "interop": "mpx_interop mpx_dtype_suggest mpx_dtype_promote mpx_system mpx_dlpack",
    "files": "mpx_file mpx_tree_of_file MPX_FILE_RANK",
    "options": "MPX_",
}


class Item:
    """What one comment documents: functions, or types and macros."""

    def __init__(self, comment, kind, conditions):
        self.comment, self.kind, self.conditions = comment, kind, conditions
        self.code, self.names, self.page, self.before = "", [], "", []

    def heading(self):
        return ", ".join(self.names if self.kind == "function" else self.names[:1])


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def rooms():
    """The files of the declaration half, in their order."""
    half = read("src/mpx.h").split("#define MPX_H\n")[1].split("#endif")[0]
    return [name for name in re.findall(r'#include "(\w+\.h)"', half) if name != "names.h"]


def plain(comment):
    """The text of a comment, without what makes it one; of a banner, what follows the name of the room."""
    if comment.startswith("/*==="):
        lines = [re.sub(r"^ \* ?|\s*\*+/?$", "", line) for line in comment.splitlines()[1:-1]]
        text = textwrap.dedent("\n".join(line for line in lines[1:]))
        title = lines[0].split(" - ", 1)[1].strip()
        return f"{title if title.startswith('mpx_') else title[0].upper() + title[1:]}. {text}"
    text = re.sub(r"^/\*\s?|\s*\*/$", "", comment)
    first, _, rest = text.partition("\n")
    return first + ("\n" + textwrap.dedent(rest) if rest else "")


# ---- sources ---------------------------------------------------------------------------------------------------------

def builds(conditions):
    """In which builds something is, by the conditions that it stands in: "MPX_COMPUTE", "!MPX_NO_TREE"."""
    names = [f"`{name}`" for name in dict.fromkeys(conditions)]
    needed = " and ".join(name for name in names if "!" not in name)
    without = " or ".join(name.replace("!", "") for name in names if "!" in name)
    return (f"builds with {needed}" if needed else "all builds") + (f" but those with {without}" if without else "")


PIECE = re.compile(r"""
    (?P<comment>^/\*.*?\*/$)
    |(?P<function>^(?:MPX_API|MPX__INLINE)\ [^;{]*)(?:;|\{[^\n]*\}$|\{.*?^\})
    |(?P<typed>^MPX__TYPED\(mpx.*?\)$)
    |(?P<type>^(?:typedef|struct|enum)\ [^;{]*(?:\{(?:[^{};]*\}|[^\n]*\}|.*?^\})[^;]*)?;[^\n]*
              |^\#ifdef\ __cplusplus\n\#define.*?^\#endif|^\#define\ MPX_(?!API)[A-Z](?:[^\n]*\\\n)*(?:/\*.*?\*/|[^\n])*)
    |(?P<if>^\#\s*if[^\n]*)|(?P<endif>^\#\s*endif)
    |(?P<blank>^$)""", re.DOTALL | re.MULTILINE | re.VERBOSE)


def declarations(text):
    """The items of a room, in their order. A comment is about what follows it down to a blank line or, for functions, the
    next comment; before a blank line, it is about all that follows."""
    items, conditions, free, comment, item = [], [], [], None, None
    for piece in PIECE.finditer(text):
        kind = piece.lastgroup
        code = piece.group(kind)
        if kind == "if":
            conditions.append(re.findall(r"!?\bMPX_(?!H\b)\w+", code))
        elif kind == "endif":
            conditions.pop()
        elif kind == "comment" and re.match(r"/\* -{4} .* -+( \*/|$)", code, re.MULTILINE):  # the heading of a section
            comment, item = "/* " + code.split("\n", 1)[1].strip() if "\n" in code else None, None
        elif kind == "comment" and item and item.kind == "type":
            item.code += code + "\n"
        elif kind in ("comment", "blank"):
            free += [comment] if comment else []
            comment, item = code or None, None
        else:
            if kind == "typed":
                name, _, source, _, target = re.match(r"MPX__TYPED\((\w+), (\w+), (\w+), (\w+), (\w+)\)", code).groups()
                kind, code = "function", f"mpx_status {name}({target} *dst, const {source} *src, size_t n)"
            if item is None or item.kind != kind or comment:
                about = comment or (free.pop() if kind == "function" and free else None)
                item = Item(about, kind, sum(conditions, []))
                item.before, free, comment = free, [], None
                items.append(item)
            if kind == "function":  # as if it had been written without the word in front
                code = re.sub(r"\n {8}", "\n", re.sub(r"^(?:MPX_API|MPX__INLINE) ", "", code)).rstrip() + ";"
            item.code += code + "\n"
    return items


def options(text):
    """The options of config.h: one item each, with the value it has by default."""
    items, comments = [], []
    for match in re.finditer(r"^(/\*[^\0]*?\*/)$|^#ifndef (MPX_\w+)(.*\n(?:#(?!endif|elif 0).*\n)*)", text, re.MULTILINE):
        comment, name, block = match.groups()
        if comment:
            comments.append(comment)
            continue
        value = re.match(rf".*\n(#define {name}\b.*?) *(/\*|\n)", block)
        beside = re.search(r"/\*.*\*/", block)
        item = Item(beside.group(0) if beside else comments.pop() if comments else None, "option", [])
        item.names, item.before, comments = [name], comments, []
        item.code = value.group(1) + "\n" if value else ""
        items.append(item)
    return items


def names_of(item):
    """The public names that it declares: functions; or types and macros, types first; or constants."""
    if item.kind == "function":
        return re.findall(r"\b(mpx_[a-z]\w*)\(", item.code)
    code = re.sub(r"/\*.*?\*/", "", item.code, flags=re.DOTALL)
    if code.startswith("enum {"):
        return re.findall(r"\b(MPX_[A-Z]\w+) =", code)
    return (re.findall(r"^(?:} |typedef (?:struct|enum) .*} |struct |typedef [^{;]*\(\*)(mpx_[a-z]\w*)(?:;|\)| \{$)", code,
                       re.MULTILINE) + re.findall(r"^#define (MPX_[A-Z]\w+)", code, re.MULTILINE))


def page_of(name):
    for length in range(len(name), 0, -1):
        for page, prefixes in PAGES.items():
            if name[:length] in prefixes.split():
                return page
    sys.exit(f"reference: {name} belongs to no page: add a prefix to PAGES in tools/reference.py")


def all_items():
    items = []
    for room in rooms():
        items += (options if room == "config.h" else declarations)(read(f"src/{room}"))
    kept = []
    for item in items:
        if item.kind != "option":
            item.names = list(dict.fromkeys(names_of(item)))
        if not item.names:
            continue
        item.page = page_of(item.names[0])
        kept.append(item)
    return kept


# ---- examples --------------------------------------------------------------------------------------------------------

def examples():
    """{(page, function): the paragraph of the page's function in EXAMPLES that calls it first}"""
    found = {}
    text = re.sub(r"^#(?:.*\\\n)*.*\n", "", read(EXAMPLES), flags=re.MULTILINE)
    for page, body in re.findall(r"^static void example_(\w+)\(void\) \{\n(.*?)^\}$", text, re.MULTILINE | re.DOTALL):
        for paragraph in re.split(r"\n\s*\n", body):
            code = textwrap.dedent(paragraph).strip("\n")
            for name in re.findall(r"\b(mpx_[a-z0-9]\w*)\(", code):
                found.setdefault((page.replace("_", "-"), name), code)
    return found


# ---- Markdown --------------------------------------------------------------------------------------------------------

def blocks_of(comment):
    """The blocks of a comment: ("text", "", text), ("item", label, text) or ("code", "", text).

    An item is a line with a label, two blanks or more, and text; what goes on at the column of that text belongs to it.
    Other lines that are indented by four are code."""
    blocks, column, joined = [], 0, False  # joined: the next line may go on with the last block
    lines = plain(comment).split("\n")
    for line, after in zip(lines, lines[1:] + [""]):
        indent = len(line) - len(line.lstrip())
        kind = blocks[-1][0] if blocks else ""
        label = re.match(r" {0,2}((?:[^\s,]+,? ?){1,4}?) {2,}(?=\S)", line)
        if column and not label and re.match(r"\S.{,20}? {2,}\S", after):  # a label may fill its column
            label = re.match(rf"(\S.{{{column - 3}}}\S) (?=\S)", line)
        if not line.strip():
            blocks += [["code", "", ""]] if kind == "code" else []
            joined = False
        elif label and label.end() < 30 and indent < 4:
            column, joined = label.end(), True
            blocks.append(["item", label.group(1).strip().rstrip(":"), line[column:]])
        elif column and indent == column and kind == "item":
            blocks[-1][2] += " " + line.strip()
        elif indent >= 4:
            blocks.append(["code", "", line])
            joined = False
        elif joined and kind == "text":
            blocks[-1][2] += " " + line.strip()
        else:
            blocks.append(["text", "", line.strip()])
            joined = True
    merged = []
    for block in blocks:
        if block[0] == "code" and merged and merged[-1][0] == "code":
            merged[-1][2] += "\n" + block[2]
        else:
            merged.append(block)
    return [(kind, label, textwrap.dedent(text).strip("\n")) for kind, label, text in merged]


# What is code within a sentence: `x`, "text", names of ours, *out, _KEY, a->b, a[i].b
CODE = re.compile(r"""`[^`]+`|"[^"\n]*"|\b(?:mpx|MPX)_\w*\w(?:->\w+|\.[a-z]\w+)?|(?<![\w*)\]] )(?<!\w)\*\w+
                      |(?<![\w`])_[A-Z]\w*|\b[a-z]\w*(?:->\w+(?:\[\w*\])?)+|\b[a-z]\w*\[\w*\](?:\.\w+)?""", re.VERBOSE)


class Writer:
    """Comments as Markdown; names become links."""

    def __init__(self, items):
        self.where = {}  # name: (page, anchor)
        for item in items:
            for name in item.names:
                anchor = name if item.kind == "function" else item.names[0]
                self.where[name] = item.page, anchor.lower()
        functions = {self.where[name] for item in items if item.kind == "function" for name in item.names}
        for item in items:  # GitHub numbers the second of two headings that differ in case alone
            if item.kind != "function" and self.where[item.names[0]] in functions:
                self.where.update({name: (item.page, self.where[name][1] + "-1") for name in item.names})
        self.summaries = dict(line.split(" ", 1) for line in read(SUMMARIES).splitlines()[1:])
        unknown = set(self.summaries) - set(self.where)
        if unknown:
            sys.exit(f"reference: {SUMMARIES}: no such name: {' '.join(sorted(unknown))}")

    def link(self, name, page):
        target, anchor = self.where[name]
        return f"[`{name}`]({'' if target == page else target + '.md'}#{anchor})"

    def inline(self, text, page, own=()):
        def code(match):
            word = match.group(0)
            if word.startswith('"'):
                return f"`{word}`"
            word = word.strip("`")
            return self.link(word, page) if word in self.where and word not in own else f"`{word}`"

        def escape(text):
            return re.sub(r"([\\*\[\]<]|_(?=_)|(?<=_)_|(?<!\w)_)", r"\\\1", text)

        out, at = "", 0
        for match in CODE.finditer(text):
            out += escape(text[at:match.start()]) + code(match)
            at = match.end()
        return out + escape(text[at:])

    def prose(self, comment, page, own=(), conditions=()):
        """A comment: paragraphs, a list of what has a label, blocks of code; Stack, Source and Time end the list."""
        blocks, facts = blocks_of(comment), []
        if own:
            def take(match):
                facts.append(("item", match.group(1), match.group(2)))
                return ""
            fact = r"(?:(?<=[.)] )|^)(Stack|Source|Time):? ((?:[^.]|\.(?=\S))*(?:\.|$))(?:\s+|$)"
            blocks = [(kind, label, text if kind == "code" else re.sub(fact, take, text).strip())
                      for kind, label, text in blocks]
        if conditions:
            facts.append(("item", "In", builds(conditions) + "."))
        out, last = "", ""
        for kind, label, text in [block for block in blocks if block[2]] + facts:
            if kind == "item":
                mark = f"**{self.inline(label, page)}**" if label[0].isupper() else "`" + label.replace(", ", "`, `") + "`"
                out += ("" if last == "item" else "\n") + f"- {mark}: {self.inline(text, page, own)}\n"
            elif kind == "code":
                language = "c" if re.search(r";$", text, re.MULTILINE) else "text"
                out += f"\n```{language}\n{text}\n```\n"
            else:
                out += f"\n{self.inline(text, page, own)}\n"
            last = kind
        return out.strip("\n") + "\n" if out else ""

    def summary(self, name, item):
        """A line for the index: what SUMMARIES says, what the name says, or the first sentence of the comment."""
        if name in self.summaries:
            return self.inline(self.summaries[name], "")
        pair = re.fullmatch(r"mpx_(?:cast_)?([a-z0-9]+)_(to|from)_(\w+)", name)
        if pair:
            from_name, to_name = (pair.group(1), pair.group(3))[::1 if pair.group(2) == "to" else -1]
            whole = "an array of " if "_cast_" in name else "one value, inline: "
            return f"Cast {whole}{from_name} to {to_name}.".replace(" bits", " the bits of a float")
        if name.endswith("_n") and name[:-2] in self.where and item.kind == "function":
            return self.inline(f"{name[:-2]} for {'arrays' if 'scale' in name else 'text with a length'}.", "")
        comment = item.comment or re.search(r"/\*.*?\*/|$", item.code).group(0)
        if not comment:
            sys.exit(f"reference: {name} has no comment")
        text = " ".join(plain(comment).split("\n\n")[0].split())
        text = re.match(r"(?:[^.]|\.(?=\S))*(?<! i\.a)\.?", text).group(0).rstrip(".:")
        while len(text) > 160 and re.search(r"[;:,] ", text):
            text = re.match(r"(.*)[;:,] ", text).group(1)
        return self.inline(text + ".", "")


def reference(page, items, writer, lines):
    """What stands behind the marker of a page."""
    out = "\n"
    mine = [item for item in items if item.page == page]
    for title, kind in (("Functions", "function"), ("Types and macros", "type"), ("The options", "option")):
        if not any(item.kind == kind for item in mine):
            continue
        out += f"## {title}\n\n"
        common = set.intersection(*(set(item.conditions) for item in mine if item.kind == kind))
        if common:
            out += f"These {title.lower()} are in {writer.inline(builds(sorted(common)), page)}.\n\n"
        if kind == "function":
            out += "The examples are paragraphs of [examples.c](examples.c), which `make test` compiles and runs.\n\n"
        for item in mine:
            if item.kind != kind:
                continue
            for comment in item.before:
                out += writer.prose(comment, page) + "\n"
            if kind == "function" and len(item.names) > 1:
                out += "".join(f'<a id="{name}"></a>' for name in item.names) + "\n\n"
            out += f"### {item.heading()}\n\n" + (f"```c\n{item.code}```\n\n" if item.code else "")
            if item.comment:
                more = [name for name in item.conditions if name not in common]
                out += writer.prose(item.comment, page, item.names, more) + "\n"
            shown = []
            for name in item.names if kind == "function" else []:
                if lines[page, name] not in shown:
                    shown.append(lines[page, name])
            if shown:
                out += "Example:\n\n```c\n" + "\n\n".join(shown) + "\n```\n\n"
    return out.rstrip("\n") + "\n"


def index(items, writer):
    out = "\n"
    for title, kinds in (("Functions", ["function"]), ("Types, macros and options", ["type", "option"])):
        out += f"## {title}\n\n| name | what it is |\n|---|---|\n"
        for name, item in sorted((name, item) for item in items if item.kind in kinds for name in item.names):
            if item.kind == "type" and name != item.names[0] and name.startswith("MPX_"):
                text = f"See {writer.link(item.names[0], '')}."
            else:
                text = writer.summary(name, item)
            out += f"| {writer.link(name, '')} | {text.replace('|', chr(92) + '|')} |\n"
        out += "\n"
    return out.rstrip("\n") + "\n"


def numbers(program):
    """Write the tables of which-dtype.md, between their marks."""
    page = read("docs/which-dtype.md")
    printed = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    for table, name in re.findall(r"((?:\|.*\n)+)<!-- /(\w+) -->", printed):
        page = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)",
                      lambda match: match.group(1) + table + match.group(2), page, flags=re.DOTALL)
    with open(os.path.join(ROOT, "docs", "which-dtype.md"), "w", encoding="utf-8") as file:
        file.write(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--numbers", metavar="PROGRAM", help="docs/numbers.c, compiled")
    args = parser.parse_args()
    if args.numbers:
        numbers(args.numbers)
    items, stale = all_items(), []
    writer, lines = Writer(items), examples()
    missing = [f"{name} (example_{item.page.replace('-', '_')})" for item in items if item.kind == "function"
               for name in item.names if (item.page, name) not in lines]
    if missing:
        sys.exit(f"reference: no example in {EXAMPLES}: " + ", ".join(missing))
    for page in [*PAGES, "README"]:
        name = f"docs/{page}.md"
        text = read(name) if os.path.exists(os.path.join(ROOT, name)) else f"# {page}\n\n{MARKER}"
        if text.count(MARKER) != 1:
            sys.exit(f"reference: {name}: not one line {MARKER.strip()}")
        made = text.split(MARKER)[0] + MARKER + (index(items, writer) if page == "README" else
                                                reference(page, items, writer, lines))
        if made != text or not os.path.exists(os.path.join(ROOT, name)):
            stale.append(name)
            if not args.check:
                with open(os.path.join(ROOT, name), "w", encoding="utf-8") as file:
                    file.write(made)
    for name in stale:
        print(f"{'stale: make docs' if args.check else 'written'}: {name}")
    print(f"reference: {len(PAGES) + 1} pages, {sum(len(item.names) for item in items)} names, {len(stale)} "
          + ("stale" if args.check else "written"))
    return bool(args.check and stale)


if __name__ == "__main__":
    sys.exit(main())
