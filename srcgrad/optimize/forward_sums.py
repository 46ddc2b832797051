"""Add where the sum ends up: a shadow that is only emptied into another one, element by element, is left out.

The adjoint of ``c[a] = x[i, a] - m[k, a]`` empties ``c_bar`` into ``m_bar``. What was added to ``c_bar`` can be
added to ``m_bar`` at once, with its sign.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64, m: i64, v: f64):
...     m_bar: f64[:, :] = alloc(n, m, dtype=f64, fill='zeros', shadow=True)
...     with for_(n):
...         def _(k: i64):
...             c_bar: f64[:] = alloc(m, dtype=f64, fill='zeros', shadow=True)
...             accumulate(c_bar, 0, v)
...             with for_(m):
...                 def _(a: i64):
...                     w: f64 = load(c_bar, a)
...                     u: f64 = neg(w)
...                     accumulate(m_bar, k, a, u)
...     return m_bar
... '''
>>> print(to_text(remove_dead(forward_sums(parse(before, infer)))))
def f(n: i64, m: i64, v: f64):
    m_bar: f64[:, :] = alloc(n, m, dtype=f64, fill='zeros', shadow=True)
    with for_(n):
        def _(k: i64):
            _1: f64 = neg(v)
            accumulate(m_bar, k, 0, _1)
    return m_bar
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Operand, Value, defined, used, walk, walk_ops
from srcgrad.ir.rewrite import renamed, rewrite_block, with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect


def forward_sums(function: Function) -> Function:
    pass_ = _Pass(function)
    body = pass_.block(function.body, frozenset(function.parameters))
    return function if body is function.body else replace(function, body=body)


@dataclass(frozen=True)
class _Emptying:
    """A nest of loops that adds every element of one shadow to an element of another, with a sign."""

    nest: Op
    counters: tuple[Value, ...]  # one per axis of the shadow that is emptied
    target: Op  # the accumulate
    negated: bool

    @property
    def array(self) -> Operand:
        return self.target.operands[0]

    @property
    def indices(self) -> tuple[Operand, ...]:
        return self.target.operands[1:-1]


class _Pass:
    def __init__(self, function: Function) -> None:
        self.sites = Sites(function)
        self.extents = Extents(function)
        self.uses = Counter(used(function.body))
        shadows = (op for op in walk(function.body) if op.attributes.get("shadow") is True)
        self.shadows = frozenset(op.result for op in shadows)

    def block(self, block: Block, scope: frozenset[Value]) -> Block:
        inner = scope.union(block.parameters, (r for op in block.ops for r in op.results))
        ops = [self.inside(op, inner) for op in block.ops]
        current = with_ops(block, ops)
        for op in block.ops:
            if op.primitive == "alloc" and op.result in self.shadows:
                current = self.forwarded(current, op, scope)
        return current

    def inside(self, op: Op, scope: frozenset[Value]) -> Op:
        blocks = tuple(self.block(b, scope) for b in op.blocks)
        return with_blocks(op, blocks)

    def forwarded(self, block: Block, alloc: Op, scope: frozenset[Value]) -> Block:
        """The block with what is added to the shadow added to where it is emptied, if there is such a place."""
        shadow = alloc.result
        start = next(k for k, op in enumerate(block.ops) if alloc.result in op.results)
        end, emptying = next(
            ((k, e) for k, op in enumerate(block.ops) if (e := self.emptying(op, shadow)) is not None), (0, None)
        )
        if emptying is None or not self.only_added(block, block.ops[start + 1 : end], shadow, emptying):
            return block
        known = scope.union(block.parameters, (r for op in block.ops[:start] for r in op.results))
        if any(isinstance(x, Value) and x not in known | set(emptying.counters) for x in emptying.target.operands[:-1]):
            return block
        rest = Block((), block.ops[start + 1 : end], ())
        moved = rewrite_block(rest, {}, lambda op: self.redirected(op, shadow, emptying))
        ops = (*block.ops[: start + 1], *moved.ops, *block.ops[end + 1 :])
        return Block(block.parameters, ops, block.yields)

    def emptying(self, op: Op, shadow: Value) -> _Emptying | None:
        counters: list[Value] = []
        nest = op
        while op.primitive == "for" and len(op.operands) == 1:
            counters.append(op.blocks[0].parameters[0])
            if len(op.blocks[0].ops) != 1:
                break
            op = op.blocks[0].ops[0]
        if not counters or op.primitive != "for":
            return None
        return self.match(nest, op.blocks[0].ops, tuple(counters), shadow)

    def match(self, nest: Op, ops: Sequence[Op], counters: tuple[Value, ...], shadow: Value) -> _Emptying | None:
        """``load(shadow, *counters)``, perhaps ``neg``, and ``accumulate``, with nothing else."""
        if not 2 <= len(ops) <= 3 or ops[0].primitive != "load" or ops[0].operands[0] is not shadow:
            return None
        load, *negation, target = ops
        if load.operands[1:] != counters or target.primitive != "accumulate" or self.uses[load.result] != 1:
            return None
        if any(n.primitive != "neg" or n.operands[0] is not load.result or self.uses[n.result] != 1 for n in negation):
            return None
        if target.operands[-1] not in (ops[-2].result,) or not self.extents.runs_over(nest, shadow):
            return None
        inner = set(defined(nest.blocks[0])) - set(counters)
        if any(x in inner for x in target.operands[:-1]) or shadow in target.operands:
            return None
        return _Emptying(nest, counters, target, bool(negation))

    def only_added(self, block: Block, ops: Sequence[Op], shadow: Value, emptying: _Emptying) -> bool:
        """In between the shadow is only added to, by its own name, and the target's memory at most added to.

        The uses are counted as the block is now: it may be where other shadows were emptied.
        """
        inner = list(walk_ops(ops))
        adding = [o for o in inner if o.primitive == "accumulate" and o.operands[0] is shadow]
        if len(adding) + 1 != sum(x is shadow for x in used(block)) or not adding:
            return False
        memory = self.sites.sites(emptying.array)
        effects = (Effect.READ, Effect.WRITE, Effect.CALL, Effect.STACK)
        others = (o for o in inner if effect(o.primitive) in effects and o.primitive != "accumulate")
        return not any(self.sites.sites(x) & memory for o in others for x in o.operands)

    def redirected(self, op: Op, shadow: Value, emptying: _Emptying) -> tuple[list[Op], Mapping[Value, Operand]] | None:
        if op.primitive != "accumulate" or op.operands[0] is not shadow:
            return None
        *indices, value = op.operands[1:]
        names = dict(zip(emptying.counters, indices, strict=True))
        place = tuple(renamed(x, names) for x in emptying.indices)
        ops: list[Op] = []
        if emptying.negated:
            negative = Value(value.type)
            ops.append(Op("neg", (value,), (negative,), location=op.location))
            value = negative
        return [*ops, replace(op, operands=(emptying.array, *place, value))], {}
