"""The Python function behind a callable that only stands for one: a Numba dispatcher, a cached function.

A function that merely carries the attributes of another (`functools.wraps` copies them) is itself.
"""

from __future__ import annotations

import functools
from types import FunctionType

from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher


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
