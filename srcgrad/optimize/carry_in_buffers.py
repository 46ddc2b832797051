"""Arrays that a loop makes anew in each iteration are one buffer, filled at the end of each iteration.

``x = a @ x`` binds a name to a new array. To reverse mode that is a reference to carry, beside one to its shadow, both
on stacks; in one place they are memory like any other. The cases are ``benchmarks/problems/kalman.py``, and whatever
takes steps with small vectors: ``y = y + h * (k1 + k2)``, ``h = np.tanh(w @ h)``. A copy costs little where arrays are
small, or where an iteration does more with an element than that; and in a loop inside another one, whose references
the outer one would have to carry.

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
    with for_(n):
        def _(t: i64):
            y: f64[:] = alloc(3, dtype=f64, fill='zeros')
            v: f64 = load(x, 2)
            store(y, 0, v)
            with for_(3):
                def _(i: i64):
                    _1: f64 = load(y, i)
                    store(x, i, _1)
    w: f64 = load(x, 0)
    return w
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from srcgrad.analysis.effects import Effects
from srcgrad.analysis.extents import Dim, Extents
from srcgrad.analysis.handed_on import HandedOn, fits_in_buffer, starts_in_place
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Operand, Value, first_carried, index, walk
from srcgrad.ir.rewrite import renamed, substitute, with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import new_builder

SMALL = 64  # elements


def carry_in_buffers(function: Function) -> Function:
    """Inner loops first: what they carry is then memory of the iteration around them."""
    done: set[Op] = set()
    facts: tuple[Effects, Extents] | None = None
    while (loop := _next(function, done)) is not None:
        done.add(loop)
        effects, extents = facts = facts or (Effects(function), Extents(function))
        carried = [HandedOn(loop, k) for k in range(len(loop.results))]
        chosen = [c for c in carried if _is_worth_it(c, effects, extents) and fits_in_buffer(c, effects)]
        if chosen:
            names: dict[Value, Operand] = {}
            alike = [c for c in chosen if extents.of(c.initial) == extents.of(c.result)]
            adopted = [c for c in alike if starts_in_place(c, effects)]
            body = _with_buffers(function.body, loop, _Plan(chosen, adopted, extents), names)
            function, facts = replace(function, body=substitute(body, names)), None
    return function


def _next(function: Function, done: Collection[Op]) -> Op | None:
    """A loop that carries arrays, those inside it done."""
    loops = [op for op in walk(function.body) if op.primitive in LOOPS and op not in done]
    return next((op for op in reversed(loops) if any(isinstance(r.type, Array) for r in op.results)), None)


def _is_worth_it(carried: HandedOn, effects: Effects, extents: Extents) -> bool:
    kind = carried.result.type
    if not isinstance(kind, Array) or not kind.rank:
        return False
    shape = extents.of(carried.result)
    if any(n == Dim(carried.result, axis) for axis, n in enumerate(shape)):
        return False
    ones = frozenset(axis for axis, n in enumerate(shape) if n == index(1))
    if kind not in (Array(kind.dtype, kind.rank, "C", ones), Array(kind.dtype, kind.rank, "A")):
        return False
    sizes = [int(n.value.real) for n in shape if isinstance(n, Const)]
    if len(sizes) == kind.rank and prod(sizes) <= SMALL:
        return prod(sizes) > 0
    inside = any(block in effects.loops for block, _ in effects.paths[carried.loop])
    return inside or _depth(carried.body) > kind.rank


def _depth(block: Block) -> int:
    """Of loops inside one another; a routine counts as a product of matrices."""
    of_routines = 3 if any(op.primitive == "call" and op.text("callee") in ROUTINES for op in block.ops) else 0
    inner = ((op.primitive in LOOPS) + max(map(_depth, op.blocks)) for op in block.ops if op.blocks)
    return max(of_routines, *inner, 0)


@dataclass(frozen=True)
class _Plan:
    """What becomes buffers, and for which of these the array that is there already serves."""

    chosen: Sequence[HandedOn]
    adopted: Collection[HandedOn]
    extents: Extents


@dataclass(frozen=True)
class _Buffer:
    reference: Value  # of the type of what was carried
    sizes: tuple[Operand, ...]

    def fill(self, builder: Builder, source: Operand) -> None:
        builder.nest(self.sizes, lambda at: builder.emit("store", self.reference, *at, builder("load", source, *at)))


def _with_buffers(block: Block, loop: Op, plan: _Plan, names: dict[Value, Operand]) -> Block:
    """The block in which the loop carries less; ``names`` learns what its results are called from now on."""
    ops: list[Op] = []
    for op in block.ops:
        if op is loop:
            builder = new_builder()
            builder.location = op.location
            builder.open()
            buffers = {c: _buffer(builder, c, plan) for c in plan.chosen}
            names.update((c.result, buffer.reference) for c, buffer in buffers.items())
            ops += [*builder.close().ops, _filling(op, buffers)]
        else:
            ops.append(with_blocks(op, [_with_buffers(b, loop, plan, names) for b in op.blocks]))
    return with_ops(block, ops)


def _buffer(builder: Builder, carried: HandedOn, plan: _Plan) -> _Buffer:
    """The buffer, in front of the loop, with what is carried first."""
    kind, initial = carried.result.type, carried.initial
    assert isinstance(kind, Array) and isinstance(initial, Value)
    shape = plan.extents.of(carried.result)
    sizes = tuple(builder("dim", n.array, axis=n.axis) if isinstance(n, Dim) else n for n in shape)
    if carried in plan.adopted:
        return _Buffer(initial, sizes)
    name = carried.parameters[-1].name or carried.result.name
    memory = builder("alloc", *sizes, dtype=kind.dtype, fill="empty", name=name)
    buffer = _Buffer(memory if memory.type == kind else builder("relax", memory, name=name), sizes)
    buffer.fill(builder, initial)
    return buffer


def _filling(loop: Op, buffers: Mapping[HandedOn, _Buffer]) -> Op:
    """The loop that fills the buffers instead of carrying their arrays."""
    first = first_carried(loop)
    kept = [k for k in range(len(loop.results)) if HandedOn(loop, k) not in buffers]
    names: dict[Value, Operand] = {p: buffer.reference for c, buffer in buffers.items() for p in c.parameters}
    blocks = [_without(block, first, kept, names) for block in loop.blocks]
    builder = new_builder()
    builder.location = loop.location
    builder.open()
    for carried, buffer in buffers.items():
        yielded = renamed(carried.yielded, names)
        if yielded is not buffer.reference:
            buffer.fill(builder, yielded)
    body = blocks[-1]
    yields = tuple(renamed(loop.blocks[-1].yields[k], names) for k in kept)
    blocks[-1] = Block(body.parameters, (*body.ops, *builder.close().ops), yields)
    operands = (*loop.operands[:first], *(loop.operands[first + k] for k in kept))
    return replace(loop, operands=operands, results=tuple(loop.results[k] for k in kept), blocks=tuple(blocks))


def _without(block: Block, first: int, kept: Sequence[int], names: Mapping[Value, Operand]) -> Block:
    """The block without the parameters that have become buffers."""
    parameters = (*block.parameters[:first], *(block.parameters[first + k] for k in kept))
    return replace(substitute(block, names), parameters=parameters)
