"""Arguments of handlers, matched to parameters as Python does, and arguments that must be known at compile time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from srcgrad.errors import ArgumentTypeError, Error
from srcgrad.frontend.boundary.known import ValueNeededError
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, Static, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, Value
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives.table import Effect, effect


def bound(
    lowering: Lowering,
    name: str,
    arguments: Sequence[FrontValue],
    keywords: Mapping[str, FrontValue],
    *required: str,
    **optional: FrontValue,
) -> list[FrontValue]:
    """The value of each parameter, in order; ``optional`` gives those with defaults."""
    parameters = [*required, *optional]
    if len(arguments) > len(parameters):
        message = f"{name}() takes {len(parameters)} arguments here, got {len(arguments)}"
        lowering.refuse(None, message, f"It takes {', '.join(parameters)}.", ArgumentTypeError)
    values = {**optional, **dict(zip(parameters, arguments, strict=False))}
    for key, value in keywords.items():
        if key not in parameters:
            lowering.refuse(None, f"{name}() does not take {key!r} here", f"It takes {', '.join(parameters)}.")
        if key in parameters[: len(arguments)]:
            lowering.refuse(None, f"{name}() got two values for {key!r}", "Give it once.", ArgumentTypeError)
        values[key] = value
    for parameter in required:
        if parameter not in values:
            hint = f"It takes {', '.join(parameters)}."
            lowering.refuse(None, f"{name}() misses the argument {parameter!r}", hint, ArgumentTypeError)
    return [values[p] for p in parameters]


def require_known(lowering: Lowering, value: FrontValue) -> None:
    """Ask for another compilation, in which arguments are known, where that settles ``value``."""
    if isinstance(value, ScalarValue) and value.dtype.kind in "biu":
        argument = _first_argument(lowering.builder, value.operand)
    else:
        argument = value.ref if isinstance(value, ArrayValue) and lowering.builder.is_argument(value.ref) else None
    if argument is None:
        return
    what = argument.name or "an argument"
    if isinstance(argument.type, Array):
        what = f"which extents of {what} are 1"
    error = lowering.error(None, f"{what} must be known at compile time here", "Write literals.", ValueNeededError)
    assert isinstance(error, ValueNeededError)
    error.value = argument
    raise error


def decided_by_integers(lowering: Lowering, truth: Operand, refused: Error) -> Error:
    """The error of a branch that is refused: where integers given by the caller decide it, that they be known."""
    found = _arguments(lowering.builder, truth)
    if not found or any(not isinstance(v.type, Scalar) or v.type.dtype.kind not in "biu" for v in found):
        return refused
    error = lowering.error(None, refused.message, refused.hint, ValueNeededError)
    assert isinstance(error, ValueNeededError)
    error.value = found[0]
    return error


def _first_argument(builder: Builder, operand: Operand) -> Value | None:
    """An argument that a number was computed from; None if it was not computed from arguments and constants alone."""
    return next(iter(_arguments(builder, operand)), None)


def _arguments(builder: Builder, operand: Operand) -> list[Value]:
    """The arguments that a number was computed from; none if it was not computed from these and constants alone."""
    if isinstance(operand, Const) or builder.is_argument(operand):
        return [] if isinstance(operand, Const) else [operand]
    op = builder.definition(operand)
    if (
        op is None
        or effect(op.primitive) is not Effect.PURE
        or not all(isinstance(x.type, Scalar) for x in op.operands)
    ):
        return []
    found = [_arguments(builder, x) for x in op.operands if not isinstance(x, Const)]
    return [v for values in found for v in values] if all(found) else []


def static_int(lowering: Lowering, value: FrontValue) -> int:
    """An integer that must be known at compile time, such as an axis."""
    if isinstance(value, Static) and isinstance(value.value, int):
        return int(value.value)
    if isinstance(value, ScalarValue) and isinstance(value.operand, Const) and value.dtype.kind in "iu":
        return int(value.operand.value)  # type: ignore[arg-type]  # an integer of NumPy's
    require_known(lowering, value)
    lowering.refuse(
        None, "an axis must be an integer known at compile time", "Write it as a literal.", ArgumentTypeError
    )


def static_ints(lowering: Lowering, value: FrontValue) -> list[int]:
    """One such integer, or a tuple of them."""
    items = value.items if isinstance(value, TupleValue) else (value,)
    if isinstance(value, Static) and isinstance(value.value, tuple):
        items = tuple(Static(v) for v in value.value)
    return [static_int(lowering, v) for v in items]


def static_bool(lowering: Lowering, value: FrontValue, name: str) -> bool:
    """A flag that must be known at compile time, such as ``keepdims``."""
    if isinstance(value, Static) and isinstance(value.value, bool | int):
        return bool(value.value)
    require_known(lowering, value)
    message = f"{name} must be True or False, known at compile time"
    lowering.refuse(None, message, "Write it as a literal.", ArgumentTypeError)
