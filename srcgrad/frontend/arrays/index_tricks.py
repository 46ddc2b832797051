"""Objects of NumPy that are indexed to make arrays: ``np.r_``, ``np.c_``, ``np.mgrid``, ``np.ogrid``, ``np.s_``."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import numpy as np

from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.joining import at_least, joined, with_axis
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import FrontValue, SliceValue, Static, TupleValue

Key = tuple[FrontValue, ...]


def run(lowering: Lowering, part: SliceValue) -> FrontValue:
    """``start:stop:step`` as a vector; a step of ``5j`` says how many numbers there are, the last one included."""
    start = Static(0) if _is_none(part.start) else part.start
    step = Static(1) if _is_none(part.step) else part.step
    if isinstance(step, Static) and isinstance(step.value, complex):
        return call_object(lowering, np.linspace, [start, part.stop, Static(int(abs(step.value)))], {})
    return call_object(lowering, np.arange, [start, part.stop, step], {})


def _is_none(value: FrontValue) -> bool:
    return isinstance(value, Static) and value.value is None


def _vectors(lowering: Lowering, key: Key) -> list[FrontValue]:
    for part in key:
        if not isinstance(part, SliceValue):
            lowering.refuse(None, "a grid of other than slices", "Write np.mgrid[0:n, 0:m].")
    return [run(lowering, part) for part in key if isinstance(part, SliceValue)]


def _whole_grid(lowering: Lowering, key: Key) -> FrontValue:
    vectors = _vectors(lowering, key)
    if len(vectors) == 1:
        return vectors[0]
    meshes = call_object(lowering, np.meshgrid, vectors, {"indexing": Static("ij")})
    return call_object(lowering, np.stack, [meshes], {})


def _open_grid(lowering: Lowering, key: Key) -> FrontValue:
    vectors = _vectors(lowering, key)
    if len(vectors) == 1:
        return vectors[0]
    return call_object(lowering, np.meshgrid, vectors, {"indexing": Static("ij"), "sparse": Static(True)})


def _row(lowering: Lowering, key: Key) -> FrontValue:
    return joined(lowering.builder, [at_least(lowering.builder, p, 1) for p in _parts(lowering, key)], 0)


def _columns(lowering: Lowering, key: Key) -> FrontValue:
    builder = lowering.builder
    parts = [at_least(builder, p, 1) for p in _parts(lowering, key)]
    columns = [with_axis(builder, p, 1) if p.rank == 1 else p for p in parts]
    return joined(builder, columns, columns[0].rank - 1)


def _parts(lowering: Lowering, key: Key) -> list[FrontValue]:
    """Slices as vectors, numbers and lists as arrays."""
    if any(isinstance(p, Static) and isinstance(p.value, str) for p in key):
        lowering.refuse(None, "np.r_ or np.c_ with a directive", "Use np.concatenate or np.stack with an axis.")
    return [run(lowering, p) if isinstance(p, SliceValue) else as_array(lowering.builder, p) for p in key]


def _key_itself(lowering: Lowering, key: Key) -> FrontValue:
    return key[0] if len(key) == 1 else TupleValue(key)


RULES: dict[object, Callable[[Lowering, Key], FrontValue]] = {
    np.mgrid: _whole_grid,
    np.ogrid: _open_grid,
    np.r_: _row,
    np.c_: _columns,
    np.s_: _key_itself,
}


@function(*dict.fromkeys(attrgetter("__getitem__")(type(maker)) for maker in RULES))
def _indexed(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    maker, key = arguments
    if not isinstance(maker, Static) or maker.value not in RULES:
        lowering.refuse(None, "an object of NumPy is indexed that has no rule", "Write np.mgrid, np.ogrid or np.r_.")
    return RULES[maker.value](lowering, key.items if isinstance(key, TupleValue) and key.cls is tuple else (key,))
