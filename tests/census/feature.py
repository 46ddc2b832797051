"""A row of the census: a feature, how many kernels use it, and a program that needs it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

STAGES = {
    "M0": "Scalars, branches and calls",
    "M1": "Arrays by element, counted loops, allocation, procedures",
    "M2": "Several returns, casts and dtypes, slices, errors",
    "M3": "Reductions, shapes, products, while, break and continue",
    "M4": "Functions as arguments, iteration over containers, lists, None, complex numbers",
    "M5": "Linear algebra, sorting and searching, masks, recursion, special functions, comprehensions, bits",
    "M6": "Objects, Numba's own functions, starred arguments, try and with, types, sets, generators",
}


@dataclass(frozen=True)
class Feature:
    """``example`` is the construct as users write it; ``share`` counts users' kernels with it, in percent."""

    stage: str
    example: str
    share: float
    program: Callable[..., Any]
    args: tuple[Any, ...]
    tolerance: float

    def make_args(self) -> tuple[Any, ...]:
        return copy.deepcopy(self.args)


FEATURES: list[Feature] = []


def feature(
    stage: str, example: str, share: float, *args: Any, tolerance: float = 1e-7
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a program, and the arguments at which its derivatives are checked, as a row."""

    def enter(program: Callable[..., Any]) -> Callable[..., Any]:
        FEATURES.append(Feature(stage, example, share, program, args, tolerance))
        return program

    return enter
