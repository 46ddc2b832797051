"""The body of a Python function, lowered at a builder's cursor: how every derivative rule is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType

from srcgrad.frontend import handlers
from srcgrad.frontend.calls.functions import bind, enter, python_defaults, run_body
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar, cast
from srcgrad.frontend.scope import outermost
from srcgrad.frontend.syntax import source
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, Static, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand
from srcgrad.ir.types import Array, DType, Scalar

assert handlers  # imported to fill the tables of handlers


def inline(builder: Builder, rule: Callable[..., object], operands: Sequence[Operand]) -> tuple[Operand, ...]:
    """Lower ``rule(*operands)`` and return the items of its result, flattened.

    Floating operands are strong in promotion, so that a rule's literals take their dtype; integers and
    booleans adapt. A result that is only a literal takes the dtype of the last floating operand (in a
    derivative rule the value of the primitive itself).
    """
    results = inline_rule(builder, rule, operands)
    return tuple(x for x in results if x is not None)


def inline_rule(
    builder: Builder, rule: Callable[..., object], operands: Sequence[Operand | None]
) -> list[Operand | None]:
    """The same for rules that take and give None for what has no derivative."""
    assert isinstance(rule, FunctionType)
    result = body_of(builder, rule, [operand_value(x) for x in operands], {})
    scalars = [x.type.dtype for x in operands if x is not None and isinstance(x.type, Scalar)]
    floating = [dtype for dtype in scalars if dtype.differentiable]
    return flat(builder, result, floating[-1] if floating else None)


def body_of(
    builder: Builder, function: FunctionType, arguments: Sequence[FrontValue], keywords: Mapping[str, FrontValue]
) -> FrontValue:
    """What a function of our own makes of these values, at the cursor; it reads nothing but them."""
    found = source.find(function)
    lowering = Lowering(builder, outermost(function, found.file))
    before = builder.location
    defaults = python_defaults(lowering, function, found.node.args)
    bound = bind(lowering, found.node, arguments, keywords, defaults)
    enter(lowering, found.node, lowering.scope)
    result = settle(lowering, run_body(lowering, found.node, lowering.scope, bound))
    assert not lowering.hidden, f"{function} reads a global array"
    builder.location = before
    return result


def operand_value(operand: Operand | None) -> FrontValue:
    """An operand as a parameter of a rule."""
    if operand is None:
        return Static(None)
    if isinstance(operand.type, Array):
        assert not isinstance(operand, Const)
        return ArrayValue(operand)
    assert isinstance(operand.type, Scalar)
    if operand.type.dtype.differentiable:
        return ScalarValue(operand, weak=False)
    return Static(operand.value) if isinstance(operand, Const) else ScalarValue(operand, weak=True)


def flat(builder: Builder, value: FrontValue, floating: DType | None) -> list[Operand | None]:
    """The operands of a result; a weak number as ``floating``."""
    if isinstance(value, TupleValue):
        return [x for item in value.items for x in flat(builder, item, floating)]
    if isinstance(value, ArrayValue):
        return [value.ref]
    if isinstance(value, Static) and value.value is None:
        return [None]
    assert isinstance(value, ScalarValue | Static), f"a rule returned {value}"
    scalar = as_scalar(value)
    if scalar.weak and scalar.dtype.kind != "b" and floating is not None:
        return [cast(builder, scalar.operand, floating)]
    return [scalar.operand]
