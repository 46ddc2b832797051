"""Add up what a sum has several times by one multiplication: ``(c + t) + t`` is ``c + 2 * t``.

The adjoint of ``x * x * x`` sends ``x`` three products of the same factors, in three different orders. The case is
``benchmarks/problems/lennard_jones.py``. Terms of opposite signs stay: what is left of ``(x + h) - x`` is meant.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64, square: f64, ct: f64):
...     a: f64 = mul(square, ct)
...     b: f64 = mul(x, ct)
...     c: f64 = mul(x, b)
...     d: f64 = mul(b, x)
...     s: f64 = add(a, c)
...     x_bar: f64 = add(s, d)
...     return x_bar
... '''
>>> print(to_text(remove_dead(collect_terms(parse(before, infer)))))
def f(x: f64, square: f64, ct: f64):
    a: f64 = mul(square, ct)
    b: f64 = mul(x, ct)
    c: f64 = mul(x, b)
    _1: f64 = mul(2.0, c)
    x_bar: f64 = add(a, _1)
    return x_bar
<BLANKLINE>
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, constant, used
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Scalar
from srcgrad.primitives.table import new_builder

MANY = 16  # terms or factors: what has more was not made by a derivative


def collect_terms(function: Function) -> Function:
    body = _in_block(function.body, Counter(used(function.body)))
    return function if body is function.body else replace(function, body=body)


def _in_block(block: Block, uses: Mapping[Value, int]) -> Block:
    sums = _Sums({r: op for op in block.ops for r in op.results}, uses)
    inner = {x for op in block.ops if _is_sum(op) for x in op.operands if sums.continues(x)}
    ops: list[Op] = []
    for op in block.ops:
        if not _is_sum(op) or op.result in inner:
            ops.append(with_blocks(op, [_in_block(b, uses) for b in op.blocks]))
        else:
            ops += _collected(op, list(sums.terms(op)))
    return with_ops(block, ops)


def _is_sum(op: Op) -> bool:
    return op.primitive in ("add", "sub") and not op.attributes and _is_real(op.result)


def _is_real(operand: Operand) -> bool:
    return isinstance(operand.type, Scalar) and operand.type.dtype.kind == "f"


@dataclass(frozen=True)
class _Term:
    """Part of a sum: what is added or subtracted, and the constant and the other factors that it is the product of."""

    negative: bool
    value: Operand
    constant: float
    factors: frozenset[tuple[Operand, int]]

    @property
    def kind(self) -> object:
        """What terms that can be added up have in common."""
        return (self.negative, self.constant < 0.0, self.factors)


@dataclass(frozen=True)
class _Sums:
    made: Mapping[Value, Op]  # in this block
    uses: Mapping[Value, int]

    def continues(self, operand: Operand) -> bool:
        """Whether an operand of a sum is a sum itself, of no other use."""
        op = self.made.get(operand) if isinstance(operand, Value) else None
        return op is not None and _is_sum(op) and self.uses[op.result] == 1

    def terms(self, op: Op, negative: bool = False) -> Iterator[_Term]:
        for x, flips in zip(op.operands, (False, op.primitive == "sub"), strict=True):
            if self.continues(x):
                yield from self.terms(self.made[x], negative != flips)  # type: ignore[index]  # no Const continues
            else:
                constants, factors = self.product(x)
                yield _Term(negative != flips, x, constants, frozenset(Counter(factors).items()))

    def product(self, operand: Operand) -> tuple[float, list[Operand]]:
        """The constant factor, and the others."""
        if isinstance(operand, Const):
            return float(operand.value.real), []
        op = self.made.get(operand) if isinstance(operand, Value) else None
        if op is None or op.primitive not in ("mul", "neg") or not _is_real(op.result):
            return 1.0, [operand]
        parts = [self.product(x) for x in op.operands]
        factors = [x for _, found in parts for x in found]
        if len(factors) > MANY:
            return 1.0, [operand]
        number = -1.0 if op.primitive == "neg" else 1.0
        for found, _ in parts:
            number *= found
        return number, factors


def _collected(root: Op, terms: Sequence[_Term]) -> list[Op]:
    groups: dict[object, list[_Term]] = {}
    for term in terms:
        groups.setdefault(term.kind, []).append(term)
    alike = [group for group in groups.values() if len(group) > 1 and _may_be_one(group)]
    if len(terms) > MANY or not alike:
        return [root]
    builder = new_builder()
    builder.open()
    builder.location = root.location
    parts = [part for group in groups.values() for part in (_part(builder, group) if group in alike else group)]
    total: Operand = parts[0].value
    if parts[0].negative:
        total = builder("neg", total)
    for part in parts[1:]:
        total = builder("sub" if part.negative else "add", total, part.value)
    ops = list(builder.close().ops)
    return [*ops[:-1], replace(ops[-1], results=root.results)]


def _may_be_one(group: Sequence[_Term]) -> bool:
    """Whether a multiple of the first is the same; 0 times infinity, and infinity times a number, are of their own."""
    return bool(group[0].factors) and all(math.isfinite(term.constant) and term.constant != 0.0 for term in group)


def _part(builder: Builder, group: Sequence[_Term]) -> list[_Term]:
    """The terms of a group as one: a multiple of the first."""
    first = group[0]
    assert isinstance(first.value, Value) and isinstance(first.value.type, Scalar)
    times = constant(sum(term.constant for term in group) / first.constant, first.value.type.dtype)
    return [replace(first, value=builder("mul", times, first.value))]
