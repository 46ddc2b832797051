"""`try` and `with`: a body that cannot raise is taken; one that only computes is computed, and then looked at.

::

    try:                                 y = x / z, with inf where Python raises
        y = x / z                  ->    caught = 0 if z != 0.0 else 1
    except ZeroDivisionError:            if caught == 1: y = 0.0
        y = 0.0
"""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numba
import numpy as np

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import Lowering, Variable
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.messages import exception_named
from srcgrad.frontend.registry import statement
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending
from srcgrad.frontend.syntax.desugar import caught_by
from srcgrad.frontend.values import FrontValue, ScalarValue, Static, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Op, Operand, Value, constant, index, walk
from srcgrad.ir.types import F32, F64, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect

# They change how Python warns, and nothing that is computed.
WITHOUT_EFFECT = (np.errstate, contextlib.nullcontext, warnings.catch_warnings)
INSTEAD = "Test for the condition with `if` instead of catching an exception."


@statement(ast.With)
def _with(lowering: Lowering, node: ast.With) -> None:
    """The body stands behind it: see ``desugar``."""
    for item in node.items:
        made = item.context_expr
        cls = lowering.evaluate(made.func if isinstance(made, ast.Call) else made)
        if not (isinstance(cls, Static) and cls.value in WITHOUT_EFFECT) or item.optional_vars is not None:
            if isinstance(cls, Static) and cls.value is numba.objmode:
                hint = "Call the function as it is: what Numba lacks of NumPy may be known here."
                lowering.refuse(made, "objmode hands the program to Python, where it is not followed", hint)
            hint = "Only np.errstate, warnings.catch_warnings and contextlib.nullcontext may stand here."
            lowering.refuse(made, "this context is not in the language", hint, UnsupportedError)


@statement(ast.Try)
def _try(lowering: Lowering, node: ast.Try) -> None:
    handlers = [_classes(lowering, handler) for handler in node.handlers]
    before, start, changes = lowering.variables(), len(lowering.builder.ops), lowering.changes
    caught_around = lowering.caught
    lowering.caught = (*caught_around, *(cls for classes in handlers for cls in classes))
    stretches = lowering.builder.stretches
    lowering.builder.stretches = True  # an assumption that failed would be caught
    lowering.execute(node.body)
    lowering.builder.stretches, lowering.caught = stretches, caught_around
    ops = lowering.builder.ops[start:]
    raising = [op for op in walk(Block((), tuple(ops), ())) if _handler_of(op, handlers)]
    if not raising:
        return
    if lowering.dead or lowering.changes > changes or not _only_computes(ops, handlers):
        lowering.refuse(node, "an exception is caught that may be raised behind other effects", INSTEAD)
    del lowering.builder.ops[start:]
    caught = _speculated(lowering, ops, handlers)
    fine = ScalarValue(lowering.builder("eq", caught, index(0)))
    for variable, value in lowering.variables().items():
        if value is not before.get(variable):
            variable[0].names[variable[1]] = _after(lowering, node, variable, before.get(variable), fine)
    names.store(lowering, caught_by(node), ScalarValue(caught, weak=True))


def _classes(lowering: Lowering, handler: ast.ExceptHandler) -> tuple[type, ...]:
    if handler.type is None:
        return (BaseException,)
    value = lowering.evaluate(handler.type)
    items: Sequence[FrontValue] = sequence_items(lowering, value) if isinstance(value, TupleValue) else (value,)
    classes = tuple(v.value for v in items if isinstance(v, Static) and isinstance(v.value, type))
    if len(classes) < len(items):
        lowering.refuse(handler.type, "this is not an exception", error=ArgumentTypeError)
    return classes


def _handler_of(op: Op, handlers: Sequence[tuple[type, ...]]) -> int:
    """The number of the handler that would catch what this op may raise; 0 for none."""
    if op.primitive == "check":
        raised: type = exception_named(op.text("exception"))
    elif op.primitive == "check_index":
        raised = IndexError
    elif op.primitive == "call":
        return 1
    else:
        return 0
    return next((k for k, classes in enumerate(handlers, 1) if issubclass(raised, classes)), 0)


def _only_computes(ops: Sequence[Op], handlers: Sequence[tuple[type, ...]]) -> bool:
    """Whether the ops may all run although one of them should have raised."""
    first = next(k for k, op in enumerate(ops) if _handler_of(op, handlers) or op.blocks)
    return all(op.primitive == "check" or effect(op.primitive) is Effect.PURE for op in ops[first:])


def _speculated(lowering: Lowering, ops: Sequence[Op], handlers: Sequence[tuple[type, ...]]) -> Operand:
    """The ops without the checks that would be caught, and the number of the handler of the first that fails."""
    caught: Operand = index(0)
    for op in ops:
        number = _handler_of(op, handlers)
        if not number:
            _add_behind(lowering.builder, op, caught)
            continue
        missed = lowering.builder("select", op.operands[0], index(0), index(number))
        first = lowering.builder("eq", caught, index(0))
        caught = lowering.builder("select", first, missed, caught)
    return caught


def _add_behind(builder: Builder, op: Op, caught: Operand) -> None:
    """An op that counts for nothing if something was caught before: no check fails, and no result is infinite.

    A partial that is infinite would make NaN of a cotangent that is zero.
    """
    if isinstance(caught, Const):
        builder.ops.append(op)
    elif op.primitive == "check":
        left = builder("ne", caught, index(0))
        builder.ops.append(replace(op, operands=(builder("or_", left, op.operands[0]), *op.operands[1:])))
    elif op.primitive in SCALARS and SCALARS[op.primitive].singular and op.result.type in (Scalar(F64), Scalar(F32)):
        raw = Value(op.result.type)
        fine = builder("eq", caught, index(0))
        builder.ops.append(replace(op, results=(raw,)))
        operands = (fine, raw, constant(0.0, op.result.type.dtype))
        builder.ops.append(Op("select", operands, op.results, location=op.location))
    else:
        builder.ops.append(op)


def _after(lowering: Lowering, node: ast.Try, variable: Variable, old: Binding | None, fine: ScalarValue) -> Binding:
    """A variable that the body assigns to: of a body of several statements it cannot be told which were reached."""
    new = variable[0].names[variable[1]]
    if isinstance(new, Flagged | Missing | Pending):
        return new
    if len(node.body) > 1 or old is None or isinstance(old, Flagged | Missing | Pending):
        return Flagged(new, fine.operand)
    return branch(lowering, fine, lambda: new, lambda: old)
