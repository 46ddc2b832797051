"""Multiply adjoints last, so that what an iteration has from the one before goes through few operations.

In a loop that carries a recurrence, such as the adjoint of a Runge-Kutta method, each iteration waits for the one
before; what does not depend on that can be computed meanwhile. A sum of products takes each *late* factor once, times
the sum of what it is multiplied by. The case is ``benchmarks/problems/lotka_volterra.py``; products and sums are
reassociated. That is done to adjoints alone: a recurrence of the user's may add up what is lost to rounding.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(a: f64[:], b: f64[:], n: i64):
...     with for_(n, 1.0, adjoint=True) as (y,):
...         def _(i: i64, x: f64):
...             p: f64 = load(a, i)
...             q: f64 = load(b, i)
...             u: f64 = mul(p, x)
...             v: f64 = mul(q, u)
...             w: f64 = mul(q, x)
...             z: f64 = sub(v, w)
...             yield z
...     return y
... '''
>>> print(to_text(remove_dead(shorten_recurrences(parse(before, infer)))))
def f(a: f64[:], b: f64[:], n: i64):
    with for_(n, 1.0, adjoint=True) as (y,):
        def _(i: i64, x: f64):
            p: f64 = load(a, i)
            q: f64 = load(b, i)
            _1: f64 = mul(q, p)
            _2: f64 = sub(_1, q)
            z: f64 = mul(_2, x)
            yield z
    return y
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.sums import sums
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Op, Operand, Value, captured, used, walk
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Scalar
from srcgrad.primitives.table import new_builder


def shorten_recurrences(function: Function) -> Function:
    if not any(_recurrent(op) for op in walk(function.body)):
        return function
    uses = Counter(used(function.body))
    return replace(function, body=_block(function.body, uses))


def _block(block: Block, uses: Mapping[Value, int]) -> Block:
    ops = []
    for op in block.ops:
        inner = with_blocks(op, [_block(b, uses) for b in op.blocks])
        recurrent = _recurrent(op)
        if recurrent:
            body = _Body(inner.blocks[0], recurrent, uses).shortened()
            inner = with_blocks(inner, [body])
        ops.append(inner)
    return with_ops(block, ops)


def _recurrent(op: Op) -> list[Value]:
    """The adjoints that a mirror loop carries other than as sums."""
    if "adjoint" not in op.attributes or len(op.operands) == 1:
        return []
    added = set(sums(op))
    carried = enumerate(op.blocks[0].parameters[1:])
    return [p for k, p in carried if k not in added and _is_real(p)]


def _is_real(operand: Operand) -> bool:
    return isinstance(operand.type, Scalar) and operand.type.dtype.kind == "f"


@dataclass(frozen=True)
class _Term:
    """A part of a sum: early factors, or none, times a late one."""

    negative: bool
    early: tuple[Operand, ...]
    late: Operand
    depth: int  # products that the late factor goes through

    def negated(self) -> _Term:
        return replace(self, negative=not self.negative)


@dataclass
class _Body:
    """The body of a loop, and how many operations each value is behind what the loop carries."""

    block: Block
    recurrent: Sequence[Value]
    uses: Mapping[Value, int]
    made: dict[Value, Op] = field(init=False)
    lateness: dict[Operand, int] = field(init=False)

    def __post_init__(self) -> None:
        self.made = {r: op for op in self.block.ops for r in op.results}
        self.lateness = dict.fromkeys(self.recurrent, 0)
        for op in self.block.ops:
            behind = [self.lateness[x] for x in (*op.operands, *captured(op)) if x in self.lateness]
            if behind:
                self.lateness.update(dict.fromkeys(op.results, 1 + max(behind)))

    def shortened(self) -> Block:
        inner = {x for op in self.block.ops if self.is_sum(op) for x in op.operands if self.continues(x)}
        ops: list[Op] = []
        for op in self.block.ops:
            terms = self.terms(op.result) if self.is_sum(op) and op.result not in inner else []
            groups = _grouped(terms)
            if any(len(group) > 1 or group[0].depth > 1 for group in groups):
                ops += self.built(op, groups)
            else:
                ops.append(op)
        return with_ops(self.block, ops)

    def is_sum(self, op: Op) -> bool:
        return op.primitive in ("add", "sub", "neg") and _is_real(op.result) and op.result in self.lateness

    def continues(self, operand: Operand) -> bool:
        """Whether an operand of a sum is a sum itself, of no other use."""
        op = self.made.get(operand) if isinstance(operand, Value) else None
        return op is not None and self.is_sum(op) and self.uses[op.result] == 1

    def terms(self, value: Operand, *, root: bool = True) -> list[_Term]:
        if not isinstance(value, Value) or not (root or self.continues(value)):
            return [self.product(value)]
        op = self.made[value]
        found = [self.terms(x, root=False) for x in op.operands]
        if op.primitive != "add":
            found[-1] = [term.negated() for term in found[-1]]
        return [term for part in found for term in part]

    def product(self, value: Operand) -> _Term:
        """Its one late factor, found through products and signs, and the early ones."""
        op = self.made.get(value) if isinstance(value, Value) else None
        if op is not None and value in self.lateness:
            if op.primitive == "neg":
                return self.product(op.operands[0]).negated()
            early = [x for x in op.operands if x not in self.lateness]
            if op.primitive == "mul" and len(early) == 1:
                (late,) = (x for x in op.operands if x in self.lateness)
                inner = self.product(late)
                return replace(inner, early=(*early, *inner.early), depth=inner.depth + 1)
        return _Term(False, (), value, 0)

    def built(self, op: Op, groups: Iterable[Sequence[_Term]]) -> list[Op]:
        """The sum of the groups, the one that is known last added last."""
        builder = new_builder()
        builder.open()
        builder.location = op.location
        known = sorted(groups, key=lambda group: self.lateness.get(group[0].late, -1))
        parts = [self.part(builder, group) for group in known]
        total: Operand | None = None
        for negative, part in parts:
            total = _added(builder, total, negative, part)
        assert isinstance(total, Value)
        ops = list(builder.close().ops)
        return [*ops[:-1], replace(ops[-1], results=op.results)]

    def part(self, builder: Builder, group: Sequence[_Term]) -> tuple[bool, Operand]:
        """The sum of a group's terms, and whether it is to be subtracted."""
        first = group[0]
        if not first.early:
            return first.negative, first.late
        factor: Operand | None = None
        for term in group:
            product = term.early[0]
            for x in term.early[1:]:
                product = builder("mul", product, x)
            factor = _added(builder, factor, term.negative != first.negative, product)
        assert factor is not None
        return first.negative, builder("mul", factor, first.late)


def _added(builder: Builder, total: Operand | None, negative: bool, part: Operand) -> Operand:
    if total is None:
        return builder("neg", part) if negative else part
    return builder("sub" if negative else "add", total, part)


def _grouped(terms: Iterable[_Term]) -> list[list[_Term]]:
    """Terms with one late factor together; what is no product stays alone."""
    groups: dict[object, list[_Term]] = {}
    for k, term in enumerate(terms):
        groups.setdefault(term.late if term.early else k, []).append(term)
    return list(groups.values())
