#!/usr/bin/env python3
"""Checks of the header's form: warnings, options, surroundings, symbols, macros, size, stack, amalgamation.

One function per check, the reason in its docstring (P and a number: a guarantee of the library). Every compiler of the
table in form/runner.py that is on this machine takes part; the others are counted as skipped. Writes only into a
temporary folder.

A compilation with code takes 2 to 12 s, without code 0.5 s. So what a front end decides is checked with -fsyntax-only;
what the optimiser decides at all levels by the newest compiler of each family, in C; and no build is made twice.

    python3 tests/form.py            everything
    python3 tests/form.py --quick    $CC and $CXX (else cc and c++), a sample of everything in 65 CPU seconds
    --header DIR                     the folder of the mpx.h to test (default: the repository; src: the fragments)
"""
import argparse
import functools
import itertools
import os
import platform
import re
import shlex
import shutil
import statistics
import sys
import tempfile
import time
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "form"))
from runner import C_WARNINGS, ROOT, WARNINGS, Bad, Compiler, Form, Skip, require  # noqa: E402

CROSS = ["s390x-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"]
TARGETS = ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "arm64-apple-macos12", "wasm32", "powerpc-linux-gnu"]
MICROSOFT, APPLE = ["x86_64-pc-windows-msvc", "i686-pc-windows-msvc", "aarch64-pc-windows-msvc"], ["arm64-apple-macos12"]
EVERYTHING = {  # what clang's -Weverything says of the header on purpose; all else must be silent
    "padded": "public structs are laid out to be read",
    "unsafe-buffer-usage": "C indexes pointers",
    "used-but-marked-unused": "every function is marked unused, so that a private copy warns nowhere",
    "declaration-after-statement": "only C89 forbids it",
    "switch-default": "this and covered-switch-default cannot both be content",
    "c++98-compat": "C++11 is the least",
    "c++98-compat-pedantic": "C++11 is the least",
    "pre-c11-compat": "C99 is tested by itself",
    "zero-as-null-pointer-constant": "NULL is C's",
    "reserved-identifier": "mpx__ is private by its two underscores",
    "reserved-macro-identifier": "MPX__ likewise",
    "unknown-warning-option": "this list is for all versions of clang",
}
# Arm's run-time helpers for integers: division, 64-bit shifts and products, switches. No float helper, no mem* or str*.
ARM_HELPERS = r"__aeabi_(u?idiv(mod)?|u?ldivmod|lmul|llsl|llsr|lasr|u?lcmp)|__gnu_thumb1_case_\w+|__clz[sd]i2"
ARM_COPIES = r"mem(cpy|set)"  # how GCC copies and clears structs in builds with OPTIONAL
# The one object that changes, as C and as C++ name it: three dtypes, two int16_t, two int32_t.
DEFAULT_POLICY, DEFAULT_POLICY_BYTES = r"(_ZL\d+)?mpx__default_policy", 28
OPTIONAL = ["-DMPX_COMPUTE=1", "-DMPX_FILES=1"]
OWN_LINES, FRAME_BYTES, COLUMNS = 705, 4096, 120
CHECKS = []


def check(name, quick=True):
    """Register a check; quick: it takes part in --quick."""
    return lambda function: CHECKS.append((name, function, quick))


def read(*parts):
    with open(os.path.join(ROOT, *parts), "rb") as file:
        return file.read()


def options_of_config(start):
    return re.findall(rf"^#ifndef ({start}\w+)", read("src", "config.h").decode("ascii"), re.MULTILINE)


def labels(compilers):
    return ", ".join(dict.fromkeys(cc.label for cc in compilers))


# ---- warnings --------------------------------------------------------------------------------------------------------


def flags_of_object(cc):
    """Those of the objects that are judged: by their warnings, symbols and frames. Without what the system adds."""
    frames = ["-fstack-usage", "-fcallgraph-info=su"] if cc.family == "gcc" else []
    return [*cc.strict, "-fno-stack-protector", *frames]


def levels_of(form, cc):
    """The levels of optimisation of these objects. Without optimisation clang calls memcpy to copy a struct."""
    if form.quick:
        return ["-O0" if cc.family == "gcc" else "-O1"]
    several = ["-O1", "-O2", "-O3", "-Os"] + ["-Og"] * (cc.family == "gcc")  # clang: the same as -O1
    return several if cc in form.newest and cc.language == "c" else ["-O2"]


def level_of_options(form, cc):
    """That of the objects with OPTIONAL: of C the one whose frames are judged."""
    return "-O2" if cc.language == "c" or not form.quick else levels_of(form, cc)[0]


def with_static(form):
    """Which compile a private copy of which nothing is used."""
    return [cc for cc in form.gnu if cc.language == "c" or not form.quick]


@check("strict warnings")
def strict_warnings(form):
    """P9: no warning in the strict set: both halves, every standard; with the optimiser, which some warnings need, and
    the largest vectors, whose intrinsics are macros without it; a private copy of which nothing is used; a user's own
    file compiled with the same set. gcc finds unused functions only where it makes code, and calls that it cannot inline
    with -Og alone; with -fno-inline it inlines none, and what is NULL in a build it sees only inlined. With vectors, and
    char as unsigned as on Arm."""
    cases = []
    for cc in form.compilers:
        for std in form.some(cc.standards):
            sources = ["declare.c", "implement.c", "use.c"] + ["implement.c -DMPX_STATIC=1"] * (not form.quick)
            cases += [(cc, *source.split(), *cc.warnings, "-std=" + std, *cc.syntax) for source in sources]
        cases += [(cc, "fields.c", *cc.strict), (cc, "use.c", *cc.strict)]
    cases += [(cc, "implement.c", *flags_of_object(cc), "-O1", "-DMPX_STATIC=1") for cc in with_static(form)]
    for cc in form.gnu:
        is_newest = cc in form.newest and not form.quick
        cases += [(cc, "implement.c", *flags_of_object(cc), level) for level in levels_of(form, cc)]
        if cc.language == "c" or not form.quick:
            cases += [(cc, "implement.c", *flags_of_object(cc), "-Og", *OPTIONAL, "-DMPX_NO_QUANT=1")]
        cases += [(cc, "implement.c", *flags_of_object(cc), level_of_options(form, cc), *OPTIONAL)]
        if is_newest or cc.language == "c":
            cases += [(cc, "implement.c", *cc.strict, level, *isa) for level in ["-O0"] + ["-O2"] * is_newest
                      for isa in cc.vectors[-1:]]
        if is_newest and cc.family == "gcc":
            cases += [(cc, "use.c", *cc.strict, "-O2", "-DMPX_STATIC=1", "-DMPX_IMPLEMENTATION")]
            cases += [(cc, "once.c", *cc.strict, "-O2", *FAST, f"-DONCE={call}") for call in (1, 2)]
            cases += [(cc, "implement.c", *cc.strict, level, more, *OPTIONAL)
                      for level, more in (("-Og", "-fno-inline"), ("-O2", "-fno-inline"), ("-O2", "-Wnull-dereference"))]
        if cc.language == "c++" or not form.quick:
            cases += [(cc, "implement.c", *cc.strict, *cc.syntax, "-funsigned-char", *isa)
                      for isa in form.sample(cc.vectors, 1)]
        if cc.language == "c++":  # what C++ programs ask for besides, of what they all include
            more = ["-Wold-style-cast"] + ["-Wuseless-cast"] * (cc.family == "gcc")
            cases += [(cc, "declare.c", *cc.strict, *more)]
            cases += [(cc, "fields.c", *cc.strict, *more, "-Wzero-as-null-pointer-constant")]
            cases += [(cc, "implement.c", *cc.strict, *cc.syntax, *more, *OPTIONAL)]  # MPX_STATIC: their own files have it
            cases += [(cc, "declare.c", *cc.strict, *cc.syntax, "-Wtype-limits", "-DMPX_STREAM_BYTES=0",
                       "-DMPX_IMPLEMENTATION")]
    form.all(form.build, cases)
    standards = dict.fromkeys(std for cc in form.gnu for std in form.some(cc.standards))
    return f"{labels(form.compilers)} x {' '.join(standards)}"


