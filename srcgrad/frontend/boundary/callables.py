"""The Python function behind a callable that only stands for one: a Numba dispatcher, a cached function.

A function that merely carries the attributes of another (`functools.wraps` copies them) is itself.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType

from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher


def innermost(value: object) -> FunctionType | None:
    """The function that somebody wrote, of a derivative of a derivative, too."""
    inner = inspect.unwrap(value) if callable(value) else value
    return python_function(value) or python_function(inner)


def as_defined(function: FunctionType | None) -> Callable[[], bool]:
    """Says later on whether code and defaults are what they are now: IPython's autoreload, for one, replaces them."""
    if function is None:
        return lambda: True
    code, defaults, keywords = function.__code__, function.__defaults__, function.__kwdefaults__

    def unchanged() -> bool:
        same = function.__code__ is code and function.__defaults__ is defaults
        return same and function.__kwdefaults__ is keywords

    return unchanged


def python_function(value: object) -> FunctionType | None:
    """The function whose source says what a call does; None where there is none, or more to it than that.

    >>> import numba
    >>> python_function(numba.njit(python_function)) is python_function
    True
    """
    if isinstance(value, FunctionType):
        return value
    if isinstance(value, Dispatcher):
        return python_function(value.py_func)
    if isinstance(value, CFunc | functools._lru_cache_wrapper):
        return python_function(value.__wrapped__)
    return None
