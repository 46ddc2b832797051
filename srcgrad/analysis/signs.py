"""What sign do values have, by what they are computed from, and by checks and branches they passed?"""

from __future__ import annotations

import math

from srcgrad.analysis.branch_signs import Signs, known_signs
from srcgrad.analysis.flows import merged_values
from srcgrad.ir.core import Const, Function, Op, Operand, Value, constant, definitions, walk
from srcgrad.ir.types import Scalar

# Bounds of divisors: what is not below this underflows in no precision, nor do a few products of it.
SMALL, LARGE = 1e-12, 1e12


class SignsOfValues:
    """Asked at one op after the other: ``stand_at`` says for which."""

    def __init__(self, function: Function) -> None:
        self.ops = definitions(function.body)
        self.known = known_signs(function.body, self.ops)
        self.here = Signs()  # of these what holds for the op in question
        self.merged = dict[Operand, tuple[Operand, ...]](x for op in walk(function.body) for x in merged_values(op))
        self.sums: set[Operand] = set()  # of these the sums of squares

    def stand_at(self, op: Op) -> None:
        """What checks and branches have shown is that before this op."""
        self.here = self.known.get(op, Signs())

    def nonzero(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return operand.value != 0
        op = self.ops.get(operand)
        if op is not None and (op.primitive == "neg" or _keeps_all(op)) and self.nonzero(op.operands[0]):
            return True
        return operand in self.here.nonzero or self.positive(operand)

    def positive(self, operand: Operand) -> bool:
        """Greater than 0, or NaN. Products may underflow: they count where their factors have a bound above 0."""
        if isinstance(operand, Const):
            return not isinstance(operand.value, complex) and operand.value > 0
        if operand in self.here.positive or (operand in self.here.nonzero and self.sums_up_squares(operand)):
            return True
        op = self.ops.get(operand)
        if op is not None and op.primitive == "sqrt":
            return self.positive(op.operands[0])
        terms = self.terms(operand)
        if len(terms) > 1:
            return any(map(self.positive, terms)) and all(map(self.not_negative, terms))
        return self.least(operand, 6) > SMALL

    def not_negative(self, operand: Operand) -> bool:
        """At least 0, or NaN."""
        return self.sums_up_squares(operand) or self.positive(operand)

    def least(self, operand: Operand, depth: int) -> float:
        """A number above 0 that it is not below (or it is NaN), or 0: of ``(r2 + 0.01) * np.sqrt(r2 + 0.01)`` 0.001."""
        if isinstance(operand, Const):
            return max(float(operand.value), 0.0) if not isinstance(operand.value, complex) else 0.0
        op = None if _is_complex(operand) or not depth else self.ops.get(operand)
        match op.primitive if op is not None else None, op.operands if op is not None else ():
            case "add", _:
                terms = self.terms(operand)
                return max(self.least(x, depth - 1) for x in terms) if all(map(self.sums_up_squares, terms)) else 0.0
            case "mul", _:
                return min(math.prod(self.least(x, depth - 1) for x in self.factors(operand, depth)), LARGE)
            case "max", both:
                return max(self.least(x, depth - 1) for x in both)
            case "sqrt", (x,):
                return math.sqrt(self.least(x, depth - 1))
            case (("pow" | "ipow"), (x, Const(int() | float() as n))) if 0 < n <= 8:
                return min(float(min(self.least(x, depth - 1), LARGE) ** n), LARGE)
        return 0.0

    def sums_up_squares(self, operand: Operand) -> bool:
        return all(self.adds_squares(x) if x in self.merged else self.squared(x) for x in self.terms(operand))

    def adds_squares(self, merged: Operand) -> bool:
        """Of a loop: it starts with squares, and what it hands on is a sum of squares if what it was given is."""
        if merged not in self.sums:
            before = set(self.sums)
            self.sums.add(merged)
            if not all(map(self.sums_up_squares, self.merged[merged])):
                self.sums = before
        return merged in self.sums

    def terms(self, operand: Operand) -> list[Operand]:
        """What a sum adds up."""
        found, pending, seen = list[Operand](), [operand], set[Operand]()
        while pending:
            x = pending.pop()
            op = self.ops.get(x) if isinstance(x, Value) and not _is_complex(x) else None
            if op is not None and op.primitive == "add":
                pending += (y for y in op.operands if y not in seen)
                seen.update(op.operands)
            else:
                found.append(x)
        return found

    def squared(self, operand: Operand) -> bool:
        """A square, or another number that is not negative by the way it is made."""
        if isinstance(operand, Const):
            return not isinstance(operand.value, complex) and operand.value >= 0
        op = None if _is_complex(operand) else self.ops.get(operand)
        match op.primitive if op is not None else None:
            case "mul":
                return self.sign(operand) == 1
            case "ipow":
                assert op is not None
                exponent = op.operands[1]
                return isinstance(exponent, Const) and exponent.value.real % 2 == 0
            case "exp" | "abs" | "sqrt" | "cosh":
                return True
        return False

    def not_positive(self, operand: Operand) -> bool:
        """At most 0, or NaN."""
        if isinstance(operand, Const):
            return not isinstance(operand.value, complex) and operand.value <= 0
        return self.sign(operand) == -1

    def sign(self, operand: Operand) -> int:
        """1 for at least 0, -1 for at most 0 (or NaN), 0 if not known: by the factors, a square being positive."""
        sign, odd = 1, set[Value]()
        for factor in self.factors(operand, 8):
            if isinstance(factor, Const):
                sign *= 0 if isinstance(factor.value, complex) else 1 if factor.value >= 0 else -1
            else:
                odd ^= {factor}
        return sign if all(self.not_negative(x) for x in odd if x is not operand) and operand not in odd else 0

    def factors(self, operand: Operand, depth: int) -> list[Operand]:
        op = self.ops.get(operand) if isinstance(operand, Value) else None
        if op is None or not depth or op.primitive not in ("mul", "neg") or _is_complex(operand):
            return [operand]
        parts = [x for part in op.operands for x in self.factors(part, depth - 1)]
        return [*parts, constant(-1)] if op.primitive == "neg" else parts


def _is_complex(operand: Operand) -> bool:
    return isinstance(operand.type, Scalar) and operand.type.dtype.kind == "c"


def _keeps_all(op: Op) -> bool:
    """Whether this is a cast that makes 0 of nothing else: no number is cut off, none is too small for the new type."""
    if op.primitive != "cast":
        return False
    old, new = op.operands[0].type, op.result.type
    assert isinstance(old, Scalar) and isinstance(new, Scalar)
    exact = old.dtype.kind in "biu" or new.dtype.real.numpy.itemsize >= old.dtype.real.numpy.itemsize
    return new.dtype.kind in "fc" and exact
