"""What differs between the iterations of a loop that are to run side by side, and whether they may."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from srcgrad.analysis.sites import Sites
from srcgrad.analysis.sums import partial_sums
from srcgrad.analysis.unconditional import always_in_range
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, definitions, index, same, walk
from srcgrad.optimize.lanes.stacks import StackUse, stack_uses


@dataclass(frozen=True)
class Program:
    """What is known of the whole function."""

    sites: Sites
    definitions: Mapping[Value, Op]
    safe: frozenset[Op]  # accesses that are in range whatever branches are taken


def program_of(function: Function) -> Program:
    return Program(Sites(function), definitions(function.body), always_in_range(function))


@dataclass
class Facts:
    """A loop, its private memory, and the values that differ from lane to lane."""

    loop: Op
    program: Program
    private: frozenset[Value]  # allocations of the body: each iteration has its own
    sums: frozenset[Value]  # what the loop adds up, on its way through the body: one number for all lanes
    stacks: Mapping[Value, StackUse]  # made in the body
    varying: set[Value] = field(default_factory=set)

    @property
    def body(self) -> Block:
        return self.loop.blocks[0]

    @property
    def counter(self) -> Value:
        return self.body.parameters[0]

    def differs(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.varying

    def is_private(self, operand: Operand) -> bool:
        return bool(self.program.sites.sites(operand) & self.private)

    def parts(self, op: Op) -> bool:
        """Whether lanes may take a branch differently, or leave a loop at different times."""
        if op.primitive == "while":
            return self.differs(op.blocks[0].yields[0])
        return op.primitive in ("if", "for") and self.differs(op.operands[0])

    def mirrored(self, loop: Op) -> list[Value]:
        """The values ``trips - 1 - i`` in the body of a ``for``; lanes that part there end together.

        They are then the same for all lanes that are active.
        """
        body = loop.blocks[0]
        mirrored = (op for op in body.ops if op.primitive == "sub" and op.operands[1] is body.parameters[0])
        return [op.result for op in mirrored if self.is_last(op.operands[0], loop.operands[0])]

    def pushes(self, loop: Op) -> bool:
        """Whether lanes push in a loop, on what is made outside of it."""
        return any(loop in {op for op, _ in use.pushed_in} for use in self._in_rows())

    def ends_together(self, loop: Op) -> bool:
        """Whether lanes that run a ``for`` of different lengths end it together, since it runs backwards."""
        popping = any(loop in {op for op, _ in use.popped_in} for use in self._in_rows())
        return popping or bool(self.mirrored(loop))

    def _in_rows(self) -> Iterator[StackUse]:
        return (use for stack, use in self.stacks.items() if self.differs(stack))

    def is_last(self, last: Operand, trips: Operand) -> bool:
        """Whether ``last`` is ``trips - 1``."""
        op = self.definition(last)
        return op is not None and op.primitive == "sub" and same(op.operands[0], trips) and op.operands[1] == index(1)

    def definition(self, operand: Operand) -> Op | None:
        return self.program.definitions.get(operand) if isinstance(operand, Value) else None

    def counts(self, loop: Op, k: int) -> bool:
        """Whether what a ``while`` carries k-th starts and grows alike in all lanes."""
        body = loop.blocks[1]
        step = self.definition(body.yields[k])
        grows = step is not None and step.primitive == "add" and body.parameters[k] in step.operands
        constant = grows and step is not None and any(isinstance(x, Const) for x in step.operands)
        return constant and not self.differs(loop.operands[k])


def facts_of(loop: Op, program: Program) -> Facts:
    """The facts of a counted loop that carries nothing but sums."""
    body = loop.blocks[0]
    private = frozenset(op.result for op in walk(body) if op.primitive == "alloc")
    facts = Facts(loop, program, private, partial_sums(loop), stack_uses(body))
    _spread(facts)
    return facts


def _spread(facts: Facts) -> None:
    """Fill ``varying``: the least set that holds the counter and what is computed from it, but for the sums."""
    facts.varying.add(facts.counter)
    known = -1
    while known != len(facts.varying):
        known = len(facts.varying)
        _spread_through(facts, facts.body)
        facts.varying.update(
            stack
            for stack, use in facts.stacks.items()
            if facts.differs(use.push.operands[1]) or use.parts(facts.parts)
        )


def _spread_through(facts: Facts, block: Block, mirrored: Container[Value] = ()) -> None:
    for op in block.ops:
        for inner in op.blocks:
            _spread_through(facts, inner, facts.mirrored(op) if op.primitive == "for" else ())
        match op.primitive:
            case "for":
                (body,) = op.blocks
                for k, result in enumerate(op.results):
                    apart = facts.parts(op) or facts.differs(op.operands[1 + k]) or facts.differs(body.yields[k])
                    if apart and result not in facts.sums:
                        facts.varying.update((result, body.parameters[1 + k]))
            case "while":
                _spread_through_while(facts, op)
            case "if":
                for k, result in enumerate(op.results):
                    apart = facts.parts(op) or any(facts.differs(b.yields[k]) for b in op.blocks)
                    if apart and result not in facts.sums:
                        facts.varying.add(result)
            case "sub" if op.result in mirrored:
                pass
            case "load":
                if facts.is_private(op.operands[0]) or any(facts.differs(x) for x in op.operands[1:]):
                    facts.varying.add(op.result)
            case "dim":
                pass  # lanes have arrays of one shape
            case _ if any(facts.differs(x) for x in op.operands):
                facts.varying.update(r for r in op.results if r not in facts.sums)


def _spread_through_while(facts: Facts, op: Op) -> None:
    test, body = op.blocks
    for k, result in enumerate(op.results):
        carried = (test.parameters[k], body.parameters[k])
        if facts.differs(op.operands[k]) or facts.differs(body.yields[k]):
            facts.varying.update((result, *carried))
        elif facts.parts(op):
            facts.varying.update((result,) if facts.counts(op, k) else (result, *carried))


def users(block: Block) -> Mapping[Value, list[Op | Block]]:
    """The ops that use each value, and the blocks that yield it."""
    found: dict[Value, list[Op | Block]] = {}
    for op in walk(block):
        for x in op.operands:
            if isinstance(x, Value):
                found.setdefault(x, []).append(op)
        for inner in op.blocks:
            for x in inner.yields:
                if isinstance(x, Value):
                    found.setdefault(x, []).append(inner)
    for x in block.yields:
        if isinstance(x, Value):
            found.setdefault(x, []).append(block)
    return found
