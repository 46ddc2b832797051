"""Rows that nobody looks up are not computed, where each is as long as there are lanes.

The Jacobian of ``vertices(theta)[seen]`` computes in all directions the vertices that are seen, and no others: which
they are is written down in front of the loop over blocks of directions. The case is ``benchmarks/problems/hand.py``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], seen: i64[:], out: f64[:, :], n: i64, m: i64, blocks: i64):
...     with for_(blocks):
...         def _(block: i64):
...             table: f64[:, :] = alloc(n, 32, dtype=f64, fill='empty')
...             with for_(n):
...                 def _(i: i64):
...                     v: f64 = load(x, i)
...                     with for_(32):
...                         def _(lane: i64):
...                             store(table, i, lane, v)
...             with for_(m):
...                 def _(j: i64):
...                     k: i64 = load(seen, j)
...                     with for_(32):
...                         def _(lane_1: i64):
...                             w: f64 = load(table, k, lane_1)
...                             accumulate(out, j, lane_1, w)
... '''
>>> print(to_text(skip_rows(parse(before, infer))))
def f(x: f64[:], seen: i64[:], out: f64[:, :], n: i64, m: i64, blocks: i64):
    wanted: bool[:] = alloc(n, dtype=bool, fill='zeros')
    with for_(m):
        def _(j: i64):
            k: i64 = load(seen, j)
            store(wanted, k, True)
    rows: i64[:] = alloc(n, dtype=i64, fill='empty')
    with for_(n, 0) as (count,):
        def _(row: i64, count_1: i64):
            store(rows, count_1, row)
            _1: bool = load(wanted, row)
            _2: i64 = select(_1, 1, 0)
            _3: i64 = add(count_1, _2)
            yield _3
    with for_(blocks):
        def _(block: i64):
            table: f64[:, :] = alloc(n, 32, dtype=f64, fill='empty')
            with for_(count):
                def _(which: i64):
                    i: i64 = load(rows, which)
                    v: f64 = load(x, i)
                    with for_(32):
                        def _(lane: i64):
                            store(table, i, lane, v)
            with for_(m):
                def _(j_1: i64):
                    k_1: i64 = load(seen, j_1)
                    with for_(32):
                        def _(lane_1: i64):
                            w: f64 = load(table, k_1, lane_1)
                            accumulate(out, j_1, lane_1, w)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from srcgrad.analysis.lookups import Lookups, Path, Program, Table
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, constant, index, truth
from srcgrad.ir.rewrite import Replacement, copy_op, renamed, rewrite_block
from srcgrad.ir.types import BOOL, I64, INDEX, Array
from srcgrad.primitives.table import new_builder

LONG = 8  # elements of a row, from which on it pays to look which rows are wanted


def skip_rows(function: Function) -> Function:
    around = [op for op in function.body.ops if _has_long_rows(op)]
    if not around:
        return function
    program = Program(function)
    ops: list[Op] = []
    for op in function.body.ops:
        ops.extend(_without_rows(op, program) if op in around else (op,))
    return replace(function, body=Block(function.parameters, tuple(ops), function.results))


def _has_long_rows(loop: Op) -> bool:
    return loop.primitive == "for" and any(map(_is_long, loop.blocks[0].ops))


def _is_long(op: Op) -> bool:
    """Whether it is an allocation of rows that are known to be long."""
    length = op.operands[-1] if op.primitive == "alloc" and len(op.operands) > 1 else None
    return isinstance(length, Const) and length.value.real >= LONG


def _without_rows(loop: Op, program: Program) -> Sequence[Op]:
    """What writes down which rows are wanted, and the loop in which only these are computed."""
    lookups = Lookups(loop, program)
    long = {op.result for op in loop.blocks[0].ops if _is_long(op)}
    (body,) = loop.blocks
    builder = new_builder()
    builder.location = loop.location
    builder.open()
    for table in lookups.tables():
        count = _rows_of(table, lookups)
        if count is not None and table.arrays & long:
            wanted = _wanted(builder, _marked(builder, count, table, lookups), count)
            body = rewrite_block(body, {}, partial(_of_wanted_rows, table=table, wanted=wanted))
    return (*builder.close().ops, replace(loop, blocks=(body,)))


def _rows_of(table: Table, lookups: Lookups) -> Operand | None:
    """How many rows there are, if that is known in front of the loop."""
    counts = (lookups.program.definitions[array].operands[0] for array in table.arrays)
    return next((n for n in counts if n not in lookups.inside), None)


def _marked(builder: Builder, count: Operand, table: Table, lookups: Lookups) -> Value:
    """Emit the loops around each lookup, which mark the row."""
    marks = builder("alloc", count, name="wanted", dtype=BOOL, fill="zeros")

    def emitted(value: Operand, names: Mapping[Value, Operand]) -> Operand:
        environment = dict(names)
        for op in lookups.made_of(value) or ():
            builder.ops.append(copy_op(op, environment))
        return renamed(value, environment)

    def mark(row: Operand, around: Path, names: Mapping[Value, Operand]) -> Sequence[Operand]:
        if not around:
            builder.emit("store", marks, emitted(row, names), truth(True))
            return ()
        (op, block), *inner = around
        decides = emitted(op.operands[0], names)
        if op.primitive == "for":
            counter = op.blocks[0].parameters[0]
            builder.for_(decides, (), lambda i: mark(row, tuple(inner), {**names, counter: i}), counter=counter.name)
        else:
            branch = decides if block == 0 else builder("not_", decides)
            builder.if_(branch, lambda: mark(row, tuple(inner), names))
        return ()

    for row, around in dict.fromkeys(table.lookups):
        mark(row, around, {})
    return marks


class _Rows(NamedTuple):
    """The numbers of some rows, and how many there are."""

    numbers: Value
    total: Value


def _wanted(builder: Builder, marks: Value, count: Operand) -> _Rows:
    """Emit a list of the rows that are marked."""
    numbers = builder("alloc", count, name="rows", dtype=I64, fill="empty")

    def append(row: Value, so_far: Value) -> Sequence[Operand]:
        builder.emit("store", numbers, so_far, row)
        return (builder("add", so_far, builder("select", builder("load", marks, row), index(1), index(0))),)

    (total,) = builder.for_(count, (index(0),), append, ("count",), counter="row")
    return _Rows(numbers, total)


def _of_wanted_rows(op: Op, table: Table, wanted: _Rows) -> Replacement | None:
    """A loop over the rows of a table runs over the wanted ones, and only these are filled with zeros."""
    if op.primitive == "for" and op.blocks[0].parameters[0] in table.counters:
        (body,) = op.blocks
        which = Value(INDEX, "which")
        number = Op("load", (wanted.numbers, which), body.parameters, location=op.location)
        return [replace(op, operands=(wanted.total,), blocks=(Block((which,), (number, *body.ops), ()),))], {}
    if op.primitive == "alloc" and op.result in table.arrays and op.text("fill") == "zeros":
        return [replace(op, attributes={**op.attributes, "fill": "empty"}), *_zeros(op, wanted)], {}
    return None


def _zeros(allocation: Op, wanted: _Rows) -> Sequence[Op]:
    builder = new_builder()
    builder.location = allocation.location
    builder.open()
    array = allocation.result
    assert isinstance(array.type, Array)
    zero = constant(0, array.type.dtype)

    def fill(which: Value) -> Sequence[Operand]:
        row = builder("load", wanted.numbers, which)
        builder.nest(allocation.operands[1:], lambda at: builder.emit("store", array, row, *at, zero))
        return ()

    builder.for_(wanted.total, (), fill, counter="which")
    return builder.close().ops
