"""How long do scalar operations take, and which so long that loops are rebuilt for them?"""

from __future__ import annotations

from srcgrad.ir.core import Const, Op
from srcgrad.primitives.scalar import SCALARS

DEAR = 7  # the cost of a square root


def price(op: Op) -> int:
    """Of a scalar op, in additions."""
    name = "pow" if op.primitive == "ipow" and not isinstance(op.operands[1], Const) else op.primitive
    return SCALARS[name].cost


def is_dear(op: Op) -> bool:
    return op.primitive in SCALARS and price(op) >= DEAR
