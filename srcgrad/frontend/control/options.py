"""A value that is one of several functions or strings, or None: what is done with it is done in a branch for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import FrontValue, MaybeNone, OneOf, ScalarValue, Static
from srcgrad.ir.core import index


def for_each_option(lowering: Lowering, chosen: OneOf, emit: Callable[[FrontValue], FrontValue]) -> FrontValue:
    """What ``emit`` makes of the option that is the one at run time."""

    def among(first: int) -> FrontValue:
        if first == len(chosen.options) - 1:
            return emit(chosen.options[first])
        here = ScalarValue(lowering.builder("eq", chosen.tag, index(first)))
        return branch(lowering, here, lambda: emit(chosen.options[first]), lambda: among(first + 1))

    return among(0)


def with_and_without(lowering: Lowering, value: MaybeNone, emit: Callable[[FrontValue], FrontValue]) -> FrontValue:
    """What ``emit`` makes of the value, and of None where there is none."""
    return branch(lowering, ScalarValue(value.given), lambda: emit(value.some), lambda: emit(Static(None)))


def one_of_strings(values: Iterable[FrontValue]) -> OneOf | None:
    """The first of these values that is one of several strings."""
    return next((v for v in values if isinstance(v, OneOf) and v.of_strings), None)
