"""How the reverse sweep has the values of the forward sweep again: the one place that decides.

``reverse`` names forward values freely. Here each is visible already, read again, recomputed or stored: a minimum
cut (``cut``) decides over a whole nest of loops and branches at once, and ``keep`` writes the decision down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from srcgrad.analysis.effects import Effects
from srcgrad.differentiate.cut import NEVER, Choice, cheapest
from srcgrad.differentiate.keep import keep
from srcgrad.differentiate.nests import Level, matched, needed, owners, pair_up
from srcgrad.differentiate.regions import remove_marks
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, captured, walk
from srcgrad.ir.types import INDEX, Array
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect

TRIPS = 8  # how often a loop of unknown count is taken to run, when costs are compared
DEPTH = 5  # deeper loops count like this one
STREAMED, CACHED, REFERENCE = 15, 4, 60  # storing a scalar through memory, in cache, a reference


def recall(function: Function) -> Function:
    """Bring every forward value that the reverse sweep uses into its scope."""
    effects = Effects(function)
    body = _Recall(function, effects).block(function.body, function.body)
    return remove_marks(replace(function, body=body))


class _Recall:
    def __init__(self, function: Function, effects: Effects) -> None:
        self.function = function
        self.effects = effects
        self.escaping = leaving_sites(function, effects)

    def block(self, block: Block, original: Block) -> Block:
        """Homes inside first: what they need of outer levels is then seen there."""
        ops = [self.op(op) for op in block.ops]
        changed = any(a is not b for a, b in zip(ops, block.ops, strict=True))
        current = Block(block.parameters, tuple(ops), block.yields) if changed else block
        for forward, mirror in matched(current, current):
            current = self.nest(current, original, forward, mirror)
        return current

    def op(self, op: Op) -> Op:
        blocks = tuple(self.block(b, b) for b in op.blocks)
        return op if all(a is b for a, b in zip(blocks, op.blocks, strict=True)) else replace(op, blocks=blocks)

    def nest(self, block: Block, home: Block, forward: Op, mirror: Op) -> Block:
        pair = pair_up(forward, mirror, None)
        owner = owners(pair)
        wanted = needed(pair, owner)
        if not wanted:
            return block
        costs = _Costs(self.effects, self.escaping, owner, home, cached=home is not self.function.body)
        choices = costs.choices(wanted)
        stored, recomputed = cheapest(choices, wanted)
        before, new_forward, new_mirror = keep(pair, owner, stored, recomputed, costs.inductions)
        ops: list[Op] = []
        for op in block.ops:
            if op is forward:
                ops.extend((*before, new_forward))
            else:
                ops.append(new_mirror if op is mirror else op)
        return Block(block.parameters, tuple(ops), block.yields)


def leaving_sites(function: Function, effects: Effects) -> frozenset[Value]:
    """Sites of which a reference is carried, merged, stacked or passed on: other names for it are kept, not remade."""
    leaving: set[Value] = set()
    for op in walk(function.body):
        yielded: Iterable[Operand] = (y for b in op.blocks for y in b.yields)
        passed = op.operands if effect(op.primitive) in (Effect.CONTROL, Effect.STACK) else ()
        for operand in (*yielded, *passed):
            leaving |= effects.sites.sites(operand)
    return frozenset(leaving)


class _Costs:
    """What storing and recomputing each value of a nest costs, and what recomputing it takes."""

    def __init__(
        self, effects: Effects, escaping: frozenset[Value], owner: dict[Value, Level], home: Block, *, cached: bool
    ) -> None:
        self.effects = effects
        self.escaping = escaping
        self.owner = owner
        self.home = home
        self.scalar_cost = CACHED if cached else STREAMED
        self.inductions: dict[Value, tuple[Operand, Operand]] = {}  # parameter -> initial value and step

    def choices(self, wanted: Iterable[Value]) -> dict[Value, Choice]:
        choices: dict[Value, Choice] = {}
        pending = list(wanted)
        while pending:
            value = pending.pop()
            if value in choices:
                continue
            price, operands = self.recomputing(value)
            inner = tuple(dict.fromkeys(v for v in operands if isinstance(v, Value) and v in self.owner))
            times = TRIPS ** min(len(self.owner[value].loops), DEPTH)
            choices[value] = Choice(self.storing(value) * times, price * times, inner if price < NEVER else ())
            pending.extend(choices[value].operands)
        return choices

    def storing(self, value: Value) -> int:
        if not isinstance(value.type, Array):
            return self.scalar_cost
        sites = self.effects.sites.sites(value)
        return NEVER if any(self.remade(site) for site in sites) else REFERENCE

    def remade(self, site: Value) -> bool:
        """A shadow that never leaves its block is made in the reverse sweep: nothing of it need be kept."""
        op = self.effects.definitions.op.get(site)
        return op is not None and op.attributes.get("shadow") is True and site not in self.escaping

    def recomputing(self, value: Value) -> tuple[int, tuple[Operand, ...]]:
        """The price of having the value again, and the values it takes."""
        op = self.effects.definitions.op.get(value)
        if op is None:
            return self.parameter(value)
        if op.primitive == "if":
            return self.branch(op)
        return self.price(op), op.operands

    def price(self, op: Op) -> int:
        match effect(op.primitive):
            case Effect.PURE if op.primitive in SCALARS:
                return SCALARS[op.primitive].cost
            case Effect.PURE | Effect.CHECK | Effect.VIEW:
                return 2
            case Effect.READ if op.primitive == "load" and not self.effects.may_change(op, self.home):
                return 2
            case Effect.ALLOCATE if self.remade(op.result):
                return 1
        return NEVER

    def parameter(self, value: Value) -> tuple[int, tuple[Operand, ...]]:
        """A counter is known; a carried integer that grows by a constant follows from the counter."""
        level = self.owner[value]
        op, block = level.pair.forward, level.forward
        first = 1 if op.primitive == "for" else 0
        position = block.parameters.index(value) - first
        if position < 0:
            return 0, ()
        initial, yielded = op.operands[first + position], block.yields[position]
        step = self.effects.definitions.op.get(yielded) if isinstance(yielded, Value) else None
        if value.type == INDEX and step is not None and step.primitive == "add" and value in step.operands:
            (other,) = [x for x in step.operands if x is not value] or [value]
            if isinstance(other, Const):
                self.inductions[value] = (initial, other)
                return 2, (initial,)
        return NEVER, ()

    def branch(self, op: Op) -> tuple[int, tuple[Operand, ...]]:
        """A branch whose sides only compute scalars can be taken again as a whole."""
        inside = [inner for block in op.blocks for inner in walk(block)]
        if any(isinstance(r.type, Array) for r in op.results) or any(o.primitive in ("for", "while") for o in inside):
            return NEVER, ()
        prices = [0 if o.primitive == "if" else self.price(o) for o in inside]
        if any(p >= NEVER for p in prices) or any(not o.results for o in inside):
            return NEVER, ()
        return 1 + sum(prices), (op.operands[0], *captured(op))
