"""Elements whose index the library knows to be in range: read without a check."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_index
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static

T = TypeVar("T", bound=np.generic)


def element(v: NDArray[T], i: int | np.integer) -> T:
    """``v[i]`` for an index in ``0 .. len(v) - 1``. In library code only: nothing checks it."""
    found: T = v[i]
    return found


@function(element)
def _element(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    vector, i = arguments
    assert isinstance(vector, ArrayValue) and vector.rank == 1 and not keywords
    assert isinstance(i, ScalarValue | Static)
    return ScalarValue(lowering.builder("load", vector.ref, as_index(lowering.builder, i)))


def looking_into(elements: NDArray[T], original: NDArray[T]) -> NDArray[T]:
    """In library code: elements picked one by one, of which NumPy makes a view of ``original``."""
    return elements


@function(looking_into)
def _looking_into(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    elements, original = arguments
    if not isinstance(elements, Delayed) or not isinstance(original, ArrayValue):
        return elements
    return replace(elements, view_of=original.ref)
