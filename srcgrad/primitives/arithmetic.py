"""Arithmetic, comparison and logic. In each rule y is the primitive's own result."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np

from srcgrad.ir.core import Block
from srcgrad.ir.types import INDEX, TRUTH, DType, Scalar, Type
from srcgrad.primitives.scalar import same_type, scalar, truth_of_same
from srcgrad.primitives.table import Attributes, Operands


def _select(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    assert operands[0].type == TRUTH
    return same_type(operands[1:], blocks, attributes)


def _cast(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    dtype = attributes["dtype"]
    assert isinstance(dtype, DType)
    return (Scalar(dtype),)


def _ipow(operands: Operands, blocks: Sequence[Block], attributes: Attributes) -> tuple[Type, ...]:
    assert operands[1].type == INDEX
    return (operands[0].type,)


scalar("add", "{0} + {1}", lambda a, b, y: (1.0, 1.0), functions=(operator.add, np.add), precedence="+")
scalar("sub", "{0} - {1}", lambda a, b, y: (1.0, -1.0), functions=(operator.sub, np.subtract), precedence="+")
scalar("mul", "{0} * {1}", lambda a, b, y: (b, a), functions=(operator.mul, np.multiply), precedence="*")
scalar(
    "div",
    "{0} / {1}",
    lambda a, b, y: (1.0 / b, -y / b),
    functions=(operator.truediv, np.divide, np.true_divide),
    precedence="*",
    singular=True,
    cost=4,
)
scalar("floordiv", "{0} // {1}", functions=(operator.floordiv, np.floor_divide), precedence="*", cost=4)
scalar(
    "mod",
    "{0} % {1}",
    lambda a, b, y: (1.0, -(a // b)),  # the quotient that was used; floor(a / b) can be one off
    functions=(operator.mod, np.mod, np.remainder),
    precedence="*",
    singular=True,
    cost=4,
)
scalar("neg", "-{0}", lambda a, y: -1.0, functions=(operator.neg, np.negative), precedence="unary")
scalar("lt", "{0} < {1}", functions=(operator.lt, np.less), precedence="compare", infer=truth_of_same)
scalar("le", "{0} <= {1}", functions=(operator.le, np.less_equal), precedence="compare", infer=truth_of_same)
scalar("gt", "{0} > {1}", functions=(operator.gt, np.greater), precedence="compare", infer=truth_of_same)
scalar("ge", "{0} >= {1}", functions=(operator.ge, np.greater_equal), precedence="compare", infer=truth_of_same)
scalar("eq", "{0} == {1}", functions=(operator.eq, np.equal), precedence="compare", infer=truth_of_same)
scalar("ne", "{0} != {1}", functions=(operator.ne, np.not_equal), precedence="compare", infer=truth_of_same)
scalar("and_", "{0} and {1}", functions=(np.logical_and,), precedence="and", infer=truth_of_same)
scalar("or_", "{0} or {1}", functions=(np.logical_or,), precedence="or", infer=truth_of_same)
scalar("not_", "not {0}", functions=(np.logical_not,), precedence="not", infer=truth_of_same)
scalar("bit_and", "{0} & {1}", functions=(operator.and_, np.bitwise_and), precedence="&")
scalar("bit_or", "{0} | {1}", functions=(operator.or_, np.bitwise_or), precedence="|")
scalar("bit_xor", "{0} ^ {1}", functions=(operator.xor, np.bitwise_xor), precedence="^")
scalar("invert", "~{0}", functions=(operator.invert, np.bitwise_not), precedence="unary")
scalar("lshift", "{0} << {1}", functions=(operator.lshift, np.left_shift), precedence="<<")
scalar("rshift", "{0} >> {1}", functions=(operator.rshift, np.right_shift), precedence="<<")
# The backend prints a cast by its dtype; the partial 1 follows the result's type.
scalar("cast", "{dtype}({0})", lambda a, y: 1.0, infer=_cast)
# The operand as it is, but constant to every derivative.
scalar("stop", "{0}", None, cost=0)
# Both sides are computed, so a front end selects only between cheap sides that cannot fail.
scalar("select", "{1} if {0} else {2}", None, precedence="if", infer=_select)
# A power with an i64 exponent, at run time or literal; `pow` is the one with two floating operands.
scalar(
    "ipow",
    "{0} ** {1}",
    lambda a, n, y: (n * a ** (n - 1) if n != 0 else 0.0, 0.0),
    precedence="**",
    infer=_ipow,
    singular=True,
    cost=4,
)
scalar(
    "pow",
    "{0} ** {1}",
    # b * a**(b - 1) is 0 at b = 0, but has a slope by b; only a = 0 would make it NaN.
    lambda a, b, y: (b * a ** (b - 1.0) if b != 0.0 or a != 0.0 else 0.0, y * np.log(a) if a != 0.0 else 0.0),
    functions=(np.power, math.pow),
    precedence="**",
    singular=True,
    cost=20,
)


def share_of_larger(a: float, b: float) -> float:
    """1 for the larger operand, 0 for the other, half for each of two equal ones."""
    otherwise = 0.5 if a == b else 0.0
    return 1.0 if a > b else otherwise


def share_of_first(a: float, b: float) -> float:
    """1 for the first operand unless the second is larger, half for each of two equal ones."""
    otherwise = 0.0 if b > a else 1.0
    return 0.5 if a == b else otherwise


# Python's own, of floats: the second operand only if it is larger, or smaller. So a NaN behind is dropped.
scalar("larger", "max({0}, {1})", lambda a, b, y: (share_of_first(a, b), share_of_larger(b, a)))
scalar("smaller", "min({0}, {1})", lambda a, b, y: (share_of_first(b, a), share_of_larger(a, b)))
# NaN if either operand is, as in NumPy. Ties give half to each; the tie of arrays has a rule of its own.
scalar(
    "max",
    "max({0}, {1})",
    lambda a, b, y: (share_of_larger(a, b), share_of_larger(b, a)),
    functions=(np.maximum,),
)
scalar(
    "min",
    "min({0}, {1})",
    lambda a, b, y: (share_of_larger(b, a), share_of_larger(a, b)),
    functions=(np.minimum,),
)
