#!/usr/bin/env python3
"""Packages, consumed: a program is built through each system of packages/README.md, by the lines of that page, and must
print what packages/bits.c says. Each works from build/packages/mpx, which has what a release's mpx-VERSION.tar.gz has.

Tools of PyPI come into build/venv-packages (the network, once). A system whose tool cannot be had is a skip.
packages.py [NAME ...]: these systems alone."""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from io import BytesIO

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import release  # noqa: E402
import version  # noqa: E402

BUILD = os.path.join(ROOT, "build")
WORK = os.path.join(BUILD, "packages")
MPX = os.path.join(WORK, "mpx")
BIN = os.path.join(BUILD, "venv-packages", "bin")
CC = (os.environ.get("CC") or "cc").split()
CXX = (os.environ.get("CXX") or "c++").split()
CALM = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
BITS = "3f80 3dcd 4789 bfloat16"
VERSION = version.version()
CONSUMERS = {}


class Skip(Exception):
    """A tool cannot be had here."""


class Failure(Exception):
    """Something is not as it must be."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


def consumer(function):
    CONSUMERS[function.__name__.replace("_", "-")] = function
    return function


# ---- what consumers are made of -------------------------------------------------------------------------------------

def snippets():
    """{heading: {language: [text, ...]}} of packages/README.md"""
    found = {}
    for section in re.split(r"^## ", version.read(ROOT, "packages/README.md"), flags=re.MULTILINE)[1:]:
        blocks = found.setdefault(section.split("\n", 1)[0], {})
        for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            blocks.setdefault(language, []).append(text)
    return found


README = snippets()


class Project:
    """A folder for a program, with `mpx` in it."""

    def __init__(self, name, mpx=MPX, **environment):
        self.path = os.path.join(WORK, name)
        self.environment = {**CALM, **environment}
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)
        shutil.copy(os.path.join(ROOT, "packages", "bits.c"), os.path.join(self.path, "main.c"))
        if mpx:
            os.symlink(mpx, os.path.join(self.path, "mpx"))

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.file(name)), exist_ok=True)
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *command, **environment):
        result = subprocess.run(command, cwd=self.path, env={**self.environment, **environment}, timeout=1000,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace")
        expect(result.returncode == 0, f"{' '.join(command)}\n" + "\n".join(result.stdout.splitlines()[-30:]))
        return result.stdout

    def shell(self, text, **environment):
        return self.run("sh", "-ec", text, **environment)

    def program(self, name, more=""):
        said = self.run(self.file(name))
        expect(said == f"{BITS}{more}\n", f"{name} prints {said!r}, not {BITS + more!r}")

    def cmake(self, snippet, *options, more="", language="C", build="out"):
        """A CMake project with a snippet of the README, configured, built and run."""
        self.write("CMakeLists.txt", f"cmake_minimum_required(VERSION 3.15)\nproject(app LANGUAGES {language})\n"
                                     f"add_executable(app main.c)\n{snippet}")
        self.run("cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Debug", *options)
        self.run("cmake", "--build", build)
        self.program(f"{build}/app", more)


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Skip(f"no {tool} here")


PYPI_LOCK = threading.Lock()


def pypi(*packages):
    """Packages of PyPI in build/venv-packages."""
    with PYPI_LOCK:
        marker = os.path.join(BIN, "have-" + "-".join(packages).replace(os.sep, "-"))
        if not os.path.exists(marker):
            commands = [[os.path.join(BIN, "pip"), "install", "--quiet", "--disable-pip-version-check", *packages]]
            if not os.path.exists(BIN):
                commands.insert(0, [sys.executable, "-m", "venv", os.path.dirname(BIN)])
            for command in commands:
                result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if result.returncode != 0:
                    raise Skip(f"{' '.join(packages)}: {(result.stdout.strip().splitlines() or ['?'])[-1]}")
            open(marker, "w", encoding="utf-8").close()


# ---- CMake ----------------------------------------------------------------------------------------------------------

@consumer
def cmake_subdirectory():
    """The header alone: the library is not compiled, since nothing uses it."""
    need("cmake")
    project = Project("cmake-subdirectory")
    project.cmake(README["CMake"]["cmake"][0], "-DCMAKE_C_FLAGS=-DHEADER_ONLY")
    expect(not os.path.exists(project.file("out/mpx/libmpx.a")), "the library was compiled, and nothing uses it")
    listed = project.run("cmake", "--install", "out", "--prefix", project.file("prefix"))
    expect(not os.path.exists(project.file("prefix/include/mpx.h")), f"installed with the project around it:\n{listed}")


@consumer
def cmake_fetchcontent():
    """The compiled target with compute; the folder is given, so that nothing is downloaded."""
    need("cmake")
    project, folder = Project("cmake-fetchcontent", mpx=None), f"-DFETCHCONTENT_SOURCE_DIR_MPX={MPX}"
    project.cmake(README["CMake"]["cmake"][1], folder, more=" dot 1.01")
    for kind, flag in ("Debug", "-O2"), ("", "-O2"), ("MinSizeRel", "-Os"):  # in debug builds, too
        project.run("cmake", "-S", ".", "-B", "kinds", f"-DCMAKE_BUILD_TYPE={kind}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                    folder)
        with open(project.file("kinds/compile_commands.json"), encoding="utf-8") as file:
            line = next(one["command"] for one in json.load(file) if one["file"].endswith("packages/mpx.c"))
        expect(re.findall(r" -O\S*", line)[-1:] == [" " + flag], f"{kind}: not by {flag}: {line}")


@consumer
def cmake_exported():
    """A library that has mpx as a folder, is installed with it, and is found by a program."""
    need("cmake")
    project, prefix = Project("cmake-exported"), "prefix"
    project.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.15)\nproject(wide LANGUAGES C)\n"
                                    "set(MPX_INSTALL ON)\nadd_subdirectory(mpx)\nadd_library(wide STATIC main.c)\n"
                                    "target_link_libraries(wide PRIVATE mpx::compiled)\n"
                                    "install(TARGETS wide EXPORT wide ARCHIVE DESTINATION lib)\n"
                                    "install(EXPORT wide FILE targets.cmake DESTINATION lib/cmake/wide)\n"
                                    "install(FILES wideConfig.cmake DESTINATION lib/cmake/wide)\n")
    project.write("wideConfig.cmake", "include(CMakeFindDependencyMacro)\nfind_dependency(mpx)\n"
                                      "include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)\n")
    project.run("cmake", "-S", ".", "-B", "out", f"-DCMAKE_INSTALL_PREFIX={project.file(prefix)}")
    project.run("cmake", "--build", "out")
    project.run("cmake", "--install", "out")
    project.cmake("find_package(wide REQUIRED)\ntarget_link_libraries(app PRIVATE wide mpx::mpx)\n",
                  f"-DCMAKE_PREFIX_PATH={project.file(prefix)}", build="use")


@consumer
def cmake_installed():
    """Installed, moved, found."""
    need("cmake")
    project = Project("cmake-installed")
    first, moved = project.file("staging"), project.file("moved")
    project.shell(README["CMake"]["sh"][0].replace("/opt/mpx", first).replace("=Release", "=Debug"))
    os.rename(first, moved)
    os.rename(project.file("mpx-build"), project.file("gone"))
    for folder, _, names in os.walk(moved):
        for name in names:
            if name.endswith(".cmake"):
                expect(WORK not in version.read(folder, name), f"{name} names the folder that it was installed to")
    wrong = "find_package(mpx 0.1 QUIET)\nif(mpx_FOUND)\nmessage(FATAL_ERROR \"0.1 is not compatible\")\nendif()\n"
    exact = f"find_package(mpx {VERSION} EXACT REQUIRED)\n"
    project.cmake(wrong + exact + README["CMake"]["cmake"][2], f"-DCMAKE_PREFIX_PATH={moved}", more=" files")


# ---- Meson and pkg-config -------------------------------------------------------------------------------------------

@consumer
def meson_subproject():
    """By the wrap file; its folder is there, so that nothing is downloaded."""
    need("ninja")
    pypi("meson==1.12.1")
    project = Project("meson-subproject", mpx=None)
    project.write("subprojects/mpx.wrap", README["Meson"]["ini"][0])
    os.symlink(MPX, project.file("subprojects/mpx"))
    alone = "executable('alone', 'main.c', c_args: '-DHEADER_ONLY', dependencies: dependency('mpx'))\n"
    project.write("meson.build", "project('app', 'c')\n" + README["Meson"]["meson"][0] + alone)
    project.run(os.path.join(BIN, "meson"), "setup", "out")
    project.run("ninja", "-C", "out")
    project.program("out/app", " dot 1.01")
    project.program("out/alone")


@consumer
def meson_installed():
    """Installed by Meson, moved, found by pkg-config."""
    need("ninja", "pkg-config")
    pypi("meson==1.12.1")
    project, meson = Project("meson-installed"), os.path.join(BIN, "meson")
    project.run(meson, "setup", "out", "mpx", "-Dfiles=true", "-Dlibdir=lib", f"-Dprefix={project.file('staging')}")
    project.run(meson, "install", "-C", "out", "--quiet")
    os.rename(project.file("staging"), project.file("moved"))
    paths = {"PKG_CONFIG_PATH": f"{project.file('moved/lib/pkgconfig')}:{project.file('moved/share/pkgconfig')}"}
    said = project.run("pkg-config", "--modversion", "mpx", "mpx-compiled", **paths)
    expect(said.split() == [VERSION] * 2, f"versions {said!r}")
    compiler = " ".join(CC)
    project.shell(f"{compiler} main.c $(pkg-config --define-prefix --cflags --libs mpx-compiled) -o app", **paths)
    project.program("app", " files")
    project.shell(f"{compiler} -DHEADER_ONLY main.c $(pkg-config --define-prefix --cflags mpx) -o alone", **paths)
    project.program("alone")


@consumer
def pkg_config():
    """make install, with DESTDIR and without, and moved; for everyone, whatever the umask of who installs."""
    need("pkg-config", "make")
    project = Project("pkg-config", mpx=ROOT)
    install, build = README["pkg-config"]["sh"][0].splitlines()
    os.utime(os.path.join(ROOT, "src", "mpx.h"))  # newer than mpx.h, as in some clones: no python3 is needed
    project.shell(f"umask 077; mkdir image; chmod 755 image; {install} PYTHON=false DESTDIR={project.file('image')}")
    expect(os.path.exists(project.file("image/opt/mpx/share/licenses/mpx/LICENSE")), "no licence is installed")
    private = project.run("find", "image", "!", "-perm", "-o=r")
    expect(private == "", f"others may not read:\n{private}")
    image = {"PKG_CONFIG_PATH": project.file("image/opt/mpx/share/pkgconfig"),
             "PKG_CONFIG_SYSROOT_DIR": project.file("image")}
    flags = project.run("pkg-config", "--cflags", "mpx", **image)
    expect(flags.split() == [f"-I{project.file('image/opt/mpx/include')}"], f"flags with DESTDIR: {flags}")
    expect(project.run("pkg-config", "--modversion", "mpx", **image).strip() == VERSION, "version")
    project.shell(install.replace("/opt/mpx", project.file("staging")))
    project.shell(build.replace("cc ", " ".join(CC) + " ", 1), PKG_CONFIG_PATH=project.file("staging/share/pkgconfig"))
    project.program("app")
    os.rename(project.file("staging"), project.file("moved"))
    flags = project.run("pkg-config", "--define-prefix", "--cflags", "mpx",
                        PKG_CONFIG_PATH=project.file("moved/share/pkgconfig"))
    expect(flags.split()[0][2:] == project.file("moved/include"), f"flags where it was moved: {flags}")
    install, home = install.replace("/opt/mpx", "'~/a b'"), {"HOME": project.file("home"), "PKG_CONFIG_PATH": ""}
    project.shell(install, **home)
    home["PKG_CONFIG_PATH"] = project.file("home/a b/share/pkgconfig")
    flags = project.run("pkg-config", "--cflags", "mpx", **home)
    expect(shlex.split(flags) == ["-I" + project.file("home/a b/include")], f"flags with a blank: {flags}")
    project.shell(install.replace("install", "uninstall"), **home)
    left = [name for _, _, names in os.walk(project.file("home")) for name in names]
    expect(left == [], f"left by make uninstall: {left}")


# ---- Conan, vcpkg, Zig ----------------------------------------------------------------------------------------------

@consumer
def conan():
    """conan create, which builds and runs test_package, then a program of one's own; no remote is asked."""
    need("cmake")
    pypi("conan==2.34.0")
    project = Project("conan", CONAN_HOME=os.path.join(WORK, "conan", "home"), PATH=f"{BIN}:{os.environ['PATH']}")
    if CC == ["cc"]:  # Conan looks for gcc and clang, and does not know whose cc is
        project.environment.pop("CC", None)
    project.run("conan", "profile", "detect")
    profile = version.read(project.path, "home/profiles/default")
    project.write("home/profiles/default", profile.replace("build_type=Release", "build_type=Debug"))
    project.run("conan", "remote", "disable", "*")
    said = project.shell(README["Conan 2"]["sh"][0])
    expect(f"{BITS} dot 1.01" in said, f"test_package does not print the bits:\n{said[-2000:]}")
    expect(not os.path.exists(project.file("mpx/packages/conan/test_package/CMakeUserPresets.json")), "a file is left in mpx")
    project.write("conanfile.txt", README["Conan 2"]["ini"][0])
    project.run("conan", "install", ".", "--output-folder=conan")
    alone = "add_executable(alone main.c)\ntarget_compile_definitions(alone PRIVATE HEADER_ONLY)\n" \
            "target_link_libraries(alone PRIVATE mpx::mpx)\n"
    toolchain = project.file("conan/conan_toolchain.cmake")
    project.cmake(README["Conan 2"]["cmake"][0] + alone, f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", more=" dot 1.01")
    project.program("out/alone")


@consumer
def vcpkg():
    """The steps of the portfile, with functions in place of vcpkg's; the manifest by its rules."""
    need("cmake")
    manifest = json.loads(version.read(MPX, "packages/vcpkg/mpx/vcpkg.json"))
    expect(sorted(manifest) == ["dependencies", "description", "features", "license", "name", "version"], "its keys")
    names = [manifest["name"], *manifest["features"]]
    expect(all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names), f"names {names}")
    expect(all(dependency["host"] is True for dependency in manifest["dependencies"]), "vcpkg-cmake is of the host")
    port = version.read(MPX, "packages/vcpkg/mpx/portfile.cmake")
    for feature in manifest["features"]:
        expect(f"    {feature} MPX_{feature.upper()}" in port, f"the portfile has no feature {feature}")
    project = Project("vcpkg")
    project.run("cmake", f"-DPORT_DIR={project.file('mpx/packages/vcpkg/mpx')}", f"-DOUT={project.file('packages')}",
                "-DFEATURES=core;compute", "-P", os.path.join(ROOT, "tests", "packages_vcpkg.cmake"))
    os.rename(project.file("packages/installed"), project.file("moved"))
    for name in ("share/mpx/copyright", "share/mpx/usage", "share/mpx/mpxConfig.cmake", "debug/lib/libmpx.a"):
        expect(os.path.exists(project.file(f"moved/{name}")), f"{name} is not installed")
    for name in ("debug/include", "debug/share", "lib/cmake"):
        expect(not os.path.exists(project.file(f"moved/{name}")), f"{name} is installed")
    project.cmake(README["vcpkg"]["cmake"][0], f"-DCMAKE_PREFIX_PATH={project.file('moved')}", more=" dot 1.01")


