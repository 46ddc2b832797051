"""Generated source to a callable: compiled by Numba, or run as the Python that it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from srcgrad.backend.python_source import module_of
from srcgrad.backend.runtime import reword
from srcgrad.ir.core import Function
from srcgrad.ir.types import Scalar
from srcgrad.settings import Options


def compile_function(function: Function, options: Options) -> Callable[..., object]:
    module = module_of(function)
    name = module.entry
    text = module.text(decorator(options) if options.jit else "")
    namespace: dict[str, object] = {}
    exec(compile(text, f"<srcgrad {name}>", "exec"), namespace)
    entry = namespace[name]
    return entry if options.jit else plain(entry, function)


def decorator(options: Options) -> str:
    fastmath = options.fastmath if isinstance(options.fastmath, bool) else "{" + ", ".join(map(repr, sorted(options.fastmath))) + "}"
    return f'@njit(fastmath={fastmath}, error_model="numpy", nogil=True)'


def plain(entry, function):
    types = [p.type.dtype.numpy.type if isinstance(p.type, Scalar) else None for p in function.parameters]
    def call(*arguments):
        given = [a if t is None else t(a) for a, t in zip(arguments, types, strict=True)]
        with np.errstate(all="ignore"):
            return entry(*given)
    return call
