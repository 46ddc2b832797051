"""From a plan to a program: which leaves are differentiated, and what the results are made of.

This module imports the compiler, which takes longer than to load what it compiled before: import it only where
something has to be compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeGuard, runtime_checkable

from srcgrad import compiler
from srcgrad.analysis.written import written_parameters
from srcgrad.api.artifact import Artifact
from srcgrad.api.binding import Argnums, Parameters, Path, argument_paths
from srcgrad.api.conditions import conditions_of, sizes_of
from srcgrad.api.plans import Backward, Columns, Forward, Gradient, Plan, Primal, Rows, Structures, Tangent
from srcgrad.backend.numba_jit import generate
from srcgrad.differentiate.split import Halves
from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.known import large, of_unequal_extents, stretched
from srcgrad.frontend.boundary.pytree import count_leaves, leaves_of
from srcgrad.frontend.boundary.small import always_calls
from srcgrad.frontend.boundary.structure import Leaf, RunTimeList, Static, Structure, Tree
from srcgrad.frontend.lower import Lowered
from srcgrad.ir.core import Block, Function, Op, Value, used, walk
from srcgrad.ir.types import Array, Scalar, Stack, Type
from srcgrad.settings import Options

NOTHING = Static(None, None)


@dataclass(frozen=True)
class Program:
    """IR on flat leaves. Its parameters are the leaves of the arguments, then the hidden arrays."""

    lowered: Lowered
    function: Function
    result: Structure

    def artifact(self, options: Options) -> Artifact:
        """What is kept of it: the text to be run, and how to call that."""
        parameters = self.lowered.function.parameters
        taken = set(used(self.function.body))
        reads = frozenset(k for k, p in enumerate(self.function.parameters) if p in taken)
        several = sum(isinstance(p.type, Array) for p in parameters) > 1
        return Artifact(
            generate(self.function, options),
            self.result,
            self.lowered.hidden,
            self.lowered.captured,
            tuple(p.name for p in parameters),
            written_parameters(self.lowered.function) if several else frozenset(),
            reads,
            self.lowered.files,
            conditions_of(self.lowered.function),
            sizes_of(self.function),
        )


@runtime_checkable
class Lowerable(Protocol):
    """What gives its own IR: a derivative, of which the derivative is asked for."""

    def lowered(self, structures: Structures) -> Lowered: ...


@dataclass(frozen=True)
class Request:
    """A function and the structures of its arguments, one for each parameter."""

    function: Callable[..., object]
    parameters: Parameters
    arguments: Structures
    options: Options

    def lower(self) -> Lowered:
        if isinstance(self.function, Lowerable):
            lowered = self.function.lowered(self.arguments)
        else:
            lowered = compiler.lower(self.function, self.arguments)
        wide = stretched(self.arguments)
        if self.options.mutates and wide != self.arguments and _takes_extents_to_be_equal(lowered.function):
            return replace(self, arguments=wide).lower()  # it could not be started again
        if self.arguments == large(self.arguments) or (self.options.mutates and written_parameters(lowered.function)):
            lowered = replace(lowered, function=always_calls(lowered.function))
        if self.options.mutates:
            self._refuse_read_only(lowered.function)
            for name in lowered.changed:
                message = (
                    f"{self.parameters.name}() gives the argument {name!r} other items, which its caller would not see."
                )
                raise about(self, message, "Return the new object.", UnsupportedError)
        return lowered

    def _refuse_read_only(self, function: Function) -> None:
        """Raise if the function writes to an argument that nobody may write to."""
        leaves = [leaf for structure in self.arguments for leaf in leaves_of(structure)]
        for k, leaf in enumerate(leaves):
            if not leaf.writeable and k in written_parameters(function):
                name = function.parameters[k].name
                message = f"{self.parameters.name}() writes to the argument {name!r}, which is read-only."
                raise about(self, message, "Pass a copy of it.")


def _takes_extents_to_be_equal(function: Function) -> bool:
    """Whether a function that writes to its arguments may stop where extents are not equal."""
    bodies = [f.body for f in (function, *function.callees.values())]
    checks = (op for body in bodies for op in walk(body) if op.primitive == "check")
    return any(of_unequal_extents(op.text("message")) for op in checks) and bool(written_parameters(function))


def build(plan: Plan, request: Request) -> Program:
    """The program that does what is planned."""
    match plan:
        case Primal():
            return _primal(replace(request, options=replace(request.options, mutates=True)))
        case Gradient():
            return _gradient(plan, request)
        case Tangent():
            return _tangent(plan, request)
        case Columns() | Rows():
            return _matrix(plan, request)
        case Forward():
            return _forward(plan, request)
        case Backward():
            return _backward(plan, request)


def _primal(request: Request) -> Program:
    lowered = request.lower()
    return Program(lowered, compiler.primal(lowered.function, request.options), lowered.result)


def _gradient(plan: Gradient, request: Request) -> Program:
    chosen = Chosen(request, plan.argnums)
    if plan.holomorphic:
        _require_complex(request, chosen.structures)
    lowered = request.lower()
    value, aux = _value_and_aux(plan, request, lowered)
    function = _with_scalar_result(lowered.function)
    function = compiler.gradient(function, chosen.positions, plan.with_value, request.options)
    gradient = chosen.gradient(plan.argnums)
    if plan.with_value:
        outer = value if aux is None else Tree(tuple, (), (value, aux))
        return Program(lowered, function, Tree(tuple, (), (outer, gradient)))
    if aux is not None:
        return Program(lowered, _gradient_first(function, chosen), Tree(tuple, (), (gradient, aux)))
    return Program(lowered, function, gradient)


def _value_and_aux(plan: Gradient, request: Request, lowered: Lowered) -> tuple[Structure, Structure | None]:
    """The structures of the differentiated number and of the auxiliary result."""
    value, aux = lowered.result, None
    if plan.has_aux:
        if not isinstance(value, Tree) or value.cls is not tuple or len(value.children) != 2:
            raise about(request, "has_aux=True, but the function does not return a pair.", "Return (loss, aux).")
        value, aux = value.children
    kind = "c" if plan.holomorphic else "f"
    if isinstance(value, Leaf) and value.type.dtype.kind == kind and getattr(value.type, "rank", 0) == 0:
        return Leaf(Scalar(value.type.dtype), weak=True), aux
    hint = "grad needs one real number. For arrays and tuples use jacobian or vjp; or return a sum."
    if plan.holomorphic:
        hint = "With holomorphic=True the result is one complex number. Leave it out for a real result."
    elif isinstance(value, Leaf) and value.type.dtype.kind == "c":
        hint = "grad needs one real number. If the function is holomorphic, pass holomorphic=True; else use vjp."
    if isinstance(value, Leaf) and isinstance(value.type, Scalar) and value.type.dtype.kind in "biu":
        hint = "grad needs one real number. Return a float, computed from the arguments."
    raise about(
        request,
        f"The gradient of {request.parameters.name}() is asked for, but it returns {in_words(value)}.",
        hint,
    )


def _tangent(plan: Tangent, request: Request) -> Program:
    chosen = Chosen(request, plan.argnums, lenient=True)
    lowered = request.lower()
    function = compiler.tangents(lowered.function, chosen.positions, request.options)
    return Program(lowered, function, Tree(tuple, (), (lowered.result, cotangent(lowered.result))))


def _matrix(plan: Columns | Rows, request: Request) -> Program:
    chosen = Chosen(request, plan.position)
    lowered = request.lower()
    of, by = lowered.result, chosen.structures[0]
    by_rows = isinstance(plan, Rows)
    if (
        not _is_real(of)
        or not _is_real(by)
        or not isinstance(by.type, Array)
        or (by_rows and not isinstance(of.type, Array))
    ):
        message = f"The Jacobian of {in_words(of)} by {in_words(by)} is asked for."
        raise about(request, message, "It is taken of real numbers and arrays, by arrays; use jvp for others.")
    sweep = compiler.rows if by_rows else compiler.columns
    function = sweep(lowered.function, chosen.positions[0], request.options)
    rank = of.type.rank if isinstance(of.type, Array) else 0
    return Program(lowered, function, Leaf(Array(of.type.dtype, rank + by.type.rank)))


def _is_real(structure: Structure) -> TypeGuard[Leaf]:
    return isinstance(structure, Leaf) and structure.type.dtype.kind == "f"


def _forward(plan: Forward, request: Request) -> Program:
    lowered, halves, _ = _halves(plan, request)
    kept = tuple(_kept_leaf(type_) for type_ in halves.kept)
    return Program(lowered, halves.forward, Tree(tuple, (), (lowered.result, Tree(tuple, (), kept))))


def _backward(plan: Backward, request: Request) -> Program:
    lowered, halves, chosen = _halves(plan, request)
    return Program(lowered, halves.backward, chosen.gradient(plan.argnums))


def _halves(plan: Forward | Backward, request: Request) -> tuple[Lowered, Halves, Chosen]:
    chosen = Chosen(request, plan.argnums, lenient=True)
    lowered = request.lower()
    return lowered, compiler.halves(lowered.function, chosen.positions, request.options), chosen


def _kept_leaf(type_: Type) -> Leaf:
    """What is handed over is flat; a stack comes out as an array of its elements."""
    if isinstance(type_, Stack):
        return Leaf(Array(type_.element.dtype, 1))
    return Leaf(type_)


def _require_complex(request: Request, structures: Sequence[Structure]) -> None:
    """A holomorphic function is one of complex numbers."""
    real = [leaf for s in structures for leaf in leaves_of(s) if leaf.type.dtype.kind == "f"]
    if real:
        raise about(
            request,
            f"holomorphic=True, but {request.parameters.name}() is differentiated by {in_words(real[0])}.",
            "Pass a complex argument, or leave holomorphic out.",
        )


class Chosen:
    """The arguments to differentiate, and their floating leaves; ``lenient`` takes arguments that have none."""

    def __init__(self, request: Request, argnums: Argnums, lenient: bool = False) -> None:
        given = [_slots(structure) for structure in request.arguments]
        self.paths = argument_paths(request.parameters, argnums, given)
        self.structures = [_at(request.arguments, path) for path in self.paths]
        for path, structure in zip(self.paths, self.structures, strict=True):
            if not lenient:
                self._check(request, path, structure)
        starts = _leaf_starts(request.arguments)
        self.positions = [
            start + k
            for (start, structure) in ((starts[path], s) for path, s in zip(self.paths, self.structures, strict=True))
            for k, leaf in enumerate(leaves_of(structure))
            if leaf.type.dtype.differentiable
        ]

    def gradient(self, argnums: Argnums) -> Structure:
        """The structure of the gradient: an int gives the gradient itself, a tuple gives a tuple."""
        gradients = tuple(cotangent(structure) for structure in self.structures)
        return gradients[0] if isinstance(argnums, int) else Tree(tuple, (), gradients)

    def _check(self, request: Request, path: Path, structure: Structure) -> None:
        if any(leaf.type.dtype.differentiable for leaf in leaves_of(structure)) or isinstance(structure, Tree):
            return
        name = request.parameters.names[path[0]] + "".join(f"[{k}]" for k in path[1:])
        raise about(
            request,
            f"The gradient with respect to {name!r} is asked for, but that is {in_words(structure)}.",
            "Pass a float or an array of floats, or leave the argument out of argnums.",
        )


def _gradient_first(function: Function, chosen: Chosen) -> Function:
    """``(gradients, aux)`` from the compiler's ``(aux, gradients)``."""
    split = len(function.results) - len(chosen.positions)
    yields = (*function.results[split:], *function.results[:split])
    return replace(function, body=replace(function.body, yields=yields))


