"""Derivatives of derivatives: a derivative called inside a function that is being compiled.

Its program is copied in at the place of the call, as IR; then it is differentiated like any other code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from srcgrad.api.compiled import Compiled
from srcgrad.api.plans import Structures
from srcgrad.api.program import Program
from srcgrad.api.transforms import grad, value_and_grad
from srcgrad.errors import ArgumentTypeError, Error
from srcgrad.frontend.boundary.known import ValueNeededError, fixed, leaf_paths, stretched
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.boundary.run_time_lists import has_run_time_lists
from srcgrad.frontend.calls.signatures import require_known
from srcgrad.frontend.captures import from_python, hidden_array
from srcgrad.frontend.control.merge import describe, dynamic, flatten, rebuild, settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.refusals import refusal
from srcgrad.frontend.registry import Arguments, Keywords, call_object, function
from srcgrad.frontend.values import FrontValue, Static, TupleValue
from srcgrad.ir.core import Block, Function, Op, Operand, Value
from srcgrad.ir.rewrite import Replacement, copy_block, rewrite


@call_object(Compiled)
def call_compiled(
    lowering: Lowering, compiled: Compiled, arguments: Sequence[FrontValue], keywords: Mapping[str, FrontValue]
) -> FrontValue:
    """The result of a call of a derivative (or of ``jit(f)``) with front-end values."""
    call = Call(lowering, compiled, arguments, keywords)
    return call.result(lowering)


class Call:
    """A call of a compiled object: its arguments, one per parameter, and the program for their structures."""

    def __init__(
        self,
        lowering: Lowering,
        compiled: Compiled,
        arguments: Sequence[FrontValue],
        keywords: Mapping[str, FrontValue],
    ) -> None:
        self.values = [settle(lowering, value) for value in _bound(lowering, compiled, arguments, keywords)]
        # A number that is known while compiling is an argument like any other: it may be differentiated.
        self.structures: Structures = tuple(dynamic(describe(value)) for value in self.values)
        if lowering.builder.stretches:
            self.structures = stretched(self.structures)
        while True:
            try:
                self.program = compiled.program(self.structures)
                break
            except ValueNeededError as unknown:
                self.structures = _with_known(lowering, self.values, self.structures, unknown)
            except Error as error:
                raise called_at(lowering, error) from error

    def result(self, lowering: Lowering, directions: Sequence[Operand] = ()) -> FrontValue:
        """What the program gives at the cursor; ``directions`` are those of tangents."""
        pairs = zip(self.values, self.structures, strict=True)
        operands = [x for value, structure in pairs for x in flatten(lowering, value, structure)]
        if has_run_time_lists(self.program.result):
            hint = "Return an array: np.array() makes one of a list."
            lowering.refuse(
                None, "inside a function the derivative of one that returns a list of run-time length", hint
            )
        results = _program_copied_in(lowering, self.program, operands, directions)
        return rebuild(lowering, self.program.result, iter(results))


def _with_known(
    lowering: Lowering, values: Sequence[FrontValue], structures: Structures, unknown: ValueNeededError
) -> Structures:
    """The structures with a number that is known here; an argument of the function being compiled is asked for."""
    path = leaf_paths(structures)[unknown.leaf] if unknown.leaf is not None else ()
    value = values[path[0]] if path else None
    for k in path[1:]:
        assert isinstance(value, TupleValue)
        value = value.items[k]
    if isinstance(value, Static):
        return fixed(structures, path, value.value)
    if value is not None:
        require_known(lowering, value)
    raise called_at(lowering, unknown)


@function(grad)
def _grad(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return made(lowering, grad, arguments, keywords)


@function(value_and_grad)
def _value_and_grad(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return made(lowering, value_and_grad, arguments, keywords)


def made(lowering: Lowering, transform: Callable[..., object], arguments: Arguments, keywords: Keywords) -> FrontValue:
    """The derivative of a function known at compile time, as ``grad(f)(x)`` makes it on the way."""
    given = [known(lowering, transform, value) for value in arguments]
    named = {name: known(lowering, transform, value) for name, value in keywords.items()}
    try:
        return Static(transform(*given, **named))
    except (Error, TypeError) as error:
        raise called_at(lowering, error if isinstance(error, Error) else ArgumentTypeError(str(error))) from error


def known(lowering: Lowering, transform: Callable[..., object], value: FrontValue) -> object:
    """What a value is that has to be known at compile time: a function, or an option."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, TupleValue) and not value.keys:
        return value.cls(known(lowering, transform, item) for item in value.items)
    lowering.refuse(
        None,
        f"{transform.__name__}() of a function that is made while the program runs",
        "Define the function outside, and pass to it what it takes from here.",
    )


