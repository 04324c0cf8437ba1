"""What a smaller copy of the header needs. The tools/amalgamate.py that makes one asks for two things.

edit    rooms, dtypes and instruction sets are written into config.h, detect.h and intro.h, with an #error for others
reach   branches that a selection cannot take are left out, and then what nothing refers to any more

An #if is decided by what is known of the names in it. It stays as it is where that is not enough: a compiler's macros
and the user's switches are not known. So the copy means what the whole header means with the same switches.
"""
import functools
import re
import textwrap

# ---- conditions: what a selection decides of them --------------------------------------------------------------------

# A value is two numbers: the bits that are 1, and the bits that may be 1. They are equal where all bits are known.
FALSE, TRUE, EITHER, UNKNOWN = (0, 0), (1, 1), (0, 1), (0, -1)
TOKEN = re.compile(r"defined\(\w+\)|\w+|&&|\|\||[=!<>]=|<<|>>|\S")
LEVELS = {"||": 1, "&&": 2, "|": 3, "&": 4, "==": 5, "!=": 5, **dict.fromkeys(["<", ">", "<=", ">="], 6), "<<": 7, ">>": 7,
          "+": 8, "-": 8, "*": 9, "/": 9, "%": 9}


def truth(value):
    """True or False where the value decides, else None."""
    return True if value[0] else False if not value[1] else None


def combine(operator, left, right):
    """The value of an operation. Arithmetic and order decide nothing here: no switch depends on them."""
    (ones, maybe), (other_ones, other_maybe) = left, right
    if operator == "&":
        return ones & other_ones, maybe & other_maybe
    if operator == "|":
        return ones | other_ones, maybe | other_maybe
    if operator in ("==", "!="):
        if ones & ~other_maybe or other_ones & ~maybe:
            return FALSE if operator == "==" else TRUE
        if left == right and ones == maybe:
            return TRUE if operator == "==" else FALSE
        return EITHER
    if operator in ("&&", "||"):
        truths, deciding = (truth(left), truth(right)), operator == "||"
        return (int(deciding),) * 2 if deciding in truths else EITHER if None in truths else (int(not deciding),) * 2
    return UNKNOWN


def parse_operand(tokens, known):
    token = tokens.pop() if tokens else ""
    if token == "(":
        value, text = parse(tokens, known)
        if tokens:
            tokens.pop()
        return value, f"({text})"
    if token in ("!", "~"):
        value, text = parse_operand(tokens, known)
        opposite = {True: FALSE, False: TRUE, None: EITHER}[truth(value)]
        return opposite if token == "!" else (~value[1], ~value[0]), token + text
    if re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)[uUlL]*", token):
        return (int(token.rstrip("uUlL"), 0),) * 2, token
    private = re.fullmatch(r"defined\((MPX__\w+)\)", token)
    return FALSE if private and private.group(1) not in known else known.get(token, UNKNOWN), token


def parse(tokens, known, level=1):
    """The expression at the end of the reversed tokens: its value, and its text without operands of && and || that do
    not matter."""
    value, text = parse_operand(tokens, known)
    while tokens and LEVELS.get(tokens[-1], 0) >= level:
        operator = tokens.pop()
        right, right_text = parse(tokens, known, LEVELS[operator] + 1)
        neutral = {"&&": True, "||": False}.get(operator)
        if neutral is not None and truth(right) is neutral:
            continue
        if neutral is not None and truth(value) is neutral:
            value, text = right, right_text
            continue
        text = f"{text} {operator} {right_text}"
        value = known.get(text, combine(operator, value, right))
    return value, text


def evaluate(text, known):
    """(value, text) as parse gives them; UNKNOWN for what is no expression."""
    tokens = TOKEN.findall(text.replace("\\\n", " ").split("/*")[0])[::-1]
    value, simple = parse(tokens, known)
    return (UNKNOWN, text) if tokens else (value, simple)


