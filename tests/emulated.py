#!/usr/bin/env python3
"""AVX-512 where there is none: each test program in an emulated PC of its own (Bochs), one per core.

    emulated.py --prepare            builds the emulator in build/emulator, once
    emulated.py PROGRAM ...          runs statically linked tests/test_*.c; ends with `N passed, N failed`

The PC boots Debian's kernel from a CD with the program, tests/golden and tests/emulated/init.c, and its serial console
is the program's output. Bochs is compiled from Debian's source: the binary package has the debugger in it and takes
fifty times as long.

Exit 0: all passed; 1: a failure; 77: skipped, because something cannot be had or this CPU has AVX-512 itself.
"""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "emulator")
SOURCE, BOCHS = os.path.join(BUILD, "bochs"), os.path.join(BUILD, "bochs", "bochs")
MENDED = os.path.join(SOURCE, "mends.txt")
GOLDEN = os.path.join(ROOT, "tests", "golden")
CORES = os.cpu_count() or 1
MAKE = ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"]
LIMIT_SECONDS = 7200  # for each program: what hangs is a failure; a busy machine is none
SKIP = 77

PACKAGES = ["bochsbios", "vgabios", "isolinux", "syslinux-common", "xorriso", "gcc", "g++", "make", "libc6-dev"]
KERNEL = "linux-image-cloud-amd64"  # depends on the package of the kernel itself
FILES = ["/usr/lib/ISOLINUX/isolinux.bin", "/usr/lib/syslinux/modules/bios/ldlinux.c32"]
SUITE = "trixie"  # its Bochs is 3.0
CONFIGURE = ("--enable-x86-64 --enable-cpu-level=6 --enable-avx --enable-evex --enable-all-optimizations --with-nogui "
             "--disable-debugger --disable-debugger-gui --disable-docbook --disable-voodoo --disable-usb "
             "--disable-large-ramfile").split()
# What must change in Bochs 3.0: file, a piece that occurs once, and what becomes of it. vcvtne2ps2bf16 takes half of
# its result from beyond the end of a register; the model that boots says nothing in cpuid of what is added to it;
# vcvtph2ps and vcvtps2ph raise flags although they have {sae}; vgf2p8affineqb has a mask bit for each byte, not for
# eight of them.
SAE = """  if (i->modC0() && i->getEvexb() && i->getVL() == BX_VL512)
    status.softfloat_suppressException = status.softfloat_exceptionMasks = softfloat_all_exceptions_mask;
"""
TO_PS, TO_PH = "status.softfloat_suppressException = softfloat_flag_denormal;\n", "  Bit8u control = i->Ib();\n"
AFFINE = "xmm_gf2p8affineqb(&dst.vmm128(n), &src2.vmm128(n), i->Ib());\n  }\n\n#if BX_SUPPORT_EVEX\n  if (i->opmask())\n    "
MODEL = "cpu/cpudb/intel/corei7_skylake-x.cc"
MENDS = [
    ("cpu/avx/avx512_bf16.cc", "bfloat16(op1.vmm32u(n))", "bfloat16(op1.vmm32u(n - DWORD_ELEMENTS(len)))"),
    (MODEL, "leaf->eax = 0; /* report max", "leaf->eax = 1; /* report max"),
    (MODEL, "    leaf->ecx = 0;\n    leaf->edx = 0;\n    break;\n  default:\n    leaf->eax = 0;",
     "    leaf->ecx = get_std_cpuid_leaf_7_ecx();\n    leaf->edx = 0;\n    break;\n  default:\n"
     "    leaf->eax = subfunction == 1 ? get_std_cpuid_leaf_7_subleaf_1_eax() : 0;"),
    ("cpu/avx/avx_cvt.cc", TO_PS, TO_PS + SAE),
    ("cpu/avx/avx512_cvt.cc", TO_PS, TO_PS + SAE),
    ("cpu/avx/avx_cvt.cc", TO_PH, SAE + TO_PH),
    ("cpu/avx/avx512_cvt.cc", "dst = BX_READ_AVX_REG(i->dst());\n\n  softfloat_status_t status = "
     "mxcsr_to_softfloat_status_word(MXCSR);\n", "dst = BX_READ_AVX_REG(i->dst());\n\n  softfloat_status_t status = "
     "mxcsr_to_softfloat_status_word(MXCSR);\n" + SAE),
    ("cpu/gf2.cc", AFFINE + "avx512_write_regq_masked(i, &dst, len, BX_READ_8BIT_OPMASK(i->opmask()));",
     AFFINE + "avx512_write_regb_masked(i, &dst, len, BX_READ_OPMASK(i->opmask()));"),
]
BOCHSRC = """\
config_interface: textconfig
display_library: nogui
memory: host=256, guest=256
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
boot: cdrom
ata0-master: type=cdrom, path=cd.iso, status=inserted
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
com1: enabled=1, mode=file, dev=serial.txt
clock: sync=none
cpu: model=corei7_skylake_x, count=1, ips=50000000, reset_on_triple_fault=0, ignore_bad_msrs=1, \
add_features="avx512vbmi,avx512vbmi2,gfni,avx512bf16", exclude_features="pku,xsaves,xsavec"
"""
# lpj: else it takes a while to measure the speed of a clock that is not real.
ISOLINUX = "DEFAULT test\nLABEL test\nKERNEL vmlinuz\nAPPEND initrd=initrd console=ttyS0 quiet lpj=1000000 lsm= {}\n"
ARGUMENTS = {"cast": "--quick", "cast_with": "--quick", "align": "--quick", "fpenv": "--quick", "reduce": "--quick"}