@check("clang -Weverything", quick=False)
def everything(form):
    """P9: what the strict set does not name; the exceptions stand with their reasons in EVERYTHING."""
    clangs = [cc for cc in form.compilers if cc.family == "clang"]
    flags = ["-Weverything", "-Werror", *("-Wno-" + name for name in EVERYTHING)]
    form.all(form.build, [(cc, source, "-std=" + std, *flags) for cc in clangs for std in cc.standards
                          for source in ("declare.c", "implement.c")]
             + [(cc, "implement.c", "-std=" + std, *flags, *OPTIONAL) for cc in clangs for std in cc.standards])
    return f"{labels(clangs)}, less {len(EVERYTHING)} listed"


@check("other front ends", quick=False)
def other_front_ends(form):
    """P2, P9: compilers that are no GNU C (the plain and the MSVC branches of the header), size_t of 32 bits,
    big-endian, Windows, Apple, WebAssembly; the strict set, compiled only; plain C, as the systems' own headers,
    which the intrinsics include, are not here (those of WebAssembly include none)."""
    strict = [*WARNINGS, *C_WARNINGS, "-std=c99", "-ffreestanding", "-DMPX_ISA=1"]
    # Functions and parameters are marked unused by an attribute, which plain C has not.
    plain = [*strict, "-U__GNUC__", "-U__clang__", "-Wno-unused-function", "-Wno-unused-parameter"]
    gcc, clang = form.one("gcc"), form.one("clang")
    cases = [(gcc, "implement.c", *plain), (gcc, "implement.c", *strict, "-m32", "-O2")]
    cases += [(clang, "implement.c", *strict, "--target=" + target) for target in TARGETS]
    cases.append((clang, "implement.c", *strict[:-1], "-O2", "--target=wasm32", "-msimd128"))
    plain.append("-Wno-language-extension-token")  # Microsoft's __forceinline
    cases += [(clang, "implement.c", *plain, "--target=" + target) for target in TARGETS[:2]]
    for name in CROSS:
        if shutil.which(name):
            cases += [(Compiler(name, "c"), "implement.c", *strict, "-O2")]
        else:
            form.skipped.append(f"{name}: not installed")
    form.all(form.build, cases)
    return f"plain C, -m32, cross gcc, {clang.label} --target={' '.join(TARGETS)}"


@check("Microsoft's and Apple's front ends", quick=False)
def microsoft_and_apple(form):
    """P2, P9: both halves, C and C++, with the vectors that each machine has, as clang understands these compilers."""
    places = [(target, ["-fms-compatibility-version=19.38"]) for target in MICROSOFT] + [(target, []) for target in APPLE]
    cases = []
    for cc in (form.one("clang"), form.one("clang", "c++")):
        for target, more in places:
            flags = [*cc.warnings, "--target=" + target, "-ffreestanding", "-fsyntax-only", *more]
            cases += [(cc, source, *flags, "-std=" + std) for std in (cc.standards[0], cc.standards[-1])
                      for source in ("declare.c", "implement.c")]
            cases += [(cc, "implement.c", *flags, *isa) for isa in cc.vectors if not target.startswith("a")]
    form.all(form.build, cases)
    return f"C and C++, {' '.join(MICROSOFT + APPLE)}"


@check("wrong use")
def wrong_use(form):
    """A dtype, status, role or pointer in the wrong place is an error of the compiler's, at that line: in C++ without any
    warning option, in C with -Wall -Wextra -Werror where the row of wrong.c says "C too". The right twins of all rows
    compile in the strict set."""
    text = read("tests", "form", "wrong.c").decode("ascii")
    rows = {row.group(1): (text.count("\n", 0, row.end()) + 2, row.group(2).endswith("; C too"))
            for row in re.finditer(r"^#if WRONG == (\d+) /\* (.*) \*/$", text, re.MULTILINE)}
    numbers = [str(number) for number in range(1, text.count("#if WRONG ==") + 1)]
    form.expect(list(rows) == numbers, "wrong.c: the numbers of its rows are not 1, 2, 3 ...")
    form.all(form.build, [(cc, "wrong.c", "-DWRONG=0", *cc.warnings, "-std=" + std, *cc.syntax)
                          for cc in form.gnu for std in form.some(cc.standards)])
    asked = {"c": ["-Wall", "-Wextra", "-Werror"], "c++": []}
    form.all(lambda cc, number, line: form.build(cc, "wrong.c", "-DWRONG=" + number, *asked[cc.language], *cc.syntax,
                                                 refusal=[f"wrong.c:{line}:", "error:"]),
             [(cc, number, line) for cc in form.gnu for number, (line, in_c_too) in rows.items()
              if in_c_too or cc.language == "c++"])
    return f"{len(rows)} mistakes in C++, {sum(in_c_too for _, in_c_too in rows.values())} of them in C: {labels(form.gnu)}"


@check("zero values")
def zero_values(form):
    """{0} in C and {} in C++, of every public struct, without a warning, in all standards."""
    code = re.sub(r"/\*.*?\*/", " ", read("src", "types.h").decode("ascii"), flags=re.DOTALL)
    structs = set(re.findall(r"\bstruct (mpx_\w+)\s*\{", code))
    listed = re.findall(r"\bZERO\((mpx_\w+)\)", read("tests", "form", "zero.c").decode("ascii"))
    form.expect(set(listed) == structs, f"zero.c or types.h lacks {' '.join(sorted(structs ^ set(listed)))}")
    form.all(form.build, [(cc, "zero.c", *cc.warnings, "-std=" + std, *cc.syntax)
                          for cc in form.compilers for std in form.some(cc.standards)])
    return f"{len(structs)} structs, {labels(form.compilers)}"


# ---- options ---------------------------------------------------------------------------------------------------------


@check("structs of all builds")
def same_structs(form):
    """No option changes a public struct: files of one program need not agree on options. What a library does without,
    such as quantized matrices, it refuses."""
    def structs(*flags):
        text = form.run([*form.command(form.gnu[0], "declare.c", *flags), "-E", "-P"])
        return {name: body.split() for name, body in re.findall(r"typedef struct (mpx_\w+) \{(.*?)\} mpx_", text, re.DOTALL)}

    whole = structs(*OPTIONAL)
    options = [*(f"-D{switch}=1" for switch in options_of_config("MPX_NO_")), "-DMPX_KEEP_FLAGS=1", "-DMPX_DISPATCH=1",
               "-DMPX_TILE=16", "-DMPX_ISA=1", "-DMPX_DTYPES=MPX_WITH_F16", "-UMPX_COMPUTE", "-ffreestanding"]
    for option in options:
        for name, body in structs(*OPTIONAL, option).items():
            form.expect(body == whole[name], f"struct {name} is another one with {option}")
    form.program(form.gnu[0], form.build(form.gnu[0], "unquantized.c", *form.gnu[0].strict))
    return f"{len(whole)} structs, {len(options)} options"



# In quick samples, for programs of which all that matters is that they can be linked and run.
FAST = ["-DMPX_ISA=1", "-DMPX_DTYPES=MPX_WITH_F16|MPX_WITH_BF16|MPX_WITH_F8E4M3FN|MPX_WITH_F8E5M2|MPX_WITH_I32|MPX_WITH_F64"]


@check("options")
def options(form):
    """Each option builds without a warning, and the program that uses every room runs: by the newest compiler of each
    family; the others read it. Products of weights in few dtypes are right. A sample: some are run, some are read.
    Rooms are left out below."""
    libc = ["-include", "assert.h", "-include", "string.h", "-DMPX_ASSERT=assert", "-DMPX_MEMCPY=memcpy",
            "-DMPX_MEMSET=memset"]
    cases = [FAST[1:], ["-DMPX_STATIC=1"], ["-DMPX_STATIC="], ["-DMPX_TILE=16"], ["-DMPX_TILE=1024"], ["-DMPX_ISA=1"],
             ["-DMPX_KEEP_FLAGS=1"], ["-DMPX_KEEP_FLAGS="], ["-DMPX_DTYPES=0x201fffeu"], libc]
    whole = ["use.c", "-DMPX_IMPLEMENTATION"]

    def run(cc, source, *flags):
        form.program(cc, form.build(cc, source, *cc.strict, *flags))

    for cc in form.compilers:
        if form.quick and cc.language == "c++":
            continue
        running = form.sample(cases, 1) if cc in form.newest or cc.family == "tcc" else []
        few = [(cc, "few.c", "-DMPX_DTYPES=MPX_WITH_F16|MPX_WITH_" + more) for more in ("U8", "I4|MPX_WITH_F4E2M1FN")]
        form.all(run, [(cc, *whole, *flags) for flags in running] + [(cc, "hooks.c"), *form.sample(few, 1)])
        form.all(form.build, [(cc, *whole, *cc.strict, *cc.syntax, *flags)
                              for flags in form.sample([flags for flags in cases if flags not in running], 2)])
        form.all(form.build, [(cc, *whole, *cc.strict, *cc.syntax, *isa, "-DMPX_COMPUTE=", "-DMPX_BF16_DOTS=")
                              for isa in cc.vectors[-1:]])  # those have an instruction for it
    return "MPX_STATIC, MPX_TILE, MPX_ISA, MPX_KEEP_FLAGS, MPX_DTYPES, MPX_BF16_DOTS, libc as hooks, counting hooks"


