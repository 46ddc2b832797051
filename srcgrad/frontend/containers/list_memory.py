"""In library code: what happens to the numbers of a list that is held in memory.

The functions are written in ``library/lists.py``; methods of lists call them under these names.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating]


def first_place(values: Numbers, x: float) -> int:
    """The index of the first item equal to ``x``; ValueError where there is none."""
    raise AssertionError("lowered through the library")


def how_many(values: Numbers, x: float) -> int:
    """How many items are equal to ``x``."""
    raise AssertionError("lowered through the library")


def move_last(memory: Numbers, place: int, length: int) -> None:
    """Put the last of ``length`` items at ``place``, and those from there on one further."""
    raise AssertionError("lowered through the library")


def close_gap(memory: Numbers, place: int, length: int) -> None:
    """Put the items behind ``place`` one place nearer."""
    raise AssertionError("lowered through the library")


def reverse_first(memory: Numbers, length: int) -> None:
    """Put the first ``length`` items in the opposite order."""
    raise AssertionError("lowered through the library")


def sort_first(memory: Numbers, length: int, reverse: bool) -> None:
    """Sort the first ``length`` items."""
    raise AssertionError("lowered through the library")
