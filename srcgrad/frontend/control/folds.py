"""A sequence of run-time length reduced to one value: a counted loop that carries it."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.errors import UnboundError
from srcgrad.frontend.arrays.extents import clamped_at_zero
from srcgrad.frontend.control.carried import LoopVariables
from srcgrad.frontend.control.loop_ops import counted
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.names import load
from srcgrad.frontend.values import Counted, FrontValue
from srcgrad.ir.core import Const, Operand, Value, index
from srcgrad.ir.types import INDEX

ACCUMULATOR = ".total"  # no name of the user's: it is not an identifier
NAMES = frozenset([ACCUMULATOR])


def fold(
    lowering: Lowering,
    sequence: Counted,
    start: FrontValue | None,
    combine: Callable[[FrontValue, FrontValue], FrontValue],
) -> FrontValue:
    """``combine`` over the items from ``start``; from the first item where that is None."""
    scope, length = lowering.scope, sequence.length
    outer = scope.names.get(ACCUMULATOR)
    if start is None:
        length = _without_first(lowering, length)
        scope.names[ACCUMULATOR] = sequence.item(index(0))
    else:
        scope.names[ACCUMULATOR] = start
    scope.local_names |= NAMES
    first = 1 if start is None else 0

    def iteration(k: Operand) -> None:
        at = lowering.builder("add", k, index(first)) if first else k
        item = sequence.item(at)
        scope.names[ACCUMULATOR] = combine(load(lowering, ACCUMULATOR), item)

    key = (lowering.path, lowering.builder.location, id(sequence))
    runs = isinstance(length, Const) and int(length.value) > 0  # type: ignore[arg-type]  # i64
    counted(lowering, LoopVariables(NAMES, NAMES, NAMES, runs, False, key), length, Value(INDEX, "i"), iteration)
    result = load(lowering, ACCUMULATOR)
    if outer is None:
        del scope.names[ACCUMULATOR]
    else:
        scope.names[ACCUMULATOR] = outer
    return result


def _without_first(lowering: Lowering, length: Operand) -> Operand:
    """The number of further items; a sequence without items is an error."""
    builder = lowering.builder
    if isinstance(length, Const):
        if length.value == 0:
            lowering.refuse(None, "the extreme of an empty sequence", error=UnboundError)
        return index(int(length.value) - 1)  # type: ignore[arg-type]  # i64
    some = builder("gt", length, index(0))
    builder.emit("check", some, exception="ValueError", message="the sequence is empty")
    # Not negative even where the check has failed: room for what is kept may be made in front of a branch around it.
    return clamped_at_zero(builder, builder("sub", length, index(1)))
