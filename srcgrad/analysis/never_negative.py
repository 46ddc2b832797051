"""Whether an integer is never negative by the way it was made, wherever it is computed.

What is known of it inside a loop or branch only, as that ``n - 1`` is not negative where ``range(n)`` runs, does not
hold in front of it.
"""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.ir.core import Const, Op, Operand, Value

Definition = Callable[[Value], Op | None]  # the op that gives an operand


def never_negative(n: Operand, definition: Definition) -> bool:
    if isinstance(n, Const):
        return isinstance(n.value, int) and n.value >= 0
    op = definition(n)
    if op is None:
        return False
    if op.primitive == "max":
        return any(never_negative(x, definition) for x in op.operands)
    if op.primitive in ("min", "mul", "add"):
        return all(never_negative(x, definition) for x in op.operands)
    if op.primitive == "floordiv":
        dividend, divisor = op.operands
        return never_negative(dividend, definition) and isinstance(divisor, Const) and int(divisor.value.real) > 0
    return op.primitive == "dim"
