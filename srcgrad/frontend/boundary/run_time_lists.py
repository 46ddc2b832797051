"""Results that are lists of a length known at run time only: inside a program their items are columns of arrays.

>>> from srcgrad.ir.types import F64, Array
>>> pairs = Tree(tuple, (), (Leaf(Array(F64, 1)), Static(None, None)))
>>> listed(Tree(RunTimeList, (), (pairs,)), (np.array([1.0, 2.0]),))
[(1.0, None), (2.0, None)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.boundary.pytree import NATIVE, build_container, parts_of
from srcgrad.frontend.boundary.structure import Leaf, RunTimeList, Static, Structure, Tree
from srcgrad.ir.types import dtype_of


def listed(structure: Tree, columns: Sequence[np.ndarray]) -> RunTimeList:
    """The list of this structure whose items are in these columns."""
    (item,) = structure.children
    whole = RunTimeList(_items(columns[0]) if columns else ())
    if isinstance(item, Tree) and item.cls is RunTimeList:
        whole[:] = columns[0].tolist()
    elif isinstance(item, Tree):
        remaining = iter(columns)
        parts = [_items(next(remaining)) if isinstance(c, Leaf) else None for c in item.children]
        fixed = [c.value if isinstance(c, Static) else None for c in item.children]
        whole[:] = (
            build_container(item.cls, item.keys, [f if p is None else p[k] for p, f in zip(parts, fixed, strict=True)])
            for k in range(len(whole))
        )
    whole.columns = tuple(columns)
    return whole


def _items(column: np.ndarray) -> list[object]:
    native = column.ndim == 1 and dtype_of(column.dtype) in NATIVE
    return column.tolist() if native else list(column)


def columns_of(primal: RunTimeList, direction: object, where: str) -> Iterator[object]:
    """The columns of a tangent or cotangent of such a list, None for zeros."""
    if direction is None:
        yield from (None for _ in primal.columns)
        return
    hint = "Give it the same structure; None stands for zeros, and for what is not floating point."
    if not isinstance(direction, Sequence | np.ndarray) or len(direction) != len(primal):
        message = f"{where} should be a list of {len(primal)}, as what it belongs to."
        raise ArgumentTypeError(message, hint=hint)
    for k, column in enumerate(primal.columns):
        nested = len(primal.columns) == 1 and column.ndim > 1
        parts = [
            item if nested and isinstance(item, list) else _part(item, k, len(primal.columns), f"{where}[{n}]")
            for n, item in enumerate(direction)
        ]
        given = [np.zeros_like(zero) if part is None else part for part, zero in zip(parts, column, strict=True)]
        yield None if all(part is None for part in parts) else np.array(given)


def _part(item: object, k: int, count: int, where: str) -> object:
    """Of an item what is in a column."""
    container = None if isinstance(item, np.ndarray) or item is None else parts_of(item)
    if container is None:
        return item
    if len(container[1]) != count:
        raise ArgumentTypeError(f"{where} should have {count} parts, as what it belongs to.", hint="Give it as many.")
    return container[1][k]


def has_run_time_lists(structure: Structure) -> bool:
    if isinstance(structure, Leaf) or not isinstance(structure, Tree):
        return False
    return structure.cls is RunTimeList or any(map(has_run_time_lists, structure.children))
