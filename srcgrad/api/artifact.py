"""What a compilation leaves behind: generated text, and all that is needed to call it. No IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srcgrad.api.conditions import Formula, value_of
from srcgrad.backend.numba_jit import Generated
from srcgrad.frontend.boundary.places import Capture, Captured
from srcgrad.frontend.boundary.structure import Structure


@dataclass(frozen=True)
class Artifact:
    """A compiled plan of a function.

    Attributes
    ----------
    generated
        The module; its entry takes the leaves of the arguments, the hidden arrays, the leaves of directions.
    result
        The structure of what the entry returns flat.
    hidden, captured
        Where the hidden arrays are, and the constants for which the code holds.
    names, written
        The user's names of the arguments' leaves and of the hidden arrays, and the positions of those arrays
        that the function writes to; only if another array might be the same memory.
    reads
        The positions of the parameters that are used at all.
    files
        The source files the code was made of.
    conditions
        What has to hold of extents for the code to run to its end.
    sizes
        What has to hold for matrices that it takes to be small to be so.
    """

    generated: Generated
    result: Structure
    hidden: tuple[Capture, ...]
    captured: tuple[Captured, ...]
    names: tuple[str, ...]
    written: frozenset[int]
    reads: frozenset[int]
    files: frozenset[str]
    conditions: tuple[Formula, ...]
    sizes: tuple[Formula, ...]

    def fits(self, leaves: Sequence[object]) -> bool:
        """Whether the conditions hold for these leaves."""
        return all(value_of(condition, leaves) for condition in self.conditions)

    def is_for_sizes_of(self, leaves: Sequence[object]) -> bool:
        """Whether matrices are small for these leaves, as far as these tell."""
        return all(value_of(size, leaves) for size in self.sizes)
