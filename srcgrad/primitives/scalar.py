"""Scalar primitives: one row gives the Python functions it stands for, its text, and its derivative.

A rule takes the operands ``a, b, ...`` and the result ``y`` and returns the partial derivatives, one per
operand. It is ordinary source in srcgrad's own language: it is parsed and inlined by the same front end as
user code, in forward mode, in reverse mode and again for higher orders. ``None`` for a rule means that the
derivative is zero everywhere (``floor``, comparisons).

A row that is linear over the real numbers alone (``conj``) has a ``transpose`` instead, which emits the cotangents
of the operands from that of the result; its tangent is the operation on the tangents.

``singular`` marks rows whose partials can be infinite or NaN while the other factor of the chain rule is
zero; products with them are ``p * ct if ct != 0 else 0`` (strong zero), in every mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Operand
from srcgrad.ir.types import TRUTH, Scalar, Type
from srcgrad.primitives.table import Attributes, Effect, Operands, Primitive, register

# (builder, cotangent of the result) -> the cotangents of the operands
Transpose = Callable[[Builder, Operand], Sequence[Operand]]


@dataclass(frozen=True, eq=False)
class ScalarPrimitive(Primitive):
    template: str  # the Python text of the operation, {0} {1} ... for operands
    precedence: int  # of the outermost operator of the template, as in PRECEDENCE
    partials: Callable[..., object] | None  # the rule; None: zero derivative
    singular: bool
    cost: int  # 1 for an addition; what recomputing costs against storing
    transpose: Transpose | None = None  # of a row that is linear over the real numbers alone
    passive: tuple[int, ...] = ()  # operands with respect to which no derivative is known

    @property
    def has_derivative(self) -> bool:
        return self.partials is not None or self.transpose is not None


SCALARS: dict[str, ScalarPrimitive] = {}
# The Python or NumPy function -> the primitive, for calls in user code.
FUNCTIONS: dict[object, str] = {}

# Python's operator precedence, low to high; a function call or a name is an ATOM; an attribute
# is one, too, and asks for one in front of it.
PRECEDENCE = {"if": 1, "or": 2, "and": 3, "not": 4, "compare": 5, "|": 6, "^": 7, "&": 8, "<<": 9, "+": 10, "*": 11}
PRECEDENCE |= {"unary": 12, "**": 13, "atom": 14, "postfix": 15}


def same_type(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    first = operands[0].type
    assert all(x.type == first for x in operands), f"operand types differ: {[x.type for x in operands]}"
    return (first,)


def truth_of_same(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    same_type(operands, blocks, attributes)
    return (TRUTH,)


def scalar(
    name: str,
    template: str,
    partials: Callable[..., object] | None = None,
    *,
    functions: Sequence[object] = (),
    precedence: str = "atom",
    infer: Callable[..., tuple[Type, ...]] = same_type,
    singular: bool = False,
    cost: int = 1,
    passive: tuple[int, ...] = (),
    effect: Effect = Effect.PURE,
    transpose: Transpose | None = None,
) -> None:
    """Add a row to the table."""
    binds = PRECEDENCE[precedence]
    row = ScalarPrimitive(name, effect, infer, template, binds, partials, singular, cost, transpose, passive)
    register(row)
    SCALARS[name] = row
    for function in functions:
        FUNCTIONS[function] = name


def real_part(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    (first,) = same_type(operands, blocks, attributes)
    assert isinstance(first, Scalar)
    return (Scalar(first.dtype.real),)