@consumer
def zig():
    pypi("ziglang==0.14.1")  # the oldest that build.zig is for; newer ones compile their build system for minutes
    project = Project("zig", ZIG_GLOBAL_CACHE_DIR=os.path.join(WORK, "zig-cache"))
    dependencies, lines = README["Zig"]["zig"]
    project.write("build.zig.zon", '.{ .name = .app, .version = "0.0.0", .fingerprint = 0xc96e70cf2bfecc91,\n'
                                   f'    .minimum_zig_version = "0.14.0", .paths = .{{""}},\n    {dependencies}}}\n')
    project.write("build.zig", f"""\
const std = @import("std");
pub fn build(b: *std.Build) void {{
    const target = b.standardTargetOptions(.{{}});
    const optimize = b.standardOptimizeOption(.{{}});
    const app = b.addExecutable(.{{ .name = "app", .root_module = b.createModule(.{{
        .target = target, .optimize = optimize, .link_libc = true }}) }});
    app.root_module.addCSourceFile(.{{ .file = b.path("main.c") }});
    {lines.replace(".compute = true", ".compute = true, .dispatch = true")}
    b.installArtifact(app);
}}
""")
    said = project.run(os.path.join(BIN, "python"), "-m", "ziglang", "build", "--verbose")
    expect(re.search(r"packages/mpx\.c -OReleaseFast ", said), f"the library is not optimized:\n{said[:2000]}")
    project.program("zig-out/bin/app", " dot 1.01")


