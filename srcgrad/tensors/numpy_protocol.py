"""NumPy's functions on tensors: ``np.exp(x)`` is ``x.exp()``, recorded like it."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tensors.operations import FUNCTIONS
from srcgrad.tensors.tensor import Tensor

# Where NumPy's name or order of arguments is another one.
UFUNCS = {
    "power": "pow",
    "float_power": "pow",
    "true_divide": "div",
    "divide": "div",
    "absolute": "abs",
    "negative": "neg",
    "rint": "round",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
    "invert": "bitwise_not",
    "conjugate": "clone",
}
NAMES = {"concatenate": "cat", "clip": "clamp", "amax": "amax", "amin": "amin", "max": "amax", "min": "amin"}
KEYWORDS = {"axis": "dim", "keepdims": "keepdim", "ddof": "correction", "a_min": "min", "a_max": "max"}


def array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """A ufunc with a tensor among its operands."""
    made = FUNCTIONS.get(UFUNCS.get(ufunc.__name__, ufunc.__name__))
    if method != "__call__" or kwargs or made is None:
        return NotImplemented
    return made(*inputs)


def array_function(self: Tensor, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Another function of NumPy with a tensor among its arguments."""
    name = NAMES.get(function.__name__, function.__name__)
    made = SPECIAL.get(name) or FUNCTIONS.get(name)
    if made is None:
        raise TypeError(f"np.{function.__name__} takes no tensors; pass x.detach().numpy() where no gradient is wanted")
    named = {KEYWORDS.get(key, key): value for key, value in kwargs.items()}
    if name in ("var", "std"):
        named.setdefault("correction", 0)
    return made(*args, **named)


def _transpose(a: Tensor, axes: Any = None) -> Any:
    return a.permute(*(axes if axes is not None else range(a.ndim)[::-1]))


def _dot(a: Any, b: Any) -> Any:
    return FUNCTIONS["matmul"](a, b)


def _linalg_norm(x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
    return x.norm(2 if ord is None else ord, dim, keepdim)


def _expand_dims(a: Tensor, dim: int) -> Tensor:
    return a.unsqueeze(dim)  # type: ignore[no-any-return]  # a tensor


SPECIAL: dict[str, Any] = {
    "transpose": _transpose,
    "dot": _dot,
    "norm": _linalg_norm,
    "expand_dims": _expand_dims,
    "shape": lambda a: tuple(a.shape),
    "ndim": lambda a: a.ndim,
    "size": lambda a: a.numel(),
    "copy": lambda a: a.clone(),
}

Tensor.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]  # operations are put on the class
Tensor.__array_function__ = array_function  # type: ignore[attr-defined]
