"""Where a row marked singular is regular after all: partials known to be finite for the operands at hand.

A product with a singular partial is a strong zero, ``p * ct if ct != 0 else 0``. Most powers and quotients that
programs contain have a literal exponent or divisor and need no such care.
"""

from __future__ import annotations

import math

from srcgrad.ir.core import Const, Op
from srcgrad.primitives.scalar import SCALARS


def is_singular(op: Op) -> bool:
    """Whether a partial of this scalar op can be infinite or NaN while its operands are finite and of moderate size."""
    if not SCALARS[op.primitive].singular:
        return False
    match op.primitive, op.operands:
        case "ipow", (_, Const(n)):
            return isinstance(n, int) and n < 0
        case "pow", (_, Const(float(b))):
            return not 1.0 <= b < math.inf
        case (("div" | "mod" | "fmod"), (_, Const(float(b)))):
            return b == 0.0
    return True
