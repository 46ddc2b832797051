"""Store what would be the first addition to each element of fresh zeros, which then need not be zeros.

The loop must run over all of the array, and add to the element that belongs to its iteration before it does anything
else with the array.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:]):
...     n: i64 = dim(x, axis=0)
...     x_bar: f64[:] = alloc(n, dtype=f64, fill='zeros')
...     with for_(n):
...         def _(i: i64):
...             a: f64 = load(x, i)
...             accumulate(x_bar, i, a)
...     return x_bar
... '''
>>> print(to_text(store_first(parse(before, infer))))
def f(x: f64[:]):
    n: i64 = dim(x, axis=0)
    x_bar: f64[:] = alloc(n, dtype=f64, fill='empty')
    with for_(n):
        def _(i: i64):
            a: f64 = load(x, i)
            store(x_bar, i, a)
    return x_bar
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.extents import Extents
from srcgrad.ir.core import Block, Function, Op, Operand, Value, used
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Array, Scalar

ELEMENT = ("load", "store", "accumulate")


def store_first(function: Function) -> Function:
    body = _block(function.body, Extents(function))
    return function if body is function.body else replace(function, body=body)


def _block(block: Block, extents: Extents) -> Block:
    ops = [with_blocks(op, tuple(_block(b, extents) for b in op.blocks)) for op in block.ops]
    for k, op in enumerate(ops):
        if op.primitive != "alloc" or op.attributes["fill"] != "zeros":
            continue
        first = next((n for n in range(k + 1, len(ops)) if _mentions(ops[n], op.result)), None)
        addition = None if first is None else first_addition(ops[first], op.result, extents)
        if first is not None and addition is not None:
            ops[k] = replace(op, attributes={**op.attributes, "fill": "empty"})
            ops[first] = _with_store(ops[first], addition)
    return with_ops(block, tuple(ops))


def first_addition(nest: Op, array: Value, extents: Extents) -> Op | None:
    """The addition that a nest of loops makes to every element, once to each and before all else; None if none is."""
    trips: dict[Operand, Operand] = {}  # of the loops so far, by their counters
    op, later = nest, list[Op]()
    while op.primitive == "for" and array not in op.operands:
        body = op.blocks[0]
        trips[body.parameters[0]] = op.operands[0]
        if array in body.yields:
            return None
        op, *later = (inner for inner in body.ops if _mentions(inner, array))
        if later and op.primitive == "for":
            return None
    if op.primitive != "accumulate" or op.operands[0] is not array:
        return None
    place = op.operands[1:-1]
    if not _is_everywhere(place, trips, array, extents) or not _of_one_dtype(op.operands[-1], array):
        return None
    return op if all(_stays_at(other, array, place) for other in later) else None


def _is_everywhere(place: Sequence[Operand], trips: dict[Operand, Operand], array: Value, extents: Extents) -> bool:
    """Whether the counters of the loops are the indices, and each runs over its axis."""
    if len(place) != len(trips) or set(place) != set(trips):
        return False
    return tuple(extents.canonical(trips[k]) for k in place) == extents.of(array)


def _of_one_dtype(value: Operand, array: Value) -> bool:
    assert isinstance(array.type, Array) and isinstance(value.type, Scalar)
    return value.type.dtype == array.type.dtype


def _stays_at(op: Op, array: Value, place: Sequence[Operand]) -> bool:
    """Whether an op does no more with the array than to access the element at ``place``."""
    own = op.operands.count(array)
    if own and (op.primitive not in ELEMENT or own > 1 or op.operands[1 : 1 + len(place)] != tuple(place)):
        return False
    return all(
        array not in block.yields and all(_stays_at(inner, array, place) for inner in block.ops) for block in op.blocks
    )


def _mentions(op: Op, array: Value) -> bool:
    return array in op.operands or any(array in used(block) for block in op.blocks)


def _with_store(op: Op, addition: Op) -> Op:
    if op is addition:
        return replace(op, primitive="store")
    blocks = [with_ops(b, tuple(_with_store(inner, addition) for inner in b.ops)) for b in op.blocks]
    return with_blocks(op, tuple(blocks))