def _bound(
    lowering: Lowering, compiled: Compiled, arguments: Sequence[FrontValue], keywords: Mapping[str, FrontValue]
) -> list[FrontValue]:
    """One value per parameter, as Python binds them."""
    try:
        bound = compiled.bound(arguments, keywords)
    except TypeError as error:
        lowering.refuse(None, str(error), error=ArgumentTypeError)
    return [_front(lowering, *row) for row in zip(compiled.parameter_names, bound, strict=True)]


def _front(lowering: Lowering, name: str, value: object) -> FrontValue:
    """A bound argument as one front-end value: it is one already, or several caught by a star, or a default."""
    if isinstance(value, FrontValue):
        return value
    if isinstance(value, tuple) and value and all(isinstance(item, FrontValue) for item in value):
        return TupleValue(value)
    if isinstance(value, dict) and value and all(isinstance(item, FrontValue) for item in value.values()):
        return TupleValue(tuple(value.values()), dict, tuple(value))
    return from_python(lowering, Capture(name, (value,), 0), value)


def _program_copied_in(
    lowering: Lowering, program: Program, operands: list[Operand], directions: Sequence[Operand]
) -> list[Operand]:
    """The ops of a program at the cursor; its results. Its parameters: arguments, hidden arrays, directions."""
    lowered = program.lowered
    for captured in lowered.captured:
        lowering.captured.setdefault(captured.capture.place, (captured.capture, captured.seen))
    for capture in lowered.hidden:
        array = capture.read()
        assert isinstance(array, np.ndarray)
        operands.append(hidden_array(lowering, capture, array).ref)
    return copied_in(lowering, program.function, (*operands, *directions))


def copied_in(lowering: Lowering, function: Function, operands: Sequence[Operand]) -> list[Operand]:
    """The ops of a function at the cursor; its results."""
    function = _with_own_callees(function, lowering)
    environment: dict[Value, Operand] = dict(zip(function.parameters, operands, strict=True))
    body = copy_block(Block((), function.body.ops, function.body.yields), environment)
    lowering.builder.ops.extend(body.ops)
    return list(body.yields)


def _with_own_callees(function: Function, lowering: Lowering) -> Function:
    """Hand the callees over, under names that are free."""
    names = {name: _free(name, lowering.callees) for name in function.callees}
    for name, callee in function.callees.items():
        lowering.callees[names[name]] = _renamed(callee, names)
    return _renamed(function, names)


def _free(name: str, taken: Mapping[str, object]) -> str:
    while name in taken:
        name += "_"
    return name


def _renamed(function: Function, names: Mapping[str, str]) -> Function:
    def visit(op: Op) -> Replacement | None:
        if op.primitive != "call" or op.text("callee") not in names:  # a routine keeps its name
            return None
        return [replace(op, attributes={**op.attributes, "callee": names[op.text("callee")]})], {}

    rules = function.rules
    if rules is not None:
        keys = {key: names[name] for key in ("jvp", "forward", "backward") if (name := getattr(rules, key))}
        rules = replace(rules, **keys)  # type: ignore[arg-type]  # keys of callees are text
    return replace(rewrite(function, visit), rules=rules)


def called_at(lowering: Lowering, error: Error) -> Error:
    """An error that has no place of its own gets that of the call."""
    return error if error.file else refusal(lowering.builder.location, error.message, error.hint, type(error))