@check("rooms left out")
def rooms(form):
    """With any MPX_NO_... the program builds and runs, and the object defines exactly what the header then declares:
    each room alone left out, each alone kept, and all combinations while they are few; as C by the first compiler, as C++
    by the last, where a switch alone is defined as nothing, and by the others nothing and everything left out; they read
    each room alone left out. A sample: nothing, everything, and two more."""
    def declares(cc, *left_out):
        text = form.run([*form.command(cc, "declare.c", *(f"-D{switch}=1" for switch in left_out)), "-E", "-P"])
        return set(re.findall(r"\bextern [^;{\"]*?\b(mpx_\w+)\(", text))

    def run(cc, *left_out):
        value = "" if cc.language == "c++" and len(left_out) == 1 else "1"
        flags = [*cc.strict, *(f"-D{switch}={value}" for switch in left_out)]
        target = form.build(cc, "use.c", *flags, "-DMPX_IMPLEMENTATION")
        defined, declared = {name for kind, name in form.symbols(cc, target) if kind == "T" and name != "main"}, \
            declares(cc, *left_out)
        require(defined == declared, f"{' '.join(left_out)}: either declared or defined: {defined ^ declared}")
        form.program(cc, target)

    switches, few = options_of_config("MPX_NO_"), 3
    counts = [count for count in range(len(switches) + 1)
              if len(switches) <= few or min(count, len(switches) - count) < 2]
    subsets = [some for count in counts for some in itertools.combinations(switches, count)]
    ends = [subsets[0], subsets[-1]]
    compilers = form.gnu[:1] if form.quick else [form.gnu[0], form.gnu[-1]]
    cases = [(cc, *some) for cc in compilers for some in [*ends, *form.sample(subsets[1:-1], 2)]]
    cases += [(cc, *some) for cc in form.gnu if cc not in compilers and not form.quick for some in ends]
    form.all(run, cases)
    form.all(form.build, [(cc, "implement.c", *cc.warnings, "-std=" + cc.standards[-1], *cc.syntax, f"-D{switch}=1")
                          for cc in form.gnu if cc not in compilers and not form.quick for switch in switches])
    everything = declares(form.gnu[0])
    for switch in form.sample(switches, 6):
        form.expect(declares(form.gnu[0], switch) < everything, f"{switch} leaves nothing out")
    return f"{len(cases)} combinations of {' '.join(switches)}"


@check("large arrays", quick=False)
def large_arrays(form):
    """P4: arrays of more than 2^32 bits where size_t has 32, without streams."""
    cc = Compiler(shlex.join([*form.one("gcc").command, "-m32"]), "c")
    hosted = form.file(".c", "#include <stdlib.h>\nint main(void) { return 0; }\n")
    try:
        form.run([*cc.command, hosted, "-o", form.file(".exe")])
    except Bad:
        raise Skip("no C library of 32 bits") from None
    form.all(form.program, [(cc, form.build(cc, "large.c", *cc.strict, "-O2", "-msse2"))])
    return f"{cc.label} -m32"


@check("optimized")
def optimized(form):
    """Each compiler gets through its passes with every instruction that products of bf16 can use; some of clang 16's
    crash on code that it reads without a word."""
    cases = [(cc, "implement.c", "-O2", "-DMPX_COMPUTE=1", *FAST[1:], *ways)
             for cc in form.gnu if cc.language == "c" and cc.vectors for ways in (cc.vectors[-1], ["-DMPX_DISPATCH=1"])]
    cases += [(cc, "implement.c", "-DMPX_DISPATCH=1", "-mno-evex512", *cc.syntax)  # zig cc says so
              for cc in form.gnu if cc.family == "clang" and 18 <= cc.version <= 20]
    require(cases or platform.machine() != "x86_64", "no compiler has vectors")
    form.all(form.build, cases)
    return f"{len(cases)} builds"


@check("refused options")
def refusals(form):
    """A value that cannot work is an #error of mpx.h, and the first one, not a surprise."""
    values = ["MPX_DTYPES=1", "MPX_TILE=10", "MPX_TILE=0", "MPX_TILE=24", "MPX_ISA=0", "MPX_ISA=99", "MPX_ISA=MPX_ISA_NOSUCH"]
    numbers = ["MPX_F16|MPX_BF16", "MPX_WITH_F16|MPX_BF16"]  # 0 in #if: the compiler says so, by the name of a type
    cases = [(cc, value, "mpx.h: " + value.split("=")[0], *cc.first_error) for cc in form.compilers for value in values]
    cases += [(cc, "MPX_DTYPES=" + value, "mpx.h:" if cc.family == "tcc" else "MPX_DTYPES_takes_MPX_WITH", *cc.syntax)
              for cc in form.compilers for value in numbers]
    form.all(lambda cc, value, text, *flags: form.build(cc, "implement.c", "-D" + value, *flags, refusal=[text]), cases)
    late = form.file(".c", '#include "mpx.h"\n#define MPX_NAMESPACE a_\n#define MPX_IMPLEMENTATION\n#include "mpx.h"\n')
    form.all(lambda cc: form.run([*cc.command, *cc.first_error, "-I" + form.header, *cc.select, late],
                                 refusal=["mpx.h: MPX_NAMESPACE"]), [(cc,) for cc in form.compilers])
    form.all(lambda cc: form.build(cc, "implement.c", "-DMPX_DISPATCH=1", "--target=" + MICROSOFT[0], *cc.first_error,
                                   refusal=["not clang-cl"]), [(cc,) for cc in form.compilers if cc.family == "clang"])
    return " ".join([*values, *numbers, "MPX_NAMESPACE after the declarations"])


@check("namespaces and linking")
def namespaces(form):
    """P8: copies under two namespaces and a plain one live in one program; bodies compiled as C++ serve C and the other
    way round; a private copy stands beside a shared one, and two of them beside each other, C and C++. By the newest
    compiler of each family."""
    few = []
    if form.quick:
        few = FAST + [f"-DMPX_NO_{room}=1" for room in ("TREE", "AMP", "POLICY_MAP", "INTEROP")]

    def three(cc, *compilers):
        objects = [form.build(cc, "three.c")]
        for start, compiler, more in zip(("one_", "two_", ""), compilers, ([], ["-DMPX_TILE=32"], [])):
            main = f"use_{start or 'plain'}".rstrip("_")
            flags = ["-DMPX_IMPLEMENTATION", "-DUSE_MAIN=" + main, *more, *few]
            flags += [f"-DMPX_NAMESPACE={start}"] if start else []
            objects.append(form.build(compiler, "use.c", *compiler.strict, *flags))
            names = [name for kind, name in form.symbols(compiler, objects[-1]) if kind == "T" and name != main]
            wrong = [name for name in names if not name.startswith(start + "mpx_")]
            require(len(names) > 10 and not wrong, f"use.c {' '.join(flags)}: defines {' '.join(wrong)}")
        form.program(cc, *objects)

    def shared(cc, users, bodies):
        flags = {"one": [], "two": [], "plain": ["-DMPX_STATIC=1", "-DMPX_IMPLEMENTATION"]}
        objects = [form.build(users, "use.c", *users.strict, "-DUSE_MAIN=use_" + main, *more, *few)
                   for main, more in flags.items()]
        form.program(cc, form.build(cc, "three.c"), form.build(bodies, "implement.c", *bodies.strict, *few), *objects)

    def private(cc, *compilers):
        flags = ["-DMPX_STATIC=1", "-DMPX_IMPLEMENTATION"]
        objects = [form.build(compiler, "use.c", *compiler.strict, "-DUSE_MAIN=use_" + main, *flags, *(few or more))
                   for main, compiler, more in zip(("plain", "two", "one"), compilers, ([], ["-DMPX_ISA=1"], []))]
        for target in objects:
            shown = [name for kind, name in form.symbols(cc, target) if kind.isupper() and "mpx" in name]
            require(not shown, f"MPX_STATIC: {' '.join(shown)} can be seen from outside")
        form.program(cc, form.build(cc, "three.c"), *objects)

    pairs = list(zip(*([cc for cc in form.newest if cc.language == language] for language in ("c", "c++"))))
    last = slice(-1 if form.quick else 0, None)  # the one in which C and C++ meet
    form.all(private, [case for c, cxx in pairs for case in ((c, c, c, c), (cxx, c, cxx, cxx))[last]])
    form.all(three, [case for c, cxx in pairs for case in ((c, c, c, c), (cxx, c, cxx, c))[last]])
    form.all(shared, [case for c, cxx in pairs for case in ((c, c, c), (cxx, c, cxx), (cxx, cxx, c))[last]])
    return "two namespaces and a plain copy; C with C++; static beside shared and beside static"


