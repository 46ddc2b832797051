"""The syntax tree of a function of the running program, found in its file by position.

The whole file is parsed once, so that every node has its true line. A lambda is told from others on its
line by the positions that its bytecode carries.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType

from srcgrad.errors import SourceError

PACKAGE = str(Path(__file__).parents[2])
FunctionNode = ast.FunctionDef | ast.Lambda

HOW_TO_REGISTER = (
    "Define the function in a file or a notebook cell, or register its text: "
    "linecache.cache[name] = (len(text), None, text.splitlines(True), name) and compile(text, name, 'exec')."
)


@dataclass(frozen=True, eq=False)
class FunctionSource:
    node: FunctionNode
    file: str


def find(function: FunctionType) -> FunctionSource:
    """The definition of a function; SourceError where there is none."""
    linecache.lazycache(function.__code__.co_filename, function.__globals__)
    return _find(function.__code__, function.__code__.co_filename)


@lru_cache(maxsize=4096)
def _find(code: CodeType, file: str) -> FunctionSource:
    """``file`` is the code's own: code objects are equal also where only their files differ."""
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file))
    node = _node_of(code, text)
    if _is_stale(code, text):
        raise _changed(code)
    return FunctionSource(node, file)


def _node_of(code: CodeType, text: str) -> FunctionNode:
    if not text:
        raise _missing(code)
    candidates = [node for node in _functions(text) if _starts_at(node) == code.co_firstlineno]
    matching = [node for node in candidates if _name(node) == code.co_name and _parameters(node) == _arguments(code)]
    if code.co_name == "<lambda>" and len(matching) > 1:
        matching = _enclosing(matching, code)
    if len(matching) != 1:
        raise _changed(code)
    return matching[0]


def _missing(code: CodeType) -> SourceError:
    message = f"the source of {code.co_name!r} ({code.co_filename}) cannot be found"
    return SourceError(message, hint=HOW_TO_REGISTER, file=code.co_filename, line=code.co_firstlineno)


def _changed(code: CodeType) -> SourceError:
    if code.co_filename == "<string>":  # of any exec(); Python 3.13 holds there what `python -c` was given
        return _missing(code)
    return SourceError(
        f"line {code.co_firstlineno} of {code.co_filename} does not hold the source of {code.co_name!r}",
        hint="The file has changed since the function was made: run it again.",
        file=code.co_filename,
        line=code.co_firstlineno,
    )


def _is_stale(code: CodeType, text: str) -> bool:
    """Whether the text compiles to something else than the function: its file was edited but not run again."""
    if code.co_filename.startswith(PACKAGE) or any(
        name.startswith("@py") for name in (*code.co_names, *code.co_varnames)
    ):
        return False  # part of srcgrad, or pytest has rewritten the asserts
    twins = [c for c in _codes_of(text, code.co_filename) if _identity(c) == _identity(code)]
    return bool(twins) and not any(_same_program(c, code) for c in twins)


@lru_cache(maxsize=64)
def _codes_of(text: str, file: str) -> tuple[CodeType, ...]:
    """The code objects of a file, compiled anew."""
    try:
        return tuple(_nested_codes(compile(text, file, "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):
        return ()


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested_codes(constant)


def _identity(code: CodeType) -> tuple[str, int]:
    return (code.co_qualname, code.co_firstlineno)


def _same_program(a: CodeType, b: CodeType) -> bool:
    plain = [(c.co_code, c.co_names, c.co_varnames, len(c.co_consts)) for c in (a, b)]
    return plain[0] == plain[1] and all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: object, b: object) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return _same_program(a, b)
    return type(a) is type(b) and repr(a) == repr(b)


@lru_cache(maxsize=256)
def _functions(text: str) -> tuple[FunctionNode, ...]:
    """Every function of a file, outer ones first."""
    try:
        tree = ast.parse(text)
    except SyntaxError as fault:
        raise SourceError(f"the source does not parse: {fault.msg} (line {fault.lineno})") from fault
    return tuple(node for node in ast.walk(tree) if isinstance(node, FunctionNode))


def _starts_at(node: FunctionNode) -> int:
    """The line that a code object gives as its first: that of the first decorator."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(d.lineno for d in decorators)])


def _name(node: FunctionNode) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _parameters(node: FunctionNode) -> tuple[str, ...]:
    a = node.args
    starred = [x for x in (a.vararg, a.kwarg) if x is not None]
    return tuple(x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, *starred))


def _arguments(code: CodeType) -> tuple[str, ...]:
    starred = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # CO_VARARGS, CO_VARKEYWORDS
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + starred]


def _enclosing(nodes: list[FunctionNode], code: CodeType) -> list[FunctionNode]:
    """The lambdas whose body holds every position of the code; of nested ones the innermost."""
    places = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column) and (column, end_column) != (0, 0)
    ]
    holding = []
    for node in nodes:
        body = node.body
        assert isinstance(body, ast.expr) and body.end_lineno is not None and body.end_col_offset is not None
        start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
        if all(start <= (p[0], p[1]) and (p[2], p[3]) <= end for p in places):
            holding.append((end, start, node))
    innermost = min(holding, key=lambda h: (h[0][0] - h[1][0], h[0][1] - h[1][1]), default=None)
    return [] if innermost is None else [innermost[2]]
