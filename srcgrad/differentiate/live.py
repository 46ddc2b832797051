"""Which zeros win over an infinite slope, and which do not?

A cotangent that is 0 since nobody asks for the value wins, and so does one with a factor that vanishes like the
argument ``x`` itself. One with a factor that vanishes like ``r = np.sqrt(x)`` (``np.sin(r)``, or ``np.exp(r) - 1.0``)
does not: it is *live*, and its product with the slope of ``r`` NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from srcgrad.analysis.grounds import Grounds, Pole, poles
from srcgrad.differentiate.cancelling import order_of
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, is_zero, truth, zero_like

DEPTHS = (8, 4, 2)  # how far up cotangents are looked into: as far as few of them have to be asked
FEW = 3


@dataclass(frozen=True)
class Condition:
    """That an operand is not 0, or what two others make together: under a flag, of a choice by a flag, or as one."""

    kind: Literal["nonzero", "under", "chosen", "both", "either"]
    operand: Operand | None = None
    parts: tuple[Condition, ...] = ()

    def asked(self) -> frozenset[Operand]:
        own = frozenset((self.operand,) if self.operand is not None else ())
        return own.union(*(part.asked() for part in self.parts))


@dataclass(frozen=True)
class Criteria:
    """Whether a factor vanishes no faster than a slope grows, and whether a sum of these grounds may, by cancelling."""

    keeps_up: Callable[[Operand], bool]
    varies: Callable[[int], bool]
    known: dict[Operand, Condition | None] = field(default_factory=dict)


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

    def share_roots(self, value: Operand, factor: Operand) -> bool:
        return self.grounds.share_roots(value, factor, self.builder.definition)

    def cotangent(self, op: Op, ct: Operand) -> Operand | None:
        """Whether a cotangent is asked for, though it may be 0; None if that is whether it is not 0."""
        if not is_singular_at(op):
            return None
        return self._shortest(ct, lambda factor: self.keeps_up(op, factor), lambda found: self.grounds.meets(op, found))

    def tangent(self, op: Op, tangent: Operand) -> Operand | None:
        """Whether the tangent of what a root is taken of is given, though it may be 0.

        What vanishes with its slope does so as a square, so that a square root has no slope. Other roots may have one:
        ``np.cbrt(x**3)``.
        """
        if Pole.ROOT not in poles(op) or ((order_of(op) or 1.0) <= 1.0 and self.grounds.is_smooth(op.operands[0])):
            return None
        return self._shortest(tangent, lambda factor: self._grounds(factor) != 0, bool)

    def _shortest(
        self, ct: Operand, keeps_up: Callable[[Operand], bool], varies: Callable[[int], bool]
    ) -> Operand | None:
        for depth in DEPTHS:
            found = self._live(ct, Criteria(keeps_up, varies), depth)
            if found is None or len(found.asked()) <= FEW:
                return self._emit(found) if found is not None else None
        return None

    def _live(self, ct: Operand, criteria: Criteria, depth: int) -> Condition | None:
        if ct not in criteria.known:
            criteria.known[ct] = self._find(ct, criteria, depth) if depth else None
        return criteria.known[ct]

    def _find(self, ct: Operand, criteria: Criteria, depth: int) -> Condition | None:
        if (product := self.products.get(ct)) is not None:
            slope, factor = product
            before = self._live(factor, criteria, depth - 1)
            if criteria.keeps_up(slope):
                return before or Condition("nonzero", factor)
            return before and Condition("both", parts=(before, Condition("nonzero", slope)))
        maker = self.builder.definition(ct)
        if maker is None:
            return None
        match maker.primitive, maker.operands:
            case (("neg" | "cast"), (x,)):
                return self._live(x, criteria, depth - 1)
            case "select", (flag, x, y) if maker.attributes.get("strong") or is_zero(y):
                inner = self._live(x, criteria, depth - 1)
                return inner and Condition("under", flag, (inner,))
            case (("add" | "select"), (*flag, x, y)):
                sides = [self._live(side, criteria, depth - 1) for side in (x, y)]
                cancels = not flag and any(criteria.varies(self._grounds(side)) for side in (x, y))
                if sides == [None, None] and not cancels:
                    return None
                parts = tuple(s or Condition("nonzero", side) for s, side in zip(sides, (x, y), strict=True))
                return Condition("chosen", flag[0], parts) if flag else Condition("either", parts=parts)
        return None

    def _grounds(self, value: Operand) -> int:
        return self.grounds.of_factor(value, self.builder.definition)

    def _emit(self, condition: Condition) -> Operand:
        parts = [self._emit(part) for part in condition.parts]
        operand = condition.operand
        match condition.kind:
            case "both":
                return self._combined("and_", True, *parts)
            case "either":
                return self._combined("or_", False, *parts)
        assert operand is not None
        match condition.kind:
            case "under":
                return self._combined("and_", True, operand, *parts)
            case "chosen":
                return self.builder("select", operand, *parts)
        return (
            truth(operand.value != 0) if isinstance(operand, Const) else self.builder("ne", operand, zero_like(operand))
        )

    def _combined(self, primitive: str, neutral: bool, a: Operand, b: Operand) -> Operand:
        """Both or either, folded where one is known."""
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Const):
                return y if x.value == neutral else x
        return self.builder(primitive, a, b)


def is_singular_at(op: Op) -> bool:
    """Whether the slope of an op is infinite somewhere."""
    return any(kind is not Pole.FRACTION for kind in poles(op))
