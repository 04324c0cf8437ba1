#!/usr/bin/env python3
"""tools/amalgamate.py on small made-up sources: what it pastes, what it refuses, that nothing else is touched."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(ROOT, "tools", "amalgamate.py")
SOURCES = {
    "mpx.h": '/* for readers of the spine */\n#include "intro.h"\n#ifndef MPX_H\n#include "config.h"\n#include "names.h"\n'
             '#include "api.h"\n#include "inline.h"\n#endif\n#include "outro.h"\n',
    "intro.h": "/* mpx.h - v@VERSION@ - a test */\n",
    "config.h": "#include <stddef.h>\n#define MPX_VERSION_MAJOR 3\n#define MPX_VERSION_MINOR 20\n"
                "#define MPX_VERSION_PATCH 1\n",
    "api.h": "MPX_API int mpx_one(void);\n/* MPX_API in a comment: mpx_none(x) */\nMPX_API const char *\nmpx_two(int a,\n"
             "        int b);\n",
    "inline.h": "MPX__INLINE int mpx_three(void) { return 3; }\n",
    "outro.h": "/* the end */\n",
}


class Amalgamate(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="mpx_amalgamate_")
        self.addCleanup(place.cleanup)
        self.source, self.output = os.path.join(place.name, "src"), os.path.join(place.name, "out.h")
        os.mkdir(self.source)
        for name, text in SOURCES.items():
            self.write(name, text)
        self.run_tool("--names")

    def write(self, name, text):
        with open(os.path.join(self.source, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("ascii"))

    def read(self, path):
        with open(os.path.join(self.source, path), "rb") as file:
            return file.read()

    def edit(self, name, old, new):
        text = self.read(name).decode("ascii")
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))

    def start(self, *more, cwd=ROOT, **environment):
        return subprocess.run([sys.executable, TOOL, "--source", self.source, "--output", self.output, *more], cwd=cwd,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})

    def run_tool(self, *more, **options):
        """Run it; it must succeed in silence."""
        result = self.start(*more, **options)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def refuse(self, *words):
        """Run it; it must fail with one line that has these words, and leave no output."""
        result = self.start()
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("amalgamate: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_pastes_in_order_and_changes_nothing_else(self):
        self.run_tool()
        spine = SOURCES["mpx.h"].split("\n", 1)[1]
        for name in ("names.h", *SOURCES):
            spine = spine.replace(f'#include "{name}"\n', self.read(name).decode("ascii"))
        self.assertEqual(self.read(self.output).decode("ascii"), spine.replace("@VERSION@", "3.20.1"))
        self.assertTrue(spine.startswith("/* mpx.h - v@VERSION@"))
        self.assertIn("#include <stddef.h>\n", spine)

    def test_includes_within_a_room_are_pasted_too(self):
        self.write("inner.h", "int inner;\n")
        self.write("outro.h", '/* before */\n#include "inner.h"\n/* after */\n')
        self.run_tool()
        self.assertTrue(self.read(self.output).endswith(b"/* before */\nint inner;\n/* after */\n"))

    def test_second_inclusion(self):
        self.edit("mpx.h", '#include "outro.h"\n', '#include "outro.h"\n#include "api.h"\n')
        self.refuse("api.h", "twice")

    def test_inclusion_of_itself(self):
        self.write("outro.h", '#include "mpx.h"\n')
        self.refuse("mpx.h", "twice")

    def test_missing_file(self):
        os.remove(os.path.join(self.source, "outro.h"))
        self.refuse("outro.h")

    def test_unlisted_files(self):
        self.write("forgotten.h", "int forgotten;\n")
        self.write("api.h~", "a backup\n")
        self.refuse("not included", "forgotten.h", "api.h~")

    def test_include_line_that_is_not_plain(self):
        self.edit("mpx.h", '#include "outro.h"', '#include "outro.h" /* a remark */')
        self.refuse("outro.h")

    def test_bytes_that_are_not_ascii(self):
        for wrong in (b"\xc3\xa9", b"\x80", b"\xff", b"\x00", b"\x7f", b"\r", b"\x1b"):
            with self.subTest(wrong=wrong):
                self.write("outro.h", b"/* one */\n/* two " + wrong + b" */\n")
                self.refuse("outro.h:2:", "ASCII")

    def test_version_stamp_missing_or_twice(self):
        for text in ("/* mpx.h */\n", "/* mpx.h v@VERSION@, that is @VERSION@ */\n"):
            with self.subTest(text=text):
                self.write("intro.h", text)
                self.refuse("@VERSION@", "exactly once")

    def test_version_macros_missing_twice_or_no_number(self):
        line = "#define MPX_VERSION_MINOR 20\n"
        for text in ("", line + line, "#define MPX_VERSION_MINOR twenty\n", "/* " + line.strip() + " */\n"):
            with self.subTest(text=text):
                self.write("config.h", SOURCES["config.h"].replace(line, text))
                self.refuse("config.h", "MPX_VERSION_MAJOR, _MINOR and _PATCH")

    def test_duplicate_declaration(self):
        self.edit("api.h", "mpx_two(", "mpx_one(")
        self.refuse("api.h", "twice", "mpx_one")

    def test_stale_names_are_refused_and_mended(self):
        self.edit("api.h", "mpx_two(", "mpx_second(")
        self.refuse("names.h", "--names")
        self.run_tool("--names")
        self.assertFalse(os.path.exists(self.output))
        names = self.read("names.h").decode("ascii")
        self.assertIn("#define mpx_one MPX__JOIN(MPX_NAMESPACE, mpx_one)\n", names)
        self.assertIn("#define mpx_second MPX__JOIN(MPX_NAMESPACE, mpx_second)\n", names)
        for word in ("mpx_two", "mpx_three", "mpx_none"):
            self.assertNotIn(word, names)
        self.run_tool()
        self.assertIn(names.encode("ascii"), self.read(self.output))

    def test_names_edited_by_hand(self):
        self.edit("names.h", "mpx_one)", "mpx_two)")
        self.refuse("names.h", "--names")

    def test_output_is_a_pure_function_of_the_sources(self):
        self.run_tool()
        first = self.read(self.output)
        self.run_tool(cwd=self.source, LC_ALL="tr_TR.UTF-8", PYTHONUTF8="0", TZ="Pacific/Apia", PYTHONHASHSEED="7",
                      SOURCE_DATE_EPOCH="1")
        self.assertEqual(self.read(self.output), first)
        for name in SOURCES:
            os.utime(os.path.join(self.source, name), (1, 1))
        moved = os.path.join(os.path.dirname(self.source), "another place")
        os.rename(self.source, moved)
        self.source = moved
        self.run_tool()
        self.assertEqual(self.read(self.output), first)

    def test_only_the_output_is_written(self):
        def files():
            everything = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.dirname(self.source))
                          for name in names]
            return {path: (os.stat(path).st_mtime_ns, self.read(path)) for path in everything}
        before, header = files(), os.path.join(ROOT, "mpx.h")
        stamp = os.stat(header).st_mtime_ns if os.path.exists(header) else None
        self.run_tool()
        after = files()
        self.assertEqual(set(after) - set(before), {self.output})
        self.assertEqual({path: after[path] for path in before}, before)
        self.assertEqual(os.stat(header).st_mtime_ns if stamp else None, stamp)

    def test_failure_leaves_the_old_output(self):
        self.run_tool()
        first = self.read(self.output)
        self.write("forgotten.h", "")
        self.assertEqual(self.start().returncode, 1)
        self.assertEqual(self.read(self.output), first)

    def test_failure_of_names_leaves_the_old_names(self):
        first = self.read("names.h")
        self.edit("api.h", "mpx_two(", "mpx_one(")
        self.assertEqual(self.start("--names").returncode, 1)
        self.assertEqual(self.read("names.h"), first)

    def test_output_into_a_folder_that_is_not_there(self):
        self.output = os.path.join(self.source, "nowhere", "out.h")
        self.assertNotEqual(self.start().returncode, 0)

    def test_unknown_option(self):
        self.assertEqual(self.start("--nosuch").returncode, 2)


SMOKE = """\
#define MPX_IMPLEMENTATION
#include "mpx.h"
int main(void) {
    mpx_policy p;
    mpx_loss_scale s = mpx_loss_scale_dynamic(8.0f);
    char text[MPX_POLICY_TEXT_SIZE];
    float x[2] = { 1.0f, 70000.0f };
    uint16_t y[2];
    if (mpx_policy_parse("p=f32,c=bf16", &p, NULL) != MPX_OK || mpx_policy_format(p, text, sizeof text) != 19) return 1;
    if (mpx_policy_parse("mixed_float16", &p, NULL) != MPX_ERR_DTYPE) return 2;
    if (mpx_cast(y, p.compute, x, p.param, 2) != MPX_OK || y[0] != 0x3f80) return 3;
    if (mpx_cast(y, MPX_F16, x, MPX_F32, 2) != MPX_OK || y[1] != 0x7c00) return 4;
    s = mpx_loss_scale_adjust(s, mpx_all_finite(y, MPX_F16, 2));
    return s.scale == 4.0f && mpx_isa()[0] == 's' ? 0 : 5;
}
"""


class Rooms(unittest.TestCase):
    """--rooms, on the library's own sources."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="mpx_rooms_")
        self.addCleanup(place.cleanup)
        self.folder, self.output = place.name, os.path.join(place.name, "mpx.h")

    def start(self, *more):
        return subprocess.run([sys.executable, TOOL, "--output", self.output, *more], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def make(self, rooms):
        result = self.start("--rooms", rooms)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        with open(self.output, encoding="ascii") as file:
            return file.read()

    def build(self, source, *flags):
        """Compile with warnings as errors, and run."""
        path, program = os.path.join(self.folder, "main.c"), os.path.join(self.folder, "main")
        with open(path, "w", encoding="ascii") as file:
            file.write(source)
        compiler = os.environ.get("CC") or "cc"
        subprocess.run([*compiler.split(), "-Wall", "-Wextra", "-Werror", "-I" + self.folder, *flags, path, "-o", program],
                       check=True)
        return subprocess.run([program]).returncode

    def test_a_small_header_works_alone(self):
        text = self.make("cast,policy,loss_scale")
        with open(os.path.join(ROOT, "mpx.h"), encoding="ascii") as file:
            self.assertLess(len(text), len(file.read()) * 6 // 10)
        self.assertEqual(self.build(SMOKE), 0)

    def test_what_is_absent_is_gone_whatever_the_flags_say(self):
        text = self.make("policy")
        for word in ("mpx_tree_next(", "mpx_loss_scale_adjust(", "mpx_interop_code(", "mpx_cast_parallel(", "_mm256_", "_mm512_",
                     "mpx_dtype_promote("):
            self.assertFalse(word in text, word)
        self.assertTrue("mpx_policy_parse_n(" in text)
        source = '#define MPX_NO_TREE 0\n#define MPX_IMPLEMENTATION\n#include "mpx.h"\n#if !MPX_NO_TREE || MPX_NO_POLICY\n' \
                 '#error "the switches are not fixed"\n#endif\nint main(void) { return mpx_version() != MPX_VERSION; }\n'
        self.assertEqual(self.build(source), 0)

    def test_all_rooms_are_the_whole_header(self):
        with open(os.path.join(ROOT, "src", "config.h"), encoding="ascii") as file:
            switches = re.findall(r"^#ifndef MPX_NO_(\w+)$", file.read(), re.MULTILINE)
        text = self.make(",".join(["vectors", *(switch.lower() for switch in switches)]))
        lines = [line for line in text.splitlines(keepends=True) if not line.startswith("/* Of its rooms this copy has: ")]
        with open(os.path.join(ROOT, "mpx.h"), encoding="ascii") as file:
            self.assertTrue("".join(lines) == file.read())

    def test_rooms_bring_what_they_need(self):
        for room, needed, function in (("policy_map", "cast, policy, policy_map", "mpx_policy_map_set("),
                                       ("regex", "cast, policy, policy_map, regex", "mpx_policy_map_keras("),
                                       ("keras", "cast, policy, dialects, keras", "mpx_policy_quantize("),
                                       ("default_policy", "cast, policy, default_policy", "mpx_default_policy_get(")):
            text = self.make(room)
            said = re.search(r"/\* Of its rooms this copy has: (.*)\. \*/", text).group(1)
            self.assertEqual(sorted(said.split(", ")), sorted(needed.split(", ")), room)
            self.assertIn(function, text, room)
            self.assertEqual(self.build('#define MPX_IMPLEMENTATION\n#include "mpx.h"\nint main(void) { return 0; }\n'), 0)

    def test_unknown_rooms_are_refused(self):
        result = self.start("--rooms", "cast,attic")
        self.assertEqual(result.returncode, 1)
        for word in ("attic", "cast, vectors, tree, policy", "loss_scale"):
            self.assertIn(word, result.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_the_whole_header_is_not_overwritten(self):
        result = subprocess.run([sys.executable, TOOL, "--rooms", "policy"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--output", result.stderr)


class Repository(unittest.TestCase):
    def test_the_sources_of_the_library_pass(self):
        with tempfile.TemporaryDirectory(prefix="mpx_amalgamate_") as place:
            output = os.path.join(place, "mpx.h")
            subprocess.run([sys.executable, TOOL, "--output", output], check=True)
            with open(output, "rb") as file:
                text = file.read()
        self.assertTrue(text.startswith(b"/* mpx.h - v"))
        self.assertNotIn(b"@VERSION@", text)
        self.assertTrue(text.endswith(b"*/\n"))


if __name__ == "__main__":
    unittest.main()
