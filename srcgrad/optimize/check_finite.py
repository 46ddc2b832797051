"""The first NaN or infinity raises, with the line that made it (``check_nan=True``).

Behind every floating scalar stands a check::

    y: f64 = log(x)                   y: f64 = log(x)
                                      fine: bool = isfinite(y)
                                      check(fine, y, exception='FloatingPointError', message=...)
"""

from __future__ import annotations

from srcgrad.ir.core import Function, Op, Operand
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import Scalar
from srcgrad.primitives.table import Effect, effect, new_builder


def check_finite(function: Function) -> Function:
    """The same program, which raises FloatingPointError where a NaN or infinity first appears."""
    return rewrite(function, _checked)


def _checked(op: Op) -> Replacement | None:
    if effect(op.primitive) not in (Effect.PURE, Effect.READ) or not all(map(_is_floating, op.results)):
        return None
    builder = new_builder()
    builder.open()
    builder.location = op.location
    builder.ops.append(op)
    for result in op.results:
        what = result.name or op.primitive
        fine = builder("isfinite", result)
        builder.emit("check", fine, result, exception="FloatingPointError", message=f"{what} is {{0}}")
    return builder.close().ops, {}


def _is_floating(operand: Operand) -> bool:
    return isinstance(operand.type, Scalar) and operand.type.dtype.differentiable
