#!/usr/bin/env python3
"""tools/gdb_mpx.py under gdb: every program given, build/views-c and build/views-cpp of tests/views.c, is stopped where
all its values are made, and what gdb then prints is compared with what the library says of them.

    python3 tests/test_gdb.py PROGRAM...    exit code 77 where there is no gdb, or none that can run a program
"""
import math
import os
import shutil
import subprocess
import sys

try:
    import gdb  # in gdb: the second half
except ImportError:
    gdb = None

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAILED = []


def check(fine, message):
    if not fine:
        FAILED.append(message)


def shown(expression):
    return gdb.execute(f"output {expression}", to_string=True)


def check_shown(expression, expected):
    check(shown(expression) == expected, f"{expression}: {shown(expression)}, not {expected}")


def elements(array, step=1):
    return [array[i] for i in range(0, array.type.range()[1] + 1, step)]


def is_same(got, want):
    return math.isnan(got) and math.isnan(want) or got == want and math.copysign(1, got) == math.copysign(1, want)


def check_codes():
    """Every dtype of at most 16 bits: the numbers that mpx_cast makes of the codes; of 65,536, every eleventh."""
    count = 0
    for dtype in range(gdb.parse_and_eval("all_codes").type.range()[1] + 1):
        row = f"all_codes[{dtype}]"
        n = int(gdb.parse_and_eval(row + ".count"))
        if n:
            texts, step = (f"$mpx({row}.codes, {row}.dtype, {n})", f"*{row}.values@{n}"), 11 if n == 65536 else 1
            got, want = (elements(gdb.parse_and_eval(text), step) for text in texts)
            wrong = [i * step for i in range(len(want)) if not is_same(float(got[i]), float(want[i]))]
            check(not wrong, f"{shown(row + '.dtype')}: {len(wrong)} codes are decoded wrongly, {wrong[:3]}")
            count += 1
    check(count == 22, f"{count} dtypes of at most 16 bits, not 22")


def constants(type_name):
    fields = gdb.lookup_type(type_name).strip_typedefs().fields()
    return {field.name: field.enumval for field in fields if not field.name.startswith("MPX__")}


def check_names(view):
    """The words of statuses, and the names of dtypes."""
    statuses, words = constants("mpx_status"), gdb.parse_and_eval("all_statuses")
    check(statuses.keys() == view.STATUSES.keys(), f"statuses: {statuses.keys() ^ view.STATUSES.keys()}")
    for name, number in statuses.items():
        check(view.STATUSES.get(name) == words[64 + number].string(), f"{name}: {words[64 + number].string()}")
    dtypes, rows = constants("mpx_dtype"), elements(gdb.parse_and_eval("all_names"))
    for name, number in dtypes.items():
        row = rows[number if 0 < number < len(rows) else 0]
        short, long = row["short_name"].string(), row["name"].string()
        got = view.short_name(gdb.parse_and_eval(f"(mpx_dtype){number}"))
        check(got == short and (not short or view.long_name(short) == long), f"{name}: {short} {long}, not {got}")


