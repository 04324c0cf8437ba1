#!/usr/bin/env python3
"""Patterns of policy maps against Python's re, and globs against a recursive matcher, on random patterns and texts.

    test_pattern.py PROGRAM           PROGRAM: tests/pattern_lines.c with the library
    --count N, --seed N               how many patterns of each kind, and which

What is drawn is mostly in the subset that the header reads; what Python refuses must be refused, and what the header
refuses must be on the list of things it does not do. Ends with a line of counts; exit status 1 on a difference.
"""
import argparse
import functools
import random
import re
import signal
import subprocess
import sys
import warnings

# Beyond U+FFFF only letters are drawn: to the header, all that is not ASCII is a letter, but for spaces and bytes that
# are no characters.
WORDS = ["a", "b", "ab", "abc", "enc", "dec", "layer_0", "layer_12", "kernel", "/", "x/y", "é", "中", ".", "-", "_", "0", "7",
         "\n", " ", "A", "\U00020000", "\x1c", "\x1f"]
CLASSES = ["[a-c]", "[^/]", "[^a]", "[]a]", "[^]a]", "[a-]", "[-a]", "[0-9_]", r"[\d_]", r"[^\W]", r"[\]\\]", "[é-ü]", r"[\x61b]",
           r"[\s/]", "[.*+]", "[^^]", "[a^]", "[\U00020000-\U00020010]", r"[^\s]"]
ESCAPES = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\.", r"\*", r"\\", r"\/", r"\n", r"\t", r"\x61", r"\u00e9", r"\141", r"\0",
           r"\-", r"\U00020000", r"\034", r"\377"]
PLACES = ["^", "$", r"\A", r"\Z", r"\b", r"\B"]
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0}", "{1,2}", "{,2}", "{1,}", "{0,3}?", "{,}"]
ODD = ["{", "}", "]", "{2", "{a}", "(", ")", "[", "*", "+", "?", "|", "\\", "(?=a)", "(?!a)", "(?<=a)", "(?i)", "(?P=n)", r"\1",
       "(?>a)", "a*+", "{2,1}", r"\q", "(?#c)", "(?P<n>", "[b-a]", r"[a-\d]", r"\x6", r"\u12",
       r"\400", r"\777", r"\U00110000", r"\U00ffffff", "a{,65535}", "a{65535}", "a{65536}", "a{,65534}"]
# What stands before all else: flags, and what look-aheads may stand behind. Some are refused.
FLAGS = ["(?i)", "(?s)", "(?m)", "(?a)", "(?x)", "(?im)", "(?sa)", "(?i)(?s)", "(?x) (?i)", "(?aimsx)", "^(?i)", "(?u)", "(?)",
         "(?i", "(?z)", "(?x)(?m)"]
BEGINNINGS = ["", "", "^", r"\A", "^^", "a", "|", "(?:)", r"\b"]
COMMENT = r"#(?:[^\n\\]|\\[\s\S])*\n"  # a backslash takes the line's end with it
HEAD = re.compile(rf"((?:\(\?[aimsx]+\)|[ \t\n]|{COMMENT})*)((?:\^|\\A)?)(?:[ \t]|{COMMENT})*((?:\(\?[=!])?)")
# What Python reads and the header refuses.
REFUSED = re.compile(r"\(\?[^:P]|\(\?P[=>]|\\[1-9]|[*+?}]\+|\(\?:?$|\\N")


def name(draw):
    """Of a group; few, so that some stand twice in a pattern, which Python refuses; or none at all."""
    return draw.choice(["a", "ab", "_0", "\u00e9", "\u00e0", "\u00c5", "\u4e2d"] * 3 + ["", "0", "a\u00a0", "\u0085"])


def regex(draw, depth=0):
    """A random pattern."""
    parts = []
    for _ in range(draw.randint(0 if depth else 1, 4)):
        kind = draw.random()
        if kind < 0.4:
            part = re.escape(draw.choice(WORDS)) if draw.random() < 0.5 else draw.choice(["a", "b", "c", "/", "e", "é", "_"])
        elif kind < 0.5:
            part = "."
        elif kind < 0.62:
            part = draw.choice(CLASSES)
        elif kind < 0.72:
            part = draw.choice(ESCAPES)
        elif kind < 0.77:
            parts.append(draw.choice(PLACES))
            continue
        elif kind < 0.79:
            part = draw.choice(ODD)
        elif depth < 3:
            inner = "|".join(regex(draw, depth + 1) for _ in range(draw.choice([1, 1, 2, 2, 3])))
            part = draw.choice(["(", "(?:", "(", "(?P<%s>" % name(draw)]) + inner + ")"
        else:
            part = "a"
        nested = part.startswith("(") and re.search(r"[*+}]", part)  # re takes exponential time for some
        parts.append(part + (draw.choice(["?", "*"] if nested else REPEATS) if draw.random() < 0.35 else ""))
    if depth == 0 and draw.random() < 0.15:
        parts.insert(draw.randint(0, len(parts)), "|")
    return "".join(parts)