@check("export attribute")
def export_attribute(form):
    """P8: MPX_API alone decides what a shared library shows."""
    if not sys.platform.startswith("linux"):
        raise Skip("looks at ELF files")

    def run(cc, *api):
        library = form.file(".so")
        form.run([*form.command(cc, "implement.c", "-shared", "-fPIC", "-fvisibility=hidden", *FAST, *api), "-o", library])
        shown = [name for _, name in form.symbols(cc, library, "-D", "--defined-only") if "mpx" in name]
        require(bool(shown) == bool(api), f"{cc.label} {api} -fvisibility=hidden: {len(shown)} functions are exported")

    visible = '-DMPX_API=__attribute__((visibility("default"))) extern'
    form.all(run, [(cc, *api) for cc in form.newest for api in ((), (visible,)) if cc is form.newest[0] or not form.quick])
    return "hidden by flag, shown by MPX_API"


# ---- surroundings ----------------------------------------------------------------------------------------------------


@check("surroundings")
def surroundings(form):
    """P8: twice, in two parts, inside another header, in a unity build, within a namespace, among the macros of real
    headers, before the compiler's intrinsics, freestanding, without exceptions in every C++; and warnings of the user's
    own code still show. The programs of the newest compilers run; in a sample, one in C and one in C++."""
    bare = {"c": ["-ffreestanding"], "c++": ["-fno-exceptions", "-fno-rtti"]}
    hostile = ["use.c", "-DMPX_IMPLEMENTATION", "-DMPX_FILES=1", "-include", "tests/form/hostile.h"]
    fast = FAST if form.quick else []

    def run(cc, source, *flags):
        form.program(cc, form.build(cc, source, *cc.warnings, *flags))

    for cc in form.gnu:
        oldest, newest = (f"-std={std}" for std in (cc.standards[0], cc.standards[-1].replace("c", "gnu", 1)))
        cases = [(cc, *place, oldest) for place in (["twice.c"], ["inside.c"], ["unity.c"], ["wrapped.c"], hostile)]
        cases += [(cc, "unity.c", newest), (cc, "twice.c", *bare[cc.language], oldest)]
        running = form.sample(cases, 1) if cc in form.newest else []
        form.all(run, [(*case, *fast) for case in running])
        reading = [case for case in cases if case not in running]
        reading += [(cc, "twice.c", *bare[cc.language], f"-std={std}")
                    for std in (form.some(cc.standards) if cc.language == "c++" else [])]
        reading += [(cc, *place, oldest, *isa) for isa in cc.vectors for place in (hostile, ["intrinsics.c"])]
        form.all(form.build, [(*case, *cc.warnings, *cc.syntax) for case in form.sample(reading, 2)])
        form.all(lambda *case: form.build(*case, refusal=["/quiet.c:"]),
                 [(cc, "quiet.c", *cc.strict, f"-DMISTAKE={number}", *fast, *([] if number == 2 else cc.syntax))
                  for number in (1, 2, 3) if not form.quick or number == (2 if cc.language == "c" else 3)])
        form.all(form.build, [(cc, "quiet.c", *cc.strict, "-DMISTAKE=0", *fast, *cc.syntax)])
    count = read("tests", "form", "hostile.h").count(b" HOSTILE\n")
    return f"twice, inside, unity, wrapped, before intrinsics, freestanding, {count} hostile macros"


@check("modes between calls", quick=False)
def modes_between_calls(form):
    """P1, P8: a private copy, all of it in one function with the caller, who changes the modes."""
    def run(cc, *flags):
        try:
            form.program(cc, form.build(cc, "modes.c", "-std=gnu99", *flags))
        except Bad as bad:
            if "exit code 77" not in str(bad):
                raise
            not_here.append(flags)

    not_here, compilers = [], [form.one("gcc"), form.one("clang")]
    form.all(run, [(cc, level, *isa) for cc in compilers for isa in [[], *cc.vectors]
                   for level in ("-O1", "-O2", "-O3")])
    return labels(compilers) + (f"; {len(not_here)} built, but not for this machine" if not_here else "")


@check("upper halves")
def upper_halves(form):
    """Compiled for size, no function leaves the upper halves of AVX's registers in use, which slows SSE instructions
    of callers. gcc's copies of structs for AVX-512 alone do, outside of vector code."""
    def run(cc, dispatch, *isa):
        example = form.build(cc, "../../docs/examples.c", "-O1", "-Itests/form/upper", *dispatch)
        body = form.build(cc, "implement.c", "-Os", "-DMPX_COMPUTE=1", "-DMPX_FILES=1", *dispatch, *isa)
        try:
            form.program(cc, example, body, "-lm")
        except Bad as bad:
            if "exit code 77" not in str(bad):
                raise
            raise Skip("this CPU does not say what is in use") from None

    if platform.machine() != "x86_64":
        raise Skip("no AVX here")
    compilers = [form.one("gcc"), form.one("clang")]
    form.all(run, [(cc, *ways) for cc in compilers
                   for ways in ([["-DMPX_DISPATCH=1"]], [[], "-mavx2", "-mf16c", "-mfma"])])
    return labels(compilers)


@check("parts of instruction sets", quick=False)
def parts_of_instruction_sets(form):
    """P9: flags that allow a part of what a vocabulary needs, and __SSE2__ on another machine, as Emscripten has it."""
    cases = [["--target=x86_64-pc-windows-msvc", "-mavx2"], ["--target=wasm32", "-msimd128", "-D__SSE2__=1"],
             ["--target=riscv64-linux-gnu", "-march=rv64gc_zve32x_zvl128b", "-mrvv-vector-bits=zvl"],
             ["--target=riscv64-linux-gnu", "-march=rv64gc_zve32f_zvl128b", "-mrvv-vector-bits=zvl"]]
    cc = form.one("clang")
    form.all(form.build, [(cc, "implement.c", "-O1", "-ffreestanding", *OPTIONAL, *flags) for flags in cases])
    return f"{cc.label}: {len(cases)} builds"


@check("clang-cl's fast math", quick=False)
def fast_math_of_clang_cl(form):
    """P3: /fp:fast is -ffast-math, and clang-cl does not define __GNUC__; so built, the library has the same bits.
    The tests are built without, as they compute with what -ffast-math forbids."""
    def run(cc, test):
        program = form.build(cc, f"../test_{test}.c", "-std=gnu99", "-O1", "-DMPX_COMPUTE=1", "-Itests")
        form.program(cc, program, body, "-lm")

    cc = form.one("clang")
    body = form.build(cc, "implement.c", "-O2", "-ffast-math", "-ffreestanding", "-fgnuc-version=0", "-fms-extensions",
                      "-D_MSC_VER=1933", "-D_M_X64=100", "-DMPX_COMPUTE=1")
    tests = ["fpenv", "dot", "rows"]
    form.all(run, [(cc, test) for test in tests])
    return f"{cc.label}: {' '.join(tests)}"


@check("after windows.h", quick=False)
def after_windows(form):
    """P8: MinGW's, with its real min and max, in C; in C++ by clang, which needs no C++ library for it."""
    name = "x86_64-w64-mingw32-gcc"
    if not shutil.which(name):
        raise Skip(f"no {name}")
    gcc, clang = Compiler(name, "c"), form.one("clang", "c++")
    cases = [(gcc, "windows.c", *gcc.strict, *isa) for isa in [[], *gcc.vectors]]
    cases += [(clang, "windows.c", *clang.strict, "--target=x86_64-w64-mingw32", *more)
              for more in ([], ["-std=c++20"], *clang.vectors)]
    form.all(form.build, cases)
    return f"{gcc.label} and {clang.label} for x86_64-w64-mingw32"


