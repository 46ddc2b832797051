"""What differs between the iterations of a loop that are to run side by side, and whether they may."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.sums import only_sums, partial_sums
from srcgrad.analysis.unconditional import always_in_range
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, definitions, index, same, used, walk
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives.table import Effect, effect


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


def facts_of(loop: Op, program: Program) -> Facts | None:
    """The facts of a loop whose iterations may run side by side; None for any other."""
    if loop.primitive != "for" or not only_sums(loop):
        return None
    body = loop.blocks[0]
    private = frozenset(op.result for op in walk(body) if op.primitive == "alloc")
    facts = Facts(loop, program, private, partial_sums(loop))
    if any(isinstance(v.type, Scalar) and v.type.dtype.kind == "c" for v in defined(body)):
        return None
    _spread(facts)
    return facts if _each_can_be_widened(facts, body, ()) and _exchange_nothing(facts) else None


def _spread(facts: Facts) -> None:
    """Fill ``varying``: the least set that holds the counter and what is computed from it, but for the sums."""
    facts.varying.add(facts.counter)
    known = -1
    while known != len(facts.varying):
        known = len(facts.varying)
        _spread_through(facts, facts.body)


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


def _each_can_be_widened(facts: Facts, block: Block, masks: tuple[Op, ...]) -> bool:
    return all(_can_be_widened(facts, op, masks) for op in block.ops)


def _can_be_widened(facts: Facts, op: Op, masks: tuple[Op, ...]) -> bool:
    """``masks`` are the branches around the op that lanes take differently, outermost first."""
    match effect(op.primitive):
        case Effect.PURE:
            return True
        case Effect.CHECK:
            return not masks
        case Effect.GUARD:
            return True
        case Effect.ALLOCATE:
            return not masks and not any(facts.differs(n) for n in op.operands)
        case Effect.VIEW:
            same = not any(facts.differs(x) for x in op.operands[1:])
            whole = facts.program.sites.sites(op.operands[0]) <= facts.private or not facts.is_private(op.operands[0])
            return same and whole and not masks
        case Effect.READ | Effect.WRITE:
            return _access_can_be_widened(facts, op, masks)
        case Effect.CONTROL:
            return _control_can_be_widened(facts, op, masks)
    return False


def _access_can_be_widened(facts: Facts, op: Op, masks: tuple[Op, ...]) -> bool:
    sites = facts.program.sites.sites(op.operands[0])
    if not (sites <= facts.private or sites.isdisjoint(facts.private)):
        return False
    if not masks:
        return True
    if all(mask.primitive != "if" for mask in masks):  # some lane is active, and does the same
        return not any(facts.differs(x) for x in indices(op))
    return op in facts.program.safe and all(mask.primitive == "if" for mask in masks)


def _control_can_be_widened(facts: Facts, op: Op, masks: tuple[Op, ...]) -> bool:
    if op.primitive == "for":
        carried_arrays = any(isinstance(r.type, Array) and not facts.is_private(r) for r in op.results)
        if carried_arrays or (facts.parts(op) and not _may_part(facts, op)):
            return False
        return _each_can_be_widened(facts, op.blocks[0], (*masks, op) if facts.parts(op) else masks)
    if op.primitive == "while":
        scalars = all(isinstance(r.type, Scalar) for r in op.results)
        return scalars and facts.parts(op) and all(_each_can_be_widened(facts, b, (*masks, op)) for b in op.blocks)
    if op.primitive == "if":
        if any(not isinstance(r.type, Scalar) for r in op.results):
            return False
        inner = (*masks, op) if facts.parts(op) or masks else ()
        return all(_each_can_be_widened(facts, b, inner) for b in op.blocks)
    return False


def _may_part(facts: Facts, loop: Op) -> bool:
    """Whether lanes may run a ``for`` of different lengths: its counter is used as it is, or only mirrored."""
    mirrored = facts.mirrored(loop)
    counter = loop.blocks[0].parameters[0]
    others = [v for v in used(loop.blocks[0]) if v is counter]
    if not all(isinstance(r.type, Scalar) for r in loop.results):
        return False  # arrays that change places would do so in some lanes only
    return len(others) in (len(mirrored), 0) or not mirrored


def _exchange_nothing(facts: Facts) -> bool:
    """Whether what one iteration writes no other reads or overwrites: shared memory takes sums, or own elements."""
    accesses: dict[Value, list[Op]] = {}
    for op in walk(facts.body):
        if effect(op.primitive) in (Effect.READ, Effect.WRITE):
            for site in facts.program.sites.sites(op.operands[0]) - facts.private:
                accesses.setdefault(site, []).append(op)
    return all(
        all(op.primitive == "load" for op in ops)
        or all(op.primitive == "accumulate" for op in ops)
        or _own_elements(facts, site, ops)
        for site, ops in accesses.items()
    )


def _own_elements(facts: Facts, site: Value, ops: list[Op]) -> bool:
    """Whether all accesses have the counter itself for their index along one axis."""
    if any(op.operands[0] is not site for op in ops):
        return False
    assert isinstance(site.type, Array)
    return any(all(indices(op)[axis] is facts.counter for op in ops) for axis in range(site.type.rank))


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
