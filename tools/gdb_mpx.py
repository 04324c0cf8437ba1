"""gdb shows the values of mpx.h as their users write them. Load it with `source tools/gdb_mpx.py`, or from ~/.gdbinit.

    (gdb) p policy                      $1 = p=f32,c=bf16,o=f32
    (gdb) p leaf                        $2 = 'encoder/kernel': bfloat16[768] = {first = {1, -0.5, 3.140625, ...}}
    (gdb) p err                         $3 = structures differ at leaf 3 'decoder/bias'
    (gdb) p $mpx(weights, MPX_BF16, 8)  $4 = {1, -0.5, 3.140625, 0, 0, 0, 0, 0}
    (gdb) p $mpx(codes, "f8e4m3fn", 4)  the same, where no constant of the enum is known
    (gdb) p $mpx_error(&err, text)      $5 = "unknown or unusable dtype 'float61' at 2"

The program is only read, never run: core files do. Elements below a byte are taken as packed. Python's standard library
is enough; gdb 9 and later.
"""
import math
import re
import struct

import gdb
import gdb.printing

FIRST = 8  # values that a leaf shows
SHORT_NAMES = ("f64 f32 f16 bf16 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz f8e4m3b11fnuz f8e4m3 f8e3m4 f8e8m0fnu f6e2m3fn "
               "f6e3m2fn f4e2m1fn bool i2 u2 i4 u4 i8 u8 i16 u16 i32 u32 i64 u64 c64 c128").split()
NATIVE = {"f64": "double", "f32": "float", "c64": "float", "c128": "double"}
STATUSES = {
    "MPX_OK": "ok",
    "MPX_ERR_ARGUMENT": "bad argument",
    "MPX_ERR_DTYPE": "unknown or unusable dtype",
    "MPX_ERR_KEY": "unknown key",
    "MPX_ERR_MISSING_EQUALS": "missing '='",
    "MPX_ERR_EXTRA_EQUALS": "more than one '='",
    "MPX_ERR_EMPTY": "empty text",
    "MPX_ERR_SYNTAX": "malformed text",
    "MPX_ERR_SPACE": "not enough space",
    "MPX_ERR_STATE": "not a saved state",
    "MPX_ERR_STRUCTURE": "structures differ",
    "MPX_ERR_NOT_FLOATING": "not floating",
    "MPX_ERR_FIXED_DTYPE": "dtype cannot be changed",
    "MPX_ERR_DEPTH": "nested too deeply",
    "MPX_ERR_CALLBACK": "callback failed",
    "MPX_ERR_WIDER": "destination wider than source",
    "MPX_ERR_PAIR": "not one mode and one source",
    "MPX_ERR_MODE": "unknown quantization mode",
    "MPX_ERR_NUMBER": "not a whole number",
    "MPX_ERR_RANGE": "number out of range",
    "MPX_ERR_UNSUPPORTED": "unsupported source",
    "MPX_ERR_SCOPE": "no scope to leave",
    "MPX_ERR_CYCLE": "a node reads one that does not come before it",
    "MPX_ERR_RULE": "not a rule",
    "MPX_ERR_PRECISION": "unknown or unusable precision",
    "MPX_ERR_PATTERN": "unusable pattern",
    "MPX_ERR_EXISTS": "key exists already",
    "MPX_ERR_MISSING": "no such key",
    "MPX_ERR_AMBIGUOUS": "several patterns match",
    "MPX_ERR_QUOTE": "quote is not closed",
    "MPX_ERR_ORDER": "setting after an entry",
    "MPX_ERR_SHAPE": "unusable shape",
    "MPX_ERR_SCHEME": "unknown or unusable quantization",
    "MPX_ERR_OPERATION": "unknown operation",
    "MPX_ERR_FILE": "malformed file",
    "MPX_ERR_FORMAT": "unknown format",
    "MPX_WARN_OVERFLOW": "values overflow",
}


# ---- dtypes: everything is in the short name, such as f8e4m3fn ------------------------------------------------------