# ---- what leaves the header ------------------------------------------------------------------------------------------


def judge_object(form, cc, allowed, *flags):
    """Bytes of code, and the helpers it needs, of an object that defines mpx_ names only, needs nothing but what
    `allowed` matches, and holds nothing writable but the default policy, where there is one: thread-local, one copy; one
    for all where no system is."""
    target = form.build(cc, "implement.c", *flags)
    pairs = form.symbols(cc, target)
    foreign = [name for kind, name in pairs if kind.isupper() and kind not in "NU" and not name.startswith("mpx_")]
    # GNU as notes the linker's own _GLOBAL_OFFSET_TABLE_ for every thread-local variable, used or not.
    needed = [name for kind, name in pairs if kind in "Uwv" and name != "_GLOBAL_OFFSET_TABLE_"]
    missing = [name for name in needed if not re.fullmatch(allowed, name)]
    writable = [name for kind, name in pairs if kind in "dDbBC" and not name.startswith("$")]
    text, data, bss = map(int, form.run([cc.prefix + "size", target]).splitlines()[1].split()[:3])
    if shutil.which(cc.prefix + "objdump"):  # tables of pointers, which the loader fills in and then protects
        table = form.run([cc.prefix + "objdump", "-h", "-t", target])
        data -= sum(int(size, 16) for size in re.findall(r"^ *\d+ \.data\.rel\.ro\S* +([0-9a-f]+)", table, re.MULTILINE))
        protected = set(re.findall(r"\.data\.rel\.ro\S*\s+[0-9a-f]+\s+(\w+)$", table, re.MULTILINE))
        writable = [name for name in writable if name not in protected]
    without = "-ffreestanding" in flags or "-DMPX_NO_DEFAULT_POLICY=1" in flags or "-DMPX_STATIC=1" in flags
    if not without and len(writable) == 1 and re.fullmatch(DEFAULT_POLICY, writable[0]) and data == DEFAULT_POLICY_BYTES:
        sections = form.run([cc.prefix + "objdump", "-h", target]) if shutil.which(cc.prefix + "objdump") else ".tdata"
        no_system = cc.prefix.startswith("arm-none-")
        writable, data = [] if (".tdata" in sections) != no_system else ["a default policy that threads share, or not"], 0
    elif not without:
        writable.append("... and not the default policy alone")
    wrong = {"not mpx_": foreign, "undefined": missing, "writable": writable, ".data": data, ".bss": bss}
    found = "; ".join(f"{what}: {value}" for what, value in wrong.items() if value)
    require(not found, f"{shlex.join(form.command(cc, 'implement.c', *flags, '-c'))}\nnm, size: {found}")
    return text, needed


@check("symbols")
def symbols(form):
    """P6, P7, P8: the object defines mpx_ names only (unmangled in C++ too), needs no symbol, has no writable data
    but the thread's default policy; none at all with its switch, or freestanding."""
    cases = [(cc, *flags_of_object(cc), level) for cc in form.gnu for level in levels_of(form, cc)]
    cases += [(cc, *flags_of_object(cc), level_of_options(form, cc), *OPTIONAL) for cc in form.gnu]
    if not form.quick:
        cases += [(cc, *flags_of_object(cc), *more) for cc in form.newest
                  for more in (["-O2" if cc.language == "c" else "-O1", "-ffreestanding"],
                               ["-O1", "-DMPX_NO_DEFAULT_POLICY=1"], ["-O1", *OPTIONAL], ["-O1", "-ffast-math", *OPTIONAL])]
    form.all(lambda cc, *more: judge_object(form, cc, "", *more), cases)
    left = form.all(lambda cc: judge_object(form, cc, "", *flags_of_object(cc), "-O1", "-DMPX_STATIC=1")[0],
                    [(cc,) for cc in with_static(form)])
    form.expect(max(left, default=0) < 1024, f"MPX_STATIC=1, nothing used: {left} bytes are left")
    levels = dict.fromkeys(level for cc in form.gnu for level in levels_of(form, cc))
    return f"{labels(form.gnu)} x {' '.join(levels)}" + ("" if form.quick else ", hosted and freestanding")


@check("symbols, Cortex-M0+", quick=False)
def symbols_arm(form):
    """P6, P7 on a core without division, FPU or unaligned access: at most the compiler's helpers for integers. Without
    statistics, which compute in double and have a switch for this reason."""
    if not shutil.which("arm-none-eabi-gcc"):
        raise Skip("no arm-none-eabi-gcc")
    cc, core = Compiler("arm-none-eabi-gcc", "c"), ["-mcpu=cortex-m0plus", "-mthumb", "-DMPX_NO_STATS=1"]
    found = form.all(lambda *flags: judge_object(form, cc, ARM_HELPERS, *cc.strict, *core, *flags),
                     [("-Os", "-ffreestanding"), ("-O2", "-ffreestanding"), ("-O3", "-ffreestanding"),
                      ("-Os",), ("-Os", "-DMPX_NO_DEFAULT_POLICY=1")])
    form.all(lambda *flags: judge_object(form, cc, rf"{ARM_HELPERS}|{ARM_COPIES}|__aeabi_u?[dfil]\w+", *cc.strict, *core,
                                         *OPTIONAL, *flags), [("-Os", "-ffreestanding"), ("-O2", "-ffreestanding")])
    return "; ".join(f"{size} bytes, needs {' '.join(needed)}" for size, needed in found) or "no build is right"


@check("macros")
def macros(form):
    """P8: what stays defined begins with MPX_ and is public. MPX_NAMESPACE leaves its map and the macros that join."""
    standard = "#include <stddef.h>\n#include <stdint.h>\n"
    standard += "#if defined(MPX_IMPLEMENTATION) && defined(__GNUC__) && defined(__SSE2__)\n#include <immintrin.h>\n#endif\n"
    before, after = form.file(".c", standard), form.file(".c", standard + '#include "mpx.h"\n')

    def defined(cc, source, *flags):
        output = form.run([*cc.command, *flags, "-I" + form.header, "-dM", "-E", *cc.select, source])
        return set(re.findall(r"^#define (\w+)", output, re.MULTILINE))

    def run(cc, *flags):
        left = defined(cc, after, *flags) - defined(cc, before, *flags)
        if "-DMPX_NAMESPACE=a_" in flags:
            left -= {"MPX__JOIN", "MPX__JOIN_"} | {name for name in left if name.startswith("mpx_")}
        wrong = sorted(name for name in left if name.startswith("MPX__") or not name.startswith("MPX_"))
        require(not wrong and "MPX_H" in left, f"{shlex.join([*cc.command, *flags])}: stay defined: {' '.join(wrong)}")

    bare = [f"-D{switch}=1" for switch in options_of_config("MPX_NO_")]
    variants = [[], ["-DMPX_STATIC=1"], ["-DMPX_NAMESPACE=a_"], bare, ["-U__GNUC__", "-U__clang__"]]
    halves = [], ["-DMPX_IMPLEMENTATION"]
    cases = [(cc, *half, *flags) for cc in form.gnu for flags in variants for half in halves]
    form.all(run, cases + [(cc, *halves[1], *isa) for cc in form.gnu for isa in cc.vectors])
    return "declarations and implementation x plain, static, namespace, no rooms, no GNU C; each instruction set"