def _with_scalar_result(function: Function) -> Function:
    """The first result as a number, where it is an array without axes."""
    first, *others = function.results
    if not isinstance(first.type, Array):
        return function
    element = Value(Scalar(first.type.dtype))
    ops = (*function.body.ops, Op("load", (first,), (element,)))
    return replace(function, body=Block(function.parameters, ops, (element, *others)))


def cotangent(structure: Structure) -> Structure:
    """The structure of a gradient: floating leaves stay, fresh arrays are in order, all else is None."""
    match structure:
        case Leaf(type=type_) if type_.dtype.differentiable:
            if isinstance(type_, Array):
                return Leaf(Array(type_.dtype, type_.rank, "F" if type_.layout == "F" else "C"))
            return Leaf(type_, weak=structure.weak)
        case Tree(cls=cls):
            children = tuple(cotangent(child) for child in structure.children)
            nothing = cls is RunTimeList and not any(True for child in children for _ in leaves_of(child))
            return NOTHING if nothing else replace(structure, children=children)
    return NOTHING


def about(request: Request, message: str, hint: str, error: type[Error] = ArgumentTypeError) -> Error:
    """An error about the function as a whole, at its ``def``."""
    code = getattr(python_function(request.function), "__code__", None)
    file, line = (code.co_filename, code.co_firstlineno) if code else (None, None)
    return error(message, hint=hint, file=file, line=line)


