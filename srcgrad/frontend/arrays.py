"""What the rest of the front end asks of array expressions; ``delayed`` and ``indexing`` answer.

They are asked through a table, because they in turn need loops, branches and operators: each defines some of
the functions below under the same name and decorates it with ``@rule``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from srcgrad.frontend.promotion import Number
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue

if TYPE_CHECKING:
    from srcgrad.frontend.lowering import Lowering

Key = tuple[FrontValue, ...]
F = TypeVar("F", bound=Callable[..., object])
RULES: dict[str, Callable[..., Any]] = {}  # each typed by the function of its name below


def rule(function: F) -> F:
    """Make ``function`` the answer to the question of the same name."""
    RULES[function.__name__] = function
    return function


def materialize(lowering: Lowering, value: ArrayValue | Delayed) -> ArrayValue:
    """Memory for an array expression; a reference comes back as it is."""
    if isinstance(value, ArrayValue):
        return value
    array: ArrayValue = RULES["materialize"](lowering, value)
    return array


def elementwise(
    lowering: Lowering, function: Callable[..., Number], values: Sequence[FrontValue]
) -> ArrayValue | Delayed:
    """``function(builder, *elements)`` at every place of the operands, broadcast against each other."""
    array: ArrayValue | Delayed = RULES["elementwise"](lowering, function, values)
    return array


def matmul(lowering: Lowering, a: FrontValue, b: FrontValue) -> FrontValue:
    """``a @ b``."""
    product: FrontValue = RULES["matmul"](lowering, a, b)
    return product


def read(lowering: Lowering, array: ArrayValue | Delayed, key: Key) -> FrontValue:
    """``array[key]``."""
    value: FrontValue = RULES["read"](lowering, array, key)
    return value


def write(lowering: Lowering, array: ArrayValue, key: Key, value: FrontValue) -> None:
    """``array[key] = value``."""
    RULES["write"](lowering, array, key, value)


def augment(lowering: Lowering, operator: str, array: ArrayValue, key: Key, value: FrontValue) -> None:
    """``array[key] operator= value``; ``operator`` is a name of ``scalars.ARITHMETIC``."""
    RULES["augment"](lowering, operator, array, key, value)
