"""Which partial derivatives are finite for certain, and need no strong zero?

A row marked ``singular`` may have an infinite or undefined partial; its product with a cotangent of 0 must be 0, and
is written so. Where the operands rule the singular points out, the plain product does.
"""

from __future__ import annotations

import math
from dataclasses import replace

from srcgrad.analysis.branch_signs import Signs, known_signs
from srcgrad.analysis.flows import merged_values
from srcgrad.differentiate.poles import Poles
from srcgrad.ir.core import Const, Function, Op, Operand, Value, constant, definitions, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import Scalar
from srcgrad.primitives.scalar import SCALARS

# What has a pole: the value is infinite or NaN there.
POLES = frozenset({"div", "log", "log2", "log10", "log1p", "pow", "ipow", "arctanh", "lgamma", "digamma"})
# Bounds of divisors: what is not below this underflows in no precision, nor do a few products of it.
SMALL, LARGE = 1e-12, 1e12


def mark_regular(function: Function) -> Function:
    """Mark ``regular=True`` on each op of a singular row whose partials cannot be singular here."""
    signs = _Signs(function)

    def visit(op: Op) -> Replacement | None:
        row = SCALARS.get(op.primitive)
        if row is None or not row.singular or (is_singular(op) and not signs.regular(op)):
            return None
        return [replace(op, attributes={**op.attributes, "regular": True})], {}

    return rewrite(function, visit)


def mark_infinite(function: Function) -> Function:
    """Mark ``infinite=True`` on each op of a regular row with an operand that may be infinite or NaN at a pole.

    Its partials are that operand, or made of it, so that a cotangent that a selection makes 0 has to stay 0:
    ``np.where(x > 0.0, x * np.log(x), 0.0)``. Programs that select nothing need no marks. A store of a value that may
    be left aside later is marked ``selected=True``: so is the cotangent that it takes from the shadow.
    """
    poles = Poles(function, is_pole)
    if not poles.selects:
        return function
    infinite: set[Operand] = set(poles.infinite)

    def visit(op: Op) -> Replacement | None:
        if op.primitive in ("store", "accumulate") and op.operands[-1] in poles.selected:
            return [replace(op, attributes={**op.attributes, "selected": True})], {}
        row = SCALARS.get(op.primitive)
        if row is None or row.partials is None or len(op.results) != 1:
            return None
        singular = row.singular and not op.attributes.get("regular")
        if singular or any(x in infinite for x in op.operands):
            infinite.add(op.result)
        if row.singular or not any(x in infinite for x in op.operands):
            return None
        return [replace(op, attributes={**op.attributes, "infinite": True})], {}

    return rewrite(function, visit)


def is_pole(op: Op) -> bool:
    """Whether the result itself may be infinite or NaN where the operands are finite, and not by overflow alone."""
    return op.primitive in POLES and not op.attributes.get("regular")


def names_infinity(function: Function) -> bool:
    """Whether an infinite number is written in the program: the border of a table of costs, a sum of no items."""
    written = (x.value for op in walk(function.body) for x in op.operands if isinstance(x, Const))
    return any(isinstance(v, float) and math.isinf(v) for v in written)


def is_singular(op: Op) -> bool:
    """Whether a partial of this scalar op can be infinite or NaN while its operands are finite and of moderate size.

    Most powers and quotients that programs contain have a literal exponent or divisor, and cannot.
    """
    if not SCALARS[op.primitive].singular:
        return False
    match op.primitive, op.operands:
        case "ipow", (_, Const(n)):
            return isinstance(n, int) and n < 0
        case "pow", (_, Const(float(b))):
            return not 1.0 <= b < math.inf
        case (("div" | "mod" | "fmod"), (_, Const(float(b)))):
            return b == 0.0
    return True


class _Signs:
    """What is known of the sign of values, by what they are computed from, and by checks and branches they passed."""

    def __init__(self, function: Function) -> None:
        self.ops = definitions(function.body)
        self.known = known_signs(function.body, self.ops)
        self.here = Signs()  # of these what holds for the op in question
        self.merged = dict[Operand, tuple[Operand, ...]](x for op in walk(function.body) for x in merged_values(op))
        self.sums: set[Operand] = set()  # of these the sums of squares

    def regular(self, op: Op) -> bool:
        self.here = self.known.get(op, Signs())
        match op.primitive:
            case "div":
                return self.nonzero(op.operands[1])
            case "log" | "sqrt" | "log2" | "log10" | "pow":
                return self.positive(op.operands[0])
            case "exp" | "exp2" | "expm1":  # they overflow, as in a density they cannot
                return self.not_positive(op.operands[0])
        return False

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
