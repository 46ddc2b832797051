"""The partial derivatives of a scalar op, by its row in the table, and their products with a cotangent."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.frontend.inline import inline
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, constant
from srcgrad.ir.types import Scalar
from srcgrad.primitives.scalar import SCALARS


def partials(builder: Builder, op: Op) -> Sequence[Operand]:
    """The derivative of the op's result with respect to each operand, emitted at the cursor."""
    row = SCALARS[op.primitive]
    assert row.partials is not None, f"{op.primitive} has no rule"
    return inline(builder, row.partials, (*op.operands, op.result))


def scaled(builder: Builder, op: Op, partial: Operand, factor: Operand) -> Operand:
    """``partial * factor``, and 0 where the factor is 0 if the partial may be infinite (strong zero)."""
    if isinstance(partial, Const) and partial.value == 1:
        return factor
    if isinstance(partial, Const) and partial.value == -1:
        return builder("neg", factor)
    if partial.type != factor.type:
        partial = convert(builder, partial, factor.type)
    product = builder("mul", partial, factor)
    if isinstance(partial, Const) or not SCALARS[op.primitive].singular or op.attributes.get("regular"):
        return product
    return masked(builder, factor, product)


def masked(builder: Builder, factor: Operand, product: Operand) -> Operand:
    zero = zero_like(factor)
    return builder("select", builder("ne", factor, zero), product, zero)


def convert(builder: Builder, operand: Operand, kind: object) -> Operand:
    """The operand as a scalar of another type."""
    assert isinstance(kind, Scalar)
    if isinstance(operand, Const):
        return constant(operand.value, kind.dtype)
    return builder("cast", operand, dtype=kind.dtype)


def zero_like(operand: Operand) -> Const:
    assert isinstance(operand.type, Scalar)
    return constant(0, operand.type.dtype)
