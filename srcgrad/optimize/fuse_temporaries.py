"""Compute an element where it is used: a temporary array that one nest of loops fills and another reads is left out.

``d = x - m`` and then ``np.sum(d * d)`` is one loop; ``u[1:-1] = u[1:-1] + k * (v[2:] - v[:-2])`` stores at once
where ``u`` and ``v`` are different memory. The nests run over the same extents, and each element is read, in the
innermost of those loops, at the place where it was written.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], y: f64[:], n: i64):
...     d: f64[:] = alloc(n, dtype=f64, fill='empty')
...     with for_(n):
...         def _(i: i64):
...             a: f64 = load(x, i)
...             b: f64 = exp(a)
...             store(d, i, b)
...     with for_(n):
...         def _(j: i64):
...             c: f64 = load(d, j)
...             store(y, j, c)
... '''
>>> print(to_text(fuse_temporaries(parse(before, infer))))
def f(x: f64[:], y: f64[:], n: i64):
    with for_(n):
        def _(j: i64):
            a: f64 = load(x, j)
            b: f64 = exp(a)
            store(y, j, b)
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import Block, Function, Op, Operand, Value, defined, same, used, walk, walk_ops
from srcgrad.ir.rewrite import renamed, substitute, substitute_op, with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect

HARMLESS = (Effect.PURE, Effect.VIEW, Effect.READ, Effect.CONTROL)  # of what may be moved


def fuse_temporaries(function: Function) -> Function:
    fuser = _Fuser(function)
    body = fuser.block(function.body)
    return function if body is function.body else replace(function, body=body)


@dataclass(frozen=True)
class Level:
    """One loop of a nest: what its body does besides the loop inside, which is at ``inner`` (None: innermost)."""

    loop: Op
    inner: int | None

    @property
    def block(self) -> Block:
        return self.loop.blocks[0]

    @property
    def counter(self) -> Value:
        return self.block.parameters[0]


class _Fuser:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.uses = Counter(used(function.body))
        self._effects: Effects | None = None

    @property
    def effects(self) -> Effects:
        """Found when first asked for; references keep their meaning while temporaries go."""
        if self._effects is None:
            self._effects = Effects(self.function)
        return self._effects

    def block(self, block: Block) -> Block:
        ops = [self.inside(op) for op in block.ops]
        for op in block.ops:
            if op.primitive == "alloc" and op.operands and not op.attributes.get("shadow"):
                fused = self.without(ops, op)
                if fused is not None:
                    ops = fused
        return with_ops(block, ops)

    def inside(self, op: Op) -> Op:
        blocks = tuple(self.block(b) for b in op.blocks)
        return with_blocks(op, blocks)

    def without(self, ops: Sequence[Op], temporary: Op) -> list[Op] | None:
        """The ops of a block without a temporary, or None where it has to stay."""
        array = temporary.result
        places = [k for k, op in enumerate(ops) if _mentions(op, array)]
        if len(places) != 2:
            return None
        first, second = places
        filled = _nest(ops[first], temporary.operands, array, "store")
        read = _nest(ops[second], temporary.operands, array, "load")
        if filled is None or read is None or self.uses[array] != 1 + _loads(read, array):
            return None
        if not (self.movable(filled, array) and self.unchanged(filled, ops[first + 1 : second + 1])):
            return None
        loop = _fused(filled, read, array)
        return [*(op for op in ops[:second] if op is not temporary and op is not ops[first]), loop, *ops[second + 1 :]]

    def movable(self, filled: Sequence[Level], array: Value) -> bool:
        """Whether all that the filling nest does is to compute and to store the elements."""
        nest = filled[0].loop
        if any(level.loop.results for level in filled):
            return False
        inside: set[Operand] = set(defined(nest.blocks[0]))
        for op in walk(nest.blocks[0]):
            if op.primitive == "store" and op.operands[0] is array:
                continue
            if effect(op.primitive) not in HARMLESS:
                return False
            if effect(op.primitive) in (Effect.READ, Effect.VIEW) and op.operands[0] in inside:
                return False
        return True

    def unchanged(self, filled: Sequence[Level], later: Sequence[Op]) -> bool:
        """Whether nothing that the elements are computed from is written to until they are read."""
        inside: set[Operand] = {v for op in later for b in op.blocks for v in defined(b)}
        sources = [op.operands[0] for op in walk(filled[0].loop.blocks[0]) if effect(op.primitive) is Effect.READ]
        for op in walk_ops(later):
            kind = effect(op.primitive)
            if kind in (Effect.CALL, Effect.STACK):
                return False
            if kind is Effect.WRITE:
                target = op.operands[0]
                if target in inside or not all(self.effects.distinct(target, s) for s in sources):
                    return False
        return True


def _mentions(op: Op, value: Value) -> bool:
    return value in op.operands or any(value in used(b) for b in op.blocks)


def _nest(loop: Op, extents: Sequence[Operand], array: Value, access: str) -> list[Level] | None:
    """The loops over the extents, if all accesses of ``array`` are in the innermost, at its counters."""
    levels: list[Level] = []
    for axis, extent in enumerate(extents):
        if loop.primitive != "for" or not same(loop.operands[0], extent):
            return None
        ops = loop.blocks[0].ops
        if axis + 1 == len(extents):
            levels.append(Level(loop, None))
            break
        inside = [k for k, op in enumerate(ops) if _mentions(op, array)]
        if len(inside) != 1 or array in loop.blocks[0].yields:
            return None
        levels.append(Level(loop, inside[0]))
        loop = ops[inside[0]]
    counters = tuple(level.counter for level in levels)
    for op in walk(levels[-1].block):
        if array in op.operands and (op.primitive != access or op.operands[1 : 1 + len(counters)] != counters):
            return None
    direct = any(op.primitive == access and op.operands[0] is array for op in levels[-1].block.ops)
    return levels if direct or access == "load" else None  # an element must be stored in every iteration


def _loads(read: Sequence[Level], array: Value) -> int:
    return sum(op.primitive == "load" and op.operands[0] is array for op in walk(read[-1].block))


def _fused(filled: Sequence[Level], read: Sequence[Level], array: Value) -> Op:
    """The reading nest, in which each element is computed first."""
    names: dict[Value, Operand] = {f.counter: r.counter for f, r in zip(filled, read, strict=True)}
    (store,) = (op for op in filled[-1].block.ops if op.primitive == "store" and op.operands[0] is array)
    element = renamed(store.operands[-1], names)
    loop: Op | None = None
    for f, r in reversed(list(zip(filled, read, strict=True))):
        kept = [op for k, op in enumerate(f.block.ops) if op is not store and k != f.inner]
        moved = [substitute_op(op, names) for op in kept]
        own = list(r.block.ops)
        if r.inner is None:
            block = _with_elements(r.block, array, element)
            own, yields = list(block.ops), block.yields
        else:
            assert loop is not None
            own[r.inner], yields = loop, r.block.yields
        loop = replace(r.loop, blocks=(Block(r.block.parameters, (*moved, *own), yields),))
    assert loop is not None
    return loop


def _with_elements(block: Block, array: Value, element: Operand) -> Block:
    """The block with loads of the temporary replaced by the element."""
    loads: Mapping[Value, Operand] = {
        op.result: element for op in walk(block) if op.primitive == "load" and op.operands[0] is array
    }
    return substitute(_without_ops(block, set(loads)), loads)


def _without_ops(block: Block, results: set[Value]) -> Block:
    ops = tuple(
        replace(op, blocks=tuple(_without_ops(b, results) for b in op.blocks)) if op.blocks else op
        for op in block.ops
        if not (op.results and op.results[0] in results)
    )
    return replace(block, ops=ops)