def enumerator(value):
    """The name of an enumerator; empty for numbers that have none."""
    names = {field.enumval: field.name for field in value.type.strip_typedefs().fields()}
    return names.get(int(value), "")


def dtype_text(dtype):
    short = short_name(dtype)
    return long_name(short) if short else enumerator(dtype) or f"dtype {int(dtype)}"


def short_name(dtype):
    """MPX_BF16: bf16. Empty for MPX_NONE and for numbers that are no dtype."""
    name = enumerator(dtype)[len("MPX_"):].lower()
    return name if name in SHORT_NAMES else ""


def long_name(short):
    """bf16: bfloat16, f8e4m3fn: float8_e4m3fn, u8: uint8."""
    kind, bits, rest = re.fullmatch(r"(bool|bf|[fiuc])(\d*)(.*)", short).groups()
    word = {"bool": "bool", "bf": "bfloat", "f": "float", "i": "int", "u": "uint", "c": "complex"}[kind]
    return word + bits + ("_" + rest if rest else "")


def bits_of(short):
    return 8 if short == "bool" else int(re.search(r"\d+", short).group())


def decode_float(code, short):
    """The value of a code of a float of at most 16 bits."""
    if short == "f8e8m0fnu":
        return math.nan if code == 255 else math.ldexp(1.0, code - 127)
    match = re.fullmatch(r"f\d+e(\d+)m(\d+)(?:b(\d+))?(fnuz|fn)?", short)
    exponent_bits, mantissa_bits = {"f16": (5, 10), "bf16": (8, 7)}.get(short) or map(int, match.group(1, 2))
    bias, family = match.group(3, 4) if match else (None, None)
    bias = int(bias) if bias else (1 << (exponent_bits - 1)) - (0 if family == "fnuz" else 1)
    fraction, exponent = code & ((1 << mantissa_bits) - 1), code >> mantissa_bits & ((1 << exponent_bits) - 1)
    sign, is_topmost = -1.0 if code >> (mantissa_bits + exponent_bits) else 1.0, exponent == (1 << exponent_bits) - 1
    if family == "fnuz" and sign < 0 and exponent == 0 and fraction == 0:
        return math.nan
    if family == "fn" and bits_of(short) == 8 and is_topmost and fraction == (1 << mantissa_bits) - 1:
        return math.copysign(math.nan, sign)
    if family is None and is_topmost:
        return math.copysign(math.nan if fraction else math.inf, sign)
    fraction += (1 << mantissa_bits) if exponent else 0
    return sign * math.ldexp(fraction, max(exponent, 1) - bias - mantissa_bits)


def decode_integer(code, short):
    if short == "bool":
        return int(code != 0)
    bits = bits_of(short)
    return code - (1 << bits) if short[0] == "i" and code >> (bits - 1) else code


def byte_order():
    return "big" if "big endian" in gdb.execute("show endian", to_string=True) else "little"


def read_codes(address, bits, count):
    memory, size = gdb.selected_inferior().read_memory, (count * bits + 7) // 8
    try:
        memory(address + size - 1, 1)  # gdb ends if it has no memory for a wild count
    except OverflowError:
        raise gdb.MemoryError(f"Cannot access memory at address {address + size - 1:#x}") from None
    data = bytes(memory(address, size))
    if bits < 8:
        packed = int.from_bytes(data, "little")
        return [packed >> (i * bits) & ((1 << bits) - 1) for i in range(count)]
    step = bits // 8
    return [int.from_bytes(data[i:i + step], byte_order()) for i in range(0, len(data), step)]


def address_of(value):
    """Of a pointer or an array."""
    is_array = value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY
    return int(value.address) if is_array else int(value)


