"""An affine form as ops: what a pass emits when it has computed with indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from srcgrad.analysis.affine import Affine
from srcgrad.analysis.index_ranges import IndexRanges
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.rewrite import renamed


@dataclass(frozen=True)
class AffineOps:
    """Emits forms at the builder's cursor, where all their terms are in scope; ``names`` renames terms."""

    builder: Builder
    ranges: IndexRanges
    names: Mapping[Value, Operand]

    def value(self, form: Affine) -> Operand:
        total: Operand | None = None
        for term, coefficient in sorted(form.terms.items(), key=lambda pair: pair[1] < 0):
            total = self._plus(total, self._term(term), coefficient)
        if total is None:
            return index(form.constant)
        if form.constant == 0:
            return total
        return self.builder("add" if form.constant > 0 else "sub", total, index(abs(form.constant)))

    def _plus(self, total: Operand | None, term: Operand, coefficient: int) -> Operand:
        if total is None:
            return term if coefficient == 1 else self.builder("mul", term, index(coefficient))
        size = abs(coefficient)
        part = term if size == 1 else self.builder("mul", term, index(size))
        return self.builder("add" if coefficient > 0 else "sub", total, part)

    def _term(self, term: Value) -> Operand:
        """The value itself, or the extent that a term without a value of its own stands for."""
        dim = self.ranges.dim_of(term)
        if dim is None:
            return renamed(term, self.names)
        return self.builder("dim", renamed(dim.array, self.names), axis=dim.axis)