def check_structs():
    for i in range(18):
        check_shown(f"all_policies[{i}].policy", gdb.parse_and_eval(f"all_policies[{i}].text").string())
    check_shown("leaves[0]", "'encoder/kernel': bfloat16[9] = {first = {1, -0.5, 3.140625, inf, -inf, "
                             "9.1835496157991212e-41, -0, 100}}")
    check_shown("leaves[1]", "'q': int4[4] = {values = {1, -8, -1, 0}}")
    check_shown("leaves[2]", "'': MPX_NONE[0]")
    check_shown("leaves[3]", "'wild': float32[2] = {data = 0x40}")
    check_shown("leaves[4]", "'none': dtype 99[2]")
    check_shown("leaves[5]", "path 0x40: int32[0]")
    check_shown("$mpx(some_bf16, MPX_BF16, 2)", "{1, -0.5}")
    check_shown('$mpx(&some_bf16[7], "bf16", 2)', "{100, 10}")
    check_shown("$mpx(some_bf16, MPX_BF16)[0]", "1")
    check_shown("$mpx(some_i64, MPX_I64, 2)", "{-9007199254740993, 7}")
    check_shown("$mpx(some_u64, MPX_U64, 1)", "{18446744073709551615}")
    check_shown("$mpx(some_f32, MPX_F32, 2)", "{0.5, -3}")
    check_shown("$mpx(some_c64, MPX_C64, 2)", "{{1, 2}, {3, -4}}")
    for wrong in ("MPX_NONE, 1", '"bf17", 1', "MPX_BF16, 0", "3.5, 1"):
        try:
            check(False, f"{wrong}: {shown(f'$mpx(some_bf16, {wrong})')}")
        except gdb.error as error:
            check("dtype is MPX_BF16" in str(error), f"{wrong}: {error}")
    for count in 10 ** 12, 2 ** 62, 2 ** 63 - 1:
        try:
            check(False, f"{count} elements: {shown(f'$mpx(some_bf16, MPX_BF16, {count})')}")
        except gdb.error as error:
            check("Cannot access memory" in str(error), f"{count} elements: {error}")


def check_errors():
    """A sentence is the library's, as far as it goes; of texts it has the library's place and word."""
    texts = {"unknown or unusable dtype 'float61' at 8": "unknown dtype 'float61' at 8; ", "empty text": "empty text; ",
             "unusable pattern '[' at 8": "unusable in a pattern: '[' at 8; "}
    count = 0
    while gdb.parse_and_eval(f"all_errors[{count}].error.status") != 0:
        row = f"all_errors[{count}]"
        sentence, text = gdb.parse_and_eval(row + ".sentence").string(), gdb.parse_and_eval(row + ".text")
        call = f"$mpx_error(&{row}.error, {row}.text)" if int(text) else f"$mpx_error({row}.error)"
        got = gdb.parse_and_eval(call).string()
        check(sentence.startswith(texts.get(got, got)), f"{got}; the library: {sentence}")
        if not int(text):
            check_shown(row + ".error", got)
        count += 1
    check(count == 20, f"{count} errors, not 20")
    check_shown(f"all_errors[{count}].error", "ok")
    check("unknown status" in shown("unset_error"), f"bytes that nobody wrote: {shown('unset_error')}")
    check("p=dtype -1482184793," in shown("unset_policy"), f"bytes that nobody wrote: {shown('unset_policy')}")


def run_in_gdb():
    for command in ("set width 0", "set print elements 200", "set max-value-size unlimited",
                    "set debuginfod enabled off", "break views_are_made", "run", "up",
                    "source " + os.path.join(ROOT, "tools", "gdb_mpx.py")):
        gdb.execute(command, to_string=True)
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    check_names(__import__("gdb_mpx"))
    check_codes()
    check_structs()
    check_errors()
    gdb.execute("kill", to_string=True)
    print("\n".join(FAILED) or "VIEWS ARE RIGHT")


def gdb_can(*arguments):
    result = subprocess.run(["gdb", "-nx", "-batch", *arguments], capture_output=True, text=True)
    return result.stdout + result.stderr


def main():
    if not shutil.which("gdb"):
        return "no gdb"
    if "[42]" not in gdb_can("-ex", "python print([6 * 7])"):
        return "gdb without Python"
    if "exited normally" not in gdb_can("-ex", "run", shutil.which("true")):
        return "gdb may not run a program here"
    for program in sys.argv[1:]:
        said = gdb_can("-x", os.path.abspath(__file__), program)
        is_right = said.rstrip().endswith("VIEWS ARE RIGHT")
        print(f"{'ok  ' if is_right else 'FAIL'} {program}" + ("" if is_right else "\n" + said))
        if not is_right:
            sys.exit(1)
    return ""


if gdb:
    run_in_gdb()
elif __name__ == "__main__":
    reason = main()
    if reason:
        print(f"SKIP test-gdb: {reason}")
        sys.exit(77)