@check("declaration half")
def declarations(form):
    """Only <stddef.h> and <stdint.h>, few lines; the time to include it is printed, never judged: of the declarations
    alone, and of the whole file, of which compilers read the half they skip too."""
    cc, source = form.gnu[0], "tests/form/declare.c"
    empty, standard = form.file(".c", ""), form.file(".c", "#include <stddef.h>\n#include <stdint.h>\n")
    own = os.path.realpath(os.path.join(ROOT, form.header)) + os.sep

    def preprocess(path, *flags):
        return form.run([*cc.command, *flags, "-I" + form.header, path])

    def includes(path):
        paths = preprocess(path, "-M").replace("\\\n", " ").split()[2:]
        return {os.path.realpath(os.path.join(ROOT, path)) for path in paths}

    def lines(path):
        return sum(bool(line.strip()) for line in preprocess(path, "-E", "-P").splitlines())  # clang leaves blank ones

    more = [path for path in includes(source) - includes(standard) if not path.startswith(own)]
    form.expect(not more, f"the declaration half includes {' '.join(sorted(more))}")
    mine = [path[len(own):] for path in includes("tests/form/implement.c") if path.startswith(own + "mpx")]
    form.expect(mine == ["mpx.h"], f"mpx.h includes {' '.join(sorted(mine))}")
    count = lines(source) - lines(standard)
    form.expect(count <= OWN_LINES, f"{count} own lines after preprocessing, at most {OWN_LINES} wanted")
    text = read(form.header, "mpx.h").decode("ascii")
    declared = form.file(".c", text[:text.index("#if defined(MPX_IMPLEMENTATION)")])
    times = {source: [], declared: [], empty: []}
    for _, path in itertools.product(range(20), times):
        start = time.perf_counter()
        preprocess(path, "-fsyntax-only")
        times[path].append((time.perf_counter() - start) * 1000)
    base, half, whole = (statistics.median(times[path]) for path in (empty, declared, source))
    return f"{count} own lines, {half - base:+.1f} ms over an empty file's {base:.1f} ms, the whole file " \
           f"{whole - base:+.1f} ms ({cc.label}, median of 20)"


# ---- stack -----------------------------------------------------------------------------------------------------------


def named_tasks():
    """(function, task that it hands on) pairs of the sources."""
    heads, found = re.compile(r"^(?:MPX_\w*|static)[^\n;{}=]*?\b(mpx_\w+)\(", re.MULTILINE), []
    for name in sorted(os.listdir(os.path.join(ROOT, "src"))):
        text = read("src", name).decode("ascii")
        for match in re.finditer(r"\b(mpx__\w+_task)\b(?!\()", text):
            found.append(([head.group(1) for head in heads.finditer(text, 0, match.start())][-1], match.group(1)))
    return found


def deepest_paths(graph):
    """({function: bytes of its frame}, {public function: bytes along its deepest path of calls}) of gcc's call graph.
    A call by pointer may reach every private function that nobody calls by name (walkers, loaders, kernels), so this is
    an upper bound, but for the user's own callbacks. Tasks are reached from the functions that name them: the caller's
    threads run them, or its own."""
    nodes = re.findall(r'^node: .*?title: "([^"]+)" label: "[^"]*?\\n(\d+) bytes', graph, re.MULTILINE)
    frames, calls = {name: int(size) for name, size in nodes}, {}
    for caller, target in re.findall(r'^edge: .*?sourcename: "([^"]+)" targetname: "([^"]+)"', graph, re.MULTILINE):
        calls.setdefault(caller, set()).add(target)
    called = {target for targets in calls.values() for target in targets}
    by_pointer = [name for name in frames if ":" in name and name not in called and not name.endswith("_task")]
    by_last_name = {name.split(":")[-1]: name for name in frames}
    for caller, task in named_tasks():
        if caller in by_last_name and task in by_last_name:
            calls.setdefault(by_last_name[caller], set()).add(by_last_name[task])

    @functools.lru_cache(None)
    def depth(name, by_name=True):
        if name == "__indirect_call":
            return max((depth(target, False) for target in by_pointer), default=0) if by_name else 0
        return frames.get(name, 0) + max((depth(target, by_name) for target in calls.get(name, ())), default=0)

    return frames, {name: depth(name) for name in frames if ":" not in name}


def stack_bounds(api):
    """{public function: bytes of stack by its comment}: "Stack N bytes + MPX_TILE * M" or "Stack as f + N bytes"."""
    comments = re.findall(r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:MPX_API[^;]*;\s*)+)", api)
    stated = r"Stack\s+(?:(\d+)\s+bytes|as\s+(mpx_\w+))((?:\s*\+\s*(?:MPX_TILE\s\*\s\d+|[\d.]+\sKiB|\d+))*)"
    found = [(name, *match) for text, declared in comments for match in re.findall(stated, text)
             for name in re.findall(r"\b(mpx_\w+)\(", declared)]
    bounds = {}
    while len(bounds) < len({name for name, *_ in found}):
        known = len(bounds)
        for name, size, other, more in found:
            if size or other in bounds:
                tiles, kib, some = (re.findall(part, more) for part in (r"\* (\d+)", r"([\d.]+) KiB", r"\+\s*(\d+)(?![\d.])"))
                bounds[name] = (int(size or bounds[other]) + 256 * sum(map(int, tiles)) + sum(map(int, some)) +
                                sum(int(float(one) * 1024) for one in kib))
        if len(bounds) == known:
            raise Bad("api.h: a stack as that of a function that states none")
    return bounds


@check("stack")
def stack(form):
    """P10: no frame is large or of unknown size, no recursion, and where a comment in api.h says "Stack N bytes" (for
    gcc 12, x86-64) the deepest path of calls needs no more, nor with AVX2 and AVX-512 more than api.h says they add."""
    cc = form.one("gcc")
    compute = form.build(cc, "implement.c", *flags_of_object(cc), "-O2", *OPTIONAL)
    target = compute if form.quick else form.build(cc, "implement.c", *flags_of_object(cc), "-O2")
    rows = [line.split("\t") for line in read(compute[:-2] + ".su").decode().splitlines()]
    for place, size, kind in rows:
        form.expect(int(size) <= FRAME_BYTES and kind != "dynamic", f"{place.split(':')[-1]}: {size} bytes, {kind}")
    try:
        frames, depths = deepest_paths(read(target[:-2] + ".ci").decode())
        more_frames, more = deepest_paths(read(compute[:-2] + ".ci").decode())
    except RecursionError:
        raise Bad("the call graph has a cycle") from None
    frames, depths = {**frames, **more_frames}, {name: max(depths.get(name, 0), more[name]) for name in more}
    api = read("src", "api.h").decode("ascii")
    bounds = stack_bounds(api)
    adds = re.search(r"AVX2\s+\*\s+adds up to ([\d.]+) KiB, AVX-512 up to ([\d.]+) KiB", api)
    form.expect(adds, "api.h: what AVX2 and AVX-512 add to the stack is not stated")
    is_judge = cc.label == "gcc 12" and platform.machine() == "x86_64"
    builds = [("", 0, depths)] if is_judge else []
    for isa, kib in zip(cc.vectors, adds.groups()) if is_judge else []:
        with_vectors = form.build(cc, "implement.c", *flags_of_object(cc), "-O2", *isa, *OPTIONAL)
        builds.append((f" with {isa[0]}", int(float(kib) * 1024), deepest_paths(read(with_vectors[:-2] + ".ci").decode())[1]))
    for where, more, found in builds:
        for name, bound in bounds.items():
            need = found.get(name, 0) - more
            form.expect(need <= bound, f"{name}: {need} bytes of stack{where}, api.h says {bound}")
    top = sorted(depths, key=lambda name: (-depths[name], name))[:10]
    table = "".join(f"\n{depths[name]:6} bytes, {frames[name]:5} of its own   {name}" for name in top)
    return f"{cc.label} -O2, {len(depths)} public functions of {len(rows)}, the deepest below{table}"


@check("loops for speed")
def loops_for_speed(form):
    """These loops are not compiled for size, as gcc compiles a function that only cold functions call, or that always
    calls one: the kernels that kernels.h chooses from, those of products, rows, steps and blocks of ggml, and each
    MPX__LOOP; in the build that needs no flag for vectors."""
    cc = form.one("gcc")
    if not sys.platform.startswith("linux") or not shutil.which("objdump"):
        raise Skip("looks at ELF files, by objdump")
    source = b"".join(read("src", name) for name in sorted(os.listdir(os.path.join(ROOT, "src")))).decode("ascii")
    loops = set(re.findall(r"MPX__ENTRY\([^,()]+, [^,()]+, (mpx__\w+)", source))
    loops |= set(re.findall(r"^(?:MPX__LOOP \w+|MPX__NOINLINE \w+(?= mpx__(?:row|step|ggml)_)) (mpx__\w+)\(", source, re.MULTILINE))
    loops |= set(re.findall(r"^MPX__(?:KERNEL\w*|\w*DOTS)\((mpx__\w+)", source, re.MULTILINE))
    loops |= {"mpx__arith_here", "mpx__codes_here", "mpx__largest_here", "mpx__smalls_here", "mpx__f32_to_bf16_at_random"}
    target = form.build(cc, "implement.c", *flags_of_object(cc), "-O2", *OPTIONAL)
    table = form.run(["objdump", "-t", target])
    places = {name: place for place, name in re.findall(r" F (\.text\S*)\s+\S+\s+(mpx__\w+)(?:\.(?:constprop|isra)\.\d+)*$", table, re.MULTILINE)}
    seen = sorted(loops & places.keys())
    cold = [name for name in seen if places[name].startswith(".text.unlikely")]
    form.expect(len(seen) > 20 and not cold, f"{len(seen)} loops, compiled for size: {' '.join(cold)}")
    return f"{len(seen)} loops, none of them compiled for size"


