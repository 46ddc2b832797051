"""Whether evaluating an expression may write to memory: an array expression read before is given memory first."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import Delayed, FrontValue, TupleValue

PURE_MODULES = ("numpy", "math", "builtins", "numpy.linalg", "scipy.special")
WRITING = {"copyto", "put", "place", "putmask", "fill_diagonal", "shuffle"}


def before_later_writes(lowering: Lowering, value: FrontValue, later: Sequence[ast.expr]) -> FrontValue:
    """The value; with memory of its own if what is evaluated after it may write to what it reads."""
    if isinstance(value, Delayed | TupleValue) and any(may_write(lowering, node) for node in later):
        return settle(lowering, value)
    return value


def may_write(lowering: Lowering, node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) and not _is_pure(lowering, n) for n in ast.walk(node))


def _is_pure(lowering: Lowering, call: ast.Call) -> bool:
    """Whether a call is of a function of NumPy, math or Python that writes to nothing."""
    match call.func:
        case ast.Name(id=name):
            capture = None if lowering.scope.owner(name) else lowering.scope.capture(name)
            if capture is None:
                return False
            function = capture.read()
            module = getattr(function, "__module__", None) or ""
            return isinstance(function, type | types.BuiltinFunctionType) and module in PURE_MODULES
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            capture = None if lowering.scope.owner(name) else lowering.scope.capture(name)
            if capture is None:
                return False
            module = capture.read()
            return isinstance(module, types.ModuleType) and module.__name__ in PURE_MODULES and attribute not in WRITING
    return False
