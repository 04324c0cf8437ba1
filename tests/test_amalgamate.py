#!/usr/bin/env python3
"""tools/amalgamate.py on small made-up sources: what it pastes, what it refuses, that nothing else is touched. Then its
smaller copies of the library: they compile, cast as the whole header does, and have nothing else."""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import amalgamate  # noqa: E402
import in_process  # noqa: E402
from smaller import FALSE, GONE, TRUE, decide, evaluate, truth  # noqa: E402

RUN = [sys.executable, "-S", os.path.join(ROOT, "tools", "amalgamate.py")]  # -S: it needs no package


def run_tool(*arguments):
    return in_process.run(amalgamate.main, arguments)


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

    def start(self, *more):
        return run_tool("--source", self.source, "--output", self.output, *more)

    def start_process(self, *more, cwd=ROOT, **environment):
        """The same in a process of its own."""
        return subprocess.run([*RUN, "--source", self.source, "--output", self.output, *more], cwd=cwd,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})

    def run_tool(self, *more):
        """Run it; it must succeed in silence."""
        result = self.start(*more)
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

    def test_index_of_functions(self):
        self.write("intro.h", "/* mpx.h - v@VERSION@\n       @INDEX@ */\n")
        self.write("api.h", " * MARK: api - all\n/* ---- first things ---- */\nMPX_API int mpx_one(void);\n"
                            "/* mpx_none(x) */\nMPX_API const char *\nmpx_one_more(int a,\n        int b);\n"
                            "/* ---- nothing ---- */\n"
                            "/* ---- then ---- */\n" + "".join(f"MPX_API int mpx_map_{name}(void);\n" for name in "abc"))
        self.write("inline.h", " * MARK: inline - by name\nMPX__TYPED(mpx_typed, int)\n"
                               "MPX__INLINE int mpx__private(int x) {}\n"
                               "MPX__INLINE int mpx_three(void) { return 3; }\n#if defined(MPX_IMPLEMENTATION)\n#endif\n")
        self.run_tool("--names")
        self.run_tool()
        self.assertTrue(self.read(self.output).decode("ascii").startswith(
            "/* mpx.h - v3.20.1\n       first things: mpx_one, mpx_one_more\n       then: mpx_map_(a, b, c)\n"
            "       by name: mpx_typed, mpx_three */\n"))

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
        os.remove(self.output)
        result = self.start_process(cwd=self.source, LC_ALL="tr_TR.UTF-8", PYTHONUTF8="0", TZ="Pacific/Apia",
                                    PYTHONHASHSEED="7", SOURCE_DATE_EPOCH="1")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
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

    def test_the_folder_of_the_output_is_made(self):
        self.run_tool()
        first, self.output = self.read(self.output), os.path.join(os.path.dirname(self.source), "one", "two", "out.h")
        self.run_tool()
        self.assertEqual(self.read(self.output), first)
        self.run_tool()  # it is there now
        self.output = os.path.join(self.source, "config.h", "out.h")
        self.assertEqual(self.start().returncode, 1)

    def test_failure_makes_no_folder(self):
        self.output = os.path.join(self.source, "nowhere", "out.h")
        self.write("outro.h", "\x1b")
        self.refuse("outro.h:1:")
        self.assertFalse(os.path.exists(os.path.dirname(self.output)))

    def test_unknown_option(self):
        self.assertEqual(self.start("--nosuch").returncode, 2)


WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wcast-align",
        "-Wdouble-promotion", "-Wundef", "-Werror"]
X86 = {"sse2": ["-msse2"], "avx2": ["-mavx2", "-mf16c", "-mfma"]}
X86["avx512"] = [*X86["avx2"], "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"]

WITHOUT_ROOMS = [f"-DMPX_NO_{room}=1" for room in ("TREE", "POLICY_MAP", "INTEROP", "PROMOTE", "AMP", "PARALLEL")]

