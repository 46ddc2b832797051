"""Laws of arithmetic that hold to the last bit, signed zeros and NaN included, as a table by primitive.

``x + 0.0`` is not x (-0.0), ``x * 0.0`` is not 0 (infinity, NaN), ``0.0 - x`` is not -x; those are not here. Integers
wrap around, so their laws hold without exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from srcgrad.analysis.inequalities import OPPOSITE
from srcgrad.ir.core import Const, Op, Operand, Value, constant, same, truth
from srcgrad.ir.types import I64, DType, Scalar

LARGEST = 1 << 62


@dataclass(frozen=True)
class Term:
    """An expression to be built in the place of an op."""

    primitive: str
    operands: tuple[Operand | Term, ...]


@dataclass(frozen=True)
class Known:
    """The ops that define values, for laws that look one level deep."""

    definitions: Mapping[Value, Op]
    uses: Mapping[Value, int]

    def parts(self, operand: Operand, primitive: str) -> tuple[Operand, ...]:
        """The operands of the op that made a value, if it is of this primitive; else ()."""
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        return op.operands if op is not None and op.primitive == primitive else ()

    def only_here(self, operand: Operand) -> bool:
        """Whether nothing else uses the value, so that what made it may change."""
        return isinstance(operand, Value) and self.uses.get(operand, 1) == 1


Law = Callable[[Op, Known], Operand | Term | None]


def simplified(op: Op, known: Known) -> Operand | Term | None:
    """What an op amounts to, or None."""
    law = LAWS.get(op.primitive)
    if law is None or (op.primitive in EXACT_ONLY and dtype(op.operands[0]).kind == "c"):
        return None
    return law(op, known)


def term(primitive: str, *operands: Operand | Term) -> Term:
    return Term(primitive, operands)


def dtype(operand: Operand) -> DType:
    assert isinstance(operand.type, Scalar)
    return operand.type.dtype


def is_number(operand: Operand, value: float) -> bool:
    """A constant of this value; 0 is not -0.0."""
    return isinstance(operand, Const) and repr(operand.value) == repr(type(operand.value)(value))


def integral(operand: Operand) -> bool:
    return dtype(operand).kind in "iu"


def negated(operand: Operand, known: Known) -> Operand | Term | None:
    """x, where the operand is -x; a product or quotient gives up the minus sign of a factor."""
    for inner in known.parts(operand, "neg"):
        return inner
    if isinstance(operand, Const):
        return _opposite(operand) if _is_negative(operand) else None
    for name in ("mul", "div"):
        parts = known.parts(operand, name)
        if not parts or not known.only_here(operand):
            continue
        for k, factor in enumerate(parts):
            positive = _opposite(factor) if _is_negative(factor) else next(iter(known.parts(factor, "neg")), None)
            if positive is not None:
                return Term(name, (*parts[:k], positive, *parts[k + 1 :]))
    return None


def _is_negative(operand: Operand) -> bool:
    """A negative constant, other than the one integer without an opposite."""
    if not isinstance(operand, Const) or isinstance(operand.value, complex) or operand.dtype.kind not in "fi":
        return False
    return -LARGEST < operand.value < 0 or (operand.dtype.kind == "f" and operand.value < 0)


def _opposite(operand: Operand) -> Const:
    assert isinstance(operand, Const)
    return Const(-operand.value, operand.dtype)


def _add(op: Op, known: Known) -> Operand | Term | None:
    a, b = op.operands
    zero = 0 if integral(a) else -0.0
    if is_number(b, zero):
        return a
    if is_number(a, zero):
        return b
    if (x := negated(b, known)) is not None:
        return term("sub", a, x)
    if isinstance(a, Value) and (x := negated(a, known)) is not None:
        return term("sub", b, x)
    if a is b and not integral(a):
        return term("mul", Const(2.0, dtype(a)), a)
    return _integer_sum(a, b, known) if integral(a) else None


def _integer_sum(a: Operand, b: Operand, known: Known) -> Operand | Term | None:
    for x, y in ((a, b), (b, a)):
        if isinstance(y, Const) and (moved := _offset(x, int(y.value.real), known)):
            return moved
        if (parts := known.parts(x, "sub")) and parts[1] is y:
            return parts[0]  # (p - y) + y
    return None


def _offset(x: Operand, by: int, known: Known) -> Term | Operand | None:
    """``x + by`` where x is itself something plus a constant."""
    if dtype(x) != I64:
        return None
    base, constant_part = None, None
    if parts := known.parts(x, "add"):
        base, constant_part = parts if isinstance(parts[1], Const) else parts[::-1]
        sign = 1
    elif parts := known.parts(x, "sub"):
        base, constant_part, sign = *parts, -1
    if base is None or not isinstance(constant_part, Const) or isinstance(base, Const):
        return None
    total = by + sign * int(constant_part.value.real)
    if total == 0:
        return base
    return term("add" if total > 0 else "sub", base, Const(abs(total), constant_part.dtype))


def _sub(op: Op, known: Known) -> Operand | Term | None:
    a, b = op.operands
    if is_number(b, 0):
        return a
    if (x := negated(b, known)) is not None:
        return term("add", a, x)
    if not integral(a):
        return None
    if a is b:
        return Const(0, dtype(a))
    if isinstance(b, Const) and (moved := _offset(a, -int(b.value.real), known)):
        return moved
    if (parts := known.parts(a, "add")) and b in parts:
        return parts[1] if parts[0] is b else parts[0]  # (p + q) - p
    if (parts := known.parts(b, "sub")) and parts[0] is a:
        return parts[1]  # a - (a - q)
    return None


def _mul(op: Op, known: Known) -> Operand | Term | None:
    for x, y in (op.operands, op.operands[::-1]):
        if is_number(y, 1):
            return x
        if is_number(y, -1):
            return term("neg", x)
        if integral(x) and is_number(y, 0):
            return y
        for inner in known.parts(x, "neg"):
            if isinstance(y, Const):
                return term("mul", inner, _opposite(y))
            for other in known.parts(y, "neg"):
                return term("mul", inner, other)
    return _square(op.operands[0], known) if op.operands[0] is op.operands[1] else None


def _div(op: Op, known: Known) -> Operand | Term | None:
    a, b = op.operands
    if is_number(b, 1):
        return a
    if is_number(b, -1):
        return term("neg", a)
    for x in known.parts(a, "neg"):
        for y in known.parts(b, "neg"):
            return term("div", x, y)
    return None


def _neg(op: Op, known: Known) -> Operand | Term | None:
    (a,) = op.operands
    for inner in known.parts(a, "neg"):
        return inner
    parts = known.parts(a, "mul")
    for k, factor in enumerate(parts):
        if isinstance(factor, Const) and dtype(factor).kind == "f" and known.only_here(a):
            return Term("mul", (*parts[:k], _opposite(factor), *parts[k + 1 :]))
    return None


def _even(op: Op, known: Known) -> Operand | Term | None:
    for inner in known.parts(op.operands[0], "neg"):
        return term(op.primitive, inner)
    return None


def _power(op: Op, known: Known) -> Operand | Term | None:
    a, n = op.operands
    if is_number(n, 1):
        return a
    if is_number(n, 0) or is_number(n, -0.0):
        return constant(1, dtype(a))
    if is_number(n, 2):
        return _square(a, known)
    if op.primitive == "ipow" and isinstance(n, Const) and isinstance(n.value, int) and n.value % 2 == 0:
        for inner in known.parts(a, "abs"):  # so that abs(x)**2 has its second derivative at 0
            if dtype(inner) == dtype(a):
                return term("ipow", inner, n)
    return None


def _square(a: Operand, known: Known) -> Term | None:
    """The square of an absolute value or a hypotenuse, without its root: that has no slope at 0, the square has."""
    for inner in known.parts(a, "abs"):
        if dtype(inner).kind != "c":
            return term("mul", inner, inner)
        return _sum_of_squares(term("real", inner), term("imag", inner))
    sides = known.parts(a, "hypot")
    return _sum_of_squares(*sides) if sides else None


def _sum_of_squares(x: Operand | Term, y: Operand | Term) -> Term:
    return term("add", term("mul", x, x), term("mul", y, y))


def _integer_division(op: Op, known: Known) -> Operand | Term | None:
    a, b = op.operands
    if not integral(a) or not is_number(b, 1):
        return None
    return a if op.primitive == "floordiv" else Const(0, dtype(a))


def _same(op: Op, known: Known) -> Operand | Term | None:
    a, b = op.operands
    return a if a is b else None


def _reflexive(holds: bool) -> Law:
    """A comparison of a value with itself; not of floats, which may be NaN."""

    def law(op: Op, known: Known) -> Operand | Term | None:
        a, b = op.operands
        return truth(holds) if a is b and dtype(a).kind not in "fc" else None

    return law


def _and(op: Op, known: Known) -> Operand | Term | None:
    return _logic(op, neutral=True)


def _or(op: Op, known: Known) -> Operand | Term | None:
    return _logic(op, neutral=False)


def _logic(op: Op, neutral: bool) -> Operand | Term | None:
    for x, y in (op.operands, op.operands[::-1]):
        if isinstance(y, Const) and dtype(y).kind == "b":
            return x if bool(y.value) is neutral else y
        if x is y and dtype(x).kind == "b":
            return x
    return None


def _not(op: Op, known: Known) -> Operand | Term | None:
    (a,) = op.operands
    for inner in known.parts(a, "not_"):
        return inner if dtype(inner).kind == "b" else None
    for name, opposite in OPPOSITE.items():
        parts = known.parts(a, name)
        if parts and (name in ("eq", "ne") or dtype(parts[0]).kind not in "fc"):
            return term(opposite, *parts)
    return None


def _select(op: Op, known: Known) -> Operand | Term | None:
    condition, a, b = op.operands
    if isinstance(condition, Const):
        return a if condition.value else b
    if same(a, b):
        return a
    for inner in known.parts(condition, "not_"):
        return term("select", inner, b, a)
    if isinstance(a, Const) and isinstance(b, Const) and dtype(a).kind == "b":
        return condition if a.value else term("not_", condition)
    return None


def _cast(op: Op, known: Known) -> Operand | Term | None:
    """A conversion to the type it has, or there and back through a wider type of the same kind."""
    (a,) = op.operands
    target = dtype(op.result)
    if dtype(a) == target:
        return a
    for inner in known.parts(a, "cast"):
        wider = dtype(a).numpy.itemsize >= target.numpy.itemsize
        if dtype(inner) == target and dtype(a).kind == target.kind and wider:
            return inner
    return None


def _part(op: Op, known: Known) -> Operand | Term | None:
    """``real`` and ``imag`` of what was just put together, of a conjugate, or of a real number made complex."""
    (z,) = op.operands
    for k, inner in enumerate(known.parts(z, "complex")):
        if k == (0 if op.primitive == "real" else 1):
            return inner
    for inner in known.parts(z, "conj"):
        part = term(op.primitive, inner)
        return part if op.primitive == "real" else term("neg", part)
    for x in known.parts(z, "cast"):
        if dtype(x) == dtype(op.result):
            return x if op.primitive == "real" else Const(0.0, dtype(x))
    return None


def _conj(op: Op, known: Known) -> Operand | Term | None:
    (z,) = op.operands
    for inner in known.parts(z, "conj"):
        return inner
    parts = known.parts(z, "complex")
    return term("complex", parts[0], term("neg", parts[1])) if parts and known.only_here(z) else None


LAWS: dict[str, Law] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "abs": _even,
    "cos": _even,
    "cosh": _even,
    "pow": _power,
    "ipow": _power,
    "floordiv": _integer_division,
    "mod": _integer_division,
    "max": _same,
    "min": _same,
    "eq": _reflexive(True),
    "le": _reflexive(True),
    "ge": _reflexive(True),
    "ne": _reflexive(False),
    "lt": _reflexive(False),
    "gt": _reflexive(False),
    "and_": _and,
    "or_": _or,
    "not_": _not,
    "select": _select,
    "cast": _cast,
    "real": _part,
    "imag": _part,
    "conj": _conj,
}
# Where complex arithmetic with a real 1 or 0 in it is not the identity, for infinities and signed zeros.
EXACT_ONLY = {"add", "sub", "mul", "div", "pow", "ipow"}
