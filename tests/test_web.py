#!/usr/bin/env python3
"""The page of `make web` in headless Chromium: typed into, clicked, read, and compared with the native library.

test_web.py PAGE build/web_native build/mpx
Pictures of it, light, dark and as wide as a phone, go beside PAGE.
"""
import base64
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

PAGE, NATIVE, TOOL = (os.path.abspath(path) for path in sys.argv[1:4])
del sys.argv[1:4]
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # what WebDriver calls a reference to one
KEYS = {"Tab": "\ue004", "Home": "\ue011", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
        "Space": " "}
CELLS = "(row) => [...row.cells].map((cell) => cell.textContent)"
PATHS = """const paths = document.getElementById('paths'), before = paths.value;
paths.value = arguments[0];
paths.dispatchEvent(new Event('input'));
paths.value = before"""
FORMATS = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
           "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e4m3", "float8_e3m4", "float8_e8m0fnu", "float6_e2m3fn",
           "float6_e3m2fn", "float4_e2m1fn"]
NUMBERS = ["0.1", "-2.5", "1/3", "65520", "-70000", "448.0001", "464", "-2^-10", "1e-7", "1e-42", "-0", "0", "inf",
           "-inf", "nan", "0x1.8p3", "1e300", "5e-324", "6.25", "pi"]


