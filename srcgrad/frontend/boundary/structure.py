"""Pytrees: how a Python argument or result is made of leaves the IR can hold.

A structure is hashable and complete: with it and the leaves, the value can be rebuilt. It is also the key
under which a specialisation is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from srcgrad.ir.types import INDEX, TRUTH, Array, Scalar

Class = type


@dataclass(frozen=True)
class Leaf:
    """A scalar or an array; ``weak`` as in NumPy's promotion (a Python scalar adapts to the other operand).

    ``exact``: no extent of the array is 1 but those of which its type says so; ``extents`` are those of its axes that
    are small, 0 for the others. ``stretched``: an extent that turns out to be 1 may meet another one in the program,
    here or elsewhere (see ``arrays.broadcasting``). ``large``: matrices may be so large that their products are better
    left to BLAS (``optimize.rows.products``). ``classes`` are those of a number that has one of several in Python; only
    inside a program.
    """

    type: Scalar | Array
    weak: bool = False
    writeable: bool = True
    exact: bool = False
    stretched: bool = False
    large: bool = False
    extents: tuple[int, ...] = ()
    classes: frozenset[Class] = frozenset()


@dataclass(frozen=True)
class Static:
    """A compile-time constant: None, a string, a function, a module, a dtype. Compared by ``key``."""

    value: object
    key: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and (type(self.key), self.key) == (type(other.key), other.key)

    def __hash__(self) -> int:
        return hash((type(self.key), self.key))


@dataclass(frozen=True)
class Tree:
    """A container; ``cls`` is what rebuilds it: tuple, list, dict, a named tuple or a dataclass."""

    cls: type
    keys: tuple[str, ...]  # of a dict, a named tuple or a dataclass; else ()
    children: tuple[Structure, ...]


class RunTimeList(list[object]):
    """A list whose length a program finds out; in a structure its child is an array, or a container of arrays."""

    columns: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class Choice:
    """One of several functions or strings; its leaf is a number that says which. It exists only inside a program."""

    options: tuple[Static, ...]
    leaf: Leaf = Leaf(INDEX)


@dataclass(frozen=True)
class Maybe:
    """None, or a value of a structure; a flag behind the value's leaves says which. Only inside a program."""

    some: Structure
    flag: Leaf = Leaf(TRUTH)


Structure = Leaf | Static | Tree | Choice | Maybe
