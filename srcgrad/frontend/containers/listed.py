"""Lists of run-time length that a comprehension makes: of numbers, of arrays of one shape, of tuples of these.

Each part of an item has memory of its own, with one more axis. Memory for rows copies what the list would refer to,
so where that is not fresh neither may be written to afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.delayed import shape_of
from srcgrad.frontend.arrays.stores import store_into
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.row_memory import RAGGED
from srcgrad.frontend.control.carried import no_variables
from srcgrad.frontend.control.loop_ops import counted
from srcgrad.frontend.control.merge import has_array
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

    def item(self, builder: Builder, k: Operand) -> FrontValue:
        if not self.is_array:
            return ScalarValue(builder("load", self.memory, k), self.weak)
        return ArrayValue(builder("slice", self.memory, k, axes="i" + ":" * (ArrayValue(self.memory).rank - 1)))

    def store(self, lowering: Lowering, k: Operand, part: FrontValue) -> None:
        builder = lowering.builder
        row = _row(part)
        if row is None:
            assert isinstance(part, ScalarValue | Static)
            builder.emit("store", self.memory, k, converted(builder, part, ArrayValue(self.memory).dtype))
            return
        place = self.item(builder, k)
        assert isinstance(place, ArrayValue)
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
        parts = [_part(lowering, part) for part in _parts(sample)]
    lowering.rebind(before)
    made = {result: op for op in ops for result in op.results}
    columns = [_column(lowering, value.length, part, made, counter) for part in parts]

    def fill(k: Operand) -> None:
        for column, part in zip(columns, _parts(value.item(k)), strict=True):
            column.store(lowering, k, part)

    counted(lowering, no_variables((key, "loop")), value.length, Value(INDEX, "i"), fill)
    for column, part in zip(columns, parts, strict=True):
        if part.root is not None and part.root not in made:
            builder.frozen += [(column.memory, None), (part.root, column.memory)]

    def item(k: Operand) -> FrontValue:
        return _rebuilt(sample, iter([column.item(builder, k) for column in columns]))

    memory = None if isinstance(sample, TupleValue) else columns[0].memory
    return Counted(value.length, item, memory=memory, origin=key, weak=columns[0].weak)


def filled(lowering: Lowering, key: object, sources: Sequence[Counted]) -> GrowingList:
    """A list that can be changed, of the items of all of these, one behind the other."""
    if has_array(lowering.growing[key]):
        return _filled_with_arrays(lowering, key, sources)
    builder = lowering.builder
    total: Operand = index(0)
    starts: list[Operand] = []
    for source in sources:
        starts.append(total)
        total = index_op(builder, "add", total, source.length)
    made = growing.named(lowering, key)
    columns = growing.with_room(lowering, made, index_op(builder, "add", total, index(growing.ROOM)), None)
    for n, (source, start) in enumerate(zip(sources, starts, strict=True)):

        def fill(k: Operand, source: Counted = source, start: Operand = start) -> None:
            parts = growing.fitted(lowering, made, source.item(k))
            growing.store(lowering, columns, index_op(builder, "add", start, k), parts)

        counted(lowering, no_variables((key, n)), source.length, Value(INDEX, "i"), fill)
    growing.set_state(made, columns, ScalarValue(total, weak=True))
    return made


def _filled_with_arrays(lowering: Lowering, key: object, sources: Sequence[Counted]) -> GrowingList:
    """The same, one by one: there is room for arrays when the first one is known."""
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


def _part(lowering: Lowering, value: FrontValue) -> Part:
    row = _row(value)
    if row is not None:
        builder = lowering.builder
        return Part(row.dtype, False, shape_of(builder, row), extents.root(builder, row.ref))
    if not isinstance(value, ScalarValue | Static) or not is_number(value):
        lowering.refuse(None, f"a list of run-time length that holds {kind_of(value)}", HINT, UnsupportedError)
    number = as_scalar(value)
    return Part(number.dtype, number.weak, None, None)


def _column(lowering: Lowering, length: Operand, part: Part, made: dict[Value, Op], counter: Value) -> Column:
    builder = lowering.builder
    shape = [_outside(lowering, n, made, counter) for n in part.shape or ()]
    memory = builder("alloc", length, *shape, dtype=part.dtype, fill="empty")
    return Column(memory, part.weak, part.shape is not None)


def _outside(lowering: Lowering, extent: Operand, made: dict[Value, Op], counter: Value) -> Operand:
    """An extent found inside the sample's block, computed again in front of the loop."""
    if isinstance(extent, Const):
        return extent
    op = made.get(extent)
    if extent is counter or (op is not None and effect(op.primitive) is not Effect.PURE):
        hint = "Write a loop that fills an array."
        lowering.refuse(None, "a list whose items have lengths of their own", hint, UnsupportedError)
    if op is None:
        return extent
    operands: Sequence[Operand] = [_outside(lowering, x, made, counter) for x in op.operands]
    return lowering.builder(op.primitive, *operands, **op.attributes)  # type: ignore[arg-type]  # no attribute is called name
