"""Complex dual numbers as pairs of real ones: nothing of complex differentiation is assumed."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracle.dual import Dual, Parts, dual


class Pair(Parts):
    """A complex number by its two parts. Immutable, as its parts are."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Any, imag: Any = 0.0) -> None:
        self.real: Dual = dual(real)
        self.imag: Dual = dual(imag)

    def __repr__(self) -> str:
        return f"Pair({self.real}, {self.imag})"

    def __neg__(self) -> Pair:
        return Pair(-self.real, -self.imag)

    def __abs__(self) -> Dual:
        squared = self.real * self.real + self.imag * self.imag
        return squared.sqrt() if squared.value else Dual(0.0)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = pair(other)
        return Pair(self.real + b.real, self.imag + b.imag)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self + -pair(other)

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else pair(other) + -self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = pair(other)
        return Pair(self.real * b.real - self.imag * b.imag, self.real * b.imag + self.imag * b.real)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = pair(other)
        size = b.real * b.real + b.imag * b.imag
        top = self * b.conjugate()
        return Pair(top.real / size, top.imag / size)

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else pair(other) / self

    def __pow__(self, exponent: int) -> Pair:
        result = Pair(1.0)
        for _ in range(exponent):
            result = result * self
        return result

    def conjugate(self) -> Pair:
        return Pair(self.real, -self.imag)

    def exp(self) -> Pair:
        size = self.real.exp()
        return Pair(size * self.imag.cos(), size * self.imag.sin())

    def sqrt(self) -> Pair:
        """Of a number with a positive real part."""
        assert self.real.value > 0.0
        real = ((abs(self) + self.real) * 0.5).sqrt()
        return Pair(real, self.imag / (2.0 * real))


def pair(x: Any) -> Pair:
    if isinstance(x, Pair):
        return x
    return Pair(float(x.real), float(x.imag)) if isinstance(x, complex) else Pair(x)
