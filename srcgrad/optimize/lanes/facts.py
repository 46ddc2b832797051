"""What differs between the iterations of a loop that are to run side by side, and whether they may."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.sums import partial_sums
from srcgrad.analysis.unconditional import always_in_range
from srcgrad.analysis.written import written_sites
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, definitions, index, same, walk
from srcgrad.ir.types import Array, Stack
from srcgrad.optimize.lanes.stacks import StackUse, stack_uses


@dataclass(frozen=True)
class Program:
    """What is known of the whole function."""

    sites: Sites
    definitions: Mapping[Value, Op]
    safe: frozenset[Op]  # accesses that are in range whatever branches are taken
    written: Mapping[Op, frozenset[Value]]  # the sites that an op may write to
    extents: Extents


def program_of(function: Function) -> Program:
    sites = Sites(function)
    written, extents = written_sites(function, sites), Extents(function)
    return Program(sites, definitions(function.body), always_in_range(function), written, extents)


@dataclass
class Facts:
    """A loop, its private memory, and the values that differ from lane to lane."""

    loop: Op
    program: Program
    made: frozenset[Value]  # memory and stacks of the body: each iteration has its own
    sums: frozenset[Value]  # what the loop adds up, on its way through the body: one number for all lanes
    stacks: Mapping[Value, StackUse]  # made in the body
    varying: set[Value] = field(default_factory=set)
    private: set[Value] = field(default_factory=set)  # of what is made in the body: in it may be what differs

    @property
    def body(self) -> Block:
        return self.loop.blocks[0]

    @property
    def directions(self) -> int:
        """How many should be swept at once, of a loop over directions of a derivative; 0 of any other."""
        found = self.loop.attributes.get("directions", 0)
        assert isinstance(found, int)
        return found

    @property
    def counter(self) -> Value:
        return self.body.parameters[0]

    def differs(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.varying

    def is_private(self, operand: Operand) -> bool:
        return not self.program.sites.sites(operand).isdisjoint(self.private)

    def is_outside(self, operand: Operand) -> bool:
        """Whether it is memory that all iterations share."""
        return self.program.sites.sites(operand).isdisjoint(self.made)

    def is_whole(self, operand: Operand) -> bool:
        """Whether all that it may stand for has lanes, or nothing."""
        sites = self.program.sites.sites(operand)
        return sites <= self.private or sites.isdisjoint(self.private)

    def is_common(self, op: Op) -> bool:
        """Whether all lanes do the same by a write or call, and to memory of theirs, so that once is enough."""
        differs = any(self.differs(x) or self.is_private(x) for x in op.operands)
        return not differs and self.program.written.get(op, frozenset()) <= self.made - self.private

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
    stacks = {op.result for op in walk(body) if op.primitive == "stack"}
    made = frozenset(v for v in defined(body) if v in program.sites.birth or v in stacks)
    facts = Facts(loop, program, made, partial_sums(loop), stack_uses(body))
    _spread(facts)
    return facts


def _spread(facts: Facts) -> None:
    """Fill ``varying`` and ``private``: the least sets that hold the counter and what comes of it, but for the sums."""
    facts.varying.add(facts.counter)
    together = _together(facts)
    known = (-1, -1)
    while known != (len(facts.varying), len(facts.private)):
        known = (len(facts.varying), len(facts.private))
        _spread_through(facts, facts.body)
        facts.private.update(*(sites for sites in together if not sites.isdisjoint(facts.private)))
        facts.varying.update(
            stack
            for stack, use in facts.stacks.items()
            if facts.differs(use.push.operands[1]) or use.parts(facts.parts)
        )


def _together(facts: Facts) -> set[frozenset[Value]]:
    """Memory of the body that one reference may stand for, now this and now that: both have lanes, or neither."""
    references = (v for v in defined(facts.body) if isinstance(v.type, Array | Stack))
    return {facts.program.sites.sites(v) & facts.made for v in references}


def _spread_through(facts: Facts, block: Block, parted: bool = False, mirrored: Container[Value] = ()) -> None:
    for op in block.ops:
        for inner in op.blocks:
            own = facts.mirrored(op) if op.primitive == "for" else ()
            _spread_through(facts, inner, parted or facts.parts(op), own)
        match op.primitive:
            case "store" | "accumulate":
                if not writes_alike(facts, op, parted):
                    facts.private.update(facts.program.sites.sites(op.operands[0]) & facts.made)
            case "call":
                _spread_through_call(facts, op, parted)
            case "push":
                _spread_through_push(facts, op, parted)
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


def writes_alike(facts: Facts, op: Op, parted: bool) -> bool:
    """Whether all lanes write the same to the same element, so that memory of theirs stays the same for all."""
    return not parted and not any(facts.differs(x) for x in op.operands[1:])


def _spread_through_call(facts: Facts, op: Op, parted: bool) -> None:
    if parted or any(facts.differs(x) or facts.is_private(x) for x in op.operands):
        facts.private.update(facts.program.written.get(op, frozenset()) & facts.made)
        for result in op.results:
            (facts.private if isinstance(result.type, Array) else facts.varying).add(result)


def _spread_through_push(facts: Facts, op: Op, parted: bool) -> None:
    """A stack with one push and one pop is looked at as a whole."""
    stack, pushed = op.operands
    if stack not in facts.stacks and (parted or facts.differs(pushed)):
        assert isinstance(stack, Value)
        facts.varying.add(stack)


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
