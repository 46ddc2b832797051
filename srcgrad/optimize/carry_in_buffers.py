"""Small arrays that a loop makes anew in each iteration are one buffer, filled at the end of each iteration.

``x = a @ x`` binds a name to a new array. To reverse mode that is a reference to carry, beside one to its shadow, both
on stacks; in one place they are memory like any other. The cases are ``benchmarks/problems/kalman.py``, and whatever
takes steps with small vectors: ``y = y + h * (k1 + k2)``, ``h = np.tanh(w @ h)``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64):
...     x: f64[:] = alloc(3, dtype=f64, fill='zeros')
...     with for_(n, x) as (last,):
...         def _(t: i64, p: f64[:]):
...             y: f64[:] = alloc(3, dtype=f64, fill='zeros')
...             v: f64 = load(p, 2)
...             store(y, 0, v)
...             yield y
...     w: f64 = load(last, 0)
...     return w
... '''
>>> print(to_text(carry_in_buffers(parse(before, infer))))
def f(n: i64):
    x: f64[:] = alloc(3, dtype=f64, fill='zeros')
    p: f64[:] = alloc(3, dtype=f64, fill='empty')
    with for_(3):
        def _(i: i64):
            _1: f64 = load(x, i)
            store(p, i, _1)
    with for_(n):
        def _(t: i64):
            y: f64[:] = alloc(3, dtype=f64, fill='zeros')
            v: f64 = load(p, 2)
            store(y, 0, v)
            with for_(3):
                def _(i_1: i64):
                    _2: f64 = load(y, i_1)
                    store(p, i_1, _2)
    w: f64 = load(p, 0)
    return w
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod

from srcgrad.analysis.effects import Effects
from srcgrad.analysis.extents import Extents
from srcgrad.analysis.handed_on import HandedOn, fits_in_buffer
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Operand, Value, first_carried, index, walk
from srcgrad.ir.rewrite import renamed, substitute, with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder

LARGEST = 64  # elements; more are dear to copy


def carry_in_buffers(function: Function) -> Function:
    """Inner loops first: what they carry is then memory of the iteration around them."""
    done: set[Op] = set()
    facts: tuple[Effects, Extents] | None = None
    while (loop := _next(function, done)) is not None:
        done.add(loop)
        effects, extents = facts = facts or (Effects(function), Extents(function))
        carried = [HandedOn(loop, k) for k in range(len(loop.results))]
        chosen = [c for c in carried if _is_small(c, extents) and fits_in_buffer(c, effects)]
        if chosen:
            names: dict[Value, Operand] = {}
            body = _with_buffers(function.body, loop, chosen, extents, names)
            function, facts = replace(function, body=substitute(body, names)), None
    return function


def _next(function: Function, done: Collection[Op]) -> Op | None:
    """A loop that carries arrays, those inside it done."""
    loops = [op for op in walk(function.body) if op.primitive in LOOPS and op not in done]
    return next((op for op in reversed(loops) if any(isinstance(r.type, Array) for r in op.results)), None)


def _is_small(carried: HandedOn, extents: Extents) -> bool:
    kind = carried.result.type
    if not isinstance(kind, Array) or not kind.rank:
        return False
    sizes = _sizes(carried, extents)
    ones = frozenset(axis for axis, n in enumerate(sizes) if n == index(1))
    known = (Array(kind.dtype, kind.rank, "C", ones), Array(kind.dtype, kind.rank, "A"))
    return len(sizes) == kind.rank and kind in known and 0 < prod(int(n.value.real) for n in sizes) <= LARGEST


def _sizes(carried: HandedOn, extents: Extents) -> list[Const]:
    """The extents, those that are literals."""
    return [n for n in extents.of(carried.result) if isinstance(n, Const)]


def _with_buffers(
    block: Block, loop: Op, chosen: Sequence[HandedOn], extents: Extents, names: dict[Value, Operand]
) -> Block:
    """The block in which the loop carries less; ``names`` learns what its results are called from now on."""
    ops: list[Op] = []
    for op in block.ops:
        if op is loop:
            builder = new_builder()
            builder.location = op.location
            builder.open()
            buffers = {c: _filled(builder, c, _sizes(c, extents)) for c in chosen}
            names.update((c.result, buffer) for c, buffer in buffers.items())
            ops += [*builder.close().ops, _filling(op, buffers, extents)]
        else:
            ops.append(with_blocks(op, [_with_buffers(b, loop, chosen, extents, names) for b in op.blocks]))
    return with_ops(block, ops)


def _filled(builder: Builder, carried: HandedOn, sizes: Sequence[Const]) -> Value:
    """The buffer in front of the loop, as the reference that was carried."""
    kind = carried.result.type
    assert isinstance(kind, Array)
    name = carried.parameters[-1].name or carried.result.name
    buffer = builder("alloc", *sizes, dtype=kind.dtype, fill="empty", name=name)
    _copy(builder, carried.initial, buffer, sizes)
    return buffer if buffer.type == kind else builder("relax", buffer, name=name)


def _filling(loop: Op, buffers: Mapping[HandedOn, Value], extents: Extents) -> Op:
    """The loop that fills the buffers instead of carrying their arrays."""
    first = first_carried(loop)
    kept = [k for k in range(len(loop.results)) if HandedOn(loop, k) not in buffers]
    names: dict[Value, Operand] = {p: buffer for c, buffer in buffers.items() for p in c.parameters}
    blocks = [_without(block, first, kept, names) for block in loop.blocks]
    builder = new_builder()
    builder.location = loop.location
    builder.open()
    for carried, buffer in buffers.items():
        yielded = renamed(carried.yielded, names)
        if yielded is not buffer:
            _copy(builder, yielded, buffer, _sizes(carried, extents))
    body = blocks[-1]
    yields = tuple(renamed(loop.blocks[-1].yields[k], names) for k in kept)
    blocks[-1] = Block(body.parameters, (*body.ops, *builder.close().ops), yields)
    operands = (*loop.operands[:first], *(loop.operands[first + k] for k in kept))
    return replace(loop, operands=operands, results=tuple(loop.results[k] for k in kept), blocks=tuple(blocks))


def _without(block: Block, first: int, kept: Sequence[int], names: Mapping[Value, Operand]) -> Block:
    """The block without the parameters that have become buffers."""
    parameters = (*block.parameters[:first], *(block.parameters[first + k] for k in kept))
    return replace(substitute(block, names), parameters=parameters)


def _copy(builder: Builder, source: Operand, target: Value, sizes: Sequence[Const]) -> None:
    builder.nest(sizes, lambda at: builder.emit("store", target, *at, builder("load", source, *at)))
