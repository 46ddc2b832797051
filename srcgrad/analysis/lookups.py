"""Tables in which only some rows are looked up: arrays of which the other rows need not be computed.

``vertices(theta)[seen]`` makes all vertices and keeps those that are seen. Such an array, and those that it is made of
row by row, are a table: each iteration of a loop over its rows reads and writes rows of its own, so that any may be
left out if nobody looks up the row. What is looked up is known before if the numbers of rows are not computed with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_sites
from srcgrad.ir.core import Block, Function, Op, Operand, Value, defined, definitions, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect

HARMLESS = (Effect.PURE, Effect.READ, Effect.VIEW, Effect.ALLOCATE, Effect.WRITE, Effect.CONTROL)


class Side(NamedTuple):
    """A loop or branch, and which of its blocks."""

    op: Op
    block: int


Path = tuple[Side, ...]  # what is around an op, from the outermost in


class Lookup(NamedTuple):
    """The number of a row that is read, and what is around the op that makes it."""

    row: Operand
    around: Path


@dataclass
class Table:
    """Arrays of equally many rows, the loops that make one of another, and what is looked up."""

    arrays: set[Value] = field(default_factory=set)
    loops: set[Op] = field(default_factory=set)
    lookups: list[Lookup] = field(default_factory=list)

    @property
    def counters(self) -> set[Value]:
        return {loop.blocks[0].parameters[0] for loop in self.loops}

    def merge(self, other: Table) -> None:
        self.arrays |= other.arrays
        self.loops |= other.loops
        self.lookups += other.lookups


class Program:
    """What is known of the whole function."""

    def __init__(self, function: Function) -> None:
        self.sites = Sites(function)
        self.written = written_sites(function, self.sites)
        self.extents = Extents(function)
        self.definitions = definitions(function.body)


class _Access(NamedTuple):
    op: Op
    loop: Op | None  # over whose counter the first index runs


class Lookups:
    """The tables among the arrays that are allocated in the body of a loop."""

    def __init__(self, around: Op, program: Program) -> None:
        self.program = program
        (body,) = around.blocks
        self.changed = program.written.get(around, frozenset())
        self.inside = frozenset(defined(body))
        self.paths: dict[Op, Path] = {}
        self._counters: dict[Value, Op] = {}
        made = [op.result for op in body.ops if op.primitive == "alloc" and "shadow" not in op.attributes]
        self._accesses: dict[Value, list[_Access]] = {x: [] for x in made if _rank(x) > 1}
        self._look(body, ())

    def _look(self, block: Block, path: Path) -> None:
        """Record what is around each op, and how arrays are accessed: those that are used otherwise are no tables."""
        self._drop(block.yields)
        for op in block.ops:
            self.paths[op] = path
            if op.primitive == "for":
                self._counters[op.blocks[0].parameters[0]] = op
            others: Sequence[Operand] = op.operands
            if op.primitive in ("load", "store", "accumulate"):
                array, *others = op.operands
                if array in self._accesses:
                    self._accesses[array].append(_Access(op, self._counters.get(op.operands[1])))  # type: ignore[arg-type]  # a counter, or not found
            if op.primitive != "dim":
                self._drop(others)
            for k, inner in enumerate(op.blocks):
                self._look(inner, (*path, Side(op, k)))

    def _drop(self, arrays: Sequence[Operand]) -> None:
        for array in arrays:
            self._accesses.pop(array, None)  # type: ignore[arg-type]  # a Const is not in it

    def tables(self) -> list[Table]:
        """Leave out what is no part of a table until all that is left is."""
        loops = {a.loop for accesses in self._accesses.values() for a in accesses if a.loop is not None}
        loops = set(filter(skips_alone, loops))
        before = -1
        while before != len(self._accesses) + len(loops):
            before = len(self._accesses) + len(loops)
            self._drop([x for x in self._accesses if not self._is_by_rows(x, loops)])
            loops = {loop for loop in loops if all(self._is_own(op, loop) for op in walk(loop.blocks[0]))}
        return self._connected(loops)

    def _is_by_rows(self, array: Value, loops: set[Op]) -> bool:
        """Whether each access is in a loop over the rows, of which there are as many, or looks up a row."""
        extents = self.program.extents
        for access in self._accesses[array]:
            if access.loop is None or access.loop not in loops:
                if access.op.primitive != "load" or self._lookup(access.op) is None:
                    return False
            elif extents.canonical(access.loop.operands[0]) != extents.of(array)[0]:
                return False
        return True

    def _is_own(self, op: Op, loop: Op) -> bool:
        """Whether an op does not write, or to the row of the iteration, or to memory that is made in it."""
        if effect(op.primitive) is not Effect.WRITE:
            return True
        (body,) = loop.blocks
        if op.operands[0] in self._accesses:
            return op.operands[1] is body.parameters[0]
        return self.program.sites.sites(op.operands[0]) <= set(defined(body))

    def _connected(self, loops: set[Op]) -> list[Table]:
        found: list[Table] = []
        for array, accesses in self._accesses.items():
            table = Table({array})
            for access in accesses:
                if access.loop is not None and access.loop in loops:
                    table.loops.add(access.loop)
                elif (lookup := self._lookup(access.op)) is not None:
                    table.lookups.append(lookup)
            for other in [t for t in found if t.loops & table.loops]:
                found.remove(other)
                table.merge(other)
            found.append(table)
        return [table for table in found if table.lookups and table.loops]

    def _lookup(self, load: Op) -> Lookup | None:
        """The row that is read, if its number is read itself, and can be known before the loop around all."""
        row = load.operands[1]
        made = self.made_of(row)
        if not made or not any(op.primitive == "load" for op in made):
            return None
        around = self.paths[made[-1]]
        plain = all(side.op.primitive in ("for", "if") for side in around)
        known = plain and all(self.made_of(side.op.operands[0]) is not None for side in around)
        return Lookup(row, around) if known else None

    def made_of(self, value: Operand) -> list[Op] | None:
        """The ops by which a value is made of counters and of what is there before the loop; None if of more."""
        if not isinstance(value, Value) or value not in self.inside or value in self._counters:
            return []
        op = self.program.definitions.get(value)
        if op is None or not self._may_be_repeated(op):
            return None
        before = [self.made_of(x) for x in op.operands]
        if any(part is None for part in before):
            return None
        return [*dict.fromkeys(x for part in before for x in part or ()), op]

    def _may_be_repeated(self, op: Op) -> bool:
        if effect(op.primitive) is Effect.READ:
            array = op.operands[0]
            return array not in self.inside and self.program.sites.sites(array).isdisjoint(self.changed)
        return effect(op.primitive) in (Effect.PURE, Effect.CHECK)


def skips_alone(loop: Op) -> bool:
    """Whether to leave out iterations of a loop changes nothing but memory that it writes to."""
    return not loop.results and all(effect(op.primitive) in HARMLESS for op in walk(loop.blocks[0]))


def _rank(value: Value) -> int:
    return value.type.rank if isinstance(value.type, Array) else 0