class Browser:
    """WebDriver's calls, by hand."""

    def __init__(self, driver, folder):
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        line = next((line for line in self.driver.stdout if "successfully on port" in line), "")
        self.base = "http://127.0.0.1:{}/session".format(*re.findall(r"\d+", line))
        try:
            session = self.call("POST", "", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": [*FLAGS, "--user-data-dir=" + folder]},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        except Exception:
            self.stop()
            raise
        self.base += "/" + session["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def stop(self):
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.stop()

    def js(self, code, *arguments):
        return self.call("POST", "/execute/sync", {"script": code, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """From under what is fixed at the top, as a person would."""
        element = self.find(selector)
        self.js("arguments[0].scrollIntoView({ block: 'center' })", {ELEMENT: element})
        self.call("POST", f"/element/{element}/click", {})

    def type(self, selector, text):
        """In place of what stands there."""
        element = self.find(selector)
        self.call("POST", f"/element/{element}/clear", {})
        self.call("POST", f"/element/{element}/value", {"text": text})

    def press(self, *keys):
        actions = [{"type": kind, "value": KEYS[key]} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def all(self, selector, function="(e) => e.textContent"):
        return self.js(f"return [...document.querySelectorAll(arguments[0])].map({function})", selector)

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def wait(self, code, seconds=60):
        end = time.monotonic() + seconds
        while not self.js("return " + code):
            if time.monotonic() > end:
                raise RuntimeError("never: " + code)
            time.sleep(0.05)

    def show(self, width, theme):
        self.cdp("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        time.sleep(0.3)  # charts follow

    def picture(self, name):
        height = self.js("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": self.js("return innerWidth"), "height": height, "scale": 1}
        data = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(os.path.join(os.path.dirname(PAGE), name), "wb") as file:
            file.write(base64.b64decode(data))


def native(*arguments, text=None):
    done = subprocess.run([NATIVE, *arguments], input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def value_of(text):
    """What the tests type, as Python has it."""
    for sign in "/^":
        if sign in text:
            a, b = map(float, text.split(sign))
            return a / b if sign == "/" else -(-a) ** b if a < 0 else a ** b
    return 3.141592653589793 if text == "pi" else float.fromhex(text) if "0x" in text else float(text)


def number(text):
    """As the page shows it; null of JSON is None."""
    return None if text in ("NaN", "Inf", "-Inf") else float(text)


# What people would stumble over: text with too little contrast, by WCAG 2.2 (4.5 to 1).
PALE = """
const parts = (css) => css.match(/[\\d.]+/g).map(Number);
const linear = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const light = (css) => parts(css).slice(0, 3).map(linear)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const hasText = (e) => [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
const found = [];
for (const e of document.querySelectorAll('body *')) {
  if (!hasText(e) || !e.getClientRects().length || e.closest('script, style, noscript, .marks, .stale, .hidden, .skip'))
    continue;
  let back = e;
  while (parts(getComputedStyle(back).backgroundColor)[3] === 0) back = back.parentElement;
  const style = getComputedStyle(e), a = light(e.namespaceURI.includes('svg') ? style.fill : style.color);
  const b = light(getComputedStyle(back).backgroundColor), contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) found.push(`${e.tagName} ${e.textContent.slice(0, 20)}: ${contrast.toFixed(2)}`);
}
return [...new Set(found)];
"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mpx_web_")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.b = Browser("chromedriver", cls.folder.name)
        cls.addClassCleanup(cls.b.close)
        cls.b.show(1280, "light")
        cls.b.call("POST", "/url", {"url": "file://" + PAGE})
        cls.b.wait("'ready' in document.documentElement.dataset || !document.getElementById('broken').hidden")

    def tearDown(self):
        self.assertEqual(self.b.call("POST", "/se/log", {"type": "browser"}), [])

    def cards(self):
        return dict(self.b.all(".card", """(card) => {
            const bits = [...card.querySelectorAll('.bits button')];
            return [card.dataset.format, {
                code: card.querySelector('code').textContent, value: card.querySelector('.value span').title,
                bits: bits.map((bit) => bit.textContent).join(''),
                pressed: bits.map((bit) => Number(bit.getAttribute('aria-pressed') === 'true')).join(''),
                ends: [...card.querySelectorAll('.ends span')].map((end) => end.dataset.value) }];
        }"""))

    def choose(self, rounding, saturate):
        self.b.click(f"[name=rounding][value='{rounding}']")
        if self.b.js("return document.getElementById('saturate').checked") != saturate:
            self.b.click("#saturate")

    def test_1_first_look(self):
        self.assertTrue(self.b.js("return document.getElementById('broken').hidden"))
        self.assertEqual(list(self.cards()), FORMATS)
        b = self.b
        b.click("#race")
        b.wait("!document.getElementById('race').disabled")
        for width in 1280, 360:
            for theme in "light", "dark":
                b.show(width, theme)
                with self.subTest(theme, width=width):
                    self.assertLessEqual(b.js("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(b.js(PALE), [])
                    b.picture(f"mpx-{theme}{'-phone' * (width == 360)}.png")
        b.show(1280, "light")

    def test_codes(self):
        for rounding, saturate in (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1):
            self.choose(rounding, bool(saturate))
            for text in NUMBERS if rounding < 2 else NUMBERS[:8]:
                self.b.type("#number", text)
                x = struct.unpack("<Q", struct.pack("<d", value_of(text)))[0]
                lines = [f"{name} {rounding} {saturate} {self.b.js('return seed')} {x:x}" for name in FORMATS]
                cards = self.cards()
                with self.subTest(text, rounding=rounding, saturate=saturate):
                    self.assertEqual([int(cards[name]["code"], 16) for name in FORMATS],
                                     [int(code, 16) for code in native("casts", text="\n".join(lines))])
                    for card in cards.values():
                        self.assertEqual(int(card["bits"], 2), int(card["code"], 16))
                        self.assertEqual(card["bits"], card["pressed"])
        self.choose(0, False)

    def test_values_and_neighbours(self):
        for text in NUMBERS:
            self.b.type("#number", text)
            said = subprocess.run([TOOL, "bits", repr(value_of(text)), "--json", "--in", ",".join(FORMATS)],
                                  capture_output=True, text=True, check=True).stdout
            cards = self.cards()
            for row, (name, card) in zip(json.loads(said)["codes"], cards.items()):
                with self.subTest(text, name=name):
                    self.assertEqual(int(card["code"], 16), int(row["code"], 16))
                    self.assertEqual(number(card["value"]), row["value"])
                    self.assertEqual([number(end) for end in card["ends"]], [row["below"], row["above"]])

    def test_flip(self):
        b, rng = self.b, random.Random(3)
        b.type("#number", "1.5")
        for name in FORMATS:
            bits = len(self.cards()[name]["bits"])
            for place in rng.sample(range(bits), min(bits, 6)):
                before = int(self.cards()[name]["code"], 16)
                b.js("document.querySelectorAll(arguments[0])[arguments[1]].id = 'flipped'",
                     f"[data-format={name}] .bits button", bits - 1 - place)
                b.click("#flipped")
                b.js("document.getElementById('flipped').removeAttribute('id')")
                card = self.cards()[name]
                with self.subTest(name, place=place):
                    self.assertEqual(int(card["code"], 16), before ^ 1 << place)
                    self.assertEqual(b.js("return document.getElementById('number').value"), card["value"])

    def test_keys(self):
        b = self.b
        b.type("#number", "1")
        b.js("document.querySelector('[data-format=float32] summary').focus()")
        b.press("Tab", "Home")
        self.assertEqual(b.js("return document.activeElement.getAttribute('aria-label')"), "sign")
        b.press("Right", "Right", "Left", "Right")
        self.assertEqual(b.js("return document.activeElement.getAttribute('aria-label')"), "exponent bit 3")
        self.assertEqual(b.js("return document.activeElement.closest('.card').dataset.format"), "float16")
        b.press("Space")
        self.assertEqual(self.cards()["float16"]["code"], "0x1c00")
        b.press("Up")
        self.assertEqual(self.cards()["float16"]["code"], "0x1c01")
        b.press("Down", "Down")
        self.assertEqual(self.cards()["float16"]["code"], "0x1bff")
        self.assertIn("float16 is", b.text("#spoken"))
        for key in "altKey", "ctrlKey", "metaKey":  # the browser's own
            self.assertTrue(b.js("return document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
                                 "{ key: 'ArrowUp', bubbles: true, cancelable: true, [arguments[0]]: true }))", key))
        self.assertEqual(self.cards()["float16"]["code"], "0x1bff")
        b.press("Tab")
        self.assertEqual(b.js("return document.activeElement.tagName"), "SUMMARY")

    def test_roundings(self):
        b = self.b
        b.type("#number", "460.5")
        b.click("#all-roundings")
        b.wait("document.querySelector('[data-format=bfloat16] details td') !== null")  # the event comes later
        rows = dict(b.all("[data-format=bfloat16] details tr", CELLS))
        b.type("#number", "-1e-30")
        self.assertEqual(b.all("[data-format=float16] details td"), ["-0", "-0", "-0"])
        b.type("#number", "70000")
        self.assertEqual(b.all("[data-format=float8_e4m3fn] details td"), ["NaN", "448", "448", "NaN", "448"])
        b.click("#all-roundings")
        self.assertEqual(rows["nearest even"], "460")
        self.assertEqual(rows["toward zero"], "460")
        up, down = (int(re.search(rf"{value} (\d+) %", rows["stochastic"])[1]) for value in (462, 460))
        self.assertEqual(up + down, 100)
        self.assertAlmostEqual(up, 25, delta=6)

    def test_numbers_at_the_edge(self):
        for text, said in [("0x0p5000", "0"), ("0x100000p-1090", "8e-323"), ("0x.0001p1039", "8.98846567431158e+307"),
                           ("0^0", "1"), ("0^-1", "Inf"), ("-2^-1", "-0.5"), ("0x1p99999", "Inf"), ("-0^1", "-0"),
                           ("0x1" + "0" * 300 + "p-1200", "1"), ("0x1.0000000000000000001p-1075", "5e-324"),
                           ("0x1p-1075", "0"), ("0x.fffffffffffffbffp1024", "1.7976931348623157e+308"),
                           ("0x.fffffffffffffcp1024", "Inf"), ("0x1.00000000000008p0", "1"), ("-0x0p-99999", "-0"),
                           ("0x1.00000000000018p0", "1.0000000000000004"), ("0x3p-1075", "1e-323")]:
            self.b.type("#number", text)
            with self.subTest(text):
                self.assertEqual(self.b.js("return show(numberValue())"), said)

    def test_verdicts(self):
        """What a format of positive powers of two does with numbers that are too large, too small or not positive."""
        for text, said in [("1e300", "overflows: no Inf in this format"), ("inf", "overflows: no Inf in this format"),
                           ("-1", "only positive powers of two"), ("0", "only positive powers of two"),
                           ("1e-300", "error +5.88e-39 (5.88e+263 %)"), ("nan", "not a number")]:
            self.b.type("#number", text)
            with self.subTest(text):
                [(words, wrong)] = self.b.all("[data-format=float8_e8m0fnu] .error",
                                              "(e) => [e.textContent, e.classList.contains('wrong')]")
                self.assertEqual((words, wrong), (said, text != "nan"))

    def test_not_a_number(self):
        self.b.type("#number", "0.1x")
        self.assertIn("No number", self.b.text("#number-message"))
        self.assertEqual(self.b.js("return document.getElementById('number').getAttribute('aria-invalid')"), "true")

    def test_sign_of_nan(self):
        for text in "nan", "-nan", "0/0":
            said = subprocess.run([TOOL, "bits", "nan" if text == "0/0" else text, "--json", "--in", ",".join(FORMATS)],
                                  capture_output=True, text=True, check=True).stdout
            self.b.type("#number", text)
            with self.subTest(text):
                self.assertEqual([int(card["code"], 16) for card in self.cards().values()],
                                 [int(row["code"], 16) for row in json.loads(said)["codes"]])

    def test_narrow(self):
        """Words without a place to break, on the narrowest screen of WCAG 2.2."""
        b, word = self.b, "word_without_a_place_to_break_it_in_two"
        b.show(320, "light")
        width = "return document.documentElement.scrollWidth"
        for rules in word, f"{word} = f61", f"{word} = int4/128_from_mixed_bfloat16 saturate":
            self.say(rules)
            b.js(PATHS, f"{word} 128256 x 16384")
            with self.subTest(rules):
                self.assertEqual(b.js(width), 320)
        for name in word, "int8/99999999":
            b.js("document.getElementById('format').value = arguments[0]; addFormat()", name)
            with self.subTest(name):
                self.assertEqual(b.js(width), 320)
        b.js("results = results.filter((r) => r.name !== arguments[0]); choose('q4_0')", name)
        self.say(b.js("return MAP"))
        b.show(1280, "light")

    def test_too_long(self):
        self.say("x" * 100000)
        self.assertEqual(self.b.text("#rules-message"), "not enough space; 8192 bytes where 100000 are needed")

    def rules(self, kind, text, dialect=0, paths=()):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=".txt") as file:
            file.write(text)
            file.flush()
            return native(kind, file.name, str(dialect), *paths)

    def say(self, text, dialect=0):
        self.b.js("""document.getElementById('dialect').value = arguments[1];
            const rules = document.getElementById('rules');
            rules.value = arguments[0];
            rules.dispatchEvent(new Event('input'))""", text, dialect)

    def test_policies(self):
        self.b.click("#texts button")
        self.assertEqual(self.b.js("return document.getElementById('rules').value"), "p=f32,c=bf16,o=f32")
        self.b.type("#rules", "params=float32, compute=half")
        self.assertEqual(self.b.all(".roles dd"), ["float32", "float16", "float16"])
        for kind, text in [("policy", "p=f32,c=bf16,o=f32"), ("policy", "mixed_float16"), ("policy", "<c=bf16>"),
                           ("policy", "int4/128_from_mixed_bfloat16"), ("quantization", "INT8/channel"),
                           ("quantization", "mxfp4/rceil")]:
            self.say(text)
            with self.subTest(text):
                self.assertEqual(["ok " + self.b.text("#parsed td code")], self.rules(kind, text)[:1])

    def test_errors(self):
        for kind, text, dialect in [
                ("policy", "p=f32,c=bf16,q=f16", 0), ("policy", "p=f32,c=bf61", 0), ("policy", "mixed_float16", 2),
                ("policy", "p=f32,c", 0), ("quantization", "int4/128/dwn", 0),
                ("map", "# \u00e9\n*.w = f16\n*.b = f61\n", 0), ("policy", "\ufeffp=f61", 0), ("map", "[a = f16\n", 0),
                ("map", "*.w = f16\ndefault = f32", 0), ("policy", "p=f32,c=bf61\n", 0)]:
            self.say(text, dialect)
            line = self.rules(kind, text, dialect)[0]
            offset, length, sentence = line.split(" ", 2)
            raw = text.encode()
            with self.subTest(text):
                self.assertEqual(re.sub(r"^Line \d+, column \d+: ", "", self.b.text("#rules-message")), sentence)
                word = raw[int(offset):int(offset) + int(length)].decode()
                self.assertEqual(self.b.text("#marks mark").strip(), word)
                before = self.b.js("return document.getElementById('marks').firstChild.textContent")
                self.assertEqual(before.encode(), raw[:int(offset)])
                self.b.click("#go-to")
                [(start, end)] = self.b.all("#rules", "(e) => [e.selectionStart, e.selectionEnd]")
                self.assertEqual(text[start:end], word)
        self.say("p=f32,c=bf16,q=f16")
        self.b.show(1280, "light")
        self.b.picture("mpx-error.png")

    def test_marks_of_long_maps(self):
        """The marks lie behind the text, so they break it into the same lines."""
        sizes = "(e) => [e.clientWidth, e.scrollHeight]"
        for words in range(1, 9):
            self.say("\n".join(f"layer{i}" + ".weight" * words + " = f16" for i in range(40)) + "\nx = f61")
            with self.subTest(words=words):
                self.assertEqual(self.b.all("#rules", sizes), self.b.all("#marks", sizes))

    def test_map(self):
        text = self.b.js("return MAP")
        self.say(text)
        rows = self.b.all("#resolved tbody tr", CELLS)
        self.assertEqual(len(rows), 9)
        self.assertEqual(self.b.all("#resolved tbody tr", "(row) => row.title"),
                         self.rules("map", text, 0, [row[0] for row in rows])[-len(rows):])
        self.assertEqual(rows[0][2], "66.4 MiB")  # q8_0: 34 bytes for 32 weights
        self.assertEqual(rows[2][2], "12.0 MiB")
        self.assertEqual([row[2] for row in self.b.all("#parsed tbody tr", CELLS)], list("211221"))
        self.say(text.replace("first_wins = 1\n", ""))
        self.assertIn("both", self.b.text("#resolved"))
        for rule, height, width, size in [("bf16", 128256, 16384, "3.9 GiB"), ("f32", 65536, 65537, "16.0 GiB"),
                                          ("q8_0", 16383, 16384, "272.0 MiB"), ("i4", 3, 3, "5 B")]:
            self.say(rule)
            self.b.js(PATHS, f"w {height} x {width}")
            with self.subTest(rule):
                self.assertEqual(self.b.all("#resolved tbody tr", CELLS)[0][2], size)
        self.say("q8_0")
        self.b.js(PATHS, "w 16384 x 16384")
        self.assertIn("too large", self.b.text("#resolved tbody"))
        self.say(text)

    def test_speed(self):
        b = self.b
        b.js("document.getElementById('from').value = 1; document.getElementById('to').value = 4")
        b.js("document.getElementById('race-one').focus()")
        b.press("Space")
        b.wait("!document.getElementById('race').disabled")
        self.assertEqual(b.js("return document.activeElement.id"), "race-one")
        rows = b.all("#rates tbody tr", """(row) => [row.cells[0].textContent,
            ...[...row.querySelectorAll('.bars span:last-child')].map((cell) => Number(cell.textContent)),
            row.cells[3].textContent]""")
        for pair, simd, plain, same in rows:
            print(f"  {pair}: {simd} GB/s, without SIMD {plain}")
            self.assertEqual(same, "equal")
            self.assertGreater(plain, 0)
            if pair == "f32 to f8e4m3fn":  # sixty times on a quiet machine
                self.assertGreater(simd, 5 * plain)
        self.assertIn("f32 to f8e4m3fn", [row[0] for row in rows])

    def test_blocks(self):
        b = self.b
        for kind in "normal", "uniform", "heavy", "outliers":
            b.click(f"[name=weights][value={kind}]")
            raw = b.js("""return btoa(Array.from(new Uint8Array(weights.buffer),
                (byte) => String.fromCharCode(byte)).join(''))""")
            results = b.js("return results.map((r) => [r.name, r.bytes, r.sqnr, r.rms, r.most])")
            results = [result for result in results if result[0] != "bf16"]
            with tempfile.NamedTemporaryFile() as file:
                file.write(base64.b64decode(raw))
                file.flush()
                lines = native("quant", file.name, "64", "1024", *(result[0] for result in results))
            with self.subTest(kind):
                self.assertEqual(len(results), 16)
                self.assertEqual(results, [[name, int(size), *map(float, errors)]
                                           for name, size, *errors in map(str.split, lines)])
        b.type("#format", "mxfp4/rcei")
        b.click("#add")
        self.assertIn("rcei", b.text("#format-message"))
        b.type("#format", "none")
        b.click("#add")
        self.assertIn("none quantizes nothing", b.text("#format-message"))
        b.type("#format", "float16")
        b.click("#add")
        self.assertEqual(b.text("tr.chosen td"), "f16")
        self.assertEqual(b.js("return results.find((r) => r.name === 'f16').bits"), 16)
        b.type("#format", "MXFP4/rceil")
        b.click("#add")
        self.assertEqual(b.text("#format-message"), "")
        self.assertEqual(b.text("tr.chosen td"), "mxfp4/rceil")
        b.js("document.querySelector('[name=chosen]:checked').focus()")
        b.press("Down")
        self.assertNotEqual(b.js("return document.activeElement.value"), "mxfp4/rceil")
        self.assertEqual(b.js("return document.activeElement.value"), b.js("return chosen"))
        self.assertEqual(b.js("return document.querySelectorAll('#pareto circle').length"), 19)

    def test_names(self):
        """Everything that takes the focus has a name."""
        nodes = self.b.cdp("Accessibility.getFullAXTree")["nodes"]
        controls = [node for node in nodes
                    if any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", []))]
        nameless = [node["role"]["value"] for node in controls if not node.get("name", {}).get("value")]
        self.assertGreater(len(controls), 200)
        self.assertEqual([role for role in nameless if role != "RootWebArea"], [])

    def test_sizes(self):
        """Those that the README of the page has, in KB, with this clang or one of another version."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "web", "README.md")
        with open(page, encoding="utf-8") as file:
            readme = file.read()
        said = [int(size) for size in re.findall(r"(?:\| |page is )(\d+)(?: \|$| KB\.)", readme, re.MULTILINE)]
        found = [os.path.getsize(os.path.join(os.path.dirname(PAGE), name)) / 1000
                 for name in ("full.wasm", "casts.wasm", "casts-simd.wasm", "mpx.html")]
        self.assertEqual(len(said), 4)
        for a, b in zip(said, found):
            self.assertLess(abs(a - b), 0.04 * b, (said, found))

    def test_zz_network(self):
        """Last: what was asked for in all tests."""
        asked = set()
        for entry in self.b.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                if not message["params"]["documentURL"].startswith("chrome:"):  # the browser's own first page
                    asked.add(message["params"]["request"]["url"])
        self.assertEqual({url for url in asked if not url.startswith(("file://", "data:"))}, set())
        self.assertIn("file://" + PAGE, asked)


if __name__ == "__main__":
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    if missing:
        print(f"SKIP test-web: no {' and no '.join(missing)} here")
        sys.exit(0)
    unittest.main(verbosity=1)
