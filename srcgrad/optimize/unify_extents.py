"""One name for extents that a check has found to be equal: loops over both may then be one.

What is found to be a literal is that literal. A check in front of a loop, that holds also where it does not run, counts
inside it.

In logistic regression the product with the data, the loss and the adjoint of the product are one loop over the data.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], y: f64[:]):
...     n: i64 = dim(x, axis=0)
...     m: i64 = dim(y, axis=0)
...     c: bool = eq(m, n)
...     check(c, n, m, exception='ValueError', message='extents {0} and {1}')
...     d: f64[:] = alloc(m, dtype=f64, fill='zeros')
...     return d
... '''
>>> print(to_text(unify_extents(parse(before, infer))))
def f(x: f64[:], y: f64[:]):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(y, axis=0)
    c: bool = eq(m, n)
    check(c, n, m, exception='ValueError', message='extents {0} and {1}')
    d: f64[:] = alloc(n, dtype=f64, fill='zeros')
    return d
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, definitions, is_zero, used, walk
from srcgrad.ir.rewrite import renamed, unchanged, with_ops


def unify_extents(function: Function) -> Function:
    if not any(op.primitive == "check" for op in walk(function.body)):
        return function
    made_by = definitions(function.body)
    body = _Pass(made_by, {value: k for k, value in enumerate(made_by)}).block(function.body, _Known({}, ()))
    return function if body is function.body else replace(function, body=body)


@dataclass
class _Known:
    """From checks that were passed on the way to a block: other names of extents, and what holds in loops that run."""

    names: dict[Value, Operand]
    in_loops: tuple[tuple[Operand, Op], ...]  # a trip count, and the comparison that holds where it is positive

    def inside(self) -> _Known:
        return _Known(dict(self.names), self.in_loops)


@dataclass(frozen=True)
class _Pass:
    made_by: Mapping[Value, Op]
    order: Mapping[Operand, int]

    def block(self, block: Block, known: _Known) -> Block:
        """``known`` is changed as checks are passed."""
        seen: set[Operand] = set()  # what was an extent of something already keeps its name
        ops = []
        for op in block.ops:
            ops.append(self.op(op, known))
            if op.primitive == "check":
                self.learn(op, known, seen)
            elif op.primitive in ("for", "alloc"):
                seen.update(op.operands, *(used(inner) for inner in op.blocks))
        yields = tuple(renamed(x, known.names) for x in block.yields)
        new = with_ops(block, tuple(ops))
        return new if unchanged(yields, block.yields) else replace(new, yields=yields)

    def op(self, op: Op, known: _Known) -> Op:
        operands = tuple(renamed(x, known.names) for x in op.operands)
        blocks = tuple(self.block(b, self.running(op, known)) for b in op.blocks)
        if unchanged(operands, op.operands) and unchanged(blocks, op.blocks):
            return op
        return replace(op, operands=operands, blocks=blocks)

    def running(self, op: Op, known: _Known) -> _Known:
        """What is known inside an op: in a loop also what holds only if it runs."""
        inside = known.inside()
        for trips, equal in known.in_loops if op.primitive == "for" else ():
            if trips is op.operands[0]:
                self.equate(equal, inside.names, set())
        return inside

    def learn(self, check: Op, known: _Known, seen: set[Operand]) -> None:
        condition = self.definition(check.operands[0])
        if condition is None:
            return
        if condition.primitive == "eq":
            self.equate(condition, known.names, seen)
        elif condition.primitive == "or_":
            equal, idle = (self.definition(x) for x in condition.operands)
            if equal is None or idle is None or (equal.primitive, idle.primitive) != ("eq", "le"):
                return
            if is_zero(idle.operands[1]):
                known.in_loops = (*known.in_loops, (idle.operands[0], equal))

    def equate(self, equal: Op, names: dict[Value, Operand], seen: set[Operand]) -> None:
        one, other = (renamed(x, names) for x in equal.operands)
        if one is other or not (self.is_extent(one) and self.is_extent(other)):
            return
        kept, left = sorted((one, other), key=lambda extent: self.rank(extent, seen))
        if not isinstance(left, Value):  # literals, which are equal or fail the check
            return
        names[left] = kept
        for name, meaning in names.items():
            if meaning is left:
                names[name] = kept

    def rank(self, extent: Operand, seen: set[Operand]) -> tuple[bool, bool, int]:
        """A literal, or else what was an extent before, or else what was there first."""
        return (not isinstance(extent, Const), extent not in seen, self.order.get(extent, 0))

    def is_extent(self, operand: Operand) -> bool:
        """Whether it is an extent, or a literal one; to become 1 would change the types of arrays."""
        if isinstance(operand, Const):
            return operand.value not in (0, 1)
        op = self.definition(operand)
        return op is not None and op.primitive == "dim"

    def definition(self, operand: Operand) -> Op | None:
        return self.made_by.get(operand) if isinstance(operand, Value) else None
