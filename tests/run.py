#!/usr/bin/env python3
"""Run test programs and commands, one per core; exit 77 is a skip; the last line is `N passed, N failed`.

run.py PROGRAM ... [-- COMMAND ARGUMENT ...] ...
"""
import concurrent.futures
import os
import subprocess
import sys
import time

SKIP = 77
LIMIT_SECONDS = 7200  # what hangs is a failure; a busy machine is none


def split(arguments):
    """The programs before the first --, and each command after one."""
    groups, current = [], []
    for argument in arguments:
        if argument == "--":
            groups.append(current)
            current = []
        else:
            current.append(argument)
    groups.append(current)
    return [[program] for program in groups[0]] + groups[1:]


def run(command):
    start = time.monotonic()
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                timeout=LIMIT_SECONDS)
        code, output = result.returncode, result.stdout
    except subprocess.TimeoutExpired as hung:
        code, output = 124, (hung.stdout or b"") + b"\ntook too long"
    return command, code, output.decode(errors="replace").rstrip(), time.monotonic() - start


def main():
    commands = [command for command in split(sys.argv[1:]) if command]
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for command, code, output, seconds in pool.map(run, commands):
            word = "ok" if code == 0 else "SKIP" if code == SKIP else "FAILED"
            print(f"--- {word}: {' '.join(command)} ({seconds:.1f} s)")
            if output:
                print(output)
            sys.stdout.flush()
            passed += code == 0
            skipped += code == SKIP
            failed += code not in (0, SKIP)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
