"""A tool of tools/, run in the process of its test: a process of its own takes longer than its work."""
import contextlib
import io
import types
from unittest import mock


def run(main, arguments, text=""):
    """What main does with these arguments and this text on its input: returncode, stdout, stderr."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with mock.patch("sys.argv", ["tool.py", *arguments]), mock.patch("sys.stdin", io.StringIO(text)), \
            contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    if isinstance(code, str):  # as the interpreter does at its end
        code, _ = 1, err.write(code + "\n")
    return types.SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())