# One line a cast: the dtypes, the status, a hash of the result; then products, policies, loss scales. Of dtypes, rooms
# and instruction sets that are not there, no line; the others are the same in every copy.
DIGEST = """\
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>
enum { N = 203 };
static unsigned char from[16 * N], to[16 * N];
static unsigned long hash_of(size_t bytes) {
    uint32_t hash = 2166136261u;
    size_t i;
    for (i = 0; i < bytes; i++)
        hash = (hash ^ to[i]) * 16777619u & 0xffffffffu;
    return (unsigned long)hash;
}
int main(void) {
    uint32_t x = 12345;
    int to_type, from_type;
    size_t i;
    fprintf(stderr, "%s", mpx_isa());
    for (i = 0; i < sizeof from; i++) {
        x = x * 1664525u + 1013904223u;
        from[i] = (unsigned char)(x >> 24);
    }
    for (to_type = 1; to_type < MPX_DTYPE_COUNT; to_type++)
        for (from_type = 1; from_type < MPX_DTYPE_COUNT; from_type++) {
            const mpx_dtype t = (mpx_dtype)to_type, s = (mpx_dtype)from_type;
            int finite = -1, status;
            if (mpx_dtype_bits(t) == 0 || mpx_dtype_bits(s) == 0) continue;
            status = mpx_cast(to, t, from, s, N);
            printf("cast %s %s %d %08lx\\n", mpx_dtype_name(t), mpx_dtype_name(s), status,
                   hash_of(status == MPX_OK ? mpx_dtype_bytes(t, N) : 0));
            status = mpx_unscale(to, t, from, s, N, 3.0f, &finite);
            printf("unscale %s %s %d %d %08lx\\n", mpx_dtype_name(t), mpx_dtype_name(s), status, finite,
                   hash_of(status == MPX_OK ? mpx_dtype_bytes(t, N) : 0));
        }
#if !MPX_NO_POLICY
    {
        mpx_policy p;
        char text[MPX_POLICY_TEXT_SIZE];
        int status = mpx_policy_parse("p=f32,c=f16,o=f32", &p, NULL);
        if (status == MPX_OK) printf("policy %d %s\\n", (int)mpx_policy_format(p, text, sizeof text), text);
    }
#endif
#if !MPX_NO_LOSS_SCALE
    {
        mpx_loss_scale scale = mpx_loss_scale_adjust(mpx_loss_scale_dynamic(8.0f), 0);
        printf("loss scale %d\\n", (int)scale.scale);
    }
#endif
    return 0;
}
"""


