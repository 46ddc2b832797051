"""Lists made of other lists while the program runs: slices, copies, sums and multiples of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.frontend.arrays.broadcasting import known_as
from srcgrad.frontend.arrays.extents import clamped_at_zero
from srcgrad.frontend.arrays.slices import slice_bounds
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.growing import place
from srcgrad.frontend.containers.list_state import holds_lists
from srcgrad.frontend.containers.listed import filled, in_memory
from srcgrad.frontend.containers.nested import kind_of_items, will_share
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import number, refuse_operands
from srcgrad.frontend.numbers.promotion import as_index
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import Counted, FrontValue, GrowingList, SliceValue, TupleValue, is_list
from srcgrad.ir.core import Operand, index


@function(list.__getitem__, least=2, most=2)
def _slice(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """``whole[start:stop:step]``: of a list a list, of a range a range."""
    whole, part = arguments
    assert isinstance(part, SliceValue)
    source = as_counted(lowering, whole)
    bounds = slice_bounds(lowering.builder, part, source.length)
    first, count, step = bounds or (index(0), source.length, index(1))

    def item(k: Operand) -> FrontValue:
        builder = lowering.builder
        return source.item(index_op(builder, "add", first, index_op(builder, "mul", k, step)))

    taken = Counted(count, item)
    return in_memory(lowering, taken, place(lowering, "slice")) if is_list(whole) else taken


def copied(lowering: Lowering, value: FrontValue) -> FrontValue:
    """``list(value)``. Nobody sees whether the numbers of a range, or a list that is never changed, are copied."""
    key = place(lowering, "list")
    source = as_counted(lowering, value)
    if source is value and not source.once and key not in lowering.growing:
        return replace(source, origin=key)
    return in_memory(lowering, Counted(source.length, source.item), key)


def detached(lowering: Lowering, item: FrontValue, *step: object) -> FrontValue:
    """An item with memory of its own for the lists in it, whose places others will take."""
    if isinstance(item, GrowingList) and item.row is not None:
        source = as_counted(lowering, item)
        return in_memory(lowering, Counted(source.length, source.item), (*place(lowering, "list"), *step))
    if isinstance(item, TupleValue) and not item.mutable:
        items = tuple(detached(lowering, v, *step, k) for k, v in enumerate(item.items))
        return TupleValue(items, item.cls, item.keys)
    return item


@function(list.__add__, least=2, most=2)
def _sum(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if not all(is_list(v) or _is_known_list(v) for v in arguments):
        refuse_operands(lowering, "add", *arguments)
    sources = [as_counted(lowering, v) for v in arguments]
    return _with_shared_items(lowering, _of_items(lowering, [s for s in sources if not known_as(s.length, 0)]))


@function(list.__mul__, least=2, most=2)
def _multiple(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    whole, number_of_times = arguments
    times = as_index(lowering.builder, number(lowering, number_of_times))
    source = as_counted(lowering, whole)
    builder, once = lowering.builder, source.length
    length = index_op(builder, "mul", clamped_at_zero(builder, times), once)
    if not known_as(once, 0) and holds_lists(kind_of_items(lowering, source)):
        hint = "Write [[0.0] * n for _ in range(m)]."
        lowering.refuse(None, "a list of lists times a number is one list in many places", hint)
    if known_as(once, 0):
        return TupleValue((), list, home=builder.ops)
    if known_as(once, 1):
        many = Counted(length, lambda _: source.item(index(0)))
    else:
        many = Counted(length, lambda k: source.item(builder("mod", k, once)))
    return _with_shared_items(lowering, _of_items(lowering, [many]))


def _with_shared_items(lowering: Lowering, made: GrowingList) -> GrowingList:
    """A list whose items, if they are lists, are those of another, or all one and the same."""
    if holds_lists(made.item):
        will_share(lowering, made)
    return made


def _is_known_list(value: FrontValue) -> bool:
    return isinstance(value, TupleValue) and value.cls is list


def _of_items(lowering: Lowering, sources: Sequence[Counted]) -> GrowingList:
    """A list that can be changed, which most lists of this kind are."""
    key = place(lowering, "items of lists")
    if key not in lowering.growing:
        samples = [kind_of_items(lowering, s) for s in sources]
        raise growing.again_with(lowering, key, samples)
    return filled(lowering, key, sources)
