"""Source text to running functions, with exact gradients, and the smallest program that still fails."""

from __future__ import annotations

import ast
import copy
import hashlib
import linecache
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from oracle.dual_numpy import DualNumPy, is_differentiable, value_and_gradients
from oracle.pairs import Pair

MODULE = "random_program"
Function = Callable[..., Any]


def load(source: str) -> Function:
    """The function ``f`` of the source, whose text ``inspect`` finds as if it were a file's."""
    name = f"<random program {hashlib.sha1(source.encode()).hexdigest()[:12]}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return _execute(source, name, np)


def load_dual(source: str) -> Function:
    tree = ast.fix_missing_locations(_PairLiterals().visit(ast.parse(source)))
    return _execute(tree, "<dual>", DualNumPy(), complex=Pair)


class _PairLiterals(ast.NodeTransformer):
    """``0.5j`` as ``complex(0.0, 0.5)``, which then makes a pair."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, complex):
            return node
        parts: list[ast.expr] = [ast.Constant(node.value.real), ast.Constant(node.value.imag)]
        return ast.Call(ast.Name("complex", ast.Load()), parts, [])


def _execute(source: str | ast.Module, name: str, numpy: object, **names: object) -> Function:
    namespace: dict[str, Any] = {"np": numpy, "__name__": MODULE, **names}
    sys.modules.setdefault(MODULE, ModuleType(MODULE))  # a dataclass looks there for its module
    exec(compile(source, name, "exec"), namespace)
    function: Function = namespace["f"]
    return function


def exact(source: str, args: Sequence[Any]) -> tuple[float, list[Any]]:
    """Value and gradients (one per differentiable argument) of the source's ``f``, by dual numbers."""
    return value_and_gradients(load_dual(source), copy.deepcopy(args))


def is_well_conditioned(source: str, args: Sequence[Any]) -> bool:
    """Whether rounding cannot matter: a relative change of the inputs of 1e-13 must not show in the gradient."""
    value, gradients = exact(source, args)
    if not np.isfinite(value) or not all(np.isfinite(g).all() for g in gradients):
        return False
    moved = [x * (1.0 + 1e-13) if is_differentiable(x) else x for x in args]
    return relative_error(gradients, exact(source, moved)[1]) < 1e-10


def relative_error(got: Sequence[Any], expected: Sequence[Any]) -> float:
    """The largest difference, relative to the largest entry of all gradients (or to 1)."""
    largest = max([1.0, *(float(np.max(np.abs(e), initial=0.0)) for e in expected)])
    worst = 0.0
    for g, e in zip(got, expected, strict=True):
        if np.shape(g) != np.shape(e):
            return float("inf")
        difference = float(np.max(np.abs(np.asarray(g, dtype=complex) - np.asarray(e, dtype=complex)), initial=0.0))
        worst = max(worst, difference if np.isfinite(difference) else float("inf"))
    return worst / largest


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """A ``TimeoutError`` in the main thread after that much processor time: a busy machine changes nothing."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def shrink(source: str, fails: Callable[[str], bool], attempts: int = 400) -> str:
    """Drop statements, unwrap blocks and simplify expressions while the program still fails."""
    best = ast.unparse(ast.parse(source))
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(best):
            attempts -= 1
            if attempts < 0:
                return best
            if fails(candidate):
                best, progress = candidate, True
                break
    return best


def _smaller(source: str) -> Iterator[str]:
    """Programs with one thing less, the largest cuts first."""
    count = sum(1 for _ in ast.walk(ast.parse(source)))
    edits: list[Callable[[ast.Module, int], bool]] = [_drop_statement, _unwrap_block, _simplify_expression]
    for edit in edits:
        for position in range(count):
            tree = ast.parse(source)
            if not edit(tree, position):
                break
            smaller = ast.unparse(ast.fix_missing_locations(tree))
            if len(smaller) < len(source):
                yield smaller


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body


def _drop_statement(tree: ast.Module, position: int) -> bool:
    for body in _bodies(tree):
        if position >= len(body):
            position -= len(body)
            continue
        del body[position]
        if not body and body is not tree.body:
            body.append(ast.Pass())
        return True
    return False


def _unwrap_block(tree: ast.Module, position: int) -> bool:
    for body in _bodies(tree):
        for k, statement in enumerate(body):
            if not isinstance(statement, ast.If | ast.For | ast.While):
                continue
            if position == 0:
                body[k : k + 1] = statement.body
                return True
            position -= 1
    return False


class _Simplifier(ast.NodeTransformer):
    """Replaces the expression at a position by one of its parts or by a literal."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.done = False

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.BinOp | ast.Call | ast.IfExp) and not self.done:
            parts = _parts(node)
            if self.position < len(parts):
                self.done = True
                return parts[self.position]
            self.position -= len(parts)
        return self.generic_visit(node)


def _parts(node: ast.BinOp | ast.Call | ast.IfExp) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Call(args=[argument]):
            return [argument]
    return []


def _simplify_expression(tree: ast.Module, position: int) -> bool:
    simplifier = _Simplifier(position)
    simplifier.visit(tree)
    return simplifier.done
