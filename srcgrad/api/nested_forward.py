"""Forward mode inside a function that is being compiled: jvp, hvp, and Jacobians column by column.

The program of value and tangent is copied in, as in ``nested``. What loops over directions is written in the language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import NoReturn

from srcgrad.api.compiled import Compiled
from srcgrad.api.derivative import Derivative
from srcgrad.api.matrices import Jacobian
from srcgrad.api.nested import Call, call_compiled, called_at, known, made
from srcgrad.api.plans import Gradient, Primal, Tangent
from srcgrad.api.transforms import hessian, hvp, jacfwd, jacobian, jacrev, jvp, make_options, vjp
from srcgrad.errors import ArgumentTypeError, Error
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.control.merge import flatten, settle, spelled
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Arguments, Keywords, call_object, function
from srcgrad.frontend.values import Bound, FrontValue, Static, TupleValue, is_array, is_number
from srcgrad.ir.core import Operand
from srcgrad.ir.types import Array, Scalar
from srcgrad.library.directions import like, matrix_of, row_of
from srcgrad.settings import Options


@function(jvp, least=3, most=3)
def _jvp(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    f, options, primals, tangents = _along(lowering, jvp, arguments, keywords)
    moving = _moving(tangents)
    return _value_and_tangent(lowering, Compiled(f, Tangent(tuple(moving)), options), primals, moving)


@function(hvp, least=3, most=3)
def _hvp(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    f, options, primals, tangents = _along(lowering, hvp, arguments, keywords)
    moving = _moving(tangents)
    gradient = Derivative(f, Gradient(0 if len(primals) == 1 else tuple(range(len(primals)))), options)
    both = _value_and_tangent(lowering, Compiled(gradient, Tangent(tuple(moving)), options), primals, moving)
    return both.items[1]


def _moving(tangents: Sequence[FrontValue]) -> dict[int, FrontValue]:
    """The tangents by the positions of their arguments, without None, which holds an argument fixed."""
    return {k: t for k, t in enumerate(tangents) if not (isinstance(t, Static) and t.value is None)}


@function(vjp)
def _vjp(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> NoReturn:
    hint = (
        "Take grad() of the sum of its results times the cotangents; or jvp() and jacobian(), which may be called here."
    )
    lowering.refuse(None, "vjp() is called inside a function that is compiled", hint)


def _makes(transform: Callable[..., object]) -> None:
    """``transform(f)`` may be called here, too, if ``f`` is known."""

    @function(transform)
    def make(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        return made(lowering, transform, arguments, keywords)


for _transform in (jacfwd, jacrev, jacobian, hessian):
    _makes(_transform)


@call_object(Jacobian)
def call_jacobian(lowering: Lowering, matrix: Jacobian, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """In forward mode, but for the gradient of a number by an array, if that is not what was asked for."""
    arguments, position = _placed(lowering, matrix, arguments, keywords)
    point = arguments[position]
    column = Column(Compiled(matrix.function, Tangent((position,)), matrix.options), position)
    pair = Call(lowering, column.compiled, arguments, {}).program.result
    assert isinstance(pair, Tree)
    result = pair.children[0]
    if not isinstance(result, Leaf) or not result.type.dtype.differentiable or matrix.holomorphic:
        hint = "Here the argument and the result have to be real floats, or arrays of them; use jvp() for others."
        lowering.refuse(None, f"the Jacobian of {spelled(result)} is asked for", hint, ArgumentTypeError)
    is_number_by_array = isinstance(result.type, Scalar) and is_array(point)
    if matrix.mode != "fwd" and is_number_by_array:
        return call_compiled(lowering, Derivative(matrix.function, Gradient(position), matrix.options), arguments, {})
    if matrix.mode == "rev":
        lowering.refuse(None, "a Jacobian is asked for row by row", "Inside compiled functions use jacfwd or jacobian.")
    if is_number(point):
        return column(lowering, (*arguments, Static(1.0)))
    along = Bound(Static(column), tuple(arguments), {})
    if is_number_by_array:
        return call_python(lowering, ROW_OF, (along, point), {})
    value = call_compiled(lowering, Compiled(matrix.function, Primal(), matrix.options), arguments, {})
    return call_python(lowering, MATRIX_OF, (along, point, value), {})


def _placed(lowering: Lowering, matrix: Jacobian, arguments: Arguments, keywords: Keywords) -> tuple[Arguments, int]:
    """The arguments with memory, so that each is computed once, and the position of the one to differentiate by."""
    if keywords:
        lowering.refuse(
            None, "a Jacobian is called with keywords", "Pass the arguments by position.", ArgumentTypeError
        )
    if not -len(arguments) <= matrix.argnums < len(arguments):
        message = f"argnums={matrix.argnums}, but {len(arguments)} arguments are given"
        lowering.refuse(None, message, "Count from 0.", ArgumentTypeError)
    position = matrix.argnums % len(arguments)
    settled = tuple(settle(lowering, argument) for argument in arguments)
    if not is_number(settled[position]) and not is_array(settled[position]):
        message = f"the Jacobian is asked for, but argument {position} is neither a float nor an array of floats"
        lowering.refuse(None, message, "For other structures use jvp.", ArgumentTypeError)
    return settled, position


@dataclass(frozen=True)
class Column:
    """The function from arguments and a direction of one of them to the derivative along it."""

    compiled: Compiled
    position: int

    def __call__(self, lowering: Lowering, arguments: Sequence[FrontValue]) -> FrontValue:
        *primals, direction = arguments
        return _value_and_tangent(lowering, self.compiled, primals, {self.position: direction}).items[1]


@call_object(Column)
def call_column(lowering: Lowering, column: Column, arguments: Sequence[FrontValue], keywords: Keywords) -> FrontValue:
    return column(lowering, arguments)


def _along(
    lowering: Lowering, transform: Callable[..., object], arguments: Arguments, keywords: Keywords
) -> tuple[Callable[..., object], Options, Sequence[FrontValue], Sequence[FrontValue]]:
    """The function, the options, and the items of primals and tangents."""
    f, *pair = arguments
    named = {name: known(lowering, transform, value) for name, value in keywords.items()}
    try:
        options = make_options(named)  # type: ignore[arg-type]  # which checks the names
    except Error as error:
        raise called_at(lowering, error) from error
    for value in pair:
        if not isinstance(value, TupleValue) or value.keys:
            hint = "Write a tuple of one entry per argument, (x,) for a function of one."
            lowering.refuse(
                None, f"{transform.__name__}() takes primals and tangents as tuples", hint, ArgumentTypeError
            )
    primals, tangents = (value.items for value in pair if isinstance(value, TupleValue))
    if len(primals) != len(tangents):
        message = f"{transform.__name__}() got {len(primals)} primals and {len(tangents)} tangents"
        lowering.refuse(None, message, "Pass one tangent per primal.", ArgumentTypeError)
    found = known(lowering, transform, f)
    assert callable(found)
    return found, options, primals, tangents


def _value_and_tangent(
    lowering: Lowering, compiled: Compiled, primals: Sequence[FrontValue], tangents: Mapping[int, FrontValue]
) -> TupleValue:
    """The pair; ``tangents`` are those of the arguments at these positions."""
    call = Call(lowering, compiled, primals, {})
    directions = [
        operand
        for position, tangent in sorted(tangents.items())
        for operand in _directions(lowering, call.values[position], call.structures[position], tangent)
    ]
    pair = call.result(lowering, directions)
    assert isinstance(pair, TupleValue)
    return pair


def _directions(lowering: Lowering, primal: FrontValue, structure: Structure, tangent: FrontValue) -> Iterator[Operand]:
    """The leaves of a tangent, one per floating leaf of what it belongs to, each of that leaf's type."""
    match structure:
        case Leaf(type=type_) if type_.dtype.differentiable:
            fits = is_array(tangent) if isinstance(type_, Array) else is_number(tangent)
            if not fits:
                message = f"a tangent of {spelled(structure)} should be one, too"
                lowering.refuse(None, message, "Give it the same structure.", ArgumentTypeError)
            if isinstance(type_, Array):
                tangent = call_python(lowering, LIKE, (primal, tangent), {})
            yield from flatten(lowering, tangent, structure)
        case Tree(children=children):
            if not isinstance(tangent, TupleValue) or len(tangent.items) != len(children):
                message = f"a tangent of {spelled(structure)} should be one, too"
                lowering.refuse(None, message, "Give it the same structure.", ArgumentTypeError)
            assert isinstance(primal, TupleValue)
            for value, inner, given in zip(primal.items, children, tangent.items, strict=True):
                yield from _directions(lowering, value, inner, given)
        case _ if not (isinstance(tangent, Static) and tangent.value in (None, 0)):
            hint = "Pass None there."
            lowering.refuse(
                None, f"a tangent of {spelled(structure)}, which carries no derivative", hint, ArgumentTypeError
            )


def _source(f: Callable[..., object]) -> FunctionType:
    assert isinstance(f, FunctionType)
    return f


ROW_OF, MATRIX_OF, LIKE = _source(row_of), _source(matrix_of), _source(like)
