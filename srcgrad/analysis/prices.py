"""Which operations take so long that loops are rebuilt for them?"""

from __future__ import annotations

from srcgrad.ir.core import Op
from srcgrad.primitives.scalar import SCALARS

DEAR = 7  # the cost of a square root


def is_dear(op: Op) -> bool:
    return op.primitive in SCALARS and SCALARS[op.primitive].cost >= DEAR
