"""Accesses to memory: in the coordinates of the array behind all views, with affine indices.

Here, too: which op gives each value of a function, and which blocks are around it.
"""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.analysis.affine import Affine, affine
from srcgrad.analysis.views import behind
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, definitions
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect


class Definitions:
    """By which op each value of a function is defined."""

    def __init__(self, function: Function) -> None:
        self.op = definitions(function.body)
        self._forms: dict[Value, Affine] = {}

    def affine(self, operand: Operand) -> Affine:
        """The affine form of an integer operand."""
        if isinstance(operand, Const):
            return affine(operand, self.op)
        if operand not in self._forms:
            self._forms[operand] = affine(operand, self.op)
        return self._forms[operand]

    def root(self, array: Value) -> Value:
        """The reference behind all views."""
        while (op := self.op.get(array)) is not None and effect(op.primitive) is Effect.VIEW:
            array = _source(op)
        return array

    def access(self, array: Value, indices: tuple[Operand, ...] | None) -> Access:
        """The element, or all of them, in the coordinates of the root; ``None`` for an axis not known to be affine."""
        assert isinstance(array.type, Array)
        forms: list[Affine | None] = [None] * array.type.rank if indices is None else [self.affine(i) for i in indices]
        while (op := self.op.get(array)) is not None and effect(op.primitive) is Effect.VIEW:
            array = _source(op)
            forms = self._through(op, forms, array)
        return Access(array, tuple(forms))

    def _through(self, view: Op, forms: list[Affine | None], source: Value) -> list[Affine | None]:
        if view.primitive == "reshape":
            assert isinstance(source.type, Array)
            return [None] * source.type.rank
        return behind(view, forms, self.affine, self._along)

    def _along(self, start: Operand, step: Operand, form: Affine | None) -> Affine | None:
        stride = self.affine(step)
        return self.affine(start) + form * stride.constant if form is not None and stride.is_constant else None


def _source(view: Op) -> Value:
    source = view.operands[0]
    assert isinstance(source, Value)
    return source


@dataclass(frozen=True)
class Access:
    """An element of memory: the reference behind all views, and an affine form (or None) per axis of it."""

    root: Value
    indices: tuple[Affine | None, ...]


def indices(op: Op) -> tuple[Operand, ...]:
    """The indices of a load, store or accumulate."""
    return op.operands[1:] if op.primitive == "load" else op.operands[1:-1]


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
