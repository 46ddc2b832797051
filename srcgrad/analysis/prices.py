"""How long do scalar operations take, and which so long that loops are rebuilt for them?"""

from __future__ import annotations

from srcgrad.ir.core import Const, Op
from srcgrad.primitives.scalar import SCALARS

DEAR = 7  # the cost of a square root


def computed_as(op: Op) -> str:
    """The primitive whose function computes an op: a power by a whole number of the run time is one by a float."""
    return "pow" if op.primitive == "ipow" and not isinstance(op.operands[1], Const) else op.primitive


def price(op: Op) -> int:
    """Of a scalar op, in additions."""
    return SCALARS[computed_as(op)].cost


def is_dear(op: Op) -> bool:
    return op.primitive in SCALARS and price(op) >= DEAR
