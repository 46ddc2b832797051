"""Comparisons: their opposites, and those of integers as affine forms that are not negative."""

from __future__ import annotations

from math import gcd

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.ir.core import Operand, Value

LARGEST = 1 << 40  # of constants and coefficients: beyond, sums might wrap around

OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}  # with the sides swapped


def comparison(name: str, gap: Affine) -> list[Affine]:
    """``a op b`` with ``gap = b - a``, as facts."""
    match name:
        case "lt":
            return [gap - 1]
        case "le":
            return [gap]
        case "gt":
            return [gap * -1 - 1]
        case "ge":
            return [gap * -1]
        case "eq":
            return [gap, gap * -1]
    return []


def fact(value: Value, sign: int = 1, constant: int = 0) -> Affine:
    """``sign * value + constant``."""
    return Affine({value: sign}, constant)


def without(value: Value, form: Affine, known: Affine) -> Affine:
    """``form - k * known``, scaled, with the k > 0 that removes a value."""
    a, b = abs(form.terms[value]), abs(known.terms[value])
    common = gcd(a, b)
    scale, k = b // common, a // common
    terms = {v: c * scale for v, c in form.terms.items()} if scale > 1 else dict(form.terms)
    for v, c in known.terms.items():
        terms[v] = terms.get(v, 0) - c * k
    return Affine({v: c for v, c in terms.items() if c}, form.constant * scale - known.constant * k)


def is_large(form: Affine) -> bool:
    return max(abs(form.constant), *(abs(c) for c in form.terms.values())) > LARGEST


def not_above(number: Operand, count: Operand, more: int, definitions: Definitions) -> bool:
    """Whether a number is at most a trip count, which is not negative, and some more; both may be a ``max``."""
    limits, parts = (definitions.op.get(x) if isinstance(x, Value) else None for x in (count, number))
    if parts is not None and parts.primitive == "max":
        return all(not_above(x, count, more, definitions) for x in parts.operands)
    gap = definitions.affine(number) - more
    if gap.is_constant and gap.constant <= 0:
        return True
    above = limits.operands if limits is not None and limits.primitive == "max" else (count,)
    return any((gap - definitions.affine(x)).is_constant and (gap - definitions.affine(x)).constant <= 0 for x in above)