def can_run(isa):
    """Whether this CPU has an instruction set of x86."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = re.search(r"^flags\s*:(.*)", file.read(), re.MULTILINE).group(1).split()
    except (OSError, AttributeError):
        return False
    return all(flag[2:] in flags for flag in X86[isa])


class Smaller(unittest.TestCase):
    """--rooms, --dtypes and --isa, on the library's own sources."""

    @classmethod
    def setUpClass(cls):
        cls.cc = (os.environ.get("CC") or "cc").split()
        cls.cxx = (os.environ.get("CXX") or "c++").split()
        cls.is_x86 = subprocess.run([*cls.cc, "-dumpmachine"], stdout=subprocess.PIPE, text=True).stdout.startswith("x86_64")
        cls.whole = None

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="mpx_smaller_")
        self.addCleanup(place.cleanup)
        self.folder, self.output = place.name, os.path.join(place.name, "made", "mpx.h")

    def start(self, *more):
        return run_tool("--output", self.output, *more)

    def make(self, *options):
        result = self.start(*options)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        with open(self.output, encoding="ascii") as file:
            return file.read()

    def compile(self, source, *command, header=None):
        """Run a compiler on a source file that includes mpx.h."""
        path = os.path.join(self.folder, "main.cpp" if [*command][:len(self.cxx)] == self.cxx else "main.c")
        with open(path, "w", encoding="ascii") as file:
            file.write(source)
        return subprocess.run([*command, "-I" + (header or os.path.dirname(self.output)), path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def run_digest(self, *flags, header=None):
        """(its lines, mpx_isa()), compiled as strict C99."""
        program = os.path.join(self.folder, "main")
        built = self.compile(DIGEST, *self.cc, "-std=c99", *([] if header else WARN), *flags, "-o", program, header=header)
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        result = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
        return result.stdout.splitlines(), result.stderr

    def check_digest(self, dtypes, lines):
        """All pairs of so many dtypes, and every line as the whole header has it."""
        if self.whole is None:
            type(self).whole = set(self.run_digest("-O0", "-DMPX_ISA=1", *WITHOUT_ROOMS, header=ROOT)[0])
        self.assertEqual(sum(line.startswith("cast ") for line in lines), dtypes ** 2)
        self.assertEqual([line for line in lines if line not in self.whole], [])

    def check_cxx(self, *flags):
        if shutil.which(self.cxx[0]):
            result = self.compile(DIGEST, *self.cxx, "-std=c++11", *WARN, *flags, "-fsyntax-only")
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_small_file(self):
        """Policies and loss scales, for f16 and bf16, AVX2 and NEON: 5,500 lines at most (tools/weight.py)."""
        text = self.make("--rooms", "policy,loss_scale", "--dtypes", "f16,bf16", "--isa", "avx2,neon")
        self.assertLessEqual(text.count("\n"), 5500)
        for word in ("mpx_tree_next(", "mpx_cast_with(", "mpx_field", "MPX_AMP_", "MPX_SYSTEM_", "unusable pattern",
                     '"float64"', '"fp64"', '"i8"', "f8e4m3fn_from", "mpx__f32_to_f64", "mpx__f64_to", "mpx__f32_to_f8",
                     "mpx__i8_", "MPX__HAS_SMALL", "MPX__HAS_INT", "MPX__HAS_SSE2", "_mm512_", "wasm_simd128", "__wasm", "riscv_v",
                     "MPX__HERE"):
            self.assertFalse(word in text, word)
        for room in "CAST_WITH", "VERTEX", "QUANT", "TREE", "WEIGHTS", "DIALECTS":  # one line of a switch, and no words of it
            self.assertEqual(re.findall(rf"#define MPX_NO_{room} .*", text), [f"#define MPX_NO_{room} 1 /* not in this copy */"])
        self.assertNotIn("no mpx_amax", text)
        self.assertIn("       MPX_NO_POLICY       also policy maps, quantized policies and the default policy */\n", text)
        for word in ("mpx_policy_parse_n(", "mpx_loss_scale_adjust(", "_mm256_", "vaddq_", "mpx__f16_to_f32",
                     "mpx_bf16_to_bits"):
            self.assertTrue(word in text, word)
        head = text[:text.index("\n\n   Say in one string")]
        for line in ("tools/amalgamate.py --rooms policy,loss_scale --dtypes f16,bf16 --isa avx2,neon\n",
                     "rooms             cast, policy, loss_scale\n", "dtypes            f32, f16, bf16\n"):
            self.assertIn(line, head)
        lines, isa = self.run_digest("-O1")
        self.check_digest(3, lines)
        self.assertIn("policy 17 p=f32,c=f16,o=f32", lines)
        self.assertIn("loss scale 4", lines)
        self.check_cxx(*(X86["avx2"] if self.is_x86 else []))
        if self.is_x86:
            self.assertEqual(isa, "scalar")  # there is no SSE2
        if self.is_x86 and can_run("avx2"):
            lines, isa = self.run_digest("-O0", *X86["avx2"])
            self.check_digest(3, lines)
            self.assertEqual(isa, "avx2")

    def test_declarations_alone(self):
        """Files that call the library include the copy, and one file the whole header, before or after it."""
        text = self.make("--declarations")
        with open(os.path.join(ROOT, "mpx.h"), encoding="ascii") as file:
            whole = file.read()
        note = ("\n   THE DECLARATIONS ALONE, made by\n       tools/amalgamate.py --declarations\n   for files that only call "
                "the library. One file of the program defines MPX_IMPLEMENTATION and\n   includes the whole mpx.h.\n")
        first, rest = whole[:whole.index("#define MPX_H\n")].split("\n", 1)
        self.assertEqual(text[:text.index("#define MPX_H\n")], first + "\n" + note + rest)
        self.assertEqual(text[text.rindex("#endif"):].split("\n", 1)[1], whole[whole.rindex("\n/*"):])
        self.assertEqual(re.findall(r"\bmpx__cast_any\b|_mm\w+|^#include.*", text, re.MULTILINE),
                         ["#include <stddef.h>", "#include <stdint.h>"])
        copy = os.path.join(self.folder, "made", "mpx_declarations.h")
        os.rename(self.output, copy)
        shutil.copyfile(os.path.join(ROOT, "mpx.h"), self.output)
        caller = os.path.join(self.folder, "caller.c")
        with open(caller, "w", encoding="ascii") as file:
            file.write('#include "mpx_declarations.h"\n#include "mpx_declarations.h"\n'
                       'int main(void) {\n    float f = 0;\n    const uint16_t h = 0x4980;\n'
                       '    return mpx_cast(&f, MPX_F32, &h, MPX_F16, 1) != MPX_OK || !(f > 10.9f && f < 11.1f);\n}\n')
        for included in (["mpx.h"], ["mpx.h", "mpx_declarations.h"]):
            for command in (self.cc, self.cxx) if shutil.which(self.cxx[0]) else (self.cc,):
                program = os.path.join(self.folder, "main")
                source = "#define MPX_IMPLEMENTATION\n" + "".join(f'#include "{name}"\n' for name in included)
                as_language = ["-x", "c++" if command == self.cxx else "c"]
                built = self.compile(source, *command, "-O0", *WITHOUT_ROOMS, *as_language, caller, "-o", program)
                self.assertEqual((built.returncode, built.stderr), (0, ""))
                self.assertEqual(subprocess.run([program]).returncode, 0)
        late = '#include "mpx_declarations.h"\n#define MPX_IMPLEMENTATION\n#include "mpx.h"\n'
        self.assertEqual(self.compile(late, *self.cc, "-fsyntax-only", *WITHOUT_ROOMS).returncode, 0)
        early = self.compile('#define MPX_IMPLEMENTATION\n#include "mpx_declarations.h"\n', *self.cc, "-fsyntax-only")
        self.assertIn("mpx.h: this copy has the declarations alone; include the whole mpx.h here, before it", early.stderr)
        text = self.make("--declarations", "--rooms", "policy", "--dtypes", "f16")
        self.assertIn("\n       tools/amalgamate.py --rooms policy --dtypes f16 --declarations\n", text)
        self.assertNotIn("mpx_tree_cast", text)
        smaller = self.compile('#include "mpx.h"\n', *self.cc, "-std=c99", *WARN, "-fsyntax-only")
        self.assertEqual((smaller.returncode, smaller.stderr), (0, ""))
        self.assertEqual(self.start("--declarations", "--names").returncode, 2)

    def test_the_program_of_the_opening_comment_runs_or_is_not_there(self):
        for rooms, dtypes, runs in (("", "bf16", 0), ("policy", "f16", 0), ("policy", "bf16", 1)):
            text = self.make("--rooms", rooms, "--dtypes", dtypes)
            opening = text[:text.index("*/")]
            self.assertEqual(opening.count("A PROGRAM"), runs)
            for lines in re.findall(r"A PROGRAM\n\n(.*?)\n\n", opening, re.DOTALL):
                program = os.path.join(self.folder, "main")
                result = self.compile(lines.strip() + "\n", *self.cc, *WARN, "-O0", "-o", program)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual(subprocess.run([program]).returncode, 0)  # 70000 is finite in bf16
            self.assertIn("\n   DO THIS, ", opening)

    def test_other_selections(self):
        for dtypes, isa, count in (("f32", "scalar", 1), ("f8e4m3fn,f4e2m1fn,f16", "sse2", 4),
                                   ("f64,i8,bool,c64", "sse2", 5)):
            with self.subTest(dtypes=dtypes, isa=isa):
                text = self.make("--dtypes", dtypes, "--isa", isa, "--rooms", "")
                for word in ('{ "bfloat16"', "mpx__f16_to_bf16", "mpx_bf16_from"):
                    self.assertFalse(word in text, word)
                lines, _ = self.run_digest("-O0", *(X86["sse2"] if self.is_x86 else []))
                self.check_digest(count, lines)
                self.check_cxx()

    def test_dtypes_alone_leave_every_room(self):
        text = self.make("--dtypes", "f16,bf16")
        for word in ("mpx_tree_next(", "mpx_amp_plan_graph(", "mpx_cast_parallel(", "_mm512_", "wasm_simd128"):
            self.assertTrue(word in text, word)
        for word in ("mpx_tree_dry_run(", "mpx__f64_to", '"float64"', "mpx__f32_to_f8"):  # statistics need f64
            self.assertFalse(word in text, word)

    def test_dispatch_includes_the_file_by_its_name(self):
        self.output = os.path.join(os.path.dirname(self.output), "casts.h")
        self.make("--rooms", "dispatch", "--dtypes", "f32", "--isa", "sse2,avx2,avx512")
        if self.is_x86:
            source = DIGEST.replace("mpx.h", "casts.h").replace("#include", "#define MPX_DISPATCH 1\n#include", 1)
            program = os.path.join(self.folder, "main")
            result = self.compile(source, *self.cc, *WARN, "-O0", "-o", program)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            result = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.check_digest(1, result.stdout.splitlines())
            self.assertIn(result.stderr, ("sse2", "avx2", "avx512"))

    def test_compute_in_vectors_without_dispatch(self):
        self.make("--rooms", "compute", "--isa", "avx512")
        flags = [*WARN, "-fsyntax-only", "-DMPX_COMPUTE=1", *(X86["avx512"] if self.is_x86 else [])]
        result = self.compile('#define MPX_IMPLEMENTATION\n#include "mpx.h"\n', *self.cc, *flags)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_what_is_not_there_is_refused(self):
        text = self.make("--rooms", "", "--dtypes", "f16", "--isa", "avx2")
        self.assertIn('\n       tools/amalgamate.py --rooms "" --dtypes f16 --isa avx2\n', text)
        source = '#define MPX_IMPLEMENTATION\n#include "mpx.h"\n'
        for flag, words in (("-DMPX_DTYPES=MPX_WITH_BF16|MPX_WITH_F16", ("MPX_DTYPES", "it has f32, f16")),
                            ("-DMPX_DTYPES=MPX_WITH_ALL", ("MPX_DTYPES", "it has f32, f16")),
                            ("-DMPX_ISA=MPX_ISA_SSE2", ("MPX_ISA", "it has scalar, avx2")),
                            ("-DMPX_ISA=MPX_ISA_AVX2", ("flags do not allow",)), ("-DMPX_DISPATCH=1", ("MPX_DISPATCH",))):
            if flag.startswith("-DMPX_DISPATCH") and "MPX_DISPATCH" not in text:
                continue
            result = self.compile(source, *self.cc, "-E", flag)
            self.assertNotEqual(result.returncode, 0, flag)
            for word in words:
                self.assertIn(word, result.stderr, flag)
        for flag in ("-DMPX_DTYPES=MPX_WITH_F32|MPX_WITH_F16", "-DMPX_DTYPES=0", "-DMPX_ISA=MPX_ISA_SCALAR",
                     "-DMPX_DISPATCH=0"):
            result = self.compile(source, *self.cc, "-E", "-Wundef", "-Werror", flag)
            self.assertEqual((result.returncode, result.stderr), (0, ""), flag)
        lines, _ = self.run_digest("-O0", "-DMPX_DTYPES=MPX_WITH_F32")
        self.check_digest(1, lines)

    def test_the_next_instruction_set_that_is_there(self):
        if not self.is_x86:
            self.skipTest("not x86")
        source = '#define MPX_IMPLEMENTATION\n#include "mpx.h"\n'
        for isas, chosen in (("avx2,neon", {"sse2": "scalar", "avx2": "avx2", "avx512": "avx2"}),
                             ("sse2,avx512", {"sse2": "sse2", "avx2": "sse2", "avx512": "avx512"})):
            self.make("--rooms", "", "--dtypes", "f16", "--isa", isas)
            for flags, want in chosen.items():
                result = self.compile(source, *self.cc, "-E", *X86[flags])
                self.assertEqual(re.findall(r'^ *"(scalar|sse2|avx2|avx512|neon)",', result.stdout, re.MULTILINE), [want])

    def test_absent_rooms_are_gone_whatever_the_flags_say(self):
        text = self.make("--rooms", "policy")
        for word in ("mpx_tree_next(", "mpx_loss_scale_adjust(", "mpx_interop_code(", "mpx_cast_parallel(", "_mm256_",
                     "_mm512_", "mpx_dtype_promote("):
            self.assertFalse(word in text, word)
        self.assertTrue("mpx_policy_parse_n(" in text)
        source = '#define MPX_NO_TREE 0\n#define MPX_IMPLEMENTATION\n#include "mpx.h"\n#if !MPX_NO_TREE || MPX_NO_POLICY\n' \
                 '#error "the switches are not fixed"\n#endif\n'
        result = self.compile(source, *self.cc, "-E")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_everything_is_the_whole_header(self):
        with open(os.path.join(ROOT, "src", "config.h"), encoding="ascii") as file:
            config = file.read()
        rooms = ["vectors", "compute", "files", *re.findall(r"^#ifndef MPX_NO_(\w+)$", config, re.MULTILINE)]
        dtypes = [name for name in re.findall(r"^#define MPX_WITH_(\w+) ", config, re.MULTILINE) if name != "ALL"]
        if "#ifndef MPX_DISPATCH\n" in config:
            rooms.append("dispatch")
        self.assertEqual(run_tool("--output", os.path.join(self.folder, "whole.h")).returncode, 0)
        with open(os.path.join(self.folder, "whole.h"), encoding="ascii") as file:
            whole = file.read()
        for options in (["--rooms", ",".join(rooms).lower()], ["--dtypes", ",".join(dtypes).lower()]):
            text = self.make(*options)
            self.assertTrue(re.sub(r"\n\n   A SMALLER COPY.*?\n\n", "\n\n", text, count=1, flags=re.DOTALL) == whole)

    def test_rooms_bring_what_they_need(self):
        for room, needed, function in (("regex", "cast, policy, policy_map, regex", "mpx_policy_map_keras("),
                                       ("keras", "cast, policy, dialects, keras", "mpx_policy_quantize("),
                                       ("files", "cast, files, interop", "mpx_file_open("),
                                       ("default_policy", "cast, policy, default_policy", "mpx_default_policy_get(")):
            text = self.make("--rooms", room, "--dtypes", "f16")
            said = re.search(r"^ *rooms +(.*)$", text, re.MULTILINE).group(1)
            self.assertEqual(sorted(said.split(", ")), sorted(needed.split(", ")), room)
            self.assertIn(function, text, room)
            flags = [*WARN, "-fsyntax-only", *["-DMPX_FILES"] * (room == "files")]
            result = self.compile('#define MPX_IMPLEMENTATION\n#include "mpx.h"\n', *self.cc, *flags)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_unknown_names_are_refused(self):
        for options, words in ((["--rooms", "cast,attic"], ("attic", "cast, vectors,", "loss_scale")),
                               (["--dtypes", "f16,f12"], ("f12", "f64, f32, f16, bf16", "c128")),
                               (["--isa", "avx,avx2"], ("avx;", "scalar, sse2, avx2", "rvv")),
                               (["--rooms", "stats", "--dtypes", "f16"], ("stats", "f64")),
                               (["--dtypes", "c128,f16"], ("c128", "f64"))):
            result = self.start(*options)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)
            self.assertFalse(os.path.exists(os.path.dirname(self.output)))

    def test_the_whole_header_is_not_overwritten(self):
        for option, names in (("--rooms", "policy"), ("--dtypes", "f16"), ("--isa", "avx2")):
            result = run_tool(option, names)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--output", result.stderr)
            with tempfile.TemporaryDirectory() as root, unittest.mock.patch.object(amalgamate, "ROOT", root):
                for output in (os.path.join(root, "mpx.h"), os.path.join(root, ".", "mpx.h")):
                    result = run_tool("--source", os.path.join(ROOT, "src"), option, names, "--output", output)
                    self.assertEqual(result.returncode, 2)
                    self.assertIn("is a file of its own", result.stderr)
                    self.assertEqual(os.listdir(root), [])


class Conditions(unittest.TestCase):
    """What tools/smaller.py decides of conditions, and what it leaves as it is."""

    KNOWN = {"YES": TRUE, "NO": FALSE, "BITS": (4, 4 + 8), "KIND == RED": FALSE}

    def check(self, condition, value, text=None):
        self.assertEqual((truth(evaluate(condition, self.KNOWN)[0]), evaluate(condition, self.KNOWN)[1]),
                         (value, condition if text is None else text), condition)

    def test_values(self):
        for condition in ("YES", "!NO", "YES && !NO", "YES || OTHER", "OTHER || YES", "BITS & 4",
                          "(BITS & (4 | 1)) != 0", "!(BITS & 3)", "(BITS & 3) == 0", "BITS != 5",
                          "!defined(MPX__NEVER)", "2u == 0x2", "!(KIND == RED)"):
            self.assertIs(truth(evaluate(condition, self.KNOWN)[0]), True, condition)
        for condition in ("NO", "!YES", "OTHER && NO", "BITS & 3", "BITS & ~(4 | 8)", "BITS == 3", "KIND == RED && OTHER"):
            self.assertIs(truth(evaluate(condition, self.KNOWN)[0]), False, condition)

    def test_what_stays(self):
        for condition in ("OTHER", "BITS & 8", "BITS == 4", "BITS == 12", "~OTHER", "KIND == BLUE", "defined(YES)",
                          "0 - X - 1 == 1", "(X) & 4", "X > 2 || Y % 16 != 0", "(A || B) && C"):
            self.check(condition, None)
        self.check("YES && OTHER", None, "OTHER")
        self.check("OTHER && YES", None, "OTHER")
        self.check("(NO && A) || (YES && B) || C", None, "(B) || C")

    def test_branches(self):
        for text, want in (("#if YES\na\n#else\nb\n#endif\n", "a\n"),
                           ("#if NO\na\n#elif X\nb\n#else\nc\n#endif\n", "#if X\nb\n#else\nc\n#endif\n"),
                           ("#if X\na\n#elif YES\nb\n#else\nc\n#endif\n", "#if X\na\n#else\nb\n#endif\n"),
                           ("#if NO\n#if X\na\n#endif\n#else\nb\n#endif\n", "b\n"),
                           ("#ifdef MPX__NEVER\na\n#endif\nb\n", "b\n"),
                           ("#ifndef X\na\n#elif NO \\\n  && Y\nb\n#endif\n", "#ifndef X\na\n#endif\n"),
                           ("#define MPX__A 1\n#if MPX__A\na\n#endif\n", "#define MPX__A 1\na\n"),
                           ("#if X\n#define MPX__A 1\n#else\n#define MPX__A 0\n#endif\n#if MPX__A\na\n#endif\n", None)):
            got = decide(text, self.KNOWN).replace(GONE, "")
            self.assertEqual(got, text if want is None else want)


class WithSleef(unittest.TestCase):
    """--with-sleef, of made-up headers that look like those of SLEEF's build: functions that give their argument."""
    FUNCTIONS = ("logf", "sinf", "cosf", "erff", "expm1f")

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="mpx_sleef_")
        self.addCleanup(place.cleanup)
        self.folder, self.output = place.name, os.path.join(place.name, "mpx.h")

    def header(self, isa, lanes, suffix, vector, more=""):
        text = ("//   Copyright Made Up.\n// Distributed under the Boost Software License, Version 1.0.\n\n"
                "// This file is generated by SLEEF 9.8.7\n\n#ifndef SLEEF_CONST\n#define SLEEF_CONST\n#endif\n"
                "#pragma STDC FP_CONTRACT OFF\nstatic const float Sleef_table[] = {\n  1, 2,\n};\n"
                "static const double Sleef_wide[] = { 1 };\nextern const float Sleef_table[];\n"
                f"typedef {vector} vf_{isa}_sleef;\ntypedef struct {{\n  vf_{isa}_sleef x, y;\n}} pair_{isa}_sleef;\n"
                f"static SLEEF_ALWAYS_INLINE SLEEF_CONST vf_{isa}_sleef same_{isa}_sleef(vf_{isa}_sleef x) "
                f"{{ (void)Sleef_table[0]; return x; }}\n"
                f"static SLEEF_ALWAYS_INLINE double small_{isa}_sleef(void) {{ return 0x1p-3; }}\n"
                f"static SLEEF_ALWAYS_INLINE int unused_{isa}_sleef(void) {{ return 1; }}\n{more}")
        for name in self.FUNCTIONS:
            text += (f"SLEEF_INLINE SLEEF_CONST vf_{isa}_sleef Sleef_{name}{lanes}_u10{suffix}(vf_{isa}_sleef x) {{\n"
                     f"  pair_{isa}_sleef p;\n  p.x = p.y = x;\n  if (small_{isa}_sleef() != 0.125) p.y = p.x;\n"
                     f"  return same_{isa}_sleef(p.y);\n}}\n")
        text += (f"SLEEF_INLINE SLEEF_CONST vf_{isa}_sleef Sleef_powf{lanes}_u10{suffix}(vf_{isa}_sleef x, "
                 f"vf_{isa}_sleef y) {{\n  (void)x;\n  return y;\n}}\n"
                 f"SLEEF_INLINE SLEEF_CONST vf_{isa}_sleef Sleef_expf{lanes}_u10{suffix}(vf_{isa}_sleef x) {{\n  return x;\n}}\n")
        with open(os.path.join(self.folder, f"sleefinline_{isa}.h"), "w") as file:
            file.write(text)

    def make(self, *arguments):
        return run_tool("--with-sleef", self.folder, "--output", self.output, *arguments)

    def compile(self, *flags):
        source, program = os.path.join(self.folder, "main.c"), os.path.join(self.folder, "main")
        with open(source, "w") as file:
            file.write('#define MPX_IMPLEMENTATION\n#define MPX_COMPUTE 1\n#include "mpx.h"\nint main(void) {\n'
                       "    float x[3] = { 1, 2, 3 }, y[3];\n"
                       "    return mpx_activate(y, MPX_F32, x, MPX_F32, 3, MPX_ACT_ERF) == MPX_OK ? (int)y[1] : 9;\n}\n")
        unused = [*WITHOUT_ROOMS, "-DMPX_NO_POLICY=1", "-DMPX_NO_QUANT=1", "-DMPX_DTYPES=MPX_WITH_F16"]  # as it compiles sooner
        command = [*(os.environ.get("CC") or "cc").split(), "-Wall", "-Wextra", "-Werror", *unused, *flags, "-o", program]
        result = subprocess.run([*command, source], stderr=subprocess.PIPE, text=True)
        return subprocess.run([program]).returncode if result.returncode == 0 else result.stderr

    def test_what_is_needed(self):
        self.header("purec_scalar", 1, "purec", "float")
        self.header("sse2", 4, "sse2", "__m128")
        self.assertEqual(self.make().returncode, 0)
        with open(self.output) as file:
            text = file.read()
        for kept, times in (("Copyright Made Up", 1), ("SLEEF 9.8.7", 1), ("Boost Software License - Version 1.0", 1),
                            ("float Sleef_table[]", 1), ("MPX__PRIVATE vf_sse2_sleef Sleef_erff4_u10sse2", 1),
                            ("MPX__FORCE_INLINE vf_sse2_sleef same_sse2_sleef", 1), ("return 0.125;", 2),
                            ("unused_", 0), ("Sleef_wide", 0), ("Sleef_expf", 0), ("SLEEF_CONST", 0), ("<sleef.h>\n", 0)):
            self.assertEqual(text.count(kept), times, kept)
        self.assertEqual(self.compile("-DMPX_ISA=MPX_ISA_SCALAR", "-DMPX_USE_SLEEF"), 2)
        self.assertEqual(self.compile("-DMPX_ISA=MPX_ISA_SCALAR"), 9)
        self.assertIn("-ffast-math", self.compile("-DMPX_ISA=MPX_ISA_SCALAR", "-DMPX_USE_SLEEF", "-ffast-math"))

    @unittest.skipUnless(platform.machine() == "x86_64", "x86 alone")
    def test_instruction_sets(self):
        for header in (("sse2", 4, "sse2", "__m128"), ("avx2", 8, "avx2", "__m256"), ("avx512f", 16, "avx512f", "__m512")):
            self.header(*header)
        self.assertEqual(self.make("--isa", "sse2,avx2,avx512").returncode, 0)
        self.assertEqual(self.compile("-DMPX_USE_SLEEF", "-DMPX_DISPATCH"), 2)
        self.assertEqual(self.compile("-DMPX_USE_SLEEF"), 2)
        self.assertIn("not for this instruction set", self.compile("-DMPX_USE_SLEEF", "-DMPX_ISA=MPX_ISA_SCALAR"))
        self.assertEqual(self.make("--isa", "sse2").returncode, 0)
        with open(self.output) as file:
            self.assertNotIn("avx2_sleef", file.read())
        self.assertEqual(self.compile("-DMPX_USE_SLEEF"), 2)

    def test_what_is_refused(self):
        for header, arguments, why in ((None, [], "no "), ("sse2", ["--isa", "avx2"], "sleefinline_avx2.h"),
                                       ("sse2", ["--rooms", "policy"], "needs the room compute")):
            if header:
                self.header(header, 4, header, "__m128")
            result = self.make(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn(why, result.stderr)
            self.assertFalse(os.path.exists(self.output))
        self.header("avx2", 8, "avx2", "__m256", "static SLEEF_ALWAYS_INLINE int same_sse2_sleef(void) { return 1; }\n"
                                                 "typedef __m256 vf_sse2_sleef;\n")
        with open(os.path.join(self.folder, "sleefinline_avx2.h")) as file:
            text = file.read().replace("same_avx2_sleef", "same_sse2_sleef")
        with open(os.path.join(self.folder, "sleefinline_avx2.h"), "w") as file:
            file.write(text)
        self.assertIn("choose one by --isa", self.make().stderr)
        self.assertEqual(run_tool("--with-sleef", self.folder).returncode, 2)


class Repository(unittest.TestCase):
    def test_a_process_of_its_own(self):
        for arguments, code, text in (([], 0, ""), (["--source", "/nowhere"], 1, "amalgamate: "), (["--nosuch"], 2, "usage")):
            with tempfile.TemporaryDirectory(prefix="mpx_amalgamate_") as place:
                output = os.path.join(place, "mpx.h")
                result = subprocess.run([*RUN, "--output", output, *arguments], stderr=subprocess.PIPE, text=True)
                self.assertEqual((result.returncode, result.stderr[:len(text)]), (code, text))
                self.assertEqual(os.path.exists(output), code == 0)

    def test_the_sources_of_the_library_pass(self):
        with tempfile.TemporaryDirectory(prefix="mpx_amalgamate_") as place:
            output = os.path.join(place, "mpx.h")
            self.assertEqual(run_tool("--output", output).returncode, 0)
            with open(output, "rb") as file:
                text = file.read()
        self.assertTrue(text.startswith(b"/* mpx.h - v"))
        self.assertNotIn(b"@VERSION@", text)
        self.assertTrue(text.endswith(b"*/\n"))


if __name__ == "__main__":
    unittest.main()
