"""``stop_gradient``: a value as it is, but constant to every derivative."""

from __future__ import annotations

from srcgrad.annotations.custom import stop_gradient
from srcgrad.frontend.arrays.delayed import expression
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import FrontValue, ScalarValue, TupleValue, is_array


@function(stop_gradient, least=1, most=1)
def _stop_gradient(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _stopped(lowering, arguments[0])


def _stopped(lowering: Lowering, value: FrontValue) -> FrontValue:
    if isinstance(value, TupleValue):
        items = tuple(_stopped(lowering, item) for item in value.items)
        return TupleValue(items, value.cls, value.keys, lowering.builder.ops)
    if isinstance(value, ScalarValue):
        return scalars.apply(lowering.builder, "stop", [value], weak=value.weak)
    if is_array(value):
        return expression(lowering.builder, [value], lambda builder, x: scalars.apply(builder, "stop", [x]))
    return value
