"""Which partial derivatives are finite for certain, and need no strong zero?

A row marked ``singular`` may have an infinite or undefined partial; its product with a cotangent of 0 must be 0, and
is written so. Where the operands rule the singular points out, the plain product does.
"""

from __future__ import annotations

import math
from dataclasses import replace

from srcgrad.analysis.signs import SignsOfValues
from srcgrad.differentiate.poles import Poles
from srcgrad.ir.core import Const, Function, Op, Operand, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.primitives.scalar import SCALARS

# What has a pole: the value is infinite or NaN there.
POLES = frozenset({"div", "log", "log2", "log10", "log1p", "pow", "ipow", "arctanh", "lgamma", "digamma"})


def mark_regular(function: Function) -> Function:
    """Mark ``regular=True`` on each op of a singular row whose partials cannot be singular here."""
    signs = SignsOfValues(function)

    def visit(op: Op) -> Replacement | None:
        row = SCALARS.get(op.primitive)
        if row is None or not row.singular or (is_singular(op) and not _keeps_off(op, signs)):
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


def _keeps_off(op: Op, signs: SignsOfValues) -> bool:
    """Whether the operands rule the singular points out, where the op is."""
    signs.stand_at(op)
    match op.primitive:
        case "div":
            return signs.nonzero(op.operands[1])
        case "log" | "sqrt" | "log2" | "log10" | "pow":
            return signs.positive(op.operands[0])
        case "exp" | "exp2" | "expm1":  # they overflow, as in a density they cannot
            return signs.not_positive(op.operands[0])
    return False
