#!/usr/bin/env python3
"""make test by the newest gcc and clang of Debian unstable: users have newer compilers than this machine.

They run in build/newest, a folder with a system of its own, on a copy of what git knows of this tree. Debian, as root;
needs the network. Ends with the last line of each and `N passed, N failed`; a machine that cannot is a skip.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from emulated import MAKE, SKIP  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYSTEM = os.path.join(ROOT, "build", "newest")
PACKAGES = "make,gcc,g++,libc6-dev,python3"


def run(argv):
    """What a make around this one was told is not for the make inside."""
    environment = {name: value for name, value in os.environ.items() if name not in MAKE}
    return subprocess.run(argv, cwd=ROOT, env={**environment, "DEBIAN_FRONTEND": "noninteractive"},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")


def inside(command):
    """In the system, with the devices and processes of this one for as long as the command runs."""
    mounts = "; ".join(f"mount --rbind /{name} '{SYSTEM}/{name}'" for name in ("dev", "proc"))
    return run(["unshare", "--mount", "sh", "-c", f"{mounts}; exec chroot '{SYSTEM}' sh -c \"$1\"", "sh", command])


def prepare():
    """A reason why it cannot be done, or none."""
    if os.geteuid() != 0:
        return "needs root"
    if os.path.exists(os.path.join(SYSTEM, "usr", "bin", "make")):
        return None
    if shutil.which("debootstrap") is None:
        run(["apt-get", "install", "-y", "-qq", "debootstrap"])
    if shutil.which("debootstrap") is None:
        return "no debootstrap"
    print("... a system with compilers, in minutes", flush=True)
    done = run(["debootstrap", "--variant=minbase", "--include=" + PACKAGES, "sid", SYSTEM])
    if done.returncode != 0:
        return "debootstrap: " + (done.stdout + done.stderr).strip().split("\n")[-1]
    return None


def newest(name):
    """16 if gcc-16 has the highest number of all that there are; 0: none."""
    found = re.findall(rf"^{name}-(\d+) ", inside(f"apt-cache search --names-only '^{name}-[0-9]+$'").stdout, re.M)
    return max(map(int, found), default=0)


def test_by(c, cxx, number):
    packages = f"{c}-{number} " + (f"g++-{number}" if c == "gcc" else f"libclang-rt-{number}-dev")
    installed = inside(f"apt-get install -y -qq --no-install-recommends {packages}")
    if installed.returncode != 0:
        return False, installed.stderr.strip().split("\n")[-1]
    tested = inside(f"cd /mpx && make clean && make test CC={c}-{number} CXX={cxx}-{number}")
    if tested.returncode == 0:
        return True, tested.stdout.strip().split("\n")[-1]
    lines = (tested.stdout + tested.stderr).strip().split("\n")
    at = [n for n, line in enumerate(lines) if line.startswith(("--- FAILED", "FAIL ")) or "error:" in line]
    return False, "\n".join(line for n in at for line in lines[n:n + 12]) or "\n".join(lines[-12:])


def main():
    reason = prepare()
    if reason:
        print(f"SKIP test-newest: {reason}")
        return SKIP
    tree = os.path.join(SYSTEM, "mpx")
    shutil.rmtree(tree, ignore_errors=True)
    for name in run(["git", "ls-files", "--cached", "--others", "--exclude-standard"]).stdout.splitlines():
        os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), os.path.join(tree, name))
    inside("apt-get update -qq")
    passed = failed = 0
    for c, cxx in ("gcc", "g++"), ("clang", "clang++"):
        number = newest(c)
        print(f"... make test by {c} {number}, in minutes", flush=True)
        good, said = test_by(c, cxx, number)
        print(f"--- {'ok' if good else 'FAILED'}: {c} {number}\n{said}", flush=True)
        passed += good
        failed += not good
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
