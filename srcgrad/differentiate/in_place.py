"""Independent iterations, reversed in place.

When the iterations of a loop exchange nothing but sums, the mirror loop need not go backwards and needs nothing
stored by the forward loop: it runs each iteration once more and reverses it at once, with storage for one
iteration. The forward loop remains only where its value is asked for.

A loop qualifies when

(a) all it carries are sums, ``p + t`` or ``p - t``, read by nothing else, also through inner loops and branches;
(b) what it writes is memory born in the iteration, or memory that the loop never reads (left out of the copy);
(c) nothing it reads from outside is written between the loop and its mirror.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from srcgrad.analysis.effects import Effects, Touch
from srcgrad.analysis.prices import price
from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.analysis.sums import carried_over, only_added
from srcgrad.differentiate.choices import DEAR
from srcgrad.differentiate.regions import numbered
from srcgrad.ir.core import Block, Function, Op, Operand, Value, walk
from srcgrad.ir.rewrite import Replacement, copy_op, fresh, renamed, rewrite_block
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect

LINEAR = frozenset({"add", "sub", "neg", "store", "accumulate"})  # what needs no operand for its derivative


@dataclass(frozen=True)
class Copy:
    """One iteration, to be run again and reversed inside a mirror loop."""

    counter: Value
    backwards: bool  # the iterations must be reversed from the last to the first
    sums: tuple[Value, ...]  # what the forward loop carries
    ops: tuple[Op, ...]  # the forward body without the writes that must not be repeated
    reversed_ops: tuple[Op, ...]  # all of it: what is to be reversed
    yields: tuple[Operand, ...]


class InPlace:
    """Decides which loops of a function are reversed in place, and copies their bodies."""

    def __init__(self, function: Function) -> None:
        self.effects = Effects(function)
        regions = [op.integer("region") for op in walk(function.body) if op.blocks]
        self.numbers = count(max(regions, default=-1) + 1)
        self.repeated: set[int] = set()  # regions whose iterations a mirror runs again
        self.origins: dict[Op, Op] = {}  # an op in a copy -> the op of the function
        self.users: dict[Value, list[Op]] = {}
        for op in walk(function.body):
            for x in op.operands:
                if isinstance(x, Value):
                    self.users.setdefault(x, []).append(op)
        self.summed: set[Value] = set()  # what is only added to the sums of the loops reversed in place

    def refusal(self, op: Op) -> Refusal | None:
        """What keeps a loop from being reversed in place, if anything does."""
        own = self.origins.get(op, op)
        if op in self.origins and not self._only_feeds_sums(op):
            return refused("the rest of the iteration around it needs what it computes, which is kept")
        return carried_over(own) or self._calls(own) or self._reads_what_changes(own) or self._reads_what_it_writes(own)

    def _only_feeds_sums(self, op: Op) -> bool:
        """Inside a copy the forward loop is wanted for nothing but a sum; else storing for one iteration is cheaper."""
        own = self.origins[op]
        left_out = {
            origin
            for copied, origin in zip(walk(op.blocks[0]), walk(own.blocks[0]), strict=True)
            if "left_out" in copied.attributes
        }
        feeds_memory = any(
            writes
            and touch.op not in left_out
            and not self._born_inside(touch.array, own)
            and self._reads_of(touch.array)
            for touch, writes in self._touches(own)
        )
        return not feeds_memory and all(r in self.summed for r in own.results)

    def _calls(self, op: Op) -> Refusal | None:
        for inner in walk(op.blocks[0]):
            if inner.primitive == "call" and inner.text("callee") not in ROUTINES:
                return refused("it calls a function that is not inlined", inner)
            if effect(inner.primitive) is Effect.STACK:
                return refused("it keeps values for another reverse sweep", inner)
        return None

    def _inside(self, touch: Touch, op: Op) -> bool:
        return any(block is op.blocks[0] for block, _ in touch.path)

    def _touches(self, op: Op) -> Iterator[tuple[Touch, bool]]:
        """Every access inside the loop, and whether it writes."""
        seen: set[tuple[int, bool]] = set()  # an accumulation is both
        for table, writes in ((self.effects.reads, False), (self.effects.writes, True)):
            for touch in (t for touches in table.values() for t in touches):
                if self._inside(touch, op) and (id(touch), writes) not in seen:
                    seen.add((id(touch), writes))
                    yield touch, writes

    def _reads_what_changes(self, op: Op) -> Refusal | None:
        """(c): what the loop reads has to be the same when the mirror runs."""
        home = self.effects.function.body
        for read, writes in self._touches(op):
            if writes or self._born_inside(read.array, op):
                continue
            for write in self.effects.writes_to(read.array):
                if not self._inside(write, op) and self.effects.changes(read, write, home):
                    return refused(f"{_named(read.array)}, which it reads, is written to after it", write.op)
        return None

    def _reads_what_it_writes(self, op: Op) -> Refusal | None:
        for write, writes in self._touches(op):
            if writes and not self._born_inside(write.array, op) and not self._never_read(write, op):
                return refused(f"it writes to {_named(write.array)}, which it reads, too", write.op)
        return None

    def _born_inside(self, array: Value, op: Op) -> bool:
        """Every site was born in the current iteration."""
        body = op.blocks[0]
        tokens = self.effects.sites.of(array)
        return all(body in self.effects.sites.birth[t.site] and body not in t.carried for t in tokens)

    def _never_read(self, write: Touch, op: Op) -> bool:
        return not any(self._inside(read, op) for read in self._reads_of(write.array))

    def _reads_of(self, array: Value) -> list[Touch]:
        sites = self.effects.sites.sites(array)
        reads = [t for site in sites for t in self.effects.reads.get(site, ())]
        return [t for t in reads if t.op.primitive != "accumulate"]

    def copy_of(self, op: Op, twins: dict[Value, Value], active: set[Value], grounds: dict[Operand, int]) -> Copy:
        """Copy one iteration; what is known of values holds for their copies, and their twins are copied twins."""
        self.repeated.add(op.integer("region"))
        own = self.origins.get(op, op)
        self.summed |= only_added(own)
        left_out = [
            write
            for write, writes in self._touches(own)
            if writes and not self._born_inside(write.array, own) and self._never_read(write, own)
        ]
        body = _marked(op.blocks[0], own.blocks[0], {id(write.op) for write in left_out})
        counter, *sums = body.parameters
        names: dict[Value, Operand] = {p: fresh(p) for p in body.parameters}
        ops = tuple(copy_op(inner, names) for inner in body.ops)
        copy = numbered(Block((), ops, tuple(renamed(y, names) for y in body.yields)), self.numbers)
        self.origins.update(zip(walk(copy), walk(own.blocks[0]), strict=True))
        for old, new in names.items():
            if isinstance(new, Value) and old in active:
                active.add(new)
            if isinstance(new, Value) and old in grounds:
                grounds[new] = grounds[old]
            if isinstance(new, Value) and old in twins:
                twin = renamed(twins[old], names)
                assert isinstance(twin, Value)
                twins[new] = twin
        forward = self._without_writes(copy, self._read_again(left_out))
        new_counter, *new_sums = (v for p in (counter, *sums) if isinstance(v := names[p], Value))
        backwards = last_write_wins(left_out, own, self.effects)
        return Copy(new_counter, backwards, tuple(new_sums), forward.ops, copy.ops, copy.yields)

    def _read_again(self, left_out: Sequence[Touch]) -> dict[Op, Op]:
        """By dear ops whose results are in memory until the mirror runs: the stores that put them there."""
        found: dict[Op, Op] = {}
        for write in left_out:
            stored = write.op.operands[-1]
            made = self.effects.definitions.op.get(stored) if isinstance(stored, Value) else None
            if made is None or made.primitive not in SCALARS or price(made) < DEAR:
                continue
            only_here = write.op.primitive == "store" and self._comes_first(made, write.op)
            if only_here and self._is_wanted(write) and self._stays(write):
                found[made] = write.op
        return found

    def _stays(self, write: Touch) -> bool:
        """Whether nothing is written over what was, before the mirror runs."""
        return self.effects.rereadable(write, self.effects.function.body)

    def _comes_first(self, made: Op, store: Op) -> bool:
        """Whether the place of the store is known already where the value is computed, in the same block."""
        block, position = self.effects.paths[made][-1]
        places = [self.effects.definitions.op.get(x) for x in store.operands[:-1] if isinstance(x, Value)]
        own = [self.effects.paths[op][-1] for op in places if op is not None]
        return block is self.effects.paths[store][-1][0] and all(b is not block or at < position for b, at in own)

    def _is_wanted(self, write: Touch) -> bool:
        """Whether the array is kept for others' derivatives: sums do not ask for what they add."""
        return any(
            read.op.primitive != "load"
            or any(op.primitive not in LINEAR for op in self.users.get(read.op.results[0], ()))
            for read in self._reads_of(write.array)
        )

    def _without_writes(self, copy: Block, stored: dict[Op, Op]) -> Block:
        """The copy of an iteration without the writes that are left out; what is ``stored`` is read."""
        copies = {self.origins[op]: op for op in walk(copy)}

        def visit(op: Op) -> Replacement | None:
            if "left_out" in op.attributes:
                return [], {}
            store = stored.get(self.origins[op]) if op in self.origins else None
            if store is None:
                return None
            return [Op("load", copies[store].operands[:-1], op.results, location=op.location)], {}

        return rewrite_block(copy, {}, visit)


def _named(array: Value) -> str:
    return array.name or "an array"


def last_write_wins(writes: Sequence[Touch], op: Op, effects: Effects) -> bool:
    """Whether two iterations may store to one element, so that the later one must be reversed first."""
    stores = [w for w in writes if w.op.primitive == "store"]
    sites = effects.sites.sites
    return any(
        sites(one.array) & sites(other.array) and effects.may_meet_later(*pair, op.blocks[0])
        for one in stores
        for other in writes
        for pair in ((one, other), (other, one))
    )


def _marked(block: Block, original: Block, left_out: set[int]) -> Block:
    """The block with ``left_out`` on the ops whose originals have these ids."""
    ops = []
    for op, own in zip(block.ops, original.ops, strict=True):
        attributes = {**op.attributes, "left_out": True} if id(own) in left_out else op.attributes
        blocks = tuple(_marked(b, o, left_out) for b, o in zip(op.blocks, own.blocks, strict=True))
        ops.append(replace(op, attributes=attributes, blocks=blocks))
    return Block(block.parameters, tuple(ops), block.yields)
