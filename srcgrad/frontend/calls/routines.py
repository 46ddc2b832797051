"""Calls of routines in library code: a decorated function stands for the routine whose plain form it is."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

from srcgrad.frontend.arrays.delayed import materialized
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static
from srcgrad.ir.core import Operand
from srcgrad.primitives.routines import Routine, add_routine

F = TypeVar("F", bound=Callable[..., object])


def routine(
    *,
    reads: int,
    fills: int,
    compiled: str,
    aids: int = 0,
    jvp: Callable[..., object] | None = None,
    vjp: Callable[..., object] | None = None,
    storing: str = "",
    vjp_into: Callable[..., object] | None = None,
    helpers: tuple[str, ...] = (),
    jvp_into: Callable[..., object] | None = None,
    by_columns: bool = False,
    product: bool = False,
) -> Callable[[F], F]:
    """Let the decorated function, the form for plain Python, be a routine; ``compiled`` is the text for Numba.

    One that adds names the one that stores.
    """

    def add(plain: F) -> F:
        assert isinstance(plain, FunctionType)
        row = Routine(
            plain.__name__,
            reads,
            fills,
            aids,
            plain,
            compiled,
            jvp,
            vjp,
            adding=bool(storing),
            storing=storing,
            vjp_into=vjp_into,
            helpers=helpers,
            jvp_into=jvp_into,
            by_columns=by_columns,
            product=product,
        )
        add_routine(row)
        FUNCTIONS[plain] = lambda lowering, arguments, keywords: _call(lowering, row, arguments, keywords)
        return plain

    return add


def _call(lowering: Lowering, row: Routine, arguments: Arguments, keywords: Keywords) -> FrontValue:
    assert len(arguments) == row.reads + row.fills and not keywords
    operands = [_operand(lowering, a) for a in arguments]
    lowering.builder.emit("call", *operands, callee=row.name, types=())
    return Static(None)


def _operand(lowering: Lowering, value: FrontValue) -> Operand:
    if isinstance(value, ArrayValue | Delayed):
        return materialized(lowering.builder, value).ref
    assert isinstance(value, ScalarValue | Static)
    return as_scalar(value).operand