def in_words(structure: Structure) -> str:
    match structure:
        case Leaf(type=Scalar(dtype=dtype)):
            return f"a scalar of dtype {dtype.numpy}"
        case Leaf(type=Array(dtype=dtype, rank=rank)):
            return f"an array of {rank} dimensions and dtype {dtype.numpy}"
        case Static(value=value):
            return "None" if value is None else f"the constant {value!r}"
        case Tree(cls=cls) if cls is RunTimeList:
            return "a list of run-time length"
        case Tree(cls=cls, children=children):
            return f"a {cls.__name__} of {len(children)}"
    raise AssertionError(structure)


def _slots(structure: Structure) -> Sequence[object]:
    return structure.children if isinstance(structure, Tree) else ()


def _at(arguments: Structures, path: Path) -> Structure:
    structure = arguments[path[0]]
    for k in path[1:]:
        assert isinstance(structure, Tree)
        structure = structure.children[k]
    return structure


def _leaf_starts(arguments: Structures) -> dict[Path, int]:
    """The position of the first leaf of each argument, and of each that ``*args`` takes."""
    starts: dict[Path, int] = {}
    position = 0
    for k, structure in enumerate(arguments):
        starts[(k,)] = inner = position
        for j, child in enumerate(_slots(structure)):
            assert isinstance(child, Leaf | Static | Tree)
            starts[(k, j)] = inner
            inner += count_leaves(child)
        position += count_leaves(structure)
    return starts
