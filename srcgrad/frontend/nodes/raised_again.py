"""Exceptions that are raised again, by a handler or behind a `finally`: a number at run time says which one it is.

::

    try:                              passing = 0 if z != 0.0 else 1        # 1: ZeroDivisionError
        y = x / z             ->      n = n + 1
    finally:                          check(passing != 1, exception="ZeroDivisionError")
        n = n + 1
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.messages import exception_named, name_of
from srcgrad.frontend.nodes.operators import number
from srcgrad.frontend.values import FrontValue, ScalarValue, Static
from srcgrad.ir.core import Op, Operand, index, truth


@dataclass(frozen=True)
class Raised:
    """An exception that may be raised again; without its message where there are numbers in that."""

    cls: type
    message: str = ""


def raised_by(op: Op) -> Raised:
    """The exception of a check."""
    if op.primitive == "check_index":
        return Raised(IndexError)
    return Raised(exception_named(op.text("exception")), op.text("message") if len(op.operands) == 1 else "")


def one_each(found: Sequence[Raised]) -> list[Raised]:
    """One of each class, those in front that others are bases of: the first that fits is the class itself."""
    by_class = {raised.cls: raised for raised in reversed(found)}
    return sorted(by_class.values(), key=lambda raised: -len(raised.cls.__mro__))


def remember(lowering: Lowering, name: str, value: FrontValue, several: Sequence[Raised]) -> None:
    """Bind the variable that says which of several exceptions, counted from 1, is to be raised again."""
    names.store(lowering, name, value)
    lowering.passing[lowering.scope, name] = tuple(several)


def is_again(lowering: Lowering, node: ast.Raise) -> bool:
    return isinstance(node.exc, ast.Name) and (lowering.scope, node.exc.id) in lowering.passing


def raise_again(lowering: Lowering, node: ast.Raise) -> None:
    """Raise the exception that the variable stands for."""
    assert isinstance(node.exc, ast.Name)
    several = lowering.passing[lowering.scope, node.exc.id]
    which = number(lowering, names.load(lowering, node.exc.id))
    if isinstance(which, Static):
        assert isinstance(which.value, int)
        several = several[which.value - 1 : which.value]
    for k, raised in enumerate(several[:-1], 1):
        assert isinstance(which, ScalarValue)
        _raise(lowering, lowering.builder("ne", which.operand, index(k)), raised)
    _raise(lowering, truth(False), several[-1])
    lowering.dead = True


def _raise(lowering: Lowering, unless: Operand, raised: Raised) -> None:
    lowering.builder.emit("check", unless, exception=name_of(raised.cls), message=raised.message)