# ---- the sources -----------------------------------------------------------------------------------------------------


# ---- debuggers -------------------------------------------------------------------------------------------------------


def natvis_expressions(node):
    """The expressions of a <Type>, without format specifiers, which follow the last comma."""
    for part in node.iter():
        texts = [part.attrib.get("Condition")]
        if part.tag == "DisplayString":
            texts += re.findall(r"\{([^{}]+)\}", part.text)
        elif part.tag in ("Item", "Size", "ValuePointer"):
            texts.append(part.text)
        yield from (re.sub(r",[^,()]*$", "", text) for text in texts if text)


@check("debuggers' views")
def views(form):
    """tools/mpx.natvis is XML, and its expressions compile as those of a member function of their struct. gdb's views
    have the words of all statuses; for the rest of them: make test-gdb."""
    have, need = (set(re.findall(pattern, read(*path).decode("ascii").split("default:")[0])) for pattern, path in (
        (r'(?m)^    "(MPX_\w+)": "(.*)",$', ("tools", "gdb_mpx.py")),
        (r'case (MPX_\w+): return "(.*)";', ("src", "sentences.h"))))
    form.expect(have == need, f"tools/gdb_mpx.py: words of statuses: {sorted(have ^ need)}")
    try:
        root = ElementTree.fromstring(read("tools", "mpx.natvis"))
    except ElementTree.ParseError as error:
        raise Bad(f"tools/mpx.natvis: {error}") from None
    for part in root.iter():
        part.tag = part.tag.partition("}")[2]
    known = {"AutoVisualizer", "Type", "DisplayString", "Expand", "Item", "ArrayItems", "Size", "ValuePointer"}
    form.expect({part.tag for part in root.iter()} <= known, "tools/mpx.natvis: an element that this check does not know")
    types = {node.attrib["Name"]: list(natvis_expressions(node)) for node in root.findall("Type")}
    text = '#include "mpx.h"\n' + "".join(
        f"struct view_{name} : {name} {{ void look() const; }};\nvoid view_{name}::look() const {{\n" +
        "".join(f"    (void)({expression});\n" for expression in expressions) + "}\n" for name, expressions in types.items())
    source = form.file(".cpp", text)
    form.all(lambda cc: form.run([*cc.command, "-I" + form.header, "-fsyntax-only", source]),
             [(cc,) for cc in form.gnu if cc.language == "c++"])
    return f"{len(types)} structs, {sum(map(len, types.values()))} expressions"


# ---- rooms and names ---------------------------------------------------------------------------------------------------

# Names that a room may use although a later one defines them, each with its reason.
LATER = {"mpx__map_goal": "trees ask the policy map, which is made of policies, which are cast by trees"}
GENERATED = ("names.h", "pass_names.h", "pass_end.h")  # they list names and use none
DEFINITIONS = [re.compile(pattern, re.MULTILINE) for pattern in (
    r"^#\s*define\s+(MPX__\w+)",
    r"^typedef\b[^;{}]*?\(\*(\w+)\)\(",
    r"^typedef\b[^;{}()]*?\b(\w+)\s*(?:\[[^;]*\]|__attribute__[^;]*)?;",
    r"^typedef struct \{.*\} [^;]*?(\w+);",
    r"^\}[^;{}()=]*?\b(\w+)\s*;",
    r"\b(?:struct|union|enum)\s+(\w+)\s*\{",
    r"^(?:static|extern|MPX_\w+)\b[^;{}=#]*?\b(mpx__\w+)\s*\([^;{}]*\)\s*\{",
    r"^(?:static|MPX_\w+)\b[^;{}=#()]*?\b(mpx__\w+)\s*(?:\[[^\]]*\]\s*)*[=;]",
    r"^MPX__[A-Z0-9_]+\((mpx__\w+)",  # MPX__KERNEL(name, ...)
)]


def read_room(name):
    """The code of a room: no comments, no strings, no halves of names that ## joins, one line for one directive."""
    text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", read("src", name).decode("ascii"), flags=re.DOTALL)
    return re.sub(r"\w+\s*##\s*\w+", " ", text.replace("\\\n", " "))


def rooms_in_order():
    return re.findall(r'^#include "([^"]+)"', read("src", "mpx.h").decode("ascii"), re.MULTILINE)


def private_names(text):
    return set(re.findall(r"\b(?:mpx|MPX)__\w+", text))


def defined_in(text):
    """The private names that a room defines; a declaration without a body defines nothing."""
    found = {name for pattern in DEFINITIONS for name in pattern.findall(text)}
    for body in re.findall(r"\benum\b[^;{}()]*\{([^}]*)\}", text):
        found |= private_names(body)
    return {name for name in found if name.lower().startswith("mpx__")}


@check("order of rooms")
def order_of_rooms(form):
    """Each private name stands in its own room or in one above, so that the header can be read from top to bottom. A
    name in the body of a macro counts where the macro is used. #ifdef asks whether there is a name: that is no use. The
    rooms of instruction sets stand for one another: they see the rooms above, and the rooms below see all of them."""
    rooms = {name: read_room(name) for name in rooms_in_order()}
    where, macros = {}, {}
    for room, text in rooms.items():
        for name in defined_in(text):
            where.setdefault(name, []).append(room)
        for name, body in re.findall(r"^#\s*define\s+(MPX__\w+)(.*)$", text, re.MULTILINE):
            macros.setdefault(name, []).append((room, private_names(body)))
    isas = [room for room in rooms if room.startswith("simd_") and room not in ("simd_x86.h", "simd_generic.h")]
    above = []
    for room, text in rooms.items():
        seen = {*above, room} - (set(isas) - {room} if room in isas else set())
        above.append(room)
        code = re.sub(r"^#\s*(?:define|undef|ifdef|ifndef)\b.*$|\bdefined\s*\(\w+\)", " ", text, flags=re.MULTILINE)
        todo, done = private_names(code) if room not in GENERATED else set(), set(LATER)
        while todo - done:
            name = (todo - done).pop()
            done.add(name)
            todo.update(*(body for room_of_body, body in macros.get(name, ()) if room_of_body in seen))
            name = re.sub(r"_(sse2|avx2|avx512)$", "", name) if name not in where else name  # of a pass
            form.expect(seen & set(where.get(name, ())),
                        f"src/{room} uses {name}, which {' '.join(where.get(name, ['no room']))} defines")
    form.expect(LATER.keys() <= where.keys(), f"LATER has names that are gone: {set(LATER) - set(where)}")
    return f"{len(rooms)} rooms, {len(where)} names, {len(LATER)} exception"


@check("undefined macros")
def undefined_macros(form):
    """P8: src/outro.h undefines what the rooms above define, and nothing else; but what a room undefines itself below,
    what pass_end.h undefines, and what MPX_NAMESPACE leaves."""
    texts = {name: read_room(name) for name in ["mpx.h", *rooms_in_order()] if name not in ("names.h", "outro.h")}
    left, known = set(), set(re.findall(r"\bMPX__\w+", read("src", "inline.h").decode("ascii")))
    for name, text in texts.items():
        last = dict(reversed(pair) for pair in re.findall(r"^#\s*(define|undef)\s+(MPX__\w+)", text, re.MULTILINE))
        known |= last.keys()
        left |= {macro for macro, word in last.items() if word == "define"}
    ended = set(re.findall(r"^#\s*undef\s+(MPX__\w+)", texts.get("pass_end.h", ""), re.MULTILINE))
    outro = re.findall(r"^#\s*undef\s+(MPX__\w+)", read_room("outro.h"), re.MULTILINE)
    form.expect(not left - ended - set(outro), f"src/outro.h lacks #undef of {' '.join(sorted(left - ended - set(outro)))}")
    form.expect(not set(outro) - known, f"src/outro.h: no room defines {' '.join(sorted(set(outro) - known))}")
    form.expect(len(outro) == len(set(outro)), "src/outro.h undefines a macro twice")
    return f"{len(outro)} macros"


