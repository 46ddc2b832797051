"""Golden Markdown: cases of a sentence, an input, and what becomes of it.

A case is a section of a file in ``tests/cases``. Its first ``python`` block is the input: functions, and a last line
that calls one of them with the arguments at which it is checked. Then come blocks of what is generated, named by
their info string: ``python adjoint`` (the readable backward source), ``python forward``, ``ir`` (after lowering),
``error`` (the whole message). A block ``python by-hand`` is an adjoint that a person wrote, for comparison.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from oracle.derivatives import differentiable

import srcgrad

CASES = Path(__file__).parent / "cases"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Golden:
    """A section: ``blocks`` by info string."""

    path: Path
    title: str
    blocks: dict[str, str]

    @property
    def id(self) -> str:
        return f"{self.path.stem}: {self.title}"


def read_all() -> list[Golden]:
    return [golden for path in sorted(CASES.glob("*.md")) for golden in read(path)]


def read(path: Path) -> list[Golden]:
    pieces = SECTION.split(path.read_text())
    sections = zip(pieces[1::2], pieces[2::2], strict=True)
    return [Golden(path, title, {m[1]: m[2] for m in BLOCK.finditer(text)}) for title, text in sections]


def rewrite(golden: Golden, kind: str, text: str) -> None:
    """Put ``text`` in the place of a block of the file."""
    whole = golden.path.read_text()
    start = whole.index(f"## {golden.title}\n")
    following = SECTION.search(whole, start + 3)
    end = following.start() if following else len(whole)
    section = whole[start:end]
    old = f"```{kind}\n{golden.blocks[kind]}```"
    assert old in section
    golden.path.write_text(whole[:start] + section.replace(old, f"```{kind}\n{text}```") + whole[end:])


@dataclass(frozen=True)
class Input:
    """The function that the last line of the input calls, and the arguments it is called with."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    source: str

    @property
    def wrt(self) -> tuple[int, ...]:
        return differentiable(self.args)


def load_input(golden: Golden) -> Input:
    source = golden.blocks["python"]
    *definitions, last = ast.parse(source).body
    assert isinstance(last, ast.Expr) and isinstance(last.value, ast.Call), "the last line is the call to check"
    name = f"{golden.path.stem}.py"
    text = "\n".join(source.splitlines()[: definitions[-1].end_lineno]) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"np": np, "__name__": golden.path.stem}
    exec(compile(text, name, "exec"), namespace)
    arguments = ast.Tuple([*last.value.args], ast.Load())
    args = eval(compile(ast.fix_missing_locations(ast.Expression(arguments)), name, "eval"), {"np": np})
    return Input(namespace[ast.unparse(last.value.func)], args, text)


def generated(golden: Golden, kind: str) -> str:
    """What srcgrad makes of the input today."""
    given = load_input(golden)
    derivative = srcgrad.grad(given.function, argnums=_argnums(given), jit=False)
    match kind:
        case "python adjoint":
            return _ended(derivative.backward_source(*given.args))
        case "python forward":
            return _ended(derivative.forward_source(*given.args))
        case "ir":
            return _ended(str(derivative.ir(*given.args, after="lower")))
        case "error":
            return _ended(_message(derivative, given.args))
    raise ValueError(f"{golden.id}: no way to make a block {kind!r}")


def _argnums(given: Input) -> int | tuple[int, ...]:
    """An int where there is one to name: its gradient is then not wrapped in a tuple."""
    return given.wrt[0] if len(given.wrt) == 1 else given.wrt or 0


def _ended(text: str) -> str:
    return text.rstrip("\n") + "\n"


def _message(derivative: Callable[..., Any], args: tuple[Any, ...]) -> str:
    try:
        derivative(*args)
    except Exception as refusal:
        return f"{type(refusal).__name__}: {refusal}"
    return "nothing is wrong"


def statements(source: str) -> int:
    """How many statements the functions of a source have.

    Imports and docstrings do not count, nor do checks that only raise: nobody writes those by hand, but no
    derivative may go without them.
    """
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.stmt)]
    left_out = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Raise)
    return sum(not isinstance(n, left_out) and not _is_text(n) and not _is_check(n) for n in nodes)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_check(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and not node.orelse and all(isinstance(n, ast.Raise) for n in node.body)


def hand_written(golden: Golden) -> Callable[..., Any]:
    """The adjoint that a person wrote: a function of the same arguments that returns the gradients."""
    source = golden.blocks["python by-hand"]
    (function,) = (node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, f"{golden.path.stem}_by_hand.py", "exec"), namespace)
    adjoint: Callable[..., Any] = namespace[function]
    return adjoint
