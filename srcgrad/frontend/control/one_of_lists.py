"""A name that holds one of several lists of run-time length: where they meet, a list that is only read goes on.

``previous = current`` at the end of an iteration is of this kind. The memory is shared, as the list is in Python; so
none of the lists that met may be changed any more, which is refused. Of lists of numbers, and of arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.frontend.arrays.extents import shape
from srcgrad.frontend.boundary.structure import Leaf, Maybe, Static, Structure, Tree
from srcgrad.frontend.containers.list_state import state, will_hold
from srcgrad.frontend.containers.row_memory import load_part
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar, cast, promoted
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    FrontValue,
    GrowingList,
    Row,
    ScalarValue,
    TupleValue,
    is_number,
)
from srcgrad.frontend.values import Static as Known
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, constant, index
from srcgrad.ir.types import INDEX, Array, DType, Scalar


class OneOfLists:
    """The class of such a list, in structures; and where it comes from, in values."""


def joined_lists(a: Structure, b: Structure) -> Structure | None:
    """The structure of a list that may be either; None where they are no lists of run-time length."""
    if isinstance(a, Tree) and isinstance(b, Tree) and a.cls is b.cls is list and len(a.children) == len(b.children):
        return None
    one, two = _items(a), _items(b)
    if one is None or two is None:
        return None
    leaves = [*one, *two]
    if not leaves or len({_rank(leaf) for leaf in leaves}) > 1:
        return None
    dtype, weak = promoted([ScalarValue(constant(0, leaf.type.dtype), leaf.weak) for leaf in leaves])
    memory = Leaf(Array(dtype, 1 + _rank(leaves[0]), "A"), weak and _rank(leaves[0]) == 0)
    return Tree(OneOfLists, (), (memory, Leaf(INDEX)))


def with_lists_carried(s: Structure) -> Structure:
    """The structure in which lists that are only read are carried by their memory."""
    match s:
        case Tree():
            return Tree(s.cls, s.keys, tuple(with_lists_carried(c) for c in s.children))
        case Maybe():
            return Maybe(with_lists_carried(s.some))
        case Static(value=Counted() | GrowingList(row=Row())):
            return joined_lists(s, s) or s
    return s


def _rank(leaf: Leaf) -> int:
    return leaf.type.rank if isinstance(leaf.type, Array) else 0


def _items(s: Structure) -> list[Leaf] | None:
    """What the items of a list are: one leaf, or none where it is always empty; None where that is not known."""
    match s:
        case Tree(cls=cls, children=(Leaf(type=Array(dtype=dtype, rank=rank), weak=weak), _)) if cls is OneOfLists:
            return [Leaf(Scalar(dtype), weak) if rank == 1 else Leaf(Array(dtype, rank - 1))]
        case Tree(cls=cls, children=children) if cls is list:
            numbers = [_number(c) for c in children]
            return [n for n in numbers if n is not None] if None not in numbers else None
        case Static(value=GrowingList(item=Leaf() as item)):
            return [item]
        case Static(value=GrowingList(item=Tree(children=()))):
            return []
        case Static(value=Counted(memory=Value() as memory, origin=origin) as whole) if origin is not None:
            kind = ArrayValue(memory)
            if kind.rank > 1:
                return [Leaf(Array(kind.dtype, kind.rank - 1))]
            return [Leaf(Scalar(kind.dtype), whole.weak)]
    return None


def _number(s: Structure) -> Leaf | None:
    if isinstance(s, Static) and is_number(Known(s.value)):
        number = as_scalar(Known(s.value))
        return Leaf(Scalar(number.dtype), number.weak)
    return s if isinstance(s, Leaf) and isinstance(s.type, Scalar) else None


def operands_of_list(lowering: Lowering, value: FrontValue, s: Tree) -> list[Operand]:
    """The memory and the length."""
    kind = s.children[0]
    assert isinstance(kind, Leaf) and isinstance(kind.type, Array)
    builder = lowering.builder
    memory, length = _memory(lowering, value, kind.type)
    if ArrayValue(memory).dtype != kind.type.dtype:
        memory = _converted(builder, memory, [length, *shape(builder, memory)[1:]], kind.type.dtype)
    return [memory if memory.type == kind.type else builder("relax", memory), length]


def _converted(builder: Builder, memory: Value, extents: list[Operand], dtype: DType) -> Value:
    wider = builder("alloc", *extents, dtype=dtype, fill="empty")

    def convert(at: tuple[Operand, ...]) -> None:
        builder.emit("store", wider, *at, cast(builder, builder("load", memory, *at), dtype))

    builder.nest(extents, convert)
    return wider


def _memory(lowering: Lowering, value: FrontValue, kind: Array) -> tuple[Value, Operand]:
    builder = lowering.builder
    if isinstance(value, Counted):
        assert value.memory is not None
        return value.memory, value.length
    if isinstance(value, GrowingList):
        will_hold(lowering, value)
        columns, length = state(lowering, value)
        if columns:
            (memory,) = columns
            return memory, length
        items: tuple[FrontValue, ...] = ()
    else:
        assert isinstance(value, TupleValue)
        items = value.items
    extents = [index(len(items))] + [index(0)] * (kind.rank - 1)
    made = builder("alloc", *extents, dtype=kind.dtype, fill="empty")
    for k, item in enumerate(items):
        assert isinstance(item, ScalarValue | Known)
        builder.emit("store", made, index(k), cast(builder, as_scalar(item).operand, kind.dtype))
    return made, index(len(items))


def rebuilt_list(lowering: Lowering, s: Tree, operands: Iterator[Operand]) -> Counted:
    memory, length = next(operands), next(operands)
    assert isinstance(memory, Value)
    kind = s.children[0]
    assert isinstance(kind, Leaf)

    def item(k: Operand) -> FrontValue:
        part = load_part(lowering.builder, memory, k, False)
        if isinstance(part.type, Array):
            assert isinstance(part, Value)
            return ArrayValue(part)
        return ScalarValue(part, kind.weak)

    return Counted(length, item, memory=memory, origin=OneOfLists, weak=kind.weak)
