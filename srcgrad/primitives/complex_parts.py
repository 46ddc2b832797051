"""Complex numbers taken apart and put together.

These are linear over the real numbers but not over the complex ones, so no partial derivative says what they do: the
tangent goes through the operation itself, the cotangent through its ``transpose``. Cotangents pair with tangents as
the real part of the plain product, without a conjugate, ``Re(ct * dz)``; with that every holomorphic row keeps the
partials that it has for real numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Operand, constant
from srcgrad.ir.types import C64, C128, F32, Scalar, Type
from srcgrad.primitives.scalar import real_part, same_type, scalar
from srcgrad.primitives.table import Attributes, Operands


def _complex_of(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    (part,) = same_type(operands, blocks, attributes)
    assert isinstance(part, Scalar) and part.dtype.kind == "f"
    return (Scalar(C64 if part.dtype == F32 else C128),)


def _part_of(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    (whole,) = same_type(operands, blocks, attributes)
    assert isinstance(whole, Scalar) and whole.dtype.kind == "c"
    return real_part(operands, blocks, attributes)


def _zero(ct: Operand) -> Operand:
    assert isinstance(ct.type, Scalar)
    return constant(0, ct.type.dtype)


def _of_real(builder: Builder, ct: Operand) -> tuple[Operand, ...]:
    """``Re(ct * dz) = ct * Re(dz)``."""
    return (builder("complex", ct, _zero(ct)),)


def _of_imag(builder: Builder, ct: Operand) -> tuple[Operand, ...]:
    """``Re(-i ct * dz) = ct * Im(dz)``."""
    return (builder("complex", _zero(ct), builder("neg", ct)),)


def _of_conj(builder: Builder, ct: Operand) -> tuple[Operand, ...]:
    """``Re(conj(ct) * dz) = Re(ct * conj(dz))``."""
    return (builder("conj", ct),)


def _of_complex(builder: Builder, ct: Operand) -> tuple[Operand, ...]:
    """``Re(ct * (dx + i dy)) = Re(ct) dx - Im(ct) dy``."""
    return builder("real", ct), builder("neg", builder("imag", ct))


scalar("real", "{0}.real", transpose=_of_real, precedence="postfix", infer=_part_of)
scalar("imag", "{0}.imag", transpose=_of_imag, precedence="postfix", infer=_part_of)
scalar("conj", "np.conj({0})", transpose=_of_conj, functions=(np.conj,))
scalar("complex", "complex({0}, {1})", transpose=_of_complex, infer=_complex_of)
