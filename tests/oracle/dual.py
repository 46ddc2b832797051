"""Exact derivatives by running the very source with dual numbers in place of floats.

Arrays become object arrays of duals, so that views, aliases, swaps and in-place writes mean what Python and
NumPy make of them; nothing about the program is analysed. One run gives the derivatives by every input, since
a tangent is a vector with an entry per input element.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Tangent = Any  # a vector, or 0.0 for a constant; NumPy broadcasts the two


class Parts:
    """The class of complex dual numbers (``pairs``), to which duals leave the arithmetic with them, as to arrays."""


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

    @property
    def real(self) -> Dual:
        return self

    @property
    def imag(self) -> Dual:
        return Dual(0.0)

    def conjugate(self) -> Dual:
        return self

    def __int__(self) -> int:
        return int(self.value)

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
        if isinstance(other, np.ndarray | Parts):
            return NotImplemented
        b = dual(other)
        return Dual(self.value + b.value, self.tangent + b.tangent)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray | Parts):
            return NotImplemented
        b = dual(other)
        return Dual(self.value - b.value, self.tangent - b.tangent)

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray | Parts) else dual(other) - self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray | Parts):
            return NotImplemented
        b = dual(other)
        return Dual(self.value * b.value, self.tangent * b.value + b.tangent * self.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray | Parts):
            return NotImplemented
        b = dual(other)
        y = self.value / b.value
        return Dual(y, (self.tangent - b.tangent * y) / b.value)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray | Parts) else dual(other) / self

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray | Parts):
            return NotImplemented
        b = dual(other)
        y = self.value**b.value
        by_base = 0.0 if b.value == 0.0 else b.value * self.value ** (b.value - 1.0)
        by_exponent = y * math.log(self.value) if self.value > 0.0 else 0.0
        return Dual(y, self.tangent * by_base + b.tangent * by_exponent)

    def __rpow__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray | Parts) else dual(other) ** self

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

    # Where a logarithm or root is not differentiable, its NaN must be selected away, by `np.where` for example.
    def log(self) -> Dual:
        if self.value <= 0.0:
            return Dual(math.nan, math.nan)
        return Dual(math.log(self.value), self.tangent / self.value)

    def sqrt(self) -> Dual:
        if self.value <= 0.0:
            return Dual(math.nan, math.nan)
        y = math.sqrt(self.value)
        return Dual(y, self.tangent * (0.5 / y))

    def tanh(self) -> Dual:
        y = math.tanh(self.value)
        return Dual(y, self.tangent * (1.0 - y * y))


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(x)


def plain(x: Any) -> float:
    return float(x.value if isinstance(x, Dual) else x)
