"""Where a handler would catch them: the exceptions of functions of `math`, which elsewhere give NaN or infinity."""

from __future__ import annotations

import math
from collections.abc import Sequence

from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import number
from srcgrad.frontend.numbers.promotion import converted
from srcgrad.frontend.values import FrontValue, ScalarValue, is_number
from srcgrad.ir.core import Operand, constant, truth
from srcgrad.ir.types import F64

# Functions that are infinite where they are too large; the others are at a pole.
OVERFLOWING = {math.exp, math.expm1, math.cosh, math.sinh, math.pow, math.hypot, math.degrees, math.gamma, math.lgamma}
OVERFLOWING |= {getattr(math, "exp2", math.exp)}  # of Python 3.11


def checked(lowering: Lowering, function: object, arguments: Sequence[FrontValue], result: FrontValue) -> FrontValue:
    """What a function of numbers gives, checked if an exception that it may raise in Python is caught."""
    if getattr(function, "__module__", "") != "math" or not all(map(is_number, arguments)):
        return result
    if not lowering.caught or not isinstance(result, ScalarValue) or result.dtype != F64:
        return result
    builder = lowering.builder
    given = [converted(builder, number(lowering, a), F64) for a in arguments]
    outside, infinite = builder("isnan", result.operand), builder("isinf", result.operand)
    for x in given:
        outside = builder("and_", outside, builder("not_", builder("isnan", x)))
        infinite = builder("and_", infinite, builder("isfinite", x))
    too_large: Operand = infinite if function in OVERFLOWING else truth(False)
    if function in (math.gamma, math.lgamma):
        too_large = builder("and_", infinite, builder("gt", given[0], constant(0.0, F64)))
    at_pole = builder("and_", infinite, builder("not_", too_large))
    fails = (
        _check(lowering, builder("or_", outside, at_pole), ValueError, "math domain error"),
        _check(lowering, too_large, OverflowError, "math range error"),
    )
    # What is computed with it does not count, but must not make NaN of a cotangent that is zero.
    value = builder("select", builder("or_", *fails), constant(0.0, F64), result.operand)
    return ScalarValue(value, result.weak)


def _check(lowering: Lowering, fails: Operand, exception: type[Exception], message: str) -> Operand:
    """Whether the exception is raised and caught."""
    if not issubclass(exception, lowering.caught):
        return truth(False)
    holds = lowering.builder("not_", fails)
    lowering.builder.emit("check", holds, exception=exception.__name__, message=message)
    return fails
