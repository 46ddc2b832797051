"""NumPy functions that are written in srcgrad's own language: which Python function stands for which.

::

    @library(np.cumsum)
    def cumsum(a, axis=None):
        ...                                    # the loop one would write by hand

The body is lowered like user code, so its derivatives in every mode come for free. An array argument is given
memory before the call unless its parameter is named in ``streamed``: those are read once per element at most,
so an array expression can stay one, and ``np.sum(np.exp(x) * w)`` is a single loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

# The function that users call -> the function that is lowered for it.
LIBRARY: dict[object, FunctionType] = {}
# Parameters of library functions that may stay array expressions.
STREAMED: dict[FunctionType, frozenset[str]] = {}


def library(*functions: object, streamed: Sequence[str] = ()) -> Callable[[F], F]:
    """Let the decorated function stand for these; None for one that an older NumPy does not have."""

    def add(implementation: F) -> F:
        assert isinstance(implementation, FunctionType)
        for function in functions:
            if function is None:
                continue
            assert function not in LIBRARY, f"two functions for {function}"
            LIBRARY[function] = implementation
        STREAMED[implementation] = frozenset(streamed)
        return implementation

    return add
