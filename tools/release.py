#!/usr/bin/env python3
"""Make build/release/ from the working tree: what a release consists of, and its SHA256SUMS. The bytes depend on the
sources and on the compiler of the WebAssembly module, not on the time, the place or the user; this is checked by making
everything again from a copy of the sources in another folder, in another time zone. Manifests that disagree about the
version are refused."""
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

sys.dont_write_bytecode = True
import version  # noqa: E402

ROOT = version.ROOT
SMALL = ("mpx_policies.h", "mpx_casts_f16_bf16.h", "mpx_firmware.h", "mpx_declarations.h")
# What CMake, Meson, Conan, vcpkg, Zig and PlatformIO need; and the program mpx, which one line compiles.
SOURCES = ("CMakeLists.txt", "LICENSE", "build.zig", "build.zig.zon", "library.json", "meson.build",
           "meson_options.txt", "mpx.h", "packages/README.md", "packages/bits.c", "packages/conan/conanfile.py",
           "packages/conan/test_package/CMakeLists.txt", "packages/conan/test_package/conanfile.py", "packages/mpx.c",
           "packages/npm/README.md", "packages/vcpkg/mpx/portfile.cmake", "packages/vcpkg/mpx/usage",
           "packages/vcpkg/mpx/vcpkg.json", "tools/mpx.1", "tools/mpx.c")
ARDUINO = {"library.properties": "packages/arduino/library.properties", "LICENSE": "LICENSE", "src/mpx.h": "mpx.h",
           "examples/Bits/Bits.ino": "packages/arduino/examples/Bits/Bits.ino"}
NPM = ("LICENSE", "README.md", "mpx.d.ts", "mpx.mjs", "mpx.wasm", "package.json")
TIME = 499162500  # of all files in archives: 26 October 1985, as npm has it


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tar(folder, names, root):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(names):
            entry, content = tarfile.TarInfo(f"{folder}/{name}"), read(os.path.join(root, name))
            entry.size, entry.mtime, entry.mode = len(content), TIME, 0o644
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(data.getvalue(), mtime=0)


def zipped(folder, names, root):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, source in sorted(names.items()):
            entry = zipfile.ZipInfo(f"{folder}/{name}", (1985, 10, 26, 8, 15, 0))
            entry.create_system, entry.external_attr, entry.compress_type = 3, 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, read(os.path.join(root, source)))
    return data.getvalue()


def section(text, heading):
    """A part of CHANGELOG.md, whose heading a pattern tells."""
    return re.search(rf"^## {heading}.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[0]


def changes(text, number):
    """The entry of a version in CHANGELOG.md."""
    return section(text, re.escape(number) + " - ").rstrip() + "\n"


def unreleased(text):
    """How many entries of CHANGELOG.md are of no version yet."""
    return len(re.findall(r"^- ", section(text, "Unreleased$"), re.MULTILINE))


def make(*targets, root, **environment):
    environment = {**os.environ, **environment}
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    subprocess.run(["make", "-s", *targets], cwd=root, check=True, env=environment, stdout=sys.stderr)


def has_wasm(root):
    """Whether the WebAssembly module can be made here."""
    asked = subprocess.run(["make", "-s", "npm-here"], cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    return asked.stdout.strip() == "yes"


def contents(root, with_npm, **environment):
    """{name: bytes} of a release, without its sums."""
    make("small", *["npm"] * with_npm, root=root, **environment)
    number = version.version(root)
    files = {"mpx.h": read(os.path.join(root, "mpx.h")),
             f"CHANGES-{number}.md": changes(version.read(root, "CHANGELOG.md"), number).encode(),
             f"mpx-{number}.tar.gz": tar(f"mpx-{number}", SOURCES, root),
             f"mpx-{number}-arduino.zip": zipped("mpx", ARDUINO, root)}
    for name in SMALL:
        files[name] = read(os.path.join(root, "build", "small", name))
    if with_npm:
        files[f"mpx.h-{number}.tgz"] = tar("package", NPM, os.path.join(root, "build", "npm"))
    return files


def main():
    if len(sys.argv) > 1:
        sys.exit(f"release.py, without arguments. {__doc__}")
    lines = version.disagreements()
    if lines:
        sys.exit("release: refused\n" + "\n".join(lines))
    number, with_npm = version.version(), has_wasm(ROOT)
    if not with_npm:
        print("SKIP npm package: no clang with wasm-ld here")
    shutil.rmtree(os.path.join(ROOT, "build", "npm"), ignore_errors=True)
    files = contents(ROOT, with_npm)
    with tempfile.TemporaryDirectory(prefix="mpx release ") as again:
        for name in ("src", "tools", "packages"):
            shutil.copytree(os.path.join(ROOT, name), os.path.join(again, name), copy_function=shutil.copyfile)
        for name in (*SOURCES, "Makefile", "CHANGELOG.md"):
            shutil.copyfile(os.path.join(ROOT, name), os.path.join(again, name))
        os.remove(os.path.join(again, "mpx.h"))
        make("mpx.h", root=again)
        second = contents(again, with_npm, TZ="Pacific/Apia", LC_ALL="C")
    differ = [name for name in files if files[name] != second.get(name)]
    if differ or files.keys() != second.keys():
        sys.exit(f"release: made twice, these differ: {', '.join(differ)}")
    sums = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    files["SHA256SUMS"] = "".join(sums).encode()
    folder = os.path.join(ROOT, "build", "release")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, data in sorted(files.items()):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        print(f"build/release/{name}: {len(data):,} bytes")
    entries = unreleased(version.read(ROOT, "CHANGELOG.md"))
    print(f"mpx.h {number}, made twice with the same bytes. " +
          (f"No release yet: {entries} entries of CHANGELOG.md are of no version" if entries else
           f"The tag: git tag -a v{number} -m 'mpx.h {number}'"))


if __name__ == "__main__":
    main()
