"""The order of random draws: an element of memory that each of them reads and writes, so that none is repeated.

The numbers come from the generator of NumPy, or of Numba, which the program cannot see. What it sees keeps the draws
where they are: whatever may not be done to a read of memory that changes may not be done to them.
"""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, FrontValue
from srcgrad.ir.core import index
from srcgrad.ir.types import I64


def order_of_draws() -> Any:
    """In library code: what a routine that draws reads first and writes last."""
    raise AssertionError("it is lowered, never called")


@function(order_of_draws)
def _order_of_draws(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if lowering.order is not None:
        return lowering.order
    error = refusal(lowering.builder.location, "random numbers are drawn here", "Draw outside.", LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = _note
    raise error


def _note(again: Lowering) -> None:
    again.draws = True


def start_order(lowering: Lowering) -> None:
    """Make the memory, in front of everything."""
    lowering.order = ArrayValue(lowering.builder("alloc", index(1), dtype=I64, fill="zeros"))
