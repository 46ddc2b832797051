"""A loop of independent iterations as a loop over blocks of them, with the lanes of a block innermost.

What differs between lanes and is needed after an inner loop begins or ends is held in a buffer of one element per
lane; private arrays get the lane as their last axis. Everything between two inner loops is one loop over lanes,
in which branches that lanes take differently have become selections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from srcgrad.analysis.accesses import indices
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Const, Op, Operand, Value, index, walk, zero_like
from srcgrad.ir.types import Scalar
from srcgrad.optimize.lanes import private
from srcgrad.optimize.lanes.alike import compute_alike
from srcgrad.optimize.lanes.calls import call_with_lanes
from srcgrad.optimize.lanes.common import common_branch, common_for, common_while
from srcgrad.optimize.lanes.facts import Facts, users
from srcgrad.optimize.lanes.lane import Carry, Lane, names_of
from srcgrad.optimize.lanes.masked import Mask, masked_branch, masked_for, masked_while
from srcgrad.optimize.lanes.packing import Packs
from srcgrad.optimize.lanes.reach import may_reach, places, units_of
from srcgrad.optimize.lanes.totals import multiple, summed_before
from srcgrad.primitives.table import Effect, effect, new_builder

LANES = 64
PITCH = LANES + 8  # from row to row of an array: at a distance of a power of two, rows would share few sets of a cache
GROUP = 8  # LLVM does the last lanes one by one unless it sees that their number is a multiple of this


def widened(facts: Facts) -> tuple[Sequence[Op], dict[Value, Operand]]:
    """The ops that take the place of the loop, and what its results are called from now on."""
    builder = new_builder()
    builder.open()
    widening = Widening(facts, builder)
    results = widening.blocks_of_lanes()
    return builder.close().ops, dict(zip(facts.loop.results, results, strict=True))


@dataclass
class Widening:
    facts: Facts
    builder: Builder
    same: dict[Value, Operand] = field(default_factory=dict)  # what does not differ -> its new name
    buffers: dict[Value, Value] = field(default_factory=dict)  # what differs -> where it is held
    read_again: dict[Value, Op] = field(default_factory=dict)  # or which load gives it at any later time
    start: Operand = field(default_factory=lambda: index(0))
    lanes: Operand = field(default_factory=lambda: index(LANES))
    padded: Operand = field(default_factory=lambda: index(LANES))  # the same and lanes that nobody asks for
    pending: list[Op] = field(default_factory=list)  # what the next loop over lanes will do
    totals: dict[Value, Operand] = field(default_factory=dict)  # the sum of a value over the lanes
    rows: dict[Op, Value] = field(default_factory=dict)  # what all lanes push or pop together
    here: Block = field(init=False)  # whose ops are being widened
    mask: Mask | None = None  # which lanes take the branch around

    @property
    def width(self) -> int:
        return self.facts.directions or LANES

    @property
    def pitch(self) -> int:
        return self.facts.directions or PITCH

    def __post_init__(self) -> None:
        self.users = users(self.facts.body)
        self.here = self.facts.body
        self.packs = Packs(self.facts)
        self.summed_before = summed_before(self.facts)
        self.units = units_of(self.facts)
        loops = (op for op in walk(self.facts.body) if op.primitive == "for" and self.facts.parts(op))
        names = {v for op in loops for v in self.facts.mirrored(op)}
        self.mirrored = {op for op in walk(self.facts.body) if len(op.results) == 1 and op.result in names}

    # -- the loop over blocks -----------------------------------------------------------------------------

    def blocks_of_lanes(self) -> list[Operand]:
        """The loop over blocks, and what it has added up."""
        loop, body = self.facts.loop, self.facts.body
        trips = loop.operands[0]
        self.builder.location = loop.location
        count = self.builder.parts(trips, index(self.width))
        names = [r.name for r in loop.results]

        def one_block(block: Value, *totals: Value) -> Sequence[Operand]:
            self.start = self.builder("mul", block, index(self.width), name="start")
            rest = self.builder("sub", trips, self.start)
            self.lanes = self.padded = self.builder("min", rest, index(self.width), name="lanes")
            if self.facts.directions:
                groups = self.builder.parts(self.lanes, index(GROUP))
                self.padded = self.builder("mul", groups, index(GROUP), name="padded")
            self.packs.fill(self.builder, self.start, self.lanes, self.pitch)
            self.same.update(zip(body.parameters[1:], totals, strict=True))
            self.block(body, [])
            self.packs.add(self.builder, self.start, self.lanes)
            return self.alike(body.yields)

        return list(self.builder.for_(count, loop.operands[1:], one_block, names, "block"))

    # -- what is the same for all lanes -------------------------------------------------------------------

    def block(self, block: Block, carries: list[Carry]) -> None:
        around, self.here = self.here, block
        for op in block.ops:
            self._op(op)
        self.flush(carries, block)
        self.here = around

    def computed(self, test: Block) -> Operand:
        """What a block that only computes yields, the same in all lanes."""
        for op in test.ops:
            self._op(op)
        assert not self.pending, test
        return self.alike(test.yields)[0]

    def _op(self, op: Op) -> None:
        self.builder.location = op.location
        if op.blocks:
            self._control(op)
        elif op in self.mirrored:
            pass  # it is the same in all lanes, and known
        elif op.primitive == "alloc" and op.result in self.facts.private:
            self.same[op.result] = private.allocation(self, op)
        elif op.primitive == "stack" and self.facts.differs(op.result):
            self.same[op.result] = private.stack_of_rows(self, op.result)
        elif op.primitive == "stack" and self.facts.is_private(op.result):
            self.same[op.result] = private.stack_of_arrays(self, op.result)
        elif effect(op.primitive) is Effect.VIEW:
            self.same[op.result] = private.view(self, op)
        elif op in self.summed_before:
            self._accumulate_multiple(op, self.summed_before[op])
        elif effect(op.primitive) is Effect.CALL and not self.facts.is_common(op):
            self.flush([], op, op.operands)
            call_with_lanes(self, op)
        elif op.primitive == "dim" or self.is_same(op):
            if self.overtakes(op):
                self.flush([], op)
            results = self.builder.emit(op.primitive, *self.alike(op.operands), names=names_of(op), **op.attributes)  # type: ignore[arg-type]  # no attribute is called blocks
            self.same.update(zip(op.results, results, strict=True))
        else:
            self.pending.append(op)

    def _control(self, op: Op) -> None:
        parting = self.facts.parts(op)
        if op.primitive == "if" and parting and not _has_loops(op):
            compute_alike(self, op)
            self.pending.append(op)
            return
        if self.mask is not None:
            self.mask.settle(self)  # the next loop over lanes may lie in what does not run
        match op.primitive:
            case "for":
                masked_for(self, op) if parting else common_for(self, op)
            case "while":
                masked_while(self, op) if parting else common_while(self, op)
            case "if":
                masked_branch(self, op) if parting else common_branch(self, op)

    def is_same(self, op: Op) -> bool:
        """Whether all lanes do the same once; a write is done by each."""
        differs = any(self.facts.differs(x) or x in self.facts.sums for x in (*op.operands, *op.results))
        if differs or effect(op.primitive) is Effect.WRITE:
            return not differs and self.facts.is_common(op)
        return self.mask is None or effect(op.primitive) is not Effect.GUARD

    def overtakes(self, op: Op) -> bool:
        """Whether it writes to memory that what is pending has yet to read."""
        written = self.facts.program.written.get(op)
        if not written:
            return False
        reads = (x for x in _with_inner(self.pending) if isinstance(x, Op) and x.primitive == "load")
        return any(not written.isdisjoint(self.facts.program.sites.sites(x.operands[0])) for x in reads)

    def alike(self, operands: Sequence[Operand]) -> list[Operand]:
        return [self.same.get(x, x) if isinstance(x, Value) else x for x in operands]

    def _accumulate_multiple(self, op: Op, value: Value) -> None:
        """Of a term that is a multiple of a value whose sum over the lanes is known."""
        term = multiple(self.facts, op.operands[-1], (value, self.totals[value]), self.alike, self.builder)
        self.builder.emit("accumulate", *self.alike(op.operands[:-1]), term)

    # -- where lanes part ---------------------------------------------------------------------------------

    def masked_block(self, mask: Mask, block: Block, merged: Sequence[tuple[Operand, Value]]) -> None:
        """A block in which only the lanes of a mask change anything; ``merged`` are results with their new values."""
        outer, self.mask = self.mask, mask
        self.block(block, [Carry(y, self.buffers[result], merges=True) for y, result in merged])
        self.mask = outer

    def add_both_sides(self, op: Op, add_side: Callable[[Block], None]) -> None:
        """After a branch a sum has what either side adds, each for the lanes that take it."""
        then, otherwise = op.blocks
        sums = [k for k, result in enumerate(op.results) if result in self.facts.sums]
        before = {k: self._before(otherwise, otherwise.yields[k]) for k in sums}
        add_side(then)
        after_then = {k: self.alike([then.yields[k]])[0] for k in sums}
        kept = {start: self.alike([start])[0] for start in before.values()}
        self.same.update((before[k], after_then[k]) for k in sums)
        add_side(otherwise)
        self.same.update((op.results[k], self.alike([otherwise.yields[k]])[0]) for k in sums)
        self.same.update(kept)

    def hold(self, result: Value, *parameters: Value) -> None:
        """A buffer for a result, which the parameters it is carried as share."""
        buffer = self.new_buffer(result)
        self.buffers.update(dict.fromkeys((result, *parameters), buffer))

    def carries(self, pairs: Iterable[tuple[Operand, Value]]) -> list[Carry]:
        return [Carry(value, self.buffers[result]) for value, result in pairs]

    def new_buffer(self, value: Value, fill: str = "empty") -> Value:
        assert isinstance(value.type, Scalar)
        return self.builder("alloc", index(self.width), dtype=value.type.dtype, fill=fill, name=value.name)

    # -- one loop over the lanes --------------------------------------------------------------------------

    def flush(self, carries: list[Carry], behind: Op | Block, needed: Sequence[Operand] = ()) -> None:
        """Emit the loop over lanes that does what is pending, in front of an op or at the end of a block.

        ``needed`` are values that the op will want in further loops over lanes.
        """
        ops, self.pending = self.pending, []
        carries = [c for c in carries if self.buffers.get(c.value) is not c.buffer]  # type: ignore[arg-type]  # a Const is in no buffer
        if not ops and not carries:
            return
        sums = [op for op in _with_inner(ops) if isinstance(op, Op) and self._adds_up(op)]
        summed = [r for op in ops for r in op.results if r in self.summed_before.values()]
        trips = self.lanes if sums or summed or self._is_seen(ops, carries) else self.padded
        short = bool(self.facts.directions) and trips is self.lanes  # which leaves lanes that are computed with later
        self._hold_what_is_used_later(ops, behind, needed, "zeros" if short else "empty")
        self._push_and_pop_rows(ops)
        constant = [c for c in carries if short and isinstance(c.value, Const) and not c.merges]
        carries = [c for c in carries if c not in constant]
        zeros = [zero_like(x) for x in (*(op.operands[-1] for op in sums), *summed)]

        def one_lane(lane: Value, *totals: Value) -> Sequence[Operand]:
            current = Lane(self, lane, dict(zip(sums, totals, strict=False)))
            mask = None if self.mask is None else self.mask.of(current)
            for op in ops:
                current.op(op, mask)
                for result in op.results:
                    if result in self.buffers:
                        self.builder.emit("store", self.buffers[result], lane, current.value(result))
            values = [current.value(c.value) for c in carries]  # all are read before any is overwritten
            for carry, value in zip(carries, values, strict=True):
                if carry.merges and mask is not None:
                    value = self.builder("select", mask, value, self.builder("load", carry.buffer, lane))
                self.builder.emit("store", carry.buffer, lane, value)
            added = zip(totals[len(sums) :], summed, strict=True)
            return [
                *(current.totals[op] for op in sums),
                *(self.builder("add", total, current.value(value)) for total, value in added),
            ]

        reached = places(self, ops, carries) if self.units and self.here is not self.facts.body else []
        if reached:
            self.builder.if_(may_reach(self, reached), lambda: self.builder.for_(trips, (), one_lane, counter="lane"))
        else:
            totals = self.builder.for_(trips, zeros, one_lane, counter="lane")
            self.totals.update(zip(summed, totals[len(sums) :], strict=True))
            self._add_totals(ops, dict(zip(sums, totals, strict=False)))
        if constant:
            self._fill(constant)

    def _fill(self, carries: Sequence[Carry]) -> None:
        """Fill buffers with constants in all lanes: to compute with numbers of any kind in some would take long."""

        def one_lane(lane: Value) -> Sequence[Operand]:
            for carry in carries:
                self.builder.emit("store", carry.buffer, lane, carry.value)
            return ()

        self.builder.for_(self.padded, (), one_lane, counter="lane")

    def _is_seen(self, ops: Sequence[Op], carries: Sequence[Carry]) -> bool:
        """Whether these ops count or point to something, raise errors, or write to memory from outside.

        Lanes that nobody asks for are directions of zeros, and have no number.
        """
        inside = [x for x in _with_inner(ops) if isinstance(x, Op)]
        raising = any(effect(x.primitive) in (Effect.CHECK, Effect.GUARD) for x in inside)
        writing = any(effect(x.primitive) is Effect.WRITE and self.facts.is_outside(x.operands[0]) for x in inside)
        taken = (y for x in inside for y in x.operands)
        apart = (y.type for y in (*taken, *(c.value for c in carries)) if self.facts.differs(y))
        return raising or writing or any(isinstance(t, Scalar) and t.dtype.kind in "iu" for t in apart)

    def _push_and_pop_rows(self, ops: Sequence[Op]) -> None:
        """In front of a loop over lanes: the rows to which it writes what is pushed, or from which it reads."""
        for op in _with_inner(ops):
            if isinstance(op, Op) and op.primitive in ("push", "pop"):
                (stack,) = self.alike(op.operands[:1])
                if op.primitive == "pop":
                    self.rows[op] = self.builder("pop", stack)
                    continue
                assert isinstance(op.operands[1].type, Scalar)
                dtype = op.operands[1].type.dtype
                self.rows[op] = self.builder("alloc", index(self.width), dtype=dtype, fill="empty")
                self.builder.emit("push", stack, self.rows[op])

    def _add_totals(self, ops: Sequence[Op], totals: dict[Op, Value]) -> None:
        """Add what a loop over lanes has added up to what it belongs to."""
        for op in ops:
            self.builder.location = op.location
            if op.primitive == "if":
                self.add_both_sides(op, lambda block: self._add_totals(block.ops, totals))
            elif op.primitive == "accumulate" and op in totals:
                self.builder.emit("accumulate", *self.alike(op.operands[:-1]), totals[op])
            elif op in totals:
                start, _ = self.sum_and_term(op)
                self.same[op.result] = self.builder(op.primitive, *self.alike([start]), totals[op], name=op.result.name)

    def _hold_what_is_used_later(
        self, ops: Sequence[Op], behind: Op | Block, needed: Sequence[Operand], fill: str
    ) -> None:
        """A buffer for each result of these ops that something else uses, too; what is carried has its own."""
        inside = {behind, *_with_inner(ops)}
        for op in ops:
            for result in op.results:
                elsewhere = result in needed or any(user not in inside for user in self.users.get(result, ()))
                if not elsewhere or result in self.buffers or result in self.facts.sums:
                    continue
                if result not in needed and self._may_be_read_again(op):
                    self.read_again[result] = op
                else:
                    self.buffers[result] = self.new_buffer(result, fill)

    def _may_be_read_again(self, op: Op) -> bool:
        """Whether it reads a row of memory with lanes that nothing behind it, in its block, writes to."""
        if op.primitive != "load" or not self.facts.is_private(op.operands[0]) or op not in self.here.ops:
            return False
        if any(map(self.facts.differs, op.operands[1:])):
            return False
        read, later = self.facts.program.sites.sites(op.operands[0]), self.here.ops[self.here.ops.index(op) + 1 :]
        written = self.facts.program.written
        return all(read.isdisjoint(written.get(x, ())) for x in later)

    def sum_and_term(self, op: Op) -> tuple[Operand, Operand]:
        """Of an op that adds to a sum: what it adds to, and what it adds."""
        a, b = op.operands
        return (a, b) if a in self.facts.sums else (b, a)

    def _before(self, block: Block, total: Operand) -> Value:
        """What a sum that a block yields was in front of the block."""
        makers = {result: op for op in block.ops for result in op.results}
        while total in makers:
            op = makers[total]
            if op.primitive in ("add", "sub"):
                total = self.sum_and_term(op)[0]
                continue
            k = op.results.index(total)
            total = op.operands[1 + k] if op.primitive == "for" else self._before(op.blocks[0], op.blocks[0].yields[k])
        assert isinstance(total, Value)
        return total

    def _adds_up(self, op: Op) -> bool:
        """Whether an op adds to a number or to an element that all lanes add to."""
        if op.primitive in ("add", "sub") and op.result in self.facts.sums:
            return True
        shared = op.primitive == "accumulate" and self.facts.is_outside(op.operands[0])
        return shared and not any(self.facts.differs(x) for x in indices(op))


def _has_loops(op: Op) -> bool:
    return any(x.primitive in LOOPS for block in op.blocks for x in walk(block))


def _with_inner(ops: Sequence[Op]) -> Sequence[Op | Block]:
    """These ops, and the ops and blocks inside."""
    found: list[Op | Block] = []
    for op in ops:
        found.append(op)
        for block in op.blocks:
            found.append(block)
            found.extend(_with_inner(block.ops))
    return found
