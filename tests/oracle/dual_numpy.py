"""A stand-in for NumPy in which arrays hold dual numbers, and the derivatives by every input of a run with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oracle.dual import Dual, dual
from oracle.pairs import Pair, pair

ELEMENTARY = ("sin", "cos", "exp", "log", "sqrt", "tanh")


def _lifted(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An object array may hold plain floats too, which have no method ``sin``."""

    def apply(x: Any, out: Any = None) -> Any:
        if not isinstance(x, np.ndarray):
            return function(x)
        a = np.empty(x.size, dtype=object)
        a[:] = [v if isinstance(v, Pair) else dual(v) for v in x.ravel()]
        return function(a.reshape(x.shape), out)

    return apply


class DualNumPy:
    """Stands in for the name ``np`` of a program: allocations make arrays of duals, all else is NumPy's."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        return _lifted(function) if name in ELEMENTARY else function

    def full(self, shape: Any, value: Any, dtype: Any = float) -> np.ndarray[Any, Any]:
        kind = np.dtype(dtype).kind
        if kind not in "fc":
            return np.full(shape, value, dtype=dtype)
        if kind == "c":
            return np.full(shape, pair(value), dtype=object)
        return np.full(shape, dual(value), dtype=object)

    def zeros(self, shape: Any, dtype: Any = float) -> np.ndarray[Any, Any]:
        return self.full(shape, 0, dtype)

    def ones(self, shape: Any, dtype: Any = float) -> np.ndarray[Any, Any]:
        return self.full(shape, 1, dtype)

    def empty(self, shape: Any, dtype: Any = float) -> np.ndarray[Any, Any]:
        """NaN, so that a program that reads what it never wrote is found out."""
        return self.full(shape, math.nan, dtype)

    def zeros_like(self, a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.zeros(a.shape)

    def ones_like(self, a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.ones(a.shape)

    def empty_like(self, a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.empty(a.shape)

    def real(self, x: Any) -> Any:
        return _elements(x, lambda v: v.real)

    def imag(self, x: Any) -> Any:
        return _elements(x, lambda v: v.imag)


def _elements(x: Any, of: Callable[[Any], Any]) -> Any:
    if not isinstance(x, np.ndarray):
        return of(x)
    a = np.empty(x.size, dtype=object)
    a[:] = [of(v) for v in x.ravel()]
    return a.reshape(x.shape)


def is_differentiable(x: object) -> bool:
    """Whether an argument carries a derivative: a float, a complex number or an array of them."""
    if isinstance(x, np.ndarray):
        return bool(x.dtype.kind in "fc")
    return isinstance(x, float | complex | np.floating | np.complexfloating)


def _degrees(x: Any) -> int:
    """How many real numbers a differentiable argument has."""
    return np.size(x) * (2 if np.iscomplexobj(x) else 1)


def seeded(args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments with a unit tangent for each real number of each differentiable one, in order."""
    sizes = [_degrees(x) if is_differentiable(x) else 0 for x in args]
    basis = np.eye(sum(sizes))
    out, start = [], 0
    for x, size in zip(args, sizes, strict=True):
        rows = basis[start : start + size]
        start += size
        out.append(_seeded(x, rows) if is_differentiable(x) else x)
    return tuple(out)


def _seeded(x: Any, rows: np.ndarray[Any, Any]) -> Any:
    flat = np.ravel(x)
    duals: list[Any] = [Dual(v, t) for v, t in zip(flat.real, rows, strict=False)]
    if np.iscomplexobj(x):
        imaginary = (Dual(v, t) for v, t in zip(flat.imag, rows[flat.size :], strict=True))
        duals = [Pair(a, b) for a, b in zip(duals, imaginary, strict=True)]
    if not isinstance(x, np.ndarray):
        return duals[0]
    a = np.empty(x.size, dtype=object)
    a[:] = duals
    return a.reshape(x.shape)


def value_and_gradients(f: Callable[..., Any], args: Sequence[Any]) -> tuple[float, list[Any]]:
    """The value of ``f`` (bound to :class:`DualNumPy`) and a gradient for each differentiable argument, in order.

    That by a complex ``a + ib`` is ``df/da - i df/db``.
    """
    y = dual(f(*seeded(args)))
    active = [x for x in args if is_differentiable(x)]
    total = sum(map(_degrees, active))
    flat = np.broadcast_to(np.asarray(y.tangent, dtype=float), (total,))
    out, start = [], 0
    for x in active:
        piece: Any = flat[start : start + _degrees(x)]
        start += _degrees(x)
        if np.iscomplexobj(x):
            piece = piece[: np.size(x)] - 1j * piece[np.size(x) :]
        out.append(piece.reshape(np.shape(x)).copy() if isinstance(x, np.ndarray) else piece[0].item())
    return y.value, out
