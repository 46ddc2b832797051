"""Store where the first to add meets nothing but zeros: the array need not be filled, nor be read.

A shadow begins at zero, and what the first loop adds to it is what it then holds. ``store_part_first`` does so where
the loop leaves out elements, too, which are still filled. Rosenbrock's function of a million numbers spends a third of
its gradient on zeros. A product that BLAS adds to an array is one that it puts there.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64, m: i64):
...     x_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
...     with for_(m):
...         def _(i: i64):
...             v: f64 = load(x, i)
...             accumulate(x_bar, i, v)
...     accumulate(x_bar, m, 1.0)
...     return x_bar
... '''
>>> print(to_text(store_part_first(parse(before, infer))))
def f(x: f64[:], n: i64, m: i64):
    x_bar: f64[:] = alloc(n, dtype=f64, fill='empty')
    _1: i64 = sub(n, m)
    _2: i64 = max(0, _1)
    with for_(_2):
        def _(k: i64):
            _3: i64 = add(k, m)
            store(x_bar, _3, 0.0)
    with for_(m):
        def _(i: i64):
            v: f64 = load(x, i)
            store(x_bar, i, v)
    accumulate(x_bar, m, 1.0)
    return x_bar
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine, as_ops
from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sites import Sites
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Op, Operand, Value, constant, defined, index, is_zero, walk, walk_ops
from srcgrad.ir.rewrite import Replacement, rewrite_block, with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.routines import ROUTINES, Routine
from srcgrad.primitives.table import Effect, effect, new_builder

TOUCHING = (Effect.READ, Effect.WRITE, Effect.CALL, Effect.STACK)


def store_first(function: Function) -> Function:
    """Only where the loop runs over all of the array."""
    return _stored(function, _Storing)


def store_part_first(function: Function) -> Function:
    """Also where some elements are still to be filled."""
    return _stored(function, _StoringPart)


def _stored(function: Function, storing: type[_Storing]) -> Function:
    if not any(op.primitive == "accumulate" or _is_adding(op) for op in walk(function.body)):
        return function
    body = storing(Sites(function), Extents(function), Definitions(function)).block(function.body)
    return function if body is function.body else replace(function, body=body)


class Covered(NamedTuple):
    """Elements of an array of one axis: from ``start``, so many. None: all elements, of any array."""

    start: Affine | None = None
    length: Affine | None = None


@dataclass(frozen=True)
class _Storing:
    sites: Sites
    extents: Extents
    definitions: Definitions

    def block(self, block: Block) -> Block:
        ops = [with_blocks(op, [self.block(b) for b in op.blocks]) for op in block.ops]
        for filling in list(ops):
            array = self.filled(filling)
            if array is not None:
                ops = self.stored(ops, ops.index(filling), array)
        return with_ops(block, ops)

    def filled(self, op: Op) -> Value | None:
        """The array that an op makes, or a nest of loops overwrites, with zeros alone."""
        if op.primitive == "alloc":
            return op.result if op.operands and op.text("fill") == "zeros" else None
        counters: list[Operand] = []
        ops: Sequence[Op] = (op,)
        while len(ops) == 1 and ops[0].primitive == "for" and len(ops[0].operands) == 1:
            counters.append(ops[0].blocks[0].parameters[0])
            ops = ops[0].blocks[0].ops
        if not counters or len(ops) != 1 or ops[0].primitive != "store" or not is_zero(ops[0].operands[-1]):
            return None
        array, *places, _ = ops[0].operands
        assert isinstance(array, Value)
        mine = places == counters and array not in defined(op.blocks[0]) and self.extents.runs_over(op, array)
        return array if mine and self.sites.sites(array).isdisjoint(self.sites.parameters) else None

    def stored(self, ops: list[Op], position: int, array: Value) -> list[Op]:
        """The ops of a block, in which the array is filled at ``position``, with the first to add storing."""
        filling = ops[position]
        first = next((k for k in range(position + 1, len(ops)) if self.touches(ops[k], array)), None)
        if first is None:
            return ops
        if self.adds_to_all(ops[first], array):
            start = [_without_zeros(filling)] if filling.primitive == "alloc" else []
            call = replace(ops[first], attributes={**ops[first].attributes, "callee": _routine(ops[first]).storing})
            return [*ops[:position], *start, *ops[position + 1 : first], call, *ops[first + 1 :]]
        covered = self.covered(ops[first], array)
        if covered is None:
            return ops
        builder = new_builder()
        builder.open()
        builder.location = filling.location
        if covered.start is not None:
            _fill_around(builder, array, covered, self.definitions.affine(filling.operands[0]))

        def store(op: Op) -> Replacement | None:
            mine = op.primitive == "accumulate" and op.operands[0] is array
            return ([replace(op, primitive="store")], {}) if mine else None

        nest = with_blocks(ops[first], [rewrite_block(b, {}, store) for b in ops[first].blocks])
        start = [_without_zeros(filling)] if filling.primitive == "alloc" else []
        between = ops[position + 1 : first]
        return [*ops[:position], *start, *between, *builder.close().ops, nest, *ops[first + 1 :]]

    def touches(self, op: Op, array: Value) -> bool:
        return any(o for o in walk_ops((op,)) if self.accesses(o, array))

    def accesses(self, op: Op, array: Value) -> bool:
        memory = self.sites.sites(array)
        return effect(op.primitive) in TOUCHING and any(self.sites.sites(x) & memory for x in op.operands)

    def adds_to_all(self, call: Op, array: Value) -> bool:
        """Whether a routine adds to all of the array, under its axes in whatever order, and reads no element of it."""
        if not _is_adding(call):
            return False
        routine = _routine(call)
        (target,) = call.operands[routine.outs]
        memory = self.sites.sites(array)
        if any(self.sites.sites(x) & memory for x in call.operands[: routine.reads]):
            return False
        while (view := self.definitions.op.get(target)) is not None and view.primitive == "transpose":  # type: ignore[arg-type]  # a reference
            target = view.operands[0]
        return target is array

    def covered(self, nest: Op, array: Value) -> Covered | None:
        """The elements that a nest of loops adds to, each once, where it does nothing else with the array."""
        adding = [op for op in walk_ops((nest,)) if self.accesses(op, array)]
        if len(adding) != 1 or adding[0].primitive != "accumulate" or adding[0].operands[0] is not array:
            return None
        loops = _around(nest, adding[0])
        places = adding[0].operands[1:-1]
        if len(loops) != len(places) or any("threads" in loop.attributes for loop in loops):
            return None
        extents = self.extents.of(array)
        counters = [loop.blocks[0].parameters[0] for loop in loops]
        trips = [self.extents.canonical(loop.operands[0]) for loop in loops]
        if list(places) == counters and trips == list(extents):
            return Covered()
        return self.part(nest, loops, places[0])

    def part(self, nest: Op, loops: Sequence[Op], place: Operand) -> Covered | None:
        """The same where it may leave out elements."""
        return None


class _StoringPart(_Storing):
    def part(self, nest: Op, loops: Sequence[Op], place: Operand) -> Covered | None:
        counter = loops[0].blocks[0].parameters[0]
        form = self.definitions.affine(place)
        start = form.without(counter)
        known = set(defined(nest.blocks[0])).isdisjoint(start.terms)
        if len(loops) > 1 or form.terms.get(counter) != 1 or not known:
            return None
        return Covered(start, self.definitions.affine(nest.operands[0]))


def _is_adding(op: Op) -> bool:
    """Whether an op calls a routine that adds, and has a sister that stores."""
    return op.primitive == "call" and op.text("callee") in ROUTINES and bool(_routine(op).storing)


def _routine(call: Op) -> Routine:
    return ROUTINES[call.text("callee")]


def _around(nest: Op, inner: Op) -> list[Op]:
    """The loops around an op, outermost first, as long as there is nothing but loops."""
    loops = [nest] if nest.primitive == "for" else []
    while loops and inner not in loops[-1].blocks[0].ops:
        inside = [op for op in loops[-1].blocks[0].ops if op.primitive == "for" and inner in walk(op.blocks[0])]
        if not inside:
            return []
        loops.append(inside[0])
    return loops


def _without_zeros(alloc: Op) -> Op:
    kept = {key: value for key, value in alloc.attributes.items() if key != "shadow"}
    return replace(alloc, attributes={**kept, "fill": "empty"})


def _fill_around(builder: Builder, array: Value, covered: Covered, extent: Affine) -> None:
    """Zeros in front of and behind a range, which is inside of the array if it is not empty."""
    assert covered.start is not None and covered.length is not None
    stop = covered.start + covered.length
    zero = index(0)
    if not (covered.start.is_constant and covered.start.constant <= 0):
        below = builder("min", as_ops(builder, covered.start), as_ops(builder, extent))
        _fill(builder, array, zero, builder("max", zero, below))
    if covered.start.is_constant and covered.start.constant >= 0:
        gap, start = extent - stop, as_ops(builder, stop)
    else:
        start = builder("max", zero, as_ops(builder, stop))
        gap = extent - Affine({start: 1}, 0)
    if not (gap.is_constant and gap.constant <= 0):
        _fill(builder, array, start, builder("max", zero, as_ops(builder, gap)))


def _fill(builder: Builder, array: Value, start: Operand, count: Operand) -> None:
    assert isinstance(array.type, Array)
    nothing = constant(0, array.type.dtype)

    def fill(k: Value) -> tuple[Operand, ...]:
        at = k if start == index(0) else builder("add", k, start)
        return builder.emit("store", array, at, nothing)

    builder.for_(count, (), fill, counter="k")
