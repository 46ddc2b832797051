"""Elements that several iterations of a loop touch one after the other, as ``a[i + 1]``, ``a[i]`` and ``a[i - 1]``.

What one iteration knows as ``a[i]`` the next one knows as ``a[i - 1]``: accesses whose places differ by a multiple of
what an iteration moves them by form a window that slides over the array. An element passes through its positions,
from 0, where the window meets it, to the last.

>>> from srcgrad.ir.core import walk
>>> from srcgrad.ir.text import parse
>>> from srcgrad.primitives.table import infer
>>> program = parse('''
... def f(a: f64[:], n: i64, v: f64):
...     with for_(n):
...         def _(i: i64):
...             k: i64 = add(i, 2)
...             accumulate(a, i, v)
...             accumulate(a, k, v)
... ''', infer)
>>> (loop,) = (op for op in walk(program.body) if op.primitive == "for")
>>> (window,) = windows_of(loop, Effects(program))
>>> [len(position) for position in window.positions]
[1, 0, 1]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from srcgrad.analysis.accesses import Access, Definitions, indices
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.apart import never_wraps_to
from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import Op, Value, defined, walk
from srcgrad.primitives.table import Effect, effect


@dataclass(frozen=True)
class Window:
    """The accesses at each position, in the order of the program; a position may have none."""

    root: Value
    counter: Value
    positions: tuple[tuple[Op, ...], ...]
    first: tuple[Affine, ...]  # the indices of what is at position 0
    step: tuple[int, ...]  # what an iteration adds to each

    def place(self, position: int, counter: Affine) -> tuple[Affine, ...]:
        """The indices of the element that is at a position when the counter has this value."""
        moved = counter - position - Affine({self.counter: 1}, 0)
        return tuple(f + moved * s for f, s in zip(self.first, self.step, strict=True))


@dataclass(frozen=True)
class _Place:
    """Where an access is: ``distance`` steps of the loop ahead of the place that all of a window are measured from."""

    op: Op
    access: Access
    distance: int


def windows_of(loop: Op, effects: Effects) -> list[Window]:
    """The windows of a counted loop, each apart from all else that the loop touches."""
    return [w for w in _Loop(loop, effects).windows() if len(w.positions) > 1]


class _Loop:
    def __init__(self, loop: Op, effects: Effects) -> None:
        self.body = loop.blocks[0]
        self.counter = self.body.parameters[0]
        self.inside = frozenset(defined(self.body))
        self.effects = effects
        kinds = (Effect.READ, Effect.WRITE)
        self.touching = {op: self.access(op) for op in walk(self.body) if effect(op.primitive) in kinds}

    def access(self, op: Op) -> Access | None:
        """The element, if the counter and what is known outside of the loop say which one it is."""
        array = op.operands[0]
        assert isinstance(array, Value)
        if op.primitive not in ("load", "store", "accumulate"):
            return None
        access = self.effects.definitions.access(array, indices(op))
        changing = self.inside - {self.counter}
        if access.root in changing or any(f is None or not changing.isdisjoint(f.terms) for f in access.indices):
            return None
        return access

    def windows(self) -> Iterator[Window]:
        groups: dict[object, list[_Place]] = {}
        for op in self.body.ops:
            access = self.touching.get(op)
            if access is not None:
                key, distance = self.measured(access)
                groups.setdefault(key, []).append(_Place(op, access, distance))
        for key, group in groups.items():
            if key is not None and self.stands_alone(group):
                yield self.window(group)

    def measured(self, access: Access) -> tuple[object, int]:
        """What all accesses of a window have in common (None: there is no window), and how far ahead this one is."""
        forms = [f for f in access.indices if f is not None]
        steps = [f.terms.get(self.counter, 0) for f in forms]
        moving = [k for k, s in enumerate(steps) if s]
        if not moving:
            return None, 0
        distance = forms[moving[0]].constant // steps[moving[0]]
        rest = [f - distance * s for f, s in zip(forms, steps, strict=True)]
        return (access.root, *((frozenset(f.terms.items()), f.constant) for f in rest)), distance

    def stands_alone(self, group: list[_Place]) -> bool:
        """Whether nothing else in the loop may touch an element that the window passes over."""
        own = {place.op for place in group}
        one = group[0].access
        return all(self.apart(one, op, other) for op, other in self.touching.items() if op not in own)

    def apart(self, one: Access, op: Op, other: Access | None) -> bool:
        sites = self.effects.sites.sites
        if sites(one.root).isdisjoint(sites(op.operands[0])):
            return True
        if other is None:
            return False
        if other.root is not one.root:
            return self.effects.distinct(one.root, other.root)
        return never_touch(one, other, self.counter, self.effects.definitions)

    def window(self, group: list[_Place]) -> Window:
        furthest = max(group, key=lambda place: place.distance)
        count = furthest.distance - min(place.distance for place in group) + 1
        positions: list[list[Op]] = [[] for _ in range(count)]
        for place in group:
            positions[furthest.distance - place.distance].append(place.op)
        forms = tuple(f for f in furthest.access.indices if f is not None)
        step = tuple(f.terms.get(self.counter, 0) for f in forms)
        return Window(furthest.access.root, self.counter, tuple(map(tuple, positions)), forms, step)


def never_touch(one: Access, other: Access, counter: Value, definitions: Definitions) -> bool:
    """Two accesses to one array touch different elements, in whichever iterations they are made.

    The same then holds of any element that is whole steps of the loop away from one of them.
    """
    for a, b in zip(one.indices, other.indices, strict=True):
        assert a is not None and b is not None
        gap = a.without(counter) - b.without(counter)
        step = gcd(a.terms.get(counter, 0), b.terms.get(counter, 0))
        if gap.is_constant and (gap.constant % step if step else gap.constant):
            return True
        if not step and never_wraps_to(gap, definitions):
            return True
    return False
