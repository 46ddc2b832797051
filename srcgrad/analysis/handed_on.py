"""May what a loop hands on in an array be copied into one buffer for all its iterations?

In Python the name is bound to another array at the end of each iteration, and the one before lives on where anybody
else holds it. A buffer that is overwritten does the same job if nobody sees the difference: the reference that the
iteration is given goes nowhere but into accesses, and the memory it stands for is not written to by others after the
buffer was filled from it; nor read by them, where the loop itself writes to what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from srcgrad.analysis.effects import Effects, Touch, shared_depth
from srcgrad.analysis.sites import Token
from srcgrad.ir.core import Block, Op, Operand, Value, first_carried, walk
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import Effect, effect


@dataclass(frozen=True)
class HandedOn:
    """An array that a loop carries, by its place among what is carried."""

    loop: Op
    place: int

    @property
    def body(self) -> Block:
        return self.loop.blocks[-1]

    @property
    def parameters(self) -> tuple[Value, ...]:
        first = first_carried(self.loop)
        return tuple(block.parameters[first + self.place] for block in self.loop.blocks)

    @property
    def initial(self) -> Operand:
        return self.loop.operands[first_carried(self.loop) + self.place]

    @property
    def yielded(self) -> Operand:
        return self.body.yields[self.place]

    @property
    def result(self) -> Value:
        return self.loop.results[self.place]


def fits_in_buffer(carried: HandedOn, effects: Effects) -> bool:
    """Whether a buffer that is filled in front of the loop, and at the end of each iteration, does the same."""
    given = _names(carried.parameters, effects, any)
    if not _stays(carried, given, effects):
        return False
    sites = effects.sites.sites(carried.initial) | effects.sites.sites(carried.yielded)
    return _nobody_sees_copies(carried, sites, effects)


def may_start_with_copy(carried: HandedOn, effects: Effects) -> bool:
    """Whether a copy does for what the loop starts with: it may run zero times, and its result is the copy then."""
    return _nobody_sees_copies(carried, effects.sites.sites(carried.initial), effects)


def _nobody_sees_copies(carried: HandedOn, sites: frozenset[Value], effects: Effects) -> bool:
    """Whether others neither write to the memory after it was copied, nor read what is written to the copies."""
    own = (*carried.parameters, carried.result)
    possible, certain = _names(own, effects, any), _names(own, effects, all)
    writes_itself = any(touch.array in possible for site in sites for touch in effects.writes.get(site, ()))
    if any(_is_late(touch, site, carried, effects) for site, touch in _others(effects.writes, sites, certain)):
        return False
    if not writes_itself:
        return True
    seen = {s for r in effects.function.results if r not in certain for s in effects.sites.sites(r)}
    if not sites.isdisjoint(seen | effects.sites.parameters):
        return False
    return not any(_is_late(touch, site, carried, effects) for site, touch in _others(effects.reads, sites, certain))


def starts_in_place(carried: HandedOn, effects: Effects) -> bool:
    """Whether what is carried first may be the buffer: made in the same iteration, and seen by nobody else since."""
    alloc = effects.definitions.op.get(carried.initial) if isinstance(carried.initial, Value) else None
    if alloc is None or alloc.primitive != "alloc" or alloc.result.type != carried.result.type:
        return False
    around = tuple(block for block, _ in effects.paths[carried.loop] if block in effects.loops)
    site = frozenset((alloc.result,))
    names = _names((*carried.parameters, carried.result), effects, all)
    handed_on = (x for x in (carried.yielded, *effects.function.results) if x not in names)
    if any(alloc.result in effects.sites.sites(x) for x in handed_on) or effects.sites.birth[alloc.result] != around:
        return False
    touches = (*_others(effects.reads, site, names), *_others(effects.writes, site, names))
    return not any(_is_late(touch, alloc.result, carried, effects) for _, touch in touches)


def _names(references: tuple[Value, ...], effects: Effects, sides: Callable[[Iterable[bool]], bool]) -> set[Operand]:
    """The references, views of them, and what branches choose: among them alone (``all``), or others, too (``any``)."""
    found: set[Operand] = set(references)

    def visit(block: Block) -> None:
        for op in block.ops:
            for inner in op.blocks:
                visit(inner)
            if effect(op.primitive) is Effect.VIEW and op.operands[0] in found:
                found.update(op.results)
            elif op.primitive == "if":
                chosen = zip(op.results, *(inner.yields for inner in op.blocks), strict=True)
                found.update(result for result, *yields in chosen if sides(y in found for y in yields))

    visit(effects.function.body)
    return found


def _stays(carried: HandedOn, given: set[Operand], effects: Effects) -> bool:
    """Whether what an iteration is given is only accessed, or yielded to be what the next is given."""
    for op in (op for block in carried.loop.blocks for op in walk(block)):
        if not given.isdisjoint(op.operands) and not _accesses(op):
            return False
        if op.primitive != "if" and any(y in given for block in op.blocks for y in block.yields):
            return False
    if any(y in given for k, y in enumerate(carried.body.yields) if k != carried.place):
        return False
    return carried.yielded not in given or _is_whole(carried.yielded, effects)


def _is_whole(reference: Operand, effects: Effects) -> bool:
    """Whether it was chosen by branches alone: a view of the buffer cannot be copied into the buffer."""
    op = effects.definitions.op.get(reference) if isinstance(reference, Value) else None
    if op is not None and op.primitive == "if":
        return all(_is_whole(block.yields[op.results.index(reference)], effects) for block in op.blocks)
    if op is not None and op.primitive == "relax":
        return _is_whole(op.operands[0], effects)
    return op is None or effect(op.primitive) is not Effect.VIEW


def _accesses(op: Op) -> bool:
    kind = effect(op.primitive)
    if kind is Effect.CALL:
        return op.text("callee") in ROUTINES
    return kind in (Effect.READ, Effect.WRITE, Effect.VIEW, Effect.PURE)


def _others(
    touches: dict[Value, list[Touch]], sites: frozenset[Value], own: set[Operand]
) -> Iterator[tuple[Value, Touch]]:
    """Accesses to the memory by other names."""
    for site in sites:
        yield from ((site, touch) for touch in touches.get(site, ()) if touch.array not in own)


def _is_late(touch: Touch, site: Value, carried: HandedOn, effects: Effects) -> bool:
    """Whether an access may meet memory from which the buffer was filled before."""
    birth = effects.sites.birth[site]
    passed = {loop for token in _tokens(touch, site, effects) for loop in token.carried}
    if any(block.ops[position] is carried.loop for block, position in touch.path):
        return carried.body not in birth or carried.body in passed
    if carried.body in birth:
        return True
    path = effects.paths[carried.loop]
    common = shared_depth(touch.path, path)
    if touch.path[common - 1][1] >= path[common - 1][1]:
        return True
    around = [block for block, _ in path[:common] if block in effects.loops]
    return any(loop not in birth or loop in passed for loop in around)


def _tokens(touch: Touch, site: Value, effects: Effects) -> Iterator[Token]:
    return (token for token in effects.sites.of(touch.array) if token.site is site)