def read_values(address, short, count):
    """count elements as an array of gdb's, of the C type that holds them exactly."""
    bits = bits_of(short)
    if short in NATIVE:
        one = gdb.lookup_type(NATIVE[short])
        one = one.array(1) if short[0] == "c" else one
        return gdb.Value(address).cast(one.array(count - 1).pointer()).dereference()
    codes, order = read_codes(address, bits, count), "<" if byte_order() == "little" else ">"
    if "f" in short:
        data, one = struct.pack(f"{order}{count}d", *(decode_float(code, short) for code in codes)), "double"
    elif short == "u64":
        data, one = struct.pack(f"{order}{count}Q", *codes), "unsigned long long"
    else:
        data, one = struct.pack(f"{order}{count}q", *(decode_integer(code, short) for code in codes)), "long long"
    return gdb.Value(data, gdb.lookup_type(one).array(count - 1))


# ---- the structs ----------------------------------------------------------------------------------------------------


class PolicyPrinter:
    """What mpx_policy_format says; of values that no text gives, their numbers."""

    def __init__(self, value):
        self.value = value

    def roles(self):
        roles = [short_name(role) or ("" if int(role) == 0 else dtype_text(role))
                 for role in (self.value["param"], self.value["compute"], self.value["output"])]
        said = [f"{key}={role}" for key, role in zip("pco", roles) if role]
        return roles, ",".join(said) if len(said) == 3 else f"<{' '.join(said)}>"

    def source(self):
        """Of a quantized policy: Keras' name for the roles, where there is one."""
        (param, compute, output), text = self.roles()
        is_mixed = param == "f32" and compute in ("f16", "bf16")
        if compute not in SHORT_NAMES or output != compute or not (is_mixed or param == compute):
            return text
        return ("mixed_" if is_mixed else "") + long_name(compute)

    def to_string(self):
        mode = enumerator(self.value["quantization"])[len("MPX_QUANT_"):].lower()
        if mode == "none":
            return self.roles()[1]
        mode = mode or f"quantization {int(self.value['quantization'])}"
        numbers = [int(self.value[field]) for field in ("weight_bits", "group_size", "amax_history_length")]
        if mode == "float8" and numbers[2] == 1024:
            numbers[2] = 0
        elif mode == "float8" and numbers[2] == 0:
            mode += "/0"
        return mode + "".join(f"/{number}" for number in numbers if number) + "_from_" + self.source()


class LeafPrinter:
    """Path, dtype and count; the first values as a child."""

    def __init__(self, value):
        self.value, self.count, self.short = value, int(value["count"]), short_name(value["dtype"])

    def to_string(self):
        path = self.value["path"]
        try:
            text = quoted(path.string("latin-1") if int(path) else "")
        except gdb.MemoryError:
            text = f"path {int(path):#x}"
        return f"{text}: {dtype_text(self.value['dtype'])}[{self.count}]"

    def children(self):
        if not self.short or not self.count:
            return
        try:
            values = read_values(int(self.value["data"]), self.short, min(self.count, FIRST))
            values.fetch_lazy()
            yield "first" if self.count > FIRST else "values", values
        except gdb.MemoryError:
            yield "data", self.value["data"]


def quoted(text):
    return "'" + "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in text) + "'"


