"""Elements chosen by arrays of indices or by boolean masks: ``x[idx]``, ``x[mask] = v``, ``x[rows, :, cols]``.

A mask stands for the indices at which it is true. What is read is an array expression; what is written is
written in order, so that of repeated indices the last one counts, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.broadcasting import Shape
from srcgrad.frontend.arrays.delayed import (
    Source,
    aligned_sources,
    as_delayed,
    copy,
    materialized,
    shape_of,
)
from srcgrad.frontend.arrays.keys import view
from srcgrad.frontend.arrays.slices import checked_index
from srcgrad.frontend.arrays.stores import elements_for, store_element, unaffected, update_element
from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, ScalarValue, Static, is_array, is_number
from srcgrad.ir.build import COUNTERS, Builder
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import BOOL, I64


@dataclass(frozen=True, eq=False)
class Selection:
    """Elements of ``base``: of its axes those in ``picked`` are indexed by arrays, the rest run through.

    The indices of an element are the run of ``shape``: some plain axes, the axes that the index arrays share
    (``shared`` of them, from ``place`` on), the other plain axes.
    """

    base: ArrayValue
    picked: tuple[tuple[int, Source], ...]
    shape: Shape
    place: int
    shared: int
    reads: tuple[Value, ...]

    def position(self, builder: Builder, at: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """Where in ``base`` the element of the selection at ``at`` is."""
        common = at[self.place : self.place + self.shared]
        plain = iter((*at[: self.place], *at[self.place + self.shared :]))
        sources = dict(self.picked)
        sizes = extents.shape(builder, self.base.ref)
        return tuple(
            checked_index(builder, sources[axis](builder, common), n) if axis in sources else next(plain)
            for axis, n in enumerate(sizes)
        )


def selection(builder: Builder, array: ArrayValue, parts: Sequence[FrontValue]) -> Selection:
    """What a key with index arrays or masks selects; ``parts`` is one per axis, masks being for several."""
    unmasked = _without_masks(builder, array, parts)
    base = view(builder, array, unmasked)
    arrays = [materialized(builder, p) for p in unmasked if is_array(p)]
    for a in arrays:
        if a.dtype.kind not in "iu":
            raise refuse(
                builder, f"an index array must hold integers or booleans, got {a.dtype.numpy}", "Use .astype(int)."
            )
    shared, sources = aligned_sources(builder, arrays)
    kept = [p for p in unmasked if not is_number(p)]
    axes = [k for k, p in enumerate(kept) if is_array(p)]
    place = _place(unmasked)
    plain = [n for k, n in enumerate(extents.shape(builder, base.ref)) if k not in axes]
    shape = (*plain[:place], *shared, *plain[place:])
    reads = (base.ref, *(a.ref for a in arrays))
    return Selection(base, tuple(zip(axes, sources, strict=True)), shape, place, len(shared), reads)


def _place(parts: Sequence[FrontValue]) -> int:
    """Where the axes of the index arrays go: in their own place if they are adjacent, else in front."""
    advanced = [k for k, p in enumerate(parts) if is_array(p) or is_number(p)]
    adjacent = advanced[-1] - advanced[0] + 1 == len(advanced)
    return advanced[0] if adjacent else 0


def _without_masks(builder: Builder, array: ArrayValue, parts: Sequence[FrontValue]) -> list[FrontValue]:
    """Masks replaced by the arrays of the indices at which they are true."""
    result: list[FrontValue] = []
    axis = 0
    for part in parts:
        if isinstance(part, ArrayValue | Delayed) and part.dtype == BOOL:
            mask = materialized(builder, part)
            _require_mask_shape(builder, array, axis, shape_of(builder, mask))
            result += true_positions(builder, mask)
            axis += mask.rank
            continue
        result.append(part)
        axis += not (isinstance(part, Static) and part.value is None)
    return result


def _require_mask_shape(builder: Builder, array: ArrayValue, axis: int, mask: Shape) -> None:
    if not mask:
        raise refuse(builder, "a mask of rank 0 is not supported as an index", "Use an if.")
    for k, n in enumerate(mask):
        own = extents.extent(builder, array.ref, axis + k)
        if not extents.same(builder, n, own):
            message = "boolean index of extent {0} does not match an axis of extent {1}"
            builder.emit("check", builder("eq", n, own), n, own, exception="IndexError", message=message)


def true_positions(builder: Builder, mask: ArrayValue) -> list[ArrayValue]:
    """The indices at which a mask is true, an array for each of its axes (``np.nonzero``)."""
    shape = shape_of(builder, mask)

    def counted(at: tuple[Operand, ...], count: Operand) -> Operand:
        return builder("add", count, builder("cast", builder("load", mask.ref, *at), dtype=I64))

    count = carrying(builder, shape, index(0), counted)
    found = [builder("alloc", count, dtype=I64, fill="empty") for _ in shape]

    def noted(at: tuple[Operand, ...], position: Operand) -> Operand:
        def note() -> tuple[Operand, ...]:
            for ref, i in zip(found, at, strict=True):
                builder.emit("store", ref, position, i)
            return (builder("add", position, index(1)),)

        (after,) = builder.if_(builder("load", mask.ref, *at), note, lambda: (position,))
        return after

    carrying(builder, shape, index(0), noted)
    return [ArrayValue(ref) for ref in found]


def carrying(
    builder: Builder, shape: Shape, initial: Operand, body: Callable[[tuple[Operand, ...], Operand], Operand]
) -> Operand:
    """A loop per axis through which one number is carried; ``body(indices, number)`` gives the next one."""

    def loops(at: tuple[Operand, ...], carried: Operand) -> Operand:
        if len(at) == len(shape):
            return body(at, carried)
        counter = COUNTERS[len(at) % len(COUNTERS)]
        (last,) = builder.for_(shape[len(at)], (carried,), lambda i, inner: (loops((*at, i), inner),), counter=counter)
        return last

    return loops((), initial)


def gathered(builder: Builder, chosen: Selection) -> FrontValue:
    """The selected elements."""

    def element(builder: Builder, at: tuple[Operand, ...]) -> Operand:
        return builder("load", chosen.base.ref, *chosen.position(builder, at))

    if not chosen.shape:
        return ScalarValue(element(builder, ()))
    return Delayed(chosen.shape, chosen.base.dtype, element, chosen.reads)


def scatter(builder: Builder, chosen: Selection, value: FrontValue) -> None:
    """Write to the selected elements, in order."""
    base = chosen.base
    require_foreign_indices(builder, chosen)
    source = elements_for(builder, chosen.shape, base, value, aligned=False)

    def put(at: tuple[Operand, ...]) -> None:
        store_element(builder, base, chosen.position(builder, at), source(builder, at))

    builder.nest(chosen.shape, put)


def accumulate(
    builder: Builder, chosen: Selection, value: FrontValue, name: str, combine: Callable[..., Number]
) -> None:
    """Update the selected elements in order, an element that is selected twice two times."""
    require_foreign_indices(builder, chosen)
    source = elements_for(builder, chosen.shape, chosen.base, value, aligned=False)

    def put(at: tuple[Operand, ...]) -> None:
        update_element(builder, chosen.base, chosen.position(builder, at), source(builder, at), name, combine)

    builder.nest(chosen.shape, put)


def require_foreign_indices(builder: Builder, chosen: Selection) -> None:
    if not all(extents.disjoint(builder, r, chosen.base.ref) for r in chosen.reads[1:]):
        raise refuse(builder, "an array cannot be written to by indices taken from itself", "Copy the indices first.")


def fills(mask: FrontValue, array: ArrayValue, value: FrontValue) -> bool:
    """Whether a value stored under a mask is the same for every place where the mask is true."""
    assert isinstance(mask, ArrayValue | Delayed)
    return is_number(value) or (isinstance(value, ArrayValue | Delayed) and value.rank <= array.rank - mask.rank)


def masked_store(builder: Builder, array: ArrayValue, mask: FrontValue, value: FrontValue) -> None:
    """``array[mask] = value`` for a value that does not depend on the place: a branch, no list of places."""
    where = as_delayed(builder, mask)
    if not unaffected(builder, where, array.ref):
        where = as_delayed(builder, copy(builder, where))
    _require_mask_shape(builder, array, 0, where.shape)
    inner = shape_of(builder, array)[where.rank :]
    source = elements_for(builder, inner, array, value, aligned=False)

    def put(outer: tuple[Operand, ...]) -> None:
        def fill() -> tuple[Operand, ...]:
            builder.nest(inner, lambda at: store_element(builder, array, (*outer, *at), source(builder, at)))
            return ()

        builder.if_(where.element(builder, outer), fill)

    builder.nest(where.shape, put)
