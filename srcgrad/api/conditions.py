"""What a program asks of the extents of its arguments before all else, so that it can be known before it is compiled.

A program takes it that extents are equal where they meet, and stops if they are not (``arrays.broadcasting``). Where
that only depends on the shapes of arguments, it is told from these that another program is needed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from srcgrad.frontend.boundary.known import of_large_products, of_unequal_extents
from srcgrad.ir.core import Const, Function, Op, Operand, Value, walk

# A number, ``("dim", leaf, axis)``, or an operation on such.
Formula = int | tuple[object, ...]
OPERATIONS: Mapping[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "min": min,
    "max": max,
    "eq": operator.eq,
    "le": operator.le,
    "or_": operator.or_,
    "select": lambda condition, a, b: a if condition else b,
}


def conditions_of(function: Function) -> tuple[Formula, ...]:
    """What the checks of equal extents say that a function makes in any case, as far as it is about its arguments."""
    return _conditions(function, function.body.ops, of_unequal_extents)


def sizes_of(function: Function) -> tuple[Formula, ...]:
    """What the checks of small matrices say, wherever they are made: another program is only faster where one fails."""
    return _conditions(function, walk(function.body), of_large_products)


def _conditions(function: Function, ops: Iterable[Op], asks: Callable[[object], bool]) -> tuple[Formula, ...]:
    places = {parameter: k for k, parameter in enumerate(function.parameters)}
    known: dict[Value, Formula] = {}
    found: list[Formula] = []
    for op in ops:
        if op.primitive == "check" and asks(op.text("message")):
            condition = _formula_of(op.operands[0], known)
            if condition is not None:
                found.append(condition)
        elif op.primitive == "dim" and op.operands[0] in places:
            known[op.result] = ("dim", places[op.operands[0]], op.integer("axis"))
        elif op.primitive in OPERATIONS and (formula := _operation(op, known)) is not None:
            known[op.result] = formula
    return tuple(dict.fromkeys(found))


def _operation(op: Op, known: Mapping[Value, Formula]) -> Formula | None:
    operands = [_formula_of(x, known) for x in op.operands]
    return None if None in operands else (op.primitive, *operands)


def _formula_of(operand: Operand, known: Mapping[Value, Formula]) -> Formula | None:
    if isinstance(operand, Const):
        return operand.value if isinstance(operand.value, int) else None
    return known.get(operand)


def value_of(formula: object, leaves: Sequence[object]) -> int:
    """The number that a formula stands for, for these leaves of the arguments."""
    if isinstance(formula, int):
        return formula
    assert isinstance(formula, tuple)
    name, *operands = formula
    if name == "dim":
        leaf, axis = operands
        array = leaves[leaf]
        assert isinstance(array, np.ndarray)
        return int(array.shape[axis])
    return OPERATIONS[name](*(value_of(x, leaves) for x in operands))