class ErrorPrinter:
    """What mpx_error_format says, without what it expects instead. A text itself is not in the error: $mpx_error(&err,
    text) has the word too."""

    def __init__(self, value, text=None):
        self.value, self.text, self.status = value, text, enumerator(value["status"])

    def number(self, field):
        """The field, None for SIZE_MAX."""
        number, size = int(self.value[field]), self.value[field].type.sizeof
        return None if number == (1 << 8 * size) - 1 else number

    def of_text(self):
        offset, length = int(self.value["offset"]), int(self.value["length"])
        if self.status == "MPX_OK" or (offset == 0 and length == 0):
            return ""
        if not length or self.text is None:
            return f" at {offset}"
        return f" {quoted(self.text.string('latin-1', length=offset + length)[offset:])} at {offset}"

    def of_dtypes(self):
        have, need, expected = int(self.value["have"]), int(self.value["need"]), self.value["expected"]
        if self.status == "MPX_WARN_OVERFLOW":
            become = f"are no finite {dtype_text(expected)}" if int(expected) else "become Inf or NaN"
            return f": {have} of {dtype_text(self.value['found'])} {become}"
        if self.status == "MPX_ERR_SHAPE":
            by_rows = self.what().startswith("e")  # elements
            return (f": {have} elements are no whole rows of {need}" if by_rows else
                    f": rows of {have} elements are no whole blocks of {need}")
        fields = [(field, self.value[field]) for field in ("found", "expected") if int(self.value[field])]
        return ": " * bool(fields) + ", ".join(f"{field} {dtype_text(dtype)}" for field, dtype in fields)

    def path(self, before=" "):
        path = self.value["path"].string("latin-1")
        return before + quoted(path) if path else ""

    def what(self):
        try:
            return self.value["what"].string() if int(self.value["what"]) else ""
        except gdb.MemoryError:
            return f"what {int(self.value['what']):#x}"

    def of_leaf(self, what):
        index = self.number("index")
        return ("" if index is None else f" at {what} {index}" + self.path()) + self.of_dtypes()

    def of_file(self):
        index, offset, have, need = self.number("index"), self.number("offset"), int(self.value["have"]), self.number("need")
        place = f" at entry {index}" if index is not None else f" at byte {offset}" if offset is not None else ""
        found = "" if have == need else f"; found {have}" + ("" if need is None else f", expected {need}")
        return f"{place}{self.path(' in ')}: {self.what()}{found}"

    def of_node(self):
        index, input_of = self.number("index"), self.number("input")
        if index is None:
            return ""
        input_of = "" if input_of is None else f"input {input_of} of "
        return f": {input_of}node {index}" + self.path() + self.of_dtypes()

    def to_string(self):
        subject = enumerator(self.value["subject"])
        place = {"MPX_SUBJECT_LEAF": lambda: self.of_leaf("leaf"), "MPX_SUBJECT_LAYER": lambda: self.of_leaf("layer"),
                 "MPX_SUBJECT_NODE": self.of_node, "MPX_SUBJECT_FILE": self.of_file}.get(subject, self.of_text)()
        said = subject == "MPX_SUBJECT_FILE" or (subject == "MPX_SUBJECT_LEAF" and self.status == "MPX_ERR_SHAPE")
        lack = "" if said or not self.what() else \
            f"; {int(self.value['have'])} {self.what()} where {int(self.value['need'])} are needed"
        return STATUSES.get(self.status, "unknown status") + place + lack


# ---- convenience functions ------------------------------------------------------------------------------------------


class Values(gdb.Function):
    """$mpx(pointer, dtype, count): count elements of a dtype as numbers. dtype: a constant such as MPX_BF16, or a short
    name such as "bf16"."""

    def __init__(self):
        super().__init__("mpx")

    def invoke(self, pointer, dtype, count=1):
        code = dtype.type.strip_typedefs().code
        short = dtype.string() if code == gdb.TYPE_CODE_ARRAY else ""
        short = short_name(dtype) if code == gdb.TYPE_CODE_ENUM else short
        if short not in SHORT_NAMES or int(count) < 1:
            raise gdb.GdbError('$mpx(pointer, dtype, count): dtype is MPX_BF16 or "bf16", for example; count is 1 or more')
        return read_values(address_of(pointer), short, int(count))


class Sentence(gdb.Function):
    """$mpx_error(error, text): the error as a sentence, with the word of the text that it is about. error: an mpx_error
    or a pointer to one."""

    def __init__(self):
        super().__init__("mpx_error")

    def invoke(self, error, text=None):
        is_pointer = error.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
        return ErrorPrinter(error.dereference() if is_pointer else error, text).to_string()


def printers():
    found = gdb.printing.RegexpCollectionPrettyPrinter("mpx")
    found.add_printer("mpx_policy", "^mpx_policy$", PolicyPrinter)
    found.add_printer("mpx_leaf", "^mpx_leaf$", LeafPrinter)
    found.add_printer("mpx_error", "^mpx_error$", ErrorPrinter)
    return found


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
Values()
Sentence()
