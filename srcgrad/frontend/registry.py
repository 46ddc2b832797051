"""Tables of what the front end knows: a handler per kind of node, per function, per method and attribute.

Modules add rows at import with the decorators below; ``Lowering`` and ``calls`` only read them. So a new
construct or function is one handler, and no module needs to know who evaluates what.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.values import FrontValue

if TYPE_CHECKING:
    from srcgrad.frontend.lowering import Lowering

Arguments = tuple[FrontValue, ...]
Keywords = Mapping[str, FrontValue]

Evaluate = Callable[["Lowering", ast.expr], FrontValue]
Execute = Callable[["Lowering", ast.stmt], None]
# handler(lowering, arguments, keywords) -> result; a method's first argument is the value it is called on
Handler = Callable[["Lowering", Arguments, Keywords], FrontValue]
Attribute = Callable[["Lowering", FrontValue], FrontValue]
# how to call an object of some class: handler(lowering, object, arguments, keywords)
CallObject = Callable[["Lowering", object, Arguments, Keywords], FrontValue]

EXPRESSIONS: dict[type[ast.expr], Evaluate] = {}
STATEMENTS: dict[type[ast.stmt], Execute] = {}
# By the function object itself: np.zeros, len, math.floor ...
FUNCTIONS: dict[object, Handler] = {}
# Methods and attributes of arrays (ArrayValue and Delayed), by name.
ARRAY_METHODS: dict[str, Handler] = {}
ARRAY_ATTRIBUTES: dict[str, Attribute] = {}
# Objects that are called by a rule of their own, by class: derivative functions, for example.
OBJECTS: dict[type, CallObject] = {}

F = TypeVar("F")


def _adder(table: dict[object, object]) -> Callable[..., Callable[[F], F]]:
    def decorator(*keys: object) -> Callable[[F], F]:
        def add(handler: F) -> F:
            for key in keys:
                assert key not in table, f"two handlers for {key}"
                table[key] = handler
            return handler

        return add

    return decorator


expression = _adder(EXPRESSIONS)  # type: ignore[arg-type]  # one decorator serves tables of different keys
statement = _adder(STATEMENTS)  # type: ignore[arg-type]


def function(*functions: object, least: int = 0, most: int | None = None) -> Callable[[Handler], Handler]:
    """Add a handler for these functions, called with at least and at most so many positional arguments."""

    def add(handler: Handler) -> Handler:
        for f in functions:
            assert f not in FUNCTIONS, f"two handlers for {f}"
            FUNCTIONS[f] = _counting(handler, str(getattr(f, "__name__", f)), least, most)
        return handler

    return add


def _counting(handler: Handler, name: str, least: int, most: int | None) -> Handler:
    def counted(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        given = len(arguments)
        if given < least or (most is not None and given > most):
            wanted = f"{least}" if most == least else f"{least} to {most}" if most is not None else f"at least {least}"
            lowering.refuse(None, f"{name}() takes {wanted} arguments, got {given}", error=ArgumentTypeError)
        return handler(lowering, arguments, keywords)

    return counted


array_method = _adder(ARRAY_METHODS)  # type: ignore[arg-type]
array_attribute = _adder(ARRAY_ATTRIBUTES)  # type: ignore[arg-type]
call_object = _adder(OBJECTS)  # type: ignore[arg-type]
