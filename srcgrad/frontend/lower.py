"""From a Python function and the structures of its arguments to IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TypeGuard

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend import handlers
from srcgrad.frontend.arrays.stores import require_no_outdated_copies
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.known import ValueNeededError
from srcgrad.frontend.boundary.places import Capture, Captured
from srcgrad.frontend.boundary.small import may_be_loops
from srcgrad.frontend.boundary.structure import Choice, Leaf, Maybe, Static, Structure, Tree
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.calls.functions import run
from srcgrad.frontend.calls.order import start_order
from srcgrad.frontend.containers.as_arrays import as_result
from srcgrad.frontend.containers.items import holding, is_changed
from srcgrad.frontend.control.merge import describe, dynamic, flatten, rebuild, settle, spelled
from srcgrad.frontend.control.steady_extents import keep_extents
from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.registry import FUNCTIONS
from srcgrad.frontend.scope import Scope, outermost
from srcgrad.frontend.syntax import source
from srcgrad.frontend.values import (
    Bound,
    Closure,
    Counted,
    FrontValue,
    GrowingList,
    SinglePass,
    SliceValue,
    TupleValue,
    Yielding,
)
from srcgrad.ir.core import Block, Function, Location, Value
from srcgrad.primitives.library import LIBRARY
from srcgrad.primitives.table import new_builder

assert handlers  # imported to fill the tables of handlers

ATTEMPTS = 200  # each finds another list or field that has to be in memory


@dataclass(frozen=True)
class Lowered:
    """A function as IR.

    Attributes
    ----------
    function
        Takes the leaves of the arguments in flattening order, then the hidden arrays; gives the leaves of
        the result.
    result
        The structure of the result.
    hidden
        Where each hidden array is found: a global, a closure cell, an attribute.
    captured
        The compile-time values for which this program holds.
    files
        The source files of the functions it was made of.
    changed
        The arguments that are containers and get other items: which a caller does not see.
    """

    function: Function
    result: Structure
    hidden: tuple[Capture, ...]
    captured: tuple[Captured, ...]
    files: frozenset[str]
    changed: tuple[str, ...]


def lower(function: Callable[..., object], arguments: Sequence[Structure]) -> Lowered:
    """Lower a function for arguments of these structures, one per parameter, in the order of its signature."""
    python = python_function(function) or function
    if _has_source(python):
        names = parameter_names(source.find(python).node.args)
    else:
        names = [f"argument_{k}" for k in range(len(arguments))]
    if len(names) != len(arguments):
        raise ArgumentTypeError(f"{function_name(python)}() takes {len(names)} arguments, got {len(arguments)}.")
    known = Lowering(new_builder(), Scope("", function_name(python), {}, {}))
    for _ in range(ATTEMPTS):
        try:
            return _lowered(python, names, arguments, known)
        except LowerAgainError as found:
            found.note(known)
            last = found
    place = {name: getattr(last, name) for name in ("file", "line", "column", "end_column")}
    raise UnsupportedError(last.message, hint=last.hint, **place) from None


def _has_source(python: object) -> TypeGuard[FunctionType]:
    """Whether a function is lowered from its source; one of NumPy or SciPy that is known stands for what is known."""
    return isinstance(python, FunctionType) and python not in LIBRARY and python not in FUNCTIONS


def _lowered(python: object, names: Sequence[str], arguments: Sequence[Structure], known: Lowering) -> Lowered:
    """Lower with the lists and fields in memory that earlier attempts found."""
    lowering = Lowering(new_builder(), Scope("", function_name(python), {}, {}))
    lowering.growing, lowering.held, lowering.draws = known.growing, known.held, known.draws
    lowering.filled, lowering.keyed = known.filled, known.keyed
    lowering.overwritten, lowering.outgrown = known.overwritten, known.outgrown
    labels = [pair for s, n in zip(arguments, names, strict=True) for pair in labelled(n, s)]
    parameters = [Value(leaf.type, label) for label, leaf in labels]
    lowering.builder.stretches = known.draws or not labels or any(leaf.stretched for _, leaf in labels)
    lowering.exact = frozenset(p for p, (_, leaf) in zip(parameters, labels, strict=True) if leaf.exact)
    small = ((p, k, n) for p, (_, leaf) in zip(parameters, labels, strict=True) for k, n in enumerate(leaf.extents))
    lowering.builder.extents = {(p, k): n for p, k, n in small if n}
    lowering.builder.open(parameters)
    leaves = iter(parameters)
    if lowering.draws:
        start_order(lowering)
    values = [rebuild(lowering, s, leaves) for s in arguments]
    for value, name in zip(values, names, strict=True):
        holding(lowering, value, ("argument", name))
    try:
        if _has_source(python):
            found = source.find(python)
            lowering.builder.location = _location(found)
            bound = dict(zip(names, values, strict=True))
            result = run(lowering, found.node, outermost(python, found.file), bound, python)
        else:
            result = call_object(lowering, python, values, {})
    except ValueNeededError as needed:
        needed.leaf = parameters.index(needed.value) if needed.value in parameters else None
        raise
    except RecursionError:
        hint = "Write long sums, chains of elif or calls inside calls as loops."
        raise lowering.error(None, f"{function_name(python)}() is nested too deeply", hint) from None
    if lowering.doubtful is not None:
        raise lowering.doubtful
    changed = tuple(n for v, n in zip(values, names, strict=True) if is_changed(v))
    return _finished(lowering, settle(lowering, as_result(lowering, result)), function_name(python), changed)


def _finished(lowering: Lowering, result: FrontValue, name: str, changed: tuple[str, ...]) -> Lowered:
    """The function whose body has been lowered, with the hidden arrays as further parameters."""
    result = without_none(lowering, result)
    structure = dynamic(describe(result))
    if is_front_end_only(structure):
        hint = "Return numbers, arrays, or containers of them; np.array() makes an array of a list."
        lowering.refuse(None, f"{name}() returns {spelled(structure)}", hint)
    body = lowering.builder.close(flatten(lowering, result, structure))
    hidden = tuple(ref for _, ref in lowering.hidden)
    whole = Block((*body.parameters, *hidden), body.ops, body.yields)
    function = Function(name, whole, dict(lowering.callees), lowering.builder.location)
    require_no_outdated_copies(lowering.builder, function)
    return Lowered(
        function if lowering.builder.stretches else may_be_loops(keep_extents(function)),
        structure,
        tuple(capture for capture, _ in lowering.hidden),
        tuple(Captured(capture, seen) for capture, seen in lowering.captured.values()),
        frozenset(lowering.files),
        changed,
    )


def without_none(lowering: Lowering, result: FrontValue) -> FrontValue:
    """The result of a whole function: what may be None in it is an error there."""
    result = lowering.given(result)
    if not isinstance(result, TupleValue):
        return result
    items = tuple(without_none(lowering, item) for item in result.items)
    unchanged = all(a is b for a, b in zip(items, result.items, strict=True))
    return result if unchanged else TupleValue(items, result.cls, result.keys, result.home)


def is_front_end_only(structure: Structure) -> bool:
    """Whether a result holds something that exists only while lowering: a nested function, what may be None."""
    if isinstance(structure, Choice | Maybe):
        return True
    if isinstance(structure, Tree):
        return structure.cls is SinglePass or any(map(is_front_end_only, structure.children))
    return isinstance(structure, Static) and isinstance(
        structure.value, Closure | Bound | Counted | SliceValue | GrowingList | Yielding
    )


def function_name(function: object) -> str:
    name = str(getattr(function, "__name__", type(function).__name__))
    return name if name.isidentifier() else "function"


def parameter_names(arguments: ast.arguments) -> list[str]:
    """The parameters in the order of the signature."""
    vararg = [arguments.vararg] if arguments.vararg else []
    kwarg = [arguments.kwarg] if arguments.kwarg else []
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *vararg, *arguments.kwonlyargs, *kwarg)]


def labelled(name: str, s: Structure) -> Iterator[tuple[str, Leaf]]:
    """Each leaf of an argument with a name: ``p``, or ``p_w`` for the entry ``w`` of a dict."""
    if isinstance(s, Leaf):
        yield name, s
    elif isinstance(s, Tree):
        keys = s.keys or [str(k) for k in range(len(s.children))]
        for key, child in zip(keys, s.children, strict=True):
            label = f"{name}_{key}"
            yield from labelled(label if label.isidentifier() else name, child)


def _location(found: source.FunctionSource) -> Location:
    node = found.node
    return Location(found.file, node.lineno, node.col_offset, node.lineno, node.col_offset + 1)