# ---- PlatformIO and Arduino -----------------------------------------------------------------------------------------

@consumer
def platformio():
    """PlatformIO's own package manager, dependency finder and builder. Its registry is not asked: SCons is PyPI's, and
    the platform `native`, two lines."""
    pypi("platformio==6.2.0", "scons==4.11.1")
    project = Project("platformio", PLATFORMIO_CORE_DIR=os.path.join(WORK, "platformio", "core"),
                      PLATFORMIO_SETTING_ENABLE_TELEMETRY="no")
    pio = os.path.join(BIN, "pio")
    for folder, kind, name, number in (("core/packages/tool-scons", "tool", "tool-scons", "4.41101.0"),
                                       ("core/platforms/native", "platform", "native", "1.2.1")):
        facts = {"name": name, "version": number, "title": name, "description": name}
        project.write(f"{folder}/{'package' if kind == 'tool' else kind}.json", json.dumps(facts))
        project.write(f"{folder}/.piopm", json.dumps({"type": kind, "name": name, "version": number,
                                                      "spec": {"owner": "platformio", "name": name}}))
    project.write("core/packages/tool-scons/scons.py", "import sys\nfrom SCons.Script import main\nsys.exit(main())\n")
    project.write("core/platforms/native/platform.py", "from platformio.platform.base import PlatformBase\n\n\n"
                                                       "class NativePlatform(PlatformBase):\n    pass\n")
    project.write("core/platforms/native/builder/main.py", "from SCons.Script import Default, DefaultEnvironment\n"
                                                           "Default(DefaultEnvironment().BuildProgram())\n")
    # Without the licence, for whose names PlatformIO asks the network.
    shutil.copytree(MPX, project.file("pack"))
    shutil.copytree(os.path.join(ROOT, "src"), project.file("pack/src"))
    manifest = json.loads(version.read(MPX, "library.json"))
    expect(manifest.pop("license") == "MIT OR Unlicense", "licence")
    project.write("pack/library.json", json.dumps(manifest))
    project.run(pio, "pkg", "pack", "--output", project.file("mpx.tar.gz"), "pack")
    with tarfile.open(project.file("mpx.tar.gz")) as archive:
        names = sorted(name for name in archive.getnames() if "." in name or name.isupper())
    expect(names == ["LICENSE", "library.json", "mpx.h", "packages/README.md"], f"packed: {names}")
    line = re.sub(r"https://\S+", f"mpx=file://{MPX}", README["PlatformIO"]["ini"][0])
    project.write("platformio.ini", f"[env:native]\nplatform = native\nbuild_flags = -DHEADER_ONLY\n{line}")
    os.makedirs(project.file("src"))
    os.rename(project.file("main.c"), project.file("src/main.c"))
    said = project.run(pio, "run", "--verbose")
    expect(f"mpx @ {VERSION}" in said, said[-2000:])
    expect(said.count(" -c ") == 1, "more than the program was compiled")
    project.program(".pio/build/native/program")