class Skipped(Exception):
    """Why there is no emulator here."""


class Failed(Exception):
    """What is wrong with it."""


def run(argv, folder=BUILD, limit=LIMIT_SECONDS):
    """(exit code, what it printed); what a make around this one was told is not for Bochs."""
    environment = {name: value for name, value in os.environ.items() if name not in MAKE}
    try:
        result = subprocess.run(argv, cwd=folder, env={**environment, "DEBIAN_FRONTEND": "noninteractive"},
                                timeout=limit, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return 124, f"took more than {limit} s"
    return result.returncode, result.stdout.decode(errors="replace").strip()


def get(argv):
    """A step that may need the network."""
    code, output = run(argv)
    if code != 0:
        raise Skipped(f"{' '.join(argv[:2])}: {(output.splitlines() or [f'exit code {code}'])[-1][:150]}")
    return output


def must(argv, folder=BUILD):
    code, output = run(argv, folder)
    if code != 0:
        raise Failed(f"{' '.join(argv)[:150]}\nexit code {code}\n" + "\n".join(output.splitlines()[-12:]))


# ---- the emulator, once ----------------------------------------------------------------------------------------------

def need_machine():
    if os.uname().machine != "x86_64" or not shutil.which("apt-get"):
        raise Skipped("this is not Debian on x86-64")
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        if "avx512f" in file.read().split():
            raise Skipped("this CPU has AVX-512 itself: make test and make test-isa run these tests on it")


def installed(package):
    return "ok installed" in run(["dpkg-query", "-W", "-f", "${Status}", package])[1]


def need_packages():
    missing = [package for package in PACKAGES if not installed(package)]
    if not missing and has_bochs() and kernels():
        return
    if os.geteuid() == 0:
        get(["apt-get", "update", "-qq", "-o", "Acquire::Retries=3"])
        if missing:
            get(["apt-get", "install", "-y", "-qq", "-o", "Acquire::Retries=3", "--no-install-recommends", *missing])
    elif missing:
        raise Skipped(f"not root, and not installed: {' '.join(missing)}")


def source_options():
    """For apt-get: the sources of SUITE, from where this machine has its packages, and lists of their own for them."""
    line = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) " + SUITE + " main"
    which = ["Created-By: Packages", "Label: Debian", "Component: main"]
    lines = get(["apt-get", "indextargets", "--format", line, *which])
    if not lines:
        raise Skipped("apt-get knows no mirror of Debian")
    for name in ("lists/partial", "cache", "none"):
        os.makedirs(os.path.join(BUILD, "apt", name), exist_ok=True)
    with open(os.path.join(BUILD, "apt", "sources.list"), "w", encoding="ascii") as file:
        file.write(lines.splitlines()[0] + "\n")
    places = {"Etc::sourcelist": "sources.list", "Etc::sourceparts": "none", "State::lists": "lists", "Cache": "cache"}
    return ["-qq", "-o", "Acquire::Retries=3", "-o", "APT::Sandbox::User=root",
            *(word for name, place in places.items() for word in ("-o", f"Dir::{name}={BUILD}/apt/{place}"))]


def has_bochs():
    """There is one with these changes."""
    return os.path.exists(BOCHS) and os.path.exists(MENDED) and contents(MENDED).decode() == repr(MENDS)


def need_bochs():
    if has_bochs():
        return
    options = source_options()
    get(["apt-get", "update", *options])
    get(["apt-get", "source", *options, "--download-only", "--tar-only", f"bochs/{SUITE}"])
    top = os.path.join(BUILD, "source")
    shutil.rmtree(top, ignore_errors=True)
    must(["tar", "xf", glob.glob(os.path.join(BUILD, "bochs_*.orig.tar.*"))[-1], "--one-top-level=source",
          "--strip-components=1"])
    for name, wrong, right in MENDS:
        mend(os.path.join(top, name), wrong, right)
    print("building Bochs, in two to four minutes", flush=True)
    must(["./configure", *CONFIGURE, "CFLAGS=-O2", "CXXFLAGS=-O2"], top)
    must(["make", f"-j{CORES}"], top)
    shutil.rmtree(SOURCE, ignore_errors=True)
    os.rename(top, SOURCE)
    with open(MENDED, "w", encoding="ascii") as file:
        file.write(repr(MENDS))