def regex_with_head(draw):
    """A random pattern; flags before it, or look-aheads: (?!.*norm).* is a pattern that people write."""
    if draw.random() < 0.6:
        return regex(draw)
    flags, head = draw.choice(FLAGS) if draw.random() < 0.6 else "", ""
    between = [" ", "# c)\n", "# \\\n)\\\\\n", "\t", "", ""] if "x" in flags else [""]
    if draw.random() < 0.7:
        head = draw.choice(BEGINNINGS)
        for _ in range(draw.choice([1, 1, 1, 2])):
            head += draw.choice(between) + draw.choice(["(?=", "(?!"]) + draw.choice(["", ".*"]) + regex(draw, 2) + ")"
    parts = [draw.choice(["", "", ".*"])] + [regex(draw, 2) for _ in range(draw.randint(0, 3))]
    return flags + draw.choice(between) + head + draw.choice(between) + draw.choice(between).join(parts)


def may_refuse(kind, pattern):
    """Does Python read more there than the header says that it does?"""
    flags, begun, ahead = HEAD.match(pattern).groups()
    if ahead and kind == "s" and (not begun or (begun == "^" and "m" in flags)):
        return True
    if "x" in flags:  # blanks that Python skips and the expression below does not
        pattern = re.sub(COMMENT + r"|\s", "", pattern)
    rest = pattern[HEAD.match(pattern).end():]
    if ahead and re.search(r"\)[*+?{]", rest):  # a look-ahead that is repeated
        return True
    return REFUSED.search(rest) is not None or "(?=)" in pattern or "(?!)" in pattern


def glob(draw):
    pieces = ["*", "**", "?", "/", "a", "b", "enc", "x", "é", "[ab]", "[!a]", "[^/]", "[a-c]", "[]]", "\\*", "\\[", "/**/", "**/",
              "/**", "***", "kernel", ".", "[é-ü]", "a.b", "[a\\]]"]
    odd = ["[", "\\", "[b-a]", "[]"]
    parts = [draw.choice(odd if draw.random() < 0.01 else pieces) for _ in range(draw.randint(1, 7))]
    return "".join(parts)


def some_text(draw, pattern):
    """A text that may match: pieces of the pattern itself, and of the words."""
    if draw.random() < 0.1:
        pattern = re.sub("[A-Za-z]", lambda m: m.group().swapcase(), pattern)
    if draw.random() < 0.3:
        plain = re.sub(r"[\\^$*+?(){}|\[\]!]|\(\?:", lambda m: draw.choice(["", "", "a", "b", "/"]), pattern)
        return plain.replace(".", draw.choice([".", "a", "/"]))
    letters = draw.choice(["ab", "abc/", "ab0_ ", "aé中b", "abc/\n", "enc/ab", "*[]a", "abAB", "ab\x1c\x1d\x1e\x1f",
                           "a\U00020000_b", "ab\udc80\udcff"])  # the last: bytes that are no characters
    return "".join(draw.choice(letters) for _ in range(draw.randint(0, 9)))


class Unreadable(Exception):
    """A glob that is none."""


def read_glob(pattern):
    """The items of a glob: characters, and functions of one; "*", "**", "**/" as words of their own."""
    items, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        if c == "*":
            stars = len(re.match(r"\*+", pattern[i:]).group())
            whole = i == 0 or pattern[i - 1] == "/"
            i += stars
            if stars >= 2 and whole and pattern[i:i + 1] == "/":
                items.append("**/")
                i += 1
            else:
                items.append("**" if stars >= 2 else "*")
        elif c == "?":
            items.append(lambda x: x != "/")
            i += 1
        elif c == "[":
            test, i = read_glob_class(pattern, i + 1)
            items.append(test)
        else:
            if c == "\\":
                i += 1
                if i == len(pattern):
                    raise Unreadable
            items.append(functools.partial(str.__eq__, pattern[i]))
            i += 1
    return items


