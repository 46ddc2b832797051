"""Rows of shared arrays that a block of lanes reads or adds to again and again, with the lane as the last axis.

What is read is copied once in front of the block's work; what is added to begins at zero, and is added after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from srcgrad.analysis.accesses import indices
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Op, Operand, Value, defined, index, walk
from srcgrad.ir.types import Array
from srcgrad.optimize.lanes.facts import Facts
from srcgrad.primitives.table import Effect, effect


class Key(NamedTuple):
    """An array, the axis along which the lanes lie, and ``load`` or ``accumulate``."""

    array: Value
    own: int
    access: str

    @property
    def others(self) -> list[int]:
        assert isinstance(self.array.type, Array)
        return [axis for axis in range(self.array.type.rank) if axis != self.own]


class Packs:
    """Which accesses of a loop are to packed copies, and the copies."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.bounds: dict[Value, Operand] = {}  # a counter, directly or mirrored -> what it stays below
        _bound_counters(self.bounds, facts.body, facts)
        self.depths = dict(_depths(facts.body, 0))
        self.extents: dict[Key, list[Operand]] = {}  # of the other axes
        self.copies: dict[Key, Value] = {}
        refused: set[Key] = set()
        for op in walk(facts.body):
            key = self._key(op)
            if key is None:
                continue
            extents = self._other_extents(op, key)
            if extents is None or self.extents.setdefault(key, extents) != extents:
                refused.add(key)
        for key in refused:
            self.extents.pop(key, None)

    def _key(self, op: Op) -> Key | None:
        """For an access to an array that the loop only reads or only adds to, at its own index along one axis."""
        array = op.operands[0] if op.operands else None
        if op.primitive not in ("load", "accumulate") or not isinstance(array, Value) or self.facts.is_private(array):
            return None
        assert isinstance(array.type, Array)
        axes = [axis for axis, i in enumerate(indices(op)) if self.facts.differs(i)]
        if array.type.rank < 2 or len(axes) != 1 or indices(op)[axes[0]] is not self.facts.counter:
            return None
        often = op.primitive == "load" or self.depths[op] >= array.type.rank  # more than once for each element
        return Key(array, axes[0], op.primitive) if often and self._only(op) and self._outside(array) else None

    def _only(self, op: Op) -> bool:
        """Whether all other accesses to the memory are of this kind."""
        sites = self.facts.program.sites
        own = sites.sites(op.operands[0])
        accesses = (o for o in walk(self.facts.body) if effect(o.primitive) in (Effect.READ, Effect.WRITE))
        return all(o.primitive == op.primitive or own.isdisjoint(sites.sites(o.operands[0])) for o in accesses)

    def _outside(self, array: Value) -> bool:
        return all(array not in op.results for op in walk(self.facts.body))

    def _other_extents(self, op: Op, key: Key) -> list[Operand] | None:
        """What the indices along the other axes stay below; None unless each is the counter of a loop."""
        others = [indices(op)[axis] for axis in key.others]
        extents = [self.bounds.get(i) if isinstance(i, Value) else None for i in others]
        return None if None in extents else [n for n in extents if n is not None]

    def at(self, op: Op) -> tuple[Value, Sequence[Operand]] | None:
        """The copy to access, and the indices but for the lane."""
        key = self._key(op)
        if key is None or key not in self.copies:
            return None
        return self.copies[key], [indices(op)[axis] for axis in key.others]

    def fill(self, builder: Builder, start: Operand, lanes: Operand, width: int) -> None:
        """Emit the copies for one block of lanes."""
        for key, bounds in self.extents.items():
            array = key.array
            assert isinstance(array.type, Array)
            limits = [builder("dim", array, axis=axis) for axis in key.others]
            extents = [builder("min", n, m) for n, m in zip(bounds, limits, strict=True)]
            fill = "empty" if key.access == "load" else "zeros"
            self.copies[key] = builder(
                "alloc", *extents, index(width), dtype=array.type.dtype, fill=fill, name=array.name
            )
            if key.access == "load":
                self._transfer(builder, key, start, lanes)

    def add(self, builder: Builder, start: Operand, lanes: Operand) -> None:
        """Emit what adds the sums of one block of lanes to where they belong."""
        for key in self.copies:
            if key.access == "accumulate":
                self._transfer(builder, key, start, lanes)

    def _transfer(self, builder: Builder, key: Key, start: Operand, lanes: Operand) -> None:
        copy = self.copies[key]
        extents = [builder("dim", copy, axis=axis) for axis in range(len(key.others))]

        def element(at: tuple[Operand, ...]) -> None:
            lane, *others = at
            where = [*others[: key.own], builder("add", start, lane), *others[key.own :]]
            if key.access == "load":
                builder.emit("store", copy, *others, lane, builder("load", key.array, *where))
            else:
                builder.emit("accumulate", key.array, *where, builder("load", copy, *others, lane))

        builder.nest((lanes, *extents), element)


def _depths(block: Block, loops: int) -> Iterator[tuple[Op, int]]:
    """How many loops are around each op."""
    for op in block.ops:
        yield op, loops
        for inner in op.blocks:
            yield from _depths(inner, loops + (op.primitive in LOOPS))


def _bound_counters(bounds: dict[Value, Operand], block: Block, facts: Facts) -> None:
    """Counters of loops whose trip count is known in front of the outer loop, and their mirrors ``n - 1 - i``."""
    inside = set(defined(facts.body))
    for op in walk(block):
        if op.primitive == "for":
            trips = op.operands[0]
            trips = bounds.get(trips, trips) if isinstance(trips, Value) else trips  # the inner loop of a triangle
            if trips not in inside:
                bounds[op.blocks[0].parameters[0]] = trips
        elif op.primitive == "sub" and isinstance(op.operands[1], Value) and op.operands[1] in bounds:
            last, counter = op.operands
            if isinstance(counter, Value) and facts.is_last(last, bounds[counter]):
                bounds[op.result] = bounds[counter]