def mend(path, wrong, right):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(wrong) != 1:
        raise Failed(f"{path}: not once {wrong}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(wrong, right))


def kernels():
    return glob.glob(os.path.join(BUILD, "kernel", "boot", "vmlinuz-*"))


def need_kernel():
    if kernels():
        return
    package = get(["apt-cache", "depends", "--important", KERNEL]).split("Depends: ")[-1].split()[0]
    get(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", package])
    must(["dpkg", "-x", glob.glob(os.path.join(BUILD, package + "_*.deb"))[-1], "kernel"])


def prepare():
    os.makedirs(BUILD, exist_ok=True)
    need_machine()
    need_packages()
    need_kernel()
    need_bochs()
    must(["gcc", "-O2", "-static", os.path.join(ROOT, "tests", "emulated", "init.c"), "-o", "init"])


# ---- one program -----------------------------------------------------------------------------------------------------

def archive_of(entries):
    """A cpio archive of (name, bytes; None: a directory)."""
    out = bytearray()
    for inode, (name, data) in enumerate([*entries, ("TRAILER!!!", b"")], 1):
        mode, data = (0o40755, b"") if data is None else (0o100755, data)
        fields = [inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        for part in ("070701" + "".join(f"{field:08x}" for field in fields) + name + "\0").encode(), data:
            out += part + bytes(-(len(out) + len(part)) % 4)
    return bytes(out)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def write_cd(program, arguments, folder):
    name = os.path.basename(program)
    entries = [("dev", None), ("tests", None), ("tests/golden", None), ("init", contents(os.path.join(BUILD, "init"))),
               (name, contents(program))]
    entries += [("tests/golden/" + file, contents(os.path.join(GOLDEN, file))) for file in sorted(os.listdir(GOLDEN))]
    files = {"initrd": archive_of(entries), "vmlinuz": contents(kernels()[0]),
             "isolinux.cfg": ISOLINUX.format(f"CHECK_ISA=1 -- /{name} {arguments}").encode()}
    files.update((os.path.basename(path), contents(path)) for path in FILES)
    os.makedirs(os.path.join(folder, "cd"))
    for file, data in files.items():
        with open(os.path.join(folder, "cd", file), "wb") as out:
            out.write(data)
    must(["xorriso", "-as", "mkisofs", "-quiet", "-o", "cd.iso", "-b", "isolinux.bin", "-c", "boot.cat",
          "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "cd"], folder)


def run_program(program):
    """(title, passed, the end of what it printed, seconds)"""
    start = time.monotonic()
    test = os.path.basename(program).split("-")[0][len("test_"):]
    arguments = ARGUMENTS.get(test, "")
    folder = os.path.join(BUILD, os.path.basename(program))
    shutil.rmtree(folder, ignore_errors=True)
    write_cd(os.path.join(ROOT, program), arguments, folder)
    with open(os.path.join(folder, "bochsrc"), "w", encoding="ascii") as file:
        file.write(BOCHSRC)
    code, said = run([BOCHS, "-q", "-f", "bochsrc"], folder)
    serial = os.path.join(folder, "serial.txt")
    text = contents(serial).decode(errors="replace") if os.path.exists(serial) else "no output"
    lines = [line for line in text.splitlines() if line]
    passed = lines[-1] == "exit code 0"
    if passed:
        shutil.rmtree(folder)
        lines = lines[-2:-1]
    elif not lines[-1].startswith(("exit code", "killed by")):
        lines.append(said if code == 124 else f"the emulator stopped: {os.path.join(folder, 'bochs.log')}")
    return f"{program} {arguments}".strip(), passed, "\n".join(lines[-15:]), time.monotonic() - start


def run_all(programs):
    passed = failed = 0
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        pending = {pool.submit(run_program, program) for program in programs}
        while pending:
            done, pending = concurrent.futures.wait(pending, 60, concurrent.futures.FIRST_COMPLETED)
            for title, good, end, seconds in (future.result() for future in done):
                print(f"--- {'ok' if good else 'FAILED'}: {title} ({seconds:.0f} s)\n{end}", flush=True)
                passed += good
                failed += not good
            if not done:
                print(f"... {passed + failed} of {len(programs)}, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


def main():
    try:
        if sys.argv[1:] == ["--prepare"]:
            prepare()
            return 0
        return run_all(sys.argv[1:])
    except Skipped as skipped:
        print(f"SKIP test-avx512: {skipped}")
        return SKIP
    except Failed as failed:
        print(f"FAILED {failed}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
