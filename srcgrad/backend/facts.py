"""What is plain to see of a value from how it is defined: its sign, the memory it points into, its aliases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect

# How many operands a loop prints in its header; the rest are initial values. `range` is made by ranges.py.
HEADER = {"for": 1, "range": 3, "while": 0}
GROWING = frozenset({"add", "mul", "floordiv", "mod"})


@dataclass(frozen=True)
class Facts:
    definitions: dict[Value, Op]  # of each result, its op; parameters of blocks have none
    counters: Mapping[Value, int | None]  # of counted loops, with the least value where it is known
    parameters: frozenset[Value]  # of the function
    depths: Mapping[Value, int]  # of each value defined in a loop, how many loops are around it

    def nonnegative(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return not isinstance(operand.value, complex) and operand.value >= 0
        if operand in self.counters:
            least = self.counters[operand]
            return least is not None and least >= 0
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

    def plainly_nonnegative(self, operand: Operand) -> bool:
        """Does LLVM see it too, from the way the loops around count? (Measured with Numba 0.68.1, LLVM 22.)"""
        if isinstance(operand, Const):
            return True
        if operand in self.counters:
            return self.counters[operand] in (0, 1)
        op = self.definitions.get(operand)
        match op.primitive if op else "":
            case "add" | "mul":
                return all(map(self.plainly_nonnegative, op.operands))  # type: ignore[union-attr]  # matched
            case "sub":
                first, second = op.operands  # type: ignore[union-attr]  # matched
                literal = isinstance(second, Const) and second.value == 1
                return literal and isinstance(first, Value) and self.counters.get(first) == 1
        return False

    def changes_in(self, depth: int, operand: Operand) -> bool:
        """Whether an integer changes from one iteration to the next of the innermost of so many loops."""
        return isinstance(operand, Value) and self.depths.get(operand, 0) >= depth

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
            if op.blocks:  # a merge or a carry, of which the table does not know the back end's own `range`
                return None
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
    counters: dict[Value, int | None] = {}
    for op in walk(function.body):
        definitions.update((value, op) for value in op.results)
        if op.primitive in ("for", "range"):
            counters[op.blocks[0].parameters[0]] = _least(op)
    return Facts(definitions, counters, frozenset(function.parameters), dict(_depths(function.body, 0)))


def _depths(block: Block, depth: int) -> Iterator[tuple[Value, int]]:
    for op in block.ops:
        if depth:
            yield from ((result, depth) for result in op.results)
        inside = depth + (op.primitive in HEADER)
        for inner in op.blocks:
            yield from ((parameter, inside) for parameter in inner.parameters)
            yield from _depths(inner, inside)


def _least(loop: Op) -> int | None:
    """The least value of a loop's counter, where it is a literal."""
    if loop.primitive == "for":
        return 0
    start, stop, step = loop.operands[:3]
    assert isinstance(step, Const) and isinstance(step.value, int)
    bound, offset = (start, 0) if step.value > 0 else (stop, 1)
    return int(bound.value.real) + offset if isinstance(bound, Const) else None
