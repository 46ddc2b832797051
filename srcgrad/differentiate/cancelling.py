"""Roots that meet their own slopes are cancelled.

The slope of ``r = np.sqrt(x)`` is ``0.5 / r``, infinite at 0. In the derivative of ``r * r`` it meets a factor ``r``::

    r_bar = 2.0 * (r * ct)
    x_bar = 0.5 / r * r_bar        ->      x_bar = 0.5 * (2.0 * ct)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, constant, is_zero
from srcgrad.ir.types import DType, Scalar

DEPTH = 40  # of expressions that are looked into


class Cancelling:
    """Finds roots among the factors of cotangents and tangents; ops are emitted at the builder's cursor."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.orders: dict[tuple[Value, Value], float] = {}
        self.steep: dict[Operand, Steep] = {}  # tangents

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


def _is_real(value: Value) -> bool:
    return isinstance(value.type, Scalar) and value.type.dtype.kind == "f"


def _dtype(value: Value) -> DType:
    assert isinstance(value.type, Scalar)
    return value.type.dtype
