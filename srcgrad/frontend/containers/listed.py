"""Lists of run-time length that a comprehension makes: of numbers, of arrays of one shape, of tuples of these.

Each part of an item has memory of its own, with one more axis. Memory for rows copies what the list would refer to,
so where that is not fresh neither may be written to afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.delayed import shape_of
from srcgrad.frontend.arrays.stores import store_into
from srcgrad.frontend.boundary.structure import Structure, Tree
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.list_state import ItemOf, holds_lists, set_state
from srcgrad.frontend.containers.nested import NOTHING, ROOM, as_lists, kind_of_item
from srcgrad.frontend.containers.row_memory import RAGGED
from srcgrad.frontend.control.carried import no_variables
from srcgrad.frontend.control.loop_ops import counted
from srcgrad.frontend.control.merge import has_array
from srcgrad.frontend.control.one_of_lists import OneOfLists
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.numbers.promotion import as_scalar, converted
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    FrontValue,
    GrowingList,
    ScalarValue,
    Static,
    TupleValue,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.ir.types import INDEX, DType
from srcgrad.primitives.table import Effect, effect

HINT = "Write a loop that fills an array."


@dataclass(frozen=True)
class Column:
    """Memory for one part of the items: a number of each, or an array."""

    memory: Value
    weak: bool
    is_array: bool
    lists: int  # how many lists, one in the other, a part of an item is
    origin: object  # of such a list

    def item(self, builder: Builder, k: Operand) -> FrontValue:
        if not self.is_array:
            return ScalarValue(builder("load", self.memory, k), self.weak)
        row = self.row(builder, k)
        if self.lists == 0:
            return row
        inner = replace(self, memory=row.ref, is_array=row.rank > 1, lists=self.lists - 1)
        length = builder("dim", row.ref, axis=0)
        return Counted(length, lambda j: inner.item(builder, j), False, row.ref, self.origin, self.weak)

    def row(self, builder: Builder, k: Operand) -> ArrayValue:
        return ArrayValue(builder("slice", self.memory, k, axes="i" + ":" * (ArrayValue(self.memory).rank - 1)))

    def store(self, lowering: Lowering, k: Operand, part: FrontValue) -> None:
        builder = lowering.builder
        row = _row(part)
        if row is None:
            assert isinstance(part, ScalarValue | Static)
            builder.emit("store", self.memory, k, converted(builder, part, ArrayValue(self.memory).dtype))
            return
        place = self.row(builder, k)
        for n, m in zip(shape_of(builder, place), shape_of(builder, row), strict=True):
            extents.require_equal(builder, n, m, RAGGED, HINT)
        store_into(builder, place, row)


def in_memory(lowering: Lowering, value: Counted, key: object) -> Counted | GrowingList:
    """The list made at ``key``, evaluated now, as Python does."""
    if key in lowering.growing:
        return filled(lowering, key, [value])
    builder, before = lowering.builder, lowering.variables()
    counter = Value(INDEX, "k")
    with lowering.block(parameters=(counter,)) as ops:  # once, to find out what an item is
        sample = value.item(counter)
        kind = kind_of_item(lowering, sample)
        parts = [_part(lowering, part) for part in _parts(sample)]
    lowering.rebind(before)
    made = {result: op for op in ops for result in op.results}
    if None in parts or not parts or any(_lengths_of_their_own(part, made, counter) for part in parts):
        raise growing.again_with(lowering, key, [_of_lists(kind)])
    origin = ItemOf(key, _of_lists(kind))
    columns = [_column(lowering, value.length, part, made, counter, origin) for part in parts if part is not None]

    def fill(k: Operand) -> None:
        for column, part in zip(columns, _parts(value.item(k)), strict=True):
            column.store(lowering, k, part)

    counted(lowering, no_variables((key, "loop")), value.length, Value(INDEX, "i"), fill)
    for column, part in zip(columns, parts, strict=True):
        if part is not None and part.root is not None and part.root not in made:
            builder.frozen += [(column.memory, None), (part.root, column.memory)]

    def item(k: Operand) -> FrontValue:
        whole = _rebuilt(sample, iter([column.item(builder, k) for column in columns]))
        return growing.changeable(whole, key, kind)

    memory = None if isinstance(sample, TupleValue) else columns[0].memory
    return Counted(value.length, item, memory=memory, origin=key, weak=columns[0].weak)


def filled(lowering: Lowering, key: object, sources: Sequence[Counted]) -> GrowingList:
    """A list that can be changed, of the items of all of these, one behind the other."""
    if has_array(lowering.growing[key]) or holds_lists(lowering.growing[key]):
        return _filled_one_by_one(lowering, key, sources)
    builder = lowering.builder
    total: Operand = index(0)
    starts: list[Operand] = []
    for source in sources:
        starts.append(total)
        total = index_op(builder, "add", total, source.length)
    made = growing.named(lowering, key)
    columns = growing.with_room(lowering, made, index_op(builder, "add", total, index(ROOM)), None)
    for n, (source, start) in enumerate(zip(sources, starts, strict=True)):

        def fill(k: Operand, source: Counted = source, start: Operand = start) -> None:
            parts = growing.fitted(lowering, made, source.item(k))
            growing.store(lowering, columns, index_op(builder, "add", start, k), parts)

        counted(lowering, no_variables((key, n)), source.length, Value(INDEX, "i"), fill)
    set_state(made, columns, ScalarValue(total, weak=True))
    return made


def _filled_one_by_one(lowering: Lowering, key: object, sources: Sequence[Counted]) -> GrowingList:
    """The same, one by one: there is room for arrays when the first one is known, and for lists as they come."""
    made = growing.create(lowering, key, ())
    for n, source in enumerate(sources):

        def add(k: Operand, source: Counted = source) -> None:
            growing.append(lowering, made, source.item(k))

        counted(lowering, no_variables((key, n)), source.length, Value(INDEX, "i"), add)
    return made


def _parts(item: FrontValue) -> list[FrontValue]:
    """The numbers and arrays of an item."""
    if isinstance(item, TupleValue):
        return [part for inner in item.items for part in _parts(inner)]
    return [item]


def _rebuilt(sample: FrontValue, parts: object) -> FrontValue:
    if isinstance(sample, TupleValue):
        return TupleValue(tuple(_rebuilt(v, parts) for v in sample.items), sample.cls, sample.keys)
    return next(parts)  # type: ignore[call-overload,no-any-return]  # an iterator of front-end values


def _row(part: FrontValue) -> ArrayValue | None:
    """An array that is part of an item, or the memory of a list that is."""
    if isinstance(part, Counted) and part.memory is not None:
        return ArrayValue(part.memory)
    return part if isinstance(part, ArrayValue) else None


@dataclass(frozen=True)
class Part:
    """What is known of one part of the items."""

    dtype: DType
    weak: bool
    shape: tuple[Operand, ...] | None  # None of a number
    root: Value | None
    lists: int = 0


def _part(lowering: Lowering, value: FrontValue) -> Part | None:
    """None of a list that is in memory with room for more."""
    if isinstance(value, GrowingList) or (isinstance(value, Counted) and value.origin is OneOfLists):
        return None
    row = _row(value)
    if row is not None:
        builder = lowering.builder
        lists, weak = (_lists(value, index(0)), value.weak) if isinstance(value, Counted) else (0, False)
        return Part(row.dtype, weak, shape_of(builder, row), extents.root(builder, row.ref), lists)
    if not isinstance(value, ScalarValue | Static) or not is_number(value):
        lowering.refuse(None, f"a list of run-time length that holds {kind_of(value)}", HINT, UnsupportedError)
    number = as_scalar(value)
    return Part(number.dtype, number.weak, None, None)


def _lists(value: FrontValue, k: Operand) -> int:
    """How many lists, one in the other, a list with memory for all of them is."""
    return 1 + _lists(value.item(k), k) if isinstance(value, Counted) else 0


def _of_lists(kind: Structure) -> Structure:
    """The structure of an item with its lists of run-time length."""
    if not isinstance(kind, Tree) or kind == NOTHING:
        return kind
    if kind.cls is list:
        return as_lists(Tree(list, (), tuple(map(_of_lists, kind.children))))
    return Tree(kind.cls, kind.keys, tuple(map(_of_lists, kind.children)))


def _column(
    lowering: Lowering, length: Operand, part: Part, made: dict[Value, Op], counter: Value, origin: object
) -> Column:
    builder = lowering.builder
    shape = [_outside(lowering, n, made, counter) for n in part.shape or ()]
    memory = builder("alloc", length, *shape, dtype=part.dtype, fill="empty")
    return Column(memory, part.weak, part.shape is not None, part.lists, origin)


def _lengths_of_their_own(part: Part | None, made: dict[Value, Op], counter: Value) -> bool:
    """Whether the items are lists whose lengths are known only where one is made."""
    return part is not None and part.lists > 0 and not all(_stays(n, made, counter) for n in part.shape or ())


def _stays(extent: Operand, made: dict[Value, Op], counter: Value) -> bool:
    if isinstance(extent, Const) or (extent is not counter and extent not in made):
        return True
    if extent is counter or effect(made[extent].primitive) is not Effect.PURE:
        return False
    return all(_stays(x, made, counter) for x in made[extent].operands)


def _outside(lowering: Lowering, extent: Operand, made: dict[Value, Op], counter: Value) -> Operand:
    """An extent found inside the sample's block, computed again in front of the loop."""
    if not _stays(extent, made, counter):
        hint = "Write a loop that fills an array."
        lowering.refuse(None, "a list whose items have lengths of their own", hint, UnsupportedError)
    if isinstance(extent, Const) or extent not in made:
        return extent
    op = made[extent]
    operands: Sequence[Operand] = [_outside(lowering, x, made, counter) for x in op.operands]
    return lowering.builder(op.primitive, *operands, **op.attributes)  # type: ignore[arg-type]  # no attribute is called name
