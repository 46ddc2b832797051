"""Exact derivatives by running the very source with dual numbers in place of floats.

Arrays become object arrays of duals, so that views, aliases, swaps and in-place writes mean what Python and
NumPy make of them; nothing about the program is analysed. One run gives the derivatives by every input, since
a tangent is a vector with an entry per input element.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Tangent = Any  # a vector, or 0.0 for a constant; NumPy broadcasts the two


class Dual:
    """A value and its tangent. Immutable, so that array elements may share one."""

    __slots__ = ("tangent", "value")

    def __init__(self, value: float, tangent: Tangent = 0.0) -> None:
        self.value = float(value)
        self.tangent = tangent

    def __repr__(self) -> str:
        return f"Dual({self.value}, {self.tangent})"

    def __float__(self) -> float:
        raise TypeError("a dual number would lose its tangent here")

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return self.value != 0.0

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.tangent)

    def __pos__(self) -> Dual:
        return self

    def __abs__(self) -> Dual:
        return Dual(abs(self.value), float(np.sign(self.value)) * self.tangent)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = dual(other)
        return Dual(self.value + b.value, self.tangent + b.tangent)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = dual(other)
        return Dual(self.value - b.value, self.tangent - b.tangent)

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else dual(other) - self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = dual(other)
        return Dual(self.value * b.value, self.tangent * b.value + b.tangent * self.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = dual(other)
        y = self.value / b.value
        return Dual(y, (self.tangent - b.tangent * y) / b.value)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else dual(other) / self

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = dual(other)
        y = self.value**b.value
        by_base = 0.0 if b.value == 0.0 else b.value * self.value ** (b.value - 1.0)
        by_exponent = y * math.log(self.value) if self.value > 0.0 else 0.0
        return Dual(y, self.tangent * by_base + b.tangent * by_exponent)

    def __rpow__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else dual(other) ** self

    def __lt__(self, other: Any) -> bool:
        return self.value < plain(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= plain(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > plain(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= plain(other)

    def __eq__(self, other: object) -> bool:
        return self.value == plain(other)

    # NumPy calls the method of that name for each element of an object array: np.sin(a) is a[i].sin().
    def sin(self) -> Dual:
        return Dual(math.sin(self.value), self.tangent * math.cos(self.value))

    def cos(self) -> Dual:
        return Dual(math.cos(self.value), self.tangent * -math.sin(self.value))

    def exp(self) -> Dual:
        y = math.exp(self.value)
        return Dual(y, self.tangent * y)

    def log(self) -> Dual:
        return Dual(math.log(self.value), self.tangent / self.value)

    def sqrt(self) -> Dual:
        y = math.sqrt(self.value)
        return Dual(y, self.tangent * (0.5 / y))

    def tanh(self) -> Dual:
        y = math.tanh(self.value)
        return Dual(y, self.tangent * (1.0 - y * y))


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(x)


def plain(x: Any) -> float:
    return float(x.value if isinstance(x, Dual) else x)


ELEMENTARY = ("sin", "cos", "exp", "log", "sqrt", "tanh")


def _lifted(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An object array may hold plain floats too, which have no method ``sin``."""

    def apply(x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            return function(x)
        a = np.empty(x.size, dtype=object)
        a[:] = [dual(v) for v in x.ravel()]
        return function(a.reshape(x.shape))

    return apply


class DualNumPy:
    """Stands in for the name ``np`` of a program: allocations make arrays of duals, all else is NumPy's."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        return _lifted(function) if name in ELEMENTARY else function

    def full(self, shape: Any, value: Any, dtype: Any = float) -> np.ndarray[Any, Any]:
        if np.dtype(dtype).kind != "f":
            return np.full(shape, value, dtype=dtype)
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


def is_differentiable(x: object) -> bool:
    """Whether an argument carries a derivative: a float or an array of floats."""
    if isinstance(x, np.ndarray):
        return bool(x.dtype.kind == "f")
    return isinstance(x, float | np.floating)


def seeded(args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments with a unit tangent for each element of each differentiable one, in order."""
    sizes = [np.size(x) if is_differentiable(x) else 0 for x in args]
    basis = np.eye(sum(sizes))
    out, start = [], 0
    for x, size in zip(args, sizes, strict=True):
        rows = basis[start : start + size]
        start += size
        if not is_differentiable(x):
            out.append(x)
        elif isinstance(x, np.ndarray):
            a = np.empty(x.size, dtype=object)
            a[:] = [Dual(v, t) for v, t in zip(x.ravel(), rows, strict=True)]
            out.append(a.reshape(x.shape))
        else:
            out.append(Dual(x, rows[0]))
    return tuple(out)


def value_and_gradients(f: Callable[..., Any], args: Sequence[Any]) -> tuple[float, list[Any]]:
    """The value of ``f`` (bound to :class:`DualNumPy`) and a gradient for each differentiable argument, in order."""
    y = dual(f(*seeded(args)))
    active = [x for x in args if is_differentiable(x)]
    total = sum(np.size(x) for x in active)
    flat = np.broadcast_to(np.asarray(y.tangent, dtype=float), (total,))
    out, start = [], 0
    for x in active:
        piece = flat[start : start + np.size(x)]
        start += np.size(x)
        out.append(piece.reshape(np.shape(x)).copy() if isinstance(x, np.ndarray) else float(piece[0]))
    return y.value, out
