"""Arrays that a loop makes anew in each iteration and carries on: their shadows may take turns.

``u = f(u)`` makes an array in each iteration, and the one before it is seen no more::

    with for_(T, u) as (v,):                         with for_(T, u, u_bar, spare) as (v, v_bar, _):
        def _(t, u):                                     def _(t, u, u_bar, spare):
            w = alloc(n)                       ->            w = alloc(n)
            ...                                              ...
            yield w                                          yield w, spare, u_bar

So two shadows do for all iterations. A shadow for each would be memory that grows with their number, filled with zeros,
and the references to them would go on a stack. A history (``a, b = b, f(a, b)``) is a chain: the new array, what was
new one iteration ago, and so on; the shadow of the last becomes that of the next new one.

The reverse sweep of an iteration empties the shadow of the array that it made, which so is zero when it is handed on.
What the loop starts with must not be seen by others, or the shadow of that would be in the round: it is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.effects import Effects
from srcgrad.analysis.extents import Extent, Extents
from srcgrad.analysis.handed_on import HandedOn, may_start_with_copy
from srcgrad.analysis.sites import Sites
from srcgrad.differentiate.activity import find_active
from srcgrad.differentiate.checkpoints.memory import copied, plain
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value, captured, first_carried, used, walk, walk_ops
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect, new_builder

TOUCHING = ("load", "store", "accumulate", "dim")  # without making another reference


@dataclass(frozen=True, eq=False)
class Turn:
    """A new array of each iteration, and at which places among what the loop carries it is, from the newest on."""

    fresh: Value
    places: tuple[int, ...]
    initial: Operand  # what the loop starts with in its place


def turns_of(loop: Op, extents: Extents, sites: Sites) -> list[Turn]:
    """The arrays of a loop whose shadows may take turns, if what the loop starts with is its own."""
    body, first = loop.blocks[-1], first_carried(loop)
    carried = body.parameters[first:]
    made = {op.result for op in body.ops if op.primitive == "alloc"}
    turns = []
    for k, fresh in enumerate(body.yields):
        if not isinstance(fresh, Value) or fresh not in made:
            continue
        turn = Turn(fresh, tuple(_chain(k, carried, body.yields)), loop.operands[first + k])
        alike = all(
            carried[p].type == fresh.type == loop.operands[first + p].type
            and extents.of(carried[p]) == extents.of(fresh)
            for p in turn.places
        )
        if alike and stays_inside(loop, turn, sites):
            turns.append(turn)
    return turns


def _chain(start: int, carried: Sequence[Value], yields: Sequence[Operand]) -> Iterator[int]:
    """Where what is carried at a place goes in the next iterations."""
    yield start
    while carried[start] in yields:
        start = yields.index(carried[start])
        yield start


def stays_inside(loop: Op, turn: Turn, sites: Sites) -> bool:
    """Whether an iteration hands on its arrays by the chain alone: nobody sees one that has left it."""
    body, first = loop.blocks[-1], first_carried(loop)
    carried = body.parameters[first:]
    chained = [body.yields[p] for p in turn.places]
    own = frozenset[Value]().union(*(sites.sites(x) for x in (turn.fresh, *(carried[p] for p in turn.places))))
    others = [y for p, y in enumerate(body.yields) if p not in turn.places]
    kept = [x for op in walk(body) if effect(op.primitive) is Effect.STACK for x in (*op.operands, *op.results)]
    return len(set(chained)) == len(chained) and all(own.isdisjoint(sites.sites(x)) for x in (*others, *kept))


def start_with_copies(function: Function, inputs: Sequence[Value]) -> Function:
    """The function in which loops whose shadows may take turns start with arrays of their own."""
    if not any(op.primitive in LOOPS and _makes_what_it_carries(op) for op in walk(function.body)):
        return function
    effects = Effects(function)
    activity = find_active(function, inputs, reverse=True)
    extents = Extents(function)

    def visit(block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            places: list[int] = []
            if op.primitive in LOOPS:
                turns = [t for t in turns_of(op, extents, effects.sites) if t.fresh in activity]
                places = [p for t in turns if may_copy(op, t, effects) for p in t.places]
            ops += _with_copies(op, [p for p in places if not is_its_own(op, p, block)])
            ops[-1] = with_blocks(ops[-1], [visit(b) for b in op.blocks])
        return with_ops(block, ops)

    return replace(function, body=visit(function.body))


def _makes_what_it_carries(loop: Op) -> bool:
    made = {op.result for op in loop.blocks[-1].ops if op.primitive == "alloc"}
    return not made.isdisjoint(y for y in loop.blocks[-1].yields if isinstance(y, Value))


def is_its_own(loop: Op, place: int, block: Block) -> bool:
    """Whether what a loop carries there starts as an array that was made for it: nothing else has it from then on."""
    initial = loop.operands[first_carried(loop) + place]
    before = block.ops[: block.ops.index(loop)]
    made = any(op.primitive == "alloc" and op.result is initial for op in before)
    after = replace(block, ops=block.ops[len(before) + 1 :])
    once = loop.operands.count(initial) == 1 and initial not in captured(loop) and initial not in set(used(after))
    return made and once and all(_only_touches(op, initial) for op in before)


def _only_touches(op: Op, array: Operand) -> bool:
    """Whether an op makes no other reference to the array."""
    for inner in walk_ops((op,)):
        if any(array in block.yields for block in inner.blocks):
            return False
        if array in inner.operands and (inner.primitive not in TOUCHING or array in inner.operands[1:]):
            return False
    return True


def may_copy(loop: Op, turn: Turn, effects: Effects) -> bool:
    """Whether copies do for what the loop starts with: it does not write to that, nor does who would be missed."""
    body, first = loop.blocks[-1], first_carried(loop)
    if not all(may_start_with_copy(HandedOn(loop, p), effects) for p in turn.places):
        return False
    started = frozenset[Value]().union(*(effects.sites.sites(loop.operands[first + p]) for p in turn.places))
    touches = [t for site in started for t in effects.writes.get(site, ())]
    return not any(block is body for t in touches for block, _ in t.path)


def _with_copies(loop: Op, places: Sequence[int]) -> list[Op]:
    """The loop, after copies of what it starts with at these places."""
    if not places:
        return [loop]
    builder = new_builder()
    builder.location = loop.location
    builder.open()
    operands = list(loop.operands)
    for place in places:
        k = first_carried(loop) + place
        source = operands[k]
        assert isinstance(source, Value)
        operands[k] = copied(builder, source, plain(source))
    return [*builder.close().ops, replace(loop, operands=tuple(operands))]


def is_filled(array: Value, block: Block, extents: Extents) -> bool:
    """Whether the first that a block does with an array made there is to store each element, in a nest of loops.

    The reverse of that, which comes last, clears each element of the shadow; that of an inert op, left to a rule, does
    not.
    """
    first = next((op for op in block.ops if array in (*op.operands, *captured(op))), None)
    return first is not None and "inert" not in first.attributes and _stores_all(first, array, extents)


def _stores_all(nest: Op, array: Value, extents: Extents) -> bool:
    counters: list[Value] = []
    trips: list[Extent] = []
    ops: Sequence[Op] = (nest,)
    while len(ops) == 1 and ops[0].primitive == "for":
        counters.append(ops[0].blocks[0].parameters[0])
        trips.append(extents.canonical(ops[0].operands[0]))
        ops = ops[0].blocks[0].ops
    mentions = [op for op in ops if array in (*op.operands, *captured(op))]
    stored = [op.operands[:-1] for op in mentions if op.primitive == "store" and "inert" not in op.attributes]
    return len(mentions) == 1 and stored == [(array, *counters)] and tuple(trips) == extents.of(array)
