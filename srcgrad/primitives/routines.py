"""Routines: calls into libraries of compiled code, on whole arrays.

A ``call`` op names a routine as it names a callee. Its array operands are first those that the routine reads, then
those it fills; it has no results. A row gives the routine's two texts, one for Numba and one for plain Python,
and its derivative, as functions in srcgrad's own language::

    @routine(reads=2, fills=1, jvp=..., vjp=...)
    def solve_into(a, b, x):
        x[...] = np.linalg.solve(a, b)

``vjp(*read, *filled, *cotangents of filled)`` gives the cotangents of what is read, and ``jvp(*read, *filled,
*tangents of read)`` the tangents of what is filled; in both, what has none is None. Arrays of integers have neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, eq=False)
class Routine:
    name: str
    reads: int
    fills: int
    plain: FunctionType  # as plain Python runs it; its text is pasted into generated modules
    compiled: str  # the text for Numba, "" where it is the same
    jvp: Callable[..., object]
    vjp: Callable[..., object]

    @property
    def written(self) -> frozenset[int]:
        """The positions of the operands that are filled."""
        return frozenset(range(self.reads, self.reads + self.fills))


# By name, as in the `callee` of a call; and the Python function that stands for the routine in library code.
ROUTINES: dict[str, Routine] = {}
FUNCTIONS: dict[object, Routine] = {}


def routine(
    *, reads: int, fills: int, jvp: Callable[..., object], vjp: Callable[..., object], compiled: str = ""
) -> Callable[[F], F]:
    """Make the decorated function, the plain form, stand for a routine of its name."""

    def add(plain: F) -> F:
        assert isinstance(plain, FunctionType) and plain.__name__ not in ROUTINES
        row = Routine(plain.__name__, reads, fills, plain, compiled, jvp, vjp)
        ROUTINES[row.name] = FUNCTIONS[plain] = row
        return plain

    return add


def written_by_routines() -> Mapping[str, frozenset[int]]:
    """For each routine the positions of the operands it fills."""
    return {name: row.written for name, row in ROUTINES.items()}
