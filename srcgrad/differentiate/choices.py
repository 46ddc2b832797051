"""The ways to have a forward value again in the reverse sweep, and what each costs.

Costs count as often as their loops are taken to run. Besides storing and recomputing single values there are
five ways that need less: what the program stores itself, and leaves alone, is read from there; a carried integer that
grows by a constant follows from the counter (an *induction*); references that a loop only permutes are permuted
backwards; an array that an iteration reads and does not change afterwards, or has not changed before, is kept whole,
one *row* an iteration, instead of every element read from it; and an array born in an iteration is *expanded*: the
allocation becomes a row of storage.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from srcgrad.analysis.effects import Effects, Touch
from srcgrad.analysis.extents import Dim, Extents, Shape
from srcgrad.analysis.prices import price as price_of_scalar
from srcgrad.differentiate.cut import NEVER, Choice
from srcgrad.differentiate.nests import Level, known_before
from srcgrad.ir.core import LOOPS, Block, Const, Op, Operand, Value, captured, first_carried, walk
from srcgrad.ir.types import INDEX, Array, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect

TRIPS = 8  # how often a loop of unknown count is taken to run, when costs are compared
DEPTH = 5  # deeper loops count like this one
STREAMED, CACHED = 15, 6  # storing a scalar through memory, or in cache
MERGED = 3  # having it as a result of a branch, around which there is no loop
DEAR = 4  # the price of a division: to read is cheaper
READ = 2  # part of that, but of a row, whose elements are read by loads that have a price of their own
REFERENCE, EXPANDED = 60, 8  # storing a reference, or making an allocation a row of storage


@dataclass(frozen=True)
class Facts:
    """What the choices rest on."""

    effects: Effects
    extents: Extents
    escaping: frozenset[Value]  # sites whose references are carried, merged or stacked
    owner: dict[Value, Level]
    home: Block


@dataclass(frozen=True)
class Row:
    """An array as it stands at the end of each iteration of a level, or at its start."""

    array: Value
    level: Level
    shape: Shape
    at_start: bool


@dataclass
class Ways:
    """How values are had again that are neither stored alone nor recomputed by their own op."""

    inductions: dict[Value, tuple[Operand, Operand]] = field(default_factory=dict)  # initial value, step
    permuted: dict[Value, tuple[int, int]] = field(default_factory=dict)  # own position, position where it is yielded
    expanded: dict[Value, Shape] = field(default_factory=dict)  # the result of an allocation -> its extents
    rows: dict[Value, Row] = field(default_factory=dict)  # a stand-in for each row
    row_of: dict[Value, Value] = field(default_factory=dict)  # the result of a load -> the row it can be read from
    stored: dict[Value, Op] = field(default_factory=dict)  # what the program stores -> the load that reads it there


def choices_of(wanted: Iterable[Value], facts: Facts, *, cached: bool) -> tuple[dict[Value, Choice], Ways]:
    """The choices for all values that the wanted ones may depend on."""
    costs = _Costs(facts, CACHED if cached else STREAMED)
    pending = list(wanted)
    while pending:
        value = pending.pop()
        if value not in costs.choices:
            costs.consider(value)
            pending.extend(costs.choices[value].operands)
    return costs.choices, costs.ways


class _Costs:
    def __init__(self, facts: Facts, scalar_cost: int) -> None:
        self.facts = facts
        self.effects = facts.effects
        self.owner = facts.owner
        self.scalar_cost = scalar_cost
        self.choices: dict[Value, Choice] = {}
        self.ways = Ways()

    def consider(self, value: Value) -> None:
        if value in self.ways.rows:
            row = self.ways.rows[value]
            assert isinstance(row.array.type, Array)
            size = self.times(row.level) * TRIPS**row.array.type.rank
            self.choices[value] = Choice((self.scalar_cost - READ) * size, NEVER, ())
            return
        price, operands = self.recomputing(value)
        inner = tuple(dict.fromkeys(v for v in operands if isinstance(v, Value) and v in self.owner))
        times = self.times(self.owner[value])
        self.choices[value] = Choice(self.storing(value) * times, price * times, inner if price < NEVER else ())

    def times(self, level: Level) -> int:
        return int(TRIPS ** min(len(level.loops), DEPTH))

    def storing(self, value: Value) -> int:
        if not isinstance(value.type, Array):
            return self.scalar_cost if self.owner[value].loops else MERGED
        if any(self.remade(site) for site in self.effects.sites.sites(value)):
            return NEVER
        op = self.effects.definitions.op.get(value)
        if op is None or op.primitive != "alloc" or not self._sized(value, self.owner[value]):
            return REFERENCE
        self.ways.expanded[value] = self.facts.extents.of(value)
        return EXPANDED

    def remade(self, site: Value) -> bool:
        """A shadow that never leaves its block is made in the reverse sweep: nothing of it need be kept."""
        op = self.effects.definitions.op.get(site)
        return op is not None and op.attributes.get("shadow") is True and site not in self.facts.escaping

    def recomputing(self, value: Value) -> tuple[int, tuple[Operand, ...]]:
        """The price of having the value again, and the values it takes."""
        op = self.effects.definitions.op.get(value)
        if op is None or op.primitive == "if" or self.price(op) >= DEAR:
            load = self.stored_by_the_program(value)
            if load is not None:
                self.ways.stored[value] = load
                return 2, load.operands
        if op is None:
            return self.parameter(value)
        if op.primitive == "if":
            return self.branch(op)
        price = self.price(op)
        if price >= NEVER and op.primitive == "load" and (row := self.row(op)) is not None:
            return 2, (row, *op.operands[1:])
        return price, op.operands

    def price(self, op: Op) -> int:
        match effect(op.primitive):
            case Effect.PURE if op.primitive in SCALARS:
                return price_of_scalar(op)
            case Effect.PURE | Effect.CHECK | Effect.VIEW:
                return 2
            case Effect.READ if op.primitive == "load" and not self.effects.may_change(op, self.facts.home):
                return 2
            case Effect.ALLOCATE if self.remade(op.result):
                return 1
        return NEVER

    def stored_by_the_program(self, value: Value) -> Op | None:
        """The load of an element that holds the value and keeps it, if the program stores it in the same block."""
        if not isinstance(value.type, Scalar) or not value.type.dtype.differentiable:
            return None
        for op in self.owner[value].forward.ops:
            if op.primitive != "store" or op.operands[-1] is not value:
                continue
            array, *place = op.operands[:-1]
            assert isinstance(array, Value)
            written = Touch(op, array, tuple(place), self.effects.paths[op])
            if (
                array not in self.owner
                and self._of_integers(place)
                and self.effects.rereadable(written, self.facts.home)
            ):
                return Op("load", op.operands[:-1], (value,), location=op.location)
        return None

    def _of_integers(self, indices: Iterable[Operand]) -> bool:
        """Whether indices depend on integers alone, so that no value read by them can be among what they need."""
        pending, seen = list(indices), set[Operand]()
        while pending:
            x = pending.pop()
            if x in seen or x not in self.owner:
                continue
            seen.add(x)
            if not isinstance(x.type, Scalar) or x.type.dtype.differentiable:
                return False
            op = self.effects.definitions.op.get(x)
            pending += [] if op is None else [*op.operands, *captured(op)]
        return True

    def row(self, load: Op) -> Value | None:
        """The stand-in for the row of the outermost loop from which the load can be read again."""
        array = load.operands[0]
        assert isinstance(array, Value)
        for level in self.owner[load.result].loops:
            visible = array not in self.owner or self.owner[array] in _around(level)
            if not visible or not self._sized(array, level):
                continue
            at_start = self.effects.may_change(load, level.forward)
            if at_start and (self.owner.get(array) is level or self.effects.may_have_changed(load, level.forward)):
                continue
            stand_in = self._stand_in(Row(array, level, self.facts.extents.of(array), at_start))
            self.ways.row_of[load.result] = stand_in
            return stand_in
        return None

    def _sized(self, array: Value, level: Level) -> bool:
        """Whether the storage of a row per iteration can be allocated in front of the nest."""
        counted = all(loop.pair.forward.primitive == "for" for loop in level.loops)
        if not counted or not all(known_before(loop.pair.forward.operands[0], self.owner) for loop in level.loops):
            return False
        return all(
            n.array not in self.owner if isinstance(n, Dim) else known_before(n, self.owner)
            for n in self.facts.extents.of(array)
        )

    def _stand_in(self, row: Row) -> Value:
        for known, other in self.ways.rows.items():
            if row == other:
                return known
        value = Value(row.array.type, row.array.name)
        self.ways.rows[value] = row
        self.owner[value] = row.level
        return value

    def parameter(self, value: Value) -> tuple[int, tuple[Operand, ...]]:
        level = self.owner[value]
        op, block = level.pair.forward, level.forward
        first = first_carried(op)
        position = block.parameters.index(value) - first
        if position < 0:  # the counter
            return 0, ()
        if isinstance(value.type, Array):
            return self.permuted(level, position)
        initial, yielded = op.operands[first + position], block.yields[position]
        step = self.effects.definitions.op.get(yielded) if isinstance(yielded, Value) else None
        if value.type == INDEX and step is not None and step.primitive == "add" and value in step.operands:
            (other,) = [x for x in step.operands if x is not value] or [value]
            if isinstance(other, Const):
                self.ways.inductions[value] = (initial, other)
                return 2, (initial,)
        return NEVER, ()

    def permuted(self, level: Level, position: int) -> tuple[int, tuple[Operand, ...]]:
        """A reference that goes round in a cycle of carries: the mirror runs the cycle backwards."""
        block, op = level.forward, level.pair.forward
        first = first_carried(op)
        carried = block.parameters[first:]
        sources = [carried.index(y) if y in carried else -1 for y in block.yields]
        cycle, k = [position], position
        while sources.count(k) == 1 and (k := sources.index(k)) != position:
            cycle.append(k)
        if k != position or sources.count(position) != 1:
            return NEVER, ()
        for k in cycle:
            self.ways.permuted[carried[k]] = (k, sources.index(k))
        return 1, tuple(op.results[k] for k in cycle)

    def branch(self, op: Op) -> tuple[int, tuple[Operand, ...]]:
        """A branch whose sides only compute scalars can be taken again as a whole."""
        inside = [inner for block in op.blocks for inner in walk(block)]
        if any(isinstance(r.type, Array) for r in op.results) or any(o.primitive in LOOPS for o in inside):
            return NEVER, ()
        prices = [0 if o.primitive == "if" else self.price(o) for o in inside]
        if any(p >= NEVER for p in prices) or any(not o.results for o in inside):
            return NEVER, ()
        return 1 + sum(prices), (op.operands[0], *captured(op))


def _around(level: Level) -> list[Level]:
    """The level and those around it."""
    outer = _around(level.pair.parent) if level.pair.parent else []
    return [*outer, level]
