"""Extents of references, resolved while lowering: through views to the allocation or the argument.

Two extents that are made in the same way are known to be equal, so that ``x[1:] - x[:-1]`` needs no check.
"""

from __future__ import annotations

from srcgrad.analysis.never_negative import never_negative as known_never_negative
from srcgrad.errors import ShapeError
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import refuse
from srcgrad.ir import core
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.ir.types import Array
from srcgrad.primitives.memory import slice_parts
from srcgrad.primitives.table import Effect, effect


def extent(builder: Builder, ref: Value, axis: int) -> Operand:
    """The extent of an axis, as an operand in scope."""
    assert isinstance(ref.type, Array)
    if axis in ref.type.ones:
        return index(1)
    if (ref, axis) in builder.extents:
        return index(builder.extents[ref, axis])
    op = builder.definition(ref)
    found = None if op is None else _extent_of_result(builder, op, axis)
    return builder("dim", ref, axis=axis) if found is None else found


def shape(builder: Builder, ref: Value) -> tuple[Operand, ...]:
    assert isinstance(ref.type, Array)
    return tuple(extent(builder, ref, axis) for axis in range(ref.type.rank))


def _extent_of_result(builder: Builder, op: Op, axis: int) -> Operand | None:
    match op.primitive:
        case "alloc":
            return op.operands[axis]
        case "reshape":
            return op.operands[1 + axis]
        case "slice":
            parts = enumerate(slice_parts(op.text("axes"), op.operands[1:]))
            kept, (letter, operands) = [(k, part) for k, part in parts if part[0] != "i"][axis]
            return operands[1] if letter == "s" else extent(builder, source(op), kept)
        case "transpose":
            permutation = op.attributes["permutation"]
            assert isinstance(permutation, tuple)
            origin = permutation[axis]
            assert isinstance(origin, int)
            return extent(builder, source(op), origin)
        case "expand":
            added = op.attributes["axes"]
            assert isinstance(added, tuple)
            return extent(builder, source(op), axis - sum(1 for k in added if isinstance(k, int) and k < axis))
        case "relax":
            return extent(builder, source(op), axis)
    return None


def source(op: Op) -> Value:
    """What a view looks into."""
    ref = op.operands[0]
    assert isinstance(ref, Value)
    return ref


def root(builder: Builder, ref: Value) -> Value:
    """The reference that a view was made from, through all views."""
    op = builder.definition(ref)
    return root(builder, source(op)) if op is not None and effect(op.primitive) is Effect.VIEW else ref


def disjoint(builder: Builder, a: Value, b: Value) -> bool:
    """Whether two references are known to share no memory.

    Fresh memory shares nothing with what is older than it, nor with other fresh memory, and two arguments do
    not overlap where one is written to: that is checked before the call. A merged or carried reference may be
    anything that is older than itself.
    """
    assert isinstance(a.type, Array) and isinstance(b.type, Array)
    if a.type.dtype != b.type.dtype:  # no view changes the dtype
        return True
    x, y = root(builder, a), root(builder, b)
    if x is y:
        return False
    if is_origin(builder, x) and is_origin(builder, y):
        return True
    return (_is_fresh(builder, x) and builder.older(y, x)) or (_is_fresh(builder, y) and builder.older(x, y))


def _is_fresh(builder: Builder, ref: Value) -> bool:
    op = builder.definition(ref)
    return op is not None and op.primitive == "alloc"


def is_origin(builder: Builder, ref: Value) -> bool:
    """Whether a reference is an argument or fresh memory, and not carried or merged."""
    return builder.is_argument(ref) or _is_fresh(builder, ref)


def same(builder: Builder, a: Operand, b: Operand) -> bool:
    """Whether two operands are known to be equal (or two references to look at the same elements)."""
    if core.same(a, b):
        return True
    x, y = builder.definition(a), builder.definition(b)
    if x is None or y is None or x.primitive != y.primitive or x.attributes != y.attributes:
        return False
    if effect(x.primitive) not in (Effect.PURE, Effect.VIEW, Effect.CHECK) or len(x.results) != 1:
        return False
    pairs = zip(x.operands, y.operands, strict=False)
    return len(x.operands) == len(y.operands) and all(same(builder, p, q) for p, q in pairs)


def require_equal(builder: Builder, n: Operand, m: Operand, message: str, hint: str) -> None:
    """Refuse two numbers that are known to differ, check two that may; ``message`` has ``{0}`` and ``{1}`` for them."""
    if same(builder, n, m):
        return
    if isinstance(n, Const) and isinstance(m, Const):
        raise refuse(builder, message.format(n.value, m.value), hint, ShapeError)
    builder.emit("check", builder("eq", n, m), n, m, exception="ValueError", message=message)


def shifted(builder: Builder, a: Operand, by: int) -> Operand:
    """``a + by``, with sums of constants folded: ``(n + -1) + -1`` is ``n + -2``."""
    op = builder.definition(a)
    if op is not None and op.primitive == "add" and isinstance(op.operands[1], Const):
        already = op.operands[1].value
        assert isinstance(already, int)
        a, by = op.operands[0], by + already
    return index_op(builder, "add", a, index(by))


def clamped_at_zero(builder: Builder, n: Operand) -> Operand:
    """``max(n, 0)``; ``n`` itself where it is never negative."""
    return n if never_negative(builder, n) else index_op(builder, "max", n, index(0))


def never_negative(builder: Builder, n: Operand) -> bool:
    """Whether an operand is known not to be negative by the way it was made."""
    return known_never_negative(n, builder.definition)
