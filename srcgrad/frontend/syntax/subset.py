"""What is outside the language, refused with the user's line before anything is lowered."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.syntax.bindings import own_nodes
from srcgrad.frontend.syntax.desugar import is_shown_by
from srcgrad.frontend.syntax.exits import exits
from srcgrad.ir.core import Location

# The construct, what it is called, and what to write instead.
REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Await: ("await", "Call an ordinary function."),
    ast.AsyncFunctionDef: ("async", "Define an ordinary function."),
    ast.AsyncFor: ("async", "Use an ordinary loop."),
    ast.AsyncWith: ("async", "Use ordinary statements."),
    ast.TryStar: ("try", "Test for the condition with `if` instead of catching an exception."),
    ast.ClassDef: ("a class inside a function", "Define it at module level."),
    ast.MatchMapping: ("a pattern of a dict", "Use if and elif."),
    ast.MatchStar: ("a starred pattern", "Use if and elif."),
}


@lru_cache(maxsize=4096)
def check(node: ast.FunctionDef | ast.Lambda, file: str) -> None:
    """Raise UnsupportedSyntaxError at the first construct that is outside the language."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    for inner in own_nodes(body):
        if type(inner) in REFUSED:
            what, instead = REFUSED[type(inner)]
            raise refusal(_location(inner, file), f"{what} is not in the language", instead, UnsupportedSyntaxError)
        for part, what, instead in _entangled(inner):
            raise refusal(_location(part, file), f"{what} is not in the language", instead, UnsupportedSyntaxError)
    for name, at in _assigned_globals(body):
        message = f"the global {name!r} is assigned to"
        raise refusal(_location(at, file), message, "Return the value instead.", UnsupportedSyntaxError)


def _entangled(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """What ``desugar`` does not take apart: names bound by a case that a guard may still give up, exits of a `try`."""
    match node:
        case ast.match_case(pattern=ast.MatchAs(pattern=None), guard=ast.expr()):
            return
        case ast.match_case(pattern=pattern, guard=guard):
            names = [n for n in ast.walk(pattern) if isinstance(n, ast.MatchAs) and n.name is not None]
            choices = [n for n in ast.walk(pattern) if isinstance(n, ast.MatchOr)]
            if names and (guard is not None or choices):
                yield pattern, "a pattern that binds names and has a guard or choices", "Use if and elif."
            if any(isinstance(n, ast.MatchClass) and len(n.patterns) > 1 for n in ast.walk(pattern)):
                yield pattern, "a class pattern by position", "Name the attributes."
        case ast.Try():
            left = next((e for s in node.finalbody for e in exits(s)), None)
            if left is not None:
                yield left, "leaving the `finally` of a try", "Leave behind it."
            named = next((h for h in node.handlers if h.name is not None and _computes_with(h.body, h.name)), None)
            if named is not None:
                yield named, "a caught exception as a value", "Test for the condition with `if`."


def _computes_with(statements: Sequence[ast.stmt], name: str) -> bool:
    """Whether a caught exception is more than shown, or raised again."""
    nodes = [n for s in statements for n in ast.walk(s)]
    shown = {id(n) for shows in nodes if is_shown_by(shows) for n in ast.walk(shows)}
    return any(isinstance(n, ast.Name) and n.id == name and id(n) not in shown for n in nodes)


def _assigned_globals(body: list[ast.stmt] | list[ast.expr]) -> Iterator[tuple[str, ast.AST]]:
    nodes = list(own_nodes(body))
    names = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
            yield node.id, node


def _location(node: ast.AST, file: str) -> Location:
    assert isinstance(node, ast.stmt | ast.expr | ast.pattern | ast.ExceptHandler)
    end_column = node.end_col_offset or 0
    return Location(file, node.lineno, node.col_offset, node.end_lineno or node.lineno, end_column)
