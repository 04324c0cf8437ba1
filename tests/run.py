#!/usr/bin/env python3
"""Run test programs and commands, one per core; exit 77 is a skip; the last line is `N passed, N failed`, with the
names of those that failed.

The seconds are CPU seconds, of a command and of all that it starts: they say the same on a busy machine.
What each of them said last is left in build/results/, for tools/promises.py.

run.py PROGRAM ... [-- COMMAND ARGUMENT ...] ...
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import threading

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
    """(command, exit code, what it printed, CPU seconds)"""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        timer = threading.Timer(LIMIT_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        hung = not timer.is_alive()
        timer.cancel()
        output.seek(0)
        text = output.read().decode(errors="replace").rstrip()
    return command, process.returncode, text + "\ntook too long" * hung, usage.ru_utime + usage.ru_stime


def keep(command, word, output):
    """build/results/NAME: ok, SKIP or FAILED, a tab, the last line. NAME: of the program, or of the script."""
    script = next((part for part in command if part.endswith(".py")), command[0])
    os.makedirs("build/results", exist_ok=True)
    with open(os.path.join("build/results", os.path.splitext(os.path.basename(script))[0]), "w", encoding="utf-8") as file:
        file.write(f"{word}\t{output[output.rfind(chr(10)) + 1:]}\n")


def main():
    commands = [command for command in split(sys.argv[1:]) if command]
    passed = skipped = 0
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for command, code, output, seconds in pool.map(run, commands):
            word = "ok" if code == 0 else "SKIP" if code == SKIP else "FAILED"
            print(f"--- {word}: {' '.join(command)} ({seconds:.1f} CPU s)")
            if output:
                print(output)
            sys.stdout.flush()
            keep(command, word, output)
            passed += code == 0
            skipped += code == SKIP
            if word == "FAILED":
                failed.append(" ".join(command))
    print(f"{passed} passed, {len(failed)} failed" + (f", {skipped} skipped" if skipped else "")
          + (f" ({', '.join(failed)})" if failed else ""))
    return bool(failed) or passed == 0


if __name__ == "__main__":
    sys.exit(main())
