"""A measured figure, its target, and the table of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """``at_most`` is the target that a figure is held to; None for a figure given for comparison."""

    what: str
    value: float
    unit: str
    at_most: float | None = None

    @property
    def met(self) -> bool:
        return self.at_most is None or self.value <= self.at_most

    def __str__(self) -> str:
        text = f"  {self.what:<58}{self.value:>12.4g} {self.unit:<4}"
        if self.at_most is None:
            return text.rstrip()
        return f"{text} at most {self.at_most:g}{'' if self.met else '   MISSED'}"


def print_table(title: str, figures: Sequence[Figure]) -> None:
    print(title)
    for figure in figures:
        print(figure)
    print()