ARDUINO_H = """\
#include <stdint.h>
#include <stdio.h>
enum { HEX = 16 };
struct { void begin(long) {} void println(unsigned x, int) { printf("%X\\n", x); } } Serial;
void setup();
int main() { setup(); }
"""


@consumer
def arduino():
    """The library's folder, by the rules of Arduino's specification; its example as C++ with a made-up Arduino.h."""
    need(CXX[0])
    project = Project("arduino", mpx=None)
    with zipfile.ZipFile(BytesIO(release.zipped("mpx", release.ARDUINO, ROOT))) as archive:
        archive.extractall(project.path)
    lines = version.read(project.path, "mpx/library.properties").splitlines()
    fields = dict(line.split("=", 1) for line in lines)
    needed = "name version author maintainer sentence paragraph category url architectures".split()
    expect(len(fields) == len(lines) and set(needed) <= set(fields), "fields of library.properties")
    expect(re.fullmatch(r"[A-Za-z][\w .-]*", fields["name"]) and len(fields["name"]) <= 63, "name")
    expect(fields["version"] == VERSION, "version")
    expect(fields["category"] in ("Data Processing", "Other"), "category")
    expect(not fields["paragraph"].startswith(fields["sentence"]), "the paragraph repeats the sentence")
    expect(os.path.exists(project.file(f"mpx/src/{fields['includes']}")), "includes")
    project.write("Arduino.h", ARDUINO_H)
    project.run(*CXX, "-std=c++11", "-I.", "-Impx/src", "-include", "Arduino.h", "-x", "c++",
                "mpx/examples/Bits/Bits.ino", "-o", "app")
    said = project.run(project.file("app"))
    expect(said.split() == BITS.upper().split()[:3], f"the example prints {said!r}")
    words = said.replace("\n", " ").strip()
    expect(f": {words}\n" in version.read(project.path, "mpx/examples/Bits/Bits.ino"), f"its comment lacks {words}")


