"""Integer expressions as sums: constant + coefficient * value + ..., to simplify the bounds of loops and slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.ir.types import INDEX


@dataclass(frozen=True)
class Affine:
    """``constant`` plus each value times its coefficient; no coefficient is zero."""

    terms: Mapping[Value, int]
    constant: int

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        terms = {v: self.terms.get(v, 0) + other.terms.get(v, 0) for v in (*self.terms, *other.terms)}
        return Affine({v: c for v, c in terms.items() if c}, self.constant + other.constant)

    def __mul__(self, factor: int) -> Affine:
        return Affine({v: c * factor for v, c in self.terms.items()}, self.constant * factor) if factor else ZERO

    def __sub__(self, other: Affine | int) -> Affine:
        return self + other * -1

    def without(self, value: Value) -> Affine:
        return Affine({v: c for v, c in self.terms.items() if v is not value}, self.constant)


ZERO = Affine({}, 0)


def affine(operand: Operand, definitions: Mapping[Value, Op]) -> Affine:
    """What an index is made of, as far as sums and products with constants go."""
    if isinstance(operand, Const):
        assert isinstance(operand.value, int)
        return Affine({}, operand.value)
    op = definitions.get(operand)
    if op is not None and operand.type == INDEX:
        match op.primitive:
            case "add":
                return affine(op.operands[0], definitions) + affine(op.operands[1], definitions)
            case "sub":
                return affine(op.operands[0], definitions) - affine(op.operands[1], definitions)
            case "neg":
                return affine(op.operands[0], definitions) * -1
            case "mul":
                parts = [affine(x, definitions) for x in op.operands]
                for this, other in (parts, parts[::-1]):
                    if not other.terms:
                        return this * other.constant
    return Affine({operand: 1}, 0)


def ops_for(sum_: Affine) -> tuple[list[Op], Operand]:
    """Ops that compute a sum, what is added first, and their result."""
    ops: list[Op] = []

    def emit(primitive: str, *operands: Operand) -> Operand:
        ops.append(Op(primitive, operands, (Value(INDEX),)))
        return ops[-1].result

    total: Operand | None = None
    for value, coefficient in sorted(sum_.terms.items(), key=lambda term: term[1] < 0):
        size: Operand = value if abs(coefficient) == 1 else emit("mul", index(abs(coefficient)), value)
        if total is None:
            total = size if coefficient > 0 else emit("neg", size)
        else:
            total = emit("add" if coefficient > 0 else "sub", total, size)
    if total is None:
        return ops, index(sum_.constant)
    if sum_.constant:
        total = emit("add" if sum_.constant > 0 else "sub", total, index(abs(sum_.constant)))
    return ops, total
