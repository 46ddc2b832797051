"""Arguments whose values a program is compiled for: an axis, extents that are 1 or small, matrices that are large.

A structure says of what types arguments are. In that of a call some of its leaves are replaced by their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.boundary.pytree import children_of
from srcgrad.frontend.boundary.structure import Leaf, Static, Structure, Tree
from srcgrad.ir.core import Value
from srcgrad.ir.messages import TOO_LARGE, UNEQUAL, UNFIT
from srcgrad.ir.types import Array

SMALL = 4  # columns of a table: with two, the columns behind the first are one
Path = tuple[int, ...]  # the number of the argument, of its child, of that one's child ...


class ValueNeededError(ArgumentTypeError):
    """A number has to be known at compile time, or which extents of an array are 1.

    ``value`` is what is not known; where that is an argument of the whole function, ``leaf`` says which of the leaves
    of the arguments it is. Then the function can be compiled for the values of a call.
    """

    value: Value
    leaf: int | None = None


def of_unequal_extents(message: object = None, *_: object) -> bool:
    """Whether an exception with these arguments says that extents differ, which they may if one of them is 1."""
    return str(message).startswith((UNEQUAL, UNFIT))


def of_large_products(message: object = None, *_: object) -> bool:
    """Whether an exception with these arguments says that products were taken to be small, and are not."""
    return str(message).startswith(TOO_LARGE.partition("{")[0])


def leaf_paths(structures: Sequence[Structure]) -> list[Path]:
    """Where the leaves are, in flattening order."""
    return [path for k, structure in enumerate(structures) for path in _paths(structure, (k,))]


def _paths(structure: Structure, here: Path) -> Iterator[Path]:
    if isinstance(structure, Tree):
        for k, child in enumerate(structure.children):
            yield from _paths(child, (*here, k))
    elif not isinstance(structure, Static):
        yield here


def array_paths(structures: Sequence[Structure]) -> list[Path]:
    """Where the arrays are."""
    return [path for path in leaf_paths(structures) if isinstance(_at(structures, path).type, Array)]


def table_paths(structures: Sequence[Structure]) -> list[Path]:
    """Where the arrays of several axes are."""
    return [path for path in array_paths(structures) if getattr(_at(structures, path).type, "rank", 0) > 1]


def _at(structures: Sequence[Structure], path: Path) -> Leaf:
    structure = structures[path[0]]
    for k in path[1:]:
        assert isinstance(structure, Tree)
        structure = structure.children[k]
    assert isinstance(structure, Leaf)
    return structure


def exactly(structures: Sequence[Structure], leaves: Sequence[object]) -> tuple[Structure, ...]:
    """The structures in which the small extents of all arrays are known; ``leaves`` are the arguments'."""
    known = tuple(structures)
    for path, leaf in zip(leaf_paths(structures), leaves, strict=False):  # hidden arrays come after them
        if isinstance(leaf, np.ndarray) and not _at(structures, path).exact:
            known = fixed(known, path, _small(leaf))
    return known


def _small(array: np.ndarray) -> tuple[int, ...]:
    """The extents that a program may be made for; 0 for those that differ from call to call."""
    return tuple([n if n <= SMALL else 0 for n in array.shape])


def value_at(arguments: Sequence[object], path: Path) -> object:
    """What a program is compiled for: a number, or of an array the small extents."""
    value = arguments[path[0]]
    for k in path[1:]:
        value = value[k] if isinstance(value, tuple | list) else children_of(value)[k]
    if isinstance(value, np.ndarray):
        return _small(value)
    return bool(value) if isinstance(value, bool | np.bool_) else int(value)  # type: ignore[call-overload]  # an integer


def fixed(structures: Sequence[Structure], path: Path, value: object) -> tuple[Structure, ...]:
    """The structures in which the leaf at a path is known."""
    k, *rest = path
    changed = _fixed(structures[k], tuple(rest), value)
    return (*structures[:k], changed, *structures[k + 1 :])


def stretched(structures: Sequence[Structure]) -> tuple[Structure, ...]:
    """The structures of arguments for which an extent of 1 may meet another one while the program runs."""
    return tuple(_marked(structure, lambda leaf: replace(leaf, stretched=True)) for structure in structures)


def large(structures: Sequence[Structure]) -> tuple[Structure, ...]:
    """The structures of arguments for which matrices that are multiplied may be large."""
    return tuple(_marked(structure, lambda leaf: replace(leaf, large=True)) for structure in structures)


def _marked(structure: Structure, mark: Callable[[Leaf], Leaf]) -> Structure:
    if isinstance(structure, Tree):
        return replace(structure, children=tuple(_marked(child, mark) for child in structure.children))
    return mark(structure) if isinstance(structure, Leaf) else structure


def _fixed(structure: Structure, path: Path, value: object) -> Structure:
    if isinstance(structure, Tree):
        return replace(structure, children=fixed(structure.children, path, value))
    if isinstance(value, tuple):
        assert isinstance(structure, Leaf) and isinstance(structure.type, Array)
        ones = frozenset(axis for axis, n in enumerate(value) if n == 1)
        return replace(structure, type=replace(structure.type, ones=ones), exact=True, extents=value)
    return Static(value, value)
