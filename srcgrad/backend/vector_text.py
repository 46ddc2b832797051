"""Which loops call srcgrad.vector_math, and by which names: those that LLVM can vectorise if what they call can be."""

from __future__ import annotations

from srcgrad.analysis.prices import computed_as
from srcgrad.analysis.sums import sums
from srcgrad.ir.core import Block, Op, used, walk
from srcgrad.ir.types import F32, F64, Scalar
from srcgrad.primitives.scalar import SCALARS

# By primitive, the name of the function for float64; that for float32 has an f at the end, as in C.
VECTOR_FUNCTIONS = {
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "log2": "log2",
    "log10": "log10",
    "pow": "pow",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "logaddexp": "logaddexp",
    "arctan": "atan",
    "arctan2": "atan2",
    "hypot": "hypot",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "erf": "erf",
}
VECTOR_NAMES = frozenset({*VECTOR_FUNCTIONS.values(), *(f"{name}f" for name in VECTOR_FUNCTIONS.values())})
# What an iteration may do: a branch becomes a selection, but a call of the C library stays a call.
CALL = 15  # the least cost of one
OF_C = frozenset(name for name, row in SCALARS.items() if row.cost >= CALL and name not in VECTOR_FUNCTIONS)
VECTORISED = frozenset({*SCALARS, "load", "store", "accumulate", "cast", "dim", "if", "select", "check", "check_index"})
VECTORISED -= OF_C

REDUCTIONS = frozenset({"and_", "or_", "max", "min", "bit_and", "bit_or", "bit_xor"})


def vector_function(op: Op) -> str | None:
    """The name of the function in srcgrad.vector_math that computes a scalar op, if there is one."""
    type_ = op.operands[0].type
    primitive = computed_as(op)
    if primitive not in VECTOR_FUNCTIONS or not isinstance(type_, Scalar) or type_.dtype not in (F64, F32):
        return None
    name = VECTOR_FUNCTIONS[primitive]
    return name if type_.dtype == F64 else f"{name}f"


def may_vectorise(loop: Op) -> bool:
    """Whether a counted loop is innermost and hands nothing but sums and the like from one iteration to the next.

    In others the C library is used: one call of it takes no longer, and its result is there sooner.
    """
    body = loop.blocks[0]
    if not all(op.primitive in VECTORISED for op in walk(body)):
        return False
    summed = set(sums(loop))
    return all(k in summed or _is_reduced(body, k) for k in range(len(body.yields)))


def _is_reduced(body: Block, k: int) -> bool:
    """Whether what is carried is only combined with something, in an order that does not matter to LLVM."""
    parameter, yielded = body.parameters[1 + k], body.yields[k]
    made = next((op for op in body.ops if yielded in op.results), None)
    if made is None or list(used(body)).count(parameter) != 1 or parameter not in made.operands:
        return False
    assert isinstance(parameter.type, Scalar)
    return made.primitive == "mul" or (made.primitive in REDUCTIONS and parameter.type.dtype.kind != "f")
