"""Which values are alive at the same time, and so cannot share a name.

A value interferes with everything alive after it is written; the source of a copy is exempt, because both
sides then hold the same value (Chaitin). A set of values is an int with a bit for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from srcgrad.backend.facts import HEADER
from srcgrad.backend.folding import leaves
from srcgrad.backend.statements import Copies, For, If, Leave, Plain, Return, Statement, While
from srcgrad.ir.core import Function, Op, Operand, Value
from srcgrad.ir.types import Stack

Bits = int


def bits_of(mask: Bits) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass
class Interference:
    """``conflicts[k]``: the values that value number k must not share a name with."""

    folded: dict[Value, Op]
    numbers: dict[Value, int] = field(default_factory=dict)
    conflicts: list[Bits] = field(default_factory=list)
    _upward: dict[Statement, Bits] = field(default_factory=dict)

    def number(self, value: Value) -> int:
        if value not in self.numbers:
            self.numbers[value] = len(self.conflicts)
            self.conflicts.append(0)
        return self.numbers[value]

    def bits(self, values: Iterable[Value]) -> Bits:
        mask = 0
        for value in values:
            if not isinstance(value.type, Stack):  # a stack is a variable of its own from beginning to end
                mask |= 1 << self.number(value)
        return mask

    def reads(self, operands: Sequence[Operand]) -> Bits:
        return self.bits(leaves(operands, self.folded))

    def write(self, target: Value, after: Bits, exempt: Bits = 0) -> None:
        bit = self.bits((target,))
        if not bit:
            return
        others = after & ~bit & ~exempt
        self.conflicts[self.number(target)] |= others
        for other in bits_of(others):
            self.conflicts[other] |= bit

    # Each of these takes what is alive after a statement and gives what is alive before it.

    def sequence(self, statements: Sequence[Statement], after: Bits) -> Bits:
        for statement in reversed(statements):
            after = self.statement(statement, after)
        return after

    def statement(self, statement: Statement, after: Bits) -> Bits:
        match statement:
            case Plain(op):
                return self.plain(op, after)
            case Copies(targets, sources):
                return self.copies(targets, sources, after)
            case For(op, counter, body):
                alive = after | self.upward(statement)
                self.write(counter, alive)
                self.sequence(body, alive)
                return alive | self.reads(op.operands[: HEADER[op.primitive]])
            case While():
                return self.while_(statement, after)
            case If(op, then, otherwise):
                either = self.sequence(then, after) | self.sequence(otherwise, after)
                return either | self.reads(op.operands)
            case Leave(condition):
                return after | self.reads((condition,))
            case Return(values):
                return self.reads(values)

    def plain(self, op: Op, after: Bits) -> Bits:
        results = [r for r in op.results if r not in self.folded]
        written = self.bits(results)
        for result in results:
            self.write(result, after | written)
        return (after & ~written) | self.reads(op.operands)

    def copies(self, targets: Sequence[Value], sources: Sequence[Operand], after: Bits) -> Bits:
        written = self.bits(targets)
        for target, source in zip(targets, sources, strict=True):
            same = isinstance(source, Value) and source not in self.folded
            self.write(target, after | written, self.bits((source,)) if same else 0)  # type: ignore[arg-type]  # a Value
        return (after & ~written) | self.reads(sources)

    def while_(self, loop: While, after: Bits) -> Bits:
        head = after | self.upward(loop)
        inside = self.sequence(loop.body, head)
        return self.sequence(loop.test, after | inside | self.reads((loop.condition,)))

    def upward(self, loop: For | While) -> Bits:
        """What the loop reads from before itself or from its previous iteration.

        Liveness is of the form gen | (after - kill), so that one pass over the body with nothing alive after it
        gives the fixed point of the loop.
        """
        if loop not in self._upward:
            probe = Interference(self.folded, self.numbers, [0] * len(self.conflicts), self._upward)
            self._upward[loop] = probe.probe(loop)
            self.conflicts += [0] * (len(probe.conflicts) - len(self.conflicts))
        return self._upward[loop]

    def probe(self, loop: For | While) -> Bits:
        if isinstance(loop, For):
            return self.sequence(loop.body, 0) & ~self.bits((loop.counter,))
        inside = self.sequence(loop.body, 0)
        return self.sequence(loop.test, inside | self.reads((loop.condition,)))


def interference(function: Function, statements: Sequence[Statement], folded: dict[Value, Op]) -> Interference:
    found = Interference(folded)
    alive = found.sequence(statements, 0)
    parameters = found.bits(function.parameters)
    for parameter in function.parameters:
        found.write(parameter, alive | parameters)
    return found
