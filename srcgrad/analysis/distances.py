"""How many iterations of two loops, one inside the other, lie between two that touch one element?

``r[i, j]`` that is made of ``r[i - 1, j]`` and ``r[i, j - 1]`` lies at the distances (1, 0) and (0, 1) of what it is
made of. Where no distance has one part above 0 and one below, the iterations with one sum of both counters, an
*antidiagonal*, do not depend on each other.

>>> from srcgrad.ir.types import INDEX, F64, Array
>>> i, j, r = Value(INDEX, "i"), Value(INDEX, "j"), Value(Array(F64, 2), "r")
>>> here = Access(r, (Affine({i: 1}, 1), Affine({j: 1}, 1)))
>>> left = Access(r, (Affine({i: 1}, 1), Affine({j: 1}, 0)))
>>> Plane(i, j, frozenset((i, j))).distance(here, left)
Distance(outer=0, inner=1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from srcgrad.analysis.accesses import Access
from srcgrad.analysis.affine import Affine
from srcgrad.ir.core import Value


class Distance(NamedTuple):
    """From the iteration of one access to that of another to the same element, in both counters; None for any."""

    outer: int | None
    inner: int | None


UNKNOWN = Distance(None, None)


@dataclass(frozen=True)
class Plane:
    """The iterations of two loops by their counters, and all that is computed inside of the loops."""

    outer: Value
    inner: Value
    inside: frozenset[Value]

    def distance(self, one: Access, other: Access) -> Distance | None:
        """From the one to the other; None where they never touch one element."""
        outer: int | None = None
        inner: int | None = None
        for a, b in zip(one.indices, other.indices, strict=True):
            if a is None or b is None or not self.knows(a) or not self.knows(b):
                continue
            along, gap = self.along(b), self.fixed(a) - self.fixed(b)
            if along != self.along(a) or not gap.is_constant:
                continue
            match along:
                case (0, 0) if gap.constant:
                    return None
                case (p, 0) if p:
                    if gap.constant % p or outer not in (None, gap.constant // p):
                        return None
                    outer = gap.constant // p
                case (0, q) if q:
                    if gap.constant % q or inner not in (None, gap.constant // q):
                        return None
                    inner = gap.constant // q
        return Distance(outer, inner)

    def along(self, form: Affine) -> tuple[int, int]:
        """What an iteration of either loop adds to an index."""
        return form.terms.get(self.outer, 0), form.terms.get(self.inner, 0)

    def stays(self, form: Affine) -> bool:
        """Whether an index is the same all along an antidiagonal."""
        outer, inner = self.along(form)
        return self.knows(form) and outer == inner

    def fixed(self, form: Affine) -> Affine:
        return form.without(self.outer).without(self.inner)

    def knows(self, form: Affine) -> bool:
        """Whether an index is made of the counters and of what is the same in all iterations."""
        return all(v in (self.outer, self.inner) or v not in self.inside for v in form.terms)


def keeps_order(distance: Distance | None) -> bool:
    """Of two iterations that touch one element the earlier is on an earlier antidiagonal, or both are one."""
    if distance is None:
        return True
    outer, inner = distance
    if outer is None or inner is None:
        return (outer, inner) in ((0, None), (None, 0))
    return outer * inner >= 0
