"""`try` and `with`: a body that cannot raise is taken; one that only computes is computed, and then looked at.

What it writes behind what may be caught stands in a branch.

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numba
import numpy as np

from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import Lowering, Variable
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.handlers import Handlers, Passing, first_for, handler_of, reason
from srcgrad.frontend.nodes.raised_again import Raised, one_each, raised_by, remember
from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.registry import statement
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending
from srcgrad.frontend.syntax.desugar import caught_by, passing_of, raises_alone
from srcgrad.frontend.values import FrontValue, MaybeNone, ScalarValue, Static, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Op, Operand, Value, constant, index, walk
from srcgrad.ir.types import F32, F64, INDEX, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect

# They change how Python warns, and nothing that is computed.
WITHOUT_EFFECT = (np.errstate, contextlib.nullcontext, warnings.catch_warnings)
# What may be done although an exception should have been raised before.
COMPUTING = (Effect.PURE, Effect.READ, Effect.VIEW, Effect.ALLOCATE, Effect.CHECK, Effect.GUARD, Effect.CONTROL)
NOTHING = index(0)  # the number of no handler


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
    own = [_classes(lowering, handler) for handler in node.handlers]
    stopped = tuple(cls for _, classes in lowering.tries for cls in classes)
    caught_here = own or ([stopped] if stopped else [])
    if not caught_here:  # nobody sees what a `finally` does before it is left by an exception
        lowering.execute(node.body)
        return
    before, start, changes = lowering.variables(), len(lowering.builder.ops), lowering.changes
    parts, ends_in = _tried(lowering, node, own, caught_here)
    handlers = Handlers.among(lowering, caught_here)
    ops = lowering.builder.ops[start:]
    raising = [op for op in walk(Block((), tuple(ops), ())) if handler_of(op, handlers)]
    kinds = one_each([*(raised_by(op) for op in raising if op.primitive != "call"), *([ends_in] if ends_in else [])])
    if passing_of(node):
        handlers = Handlers.among(lowering, [(raised.cls,) for raised in kinds])
    last = first_for(ends_in.cls, handlers) if ends_in else 0
    if not raising:
        _tell(lowering, node, Static(last), own, kinds)
        return
    if lowering.dead or lowering.changes > changes or not _only_computes(ops, handlers):
        lowering.refuse(node, *reason(walk(Block((), tuple(ops), ())), handlers))
    del lowering.builder.ops[start:]
    caught: Operand = NOTHING
    for step in parts:
        reached, caught = caught, _speculated(lowering, step.ops, handlers, caught)
        step.fine = None if caught is reached else ScalarValue(lowering.builder("eq", caught, NOTHING))
    if last:
        caught = lowering.builder("select", lowering.builder("eq", caught, NOTHING), index(last), caught)
    for variable, value in lowering.variables().items():
        if value is not before.get(variable):
            variable[0].names[variable[1]] = _after(lowering, parts, variable)
    _tell(lowering, node, ScalarValue(caught, weak=True), own, kinds)


def _tried(
    lowering: Lowering, node: ast.Try, own: Sequence[tuple[type, ...]], handlers: Sequence[tuple[type, ...]]
) -> tuple[list[Step], Raised | None]:
    """The statements of a body, lowered, and the exception that it is known to end in."""
    around, stretches = lowering.caught, lowering.builder.stretches
    lowering.caught = (*lowering.caught, *(cls for classes in own for cls in classes))
    stopped = tuple(cls for classes in own if not isinstance(classes, Passing) for cls in classes)
    lowering.tries.append((lowering.builder.depth, stopped))
    lowering.builder.stretches = True  # an assumption that failed would be caught
    parts, ends_in = _steps(lowering, node.body, handlers)
    lowering.caught, lowering.builder.stretches = around, stretches
    lowering.tries.pop()
    last = next((step for step in reversed(parts) if step.ops), None)
    if lowering.dead and last is not None and handler_of(last.ops[-1], Handlers(handlers)):
        ends_in = raised_by(last.ops.pop())  # what is raised for sure
        lowering.builder.ops.pop()
        lowering.dead = False
    return parts, ends_in


def _tell(
    lowering: Lowering, node: ast.Try, number: Number, own: Sequence[tuple[type, ...]], kinds: Sequence[Raised]
) -> None:
    """Bind the variables that say which handler is to run, and which exception may be raised again."""
    if passing_of(node):
        remember(lowering, passing_of(node), number, kinds)
        numbers = [0, *(first_for(raised.cls, own) for raised in kinds)]
        if isinstance(number, Static):
            assert isinstance(number.value, int)
            number = Static(numbers[number.value])
        else:
            handler: Operand = NOTHING
            for k, n in enumerate(numbers):
                here = lowering.builder("eq", number.operand, index(k))
                handler = lowering.builder("select", here, index(n), handler)
            number = ScalarValue(handler, weak=True)
    if caught_by(node):
        names.store(lowering, caught_by(node), number)


def _steps(
    lowering: Lowering, body: Sequence[ast.stmt], handlers: Sequence[tuple[type, ...]]
) -> tuple[list[Step], Raised | None]:
    """The statements up to the first that is known to raise what is caught, and that exception."""
    steps: list[Step] = []
    for part in body:
        first, held = len(lowering.builder.ops), lowering.variables()
        try:
            lowering.execute([part])
        except Error as error:
            if error.raised is None or error.in_a_block or not first_for(error.raised, handlers):
                raise
            del lowering.builder.ops[first:]
            lowering.rebind(held)
            return steps, Raised(error.raised)
        steps.append(Step(part, held, lowering.builder.ops[first:]))
    return steps, None


@dataclass
class Step:
    """A statement of a body: what was bound before it, its ops, and whether nothing is caught up to its end.

    ``fine`` is None where it raises nothing that is caught.
    """

    statement: ast.stmt
    before: dict[Variable, Binding]
    ops: list[Op]
    fine: ScalarValue | None = None


def _classes(lowering: Lowering, handler: ast.ExceptHandler) -> tuple[type, ...]:
    if handler.type is None:
        return Passing((BaseException,)) if raises_alone(handler) else (BaseException,)
    value = lowering.evaluate(handler.type)
    items: Sequence[FrontValue] = sequence_items(lowering, value) if isinstance(value, TupleValue) else (value,)
    classes = tuple(v.value for v in items if isinstance(v, Static) and isinstance(v.value, type))
    if len(classes) < len(items):
        lowering.refuse(handler.type, "this is not an exception", error=ArgumentTypeError)
    return Passing(classes) if raises_alone(handler) else classes


def _only_computes(ops: Sequence[Op], handlers: Handlers) -> bool:
    """Whether the ops may all run although one of them should have raised."""
    first = next(k for k, op in enumerate(ops) if handler_of(op, handlers) or op.blocks)
    inside = list(walk(Block((), tuple(ops[first:]), ())))
    own = _memory_of(walk(Block((), tuple(ops), ())))
    if any(op.primitive == "check_index" and handler_of(op, handlers) for op in inside):
        return False  # what it guards would be read
    quiet = [op for op in inside if op.primitive == "call" and op.text("callee") in handlers.quiet]
    others = [op for op in inside if op not in quiet]
    return all(effect(op.primitive) in COMPUTING or _fills(op, own) or _may_be_left_out(op) for op in others)


def _memory_of(ops: Iterable[Op]) -> set[Operand]:
    """Arrays that are new in these ops, and views of them."""
    found: set[Operand] = set()
    for op in ops:
        is_new = effect(op.primitive) is Effect.ALLOCATE
        if is_new or (effect(op.primitive) is Effect.VIEW and op.operands[0] in found):
            found.update(op.results)
    return found


def _may_be_left_out(op: Op) -> bool:
    """Whether an op changes memory and gives nothing, so that it can stand in a branch."""
    return effect(op.primitive) is Effect.WRITE and not op.results and not op.blocks


def _fills(op: Op, own: set[Operand]) -> bool:
    return effect(op.primitive) is Effect.WRITE and op.operands[0] in own


def _speculated(lowering: Lowering, ops: Sequence[Op], handlers: Handlers, caught: Operand = NOTHING) -> Operand:
    """The ops without the checks that would be caught, and the number of the handler of the first that fails."""
    for op in ops:
        number = handler_of(op, handlers)
        behind = not isinstance(caught, Const)
        if op.blocks and (behind or any(handler_of(inner, handlers) for inner in walk(Block((), (op,), ())))):
            caught = _speculated_inside(lowering, op, handlers, caught)
        elif not number:
            _add_behind(lowering.builder, op, caught)
        else:
            missed = lowering.builder("select", op.operands[0], index(0), index(number))
            first = lowering.builder("eq", caught, index(0))
            caught = lowering.builder("select", first, missed, caught)
    return caught


def _speculated_inside(lowering: Lowering, op: Op, handlers: Handlers, caught: Operand) -> Operand:
    """A branch or loop that gives the number of the handler besides its results; a `while` ends where there is one."""
    carried = op.primitive != "if"
    blocks = []
    for k, block in enumerate(op.blocks):
        inside: Operand = Value(INDEX, "caught") if carried else caught
        own = (inside,) if isinstance(inside, Value) and carried else ()
        with lowering.block(parameters=(*block.parameters, *own)) as ops:
            last = _speculated(lowering, block.ops, handlers, inside)
            yields = (*block.yields, last)
            if op.primitive == "while" and k == 0:
                fine = lowering.builder("eq", last, index(0))
                yields = (lowering.builder("and_", block.yields[0], fine),)
        blocks.append(Block((*block.parameters, *own), tuple(ops), yields))
    result = Value(INDEX, "caught")
    operands = (*op.operands, caught) if carried else op.operands
    lowering.builder.ops.append(replace(op, operands=operands, results=(*op.results, result), blocks=tuple(blocks)))
    return result


def _add_behind(builder: Builder, op: Op, caught: Operand) -> None:
    """An op that counts for nothing if something was caught before: no check fails, and no result is infinite.

    A partial that is infinite would make NaN of a cotangent that is zero.
    """
    if isinstance(caught, Const):
        builder.ops.append(op)
    elif op.primitive == "check":
        left = builder("ne", caught, index(0))
        builder.ops.append(replace(op, operands=(builder("or_", left, op.operands[0]), *op.operands[1:])))
    elif op.primitive == "check_index":
        first = builder("select", builder("eq", caught, index(0)), op.operands[0], index(0))
        builder.ops.append(replace(op, operands=(first, *op.operands[1:])))
    elif op.primitive == "call":
        builder.ops.append(_called_behind(builder, op, caught))
    elif _may_be_left_out(op):
        builder.if_(builder("eq", caught, index(0)), lambda: _alone(builder, op), lambda: [])
    elif op.primitive in SCALARS and SCALARS[op.primitive].singular and op.result.type in (Scalar(F64), Scalar(F32)):
        raw = Value(op.result.type)
        fine = builder("eq", caught, index(0))
        builder.ops.append(replace(op, results=(raw,)))
        operands = (fine, raw, constant(0.0, op.result.type.dtype))
        builder.ops.append(Op("select", operands, op.results, location=op.location))
    else:
        builder.ops.append(op)


def _called_behind(builder: Builder, op: Op, caught: Operand) -> Op:
    """A call whose derivative may raise: zeros where something was caught before."""
    own = tuple(Value(x.type) for x in op.results)
    zeros = tuple(constant(0, x.type.dtype) for x in op.results if isinstance(x.type, Scalar))
    sides = (Block((), (replace(op, results=own),), own), Block((), (), zeros))
    return Op("if", (builder("eq", caught, index(0)),), op.results, sides, location=op.location)


def _alone(builder: Builder, op: Op) -> list[Operand]:
    builder.ops.append(op)
    return []


def _after(lowering: Lowering, steps: Sequence[Step], variable: Variable) -> Binding:
    """A variable that the body assigns to, as the last statement leaves it that came to its end.

    Of a loop or branch that was left half-way it cannot be told how far it came.
    """
    found: Binding = variable[0].names[variable[1]]
    after: Binding | None = found
    for step in reversed(steps):
        old = step.before.get(variable)
        if step.fine is not None:
            if isinstance(found, Missing | Pending):
                return found
            simple = isinstance(step.statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
            if old is None or isinstance(old, Missing | Pending) or (old is not after and not simple):
                found = _bound_where(lowering, step.fine.operand, found)
            elif old is not found:
                found = _chosen(lowering, step.fine, variable, (found, old))
        after = old
    return found


def _bound_where(lowering: Lowering, fine: Operand, found: FrontValue | Flagged) -> Flagged:
    """The binding where all is fine; elsewhere the variable has no value."""
    if isinstance(found, Flagged) and found.none:
        return Flagged(MaybeNone(found.value, found.bound), fine)
    if isinstance(found, Flagged):
        return Flagged(found.value, lowering.builder("and_", fine, found.bound))
    return Flagged(found, fine)


def _chosen(lowering: Lowering, fine: ScalarValue, variable: Variable, bindings: tuple[Binding, Binding]) -> Binding:
    """The first of two bindings where all is fine, the second elsewhere."""
    scope, name = variable

    def bind(binding: Binding) -> FrontValue:
        scope.names[name] = binding
        return Static(None)

    branch(lowering, fine, lambda: bind(bindings[0]), lambda: bind(bindings[1]))
    return scope.names[name]
