"""Arguments of handlers, matched to parameters as Python does, and arguments that must be known at compile time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import FrontValue, Static, TupleValue


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


def static_int(lowering: Lowering, value: FrontValue) -> int:
    """An integer that must be known at compile time, such as an axis."""
    if isinstance(value, Static) and isinstance(value.value, int):
        return int(value.value)
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
    message = f"{name} must be True or False, known at compile time"
    lowering.refuse(None, message, "Write it as a literal.", ArgumentTypeError)
