"""The command line: ``python -m srcgrad show|explain|check FILE.py:FUNCTION [ARGUMENT ...]`` and ``demo``."""

from __future__ import annotations

import argparse
import inspect
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import numpy as np

from srcgrad.api import Compiled, grad
from srcgrad.errors import Error
from srcgrad.testing import check_grads

EXAMPLE = """example:
  python -m srcgrad show model.py:loss "np.ones(3)" "np.ones((5, 3))" "np.zeros(5)"

Arguments are Python expressions; they see np and the names of FILE.py.
"""


class UsageError(Exception):
    """A command that cannot be carried out; the message is for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all went well, 1 if a check failed, 2 if the command made no sense."""
    options = parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except (UsageError, Error) as refusal:
        print(f"srcgrad: {refusal}", file=sys.stderr)
        return 2
    except AssertionError as failure:
        print(f"srcgrad: {failure}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="srcgrad", description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, run, text in (
        ("show", show, "print the generated adjoint"),
        ("explain", explain, "print what the adjoint stores"),
        ("check", check, "compare the derivatives with differences"),
    ):
        command = commands.add_parser(name, help=text, description=text, epilog=EXAMPLE)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        command.add_argument("function", metavar="FILE.py:FUNCTION")
        command.add_argument("arguments", metavar="ARGUMENT", nargs="*", help="a Python expression")
        command.add_argument("--argnums", type=_numbers, default=0, help="0 (the default), or several: 0,2")
        command.set_defaults(command=run)
        if name == "show":
            command.add_argument("--level", choices=("readable", "compiled"), default="readable")
            command.add_argument("--primal", action="store_true", help="show the function itself")
    command = commands.add_parser("demo", help="fit statistics on real data: a mixture of Gaussians")
    command.add_argument("--data", type=Path, help="another file of that format")
    command.set_defaults(command=demo)
    return top


def show(options: argparse.Namespace) -> int:
    function, arguments = _load(options)
    derivative = grad(function, options.argnums)
    source = derivative.primal_source if options.primal else derivative.backward_source
    print(source(*arguments, level=options.level))
    return 0


def explain(options: argparse.Namespace) -> int:
    function, arguments = _load(options)
    print(grad(function, options.argnums).explain(*arguments))
    return 0


def check(options: argparse.Namespace) -> int:
    function, arguments = _load(options)
    grad(function).primal_source(*arguments)  # refuses what it will refuse before the function runs
    with _users_failures(f"{options.function} fails"):
        check_grads(function, arguments)
    print(f"The derivatives of {options.function} agree with differences, forward and reverse.")
    return 0


def demo(options: argparse.Namespace) -> int:
    from srcgrad.demo.run import main as run  # Numba compiles nothing for the other commands

    return run(options.data)


def _numbers(text: str) -> int | tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(",") if part)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} should be the number of an argument, or several: 0,2") from None
    if not numbers:
        raise argparse.ArgumentTypeError("it should be the number of an argument, or several: 0,2")
    return numbers[0] if "," not in text else numbers


def _load(options: argparse.Namespace) -> tuple[Callable[..., object], list[object]]:
    """The function named on the command line and the values of its arguments."""
    path, colon, name = options.function.rpartition(":")
    if not colon:
        raise UsageError(f"{options.function!r} should read FILE.py:FUNCTION")
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path!r}")
    names = _run(path)
    function = names.get(name)
    if isinstance(function, Compiled):
        function = function.function
    if not callable(function):
        known = [n for n, value in names.items() if callable(value) and not n.startswith("_")]
        raise UsageError(f"{path} has no function {name!r}; it has {', '.join(known) or 'none'}")
    arguments = [_evaluate(text, names) for text in options.arguments]
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as fault:
        raise UsageError(f"{name}{inspect.signature(function)} with {len(arguments)} arguments: {fault}") from fault
    return function, arguments


def _run(path: str) -> dict[str, object]:
    """The names of a file that is run as Python runs a script: it finds what lies in its folder."""
    folder = str(Path(path).resolve().parent)
    sys.path.insert(0, folder)
    try:
        with _users_failures(f"{path} cannot be loaded"):
            return runpy.run_path(path)
    finally:
        if folder in sys.path:  # the file may have changed that
            sys.path.remove(folder)


@contextmanager
def _users_failures(what: str) -> Iterator[None]:
    """An exception out of the user's file is shown as the user's: from its first line there on."""
    try:
        yield
    except Error:
        raise
    except (Exception, SystemExit) as fault:
        frames = _from_user(fault.__traceback__)
        if frames is None and not isinstance(fault, SyntaxError):
            raise  # a fault of ours, or a check that fails
        shown = "".join(traceback.format_exception(type(fault), fault, frames))
        raise UsageError(f"{what}:\n{shown.rstrip()}") from fault


def _from_user(frames: TracebackType | None) -> TracebackType | None:
    """The traceback without what srcgrad and Python did to get to the user's line."""
    ours = str(Path(__file__).parent) + os.sep
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if not file.startswith(("<frozen", ours)):
            break
        frames = frames.tb_next
    return frames


def _evaluate(text: str, names: dict[str, object]) -> object:
    try:
        return eval(text, {"np": np, **names})
    except Exception as fault:
        raise UsageError(f"the argument {text!r} is not a Python expression that works: {fault}") from fault


if __name__ == "__main__":
    sys.exit(main())
