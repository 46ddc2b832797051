"""What to call results that the user has no name for: ``x_i`` for ``x[i]``, ``trips`` for a count, else a letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from srcgrad.backend.facts import Facts
from srcgrad.ir.core import Block, Op, Operand, Value, walk
from srcgrad.ir.types import Array, Scalar

LETTERS = {"i": "k", "u": "k", "b": "c"}


@dataclass(frozen=True)
class Stems:
    facts: Facts
    counts: frozenset[Operand]  # trip counts of loops

    def of(self, value: Value, names: Mapping[Value, str]) -> str:
        """``names`` are those given so far: of all that is defined before the value."""
        op = self.facts.definitions.get(value)
        if value in self.facts.counters:
            return "i"
        if value in self.counts:
            return "trips"
        match op.primitive if op else "", value.type:
            case "dim", _:
                return "n"
            case "load" | "slice", _:
                return self.element(op, names) or self.letter(value)  # type: ignore[arg-type]  # matched
            case "check_index", _:
                return self.name_of(op.operands[0], names) or "k"  # type: ignore[union-attr]  # matched
        return self.letter(value)

    def letter(self, value: Value) -> str:
        if isinstance(value.type, Array):
            return "a"
        return LETTERS.get(value.type.dtype.kind, "t") if isinstance(value.type, Scalar) else "t"

    def element(self, op: Op, names: Mapping[Value, str]) -> str:
        """``x_i`` where the array and the indices have short names."""
        array, *indices = op.operands
        letters = [self.name_of(i, names) for i in indices]
        base = self.name_of(array, names)
        if op.primitive == "slice" and set(op.text("axes")) - set("i:"):
            return f"{base}_view" if base else ""
        short = base and letters and all(1 <= len(x) <= 2 and x.isalpha() for x in letters)
        return f"{base}_{''.join(letters)}" if short else ""

    def name_of(self, operand: Operand, names: Mapping[Value, str]) -> str:
        while isinstance(operand, Value) and (op := self.facts.definitions.get(operand)) is not None:
            alias = self.facts.alias(op)
            if alias is None:
                break
            operand = alias
        return names.get(operand, "") if isinstance(operand, Value) else ""


def stems_of(body: Block, facts: Facts) -> Stems:
    return Stems(facts, frozenset(op.operands[0] for op in walk(body) if op.primitive == "for"))
