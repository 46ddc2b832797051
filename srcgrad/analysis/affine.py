"""Index expressions as affine forms, and array accesses in the coordinates of the array behind a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, definitions
from srcgrad.ir.types import Array


@dataclass(frozen=True)
class Affine:
    """``constant + sum(coefficient * value)`` with integer coefficients, none of them zero."""

    terms: Mapping[Value, int]
    constant: int

    def __add__(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            terms[value] = terms.get(value, 0) + coefficient
        return Affine({v: c for v, c in terms.items() if c}, self.constant + other.constant)

    def __mul__(self, factor: int) -> Affine:
        if not factor:
            return Affine({}, 0)
        return Affine({v: c * factor for v, c in self.terms.items()}, self.constant * factor)

    def __sub__(self, other: Affine) -> Affine:
        return self + other * -1

    @property
    def is_constant(self) -> bool:
        return not self.terms


class Definitions:
    """By which op each value of a function is defined."""

    def __init__(self, function: Function) -> None:
        self.op = definitions(function.body)

    def affine(self, operand: Operand, depth: int = 12) -> Affine:
        """The affine form of an integer operand; what is not affine is a term of its own."""
        if isinstance(operand, Const):
            assert isinstance(operand.value, int)
            return Affine({}, int(operand.value))
        op = self.op.get(operand)
        if op is None or depth == 0:
            return Affine({operand: 1}, 0)
        match op.primitive:
            case "add":
                return self.affine(op.operands[0], depth - 1) + self.affine(op.operands[1], depth - 1)
            case "sub":
                return self.affine(op.operands[0], depth - 1) - self.affine(op.operands[1], depth - 1)
            case "neg":
                return self.affine(op.operands[0], depth - 1) * -1
            case "mul":
                left, right = (self.affine(x, depth - 1) for x in op.operands)
                if left.is_constant:
                    return right * left.constant
                if right.is_constant:
                    return left * right.constant
        return Affine({operand: 1}, 0)

    def access(self, array: Operand, indices: tuple[Operand, ...]) -> Access:
        """The element in the coordinates of the root; ``None`` for an axis that is not known to be affine."""
        forms: list[Affine | None] = [self.affine(i) for i in indices]
        while isinstance(array, Value):
            op = self.op.get(array)
            if op is None or op.primitive not in ("slice", "transpose", "expand", "relax", "reshape"):
                break
            forms = self._through_view(op, forms)
            array = op.operands[0]
        assert isinstance(array, Value)
        return Access(array, tuple(forms))

    def _through_view(self, op: Op, forms: list[Affine | None]) -> list[Affine | None]:
        source = op.operands[0].type
        assert isinstance(source, Array)
        match op.primitive:
            case "relax":
                return forms
            case "transpose":
                permutation = op.attributes["permutation"]
                assert isinstance(permutation, tuple)
                return [forms[permutation.index(axis)] for axis in range(source.rank)]
            case "expand":
                added = op.attributes["axes"]
                assert isinstance(added, tuple)
                return [form for k, form in enumerate(forms) if k not in added]
            case "slice":
                return self._through_slice(op, forms)
            case _:
                return [None] * source.rank

    def _through_slice(self, op: Op, forms: list[Affine | None]) -> list[Affine | None]:
        rest, inner = list(op.operands[1:]), list(forms)
        outer: list[Affine | None] = []
        for letter in op.text("axes"):
            if letter == ":":
                outer.append(inner.pop(0))
            elif letter == "i":
                outer.append(self.affine(rest.pop(0)))
            else:
                start, _, step = (rest.pop(0) for _ in range(3))
                form, stride = inner.pop(0), self.affine(step)
                known = form is not None and stride.is_constant
                outer.append(self.affine(start) + form * stride.constant if known and form is not None else None)
        return outer


@dataclass(frozen=True)
class Access:
    """An element of memory: the reference behind all views, and an affine form (or None) per axis of it."""

    root: Value
    indices: tuple[Affine | None, ...]


def scope_of(function: Function) -> dict[Value, tuple[Block, ...]]:
    """For each value the blocks around its definition, outermost first, its own block last."""
    scopes: dict[Value, tuple[Block, ...]] = {}

    def visit(block: Block, around: tuple[Block, ...]) -> None:
        path = (*around, block)
        scopes.update(dict.fromkeys(block.parameters, path))
        for op in block.ops:
            scopes.update(dict.fromkeys(op.results, path))
            for inner in op.blocks:
                visit(inner, path)

    visit(function.body, ())
    return scopes
