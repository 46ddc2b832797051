"""Statements other than assignments and loops."""

from __future__ import annotations

import ast
import functools
import importlib
from types import ModuleType

from srcgrad.errors import UnboundError, UnsupportedError
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.captures import from_python
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.logic import condition
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.expressions import closure
from srcgrad.frontend.nodes.messages import exception_and_message, message_of_numbers
from srcgrad.frontend.nodes.raised_again import is_again, raise_again
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.numbers.scalars import negation
from srcgrad.frontend.registry import statement
from srcgrad.frontend.values import FrontValue, Static
from srcgrad.ir.core import Operand, truth


@statement(ast.Expr)
def _expression(lowering: Lowering, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):  # a docstring
        lowering.evaluate_any(node.value)


@statement(ast.Pass, ast.Nonlocal, ast.Global)
def _nothing(lowering: Lowering, node: ast.stmt) -> None:
    """Declarations were read when the function was entered."""


# What these decorators of functools make gives what the function itself gives.
UNCHANGING = (functools.cache, functools.lru_cache, functools.wraps)


@statement(ast.If)
def _if(lowering: Lowering, node: ast.If) -> None:
    test = condition(lowering, node.test)
    first = node.body[0]
    if len(node.body) == 1 and isinstance(first, ast.Raise) and not node.orelse and not is_again(lowering, first):
        _guard(lowering, test, first)
        return

    def side(statements: list[ast.stmt]) -> FrontValue:
        lowering.execute(statements)
        return Static(None)

    branch(lowering, test, lambda: side(node.body), lambda: side(node.orelse), lowering.live_after(node))


def _guard(lowering: Lowering, test: Number, node: ast.Raise) -> None:
    """``if test: raise ...`` is one check."""
    holds = negation(lowering.builder, test)
    if isinstance(holds, Static):
        if not holds.value:
            lowering.execute([node])
        return
    exception, text, values = exception_and_message(lowering, node)
    _check(lowering, holds, exception, text, values)


@statement(ast.Raise)
def _raise(lowering: Lowering, node: ast.Raise) -> None:
    if is_again(lowering, node):
        raise_again(lowering, node)
        return
    exception, text, values = exception_and_message(lowering, node)
    lowering.builder.emit("check", truth(False), *values, exception=exception, message=text)
    lowering.dead = True


@statement(ast.Assert)
def _assert(lowering: Lowering, node: ast.Assert) -> None:
    holds = condition(lowering, node.test)
    if isinstance(holds, Static) and holds.value:
        return
    text, values = message_of_numbers(lowering, [node.msg] if node.msg is not None else [])
    _check(lowering, holds, "AssertionError", text, values)
    lowering.dead = isinstance(holds, Static)


def _check(lowering: Lowering, holds: Number, exception: str, text: str, values: list[Operand]) -> None:
    lowering.builder.emit("check", as_scalar(holds).operand, *values, exception=exception, message=text)


@statement(ast.FunctionDef)
def _function(lowering: Lowering, node: ast.FunctionDef) -> None:
    for decorator in node.decorator_list:
        base = decorator.func if isinstance(decorator, ast.Call) else decorator
        made_by = lowering.evaluate(base)
        module = getattr(made_by.value, "__module__", "") if isinstance(made_by, Static) else ""
        of_functools = isinstance(made_by, Static) and any(made_by.value is f for f in UNCHANGING)
        if not str(module).startswith("numba") and not of_functools:
            hint = "Only numba's decorators and functools.cache may stand here; they change nothing."
            lowering.refuse(decorator, "a decorator of a nested function", hint, UnsupportedError)
    names.store(lowering, node.name, closure(lowering, node))


@statement(ast.Import)
def _import(lowering: Lowering, node: ast.Import) -> None:
    for alias in node.names:
        module = _imported(lowering, node, alias.name, None)
        if alias.asname is None:
            module = _imported(lowering, node, alias.name.split(".")[0], None)
        names.store(lowering, alias.asname or alias.name.split(".")[0], Static(module))


@statement(ast.ImportFrom)
def _import_from(lowering: Lowering, node: ast.ImportFrom) -> None:
    name, package = "." * node.level + (node.module or ""), lowering.scope.module.get("__package__")
    module = _imported(lowering, node, name, package if isinstance(package, str) else None)
    for alias in node.names:
        if not hasattr(module, alias.name):  # a module of the package that nothing has imported yet
            _imported(lowering, node, f"{module.__name__}.{alias.name}", None)
        found = from_python(lowering, Capture(alias.name, module, alias.name), getattr(module, alias.name))
        names.store(lowering, alias.asname or alias.name, found)


def _imported(lowering: Lowering, node: ast.stmt, name: str, package: str | None) -> ModuleType:
    try:
        return importlib.import_module(name, package)
    except (ImportError, TypeError) as fault:  # a relative name outside a package is a TypeError
        lowering.refuse(node, str(fault), "Import it at the top of the module.", UnboundError)
