#!/usr/bin/env python3
"""tools/version.py: all manifests say the version of src/config.h, one that differs is found, a new one is written."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import release  # noqa: E402
import version  # noqa: E402

PLACES = {**version.PLACES, **version.WRITTEN}


class Version(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="mpx_version_")
        self.addCleanup(place.cleanup)
        self.root = place.name
        for name in (version.CONFIG, *PLACES):
            os.makedirs(os.path.dirname(os.path.join(self.root, name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.root, name))

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
            file.write(text)

    def names(self):
        return [line.split(":")[0] for line in version.disagreements(self.root)]

    def test_all_agree(self):
        self.assertEqual(version.disagreements(), [])
        self.assertRegex(version.version(), r"^\d+\.\d+\.\d+$")

    def test_one_that_differs_or_says_none_is_named(self):
        for name in PLACES:
            before = version.read(self.root, name)
            for text in (before.replace(version.version(), "9.8.7", 1), ""):
                with self.subTest(name=name, text=text[:20]):
                    self.assertNotEqual(text, before)
                    self.write(name, text)
                    self.assertEqual(self.names(), [name])
            self.write(name, before)

    def test_the_source_is_ahead(self):
        text = version.read(self.root, version.CONFIG)
        self.write(version.CONFIG, re.sub(r"(?m)^(#define MPX_VERSION_MINOR) .*$", r"\1 77", text))
        self.assertEqual(self.names(), list(PLACES))

    def test_a_new_one_is_written(self):
        version.write(self.root, "12.0.34")
        self.assertEqual(version.version(self.root), "12.0.34")
        self.assertEqual(self.names(), list(version.WRITTEN))

    def test_entries_of_the_changelog(self):
        """The newest comes first; Unreleased, which is always there, is no version."""
        text = version.read(ROOT, "CHANGELOG.md")
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        self.assertEqual(headings[0], "Unreleased")
        self.assertEqual(headings[1].split(" - ")[0], version.version())

    def test_unreleased(self):
        """A release whose tree has changes of no version says so."""
        text = "# Changelog\n\n## Unreleased\n{}\n## 0.2.0 - 2026-11-26\n\n- b\n\n## 0.1.0 - 2026-01-01\n- c\n"
        self.assertEqual(release.unreleased(text.format("")), 0)
        self.assertEqual(release.unreleased(text.format("\n### Added\n- a\n  - more\n\n### Fixed\n- b\n")), 2)
        self.assertEqual(release.unreleased("## Unreleased\n- a\n"), 1)

    def test_switches(self):
        """Every build file that makes a library has all switches of packages/README.md, under the name that it uses."""
        page = version.read(ROOT, "packages/README.md")
        switches = re.findall(r"^\| `(\w+)` \| `MPX_\w+` \|", page, re.MULTILINE)
        self.assertEqual(switches, ["compute", "files", "dispatch"])
        files = {"CMakeLists.txt": "option(MPX_{upper} ", "meson_options.txt": "option('{name}'",
                 "packages/conan/conanfile.py": '"{name}"', "packages/vcpkg/mpx/vcpkg.json": '"{name}":',
                 "packages/vcpkg/mpx/portfile.cmake": "    {name} MPX_{upper}", "build.zig": 'b.option(bool, "{name}"'}
        for file, words in files.items():
            for name in switches:
                with self.subTest(file=file, switch=name):
                    self.assertIn(words.format(name=name, upper=name.upper()), version.read(ROOT, file))

    def test_wrong_arguments(self):
        """Tools that take none, or a few, say so, and do nothing else."""
        for *words, said in [("release.py", "--help", "without arguments"), ("release.py", "0.3.0", "without arguments"),
                             ("version.py", "0.3", "MAJOR.MINOR.PATCH"), ("count_instructions.py", "x", "no target x"),
                             ("dry_run_silero.py", "--help", "[PROGRAM]")]:
            command = [sys.executable, os.path.join(ROOT, "tools", words[0]), *words[1:]]
            with self.subTest(command):
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(done.stdout, "")

    def test_links_of_a_release(self):
        """Pages in the archive of the sources link to files in it, or to addresses."""
        for page in release.SOURCES:
            text = version.read(ROOT, page) if page.endswith(".md") else ""
            for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
                with self.subTest(page=page, link=link):
                    self.assertIn(os.path.normpath(os.path.join(os.path.dirname(page), link)), release.SOURCES)


if __name__ == "__main__":
    unittest.main()
