"""A Conan 2 recipe for the copy of mpx that it stands in: conan create packages/conan"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

SWITCHES = ("compute", "files", "dispatch")


class Mpx(ConanFile):
    name = "mpx"
    version = "0.2.0"
    description = "Mixed precision for C, in one header"
    license = "MIT OR Unlicense"
    package_type = "static-library"
    languages = "C"
    settings = "os", "arch", "compiler", "build_type"
    options = {switch: [True, False] for switch in SWITCHES}
    default_options = {switch: False for switch in SWITCHES}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for name in ("mpx.h", "CMakeLists.txt", "LICENSE", "packages/mpx.c"):
            copy(self, name, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for switch in SWITCHES:
            toolchain.cache_variables[f"MPX_{switch.upper()}"] = bool(self.options.get_safe(switch))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))  # Conan writes its own
        rmdir(self, os.path.join(self.package_folder, "share"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "mpx")
        self.cpp_info.set_property("cmake_target_name", "mpx::all")  # Conan's own, of both; by default mpx::mpx
        header, compiled = self.cpp_info.components["header"], self.cpp_info.components["compiled"]
        header.set_property("cmake_target_name", "mpx::mpx")
        header.set_property("pkg_config_name", "mpx")
        header.libdirs = []
        compiled.set_property("cmake_target_name", "mpx::compiled")
        compiled.set_property("pkg_config_name", "mpx-compiled")
        compiled.libs = ["mpx"]
        compiled.requires = ["header"]
        compiled.defines = [f"MPX_{switch.upper()}=1" for switch in SWITCHES if self.options.get_safe(switch)]
