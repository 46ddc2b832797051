"""Integer expressions as affine forms: read from ops, computed with, and written as ops again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.ir.types import INDEX

DEPTH = 12  # of expressions that are looked into


@dataclass(frozen=True)
class Affine:
    """``constant + sum(coefficient * value)`` with integer coefficients, none of them zero."""

    terms: Mapping[Value, int]
    constant: int

    def __add__(self, other: Affine | int) -> Affine:
        return self.plus(other, 1)

    def plus(self, other: Affine | int, factor: int) -> Affine:
        """``self + other * factor``."""
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other * factor)
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            total = terms.get(value, 0) + coefficient * factor
            if total:
                terms[value] = total
            else:
                terms.pop(value, None)
        return Affine(terms, self.constant + other.constant * factor)

    def __mul__(self, factor: int) -> Affine:
        if factor == 1:
            return self
        if not factor:
            return Affine({}, 0)
        return Affine({v: c * factor for v, c in self.terms.items()}, self.constant * factor)

    def __sub__(self, other: Affine | int) -> Affine:
        return self.plus(other, -1)

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def without(self, value: Value) -> Affine:
        """The form with the term of a value left out."""
        return Affine({v: c for v, c in self.terms.items() if v is not value}, self.constant)


def affine(operand: Operand, definitions: Mapping[Value, Op], depth: int = DEPTH) -> Affine:
    """The affine form of an integer operand; what is not affine is a term of its own."""
    if isinstance(operand, Const):
        assert isinstance(operand.value, int)
        return Affine({}, int(operand.value))
    op = definitions.get(operand)
    if op is None or depth == 0 or operand.type != INDEX:
        return Affine({operand: 1}, 0)
    match op.primitive:
        case "add" | "sub":
            left, right = (affine(x, definitions, depth - 1) for x in op.operands)
            return left + right if op.primitive == "add" else left - right
        case "neg":
            return affine(op.operands[0], definitions, depth - 1) * -1
        case "mul":
            left, right = (affine(x, definitions, depth - 1) for x in op.operands)
            if left.is_constant:
                return right * left.constant
            if right.is_constant:
                return left * right.constant
    return Affine({operand: 1}, 0)


def as_ops(builder: Builder, form: Affine, operand_of: Callable[[Value], Operand] = lambda value: value) -> Operand:
    """The operand that a form amounts to, what is added first; ``operand_of`` gives that of each term."""
    total: Operand | None = None
    for value, coefficient in sorted(form.terms.items(), key=lambda term: term[1] < 0):
        part = operand_of(value)
        if abs(coefficient) != 1:
            part = builder("mul", index(abs(coefficient)), part)
        if total is None:
            total = part if coefficient > 0 else builder("neg", part)
        else:
            total = builder("add" if coefficient > 0 else "sub", total, part)
    if total is None or not form.constant:
        return index(form.constant) if total is None else total
    return builder("add" if form.constant > 0 else "sub", total, index(abs(form.constant)))
