"""Routines: calls into libraries of compiled code, on whole arrays.

A ``call`` op names a routine as it names a callee. Its operands are first those that the routine reads, then the
arrays it fills; it has no results. A row gives the routine's two texts, one for Numba and one for plain Python, and its
derivative, as functions in srcgrad's own language. ``vjp(*read, *filled, *cotangents of filled)`` gives a cotangent for
each operand that is read, and ``jvp(*read, *filled, *tangents of read)`` a tangent for each that is filled; what has
none is None, also among what they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType


@dataclass(frozen=True, eq=False)
class Routine:
    name: str
    reads: int
    fills: int
    aids: int  # the last of those filled carry no derivative: others only save work by them
    plain: FunctionType  # as plain Python runs it; its text is pasted into generated modules
    compiled: str  # the text for Numba, "" where it is the same
    jvp: Callable[..., object] | None
    vjp: Callable[..., object] | None
    adding: bool = False  # it adds to what it fills
    storing: str = ""  # the routine that stores what this one adds
    vjp_into: Callable[..., object] | None = None  # in the place of vjp: adds to shadows, which it is given last
    helpers: tuple[str, ...] = ()  # texts of functions that the one for Numba calls
    jvp_into: Callable[..., object] | None = (
        None  # in the place of jvp: fills, or adds to, the tangents of what is filled
    )
    by_columns: bool = (
        False  # each column of what it fills is made of the same column of the last operand that it reads
    )
    product: bool = False  # it fills the third operand with the product of two matrices, or adds that to it
    lasting: bool = False  # it does something to the world outside, and is never left out

    @property
    def outs(self) -> slice:
        """Which operands are filled with what has a derivative."""
        return slice(self.reads, self.reads + self.fills - self.aids)

    def takes(self, position: int) -> bool:
        """Whether it reads an operand; what comes behind those it fills is read, too."""
        return self.adding or position not in self.written

    @property
    def written(self) -> frozenset[int]:
        """The positions of the operands that are filled."""
        return frozenset(range(self.reads, self.reads + self.fills))


# By name, as in the `callee` of a call.
ROUTINES: dict[str, Routine] = {}


def add_routine(row: Routine) -> None:
    assert row.name not in ROUTINES, f"two routines {row.name}"
    ROUTINES[row.name] = row


def written_by_routines() -> Mapping[str, frozenset[int]]:
    """For each routine the positions of the operands it fills."""
    return {name: row.written for name, row in ROUTINES.items()}


def show(before: object, after: object) -> None:
    """Print the text of the call, which is an attribute of it, with the values that come behind these operands.

    They are the memory that keeps draws and prints in order. The back end has a line of its own for such a call.
    """


SHOW = show.__name__
assert isinstance(show, FunctionType)
add_routine(Routine(SHOW, 1, 1, 1, show, "", None, None, lasting=True))
