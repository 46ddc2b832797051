"""Writing down what is stored and what is recomputed, in the forward and in the mirror ops of a nest.

Storage of a value inside counted loops whose trip counts are known before the nest, or inside a ``while`` that counts
to a literal at the most, is a dense array with an axis per loop; elsewhere it is a stack, pushed in the forward sweep
and popped in the reverse sweep, which meets the iterations in the opposite order. A scalar in a branch outside any
loop leaves the branch as a result. The row of an array is written at the end of the iteration, or at its start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.extents import Dim, Extent, Shape
from srcgrad.differentiate.choices import Row, Ways
from srcgrad.differentiate.nests import Level, Pair, all_levels, defining_op, known_before, most_trips
from srcgrad.ir.core import Block, Op, Operand, Value, index, zero_like
from srcgrad.ir.rewrite import copy_op, fresh, renamed, substitute_op
from srcgrad.ir.types import INDEX, TRUTH, Array, Scalar, Stack
from srcgrad.primitives.table import new_builder


def keep(
    pair: Pair,
    owner: Mapping[Value, Level],
    stored: set[Value],
    recomputed: set[Value],
    ways: Ways,
) -> tuple[list[Op], Op, Op]:
    """The ops to put in front of the nest, the new forward op and the new mirror."""
    return _Keeper(pair, owner, stored, recomputed, ways).run()


@dataclass
class _Notes:
    """What is added at one level."""

    saves: dict[Value, list[Op]] = field(default_factory=dict)  # after the definition of a value, in the forward block
    prologue: list[Op] = field(default_factory=list)  # at the start of the mirror block
    opening: list[Op] = field(default_factory=list)  # at the start of the forward block
    epilogue: list[Op] = field(default_factory=list)  # at its end
    replaced: dict[Op, Op] = field(default_factory=dict)  # in the forward block
    exports: list[tuple[Operand, Value]] = field(default_factory=list)  # what leaves a branch, and as which result
    # References that the mirror carries backwards: the initial one, the mirror's parameter, what it yields.
    turned: list[tuple[Operand, Value, Value]] = field(default_factory=list)


class _Keeper:
    def __init__(
        self,
        pair: Pair,
        owner: Mapping[Value, Level],
        stored: set[Value],
        recomputed: set[Value],
        ways: Ways,
    ) -> None:
        self.pair = pair
        self.owner = owner
        self.stored = stored
        self.recomputed = recomputed
        self.ways = ways
        self.notes = {level: _Notes() for level in all_levels(pair)}
        self.before: list[Op] = []  # in front of the nest
        self.hoisted: dict[Value, Operand] = {}  # trip counts computed in front of the nest
        self.iterations: dict[Level, Value] = {}  # which iteration the mirror reverses
        self.mirrored: dict[Value, Operand] = {}  # forward value -> the same value in the mirror

    def run(self) -> tuple[list[Op], Op, Op]:
        for level in all_levels(self.pair):
            self._counter(level)
            values = [v for v in level.own_values() if v in self.stored or v in self.recomputed]
            for value in reversed(values):
                if value in self.stored:
                    self._store(value, level)
            for value, row in self.ways.rows.items():
                if value in self.stored and row.level is level:
                    self._store_row(value, row)
            for value in values:
                self._recompute_once(value, level)
        return self.before, self._forward(self.pair), substitute_op(self._mirror(self.pair), self.mirrored)

    def _counter(self, level: Level) -> None:
        """The forward counter of this iteration, in the mirror."""
        op = level.pair.mirror
        if op.primitive != "for":
            return
        last, current = Value(INDEX), Value(INDEX, _counter_name(level))
        trips = renamed(op.operands[0], self.mirrored)
        self.notes[level].prologue = [
            Op("sub", (trips, index(1)), (last,)),
            Op("sub", (last, op.blocks[0].parameters[0]), (current,)),
        ]
        self.iterations[level] = current
        if _counted(level):
            self.mirrored[level.forward.parameters[0]] = current

    def _store(self, value: Value, level: Level) -> None:
        loops = level.loops
        extents = self._trip_counts(loops)
        if value in self.ways.expanded and loops:
            self._expand(value, level, self.ways.expanded[value])
        elif not loops and isinstance(value.type, Scalar):
            self.mirrored[value] = self._export(value, level)
        elif extents and isinstance(value.type, Scalar):
            self._store_dense(value, level, extents)
        else:
            self._push(value, level)

    def _trip_counts(self, loops: Sequence[Level]) -> list[Operand]:
        """Of each loop, as known in front of the nest; empty if one is not.

        Of a ``while`` that counts to a literal at the most that literal serves, unless outer loops multiply it.
        """
        trips: list[Operand] = []
        for loop in loops:
            most = most_trips(loop.pair.forward) if _counted(loop) or len(loops) == 1 else None
            known = None if most is None else self._room_for(most, loop)
            if known is None:
                return []
            trips.append(known)
        return trips

    def _store_dense(self, value: Value, level: Level, extents: Sequence[Operand]) -> None:
        assert isinstance(value.type, Scalar)
        kept = Value(Array(value.type.dtype, len(extents)), _kept_name(value))
        self.before.append(
            Op(
                "alloc",
                tuple(extents),
                (kept,),
                attributes={"dtype": value.type.dtype, "fill": "empty", "stored": True},
            )
        )
        there = tuple(loop.counter for loop in level.loops)
        here = tuple(self.iterations[loop] for loop in level.loops)
        again = fresh(value)
        notes = self.notes[level]
        notes.saves.setdefault(value, []).append(Op("store", (kept, *there, value)))
        notes.prologue.append(Op("load", (kept, *here), (again,)))
        self.mirrored[value] = again

    def _push(self, value: Value, level: Level) -> None:
        assert not isinstance(value.type, Stack)
        stack = Value(Stack(value.type), _kept_name(value))
        self.before.append(Op("stack", (), (stack,), attributes={"element": (value.type,)}))
        again = fresh(value)
        notes = self.notes[level]
        notes.saves.setdefault(value, []).append(Op("push", (stack, value)))
        notes.prologue.append(Op("pop", (stack,), (again,)))
        self.mirrored[value] = again

    def _export(self, value: Operand, level: Level) -> Operand:
        """Let a scalar leave the branches around it, unless it does already; elsewhere it is 0."""
        if value in level.forward.yields:
            outside = level.pair.forward.results[level.forward.yields.index(value)]
        else:
            outside = Value(value.type, value.name if isinstance(value, Value) else "")
            self.notes[level].exports.append((value, outside))
        return outside if level.pair.parent is None else self._export(outside, level.pair.parent)

    def _recompute_once(self, value: Operand, level: Level) -> None:
        """In the order of the forward sweep, but for the indices at which a value was stored later."""
        wanted = isinstance(value, Value) and value in self.recomputed and value not in self.mirrored
        if not isinstance(value, Value) or not wanted or self.owner[value] is not level:
            return
        op = self.ways.stored.get(value) or defining_op(value, level)
        for x in op.operands if op else ():
            self._recompute_once(x, level)
        self._recompute(value, level)

    def _recompute(self, value: Value, level: Level) -> None:
        prologue = self.notes[level].prologue
        op = self.ways.stored.get(value)
        if op is None and value in level.forward.parameters:
            self._recompute_parameter(value, level)
            return
        op = op or defining_op(value, level)
        assert op is not None
        if value in self.ways.row_of:
            op = replace(op, operands=(self.ways.row_of[value], *op.operands[1:]))
        if op.primitive == "check_index":  # it passed in the forward sweep
            prologue.extend(self._wrapped(op))
            return
        names = dict(self.mirrored)  # what a copied branch holds inside is in scope nowhere else
        copy = copy_op(op, names)
        self.mirrored.update((r, names[r]) for r in op.results)
        if "region" in copy.attributes:
            copy = replace(copy, attributes={})
        prologue.append(copy)

    def _wrapped(self, op: Op) -> list[Op]:
        """The index counted from the end where it is negative."""
        at, extent = (renamed(x, self.mirrored) for x in op.operands)
        negative, shifted, again = Value(TRUTH), Value(INDEX), fresh(op.result)
        self.mirrored[op.result] = again
        return [
            Op("lt", (at, index(0)), (negative,)),
            Op("add", (at, extent), (shifted,)),
            Op("select", (negative, shifted, at), (again,)),
        ]

    def _recompute_parameter(self, value: Value, level: Level) -> None:
        if value in self.mirrored:  # the counter
            return
        if value in self.ways.permuted:
            self._turn(value, level)
            return
        initial, step = self.ways.inductions[value]
        grown, again = Value(INDEX), fresh(value)
        self.notes[level].prologue += [
            Op("mul", (self.iterations[level], step), (grown,)),
            Op("add", (renamed(initial, self.mirrored), grown), (again,)),
        ]
        self.mirrored[value] = again

    def _turn(self, value: Value, level: Level) -> None:
        """Carry the references of a cycle through the mirror, each to where it was one iteration before."""
        op = level.pair.forward
        carried = level.forward.parameters[1 if _counted(level) else 0 :]
        later: dict[int, Value] = {}  # position -> the reference there after the iteration that is reversed
        position, _ = self.ways.permuted[value]
        while position not in later:
            later[position] = fresh(carried[position])
            position = self.ways.permuted[carried[position]][1]
        for k, reference in later.items():
            now = later[self.ways.permuted[carried[k]][1]]
            self.mirrored[carried[k]] = now
            self.notes[level].turned.append((renamed(op.results[k], self.mirrored), reference, now))

    def _store_row(self, stand_in: Value, row: Row) -> None:
        """Keep an array as it stands at the end of the iteration, or at its start."""
        kept, there, again = self._rows(row.array, row.level, row.shape, "empty")
        shape = self.before[-1].operands[len(there) :]
        notes = self.notes[row.level]
        (notes.opening if row.at_start else notes.epilogue).extend(_copy_nest(row.array, kept, there, shape))
        self.mirrored[stand_in] = again

    def _expand(self, value: Value, level: Level, shape: Shape) -> None:
        """Let an allocation in the nest be a row of storage."""
        op = defining_op(value, level)
        assert op is not None
        kept, there, again = self._rows(value, level, shape, op.text("fill"))
        axes = "i" * len(there) + ":" * len(shape)
        self.notes[level].replaced[op] = Op("slice", (kept, *there), (value,), (), {"axes": axes}, op.location)
        self.mirrored[value] = again

    def _rows(self, array: Value, level: Level, shape: Shape, fill: str) -> tuple[Value, tuple[Value, ...], Value]:
        """Storage with a row per iteration; the index of this iteration's row, and the row in the mirror."""
        assert isinstance(array.type, Array)
        loops = level.loops
        trips = [self._room_for(loop.pair.forward.operands[0], loop) for loop in loops]
        ones = array.type.ones
        extents = [index(1) if k in ones else self._extent(n) for k, n in enumerate(shape)]
        known = tuple(n for n in (*trips, *extents) if n is not None)
        assert len(known) == len(trips) + len(shape)
        dtype = array.type.dtype
        single = frozenset(k for k, n in enumerate(known) if n == index(1))
        kept = Value(Array(dtype, len(known), "C", single), _kept_name(array))
        self.before.append(Op("alloc", known, (kept,), attributes={"dtype": dtype, "fill": fill, "stored": True}))
        there = tuple(loop.forward.parameters[0] for loop in loops)
        here = tuple(self.iterations[loop] for loop in loops)
        again = Value(Array(dtype, len(shape), "C", ones), array.name)
        axes = "i" * len(loops) + ":" * len(shape)
        self.notes[level].prologue.append(Op("slice", (kept, *here), (again,), attributes={"axes": axes}))
        return kept, there, again

    def _extent(self, extent: Extent) -> Operand | None:
        if not isinstance(extent, Dim):
            return self._room(extent)
        size = Value(INDEX)
        self.before.append(Op("dim", (extent.array,), (size,), attributes={"axis": extent.axis}))
        return size

    def _room_for(self, trips: Operand, loop: Level) -> Operand | None:
        """An extent of storage for the iterations of a loop; that of the nest itself is known not to be negative."""
        return self._before_nest(trips) if loop.pair.parent is None else self._room(trips)

    def _room(self, extent: Operand) -> Operand | None:
        """An extent of storage, as known in front of the nest.

        Where the block that asks for it does not run, it may be negative: ``for i in range(n): range(n - 1)``.
        """
        known = self._before_nest(extent)
        if not isinstance(known, Value):
            return known
        room = Value(INDEX)
        self.before.append(Op("max", (known, index(0)), (room,)))
        return room

    def _before_nest(self, operand: Operand) -> Operand | None:
        """The operand as a value known in front of the nest, None if it is not."""
        if not known_before(operand, self.owner):
            return None
        if not isinstance(operand, Value) or operand not in self.owner:
            return operand
        if operand not in self.hoisted:
            op = defining_op(operand, self.owner[operand])
            assert op is not None
            operands = tuple(self._before_nest(x) or x for x in op.operands)
            self.before.append(replace(op, operands=operands, results=(fresh(operand),)))
            self.hoisted[operand] = self.before[-1].result
        return self.hoisted[operand]

    def _forward(self, pair: Pair) -> Op:
        op = pair.forward
        blocks = list(op.blocks)
        exports = [(level.position, *export) for level in pair.levels for export in self.notes[level].exports]
        for level in pair.levels:
            target = len(op.blocks) - 1 if op.primitive == "while" else level.position
            blocks[target] = self._forward_block(level)
        for k, block in enumerate(blocks):
            extra = tuple(v if k == side else zero_like(result) for side, v, result in exports)
            blocks[k] = replace(block, yields=(*block.yields, *extra))
        return replace(op, blocks=tuple(blocks), results=(*op.results, *(result for *_, result in exports)))

    def _forward_block(self, level: Level) -> Block:
        saves = self.notes[level].saves
        inner = {child.forward: child for child in level.children}
        ops = [save for p in level.forward.parameters for save in saves.get(p, ())] + self.notes[level].opening
        for op in level.forward.ops:
            ops.append(self._forward(inner[op]) if op in inner else self.notes[level].replaced.get(op, op))
            ops.extend(save for r in op.results for save in saves.get(r, ()))
        ops += self.notes[level].epilogue
        return Block(level.forward.parameters, tuple(ops), level.forward.yields)

    def _mirror(self, pair: Pair) -> Op:
        blocks = []
        operands, results = list(pair.mirror.operands), list(pair.mirror.results)
        for level in pair.levels:
            inner = {child.mirror: child for child in level.children}
            ops = [self._mirror(inner[op]) if op in inner else op for op in level.mirror.ops]
            notes = self.notes[level]
            operands += [initial for initial, *_ in notes.turned]
            results += [fresh(reference) for _, reference, _ in notes.turned]
            parameters = (*level.mirror.parameters, *(reference for _, reference, _ in notes.turned))
            yields = (*level.mirror.yields, *(now for *_, now in notes.turned))
            blocks.append(Block(parameters, (*notes.prologue, *ops), yields))
        return replace(pair.mirror, operands=tuple(operands), results=tuple(results), blocks=tuple(blocks))


def _copy_nest(array: Value, kept: Value, there: Sequence[Operand], shape: Sequence[Operand]) -> list[Op]:
    """``kept[there] = array``, element by element."""
    builder = new_builder()
    builder.open()
    builder.nest(shape, lambda at: builder.emit("store", kept, *there, *at, builder("load", array, *at)))
    return list(builder.close().ops)


def _counted(level: Level) -> bool:
    return level.pair.forward.primitive == "for"


def _counter_name(level: Level) -> str:
    return level.forward.parameters[0].name if _counted(level) else "i"


def _kept_name(value: Value) -> str:
    return f"{value.name}_kept" if value.name else "kept"
