"""Infinity times 0 at the pole of a root: the limit where a cancelled factor gives it, and where a 0 does not win.

The slope of ``r = np.sqrt(x)`` is ``0.5 / r``. In ``r * r`` a factor ``r`` meets it, and is cancelled. A cotangent that
is 0 since nobody asks for the value wins over an infinite slope, and so does one with a factor that vanishes like
``x``; one with a factor that vanishes like ``r`` (``np.sin(r)``) does not: it is *live*, and the product NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from srcgrad.analysis.grounds import Grounds, Pole, poles
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, constant, is_zero, truth, zero_like
from srcgrad.ir.types import DType, Scalar

DEPTH = 40  # of expressions that are looked into


@dataclass(frozen=True)
class Tests:
    """Whether a factor vanishes no faster than a slope grows, and whether a sum of these grounds may, by cancelling."""

    keeps_up: Callable[[Operand], bool]
    varies: Callable[[int], bool]
    known: dict[Operand, Operand | None] = field(default_factory=dict)


class Indeterminate:
    """What is asked of the factors of cotangents and tangents; ops are emitted at the builder's cursor."""

    def __init__(self, builder: Builder, grounds: Grounds) -> None:
        self.builder = builder
        self.grounds = grounds
        self.products: dict[Operand, tuple[Operand, Operand]] = {}  # a contribution: its partial and its cotangent
        self.orders: dict[tuple[Value, Value], float] = {}
        self.steep: dict[Operand, Steep] = {}  # tangents

    def note(self, term: Operand, slope: Operand, ct: Operand) -> None:
        """Remember what a contribution is the product of."""
        if term is not ct:
            self.products[term] = (slope, ct)

    def keeps_up(self, op: Op, factor: Operand) -> bool:
        return self.grounds.keeps_up(op, factor, self.builder.definition)

    def live(self, op: Op, ct: Operand) -> Operand | None:
        """Whether a cotangent is asked for, though it may be 0; None if that is whether it is not 0."""
        if not is_singular_at(op):
            return None
        return self._live(
            ct, Tests(lambda factor: self.keeps_up(op, factor), lambda grounds: self.grounds.meets(op, grounds)), DEPTH
        )

    def live_tangent(self, op: Op, tangent: Operand) -> Operand | None:
        """Whether the tangent of what a root is taken of is given, though it may be 0.

        What vanishes with its slope does so as a square, so that a square root has no slope. Other roots may have one:
        ``np.cbrt(x**3)``.
        """
        if Pole.ROOT not in poles(op) or ((order_of(op) or 1.0) <= 1.0 and self.grounds.is_smooth(op.operands[0])):
            return None
        return self._live(tangent, Tests(lambda factor: self._grounds(factor) != 0, bool), DEPTH)

    def _live(self, ct: Operand, tests: Tests, depth: int) -> Operand | None:
        if ct not in tests.known:
            tests.known[ct] = self._find_live(ct, tests, depth) if depth else None
        return tests.known[ct]

    def _find_live(self, ct: Operand, tests: Tests, depth: int) -> Operand | None:
        if (product := self.products.get(ct)) is not None:
            slope, factor = product
            before = self._live(factor, tests, depth - 1)
            if tests.keeps_up(slope):
                return before if before is not None else self._nonzero(factor)
            return None if before is None else self._both(before, self._nonzero(slope))
        maker = self.builder.definition(ct)
        if maker is None:
            return None
        match maker.primitive, maker.operands:
            case (("neg" | "cast"), (x,)):
                return self._live(x, tests, depth - 1)
            case "select", (condition, x, y) if maker.attributes.get("strong") or is_zero(y):
                inner = self._live(x, tests, depth - 1)
                return None if inner is None else self._both(condition, inner)
            case (("add" | "select"), (*rest, x, y)):
                sides = [self._live(side, tests, depth - 1) for side in (x, y)]
                cancels = not rest and any(tests.varies(self._grounds(side)) for side in (x, y))
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

    def split(self, op: Op, ct: Operand) -> tuple[Operand | None, Operand | None]:
        """A cotangent of a root as what the slope multiplies to a finite number, that number, and the rest."""
        shape = order_of(op)
        if shape is None or not isinstance(ct, Value):
            return None, ct
        terms = self._terms(ct)
        exact = [t for t in terms if self.order(t, op.result) >= shape]
        if not exact:
            return None, ct
        rest = [t for t in terms if t not in exact]
        return self.times_slope(op, self._sum(exact)), self._sum(rest) if rest else None

    def times_slope(self, op: Op, factor: Operand) -> Operand:
        """The product of the slope of a root with a factor that holds the root often enough."""
        shape = order_of(op)
        assert shape is not None
        root, whole = op.result, math.ceil(shape)
        for _ in range(whole):
            factor = self.quotient(factor, root)
        if whole > shape:
            factor = self.times(factor, self.builder("pow", root, constant(whole - shape, _dtype(root))))
        return self.times(constant(1.0 / (shape + 1.0), _dtype(root)), factor)

    def order(self, value: Operand, root: Value, depth: int = DEPTH) -> float:
        """How often a value has a root as a factor, as it is written."""
        if value is root:
            return 1.0
        if isinstance(value, Const):
            return math.inf if is_zero(value) else 0.0
        if (value, root) not in self.orders:
            self.orders[value, root] = self._find_order(value, root, depth)
        return self.orders[value, root]

    def _find_order(self, value: Value, root: Value, depth: int) -> float:
        maker = self.builder.definition(value)
        if maker is None or not depth or value.type != root.type:
            return 0.0
        match maker.primitive, maker.operands:
            case "mul", (x, y):
                return self.order(x, root, depth - 1) + self.order(y, root, depth - 1)
            case ("neg", (x,)) | ("div", (x, _)):
                return self.order(x, root, depth - 1)
            case (("add" | "sub"), (x, y)):
                return min(self.order(x, root, depth - 1), self.order(y, root, depth - 1))
            case "select", (_, x, y):
                return min(self.order(x, root, depth - 1), self.order(y, root, depth - 1))
            case (("ipow" | "pow"), (x, Const(int() | float() as n))) if n >= 1:
                return n * self.order(x, root, depth - 1)
        return 0.0

    def quotient(self, value: Operand, root: Value) -> Operand:
        """The value without one factor of those that ``order`` has counted."""
        if value is root:
            return constant(1.0, _dtype(root))
        if isinstance(value, Const):
            return value
        maker = self.builder.definition(value)
        assert maker is not None
        match maker.primitive, maker.operands:
            case "mul", (x, y):
                if self.order(x, root) >= 1:
                    return self.times(self.quotient(x, root), y)
                return self.times(x, self.quotient(y, root))
            case (("neg" | "div"), (x, *others)):
                return self.builder(maker.primitive, self.quotient(x, root), *others)
            case (("add" | "sub"), (x, y)):
                return self.builder(maker.primitive, self.quotient(x, root), self.quotient(y, root))
            case "select", (condition, x, y):
                return self.builder("select", condition, self.quotient(x, root), self.quotient(y, root))
            case (("ipow" | "pow"), (x, Const(int() | float() as n, dtype))):
                if n == 1:
                    return self.quotient(x, root)
                power: Operand = x if n == 2 else self.builder(maker.primitive, x, constant(n - 1, dtype))
                return self.times(power, self.quotient(x, root))
        raise AssertionError(maker)

    def note_steep(self, op: Op, products: Sequence[tuple[Operand, Operand]], total: Operand) -> None:
        """Remember a sum of products of partials with tangents that is the slope of one root times a finite factor."""
        if order_of(op) is not None:
            tangent = products[0][1]
            self.steep[total] = Steep(op, 0.0, lambda: tangent)
            return
        steep = [(partial, self.steep[tangent]) for partial, tangent in products if tangent in self.steep]
        if len(steep) < len(products) or len({s.root.result for _, s in steep}) > 1:
            return
        root = steep[0][1].root
        order = min(self.order(partial, root.result) + s.order for partial, s in steep)
        self.steep[total] = Steep(root, order, lambda: self._sum([self.times(p, s.factor()) for p, s in steep]))

    def finite_product(self, partial: Operand, tangent: Operand) -> Operand | None:
        """A partial times the tangent of a root, where both have the root as a factor often enough."""
        steep = self.steep.get(tangent)
        if steep is None or partial.type != steep.root.result.type:
            return None
        shape = order_of(steep.root)
        if shape is None or self.order(partial, steep.root.result) + steep.order < shape:
            return None
        return self.times_slope(steep.root, self.times(partial, steep.factor()))

    def share_roots(self, value: Operand, factor: Operand) -> bool:
        return self.grounds.share_roots(value, factor, self.builder.definition)

    def times(self, a: Operand, b: Operand) -> Operand:
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Const) and x.value == 1:
                return y
        return self.builder("mul", a, b)

    def _terms(self, ct: Operand) -> list[Operand]:
        found, pending = list[Operand](), [ct]
        while pending:
            term = pending.pop()
            maker = self.builder.definition(term)
            if maker is not None and maker.primitive == "add" and len(found) + len(pending) < DEPTH:
                pending += reversed(maker.operands)
            else:
                found.append(term)
        return found

    def _sum(self, terms: Sequence[Operand]) -> Operand:
        total, *others = terms
        for term in others:
            total = self.builder("add", total, term)
        return total


@dataclass(frozen=True)
class Steep:
    """A tangent that is infinite where a root is 0: the slope of the root times ``factor``, which is finite."""

    root: Op
    order: float  # how often the factor has the root as a factor itself
    factor: Callable[[], Operand]  # emits it


def order_of(op: Op) -> float | None:
    """Of a root the power of itself that its slope is one over, but for a factor: 1 of ``sqrt``, 2 of ``cbrt``."""
    if op.attributes.get("regular") and not op.attributes.get("norm"):
        return None
    match op.primitive, op.operands:
        case "sqrt", _:
            return 1.0 if _is_real(op.result) else None
        case "cbrt", _:
            return 2.0
        case "pow", (_, Const(float(b))) if 0.0 < b < 1.0 and _is_real(op.result):
            return round(1.0 / b - 1.0, 12)
    return None


def is_singular_at(op: Op) -> bool:
    """Whether the slope of an op is infinite somewhere."""
    return any(kind is not Pole.FRACTION for kind in poles(op))


def _is_real(value: Value) -> bool:
    return isinstance(value.type, Scalar) and value.type.dtype.kind == "f"


def _dtype(value: Value) -> DType:
    assert isinstance(value.type, Scalar)
    return value.type.dtype
