"""What is outside the language, refused with the user's line before anything is lowered."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.syntax.bindings import own_nodes
from srcgrad.ir.core import Location

# The construct, what it is called, and what to write instead.
REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Yield: ("a generator", "Return an array or a tuple."),
    ast.YieldFrom: ("a generator", "Return an array or a tuple."),
    ast.Await: ("await", "Call an ordinary function."),
    ast.AsyncFunctionDef: ("async", "Define an ordinary function."),
    ast.AsyncFor: ("async", "Use an ordinary loop."),
    ast.AsyncWith: ("async", "Use ordinary statements."),
    ast.Try: ("try", "Test for the condition with `if` instead of catching an exception."),
    ast.TryStar: ("try", "Test for the condition with `if` instead of catching an exception."),
    ast.With: ("with", "Call the function outside the `with`."),
    ast.ClassDef: ("a class inside a function", "Define it at module level."),
    ast.Delete: ("del", "Leave the name alone: it costs nothing."),
    ast.Match: ("match", "Use if and elif."),
    ast.Set: ("a set", "Use a tuple."),
    ast.SetComp: ("a set comprehension", "Use a list comprehension."),
}


@lru_cache(maxsize=4096)
def check(node: ast.FunctionDef | ast.Lambda, file: str) -> None:
    """Raise UnsupportedSyntaxError at the first construct that is outside the language."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    for inner in own_nodes(body):
        if type(inner) in REFUSED:
            what, instead = REFUSED[type(inner)]
            raise refusal(_location(inner, file), f"{what} is not in the language", instead, UnsupportedSyntaxError)
    for name, at in _assigned_globals(body):
        message = f"the global {name!r} is assigned to"
        raise refusal(_location(at, file), message, "Return the value instead.", UnsupportedSyntaxError)


def _assigned_globals(body: list[ast.stmt] | list[ast.expr]) -> Iterator[tuple[str, ast.AST]]:
    nodes = list(own_nodes(body))
    names = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
            yield node.id, node


def _location(node: ast.AST, file: str) -> Location:
    assert isinstance(node, ast.stmt | ast.expr)
    end_column = node.end_col_offset or 0
    return Location(file, node.lineno, node.col_offset, node.end_lineno or node.lineno, end_column)
