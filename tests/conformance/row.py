"""What a row of the table of functions is, and the list of all rows.

To add a function, write a row into the file of its topic::

    row("np.trapezoid", "(y, x, dx, axis)", [
        case("np.trapezoid(x)", [numbers(5)], [numbers(1)]),
        case("np.trapezoid(x, y, axis=0)", [numbers(3, 4), numbers(3)]),
    ])

A case is an expression in ``x``, ``y``, ``z`` (and ``np``, ``math``, ``special`` for scipy.special, ``linalg`` for
scipy.linalg) and the points that it is evaluated at. The points of a case should have the same types: the case is
then compiled once. Each is compared with NumPy in value, dtype and shape, and each floating argument is
differentiated, forward, in reverse and twice. ``grid.py`` makes the cases of common kinds of functions, with their
shapes, dtypes, axes and layouts. A new file of rows is named in ``table.py``. Then ``python
tests/conformance/table.py topic`` runs the rows of that file and rewrites their lines in docs/numpy_support.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RNG = np.random.default_rng(5)
START = RNG.bit_generator.state


@dataclass(frozen=True)
class Case:
    """An expression and the points to evaluate it at: the arguments ``x``, ``y``, ``z``."""

    expression: str
    points: tuple[tuple[Any, ...], ...]
    rtol: float  # of values, relative to their size; derivatives are compared with differences


@dataclass(frozen=True)
class Row:
    topic: str
    name: str
    signature: str
    cases: tuple[Case, ...]
    note: str


ROWS: list[Row] = []


def case(expression: str, *points: Sequence[Any], rtol: float = 1e-13) -> Case:
    return Case(expression, tuple(map(tuple, points)), rtol)


def row(name: str, signature: str, cases: Sequence[Case], note: str = "") -> None:
    """Add a row; its topic is the module that it stands in."""
    assert all(other.name != name for other in ROWS), f"two rows for {name}"
    ROWS.append(Row(topic_of_caller(), name, signature, tuple(cases), note))
    RNG.bit_generator.state = START  # each row draws the same numbers, whatever rows come before it


def topic_of_caller() -> str:
    """The name of the module that is adding a row."""
    frame = sys._getframe(1)
    while frame.f_globals["__name__"] in (__name__, "conformance.grid"):
        assert frame.f_back is not None
        frame = frame.f_back
    return str(frame.f_globals["__name__"]).rpartition(".")[2]


def numbers(*shape: int, dtype: type = np.float64) -> Any:
    """Random numbers around 0; without a shape, one Python float (or one scalar of another dtype)."""
    return between(-1.7, 1.7, *shape, dtype=dtype)


def complexes(*shape: int, dtype: type = np.complex128) -> Any:
    """Random complex numbers around 0; without a shape, one Python number (or one scalar of another dtype)."""
    drawn = RNG.uniform(-1.7, 1.7, shape) + 1j * RNG.uniform(-1.7, 1.7, shape)
    if shape:
        return drawn.astype(dtype)
    return complex(drawn) if dtype is np.complex128 else dtype(drawn)


def between(low: float, high: float, *shape: int, dtype: type = np.float64) -> Any:
    """Random numbers in an interval."""
    drawn = RNG.uniform(low, high, shape)
    if shape:
        return drawn.astype(dtype)
    return float(drawn) if dtype is np.float64 else dtype(drawn)


def integers(low: int, high: int, *shape: int, dtype: type = np.int64) -> Any:
    """Random integers, ``high`` not included."""
    drawn = RNG.integers(low, high, shape or None)
    return drawn.astype(dtype) if shape else int(drawn)


def strided(a: Any) -> Any:
    """The same numbers in every second place of a larger array, along each axis."""
    spread = np.zeros([2 * n for n in a.shape], a.dtype)
    spread[(slice(None, None, 2),) * a.ndim] = a
    return spread[(slice(None, None, 2),) * a.ndim]


def backwards(a: Any) -> Any:
    """The same numbers, with negative strides."""
    flipped = a[(slice(None, None, -1),) * a.ndim].copy()
    return flipped[(slice(None, None, -1),) * a.ndim]


def fortran(a: Any) -> Any:
    return np.asfortranarray(a)


def readonly(a: Any) -> Any:
    fixed = a.copy()
    fixed.setflags(write=False)
    return fixed
