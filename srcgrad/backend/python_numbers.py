"""Which values may be Python's own numbers when the text runs as plain Python.

Everything read from memory, passed in or computed by NumPy is a NumPy scalar, for which ``1.0 / 0.0`` is
infinite. Literals and what is computed from literals alone are not, and would raise.
"""

from __future__ import annotations

from srcgrad.backend.facts import HEADER
from srcgrad.ir.core import Block, Function, Op, Operand, Value, walk
from srcgrad.primitives.scalar import SCALARS

KEEPS = frozenset({"add", "sub", "mul", "neg", "abs", "floordiv", "mod", "check_index", "real", "imag"})
KEEPS |= {"max", "min", "larger", "smaller"}
ALWAYS = frozenset({"dim", "call", "gamma", "lgamma", "complex"})
ALWAYS |= {name for name, row in SCALARS.items() if row.template.startswith("math.")}


def python_numbers(function: Function, entry: bool) -> frozenset[Value]:
    """A fixed point over loops, from below. The parameters of an entry are converted by its caller."""
    found: set[Value] = set() if entry else set(function.parameters)
    size = -1
    while size != len(found):
        size = len(found)
        for op in walk(function.body):
            found.update(_from_op(op, found))
    return frozenset(found)


def _from_op(op: Op, found: set[Value]) -> list[Value]:
    def python(operand: Operand) -> bool:
        return not isinstance(operand, Value) or operand in found

    def either(targets: tuple[Value, ...], block: Block) -> list[Value]:
        return [t for t, source in zip(targets, block.yields, strict=True) if python(source)]

    match op.primitive:
        case "for" | "range":
            counter, *carried = op.blocks[0].parameters
            started = [p for p, x in zip(carried, op.operands[HEADER[op.primitive] :], strict=True) if python(x)]
            left = [r for r, p in zip(op.results, carried, strict=True) if p in found]
            return [counter, *started, *either(tuple(carried), op.blocks[0]), *left]
        case "while":
            test, body = op.blocks
            started = [p for p, x in zip(test.parameters, op.operands, strict=True) if python(x)]
            inside = [p for p, x in zip(body.parameters, test.parameters, strict=True) if x in found]
            left = [r for r, p in zip(op.results, test.parameters, strict=True) if p in found]
            return [*started, *inside, *either(test.parameters, body), *left]
        case "if":
            return [r for side in op.blocks for r in either(op.results, side)]
        case "select":
            return list(op.results) if any(map(python, op.operands[1:])) else []
        case name if name in ALWAYS or (name in KEEPS and all(map(python, op.operands))):
            return list(op.results)
    return []
