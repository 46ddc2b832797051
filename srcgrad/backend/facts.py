"""What is plain to see of a value from how it is defined: its sign, the memory it points into, its aliases."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.ir.core import Const, Function, Op, Operand, Value, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect

GROWING = frozenset({"add", "mul", "floordiv", "mod"})


@dataclass(frozen=True)
class Facts:
    definitions: dict[Value, Op]  # of each result, its op; parameters of blocks have none
    counters: frozenset[Value]  # of counted loops
    parameters: frozenset[Value]  # of the function

    def nonnegative(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return not isinstance(operand.value, complex) and operand.value >= 0
        if operand in self.counters:
            return True
        op = self.definitions.get(operand)
        match op.primitive if op else "":
            case "dim":
                return True
            case "check_index":
                return True
            case "max":
                return any(map(self.nonnegative, op.operands))  # type: ignore[union-attr]  # matched
            case name if name in GROWING or name == "min":
                return all(map(self.nonnegative, op.operands))  # type: ignore[union-attr]  # matched
        return False

    def alias(self, op: Op) -> Operand | None:
        """The operand that the op's result is but another name for."""
        if op.primitive == "relax" or (op.primitive == "check_index" and self.nonnegative(op.operands[0])):
            return op.operands[0]
        return None

    def may_alias(self, a: Operand, b: Operand) -> bool:
        assert isinstance(a.type, Array) and isinstance(b.type, Array)
        if a.type.dtype != b.type.dtype:
            return False
        first, second = self.root(a), self.root(b)
        return first is None or second is None or first is second

    def root(self, reference: Operand) -> Value | None:
        """The allocation or parameter that a reference points into, where it is plain to see.

        Distinct allocations are distinct memory, and parameters that are written to do not overlap.
        """
        assert isinstance(reference, Value)
        while (op := self.definitions.get(reference)) is not None:
            if effect(op.primitive) is Effect.ALLOCATE:
                return reference
            if effect(op.primitive) is not Effect.VIEW:
                return None
            source = op.operands[0]
            assert isinstance(source, Value)
            reference = source
        return reference if reference in self.parameters else None


def facts_of(function: Function) -> Facts:
    definitions: dict[Value, Op] = {}
    counters: set[Value] = set()
    for op in walk(function.body):
        definitions.update((value, op) for value in op.results)
        if op.primitive == "for":
            counters.add(op.blocks[0].parameters[0])
    return Facts(definitions, frozenset(counters), frozenset(function.parameters))
