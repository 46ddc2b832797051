"""Which assignments may hold an array expression without memory, because it is read once, soon, and unchanged.

::

    t = np.exp(x) * w          # one loop, no temporary
    return np.sum(t)

The read stands behind it in the same block, only assignments to names lie between, and no call that may write
to memory is evaluated before the read is done.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from srcgrad.frontend.syntax.bindings import COMPREHENSIONS, FUNCTIONS

# an assignment -> the statements up to the one that reads its name
Uses = dict[ast.stmt, tuple[ast.stmt, ...]]
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


@lru_cache(maxsize=4096)
def single_uses(function: ast.FunctionDef) -> Uses:
    """For each assignment to a name that is read exactly once: the statements in which nothing may be written."""
    nodes = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    read = Counter(n.id for n in nodes if isinstance(n.ctx, ast.Load))
    bound = Counter(n.id for n in nodes if isinstance(n.ctx, ast.Store))
    once = {name for name, count in read.items() if count == 1 and bound[name] == 1}
    return {
        statement: until
        for block in _blocks(function)
        for k, statement in enumerate(block)
        if (name := _target(statement)) in once and (until := _until_read(name, block[k + 1 :]))
    }


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """Every list of statements of the function, those of nested functions left out."""
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
            for statement in block:
                if not isinstance(statement, FUNCTIONS):
                    yield from _blocks(statement)


def _target(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return name
    return None


def _until_read(name: str | None, behind: Sequence[ast.stmt]) -> tuple[ast.stmt, ...] | None:
    """The statements up to the one that reads the name; None where another kind of statement comes first."""
    for k, statement in enumerate(behind):
        if not isinstance(statement, SIMPLE):
            return None
        if any(isinstance(n, ast.Name) and n.id == name for n in _evaluated_once(statement)):
            return tuple(behind[: k + 1]) if not _writes_through(statement, name) else None
        if _target(statement) is None:
            return None
    return None


def _writes_through(statement: ast.stmt, name: str | None) -> bool:
    """Whether the name is that of an array whose element or slice is assigned to."""
    match statement:
        case ast.Assign(targets=targets):
            return any(isinstance(n, ast.Name) and n.id == name for t in targets for n in ast.walk(t))
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(target))
    return False


def _evaluated_once(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes inside, but not those of functions and comprehensions, which may run many times or later."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*FUNCTIONS, *COMPREHENSIONS)):
            yield from _evaluated_once(child)