def read_glob_class(pattern, i):
    negated, members, first = pattern[i:i + 1] in ("!", "^"), [], True
    i += negated

    def one(i):
        if pattern[i:i + 1] == "\\":
            i += 1
        if i >= len(pattern):
            raise Unreadable
        return pattern[i], i + 1

    while first or pattern[i:i + 1] != "]":
        first = False
        low, i = one(i)
        high = low
        if pattern[i:i + 1] == "-" and pattern[i + 1:i + 2] not in ("]", ""):
            high, i = one(i + 1)
        if high < low:
            raise Unreadable
        members.append((low, high))
    return lambda x: x != "/" and negated != any(low <= x <= high for low, high in members), i + 1


def glob_matches(items, text):
    """The plainest recursion."""
    @functools.lru_cache(None)
    def at(i, k):
        if i == len(items):
            return k == len(text)
        item = items[i]
        if item == "**/":
            return at(i + 1, k) or any(text[m] == "/" and at(i + 1, m + 1) for m in range(k, len(text)))
        if item == "**":
            return any(at(i + 1, m) for m in range(k, len(text) + 1))
        if item == "*":
            return at(i + 1, k) or (k < len(text) and text[k] != "/" and at(i, k + 1))
        return k < len(text) and item(text[k]) and at(i + 1, k + 1)
    return at(0, 0)


def expected(kind, pattern, text):
    """True, False, or None for a pattern that is none. A text that reads as the pattern is met exactly."""
    try:
        if kind == "g":
            items = read_glob(pattern)
            return text == pattern or glob_matches(items, text)
        compiled = re.compile(pattern)
    except (re.error, Unreadable, OverflowError, RecursionError):
        return None
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        return text == pattern or bool(compiled.fullmatch(text) if kind == "r" else compiled.search(text))
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class TooLong(Exception):
    """Python's re goes back and forth."""


def too_long(*_):
    raise TooLong


def sets():
    """Every set of characters on all of U+0000 to U+00FF and on the neighbours of the other blanks. Beyond ASCII all
    but blanks are \\w here, as in Python's (?a) none are."""
    blanks = [0x1680, *range(0x2000, 0x200b), 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]
    codes = {*range(0x100), 0x180e, 0xfeff, *(blank + step for blank in blanks for step in (-1, 0, 1))}
    for code in sorted(codes):
        for word in "dswDSW":
            if code < 0x80 or word not in "wW":
                yield "r", "\\" + word, chr(code)
            yield "r", "(?a)[\\" + word + "]", chr(code)


def hexed(text):
    return "x" + text.encode("utf-8", "surrogateescape").hex()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGVTALRM, too_long)
    draw, questions = random.Random(options.seed), list(sets())
    for kind in "grs":
        for _ in range(options.count):
            pattern = glob(draw) if kind == "g" else regex_with_head(draw)
            texts = [some_text(draw, pattern) for _ in range(4)]
            # Python 3.14 has changed whether \B is true of the empty text
            questions += [(kind, pattern, text) for text in texts if text or "\\B" not in pattern]
    lines = "".join(f"{kind} {hexed(pattern)} {hexed(text)}\n" for kind, pattern, text in questions)
    done = subprocess.run([options.program], input=lines, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    answers = done.stdout.splitlines()
    failed, counts = 0, {"1": 0, "0": 0, "refused by both": 0, "refused here": 0, "too long for re": 1}
    for (kind, pattern, text), answer in zip(questions, answers):
        try:
            want = expected(kind, pattern, text)
        except TooLong:
            counts["too long for re"] += 1
            continue
        if answer.startswith("bad"):
            too_large = answer.endswith(" 0") and (len(pattern) > 60 or "6553" in pattern)
            good = want is None or too_large or (kind != "g" and may_refuse(kind, pattern))
            counts["refused by both" if want is None else "refused here"] += 1
        else:
            good = want is not None and answer == str(int(want))
            counts[answer] = counts.get(answer, 0) + 1
        failed += not good
        if not good and failed <= 10:
            print(f"{kind} {pattern!r} on {text!r}: got {answer}, expected {want}")
    if len(answers) != len(questions) or min(counts.values()) == 0:
        print(f"{len(answers)} answers to {len(questions)} questions, {counts}")
        failed += 1
    print(f"test_pattern: {len(questions)} questions, {counts['1']} match, {counts['0']} do not, {counts['refused by both']} "
          f"are no pattern, {counts['refused here']} are refused here alone, {counts['too long for re'] - 1} are too long "
          f"for re; {failed} failed")
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
