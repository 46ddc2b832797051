"""Which zeros win over an infinite slope, and which do not?

A cotangent that is 0 since nobody asks for the value wins, and so does one with a factor that vanishes like the
argument ``x`` itself. One with a factor that vanishes like ``r = np.sqrt(x)`` (``np.sin(r)``, or ``np.exp(r) - 1.0``)
does not: it is *live*, and its product with the slope of ``r`` NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from srcgrad.analysis.grounds import Grounds, Pole, poles
from srcgrad.differentiate.cancelling import order_of
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, is_zero, truth, zero_like

DEPTH = 40  # of expressions that are looked into


@dataclass(frozen=True)
class Criteria:
    """Whether a factor vanishes no faster than a slope grows, and whether a sum of these grounds may, by cancelling."""

    keeps_up: Callable[[Operand], bool]
    varies: Callable[[int], bool]
    known: dict[Operand, Operand | None] = field(default_factory=dict)


class Live:
    """What is asked of the factors of cotangents and tangents; ops are emitted at the builder's cursor."""

    def __init__(self, builder: Builder, grounds: Grounds) -> None:
        self.builder = builder
        self.grounds = grounds
        self.products: dict[Operand, tuple[Operand, Operand]] = {}  # a contribution: its partial and its cotangent

    def note(self, term: Operand, slope: Operand, ct: Operand) -> None:
        """Remember what a contribution is the product of."""
        if term is not ct:
            self.products[term] = (slope, ct)

    def keeps_up(self, op: Op, factor: Operand) -> bool:
        return self.grounds.keeps_up(op, factor, self.builder.definition)

    def cotangent(self, op: Op, ct: Operand) -> Operand | None:
        """Whether a cotangent is asked for, though it may be 0; None if that is whether it is not 0."""
        if not is_singular_at(op):
            return None
        return self._live(
            ct,
            Criteria(lambda factor: self.keeps_up(op, factor), lambda grounds: self.grounds.meets(op, grounds)),
            DEPTH,
        )

    def tangent(self, op: Op, tangent: Operand) -> Operand | None:
        """Whether the tangent of what a root is taken of is given, though it may be 0.

        What vanishes with its slope does so as a square, so that a square root has no slope. Other roots may have one:
        ``np.cbrt(x**3)``.
        """
        if Pole.ROOT not in poles(op) or ((order_of(op) or 1.0) <= 1.0 and self.grounds.is_smooth(op.operands[0])):
            return None
        return self._live(tangent, Criteria(lambda factor: self._grounds(factor) != 0, bool), DEPTH)

    def _live(self, ct: Operand, criteria: Criteria, depth: int) -> Operand | None:
        if ct not in criteria.known:
            criteria.known[ct] = self._find_live(ct, criteria, depth) if depth else None
        return criteria.known[ct]

    def _find_live(self, ct: Operand, criteria: Criteria, depth: int) -> Operand | None:
        if (product := self.products.get(ct)) is not None:
            slope, factor = product
            before = self._live(factor, criteria, depth - 1)
            if criteria.keeps_up(slope):
                return before if before is not None else self._nonzero(factor)
            return None if before is None else self._both(before, self._nonzero(slope))
        maker = self.builder.definition(ct)
        if maker is None:
            return None
        match maker.primitive, maker.operands:
            case (("neg" | "cast"), (x,)):
                return self._live(x, criteria, depth - 1)
            case "select", (condition, x, y) if maker.attributes.get("strong") or is_zero(y):
                inner = self._live(x, criteria, depth - 1)
                return None if inner is None else self._both(condition, inner)
            case (("add" | "select"), (*rest, x, y)):
                sides = [self._live(side, criteria, depth - 1) for side in (x, y)]
                cancels = not rest and any(criteria.varies(self._grounds(side)) for side in (x, y))
                if sides == [None, None] and not cancels:
                    return None
                found = [s if s is not None else self._nonzero(side) for s, side in zip(sides, (x, y), strict=True)]
                return self._either(*found) if not rest else self.builder("select", rest[0], *found)
        return None

    def _grounds(self, value: Operand) -> int:
        return self.grounds.of_factor(value, self.builder.definition)

    def _nonzero(self, operand: Operand) -> Operand:
        if isinstance(operand, Const):
            return truth(operand.value != 0)
        return self.builder("ne", operand, zero_like(operand))

    def _both(self, a: Operand, b: Operand) -> Operand:
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Const):
                return y if x.value else x
        return self.builder("and_", a, b)

    def _either(self, a: Operand, b: Operand) -> Operand:
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Const):
                return x if x.value else y
        return self.builder("or_", a, b)

    def share_roots(self, value: Operand, factor: Operand) -> bool:
        return self.grounds.share_roots(value, factor, self.builder.definition)


def is_singular_at(op: Op) -> bool:
    """Whether the slope of an op is infinite somewhere."""
    return any(kind is not Pole.FRACTION for kind in poles(op))
