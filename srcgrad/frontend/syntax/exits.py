"""How a statement is left other than at its end: by `return`, `break` and `continue`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Exit = ast.Return | ast.Break | ast.Continue
Loop = ast.For | ast.While

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def exits(statement: ast.stmt) -> Iterator[Exit]:
    """The statements inside that leave it: returns, and breaks and continues of a loop around it."""
    if isinstance(statement, Exit):
        yield statement
    elif isinstance(statement, Loop):
        yield from (e for s in statement.body for e in exits(s) if isinstance(e, ast.Return))
        yield from (e for s in statement.orelse for e in exits(s))
    elif not isinstance(statement, (*SCOPES, ast.Try)):  # nothing leaves a `try` that has been rewritten
        yield from (e for child in nested(statement) for e in exits(child))


def completes(block: Sequence[ast.stmt]) -> bool:
    """Whether control can reach the end of a block, as far as its shape tells."""
    return all(may_complete(s) for s in block)


def may_complete(statement: ast.stmt) -> bool:
    if isinstance(statement, Exit | ast.Raise):
        return False
    if isinstance(statement, ast.If):
        return completes(statement.body) or completes(statement.orelse)
    if isinstance(statement, ast.While) and _is_true(statement.test):
        return any(isinstance(e, ast.Break) for s in statement.body for e in exits(s))
    return True


def raises(block: Sequence[ast.stmt]) -> bool:
    """Whether a block ends in an exception on every path."""
    return bool(block) and not completes(block) and not any(True for s in block for _ in exits(s))


def nested(statement: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body


def kind_of(e: Exit) -> str:
    """Equal for exits that do the same."""
    return ast.dump(e)


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)
