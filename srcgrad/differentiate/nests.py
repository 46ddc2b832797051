"""Pairs of forward and mirror ops, and what the mirror needs of the forward sweep.

A *nest* is a forward op with blocks and its mirror in one block, their *home*. Each block of the forward op and
the block that reverses it form a *level*; levels nest as the loops and branches do. A value defined at a level is
out of scope in the mirror; where it is used there, ``recall`` must provide it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from srcgrad.ir.core import Block, Const, Op, Operand, Value, index, used
from srcgrad.primitives.table import Effect, effect

FEW = 1024  # iterations that are stored densely whether they run or not


@dataclass(eq=False)
class Level:
    """A block of the forward sweep and the block of the reverse sweep that mirrors it."""

    pair: Pair
    position: int  # which block of the op
    forward: Block
    mirror: Block
    children: list[Pair] = field(default_factory=list)

    @property
    def loops(self) -> list[Level]:
        """The levels that are loop bodies, from the home to this one."""
        outer = self.pair.parent.loops if self.pair.parent else []
        return outer if self.pair.forward.primitive == "if" else [*outer, self]

    @property
    def counter(self) -> Value:
        """Which iteration of the forward loop this is."""
        op = self.pair.forward
        if op.primitive == "for":
            return self.forward.parameters[0]
        # By what the mirror runs over: what else the loop carries may be gone since it was counted.
        return self.forward.parameters[op.results.index(self.pair.mirror.operands[0])]

    def own_values(self) -> Iterator[Value]:
        yield from self.forward.parameters
        for op in self.forward.ops:
            yield from op.results


@dataclass(eq=False)
class Pair:
    """A forward op and its mirror."""

    forward: Op
    mirror: Op
    parent: Level | None
    levels: list[Level] = field(default_factory=list)


def pair_up(forward: Op, mirror: Op, parent: Level | None) -> Pair:
    """The tree of levels under a forward op and its mirror."""
    pair = Pair(forward, mirror, parent)
    blocks = forward.blocks if forward.primitive == "if" else forward.blocks[-1:]
    for position, (one, other) in enumerate(zip(blocks, mirror.blocks, strict=True)):
        level = Level(pair, position, one, other)
        level.children = [pair_up(f, m, level) for f, m in matched(one, other)]
        pair.levels.append(level)
    return pair


def matched(forward: Block, mirror: Block) -> list[tuple[Op, Op]]:
    """The ops of one block that ops of the other (or the same) block mirror."""
    mirrors = {op.attributes["mirror"]: op for op in mirror.ops if "mirror" in op.attributes}
    regions = [op for op in forward.ops if "region" in op.attributes]
    return [(op, mirrors[op.attributes["region"]]) for op in regions if op.attributes["region"] in mirrors]


def all_levels(pair: Pair) -> Iterator[Level]:
    """Outer levels before inner ones."""
    for level in pair.levels:
        yield level
        for child in level.children:
            yield from all_levels(child)


def owners(pair: Pair) -> dict[Value, Level]:
    """The level at which each value of the forward sweep is defined."""
    return {value: level for level in all_levels(pair) for value in level.own_values()}


def needed(pair: Pair, owner: dict[Value, Level]) -> list[Value]:
    """Values of the forward sweep that the mirror uses, in order of first use."""
    uses: Iterator[Operand] = (v for block in pair.mirror.blocks for v in used(block))
    return list(dict.fromkeys(v for v in uses if isinstance(v, Value) and v in owner))


def defining_op(value: Value, level: Level) -> Op | None:
    """The op of the level's forward block that gives the value; None for a parameter."""
    return defining(level.forward, value)


def defining(block: Block, value: Operand) -> Op | None:
    return next((op for op in block.ops if value in op.results), None)


def most_trips(loop: Op) -> Operand | None:
    """How often a loop runs, or the literal that a ``while`` counts to at the most, if that is small."""
    if loop.primitive == "for":
        return loop.operands[0]
    test = loop.blocks[0]
    made = {op.result: op for op in test.ops if len(op.results) == 1}
    pending = [test.yields[0]]
    while pending:
        op = made.get(pending.pop())  # type: ignore[arg-type]  # a Const is not there
        if op is None or op.primitive not in ("and_", "lt"):
            continue
        if op.primitive == "and_":
            pending += op.operands
        elif op.operands[0] in test.parameters and (limit := _limit(op, loop)) is not None:
            return limit
    return None


def _limit(comparison: Op, loop: Op) -> Const | None:
    """``n - start`` for the test ``k < n`` of a carried k that grows by one from ``start``, both literals."""
    test, body = loop.blocks
    k = test.parameters.index(comparison.operands[0])
    start, end = loop.operands[k], comparison.operands[1]
    step = defining(body, body.yields[k])
    counts = step is not None and step.primitive == "add" and set(step.operands) == {body.parameters[k], index(1)}
    if not counts or not isinstance(start, Const) or not isinstance(end, Const):
        return None
    limit = int(end.value.real) - int(start.value.real)
    return index(limit) if 0 <= limit <= FEW else None


def known_before(operand: Operand, owner: Mapping[Value, Level]) -> bool:
    """Whether an operand can be had in front of the nest: it is from outside, or computed purely from what is."""
    if not isinstance(operand, Value) or operand not in owner:
        return True
    op = defining_op(operand, owner[operand])
    return op is not None and effect(op.primitive) is Effect.PURE and all(known_before(x, owner) for x in op.operands)