def wrap(text, end="", indent="    "):
    return f"{end}\n".join(textwrap.wrap(text, 98, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def directive(text):
    """A directive, wrapped, but not at == and !=."""
    return wrap(re.sub(" (==|!=) ", "\xa0\\1\xa0", f"#{text}"), " \\").replace("\xa0", " ") + "\n"


LINE = re.compile(r"(?:.*\\\n)*.*\n")  # with those that continue it
DIRECTIVE = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif|define)\b *((?:\\\n|.)*)")
CONDITIONS = {"if": "{}", "elif": "{}", "ifdef": "defined({})", "ifndef": "!defined({})"}


def decide(text, fixed):
    """The text without the branches that cannot be taken, and without conditions that always hold. fixed: the values of
    names. Private names have those that they were defined with so far: each name in an #if is defined (-Wundef)."""
    known, out, stack = dict(fixed), [], []  # of each open #if: its branch is kept, an #if is written, a branch is certain
    for line in LINE.findall(text):
        match = DIRECTIVE.match(line)
        word, rest = match.groups() if match else ("", "")
        if word in ("if", "ifdef", "ifndef"):
            stack.append([True, False, False])
        alive = all(kept for kept, _, _ in (stack[:-1] if word in (*CONDITIONS, "else", "endif") else stack))
        if word in CONDITIONS:
            _, written, certain = stack[-1]
            condition = CONDITIONS[word].format(rest.replace("\\\n", " ").split("/*")[0].strip())
            value, simple = evaluate(condition, known)
            keep = not certain and truth(value) is not False
            stack[-1] = [keep, written or (keep and truth(value) is None), certain or truth(value) is True]
            if alive and keep and truth(value) is None:
                same = "".join(simple.split()) == "".join(condition.split()) and written == (word == "elif")
                out.append(line if same else directive(("elif " if written else "if ") + simple))
            elif alive and keep and written:
                out.append("#else\n")
        elif word == "else":
            keep = not stack[-1][2]
            stack[-1] = [keep, stack[-1][1], True]
            if alive and keep and stack[-1][1]:
                out.append(line)
        elif word == "endif":
            written = stack.pop()[1]
            if alive:
                out.append(line if written else GONE)
        elif alive:
            name = re.match(r"(MPX_(?:_|WITH_)\w+)(\(?)", rest) if word == "define" else None
            if name and fixed.get(name.group(1)) == FALSE:
                continue
            if name and name.group(1) not in fixed:
                value = UNKNOWN if name.group(2) else evaluate(rest[name.end():], known)[0]
                ones, maybe = known.get(name.group(1), value)
                known[name.group(1)] = ones & value[0], maybe | value[1]
            out.append(line)
    return "".join(out)


def expand(text):
    """Macros that have one definition, and take arguments for nothing, replaced by what they are."""
    for name, body in re.findall(r"^#define (MPX__\w+)\([\w, ]+\) (MPX__\w+)$", text, re.M):
        if len(re.findall(rf"^#define {name}\b", text, re.M)) == 1:
            text = re.sub(rf"(?<!#define )\b{name}\([^()]*\)", body, text)
    return text


# ---- names: what nothing refers to -----------------------------------------------------------------------------------

GONE = "\0\n"  # stands where something was left out, for tidy()
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def bare(item):
    return COMMENT.sub("", item) if "/*" in item else item


@functools.lru_cache(None)
def words_in(item):
    return set() if item.startswith("#undef") else set(re.findall(r"\w+", bare(item)))


def split_items(text):
    """Blank lines, comments, directives and definitions. A definition ends as the style has it: its body with a } at the
    start of a line."""
    items, lines, at = [], LINE.findall(text), 0
    while at < len(lines):
        item, has_body, at = lines[at], False, at + 1
        is_code = item[0] not in "#/}\0\n" and not item.startswith('extern "C"')
        while at < len(lines) and (is_code or "/*" in item):
            code = bare(item).rstrip()
            has_body = has_body or code.endswith("{")
            whole = code.endswith((";", "}", ")")) and code.count("(") == code.count(")")
            if "/*" not in code and (not is_code or (lines[at - 1][0] == "}" if has_body else whole)):
                break
            item, at = item + lines[at], at + 1
        items.append(item)
    return items


@functools.lru_cache(None)
def defined_names(item, optional):
    """The names for whose sake alone an item is there, none if it stays: private ones, types, those in the map, and
    other public ones that are optional."""
    code = bare(item).strip()
    if code.startswith("#"):
        return re.findall(rf"^#(?:define|undef) (MPX__\w+|mpx_\w+(?= MPX__(?:JOIN|HERE)\b)|{optional})", code)
    if code.startswith("enum"):
        names = re.findall(r"[{,]\s*(\w+)", code)
        return names if all(re.match(rf"MPX__|{optional}", name) for name in names) else []
    if code.startswith("typedef enum"):
        return re.findall(r"(?<=[{,])\w+|mpx_\w+(?=;$)", re.sub(r"\s+", "", code))
    if code.startswith("typedef"):
        found = re.match(r"typedef [^;{]*\(\*(mpx_\w+)\)|typedef (?!char).*\b(mpx_\w+);$", code, re.DOTALL)
    else:
        found = re.match(rf"MPX__\w+\((mpx__\w+)|struct (mpx_\w+) \{{|[^(\[={{;]*?\b(mpx__\w+|{optional})\s*[(\[={{;]", code)
    return [name for name in found.groups() if name] if found and not code.startswith(("MPX_API ", "MPX__API ")) else []


def sweep(text, optional):
    """The text without definitions that no other part of it needs."""
    items = split_items(text)
    names = [defined_names(item, optional) for item in items]
    words = [words_in(item) for item in items]
    needed, grown = set(), True
    while grown:
        before = len(needed)
        for mine, said in zip(names, words):
            if not mine or not needed.isdisjoint(mine):
                needed |= said
        grown = len(needed) != before
    return "".join(GONE if mine and needed.isdisjoint(mine) else item for mine, item in zip(names, items))


BLANKS = [(re.compile(pattern), new) for pattern, new in (
    # the comment of what is gone, conditions around nothing, and headings over nothing
    (r"\n/\*[^*\0]*(?:\*(?!/)[^*\0]*)*\*/\n(?:\0\n)*\0(?=\n(?:\n|/\*|#|\Z))", ""),
    (r"\0\n", ""),
    (r"\n#(?:else|elif)(?:.*\\\n)*.*(?=\n\s*#endif)", ""),
    (r"\n#if(?:.*\\\n)*.*\n\s*#endif.*", "\n\0"),
    (r"\n/\* ---- .* -+ \*/\n\s*(?=/\* ----|/\*====|#endif|#else)", "\n"),
    (r"\n/\*=+\*\n(?: \*.*\n)+? \*=+\*/\n\s*(?=/\*=)", "\n"),
    (r"\n{3,}", "\n\n"))]


def tidy(text):
    for pattern, new in BLANKS:
        text = pattern.sub(new, text)
    return text


def reach(text, fixed, optional):
    """What a selection can reach of the text."""
    before = None
    while text != before:
        before, text = text, tidy(sweep(expand(decide(text, fixed)), optional))
    return text


# ---- the selection ---------------------------------------------------------------------------------------------------

NEEDS = {"vertex": ["cast_with"], "quant": ["cast_with"], "policy_map": ["policy"], "regex": ["policy_map"],
         "weights": ["tree", "policy_map", "stats", "cast_with", "reduce"],
         "keras": ["policy", "dialects"], "default_policy": ["policy"], "files": ["interop"]}
# Constants and macros of types.h that belong to a room, by how they begin after MPX_.
PREFIXES = {"cast_with": "ROUND_|LAYOUT_", "vertex": "VERTEX_", "quant": "SCHEME_|SCOPE_|SCALE_", "tree": "TREE_|PATH_|LEAF|NODE|FIELD|MEMBER_|REDO_",
            "policy_map": "PATTERN|MAP_", "keras": "QUANT_", "interop": "SYSTEM_", "promote": "WEAK_", "amp": "AMP_"}
DISPATCHED = {"sse2", "avx2", "avx512"}  # what MPX_DISPATCH chooses from
EMPTY = '""'  # a list without names, as a shell takes it
NOTE = """
   A SMALLER COPY, made by
       tools/amalgamate.py {}
   Here the whole mpx.h says what it does and promises, and lists its functions. This copy has
{}
"""
LEFT_OUT = ["WHAT IT DOES", "OPTIONS", "GUARANTEES", "INSTRUCTION SETS", "FUNCTIONS", "TABLE OF CONTENTS"]  # of the opening comment
WRONG = """\
#error "mpx.h: this smaller copy does not have this {0}; it has {1}"
"""
NO_SWITCH = """\
#if defined({0}) && 0 - {0} - 1 != -1
#error "mpx.h: this smaller copy does not have {0}"
#endif
"""


def choose(what, known, wanted, always):
    """Of the known names those that are wanted, and one that is always there."""
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ValueError(f"no {what} {', '.join(unknown)}; there are {', '.join(known)}")
    return [name for name in known if name in wanted or name == always]


def with_needed(rooms):
    """The rooms, and those without which they are nothing."""
    more = [need for room in rooms for need in NEEDS.get(room, []) if need not in rooms]
    return with_needed([*rooms, *more]) if more else rooms


def names_in(pattern, text):
    return [name.lower() for name in re.findall(pattern, text, re.M)]


def fix_switch(text, switch, instead):
    """config.h with other lines in place of those that give a switch its default, and of their comment."""
    start = re.search(rf"^(?:/\*(?:(?!\*/).)*\*/\n)?#ifndef {switch}\n", text, re.M | re.S)
    depth, start, end = 1, start.start(), start.end()
    while depth:
        line = LINE.match(text, end).group()
        depth, end = depth + line.startswith("#if") - line.startswith("#endif"), end + len(line)
    return text[:start] + instead + text[end:]


class Selection:
    """Rooms, dtypes and instruction sets, each a list of names, or None: all. Without them --rooms means plain C."""

    def __init__(self, config, detect, rooms, dtypes, isas):
        with_bits = dict(re.findall(r"^#define MPX_WITH_(?!ALL)(\w+) (\w+)$", config, re.M))
        self.bits = {name.lower(): int(number, 16) for name, number in with_bits.items()}
        self.all_isas = names_in(r"^#define MPX_ISA_(\w+) \d+$", detect)
        switches = names_in(r"^#ifndef MPX_NO_(\w+)$", config)
        options = (("--rooms", rooms), ("--dtypes", dtypes), ("--isa", isas))
        self.command = " ".join(f"{option} {','.join(names) or EMPTY}" for option, names in options if names is not None)
        if rooms is not None and isas is None and not {"vectors", "dispatch"} & set(rooms):
            isas = []
        self.dtypes = choose("dtype", list(self.bits), self.bits if dtypes is None else dtypes, "f32")
        self.isas = choose("instruction set", self.all_isas, self.all_isas if isas is None else isas, "scalar")
        can_dispatch, has_f64 = DISPATCHED <= set(self.isas), "f64" in self.dtypes
        if rooms is None:
            wants_f64 = () if has_f64 else ("stats", "weights")
            rooms = [*(room for room in switches if room not in wants_f64), "compute", "files", *(["dispatch"] if can_dispatch else [])]
        self.rooms = choose("room", ["cast", "vectors", "dispatch", "compute", "files", *switches], with_needed(rooms), "cast")
        for what, is_there in (("room stats", "stats" in self.rooms), ("dtype c128", "c128" in self.dtypes)):
            if is_there and not has_f64:
                raise ValueError(f"the {what} needs the dtype f64")
        if "dispatch" in self.rooms and not can_dispatch:
            raise ValueError(f"dispatch needs the instruction sets {', '.join(sorted(DISPATCHED))}")
        self.absent = [room for room in switches if room not in self.rooms]
        self.off = [f"MPX_{room.upper()}" for room in ("dispatch", "compute", "files")
                    if room not in self.rooms and f"#ifndef MPX_{room.upper()}\n" in config]

    def known(self):
        """What a selection says of the names in conditions, for decide()."""
        fixed = {f"MPX_NO_{room.upper()}": TRUE for room in self.absent}
        for isa in set(self.all_isas) - set(self.isas):
            fixed[f"defined(MPX__HAS_{isa.upper()})"] = fixed[f"MPX_ISA == MPX_ISA_{isa.upper()}"] = FALSE
        if "wasm" not in self.isas:  # what plain C does better there
            fixed["defined(__wasm__)"] = fixed["defined(__wasm_bulk_memory__)"] = FALSE
        if self.isas == ["scalar"]:
            fixed["MPX_ISA == MPX_ISA_SCALAR"] = TRUE
        if len(self.dtypes) < len(self.bits):
            fixed["MPX__DTYPE_BITS"] = (self.bits["f32"], sum(self.bits[name] for name in self.dtypes))
        fixed.update((switch, FALSE) for switch in self.off)
        return fixed

    def optional(self):
        """The public names that go where nothing refers to them, a pattern."""
        patterns = [f"mpx_{name}_\\w+" for name in self.bits if name not in self.dtypes]
        patterns += [f"MPX_(?:{PREFIXES[room]})\\w*" for room in self.absent if room in PREFIXES]
        return "|".join(patterns) or "$."

    def edit(self, name, text):
        """A source file with the selection written into it."""
        if name == "intro.h":
            has = (("rooms", [room for room in self.rooms if room != "vectors"]), ("dtypes", self.dtypes),
                   ("instruction sets", self.isas))
            lists = "\n".join(wrap(f"       {what:18}{', '.join(names)}", "", " " * 25) for what, names in has)
            first, rest = text.split("\n", 1)
            is_smaller = self.absent or len(self.dtypes) < len(self.bits) or len(self.isas) < len(self.all_isas)
            runs = "policy" in self.rooms and "bf16" in self.dtypes  # the program of the opening comment
            for title in [*([] if runs else ["A PROGRAM"]), *(LEFT_OUT if is_smaller else [])]:
                rest = re.sub(rf"\n   {title}\b.*?(?=\n\n   [A-Z]{{2}}|\*/)", "", rest, count=1, flags=re.S)
            return first + "\n" + NOTE.format(self.command, lists) + rest
        if name == "config.h":
            for room in self.absent:
                switch = f"MPX_NO_{room.upper()}"
                text = text.replace(f"#undef {switch}\n#define {switch} 1\n", "")  # where another switch is 1
                text = re.sub(rf"\n       {switch} .*?( \*/)?(?=\n)", r"\1", text)
                text = fix_switch(text, switch, f"#undef {switch}\n#define {switch} 1 /* not in this copy */\n")
            for switch in self.off:
                text = fix_switch(text, switch, NO_SWITCH.format(switch))
            if "MPX_COMPUTE" in self.off:
                text = fix_switch(text, "MPX_USE_SLEEF", GONE)  # is looked at in that room alone
            if len(self.dtypes) < len(self.bits):
                constants = "(" + " | ".join(f"MPX_WITH_{name.upper()}" for name in self.dtypes) + ")"
                text = text.replace("#define MPX_DTYPES MPX_WITH_ALL\n", directive("define MPX_DTYPES " + constants)
                                    + directive("elif (MPX_DTYPES) & ~" + constants)
                                    + WRONG.format("dtype of MPX_DTYPES", ", ".join(self.dtypes)))
        if name == "detect.h" and len(self.isas) < len(self.all_isas):
            last = re.findall(r"^#define MPX_ISA_\w+ \d+\n", text, re.M)[-1]
            others = " && ".join(f"MPX_ISA != MPX_ISA_{isa.upper()}" for isa in self.isas)
            text = text.replace(last, last + directive("if defined(MPX_ISA) && " + others)
                                + WRONG.format("MPX_ISA", ", ".join(self.isas)) + "#endif\n")
        return text