# ---- npm ------------------------------------------------------------------------------------------------------------

@consumer
def npm():
    """Packed, installed elsewhere, its README's program run, and tests/npm.mjs."""
    need("node")
    if not release.has_wasm(ROOT):
        raise Skip("no clang with wasm-ld here")
    project = Project("npm", mpx=ROOT)
    make, install = README["npm"]["sh"][0].splitlines()
    project.shell(make)
    project.run("node", os.path.join(ROOT, "tests", "npm.mjs"), "mpx/build/npm")
    need("npm")
    offline = {"npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false",
               "npm_config_cache": project.file("cache")}
    packed = json.loads(project.run("npm", "pack", "--json", "./mpx/build/npm", **offline))[0]
    names = sorted(file["path"] for file in packed["files"])
    expect(names == sorted(release.NPM), f"npm packs {names}")
    project.write("package.json", '{ "name": "app", "private": true, "type": "module" }')
    project.shell(install.replace("./mpx/build/npm", "./" + packed["filename"]), **offline)
    page = version.read(project.path, "node_modules/mpx.h/README.md")
    source, output = (re.search(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
                      for language in ("js", "text"))
    project.write("main.mjs", source)
    said = project.run("node", "main.mjs")
    expect(said == output, f"the README's program prints {said!r}")


# ---- all of them ----------------------------------------------------------------------------------------------------

def check(name):
    start = time.time()
    try:
        CONSUMERS[name]()
        word, text = "ok", ""
    except Skip as skip:
        word, text = "SKIP", f": {skip}"
    except (Failure, OSError, KeyError, ValueError, subprocess.SubprocessError) as failure:
        word, text = "FAILED", f": {type(failure).__name__ if not isinstance(failure, Failure) else ''} {failure}"
    print(f"{word} {name}{text} ({time.time() - start:.0f} s)", flush=True)
    return word


def main():
    names = sys.argv[1:] or list(CONSUMERS)
    os.makedirs(WORK, exist_ok=True)
    shutil.rmtree(MPX, ignore_errors=True)
    with tarfile.open(fileobj=BytesIO(release.tar("mpx", release.SOURCES, ROOT))) as archive:
        archive.extractall(WORK)
    names.sort(key=lambda name: ["zig", "npm", "pkg-config"].index(name) if name in ("zig", "npm", "pkg-config") else 9)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # the longest first
        words = list(pool.map(check, names))
    passed, failed, skipped = (words.count(word) for word in ("ok", "FAILED", "SKIP"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
