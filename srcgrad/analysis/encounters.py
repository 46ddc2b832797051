"""How far apart two loops, one behind the other, touch the same elements, counted in iterations.

``flux[i]`` in the first and ``flux[i]``, ``flux[i - 1]`` in the second: an iteration of the second reads what the same
iteration of the first has stored, and the one before it.

>>> from srcgrad.ir.text import parse
>>> from srcgrad.primitives.table import infer
>>> program = parse('''
... def f(a: f64[:], b: f64[:], n: i64):
...     with for_(n):
...         def _(i: i64):
...             store(a, i, 1.0)
...     with for_(n):
...         def _(j: i64):
...             k: i64 = sub(j, 1)
...             v: f64 = load(a, k)
...             store(b, j, v)
... ''', infer)
>>> effects = Effects(program)
>>> first, second = (Iteration(op, effects) for op in program.body.ops)
>>> [met.iterations for met in encounters(first, second)]
[-1]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from srcgrad.analysis.accesses import Access, indices
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import Op, Value, defined
from srcgrad.primitives.table import Effect, effect


class Iteration:
    """What an iteration of an innermost loop touches; ``known`` says whether the places of all that are affine."""

    def __init__(self, loop: Op, effects: Effects) -> None:
        self.loop = loop
        self.effects = effects
        self.counter = loop.blocks[0].parameters[0]
        inside = frozenset(defined(loop.blocks[0])) - {self.counter}
        touching = [op for op in loop.blocks[0].ops if effect(op.primitive) in (Effect.READ, Effect.WRITE)]
        self.places: dict[Op, Access] = {}
        for op in touching:
            array = op.operands[0]
            assert isinstance(array, Value)
            access = effects.definitions.access(array, indices(op))
            forms = [f for f in access.indices if f is not None and inside.isdisjoint(f.terms)]
            if access.root not in inside and len(forms) == len(access.indices):
                self.places[op] = access
        self.known = len(self.places) == len(touching)


@dataclass(frozen=True)
class Encounter:
    """Iteration ``q + iterations`` of one loop and ``q`` of the other touch one element (None: it is not known which).

    ``always``: they do in every iteration, not only in some.
    """

    one: Op
    other: Op
    iterations: int | None
    always: bool = False


def encounters(first: Iteration, second: Iteration) -> Iterator[Encounter]:
    """For each pair of accesses of two loops, at least one of them a write, that may touch one element."""
    for one, place in first.places.items():
        for other, there in second.places.items():
            if one.primitive == other.primitive == "load":
                continue
            found = _between(first, second, one, place, other, there)
            if found is not None:
                yield found


def _between(first: Iteration, second: Iteration, one: Op, place: Access, other: Op, there: Access) -> Encounter | None:
    """None where the two never touch one element."""
    effects = first.effects
    if place.root is not there.root:
        may_meet = effects.sites.sites(place.root) & effects.sites.sites(there.root)
        return Encounter(one, other, None) if may_meet and not effects.distinct(place.root, there.root) else None
    found: int | None = None
    always = True
    for a, b in zip(place.indices, there.indices, strict=True):
        assert a is not None and b is not None
        step, by = a.terms.get(first.counter, 0), b.terms.get(second.counter, 0)
        gap = b.without(second.counter) - a.without(first.counter)
        if step != by or not gap.is_constant:
            always = False
        elif step == 0 and gap.constant:
            return None
        elif step:
            ahead, rest = divmod(gap.constant, step)
            if rest or (found is not None and found != ahead):
                return None
            found = ahead
    return Encounter(one, other, found, always and found is not None)


def stays_behind(place: tuple[Affine, ...], access: Access, counter: Value, trips: Affine) -> bool:
    """Whether an access in the iterations ``0 .. trips - 1`` of a loop never touches a given element."""
    for element, form in zip(place, access.indices, strict=True):
        assert form is not None
        gap, step = element - form.without(counter), form.terms.get(counter, 0)
        if step == 0 and gap.is_constant and gap.constant:
            return True
        if step == 1 and ((gap - trips).is_constant and (gap - trips).constant >= 0):
            return True
        if step == 1 and gap.is_constant and gap.constant < 0:
            return True
    return False
