"""What a compilation leaves behind: generated text, and all that is needed to call it. No IR."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.api.sizes import Size
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
    sizes
        Of matrices that are taken to be small.
    """

    generated: Generated
    result: Structure
    hidden: tuple[Capture, ...]
    captured: tuple[Captured, ...]
    names: tuple[str, ...]
    written: frozenset[int]
    reads: frozenset[int]
    files: frozenset[str]
    sizes: tuple[Size, ...] = ()