@check("symbols in the text")
def symbols_in_the_text(form):
    """What nm, a debugger or a profiler says can be searched for: private symbols stand in mpx.h as they are, but for at
    most one in twenty, whose names are made by ##. With AVX2's kernels where there are some; a sample: with those that
    need no flag."""
    cc = form.gnu[0]
    with_vectors = [*cc.strict, *cc.vectors[0], "-O2"] if cc.vectors and not form.quick else None
    target = form.build(cc, "implement.c", *(with_vectors or [*flags_of_object(cc), "-O2", *OPTIONAL]))
    names = {re.sub(r"\..*", "", name) for kind, name in form.symbols(cc, target) if kind in "trdb" and name.startswith("mpx__")}
    hidden = sorted(names - set(re.findall(r"\w+", read(form.header, "mpx.h").decode("ascii"))))
    form.expect(len(names) > 100 and len(hidden) * 20 <= len(names),
                f"{len(hidden)} of {len(names)} symbols are not in the text: {' '.join(hidden[:8])}")
    return f"{len(hidden)} of {len(names)} are not in the text"


@check("amalgamation")
def amalgamation(form):
    """P20: mpx.h is what the sources make, twice the same; names.h is what api.h makes; one version, one licence text,
    and a table of contents that names the rooms."""
    header, tool = read("" if form.header == "src" else form.header, "mpx.h"), [sys.executable, "tools/amalgamate.py"]
    for again in (form.file(".h"), form.file(".h")):
        form.run([*tool, "--output", again])
        form.expect(read(again) == header, "mpx.h is not what tools/amalgamate.py makes of src/")
    copy = os.path.join(form.temp, "sources")
    shutil.copytree(os.path.join(ROOT, "src"), copy)
    form.run([*tool, "--names", "--source", copy])
    form.expect(read(copy, "names.h") == read("src", "names.h"), "src/names.h: run tools/amalgamate.py --names")
    text = header.decode("ascii", "replace")
    version = ".".join(re.findall(r"^#define MPX_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))
    said = re.findall(r"\bv(\d+\.\d+\.\d+)", text)
    form.expect(said == [version] and f"v{version} " in text.split("\n")[0], f"versions {said}, macros {version}")
    ours, theirs = text[text.rindex("LICENCE:"):text.rindex("*/")], read("LICENSE").decode("ascii")
    form.expect(ours.split() == theirs.split(), "LICENSE and the end of mpx.h differ")
    marks = re.findall(r"^ \* MARK: (\w+) - ", text, re.MULTILINE)
    contents = re.search(r"TABLE OF CONTENTS.*\n([^*]*)\*/", text)
    named = [word for word in re.findall(r"\w+", contents.group(1)) if word not in ("the", "declarations")]
    form.expect(named == marks, f"table of contents: {' '.join(named)}; rooms: {' '.join(marks)}")
    return f"v{version}, {len(marks)} rooms, {text.count(chr(10))} lines"


@check("index of functions")
def index_of_functions(form):
    """The opening comment of mpx.h names every function that the compiler sees declared, and no other."""
    cc, opening = form.gnu[0], read(form.header, "mpx.h").decode("ascii").partition("*/")[0]
    text = re.search(r"\n   FUNCTIONS [^\n]*\n(.*?)\n\n", opening, re.DOTALL)
    require(text is not None, "the opening comment has no FUNCTIONS")
    named = set()
    for start, ends, whole in re.findall(r"\b(mpx_\w+_)\(([^()]*)\)|\b(mpx_\w*[a-z0-9])\b", text.group(1)):
        named |= {start + end for end in re.split(r",\s+", ends)} if start else {whole}
    code = form.run([*form.command(cc, "declare.c", "-DMPX_DISPATCH=1", "-DMPX_COMPUTE=1", "-DMPX_USE_SLEEF=1",
                                 "-DMPX_FILES=1"), "-E", "-P"])
    declared = re.findall(r"\bextern [^;{\"]*?\b(mpx_\w+)\(|\bstatic [^;{]*?\b(mpx_[a-z]\w*)\(", code)
    declared = {one or two for one, two in declared}
    form.expect(named == declared, f"named or declared only: {' '.join(sorted(named ^ declared))}")
    count = text.group(1).count("\n") + 1
    form.expect(count <= 40, f"{count} lines, at most 40 wanted")
    return f"{len(named)} functions in {count} lines"


@check("capitals")
def capitals(form):
    """P8: a word all in capitals is any user's macro (GROUP, ROW, SECOND): ours begin with MPX_; the rest is C's own."""
    allowed = {"NULL", "INT32_MAX", "INT32_MIN", "SIZE_MAX", "UINT64_MAX", "GCC"}  # GCC: #pragma GCC diagnostic
    text = read(form.header, "mpx.h").decode("ascii", "replace") + "".join(
        read("src", name).decode("ascii", "replace") for name in sorted(os.listdir(os.path.join(ROOT, "src"))))
    code = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)
    words = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", code))
    wrong = sorted(word for word in words - allowed if not word.startswith("MPX_"))
    form.expect(not wrong and "MPX_F32" in words, f"names that a user's macro may bear: {' '.join(wrong)}")
    return f"{len(words)} words"


@check("listed mutants")
def listed_mutants(form):
    """Each line of tests/mutants.tsv and of tests/uncovered.tsv still stands in its room: else the mutant would count as
    a new survivor, and the line that took its place as one without a test."""
    rows = [(name, *line.split("\t")) for name in ("mutants", "uncovered")
            for line in read("tests", f"{name}.tsv").decode().splitlines() if line and not line.startswith("#")]
    rooms = {room: {line.strip() for line in read("src", room).decode().splitlines()} for _, room, *_ in rows}
    gone = [f"{name}: {room}: {line}" for name, room, line, *_ in rows if line not in rooms[room]]
    form.expect(not gone, "\n".join(gone))
    return f"{len(rows)} lines"


@check("lines")
def lines(form):
    """ASCII, no tabs, no blanks at the end, 120 columns at most; README.md's lines and MB. The lengths of functions are
    printed only."""
    rooms = [os.path.join("src", name) for name in sorted(os.listdir(os.path.join(ROOT, "src")))]
    for path in dict.fromkeys([os.path.join(form.header, "mpx.h"), *rooms]):
        wrong = [f"{path}:{number}" for number, line in enumerate(read(path).split(b"\n"), 1)
                 if len(line) > COLUMNS or line != line.rstrip() or any(byte < 32 or byte > 126 for byte in line)]
        form.expect(not wrong, f"too wide, a tab, a blank at the end or no ASCII: {' '.join(wrong)}")
    header = read("mpx.h")
    size = f"mpx.h has {round(header.count(10), -2):,} lines ({len(header) / 1e6:.1f} MB)."
    form.expect(size in read("README.md").decode(), f'README.md does not say "{size}"')
    if not shutil.which("ctags"):
        return "no ctags to measure functions"
    fields = ["--quiet", "--options=NONE", "--languages=C", "--langmap=C:.h", "--kinds-C=f", "--fields=+ne", "-f", "-"]
    spans = re.findall(r"\tline:(\d+).*\tend:(\d+)", form.run(["ctags", *fields, *rooms]))
    sizes = sorted(int(end) - int(line) + 1 for line, end in spans) or [0]
    p95 = sizes[len(sizes) * 95 // 100]
    return f"{len(sizes)} functions, median {statistics.median(sizes):.0f} lines, p95 {p95}, longest {sizes[-1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--header", default=ROOT, help="the folder of the mpx.h to test")
    parser.add_argument("--quick", action="store_true", help="only $CC and $CXX, fewer standards and levels")
    parser.add_argument("--only", default="", help="only the checks whose name contains this")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mpx_form_") as temp:
        form = Form(args.header, args.quick, temp)
        if not form.gnu:
            sys.exit("form: neither gcc nor clang found")
        for name, function, quick in CHECKS:
            if args.only in name and (quick or not args.quick):
                form.check(name, function)
    for reason in form.skipped:
        print(f"skip {reason}")
    print(f"form: {form.passed} passed, {form.failed} failed, {len(form.skipped)} skipped")
    sys.exit(1 if form.failed or not form.passed else 0)


if __name__ == "__main__":
    main()
