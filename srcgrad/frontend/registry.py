"""Tables of what the front end knows: a handler per kind of node, per function, per method and attribute.

Modules add rows at import with the decorators below; ``Lowering`` and ``calls`` only read them. So a new
construct or function is one handler, and no module needs to know who evaluates what.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

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
function = _adder(FUNCTIONS)  # type: ignore[arg-type]
array_method = _adder(ARRAY_METHODS)  # type: ignore[arg-type]
array_attribute = _adder(ARRAY_ATTRIBUTES)  # type: ignore[arg-type]
call_object = _adder(OBJECTS)  # type: ignore[arg-type]
